#!/usr/bin/env python3
"""Compares every row of 'nncost ops' with rows that this script derives from docs/formulas.md, without code of the
program.

Each round draws a decoder or encoder (norms, biases, gates, latent attention, experts, state layers, heads), a plan
(tensor, context and expert parallelism, recomputation, adapters, policy), switches of a software profile, and the
efficiencies and links of a device. For each op, phase and layer kind, the script derives FLOPs, bytes read, written and
kept (or the bytes of a collective), its time, and the number of instances in a step. From the rows, the script derives
the times of the step, its bounds, the communication and the bytes in memory.

    usage: derived_ops.py NNCOST ROOT [ROUNDS]      seed fixed [100 rounds]
"""
import collections
import json
import math
import os
import random
import subprocess
import sys
import tempfile

nncost, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 100
os.environ["NNCOST_PATH"] = root
folder = tempfile.mkdtemp()
seed = random.Random(28)

# Each row has the FLOPs per element (forward, backward), then four pairs of numbers (elements read, elements written)
# per element of the output, and then the bytes of a mask. The four pairs are for one kernel in forward, one kernel in
# backward, one kernel per primitive in forward, and one kernel per primitive in backward. The table is in
# docs/formulas.md#pointwise.
POINTWISE = {
    "gelu": ((8, 13), (1, 1), (2, 1), (8, 8), (16, 8), 0), "relu": ((1, 1), (1, 1), (2, 1), (1, 1), (2, 1), 0),
    "relu2": ((2, 3), (1, 1), (2, 1), (2, 2), (3, 2), 0), "silu": ((4, 7), (1, 1), (2, 1), (1, 1), (2, 1), 0),
    "swiglu": ((5, 10), (2, 1), (3, 2), (3, 2), (5, 3), 0), "geglu": ((6, 12), (2, 1), (3, 2), (3, 2), (5, 3), 0),
    "position_add": ((1, 1), (1, 1), (1, 0), (1, 1), (1, 0), 0), "dropout": ((1, 1), (1, 1), (1, 1), (1, 1), (1, 1), 1),
    "residual": ((1, 1), (1, 1), (1, 0), (2, 1), (2, 1), 0),
    "bias_dropout_residual": ((3, 2), (2, 1), (1, 1), (4, 3), (3, 2), 1),
    "softmax": ((5, 4), (1, 1), (2, 1), (3, 3), (4, 3), 0), "scale_mask": ((2, 1), (1, 1), (1, 1), (1, 1), (1, 1), 0),
    "softcap": ((3, 4), (1, 1), (2, 1), (3, 3), (4, 3), 0), "scale": ((1, 3), (1, 1), (2, 1), (1, 1), (3, 1), 0),
    "rotary": ((3, 3), (1, 1), (1, 1), (4, 2), (4, 2), 0), "copy": ((0, 0), (1, 1), (1, 1), (1, 1), (1, 1), 0),
    "clamp": ((1, 1), (2, 2), (3, 2), (2, 2), (3, 2), 0), "expert_bias": ((2, 4), (0, 0), (1, 0), (7, 7), (12, 8), 0),
}
# Each row has the FLOPs per element in forward and in backward, the passes over memory without fusion, and the bytes of
# statistics per row.
NORMS = {"layer": (8, 14, 6, 8), "rms": (4, 10, 5, 4)}
GATED = ("swiglu", "geglu")
# Bytes per parameter: weights, gradient sums, bytes read and bytes written by an AdamW update. See
# docs/formulas.md#optimizer-step.
POLICIES = {"mixed": (2, 2, 14, 14), "mixed-fp32grad": (2, 4, 16, 14), "bf16-pure": (2, 2, 8, 6)}


MIXERS = {"mamba": "ssm_inner ssm_state ssm_rank conv_kernel", "mamba2": "ssm_inner ssm_state ssm_heads ssm_groups conv_kernel",
          "gated_delta": "ssm_inner ssm_state ssm_heads ssm_groups conv_kernel",
          "kimi_delta": "ssm_inner ssm_state ssm_heads ssm_groups ssm_rank conv_kernel",
          "lightning": "", "short_conv": "conv_kernel"}  # fields of each kind of layer with a state
MOVING = ("conv1d", "selective_scan", "chunk_scan", "delta_scan", "matmul", "flash_attention", "embedding", "cross_entropy",
          "squared_error", "optimizer_step", "clip_gradients", "zero_gradients")
EXPERTS = ("moe.gate_up", "moe.up", "moe.down")  # matrices that are divided over expert ranks


class Ops:
    """Collects the expected rows: (name, phase, instances, FLOPs, vector FLOPs, bytes read, bytes written, bytes
    kept)."""

    def __init__(self, d, plan, switches):
        self.d, self.plan, self.rows, self.params, self.expert_params = d, plan, [], 0, 0
        self.full = 0.0  # bytes that layers do not keep, because backward computes them again
        self.transient = 0.0  # largest sum of the gradients of an op's input and output
        self.of = {"fused_norm": True, "fused_activation": True, "fused_residual": True, "fused_rotary": True,
                   "fused_softmax": True, "fused_loss": True, "random_written": False, "by_reductions": False,
                   "written_out": False, "split_loss": False, "expanded_kv": False,
                   "expert_masks": False, "expert_sorts": False, "expert_scores_first": False, "fused_expert_clamp": True,
                   "fused_expert_bias": True,
                   "expert_bias_gathered": False} | switches
        self.b, self.s = plan["micro_batch"], d["seq_len"]
        self.t, self.c = plan["tensor"], plan["context"]
        self.m = plan["micro_batches"]
        self.tokens = self.b * self.s
        self.sequence = self.c * (self.t if "sequence_parallel" in plan else 1)
        self.grad = POLICIES[plan["policy"]][1]
        self.repeat, self.in_layer, self.rank = 1, False, plan.get("adapter_rank", 0)
        self.narrow = plan.get("precision") == "fp8"
        self.recompute = set(plan["recompute"].split(","))

    def row(self, name, phase, flops=0.0, vector=0.0, read=0.0, write=0.0, kept=0.0, times=1):
        self.rows.append((name, phase, self.repeat * self.m * times, flops, vector, read, write, kept))

    def again(self, first):
        """Adds recompute rows: backward computes the forward rows again, beginning with the row `first`."""
        for name, phase, count, *work, _ in self.rows[first:]:
            if phase == "forward" and name != "dequantize":
                self.rows.append((name, "recompute", count, *work, 0.0))

    def linear(self, name, m, n, k, bias=0, kept=1.0, grad_input=True, experts=1, params=True, batch=1, cast=None):
        """The product C[m,n] = A[m,k] B[k,n]. kept: fraction of A that a rank keeps for backward. cast: number of
        values of A and of C, if these numbers are not m k and m n."""
        flops = 2.0 * batch * m * n * k
        weights = experts * n * k
        vector = float(m * n) if bias else 0.0
        if self.rank and not name.startswith("adapter."):
            self.frozen(name, m, n, k, bias, kept, experts)
            return
        width = 2.0
        if self.narrow and self.in_layer:  # operands have 8 bits; kernels cast the input, and in backward the gradient
            width, (inputs, outputs) = 1.0, (m * k, m * n) if cast is None else cast
            self.row("cast", "forward", 0.0, 2.0 * inputs, 2.0 * inputs, 1.0 * inputs)
            self.row("cast", "backward", 0.0, 2.0 * outputs, 2.0 * outputs, 1.0 * outputs)
            self.transient = max(self.transient, 4.0 * inputs)
        self.row(name, "forward", flops, vector, width * (m * k + weights + (bias if bias else 0)), 2.0 * m * n,
                 width * m * k * kept)
        if grad_input:
            self.row(name, "grad_input", flops, 0.0, width * (m * n + weights), 2.0 * m * k)
        self.transient = max(self.transient, 2.0 * m * (n + k))
        sums = float(self.grad * weights)
        again = 1.0 if self.grad > 2 else (self.m - 1) / self.m
        self.row(name, "grad_weight", flops, vector, width * (m * k + m * n) + sums * again, sums)
        if params:
            self.params += self.repeat * (weights + bias)
            self.expert_params += self.repeat * (weights + bias) if name in EXPERTS else 0

    def frozen(self, name, m, n, k, bias, kept, experts):
        """A frozen linear layer has no gradient of its weights. An adapter has two products for each matrix that a
        linear layer joins (such as Q, K and V): the product with A, whose input is kept, and then the product with B.
        DoRA: docs/formulas.md#adapters. The matrices of experts have no adapters."""
        flops, rank, weights = 2.0 * m * n * k, self.rank, experts * n * k
        parts = {"attn.qkv": 3, "mlp.gate_up": 2, "moe.shared_gate_up": 2}.get(name, 1)
        stored = {"nf4": 0.5, "int8": 1.0}.get(self.plan["frozen"])
        if stored and self.in_layer:  # before each product, a kernel writes the weights in 16 bits
            work = 0.0, float(weights), stored * weights, 2.0 * weights
            self.row("dequantize", "forward", *work)
            self.row("dequantize", "recompute", *work)
            self.transient = max(self.transient, 4.0 * weights)
        self.row(name, "forward", flops, float(m * n) if bias else 0.0, 2.0 * (m * k + weights + bias), 2.0 * m * n,
                 2.0 * m * k * kept if name == "moe.router" and self.adapted_beside_router() else 0.0)
        self.row(name, "grad_input", flops, 0.0, 2.0 * (m * n + weights), 2.0 * m * k)
        self.transient = max(self.transient, 2.0 * m * (n + k))
        if self.in_layer and name not in EXPERTS + ("moe.router",):
            if "dora" in self.plan:  # the row computes W + A B, and the length of each of its columns
                self.row("adapter.weight", "forward", 2.0 * n * k * rank, 0.0, 2.0 * rank * (n + k), 2.0 * n * k)
                self.row("adapter.lengths", "forward", 0.0, 1.0 * n * k, 2.0 * n * k, 2.0 * n * k)
            self.linear("adapter.down", m, parts * rank, k, kept=kept)
            self.linear("adapter.up", m, n, rank)
            self.pointwise("adapter.add", "residual", m * n, fused=True)
            if "dora" in self.plan:
                self.pointwise("adapter.length", "scale", m * n, inputs=1.0)
                self.params += self.repeat * n

    def adapted_beside_router(self):
        """Returns whether adapters of shared experts, or of a projection to a latent, also read the input of the
        router. If adapters also read the input of the router, the row of the router counts the input as kept."""
        return self.d.get("shared_hidden") or self.d.get("expert_latent", self.d["hidden"]) != self.d["hidden"]

    def own(self, params):
        """Adds parameters outside of linear layers and norms. With adapters, parameters outside of linear layers and
        norms are frozen."""
        self.params += 0 if self.rank else self.repeat * params

    def norm(self, name, rows, width, params=None, keeps=1.0, kind=None):
        kind = kind or self.d["norm"]
        forward, backward, passes, statistics = NORMS[kind]
        elements = rows * width
        ahead, behind = ((3, 1), (6, 1)) if self.of["by_reductions"] else ((1, 1), (2, 1))
        if not self.of["fused_norm"] or self.of["written_out"]:
            ahead, behind = (passes / 2, passes / 2), (passes * 0.75, passes * 0.75)
        self.row(name, "forward", 0.0, forward * elements, 2.0 * ahead[0] * elements, 2.0 * ahead[1] * elements,
                 2.0 * elements * keeps + statistics * rows)
        self.row(name, "backward", 0.0, backward * elements, 2.0 * behind[0] * elements, 2.0 * behind[1] * elements)
        self.transient = max(self.transient, 4.0 * elements)
        if self.in_layer and "norm" in self.recompute:
            self.again(len(self.rows) - 2)
        if self.rank:
            return
        own = 0 if self.d.get("plain_norms") else width * (2 if self.norm_bias() and kind == "layer" else 1)
        self.params += self.repeat * (own if params is None else params)

    def norm_bias(self):
        return self.d["norm"] == "layer" and (self.d["biases"] or self.d.get("norm_bias", False))

    def stream_norm(self, name, keeps=1.0):
        self.norm(name, self.tokens // self.sequence, self.d["hidden"], keeps=keeps)

    def pointwise(self, name, kind, elements, inputs=0.0, outputs=0.0, mask=0.0, extra=0.0, fused=None, random_bytes=0.0, again=0,
                  weighted=False):
        """inputs, outputs: number of kept inputs and outputs, each of the size of the output. again: 1 if backward
        computes the output again. weighted: backward reads inputs and output once more, for the gradient of the
        scores."""
        flops, one, back, many, many_back, mask_bytes = POINTWISE[kind]
        switch = {"residual": "fused_residual", "bias_dropout_residual": "fused_residual", "rotary": "fused_rotary"}.get(kind)
        if not (self.of.get(switch, True) if fused is None else fused):
            one, back = many, many_back
        if kind == "softmax" and self.of["by_reductions"] and name == "attn.softmax":
            one, back = (3, 1), (4, 1)
        tensors = 3 if kind in GATED else 1 if kind == "expert_bias" else 2
        back = (back[0] + tensors, back[1]) if weighted else back
        self.transient = max(self.transient, 2.0 * elements * (tensors + again))
        self.row(name, "forward", 0.0, float(flops[0] * elements), (2.0 * one[0] + random_bytes) * elements,
                 (2.0 * one[1] + mask_bytes + random_bytes) * elements,
                 2.0 * (inputs + outputs) * elements + mask * mask_bytes * elements + extra)
        self.row(name, "backward", 0.0, float(flops[1] * elements), (2.0 * back[0] + mask_bytes) * elements,
                 2.0 * back[1] * elements)

    def moved(self, name, elements, inputs, flops, input_flops, extra=0.0, again=0.0, twice=0):
        """Adds a kernel that copies: it reads `inputs` elements and writes `elements` elements. In backward, another
        kernel copies the gradients in the opposite direction."""
        self.transient = max(self.transient, 2.0 * elements * (1 + twice))
        self.row(name, "forward", 0.0, float(flops[0] * elements + input_flops[0] * inputs), 2.0 * inputs, 2.0 * elements, extra)
        self.row(name, "backward", 0.0, float(flops[1] * elements + input_flops[1] * inputs),
                 2.0 * (elements + again * inputs), 2.0 * inputs)

    def collective(self, name, phase, size, count=1):
        for _ in range(count):
            self.row(name, phase, read=-float(size))

    def tensor_in(self, name, width, rows=None):
        """Adds the collectives of tensor ranks before a layer whose products the tensor ranks divide."""
        size = 2 * self.tokens // self.c * width
        if self.t > 1 and self.sequence > self.c:
            self.collective(name, "forward", size)
            self.collective(name, "backward", size, 2)
        elif self.t > 1:
            self.collective(name, "backward", size)

    def tensor_out(self, name, width):
        size = 2 * self.tokens // self.c * width
        if self.t > 1:
            self.collective(name, "forward", size)
            if self.sequence > self.c:
                self.collective(name, "backward", size)

    def residual(self, name):
        elements = self.tokens * self.d["hidden"] // self.sequence
        if self.d["dropout"]:
            self.pointwise(name, "bias_dropout_residual", elements, mask=1.0,
                           random_bytes=4.0 if self.of["random_written"] else 0.0)
        else:
            self.pointwise(name, "residual", elements)

    def embedding(self):
        d, h = self.d, self.d["hidden"]
        rows = self.tokens // self.c
        vocab = padded(d["vocab"], self.t) // self.t
        self.row("embed.tokens", "forward", 0.0, 0.0, 2.0 * rows * h + 8 * rows, 2.0 * rows * h, 8.0 * rows)
        self.row("embed.tokens", "backward", 0.0, float(rows * h), (2.0 + self.grad) * rows * h + 8 * rows,
                 float(self.grad * rows * h))
        self.params += vocab * h
        self.tensor_out("embed.tensor", h)
        own = self.tokens * h // self.sequence
        if d["positions"] == "learned":
            self.pointwise("embed.positions", "position_add", own, extra=8.0 * self.s / self.sequence)
            self.params += self.s * h
        if d.get("embed_norm"):
            self.stream_norm("embed.norm")
        if d["dropout"]:
            self.pointwise("embed.dropout", "dropout", own, mask=1.0, random_bytes=4.0 if self.of["random_written"] else 0.0)

    def head(self):
        d, h = self.d, self.d["hidden"]
        rows = self.tokens // self.c
        vocab = padded(d["vocab"], self.t) // self.t
        if d["norm_place"] != "post":
            self.stream_norm("head.norm")
        kind = d.get("head", "logits")
        if kind != "logits":
            few = self.tokens // self.sequence
            # the heads "masked" and "replaced" have a dense layer and GELU; in addition, "masked" has a norm, and
            # "replaced" has one logit per token
            if kind in ("masked", "replaced"):
                biased = h if d["biases"] or kind == "replaced" else 0
                self.linear("head.dense", few, h, h, bias=biased)
                self.pointwise("head.activation", "gelu", few * h, inputs=1.0)
            if kind == "masked":
                self.stream_norm("head.dense_norm")
            elif kind == "replaced":
                self.linear("head.logits", few, 1, h, bias=1)
                self.distance(rows, 1)
                return
            else:
                self.distance(rows, h)
                return
        self.tensor_in("head.tensor_in", h)
        self.linear("head.logits", rows, vocab, h, bias=vocab if d.get("head_bias") else 0, params=False,
                    kept=self.c / self.sequence)
        if not self.rank:
            self.params += (0 if d["tied_head"] else vocab * h) + (vocab if d.get("head_bias") else 0)
        if d.get("logit_softcap"):
            self.pointwise("head.softcap", "softcap", rows * vocab)
        logits = float(rows * vocab)
        if not self.of["fused_loss"]:
            self.transient = max(self.transient, logits * (14 if self.of["split_loss"] and self.t > 1 else 8))
        if self.of["fused_loss"]:
            moved = (2, 0), (2, 2)
        elif self.of["split_loss"] and self.t > 1:
            moved = (22, 16), (20, 18)
        else:
            moved = (6, 8), (8, 6)
        self.row("loss", "forward", 0.0, 5 * logits, moved[0][0] * logits, moved[0][1] * logits, 2 * logits)
        self.row("loss", "backward", 0.0, 2 * logits, moved[1][0] * logits, moved[1][1] * logits)
        if self.t > 1:
            self.collective("loss.tensor", "forward", 4 * rows)

    def distance(self, rows, width):
        """The loss is the squared error between predicted values and their targets."""
        values = float(rows * width)
        self.row("loss", "forward", 0.0, 3 * values, 4 * values, 0.0, 2 * values)
        self.row("loss", "backward", 0.0, 2 * values, 4 * values, 2 * values)

    # ---- attention ----

    def pairs(self, window):
        s = self.s
        if self.d.get("bidirectional"):
            r = window // 2
            return s * s if window == 0 or r >= s else s * (2 * r + 1) - r * (r + 1)
        return s * (s + 1) // 2 if window == 0 or window >= s else window * s - window * (window - 1) // 2

    def core(self, heads, kv, d_k, d_v, window, again=False):
        """Adds the attention of one rank. heads, kv: number of query and key heads of the model."""
        d, t, c = self.d, self.t, self.c
        over_heads = c > 1 and self.plan["context_kind"] == "ulysses"
        ranks, positions = (t * c, 1) if over_heads else (t, c)
        copies = heads // kv if self.of["expanded_kv"] else 1
        own, own_kv = heads // ranks, max(1, kv * copies // ranks)
        first = len(self.rows)
        if copies > 1:
            each = self.tokens * (d_k + d_v)
            self.moved("attn.expand_kv", each * kv * copies // (t * c), each * kv // (t * c), (0, 1), (0, 0),
                       twice=1 if {"attention", "selective"} & self.recompute else 0)
        pairs, s_q = self.pairs(window) / positions, self.s // positions
        recomputed = "attention" in self.recompute or "selective" in self.recompute
        if self.plan["attention"] == "unfused":
            scores = self.b * own * s_q * self.s
            flops = 2.0 * scores
            shared = min(heads // (kv * copies), max(1, heads // ranks))
            q, k, v = self.b * own * s_q * d_k, self.b * own * self.s * d_k, self.b * own * self.s * d_v
            o = self.b * own * s_q * d_v
            kept = 0.0 if recomputed else 1.0

            def product(name, a, b_all, n_out, inner, keeps_a):
                self.transient = max(self.transient, 2.0 * (a + n_out))
                self.row(name, "forward", flops * inner, 0.0, 2.0 * (a + b_all / shared), 2.0 * n_out,
                         2.0 * (a * keeps_a + b_all / shared))
                return name
            product("attn.scores", q, k, scores, d_k, 1.0)
            self.row("attn.scores", "backward", flops * d_k, 0.0, 2.0 * (scores + k / shared), 2.0 * q)
            self.row("attn.scores", "backward", flops * d_k, 0.0, 2.0 * (q + scores), 2.0 * k)
            twice = int(recomputed)
            if d.get("score_softcap"):
                self.pointwise("attn.softcap", "softcap", scores, outputs=kept, again=twice)
            if not self.of["fused_softmax"]:
                self.pointwise("attn.mask", "scale_mask", scores, again=twice)
            self.pointwise("attn.softmax", "softmax", scores, outputs=kept, again=twice)
            if d["dropout"]:
                self.pointwise("attn.dropout", "dropout", scores, mask=kept, random_bytes=4.0 if self.of["random_written"] else 0.0,
                               again=twice)
            product("attn.context", scores, v, o, d_v, kept if d["dropout"] else 0.0)
            self.row("attn.context", "backward", flops * d_v, 0.0, 2.0 * (o + v / shared), 2.0 * scores)
            self.row("attn.context", "backward", flops * d_v, 0.0, 2.0 * (scores + o), 2.0 * v)
            self.own(heads // t if d.get("sinks") else 0)
        else:
            q, o = self.b * own * s_q * d_k, self.b * own * s_q * d_v
            k, v = [self.b * own_kv * self.s * width for width in (d_k, d_v)]
            line = 4.0 * self.b * own * s_q
            cap = d.get("score_softcap", False)
            each = self.b * own * pairs
            own_k = self.b * own_kv * self.s * (d_k + d_v) / positions
            self.transient = max(self.transient, 2.0 * self.b * (s_q * own + self.s * own_kv) * (d_k + d_v))
            self.row("attn.core", "forward", 2.0 * (d_k + d_v) * each, (8 if cap else 5) * each, 2.0 * (q + k + v), 2.0 * o + line,
                     2.0 * (q + own_k) + line if not again else line)
            self.row("attn.core", "backward", (4.0 * (d_k + d_v) + 2.0 * d_k) * each, (13 if cap else 6) * each,
                     2.0 * (q + k + v + 2 * o) + 2 * line, 2.0 * (q + k + v))
            self.own(heads // t if d.get("sinks") else 0)
            if c > 1 and self.plan["context_kind"] == "ring":
                self.merge(heads, kv * copies, d_k, d_v)
        if recomputed:
            self.again(first)

    def merge(self, heads, kv, d_k, d_v):
        met = 4 if self.d.get("bidirectional") else 3
        out = self.tokens * heads * d_v * met // 4 // (self.t * self.c)
        twice = 1 if {"attention", "selective"} & self.recompute else 0
        self.transient = max(self.transient, 4.0 * out * (2 + twice))
        back = self.tokens * (heads * d_k + kv * (d_k + d_v)) * met // 4 // (self.t * self.c)
        self.row("attn.merge", "forward", 0.0, 3.0 * out, 6.0 * out, 4.0 * out, times=self.c - 1)
        self.row("attn.merge", "backward", 0.0, 1.0 * back, 6.0 * back, 4.0 * back, times=self.c - 1)

    def context(self, heads, kv, d_k, d_v):
        """Returns the collectives of context ranks before and after attention."""
        kind, own = self.plan["context_kind"], self.tokens // self.c
        keyed = kv * (heads // kv if self.of["expanded_kv"] else 1)
        block = own * max(1, keyed // self.t) * (d_k + d_v)
        before = after = ()
        if kind == "ring":
            before = (("forward", 2 * block, 1), ("backward", 6 * block, 1))
        elif kind == "all-gather":
            before = (("forward", 2 * block * self.c, 1), ("backward", 2 * block * self.c, 2))
        else:
            q, o = own * heads // self.t * d_k, own * heads // self.t * d_v
            block = own * max(self.c, keyed // self.t) * (d_k + d_v)  # each rank gets at least one head
            before = (("forward", 2 * (q + block), 1), ("backward", 2 * (q + block), 1))
            after = (("forward", 2 * o, 1), ("backward", 2 * o, 1))
        return before, after

    def attention(self, window):
        d, h, t = self.d, self.d["hidden"], self.t
        heads, kv = d["heads"], d["kv_heads"]
        d_k = d_v = d["head_dim"]
        rows = self.tokens // self.c
        place = d["norm_place"]
        keep_norm = 0.0 if "norm" in self.recompute else 1.0
        if place not in ("post", "branch"):
            self.stream_norm("attn.norm")
        latent = "kv_lora_rank" in d
        if latent:
            kv = heads
            d_k, d_v = d["qk_nope_head_dim"] + d["qk_rope_head_dim"], d["v_head_dim"]
            self.latent(keep_norm)
        else:
            self.tensor_in("attn.tensor_in", h)
            queries = heads * (2 if d.get("attention_gate") else 1)
            n = (queries // t + 2 * max(1, kv // t)) * d_k
            self.linear("attn.qkv", rows, n, h, bias=n if d["biases"] or d.get("qkv_bias") else 0,
                        kept=keep_norm * self.c / self.sequence)
            if d.get("qk_norm", "none") != "none":
                for name, count in (("attn.q_norm", heads), ("attn.k_norm", kv)):
                    whole = d["qk_norm"] == "projection"
                    own = rows * count * d_k // t
                    lines = rows if whole else rows * count // t
                    params = {"plain": 0, "head": 0 if d.get("plain_norms") else d_k * (2 if self.norm_bias() else 1),
                              "projection": count * d_k // t}[d["qk_norm"]]
                    self.norm(name, lines, own // lines, params=params)
            if d["positions"] == "rotary":
                self.pointwise("attn.rotary", "rotary", rows * (heads + kv) * d.get("rotary_dim", d_k) // t)
        before, after = self.context(heads, kv, d_k, d_v) if self.c > 1 else ((), ())
        for phase, size, times in before:
            self.collective("attn.context_in", phase, size, times)
        self.core(heads, kv, d_k, d_v, window)
        for phase, size, times in after:
            self.collective("attn.context_out", phase, size, times)
        inner = heads * d_v // t
        if d.get("attention_gate"):
            self.pointwise("attn.gate", "swiglu", rows * inner, inputs=2.0)
        if d.get("head_gate"):
            self.linear("attn.head_gate", rows, heads // t, h, kept=0.0)
            self.pointwise("attn.gate", "scale", rows * inner, inputs=1.0)
        self.linear("attn.out", rows, h, inner, bias=h if d["biases"] or d.get("out_bias") else 0)
        if place not in ("parallel", "parallel_two"):
            self.tensor_out("attn.tensor_out", h)
        self.join("attn.end_norm", "attn.residual")

    def latent(self, keep_norm):
        """Adds the projections of latent attention. Every tensor rank has the complete down projections."""
        d, h, t = self.d, self.d["hidden"], self.t
        a, r_q, r_kv = d["heads"], d.get("q_lora_rank", 0), d["kv_lora_rank"]
        d_n, d_r, d_v = d["qk_nope_head_dim"], d["qk_rope_head_dim"], d["v_head_dim"]
        few, rows = self.tokens // self.sequence, self.tokens // self.c
        biased = d["biases"] or d.get("qkv_bias")
        if r_q:
            self.linear("attn.q_down", few, r_q, h, bias=r_q if biased else 0, kept=keep_norm)
            self.norm("attn.q_norm", few, r_q)
        self.linear("attn.kv_down", few, r_kv + d_r, h, bias=r_kv + d_r if biased else 0, kept=0.0 if r_q else keep_norm)
        self.norm("attn.kv_norm", few, r_kv)
        self.tensor_in("attn.tensor_in", (r_q or h) + r_kv + d_r)
        part = self.c / self.sequence
        self.linear("attn.q_up" if r_q else "attn.q", rows, a * (d_n + d_r) // t, r_q or h, kept=keep_norm * part if r_q else 0.0)
        self.linear("attn.kv_up", rows, a * (d_n + d_v) // t, r_kv, kept=keep_norm * part)
        self.pointwise("attn.rotary", "rotary", rows * a * d_r // t)
        queries = 0 if self.of["fused_rotary"] else d_n + d_r
        heads = rows * a // t
        self.moved("attn.by_heads", heads * (queries + d_n + d_r + d_v), heads * (queries + d_n + d_v), (0, 0), (0, 0))

    # ---- layers that keep a state: docs/formulas.md#state-mixers ----

    def conv(self, channels):
        """Adds a depthwise convolution over the tokens, with one weight per channel and tap."""
        outputs, taps = float(self.tokens * channels), self.d["conv_kernel"]
        weights, bias = channels * taps, channels if self.d.get("conv_bias") else 0
        apart = bias and not self.of["fused_residual"]  # a separate kernel adds the bias
        flops, vector = 2.0 * outputs * taps, outputs if bias else 0.0
        again = 1.0 if self.grad > 2 else (self.m - 1) / self.m
        self.transient = max(self.transient, 4.0 * outputs)
        self.row("ssm.conv", "forward", flops, vector, 2.0 * (outputs * (2 if apart else 1) + weights + bias),
                 2.0 * outputs * (2 if apart else 1), 0.0 if self.rank else 2.0 * outputs)
        self.row("ssm.conv", "grad_input", flops, 0.0, 2.0 * (outputs + weights), 2.0 * outputs)
        if not self.rank:
            self.row("ssm.conv", "grad_weight", flops, vector, 2.0 * outputs * (3 if apart else 2) + self.grad * weights * again,
                     float(self.grad * weights))
        self.own(weights + bias)

    def scan(self, inner, state, groups, heads, chunk, delta, params):
        """Adds the recurrence, either token by token (chunk 0) or in chunks of tokens."""
        tokens, values = self.tokens, inner + 2 * groups * state + (heads or inner)
        flops, vector, states = 0.0, tokens * inner * (8.0 * state + 2), 0.0
        if chunk:
            pairs = 3 * heads * state + 2 * inner if delta else groups * state + inner
            flops = 2.0 * tokens * chunk * pairs + (6 if delta else 4) * tokens * state * inner
            vector, states = 3.0 * tokens * chunk * heads, 4.0 * tokens / chunk * inner * state
        self.transient = max(self.transient, 2.0 * tokens * (values + inner))
        self.row("ssm.scan", "forward", flops, vector, 2.0 * tokens * values + states, 2.0 * tokens * inner + states,
                 2.0 * tokens * values)
        self.row("ssm.scan", "backward", 3 * flops, 3 * vector, 2.0 * tokens * (values + inner) + 2 * states,
                 2.0 * tokens * values + 2 * states)
        self.own(params)

    def mixer(self, kind):
        d, h, t, rows = self.d, self.d["hidden"], self.t, self.tokens
        inner, state, groups, heads, rank = (d.get(name, 0) for name in ("ssm_inner", "ssm_state", "ssm_groups", "ssm_heads",
                                                                         "ssm_rank"))
        part = self.c / self.sequence
        keys, biased = groups * state, d["biases"] or d.get("qkv_bias")
        if d["norm_place"] not in ("post", "branch"):
            self.stream_norm("ssm.norm")
        self.tensor_in("ssm.tensor_in", h)
        wide = {"mamba": 2 * inner, "mamba2": 2 * inner + 2 * keys + heads, "gated_delta": 2 * inner + 2 * keys,
                "kimi_delta": inner + 2 * keys,
                "lightning": 3 * d["heads"] * d["head_dim"], "short_conv": 3 * h}[kind] // t
        self.linear("ssm.in", rows, wide, h, bias=wide if biased else 0, kept=part * (0.0 if "norm" in self.recompute else 1.0))

        def column(name, n, k, kept=0.0, bias=0):
            self.linear(name, rows, n // t, k, bias=bias, kept=kept * part)

        def convolved(channels):
            self.conv(channels // t)
            self.pointwise("ssm.conv_act", "silu", rows * channels // t)

        def normed(width, parts):
            """Adds one norm for each of `parts` parts of the width. If `parts` is 1, one norm covers the values of all
            ranks."""
            lines = rows if parts == 1 else rows * parts // t
            self.norm("ssm.state_norm", lines, rows * width // t // lines, params=width // t if parts == 1 else width // parts,
                      kind="rms")

        def gate(name, width):
            self.pointwise(name, "swiglu", rows * width // t, inputs=2.0)
        few = max(1, groups // t)
        if kind == "mamba":
            convolved(inner)
            self.linear("ssm.x", rows, rank + 2 * state, inner // t)
            self.tensor_out("ssm.tensor_x", rank + 2 * state)
            if d.get("ssm_norms"):
                for name, width in (("ssm.rank_norm", rank), ("ssm.key_norm", state), ("ssm.query_norm", state)):
                    self.norm(name, self.tokens // self.sequence, width)
            column("ssm.step", inner, rank, 1.0, inner // t)
            self.scan(inner // t, state, 1, 0, 0, False, inner * (state + 1) // t)
            gate("ssm.gate", inner)
        elif kind == "mamba2":
            convolved(inner + 2 * keys)
            self.scan(inner // t, state, few, heads // t, d.get("ssm_chunk", 256), False, 3 * heads // t)
            gate("ssm.gate", inner)
            if not d.get("no_state_norm"):
                normed(inner, 1)
        elif kind in ("gated_delta", "kimi_delta"):
            params = 2 * heads // t
            if kind == "gated_delta":
                column("ssm.decay", 2 * heads, h)
            else:
                params = heads * (state + 1) // t
                column("ssm.update", heads, h)
                whole = d.get("ssm_full_gate")
                self.linear("ssm.ranks", rows, rank if whole else 2 * rank, h, kept=0.0)
                column("ssm.decay", heads * state, rank, 1.0)
                column("ssm.gate_in", inner, h if whole else rank, 0.0 if whole else 1.0)
            convolved(inner + 2 * keys)
            self.scan(inner // t, state, few, heads // t, d.get("ssm_chunk", 64), True, params)
            normed(inner, heads)
            gate("ssm.gate", inner)
        elif kind == "lightning":
            inner = d["heads"] * d["head_dim"]
            self.pointwise("ssm.activation", "silu", rows * 3 * inner // t, inputs=1.0)
            self.scan(inner // t, d["head_dim"], max(1, d["heads"] // t), d["heads"] // t, d.get("ssm_chunk", 256), False, 0)
            normed(inner, 1)
            column("ssm.gate_in", inner, h)
            gate("ssm.gate", inner)
        else:
            inner = h
            gate("ssm.gate_in", h)
            self.conv(h // t)
            gate("ssm.gate", h)
        self.linear("ssm.out", rows, h, inner // t, bias=h if d["biases"] or d.get("out_bias") else 0)
        self.tensor_out("ssm.tensor_out", h)
        self.join("ssm.end_norm", "ssm.residual")

    def join(self, norm, name):
        place = self.d["norm_place"]
        if place in ("branch", "sandwich"):
            self.stream_norm(norm)
        self.residual(name)
        if place == "post":
            self.stream_norm(norm)

    # ---- MLP and experts ----

    def activation(self, name, elements, again, extra_inputs=1.0, weighted=False):
        kind, d = self.d["mlp"], self.d
        gated = kind in GATED
        first = len(self.rows)
        fused = self.of["fused_activation"] if gated else not (kind == "gelu" and self.of["written_out"])
        extra = 2.0 * elements if gated and not self.of["fused_activation"] and not again else 0.0
        self.pointwise(name, kind, elements, inputs=(2.0 if gated else 1.0) * extra_inputs, extra=extra, fused=fused,
                       again=int(again), weighted=weighted)
        if again:
            self.again(first)

    def dense(self, names, inner, kept):
        d, h = self.d, self.d["hidden"]
        rows, own = self.tokens // self.c, inner // self.t
        wide = own * (2 if d["mlp"] in GATED else 1)
        biased = d["biases"] or d.get("mlp_bias")
        again = "activation" in self.recompute
        self.linear(names[0], rows, wide, h, bias=wide if biased else 0, kept=kept * self.c / self.sequence)
        self.activation(names[1], rows * own, again)
        self.linear(names[2], rows, h, own, bias=h if biased else 0, kept=0.0 if again else 1.0)

    def mlp(self, inner):
        d, place = self.d, self.d["norm_place"]
        keep_norm = 0.0 if "norm" in self.recompute else 1.0
        if place == "parallel_two":
            self.stream_norm("mlp.norm", keeps=0.0)
        elif place in ("pre", "sandwich"):
            self.stream_norm("mlp.norm")
        first = len(self.rows)
        if place != "parallel":
            self.tensor_in("mlp.tensor_in", d["hidden"])
        gated = d["mlp"] in GATED
        self.dense(("mlp.gate_up" if gated else "mlp.up", "mlp.activation", "mlp.down"), inner,
                   0.0 if place == "parallel" else keep_norm)
        self.tensor_out("mlp.tensor_out", d["hidden"])
        self.join("mlp.end_norm", "mlp.residual")

    def experts(self):
        d, h, t, e = self.d, self.d["hidden"], self.t, self.plan["expert"]
        count, k, f = d["experts"], d["experts_per_token"], d["expert_hidden"]
        few, keep_norm = self.tokens // self.sequence, 0.0 if "norm" in self.recompute else 1.0
        whole = "whole_experts" in self.plan  # tensor ranks also act as expert ranks
        sliced, rows_of_rank = (1, self.c * t) if whole else (t, self.c)
        if d["norm_place"] not in ("post", "branch"):
            self.stream_norm("mlp.norm")
        copied = (0 if whole else k) + (1 if d.get("shared_hidden") else 0)
        width = h * (copied if self.sequence > self.c else 1)
        if width:
            self.tensor_in("mlp.tensor_in", width)
        scored = count + d.get("idle_experts", 0)
        self.linear("moe.router", few, scored, h, bias=scored if d.get("router_bias") else 0, kept=keep_norm)
        self.pointwise("moe.scores", "softmax", few * scored, outputs=1.0)
        gated = d["mlp"] in GATED
        if d.get("shared_hidden"):
            self.dense(("moe.shared_gate_up" if gated else "moe.shared_up", "moe.shared_activation", "moe.shared_down"),
                       d["shared_hidden"], 0.0)
        if d.get("shared_gate"):
            self.linear("moe.shared_gate", few, 1, h, kept=0.0)
            self.pointwise("moe.shared_scale", "scale", few * h, inputs=1.0)
        if d.get("expert_norms"):
            for name in ("moe.norm", "moe.end_norm", "moe.shared_end_norm", "moe.router_norm"):
                self.stream_norm(name)
            self.pointwise("moe.expert_scale", "scale", few * k)
            self.own(count)
        inner = d.get("expert_latent", 0) or h
        if inner != h:
            self.linear("moe.latent_in", few, inner, h, kept=0.0)
        self.routed(few, inner, gated, sliced, rows_of_rank)
        if d.get("latent_norm"):
            self.norm("moe.latent_norm", few, inner)
        if inner != h:
            self.linear("moe.latent_out", few, h, inner)
        if width:
            self.tensor_out("mlp.tensor_out", width)
        self.join("mlp.end_norm", "mlp.residual")

    def routed(self, few, width, gated, sliced, ranks):
        """Adds the routed experts. width: values of a token. sliced: number of ranks that divide an expert. ranks:
        number of ranks that divide the rows before the rows are sent."""
        d, e = self.d, self.plan["expert"]
        count, k, f = d["experts"], d["experts_per_token"], d["expert_hidden"]
        factor, uneven = self.plan.get("capacity_factor", 0.0), self.plan.get("imbalance", 1.0) if e > 1 else 1.0
        copies = self.tokens * k
        rows = copies if not factor else count * -int(-factor * copies // count)
        masked, scored = self.of["expert_masks"] and factor, self.of["expert_scores_first"]
        if masked:
            self.mask("moe.dispatch", rows, width, False)
        else:
            self.moved("moe.dispatch", few * k * width, few * width, (0, 1), (0, 0))
        sent = 2.0 * rows * width / self.sequence * self.plan.get("imbalance", 1.0)

        def busiest(number):
            return -int(-number * uneven // 1)

        def sends(name):
            for phase in ("forward", "backward") if e > 1 else ():
                self.collective(name, phase, sent)
        sends("moe.all_to_all_in")
        sorted_rows = self.of["expert_sorts"] and e > 1 and count > e
        if sorted_rows:
            self.pointwise("moe.sort", "copy", busiest(rows * width // ranks))
        own = max(1, min(count, rows) // e)
        biased = d.get("expert_bias")
        wide = f // sliced * (2 if gated else 1)
        again = "activation" in self.recompute or "moe_act" in self.recompute
        self.linear("moe.gate_up" if gated else "moe.up", busiest(rows // ranks), wide, width,
                    bias=(count // e * wide) if biased else 0, experts=own,
                    cast=(busiest(rows * width // ranks), busiest(rows * wide // ranks)))
        elements = busiest(rows * f // (self.c * self.t))
        clamped = d.get("expert_clamp") and not self.of["fused_expert_clamp"]
        if clamped:
            first = len(self.rows)
            self.pointwise("moe.clamp", "clamp", busiest(rows * f * 2 // (self.c * self.t)), inputs=1.0, again=int(again))
            if again:
                self.again(first)
        self.activation("moe.activation", elements, again, 0.0 if clamped and again else 1.0, weighted=scored)
        self.linear("moe.down", busiest(rows // ranks), width, f // sliced, bias=(count // e * width) if biased else 0, experts=own,
                    kept=0.0 if again else 1.0, cast=(busiest(rows * (f // sliced) // ranks), busiest(rows * width // ranks)))
        if own < count // e:
            more = self.repeat * (count // e - own) * (wide * width + width * f // sliced)
            self.params += more
            self.expert_params += more
        if biased and self.of["expert_bias_gathered"]:
            each = (2 if gated else 1) * f + width
            self.moved("moe.bias", busiest(rows * each // ranks), count * each // ranks, (0, 1), (0, 0))
        elif biased and not self.of["fused_expert_bias"]:
            self.pointwise("moe.bias", "expert_bias", busiest(rows * width // ranks), fused=False)
        if sorted_rows:
            self.pointwise("moe.unsort", "copy", busiest(rows * width // ranks))
        sends("moe.all_to_all_out")
        if masked:
            self.mask("moe.combine", rows, width, True)
        elif scored:
            self.moved("moe.combine", few * width, few * k * width, (0, 0), (1, 0))
        else:
            self.moved("moe.combine", few * width, few * k * width, (0, 0), (2, 3), extra=2.0 * few * k * width, again=1.0)

    def mask(self, name, rows, width, back):
        """Adds dispatch or combine, computed for each sequence as a matrix product with a mask. Only for combine, the
        mask has a gradient."""
        slots, b = rows // self.b, self.b
        m, n, k = (self.s // self.c, width, slots) if back else (slots // self.c, width, self.s)
        flops = 2.0 * b * m * n * k
        self.transient = max(self.transient, 2.0 * b * m * (n + k))
        self.row(name, "forward", flops, 0.0, 2.0 * b * (m * k + k * n), 2.0 * b * m * n,
                 2.0 * b * m * k + (2.0 * b * k * n if back else 0.0))
        if back:
            self.row(name, "backward", flops, 0.0, 2.0 * b * (m * n + k * n), 2.0 * b * m * k)
        self.row(name, "backward", flops, 0.0, 2.0 * b * (m * k + m * n), 2.0 * b * k * n)

    def step(self):
        d = self.d
        self.embedding()
        if self.rank:  # no parameter before the first adapter is trained
            self.rows = [(*row[:-1], 0.0) for row in self.rows if row[1] == "forward"]
            self.params, self.transient = 0, 0.0
        dense = d.get("dense_layers", 0) if d.get("experts") else d["layers"]
        for count, mlp in ((dense, lambda: self.mlp(d["ffn_hidden"])), (d["layers"] - dense, self.experts)):
            if count > 0:
                self.repeat, self.in_layer = count, True
                first, outside, self.transient = len(self.rows), self.transient, 0.0
                if "mixers" in d:
                    self.mixer(d["mixers"][0])
                else:
                    self.attention(d.get("sliding_window", 0))
                mlp()
                # with full recomputation, a layer keeps only its input, and backward computes all further tensors of
                # the layer again
                if "full" in self.recompute:
                    self.transient += sum(row[7] for row in self.rows[first:])
                    self.full += sum(row[7] * count for row in self.rows[first:]) - count * 2.0 * self.tokens * d["hidden"] / self.sequence
                    self.again(first)
                self.transient = max(self.transient, outside)
        self.repeat, self.in_layer = 1, False
        self.head()
        self.update()
        return self.rows

    def update(self):
        """Adds the communication of gradients and weights once per step, and the update. ZeRO 1 divides the update over
        the ranks."""
        weight, grad, read, write = POLICIES[self.plan["policy"]]
        ranks, e = self.plan["data"] * self.c, self.plan["expert"]
        copies = ranks * (self.t if "whole_experts" in self.plan else 1) // e
        groups = [(self.params - self.expert_params, ranks), (self.expert_params, copies)]
        names = [("data.reduce_gradients", grad)]
        if self.plan["zero"] == 1:
            names = [("data.scatter_gradients", grad), ("data.gather_weights", weight)]
        for name, width in names:
            for count, size in groups:
                if size > 1 and count > 0:
                    self.rows.append((name, "comm", 1, 0.0, 0.0, -float(width * count), 0.0, 0.0))
        n = float(sum(-(-count // size) if self.plan["zero"] == 1 else count for count, size in groups))
        self.rows.append(("grad.clip", "update", 1, 0.0, 2 * n, grad * n, 0.0, 0.0))
        self.rows.append(("optimizer", "update", 1, 0.0, 16 * n, read * n, write * n, 0.0))


class Times:
    """Computes the seconds of ops and collectives on a device: docs/formulas.md#gemm-time, #flash-time, #roofline,
    #collectives and #collectives-fitted. Reads the dimensions of an op from the printed row of the op. The class Ops
    checks the printed dimensions."""

    TILES = [(256, 128), (128, 256), (128, 128), (128, 64), (64, 128), (64, 64)]

    def __init__(self, device, d, plan):
        self.device, self.d, self.plan, self.met = device, d, plan, collections.Counter()
        self.e, self.peak = device["efficiency"], device["matmul_flops_per_s"]["bf16"]
        self.rate, self.vector = device["mem_bytes_per_s"], device["vector_flops_per_s"]["fp32"]

    def of(self, o):
        return self.both(o)[0]

    def parts(self, o):
        """Returns the seconds of compute, the seconds of memory access, and the fixed seconds."""
        return self.both(o)[1:]

    def both(self, o):
        sizes = dict(part.split("=") for part in o["shape"].split() if "=" in part)
        if o["kind"] == "matmul":
            return self.product(o, *(int(sizes.get(name, 1)) for name in ("b", "experts", "m", "n", "k")), "experts" in sizes)
        if o["kind"] == "flash_attention":
            return self.attention(o, sizes)
        kind = "optimizer" if o["phase"] == "update" else "pointwise"
        e = self.e[kind]
        if o["kind"] == "conv1d":
            return self.depthwise(o, sizes)
        compute, memory = max(o["flops"] / self.peak, o["vector_flops"] / self.vector), (o["read_bytes"] + o["write_bytes"]) / (e["memory_fraction"] * self.rate)
        return max(compute, memory) + e["fixed_s"], compute, memory, e["fixed_s"]

    def product(self, o, batch, experts, m, n, k, grouped):
        e, units = self.e["gemm"]["bf16"], self.device["units"]
        feed = e["l2_bytes_per_flop"] * self.peak
        short = min(e["sustained_fraction"] * e["boost_ratio"], 1.0) * self.peak
        moved = (o["read_bytes"] + o["write_bytes"]) / (e["memory_fraction"] * self.rate)
        if o["phase"] == "grad_weight":
            k /= experts
        else:
            m /= experts
        # A grouped product of experts takes longer if its groups have different sizes. With a capacity factor, all
        # groups have the same size.
        ragged = grouped and experts > 1 and "capacity_factor" not in self.plan
        best = None
        for t_m, t_n in self.TILES:
            tiles = batch * experts * math.ceil(m / t_m) * math.ceil(n / t_n)
            for s in (1, 2, 4, 8):
                if s > 1 and tiles * s > 4 * units:
                    break
                waves = tiles * s / units
                counted = e["wave_quantization"] * math.ceil(waves) + (1 - e["wave_quantization"]) * max(waves, 1.0)
                busy = max(counted * 2 * t_m * t_n * (k / s + e["k_fill"]) * units / short,
                           tiles * s * (t_m + t_n) * k / s * 2 / feed)
                memory = moved + (8 * batch * experts * m * n * s / feed if s > 1 else 0.0)
                if best is None or busy ** 4 + memory ** 4 < best[0]:
                    best = busy ** 4 + memory ** 4, busy, memory
        busy, memory = best[1] * (e.get("group_ratio", 1.0) if ragged else 1.0), best[2]
        t = (busy ** 4 + memory ** 4) ** 0.25
        more = 0.0
        if o["phase"] == "grad_weight":
            grad = POLICIES[self.plan["policy"]][1]
            again = 1.0 if grad > 2 else 1 - 1 / self.plan["micro_batches"]
            more = 0.6 * (busy / t) ** 4 * o["write_bytes"] * (1 + again - 2 / grad) / self.rate
        clock, vector = 1 + (e["boost_ratio"] - 1) * t / (t + 0.5e-3), o["vector_flops"] / self.vector
        return max(t * clock, vector) + more + e["fixed_s"], max(busy * clock, vector), memory * clock, e["fixed_s"]

    def depthwise(self, o, sizes):
        """Computes a depthwise convolution by docs/formulas.md#conv-time, for one channel per group. If vector units
        are faster than matrix units, the vector units compute the convolution."""
        e, taps = self.e["conv"], int(sizes["k"])
        half = e["channels_half"]
        share = taps / (taps + half) if o["phase"] == "grad_weight" else taps / (taps + e["depth_half"])
        product = o["flops"] / (min(e["sustained_fraction"], 1.0) / (1 + half) * share * self.peak)
        compute = max(min(product, o["flops"] / (e["vector_fraction"] * self.vector)), o["flops"] / self.peak,
                      o["vector_flops"] / self.vector)
        memory = (o["read_bytes"] + o["write_bytes"]) / (e["memory_fraction"] * self.rate)
        return max(compute, memory) + e["fixed_s"], compute, memory, e["fixed_s"]

    def attention(self, o, sizes):
        e, d = self.e["attention"]["flash2"], self.d
        back = o["phase"] == "backward"
        heads, batch = int(sizes["heads"].split("/")[0]), int(sizes["b"])
        s_q = int(sizes["s"].split("x")[0])
        d_k = int(sizes["d"])
        d_v = d.get("v_head_dim", d_k)
        per_pair = (4 * (d_k + d_v) + 2 * d_k if back else 2 * (d_k + d_v)) * batch * heads
        pairs = o["flops"] / per_pair
        calls = self.plan["context"] if self.plan["context"] > 1 and self.plan["context_kind"] == "ring" else 1
        half = 1.0 if d.get("bidirectional") else 0.5
        blocks = batch * heads * s_q / 128
        t = o["flops"] / (e["sustained_fraction"] * (e["backward_ratio"] if back else 1.0) * self.peak)
        t *= 1 + (1 + 0.75 * (calls - 1)) * half * e["seq_half"] * s_q / pairs
        t *= 1 + e["block_penalty"] * self.device["units"] / blocks
        t *= 1 + (1 / e["narrow_ratio"] - 1) * (128 / min(d_k, 128) - 1)
        multiple = e.get("head_multiple", 32)
        t *= sum(-(-width // multiple) * multiple for width in (d_k, d_v)) / (d_k + d_v)
        compute, memory = max(t, o["vector_flops"] / self.vector), (o["read_bytes"] + o["write_bytes"]) / self.rate
        return max(compute, memory) + calls * e["fixed_s"], compute, memory, calls * e["fixed_s"]

    # ---- collectives ----

    def groups(self, name):
        """Returns, for a collective, the number of ranks in the group, the distance between their rank numbers, and the
        number of calls."""
        t, c, e, data = (self.plan[key] for key in ("tensor", "context", "expert", "data"))
        if ".context_" in name:
            return c, t, c - 1 if self.plan["context_kind"] == "ring" else 1
        if "all_to_all" in name:
            return e, 1 if "whole_experts" in self.plan else t, 1
        if name.startswith("data."):
            self.met[name] += 1
            # a second row with the same name reduces the gradients of experts, because experts have fewer copies than
            # the weights outside experts
            apart = self.met[name] == 2 or data * c == 1
            whole = "whole_experts" in self.plan
            return ((data * c * t // e, e, 1) if whole else (data * c // e, t * e, 1)) if apart else (data * c, t, 1)
        return t, 1, 3 if name == "loss.tensor" else 1

    def route(self, name):
        """Returns the number of ranks in a group, the number of its ranks in one domain, the number of domains, and the
        number of calls."""
        size, stride, count = self.groups(name)
        devices, domain = self.plan["tensor"] * self.plan["context"] * self.plan["data"], self.device["scale_up"]["devices"]
        inside = size if devices <= domain else 1 if stride >= domain else min(size, domain // stride)
        return size, inside, -(-size // inside), count

    def inner_rate(self, inside):
        """Returns the total rate of a device's links inside a domain, and the rate of one link."""
        up = self.device["scale_up"]
        link = up["bytes_per_s"] / (max(up["devices"], inside) - 1) if up["kind"] == "mesh" else up["bytes_per_s"]
        return link * (inside - 1) if up["kind"] == "mesh" else link, link

    def loads(self, rows):
        """Returns the seconds in which the links inside domains and between domains are in use, at datasheet rates."""
        self.met.clear()
        inner = outer = 0.0
        for o in rows:
            if not o["shape"].startswith("bytes="):
                continue
            size, g, m, count = self.route(o["name"])
            kind, volume = o["kind"], float(o["shape"].split("bytes=")[1].split()[0])
            # each token is sent once to each domain; with a single domain, the token is sent once to each rank
            if kind == "all_to_all" and ".all_to_all" in o["name"]:
                parts, k = (g if m == 1 else m), self.d["experts_per_token"]
                volume *= parts * (1 - (1 - 1 / parts) ** k) / k if parts > 1 and k > 1 else 1.0
            rate, link = self.inner_rate(g)
            twice = 2.0 if kind == "all_reduce" else 1.0
            near, far = twice * (g - 1) / g * volume, twice * (m - 1) / m * volume / g
            if kind == "all_to_all":
                near, far = near / m, (m - 1) / m * volume
            if kind == "p2p":
                near, far, rate = volume, volume, link
            inner += count * o["repeat"] * near / rate if g > 1 else 0.0
            outer += count * o["repeat"] * far / self.device["scale_out"]["bytes_per_s"] if m > 1 else 0.0
        return inner, outer

    def network(self, o):
        size, inside, across, count = self.route(o["name"])
        up, out, fitted = self.device["scale_up"], self.device["scale_out"], self.e["collectives"]
        kind, volume = o["kind"], float(o["shape"].split("bytes=")[1].split()[0])
        e = fitted.get("all_gather" if kind == "reduce_scatter" else kind)
        latency, (rate, link) = up["latency_s"], self.inner_rate(inside)
        nic, far = out["bytes_per_s"], out["latency_s"]
        if kind == "p2p":
            near_s = latency + volume / link if inside > 1 else 0.0
            return count * (max(near_s, far + volume / nic if across > 1 else 0.0) + fitted["step_fixed_s"])
        ranks = inside if inside > 1 else 2
        share = e["bus_fraction"] * (1 - e["small_group_loss"] / ranks ** 2)
        rate, nic = rate * share, nic * fitted["scale_out_fraction"]
        best = self.algorithms(kind, volume, size, inside, across, rate, nic, far)
        sent = (2 if kind == "all_reduce" else 1) * (size - 1) / size * volume
        fixed = e["fixed_s"] + (e["log2_s"] * math.log2(inside) if inside > 1 else 0.0) + (fitted["scale_out_fixed_s"] if across > 1 else 0.0)
        return count * (best * (1 + math.sqrt(e["knee_bytes"] / sent)) + fixed + fitted["step_fixed_s"])

    @staticmethod
    def algorithms(kind, volume, n, inside, across, rate, nic, far):
        """Returns the seconds of the fastest algorithm for a collective. The fitted values include the latency inside a
        domain."""
        flat = nic if inside == 1 else min(rate, inside * nic) if across > 1 else rate
        step = far if across > 1 else 0.0
        near_s = (inside - 1) / inside * volume / rate if inside > 1 else 0.0

        def far_s(part):
            return (across - 1) * far + (across - 1) / across * part / nic if across > 1 else 0.0
        both = inside > 1 and across > 1
        if kind == "all_to_all":
            if not both:
                return near_s + far_s(volume)
            pairs = (n - inside) * far + max(volume / n * (inside - 1) / rate, volume / n * (n - inside) / nic)
            return min(pairs, near_s + far_s(volume))
        ring = (n - 1) * step + (n - 1) / n * volume / flat
        levels = near_s + far_s(volume / inside)
        if kind != "all_reduce":
            return min(ring, levels) if both else ring
        deep = math.ceil(math.log2(across)) if across > 1 else 0
        found = [2 * ring, 2 * deep * far + 2 * volume / flat]
        if both:
            found += [2 * levels, 2 * near_s + 2 * deep * far + 2 * volume / inside / nic]
        return min(found)


def padded(vocab, tensor):
    """Returns the number of rows of a word table. If the number of rows is not a multiple of the number of tensor
    ranks, the table is padded to a multiple of 128 rows per rank."""
    return vocab if vocab % tensor == 0 else -(-vocab // (128 * tensor)) * 128 * tensor


def draw_model():
    head, heads = seed.choice([32, 64, 128]), seed.choice([8, 16])
    d = {"layers": seed.randint(1, 6), "hidden": 64 * seed.randint(4, 40), "heads": heads,
         "kv_heads": seed.choice([heads, heads // 2, heads // 4]),
         "head_dim": head, "ffn_hidden": 64 * seed.randint(4, 60), "vocab": seed.choice([1000, 8192, 50257]),
         "seq_len": seed.choice([256, 512, 2048]),
         "tied_head": seed.random() < 0.5, "norm": seed.choice(["layer", "rms"]),
         "mlp": seed.choice(["gelu", "relu", "relu2", "silu", "swiglu", "geglu"]),
         "positions": seed.choice(["none", "learned", "rotary", "rotary"]), "biases": seed.random() < 0.3,
         "dropout": seed.choice([0, 0, 0.1]),
         "norm_place": seed.choice(["pre", "pre", "post", "branch", "sandwich", "parallel", "parallel_two"])}
    for name, chance in (("plain_norms", 0.1), ("norm_bias", 0.2), ("embed_norm", 0.1), ("qkv_bias", 0.2), ("out_bias", 0.1),
                         ("mlp_bias", 0.1),
                         ("head_bias", 0.1), ("score_softcap", 0.1), ("logit_softcap", 0.1), ("sinks", 0.1)):
        if seed.random() < chance:
            d[name] = True
    if d["biases"] or d["norm"] == "rms" or d.get("plain_norms"):
        d.pop("norm_bias", None)
    if seed.random() < 0.2:
        d |= {"q_lora_rank": 64 * seed.randint(0, 4), "kv_lora_rank": 64 * seed.randint(1, 4), "qk_nope_head_dim": head,
              "qk_rope_head_dim": 32,
              "v_head_dim": seed.choice([32, 64]), "kv_heads": heads, "positions": "rotary"}
    else:
        d["qk_norm"] = seed.choice(["none", "none", "head", "projection", "plain"])
        if seed.random() < 0.15:
            d[seed.choice(["attention_gate", "head_gate"])] = True
        if seed.random() < 0.2 and d["positions"] == "rotary":
            d["rotary_dim"] = head // 2
    if seed.random() < 0.2 and not d["norm_place"].startswith("parallel"):
        kind = seed.choice(list(MIXERS))
        sizes = {"ssm_inner": 64 * seed.choice([8, 16]), "ssm_state": seed.choice([16, 64]), "ssm_heads": 8, "ssm_groups": 4,
                 "ssm_rank": 32, "conv_kernel": 4}
        d |= {"mixers": [kind]} | {name: size for name, size in sizes.items() if name in MIXERS[kind].split()}
        for name, kinds in (("conv_bias", "mamba mamba2 gated_delta"), ("ssm_norms", "mamba "), ("no_state_norm", "mamba2"),
                            ("ssm_full_gate", "kimi_delta")):
            if d["mixers"][0] in kinds.split() and seed.random() < 0.4:
                d[name] = True
        if d["mixers"][0] not in ("mamba", "short_conv") and seed.random() < 0.4:
            d["ssm_chunk"] = 128
    elif seed.random() < 0.25:
        d["sliding_window"] = seed.choice([96, 256, 4096])
    if seed.random() < 0.4:
        d |= {"experts": seed.choice([8, 16]), "experts_per_token": seed.choice([1, 2, 4]),
              "expert_hidden": 64 * seed.randint(1, 8),
              "dense_layers": seed.randint(0, d["layers"] - 1)}
        d["norm_place"] = d["norm_place"] if not d["norm_place"].startswith("parallel") else "pre"
        for name, chance in (("router_bias", 0.3), ("expert_bias", 0.3)):
            if seed.random() < chance:
                d[name] = True
        if seed.random() < 0.5:
            d["shared_hidden"] = 64 * seed.randint(1, 8)
            if seed.random() < 0.5:
                d["shared_gate"] = True
            if seed.random() < 0.15:
                d["expert_norms"] = True
        if seed.random() < 0.2:
            d["idle_experts"] = 4
        if seed.random() < 0.3 and d["mlp"] in GATED:
            d["expert_clamp"] = True
        if seed.random() < 0.2:
            d["expert_latent"] = d["hidden"] // 2
            if seed.random() < 0.5:
                d["latent_norm"] = True
    return d


def draw_device():
    """Draws efficiencies and links of a device. The device has no power limit, because a power limit slows all ops of a
    pass and not single ops."""
    with open(os.path.join(root, "hw", seed.choice(["h100-sxm5-80gb", "a100-sxm4-80gb", "b200-sxm-180gb"]) + ".json"),
              encoding="utf-8") as file:
        device = json.load(file)

    def between(low, high):
        return round(seed.uniform(low, high), 3)
    e = device["efficiency"]
    e.pop("power", None)
    e["gemm"]["bf16"] = {"sustained_fraction": between(0.5, 0.9), "boost_ratio": between(1, 1.2),
                         "memory_fraction": between(0.6, 0.95),
                         "fixed_s": 2e-6, "k_fill": seed.randint(0, 300), "l2_bytes_per_flop": 0.0125,
                         "wave_quantization": between(0, 1),
                         "group_ratio": between(1, 1.3), "fitted_on": "drawn"}
    e["attention"]["flash2"] = {"sustained_fraction": between(0.3, 0.7), "backward_ratio": between(0.6, 1), "fixed_s": 7e-6,
                                "seq_half": seed.randint(50, 900), "narrow_ratio": between(0.6, 1), "block_penalty": between(0, 1),
                                "fitted_on": "drawn"}
    e["pointwise"] = {"memory_fraction": between(0.3, 0.9), "fixed_s": 5e-6, "fitted_on": "drawn"}
    e["optimizer"] = {"memory_fraction": between(0.3, 0.9), "fixed_s": 2e-5, "fitted_on": "drawn"}

    def collective():
        return {"fixed_s": 1e-6 * seed.randint(1, 9), "log2_s": 1e-6 * seed.randint(0, 5), "bus_fraction": between(0.5, 0.95),
                "knee_bytes": 1e6 * seed.randint(1, 9), "small_group_loss": between(0, 1), "fitted_on": "drawn"}
    e["collectives"] = {"all_reduce": collective(), "all_gather": collective(), "reduce_scatter": {"same_as": "all_gather"},
                        "all_to_all": collective(), "step_fixed_s": 4e-5, "scale_out_fraction": 0.75, "scale_out_fixed_s": 1e-4,
                        "fitted_on": "drawn"}
    device["scale_up"] = {"kind": seed.choice(["switch", "mesh"]), "devices": seed.choice([2, 4, 8]), "bytes_per_s": 450e9,
                          "latency_s": 2e-6}
    device["scale_out"] = {"bytes_per_s": 50e9, "latency_s": 4e-6}
    return device | {"id": "d", "aliases": []}


def draw_head(d):
    """Draws an encoder, in which each token attends to all tokens, or a model with another head."""
    if seed.random() < 0.15 and not {"mixers", "kv_lora_rank"} & set(d):
        d["bidirectional"] = True
        d["head"] = seed.choice(["logits", "masked", "replaced", "none"])
        if d["head"] in ("replaced", "none"):
            for name in ("head_bias", "logit_softcap"):
                d.pop(name, None)
            d["tied_head"] = False


def draw_plan(d):
    plan = {"tensor": seed.choice([1, 1, 2, 4]), "context": seed.choice([1, 1, 2, 4]), "data": seed.choice([1, 2]),
            "micro_batch": seed.choice([1, 2, 3]),
            "micro_batches": seed.choice([1, 2, 4]), "policy": seed.choice(list(POLICIES)), "attention": "flash", "expert": 1,
            "context_kind": seed.choice(["ring", "all-gather", "ulysses"]), "zero": seed.choice([0, 1]),
            "recompute": seed.choice(["none", "none", "full", "full", "attention", "norm", "activation", "norm,activation"])}
    if seed.random() < 0.3:
        plan |= {"adapter_rank": seed.choice([8, 16]), "frozen": seed.choice(["16bit", "nf4", "int8"]), "tensor": 1, "context": 1}
        if seed.random() < 0.4:
            plan["dora"] = ""
    elif seed.random() < 0.12:
        plan |= {"precision": "fp8", "recompute": seed.choice(["none", "full"])}
    if plan["tensor"] > 1 and seed.random() < 0.5:
        plan["sequence_parallel"] = ""
    if "mixers" in d:
        plan["context"] = 1
    elif plan["context"] == 1 and seed.random() < 0.3:
        plan["attention"] = "unfused"
    if "experts" in d:
        if plan["data"] * plan["context"] > 1 and seed.random() < 0.6:
            plan["expert"] = 2
        if "sequence_parallel" in plan and seed.random() < 0.4:
            plan |= {"whole_experts": "", "expert": seed.choice([2, 4]), "zero": 0}
        if seed.random() < 0.3:
            plan["capacity_factor"] = seed.choice([0.5, 1.0, 1.25, 2.0])
        if seed.random() < 0.2:
            plan["imbalance"] = 1.5
    return plan


def draw_switches():
    return {name: value for name, value in (("fused_norm", False), ("fused_activation", False), ("fused_residual", False),
                                            ("fused_rotary", False),
                                            ("fused_softmax", False), ("fused_loss", False), ("random_written", True),
                                            ("by_reductions", True),
                                            ("written_out", True), ("split_loss", True), ("expanded_kv", True),
                                            ("expert_masks", True),
                                            ("expert_sorts", True), ("expert_scores_first", True), ("fused_expert_clamp", False),
                                            ("fused_expert_bias", False), ("expert_bias_gathered", True)) if seed.random() < 0.12}


def differences(mine, printed):
    """Returns the rows that exist only in the first list, and the rows that exist only in the second list."""
    def rounded(row):
        return row[:3] + tuple(float(f"{value:.10g}") for value in row[3:])
    left = collections.Counter(map(rounded, mine))
    right = collections.Counter(map(rounded, printed))
    return sorted((left - right).elements()), sorted((right - left).elements())


def check(what, mine, printed, smallest=0.0):
    global timed
    timed += 1
    if mine != printed and not abs(mine - printed) <= 1e-9 * max(abs(mine), abs(printed)) + smallest:
        faults.append(f"{number} {what}: derived {mine!r}, printed {printed!r} {switches} {json.dumps(dims)} {plan}")


PARTS = {"forward": "forward_s", "backward": "backward_s", "grad_input": "backward_s", "grad_weight": "backward_s",
         "recompute": "recompute_s", "update": "update_s"}
KINDS = (("data.", "data"), (".all_to_all", "expert"), (".context_", "context"), ("", "tensor"))


def judge_step(answer, derived, times):
    """Tests sums over the rows: times of a step, bytes in memory, rates, price and energy."""
    plan, step, memory, work = derived.plan, answer["step"], answer["memory"], answer["work"]
    parts, exposed, sent = collections.Counter(), collections.Counter(), collections.Counter()
    serial = 0.0
    engines = collections.Counter()
    for o in answer["ops"]:
        if o["shape"].startswith("bytes="):
            kind = next(kind for mark, kind in KINDS if mark in o["name"])
            exposed[kind] += o["time_s"] * o["repeat"]
            sent[kind] += o["network_s"] * o["repeat"]
            serial += o["network_s"] * o["repeat"]
            continue
        parts[PARTS[o["phase"]]] += o["time_s"] * o["repeat"]
        serial += sum(times.parts(o)) * o["repeat"]
        engines["matrix"] += o["flops"] / times.peak * o["repeat"]
        engines["vector"] += o["vector_flops"] / times.vector * o["repeat"]
        if o["kind"] in MOVING:
            engines["memory"] += (o["read_bytes"] + o["write_bytes"]) / times.rate * o["repeat"]
    for name in ("forward_s", "backward_s", "recompute_s", "update_s"):
        check(name, parts[name], step[name])
    for kind in ("tensor", "context", "expert", "data"):
        check(f"communication {kind}", sent[kind], step["communication"][kind])
        check(f"exposed {kind}", exposed[kind], step["exposed_comm"][kind], 1e-15)
    for kind in ("tensor", "expert") + (("context",) if plan["context_kind"] != "ring" else ()):
        check(f"all of {kind} is exposed", sent[kind], step["exposed_comm"][kind])
    step_s = sum(parts.values()) + sum(exposed.values())
    check("step_s", step_s, step["step_s"])
    check("upper bound", serial, step["upper_bound_s"])
    if derived.of["fused_loss"] and plan["attention"] == "flash":
        check("lower bound", max(*engines.values(), *times.loads(answer["ops"])), step["lower_bound_s"])
    devices = plan["tensor"] * plan["context"] * plan["data"]
    tokens = derived.tokens * plan["micro_batches"] * plan["data"]
    check("tokens/s", tokens / step_s, answer["throughput"]["tokens_per_s"])
    check("tokens/s of a device", tokens / step_s / devices, answer["throughput"]["tokens_per_s_per_device"])
    check("mfu", work["model_flops"] / step_s / devices / times.peak, answer["throughput"]["mfu"])
    check("hfu", work["hardware_flops"] / step_s / devices / times.peak, answer["throughput"]["hfu"])
    check("energy", times.device["power_w"] * devices * step_s, answer["cost"]["energy_j"])
    check("price", 3.0 * devices * step_s / 3600, answer["cost"]["step"])
    check("executed FLOPs", devices * sum(o["flops"] * o["repeat"] for o in answer["ops"]), work["executed_flops"])
    check("vector FLOPs", devices * sum(o["vector_flops"] * o["repeat"] for o in answer["ops"]), work["vector_flops"])
    check("read", sum(o["read_bytes"] * o["repeat"] for o in answer["ops"]), work["read_bytes"])
    check("written", sum(o["write_bytes"] * o["repeat"] for o in answer["ops"]), work["write_bytes"])
    # ---- memory ----
    weight, grad, _, _ = POLICIES[plan["policy"]]
    n = derived.params
    if not derived.rank:
        check("weights", weight * n, memory["weight_bytes"])
    check("gradients", grad * n, memory["gradient_bytes"])
    states = 4 if plan["policy"] == "bf16-pure" else 12
    ranks = plan["data"] * plan["context"] if plan["zero"] else 1
    few = plan["data"] * plan["context"] * (plan["tensor"] if "whole_experts" in plan else 1) // plan["expert"] if plan["zero"] else 1
    check("optimizer", math.ceil(states * ((n - derived.expert_params) / ranks + derived.expert_params / few)),
          memory["optimizer_bytes"], 8)
    kept = sum((o["kept_bytes"] or 0) * o["repeat"] / plan["micro_batches"] for o in answer["ops"])
    check("activations", math.ceil(kept - derived.full), memory["activation_bytes"], 2)
    check("transient", derived.transient, memory["transient_bytes"], 1)
    rest = [memory[name] for name in ("weight_bytes", "gradient_bytes", "optimizer_bytes", "activation_bytes", "transient_bytes")]
    if devices > 1 or plan["micro_batches"] > 1:
        check("allocated", -(-sum(rest) // 512) * 512, memory["peak_allocated_bytes"])
    check("total", sum(rest) + memory["apart_bytes"] + memory["reserve_bytes"], memory["total_bytes"])
    check("headroom", memory["capacity_bytes"] - memory["total_bytes"], memory["headroom_bytes"])


with open(os.path.join(root, "software/torch-compile.json"), encoding="utf-8") as file:
    usual = json.load(file)
faults, compared, timed, illegal = [], 0, 0, 0
for number in range(rounds):
    dims, switches = draw_model(), draw_switches()
    draw_head(dims)
    plan = draw_plan(dims)
    path = os.path.join(folder, "m.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schema": "nncost.model/1", "id": "m", "name": "A random decoder", "family": "decoder", **dims,
                   "sources": {"": "drawn"}}, file)
    words = [word for key, value in plan.items() for word in ("--" + key.replace("_", "-"), str(value)) if word]
    profile = os.path.join(folder, "s.json")
    with open(profile, "w", encoding="utf-8") as file:
        json.dump(usual | {"id": "s"} | switches, file)
    device = draw_device()
    card = os.path.join(folder, "d.json")
    with open(card, "w", encoding="utf-8") as file:
        json.dump(device, file)
    command = ["estimate", path, card, *words, "--software", profile, "--stages", "--price", "3", "--no-defaults", "--format",
               "json"]
    done = subprocess.run([nncost, *command], capture_output=True, text=True, check=False, timeout=60)
    if done.returncode not in (0, 1):
        illegal += 1
        if os.environ.get("SHOW"):
            print(done.stderr.strip())
        continue
    printed, times = [], Times(device, dims, plan)
    answer = json.loads(done.stdout)
    narrow = plan.get("precision") == "fp8"  # products in fp8 have other rates, which class Times does not compute
    for o in answer["ops"]:
        what = "network_s" if o["shape"].startswith("bytes=") else "time_s"
        mine = times.network(o) if what == "network_s" else times.of(o)
        timed += 1
        if not narrow and not abs(mine - o[what]) <= 1e-9 * mine:
            faults.append(f"{number} {o['name']} {o['phase']} {o['shape']} {what}: derived {mine!r}, printed {o[what]!r}")
        moved = o["read_bytes"]
        if o["link"] is not None or o["shape"].startswith("bytes="):
            moved = -float(o["shape"].split("bytes=")[1].split()[0])
        if o["name"] != "grad.zero":
            printed.append((o["name"], o["phase"], o["repeat"], o["flops"], o["vector_flops"], moved, o["write_bytes"],
                            o["kept_bytes"] or 0.0))
    derived = Ops(dims, plan, switches)
    mine, theirs = differences(derived.step(), printed)
    if not narrow:
        judge_step(answer, derived, times)
    compared += len(printed)
    for side, rows in (("derived", mine), ("printed", theirs)):
        for row in rows[:8]:
            faults.append(f"{number} {side} {row}")
    if mine or theirs:
        faults.append(f"{number} {switches} {json.dumps(dims)}: {' '.join(command)}")
print(f"{compared} rows and {timed} times of {rounds} rounds, {illegal} illegal, {len(faults)} faults")
print("\n".join(faults[:int(os.environ.get("FAULTS", 40))]))
sys.exit(1 if faults or illegal > rounds / 2 else 0)
