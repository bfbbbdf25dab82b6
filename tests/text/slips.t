# Tests common mistakes: values with a wrong unit, widths that must change together, and names of other programs.

# A value that is impossible for any device is refused, and the message proposes the value with the probable unit.
$ nncost estimate dense round --set matmul_flops_per_s.bf16=312
! nncost: --set matmul_flops_per_s.bf16: out of range, expected at least 1e9 FLOP/s (did you mean 312e12?), found 312
[2]
$ nncost estimate dense round --set matmul_flops_per_s.bf16=312000
! nncost: --set matmul_flops_per_s.bf16: out of range, expected at least 1e9 FLOP/s (did you mean 312000e9?), found 312000
[2]
$ nncost estimate dense round --set mem_bytes_per_s=2039
! nncost: --set mem_bytes_per_s: out of range, expected at least 1e8 B/s (did you mean 2039e9?), found 2039
[2]
$ nncost estimate dense round --set mem_bytes_per_s=3.35
! nncost: --set mem_bytes_per_s: out of range, expected at least 1e8 B/s (did you mean 3.35e12?), found 3.35
[2]
$ nncost estimate dense round --set mem_bytes=80
! nncost: --set mem_bytes: out of range, expected at least 1e6 B (did you mean 80e9?), found 80
[2]
$ nncost estimate dense round --set scale_up.bytes_per_s=450
! nncost: --set scale_up.bytes_per_s: out of range, expected at least 1e6 B/s (did you mean 450e9?), found 450
[2]
$ nncost estimate dense round --set scale_out.latency_s=4
! nncost: --set scale_out.latency_s: out of range, expected at most 0.1 s (did you mean 4e-6?), found 4
[2]
$ nncost estimate dense round --set clock_hz=1410
! nncost: --set clock_hz: out of range, expected at least 1e6 Hz (did you mean 1410e6?), found 1410
[2]

# If --set changes hidden, nncost also changes the number of heads (of equal width) and the width of the MLP. The output
# reports the changed fields.
$ nncost estimate dense round --full --full --set hidden=2000 | grep -E '^(model|set)'
model     dense, A small decoder, decoder, 406,212,000 parameters
set       hidden=2000 (with it heads=16, kv_heads=16, ffn_hidden=8000)
$ nncost estimate dense round --full --full --set hidden=2000 --set ffn_hidden=6000 | grep -E '^(model|set)'
model     dense, A small decoder, decoder, 342,196,000 parameters
set       hidden=2000, ffn_hidden=6000 (with it heads=16, kv_heads=16)
$ nncost estimate dense round --full --full --set ffn_hidden=6000 --set hidden=2000 | grep -E '^(model|set)'
model     dense, A small decoder, decoder, 342,196,000 parameters
set       ffn_hidden=6000, hidden=2000 (with it heads=16, kv_heads=16)
$ nncost estimate dense round --full --full --set heads=10 --set hidden=2000 | grep -E '^(model|set)'
model     dense, A small decoder, decoder, 406,212,000 parameters
set       heads=10, hidden=2000 (with it kv_heads=10, head_dim=200, ffn_hidden=8000)

# If the width of the heads does not divide the new hidden, nncost keeps the number of heads and changes their width. If
# no width of the heads fits, the error asks for a value.
$ nncost estimate dense round --full --full --set hidden=256 | grep -E '^(model|set)'
model     dense, A small decoder, decoder, 9,134,592 parameters
set       hidden=256 (with it head_dim=32, ffn_hidden=1024)
$ nncost estimate dense round --set hidden=1001
! nncost: --set: heads: does not scale with hidden, expected a value for this field too, because 8 x 1001 / 1000 is not whole, found 8
[2]
$ nncost estimate dense round --full --full --set hidden=1001 --set heads=7 --set ffn_hidden=4000 | grep -E '^(model|set)'
model     dense, A small decoder, decoder, 107,245,106 parameters
set       hidden=1001, heads=7, ffn_hidden=4000 (with it kv_heads=7, head_dim=143)
$ nncost sweep dense round --set hidden=1000,2000 --columns params,hidden --format csv
model.params,model.hidden\r
107106000,1000\r
406212000,2000\r

# Tests names of other programs for a switch that is turned off, a degree of parallelism and a training method.
$ nncost estimate dense round --compile off | grep '^plan'
plan      batch 1, sequence 1000, bf16, adamw, torch-eager
$ nncost estimate dense round --compile=false | grep '^plan'
plan      batch 1, sequence 1000, bf16, adamw, torch-eager
$ nncost estimate dense round --compile | grep '^plan'
plan      batch 1, sequence 1000, bf16, adamw, torch-compile
$ nncost estimate dense round --devices 4 --tensor-parallel 2 --pipeline-parallel 2 | grep '^plan'
plan      4 devices dp1 tp2 pp2 mb1, batch 1, sequence 1000, bf16, adamw, torch-compile
$ nncost estimate dense round --devices 4 --data-parallel 2 --context-parallel 2 | grep '^plan'
plan      4 devices dp2 cp2 mb1, batch 2, sequence 1000, bf16, adamw, torch-compile
$ nncost estimate dense round --expert-parallel 0
! nncost: --expert: out of range, expected at least 1, found 0
[2]
$ nncost estimate dense round --dpo --method train
! nncost: --method: given twice, as "dpo" and as "train"
[2]
$ nncost estimate dense round --rlhf
! nncost: --rlhf: unknown option, did you mean --method ppo or --method grpo?
[2]
$ nncost budget --usd 1000 --device round | head -1
budget    1,000 USD, 1,000 device-hours of round at 1 USD (nowhere, 2020-01), 1.368e+20 FLOP at MFU
$ nncost estimate dense 8 round
! nncost: 8: is a number of devices, expected as the value of an option: round --devices 8
[2]
$ nncost estimate dense 'round x 8'
! nncost: DEVICE: unknown device, expected one device, its number with --devices: "round --devices 8", nearest "round", found "round x 8"
[3]

# Tests names of other programs for optimizers, software and the size of images.
$ nncost estimate dense round --optimizer paged_adamw_8bit | grep '^plan'
plan      batch 1, sequence 1000, bf16, adam8bit, torch-compile
$ nncost estimate dense round --optimizer=adamw_torch_fused | grep '^plan'
plan      batch 1, sequence 1000, bf16, adamw, torch-compile
$ nncost estimate dense round --optim adamw_torch_4bit | grep '^plan'
plan      batch 1, sequence 1000, bf16, adam4bit, torch-compile
$ nncost estimate dense round --optimizer-cpu-offload | grep '^plan'
plan      offload optimizer, batch 1, sequence 1000, bf16, adamw, torch-compile
$ nncost estimate dense round --framework torch-eager | grep '^plan'
plan      batch 1, sequence 1000, bf16, adamw, torch-eager
$ nncost estimate dense round --resolution 0
! nncost: --image: out of range, expected at least 1 pixels, found 0
[2]
$ nncost run dense round --hours 24
! nncost: --hours: unknown option, did you mean --days X, X = hours / 24?
[2]

# Tests an option without a value before another option, a field of --set used as an option, and several devices as
# operands.
$ nncost estimate dense round --lora --frozen nf4
! nncost: --lora: a value is missing, expected a whole number from 0 to 65536
[2]
$ nncost estimate dense round --layers 4
! nncost: --layers: is not an option of 'estimate', expected --set layers=VALUE
[2]
$ nncost sweep dense round --tokens 1e9
! nncost: --tokens: is not an option of 'sweep', expected --set tokens=VALUE
[2]
$ nncost serve dense round --micro-batch 4
! nncost: --micro-batch: is not an option of 'serve'
[2]
$ nncost estimate dense round --steps 100
! nncost: --steps: unknown option, did you mean --samples N, N = steps x global batch?
[2]
$ nncost compare dense round vs fitted
! nncost: vs: one argument too many, expected one device; to compare several devices: nncost compare dense round,fitted
[2]
$ nncost compare dense round fitted round
! nncost: fitted: one argument too many, expected one device; to compare several devices: nncost compare dense round,fitted,round
[2]
$ nncost estimate dense round x8
! nncost: x8: is a number of devices, expected as the value of an option: round --devices 8
[2]
$ nncost init plan dense round
! nncost: round: one argument too many, expected init [MODEL DEVICE | device | model | cluster | rows | plan]
[2]

# Tests options of serving engines for draft models, prefix caching and quantized weights.
$ nncost serve dense round --speculative-model dense --num-speculative-tokens 3 --input-len 64 --output-len 16 | grep -i draft
speculation  draft dense, 3 x 1.305 ms to propose, 1.306 ms to verify, 2.533 tokens a verification,
$ nncost serve dense round --enable-prefix-caching
! nncost: --enable-prefix-caching: unknown option, did you mean --prefix-hit X, the share of a prompt that is in the cache?
[2]
$ nncost serve dense round --quant awq
! nncost: --quant: unknown option, did you mean --weights fp8, int8 or int4?
[2]

# --dataset-size gives the amount of training in tokens. With --dataset-size and --epochs, the estimate has the time and
# the cost of the run.
$ nncost estimate dense round --epochs 3 --dataset-size 1e6 | grep '^run'
run       32.39 s, 0.008996 USD, 3.000 M tokens
$ nncost serve dense round --input-len 16 --output-len 4 --concurrency 1 | head -1
A small decoder on A device of round figures serves 1 concurrent request: 263 tokens/s, first token

# With --host 0, the host takes no time, but nncost still treats the device as a GPU and not as a CPU. The time "without
# the host" also excludes the fixed times of kernels.
$ nncost estimate inputs/captured.json fitted --host 0 | sed -n '/^step/,/^bound by/p'
step      1.169 ms, 90 % range 967.1 us to 1.511 ms
          range of similar steps, because too few of this kind were measured
bounds    lower 6.763 us, upper without overlap 1.199 ms
bound by  host 95.9%, compute 4.1%, 81.31 us if host work and fixed kernel costs took no time

# Tests a device name with further words, --epochs together with --tokens, and 'nncost explain' for a value or a second
# name of an option.
$ nncost estimate dense 'my round'
! nncost: DEVICE: unknown device, expected the name of the device alone: "round", found "my round"
[3]
$ nncost estimate dense my-round
! nncost: DEVICE: unknown device, expected the name of the device alone: "round", found "my-round"
[3]
$ nncost estimate dense round --tokens 10M --epochs 3
! nncost: --epochs: --tokens is the total of all epochs, expected only --tokens 30000000, or --epochs 3 --dataset-size 10000000
[2]
$ nncost explain adamw
! nncost: adamw: is a value of optimizer, expected the name of this option: nncost explain optimizer
[2]
$ nncost explain lora | tail -2
                  model has adapters, weights outside of the adapters are trained only in parts that
                  --train lists.
$ nncost explain tpot_s dense round | tail -3
tpot_s            Time per output token after the first token.
  note            'nncost serve' prints its value
  source          docs/serving.md

# Tests names for formats of quantized weights. The default prompt is shortened if the position table of the model is
# small.
$ nncost serve dense round --weights awq_marlin | sed -n 's/, products.*//p'
plan         1 device, weights int4
$ nncost serve dense round --weights q4_k_m
! nncost: --weights: unknown value "q4_k_m", did you mean --weights int4 --group-size 32?
[2]
$ nncost serve dense round --quantization gptq | sed -n 's/, products.*//p'
plan         1 device, weights int4
$ nncost serve dense round | grep '^requests'
requests     744 tokens in, 256 out, a static batch of 1

# A range in the syntax of other programs is refused, and the message has the right syntax.
$ nncost sweep dense round --micro-batch 1-8
! nncost: --micro-batch: expected a range as 1..8, found "1-8"
[2]
$ nncost search dense round --devices 2:8
! nncost: --devices: expected a range as 2..8, found "2:8"
[2]
