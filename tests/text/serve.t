# Serving a decoder: latency, throughput, memory and cost, by how requests come.

# A static batch of one. Every kernel reaches the datasheet: 192 MB of products over 1 TB/s is 192 us, 20 MB of
# head 20 us; the engine adds 1 ms per step, 10 us per layer and per sequence.
$ nncost serve dense round --input-len 500 --output-len 100
model        dense, A small decoder, 107,106,000 parameters
device       round, 100.0 TFLOP/s peak in bf16, 1.000 TB/s, 10.00 GB
plan         1 device, weights bf16, cache bf16, software vllm
requests     500 tokens in, 100 out, a static batch of 1

step         time  products  experts  attention      head  network      host     bound  by
prefill  2.157 ms  1.016 ms      0 s   40.08 us  20.01 us      0 s  1.080 ms  1.000 ms  host
decode   1.320 ms  192.1 us      0 s   17.63 us  20.05 us      0 s  1.090 ms  229.6 us  host

first token  2.157 ms, nine of ten measurements from 1.078 ms to 4.313 ms, at least 1.000 ms
per token    1.320 ms, nine of ten measurements from 1.056 ms to 1.650 ms, at least 229.6 us
request      132.8 ms, at least 23.73 ms
throughput   752.9 tokens/s, 757.7 per user, 7.529 requests/s, 1 running, 0.9% of the peak
saturation   at 178.9 requests/s
decode       host-bound, at this length no number of sequences makes it compute-bound
memory       fits, 1.254 GB of 9.000 GB, weights 234.2 MB, cache 19.46 MB
             32.00 kB a token, at most 399 sequences of this length
cost         0.3689 USD per million tokens out, by time 0.001198 for a million in, 0.3666 out,
             at 1 USD per device-hour (nowhere, 2020-01)
energy       1.328 J a token at rated power

# Requests that are always open, on two replicas of two ranks each, at a price.
$ nncost serve dense round --concurrency 64 --tensor 2 --devices 4 --input-len 500 --output-len 100 --price 2 | sed -n '/^plan/,$p'
plan         4 devices, tensor 2, data 2, weights bf16, cache bf16, software vllm
requests     500 tokens in, 100 out, 64 always open

step         time  products  experts  attention      head   network      host     bound  by
prefill  1.805 ms  508.2 us      0 s   20.04 us  10.01 us  187.0 us  1.080 ms  500.1 us  host
decode   1.829 ms  107.3 us      0 s   282.1 us  11.81 us  27.88 us  1.400 ms  388.1 us  host

first token  15.61 ms, nine of ten measurements from 7.804 ms to 31.22 ms, at least 500.1 us
per token    2.407 ms, nine of ten measurements from 1.925 ms to 3.008 ms, at least 388.1 us
request      253.9 ms, at least 38.92 ms
throughput   26,592 tokens/s, 6,648 per device, 415.5 per user, 265.9 requests/s, 64 running,
             8.2% of the peak
saturation   at 467.9 requests/s
decode       host-bound, at this length no number of sequences makes it compute-bound
memory       fits, 1.430 GB of 9.000 GB, weights 118.2 MB, cache 311.3 MB
             16.00 kB a token, at most 1,620 sequences of this length
cost         0.08357 USD per million tokens out, by time 0.004012 for a million in, 0.06351 out,
             at 2 USD per device-hour
energy       150.4 mJ a token at rated power

# Requests at a rate, and too many of them.
$ nncost serve dense round --request-rate 50 --input-len 500 --output-len 100 | sed -n '/^step/,$p'
step         time  products  experts  attention      head  network      host     bound  by
prefill  2.157 ms  1.016 ms      0 s   40.08 us  20.01 us      0 s  1.080 ms  1.000 ms  host
decode   1.552 ms  195.6 us      0 s   163.4 us  20.74 us      0 s  1.173 ms  375.4 us  host

first token  13.06 ms, nine of ten measurements from 6.532 ms to 26.13 ms, at least 1.000 ms
per token    1.740 ms, nine of ten measurements from 1.392 ms to 2.175 ms, at least 375.4 us
request      185.3 ms, at least 38.16 ms
throughput   5,000 tokens/s, 574.7 per user, 50 requests/s, 9.266 running, 6.1% of the peak
saturation   at 178.9 requests/s
decode       host-bound, at this length no number of sequences makes it compute-bound
memory       fits, 1.429 GB of 9.000 GB, weights 234.2 MB, cache 194.6 MB
             32.00 kB a token, at most 399 sequences of this length
cost         0.05556 USD per million tokens out, by time 0.001198 for a million in, 0.04654 out,
             at 1 USD per device-hour (nowhere, 2020-01)
energy       200.0 mJ a token at rated power
p99          first token 15.81 ms, not scored
$ nncost serve dense round --request-rate 500 --input-len 500 --output-len 100 | sed -n '/^first/,$p'
first token  unbounded (arrival rate exceeds capacity)
per token    14.31 ms, nine of ten measurements from 11.45 ms to 17.89 ms, at least 4.726 ms
request      unbounded (arrival rate exceeds capacity)
throughput   17,886 tokens/s, 69.87 per user, 178.9 requests/s, 256 running, 22.0% of the peak
saturation   at 178.9 requests/s, below the arrival rate
decode       memory-bound, at this length no number of sequences makes it compute-bound
memory       fits, 6.215 GB of 9.000 GB, weights 234.2 MB, cache 4.981 GB
             32.00 kB a token, at most 399 sequences of this length
cost         0.01553 USD per million tokens out, by time 0.001198 for a million in, 0.00954 out,
             at 1 USD per device-hour (nowhere, 2020-01)
energy       55.91 mJ a token at rated power

# As many as fit; more than fit.
$ nncost serve dense round --offline --input-len 500 --output-len 100 --max-batch 1000 | grep -E '^(throughput|memory)' -A 1
throughput   23,483 tokens/s, 58.86 per user, 234.8 requests/s, 399 running, 28.9% of the peak
saturation   at 184.4 requests/s
--
memory       fits, 8.997 GB of 9.000 GB, weights 234.2 MB, cache 7.763 GB
             32.00 kB a token, at most 399 sequences of this length
$ nncost serve dense round --batch 1000 --input-len 500 --output-len 100 | grep -A 1 '^memory'
memory       does not fit by 11.69 GB, 20.69 GB of 9.000 GB, weights 234.2 MB, cache 19.46 GB
             32.00 kB a token, at most 399 sequences of this length

# Experts: eight of them, two for each token.
$ nncost serve experts round --batch 4 --weights int4 --kv-precision int8 --input-len 500 --output-len 100 | sed -n '/^plan/,/^decode /p'
plan         1 device, weights int4, products in bf16, cache int8, software vllm
requests     500 tokens in, 100 out, a static batch of 4

step         time  products   experts  attention      head  network      host     bound  by
prefill  2.890 ms  388.1 us  1.378 ms   64.13 us  20.11 us      0 s  1.040 ms  1.410 ms  compute
decode   1.162 ms  19.37 us  34.61 us   7.335 us  20.27 us      0 s  1.080 ms  80.69 us  host

# What cannot be.
$ nncost serve unet round
! nncost: unet: cannot be served: only decoders are, which generate token after token
[3]
$ nncost serve dense round --batch 2 --concurrency 3
! nncost: --batch: one kind of load is enough, expected --batch, --concurrency, --request-rate or --offline, found 2 of them
[2]
$ nncost serve dense round --tensor 3
! nncost: --tensor: heads 8 does not divide over 3 ranks, expected 2 or 4
[3]
$ nncost serve dense round --expert 2
! nncost: --expert: the model has no experts, expected 1, found 2
[3]
$ nncost serve dense round --input-len 1000 --output-len 100
! nncost: --input-len: with --output-len longer than the position table, expected at most 1000 tokens, found 1100
[3]
$ nncost serve dense round --devices 3 --tensor 2
! nncost: --devices: is no multiple of tensor x pipeline x attention_data, 2, found 3
[3]
$ nncost serve dense round --precision fp8
! nncost: --precision: round has no peak in fp8
[3]
$ nncost serve dense round --weights int3
! nncost: --weights: unknown value, expected one of fp32, bf16, fp16, fp8, fp8-block, int8, int4, nvfp4, mxfp4, found "int3"
[2]
$ nncost serve dense round --micro-batch 3
! nncost: --micro-batch: is not an option of 'serve'
[2]
$ nncost serve dense round --software none
! nncost: --software: unknown software profile, expected one of eager, torch-compile, vllm, found "none"
[3]

# A search: the cheapest and the fastest deployment, the front between them; none that holds.
$ nncost search dense round --serve --slo 'ttft_s<=50ms,tpot_s<=0.003' --input-len 500 --output-len 100 --max-devices 4
searched   dense on round with vllm, 10 deployments, 160 with their requests, 160 fit,
           111 meet ttft_s<=50ms,tpot_s<=0.003
cheapest   1 device, 32 requests at a time
           first token 16.71 ms, per token 2.892 ms, 11,063 tokens/s per device, 345.7 per user,
           0.02511 USD per million out, host-bound
           with 48 requests tpot_s would be 3.700 ms; the limit is at most 3.000 ms
fastest    4 devices, tensor 4, 1 requests at a time
           first token 12.30 ms, per token 1.182 ms, 211.5 tokens/s per device, 846.1 per user,
           1.313 USD per million out, host-bound

Pareto front: no other deployment is better both per device and per user:

devices tensor pipeline expert data requests     TTFT     TPOT tok/s/device tok/s/user bound
      1      1        1      1    1       32 16.71 ms 2.892 ms       11,063      345.7 host
      1      1        1      1    1       24 15.73 ms 2.490 ms        9,639      401.6 host
      1      1        1      1    1       16 14.75 ms 2.089 ms        7,660      478.8 host
      1      1        1      1    1       12 14.27 ms 1.889 ms        6,354      529.5 host
      1      1        1      1    1        8 13.78 ms 1.689 ms        4,736        592 host
      1      1        1      1    1        6 13.53 ms 1.589 ms        3,775      629.1 host
      1      1        1      1    1        4 13.29 ms 1.490 ms        2,684      671.1 host
      2      2        1      1    1        6 13.01 ms 1.427 ms        2,102      700.6 host
      2      2        1      1    1        4 12.81 ms 1.352 ms        1,479      739.4 host
      2      2        1      1    1        3 12.71 ms 1.315 ms        1,141      760.4 host
      4      4        1      1    1        4 12.57 ms 1.278 ms        782.7      782.7 host
      4      4        1      1    1        3 12.48 ms 1.246 ms        602.1      802.8 host
      4      4        1      1    1        2 12.39 ms 1.214 ms          412      823.9 host
      4      4        1      1    1        1 12.30 ms 1.182 ms        211.5      846.1 host
left out: attention, per M out (a width of 100, see COLUMNS)
$ nncost search dense round --serve --slo 'tpot_s<=0.0003' --input-len 500 --output-len 100 --devices 2
searched   dense on round with vllm, 3 deployments, 48 with their requests, 48 fit,
           0 meet tpot_s<=0.0003
none       no deployment meets tpot_s at most 300.0 us: the nearest misses it by a factor of 4.13
[1]
$ nncost search dense round --serve --slo 'tpott_s<=0.0003'
! nncost: --slo: no such metric, expected one such as ttft_s, tpot_s or tokens_per_s_per_user, perhaps tpot_s, found "tpott_s"
[2]
$ nncost search dense round --slo 'tpot_s<=0.0003'
! nncost: --slo: is not an option of 'search'
[2]

# Every combination; the ops of both steps; what a figure is.
$ nncost sweep dense,experts round --serve --concurrency 1..16*4 --tensor 1,3 --input-len 500 --output-len 100
model   concurrency tensor     TTFT     TPOT  request tok/s tok/s/device tok/s/user   fit per M out decode
dense             1      1 12.92 ms 1.341 ms 145.7 ms 745.5        745.5      745.5   399    0.3726 host
dense             4      1 13.29 ms 1.490 ms 160.8 ms 2,684        2,684      671.1   399    0.1035 host
dense            16      1 14.75 ms 2.089 ms 221.5 ms 7,660        7,660      478.8   399   0.03626 host
experts           1      1 12.26 ms 1.157 ms 126.8 ms 864.3        864.3      864.3 1,991    0.3214 host
experts           4      1 12.57 ms 1.330 ms 144.2 ms 3,008        3,008      752.1 1,991   0.09234 host
experts          16      1 13.64 ms 1.748 ms 186.7 ms 9,156        9,156      572.2 1,991   0.03034 host

          6 illegal rows left out
$ nncost ops experts round --serve --batch 4 --input-len 500 --output-len 100 | sed -n '/^op/,$p'
op           phase    count   rows    FLOPs   weights     cache      time  bound
attn.qkv     prefill      4  2,000  25.60 G  12.80 MB       0 B  257.9 us  compute
attn.out     prefill      4  2,000  12.80 G  6.400 MB       0 B  129.0 us  compute
moe.router   prefill      4  2,000  128.0 M  64.00 kB       0 B  1.290 us  compute
moe.gate_up  prefill      4  2,000  64.00 G  128.0 MB       0 B  945.9 us  compute
moe.down     prefill      4  2,000  32.00 G  64.00 MB       0 B  473.0 us  compute
head.logits  prefill      1      4  80.00 M  20.00 MB       0 B  20.11 us  memory
attn.core    prefill      4  2,000  6.413 G       0 B  12.80 MB  64.13 us  compute
attn.qkv     decode       4      4  51.20 M  12.80 MB       0 B  12.87 us  memory
attn.out     decode       4      4  25.60 M  6.400 MB       0 B  6.434 us  memory
moe.router   decode       4      4  256.0 k  64.00 kB       0 B  64.34 ns  memory
moe.gate_up  decode       4      4  128.0 M  87.50 MB       0 B  87.68 us  memory
moe.down     decode       4      4  64.00 M  43.75 MB       0 B  43.84 us  memory
head.logits  decode       1      4  80.00 M  20.00 MB       0 B  20.11 us  memory
attn.core    decode       4      4  28.16 M       0 B  14.11 MB  14.11 us  memory
head.sample  decode       1      4        0       0 B       0 B  160.0 ns  memory
$ nncost explain tpot_s,max_sequences dense round --serve --concurrency 8 --input-len 500 --output-len 100
served    dense on round, software vllm

tpot_s:

tpot_s            Time per output token after it.
                  = decode_s + sequences / output_len * prefill_s
                  = 0.00151656206753 + 8 / 100 * 0.00215651558926
                  = 0.00168908331468 s (1.689 ms)
  where           decode_s 1.517 ms, prefill_s 2.157 ms
  note            each sequence waits for the prefills of the others
  source          docs/serving.md

max_sequences:

max_sequences     Requests at full length that fit in the cache, all devices.
                  = floor(free_bytes / (sequence_bytes + state_bytes_per_sequence)) * groups
                  = floor(7765788000 / (19456000 + 0)) * 1
                  = 399
  where           free_bytes 7.766 GB, sequence_bytes 19.46 MB, state_bytes_per_sequence 0 B
$ nncost explain decode.time_s,latency.queue_s dense round --serve --input-len 500 --output-len 100
served    dense on round, software vllm

decode.time_s:

time_s            The whole step.
                  = max(product_s + expert_s + attention_s + head_s + comm_s + host_s,
                  lower_bound_s)
                  = max(0.000192127978676 + 0 + 1.7632e-5 + 2.00533311121e-5 + 0 + 0.00109,
                  0.000229632)
                  = 0.00131981330979 s (1.320 ms)
  where           product_s 192.1 us, expert_s 0 s, attention_s 17.63 us, head_s 20.05 us,
                  comm_s 0 s, host_s 1.090 ms, lower_bound_s 229.6 us

latency.queue_s:

queue_s           Part of the time to the first token spent waiting for other requests.
                  = 0 s (0 s)

# By formula alone: the tail, a draft, prefill apart from decode.
$ nncost serve dense round --request-rate 20 --input-len 500 --output-len 100 --draft-length 4 --disaggregate 1:2 | sed -n '/^p99/,$p'
p99          first token 14.49 ms, not scored
speculation  4 x 68.94 us to propose, 1.387 ms to verify, 2.773 tokens a verification,
             per token 626.7 us, 2.3 times as fast, not scored
separate     463.7 requests/s, 0.6279 prefill workers for each decode worker,
             16.00 MB of cache a prompt, sent in 1.600 ms, first token 13.76 ms,
             per token 8.792 ms, not scored
$ nncost serve experts round --draft dense --input-len 500 --output-len 100 | sed -n '/^memory/p;/^speculation/,$p'
memory       fits, 1.509 GB of 9.000 GB, weights 485.5 MB, cache 23.35 MB
speculation  draft dense, 4 x 1.320 ms to propose, 1.240 ms to verify, 2.773 tokens a verification,
             per token 2.351 ms, 0.4853 times as fast, not scored
$ nncost explain --serve speculation_tpot_s dense round --draft dense --draft-length 2 --acceptance 0.5 --concurrency 64 --input-len 500 --output-len 100 | grep -v ^$
served    dense on round, software vllm
speculation_tpot_s
                  Time per output token with the draft.
                  = tpot_s / speculation_speedup
                  = 0.00451045618891 / 0.569485835342
                  = 0.00792022541914 s (7.920 ms)
  where           tpot_s 4.510 ms
  source          arXiv:2211.17192
$ nncost explain --serve apart_requests_per_s,transfer_s dense round --disaggregate 3:1 --input-len 500 --output-len 100 | grep ' = '
                  = min(prefill_rate, decode_rate)
                  = min(1391.13299943, 291.1793186)
                  = 291.1793186
prefill_rate      = prefill_workers / prompt_s
                  = 3 / 0.00215651558926
                  = 1391.13299943
decode_rate       = decode_workers * full_batch / (output_len * full_decode_s)
                  = 1 * 256 / (100 * 0.00879183319854)
                  = 291.1793186
                  = prompt_kv_bytes / network_bytes_per_s
                  = 16000000 / 10000000000
                  = 0.0016 s (1.600 ms)
$ nncost serve dense round --input-len 500 --disaggregate 3
! nncost: --disaggregate: expected P:D, such as 1:2, found "3"
[2]
$ nncost serve dense round --input-len 500 --draft unet
! nncost: unet: cannot be served: only decoders are, which generate token after token
[3]
$ nncost serve dense round --input-len 500 --draft nobody
! nncost: --draft: unknown model, expected one of dense, experts, segnet, unet, vision, found "nobody"
[3]
$ nncost search dense round --serve --draft-length 4
! nncost: --draft-length: is not searched, since no measurement backs it; 'nncost serve' answers it
[2]

# Images.
$ nncost serve unet round --steps 20 --guidance --batch 2 --price 3
images     unet on round, 256 x 256 pixels, 2 at a time, 20 steps with guidance, fp16,
           software torch-compile
parts      20 x 398.7 us, weights 19.09 MB of 10.00 GB
time       7.974 ms, 398.7 us a step, at least 5.224 ms in all, 65.5% of the peak
throughput 250.8 images/s, 0.003323 USD per thousand images, 3.987 J an image at rated power
$ sed 's/"id": "unet"/"id": "drawn"/; s/"family"/"text_encoders": "dense", "image_decoder": "vision", "family"/' toy/models/unet.json >drawn.json
$ nncost serve ./drawn.json round --steps 20 --guidance --batch 2 --image 160 --seller corner --region TOY
images     drawn on round, 160 x 160 pixels, 2 at a time, 20 steps with guidance, fp16,
           software torch-compile
parts      prompt 10.27 ms (dense), 20 x 157.5 us, image 1.460 ms (vision),
           weights 474.9 MB of 10.00 GB
time       14.88 ms, 157.5 us a step, at least 13.05 ms in all, 87.7% of the peak
throughput 134.4 images/s, 0.008268 EUR per thousand images (Corner box of 8, 2026-01),
           7.441 J an image at rated power, 1.034 g of carbon dioxide per thousand (Toyland, 2025,
           location-based: Read from the meter)
$ nncost explain --serve image_s,text_s,lower_bound_s ./drawn.json round --steps 20 --image 160 | grep -v ^$
served    drawn on round, software torch-compile
image_s:
image_s           From the prompts to the images of a batch.
                  = text_s + steps * forward_s + decode_s + batch * beside_s
                  = 0.002568168 + 20 * 4.6062808e-5 + 0.0007302822 + 1 * 0
                  = 0.00421970636 s (4.220 ms)
  where           text_s 2.568 ms, forward_s 46.06 us, decode_s 730.3 us, beside_s 0 s
  note            forward passes of the estimate, with guidance over twice the batch
text_s:
text_s            Text encoders, for the prompts of a batch.
                  = 0.002568168 s (2.568 ms)
lower_bound_s:
lower_bound_s     Lower bound of any implementation.
                  = text_bound_s + steps * step_bound_s + decode_bound_s
                  = 0.00244 + 20 * 2.5036e-5 + 0.0006447576
                  = 0.0035854776 s (3.585 ms)
  where           text_bound_s 2.440 ms, step_bound_s 25.04 us, decode_bound_s 644.8 us
$ nncost estimate dense round --full --micro-batch 1 --precision fp16 | grep -o '^forward *[0-9.]* .s'
forward   2.568 ms
$ nncost estimate vision round --full --micro-batch 1 --image 160 --precision fp16 | grep -o '^forward *[0-9.]* .s'
forward   730.3 us
$ nncost compare --serve unet,dense round,fitted --steps 20 --image 96
model  device      time    a step  images/s  per thousand    energy
unet   round   547.0 us  27.35 us     1,828     0.0001519  547.0 mJ
unet   fitted  30.60 ms  1.530 ms     32.68         0.017   15.30 J

          2 illegal rows left out
$ nncost serve unet round --steps 20 --format json | grep -A9 '"images"'
  "images": {"steps": 20, "guidance": false, "image": 256, "batch": 1, "precision": "fp16", "forward_s": 0.00010264632, "forward_flops": 6529772800, "text_s": 0, "decode_s": 0, "image_s": 0.0020529264, "lower_bound_s": 0.00130595456, "images_per_s": 487.109523264, "utilization": 0.636142903126, "weight_bytes": 19092608, "capacity_bytes": 10000000000, "fits": true, "price_per_device_hour": 1, "per_thousand_images": 0.000570257333333, "energy_j_per_image": 2.0529264, "carbon_g_per_thousand_images": null}
}
$ printf '{ "schema": "nncost.plans/1", "scenarios": [{ "id": "draw", "serve": true, "model": "unet", "device": "round", "steps": 20, "require": { "images_per_s": ">= 100", "images.fits": "== true" } }] }' >draw.json; nncost check draw.json
draw.json: 1 estimated; 2 of 2 requirements met
The file has no recorded estimates yet; 'nncost check draw.json --update' does it.
$ nncost ops --serve unet round --steps 20
! nncost: --steps: the ops of a pass are those of 'nncost ops unet round'
[2]
$ sed 's/"dense"/"denes"/; s/"drawn"/"wrong"/' drawn.json >wrong.json; nncost serve ./wrong.json round --steps 2
! nncost: MODEL: unknown model, expected one of dense, experts, segnet, unet, vision, nearest "dense", found "denes"
[3]
$ nncost serve dense round --steps 20
! nncost: --steps: dense generates tokens, expected a U-Net that denoises images
[3]
