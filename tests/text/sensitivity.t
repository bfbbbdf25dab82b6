# --sensitivity prints how much each parameter of the device changes the step time.

# Tests the option for 16 devices, for one device, and in every output format except the default one.
$ nncost estimate dense fitted --full --full --devices 16 --global-batch 512 --zero 3 --recompute full --sensitivity | sed -n '/^cost/,$p'
cost      2 USD per device-hour (here, 2022-02), 0.004696 USD per step of all 16 devices,
          0.009172 USD per million tokens

figure                           value  elasticity  step if doubled  change
scale_up.bytes_per_s        200.0 GB/s      -0.308         447.0 ms  -15.4%
scale_out.bytes_per_s       20.00 GB/s      -0.217         471.1 ms  -10.8%
matmul_flops_per_s.bf16  200.0 TFLOP/s      -0.095         503.7 ms   -4.7%
scale_out.latency_s           5.000 us       0.042         550.6 ms    4.2%
mem_bytes_per_s             2.000 TB/s      -0.016         524.1 ms   -0.8%
vector_flops_per_s.fp32  10.00 TFLOP/s       0.000         528.3 ms    0.0%
scale_up.latency_s            2.000 us       0.000         528.3 ms    0.0%
host.bytes_per_s            20.00 GB/s       0.000         528.3 ms    0.0%

mem_bytes does not change the step time. The plan needs 267.3 MB of 20.00 GB. With less memory, the
plan does not fit
$ nncost estimate dense fitted --micro-batch 8 --set efficiency.gemm.bf16.l2_bytes_per_s=4e12 --sensitivity | tail -5
only this parameter is doubled. The L2 cache keeps its bandwidth of 4.000 TB/s
(efficiency.gemm.bf16.l2_bytes_per_s), which may then bound matrix products

mem_bytes does not change the step time. The plan needs 3.759 GB of 20.00 GB. With less memory, the
plan does not fit
$ nncost estimate dense fitted --devices 16 --global-batch 512 --zero 3 --recompute full --sensitivity --format csv
figure,value,elasticity,step_if_doubled_s,needed\r
scale_up.bytes_per_s,200000000000,-0.307923782995,0.446979012283,\r
scale_out.bytes_per_s,20000000000,-0.21650892625,0.471127162593,\r
matmul_flops_per_s.bf16,2e14,-0.0946311870143,0.503676293177,\r
scale_out.latency_s,5e-6,0.0422212210463,0.550626479433,\r
mem_bytes_per_s,2e12,-0.0160566154733,0.524122528876,\r
vector_flops_per_s.fp32,1e13,0,0.528320150168,\r
scale_up.latency_s,2e-6,0,0.528320150168,\r
host.bytes_per_s,20000000000,0,0.528320150168,\r
mem_bytes,20000000000,0,0.528320150168,267256000\r
$ nncost estimate dense fitted --micro-batch 8 --precision fp16 --sensitivity --format json | sed -n '/"sensitivity"/,/^  \]/p'
  "sensitivity": [
    {"figure": "matmul_flops_per_s.fp16", "value": 2e14, "elasticity": -0.851596550491, "step_if_doubled_s": 0.0276219325217, "needed": null},
    {"figure": "mem_bytes_per_s", "value": 2e12, "elasticity": -0.154225917926, "step_if_doubled_s": 0.0438809740007, "needed": null},
    {"figure": "vector_flops_per_s.fp32", "value": 1e13, "elasticity": 0, "step_if_doubled_s": 0.0475395978633, "needed": null},
    {"figure": "scale_up.bytes_per_s", "value": 200000000000, "elasticity": 0, "step_if_doubled_s": 0.0475395978633, "needed": null},
    {"figure": "scale_up.latency_s", "value": 2e-6, "elasticity": 0, "step_if_doubled_s": 0.0475395978633, "needed": null},
    {"figure": "scale_out.bytes_per_s", "value": 20000000000, "elasticity": 0, "step_if_doubled_s": 0.0475395978633, "needed": null},
    {"figure": "scale_out.latency_s", "value": 5e-6, "elasticity": 0, "step_if_doubled_s": 0.0475395978633, "needed": null},
    {"figure": "host.bytes_per_s", "value": 20000000000, "elasticity": 0, "step_if_doubled_s": 0.0475395978633, "needed": null},
    {"figure": "mem_bytes", "value": 20000000000, "elasticity": 0, "step_if_doubled_s": 0.0475395978633, "needed": 3758692000}
  ],
$ nncost estimate unet round --full --full --micro-batch 8 --sensitivity --format markdown | sed -n '/^- \*\*cost/,$p'
- **cost**: 1 USD per device-hour (nowhere, 2020-01), 6.526e-07 USD per step, 8.158e-05 USD per thousand samples

| figure | value | elasticity | step if doubled | change |
|:---|---:|---:|---:|---:|
| matmul_flops_per_s.bf16 | 100.0 TFLOP/s | -0.614 | 1.689 ms | -28.1% |
| mem_bytes_per_s | 1.000 TB/s | -0.380 | 1.958 ms | -16.7% |
| vector_flops_per_s.fp32 | 10.00 TFLOP/s | -0.006 | 2.343 ms | -0.3% |
| scale_up.bytes_per_s | 100.0 GB/s | 0.000 | 2.350 ms | 0.0% |
| scale_up.latency_s | 1.000 us | 0.000 | 2.350 ms | 0.0% |
| scale_out.bytes_per_s | 10.00 GB/s | 0.000 | 2.350 ms | 0.0% |
| scale_out.latency_s | 10.00 us | 0.000 | 2.350 ms | 0.0% |
| host.bytes_per_s | 10.00 GB/s | 0.000 | 2.350 ms | 0.0% |
| host.mem_bytes_per_s | 10.00 GB/s | 0.000 | 2.350 ms | 0.0% |

mem_bytes does not change the step time. The plan needs 305.6 MB of 10.00 GB. With less memory, the plan does not fit

# If the plan does not fit, the output has the memory capacity with which it fits.
$ nncost estimate dense round --full --full --micro-batch 64 --sensitivity | sed -n '/^cost/,$p'
cost      1 USD per device-hour (nowhere, 2020-01), 0.0001357 USD per step,
          0.00212 USD per million tokens

figure                           value  elasticity  step if doubled  change
matmul_flops_per_s.bf16  100.0 TFLOP/s      -0.907         267.0 ms  -45.3%
mem_bytes_per_s             1.000 TB/s      -0.093         465.7 ms   -4.7%
vector_flops_per_s.fp32  10.00 TFLOP/s       0.000         488.5 ms    0.0%
scale_up.bytes_per_s        100.0 GB/s       0.000         488.5 ms    0.0%
scale_up.latency_s            1.000 us       0.000         488.5 ms    0.0%
scale_out.bytes_per_s       10.00 GB/s       0.000         488.5 ms    0.0%
scale_out.latency_s           10.00 us       0.000         488.5 ms    0.0%
host.bytes_per_s            10.00 GB/s       0.000         488.5 ms    0.0%
host.mem_bytes_per_s        10.00 GB/s       0.000         488.5 ms    0.0%

mem_bytes does not change the step time. The plan needs 19.57 GB of 10.00 GB. With 1.957 times the
memory, the plan fits

# CSV output can contain only one table.
$ nncost estimate dense round --sensitivity --stages --format csv
! nncost: --sensitivity: CSV output has only one table, expected either this option or --stages, found both
[2]
