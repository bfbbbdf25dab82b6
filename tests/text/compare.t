# Tests 'nncost compare', which prints devices, models and plans in one table.

# Compares devices, in all formats.
$ nncost compare dense round,fitted,old
device      step  tokens/s    MFU    memory  fits  bound    USD/Mtoken
round   10.80 ms    92,629  67.8%  1.782 GB  yes   compute    0.002999  cheapest
fitted  9.457 ms   105,745  38.7%  1.782 GB  yes   compute    0.005254  fastest
old     21.59 ms    46,314  67.8%  1.782 GB  yes   compute           -
$ nncost compare dense round,old --format csv
model.id,model.name,model.family,model.params,model.active_params,model.trained_params,model.matmul_params,model.params_by_group.embedding,model.params_by_group.attention,model.params_by_group.mlp,model.params_by_group.norm,model.params_by_group.conv,model.params_by_group.resample,model.params_by_group.time,model.params_by_group.head,model.params_by_group.loss,model.params_by_group.optimizer,model.params_by_group.network,model.padded_vocab,device.id,device.name,device.peak_flops_per_s,device.mem_bytes,device.mem_bytes_per_s,device.ridge_flops_per_byte,device.critical_tokens,device.critical_width,device.fitted,device.basis,plan.devices,plan.data,plan.tensor,plan.pipeline,plan.virtual_stages,plan.context,plan.expert,plan.sequence_parallel,plan.zero,plan.shard,plan.reshard,plan.devices_per_node,plan.schedule,plan.context_kind,plan.rank_order,plan.overlap,plan.capacity_factor,plan.imbalance,plan.micro_batch,plan.micro_batches,plan.global_batch,plan.seq_len,plan.image,plan.precision,plan.policy,plan.optimizer,plan.recompute,plan.recompute_every,plan.recompute_layers,plan.offload,plan.attention,plan.activations,plan.software,plan.software_chosen,plan.mode,plan.overrides,plan.cluster,plan.ends_as_layers,plan.first_stage_layers,plan.last_stage_layers,plan.whole_experts,plan.train,plan.train_layers,plan.train_from,plan.next_tokens,plan.adapter_rank,plan.adapters,plan.dora,plan.oft,plan.frozen,plan.fp8_inputs,plan.optimizer_rank,plan.optimizer_kernels,plan.flops_convention,plan.clip_gradients,plan.tokens,plan.samples,plan.price,plan.reserve_bytes,work.forward_flops,work.backward_flops,work.recompute_flops,work.model_flops,work.causal_flops,work.hardware_flops,work.executed_flops,work.vector_flops,work.six_nd_flops,work.flops_convention,work.read_bytes,work.write_bytes,work.input_bytes,work.tokens,step.step_s,step.interval_s.0,step.interval_s.1,step.lower_bound_s,step.upper_bound_s,step.forward_s,step.backward_s,step.recompute_s,step.update_s,step.exposed_comm_s,step.bubble_s,step.host_s,step.exposed_comm.tensor,step.exposed_comm.context,step.exposed_comm.expert,step.exposed_comm.data,step.exposed_comm.pipeline,step.exposed_comm.offload,step.communication.tensor,step.communication.context,step.communication.expert,step.communication.data,step.communication.pipeline,step.communication.offload,step.bubble_ratio,step.bubble_share,step.idle_share,step.stage,step.bound,step.next_bound,step.bound_s.compute,step.bound_s.memory,step.bound_s.network,step.bound_s.host,step.bound_s.bubble,step.step_without_bound_s,step.advice,step.kernels,throughput.samples_per_s,throughput.tokens_per_s,throughput.tokens_per_s_per_device,throughput.model_flops_per_s_per_device,throughput.mfu,throughput.causal_mfu,throughput.hfu,memory.stage,memory.weight_bytes,memory.gradient_bytes,memory.optimizer_bytes,memory.activation_bytes,memory.transient_bytes,memory.apart_bytes,memory.reserve_bytes,memory.total_bytes,memory.capacity_bytes,memory.headroom_bytes,memory.total_interval_bytes.0,memory.total_interval_bytes.1,memory.peak_allocated_bytes,memory.peak_reserved_bytes,memory.context_bytes,memory.static_bytes,memory.transient_what,memory.fits,memory.fit,memory.helper_bytes,cost.price_per_device_hour,cost.currency,cost.step,cost.per_million_tokens,cost.per_thousand_samples,cost.run,cost.device_hours,cost.run_s,cost.energy_j,run.devices,run.nodes,run.steps,run.tokens,run.samples,run.flops,run.flops_per_token,run.step_s,run.fetch_s,run.prepare_s,run.transfer_s,run.input_s,run.input_wait_s,run.input_bound,run.input_bytes_per_s,run.workers_needed,run.prefetch_bytes,run.rollout_step_s,run.score_step_s,run.sync_step_s,run.outer_bytes,run.outer_s,run.device_mtbf_s,run.system_mtbf_s,run.survive_hour,run.stops,run.nodes_out,run.spares_needed,run.short_share,run.checkpoint_bytes,run.block_s,run.save_s,run.load_s,run.restart_s,run.young_s,run.interval_s,run.goodput,run.first_order,run.train_s,run.wait_s,run.rollout_s,run.score_s,run.sync_s,run.straggler_s,run.save_time_s,run.lost_s,run.evaluate_s,run.warmup_s,run.planned_s,run.sites_s,run.run_s,run.days,run.device_hours,run.price_per_device_hour,run.cost_devices,run.cost_storage,run.cost_egress,run.cost,run.cost_per_million_tokens,run.busy_share,run.power_w,run.energy_j,run.rated_energy_j,run.carbon_kg,run.rated_carbon_kg,run.embodied_carbon_kg,change_s,framework_s,command\r
dense,A small decoder,decoder,107106000,107106000,107106000,106106000,11000000,32032000,64040000,34000,0,0,0,0,0,0,0,,round,A device of round figures,1e14,10000000000,1e12,100,100,2000,false,none,1,1,1,1,1,1,1,false,0,1,true,8,1f1b,ring,tensor-context-data-pipeline,,0,1,1,1,1,1000,,bf16,mixed,adamw,none,1,0,none,flash,per-op,torch-compile,true,predicted,,,false,0,0,false,all,0,-1,false,0,linear,false,false,16bit,false,16,default,palm,true,,,,,244000000000,488000000000,0,732000000000,684048000000,732000000000,692056000000,3575260000,636636000000,palm,3230368000,2307740000,4000,1000,0.010795756,,,0.00692056,0.0127665588,0.002568168,0.005014408,0,0.00321318,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,compute,memory,0.00692056,0.003875196,0,0,0,0.005538108,,,92.6289923559,92628.9923559,92628.9923559,6.78044224045e13,0.678044224045,0.633626769631,0.678044224045,0,214212000,214212000,1285272000,280408000,22000000,-234212000,0,1781892000,10000000000,8218108000,1781892000,1781892000,1781892096,1793064960,0,1713696000,gradients of activations,true,fits,,1,USD,2.99882111111e-6,0.00299882111111,,,,,10.795756,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,nncost estimate dense round\r
dense,A small decoder,decoder,107106000,107106000,107106000,106106000,11000000,32032000,64040000,34000,0,0,0,0,0,0,0,,old,An old device without bf16,5e13,5000000000,500000000000,100,100,4000,false,none,1,1,1,1,1,1,1,false,0,1,true,16,1f1b,ring,tensor-context-data-pipeline,,0,1,1,1,1,1000,,fp16,mixed,adamw,none,1,0,none,flash,per-op,torch-compile,true,predicted,,,false,0,0,false,all,0,-1,false,0,linear,false,false,16bit,false,16,default,palm,true,,,,,244000000000,488000000000,0,732000000000,684048000000,732000000000,692056000000,3575260000,636636000000,palm,3230368000,2307740000,4000,1000,0.021591512,,,0.01384112,0.0252252268,0.005136336,0.010028816,0,0.00642636,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,compute,memory,0.01384112,0.007750392,0,0,0,0.011076216,,,46.3144961779,46314.4961779,46314.4961779,3.39022112023e13,0.678044224045,0.633626769631,0.678044224045,0,214212000,214212000,1285272000,280408000,22000000,-234212000,0,1781892000,5000000000,3218108000,1781892000,1781892000,1781892096,1793064960,0,1713696000,gradients of activations,true,fits,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,nncost estimate dense old\r
$ nncost compare dense round,old --format json
{
  "schema": "nncost.compare/1",
  "rows": [
    {"model": {"id": "dense", "name": "A small decoder", "family": "decoder", "params": 107106000, "active_params": 107106000, "matmul_params": 106106000, "params_by_group": {"embedding": 11000000, "attention": 32032000, "mlp": 64040000, "norm": 34000}}, "device": {"id": "round", "name": "A device of round figures", "peak_flops_per_s": 1e14, "mem_bytes": 10000000000, "mem_bytes_per_s": 1e12, "ridge_flops_per_byte": 100, "critical_tokens": 100, "critical_width": 2000, "fitted": false, "basis": "none"}, "plan": {"devices": 1, "data": 1, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 0, "shard": 1, "reshard": true, "devices_per_node": 8, "schedule": "1f1b", "context_kind": "ring", "rank_order": "tensor-context-data-pipeline", "overlap": null, "capacity_factor": 0, "imbalance": 1, "micro_batch": 1, "micro_batches": 1, "global_batch": 1, "seq_len": 1000, "image": null, "precision": "bf16", "policy": "mixed", "optimizer": "adamw", "recompute": "none", "recompute_every": 1, "recompute_layers": 0, "offload": "none", "attention": "flash", "activations": "per-op", "software": "torch-compile", "software_chosen": true, "mode": "predicted", "overrides": null, "cluster": null, "ends_as_layers": false, "first_stage_layers": 0, "last_stage_layers": 0, "whole_experts": false, "train": "all", "train_layers": 0, "train_from": -1, "next_tokens": false, "adapter_rank": 0, "adapters": "linear", "dora": false, "oft": false, "frozen": "16bit", "fp8_inputs": false, "optimizer_rank": 16, "optimizer_kernels": "default", "flops_convention": "palm", "clip_gradients": true, "tokens": null, "samples": null, "price": null, "reserve_bytes": null}, "work": {"forward_flops": 244000000000, "backward_flops": 488000000000, "recompute_flops": 0, "model_flops": 732000000000, "causal_flops": 684048000000, "hardware_flops": 732000000000, "executed_flops": 692056000000, "vector_flops": 3575260000, "six_nd_flops": 636636000000, "flops_convention": "palm", "read_bytes": 3230368000, "write_bytes": 2307740000, "input_bytes": 4000, "tokens": 1000}, "step": {"step_s": 0.010795756, "interval_s": [null, null], "lower_bound_s": 0.00692056, "upper_bound_s": 0.0127665588, "forward_s": 0.002568168, "backward_s": 0.005014408, "recompute_s": 0, "update_s": 0.00321318, "exposed_comm_s": 0, "bubble_s": 0, "host_s": 0, "exposed_comm": {"tensor": 0, "context": 0, "expert": 0, "data": 0, "pipeline": 0, "offload": 0}, "communication": {"tensor": 0, "context": 0, "expert": 0, "data": 0, "pipeline": 0, "offload": 0}, "bubble_ratio": 0, "bubble_share": 0, "idle_share": 0, "stage": 0, "bound": "compute", "next_bound": "memory", "bound_s": {"compute": 0.00692056, "memory": 0.003875196, "network": 0, "host": 0, "bubble": 0}, "step_without_bound_s": 0.005538108, "advice": null, "kernels": null}, "throughput": {"samples_per_s": 92.6289923559, "tokens_per_s": 92628.9923559, "tokens_per_s_per_device": 92628.9923559, "model_flops_per_s_per_device": 6.78044224045e13, "mfu": 0.678044224045, "causal_mfu": 0.633626769631, "hfu": 0.678044224045}, "memory": {"stage": 0, "weight_bytes": 214212000, "gradient_bytes": 214212000, "optimizer_bytes": 1285272000, "activation_bytes": 280408000, "transient_bytes": 22000000, "apart_bytes": -234212000, "reserve_bytes": 0, "total_bytes": 1781892000, "capacity_bytes": 10000000000, "headroom_bytes": 8218108000, "total_interval_bytes": [1781892000, 1781892000], "peak_allocated_bytes": 1781892096, "peak_reserved_bytes": 1793064960, "context_bytes": 0, "static_bytes": 1713696000, "transient_what": "gradients of activations", "fits": true, "fit": "fits", "advice": null}, "cost": {"price_per_device_hour": 1, "currency": "USD", "step": 2.99882111111e-6, "per_million_tokens": 0.00299882111111, "per_thousand_samples": null, "run": null, "device_hours": null, "run_s": null, "energy_j": 10.795756}, "command": "nncost estimate dense round"},
    {"model": {"id": "dense", "name": "A small decoder", "family": "decoder", "params": 107106000, "active_params": 107106000, "matmul_params": 106106000, "params_by_group": {"embedding": 11000000, "attention": 32032000, "mlp": 64040000, "norm": 34000}}, "device": {"id": "old", "name": "An old device without bf16", "peak_flops_per_s": 5e13, "mem_bytes": 5000000000, "mem_bytes_per_s": 500000000000, "ridge_flops_per_byte": 100, "critical_tokens": 100, "critical_width": 4000, "fitted": false, "basis": "none"}, "plan": {"devices": 1, "data": 1, "tensor": 1, "pipeline": 1, "virtual_stages": 1, "context": 1, "expert": 1, "sequence_parallel": false, "zero": 0, "shard": 1, "reshard": true, "devices_per_node": 16, "schedule": "1f1b", "context_kind": "ring", "rank_order": "tensor-context-data-pipeline", "overlap": null, "capacity_factor": 0, "imbalance": 1, "micro_batch": 1, "micro_batches": 1, "global_batch": 1, "seq_len": 1000, "image": null, "precision": "fp16", "policy": "mixed", "optimizer": "adamw", "recompute": "none", "recompute_every": 1, "recompute_layers": 0, "offload": "none", "attention": "flash", "activations": "per-op", "software": "torch-compile", "software_chosen": true, "mode": "predicted", "overrides": null, "cluster": null, "ends_as_layers": false, "first_stage_layers": 0, "last_stage_layers": 0, "whole_experts": false, "train": "all", "train_layers": 0, "train_from": -1, "next_tokens": false, "adapter_rank": 0, "adapters": "linear", "dora": false, "oft": false, "frozen": "16bit", "fp8_inputs": false, "optimizer_rank": 16, "optimizer_kernels": "default", "flops_convention": "palm", "clip_gradients": true, "tokens": null, "samples": null, "price": null, "reserve_bytes": null}, "work": {"forward_flops": 244000000000, "backward_flops": 488000000000, "recompute_flops": 0, "model_flops": 732000000000, "causal_flops": 684048000000, "hardware_flops": 732000000000, "executed_flops": 692056000000, "vector_flops": 3575260000, "six_nd_flops": 636636000000, "flops_convention": "palm", "read_bytes": 3230368000, "write_bytes": 2307740000, "input_bytes": 4000, "tokens": 1000}, "step": {"step_s": 0.021591512, "interval_s": [null, null], "lower_bound_s": 0.01384112, "upper_bound_s": 0.0252252268, "forward_s": 0.005136336, "backward_s": 0.010028816, "recompute_s": 0, "update_s": 0.00642636, "exposed_comm_s": 0, "bubble_s": 0, "host_s": 0, "exposed_comm": {"tensor": 0, "context": 0, "expert": 0, "data": 0, "pipeline": 0, "offload": 0}, "communication": {"tensor": 0, "context": 0, "expert": 0, "data": 0, "pipeline": 0, "offload": 0}, "bubble_ratio": 0, "bubble_share": 0, "idle_share": 0, "stage": 0, "bound": "compute", "next_bound": "memory", "bound_s": {"compute": 0.01384112, "memory": 0.007750392, "network": 0, "host": 0, "bubble": 0}, "step_without_bound_s": 0.011076216, "advice": null, "kernels": null}, "throughput": {"samples_per_s": 46.3144961779, "tokens_per_s": 46314.4961779, "tokens_per_s_per_device": 46314.4961779, "model_flops_per_s_per_device": 3.39022112023e13, "mfu": 0.678044224045, "causal_mfu": 0.633626769631, "hfu": 0.678044224045}, "memory": {"stage": 0, "weight_bytes": 214212000, "gradient_bytes": 214212000, "optimizer_bytes": 1285272000, "activation_bytes": 280408000, "transient_bytes": 22000000, "apart_bytes": -234212000, "reserve_bytes": 0, "total_bytes": 1781892000, "capacity_bytes": 5000000000, "headroom_bytes": 3218108000, "total_interval_bytes": [1781892000, 1781892000], "peak_allocated_bytes": 1781892096, "peak_reserved_bytes": 1793064960, "context_bytes": 0, "static_bytes": 1713696000, "transient_what": "gradients of activations", "fits": true, "fit": "fits", "advice": null}, "cost": {"price_per_device_hour": null, "currency": null, "step": null, "per_million_tokens": null, "per_thousand_samples": null, "run": null, "device_hours": null, "run_s": null, "energy_j": null}, "command": "nncost estimate dense old"}
  ]
}
$ nncost compare dense round,old --format markdown
| device | step | tokens/s | MFU | memory | fits | bound | USD/Mtoken |  |
|:---|---:|---:|---:|---:|:---|:---|---:|:---|
| round | 10.80 ms | 92,629 | 67.8% | 1.782 GB | yes | compute | 0.002999 | fastest, cheapest |
| old | 21.59 ms | 46,314 | 67.8% | 1.782 GB | yes | compute | - |  |

# Compares two models by tokens. A model of tokens and a model of images are compared by samples.
$ nncost compare dense,experts round --micro-batch 4
model    device      step  tokens/s    MFU    memory  fits  bound    USD/Mtoken
dense    round   33.54 ms   119,248  87.3%  2.629 GB  yes   compute    0.002329
experts  round   17.17 ms   232,910  69.9%  2.409 GB  yes   compute    0.001193  fastest, cheapest
$ nncost compare dense,unet round
model  device      step  samples/s    MFU    memory  fits  bound    USD/ksample
dense  round   10.80 ms      92.63  67.8%  1.782 GB  yes   compute     0.002999
unet   round   554.1 us      1,805  35.3%  155.1 MB  yes   memory     0.0001539  fastest, cheapest

# Lists give one row for each combination. A "+" joins several names to one value, such as norm+activation.
$ nncost compare dense round,fitted --micro-batch 1,4 --recompute none,norm+activation,full
device micro-batch recompute           step tokens/s   MFU   memory fits bound   USD/Mtoken
round  1           none            10.80 ms   92,629 67.8% 1.782 GB yes  compute   0.002999
round  1           norm+activation 10.99 ms   91,010 66.6% 1.722 GB yes  compute   0.003052
round  1           full            13.13 ms   76,150 55.7% 1.722 GB yes  compute   0.003648
round  4           none            33.54 ms  119,248 87.3% 2.629 GB yes  compute   0.002329 cheapest
round  4           norm+activation 34.31 ms  116,579 85.3% 2.253 GB yes  compute   0.002383
round  4           full            42.89 ms   93,266 68.3% 1.860 GB yes  compute   0.002978
fitted 1           none            9.457 ms  105,745 38.7% 1.782 GB yes  compute   0.005254
fitted 1           norm+activation 9.889 ms  101,125 37.0% 1.722 GB yes  compute   0.005494
fitted 1           full            11.81 ms   84,702 31.0% 1.722 GB yes  compute   0.006559
fitted 4           none            25.53 ms  156,692 57.3% 2.629 GB yes  compute   0.003546 fastest
fitted 4           norm+activation 26.54 ms  150,740 55.2% 2.253 GB yes  compute   0.003686
fitted 4           full            32.76 ms  122,086 44.7% 1.860 GB yes  compute   0.004551
$ nncost compare dense round --software torch-compile,eager
device software          step tokens/s   MFU   memory fits bound   USD/Mtoken
round  torch-compile 10.80 ms   92,629 67.8% 1.782 GB yes  compute   0.002999 fastest, cheapest
round  eager         18.98 ms   52,677 38.6% 2.108 GB yes  memory    0.005273

# A plan that does not fit is marked in its row. If no plan fits, the exit code is 1.
$ nncost compare dense round,fitted --micro-batch 48
device      step  tokens/s    MFU    memory  fits  bound    USD/Mtoken
round   367.2 ms   130,727  95.7%  15.05 GB  NO    compute    0.002125
fitted  279.9 ms   171,480  62.8%  15.05 GB  yes   compute     0.00324  fastest, cheapest
$ nncost compare dense round,old --micro-batch 64
device      step  tokens/s    MFU    memory  fits  bound    USD/Mtoken
round   488.5 ms   131,014  95.9%  19.57 GB  NO    compute     0.00212
old     977.0 ms    65,507  95.9%  19.57 GB  NO    compute           -
[1]

# Compares degrees of parallelism and pipeline schedules on many devices.
$ nncost compare dense round,fitted --devices 16 --tensor 2,4 --pipeline 1,2 --global-batch 32 --zero 1
device tensor pipeline     step  tokens/s   MFU   memory fits bound   USD/Mtoken
round  2      1        20.63 ms 1,551,430 71.0% 483.7 MB yes  compute   0.002865 fastest, cheapest
round  2      2        23.88 ms 1,340,294 61.3% 378.6 MB yes  compute   0.003316
round  4      1        29.18 ms 1,096,701 50.2% 321.2 MB yes  compute   0.004053
round  4      2        30.71 ms 1,042,011 47.7% 271.5 MB yes  compute   0.004265
fitted 2      1        33.82 ms   946,140 21.6% 483.7 MB yes  compute   0.009395
fitted 2      2        39.25 ms   815,339 18.7% 378.6 MB yes  compute     0.0109
fitted 4      1        60.20 ms   531,586 12.2% 321.2 MB yes  network    0.01672
fitted 4      2        65.11 ms   491,507 11.2% 271.5 MB yes  network    0.01808
$ nncost compare dense round --devices 16 --tensor 2 --pipeline 4 --schedule 1f1b,gpipe,zb-h1,zb-h2,zb-v,dualpipe --global-batch 16 --zero 1
device  schedule      step   tokens/s    MFU    memory  fits  bound    USD/Mtoken
round   1f1b      16.30 ms    981,738  44.9%  348.5 MB  yes   compute    0.004527
round   gpipe     16.30 ms    981,738  44.9%  614.8 MB  yes   compute    0.004527
round   zb-h1     14.46 ms  1,106,682  50.6%  348.5 MB  yes   compute    0.004016
round   zb-h2     13.44 ms  1,190,686  54.5%  560.7 MB  yes   compute    0.003733
round   zb-v      12.39 ms  1,291,300  59.1%  366.6 MB  yes   compute    0.003442
round   dualpipe  11.10 ms  1,440,837  65.9%  526.8 MB  yes   compute    0.003085  fastest, cheapest

# If the plan of one row is illegal, the command is refused. The first command names a device that cannot train in the
# requested number format; the second command has a number of devices that is not a multiple of a degree.
$ nncost compare dense round,old --precision bf16
! nncost: --precision: old does not train in this format, expected one of fp32, fp16, found bf16
[3]
$ nncost compare dense round --devices 64 --tensor 3,8 --global-batch 64
! nncost: --devices: expected a multiple of tensor x pipeline x context = 3, found 64
[3]

# On a narrow terminal, the table has fewer columns.
$ COLUMNS=60 nncost compare dense round,old --micro-batch 1,2
device micro-batch     step tokens/s fits
round  1           10.80 ms   92,629 yes
round  2           18.38 ms  108,824 yes  fastest, cheapest
old    1           21.59 ms   46,314 yes
old    2           36.76 ms   54,412 yes
left out: MFU, memory, bound, USD/Mtoken (a width of 60, see
COLUMNS)

# Tests wrong lists: an empty value, a value given twice, and too many combinations.
$ nncost compare dense round,,old
! nncost: DEVICE: empty value in the list "round,,old"
[2]
$ nncost compare dense round,round
! nncost: DEVICE: "round" twice in the list "round,round"
[2]
$ nncost compare dense round --micro-batch $(seq -s, 40) --micro-batches $(seq -s, 40)
! nncost: --micro-batches: too many combinations, expected at most 1000
[2]

# A device can have the efficiencies of similar devices. If a device with the efficiencies of similar devices is the
# fastest, its row has the mark "not measured".
$ sed 's/"id": "fitted"/"id": "carried"/; s/"basis": "[a-z]*"/"basis": "default"/' toy/hw/fitted.json >toy/hw/carried.json
$ grep -c '"basis": "default"' toy/hw/carried.json
1
$ nncost compare dense round,carried
device       step  tokens/s    MFU    memory  fits  bound    USD/Mtoken
round    10.80 ms    92,629  67.8%  1.782 GB  yes   compute    0.002999  cheapest
carried  9.457 ms   105,745  38.7%  1.782 GB  yes   compute    0.005254  fastest, not measured
$ nncost compare dense carried --micro-batch 1,2
device  micro-batch     step tokens/s   MFU   memory fits USD/Mtoken
carried 1           9.457 ms  105,745 38.7% 1.782 GB yes    0.005254 not measured
carried 2           14.80 ms  135,111 49.5% 2.064 GB yes    0.004112 fastest, cheapest, not measured
left out: bound (a width of 100, see COLUMNS)
$ nncost search dense carried --devices 1 --global-batch 2 | sed -n 4p
not measured on this device: its efficiencies are those of similar devices

# With --tokens, the table has the time and cost of the run, including losses such as failures and checkpoints. A list
# of values of a run's option gives one row for each value.
$ nncost compare dense round,fitted --devices 16 --tokens 100B --region toyland --price 2
device     step  tokens/s   memory fits     run device-h run USD   kWh  t CO2e
round  11.72 ms 1,365,702 2.016 GB yes  20.34 h    325.4   650.9 325.4  0.1627
fitted 9.919 ms 1,613,016 2.016 GB yes  17.22 h    275.5   551.1 137.8 0.06888 fastest, cheapest
left out: MFU, bound, USD/Mtoken (a width of 100, see COLUMNS)
$ nncost compare dense round --devices 16 --tokens 100B --device-mtbf-s 1000h --storage-write-bytes-per-s 100MB/s,1GB/s --price 2
device storage-write-bytes-per-s     step  tokens/s fits     run run USD   kWh
round  100MB/s                   11.72 ms 1,365,702 yes  20.64 h   660.3 330.2
round  1GB/s                     11.72 ms 1,365,702 yes  20.47 h   655.1 327.5 fastest, cheapest
left out: MFU, memory, bound, device-h, goodput, USD/Mtoken (a width of 100, see COLUMNS)
$ nncost compare dense round --devices 16 --tokens 100B --device-mtbf-s 1000h --storage-write-bytes-per-s 1GB/s -f json | grep -o '"run": {.*' | grep -o '"\(run_s\|goodput\|device_hours\|cost\|energy_j\|carbon_kg\)": [^,}]*'
"goodput": 0.993561076494
"run_s": 73696.9336866
"device_hours": 327.541927496
"cost": 327.541927496
"energy_j": 1179150938.99
"carbon_kg": null
$ nncost run dense round --devices 16 --tokens 100B --device-mtbf-s 1000h --storage-write-bytes-per-s 1GB/s -f json | grep -o '"run": {.*' | grep -o '"\(run_s\|goodput\|device_hours\|cost\|energy_j\|carbon_kg\)": [^,}]*'
"goodput": 0.993561076494
"run_s": 73696.9336866
"device_hours": 327.541927496
"cost": 327.541927496
"energy_j": 1179150938.99
"carbon_kg": null

# A list of names such as norm,activation is one value in every command, as in 'nncost estimate'. A list that also has a
# value of another kind, such as none, is a list of several values.
$ for o in recompute=norm,activation offload=optimizer,activations train=attention,mlp; do for c in estimate compare sweep; do nncost $c dense round --$o --format json | grep -oE '"(step|step.)?step_s": ?[0-9.]+' | head -1 | tr '\n' ' '; nncost $c dense round --$o --format json | grep -o '"command": "nncost estimate' | wc -l; done; done
"step_s": 0.010987756 0
"step_s": 0.010987756 1
"step.step_s": 0.010987756 1
"step_s": 1.09407336387 0
"step_s": 1.09407336387 1
"step.step_s": 1.09407336387 1
"step_s": 0.010256728 0
"step_s": 0.010256728 1
"step.step_s": 0.010256728 1
$ nncost compare dense round --recompute none,norm,activation --format csv | cut -d, -f1 | wc -l
4
$ nncost compare dense round --recompute norm+,activation+ --format csv | wc -l
3
$ nncost sweep dense round --recompute none,norm+activation -f csv --columns plan.recompute,step_s
plan.recompute,step.step_s\r
none,0.010795756\r
"norm,activation",0.010987756\r
$ nncost search dense round --devices 1 --global-batch 8 --recompute norm,activation --format json | grep -o '"recompute": "[^"]*"' | sort -u
"recompute": "norm,activation"
$ nncost sweep dense round --set device.scale_up.dims=4,4 2>&1 | tail -1
nncost: sweep: none of the 1 plans fits, 1 illegal, 0 over memory; --all shows them with the reason

# For a plan that does not fit, the table has no time and no cost of the run. A device without a failure rate has no
# goodput.
$ nncost compare dense round,fitted --micro-batch 48 --tokens 1e9
device     step tokens/s   memory fits    run device-h run USD    kWh USD/Mtoken
round  367.2 ms  130,727 15.05 GB NO        -        -       -      -   0.002125
fitted 279.9 ms  171,480 15.05 GB yes  5832 s     1.62    3.24 0.8099    0.00324 fastest, cheapest
left out: MFU, bound (a width of 100, see COLUMNS)
$ nncost estimate dense round --micro-batch 64 --tokens 1e9 | grep '^run'
run       not shown, because the plan does not fit; 'nncost run --ignore-memory' shows it
$ nncost estimate dense round --micro-batch 64 --tokens 1e9 --full | grep '^run'
run       not shown, because the plan does not fit; 'nncost run --ignore-memory' shows it
$ nncost estimate dense round --tokens 1e9 | grep '^run'
run       2.999 h, 2.999 USD, 1.000 G tokens
$ nncost estimate dense round --price 0
! nncost: --price: out of range, expected above 0, found 0
[2]
