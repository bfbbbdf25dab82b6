# 'nncost validate' prints every fault of a file, one per line.

# Tests valid files of every kind.
$ nncost validate toy/[!l]*/*.json
toy/clusters/pod.json: ok
toy/grid/buildings.json: ok
toy/grid/regions.json: ok
toy/hw/fitted.json: ok
toy/hw/old.json: ok
toy/hw/round.json: ok
toy/models/dense.json: ok
toy/models/experts.json: ok
toy/models/segnet.json: ok
toy/models/unet.json: ok
toy/models/vision.json: ok
toy/prices/corner.json: ok
toy/software/deepspeed-0.14.json: ok
toy/software/eager.json: ok
toy/software/torch-compile.json: ok
toy/software/torch-eager.json: ok
toy/software/vllm.json: ok
$ nncost validate toy/hw/round.json --format csv
file,ok\r
toy/hw/round.json,true\r
$ nncost validate toy/hw/round.json toy/models/dense.json --format json
{
  "schema": "nncost.validate/1",
  "files": [
    {"file": "toy/hw/round.json", "ok": true},
    {"file": "toy/models/dense.json", "ok": true}
  ]
}
$ nncost validate toy/hw/round.json --format markdown
- toy/hw/round.json: ok

# Tests a missing operand and a missing file.
$ nncost validate
! nncost: validate: too few arguments, expected FILE...
[2]
$ nncost validate none.json
! nncost: none.json: cannot be opened, expected a readable file, found: No such file or directory
[4]

# All faults of a model file are reported together. A valid file is reported as ok only if all files are valid.
$ sed -i 's/"layers"/"layer"/; s/"hidden": 1000/"hidden": -1/' toy/models/dense.json
$ nncost validate toy/models/experts.json toy/models/dense.json
! nncost: toy/models/dense.json:7: layer: unknown key, expected a key of the decoder, perhaps "layers", found "layer"
! nncost: toy/models/dense.json:8: hidden: out of range, expected at least 1, found -1
! nncost: toy/models/dense.json: layers: missing, expected a whole number from 1 to 100000, found nothing
[3]

# Tests rules between the fields of a decoder.
$ try() { sed "s/$1/$2/" toy/models/experts.json >experts.json; nncost validate experts.json; }
> try '"kv_heads": 4' '"kv_heads": 3'; try '"head_dim": 100' '"head_dim": 101'; try '"experts_per_token": 2' '"experts_per_token": 9'
> try '"expert_hidden": 1000' '"expert_hidden": 0'; try '"dropout": 0' '"dropout": 0, "dense_layers": 5'
> try '"dropout": 0' '"dropout": 0, "kv_lora_rank": 100'
> try '"positions": "rotary"' '"positions": "rotory"'; try '"head_dim": 100,' ''; try '"sources": {' '"sauces": {'
! nncost: experts.json:9: kv_heads: does not divide heads, expected a divisor of 8, found 3
! nncost: experts.json:10: head_dim: odd, expected an even width for rotary positions, found 101
! nncost: experts.json:21: experts_per_token: out of range, expected 1 to experts = 8, found 9
! nncost: experts.json:22: expert_hidden: missing, expected the width of one expert
! nncost: experts.json:19: dense_layers: leaves no layer for experts, expected less than 4, found 5
! nncost: experts.json:19: kv_lora_rank: incomplete latent attention, expected kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim and v_head_dim together
! nncost: experts.json:14: positions: unknown value, expected one of none, learned, rotary, alibi, relative, relative_each, learned_relative, disentangled, found "rotory"
! nncost: experts.json: head_dim: odd, expected an even width for rotary positions, found 125
! nncost: experts.json:24: sauces: unknown key, expected a key of the decoder, perhaps "sources", found "sauces"
[3]

# Tests rules for decoders whose layers differ.
$ try() { sed "s/\"dropout\": 0/\"dropout\": 0, $1/" toy/models/experts.json >experts.json; nncost validate experts.json; }
> try '"mixers": ["window", "full"]'; try '"sliding_window": 9, "mixers": ["full"]'; try '"sliding_window": 9, "window_kv_heads": 3'; try '"ffn_widths": [10, 20]'; try '"mixers": ["fill"]'; try '"mixers": "full"'
> try '"mixers": ["full", "full", "full", "full", "full"]'; try '"mlps": ["dense"]'; try '"mlps": ["dense", "experts"], "dense_layers": 1'
> try '"norm_place": "parallel"'; try '"rotary_dim": 128'; try '"no_key_bias": true'; try '"norm_bias": true'; try '"shared_gate": true'
> try '"kv_lora_rank": 10, "qk_nope_head_dim": 10, "qk_rope_head_dim": 10, "v_head_dim": 10, "qk_norm": "head"'
> try '"relative_buckets": 32'; try '"head": "projection"'; try '"encoder_seq_len": 10'; try '"encoder_layers": 2'; try '"embed_width": 100'
> try '"encoder_layers": 2, "mlps": ["none"]'; try '"bidirectional": true, "sliding_window": 9, "mixers": ["chunk"]'
> try '"mixers": ["mamba"], "ssm_inner": 8'; try '"ssm_heads": 8'; try '"conv_bias": true'; try '"mixers": ["short_conv"]'
> try '"mixers": ["mamba2"], "ssm_inner": 8, "ssm_state": 8, "ssm_heads": 8, "ssm_groups": 3, "conv_kernel": 4'
> sed '/"heads"/d; /"head_dim"/d; /"ffn_hidden"/d' toy/models/dense.json >dense.json; nncost validate dense.json
! nncost: experts.json: sliding_window: missing, expected the number of tokens that window and chunk layers attend to
! nncost: experts.json:19: sliding_window: does not apply, expected a window or chunk layer in mixers
! nncost: experts.json:19: window_kv_heads: does not divide the heads of layers with a window, expected a divisor of 8, found 3
! nncost: experts.json:19: ffn_widths: do not fit the layers, expected a width for each dense MLP, the largest equal to ffn_hidden = 4000, found a largest of 20
! nncost: experts.json:19: ffn_widths: does not apply, expected only in a decoder whose key mlps lists dense layers
! nncost: experts.json:19: mixers[0]: unknown value, expected one of full, window, chunk, full_unrotated, mamba, mamba2, gated_delta, lightning, short_conv, full_mamba2, none, full_reused, full_all, window_far, window_far_picked, kimi_delta, found "fill"
! nncost: experts.json:19: mixers: wrong type, expected a list out of full, window, chunk, full_unrotated, mamba, mamba2, gated_delta, lightning, short_conv, full_mamba2, none, full_reused, full_all, window_far, window_far_picked, kimi_delta, found "full"
! nncost: experts.json:19: mixers: more names than layers, expected at most 4 names, found 5
! nncost: experts.json:19: mlps: has no layer with experts, expected at least one, because the key experts is given
! nncost: experts.json:19: dense_layers: given twice, expected dense_layers or mlps, found both
! nncost: experts.json:19: norm_place: attention and MLP can be parallel only if the MLP is dense, expected no experts and an MLP in every layer
! nncost: experts.json:19: rotary_dim: out of range, expected at most head_dim = 100 with rotary positions, found 128
! nncost: experts.json:19: no_key_bias: does not apply, expected together with biases or qkv_bias
! nncost: experts.json:19: norm_bias: does not apply, expected together with layer norms that have weights
! nncost: experts.json:19: shared_gate: does not apply, expected together with a shared_hidden
! nncost: experts.json:19: kv_lora_rank: latent attention has norms of its own, expected qk_norm none
! nncost: experts.json:19: relative_buckets: does not apply, expected always and only together with relative positions
! nncost: experts.json: head_width: missing, expected always and only together with a head of projection, classes or tags
! nncost: experts.json: encoder_layers: missing, expected together with keys of an encoder (encoder_seq_len, encoder_ffn_hidden ...)
! nncost: experts.json:19: encoder_layers: does not apply, expected only with plain decoder layers: not bidirectional, without experts, latents, mixers and mlps
! nncost: experts.json:19: embed_width: does not apply, expected together with a tied_head
! nncost: experts.json:19: mlps: has no layer with experts, expected at least one, because the key experts is given
! nncost: experts.json:19: encoder_layers: does not apply, expected only with plain decoder layers: not bidirectional, without experts, latents, mixers and mlps
! nncost: experts.json:19: mixers: chunk does not apply, expected window or full in an encoder
! nncost: experts.json: ssm_state: missing, expected always and only together with a mixer that keeps such a state
! nncost: experts.json: ssm_rank: missing, expected always and only together with a mixer that keeps such a state
! nncost: experts.json: conv_kernel: missing, expected always and only together with a mixer that keeps such a state
! nncost: experts.json:19: ssm_heads: does not apply, expected always and only together with a mixer that keeps such a state
! nncost: experts.json: mixers: no mixer keeps a state, expected a mixer with a state, because ssm_chunk, ssm_norms or conv_bias is given
! nncost: experts.json: conv_kernel: missing, expected always and only together with a mixer that keeps such a state
! nncost: experts.json:19: ssm_heads: does not divide, expected a divisor of ssm_inner = 8 and a multiple of ssm_groups = 3, found 8
! nncost: dense.json: heads: missing, expected a whole number from 1 to 1e7, found nothing
! nncost: dense.json: ffn_hidden: missing, expected a whole number from 1 to 1e7, found nothing
[3]

# Tests rules between the fields of a U-Net.
$ try() { sed "s/$1/$2/" toy/models/unet.json >unet.json; nncost validate unet.json; }
> try '"norm_groups": 10' '"norm_groups": 7'; try '"image": 256' '"image": 250'; try '"heads": 2' '"heads": 3'
> try '"channel_multipliers": \[1, 2\]' '"channel_multipliers": []'; try '"attention_levels": \[false, true\]' '"attention_levels": [true]'
> try '"kernel": 3' '"kernel": 2'; try '"context_len": 10,' ''; try '"block": "residual"' '"block": "double_conv"'
! nncost: unet.json:15: norm_groups: does not divide the channels, expected a divisor of 100, found 7
! nncost: unet.json:6: image: does not suit the levels, expected a multiple of 8 from 16 up, found 250
! nncost: unet.json:25: heads: does not divide the channels that attend, expected a divisor of 200, found 3
! nncost: unet.json:11: channel_multipliers: wrong length, expected a list of 1 to 8 whole numbers, found a list of 0
! nncost: unet.json:21: attention_levels: wrong length, expected 2 values, one per level, found 1
! nncost: unet.json:16: kernel: even, expected an odd side, found 2
! nncost: unet.json: context_len: incomplete context, expected both context_len and context_width or neither, found one of them
! nncost: unet.json:18: down: does not suit the blocks, expected max_pool, found conv
! nncost: unet.json:20: time_embed_width: does not apply, expected no such key with block double_conv, found one
[3]

# Tests rules of a device file: dates and prices, formats, efficiencies and sources.
$ try() { sed "s/$1/$2/" toy/hw/fitted.json >fitted.json; nncost validate fitted.json; }
> try '"bf16": 200e12' '"bf17": 200e12'; try '"per_device_hour": 2,' ''
> try '"basis": "steps"' '"basis": "guess"'; try '"sustained_fraction": 0.8' '"sustained_fraction": 1.8'
> try '"made up; bf16 rows"' '7'; try '"mem_bytes": \["made up", "label 20 GB"\]' '"mem_byte": "x"'; try '"aliases": \["fit", ' '"aliases": [7, '
> try '"kind": "switch"' '"kind": "torus"'; try '"id": "fitted"' '"id": "..\/fitted"'; try 'device\/1' 'device\/2'
! nncost: fitted.json:11: matmul_flops_per_s.bf17: unknown key, expected a key of the matmul_flops_per_s, perhaps "bf16", found "bf17"
! nncost: fitted.json:22: prices[0].per_device_hour: missing, expected a number from 0 to 1e6, found nothing
! nncost: fitted.json:26: efficiency.basis: unknown value, expected one of none, default, kernels, steps, found "guess"
! nncost: fitted.json:28: efficiency.gemm.bf16.sustained_fraction: out of range, expected at most 1, found 1.8
! nncost: fitted.json:29: efficiency.gemm.fp16.sustained_fraction: out of range, expected at most 1, found 1.8
! nncost: fitted.json:35: efficiency.attention.flash3.sustained_fraction: out of range, expected at most 1, found 1.8
! nncost: fitted.json:29: efficiency.gemm.fp16.fitted_on: wrong type, expected text, found 7
! nncost: fitted.json:53: sources.mem_byte: unknown key, expected a key of the device, perhaps "mem_bytes", found "mem_byte"
! nncost: fitted.json:5: aliases[0]: wrong type, expected text, found 7
! nncost: fitted.json:17: scale_up.dims: missing, expected the length of one axis or more, found nothing
! nncost: fitted.json:3: id: bad id, expected a file name without '/' or "..", found "../fitted"
! nncost: fitted.json:2: schema: unknown schema, expected nncost.device/1, nncost.model/1, nncost.software/1, nncost.cluster/1, nncost.plans/1, nncost.prices/1, nncost.grid/1 or nncost.foreign/1, found "nncost.device/2"
[3]

# Tests a cluster file.
$ try() { sed "s/$1/$2/" toy/clusters/pod.json >pod.json; nncost validate pod.json; }
> try '"nics_per_node": 2,' '"bytes_per_s": 1e9,'; try '"kind": "switch"' '"kind": "bus"'; try '"devices_per_node"' '"devices_per_nod"'
> try '"nics_per_node": 2, ' ''; try '"oversubscription": 2' '"oversubscription": 0.5'
! nncost: pod.json:7: scale_out.bytes_per_s: given twice, expected either this key or nics_per_node and nic_bytes_per_s, found both
! nncost: pod.json:6: scale_up.kind: unknown value, expected one of none, switch, torus, mesh, ring, pcie, found "bus"
! nncost: pod.json:5: devices_per_nod: unknown key, expected a key of the cluster, perhaps "devices_per_node", found "devices_per_nod"
! nncost: pod.json: devices_per_node: missing, expected a whole number from 1 to 1e6, found nothing
! nncost: pod.json:7: scale_out.nics_per_node: missing, expected nics_per_node and nic_bytes_per_s together, found one
! nncost: pod.json:7: scale_out.oversubscription: out of range, expected at least 1, found 0.5
[3]

# Tests a software profile.
$ sed 's/"launch_s": 1e-5/"launch_s": -1/; s/"overlap_data": 0.5/"overlap_data": 50/; s/"norm_keep": "upcast"/"norm_keep": true/' toy/software/eager.json >eager.json
$ nncost validate eager.json
! nncost: eager.json:12: norm_keep: wrong type, expected one of fused, upcast, eager, found true
! nncost: eager.json:17: overlap_data: out of range, expected at most 1, found 50
! nncost: eager.json:20: launch_s: out of range, expected at least 0 s, found -1
[3]

# Tests a plan file.
$ cat >p.json <<J
> {
>   "schema": "nncost.plans/1",
>   "common": { "model": "dense", "zero": "three" },
>   "scenarios": [
>     { "id": "a", "micro_batch": 0, "require": { "step_s": "fast" } },
>     { "id": "b", "devics": 8 }
>   ]
> }
> J
$ nncost validate p.json
! nncost: p.json:3: common.zero: unknown value, expected one of 0, 1, 2, 3, found "three"
! nncost: p.json:5: scenarios[0].micro_batch: out of range, expected at least 1, found 0
! nncost: p.json:5: scenarios[0].require.step_s: not a requirement, expected one such as "<= 9.5" or "== fits" (<=, <, >=, > or ==), found "fast"
! nncost: p.json:5: scenarios[0].device: missing, expected an id or a path here or in common, found nothing
! nncost: p.json:6: scenarios[1].devics: unknown key, expected a key of the plan, perhaps "devices", found "devics"
! nncost: p.json:6: scenarios[1].device: missing, expected an id or a path here or in common, found nothing
[3]

# Tests files of unknown kinds.
$ echo '{}' >x.json; nncost validate x.json
! nncost: x.json: schema: missing, expected the kind of file, found nothing
[3]
$ echo '{ "schema": "nncost.thing/1" }' >x.json; nncost validate x.json
! nncost: x.json:1: schema: unknown schema, expected nncost.device/1, nncost.model/1, nncost.software/1, nncost.cluster/1, nncost.plans/1, nncost.prices/1, nncost.grid/1 or nncost.foreign/1, found "nncost.thing/1"
[3]
$ echo '{ "schema": 7 }' >x.json; nncost validate x.json
! nncost: x.json:1: schema: unknown schema, expected nncost.device/1, nncost.model/1, nncost.software/1, nncost.cluster/1, nncost.plans/1, nncost.prices/1, nncost.grid/1 or nncost.foreign/1, found 7
[3]

# The fields mtbf, node_power and embodied_kg need a source, and a price needs a date.
$ echo '{ "schema": "nncost.device/1", "id": "e", "name": "E", "like": "round", "mtbf": { "any_s": 1e8 }, "node_power": { "busy_w": 900 }, "embodied_kg": 300 }' > e.json; nncost validate e.json
! nncost: e.json:1: mtbf: has no source, expected one under "sources", found none
! nncost: e.json:1: node_power: has no source, expected one under "sources", found none
! nncost: e.json:1: embodied_kg: has no source, expected one under "sources", found none
[3]
$ echo '{ "schema": "nncost.device/1", "id": "e", "name": "E", "like": "round", "mtbf": { "any_s": 1e8 }, "sources": { "mtbf": "counted" } }' > e.json; nncost validate e.json
e.json: ok
$ echo '{ "schema": "nncost.device/1", "id": "f", "name": "F", "like": "./e.json", "mem_bytes": "1GiB" }' > f.json; nncost validate f.json
f.json: ok
$ echo '{ "schema": "nncost.device/1", "id": "e", "name": "E", "like": "round", "prices": [{ "per_device_hour": 9, "currency": "USD", "where": "here" }, { "per_device_hour": 9, "currency": "USD", "date": "2026-01" }] }' > e.json; nncost validate e.json
! nncost: e.json:1: prices[0].date: missing, expected together with a price, found nothing
! nncost: e.json:1: prices[1].where: missing, expected where or source with a price, found neither
[3]

# nncost loads the library cJSON when it reads the first document. A broken library is reported as an error of the
# system, not of the document.
$ echo '{}' > e.json; : >libcjson.so.1; export LD_LIBRARY_PATH=.; nncost validate e.json
! nncost: libcjson.so.1: cannot load, expected Debian's package libcjson1: ./libcjson.so.1: file too short
[4]
$ : >libcjson.so.1; export LD_LIBRARY_PATH=.; nncost --help >help && echo helps
helps
