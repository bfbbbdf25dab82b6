# 'nncost merge' joins the shards of a sweep or of a search to one file.

# The shards of a sweep may have any order. The merged rows are those of a sweep without shards.
$ for i in 1 2 3; do nncost sweep dense round --micro-batch 1..10 --shard $i/3 --columns micro_batch --format csv --output $i; done
$ nncost merge all 2 3 1 && cat all
row,plan.micro_batch\r
0,1\r
1,2\r
2,3\r
3,4\r
4,5\r
5,6\r
6,7\r
7,8\r
8,9\r
9,10\r
$ nncost sweep dense round --micro-batch 1..10 --columns row,micro_batch --format csv | cmp - all

# Merges shards of JSON lines. A shard in table format is refused.
$ for i in 1 2; do nncost sweep dense round --micro-batch 1..4 --shard $i/2 --columns micro_batch --format json --output $i; done
$ nncost merge all 2 1 && cat all
{"row": 0, "plan.micro_batch": 1}
{"row": 1, "plan.micro_batch": 2}
{"row": 2, "plan.micro_batch": 3}
{"row": 3, "plan.micro_batch": 4}
$ for i in 1 2; do nncost sweep dense round --micro-batch 1..4 --shard $i/2 --columns micro_batch --output $i; done
$ nncost merge new 2 1
! nncost: 2: expected the row of column names first, as 'nncost sweep --shard' writes it
[3]

# Tests shards with different columns, a shard given twice, and an output file that exists already.
$ nncost sweep dense round --shard 1/2 --format csv --output 1; nncost sweep dense round --shard 2/2 --columns mfu --format csv --output 2
$ nncost merge all 1 2
! nncost: 2: has other columns than 1
[3]
$ nncost merge all 1 1
! nncost: 1: row 0 is also in another shard
[3]
$ nncost merge 1 1
! nncost: 1: exists already, expected the name of a new file as the first operand
[2]

# Merges shards of a search as JSON and as CSV. 'nncost search --shards' and 'nncost plot --shards' read the shards
# without a merged file. Shards of different searches are refused.
$ search() { nncost search dense round --threads 1 --devices 4 --global-batch 8 --best 2 --zero 1 --tensor 1 --context 1 --recompute none "$@"; }
> for i in 1 2 3; do search --shard $i/3 --format json --output $i; done
> search --format json --output whole; search --format csv --output whole.csv
$ nncost merge all.json 2 3 1 && sed 's/"elapsed_s": .*/"elapsed_s": 0,/' all.json
{
  "schema": "nncost.search/1",
  "space": 1440,
  "covered": 1440,
  "legal": 84,
  "feasible": 84,
  "evaluated": 84,
  "pruned": 1356,
  "elapsed_s": 0,
  "threads": 3,
  "currency": "USD",
  "best": [
    {"plan": {"devices": 4, "data": 4, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 1, "global_batch": 8, "schedule": "1f1b", "ends_as_layers": false, "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.0163623972558, "memory_bytes": 1354550000, "mfu": 0.894734418872, "tokens_per_s": 488925.911952, "bubble_share": 0, "exposed_comm_s": 0.000393950255784, "device_s": 0.0654495890231, "cost_step": 1.81804413953e-5, "run_s": null, "device_hours": null, "cost_run": null, "goodput": null, "energy_j": null, "carbon_kg": null, "command": "nncost estimate dense round --devices 4 --global-batch 8 --zero 1 --micro-batch 2"},
    {"plan": {"devices": 4, "data": 4, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 2, "global_batch": 8, "schedule": "1f1b", "ends_as_layers": false, "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.0163623972558, "memory_bytes": 1052150000, "mfu": 0.894734418872, "tokens_per_s": 488925.911952, "bubble_share": 0, "exposed_comm_s": 0.000393950255784, "device_s": 0.0654495890231, "cost_step": 1.81804413953e-5, "run_s": null, "device_hours": null, "cost_run": null, "goodput": null, "energy_j": null, "carbon_kg": null, "command": "nncost estimate dense round --devices 4 --global-batch 8 --zero 1 --micro-batch 1"}
  ],
  "pareto": [
    {"plan": {"devices": 4, "data": 4, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 1, "global_batch": 8, "schedule": "1f1b", "ends_as_layers": false, "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.0163623972558, "memory_bytes": 1354550000, "mfu": 0.894734418872, "tokens_per_s": 488925.911952, "bubble_share": 0, "exposed_comm_s": 0.000393950255784, "device_s": 0.0654495890231, "cost_step": 1.81804413953e-5, "run_s": null, "device_hours": null, "cost_run": null, "goodput": null, "energy_j": null, "carbon_kg": null, "command": "nncost estimate dense round --devices 4 --global-batch 8 --zero 1 --micro-batch 2"},
    {"plan": {"devices": 4, "data": 4, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 2, "global_batch": 8, "schedule": "1f1b", "ends_as_layers": false, "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.0163623972558, "memory_bytes": 1052150000, "mfu": 0.894734418872, "tokens_per_s": 488925.911952, "bubble_share": 0, "exposed_comm_s": 0.000393950255784, "device_s": 0.0654495890231, "cost_step": 1.81804413953e-5, "run_s": null, "device_hours": null, "cost_run": null, "goodput": null, "energy_j": null, "carbon_kg": null, "command": "nncost estimate dense round --devices 4 --global-batch 8 --zero 1 --micro-batch 1"},
    {"plan": {"devices": 4, "data": 2, "tensor": 1, "pipeline": 2, "virtual_stages": 5, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 4, "global_batch": 8, "schedule": "interleaved", "ends_as_layers": true, "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.0178385039206, "memory_bytes": 890972000, "mfu": 0.820696627091, "tokens_per_s": 448468.102236, "bubble_share": 0.00173660127256, "exposed_comm_s": 0.000463595552003, "device_s": 0.0713540156824, "cost_step": 1.98205599118e-5, "run_s": null, "device_hours": null, "cost_run": null, "goodput": null, "energy_j": null, "carbon_kg": null, "command": "nncost estimate dense round --devices 4 --global-batch 8 --pipeline 2 --virtual-stages 5 --zero 1 --micro-batch 1 --schedule interleaved --ends-as-layers"},
    {"plan": {"devices": 4, "data": 2, "tensor": 1, "pipeline": 2, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 4, "global_batch": 8, "schedule": "zb-h1", "ends_as_layers": false, "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.0189667839206, "memory_bytes": 862936000, "mfu": 0.771875720274, "tokens_per_s": 421790.011079, "bubble_share": 0.0611204500173, "exposed_comm_s": 0.000463595552003, "device_s": 0.0758671356824, "cost_step": 2.10742043562e-5, "run_s": null, "device_hours": null, "cost_run": null, "goodput": null, "energy_j": null, "carbon_kg": null, "command": "nncost estimate dense round --devices 4 --global-batch 8 --pipeline 2 --zero 1 --micro-batch 1 --schedule zb-h1"},
    {"plan": {"devices": 4, "data": 1, "tensor": 1, "pipeline": 4, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 8, "global_batch": 8, "schedule": "zb-h1", "ends_as_layers": false, "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.021913336, "memory_bytes": 832864000, "mfu": 0.668086319673, "tokens_per_s": 365074.491625, "bubble_share": 0.0702027295159, "exposed_comm_s": 0.000201, "device_s": 0.087653344, "cost_step": 2.43481511111e-5, "run_s": null, "device_hours": null, "cost_run": null, "goodput": null, "energy_j": null, "carbon_kg": null, "command": "nncost estimate dense round --devices 4 --global-batch 8 --pipeline 4 --zero 1 --micro-batch 1 --schedule zb-h1"},
    {"plan": {"devices": 4, "data": 4, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 2, "global_batch": 8, "schedule": "1f1b", "ends_as_layers": false, "recompute": "none", "offload": "optimizer"}, "software": "torch-compile", "step_s": 0.27216526936, "memory_bytes": 730832000, "mfu": 0.0537908456668, "tokens_per_s": 29393.904736, "bubble_share": 0, "exposed_comm_s": 0.25694656436, "device_s": 1.08866107744, "cost_step": 0.000302405854844, "run_s": null, "device_hours": null, "cost_run": null, "goodput": null, "energy_j": null, "carbon_kg": null, "command": "nncost estimate dense round --devices 4 --global-batch 8 --zero 1 --micro-batch 1 --offload optimizer"},
    {"plan": {"devices": 4, "data": 2, "tensor": 1, "pipeline": 2, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 4, "global_batch": 8, "schedule": "zb-h2", "ends_as_layers": false, "recompute": "none", "offload": "optimizer"}, "software": "torch-compile", "step_s": 0.302182240635, "memory_bytes": 710816000, "mfu": 0.0484475856994, "tokens_per_s": 26474.0905461, "bubble_share": 0.0171119416988, "exposed_comm_s": 0.280480141751, "device_s": 1.20872896254, "cost_step": 0.00033575804515, "run_s": null, "device_hours": null, "cost_run": null, "goodput": null, "energy_j": null, "carbon_kg": null, "command": "nncost estimate dense round --devices 4 --global-batch 8 --pipeline 2 --zero 1 --micro-batch 1 --schedule zb-h2 --offload optimizer"},
    {"plan": {"devices": 4, "data": 2, "tensor": 1, "pipeline": 2, "virtual_stages": 5, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 4, "global_batch": 8, "schedule": "interleaved", "ends_as_layers": true, "recompute": "none", "offload": "optimizer"}, "software": "torch-compile", "step_s": 0.302213960635, "memory_bytes": 542648000, "mfu": 0.0484425007012, "tokens_per_s": 26471.3118586, "bubble_share": 0.0172151044023, "exposed_comm_s": 0.280480141751, "device_s": 1.20885584254, "cost_step": 0.000335793289595, "run_s": null, "device_hours": null, "cost_run": null, "goodput": null, "energy_j": null, "carbon_kg": null, "command": "nncost estimate dense round --devices 4 --global-batch 8 --pipeline 2 --virtual-stages 5 --zero 1 --micro-batch 1 --schedule interleaved --ends-as-layers --offload optimizer"},
    {"plan": {"devices": 4, "data": 2, "tensor": 1, "pipeline": 2, "virtual_stages": 4, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 4, "global_batch": 8, "schedule": "interleaved", "ends_as_layers": false, "recompute": "none", "offload": "optimizer"}, "software": "torch-compile", "step_s": 0.303092046635, "memory_bytes": 540704000, "mfu": 0.0483021582471, "tokens_per_s": 26394.6219929, "bubble_share": 0.020062324141, "exposed_comm_s": 0.280480141751, "device_s": 1.21236818654, "cost_step": 0.000336768940706, "run_s": null, "device_hours": null, "cost_run": null, "goodput": null, "energy_j": null, "carbon_kg": null, "command": "nncost estimate dense round --devices 4 --global-batch 8 --pipeline 2 --virtual-stages 4 --zero 1 --micro-batch 1 --schedule interleaved --offload optimizer"},
    {"plan": {"devices": 4, "data": 2, "tensor": 1, "pipeline": 2, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 4, "global_batch": 8, "schedule": "zb-h1", "ends_as_layers": false, "recompute": "none", "offload": "optimizer"}, "software": "torch-compile", "step_s": 0.303342240635, "memory_bytes": 508624000, "mfu": 0.0482623190537, "tokens_per_s": 26372.8519419, "bubble_share": 0.0208705680782, "exposed_comm_s": 0.280480141751, "device_s": 1.21336896254, "cost_step": 0.000337046934039, "run_s": null, "device_hours": null, "cost_run": null, "goodput": null, "energy_j": null, "carbon_kg": null, "command": "nncost estimate dense round --devices 4 --global-batch 8 --pipeline 2 --zero 1 --micro-batch 1 --schedule zb-h1 --offload optimizer"},
    {"plan": {"devices": 4, "data": 1, "tensor": 1, "pipeline": 4, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 8, "global_batch": 8, "schedule": "zb-h1", "ends_as_layers": false, "recompute": "none", "offload": "optimizer"}, "software": "torch-compile", "step_s": 0.360637592, "memory_bytes": 412552000, "mfu": 0.040594769721, "tokens_per_s": 22182.9342738, "bubble_share": 0.0321793153874, "exposed_comm_s": 0.329811345187, "device_s": 1.442550368, "cost_step": 0.000400708435556, "run_s": null, "device_hours": null, "cost_run": null, "goodput": null, "energy_j": null, "carbon_kg": null, "command": "nncost estimate dense round --devices 4 --global-batch 8 --pipeline 4 --zero 1 --micro-batch 1 --schedule zb-h1 --offload optimizer"}
  ]
}
$ nncost merge all.csv 2 3 1 && cmp all.csv whole.csv
$ nncost search dense round --threads 1 --devices 4 --global-batch 8 --best 2 --zero 1 --tensor 1 --context 1 --recompute none --format csv --shards 3,1,2 | cmp - whole.csv
$ nncost plot front dense round --threads 1 --devices 4 --global-batch 8 --best 2 --zero 1 --tensor 1 --context 1 --recompute none > again; nncost plot front dense round --threads 1 --devices 4 --global-batch 8 --best 2 --zero 1 --tensor 1 --context 1 --recompute none --shards 1,2,3 | cmp - again
$ nncost search dense round --threads 1 --devices 4 --global-batch 8 --best 2 --zero 1 --tensor 1 --context 1 --recompute none --shards 1,2,3 --max-memory 1e9
! nncost: 1: contains a shard of another search
[3]
$ nncost search dense round --threads 1 --devices 4 --global-batch 8 --best 2 --zero 1 --tensor 1 --context 1 --recompute none --shards 1,3
! nncost: merge: expected all 3 shards, found 2: shard 2/3 is missing
[2]
$ nncost search dense round --threads 1 --devices 4 --global-batch 8 --best 2 --zero 1 --tensor 1 --context 1 --recompute none --shards 1,2,3 --shard 1/3
! nncost: --shards: merges all shards, expected without --shard
[2]
$ nncost search dense round --threads 1 --devices 4 --global-batch 8 --best 2 --zero 1 --tensor 1 --context 1 --recompute none --shards 1,2,3 --target-step 1s
! nncost: --target-step: needs the best plan of all shards, expected without --shard
[2]
$ nncost merge new 3 1
! nncost: merge: expected all 3 shards, found 2: shard 2/3 is missing
[2]
$ cp 1 again; nncost merge new 1 2 again
! nncost: again: is shard 1/3, the same shard as 1
[3]
$ nncost merge new 1 2 toy/hw/round.json
! nncost: toy/hw/round.json:2: schema: not of a search, expected "nncost.search/1", found "nncost.device/1"
[3]
$ nncost merge new 1 2 whole
! nncost: whole: shard: not the output of a shard, expected "I/N" as 'nncost search --shard I/N --format json' writes it
[3]
$ nncost search dense round --threads 1 --devices 4 --global-batch 16 --best 2 --zero 1 --shard 3/3 --format json --output other
$ nncost merge new 1 2 other
! nncost: other: holds a shard of another search than 1
[3]
$ nncost sweep dense round --micro-batch 1..3 --shard 3/3 --format json --output swept; nncost merge new 1 2 swept
! nncost: swept: not of a search, expected "nncost.search/1", found nothing
[3]
$ head -18 3 >cut; nncost merge new 1 2 cut
! nncost: cut:19:1: bad syntax, expected a key in quotes, found the end of the text
[3]
$ sed 's/"covered": [0-9]*/"covered": 64/' 2 >stopped; nncost merge new 1 stopped 3
! nncost: stopped:7: covered: the search was stopped, expected all 480 combinations, found 64
[3]
$ sed 's/"index": [0-9]*, //' 2 >odd; nncost merge new 1 odd 3
! nncost: odd:16: best[0].index: missing, expected a whole number, found nothing
[3]
$ sed 's/"step_s": [0-9.e-]*/"step_s": null/' 2 >odd; nncost merge new 1 odd 3
! nncost: odd:16: best[0].step_s: missing, expected a number, found null
[3]
$ sed 's/"mfu": [0-9.e-]*/"mfu": "high"/' 2 >odd; nncost merge new 1 odd 3
! nncost: odd:16: best[0].mfu: wrong type, expected a number, found "high"
[3]
$ sed 's/"memory_bytes": [0-9]*/"memory_bytes": 0.5/' 2 >odd; nncost merge new 1 odd 3
! nncost: odd:16: best[0].memory_bytes: out of range, expected a whole number as nncost writes it, found 0.5
[3]
$ sed 's/"pareto": \[/"front": [/' 2 >odd; nncost merge new 1 odd 3
! nncost: odd: pareto: missing, expected a list, found nothing
[3]
$ sed 's/"schedule": "[a-z0-9]*"/"schedule": "gpipes"/' 2 >odd; nncost merge new 1 odd 3
! nncost: odd:16: best[0].plan.schedule: unknown value, expected one of 1f1b, gpipe, interleaved, zb-h1, zb-h2, zb-v, dualpipe, found "gpipes"
[3]
$ sed 's/"best": 2/"best": 101/' 2 >odd; nncost merge new 1 odd 3
! nncost: odd:5: asked.best: out of range, expected 1 to 100, found 101
[3]
$ sed 's/"objective": "time"/"objective": "speed"/' 2 >odd; nncost merge new 1 odd 3
! nncost: odd:5: asked.objective: unknown value, expected one of time, memory, cost, found "speed"
[3]
$ nncost merge new 1 2 no-such
! nncost: no-such: cannot be opened, expected a readable file, found: No such file or directory
[4]
$ ls
1
2
3
again
all.csv
all.json
cut
inputs
odd
other
stopped
swept
toy
whole
whole.csv

# If no plan is legal, or if no plan fits, 'nncost merge' prints the same message as the search.
$ for i in 1 2; do nncost search dense round --devices 8 --global-batch 8 --tensor 3 --shard $i/2 --format json --output $i; done
$ nncost merge all 2 1
! nncost: --devices: expected a multiple of tensor x pipeline x context = 3, found 8
[3]
$ for i in 1 2; do nncost search dense round --set layers=800 --threads 1 --devices 1 --global-batch 1 --shard $i/2 --format json --output $i; done
$ nncost merge none 2 1
[1]
$ sed 's/"elapsed_s": .*/"elapsed_s": 0,/' none
{
  "schema": "nncost.search/1",
  "space": 720,
  "covered": 720,
  "legal": 10,
  "feasible": 0,
  "evaluated": 0,
  "pruned": 720,
  "elapsed_s": 0,
  "threads": 2,
  "currency": "USD",
  "best": [],
  "pareto": []
}
