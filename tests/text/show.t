# 'nncost show' prints a device, a model or a software profile with its sources.

# Prints a device with fitted efficiencies, then devices without fitted efficiencies in every format except the default
# one.
$ nncost show fitted
device    toy/hw/fitted.json

field                                                  value                    unit
id                                                     fitted
name                                                   A device of round effi..
vendor                                                 none
architecture                                           ampere
year                                                   2022
units                                                  100
wave                                                   -
clock_hz                                               1000000000               Hz         1.000 GHz
matmul_flops_per_s.tf32                                1e14                     FLOP/s 100.0 TFLOP/s
matmul_flops_per_s.bf16                                2e14                     FLOP/s 200.0 TFLOP/s
matmul_flops_per_s.fp16                                2e14                     FLOP/s 200.0 TFLOP/s
matmul_flops_per_s.fp8                                 4e14                     FLOP/s 400.0 TFLOP/s
vector_flops_per_s.fp32                                1e13                     FLOP/s 10.00 TFLOP/s
vector_flops_per_s.bf16                                2e13                     FLOP/s 20.00 TFLOP/s
vector_flops_per_s.fp16                                2e13                     FLOP/s 20.00 TFLOP/s
mem_bytes                                              20000000000              B           20.00 GB
usable_bytes                                           -                        B
mem_bytes_per_s                                        2e12                     B/s       2.000 TB/s
l2_bytes                                               20000000                 B           20.00 MB
scratch_bytes                                          200000                   B           200.0 kB
scale_up.kind                                          switch
scale_up.devices                                       8
scale_up.dims                                          -
scale_up.wrap                                          -
scale_up.bytes_per_s                                   200000000000             B/s       200.0 GB/s
scale_up.latency_s                                     2e-6                     s           2.000 us
scale_up.knee_bytes                                    -                        B
scale_up.reduces_in_switch                             on
scale_out.bytes_per_s                                  20000000000              B/s       20.00 GB/s
scale_out.latency_s                                    5e-6                     s           5.000 us
scale_out.knee_bytes                                   -                        B
scale_out.oversubscription                             -
host.bytes_per_s                                       20000000000              B/s       20.00 GB/s
host.mem_bytes_per_s                                   -                        B/s
host.kernel_s                                          3.75e-5                  s           37.50 us
host.new_bytes_per_s                                   -                        B/s
power_w                                                500                      W
power_cap_w                                            -                        W
node_power.idle_w                                      -                        W
node_power.busy_w                                      -                        W
embodied_kg                                            -                        kg
mtbf.any_s                                             -                        s
mtbf.hardware_s                                        -                        s
efficiency.basis                                       steps
efficiency.calibration                                 1
efficiency.gemm.fp32.sustained_fraction                0.8
efficiency.gemm.fp32.boost_ratio                       1.25
efficiency.gemm.fp32.memory_fraction                   0.8
efficiency.gemm.fp32.fixed_s                           2e-6                     s           2.000 us
efficiency.gemm.fp32.library_memory_fraction           -
efficiency.gemm.fp32.k_fill                            100
efficiency.gemm.fp32.l2_bytes_per_flop                 0.1                      B/FLOP
efficiency.gemm.fp32.l2_bytes_per_s                    -                        B/s
efficiency.gemm.fp32.wave_quantization                 0.1
efficiency.gemm.fp32.unaligned_ratio                   1
efficiency.gemm.fp32.unaligned_backward_ratio          -
efficiency.gemm.fp32.block_ratio                       1
efficiency.gemm.fp32.group_ratio                       1
efficiency.gemm.fp32.power_share                       -
efficiency.gemm.tf32.sustained_fraction                0.8
efficiency.gemm.tf32.boost_ratio                       1.25
efficiency.gemm.tf32.memory_fraction                   0.8
efficiency.gemm.tf32.fixed_s                           2e-6                     s           2.000 us
efficiency.gemm.tf32.library_memory_fraction           -
efficiency.gemm.tf32.k_fill                            100
efficiency.gemm.tf32.l2_bytes_per_flop                 0.1                      B/FLOP
efficiency.gemm.tf32.l2_bytes_per_s                    -                        B/s
efficiency.gemm.tf32.wave_quantization                 0.1
efficiency.gemm.tf32.unaligned_ratio                   1
efficiency.gemm.tf32.unaligned_backward_ratio          -
efficiency.gemm.tf32.block_ratio                       1
efficiency.gemm.tf32.group_ratio                       1
efficiency.gemm.tf32.power_share                       -
efficiency.gemm.bf16.sustained_fraction                0.8
efficiency.gemm.bf16.boost_ratio                       1.25
efficiency.gemm.bf16.memory_fraction                   0.8
efficiency.gemm.bf16.fixed_s                           2e-6                     s           2.000 us
efficiency.gemm.bf16.library_memory_fraction           -
efficiency.gemm.bf16.k_fill                            100
efficiency.gemm.bf16.l2_bytes_per_flop                 0.05                     B/FLOP
efficiency.gemm.bf16.l2_bytes_per_s                    -                        B/s
efficiency.gemm.bf16.wave_quantization                 0.1
efficiency.gemm.bf16.unaligned_ratio                   1
efficiency.gemm.bf16.unaligned_backward_ratio          -
efficiency.gemm.bf16.block_ratio                       1
efficiency.gemm.bf16.group_ratio                       1
efficiency.gemm.bf16.power_share                       -
efficiency.gemm.fp16.sustained_fraction                0.8
efficiency.gemm.fp16.boost_ratio                       1.25
efficiency.gemm.fp16.memory_fraction                   0.8
efficiency.gemm.fp16.fixed_s                           2e-6                     s           2.000 us
efficiency.gemm.fp16.library_memory_fraction           -
efficiency.gemm.fp16.k_fill                            100
efficiency.gemm.fp16.l2_bytes_per_flop                 0.05                     B/FLOP
efficiency.gemm.fp16.l2_bytes_per_s                    -                        B/s
efficiency.gemm.fp16.wave_quantization                 0.1
efficiency.gemm.fp16.unaligned_ratio                   1
efficiency.gemm.fp16.unaligned_backward_ratio          -
efficiency.gemm.fp16.block_ratio                       1
efficiency.gemm.fp16.group_ratio                       1
efficiency.gemm.fp16.power_share                       -
efficiency.gemm.fp8.sustained_fraction                 0.75
efficiency.gemm.fp8.boost_ratio                        1
efficiency.gemm.fp8.memory_fraction                    0.6
efficiency.gemm.fp8.fixed_s                            4e-6                     s           4.000 us
efficiency.gemm.fp8.library_memory_fraction            -
efficiency.gemm.fp8.k_fill                             200
efficiency.gemm.fp8.l2_bytes_per_flop                  0.05                     B/FLOP
efficiency.gemm.fp8.l2_bytes_per_s                     -                        B/s
efficiency.gemm.fp8.wave_quantization                  0
efficiency.gemm.fp8.unaligned_ratio                    1
efficiency.gemm.fp8.unaligned_backward_ratio           -
efficiency.gemm.fp8.block_ratio                        1
efficiency.gemm.fp8.group_ratio                        1
efficiency.gemm.fp8.power_share                        -
efficiency.attention.flash1.sustained_fraction         0.2
efficiency.attention.flash1.backward_ratio             1
efficiency.attention.flash1.memory_fraction            1
efficiency.attention.flash1.fixed_s                    5e-6                     s           5.000 us
efficiency.attention.flash1.seq_half                   500
efficiency.attention.flash1.library_unmasked_half      -
efficiency.attention.flash1.library_backward_ratio     -
efficiency.attention.flash1.library_backward_bytes     -                        B
efficiency.attention.flash1.narrow_ratio               1
efficiency.attention.flash1.block_penalty              0.5
efficiency.attention.flash1.head_multiple              32
efficiency.attention.flash2.sustained_fraction         0.5
efficiency.attention.flash2.backward_ratio             0.8
efficiency.attention.flash2.memory_fraction            1
efficiency.attention.flash2.fixed_s                    1e-5                     s           10.00 us
efficiency.attention.flash2.seq_half                   500
efficiency.attention.flash2.library_unmasked_half      -
efficiency.attention.flash2.library_backward_ratio     -
efficiency.attention.flash2.library_backward_bytes     -                        B
efficiency.attention.flash2.narrow_ratio               0.8
efficiency.attention.flash2.block_penalty              0.5
efficiency.attention.flash2.head_multiple              32
efficiency.attention.flash3.sustained_fraction         0.8
efficiency.attention.flash3.backward_ratio             0.8
efficiency.attention.flash3.memory_fraction            1
efficiency.attention.flash3.fixed_s                    1e-5                     s           10.00 us
efficiency.attention.flash3.seq_half                   1000
efficiency.attention.flash3.library_unmasked_half      -
efficiency.attention.flash3.library_backward_ratio     -
efficiency.attention.flash3.library_backward_bytes     -                        B
efficiency.attention.flash3.narrow_ratio               0.8
efficiency.attention.flash3.block_penalty              0
efficiency.attention.flash3.head_multiple              32
efficiency.attention.cudnn.sustained_fraction          1
efficiency.attention.cudnn.backward_ratio              1
efficiency.attention.cudnn.memory_fraction             1
efficiency.attention.cudnn.fixed_s                     0                        s                0 s
efficiency.attention.cudnn.seq_half                    0
efficiency.attention.cudnn.library_unmasked_half       -
efficiency.attention.cudnn.library_backward_ratio      -
efficiency.attention.cudnn.library_backward_bytes      -                        B
efficiency.attention.cudnn.narrow_ratio                1
efficiency.attention.cudnn.block_penalty               0
efficiency.attention.cudnn.head_multiple               32
efficiency.conv.sustained_fraction                     0.5
efficiency.conv.memory_fraction                        0.5
efficiency.conv.fixed_s                                5e-6                     s           5.000 us
efficiency.conv.channels_half                          0
efficiency.conv.depth_half                             0
efficiency.conv.library_sustained_fraction             -
efficiency.conv.library_channels_half                  -
efficiency.conv.library_tf32_backward_ratio            -
efficiency.conv.library_tf32_contiguous_ratio          -
efficiency.conv.library_channel_fraction               -
efficiency.conv.library_channel_weight_ratio           -
efficiency.conv.vector_fraction                        -
efficiency.maps.memory_fraction                        -
efficiency.maps.fixed_s                                0                        s                0 s
efficiency.maps_tuned.memory_fraction                  -
efficiency.maps_tuned.fixed_s                          0                        s                0 s
efficiency.pointwise.sustained_fraction                1
efficiency.pointwise.memory_fraction                   0.5
efficiency.pointwise.fixed_s                           1e-5                     s           10.00 us
efficiency.pointwise_tuned.sustained_fraction          1
efficiency.pointwise_tuned.memory_fraction             -
efficiency.pointwise_tuned.fixed_s                     0                        s                0 s
efficiency.optimizer.sustained_fraction                1
efficiency.optimizer.memory_fraction                   0.8
efficiency.optimizer.fixed_s                           2e-5                     s           20.00 us
efficiency.stream.memory_fraction                      0.88
efficiency.stream.mixed_fraction                       0.58
efficiency.stream.norm_fraction                        0.7
efficiency.stream.softmax_fraction                     0.38
efficiency.stream.loss_fraction                        0.66
efficiency.stream.adamw_fraction                       0.78
efficiency.stream.adamw_narrow_fraction                0.66
efficiency.stream.norm_row_s                           9.3e-10                  s          0.9300 ns
efficiency.stream.norm_row_backward_s                  3.9e-9                   s           3.900 ns
efficiency.stream.fixed_s                              3e-6                     s           3.000 us
efficiency.collectives.all_reduce.fixed_s              2e-6                     s           2.000 us
efficiency.collectives.all_reduce.log2_s               4e-6                     s           4.000 us
efficiency.collectives.all_reduce.bus_fraction         0.8
efficiency.collectives.all_reduce.knee_bytes           4000000                  B           4.000 MB
efficiency.collectives.all_reduce.small_group_loss     0.5
efficiency.collectives.all_gather.fixed_s              4e-6                     s           4.000 us
efficiency.collectives.all_gather.log2_s               2e-6                     s           2.000 us
efficiency.collectives.all_gather.bus_fraction         0.8
efficiency.collectives.all_gather.knee_bytes           4000000                  B           4.000 MB
efficiency.collectives.all_gather.small_group_loss     1
efficiency.collectives.reduce_scatter.fixed_s          4e-6                     s           4.000 us
efficiency.collectives.reduce_scatter.log2_s           2e-6                     s           2.000 us
efficiency.collectives.reduce_scatter.bus_fraction     0.8
efficiency.collectives.reduce_scatter.knee_bytes       4000000                  B           4.000 MB
efficiency.collectives.reduce_scatter.small_group_loss 1
efficiency.collectives.all_to_all.fixed_s              8e-6                     s           8.000 us
efficiency.collectives.all_to_all.log2_s               0                        s                0 s
efficiency.collectives.all_to_all.bus_fraction         0.5
efficiency.collectives.all_to_all.knee_bytes           1000000                  B           1.000 MB
efficiency.collectives.all_to_all.small_group_loss     0.5
efficiency.collectives.step_fixed_s                    5e-5                     s           50.00 us
efficiency.collectives.scale_out_fraction              0.8
efficiency.collectives.scale_out_fixed_s               0.0001                   s           100.0 us
efficiency.power.idle_share                            0
efficiency.power.memory_share                          0
efficiency.power.exponent                              0
cut: value (a width of 100, see COLUMNS)

aliases   fit, fitted-20gb
price     2 USD per device-hour, here, 2022-02
price     3 USD per device-hour, there, 2022-01
source    made up
source    mem_bytes: made up
source    mem_bytes: label 20 GB
source    scale_up.devices: derived: 2 boards of 4
source    efficiency.gemm.bf16: made up
source    efficiency.gemm.fp16: made up; bf16 rows
source    efficiency.gemm.fp8: made up
source    efficiency.attention.flash1: made up
source    efficiency.attention.flash2: made up
source    efficiency.attention.flash3: made up
source    efficiency.pointwise: made up
source    efficiency.optimizer: made up
source    efficiency.conv: not measured: assumed
source    efficiency.collectives: by hand
source    efficiency.collectives.all_reduce: made up
source    efficiency.collectives.all_gather: made up
source    efficiency.collectives.reduce_scatter: made up
source    efficiency.collectives.all_to_all: made up
$ nncost show fitted --format json | sed -n '/"aliases"/,$p'
  "aliases": [
    "fit",
    "fitted-20gb"
  ],
  "prices": [
    {"per_device_hour": 2, "currency": "USD", "where": "here", "date": "2022-02", "source": null},
    {"per_device_hour": 3, "currency": "USD", "where": "there", "date": "2022-01", "source": null}
  ],
  "sources": [
    {"key": "", "text": "made up"},
    {"key": "mem_bytes", "text": "made up"},
    {"key": "mem_bytes", "text": "label 20 GB"},
    {"key": "scale_up.devices", "text": "derived: 2 boards of 4"},
    {"key": "efficiency.gemm.bf16", "text": "made up"},
    {"key": "efficiency.gemm.fp16", "text": "made up; bf16 rows"},
    {"key": "efficiency.gemm.fp8", "text": "made up"},
    {"key": "efficiency.attention.flash1", "text": "made up"},
    {"key": "efficiency.attention.flash2", "text": "made up"},
    {"key": "efficiency.attention.flash3", "text": "made up"},
    {"key": "efficiency.pointwise", "text": "made up"},
    {"key": "efficiency.optimizer", "text": "made up"},
    {"key": "efficiency.conv", "text": "not measured: assumed"},
    {"key": "efficiency.collectives", "text": "by hand"},
    {"key": "efficiency.collectives.all_reduce", "text": "made up"},
    {"key": "efficiency.collectives.all_gather", "text": "made up"},
    {"key": "efficiency.collectives.reduce_scatter", "text": "made up"},
    {"key": "efficiency.collectives.all_to_all", "text": "made up"}
  ]
}
$ nncost show round --format json
{
  "schema": "nncost.show/1",
  "kind": "device",
  "file": "toy/hw/round.json",
  "fields": [
    {"field": "id", "value": "round", "unit": null},
    {"field": "name", "value": "A device of round figures", "unit": null},
    {"field": "vendor", "value": "none", "unit": null},
    {"field": "architecture", "value": "none", "unit": null},
    {"field": "year", "value": 2020, "unit": null},
    {"field": "units", "value": 100, "unit": null},
    {"field": "wave", "value": null, "unit": null},
    {"field": "clock_hz", "value": 1000000000, "unit": "Hz"},
    {"field": "matmul_flops_per_s.bf16", "value": 1e14, "unit": "FLOP/s"},
    {"field": "matmul_flops_per_s.fp16", "value": 1e14, "unit": "FLOP/s"},
    {"field": "vector_flops_per_s.fp32", "value": 1e13, "unit": "FLOP/s"},
    {"field": "vector_flops_per_s.bf16", "value": 1e13, "unit": "FLOP/s"},
    {"field": "vector_flops_per_s.fp16", "value": 1e13, "unit": "FLOP/s"},
    {"field": "mem_bytes", "value": 10000000000, "unit": "B"},
    {"field": "usable_bytes", "value": null, "unit": "B"},
    {"field": "mem_bytes_per_s", "value": 1e12, "unit": "B/s"},
    {"field": "l2_bytes", "value": null, "unit": "B"},
    {"field": "scratch_bytes", "value": null, "unit": "B"},
    {"field": "scale_up.kind", "value": "switch", "unit": null},
    {"field": "scale_up.devices", "value": 8, "unit": null},
    {"field": "scale_up.dims", "value": null, "unit": null},
    {"field": "scale_up.wrap", "value": null, "unit": null},
    {"field": "scale_up.bytes_per_s", "value": 100000000000, "unit": "B/s"},
    {"field": "scale_up.latency_s", "value": 1e-6, "unit": "s"},
    {"field": "scale_up.knee_bytes", "value": null, "unit": "B"},
    {"field": "scale_up.reduces_in_switch", "value": "off", "unit": null},
    {"field": "scale_out.bytes_per_s", "value": 10000000000, "unit": "B/s"},
    {"field": "scale_out.latency_s", "value": 1e-5, "unit": "s"},
    {"field": "scale_out.knee_bytes", "value": null, "unit": "B"},
    {"field": "scale_out.oversubscription", "value": null, "unit": null},
    {"field": "host.bytes_per_s", "value": 10000000000, "unit": "B/s"},
    {"field": "host.mem_bytes_per_s", "value": 10000000000, "unit": "B/s"},
    {"field": "host.kernel_s", "value": 3.75e-5, "unit": "s"},
    {"field": "host.new_bytes_per_s", "value": null, "unit": "B/s"},
    {"field": "power_w", "value": 1000, "unit": "W"},
    {"field": "power_cap_w", "value": null, "unit": "W"},
    {"field": "node_power.idle_w", "value": null, "unit": "W"},
    {"field": "node_power.busy_w", "value": null, "unit": "W"},
    {"field": "embodied_kg", "value": null, "unit": "kg"},
    {"field": "mtbf.any_s", "value": null, "unit": "s"},
    {"field": "mtbf.hardware_s", "value": null, "unit": "s"}
  ],
  "aliases": [],
  "prices": [
    {"per_device_hour": 1, "currency": "USD", "where": "nowhere", "date": "2020-01", "source": null}
  ],
  "sources": [
    {"key": "", "text": "made up"}
  ]
}
$ nncost show old --format csv
field,value,unit\r
id,old,\r
name,An old device without bf16,\r
vendor,none,\r
architecture,,\r
year,2010,\r
units,50,\r
wave,,\r
clock_hz,1000000000,Hz\r
matmul_flops_per_s.fp16,5e13,FLOP/s\r
vector_flops_per_s.fp32,1e13,FLOP/s\r
vector_flops_per_s.fp16,2e13,FLOP/s\r
mem_bytes,5000000000,B\r
usable_bytes,,B\r
mem_bytes_per_s,500000000000,B/s\r
l2_bytes,,B\r
scratch_bytes,,B\r
scale_up.kind,torus,\r
scale_up.devices,16,\r
scale_up.dims,"4, 4",\r
scale_up.wrap,"on, on",\r
scale_up.bytes_per_s,25000000000,B/s\r
scale_up.latency_s,1e-6,s\r
scale_up.knee_bytes,,B\r
scale_up.reduces_in_switch,off,\r
scale_out.bytes_per_s,,B/s\r
scale_out.latency_s,,s\r
scale_out.knee_bytes,,B\r
scale_out.oversubscription,,\r
host.bytes_per_s,,B/s\r
host.mem_bytes_per_s,,B/s\r
host.kernel_s,3.75e-5,s\r
host.new_bytes_per_s,,B/s\r
power_w,,W\r
power_cap_w,,W\r
node_power.idle_w,,W\r
node_power.busy_w,,W\r
embodied_kg,,kg\r
mtbf.any_s,,s\r
mtbf.hardware_s,,s\r
$ nncost show old --format markdown
- **device**: toy/hw/old.json

| field | value | unit |  |
|:---|:---|:---|---:|
| id | old |  |  |
| name | An old device without bf16 |  |  |
| vendor | none |  |  |
| architecture | - |  |  |
| year | 2010 |  |  |
| units | 50 |  |  |
| wave | - |  |  |
| clock_hz | 1000000000 | Hz | 1.000 GHz |
| matmul_flops_per_s.fp16 | 5e13 | FLOP/s | 50.00 TFLOP/s |
| vector_flops_per_s.fp32 | 1e13 | FLOP/s | 10.00 TFLOP/s |
| vector_flops_per_s.fp16 | 2e13 | FLOP/s | 20.00 TFLOP/s |
| mem_bytes | 5000000000 | B | 5.000 GB |
| usable_bytes | - | B |  |
| mem_bytes_per_s | 500000000000 | B/s | 500.0 GB/s |
| l2_bytes | - | B |  |
| scratch_bytes | - | B |  |
| scale_up.kind | torus |  |  |
| scale_up.devices | 16 |  |  |
| scale_up.dims | 4, 4 |  |  |
| scale_up.wrap | on, on |  |  |
| scale_up.bytes_per_s | 25000000000 | B/s | 25.00 GB/s |
| scale_up.latency_s | 1e-6 | s | 1.000 us |
| scale_up.knee_bytes | - | B |  |
| scale_up.reduces_in_switch | off |  |  |
| scale_out.bytes_per_s | - | B/s |  |
| scale_out.latency_s | - | s |  |
| scale_out.knee_bytes | - | B |  |
| scale_out.oversubscription | - |  |  |
| host.bytes_per_s | - | B/s |  |
| host.mem_bytes_per_s | - | B/s |  |
| host.kernel_s | 3.75e-5 | s | 37.50 us |
| host.new_bytes_per_s | - | B/s |  |
| power_w | - | W |  |
| power_cap_w | - | W |  |
| node_power.idle_w | - | W |  |
| node_power.busy_w | - | W |  |
| embodied_kg | - | kg |  |
| mtbf.any_s | - | s |  |
| mtbf.hardware_s | - | s |  |

- **source**: made up

# Prints models of each kind, by id, alias and path.
$ nncost show experts
model     toy/models/experts.json

field              value                       unit
id                 experts
name               A small mixture of experts
family             decoder
published_params   125641000
layers             4
hidden             1000
heads              8
kv_heads           4
head_dim           100
ffn_hidden         4000
vocab              10000
vocab_multiple     1
seq_len            1000                        tokens
positions_max      0
sliding_window     0                           tokens  0 tokens
positions          rotary
norm               rms
mlp                swiglu
biases             off
qkv_bias           off
tied_head          off
dropout            0
experts            8
experts_per_token  2
expert_hidden      1000
shared_hidden      0
dense_layers       0
router_bias        off
q_lora_rank        0
kv_lora_rank       0
qk_nope_head_dim   0
qk_rope_head_dim   0
v_head_dim         0

source    made up
source    published_params: 2 V h + L (2.4 h^2 of attention + 8 experts x 3 h^2 + 8 h of the router
          + 2 h of norms) + h = 20,000,000 + 4 x 26,410,000 + 1,000
$ nncost show unet
model     toy/models/unet.json

field                value                    unit
id                   unet
name                 A small diffusion U-Net
family               unet
published_params     -
image                256                      pixels
latent_factor        8
in_channels          4
out_channels         4
channels             100
channel_multipliers  1, 2
blocks_per_level     1
block                residual
norm                 group
norm_groups          10
kernel               3
conv_biases          on
down                 conv
up                   nearest_conv
time_embed_width     400
attention_levels     off, on
middle_attention     on
transformer_depth    1
transformer_depths   -
cross_only_levels    -
linear_projections   off
heads                2
head_width           0
context_len          10                       tokens
context_width        100
context_input_width  0
added_embed_width    0
class_embeds         0
dropout              0

source    made up
$ nncost show small | head -5
model     toy/models/dense.json

field              value            unit
id                 dense
name               A small decoder
$ nncost show toy/models/segnet.json | head -5
model     toy/models/segnet.json

field                value                           unit
id                   segnet
name                 A small U-Net for segmentation

# Prints a software profile.
$ nncost show eager
software  toy/software/eager.json

field                       value          unit
id                          eager
name                        Nothing fused
date                        -
dispatcher                  profile
overlap_tensor              0
overlap_context             0
overlap_expert              0
overlap_data                0.5
overlap_pipeline            0
recorded_attention          off
launch_s                    1e-5           s     10.00 us
lists_operators             off
launch_expert_s             -              s
launch_product_s            0              s          0 s
tuned_pointwise             off
added_gradients             off
fused_norm                  off
fused_activation            off
fused_residual              off
fused_rotary                off
fused_loss                  off
loss_keep                   logits
fused_maps                  on
contiguous_maps             off
narrow_adapters             off
module_hooks                off
random_written              off
fp8_gather                  off
block_scales                off
written_out                 off
by_reductions               off
turned_group_norms          off
grouped_on_vectors          off
copied_heads                none
cast_weights                off
flat_weights                off
fused_rotary_scale          on
fused_softmax               off
fused_expert_bias           on
expert_bias_gathered        off
fused_expert_clamp          on
fused_optimizer             off
flash_kernel                flash2
unfused_attention           off
norm_keep                   upcast
group_norm_keep             upcast
loss_in_place               off
split_loss                  off
softmax_upcast              on
attention_mask_kept         off
library_kept                off
expanded_kv                 on
expert_once_per_node        off
expert_masks                off
expert_sorts                off
expert_dispatch_8bit        off
narrow_gathers              off
network_units               0
expert_scores_first         off
context_frozen              on
overlap_tensor_backward     -
overlap_offload             0.5
bucket_bytes                26214400       B     26.21 MB
spread.own                  -
spread.network              0.25
spread.idle                 0.5
spread.kernels              0.05
spread.carried              0.1
spread.experts              0.05
reserve.bytes               0              B          0 B
reserve.share               0
reserve.low                 1
reserve.high                1
reserve.context             -              B
reserve.workspace           0              B          0 B
reserve.held                0              B          0 B
reserve.held_early          0              B          0 B
reserve.held_experts        0              B          0 B
reserve.held_experts_early  0              B          0 B
ships.1f1b                  on
ships.gpipe                 on
ships.interleaved           on
ships.zb_h1                 on
ships.zb_h2                 on
ships.zb_v                  on
ships.dualpipe              on
ships.recompute_attention   on
ships.recompute_norm        on
ships.recompute_activation  on
ships.recompute_apart       on
ships.recompute_modules     on
ships.recompute_full        on
ships.offload_optimizer     on
ships.offload_activations   on
ships.offload_weights       on
ships.sharded_states        on
ships.sharded_gradients     on
ships.sharded_weights       on
ships.sharded_pipelines     on
ships.replicated_grids      on
ships.plain_tensor          on
ships.plain_experts         on
ships.uneven_stages         on
ships.ends_as_layers        on
policy                      default
zero_gradients              on

source    made up
source    launch_s: assumed: one kernel
