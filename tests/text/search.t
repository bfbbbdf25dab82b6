# 'nncost search' finds the best plans for a number of devices and a batch.

# Prints the best three plans, and the reason why the first plan is faster than the second.
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 3
dense on 16 x fitted, global batch 64
840000 combinations: 24100 legal, 24100 fit; 2943 evaluated; no other plan can be among the best

software torch-compile

    step    memory    MFU  bubble  plan
24.14 ms  1.518 GB  60.6%    0.0%  dp16 zero2 mb4
24.14 ms  1.718 GB  60.6%    0.0%  dp16 zero1 mb4
24.15 ms  1.611 GB  60.6%    0.0%  dp8 pp2 zero2 mb4 dualpipe

the first plan is the fastest of the list with a probability of 50 %; the most likely other plan is
dp8 pp2 zero2 mb4 dualpipe; to decide, measure 20 steps of each plan, 965.9 ms in total

    nncost estimate dense fitted --devices 16 --global-batch 64 --zero 2 --micro-batch 4

Pareto front: no other plan is faster with less memory

    step    memory    MFU  bubble  plan
24.14 ms  1.518 GB  60.6%    0.0%  dp16 zero2 mb4
24.56 ms  1.390 GB  59.6%    0.0%  dp16 zero2 mb4 recompute=norm
24.74 ms  1.270 GB  59.2%    0.0%  dp16 zero2 mb4 recompute=activation
25.15 ms  1.142 GB  58.2%    0.0%  dp16 zero2 mb4 recompute=norm+activation
26.18 ms  1.120 GB  55.9%    0.0%  dp8 pp2 zero3 mb4 dualpipe recompute=norm+activation
26.24 ms  1.114 GB  55.8%    0.0%  dp16 zero1 mb2
26.49 ms  912.7 MB  55.3%    0.0%  dp16 zero2 mb2
27.06 ms  848.7 MB  54.1%    0.0%  dp16 zero2 mb2 recompute=norm
27.16 ms  788.7 MB  53.9%    0.0%  dp16 zero2 mb2 recompute=activation
27.73 ms  724.7 MB  52.8%    0.0%  dp16 zero2 mb2 recompute=norm+activation
30.30 ms  698.6 MB  48.3%    0.6%  dp8 pp2 vpp5 zero2 mb2 ends recompute=activation
30.91 ms  634.5 MB  47.4%    0.7%  dp8 pp2 vpp5 zero2 mb2 ends recompute=norm+activation

# Prints the result of a search in every format except the default one. The elapsed time is masked, because it differs
# in every run.
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 2 --tensor 1 --pipeline 1 --tokens 1e9 --format csv
plan.devices,plan.data,plan.tensor,plan.pipeline,plan.virtual_stages,plan.context,plan.expert,plan.sequence_parallel,plan.zero,plan.micro_batch,plan.micro_batches,plan.global_batch,plan.schedule,plan.ends_as_layers,plan.recompute,plan.offload,software,step_s,memory_bytes,mfu,tokens_per_s,bubble_share,exposed_comm_s,device_s,cost_step,run_s,device_hours,cost_run,goodput,energy_j,carbon_kg,command\r
16,16,1,1,1,1,1,false,2,4,1,64,1f1b,false,none,none,torch-compile,0.0241434006598,1517537750,0.606376881463,2650827.89711,0,0.000498301668722,0.386294410557,0.000214608005865,377.240635309,1.67662504582,3.35325009164,1,3017925.08248,,nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 1e9 --zero 2 --micro-batch 4\r
16,16,1,1,1,1,1,false,1,4,1,64,1f1b,false,none,none,torch-compile,0.0241434006598,1718361500,0.606376881463,2650827.89711,0,0.000498301668722,0.386294410557,0.000214608005865,377.240635309,1.67662504582,3.35325009164,1,3017925.08248,,nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 1e9 --zero 1 --micro-batch 4\r
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 2 --tensor 1 --pipeline 1 --format markdown
dense on 16 x fitted, global batch 64
33600 combinations: 240 legal, 240 fit; 78 evaluated; no other plan can be among the best

software torch-compile

| step | memory | MFU | bubble | plan |
|---:|---:|---:|---:|:---|
| 24.14 ms | 1.518 GB | 60.6% | 0.0% | dp16 zero2 mb4 |
| 24.14 ms | 1.718 GB | 60.6% | 0.0% | dp16 zero1 mb4 |

    nncost estimate dense fitted --devices 16 --global-batch 64 --zero 2 --micro-batch 4

Pareto front: no other plan is faster with less memory

| step | memory | MFU | bubble | plan |
|---:|---:|---:|---:|:---|
| 24.14 ms | 1.518 GB | 60.6% | 0.0% | dp16 zero2 mb4 |
| 24.56 ms | 1.390 GB | 59.6% | 0.0% | dp16 zero2 mb4 recompute=norm |
| 24.74 ms | 1.270 GB | 59.2% | 0.0% | dp16 zero2 mb4 recompute=activation |
| 25.15 ms | 1.142 GB | 58.2% | 0.0% | dp16 zero2 mb4 recompute=norm+activation |
| 26.24 ms | 1.114 GB | 55.8% | 0.0% | dp16 zero1 mb2 |
| 26.49 ms | 912.7 MB | 55.3% | 0.0% | dp16 zero2 mb2 |
| 27.06 ms | 848.7 MB | 54.1% | 0.0% | dp16 zero2 mb2 recompute=norm |
| 27.16 ms | 788.7 MB | 53.9% | 0.0% | dp16 zero2 mb2 recompute=activation |
| 27.73 ms | 724.7 MB | 52.8% | 0.0% | dp16 zero2 mb2 recompute=norm+activation |
| 31.21 ms | 724.7 MB | 46.9% | 0.0% | dp8 cp2 zero2 mb4 recompute=norm+activation |
| 31.24 ms | 610.3 MB | 46.9% | 0.0% | dp16 zero2 mb1 |
| 32.08 ms | 548.3 MB | 45.6% | 0.0% | dp16 zero2 mb1 recompute=activation |
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 1 --tensor 1 --pipeline 1 --zero 1 --tokens 300e9 --format json | sed 's/"elapsed_s": .*/"elapsed_s": 0,/'
{
  "schema": "nncost.search/1",
  "space": 8400,
  "covered": 8400,
  "legal": 60,
  "feasible": 60,
  "evaluated": 27,
  "pruned": 8373,
  "elapsed_s": 0,
  "threads": 1,
  "currency": "USD",
  "plans": [
    {"command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 4", "step_s": 0.0241434006598, "p_best": 1, "p_out_of_memory": 0}
  ],
  "best": [
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 4, "micro_batches": 1, "global_batch": 64, "schedule": "1f1b", "ends_as_layers": false, "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.0241434006598, "memory_bytes": 1718361500, "mfu": 0.606376881463, "tokens_per_s": 2650827.89711, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.386294410557, "cost_step": 0.000214608005865, "run_s": 113172.190593, "device_hours": 502.987513746, "cost_run": 1005.97502749, "goodput": 1, "energy_j": 905377524.743, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 4"}
  ],
  "pareto": [
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 4, "micro_batches": 1, "global_batch": 64, "schedule": "1f1b", "ends_as_layers": false, "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.0241434006598, "memory_bytes": 1718361500, "mfu": 0.606376881463, "tokens_per_s": 2650827.89711, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.386294410557, "cost_step": 0.000214608005865, "run_s": 113172.190593, "device_hours": 502.987513746, "cost_run": 1005.97502749, "goodput": 1, "energy_j": 905377524.743, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 4"},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 4, "micro_batches": 1, "global_batch": 64, "schedule": "1f1b", "ends_as_layers": false, "recompute": "norm", "offload": "none"}, "software": "torch-compile", "step_s": 0.0245594006598, "memory_bytes": 1590361500, "mfu": 0.596105752041, "tokens_per_s": 2605926.78488, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.392950410557, "cost_step": 0.000218305783643, "run_s": 115122.190593, "device_hours": 511.654180413, "cost_run": 1023.30836083, "goodput": 1, "energy_j": 920977524.743, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 4 --recompute norm"},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 4, "micro_batches": 1, "global_batch": 64, "schedule": "1f1b", "ends_as_layers": false, "recompute": "activation", "offload": "none"}, "software": "torch-compile", "step_s": 0.0247354006598, "memory_bytes": 1470361500, "mfu": 0.591864275875, "tokens_per_s": 2587384.81257, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.395766410557, "cost_step": 0.000219870228087, "run_s": 115947.190593, "device_hours": 515.320847079, "cost_run": 1030.64169416, "goodput": 1, "energy_j": 927577524.743, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 4 --recompute activation"},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 4, "micro_batches": 1, "global_batch": 64, "schedule": "1f1b", "ends_as_layers": false, "recompute": "norm,activation", "offload": "none"}, "software": "torch-compile", "step_s": 0.0251514006598, "memory_bytes": 1342361500, "mfu": 0.582074938808, "tokens_per_s": 2544589.89643, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.402422410557, "cost_step": 0.000223568005865, "run_s": 117897.190593, "device_hours": 523.987513746, "cost_run": 1047.97502749, "goodput": 1, "energy_j": 943177524.743, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 4 --recompute norm,activation"},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 2, "global_batch": 64, "schedule": "1f1b", "ends_as_layers": false, "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.0262375489988, "memory_bytes": 1113561500, "mfu": 0.55797894844, "tokens_per_s": 2439252.23362, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.419800783981, "cost_step": 0.000233222657767, "run_s": 122988.510932, "device_hours": 546.615604142, "cost_run": 1093.23120828, "goodput": 1, "energy_j": 983908087.456, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 2"},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 2, "global_batch": 64, "schedule": "1f1b", "ends_as_layers": false, "recompute": "norm", "offload": "none"}, "software": "torch-compile", "step_s": 0.0268135489988, "memory_bytes": 1049561500, "mfu": 0.545992624872, "tokens_per_s": 2386853.0049, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.429016783981, "cost_step": 0.000238342657767, "run_s": 125688.510932, "device_hours": 558.615604142, "cost_run": 1117.23120828, "goodput": 1, "energy_j": 1005508087.46, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 2 --recompute norm"},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 2, "global_batch": 64, "schedule": "1f1b", "ends_as_layers": false, "recompute": "activation", "offload": "none"}, "software": "torch-compile", "step_s": 0.0269095489988, "memory_bytes": 989561500, "mfu": 0.54404479245, "tokens_per_s": 2378337.89049, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.430552783981, "cost_step": 0.000239195991101, "run_s": 126138.510932, "device_hours": 560.615604142, "cost_run": 1121.23120828, "goodput": 1, "energy_j": 1009108087.46, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 2 --recompute activation"},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 2, "global_batch": 64, "schedule": "1f1b", "ends_as_layers": false, "recompute": "norm,activation", "offload": "none"}, "software": "torch-compile", "step_s": 0.0274855489988, "memory_bytes": 925561500, "mfu": 0.532643535722, "tokens_per_s": 2328496.33103, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.439768783981, "cost_step": 0.000244315991101, "run_s": 128838.510932, "device_hours": 572.615604142, "cost_run": 1145.23120828, "goodput": 1, "energy_j": 1030708087.46, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 2 --recompute norm,activation"},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 4, "global_batch": 64, "schedule": "1f1b", "ends_as_layers": false, "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.0304968607087, "memory_bytes": 811161500, "mfu": 0.480049410325, "tokens_per_s": 2098576.65716, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.48794977134, "cost_step": 0.0002710832063, "run_s": 142954.034572, "device_hours": 635.351264765, "cost_run": 1270.70252953, "goodput": 1, "energy_j": 1143632276.58, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 1"},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 4, "global_batch": 64, "schedule": "1f1b", "ends_as_layers": false, "recompute": "activation", "offload": "none"}, "software": "torch-compile", "step_s": 0.0313288607087, "memory_bytes": 749161500, "mfu": 0.467300746622, "tokens_per_s": 2042844.79397, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.50126177134, "cost_step": 0.000278478761855, "run_s": 146854.034572, "device_hours": 652.684598099, "cost_run": 1305.3691962, "goodput": 1, "energy_j": 1174832276.58, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 1 --recompute activation"},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 4, "global_batch": 64, "schedule": "1f1b", "ends_as_layers": false, "recompute": "norm,activation", "offload": "none"}, "software": "torch-compile", "step_s": 0.0322248607087, "memory_bytes": 717161500, "mfu": 0.454307627031, "tokens_per_s": 1986044.27117, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.51559777134, "cost_step": 0.0002864432063, "run_s": 151054.034572, "device_hours": 671.351264765, "cost_run": 1342.70252953, "goodput": 1, "energy_j": 1208432276.58, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 1 --recompute norm,activation"},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 2, "global_batch": 64, "schedule": "1f1b", "ends_as_layers": false, "recompute": "full", "offload": "none"}, "software": "torch-compile", "step_s": 0.0342077439965, "memory_bytes": 684889500, "mfu": 0.427973268318, "tokens_per_s": 1870921.39156, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.547323903945, "cost_step": 0.000304068835525, "run_s": 160348.799984, "device_hours": 712.661333261, "cost_run": 1425.32266652, "goodput": 1, "energy_j": 1282790399.87, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 2 --recompute full"},
    {"plan": {"devices": 16, "data": 8, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 2, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 4, "micro_batches": 2, "global_batch": 64, "schedule": "1f1b", "ends_as_layers": false, "recompute": "full", "offload": "none"}, "software": "torch-compile", "step_s": 0.0390340870355, "memory_bytes": 684885500, "mfu": 0.375056805778, "tokens_per_s": 1639592.59356, "bubble_share": 0, "exposed_comm_s": 0.0013907367397, "device_s": 0.624545392568, "cost_step": 0.000346969662538, "run_s": 182972.282979, "device_hours": 813.210146573, "cost_run": 1626.42029315, "goodput": 1, "energy_j": 1463778263.83, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --context 2 --zero 1 --micro-batch 4 --recompute full"},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 4, "global_batch": 64, "schedule": "1f1b", "ends_as_layers": false, "recompute": "full", "offload": "none"}, "software": "torch-compile", "step_s": 0.0398943676011, "memory_bytes": 596825500, "mfu": 0.366969095647, "tokens_per_s": 1604236.4837, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.638309881618, "cost_step": 0.000354616600899, "run_s": 187004.84813, "device_hours": 831.132658357, "cost_run": 1662.26531671, "goodput": 1, "energy_j": 1496038785.04, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 1 --recompute full"},
    {"plan": {"devices": 16, "data": 8, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 2, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 4, "global_batch": 64, "schedule": "1f1b", "ends_as_layers": false, "recompute": "full", "offload": "none"}, "software": "torch-compile", "step_s": 0.0470368086513, "memory_bytes": 596821500, "mfu": 0.311245605724, "tokens_per_s": 1360636.52776, "bubble_share": 0, "exposed_comm_s": 0.00224000390283, "device_s": 0.75258893842, "cost_step": 0.000418104965789, "run_s": 220485.040553, "device_hours": 979.933513568, "cost_run": 1959.86702714, "goodput": 1, "energy_j": 1763880324.42, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --context 2 --zero 1 --micro-batch 2 --recompute full"},
    {"plan": {"devices": 16, "data": 8, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 2, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 8, "global_batch": 64, "schedule": "1f1b", "ends_as_layers": false, "recompute": "full", "offload": "none"}, "software": "torch-compile", "step_s": 0.0640494711938, "memory_bytes": 552789500, "mfu": 0.228573315706, "tokens_per_s": 999227.609644, "bubble_share": 0, "exposed_comm_s": 0.00427116878748, "device_s": 1.0247915391, "cost_step": 0.000569328632834, "run_s": 300231.896221, "device_hours": 1334.36398321, "cost_run": 2668.72796641, "goodput": 1, "energy_j": 2401855169.77, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --context 2 --zero 1 --micro-batch 1 --recompute full"},
    {"plan": {"devices": 16, "data": 4, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 4, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 16, "global_batch": 64, "schedule": "1f1b", "ends_as_layers": false, "recompute": "full", "offload": "none"}, "software": "torch-compile", "step_s": 0.149718939247, "memory_bytes": 531771500, "mfu": 0.0977832201701, "tokens_per_s": 427467.629159, "bubble_share": 0, "exposed_comm_s": 0.0311112555766, "device_s": 2.39550302795, "cost_step": 0.00133083501553, "run_s": 701807.52772, "device_hours": 3119.14456764, "cost_run": 6238.28913528, "goodput": 1, "energy_j": 5614460221.76, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --context 4 --zero 1 --micro-batch 1 --recompute full"}
  ]
}

# The table has columns for the degrees that the plans use, such as pipeline and expert.
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 16 --best 2 --pipeline 4 --zero 0 --max-memory 300e6
dense on 16 x fitted, global batch 16
30000 combinations: 1020 legal, 69 fit; 69 evaluated

software torch-compile

    step    memory    MFU  bubble  plan
30.28 ms  292.7 MB  12.1%   20.3%  dp1 tp4 pp4 mb2 zb-h1 recompute=norm+activation
31.46 ms  292.7 MB  11.6%   23.3%  dp1 tp4 pp4 mb2 recompute=norm+activation

the first plan is 1.179 ms faster than the second plan, 1.179 ms less bubble

the first plan is the fastest of the list with a probability of 62 %; the most likely other plan is
dp1 tp4 pp4 mb2 recompute=norm+activation; to decide, measure 20 steps of each plan, 1.235 s in
total

    nncost estimate dense fitted --devices 16 --global-batch 16 --tensor 4 --pipeline 4 --micro-batch 2 --schedule zb-h1 --recompute norm,activation

Pareto front: no other plan is faster with less memory

    step    memory    MFU  bubble  plan
30.28 ms  292.7 MB  12.1%   20.3%  dp1 tp4 pp4 mb2 zb-h1 recompute=norm+activation
31.54 ms  288.5 MB  11.6%   26.5%  dp1 tp4 pp4 vpp2 mb4 recompute=full
36.63 ms  232.5 MB  10.0%   15.5%  dp1 tp4 pp4 vpp2 mb2 recompute=full
39.02 ms  218.3 MB   9.4%   26.6%  dp1 tp4 sp pp4 vpp2 mb4 recompute=full
44.77 ms  216.4 MB   8.2%   36.1%  dp1 tp4 sp pp4 mb4 zb-h1 recompute=full
48.82 ms  187.4 MB   7.5%   15.6%  dp1 tp4 sp pp4 vpp2 mb2 recompute=full
52.60 ms  186.3 MB   7.0%   12.7%  dp1 tp4 pp4 mb1 zb-h1 recompute=full
53.36 ms  184.3 MB   6.9%   22.8%  dp1 tp4 sp pp4 mb2 zb-h1 recompute=full
71.42 ms  169.8 MB   5.1%    8.5%  dp1 tp4 sp pp4 vpp2 mb1 recompute=full
75.27 ms  168.3 MB   4.9%   13.2%  dp1 tp4 sp pp4 mb1 zb-h1 recompute=full
$ nncost search experts round --threads 1 --devices 16 --global-batch 32 --best 2 --expert 4,8 --max-memory 600e6
experts on 16 x round, global batch 32
1728000 combinations: 20240 legal, 17535 fit; 10026 evaluated; no other plan can be among the best

no fitted efficiencies for this device: roofline times; real times are longer, and the order of
plans may differ

software torch-compile

    step    memory    MFU  bubble  plan
8.983 ms  598.2 MB  66.8%    0.0%  dp8 pp2 ep8 zero1 mb1 dualpipe
9.031 ms  594.0 MB  66.5%    0.0%  dp8 pp2 ep8 zero2 mb2 dualpipe recompute=norm+activation

the first plan is 47.74 us faster than the second plan, 112.0 us more exposed communication, 159.7
us less compute

    nncost estimate experts round --devices 16 --global-batch 32 --pipeline 2 --expert 8 --zero 1 --micro-batch 1 --schedule dualpipe

Pareto front: no other plan is faster with less memory

    step    memory    MFU  bubble  plan
8.983 ms  598.2 MB  66.8%    0.0%  dp8 pp2 ep8 zero1 mb1 dualpipe
9.031 ms  594.0 MB  66.5%    0.0%  dp8 pp2 ep8 zero2 mb2 dualpipe recompute=norm+activation
9.047 ms  574.2 MB  66.4%    0.0%  dp8 pp2 ep8 zero1 mb1 dualpipe recompute=norm
9.143 ms  550.2 MB  65.7%    0.0%  dp8 pp2 ep8 zero1 mb1 dualpipe recompute=norm+activation
9.215 ms  546.3 MB  65.2%    0.0%  dp8 pp2 ep8 zero2 mb1 dualpipe
9.279 ms  522.3 MB  64.7%    0.0%  dp8 pp2 ep8 zero2 mb1 dualpipe recompute=norm
9.375 ms  498.3 MB  64.0%    0.0%  dp8 pp2 ep8 zero2 mb1 dualpipe recompute=norm+activation
9.671 ms  476.6 MB  62.1%    0.0%  dp4 pp2 cp2 ep8 zero1 mb1 dualpipe
9.735 ms  464.6 MB  61.7%    0.0%  dp4 pp2 cp2 ep8 zero1 mb1 dualpipe recompute=norm
9.831 ms  452.6 MB  61.1%    0.0%  dp4 pp2 cp2 ep8 zero1 mb1 dualpipe recompute=norm+activation
10.04 ms  387.8 MB  59.8%    0.1%  dp8 pp2 vpp3 ep4 zero1 mb1 ends
10.08 ms  363.8 MB  59.5%    0.1%  dp8 pp2 vpp3 ep8 zero1 mb1 ends

# The global batch has 72 divisors.
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 10080 --best 1 --tensor 1 --pipeline 1 --context 1 --zero 1 | head -2
dense on 16 x fitted, global batch 10080
17280 combinations: 120 legal, 94 fit; 51 evaluated; no other plan can be among the best

# Searches for a whole run with a deadline and a budget. In the first search, some plans meet the deadline and the
# budget. In each of the other searches, no plan meets the given limit.
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 2 --tensor 1 --pipeline 1 --tokens 300e9 --deadline 3d --budget 4000
dense on 16 x fitted, global batch 64
33600 combinations: 240 legal, 240 fit; 70 evaluated; no other plan can be among the best

software torch-compile

    step      run  run USD    kWh    memory    MFU  bubble  plan
24.14 ms  31.44 h    1,006  251.5  1.518 GB  60.6%    0.0%  dp16 zero2 mb4
24.14 ms  31.44 h    1,006  251.5  1.718 GB  60.6%    0.0%  dp16 zero1 mb4

    nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 2 --micro-batch 4

Pareto front: no other plan is faster with less memory

    step     run run USD   kWh   memory   MFU bubble plan
24.14 ms 31.44 h   1,006 251.5 1.518 GB 60.6%   0.0% dp16 zero2 mb4
24.56 ms 31.98 h   1,023 255.8 1.390 GB 59.6%   0.0% dp16 zero2 mb4 recompute=norm
24.74 ms 32.21 h   1,031 257.7 1.270 GB 59.2%   0.0% dp16 zero2 mb4 recompute=activation
25.15 ms 32.75 h   1,048   262 1.142 GB 58.2%   0.0% dp16 zero2 mb4 recompute=norm+activation
26.24 ms 34.16 h   1,093 273.3 1.114 GB 55.8%   0.0% dp16 zero1 mb2
26.49 ms 34.49 h   1,104 275.9 912.7 MB 55.3%   0.0% dp16 zero2 mb2
27.06 ms 35.24 h   1,128 281.9 848.7 MB 54.1%   0.0% dp16 zero2 mb2 recompute=norm
27.16 ms 35.36 h   1,132 282.9 788.7 MB 53.9%   0.0% dp16 zero2 mb2 recompute=activation
27.73 ms 36.11 h   1,156 288.9 724.7 MB 52.8%   0.0% dp16 zero2 mb2 recompute=norm+activation
31.21 ms 40.64 h   1,300 325.1 724.7 MB 46.9%   0.0% dp8 cp2 zero2 mb4 recompute=norm+activation
31.24 ms 40.68 h   1,302 325.5 610.3 MB 46.9%   0.0% dp16 zero2 mb1
32.08 ms 41.77 h   1,337 334.1 548.3 MB 45.6%   0.0% dp16 zero2 mb1 recompute=activation
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --tensor 1 --tokens 300e9 --budget 100
dense on 16 x fitted, global batch 64
168000 combinations: 5500 legal, 5500 fit; 1680 evaluated; no other plan can be among the best

no plan that fits meets the deadline and the budget; the fastest takes 24.14 ms a step, 31.44 h for
the run, run cost 1,006 USD
[1]
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --tensor 1 --tokens 300e9 --deadline 1h
dense on 16 x fitted, global batch 64
168000 combinations: 5500 legal, 5500 fit; 1680 evaluated; no other plan can be among the best

no plan that fits meets the deadline and the budget; the fastest takes 24.14 ms a step, 31.44 h for
the run, run cost 1,006 USD
[1]

# Tests the objectives memory and cost.
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 2 --tensor 1 --pipeline 1 --objective memory
dense on 16 x fitted, global batch 64
33600 combinations: 240 legal, 240 fit; 89 evaluated; no other plan can be among the best

software torch-compile

    step    memory    MFU  bubble  plan
316.9 ms  202.2 MB   4.6%    0.0%  dp4 cp4 zero3 mb1 recompute=full
138.9 ms  223.2 MB  10.5%    0.0%  dp8 cp2 zero3 mb1 recompute=full

the first plan is 178.0 ms slower than the second plan, 119.2 ms more exposed communication, 58.83
ms more compute

    nncost estimate dense fitted --devices 16 --global-batch 64 --context 4 --zero 3 --micro-batch 1 --recompute full

Pareto front: no other plan is faster with less memory

    step    memory    MFU  bubble  plan
24.14 ms  1.518 GB  60.6%    0.0%  dp16 zero2 mb4
24.56 ms  1.390 GB  59.6%    0.0%  dp16 zero2 mb4 recompute=norm
24.74 ms  1.270 GB  59.2%    0.0%  dp16 zero2 mb4 recompute=activation
25.15 ms  1.142 GB  58.2%    0.0%  dp16 zero2 mb4 recompute=norm+activation
26.24 ms  1.114 GB  55.8%    0.0%  dp16 zero1 mb2
26.49 ms  912.7 MB  55.3%    0.0%  dp16 zero2 mb2
27.06 ms  848.7 MB  54.1%    0.0%  dp16 zero2 mb2 recompute=norm
27.16 ms  788.7 MB  53.9%    0.0%  dp16 zero2 mb2 recompute=activation
27.73 ms  724.7 MB  52.8%    0.0%  dp16 zero2 mb2 recompute=norm+activation
31.21 ms  724.7 MB  46.9%    0.0%  dp8 cp2 zero2 mb4 recompute=norm+activation
31.24 ms  610.3 MB  46.9%    0.0%  dp16 zero2 mb1
32.08 ms  548.3 MB  45.6%    0.0%  dp16 zero2 mb1 recompute=activation
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 2 --tensor 1 --pipeline 1 --objective cost --tokens 1e9
dense on 16 x fitted, global batch 64
33600 combinations: 240 legal, 240 fit; 78 evaluated; no other plan can be among the best

software torch-compile

    step      run  run USD     kWh    memory    MFU  bubble  plan
24.14 ms  377.2 s    3.353  0.8383  1.518 GB  60.6%    0.0%  dp16 zero2 mb4
24.14 ms  377.2 s    3.353  0.8383  1.718 GB  60.6%    0.0%  dp16 zero1 mb4

    nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 1e9 --zero 2 --micro-batch 4

Pareto front: no other plan is faster with less memory

    step     run run USD    kWh   memory   MFU bubble plan
24.14 ms 377.2 s   3.353 0.8383 1.518 GB 60.6%   0.0% dp16 zero2 mb4
24.56 ms 383.7 s   3.411 0.8528 1.390 GB 59.6%   0.0% dp16 zero2 mb4 recompute=norm
24.74 ms 386.5 s   3.435 0.8589 1.270 GB 59.2%   0.0% dp16 zero2 mb4 recompute=activation
25.15 ms 393.0 s   3.493 0.8733 1.142 GB 58.2%   0.0% dp16 zero2 mb4 recompute=norm+activation
26.24 ms 410.0 s   3.644  0.911 1.114 GB 55.8%   0.0% dp16 zero1 mb2
26.49 ms 413.9 s   3.679 0.9197 912.7 MB 55.3%   0.0% dp16 zero2 mb2
27.06 ms 422.9 s   3.759 0.9397 848.7 MB 54.1%   0.0% dp16 zero2 mb2 recompute=norm
27.16 ms 424.4 s   3.772  0.943 788.7 MB 53.9%   0.0% dp16 zero2 mb2 recompute=activation
27.73 ms 433.4 s   3.852  0.963 724.7 MB 52.8%   0.0% dp16 zero2 mb2 recompute=norm+activation
31.21 ms 487.6 s   4.335  1.084 724.7 MB 46.9%   0.0% dp8 cp2 zero2 mb4 recompute=norm+activation
31.24 ms 488.2 s   4.339  1.085 610.3 MB 46.9%   0.0% dp16 zero2 mb1
32.08 ms 501.2 s   4.455  1.114 548.3 MB 45.6%   0.0% dp16 zero2 mb1 recompute=activation

# --target-step prints the value of each device parameter with which the best plan reaches a step time. --target-step
# also reports parameters that are not enough alone, and a target that is already reached.
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 1 --tensor 1 --pipeline 1 --target-step 20ms
dense on 16 x fitted, global batch 64
33600 combinations: 240 legal, 240 fit; 78 evaluated; no other plan can be among the best

software torch-compile

    step    memory    MFU  bubble  plan
24.14 ms  1.518 GB  60.6%    0.0%  dp16 zero2 mb4

    nncost estimate dense fitted --devices 16 --global-batch 64 --zero 2 --micro-batch 4

Pareto front: no other plan is faster with less memory

    step    memory    MFU  bubble  plan
24.14 ms  1.518 GB  60.6%    0.0%  dp16 zero2 mb4
24.56 ms  1.390 GB  59.6%    0.0%  dp16 zero2 mb4 recompute=norm
24.74 ms  1.270 GB  59.2%    0.0%  dp16 zero2 mb4 recompute=activation
25.15 ms  1.142 GB  58.2%    0.0%  dp16 zero2 mb4 recompute=norm+activation
26.24 ms  1.114 GB  55.8%    0.0%  dp16 zero1 mb2
26.49 ms  912.7 MB  55.3%    0.0%  dp16 zero2 mb2
27.06 ms  848.7 MB  54.1%    0.0%  dp16 zero2 mb2 recompute=norm
27.16 ms  788.7 MB  53.9%    0.0%  dp16 zero2 mb2 recompute=activation
27.73 ms  724.7 MB  52.8%    0.0%  dp16 zero2 mb2 recompute=norm+activation
31.21 ms  724.7 MB  46.9%    0.0%  dp8 cp2 zero2 mb4 recompute=norm+activation
31.24 ms  610.3 MB  46.9%    0.0%  dp16 zero2 mb1
32.08 ms  548.3 MB  45.6%    0.0%  dp16 zero2 mb1 recompute=activation

smallest value of each parameter, changed alone, that shortens the step from 24.14 ms to 20.00 ms

  matmul_flops_per_s.bf16  200.0 TFLOP/s -> 251.9 TFLOP/s, 1.26 times
  mem_bytes_per_s          2.000 TB/s: not enough: even with infinite bandwidth, the step takes 21.84 ms
  scale_up.bytes_per_s     200.0 GB/s: not enough: even with infinite bandwidth, the step takes 23.92 ms
  scale_out.bytes_per_s    20.00 GB/s: not enough: even with infinite bandwidth, the step takes 24.02 ms
  mem_bytes                20.00 GB: not enough: even with infinite capacity, the step takes 24.14 ms (the fastest plan of all)
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 1 --tensor 1 --pipeline 1 --target-step 2 | tail -3
32.08 ms  548.3 MB  45.6%    0.0%  dp16 zero2 mb1 recompute=activation

a step of 2.000 s is reached: the best plan takes 24.14 ms
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 1 --tensor 1 --pipeline 1 --max-memory 600e6 --target-step 30ms | tail -8

smallest value of each parameter, changed alone, that shortens the step from 32.08 ms to 30.00 ms

  matmul_flops_per_s.bf16  200.0 TFLOP/s -> 220.7 TFLOP/s, 1.103 times
  mem_bytes_per_s          2.000 TB/s -> 4.882 TB/s, 2.441 times
  scale_up.bytes_per_s     200.0 GB/s: not enough: even with infinite bandwidth, the step takes 31.52 ms
  scale_out.bytes_per_s    20.00 GB/s: not enough: even with infinite bandwidth, the step takes 31.76 ms
  mem_bytes                600.0 MB -> 724.7 MB, 1.208 times, with another plan
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 1 --tensor 1 --pipeline 1 --zero 1 --target-step 20ms --format json | sed -n '/"target"/,$p'
  "target": {"step_s": 0.02, "figures": [{"figure": "matmul_flops_per_s.bf16", "value": 2e14, "needed": 2.51948319927e14, "step_s": 0.0199999999997}, {"figure": "mem_bytes_per_s", "value": 2e12, "needed": null, "step_s": 0.0218379244297}, {"figure": "scale_up.bytes_per_s", "value": 200000000000, "needed": null, "step_s": 0.0239193594011}, {"figure": "scale_out.bytes_per_s", "value": 20000000000, "needed": null, "step_s": 0.0240180342678}, {"figure": "mem_bytes", "value": 20000000000, "needed": null, "step_s": 0.0241434006598}]}
}
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 1 --tensor 1 --pipeline 1 --max-memory 1e8 --target-step 30ms
dense on 16 x fitted, global batch 64
33600 combinations: 240 legal, 0 fit; 0 evaluated

no plan fits
A plan fits here if the upper end of its range of memory fits; 'nncost advise' also shows changes
after which a plan is tight.

smallest value of each parameter, changed alone, for a step of 30.00 ms

  mem_bytes                100.0 MB -> 724.7 MB, 7.247 times, with another plan
[1]

# If no plan fits, the exit code is 1.
$ nncost search dense fitted --threads 1 --devices 8 --global-batch 8 --max-memory 1e8
dense on 8 x fitted, global batch 8
307200 combinations: 6980 legal, 0 fit; 0 evaluated

no plan fits
A plan fits here if the upper end of its range of memory fits; 'nncost advise' also shows changes
after which a plan is tight.
[1]

# --shard searches a part of the space. The JSON output of a shard describes the whole search, because 'nncost merge'
# needs this description. A shard may have no legal plan.
$ nncost search dense fitted --threads 1 --devices 4 --global-batch 8 --best 1 --context 1 --shard 1/2
dense on 4 x fitted, global batch 8
shard 1/2: 21600 combinations: 1032 legal, 1032 fit; 559 evaluated; no other plan can be among the
best

software torch-compile

    step    memory    MFU  bubble  plan
13.61 ms  1.194 GB  53.8%    0.0%  dp4 zero2 mb2

    nncost estimate dense fitted --devices 4 --global-batch 8 --zero 2 --micro-batch 2

Pareto front: no other plan is faster with less memory

    step    memory    MFU  bubble  plan
13.61 ms  1.194 GB  53.8%    0.0%  dp4 zero2 mb2
13.95 ms  1.070 GB  52.5%    0.0%  dp4 zero2 mb2 recompute=activation
14.24 ms  1.006 GB  51.4%    0.0%  dp4 zero2 mb2 recompute=norm+activation
14.93 ms  981.3 MB  49.0%    0.0%  dp4 zero3 mb2 recompute=activation
15.22 ms  917.3 MB  48.1%    0.0%  dp4 zero3 mb2 recompute=norm+activation
15.90 ms  891.5 MB  46.0%    0.0%  dp4 zero2 mb1
16.32 ms  829.5 MB  44.9%    0.0%  dp4 zero2 mb1 recompute=activation
16.77 ms  797.5 MB  43.7%    0.0%  dp4 zero2 mb1 recompute=norm+activation
17.84 ms  762.9 MB  41.0%    1.1%  dp2 pp2 vpp5 zero2 mb1 ends recompute=activation
18.47 ms  740.9 MB  39.6%    0.0%  dp4 zero3 mb1 recompute=activation
18.92 ms  708.9 MB  38.7%    0.0%  dp4 zero3 mb1 recompute=norm+activation
19.44 ms  698.6 MB  37.6%    3.4%  dp2 pp2 vpp5 zero2 mb2 ends recompute=full
$ nncost search dense fitted --threads 1 --devices 4 --global-batch 8 --best 1 --context 1 --tensor 1 --recompute none --zero 1 --shard 2/3 --format json | sed -E 's/("elapsed_s": )[^,]*/\10/; s/("digest": )[^,]*/\1"-"/'
{
  "schema": "nncost.search/1",
  "shard": "2/3",
  "digest": "-",
  "asked": {"objective": "time", "best": 1},
  "space": 240,
  "covered": 240,
  "legal": 24,
  "feasible": 24,
  "evaluated": 24,
  "pruned": 216,
  "elapsed_s": 0,
  "threads": 1,
  "currency": "USD",
  "best": [
    {"index": 145, "plan": {"devices": 4, "data": 2, "tensor": 1, "pipeline": 2, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 2, "global_batch": 8, "schedule": "dualpipe", "ends_as_layers": false, "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.014105360890400835, "memory_bytes": 1675868000, "mfu": 0.51895162817007412, "tokens_per_s": 567160.24936620123, "bubble_share": 0, "exposed_comm_s": 0.00027437589722005551, "device_s": 0.056421443561603342, "cost_step": 3.1345246423112966e-05, "run_s": null, "device_hours": null, "cost_run": null, "goodput": null, "energy_j": null, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 4 --global-batch 8 --pipeline 2 --zero 1 --micro-batch 2 --schedule dualpipe"}
  ],
  "pareto": [
    {"index": 145, "plan": {"devices": 4, "data": 2, "tensor": 1, "pipeline": 2, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 2, "global_batch": 8, "schedule": "dualpipe", "ends_as_layers": false, "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.014105360890400835, "memory_bytes": 1675868000, "mfu": 0.51895162817007412, "tokens_per_s": 567160.24936620123, "bubble_share": 0, "exposed_comm_s": 0.00027437589722005551, "device_s": 0.056421443561603342, "cost_step": 3.1345246423112966e-05, "run_s": null, "device_hours": null, "cost_run": null, "goodput": null, "energy_j": null, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 4 --global-batch 8 --pipeline 2 --zero 1 --micro-batch 2 --schedule dualpipe"},
    {"index": 128, "plan": {"devices": 4, "data": 2, "tensor": 1, "pipeline": 2, "virtual_stages": 5, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 2, "global_batch": 8, "schedule": "interleaved", "ends_as_layers": true, "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.014811546777038906, "memory_bytes": 1185324000, "mfu": 0.49420901882763385, "tokens_per_s": 540119.14625970914, "bubble_share": 0.010858802789292554, "exposed_comm_s": 0.00045308221394650618, "device_s": 0.059246187108155622, "cost_step": 3.291454839341979e-05, "run_s": null, "device_hours": null, "cost_run": null, "goodput": null, "energy_j": null, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 4 --global-batch 8 --pipeline 2 --virtual-stages 5 --zero 1 --micro-batch 2 --schedule interleaved --ends-as-layers"},
    {"index": 127, "plan": {"devices": 4, "data": 2, "tensor": 1, "pipeline": 2, "virtual_stages": 4, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 2, "global_batch": 8, "schedule": "interleaved", "ends_as_layers": false, "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.016280254368851374, "memory_bytes": 1135336000, "mfu": 0.44962442441963207, "tokens_per_s": 491392.81357336842, "bubble_share": 0.10009323075359819, "exposed_comm_s": 0.00045308221394650618, "device_s": 0.065121017475405496, "cost_step": 3.6178343041891942e-05, "run_s": null, "device_hours": null, "cost_run": null, "goodput": null, "energy_j": null, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 4 --global-batch 8 --pipeline 2 --virtual-stages 4 --zero 1 --micro-batch 2 --schedule interleaved"},
    {"index": 38, "plan": {"devices": 4, "data": 2, "tensor": 1, "pipeline": 2, "virtual_stages": 5, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 4, "global_batch": 8, "schedule": "interleaved", "ends_as_layers": true, "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.01695011714747444, "memory_bytes": 890972000, "mfu": 0.43185542237333019, "tokens_per_s": 471973.13920582528, "bubble_share": 0.0097974191995137388, "exposed_comm_s": 0.00045308221394650661, "device_s": 0.067800468589897758, "cost_step": 3.7666926994387645e-05, "run_s": null, "device_hours": null, "cost_run": null, "goodput": null, "energy_j": null, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 4 --global-batch 8 --pipeline 2 --virtual-stages 5 --zero 1 --micro-batch 1 --schedule interleaved --ends-as-layers"},
    {"index": 45, "plan": {"devices": 4, "data": 2, "tensor": 1, "pipeline": 2, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 4, "global_batch": 8, "schedule": "zb-h1", "ends_as_layers": false, "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.018832327899136306, "memory_bytes": 862936000, "mfu": 0.38869331710901828, "tokens_per_s": 424801.43946340791, "bubble_share": 0.10876393857450192, "exposed_comm_s": 0.00045308221394650661, "device_s": 0.075329311596545226, "cost_step": 4.1849617553636238e-05, "run_s": null, "device_hours": null, "cost_run": null, "goodput": null, "energy_j": null, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 4 --global-batch 8 --pipeline 2 --zero 1 --micro-batch 1 --schedule zb-h1"}
  ],
  "pareto_truncated": false,
  "missed": null,
  "illegal": null
}
$ nncost search dense fitted --threads 1 --devices 8 --global-batch 8 --tensor 3 --shard 2/3
dense on 8 x fitted, global batch 8
shard 2/3: 25560 combinations: 0 legal, 0 fit; 0 evaluated

no legal plan, --devices: expected a multiple of tensor x pipeline x context = 6, found 8

# --set shard=2 is the option --shard of a plan. --set shard=2 can be used together with --shard 2/2, which selects a
# part of the search.
$ nncost search dense fitted --threads 1 --devices 4 --global-batch 8 --best 1 --zero 1 --set shard=2 --shard 2/2 --format csv | head -2 | cut -d, -f1-12
plan.devices,plan.data,plan.tensor,plan.pipeline,plan.virtual_stages,plan.context,plan.expert,plan.sequence_parallel,plan.zero,plan.micro_batch,plan.micro_batches,plan.global_batch
4,2,1,2,1,1,1,false,1,2,2,8

# A search that is stopped by a signal prints the best plans found so far. The number of finished combinations is
# masked, because it differs in every run.
$ nncost search dense fitted --set layers=80 --set hidden=4096 --set head_dim=128 --set heads=32 --set kv_heads=32 --devices 1024 --global-batch 1536 --no-prune --threads 1 >out 2>err &
> sleep 0.4; kill -TERM $!; wait $!; echo "exit $?"; sed 's/[0-9][0-9.]*/N/g' err; grep -c 'interrupted: only' out
exit 143
nncost: search: interrupted after N of N combinations, N%; the best of these are shown
1

# A search needs --devices. For a model of tokens, the search chooses a batch and reports the batch. For a model of
# images, the batch must be given.
$ nncost search dense round --threads 1 --devices 16 | head -1
dense on 16 x round, global batch 4096 (chosen: about 4 million tokens)
$ nncost search dense round --threads 1 --global-batch 64
! nncost: --devices: missing, expected a number for all plans of the search, such as --devices 8
[2]

# Tests --budget and --deadline: values that are not an amount or a time, and commands without a run or without a price.
$ nncost search dense round --devices 16 --global-batch 64 --tokens 1e9 --budget 1M
dense on 16 x round, global batch 64
1680000 combinations: 48200 legal, 48200 fit; 12952 evaluated; no other plan can be among the best

no fitted efficiencies for this device: roofline times; real times are longer, and the order of
plans may differ

software torch-compile

    step      run  run USD    kWh    memory    MFU  bubble  plan
31.18 ms  487.2 s    2.165  2.165  1.114 GB  93.9%    0.0%  dp16 zero1 mb2
31.18 ms  487.2 s    2.165  2.165  1.518 GB  93.9%    0.0%  dp16 zero2 mb4
31.18 ms  487.2 s    2.165  2.165  1.718 GB  93.9%    0.0%  dp16 zero1 mb4
31.19 ms  487.4 s    2.166  2.166  1.020 GB  93.9%    0.0%  dp8 pp2 zero1 mb1 dualpipe
31.19 ms  487.4 s    2.166  2.166  1.611 GB  93.9%    0.0%  dp8 pp2 zero2 mb4 dualpipe
31.19 ms  487.4 s    2.166  2.166  1.799 GB  93.9%    0.0%  dp8 pp2 zero1 mb4 dualpipe
31.19 ms  487.4 s    2.166  2.166  1.450 GB  93.9%    0.0%  dp8 pp2 zero1 mb2 dualpipe
31.26 ms  488.5 s    2.171  2.171  811.2 MB  93.7%    0.0%  dp16 zero1 mb1
31.42 ms  491.0 s    2.182  2.182  1.263 GB  93.2%    0.0%  dp8 pp2 zero2 mb2 dualpipe
31.44 ms  491.2 s    2.183  2.183  1.050 GB  93.1%    0.0%  dp16 zero1 mb2 recompute=norm

    nncost estimate dense round --devices 16 --global-batch 64 --tokens 1e9 --zero 1 --micro-batch 2

Pareto front: no other plan is faster with less memory

    step     run run USD   kWh   memory   MFU plan
31.18 ms 487.2 s   2.165 2.165 1.114 GB 93.9% dp16 zero1 mb2
31.19 ms 487.4 s   2.166 2.166 1.020 GB 93.9% dp8 pp2 zero1 mb1 dualpipe
31.26 ms 488.5 s   2.171 2.171 811.2 MB 93.7% dp16 zero1 mb1
31.52 ms 492.5 s   2.189 2.189 779.2 MB 92.9% dp16 zero1 mb1 recompute=norm
31.78 ms 496.5 s   2.207 2.207 749.2 MB 92.1% dp16 zero1 mb1 recompute=activation
32.03 ms 500.5 s   2.224 2.224 717.2 MB 91.4% dp16 zero1 mb1 recompute=norm+activation
32.24 ms 503.7 s   2.239 2.239 610.3 MB 90.8% dp16 zero2 mb1
32.50 ms 507.7 s   2.257 2.257 578.3 MB 90.1% dp16 zero2 mb1 recompute=norm
32.75 ms 511.7 s   2.274 2.274 548.3 MB 89.4% dp16 zero2 mb1 recompute=activation
33.01 ms 515.7 s   2.292 2.292 516.3 MB 88.7% dp16 zero2 mb1 recompute=norm+activation
37.53 ms 586.4 s   2.606 2.606 492.1 MB 78.0% dp8 pp2 vpp5 zero2 mb1 ends recompute=norm
37.78 ms 590.4 s   2.624 2.624 458.1 MB 77.5% dp8 pp2 vpp5 zero2 mb1 ends recompute=activation
left out: bubble (a width of 100, see COLUMNS)
$ nncost search dense round --devices 16 --global-batch 64 --budget 1e6
! nncost: --budget: limits the whole run, expected together with the length of the run: --tokens or --samples
[2]
$ nncost search dense old --devices 16 --global-batch 64 --tokens 1e9 --budget 5
! nncost: --budget: no price is recorded for old, expected together with --price
[2]
$ nncost search dense round --devices 16 --global-batch 64 --tokens 1e9 --deadline soon
! nncost: --deadline: not a time, expected a number above 0 and one of us, ms, s, min, h, d, w, such as 2.5s or 30d, found "soon"
[2]
$ nncost search dense round --devices 16 --global-batch 64 --tokens 1e9 --deadline 3w
dense on 16 x round, global batch 64
1680000 combinations: 48200 legal, 48200 fit; 12952 evaluated; no other plan can be among the best

no fitted efficiencies for this device: roofline times; real times are longer, and the order of
plans may differ

software torch-compile

    step      run  run USD    kWh    memory    MFU  bubble  plan
31.18 ms  487.2 s    2.165  2.165  1.114 GB  93.9%    0.0%  dp16 zero1 mb2
31.18 ms  487.2 s    2.165  2.165  1.518 GB  93.9%    0.0%  dp16 zero2 mb4
31.18 ms  487.2 s    2.165  2.165  1.718 GB  93.9%    0.0%  dp16 zero1 mb4
31.19 ms  487.4 s    2.166  2.166  1.020 GB  93.9%    0.0%  dp8 pp2 zero1 mb1 dualpipe
31.19 ms  487.4 s    2.166  2.166  1.611 GB  93.9%    0.0%  dp8 pp2 zero2 mb4 dualpipe
31.19 ms  487.4 s    2.166  2.166  1.799 GB  93.9%    0.0%  dp8 pp2 zero1 mb4 dualpipe
31.19 ms  487.4 s    2.166  2.166  1.450 GB  93.9%    0.0%  dp8 pp2 zero1 mb2 dualpipe
31.26 ms  488.5 s    2.171  2.171  811.2 MB  93.7%    0.0%  dp16 zero1 mb1
31.42 ms  491.0 s    2.182  2.182  1.263 GB  93.2%    0.0%  dp8 pp2 zero2 mb2 dualpipe
31.44 ms  491.2 s    2.183  2.183  1.050 GB  93.1%    0.0%  dp16 zero1 mb2 recompute=norm

    nncost estimate dense round --devices 16 --global-batch 64 --tokens 1e9 --zero 1 --micro-batch 2

Pareto front: no other plan is faster with less memory

    step     run run USD   kWh   memory   MFU plan
31.18 ms 487.2 s   2.165 2.165 1.114 GB 93.9% dp16 zero1 mb2
31.19 ms 487.4 s   2.166 2.166 1.020 GB 93.9% dp8 pp2 zero1 mb1 dualpipe
31.26 ms 488.5 s   2.171 2.171 811.2 MB 93.7% dp16 zero1 mb1
31.52 ms 492.5 s   2.189 2.189 779.2 MB 92.9% dp16 zero1 mb1 recompute=norm
31.78 ms 496.5 s   2.207 2.207 749.2 MB 92.1% dp16 zero1 mb1 recompute=activation
32.03 ms 500.5 s   2.224 2.224 717.2 MB 91.4% dp16 zero1 mb1 recompute=norm+activation
32.24 ms 503.7 s   2.239 2.239 610.3 MB 90.8% dp16 zero2 mb1
32.50 ms 507.7 s   2.257 2.257 578.3 MB 90.1% dp16 zero2 mb1 recompute=norm
32.75 ms 511.7 s   2.274 2.274 548.3 MB 89.4% dp16 zero2 mb1 recompute=activation
33.01 ms 515.7 s   2.292 2.292 516.3 MB 88.7% dp16 zero2 mb1 recompute=norm+activation
37.53 ms 586.4 s   2.606 2.606 492.1 MB 78.0% dp8 pp2 vpp5 zero2 mb1 ends recompute=norm
37.78 ms 590.4 s   2.624 2.624 458.1 MB 77.5% dp8 pp2 vpp5 zero2 mb1 ends recompute=activation
left out: bubble (a width of 100, see COLUMNS)
$ nncost search dense round --devices 16 --global-batch 64 --tokens 1e9 --deadline -3d
! nncost: --deadline: not a time, expected a number above 0 and one of us, ms, s, min, h, d, w, such as 2.5s or 30d, found "-3d"
[2]
$ nncost search dense round --devices 16 --global-batch 64 --deadline 1d
! nncost: --deadline: limits the whole run, expected together with the length of the run: --tokens or --samples
[2]

# Tests wrong values of lists, objectives, targets and shards.
$ nncost search dense round --devices 16 --global-batch 64 --tensor 1,x
! nncost: --tensor: not a number, expected a whole number from 1 to 16777216, found "x"
[2]
$ nncost search dense round --devices 16 --global-batch 64 --objective speed
! nncost: --objective: unknown value, expected time, memory or cost, found "speed"
[2]
$ nncost search dense round --devices 16 --global-batch 64 --target-step fast
! nncost: --target-step: not a time, expected a number above 0 and one of us, ms, s, min, h, d, w, such as 2.5s or 30d, found "fast"
[2]
$ nncost search dense round --devices 4 --global-batch 8 --shard 0/3
! nncost: --shard: expected I/N with I from 1 to N, found "0/3"
[2]
$ nncost search dense round --devices 4 --global-batch 8 --shard 1/3 --target-step 1s
! nncost: --target-step: needs the best plan of all shards, expected without --shard
[2]

# If the vocabulary is not a multiple of the number of tensor ranks, the search pads the vocabulary.
$ nncost search dense fitted --set vocab=10001 --threads 1 --devices 2 --global-batch 4 --recompute none --best 1 | head -4
dense with vocab=10001 on 2 x fitted, global batch 4
5760 combinations: 124 legal, 124 fit; 124 evaluated

software torch-compile

# If no plan is legal, the error has the reason of the first illegal plan.
$ nncost search dense round --threads 1 --devices 8 --global-batch 8 --tensor 16
! nncost: --devices: expected a multiple of tensor x pipeline x context = 16, found 8
[3]

# --power-cap needs the power parameters of the device. If the device file has no power parameters, the command is an
# error, not a search without a result.
$ nncost search dense round --devices 2 --global-batch 4 --power-cap 100
! nncost: --power-cap: the power of round is not known, because its device file has no efficiency.power
[3]
$ nncost estimate dense round --power-cap 100
! nncost: --power-cap: the power of round is not known, because its device file has no efficiency.power
[3]

# The run of a plan includes failures and checkpoints, as in 'nncost run'. Deadline and budget limit the run with its
# failures and checkpoints.
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 1 --tensor 1 --pipeline 1 --zero 1 --tokens 100B --device-mtbf-s 200h --storage-write-bytes-per-s 100MB/s -f json | grep -m1 -o '"\(run_s\|goodput\|device_hours\|cost_run\|energy_j\)": [^,}]*'
"run_s": 39273.8302238
"device_hours": 174.55035655
"cost_run": 349.1007131
"goodput": 0.960539456325
"energy_j": 314190641.79
$ nncost run dense fitted --devices 16 --global-batch 64 --zero 1 --micro-batch 4 --tokens 100B --device-mtbf-s 200h --storage-write-bytes-per-s 100MB/s -f json | grep -o '"run": {.*' | grep -o '"\(run_s\|goodput\|device_hours\|cost\|energy_j\)": [^,}]*'
"goodput": 0.960539456325
"run_s": 39273.8302238
"device_hours": 174.55035655
"cost": 349.1007131
"energy_j": 314190641.79
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 1 --tensor 1 --pipeline 1 --zero 1 --tokens 100B --deadline 10.5h | grep -c '^24'
2
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 1 --tensor 1 --pipeline 1 --zero 1 --tokens 100B --deadline 10.5h --device-mtbf-s 200h --storage-write-bytes-per-s 100MB/s
dense on 16 x fitted, global batch 64
8400 combinations: 60 legal, 60 fit; 15 evaluated; no other plan can be among the best

no plan that fits meets the deadline and the budget; the fastest takes 24.14 ms a step, 10.91 h for
the run, run cost 349.1 USD
[1]
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 1 --tensor 1 --pipeline 1 --zero 1 --epochs 2 --dataset-size 50B --deadline 10.5h | grep '^24'
24.14 ms  10.48 h    335.3  83.83  1.718 GB  60.6%    0.0%  dp16 zero1 mb4
24.14 ms  10.48 h    335.3  83.83  1.718 GB  60.6%    0.0%  dp16 zero1 mb4
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --tokens 1B --days 3
! nncost: --days: too many amounts of training, expected one of --tokens, --samples, --epochs with --dataset-size, --days or --device-hours, found 2 of them
[2]

# A software profile with unfused attention has the same effect in a search as in an estimate.
$ echo '{ "schema": "nncost.software/1", "id": "plain", "name": "Plain", "like": "eager", "unfused_attention": true }' >plain.json
$ for command in estimate search; do nncost $command dense round --devices 1 --global-batch 2 --micro-batch 1 --recompute none --zero 0 --software ./plain.json --format json | grep -o -m1 '"step_s": [0-9.e-]*' | head -1; done
"step_s": 0.030371858123
"step_s": 0.030371858123

# GaLore projects whole matrices, so a search with GaLore tries neither ZeRO nor tensor parallelism.
$ for more in '' '--zero 0 --tensor 1'; do nncost search dense fitted --threads 1 --devices 8 --global-batch 16 --optimizer galore --pipeline 1 $more | grep -o ' [0-9]* legal'; done
 45 legal
 45 legal

# The batch that a search chooses is a multiple of the number of devices, such as 12 = 3 x 4.
$ nncost search dense fitted --threads 1 --devices 12 --best 1 | head -1
dense on 12 x fitted, global batch 3072 (chosen: about 4 million tokens)

# For adapters, the search chooses a smaller batch than for pre-training.
$ nncost search dense round --lora 8 --devices 1 --recompute none --micro-batch 1 --zero 0 | head -1
dense on 1 x round, global batch 64 (chosen: usual with adapters)
$ nncost search dense round --lora 8 --devices 24 --recompute none --micro-batch 1 --zero 0 --tensor 1 | head -1
dense on 24 x round, global batch 48 (chosen: usual with adapters)
$ nncost search dense round --lora 8 --devices 96 --recompute none --micro-batch 1 --zero 0 --tensor 1 | head -1
dense on 96 x round, global batch 96 (chosen: one sequence a device)

# With one device, ZeRO has no effect, because there is no other rank. A search with one device tries ZeRO only if
# --zero is given.
$ nncost search dense round --threads 1 --devices 1 --global-batch 4 --best 20 --format csv | cut -d , -f 9 | sort -u
0
plan.zero
$ nncost search dense round --threads 1 --devices 1 --global-batch 4 --best 20 --zero 1 --format csv | cut -d , -f 9 | sort -u
1
plan.zero
