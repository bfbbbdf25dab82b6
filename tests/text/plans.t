# A plan file can replace MODEL and DEVICE. 'nncost init' writes a first plan file.

# Compares all scenarios on the devices of the plan file, and one scenario on devices that the command line names.
$ nncost compare inputs/plans.json
scenario   device      step  tokens/s    MFU    memory  fits  bound    USD/Mtoken
base       round   33.54 ms   119,248  87.3%  2.629 GB  yes   compute    0.002329  fastest, cheapest
recompute  round   42.89 ms    93,266  68.3%  1.860 GB  yes   compute    0.002978
$ nncost compare inputs/plans.json round,fitted --scenario base --micro-batch 1,4
scenario device micro-batch     step tokens/s   MFU   memory fits bound   USD/Mtoken
base     round  1           10.80 ms   92,629 67.8% 1.782 GB yes  compute   0.002999
base     round  4           33.54 ms  119,248 87.3% 2.629 GB yes  compute   0.002329 cheapest
base     fitted 1           9.457 ms  105,745 38.7% 1.782 GB yes  compute   0.005254
base     fitted 4           25.53 ms  156,692 57.3% 2.629 GB yes  compute   0.003546 fastest

# Every command accepts one scenario of a plan file. Options of the command line replace values of the scenario.
$ nncost estimate inputs/plans.json --full --full --scenario recompute | head -8
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 4, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute full,
          software torch-compile (chosen for this plan), mode predicted

step      42.89 ms
          lower bound for any software: 36.00 ms; without any overlap the step takes 49.92 ms
          no fitted efficiencies for this device: roofline time at the datasheet's rates
$ nncost estimate inputs/plans.json fitted --full --full --scenario recompute --micro-batch 2 | head -8
model     dense, A small decoder, decoder, 107,106,000 parameters
device    fitted, A device of round efficiencies, 200.0 TFLOP/s bf16, 2.000 TB/s, ridge 100 FLOP/B
plan      batch 2, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute full,
          software torch-compile (chosen for this plan), mode predicted

step      18.79 ms, 90 % range 15.54 ms to 24.28 ms
          open: --attention -8 to +22% of the step
          lower bound for any software: 9.001 ms; without any overlap the step takes 21.49 ms
$ nncost ops inputs/plans.json --scenario base --top 3
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 4, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

op        phase   rep shape                   kept   FLOPs   bytes FLOP/B     time share bound
optimizer update    1 params=107106000           - 1.714 G 2.999 G 0.5714 2.999 ms  8.9% memory
mlp.up    forward   8 m=4000 n=4000 k=1000 8.000 M 32.02 G 48.01 M  666.9 320.0 us  7.6% compute
mlp.down  forward   8 m=4000 n=1000 k=4000 32.00 M 32.00 G 48.00 M  666.7 320.0 us  7.6% compute

          34 more rows
step      2.768 TFLOP executed, 8.517 GFLOP on the vector units, 10.60 GB moved, 33.54 ms, compute
$ nncost explain mfu inputs/plans.json --scenario base | head -3
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 4, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
$ nncost search inputs/plans.json --scenario base --devices 8 --global-batch 32 --best 1 --zero 1 --threads 1 | head -2
dense on 8 x round, global batch 32
230400 combinations: 5810 legal, 5810 fit; 2486 evaluated; no other plan can be among the best

# --scenario is needed if the file has several scenarios. The name of the scenario must exist, and MODEL must be a plan
# file.
$ nncost estimate inputs/plans.json
! nncost: --scenario: missing, expected one of the 2 scenarios of inputs/plans.json, such as "base"
[2]
$ nncost estimate inputs/plans.json --scenario bases
! nncost: --scenario: unknown scenario, expected one of the 2 scenarios of inputs/plans.json, nearest "base", found "bases"
[2]
$ nncost estimate dense round --scenario base
! nncost: --scenario: dense is not a plan file
[2]

# Paths in a plan file are relative to the folder of this file.
$ mkdir sub && sed 's/"id": "round"/"id": "mine"/' toy/hw/round.json >sub/mine.json
$ echo '{ "schema": "nncost.plans/1", "scenarios": [ { "id": "a", "model": "dense", "device": "mine.json" } ] }' >sub/p.json
$ nncost estimate sub/p.json --full --full | head -2
model     dense, A small decoder, decoder, 107,106,000 parameters
device    sub/mine.json = mine, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s,

# The key "set" of a scenario changes any field, as --set does. Numbers, switches and lists are written as in JSON.
$ echo '{ "schema": "nncost.plans/1", "scenarios": [ { "id": "a", "model": "dense", "device": "round", "clip_gradients": false, "sequence_parallel": true, "tensor": 2, "overlap": 0.5, "set": { "layers": 4, "tied_head": false, "device.mem_bytes": 2e10, "norm": "rms" } } ] }' >p.json
$ nncost estimate p.json --full --full | sed '/^$/,$d'
model     dense, A small decoder, decoder, 69,045,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
links     switch of 8 at 100.0 GB/s
plan      2 devices = tensor 2, sequence parallel, overlap 0.5
          batch 1, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted
set       layers=4, tied_head=off, device.mem_bytes=20000000000, norm=rms
$ nncost estimate p.json --full --full --set layers=2 | grep '^set'
set       layers=4, tied_head=off, device.mem_bytes=20000000000, norm=rms, layers=2
$ sed -i 's/"layers": 4/"layers": [4]/' p.json; nncost validate p.json
! nncost: p.json:1: scenarios[0].set.layers: wrong type, expected true, false, a number or a text, found a list of 1
[3]
$ sed -i 's/"layers": \[4\]/"a b": 4/' p.json; nncost validate p.json
! nncost: p.json:1: scenarios[0].set.a b: not a name, expected a field such as model.layers
[3]

# The plan file that 'nncost init' prints is valid. Notes in the plan file explain how to use it.
$ sed 's/"dense"/"gpt2-xl"/' toy/models/dense.json >toy/models/gpt2-xl.json; sed 's/"id": "fitted"/"id": "a100-sxm4-80gb"/' toy/hw/fitted.json >toy/hw/a100-sxm4-80gb.json
$ nncost init >default.json; cat default.json
{
  "schema": "nncost.plans/1",
  "note": "Training plans to check. 'nncost check FILE' estimates every scenario and exits with 1 when one misses a requirement, or when an estimate differs from the one that 'nncost check FILE --update' recorded in this file. Keys are the plan options of 'nncost estimate --help' with '_' for '-'; 'note' is the comment key.",
  "common": {
    "note": "Every scenario starts from these values. A scenario may give other values, or null to remove a key of 'common'. Values of model, device and software are ids, or paths relative to the folder of this file.",
    "model": "gpt2-xl",
    "device": "a100-sxm4-80gb"
  },
  "scenarios": [
    {
      "id": "gpt2-xl",
      "note": "A key of 'require' is any metric of 'nncost estimate --format json', in seconds, bytes and FLOPs or with units; the limit of step_s is about a tenth above the estimate, and the limit of the memory is the capacity of the device.",
      "require": {
        "step_s": "<= 0.0105s",
        "memory.total_bytes": "<= 20GB"
      }
    }
  ]
}
$ nncost validate default.json
default.json: ok
$ nncost init unet round --micro-batch 8 --output p.json && nncost validate p.json && nncost check p.json
p.json: ok
p.json: 1 estimated; 2 of 2 requirements met
The file has no recorded estimates yet; 'nncost check p.json --update' records them.

# 'nncost init' writes all given options to the file. 'nncost init' needs both MODEL and DEVICE, or neither of them.
$ nncost init dense fitted --devices 8 --zero 3 --recompute norm,activation --clip-gradients=off --software eager --set layers=16 --set device.mem_bytes_per_s=3e12
{
  "schema": "nncost.plans/1",
  "note": "Training plans to check. 'nncost check FILE' estimates every scenario and exits with 1 when one misses a requirement, or when an estimate differs from the one that 'nncost check FILE --update' recorded in this file. Keys are the plan options of 'nncost estimate --help' with '_' for '-'; 'note' is the comment key.",
  "common": {
    "note": "Every scenario starts from these values. A scenario may give other values, or null to remove a key of 'common'. Values of model, device and software are ids, or paths relative to the folder of this file.",
    "model": "dense",
    "device": "fitted",
    "software": "eager"
  },
  "scenarios": [
    {
      "id": "dense",
      "note": "A key of 'require' is any metric of 'nncost estimate --format json', in seconds, bytes and FLOPs or with units; the limit of step_s is about a tenth above the estimate, and the limit of the memory is the capacity of the device.",
      "devices": 8,
      "zero": 3,
      "recompute": "norm,activation",
      "clip_gradients": false,
      "set": {
        "layers": 16,
        "device.mem_bytes_per_s": 3e12
      },
      "require": {
        "step_s": "<= 0.027s",
        "memory.total_bytes": "<= 20GB"
      }
    }
  ]
}
$ nncost init dense
! nncost: DEVICE: missing, expected MODEL DEVICE, or one of device, model, cluster, rows, plan, found only "dense"
[2]
