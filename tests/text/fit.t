# 'nncost fit' prints the largest sizes that fit, and the ways to save memory, each with its memory, step and
# micro-batch.
$ nncost fit dense round
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 30, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

fits      micro-batch 30, 230.7 ms a step, 130 samples/s
sequence  up to 1,000 tokens with the micro-batch of the plan
layers    up to 49 of this width with the micro-batch of the plan
memory    9.971 GB of 10.00 GB

with                                       memory      step  micro-batch  samples/s
--recompute full                         3.309 GB  300.8 ms          141      100.6
--optimizer adam8bit                     9.332 GB  229.4 ms           32      130.8
--policy bf16-pure                       9.115 GB  229.2 ms           33        131
--lora 16                                8.689 GB  200.0 ms           34        150
--lora 16 --frozen nf4                   8.546 GB  200.4 ms           35      149.7
--recompute full --lora 16 --frozen nf4  1.849 GB  286.9 ms          170      104.7
--data 2 --zero 3                        9.699 GB  221.9 ms           29      261.4
--data 8 --zero 1                        9.661 GB  228.3 ms           31      1,051
--data 8 --zero 3                        9.358 GB  228.7 ms           32      1,050
--data 8 --zero 3 --recompute full       2.928 GB  298.8 ms          110      805.8
--offload optimizer                      8.686 GB   1.233 s           34      26.92
--offload optimizer,activations          3.732 GB   2.584 s           86      15.71

Memory and step are the values with the largest micro-batch that fits without the options of the
row. Micro-batch and samples/s are the values with the largest micro-batch that fits with these
options.

# With adapters, 'nncost fit' also prints their rank and the format of the frozen weights.
$ nncost fit dense round --lora 8 --set device.mem_bytes=1.5e9
model     dense, A small decoder, decoder, 108,258,000 parameters, 1,152,000 trained
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 4, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
          adapters of rank 8 on linear layers, frozen weights in 16bit,
          software torch-compile (chosen for this plan), mode predicted
set       device.mem_bytes=1.5e9

fits      micro-batch 4, 26.68 ms a step, 150 samples/s
sequence  up to 1,000 tokens with the micro-batch of the plan
rank      adapters up to rank 483 with the micro-batch of the plan
layers    up to 25 of this width with the micro-batch of the plan
memory    1.354 GB of 1.500 GB

with                                  memory      step  micro-batch  samples/s
--recompute full                    462.9 MB  38.20 ms           21      104.8
--frozen int8                       1.258 GB  27.25 ms            4      146.8
--frozen nf4                        1.211 GB  27.16 ms            5      147.9
--recompute full --frozen nf4       320.4 MB  38.68 ms           24      104.6
--data 2 --zero 3                   1.369 GB  27.10 ms            4      295.2
--data 8 --zero 1                   1.424 GB  26.70 ms            4      1,199
--data 8 --zero 3                   1.282 GB  27.47 ms            4      1,165
--data 8 --zero 3 --recompute full  422.5 MB  39.00 ms           16      834.5
--offload optimizer,activations     651.7 MB  218.6 ms           11      18.91

Memory and step are the values with the largest micro-batch that fits without the options of the
row. Micro-batch and samples/s are the values with the largest micro-batch that fits with these
options.

# Prints the answer as JSON, for programs.
$ nncost fit dense round --format json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["schema"], d["micro_batch"], d["micro_batch_tight"], d["seq_len"], d["lora_rank"], d["margin_bytes"], d["plan"]["micro_batch"], sorted(d["remedies"][0]))'
nncost.fit/1 30 30 1000 None 0 30 ['micro_batch', 'options', 'samples_per_s', 'step_s', 'total_bytes']

# If no change makes the plan fit, 'nncost fit' reports this and exits with 1.
$ nncost fit dense round --set device.mem_bytes=1e8
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 1, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted
set       device.mem_bytes=1e8

fits      no micro-batch fits
memory    1.782 GB of 100.0 MB
[1]

# If no single way to save memory is enough, 'nncost fit' combines two or three of them.
$ nncost fit dense round --set device.mem_bytes=900MB | tail -6
--data 8 --zero 3                        891.1 MB  16.78 ms            2      953.2
--data 8 --zero 3 --recompute full       814.7 MB  61.07 ms            6        786
--offload optimizer                      779.0 MB   1.045 s            2      1.915
--offload optimizer,activations          868.9 MB   1.248 s            4      3.205

All values of a row are for the largest micro-batch that fits with the options of the row.

# The same options in another order are the same change, so the advice lists them only once.
$ nncost advise dense round --micro-batch 4 --set device.mem_bytes=1.8e9 | sed -n '/^with  /,/^$/p'
with                        step   speed    memory       cost  batch
--lora 16               26.73 ms  125.5%  1.372 GB  7.426e-06      4
--lora 16 --frozen nf4  27.21 ms  123.3%  1.230 GB  7.559e-06      4
--policy bf16-pure      32.04 ms  104.7%  1.772 GB  8.901e-06      4
--offload optimizer      1.046 s    3.2%  1.344 GB  0.0002907      4


# A step of half the tokens takes 3.754 ms instead of 10.80 ms. The shorter sequence gives 10.80 / 3.754 / 2 = 1.438
# times the tokens per second.
$ nncost advise dense round --set device.mem_bytes=350MB | sed -n '4,7p'
with                                                    step   speed    memory       cost  batch
--recompute norm,activation --lora 16 --frozen nf4  7.417 ms  145.6%  291.5 MB   2.06e-06      1
--lora 16 --frozen nf4 --seq-len 500                3.754 ms  143.8%  245.8 MB  1.043e-06      1
--lora 16 --offload optimizer,activations           74.39 ms   14.5%  331.8 MB  2.066e-05      1
$ nncost advise dense round --set device.mem_bytes=350MB --format json | grep -o '"sentence": "[^"]*seq-len[^"]*'
"sentence": "--lora 16 --frozen nf4 --seq-len 500: a step takes 3.754 ms, 43.8% faster per token (sequences of 500), 245.8 MB, 1.043e-06 USD a step; it fits and trains only adapters.

# No micro-batch fits, and no single way to save memory is enough. The output lists combinations of changes with which
# the plan fits.
$ nncost fit dense round --set device.mem_bytes=150e6 | sed -n '/^fits/,$p'
fits      no micro-batch fits
memory    1.782 GB of 150.0 MB

Changes with which the plan fits:

with                                                            step  speed   memory      cost batch
--recompute full --policy bf16-pure --lora 16 --frozen nf4  10.08 ms 107.1% 143.9 MB   2.8e-06     1
--recompute full --optimizer adam8bit --lora 16             10.09 ms 107.0% 148.6 MB 2.801e-06     1
  --frozen nf4
--recompute full --lora 16 --frozen nf4 --seq-len 500       5.160 ms 104.6% 141.2 MB 1.433e-06     1

# Options of a run have no effect on memory and are refused. The helper models of a training method need memory.
$ nncost fit dense round --days 3
! nncost: --days: has no effect here, expected together with 'nncost run'
[2]
$ nncost fit dense round --method dpo --reference-params 1e8 | head -1
model     dense, A small decoder, decoder, 107,106,000 parameters
