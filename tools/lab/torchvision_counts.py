#!/usr/bin/env python3
"""torchvision_counts.py: prints parameters and multiply-adds of torchvision's classification networks as CSV.

The output is tests/published/torchvision_counts.csv. Multiply-adds are those of convolutions and linear layers in the forward pass
of one image, auxiliary classifiers of a network in training included. Needs PyTorch and torchvision."""
import sys
import warnings

import torch
import torchvision

SIDES = {"inception_v3": 299}
TRANSFORMERS = ("vit_", "swin_")  # some of their products are functions, not modules, so they have no count here


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
        net.to("meta")(torch.zeros(2, 3, side, side, device="meta"))  # two images: norms in training refuse one value
    return total // 2


def main():
    warnings.simplefilter("ignore")
    print("name,image_size,params,multiply_adds")
    for name in sys.argv[1:]:
        special = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
        net = getattr(torchvision.models, name)(**special)
        side = SIDES.get(name, 224)
        params = sum(p.numel() for p in net.parameters())
        macs = "" if name.startswith(TRANSFORMERS) else multiply_adds(net, side)
        print(f"{name},{side},{params},{macs}", flush=True)


if __name__ == "__main__":
    main()
