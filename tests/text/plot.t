# 'nncost plot' draws pictures as SVG. --fragment prints a picture for a page that contains the style sheet.
# tests/pictures.py tests the marks of all pictures.

# Draws the parts of a step and its range.
$ nncost plot step dense round --pipeline 2 --micro-batches 4 --fragment
<svg xmlns="http://www.w3.org/2000/svg" class="nnc" viewBox="0 0 720 151" width="720" height="151" role="img" aria-labelledby="nnc-step-title nnc-step-desc">
<title id="nnc-step-title">One step 21.91 ms</title>
<desc id="nnc-step-desc">One step, A small decoder on 2 x A device of round figures: 21.91 ms. Forward 5.568 ms, 25.4%. Backward 10.90 ms, 49.8%. Update 1.742 ms, 7.9%. Exposed communication 201.0 us, 0.9%. Bubble 3.494 ms, 15.9%. At least 18.20 ms, without overlap 27.13 ms.</desc>
<pattern id="nnc-step-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="gap" width="6" height="6"/><rect class="hatch" width="2" height="6" opacity=".35"/></pattern>
<text class="b" x="8" y="18">One step</text>
<text class="b" x="712" y="18" text-anchor="end">21.91 ms</text>
<text class="dim" x="79.7" y="18">A small decoder on 2 x A device of round figures</text>
<g data-explain="forward_s"><title>forward: 5.568 ms, 25.4%</title><rect class="bar forward" x="8" y="28" width="178.9" height="30"/></g>
<g data-explain="backward_s"><title>backward: 10.90 ms, 49.8%</title><rect class="bar backward" x="186.9" y="28" width="350.4" height="30"/></g>
<g data-explain="update_s"><title>update: 1.742 ms, 7.9%</title><rect class="bar update" x="537.3" y="28" width="56" height="30"/></g>
<g data-explain="exposed_comm_s"><title>exposed communication: 201.0 us, 0.9%&#10;pipeline: 201.0 us of 285.0 us</title><rect class="bar exposed" x="593.3" y="28" width="6.4" height="30"/></g>
<g data-explain="bubble_s"><title>bubble: 3.494 ms, 15.9%</title><rect class="bar" fill="url(#nnc-step-hatch)" x="599.7" y="28" width="112.3" height="30"/></g>
<path class="axis thin" d="M16 58L16 63L12 69"/><rect class="forward" x="8" y="72" width="9" height="9" rx="2"/><text x="21" y="81">forward</text>
<text class="dim" x="21" y="96">5.568 ms, 25.4%</text>
<path class="axis thin" d="M194.9 58L194.9 63L190.9 69"/><rect class="backward" x="186.9" y="72" width="9" height="9" rx="2"/><text x="199.9" y="81">backward</text>
<text class="dim" x="199.9" y="96">10.90 ms, 49.8%</text>
<path class="axis thin" d="M545.3 58L545.3 63L470 69"/><rect class="update" x="466" y="72" width="9" height="9" rx="2"/><text x="479" y="81">update</text>
<text class="dim" x="479" y="96">1.742 ms, 7.9%</text>
<path class="axis thin" d="M607.7 58L607.7 63L596 69"/><rect class="bar" fill="url(#nnc-step-hatch)" x="592" y="72" width="9" height="9"/><text x="605" y="81">bubble</text>
<text class="dim" x="605" y="96">3.494 ms, 15.9%</text>
<text class="dim" x="416.1" y="121">at least 18.20 ms</text>
<text class="dim" x="550.3" y="121">without overlap 27.13 ms</text>
<path class="axis" d="M8 135L712 135"/><g data-explain="lower_bound_s"><title>at least 18.20 ms</title><path class="edge thin" d="M471.1 127L471.1 143"/></g>
<g data-explain="upper_bound_s"><title>without overlap 27.13 ms</title><path class="edge thin" d="M698.2 127L698.2 143"/></g>
<g data-explain="step_s"><title>predicted: 21.91 ms</title><circle class="dot backward" cx="565.5" cy="135" r="5"/></g>
</svg>

# Draws the same picture with the width of a phone.
$ nncost plot step dense round --pipeline 2 --micro-batches 4 --fragment --width 360 | head -3
<svg xmlns="http://www.w3.org/2000/svg" class="nnc" viewBox="0 0 360 200" width="360" height="200" role="img" aria-labelledby="nnc-step-title nnc-step-desc">
<title id="nnc-step-title">One step 21.91 ms</title>
<desc id="nnc-step-desc">One step, A small decoder on 2 x A device of round figures: 21.91 ms. Forward 5.568 ms, 25.4%. Backward 10.90 ms, 49.8%. Update 1.742 ms, 7.9%. Exposed communication 201.0 us, 0.9%. Bubble 3.494 ms, 15.9%. At least 18.20 ms, without overlap 27.13 ms.</desc>

# Draws the memory of a plan that fits in the device memory.
$ nncost plot memory dense round --fragment
<svg xmlns="http://www.w3.org/2000/svg" class="nnc" viewBox="0 0 720 98" width="720" height="98" role="img" aria-labelledby="nnc-memory-title nnc-memory-desc">
<title id="nnc-memory-title">Memory 1.782 GB of 10.00 GB, 17.8%</title>
<desc id="nnc-memory-desc">Memory, A small decoder on A device of round figures: 1.782 GB of 10.00 GB, 17.8%. 8.218 GB free. Weights 214.2 MB. Gradients 214.2 MB. Optimizer 1.285 GB. Activations 280.4 MB. Transient 22.00 MB.</desc>
<pattern id="nnc-memory-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="gap" width="6" height="6"/><rect class="hatch" width="2" height="6" opacity=".35"/></pattern>
<text class="b" x="8" y="18">Memory</text>
<text class="b" x="712" y="18" text-anchor="end">1.782 GB of 10.00 GB, 17.8%</text>
<text class="dim" x="73.3" y="18">A small decoder on A device of round figures</text>
<rect class="idle" x="8" y="28" width="704" height="30"/><g data-explain="weight_bytes"><title>weights: 214.2 MB, 2.1% of the device</title><rect class="bar weights" x="8" y="28" width="15.1" height="30"/></g>
<g data-explain="gradient_bytes"><title>gradients: 214.2 MB, 2.1% of the device</title><rect class="bar gradients" x="23.1" y="28" width="15.1" height="30"/></g>
<g data-explain="optimizer_bytes"><title>optimizer: 1.285 GB, 12.9% of the device</title><rect class="bar optimizer" x="38.2" y="28" width="90.4" height="30"/></g>
<g data-explain="activation_bytes"><title>activations: 280.4 MB, 2.8% of the device</title><rect class="bar activations" x="128.6" y="28" width="19.8" height="30"/></g>
<g data-explain="transient_bytes"><title>transient: 22.00 MB, 0.2% of the device</title><rect class="bar transient" x="148.4" y="28" width="1.5" height="30"/></g>
<path class="edge" d="M712 24L712 62"/><text class="dim" x="422.7" y="47" text-anchor="middle">8.218 GB free</text>
<rect class="weights" x="8" y="66" width="9" height="9" rx="2"/><text x="21" y="75">weights</text>
<text class="dim" x="21" y="90">214.2 MB</text>
<rect class="gradients" x="96.6" y="66" width="9" height="9" rx="2"/><text x="109.6" y="75">gradients</text>
<text class="dim" x="109.6" y="90">214.2 MB</text>
<rect class="optimizer" x="185.3" y="66" width="9" height="9" rx="2"/><text x="198.3" y="75">optimizer</text>
<text class="dim" x="198.3" y="90">1.285 GB</text>
<rect class="activations" x="273.8" y="66" width="9" height="9" rx="2"/><text x="286.8" y="75">activations</text>
<text class="dim" x="286.8" y="90">280.4 MB</text>
<rect class="transient" x="371.8" y="66" width="9" height="9" rx="2"/><text x="384.8" y="75">transient</text>
<text class="dim" x="384.8" y="90">22.00 MB</text>
</svg>
$ nncost plot memory dense round --fragment --width 360 | head -3
<svg xmlns="http://www.w3.org/2000/svg" class="nnc" viewBox="0 0 360 167" width="360" height="167" role="img" aria-labelledby="nnc-memory-title nnc-memory-desc">
<title id="nnc-memory-title">Memory 1.782 GB of 10.00 GB, 17.8%</title>
<desc id="nnc-memory-desc">Memory, A small decoder on A device of round figures: 1.782 GB of 10.00 GB, 17.8%. 8.218 GB free. Weights 214.2 MB. Gradients 214.2 MB. Optimizer 1.285 GB. Activations 280.4 MB. Transient 22.00 MB.</desc>

# Draws the memory of a plan that does not fit. A frame marks the memory above the capacity of the device.
$ nncost plot memory dense round --micro-batch 4096 --fragment
<svg xmlns="http://www.w3.org/2000/svg" class="nnc" viewBox="0 0 720 114" width="720" height="114" role="img" aria-labelledby="nnc-memory-title nnc-memory-desc">
<title id="nnc-memory-title">Memory 1.158 TB of 10.00 GB, 11582.1%</title>
<desc id="nnc-memory-desc">Memory, A small decoder on A device of round figures: 1.158 TB of 10.00 GB, 11582.1%. 1.148 TB too much. Weights 214.2 MB. Gradients 214.2 MB. Optimizer 1.285 GB. Activations 1.149 TB. Transient 90.11 GB.</desc>
<pattern id="nnc-memory-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="gap" width="6" height="6"/><rect class="hatch" width="2" height="6" opacity=".35"/></pattern>
<text class="b" x="8" y="18">Memory</text>
<text class="b" x="712" y="18" text-anchor="end">1.158 TB of 10.00 GB, 11582.1%</text>
<text class="dim" x="73.3" y="18">A small decoder on A device of round figures</text>
<rect class="idle" x="8" y="28" width="6.1" height="30"/><g data-explain="weight_bytes"><title>weights: 214.2 MB, 2.1% of the device</title><rect class="bar weights" x="8" y="28" width="0.1" height="30"/></g>
<g data-explain="gradient_bytes"><title>gradients: 214.2 MB, 2.1% of the device</title><rect class="bar gradients" x="8.1" y="28" width="0.2" height="30"/></g>
<g data-explain="optimizer_bytes"><title>optimizer: 1.285 GB, 12.9% of the device</title><rect class="bar optimizer" x="8.3" y="28" width="0.7" height="30"/></g>
<g data-explain="activation_bytes"><title>activations: 1.149 TB, 11485.2% of the device</title><rect class="bar activations" x="9" y="28" width="698.2" height="30"/></g>
<g data-explain="transient_bytes"><title>transient: 90.11 GB, 901.1% of the device</title><rect class="bar transient" x="707.2" y="28" width="54.7" height="30"/></g>
<rect class="frame" x="14.1" y="26" width="697.9" height="34"/><path class="edge" d="M14.1 24L14.1 62"/><text class="b" x="712" y="74" text-anchor="end">1.148 TB too much</text>
<rect class="weights" x="8" y="82" width="9" height="9" rx="2"/><text x="21" y="91">weights</text>
<text class="dim" x="21" y="106">214.2 MB</text>
<rect class="gradients" x="96.6" y="82" width="9" height="9" rx="2"/><text x="109.6" y="91">gradients</text>
<text class="dim" x="109.6" y="106">214.2 MB</text>
<rect class="optimizer" x="185.3" y="82" width="9" height="9" rx="2"/><text x="198.3" y="91">optimizer</text>
<text class="dim" x="198.3" y="106">1.285 GB</text>
<rect class="activations" x="273.8" y="82" width="9" height="9" rx="2"/><text x="286.8" y="91">activations</text>
<text class="dim" x="286.8" y="106">1.149 TB</text>
<rect class="transient" x="371.8" y="82" width="9" height="9" rx="2"/><text x="384.8" y="91">transient</text>
<text class="dim" x="384.8" y="106">90.11 GB</text>
</svg>
$ nncost plot memory dense round --micro-batch 4096 --fragment --width 360 | head -3
<svg xmlns="http://www.w3.org/2000/svg" class="nnc" viewBox="0 0 360 183" width="360" height="183" role="img" aria-labelledby="nnc-memory-title nnc-memory-desc">
<title id="nnc-memory-title">Memory 1.158 TB of 10.00 GB, 11582.1%</title>
<desc id="nnc-memory-desc">Memory, A small decoder on A device of round figures: 1.158 TB of 10.00 GB, 11582.1%. 1.148 TB too much. Weights 214.2 MB. Gradients 214.2 MB. Optimizer 1.285 GB. Activations 1.149 TB. Transient 90.11 GB.</desc>

# Draws the memory of every stage on one scale.
$ nncost plot memory dense round --pipeline 4 --micro-batches 8 --stages --fragment
<svg xmlns="http://www.w3.org/2000/svg" class="nnc" viewBox="0 0 720 149" width="720" height="149" role="img" aria-labelledby="nnc-memory-title nnc-memory-desc">
<title id="nnc-memory-title">Memory 10.00 GB each</title>
<desc id="nnc-memory-desc">Memory, A small decoder on 4 x A device of round figures, a device of each stage; right: micro-batches in flight: 10.00 GB each. Stage 0 832.9 MB. Stage 1 592.7 MB. Stage 2 528.6 MB. Stage 3 654.6 MB.</desc>
<pattern id="nnc-memory-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="gap" width="6" height="6"/><rect class="hatch" width="2" height="6" opacity=".35"/></pattern>
<text class="b" x="8" y="18">Memory</text>
<text class="b" x="712" y="18" text-anchor="end">10.00 GB each</text>
<text class="dim" x="73.3" y="18">A small decoder on 4 x A device of round figures, a device of each stage; right:</text>
<text class="dim" x="8" y="34">micro-batches in flight</text>
<text class="dim" x="8" y="56">stage 0</text>
<text class="dim" x="712" y="56" text-anchor="end">4</text>
<rect class="idle" x="64" y="44" width="608" height="16"/><g data-explain="weight_bytes"><title>weights: 70.05 MB, 0.7% of the device</title><rect class="bar weights" x="64" y="44" width="4.3" height="16"/></g>
<g data-explain="gradient_bytes"><title>gradients: 70.05 MB, 0.7% of the device</title><rect class="bar gradients" x="68.3" y="44" width="4.2" height="16"/></g>
<g data-explain="optimizer_bytes"><title>optimizer: 420.3 MB, 4.2% of the device</title><rect class="bar optimizer" x="72.5" y="44" width="25.6" height="16"/></g>
<g data-explain="activation_bytes"><title>activations: 256.4 MB, 2.6% of the device</title><rect class="bar activations" x="98.1" y="44" width="15.6" height="16"/></g>
<g data-explain="transient_bytes"><title>transient: 16.00 MB, 0.2% of the device</title><rect class="bar transient" x="113.7" y="44" width="0.9" height="16"/></g>
<path class="edge" d="M672 40L672 64"/><text class="dim" x="8" y="76">stage 1</text>
<text class="dim" x="712" y="76" text-anchor="end">3</text>
<rect class="idle" x="64" y="64" width="608" height="16"/><g data-explain="weight_bytes"><title>weights: 48.05 MB, 0.5% of the device</title><rect class="bar weights" x="64" y="64" width="2.9" height="16"/></g>
<g data-explain="gradient_bytes"><title>gradients: 48.05 MB, 0.5% of the device</title><rect class="bar gradients" x="66.9" y="64" width="2.9" height="16"/></g>
<g data-explain="optimizer_bytes"><title>optimizer: 288.3 MB, 2.9% of the device</title><rect class="bar optimizer" x="69.8" y="64" width="17.6" height="16"/></g>
<g data-explain="activation_bytes"><title>activations: 192.3 MB, 1.9% of the device</title><rect class="bar activations" x="87.4" y="64" width="11.7" height="16"/></g>
<g data-explain="transient_bytes"><title>transient: 16.00 MB, 0.2% of the device</title><rect class="bar transient" x="99.1" y="64" width="0.9" height="16"/></g>
<path class="edge" d="M672 60L672 84"/><text class="dim" x="8" y="96">stage 2</text>
<text class="dim" x="712" y="96" text-anchor="end">2</text>
<rect class="idle" x="64" y="84" width="608" height="16"/><g data-explain="weight_bytes"><title>weights: 48.05 MB, 0.5% of the device</title><rect class="bar weights" x="64" y="84" width="2.9" height="16"/></g>
<g data-explain="gradient_bytes"><title>gradients: 48.05 MB, 0.5% of the device</title><rect class="bar gradients" x="66.9" y="84" width="2.9" height="16"/></g>
<g data-explain="optimizer_bytes"><title>optimizer: 288.3 MB, 2.9% of the device</title><rect class="bar optimizer" x="69.8" y="84" width="17.6" height="16"/></g>
<g data-explain="activation_bytes"><title>activations: 128.2 MB, 1.3% of the device</title><rect class="bar activations" x="87.4" y="84" width="7.8" height="16"/></g>
<g data-explain="transient_bytes"><title>transient: 16.00 MB, 0.2% of the device</title><rect class="bar transient" x="95.2" y="84" width="0.9" height="16"/></g>
<path class="edge" d="M672 80L672 104"/><text class="dim" x="8" y="116">stage 3</text>
<text class="dim" x="712" y="116" text-anchor="end">1</text>
<rect class="idle" x="64" y="104" width="608" height="16"/><g data-explain="weight_bytes"><title>weights: 68.06 MB, 0.7% of the device</title><rect class="bar weights" x="64" y="104" width="4.1" height="16"/></g>
<g data-explain="gradient_bytes"><title>gradients: 68.06 MB, 0.7% of the device</title><rect class="bar gradients" x="68.1" y="104" width="4.2" height="16"/></g>
<g data-explain="optimizer_bytes"><title>optimizer: 408.3 MB, 4.1% of the device</title><rect class="bar optimizer" x="72.3" y="104" width="24.8" height="16"/></g>
<g data-explain="activation_bytes"><title>activations: 88.10 MB, 0.9% of the device</title><rect class="bar activations" x="97.1" y="104" width="5.4" height="16"/></g>
<g data-explain="transient_bytes"><title>transient: 22.00 MB, 0.2% of the device</title><rect class="bar transient" x="102.5" y="104" width="1.3" height="16"/></g>
<path class="edge" d="M672 100L672 124"/><rect class="weights" x="8" y="132" width="9" height="9" rx="2"/><text x="21" y="141">weights</text>
<rect class="gradients" x="86.1" y="132" width="9" height="9" rx="2"/><text x="99.1" y="141">gradients</text>
<rect class="optimizer" x="174.8" y="132" width="9" height="9" rx="2"/><text x="187.8" y="141">optimizer</text>
<rect class="activations" x="263.3" y="132" width="9" height="9" rx="2"/><text x="276.3" y="141">activations</text>
<rect class="transient" x="361.3" y="132" width="9" height="9" rx="2"/><text x="374.3" y="141">transient</text>
</svg>
$ nncost plot memory dense round --pipeline 4 --micro-batches 8 --stages --fragment --width 360 | head -3
<svg xmlns="http://www.w3.org/2000/svg" class="nnc" viewBox="0 0 360 182" width="360" height="182" role="img" aria-labelledby="nnc-memory-title nnc-memory-desc">
<title id="nnc-memory-title">Memory 10.00 GB each</title>
<desc id="nnc-memory-desc">Memory, A small decoder on 4 x A device of round figures, a device of each stage; right: micro-batches in flight: 10.00 GB each. Stage 0 832.9 MB. Stage 1 592.7 MB. Stage 2 528.6 MB. Stage 3 654.6 MB.</desc>

# Draws the ops below the roofline.
$ nncost plot roofline dense round --fragment
<svg xmlns="http://www.w3.org/2000/svg" class="nnc" viewBox="0 0 720 400" width="720" height="400" role="img" aria-labelledby="nnc-roofline-title nnc-roofline-desc">
<title id="nnc-roofline-title">Roofline</title>
<desc id="nnc-roofline-desc">Roofline, A small decoder on A device of round figures, every op of the step; area is its share. Compute-bound 64.1% of the step. Memory-bound 35.9%.</desc>
<pattern id="nnc-roofline-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="gap" width="6" height="6"/><rect class="hatch" width="2" height="6" opacity=".35"/></pattern>
<text class="b" x="8" y="18">Roofline</text>
<text class="dim" x="74.7" y="18">A small decoder on A device of round figures, every op of the step; area is its share</text>
<path class="grid" d="M58 36L58 356"/><text class="dim" x="58" y="373" text-anchor="middle">0.1</text>
<path class="grid" d="M217.5 36L217.5 356"/><text class="dim" x="217.5" y="373" text-anchor="middle">1</text>
<path class="grid" d="M377 36L377 356"/><text class="dim" x="377" y="373" text-anchor="middle">10</text>
<path class="grid" d="M536.5 36L536.5 356"/><text class="dim" x="536.5" y="373" text-anchor="middle">100</text>
<path class="grid" d="M696 36L696 356"/><text class="dim" x="696" y="373" text-anchor="middle">1 k</text>
<path class="grid" d="M58 356L696 356"/><text class="dim" x="52" y="360" text-anchor="end">100 G</text>
<path class="grid" d="M58 260.3L696 260.3"/><text class="dim" x="52" y="264.3" text-anchor="end">1 T</text>
<path class="grid" d="M58 164.5L696 164.5"/><text class="dim" x="52" y="168.5" text-anchor="end">10 T</text>
<path class="grid" d="M58 68.8L696 68.8"/><text class="dim" x="52" y="72.8" text-anchor="end">100 T</text>
<text class="dim" x="377" y="390" text-anchor="middle">FLOP per byte of device memory traffic</text>
<text class="dim" x="14" y="196" text-anchor="middle" transform="rotate(-90 14 196)">FLOP/s</text>
<path class="tint" d="M58 356L58 356L536.5 68.8L696 68.8L696 356Z"/><g><title>datasheet: 100.0 TFLOP/s, 1.000 TB/s</title><path class="roof" d="M58 356L536.5 68.8L696 68.8"/></g>
<text x="696" y="62.8" text-anchor="end">100.0 TFLOP/s bf16</text>
<text x="294.1" y="207.3" text-anchor="middle" transform="rotate(-31 294.1 207.3)">1.000 TB/s</text>
<path class="axis dash" d="M536.5 68.8L536.5 356"/><text class="dim" x="531.5" y="228" text-anchor="end">ridge 100</text>
<rect class="page" x="450" y="315" width="242" height="36"/><rect class="tint" x="450" y="315" width="242" height="36"/><circle class="mark compute" cx="461" cy="324" r="5"/><text x="471" y="328">compute-bound 64.1% of the step</text>
<rect class="mark memory" x="456.6" y="336.6" width="8.8" height="8.8"/><text x="471" y="345">memory-bound 35.9%</text>
<g data-key="optimizer/update"><title>optimizer, update: 27.8% of the step, 571.4 GFLOP/s at 0.5714 FLOP/B, memory-bound</title><rect class="mark memory" x="157.3" y="262.1" width="42.8" height="42.8"/></g>
<g data-key="mlp.up/forward"><title>mlp.up, forward: 5.9% of the step, 100.0 TFLOP/s at 444.5 FLOP/B, compute-bound</title><circle class="mark compute" cx="639.8" cy="68.8" r="11.2"/></g>
<g data-key="mlp.down/forward"><title>mlp.down, forward: 5.9% of the step, 100.0 TFLOP/s at 444.5 FLOP/B, compute-bound</title><circle class="mark compute" cx="639.8" cy="68.8" r="11.2"/></g>
<g data-key="mlp.down/grad_input"><title>mlp.down, grad_input: 5.9% of the step, 100.0 TFLOP/s at 444.4 FLOP/B, compute-bound</title><circle class="mark compute" cx="639.8" cy="68.8" r="11.2"/></g>
<g data-key="mlp.down/grad_weight"><title>mlp.down, grad_weight: 5.9% of the step, 100.0 TFLOP/s at 444.5 FLOP/B, compute-bound</title><circle class="mark compute" cx="639.8" cy="68.8" r="11.2"/></g>
<g data-key="mlp.up/grad_input"><title>mlp.up, grad_input: 5.9% of the step, 100.0 TFLOP/s at 444.4 FLOP/B, compute-bound</title><circle class="mark compute" cx="639.8" cy="68.8" r="11.2"/></g>
<g data-key="mlp.up/grad_weight"><title>mlp.up, grad_weight: 5.9% of the step, 100.0 TFLOP/s at 444.7 FLOP/B, compute-bound</title><circle class="mark compute" cx="639.9" cy="68.8" r="11.2"/></g>
<g data-key="attn.qkv/forward"><title>attn.qkv, forward: 4.4% of the step, 100.0 TFLOP/s at 428.6 FLOP/B, compute-bound</title><circle class="mark compute" cx="637.3" cy="68.8" r="9.7"/></g>
<g data-key="attn.qkv/grad_input"><title>attn.qkv, grad_input: 4.4% of the step, 100.0 TFLOP/s at 428.6 FLOP/B, compute-bound</title><circle class="mark compute" cx="637.3" cy="68.8" r="9.7"/></g>
<g data-key="attn.qkv/grad_weight"><title>attn.qkv, grad_weight: 4.4% of the step, 100.0 TFLOP/s at 428.8 FLOP/B, compute-bound</title><circle class="mark compute" cx="637.3" cy="68.8" r="9.7"/></g>
<g data-key="attn.core/backward"><title>attn.core, backward: 3.7% of the step, 100.5 TFLOP/s at 313.1 FLOP/B, compute-bound</title><circle class="mark compute" cx="615.6" cy="68.6" r="8.9"/></g>
<g data-key="grad.clip/update"><title>grad.clip, update: 2.0% of the step, 1.000 TFLOP/s at 1 FLOP/B, memory-bound</title><rect class="mark memory" x="211.8" y="254.6" width="11.4" height="11.4"/></g>
<g data-key="head.logits/forward"><title>head.logits, forward: 1.9% of the step, 100.0 TFLOP/s at 476.2 FLOP/B, compute-bound</title><circle class="mark compute" cx="644.6" cy="68.8" r="6.3"/></g>
<g data-key="head.logits/grad_input"><title>head.logits, grad_input: 1.9% of the step, 100.0 TFLOP/s at 476.2 FLOP/B, compute-bound</title><circle class="mark compute" cx="644.6" cy="68.8" r="6.3"/></g>
<g data-key="head.logits/grad_weight"><title>head.logits, grad_weight: 1.9% of the step, 100.0 TFLOP/s at 476.2 FLOP/B, compute-bound</title><circle class="mark compute" cx="644.6" cy="68.8" r="6.3"/></g>
<g data-key="mlp.activation/backward"><title>mlp.activation, backward: 1.8% of the step, 2.167 TFLOP/s at 2.167 FLOP/B, memory-bound</title><rect class="mark memory" x="265.7" y="222.7" width="10.8" height="10.8"/></g>
<g data-key="attn.core/forward"><title>attn.core, forward: 1.5% of the step, 101.0 TFLOP/s at 251.7 FLOP/B, compute-bound</title><circle class="mark compute" cx="600.5" cy="68.4" r="5.6"/></g>
<g data-key="attn.out/forward"><title>attn.out, forward: 1.5% of the step, 100.0 TFLOP/s at 333.4 FLOP/B, compute-bound</title><circle class="mark compute" cx="619.9" cy="68.8" r="5.6"/></g>
<g data-key="attn.out/grad_input"><title>attn.out, grad_input: 1.5% of the step, 100.0 TFLOP/s at 333.3 FLOP/B, compute-bound</title><circle class="mark compute" cx="619.9" cy="68.8" r="5.6"/></g>
<g data-key="attn.out/grad_weight"><title>attn.out, grad_weight: 1.5% of the step, 100.0 TFLOP/s at 333.5 FLOP/B, compute-bound</title><circle class="mark compute" cx="619.9" cy="68.8" r="5.6"/></g>
<g data-key="mlp.activation/forward"><title>mlp.activation, forward: 1.2% of the step, 2.000 TFLOP/s at 2 FLOP/B, memory-bound</title><rect class="mark memory" x="261.1" y="227" width="8.8" height="8.8"/></g>
<g data-key="loss/backward"><title>loss, backward: 0.7% of the step, 500.0 GFLOP/s at 0.5 FLOP/B, memory-bound, 4 rows of several ops</title><rect class="mark memory" x="166.2" y="285.8" width="6.6" height="6.6"/></g>
<g data-key="attn.norm/forward"><title>attn.norm, forward: 0.6% of the step, 2.000 TFLOP/s at 2 FLOP/B, memory-bound, 3 rows of several ops</title><rect class="mark memory" x="262.3" y="228.2" width="6.4" height="6.4"/></g>
<g data-key="attn.residual/forward"><title>attn.residual, forward: 0.6% of the step, 250.0 GFLOP/s at 0.25 FLOP/B, memory-bound, 3 rows of several ops</title><rect class="mark memory" x="118.3" y="314.7" width="6.4" height="6.4"/></g>
<g data-key="mlp.norm/backward"><title>mlp.norm, backward: 0.4% of the step, 2.333 TFLOP/s at 2.333 FLOP/B, memory-bound</title><rect class="mark memory" x="273.5" y="222.3" width="5.4" height="5.4"/></g>
<g data-key="attn.norm/backward"><title>attn.norm, backward: 0.4% of the step, 2.333 TFLOP/s at 2.333 FLOP/B, memory-bound</title><rect class="mark memory" x="273.5" y="222.3" width="5.4" height="5.4"/></g>
<g data-key="loss/forward"><title>loss, forward: 0.2% of the step, 2.500 TFLOP/s at 2.5 FLOP/B, memory-bound</title><rect class="mark memory" x="278.4" y="219.6" width="5.2" height="5.2"/></g>
<g data-key="embed.tokens/backward"><title>embed.tokens, backward: 0.1% of the step, 166.4 GFLOP/s at 0.1664 FLOP/B, memory-bound</title><rect class="mark memory" x="90.7" y="332.2" width="5.2" height="5.2"/></g>
<g data-key="head.norm/backward"><title>head.norm, backward: 0.1% of the step, 2.333 TFLOP/s at 2.333 FLOP/B, memory-bound</title><rect class="mark memory" x="273.6" y="222.4" width="5.2" height="5.2"/></g>
<text class="halo" x="205.9" y="287">optimizer</text>
<text class="halo" x="617.9" y="92">mlp.up</text>
<path class="axis" d="M609.3 74.9L601 83.2"/><text class="halo" x="543.8" y="93.2">attn.core</text>
<path class="axis" d="M224 260.3L239 260.3"/><text class="halo" x="239" y="263.8">grad.clip</text>
<path class="axis" d="M277.2 228.1L292.2 228.1"/><text class="halo" x="292.2" y="231.6">mlp.activation</text>
<path class="axis" d="M172.2 291.8L188.9 308.5"/><text class="halo" x="188.9" y="318.5">loss and 3 more</text>
<path class="axis" d="M261.8 231.4L246.9 231.4"/><text class="halo" x="107.4" y="234.9">attn.norm and 2 more</text>
<path class="axis" d="M124.1 320.5L132.4 328.8"/><text class="halo" x="132.4" y="338.8">attn.residual and 2 more</text>
<path class="axis" d="M278.4 227.2L286.7 235.5"/><text class="halo" x="286.7" y="245.5">mlp.norm</text>
</svg>
$ nncost plot roofline dense round --fragment --width 360
<svg xmlns="http://www.w3.org/2000/svg" class="nnc" viewBox="0 0 360 376" width="360" height="376" role="img" aria-labelledby="nnc-roofline-title nnc-roofline-desc">
<title id="nnc-roofline-title">Roofline</title>
<desc id="nnc-roofline-desc">Roofline, A small decoder on A device of round figures, every op of the step; area is its share. Compute-bound 64.1% of the step. Memory-bound 35.9%.</desc>
<pattern id="nnc-roofline-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="gap" width="6" height="6"/><rect class="hatch" width="2" height="6" opacity=".35"/></pattern>
<text class="b" x="8" y="18">Roofline</text>
<text class="dim" x="74.7" y="18">A small decoder on A device of round</text>
<text class="dim" x="8" y="34">figures, every op of the step; area is its share</text>
<path class="grid" d="M58 52L58 292"/><text class="dim" x="58" y="309" text-anchor="middle">0.1</text>
<path class="grid" d="M127.5 52L127.5 292"/><text class="dim" x="127.5" y="309" text-anchor="middle">1</text>
<path class="grid" d="M197 52L197 292"/><text class="dim" x="197" y="309" text-anchor="middle">10</text>
<path class="grid" d="M266.5 52L266.5 292"/><text class="dim" x="266.5" y="309" text-anchor="middle">100</text>
<path class="grid" d="M336 52L336 292"/><text class="dim" x="336" y="309" text-anchor="middle">1 k</text>
<path class="grid" d="M58 292L336 292"/><text class="dim" x="52" y="296" text-anchor="end">100 G</text>
<path class="grid" d="M58 220.2L336 220.2"/><text class="dim" x="52" y="224.2" text-anchor="end">1 T</text>
<path class="grid" d="M58 148.4L336 148.4"/><text class="dim" x="52" y="152.4" text-anchor="end">10 T</text>
<path class="grid" d="M58 76.6L336 76.6"/><text class="dim" x="52" y="80.6" text-anchor="end">100 T</text>
<text class="dim" x="197" y="326" text-anchor="middle">FLOP per byte of device memory traffic</text>
<text class="dim" x="14" y="172" text-anchor="middle" transform="rotate(-90 14 172)">FLOP/s</text>
<path class="tint" d="M58 292L58 292L266.5 76.6L336 76.6L336 292Z"/><g><title>datasheet: 100.0 TFLOP/s, 1.000 TB/s</title><path class="roof" d="M58 292L266.5 76.6L336 76.6"/></g>
<text x="336" y="70.6" text-anchor="end">100.0 TFLOP/s bf16</text>
<text x="157.9" y="180.1" text-anchor="middle" transform="rotate(-45.9 157.9 180.1)">1.000 TB/s</text>
<path class="axis dash" d="M266.5 76.6L266.5 292"/><text class="dim" x="261.5" y="196" text-anchor="end">ridge 100</text>
<circle class="mark compute" cx="13" cy="344" r="5"/><text x="23" y="348">compute-bound 64.1% of the step</text>
<rect class="mark memory" x="8.6" y="356.6" width="8.8" height="8.8"/><text x="23" y="365">memory-bound 35.9%</text>
<g data-key="optimizer/update"><title>optimizer, update: 27.8% of the step, 571.4 GFLOP/s at 0.5714 FLOP/B, memory-bound</title><rect class="mark memory" x="89.2" y="216.2" width="42.8" height="42.8"/></g>
<g data-key="mlp.up/forward"><title>mlp.up, forward: 5.9% of the step, 100.0 TFLOP/s at 444.5 FLOP/B, compute-bound</title><circle class="mark compute" cx="311.5" cy="76.6" r="11.2"/></g>
<g data-key="mlp.down/forward"><title>mlp.down, forward: 5.9% of the step, 100.0 TFLOP/s at 444.5 FLOP/B, compute-bound</title><circle class="mark compute" cx="311.5" cy="76.6" r="11.2"/></g>
<g data-key="mlp.down/grad_input"><title>mlp.down, grad_input: 5.9% of the step, 100.0 TFLOP/s at 444.4 FLOP/B, compute-bound</title><circle class="mark compute" cx="311.5" cy="76.6" r="11.2"/></g>
<g data-key="mlp.down/grad_weight"><title>mlp.down, grad_weight: 5.9% of the step, 100.0 TFLOP/s at 444.5 FLOP/B, compute-bound</title><circle class="mark compute" cx="311.5" cy="76.6" r="11.2"/></g>
<g data-key="mlp.up/grad_input"><title>mlp.up, grad_input: 5.9% of the step, 100.0 TFLOP/s at 444.4 FLOP/B, compute-bound</title><circle class="mark compute" cx="311.5" cy="76.6" r="11.2"/></g>
<g data-key="mlp.up/grad_weight"><title>mlp.up, grad_weight: 5.9% of the step, 100.0 TFLOP/s at 444.7 FLOP/B, compute-bound</title><circle class="mark compute" cx="311.5" cy="76.6" r="11.2"/></g>
<g data-key="attn.qkv/forward"><title>attn.qkv, forward: 4.4% of the step, 100.0 TFLOP/s at 428.6 FLOP/B, compute-bound</title><circle class="mark compute" cx="310.4" cy="76.6" r="9.7"/></g>
<g data-key="attn.qkv/grad_input"><title>attn.qkv, grad_input: 4.4% of the step, 100.0 TFLOP/s at 428.6 FLOP/B, compute-bound</title><circle class="mark compute" cx="310.4" cy="76.6" r="9.7"/></g>
<g data-key="attn.qkv/grad_weight"><title>attn.qkv, grad_weight: 4.4% of the step, 100.0 TFLOP/s at 428.8 FLOP/B, compute-bound</title><circle class="mark compute" cx="310.4" cy="76.6" r="9.7"/></g>
<g data-key="attn.core/backward"><title>attn.core, backward: 3.7% of the step, 100.5 TFLOP/s at 313.1 FLOP/B, compute-bound</title><circle class="mark compute" cx="300.9" cy="76.4" r="8.9"/></g>
<g data-key="grad.clip/update"><title>grad.clip, update: 2.0% of the step, 1.000 TFLOP/s at 1 FLOP/B, memory-bound</title><rect class="mark memory" x="121.8" y="214.5" width="11.4" height="11.4"/></g>
<g data-key="head.logits/forward"><title>head.logits, forward: 1.9% of the step, 100.0 TFLOP/s at 476.2 FLOP/B, compute-bound</title><circle class="mark compute" cx="313.6" cy="76.6" r="6.3"/></g>
<g data-key="head.logits/grad_input"><title>head.logits, grad_input: 1.9% of the step, 100.0 TFLOP/s at 476.2 FLOP/B, compute-bound</title><circle class="mark compute" cx="313.6" cy="76.6" r="6.3"/></g>
<g data-key="head.logits/grad_weight"><title>head.logits, grad_weight: 1.9% of the step, 100.0 TFLOP/s at 476.2 FLOP/B, compute-bound</title><circle class="mark compute" cx="313.6" cy="76.6" r="6.3"/></g>
<g data-key="mlp.activation/backward"><title>mlp.activation, backward: 1.8% of the step, 2.167 TFLOP/s at 2.167 FLOP/B, memory-bound</title><rect class="mark memory" x="145.4" y="190.7" width="10.8" height="10.8"/></g>
<g data-key="attn.core/forward"><title>attn.core, forward: 1.5% of the step, 101.0 TFLOP/s at 251.7 FLOP/B, compute-bound</title><circle class="mark compute" cx="294.4" cy="76.3" r="5.6"/></g>
<g data-key="attn.out/forward"><title>attn.out, forward: 1.5% of the step, 100.0 TFLOP/s at 333.4 FLOP/B, compute-bound</title><circle class="mark compute" cx="302.8" cy="76.6" r="5.6"/></g>
<g data-key="attn.out/grad_input"><title>attn.out, grad_input: 1.5% of the step, 100.0 TFLOP/s at 333.3 FLOP/B, compute-bound</title><circle class="mark compute" cx="302.8" cy="76.6" r="5.6"/></g>
<g data-key="attn.out/grad_weight"><title>attn.out, grad_weight: 1.5% of the step, 100.0 TFLOP/s at 333.5 FLOP/B, compute-bound</title><circle class="mark compute" cx="302.9" cy="76.6" r="5.6"/></g>
<g data-key="mlp.activation/forward"><title>mlp.activation, forward: 1.2% of the step, 2.000 TFLOP/s at 2 FLOP/B, memory-bound</title><rect class="mark memory" x="144" y="194.2" width="8.8" height="8.8"/></g>
<g data-key="loss/backward"><title>loss, backward: 0.7% of the step, 500.0 GFLOP/s at 0.5 FLOP/B, memory-bound, 4 rows of several ops</title><rect class="mark memory" x="103.3" y="238.5" width="6.6" height="6.6"/></g>
<g data-key="attn.norm/forward"><title>attn.norm, forward: 0.6% of the step, 2.000 TFLOP/s at 2 FLOP/B, memory-bound, 3 rows of several ops</title><rect class="mark memory" x="145.2" y="195.4" width="6.4" height="6.4"/></g>
<g data-key="attn.residual/forward"><title>attn.residual, forward: 0.6% of the step, 250.0 GFLOP/s at 0.25 FLOP/B, memory-bound, 3 rows of several ops</title><rect class="mark memory" x="82.5" y="260.2" width="6.4" height="6.4"/></g>
<g data-key="mlp.norm/backward"><title>mlp.norm, backward: 0.4% of the step, 2.333 TFLOP/s at 2.333 FLOP/B, memory-bound</title><rect class="mark memory" x="150.4" y="191.1" width="5.4" height="5.4"/></g>
<g data-key="attn.norm/backward"><title>attn.norm, backward: 0.4% of the step, 2.333 TFLOP/s at 2.333 FLOP/B, memory-bound</title><rect class="mark memory" x="150.4" y="191.1" width="5.4" height="5.4"/></g>
<g data-key="loss/forward"><title>loss, forward: 0.2% of the step, 2.500 TFLOP/s at 2.5 FLOP/B, memory-bound</title><rect class="mark memory" x="152.6" y="189" width="5.2" height="5.2"/></g>
<g data-key="embed.tokens/backward"><title>embed.tokens, backward: 0.1% of the step, 166.4 GFLOP/s at 0.1664 FLOP/B, memory-bound</title><rect class="mark memory" x="70.8" y="273.5" width="5.2" height="5.2"/></g>
<g data-key="head.norm/backward"><title>head.norm, backward: 0.1% of the step, 2.333 TFLOP/s at 2.333 FLOP/B, memory-bound</title><rect class="mark memory" x="150.5" y="191.2" width="5.2" height="5.2"/></g>
<text class="halo" x="137.8" y="241.1">optimizer</text>
<text class="halo" x="289.6" y="99.8">mlp.up</text>
<path class="axis" d="M134 220.2L149 220.2"/><text class="halo" x="149" y="223.7">grad.clip</text>
<path class="axis" d="M150.8 190L150.8 140"/><text class="halo" x="105.7" y="137">mlp.activation</text>
</svg>

# For a device with fitted efficiencies, a second line shows the rates that kernels reach.
$ nncost plot roofline dense fitted --fragment | grep -c 'roof dash'
1

# The timeline shows the idle times of each stage.
$ nncost plot timeline dense round --pipeline 2 --micro-batches 4 --fragment
<svg xmlns="http://www.w3.org/2000/svg" class="nnc" viewBox="0 0 720 213" width="720" height="213" role="img" aria-labelledby="nnc-timeline-title nnc-timeline-desc">
<title id="nnc-timeline-title">Timeline</title>
<desc id="nnc-timeline-desc">Timeline, A small decoder on 2 x A device of round figures, 1f1b, 2 stages, 4 micro-batches; idle 21.8% of all stages' time. The busiest stage, 1, waits 15.9% of the step.</desc>
<pattern id="nnc-timeline-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="gap" width="6" height="6"/><rect class="hatch" width="2" height="6" opacity=".35"/></pattern>
<text class="b" x="8" y="18">Timeline</text>
<text class="dim" x="76.8" y="18">A small decoder on 2 x A device of round figures, 1f1b, 2 stages, 4 micro-batches; idle 21.8% of all</text>
<text class="dim" x="8" y="34">stages' time</text>
<text class="dim" x="8" y="59">stage 0</text>
<g data-explain="bubble_s"><title>stage 0: idle 27.8% of the step</title><rect class="bar" fill="url(#nnc-timeline-hatch)" x="64" y="44" width="648" height="22"/></g>
<g><title>stage 0, forward of micro-batch 0: 0 s to 1.176 ms</title><rect class="bar forward" x="64" y="44" width="34.8" height="22"/><text class="s on-forward" x="81.4" y="59" text-anchor="middle">0</text>
</g>
<g><title>stage 0, forward of micro-batch 1: 1.176 ms to 2.352 ms</title><rect class="bar forward" x="98.8" y="44" width="34.8" height="22"/><text class="s on-forward" x="116.2" y="59" text-anchor="middle">1</text>
</g>
<g><title>stage 0, forward of micro-batch 2: 7.583 ms to 8.759 ms</title><rect class="bar forward" x="288.3" y="44" width="34.7" height="22"/><text class="s on-forward" x="305.6" y="59" text-anchor="middle">2</text>
</g>
<g><title>stage 0, forward of micro-batch 3: 11.70 ms to 12.88 ms</title><rect class="bar forward" x="410.1" y="44" width="34.7" height="22"/><text class="s on-forward" x="427.4" y="59" text-anchor="middle">3</text>
</g>
<g><title>stage 0, backward of micro-batch 0: 5.294 ms to 7.583 ms</title><rect class="bar backward" x="220.6" y="44" width="67.7" height="22"/><text class="s on-backward" x="254.4" y="59" text-anchor="middle">0</text>
</g>
<g><title>stage 0, backward of micro-batch 1: 9.413 ms to 11.70 ms</title><rect class="bar backward" x="342.4" y="44" width="67.7" height="22"/><text class="s on-backward" x="376.2" y="59" text-anchor="middle">1</text>
</g>
<g><title>stage 0, backward of micro-batch 2: 13.53 ms to 15.82 ms</title><rect class="bar backward" x="464.2" y="44" width="67.7" height="22"/><text class="s on-backward" x="498" y="59" text-anchor="middle">2</text>
</g>
<g><title>stage 0, backward of micro-batch 3: 17.65 ms to 19.94 ms</title><rect class="bar backward" x="586" y="44" width="67.7" height="22"/><text class="s on-backward" x="619.8" y="59" text-anchor="middle">3</text>
</g>
<g><title>stage 0, exposed collectives: 19.94 ms to 20.14 ms</title><rect class="bar exposed" x="653.7" y="44" width="5.9" height="22"/></g>
<g><title>stage 0, update: 20.14 ms to 21.91 ms</title><rect class="bar update" x="659.6" y="44" width="52.4" height="22"/></g>
<g data-explain="activation_bytes"><title>stage 0: memory from 960.8 MB, at most 1.217 GB</title><rect class="idle" x="64" y="69" width="648" height="22"/><path class="roof" d="M64 88.9L98.8 88.6L98.8 88.6L133.6 88.3L220.6 88.3L288.3 88.6L288.3 88.6L323 88.3L342.4 88.3L410.1 88.6L410.1 88.6L444.8 88.3L464.2 88.3L531.9 88.6L586 88.6L653.7 88.9L659.6 88.9L712 88.9"/></g>
<text class="dim" x="8" y="112">stage 1</text>
<g data-explain="bubble_s"><title>stage 1: idle 15.9% of the step</title><rect class="bar" fill="url(#nnc-timeline-hatch)" x="64" y="97" width="648" height="22"/></g>
<g><title>stage 1, forward of micro-batch 0: 1.176 ms to 2.568 ms</title><rect class="bar forward" x="98.8" y="97" width="41.2" height="22"/><text class="s on-forward" x="119.4" y="112" text-anchor="middle">0</text>
</g>
<g><title>stage 1, forward of micro-batch 1: 5.294 ms to 6.686 ms</title><rect class="bar forward" x="220.6" y="97" width="41.2" height="22"/><text class="s on-forward" x="241.2" y="112" text-anchor="middle">1</text>
</g>
<g><title>stage 1, forward of micro-batch 2: 9.413 ms to 10.80 ms</title><rect class="bar forward" x="342.4" y="97" width="41.2" height="22"/><text class="s on-forward" x="363" y="112" text-anchor="middle">2</text>
</g>
<g><title>stage 1, forward of micro-batch 3: 13.53 ms to 14.92 ms</title><rect class="bar forward" x="464.2" y="97" width="41.2" height="22"/><text class="s on-forward" x="484.8" y="112" text-anchor="middle">3</text>
</g>
<g><title>stage 1, backward of micro-batch 0: 2.568 ms to 5.294 ms</title><rect class="bar backward" x="140" y="97" width="80.6" height="22"/><text class="s on-backward" x="180.3" y="112" text-anchor="middle">0</text>
</g>
<g><title>stage 1, backward of micro-batch 1: 6.686 ms to 9.413 ms</title><rect class="bar backward" x="261.8" y="97" width="80.6" height="22"/><text class="s on-backward" x="302.1" y="112" text-anchor="middle">1</text>
</g>
<g><title>stage 1, backward of micro-batch 2: 10.80 ms to 13.53 ms</title><rect class="bar backward" x="383.6" y="97" width="80.6" height="22"/><text class="s on-backward" x="423.9" y="112" text-anchor="middle">2</text>
</g>
<g><title>stage 1, backward of micro-batch 3: 14.92 ms to 17.65 ms</title><rect class="bar backward" x="505.4" y="97" width="80.6" height="22"/><text class="s on-backward" x="545.7" y="112" text-anchor="middle">3</text>
</g>
<g><title>stage 1, exposed collectives: 17.65 ms to 17.85 ms</title><rect class="bar exposed" x="586" y="97" width="5.9" height="22"/></g>
<g><title>stage 1, update: 17.85 ms to 19.59 ms</title><rect class="bar update" x="591.9" y="97" width="51.5" height="22"/></g>
<g data-explain="activation_bytes"><title>stage 1: memory from 950.9 MB, at most 1.103 GB</title><rect class="idle" x="64" y="122" width="648" height="22"/><path class="roof" d="M64 141.9L98.8 141.9L98.8 141.9L140 141.6L140 141.6L220.6 141.9L220.6 141.9L261.8 141.6L261.8 141.6L342.4 141.9L342.4 141.9L383.6 141.6L383.6 141.6L464.2 141.9L464.2 141.9L505.4 141.6L505.4 141.6L586 141.9L643.4 141.9L712 141.9"/></g>
<path class="grid" d="M64 150L64 155"/><text class="dim" x="54.7" y="166">0 s</text>
<path class="grid" d="M211.9 150L211.9 155"/><text class="dim" x="196.5" y="166">5 ms</text>
<path class="grid" d="M359.8 150L359.8 155"/><text class="dim" x="340.4" y="166">10 ms</text>
<path class="grid" d="M507.6 150L507.6 155"/><text class="dim" x="488.2" y="166">15 ms</text>
<path class="grid" d="M655.5 150L655.5 155"/><text class="dim" x="636.1" y="166">20 ms</text>
<rect class="forward" x="64" y="176" width="9" height="9" rx="2"/><text x="77" y="185">forward</text>
<rect class="backward" x="141.6" y="176" width="9" height="9" rx="2"/><text x="154.6" y="185">backward</text>
<rect class="exposed" x="231.8" y="176" width="9" height="9" rx="2"/><text x="244.8" y="185">exposed collectives</text>
<rect class="update" x="384.6" y="176" width="9" height="9" rx="2"/><text x="397.6" y="185">update</text>
<rect class="bar" fill="url(#nnc-timeline-hatch)" x="458.1" y="176" width="9" height="9"/><text x="471.1" y="185">idle</text>
<path class="roof" d="M64 201L76 201"/><text x="82" y="205">memory; the height is 10.00 GB</text>
</svg>
$ nncost plot timeline dense round --pipeline 2 --micro-batches 4 --fragment --width 360 | head -3
<svg xmlns="http://www.w3.org/2000/svg" class="nnc" viewBox="0 0 360 246" width="360" height="246" role="img" aria-labelledby="nnc-timeline-title nnc-timeline-desc">
<title id="nnc-timeline-title">Timeline</title>
<desc id="nnc-timeline-desc">Timeline, A small decoder on 2 x A device of round figures, 1f1b, 2 stages, 4 micro-batches; idle 21.8% of all stages' time. The busiest stage, 1, waits 15.9% of the step.</desc>

# Draws a part of the timeline.
$ nncost plot timeline dense round --pipeline 2 --micro-batches 4 --from 1ms --to 2ms --fragment
<svg xmlns="http://www.w3.org/2000/svg" class="nnc" viewBox="0 0 720 213" width="720" height="213" role="img" aria-labelledby="nnc-timeline-title nnc-timeline-desc">
<title id="nnc-timeline-title">Timeline</title>
<desc id="nnc-timeline-desc">Timeline, A small decoder on 2 x A device of round figures, 1f1b, 2 stages, 4 micro-batches; idle 21.8% of all stages' time. The busiest stage, 1, waits 15.9% of the step.</desc>
<pattern id="nnc-timeline-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="gap" width="6" height="6"/><rect class="hatch" width="2" height="6" opacity=".35"/></pattern>
<text class="b" x="8" y="18">Timeline</text>
<text class="dim" x="76.8" y="18">A small decoder on 2 x A device of round figures, 1f1b, 2 stages, 4 micro-batches; idle 21.8% of all</text>
<text class="dim" x="8" y="34">stages' time</text>
<text class="dim" x="8" y="59">stage 0</text>
<g data-explain="bubble_s"><title>stage 0: idle 27.8% of the step</title><rect class="bar" fill="url(#nnc-timeline-hatch)" x="64" y="44" width="648" height="22"/></g>
<g><title>stage 0, forward of micro-batch 0: 0 s to 1.176 ms</title><rect class="bar forward" x="64" y="44" width="114.1" height="22"/><text class="s on-forward" x="121" y="59" text-anchor="middle">0</text>
</g>
<g><title>stage 0, forward of micro-batch 1: 1.176 ms to 2.352 ms</title><rect class="bar forward" x="178.1" y="44" width="533.9" height="22"/><text class="s on-forward" x="445" y="59" text-anchor="middle">1</text>
</g>
<g data-explain="activation_bytes"><title>stage 0: memory from 960.8 MB, at most 1.217 GB</title><rect class="idle" x="64" y="69" width="648" height="22"/><path class="roof" d="M64 88.9L178.1 88.6L178.1 88.6L712 88.3"/></g>
<text class="dim" x="8" y="112">stage 1</text>
<g data-explain="bubble_s"><title>stage 1: idle 15.9% of the step</title><rect class="bar" fill="url(#nnc-timeline-hatch)" x="64" y="97" width="648" height="22"/></g>
<g><title>stage 1, forward of micro-batch 0: 1.176 ms to 2.568 ms</title><rect class="bar forward" x="178.1" y="97" width="533.9" height="22"/><text class="s on-forward" x="445" y="112" text-anchor="middle">0</text>
</g>
<g data-explain="activation_bytes"><title>stage 1: memory from 950.9 MB, at most 1.103 GB</title><rect class="idle" x="64" y="122" width="648" height="22"/><path class="roof" d="M64 141.9L178.1 141.9L178.1 141.9L712 141.6"/></g>
<path class="grid" d="M64 150L64 155"/><text class="dim" x="48.6" y="166">1 ms</text>
<path class="grid" d="M193.6 150L193.6 155"/><text class="dim" x="172.2" y="166">1.2 ms</text>
<path class="grid" d="M323.2 150L323.2 155"/><text class="dim" x="301.8" y="166">1.4 ms</text>
<path class="grid" d="M452.8 150L452.8 155"/><text class="dim" x="431.4" y="166">1.6 ms</text>
<path class="grid" d="M582.4 150L582.4 155"/><text class="dim" x="561" y="166">1.8 ms</text>
<path class="grid" d="M712 150L712 155"/><text class="dim" x="681.1" y="166">2 ms</text>
<rect class="forward" x="64" y="176" width="9" height="9" rx="2"/><text x="77" y="185">forward</text>
<rect class="bar" fill="url(#nnc-timeline-hatch)" x="141.6" y="176" width="9" height="9"/><text x="154.6" y="185">idle</text>
<path class="roof" d="M64 201L76 201"/><text x="82" y="205">memory; the height is 10.00 GB</text>
</svg>

# Draws the Pareto front of step time and memory.
$ nncost plot front dense round --devices 4 --global-batch 16 --best 3 --fragment
<svg xmlns="http://www.w3.org/2000/svg" class="nnc" viewBox="0 0 720 344" width="720" height="344" role="img" aria-labelledby="nnc-front-title nnc-front-desc">
<title id="nnc-front-title">Time against memory</title>
<desc id="nnc-front-desc">Time against memory, A small decoder on 4 x A device of round figures, batch 16; filled: no plan is faster with less memory. Fastest 31.53 ms: dp4 zero1 mb1. Leanest 132.3 MB: dp1 tp4 sp mb1 recompute=full offload=optimizer. Knee 40.66 ms: dp2 tp2 sp zero2 mb1 recompute=norm+activation.</desc>
<pattern id="nnc-front-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="gap" width="6" height="6"/><rect class="hatch" width="2" height="6" opacity=".35"/></pattern>
<text class="b" x="8" y="18">Time against memory</text>
<text class="dim" x="170.1" y="18">A small decoder on 4 x A device of round figures, batch 16; filled: no plan is faster</text>
<text class="dim" x="8" y="34">with less memory</text>
<path class="grid" d="M181.4 50L181.4 300"/><text class="dim" x="181.4" y="317" text-anchor="middle">200 MB</text>
<path class="grid" d="M382.4 50L382.4 300"/><text class="dim" x="382.4" y="317" text-anchor="middle">500 MB</text>
<path class="grid" d="M534.5 50L534.5 300"/><text class="dim" x="534.5" y="317" text-anchor="middle">1 GB</text>
<path class="grid" d="M686.6 50L686.6 300"/><text class="dim" x="686.6" y="317" text-anchor="middle">2 GB</text>
<path class="grid" d="M62 244.5L692 244.5"/><text class="dim" x="56" y="248.5" text-anchor="end">50 ms</text>
<path class="grid" d="M62 178.3L692 178.3"/><text class="dim" x="56" y="182.3" text-anchor="end">100 ms</text>
<path class="grid" d="M62 112L692 112"/><text class="dim" x="56" y="116" text-anchor="end">200 ms</text>
<text class="dim" x="377" y="334" text-anchor="middle">memory of the fullest device</text>
<path class="stair" d="M545.7 288.6L545.7 287.9L538.9 287.9L538.9 287.1L532.4 287.1L532.4 286.9L509.3 286.9L509.3 286.1L501.3 286.1L501.3 285.3L493.5 285.3L493.5 284.6L484.9 284.6L484.9 278.4L482.5 278.4L482.5 277.2L477.4 277.2L477.4 276.6L475.2 276.6L475.2 276.5L468.7 276.5L468.7 276L465.7 276L465.7 275.8L459 275.8L459 268.4L454.1 268.4L454.1 267.7L448.9 267.7L448.9 267.1L447.6 267.1L447.6 267.1L443.7 267.1L443.7 266.5L438.3 266.5L438.3 266.1L436.2 266.1L436.2 265.5L430.7 265.5L430.7 264.9L425 264.9L425 264.3L419.1 264.3L419.1 261.1L418.3 261.1L418.3 260.8L418.3 260.8L418.3 260.5L412.3 260.5L412.3 260.3L412.3 260.3L412.3 257.9L412.3 257.9L412.3 250.8L408.8 250.8L408.8 250.7L408.4 250.7L408.4 250.2L405.3 250.2L405.3 249.7L402.5 249.7L402.5 249.7L402.1 249.7L402.1 249.1L398.8 249.1L398.8 243.3L398 243.3L398 242.9L395.1 242.9L395.1 242.8L394.7 242.8L394.7 242.3L391.4 242.3L391.4 237.7L387.9 237.7L387.9 237.2L387.9 237.2L387.9 234.4L387.9 234.4L387.9 233.3L386.8 233.3L386.8 232.9L383.4 232.9L383.4 232.5L379.8 232.5L379.8 220.7L378.3 220.7L378.3 210.2L375.8 210.2L375.8 206.5L375.3 206.5L375.3 206.4L365.6 206.4L365.6 76.1L359.1 76.1L359.1 76L344 76L344 75.9L326.5 75.9L326.5 74.4L317.5 74.4L317.5 74.2L307.5 74.2L307.5 73.7L305.8 73.7L305.8 73.5L305.7 73.5L305.7 73.4L295.5 73.4L295.5 73.4L284.9 73.4L284.9 73.3L280.6 73.3L280.6 73.2L269.2 73.2L269.2 73.1L257.1 73.1L257.1 73.1L245 73.1L245 73.1L244.3 73.1L244.3 72.6L242.6 72.6L242.6 72.6L228.9 72.6L228.9 71.1L228.9 71.1L228.9 70.8L220.8 70.8L220.8 70.8L219.8 70.8L219.8 70.7L212.3 70.7L212.3 70.6L205.6 70.6L205.6 70.6L204.6 70.6L204.6 70.5L196.5 70.5L196.5 69.7L188.1 69.7L188.1 69.6L187.2 69.6L187.2 69.6L186 69.6L186 69.5L177.3 69.5L177.3 69.3L168.1 69.3L168.1 67.4L168.1 67.4L168.1 66.7L163.4 66.7L163.4 66.5L157.5 66.5L157.5 66.4L147.4 66.4L147.4 66.3L137 66.3L137 62.7L124.4 62.7L124.4 61.4L123 61.4L123 61.4L90.6 61.4"/><g data-key="dp4 zero1 mb1"><title>dp4 zero1 mb1: 31.53 ms in 1.052 GB, MFU 92.9%</title><circle class="hollow" cx="545.7" cy="288.6" r="4"/></g>
<g data-key="dp4 zero1 mb2"><title>dp4 zero1 mb2: 31.53 ms in 1.355 GB, MFU 92.9%</title><circle class="hollow" cx="601.1" cy="288.6" r="4"/></g>
<g data-key="dp4 zero2 mb4"><title>dp4 zero2 mb4: 31.53 ms in 1.799 GB, MFU 92.9%</title><circle class="hollow" cx="663.4" cy="288.6" r="4"/></g>
<g data-key="dp4 zero1 mb1"><title>dp4 zero1 mb1: 31.53 ms in 1.052 GB, MFU 92.9%</title><circle class="dot compute" cx="545.7" cy="288.6" r="4.5"/></g>
<g data-key="dp4 zero1 mb1 recompute=norm"><title>dp4 zero1 mb1 recompute=norm: 31.78 ms in 1.020 GB, MFU 92.1%</title><circle class="dot compute" cx="538.9" cy="287.9" r="4.5"/></g>
<g data-key="dp4 zero1 mb1 recompute=activation"><title>dp4 zero1 mb1 recompute=activation: 32.04 ms in 990.1 MB, MFU 91.4%</title><circle class="dot compute" cx="532.4" cy="287.1" r="4.5"/></g>
<g data-key="dp4 zero2 mb1"><title>dp4 zero2 mb1: 32.12 ms in 891.5 MB, MFU 91.2%</title><circle class="dot compute" cx="509.3" cy="286.9" r="4.5"/></g>
<g data-key="dp4 zero2 mb1 recompute=norm"><title>dp4 zero2 mb1 recompute=norm: 32.37 ms in 859.5 MB, MFU 90.4%</title><circle class="dot compute" cx="501.3" cy="286.1" r="4.5"/></g>
<g data-key="dp4 zero2 mb1 recompute=activation"><title>dp4 zero2 mb1 recompute=activation: 32.63 ms in 829.5 MB, MFU 89.7%</title><circle class="dot compute" cx="493.5" cy="285.3" r="4.5"/></g>
<g data-key="dp4 zero2 mb1 recompute=norm+activation"><title>dp4 zero2 mb1 recompute=norm+activation: 32.89 ms in 797.5 MB, MFU 89.0%</title><circle class="dot compute" cx="484.9" cy="284.6" r="4.5"/></g>
<g data-key="dp2 pp2 vpp5 zero1 mb1 ends recompute=norm+activation"><title>dp2 pp2 vpp5 zero1 mb1 ends recompute=norm+activation: 35.08 ms in 788.9 MB, MFU 83.5%</title><circle class="dot compute" cx="482.5" cy="278.4" r="4.5"/></g>
<g data-key="dp4 zero3 mb1 recompute=norm"><title>dp4 zero3 mb1 recompute=norm: 35.54 ms in 770.9 MB, MFU 82.4%</title><circle class="dot compute" cx="477.4" cy="277.2" r="4.5"/></g>
<g data-key="dp2 pp2 vpp5 zero2 mb1 ends recompute=activation"><title>dp2 pp2 vpp5 zero2 mb1 ends recompute=activation: 35.74 ms in 762.9 MB, MFU 81.9%</title><circle class="dot compute" cx="475.2" cy="276.6" r="4.5"/></g>
<g data-key="dp4 zero3 mb1 recompute=activation"><title>dp4 zero3 mb1 recompute=activation: 35.80 ms in 740.9 MB, MFU 81.8%</title><circle class="dot compute" cx="468.7" cy="276.5" r="4.5"/></g>
<g data-key="dp2 pp2 vpp5 zero2 mb1 ends recompute=norm+activation"><title>dp2 pp2 vpp5 zero2 mb1 ends recompute=norm+activation: 36.00 ms in 730.9 MB, MFU 81.3%</title><circle class="dot compute" cx="465.7" cy="276" r="4.5"/></g>
<g data-key="dp4 zero3 mb1 recompute=norm+activation"><title>dp4 zero3 mb1 recompute=norm+activation: 36.05 ms in 708.9 MB, MFU 81.2%</title><circle class="dot compute" cx="459" cy="275.8" r="4.5"/></g>
<g data-key="dp2 tp2 sp zero1 mb1"><title>dp2 tp2 sp zero1 mb1: 38.97 ms in 693.0 MB, MFU 75.1%</title><circle class="dot compute" cx="454.1" cy="268.4" r="4.5"/></g>
<g data-key="dp2 tp2 sp zero1 mb1 recompute=norm"><title>dp2 tp2 sp zero1 mb1 recompute=norm: 39.23 ms in 677.0 MB, MFU 74.6%</title><circle class="dot compute" cx="448.9" cy="267.7" r="4.5"/></g>
<g data-key="dp2 tp2 zero2 mb1"><title>dp2 tp2 zero2 mb1: 39.48 ms in 673.0 MB, MFU 74.2%</title><circle class="dot compute" cx="447.6" cy="267.1" r="4.5"/></g>
<g data-key="dp2 tp2 sp zero1 mb1 recompute=activation"><title>dp2 tp2 sp zero1 mb1 recompute=activation: 39.49 ms in 661.0 MB, MFU 74.2%</title><circle class="dot compute" cx="443.7" cy="267.1" r="4.5"/></g>
<g data-key="dp2 tp2 sp zero1 mb1 recompute=norm+activation"><title>dp2 tp2 sp zero1 mb1 recompute=norm+activation: 39.74 ms in 645.0 MB, MFU 73.7%</title><circle class="dot compute" cx="438.3" cy="266.5" r="4.5"/></g>
<g data-key="dp2 tp2 sp zero2 mb1"><title>dp2 tp2 sp zero2 mb1: 39.89 ms in 638.9 MB, MFU 73.4%</title><circle class="dot compute" cx="436.2" cy="266.1" r="4.5"/></g>
<g data-key="dp2 tp2 sp zero2 mb1 recompute=norm"><title>dp2 tp2 sp zero2 mb1 recompute=norm: 40.15 ms in 622.9 MB, MFU 72.9%</title><circle class="dot compute" cx="430.7" cy="265.5" r="4.5"/></g>
<g data-key="dp2 tp2 sp zero2 mb1 recompute=activation"><title>dp2 tp2 sp zero2 mb1 recompute=activation: 40.40 ms in 606.9 MB, MFU 72.5%</title><circle class="dot compute" cx="425" cy="264.9" r="4.5"/></g>
<g data-key="dp2 tp2 sp zero2 mb1 recompute=norm+activation"><title>dp2 tp2 sp zero2 mb1 recompute=norm+activation: 40.66 ms in 590.9 MB, MFU 72.0%</title><circle class="dot compute" cx="419.1" cy="264.3" r="4.5"/></g>
<g data-key="dp2 tp2 sp zero3 mb1 recompute=activation"><title>dp2 tp2 sp zero3 mb1 recompute=activation: 42.05 ms in 588.9 MB, MFU 69.6%</title><circle class="dot compute" cx="418.3" cy="261.1" r="4.5"/></g>
<g data-key="dp1 tp2 sp pp2 vpp5 mb1 ends recompute=activation"><title>dp1 tp2 sp pp2 vpp5 mb1 ends recompute=activation: 42.16 ms in 588.8 MB, MFU 69.4%</title><circle class="dot compute" cx="418.3" cy="260.8" r="4.5"/></g>
<g data-key="dp2 tp2 sp zero3 mb1 recompute=norm+activation"><title>dp2 tp2 sp zero3 mb1 recompute=norm+activation: 42.30 ms in 572.9 MB, MFU 69.2%</title><circle class="dot compute" cx="412.3" cy="260.5" r="4.5"/></g>
<g data-key="dp1 tp2 sp pp2 vpp5 mb1 ends recompute=norm+activation"><title>dp1 tp2 sp pp2 vpp5 mb1 ends recompute=norm+activation: 42.42 ms in 572.8 MB, MFU 69.0%</title><circle class="dot compute" cx="412.3" cy="260.3" r="4.5"/></g>
<g data-key="dp1 tp2 sp pp2 mb1 zb-h1 recompute=norm+activation"><title>dp1 tp2 sp pp2 mb1 zb-h1 recompute=norm+activation: 43.47 ms in 572.8 MB, MFU 67.4%</title><circle class="dot compute" cx="412.3" cy="257.9" r="4.5"/></g>
<g data-key="dp1 tp2 cp2 zero2 mb1 recompute=norm"><title>dp1 tp2 cp2 zero2 mb1 recompute=norm: 46.85 ms in 563.8 MB, MFU 62.5%</title><circle class="dot compute" cx="408.8" cy="250.8" r="4.5"/></g>
<g data-key="dp1 tp2 sp cp2 zero2 mb1"><title>dp1 tp2 sp cp2 zero2 mb1: 46.89 ms in 562.8 MB, MFU 62.4%</title><circle class="dot compute" cx="408.4" cy="250.7" r="4.5"/></g>
<g data-key="dp1 tp2 sp cp2 zero2 mb1 recompute=norm"><title>dp1 tp2 sp cp2 zero2 mb1 recompute=norm: 47.14 ms in 554.8 MB, MFU 62.1%</title><circle class="dot compute" cx="405.3" cy="250.2" r="4.5"/></g>
<g data-key="dp1 tp2 cp2 zero2 mb1 recompute=norm+activation"><title>dp1 tp2 cp2 zero2 mb1 recompute=norm+activation: 47.37 ms in 547.8 MB, MFU 61.8%</title><circle class="dot compute" cx="402.5" cy="249.7" r="4.5"/></g>
<g data-key="dp1 tp2 sp cp2 zero2 mb1 recompute=activation"><title>dp1 tp2 sp cp2 zero2 mb1 recompute=activation: 47.40 ms in 546.8 MB, MFU 61.8%</title><circle class="dot compute" cx="402.1" cy="249.7" r="4.5"/></g>
<g data-key="dp1 tp2 sp cp2 zero2 mb1 recompute=norm+activation"><title>dp1 tp2 sp cp2 zero2 mb1 recompute=norm+activation: 47.65 ms in 538.8 MB, MFU 61.4%</title><circle class="dot compute" cx="398.8" cy="249.1" r="4.5"/></g>
<g data-key="dp1 tp2 sp cp2 zero3 mb1 recompute=norm"><title>dp1 tp2 sp cp2 zero3 mb1 recompute=norm: 50.67 ms in 536.8 MB, MFU 57.8%</title><circle class="dot compute" cx="398" cy="243.3" r="4.5"/></g>
<g data-key="dp1 tp2 cp2 zero3 mb1 recompute=norm+activation"><title>dp1 tp2 cp2 zero3 mb1 recompute=norm+activation: 50.87 ms in 529.8 MB, MFU 57.6%</title><circle class="dot compute" cx="395.1" cy="242.9" r="4.5"/></g>
<g data-key="dp1 tp2 sp cp2 zero3 mb1 recompute=activation"><title>dp1 tp2 sp cp2 zero3 mb1 recompute=activation: 50.92 ms in 528.8 MB, MFU 57.5%</title><circle class="dot compute" cx="394.7" cy="242.8" r="4.5"/></g>
<g data-key="dp1 tp2 sp cp2 zero3 mb1 recompute=norm+activation"><title>dp1 tp2 sp cp2 zero3 mb1 recompute=norm+activation: 51.18 ms in 520.8 MB, MFU 57.2%</title><circle class="dot compute" cx="391.4" cy="242.3" r="4.5"/></g>
<g data-key="dp2 tp2 sp zero3 mb1 recompute=full"><title>dp2 tp2 sp zero3 mb1 recompute=full: 53.70 ms in 512.7 MB, MFU 54.5%</title><circle class="dot compute" cx="387.9" cy="237.7" r="4.5"/></g>
<g data-key="dp1 tp2 sp pp2 vpp5 mb1 ends recompute=full"><title>dp1 tp2 sp pp2 vpp5 mb1 ends recompute=full: 53.98 ms in 512.7 MB, MFU 54.2%</title><circle class="dot compute" cx="387.9" cy="237.2" r="4.5"/></g>
<g data-key="dp1 tp2 sp pp2 mb1 zb-h1 recompute=full"><title>dp1 tp2 sp pp2 mb1 zb-h1 recompute=full: 55.57 ms in 512.7 MB, MFU 52.7%</title><circle class="dot compute" cx="387.9" cy="234.4" r="4.5"/></g>
<g data-key="dp1 tp4 sp mb1 recompute=norm"><title>dp1 tp4 sp mb1 recompute=norm: 56.21 ms in 510.1 MB, MFU 52.1%</title><circle class="dot compute" cx="386.8" cy="233.3" r="4.5"/></g>
<g data-key="dp1 tp4 sp mb1 recompute=activation"><title>dp1 tp4 sp mb1 recompute=activation: 56.47 ms in 502.1 MB, MFU 51.9%</title><circle class="dot compute" cx="383.4" cy="232.9" r="4.5"/></g>
<g data-key="dp1 tp4 sp mb1 recompute=norm+activation"><title>dp1 tp4 sp mb1 recompute=norm+activation: 56.72 ms in 494.1 MB, MFU 51.6%</title><circle class="dot compute" cx="379.8" cy="232.5" r="4.5"/></g>
<g data-key="dp1 tp2 sp cp2 zero3 mb1 recompute=full"><title>dp1 tp2 sp cp2 zero3 mb1 recompute=full: 64.15 ms in 490.7 MB, MFU 45.6%</title><circle class="dot compute" cx="378.3" cy="220.7" r="4.5"/></g>
<g data-key="dp1 tp4 sp mb2 recompute=full"><title>dp1 tp4 sp mb2 recompute=full: 71.61 ms in 485.1 MB, MFU 40.9%</title><circle class="dot compute" cx="375.8" cy="210.2" r="4.5"/></g>
<g data-key="dp1 tp4 mb1 recompute=full"><title>dp1 tp4 mb1 recompute=full: 74.42 ms in 484.1 MB, MFU 39.3%</title><circle class="dot compute" cx="375.3" cy="206.5" r="4.5"/></g>
<g data-key="dp1 tp4 sp mb1 recompute=full"><title>dp1 tp4 sp mb1 recompute=full: 74.51 ms in 463.0 MB, MFU 39.3%</title><circle class="dot compute" cx="365.6" cy="206.4" r="4.5"/></g>
<g data-key="dp4 zero3 mb1 recompute=norm offload=optimizer"><title>dp4 zero3 mb1 recompute=norm offload=optimizer: 291.2 ms in 449.6 MB, MFU 10.1%</title><circle class="dot compute" cx="359.1" cy="76.1" r="4.5"/></g>
<g data-key="dp4 zero3 mb1 recompute=activation offload=optimizer"><title>dp4 zero3 mb1 recompute=activation offload=optimizer: 291.5 ms in 419.6 MB, MFU 10.0%</title><circle class="dot compute" cx="344" cy="76" r="4.5"/></g>
<g data-key="dp4 zero3 mb1 recompute=norm+activation offload=optimizer"><title>dp4 zero3 mb1 recompute=norm+activation offload=optimizer: 291.7 ms in 387.6 MB, MFU 10.0%</title><circle class="dot compute" cx="326.5" cy="75.9" r="4.5"/></g>
<g data-key="dp2 cp2 zero2 mb1 recompute=norm+activation offload=optimizer"><title>dp2 cp2 zero2 mb1 recompute=norm+activation offload=optimizer: 296.3 ms in 372.0 MB, MFU 9.9%</title><circle class="dot compute" cx="317.5" cy="74.4" r="4.5"/></g>
<g data-key="dp4 zero3 mb2 recompute=full offload=optimizer"><title>dp4 zero3 mb2 recompute=full offload=optimizer: 296.9 ms in 355.3 MB, MFU 9.9%</title><circle class="dot compute" cx="307.5" cy="74.2" r="4.5"/></g>
<g data-key="dp2 tp2 sp zero3 mb2 recompute=norm+activation offload=optimizer"><title>dp2 tp2 sp zero3 mb2 recompute=norm+activation offload=optimizer: 298.4 ms in 352.6 MB, MFU 9.8%</title><circle class="dot compute" cx="305.8" cy="73.7" r="4.5"/></g>
<g data-key="dp2 tp2 sp zero1 mb1 recompute=norm offload=optimizer"><title>dp2 tp2 sp zero1 mb1 recompute=norm offload=optimizer: 299.1 ms in 352.5 MB, MFU 9.8%</title><circle class="dot compute" cx="305.7" cy="73.5" r="4.5"/></g>
<g data-key="dp2 tp2 sp zero1 mb1 recompute=activation offload=optimizer"><title>dp2 tp2 sp zero1 mb1 recompute=activation offload=optimizer: 299.3 ms in 336.5 MB, MFU 9.8%</title><circle class="dot compute" cx="295.5" cy="73.4" r="4.5"/></g>
<g data-key="dp2 tp2 sp zero1 mb1 recompute=norm+activation offload=optimizer"><title>dp2 tp2 sp zero1 mb1 recompute=norm+activation offload=optimizer: 299.6 ms in 320.5 MB, MFU 9.8%</title><circle class="dot compute" cx="284.9" cy="73.4" r="4.5"/></g>
<g data-key="dp2 tp2 sp zero2 mb1 offload=optimizer"><title>dp2 tp2 sp zero2 mb1 offload=optimizer: 299.7 ms in 314.4 MB, MFU 9.8%</title><circle class="dot compute" cx="280.6" cy="73.3" r="4.5"/></g>
<g data-key="dp2 tp2 sp zero2 mb1 recompute=norm offload=optimizer"><title>dp2 tp2 sp zero2 mb1 recompute=norm offload=optimizer: 300.0 ms in 298.4 MB, MFU 9.8%</title><circle class="dot compute" cx="269.2" cy="73.2" r="4.5"/></g>
<g data-key="dp2 tp2 sp zero2 mb1 recompute=activation offload=optimizer"><title>dp2 tp2 sp zero2 mb1 recompute=activation offload=optimizer: 300.3 ms in 282.4 MB, MFU 9.8%</title><circle class="dot compute" cx="257.1" cy="73.1" r="4.5"/></g>
<g data-key="dp4 zero3 mb1 recompute=full offload=optimizer"><title>dp4 zero3 mb1 recompute=full offload=optimizer: 300.3 ms in 267.3 MB, MFU 9.8%</title><circle class="dot compute" cx="245" cy="73.1" r="4.5"/></g>
<g data-key="dp2 tp2 sp zero2 mb1 recompute=norm+activation offload=optimizer"><title>dp2 tp2 sp zero2 mb1 recompute=norm+activation offload=optimizer: 300.5 ms in 266.4 MB, MFU 9.7%</title><circle class="dot compute" cx="244.3" cy="73.1" r="4.5"/></g>
<g data-key="dp2 tp2 sp zero3 mb1 recompute=activation offload=optimizer"><title>dp2 tp2 sp zero3 mb1 recompute=activation offload=optimizer: 301.8 ms in 264.4 MB, MFU 9.7%</title><circle class="dot compute" cx="242.6" cy="72.6" r="4.5"/></g>
<g data-key="dp2 tp2 sp zero3 mb1 recompute=norm+activation offload=optimizer"><title>dp2 tp2 sp zero3 mb1 recompute=norm+activation offload=optimizer: 302.1 ms in 248.4 MB, MFU 9.7%</title><circle class="dot compute" cx="228.9" cy="72.6" r="4.5"/></g>
<g data-key="dp1 tp2 sp cp2 zero3 mb2 recompute=norm+activation offload=optimizer"><title>dp1 tp2 sp cp2 zero3 mb2 recompute=norm+activation offload=optimizer: 306.9 ms in 248.4 MB, MFU 9.5%</title><circle class="dot compute" cx="228.9" cy="71.1" r="4.5"/></g>
<g data-key="dp1 tp2 cp2 zero2 mb1 recompute=norm offload=optimizer"><title>dp1 tp2 cp2 zero2 mb1 recompute=norm offload=optimizer: 307.7 ms in 239.4 MB, MFU 9.5%</title><circle class="dot compute" cx="220.8" cy="70.8" r="4.5"/></g>
<g data-key="dp1 tp2 sp cp2 zero2 mb1 offload=optimizer"><title>dp1 tp2 sp cp2 zero2 mb1 offload=optimizer: 307.8 ms in 238.3 MB, MFU 9.5%</title><circle class="dot compute" cx="219.8" cy="70.8" r="4.5"/></g>
<g data-key="dp1 tp2 sp cp2 zero2 mb1 recompute=norm offload=optimizer"><title>dp1 tp2 sp cp2 zero2 mb1 recompute=norm offload=optimizer: 308.0 ms in 230.3 MB, MFU 9.5%</title><circle class="dot compute" cx="212.3" cy="70.7" r="4.5"/></g>
<g data-key="dp1 tp2 cp2 zero2 mb1 recompute=norm+activation offload=optimizer"><title>dp1 tp2 cp2 zero2 mb1 recompute=norm+activation offload=optimizer: 308.3 ms in 223.4 MB, MFU 9.5%</title><circle class="dot compute" cx="205.6" cy="70.6" r="4.5"/></g>
<g data-key="dp1 tp2 sp cp2 zero2 mb1 recompute=activation offload=optimizer"><title>dp1 tp2 sp cp2 zero2 mb1 recompute=activation offload=optimizer: 308.3 ms in 222.3 MB, MFU 9.5%</title><circle class="dot compute" cx="204.6" cy="70.6" r="4.5"/></g>
<g data-key="dp1 tp2 sp cp2 zero2 mb1 recompute=norm+activation offload=optimizer"><title>dp1 tp2 sp cp2 zero2 mb1 recompute=norm+activation offload=optimizer: 308.5 ms in 214.3 MB, MFU 9.5%</title><circle class="dot compute" cx="196.5" cy="70.5" r="4.5"/></g>
<g data-key="dp2 tp2 sp zero2 mb1 recompute=full offload=optimizer"><title>dp2 tp2 sp zero2 mb1 recompute=full offload=optimizer: 311.1 ms in 206.3 MB, MFU 9.4%</title><circle class="dot compute" cx="188.1" cy="69.7" r="4.5"/></g>
<g data-key="dp1 tp2 cp2 zero3 mb1 recompute=norm+activation offload=optimizer"><title>dp1 tp2 cp2 zero3 mb1 recompute=norm+activation offload=optimizer: 311.7 ms in 205.4 MB, MFU 9.4%</title><circle class="dot compute" cx="187.2" cy="69.6" r="4.5"/></g>
<g data-key="dp1 tp2 sp cp2 zero3 mb1 recompute=activation offload=optimizer"><title>dp1 tp2 sp cp2 zero3 mb1 recompute=activation offload=optimizer: 311.7 ms in 204.3 MB, MFU 9.4%</title><circle class="dot compute" cx="186" cy="69.6" r="4.5"/></g>
<g data-key="dp1 tp2 sp cp2 zero3 mb1 recompute=norm+activation offload=optimizer"><title>dp1 tp2 sp cp2 zero3 mb1 recompute=norm+activation offload=optimizer: 312.0 ms in 196.3 MB, MFU 9.4%</title><circle class="dot compute" cx="177.3" cy="69.5" r="4.5"/></g>
<g data-key="dp2 tp2 sp zero3 mb1 recompute=full offload=optimizer"><title>dp2 tp2 sp zero3 mb1 recompute=full offload=optimizer: 312.7 ms in 188.3 MB, MFU 9.4%</title><circle class="dot compute" cx="168.1" cy="69.3" r="4.5"/></g>
<g data-key="dp1 tp2 sp cp2 zero3 mb2 recompute=full offload=optimizer"><title>dp1 tp2 sp cp2 zero3 mb2 recompute=full offload=optimizer: 318.7 ms in 188.3 MB, MFU 9.2%</title><circle class="dot compute" cx="168.1" cy="67.4" r="4.5"/></g>
<g data-key="dp1 tp2 sp cp2 zero2 mb1 recompute=full offload=optimizer"><title>dp1 tp2 sp cp2 zero2 mb1 recompute=full offload=optimizer: 321.1 ms in 184.3 MB, MFU 9.1%</title><circle class="dot compute" cx="163.4" cy="66.7" r="4.5"/></g>
<g data-key="dp1 tp4 sp mb1 recompute=norm offload=optimizer"><title>dp1 tp4 sp mb1 recompute=norm offload=optimizer: 321.9 ms in 179.4 MB, MFU 9.1%</title><circle class="dot compute" cx="157.5" cy="66.5" r="4.5"/></g>
<g data-key="dp1 tp4 sp mb1 recompute=activation offload=optimizer"><title>dp1 tp4 sp mb1 recompute=activation offload=optimizer: 322.2 ms in 171.4 MB, MFU 9.1%</title><circle class="dot compute" cx="147.4" cy="66.4" r="4.5"/></g>
<g data-key="dp1 tp4 sp mb1 recompute=norm+activation offload=optimizer"><title>dp1 tp4 sp mb1 recompute=norm+activation offload=optimizer: 322.4 ms in 163.4 MB, MFU 9.1%</title><circle class="dot compute" cx="137" cy="66.3" r="4.5"/></g>
<g data-key="dp1 tp4 sp mb2 recompute=full offload=optimizer"><title>dp1 tp4 sp mb2 recompute=full offload=optimizer: 335.0 ms in 154.3 MB, MFU 8.7%</title><circle class="dot compute" cx="124.4" cy="62.7" r="4.5"/></g>
<g data-key="dp1 tp4 mb1 recompute=full offload=optimizer"><title>dp1 tp4 mb1 recompute=full offload=optimizer: 339.5 ms in 153.3 MB, MFU 8.6%</title><circle class="dot compute" cx="123" cy="61.4" r="4.5"/></g>
<g data-key="dp1 tp4 sp mb1 recompute=full offload=optimizer"><title>dp1 tp4 sp mb1 recompute=full offload=optimizer: 339.6 ms in 132.3 MB, MFU 8.6%</title><circle class="dot compute" cx="90.6" cy="61.4" r="4.5"/></g>
<text class="b halo" x="516" y="261.6">fastest 31.53 ms</text>
<text class="dim halo" x="516" y="276.6">dp4 zero1 mb1</text>
</svg>
$ nncost plot front dense round --devices 4 --global-batch 16 --best 3 --fragment --width 360 | head -3
<svg xmlns="http://www.w3.org/2000/svg" class="nnc" viewBox="0 0 360 310" width="360" height="310" role="img" aria-labelledby="nnc-front-title nnc-front-desc">
<title id="nnc-front-title">Time against memory</title>
<desc id="nnc-front-desc">Time against memory, A small decoder on 4 x A device of round figures, batch 16; filled: no plan is faster with less memory. Fastest 31.53 ms: dp4 zero1 mb1. Leanest 132.3 MB: dp1 tp4 sp mb1 recompute=full offload=optimizer. Knee 40.66 ms: dp2 tp2 sp zero2 mb1 recompute=norm+activation.</desc>

# Draws the throughput per device for several numbers of devices.
$ nncost plot scaling dense round --devices 1..8 --global-batch 16 --fragment
<svg xmlns="http://www.w3.org/2000/svg" class="nnc" viewBox="0 0 720 373" width="720" height="373" role="img" aria-labelledby="nnc-scaling-title nnc-scaling-desc">
<title id="nnc-scaling-title">Scaling</title>
<desc id="nnc-scaling-desc">Scaling, A small decoder on A device of round figures, throughput per device against 1 device; the batch of 16 is fixed, every size has its own best plan. 1 device: 100.0%, step 124.5 ms. 2 devices: 99.6%, step 62.53 ms. 4 devices: 98.8%, step 31.53 ms. 8 devices: 97.1%, step 16.03 ms.</desc>
<pattern id="nnc-scaling-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="gap" width="6" height="6"/><rect class="hatch" width="2" height="6" opacity=".35"/></pattern>
<text class="b" x="8" y="18">Scaling</text>
<text class="dim" x="67.7" y="18">A small decoder on A device of round figures, throughput per device against 1 device; the batch of</text>
<text class="dim" x="8" y="34">16 is fixed, every size has its own best plan</text>
<path class="grid" d="M52 266L712 266"/><text class="dim" x="46" y="270" text-anchor="end">0%</text>
<path class="grid" d="M52 216L712 216"/><text class="dim" x="46" y="220" text-anchor="end">25%</text>
<path class="grid" d="M52 166L712 166"/><text class="dim" x="46" y="170" text-anchor="end">50%</text>
<path class="grid" d="M52 116L712 116"/><text class="dim" x="46" y="120" text-anchor="end">75%</text>
<path class="grid" d="M52 66L712 66"/><text class="dim" x="46" y="70" text-anchor="end">100%</text>
<text class="dim" x="134.5" y="282" text-anchor="middle">1</text>
<g><title>1 device: 100.0% of the rate with 1, step 124.5 ms, MFU 94.0%</title><rect class="backward" x="94.5" y="66" width="80" height="200"/></g>
<text class="b" x="134.5" y="61" text-anchor="middle">100%</text>
<text class="s on-backward" x="134.5" y="246" text-anchor="middle">124.5 ms</text>
<text class="s on-backward" x="134.5" y="259" text-anchor="middle">MFU 94.0%</text>
<text class="dim" x="299.5" y="282" text-anchor="middle">2</text>
<g><title>2 devices: 99.6% of the rate with 1, step 62.53 ms, MFU 93.7%</title><rect class="axis dash" x="259.5" y="66" width="80" height="0.8"/><rect class="backward" x="259.5" y="66.8" width="80" height="199.2"/></g>
<text class="b" x="299.5" y="61" text-anchor="middle">100%</text>
<text class="s on-backward" x="299.5" y="246" text-anchor="middle">62.53 ms</text>
<text class="s on-backward" x="299.5" y="259" text-anchor="middle">MFU 93.7%</text>
<text class="dim" x="464.5" y="282" text-anchor="middle">4</text>
<g><title>4 devices: 98.8% of the rate with 1, step 31.53 ms, MFU 92.9%</title><rect class="axis dash" x="424.5" y="66" width="80" height="2.5"/><rect class="backward" x="424.5" y="68.5" width="80" height="197.5"/></g>
<g><title>1.2% of this is lost to exposed communication</title><rect class="bar exposed" x="424.5" y="68.5" width="80" height="2.5"/></g>
<text class="b" x="464.5" y="61" text-anchor="middle">99%</text>
<text class="s on-backward" x="464.5" y="246" text-anchor="middle">31.53 ms</text>
<text class="s on-backward" x="464.5" y="259" text-anchor="middle">MFU 92.9%</text>
<text class="dim" x="629.5" y="282" text-anchor="middle">8</text>
<g><title>8 devices: 97.1% of the rate with 1, step 16.03 ms, MFU 91.3%</title><rect class="axis dash" x="589.5" y="66" width="80" height="5.7"/><rect class="backward" x="589.5" y="71.7" width="80" height="194.3"/></g>
<g><title>2.8% of this is lost to exposed communication</title><rect class="bar exposed" x="589.5" y="71.7" width="80" height="5.6"/></g>
<text class="b" x="629.5" y="61" text-anchor="middle">97%</text>
<text class="s on-backward" x="629.5" y="246" text-anchor="middle">16.03 ms</text>
<text class="s on-backward" x="629.5" y="259" text-anchor="middle">MFU 91.3%</text>
<text class="dim" x="382" y="300" text-anchor="middle">devices</text>
<rect class="backward" x="52" y="332" width="9" height="9" rx="2"/><text x="65" y="341">throughput per device: compute</text>
<rect class="exposed" x="286" y="332" width="9" height="9" rx="2"/><text x="299" y="341">exposed communication</text>
<rect class="axis dash" x="52" y="353" width="24" height="11"/><text x="84" y="363">lost with size, or no plan fits</text>
</svg>
$ nncost plot scaling dense round --devices 1..8 --global-batch 16 --fragment --width 360 | head -3
<svg xmlns="http://www.w3.org/2000/svg" class="nnc" viewBox="0 0 360 356" width="360" height="356" role="img" aria-labelledby="nnc-scaling-title nnc-scaling-desc">
<title id="nnc-scaling-title">Scaling</title>
<desc id="nnc-scaling-desc">Scaling, A small decoder on A device of round figures, throughput per device against 1 device; the batch of 16 is fixed, every size has its own best plan. 1 device: 100.0%, step 124.5 ms. 2 devices: 99.6%, step 62.53 ms. 4 devices: 98.8%, step 31.53 ms. 8 devices: 97.1%, step 16.03 ms.</desc>

# --against draws the outline of a second estimate on the same scale. The value of --against can be a copied command.
$ nncost plot step dense round --micro-batch 2 --against "nncost estimate dense 'round'" --fragment | grep -E 'desc|outlined|predicted|forward'
<svg xmlns="http://www.w3.org/2000/svg" class="nnc" viewBox="0 0 720 179" width="720" height="179" role="img" aria-labelledby="nnc-step-title nnc-step-desc">
<desc id="nnc-step-desc">One step, A small decoder on A device of round figures; outlined: A small decoder on A device of round figures, 10.80 ms: 18.38 ms. Forward 5.136 ms, 27.9%. Backward 10.03 ms, 54.6%. Update 3.213 ms, 17.5%. At least 13.84 ms, without overlap 21.49 ms.</desc>
<text class="dim" x="79.7" y="18">A small decoder on A device of round figures; outlined: A small decoder on A device of</text>
<g><title>outlined: forward: 2.568 ms, 23.8%</title><rect class="other" x="8" y="44" width="98.4" height="9"/></g>
<g><title>outlined: backward: 5.014 ms, 46.4%</title><rect class="other" x="106.4" y="44" width="192.1" height="9"/></g>
<g><title>outlined: update: 3.213 ms, 29.8%</title><rect class="other" x="298.5" y="44" width="123" height="9"/></g>
<g data-explain="forward_s"><title>forward: 5.136 ms, 27.9%</title><rect class="bar forward" x="8" y="56" width="196.8" height="30"/></g>
<path class="axis thin" d="M16 86L16 91L12 97"/><rect class="forward" x="8" y="100" width="9" height="9" rx="2"/><text x="21" y="109">forward</text>
<g><title>outlined: 10.80 ms</title><circle class="other" cx="354.7" cy="163" r="5"/></g>
<g data-explain="step_s"><title>predicted: 18.38 ms</title><circle class="dot backward" cx="598.2" cy="163" r="5"/></g>
$ nncost plot memory dense round --micro-batch 2 --against 'dense round' --fragment | grep -c 'class="other"'
5
$ nncost plot roofline dense round --against 'dense fitted' --fragment | grep -c 'class="other"'
37
$ nncost plot timeline dense round --pipeline 2 --micro-batches 4 --against 'dense round --pipeline 2 --micro-batches 8' --fragment | grep -E 'ends after'
<g><title>outlined: ends after 38.38 ms</title><path class="other" d="M712 41L712 150"/></g>
$ nncost plot step dense round --against 'dense round --tensr 2'
! nncost: --against: --tensr: unknown option, did you mean --tensor?
[2]
$ nncost plot step dense round --against ' '
! nncost: --against: expected MODEL DEVICE and options, found nothing
[2]
$ nncost plot front dense round --devices 4 --global-batch 16 --against 'dense round'
! nncost: --against: is not an option of 'plot front'
[2]

# A picture in its own file contains colours and background. --output writes it to a file.
$ nncost plot step dense round --output step.svg && head -c 60 step.svg && grep -c '<style>' step.svg && grep -c 'class="page"' step.svg
<svg xmlns="http://www.w3.org/2000/svg" class="nnc" viewBox=1
1

# A plan file can replace the model.
$ nncost plot step inputs/plans.json --scenario base | grep '<desc'
<desc id="nnc-step-desc">One step, A small decoder on A device of round figures: 33.54 ms. Forward 10.27 ms, 30.6%. Backward 20.06 ms, 59.8%. Update 3.213 ms, 9.6%. At least 27.68 ms, without overlap 38.94 ms.</desc>

# If no plan fits, the picture contains a message that says so, and the exit code is 1.
$ nncost plot front dense round --devices 4 --global-batch 16 --max-memory 1000 --fragment
<svg xmlns="http://www.w3.org/2000/svg" class="nnc" viewBox="0 0 720 36" width="720" height="36" role="img" aria-labelledby="nnc-front-title nnc-front-desc">
<title id="nnc-front-title">Time against memory</title>
<desc id="nnc-front-desc">Time against memory, A small decoder on 4 x A device of round figures, batch 16; no plan fits.</desc>
<pattern id="nnc-front-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="gap" width="6" height="6"/><rect class="hatch" width="2" height="6" opacity=".35"/></pattern>
<text class="b" x="8" y="18">Time against memory</text>
<text class="dim" x="170.1" y="18">A small decoder on 4 x A device of round figures, batch 16; no plan fits</text>
</svg>
[1]
$ nncost plot scaling dense round --devices 2..4 --global-batch 16 --max-memory 1000 --fragment
<svg xmlns="http://www.w3.org/2000/svg" class="nnc" viewBox="0 0 720 373" width="720" height="373" role="img" aria-labelledby="nnc-scaling-title nnc-scaling-desc">
<title id="nnc-scaling-title">Scaling</title>
<desc id="nnc-scaling-desc">Scaling, A small decoder on A device of round figures, no plan of any size fits; the batch of 16 is fixed, every size has its own best plan.</desc>
<pattern id="nnc-scaling-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="gap" width="6" height="6"/><rect class="hatch" width="2" height="6" opacity=".35"/></pattern>
<text class="b" x="8" y="18">Scaling</text>
<text class="dim" x="67.7" y="18">A small decoder on A device of round figures, no plan of any size fits; the batch of 16 is fixed, every</text>
<text class="dim" x="8" y="34">size has its own best plan</text>
<path class="grid" d="M52 266L712 266"/><text class="dim" x="46" y="270" text-anchor="end">0%</text>
<path class="grid" d="M52 216L712 216"/><text class="dim" x="46" y="220" text-anchor="end">25%</text>
<path class="grid" d="M52 166L712 166"/><text class="dim" x="46" y="170" text-anchor="end">50%</text>
<path class="grid" d="M52 116L712 116"/><text class="dim" x="46" y="120" text-anchor="end">75%</text>
<path class="grid" d="M52 66L712 66"/><text class="dim" x="46" y="70" text-anchor="end">100%</text>
<text class="dim" x="217" y="282" text-anchor="middle">2</text>
<g><title>2 devices: no plan fits</title><rect class="axis dash" x="177" y="66" width="80" height="200"/></g>
<text class="dim" x="547" y="282" text-anchor="middle">4</text>
<g><title>4 devices: no plan fits</title><rect class="axis dash" x="507" y="66" width="80" height="200"/></g>
<text class="dim" x="382" y="300" text-anchor="middle">devices</text>
<rect class="backward" x="52" y="332" width="9" height="9" rx="2"/><text x="65" y="341">throughput per device: compute</text>
<rect class="axis dash" x="52" y="353" width="24" height="11"/><text x="84" y="363">lost with size, or no plan fits</text>
</svg>
[1]

# A step that does not fit in memory is drawn as well.
$ nncost plot step dense round --micro-batch 4096 | grep -c '<svg'
1

# Tests wrong command lines: an unknown picture, an option of another picture, a wrong width or time, and a wrong number
# of sizes.
$ nncost plot pie dense round
! nncost: plot: unknown picture, expected one of step, memory, roofline, timeline, front, scaling, found "pie"
[2]
$ nncost plot step dense round --from 1s
! nncost: --from: is not an option of 'plot step'
[2]
$ nncost plot step dense round --stages
! nncost: --stages: is not an option of 'plot step'
[2]
$ nncost plot roofline dense round --threads 2
! nncost: --threads: is not an option of 'plot roofline'
[2]
$ nncost plot front dense round --devices 4 --global-batch 16 --target-step 1s
! nncost: --target-step: is not an option of 'plot'
[2]
$ nncost plot step dense round --width 200
! nncost: --width: out of range, expected a whole number from 300 to 4000, found "200"
[2]
$ nncost plot step dense round --width x
! nncost: --width: out of range, expected a whole number from 300 to 4000, found "x"
[2]
$ nncost plot timeline dense round --from 3s
! nncost: --from: out of range, expected less than the 10.80 ms at which the timeline ends, found 3.000 s
[2]
$ nncost plot timeline dense round --from 2ms --to 1ms
! nncost: --from: out of range, expected less than the 1.000 ms at which the timeline ends, found 2.000 ms
[2]
$ nncost plot timeline dense round --from soon
! nncost: --from: not a time, expected a number above 0 and one of us, ms, s, min, h, d, w, such as 2.5s or 30d, found "soon"
[2]
$ nncost plot front dense round --devices 2..4 --global-batch 16
! nncost: --devices: expected one number; 'plot scaling' shows several
[2]
$ nncost plot scaling dense round --devices 4 --global-batch 16
! nncost: --devices: expected several numbers, such as 8..512
[2]
$ nncost plot step dense
! nncost: DEVICE: missing, expected MODEL DEVICE or a plan file, found only "dense"
[2]
$ nncost plot
! nncost: plot: too few arguments, expected PICTURE MODEL DEVICE | PICTURE PLANS.json [DEVICE]
[2]
$ $(command -v env) PATH=/nowhere "$(command -v nncost)" plot step dense round -o step.png
! nncost: --output: PNG needs 'resvg' or 'rsvg-convert' (Debian: librsvg2-bin), found neither; a file name that ends in .svg needs neither program
[2]
