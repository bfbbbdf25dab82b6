# A captured program can replace a model in every command. The commands print the step and the operators of a captured
# program, and compare the program with a model.
$ nncost estimate inputs/captured.json round --full --full
model     inputs/captured.json = captured, captured, capture, 184,896 parameters
device    round, A device of round figures, 10.00 TFLOP/s fp32, 1.000 TB/s, ridge 10 FLOP/B
plan      batch 2, sequence 32, fp32, policy fp32, adamw, flash attention, recompute none,
          software torch-eager (chosen for this plan), mode predicted

step      27.69 us
          lower bound for any software: 20.55 us; without any overlap the step takes 33.04 us
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  memory 77.3% of the step, compute 22.7%,
          if memory traffic took no time, the step would take 7.059 us

part          time  share    group          time  share
forward   4.699 us  17.0%    embedding  149.0 ns   0.5%
backward  8.203 us  29.6%    attention  1.671 us   6.0%
update    14.79 us  53.4%    mlp        9.375 us  33.9%
                             norm       886.3 ns   3.2%
                             resample   294.9 ns   1.1%
                             loss       525.3 ns   1.9%
                             optimizer  14.79 us  53.4%

rate      2,311,046 tokens/s, 72,220 samples/s, MFU 24.4%,
          HFU 24.4% of 10.00 TFLOP/s, FLOPs as in palm
work      model 67.63 MFLOP, executed 67.63 MFLOP, 6ND 63.92 MFLOP, memory traffic 25.98 MB

memory            size  of device
weights       739.6 kB       0.0%
gradients     739.6 kB       0.0%
optimizer     1.479 MB       0.0%  states and master weights
activations   987.4 kB       0.0%  kept for backward
transient     147.5 kB       0.0%  gradients of activations
not at once  -395.3 kB      -0.0%  gradients grow while activations are freed
total     3.698 MB (3.53 MiB) of 10.00 GB (9.31 GiB), 0.0%: fits, 9.996 GB free

cost      1 USD per device-hour (nowhere, 2020-01), 7.693e-09 USD per step,
          0.0001202 USD per million tokens
$ nncost ops inputs/captured.json round
model     inputs/captured.json = captured, captured, capture, 184,896 parameters
device    round, A device of round figures, 10.00 TFLOP/s fp32, 1.000 TB/s, ridge 10 FLOP/B
plan      batch 2, sequence 32, fp32, policy fp32, adamw, flash attention, recompute none,
          software torch-eager (chosen for this plan), mode predicted

op                                        phase    rep   FLOPs   bytes        time share bound
words.embedding                           forward    1       0 33.28 k    33.28 ns  0.1% memory
arange                                    forward    1       0   256.0   0.2560 ns  0.0% memory
places.embedding                          forward    1       0 16.64 k    16.64 ns  0.1% memory
add                                       forward    1       0 40.96 k    40.96 ns  0.1% memory
layers.0.norm1.native_layer_norm          forward    3       0 33.79 k    33.79 ns  0.4% memory
layers.0.qkv.addmm                        forward    3 1.585 M 115.5 k    157.3 ns  1.7% compute
layers.0.clone                            forward    3       0 32.77 k    32.77 ns  0.4% memory
layers.0.clone                            forward    3       0 32.77 k    32.77 ns  0.4% memory
layers.0.bmm                              forward    3 262.1 k 65.54 k    65.54 ns  0.7% memory
layers.0.div                              forward    3       0 65.54 k    65.54 ns  0.7% memory
layers.0.add                              forward    3       0 69.63 k    69.63 ns  0.8% memory
layers.0._softmax                         forward    3       0 65.54 k    65.54 ns  0.7% memory
layers.0.clone                            forward    3       0 32.77 k    32.77 ns  0.4% memory
layers.0.bmm                              forward    3 262.1 k 65.54 k    65.54 ns  0.7% memory
layers.0.clone                            forward    3       0 32.77 k    32.77 ns  0.4% memory
layers.0.out.addmm                        forward    3 528.4 k 49.41 k    52.43 ns  0.6% compute
layers.0.add                              forward    3       0 49.15 k    49.15 ns  0.5% memory
layers.0.norm2.native_layer_norm          forward    3       0 33.79 k    33.79 ns  0.4% memory
layers.0.up.addmm                         forward    3 2.114 M 148.5 k    209.7 ns  2.3% compute
layers.0.gelu                             forward    3       0 131.1 k    131.1 ns  1.4% memory
layers.0.down.addmm                       forward    3 2.101 M 147.7 k    209.7 ns  2.3% compute
layers.0.add                              forward    3       0 49.15 k    49.15 ns  0.5% memory
norm.native_layer_norm                    forward    1       0 33.79 k    33.79 ns  0.1% memory
head.mm                                   forward    1 2.097 M 147.5 k    209.7 ns  0.8% compute
_log_softmax                              forward    1       0 131.1 k    131.1 ns  0.5% memory
nll_loss_forward                          forward    1       0 66.06 k    66.06 ns  0.2% memory
ones_like                                 backward   1       0   8.000 0.008000 ns  0.0% memory
nll_loss_backward                         backward   1       0 131.6 k    131.6 ns  0.5% memory
_log_softmax_backward_data                backward   1       0 196.6 k    196.6 ns  0.7% memory
head.mm                                   backward   1 2.097 M 147.5 k    209.7 ns  0.8% compute
head.mm                                   backward   1 2.097 M 147.5 k    209.7 ns  0.8% compute
norm.native_layer_norm_backward           backward   1       0 50.69 k    50.69 ns  0.2% memory
layers.2.down.mm                          backward   3 2.097 M 147.5 k    209.7 ns  2.3% compute
layers.2.down.mm                          backward   3 2.097 M 147.5 k    209.7 ns  2.3% compute
layers.2.down.sum                         backward   3       0 16.64 k    16.64 ns  0.2% memory
layers.2.gelu_backward                    backward   3       0 196.6 k    196.6 ns  2.1% memory
layers.2.up.mm                            backward   3 2.097 M 147.5 k    209.7 ns  2.3% compute
layers.2.up.mm                            backward   3 2.097 M 147.5 k    209.7 ns  2.3% compute
layers.2.up.sum                           backward   3       0 66.56 k    66.56 ns  0.7% memory
layers.2.norm2.native_layer_norm_backward backward   3       0 50.69 k    50.69 ns  0.5% memory
layers.2.norm2.add                        backward   3       0 49.15 k    49.15 ns  0.5% memory
layers.2.out.mm                           backward   3 524.3 k 49.15 k    52.43 ns  0.6% compute
layers.2.out.mm                           backward   3 524.3 k 49.15 k    52.43 ns  0.6% compute
layers.2.out.sum                          backward   3       0 16.64 k    16.64 ns  0.2% memory
layers.2.clone                            backward   3       0 32.77 k    32.77 ns  0.4% memory
layers.2.bmm                              backward   3 262.1 k 65.54 k    65.54 ns  0.7% memory
layers.2.bmm                              backward   3 262.1 k 65.54 k    65.54 ns  0.7% memory
layers.2._softmax_backward_data           backward   3       0 98.30 k    98.30 ns  1.1% memory
layers.2.div                              backward   3       0 65.54 k    65.54 ns  0.7% memory
layers.2.bmm                              backward   3 262.1 k 65.54 k    65.54 ns  0.7% memory
layers.2.bmm                              backward   3 262.1 k 65.54 k    65.54 ns  0.7% memory
layers.2.clone                            backward   3       0 32.77 k    32.77 ns  0.4% memory
layers.2.clone                            backward   3       0 32.77 k    32.77 ns  0.4% memory
layers.2.cat                              backward   3       0 98.30 k    98.30 ns  1.1% memory
layers.2.qkv.mm                           backward   3 1.573 M 114.7 k    157.3 ns  1.7% compute
layers.2.qkv.mm                           backward   3 1.573 M 114.7 k    157.3 ns  1.7% compute
layers.2.qkv.sum                          backward   3       0 49.92 k    49.92 ns  0.5% memory
layers.2.norm1.native_layer_norm_backward backward   3       0 50.69 k    50.69 ns  0.5% memory
layers.2.norm1.add                        backward   3       0 49.15 k    49.15 ns  0.5% memory
sum                                       backward   1       0 24.58 k    24.58 ns  0.1% memory
places.embedding_dense_backward           backward   1       0 16.64 k    16.64 ns  0.1% memory
words.embedding_dense_backward            backward   1       0 82.43 k    82.43 ns  0.3% memory
optimizer                                 update     1 2.958 M 14.79 M    14.79 us 53.4% memory
left out: shape, kept, FLOP/B (a width of 100, see COLUMNS)

step      67.63 MFLOP executed, 3.069 MFLOP on the vector units, 25.98 MB moved, 27.69 us, memory
$ nncost compare inputs/captured.json,dense round
model    device     step  tokens/s fits software      from the first row
captured round  27.69 us 2,311,046 yes  torch-eager                                            fastest, cheapest
dense    round  10.80 ms    92,629 yes  torch-compile +10.77 ms: framework 0 s, model 10.77 ms
left out: MFU, memory, bound, USD/Mtoken (a width of 100, see COLUMNS)

# A captured step was recorded with fixed settings. An option that cannot be applied to the recorded step is refused by
# name.
$ nncost estimate inputs/captured.json round --micro-batch 4
! nncost: --micro-batch: expected 2, the number of samples of the recorded step, found 4; python3 -m nncost.capture --join allows all numbers between those of two recorded steps
[3]
$ nncost estimate inputs/captured.json round --micro-batches 2
One step of captured takes 42.81 us on A device of round figures and is bound by memory (70.6% of
the time); it fits: 4.093 MB of 10.00 GB per device.

plan      batch 4, sequence 32, fp32, adamw, torch-eager
step      42.81 us
          datasheet rates: no efficiency of this device was measured
bounds    lower 28.53 us, upper without overlap 53.23 us
bound by  memory 70.6%, compute 29.4%, 13.84 us if memory traffic took no time
memory    4.093 MB of 10.00 GB, fits, 9.996 GB free
          weights 739.6 kB, optimizer 1.479 MB, activations 987.4 kB
rate      2,989,728 tokens/s, 93,429 samples/s, MFU 31.6%
cost      1.189e-08 USD a step, 9.291e-05 per million tokens, at 1 a device-hour
faster    --precision bf16 --policy amp: 30.92 us, 1.38x the rate, 4.144 MB
          --optimizer adam8bit: 30.99 us, 1.38x the rate, 2.990 MB
          --optimizer-kernels fused: 33.20 us, 1.29x the rate, 4.093 MB
--full    shows the parts of the step, memory by class, and all plan settings
$ nncost estimate inputs/captured.json round --policy amp
One step of captured takes 21.75 us on A device of round figures and is bound by memory (100.0% of
the time); it fits: 3.698 MB of 10.00 GB per device.

plan      batch 2, sequence 32, bf16, adamw, torch-eager
step      21.75 us
          datasheet rates: no efficiency of this device was measured
bounds    lower 17.67 us, upper without overlap 22.72 us
bound by  memory 100.0%, 972.2 ns if memory traffic took no time
memory    3.698 MB of 10.00 GB, fits, 9.996 GB free
          weights 739.6 kB, gradients 739.6 kB, optimizer 1.479 MB
rate      2,943,007 tokens/s, 91,969 samples/s, MFU 3.1%
cost      6.041e-09 USD a step, 9.439e-05 per million tokens, at 1 a device-hour
faster    --optimizer adam8bit: 9.925 us, 2.19x the rate, 2.313 MB
          --optimizer-kernels fused: 12.13 us, 1.79x the rate, 3.416 MB
--full    shows the parts of the step, memory by class, and all plan settings
$ nncost estimate inputs/captured.json round --precision bf16
! nncost: --precision: a captured program runs in the formats that were recorded, expected fp32 or tf32, or bf16 and fp16 with --policy amp (autocast), found bf16
[3]
$ nncost estimate inputs/captured.json round --tensor 2
! nncost: --tensor: only data ranks can divide the work of a capture, expected 1, found 2
[3]
$ nncost estimate inputs/captured.json round --pipeline 2
! nncost: --pipeline: only data ranks can divide the work of a capture, expected 1, found 2
[3]
$ nncost estimate inputs/captured.json round --recompute attention
! nncost: --recompute: a captured program runs as it was recorded: expected full, none or paths of modules, such as layers.*.mlp
[3]
$ nncost estimate inputs/captured.json round --adapter-rank 8
! nncost: --adapter-rank: a captured program runs as it was recorded: expected no rank; --adapter-rank of nncost.capture records the step with adapters
[3]
$ nncost estimate inputs/captured.json round --frozen nf4
! nncost: --frozen: has no effect here, expected together with --lora or --train (--load-in-4bit is --frozen nf4)
[2]
$ nncost estimate inputs/captured.json round --recompute full
One step of captured takes 31.86 us on A device of round figures and is bound by memory (74.3% of
the time); it fits: 3.698 MB of 10.00 GB per device.

plan      activation checkpointing full, batch 2, sequence 32, fp32, adamw, torch-eager
step      31.86 us
          datasheet rates: no efficiency of this device was measured
bounds    lower 22.33 us, upper without overlap 38.75 us
bound by  memory 74.3%, compute 25.7%, 9.104 us if memory traffic took no time
memory    3.698 MB of 10.00 GB, fits, 9.996 GB free
          weights 739.6 kB, gradients 739.6 kB, optimizer 1.479 MB
rate      2,008,791 tokens/s, 62,775 samples/s, MFU 21.2%
cost      8.85e-09 USD a step, 0.0001383 per million tokens, at 1 a device-hour
faster    --optimizer adam8bit: 20.04 us, 1.59x the rate, 1.864 MB
          --optimizer-kernels fused: 22.25 us, 1.43x the rate, 2.968 MB
          --precision bf16 --policy amp: 23.93 us, 1.33x the rate, 3.698 MB
--full    shows the parts of the step, memory by class, and all plan settings
$ nncost estimate inputs/captured.json round --frozen words,places,layers.0 | head -12
One step of captured with frozen=words,places,layers.0 takes 19.60 us on A device of round figures
and is bound by memory (74.3% of the time); it fits: 2.603 MB of 10.00 GB per device.

plan      batch 2, sequence 32, fp32, adamw, torch-eager
step      19.60 us
          datasheet rates: no efficiency of this device was measured
bounds    lower 13.90 us, upper without overlap 23.82 us
bound by  memory 74.3%, compute 25.7%, 5.587 us if memory traffic took no time
memory    2.603 MB of 10.00 GB, fits, 9.997 GB free
          weights 739.6 kB, optimizer 931.8 kB, activations 691.2 kB
rate      3,264,691 tokens/s, 102,022 samples/s, MFU 27.5%
cost      5.445e-09 USD a step, 8.509e-05 per million tokens, at 1 a device-hour
$ nncost estimate inputs/captured.json round --train 'layers.*.qkv,head' --recompute layers.1,layers.2 --format json | grep -oE '"(trained_params|executed_flops|activation_bytes|overrides)": [^,]*'
"trained_params": 53824
"overrides": "train=layers.*.qkv
"executed_flops": 65536000
"activation_bytes": 312844
$ nncost estimate inputs/captured.json round --recompute 'layers.*.up,layers.*.qkv' --policy amp --format json | grep -oE '"(executed_flops|activation_bytes)": [^,]*'
"executed_flops": 78643200
"activation_bytes": 684316
$ nncost compare inputs/captured.json round --frozen layers.2.up
with frozen=layers.2.up

device      step   tokens/s    MFU    memory  fits  bound   USD/Mtoken
round   26.09 us  2,453,459  25.1%  3.432 MB  yes   memory   0.0001132  fastest, cheapest
$ nncost estimate inputs/captured.json round --frozen layer.0
! nncost: --frozen: no module fits "layer.0", expected paths such as layers.0
[2]
$ nncost estimate inputs/captured.json round --train 'layers.*.gelu'
! nncost: --train: no module fits "layers.*.gelu", expected paths such as head
[2]
$ nncost estimate inputs/captured.json round --frozen words --train words
! nncost: --train: no parameters are left to train, expected at least one trained module
[2]
$ nncost estimate inputs/captured.json round --train layers.0 --frozen layers.1
! nncost: --frozen: has no effect, expected modules with trained parameters
[2]
$ sed 's/"owners":.*,"saved"/"saved"/' inputs/captured.json >a.json; nncost estimate a.json round --frozen words
! nncost: --frozen: the file does not state the module of each parameter; record the step again
[2]
$ sed 's/"moves":\[\[[0-9-]*/&0/' inputs/captured.json >a.json; nncost estimate a.json round --recompute 'layers.*'
! nncost: --recompute: the file does not have the storages of each of its equal layers; record the step again
[2]
$ sed 's/"owners":\[\[/&1,/' inputs/captured.json >a.json; nncost estimate a.json round --frozen words
! nncost: a.json:1: owners[0]: not a row of owners, expected [gradient, parameter, module, count, steps of the three], found a list of 8
[3]
$ sed 's/"owners":\[\[[^]]*/"owners":[[128,37,25,999999999,0,0,0/' inputs/captured.json >a.json; nncost estimate a.json round --frozen words
! nncost: a.json:1: owners[0]: not a row of owners, expected [gradient, parameter, module, count, steps of the three], found a list of 7
[3]
$ sed 's/"saved":\[\[/&1,/' inputs/captured.json >a.json; nncost estimate a.json round --frozen words
! nncost: a.json:1: saved[0]: not a row of saved tensors, expected [storage, module, count, steps of the two], found a list of 6
[3]
$ nncost estimate inputs/captured.json round --zero 3 --devices 2
One step of captured takes 27.72 us on 2 x A device of round figures and is bound by memory (50.5%
of the time); it fits: 3.214 MB of 10.00 GB per device.

plan      2 devices dp2 zero3 mb2, batch 4, sequence 32, fp32, adamw, torch-eager
step      27.72 us
          datasheet rates: no efficiency of this device was measured
bounds    lower 13.15 us, upper without overlap 45.59 us
bound by  memory 50.5%, network 26.8%, 20.24 us if memory traffic took no time
waits     exposed communication 7.426 us
memory    3.214 MB of 10.00 GB, fits, 9.997 GB free
          weights 369.8 kB, optimizer 739.6 kB, activations 987.4 kB
rate      4,617,113 tokens/s, 144,285 samples/s, MFU 24.4%
cost      1.54e-08 USD a step, 0.0001203 per million tokens, at 1 a device-hour
faster    --optimizer adam8bit: 21.81 us, 1.27x the rate, 2.662 MB
          --optimizer-kernels fused: 22.92 us, 1.21x the rate, 3.214 MB
          --precision bf16 --policy amp: 23.79 us, 1.17x the rate, 2.794 MB
--full    shows the parts of the step, memory by class, and all plan settings
$ sed 's/],"args":\[/,["frozen","float32"]&/; s/"storages":"\([0-9]*\) 0 /"storages":"\1 8 /; s/"trained":184896/"trained":119360/' inputs/captured.json >a.json; nncost estimate a.json round
One step of a takes 22.45 us on A device of round figures and is bound by memory (72.0% of the
time); it fits: 2.875 MB of 10.00 GB per device.

plan      batch 2, sequence 32, fp32, adamw, torch-eager
step      22.45 us
          datasheet rates: no efficiency of this device was measured
bounds    lower 15.31 us, upper without overlap 27.69 us
bound by  memory 72.0%, compute 28.0%, 6.954 us if memory traffic took no time
memory    2.875 MB of 10.00 GB, fits, 9.997 GB free
          weights 739.6 kB, optimizer 954.9 kB, activations 987.4 kB
rate      2,850,753 tokens/s, 89,086 samples/s, MFU 30.1%
cost      6.236e-09 USD a step, 9.744e-05 per million tokens, at 1 a device-hour
faster    --optimizer adam8bit: 14.82 us, 1.51x the rate, 2.162 MB
          --optimizer-kernels fused: 16.24 us, 1.38x the rate, 2.875 MB
          --precision bf16 --policy amp: 16.50 us, 1.36x the rate, 2.761 MB
--full    shows the parts of the step, memory by class, and all plan settings
$ nncost estimate inputs/captured.json round --zero 1 --devices 2
One step of captured takes 29.69 us on 2 x A device of round figures and is bound by memory (47.2%
of the time); it fits: 3.354 MB of 10.00 GB per device.

plan      2 devices dp2 zero1 mb2, batch 4, sequence 32, fp32, adamw, torch-eager
step      29.69 us
          datasheet rates: no efficiency of this device was measured
bounds    lower 13.15 us, upper without overlap 34.89 us
bound by  memory 47.2%, network 31.6%, 16.31 us if memory traffic took no time
waits     exposed communication 9.396 us
memory    3.354 MB of 10.00 GB, fits, 9.997 GB free
          weights 739.6 kB, gradients 739.6 kB, activations 987.4 kB
rate      4,310,767 tokens/s, 134,711 samples/s, MFU 22.8%
cost      1.65e-08 USD a step, 0.0001289 per million tokens, at 1 a device-hour
faster    --precision bf16 --policy amp: 23.75 us, 1.25x the rate, 3.404 MB
          --optimizer adam8bit: 23.78 us, 1.25x the rate, 2.802 MB
          --optimizer-kernels fused: 24.89 us, 1.19x the rate, 3.354 MB
--full    shows the parts of the step, memory by class, and all plan settings
$ nncost estimate inputs/captured.json round --offload activations
One step of captured takes 192.4 us on A device of round figures and is bound by network (85.6% of
the time); it fits: 3.698 MB of 10.00 GB per device.

plan      offload activations, batch 2, sequence 32, fp32, adamw, torch-eager
step      192.4 us
          datasheet rates: no efficiency of this device was measured
bounds    lower 177.6 us, upper without overlap 210.6 us
bound by  network 85.6%, memory 11.1%, 27.69 us if the network took no time
waits     exposed communication 164.7 us
memory    3.698 MB of 10.00 GB, fits, 9.996 GB free
          weights 739.6 kB, gradients 739.6 kB, optimizer 1.479 MB
rate      332,713 tokens/s, 10,397 samples/s, MFU 3.5%
cost      5.343e-08 USD a step, 0.0008349 per million tokens, at 1 a device-hour
faster    --precision bf16 --policy amp: 133.4 us, 1.44x the rate, 3.698 MB
          --optimizer adam8bit: 180.5 us, 1.07x the rate, 2.295 MB
          --optimizer-kernels fused: 182.7 us, 1.05x the rate, 3.399 MB
--full    shows the parts of the step, memory by class, and all plan settings
$ nncost search inputs/captured.json round --devices 2 | head -1
captured on 2 x round, global batch 4 (chosen: the recorded samples on each device)
$ nncost scale inputs/captured.json round | head -1
captured on round, global batch 8192 (chosen: the recorded samples on each device); the best plan of each size
$ nncost estimate inputs/captured.json round --offload optimizer --set device.host.bytes_per_s=1e9
One step of captured with device.host.bytes_per_s=1e9 takes 6.423 ms on A device of round figures
and is bound by network (99.8% of the time); it fits: 1.920 MB of 10.00 GB per device.

plan      offload optimizer, batch 2, sequence 32, fp32, adamw, torch-eager
step      6.423 ms
          datasheet rates: no efficiency of this device was measured
bounds    lower 2.958 ms, upper without overlap 6.428 ms
bound by  network 99.8%, memory 0.1%, 12.90 us if the network took no time
waits     exposed communication 6.410 ms
memory    1.920 MB of 10.00 GB, fits, 9.998 GB free
          weights 739.6 kB, gradients 739.6 kB, activations 987.4 kB
rate      9,965 tokens/s, 311.4 samples/s, MFU 0.1%
cost      1.784e-06 USD a step, 0.02788 per million tokens, at 1 a device-hour
faster    --optimizer adam8bit: 2.482 ms, 2.59x the rate, 1.920 MB
          --optimizer-kernels fused: 3.218 ms, 2x the rate, 1.920 MB
--full    shows the parts of the step, memory by class, and all plan settings
$ nncost estimate inputs/captured.json round --software deepspeed-0.14
! nncost: --software: nncost does not know which operators of a captured program this profile fuses, expected torch-eager, torch-channels-last or torch-compile, found deepspeed-0.14
[3]
$ nncost estimate inputs/captured.json round --clip-gradients
! nncost: --clip-gradients: has no effect here, expected together with a model that is not recorded
[2]
$ nncost estimate inputs/captured.json round --seq-len 64
! nncost: --seq-len: a captured program runs as it was recorded: expected no length
[3]

# 'nncost fit' proposes a micro-batch of at most the recorded size.
$ nncost fit inputs/captured.json round | head -9
model     inputs/captured.json = captured, captured, capture, 184,896 parameters
device    round, A device of round figures, 10.00 TFLOP/s fp32, 1.000 TB/s, ridge 10 FLOP/B
plan      batch 2, sequence 32, fp32, policy fp32, adamw, flash attention, recompute none,
          software torch-eager (chosen for this plan), mode predicted

fits      micro-batch 2, 27.69 us a step, 72,220 samples/s
recorded  up to 2 samples; larger micro-batches were not tried, and --join of nncost.capture adds a recording
memory    3.698 MB of 10.00 GB


# With several replicas, the step includes the all-reduce of the gradients.
$ nncost estimate inputs/captured.json round --devices 2 --format json | grep -oE '"(step_s|exposed_comm_s|global_batch)": [^,]*'
"global_batch": 4
"step_s": 3.7088932e-5
"exposed_comm_s": 9.39584e-6

# A capture file may store numbers as a list or as a text. Both give the same answer.
$ sed -E ':a; s/("(in|out)puts":)"([0-9]+)"/\1[\3]/; s/("(in|out)puts":)"([0-9]+) /\1[\3,/; s/(puts":\[[0-9,]*) /\1,/; s/(puts":\[[0-9,]*)"/\1]/; ta; s/puts":""/puts":[]/g' inputs/captured.json >captured.json; grep -c 'puts":"' captured.json; nncost ops captured.json round --format json >a; nncost ops inputs/captured.json round --format json | cmp - a
0

# The error for a damaged capture file names the line and the key.
$ sed 's/"phase":"backward"/"phase":"reverse"/' inputs/captured.json >a.json; nncost estimate a.json round
! nncost: a.json:1: ops[26].phase: unknown phase, expected forward, backward, recompute or optimizer
[3]
$ sed 's/"shapes":\[\["float32"/"shapes":[["float33"/' inputs/captured.json >a.json; nncost estimate a.json round
! nncost: a.json:1: shapes[0][0]: unknown dtype, expected one of PyTorch such as float32, bfloat16 or int64, found "float33"
[3]
$ sed 's/"inputs":"0 /"inputs":"9999 /' inputs/captured.json >a.json; nncost estimate a.json round
! nncost: a.json:1: ops[0].inputs: wrong value, expected a whole number from 0 to 28, found "9999 0 1 44"
[3]
$ sed 's/"inputs":"0 /"inputs":"0 0 /' inputs/captured.json >a.json; nncost estimate a.json round
! nncost: a.json:1: ops[0].inputs: wrong value, expected a whole number from 0 to 28, found "0 0 0 1 44"
[3]
$ sed 's/"inputs":"0 [0-9]*/&,/' inputs/captured.json >a.json; nncost estimate a.json round
! nncost: a.json:1: ops[0].inputs: wrong value, expected a whole number from 0 to 436, found "0 0, 1 44"
[3]
$ sed 's/"storages":"[0-9]* /&90/' inputs/captured.json >a.json; nncost estimate a.json round
! nncost: a.json:1: storages: wrong value, expected a whole number from 0 to 7, found "65536 900 -1 162 4 0 0,8192 0 -1 162,256 0 -1 162 20 0 0,491..."
[3]
$ sed 's/"storages":"[0-9]* 0 -1 162 4 0 0/& 1/' inputs/captured.json >a.json; nncost estimate a.json round
! nncost: a.json:1: storages: outside of the step, expected copies at positions inside the step, found "65536 0 -1 162 4 0 0 1,8192 0 -1 162,256 0 -1 162 20 0 0,491..."
[3]
$ sed 's/"args":0/"args":99/' inputs/captured.json >a.json; nncost estimate a.json round
! nncost: a.json:1: ops[1].args: wrong value, expected a whole number from 0 to 14, found 99
[3]
$ sed 's/"kinds":\[\[/"kinds":[[0,/' inputs/captured.json >a.json; nncost estimate a.json round
! nncost: a.json:1: kinds[0]: not a kind of storage, expected [kind, dtype], found a list of 3
[3]
$ sed 's/,"phase":"forward","module":1,/,"module":1,/' inputs/captured.json >a.json; nncost estimate a.json round
! nncost: a.json:1: ops[0].phase: unknown phase, expected forward, backward, recompute or optimizer
[3]
$ sed 's/"blocks":/"blocs":/' inputs/captured.json >a.json; nncost estimate a.json round
! nncost: a.json:1: blocs: unknown key, expected schema, source, batch, parameters, modules, ops, blocks, storages, shapes, kinds, args, moves, owners, saved, optimizer, autocast or second
[3]
$ sed 's/^{/{"autocast":"fp32",/' inputs/captured.json >a.json; nncost estimate a.json round
! nncost: a.json:1: autocast: unknown format of autocast, expected bf16 or fp16, found "fp32"
[3]
$ sed 's/^{/{"autocast":"fp16",/' inputs/captured.json >a.json; nncost estimate a.json round | grep '^plan '
plan      batch 2, sequence 32, fp16, adamw, torch-eager
$ nncost estimate a.json round --policy fp32 | grep '^plan '
plan      batch 2, sequence 32, fp32, adamw, torch-eager
$ nncost estimate a.json round --precision bf16 | grep '^plan '
plan      batch 2, sequence 32, bf16, adamw, torch-eager
$ sed 's/"kernels":"foreach"/"kernels":"fuse"/' inputs/captured.json >a.json; nncost estimate a.json round
! nncost: a.json:1: optimizer.kernels: unknown kernels of the optimizer, expected fused, foreach or loop, found "fuse"
[3]
$ sed 's/"kernels":"foreach"/"kernels":"fused"/' inputs/captured.json >a.json; nncost estimate a.json round | grep '^step '
step      18.08 us
$ nncost estimate inputs/captured.json round --offload activations --recompute full
! nncost: --recompute: a captured program runs as it was recorded: expected none with --offload activations
[3]
$ nncost estimate inputs/captured.json round --optimizer-kernels foreach --optimizer lion
! nncost: --optimizer-kernels: not known for the optimizer lion, expected default or fused, or one of the optimizers sgd, momentum, adam, adamw or rmsprop, found foreach
[3]
$ nncost estimate dense round --optimizer-kernels loop
! nncost: --optimizer-kernels: the number of tensors is known only for captured programs, expected fused or foreach, found loop
[3]
$ echo '{"schema":"nncost.capture/1","batch":1}' >a.json; nncost estimate a.json round
! nncost: a.json: modules: missing or of a wrong type, expected a list
[3]
$ echo '{"schema":"nncost.capture/1","batch":0}' >a.json; nncost estimate a.json round
! nncost: a.json:1: batch: wrong value, expected a whole number from 1 to 1000000, found 0
[3]
$ echo '{"schema":"nncost.model/1","id":"a","name":"A","family":"capture","sources":{"":"none"}}' >a.json; nncost estimate a.json round
! nncost: a.json:1: family: a captured step has its own file, expected schema nncost.capture/1
[3]

# 'nncost serve' refuses a recorded training step. The message of 'nncost serve' names the models that it accepts. The
# message names no software profile, because the command line has none.
$ nncost serve inputs/captured.json round
! nncost: captured: cannot be served: the model is a recorded step, expected a decoder of 'nncost list models' or a model file
[3]
