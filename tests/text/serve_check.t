# Tests plan files with scenarios of serving.

# Tests requirements on metrics of serving. A scenario of training in the same file inherits only the model and the
# device.
$ nncost check inputs/served.json
inputs/served.json: 3 estimated; 1 of 6 requirements missed

inputs/served.json:9: fp8: estimated
  missed  tpot_s <= 0.001 (1.000 ms), found 1.482 ms

The file has no recorded estimates yet; 'nncost check inputs/served.json --update' records them.
[1]

# Records the estimates of the plan file. A larger number of open requests changes the recorded estimate of one
# scenario.
$ cp inputs/served.json p.json; nncost check p.json --update | tail -1
recorded by nncost VERSION
$ nncost check p.json | head -1
p.json: 3 as recorded; 1 of 6 requirements missed
$ sed -i 's/"chat", "concurrency": 8/"chat", "concurrency": 64/' p.json; nncost check p.json
p.json: 2 as recorded, 1 moved; 2 of 6 requirements missed

p.json:8: chat: moved
  why     plan: concurrency 8 -> 64
  moved   per token 1.549 ms -> 3.565 ms (+130%); first token 14.01 ms -> 22.06 ms (+57.5%); memory
          1.370 GB -> 2.459 GB (+79.5%), mostly from kv_bytes
  missed  latency.tpot_s <= 2ms (2.000 ms), found 3.565 ms

metric              recorded       now  change
latency.tpot_s      1.549 ms  3.565 ms   +130%
latency.ttft_s      14.01 ms  22.06 ms  +57.5%
memory.total_bytes  1.370 GB  2.459 GB  +79.5%
plan.concurrency           8        64   +700%
decode.kv_bytes     141.1 MB  1.128 GB   +700%
memory.kv_bytes     155.6 MB  1.245 GB   +700%

p.json:9: fp8: as recorded
  missed  tpot_s <= 0.001 (1.000 ms), found 1.482 ms

To accept these changes, use 'nncost check p.json --update'.
[1]

# Commands with --serve accept a scenario of serving, and options of the command line replace its values. A serving
# command refuses a scenario of training, and a training command refuses a scenario of serving.
$ nncost serve inputs/served.json --scenario fp8 --batch 4 | sed -n '/^requests/p'
requests     500 tokens in, 100 out, a static batch of 4
$ nncost serve inputs/served.json --scenario fp8 --weights fp8 | sed -n '/^plan/p;/^requests/p'
plan         1 device, weights fp8, products in bf16, cache fp8, software vllm
requests     500 tokens in, 100 out, 8 always open
$ nncost ops --serve inputs/served.json --scenario chat | sed -n '/^plan/p;/^mlp.down/p'
plan         1 device, weights bf16, cache bf16, software vllm
mlp.down     prefill      8   500  32.00 G  64.00 MB       0 B  338.8 us  compute
mlp.down     decode       8     8  512.0 M  64.00 MB       0 B  64.96 us  memory
$ nncost explain --serve kv_bytes inputs/served.json --scenario chat | grep ' = '
                  = 16000000 B (16.00 MB)
                  = 141056000 B (141.1 MB)
                  = sequences_of_device * (sequence_bytes + state_bytes_per_sequence)
                  = 8 * (19456000 + 0)
                  = 155648000 B (155.6 MB)
$ nncost search --serve inputs/served.json --scenario chat --max-devices 2 | head -4
searched   dense on round with vllm, 4 deployments, 4 pairs of deployment and load, 4 fit,
           4 meet all limits
cheapest   1 device, 8 requests at a time
           first token 14.01 ms, per token 1.549 ms, 4,778 tokens/s per device, 645.4 per user,
$ nncost serve inputs/served.json --scenario train
! nncost: inputs/served.json:10: train: serve: this scenario is trained, expected a scenario with "serve": true
[2]
$ nncost estimate inputs/served.json --scenario chat
! nncost: inputs/served.json:8: chat: serve: this scenario is served, expected a scenario that is trained; see 'nncost serve --help'
[2]
$ nncost serve dense
! nncost: DEVICE: missing, expected MODEL DEVICE or a plan file, found only "dense"
[2]

# 'nncost init --serve' writes a first plan file.
$ nncost init dense round --serve --concurrency 8 --kv-precision fp8 --input-len 500 --output-len 100 --output new.json && cat new.json && nncost check new.json
{
  "schema": "nncost.plans/1",
  "note": "Deployments to check. 'nncost check FILE' estimates every scenario and exits with 1 when one misses a requirement, or when an estimate differs from the one that 'nncost check FILE --update' recorded in this file. Keys are the options of 'nncost serve --help' with '_' for '-'; 'note' is the comment key.",
  "common": {
    "note": "Every scenario starts from these values. A scenario may give other values, or null to remove a key of 'common'. Values of model, device and software are ids, or paths relative to the folder of this file.",
    "model": "dense",
    "device": "round",
    "serve": true
  },
  "scenarios": [
    {
      "id": "dense",
      "note": "A key of 'require' is any metric of 'nncost serve --format json', in seconds and bytes or with units; the limits of times are about a tenth above the estimates.",
      "concurrency": 8,
      "kv_precision": "fp8",
      "input_len": 500,
      "output_len": 100,
      "require": {
        "latency.tpot_s": "<= 0.0017s",
        "latency.ttft_s": "<= 0.016s",
        "memory.fits": "== true"
      }
    }
  ]
}
new.json: 1 estimated; 3 of 3 requirements met
The file has no recorded estimates yet; 'nncost check new.json --update' records them.

# Tests misspelt keys and metrics, wrong values, and two kinds of load in one scenario.
$ sed 's/"output_len"/"output_lenght"/; s/"kv_precision": "fp8"/"kv_precision": "fp9"/; s/"serve": false/"serve": 0/' inputs/served.json >p.json; nncost validate p.json
! nncost: p.json:4: common.output_lenght: unknown key, expected a key of the serve plan, perhaps "output_len", found "output_lenght"
! nncost: p.json:9: scenarios[1].kv_precision: unknown value, expected one of fp32, bf16, fp16, fp8, fp8-block, int8, int4, nvfp4, mxfp4, found "fp9"
! nncost: p.json:10: scenarios[2].serve: wrong type, expected true or false, found 0
! nncost: p.json:10: scenarios[2].micro_batch: unknown key, expected a key of the serve plan, found "micro_batch"
[3]
$ sed 's/"max_sequences"/"max_sequence"/' inputs/served.json >p.json; nncost check p.json
! nncost: p.json:8: chat: require.max_sequence: unknown metric, expected a name of the JSON output such as step_s or memory.total_bytes, perhaps "max_sequences", found "max_sequence"
[3]
$ sed 's/"concurrency": 8, "kv/"concurrency": 8, "batch": 2, "kv/' inputs/served.json >p.json; nncost check p.json
! nncost: p.json:9: fp8: --batch: several kinds of load, expected only one of --batch, --concurrency, --request-rate and --offline, found 2 of them
[2]

# 'nncost diff' compares two serving estimates.
$ nncost serve dense round --input-len 500 --format json >a.json; nncost serve dense round --input-len 500 --weights fp8 --format json >b.json; nncost diff a.json b.json | sed -n '1,8p;/^op/,$p'
a.json -> b.json: the estimates differ

42 metrics differ; per token 1.322 ms -> 1.226 ms (-7.26%); first token 12.16 ms -> 12.12 ms (-0.299%); memory 1.239 GB -> 1.143 GB (-7.75%), mostly from weight_bytes

metric                                               old           new   change
latency.tpot_s                                  1.322 ms      1.226 ms   -7.26%
latency.ttft_s                                  12.16 ms      12.12 ms  -0.299%
memory.total_bytes                              1.239 GB      1.143 GB   -7.75%
op        phase         old       new  difference
mlp.down  decode   64.04 us  32.06 us   -31.98 us
mlp.up    decode   64.04 us  32.06 us   -31.98 us
attn.qkv  decode   48.03 us  24.05 us   -23.99 us
mlp.down  prefill  338.8 us  326.7 us   -12.10 us
mlp.up    prefill  338.8 us  326.7 us   -12.10 us
attn.qkv  prefill  254.1 us  245.0 us   -9.072 us
attn.out  decode   16.01 us  8.015 us   -7.996 us
attn.out  prefill  84.70 us  81.68 us   -3.024 us

# --seller and --region select price and carbon intensity; the output names the source and the date of each.
$ nncost serve dense round --input-len 500 --seller corner --offer spot --region TOY | sed -n '/^cost/,$p'
cost         0.3791 EUR per million output tokens, if output tokens carry the whole cost,
             split by time 0.001198 input, 0.3673 output, at 1 EUR per device-hour (Corner box of 8,
             2026-01)
energy       1.365 J a token at rated power, 189.5 g of carbon dioxide per million out,
             at 500 g/kWh (Toyland, 2025, location-based: Read from the meter)
cheaper      --batch 304: 10.97 ms per token, 24,838 tokens/s, 0.01118 EUR per million out
$ nncost serve dense round --input-len 500 --seller corner --region north | sed -n '/^cost/,$p'
cost         1.895 EUR per million output tokens, if output tokens carry the whole cost,
             split by time 0.00599 input, 1.837 output, at 5 EUR per device-hour (Corner box of 8,
             north, 2026-01)
energy       1.365 J a token at rated power, 37.91 g of carbon dioxide per million out,
             at 100 g/kWh (The north of Toyland, year not stated, location-based: Read from the
             meter)
cheaper      --batch 304: 10.97 ms per token, 24,838 tokens/s, 0.05592 EUR per million out
$ nncost explain --serve carbon_g_per_million_tokens dense round --input-len 500 --carbon-g-per-kwh 50 | grep =
                  = energy_j_per_token * 1e6 / 3.6e6 * carbon_g_per_kwh
                  = 1.36463042807 * 1e6 / 3.6e6 * 50
                  = 18.9532003898 g (18.95 g)
