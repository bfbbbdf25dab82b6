# The best plans for a number of devices and a batch: 'nncost search'.

# The best three, and why the first beats the second.
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 3
dense on 16 x fitted, global batch 64
672000 combinations: 2718 evaluated, 669282 illegal, too large or slower for sure; 2718 fit

software torch-compile

    step    memory    MFU  bubble  plan
24.01 ms  1.611 GB  61.0%    0.0%  dp8 pp2 zero2 mb4 dualpipe
24.01 ms  1.799 GB  61.0%    0.0%  dp8 pp2 zero1 mb4 dualpipe
24.03 ms  1.518 GB  60.9%    0.0%  dp16 zero2 mb4

    nncost estimate dense fitted --devices 16 --global-batch 64 --pipeline 2 --zero 2 --micro-batch 4 --schedule dualpipe

time against memory, no other plan is faster with less

    step    memory    MFU  bubble  plan
24.01 ms  1.611 GB  61.0%    0.0%  dp8 pp2 zero2 mb4 dualpipe
24.03 ms  1.518 GB  60.9%    0.0%  dp16 zero2 mb4
24.42 ms  1.483 GB  59.9%    0.0%  dp8 pp2 zero2 mb4 dualpipe recompute=norm
24.45 ms  1.390 GB  59.9%    0.0%  dp16 zero2 mb4 recompute=norm
24.60 ms  1.363 GB  59.5%    0.0%  dp8 pp2 zero2 mb4 dualpipe recompute=activation
24.62 ms  1.270 GB  59.5%    0.0%  dp16 zero2 mb4 recompute=activation
25.01 ms  1.235 GB  58.5%    0.0%  dp8 pp2 zero2 mb4 dualpipe recompute=norm+activation
25.04 ms  1.142 GB  58.5%    0.0%  dp16 zero2 mb4 recompute=norm+activation
26.03 ms  1.120 GB  56.2%    0.0%  dp8 pp2 zero3 mb4 dualpipe recompute=norm+activation
26.04 ms  1.114 GB  56.2%    0.0%  dp16 zero1 mb2
26.29 ms  912.7 MB  55.7%    0.0%  dp16 zero2 mb2
26.87 ms  848.7 MB  54.5%    0.0%  dp16 zero2 mb2 recompute=norm

# In the other formats; the time it took is not the same twice.
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 2 --tensor 1 --pipeline 1 --tokens 1e9 --format csv
plan.devices,plan.data,plan.tensor,plan.pipeline,plan.virtual_stages,plan.context,plan.expert,plan.sequence_parallel,plan.zero,plan.micro_batch,plan.micro_batches,plan.global_batch,plan.schedule,plan.recompute,plan.offload,software,step_s,memory_bytes,mfu,tokens_per_s,bubble_share,exposed_comm_s,device_s,cost_step,run_s,device_hours,cost_run,goodput,energy_j,carbon_kg,command\r
16,16,1,1,1,1,1,false,2,4,1,64,1f1b,none,none,torch-compile,0.0240301853876,1517537750,0.609233751794,2663316.94773,0,0.000498301668722,0.384482966202,0.00021360164789,375.471646681,1.66876287414,3.33752574828,1,3003773.17345,,nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 1e9 --zero 2 --micro-batch 4\r
16,16,1,1,1,1,1,false,1,4,1,64,1f1b,none,none,torch-compile,0.0240301853876,1718361500,0.609233751794,2663316.94773,0,0.000498301668722,0.384482966202,0.00021360164789,375.471646681,1.66876287414,3.33752574828,1,3003773.17345,,nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 1e9 --zero 1 --micro-batch 4\r
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 2 --tensor 1 --pipeline 1 --format markdown
dense on 16 x fitted, global batch 64
33600 combinations: 77 evaluated, 33523 illegal, too large or slower for sure; 77 fit

software torch-compile

| step | memory | MFU | bubble | plan |
|---:|---:|---:|---:|:---|
| 24.03 ms | 1.518 GB | 60.9% | 0.0% | dp16 zero2 mb4 |
| 24.03 ms | 1.718 GB | 60.9% | 0.0% | dp16 zero1 mb4 |

    nncost estimate dense fitted --devices 16 --global-batch 64 --zero 2 --micro-batch 4

time against memory, no other plan is faster with less

| step | memory | MFU | bubble | plan |
|---:|---:|---:|---:|:---|
| 24.03 ms | 1.518 GB | 60.9% | 0.0% | dp16 zero2 mb4 |
| 24.45 ms | 1.390 GB | 59.9% | 0.0% | dp16 zero2 mb4 recompute=norm |
| 24.62 ms | 1.270 GB | 59.5% | 0.0% | dp16 zero2 mb4 recompute=activation |
| 25.04 ms | 1.142 GB | 58.5% | 0.0% | dp16 zero2 mb4 recompute=norm+activation |
| 26.04 ms | 1.114 GB | 56.2% | 0.0% | dp16 zero1 mb2 |
| 26.29 ms | 912.7 MB | 55.7% | 0.0% | dp16 zero2 mb2 |
| 26.87 ms | 848.7 MB | 54.5% | 0.0% | dp16 zero2 mb2 recompute=norm |
| 26.96 ms | 788.7 MB | 54.3% | 0.0% | dp16 zero2 mb2 recompute=activation |
| 27.54 ms | 724.7 MB | 53.2% | 0.0% | dp16 zero2 mb2 recompute=norm+activation |
| 30.89 ms | 610.3 MB | 47.4% | 0.0% | dp16 zero2 mb1 |
| 31.72 ms | 548.3 MB | 46.2% | 0.0% | dp16 zero2 mb1 recompute=activation |
| 32.61 ms | 516.3 MB | 44.9% | 0.0% | dp16 zero2 mb1 recompute=norm+activation |
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 1 --tensor 1 --pipeline 1 --zero 1 --tokens 300e9 --format json | sed 's/"elapsed_s": .*/"elapsed_s": 0,/'
{
  "schema": "nncost.search/1",
  "space": 8400,
  "covered": 8400,
  "evaluated": 26,
  "pruned": 8374,
  "feasible": 26,
  "elapsed_s": 0,
  "threads": 1,
  "currency": "USD",
  "best": [
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 4, "micro_batches": 1, "global_batch": 64, "schedule": "1f1b", "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.0240301853876, "memory_bytes": 1718361500, "mfu": 0.609233751794, "tokens_per_s": 2663316.94773, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.384482966202, "cost_step": 0.00021360164789, "run_s": 112641.494004, "device_hours": 500.628862242, "cost_run": 1001.25772448, "goodput": 1, "energy_j": 901131952.036, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 4"}
  ],
  "pareto": [
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 4, "micro_batches": 1, "global_batch": 64, "schedule": "1f1b", "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.0240301853876, "memory_bytes": 1718361500, "mfu": 0.609233751794, "tokens_per_s": 2663316.94773, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.384482966202, "cost_step": 0.00021360164789, "run_s": 112641.494004, "device_hours": 500.628862242, "cost_run": 1001.25772448, "goodput": 1, "energy_j": 901131952.036, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 4"},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 4, "micro_batches": 1, "global_batch": 64, "schedule": "1f1b", "recompute": "norm", "offload": "none"}, "software": "torch-compile", "step_s": 0.0244461853876, "memory_bytes": 1590361500, "mfu": 0.5988664394, "tokens_per_s": 2617995.3635, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.391138966202, "cost_step": 0.000217299425668, "run_s": 114591.494004, "device_hours": 509.295528909, "cost_run": 1018.59105782, "goodput": 1, "energy_j": 916731952.036, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 4 --recompute norm"},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 4, "micro_batches": 1, "global_batch": 64, "schedule": "1f1b", "recompute": "activation", "offload": "none"}, "software": "torch-compile", "step_s": 0.0246221853876, "memory_bytes": 1470361500, "mfu": 0.59458572704, "tokens_per_s": 2599281.86684, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.393954966202, "cost_step": 0.000218863870112, "run_s": 115416.494004, "device_hours": 512.962195575, "cost_run": 1025.92439115, "goodput": 1, "energy_j": 923331952.036, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 4 --recompute activation"},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 4, "micro_batches": 1, "global_batch": 64, "schedule": "1f1b", "recompute": "norm,activation", "offload": "none"}, "software": "torch-compile", "step_s": 0.0250381853876, "memory_bytes": 1342361500, "mfu": 0.584706909601, "tokens_per_s": 2556095.77967, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.400610966202, "cost_step": 0.00022256164789, "run_s": 117366.494004, "device_hours": 521.628862242, "cost_run": 1043.25772448, "goodput": 1, "energy_j": 938931952.036, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 4 --recompute norm,activation"},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 2, "global_batch": 64, "schedule": "1f1b", "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.0260420713275, "memory_bytes": 1113561500, "mfu": 0.562167264497, "tokens_per_s": 2457561.81201, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.41667314124, "cost_step": 0.000231485078467, "run_s": 122072.209348, "device_hours": 542.543152656, "cost_run": 1085.08630531, "goodput": 1, "energy_j": 976577674.781, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 2"},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 2, "global_batch": 64, "schedule": "1f1b", "recompute": "norm", "offload": "none"}, "software": "torch-compile", "step_s": 0.0266180713275, "memory_bytes": 1049561500, "mfu": 0.550002283031, "tokens_per_s": 2404381.56516, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.42588914124, "cost_step": 0.000236605078467, "run_s": 124772.209348, "device_hours": 554.543152656, "cost_run": 1109.08630531, "goodput": 1, "energy_j": 998177674.781, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 2 --recompute norm"},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 2, "global_batch": 64, "schedule": "1f1b", "recompute": "activation", "offload": "none"}, "software": "torch-compile", "step_s": 0.0267140713275, "memory_bytes": 989561500, "mfu": 0.548025788377, "tokens_per_s": 2395741.15137, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.42742514124, "cost_step": 0.0002374584118, "run_s": 125222.209348, "device_hours": 556.543152656, "cost_run": 1113.08630531, "goodput": 1, "energy_j": 1001777674.78, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 2 --recompute activation"},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 2, "global_batch": 64, "schedule": "1f1b", "recompute": "norm,activation", "offload": "none"}, "software": "torch-compile", "step_s": 0.0272900713275, "memory_bytes": 925561500, "mfu": 0.536458839712, "tokens_per_s": 2345175.25557, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.43664114124, "cost_step": 0.0002425784118, "run_s": 127922.209348, "device_hours": 568.543152656, "cost_run": 1137.08630531, "goodput": 1, "energy_j": 1023377674.78, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 2 --recompute norm,activation"},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 4, "global_batch": 64, "schedule": "1f1b", "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.0301386387077, "memory_bytes": 811161500, "mfu": 0.485755184299, "tokens_per_s": 2123519.93136, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.482218219323, "cost_step": 0.000267899010735, "run_s": 141274.868942, "device_hours": 627.888306411, "cost_run": 1255.77661282, "goodput": 1, "energy_j": 1130198951.54, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 1"},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 4, "global_batch": 64, "schedule": "1f1b", "recompute": "activation", "offload": "none"}, "software": "torch-compile", "step_s": 0.0309706387077, "memory_bytes": 749161500, "mfu": 0.472705782343, "tokens_per_s": 2066473.36543, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.495530219323, "cost_step": 0.000275294566291, "run_s": 145174.868942, "device_hours": 645.221639744, "cost_run": 1290.44327949, "goodput": 1, "energy_j": 1161398951.54, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 1 --recompute activation"},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 4, "global_batch": 64, "schedule": "1f1b", "recompute": "norm,activation", "offload": "none"}, "software": "torch-compile", "step_s": 0.0318666387077, "memory_bytes": 717161500, "mfu": 0.459414629019, "tokens_per_s": 2008369.96293, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.509866219323, "cost_step": 0.000283259010735, "run_s": 149374.868942, "device_hours": 663.888306411, "cost_run": 1327.77661282, "goodput": 1, "energy_j": 1194998951.54, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 1 --recompute norm,activation"},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 2, "global_batch": 64, "schedule": "1f1b", "recompute": "full", "offload": "none"}, "software": "torch-compile", "step_s": 0.0339802458442, "memory_bytes": 684889500, "mfu": 0.430838554469, "tokens_per_s": 1883447.23265, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.543683933507, "cost_step": 0.000302046629726, "run_s": 159282.402395, "device_hours": 707.92178842, "cost_run": 1415.84357684, "goodput": 1, "energy_j": 1274259219.16, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 2 --recompute full"},
    {"plan": {"devices": 16, "data": 8, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 2, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 4, "micro_batches": 2, "global_batch": 64, "schedule": "1f1b", "recompute": "full", "offload": "none"}, "software": "torch-compile", "step_s": 0.0388065400962, "memory_bytes": 684885500, "mfu": 0.377255997667, "tokens_per_s": 1649206.54718, "bubble_share": 0, "exposed_comm_s": 0.00143053158872, "device_s": 0.620904641539, "cost_step": 0.000344947023077, "run_s": 181905.656701, "device_hours": 808.469585337, "cost_run": 1616.93917067, "goodput": 1, "energy_j": 1455245253.61, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --context 2 --zero 1 --micro-batch 4 --recompute full"},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 4, "global_batch": 64, "schedule": "1f1b", "recompute": "full", "offload": "none"}, "software": "torch-compile", "step_s": 0.0394949764102, "memory_bytes": 596825500, "mfu": 0.370680054292, "tokens_per_s": 1620459.25373, "bubble_share": 0, "exposed_comm_s": 0.000498301668722, "device_s": 0.631919622564, "cost_step": 0.00035106645698, "run_s": 185132.701923, "device_hours": 822.812008547, "cost_run": 1645.62401709, "goodput": 1, "energy_j": 1481061615.38, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 1 --micro-batch 1 --recompute full"},
    {"plan": {"devices": 16, "data": 8, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 2, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 4, "global_batch": 64, "schedule": "1f1b", "recompute": "full", "offload": "none"}, "software": "torch-compile", "step_s": 0.0466373547342, "memory_bytes": 596821500, "mfu": 0.313911457531, "tokens_per_s": 1372290.52472, "bubble_share": 0, "exposed_comm_s": 0.00229116870872, "device_s": 0.746197675748, "cost_step": 0.000414554264304, "run_s": 218612.600317, "device_hours": 971.611556963, "cost_run": 1943.22311393, "goodput": 1, "energy_j": 1748900802.53, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --context 2 --zero 1 --micro-batch 2 --recompute full"},
    {"plan": {"devices": 16, "data": 8, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 2, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 8, "global_batch": 64, "schedule": "1f1b", "recompute": "full", "offload": "none"}, "software": "torch-compile", "step_s": 0.0633311020181, "memory_bytes": 552789500, "mfu": 0.231166039015, "tokens_per_s": 1010561.91919, "bubble_share": 0, "exposed_comm_s": 0.00434912729199, "device_s": 1.01329763229, "cost_step": 0.00056294312905, "run_s": 296864.54071, "device_hours": 1319.39795871, "cost_run": 2638.79591742, "goodput": 1, "energy_j": 2374916325.68, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --context 2 --zero 1 --micro-batch 1 --recompute full"},
    {"plan": {"devices": 16, "data": 4, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 4, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 16, "global_batch": 64, "schedule": "1f1b", "recompute": "full", "offload": "none"}, "software": "torch-compile", "step_s": 0.148809691622, "memory_bytes": 531771500, "mfu": 0.0983806890559, "tokens_per_s": 430079.514999, "bubble_share": 0, "exposed_comm_s": 0.0317517130505, "device_s": 2.38095506596, "cost_step": 0.00132275281442, "run_s": 697545.42948, "device_hours": 3100.2019088, "cost_run": 6200.4038176, "goodput": 1, "energy_j": 5580363435.84, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --context 4 --zero 1 --micro-batch 1 --recompute full"}
  ]
}

# Pipelines, experts: the columns that plans use.
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 16 --best 2 --pipeline 4 --zero 0 --max-memory 300e6
dense on 16 x fitted, global batch 16
30000 combinations: 66 evaluated, 29934 illegal, too large or slower for sure; 66 fit

software torch-compile

    step    memory    MFU  bubble  plan
30.17 ms  292.7 MB  12.1%   20.3%  dp1 tp4 pp4 mb2 zb-h1 recompute=norm+activation
31.33 ms  292.7 MB  11.7%   23.3%  dp1 tp4 pp4 mb2 recompute=norm+activation

the first is 1.155 ms faster than the second, bubble 1.155 ms less

    nncost estimate dense fitted --devices 16 --global-batch 16 --tensor 4 --pipeline 4 --micro-batch 2 --schedule zb-h1 --recompute norm,activation

time against memory, no other plan is faster with less

    step    memory    MFU  bubble  plan
30.17 ms  292.7 MB  12.1%   20.3%  dp1 tp4 pp4 mb2 zb-h1 recompute=norm+activation
35.60 ms  288.5 MB  10.3%   35.1%  dp1 tp4 pp4 mb4 zb-h1 recompute=full
36.50 ms  237.4 MB  10.0%   15.5%  dp1 tp4 pp4 vpp2 mb2 recompute=full
39.56 ms  220.4 MB   9.3%   22.0%  dp1 tp4 pp4 mb2 zb-h1 recompute=full
44.68 ms  216.4 MB   8.2%   36.1%  dp1 tp4 sp pp4 mb4 zb-h1 recompute=full
48.69 ms  195.3 MB   7.5%   15.6%  dp1 tp4 sp pp4 vpp2 mb2 recompute=full
49.95 ms  192.4 MB   7.3%    8.5%  dp1 tp4 pp4 vpp2 mb1 recompute=full
52.40 ms  186.3 MB   7.0%   12.7%  dp1 tp4 pp4 mb1 zb-h1 recompute=full
53.23 ms  184.3 MB   6.9%   22.8%  dp1 tp4 sp pp4 mb2 zb-h1 recompute=full
71.21 ms  169.8 MB   5.1%    8.5%  dp1 tp4 sp pp4 vpp2 mb1 recompute=full
75.07 ms  168.3 MB   4.9%   13.2%  dp1 tp4 sp pp4 mb1 zb-h1 recompute=full
$ nncost search experts round --threads 1 --devices 16 --global-batch 32 --best 2 --expert 4,8 --max-memory 600e6
experts on 16 x round, global batch 32
1296000 combinations: 9103 evaluated, 1286897 illegal, too large or slower for sure; 9103 fit

no fitted efficiencies for this device: roofline times, real ones are longer and may rank otherwise

software torch-compile

    step    memory    MFU  bubble  plan
9.031 ms  594.0 MB  66.5%    0.0%  dp8 pp2 ep8 zero2 mb2 dualpipe recompute=norm+activation
9.047 ms  586.2 MB  66.4%    0.0%  dp8 pp2 ep8 zero1 mb1 dualpipe recompute=norm

the first is 16.26 us faster than the second, exposed communication 112.0 us less, compute 95.74 us
more

    nncost estimate experts round --devices 16 --global-batch 32 --pipeline 2 --expert 8 --zero 2 --micro-batch 2 --schedule dualpipe --recompute norm,activation

time against memory, no other plan is faster with less

    step    memory    MFU  bubble  plan
9.031 ms  594.0 MB  66.5%    0.0%  dp8 pp2 ep8 zero2 mb2 dualpipe recompute=norm+activation
9.047 ms  586.2 MB  66.4%    0.0%  dp8 pp2 ep8 zero1 mb1 dualpipe recompute=norm
9.143 ms  562.2 MB  65.7%    0.0%  dp8 pp2 ep8 zero1 mb1 dualpipe recompute=norm+activation
9.215 ms  558.3 MB  65.2%    0.0%  dp8 pp2 ep8 zero2 mb1 dualpipe
9.279 ms  534.3 MB  64.7%    0.0%  dp8 pp2 ep8 zero2 mb1 dualpipe recompute=norm
9.375 ms  510.3 MB  64.0%    0.0%  dp8 pp2 ep8 zero2 mb1 dualpipe recompute=norm+activation
9.671 ms  482.6 MB  62.1%    0.0%  dp4 pp2 cp2 ep8 zero1 mb1 dualpipe
9.735 ms  470.6 MB  61.7%    0.0%  dp4 pp2 cp2 ep8 zero1 mb1 dualpipe recompute=norm
9.831 ms  458.6 MB  61.1%    0.0%  dp4 pp2 cp2 ep8 zero1 mb1 dualpipe recompute=norm+activation
10.21 ms  444.7 MB  58.8%    0.8%  dp8 pp2 ep8 zero1 mb1 zb-h2 recompute=norm
10.33 ms  420.7 MB  58.1%    1.0%  dp8 pp2 ep8 zero1 mb1 zb-h2 recompute=norm+activation
10.43 ms  418.7 MB  57.5%    0.0%  dp4 pp2 cp2 ep8 zero2 mb1 dualpipe recompute=norm

# The whole run: a deadline and a budget, kept and missed.
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 2 --tensor 1 --pipeline 1 --tokens 300e9 --deadline 3d --budget 4000
dense on 16 x fitted, global batch 64
33600 combinations: 69 evaluated, 33531 illegal, too large or slower for sure; 63 fit

software torch-compile

    step      run  run USD    kWh    memory    MFU  bubble  plan
24.03 ms  31.29 h    1,001  250.3  1.518 GB  60.9%    0.0%  dp16 zero2 mb4
24.03 ms  31.29 h    1,001  250.3  1.718 GB  60.9%    0.0%  dp16 zero1 mb4

    nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 300e9 --zero 2 --micro-batch 4

time against memory, no other plan is faster with less

    step      run  run USD    kWh    memory    MFU  bubble  plan
24.03 ms  31.29 h    1,001  250.3  1.518 GB  60.9%    0.0%  dp16 zero2 mb4
24.45 ms  31.83 h    1,019  254.6  1.390 GB  59.9%    0.0%  dp16 zero2 mb4 recompute=norm
24.62 ms  32.06 h    1,026  256.5  1.270 GB  59.5%    0.0%  dp16 zero2 mb4 recompute=activation
25.04 ms  32.60 h    1,043  260.8  1.142 GB  58.5%    0.0%  dp16 zero2 mb4 recompute=norm+activation
26.04 ms  33.91 h    1,085  271.3  1.114 GB  56.2%    0.0%  dp16 zero1 mb2
26.29 ms  34.23 h    1,095  273.9  912.7 MB  55.7%    0.0%  dp16 zero2 mb2
26.87 ms  34.98 h    1,119  279.9  848.7 MB  54.5%    0.0%  dp16 zero2 mb2 recompute=norm
26.96 ms  35.11 h    1,123  280.9  788.7 MB  54.3%    0.0%  dp16 zero2 mb2 recompute=activation
27.54 ms  35.86 h    1,147  286.9  724.7 MB  53.2%    0.0%  dp16 zero2 mb2 recompute=norm+activation
30.89 ms  40.22 h    1,287  321.7  610.3 MB  47.4%    0.0%  dp16 zero2 mb1
31.72 ms  41.30 h    1,322  330.4  548.3 MB  46.2%    0.0%  dp16 zero2 mb1 recompute=activation
32.61 ms  42.47 h    1,359  339.7  516.3 MB  44.9%    0.0%  dp16 zero2 mb1 recompute=norm+activation
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --tensor 1 --tokens 300e9 --budget 100
dense on 16 x fitted, global batch 64
134400 combinations: 1620 evaluated, 132780 illegal, too large or slower for sure; 0 fit

no plan that fits keeps to the deadline and the budget; the fastest takes 24.01 ms a step, 31.26 h
for the run, run cost 1,000 USD
[1]
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --tensor 1 --tokens 300e9 --deadline 1h
dense on 16 x fitted, global batch 64
134400 combinations: 1620 evaluated, 132780 illegal, too large or slower for sure; 0 fit

no plan that fits keeps to the deadline and the budget; the fastest takes 24.01 ms a step, 31.26 h
for the run, run cost 1,000 USD
[1]

# Other objectives.
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 2 --tensor 1 --pipeline 1 --objective memory
dense on 16 x fitted, global batch 64
33600 combinations: 88 evaluated, 33512 illegal, too large or slower for sure; 88 fit

software torch-compile

    step    memory    MFU  bubble  plan
316.9 ms  202.2 MB   4.6%    0.0%  dp4 cp4 zero3 mb1 recompute=full
138.9 ms  223.2 MB  10.5%    0.0%  dp8 cp2 zero3 mb1 recompute=full

the first is 178.0 ms slower than the second, exposed communication 119.9 ms more, compute 58.08 ms
more

    nncost estimate dense fitted --devices 16 --global-batch 64 --context 4 --zero 3 --micro-batch 1 --recompute full

time against memory, no other plan is faster with less

    step    memory    MFU  bubble  plan
24.03 ms  1.518 GB  60.9%    0.0%  dp16 zero2 mb4
24.45 ms  1.390 GB  59.9%    0.0%  dp16 zero2 mb4 recompute=norm
24.62 ms  1.270 GB  59.5%    0.0%  dp16 zero2 mb4 recompute=activation
25.04 ms  1.142 GB  58.5%    0.0%  dp16 zero2 mb4 recompute=norm+activation
26.04 ms  1.114 GB  56.2%    0.0%  dp16 zero1 mb2
26.29 ms  912.7 MB  55.7%    0.0%  dp16 zero2 mb2
26.87 ms  848.7 MB  54.5%    0.0%  dp16 zero2 mb2 recompute=norm
26.96 ms  788.7 MB  54.3%    0.0%  dp16 zero2 mb2 recompute=activation
27.54 ms  724.7 MB  53.2%    0.0%  dp16 zero2 mb2 recompute=norm+activation
30.89 ms  610.3 MB  47.4%    0.0%  dp16 zero2 mb1
31.72 ms  548.3 MB  46.2%    0.0%  dp16 zero2 mb1 recompute=activation
32.61 ms  516.3 MB  44.9%    0.0%  dp16 zero2 mb1 recompute=norm+activation
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 2 --tensor 1 --pipeline 1 --objective cost --tokens 1e9
dense on 16 x fitted, global batch 64
33600 combinations: 77 evaluated, 33523 illegal, too large or slower for sure; 77 fit

software torch-compile

    step      run  run USD     kWh    memory    MFU  bubble  plan
24.03 ms  375.5 s    3.338  0.8344  1.518 GB  60.9%    0.0%  dp16 zero2 mb4
24.03 ms  375.5 s    3.338  0.8344  1.718 GB  60.9%    0.0%  dp16 zero1 mb4

    nncost estimate dense fitted --devices 16 --global-batch 64 --tokens 1e9 --zero 2 --micro-batch 4

time against memory, no other plan is faster with less

    step     run run USD    kWh   memory   MFU bubble plan
24.03 ms 375.5 s   3.338 0.8344 1.518 GB 60.9%   0.0% dp16 zero2 mb4
24.45 ms 382.0 s   3.395 0.8488 1.390 GB 59.9%   0.0% dp16 zero2 mb4 recompute=norm
24.62 ms 384.7 s    3.42 0.8549 1.270 GB 59.5%   0.0% dp16 zero2 mb4 recompute=activation
25.04 ms 391.2 s   3.478 0.8694 1.142 GB 58.5%   0.0% dp16 zero2 mb4 recompute=norm+activation
26.04 ms 406.9 s   3.617 0.9042 1.114 GB 56.2%   0.0% dp16 zero1 mb2
26.29 ms 410.8 s   3.652 0.9129 912.7 MB 55.7%   0.0% dp16 zero2 mb2
26.87 ms 419.8 s   3.732 0.9329 848.7 MB 54.5%   0.0% dp16 zero2 mb2 recompute=norm
26.96 ms 421.3 s   3.745 0.9362 788.7 MB 54.3%   0.0% dp16 zero2 mb2 recompute=activation
27.54 ms 430.3 s   3.825 0.9562 724.7 MB 53.2%   0.0% dp16 zero2 mb2 recompute=norm+activation
30.89 ms 482.6 s    4.29  1.072 610.3 MB 47.4%   0.0% dp16 zero2 mb1
31.72 ms 495.6 s   4.405  1.101 548.3 MB 46.2%   0.0% dp16 zero2 mb1 recompute=activation
32.61 ms 509.6 s    4.53  1.132 516.3 MB 44.9%   0.0% dp16 zero2 mb1 recompute=norm+activation

# What a target takes: figures of the device that reach it, that do not, and that it is reached.
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 1 --tensor 1 --pipeline 1 --target-step 20ms
dense on 16 x fitted, global batch 64
33600 combinations: 77 evaluated, 33523 illegal, too large or slower for sure; 77 fit

software torch-compile

    step    memory    MFU  bubble  plan
24.03 ms  1.518 GB  60.9%    0.0%  dp16 zero2 mb4

    nncost estimate dense fitted --devices 16 --global-batch 64 --zero 2 --micro-batch 4

time against memory, no other plan is faster with less

    step    memory    MFU  bubble  plan
24.03 ms  1.518 GB  60.9%    0.0%  dp16 zero2 mb4
24.45 ms  1.390 GB  59.9%    0.0%  dp16 zero2 mb4 recompute=norm
24.62 ms  1.270 GB  59.5%    0.0%  dp16 zero2 mb4 recompute=activation
25.04 ms  1.142 GB  58.5%    0.0%  dp16 zero2 mb4 recompute=norm+activation
26.04 ms  1.114 GB  56.2%    0.0%  dp16 zero1 mb2
26.29 ms  912.7 MB  55.7%    0.0%  dp16 zero2 mb2
26.87 ms  848.7 MB  54.5%    0.0%  dp16 zero2 mb2 recompute=norm
26.96 ms  788.7 MB  54.3%    0.0%  dp16 zero2 mb2 recompute=activation
27.54 ms  724.7 MB  53.2%    0.0%  dp16 zero2 mb2 recompute=norm+activation
30.89 ms  610.3 MB  47.4%    0.0%  dp16 zero2 mb1
31.72 ms  548.3 MB  46.2%    0.0%  dp16 zero2 mb1 recompute=activation
32.61 ms  516.3 MB  44.9%    0.0%  dp16 zero2 mb1 recompute=norm+activation

from 24.03 ms to a step of 20.00 ms, the smallest value of one figure alone

  matmul_flops_per_s.bf16  200.0 TFLOP/s -> 250.5 TFLOP/s, 1.253 x
  mem_bytes_per_s          2.000 TB/s: alone not enough, even infinite bandwidth leaves 21.72 ms
  scale_up.bytes_per_s     200.0 GB/s: alone not enough, even infinite bandwidth leaves 23.81 ms
  scale_out.bytes_per_s    20.00 GB/s: alone not enough, even infinite bandwidth leaves 23.90 ms
  mem_bytes                20.00 GB: alone not enough, even infinite capacity leaves 24.03 ms with the fastest plan of all
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 1 --tensor 1 --pipeline 1 --target-step 2 | tail -3
32.61 ms  516.3 MB  44.9%    0.0%  dp16 zero2 mb1 recompute=norm+activation

a step of 2.000 s is reached: the best plan takes 24.03 ms
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 1 --tensor 1 --pipeline 1 --max-memory 600e6 --target-step 30ms | tail -8

from 31.72 ms to a step of 30.00 ms, the smallest value of one figure alone

  matmul_flops_per_s.bf16  200.0 TFLOP/s -> 216.9 TFLOP/s, 1.085 x
  mem_bytes_per_s          2.000 TB/s -> 4.124 TB/s, 2.062 x
  scale_up.bytes_per_s     200.0 GB/s: alone not enough, even infinite bandwidth leaves 31.16 ms
  scale_out.bytes_per_s    20.00 GB/s: alone not enough, even infinite bandwidth leaves 31.40 ms
  mem_bytes                600.0 MB -> 724.7 MB, 1.208 x, with another plan
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 1 --tensor 1 --pipeline 1 --zero 1 --target-step 20ms --format json | sed -n '/"target"/,$p'
  "target": {"step_s": 0.02, "figures": [{"figure": "matmul_flops_per_s.bf16", "value": 2e14, "needed": 2.50520762889e14, "step_s": 0.0199999999994}, {"figure": "mem_bytes_per_s", "value": 2e12, "needed": null, "step_s": 0.0217247091575}, {"figure": "scale_up.bytes_per_s", "value": 200000000000, "needed": null, "step_s": 0.023806144129}, {"figure": "scale_out.bytes_per_s", "value": 20000000000, "needed": null, "step_s": 0.0239048189956}, {"figure": "mem_bytes", "value": 20000000000, "needed": null, "step_s": 0.0240301853876}]}
}
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 1 --tensor 1 --pipeline 1 --max-memory 1e8 --target-step 30ms
dense on 16 x fitted, global batch 64
33600 combinations: 0 evaluated, 33600 illegal, too large or slower for sure; 0 fit

no plan fits

for a step of 30.00 ms

  mem_bytes                100.0 MB -> 724.7 MB, 7.247 x, with another plan
[1]

# None fits.
$ nncost search dense fitted --threads 1 --devices 8 --global-batch 8 --max-memory 1e8
dense on 8 x fitted, global batch 8
245760 combinations: 0 evaluated, 245760 illegal, too large or slower for sure; 0 fit

no plan fits
[1]

# A shard for 'merge': a part of the space, in JSON with what it is a part of. It may have no legal plan.
$ nncost search dense fitted --threads 1 --devices 4 --global-batch 8 --best 1 --context 1 --shard 1/2
dense on 4 x fitted, global batch 8
shard 1/2: 17280 combinations: 516 evaluated, 16764 illegal, too large or slower for sure; 516 fit

software torch-compile

    step    memory    MFU  bubble  plan
13.55 ms  1.194 GB  54.0%    0.0%  dp4 zero2 mb2

    nncost estimate dense fitted --devices 4 --global-batch 8 --zero 2 --micro-batch 2

time against memory, no other plan is faster with less

    step    memory    MFU  bubble  plan
13.55 ms  1.194 GB  54.0%    0.0%  dp4 zero2 mb2
13.88 ms  1.070 GB  52.7%    0.0%  dp4 zero2 mb2 recompute=activation
14.17 ms  1.006 GB  51.7%    0.0%  dp4 zero2 mb2 recompute=norm+activation
14.87 ms  981.3 MB  49.2%    0.0%  dp4 zero3 mb2 recompute=activation
15.15 ms  917.3 MB  48.3%    0.0%  dp4 zero3 mb2 recompute=norm+activation
15.75 ms  891.5 MB  46.5%    0.0%  dp4 zero2 mb1
16.17 ms  829.5 MB  45.3%    0.0%  dp4 zero2 mb1 recompute=activation
16.62 ms  797.5 MB  44.0%    0.0%  dp4 zero2 mb1 recompute=norm+activation
18.32 ms  740.9 MB  40.0%    0.0%  dp4 zero3 mb1 recompute=activation
18.77 ms  708.9 MB  39.0%    0.0%  dp4 zero3 mb1 recompute=norm+activation
20.43 ms  677.2 MB  35.8%    0.0%  dp4 zero2 mb1 recompute=full
22.58 ms  588.6 MB  32.4%    0.0%  dp4 zero3 mb1 recompute=full
$ nncost search dense fitted --threads 1 --devices 4 --global-batch 8 --best 1 --context 1 --tensor 1 --recompute none --zero 1 --shard 2/3 --format json | sed -E 's/("elapsed_s": )[^,]*/\10/; s/("digest": )[^,]*/\1"-"/'
{
  "schema": "nncost.search/1",
  "shard": "2/3",
  "digest": "-",
  "asked": {"objective": "time", "best": 1},
  "space": 192,
  "covered": 192,
  "evaluated": 22,
  "pruned": 170,
  "feasible": 22,
  "elapsed_s": 0,
  "threads": 1,
  "currency": "USD",
  "best": [
    {"index": 116, "plan": {"devices": 4, "data": 2, "tensor": 1, "pipeline": 2, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 2, "global_batch": 8, "schedule": "dualpipe", "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.01400762205472934, "memory_bytes": 1675868000, "mfu": 0.52257263733986714, "tokens_per_s": 571117.63643701328, "bubble_share": 0, "exposed_comm_s": 0.00027437589722005551, "device_s": 0.05603048821891736, "cost_step": 3.1128049010509644e-05, "run_s": null, "device_hours": null, "cost_run": null, "goodput": null, "energy_j": null, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 4 --global-batch 8 --pipeline 2 --zero 1 --micro-batch 2 --schedule dualpipe"}
  ],
  "pareto": [
    {"index": 116, "plan": {"devices": 4, "data": 2, "tensor": 1, "pipeline": 2, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 2, "global_batch": 8, "schedule": "dualpipe", "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.01400762205472934, "memory_bytes": 1675868000, "mfu": 0.52257263733986714, "tokens_per_s": 571117.63643701328, "bubble_share": 0, "exposed_comm_s": 0.00027437589722005551, "device_s": 0.05603048821891736, "cost_step": 3.1128049010509644e-05, "run_s": null, "device_hours": null, "cost_run": null, "goodput": null, "energy_j": null, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 4 --global-batch 8 --pipeline 2 --zero 1 --micro-batch 2 --schedule dualpipe"},
    {"index": 44, "plan": {"devices": 4, "data": 2, "tensor": 1, "pipeline": 2, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 4, "global_batch": 8, "schedule": "dualpipe", "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.016055905744842582, "memory_bytes": 1513672000, "mfu": 0.45590701118504651, "tokens_per_s": 498259.02861753717, "bubble_share": 0, "exposed_comm_s": 0.00027437589722005551, "device_s": 0.064223622979370329, "cost_step": 3.5679790544094625e-05, "run_s": null, "device_hours": null, "cost_run": null, "goodput": null, "energy_j": null, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 4 --global-batch 8 --pipeline 2 --zero 1 --micro-batch 1 --schedule dualpipe"},
    {"index": 102, "plan": {"devices": 4, "data": 2, "tensor": 1, "pipeline": 2, "virtual_stages": 4, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 2, "global_batch": 8, "schedule": "interleaved", "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.016167678601321973, "memory_bytes": 1157240000, "mfu": 0.45275516544480726, "tokens_per_s": 494814.38846427022, "bubble_share": 0.10005766245379367, "exposed_comm_s": 0.00045308221394650618, "device_s": 0.064670714405287891, "cost_step": 3.5928174669604381e-05, "run_s": null, "device_hours": null, "cost_run": null, "goodput": null, "energy_j": null, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 4 --global-batch 8 --pipeline 2 --virtual-stages 4 --zero 1 --micro-batch 2 --schedule interleaved"},
    {"index": 30, "plan": {"devices": 4, "data": 2, "tensor": 1, "pipeline": 2, "virtual_stages": 4, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 4, "global_batch": 8, "schedule": "interleaved", "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.017572253779213901, "memory_bytes": 894988000, "mfu": 0.41656580265525062, "tokens_per_s": 455263.17230082036, "bubble_share": 0.055555124963150709, "exposed_comm_s": 0.00045308221394650661, "device_s": 0.070289015116855605, "cost_step": 3.9049452842697556e-05, "run_s": null, "device_hours": null, "cost_run": null, "goodput": null, "energy_j": null, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 4 --global-batch 8 --pipeline 2 --virtual-stages 4 --zero 1 --micro-batch 1 --schedule interleaved"},
    {"index": 36, "plan": {"devices": 4, "data": 2, "tensor": 1, "pipeline": 2, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 4, "global_batch": 8, "schedule": "zb-h1", "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.018653310491890444, "memory_bytes": 862936000, "mfu": 0.39242363993149532, "tokens_per_s": 428878.29500709876, "bubble_share": 0.11029063544293528, "exposed_comm_s": 0.00045308221394650661, "device_s": 0.074613241967561778, "cost_step": 4.1451801093089874e-05, "run_s": null, "device_hours": null, "cost_run": null, "goodput": null, "energy_j": null, "carbon_kg": null, "command": "nncost estimate dense fitted --devices 4 --global-batch 8 --pipeline 2 --zero 1 --micro-batch 1 --schedule zb-h1"}
  ],
  "pareto_truncated": false,
  "missed": null,
  "illegal": null
}
$ nncost search dense fitted --threads 1 --devices 8 --global-batch 8 --tensor 3 --shard 2/3
dense on 8 x fitted, global batch 8
shard 2/3: 20448 combinations: 0 evaluated, 20448 illegal, too large or slower for sure; 0 fit

no legal plan, --devices: expected a multiple of tensor x pipeline x context = 6, found 8

# A number is the plan's own --shard; both go together.
$ nncost search dense fitted --threads 1 --devices 4 --global-batch 8 --best 1 --zero 1 --set shard=2 --shard 2/2 --format csv | head -2 | cut -d, -f1-12
plan.devices,plan.data,plan.tensor,plan.pipeline,plan.virtual_stages,plan.context,plan.expert,plan.sequence_parallel,plan.zero,plan.micro_batch,plan.micro_batches,plan.global_batch
4,2,1,2,1,1,1,false,1,2,2,8

# Stopped by a signal it prints what was found; how far it came is not the same twice.
$ nncost search dense fitted --set layers=80 --set hidden=4096 --set head_dim=128 --set heads=32 --set kv_heads=32 --devices 1024 --global-batch 1536 --no-prune --threads 1 >out 2>err &
> sleep 0.4; kill -TERM $!; wait $!; echo "exit $?"; sed 's/[0-9][0-9.]*/N/g' err; grep -c 'interrupted: only' out
exit 143
nncost: search: interrupted after N of N combinations, N%; the best of these are shown
1

# What every search needs: devices. Of a batch one is chosen, and said; images need one.
$ nncost search dense round --threads 1 --devices 16 | head -1
dense on 16 x round, global batch 4096 (chosen: about 4 million tokens)
$ nncost search dense round --threads 1 --global-batch 64
! nncost: --devices: missing, expected the number that every plan is for
[2]

# Budgets and deadlines: not an amount, not a time, without a run or a price.
$ nncost search dense round --devices 16 --global-batch 64 --tokens 1e9 --budget 1M
dense on 16 x round, global batch 64
1344000 combinations: 11485 evaluated, 1332515 illegal, too large or slower for sure; 11485 fit

no fitted efficiencies for this device: roofline times, real ones are longer and may rank otherwise

software torch-compile

    step      run  run USD    kWh    memory    MFU  bubble  plan
31.18 ms  487.2 s    2.165  2.165  1.114 GB  93.9%    0.0%  dp16 zero1 mb2
31.18 ms  487.2 s    2.165  2.165  1.518 GB  93.9%    0.0%  dp16 zero2 mb4
31.18 ms  487.2 s    2.165  2.165  1.718 GB  93.9%    0.0%  dp16 zero1 mb4
31.19 ms  487.4 s    2.166  2.166  1.032 GB  93.9%    0.0%  dp8 pp2 zero1 mb1 dualpipe
31.19 ms  487.4 s    2.166  2.166  1.611 GB  93.9%    0.0%  dp8 pp2 zero2 mb4 dualpipe
31.19 ms  487.4 s    2.166  2.166  1.799 GB  93.9%    0.0%  dp8 pp2 zero1 mb4 dualpipe
31.19 ms  487.4 s    2.166  2.166  1.474 GB  93.9%    0.0%  dp8 pp2 zero1 mb2 dualpipe
31.26 ms  488.5 s    2.171  2.171  811.2 MB  93.7%    0.0%  dp16 zero1 mb1
31.42 ms  491.0 s    2.182  2.182  1.287 GB  93.2%    0.0%  dp8 pp2 zero2 mb2 dualpipe
31.44 ms  491.2 s    2.183  2.183  1.050 GB  93.1%    0.0%  dp16 zero1 mb2 recompute=norm

    nncost estimate dense round --devices 16 --global-batch 64 --tokens 1e9 --zero 1 --micro-batch 2

time against memory, no other plan is faster with less

    step     run run USD   kWh   memory   MFU plan
31.18 ms 487.2 s   2.165 2.165 1.114 GB 93.9% dp16 zero1 mb2
31.19 ms 487.4 s   2.166 2.166 1.032 GB 93.9% dp8 pp2 zero1 mb1 dualpipe
31.26 ms 488.5 s   2.171 2.171 811.2 MB 93.7% dp16 zero1 mb1
31.52 ms 492.5 s   2.189 2.189 779.2 MB 92.9% dp16 zero1 mb1 recompute=norm
31.78 ms 496.5 s   2.207 2.207 749.2 MB 92.1% dp16 zero1 mb1 recompute=activation
32.03 ms 500.5 s   2.224 2.224 717.2 MB 91.4% dp16 zero1 mb1 recompute=norm+activation
32.24 ms 503.7 s   2.239 2.239 610.3 MB 90.8% dp16 zero2 mb1
32.50 ms 507.7 s   2.257 2.257 578.3 MB 90.1% dp16 zero2 mb1 recompute=norm
32.75 ms 511.7 s   2.274 2.274 548.3 MB 89.4% dp16 zero2 mb1 recompute=activation
33.01 ms 515.7 s   2.292 2.292 516.3 MB 88.7% dp16 zero2 mb1 recompute=norm+activation
37.65 ms 588.2 s   2.614 2.614 509.2 MB 77.8% dp8 pp2 zero1 mb1 zb-h1 recompute=norm+activation
38.40 ms 600.0 s   2.667 2.667 493.9 MB 76.2% dp8 pp2 zero2 mb1 zb-h1
left out: bubble (a width of 100, see COLUMNS)
$ nncost search dense round --devices 16 --global-batch 64 --budget 1e6
! nncost: --budget: is for the whole run, expected its length beside it, --tokens or --samples
[2]
$ nncost search dense old --devices 16 --global-batch 64 --tokens 1e9 --budget 5
! nncost: --budget: no price is recorded for old, expected --price beside it
[2]
$ nncost search dense round --devices 16 --global-batch 64 --tokens 1e9 --deadline soon
! nncost: --deadline: not a time, expected a number above 0 and one of us, ms, s, min, h, d, w, such as 2.5s or 30d, found "soon"
[2]
$ nncost search dense round --devices 16 --global-batch 64 --tokens 1e9 --deadline 3w
dense on 16 x round, global batch 64
1344000 combinations: 11485 evaluated, 1332515 illegal, too large or slower for sure; 11485 fit

no fitted efficiencies for this device: roofline times, real ones are longer and may rank otherwise

software torch-compile

    step      run  run USD    kWh    memory    MFU  bubble  plan
31.18 ms  487.2 s    2.165  2.165  1.114 GB  93.9%    0.0%  dp16 zero1 mb2
31.18 ms  487.2 s    2.165  2.165  1.518 GB  93.9%    0.0%  dp16 zero2 mb4
31.18 ms  487.2 s    2.165  2.165  1.718 GB  93.9%    0.0%  dp16 zero1 mb4
31.19 ms  487.4 s    2.166  2.166  1.032 GB  93.9%    0.0%  dp8 pp2 zero1 mb1 dualpipe
31.19 ms  487.4 s    2.166  2.166  1.611 GB  93.9%    0.0%  dp8 pp2 zero2 mb4 dualpipe
31.19 ms  487.4 s    2.166  2.166  1.799 GB  93.9%    0.0%  dp8 pp2 zero1 mb4 dualpipe
31.19 ms  487.4 s    2.166  2.166  1.474 GB  93.9%    0.0%  dp8 pp2 zero1 mb2 dualpipe
31.26 ms  488.5 s    2.171  2.171  811.2 MB  93.7%    0.0%  dp16 zero1 mb1
31.42 ms  491.0 s    2.182  2.182  1.287 GB  93.2%    0.0%  dp8 pp2 zero2 mb2 dualpipe
31.44 ms  491.2 s    2.183  2.183  1.050 GB  93.1%    0.0%  dp16 zero1 mb2 recompute=norm

    nncost estimate dense round --devices 16 --global-batch 64 --tokens 1e9 --zero 1 --micro-batch 2

time against memory, no other plan is faster with less

    step     run run USD   kWh   memory   MFU plan
31.18 ms 487.2 s   2.165 2.165 1.114 GB 93.9% dp16 zero1 mb2
31.19 ms 487.4 s   2.166 2.166 1.032 GB 93.9% dp8 pp2 zero1 mb1 dualpipe
31.26 ms 488.5 s   2.171 2.171 811.2 MB 93.7% dp16 zero1 mb1
31.52 ms 492.5 s   2.189 2.189 779.2 MB 92.9% dp16 zero1 mb1 recompute=norm
31.78 ms 496.5 s   2.207 2.207 749.2 MB 92.1% dp16 zero1 mb1 recompute=activation
32.03 ms 500.5 s   2.224 2.224 717.2 MB 91.4% dp16 zero1 mb1 recompute=norm+activation
32.24 ms 503.7 s   2.239 2.239 610.3 MB 90.8% dp16 zero2 mb1
32.50 ms 507.7 s   2.257 2.257 578.3 MB 90.1% dp16 zero2 mb1 recompute=norm
32.75 ms 511.7 s   2.274 2.274 548.3 MB 89.4% dp16 zero2 mb1 recompute=activation
33.01 ms 515.7 s   2.292 2.292 516.3 MB 88.7% dp16 zero2 mb1 recompute=norm+activation
37.65 ms 588.2 s   2.614 2.614 509.2 MB 77.8% dp8 pp2 zero1 mb1 zb-h1 recompute=norm+activation
38.40 ms 600.0 s   2.667 2.667 493.9 MB 76.2% dp8 pp2 zero2 mb1 zb-h1
left out: bubble (a width of 100, see COLUMNS)
$ nncost search dense round --devices 16 --global-batch 64 --tokens 1e9 --deadline -3d
! nncost: --deadline: not a time, expected a number above 0 and one of us, ms, s, min, h, d, w, such as 2.5s or 30d, found "-3d"
[2]
$ nncost search dense round --devices 16 --global-batch 64 --deadline 1d
! nncost: --deadline: is for the whole run, expected its length beside it, --tokens or --samples
[2]

# Lists, objectives, targets and shards.
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
! nncost: --target-step: is for the best plan of all, expected no --shard beside it
[2]

# A vocabulary that does not divide is padded for tensor ranks.
$ nncost search dense fitted --set vocab=10001 --threads 1 --devices 2 --global-batch 4 --recompute none --best 1 | head -4
dense on 2 x fitted, global batch 4
4608 combinations: 116 evaluated, 4492 illegal, too large or slower for sure; 116 fit

software torch-compile

# No legal plan: what forbids the first.
$ nncost search dense round --threads 1 --devices 8 --global-batch 8 --tensor 16
! nncost: --devices: expected a multiple of tensor x pipeline x context = 16, found 8
[3]

# A cap on a device whose power figures are not known is an error, not a search that finds nothing.
$ nncost search dense round --devices 2 --global-batch 4 --power-cap 100
! nncost: --power-cap: what round draws is not known (efficiency.power of its file)
[3]
$ nncost estimate dense round --power-cap 100
! nncost: --power-cap: what round draws is not known (efficiency.power of its file)
[3]

# The run of a plan counts stops and checkpoints as 'nncost run' does; deadline and budget hold for it.
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 1 --tensor 1 --pipeline 1 --zero 1 --tokens 100B --device-mtbf-s 200h --storage-write-bytes-per-s 100MB/s -f json | grep -m1 -o '"\(run_s\|goodput\|device_hours\|cost_run\|energy_j\)": [^,}]*'
"run_s": 39089.6640642
"device_hours": 173.731840285
"cost_run": 347.463680571
"goodput": 0.960539456325
"energy_j": 312717312.514
$ nncost run dense fitted --devices 16 --global-batch 64 --zero 1 --micro-batch 4 --tokens 100B --device-mtbf-s 200h --storage-write-bytes-per-s 100MB/s -f json | grep -o '"run": {.*' | grep -o '"\(run_s\|goodput\|device_hours\|cost\|energy_j\)": [^,}]*'
"goodput": 0.960539456325
"run_s": 39089.6640642
"device_hours": 173.731840285
"cost": 347.463680571
"energy_j": 312717312.514
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 1 --tensor 1 --pipeline 1 --zero 1 --tokens 100B --deadline 10.5h | grep -c '^24'
2
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 1 --tensor 1 --pipeline 1 --zero 1 --tokens 100B --deadline 10.5h --device-mtbf-s 200h --storage-write-bytes-per-s 100MB/s
dense on 16 x fitted, global batch 64
8400 combinations: 15 evaluated, 8385 illegal, too large or slower for sure; 0 fit

no plan that fits keeps to the deadline and the budget; the fastest takes 24.03 ms a step, 10.86 h
for the run, run cost 347.5 USD
[1]
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 1 --tensor 1 --pipeline 1 --zero 1 --epochs 2 --dataset-size 50B --deadline 10.5h | grep '^24'
24.03 ms  10.43 h    333.8  83.44  1.718 GB  60.9%    0.0%  dp16 zero1 mb4
24.03 ms  10.43 h    333.8  83.44  1.718 GB  60.9%    0.0%  dp16 zero1 mb4
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --tokens 1B --days 3
! nncost: --days: one amount of training is enough, expected --tokens, --samples, --epochs, --days or --device-hours, found 2 of them
[2]
