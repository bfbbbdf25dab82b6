# Tests 'nncost check', which keeps estimates under version control.

# A plan file without recorded estimates has three kinds of requirements: a requirement that is met, a requirement that
# is missed, and a requirement on a metric without a value.
$ nncost check inputs/plans.json
inputs/plans.json: 2 estimated; 4 of 4 requirements met
The file has no recorded estimates yet; 'nncost check inputs/plans.json --update' records them.
$ sed 's/<= 0.05"/<= 0.01"/; s/>= 0.1"/> 1"/' inputs/plans.json >p.json; nncost check p.json
p.json: 2 estimated; 2 of 4 requirements missed

p.json:7: base: estimated
  missed  step_s <= 0.01 (10.00 ms), found 33.54 ms

p.json:8: recompute: estimated
  missed  mfu > 1, found 0.6827

The file has no recorded estimates yet; 'nncost check p.json --update' records them.
[1]
$ sed 's/"mfu": ">= 0.1"/"cost.run": "<= 20000"/' inputs/plans.json >p.json; nncost check p.json
p.json: 2 estimated; 1 of 4 requirements missed

p.json:8: recompute: estimated
  missed  cost.run <= 20000, found nothing: the plan has no value for this metric

The file has no recorded estimates yet; 'nncost check p.json --update' records them.
[1]

# 'nncost check' may compute only a part of the estimate for all scenarios after the first one. If a requirement needs
# bounds or ranges, 'nncost check' must use the bounds and ranges of the complete estimate.
$ printf '{ "schema": "nncost.plans/1", "common": { "model": "dense", "device": "fitted", "micro_batch": 4 }, "scenarios": [\n{ "id": "a", "require": { "step_s": "< 0" } },\n{ "id": "b", "require": { "step_s": "< 0", "memory.total_interval_bytes.1": "< 0" } },\n{ "id": "c", "require": { "lower_bound_s": "< 0", "step.interval_s.1": "< 0", "step.bound": "== none" } } ] }' >b.json; nncost check b.json
b.json: 3 estimated; 6 of 6 requirements missed

b.json:2: a: estimated
  missed  step_s < 0 (0 s), found 25.53 ms

b.json:3: b: estimated
  missed  step_s < 0 (0 s), found 25.53 ms
  missed  memory.total_interval_bytes.1 < 0 (0 B), found 2.629 GB

b.json:4: c: estimated
  missed  lower_bound_s < 0 (0 s), found 13.84 ms
  missed  step.interval_s.1 < 0 (0 s), found 33.00 ms
  missed  step.bound == none, found compute

The file has no recorded estimates yet; 'nncost check b.json --update' records them.
[1]
$ nncost estimate dense fitted --micro-batch 4 --format json | grep -E '^  "(step|memory)":' | grep -oE '"(step_s|lower_bound_s|bound|(total_)?interval_[a-z]*)": [^ ]* ?[0-9.]*'
"step_s": 0.0255278216473, 
"interval_s": [0.0211173902561, 0.0329959222752
"lower_bound_s": 0.01384112, 
"bound": "compute", 
"total_interval_bytes": [2629092000, 2629092000

# A measurement must lie in the predicted interval of its estimate.
$ for m in 0.03 1; do printf '{ "schema": "nncost.plans/1", "scenarios": [\n{ "id": "ran", "model": "dense", "device": "fitted", "micro_batch": 4, "measured": { "step_s": %s } } ] }' $m >m.json; nncost check m.json; echo $?; done
m.json: 1 estimated; 2 of 2 requirements met
The file has no recorded estimates yet; 'nncost check m.json --update' records them.
0
m.json: 1 estimated; 1 of 2 requirements missed

m.json:2: ran: estimated
  missed  step.interval_s.1 >= 1 (1.000 s), found 33.00 ms

The file has no recorded estimates yet; 'nncost check m.json --update' records them.
1
$ printf '{ "schema": "nncost.plans/1", "common": { "model": "dense", "device": "fitted", "measured": { "memory_bytes": 9e12 } }, "scenarios": [\n{ "id": "over" }, { "id": "not", "measured": { "memory_bytes": null } } ] }' >m.json; nncost check m.json
m.json: 2 estimated; 1 of 1 requirements missed

m.json:2: over: estimated
  missed  memory.total_interval_bytes.1 >= 9e12 (9.000 TB), found 1.782 GB

The file has no recorded estimates yet; 'nncost check m.json --update' records them.
[1]
$ printf '{ "schema": "nncost.plans/1", "scenarios": [\n{ "id": "ran", "model": "dense", "device": "fitted", "measured": { "step": 1 } } ] }' >m.json; nncost check m.json
! nncost: m.json:2: scenarios[0].measured.step: unknown key, expected step_s or memory_bytes, found 1
[3]

# --update records the estimates. A second run of 'nncost check' finds the recorded estimates unchanged.
$ cp inputs/plans.json p.json
$ nncost check p.json --update && nncost check p.json
p.json: 2 estimated; 4 of 4 requirements met
recorded by nncost VERSION
p.json: 2 as recorded; 4 of 4 requirements met
$ sed 's/"[0-9a-f]\{16\}"/"-"/; /^      "[br]/s/, "pipeline.*"software"/, ... "software"/' p.json
{
  "schema": "nncost.plans/1",
  "note": "Two scenarios, some figures of each.",
  "common": { "model": "dense", "device": "round", "micro_batch": 4 },
  "record": ["plan", "step_s", "forward_s", "backward_s", "update_s", "total_bytes", "activation_bytes", "mfu"],
  "scenarios": [
    { "id": "base", "require": { "step_s": "<= 0.05", "memory.total_bytes": "<= 10e9", "fits": "== true" } },
    { "id": "recompute", "recompute": "full", "require": { "mfu": ">= 0.1" } }
  ],
  "recorded": {
    "schema": "nncost.recorded/1",
    "note": "Written by 'nncost check --update' and by nothing else.",
    "tool": "VERSION",
    "conventions": "nncost.estimate/1, SI units, 12 significant digits",
    "digest": "-",
    "digests": {
      "model": {
        "dense": "-"
      },
      "device": {
        "round": "-"
      },
      "software": {
        "torch-compile": "-"
      },
      "plan": {
        "base": "-",
        "recompute": "-"
      }
    },
    "estimates": {
      "base": {"plan": {"devices": 1, "data": 1, "tensor": 1, ... "software": "torch-compile", "software_chosen": true, "mode": "predicted", "ends_as_layers": false, "first_stage_layers": 0, "last_stage_layers": 0, "whole_experts": false, "train": "all", "train_layers": 0, "train_from": -1, "next_tokens": false, "adapter_rank": 0, "adapters": "linear", "dora": false, "oft": false, "frozen": "16bit", "fp8_inputs": false, "optimizer_rank": 16, "optimizer_kernels": "default", "flops_convention": "palm", "clip_gradients": true}, "step": {"step_s": 0.033543484, "forward_s": 0.010272672, "backward_s": 0.020057632, "update_s": 0.00321318}, "throughput": {"mfu": 0.872896804637}, "memory": {"activation_bytes": 1121608000, "total_bytes": 2629092000}},
      "recompute": {"plan": {"devices": 1, "data": 1, "tensor": 1, ... "software": "torch-compile", "software_chosen": true, "mode": "predicted", "ends_as_layers": false, "first_stage_layers": 0, "last_stage_layers": 0, "whole_experts": false, "train": "all", "train_layers": 0, "train_from": -1, "next_tokens": false, "adapter_rank": 0, "adapters": "linear", "dora": false, "oft": false, "frozen": "16bit", "fp8_inputs": false, "optimizer_rank": 16, "optimizer_kernels": "default", "flops_convention": "palm", "clip_gradients": true}, "step": {"step_s": 0.042888124, "forward_s": 0.010272672, "backward_s": 0.020057632, "update_s": 0.00321318}, "throughput": {"mfu": 0.68270647604}, "memory": {"activation_bytes": 160072000, "total_bytes": 1859904000}}
    }
  }
}

# A changed plan and a missed requirement are reported in every format.
$ cp inputs/plans.json p.json && nncost check p.json --update >/dev/null
$ sed -i '1,9s/"recompute": "full"/"recompute": "selective"/; 1,9s/<= 0.05"/<= 0.03"/' p.json
$ for f in table markdown csv json junit github; do nncost check p.json --format $f; done
p.json: 1 as recorded, 1 moved; 1 of 4 requirements missed

p.json:7: base: as recorded
  missed  step_s <= 0.03 (30.00 ms), found 33.54 ms

p.json:8: recompute: moved
  why     plan: recompute full -> selective
  moved   step 42.89 ms -> 34.18 ms (-20.3%); memory 1.860 GB -> 2.629 GB (+41.4%), mostly from
          activation_bytes

metric                   recorded        now  change
step.step_s              42.89 ms   34.18 ms  -20.3%
memory.total_bytes       1.860 GB   2.629 GB  +41.4%
plan.recompute               full  selective
memory.activation_bytes  160.1 MB   1.122 GB   +601%
throughput.mfu             0.6827     0.8565  +25.5%

To accept these changes, use 'nncost check p.json --update'.
<!-- nncost check -->
**nncost** p.json: 1 as recorded, 1 moved; 1 of 4 requirements missed

| scenario | | step | memory | cost of a step | requirements missed |
|:---|:---|:---|:---|:---|:---|
| base | as recorded |  |  |  | step_s \<= 0.03 (30.00 ms), found 33.54 ms |
| recompute | moved | 42.89 ms -> 34.18 ms (-20.3%) | 1.860 GB -> 2.629 GB (+41.4%) |  |  |

<details><summary>recompute: 5 metrics</summary>

- why: plan: recompute full -> selective

| metric | recorded | now | change |
|:---|---:|---:|---:|
| step.step_s | 42.89 ms | 34.18 ms | -20.3% |
| memory.total_bytes | 1.860 GB | 2.629 GB | +41.4% |
| plan.recompute | full | selective |  |
| memory.activation_bytes | 160.1 MB | 1.122 GB | +601% |
| throughput.mfu | 0.6827 | 0.8565 | +25.5% |

</details>

To accept these changes, use 'nncost check p.json --update'.
scenario,state,figure,kind,old,now,relative\r
recompute,moved,step.step_s,moved,0.042888124,0.034184124,-0.202946624571\r
recompute,moved,memory.total_bytes,moved,1859904000,2629092000,0.413563280685\r
recompute,moved,plan.recompute,moved,full,selective,\r
recompute,moved,memory.activation_bytes,moved,160072000,1121608000,6.0068968964\r
recompute,moved,throughput.mfu,moved,0.68270647604,0.856537964817,0.254621121781\r
{
  "schema": "nncost.check/1",
  "file": "p.json",
  "passed": false,
  "updated": false,
  "requirements": 4,
  "missed": 1,
  "tool": "VERSION",
  "old_tool": "VERSION",
  "scenarios": [
    {"id": "base", "line": 7, "state": "same", "failed": true, "why": [], "responsible": {"step.step_s": null, "memory.total_bytes": null}, "requirements": [{"figure": "step.step_s", "rule": "<= 0.03", "found": 0.033543484, "met": false}, {"figure": "memory.total_bytes", "rule": "<= 10e9", "found": 2629092000, "met": true}, {"figure": "memory.fits", "rule": "== true", "found": "true", "met": true}], "changes": [], "ops": []},
    {"id": "recompute", "line": 8, "state": "moved", "failed": true, "why": ["plan: recompute full -> selective"], "responsible": {"step.step_s": null, "memory.total_bytes": "memory.activation_bytes"}, "requirements": [{"figure": "throughput.mfu", "rule": ">= 0.1", "found": 0.856537964817, "met": true}], "changes": [{"figure": "step.step_s", "kind": "moved", "old": 0.042888124, "now": 0.034184124, "relative": -0.202946624571}, {"figure": "memory.total_bytes", "kind": "moved", "old": 1859904000, "now": 2629092000, "relative": 0.413563280685}, {"figure": "plan.recompute", "kind": "moved", "old": "full", "now": "selective", "relative": null}, {"figure": "memory.activation_bytes", "kind": "moved", "old": 160072000, "now": 1121608000, "relative": 6.0068968964}, {"figure": "throughput.mfu", "kind": "moved", "old": 0.68270647604, "now": 0.856537964817, "relative": 0.254621121781}], "ops": []}
  ]
}
<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="6" failures="2">
  <testsuite name="p.json" tests="6" failures="2" errors="0" skipped="0">
    <testcase classname="base" name="estimate as recorded" file="p.json" line="7"/>
    <testcase classname="base" name="step_s &lt;= 0.03" file="p.json" line="7">
      <failure type="requirement" message="step_s &lt;= 0.03 (30.00 ms), found 33.54 ms"></failure>
    </testcase>
    <testcase classname="base" name="memory.total_bytes &lt;= 10e9" file="p.json" line="7"/>
    <testcase classname="base" name="fits == true" file="p.json" line="7"/>
    <testcase classname="recompute" name="estimate as recorded" file="p.json" line="8">
      <failure type="moved" message="step 42.89 ms -&gt; 34.18 ms (-20.3%); memory 1.860 GB -&gt; 2.629 GB (+41.4%), mostly from activation_bytes">why: plan: recompute full -&gt; selective
step.step_s: 42.89 ms -&gt; 34.18 ms -20.3%
memory.total_bytes: 1.860 GB -&gt; 2.629 GB +41.4%
plan.recompute: full -&gt; selective 
memory.activation_bytes: 160.1 MB -&gt; 1.122 GB +601%
throughput.mfu: 0.6827 -&gt; 0.8565 +25.5%
</failure>
    </testcase>
    <testcase classname="recompute" name="mfu &gt;= 0.1" file="p.json" line="8"/>
  </testsuite>
</testsuites>
::error file=p.json,line=7,title=nncost base::requires step_s <= 0.03 (30.00 ms), found 33.54 ms
::error file=p.json,line=8,title=nncost recompute::step 42.89 ms -> 34.18 ms (-20.3%25); memory 1.860 GB -> 2.629 GB (+41.4%25), mostly from activation_bytes%0Awhy: plan: recompute full -> selective%0Aaccept with: nncost check p.json --update
nncost: p.json: 1 as recorded, 1 moved; 1 of 4 requirements missed
[1]

# --update accepts a change. --update changes only the recorded lines of the file.
$ cp inputs/plans.json p.json && nncost check p.json --update >/dev/null
$ sed -i '1,9s/"micro_batch": 4/"micro_batch": 2/' p.json && cp p.json before.json
$ nncost check p.json --update && nncost check p.json
p.json: 2 moved; 4 of 4 requirements met

p.json:7: base: moved
  why     plan: global_batch 4 -> 2, micro_batch 4 -> 2
  moved   step 33.54 ms -> 18.38 ms (-45.2%), mostly from backward_s; memory 2.629 GB -> 2.064 GB
          (-21.5%), mostly from activation_bytes

metric                   recorded       now  change
step.step_s              33.54 ms  18.38 ms  -45.2%
memory.total_bytes       2.629 GB  2.064 GB  -21.5%
plan.global_batch               4         2    -50%
plan.micro_batch                4         2    -50%
step.forward_s           10.27 ms  5.136 ms    -50%
step.backward_s          20.06 ms  10.03 ms    -50%
memory.activation_bytes  1.122 GB  560.8 MB    -50%
throughput.mfu             0.8729    0.7966  -8.74%

p.json:8: recompute: moved
  why     plan: global_batch 4 -> 2, micro_batch 4 -> 2
  moved   step 42.89 ms -> 23.05 ms (-46.3%), mostly from backward_s; memory 1.860 GB -> 1.768 GB
          (-4.95%), mostly from activation_bytes

metric                   recorded       now  change
step.step_s              42.89 ms  23.05 ms  -46.3%
memory.total_bytes       1.860 GB  1.768 GB  -4.95%
plan.global_batch               4         2    -50%
plan.micro_batch                4         2    -50%
step.forward_s           10.27 ms  5.136 ms    -50%
step.backward_s          20.06 ms  10.03 ms    -50%
memory.activation_bytes  160.1 MB  80.04 MB    -50%
throughput.mfu             0.6827    0.6351  -6.97%

recorded by nncost VERSION
p.json: 2 as recorded; 4 of 4 requirements met
$ diff before.json p.json | sed -n 's/^\([<>] *"[a-z]*"\).*/\1/p'
<     "digest"
\>     "digest"
<         "base"
<         "recompute"
\>         "base"
\>         "recompute"
<       "base"
<       "recompute"
\>       "base"
\>       "recompute"

# A scenario is added to the file, and another scenario is removed.
$ cp inputs/plans.json p.json && nncost check p.json --update >/dev/null
$ sed -i '1,12s/"id": "recompute"/"id": "renamed"/' p.json; nncost check p.json
p.json: 1 as recorded, 1 not recorded, 1 removed; 4 of 4 requirements met

p.json:8: renamed: not recorded

recompute: removed

To accept these changes, use 'nncost check p.json --update'.
[1]

# A changed note in the device file changes no estimate. A changed bandwidth changes the estimates, and the report names
# the device file.
$ nncost check inputs/plans.json --update >/dev/null && sed -i '0,/"note": "/s//"note": "Another word. /' toy/hw/round.json
$ nncost check inputs/plans.json
inputs/plans.json: 2 as recorded; 4 of 4 requirements met
$ sed -i 's/"mem_bytes_per_s": 1e12/"mem_bytes_per_s": 2e12/' toy/hw/round.json
$ nncost check inputs/plans.json
inputs/plans.json: 2 moved; 4 of 4 requirements met

inputs/plans.json:7: base: moved
  why     device file: the content of round has changed
  moved   step 33.54 ms -> 30.61 ms (-8.74%), mostly from update_s

metric           recorded       now  change
step.step_s      33.54 ms  30.61 ms  -8.74%
step.update_s    3.213 ms  1.607 ms    -50%
throughput.mfu     0.8729    0.9565  +9.57%
step.forward_s   10.27 ms  9.697 ms  -5.61%
step.backward_s  20.06 ms  19.31 ms  -3.73%

inputs/plans.json:8: recompute: moved
  why     device file: the content of round has changed
  moved   step 42.89 ms -> 39.45 ms (-8.03%), mostly from update_s

metric           recorded       now  change
step.step_s      42.89 ms  39.45 ms  -8.03%
step.update_s    3.213 ms  1.607 ms    -50%
throughput.mfu     0.6827    0.7423  +8.73%
step.forward_s   10.27 ms  9.697 ms  -5.61%
step.backward_s  20.06 ms  19.31 ms  -3.73%

To accept these changes, use 'nncost check inputs/plans.json --update'.
[1]

# If the model file or the software profile changed, the report names this file. The report also names a changed profile
# that nncost chose because the plan names no profile.
$ nncost check inputs/plans.json --update >/dev/null && sed -i 's/"vocab": 10000/"vocab": 20000/; s/107106000/117106000/' toy/models/dense.json
$ nncost check inputs/plans.json --format github
::error file=inputs/plans.json,line=7,title=nncost base::step 33.54 ms -> 36.48 ms (+8.76%25), mostly from backward_s; memory 2.629 GB -> 2.849 GB (+8.37%25), mostly from activation_bytes%0Awhy: model file: the content of dense has changed%0Aaccept with: nncost check inputs/plans.json --update
::error file=inputs/plans.json,line=8,title=nncost recompute::step 42.89 ms -> 45.83 ms (+6.86%25), mostly from backward_s; memory 1.860 GB -> 2.000 GB (+7.53%25), mostly from activation_bytes%0Awhy: model file: the content of dense has changed%0Aaccept with: nncost check inputs/plans.json --update
nncost: inputs/plans.json: 2 moved; 4 of 4 requirements met
[1]
$ sed 's/"micro_batch": 4 }/"micro_batch": 4, "software": "eager" }/' inputs/plans.json >p.json; nncost check p.json --update >/dev/null
$ sed -i 's/"launch_s": 1e-5/"launch_s": 1e-3/' toy/software/eager.json; nncost check p.json | head -5
p.json: 2 moved; 1 of 4 requirements missed

p.json:7: base: moved
  why     software file: the content of eager has changed
  moved   step 48.19 ms -> 216.2 ms (+349%)
$ nncost check inputs/plans.json --update >/dev/null; sed -i 's/"launch_s": 0/"launch_s": 1e-4/' toy/software/torch-compile.json
$ nncost check inputs/plans.json | grep why
  why     software file: the content of torch-compile has changed
  why     software file: the content of torch-compile has changed

# Several causes of a change are reported together. A change that is too small for four digits is printed with more
# digits.
$ nncost check inputs/plans.json --update >/dev/null; sed -i 's/"layers": 8/"layers": 9/; s/107106000/119119000/' toy/models/dense.json
$ sed -i 's/"clock_hz": 1e9/"clock_hz": 2e9/' toy/hw/round.json; sed -i '1,9s/"recompute": "full"/"recompute": "selective", "optimizer": "lion", "zero": 1/' inputs/plans.json
$ nncost check inputs/plans.json | sed -n '/recompute: moved/,/^$/p'
inputs/plans.json:8: recompute: moved
  why     plan: zero 0 -> 1, optimizer adamw -> lion, recompute full -> selective
          model file: the content of dense has changed
          device file: the content of round has changed
  moved   step 42.89 ms -> 37.12 ms (-13.4%), mostly from update_s; memory 1.860 GB -> 2.449 GB
          (+31.7%), mostly from activation_bytes

$ sed 's/"micro_batch": 4 }/"micro_batch": 4, "set": { "device.scale_up.latency_s": 1e-6 }, "data": 2 }/' inputs/plans.json >p.json; nncost check p.json --update >/dev/null
$ sed -i '1,9s/"device.scale_up.latency_s": 1e-6/"device.scale_up.latency_s": 1.001e-6/' p.json; nncost check p.json | sed -n '/^metric/,/^$/p' | head -4
metric                                recorded                                 now      change
step.step_s                   0.037614518069 s                   0.0376145182891 s  +5.85e-07%
plan.overrides  device.scale_up.latency_s=1e-6  device.scale_up.latency_s=1.001e-6
throughput.mfu                  0.867750051725                      0.867750046648  -5.85e-07%

# A metric that is added to "record" is not compared until it is recorded.
$ nncost check inputs/plans.json --update >/dev/null; sed -i 's/"record": \["plan"/"record": ["lower_bound_s", "plan"/' inputs/plans.json
$ nncost check inputs/plans.json
inputs/plans.json: 2 as recorded; 4 of 4 requirements met
2 metrics are new and not recorded yet, so they cannot fail the check.

# With a tolerance, a small change passes the check and is reported.
$ sed 's/"micro_batch": 4 }/"micro_batch": 4,\n    "tolerance": { "": { "relative": 0.01 } } }/' inputs/plans.json >p.json
$ nncost check p.json --update >/dev/null; sed -i 's/"mem_bytes_per_s": 1e12/"mem_bytes_per_s": 1.002e12/' toy/hw/round.json
$ nncost check p.json && nncost check p.json --format csv
p.json: 2 as recorded; 4 of 4 requirements met
scenario,state,figure,kind,old,now,relative\r
base,same,step.update_s,within tolerance,0.00321318,0.00320676646707,-0.00199600798403\r
base,same,throughput.mfu,within tolerance,0.872896804637,0.873201354429,0.000348895528838\r
base,same,step.step_s,within tolerance,0.033543484,0.0335317849102,-0.000348773842942\r
base,same,step.forward_s,within tolerance,0.010272672,0.0102703725349,-0.000223842936858\r
base,same,step.backward_s,within tolerance,0.020057632,0.0200546459082,-0.000148875590915\r
recompute,same,step.update_s,within tolerance,0.00321318,0.00320676646707,-0.00199600798403\r
recompute,same,throughput.mfu,within tolerance,0.68270647604,0.682925311537,0.000320541117248\r
recompute,same,step.step_s,within tolerance,0.042888124,0.042874380998,-0.000320438403787\r
recompute,same,step.forward_s,within tolerance,0.010272672,0.0102703725349,-0.000223842936858\r
recompute,same,step.backward_s,within tolerance,0.020057632,0.0200546459082,-0.000148875590915\r

# Tests a missing file, a file of another kind, a file of another version, and a pipe.
$ nncost check none.json
! nncost: none.json: cannot be opened, expected a readable file, found: No such file or directory
[4]
$ nncost check toy/hw/round.json --update
! nncost: toy/hw/round.json:2: schema: not a plan file, expected "nncost.plans/1", found "nncost.device/1"
[3]
$ sed 's/plans\/1/plans\/2/' inputs/plans.json >p.json; nncost check p.json --update
! nncost: p.json:2: schema: of another version of nncost, expected "nncost.plans/1", found "nncost.plans/2"
[3]
$ cat inputs/plans.json | nncost check /dev/stdin --update
! nncost: --update: /dev/stdin is not a file that can be replaced
[2]

# Tests a file with the marks of an unfinished merge, and a file that is cut off.
$ sed '6i <<<<<<< HEAD' inputs/plans.json >p.json; nncost check p.json
! nncost: p.json:6:1: bad syntax, expected a key in quotes, found '<'
[3]
$ head -c 300 inputs/plans.json >p.json; nncost check p.json
! nncost: p.json:7:18: bad syntax, expected '"' at the end of a text, found the end of the text
[3]

# A recorded part that was edited by hand is refused. --update does not replace a part that a newer program recorded.
$ cp inputs/plans.json p.json && nncost check p.json --update >/dev/null
$ sed 's/"step": {"step_s": 0/"step": {"step_s": 1/' p.json >edited.json && cp edited.json before.json
$ nncost check edited.json --update 2>&1 | sed 's/digest [0-9a-f]*/digest -/'; cmp edited.json before.json
nncost: edited.json:10: recorded: edited by hand or damaged, expected the text that 'nncost check --update' wrote (digest -); restore this text, or remove the key recorded and record the estimates again
$ sed 's/"tool": "[0-9.]*"/"tool": "99.0.0"/' p.json >newer.json; cp newer.json before.json
$ nncost check newer.json --update; cmp newer.json before.json
! nncost: newer.json:13: recorded.tool: recorded by a newer nncost, expected at most VERSION, found "99.0.0"

# Tests unknown names: of a model, of a metric in a requirement, and of a metric in "record".
$ sed 's/"model": "dense"/"model": "densee"/' inputs/plans.json >p.json; nncost check p.json
! nncost: p.json:7: base: MODEL: unknown model, expected one of dense, experts, segnet, unet, vision, nearest "dense", found "densee"
[3]
$ sed 's/"mfu": ">= 0.1"/"mfuu": ">= 0.1"/' inputs/plans.json >p.json; nncost check p.json
! nncost: p.json:8: recompute: require.mfuu: unknown metric, expected a name of the JSON output such as step_s or memory.total_bytes, perhaps "mfu", found "mfuu"
[3]
$ sed 's/"total_bytes", "act/"total_byte", "act/' inputs/plans.json >p.json; nncost check p.json
! nncost: p.json: record.total_byte: unknown metric, expected a name of the JSON output such as step_s or memory.total_bytes, perhaps "total_bytes", found "total_byte"
[3]

# An illegal plan, or batch sizes that contradict each other, are reported with the name of the scenario.
$ sed 's/"recompute": "full"/"seq_len": 4096/' inputs/plans.json >p.json; nncost check p.json
! nncost: p.json:8: recompute: --seq-len: longer than the position table, expected at most 1000, found 4096
[3]
$ sed 's/"recompute": "full"/"micro_batches": 2, "global_batch": 7/' inputs/plans.json >p.json; nncost check p.json
! nncost: p.json:8: recompute: --global-batch: is not micro_batch x micro_batches x data, expected 8, found 7
[3]

# If the disk is full, or if the program is killed while it writes, the old file remains unchanged.
$ cp inputs/plans.json p.json; trap '' XFSZ; (ulimit -f 1; nncost check p.json --update); echo $?; cmp p.json inputs/plans.json && ls *.json*
4
p.json
! nncost: p.json: cannot write: File too large
$ sh -c 'ulimit -f 1; nncost check p.json --update'; cmp p.json inputs/plans.json
! nncost: p.json: cannot write: File too large

# A file name must not be read as a command of a CI workflow in the output.
$ mv inputs/plans.json "$(printf 'p\n::error::x.json')"; nncost check p*.json --format github | tail -1
nncost: p%0A::error::x.json: 2 estimated; 4 of 4 requirements met
$ nncost check p*.json | head -1; nncost validate p*.json; nncost check p*.json --update | head -1; nncost diff p*.json p*.json | head -1
p?::error::x.json: 2 estimated; 4 of 4 requirements met
p?::error::x.json: ok
p?::error::x.json: 2 estimated; 4 of 4 requirements met
p?::error::x.json -> p?::error::x.json: 0 of 2 recorded estimates differ

# If a scenario has options of a run, 'nncost check' computes the whole run.
$ cat >run.json <<'END'
> { "schema": "nncost.plans/1", "common": { "model": "dense", "device": "round", "devices": 16, "tokens": 1e12 },
>   "scenarios": [ { "id": "stops", "device_mtbf_s": 3.6e6, "asynchronous": true, "save_s": 60, "block_s": 1, "load_s": 60,
>     "require": { "run.goodput": ">= 0.99", "run.days": "<= 9" } }, { "id": "step" } ] }
> END
$ nncost check run.json; nncost check run.json --update; nncost check run.json
run.json: 2 estimated; 2 of 2 requirements met
The file has no recorded estimates yet; 'nncost check run.json --update' records them.
run.json: 2 estimated; 2 of 2 requirements met
recorded by nncost VERSION
run.json: 2 as recorded; 2 of 2 requirements met
$ nncost run run.json --scenario stops | grep goodput
goodput     99.37%, a failure every 2.604 days, 3.275 failures in the run,
$ sed 's/save_s/safe_s/' run.json >other.json; nncost check other.json
! nncost: other.json:2: scenarios[0].safe_s: unknown key, expected a key of the plan, found "safe_s"
[3]

# --forget removes the recorded part and changes no other byte. After --forget, --update writes the same bytes as
# before. The recorded part may be at any place in the file.
$ nncost init dense round > plans.json && cp plans.json before && nncost check plans.json --update >/dev/null && cp plans.json after
$ nncost check plans.json --forget && cmp plans.json before && nncost check plans.json --update && cmp plans.json after
plans.json: 1 estimated; 2 of 2 requirements met
recorded by nncost VERSION
$ python3 -c 'import json; p = json.load(open("plans.json")); r = p.pop("recorded"); json.dump({"recorded": r, **p}, open("first.json", "w")); json.dump({"schema": p.pop("schema"), "recorded": r, **p}, open("middle.json", "w"))'
$ for f in first middle; do nncost check $f.json >/dev/null; nncost check $f.json --forget; grep -c recorded.: $f.json; nncost validate $f.json; done
0
first.json: ok
0
middle.json: ok
$ nncost check plans.json --forget --update
! nncost: --forget: cannot be used together with --update
[2]
$ nncost check --forget - < plans.json
! nncost: --forget: - is not a file that can be replaced
[2]
$ echo '{ "schema": "nncost.plans/1"' > bad.json; nncost check --forget bad.json; cat bad.json
{ "schema": "nncost.plans/1"
! nncost: bad.json:2:1: bad syntax, expected ',' or '}', found the end of the text
