# Figures in another unit, and widths that belong together.

# A figure that no device has is named in the unit that was meant.
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

# With hidden go heads of the same width and the feed-forward layers, and the output says so.
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

# As many heads of another width where only those fill it; else it is asked for.
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

# A switch that is turned off, a degree of parallelism and a training method by the names of other programs.
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
! nncost: 8: a number of devices, expected as an option: round --devices 8
[2]
$ nncost estimate dense 'round x 8'
! nncost: DEVICE: unknown device, expected one device, its number with --devices: "round --devices 8", nearest "round", found "round x 8"
[3]

# Names of optimizers, the software and the size of images by other names.
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
