# 'nncost report' writes one HTML page. tests/report.py tests more pages.

# The page of an estimate has the verdict, wide and narrow pictures, the figures, the ops and the command.
$ nncost report dense round --pipeline 2 --micro-batches 4 > page.html; sed -n 's/^<p class="verdict">//p' page.html; grep -c '<svg' page.html; grep '<h[123]>' page.html; grep -A1 '<pre>' page.html
One step of A small decoder takes 21.91 ms on 2 x A device of round figures and is bound by compute (68.6% of the time); it fits: 1.217 GB of 10.00 GB per device.
7
<h1>A small decoder</h1>
<h2>Figures</h2>
<h2>Ops by time</h2>
<h2>Sources</h2>
<h3>dense</h3>
<h3>round</h3>
<h3>torch-compile</h3>
<h2>This page</h2>
<pre>nncost report dense round --pipeline 2 --micro-batches 4</pre>
<p>nncost VERSION

# The figures on the page are those of the table that 'nncost estimate' prints.
$ nncost report dense round | sed -n '/Figures/,/Ops by time/p' | head -12
<h2>Figures</h2>
<p><b>model</b> dense, A small decoder, decoder, 107,106,000 parameters
<p><b>device</b> round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
<p><b>plan</b> batch 1, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none, software torch-compile (chosen for this plan), mode predicted

<p><b>step</b> 10.80 ms
<br>lower bound for any software: 6.921 ms; without any overlap the step takes 12.77 ms
<br>no fitted efficiencies for this device: roofline time at the datasheet's rates
<p><b>bound by</b> compute 64.1% of the step, memory 35.9%, if compute took no time, the step would take 5.538 ms

<div class="wide"><table><thead><tr><th>part<th class="n">time<th class="n">share<th>  group<th class="n">time<th class="n">share</thead><tbody>
<tr><td>forward<td class="n">2.568 ms<td class="n">23.8%<td>  embedding<td class="n">16.02 us<td class="n">0.1%

# The date is printed as it is given. The output file is not part of the printed command.
$ nncost report dense round --date 2026-01-31 --output page.html && grep -A1 '<pre>' page.html
<pre>nncost report dense round --date 2026-01-31</pre>
<p>nncost VERSION, 2026-01-31

# The page of a plan that does not fit has advice.
$ nncost report dense round --micro-batch 4096 | grep 'would fit'
<p><b>would fit</b> --micro-batch 16 --micro-batches 256, 6.552 GB, step 31.06 s

# The page has every scenario of a plan file, or the named scenario.
$ nncost report inputs/plans.json | grep '<h[12]>'
<h1>base: A small decoder</h1>
<h2>Figures</h2>
<h2>Ops by time</h2>
<h2>Sources</h2>
<h1>recompute: A small decoder</h1>
<h2>Figures</h2>
<h2>Ops by time</h2>
<h2>Sources</h2>
<h2>This page</h2>
$ nncost report inputs/plans.json --scenario base | grep -c '<h1>'
1

# Reports a search for one number of devices, and a search for several numbers.
$ nncost report search dense round --devices 4 --global-batch 16 --best 2 | grep '<h[12]>\|^<p>[0-9]'
<h1>A small decoder</h1>
<p>324000 combinations of the choices for A device of round figures, batch 16: 8080 legal, 8080 fit.</p>
<h2>Best plans</h2>
<h2>No other plan is faster with less memory</h2>
<h2>This page</h2>
$ nncost report search dense round --devices 1..4 --global-batch 16 | grep -A6 '<h2>The best plan of every size'
<h2>The best plan of every size</h2>
<div class="wide"><table><thead><tr><th class="n">devices<th class="n">step<th class="n">step USD<th class="n">memory<th class="n">MFU<th class="n">bubble<th>plan</thead><tbody>
<tr><td class="n">1<td class="n">124.5 ms<td class="n">3.459e-05<td class="n">2.016 GB<td class="n">94.0%<td class="n">0.0%<td>dp1 mb1
<tr><td class="n">2<td class="n">62.53 ms<td class="n">3.474e-05<td class="n">3.383 GB<td class="n">93.7%<td class="n">0.0%<td>dp2 zero2 mb8
<tr><td class="n">4<td class="n">31.53 ms<td class="n">3.503e-05<td class="n">1.052 GB<td class="n">92.9%<td class="n">0.0%<td>dp4 zero1 mb1
</tbody></table></div>
<h2>This page</h2>

# Reports the difference of two estimates.
$ nncost estimate dense round --format json > old.json; nncost estimate dense round --micro-batch 2 --format json > new.json; nncost report diff old.json new.json | grep -A4 '<h1>\|<thead>' | head -12
<h1>new.json against old.json</h1>
<p>1 of 1 estimates differ.</p>
<h2>The estimate</h2>
<p>step 10.80 ms -&gt; 18.38 ms (+70.2%), mostly from backward_s; memory 1.782 GB -&gt; 2.064 GB (+15.8%), mostly from activation_bytes</p>
<div class="wide"><table><thead><tr><th>metric<th class="n">old<th class="n">new<th class="n">change</thead><tbody>
<tr><td>step.step_s<td class="n">10.80 ms<td class="n">18.38 ms<td class="n">+70.2%
<tr><td>memory.total_bytes<td class="n">1.782 GB<td class="n">2.064 GB<td class="n">+15.8%
<tr><td>cost.energy_j<td class="n">10.80 J<td class="n">18.38 J<td class="n">+70.2%
<tr><td>cost.step<td class="n">2.999e-06 USD<td class="n">5.105e-06 USD<td class="n">+70.2%
--
<div class="wide"><table><thead><tr><th>op<th>phase<th class="n">old<th class="n">new<th class="n">difference</thead><tbody>
<tr><td>mlp.down<td>forward<td class="n">640.0 us<td class="n">1.280 ms<td class="n">+640.0 us

# The JSON of an estimate has the verdict in one sentence.
$ nncost estimate dense round --format json | grep sentence
  "sentence": "One step of A small decoder takes 10.80 ms on A device of round figures and is bound by compute (64.1% of the time); it fits: 1.782 GB of 10.00 GB per device.",
$ nncost estimate dense round --micro-batch 4096 --mode ideal --format json | grep sentence
  "sentence": "One step of A small decoder takes at least 28.35 s on A device of round figures and is bound by compute (100.0% of the time); it does not fit: 1.158 TB of 10.00 GB per device; it fits with --micro-batch 16 --micro-batches 256.",

# Tests wrong command lines.
$ nncost report
! nncost: report: too few arguments, expected MODEL DEVICE | PLANS.json [DEVICE] | search MODEL DEVICE | diff OLD NEW
[2]
$ nncost report dense
! nncost: DEVICE: missing, expected MODEL DEVICE or a plan file, found only "dense"
[2]
$ nncost report dense round extra
! nncost: extra: one argument too many, expected MODEL DEVICE
[2]
$ nncost report search
! nncost: report search: too few arguments, expected MODEL DEVICE
[2]
$ nncost report diff old.json
! nncost: report diff: too few arguments, expected OLD NEW
[2]
$ nncost report search dense round --devices 4 --global-batch 16 --shard 1/2
! nncost: --shard: a report needs the whole search, expected no --shard
[2]
$ nncost report dense round --deadline nan
! nncost: --deadline: is not an option of 'report MODEL DEVICE'
[2]
$ nncost report search dense round --devices 4 --global-batch 16 --tokens 1e9 --deadline nan
! nncost: --deadline: not a time, expected a number above 0 and one of us, ms, s, min, h, d, w, such as 2.5s or 30d, found "nan"
[2]
$ nncost report diff old.json new.json --tensor 2
! nncost: --tensor: is not an option of 'report diff'
[2]

# Options in the defaults file are used only if the kind of report knows them.
$ mkdir -p .config/nncost && printf -- '--best 3\n--threads 1\n' > .config/nncost/defaults
$ HOME=$PWD XDG_CONFIG_HOME=$PWD/.config nncost report dense round | grep -c '<h1'
1
$ HOME=$PWD XDG_CONFIG_HOME=$PWD/.config nncost report search dense round --devices 4 --global-batch 16 | grep -c '<h1'
1
