# 'nncost scale' prints the best plan of every number of devices, its efficiency relative to the smallest number, the
# causes of the loss, and commands to copy.
$ nncost scale dense round --threads 1 --devices 1,8,64 --global-batch 64 --tokens 1T
dense on round, global batch 64; the best plan of each size

devices     step  tokens/s efficiency lost to                        run plan
      1 488.5 ms   131,014     100.0% -                       88.34 days dp1 mb1
      8 61.52 ms 1,040,266      99.3% data 0.7%               11.13 days dp8 zero1 mb1
     64 8.688 ms 7,366,099      87.8% data 11.6%, update 0.6%    37.71 h dp32 pp2 zero2 mb1 dualpipe
left out: run cost, memory, MFU (a width of 100, see COLUMNS)

efficiency is throughput per device relative to 1 device; a loss is a share of the device time of
its row
the efficiency is 90% or more up to 8 devices;
with 64 devices, the largest loss of device time comes from data collectives

    nncost estimate dense round --software torch-compile --global-batch 64 --tokens 1T --devices 1 --micro-batch 1
    nncost estimate dense round --software torch-compile --global-batch 64 --tokens 1T --devices 8 --zero 1 --micro-batch 1
    nncost estimate dense round --software torch-compile --global-batch 64 --tokens 1T --devices 64 --pipeline 2 --zero 2 --micro-batch 1 --schedule dualpipe

# At 80 columns, the output names the columns that are left out.
$ COLUMNS=80 nncost scale dense round --threads 1 --devices 1,8,64 --global-batch 64 --tokens 1T | head -7
dense on round, global batch 64; the best plan of each size

devices     step efficiency lost to                 plan
      1 488.5 ms     100.0% -                       dp1 mb1
      8 61.52 ms      99.3% data 0.7%               dp8 zero1 mb1
     64 8.688 ms      87.8% data 11.6%, update 0.6% dp32 pp2 zero2 mb1 dualpipe
left out: tokens/s, run, run cost, memory, MFU (a width of 80, see COLUMNS)

# The losses add up to 1 - efficiency.
$ nncost scale dense round --threads 1 --devices 8,64 --global-batch 64 -f csv | cut -d, -f1,5-16
devices,scaling_efficiency,lost.compute,lost.recompute,lost.update,lost.bubble,lost.host,lost.tensor,lost.context,lost.expert,lost.data,lost.pipeline,lost.offload
8,1,0,0,0,0,0,0,0,0,0,0,0
64,0.885122018763,0,0,0.00577846928475,0,0,0,0,0,0.109099511952,0,0

# A size without a legal plan has a row with the reason. The model counts images, and the output is Markdown.
$ nncost scale unet round --devices 1..4 --global-batch 2 --threads 1 -f markdown
unet on round, global batch 2; the best plan of each size

| devices | step | samples/s | efficiency | lost to | step cost | memory | MFU | plan |
|---:|---:|---:|---:|:---|:---|---:|---:|:---|
| 1 | 809.8 us | 2,470 | 100.0% | - | 2.25e-07 USD | 176.6 MB | 48.4% | dp1 mb2 |
| 2 | 477.6 us | 4,188 | 84.8% | data 14.0%, compute 1.3% | 2.653e-07 USD | 106.3 MB | 41.0% | dp2 zero3 mb1 |
| 4 | - | - | - | - | - | - | - | no plan is legal |

4 devices: no plan is legal: --global-batch less than one sequence per replica, expected at least 4 (micro_batch x data), or at least 2 times as many devices per replica (--tensor, --pipeline or --context; 'nncost search' tries them), found 2

efficiency is throughput per device relative to 1 device; a loss is a share of the device time of its row
the efficiency is 90% or more up to 1 device;
with 2 devices, the largest loss of device time comes from data collectives

    nncost estimate unet round --software torch-compile --global-batch 2 --devices 1 --micro-batch 2
    nncost estimate unet round --software torch-compile --global-batch 2 --devices 2 --zero 3 --micro-batch 1

# If no size has a plan that fits, the exit code is 1.
$ nncost scale dense round --threads 1 --max-memory 1000 --devices 1,2 --global-batch 4
dense on round, global batch 4; the best plan of each size

devices  step  samples/s  efficiency  lost to  memory  MFU  plan
      1     -          -           -  -             -    -  no plan fits
      2     -          -           -  -             -    -  no plan fits
[1]

# Without --devices and --global-batch, the sizes are 1, 8, 64 ... and the batch has about four million tokens. If
# 'nncost scale' chooses the batch, the output reports it.
$ nncost scale dense round --max-devices 9 --threads 1 | head -6
dense on round, global batch 4096 (chosen: about 4 million tokens); the best plan of each size

devices     step   tokens/s  efficiency  lost to  step cost       memory    MFU  plan
      1  31.06 s    131,868      100.0%  -        0.008628 USD  2.016 GB  96.5%  dp1 mb1
      8  3.883 s  1,054,816      100.0%  -        0.008629 USD  891.5 MB  96.5%  dp8 zero1 mb1


# For a plan file, the global batch is that of the plan file.
$ nncost init dense round --devices 8 --micro-batches 4 > plans.json
$ nncost scale plans.json --devices 8,16 --threads 1 | head -6
dense on round, global batch 32; the best plan of each size

devices      step   tokens/s  efficiency  lost to    step cost        memory    MFU  plan
      8  31.19 ms  1,025,890      100.0%  -          6.932e-05 USD  891.5 MB  93.9%  dp8 zero1 mb1
     16  16.02 ms  1,997,866       97.4%  data 2.6%  7.119e-05 USD  912.7 MB  91.4%  dp16 zero2 mb2


# Tests commands that are refused.
$ nncost scale dense round --devices 8 --global-batch 8
! nncost: --devices: a single number of devices, expected several numbers, such as 1,8,64 or 8..512
[2]
$ nncost scale dense round,old
! nncost: DEVICE: several devices, expected one device, found "round,old"; 'nncost search' compares several devices
[2]
$ nncost scale dense round --plans x.json
! nncost: --plans: is not an option of 'scale'
[2]
$ nncost scale dense round --devices 1,8 --global-batch 8 --shard 1/2
! nncost: --shard: 'scale' cannot be divided into shards; 'search' has this option
[2]
$ nncost scale dense round --devices 1,8 --global-batch 8 --warmup-s 100
! nncost: --warmup-s: has no effect here, expected together with --tokens or --samples
[2]
$ nncost scale dense round --devices 1,8 --global-batch 8 --warmup-s 100 --tokens 1e6 --threads 1 | head -3
dense on round, global batch 8; the best plan of each size

devices     step tokens/s efficiency lost to       run run cost     memory   MFU plan
$ nncost scale unet round
! nncost: --global-batch: missing, expected one batch for all plans
[2]
