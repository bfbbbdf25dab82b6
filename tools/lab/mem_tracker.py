#!/usr/bin/env python3
"""Computes memory peaks of training steps with PyTorch's MemTracker, and captures the same steps.

    usage: mem_tracker.py FOLDER            needs PyTorch 2.5 or later and torchvision

The steps train networks of torchvision with cross-entropy and fused AdamW. For each network, prints the peak that
torch.distributed._tools.mem_tracker.MemTracker finds with fake tensors, and writes the captured step to
FOLDER/NAME.json. tests/library_captures.py compares the peaks of PyTorch 2.6 with the peaks that nncost predicts.
"""
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import torch  # noqa: E402
import torchvision  # noqa: E402
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402
from torch.distributed._tools.mem_tracker import MemTracker  # noqa: E402
from nncost import capture  # noqa: E402

NETWORKS = [("resnet50", 2), ("mobilenet_v3_large", 2), ("vit_b_16", 1), ("swin_t", 1), ("densenet121", 2)]


def peak(name, batch):
    with FakeTensorMode():
        model = getattr(torchvision.models, name)()
        x, y = torch.randn(batch, 3, 224, 224), torch.zeros(batch, dtype=torch.int64)
        optimizer = torch.optim.AdamW(model.parameters(), fused=True)

        def step():
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        step()
        tracker = MemTracker()
        tracker.track_external(model, optimizer)
        with tracker:
            step()
    return next(iter(tracker.get_tracker_snapshot("peak").values()))["Total"]


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    for name, batch in NETWORKS:
        print(torch.__version__, name, batch, peak(name, batch))
        capture.write(Path(sys.argv[1]) / f"{name}.json", capture.torchvision_network(name, batch, 224, False))


if __name__ == "__main__":
    main()
