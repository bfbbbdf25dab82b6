# Tests 'nncost estimate' for one training step on one device.

# A decoder runs at the rates of the datasheet. The update reads and writes 30 bytes for each of 107.1 M parameters:
# 3.213 ms at 1 TB/s. The products of the layers alone have 2 x 96 M x 1000 FLOPs in a forward pass of 1000 tokens.
$ nncost estimate dense round --full --full
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 1, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

step      10.80 ms
          lower bound for any software: 6.921 ms; without any overlap the step takes 12.77 ms
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  compute 64.1% of the step, memory 35.9%,
          if compute took no time, the step would take 5.538 ms

part          time  share    group          time  share
forward   2.568 ms  23.8%    embedding  16.02 us   0.1%
backward  5.014 ms  46.4%    attention  2.529 ms  23.4%
update    3.213 ms  29.8%    mlp        4.208 ms  39.0%
                             norm       170.0 us   1.6%
                             head       600.0 us   5.6%
                             loss       60.00 us   0.6%
                             optimizer  3.213 ms  29.8%

rate      92,629 tokens/s, 92.63 samples/s, MFU 67.8%, HFU 67.8% of 100.0 TFLOP/s, FLOPs as in palm
work      model 732.0 GFLOP, executed 692.1 GFLOP, 6ND 636.6 GFLOP, memory traffic 5.538 GB

memory            size  of device
weights       214.2 MB       2.1%
gradients     214.2 MB       2.1%
optimizer     1.285 GB      12.9%  states and master weights
activations   280.4 MB       2.8%  kept for backward
transient     22.00 MB       0.2%  gradients of activations
not at once  -234.2 MB      -2.3%  gradients grow while activations are freed
total     1.782 GB (1.66 GiB) of 10.00 GB (9.31 GiB), 17.8%: fits, 8.218 GB free

cost      1 USD per device-hour (nowhere, 2020-01), 2.999e-06 USD per step,
          0.002999 USD per million tokens

# Prints the estimate of the same plan in every format except the default one.
$ nncost estimate dense round --full --full --format markdown
- **model**: dense, A small decoder, decoder, 107,106,000 parameters
- **device**: round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
- **plan**: batch 1, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none, software torch-compile (chosen for this plan), mode predicted

- **step**: 10.80 ms
  lower bound for any software: 6.921 ms; without any overlap the step takes 12.77 ms
  no fitted efficiencies for this device: roofline time at the datasheet's rates
- **bound by**: compute 64.1% of the step, memory 35.9%, if compute took no time, the step would take 5.538 ms

| part | time | share |
|:---|---:|---:|
| forward | 2.568 ms | 23.8% |
| backward | 5.014 ms | 46.4% |
| update | 3.213 ms | 29.8% |

| group | time | share |
|:---|---:|---:|
| embedding | 16.02 us | 0.1% |
| attention | 2.529 ms | 23.4% |
| mlp | 4.208 ms | 39.0% |
| norm | 170.0 us | 1.6% |
| head | 600.0 us | 5.6% |
| loss | 60.00 us | 0.6% |
| optimizer | 3.213 ms | 29.8% |

- **rate**: 92,629 tokens/s, 92.63 samples/s, MFU 67.8%, HFU 67.8% of 100.0 TFLOP/s, FLOPs as in palm
- **work**: model 732.0 GFLOP, executed 692.1 GFLOP, 6ND 636.6 GFLOP, memory traffic 5.538 GB

| memory | size | of device |  |
|:---|---:|---:|:---|
| weights | 214.2 MB | 2.1% |  |
| gradients | 214.2 MB | 2.1% |  |
| optimizer | 1.285 GB | 12.9% | states and master weights |
| activations | 280.4 MB | 2.8% | kept for backward |
| transient | 22.00 MB | 0.2% | gradients of activations |
| not at once | -234.2 MB | -2.3% | gradients grow while activations are freed |

- **total**: 1.782 GB (1.66 GiB) of 10.00 GB (9.31 GiB), 17.8%: fits, 8.218 GB free

- **cost**: 1 USD per device-hour (nowhere, 2020-01), 2.999e-06 USD per step, 0.002999 USD per million tokens
$ nncost estimate dense round --format csv
model.id,model.name,model.family,model.params,model.active_params,model.trained_params,model.matmul_params,model.params_by_group.embedding,model.params_by_group.attention,model.params_by_group.mlp,model.params_by_group.norm,model.params_by_group.conv,model.params_by_group.resample,model.params_by_group.time,model.params_by_group.head,model.params_by_group.loss,model.params_by_group.optimizer,model.params_by_group.network,model.padded_vocab,device.id,device.name,device.peak_flops_per_s,device.mem_bytes,device.mem_bytes_per_s,device.ridge_flops_per_byte,device.critical_tokens,device.critical_width,device.fitted,device.basis,plan.devices,plan.data,plan.tensor,plan.pipeline,plan.virtual_stages,plan.context,plan.expert,plan.sequence_parallel,plan.zero,plan.shard,plan.reshard,plan.devices_per_node,plan.schedule,plan.context_kind,plan.rank_order,plan.overlap,plan.capacity_factor,plan.imbalance,plan.micro_batch,plan.micro_batches,plan.global_batch,plan.seq_len,plan.image,plan.precision,plan.policy,plan.optimizer,plan.recompute,plan.recompute_every,plan.recompute_layers,plan.offload,plan.attention,plan.activations,plan.software,plan.software_chosen,plan.mode,plan.overrides,plan.cluster,plan.ends_as_layers,plan.first_stage_layers,plan.last_stage_layers,plan.whole_experts,plan.train,plan.train_layers,plan.train_from,plan.next_tokens,plan.adapter_rank,plan.adapters,plan.dora,plan.oft,plan.frozen,plan.fp8_inputs,plan.optimizer_rank,plan.optimizer_kernels,plan.flops_convention,plan.clip_gradients,plan.tokens,plan.samples,plan.price,plan.reserve_bytes,work.forward_flops,work.backward_flops,work.recompute_flops,work.model_flops,work.causal_flops,work.hardware_flops,work.executed_flops,work.vector_flops,work.six_nd_flops,work.flops_convention,work.read_bytes,work.write_bytes,work.input_bytes,work.tokens,step.step_s,step.interval_s.0,step.interval_s.1,step.lower_bound_s,step.upper_bound_s,step.forward_s,step.backward_s,step.recompute_s,step.update_s,step.exposed_comm_s,step.bubble_s,step.host_s,step.exposed_comm.tensor,step.exposed_comm.context,step.exposed_comm.expert,step.exposed_comm.data,step.exposed_comm.pipeline,step.exposed_comm.offload,step.communication.tensor,step.communication.context,step.communication.expert,step.communication.data,step.communication.pipeline,step.communication.offload,step.bubble_ratio,step.bubble_share,step.idle_share,step.stage,step.bound,step.next_bound,step.bound_s.compute,step.bound_s.memory,step.bound_s.network,step.bound_s.host,step.bound_s.bubble,step.step_without_bound_s,step.advice,step.kernels,throughput.samples_per_s,throughput.tokens_per_s,throughput.tokens_per_s_per_device,throughput.model_flops_per_s_per_device,throughput.mfu,throughput.causal_mfu,throughput.hfu,memory.stage,memory.weight_bytes,memory.gradient_bytes,memory.optimizer_bytes,memory.activation_bytes,memory.transient_bytes,memory.apart_bytes,memory.reserve_bytes,memory.total_bytes,memory.capacity_bytes,memory.headroom_bytes,memory.total_interval_bytes.0,memory.total_interval_bytes.1,memory.peak_allocated_bytes,memory.peak_reserved_bytes,memory.context_bytes,memory.static_bytes,memory.transient_what,memory.fits,memory.fit,memory.helper_bytes,cost.price_per_device_hour,cost.currency,cost.step,cost.per_million_tokens,cost.per_thousand_samples,cost.run,cost.device_hours,cost.run_s,cost.energy_j\r
dense,A small decoder,decoder,107106000,107106000,107106000,106106000,11000000,32032000,64040000,34000,0,0,0,0,0,0,0,,round,A device of round figures,1e14,10000000000,1e12,100,100,2000,false,none,1,1,1,1,1,1,1,false,0,1,true,8,1f1b,ring,tensor-context-data-pipeline,,0,1,1,1,1,1000,,bf16,mixed,adamw,none,1,0,none,flash,per-op,torch-compile,true,predicted,,,false,0,0,false,all,0,-1,false,0,linear,false,false,16bit,false,16,default,palm,true,,,,,244000000000,488000000000,0,732000000000,684048000000,732000000000,692056000000,3575260000,636636000000,palm,3230368000,2307740000,4000,1000,0.010795756,,,0.00692056,0.0127665588,0.002568168,0.005014408,0,0.00321318,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,compute,memory,0.00692056,0.003875196,0,0,0,0.005538108,,,92.6289923559,92628.9923559,92628.9923559,6.78044224045e13,0.678044224045,0.633626769631,0.678044224045,0,214212000,214212000,1285272000,280408000,22000000,-234212000,0,1781892000,10000000000,8218108000,1781892000,1781892000,1781892096,1793064960,0,1713696000,gradients of activations,true,fits,,1,USD,2.99882111111e-6,0.00299882111111,,,,,10.795756\r
$ nncost estimate dense round --format json
{
  "schema": "nncost.estimate/1",
  "sentence": "One step of A small decoder takes 10.80 ms on A device of round figures and is bound by compute (64.1% of the time); it fits: 1.782 GB of 10.00 GB per device.",
  "model": {"id": "dense", "name": "A small decoder", "family": "decoder", "params": 107106000, "active_params": 107106000, "matmul_params": 106106000, "params_by_group": {"embedding": 11000000, "attention": 32032000, "mlp": 64040000, "norm": 34000}},
  "device": {"id": "round", "name": "A device of round figures", "peak_flops_per_s": 1e14, "mem_bytes": 10000000000, "mem_bytes_per_s": 1e12, "ridge_flops_per_byte": 100, "critical_tokens": 100, "critical_width": 2000, "fitted": false, "basis": "none"},
  "plan": {"devices": 1, "data": 1, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 0, "shard": 1, "reshard": true, "devices_per_node": 8, "schedule": "1f1b", "context_kind": "ring", "rank_order": "tensor-context-data-pipeline", "overlap": null, "capacity_factor": 0, "imbalance": 1, "micro_batch": 1, "micro_batches": 1, "global_batch": 1, "seq_len": 1000, "image": null, "precision": "bf16", "policy": "mixed", "optimizer": "adamw", "recompute": "none", "recompute_every": 1, "recompute_layers": 0, "offload": "none", "attention": "flash", "activations": "per-op", "software": "torch-compile", "software_chosen": true, "mode": "predicted", "overrides": null, "cluster": null, "ends_as_layers": false, "first_stage_layers": 0, "last_stage_layers": 0, "whole_experts": false, "train": "all", "train_layers": 0, "train_from": -1, "next_tokens": false, "adapter_rank": 0, "adapters": "linear", "dora": false, "oft": false, "frozen": "16bit", "fp8_inputs": false, "optimizer_rank": 16, "optimizer_kernels": "default", "flops_convention": "palm", "clip_gradients": true, "tokens": null, "samples": null, "price": null, "reserve_bytes": null},
  "work": {"forward_flops": 244000000000, "backward_flops": 488000000000, "recompute_flops": 0, "model_flops": 732000000000, "causal_flops": 684048000000, "hardware_flops": 732000000000, "executed_flops": 692056000000, "vector_flops": 3575260000, "six_nd_flops": 636636000000, "flops_convention": "palm", "read_bytes": 3230368000, "write_bytes": 2307740000, "input_bytes": 4000, "tokens": 1000},
  "step": {"step_s": 0.010795756, "interval_s": [null, null], "lower_bound_s": 0.00692056, "upper_bound_s": 0.0127665588, "forward_s": 0.002568168, "backward_s": 0.005014408, "recompute_s": 0, "update_s": 0.00321318, "exposed_comm_s": 0, "bubble_s": 0, "host_s": 0, "exposed_comm": {"tensor": 0, "context": 0, "expert": 0, "data": 0, "pipeline": 0, "offload": 0}, "communication": {"tensor": 0, "context": 0, "expert": 0, "data": 0, "pipeline": 0, "offload": 0}, "bubble_ratio": 0, "bubble_share": 0, "idle_share": 0, "stage": 0, "bound": "compute", "next_bound": "memory", "bound_s": {"compute": 0.00692056, "memory": 0.003875196, "network": 0, "host": 0, "bubble": 0}, "step_without_bound_s": 0.005538108, "advice": null, "kernels": null},
  "throughput": {"samples_per_s": 92.6289923559, "tokens_per_s": 92628.9923559, "tokens_per_s_per_device": 92628.9923559, "model_flops_per_s_per_device": 6.78044224045e13, "mfu": 0.678044224045, "causal_mfu": 0.633626769631, "hfu": 0.678044224045},
  "memory": {"stage": 0, "weight_bytes": 214212000, "gradient_bytes": 214212000, "optimizer_bytes": 1285272000, "activation_bytes": 280408000, "transient_bytes": 22000000, "apart_bytes": -234212000, "reserve_bytes": 0, "total_bytes": 1781892000, "capacity_bytes": 10000000000, "headroom_bytes": 8218108000, "total_interval_bytes": [1781892000, 1781892000], "peak_allocated_bytes": 1781892096, "peak_reserved_bytes": 1793064960, "context_bytes": 0, "static_bytes": 1713696000, "transient_what": "gradients of activations", "fits": true, "fit": "fits", "advice": null},
  "cost": {"price_per_device_hour": 1, "currency": "USD", "step": 2.99882111111e-6, "per_million_tokens": 0.00299882111111, "per_thousand_samples": null, "run": null, "device_hours": null, "run_s": null, "energy_j": 10.795756},
  "ops": [
    {"name": "embed.tokens", "path": "embed.tokens", "kind": "embedding", "phase": "forward", "group": "embedding", "repeat": 1, "shape": "tokens=1000 width=1000", "flops": 0, "vector_flops": 0, "read_bytes": 2008000, "write_bytes": 2000000, "kept_bytes": 8000, "intensity_flops_per_byte": 0, "time_s": 4.008e-6, "share": 0.000371257001362, "bound": "memory", "link": null, "network_s": null},
    {"name": "embed.positions", "path": "embed.positions", "kind": "position_add", "phase": "forward", "group": "embedding", "repeat": 1, "shape": "elements=1000000", "flops": 0, "vector_flops": 1000000, "read_bytes": 2000000, "write_bytes": 2000000, "kept_bytes": 8000, "intensity_flops_per_byte": 0.25, "time_s": 4e-6, "share": 0.000370515969424, "bound": "memory", "link": null, "network_s": null},
    {"name": "attn.norm", "path": "attn.norm", "kind": "layer_norm", "phase": "forward", "group": "norm", "repeat": 8, "shape": "rows=1000 width=1000", "flops": 0, "vector_flops": 8000000, "read_bytes": 2000000, "write_bytes": 2000000, "kept_bytes": 2008000, "intensity_flops_per_byte": 2, "time_s": 4e-6, "share": 0.00296412775539, "bound": "memory", "link": null, "network_s": null},
    {"name": "attn.qkv", "path": "attn.qkv", "kind": "matmul", "phase": "forward", "group": "attention", "repeat": 8, "shape": "m=1000 n=3000 k=1000", "flops": 6000000000, "vector_flops": 3000000, "read_bytes": 8006000, "write_bytes": 6000000, "kept_bytes": 2000000, "intensity_flops_per_byte": 428.602027702, "time_s": 6e-5, "share": 0.0444619163308, "bound": "compute", "link": null, "network_s": null},
    {"name": "attn.core", "path": "attn.core", "kind": "flash_attention", "phase": "forward", "group": "attention", "repeat": 8, "shape": "b=1 heads=8/8 s=1000x1000 d=125", "flops": 2002000000, "vector_flops": 20020000, "read_bytes": 6000000, "write_bytes": 2032000, "kept_bytes": 6032000, "intensity_flops_per_byte": 251.745517928, "time_s": 2.002e-5, "share": 0.0148354594157, "bound": "compute", "link": null, "network_s": null},
    {"name": "attn.out", "path": "attn.out", "kind": "matmul", "phase": "forward", "group": "attention", "repeat": 8, "shape": "m=1000 n=1000 k=1000", "flops": 2000000000, "vector_flops": 1000000, "read_bytes": 4002000, "write_bytes": 2000000, "kept_bytes": 2000000, "intensity_flops_per_byte": 333.388870377, "time_s": 2e-5, "share": 0.0148206387769, "bound": "compute", "link": null, "network_s": null},
    {"name": "attn.residual", "path": "attn.residual", "kind": "residual", "phase": "forward", "group": "attention", "repeat": 8, "shape": "elements=1000000", "flops": 0, "vector_flops": 1000000, "read_bytes": 2000000, "write_bytes": 2000000, "kept_bytes": 0, "intensity_flops_per_byte": 0.25, "time_s": 4e-6, "share": 0.00296412775539, "bound": "memory", "link": null, "network_s": null},
    {"name": "mlp.norm", "path": "mlp.norm", "kind": "layer_norm", "phase": "forward", "group": "norm", "repeat": 8, "shape": "rows=1000 width=1000", "flops": 0, "vector_flops": 8000000, "read_bytes": 2000000, "write_bytes": 2000000, "kept_bytes": 2008000, "intensity_flops_per_byte": 2, "time_s": 4e-6, "share": 0.00296412775539, "bound": "memory", "link": null, "network_s": null},
    {"name": "mlp.up", "path": "mlp.up", "kind": "matmul", "phase": "forward", "group": "mlp", "repeat": 8, "shape": "m=1000 n=4000 k=1000", "flops": 8000000000, "vector_flops": 4000000, "read_bytes": 10008000, "write_bytes": 8000000, "kept_bytes": 2000000, "intensity_flops_per_byte": 444.469124833, "time_s": 8e-5, "share": 0.0592825551078, "bound": "compute", "link": null, "network_s": null},
    {"name": "mlp.activation", "path": "mlp.activation", "kind": "gelu", "phase": "forward", "group": "mlp", "repeat": 8, "shape": "elements=4000000", "flops": 0, "vector_flops": 32000000, "read_bytes": 8000000, "write_bytes": 8000000, "kept_bytes": 8000000, "intensity_flops_per_byte": 2, "time_s": 1.6e-5, "share": 0.0118565110216, "bound": "memory", "link": null, "network_s": null},
    {"name": "mlp.down", "path": "mlp.down", "kind": "matmul", "phase": "forward", "group": "mlp", "repeat": 8, "shape": "m=1000 n=1000 k=4000", "flops": 8000000000, "vector_flops": 1000000, "read_bytes": 16002000, "write_bytes": 2000000, "kept_bytes": 8000000, "intensity_flops_per_byte": 444.450616598, "time_s": 8e-5, "share": 0.0592825551078, "bound": "compute", "link": null, "network_s": null},
    {"name": "mlp.residual", "path": "mlp.residual", "kind": "residual", "phase": "forward", "group": "mlp", "repeat": 8, "shape": "elements=1000000", "flops": 0, "vector_flops": 1000000, "read_bytes": 2000000, "write_bytes": 2000000, "kept_bytes": 0, "intensity_flops_per_byte": 0.25, "time_s": 4e-6, "share": 0.00296412775539, "bound": "memory", "link": null, "network_s": null},
    {"name": "head.norm", "path": "head.norm", "kind": "layer_norm", "phase": "forward", "group": "norm", "repeat": 1, "shape": "rows=1000 width=1000", "flops": 0, "vector_flops": 8000000, "read_bytes": 2000000, "write_bytes": 2000000, "kept_bytes": 2008000, "intensity_flops_per_byte": 2, "time_s": 4e-6, "share": 0.000370515969424, "bound": "memory", "link": null, "network_s": null},
    {"name": "head.logits", "path": "head.logits", "kind": "matmul", "phase": "forward", "group": "head", "repeat": 1, "shape": "m=1000 n=10000 k=1000", "flops": 20000000000, "vector_flops": 0, "read_bytes": 22000000, "write_bytes": 20000000, "kept_bytes": 2000000, "intensity_flops_per_byte": 476.19047619, "time_s": 0.0002, "share": 0.0185257984712, "bound": "compute", "link": null, "network_s": null},
    {"name": "loss", "path": "loss", "kind": "cross_entropy", "phase": "forward", "group": "loss", "repeat": 1, "shape": "rows=1000 classes=10000", "flops": 0, "vector_flops": 50000000, "read_bytes": 20000000, "write_bytes": 0, "kept_bytes": 20000000, "intensity_flops_per_byte": 2.5, "time_s": 2e-5, "share": 0.00185257984712, "bound": "memory", "link": null, "network_s": null},
    {"name": "loss", "path": "loss", "kind": "cross_entropy", "phase": "backward", "group": "loss", "repeat": 1, "shape": "rows=1000 classes=10000", "flops": 0, "vector_flops": 20000000, "read_bytes": 20000000, "write_bytes": 20000000, "kept_bytes": null, "intensity_flops_per_byte": 0.5, "time_s": 4e-5, "share": 0.00370515969424, "bound": "memory", "link": null, "network_s": null},
    {"name": "head.logits", "path": "head.logits", "kind": "matmul", "phase": "grad_input", "group": "head", "repeat": 1, "shape": "m=1000 n=1000 k=10000", "flops": 20000000000, "vector_flops": 0, "read_bytes": 40000000, "write_bytes": 2000000, "kept_bytes": null, "intensity_flops_per_byte": 476.19047619, "time_s": 0.0002, "share": 0.0185257984712, "bound": "compute", "link": null, "network_s": null},
    {"name": "head.logits", "path": "head.logits", "kind": "matmul", "phase": "grad_weight", "group": "head", "repeat": 1, "shape": "m=1000 n=10000 k=1000", "flops": 20000000000, "vector_flops": 0, "read_bytes": 22000000, "write_bytes": 20000000, "kept_bytes": null, "intensity_flops_per_byte": 476.19047619, "time_s": 0.0002, "share": 0.0185257984712, "bound": "compute", "link": null, "network_s": null},
    {"name": "head.norm", "path": "head.norm", "kind": "layer_norm", "phase": "backward", "group": "norm", "repeat": 1, "shape": "rows=1000 width=1000", "flops": 0, "vector_flops": 14000000, "read_bytes": 4000000, "write_bytes": 2000000, "kept_bytes": null, "intensity_flops_per_byte": 2.33333333333, "time_s": 6e-6, "share": 0.000555773954135, "bound": "memory", "link": null, "network_s": null},
    {"name": "mlp.residual", "path": "mlp.residual", "kind": "residual", "phase": "backward", "group": "mlp", "repeat": 8, "shape": "elements=1000000", "flops": 0, "vector_flops": 1000000, "read_bytes": 2000000, "write_bytes": 0, "kept_bytes": null, "intensity_flops_per_byte": 0.5, "time_s": 2e-6, "share": 0.00148206387769, "bound": "memory", "link": null, "network_s": null},
    {"name": "mlp.down", "path": "mlp.down", "kind": "matmul", "phase": "grad_input", "group": "mlp", "repeat": 8, "shape": "m=1000 n=4000 k=1000", "flops": 8000000000, "vector_flops": 0, "read_bytes": 10000000, "write_bytes": 8000000, "kept_bytes": null, "intensity_flops_per_byte": 444.444444444, "time_s": 8e-5, "share": 0.0592825551078, "bound": "compute", "link": null, "network_s": null},
    {"name": "mlp.down", "path": "mlp.down", "kind": "matmul", "phase": "grad_weight", "group": "mlp", "repeat": 8, "shape": "m=4000 n=1000 k=1000", "flops": 8000000000, "vector_flops": 1000000, "read_bytes": 10000000, "write_bytes": 8000000, "kept_bytes": null, "intensity_flops_per_byte": 444.5, "time_s": 8e-5, "share": 0.0592825551078, "bound": "compute", "link": null, "network_s": null},
    {"name": "mlp.activation", "path": "mlp.activation", "kind": "gelu", "phase": "backward", "group": "mlp", "repeat": 8, "shape": "elements=4000000", "flops": 0, "vector_flops": 52000000, "read_bytes": 16000000, "write_bytes": 8000000, "kept_bytes": null, "intensity_flops_per_byte": 2.16666666667, "time_s": 2.4e-5, "share": 0.0177847665323, "bound": "memory", "link": null, "network_s": null},
    {"name": "mlp.up", "path": "mlp.up", "kind": "matmul", "phase": "grad_input", "group": "mlp", "repeat": 8, "shape": "m=1000 n=1000 k=4000", "flops": 8000000000, "vector_flops": 0, "read_bytes": 16000000, "write_bytes": 2000000, "kept_bytes": null, "intensity_flops_per_byte": 444.444444444, "time_s": 8e-5, "share": 0.0592825551078, "bound": "compute", "link": null, "network_s": null},
    {"name": "mlp.up", "path": "mlp.up", "kind": "matmul", "phase": "grad_weight", "group": "mlp", "repeat": 8, "shape": "m=1000 n=4000 k=1000", "flops": 8000000000, "vector_flops": 4000000, "read_bytes": 10000000, "write_bytes": 8000000, "kept_bytes": null, "intensity_flops_per_byte": 444.666666667, "time_s": 8e-5, "share": 0.0592825551078, "bound": "compute", "link": null, "network_s": null},
    {"name": "mlp.norm", "path": "mlp.norm", "kind": "layer_norm", "phase": "backward", "group": "norm", "repeat": 8, "shape": "rows=1000 width=1000", "flops": 0, "vector_flops": 14000000, "read_bytes": 4000000, "write_bytes": 2000000, "kept_bytes": null, "intensity_flops_per_byte": 2.33333333333, "time_s": 6e-6, "share": 0.00444619163308, "bound": "memory", "link": null, "network_s": null},
    {"name": "attn.residual", "path": "attn.residual", "kind": "residual", "phase": "backward", "group": "attention", "repeat": 8, "shape": "elements=1000000", "flops": 0, "vector_flops": 1000000, "read_bytes": 2000000, "write_bytes": 0, "kept_bytes": null, "intensity_flops_per_byte": 0.5, "time_s": 2e-6, "share": 0.00148206387769, "bound": "memory", "link": null, "network_s": null},
    {"name": "attn.out", "path": "attn.out", "kind": "matmul", "phase": "grad_input", "group": "attention", "repeat": 8, "shape": "m=1000 n=1000 k=1000", "flops": 2000000000, "vector_flops": 0, "read_bytes": 4000000, "write_bytes": 2000000, "kept_bytes": null, "intensity_flops_per_byte": 333.333333333, "time_s": 2e-5, "share": 0.0148206387769, "bound": "compute", "link": null, "network_s": null},
    {"name": "attn.out", "path": "attn.out", "kind": "matmul", "phase": "grad_weight", "group": "attention", "repeat": 8, "shape": "m=1000 n=1000 k=1000", "flops": 2000000000, "vector_flops": 1000000, "read_bytes": 4000000, "write_bytes": 2000000, "kept_bytes": null, "intensity_flops_per_byte": 333.5, "time_s": 2e-5, "share": 0.0148206387769, "bound": "compute", "link": null, "network_s": null},
    {"name": "attn.core", "path": "attn.core", "kind": "flash_attention", "phase": "backward", "group": "attention", "repeat": 8, "shape": "b=1 heads=8/8 s=1000x1000 d=125", "flops": 5005000000, "vector_flops": 24024000, "read_bytes": 10064000, "write_bytes": 6000000, "kept_bytes": null, "intensity_flops_per_byte": 313.061752988, "time_s": 5.005e-5, "share": 0.0370886485393, "bound": "compute", "link": null, "network_s": null},
    {"name": "attn.qkv", "path": "attn.qkv", "kind": "matmul", "phase": "grad_input", "group": "attention", "repeat": 8, "shape": "m=1000 n=1000 k=3000", "flops": 6000000000, "vector_flops": 0, "read_bytes": 12000000, "write_bytes": 2000000, "kept_bytes": null, "intensity_flops_per_byte": 428.571428571, "time_s": 6e-5, "share": 0.0444619163308, "bound": "compute", "link": null, "network_s": null},
    {"name": "attn.qkv", "path": "attn.qkv", "kind": "matmul", "phase": "grad_weight", "group": "attention", "repeat": 8, "shape": "m=1000 n=3000 k=1000", "flops": 6000000000, "vector_flops": 3000000, "read_bytes": 8000000, "write_bytes": 6000000, "kept_bytes": null, "intensity_flops_per_byte": 428.785714286, "time_s": 6e-5, "share": 0.0444619163308, "bound": "compute", "link": null, "network_s": null},
    {"name": "attn.norm", "path": "attn.norm", "kind": "layer_norm", "phase": "backward", "group": "norm", "repeat": 8, "shape": "rows=1000 width=1000", "flops": 0, "vector_flops": 14000000, "read_bytes": 4000000, "write_bytes": 2000000, "kept_bytes": null, "intensity_flops_per_byte": 2.33333333333, "time_s": 6e-6, "share": 0.00444619163308, "bound": "memory", "link": null, "network_s": null},
    {"name": "embed.positions", "path": "embed.positions", "kind": "position_add", "phase": "backward", "group": "embedding", "repeat": 1, "shape": "elements=1000000", "flops": 0, "vector_flops": 1000000, "read_bytes": 2000000, "write_bytes": 0, "kept_bytes": null, "intensity_flops_per_byte": 0.5, "time_s": 2e-6, "share": 0.000185257984712, "bound": "memory", "link": null, "network_s": null},
    {"name": "embed.tokens", "path": "embed.tokens", "kind": "embedding", "phase": "backward", "group": "embedding", "repeat": 1, "shape": "tokens=1000 width=1000", "flops": 0, "vector_flops": 1000000, "read_bytes": 4008000, "write_bytes": 2000000, "kept_bytes": null, "intensity_flops_per_byte": 0.166444740346, "time_s": 6.008e-6, "share": 0.000556514986074, "bound": "memory", "link": null, "network_s": null},
    {"name": "grad.clip", "path": "grad.clip", "kind": "clip_gradients", "phase": "update", "group": "optimizer", "repeat": 1, "shape": "params=107106000", "flops": 0, "vector_flops": 214212000, "read_bytes": 214212000, "write_bytes": 0, "kept_bytes": null, "intensity_flops_per_byte": 1, "time_s": 0.000214212, "share": 0.0198422417105, "bound": "memory", "link": null, "network_s": null},
    {"name": "optimizer", "path": "optimizer", "kind": "optimizer_step", "phase": "update", "group": "optimizer", "repeat": 1, "shape": "params=107106000", "flops": 0, "vector_flops": 1713696000, "read_bytes": 1499484000, "write_bytes": 1499484000, "kept_bytes": null, "intensity_flops_per_byte": 0.571428571429, "time_s": 0.002998968, "share": 0.277791383948, "bound": "memory", "link": null, "network_s": null}
  ]
}

# With fitted efficiencies, a step has the interval in which nine of ten measurements lie. In ideal mode, a step has no
# interval.
$ nncost estimate dense fitted --full --full --micro-batch 8
model     dense, A small decoder, decoder, 107,106,000 parameters
device    fitted, A device of round efficiencies, 200.0 TFLOP/s bf16, 2.000 TB/s, ridge 100 FLOP/B
plan      batch 8, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

step      47.54 ms, 90 % range 39.33 ms to 61.45 ms
          open: --attention -5 to +21% of the step
          lower bound for any software: 27.68 ms; without any overlap the step takes 54.42 ms
bound by  compute 82.7% of the step, memory 17.3%,
          if compute took no time, the step would take 14.36 ms

part          time  share    group          time  share
forward   15.24 ms  32.1%    embedding  168.1 us   0.4%
backward  30.25 ms  63.6%    attention  18.68 ms  39.3%
update    2.048 ms   4.3%    mlp        21.49 ms  45.2%
                             norm       1.700 ms   3.6%
                             head       2.956 ms   6.2%
                             loss       500.0 us   1.1%
                             optimizer  2.048 ms   4.3%

rate      168,281 tokens/s, 168.3 samples/s, MFU 61.6%,
          HFU 61.6% of 200.0 TFLOP/s, FLOPs as in palm
work      model 5.856 TFLOP, executed 5.536 TFLOP, 6ND 5.093 TFLOP, memory traffic 17.36 GB

memory            size  of device
weights       214.2 MB       1.1%
gradients     214.2 MB       1.1%
optimizer     1.285 GB       6.4%  states and master weights
activations   2.243 GB      11.2%  kept for backward
transient     176.0 MB       0.9%  gradients of activations
not at once  -374.2 MB      -1.9%  gradients grow while activations are freed
total     3.759 GB (3.50 GiB) of 20.00 GB (18.63 GiB), 18.8%: fits, 16.24 GB free

cost      2 USD per device-hour (here, 2022-02), 2.641e-05 USD per step,
          0.003301 USD per million tokens
$ nncost estimate dense fitted --full --full --micro-batch 8 --mode ideal
model     dense, A small decoder, decoder, 107,106,000 parameters
device    fitted, A device of round efficiencies, 200.0 TFLOP/s bf16, 2.000 TB/s, ridge 100 FLOP/B
plan      batch 8, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode ideal

step      27.68 ms
          lower bound for any software: 27.68 ms; without any overlap the step takes 35.11 ms
          ideal mode: all efficiencies are 1, fixed costs are 0, complete overlap of communication
bound by  compute 100.0% of the step, memory 22.8%,
          if compute took no time, the step would take 6.312 ms

part          time  share    group          time  share
forward   9.121 ms  32.9%    attention  9.922 ms  35.8%
backward  18.56 ms  67.1%    mlp        15.36 ms  55.5%
                             head       2.400 ms   8.7%

rate      288,994 tokens/s, 289 samples/s, MFU 105.8%,
          HFU 105.8% of 200.0 TFLOP/s, FLOPs as in palm
          MFU above 100%: palm counts more FLOPs than the kernels execute; with only the pairs under
          the causal mask, MFU is 98.8% (--flops-convention causal)
work      model 5.856 TFLOP, executed 5.536 TFLOP, 6ND 5.093 TFLOP, memory traffic 17.36 GB

memory            size  of device
weights       214.2 MB       1.1%
gradients     214.2 MB       1.1%
optimizer     1.285 GB       6.4%  states and master weights
activations   2.243 GB      11.2%  kept for backward
transient     176.0 MB       0.9%  gradients of activations
not at once  -374.2 MB      -1.9%  gradients grow while activations are freed
total     3.759 GB (3.50 GiB) of 20.00 GB (18.63 GiB), 18.8%: fits, 16.24 GB free

cost      2 USD per device-hour (here, 2022-02), 1.538e-05 USD per step,
          0.001922 USD per million tokens

# In a mixture of experts, memory has all experts, but each token is computed by two of eight experts.
$ nncost estimate experts round --full --full --micro-batch 4
model     experts, A small mixture of experts, decoder, 125,641,000 parameters,
          53,641,000 active per token
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 4, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

step      17.17 ms
          lower bound for any software: 11.37 ms; without any overlap the step takes 20.14 ms
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  compute 66.2% of the step, memory 33.8%,
          if compute took no time, the step would take 8.385 ms

part          time  share    group          time  share
forward   4.606 ms  26.8%    embedding  40.06 us   0.2%
backward  8.799 ms  51.2%    attention  3.450 ms  20.1%
update    3.769 ms  21.9%    mlp        6.914 ms  40.3%
                             norm       360.0 us   2.1%
                             head       2.400 ms  14.0%
                             loss       240.0 us   1.4%
                             optimizer  3.769 ms  21.9%

rate      232,910 tokens/s, 232.9 samples/s, MFU 69.9%,
          HFU 69.9% of 100.0 TFLOP/s, FLOPs as in palm
work      model 1.201 TFLOP, executed 1.137 TFLOP, 6ND 1.047 TFLOP, memory traffic 8.385 GB

memory            size  of device
weights       251.3 MB       2.5%
gradients     251.3 MB       2.5%
optimizer     1.508 GB      15.1%  states and master weights
activations   621.7 MB       6.2%  kept for backward
transient     88.00 MB       0.9%  gradients of activations
not at once  -311.3 MB      -3.1%  gradients grow while activations are freed
total     2.409 GB (2.24 GiB) of 10.00 GB (9.31 GiB), 24.1%: fits, 7.591 GB free

cost      1 USD per device-hour (nowhere, 2020-01), 4.771e-06 USD per step,
          0.001193 USD per million tokens

# Estimates a U-Net for diffusion and a U-Net for segmentation. The rates of the diffusion U-Net and of the segmentation
# U-Net are in samples per second.
$ nncost estimate unet round --full --full --micro-batch 8
model     unet, A small diffusion U-Net, unet, 9,546,304 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 8, image 256, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

step      2.350 ms
          open: --contiguous-maps +0 to +27% of the step
          lower bound for any software: 1.575 ms; without any overlap the step takes 2.984 ms
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  compute 62.0% of the step, memory 38.0%,
          if compute took no time, the step would take 1.321 ms

part          time  share    group          time  share
forward   751.2 us  32.0%    attention  272.2 us  11.6%
backward  1.312 ms  55.8%    mlp        350.6 us  14.9%
update    286.4 us  12.2%    norm       192.5 us   8.2%
                             conv       997.3 us  42.4%
                             resample   218.3 us   9.3%
                             time       31.84 us   1.4%
                             loss       327.7 ns   0.0%
                             optimizer  286.4 us  12.2%

rate      3,405 samples/s, MFU 66.7%, HFU 66.7% of 100.0 TFLOP/s, FLOPs as in palm
work      model 156.6 GFLOP, executed 157.5 GFLOP, memory traffic 1.321 GB

memory            size  of device
weights       19.09 MB       0.2%
gradients     19.09 MB       0.2%
optimizer     114.6 MB       1.1%  states and master weights
activations   170.3 MB       1.7%  kept for backward
transient     9.830 MB       0.1%  gradients of activations
not at once  -27.28 MB      -0.3%  gradients grow while activations are freed
total     305.6 MB (291.45 MiB) of 10.00 GB (9.31 GiB), 3.1%: fits, 9.694 GB free

cost      1 USD per device-hour (nowhere, 2020-01), 6.526e-07 USD per step,
          8.158e-05 USD per thousand samples
$ nncost estimate segnet old --full --full --micro-batch 16 --software eager --policy amp
model     segnet, A small U-Net for segmentation, unet, 45,942 parameters
device    old, An old device without bf16, 50.00 TFLOP/s fp16, 500.0 GB/s, ridge 100 FLOP/B
plan      batch 16, image 100, fp16, policy amp, adamw, flash attention, recompute none,
          software eager, mode predicted

step      1.173 ms
          lower bound for any software: 320.6 us; without any overlap the step takes 2.134 ms
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  memory 85.2% of the step, host 9.4%,
          if memory traffic took no time, the step would take 880.9 us

part          time  share    group          time  share
forward   431.3 us  36.8%    norm       624.0 us  53.2%
backward  622.5 us  53.1%    conv       287.1 us  24.5%
update    8.821 us   0.8%    resample   124.9 us  10.6%
host      110.5 us   9.4%    loss       17.92 us   1.5%
                             optimizer  8.821 us   0.8%
                             host       110.5 us   9.4%

rate      13,638 samples/s, MFU 15.5%, HFU 15.5% of 50.00 TFLOP/s, FLOPs as in palm
work      model 9.101 GFLOP, executed 9.101 GFLOP, memory traffic 523.1 MB

memory           size  of device
weights      183.8 kB       0.0%
gradients    183.8 kB       0.0%
optimizer    367.5 kB       0.0%  states and master weights
activations  57.84 MB       1.2%  kept for backward
transient    12.89 MB       0.3%  gradients of activations
total     71.47 MB (68.16 MiB) of 5.000 GB (4.66 GiB), 1.4%: fits, 4.929 GB free

cost      no price recorded for this device: give --price

# A U-Net can have attention without a transformer block around it.
$ nncost ops unet round --set transformer_depth=0 --set context_len=0 --set context_width=0 | grep attn.*forward
down.1.attn.norm      forward       1 102.5 k 409.6 k 204.8 k      2  204.8 ns  0.1% memory
down.1.attn.qkv       forward       1 102.4 k 61.59 M 650.8 k  94.64  650.8 ns  0.2% memory
down.1.attn.core      forward       1 309.2 k 53.08 M 411.6 k    129  524.3 ns  0.1% compute
down.1.attn.out       forward       1 102.4 k 20.53 M 285.2 k  71.99  285.2 ns  0.1% memory
down.1.attn.residual  forward       1       - 51.20 k 204.8 k   0.25  204.8 ns  0.1% memory
mid.attn.norm         forward       1 102.5 k 409.6 k 204.8 k      2  204.8 ns  0.1% memory
mid.attn.qkv          forward       1 102.4 k 61.59 M 650.8 k  94.64  650.8 ns  0.2% memory
mid.attn.core         forward       1 309.2 k 53.08 M 411.6 k    129  524.3 ns  0.1% compute
mid.attn.out          forward       1 102.4 k 20.53 M 285.2 k  71.99  285.2 ns  0.1% memory
mid.attn.residual     forward       1       - 51.20 k 204.8 k   0.25  204.8 ns  0.1% memory
up.1.attn.norm        forward       2 102.5 k 409.6 k 204.8 k      2  204.8 ns  0.1% memory
up.1.attn.qkv         forward       2 102.4 k 61.59 M 650.8 k  94.64  650.8 ns  0.3% memory
up.1.attn.core        forward       2 309.2 k 53.08 M 411.6 k    129  524.3 ns  0.3% compute
up.1.attn.out         forward       2 102.4 k 20.53 M 285.2 k  71.99  285.2 ns  0.1% memory
up.1.attn.residual    forward       2       - 51.20 k 204.8 k   0.25  204.8 ns  0.1% memory

# If a plan does not fit, the output has the missing bytes, and changes with which the plan fits.
$ nncost estimate dense round --full --full --micro-batch 64
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 64, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

step      488.5 ms
          lower bound for any software: 442.9 ms; without any overlap the step takes 562.4 ms
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  compute 90.7% of the step, memory 9.3%,
          if compute took no time, the step would take 111.9 ms

part          time  share    group          time  share
forward   164.4 ms  33.6%    embedding  1.025 ms   0.2%
backward  320.9 ms  65.7%    attention  161.8 ms  33.1%
update    3.213 ms   0.7%    mlp        269.3 ms  55.1%
                             norm       10.88 ms   2.2%
                             head       38.40 ms   7.9%
                             loss       3.840 ms   0.8%
                             optimizer  3.213 ms   0.7%

rate      131,014 tokens/s, 131 samples/s, MFU 95.9%, HFU 95.9% of 100.0 TFLOP/s, FLOPs as in palm
work      model 46.85 TFLOP, executed 44.29 TFLOP, 6ND 40.74 TFLOP, memory traffic 111.9 GB

memory            size  of device
weights       214.2 MB       2.1%
gradients     214.2 MB       2.1%
optimizer     1.285 GB      12.9%  states and master weights
activations   17.95 GB     179.5%  kept for backward
transient     1.408 GB      14.1%  gradients of activations
not at once  -1.494 GB     -14.9%  gradients grow while activations are freed
total     19.57 GB (18.23 GiB) of 10.00 GB (9.31 GiB), 195.7%: over by 9.573 GB,
          at least 5.351 GB with --recompute full
would fit --micro-batch 16 --micro-batches 4, 6.552 GB, step 488.5 ms
          --recompute full, 5.351 GB, step 638.0 ms

cost      1 USD per device-hour (nowhere, 2020-01), 0.0001357 USD per step,
          0.00212 USD per million tokens
[1]
$ nncost estimate dense round --micro-batch 64 --format json | grep -o '"headroom_bytes.*'
"headroom_bytes": -9573092000, "total_interval_bytes": [5351082000, 19573092000], "peak_allocated_bytes": 19573092352, "peak_reserved_bytes": 20277362688, "context_bytes": 0, "static_bytes": 1713696000, "transient_what": "gradients of activations", "fits": false, "fit": "does_not_fit", "advice": [{"text": "--micro-batch 16 --micro-batches 4", "total_bytes": 6552104000, "step_s": 0.488498044}, {"text": "--recompute full", "total_bytes": 5351082000, "step_s": 0.638012284}]},
$ COLUMNS=60 nncost estimate dense round --full --full --micro-batch 64 --reserve-bytes 5e8
model     dense, A small decoder, decoder,
          107,106,000 parameters
device    round, A device of round figures,
          100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 64, sequence 1000, bf16, policy mixed,
          adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan),
          mode predicted

step      488.5 ms
          lower bound for any software: 442.9 ms; without
          any overlap the step takes 562.4 ms
          no fitted efficiencies for this device: roofline
          time at the datasheet's rates
bound by  compute 90.7% of the step, memory 9.3%,
          if compute took no time, the step would take 111.9 ms

part          time  share    group          time  share
forward   164.4 ms  33.6%    embedding  1.025 ms   0.2%
backward  320.9 ms  65.7%    attention  161.8 ms  33.1%
update    3.213 ms   0.7%    mlp        269.3 ms  55.1%
                             norm       10.88 ms   2.2%
                             head       38.40 ms   7.9%
                             loss       3.840 ms   0.8%
                             optimizer  3.213 ms   0.7%

rate      131,014 tokens/s, 131 samples/s, MFU 95.9%,
          HFU 95.9% of 100.0 TFLOP/s, FLOPs as in palm
work      model 46.85 TFLOP, executed 44.29 TFLOP,
          6ND 40.74 TFLOP, memory traffic 111.9 GB

memory           size of device
weights      214.2 MB      2.1%
gradients    214.2 MB      2.1%
optimizer    1.285 GB     12.9% states and master weights
activations  17.95 GB    179.5% kept for backward
transient    1.408 GB     14.1% gradients of activations
not at once -1.494 GB    -14.9% gradients grow while activ..
reserve      500.0 MB      5.0% set aside
cut: remarks (a width of 60, see COLUMNS)
total     20.07 GB (18.69 GiB) of 10.00 GB (9.31 GiB),
          200.7%: over by 10.07 GB,
          at least 5.851 GB with --recompute full
would fit --micro-batch 16 --micro-batches 4, 7.052 GB,
          step 488.5 ms
          --recompute full, 5.851 GB, step 638.0 ms

cost      1 USD per device-hour (nowhere, 2020-01),
          0.0001357 USD per step,
          0.00212 USD per million tokens
[1]

# Changes with which a plan fits depend on optimizer, policy and format.
$ nncost estimate dense round --full --full --set layers=47 --tokens 1e9 | sed -n '/^total/,/^$/p'
total     9.591 GB (8.93 GiB) of 10.00 GB (9.31 GiB), 95.9%: fits, 409.1 MB free

$ nncost estimate dense old --full --full --precision fp32 --set layers=25 | sed -n '/^total/,/^$/p'
total     5.389 GB (5.02 GiB) of 5.000 GB (4.66 GiB), 107.8%: over by 389.1 MB,
          at least 4.997 GB with --recompute full
would fit --recompute norm,activation, 4.997 GB, step 233.4 ms

$ nncost estimate dense fitted --full --full --precision fp32 --set layers=100 | sed -n '/^total/,/^$/p'
total     21.00 GB (19.56 GiB) of 20.00 GB (18.63 GiB), 105.0%: over by 1.004 GB,
          at least 19.41 GB with --recompute full
would fit --recompute norm,activation, 19.41 GB, step 1.397 s


# If a plan is far too large, only combinations of changes that include adapters make the plan fit.
$ nncost estimate dense round --full --full --set layers=500 --micro-batch 2 | tail -8
transient     44.00 MB       0.4%  gradients of activations
not at once  -12.08 GB    -120.8%  gradients grow while activations are freed
total     116.3 GB (108.35 GiB) of 10.00 GB (9.31 GiB), 1163.5%: DOES NOT FIT by 106.3 GB
would fit --recompute full --lora 16 --frozen nf4, 7.231 GB, step 1.170 s
          --lora 16 --frozen nf4 --offload optimizer,activations, 3.923 GB, step 7.852 s

cost      1 USD per device-hour (nowhere, 2020-01), 0.00029 USD per step,
          0.145 USD per million tokens

# --tokens and --samples add the whole run: days, device-hours, cost and energy.
$ nncost estimate dense round --full --full --grad-accum 8 --tokens 2e12 --price 4 | sed -n '/^cost/,$p'
cost      4 USD per device-hour (--price), 7.097e-05 USD per step, 0.008871 USD per million tokens

run         184.8 days, 4,436 device-hours, 250,000,000 steps of 63.87 ms, 2.000 T tokens,
            1.464e+21 FLOP

part            time   share
training  184.8 days  100.0%  Time of all steps of the run, as estimated.

goodput     100.00% (failures are not counted: the device file has no rate of failures, give
            --device-mtbf-s)
cost        17,743 USD, at 4 USD per device-hour, 0.008871 USD per million tokens
energy      4,436 kWh, 1.000 kW per device as rated, PUE 1
$ nncost estimate unet fitted --full --full --micro-batch 32 --samples 1e8 | sed -n '/^cost/,$p'
cost      2 USD per device-hour (here, 2022-02), 7.414e-06 USD per step,
          0.0002317 USD per thousand samples

run         11.58 h, 11.58 device-hours, 3,125,000 steps of 13.35 ms, 100.0 M samples,
            1.958e+18 FLOP

part         time   share
training  11.58 h  100.0%  Time of all steps of the run, as estimated.

goodput     100.00% (failures are not counted: the device file has no rate of failures, give
            --device-mtbf-s)
cost        23.17 USD, at 2 USD per device-hour (here, 2022-02)
energy      5.792 kWh, 500.0 W per device as rated, PUE 1

# Estimates with a device file that has no price, no network and no power.
$ nncost estimate dense old --full --full --tokens 1e9 | sed -n '/^cost/,$p'
cost      no price recorded for this device: give --price

run         5.998 h, 5.998 device-hours, 1,000,000 steps of 21.59 ms, 1.000 G tokens, 7.32e+17 FLOP

part         time   share
training  5.998 h  100.0%  Time of all steps of the run, as estimated.

goodput     100.00% (failures are not counted: the device file has no rate of failures, give
            --device-mtbf-s)
$ nncost estimate dense old --tokens 1e9 --format json | grep '"cost"'
  "cost": {"price_per_device_hour": null, "currency": null, "step": null, "per_million_tokens": null, "per_thousand_samples": null, "run": null, "device_hours": 5.99764222222, "run_s": 21591.512, "energy_j": null},
  "run": {"devices": 1, "nodes": 1, "steps": 1000000, "tokens": 1000000000, "samples": 1000000, "flops": 7.32e17, "flops_per_token": 732000000, "step_s": 0.021591512, "fetch_s": null, "prepare_s": null, "transfer_s": null, "input_s": null, "input_wait_s": 0, "input_bound": false, "input_bytes_per_s": null, "workers_needed": null, "prefetch_bytes": null, "rollout_step_s": 0, "score_step_s": 0, "sync_step_s": 0, "outer_bytes": null, "outer_s": 0, "device_mtbf_s": null, "system_mtbf_s": null, "survive_hour": null, "stops": null, "nodes_out": null, "spares_needed": null, "short_share": null, "checkpoint_bytes": 1499484000, "block_s": null, "save_s": null, "load_s": null, "restart_s": null, "young_s": null, "interval_s": null, "goodput": 1, "first_order": null, "train_s": 21591.512, "wait_s": 0, "rollout_s": 0, "score_s": 0, "sync_s": 0, "straggler_s": 0, "save_time_s": 0, "lost_s": 0, "evaluate_s": 0, "warmup_s": 0, "planned_s": 0, "sites_s": 0, "run_s": 21591.512, "days": 0.249901759259, "device_hours": 5.99764222222, "price_per_device_hour": null, "cost_devices": null, "cost_storage": 0, "cost_egress": 0, "cost": null, "cost_per_million_tokens": null, "busy_share": null, "power_w": null, "energy_j": null, "rated_energy_j": null, "carbon_kg": null, "rated_carbon_kg": null, "embodied_carbon_kg": null},

# Tests recomputation, and the convention that counts only the unmasked pairs of tokens in the FLOPs of attention.
$ nncost estimate dense round --full --full --recompute norm,activation --flops-convention causal
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 1, sequence 1000, bf16, policy mixed, adamw, flash attention,
          recompute norm,activation, software torch-compile (chosen for this plan), mode predicted

step      10.99 ms
          lower bound for any software: 6.921 ms; without any overlap the step takes 13.00 ms
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  compute 63.0% of the step, memory 37.0%,
          if compute took no time, the step would take 5.730 ms

part           time  share    group          time  share
forward    2.568 ms  23.4%    embedding  16.02 us   0.1%
backward   5.014 ms  45.6%    attention  2.529 ms  23.0%
recompute  192.0 us   1.7%    mlp        4.336 ms  39.5%
update     3.213 ms  29.2%    norm       234.0 us   2.1%
                              head       600.0 us   5.5%
                              loss       60.00 us   0.5%
                              optimizer  3.213 ms  29.2%

rate      91,010 tokens/s, 91.01 samples/s, MFU 62.3%,
          HFU 62.3% of 100.0 TFLOP/s, FLOPs as in causal
work      model 684.0 GFLOP, executed 692.1 GFLOP, 6ND 636.6 GFLOP, memory traffic 5.730 GB

memory            size  of device
weights       214.2 MB       2.1%
gradients     214.2 MB       2.1%
optimizer     1.285 GB      12.9%  states and master weights
activations   184.4 MB       1.8%  kept for backward
transient     24.00 MB       0.2%  gradients of activations
not at once  -200.4 MB      -2.0%  gradients grow while activations are freed
total     1.722 GB (1.60 GiB) of 10.00 GB (9.31 GiB), 17.2%: fits, 8.278 GB free

cost      1 USD per device-hour (nowhere, 2020-01), 3.052e-06 USD per step,
          0.003052 USD per million tokens
$ nncost estimate dense round --full --full --recompute full | sed -n '/^step/,/^update/p'
step      13.13 ms
          lower bound for any software: 9.001 ms; without any overlap the step takes 15.66 ms
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  compute 68.5% of the step, memory 31.5%,
          if compute took no time, the step would take 6.307 ms

part           time  share    group          time  share
forward    2.568 ms  19.6%    embedding  16.02 us   0.1%
backward   5.014 ms  38.2%    attention  3.361 ms  25.6%
recompute  2.336 ms  17.8%    mlp        5.648 ms  43.0%
update     3.213 ms  24.5%    norm       234.0 us   1.8%

# --clip-gradients adds the time of the norm of the gradients; --clip-gradients=off removes it.
$ nncost estimate --full dense round --clip-gradients | grep optimizer
                             optimizer  3.213 ms  29.8%
optimizer     1.285 GB      12.9%  states and master weights
$ nncost estimate --full dense round --clip-gradients=off | grep optimizer
                             optimizer  2.999 ms  28.3%
optimizer     1.285 GB      12.9%  states and master weights
$ nncost estimate --full dense round --clip-gradients off | grep optimizer
                             optimizer  2.999 ms  28.3%
optimizer     1.285 GB      12.9%  states and master weights

# Optimizers, formats and policies decide how many bytes are kept per parameter.
$ for o in sgd momentum adafactor lion adam8bit muon; do nncost estimate --full dense round --optimizer $o | grep '^optimizer'; done
optimizer     428.4 MB       4.3%  states and master weights
optimizer     856.8 MB       8.6%  states and master weights
optimizer     429.4 MB       4.3%  states and master weights
optimizer     856.8 MB       8.6%  states and master weights
optimizer     646.0 MB       6.5%  states and master weights
optimizer     901.3 MB       9.0%  states and master weights
$ for p in fp32 mixed-fp32grad amp bf16-pure; do nncost estimate dense round --full --full --policy $p | sed -n '/^weights/,/^optimizer/p'; done
weights       428.4 MB       4.3%
gradients     428.4 MB       4.3%
optimizer     856.8 MB       8.6%  states and master weights
weights       214.2 MB       2.1%
gradients     428.4 MB       4.3%
optimizer     1.285 GB      12.9%  states and master weights
weights       428.4 MB       4.3%
gradients     428.4 MB       4.3%
optimizer     856.8 MB       8.6%  states and master weights
weights       214.2 MB       2.1%
gradients     214.2 MB       2.1%
optimizer     428.4 MB       4.3%  states and master weights
$ nncost estimate dense fitted --full --full --precision fp8 | head -8
model     dense, A small decoder, decoder, 107,106,000 parameters
device    fitted, A device of round efficiencies, 400.0 TFLOP/s fp8, 2.000 TB/s, ridge 200 FLOP/B
plan      batch 1, sequence 1000, fp8, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

step      9.212 ms, 90 % range 7.620 ms to 11.91 ms
          open: --attention -11 to +21% of the step
          lower bound for any software: 2.249 ms; without any overlap the step takes 10.46 ms
$ nncost estimate dense fitted --full --full --precision tf32 | head -8
model     dense, A small decoder, decoder, 107,106,000 parameters
device    fitted, A device of round efficiencies, 100.0 TFLOP/s tf32, 2.000 TB/s, ridge 50 FLOP/B
plan      batch 1, sequence 1000, tf32, policy fp32, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

step      15.88 ms, 90 % range 13.14 ms to 20.53 ms
          open: --attention -12 to +25% of the step
          lower bound for any software: 6.921 ms; without any overlap the step takes 18.28 ms
$ nncost estimate dense old --full --full --precision fp32 | head -8
model     dense, A small decoder, decoder, 107,106,000 parameters
device    old, An old device without bf16, 10.00 TFLOP/s fp32, 500.0 GB/s, ridge 20 FLOP/B
plan      batch 1, sequence 1000, fp32, policy fp32, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

step      78.71 ms
          lower bound for any software: 69.21 ms; without any overlap the step takes 85.67 ms
          no fitted efficiencies for this device: roofline time at the datasheet's rates

# Tests unfused attention with an eager profile, in which the host issues each op, and the kernels flash1, flash2 and
# flash3.
$ nncost estimate dense fitted --full --full --attention unfused --software eager
model     dense, A small decoder, decoder, 107,106,000 parameters
device    fitted, A device of round efficiencies, 200.0 TFLOP/s bf16, 2.000 TB/s, ridge 100 FLOP/B
plan      batch 1, sequence 1000, bf16, policy mixed, adamw, unfused attention, recompute none,
          software eager, mode predicted

step      15.20 ms
          lower bound for any software: 3.460 ms; without any overlap the step takes 19.68 ms
bound by  memory 68.3% of the step, compute 27.8%,
          if memory traffic took no time, the step would take 6.370 ms

part          time  share    group          time  share
forward   3.285 ms  21.6%    embedding  56.02 us   0.4%
backward  5.135 ms  33.8%    attention  3.812 ms  25.1%
update    6.754 ms  44.4%    mlp        3.045 ms  20.0%
host      27.37 us   0.2%    norm       850.0 us   5.6%
                             head       356.4 us   2.3%
                             loss       300.0 us   2.0%
                             optimizer  6.754 ms  44.4%
                             host       27.37 us   0.2%

rate      65,784 tokens/s, 65.78 samples/s, MFU 24.1%, HFU 24.1% of 200.0 TFLOP/s, FLOPs as in palm
work      model 732.0 GFLOP, executed 732.0 GFLOP, 6ND 636.6 GFLOP, memory traffic 15.61 GB

memory           size  of device
weights      214.2 MB       1.1%
gradients    214.2 MB       1.1%
optimizer    1.285 GB       6.4%  states and master weights
activations  698.2 MB       3.5%  kept for backward
transient    80.00 MB       0.4%  fp32 logits of the loss
total     2.492 GB (2.32 GiB) of 20.00 GB (18.63 GiB), 12.5%: fits, 17.51 GB free

cost      2 USD per device-hour (here, 2022-02), 8.445e-06 USD per step,
          0.008445 USD per million tokens
$ for a in flash1 flash2 flash3; do nncost estimate dense fitted --full --full --attention $a | grep attention; done
plan      batch 1, sequence 1000, bf16, policy mixed, adamw, flash1 attention, recompute none,
backward  6.201 ms  54.3%    attention  5.365 ms  47.0%
plan      batch 1, sequence 1000, bf16, policy mixed, adamw, flash2 attention, recompute none,
backward  4.866 ms  51.5%    attention  3.409 ms  36.0%
plan      batch 1, sequence 1000, bf16, policy mixed, adamw, flash3 attention, recompute none,
backward  4.119 ms  48.6%    attention  2.422 ms  28.6%

# --set changes any field. The prefix "plan.", "model." or "device." of a field names the object that has the field.
$ nncost estimate dense round --full --full --set hidden=2000 --set head_dim=250 --set ffn_hidden=8000 --set mem_bytes_per_s=2e12 | head -13
model     dense, A small decoder, decoder, 406,212,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 2.000 TB/s, ridge 50 FLOP/B
plan      batch 1, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted
set       hidden=2000, head_dim=250, ffn_hidden=8000, mem_bytes_per_s=2e12

step      32.09 ms
          lower bound for any software: 25.36 ms; without any overlap the step takes 35.25 ms
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  compute 79.0% of the step, memory 21.0%,
          if compute took no time, the step would take 8.934 ms

part          time  share    group          time  share
$ nncost estimate dense round --full --full --set plan.micro_batch=2 --set model.layers=4 --set device.mem_bytes=40e9 | head -13
model     dense, A small decoder, decoder, 59,054,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 2, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted
set       plan.micro_batch=2, model.layers=4, device.mem_bytes=40e9

step      10.04 ms
          lower bound for any software: 7.521 ms; without any overlap the step takes 11.71 ms
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  compute 74.9% of the step, memory 25.1%,
          if compute took no time, the step would take 3.960 ms

part          time  share    group          time  share
$ nncost estimate dense fitted --full --full --set efficiency.basis=none | grep -A1 '^step'
step      5.398 ms
          lower bound for any software: 3.460 ms; without any overlap the step takes 6.537 ms
$ nncost estimate dense fitted --full --full --set efficiency.basis=default | grep -A1 '^step'
step      9.457 ms, 90 % range 5.246 ms to 20.99 ms
          open: --attention -10 to +21% of the step
$ nncost estimate dense fitted --full --full --set efficiency.basis=kernels | grep -A1 '^step'
step      9.457 ms, 90 % range 5.246 ms to 20.99 ms
          open: --attention -10 to +21% of the step

# Tests a narrow terminal, and a terminal of 10 columns, which is too narrow for any line.
$ COLUMNS=60 nncost estimate dense fitted --full --full
model     dense, A small decoder, decoder,
          107,106,000 parameters
device    fitted, A device of round efficiencies,
          200.0 TFLOP/s bf16, 2.000 TB/s, ridge 100 FLOP/B
plan      batch 1, sequence 1000, bf16, policy mixed, adamw,
          flash attention, recompute none,
          software torch-compile (chosen for this plan),
          mode predicted

step      9.457 ms, 90 % range 7.823 ms to 12.22 ms
          open: --attention -10 to +21% of the step
          lower bound for any software: 3.460 ms; without
          any overlap the step takes 10.79 ms
bound by  compute 62.0% of the step, memory 27.6%,
          if compute took no time, the step would take 4.982 ms

part          time  share    group          time  share
forward   2.542 ms  26.9%    embedding  56.02 us   0.6%
backward  4.866 ms  51.5%    attention  3.409 ms  36.0%
update    2.048 ms  21.7%    mlp        2.997 ms  31.7%
                             norm       510.0 us   5.4%
                             head       356.4 us   3.8%
                             loss       80.00 us   0.8%
                             optimizer  2.048 ms  21.7%

rate      105,745 tokens/s, 105.7 samples/s, MFU 38.7%,
          HFU 38.7% of 200.0 TFLOP/s, FLOPs as in palm
work      model 732.0 GFLOP, executed 692.1 GFLOP,
          6ND 636.6 GFLOP, memory traffic 5.538 GB

memory           size of device
weights      214.2 MB      1.1%
gradients    214.2 MB      1.1%
optimizer    1.285 GB      6.4% states and master weights
activations  280.4 MB      1.4% kept for backward
transient    22.00 MB      0.1% gradients of activations
not at once -234.2 MB     -1.2% gradients grow while activ..
cut: remarks (a width of 60, see COLUMNS)
total     1.782 GB (1.66 GiB) of 20.00 GB (18.63 GiB), 8.9%:
          fits, 18.22 GB free

cost      2 USD per device-hour (here, 2022-02),
          5.254e-06 USD per step,
          0.005254 USD per million tokens
$ COLUMNS=10 nncost estimate dense round --full --full | head -20
model     dense, A small decoder, decoder,
          107,106,000 parameters
device    round, A device of round figures,
          100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 1, sequence 1000, bf16, policy mixed, adamw,
          flash attention, recompute none,
          software torch-compile (chosen for this plan),
          mode predicted

step      10.80 ms
          lower bound for any software: 6.921 ms; without
          any overlap the step takes 12.77 ms
          no fitted efficiencies for this device: roofline
          time at the datasheet's rates
bound by  compute 64.1% of the step, memory 35.9%,
          if compute took no time, the step would take 5.538 ms

part          time  share    group          time  share
forward   2.568 ms  23.8%    embedding  16.02 us   0.1%
backward  5.014 ms  46.4%    attention  2.529 ms  23.4%

# --activations korthikanti computes the activations by a published formula instead of op by op.
$ nncost estimate dense round --full --full --activations korthikanti | grep activations
activations  637.0 MB       6.4%  kept for backward
transient    22.00 MB       0.2%  gradients of activations

# --output writes the complete file or no file. If the name is a symbolic link, the target of the link is written.
$ nncost estimate dense round --output result.csv --format csv && cut -d, -f1-4 result.csv
model.id,model.name,model.family,model.params
dense,A small decoder,decoder,107106000
$ echo old >result.md && ln -s result.md link.md && nncost estimate dense round --full --full --format markdown --output link.md && ls -F *.md && head -1 result.md
link.md@
result.md
- **model**: dense, A small decoder, decoder, 107,106,000 parameters
$ nncost estimate dense roundd --output never.txt; ls never.txt
! nncost: DEVICE: unknown device, expected one of fitted, old, round, nearest "round", found "roundd"
! ls: cannot access 'never.txt': No such file or directory
[2]
$ nncost estimate dense round --output .
! nncost: .: cannot write: Is a directory
[4]
$ nncost estimate dense round --output missing/result.txt
! nncost: missing/result.txt: cannot write: No such file or directory
[4]

# Reads a configuration of Hugging Face without changes.
$ cat >config.json <<J
> { "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 1000, "intermediate_size": 4000,
>   "num_hidden_layers": 8, "num_attention_heads": 10, "num_key_value_heads": 2, "vocab_size": 10000,
>   "max_position_embeddings": 1000, "rms_norm_eps": 1e-5, "hidden_act": "silu", "tie_word_embeddings": false }
> J
$ nncost estimate config.json round --full --full | head -1
model     config.json = config, config, decoder, 135,217,000 parameters
$ sed -i 's/"llama"/"lama"/' config.json; nncost estimate config.json round
! nncost: config.json:1: model_type: unknown architecture, expected one of those in docs/models.md, nearest llama, a file foreign/MODEL_TYPE.json of your own, or the shape as a model file (nncost show llama3-8b --format json), found "lama"
[3]
$ sed -i 's/"lama"/"llama"/; s/"silu"/"sillu"/' config.json; nncost estimate config.json round
! nncost: config.json:3: hidden_act: changes the shape to a network that this version of nncost does not know, expected silu|swish, found "sillu"
[3]
$ sed -i 's/"sillu"/"silu"/; s/"hidden_size": 1000, //' config.json; nncost estimate config.json round
! nncost: config.json:2: num_attention_heads: does not divide hidden_size, expected a divisor, found 10
[3]

# A vision transformer with h = 1000, L = 10, 9 x 9 patches of 10 x 10 pixels and a class token; rates are in samples.
# The vision transformer has (3 x 100 + 1) h + h + 82 h + L (12 h^2 + 13 h) + 2 h + 100 (h + 1) = 120,616,100
# parameters.
$ nncost estimate vision round --full --full --micro-batch 10
model     vision, A small vision transformer, vit, 120,616,100 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 10, image 90, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

step      10.34 ms
          lower bound for any software: 6.008 ms; without any overlap the step takes 12.27 ms
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  compute 57.2% of the step, memory 42.8%,
          if compute took no time, the step would take 5.937 ms

part          time  share    group          time  share
forward   2.311 ms  22.4%    embedding  17.92 us   0.2%
backward  4.408 ms  42.6%    attention  2.215 ms  21.4%
update    3.618 ms  35.0%    mlp        4.313 ms  41.7%
                             norm       172.2 us   1.7%
                             head       666.2 ns   0.0%
                             loss       6.000 ns   0.0%
                             optimizer  3.618 ms  35.0%

rate      967.4 samples/s, MFU 58.0%, HFU 58.0% of 100.0 TFLOP/s, FLOPs as in palm
work      model 599.4 GFLOP, executed 600.8 GFLOP, memory traffic 5.937 GB

memory            size  of device
weights       241.2 MB       2.4%
gradients     241.2 MB       2.4%
optimizer     1.447 GB      14.5%  states and master weights
activations   264.5 MB       2.6%  kept for backward
transient     13.12 MB       0.1%  gradients of activations
not at once  -238.0 MB      -2.4%  gradients grow while activations are freed
total     1.970 GB (1.83 GiB) of 10.00 GB (9.31 GiB), 19.7%: fits, 8.030 GB free

cost      1 USD per device-hour (nowhere, 2020-01), 2.872e-06 USD per step,
          0.0002872 USD per thousand samples

# With two tensor ranks and two stages, each rank sends 10 x 82 x 1000 values of 2 bytes per micro-batch.
$ nncost estimate --full vision round --tensor 2 --pipeline 2 --micro-batch 10 --micro-batches 4 --stages | tail -8

stage layers and        params  forward backward weight     busy   bubble in flight
    0      5 embedding 30.43 M 802.3 us 1.322 ms      - 8.498 ms 2.107 ms         2 busiest
    1      5 head      30.15 M 794.4 us 1.321 ms      - 8.463 ms 2.142 ms         1

stage  weights gradients optimizer activations transient not at once reserve    total of device fits
    0 60.86 MB  60.86 MB  365.2 MB    164.3 MB  6.560 MB         0 B     0 B 657.8 MB      6.6% yes
    1 60.30 MB  60.30 MB  361.8 MB    83.82 MB  6.560 MB         0 B     0 B 572.8 MB      5.7% yes
$ nncost ops vision round --tensor 2 --pipeline 2 --micro-batch 10 --micro-batches 4 | grep pipeline.send
pipeline.send   comm          4 bytes=1640000        -       0       0      -        -     - -

# --lora trains adapters. The adapters have 8 layers x rank 4 x (3 x 2,000 for queries, keys, values + 2,000 + 2 x
# 5,000) parameters.
$ nncost estimate dense round --full --full --lora 4 | sed -n '1p; /^plan/,/^$/p'
model     dense, A small decoder, decoder, 107,682,000 parameters, 576,000 trained
plan      batch 1, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
          adapters of rank 4 on linear layers, frozen weights in 16bit,
          software torch-compile (chosen for this plan), mode predicted


# If the launch time of the host is 0, the step time is exactly the sum of the times of its ops.
$ nncost estimate dense round --software eager --set device.host.kernel_s=0 --format json | grep -o '"step_s": [^,]*'
"step_s": 0.018949176
$ nncost ops dense round --software eager --set device.host.kernel_s=0 --format csv | python3 -c "import csv, sys; print('%.9g' % sum(float(r['time_s']) * float(r['repeat']) for r in csv.DictReader(sys.stdin)))"
0.018949176

# Refuses options that have no effect on the estimate.
$ nncost estimate dense round --building shed
! nncost: --building: has no effect here, expected together with --tokens or --samples, or 'nncost run'
[2]
$ nncost estimate dense round --host 1e-4
! nncost: --host: has no effect here, expected together with --software torch-eager and --implementation
[2]

# Refuses option names of other programs if the option has no effect alone, or if it has another meaning in the other
# program.
$ nncost estimate dense round --load_in_4bit
! nncost: --frozen: has no effect here, expected together with --lora or --train (--load-in-4bit is --frozen nf4)
[2]
$ nncost estimate dense round --overlap-grad-reduce
! nncost: --overlap-grad-reduce: unknown option, did you mean --overlap X, the share of communication that overlaps?
[2]

# The first screen names the trained parts and the offloaded tensors of the plan.
$ nncost estimate dense round --train mlp --offload optimizer | grep -A 1 ^plan
plan      trains mlp, offload optimizer, batch 1, sequence 1000, bf16, adamw, torch-compile
step      624.8 ms
$ nncost estimate dense round --train-layers 1 --train-from 1 | grep -A 1 ^plan
plan      trains 1 layer from layer 1 on, batch 1, sequence 1000, bf16, adamw, torch-compile
step      5.725 ms
$ nncost estimate dense round --train-layers 2 | grep -A 1 ^plan
plan      trains the last 2 layers, batch 1, sequence 1000, bf16, adamw, torch-compile
step      4.675 ms

# A proposed larger micro-batch keeps the global batch if possible. If no larger micro-batch divides the global batch,
# the line "faster" proposes a new global batch.
$ nncost estimate dense round --devices 4 --global-batch 64 --micro-batch 4 | grep -A1 '^faster'
faster    --zero 1: 122.5 ms, 1.02x the rate, 1.959 GB
          --optimizer adam8bit: 123.6 ms, 1.01x the rate, 2.284 GB
$ nncost estimate dense round --devices 4 --global-batch 16 | grep -A1 '^faster'
faster    --zero 1: 31.53 ms, 1.08x the rate, 1.052 GB
          --optimizer adam8bit: 32.66 ms, 1.04x the rate, 1.377 GB
$ nncost estimate dense round --devices 4 --global-batch 12 | grep -A1 '^faster'
faster    --micro-batch 16 --global-batch 64: 124.9 ms, 1.13x the rate, 6.552 GB
          --zero 1: 23.94 ms, 1.1x the rate, 1.052 GB

# If the batch of a pipeline is not given, the advice is four micro-batches per stage, because four micro-batches make
# the bubble small.
$ nncost estimate dense round --devices 4 --pipeline 4 | sed -n '/^faster/,$p'
faster    --micro-batches 16: 44.75 ms, 3.16x the rate, 832.9 MB
          --micro-batch 32: 243.9 ms, 1.16x the rate, 4.068 GB
          --optimizer adam8bit: 8.416 ms, 1.05x the rate, 451.4 MB
--full    shows the parts of the step, memory by class, and all plan settings
$ nncost estimate dense round --devices 4 --pipeline 4 --micro-batches 16 | sed -n '/^step/p; /^rate/p'
step      44.75 ms, busiest stage 3 of 4
rate      357,570 tokens/s, 357.6 samples/s, MFU 65.4%
$ nncost estimate dense round --devices 4 --pipeline 4 --global-batch 1 | grep -c -e '--micro-batches'
0
[1]

# --inference computes a forward pass without training: no gradients, no optimizer and no loss.
$ nncost estimate dense round --inference --micro-batch 4 --seq-len 100
One forward pass of A small decoder takes 980.9 us on A device of round figures and is bound by
compute (86.5% of the time); it fits: 243.8 MB of 10.00 GB per device.

plan      batch 4, sequence 100, bf16, torch-compile
step      980.9 us
          datasheet rates: no efficiency of this device was measured
          without torch.compile (--software torch-eager): 980.9 us, 243.8 MB
bounds    lower 854.5 us, upper without overlap 1.327 ms
bound by  compute 86.5%, memory 13.5%, 456.2 us if compute took no time
memory    243.8 MB of 10.00 GB, fits, 9.756 GB free
          weights 214.2 MB
rate      407,786 tokens/s, 4,078 samples/s, MFU 87.8%
cost      2.725e-07 USD a step, 0.0006812 per million tokens, at 1 a device-hour
--full    shows the parts of the step, memory by class, and all plan settings
$ nncost ops dense round --train none --micro-batch 4 --seq-len 100 | grep -E 'backward|update|loss'
[1]
$ nncost estimate dense round --train none,mlp
! nncost: --train: --train none is one forward pass, expected only the word none
[3]
$ nncost estimate dense round --inference --emit deepspeed
! nncost: --train: none cannot be written for deepspeed, because a file for deepspeed starts a training
[3]
$ nncost estimate dense round --inference --optimizer sgd
! nncost: --optimizer: has no effect here, expected together with a step that trains
[2]
$ nncost search dense round --train none --devices 2 --global-batch 8 --seq-len 100 | sed -n '/^ *step/,/^$/p'
    step    memory    MFU  bubble  plan
980.9 us  239.0 MB  87.8%    0.0%  dp2 mb2 (+9)
(+N): N further plans have the same step time and memory

    step    memory    MFU  bubble  plan
980.9 us  239.0 MB  87.8%    0.0%  dp2 mb2
1.091 ms  140.9 MB  78.9%    2.9%  dp1 pp2 vpp5 mb2 ends
1.213 ms  138.5 MB  71.0%    2.7%  dp1 pp2 vpp4 mb1
1.295 ms  129.4 MB  66.5%    0.0%  dp1 tp2 sp mb8
1.335 ms  123.8 MB  64.5%    0.0%  dp1 tp2 sp mb4
1.415 ms  121.0 MB  60.9%    0.0%  dp1 tp2 sp mb2
1.713 ms  119.6 MB  50.3%    0.0%  dp1 tp2 sp mb1
