# A search over sizes: which number of devices to take. A size is shown by its best plan.

# Doubling from 8 to 64, with the run's time and cost.
$ nncost search dense fitted --threads 1 --devices 8..64 --global-batch 64 --tensor 1,2 --recompute none,full --tokens 300e9 --price 2
dense on 4 sizes of fitted, global batch 64
408576 combinations: 6807 evaluated, 401769 illegal, too large or hopeless; 6807 fit

devices     step        run run USD   memory tensor pipeline context SP ZeRO micro-batch schedule recomp..
      8 45.93 ms 2.492 days   956.9 2.821 GB      1        1       2 no    2          16 1f1b     none
     16 24.01 ms    31.27 h   1,001 1.611 GB      1        2       2 no    2           8 dualpipe none
     32 13.34 ms    17.37 h   1,111 865.9 MB      1        1       2 no    2           4 1f1b     none
     64 8.016 ms    10.44 h   1,336 563.5 MB      1        2       1 no    2           1 dualpipe none

fastest: 64 devices, 8.016 ms a step, 10.44 h for the run, run cost 1,336 USD
cheapest: 8 devices, 45.93 ms a step, 2.492 days for the run, run cost 956.9 USD

# Lists and steps, in the other formats.
$ nncost search dense fitted --threads 1 --devices 8..24+8 --global-batch 96 --recompute none --offload none --tensor 1
dense on 3 sizes of fitted, global batch 96
179712 combinations: 2924 evaluated, 176788 illegal, too large or hopeless; 2924 fit

devices     step  step USD   memory tensor pipeline context SP ZeRO micro-batch schedule recompute
      8 68.60 ms 0.0003049 4.030 GB      1        1       2 no    2          24 1f1b     none
     16 34.93 ms 0.0003105 2.216 GB      1        2       2 no    2          12 dualpipe none
     24 24.02 ms 0.0003203 1.486 GB      1        1       1 no    2           4 1f1b     none

fastest: 24 devices, 24.02 ms a step, step cost 0.0003203 USD
cheapest: 8 devices, 68.60 ms a step, step cost 0.0003049 USD
$ nncost search dense fitted --threads 1 --devices 8,16 --global-batch 64 --tensor 1,2 --recompute none --offload none --format csv
plan.devices,plan.data,plan.tensor,plan.pipeline,plan.virtual_stages,plan.context,plan.expert,plan.sequence_parallel,plan.zero,plan.micro_batch,plan.micro_batches,plan.global_batch,plan.schedule,plan.recompute,plan.offload,software,step_s,memory_bytes,mfu,tokens_per_s,bubble_share,exposed_comm_s,device_s,cost_step,run_s,device_hours,cost_run\r
8,4,1,1,1,2,1,false,2,16,1,64,1f1b,none,none,torch-compile,0.0459308079518,2820851500,0.637480621519,1393400.26561,0,0.000355979233422,0.367446463615,0.00020413692423,,,\r
16,4,1,2,1,2,1,false,2,8,2,64,dualpipe,none,none,torch-compile,0.0240139000002,1611251500,0.609646912824,2665123.11617,0,0.000355979233422,0.384222400004,0.000213456888891,,,\r
$ nncost search dense fitted --threads 1 --devices 8,24,32 --global-batch 96 --recompute none --offload none --tensor 1 --format markdown
dense on 3 sizes of fitted, global batch 96
179712 combinations: 2740 evaluated, 176972 illegal, too large or hopeless; 2740 fit

| devices | step | step USD | memory | MFU | data | tensor | pipeline | virtual | context | expert | SP | ZeRO | micro-batch | schedule | recompute | offload | bubble |
|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|:---|---:|---:|:---|:---|:---|---:|
| 8 | 68.60 ms | 0.0003049 | 4.030 GB | 64.0% | 4 | 1 | 1 | 1 | 2 | 1 | no | 2 | 24 | 1f1b | none | none | 0.0% |
| 24 | 24.02 ms | 0.0003203 | 1.486 GB | 60.9% | 24 | 1 | 1 | 1 | 1 | 1 | no | 2 | 4 | 1f1b | none | none | 0.0% |
| 32 | 18.54 ms | 0.0003296 | 1.168 GB | 59.2% | 16 | 1 | 1 | 1 | 2 | 1 | no | 2 | 6 | 1f1b | none | none | 0.0% |

fastest: 32 devices, 18.54 ms a step, step cost 0.0003296 USD
cheapest: 8 devices, 68.60 ms a step, step cost 0.0003049 USD
$ nncost search dense fitted --threads 1 --devices 8,12 --data 8 --global-batch 8 --tensor 1,2 --recompute none --offload none --format json | sed 's/"elapsed_s": .*/"elapsed_s": 0,/'
{
  "schema": "nncost.search/1",
  "space": 70656,
  "covered": 70656,
  "evaluated": 4,
  "pruned": 70652,
  "feasible": 4,
  "elapsed_s": 0,
  "threads": 1,
  "currency": "USD",
  "fastest": 8,
  "cheapest": 8,
  "sizes": [
    {"devices": 8, "space": 24576, "evaluated": 4, "feasible": 4, "best": {"plan": {"devices": 8, "data": 8, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 2, "micro_batch": 1, "micro_batches": 1, "global_batch": 8, "schedule": "1f1b", "recompute": "none", "offload": "none"}, "software": "torch-compile", "step_s": 0.00801304495509, "memory_bytes": 704055500, "mfu": 0.456755206106, "tokens_per_s": 998372.035205, "bubble_share": 0, "exposed_comm_s": 0.000355979233422, "device_s": 0.0641043596407, "cost_step": 3.56135331337e-5, "run_s": null, "device_hours": null, "cost_run": null}, "reason": null},
    {"devices": 12, "space": 46080, "evaluated": 0, "feasible": 0, "best": null, "reason": "disagrees with data x tensor x pipeline x context, expected 8, found 12"}
  ]
}

# A network of images with a deadline.
$ nncost search unet round --threads 1 --devices 8..32 --global-batch 256 --samples 1e8 --deadline 30d
unet on 3 sizes of round, global batch 256
1080 combinations: 600 evaluated, 480 illegal, too large or hopeless; 600 fit

no fitted efficiencies for this device: roofline times, real ones are longer and may rank otherwise

devices     step     run run USD   memory data tensor pipeline SP ZeRO micro-batch schedule recomp..
      8 8.681 ms  3391 s   7.535 796.9 MB    8      1        1 no    3          32 1f1b     none
     16 4.345 ms  1697 s   7.544 427.1 MB   16      1        1 no    3          16 1f1b     none
     32 2.178 ms 850.7 s   7.562 242.2 MB   32      1        1 no    3           8 1f1b     none

fastest: 32 devices, 2.178 ms a step, 850.7 s for the run, run cost 7.562 USD
cheapest: 8 devices, 8.681 ms a step, 3391 s for the run, run cost 7.535 USD

# The smallest size that keeps to a deadline and a budget; none does.
$ nncost search dense fitted --threads 1 --devices 8..64 --global-batch 64 --tensor 1,2 --recompute none,full --tokens 300e9 --deadline 2d --budget 2000
dense on 4 sizes of fitted, global batch 64
408576 combinations: 5001 evaluated, 403575 illegal, too large or hopeless; 450 fit

devices     step     run run USD   memory tensor pipeline context SP ZeRO micro-batch schedule recomp..
     16 24.01 ms 31.27 h   1,001 1.611 GB      1        2       2 no    2           8 dualpipe none
     32 13.34 ms 17.37 h   1,111 865.9 MB      1        1       2 no    2           4 1f1b     none
     64 8.016 ms 10.44 h   1,336 563.5 MB      1        2       1 no    2           1 dualpipe none

8 devices: misses the deadline or the budget, the fastest takes 45.93 ms a step, 2.492 days for the run, run cost 956.9 USD

fastest: 64 devices, 8.016 ms a step, 10.44 h for the run, run cost 1,336 USD
cheapest: 16 devices, 24.01 ms a step, 31.27 h for the run, run cost 1,001 USD
$ nncost search dense fitted --threads 1 --devices 8,16 --global-batch 64 --tensor 1,2 --recompute none,full --tokens 300e9 --deadline 1h
dense on 2 sizes of fitted, global batch 64
193536 combinations: 1926 evaluated, 191610 illegal, too large or hopeless; 0 fit

8 devices: misses the deadline or the budget, the fastest takes 45.93 ms a step, 2.492 days for the run, run cost 956.9 USD
16 devices: misses the deadline or the budget, the fastest takes 24.01 ms a step, 31.27 h for the run, run cost 1,001 USD
[1]

# Sizes that have no legal plan say why; all of them is an error.
$ nncost search dense fitted --threads 1 --devices 8,12,16 --global-batch 8 --tensor 1,2 --recompute none --offload none --data 8
dense on 3 sizes of fitted, global batch 8
101376 combinations: 28 evaluated, 101348 illegal, too large or hopeless; 28 fit

devices     step  step USD   memory tensor pipeline context SP ZeRO micro-batch schedule recompute
      8 8.013 ms 3.561e-05 704.1 MB      1        1       1 no    2           1 1f1b     none
     16 6.217 ms 5.526e-05 459.1 MB      1        1       2 no    2           1 1f1b     none

12 devices: no legal plan, --devices: disagrees with data x tensor x pipeline x context, expected 8, found 12

fastest: 16 devices, 6.217 ms a step, step cost 5.526e-05 USD
cheapest: 8 devices, 8.013 ms a step, step cost 3.561e-05 USD
$ nncost search dense round --threads 1 --devices 12,20 --global-batch 8 --tensor 1,2 --recompute none --offload none --data 8
! nncost: --devices: disagrees with data x tensor x pipeline x context, expected 8, found 12
[3]

# Without a price there is no cheapest.
$ nncost search dense old --threads 1 --devices 8,16 --global-batch 64 --recompute none --offload none --tensor 1
dense on 2 sizes of old, global batch 64
48384 combinations: 1001 evaluated, 47383 illegal, too large or hopeless; 1001 fit

no fitted efficiencies for this device: roofline times, real ones are longer and may rank otherwise

devices     step device-s   memory   MFU data tensor pipeline SP ZeRO micro-batch schedule recompute
      8 122.7 ms    0.982 891.5 MB 95.4%    8      1        1 no    1           1 1f1b     none
     16 61.56 ms    0.985 811.2 MB 95.1%   16      1        1 no    1           1 1f1b     none

fastest: 16 devices, 61.56 ms a step, device-s 0.985
cheapest: 8 devices, 122.7 ms a step, device-s 0.982
$ nncost search dense old --threads 1 --devices 8,16 --global-batch 64 --recompute none --offload none --tensor 1 --tokens 1e9 | tail -4
     16 61.56 ms 961.9 s        4.275 811.2 MB      1        1 no    1           1 1f1b     none

fastest: 16 devices, 61.56 ms a step, 961.9 s for the run, device-hours 4.275
cheapest: 8 devices, 122.7 ms a step, 1918 s for the run, device-hours 4.262

# --max-devices: whole nodes up to it, or a cap on the sizes given.
$ nncost search dense fitted --threads 1 --max-devices 40 --global-batch 64 --tensor 1,2 --recompute none --offload none
dense on 3 sizes of fitted, global batch 64
150528 combinations: 2319 evaluated, 148209 illegal, too large or hopeless; 2319 fit

devices     step  step USD   memory tensor pipeline context SP ZeRO micro-batch schedule recompute
      8 45.93 ms 0.0002041 2.821 GB      1        1       2 no    2          16 1f1b     none
     16 24.01 ms 0.0002135 1.611 GB      1        2       2 no    2           8 dualpipe none
     32 13.34 ms 0.0002371 865.9 MB      1        1       2 no    2           4 1f1b     none

fastest: 32 devices, 13.34 ms a step, step cost 0.0002371 USD
cheapest: 8 devices, 45.93 ms a step, step cost 0.0002041 USD
$ nncost search dense fitted --threads 1 --devices 8..64 --max-devices 20 --global-batch 64 --tensor 1,2 --recompute none,full
dense on 2 sizes of fitted, global batch 64
193536 combinations: 3194 evaluated, 190342 illegal, too large or hopeless; 3194 fit

devices     step  step USD   memory tensor pipeline context SP ZeRO micro-batch schedule recompute
      8 45.93 ms 0.0002041 2.821 GB      1        1       2 no    2          16 1f1b     none
     16 24.01 ms 0.0002135 1.611 GB      1        2       2 no    2           8 dualpipe none

fastest: 16 devices, 24.01 ms a step, step cost 0.0002135 USD
cheapest: 8 devices, 45.93 ms a step, step cost 0.0002041 USD
$ nncost search dense fitted --threads 1 --devices 64..256 --max-devices 20 --global-batch 64
! nncost: --max-devices: leaves no size of --devices, expected at least 64, found 20
[2]
$ nncost search dense fitted --threads 1 --devices 64 --max-devices 20 --global-batch 64
! nncost: --max-devices: leaves no size of --devices, expected at least 64, found 20
[2]
$ nncost search dense fitted --threads 1 --max-devices 4 --global-batch 64
! nncost: --max-devices: below one node, expected at least the 8 devices of one, or --devices, found 4
[2]
$ nncost search dense fitted --max-devices 0 --global-batch 64
! nncost: --max-devices: out of range, expected a whole number from 1 to 2147483647, found "0"
[2]

# Lists of sizes: no range, falling, a fraction, twice; a target is for one size.
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
! nncost: --target-step: is for one size, expected a single number of --devices
[2]
