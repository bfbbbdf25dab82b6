# Tests errors of the command line. A message about the command line has the place, the fault and the nearest name.

# Tests a missing command, and unknown commands with and without a similar name.
$ nncost
! nncost: command line: no command, expected a command such as "nncost estimate gpt2 h100"; 'nncost -h' lists the commands
[2]
$ nncost estimat dense round
! nncost: estimat: unknown command, did you mean estimate?
[2]
$ nncost xyzzy
! nncost: xyzzy: unknown command, expected a command as the first word, as in "nncost estimate gpt2 h100"; 'nncost --help' lists all commands
[2]
$ nncost est dense round
! nncost: est: unknown command, did you mean estimate?
[2]
$ nncost --versoin
! nncost: --versoin: unknown command, did you mean --version?
[2]

# Tests a command line that is a sentence of words and not a command.
$ nncost dense on round
! nncost: dense: unknown command, did you mean "nncost estimate dense round"?
[2]
$ nncost estimate dense on round
! nncost: on: leave this word out, expected estimate [FILE...] MODEL DEVICE | PLANS.json [DEVICE]
[2]

# --help and --version take no further argument, and a switch takes no value.
$ nncost --version please
! nncost: please: unexpected argument after --version
[2]
$ nncost --help please
! nncost: please: unexpected argument after --help
[2]
$ nncost estimate dense round --help=yes
! nncost: --help: takes no value
[2]

# Tests operands: one is missing, or there is one too many.
$ nncost estimate dense
! nncost: DEVICE: missing, expected MODEL DEVICE or a plan file, found only "dense"
[2]
$ nncost estimate round
! nncost: MODEL: missing, expected MODEL DEVICE, found only the device "round"
[2]
$ nncost estimate dense round,fitted
! nncost: DEVICE: expected one device, found "round,fitted"; 'compare' and 'sweep' take several
[3]
$ nncost estimate dense nvidia
! nncost: DEVICE: unknown device, expected one device of those that "nncost list devices nvidia" shows, found "nvidia"
[3]
$ nncost estimate dense round --set mem=40GB
! nncost: --set mem: no such field of plan, model or device, did you mean mem_bytes?
[2]
$ nncost serve dense round --prompt 512
! nncost: --prompt: unknown option, did you mean --input-len N, the tokens of a prompt?
[2]
$ nncost serve dense round --rate 4
! nncost: --rate: unknown option, did you mean --request-rate X, requests per second?
[2]
$ nncost estimate dense round --qlora
! nncost: --qlora: a value is missing, expected "--qlora VALUE", short for "--lora VALUE --frozen nf4"
[2]
$ nncost estimate
! nncost: estimate: too few arguments, expected [FILE...] MODEL DEVICE | PLANS.json [DEVICE]
[2]
$ nncost estimate dense round fitted
! nncost: fitted: one argument too many, expected one device; to compare several devices: nncost compare dense round,fitted
[2]
$ nncost docs man estimate
! nncost: man: unknown page, expected "files" or nothing, found "estimate"
[2]

# Tests unknown options with and without a similar name.
$ nncost estimate dense round --mico-batch 2
! nncost: --mico-batch: unknown option, did you mean --micro-batch?
[2]
$ nncost estimate dense round --xyzzy 2
! nncost: --xyzzy: unknown option, see 'nncost estimate --help'
[2]

# Options cannot be abbreviated, so that a new option breaks no script.
$ nncost estimate dense round --micro 2
! nncost: --micro: unknown option, options are not abbreviated: did you mean --micro-batch?
[2]
$ nncost estimate dense round --prec fp16
! nncost: --prec: unknown option, options are not abbreviated: did you mean --precision?
[2]
$ nncost estimate dense round --prec=fp16
! nncost: --prec: unknown option, options are not abbreviated: did you mean --precision?
[2]

# Tests option names of other programs.
$ nncost estimate dense round --batch 8
! nncost: --batch: unknown option, did you mean --micro-batch N for the batch of one device, or --global-batch N for all devices?
[2]
$ nncost estimate dense round --lr 1e-4
! nncost: --lr: has no effect on time, memory and cost, so leave it out
[2]
$ nncost estimate dense round --warmup_steps=100
! nncost: --warmup-steps: has no effect on time, memory and cost, so leave it out
[2]

# Tests unknown short options.
$ nncost estimate dense round -m 2
! nncost: -m: unknown option, options start with two dashes
[2]
$ nncost estimate dense round -b 8
! nncost: -b: unknown option, did you mean --micro-batch N for the batch of one device, or --global-batch N for all devices?
[2]

# --precision accepts the names of PyTorch.
$ for name in half float16 bfloat16 float32; do nncost estimate dense round --precision $name | grep -o 'sequence 1000, [a-z0-9]*'; done
sequence 1000, fp16
sequence 1000, fp16
sequence 1000, bf16
sequence 1000, fp32

# --precision also accepts names of Lightning and Keras. A name of Lightning or Keras sets the policy.
$ for name in amp bf16-mixed mixed_bfloat16 bf16-true 32; do nncost estimate dense round --precision $name --full | grep -o '[a-z0-9]*, policy [a-z0-9-]*'; done
bf16, policy amp
bf16, policy amp
bf16, policy amp
bf16, policy bf16-pure
fp32, policy fp32
$ nncost estimate dense round --precision mixed
! nncost: --precision: unknown value "mixed", did you mean --policy mixed (usual), or --policy amp for fp32 weights and autocast?
[2]
$ nncost estimate dense round --precision flaot16
! nncost: --precision: unknown value, expected one of fp64, fp32, tf32, bf16, fp16, fp8, int8, fp4, int4, found "flaot16"
[2]

# Tests an option that only another command has.
$ nncost estimate dense round --sort time
! nncost: --sort: is not an option of 'estimate'
[2]

# Tests an option that is given twice with two different values, also under its second name.
$ nncost estimate dense round --micro-batch 2 --micro-batch 4
! nncost: --micro-batch: given twice, as "2" and as "4"
[2]
$ nncost estimate dense round --micro-batches 2 --grad-accum 4
! nncost: --grad-accum: given twice, as "2" and as "4"
[2]

# An option may be given twice with the same value.
$ nncost estimate dense round --full --full --dp 1 --data 1 --micro-batch 2 --micro-batch 2 | head -3
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 2, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,

# The argument "--" ends the options. Options may stand before the operands.
$ nncost estimate --full --micro-batch 2 -- dense round | head -3
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 2, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,

# Tests missing and empty values.
$ nncost estimate dense round --micro-batch
! nncost: --micro-batch: a value is missing, expected a whole number from 1 to 1e9
[2]
$ nncost estimate dense round --output ''
! nncost: --output: empty value
[2]

# Tests values that are not numbers, not whole numbers, or out of range.
$ nncost estimate dense round --micro-batch two
! nncost: --micro-batch: not a number, expected a whole number from 1 to 1e9, found "two"
[2]
$ nncost estimate dense round --micro-batch 1.5
! nncost: --micro-batch: not a whole number, expected a whole number, found 1.5
[2]
$ nncost estimate dense round --micro-batch 0
! nncost: --micro-batch: out of range, expected at least 1, found 0
[2]
$ nncost estimate dense round --micro-batch 1e18
! nncost: --micro-batch: out of range, expected at most 1e9, found 1e18
[2]
$ nncost ops dense round --top 0
! nncost: --top: out of range, expected a whole number from 1 to 1000000, found "0"
[2]

# Tests values that are not among the choices.
$ nncost estimate dense round --optimizer adm
! nncost: --optimizer: unknown value, expected one of adamw, adam, sgd, momentum, rmsprop, adafactor, lion, adam8bit, muon, lamb, lars, adam4bit, adam-mini, galore, apollo, found "adm"
[2]
$ nncost estimate dense round --format xml
! nncost: --format: unknown value, expected one of table, json, csv, csv-plain, markdown, found "xml"
[2]
$ nncost check plans.json --format xml
! nncost: --format: unknown value, expected one of table, json, csv, csv-plain, markdown, junit, github, found "xml"
[2]
$ nncost estimate dense round --clip-gradients=maybe
! nncost: --clip-gradients: not a switch, expected true or false, found "maybe"
[2]
$ nncost list chips
! nncost: list: unknown list, expected one of devices, models, software, found "chips"
[2]

# Tests --set: no value, an unknown field with and without a similar name, a value out of range, and a value that breaks
# a rule of the model.
$ nncost estimate dense round --set hidden
! nncost: --set: expected FIELD=VALUE, found "hidden"
[2]
$ nncost estimate dense round --set hiden=1024
! nncost: --set hiden: no such field of plan, model or device, did you mean hidden?
[2]
$ nncost estimate dense round --set scale_up.bytes=1e9
! nncost: --set scale_up.bytes: unknown field, expected a field of the scale_up, found "bytes"
[2]
$ nncost estimate dense round --set hidden=0
! nncost: --set hidden: out of range, expected at least 1, found 0
[2]
$ nncost estimate dense round --set kv_heads=7
! nncost: --set: kv_heads: does not divide heads, expected a divisor of 8, found 7
[2]

# Tests batch sizes that contradict each other.
$ nncost estimate dense round --micro-batch 2 --micro-batches 3 --global-batch 7
! nncost: --global-batch: is not micro_batch x micro_batches x data, expected 6, found 7
[2]
$ nncost estimate dense round --devices 16 --tensor 4 --micro-batch 1 --micro-batches 8 --global-batch 64
! nncost: --global-batch: is not micro_batch x micro_batches x data, expected 32, found 64
[2]

# Tests unknown names of 'nncost explain', with and without a similar name.
$ nncost explain mfuu dense round
! nncost: mfuu: unknown metric or op, did you mean mfu?
[2]
$ nncost explain dense round
! nncost: NAMES: missing, expected a metric or an op, as in "step_s dense round"
[2]
$ nncost explain xyzzy dense round
! nncost: xyzzy: unknown metric or op, expected a name such as params, flops, mfu, memory, step_s, cost or attn.qkv; 'nncost explain' lists them
[2]

# For an unknown id, the message proposes a similar id. An alias can replace an id.
$ nncost estimate densee round
! nncost: MODEL: unknown model, expected one of dense, experts, segnet, unet, vision, nearest "dense", found "densee"
[3]
$ nncost estimate dense rounds
! nncost: DEVICE: unknown device, expected one of fitted, old, round, nearest "round", found "rounds"
[3]
$ nncost estimate dense round-card-b
! nncost: DEVICE: unknown device, expected one of fitted, old, round, nearest "round", found "round-card-b"
[3]
$ nncost estimate dense abacus
! nncost: DEVICE: unknown device, expected one of fitted, old, round, found "abacus"
[3]
$ nncost estimate dense round --software torch-compiled
! nncost: --software: unknown software profile, expected one of deepspeed-0.14, eager, torch-compile, torch-eager, vllm, nearest "torch-compile", found "torch-compiled"
[3]
$ nncost show densee
! nncost: densee: no device, model or software profile of this id, did you mean dense?
[3]
$ nncost show abacus
! nncost: abacus: no device, model or software profile of this id, see 'nncost list'
[3]
$ nncost estimate small fit --full --full | head -2
model     small = dense, A small decoder, decoder, 107,106,000 parameters
device    fit = fitted, A device of round efficiencies, 200.0 TFLOP/s bf16, 2.000 TB/s,

# If there are too many ids for one line, the message names the command that lists them.
$ for i in 1 2 3 4 5 6 7 8; do cp toy/hw/old.json toy/hw/a-device-with-a-rather-long-name-$i.json; done
$ nncost estimate dense rounds
! nncost: DEVICE: unknown device, expected an id of "nncost list devices" or a path, nearest "round", found "rounds"
[3]

# Tests a standard output that cannot be written.
$ nncost estimate dense round >/dev/full
! nncost: standard output: cannot write: No space left on device
[4]
$ nncost estimate dense round >&-
! nncost: standard output: cannot write: Bad file descriptor
[4]

# Tests more option names of other programs.
$ for o in --bs --gradient_accumulation_steps --qlora --fp8 --price-per-hour; do nncost estimate -q dense round $o 8; done
One step of A small decoder takes 63.87 ms on A device of round figures and is bound by compute
(86.7% of the time); it fits: 2.016 GB of 10.00 GB per device.
One step of A small decoder takes 7.180 ms on A device of round figures and is bound by compute
(66.9% of the time); it fits: 368.8 MB of 10.00 GB per device.
One step of A small decoder takes 10.80 ms on A device of round figures and is bound by compute
(64.1% of the time); it fits: 1.782 GB of 10.00 GB per device.
! nncost: --bs: unknown option, did you mean --micro-batch N for the batch of one device, or --global-batch N for all devices?
! nncost: 8: is a number of devices, expected as the value of an option: round --devices 8

# Some commands have a longer second name: 'nncost check files' is 'nncost validate', and 'nncost sweep merge' is
# 'nncost merge'.
$ nncost check files toy/hw/round.json; nncost validate toy/hw/round.json
toy/hw/round.json: ok
toy/hw/round.json: ok
$ nncost sweep merge
! nncost: merge: too few arguments, expected OUT SHARD...
[2]
$ nncost help check diff | head -1
usage: nncost diff OLD NEW [options]

# Tests a command line with two commands.
$ nncost serve search dense round
! nncost: search: expected one command, did you mean "nncost search dense round --serve"?
[2]
$ nncost search serve dense round
! nncost: serve: expected one command, did you mean "nncost search dense round --serve"?
[2]
$ nncost estimate advise dense round
! nncost: advise: expected one command, did you mean "nncost advise dense round"?
[2]

# Tests further names that users know from other programs.
$ nncost estimate dense round --accumulate-grad-batches 4 -f csv | cut -d, -f1-3 >a; nncost estimate dense round --micro-batches 4 -f csv | cut -d, -f1-3 | diff - a
$ nncost estimate dense round --block-size 64
! nncost: --block-size: unknown option, did you mean --seq-len N, the tokens of a sequence?
[2]
$ nncost estimate dense round --stage 3
! nncost: --stage: unknown option, did you mean --zero N, the stage of ZeRO?
[2]
$ nncost estimate dense round --vram 12GB
! nncost: --vram: unknown option, did you mean --set mem_bytes=X, the memory of the device?
[2]
$ nncost serve dense round --8bit
! nncost: --8bit: unknown option, did you mean --weights int8?
[2]
$ nncost estimate dense round --nproc-per-node 8
! nncost: --devices-per-node: has no effect here, expected together with --devices
[2]
