#!/usr/bin/env python3
"""torchvision_counts.py: prints parameters and multiply-adds of torchvision's classification networks as CSV.

The output is tests/published/torchvision_counts.csv. The counts are multiply-adds of convolutions and linear layers in
the forward pass of one image, including auxiliary classifiers that a network has only in training. For transformers,
the script also counts attention. Needs PyTorch and torchvision."""
import sys
import warnings

import torch
import torchvision
from torch.utils._python_dispatch import TorchDispatchMode

SIDES = {"inception_v3": 299, "swin_v2_t": 256, "swin_v2_s": 256, "swin_v2_b": 256}
TRANSFORMERS = ("vit_", "swin_", "maxvit_")  # some matrix products of these networks are function calls, not modules


class Products(TorchDispatchMode):
    """Counts the multiply-adds of all products and convolutions that PyTorch dispatches"""

    def __init__(self):
        super().__init__()
        self.total = 0

    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        output = function(*arguments, **(keywords or {}))
        name = function._schema.name
        if name in ("aten::mm", "aten::bmm"):
            self.total += output.numel() * arguments[0].shape[-1]
        elif name == "aten::addmm":
            self.total += output.numel() * arguments[1].shape[-1]
        elif name == "aten::convolution":
            self.total += output.numel() * arguments[1].numel() // arguments[1].shape[0]
        return output


def dispatched(net, side):
    with Products() as counted:
        # gradients are enabled, because without them attention is one fused operator
        net(torch.zeros(1, 3, side, side))
    return counted.total


def multiply_adds(net, side):
    total = 0

    def count(module, _, output):
        nonlocal total
        weight = module.weight
        total += output.numel() * weight.numel() // weight.shape[0]

    for module in net.modules():
        if isinstance(module, (torch.nn.Conv2d, torch.nn.Linear)):
            module.register_forward_hook(count)
    with torch.no_grad():
        # two images, because a norm in training refuses a batch with a single value per channel
        net.to("meta")(torch.zeros(2, 3, side, side, device="meta"))
    return total // 2


def main():
    warnings.simplefilter("ignore")
    print("name,image_size,params,multiply_adds")
    for name in sys.argv[1:]:
        special = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
        net = getattr(torchvision.models, name)(**special)
        side = SIDES.get(name, 224)
        params = sum(p.numel() for p in net.parameters())
        macs = dispatched(net.eval(), side) if name.startswith(TRANSFORMERS) else multiply_adds(net, side)
        print(f"{name},{side},{params},{macs}", flush=True)


if __name__ == "__main__":
    main()
