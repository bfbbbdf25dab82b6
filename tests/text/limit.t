# 'nncost limit --of tensor' finds the largest tensor degree at which the network does not bound the step.
$ nncost limit dense round --of tensor
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
links     switch of 8 at 100.0 GB/s
plan      4 devices = tensor 4
          batch 1, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

limit     tensor 4, larger degrees are bound by network
formula   network_s <= other bounds; MLPs alone: tensor <= F W / C

size  micro-batch  sequence   compute    memory   network      step  bound    memory fits
   1            1      1000  6.921 ms  4.946 ms       0 s  10.80 ms  compute  fits
   2            1      1000  3.460 ms  2.593 ms  680.1 us  6.309 ms  compute  fits
   4            1      1000  1.730 ms  1.416 ms  1.020 ms  4.170 ms  compute  fits
   8            1      1000  865.1 us  827.9 us  1.190 ms  3.206 ms  network  fits
$ nncost limit dense round --of tensor --set scale_up.bytes_per_s=3e11 --format json | grep -E '"(limit|bound_by|reason)"'
  "limit": 8,
  "bound_by": "plan",
  "reason": "heads 8 cannot be divided over 16 ranks, expected 8",

# --of data finds the smallest number of tokens per device at which the network does not bound the step. The curve is
# printed as a table.
$ nncost limit dense round --of data --devices 16 --zero 3
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
links     switch of 8 at 100.0 GB/s, network 10.00 GB/s per device
plan      16 devices = data 16, ZeRO 3
          batch 16 = 1 micro-batch of 1 x data 16, sequence 825, bf16, policy mixed, adamw,
          flash attention, recompute none, software torch-compile (chosen for this plan),
          mode predicted

limit     825 tokens per device, fewer tokens are bound by network
formula   network_s <= other bounds; matrices alone: tokens >= C / W

size  micro-batch  sequence   compute    memory   network      step  bound    memory fits
 800            1       800  5.447 ms  1.714 ms  5.623 ms  10.84 ms  network  fits
 816            1       816  5.563 ms  1.732 ms  5.623 ms  10.85 ms  network  fits
 824            1       824  5.621 ms  1.741 ms  5.623 ms  10.85 ms  network  fits
 825            1       825  5.629 ms  1.742 ms  5.623 ms  10.85 ms  compute  fits
 826            1       826  5.636 ms  1.743 ms  5.623 ms  10.85 ms  compute  fits
 828            1       828  5.650 ms  1.745 ms  5.623 ms  10.85 ms  compute  fits
 832            1       832  5.680 ms  1.749 ms  5.623 ms  10.86 ms  compute  fits
$ nncost limit dense round --of data --devices 16 --zero 3 --format csv | tail -3
832,1,832,0.00567963136,0.001749492038,0.005623065,0.01085662375,compute,fits\r
896,1,896,0.00614863872,0.001819686214,0.005623065,0.01089950375,compute,fits\r
25000,25,1000,0.173014,0.02825656775,0.005623065,0.19153799375,compute,fits\r

# Prints the limit of the context degree as JSON.
$ nncost limit dense round --of context --format json | grep -E '"(limit|unit|bound_by|reason|formula)"'
  "limit": 4,
  "unit": null,
  "bound_by": "network",
  "reason": null,
  "formula": "network_s <= other bounds; a ring alone: context - 1 <= (2 P + 4 s h) W / (2 k b C)",

# Prints the limit of the batch of a network for images.
$ nncost limit unet round --of batch --format markdown
- **model**: unet, A small diffusion U-Net, unet, 9,546,304 parameters
- **device**: round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
- **plan**: batch 3, image 256, bf16, policy mixed, adamw, flash attention, recompute none, software torch-compile (chosen for this plan), mode predicted

- **limit**: 3 images per device, fewer tokens are bound by memory
- **formula**: compute_s >= other bounds; matrices alone: tokens >= b C / (2 M)

| size | micro-batch | sequence | compute | memory | network | step | bound | memory fits |
|---:|---:|---:|---:|---:|---:|---:|:---|:---|
| 1 | 1 | - | 196.9 us | 411.6 us | 0 s | 554.1 us | memory | fits |
| 2 | 2 | - | 393.8 us | 480.1 us | 0 s | 809.8 us | memory | fits |
| 3 | 3 | - | 590.6 us | 548.6 us | 0 s | 1.066 ms | compute | fits |
| 4 | 4 | - | 787.5 us | 617.1 us | 0 s | 1.323 ms | compute | fits |

# If memory bounds the step at every batch, there is no limit.
$ nncost limit unet round --of batch --set device.mem_bytes_per_s=2e11 --lenient --format json | grep -E '"(limit|bound_by)"'
  "limit": null,
  "bound_by": "memory",

# Tests wrong command lines.
$ nncost limit dense round
! nncost: --of: missing, expected tensor, context, data or batch
[2]
$ nncost limit dense round --of tensors
! nncost: --of: unknown value, expected one of tensor, context, data, batch, found "tensors"
[2]
$ nncost limit dense round --of data
! nncost: --data: a single data rank does not communicate, expected --data or --devices above 1
[3]
