#!/usr/bin/env python3
"""Tests that captured PyTorch programs have the operators, FLOPs and kept bytes that nncost counts for the same
networks.

    usage: capture.py PROGRAM ROOT                 needs PyTorch and torchvision (tools/setup capture), otherwise
    skipped
           capture.py PROGRAM ROOT --write         writes tests/data/capture again

Compares captures of torchvision networks with the model files of the same networks. Compares captures of an encoder and
a decoder, which this script defines, with counts by hand. Real and fake tensors must give the same list of operators.
"""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

if importlib.util.find_spec("torch") is None and sys.executable != "/usr/bin/python3" and Path("/usr/lib/python3/dist-packages/torch").is_dir():
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])  # another Python comes first in the path
if importlib.util.find_spec("torch") is None or importlib.util.find_spec("torchvision") is None:
    print("skipped: no PyTorch or no torchvision (tools/setup capture)")
    sys.exit(77)

PROGRAM, ROOT = (Path(argument).resolve() for argument in sys.argv[1:3])
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "python"))
import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402
from nncost import capture as recorded  # noqa: E402

HIDDEN, HEADS, LAYERS, VOCAB, TOKENS, BATCH = 64, 4, 3, 256, 32, 2
WORKSPACE = 67108864  # bytes of cuBLAS's workspace, which are part of every memory peak
faults = []
# names of the scripts that of_scripts runs; an empty list runs all of them
ONLY = [name for name in os.environ.get("SCRIPTS", "").split(",") if name]


def check(what, found, expected, share=0.0):
    if abs(found - expected) > share * expected:
        faults.append(f"{what}: expected {expected}, found {found}")


class Layer(nn.Module):
    """A layer with norms before attention and MLP. The attention is written op by op; the MLP has GELU."""

    def __init__(self, causal):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(HIDDEN), nn.LayerNorm(HIDDEN)
        self.qkv, self.out = nn.Linear(HIDDEN, 3 * HIDDEN), nn.Linear(HIDDEN, HIDDEN)
        self.up, self.down = nn.Linear(HIDDEN, 4 * HIDDEN), nn.Linear(4 * HIDDEN, HIDDEN)
        self.register_buffer("mask", torch.full((TOKENS, TOKENS), float("-inf")).triu(1) if causal else None)

    def forward(self, x):
        q, k, v = (t.view(BATCH, TOKENS, HEADS, -1).transpose(1, 2) for t in self.qkv(self.norm1(x)).chunk(3, dim=-1))
        scores = q @ k.transpose(-2, -1) / (HIDDEN // HEADS) ** 0.5
        if self.mask is not None:
            scores = scores + self.mask
        x = x + self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(BATCH, TOKENS, HIDDEN))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))


class Transformer(nn.Module):
    def __init__(self, causal, checkpoints=False):
        super().__init__()
        self.checkpoints = checkpoints
        self.words, self.places = nn.Embedding(VOCAB, HIDDEN), nn.Embedding(TOKENS, HIDDEN)
        self.layers = nn.ModuleList(Layer(causal) for _ in range(LAYERS))
        self.norm, self.head = nn.LayerNorm(HIDDEN), nn.Linear(HIDDEN, VOCAB, bias=False)

    def forward(self, ids):
        x = self.words(ids) + self.places(torch.arange(TOKENS))
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=self.checkpoints != "hooks") if self.checkpoints else layer(x)
        return self.head(self.norm(x))


def transformer(causal, change=lambda net: net, changes=None, **options):
    torch.manual_seed(1)
    net, ids = change(Transformer(causal, **options)), torch.randint(VOCAB, (BATCH, TOKENS))
    return recorded.capture(net, lambda: nn.functional.cross_entropy(net(ids).view(-1, VOCAB), ids.view(-1)), batch=BATCH,
                            source={"network": f"tests/capture.py, {'decoder' if causal else 'encoder'}"}, **(changes or {}))


WANTED = ("params", "trained_params", "forward_flops", "backward_flops", "recompute_flops", "model_flops", "executed_flops",
          "activation_bytes", "weight_bytes", "gradient_bytes", "optimizer_bytes", "kernels", "step_s", "peak_allocated_bytes", "backward_s",
          "update_s")


# Returns the numbers of an estimate that the test compares.
def told(model, *options):
    out = subprocess.run([PROGRAM, "estimate", model, "h100", *options, "--format", "json"], capture_output=True, text=True,
                         env={**os.environ, "NNCOST_DATA": str(ROOT)}, check=False)
    if out.returncode:
        raise SystemExit(f"{model}: {out.stderr}")
    found = {}

    def walk(value):
        for key, inner in value.items():
            if isinstance(inner, dict):
                walk(inner)
            elif key in WANTED:
                found[key] = inner
    walk(json.loads(out.stdout))
    return found


def of_file(captured, folder, name):
    path = Path(folder) / f"{name}.json"
    recorded.write(path, captured)
    return told(path)


def each(tensors):
    return [[*t[:2], t[2] + i] for t in tensors for i in range((t[3:4] or [1])[0])]


def sequence(captured):
    """Returns the operators with their tensors, and ignores the order of the tensors of a foreach operator"""
    def tensors(found):
        found = [t[:2] for t in each(found)]
        return sorted(found) if len(found) > 15 else found
    return [(op["name"], op["phase"], tensors(op["inputs"]), tensors(op["outputs"]), op["repeat"]) for op in captured["ops"]]


def kept_bytes(captured):
    return sum(row[0] * (row[5:6] or [1])[0] for row in captured["storages"] if row[1] in ("kept", "input"))


def forward_kernels(captured):
    return sum(op["repeat"] for op in captured["ops"] if op["phase"] == "forward")


def by_hand(name, folder):
    """Computes FLOPs by hand. A product has 2 FLOPs per token and weight. The products for scores and context have 4 x
    tokens x hidden FLOPs per token and layer. Backward has twice as many FLOPs as forward."""
    found = of_file(transformer(name == "decoder"), folder, name)
    layer = 12 * HIDDEN * HIDDEN
    params = LAYERS * (layer + 13 * HIDDEN) + 2 * HIDDEN + (2 * VOCAB + TOKENS) * HIDDEN
    forward = BATCH * TOKENS * (2 * LAYERS * layer + 4 * LAYERS * TOKENS * HIDDEN + 2 * HIDDEN * VOCAB)
    check(f"{name}: params", found["params"], params)
    check(f"{name}: forward FLOPs", found["forward_flops"], forward)
    check(f"{name}: backward FLOPs", found["backward_flops"], 2 * forward)
    # A layer keeps these tensors: inputs, outputs and statistics of two norms; q, k, v, context and scores; input and
    # output of GELU. The network outside of its layers keeps these tensors: input, output and statistics of the last
    # norm, the result of log-softmax, the weight of the loss, and the numbers of tokens and positions.
    rows = BATCH * TOKENS
    values = LAYERS * (8 * rows * HIDDEN + BATCH * HEADS * TOKENS * TOKENS + 2 * rows * 4 * HIDDEN + 4 * rows)
    values += 2 * rows * HIDDEN + 2 * rows + rows * VOCAB + 1
    check(f"{name}: kept bytes", found["activation_bytes"], 4 * values + 8 * rows + 8 * TOKENS, 0.01)


# ResNet-50 has 53 convolutions, each with a batch norm and its counter of batches, 49 ReLUs, 16 sums, a max-pool, a
# mean, a head, and two operators of the loss.
NETWORKS = [("resnet50", "resnet-50", 2, [], 0.01, 3 * 53 + 49 + 16 + 5), ("mobilenet_v3_large", "mobilenet-v3-large", 2, [], 0.01, None),
            ("vit_b_16", "vit-b-16", 1, ["--attention", "unfused"], 0.01, None), ("swin_t", "swin-t", 1, ["--attention", "unfused"], 0.01, None)]


def of_torchvision(name, model, batch, options, kept, kernels, folder):
    captured = recorded.torchvision_network(name, batch, 224, False)
    found = of_file(captured, folder, name)
    family = told(model, "--precision", "fp32", "--micro-batch", str(batch), "--software", "torch-eager", *options)
    print(name, forward_kernels(captured), found, family)
    for key in ("params", "forward_flops", "backward_flops"):
        check(f"{name}: {key}", found[key], family[key])
    # the captured step keeps the images as the input of the first convolution; the model family counts the images as
    # memory of the data loader
    images = batch * 3 * 224 * 224 * 4
    check(f"{name}: kept bytes", found["activation_bytes"] - images, family["activation_bytes"], kept)
    check(f"{name}: kept storages", found["activation_bytes"], kept_bytes(captured))
    if kernels is not None:
        check(f"{name}: forward operators", forward_kernels(captured), kernels)


class UNet(nn.Module):
    """The U-Net of 2015, with padding that keeps the size of maps. The U-Net has 64 to 1024 channels, convolutions
    without bias before batch norms, 3 input channels and 2 output channels."""

    def __init__(self, widths=(64, 128, 256, 512, 1024)):
        super().__init__()

        def convs(before, after):
            layers = []
            for width in (before, after):
                layers += [nn.Conv2d(width, after, 3, padding=1, bias=False), nn.BatchNorm2d(after), nn.ReLU(inplace=True)]
            return nn.Sequential(*layers)

        self.down = nn.ModuleList(convs(a, b) for a, b in zip((3, *widths), widths))
        self.up = nn.ModuleList(nn.ConvTranspose2d(b, a, 2, 2) for a, b in zip(widths, widths[1:]))
        self.join = nn.ModuleList(convs(b, a) for a, b in zip(widths, widths[1:]))
        self.head = nn.Conv2d(widths[0], 2, 1)

    def forward(self, x):
        skips = []
        for number, block in enumerate(self.down):
            x = block(x if number == 0 else nn.functional.max_pool2d(x, 2))
            skips.append(x)
        for up, block, skip in zip(reversed(self.up), reversed(self.join), reversed(skips[:-1])):
            x = block(torch.cat([skip, up(x)], 1))
        return self.head(x)


def of_unet(folder):
    net, image = UNet(), 64
    x, y = torch.randn(1, 3, image, image), torch.zeros(1, image, image, dtype=torch.int64)
    captured = recorded.capture(net, lambda: nn.functional.cross_entropy(net(x), y), batch=1)
    found = of_file(captured, folder, "unet")
    family = told("seg-unet", "--image", str(image), "--precision", "fp32", "--micro-batch", "1")
    print("unet", found, family)
    for key in ("params", "forward_flops", "backward_flops"):
        check(f"unet: {key}", found[key], family[key])
    check("unet: kept bytes", found["activation_bytes"], family["activation_bytes"], 0.01)


def of_segmentation(folder):
    """Records a segmentation network of torchvision by its name. Its documentation states 3,221,538 parameters. The
    loss compares maps."""
    captured = recorded.torchvision_network("lraspp_mobilenet_v3_large", 2, 64, False)
    check("lraspp: parameters", of_file(captured, folder, "lraspp")["params"], 3221538)
    try:
        recorded.torchvision_network("deeplabv3_resnet50", 1, 32, False)
        faults.append("deeplabv3, one image: recorded, although its batch norm refuses one value")
    except SystemExit as error:
        check("deeplabv3, one image", "does not run with --batch 1 --image 32" in str(error), True)
    check("lraspp: a loss of maps", sum(op["name"].startswith("aten.nll_loss2d_forward") for op in captured["ops"]), 1)


def of_tasks(folder):
    """Records a video network of torchvision by its name. The documentation of the network states the number of
    parameters. In addition, tests a step with the loss of a detection network."""
    check("r3d_18: parameters", of_file(recorded.torchvision_network("r3d_18", 1, 32, False), folder, "r3d_18")["params"], 33371472)
    kind, maker = recorded.torchvision_maker("ssdlite320_mobilenet_v3_large")
    model = maker()
    check("ssdlite320: parameters", sum(p.numel() for p in model.parameters()), 3440060)
    check("ssdlite320: a loss", recorded.torchvision_loss(kind, model, 2, 64)[0]().requires_grad, True)


def of_autocast(folder):
    """Under autocast, the captured ResNet-50 keeps as many bytes as the model family."""
    path = Path(folder) / "resnet50.json"
    captured, family = told(path, "--policy", "amp"), told("resnet50", "--policy", "amp", "--micro-batch", "2")
    check("resnet50 under autocast: kept bytes", captured["activation_bytes"], family["activation_bytes"], 0.02)
    check("resnet50 under autocast: forward FLOPs", captured["forward_flops"], family["forward_flops"])


def of_two_steps(folder):
    """An estimate for 4 samples, computed from recorded steps of 2 and 6 samples, equals the estimate of a recorded
    step of 4 samples"""
    two, four, six = (recorded.torchvision_network("resnet18", batch, 64, False) for batch in (2, 4, 6))
    path = Path(folder) / "between.json"
    recorded.write(path, recorded.join(two, six))
    between, own = told(path, "--micro-batch", "4"), of_file(four, folder, "four")
    check("resnet18 between two steps", sorted(between.items()) != sorted(own.items()), False)


def of_checkpoints(folder):
    """--recompute full gives for a recording without checkpoints the estimate of a recording with a checkpoint around
    each layer"""
    again = of_file(transformer(True, checkpoints=True), folder, "checkpoints")
    path = Path(folder) / "plain.json"
    recorded.write(path, transformer(True))
    full = told(path, "--recompute", "full")
    for key in ("params", "executed_flops", "kernels", "activation_bytes"):
        check(f"decoder with checkpoints: {key}", full[key], again[key])
    # with checkpoints="hooks", the inputs of layers stay in memory, although autograd does not save them for backward
    hooks = of_file(transformer(True, checkpoints="hooks"), folder, "hooks")
    check("decoder, use_reentrant=False: kept bytes", hooks["activation_bytes"], again["activation_bytes"])
    asked = transformer(True, changes={"checkpoint": ["layers.*"]})
    check("decoder, --checkpoint layers.*", sequence(asked) != sequence(transformer(True, checkpoints=True)), False)
    # A checkpoint around one product and GELU does not keep the result of the product (4 x hidden values per token).
    # The checkpoint keeps the input of the product once.
    part = of_file(transformer(True, changes={"checkpoint": ["layers.*.up"]}), folder, "part")
    plain = told(path)
    check("decoder, --checkpoint layers.*.up: FLOPs", part["executed_flops"] - plain["executed_flops"], LAYERS * 8 * BATCH * TOKENS * HIDDEN * HIDDEN)
    check("decoder, --checkpoint layers.*.up: kept bytes", part["activation_bytes"], plain["activation_bytes"])


class Adapted(nn.Module):
    def __init__(self, linear, rank):
        super().__init__()
        self.linear, self.down, self.up = linear, nn.Linear(linear.in_features, rank, bias=False), nn.Linear(rank, linear.out_features, bias=False)

    def forward(self, x):
        return self.linear(x) + self.up(self.down(x.float())).to(x.dtype)


def adapted(net, dtype, rank=4):
    """Returns a frozen network in the format `dtype`, with adapters in fp32 on all matrices of its layers"""
    net.to(dtype).requires_grad_(False)
    for layer in net.layers:
        for name in ("qkv", "out", "up", "down"):
            setattr(layer, name, Adapted(getattr(layer, name), rank))
    return net


def of_frozen(folder):
    """Each adapter has (in + out) x rank parameters of 4 B, with a gradient and two states. Weights without adapters
    keep their format."""
    trained = LAYERS * 4 * (1 + 3 + 1 + 1 + 1 + 4 + 4 + 1) * HIDDEN
    for dtype, width in ((torch.float32, 4), (torch.bfloat16, 2)):
        captured = transformer(True, lambda net, dtype=dtype: adapted(net, dtype))
        found = of_file(captured, folder, "adapted")
        frozen = captured["parameters"]["count"] - trained
        check(f"adapters, {dtype}: trained", found["trained_params"], trained)
        check(f"adapters, {dtype}: weights", found["weight_bytes"], 4 * trained + width * frozen)
        check(f"adapters, {dtype}: gradients", found["gradient_bytes"], 4 * trained)
        check(f"adapters, {dtype}: states", found["optimizer_bytes"], 8 * trained)
        check(f"adapters, {dtype}: kept bytes", found["activation_bytes"], kept_bytes(captured))


def of_folding(folder):
    """A file may have one row for the storages of equal layers, and one entry for equal tensors of a foreach operator.
    The estimates of a file with joined rows must equal the estimates of a file with all rows."""
    fold, given = recorded.fold_storages, []

    def watched(rows, blocks, unfolded):
        out, numbers = fold(rows, blocks, unfolded)
        given.append(([list(row) for row in rows], numbers))
        return out, numbers
    for maker in (lambda: transformer(True, checkpoints=True), lambda: recorded.torchvision_network("resnet18", 2, 64, False)):
        recorded.fold_storages = watched
        short = maker()
        recorded.fold_storages = fold
        rows, numbers = given.pop()
        expanded = [[*row[:3], row[3] + i * (row[6:7] or [0])[0], row[4] + i * (row[7:8] or [0])[0]] for row in short["storages"] for i in range((row[5:6] or [1])[0])]
        check("folded storages", [expanded[number] for number in numbers] != rows, False)
        check("folded storages: shorter", len(short["storages"]) < len(rows), True)
        long = {**short, "storages": expanded, "ops": [{**op, **{key: each(op[key]) for key in ("inputs", "outputs")}} for op in short["ops"]]}
        paths = [Path(folder) / f"{name}.json" for name in ("short", "long")]
        for path, captured in zip(paths, (short, long)):
            recorded.write(path, captured)
        again = any(op["phase"] == "recompute" for op in short["ops"])
        for options in ([], ["--frozen", "layers.*.up"] if again else ["--recompute", "full"], ["--policy", "amp"], ["--devices", "8", "--zero", "3"]):
            check(f"folding: estimate {options}", told(paths[0], *options) != told(paths[1], *options), False)


def of_freeze(folder):
    """If the MLPs are frozen, 8 hidden^2 weights and 5 hidden biases per layer are not trained"""
    found = of_file(transformer(True, changes={"freeze": ["layers.*.up", "layers.*.down"]}), folder, "freeze")
    plain = of_file(transformer(True), folder, "trained")
    check("freeze: trained", found["trained_params"], plain["params"] - LAYERS * (8 * HIDDEN + 5) * HIDDEN)
    check("freeze: FLOPs", plain["backward_flops"] - found["backward_flops"], LAYERS * 16 * BATCH * TOKENS * HIDDEN * HIDDEN)


# Each row has options of an estimate, and changes of the recording that have the same effect. The estimate of a
# recording without changes, but with the options, must equal the estimate of a recording with the changes. In
# MobileNet, PyTorch copies for backward only tensors that hard-swish overwrites. In ResNet, the last module keeps the
# result of the last block.
MODULES = {
    "encoder": [(["--frozen", "layers.*.up"], {"freeze": ["layers.*.up"]}), (["--frozen", "layers.0"], {"freeze": ["layers.0"]}),
                (["--train", "layers.2.qkv,layers.*.down,head"],
                 {"freeze": ["words", "places", "norm", "layers.*.norm[12]", "layers.*.out", "layers.*.up", "layers.[01].qkv"]})],
    "decoder": [(["--frozen", "words,places,layers.0,layers.1"], {"freeze": ["words", "places", "layers.[01]"]}),
                (["--train", "layers.2,norm,head"], {"freeze": ["words", "places", "layers.[01]"]}),
                (["--recompute", "layers.*"], {"checkpoint": ["layers.*"]}), (["--recompute", "layers.1"], {"checkpoint": ["layers.1"]}),
                (["--recompute", "layers.*.up,layers.*.qkv"], {"checkpoint": ["layers.*.up", "layers.*.qkv"]})],
    "resnet50": [(["--frozen", "conv1,bn1,layer1,layer2"], {"freeze": ["conv1", "bn1", "layer[12]"]}), (["--frozen", "layer3"], {"freeze": ["layer3"]}),
                 (["--train", "fc"], {"freeze": ["conv1", "bn1", "layer*"]}), (["--recompute", "layer*.*"], {"checkpoint": ["layer*.*"]})],
    "mobilenet_v3_large": [(["--frozen", "features.*.*.0"], {"freeze": ["features.*.*.0"]}),
                           (["--train", "classifier,features.16"], {"freeze": ["features.?", "features.1[0-5]"]})],
}


# Largest relative differences. The peak may differ, because a recorded checkpoint holds its result and its gradient
# until its backward ends. The backward time may differ after the seventh digit, because it is the difference of two
# sums.
SHARES = {"peak_allocated_bytes": 0.01, "backward_s": 1e-7}


def of_modules(folder):
    """--train, --frozen and --recompute with module names give the estimate of a recording with frozen modules and
    checkpoints"""
    for name, cases in MODULES.items():
        def made(changes, name=name):
            causal = {"encoder": False, "decoder": True}
            return transformer(causal[name], changes=changes) if name in causal else recorded.torchvision_network(name, 2, 64, True, **changes)
        path = Path(folder) / f"modules-{name}.json"
        recorded.write(path, made({}))
        for options, changes in cases:
            found, own = told(path, *options), of_file(made(changes), folder, "changed")
            for key in WANTED:
                check(f"{name} {' '.join(options)}: {key}", found.get(key, 0), own.get(key, 0), SHARES.get(key, 0.0))


def of_frozen_recordings(folder):
    """With --frozen, the estimate equals that of a program recorded with these modules frozen, also for a step with checkpoints or with sparse
    gradients. A checkpoint runs again either completely or not at all. The recomputed products of a checkpoint do not
    count as model FLOPs."""
    path = Path(folder) / "frozen.json"

    def compared(what, made, *patterns):
        recorded.write(path, made({}))
        found, own = told(path, "--frozen", ",".join(patterns)), of_file(made({"freeze": patterns}), folder, "own")
        for key in WANTED:
            check(f"{what}, --frozen {patterns}: {key}", found.get(key, 0), own.get(key, 0), SHARES.get(key, 0.0))
        return found

    def layers(kind):
        return lambda changes: transformer(True, checkpoints=kind, changes=changes)

    compared("checkpoints", layers(True), "layers.*.up")
    found = compared("use_reentrant=False", layers("hooks"), "words", "places", "layers.0")
    products, scores = 2 * BATCH * TOKENS * 12 * HIDDEN ** 2, 4 * BATCH * TOKENS ** 2 * HIDDEN
    check("use_reentrant=False: layers 1 and 2 run again", found["recompute_flops"], (LAYERS - 1) * (products + scores))
    check("use_reentrant=False: FLOPs of the model", found["model_flops"], found["forward_flops"] + found["backward_flops"])

    def sparse(changes):
        torch.manual_seed(1)
        net, x = nn.Sequential(nn.EmbeddingBag(100, 16, sparse=True), nn.Linear(16, 16), nn.Linear(16, 4)), torch.randint(100, (BATCH, 5))
        return recorded.capture(net, lambda: net(x).square().mean(), torch.optim.SGD(net.parameters(), lr=0.1), batch=BATCH, **changes)

    compared("sparse gradients", sparse, "0")
    compared("sparse gradients", sparse, "1")


class Stopped(Exception):
    """Ends the second forward pass of a checkpoint after the last tensor that backward needs, as an exception of
    PyTorch 2 does"""


class Stop(nn.Module):
    def forward(self, x):
        if torch.is_grad_enabled():
            raise Stopped
        return x


class Again(torch.autograd.Function):
    """A checkpoint whose second forward pass stops early"""
    @staticmethod
    def forward(ctx, x, layer, stop):
        ctx.layer, ctx.stop = layer, stop
        ctx.save_for_backward(x)
        with torch.no_grad():
            return stop(layer(x))

    @staticmethod
    def backward(ctx, gradient):
        x = ctx.saved_tensors[0].detach().requires_grad_(True)
        with torch.enable_grad():
            y = ctx.layer(x)
            try:
                ctx.stop(y)
            except Stopped:
                pass
        torch.autograd.backward(y, gradient)
        return x.grad, None, None


class StopsEarly(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.layer, self.stop, self.head = nn.Linear(4, 8), nn.Linear(8, 8), Stop(), nn.Linear(8, 2)

    def forward(self, x):
        return self.head(Again.apply(self.first(x), self.layer, self.stop))


def of_early_stop():
    """An exception can end a module in the second forward pass of a checkpoint. Operators after the exception must not
    belong to the ended module, and neither must operators of the next micro-batch."""
    net, x = StopsEarly(), torch.randn(BATCH, 4)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def step():
        for _ in range(2):
            net(x).square().mean().backward()
        optimizer.step()
    captured = recorded(step, batch=2 * BATCH)
    found = [(op["phase"], captured["modules"][op["module"]]) for op in captured["ops"] for _ in range(op["repeat"])
             if op["name"].split(".")[1] in ("mm", "addmm", "pow")]
    expected = [("forward", name) for name in ("first", "layer", "head", "")] + [("backward", "head")] * 2 + \
        [("recompute", "layer")] + [("backward", "layer")] * 2 + [("backward", "first")]
    check(f"early stop: {found}", [row for row in found if row != ("backward", "")] != 2 * expected, False)


def of_adapters(folder):
    """Adds adapters of rank 4 to the matrices of the layers. In backward, the first adapter of the first layer needs no
    gradient of its input."""
    pairs = [(1, 3), (1, 1), (1, 4), (4, 1)]  # widths of inputs and outputs, as multiples of hidden
    trained, rows = LAYERS * sum(4 * (i + o) * HIDDEN for i, o in pairs), BATCH * TOKENS
    plain = of_file(transformer(True), folder, "whole")
    for name, captured in (("library", transformer(True, changes={"adapters": (4, [])})),
                           ("patterns", transformer(True, changes={"adapters": (4, ["layers.*.*"])}))):
        found = of_file(captured, folder, name)
        check(f"adapters, {name}: params", found["params"], plain["params"] + trained)
        check(f"adapters, {name}: trained", found["trained_params"], trained)
        check(f"adapters, {name}: states", found["optimizer_bytes"], 8 * trained)
        check(f"adapters, {name}: forward FLOPs", found["forward_flops"], plain["forward_flops"] + 2 * rows * trained)
    script, path = Path(folder) / "adapters.py", Path(folder) / "adapters.json"
    script.write_text(SCRIPT + SCHEDULED)
    done = subprocess.run([sys.executable, "-m", "nncost.capture", "-o", path, "--adapter-rank", "2", script], capture_output=True, text=True,
                          cwd=ROOT / "python", check=False)
    check(f"adapters of a script: {done.stderr}", done.returncode, 0)
    found = told(path)
    check("adapters of a script: trained", found["trained_params"], 2 * (16 + 32 + 32 + 16))
    check("adapters of a script: states", found["optimizer_bytes"], 4 * 2 * (16 + 32 + 32 + 16))  # RMSprop


def of_step():
    """Records a function that contains the whole step. The recorded list of operators must equal the list that
    capture() records. Autocast regions are noted in the file, but not applied."""
    torch.manual_seed(1)
    net, ids = Transformer(True), torch.randint(VOCAB, (BATCH, TOKENS))
    optimizer = torch.optim.AdamW(net.parameters(), foreach=True)

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = nn.functional.cross_entropy(net(ids).view(-1, VOCAB), ids.view(-1))
        loss.backward()
        optimizer.step()
    captured = recorded(step, batch=BATCH)
    check("capture_step: operators", sequence(captured) != sequence(transformer(True)), False)
    check("capture_step: autocast", captured["autocast"] == "bf16" and "autocast in bf16" in captured["note"], True)


def of_shards(folder):
    """With ZeRO 3 on 8 devices, a device has an eighth of weights, gradients and states, and the same operators.
    Weights of 16 bits have half of the bytes."""
    path, narrow = Path(folder) / "wide.json", Path(folder) / "narrow.json"
    recorded.write(path, transformer(True))
    recorded.write(narrow, transformer(True, lambda net: net.bfloat16()))
    one, eight, half = told(path), told(path, "--devices", "8", "--zero", "3"), told(narrow)
    check("ZeRO 3: FLOPs", eight["executed_flops"], 8 * one["executed_flops"])
    check("ZeRO 3, accumulation: FLOPs", told(path, "--devices", "8", "--zero", "3", "--micro-batches", "4")["executed_flops"], 32 * one["executed_flops"])
    check("offload: states", told(path, "--offload", "optimizer")["optimizer_bytes"], 0)
    for key in ("weight_bytes", "gradient_bytes", "optimizer_bytes"):
        check(f"ZeRO 3: {key}", 8 * eight[key], one["params"] * (8 if key == "optimizer_bytes" else 4))
        check(f"bfloat16: {key}", half[key], one["params"] * (4 if key == "optimizer_bytes" else 2))
    check("bfloat16: FLOPs", half["executed_flops"], one["executed_flops"])
    gathers = [row for row in priced(path, "--devices", "8", "--zero", "3") if row["name"] == "data.gather_weights"]
    check("ZeRO 3: units", sorted((row["phase"], row["repeat"]) for row in gathers) != [("backward", LAYERS), ("forward", LAYERS)], False)


def of_kernels(folder):
    """The update uses the kernels that the program selected. The network has one weight of 1024 x 1024 and its bias.
    AdamW moves 80 B per parameter in eight operations, or 28 B in one kernel. During the update, memory holds the
    weight, its gradient and two states. If the update runs operations over lists of tensors, memory also holds the root
    of the second moment. The workspace of cuBLAS takes another 64 MiB."""
    path, params, x = Path(folder) / "kernels.json", 1024 * 1025, torch.zeros(1, 1024)

    def step(**options):
        net = nn.Linear(1024, 1024)
        recorded.write(path, recorded.capture(net, lambda: net(x).square().mean(), torch.optim.AdamW(net.parameters(), **options), batch=1))
        return json.loads(path.read_text()).get("optimizer")
    for options, kernels, moved, values in (({}, "foreach", 80, 5), ({"foreach": True}, "foreach", 80, 5), ({"foreach": False}, "loop", 80, 4)):
        check(f"update, {options}", step(**options) != {"kernels": kernels, "groups": [["adamw", 2, params, 1]]}, False)
        row = next(row for row in priced(path) if row["name"] == "optimizer")
        check(f"update, {options}: bytes", row["read_bytes"] + row["write_bytes"], moved * params)
        check(f"update, {options}: peak", told(path)["peak_allocated_bytes"] - 2 ** 26, values * 4 * params, 0.01)
    row = next(row for row in priced(path, "--optimizer-kernels", "fused") if row["name"] == "optimizer")
    check("update in one kernel: bytes", row["read_bytes"] + row["write_bytes"], 28 * params)
    # The update of PyTorch 2.6 consists of these eight kinds of operations on the device, and one operation on the host
    # that counts steps.
    new = recorded.read(ROOT / "tests/data/capture/torchvision-vit_b_16.torch-2.6.json")
    check("update of PyTorch 2.6", [op["name"].split(".")[1] for op in new["ops"] if op["phase"] == "optimizer"]
          != ["_foreach_" + name for name in ("add_", "mul_", "lerp_", "mul_", "addcmul_", "sqrt", "div_", "add_", "addcdiv_")], False)


def of_offload(folder):
    """With --offload activations, the bytes that a layer keeps (see by_hand) are copied to the host and back. Two
    layers, and tensors outside of layers, stay on the device"""
    path, rows = Path(folder) / "offload.json", BATCH * TOKENS
    captured = transformer(True)
    recorded.write(path, captured)
    unit = 4 * (8 * rows * HIDDEN + BATCH * HEADS * TOKENS * TOKENS + 2 * rows * 4 * HIDDEN + 4 * rows)
    check("offload: kept bytes", told(path, "--offload", "activations")["activation_bytes"], kept_bytes(captured) - (LAYERS - 2) * unit, 0.001)
    moved = [row for row in priced(path, "--offload", "activations") if row["name"] == "offload.activations"]
    check("offload: moved", sorted((row["phase"], row["repeat"]) for row in moved) != [("backward", LAYERS), ("forward", LAYERS)], False)
    check("offload: bytes", sum(row["repeat"] * int(row["shape"].split("=")[1]) for row in moved), 2 * LAYERS * unit, 0.001)
    less = told(path)["peak_allocated_bytes"] - told(path, "--offload", "activations")["peak_allocated_bytes"]
    check("offload: the peak is not higher", less >= 0, True)


class Chain(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.norm = nn.Linear(16, 16), nn.LayerNorm(16)

    def forward(self, x):
        return self.norm(nn.functional.gelu(self.up(x)) + x)


def priced(path, *options):
    done = subprocess.run([PROGRAM, "ops", path, "h100", *options, "--format", "json"], capture_output=True, text=True,
                          env={**os.environ, "NNCOST_DATA": str(ROOT)}, check=True)
    return json.loads(done.stdout)["ops"]


def fused_rows(path):
    """Returns the kernels of forward and backward under torch.compile, as (first operator, bytes)"""
    rows = priced(path, "--software", "torch-compile")
    return [(row["name"], row["read_bytes"] + row["write_bytes"]) for row in rows if row["kind"] == "kernel" and row["time_s"] > 0]


def of_fusion(folder):
    """A chain of pointwise operators and norms is one kernel; its bytes are computed by hand. With 4 x 12 rows of 16
    columns in fp32, a map has 3,072 bytes, a vector has 64 bytes, and the statistics (mean and deviation) of all rows
    have 384 bytes."""
    net, path, x = Chain(), Path(folder) / "chain.json", torch.zeros(4, 12, 16)
    recorded.write(path, recorded.capture(net, lambda: net(x).square().mean(), batch=4))
    expected = [
        # this kernel reads the product, x, gain and bias, and writes the sum, the norm, the square of the norm, and
        # statistics
        ("gelu", 2 * 3072 + 2 * 64 + 3 * 3072 + 384),
        ("mean", 3072 + 4),
        ("ones_like", 4 + 4),
        # This kernel of backward reads the scalar, the square of the norm, its input and statistics, gain, bias and the
        # product. The kernel writes the gradients of product, gain and bias.
        ("div", 4 + 3 * 3072 + 384 + 2 * 64 + 3072 + 2 * 64),
        ("pow", 3072 + 3072),  # this kernel runs before the gradient of the mean
        ("native_layer_norm_backward", 2 * 3072),  # sums over the columns, for the gradients of gain and bias
        ("sum", 3072 + 64)]
    found = fused_rows(path)
    check("fusion: kernels", [name for name, _ in found] != [name for name, _ in expected], False)
    for (name, bytes_found), (_, by_hand) in zip(found, expected):
        check(f"fusion: bytes of {name}", bytes_found, by_hand, 1e-9)


def of_compiled(folder):
    """Under torch.compile, the step time of a captured network differs from the step time of the model family by at
    most a quarter"""
    for name, model, options in (("resnet50", "resnet-50", []), ("vit_b_16", "vit-b-16", ["--attention", "unfused"])):
        path = Path(folder) / f"{name}-8.json"
        recorded.write(path, recorded.torchvision_network(name, 8, 224, False))
        plan = ["--software", "torch-compile", "--policy", "amp"]
        found = told(path, *plan, "--optimizer-kernels", "fused")["step_s"]
        expected = told(model, *plan, "--micro-batch", "8", *options)["step_s"]
        check(f"compiled {name}: step", found, expected, 0.25)


SCRIPT = """
import torch
from torch import nn
def network(*layers):
    return nn.Sequential(*layers).to("cuda")
def of(net, x):
    return net(x).square().mean()
x = torch.zeros(4, 12, 16, device="cuda")
"""
RECURRENT = """
class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers, self.head = nn.LSTM(16, 32, 2, batch_first=True), nn.Linear(32, 10)
    def forward(self, x):
        return self.head(self.layers(x)[0])
net = Network()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    of(net, x).backward()
    optimizer.step()
"""
SCHEDULED = """
net = network(nn.Linear(16, 32), nn.Linear(32, 16))
optimizer = torch.optim.RMSprop(net.parameters())
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
scaler = torch.cuda.amp.GradScaler()
for step in range(6):
    with torch.autocast("cuda", dtype=torch.float16):
        loss = of(net, x)
    scaler.scale(loss).backward()
    if step % 2:
        scaler.step(optimizer)
        scaler.update()
        scheduler.step()
        optimizer.zero_grad()
"""
ADVERSARIAL = """
maker, critic = network(nn.Linear(16, 16)), network(nn.Linear(16, 1))
first, second = torch.optim.Adam(critic.parameters()), torch.optim.Adam(maker.parameters())
for step in range(3):
    made = maker(x)
    (of(critic, x) + of(critic, made.detach())).backward()
    first.step()
    first.zero_grad()
    of(critic, made).backward()
    second.step()
    second.zero_grad()
"""
MIXED = """
maker, critic = network(nn.Linear(16, 16)), network(nn.Linear(16, 1))
first = torch.optim.SGD(critic.parameters(), lr=0.1)
second = torch.optim.Adam([{"params": [maker[0].weight]}, {"params": [maker[0].bias], "lr": 0.01}])
for step in range(4):
    made = maker(x)
    for _ in range(2):
        (of(critic, x) + of(critic, made.detach())).backward()
        first.step()
        first.zero_grad()
    of(critic, made).backward()
    second.step()
    second.zero_grad()
"""
PACKED = """
class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers, self.head = nn.LSTM(16, 32, batch_first=True), nn.Linear(32, 10)
    def forward(self, x, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
        return self.head(self.layers(packed)[1][0][-1])
net = Network()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    net(x.cpu(), torch.tensor([12, 10, 9, 4])).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
"""
CLOSURE = """
net = network(nn.Linear(16, 32))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
def closure():
    optimizer.zero_grad()
    loss = of(net, x)
    loss.backward()
    return loss
for step in range(3):
    optimizer.step(closure)
"""
REPEATED = """
net = network(*[nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.LayerNorm(16)) for _ in range(4)])
optimizer = torch.optim.AdamW(net.parameters())
for step in range(3):
    for part in range(2):
        torch.autograd.backward([of(net, x), of(net, x + 1)])
    optimizer.step()
    optimizer.zero_grad()
    net.eval()
    with torch.no_grad():
        of(net, x)
    net.train()
"""
CURVATURE = """
net = network(nn.Linear(16, 1))
optimizer = torch.optim.LBFGS(net.parameters(), max_iter=1)
def closure():
    optimizer.zero_grad()
    loss = of(net, x)
    loss.backward()
    return loss
for step in range(3):
    optimizer.step(closure)
"""
TIME_FIRST = """
class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.GRU(16, 32)
    def forward(self, x):
        return self.layers(x)[0]
net = Network()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    of(net, x).backward()
    optimizer.step()
"""
SHARED = """
first, second = network(nn.Linear(16, 8)), network(nn.Linear(16, 8))
scale = nn.Parameter(torch.ones((), device="cuda"))
optimizer = torch.optim.RAdam([*first.parameters(), *second.parameters(), scale])
for step in range(3):
    of(lambda x: scale * first(x) * second(x + 1), x).backward()
    optimizer.step()
    optimizer.zero_grad()
"""
SHARPNESS = """
net = network(nn.Linear(16, 32))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for step in range(3):
    of(net, x).backward()
    with torch.no_grad():
        for p in net.parameters():
            p.add_(p.grad)
    optimizer.zero_grad()
    of(net, x).backward()
    optimizer.step()
    optimizer.zero_grad()
"""
AVERAGED = """
import copy
net = network(nn.Linear(16, 32))
teacher = copy.deepcopy(net).requires_grad_(False)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    with torch.no_grad():
        y = teacher(x)
    of(lambda x: net(x) - y, x).backward()
    optimizer.step()
    optimizer.zero_grad()
    with torch.no_grad():
        for mean, p in zip(teacher.parameters(), net.parameters()):
            mean.lerp_(p, 0.1)
"""
PROCESSES = """
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
def work(rank, count):
    dist.init_process_group("nccl", rank=rank, world_size=count)
    torch.cuda.set_device(rank)
    net = DistributedDataParallel(nn.Linear(16, 32).to(rank), device_ids=[rank])
    optimizer = torch.optim.AdamW(net.parameters(), fused=True)
    event = torch.cuda.Event(enable_timing=True)
    for step in range(3):
        event.record()
        with net.no_sync():
            of(net, x).backward()
        loss = of(net, x.to(device=rank))
        loss.backward()
        dist.all_reduce(loss)
        optimizer.step()
        optimizer.zero_grad()
torch.multiprocessing.spawn(work, args=(torch.cuda.device_count(),), nprocs=torch.cuda.device_count())
"""
SPARSE = """
net = torch.compile(network(nn.EmbeddingBag(100, 16, sparse=True), nn.Linear(16, 4)))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    of(net, torch.randint(100, (4, 12), device="cuda")).backward()
    optimizer.step()
    optimizer.zero_grad()
"""
CRITIC = """
maker, critic = network(nn.Linear(16, 16)), network(nn.Linear(16, 1))
first, second = torch.optim.Adam(critic.parameters()), torch.optim.Adam(maker.parameters())
for step in range(8):
    loss = of(critic, x) + of(critic, maker(x).detach())
    first.zero_grad()
    loss.backward()
    first.step()
    if step % 2:
        second.zero_grad()
        of(critic, maker(x)).backward()
        second.step()
"""
FACTORED = """
class Turned(nn.Module):
    def __init__(self):
        super().__init__()
        self.matrix = nn.Parameter(torch.eye(16))
    def encode(self, x):
        return x @ self.matrix + torch.linalg.slogdet(self.matrix)[1]
class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.turned, self.head = Turned(), nn.Linear(16, 8)
    def encode(self, x):
        return self.head(self.turned.encode(x))
net = Network()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    of(net.encode, x).backward()
    optimizer.step()
    optimizer.zero_grad()
"""
GRAPH = """
net = network(nn.Linear(16, 8))
edges = torch.sparse_coo_tensor(torch.arange(48).repeat(2, 1), torch.ones(48), (48, 48), device="cuda")
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    of(lambda x: torch.sparse.mm(edges, net(x.reshape(48, 16))), x).backward()
    optimizer.step()
    optimizer.zero_grad()
"""
COMPLEX = """
weight = torch.zeros(16, 16, dtype=torch.complex64, device="cuda", requires_grad=True)
optimizer = torch.optim.Adam([weight], lr=0.1)
for step in range(3):
    of(lambda x: (x.to(torch.complex64) @ weight).abs(), x).backward()
    optimizer.step()
    optimizer.zero_grad()
"""
SLICED = """
net = network(*[nn.Sequential(nn.Linear(64, 64), nn.Tanh()) for _ in range(4)])
optimizer = torch.optim.Adam(net.parameters(), amsgrad=True)
rows = torch.randn(4096, 64)  # a data set on the host
for step in range(3):
    loss = of(net, rows[32 * step:32 * step + 32].to("cuda"))
    optimizer.zero_grad()  # the gradients of the step before live through forward
    loss.backward()
    optimizer.step()
"""
NORMED = """
net = network(nn.utils.spectral_norm(nn.Linear(16, 32)))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    of(net, x).backward()
    optimizer.step()
"""
PENALTY = """
device = torch.accelerator.current_accelerator()
maker = network(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 16))
critic = network(nn.Linear(16, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
first, second = torch.optim.Adam(critic.parameters(), betas=(0.0, 0.9)), torch.optim.Adam(maker.parameters())
x = torch.randn(48, 16).to(device)
for step in range(10):
    made, share = maker(torch.randn(48, 16, device=device)).detach(), torch.rand(48, 1, device=device)
    between = (share * x + (1 - share) * made).requires_grad_(True)
    scores = critic(between)
    slope, = torch.autograd.grad(scores, between, torch.ones_like(scores), create_graph=True, retain_graph=True, only_inputs=True)
    loss = critic(made).mean() - critic(x).mean() + 10 * ((slope.norm(2, dim=1) - 1) ** 2).mean()
    first.zero_grad()
    loss.backward()
    first.step()
    second.zero_grad()
    (-critic(maker(torch.randn(48, 16, device=device))).mean()).backward()
    second.step()
"""
LOOP = """
class Audio(nn.Module):  # as in Lightning: the loop calls training_step, never forward
    def __init__(self):
        super().__init__()
        self.net = network(nn.Conv1d(1, 16, 9, stride=4, padding=4), nn.BatchNorm1d(16), nn.ReLU(), nn.Conv1d(16, 32, 9, stride=4, padding=4, groups=4),
                           nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(32, 5))
    def training_step(self, batch):
        return nn.functional.cross_entropy(self.net(batch[0]), batch[1]) / 2
def closure():
    loss = module.training_step((torch.randn(8, 1, 1600, device="cuda:0"), torch.zeros(8, dtype=torch.int64, device="cuda:0")))
    loss.backward()
    return loss
module = Audio().to("cuda:0")
optimizer = torch.optim.SGD(module.parameters(), lr=0.1, momentum=0.9, nesterov=True)
for step in range(6):
    if step % 2:
        optimizer.step(closure)
    else:
        optimizer.zero_grad()
        closure()
"""
LOADED = """
class Rows(torch.utils.data.Dataset):  # samples that the host makes
    def __len__(self):
        return 12
    def __getitem__(self, i):
        return torch.ones(12, 16) @ torch.ones(16, 16)
net = network(nn.Linear(16, 32))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for rows in torch.utils.data.DataLoader(Rows(), batch_size=4):
    optimizer.zero_grad()
    of(net, rows.to("cuda")).backward()
    optimizer.step()
"""
SCATTERED = """
class Convolution(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear, self.bias = nn.Linear(inputs, outputs, bias=False), nn.Parameter(torch.zeros(outputs))
    def forward(self, x, edges):
        row, column = edges
        degree = torch.zeros(len(x), device=x.device).scatter_add_(0, column, torch.ones_like(column, dtype=x.dtype)).pow(-0.5)
        x = self.linear(x)
        return torch.zeros_like(x).index_add_(0, column, (degree[row] * degree[column]).unsqueeze(-1) * x[row]) + self.bias
class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = Convolution(16, 32), Convolution(32, 8)
    def forward(self, x, edges):
        return self.two(nn.functional.dropout(self.one(x, edges).relu(), 0.5, self.training), edges)
net, edges, mask = Network().to("cuda"), torch.arange(48, device="cuda").repeat(2, 4), torch.arange(48, device="cuda") < 20
optimizer = torch.optim.Adam([dict(params=net.one.parameters(), weight_decay=5e-4), dict(params=net.two.parameters(), weight_decay=0)], lr=0.01)
for step in range(3):
    net.train()
    optimizer.zero_grad()
    nn.functional.cross_entropy(net(x.reshape(48, 16), edges)[mask], torch.zeros(20, dtype=torch.int64)).backward()
    optimizer.step()
    net.eval()
    with torch.no_grad():
        net(x.reshape(48, 16), edges)
"""
CLIPPED = """
from torch.distributions.categorical import Categorical
actor, critic = network(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 4)), network(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 1))
class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor, self.critic = actor, critic
    def act(self, x, action=None):
        choice = Categorical(logits=self.actor(x))
        action = choice.sample() if action is None else action
        return action, choice.log_prob(action), choice.entropy(), self.critic(x)
agent = Agent().to("cuda")
optimizer = torch.optim.Adam(agent.parameters(), lr=2.5e-4, eps=1e-5)
seen, taken = torch.zeros(96, 16, device="cuda"), torch.zeros(96, device="cuda")
for update in range(2):
    for start in range(96):
        with torch.no_grad():
            taken[start] = agent.act(seen[start:start + 1])[0]
    for start in range(0, 96, 48):
        _, now, entropy, value = agent.act(seen[start:start + 48], taken.long()[start:start + 48])
        ratio = (now - now.detach()).exp()
        loss = torch.max(-ratio, -torch.clamp(ratio, 0.8, 1.2)).mean() - 0.01 * entropy.mean() + 0.5 * value.square().mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
        optimizer.step()
"""


DROPPED = """
assert torch.cuda.is_available() and torch.cuda.get_device_properties(0).total_memory > 0 and torch.cuda.device_count() == 1
net = nn.DataParallel(network(nn.Linear(16, 32), nn.Dropout(0.1), nn.Linear(32, 16)), device_ids=[0])
optimizer = torch.optim.AdamW(net.parameters(), foreach=False)
for step in range(3):
    with torch.cuda.device(0):
        of(net, x).backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
"""
LAYOUT = """
net = network(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 4, 1)).to(memory_format=torch.channels_last)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for step in range(3):
    of(net, torch.randn(2, 3, 12, 16, device="cuda").to(memory_format=torch.channels_last)).backward()
    torch.nn.utils.clip_grad_value_(net.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
"""
RETAINED = """
body, one, two = network(nn.Linear(16, 32), nn.ReLU()), network(nn.Linear(32, 16)), network(nn.Linear(32, 1))
optimizer = torch.optim.NAdam(nn.ModuleList([body, one, two]).parameters())
for step in range(3):
    made = body(x)
    of(one, made).backward(retain_graph=True)
    of(two, made).backward()
    optimizer.step()
    optimizer.zero_grad()
"""
OWN_FUNCTION = """
class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)
    @staticmethod
    def backward(ctx, gradient):
        x, = ctx.saved_tensors
        s = torch.sigmoid(x)
        return gradient * (s + x * s * (1 - s))
class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(16, 32), nn.Linear(32, 16)
    def forward(self, x):
        return self.down(Swish.apply(self.up(x)))
net = Network().cuda()
optimizer = torch.optim.Adagrad(net.parameters())
for step in range(3):
    of(net, x).backward()
    optimizer.step()
    optimizer.zero_grad()
"""
VOLUMES = """
net = network(nn.Conv3d(1, 8, 3, stride=2, padding=1), nn.InstanceNorm3d(8), nn.LeakyReLU(), nn.MaxPool3d(2), nn.Conv3d(8, 16, 3, padding=1),
              nn.Upsample(scale_factor=2, mode="trilinear"), nn.ConvTranspose3d(16, 2, 2, stride=2))
optimizer = torch.optim.AdamW(net.parameters())
for step in range(3):
    of(net, torch.randn(2, 1, 16, 16, 16, device="cuda")).backward()
    optimizer.step()
    optimizer.zero_grad()
"""
TOWERS = """
def tower(width):
    return network(nn.Linear(width, 32), nn.BatchNorm1d(12), nn.PReLU(), nn.Linear(32, 16))
class Towers(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two, self.scale = tower(16), tower(8), nn.Parameter(torch.zeros(()))
    def forward(self, batch):
        one, two = (nn.functional.normalize(net(part).flatten(0, 1), dim=-1) for net, part in ((self.one, batch["one"]), (self.two, batch["two"])))
        return self.scale.exp() * one @ two.t()
net = nn.SyncBatchNorm.convert_sync_batchnorm(Towers().cuda())
optimizer = torch.optim.AdamW(net.parameters())
for step in range(3):
    scores, target = net({"one": x, "two": x[..., :8]}), torch.arange(48, device="cuda")
    (nn.functional.cross_entropy(scores, target) + nn.functional.cross_entropy(scores.t(), target)).backward()
    optimizer.step()
    optimizer.zero_grad()
    with torch.no_grad():
        net.scale.clamp_(0, 4)
"""
DISTANCES = """
net = network(nn.Linear(16, 8))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    torch.cdist(net(x).view(48, 8), net(x + 1).view(48, 8)).mean().backward()
    optimizer.step()
"""
BY_HAND = """
net = network(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 16))
for step in range(6):
    of(net, x).backward()
    if step % 2:  # the gradients of two passes
        for p in net.parameters():
            p.data.add_(p.grad, alpha=-0.1)
        net.zero_grad()
"""
BARE = """
one, two = torch.ones(16, 32, device="cuda", requires_grad=True), torch.ones(32, 16, device="cuda", requires_grad=True)
for step in range(3):
    loss = (torch.ones(48, 16, device="cuda").mm(one).clamp(min=0).mm(two) - 1).square().mean()
    loss.backward()
    with torch.no_grad():
        one -= 1e-4 * one.grad
        two -= 1e-4 * two.grad
        one.grad.zero_()
        two.grad = None
"""
ENDED = """
raise SystemExit(print("needs two GPUs"))
"""
GENERATION = """
class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.qkv, self.head = nn.Embedding(100, 16), nn.Linear(16, 48), nn.Linear(16, 100)
    def forward(self, ids, past=None):
        q, k, v = self.qkv(self.words(ids)).chunk(3, -1)
        past = (k, v) if past is None else tuple(torch.cat(pair, 1) for pair in zip(past, (k, v)))
        return self.head(((q @ past[0].transpose(1, 2)).softmax(-1) @ past[1])[:, -1:]), past
net = Decoder().to("cuda").eval()
net(torch.zeros(1, 1, dtype=torch.long, device="cuda"))  # a call with gradients is none of inference
with torch.inference_mode():
    ids, past = torch.zeros(4, 12, dtype=torch.long, device="cuda"), None
    for _ in range(3):
        out, past = net(ids, past)
        ids = out.argmax(-1)
"""


def recorded_script(path, script, *options):
    """Runs the command nncost.capture in a forked copy of this process, which has already imported PyTorch. Returns the
    exit status and the output of the command."""
    with open(path.with_suffix(".log"), "w+", encoding="utf-8") as log:
        child = os.fork()
        if child == 0:
            os.chdir(ROOT / "python")
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
            sys.argv, code = ["nncost.capture", "-o", str(path), *options, str(script)], 1
            try:
                recorded.main()
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                os._exit(code)
        code = os.waitpid(child, 0)[1]
        return code, Path(log.name).read_text()


def of_scripts(folder):
    """Tests scripts as users write them: their samples, parameters, FLOPs of products, and optimizer"""
    rows = 4 * 12  # number of rows in a batch of 4 samples with 12 rows each

    def product(inputs, outputs, backward=2):  # backward has one product for the weights and one for the inputs
        return (1 + backward) * 2 * rows * inputs * outputs
    recurrent = sum(product(i, 128) + product(32, 128) for i in (16, 32)) + product(32, 10)
    recurrent -= 2 * rows * 16 * 128  # the first input needs no gradient
    states = {"SGD": 0, "momentum": 1, "RMSprop": 1, "Adam": 2}
    for name, text, samples, weights, flops, optimizer in (
            ("recurrent", RECURRENT, 4, 4 * 32 * (16 + 32 + 2) + 4 * 32 * (32 + 32 + 2) + 32 * 10 + 10, recurrent, "SGD"),
            ("scheduled", SCHEDULED, 8, 16 * 32 + 32 + 32 * 16 + 16, 2 * (product(16, 32, 1) + product(32, 16)), "RMSprop"),
            # ADVERSARIAL: the generator runs once, and the critic runs three times. The critic computes three gradients
            # of its weights and one gradient of its input.
            ("adversarial", ADVERSARIAL, 4, 16 * 16 + 16 + 16 + 1, product(16, 16, 1) + 3 * product(16, 1, 1) + 2 * rows * 16, "Adam"),
            # MIXED: the generator runs once, and the critic runs five times in two updates. The critic computes five
            # gradients of its weights and one gradient of its input.
            ("mixed", MIXED, 4, 16 * 16 + 16 + 16 + 1, product(16, 16, 1) + 5 * product(16, 1, 1) + 2 * rows * 16, "Adam"),
            # PACKED: the samples have 35 time steps in total, or 48 with padding. The head computes 4 rows.
            ("packed", PACKED, 4, 4 * 32 * (16 + 32 + 2) + 32 * 10 + 10, 2 * 35 * 128 * (2 * 16 + 3 * 32) + 3 * 2 * 4 * 32 * 10, "SGD"),
            ("closure", CLOSURE, 4, 16 * 32 + 32, product(16, 32, 1), "momentum"),
            # REPEATED: four layers run twice in each of two micro-batches. The evaluation is not recorded.
            ("repeated", REPEATED, 8, 4 * (16 * 16 + 16 + 32), 4 * (3 * product(16, 16) + product(16, 16, 1)), "Adam"),
            # L-BFGS computes five products of vectors with one value per parameter: y s, y y, two products for the
            # history, and the slope.
            ("curvature", CURVATURE, 4, 17, product(16, 1, 1) + 5 * 2 * 17, "SGD"),
            ("time first", TIME_FIRST, 12, 3 * 32 * (16 + 32 + 2), product(16, 96, 1) + product(32, 96), "SGD"),
            # The power iteration has two products: W v and u (W v).
            ("normed", NORMED, 4, 16 * 32 + 32, product(16, 32, 1) + 3 * 2 * 16 * 32 + 2 * 32, "SGD"),
            ("shared", SHARED, 4, 2 * (16 * 8 + 8) + 1, 2 * product(16, 8, 1), "Adam"),
            # SHARPNESS: the same samples run twice: once for the direction and once for the update.
            ("sharpness", SHARPNESS, 4, 16 * 32 + 32, 2 * product(16, 32, 1), "momentum"),
            # AVERAGED: the teacher has as many weights as the trained network and runs forward only.
            ("averaged", AVERAGED, 4, 2 * (16 * 32 + 32), product(16, 32, 1) + product(16, 32, 0), "SGD"),
            ("processes", PROCESSES, 8, 16 * 32 + 32, 2 * product(16, 32, 1), "Adam"),
            # SPARSE: the embedding adds up the rows of four bags, with twelve rows per bag. The head computes four
            # rows.
            ("sparse", SPARSE, 4, 100 * 16 + 16 * 4 + 4, product(16, 4) // 12, "SGD"),
            # CRITIC: the step has one update of the generator and two updates of the critic. In an update of the
            # critic, the generator runs once, and the critic trains on two inputs.
            ("critic", CRITIC, 4, 16 * 16 + 16 + 16 + 1,
             2 * (product(16, 16, 0) + 2 * product(16, 1, 1)) + product(16, 16, 1) + product(16, 1), "Adam"),
            ("dropped", DROPPED, 4, 16 * 32 + 32 + 32 * 16 + 16, product(16, 32, 1) + product(32, 16), "Adam"),
            ("layout", LAYOUT, 2, 27 * 8 + 8 + 2 * 8 + 8 * 4 + 4, 2 * 2 * 12 * 16 * (2 * 27 * 8 + 3 * 8 * 4), "momentum"),
            # RETAINED: the weights of the body get two gradients, one from each loss.
            ("retained", RETAINED, 4, 16 * 32 + 32 + 32 * 16 + 16 + 32 + 1, product(16, 32, 2) + product(32, 16) + product(32, 1), "Adam"),
            ("own function", OWN_FUNCTION, 4, 16 * 32 + 32 + 32 * 16 + 16, product(16, 32, 1) + product(32, 16), "RMSprop"),
            # The first convolution has 8^3 positions with 27 taps, from 1 to 8 channels. The second convolution has 4^3
            # positions with 27 taps, from 8 to 16 channels. The last convolution has 8^3 positions with 8 taps, from 16
            # to 2 channels.
            ("volumes", VOLUMES, 2, 27 * 8 + 8 + 27 * 8 * 16 + 16 + 16 * 2 * 8 + 2,
             2 * 2 * 2 * 8 ** 3 * 27 * 8 + 3 * 2 * 2 * (4 ** 3 * 27 * 8 * 16 + 8 ** 3 * 8 * 16 * 2), "Adam"),
            # TOWERS: two towers compute 48 x 48 scores, and the scores have gradients for the two towers.
            ("towers", TOWERS, 4, 32 * (16 + 8) + 2 * (32 + 2 * 12 + 1 + 32 * 16 + 16) + 1,
             product(16, 32, 1) + product(8, 32, 1) + 2 * product(32, 16) + product(16, 48), "Adam"),
            ("graph", GRAPH, 48, 16 * 8 + 8, product(16, 8, 1), "SGD"),
            # COMPLEX: a complex multiplication has four real multiplications. A complex number counts as two
            # parameters.
            ("complex", COMPLEX, None, 2 * 16 * 16, 4 * product(16, 16, 1), "Adam"),
            ("sliced", SLICED, 32, 4 * (64 * 64 + 64), (3 * 4 - 1) * 2 * 32 * 64 * 64, "Adam"),
            # PENALTY: in the step of the critic, the generator runs forward only. For the penalty, the critic runs
            # forward and computes the slope of its scores. The gradients of the slope need two products for each
            # matrix, but the constant 1, from which the computation of the slope starts, needs no gradient. LeakyReLU
            # returns zeros as the gradient of its input, and the first matrix is multiplied by these zeros. After the
            # penalty, the critic runs two further passes.
            ("penalty", PENALTY, 48, 16 * 32 + 32 + 32 * 16 + 16 + 16 * 32 + 32 + 32 + 1,
             2 * product(16, 32, 0) + 10 * product(16, 32, 0) + 9 * product(32, 1, 0)
             + product(16, 32, 1) + product(32, 16) + product(16, 32) + product(32, 1), "Adam"),
            # LOOP: two micro-batches of 8 samples run. The input of the first layer needs no gradient.
            ("loop", LOOP, 16, 9 * 16 + 16 + 2 * 16 + 9 * 4 * 32 + 32 + 32 * 5 + 5, 2 * 16 * (2 * 400 * 9 * 16 + 3 * 100 * 9 * 4 * 32 + 3 * 32 * 5), "momentum"),
            ("loaded", LOADED, 4, 16 * 32 + 32, product(16, 32, 1), "SGD"),
            ("scattered", SCATTERED, 48, 16 * 32 + 32 + 32 * 8 + 8, product(16, 32, 1) + product(32, 8), "Adam"),
            ("clipped", CLIPPED, 48, 2 * (16 * 32 + 32) + 32 * 4 + 4 + 32 + 1, 2 * product(16, 32, 1) + product(32, 4) + product(32, 1), "Adam"),
            # DISTANCES: each of the two matrices has its 8 columns, one column of squares and one column of ones.
            ("distances", DISTANCES, 4, 16 * 8 + 8, 2 * product(16, 8, 1) + 2 * 48 * 48 * (10 + 8 + 8), "SGD"),
            # BY_HAND: two passes of 4 samples run. The input needs no gradient.
            ("by hand", BY_HAND, 8, 16 * 32 + 32 + 32 * 16 + 16, 2 * (product(16, 32, 1) + product(32, 16)), "SGD"),
            ("bare", BARE, None, 2 * 16 * 32, product(16, 32, 1) + product(32, 16), "SGD"),
            ("factored", FACTORED, 4, 16 * 16 + 16 * 8 + 8, product(16, 16, 1) + product(16, 8), "SGD")):
        if ONLY and name not in ONLY:
            continue
        script, path = Path(folder) / f"{name}.py", Path(folder) / f"{name}.json"
        script.write_text(SCRIPT + text)
        code, printed = recorded_script(path, script)
        if code:
            faults.append(f"{name}: {printed}")
            continue
        step = told(path)
        check(f"{name}: tensors", json.loads(path.read_text())["source"]["tensors"] != "real", False)
        check(f"{name}: samples", json.loads(path.read_text())["batch"] or 0, samples or 0)
        check(f"{name}: parameters", step["params"], weights)
        check(f"{name}: FLOPs", step["executed_flops"], flops)
        steps = [(op["name"], op["steps"]) for op in json.loads(path.read_text())["ops"] if "steps" in op]
        layers, times, cell = {"recurrent": (2, 12, "lstm"), "time first": (1, 4, "gru")}.get(name, (0, 0, ""))
        names = [f"aten.{kind}.default" for kind in ("mm", f"_thnn_fused_{cell}_cell", f"_thnn_fused_{cell}_cell_backward", "mm")]
        if name == "packed":  # 35 rows = 1 x 2 + 11 x 3, so each kernel is launched for two parts
            layers, steps = 0, [step for step in steps if step[1] != 11]
        check(f"{name}: kernels of time steps", steps != [(kind, times) for kind in names[:2] * layers + names[2:] * layers], False)
        # the kernel of a time step for 4 samples of width 32: reads two tensors of gates, and the cells; writes gates,
        # states and cells
        if name == "recurrent":
            rows_of = [row for row in priced(path) if row["name"].endswith("_cell")]
            check(f"{name}: bytes of the gates", [row["read_bytes"] + row["write_bytes"] for row in rows_of] != [4 * 4 * 32 * (4 + 4 + 1 + 4 + 1 + 1)] * 2, False)
        if name == "repeated":  # the refusal names the number of micro-batches
            done = subprocess.run([PROGRAM, "estimate", path, "h100", "--recompute", "full"], capture_output=True, text=True, check=False)
            check("repeated: micro-batches", "say --micro-batches 2\n" in done.stderr, True)
        ops, note = (recorded.read(path).get(key, "") for key in ("ops", "note"))
        # the update of the teacher must be the last part of the step; the weights of the teacher must not count as
        # activations
        if name == "averaged":
            check(f"{name}: the last operators", [(op["name"], op["phase"]) for op in ops][-2:] != [("aten.lerp_.Scalar", "backward")] * 2, False)
            # kept tensors: x, and the difference between network and teacher, because backward of the square needs this
            # difference
            check(f"{name}: kept bytes", step["activation_bytes"], 4 * rows * (16 + 32))
            check(f"{name}: weights", step["weight_bytes"], 4 * weights)
        # a product reads and writes 48 rows of 8 values, and reads the indices and values of 48 edges
        if name == "graph":
            moved = [row["read_bytes"] + row["write_bytes"] for row in priced(path) if row["name"].endswith("_sparse_product")]
            check(f"{name}: bytes of a product", moved != [2 * 48 * 8 * 4 + 48 * (8 + 4)] * 2, False)
        # kept: the third state of AMSGrad, x and four results of tanh; the peak at the end of forward also has the
        # squares
        if name == "sliced":
            check(f"{name}: kept bytes", step["activation_bytes"], 4 * weights + 5 * 4 * 32 * 64)
            peak = told(path, "--optimizer-kernels", "fused")["peak_allocated_bytes"] - WORKSPACE
            check(f"{name}: peak", peak, 5 * 4 * weights + 6 * 4 * 32 * 64, 0.01)
            check(f"{name}: note", "more states than its kind" in note, True)
        # kept: x, the result of dropout, the mask of dropout (one byte per value) and the squared result; clipping uses
        # operations on lists of tensors
        if name == "dropped":
            check(f"{name}: kept bytes", step["activation_bytes"], 4 * rows * (16 + 32 + 16) + rows * 32)
            check(f"{name}: kernels", sum(op["name"].split(".")[1] in ("native_dropout", "native_dropout_backward", "_foreach_norm", "_foreach_mul_") for op in ops), 4)
        if name == "by hand":  # the update is the last part of the step; each of its kernels writes a parameter
            check(f"{name}: the last operators", [op["phase"] for op in ops][-4:] != ["optimizer"] * 4, False)
        check(f"{name}: note of the update", "without an optimizer" in note, name in ("by hand", "bare"))
        check(f"{name}: note of an unknown optimizer", "LBFGS" in note, name == "curvature")
        check(f"{name}: format of autocast", json.loads(path.read_text()).get("autocast") == "fp16", name == "scheduled")
        if name == "scheduled":  # autocast of the recording is the default of the estimate
            check(f"{name}: kernels of autocast", told(path)["kernels"], told(path, "--policy", "amp", "--precision", "fp16")["kernels"])
            check(f"{name}: more kernels than in fp32", told(path)["kernels"] > told(path, "--policy", "fp32")["kernels"], True)
        if name == "scheduled":  # the gradients are divided once by the scale of the loss
            check(f"{name}: loss scaling", sum(op["name"] == "aten._foreach_mul_.Scalar" for op in ops), 1)
        if name == "mixed":
            groups = json.loads(path.read_text())["optimizer"]["groups"]
            check(f"{name}: lists of the optimizers", groups != [["sgd", 2, 17, 2], ["adam", 1, 256, 1], ["adam", 1, 16, 1]], False)
            # Only the 272 parameters of the generator have two optimizer states. In the update as one kernel, 28 B are
            # read and written for each of the 272 parameters of the generator. In each of two updates of the critic, 12
            # B are read and written for each of its 17 parameters.
            update = [row for row in priced(path, "--optimizer-kernels", "fused") if row["name"] == "optimizer"][0]
            check(f"{name}: bytes of the update", update["read_bytes"] + update["write_bytes"], 2 * 12 * 17 + 28 * 272)
        kernels = json.loads(path.read_text()).get("optimizer", {}).get("kernels")
        check(f"{name}: kernels of the optimizer", kernels != {"processes": "fused", "dropped": "loop", "by hand": "loop", "bare": "loop", "curvature": None}.get(name, "foreach"), False)
        check(f"{name}: sparse gradients", "sparse" in note, name == "sparse")
        check(f"{name}: channels last", "torch-channels-last" in note, name == "layout")
        check(f"{name}: torch.compile", "torch.compile" in note, name == "sparse")
        check(f"{name}: bytes of the optimizer", step["optimizer_bytes"], states[optimizer] * 4 * (272 if name == "mixed" else weights))

    script = Path(folder) / "ended.py"
    script.write_text(ENDED)
    code, printed = recorded_script(script.with_suffix(".json"), script)
    check("ended: exit status", code != 0, True)
    check("ended: message", "ended before the step" in printed, True)


def of_inference(folder):
    """Tests passes without gradients: calls in a loop that generates tokens, and a network of torchvision"""
    script, weights = Path(folder) / "generation.py", 100 * 16 + 16 * 48 + 48 + 16 * 100 + 100
    script.write_text(SCRIPT + GENERATION)
    for call, tokens, cached in ((1, 12, 12), (2, 1, 13), (3, 1, 14)):
        path = Path(folder) / f"generation{call}.json"
        code, printed = recorded_script(path, script, "--inference", "--call", str(call))
        if code:
            faults.append(f"generation: {printed}")
            continue
        step = told(path)
        check(f"call {call}: samples", json.loads(path.read_text())["batch"], 4)
        check(f"call {call}: FLOPs", step["executed_flops"], 2 * 4 * (tokens * 16 * 48 + 2 * tokens * cached * 16 + 16 * 100))
        check(f"call {call}: parameters", step["params"], weights)
        check(f"call {call}: weights", step["weight_bytes"], 4 * weights)
        for part in ("backward_flops", "backward_s", "update_s", "gradient_bytes", "optimizer_bytes"):
            check(f"call {call}: {part}", step[part], 0)
    # nncost must refuse options that need a training step
    for option in (["--optimizer", "sgd"], ["--zero", "1"], ["--recompute", "full"]):
        done = subprocess.run([PROGRAM, "estimate", Path(folder) / "generation1.json", "h100", *option], capture_output=True, text=True, check=False)
        check(f"{option}: refused", done.returncode != 0 and done.stderr.startswith(f"nncost: {option[0]}:"), True)
    page = subprocess.run([PROGRAM, "estimate", Path(folder) / "generation1.json", "h100"], capture_output=True, text=True, check=False).stdout
    check("forward pass: page", int(page.startswith("One forward pass of ") and "adamw" not in page), 1)
    code, printed = recorded_script(Path(folder) / "none.json", script, "--inference", "--call", "4")
    check("call 4 of 3", code != 0 and "ended after 3 calls" in printed, True)
    code, printed = recorded_script(Path(folder) / "none.json", Path(folder) / "no_script.py")
    check("no script", code != 0 and "expected a training script, found no file" in printed, True)
    step = of_file(recorded.torchvision_network("vit_b_16", 2, 224, False, inference=True), folder, "vit")
    trained = told("vit-b-16", "--micro-batch", "2", "--precision", "fp32")
    check("vit: FLOPs", step["executed_flops"], trained["forward_flops"])
    check("vit: parameters", step["params"], trained["params"])


def main():
    data = ROOT / "tests/data/capture"
    if sys.argv[3:] == ["--write"]:
        recorded.write(data / "decoder.json", transformer(True))
        recorded.write(data / "resnet-50.json", recorded.torchvision_network("resnet50", 2, 224, False))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        # of_scripts runs first, because it forks this process, which must not have recorded anything or started threads
        # before
        of_scripts(folder)
        of_inference(folder)
        for name in ("encoder", "decoder"):
            by_hand(name, folder)
        committed = recorded.read(data / "decoder.json")
        if committed["source"]["torch"] == torch.__version__:
            check("decoder.json: operators that differ from the committed list", sequence(transformer(True)) != sequence(committed), False)
        real, fake = (recorded.torchvision_network("resnet18", 1, 64, fake) for fake in (False, True))
        check("resnet18: real and fake tensors give different lists", sequence(real) != sequence(fake), False)
        for row in NETWORKS:
            of_torchvision(*row, folder)
        of_unet(folder)
        of_segmentation(folder)
        of_tasks(folder)
        of_autocast(folder)
        of_two_steps(folder)
        of_checkpoints(folder)
        of_frozen(folder)
        of_folding(folder)
        of_freeze(folder)
        of_modules(folder)
        of_frozen_recordings(folder)
        of_early_stop()
        of_adapters(folder)
        of_step()
        of_shards(folder)
        of_kernels(folder)
        of_offload(folder)
        of_fusion(folder)
        of_compiled(folder)
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
