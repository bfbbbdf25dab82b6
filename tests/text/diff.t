# Tests 'nncost diff', which compares two estimates and names the op or part that causes the difference.

# Compares estimates of two devices, an estimate with itself, and estimates with two prices (as JSON and CSV).
$ nncost estimate dense round --format json >a.json; nncost estimate dense fitted --format json >b.json
$ nncost diff a.json b.json
a.json -> b.json: the estimates differ

32 metrics differ; step 10.80 ms -> 9.457 ms (-12.4%), mostly from update_s

metric                                                     old                            new change
step.step_s                                           10.80 ms                       9.457 ms -12.4%
cost.price_per_device_hour                               1 USD                          2 USD  +100%
cost.step                                        2.999e-06 USD                  5.254e-06 USD +75.2%
cost.per_million_tokens                           0.002999 USD                   0.005254 USD +75.2%
cost.energy_j                                          10.80 J                        4.728 J -56.2%
device.mem_bytes                                      10.00 GB                       20.00 GB  +100%
device.mem_bytes_per_s                              1.000 TB/s                     2.000 TB/s  +100%
device.peak_flops_per_s                          100.0 TFLOP/s                  200.0 TFLOP/s  +100%
device.basis                                              none                          steps
device.fitted                                            false                           true
device.id                                                round                         fitted
device.name                          A device of round figures A device of round efficiencies
step.bound_s.host                                          0 s                       982.0 us
memory.headroom_bytes                                 8.218 GB                       18.22 GB  +122%
memory.capacity_bytes                                 10.00 GB                       20.00 GB  +100%
step.lower_bound_s                                    6.921 ms                       3.460 ms   -50%
throughput.causal_mfu                                   0.6336                         0.3617 -42.9%
throughput.hfu                                           0.678                          0.387 -42.9%
throughput.mfu                                           0.678                          0.387 -42.9%
step.update_s                                         3.213 ms                       2.048 ms -36.3%
step.bound_s.memory                                   3.875 ms                       2.608 ms -32.7%
step.upper_bound_s                                    12.77 ms                       10.79 ms -15.4%
step.bound_s.compute                                  6.921 ms                       5.866 ms -15.2%
throughput.model_flops_per_s_per_d..             67.80 TFLOP/s                  77.41 TFLOP/s +14.2%
throughput.samples_per_s                                 92.63                          105.7 +14.2%
throughput.tokens_per_s                                 92,629                        105,745 +14.2%
throughput.tokens_per_s_per_device                      92,629                        105,745 +14.2%
step.step_without_bound_s                             5.538 ms                       4.982 ms   -10%
step.backward_s                                       5.014 ms                       4.866 ms -2.96%
step.forward_s                                        2.568 ms                       2.542 ms -1.01%
step.interval_s.0                                            -                       7.823 ms    new
step.interval_s.1                                            -                       12.22 ms    new
cut: metric (a width of 100, see COLUMNS)

op         phase             old       new  difference
optimizer  update       2.999 ms  1.894 ms   -1.105 ms
attn.core  backward     400.4 us  1.472 ms   +1.071 ms
attn.core  forward      160.2 us  525.3 us   +365.2 us
mlp.up     grad_input   640.0 us  373.3 us   -266.7 us
mlp.down   forward      640.0 us  373.3 us   -266.7 us
mlp.down   grad_input   640.0 us  390.7 us   -249.3 us
mlp.down   grad_weight  640.0 us  390.7 us   -249.3 us
mlp.up     grad_weight  640.0 us  390.7 us   -249.3 us
... and 29 more ops
$ nncost diff a.json a.json
a.json -> a.json: the same
$ nncost estimate dense round --price 2 --format json >b.json
$ nncost diff a.json b.json --format json
{
  "schema": "nncost.diff/1",
  "file": "a.json",
  "other": "b.json",
  "tool": null,
  "old_tool": null,
  "scenarios": [
    {"id": "", "line": null, "state": "moved", "why": [], "responsible": {"step.step_s": null, "memory.total_bytes": null}, "requirements": [], "changes": [{"figure": "cost.per_million_tokens", "kind": "moved", "old": 0.00299882111111, "now": 0.00599764222222, "relative": 1}, {"figure": "cost.price_per_device_hour", "kind": "moved", "old": 1, "now": 2, "relative": 1}, {"figure": "cost.step", "kind": "moved", "old": 2.99882111111e-6, "now": 5.99764222222e-6, "relative": 1}, {"figure": "plan.price", "kind": "new", "old": null, "now": 2, "relative": null}], "ops": []}
  ]
}
$ nncost diff a.json b.json --format csv
scenario,state,figure,kind,old,now,relative\r
,moved,cost.per_million_tokens,moved,0.00299882111111,0.00599764222222,1\r
,moved,cost.price_per_device_hour,moved,1,2,1\r
,moved,cost.step,moved,2.99882111111e-6,5.99764222222e-6,1\r
,moved,plan.price,new,,2,\r

# The second estimate has ops that the first one does not have.
$ nncost estimate dense round --format json >a.json; nncost estimate dense round --recompute full --format json >b.json
$ nncost diff a.json b.json --format markdown
a.json -> b.json: the estimates differ

34 metrics differ; step 10.80 ms -> 13.13 ms (+21.6%), mostly from recompute_s; memory 1.782 GB -> 1.722 GB (-3.38%), mostly from activation_bytes

| metric | old | new | change |
|:---|---:|---:|---:|
| step.step_s | 10.80 ms | 13.13 ms | +21.6% |
| memory.total_bytes | 1.782 GB | 1.722 GB | -3.38% |
| cost.energy_j | 10.80 J | 13.13 J | +21.6% |
| cost.step | 2.999e-06 USD | 3.648e-06 USD | +21.6% |
| cost.per_million_tokens | 0.002999 USD | 0.003648 USD | +21.6% |
| plan.recompute | none | full |  |
| step.recompute_s | 0 s | 2.336 ms |  |
| work.recompute_flops | 0 FLOP | 224.0 GFLOP |  |
| memory.transient_bytes | 22.00 MB | 48.05 MB | +118% |
| memory.activation_bytes | 280.4 MB | 40.02 MB | -85.7% |
| memory.apart_bytes | -234.2 MB | -80.03 MB | +65.8% |
| work.hardware_flops | 732.0 GFLOP | 956.0 GFLOP | +30.6% |
| step.bound_s.compute | 6.921 ms | 9.001 ms | +30.1% |
| step.lower_bound_s | 6.921 ms | 9.001 ms | +30.1% |
| work.executed_flops | 692.1 GFLOP | 900.1 GFLOP | +30.1% |
| step.upper_bound_s | 12.77 ms | 15.66 ms | +22.6% |
| throughput.model_flops_per_s_per_device | 67.80 TFLOP/s | 55.74 TFLOP/s | -17.8% |
| throughput.mfu | 0.678 | 0.5574 | -17.8% |
| throughput.tokens_per_s | 92,629 | 76,150 | -17.8% |
| throughput.tokens_per_s_per_device | 92,629 | 76,150 | -17.8% |
| throughput.samples_per_s | 92.63 | 76.15 | -17.8% |
| throughput.causal_mfu | 0.6336 | 0.5209 | -17.8% |
| work.vector_flops | 3.575 GFLOP | 4.207 GFLOP | +17.7% |
| work.read_bytes | 3.230 GB | 3.711 GB | +14.9% |
| step.step_without_bound_s | 5.538 ms | 6.307 ms | +13.9% |
| work.write_bytes | 2.308 GB | 2.596 GB | +12.5% |
| throughput.hfu | 0.678 | 0.728 | +7.37% |
| step.bound_s.memory | 3.875 ms | 4.131 ms | +6.61% |
| memory.total_interval_bytes.0 | 1.782 GB | 1.722 GB | -3.38% |
| memory.total_interval_bytes.1 | 1.782 GB | 1.722 GB | -3.38% |
| memory.peak_allocated_bytes | 1.782 GB | 1.722 GB | -3.38% |
| memory.peak_reserved_bytes | 1.793 GB | 1.734 GB | -3.27% |
| memory.headroom_bytes | 8.218 GB | 8.278 GB | +0.732% |
| memory.transient_what | gradients of activations | one block, recomputed |  |

| op | phase | old | new | difference |
|:---|:---|---:|---:|---:|
| mlp.down | recompute | - | 640.0 us | +640.0 us |
| mlp.up | recompute | - | 640.0 us | +640.0 us |
| attn.qkv | recompute | - | 480.0 us | +480.0 us |
| attn.core | recompute | - | 160.2 us | +160.2 us |
| attn.out | recompute | - | 160.0 us | +160.0 us |
| mlp.activation | recompute | - | 128.0 us | +128.0 us |
| attn.norm | recompute | - | 32.00 us | +32.00 us |
| attn.residual | recompute | - | 32.00 us | +32.00 us |

... and 2 more ops

# Compares plan files with recorded estimates, scenario by scenario. The first plan file comes from a pipe.
$ sed 's/"recompute": "full"/"recompute": "selective"/; s/"id": "base"/"id": "new"/' inputs/plans.json >b.json
$ nncost check inputs/plans.json --update >/dev/null; nncost check b.json --update >/dev/null
$ nncost diff /dev/stdin b.json <inputs/plans.json
/dev/stdin -> b.json: 3 of 3 recorded estimates differ

new: only in the new file

recompute: 5 metrics differ; step 42.89 ms -> 34.18 ms (-20.3%); memory 1.860 GB -> 2.629 GB (+41.4%), mostly from activation_bytes

metric                        old        new  change
step.step_s              42.89 ms   34.18 ms  -20.3%
memory.total_bytes       1.860 GB   2.629 GB  +41.4%
plan.recompute               full  selective
memory.activation_bytes  160.1 MB   1.122 GB   +601%
throughput.mfu             0.6827     0.8565  +25.5%

base: only in the old file

# Tests files without an estimate.
$ nncost diff toy/hw/round.json toy/hw/round.json
! nncost: toy/hw/round.json:2: schema: unknown schema, expected nncost.estimate/1 or nncost.plans/1, found "nncost.device/1"
[3]
$ nncost diff inputs/plans.json inputs/plans.json
! nncost: inputs/plans.json: nothing is recorded, expected the output of 'nncost check inputs/plans.json --update'
[3]

# A metric must have the type and the sign that the program writes. Only the headroom (free memory) may be negative.
$ nncost estimate dense round --format json >new.json; sed 's/"step_s": [0-9.]*/"step_s": "soon"/' new.json >old.json
$ nncost diff old.json new.json
! nncost: old.json:8: step.step_s: wrong type, expected a number, found "soon"
[3]
$ sed 's/"step_s": [0-9.]*/"step_s": -99.84/' new.json >old.json; nncost diff old.json new.json
! nncost: old.json:8: step.step_s: out of range, expected at least 0, found -99.84
[3]
$ sed 's/"headroom_bytes": [0-9.]*/"headroom_bytes": -5/' new.json >old.json; nncost diff old.json new.json | grep -c headroom
1
