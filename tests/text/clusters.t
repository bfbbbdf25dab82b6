# Tests estimates of a step on many devices.

# Combines tensor, pipeline and data parallelism with ZeRO 1. The 16 devices are two domains of 8, so collectives of
# data ranks use the network.
$ nncost estimate dense round --full --full --tensor 4 --pipeline 2 --data 2 --sequence-parallel --global-batch 16 --zero 1
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
links     switch of 8 at 100.0 GB/s, network 10.00 GB/s per device
plan      16 devices = data 2 x tensor 4 x pipeline 2, sequence parallel, ZeRO 1, 1f1b
          batch 16 = 8 micro-batches of 1 x data 2, sequence 1000, bf16, policy mixed, adamw,
          flash attention, recompute none, software torch-compile (chosen for this plan),
          mode predicted

step      17.16 ms, busiest stage 1 of 2
          open: --overlap -41 to +1% of the step
          lower bound for any software: 8.311 ms; without any overlap the step takes 20.37 ms
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  compute 43.8% of the step, network 41.2%,
          if compute took no time, the step would take 11.75 ms

part          time  share    group          time  share
forward   2.784 ms  16.2%    attention  2.529 ms  14.7%
backward  5.452 ms  31.8%    mlp        4.208 ms  24.5%
update    218.0 us   1.3%    norm       180.0 us   1.0%
exposed   7.064 ms  41.2%    head       1.200 ms   7.0%
bubble    1.644 ms   9.6%    loss       120.0 us   0.7%
                             optimizer  218.0 us   1.3%
                             network    7.064 ms  41.2%
                             bubble     1.644 ms   9.6%

network   tensor 6.290 ms exposed of 6.290 ms, data 263.9 us exposed of 292.7 us,
          pipeline 510.0 us exposed of 990.0 us
bubble    1.644 ms, 10.6% of the busy time, 9.6% of the step

rate      932,245 tokens/s, 932.2 samples/s, MFU 42.7%,
          HFU 42.7% of 100.0 TFLOP/s, FLOPs as in palm
          per device 58,265 tokens/s, 42.65 TFLOP/s
work      model 11.71 TFLOP, executed 11.07 TFLOP, 6ND 10.19 TFLOP,
          memory traffic 3.538 GB per device

memory           size  of device
weights      31.06 MB       0.3%
gradients    31.06 MB       0.3%
optimizer    93.19 MB       0.9%  states and master weights
activations  64.12 MB       0.6%  kept for backward
transient    4.000 MB       0.0%  gradients of activations
total     on the fullest stage 0: 223.4 MB (213.08 MiB) of 10.00 GB (9.31 GiB), 2.2%:
          fits, 9.777 GB free

cost      1 USD per device-hour (nowhere, 2020-01), 7.628e-05 USD per step of all 16 devices,
          0.004767 USD per million tokens

# Prints the same estimate as JSON, without its ops.
$ nncost estimate dense round --tensor 4 --pipeline 2 --data 2 --sequence-parallel --global-batch 16 --zero 1 --format json | sed '/"ops"/,$d'
{
  "schema": "nncost.estimate/1",
  "sentence": "One step of A small decoder takes 17.16 ms on 16 x A device of round figures and is bound by compute (43.8% of the time); it fits: 223.4 MB of 10.00 GB per device.",
  "model": {"id": "dense", "name": "A small decoder", "family": "decoder", "params": 107106000, "active_params": 107106000, "matmul_params": 106106000, "params_by_group": {"embedding": 11000000, "attention": 32032000, "mlp": 64040000, "norm": 34000}},
  "device": {"id": "round", "name": "A device of round figures", "peak_flops_per_s": 1e14, "mem_bytes": 10000000000, "mem_bytes_per_s": 1e12, "ridge_flops_per_byte": 100, "critical_tokens": 100, "critical_width": 2000, "fitted": false, "basis": "none"},
  "plan": {"devices": 16, "data": 2, "tensor": 4, "pipeline": 2, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": true, "zero": 1, "shard": 2, "reshard": true, "devices_per_node": 8, "schedule": "1f1b", "context_kind": "ring", "rank_order": "tensor-context-data-pipeline", "overlap": null, "capacity_factor": 0, "imbalance": 1, "micro_batch": 1, "micro_batches": 8, "global_batch": 16, "seq_len": 1000, "image": null, "precision": "bf16", "policy": "mixed", "optimizer": "adamw", "recompute": "none", "recompute_every": 1, "recompute_layers": 0, "offload": "none", "attention": "flash", "activations": "per-op", "software": "torch-compile", "software_chosen": true, "mode": "predicted", "overrides": null, "cluster": null, "ends_as_layers": false, "first_stage_layers": 0, "last_stage_layers": 0, "whole_experts": false, "train": "all", "train_layers": 0, "train_from": -1, "next_tokens": false, "adapter_rank": 0, "adapters": "linear", "dora": false, "oft": false, "frozen": "16bit", "fp8_inputs": false, "optimizer_rank": 16, "optimizer_kernels": "default", "flops_convention": "palm", "clip_gradients": true, "tokens": null, "samples": null, "price": null, "reserve_bytes": null},
  "work": {"forward_flops": 3.904e12, "backward_flops": 7.808e12, "recompute_flops": 0, "model_flops": 1.1712e13, "causal_flops": 1.0944768e13, "hardware_flops": 1.1712e13, "executed_flops": 1.1072896e13, "vector_flops": 30106240000, "six_nd_flops": 1.0186176e13, "flops_convention": "palm", "read_bytes": 2364016000, "write_bytes": 1173987000, "input_bytes": 64000, "tokens": 16000},
  "step": {"step_s": 0.0171628628759, "interval_s": [null, null], "lower_bound_s": 0.00831063, "upper_bound_s": 0.0203721129, "forward_s": 0.00278416, "backward_s": 0.0054524, "recompute_s": 0, "update_s": 0.000217995, "exposed_comm_s": 0.00706386778449, "bubble_s": 0.00164444009137, "host_s": 0, "exposed_comm": {"tensor": 0.00628992, "context": 0, "expert": 0, "data": 0.00026394778449, "pipeline": 0.00051, "offload": 0}, "communication": {"tensor": 0.00628992, "context": 0, "expert": 0, "data": 0.00029266, "pipeline": 0.00099, "offload": 0}, "bubble_ratio": 0.105966960316, "bubble_share": 0.0958138571207, "idle_share": 0.138782734729, "stage": 1, "bound": "compute", "next_bound": "network", "bound_s": {"compute": 0.00752056, "memory": 0.000933995, "network": 0.00706386778449, "host": 0, "bubble": 0.00164444009137}, "step_without_bound_s": 0.0117462422549, "advice": null, "kernels": null},
  "throughput": {"samples_per_s": 932.245401931, "tokens_per_s": 932245.401931, "tokens_per_s_per_device": 58265.3376207, "model_flops_per_s_per_device": 4.26502271384e13, "mfu": 0.426502271384, "causal_mfu": 0.398562876688, "hfu": 0.426502271384},
  "memory": {"stage": 0, "weight_bytes": 31062000, "gradient_bytes": 31062000, "optimizer_bytes": 93186000, "activation_bytes": 64116000, "transient_bytes": 4000000, "apart_bytes": 0, "reserve_bytes": 0, "total_bytes": 223426000, "capacity_bytes": 10000000000, "headroom_bytes": 9776574000, "total_interval_bytes": [223426000, 223426000], "peak_allocated_bytes": 223426048, "peak_reserved_bytes": 224395264, "context_bytes": 0, "static_bytes": 155310000, "transient_what": "gradients of activations", "fits": true, "fit": "fits", "advice": null, "stages": [{"weight_bytes": 31062000, "gradient_bytes": 31062000, "optimizer_bytes": 93186000, "activation_bytes": 64116000, "transient_bytes": 4000000, "apart_bytes": 0, "reserve_bytes": 0, "total_bytes": 223426000, "static_bytes": 155310000}, {"weight_bytes": 29066000, "gradient_bytes": 29066000, "optimizer_bytes": 87198000, "activation_bytes": 38050000, "transient_bytes": 7000000, "apart_bytes": 0, "reserve_bytes": 0, "total_bytes": 190380000, "static_bytes": 145330000}]},
  "cost": {"price_per_device_hour": 1, "currency": "USD", "step": 7.62793905594e-5, "per_million_tokens": 0.00476746190996, "per_thousand_samples": null, "run": null, "device_hours": null, "run_s": null, "energy_j": 274.605806014},
  "open_facts": [
    {"name": "overlap", "values": ["0", "0.5", "1"], "effect": -0.407721564757}
  ],

# In ideal mode, every collective overlaps with compute.
$ nncost estimate dense fitted --full --full --tensor 4 --pipeline 2 --data 2 --global-batch 16 --zero 1 --mode ideal --stages
model     dense, A small decoder, decoder, 107,106,000 parameters
device    fitted, A device of round efficiencies, 200.0 TFLOP/s bf16, 2.000 TB/s, ridge 100 FLOP/B
links     switch of 8 at 200.0 GB/s, network 20.00 GB/s per device
plan      16 devices = data 2 x tensor 4 x pipeline 2, ZeRO 1, 1f1b
          batch 16 = 8 micro-batches of 1 x data 2, sequence 1000, bf16, policy mixed, adamw,
          flash attention, recompute none, software torch-compile (chosen for this plan),
          mode ideal

step      4.155 ms, busiest stage 1 of 2
          lower bound for any software: 4.155 ms; without any overlap the step takes 7.648 ms
          ideal mode: all efficiencies are 1, fixed costs are 0, complete overlap of communication
bound by  compute 100.0% of the step, network 36.5%,
          if compute took no time, the step would take 1.515 ms

part          time  share    group          time  share
forward   1.240 ms  29.8%    attention  1.240 ms  29.8%
backward  2.520 ms  60.7%    mlp        1.920 ms  46.2%
bubble    395.0 us   9.5%    head       600.0 us  14.4%
                             bubble     395.0 us   9.5%

network   tensor 0 s exposed of 1.360 ms, data 0 s exposed of 145.3 us,
          pipeline 0 s exposed of 250.0 us
bubble    395.0 us, 10.5% of the busy time, 9.5% of the step

rate      3,850,490 tokens/s, 3,850 samples/s, MFU 88.1%,
          HFU 88.1% of 200.0 TFLOP/s, FLOPs as in palm
          per device 240,656 tokens/s, 176.2 TFLOP/s
work      model 11.71 TFLOP, executed 11.07 TFLOP, 6ND 10.19 TFLOP,
          memory traffic 4.366 GB per device

memory           size  of device
weights      31.06 MB       0.2%
gradients    31.06 MB       0.2%
optimizer    93.19 MB       0.5%  states and master weights
activations  112.2 MB       0.6%  kept for backward
transient    4.000 MB       0.0%  gradients of activations
total     on the fullest stage 0: 271.5 MB (258.96 MiB) of 20.00 GB (18.63 GiB), 1.4%:
          fits, 19.73 GB free

cost      2 USD per device-hour (here, 2022-02), 3.694e-05 USD per step of all 16 devices,
          0.002309 USD per million tokens

stage layers and        params  forward backward weight     busy   bubble in flight
    0      4 embedding 15.53 M 130.0 us 265.0 us      - 3.160 ms 995.0 us         2
    1      4 head      14.53 M 155.0 us 315.0 us      - 3.760 ms 395.0 us         1 busiest

stage  weights gradients optimizer activations transient not at once reserve    total of device fits
    0 31.06 MB  31.06 MB  93.19 MB    112.2 MB  4.000 MB         0 B     0 B 271.5 MB      1.4% yes
    1 29.07 MB  29.07 MB  87.20 MB    65.10 MB  7.000 MB         0 B     0 B 217.4 MB      1.1% yes

# Tests ZeRO 3 (FSDP) over all 16 ranks, then over the 8 ranks of a domain (HSDP), then without resharding (gathered
# weights stay after forward).
$ nncost estimate dense fitted --full --full --data 16 --zero 3 | sed -n '/^plan/,/^network/p'
plan      16 devices = data 16, ZeRO 3
          batch 16 = 1 micro-batch of 1 x data 16, sequence 1000, bf16, policy mixed, adamw,
          flash attention, recompute none, software torch-compile (chosen for this plan),
          mode predicted

step      14.32 ms, 90 % range 11.85 ms to 18.51 ms
          open: --overlap +0 to +52% of the step
          lower bound for any software: 3.460 ms; without any overlap the step takes 22.89 ms
bound by  network 47.1% of the step, compute 41.0%,
          if the network took no time, the step would take 7.570 ms

part          time  share    group          time  share
forward   2.542 ms  17.8%    embedding  56.02 us   0.4%
backward  4.866 ms  34.0%    attention  3.409 ms  23.8%
update    165.5 us   1.2%    mlp        2.997 ms  20.9%
exposed   6.747 ms  47.1%    norm       510.0 us   3.6%
                             head       356.4 us   2.5%
                             loss       80.00 us   0.6%
                             optimizer  165.5 us   1.2%
                             network    6.747 ms  47.1%

network   data 6.747 ms exposed of 14.16 ms
$ nncost estimate dense fitted --full --full --data 16 --zero 3 --shard 8 | sed -n '/^plan/,/^network/p'
plan      16 devices = data 16, ZeRO 3, sharded over 8 of 16 ranks
          batch 16 = 1 micro-batch of 1 x data 16, sequence 1000, bf16, policy mixed, adamw,
          flash attention, recompute none, software torch-compile (chosen for this plan),
          mode predicted

step      14.16 ms, 90 % range 11.71 ms to 18.30 ms
          open: --overlap +0 to +47%, --attention -2 to +4% of the step
          lower bound for any software: 3.460 ms; without any overlap the step takes 22.04 ms
bound by  network 45.6% of the step, compute 41.4%,
          if the network took no time, the step would take 7.695 ms

part          time  share    group          time  share
forward   2.542 ms  18.0%    embedding  56.02 us   0.4%
backward  4.866 ms  34.4%    attention  3.409 ms  24.1%
update    291.0 us   2.1%    mlp        2.997 ms  21.2%
exposed   6.455 ms  45.6%    norm       510.0 us   3.6%
                             head       356.4 us   2.5%
                             loss       80.00 us   0.6%
                             optimizer  291.0 us   2.1%
                             network    6.455 ms  45.6%

network   data 6.455 ms exposed of 13.17 ms
$ nncost estimate dense fitted --full --full --data 16 --zero 3 --shard 8 --reshard=off | sed -n '/^plan/,/^network/p'
plan      16 devices = data 16, ZeRO 3 without resharding, sharded over 8 of 16 ranks
          batch 16 = 1 micro-batch of 1 x data 16, sequence 1000, bf16, policy mixed, adamw,
          flash attention, recompute none, software torch-compile (chosen for this plan),
          mode predicted

step      11.56 ms, 90 % range 9.559 ms to 14.94 ms
          open: --overlap +0 to +53%, --attention -2 to +6% of the step
          lower bound for any software: 3.460 ms; without any overlap the step takes 18.84 ms
bound by  compute 50.8% of the step, network 33.4%,
          if compute took no time, the step would take 10.41 ms

part          time  share    group          time  share
forward   2.542 ms  22.0%    embedding  56.02 us   0.5%
backward  4.866 ms  42.1%    attention  3.409 ms  29.5%
update    291.0 us   2.5%    mlp        2.997 ms  25.9%
exposed   3.856 ms  33.4%    norm       510.0 us   4.4%
                             head       356.4 us   3.1%
                             loss       80.00 us   0.7%
                             optimizer  291.0 us   2.5%
                             network    3.856 ms  33.4%

network   data 3.856 ms exposed of 9.972 ms

# With --overlap 0.5, half of the communication that can overlap does overlap. With --overlap 0, all communication is
# exposed. A software profile can also state less overlap.
$ for o in 1 0.5 0; do nncost estimate --full dense round --data 16 --overlap $o | grep '^network'; done
network   data 919.8 us exposed of 5.321 ms
network   data 3.120 ms exposed of 5.321 ms
network   data 5.321 ms exposed of 5.321 ms
$ nncost estimate --full dense round --data 16 --software eager | grep -e '^network' -e '^host'
host      34.32 us   0.2%    head       600.0 us   2.7%
network   data 2.986 ms exposed of 5.321 ms

# Optimizer states, activations or weights are stored in host memory (--offload).
$ nncost estimate dense round --full --full --data 8 --zero 2 --offload optimizer | sed -n '/^step/,$p'
step      138.3 ms
          open: --overlap +0 to +2% of the step
          lower bound for any software: 42.84 ms; without any overlap the step takes 143.5 ms
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  network 94.5% of the step, compute 5.0%,
          if the network took no time, the step would take 7.609 ms

part          time  share    group          time  share
forward   2.568 ms   1.9%    embedding  16.02 us   0.0%
backward  5.014 ms   3.6%    attention  2.529 ms   1.8%
update    26.78 us   0.0%    mlp        4.208 ms   3.0%
exposed   130.7 ms  94.5%    norm       170.0 us   0.1%
                             head       600.0 us   0.4%
                             loss       60.00 us   0.0%
                             optimizer  26.78 us   0.0%
                             network    130.7 ms  94.5%

network   data 460.5 us exposed of 3.763 ms, offload 130.2 ms exposed of 130.3 ms

rate      57,858 tokens/s, 57.86 samples/s, MFU 5.3%, HFU 5.3% of 100.0 TFLOP/s, FLOPs as in palm
          per device 7,232 tokens/s, 5.294 TFLOP/s
work      model 5.856 TFLOP, executed 5.536 TFLOP, 6ND 5.093 TFLOP,
          memory traffic 2.352 GB per device

memory           size  of device
weights      214.2 MB       2.1%
gradients    26.78 MB       0.3%
activations  280.4 MB       2.8%  kept for backward
transient    22.00 MB       0.2%  gradients of activations
total     543.4 MB (518.22 MiB) of 10.00 GB (9.31 GiB), 5.4%: fits, 9.457 GB free

cost      1 USD per device-hour (nowhere, 2020-01), 0.0003073 USD per step of all 8 devices,
          0.03841 USD per million tokens
$ nncost estimate dense round --full --full --micro-batch 4 --offload activations | sed -n '/^step/,/^bound/p; /^network/,/^total/p'
step      211.1 ms
          lower bound for any software: 205.1 ms; without any overlap the step takes 244.0 ms
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  network 84.1% of the step, compute 13.1%,
network   offload 177.5 ms exposed of 205.1 ms

rate      18,952 tokens/s, 18.95 samples/s, MFU 13.9%, HFU 13.9% of 100.0 TFLOP/s, FLOPs as in palm
work      model 2.928 TFLOP, executed 2.768 TFLOP, 6ND 2.547 TFLOP, memory traffic 10.60 GB

memory           size  of device
weights      214.2 MB       2.1%
gradients    214.2 MB       2.1%
optimizer    1.285 GB      12.9%  states and master weights
activations  352.5 MB       3.5%  kept for backward
transient    88.00 MB       0.9%  gradients of activations
total     2.154 GB (2.01 GiB) of 10.00 GB (9.31 GiB), 21.5%: fits, 7.846 GB free
$ nncost estimate dense round --full --full --data 8 --zero 3 --offload weights | sed -n '/^step/,/^bound/p; /^network/,/^total/p'
step      9.294 ms
          open: --overlap +0 to +106% of the step
          lower bound for any software: 6.921 ms; without any overlap the step takes 20.97 ms
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  compute 74.5% of the step, network 14.1%,
network   data 1.234 ms exposed of 5.833 ms, offload 75.50 us exposed of 5.355 ms

rate      860,781 tokens/s, 860.8 samples/s, MFU 78.8%,
          HFU 78.8% of 100.0 TFLOP/s, FLOPs as in palm
          per device 107,598 tokens/s, 78.76 TFLOP/s
work      model 5.856 TFLOP, executed 5.536 TFLOP, 6ND 5.093 TFLOP,
          memory traffic 2.727 GB per device

memory           size  of device
gradients    26.78 MB       0.3%
optimizer    160.7 MB       1.6%  states and master weights
activations  280.4 MB       2.8%  kept for backward
transient    94.08 MB       0.9%  gathered weights
total     561.9 MB (535.89 MiB) of 10.00 GB (9.31 GiB), 5.6%: fits, 9.438 GB free

# The experts of the model are divided over 8 devices. With --imbalance 1.1, the busiest expert rank has 10 % more
# tokens than the mean. With --capacity-factor, tokens above the capacity are dropped.
$ nncost estimate experts round --full --full --devices 16 --expert 8 --zero 1 --micro-batch 2 --global-batch 32
model     experts, A small mixture of experts, decoder, 125,641,000 parameters,
          53,641,000 active per token
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
links     switch of 8 at 100.0 GB/s, network 10.00 GB/s per device
plan      16 devices = data 16, expert 8, ZeRO 1
          batch 32 = 1 micro-batch of 2 x data 16, sequence 1000, bf16, policy mixed, adamw,
          flash attention, recompute none, software torch-compile (chosen for this plan),
          mode predicted

step      11.34 ms
          open: --overlap -11 to +8% of the step
          lower bound for any software: 5.684 ms; without any overlap the step takes 13.51 ms
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  compute 50.1% of the step, network 38.8%,
          if compute took no time, the step would take 6.806 ms

part          time  share    group          time  share
forward   2.303 ms  20.3%    embedding  20.03 us   0.2%
backward  4.400 ms  38.8%    attention  1.725 ms  15.2%
update    235.6 us   2.1%    mlp        3.457 ms  30.5%
exposed   4.399 ms  38.8%    norm       180.0 us   1.6%
                             head       1.200 ms  10.6%
                             loss       120.0 us   1.1%
                             optimizer  235.6 us   2.1%
                             network    4.399 ms  38.8%

network   expert 1.232 ms exposed of 1.232 ms, data 3.167 ms exposed of 4.109 ms

rate      2,822,583 tokens/s, 2,823 samples/s, MFU 53.0%,
          HFU 53.0% of 100.0 TFLOP/s, FLOPs as in palm
          per device 176,411 tokens/s, 52.96 TFLOP/s
work      model 9.606 TFLOP, executed 9.095 TFLOP, 6ND 8.379 TFLOP,
          memory traffic 2.386 GB per device

memory           size  of device
weights      83.28 MB       0.8%
gradients    83.28 MB       0.8%
optimizer    94.23 MB       0.9%  states and master weights
activations  310.9 MB       3.1%  kept for backward
transient    44.00 MB       0.4%  gradients of activations
total     615.7 MB (587.15 MiB) of 10.00 GB (9.31 GiB), 6.2%: fits, 9.384 GB free

cost      1 USD per device-hour (nowhere, 2020-01), 5.039e-05 USD per step of all 16 devices,
          0.001575 USD per million tokens
$ nncost estimate experts round --full --full --devices 16 --expert 8 --zero 1 --global-batch 32 --capacity-factor 1.25 --imbalance 1.1 | grep -e '^step' -e '^network'
step      13.06 ms
network   expert 1.766 ms exposed of 1.766 ms, data 3.167 ms exposed of 4.109 ms

# Tests the three kinds of context parallelism: ring, all-gather and Ulysses.
$ for k in ring all-gather ulysses; do nncost estimate experts round --full --full --devices 8 --context 4 --context-kind $k --seq-len 8000 --global-batch 2 | grep -e '^step' -e '^network'; done
step      14.97 ms
network   context 0 s exposed of 1.560 ms, data 925.6 us exposed of 4.425 ms
step      15.72 ms
network   context 1.188 ms exposed of 1.188 ms, data 925.6 us exposed of 4.425 ms
step      15.16 ms
network   context 624.0 us exposed of 624.0 us, data 925.6 us exposed of 4.425 ms
$ nncost estimate experts round --full --full --devices 32 --tensor 2 --context 2 --expert 4 --context-kind ulysses --zero 1 --global-batch 32 | sed -n '/^plan/,/^network/p'
plan      32 devices = data 8 x tensor 2 x context 2, expert 4, context by ulysses, ZeRO 1
          batch 32 = 4 micro-batches of 1 x data 8, sequence 1000, bf16, policy mixed, adamw,
          flash attention, recompute none, software torch-compile (chosen for this plan),
          mode predicted

step      11.23 ms
          open: --overlap -19 to +1%, --sequence-parallel -1 to +0% of the step
          lower bound for any software: 4.713 ms; without any overlap the step takes 12.68 ms
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  network 66.6% of the step, compute 25.3%,
          if the network took no time, the step would take 3.754 ms

part          time  share    group          time  share
forward   1.280 ms  11.4%    embedding  20.03 us   0.2%
backward  2.357 ms  21.0%    attention  886.6 us   7.9%
update    117.8 us   1.0%    mlp        1.890 ms  16.8%
exposed   7.474 ms  66.6%    norm       180.0 us   1.6%
                             head       600.0 us   5.3%
                             loss       60.00 us   0.5%
                             optimizer  117.8 us   1.0%
                             network    7.474 ms  66.6%

network   tensor 888.2 us exposed of 888.2 us, context 256.0 us exposed of 256.0 us,

# Tests links that form a torus, and links without a torus.
$ nncost estimate experts old --full --full --data 8 --expert 8 --zero 1 | sed -n '/^links/,/^network/p'
links     torus of 16 at 25.00 GB/s
plan      8 devices = data 8, expert 8, ZeRO 1
          batch 8 = 1 micro-batch of 1 x data 8, sequence 1000, fp16, policy mixed, adamw,
          flash attention, recompute none, software torch-compile (chosen for this plan),
          mode predicted

step      9.537 ms
          open: --overlap -13 to +8% of the step
          lower bound for any software: 5.684 ms; without any overlap the step takes 11.70 ms
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  compute 59.6% of the step, memory 20.6%,
          if compute took no time, the step would take 5.175 ms

part          time  share    group          time  share
forward   2.303 ms  24.1%    embedding  20.03 us   0.2%
backward  4.400 ms  46.1%    attention  1.725 ms  18.1%
update    942.3 us   9.9%    mlp        3.457 ms  36.3%
exposed   1.892 ms  19.8%    norm       180.0 us   1.9%
                             head       1.200 ms  12.6%
                             loss       120.0 us   1.3%
                             optimizer  942.3 us   9.9%
                             network    1.892 ms  19.8%

network   expert 1.280 ms exposed of 1.280 ms, data 611.7 us exposed of 1.383 ms
$ nncost estimate dense old --full --full --data 4 --tensor 4 --zero 1 | sed -n '/^links/,/^network/p'
links     torus of 16 at 25.00 GB/s
plan      16 devices = data 4 x tensor 4, ZeRO 1
          batch 4 = 1 micro-batch of 1 x data 4, sequence 1000, fp16, policy mixed, adamw,
          flash attention, recompute none, software torch-compile (chosen for this plan),
          mode predicted

step      7.466 ms
          open: --overlap -25 to +12%, --sequence-parallel +0 to +1% of the step
          lower bound for any software: 3.694 ms; without any overlap the step takes 9.534 ms
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  compute 46.3% of the step, network 38.0%,
          if compute took no time, the step would take 5.185 ms

part          time  share    group          time  share
forward   1.494 ms  20.0%    embedding  32.03 us   0.4%
backward  2.720 ms  36.4%    attention  1.336 ms  17.9%
update    413.5 us   5.5%    mlp        2.176 ms  29.1%
exposed   2.838 ms  38.0%    norm       340.0 us   4.6%
                             head       300.0 us   4.0%
                             loss       30.00 us   0.4%
                             optimizer  413.5 us   5.5%
                             network    2.838 ms  38.0%

network   tensor 2.052 ms exposed of 2.052 ms, data 786.4 us exposed of 1.654 ms
$ for k in mesh ring pcie none; do nncost estimate dense round --full --full --data 8 --tensor 2 --set scale_up.kind=$k | grep -e '^links' -e '^network'; done
links     mesh of 8 at 100.0 GB/s, network 10.00 GB/s per device
network   tensor 4.835 ms exposed of 4.835 ms, data 2.919 ms exposed of 4.872 ms
links     ring of 8 at 100.0 GB/s, network 10.00 GB/s per device
network   tensor 1.366 ms exposed of 1.366 ms, data 4.015 ms exposed of 5.969 ms
links     pcie of 8 at 100.0 GB/s, network 10.00 GB/s per device
network   tensor 754.1 us exposed of 754.1 us, data 2.399 ms exposed of 4.352 ms
links     network 10.00 GB/s per device
network   tensor 7.541 ms exposed of 7.541 ms, data 17.11 ms exposed of 19.07 ms
$ nncost estimate dense fitted --full --full --data 8 --set scale_up.reduces_in_switch=false | grep -e '^links' -e '^network'
links     switch of 8 at 200.0 GB/s
network   data 326.7 us exposed of 2.669 ms

# The order of ranks (--rank-order) decides which ranks of a group are in the same domain.
$ for r in tensor-context-data-pipeline tensor-pipeline-context-data; do nncost estimate --full dense round --devices 32 --tensor 2 --pipeline 4 --global-batch 32 --rank-order $r | grep '^network'; done
network   tensor 1.633 ms exposed of 1.633 ms, data 397.8 us exposed of 516.6 us,
network   tensor 1.633 ms exposed of 1.633 ms, data 4.931 ms exposed of 5.166 ms,

# A cluster file of the user has nodes of 4 devices, two network adapters per node, and a network with half of the full
# bandwidth.
$ nncost estimate dense round --full --full --cluster toy/clusters/pod.json --devices 16 --tensor 4 --zero 3 --global-batch 16
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
links     toy/clusters/pod.json, switch of 4 at 50.00 GB/s, network 10.00 GB/s per device,
          oversubscribed 2 to 1
plan      16 devices = data 4 x tensor 4, ZeRO 3
          batch 16 = 4 micro-batches of 1 x data 4, sequence 1000, bf16, policy mixed, adamw,
          flash attention, recompute none, software torch-compile (chosen for this plan),
          mode predicted

step      103.7 ms
          open: --overlap -0 to +16% of the step
          lower bound for any software: 99.23 ms; without any overlap the step takes 123.2 ms
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  network 91.7% of the step, compute 6.7%,
          if the network took no time, the step would take 8.635 ms

part          time  share    group          time  share
forward   2.988 ms   2.9%    embedding  64.06 us   0.1%
backward  5.440 ms   5.2%    attention  2.673 ms   2.6%
update    206.7 us   0.2%    mlp        4.352 ms   4.2%
exposed   95.05 ms  91.7%    norm       680.0 us   0.7%
                             head       600.0 us   0.6%
                             loss       60.00 us   0.1%
                             optimizer  206.7 us   0.2%
                             network    95.05 ms  91.7%

network   tensor 9.026 ms exposed of 9.026 ms, data 86.02 ms exposed of 102.8 ms

rate      154,315 tokens/s, 154.3 samples/s, MFU 7.1%, HFU 7.1% of 100.0 TFLOP/s, FLOPs as in palm
          per device 9,645 tokens/s, 7.060 TFLOP/s
work      model 11.71 TFLOP, executed 11.07 TFLOP, 6ND 10.19 TFLOP,
          memory traffic 4.131 GB per device

memory           size  of device
weights      13.78 MB       0.1%
gradients    13.78 MB       0.1%
optimizer    82.69 MB       0.8%  states and master weights
activations  121.2 MB       1.2%  kept for backward
transient    28.00 MB       0.3%  gathered weights
total     259.5 MB (247.45 MiB) of 10.00 GB (9.31 GiB), 2.6%: fits, 9.741 GB free

cost      1 USD per device-hour (nowhere, 2020-01), 0.0004608 USD per step of all 16 devices,
          0.0288 USD per million tokens
$ nncost estimate dense round --full --full --devices 16 --tensor 4 --devices-per-node 4 --zero 3 --global-batch 16 | grep -e '^links' -e '^network'
links     switch of 4 at 100.0 GB/s, network 10.00 GB/s per device
network   tensor 4.945 ms exposed of 4.945 ms, data 40.37 ms exposed of 53.22 ms

# With this cluster file, the network bounds the step, in ideal mode as well.
$ nncost estimate dense fitted --full --full --devices 32 --data 32 --zero 3 --mode ideal | grep '^bound'
bound by  compute 100.0% of the step, network 87.1%,

# For a plan that does not fit, the output lists changes with which the plan fits, or reports that no tried change is
# enough.
$ nncost estimate dense round --full --full --set layers=80 --devices 8 --tensor 2 --global-batch 64 --micro-batch 16 | tail -8
total     33.85 GB (31.52 GiB) of 10.00 GB (9.31 GiB), 338.5%: over by 23.85 GB,
          at least 3.840 GB with --recompute full --zero 3 --sequence-parallel
would fit --micro-batch 4 --micro-batches 4 --zero 1, 9.922 GB, step 687.6 ms
          --micro-batch 1 --micro-batches 16, 9.417 GB, step 706.3 ms
          --recompute full --zero 1, 6.640 GB, step 934.3 ms

cost      1 USD per device-hour (nowhere, 2020-01), 0.001548 USD per step of all 8 devices,
          0.02419 USD per million tokens
$ nncost estimate dense round --full --full --set layers=8000 --devices 2 --global-batch 2 | tail -8
optimizer    1.153 TB   11533.8%  states and master weights
activations  256.4 GB    2564.1%  kept for backward
transient    22.00 MB       0.2%  gradients of activations
total     1.794 TB (1.63 TiB) of 10.00 GB (9.31 GiB), 17942.7%: DOES NOT FIT by 1.784 TB
would fit --zero 3 --lora 16 --offload optimizer,activations,weights, 2.462 GB, step 82.38 s

cost      1 USD per device-hour (nowhere, 2020-01), 0.005434 USD per step of all 2 devices,
          2.717 USD per million tokens

# If a plan uses a link that the device file does not describe, the error names the missing field.
$ nncost estimate dense old --data 32
! nncost: toy/hw/old.json: scale_out.bytes_per_s: missing, expected a value, because a group of 32 ranks uses this link, found nothing
[3]
$ nncost estimate dense old --data 2 --offload optimizer
! nncost: old: offload needs host.bytes_per_s, which the device file does not record, expected --set host.bytes_per_s=...
[3]
$ nncost estimate --full dense fitted --data 2 --offload optimizer | grep -A1 'host.mem'
          the device file records no host.mem_bytes_per_s: updates in host memory are assumed to run
          at 0.3 of 76.80 GB/s
$ nncost estimate --full dense old --data 32 --set scale_out.bytes_per_s=1e9 --set scale_out.latency_s=1e-5 | grep '^network'
network   data 8.623 ms exposed of 17.42 ms

# --stages prints every stage of the pipeline, in all formats.
$ nncost estimate dense round --full --full --devices 16 --tensor 2 --pipeline 4 --global-batch 16 --zero 1 --virtual-stages 2 --stages
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
links     switch of 8 at 100.0 GB/s, network 10.00 GB/s per device
plan      16 devices = data 2 x tensor 2 x pipeline 4, ZeRO 1, interleaved, 2 virtual stages
          batch 16 = 8 micro-batches of 1 x data 2, sequence 1000, bf16, policy mixed, adamw,
          flash attention, recompute none, software torch-compile (chosen for this plan),
          mode predicted

step      14.81 ms, busiest stage 3 of 4
          open: --overlap -13 to +20%, --sequence-parallel +0 to +1% of the step
          lower bound for any software: 9.906 ms; without any overlap the step takes 20.82 ms
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  compute 58.9% of the step, network 19.6%,
          if compute took no time, the step would take 7.766 ms

part          time  share    group          time  share
forward   3.376 ms  22.8%    attention  2.577 ms  17.4%
backward  6.496 ms  43.9%    mlp        4.256 ms  28.7%
update    255.3 us   1.7%    norm       400.0 us   2.7%
exposed   2.907 ms  19.6%    head       2.400 ms  16.2%
bubble    1.772 ms  12.0%    loss       240.0 us   1.6%
                             optimizer  255.3 us   1.7%
                             network    2.907 ms  19.6%
                             bubble     1.772 ms  12.0%

network   tensor 1.633 ms exposed of 1.633 ms, data 263.7 us exposed of 342.4 us,
          pipeline 1.010 ms exposed of 6.050 ms
bubble    1.772 ms, 13.6% of the busy time, 12.0% of the step

rate      1,080,601 tokens/s, 1,081 samples/s, MFU 49.4%,
          HFU 49.4% of 100.0 TFLOP/s, FLOPs as in palm
          per device 67,538 tokens/s, 49.44 TFLOP/s
work      model 11.71 TFLOP, executed 11.07 TFLOP, 6ND 10.19 TFLOP,
          memory traffic 3.902 GB per device

memory           size  of device
weights      36.04 MB       0.4%
gradients    36.04 MB       0.4%
optimizer    108.1 MB       1.1%  states and master weights
activations  220.5 MB       2.2%  kept for backward
transient    8.000 MB       0.1%  gradients of activations
total     on the fullest stage 0: 408.7 MB (389.74 MiB) of 10.00 GB (9.31 GiB), 4.1%:
          fits, 9.591 GB free

cost      1 USD per device-hour (nowhere, 2020-01), 6.581e-05 USD per step of all 16 devices,
          0.004113 USD per million tokens

stage layers and        params  forward backward weight     busy   bubble in flight
    0      2 embedding 18.02 M 426.0 us 682.1 us      - 8.865 ms 4.398 ms       5.5
    1      2           12.02 M 396.0 us 674.1 us      - 8.561 ms 4.702 ms       4.5
    2      2           12.02 M 396.0 us 674.1 us      - 8.561 ms 4.702 ms       3.5
    3      2 head      17.02 M 516.1 us 922.1 us      - 11.51 ms 1.757 ms       2.5 busiest

stage  weights gradients optimizer activations transient not at once reserve    total of device fits
    0 36.04 MB  36.04 MB  108.1 MB    220.5 MB  8.000 MB         0 B     0 B 408.7 MB      4.1% yes
    1 24.04 MB  24.04 MB  72.11 MB    180.3 MB  8.000 MB         0 B     0 B 308.5 MB      3.1% yes
    2 24.04 MB  24.04 MB  72.11 MB    140.2 MB  8.000 MB         0 B     0 B 268.4 MB      2.7% yes
    3 34.04 MB  34.04 MB  102.1 MB    114.2 MB  12.00 MB         0 B     0 B 296.4 MB      3.0% yes
$ nncost estimate dense round --pipeline 4 --micro-batches 8 --stages --format csv
stage,layers,embedding,head,params,forward_s,backward_s,weight_s,busy_s,bubble_s,exchange_s,update_s,in_flight,weight_bytes,gradient_bytes,optimizer_bytes,activation_bytes,transient_bytes,apart_bytes,reserve_bytes,total_bytes,fits\r
0,2,true,false,35026000,0.000592048,0.001148108,0,0.013921248,0.010420308,0.000201,0.00105078,4,70052000,70052000,420312000,256448000,16000000,0,0,832864000,true\r
1,2,false,false,24026000,0.00058404,0.0011401,0,0.01379312,0.010548436,0,0.00072078,3,48052000,48052000,288312000,192288000,16000000,0,0,592704000,true\r
2,2,false,false,24026000,0.00058404,0.0011401,0,0.01379312,0.010548436,0,0.00072078,2,48052000,48052000,288312000,128192000,16000000,0,0,528608000,true\r
3,2,false,true,34028000,0.00080804,0.0015861,0,0.01915312,0.005188436,0.000201,0.00102084,1,68056000,68056000,408336000,88104000,22000000,0,0,654552000,true\r
$ nncost estimate dense round --full --full --pipeline 2 --micro-batches 2 --stages --timeline --format markdown
- **model**: dense, A small decoder, decoder, 107,106,000 parameters
- **device**: round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
- **links**: switch of 8 at 100.0 GB/s
- **plan**: 2 devices = pipeline 2, 1f1b
  batch 2 = 2 micro-batches of 1, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none, software torch-compile (chosen for this plan), mode predicted

- **step**: 13.67 ms, busiest stage 1 of 2
  lower bound for any software: 10.68 ms; without any overlap the step takes 16.72 ms
  no fitted efficiencies for this device: roofline time at the datasheet's rates
- **bound by**: compute 55.0% of the step, bubble 25.6%, if compute took no time, the step would take 5.714 ms

| part | time | share |
|:---|---:|---:|
| forward | 2.784 ms | 20.4% |
| backward | 5.452 ms | 39.9% |
| update | 1.742 ms | 12.7% |
| exposed | 201.0 us | 1.5% |
| bubble | 3.494 ms | 25.6% |

| group | time | share |
|:---|---:|---:|
| attention | 2.529 ms | 18.5% |
| mlp | 4.208 ms | 30.8% |
| norm | 180.0 us | 1.3% |
| head | 1.200 ms | 8.8% |
| loss | 120.0 us | 0.9% |
| optimizer | 1.742 ms | 12.7% |
| network | 201.0 us | 1.5% |
| bubble | 3.494 ms | 25.6% |

- **network**: pipeline 201.0 us exposed of 243.0 us
- **bubble**: 3.494 ms, 34.3% of the busy time, 25.6% of the step

- **rate**: 146,269 tokens/s, 146.3 samples/s, MFU 53.5%, HFU 53.5% of 100.0 TFLOP/s, FLOPs as in palm
  per device 73,135 tokens/s, 53.53 TFLOP/s
- **work**: model 1.464 TFLOP, executed 1.384 TFLOP, 6ND 1.273 TFLOP, memory traffic 4.363 GB per device

| memory | size | of device |  |
|:---|---:|---:|:---|
| weights | 118.1 MB | 1.2% |  |
| gradients | 118.1 MB | 1.2% |  |
| optimizer | 708.6 MB | 7.1% | states and master weights |
| activations | 256.4 MB | 2.6% | kept for backward |
| transient | 16.00 MB | 0.2% | gradients of activations |

- **total**: on the fullest stage 0: 1.217 GB (1.13 GiB) of 10.00 GB (9.31 GiB), 12.2%: fits, 8.783 GB free

- **cost**: 1 USD per device-hour (nowhere, 2020-01), 7.596e-06 USD per step of all 2 devices, 0.003798 USD per million tokens

| stage | layers | and | params | forward | backward | weight | busy | bubble | in flight |  |
|---:|---:|:---|---:|---:|---:|---:|---:|---:|---:|:---|
| 0 | 4 | embedding | 59.05 M | 1.176 ms | 2.288 ms | - | 6.929 ms | 4.772 ms | 2 |  |
| 1 | 4 | head | 58.05 M | 1.392 ms | 2.726 ms | - | 8.237 ms | 3.464 ms | 1 | busiest |

| stage | weights | gradients | optimizer | activations | transient | not at once | reserve | total | of device | fits |
|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|:---|
| 0 | 118.1 MB | 118.1 MB | 708.6 MB | 256.4 MB | 16.00 MB | 0 B | 0 B | 1.217 GB | 12.2% | yes |
| 1 | 116.1 MB | 116.1 MB | 696.6 MB | 152.2 MB | 22.00 MB | 0 B | 0 B | 1.103 GB | 11.0% | yes |

- **timeline**: 0 s..13.67 ms, a letter is 170.9 us, F forward, B backward, x exchange, u update, . idle

```text
stage 0   FFFFFFFFFFFFFF.................BBBBBBBBBBBBB...........BBBBBBBBBBBBBBxuuuuuuuuuu
stage 1   .......FFFFFFFFBBBBBBBBBBBBBBBBFFFFFFFFBBBBBBBBBBBBBBBBxuuuuuuuuuu..............
```

- **stage 0**: F0 0 s..1.176 ms, F1 1.176 ms..2.352 ms, B0 5.294 ms..7.583 ms, B1 9.413 ms..11.70 ms, exchange 11.70 ms..11.90 ms, update 11.90 ms..13.67 ms
- **stage 1**: F0 1.176 ms..2.568 ms, B0 2.568 ms..5.294 ms, F1 5.294 ms..6.686 ms, B1 6.686 ms..9.413 ms, exchange 9.413 ms..9.614 ms, update 9.614 ms..11.36 ms
$ nncost estimate dense round --pipeline 2 --micro-batches 2 --stages --timeline --format json | sed '/"ops"/,/^  \]/d'
{
  "schema": "nncost.estimate/1",
  "sentence": "One step of A small decoder takes 13.67 ms on 2 x A device of round figures and is bound by compute (55.0% of the time); it fits: 1.217 GB of 10.00 GB per device.",
  "model": {"id": "dense", "name": "A small decoder", "family": "decoder", "params": 107106000, "active_params": 107106000, "matmul_params": 106106000, "params_by_group": {"embedding": 11000000, "attention": 32032000, "mlp": 64040000, "norm": 34000}},
  "device": {"id": "round", "name": "A device of round figures", "peak_flops_per_s": 1e14, "mem_bytes": 10000000000, "mem_bytes_per_s": 1e12, "ridge_flops_per_byte": 100, "critical_tokens": 100, "critical_width": 2000, "fitted": false, "basis": "none"},
  "plan": {"devices": 2, "data": 1, "tensor": 1, "pipeline": 2, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 0, "shard": 1, "reshard": true, "devices_per_node": 8, "schedule": "1f1b", "context_kind": "ring", "rank_order": "tensor-context-data-pipeline", "overlap": null, "capacity_factor": 0, "imbalance": 1, "micro_batch": 1, "micro_batches": 2, "global_batch": 2, "seq_len": 1000, "image": null, "precision": "bf16", "policy": "mixed", "optimizer": "adamw", "recompute": "none", "recompute_every": 1, "recompute_layers": 0, "offload": "none", "attention": "flash", "activations": "per-op", "software": "torch-compile", "software_chosen": true, "mode": "predicted", "overrides": null, "cluster": null, "ends_as_layers": false, "first_stage_layers": 0, "last_stage_layers": 0, "whole_experts": false, "train": "all", "train_layers": 0, "train_from": -1, "next_tokens": false, "adapter_rank": 0, "adapters": "linear", "dora": false, "oft": false, "frozen": "16bit", "fp8_inputs": false, "optimizer_rank": 16, "optimizer_kernels": "default", "flops_convention": "palm", "clip_gradients": true, "tokens": null, "samples": null, "price": null, "reserve_bytes": null},
  "work": {"forward_flops": 488000000000, "backward_flops": 976000000000, "recompute_flops": 0, "model_flops": 1.464e12, "causal_flops": 1.368096e12, "hardware_flops": 1.464e12, "executed_flops": 1.384112e12, "vector_flops": 5402612000, "six_nd_flops": 1.273272e12, "flops_convention": "palm", "read_bytes": 2681520000, "write_bytes": 1681012000, "input_bytes": 8000, "tokens": 2000},
  "step": {"step_s": 0.013673416, "interval_s": [null, null], "lower_bound_s": 0.01068084, "upper_bound_s": 0.0167201776, "forward_s": 0.00278416, "backward_s": 0.0054524, "recompute_s": 0, "update_s": 0.00174162, "exposed_comm_s": 0.000201, "bubble_s": 0.003494236, "host_s": 0, "exposed_comm": {"tensor": 0, "context": 0, "expert": 0, "data": 0, "pipeline": 0.000201, "offload": 0}, "communication": {"tensor": 0, "context": 0, "expert": 0, "data": 0, "pipeline": 0.000243, "offload": 0}, "bubble_ratio": 0.343272837301, "bubble_share": 0.255549600773, "idle_share": 0.302283642946, "stage": 1, "bound": "compute", "next_bound": "bubble", "bound_s": {"compute": 0.00752056, "memory": 0.00245762, "network": 0.000201, "host": 0, "bubble": 0.003494236}, "step_without_bound_s": 0.005713944, "advice": null, "kernels": null},
  "throughput": {"samples_per_s": 146.269227821, "tokens_per_s": 146269.227821, "tokens_per_s_per_device": 73134.6139107, "model_flops_per_s_per_device": 5.35345373826e13, "mfu": 0.535345373826, "causal_mfu": 0.500275863764, "hfu": 0.535345373826},
  "memory": {"stage": 0, "weight_bytes": 118104000, "gradient_bytes": 118104000, "optimizer_bytes": 708624000, "activation_bytes": 256416000, "transient_bytes": 16000000, "apart_bytes": 0, "reserve_bytes": 0, "total_bytes": 1217248000, "capacity_bytes": 10000000000, "headroom_bytes": 8782752000, "total_interval_bytes": [1217248000, 1217248000], "peak_allocated_bytes": 1217248256, "peak_reserved_bytes": 1218445312, "context_bytes": 0, "static_bytes": 944832000, "transient_what": "gradients of activations", "fits": true, "fit": "fits", "advice": null, "stages": [{"weight_bytes": 118104000, "gradient_bytes": 118104000, "optimizer_bytes": 708624000, "activation_bytes": 256416000, "transient_bytes": 16000000, "apart_bytes": 0, "reserve_bytes": 0, "total_bytes": 1217248000, "static_bytes": 944832000}, {"weight_bytes": 116108000, "gradient_bytes": 116108000, "optimizer_bytes": 696648000, "activation_bytes": 152200000, "transient_bytes": 22000000, "apart_bytes": 0, "reserve_bytes": 0, "total_bytes": 1103064000, "static_bytes": 928864000}]},
  "cost": {"price_per_device_hour": 1, "currency": "USD", "step": 7.59634222222e-6, "per_million_tokens": 0.00379817111111, "per_thousand_samples": null, "run": null, "device_hours": null, "run_s": null, "energy_j": 27.346832},
  "stages": [
    {"stage": 0, "layers": 4, "embedding": true, "head": false, "params": 59052000, "forward_s": 0.001176088, "backward_s": 0.002288208, "weight_s": 0, "busy_s": 0.006928592, "bubble_s": 0.004772264, "exchange_s": 0.000201, "update_s": 0.00177156, "in_flight": 2, "weight_bytes": 118104000, "gradient_bytes": 118104000, "optimizer_bytes": 708624000, "activation_bytes": 256416000, "transient_bytes": 16000000, "apart_bytes": 0, "reserve_bytes": 0, "total_bytes": 1217248000, "fits": true},
    {"stage": 1, "layers": 4, "embedding": false, "head": true, "params": 58054000, "forward_s": 0.00139208, "backward_s": 0.0027262, "weight_s": 0, "busy_s": 0.00823656, "bubble_s": 0.003464296, "exchange_s": 0.000201, "update_s": 0.00174162, "in_flight": 1, "weight_bytes": 116108000, "gradient_bytes": 116108000, "optimizer_bytes": 696648000, "activation_bytes": 152200000, "transient_bytes": 22000000, "apart_bytes": 0, "reserve_bytes": 0, "total_bytes": 1103064000, "fits": true}
  ],
  "timeline": [
    {"stage": 0, "activity": "forward", "micro_batch": 0, "chunk": 0, "start_s": 0, "end_s": 0.001176088},
    {"stage": 0, "activity": "forward", "micro_batch": 1, "chunk": 0, "start_s": 0.001176088, "end_s": 0.002352176},
    {"stage": 0, "activity": "idle", "micro_batch": null, "chunk": null, "start_s": 0.002352176, "end_s": 0.005294368},
    {"stage": 0, "activity": "backward", "micro_batch": 0, "chunk": 0, "start_s": 0.005294368, "end_s": 0.007582576},
    {"stage": 0, "activity": "idle", "micro_batch": null, "chunk": null, "start_s": 0.007582576, "end_s": 0.009412648},
    {"stage": 0, "activity": "backward", "micro_batch": 1, "chunk": 0, "start_s": 0.009412648, "end_s": 0.011700856},
    {"stage": 0, "activity": "exchange", "micro_batch": null, "chunk": null, "start_s": 0.011700856, "end_s": 0.011901856},
    {"stage": 0, "activity": "update", "micro_batch": null, "chunk": null, "start_s": 0.011901856, "end_s": 0.013673416},
    {"stage": 1, "activity": "idle", "micro_batch": null, "chunk": null, "start_s": 0, "end_s": 0.001176088},
    {"stage": 1, "activity": "forward", "micro_batch": 0, "chunk": 0, "start_s": 0.001176088, "end_s": 0.002568168},
    {"stage": 1, "activity": "backward", "micro_batch": 0, "chunk": 0, "start_s": 0.002568168, "end_s": 0.005294368},
    {"stage": 1, "activity": "forward", "micro_batch": 1, "chunk": 0, "start_s": 0.005294368, "end_s": 0.006686448},
    {"stage": 1, "activity": "backward", "micro_batch": 1, "chunk": 0, "start_s": 0.006686448, "end_s": 0.009412648},
    {"stage": 1, "activity": "exchange", "micro_batch": null, "chunk": null, "start_s": 0.009412648, "end_s": 0.009613648},
    {"stage": 1, "activity": "update", "micro_batch": null, "chunk": null, "start_s": 0.009613648, "end_s": 0.011355268},
    {"stage": 1, "activity": "idle", "micro_batch": null, "chunk": null, "start_s": 0.011355268, "end_s": 0.013673416}
  ],
}
