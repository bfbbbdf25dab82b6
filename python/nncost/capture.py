"""Records the operators of one PyTorch training step, without a GPU, as a file from which nncost predicts the step.

    python3 -m nncost.capture -o step.json --batch 8 train.py         an unchanged script, up to its second optimizer.step()
    python3 -m nncost.capture -o step.json --network torchvision:resnet50 --batch 2 --image 224

    from nncost.capture import capture, capture_step, write
    write("step.json", capture(model, lambda: loss(model(x), y), optimizer))
    write("step.json", capture_step(step))                            step() runs forward, backward and optimizer.step()

The step runs under a dispatch mode of PyTorch, on real tensors of the CPU or on fake tensors without data (fake=True).
Each operator is written to the file with its tensors, their storages, the module and the phase. The recorder works with
PyTorch 1.13 and later.

The file (schema nncost.capture/1):

    source       versions, "real" or "fake" tensors
    batch        samples in the step; null if the number is not known
    parameters   count, trained, tensors, bytes
    autocast     bf16 or fp16, if the program has autocast regions in this format; their operators are recorded in fp32
    optimizer    kernels of the update: fused, foreach (over lists of tensors) or loop (for each tensor); absent if unknown
    modules      module paths; "" is the network itself
    ops          in order: name, phase (forward, backward, recompute, optimizer), module (index), inputs and outputs as
                 [dtype, shape, storage], args (arguments that are not tensors), repeat. Operators of the optimizer have
                 no tensors and no arguments. An operator of a block also has the member moves. It states by how much the
                 number of the module and the number of each tensor's storage grow from one repeat of the block to the
                 next: as one step, or as runs [first, step, count, first, ...] for all repeats
    saved        [storage, module, count, step of storage, step of module]: kept storages that the backward of a module
                 saves, but does not read. A row stands for `count` rows; from one of these rows to the next, the number
                 of the storage and the number of the module grow by their steps
    owners       [gradient, parameter, module, count, steps of gradient, parameter and module]: storages of gradients
                 (-1: the parameter is not trained), storages of their parameters, and the modules that own these
                 parameters. The members count and steps have the same meaning as in saved
    shapes       [dtype, shape]. Inputs and outputs of ops are a text "shape storage shape storage ...", in which shape
                 is an index of the list shapes
    kinds        [kind, dtype]. Storages are a text "bytes kind first last,bytes kind first last,...", in which kind is
                 an index of the list kinds
    args, moves  lists. The members args and moves of an op are indices of the lists args and moves of the file. An op
                 without the member phase or module has the phase or module of the op before it
    blocks       [first op, number of ops, repeat]: equal layers, whose operators are written once. The `repeat` of an op
                 is the repeat of its block, and the storages of an op are the storages of the first layer
    storages     storages of the unfolded step: bytes, kind (parameter, frozen, buffer, input, gradient, state, kept,
                 temporary), dtype, first and last (positions in the unfolded list of operators; -1 = before the step, the
                 number of operators = after the step). An entry with three more numbers (copies, step of first, step of
                 last) stands for several storages with consecutive numbers. A gradient whose `first` is -1 belongs to
                 the step before; the program clears this gradient after the position `last`

`kept` storages live until backward uses them. Autocast and sharding are not recorded: nncost applies autocast and
sharding to the recorded step. nncost can also apply checkpoints around modules and freeze modules (--recompute, --train
and --frozen of nncost estimate), or the recorder runs the step with checkpoints (--checkpoint PATTERN) or with frozen
modules (--freeze PATTERN). A pattern is a module path, in which * stands for a part between dots ("layers.*.attn").
--adapter-rank RANK freezes the network and trains adapters on its linear layers.
"""
import argparse
import contextlib
import fnmatch
import functools
import gc
import importlib.util
import json
import math
import os
import runpy
import sys
import types
import warnings
import weakref

SCHEMA = "nncost.capture/1"
# members of an operator, in the order in which they are written
MEMBERS = ("name", "phase", "module", "inputs", "outputs", "args", "repeat", "steps", "moves")
# recompute: a checkpoint runs an operator of forward again in backward
PHASES = ("forward", "backward", "recompute", "optimizer")
# nncost recognises these optimizers by their operators and states. The optimizers with two states have the update of
# Adam.
OPTIMIZERS = {"SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "Adadelta", "Rprop", "RMSprop", "Adagrad", "Lion"}
# Operators that read only the shape of their first tensor.
SHAPES_ONLY = {"ones_like", "zeros_like", "full_like", "new_zeros", "new_ones", "new_full"}
# A product of a sparse and a dense matrix reads one row of the dense matrix for each value: few FLOPs per byte. In the
# file, this product has the name _sparse_product.
SPARSE_PRODUCTS = {"mm", "addmm", "_sparse_mm", "_sparse_addmm", "sspaddmm", "hspmm"}
# Operators that allocate memory or query a tensor. They start no kernel.
NO_KERNEL = {
    "_local_scalar_dense",  # reads a step counter of an optimizer, which is in host memory on a GPU
    "empty", "empty_strided", "empty_like", "new_empty", "new_empty_strided", "is_same_size", "_has_same_storage_numel",
    "lift_fresh", "resize_", "set_", "_record_function_enter", "_record_function_exit", "_record_function_enter_new",
}


class Done(BaseException):
    """Ends a script after the recorded step. Done is no subclass of Exception, because scripts catch Exception."""


def dtype_name(dtype):
    return str(dtype).replace("torch.", "")


def numbers_of(tensor):
    """Number of real numbers in a tensor: a complex number counts as two"""
    return tensor.numel() * (2 if tensor.is_complex() else 1)


def flat_tensors(value, out):
    """Returns the tensors in nested arguments, also those in a list of a _foreach operator. For a sparse tensor,
    returns its indices and values."""
    import torch
    if isinstance(value, torch.Tensor):
        out += [value._indices(), value._values()] if value.is_sparse else [value]
    elif isinstance(value, (list, tuple)):
        for item in value:
            flat_tensors(item, out)
    elif isinstance(value, dict):
        for item in value.values():
            flat_tensors(item, out)
    return out


def plain(value):
    """Returns an argument in a form for JSON. "T" stands for a tensor."""
    import torch
    if isinstance(value, torch.Tensor):
        return "T"
    if isinstance(value, (list, tuple)):
        if value and all(isinstance(v, torch.Tensor) for v in value):
            return f"T*{len(value)}"
        found = [plain(v) for v in value]
        return f"{found[0]}*{len(found)}" if len(found) > 8 and found.count(found[0]) == len(found) else found
    if isinstance(value, torch.dtype):
        return dtype_name(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return value if isinstance(value, (bool, int, str)) or value is None else str(value)


def writes(func):
    """Returns whether an operator writes to one of its arguments"""
    return any(a.alias_info is not None and a.alias_info.is_write for a in func._schema.arguments)


class Storages:
    """Gives each storage a number that is never used again, and records the time in which the storage is alive. A
    storage is alive until its last tensor object dies. If autograd holds the storage, it is alive until its last use. A
    weak reference keeps the address of each storage, so that PyTorch does not give it to another storage; the data are
    freed."""

    def __init__(self):
        self.references = []
        self.of_address, self.bytes, self.kind, self.dtype, self.first, self.last, self.tensors, self.kept = {}, [], [], [], [], [], [], set()
        self.now = -1

    @staticmethod
    def _storage(tensor):
        return tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()

    def number(self, tensor, fresh=False, kind="temporary"):
        from torch.multiprocessing.reductions import StorageWeakRef
        storage = self._storage(tensor)
        address, size = storage._cdata, storage.nbytes()
        known = self.of_address.get(address)
        if fresh or known is None or self.bytes[known] != size:
            known = self.of_address[address] = self.add(size, kind, dtype_name(tensor.dtype), self.now)
            self.references[known] = StorageWeakRef(storage)
        return known

    def add(self, size, kind, dtype, now):
        for values, value in ((self.bytes, size), (self.kind, kind), (self.dtype, dtype), (self.first, now), (self.last, now), (self.tensors, 0), (self.references, None)):
            values.append(value)
        return len(self.bytes) - 1

    def watch(self, tensor, number):
        self.tensors[number] += 1
        weakref.finalize(tensor, self._dead, number)

    def _dead(self, number):
        self.tensors[number] -= 1
        if self.tensors[number] == 0:
            self.last[number] = max(self.last[number], self.now)

    def used(self, number):
        self.last[number] = max(self.last[number], self.now)

    def end(self):
        """Called at the end of the step. Marks the storages that the program still holds as alive: the samples and
        results of the step, or a graph whose backward belongs to the next step"""
        for number, reference in enumerate(self.references):
            if reference is not None and not reference.expired():
                self.tensors[number] = max(self.tensors[number], self.kind[number] == "input")
                if self.kind[number] in ("kept", "temporary"):
                    self.last[number] = self.now + 1


def recorder(model, others=(), inference=False):
    """Returns the dispatch mode that records operators. The class of the mode is defined in a function, so that
    importing this module does not need PyTorch. others: modules that the optimizers do not train, such as a teacher; if
    the step reads their parameters, these parameters count as frozen. inference: records a forward pass without
    gradients, in which no parameter is trained"""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    class Recorder(TorchDispatchMode):
        def __init__(self):
            super().__init__()
            self.phase, self.ops, self.storages = "forward", [], Storages()
            self.modules, self.stack, self.pending, self.owner = {"": 0}, [], [], {}
            self.handles, self.previous, self.running = [], 0, False  # running: autograd runs now
            self.rerun = []  # autograd nodes that a checkpoint creates in its second forward pass
            # differentiated: true if the program called backward(create_graph=True); depth: number of modules on the
            # stack when backward began
            self.differentiated, self.depth = False, 0
            # layers: calls of recurrent layers; evaluation: number of operators of evaluations, which are not recorded
            self.layers, self.evaluation = [], 0
            self.loading = 0  # above 0 while a DataLoader without workers makes samples on the host
            self.by_hand = False  # true if the program updates its parameters without an optimizer
            self.parts = list(model.children()) if type(model).__name__ == "Parts" else [model]
            self.inference = inference
            # entered: number of operators before the first module is called; sparse: true if a gradient is sparse
            self.entered, self.sparse = None, False
            self.layouts = [0, 0]  # number of convolutions with contiguous and with channels-last maps
            self.gradients = {}  # number of the parameter's storage -> number of its gradient's storage
            # Gradients of the previous step, which may be alive until the program clears them: `before` has references,
            # bytes and formats; `old` has the numbers of cleared gradients.
            self.before, self.old = [], set()
            self.saved = {}  # keys: (storage, module that saves it for backward), in order
            # rows: for each module, the first dimension of its input, if it is the first module of a pass; added up
            # over passes
            self.rows, self.fresh, self.repeated = {}, True, False
            for parameter in model.parameters():
                self.storages.number(parameter, kind="parameter" if parameter.requires_grad and not inference else "frozen")
            for buffer in model.buffers():
                self.storages.number(buffer, kind="buffer")
            # foreign: address of a storage -> kind and tensor; frozen: list of frozen parameters that the step reads
            self.foreign, self.frozen = {}, []
            for kind, tensors in (("frozen", torch.nn.Module.parameters), ("buffer", torch.nn.Module.buffers)):
                for tensor in {id(t): t for module in others for t in tensors(module)}.values():
                    address = Storages._storage(tensor)._cdata
                    if address not in self.storages.of_address:
                        self.foreign[address] = kind, tensor
            named = [(f"{type(module).__name__.lower()}{number or ''}", module) for number, module in enumerate(others)]
            for name, module in [*model.named_modules(), *((f"{outer}.{name}".rstrip("."), m) for outer, o in named for name, m in o.named_modules())]:
                self.handles.append(module.register_forward_pre_hook(self.enter(name)))
                if isinstance(module, torch.nn.RNNBase):
                    self.handles.append(module.register_forward_pre_hook(self.begin_layers))
                    self.handles.append(module.register_forward_hook(self.end_layers))
                self.handles.append(module.register_forward_hook(self.leave(name)))

        # ---- modules: in forward, a stack of called modules; in backward, the owner of each autograd node ----

        def enter(self, name):
            def hook(_, inputs):
                self.entered = len(self.ops) if self.entered is None else self.entered
                if self.phase == "backward" and not self.running:
                    self.phase, self.fresh = "forward", True  # forward of the next micro-batch begins
                if not self.stack and self.fresh and not self.repeated and not self.is_evaluation():
                    self.rows[name] = self.rows.get(name, 0) + next((len(t) for t in flat_tensors(inputs, []) if t.dim()), 0)
                    self.fresh = False
                self.claim(inputs, self.stack[-1] if self.stack else "")
                self.stack.append(name)
            return hook

        def leave(self, name):
            def hook(_, inputs, output):
                self.claim(output, name)
                self.stack.pop()
            return hook

        def claim(self, value, name):
            """Assigns the autograd nodes that computed `value` to this module, unless an inner module owns them"""
            if self.phase != "forward" and not self.is_again():
                return
            nodes = [t.grad_fn for t in flat_tensors(vars(value) if hasattr(value, "__dict__") and not isinstance(value, torch.Tensor) else value, [])
                     if t.grad_fn is not None]
            while nodes:
                node = nodes.pop()
                if node in self.owner:
                    continue
                self.owner[node] = name
                self.rerun += [node] if self.phase != "forward" else []
                node.register_hook(self.ran(name))
                nodes += [n for n, _ in node.next_functions if n is not None and n not in self.owner]

        def ran(self, name):
            """Returns a hook that autograd calls after a node. Operators that were recorded since the previous node
            belong to this node, except for sums of gradients at the beginning, which belong to the previous node."""
            def hook(*_):
                while self.rerun:  # drops the graph of a checkpoint: autograd may never run it, but it holds tensors
                    del self.owner[self.rerun.pop()]
                # removes modules that an early stop of a checkpoint left on the stack (PyTorch 2.1)
                del self.stack[self.depth:]
                pending, self.pending = self.pending, []
                own = False
                for op in pending:
                    own = own or not op["name"].startswith("aten.add")
                    op["module"] = self.module(name) if own else self.previous
                self.previous = self.module(name)
            return hook

        def module(self, name):
            return self.modules.setdefault(name, len(self.modules))

        def begin_layers(self, module, inputs):
            self.layers.append({"module": module, "path": self.stack[-1], "first": len(self.ops), "phase": self.phase, "input": inputs[0]})

        def end_layers(self, module, inputs, output):
            """Replaces the tensors of a recurrent layer's call by their numbers, because the record must not keep the
            tensors alive"""
            call, sequence = self.layers[-1], self.layers[-1]["input"]
            sizes = getattr(sequence, "batch_sizes", None)
            call["input"], out = (getattr(t, "data", t) if sizes is not None else t for t in (sequence, output[0]))
            call["steps"] = len(sizes) if sizes is not None else out.shape[1 if module.batch_first and out.dim() == 3 else 0]
            call["rows"] = out.numel() // out.shape[-1]
            call["dtype"], call["gradient"], call["trained"] = dtype_name(out.dtype), call["input"].requires_grad, out.requires_grad
            call["input"], call["output"], call["end"] = self.storages.number(call["input"]), self.storages.number(out), len(self.ops)
            call["weights"] = {name: self.storages.number(weight) for name, weight in module.named_parameters()}

        # ---- operators ----

        def is_evaluation(self):
            """Returns whether an evaluation runs between two steps: the network is in evaluation mode, without
            gradients"""
            return self.phase == "forward" and not self.inference and not torch.is_grad_enabled() and not any(part.training for part in self.parts)

        def is_again(self):
            """Returns whether a checkpoint runs operators of forward again. Backward runs without gradients, except
            with create_graph=True, so enabled gradients show a checkpoint."""
            return self.running and self.phase == "backward" and not self.differentiated and torch.is_grad_enabled()

        def read_number(self, tensor):
            kind = "input" if self.phase == "forward" else "state"
            address = Storages._storage(tensor)._cdata
            if address in self.foreign and address not in self.storages.of_address:
                kind, own = self.foreign[address]
                self.frozen += [own] if kind == "frozen" else []
            return self.storages.number(tensor, kind=kind)

        def keep_read(self, name, read):
            """Marks a tensor of forward that backward reads as kept, even if no function saved it for backward"""
            store = self.storages
            for _, _, number in read if self.running and name not in SHAPES_ONLY else ():
                if store.kind[number] == "temporary" and 0 <= store.first[number] < len(self.ops) and self.ops[store.first[number]]["phase"] == "forward":
                    store.kind[number] = "kept"

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            name = str(func)
            base = name.split(".")[1] if "." in name else name
            if self.loading or self.is_evaluation():
                self.evaluation += not self.loading
                return func(*args, **kwargs)
            if base == "_euclidean_dist":
                with self:
                    return euclidean_distances(*args)
            inputs = flat_tensors([list(args), kwargs], [])
            addresses = {Storages._storage(t)._cdata for t in inputs}
            read = [[dtype_name(t.dtype), list(t.shape), self.read_number(t)] for t in inputs]
            self.storages.now = len(self.ops)
            if self.by_hand and self.entered is None:
                self.begin_forward(func, read)
            self.keep_read(base, read)
            factors = [a for a in args if isinstance(a, torch.Tensor)][-2:]
            if base in SPARSE_PRODUCTS and [a.is_sparse for a in factors] == [True, False]:
                name, inputs = "aten._sparse_product.default", [factors[1], factors[0]._indices()[1], factors[0]._values()]
                read = [[dtype_name(t.dtype), list(t.shape), self.read_number(t)] for t in inputs]
            if base == "detach" and not inputs:
                return torch.tensor(args[0])  # detach of a number that is kept for backward
            result = func(*args, **kwargs)
            if name.startswith("prim."):  # a query of a fake tensor, such as its device
                return result
            if base == "detach":
                # detach of a number that is kept for backward
                return result if isinstance(result, torch.Tensor) else torch.tensor(result)
            outputs = flat_tensors(result, [])
            written, alias = [], bool(outputs)
            for tensor in outputs:
                shared = Storages._storage(tensor)._cdata in addresses
                alias = alias and shared
                number = self.storages.number(tensor, fresh=not shared)
                if not shared:
                    self.storages.watch(tensor, number)
                written.append([dtype_name(tensor.dtype), list(tensor.shape), number])
            for tensor in read:
                self.storages.used(tensor[2])
            if base in NO_KERNEL or (alias and not writes(func)):
                return result  # a view or an allocation starts no kernel
            # cuDNN uses channels-last if the map or the weight has this layout
            if base == "convolution" and inputs[0].dim() == 4:
                self.layouts[any(t.is_contiguous(memory_format=torch.channels_last) and not t.is_contiguous() for t in inputs[:2])] += 1
            # backward() itself creates the gradient of the loss by ones_like
            again = self.is_again() and (base != "ones_like" or bool(self.stack))
            op = {"name": name, "phase": "recompute" if again else self.phase, "module": self.module(self.stack[-1]) if self.stack else 0, "inputs": read, "outputs": written,
                  "args": [plain(a) for a in args if not isinstance(a, torch.Tensor)] +
                          [{k: plain(v) for k, v in kwargs.items() if not isinstance(v, torch.Tensor) and k not in ("device", "layout", "pin_memory")}][:1 if kwargs else 0],
                  "repeat": 1}
            self.ops.append(op)
            if self.phase == "backward" and not again:
                self.pending.append(op)
            return result

        def note_before(self):
            """Notes the gradients of the previous step, which exist when the step begins"""
            from torch.multiprocessing.reductions import StorageWeakRef
            for parameter in model.parameters():
                for gradient in flat_tensors(parameter.grad, []):
                    storage = Storages._storage(gradient)
                    self.before.append((StorageWeakRef(storage), storage.nbytes(), dtype_name(gradient.dtype)))

        def note_update(self):
            """Called if the record begins with an update that the program computes without an optimizer. Notes that the
            gradients of this update exist before the step."""
            self.by_hand, self.phase = True, "backward"
            for parameter in model.parameters():
                for gradient in flat_tensors(parameter.grad, []):
                    self.old.add(self.storages.number(gradient, kind="gradient"))

        def begin_forward(self, func, read):
            """In a program without modules, forward begins with the first operator that reads a parameter while
            gradients are enabled"""
            reads = any(self.storages.kind[number] == "parameter" for _, _, number in read)
            if self.phase == "backward" and not self.running and reads and torch.is_grad_enabled() and not writes(func):
                self.phase = "forward"

        def end_by_hand(self):
            """Operators that write parameters belong to the update. Forward begins after the last operator that writes
            a parameter."""
            written = [i for i, op in enumerate(self.ops) if any(self.storages.kind[n] == "parameter" for _, _, n in op["outputs"] or op["inputs"][:1])]
            for i in written:
                self.ops[i]["phase"] = "optimizer"
            self.entered = next((i for i, op in enumerate(self.ops) if i > max(written, default=-1) and op["phase"] == "forward"), 0)
            self.old -= set(self.gradients.values())  # the program may clear its gradients in place
            self.storages.now = len(self.ops) - 1

        def note_cleared(self):
            """Gradients of the previous step that the program has cleared since the last call were alive until the last
            operator"""
            alive = [entry for entry in self.before if not entry[0].expired()]
            for reference, size, dtype in self.before if len(alive) < len(self.before) and self.ops else ():
                if reference.expired():
                    self.old.add(self.storages.add(size, "gradient", dtype, -1))
                    self.storages.last[-1] = len(self.ops) - 1
            self.before = alive

        def note_gradients(self):
            """Called after a backward pass. Notes which storages hold the gradients"""
            for parameter in model.parameters():
                for gradient in flat_tensors(parameter.grad, []):
                    number = self.storages.number(gradient)
                    # skips the indices of a sparse gradient, which the program has created
                    if parameter.grad.is_sparse and self.storages.kind[number] == "input":
                        continue
                    self.gradients[self.storages.number(parameter)] = number
                    self.storages.kind[number] = "gradient"
                    self.sparse = self.sparse or parameter.grad.is_sparse

        def keep(self, tensor):
            for number in (self.storages.number(part) for part in flat_tensors(tensor, [])):
                self.saved[number, self.stack[-1] if self.stack else ""] = None
                # does not count in backward, where a checkpoint saves tensors again
                if self.storages.kind[number] == "temporary" and self.phase == "forward":
                    self.storages.kind[number] = "kept"
            return tensor

        def close(self):
            for handle in self.handles:
                handle.remove()
            self.owner.clear()

    return Recorder()


def euclidean_distances(first, second):
    """Issues the operators that the operator _euclidean_dist of torch.cdist issues
    (aten/src/ATen/native/Distance.cpp)"""
    import torch
    squares = [x.pow(2).sum(-1, True) for x in (first, second)]
    ones = [torch.ones_like(square) for square in squares]
    rows = torch.cat([first.mul(-2), squares[0], ones[0]], -1)
    columns = torch.cat([second, ones[1], squares[1]], -1).transpose(-2, -1)
    return (torch.mm if rows.dim() == 2 else torch.bmm)(rows, columns).clamp_min_(0).sqrt_()


def optimizer_of(name, parameters):
    """Returns an optimizer `adamw`, `adam` or `sgd` (momentum 0.9), with foreach kernels if this version of PyTorch has
    them"""
    import torch
    makers = {"adamw": (torch.optim.AdamW, {}), "adam": (torch.optim.Adam, {}), "sgd": (torch.optim.SGD, {"momentum": 0.9})}
    if name not in makers:
        raise ValueError(f"optimizer: expected one of {', '.join(makers)}, found {name!r}")
    kind, options = makers[name]
    return kind(parameters, lr=1e-4, foreach=True, **options)


def optimizer_kind(optimizer, group):
    """Returns nncost's name for the optimizer of a group, by its class and options; None if nncost has no name for
    it"""
    names = {kind.__name__ for kind in type(optimizer).__mro__}
    if "SGD" in names:
        return "momentum" if group.get("momentum") else "sgd"
    if "Adam" in names and "AdamW" not in names and not group.get("weight_decay"):
        return "adam"
    return next((name for name, kinds in (("adamw", {"AdamW", "Adam", "Adamax", "NAdam", "RAdam", "Adadelta", "Rprop"}),
                                          ("rmsprop", {"RMSprop", "Adagrad"}), ("lion", {"Lion"})) if kinds & names), None)


def update_groups(optimizers, calls):
    """Returns [kind, tensors, elements, calls] for each list of tensors that the optimizers update; torch.optim updates
    one group of parameters after another. Returns None if the kind of an optimizer is unknown. calls: number of updates
    of each optimizer in the step"""
    rows = []
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            trained = [p for p in group["params"] if p.grad is not None or p.requires_grad]
            if trained and calls.get(optimizer, 0):
                rows.append([optimizer_kind(optimizer, group), len(trained), sum(numbers_of(p) for p in trained), calls[optimizer]])
    return rows if rows and all(row[0] for row in rows) else None


def note_states(rec, optimizers):
    """An optimizer may have more states per parameter than nncost counts for its kind, such as the third state of
    AMSGrad. These states count as activations. Returns a note about them."""
    import torch
    counted, more = {"sgd": 0, "momentum": 1, "adam": 2, "adamw": 2, "rmsprop": 1, "lion": 1}, False
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            kind = optimizer_kind(optimizer, group)
            for parameter in group["params"] if kind else ():
                states = [v for v in optimizer.state.get(parameter, {}).values() if isinstance(v, torch.Tensor) and v.shape == parameter.shape and v.dim()]
                for state in states[counted[kind]:]:
                    number, more = rec.storages.number(state), True
                    rec.storages.kind[number], rec.storages.first[number], rec.storages.last[number] = "kept", -1, len(rec.ops)
    return ["the optimizer has more states than its kind has without options; they count in memory, but the update is counted without them, "
            "so its time is a lower bound"] if more else []


def optimizer_kernels(optimizers, fused=(), calls=None):
    """Returns the kind of kernels in which the optimizers of torch.optim update parameters on a GPU. With several
    optimizers, returns the kind of the optimizer with the most parameters. fused: optimizers that asked for one kernel,
    which PyTorch may not have on a CPU. calls: number of updates of each optimizer in the step (None: one). Unless a
    program selects other kernels, PyTorch 2 updates lists of tensors on a GPU (torch/optim/optimizer.py,
    _default_to_fused_or_foreach)"""
    own = [o for o in optimizers if type(o).__module__.startswith("torch.optim") and type(o).__name__ in OPTIMIZERS]
    most = max(own, key=lambda o: sum(p.numel() for group in o.param_groups for p in group["params"]), default=None)
    if most is None:
        return {}
    asked = most.param_groups[0].get
    loop = asked("foreach") is False or asked("differentiable")
    groups = update_groups(optimizers, {o: 1 for o in optimizers} if calls is None else calls)
    return {"optimizer": {"kernels": "fused" if most in fused or asked("fused") else "loop" if loop else "foreach",
                          **({"groups": groups} if groups else {})}}


@contextlib.contextmanager
def without_record_function():
    """Replaces record_function, which only names a range of a profile and has no kernel for fake tensors in PyTorch
    1.13"""
    import torch
    original = torch.autograd.profiler.record_function
    torch.autograd.profiler.record_function = lambda *a, **k: contextlib.nullcontext()
    try:
        yield
    finally:
        torch.autograd.profiler.record_function = original


def named(model, patterns, option):
    """Returns the modules whose path matches one of the patterns"""
    def fits(path, pattern):
        parts = list(zip(path.split("."), pattern.split(".")))
        return path.count(".") == pattern.count(".") and all(fnmatch.fnmatchcase(*pair) for pair in parts)

    found = []
    for pattern in patterns:
        fitting = [m for name, m in model.named_modules() if name and fits(name, pattern)]
        if not fitting:
            raise SystemExit(f"nncost.capture: {option}: no module fits {pattern!r}, expected a pattern of paths such as "
                             + ", ".join([name for name, _ in model.named_modules() if name][:8]))
        found += [m for m in fitting if m not in found]
    return found


def adapt(module, rank):
    """Adds low-rank adapters (LoRA) in fp32 to a linear layer, as peft does. The caller, change(), has frozen the
    weights of the layer."""
    import torch
    forward = module.forward
    module.lora_a = torch.nn.Parameter(torch.randn(rank, module.in_features) / module.in_features)
    module.lora_b = torch.nn.Parameter(torch.zeros(module.out_features, rank))

    def run(x):
        out, linear = forward(x), torch.nn.functional.linear
        return out + (linear(linear(x.to(torch.float32), module.lora_a), module.lora_b) * 2.0).to(out.dtype)
    module.forward = run


def change(model, checkpoint=(), freeze=(), adapters=None):
    """Puts a checkpoint around modules that match `checkpoint`, freezes modules that match `freeze`, and freezes the
    network and adds adapters to linear layers for adapters = (rank, patterns). Only trained tensors have gradients.
    Returns a function that removes the checkpoints."""
    import torch
    from torch.utils.checkpoint import checkpoint as again
    if adapters:
        rank, patterns = adapters
        linear = [(name, m) for name, m in model.named_modules() if isinstance(m, torch.nn.Linear)]
        chosen = named(model, patterns, "--adapt") if patterns else [m for name, m in linear if any(part.isdigit() for part in name.split("."))]
        layers = [m for _, m in linear if m in chosen]
        if not layers:
            raise SystemExit("nncost.capture: --adapter-rank: expected linear layers in a numbered list, or --adapt with their paths, found none; linear layers: "
                             + (", ".join(name for name, _ in linear[:8]) or "none"))
        for parameter in model.parameters():
            parameter.grad = None
        model.requires_grad_(False)
        for layer in layers:
            adapt(layer, rank)
    wrapped = named(model, checkpoint, "--checkpoint")

    def wrap(module):
        forward = module.forward

        def run(*args, **kwargs):
            # with reentrant checkpoints, backward skips a module without an input that needs a gradient
            names, trained = list(kwargs), torch.empty(0, requires_grad=True)
            return again(lambda _, *a: forward(*a[:len(args)], **dict(zip(names, a[len(args):]))), trained, *args, *kwargs.values(), use_reentrant=True)
        module.forward = run

    for module in wrapped:
        wrap(module)
    for module in named(model, freeze, "--freeze"):
        module.requires_grad_(False)
        for parameter in module.parameters():
            parameter.grad = None

    def undo():
        for module in wrapped:
            del module.forward
    return undo


def capture(model, loss, optimizer="adamw", *, fake=False, batch=None, source=None, checkpoint=(), freeze=(), adapters=None):
    """Records one training step: loss() runs forward and returns the scalar loss; then backward and optimizer.step()
    run. optimizer: a name (see optimizer_of), an optimizer of the model, or None. The first optimizer.step() is not
    recorded, because it allocates the states. fake: true if model and loss use fake tensors; the argument only sets an
    entry of the file. checkpoint, freeze: patterns of modules. adapters: rank, and patterns of linear layers. Returns
    the file as a dict."""
    import torch
    undo = change(model, checkpoint, freeze, adapters)
    rec = recorder(model)
    with without_record_function(), as_on_a_gpu():
        with torch.autograd.graph.saved_tensors_hooks(rec.keep, lambda t: t):
            with rec:
                value = loss()
        rec.claim(value, "")
        rec.phase, rec.running = "backward", True
        with rec:
            value.backward()
        rec.running = False
        rec.note_gradients()
        if isinstance(optimizer, str):
            optimizer = optimizer_of(optimizer, [p for p in model.parameters() if p.requires_grad])
        if optimizer is not None:
            optimizer.step()
            rec.phase = "optimizer"
            with rec:
                optimizer.step()
    rec.storages.end()
    notes = note_states(rec, [optimizer] if optimizer is not None else [])
    rec.close()
    undo()
    return document(model, rec, "fake" if fake else "real", batch, source, notes, updates=optimizer_kernels([optimizer] if optimizer is not None else []))


@contextlib.contextmanager
def plain_attention():
    """Runs nn.MultiheadAttention and nn.TransformerEncoderLayer without their "fast path", whose fused operators for
    inference have unknown kernels. PyTorch does not use the fast path while a mode intercepts function calls."""
    import torch

    class Seen(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))
    with Seen():
        yield


def forward_pass(model, call, batch, source, fake=False):
    """Records one call of a model without gradients and returns the file as a dict"""
    import torch
    fused = any(isinstance(m, torch.nn.MultiheadAttention) for m in model.modules())
    rec = recorder(model, inference=True)
    with torch.no_grad(), plain_attention() if fused else contextlib.nullcontext(), rec:
        out = call()
    for tensor in flat_tensors(vars(out) if hasattr(out, "__dict__") and not isinstance(out, torch.Tensor) else out, []):
        rec.storages.last[rec.storages.number(tensor)] = len(rec.ops)
    rec.close()
    notes = ["nn.MultiheadAttention is recorded without the fused operators that PyTorch has for inference"] if fused else []
    return document(model, rec, "fake" if fake else "real", batch, source, notes)


def capture_inference(model, call, *, batch=None, source=None, fake=False):
    """Records one forward pass of a model in evaluation mode, without gradients. call() runs the pass. Returns the file
    as a dict."""
    import torch
    training = model.training
    model.eval()
    try:
        with as_on_a_gpu(), torch.backends.mkldnn.flags(enabled=False):
            return forward_pass(model, call, batch, source, fake)
    finally:
        model.train(training)


def document(model, rec, tensors, batch, source, notes=(), updates=None):
    import torch
    rotate(rec)
    kept, store = recurrent_layers(rec), rec.storages
    last_gradients = set(rec.gradients.values())
    end, used = len(rec.ops), {number for op in rec.ops for _, _, number in op["inputs"] + op["outputs"]}
    for number, kind in enumerate(store.kind):
        # an input that no operator reads takes no memory; for example a data set on the host of which only a part is
        # copied
        if kind == "input" and number not in used:
            store.bytes[number] = 0
        if number in rec.old:
            continue
        # the program has cleared this gradient during the step
        if kind == "gradient" and not rec.sparse and number not in last_gradients:
            kind = store.kind[number] = "temporary"
            store.first[number] = max(store.first[number], 0)
        if kind in ("parameter", "frozen", "buffer", "input", "state"):
            store.first[number] = -1
        if kind == "gradient":
            store.first[number] = max(store.first[number], 0)
        if kind in ("parameter", "frozen", "buffer", "state", "gradient") or store.tensors[number] > 0 and kind == "input":
            store.last[number] = end
        if kind == "temporary" and store.tensors[number] > 0 and 0 <= store.first[number] < end and rec.ops[store.first[number]]["phase"] == "optimizer":
            # a state that the recorded step allocated
            store.kind[number], store.first[number], store.last[number] = "state", -1, end
    parameters, trained = [*model.parameters(), *rec.frozen], [p for p in model.parameters() if p.requires_grad and not rec.inference]
    # operators of the update need only names, because nncost computes the time of the update from the plan
    for op in rec.ops:
        if op["phase"] == "optimizer":
            op["inputs"], op["outputs"], op["args"] = [], [], []
    owners = [[number, rec.module(path), rec.gradients.get(number, -1)] for path, module in model.named_modules()
                                                 for number in (store.number(p) for p in module.parameters(recurse=False))]
    read = {(t[2], op["module"]) for op in rec.ops if op["phase"] == "backward" for t in op["inputs"]}
    again = {t[2] for op in rec.ops if op["phase"] == "recompute" for t in op["inputs"]}  # inputs of checkpoints
    saved = [(number, rec.module(path)) for number, path in rec.saved if owners and store.kind[number] == "kept"]
    saved = [pair for pair in saved if pair not in read and pair[0] not in again]
    ops, blocks = fold(rec.ops, store.kind)
    rows, numbers = fold_storages([list(row) for row in zip(store.bytes, store.kind, store.dtype, store.first, store.last)], blocks, rec.ops)
    for op in ops:
        copies, unfolded = op.pop("copies", []), op["inputs"] + op["outputs"]
        op["inputs"], op["outputs"] = fold_tensors(op["inputs"], numbers), fold_tensors(op["outputs"], numbers)
        if copies and len(unfolded) == len(op["inputs"] + op["outputs"]):
            storages = [[numbers[t[2]] for t in column] for column in zip(*(copy["inputs"] + copy["outputs"] for copy in copies))]
            op["moves"] = [moves(op["module"], [copy["module"] for copy in copies]), *map(moves, [t[2] for t in op["inputs"] + op["outputs"]], storages)]
    if rec.evaluation:
        print(f"nncost.capture: {rec.evaluation} operators of an evaluation (eval() and no gradients) are left out", file=sys.stderr)
    if kept:
        notes = [*notes, "recurrent layers are recorded as PyTorch runs them on a CPU, one set of operators per time step; "
                         "cuDNN issues fewer kernels, so on a GPU the time of the host is an upper bound"]
    if rec.layouts[1] > rec.layouts[0]:
        notes = [*notes, "the maps are channels-last; --software torch-channels-last gives the time of the step"]
    if rec.sparse:
        notes = [*notes, "some gradients are sparse; the update is counted as that of whole tables, so its time is an upper bound"]
    for note in notes:
        print("nncost.capture: " + note, file=sys.stderr)
    return {
        "schema": SCHEMA,
        "source": {"torch": torch.__version__, "tensors": tensors, **(source or {})},
        "batch": batch,
        "parameters": {"count": sum(numbers_of(p) for p in parameters), "trained": sum(numbers_of(p) for p in trained),
                       "tensors": len(parameters), "bytes": sum(p.numel() * p.element_size() for p in parameters)},
        **(updates or {}),
        "modules": list(rec.modules),
        "ops": ops,
        "blocks": blocks,
        "storages": rows,
        **({"owners": fold_rows([[numbers[g] if g >= 0 else -1, numbers[p], module] for p, module, g in owners])} if owners else {}),
        **({"saved": fold_rows([[numbers[number], module] for number, module in saved])} if saved else {}),
        **({"note": "; ".join(notes)} if notes else {}),
    }


def rotate(rec):
    """Moves operators at the start of the record to its end if they belong to the end of a step, such as the update of
    a moving average of the weights. Such operators run before the first module and write to tensors that exist before
    the step."""
    store, count = rec.storages, len(rec.ops)
    last = [i for i, op in enumerate(rec.ops[:rec.entered or 0]) if any(store.first[n] < 0 or store.kind[n] in ("parameter", "frozen", "buffer", "input")
                                                                    for _, _, n in op["outputs"] or op["inputs"][:1])]
    end = last[-1] + 1 if last else 0
    if end == 0:
        return
    if rec.by_hand:
        for op in rec.ops[end:rec.entered]:  # operators that make samples after the update
            op["phase"] = "forward"
    else:
        for op in rec.ops[:end]:
            op["phase"] = "backward"
    rec.ops = rec.ops[end:] + rec.ops[:end]
    for call in rec.layers:
        call["first"], call["end"] = call["first"] - end, call.get("end", 0) - end

    def place(at):
        return at if at < 0 or at >= count else at - end if at >= end else at + count - end
    for number, (first, until) in enumerate(zip(store.first, store.last)):
        store.first[number], store.last[number] = place(first), place(until)
        if number in rec.old and until < end:  # the program cleared this gradient before the step begins
            store.bytes[number] = 0
        if 0 <= store.last[number] < store.first[number]:  # the end of the previous step created this storage
            store.first[number] = -1


# ---- recurrent layers as cuDNN runs them ----

def runs_of(ops, number):
    """Returns the ranges [first, end) of a module's backward operators"""
    runs = []
    for i, op in enumerate(ops):
        if op["phase"] == "backward" and op["module"] == number:
            if runs and runs[-1][1] == i:
                runs[-1][1] = i + 1
            else:
                runs.append([i, i + 1])
    return runs


def layer_operators(call, made, backward):
    """Returns the operators of a recurrent layer on a GPU, as the standard algorithm of cuDNN runs them. For each layer
    and direction, forward has one product for the inputs of all time steps, and two kernels that run once per time step
    ("steps"): the product with the state, and the gates. Backward also has two kernels per time step, for the gates and
    for the product with the state. Backward then has one product for the gradients of the inputs of all time steps, and
    one product for each of the two weights. made(elements) returns a new tensor. Sources: PyTorch,
    aten/src/ATen/native/cudnn/RNN.cpp (cudnnRNNForward, cudnnRNNBackwardData_v8 and cudnnRNNBackwardWeights_v8 process
    all time steps in one call; get_algo chooses the standard algorithm, or, for widths of at most 192, an algorithm
    that keeps the weights on the chip); NVIDIA-developer-blog/code-samples, posts/rnn/LSTM.cu (one product for all
    gates, one product for the inputs of several time steps, one kernel for the rest of a time step)"""
    module, rows, dtype, ops = call["module"], call["rows"], call["dtype"], []
    hidden, gates, (batch, longer) = module.hidden_size, module.weight_hh_l0.shape[0], divmod(rows, call["steps"])
    # Pairs of [samples, time steps]. In packed sequences, the number of samples differs between time steps; the sum of
    # all pairs is exact.
    parts = [part for part in ((batch, call["steps"] - longer), (batch + 1, longer)) if part[1] > 0]
    batch += longer > 0
    inner = hidden * (2 if module.bidirectional else 1)
    cell = {4: "_thnn_fused_lstm_cell", 3: "_thnn_fused_gru_cell"}.get(gates // hidden, "tanh")
    cells = 1 if gates == 4 * hidden else 0

    def issue(name, inputs, outputs, steps=1):
        tensors = [[[dtype, shape, number] for shape, number in side] for side in (inputs, outputs)]
        ops.append({"name": f"aten.{name}.default", "inputs": tensors[0], "outputs": tensors[1], "args": [], "repeat": 1, **({"steps": steps} if steps > 1 else {})})

    def product(inputs, outputs, steps=1):
        issue("addmm" if len(inputs) > 2 else "mm", inputs, outputs, steps)

    def one(layer, direction):
        end, width = f"_l{layer}{'_reverse' * direction}", inner if layer else module.input_size
        weight, state = call["weights"][f"weight_ih{end}"], call["weights"][f"weight_hh{end}"]
        source, target = call["input"] if layer == 0 else call["output"], made(rows * gates)
        step, states = made(batch * gates), [made(batch * hidden) for _ in range(cells)]
        if not backward:
            vectors = [([gates], call["weights"][f"bias_{side}{end}"]) for side in ("ih", "hh") if module.bias]
            product([*vectors, ([gates, hidden], state), ([rows, width], source), ([width, gates], weight)], [([rows, gates], target)])
            for samples, steps in parts:  # the parts of one call run one after another
                product([([samples, hidden], call["output"]), ([hidden, gates], state)], [([samples, gates], step)], steps)
            for samples, steps in parts:
                memory = [([samples, hidden], number) for number in states]
                # The kernel for the gates reads both products of the gates and the cells of the previous time step. The
                # kernel writes the gates (for backward) and the states.
                issue(cell, [([samples, gates], target), ([samples, gates], step), *memory],
                      [([samples, gates], target), ([samples, hidden], call["output"]), *memory], steps)
            return
        for samples, steps in parts:
            # The backward kernel for the gates reads the gates, the cells, and the gradients of states and cells. The
            # kernel writes the gradients of the gates and of the previous cells.
            memory = [([samples, hidden], number) for number in states]
            issue(cell + "_backward", [([samples, gates], target), ([samples, hidden], call["output"]), ([samples, hidden], step), *memory, *memory],
                  [([samples, gates], target), *memory], steps)
        for samples, steps in parts:
            product([([samples, gates], target), ([gates, hidden], state)], [([samples, hidden], step)], steps)
        if layer or call["gradient"]:
            product([([rows, gates], target), ([gates, width], weight)], [([rows, width], made(rows * width))])
        for name, columns, tensor in (("ih", width, source), ("hh", hidden, call["output"])):
            if getattr(module, f"weight_{name}{end}").requires_grad:
                product([([gates, rows], target), ([rows, columns], tensor)], [([gates, columns], call["gradients"][f"weight_{name}{end}"])])

    order = [(layer, direction) for layer in range(module.num_layers) for direction in range(1 + module.bidirectional)]
    for layer, direction in reversed(order) if backward else order:
        one(layer, direction)
    return ops


def recurrent_layers(rec):
    """Replaces the operators of nn.LSTM, nn.GRU and nn.RNN on a CPU by those on a GPU. Returns True if some module
    keeps its CPU operators. A layer keeps its CPU operators if it has projections, or if backward does not separate the
    calls of the layer."""
    spans, kept, store = [], False, rec.storages
    for path in {call["path"] for call in rec.layers}:
        calls = [call for call in rec.layers if call["path"] == path and call.get("end", 0) > call["first"]]
        trained, number = [call for call in calls if call["trained"]], rec.module(path)
        runs = runs_of(rec.ops, number)
        if any(call["phase"] != "forward" or call["module"].proj_size for call in calls) or len(runs) != len(trained):
            kept = kept or bool(calls)
            continue
        spans += [(call["first"], call["end"], call, "forward", number) for call in calls]
        spans += [(first, end, call, "backward", number) for (first, end), call in zip(runs, reversed(trained))]
    ops, places, fresh, at = [], [], [], 0
    for first, end, call, phase, number in sorted(spans, key=lambda span: span[0]):
        places += range(len(ops), len(ops) + first - at)
        ops += rec.ops[at:first]
        known = len(store.bytes)

        def made(elements, call=call):
            return store.add(elements * {"float64": 8, "float32": 4}.get(call["dtype"], 2), "temporary", call["dtype"], None)

        call["gradients"] = {name: made(weight.numel()) if weight.grad is None else store.number(weight.grad) for name, weight in call["module"].named_parameters()}
        written = [{**op, "phase": phase, "module": number} for op in layer_operators(call, made, phase == "backward")]
        places += [len(ops) + (i - first) * len(written) // (end - first) for i in range(first, end)]
        for storage in range(known):
            if store.first[storage] is not None and store.kind[storage] == "temporary" and first <= store.first[storage] and store.last[storage] < end:
                store.bytes[storage] = 0  # a tensor of one time step
        for storage in range(known, len(store.bytes)):
            uses = [len(ops) + i for i, op in enumerate(written) if any(t[2] == storage for t in op["inputs"] + op["outputs"])]
            fresh.append((storage, min(uses, default=len(ops)), max(uses, default=len(ops))))
        ops += written
        at = end
    places += range(len(ops), len(ops) + len(rec.ops) - at + 1)
    ops += rec.ops[at:]
    for storage, (first, last) in enumerate(zip(store.first, store.last)):
        if first is not None:
            store.first[storage], store.last[storage] = first if first < 0 else places[first], last if last < 0 else places[last]
    for storage, first, last in fresh:
        store.first[storage], store.last[storage] = first, last
    rec.ops, store.now = ops, -1
    return kept


# ---- folding equal layers ----

def signature(op, kinds):
    """Returns a key that is equal for operators of equal layers. The key contains everything except storages and
    modules. The key differs for trained parameters, frozen parameters and buffers."""
    tensors = tuple((d, tuple(s), kinds[n] if kinds[n] in ("parameter", "frozen", "buffer") else "") for d, s, n in op["inputs"] + op["outputs"])
    return op["name"], op["phase"], tensors, json.dumps(without_fractions(op["args"])), op.get("steps")


def without_fractions(value):
    """Replaces all fractions in arguments by the same number. Equal layers may differ in a fraction, such as the
    probability of stochastic depth, but kernels take the same time for every fraction."""
    if isinstance(value, list):
        return [without_fractions(v) for v in value]
    if isinstance(value, dict):
        return {key: without_fractions(v) for key, v in value.items()}
    return 0.5 if isinstance(value, float) else value


def fold(ops, kinds):
    """Replaces runs of equal blocks of operators by one block. Returns the operators and rows of [first, length,
    repeat]. At each position, the block that shortens the list most is chosen. Blocks are not nested. The blocks of a
    run either have their own parameters (equal layers) or share the same parameters (time steps of a recurrent layer).
    With shared parameters, the first block stays outside of the run, because nncost counts a parameter at the first
    operator that reads it. A program may run its layers again (gradient accumulation, two inputs). In this case the
    operators of the second run name the parameters of the first layer of the block, for which the parameters of all
    layers were counted. Either the parameters of all blocks of a run were counted before, or the parameters of no
    block."""
    ids, keys, read, counted = {}, [], [], {}
    for op in ops:
        keys.append(ids.setdefault(signature(op, kinds), len(ids)))
        read.append([n for _, _, n in op["inputs"] if kinds[n] in ("parameter", "frozen")])
    places, count = {}, len(keys)
    following = [0] * count
    for at in range(count - 1, -1, -1):
        following[at] = places.get(keys[at], [])
        places.setdefault(keys[at], []).insert(0, at)
        following[at] = places[keys[at]][1:]

    def equal(at, start, length):
        """Returns None if the blocks at `at` and `start` differ; otherwise returns whether both blocks read the same
        parameters"""
        if keys[start:start + length] != keys[at:at + length]:
            return None
        pairs = [(mine, theirs) for mine, theirs in zip(read[at:at + length], read[start:start + length]) if mine]
        same = [mine == theirs for mine, theirs in pairs]
        return False if not any(same) else True if all(same) else None

    def run_of(at, length):
        """Returns the number of equal blocks from `at`, and whether they read the same parameters. If each block has
        its own parameters, the run ends in two cases: if some parameters were counted already in only one of the next
        block and the first block; and if the next block reads a parameter of an earlier block that is not counted
        yet."""
        shared, repeat, seen = equal(at, at + length, length), 1, set()
        while shared is not None and equal(at, at + repeat * length, length) is shared:
            start = at + repeat * length
            for mine, theirs in () if shared else zip(read[at:at + length], read[start:start + length]):
                if [n in counted for n in mine] != [n in counted for n in theirs] or any(n in seen and n not in counted for n in theirs):
                    return repeat, shared
            seen.update(*read[start - length:start + length])
            repeat += 1
        return repeat, shared

    def written(at, length, repeat):
        """Marks the parameters of a run as counted, and yields the operators of the run"""
        for i in range(at, at + length):
            op = ops[i]
            if op["phase"] == "forward":
                for other in range(i, i + repeat * length, length):
                    for number, first in zip(read[other], read[i]):
                        counted.setdefault(number, counted.get(first, first))
                op = {**op, "inputs": [[d, s, counted.get(n, n)] for d, s, n in op["inputs"]]}
            yield {**op, "repeat": repeat, **({"copies": ops[i:i + repeat * length:length]} if repeat > 1 and op["phase"] != "optimizer" else {})}

    out, blocks, at = [], [], 0
    while at < count:
        best = (0, 0, 0, False)
        for nxt in following[at]:
            length = nxt - at
            if length * 2 + at > count:
                break
            repeat, shared = run_of(at, length)
            gain = (repeat - 1 - bool(shared)) * length
            if gain > best[0]:
                best = (gain, length, repeat, shared)
        gain, length, repeat, shared = best
        if gain >= 4:
            if shared:
                out += written(at, length, 1)
                at, repeat = at + length, repeat - 1
            blocks.append([len(out), length, repeat])
            out += written(at, length, repeat)
            at += length * repeat
        else:
            out += written(at, 1, 1)
            at += 1
    return out, blocks


def fold_storages(rows, blocks, unfolded):
    """Folds rows of storages: one row stands for the storages of equal layers. Returns the rows and the new number of
    each storage. A folded row is [bytes, kind, dtype, first, last, copies, first step, last step]. Its copies have
    consecutive numbers."""
    starts, at = [], 0
    for first, length, repeat in blocks:
        at = starts[-1][0] + starts[-1][1] * starts[-1][2] + first - starts[-1][3] if starts else first
        starts.append((at, length, repeat, first + length))
    like, shapes = {}, {}
    for op in unfolded:
        for _, shape, number in op["inputs"] + op["outputs"]:
            shapes.setdefault(number, tuple(shape))
    for number, (size, kind, dtype, first, last) in enumerate(rows):
        block = next(((start, length) for start, length, repeat, _ in starts if start <= first < start + length * repeat), None)
        place = (first, last) if block is None else (block[0], (first - block[0]) % block[1])
        like.setdefault((size, kind, dtype, shapes.get(number), block is None, place), []).append(number)
    out, numbers = [], [0] * len(rows)
    count = 0
    for found in like.values():
        found.sort(key=lambda n: (rows[n][3], rows[n][4]))
        while found:
            group = [found.pop(0)]
            for number in list(found):  # collects storages at constant distances
                steps = [rows[number][i] - rows[group[-1]][i] for i in (3, 4)]
                if len(group) == 1 or steps == [rows[group[1]][i] - rows[group[0]][i] for i in (3, 4)]:
                    group.append(number)
                    found.remove(number)
            steps = [rows[group[1]][i] - rows[group[0]][i] for i in (3, 4)] if len(group) > 1 else []
            out.append(rows[group[0]] + ([len(group), *steps] if steps else []))
            for number in group:
                numbers[number] = count
                count += 1
    return out, numbers


def moves(own, found):
    """Describes how a number changes from one repeat of a block to the next: one step, or runs [first, step, count,
    first, ...]"""
    runs = []
    for number in found:
        if runs and runs[-1][2] == 1:
            runs[-1][1:] = number - runs[-1][0], 2
        elif runs and number == runs[-1][0] + runs[-1][1] * runs[-1][2]:
            runs[-1][2] += 1
        else:
            runs.append([number, 0, 1])
    return runs[0][1] if len(runs) == 1 and runs[0][0] == own else sum(runs, [])


def fold_rows(rows):
    """Joins rows whose numbers grow by constant steps. A joined row contains the numbers of the first row, the number
    of joined rows, and the steps."""
    out = []
    for row in sorted(rows):
        size, last = len(row), out[-1] if out else []
        if out and last[size] == 1:
            last[size:] = [2, *(a - b for a, b in zip(row, last))]
        elif out and row == [a + last[size] * b for a, b in zip(last, last[size + 1:])]:
            last[size] += 1
        else:
            out.append([*row, 1, *[0] * size])
    return out


def fold_tensors(tensors, numbers):
    """Returns tensors with the new numbers of their storages. In a long list, which only _foreach operators have, an
    entry [dtype, shape, storage, count] stands for several equal tensors with consecutive numbers"""
    tensors = [[dtype, shape, numbers[number]] for dtype, shape, number in tensors]
    if len(tensors) < 16:
        return tensors
    out, seen = [], {}
    for tensor in tensors:
        seen[tensor[2]] = seen.get(tensor[2], 0) + 1
        tensor.append(seen[tensor[2]])  # a tensor that is read twice gets an entry in a second run
    for dtype, shape, number, _ in sorted(tensors, key=lambda t: (t[3], t[2])):
        if out and out[-1][:2] == [dtype, shape] and out[-1][2] + out[-1][3] == number:
            out[-1][3] += 1
        else:
            out.append([dtype, shape, number, 1])
    return [t[:3] if t[3] == 1 else t for t in out]


# ---- files and scripts ----

def packed(captured):
    """Returns the step in the form of the file: formats, shapes, arguments and moves are indices of tables; lists of
    numbers are text. A member is left out if it has its default, or the value of the previous operator."""
    shapes, kinds, args, changes, ops, last = {}, {}, {}, {}, [], {}

    def number(table, value):
        return table.setdefault(json.dumps(value), len(table))

    def short(tensors):
        if any(len(t) > 3 for t in tensors):
            return tensors
        return " ".join(f"{number(shapes, [dtype, shape])} {storage}" for dtype, shape, storage in tensors)
    for op in captured["ops"]:
        own = {**op, "inputs": short(op["inputs"]), "outputs": short(op["outputs"])}
        own.update({key: number(table, op[key]) for key, table in (("args", args), ("moves", changes)) if op.get(key)})
        ops.append({key: own[key] for key in MEMBERS if key in own and (key, own[key]) not in (("args", []), ("repeat", 1))
                    and (key not in ("phase", "module") or last.get(key) != own[key])
                    and (key not in ("inputs", "outputs", "args") or op["phase"] != "optimizer")})
        last = op
    storages = ",".join(" ".join(map(str, [size, number(kinds, [kind, dtype]), *rest])) for size, kind, dtype, *rest in captured["storages"])
    second = {"second": packed(captured["second"])} if "second" in captured else {}
    tables = {key: [json.loads(value) for value in table] for key, table in (("shapes", shapes), ("kinds", kinds), ("args", args), ("moves", changes))}
    return {**captured, "ops": ops, "storages": storages, **tables, **second}


def unpacked(captured):
    """Inverts packed(); also reads files of earlier versions"""
    shapes, ops, storages = captured.get("shapes", []), [], captured["storages"]

    def long(tensors):
        numbers = [int(n) for n in tensors.split()] if isinstance(tensors, str) else tensors
        return [[*shapes[a], b] for a, b in zip(numbers[::2], numbers[1::2])] if numbers and isinstance(numbers[0], int) else list(numbers)
    for op in captured["ops"]:
        last = {key: ops[-1][key] for key in ("phase", "module")} if ops else {}
        named = {key: captured[key][op[key]] for key in ("args", "moves") if isinstance(op.get(key), int)}
        ops.append({"args": [], "repeat": 1, **last, **op, **named, "inputs": long(op.get("inputs", [])), "outputs": long(op.get("outputs", []))})
    if isinstance(storages, str):
        rows = [[int(n) for n in row.split()] for row in storages.split(",") if row]
        storages = [[size, *captured["kinds"][kind], *rest] for size, kind, *rest in rows]
    return {key: value for key, value in {**captured, "ops": ops, "storages": storages}.items() if key not in ("shapes", "kinds", "args", "moves")}


def write(path, captured):
    """Writes the complete file, or no file"""
    text = json.dumps(packed(captured), separators=(",", ":"))
    temporary = f"{path}.{os.getpid()}.tmp"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(text + "\n")
    os.replace(temporary, path)


class Idle:
    """Replaces a stream or an event of an accelerator; its methods do nothing"""
    def __init__(self, *_, **__):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def __getattr__(self, name):
        return lambda *_, **__: 0.0


@contextlib.contextmanager
def replaced(*changes, made=()):
    """Sets attributes, given as (owner, name, value), if the owner has the attribute. Attributes whose names are in
    `made` are set even if the owner does not have them."""
    saved = []
    for owner, name, value in changes:
        if hasattr(owner, name) or name in made:
            saved.append((owner, name, vars(owner).get(name, saved)))
            setattr(owner, name, value)
    try:
        yield
    finally:
        for owner, name, value in reversed(saved):
            delattr(owner, name) if value is saved else setattr(owner, name, value)


def one_process():
    """Runs scripts that use several processes in one process: wrappers of a model call the model, and collectives do
    nothing. The option --devices of nncost adds data parallelism to the recorded step"""
    import torch
    dist, module = torch.distributed, torch.nn.Module
    wrapper, threads, amount = torch.nn.parallel.DistributedDataParallel, torch.nn.DataParallel, {"get_rank": 0, "get_world_size": 1, "is_initialized": True, "get_backend": "nccl"}
    silent = ("init_process_group", "destroy_process_group", "barrier", "monitored_barrier", "all_reduce", "broadcast", "reduce", "new_group",
              "broadcast_object_list", "all_gather_object", "all_gather", "gather", "scatter", "send", "recv")

    def wrap(self, wrapped, *_, **__):
        module.__init__(self)
        self.module = wrapped

    def gather(parts, own, *_, **__):
        parts[0] = own
    changes = [(dist, name, lambda *_, **__: None) for name in silent]
    changes += [(dist, name, lambda *_, value=value, **__: value) for name, value in amount.items()]
    changes += [(dist, name, gather) for name in ("all_gather", "all_gather_object")]
    changes += [(kind, name, call) for kind in (wrapper, threads) for name, call in (("__init__", wrap), ("forward", lambda self, *a, **k: self.module(*a, **k)))]
    changes += [(torch.nn.SyncBatchNorm, "forward", torch.nn.modules.batchnorm._BatchNorm.forward), (wrapper, "train", module.train),
                (wrapper, "no_sync", lambda self: contextlib.nullcontext()), (torch.multiprocessing, "spawn", lambda fn, args=(), *_, **__: fn(0, *args))]
    return replaced(*changes)


def on_host(state, call):
    """Returns the result of a call. The recorder of `state` does not record the operators of the call."""
    rec = state["recorder"]
    if rec is None:
        return call()
    rec.loading += 1
    try:
        return call()
    finally:
        rec.loading -= 1


def without_loading(state):
    """A DataLoader makes samples on the host, so the recorder of `state` does not record its operators"""
    from torch.utils.data import dataloader

    def unrecorded(call):
        return lambda self: on_host(state, lambda: call(self))
    return replaced(*((kind, name, unrecorded(getattr(kind, name))) for kind, name in
                      ((dataloader.DataLoader, "__iter__"), (dataloader._BaseDataLoaderIter, "__next__"))))


def without_compiler(noted):
    """Makes torch.compile and torch.jit.script return the model unchanged. noted: a dict that gets the entry "compile"
    if the script compiles the model"""
    import torch

    def compiled(model=None, *_, **__):
        noted["compile"] = True
        return model if model is not None else lambda function: function

    def unfused(init):
        """Wraps the constructor of an optimizer: removes options that need an accelerator, and notes whether the script
        asked for a fused kernel"""
        def made(self, *args, **kwargs):
            if kwargs.get("fused"):
                noted["fused"].add(self)
            init(self, *args, **{key: value for key, value in kwargs.items() if key not in ("fused", "capturable")})
        return functools.wraps(init)(made)
    makers = [kind for kind in vars(torch.optim).values() if isinstance(kind, type) and kind is not torch.optim.Optimizer]
    return replaced((torch, "compile", compiled), (torch.jit, "script", lambda obj, *_, **__: obj), (torch.jit, "trace", lambda obj, *_, **__: obj),
                    (torch.nn.Module, "compile", lambda self, *_, **__: noted.update(compile=True)), *((kind, "__init__", unfused(kind.__init__)) for kind in makers),
                    made=("compile",))  # PyTorch 1.13 has no torch.compile


def scaled(noted):
    """Issues the kernels of loss scaling as on a GPU. GradScaler is disabled without a GPU, so the kernels run with a
    scale of 1."""
    import torch
    scaler = torch.cuda.amp.GradScaler.__mro__[-2]
    names = ("__init__", "scale", "unscale_", "step", "update")
    init, scale, unscale, step, update = (getattr(scaler, name) for name in names)
    done = noted.setdefault("unscaled", weakref.WeakSet())

    def made(self, *args, **kwargs):
        with warnings.catch_warnings():  # hides the warning that GradScaler is disabled without a GPU
            warnings.simplefilter("ignore", UserWarning)
            init(self, *args, **kwargs)
        self.is_scaled = not self._enabled and kwargs.get("enabled", True)
        self.factor = torch.ones(())

    def multiply(self, value):
        if not self.is_scaled:
            return scale(self, value)
        return value * self.factor if isinstance(value, torch.Tensor) else type(value)(multiply(self, v) for v in value)

    def divide(self, optimizer):
        if not self.is_scaled:
            unscale(self, optimizer)
        elif optimizer not in done:
            done.add(optimizer)
            gradients = [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
            for dtype in {g.dtype for g in gradients}:
                torch._foreach_mul_([g for g in gradients if g.dtype == dtype], 1.0)

    def stepped(self, optimizer, *args, **kwargs):
        if self.is_scaled:
            divide(self, optimizer)
            done.discard(optimizer)
        return step(self, optimizer, *args, **kwargs)

    def updated(self, *args, **kwargs):
        self.factor.mul_(1.0) if self.is_scaled else None
        update(self, *args, **kwargs)
    return replaced(*((scaler, name, value) for name, value in zip(names, (made, multiply, divide, stepped, updated))))


def as_on_a_gpu():
    """Replaces functions of PyTorch 2 that issue other kernels on a GPU than on a CPU. On a GPU, dropout is one kernel
    that keeps a mask of one byte per value (aten/src/ATen/native/Dropout.cpp), and clipping by the norm uses kernels
    over lists of tensors (torch/nn/utils/clip_grad.py). Dropout in place, and dropout without training, run as on a
    CPU."""
    import torch
    clips, plain = torch.nn.utils.clip_grad, torch._VF.dropout

    def dropout(input, p, train):
        fused = train and 0 < p < 1 and input.numel() > 0 and input.is_floating_point()
        return torch.native_dropout(input, p, True)[0] if fused else plain(input, p, train)

    def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None, original=clips.clip_grad_norm_):
        parameters = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
        grads = [p.grad.detach() for p in parameters if p.grad is not None]
        if foreach is False or error_if_nonfinite or float(norm_type) != 2.0 or not grads or any(g.is_sparse for g in grads):
            return original(parameters, max_norm, norm_type, error_if_nonfinite)
        groups = [[g for g in grads if g.dtype == dtype] for dtype in dict.fromkeys(g.dtype for g in grads)]
        norms = [norm for group in groups for norm in torch._foreach_norm(group, 2.0)]
        total = torch.linalg.vector_norm(torch.stack([norm.to(norms[0].dtype) for norm in norms]), 2.0)
        factor = torch.clamp(max_norm / (total + 1e-6), max=1.0)
        for group in groups:
            torch._foreach_mul_(group, float(factor))
        return total
    return replaced((torch._VF, "dropout", dropout), (torch, "dropout", dropout), (clips, "clip_grad_norm_", clip_grad_norm_),
                    (torch.nn.utils, "clip_grad_norm_", clip_grad_norm_))


@contextlib.contextmanager
def no_accelerator(state=None):
    """Replaces calls that move a tensor or a module to an accelerator; the new calls do nothing. state: a dict that has
    the recorder"""
    import torch
    saved = []

    def replace(owner, name, value):
        saved.append((owner, name, getattr(owner, name)))
        setattr(owner, name, value)

    def on_cpu(original, numbered=False):
        """Wraps a call: an argument that names an accelerator becomes "cpu". numbered: a whole number also names an
        accelerator"""
        def here(value, number):
            moved = isinstance(value, (str, torch.device)) and str(value).split(":")[0] in ("cuda", "xpu", "mps", "hip")
            return "cpu" if moved or number and type(value) is int else value

        @functools.wraps(original)
        def called(*args, **kwargs):
            return original(*[here(a, numbered) for a in args], **{k: here(v, k == "device") for k, v in kwargs.items()})
        return called

    if hasattr(torch, "set_default_device"):
        replace(torch, "set_default_device", on_cpu(torch.set_default_device))
    kind = torch.set_default_tensor_type
    replace(torch, "set_default_tensor_type", lambda t: kind(t.replace("torch.cuda.", "torch.") if isinstance(t, str) else t))
    def on_device(original):
        """Wraps a copy to an accelerator. On an accelerator, the copied tensor has only its own elements, not those of
        a whole data set."""
        @functools.wraps(original)
        def called(self, *args, **kwargs):
            moved = original(self, *args, **kwargs)
            part = moved is self and not self.requires_grad and not self.is_sparse and Storages._storage(self).nbytes() > self.numel() * self.element_size()
            return on_host(state or {"recorder": None}, self.clone) if part else moved
        return called
    for owner in (torch.Tensor, torch.nn.Module):
        replace(owner, "cuda", lambda self, *a, **k: self)
        replace(owner, "to", on_cpu(owner.to, numbered=True))
    for name in ("cuda", "to"):
        replace(torch.Tensor, name, on_device(getattr(torch.Tensor, name)))
    for name in ("arange", "as_tensor", "empty", "empty_like", "eye", "from_numpy", "full", "full_like", "hann_window", "linspace", "load", "logspace", "ones",
                 "ones_like", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm", "sparse_coo_tensor", "tensor", "tril_indices",
                 "triu_indices", "zeros", "zeros_like", "Generator"):
        replace(torch, name, on_cpu(getattr(torch, name)))
    for name in ("new_empty", "new_full", "new_ones", "new_tensor", "new_zeros", "pin_memory"):
        replace(torch.Tensor, name, on_cpu(getattr(torch.Tensor, name)) if name != "pin_memory" else lambda self, *a, **k: self)
    for name in ("synchronize", "set_device", "empty_cache", "reset_peak_memory_stats", "manual_seed", "manual_seed_all"):
        replace(torch.cuda, name, lambda *a, **k: None)
    for name in ("current_device", "memory_allocated", "memory_reserved", "max_memory_allocated", "max_memory_reserved"):
        replace(torch.cuda, name, lambda *a, **k: 0)
    for name in ("Stream", "Event", "stream", "current_stream", "default_stream", "device"):
        replace(torch.cuda, name, Idle)

    def asked_by_script(original, value):
        """Wraps a query such as is_available(): a script gets the answer that a GPU would give. Libraries get the
        answer of the machine that records, because otherwise they would call more functions of an accelerator."""
        @functools.wraps(original)
        def answered(*args, **kwargs):
            file = sys._getframe(1).f_code.co_filename
            inside = "-packages" in file or file.startswith((sys.prefix, sys.base_prefix, "<frozen"))
            return original(*args, **kwargs) if inside else value
        return answered
    properties = types.SimpleNamespace(name="GPU", major=8, minor=0, total_memory=80 * 10 ** 9, multi_processor_count=108)
    for name, value in (("is_available", True), ("device_count", 1), ("get_device_name", "GPU"), ("get_device_capability", (8, 0)),
                        ("get_device_properties", properties), ("is_bf16_supported", True), ("mem_get_info", (80 * 10 ** 9, 80 * 10 ** 9))):
        if hasattr(torch.cuda, name):
            replace(torch.cuda, name, asked_by_script(getattr(torch.cuda, name), value))
    accelerator = types.SimpleNamespace(is_available=lambda: True, device_count=lambda: 1, current_accelerator=lambda *_, **__: torch.device("cuda"),
                                        device_index=lambda _: contextlib.nullcontext(), **{f"current_{name}": lambda: 0 for name in ("device_index", "device_idx")},
                                        **{name: lambda *_, **__: None for name in ("set_device_index", "set_device_idx", "synchronize", "empty_cache")})
    try:
        with replaced((torch, "accelerator", accelerator), made=("accelerator",)):  # PyTorch 2.6 has torch.accelerator
            yield
    finally:
        for owner, name, value in reversed(saved):
            setattr(owner, name, value)


def count_as_backward(rec, first):
    """Handles an optimizer that nncost does not know: its operators from position `first` on, and its states, count as
    backward. Operators that write parameters stay in the update, which counts as SGD."""
    store = rec.storages
    for op in rec.ops[first:]:
        if op["phase"] != "optimizer":
            continue
        for _, _, number in op["inputs"]:
            if store.kind[number] == "state":
                store.kind[number], store.first[number] = "kept", -1
            if store.kind[number] == "kept":
                store.last[number] = len(rec.ops)
        if not any(store.kind[number] == "parameter" for _, _, number in op["outputs"] or op["inputs"][:1]):
            op["phase"] = "backward"


def record(run, what, batch, source, used=(), alive=(), checkpoint=(), freeze=(), adapters=None):
    """Calls run() until the second optimizer.step(). Records the step between the first and the second
    optimizer.step(). batch: samples of the step; None = the first dimension of the model's first input, added up over
    the backward passes. used, alive: optimizers and modules that exist before run() is called."""
    import torch
    state = {"steps": 0, "leader": None, "recorder": None, "hooks": None, "samples": {}, "rows": {}, "counted": set(), "autocast": None,
             "axes": set(), "fused": weakref.WeakSet(), "handles": [], "repeated": False, "cleared": set(), "stepped": set(), "own_steps": 0, "calls": {}}
    step_of, backward, autocast = torch.optim.Optimizer.__init__, torch.autograd.backward, torch.autocast.__init__
    load = torch.nn.Module.__setstate__
    optimizers, watched = [], []
    # for a program without optimizers: some values of each parameter, and the number of updates
    by_hand = {"before": None, "updates": 0}

    def unrecorded():
        """Returns the number of steps that allocate the states of the optimizers"""
        return min(2, len(optimizers))

    def all_stepped(count):
        """Returns whether every parameter has been updated by some optimizer. After `count` steps of the first
        optimizer, always returns True."""
        trained = {id(p) for o in state["stepped"] for group in o.param_groups for p in group["params"]}
        return state["own_steps"] >= count or all(id(p) in trained for o in optimizers for group in o.param_groups for p in group["params"])

    def no_autocast(self, device_type, dtype=None, enabled=True, **kwargs):
        if enabled:
            state["autocast"] = {torch.float16: "fp16", None: "fp16" if device_type == "cuda" else "bf16"}.get(dtype, "bf16")
        autocast(self, "cpu", enabled=False, **kwargs)

    class Parts(torch.nn.Module):
        """Joins modules that optimizers train together, and parameters without a module, to one module"""
        def __init__(self, parts):
            super().__init__()
            for number, part in enumerate(parts):
                # a part is a module or a parameter
                owned = self._modules if isinstance(part, torch.nn.Module) else self._parameters
                owned[f"part{number}"] = part

    modules = weakref.WeakSet(alive)
    init = torch.nn.Module.__init__

    def watched_init(self, *args, **kwargs):
        init(self, *args, **kwargs)
        modules.add(self)

    def watched_load(self, state):
        """Notes modules that copy.deepcopy or pickle creates"""
        load(self, state)
        modules.add(self)

    def trained():
        """Returns the parameters of the optimizers. Without optimizers, returns the parameters that have a gradient"""
        if optimizers:
            return {id(p): p for optimizer in optimizers for group in optimizer.param_groups for p in group["params"]}
        found = {id(p): p for m in list(modules) for p in m.parameters() if p.grad is not None}
        return found or {id(t): t for t in gc.get_objects() if isinstance(t, torch.Tensor) and t.is_leaf and t.grad is not None}

    def network():
        """Returns the smallest module that contains all trained parameters. If no module contains all of them, joins
        several modules and parameters"""
        wanted = trained()
        having = [(m, wanted.keys() & {id(p) for p in m.parameters()}) for m in modules]
        whole = [m for m, ids in having if len(ids) == len(wanted)]
        if whole:
            return min(whole, key=lambda m: -len(list(m.modules())))
        inner = {id(child) for m, _ in having for child in m.modules() if child is not m}
        outer = [(m, ids) for m, ids in having if ids and id(m) not in inner]
        together = set().union(*(ids for _, ids in outer))
        return Parts([m for m, _ in outer] + [p for key, p in wanted.items() if key not in together])

    def called(module):
        """Returns the modules that a script calls. A list of modules is never called itself; for a list, returns its
        modules"""
        inside = isinstance(module, (Parts, torch.nn.ModuleList, torch.nn.ModuleDict))
        return [m for child in module.children() for m in called(child)] if inside else [module]

    def count_samples(model):
        """Adds up the first dimension of a module's first input, once per backward pass"""
        def watch(module):
            forward, own = module.forward, vars(module).get("forward")

            def counted(*args, **kwargs):
                state["axes"].clear()
                result = forward(*args, **kwargs)
                if module not in state["counted"] and not state["repeated"] and not state["recorder"].is_evaluation():
                    if module in state["cleared"]:
                        state["samples"].pop(module, None)
                        state["cleared"].discard(module)
                    values = [value for v in (*args, *kwargs.values()) for value in (v.values() if hasattr(v, "values") and not isinstance(v, torch.Tensor) else [v])]
                    first = next((v for v in values if isinstance(v, (list, tuple)) or isinstance(v, torch.Tensor) and v.dim()), ())
                    shape = tuple(first.shape[:2]) if isinstance(first, torch.Tensor) else (len(first),)
                    rows = shape[1] if shape in state["axes"] else shape[0]
                    state["samples"][module], state["rows"][module] = state["samples"].get(module, 0) + rows, rows
                    state["counted"].add(module)
                return result
            module.forward = counted
            watched.append((module, own))
        def time_first(module, inputs):
            """Notes [time steps, samples] of a layer if time is the first dimension of its input"""
            if not module.batch_first and inputs and isinstance(inputs[0], torch.Tensor) and inputs[0].dim() == 3:
                state["axes"].add(tuple(inputs[0].shape[:2]))

        for module in called(model):
            watch(module)
        for module in model.modules():
            if isinstance(module, (torch.nn.RNNBase, torch.nn.MultiheadAttention)):
                state["handles"].append(module.register_forward_pre_hook(time_first))

    def start():
        state["model"] = network()
        before = {id(p) for p in state["model"].parameters()}
        state["undo"] = change(state["model"], checkpoint, freeze, adapters)
        added = [p for p in state["model"].parameters() if id(p) not in before]
        if added and state["leader"]:
            state["leader"].add_param_group({"params": added})
        count_samples(state["model"])
        own = set(state["model"].modules())
        apart = [m for m in modules if not own & set(m.modules()) and (any(True for _ in m.parameters()) or any(True for _ in m.buffers()))]
        inner = {id(child) for m in apart for child in m.modules() if child is not m}
        state["recorder"] = recorder(state["model"], [m for m in apart if id(m) not in inner])
        state["hooks"] = torch.autograd.graph.saved_tensors_hooks(state["recorder"].keep, lambda t: t)
        state["recorder"].note_before() if optimizers else state["recorder"].note_update()
        state["hooks"].__enter__()
        state["recorder"].__enter__()

    def begin_again(owner):
        """Called when the gradients of a module or an optimizer are used or cleared. Samples counted before this call
        no longer count"""
        owned = {id(p) for p in (owner.parameters() if isinstance(owner, torch.nn.Module) else (p for group in owner.param_groups for p in group["params"]))}
        for module in {module for module, _ in watched if any(id(p) in owned for p in module.parameters())}:
            if module in state["counted"]:  # the backward pass of this module has not run yet
                state["samples"][module] = state["rows"][module]
            else:
                state["cleared"].add(module)

    def in_forward(rec, closure):
        """Wraps the closure that a script passes to optimizer.step(); a closure runs forward and backward"""
        def run():
            rec.phase, rec.fresh = "forward", True
            result = closure()
            # the optimizer may call the closure again with the same samples
            rec.phase, state["repeated"], rec.repeated = "optimizer", True, True
            return result
        return run if callable(closure) else closure

    def stepped(optimizer, step):
        @functools.wraps(step)
        def watched_step(_, *args, **kwargs):
            rec = state["recorder"]
            state["leader"] = state["leader"] or optimizer
            if rec is not None:
                rec.phase = "optimizer"
                args, kwargs = [in_forward(rec, v) for v in args], {k: in_forward(rec, v) for k, v in kwargs.items()}
            first = len(rec.ops) if rec is not None else 0
            if rec is not None:
                rec.note_cleared()
            result = step(*args, **kwargs)
            if rec is not None:
                state["calls"][optimizer] = state["calls"].get(optimizer, 0) + 1
                rec.phase, state["repeated"], rec.repeated = "forward", False, False
                if not any(kind.__name__ in OPTIMIZERS for kind in type(optimizer).__mro__):
                    count_as_backward(rec, first)
            state["stepped"].add(optimizer)
            begin_again(optimizer)
            if optimizer is state["leader"]:
                state["steps"], state["own_steps"] = state["steps"] + 1, state["own_steps"] + 1
                if rec is not None and all_stepped(16):
                    rec.storages.end()
                    raise Done
                if rec is None and state["steps"] >= unrecorded() and all_stepped(6):
                    state["stepped"], state["own_steps"] = set(), 0
                    start()
            return result
        return watched_step

    def released(zero_grad):
        """Wraps zero_grad, so that it frees gradients by default in PyTorch 1 too, as PyTorch 2 does"""
        def clear(self, set_to_none=True):
            zero_grad(self, set_to_none=set_to_none)
            if optimizers:  # without optimizers, the recorded step begins after a backward pass
                begin_again(self)
            if state["recorder"] is not None:
                state["recorder"].note_cleared()
        return clear

    def watch(optimizer):
        optimizers.append(optimizer)
        optimizer.step = types.MethodType(stepped(optimizer, optimizer.step), optimizer)

    def watched_optimizer(self, *args, **kwargs):
        step_of(self, *args, **kwargs)
        watch(self)

    def update_by_hand():
        """Called after a backward pass of a program without optimizers. Detects whether the program has updated its
        parameters since the previous pass. The recorded step lies between two passes with changed parameters"""
        now = {key: p.detach().reshape(-1)[:4].tolist() for key, p in trained().items()}
        before, by_hand["before"] = by_hand["before"], now
        if before is None or not any(before.get(key, values) != values for key, values in now.items()):
            return
        by_hand["updates"] += 1
        if state["recorder"] is not None:
            state["recorder"].end_by_hand()
            state["recorder"].storages.end()
            raise Done
        start()

    def watched_backward(tensors, *args, **kwargs):
        rec = state["recorder"]
        # inner: this backward pass runs inside of another one, in a checkpoint with use_reentrant=True
        inner = rec is None or rec.running
        if not inner:
            rec.note_cleared()
            rec.claim(tensors if isinstance(tensors, torch.Tensor) else list(tensors), "")
            rec.phase, rec.running, rec.depth = "backward", True, len(rec.stack)
            rec.differentiated = bool(kwargs.get("create_graph", len(args) > 2 and args[2]))
        backward(tensors, *args, **kwargs)
        if not inner:  # operators after this pass, such as clipping, also count as backward
            rec.running = False
            state["counted"].clear()
            rec.note_gradients()
        if not optimizers and (rec is None or not inner):
            on_host(state, update_by_hand)

    torch.nn.Module.__init__, torch.optim.Optimizer.__init__, torch.autograd.backward = watched_init, watched_optimizer, watched_backward
    torch.nn.Module.__setstate__ = watched_load
    torch.autocast.__init__ = no_autocast
    zero_grads = [(owner, owner.zero_grad) for owner in (torch.optim.Optimizer, torch.nn.Module)]
    for owner, zero_grad in zero_grads:
        owner.zero_grad = released(zero_grad)
    for optimizer in used:
        watch(optimizer)
    try:
        with no_accelerator(state), one_process(), without_loading(state), without_compiler(state), scaled(state), as_on_a_gpu(), without_record_function(), \
                torch.backends.mkldnn.flags(enabled=False):  # mkldnn would run a recurrent layer as one operator
            try:
                run()
            # raised by a script that ends itself, for example because devices or files are missing
            except SystemExit as error:
                if error.code not in (None, 0):
                    raise
        if state["own_steps"] and state["recorder"] is not None:
            state["recorder"].storages.end()
            raise Done
        expected = f"a training loop of {unrecorded() + 1} steps" if optimizers else \
            "a training loop of 3 steps in this process, with an optimizer of torch.optim or an update of its own"
        raise SystemExit(f"nncost.capture: {what}: ended before the step that is recorded, expected {expected}")
    except Done:
        rec = state["recorder"]
        rec.__exit__(None, None, None)
        state["hooks"].__exit__(None, None, None)
        rec.close()
        for module, own in watched:
            del module.forward
            if own is not None:
                module.forward = own
        for handle in state["handles"]:
            handle.remove()
        state["undo"]()
        told = batch is not None
        if batch is None and any(state["samples"].values()):
            # with several models, one model may see each sample more than once
            batch = min(filter(None, state["samples"].values()))
        elif batch is None:  # the script calls only parts of the model
            batch = min(filter(None, rec.rows.values()), default=None)
        if batch is not None and not told:
            print(f"nncost.capture: {batch} samples in the step, by the first dimension of the model's first input; --batch states another number",
                  file=sys.stderr)
        elif batch is None:
            print("nncost.capture: the number of samples is not known, so the whole step counts as one; --batch states it", file=sys.stderr)
        notes = note_states(rec, optimizers)
        unknown = [type(o).__name__ for o in optimizers if not any(kind.__name__ in OPTIMIZERS for kind in type(o).__mro__)]
        if unknown:
            notes.append(f"the operators of {unknown[0]} are counted in backward, as recorded; the optimizer that nncost shows, sgd, stands for "
                         "its writes to the parameters")
        if state["autocast"]:
            notes.append(f"the step uses autocast in {state['autocast']}, which nncost applies to the step recorded in fp32; --policy fp32 leaves it out")
        if state.get("compile"):
            notes.append("the step uses torch.compile, which is recorded without it; --software torch-compile gives its time")
        updates = optimizer_kernels(optimizers, state["fused"], state["calls"])
        if not optimizers:
            notes.append("the program updates its parameters without an optimizer of torch.optim, which counts as sgd, one kernel for each parameter")
            own = [p for p in state["model"].parameters() if p.requires_grad]
            updates = {"optimizer": {"kernels": "loop", "groups": [["sgd", len(own), sum(numbers_of(p) for p in own), 1]]}}
        updates.update({"autocast": state["autocast"]} if state["autocast"] else {})
        return document(state["model"], rec, "real", batch, source, notes, updates)
    finally:
        torch.nn.Module.__init__, torch.optim.Optimizer.__init__, torch.autograd.backward = init, step_of, backward
        torch.nn.Module.__setstate__ = load
        torch.autocast.__init__ = autocast
        for owner, zero_grad in zero_grads:
            owner.zero_grad = zero_grad
        for optimizer in used:
            del optimizer.step


def capture_script(path, arguments, batch=None, **changes):
    """Runs a script until its second optimizer.step(). Records the step between the first and the second
    optimizer.step()."""
    argv, sys.argv = sys.argv, [path, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))  # the script may import files of its folder
    try:
        return record(lambda: runpy.run_path(path, run_name="__main__"), path, batch, {"script": os.path.basename(path)}, **changes)
    except KeyError as error:
        if error.args[0] not in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
            raise
        raise SystemExit(f"nncost.capture: {path}: expected the variables of torchrun, such as RANK=0 LOCAL_RANK=0 WORLD_SIZE=1; "
                         f"found no {error.args[0]}") from None
    finally:
        sys.argv = argv
        del sys.path[0]


def capture_calls(path, arguments, number, batch=None):
    """Runs a script until call `number` of a model without gradients, and records this call. In a loop that generates
    text, call 1 processes the prompt and computes the first token, and call 2 computes the second token"""
    import torch
    state = {"calls": 0, "inside": False, "fused": weakref.WeakSet(), "autocast": None}
    plain, autocast = torch.nn.Module.__call__, torch.autocast.__init__

    def no_autocast(self, device_type, dtype=None, enabled=True, **kwargs):
        if enabled:
            state["autocast"] = {torch.float16: "fp16", None: "fp16" if device_type == "cuda" else "bf16"}.get(dtype, "bf16")
        autocast(self, "cpu", enabled=False, **kwargs)

    def without_gradients(mode=True):
        """Replaces torch.inference_mode by torch.no_grad(), because inference_mode hides the operators inside of linear
        and other functions"""
        return torch.no_grad()(mode) if callable(mode) else torch.no_grad() if mode else contextlib.nullcontext()

    def called(self, *args, **kwargs):
        if state["inside"] or torch.is_grad_enabled() or not any(True for _ in self.parameters()):
            return plain(self, *args, **kwargs)
        state["calls"], state["inside"] = state["calls"] + 1, True
        try:
            if state["calls"] < number:
                return plain(self, *args, **kwargs)
            rows = batch or next((len(t) for t in flat_tensors([list(args), kwargs], []) if t.dim()), None)
            state["captured"] = forward_pass(self, lambda: plain(self, *args, **kwargs), rows, {"script": os.path.basename(path)})
            raise Done
        finally:
            state["inside"] = False

    argv, sys.argv = sys.argv, [path, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    try:
        with no_accelerator(), one_process(), without_compiler(state), as_on_a_gpu(), torch.backends.mkldnn.flags(enabled=False), \
                replaced((torch.nn.Module, "__call__", called), (torch.autocast, "__init__", no_autocast),
                         (torch, "inference_mode", without_gradients)):
            runpy.run_path(path, run_name="__main__")
        raise SystemExit(f"nncost.capture: {path}: ended after {state['calls']} call{'s' * (state['calls'] != 1)} of a model without gradients (torch.no_grad()), "
                         f"expected call {number}; --call N records another")
    except Done:
        captured = state["captured"]
    finally:
        sys.argv = argv
        del sys.path[0]
    if state["autocast"]:
        captured["autocast"] = state["autocast"]
        note = f"the pass uses autocast in {state['autocast']}, which nncost applies to the pass recorded in fp32; --policy fp32 leaves it out"
        captured["note"] = "; ".join(filter(None, [captured.get("note"), note]))
        print("nncost.capture: " + note, file=sys.stderr)
    if batch is None:
        print(f"nncost.capture: {captured['batch']} samples in the pass, by the first dimension of the model's first input; --batch states another number",
              file=sys.stderr)
    return captured


def capture_step(step, *, batch=None, source=None, **changes):
    """Calls step(), which runs forward, backward and optimizer.step(), and records the last of its calls. Returns the
    file as a dict."""
    import torch

    def alive(kind):
        return [o for o in gc.get_objects() if isinstance(o, kind)]
    used, optimizers = [], alive(torch.optim.Optimizer)
    for optimizer in optimizers:
        optimizer.step = lambda *a, own=optimizer, inner=optimizer.step, **k: (used.append(own) if own not in used else None, inner(*a, **k))[1]
    step()
    for optimizer in optimizers:
        del optimizer.step

    def run():
        for _ in range(3):
            step()
    return record(run, getattr(step, "__name__", "step"), batch, source, used, alive(torch.nn.Module), **changes)


FRAMES, BOXES = 16, 8  # frames in a clip of a video network; boxes in an image of a detection network


def torchvision_maker(name):
    """Returns the kind of a torchvision network and a function that creates it"""
    import torchvision
    for kind, options in (("segmentation", {"weights_backbone": None}), ("detection", {"weights_backbone": None}), ("video", {}), ("", {})):
        maker = getattr(getattr(torchvision.models, kind) if kind else torchvision.models, name, None)
        if callable(maker) and name.islower():
            return kind, functools.partial(maker, **options)
    raise SystemExit(f"nncost.capture: --network: torchvision has no network {name!r} of classes, segmentation, detection or video; "
                     "record a script that trains another network")


def torchvision_loss(kind, model, batch, image):
    """Returns two functions of a torchvision network on random samples: one computes the loss, the other calls the
    network without a loss"""
    import torch
    from torch.nn.functional import cross_entropy
    if kind == "detection":
        images, side = [torch.rand(3, image, image) for _ in range(batch)], image / 2
        corners = torch.arange(1, BOXES + 1).view(-1, 1) * torch.ones(1, 2) * side / (BOXES + 1)
        target = {"boxes": torch.cat([corners, corners + side], 1), "labels": torch.ones(BOXES, dtype=torch.int64),
                  "masks": torch.ones(BOXES, image, image, dtype=torch.uint8), "keypoints": torch.ones(BOXES, 17, 3) * side}
        return lambda: sum(model(images, [dict(target) for _ in images]).values()), lambda: model(images)
    x = torch.randn(batch, 3, *([FRAMES] if kind == "video" else []), image, image)
    y = torch.zeros((batch, image, image) if kind == "segmentation" else batch, dtype=torch.int64)

    def loss():
        out = model(x)
        return cross_entropy(out["out"] if kind == "segmentation" else out if isinstance(out, torch.Tensor) else out[0], y)
    return loss, lambda: model(x)


def torchvision_network(name, batch, image, fake, inference=False, **changes):
    """Records a torchvision network with its loss on random samples, or only its forward pass"""
    import torch
    import torchvision
    kind, maker = torchvision_maker(name)

    def made():
        model = maker()
        loss, call = torchvision_loss(kind, model, batch, image)
        return model, call if inference else loss

    source = {"network": f"torchvision:{name}", "torchvision": torchvision.__version__}
    call = capture_inference if inference else functools.partial(capture, optimizer="adamw", **changes)
    if not fake:
        try:
            return call(*made(), batch=batch, source=source)
        # The network refuses the images, for example because a batch norm gets one value, or because a map is smaller
        # than a kernel.
        except (ValueError, RuntimeError) as error:
            raise SystemExit(f"nncost.capture: --network: {name} does not run with --batch {batch} --image {image}, expected more images or "
                             f"larger ones: {str(error).splitlines()[0]}") from None
    from torch._subclasses.fake_tensor import FakeTensorMode
    try:
        with FakeTensorMode():
            return call(*made(), fake=True, batch=batch, source=source)
    except RuntimeError as error:  # in PyTorch 1.13, detach gets a number that autograd keeps as a float
        raise SystemExit(f"nncost.capture: --fake: PyTorch {torch.__version__} cannot run {name} on fake tensors, expected real ones "
                         f"(without --fake): {str(error).splitlines()[0]}") from None


def join(first, second):
    """Joins two captures of one program with different numbers of samples to one file. nncost interpolates between the
    two numbers"""
    names = [[(op["name"], op["phase"], op["repeat"]) for op in captured["ops"]] for captured in (first, second)]
    if names[0] != names[1] or first["parameters"] != second["parameters"]:
        raise SystemExit("nncost.capture: the two steps have different operators or parameters, expected one program")
    if None in (first["batch"], second["batch"]) or first["batch"] == second["batch"]:
        raise SystemExit("nncost.capture: expected two steps of different numbers of samples (--batch), found "
                         f"{first['batch']} and {second['batch']}")
    return {**first, "second": second}


def read(path):
    with open(path, encoding="utf-8") as file:
        captured = json.load(file)
    if captured.get("schema") != SCHEMA or "second" in captured:
        raise SystemExit(f"nncost.capture: {path}: expected one step, schema {SCHEMA}")
    return unpacked(captured)


def main():
    parser = argparse.ArgumentParser(prog="python3 -m nncost.capture", description="Records the operators of one training step of a PyTorch program as a file for nncost.")
    parser.add_argument("-o", "--output", default="step.json", help="file to write (step.json)")
    parser.add_argument("--network", help="torchvision:NAME in place of a script")
    parser.add_argument("--batch", help="samples of a step: of --network (2), or as the script has them; of --network also two such "
                        "as 2,8 for all between")
    parser.add_argument("--join", nargs=2, metavar="FILE", help="two captures of one program with different --batch, for all between")
    parser.add_argument("--image", type=int, default=224, help="pixels per side of --network (224)")
    parser.add_argument("--fake", action="store_true", help="fake tensors for --network: shapes without data")
    parser.add_argument("--inference", action="store_true", help="a forward pass without gradients in place of a training step")
    parser.add_argument("--call", type=int, metavar="NUMBER", help="with --inference, the call of the script's model that is recorded (2)")
    parser.add_argument("--checkpoint", action="append", default=[], metavar="PATTERN", help="checkpoint around the modules with such paths, as layers.*.attn")
    parser.add_argument("--freeze", action="append", default=[], metavar="PATTERN", help="do not train the modules with such paths")
    parser.add_argument("--adapter-rank", type=int, metavar="RANK", help="freeze the network and train adapters (LoRA) of this rank on its linear layers")
    parser.add_argument("--adapt", action="append", default=[], metavar="PATTERN", help="with --adapter-rank, linear layers (those in numbered lists)")
    parser.add_argument("script", nargs=argparse.REMAINDER, help="a training script and its arguments")
    args = parser.parse_args()
    if [bool(args.network), bool(args.script), bool(args.join)].count(True) != 1:
        parser.error("expected a script, --network or --join")
    if args.script and not os.path.exists(args.script[0]):
        parser.error(f"expected a training script, found no file {args.script[0]!r}")
    if not args.join and importlib.util.find_spec("torch") is None:
        raise SystemExit(f"nncost.capture: PyTorch is missing for {sys.executable}, expected a Python that can import torch")
    sizes = (args.batch or "").split(",")
    if args.batch and (not all(size.isdigit() and int(size) > 0 for size in sizes) or len(sizes) > (2 if args.network else 1)):
        parser.error(f"--batch: expected a number of samples, of --network also two, found {args.batch!r}")
    batches = [int(size) for size in sizes if size]
    if (args.adapter_rank is not None and args.adapter_rank < 1) or (args.adapt and not args.adapter_rank):
        parser.error(f"--adapter-rank: expected a rank of 1 or more, found {args.adapter_rank}")
    if args.inference and (args.checkpoint or args.freeze or args.adapter_rank):
        parser.error("--inference: a forward pass trains no module, expected neither --checkpoint, --freeze nor --adapter-rank")
    if args.call is not None and (not args.inference or not args.script or args.call < 1):
        parser.error(f"--call: expected a number of 1 or more, with --inference and a script, found {args.call}")
    changes = {"checkpoint": args.checkpoint, "freeze": args.freeze, "adapters": (args.adapter_rank, args.adapt) if args.adapter_rank else None}
    if args.join:
        captured = join(*(read(path) for path in args.join))
    elif args.network:
        library, _, name = args.network.partition(":")
        if library != "torchvision":
            parser.error(f"--network: expected torchvision:NAME, found {args.network!r}")
        steps = [torchvision_network(name, batch, args.image, args.fake, args.inference, **changes) for batch in batches or [2]]
        captured = steps[0] if len(steps) == 1 else join(*steps)
    elif args.inference:
        captured = capture_calls(args.script[0], args.script[1:], args.call or 2, batches[0] if batches else None)
    else:
        captured = capture_script(args.script[0], args.script[1:], batches[0] if batches else None, **changes)
    write(args.output, captured)
    kernels = sum(op["repeat"] for op in captured["ops"])
    print(f"{args.output}: {kernels} operators, {len(captured['ops'])} of them written, {captured['parameters']['count']} parameters")


class Callable(types.ModuleType):
    """nncost.capture(step) is nncost.capture.capture_step(step)"""
    def __call__(self, step, **options):
        return capture_step(step, **options)


sys.modules[__name__].__class__ = Callable

if __name__ == "__main__":
    main()
