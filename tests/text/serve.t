# Tests 'nncost serve', which predicts latency, throughput, memory and cost of a served model for each kind of load.

# Serves a static batch of one request. Kernels reach the rates of the datasheet: at 1 TB/s, 192 MB of products take 192
# us and 20 MB of the head take 20 us. The engine adds 1 ms per step, and 10 us per layer and per sequence.
$ nncost serve dense round --input-len 500 --output-len 100
A small decoder on A device of round figures serves a batch of 1: 700.2 tokens/s, first token after
12.16 ms, then 1.320 ms per token; it fits: 1.234 GB of 9.000 GB per device.

model        dense, A small decoder, 107,106,000 parameters
device       round, 100.0 TFLOP/s peak in bf16, 1.000 TB/s, 10.00 GB
plan         1 device, weights bf16, cache bf16, software vllm
requests     500 tokens in, 100 out, a static batch of 1

step         time  products  experts  attention      head  network      host  at least  bound
prefill  2.157 ms  1.016 ms      0 s   40.08 us  20.01 us      0 s  1.080 ms  1.000 ms  host
decode   1.320 ms  192.1 us      0 s   17.63 us  20.05 us      0 s  1.090 ms  229.6 us  host

first token  12.16 ms, 10.00 ms of this time in the server, outside the engine,
             90 % range 6.078 ms to 24.31 ms, at least 1.000 ms
per token    1.320 ms, 90 % range 1.056 ms to 1.650 ms, at least 229.6 us
request      142.8 ms, at least 23.73 ms
throughput   700.2 tokens/s, 757.7 per user, 7.002 requests/s, 1 running, 0.9% of the peak
saturation   at 227.9 requests/s
decode       host-bound, not compute-bound with any number of sequences of this length
memory       fits, 1.234 GB of 9.000 GB, weights 214.2 MB, cache 19.46 MB
             32.00 kB a token, at most 400 sequences of this length
cost         0.3967 USD per million output tokens, if output tokens carry the whole cost,
             split by time 0.001198 input, 0.3666 output, at 1 USD per device-hour (nowhere,
             2020-01)
energy       1.428 J a token at rated power
cheaper      --batch 400: 13.07 ms per token, 23,108 tokens/s, 0.01202 USD per million out

# Serves a fixed number of open requests on two replicas of two tensor ranks each, with a given price.
$ nncost serve dense round --concurrency 64 --tensor 2 --devices 4 --input-len 500 --output-len 100 --price 2 | sed -n '/^plan/,$p'
plan         4 devices, tensor 2, data 2, weights bf16, cache bf16, software vllm
requests     500 tokens in, 100 out, 64 always open

step         time  products  experts  attention      head   network      host  at least  bound
prefill  1.805 ms  508.2 us      0 s   20.04 us  10.01 us  187.0 us  1.080 ms  500.1 us  host
decode   1.829 ms  107.3 us      0 s   282.1 us  11.81 us  27.88 us  1.400 ms  388.1 us  host

first token  15.64 ms, 10.00 ms of this time in the server, outside the engine,
             90 % range 7.821 ms to 31.28 ms, at least 500.1 us
per token    1.950 ms, 90 % range 1.560 ms to 2.437 ms, at least 388.1 us
request      208.7 ms, at least 38.92 ms
percentiles  first token 14.11 ms (half), 18.73 ms (90 %), 34.08 ms (99 %),
             per token 1.964 ms, 1.992 ms, 2.009 ms, request 207.5 ms, 226.1 ms, 237.0 ms
throughput   30,661 tokens/s, 7,665 per device, 512.9 per user, 306.6 requests/s, 64 running,
             9.4% of the peak
saturation   at 643.1 requests/s
decode       host-bound, not compute-bound with any number of sequences of this length
memory       fits, 1.420 GB of 9.000 GB, weights 108.2 MB, cache 311.3 MB
             16.00 kB a token, at most 1,622 sequences of this length
cost         0.07248 USD per million output tokens, if output tokens carry the whole cost,
             split by time 0.004012 input, 0.06351 output, at 2 USD per device-hour
energy       130.5 mJ a token at rated power

# Serves requests that come at a rate, first below and then above saturation.
$ nncost serve dense round --request-rate 50 --input-len 500 --output-len 100 | sed -n '/^step/,$p'
step         time  products  experts  attention      head  network      host  at least  bound
prefill  2.157 ms  1.016 ms      0 s   40.08 us  20.01 us      0 s  1.080 ms  1.000 ms  host
decode   1.517 ms  194.9 us      0 s   141.1 us  20.62 us      0 s  1.160 ms  353.1 us  host

first token  13.29 ms, 10.00 ms of this time in the server, outside the engine,
             90 % range 6.591 ms to 26.91 ms, at least 1.000 ms
per token    1.618 ms, 90 % range 1.238 ms to 2.144 ms, at least 353.1 us
request      173.4 ms, at least 35.95 ms
percentiles  first token 13.23 ms (half), 14.03 ms (90 %), 15.15 ms (99 %),
             per token 1.610 ms, 1.743 ms, 1.854 ms, request 173.0 ms, 190.8 ms, 205.8 ms
throughput   5,000 tokens/s, 618.2 per user, 50 requests/s, 8.671 running, 6.1% of the peak
saturation   at 227.9 requests/s, 90 % range 182.3 to 284.9
decode       host-bound, not compute-bound with any number of sequences of this length
memory       fits, 1.389 GB of 9.000 GB, weights 214.2 MB, cache 175.1 MB
             32.00 kB a token, at most 400 sequences of this length
cost         0.05556 USD per million output tokens, if output tokens carry the whole cost,
             split by time 0.001198 input, 0.05266 output, at 1 USD per device-hour (nowhere,
             2020-01)
energy       200.0 mJ a token at rated power
$ nncost serve dense round --request-rate 500 --input-len 500 --output-len 100 | sed -n '/^first/,$p'
first token  unbounded (arrival rate exceeds capacity)
per token    11.23 ms, 90 % range 8.985 ms to 14.04 ms, at least 4.726 ms
request      unbounded (arrival rate exceeds capacity)
throughput   22,792 tokens/s, 89.03 per user, 227.9 requests/s, 256 running, 28.0% of the peak
saturation   at 227.9 requests/s, below the arrival rate, 90 % range 182.3 to 284.9
decode       memory-bound, not compute-bound with any number of sequences of this length
memory       fits, 6.195 GB of 9.000 GB, weights 214.2 MB, cache 4.981 GB
             32.00 kB a token, at most 400 sequences of this length
cost         0.01219 USD per million output tokens, if output tokens carry the whole cost,
             split by time 0.001198 input, 0.00954 output, at 1 USD per device-hour (nowhere,
             2020-01)
energy       43.87 mJ a token at rated power
would serve  --devices 3: 3.601 ms per token, 50,000 tokens/s, 0.01667 USD per million out

# Serves as many sequences as fit in memory, and then more sequences than fit.
$ nncost serve dense round --offline --input-len 500 --output-len 100 --max-batch 1000 | grep -E '^(throughput|memory)' -A 1
throughput   23,653 tokens/s, 59.13 per user, 236.5 requests/s, 400 running, 29.1% of the peak
saturation   at 236.5 requests/s
--
memory       fits, 8.997 GB of 9.000 GB, weights 214.2 MB, cache 7.782 GB
             32.00 kB a token, at most 400 sequences of this length
$ nncost serve dense round --batch 1000 --input-len 500 --output-len 100 | grep -A 1 '^memory'
memory       does not fit by 11.67 GB, 20.67 GB of 9.000 GB, weights 214.2 MB, cache 19.46 GB
             32.00 kB a token, at most 400 sequences of this length

# A process can use at most usable_bytes of the device memory, unless --memory-use gives it a larger share.
$ nncost serve dense round --batch 400 --input-len 500 --output-len 100 --set usable_bytes=7.5e9 | grep '^memory'
memory       does not fit by 1.497 GB, 8.997 GB of 7.500 GB, weights 214.2 MB, cache 7.782 GB
$ nncost serve dense round --batch 401 --input-len 500 --output-len 100 --set usable_bytes=9.5e9 | grep '^memory'
memory       does not fit by 16.07 MB, 9.016 GB of 9.000 GB, weights 214.2 MB, cache 7.802 GB
$ nncost serve dense round --batch 300 --input-len 500 --output-len 100 --set usable_bytes=7.5e9 --memory-use 0.9 | grep '^memory'
memory       fits, 7.051 GB of 9.000 GB, weights 214.2 MB, cache 5.837 GB

# Serves a model with eight experts, two of which compute each token.
$ nncost serve experts round --batch 4 --weights int4 --kv-precision int8 --input-len 500 --output-len 100 | sed -n '/^plan/,/^decode /p'
plan         1 device, weights int4, products in bf16, cache int8, software vllm
requests     500 tokens in, 100 out, a static batch of 4

step         time  products   experts  attention      head  network      host  at least  bound
prefill  5.209 ms  388.1 us  3.696 ms   64.13 us  20.11 us      0 s  1.040 ms  1.410 ms  compute
decode   1.163 ms  19.37 us  36.35 us   7.335 us  20.27 us      0 s  1.080 ms  80.69 us  host

# Tests models and options that 'nncost serve' refuses.
$ nncost serve unet round
! nncost: unet: cannot be served: the model generates no tokens, expected a decoder, or a diffusion model with --steps N; for a forward pass: nncost estimate MODEL DEVICE --train none
[3]
$ nncost serve dense round --batch 2 --concurrency 3
! nncost: --batch: several kinds of load, expected only one of --batch, --concurrency, --request-rate and --offline, found 2 of them
[2]
$ nncost serve dense round --tensor 3
! nncost: --tensor: heads 8 cannot be divided over 3 ranks, expected 2 or 4
[3]
$ nncost serve dense round --expert 2
! nncost: --expert: the model has no experts, expected 1, found 2
[3]
$ nncost serve dense round --input-len 1000 --output-len 100
! nncost: --input-len: a prompt with --output-len more tokens is longer than the position table, expected at most 1000 tokens, found 1100
[3]
$ nncost serve dense round --devices 3 --tensor 2
! nncost: --devices: is no multiple of tensor x pipeline x attention_data, expected a multiple of 2, found 3
[3]
$ nncost serve dense round --precision fp8
! nncost: --precision: round has no peak rate in fp8
[3]
$ nncost serve dense round --weights int3
! nncost: --weights: unknown value, expected one of fp32, bf16, fp16, fp8, fp8-block, int8, int4, nvfp4, mxfp4, found "int3"
[2]
$ nncost serve dense round --micro-batch 3
! nncost: --micro-batch: is not an option of 'serve'
[2]
$ nncost serve dense round --software none
! nncost: --software: unknown software profile, expected one of deepspeed-0.14, eager, torch-compile, torch-eager, vllm, found "none"
[3]

# 'nncost search --serve' prints the cheapest deployment, the fastest deployment and the Pareto front. In the second
# search, no deployment meets the limits.
$ nncost search dense round --serve --slo 'ttft_s<=50ms,tpot_s<=0.003' --input-len 500 --output-len 100 --max-devices 4
searched   dense on round with vllm, 10 deployments, 160 pairs of deployment and load, 160 fit,
           125 meet ttft_s<=50ms,tpot_s<=0.003
cheapest   1 device, 48 requests at a time
           first token 19.62 ms, per token 2.974 ms, 15,274 tokens/s per device, 336.2 per user,
           0.01819 USD per million out, host-bound
           with 64 requests tpot_s would be 3.565 ms; the limit is at most 3.000 ms
fastest    4 devices, tensor 4, 1 request at a time
           first token 11.63 ms, per token 1.165 ms, 196.8 tokens/s per device, 858 per user,
           1.411 USD per million out, host-bound

Pareto front: no other deployment is better both per device and per user:

devices tensor pipeline data requests     TTFT     TPOT tok/s/device tok/s/user per M out bound
      1      1        1    1       48 19.62 ms 2.974 ms       15,274      336.2   0.01819 host
      1      1        1    1       32 17.66 ms 2.390 ms       12,582      418.5   0.02208 host
      1      1        1    1       24 16.30 ms 2.105 ms       10,678      475.1   0.02601 host
      2      1        2    1       48 16.85 ms 2.102 ms       10,665      475.7   0.02605 host
      1      1        1    1       16 15.39 ms 1.821 ms        8,174      549.1   0.03398 host
      2      1        2    1       32 15.68 ms 1.821 ms        8,163      549.2   0.03403 host
      1      1        1    1       12 14.69 ms 1.684 ms        6,612      593.7   0.04201 host
      2      1        2    1       24 15.01 ms 1.684 ms        6,602      593.7   0.04208 host
      1      1        1    1        8 14.01 ms 1.549 ms        4,778      645.4   0.05813 host
      2      1        2    1       16 14.62 ms 1.548 ms        4,764      645.9    0.0583 host
      2      2        1    1       12 13.69 ms 1.472 ms        3,764      679.6   0.07379 host
      2      2        1    1        8 13.25 ms 1.380 ms        2,669      724.8    0.1041 host
      4      2        2    1       16 13.73 ms 1.379 ms        2,661      724.9    0.1044 host
      2      2        1    1        6 12.74 ms 1.335 ms        2,070      748.9    0.1342 host
      4      2        2    1       12 13.60 ms 1.335 ms        2,058      749.1     0.135 host
      2      2        1    1        4 12.52 ms 1.290 ms        1,426      775.4    0.1947 host
      4      4        1    1        6 12.55 ms 1.256 ms        1,096      796.4    0.2535 host
      4      4        1    1        4 12.50 ms 1.219 ms        750.8      820.3      0.37 host
      4      4        1    1        3 12.36 ms 1.200 ms        571.6      833.1    0.4859 host
      4      4        1    1        2 12.14 ms 1.184 ms        386.6      844.7    0.7186 host
      4      4        1    1        1 11.63 ms 1.165 ms        196.8        858     1.411 host
left out: attention, expert (a width of 100, see COLUMNS)
$ nncost search dense round --serve --slo 'tpot_s<=0.0003' --input-len 500 --output-len 100 --devices 2
searched   dense on round with vllm, 3 deployments, 48 pairs of deployment and load, 48 fit,
           0 meet tpot_s<=0.0003
none       no deployment meets tpot_s at most 300.0 us: the nearest deployment misses this limit by
           a factor of 4.07
[1]
$ nncost search dense round --serve --slo 'ttft_s<=1s' --input-len 500 --output-len 100 --devices 2 --request-rate 1000
searched   dense on round with vllm, 3 deployments, 3 pairs of deployment and load, 3 fit,
           0 meet ttft_s<=1s
none       requests arrive faster than any deployment serves them: at most 455.8 requests/s
[1]
$ nncost search dense round --serve --slo 'tpott_s<=0.0003'
! nncost: --slo: no such metric, expected one such as ttft_s, tpot_s or tokens_per_s_per_user, perhaps tpot_s, found "tpott_s"
[2]
$ nncost search dense round --slo 'tpot_s<=0.0003'
! nncost: --slo: is not an option of 'search'
[2]

# Tests --serve of other commands: 'nncost sweep' prints every combination, 'nncost ops' prints the ops of a prefill and
# of a decode step, and 'nncost explain' explains metrics of serving.
$ nncost sweep dense,experts round --serve --concurrency 1..16*4 --tensor 1,3 --input-len 500 --output-len 100
model   concurrency tensor     TTFT     TPOT  request tok/s tok/s/user   fit per M out decode
dense             1      1 12.14 ms 1.320 ms 142.8 ms 700.3      757.7   400    0.3967 host
dense             4      1 13.33 ms 1.417 ms 153.7 ms 2,603      705.5   400    0.1067 host
dense            16      1 15.39 ms 1.821 ms 195.7 ms 8,174      549.1   400   0.03398 host
experts           1      1 11.60 ms 1.141 ms 124.6 ms 802.9      876.5 1,991     0.346 host
experts           4      1 12.47 ms 1.266 ms 137.8 ms 2,902      789.7 1,991   0.09572 host
experts          16      1 13.24 ms 1.515 ms 163.3 ms 9,801        660 1,991   0.02834 host
left out: tok/s/device (a width of 100, see COLUMNS)

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

tpot_s            Time per output token after the first token.
                  = simulated_tpot_s
                  = 0.00154941926189 s (1.549 ms)
  where           simulated_tpot_s 1.549 ms
  note            mean over the simulated requests of more than one token
  source          docs/serving.md

max_sequences:

max_sequences     Requests at full length that fit in the cache, all devices.
                  = floor(free_bytes / (sequence_bytes + state_bytes_per_sequence)) * groups
                  = floor(7785788000 / (19456000 + 0)) * 1
                  = 400
  where           free_bytes 7.786 GB, sequence_bytes 19.46 MB, state_bytes_per_sequence 0 B
$ nncost explain decode.time_s,latency.queue_s dense round --serve --input-len 500 --output-len 100
served    dense on round, software vllm

decode.time_s:

time_s            Time of the whole prefill or decode step.
                  = max(product_s + expert_s + attention_s + head_s + comm_s + host_s,
                  lower_bound_s)
                  = max(0.000192127978676 + 0 + 1.7632e-5 + 2.00533311121e-5 + 0 + 0.00109,
                  0.000229632)
                  = 0.00131981330979 s (1.320 ms)
  where           product_s 192.1 us, expert_s 0 s, attention_s 17.63 us, head_s 20.05 us,
                  comm_s 0 s, host_s 1.090 ms, lower_bound_s 229.6 us

latency.queue_s:

queue_s           Part of the time to the first token in which a request waits for other requests.
                  = 0 s (0 s)

# Tests percentiles of latency, speculative decoding with a draft model, and separate workers for prefill and decode.
$ nncost serve dense round --request-rate 20 --input-len 500 --output-len 100 --draft-length 4 --disaggregate 1:2 | sed -n '/^percentiles/,$p'
percentiles  first token 13.77 ms (half), 13.98 ms (90 %), 15.52 ms (99 %),
             per token 583.8 us, 598.7 us, 612.0 us, request 72.10 ms, 76.09 ms, 78.60 ms
throughput   2,000 tokens/s, 666.7 per device, 1,709 per user, 20 requests/s, 1.435 running,
             2.5% of the peak
saturation   at 463.7 requests/s, 90 % range 371 to 579.6
decode       host-bound, not compute-bound with any number of sequences of this length
memory       fits, 1.234 GB of 9.000 GB, weights 214.2 MB, cache 19.46 MB
             32.00 kB a token, at most 800 sequences of this length
cost         0.4167 USD per million output tokens, if output tokens carry the whole cost,
             split by time 0.003594 input, 0.9656 output, at 1 USD per device-hour (nowhere,
             2020-01)
energy       1.500 J a token at rated power
speculation  4 x 66.19 us to propose, 1.326 ms to verify, 2.773 tokens a verification,
             per token 585.3 us, 2.308 times as fast, not compared with measurements
separate     463.7 requests/s, 1.205 prefill workers for each decode worker,
             16.00 MB of cache a prompt, sent in 1.600 ms, without a queue first token 13.76 ms,
             per token 4.583 ms with full workers, not compared with measurements
$ nncost serve dense round --concurrency 8 --disaggregate 2P1D --devices 6 --input-len 500 --output-len 100 | grep ^plan
plan         6 devices, data 2, prefill and decode workers 2:1, weights bf16, cache bf16,
$ nncost serve dense round --disaggregate 2:1 --input-len 500 --output-len 100 | grep -A2 -e ^plan -e ^separate
plan         1 device, weights bf16, cache bf16, software vllm
requests     500 tokens in, 100 out, a static batch of 1

--
separate     the figures above do not use separate workers: each replica prefills and decodes,
             291.2 requests/s, 0.6279 prefill workers for each decode worker,
             16.00 MB of cache a prompt, sent in 1.600 ms, without a queue first token 13.76 ms,
$ nncost serve experts round --draft dense --input-len 500 --output-len 100 | sed -n '/^memory/p;/^speculation/,$p'
memory       fits, 1.489 GB of 9.000 GB, weights 465.5 MB, cache 23.35 MB
speculation  draft dense, 4 x 1.320 ms to propose, 1.240 ms to verify, 2.773 tokens a verification,
             per token 2.351 ms, 0.4853 times as fast, not compared with measurements
cheaper      --batch 320: 18.01 ms per token, 16,329 tokens/s, 0.01701 USD per million out
$ nncost explain --serve speculation_tpot_s dense round --draft dense --draft-length 2 --acceptance 0.5 --concurrency 64 --input-len 500 --output-len 100 | grep -v ^$
served    dense on round, software vllm
speculation_tpot_s
                  Time per output token with the draft.
                  = tpot_s
                  = 0.00590784170073 s (5.908 ms)
  where           tpot_s 5.908 ms
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
$ printf 'arrival_s,input_len,output_len\n0,400,20\n9,600,40\n' >a.csv; nncost serve dense round --arrivals a.csv | grep -E '^(requests|throughput|cost)'
requests     500 tokens in, 30 out, 0.1111 per second
throughput   3.333 tokens/s, 758.3 per user, 0.1111 requests/s, 0.005598 running, 0.0% of the peak
cost         83.33 USD per million output tokens, if output tokens carry the whole cost,
$ nncost serve dense round --arrivals a.csv --output-len 30
! nncost: --output-len: has no effect here, expected together with a list of requests without a column output_len
[2]
$ nncost serve dense round --arrivals a.csv --request-rate 2
! nncost: --request-rate: recorded requests have their own rate, expected --arrivals without --request-rate, found 2
[2]
$ nncost serve dense round --arrivals a.csv --seed 2
! nncost: --seed: has no effect here, expected together with --request-rate or --concurrency in place of --arrivals
[2]
$ nncost serve dense round --input-len 500 --disaggregate 3
! nncost: --disaggregate: expected P:D, such as 1:2, found "3"
[2]
$ nncost serve dense round --input-len 500 --prefill-workers 2
! nncost: --prefill-workers: unknown option, did you mean --disaggregate P:D, replicas that prefill and replicas that decode?
[2]
$ nncost serve dense round --input-len 500 --concurrency 8 --disaggregate 2P1D --devices 4
! nncost: --devices: is no multiple of tensor x pipeline x attention_data x workers of --disaggregate, expected a multiple of 3, found 4
[3]
$ nncost serve dense round --input-len 500 --draft unet
! nncost: unet: cannot be served: the model generates no tokens, expected a decoder, or a diffusion model with --steps N; for a forward pass: nncost estimate MODEL DEVICE --train none
[3]
$ nncost serve dense round --input-len 500 --draft nobody
! nncost: --draft: unknown model, expected one of dense, experts, segnet, unet, vision, found "nobody"
[3]
$ nncost search dense round --serve --draft-length 4
! nncost: --draft-length: a search does not try this option, because its results were not compared with measurements; 'nncost serve' has this option
[2]

# Tests networks that generate images by denoising.
$ nncost serve unet round --steps 20 --guidance --batch 2 --price 3
images     unet on round, 256 x 256 pixels, 2 at a time, 20 steps with guidance, fp16,
           software torch-compile
parts      20 x 377.3 us, weights 19.09 MB of 10.00 GB
time       7.546 ms, 377.3 us a step, at least 5.224 ms in all, 69.2% of the peak
throughput 265.1 images/s, 0.003144 USD per thousand, 3.773 J each at rated power
$ nncost serve unet round --steps 20 --guidance --batch 2 --set usable_bytes=1.9e7 >/dev/null
[1]
$ sed 's/"id": "unet"/"id": "drawn"/; s/"family"/"text_encoders": "dense", "image_decoder": "vision", "family"/' toy/models/unet.json >drawn.json
$ nncost serve ./drawn.json round --steps 20 --guidance --batch 2 --image 160 --seller corner --region TOY
images     drawn on round, 160 x 160 pixels, 2 at a time, 20 steps with guidance, fp16,
           software torch-compile
parts      prompt 10.19 ms (dense), 20 x 149.1 us, decoder 1.460 ms (vision),
           weights 474.9 MB of 10.00 GB
time       14.64 ms, 149.1 us a step, at least 13.05 ms in all, 89.2% of the peak
throughput 136.7 images/s, 0.008131 EUR per thousand (Corner box of 8, 2026-01),
           7.318 J each at rated power, 1.016 g of carbon dioxide per thousand (Toyland, 2025,
           location-based: Read from the meter)
$ nncost explain --serve image_s,text_s,lower_bound_s ./drawn.json round --steps 20 --image 160 | grep -v ^$
served    drawn on round, software torch-compile
image_s:
image_s           Time from the prompts to the images of a batch.
                  = text_s + steps * forward_s + decode_s + batch * beside_s
                  = 0.002548168 + 20 * 4.3968408e-5 + 0.000730282 + 1 * 0
                  = 0.00415781816 s (4.158 ms)
  where           text_s 2.548 ms, forward_s 43.97 us, decode_s 730.3 us, beside_s 0 s
  note            forward passes of the estimate, with guidance over twice the batch
text_s:
text_s            Time of the text encoders for the prompts of a batch.
                  = 0.002548168 s (2.548 ms)
lower_bound_s:
lower_bound_s     Lower bound of image_s for any software.
                  = text_bound_s + steps * step_bound_s + decode_bound_s
                  = 0.00244 + 20 * 2.5036e-5 + 0.0006447576
                  = 0.0035854776 s (3.585 ms)
  where           text_bound_s 2.440 ms, step_bound_s 25.04 us, decode_bound_s 644.8 us
$ nncost estimate dense round --full --full --micro-batch 1 --precision fp16 | grep -o '^forward *[0-9.]* .s'
forward   2.568 ms
$ nncost estimate vision round --full --full --micro-batch 1 --image 160 --precision fp16 | grep -o '^forward *[0-9.]* .s'
forward   730.3 us
$ nncost compare --serve unet,dense round,fitted --steps 20 --image 96
model  device      time    a step  images/s  per thousand    energy
unet   round   531.9 us  26.60 us     1,880     0.0001478  531.9 mJ
unet   fitted  30.38 ms  1.519 ms     32.92       0.01688   15.19 J

          2 illegal rows left out
$ nncost serve unet round --steps 20 --format json | grep -A9 '"images"'
  "images": {"steps": 20, "guidance": false, "image": 256, "batch": 1, "precision": "fp16", "forward_s": 9.7284656e-5, "forward_flops": 6529772800, "text_s": 0, "decode_s": 0, "image_s": 0.00194569312, "lower_bound_s": 0.00130595456, "images_per_s": 513.955664293, "utilization": 0.671202743421, "weight_bytes": 19092608, "capacity_bytes": 10000000000, "fits": true, "price_per_device_hour": 1, "per_thousand_images": 0.000540470311111, "energy_j_per_image": 1.94569312, "carbon_g_per_thousand_images": null}
}
$ printf '{ "schema": "nncost.plans/1", "scenarios": [{ "id": "draw", "serve": true, "model": "unet", "device": "round", "steps": 20, "require": { "images_per_s": ">= 100", "images.fits": "== true" } }] }' >draw.json; nncost check draw.json
draw.json: 1 estimated; 2 of 2 requirements met
The file has no recorded estimates yet; 'nncost check draw.json --update' records them.
$ nncost serve unet round --steps 20 --format json | grep -o '"weight_bytes": [0-9]*'
"weight_bytes": 19092608
$ nncost serve unet round --steps 20 --precision fp32 --format json | grep -o '"weight_bytes": [0-9]*'
"weight_bytes": 38185216
$ nncost serve unet round --steps 20 --weights fp8
! nncost: --weights: has no effect here, expected together with a decoder that generates tokens
[2]
$ nncost serve unet round --steps 20 --devices 2
! nncost: --devices: has no effect here, expected together with a decoder that generates tokens
[2]
$ nncost ops --serve unet round --steps 20
! nncost: --steps: 'nncost ops --serve' cannot list the ops of image generation; 'nncost ops unet round' lists the ops of one pass
[2]
$ sed 's/"dense"/"denes"/; s/"drawn"/"wrong"/' drawn.json >wrong.json; nncost serve ./wrong.json round --steps 2
! nncost: MODEL: unknown model, expected one of dense, experts, segnet, unet, vision, nearest "dense", found "denes"
[3]
$ nncost serve dense round --steps 20
! nncost: --steps: dense generates tokens, expected a U-Net that denoises images
[3]

# The format in which the authors publish the weights is the default of --weights; --precision alone does not change it.
$ nncost serve dense round --input-len 500 --output-len 100 --set published_weights=int8 | grep -E "^plan|^memory"
plan         1 device, weights int8, products in bf16, cache bf16, software vllm
memory       fits, 1.138 GB of 9.000 GB, weights 118.2 MB, cache 19.46 MB
$ nncost serve dense round --input-len 500 --output-len 100 --set published_weights=int8 --precision bf16 | grep ^plan
plan         1 device, weights int8, products in bf16, cache bf16, software vllm
$ nncost serve dense round --input-len 500 --output-len 100 --set published_weights=int8 --weights bf16 | grep ^plan
plan         1 device, weights bf16, cache bf16, software vllm
$ nncost serve dense round --input-len 500 --output-len 100 --set published_weights=int4 --set published_group_size=32 | grep ^memory
memory       fits, 1.097 GB of 9.000 GB, weights 77.71 MB, cache 19.46 MB
$ nncost serve dense round --input-len 500 --output-len 100 --weights int4 --group-size 32 | grep ^memory
memory       fits, 1.097 GB of 9.000 GB, weights 77.71 MB, cache 19.46 MB
$ nncost serve dense round --input-len 500 --output-len 100 --weights bf16 --emit vllm | head -1
vllm serve dense
$ nncost serve dense round --set published_weights=int5
! nncost: --set published_weights: unknown value, expected one of fp32, bf16, fp16, fp8, fp8-block, int8, int4, nvfp4, mxfp4, found "int5"
[2]

# A profile for training serves no requests, and the profile of an engine trains nothing.
$ nncost serve dense round --software torch-compile
! nncost: --software: torch-compile is a profile for training, expected the profile of an inference engine, such as vllm
[2]
$ nncost estimate dense round --software vllm
! nncost: --software: vllm is the profile of an inference engine, expected a profile for training, such as torch-compile; 'nncost serve' has profiles of engines
[2]

# A device without bf16 stores keys and values in the format of its products.
$ nncost serve dense old --input-len 100 --output-len 100 | grep ^plan
plan         1 device, weights fp16, cache fp16, software vllm
$ nncost serve dense round --weights int4 --input-len 100 --output-len 100 | grep ^plan
plan         1 device, weights int4, products in bf16, cache bf16, software vllm

# Decode is compute-bound from a certain batch on. If the given batch is above the smallest compute-bound batch at
# datasheet rates, the output has the words "at datasheet rates".
$ nncost serve dense fitted --batch 3000 --input-len 9 --output-len 9 | grep '^decode  *[a-z]*-'
decode       host-bound, compute-bound at datasheet rates with 128 sequences or more
$ nncost serve dense fitted --batch 30 --input-len 9 --output-len 9 | grep '^decode  *[a-z]*-'
decode       host-bound, becomes compute-bound with 128 sequences or more

# If a model fits on one device in no format, the output proposes more devices of the server, and weights with fewer
# bits if necessary.
$ nncost serve dense fitted --input-len 500 --set layers=80 --set mem_bytes=1.5e9 | sed -n '/^would/,$p'
would fit    --devices 8 --tensor 8: 4.248 ms per token, 232.7 tokens/s, 19.1 USD per million out
             --devices 8 --tensor 8 --batch 3: 4.342 ms per token, 679.4 tokens/s, 6.541 USD per
             million out
$ nncost serve dense fitted --input-len 500 --set layers=300 --set mem_bytes=2.2e9 | sed -n '/^would/,$p'
would fit    --devices 8 --tensor 8 --weights fp8: 12.85 ms per token, 77.34 tokens/s, 57.46 USD per
             million out
             --devices 8 --tensor 8 --weights fp8 --batch 4: 13.30 ms per token, 296.3 tokens/s, 15
             USD per million out
$ nncost serve dense fitted --input-len 500 --set layers=80 --set mem_bytes=1e9 | sed -n '/^would/,$p'
would fit    none of the tried changes: a smaller batch, weights with fewer bits, more tensor ranks

# The first proposed change is the mildest one: fewer requests at a time, with the same weights on the same device.
$ nncost serve dense round --input-len 600 --output-len 400 --batch 65536 | grep -A2 'would fit'
would fit    --batch 241: 10.28 ms per token, 21,804 tokens/s, 0.01274 USD per million out

# If a load does not fit on the devices of the plan, or if its rate is too high, the output lists changes with which the
# load is served. If the user gave the number of replicas, the proposed change is another number of replicas.
$ nncost serve dense fitted --input-len 500 --set layers=80 --set mem_bytes=1.5e9 --concurrency 8 | sed -n '1,2p;/^would/,$p'
A small decoder on A device of round efficiencies would serve 8 concurrent requests: 223.5 tokens/s,
first token after 7.975 s, then 4.664 ms per token; it does not fit: 3.190 GB of 1.350 GB per
would fit    --devices 8 --tensor 8: 4.352 ms per token, 654.5 tokens/s, 6.79 USD per million out
$ nncost serve dense round --input-len 500 --output-len 100 --request-rate 500 | sed -n '1,2p;/^would/,$p'
A small decoder on A device of round figures cannot serve 500 requests/s: at most 227.9 requests/s;
it fits: 6.195 GB of 9.000 GB per device; it serves them with --devices 3.
would serve  --devices 3: 3.601 ms per token, 50,000 tokens/s, 0.01667 USD per million out
$ nncost serve dense round --input-len 500 --output-len 100 --request-rate 500 --devices 3 | sed -n '1,2p;/^would/,$p'
A small decoder on 3 x A device of round figures serves 500 requests/s: 50,000 tokens/s, first token
after 16.39 ms, then 3.601 ms per token; it fits: 2.440 GB of 9.000 GB per device.
$ nncost serve dense round --input-len 500 --output-len 100 --request-rate 500 --data 1 | sed -n '1,2p;/^would/,$p'
A small decoder on A device of round figures cannot serve 500 requests/s: at most 227.9 requests/s;
it fits: 6.195 GB of 9.000 GB per device; it serves them with --data 3.
would serve  --data 3: 3.601 ms per token, 50,000 tokens/s, 0.01667 USD per million out
$ nncost serve dense round --input-len 500 --output-len 100 --request-rate 227 | sed -n '/^first/,/^satur/p'
first token  98.94 ms, 10.00 ms of this time in the server, outside the engine,
             90 % range from 8.724 ms, unbounded if the server saturates, at least 1.000 ms
per token    10.53 ms, 90 % range 4.226 ms to 14.04 ms, at least 4.226 ms
request      1.141 s, at least 419.4 ms
percentiles  first token 55.43 ms (half), 225.2 ms (90 %), 513.7 ms (99 %),
             per token 11.16 ms, 11.25 ms, 11.29 ms, request 1.151 s, 1.357 s, 1.612 s
throughput   22,700 tokens/s, 94.96 per user, 227 requests/s, 259.1 running, 27.9% of the peak
saturation   at 227.9 requests/s, 90 % range 182.3 to 284.9

# Refuses options for PyTorch programs that issue operators one by one, because a serving engine does not issue its
# operators one by one.
$ nncost serve dense round --implementation pytorch
! nncost: --implementation: has no effect here, expected together with --software torch-eager
[2]
$ nncost serve dense round --host 1e-5
! nncost: --host: has no effect here, expected together with --software torch-eager
[2]
