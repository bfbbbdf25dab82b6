# 'nncost watch' compares the log of a run with its plan. The plan has a batch of 1 and 1,000 tokens on one device.

# Tests a step time inside the predicted limits, a slower one and a faster one. The first five steps of a log do not
# count.
$ for k in 1 2 3 4 5 6 7 8; do echo "completed step: $k, seconds: 0.010, TFLOP/s/device: 36.600, loss: 7"; done >ten.log
$ nncost watch ten.log dense fitted
watch     inside, ten.log, a log of MaxText, 8 readings, 5 of them warm-up
step      10.00 ms, 105.7% of the estimate of 9.457 ms
MFU       18.3%, as the program counts FLOPs; estimate 38.7%
limits    7.115 ms to 13.90 ms
$ sed '1,5s/0.010/9.000/; 6,$s/0.010/0.090/' ten.log | nncost watch - dense fitted --format csv | cut -d, -f1-7
log,program,verdict,lines,readings,skipped,step_s
standard input,MaxText,slower,8,8,5,0.09
! line 6: a step takes 90.00 ms, outside of its limits
$ sed 's/0.010/0.001/' ten.log >fast.log; nncost watch fast.log dense fitted | head -1
watch     faster, fast.log, a log of MaxText, 8 readings, 5 of them warm-up

# A log can have a progress bar, a second bar of an evaluation, and a bar of loading. In a log without a progress bar,
# nncost reads the mean step time of the run.
$ printf '\rLoading: 50%%|# | 1/2 [00:01<00:01,  9.00s/it]' >bar.log
$ for k in 1 8 9; do printf '\r %d%%|# | %d/100 [00:01<01:00,  2.00s/it]\r 10%%|# | 9/20 [00:01<01:00, 50.00it/s]' $k $k; done >>bar.log
$ nncost watch bar.log dense fitted --format json | grep -E 'program|readings|skipped|"step_s'
  "program": "HF Trainer",
  "readings": 3,
  "skipped": 1,
  "step_s": 2,
$ echo "{'train_runtime': 60.0, 'train_samples_per_second': 12.5, 'train_steps_per_second': 0.1}" >hf.log
$ nncost watch hf.log dense fitted --format json | grep -E 'program|"step_s'
  "program": "HF Trainer",
  "step_s": 0.08,

# Tests lines as the programs print them: the progress bar and the log line of NeMo, two versions of DeepSpeed, an old
# version of torchtitan without "tps", and the memory of MaxText. A log with a single line after the warm-up is enough.
# A progress bar that shows only the warm-up is enough if the log also has the mean step time of the run.
$ for k in 1 8 9; do printf '\rEpoch 0: :  47%%|##  | %d/15 [06:19<07:13, reduced_train_loss=11.50, global_step=%d.000, consumed_samples=12288.0, train_step_timing in s=49.50]' $k $k; done >nemo.log
$ nncost watch nemo.log dense fitted --format json | grep -E 'program|readings|"step_s'
  "program": "NeMo",
  "readings": 3,
  "step_s": 49.5,
$ printf 'Epoch 0:   1%%|#   | 795/77225 [9:07:58<878:01:48, 41.36s/it, loss=3.1, v_num=, reduced_train_loss=3.090, global_step=794.0, consumed_samples=1.63e+6]' >bar.log
$ nncost watch bar.log dense fitted --format json | grep -E 'program|readings|"step_s'
  "program": "NeMo",
  "readings": 1,
  "step_s": 41.36,
$ echo 'Training epoch 0, iteration 120/149 | lr: 3e-05 | consumed_samples: 121 | global_batch_size: 1 | global_step: 120 | reduced_train_loss: 1.233 | train_step_timing in s: 0.03146 | val_loss: 4.106' >nemo.log
$ nncost watch nemo.log dense fitted --format json | grep -E 'program|"step_s'
  "program": "NeMo",
  "step_s": 0.03146,
$ for k in 10 20; do echo "[2022-03-11 02:06:58,985] [INFO] [timer.py:189:stop] 0/$k, SamplesPerSec=80.0, MemAllocated=0.26GB, MaxMemAllocated=1.5GB"; done >old.log
$ nncost watch old.log dense fitted --format json | grep -E 'program|"step_s|memory_bytes'
  "program": "DeepSpeed",
  "step_s": 0.0125,
  "memory_bytes": 1610612736,
$ echo 'stdout: [2022-12-20 08:26:26,101] [INFO] [timer.py:197:stop] 0/17, RunningAvgSamplesPerSec=79.1, CurrSamplesPerSec=80.0, MemAllocated=1.75GB, MaxMemAllocated=2.6GB' >between.log
$ nncost watch between.log dense fitted --format json | grep -E 'program|"step_s|memory_bytes'
  "program": "DeepSpeed",
  "step_s": 0.0125,
  "memory_bytes": 2791728742.4,
$ printf 'Total memory size: 1.5 GB, Output size: 0.5 GB, Temp size: 1.0 GB\ncompleted step: 9, seconds: 0.010, TFLOP/s/device: 134.924, Tokens/s/device: 8672.758\n' >jax.log
$ nncost watch jax.log dense fitted --format json | grep -E 'program|"step_s|memory_bytes'
  "program": "MaxText",
  "step_s": 0.01,
  "memory_bytes": 1610612736,
$ echo "[rank0]: step: 20  loss: 7.1  memory: 1.50GiB(18.75%)  wps: 100,000  mfu: 40.00%" >old.log
$ nncost watch old.log dense fitted --format json | grep -E 'program|"step_s'
  "program": "torchtitan",
  "step_s": 0.01,
$ printf '\r  0%%|  | 1/3 [00:02<00:04,  2.00s/it]\r100%%|##| 3/3 [00:06<00:00,  2.00s/it]\n' >short.log
$ echo "{'train_runtime': '6.0', 'train_samples_per_second': '0.5', 'train_steps_per_second': '0.5'}" >>short.log
$ nncost watch short.log dense fitted --format json | grep -E 'program|"step_s'
  "program": "HF Trainer",
  "step_s": 2,

# The log reports 15 GiB of reserved memory, which is above the interval of the estimate.
$ for k in 1 7 8; do echo "step: $k  loss: 7.1  memory: 15.00GiB(18.75%)  tps: 100,000  tflops: 73.20  mfu: N/A"; done >memory.log
$ nncost watch memory.log dense fitted --format json | grep -E 'verdict|"step_s|memory|mfu'
  "log": "memory.log",
  "verdict": "more_memory",
  "step_s": 0.01,
  "memory_bytes": 16106127360,
  "memory_most_bytes": 1781892000,
  "mfu": 0.366,
  "predicted_mfu": 0.387025989525

# Tests a log with only warm-up steps, a log without steps, a missing file, and an estimate without an interval.
$ for k in 1 2 3 4 5 6 7 8; do echo "completed step: $k, seconds: 0.010, TFLOP/s/device: 36.600, loss: 7"; done >ten.log
$ head -3 ten.log | nncost watch - dense fitted
! nncost: -: expected steps after the first 5, found only 3 lines of the warm-up
[3]
$ echo "loss 3.1" | nncost watch - dense fitted
! nncost: -: expected lines of a program in the table of docs/measure.md, such as Megatron or HF Trainer, with the time of a step, found none in 1 lines
[3]
$ nncost watch none.log dense fitted
! nncost: none.log: cannot be opened: No such file or directory
[4]
$ nncost watch ten.log dense round
! nncost: round: the device has no fitted efficiencies, so the estimate has no interval
[3]
$ nncost watch ten.log dense .
! nncost: DEVICE: "." means the measured machine, or the GPU that nvidia-smi describes; found neither: 'python3 -m nncost.measure' writes a file of the machine
[3]
