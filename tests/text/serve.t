# Serving a decoder: latency, throughput, memory and cost, by how requests come.

# A static batch of one. Every kernel reaches the datasheet: 192 MB of products over 1 TB/s is 192 us, 20 MB of
# head 20 us; the engine adds 1 ms per step, 10 us per layer and per sequence.
$ nncost serve dense round --input-len 500 --output-len 100
model        dense, A small decoder, 107,106,000 parameters
device       round, 100.0 TFLOP/s peak in bf16, 1.000 TB/s, 10.00 GB
plan         1 device, weights bf16, cache bf16, software vllm
requests     500 tokens in, 100 out, a static batch of 1

step         time  products  experts  attention      head  network      host     bound  by
prefill  2.100 ms  960.0 us      0 s   40.08 us  20.00 us      0 s  1.080 ms  1.000 ms  host
decode   1.320 ms  192.0 us      0 s   17.63 us  20.04 us      0 s  1.090 ms  229.6 us  host

first token  12.10 ms, nine of ten measurements from 6.050 ms to 24.20 ms, at least 1.000 ms
per token    1.320 ms, nine of ten measurements from 1.056 ms to 1.650 ms, at least 229.6 us
request      142.7 ms, at least 23.73 ms
throughput   700.5 tokens/s, 757.8 per user, 7.005 requests/s, 1 running, 0.9% of the peak
saturation   at 181.8 requests/s
decode       host-bound, at this length no number of sequences makes it compute-bound
memory       fits, 1.254 GB of 9.000 GB, weights 234.2 MB, cache 19.46 MB
             32.00 kB a token, at most 399 sequences of this length
cost         0.3965 USD per million tokens out, by time 0.001167 for a million in, 0.3666 out,
             at 1 per device-hour
energy       1.427 J a token at rated power

# Requests that are always open, on two replicas of two ranks each, at a price.
$ nncost serve dense round --concurrency 64 --tensor 2 --devices 4 --input-len 500 --output-len 100 --price 2 | sed -n '/^plan/,$p'
plan         4 devices, tensor 2, data 2, weights bf16, cache bf16, software vllm
requests     500 tokens in, 100 out, 64 always open

step         time  products  experts  attention      head   network      host     bound  by
prefill  1.777 ms  480.0 us      0 s   20.04 us  10.00 us  187.0 us  1.080 ms  500.1 us  host
decode   1.817 ms  96.00 us      0 s   282.1 us  10.64 us  27.88 us  1.400 ms  388.1 us  host

first token  15.53 ms, nine of ten measurements from 7.764 ms to 31.06 ms, at least 500.1 us
per token    2.385 ms, nine of ten measurements from 1.908 ms to 2.982 ms, at least 388.1 us
request      251.7 ms, at least 38.92 ms
throughput   26,831 tokens/s, 6,708 per device, 419.2 per user, 268.3 requests/s, 64 running,
             8.2% of the peak
saturation   at 472.9 requests/s
decode       host-bound, at this length no number of sequences makes it compute-bound
memory       fits, 1.430 GB of 9.000 GB, weights 118.2 MB, cache 311.3 MB
             16.00 kB a token, at most 1,620 sequences of this length
cost         0.08282 USD per million tokens out, by time 0.003949 for a million in, 0.06308 out,
             at 2 per device-hour
energy       149.1 mJ a token at rated power

# Requests at a rate, and too many of them.
$ nncost serve dense round --request-rate 50 --input-len 500 --output-len 100 | sed -n '/^step/,$p'
step         time  products  experts  attention      head  network      host     bound  by
prefill  2.100 ms  960.0 us      0 s   40.08 us  20.00 us      0 s  1.080 ms  1.000 ms  host
decode   1.547 ms  192.0 us      0 s   162.3 us  20.37 us      0 s  1.172 ms  374.3 us  host

first token  13.00 ms, nine of ten measurements from 6.498 ms to 25.99 ms, at least 1.000 ms
per token    1.728 ms, nine of ten measurements from 1.383 ms to 2.160 ms, at least 374.3 us
request      184.1 ms, at least 38.05 ms
throughput   5,000 tokens/s, 578.6 per user, 50 requests/s, 9.204 running, 6.1% of the peak
saturation   at 181.8 requests/s
decode       host-bound, at this length no number of sequences makes it compute-bound
memory       fits, 1.429 GB of 9.000 GB, weights 234.2 MB, cache 194.6 MB
             32.00 kB a token, at most 399 sequences of this length
cost         0.05556 USD per million tokens out, by time 0.001167 for a million in, 0.04668 out,
             at 1 per device-hour
energy       200.0 mJ a token at rated power
$ nncost serve dense round --request-rate 500 --input-len 500 --output-len 100 | sed -n '/^first/,$p'
first token  grows without end
per token    14.08 ms, nine of ten measurements from 11.27 ms to 17.60 ms, at least 4.726 ms
request      grows without end
throughput   18,178 tokens/s, 71.01 per user, 181.8 requests/s, 256 running, 22.4% of the peak
saturation   at 181.8 requests/s: the queue grows without end
decode       memory-bound, at this length no number of sequences makes it compute-bound
memory       fits, 6.215 GB of 9.000 GB, weights 234.2 MB, cache 4.981 GB
             32.00 kB a token, at most 399 sequences of this length
cost         0.01528 USD per million tokens out, by time 0.001167 for a million in, 0.009447 out,
             at 1 per device-hour
energy       55.01 mJ a token at rated power

# As many as fit; more than fit.
$ nncost serve dense round --offline --input-len 500 --output-len 100 --max-batch 1000 | grep -E '^(throughput|memory)' -A 1
throughput   18,692 tokens/s, 46.85 per user, 186.9 requests/s, 399 running, 23.0% of the peak
saturation   at 186.9 requests/s
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
prefill  2.469 ms  385.3 us  960.0 us   64.13 us  20.00 us      0 s  1.040 ms  1.410 ms  compute
decode   1.147 ms  5.051 us  34.09 us   7.335 us  20.16 us      0 s  1.080 ms  66.48 us  host

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
! nncost: --weights: unknown value, expected one of fp32, bf16, fp16, fp8, int8, int4, nvfp4, mxfp4, found "int3"
[2]
$ nncost serve dense round --micro-batch 3
! nncost: --micro-batch: is not an option of 'serve'
[2]
$ nncost serve dense round --software none
! nncost: --software: unknown software profile, expected one of eager, torch-compile, vllm, found "none"
[3]
