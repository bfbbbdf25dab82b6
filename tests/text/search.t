# The best plans for a number of devices and a batch: 'nncost search'.

# The best three, and why the first beats the second.
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 3
dense on 16 x fitted, global batch 64
672000 combinations: 3688 evaluated, 668312 illegal, too large or hopeless; 3688 fit

software torch-compile

    step   memory   MFU data tensor pipeline virtual context SP ZeRO micro-batch schedule recompute
24.01 ms 1.611 GB 61.0%    4      1        2       1       2 no    2           8 dualpipe none
24.01 ms 1.799 GB 61.0%    4      1        2       1       2 no    1           8 dualpipe none
24.01 ms 1.611 GB 61.0%    8      1        2       1       1 no    2           4 dualpipe none

time against memory, no other plan is faster with less

    step   memory   MFU data tensor pipeline virtual context SP ZeRO micro-batch schedule recompute
24.01 ms 1.611 GB 61.0%    4      1        2       1       2 no    2           8 dualpipe none
24.04 ms 1.518 GB 60.9%    8      1        1       1       2 no    2           8 1f1b     none
24.43 ms 1.483 GB 59.9%    4      1        2       1       2 no    2           8 dualpipe norm
24.46 ms 1.390 GB 59.9%    8      1        1       1       2 no    2           8 1f1b     norm
24.61 ms 1.363 GB 59.5%    4      1        2       1       2 no    2           8 dualpipe activation
24.63 ms 1.270 GB 59.4%    8      1        1       1       2 no    2           8 1f1b     activation
25.02 ms 1.235 GB 58.5%    4      1        2       1       2 no    2           8 dualpipe norm,act..
25.05 ms 1.142 GB 58.4%    8      1        1       1       2 no    2           8 1f1b     norm,act..
26.03 ms 1.120 GB 56.2%    4      1        2       1       2 no    3           8 dualpipe norm,act..
26.05 ms 1.114 GB 56.2%    8      1        1       1       2 no    1           4 1f1b     none
26.31 ms 912.7 MB 55.7%   16      1        1       1       1 no    2           2 1f1b     none
26.31 ms 912.7 MB 55.7%    8      1        1       1       2 no    2           4 1f1b     none

# In the other formats; the time it took is not the same twice.
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 2 --tensor 1 --pipeline 1 --tokens 1e9 --format csv
plan.devices,plan.data,plan.tensor,plan.pipeline,plan.virtual_stages,plan.context,plan.expert,plan.sequence_parallel,plan.zero,plan.micro_batch,plan.micro_batches,plan.global_batch,plan.schedule,plan.recompute,plan.offload,software,step_s,memory_bytes,mfu,tokens_per_s,bubble_share,exposed_comm_s,device_s,cost_step,run_s,device_hours,cost_run\r
16,8,1,1,1,2,1,false,2,8,1,64,1f1b,none,none,torch-compile,0.024040870178,1517533750,0.608962982273,2662133.25584,0,0.000508986459065,0.384653922847,0.000213696623804,375.638596531,1.66950487347,3.33900974694\r
16,8,1,1,1,2,1,false,1,8,1,64,1f1b,none,none,torch-compile,0.024040870178,1718357500,0.608962982273,2662133.25584,0,0.000508986459065,0.384653922847,0.000213696623804,375.638596531,1.66950487347,3.33900974694\r
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 2 --tensor 1 --pipeline 1 --format markdown
dense on 16 x fitted, global batch 64
33600 combinations: 114 evaluated, 33486 illegal, too large or hopeless; 114 fit

software torch-compile

| step | memory | MFU | data | tensor | pipeline | virtual | context | expert | SP | ZeRO | micro-batch | schedule | recompute | offload | bubble |
|---:|---:|---:|---:|---:|---:|---:|---:|---:|:---|---:|---:|:---|:---|:---|---:|
| 24.04 ms | 1.518 GB | 60.9% | 8 | 1 | 1 | 1 | 2 | 1 | no | 2 | 8 | 1f1b | none | none | 0.0% |
| 24.04 ms | 1.718 GB | 60.9% | 8 | 1 | 1 | 1 | 2 | 1 | no | 1 | 8 | 1f1b | none | none | 0.0% |

time against memory, no other plan is faster with less

| step | memory | MFU | data | tensor | pipeline | virtual | context | expert | SP | ZeRO | micro-batch | schedule | recompute | offload | bubble |
|---:|---:|---:|---:|---:|---:|---:|---:|---:|:---|---:|---:|:---|:---|:---|---:|
| 24.04 ms | 1.518 GB | 60.9% | 8 | 1 | 1 | 1 | 2 | 1 | no | 2 | 8 | 1f1b | none | none | 0.0% |
| 24.46 ms | 1.390 GB | 59.9% | 8 | 1 | 1 | 1 | 2 | 1 | no | 2 | 8 | 1f1b | norm | none | 0.0% |
| 24.63 ms | 1.270 GB | 59.4% | 8 | 1 | 1 | 1 | 2 | 1 | no | 2 | 8 | 1f1b | activation | none | 0.0% |
| 25.05 ms | 1.142 GB | 58.4% | 8 | 1 | 1 | 1 | 2 | 1 | no | 2 | 8 | 1f1b | norm,activation | none | 0.0% |
| 26.05 ms | 1.114 GB | 56.2% | 8 | 1 | 1 | 1 | 2 | 1 | no | 1 | 4 | 1f1b | none | none | 0.0% |
| 26.31 ms | 912.7 MB | 55.7% | 16 | 1 | 1 | 1 | 1 | 1 | no | 2 | 2 | 1f1b | none | none | 0.0% |
| 26.31 ms | 912.7 MB | 55.7% | 8 | 1 | 1 | 1 | 2 | 1 | no | 2 | 4 | 1f1b | none | none | 0.0% |
| 26.88 ms | 848.7 MB | 54.5% | 16 | 1 | 1 | 1 | 1 | 1 | no | 2 | 2 | 1f1b | norm | none | 0.0% |
| 26.88 ms | 848.7 MB | 54.5% | 8 | 1 | 1 | 1 | 2 | 1 | no | 2 | 4 | 1f1b | norm | none | 0.0% |
| 26.98 ms | 788.7 MB | 54.3% | 16 | 1 | 1 | 1 | 1 | 1 | no | 2 | 2 | 1f1b | activation | none | 0.0% |
| 26.98 ms | 788.7 MB | 54.3% | 8 | 1 | 1 | 1 | 2 | 1 | no | 2 | 4 | 1f1b | activation | none | 0.0% |
| 27.56 ms | 724.7 MB | 53.1% | 16 | 1 | 1 | 1 | 1 | 1 | no | 2 | 2 | 1f1b | norm,activation | none | 0.0% |
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 1 --tensor 1 --pipeline 1 --zero 1 --tokens 300e9 --format json | sed 's/"elapsed_s": .*/"elapsed_s": 0,/'
{
  "schema": "nncost.search/1",
  "space": 8400,
  "covered": 8400,
  "evaluated": 44,
  "pruned": 8356,
  "feasible": 44,
  "elapsed_s": 0,
  "threads": 1,
  "currency": "USD",
  "best": [
    {"plan": {"devices": 16, "data": 8, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 2, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 8, "micro_batches": 1, "global_batch": 64, "schedule": "1f1b", "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.024040870178, "memory_bytes": 1718357500, "mfu": 0.608962982273, "tokens_per_s": 2662133.25584, "bubble_share": 0, "exposed_comm_s": 0.000508986459065, "device_s": 0.384653922847, "cost_step": 0.000213696623804, "run_s": 112691.578959, "device_hours": 500.851462041, "cost_run": 1001.70292408}
  ],
  "pareto": [
    {"plan": {"devices": 16, "data": 8, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 2, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 8, "micro_batches": 1, "global_batch": 64, "schedule": "1f1b", "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.024040870178, "memory_bytes": 1718357500, "mfu": 0.608962982273, "tokens_per_s": 2662133.25584, "bubble_share": 0, "exposed_comm_s": 0.000508986459065, "device_s": 0.384653922847, "cost_step": 0.000213696623804, "run_s": 112691.578959, "device_hours": 500.851462041, "cost_run": 1001.70292408},
    {"plan": {"devices": 16, "data": 8, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 2, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 8, "micro_batches": 1, "global_batch": 64, "schedule": "1f1b", "recompute": "norm", "offload": "none"}, "software": "torch-compile", "step_s": 0.024456870178, "memory_bytes": 1590357500, "mfu": 0.598604804845, "tokens_per_s": 2616851.60588, "bubble_share": 0, "exposed_comm_s": 0.000508986459065, "device_s": 0.391309922847, "cost_step": 0.000217394401582, "run_s": 114641.578959, "device_hours": 509.518128707, "cost_run": 1019.03625741},
    {"plan": {"devices": 16, "data": 8, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 2, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 8, "micro_batches": 1, "global_batch": 64, "schedule": "1f1b", "recompute": "activation", "offload": "none"}, "software": "torch-compile", "step_s": 0.024632870178, "memory_bytes": 1470357500, "mfu": 0.594327818652, "tokens_per_s": 2598154.39848, "bubble_share": 0, "exposed_comm_s": 0.000508986459065, "device_s": 0.394125922847, "cost_step": 0.000218958846026, "run_s": 115466.578959, "device_hours": 513.184795374, "cost_run": 1026.36959075},
    {"plan": {"devices": 16, "data": 8, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 2, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 8, "micro_batches": 1, "global_batch": 64, "schedule": "1f1b", "recompute": "norm,activation", "offload": "none"}, "software": "torch-compile", "step_s": 0.025048870178, "memory_bytes": 1342357500, "mfu": 0.584457498322, "tokens_per_s": 2555005.45715, "bubble_share": 0, "exposed_comm_s": 0.000508986459065, "device_s": 0.400781922847, "cost_step": 0.000222656623804, "run_s": 117416.578959, "device_hours": 521.851462041, "cost_run": 1043.70292408},
    {"plan": {"devices": 16, "data": 8, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 2, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 4, "micro_batches": 2, "global_batch": 64, "schedule": "1f1b", "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.0260527561178, "memory_bytes": 1113557500, "mfu": 0.561936707724, "tokens_per_s": 2456553.91355, "bubble_share": 0, "exposed_comm_s": 0.000508986459065, "device_s": 0.416844097885, "cost_step": 0.000231580054381, "run_s": 122122.294302, "device_hours": 542.765752455, "cost_run": 1085.53150491},
    {"plan": {"devices": 16, "data": 8, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 2, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 4, "micro_batches": 2, "global_batch": 64, "schedule": "1f1b", "recompute": "norm", "offload": "none"}, "software": "torch-compile", "step_s": 0.0266287561178, "memory_bytes": 1049557500, "mfu": 0.549781594575, "tokens_per_s": 2403416.80688, "bubble_share": 0, "exposed_comm_s": 0.000508986459065, "device_s": 0.426060097885, "cost_step": 0.000236700054381, "run_s": 124822.294302, "device_hours": 554.765752455, "cost_run": 1109.53150491},
    {"plan": {"devices": 16, "data": 8, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 2, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 4, "micro_batches": 2, "global_batch": 64, "schedule": "1f1b", "recompute": "activation", "offload": "none"}, "software": "torch-compile", "step_s": 0.0267247561178, "memory_bytes": 989557500, "mfu": 0.547806682892, "tokens_per_s": 2394783.31319, "bubble_share": 0, "exposed_comm_s": 0.000508986459065, "device_s": 0.427596097885, "cost_step": 0.000237553387714, "run_s": 125272.294302, "device_hours": 556.765752455, "cost_run": 1113.53150491},
    {"plan": {"devices": 16, "data": 8, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 2, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 4, "micro_batches": 2, "global_batch": 64, "schedule": "1f1b", "recompute": "norm,activation", "offload": "none"}, "software": "torch-compile", "step_s": 0.0273007561178, "memory_bytes": 925557500, "mfu": 0.53624888398, "tokens_per_s": 2344257.41631, "bubble_share": 0, "exposed_comm_s": 0.000508986459065, "device_s": 0.436812097885, "cost_step": 0.000242673387714, "run_s": 127972.294302, "device_hours": 568.765752455, "cost_run": 1137.53150491},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 4, "global_batch": 64, "schedule": "1f1b", "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.0301493234981, "memory_bytes": 811161500, "mfu": 0.485583034755, "tokens_per_s": 2122767.36505, "bubble_share": 0, "exposed_comm_s": 0.000508986459065, "device_s": 0.482389175969, "cost_step": 0.000267993986649, "run_s": 141324.953897, "device_hours": 628.11090621, "cost_run": 1256.22181242},
    {"plan": {"devices": 16, "data": 8, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 2, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 4, "global_batch": 64, "schedule": "1f1b", "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.0304098063749, "memory_bytes": 811157500, "mfu": 0.481423650631, "tokens_per_s": 2104584.26505, "bubble_share": 0, "exposed_comm_s": 0.000769469335935, "device_s": 0.486556901999, "cost_step": 0.000270309389999, "run_s": 142545.967382, "device_hours": 633.537632811, "cost_run": 1267.07526562},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 4, "global_batch": 64, "schedule": "1f1b", "recompute": "activation", "offload": "none"}, "software": "torch-compile", "step_s": 0.0309813234981, "memory_bytes": 749161500, "mfu": 0.472542756313, "tokens_per_s": 2065760.68334, "bubble_share": 0, "exposed_comm_s": 0.000508986459065, "device_s": 0.495701175969, "cost_step": 0.000275389542205, "run_s": 145224.953897, "device_hours": 645.444239543, "cost_run": 1290.88847909},
    {"plan": {"devices": 16, "data": 8, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 2, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 4, "global_batch": 64, "schedule": "1f1b", "recompute": "activation", "offload": "none"}, "software": "torch-compile", "step_s": 0.0312418063749, "memory_bytes": 749157500, "mfu": 0.468602865798, "tokens_per_s": 2048537.11824, "bubble_share": 0, "exposed_comm_s": 0.000769469335935, "device_s": 0.499868901999, "cost_step": 0.000277704945555, "run_s": 146445.967382, "device_hours": 650.870966144, "cost_run": 1301.74193229},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 4, "global_batch": 64, "schedule": "1f1b", "recompute": "norm,activation", "offload": "none"}, "software": "torch-compile", "step_s": 0.0318773234981, "memory_bytes": 717161500, "mfu": 0.459260640276, "tokens_per_s": 2007696.78809, "bubble_share": 0, "exposed_comm_s": 0.000508986459065, "device_s": 0.510037175969, "cost_step": 0.000283353986649, "run_s": 149424.953897, "device_hours": 664.11090621, "cost_run": 1328.22181242},
    {"plan": {"devices": 16, "data": 8, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 2, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 4, "global_batch": 64, "schedule": "1f1b", "recompute": "norm,activation", "offload": "none"}, "software": "torch-compile", "step_s": 0.0321378063749, "memory_bytes": 717157500, "mfu": 0.45553824767, "tokens_per_s": 1991424.03353, "bubble_share": 0, "exposed_comm_s": 0.000769469335935, "device_s": 0.514204901999, "cost_step": 0.000285669389999, "run_s": 150645.967382, "device_hours": 669.537632811, "cost_run": 1339.07526562},
    {"plan": {"devices": 16, "data": 8, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 2, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 4, "micro_batches": 2, "global_batch": 64, "schedule": "1f1b", "recompute": "full", "offload": "none"}, "software": "torch-compile", "step_s": 0.0339909306345, "memory_bytes": 696885500, "mfu": 0.430703123648, "tokens_per_s": 1882855.18535, "bubble_share": 0, "exposed_comm_s": 0.000508986459065, "device_s": 0.543854890152, "cost_step": 0.00030214160564, "run_s": 159332.487349, "device_hours": 708.144388219, "cost_run": 1416.28877644},
    {"plan": {"devices": 16, "data": 16, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 4, "global_batch": 64, "schedule": "1f1b", "recompute": "full", "offload": "none"}, "software": "torch-compile", "step_s": 0.0395056612006, "memory_bytes": 602825500, "mfu": 0.370579799327, "tokens_per_s": 1620020.98067, "bubble_share": 0, "exposed_comm_s": 0.000508986459065, "device_s": 0.632090579209, "cost_step": 0.000351161432894, "run_s": 185182.786878, "device_hours": 823.034608345, "cost_run": 1646.06921669},
    {"plan": {"devices": 16, "data": 8, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 2, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 4, "global_batch": 64, "schedule": "1f1b", "recompute": "full", "offload": "none"}, "software": "torch-compile", "step_s": 0.0400100377095, "memory_bytes": 602821500, "mfu": 0.365908178001, "tokens_per_s": 1599598.59235, "bubble_share": 0, "exposed_comm_s": 0.00101336296794, "device_s": 0.640160603351, "cost_step": 0.00035564477964, "run_s": 187547.051763, "device_hours": 833.54245228, "cost_run": 1667.08490456},
    {"plan": {"devices": 16, "data": 8, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 2, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 8, "global_batch": 64, "schedule": "1f1b", "recompute": "full", "offload": "none"}, "software": "torch-compile", "step_s": 0.053533330124, "memory_bytes": 555789500, "mfu": 0.27347448713, "tokens_per_s": 1195516.88363, "bubble_share": 0, "exposed_comm_s": 0.00281176058586, "device_s": 0.856533281984, "cost_step": 0.000475851823324, "run_s": 250937.484956, "device_hours": 1115.27771092, "cost_run": 2230.55542183},
    {"plan": {"devices": 16, "data": 4, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 4, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 8, "global_batch": 64, "schedule": "1f1b", "recompute": "full", "offload": "none"}, "software": "torch-compile", "step_s": 0.076654683324, "memory_bytes": 555787500, "mfu": 0.190986373763, "tokens_per_s": 834913.109346, "bubble_share": 0, "exposed_comm_s": 0.0259331137859, "device_s": 1.22647493318, "cost_step": 0.00068137496288, "run_s": 359318.828081, "device_hours": 1596.97256925, "cost_run": 3193.9451385},
    {"plan": {"devices": 16, "data": 4, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 4, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 16, "global_batch": 64, "schedule": "1f1b", "recompute": "full", "offload": "none"}, "software": "torch-compile", "step_s": 0.121171321355, "memory_bytes": 532271500, "mfu": 0.120820668095, "tokens_per_s": 528177.784021, "bubble_share": 0, "exposed_comm_s": 0.0463599217709, "device_s": 1.93874114168, "cost_step": 0.00107707841204, "run_s": 567990.56885, "device_hours": 2524.40252822, "cost_run": 5048.80505645}
  ]
}

# Pipelines, experts: the columns that plans use.
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 16 --best 2 --pipeline 4 --zero 0 --max-memory 300e6
dense on 16 x fitted, global batch 16
30000 combinations: 62 evaluated, 29938 illegal, too large or hopeless; 62 fit

software torch-compile

    step   memory   MFU data tensor pipeline virtual SP ZeRO micro-batch schedule recompute  offload
30.17 ms 292.7 MB 12.1%    1      4        4       1 no    0           2 zb-h1    norm,act.. none
31.33 ms 292.7 MB 11.7%    1      4        4       1 no    0           2 1f1b     norm,act.. none

the first is 1.155 ms faster than the second, bubble 1.155 ms less

time against memory, no other plan is faster with less

    step   memory   MFU data tensor pipeline virtual SP  ZeRO micro-batch schedule    recompute
30.17 ms 292.7 MB 12.1%    1      4        4       1 no     0           2 zb-h1       norm,activat..
35.60 ms 288.5 MB 10.3%    1      4        4       1 no     0           4 zb-h1       full
36.50 ms 243.4 MB 10.0%    1      4        4       2 no     0           2 interleaved full
39.56 ms 220.4 MB  9.3%    1      4        4       1 no     0           2 zb-h1       full
48.69 ms 201.3 MB  7.5%    1      4        4       2 yes    0           2 interleaved full
49.95 ms 192.4 MB  7.3%    1      4        4       2 no     0           1 interleaved full
52.40 ms 186.3 MB  7.0%    1      4        4       1 no     0           1 zb-h1       full
53.23 ms 184.3 MB  6.9%    1      4        4       1 yes    0           2 zb-h1       full
71.21 ms 169.8 MB  5.1%    1      4        4       2 yes    0           1 interleaved full
75.07 ms 168.3 MB  4.9%    1      4        4       1 yes    0           1 zb-h1       full
$ nncost search experts round --threads 1 --devices 16 --global-batch 32 --best 2 --expert 4,8 --max-memory 600e6
experts on 16 x round, global batch 32
1296000 combinations: 8393 evaluated, 1287607 illegal, too large or hopeless; 8393 fit

no fitted efficiencies for this device: roofline times, real ones are longer and may rank otherwise

software torch-compile

    step   memory   MFU data tensor pipeline virtual expert SP ZeRO micro-batch schedule recompute
8.805 ms 582.3 MB 68.2%    8      1        2       1      4 no    2           1 dualpipe none
8.845 ms 586.2 MB 67.9%    8      1        2       1      8 no    1           1 dualpipe norm

the first is 39.82 us faster than the second, exposed communication 24.18 us more, compute 64.00 us less

time against memory, no other plan is faster with less

    step   memory   MFU data tensor pipeline context expert SP ZeRO micro-batch schedule recompute
8.805 ms 582.3 MB 68.2%    8      1        2       1      4 no    2           1 dualpipe none
8.869 ms 558.3 MB 67.7%    8      1        2       1      4 no    2           1 dualpipe norm
8.874 ms 530.6 MB 67.7%    4      1        2       2      4 no    1           1 dualpipe none
8.938 ms 518.6 MB 67.2%    4      1        2       2      4 no    1           1 dualpipe norm
9.101 ms 482.6 MB 66.0%    4      1        2       2      8 no    1           1 dualpipe none
9.165 ms 470.6 MB 65.5%    4      1        2       2      8 no    1           1 dualpipe norm
9.449 ms 454.7 MB 63.5%    4      1        2       2      4 no    2           1 dualpipe none
9.495 ms 430.7 MB 63.2%    4      1        2       2      8 no    2           1 dualpipe none
9.559 ms 418.7 MB 62.8%    4      1        2       2      8 no    2           1 dualpipe norm
9.943 ms 347.1 MB 60.4%    4      1        2       2      4 no    1           1 zb-h2    none
10.02 ms 335.1 MB 59.9%    4      1        2       2      4 no    1           1 zb-h2    norm
10.21 ms 273.2 MB 58.8%    4      1        2       2      4 no    1           1 zb-h1    none

# The whole run: a deadline and a budget, kept and missed.
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 2 --tensor 1 --pipeline 1 --tokens 300e9 --deadline 3d --budget 4000
dense on 16 x fitted, global batch 64
33600 combinations: 105 evaluated, 33495 illegal, too large or hopeless; 98 fit

software torch-compile

    step     run run USD   memory data tensor pipeline context SP ZeRO micro-batch schedule recomp..
24.04 ms 31.30 h   1,002 1.518 GB    8      1        1       2 no    2           8 1f1b     none
24.04 ms 31.30 h   1,002 1.718 GB    8      1        1       2 no    1           8 1f1b     none

time against memory, no other plan is faster with less

    step     run run USD   memory data tensor pipeline context SP ZeRO micro-batch schedule recomp..
24.04 ms 31.30 h   1,002 1.518 GB    8      1        1       2 no    2           8 1f1b     none
24.46 ms 31.84 h   1,019 1.390 GB    8      1        1       2 no    2           8 1f1b     norm
24.63 ms 32.07 h   1,026 1.270 GB    8      1        1       2 no    2           8 1f1b     activa..
25.05 ms 32.62 h   1,044 1.142 GB    8      1        1       2 no    2           8 1f1b     norm,a..
26.05 ms 33.92 h   1,086 1.114 GB    8      1        1       2 no    1           4 1f1b     none
26.31 ms 34.25 h   1,096 912.7 MB   16      1        1       1 no    2           2 1f1b     none
26.31 ms 34.25 h   1,096 912.7 MB    8      1        1       2 no    2           4 1f1b     none
26.88 ms 35.00 h   1,120 848.7 MB   16      1        1       1 no    2           2 1f1b     norm
26.88 ms 35.00 h   1,120 848.7 MB    8      1        1       2 no    2           4 1f1b     norm
26.98 ms 35.13 h   1,124 788.7 MB   16      1        1       1 no    2           2 1f1b     activa..
26.98 ms 35.13 h   1,124 788.7 MB    8      1        1       2 no    2           4 1f1b     activa..
27.56 ms 35.88 h   1,148 724.7 MB   16      1        1       1 no    2           2 1f1b     norm,a..
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --tensor 1 --tokens 300e9 --budget 100
dense on 16 x fitted, global batch 64
134400 combinations: 2385 evaluated, 132015 illegal, too large or hopeless; 0 fit

no plan that fits keeps to the deadline and the budget; the fastest takes 24.01 ms a step, 31.27 h for the run, run cost 1,001 USD
[1]
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --tensor 1 --tokens 300e9 --deadline 1h
dense on 16 x fitted, global batch 64
134400 combinations: 2385 evaluated, 132015 illegal, too large or hopeless; 0 fit

no plan that fits keeps to the deadline and the budget; the fastest takes 24.01 ms a step, 31.27 h for the run, run cost 1,001 USD
[1]

# Other objectives.
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 2 --tensor 1 --pipeline 1 --objective memory
dense on 16 x fitted, global batch 64
33600 combinations: 124 evaluated, 33476 illegal, too large or hopeless; 124 fit

software torch-compile

    step   memory  MFU data tensor pipeline virtual context SP ZeRO micro-batch schedule recompute
309.2 ms 202.7 MB 4.7%    4      1        1       1       4 no    3           1 1f1b     full
162.2 ms 226.2 MB 9.0%    4      1        1       1       4 no    3           2 1f1b     full

the first is 147.1 ms slower than the second, exposed communication 123.0 ms more, compute 24.09 ms more

time against memory, no other plan is faster with less

    step   memory   MFU data tensor pipeline virtual context SP ZeRO micro-batch schedule recompute
24.04 ms 1.518 GB 60.9%    8      1        1       1       2 no    2           8 1f1b     none
24.46 ms 1.390 GB 59.9%    8      1        1       1       2 no    2           8 1f1b     norm
24.63 ms 1.270 GB 59.4%    8      1        1       1       2 no    2           8 1f1b     activation
25.05 ms 1.142 GB 58.4%    8      1        1       1       2 no    2           8 1f1b     norm,act..
26.05 ms 1.114 GB 56.2%    8      1        1       1       2 no    1           4 1f1b     none
26.31 ms 912.7 MB 55.7%   16      1        1       1       1 no    2           2 1f1b     none
26.31 ms 912.7 MB 55.7%    8      1        1       1       2 no    2           4 1f1b     none
26.88 ms 848.7 MB 54.5%   16      1        1       1       1 no    2           2 1f1b     norm
26.88 ms 848.7 MB 54.5%    8      1        1       1       2 no    2           4 1f1b     norm
26.98 ms 788.7 MB 54.3%   16      1        1       1       1 no    2           2 1f1b     activation
26.98 ms 788.7 MB 54.3%    8      1        1       1       2 no    2           4 1f1b     activation
27.56 ms 724.7 MB 53.1%   16      1        1       1       1 no    2           2 1f1b     norm,act..
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 2 --tensor 1 --pipeline 1 --objective cost --tokens 1e9
dense on 16 x fitted, global batch 64
33600 combinations: 114 evaluated, 33486 illegal, too large or hopeless; 114 fit

software torch-compile

    step     run run USD   memory data tensor pipeline context SP ZeRO micro-batch schedule recomp..
24.04 ms 375.6 s   3.339 1.518 GB    8      1        1       2 no    2           8 1f1b     none
24.04 ms 375.6 s   3.339 1.718 GB    8      1        1       2 no    1           8 1f1b     none

time against memory, no other plan is faster with less

    step     run run USD   memory data tensor pipeline context SP ZeRO micro-batch schedule recomp..
24.04 ms 375.6 s   3.339 1.518 GB    8      1        1       2 no    2           8 1f1b     none
24.46 ms 382.1 s   3.397 1.390 GB    8      1        1       2 no    2           8 1f1b     norm
24.63 ms 384.9 s   3.421 1.270 GB    8      1        1       2 no    2           8 1f1b     activa..
25.05 ms 391.4 s   3.479 1.142 GB    8      1        1       2 no    2           8 1f1b     norm,a..
26.05 ms 407.1 s   3.618 1.114 GB    8      1        1       2 no    1           4 1f1b     none
26.31 ms 411.1 s   3.654 912.7 MB   16      1        1       1 no    2           2 1f1b     none
26.31 ms 411.1 s   3.654 912.7 MB    8      1        1       2 no    2           4 1f1b     none
26.88 ms 420.1 s   3.734 848.7 MB   16      1        1       1 no    2           2 1f1b     norm
26.88 ms 420.1 s   3.734 848.7 MB    8      1        1       2 no    2           4 1f1b     norm
26.98 ms 421.6 s   3.747 788.7 MB   16      1        1       1 no    2           2 1f1b     activa..
26.98 ms 421.6 s   3.747 788.7 MB    8      1        1       2 no    2           4 1f1b     activa..
27.56 ms 430.6 s   3.827 724.7 MB   16      1        1       1 no    2           2 1f1b     norm,a..

# What a target takes: figures of the device that reach it, that do not, and that it is reached.
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 1 --tensor 1 --pipeline 1 --target-step 20ms
dense on 16 x fitted, global batch 64
33600 combinations: 114 evaluated, 33486 illegal, too large or hopeless; 114 fit

software torch-compile

    step   memory   MFU data tensor pipeline virtual context SP ZeRO micro-batch schedule recompute
24.04 ms 1.518 GB 60.9%    8      1        1       1       2 no    2           8 1f1b     none

time against memory, no other plan is faster with less

    step   memory   MFU data tensor pipeline virtual context SP ZeRO micro-batch schedule recompute
24.04 ms 1.518 GB 60.9%    8      1        1       1       2 no    2           8 1f1b     none
24.46 ms 1.390 GB 59.9%    8      1        1       1       2 no    2           8 1f1b     norm
24.63 ms 1.270 GB 59.4%    8      1        1       1       2 no    2           8 1f1b     activation
25.05 ms 1.142 GB 58.4%    8      1        1       1       2 no    2           8 1f1b     norm,act..
26.05 ms 1.114 GB 56.2%    8      1        1       1       2 no    1           4 1f1b     none
26.31 ms 912.7 MB 55.7%   16      1        1       1       1 no    2           2 1f1b     none
26.31 ms 912.7 MB 55.7%    8      1        1       1       2 no    2           4 1f1b     none
26.88 ms 848.7 MB 54.5%   16      1        1       1       1 no    2           2 1f1b     norm
26.88 ms 848.7 MB 54.5%    8      1        1       1       2 no    2           4 1f1b     norm
26.98 ms 788.7 MB 54.3%   16      1        1       1       1 no    2           2 1f1b     activation
26.98 ms 788.7 MB 54.3%    8      1        1       1       2 no    2           4 1f1b     activation
27.56 ms 724.7 MB 53.1%   16      1        1       1       1 no    2           2 1f1b     norm,act..

from 24.04 ms to a step of 20.00 ms, the smallest value of one figure alone

  matmul_flops_per_s.bf16  200.0 TFLOP/s -> 251.5 TFLOP/s, 1.258 x
  mem_bytes_per_s          2.000 TB/s: alone not enough, even infinite bandwidth leaves 21.74 ms
  scale_up.bytes_per_s     200.0 GB/s: alone not enough, even infinite bandwidth leaves 23.81 ms
  scale_out.bytes_per_s    20.00 GB/s: alone not enough, even infinite bandwidth leaves 23.91 ms
  mem_bytes                20.00 GB: alone not enough, even infinite capacity leaves 24.04 ms with the fastest plan of all
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 1 --tensor 1 --pipeline 1 --target-step 2 | tail -3
27.56 ms 724.7 MB 53.1%   16      1        1       1       1 no    2           2 1f1b     norm,act..

a step of 2.000 s is reached: the best plan takes 24.04 ms
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 1 --tensor 1 --pipeline 1 --max-memory 600e6 --target-step 30ms | tail -8

from 31.74 ms to a step of 30.00 ms, the smallest value of one figure alone

  matmul_flops_per_s.bf16  200.0 TFLOP/s -> 217.2 TFLOP/s, 1.086 x
  mem_bytes_per_s          2.000 TB/s -> 4.195 TB/s, 2.097 x
  scale_up.bytes_per_s     200.0 GB/s: alone not enough, even infinite bandwidth leaves 31.17 ms
  scale_out.bytes_per_s    20.00 GB/s: alone not enough, even infinite bandwidth leaves 31.42 ms
  mem_bytes                600.0 MB -> 724.7 MB, 1.208 x, with another plan
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 1 --tensor 1 --pipeline 1 --zero 1 --target-step 20ms --format json | sed -n '/"target"/,$p'
  "target": {"step_s": 0.02, "figures": [{"figure": "matmul_flops_per_s.bf16", "value": 2e14, "needed": 2.5154062745e14, "step_s": 0.0199999999993}, {"figure": "mem_bytes_per_s", "value": 2e12, "needed": null, "step_s": 0.0217353939479}, {"figure": "scale_up.bytes_per_s", "value": 200000000000, "needed": null, "step_s": 0.023812024934}, {"figure": "scale_out.bytes_per_s", "value": 20000000000, "needed": null, "step_s": 0.0239128156279}, {"figure": "mem_bytes", "value": 20000000000, "needed": null, "step_s": 0.024040870178}]}
}
$ nncost search dense fitted --threads 1 --devices 16 --global-batch 64 --best 1 --tensor 1 --pipeline 1 --max-memory 1e8 --target-step 30ms
dense on 16 x fitted, global batch 64
33600 combinations: 0 evaluated, 33600 illegal, too large or hopeless; 0 fit

no plan fits

for a step of 30.00 ms

  mem_bytes                100.0 MB -> 724.7 MB, 7.247 x, with another plan
[1]

# None fits.
$ nncost search dense fitted --threads 1 --devices 8 --global-batch 8 --max-memory 1e8
dense on 8 x fitted, global batch 8
245760 combinations: 0 evaluated, 245760 illegal, too large or hopeless; 0 fit

no plan fits
[1]

# A shard for 'merge': a part of the space, in JSON with what it is a part of. It may have no legal plan.
$ nncost search dense fitted --threads 1 --devices 4 --global-batch 8 --best 1 --context 1 --shard 1/2
dense on 4 x fitted, global batch 8
shard 1/2: 17280 combinations: 521 evaluated, 16759 illegal, too large or hopeless; 521 fit

software torch-compile

    step   memory   MFU data tensor pipeline virtual SP ZeRO micro-batch schedule recompute offload
13.55 ms 1.194 GB 54.0%    4      1        1       1 no    2           2 1f1b     none      none

time against memory, no other plan is faster with less

    step   memory   MFU data tensor pipeline virtual SP ZeRO micro-batch schedule recompute  offload
13.55 ms 1.194 GB 54.0%    4      1        1       1 no    2           2 1f1b     none       none
13.89 ms 1.070 GB 52.7%    4      1        1       1 no    2           2 1f1b     activation none
14.18 ms 1.006 GB 51.6%    4      1        1       1 no    2           2 1f1b     norm,act.. none
14.87 ms 981.3 MB 49.2%    4      1        1       1 no    3           2 1f1b     activation none
15.15 ms 917.3 MB 48.3%    4      1        1       1 no    3           2 1f1b     norm,act.. none
15.76 ms 891.5 MB 46.4%    4      1        1       1 no    2           1 1f1b     none       none
16.18 ms 829.5 MB 45.2%    4      1        1       1 no    2           1 1f1b     activation none
16.63 ms 797.5 MB 44.0%    4      1        1       1 no    2           1 1f1b     norm,act.. none
18.32 ms 740.9 MB 40.0%    4      1        1       1 no    3           1 1f1b     activation none
18.77 ms 708.9 MB 39.0%    4      1        1       1 no    3           1 1f1b     norm,act.. none
20.44 ms 683.2 MB 35.8%    4      1        1       1 no    2           1 1f1b     full       none
22.58 ms 594.6 MB 32.4%    4      1        1       1 no    3           1 1f1b     full       none
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
    {"index": 116, "plan": {"devices": 4, "data": 2, "tensor": 1, "pipeline": 2, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 2, "global_batch": 8, "schedule": "dualpipe", "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.014013505336125344, "memory_bytes": 1675868000, "mfu": 0.52235324598834021, "tokens_per_s": 570877.86446813145, "bubble_share": 1.2378940417604669e-16, "exposed_comm_s": 0.00028025917861605829, "device_s": 0.056054021344501374, "cost_step": 3.1141122969167434e-05, "run_s": null, "device_hours": null, "cost_run": null}
  ],
  "pareto": [
    {"index": 116, "plan": {"devices": 4, "data": 2, "tensor": 1, "pipeline": 2, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 2, "global_batch": 8, "schedule": "dualpipe", "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.014013505336125344, "memory_bytes": 1675868000, "mfu": 0.52235324598834021, "tokens_per_s": 570877.86446813145, "bubble_share": 1.2378940417604669e-16, "exposed_comm_s": 0.00028025917861605829, "device_s": 0.056054021344501374, "cost_step": 3.1141122969167434e-05, "run_s": null, "device_hours": null, "cost_run": null},
    {"index": 44, "plan": {"devices": 4, "data": 2, "tensor": 1, "pipeline": 2, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 4, "global_batch": 8, "schedule": "dualpipe", "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.016061789026238588, "memory_bytes": 1513672000, "mfu": 0.45574001675915593, "tokens_per_s": 498076.52104825783, "bubble_share": 0, "exposed_comm_s": 0.00028025917861605916, "device_s": 0.06424715610495435, "cost_step": 3.5692864502752415e-05, "run_s": null, "device_hours": null, "cost_run": null},
    {"index": 102, "plan": {"devices": 4, "data": 2, "tensor": 1, "pipeline": 2, "virtual_stages": 4, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 2, "micro_batches": 2, "global_batch": 8, "schedule": "interleaved", "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.016205598109231212, "memory_bytes": 1157240000, "mfu": 0.45169576282595209, "tokens_per_s": 493656.57139448321, "bubble_share": 0.10017006835808812, "exposed_comm_s": 0.00048538597962285014, "device_s": 0.06482239243692485, "cost_step": 3.6012440242736024e-05, "run_s": null, "device_hours": null, "cost_run": null},
    {"index": 30, "plan": {"devices": 4, "data": 2, "tensor": 1, "pipeline": 2, "virtual_stages": 4, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 4, "global_batch": 8, "schedule": "interleaved", "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.017610173287123141, "memory_bytes": 894988000, "mfu": 0.41566882282484457, "tokens_per_s": 454282.86647523998, "bubble_share": 0.055754391556116271, "exposed_comm_s": 0.00048538597962285014, "device_s": 0.070440693148492564, "cost_step": 3.9133718415829199e-05, "run_s": null, "device_hours": null, "cost_run": null},
    {"index": 36, "plan": {"devices": 4, "data": 2, "tensor": 1, "pipeline": 2, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 1, "micro_batch": 1, "micro_batches": 4, "global_batch": 8, "schedule": "zb-h1", "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.018691229999799684, "memory_bytes": 862936000, "mfu": 0.39162751729439149, "tokens_per_s": 428008.21562228579, "bubble_share": 0.1103673332102796, "exposed_comm_s": 0.00048538597962285014, "device_s": 0.074764919999198737, "cost_step": 4.1536066666221517e-05, "run_s": null, "device_hours": null, "cost_run": null}
  ],
  "pareto_truncated": false,
  "missed": null,
  "illegal": null
}
$ nncost search dense fitted --threads 1 --devices 8 --global-batch 8 --tensor 3 --shard 2/3
dense on 8 x fitted, global batch 8
shard 2/3: 20448 combinations: 0 evaluated, 20448 illegal, too large or hopeless; 0 fit

no legal plan, --devices: expected a multiple of tensor x pipeline x context = 6, found 8

# A number is the plan's own --shard; both go together.
$ nncost search dense fitted --threads 1 --devices 4 --global-batch 8 --best 1 --zero 1 --set shard=2 --shard 2/2 --format csv | head -2 | cut -d, -f1-12
plan.devices,plan.data,plan.tensor,plan.pipeline,plan.virtual_stages,plan.context,plan.expert,plan.sequence_parallel,plan.zero,plan.micro_batch,plan.micro_batches,plan.global_batch
4,1,1,2,1,2,1,false,1,4,2,8

# Stopped by a signal it prints what was found; how far it came is not the same twice.
$ nncost search dense fitted --set layers=80 --set hidden=4096 --set head_dim=128 --set heads=32 --set kv_heads=32 --devices 1024 --global-batch 1536 --no-prune --threads 1 >out 2>err &
> sleep 0.4; kill -TERM $!; wait $!; echo "exit $?"; sed 's/[0-9][0-9.]*/N/g' err; grep -c 'interrupted: only' out
exit 143
nncost: search: interrupted after N of N combinations, N%; the best of these are shown
1

# What every search needs: devices and a batch.
$ nncost search dense round --threads 1 --devices 16
! nncost: --global-batch: missing, expected the number that every plan is for
[2]
$ nncost search dense round --threads 1 --global-batch 64
! nncost: --devices: missing, expected the number that every plan is for
[2]

# Budgets and deadlines: not an amount, not a time, without a run or a price.
$ nncost search dense round --devices 16 --global-batch 64 --tokens 1e9 --budget 1M
! nncost: --budget: not an amount, expected a number above 0 such as 2.5e6, found "1M"
[2]
$ nncost search dense round --devices 16 --global-batch 64 --budget 1e6
! nncost: --budget: is for the whole run, expected its length beside it, --tokens or --samples
[2]
$ nncost search dense old --devices 16 --global-batch 64 --tokens 1e9 --budget 5
! nncost: --budget: no price is recorded for old, expected --price beside it
[2]
$ nncost search dense round --devices 16 --global-batch 64 --tokens 1e9 --deadline soon
! nncost: --deadline: not a time, expected a number above 0 and one of us, ms, s, min, h, d, such as 2.5s or 30d, found "soon"
[2]
$ nncost search dense round --devices 16 --global-batch 64 --tokens 1e9 --deadline 3w
! nncost: --deadline: not a time, expected a number above 0 and one of us, ms, s, min, h, d, such as 2.5s or 30d, found "3w"
[2]
$ nncost search dense round --devices 16 --global-batch 64 --tokens 1e9 --deadline -3d
! nncost: --deadline: not a time, expected a number above 0 and one of us, ms, s, min, h, d, such as 2.5s or 30d, found "-3d"
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
! nncost: --target-step: not a time, expected a number above 0 and one of us, ms, s, min, h, d, such as 2.5s or 30d, found "fast"
[2]
$ nncost search dense round --devices 4 --global-batch 8 --shard 0/3
! nncost: --shard: expected I/N with I from 1 to N, found "0/3"
[2]
$ nncost search dense round --devices 4 --global-batch 8 --shard 1/3 --target-step 1s
! nncost: --target-step: is for the best plan of all, expected no --shard beside it
[2]

# Tensor parallelism is left out where the vocabulary does not divide.
$ nncost search dense fitted --set vocab=10001 --threads 1 --devices 2 --global-batch 4 --recompute none --best 1 | head -4
dense on 2 x fitted, global batch 4
4608 combinations: 92 evaluated, 4516 illegal, too large or hopeless; 92 fit

tensor parallelism is left out: a vocabulary of 10001 rows does not divide; --set vocab_multiple=1024 pads it

# No legal plan: what forbids the first.
$ nncost search dense round --threads 1 --devices 8 --global-batch 8 --tensor 16
! nncost: --devices: expected a multiple of tensor x pipeline x context = 16, found 8
[3]
