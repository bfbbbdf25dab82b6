# 'nncost run' predicts a whole run: days, device-hours, cost, energy, carbon and losses.

# Without further options, the time of a run is the number of steps times the step time.
$ nncost run dense round --devices 16 --tokens 1T --price 2 | sed -n '/^run/,$p'
run         8.475 days, 3,254 device-hours, 62,500,000 steps of 11.72 ms, 1.000 T tokens,
            7.32e+20 FLOP

part            time   share
training  8.475 days  100.0%  Time of all steps of the run, as estimated.

goodput     100.00% (failures are not counted: the device file has no rate of failures, give
            --device-mtbf-s)
cost        6,509 USD, at 2 USD per device-hour, 0.006509 USD per million tokens
energy      3,254 kWh, 1.000 kW per device as rated, PUE 1

# Tests failures of devices, checkpoints to a storage with a given rate, evaluations, PUE and carbon intensity.
$ nncost run dense round --devices 16 --tokens 100B --price 2 --device-mtbf-s 1000h --storage-write-bytes-per-s 100MB/s --evaluate-every 1000 --evaluate-s 30s --pue 1.1 --carbon-g-per-kwh 400 --idle-w 100 --busy-w 500 | sed -n '/^run/,$p'
run         3.030 days, 1,163 device-hours, 6,250,000 steps of 11.72 ms, 100.0 G tokens,
            7.32e+19 FLOP

part               time  share
training        20.34 h  28.0%  Time of all steps of the run, as estimated.
checkpoints     424.3 s   0.2%  Time that training waits for checkpoints.
restarts        640.2 s   0.2%  Time of restarts and of lost work that is repeated.
evaluation   2.170 days  71.6%  Time of all evaluations of the run.

goodput     98.57%, a failure every 2.604 days, 1.163 failures in the run,
            645.0 s from a failure until training resumes
            1,000 device-hours per failure of any cause
checkpoint  1.499 GB, every 2588 s, training waits 14.99 s,
            durable after 14.99 s, loaded in 14.99 s
spares      3 for 2 nodes, enough during 99% of the time
cost        2,327 USD, at 2 USD per device-hour, 0.02327 USD per million tokens
energy      626.6 kWh, 489.6 W per device with its share of the node, PUE 1.1,
            1,280 kWh at the devices' rated power
carbon      0.2506 t CO2e, at 400 g/kWh, 0.5119 t at the devices' rated power

# Predicts a run of a network of images whose data loader is slower than the step.
$ nncost run unet round --samples 1e6 --micro-batch 4 --prepare-s 50ms --workers 2 --prepared-bytes 3MB --sample-bytes 100kB --input-bytes-per-s 1GB/s --price 2 | sed -n '/^run/,$p'
run         6.944 h, 6.944 device-hours, 250,000 steps of 100.0 ms, 1.000 M samples, 1.958e+16 FLOP

part         time  share
training  330.8 s   1.3%  Time of all steps of the run, as estimated.
input     6.853 h  98.7%  Time that training waits for input.

input       the step waits for its input, storage 400.0 us a step, workers 100.0 ms a step,
            link 1.200 ms a step
            needs 302.3 MB/s from storage, 152 workers per device,
            prefetch holds 48.00 MB per device
goodput     100.00% (failures are not counted: the device file has no rate of failures, give
            --device-mtbf-s)
cost        13.89 USD, at 2 USD per device-hour
energy      6.944 kWh, 1.000 kW per device as rated, PUE 1

# Predicts a run of 16,384 devices for 54 days without a model and a device; checkpoints are saved while training
# continues.
$ nncost run --devices 16384 --days 54 --device-mtbf-s 50677h --asynchronous --block-s 0.59 --save-s 51.06 --load-s 130 --checkpoint-bytes 5.67T --price 2
run         54.00 days, 21,233,664 device-hours

part               time  share
training     49.69 days  92.0%  Time of all steps of the run, as estimated.
checkpoints     6.138 h   0.5%  Time that training waits for checkpoints.
restarts     4.053 days   7.5%  Time of restarts and of lost work that is repeated.

goodput     92.02%, a failure every 3.093 h, 419 failures in the run,
            760.0 s from a failure until training resumes
            50,677 device-hours per failure of any cause
checkpoint  5.670 TB, every 114.6 s, training waits 590.0 ms,
            durable after 51.06 s, loaded in 130.0 s
spares      25 for 2,048 nodes, enough during 99% of the time
cost        42,467,328 USD, at 2 USD per device-hour
$ nncost run --devices 16384 --days 54 --device-mtbf-s 50677h --checkpoint-bytes 5.67T --storage-write-bytes-per-s 2TB/s --format csv | sed -n 1p
devices,nodes,steps,tokens,samples,flops,flops_per_token,step_s,fetch_s,prepare_s,transfer_s,input_s,input_wait_s,input_bound,input_bytes_per_s,workers_needed,prefetch_bytes,rollout_step_s,score_step_s,sync_step_s,outer_bytes,outer_s,device_mtbf_s,system_mtbf_s,survive_hour,stops,nodes_out,spares_needed,short_share,checkpoint_bytes,block_s,save_s,load_s,restart_s,young_s,interval_s,goodput,first_order,train_s,wait_s,rollout_s,score_s,sync_s,straggler_s,save_time_s,lost_s,evaluate_s,warmup_s,planned_s,sites_s,run_s,days,device_hours,price_per_device_hour,cost_devices,cost_storage,cost_egress,cost,cost_per_million_tokens,busy_share,power_w,energy_j,rated_energy_j,carbon_kg,rated_carbon_kg,embodied_carbon_kg\r

# Tests options that contradict each other.
$ nncost run dense round --tokens 1T --days 3
! nncost: --days: too many amounts of training, expected one of --tokens, --samples, --epochs with --dataset-size, --days or --device-hours, found 2 of them
[2]
$ nncost run dense round --epochs 3
! nncost: --epochs: expected both --epochs and --dataset-size, found only one of them
[2]
$ nncost run dense round --device-mtbf-s fast
! nncost: --device-mtbf-s: not a number, expected a number above 0 s, at most 1e12 s, found "fast"
[2]
$ nncost run dense
! nncost: DEVICE: missing, expected MODEL DEVICE or a plan file, found only "dense"
[2]

# --seller selects the prices of a seller, and --region selects the carbon intensity of a country. A region of a cloud
# selects both a price and a carbon intensity.
$ nncost run dense round --devices 16 --tokens 1T --seller corner --region toyland | sed -n '/^cost/,$p'
cost        13,017 EUR, at 4 EUR per device-hour (Corner box of 8, 2026-01),
            0.01302 EUR per million tokens
energy      3,254 kWh, 1.000 kW per device as rated, PUE 1
carbon      1.627 t CO2e, at 500 g/kWh (Toyland, 2025, location-based: Read from the meter),
            1.627 t at the devices' rated power
$ nncost run dense round --devices 16 --tokens 1T --seller Corner --region north | sed -n '/^cost/,$p'
cost        16,272 EUR, at 5 EUR per device-hour (Corner box of 8, north, 2026-01),
            0.01627 EUR per million tokens
energy      3,254 kWh, 1.000 kW per device as rated, PUE 1
carbon      0.3254 t CO2e, at 100 g/kWh (The north of Toyland, year not stated, location-based: Read
            from the meter), 0.3254 t at the devices' rated power

# A seller can reclaim spot capacity. The run counts reclaimed nodes only if --reclaim-per-month is given.
$ nncost run dense round --devices 16 --tokens 1T --seller corner --offer spot | sed -n '/^goodput/,/^cost/p'
goodput     100.00% (failures are not counted: the device file has no rate of failures, give
            --device-mtbf-s)
            spot price: stops by reclaimed nodes are not counted; --reclaim-per-month adds them
cost        3,254 EUR, at 1 EUR per device-hour (Corner box of 8, 2026-01),
$ nncost run dense round --devices 16 --tokens 1T --seller corner --offer spot --reclaim-per-month 0.15 | sed -n '/^goodput/,/^cost/p'
goodput     99.95%, a failure every 101.4 days, 0.08363 failures in the run,
            630.8 s from a failure until training resumes
checkpoint  1.499 GB, every 3667 s, training waits 767.7 ms,
            durable after 767.7 ms, loaded in 767.7 ms
spares      1 for 2 nodes, enough during 99% of the time
cost        3,256 EUR, at 1 EUR per device-hour (Corner box of 8, 2026-01),

# Tests an offer that the seller does not have, and an unknown seller.
$ nncost run dense round --tokens 1T --seller corner --offer reserved-1y
! nncost: --seller: corner has no price of round reserved-1y, expected one of on-demand, on-demand in north, spot
[2]
$ nncost estimate dense round --seller korner
! nncost: --seller: unknown seller, expected one of corner, nearest "corner", found "korner"
[3]
$ nncost estimate dense round --offer spot
! nncost: --offer: expected together with --seller, found no --seller
[2]
$ nncost run dense round --tokens 1T --region Tyland
! nncost: --region: expected a country, its ISO code or a cloud's region, nearest "Toyland", found "Tyland"
[3]

# A catalogue of prices needs a source for every price.
$ sed 's/, "source": "@shelf" }/ }/' toy/prices/corner.json >corner.json; nncost validate corner.json
! nncost: corner.json:7: prices[0].source: missing, expected in every entry, found nothing
! nncost: corner.json:8: prices[1].source: missing, expected in every entry, found nothing
! nncost: corner.json:9: prices[2].source: missing, expected in every entry, found nothing
[3]
$ nncost validate toy/prices/corner.json toy/grid/regions.json
toy/prices/corner.json: ok
toy/grid/regions.json: ok

# A training method such as GRPO adds the time to generate and score answers to the time of training. The cost per token
# includes the times to generate and score answers.
$ nncost run dense round --devices 2 --micro-batch 4 --seq-len 1000 --tokens 100M --price 2 --method grpo --prompt-tokens 200 --response-tokens 800 --rollout-tokens-per-s 10000 | sed -n '/^run/,$p'
run         4682 s, 2.601 device-hours, 12,500 steps of 374.5 ms, 100.0 M tokens, 1.464e+17 FLOP

part         time  share
training  422.6 s   9.0%  Time of all steps of the run, as estimated.
rollouts   4000 s  85.4%  Time that training waits for generated data.
scoring   259.0 s   5.5%  Scoring time of policy, reference, reward, critic and teacher.

method      grpo, generating 320.0 ms a step, scoring 20.72 ms, 1.464 GFLOP a token
            10,000 tokens/s per generating device
goodput     100.00% (failures are not counted: the device file has no rate of failures, give
            --device-mtbf-s)
cost        5.202 USD, at 2 USD per device-hour, 0.05202 USD per million tokens
energy      2.601 kWh, 1.000 kW per device as rated, PUE 1
$ nncost run dense round --devices 2 --micro-batch 4 --seq-len 1000 --tokens 100M --price 2 --method ppo --prompt-tokens 200 --rollout-tail 2 --update-epochs 2 --rollout-devices 1 | sed -n '/^part/,/^goodput/p'
part         time  share
training   1690 s   5.1%  Time of all steps of the run, as estimated.
rollouts  8.585 h  92.6%  Time that training waits for generated data.
scoring   518.1 s   1.6%  Scoring time of policy, reference, reward, critic and teacher.
weights   267.8 s   0.8%  Time to send new weights to the devices that generate answers.

method      ppo, generating 2.472 s a step, scoring 41.45 ms, new weights 21.42 ms,
            4.148 GFLOP a token
            5,177 tokens/s per generating device, answers at once on a replica of one device: 8
goodput     100.00% (failures are not counted: the device file has no rate of failures, give
$ nncost run dense round --devices 2 --micro-batch 4 --seq-len 1000 --tokens 100M --price 2 --method distill --teacher-params 1B | sed -n '/^part/,/^goodput/p'
part         time  share
training  422.6 s  25.9%  Time of all steps of the run, as estimated.
scoring    1209 s  74.1%  Scoring time of policy, reference, reward, critic and teacher.

method      distill, scoring 96.74 ms, 3.010 GFLOP a token
goodput     100.00% (failures are not counted: the device file has no rate of failures, give
$ nncost explain run.rollout_step_s,run.score_step_s,run.cost_per_million_tokens dense round --devices 2 --micro-batch 4 --seq-len 1000 --tokens 100M --price 2 --method grpo --rollout-tokens-per-s 10000 | tail -n +2
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
links     switch of 8 at 100.0 GB/s
plan      2 devices = data 2
          batch 8 = 1 micro-batch of 4 x data 2, sequence 1000, bf16, policy mixed, adamw,
          flash attention, recompute none, software torch-compile (chosen for this plan),
          mode predicted

run.rollout_step_s:

run.rollout_step_s
                  Time that training waits for generated tokens, per step.
                  = tokens_per_step * generated_share * rollout_tail / (rollout_tokens_per_s *
                  rollout_devices)
                  = 8000 * 1 * 1 / (10000 * 2)
                  = 0.4 s (400.0 ms)
  note            rollout_tail: longest answer over the mean; all ranks wait for it

run.score_step_s:

run.score_step_s  Time to score the tokens of one step: forward passes in addition to training.
                  = passes * forward_step_s
                  = 2 * 0.0103615413231
                  = 0.0207230826461 s (20.72 ms)
  where           forward_step_s 10.36 ms

passes            forward passes over every token, in units of the policy's size
                  = policy_again + reference + reward_model + critic + teacher
                  = 1 + 1 + 0 + 0 + 0
                  = 2

forward_step_s    backward_s includes recomputation
                  = (update_step_s - update_s) * forward_s / (forward_s + backward_s)
                  = (0.0338058727519 - 0.00321318) * 0.010272672 / (0.010272672 + 0.020057632)
                  = 0.0103615413231 s (10.36 ms)
  where           update_step_s 33.81 ms, update_s 3.213 ms, forward_s 10.27 ms,
                  backward_s 20.06 ms

run.cost_per_million_tokens:

run.cost_per_million_tokens
                  Price of the whole run per million training tokens.
                  = cost / tokens * 1e6
                  = 6.31290215831 / 100000000 * 1e6
                  = 0.0631290215831
$ nncost run dense round --devices 2 --tokens 100M --method distill
! nncost: --teacher-params: missing, expected the number of parameters of the teacher, found none
[2]
$ nncost run dense round --devices 2 --tokens 100M --method grpo --prompt-tokens 5000
! nncost: --response-tokens: missing, expected the length of answers, because a prompt of 5000 tokens fills the sequence
[2]
$ nncost run dense round --devices 2 --tokens 100M --method grpo --rollout-batch 1M
! nncost: --rollout-batch: more sequences than fit on 1 x round, expected at most 241
[2]
$ nncost run unet round --devices 2 --samples 100M --method dpo
! nncost: --method: is for models of tokens, expected train, found dpo
[2]

# --building selects the PUE of an operator. --embodied-kg adds the carbon of making the devices. Each value in the
# files needs a source, and values of the command line take precedence.
$ nncost run dense round --devices 16 --tokens 1T --building shed | grep -A1 '^energy'
energy      4,881 kWh, 1.000 kW per device as rated, PUE 1.5 (The shed in Toyland, 2025: Read from
            the meter)
$ nncost run dense round --devices 16 --tokens 1T --building shed --pue 1.2 | grep -A1 '^energy'
energy      3,905 kWh, 1.000 kW per device as rated, PUE 1.2
$ nncost run dense round --devices 16 --tokens 1T --building sched
! nncost: --building: expected an operator such as google or aws, nearest "shed", found "sched"
[3]
$ nncost run dense round --devices 16 --tokens 1T --carbon-g-per-kwh 100 --embodied-kg 300 --life-s 2190d --use-share 0.85 | grep -A9 '^carbon'
carbon      0.3254 t CO2e, at 100 g/kWh, 0.3254 t at the devices' rated power
            0.02185 t for making the devices, this run's share, of 300 kg each (as given)
$ sed 's/, "source": "@meter"//' toy/grid/buildings.json >buildings.json; nncost validate buildings.json toy/grid/buildings.json
! nncost: buildings.json:7: buildings[0].source: missing, expected in every entry, found nothing
[3]
$ sed 's/ "year": 2025,//' toy/grid/buildings.json >buildings.json; nncost validate buildings.json
! nncost: buildings.json:7: buildings[0].year: missing, expected a whole number from 1990 to 2100, found nothing
[3]

# If the plan does not fit, the output begins with the verdict "does not fit". The run of a plan that does not fit is
# shown only with --ignore-memory.
$ nncost run dense round --micro-batch 4096 --tokens 1T --price 2 | sed -n '/^step/,/^run/p'
step      31.06 s
memory    1.158 TB (1.05 TiB) of 10.00 GB (9.31 GiB), 11582.1%: DOES NOT FIT by 1.148 TB
would fit --micro-batch 16 --micro-batches 256, 6.552 GB, step 31.06 s

The run is not shown, because the plan does not fit; --ignore-memory shows it.
$ nncost run dense round --micro-batch 4096 --tokens 1T --price 2 --ignore-memory | tail -n 1
energy      2,106 kWh, 1.000 kW per device as rated, PUE 1

# If the plan does not fit, the exit code is 1, as in 'nncost estimate'.
$ nncost run dense round --micro-batch 64 --tokens 1B >run.txt; echo $?
1
$ nncost estimate dense round --micro-batch 64 >estimate.txt; echo $?
1
