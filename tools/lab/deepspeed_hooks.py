#!/usr/bin/env python3
"""deepspeed_hooks.py FOLDER: measures the time of DeepSpeed's Python hooks on this machine, without a GPU.

FOLDER is a checkout of https://github.com/deepspeedai/DeepSpeed, version v0.12.6. The script trains small models of
LLaMA's layers with PyTorch on one core, with and without ZeRO, and prints the additional time of a layer. Models of 4
and 12 layers are compared, so that the time outside of the layers cancels. The width of 32 makes all products short:
the measured time is that of Python and of the dispatch of operators. Collectives return at once, because another rank
does not exist. docs/formulas.md#hooks uses the results.

Needs Debian's python3-torch and python3-psutil, and the Python packages pydantic (1.x), py-cpuinfo and ninja that
DeepSpeed imports."""
import contextlib
import gc
import json
import os
import sys
import time
import types

if len(sys.argv) != 2 or not os.path.isdir(os.path.join(sys.argv[1], "deepspeed")):
    sys.exit(__doc__)
sys.path.insert(0, sys.argv[1])
os.environ.update(DS_ACCELERATOR="cpu", RANK="0", WORLD_SIZE="1", LOCAL_RANK="0", LOCAL_SIZE="1",
                  MASTER_ADDR="127.0.0.1", MASTER_PORT=str(29600 + os.getpid() % 300))
# Packages that DeepSpeed imports for a CPU, and that these measurements do not use.
for name in ("oneccl_bindings_for_pytorch", "intel_extension_for_pytorch"):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__version__ = "0"
sys.modules["hjson"] = json

import logging

import torch
import torch.distributed as dist
import torch.utils.checkpoint
from torch import nn
import torch.nn.functional as F

torch.set_num_threads(1)
import deepspeed
from deepspeed.accelerator import get_accelerator

logging.disable(logging.WARNING)
WIDTH, WORDS, TOKENS, HEADS = 32, 64, 8, 2


class Done:
    """A collective that is complete when it is issued."""
    def wait(self):
        pass

    def is_completed(self):
        return True


def gather(output_tensor, input_tensor, group=None, async_op=False):
    output_tensor.view(-1)[:input_tensor.numel()].copy_(input_tensor.view(-1))
    return Done() if async_op else None


def scatter(output, input, op=None, group=None, async_op=False):
    output.view(-1).copy_(input.view(-1)[:output.numel()])
    return Done() if async_op else None


def without_second_rank():
    """Replaces the collectives and streams, so that one process behaves like rank 0 of 2."""
    accelerator = get_accelerator().__class__
    accelerator.communication_backend_name = lambda self: "gloo"
    get_accelerator()._communication_backend_name = "gloo"
    dist.broadcast = lambda tensor, src=0, group=None, async_op=False: Done() if async_op else None
    dist.all_reduce = lambda tensor, op=None, group=None, async_op=False: Done() if async_op else None
    dist.all_gather_into_tensor = dist._all_gather_base = gather
    dist.reduce_scatter_tensor = dist._reduce_scatter_base = scatter
    dist.all_gather = lambda out, x, group=None, async_op=False: [o.copy_(x) for o in out] and None
    dist.barrier = lambda *a, **k: None
    dist.get_world_size = lambda group=None: 2
    dist.get_rank = lambda group=None: 0
    dist.new_group = lambda *a, **k: None
    same = lambda group, rank: rank
    dist.get_global_rank = dist._get_global_rank = same
    dist.distributed_c10d._get_global_rank = dist.distributed_c10d.get_global_rank = same

    class Stream:
        def __init__(self, *a, **k):
            pass
        synchronize = wait_stream = record_event = wait_event = record = lambda self, *a: None
        query = lambda self: True

    accelerator.current_stream = accelerator.default_stream = lambda self, device=None: Stream()
    accelerator.stream = lambda self, stream: contextlib.nullcontext()
    accelerator.Stream = accelerator.Event = property(lambda self: Stream)
    torch.Tensor.record_stream = lambda self, stream: None


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        y = x.float()
        y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.weight * y.to(x.dtype)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))

    def forward(self, x, cos, sin):
        batch, tokens, _ = x.shape
        heads = lambda y: y.view(batch, tokens, HEADS, -1).transpose(1, 2)
        half = WIDTH // HEADS // 2
        turned = lambda y: y * cos + torch.cat((-y[..., half:], y[..., :half]), -1) * sin
        q, k, v = turned(heads(self.q(x))), turned(heads(self.k(x))), heads(self.v(x))
        y = (q @ k.transpose(2, 3)).softmax(-1) @ v
        return self.o(y.transpose(1, 2).reshape(batch, tokens, -1))


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.up = (nn.Linear(WIDTH, 2 * WIDTH, bias=False) for _ in range(2))
        self.down, self.act = nn.Linear(2 * WIDTH, WIDTH, bias=False), nn.SiLU()

    def forward(self, x):
        return self.down(self.act(self.gate(x)) * self.up(x))


class Layer(nn.Module):
    """A layer of LLaMA: 13 modules and 9 parameters. more: modules that compute nothing and only have hooks."""
    def __init__(self, more):
        super().__init__()
        self.before, self.attention, self.after, self.mlp = Norm(), Attention(), Norm(), Mlp()
        self.more = nn.ModuleList(nn.Identity() for _ in range(more))

    def forward(self, x, cos, sin):
        for module in self.more:
            x = module(x)
        x = x + self.attention(self.before(x), cos, sin)
        return x + self.mlp(self.after(x))


class Model(nn.Module):
    def __init__(self, layers, more, recompute, frozen):
        super().__init__()
        torch.manual_seed(0)
        self.words, self.recompute = nn.Embedding(WORDS, WIDTH), recompute
        self.layers = nn.ModuleList(Layer(more) for _ in range(layers))
        self.norm, self.head = Norm(), nn.Linear(WIDTH, WORDS, bias=False)
        self.bfloat16()
        for name, parameter in self.layers.named_parameters():
            parameter.requires_grad = not frozen or "before" in name

    def forward(self, ids):
        x = self.words(ids)
        cos = torch.ones(1, 1, ids.shape[1], WIDTH // HEADS).to(x.dtype)
        for layer in self.layers:
            call = torch.utils.checkpoint.checkpoint if self.recompute else lambda f, *args: f(*args)
            x = call(layer, x, cos, 0.5 * cos)
        return F.cross_entropy(self.head(self.norm(x)).view(-1, WORDS), ids.view(-1))


def plain(model, ids):
    def step():
        model(ids).backward()
        for parameter in model.parameters():
            parameter.grad = None
    return step


def under_zero(model, ids, stage, whole):
    """whole: the parameters stay gathered (below the persistence threshold), so only hooks of modules run."""
    engine, *_ = deepspeed.initialize(
        model=model, model_parameters=[p for p in model.parameters() if p.requires_grad], dist_init_required=True,
        config={"train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 1000000,
                "optimizer": {"type": "AdamW", "params": {"torch_adam": True}}, "bf16": {"enabled": True},
                "zero_allow_untrusted_optimizer": True, "zero_force_ds_cpu_optimizer": False,
                "zero_optimization": {
                    "stage": stage, "overlap_comm": True, "contiguous_gradients": True, "sub_group_size": 1e9,
                    "stage3_prefetch_bucket_size": int(.9 * WIDTH * WIDTH), "reduce_bucket_size": WIDTH * WIDTH,
                    "stage3_param_persistence_threshold": 10**9 if whole else 10 * WIDTH}})
    return lambda: engine.backward(engine(ids))


def layer_us(make, repeats=60):
    """Returns the CPU time of one layer in microseconds: (least time with 12 layers - least time with 4 layers) / 8."""
    steps = [make(4), make(12)]
    gc.disable()
    best = [float("inf")] * len(steps)
    for step in steps:
        for _ in range(6):
            step()
    for repeat in range(repeats):
        for i, step in enumerate(steps):
            begun = time.process_time()
            step()
            best[i] = min(best[i], time.process_time() - begun)
        if repeat % 10 == 0:
            gc.collect()
    return (best[1] - best[0]) / 8 * 1e6


def main():
    without_second_rank()
    ids = torch.randint(0, WORDS, (1, TOKENS))
    print("stage  recompute  frozen  gathered  modules  us of a layer  with ZeRO  hooks")
    for stage, recompute, frozen, whole, more in (
            (3, 0, 0, 0, 0), (3, 0, 0, 0, 10), (3, 0, 1, 0, 0), (3, 0, 0, 1, 0), (3, 0, 0, 1, 10), (3, 0, 1, 1, 0),
            (3, 1, 0, 0, 0), (3, 1, 0, 1, 0), (2, 0, 0, 0, 0), (2, 0, 0, 0, 10)):
        own = layer_us(lambda layers: plain(Model(layers, more, recompute, frozen), ids))
        zero = layer_us(lambda layers: under_zero(Model(layers, more, recompute, frozen), ids, stage, whole))
        print(f"{stage:5} {recompute:10} {frozen:7} {whole:9} {13 + more:8} {own:14.0f} {zero:10.0f} {zero - own:6.0f}",
              flush=True)


if __name__ == "__main__":
    main()
