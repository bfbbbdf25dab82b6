# 'nncost search' compares several numbers of devices (sizes). Each size has a row with its best plan.

# The sizes double from 8 to 64. Each row has the time and cost of the run.
$ nncost search dense fitted --threads 1 --devices 8..64 --global-batch 64 --tensor 1,2 --recompute none,full --tokens 300e9 --price 2
dense on 4 sizes of fitted, global batch 64
510720 combinations: 22592 legal, 22592 fit; 5691 evaluated; no other plan can be among the best

devices      step         run  run USD    kWh    memory    MFU  bubble  plan
      8  46.13 ms  2.503 days    961.1  240.3  2.821 GB  63.5%    0.0%  dp8 zero2 mb8
     16  24.14 ms     31.44 h    1,006  251.5  1.518 GB  60.6%    0.0%  dp16 zero2 mb4
     32  13.39 ms     17.44 h    1,116    279  865.9 MB  54.7%    0.0%  dp32 zero2 mb2
     64  8.065 ms     10.50 h    1,344  336.1  540.0 MB  45.4%    0.0%  dp64 zero2 mb1

fastest: 64 devices, 8.065 ms a step, 10.50 h for the run, run cost 1,344 USD
    nncost estimate dense fitted --global-batch 64 --tokens 300e9 --price 2 --devices 64 --zero 2 --micro-batch 1
cheapest: 8 devices, 46.13 ms a step, 2.503 days for the run, run cost 961.1 USD
    nncost estimate dense fitted --global-batch 64 --tokens 300e9 --price 2 --devices 8 --zero 2 --micro-batch 8

# Sizes are a list or a range with a step. Prints the result of a search in every format except the default one.
$ nncost search dense fitted --threads 1 --devices 8..24+8 --global-batch 96 --recompute none --offload none --tensor 1
dense on 3 sizes of fitted, global batch 96
224640 combinations: 5236 legal, 5236 fit; 2043 evaluated; no other plan can be among the best

devices      step   step USD    memory    MFU  bubble  plan
      8  68.90 ms  0.0003062  4.030 GB  63.7%    0.0%  dp8 zero2 mb12
     16  35.10 ms   0.000312  2.122 GB  62.6%    0.0%  dp16 zero2 mb6
     24  24.12 ms  0.0003216  1.486 GB  60.7%    0.0%  dp24 zero2 mb4

fastest: 24 devices, 24.12 ms a step, step cost 0.0003216 USD
    nncost estimate dense fitted --global-batch 96 --devices 24 --zero 2 --micro-batch 4
cheapest: 8 devices, 68.90 ms a step, step cost 0.0003062 USD
    nncost estimate dense fitted --global-batch 96 --devices 8 --zero 2 --micro-batch 12
$ nncost search dense fitted --threads 1 --devices 8,16 --global-batch 64 --tensor 1,2 --recompute none --offload none --format csv
plan.devices,plan.data,plan.tensor,plan.pipeline,plan.virtual_stages,plan.context,plan.expert,plan.sequence_parallel,plan.zero,plan.micro_batch,plan.micro_batches,plan.global_batch,plan.schedule,plan.ends_as_layers,plan.recompute,plan.offload,software,step_s,memory_bytes,mfu,tokens_per_s,bubble_share,exposed_comm_s,device_s,cost_step,run_s,device_hours,cost_run,goodput,energy_j,carbon_kg,command\r
8,8,1,1,1,1,1,false,2,8,1,64,1f1b,false,none,none,torch-compile,0.0461308964656,2820855500,0.634715608049,1387356.52033,0,0.000348506414827,0.369047171725,0.000205026206514,,,,,,,nncost estimate dense fitted --global-batch 64 --devices 8 --zero 2 --micro-batch 8\r
16,16,1,1,1,1,1,false,2,4,1,64,1f1b,false,none,none,torch-compile,0.0241434006598,1517537750,0.606376881463,2650827.89711,0,0.000498301668722,0.386294410557,0.000214608005865,,,,,,,nncost estimate dense fitted --global-batch 64 --devices 16 --zero 2 --micro-batch 4\r
$ nncost search dense fitted --threads 1 --devices 8,24,32 --global-batch 96 --recompute none --offload none --tensor 1 --format markdown
dense on 3 sizes of fitted, global batch 96
224640 combinations: 5016 legal, 5016 fit; 1992 evaluated; no other plan can be among the best

| devices | step | step USD | memory | MFU | bubble | plan |
|---:|---:|---:|---:|---:|---:|:---|
| 8 | 68.90 ms | 0.0003062 | 4.030 GB | 63.7% | 0.0% | dp8 zero2 mb12 |
| 24 | 24.12 ms | 0.0003216 | 1.486 GB | 60.7% | 0.0% | dp24 zero2 mb4 |
| 32 | 18.62 ms | 0.000331 | 1.168 GB | 59.0% | 0.0% | dp32 zero2 mb3 |

fastest: 32 devices, 18.62 ms a step, step cost 0.000331 USD
    nncost estimate dense fitted --global-batch 96 --devices 32 --zero 2 --micro-batch 3
cheapest: 8 devices, 68.90 ms a step, step cost 0.0003062 USD
    nncost estimate dense fitted --global-batch 96 --devices 8 --zero 2 --micro-batch 12
$ nncost search dense fitted --threads 1 --devices 8,12 --data 8 --global-batch 8 --tensor 1,2 --recompute none --offload none --format json | sed 's/"elapsed_s": .*/"elapsed_s": 0,/'
{
  "schema": "nncost.search/1",
  "space": 88320,
  "covered": 88320,
  "legal": 4,
  "feasible": 4,
  "evaluated": 4,
  "pruned": 88316,
  "elapsed_s": 0,
  "threads": 1,
  "currency": "USD",
  "fastest": 8,
  "cheapest": 8,
  "sizes": [
    {"devices": 8, "space": 30720, "legal": 4, "feasible": 4, "evaluated": 4, "best": {"plan": {"devices": 8, "data": 8, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 2, "micro_batch": 1, "micro_batches": 1, "global_batch": 8, "schedule": "1f1b", "ends_as_layers": false, "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.00804802786356, "memory_bytes": 704055500, "mfu": 0.454769797278, "tokens_per_s": 994032.343777, "bubble_share": 0, "exposed_comm_s": 0.000348506414827, "device_s": 0.0643842229085, "cost_step": 3.5769012727e-5, "run_s": null, "device_hours": null, "cost_run": null, "goodput": null, "energy_j": null, "carbon_kg": null, "command": "nncost estimate dense fitted --data 8 --global-batch 8 --devices 8 --zero 2 --micro-batch 1"}, "reason": null},
    {"devices": 12, "space": 57600, "legal": 0, "feasible": 0, "evaluated": 0, "best": null, "reason": "disagrees with data x tensor x pipeline x context, expected 8, found 12"}
  ]
}

# Searches sizes for a network of images, with a deadline.
$ nncost search unet round --threads 1 --devices 8..32 --global-batch 256 --samples 1e8 --deadline 30d
unet on 3 sizes of round, global batch 256
1080 combinations: 600 legal, 600 fit; 600 evaluated

no fitted efficiencies for this device: roofline times; real times are longer, and the order of
plans may differ

devices      step     run  run USD    kWh    memory    MFU  bubble  plan
      8  8.310 ms  3246 s    7.214  7.214  747.1 MB  75.4%    0.0%  dp8 zero3 mb32
     16  4.239 ms  1656 s    7.359  7.359  377.3 MB  73.9%    0.0%  dp16 zero3 mb16
     32  2.823 ms  1103 s    9.802  9.802  192.4 MB  55.5%    0.0%  dp32 zero3 mb8

fastest: 32 devices, 2.823 ms a step, 1103 s for the run, run cost 9.802 USD
    nncost estimate unet round --global-batch 256 --samples 1e8 --devices 32 --zero 3 --micro-batch 8
cheapest: 8 devices, 8.310 ms a step, 3246 s for the run, run cost 7.214 USD
    nncost estimate unet round --global-batch 256 --samples 1e8 --devices 8 --zero 3 --micro-batch 32

# Prints the sizes within a deadline and a budget. In the second search, no size meets the deadline.
$ nncost search dense fitted --threads 1 --devices 8..64 --global-batch 64 --tensor 1,2 --recompute none,full --tokens 300e9 --deadline 2d --budget 2000
dense on 4 sizes of fitted, global batch 64
510720 combinations: 22592 legal, 22592 fit; 3912 evaluated; no other plan can be among the best

devices      step      run  run USD    kWh    memory    MFU  bubble  plan
     16  24.14 ms  31.44 h    1,006  251.5  1.518 GB  60.6%    0.0%  dp16 zero2 mb4
     32  13.39 ms  17.44 h    1,116    279  865.9 MB  54.7%    0.0%  dp32 zero2 mb2
     64  8.065 ms  10.50 h    1,344  336.1  540.0 MB  45.4%    0.0%  dp64 zero2 mb1

8 devices: misses the deadline or the budget, the fastest takes 46.13 ms a step, 2.503 days for the
run, run cost 961.1 USD

fastest: 64 devices, 8.065 ms a step, 10.50 h for the run, run cost 1,344 USD
    nncost estimate dense fitted --global-batch 64 --tokens 300e9 --devices 64 --zero 2 --micro-batch 1
cheapest: 16 devices, 24.14 ms a step, 31.44 h for the run, run cost 1,006 USD
    nncost estimate dense fitted --global-batch 64 --tokens 300e9 --devices 16 --zero 2 --micro-batch 4
$ nncost search dense fitted --threads 1 --devices 8,16 --global-batch 64 --tensor 1,2 --recompute none,full --tokens 300e9 --deadline 1h
dense on 2 sizes of fitted, global batch 64
241920 combinations: 10608 legal, 10608 fit; 1504 evaluated; no other plan can be among the best

8 devices: misses the deadline or the budget, the fastest takes 46.13 ms a step, 2.503 days for the
run, run cost 961.1 USD
16 devices: misses the deadline or the budget, the fastest takes 24.14 ms a step, 31.44 h for the
run, run cost 1,006 USD
[1]

# A size without a legal plan is listed with the reason. If no size has a legal plan, the search is an error.
$ nncost search dense fitted --threads 1 --devices 8,12,16 --global-batch 8 --tensor 1,2 --recompute none --offload none --data 8
dense on 3 sizes of fitted, global batch 8
126720 combinations: 32 legal, 32 fit; 28 evaluated; no other plan can be among the best

devices      step   step USD    memory    MFU  bubble  plan
      8  8.048 ms  3.577e-05  704.1 MB  45.5%    0.0%  dp8 zero2 mb1
     16  6.781 ms  6.027e-05  459.1 MB  27.0%    0.0%  dp8 cp2 zero2 mb1

12 devices: no legal plan, --devices: disagrees with data x tensor x pipeline x context, expected 8,
found 12

fastest: 16 devices, 6.781 ms a step, step cost 6.027e-05 USD
    nncost estimate dense fitted --global-batch 8 --data 8 --devices 16 --context 2 --zero 2 --micro-batch 1
cheapest: 8 devices, 8.048 ms a step, step cost 3.577e-05 USD
    nncost estimate dense fitted --global-batch 8 --data 8 --devices 8 --zero 2 --micro-batch 1
$ nncost search dense round --threads 1 --devices 12,20 --global-batch 8 --tensor 1,2 --recompute none --offload none --data 8
! nncost: --devices: disagrees with data x tensor x pipeline x context, expected 8, found 12
[3]

# Without a price, sizes are compared by device-hours instead of cost.
$ nncost search dense old --threads 1 --devices 8,16 --global-batch 64 --recompute none --offload none --tensor 1
dense on 2 sizes of old, global batch 64
60480 combinations: 2096 legal, 2080 fit; 1049 evaluated; no other plan can be among the best

no fitted efficiencies for this device: roofline times; real times are longer, and the order of
plans may differ

devices      step  device-s    memory    MFU  bubble  plan
      8  122.7 ms    0.9819  891.5 MB  95.4%    0.0%  dp8 zero1 mb1
     16  61.55 ms    0.9849  811.2 MB  95.1%    0.0%  dp16 zero1 mb1

fastest: 16 devices, 61.55 ms a step, device-s 0.9849
    nncost estimate dense old --global-batch 64 --devices 16 --zero 1 --micro-batch 1
cheapest: 8 devices, 122.7 ms a step, device-s 0.9819
    nncost estimate dense old --global-batch 64 --devices 8 --zero 1 --micro-batch 1
$ nncost search dense old --threads 1 --devices 8,16 --global-batch 64 --recompute none --offload none --tensor 1 --tokens 1e9 | tail -4
fastest: 16 devices, 61.55 ms a step, 961.8 s for the run, device-hours 4.275
    nncost estimate dense old --global-batch 64 --tokens 1e9 --devices 16 --zero 1 --micro-batch 1
cheapest: 8 devices, 122.7 ms a step, 1918 s for the run, device-hours 4.262
    nncost estimate dense old --global-batch 64 --tokens 1e9 --devices 8 --zero 1 --micro-batch 1

# Without --devices, --max-devices tries whole nodes up to the given number of devices. With --devices, --max-devices
# limits the given sizes.
$ nncost search dense fitted --threads 1 --max-devices 40 --global-batch 64 --tensor 1,2 --recompute none --offload none
dense on 3 sizes of fitted, global batch 64
188160 combinations: 8512 legal, 8512 fit; 2038 evaluated; no other plan can be among the best

devices      step   step USD    memory    MFU  bubble  plan
      8  46.13 ms   0.000205  2.821 GB  63.5%    0.0%  dp8 zero2 mb8
     16  24.14 ms  0.0002146  1.518 GB  60.6%    0.0%  dp16 zero2 mb4
     32  13.39 ms  0.0002381  865.9 MB  54.7%    0.0%  dp32 zero2 mb2

fastest: 32 devices, 13.39 ms a step, step cost 0.0002381 USD
    nncost estimate dense fitted --global-batch 64 --devices 32 --zero 2 --micro-batch 2
cheapest: 8 devices, 46.13 ms a step, step cost 0.000205 USD
    nncost estimate dense fitted --global-batch 64 --devices 8 --zero 2 --micro-batch 8
$ nncost search dense fitted --threads 1 --devices 8..64 --max-devices 20 --global-batch 64 --tensor 1,2 --recompute none,full
dense on 2 sizes of fitted, global batch 64
241920 combinations: 10608 legal, 10608 fit; 2583 evaluated; no other plan can be among the best

devices      step   step USD    memory    MFU  bubble  plan
      8  46.13 ms   0.000205  2.821 GB  63.5%    0.0%  dp8 zero2 mb8
     16  24.14 ms  0.0002146  1.518 GB  60.6%    0.0%  dp16 zero2 mb4

fastest: 16 devices, 24.14 ms a step, step cost 0.0002146 USD
    nncost estimate dense fitted --global-batch 64 --devices 16 --zero 2 --micro-batch 4
cheapest: 8 devices, 46.13 ms a step, step cost 0.000205 USD
    nncost estimate dense fitted --global-batch 64 --devices 8 --zero 2 --micro-batch 8
$ nncost search dense fitted --threads 1 --devices 64..256 --max-devices 20 --global-batch 64
! nncost: --max-devices: below all numbers of --devices, expected at least 64, found 20
[2]
$ nncost search dense fitted --threads 1 --devices 64 --max-devices 20 --global-batch 64
! nncost: --max-devices: below all numbers of --devices, expected at least 64, found 20
[2]
$ nncost search dense fitted --threads 1 --max-devices 4 --global-batch 64
! nncost: --max-devices: below the number of devices of a node, expected at least 8, or --devices, found 4
[2]
$ nncost search dense fitted --max-devices 0 --global-batch 64
! nncost: --max-devices: out of range, expected a whole number from 1 to 2147483647, found "0"
[2]

# Tests wrong lists of sizes: not a range, a falling range, a fraction, and a size given twice. --target-step needs a
# single size.
$ nncost search dense fitted --threads 1 --devices 8..x --global-batch 64
! nncost: --devices: not a range, expected FIRST..LAST, FIRST..LAST+STEP or FIRST..LAST*FACTOR, found "8..x"
[2]
$ nncost search dense fitted --threads 1 --devices 64..8 --global-batch 64
! nncost: --devices: the range does not rise, found "64..8"
[2]
$ nncost search dense fitted --threads 1 --devices 8,8.5 --global-batch 64
! nncost: --devices: not a whole number, expected a whole number, found 8.5
[2]
$ nncost search dense fitted --threads 1 --devices 8,8 --global-batch 64
! nncost: --devices: "8" twice in the list "8,8"
[2]
$ nncost search dense fitted --threads 1 --devices 8..64 --global-batch 64 --tensor 1,2 --recompute none,full --target-step 1s
! nncost: --target-step: is for one number of devices, expected a single number in --devices
[2]
