# A network as a list of ops: what it is, its ops, a number of its own changed.
$ nncost estimate inputs/rings.json round --full --full --micro-batch 10
model     inputs/rings.json = rings, Rings, graph, 3,900 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 10, image 8, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

step      1.488 us
          no software is faster than 476.7 ns; without any overlap it takes 1.719 us
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  memory 100.0% of the step, without the memory limit it would take 230.9 ns

part          time  share    group           time  share
forward   560.1 ns  37.6%    norm        512.0 ns  34.4%
backward  811.3 ns  54.5%    conv        830.9 ns  55.8%
update    117.0 ns   7.9%    resample    26.00 ns   1.7%
                             head        1.820 ns   0.1%
                             loss       0.6000 ns   0.0%
                             optimizer   117.0 ns   7.9%

rate      6,718,895 samples/s, MFU 9.4%, HFU 9.4% of 100.0 TFLOP/s, FLOPs as in palm
work      model 14.06 MFLOP, executed 14.06 MFLOP, memory traffic 1.488 MB

memory           size  of device
weights      7.800 kB       0.0%
gradients    7.800 kB       0.0%
optimizer    46.80 kB       0.0%  states and master weights
activations  167.2 kB       0.0%  kept for backward
transient    25.60 kB       0.0%  gradients of activations
not at once  4.820 kB       0.0%  gradients grow while activations are freed
total     260.0 kB (253.93 KiB) of 10.00 GB (9.31 GiB), 0.0%: fits, 10.00 GB free

cost      1 USD per device-hour (nowhere, 2020-01), 4.134e-10 USD per step,
          4.134e-08 USD per thousand samples
$ nncost ops inputs/rings.json round --micro-batch 10
model     inputs/rings.json = rings, Rings, graph, 3,900 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 10, image 8, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

op          phase       rep shape                 kept   FLOPs   bytes FLOP/B      time share bound
block.conv  forward       1 n=10 c=1->10 8x8..       - 115.2 k 14.26 k  8.079  14.26 ns  1.0% memory
block.norm  forward       1 rows=10 width=640  12.88 k 51.20 k 38.40 k  1.333  38.40 ns  2.6% memory
block.act   forward       1 elements=6400      12.80 k 6.400 k 25.60 k   0.25  25.60 ns  1.7% memory
block.conv  forward       1 n=10 c=10->10 8x..       - 1.152 M 27.40 k  42.04  27.40 ns  1.8% memory
block.norm  forward       1 rows=10 width=640  12.88 k 51.20 k 38.40 k  1.333  38.40 ns  2.6% memory
block.act   forward       1 elements=6400      12.80 k 6.400 k 25.60 k   0.25  25.60 ns  1.7% memory
add         forward       1 elements=6400            - 6.400 k 25.60 k   0.25  25.60 ns  1.7% memory
block.conv  forward       3 n=10 c=10->10 8x.. 12.80 k 1.152 M 27.40 k  42.04  27.40 ns  5.5% memory
block.norm  forward       3 rows=10 width=640  12.88 k 51.20 k 38.40 k  1.333  38.40 ns  7.7% memory
block.act   forward       3 elements=6400      12.80 k 6.400 k 25.60 k   0.25  25.60 ns  5.2% memory
add         forward       3 elements=6400            - 6.400 k 25.60 k   0.25  25.60 ns  5.2% memory
global_pool forward       1 elements=100             - 6.500 k 13.00 k    0.5  13.00 ns  0.9% memory
linear      forward       1 m=10 n=10 k=10       200.0 2.100 k   620.0  3.387 0.6200 ns  0.0% memory
loss        forward       1 rows=10 classes=10   200.0   500.0   200.0    2.5 0.2000 ns  0.0% memory
loss        backward      1 rows=10 classes=10       -   200.0   400.0    0.5 0.4000 ns  0.0% memory
linear      grad_input    1 m=10 n=10 k=10           - 2.000 k   600.0  3.333 0.6000 ns  0.0% memory
linear      grad_weight   1 m=10 n=10 k=10           - 2.100 k   600.0    3.5 0.6000 ns  0.0% memory
global_pool backward      1 elements=100             - 6.500 k 13.00 k    0.5  13.00 ns  0.9% memory
add         backward      3 elements=6400            - 6.400 k 12.80 k    0.5  12.80 ns  2.6% memory
block.act   backward      3 elements=6400            - 6.400 k 38.40 k 0.1667  38.40 ns  7.7% memory
block.norm  backward      3 rows=10 width=640        - 89.60 k 64.00 k    1.4  64.00 ns 12.9% memory
block.conv  grad_input    3 n=10 c=10->10 8x..       - 1.152 M 27.40 k  42.04  27.40 ns  5.5% memory
block.conv  grad_weight   3 n=10 c=10->10 8x..       - 1.152 M 27.40 k  42.04  27.40 ns  5.5% memory
add         backward      1 elements=6400            - 6.400 k 12.80 k    0.5  12.80 ns  0.9% memory
block.act   backward      1 elements=6400            - 6.400 k 38.40 k 0.1667  38.40 ns  2.6% memory
block.norm  backward      1 rows=10 width=640        - 89.60 k 64.00 k    1.4  64.00 ns  4.3% memory
block.conv  grad_input    1 n=10 c=10->10 8x..       - 1.152 M 27.40 k  42.04  27.40 ns  1.8% memory
block.conv  grad_weight   1 n=10 c=10->10 8x..       - 1.152 M 27.40 k  42.04  27.40 ns  1.8% memory
block.act   backward      1 elements=6400            - 6.400 k 38.40 k 0.1667  38.40 ns  2.6% memory
block.norm  backward      1 rows=10 width=640        - 89.60 k 64.00 k    1.4  64.00 ns  4.3% memory
block.conv  grad_weight   1 n=10 c=1->10 8x8..       - 115.2 k 14.26 k  8.079  14.26 ns  1.0% memory
grad.clip   update        1 params=3900              - 7.800 k 7.800 k      1  7.800 ns  0.5% memory
optimizer   update        1 params=3900              - 62.40 k 109.2 k 0.5714  109.2 ns  7.3% memory
cut: shape (a width of 100, see COLUMNS)

step      14.06 MFLOP executed, 903.3 kFLOP on the vector units, 1.488 MB moved, 1.488 us, memory
$ nncost estimate inputs/rings.json round --full --full --set width=20 | head -1
model     inputs/rings.json = rings, Rings, graph, 14,990 parameters
$ nncost show inputs/rings.json
model     inputs/rings.json

field             value  unit
id                rings
name              Rings
family            graph
published_params  -
image             8
width             10
layers            4

source    made up: 10 x 1 x 9 + 20, 4 times 10 x 10 x 9 + 20, 10 x 10 + 10 = 3,900 parameters
$ nncost explain params inputs/rings.json round
model     inputs/rings.json = rings, Rings, graph, 3,900 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 1, image 8, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

params            Parameters of the model.
                  = params_by_group.norm + params_by_group.conv + params_by_group.head
                  = 100 + 3690 + 110
                  = 3900
  source          the tensors of the op list, each counted once

# Its images may be of another size, if its ops agree; its turns fill stages, its marks divide.
$ nncost estimate inputs/rings.json round --full --full --image 16 | sed -n 3p
plan      batch 1, image 16, bf16, policy mixed, adamw, flash attention, recompute none,
$ nncost estimate inputs/rings.json round --full --full --pipeline 2
model     inputs/rings.json = rings, Rings, graph, 3,900 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
links     switch of 8 at 100.0 GB/s
plan      2 devices = pipeline 2, 1f1b
          batch 1, image 8, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

step      216.0 ns, busiest stage 0 of 2
          open: --overlap +0 to +938% of the step
          no software is faster than 114.8 ns; without any overlap it takes 2.267 us
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  memory 67.3% of the step, bubble 32.7%, without the memory limit it would take 25.90 ns

part          time  share    group          time  share
forward   34.63 ns  16.0%    norm       30.72 ns  14.2%
backward  52.31 ns  24.2%    conv       56.22 ns  26.0%
update    58.50 ns  27.1%    optimizer  58.50 ns  27.1%
bubble    70.52 ns  32.7%    bubble     70.52 ns  32.7%

network   pipeline 0 s exposed of 1.013 us
bubble    70.52 ns, 48.5% of the busy time, 32.7% of the step

rate      4,630,573 samples/s, MFU 3.3%, HFU 3.3% of 100.0 TFLOP/s, FLOPs as in palm
          per device 3.255 TFLOP/s
work      model 1.406 MFLOP, executed 1.406 MFLOP, memory traffic 145.4 kB per device

memory           size  of device
weights      3.900 kB       0.0%
gradients    3.900 kB       0.0%
optimizer    23.40 kB       0.0%  states and master weights
activations  9.200 kB       0.0%  kept for backward
transient    2.560 kB       0.0%  gradients of activations
total     on the fullest stage 0: 42.96 kB (41.95 KiB) of 10.00 GB (9.31 GiB), 0.0%:
          fits, 10.00 GB free

cost      1 USD per device-hour (nowhere, 2020-01), 1.2e-10 USD per step of all 2 devices,
          1.2e-07 USD per thousand samples
$ nncost estimate inputs/rings.json round --tensor 2
! nncost: --tensor: no linear layer of rings is marked with a split, expected 1, found 2
[3]
$ nncost estimate inputs/rings.json round --seq-len 10
! nncost: --seq-len: a graph takes images, not tokens
[3]
$ nncost estimate inputs/rings.json round --set depth=2
! nncost: --set depth: no such field of plan, model or device
[2]

# Faults name the op and the dimension.
$ sed -e "s/\"rings\"/\"mine\"/" -e 's/"pad": 1/"pad": 0/' inputs/rings.json > mine.json; nncost estimate mine.json round
! nncost: mine.json: ops[1].ops[2]: add: expected equal shapes, or one value per channel, found 10 x 4 x 4 and 10 x 6 x 6
[3]
$ sed -e "s/\"rings\"/\"mine\"/" -e 's/"op": "act"/"op": "activate"/' inputs/rings.json > mine.json; nncost estimate mine.json round
! nncost: mine.json:12: define.block.ops[2].op: unknown op, found activate
[3]
$ sed -e "s/\"rings\"/\"mine\"/" -e 's/"with": "x"/"with": "z"/' inputs/rings.json > mine.json; nncost estimate mine.json round
! nncost: mine.json: ops[1].ops[2]: no tensor is called "z" here
[3]
$ sed -e "s/\"rings\"/\"mine\"/" -e 's/"width": 10/"width": 10, "odd": "width\/3"/' inputs/rings.json > mine.json; nncost estimate mine.json round
! nncost: mine.json:7: input: let odd: "width/3": expected a whole number, found a division that leaves a rest, or a result out of range
[3]
