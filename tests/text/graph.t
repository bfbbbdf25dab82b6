# A graph is a model file that lists its ops. The commands print the description and the ops of a graph, and change one
# of its named constants (width).
$ nncost estimate inputs/rings.json round --full --full --micro-batch 10
model     inputs/rings.json = rings, Rings, graph, 3,900 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 10, image 8, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

step      1.175 us
          open: --contiguous-maps +0 to +71% of the step
          lower bound for any software: 476.7 ns; without any overlap the step takes 1.399 us
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  memory 99.5% of the step, compute 0.5%,
          if memory traffic took no time, the step would take 230.9 ns

part          time  share    group           time  share
forward   435.3 ns  37.1%    norm        512.0 ns  43.6%
backward  622.5 ns  53.0%    conv        517.3 ns  44.0%
update    117.0 ns  10.0%    resample    26.00 ns   2.2%
                             head        1.820 ns   0.2%
                             loss       0.6000 ns   0.1%
                             optimizer   117.0 ns  10.0%

rate      8,512,522 samples/s, MFU 12.0%, HFU 12.0% of 100.0 TFLOP/s, FLOPs as in palm
work      model 14.06 MFLOP, executed 14.06 MFLOP, memory traffic 1.168 MB

memory           size  of device
weights      7.800 kB       0.0%
gradients    7.800 kB       0.0%
optimizer    46.80 kB       0.0%  states and master weights
activations  167.2 kB       0.0%  kept for backward
transient    25.60 kB       0.0%  gradients of activations
not at once  4.820 kB       0.0%  gradients grow while activations are freed
total     260.0 kB (253.93 KiB) of 10.00 GB (9.31 GiB), 0.0%: fits, 10.00 GB free

cost      1 USD per device-hour (nowhere, 2020-01), 3.263e-10 USD per step,
          3.263e-08 USD per thousand samples
$ nncost ops inputs/rings.json round --micro-batch 10
model     inputs/rings.json = rings, Rings, graph, 3,900 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 10, image 8, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

op          phase       rep shape                kept   FLOPs   bytes FLOP/B      time share bound
block.conv  forward       1 n=10 c=1->10 8x..       - 115.2 k 14.26 k  8.079  14.26 ns  1.2% memory
block.norm  forward       1 rows=10 width=640 12.88 k 51.20 k 38.40 k  1.333  38.40 ns  3.3% memory
block.act   forward       1 elements=6400     12.80 k 6.400 k       0      - 0.6400 ns  0.1% compute
block.conv  forward       1 n=10 c=10->10 8..       - 1.152 M 27.40 k  42.04  27.40 ns  2.3% memory
block.norm  forward       1 rows=10 width=640 12.88 k 51.20 k 38.40 k  1.333  38.40 ns  3.3% memory
block.act   forward       1 elements=6400     12.80 k 6.400 k       0      - 0.6400 ns  0.1% compute
add         forward       1 elements=6400           - 6.400 k 25.60 k   0.25  25.60 ns  2.2% memory
block.conv  forward       3 n=10 c=10->10 8.. 12.80 k 1.152 M 27.40 k  42.04  27.40 ns  7.0% memory
block.norm  forward       3 rows=10 width=640 12.88 k 51.20 k 38.40 k  1.333  38.40 ns  9.8% memory
block.act   forward       3 elements=6400     12.80 k 6.400 k       0      - 0.6400 ns  0.2% compute
add         forward       3 elements=6400           - 6.400 k 25.60 k   0.25  25.60 ns  6.5% memory
global_pool forward       1 elements=100            - 6.500 k 13.00 k    0.5  13.00 ns  1.1% memory
linear      forward       1 m=10 n=10 k=10      200.0 2.100 k   620.0  3.387 0.6200 ns  0.1% memory
loss        forward       1 rows=10 classes..   200.0   500.0   200.0    2.5 0.2000 ns  0.0% memory
loss        backward      1 rows=10 classes..       -   200.0   400.0    0.5 0.4000 ns  0.0% memory
linear      grad_input    1 m=10 n=10 k=10          - 2.000 k   600.0  3.333 0.6000 ns  0.1% memory
linear      grad_weight   1 m=10 n=10 k=10          - 2.100 k   600.0    3.5 0.6000 ns  0.1% memory
global_pool backward      1 elements=100            - 6.500 k 13.00 k    0.5  13.00 ns  1.1% memory
add         backward      3 elements=6400           - 6.400 k 12.80 k    0.5  12.80 ns  3.3% memory
block.act   backward      3 elements=6400           - 6.400 k       0      - 0.6400 ns  0.2% compute
block.norm  backward      3 rows=10 width=640       - 89.60 k 64.00 k    1.4  64.00 ns 16.3% memory
block.conv  grad_input    3 n=10 c=10->10 8..       - 1.152 M 27.40 k  42.04  27.40 ns  7.0% memory
block.conv  grad_weight   3 n=10 c=10->10 8..       - 1.152 M 27.40 k  42.04  27.40 ns  7.0% memory
add         backward      1 elements=6400           - 6.400 k 12.80 k    0.5  12.80 ns  1.1% memory
block.act   backward      1 elements=6400           - 6.400 k       0      - 0.6400 ns  0.1% compute
block.norm  backward      1 rows=10 width=640       - 89.60 k 64.00 k    1.4  64.00 ns  5.4% memory
block.conv  grad_input    1 n=10 c=10->10 8..       - 1.152 M 27.40 k  42.04  27.40 ns  2.3% memory
block.conv  grad_weight   1 n=10 c=10->10 8..       - 1.152 M 27.40 k  42.04  27.40 ns  2.3% memory
block.act   backward      1 elements=6400           - 6.400 k       0      - 0.6400 ns  0.1% compute
block.norm  backward      1 rows=10 width=640       - 89.60 k 64.00 k    1.4  64.00 ns  5.4% memory
block.conv  grad_weight   1 n=10 c=1->10 8x..       - 115.2 k 14.26 k  8.079  14.26 ns  1.2% memory
grad.clip   update        1 params=3900             - 7.800 k 7.800 k      1  7.800 ns  0.7% memory
optimizer   update        1 params=3900             - 62.40 k 109.2 k 0.5714  109.2 ns  9.3% memory
cut: shape (a width of 100, see COLUMNS)

step      14.06 MFLOP executed, 903.3 kFLOP on the vector units, 1.168 MB moved, 1.175 us, memory
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

# The user may give another image size if the shapes of all ops agree with this size. The repeated layers are divided
# over pipeline stages. Tensor ranks can divide only linear layers that the file marks with a split.
$ nncost estimate inputs/rings.json round --full --full --image 16 | sed -n 3p
plan      batch 1, image 16, bf16, policy mixed, adamw, flash attention, recompute none,
$ nncost estimate inputs/rings.json round --full --full --pipeline 2
model     inputs/rings.json = rings, Rings, graph, 3,900 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
links     switch of 8 at 100.0 GB/s
plan      2 devices = pipeline 2, 1f1b
          batch 1, image 8, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

step      184.6 ns, busiest stage 0 of 2
          open: --overlap +0 to +1097%, --contiguous-maps +0 to +45% of the step
          lower bound for any software: 114.8 ns; without any overlap the step takes 2.235 us
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  memory 68.4% of the step, bubble 31.4%,
          if memory traffic took no time, the step would take 25.90 ns

part          time  share    group          time  share
forward   27.14 ns  14.7%    norm       30.72 ns  16.6%
backward  40.98 ns  22.2%    conv       37.40 ns  20.3%
update    58.50 ns  31.7%    optimizer  58.50 ns  31.7%
bubble    57.98 ns  31.4%    bubble     57.98 ns  31.4%

network   pipeline 0 s exposed of 1.013 us
bubble    57.98 ns, 45.8% of the busy time, 31.4% of the step

rate      5,417,235 samples/s, MFU 3.8%, HFU 3.8% of 100.0 TFLOP/s, FLOPs as in palm
          per device 3.808 TFLOP/s
work      model 1.406 MFLOP, executed 1.406 MFLOP, memory traffic 126.2 kB per device

memory           size  of device
weights      3.900 kB       0.0%
gradients    3.900 kB       0.0%
optimizer    23.40 kB       0.0%  states and master weights
activations  9.200 kB       0.0%  kept for backward
transient    2.560 kB       0.0%  gradients of activations
total     on the fullest stage 0: 42.96 kB (41.95 KiB) of 10.00 GB (9.31 GiB), 0.0%:
          fits, 10.00 GB free

cost      1 USD per device-hour (nowhere, 2020-01), 1.026e-10 USD per step of all 2 devices,
          1.026e-07 USD per thousand samples
$ nncost estimate inputs/rings.json round --tensor 2
! nncost: --tensor: no linear layer of rings is marked with a split, expected 1, found 2
[3]
$ nncost estimate inputs/rings.json round --seq-len 10
! nncost: --seq-len: a graph takes images, not tokens
[3]
$ nncost estimate inputs/rings.json round --set depth=2
! nncost: --set depth: no such field of plan, model or device
[2]

# The message about a fault names the op and the dimension.
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
! nncost: mine.json:7: input: let odd: "width/3": expected a whole number, found a division with a remainder, or a result out of range
[3]
