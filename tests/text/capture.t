# A captured program stands wherever a model does: its step, its operators, another device.
$ nncost estimate inputs/captured.json round --full --full
model     inputs/captured.json = captured, captured, capture, 184,896 parameters
device    round, A device of round figures, 10.00 TFLOP/s fp32, 1.000 TB/s, ridge 10 FLOP/B
plan      batch 2, sequence 32, fp32, policy fp32, adamw, flash attention, recompute none,
          software torch-eager (chosen for this plan), mode predicted

step      18.08 us
          no software is faster than 10.93 us; without any overlap it takes 23.42 us
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  memory 65.2% of the step, compute 34.8%, without the memory limit it would take 7.059 us

part          time  share    group          time  share
forward   4.699 us  26.0%    embedding  149.0 ns   0.8%
backward  8.203 us  45.4%    attention  1.671 us   9.2%
update    5.177 us  28.6%    mlp        9.375 us  51.9%
                             norm       886.3 ns   4.9%
                             resample   294.9 ns   1.6%
                             loss       525.3 ns   2.9%
                             optimizer  5.177 us  28.6%

rate      3,540,117 tokens/s, 110,629 samples/s, MFU 37.4%,
          HFU 37.4% of 10.00 TFLOP/s, FLOPs as in palm
work      model 67.63 MFLOP, executed 67.63 MFLOP, 6ND 63.92 MFLOP, memory traffic 16.37 MB

memory            size  of device
weights       739.6 kB       0.0%
gradients     739.6 kB       0.0%
optimizer     1.479 MB       0.0%  states and master weights
activations   987.4 kB       0.0%  kept for backward
transient     147.5 kB       0.0%  gradients of activations
not at once  -706.6 kB      -0.0%  gradients grow while activations are freed
total     3.387 MB (3.23 MiB) of 10.00 GB (9.31 GiB), 0.0%: fits, 9.997 GB free

cost      1 USD per device-hour (nowhere, 2020-01), 5.022e-09 USD per step,
          7.847e-05 USD per million tokens
$ nncost ops inputs/captured.json round
model     inputs/captured.json = captured, captured, capture, 184,896 parameters
device    round, A device of round figures, 10.00 TFLOP/s fp32, 1.000 TB/s, ridge 10 FLOP/B
plan      batch 2, sequence 32, fp32, policy fp32, adamw, flash attention, recompute none,
          software torch-eager (chosen for this plan), mode predicted

op                                        phase    rep   FLOPs   bytes        time share bound
words.embedding                           forward    1       0 33.28 k    33.28 ns  0.2% memory
arange                                    forward    1       0   256.0   0.2560 ns  0.0% memory
places.embedding                          forward    1       0 16.64 k    16.64 ns  0.1% memory
add                                       forward    1       0 40.96 k    40.96 ns  0.2% memory
layers.0.norm1.native_layer_norm          forward    3       0 33.79 k    33.79 ns  0.6% memory
layers.0.qkv.addmm                        forward    3 1.585 M 115.5 k    157.3 ns  2.6% compute
layers.0.clone                            forward    3       0 32.77 k    32.77 ns  0.5% memory
layers.0.clone                            forward    3       0 32.77 k    32.77 ns  0.5% memory
layers.0.bmm                              forward    3 262.1 k 65.54 k    65.54 ns  1.1% memory
layers.0.div                              forward    3       0 65.54 k    65.54 ns  1.1% memory
layers.0.add                              forward    3       0 69.63 k    69.63 ns  1.2% memory
layers.0._softmax                         forward    3       0 65.54 k    65.54 ns  1.1% memory
layers.0.clone                            forward    3       0 32.77 k    32.77 ns  0.5% memory
layers.0.bmm                              forward    3 262.1 k 65.54 k    65.54 ns  1.1% memory
layers.0.clone                            forward    3       0 32.77 k    32.77 ns  0.5% memory
layers.0.out.addmm                        forward    3 528.4 k 49.41 k    52.43 ns  0.9% compute
layers.0.add                              forward    3       0 49.15 k    49.15 ns  0.8% memory
layers.0.norm2.native_layer_norm          forward    3       0 33.79 k    33.79 ns  0.6% memory
layers.0.up.addmm                         forward    3 2.114 M 148.5 k    209.7 ns  3.5% compute
layers.0.gelu                             forward    3       0 131.1 k    131.1 ns  2.2% memory
layers.0.down.addmm                       forward    3 2.101 M 147.7 k    209.7 ns  3.5% compute
layers.0.add                              forward    3       0 49.15 k    49.15 ns  0.8% memory
norm.native_layer_norm                    forward    1       0 33.79 k    33.79 ns  0.2% memory
head.mm                                   forward    1 2.097 M 147.5 k    209.7 ns  1.2% compute
_log_softmax                              forward    1       0 131.1 k    131.1 ns  0.7% memory
nll_loss_forward                          forward    1       0 66.06 k    66.06 ns  0.4% memory
ones_like                                 backward   1       0   8.000 0.008000 ns  0.0% memory
nll_loss_backward                         backward   1       0 131.6 k    131.6 ns  0.7% memory
_log_softmax_backward_data                backward   1       0 196.6 k    196.6 ns  1.1% memory
head.mm                                   backward   1 2.097 M 147.5 k    209.7 ns  1.2% compute
head.mm                                   backward   1 2.097 M 147.5 k    209.7 ns  1.2% compute
norm.native_layer_norm_backward           backward   1       0 50.69 k    50.69 ns  0.3% memory
layers.2.down.mm                          backward   3 2.097 M 147.5 k    209.7 ns  3.5% compute
layers.2.down.mm                          backward   3 2.097 M 147.5 k    209.7 ns  3.5% compute
layers.2.down.sum                         backward   3       0 16.64 k    16.64 ns  0.3% memory
layers.2.gelu_backward                    backward   3       0 196.6 k    196.6 ns  3.3% memory
layers.2.up.mm                            backward   3 2.097 M 147.5 k    209.7 ns  3.5% compute
layers.2.up.mm                            backward   3 2.097 M 147.5 k    209.7 ns  3.5% compute
layers.2.up.sum                           backward   3       0 66.56 k    66.56 ns  1.1% memory
layers.2.norm2.native_layer_norm_backward backward   3       0 50.69 k    50.69 ns  0.8% memory
layers.2.norm2.add                        backward   3       0 49.15 k    49.15 ns  0.8% memory
layers.2.out.mm                           backward   3 524.3 k 49.15 k    52.43 ns  0.9% compute
layers.2.out.mm                           backward   3 524.3 k 49.15 k    52.43 ns  0.9% compute
layers.2.out.sum                          backward   3       0 16.64 k    16.64 ns  0.3% memory
layers.2.clone                            backward   3       0 32.77 k    32.77 ns  0.5% memory
layers.2.bmm                              backward   3 262.1 k 65.54 k    65.54 ns  1.1% memory
layers.2.bmm                              backward   3 262.1 k 65.54 k    65.54 ns  1.1% memory
layers.2._softmax_backward_data           backward   3       0 98.30 k    98.30 ns  1.6% memory
layers.2.div                              backward   3       0 65.54 k    65.54 ns  1.1% memory
layers.2.bmm                              backward   3 262.1 k 65.54 k    65.54 ns  1.1% memory
layers.2.bmm                              backward   3 262.1 k 65.54 k    65.54 ns  1.1% memory
layers.2.clone                            backward   3       0 32.77 k    32.77 ns  0.5% memory
layers.2.clone                            backward   3       0 32.77 k    32.77 ns  0.5% memory
layers.2.cat                              backward   3       0 98.30 k    98.30 ns  1.6% memory
layers.2.qkv.mm                           backward   3 1.573 M 114.7 k    157.3 ns  2.6% compute
layers.2.qkv.mm                           backward   3 1.573 M 114.7 k    157.3 ns  2.6% compute
layers.2.qkv.sum                          backward   3       0 49.92 k    49.92 ns  0.8% memory
layers.2.norm1.native_layer_norm_backward backward   3       0 50.69 k    50.69 ns  0.8% memory
layers.2.norm1.add                        backward   3       0 49.15 k    49.15 ns  0.8% memory
sum                                       backward   1       0 24.58 k    24.58 ns  0.1% memory
places.embedding_dense_backward           backward   1       0 16.64 k    16.64 ns  0.1% memory
words.embedding_dense_backward            backward   1       0 82.43 k    82.43 ns  0.5% memory
optimizer                                 update     1 2.958 M 5.177 M    5.177 us 28.6% memory
left out: shape, kept, FLOP/B (a width of 100, see COLUMNS)

step      67.63 MFLOP executed, 3.069 MFLOP on the vector units, 16.37 MB moved, 18.08 us, memory
$ nncost compare inputs/captured.json,dense round
model    device     step  tokens/s fits USD/Mtoken software      from the first row
captured round  18.08 us 3,540,117 yes   7.847e-05 torch-eager                                            fastest, cheapest
dense    round  10.80 ms    92,629 yes    0.002999 torch-compile +10.78 ms: framework 0 s, model 10.78 ms
left out: MFU, memory, bound (a width of 100, see COLUMNS)

# The step was recorded as it is: what would change it is refused by name.
$ nncost estimate inputs/captured.json round --micro-batch 4
! nncost: --micro-batch: the step was recorded with this many samples, expected 2, found 4; python3 -m nncost.capture --join gives all between two steps
[3]
$ nncost estimate inputs/captured.json round --micro-batches 2
One step of captured takes 33.20 us on A device of round figures and is bound by memory, 62.1% of
it; it fits: 4.093 MB of 10.00 GB per device.

plan      batch 4, sequence 32, fp32, adamw, torch-eager
step      33.20 us
          datasheet rates: no efficiency of this device was measured
bounds    lower 18.91 us, upper without overlap 43.61 us
bound by  memory 62.1%, compute 37.9%, 13.84 us without the memory limit
memory    4.093 MB of 10.00 GB, fits, 9.996 GB free
          weights 739.6 kB, optimizer 1.479 MB, activations 987.4 kB
rate      3,855,577 tokens/s, 120,487 samples/s, MFU 40.7%
cost      9.222e-09 USD a step, 7.205e-05 per million tokens, at 1 a device-hour
faster    --precision bf16 --policy amp: 21.31 us, 1.56x the rate, 4.144 MB
          --optimizer adam8bit: 30.99 us, 1.07x the rate, 2.990 MB
--full    shows the parts of the step, memory by class, all of the plan
$ nncost estimate inputs/captured.json round --policy amp
One step of captured takes 12.13 us on A device of round figures and is bound by memory, 100.0% of
it; it fits: 3.404 MB of 10.00 GB per device.

plan      batch 2, sequence 32, bf16, adamw, torch-eager
step      12.13 us
          datasheet rates: no efficiency of this device was measured
bounds    lower 8.056 us, upper without overlap 13.10 us
bound by  memory 100.0%, 972.2 ns without the memory limit
memory    3.404 MB of 10.00 GB, fits, 9.997 GB free
          weights 739.6 kB, gradients 739.6 kB, optimizer 1.479 MB
rate      5,275,360 tokens/s, 164,855 samples/s, MFU 5.6%
cost      3.37e-09 USD a step, 5.266e-05 per million tokens, at 1 a device-hour
faster    --optimizer adam8bit: 9.925 us, 1.22x the rate, 2.300 MB
--full    shows the parts of the step, memory by class, all of the plan
$ nncost estimate inputs/captured.json round --precision bf16
! nncost: --precision: a captured program runs in the formats that were recorded, expected fp32 or tf32, or bf16 and fp16 with --policy amp (autocast), found bf16
[3]
$ nncost estimate inputs/captured.json round --tensor 2
! nncost: --tensor: a capture is split over data only, expected 1, found 2
[3]
$ nncost estimate inputs/captured.json round --pipeline 2
! nncost: --pipeline: a capture is split over data only, expected 1, found 2
[3]
$ nncost estimate inputs/captured.json round --recompute attention
! nncost: --recompute: a captured program runs as it was recorded: expected full or none; --checkpoint of nncost.capture records checkpoints around other modules
[3]
$ nncost estimate inputs/captured.json round --adapter-rank 8
! nncost: --adapter-rank: a captured program runs as it was recorded: expected no rank; --adapter-rank of nncost.capture records the step with adapters
[3]
$ nncost estimate inputs/captured.json round --frozen nf4
! nncost: --frozen: changes nothing here, expected it with --adapter-rank or --train
[2]
$ nncost estimate inputs/captured.json round --recompute full
One step of captured takes 22.25 us on A device of round figures and is bound by memory, 63.2% of
it; it fits: 2.968 MB of 10.00 GB per device.

plan      activation checkpointing full, batch 2, sequence 32, fp32, adamw, torch-eager
step      22.25 us
          datasheet rates: no efficiency of this device was measured
bounds    lower 12.71 us, upper without overlap 29.13 us
bound by  memory 63.2%, compute 36.8%, 9.104 us without the memory limit
memory    2.968 MB of 10.00 GB, fits, 9.997 GB free
          weights 739.6 kB, gradients 739.6 kB, optimizer 1.479 MB
rate      2,877,004 tokens/s, 89,906 samples/s, MFU 30.4%
cost      6.179e-09 USD a step, 9.655e-05 per million tokens, at 1 a device-hour
faster    --precision bf16 --policy amp: 14.32 us, 1.55x the rate, 3.096 MB
          --recompute none: 18.08 us, 1.23x the rate, 3.387 MB
          --optimizer adam8bit: 20.04 us, 1.11x the rate, 1.864 MB
--full    shows the parts of the step, memory by class, all of the plan
$ nncost estimate inputs/captured.json round --zero 3 --devices 2
One step of captured takes 22.92 us on 2 x A device of round figures and is bound by memory, 40.1%
of it; it fits: 3.214 MB of 10.00 GB per device.

plan      2 devices dp2 zero3 mb2, batch 4, sequence 32, fp32, adamw, torch-eager
step      22.92 us
          datasheet rates: no efficiency of this device was measured
bounds    lower 11.09 us, upper without overlap 40.78 us
bound by  memory 40.1%, network 32.4%, 20.24 us without the memory limit
waits     exposed communication 7.426 us
memory    3.214 MB of 10.00 GB, fits, 9.997 GB free
          weights 369.8 kB, optimizer 739.6 kB, activations 987.4 kB
rate      5,585,701 tokens/s, 174,553 samples/s, MFU 29.5%
cost      1.273e-08 USD a step, 9.946e-05 per million tokens, at 1 a device-hour
faster    --optimizer adam8bit: 21.81 us, 1.05x the rate, 2.662 MB
          --precision bf16 --policy amp: 22.68 us, 1.01x the rate, 2.994 MB
--full    shows the parts of the step, memory by class, all of the plan
$ sed 's/"parameter"/"frozen"/; s/"trained":184896/"trained":119360/' inputs/captured.json >a.json; nncost estimate a.json round
One step of a takes 16.24 us on A device of round figures and is bound by memory, 61.3% of it; it
fits: 2.862 MB of 10.00 GB per device.

plan      batch 2, sequence 32, fp32, adamw, torch-eager
step      16.24 us
          datasheet rates: no efficiency of this device was measured
bounds    lower 9.099 us, upper without overlap 21.48 us
bound by  memory 61.3%, compute 38.7%, 6.954 us without the memory limit
memory    2.862 MB of 10.00 GB, fits, 9.997 GB free
          weights 739.6 kB, optimizer 954.9 kB, activations 987.4 kB
rate      3,940,039 tokens/s, 123,126 samples/s, MFU 41.6%
cost      4.512e-09 USD a step, 7.05e-05 per million tokens, at 1 a device-hour
faster    --precision bf16 --policy amp: 10.30 us, 1.58x the rate, 2.749 MB
          --optimizer adam8bit: 14.82 us, 1.1x the rate, 2.150 MB
--full    shows the parts of the step, memory by class, all of the plan
$ nncost estimate inputs/captured.json round --zero 1 --devices 2
One step of captured takes 24.89 us on 2 x A device of round figures and is bound by network, 37.8%
of it; it fits: 3.354 MB of 10.00 GB per device.

plan      2 devices dp2 zero1 mb2, batch 4, sequence 32, fp32, adamw, torch-eager
step      24.89 us
          datasheet rates: no efficiency of this device was measured
bounds    lower 8.346 us, upper without overlap 30.08 us
bound by  network 37.8%, memory 37.0%, 15.49 us without the network limit
waits     exposed communication 9.396 us
memory    3.354 MB of 10.00 GB, fits, 9.997 GB free
          weights 739.6 kB, gradients 739.6 kB, activations 987.4 kB
rate      5,143,496 tokens/s, 160,734 samples/s, MFU 27.2%
cost      1.383e-08 USD a step, 0.000108 per million tokens, at 1 a device-hour
faster    --precision bf16 --policy amp: 18.94 us, 1.31x the rate, 3.404 MB
          --zero 3: 22.92 us, 1.09x the rate, 3.214 MB
          --optimizer adam8bit: 23.78 us, 1.05x the rate, 2.802 MB
--full    shows the parts of the step, memory by class, all of the plan
$ nncost estimate inputs/captured.json round --offload activations
! nncost: --offload: a captured program runs as it was recorded: expected optimizer, or with --zero 3 also weights
[3]
$ nncost search inputs/captured.json round --devices 2 | head -1
captured on 2 x round, global batch 4 (chosen: the recorded samples on each device)
$ nncost scale inputs/captured.json round | head -1
captured on round, global batch 8192 (chosen: the recorded samples on each device); the best plan of each size
$ nncost estimate inputs/captured.json round --offload optimizer --set device.host.bytes_per_s=1e9
One step of captured with device.host.bytes_per_s=1e9 takes 3.218 ms on A device of round figures
and is bound by network, 99.6% of it; it fits: 1.907 MB of 10.00 GB per device.

plan      batch 2, sequence 32, fp32, adamw, torch-eager
step      3.218 ms
          datasheet rates: no efficiency of this device was measured
bounds    lower 1.997 ms, upper without overlap 3.223 ms
bound by  network 99.6%, memory 0.2%, 12.90 us without the network limit
waits     exposed communication 3.205 ms
memory    1.907 MB of 10.00 GB, fits, 9.998 GB free
          weights 739.6 kB, gradients 739.6 kB, activations 987.4 kB
rate      19,890 tokens/s, 621.5 samples/s, MFU 0.2%
cost      8.938e-07 USD a step, 0.01397 per million tokens, at 1 a device-hour
faster    --optimizer adam8bit: 2.482 ms, 1.3x the rate, 1.907 MB
--full    shows the parts of the step, memory by class, all of the plan
$ nncost estimate inputs/captured.json round --software deepspeed-0.14
! nncost: --software: which operators of a captured program this profile fuses is not known: expected torch-eager, torch-channels-last or torch-compile, found deepspeed-0.14
[3]
$ nncost estimate inputs/captured.json round --seq-len 64
! nncost: --seq-len: a captured program runs as it was recorded: expected no length
[3]

# The largest micro-batch is at most the recorded one.
$ nncost fit inputs/captured.json round | head -9
model     inputs/captured.json = captured, captured, capture, 184,896 parameters
device    round, A device of round figures, 10.00 TFLOP/s fp32, 1.000 TB/s, ridge 10 FLOP/B
plan      batch 2, sequence 32, fp32, policy fp32, adamw, flash attention, recompute none,
          software torch-eager (chosen for this plan), mode predicted

fits      micro-batch 2, 18.08 us a step, 110,629 samples/s
recorded  up to 2 samples, so no more were tried: --join of nncost.capture gives more
memory    3.387 MB of 10.00 GB, measured peaks may differ by 0 B


# Replicas add the sum of their gradients.
$ nncost estimate inputs/captured.json round --devices 2 --format json | grep -oE '"(step_s|exposed_comm_s|global_batch)": [^,]*'
"global_batch": 4
"step_s": 2.747434e-5
"exposed_comm_s": 9.39584e-6

# A file that is not a capture says where.
$ sed 's/"phase":"backward"/"phase":"reverse"/' inputs/captured.json >a.json; nncost estimate a.json round
! nncost: a.json:1: ops[26].phase: unknown phase, expected forward, backward or optimizer
[3]
$ sed 's/"float32"/"float33"/' inputs/captured.json >a.json; nncost estimate a.json round
! nncost: a.json:1: ops[0].inputs[0][0]: unknown dtype, expected one of PyTorch such as float32, bfloat16 or int64, found "float33"
[3]
$ sed 's/"blocks":/"blocs":/' inputs/captured.json >a.json; nncost estimate a.json round
! nncost: a.json:1: blocs: unknown key, expected schema, source, batch, parameters, modules, ops, blocks, storages or second
[3]
$ echo '{"schema":"nncost.capture/1","batch":1}' >a.json; nncost estimate a.json round
! nncost: a.json: modules: missing or of a wrong type, expected a list
[3]
$ echo '{"schema":"nncost.capture/1","batch":0}' >a.json; nncost estimate a.json round
! nncost: a.json:1: batch: wrong value, expected a whole number from 1 to 1000000, found 0
[3]
$ echo '{"schema":"nncost.model/1","id":"a","name":"A","family":"capture","sources":{"":"none"}}' >a.json; nncost estimate a.json round
! nncost: a.json:1: family: a capture is a file of its own, expected schema nncost.capture/1
[3]
