# Reads configurations of Hugging Face and diffusers. Tests where nncost finds the files, and which messages it prints.

# MODEL can be a downloaded folder, with or without "/" at the end, or the folder of a diffusers pipeline.
$ mkdir -p llama/sub pipe/unet; cat >llama/config.json <<J
> { "model_type": "llama", "hidden_size": 1000, "intermediate_size": 4000, "num_hidden_layers": 8,
>   "num_attention_heads": 10, "num_key_value_heads": 2, "vocab_size": 10000, "rms_norm_eps": Infinity,
>   "max_position_embeddings": 100000, "hidden_act": "silu", "quantization_config": { "quant_method": "fp8" } }
> J
$ nncost estimate llama/ round --full --full | head -3
model     llama/ = llama, llama, decoder, 135,217,000 parameters
noted     sequence: 8192 tokens, unless --seq-len sets another length; the file's 100000 is the
          longest possible length
$ nncost estimate llama round --full --full --seq-len 1000 | head -1
model     llama, llama, decoder, 135,217,000 parameters
$ nncost show llama | head -1
model     llama/config.json
$ nncost validate llama
llama: ok
$ nncost estimate llama/sub round
! nncost: llama/sub: contains no network, expected config.json, or model_index.json and unet/config.json or transformer/config.json, found neither
[4]
$ echo '{ "_class_name": "StableDiffusionPipeline", "unet": ["diffusers", "UNet2DModel"] }' >pipe/model_index.json
$ cat >pipe/unet/config.json <<J
> { "_class_name": "UNet2DModel", "sample_size": 8, "in_channels": 3, "out_channels": 3, "norm_num_groups": 8,
>   "block_out_channels": [32, 64], "layers_per_block": 1, "down_block_types": ["DownBlock2D", "AttnDownBlock2D"],
>   "up_block_types": ["AttnUpBlock2D", "UpBlock2D"] }
> J
$ nncost estimate pipe round --full --full | head -1
model     pipe = unet, unet, unet, 702,499 parameters
$ nncost estimate pipe/model_index.json round --full --full | head -1
model     pipe/model_index.json = unet, unet, unet, 702,499 parameters

# nncost reads model files and configurations from standard input and from other pipes.
$ cat >config.json <<J
> { "model_type": "llama", "hidden_size": 1000, "intermediate_size": 4000, "num_hidden_layers": 8,
>   "num_attention_heads": 10, "num_key_value_heads": 2, "vocab_size": 10000, "tie_word_embeddings": false,
>   "attention_bias": false, "mlp_bias": false, "max_position_embeddings": 1000 }
> J
$ cat config.json | nncost estimate --full - round | head -1
model     - = model, model, decoder, 135,217,000 parameters
$ cat config.json | nncost estimate /dev/stdin round --full --full | head -1
model     /dev/stdin = model, model, decoder, 135,217,000 parameters
$ cat config.json | nncost show - | head -1
model     -
$ cat config.json | nncost validate -
-: ok
$ mkfifo pipe; (cat toy/models/dense.json >pipe) & nncost estimate ./pipe round --full --full | head -1
model     ./pipe = dense, A small decoder, decoder, 107,106,000 parameters

# 'nncost show --format json' prints a model file that nncost can read again, also for a configuration.
$ cat >config.json <<J
> { "model_type": "gemma2", "hidden_size": 1000, "intermediate_size": 4000, "num_hidden_layers": 8, "head_dim": 100,
>   "num_attention_heads": 10, "num_key_value_heads": 2, "vocab_size": 10000, "max_position_embeddings": 1000,
>   "sliding_window": 100 }
> J
$ nncost show config.json --format json >copy.json; cat copy.json
{
  "schema": "nncost.model/1",
  "id": "config",
  "name": "config",
  "family": "decoder",
  "layers": 8,
  "hidden": 1000,
  "heads": 10,
  "kv_heads": 2,
  "head_dim": 100,
  "ffn_hidden": 4000,
  "vocab": 10000,
  "vocab_multiple": 1,
  "seq_len": 1000,
  "sliding_window": 100,
  "positions": "rotary",
  "norm": "rms",
  "mlp": "geglu",
  "norm_place": "sandwich",
  "score_softcap": true,
  "logit_softcap": true,
  "tied_head": true,
  "mixers": [
    "window",
    "full"
  ],
  "sources": {"": "config.json"}
}
$ sed -i 's/"id": "config"/"id": "copy"/' copy.json; nncost estimate copy.json round --full --full | head -1
model     copy.json = copy, config, decoder, 125,233,000 parameters
$ nncost estimate config.json round --full --full | head -2
model     config.json = config, config, decoder, 125,233,000 parameters
noted     not stated by the file, so nncost uses the defaults of gemma2: tie_word_embeddings on,
$ nncost show experts --format json | nncost estimate --full - round | head -1; nncost estimate --full experts round | head -1
model     - = experts, A small mixture of experts, decoder, 125,641,000 parameters,
model     experts, A small mixture of experts, decoder, 125,641,000 parameters,

# A model name of the hub that nncost does not know is refused. The message about an unknown model name has the command
# that downloads its file.
$ nncost estimate someone/Dense-7B round
! nncost: someone/Dense-7B: no such file or folder, and no known name of the hub, expected a known name or the config.json of this model: hf download someone/Dense-7B config.json --local-dir Dense-7B, then Dense-7B/config.json; or curl -LO https://huggingface.co/someone/Dense-7B/resolve/main/config.json
[3]

# An unknown key of a configuration is refused, unless its value is null. --lenient skips an unknown key and reports it,
# except if the name of the key looks like the name of a model dimension.
$ cat >config.json <<J
> { "model_type": "llama", "hidden_size": 1000, "intermediate_size": 4000, "num_hidden_layers": 8,
>   "num_attention_heads": 10, "num_key_value_heads": 2, "vocab_size": 10000, "tie_word_embeddings": false,
>   "attention_bias": false, "mlp_bias": false, "max_position_embeddings": 1000, "new_idea": null,
>   "fast_path": "yes" }
> J
$ nncost estimate config.json round
! nncost: config.json:4: fast_path: unknown key, expected a key of a llama, found yes; --lenient skips the key if it does not change the shape of the network
[3]
$ nncost estimate config.json round --full --full --lenient | head -2
model     config.json = config, config, decoder, 135,217,000 parameters
noted     skipped by --lenient: fast_path
$ nncost show config.json --lenient | tail -1
noted     skipped by --lenient: fast_path
$ sed -i 's/"fast_path": "yes"/"idea_layers": 3/' config.json; nncost estimate config.json round --lenient
! nncost: config.json:4: idea_layers: changes the shape of a llama in a way that nncost does not know, expected no such key, or your own model file (nncost show llama3-8b --format json prints an example), found 3
[3]

# A user can add an architecture: a file in the folder foreign/ of a data folder. The next command finds the file of the
# new architecture.
$ mkdir toy/foreign; cat >toy/foreign/pear.json <<J
> { "schema": "nncost.foreign/1", "id": "pear", "like": "llama", "source": "https://example.org/pear",
>   "implies": { "qk_norm": "head" },
>   "keys": [ { "key": "pear_ffn", "to": "ffn_hidden" }, { "key": "intermediate_size", "to": "ffn_hidden", "optional": true } ] }
> J
$ cat >config.json <<J
> { "model_type": "pear", "hidden_size": 1000, "pear_ffn": 4000, "num_hidden_layers": 8,
>   "num_attention_heads": 10, "num_key_value_heads": 2, "vocab_size": 10000, "tie_word_embeddings": false,
>   "attention_bias": false, "mlp_bias": false, "max_position_embeddings": 1000 }
> J
$ nncost estimate config.json round --full --full | head -1
model     config.json = config, config, decoder, 135,218,600 parameters
$ sed -i 's/"pear"/"plum"/' config.json; nncost estimate config.json round
! nncost: config.json:1: model_type: unknown architecture, expected one of those in docs/models.md, a file foreign/MODEL_TYPE.json of your own, or the shape as a model file (nncost show llama3-8b --format json), found "plum"
[3]
$ sed -i 's/"plum"/"pearl"/' config.json; nncost estimate config.json round
! nncost: config.json:1: model_type: unknown architecture, expected one of those in docs/models.md, nearest pear, a file foreign/MODEL_TYPE.json of your own, or the shape as a model file (nncost show llama3-8b --format json), found "pearl"
[3]

# If the file in foreign/ that reads a configuration changes, 'nncost check' reports a changed model.
$ mkdir toy/foreign; cat >toy/foreign/pear.json <<J
> { "schema": "nncost.foreign/1", "id": "pear", "like": "llama", "source": "https://example.org/pear", "implies": { "qk_norm": "head" } }
> J
$ cat >config.json <<J
> { "model_type": "pear", "hidden_size": 1000, "intermediate_size": 4000, "num_hidden_layers": 8,
>   "num_attention_heads": 10, "num_key_value_heads": 2, "vocab_size": 10000, "tie_word_embeddings": false,
>   "attention_bias": false, "mlp_bias": false, "max_position_embeddings": 1000 }
> J
$ echo '{ "schema": "nncost.plans/1", "scenarios": [ { "id": "a", "model": "./config.json", "device": "round" } ] }' >plans.json
$ nncost check plans.json --update | tail -1; nncost check plans.json | tail -1
recorded by nncost VERSION
plans.json: 1 as recorded
$ sed -i 's/"implies": {[^}]*}/"implies": {}/' toy/foreign/pear.json; nncost check plans.json
plans.json: 1 moved

plans.json:1: a: moved
  why     model file: the content of ./config.json has changed
  moved   step 13.15 ms -> 13.05 ms (-0.73%), mostly from backward_s; memory 2.253 GB -> 2.234 GB
          (-0.87%), mostly from activation_bytes

metric                           recorded            now     change
step.step_s                      13.15 ms       13.05 ms     -0.73%
memory.total_bytes               2.253 GB       2.234 GB     -0.87%
cost.energy_j                     13.15 J        13.05 J     -0.73%
cost.per_million_tokens      0.003653 USD   0.003626 USD     -0.73%
cost.step                   3.653e-06 USD  3.626e-06 USD     -0.73%
model.params_by_group.norm          18600          17000      -8.6%
model.matmul_params           125,218,600    125,217,000  -0.00128%
model.active_params           135,218,600    135,217,000  -0.00118%
model.params                  135,218,600    135,217,000  -0.00118%
model.trained_params          135,218,600    135,217,000  -0.00118%
... and 28 more (--format json has all)

To accept these changes, use 'nncost check plans.json --update'.
[1]

# A file of the user in foreign/ replaces the shipped file with the same name.
$ mkdir toy/foreign; cat >toy/foreign/gemma2.json <<J
> { "schema": "nncost.foreign/1", "id": "gemma2", "refuses": "not today, expected another", "source": "me" }
> J
$ echo '{ "model_type": "gemma2" }' >config.json; nncost estimate config.json round
! nncost: config.json:1: model_type: not today, expected another, found "gemma2"
[3]

# Faults in a file of foreign/ are reported with their line when a configuration uses the file.
$ mkdir toy/foreign; cat >pear.json <<J
> { "schema": "nncost.foreign/1",
>   "id": "pear",
>   "like": "llama",
>   "source": "https://example.org/pear",
>   "implies": { "qk_norm": "head" },
>   "keys": [
>     { "key": "pear_ffn", "to": "ffn_hidden", "default": 4000 },
>     { "key": "kind", "values": { "a": { "biases": true }, "b": {} }, "when": { "key": "new", "is": true } } ],
>   "patterns": [
>     { "to": "mixers", "list": "layer_types", "values": { "full": "full" } } ] }
> J
$ echo '{ "model_type": "pear", "num_hidden_layers": 2 }' >config.json
$ wrong() { sed "$1" pear.json >toy/foreign/pear.json; nncost estimate --full config.json round 2>&1 | head -1; }
> wrong 's/"like"/"lik"/'
> wrong 's/"llama"/"lama"/'
> wrong 's/"llama"/"pear"/'
> wrong '/"source"/d'
> wrong 's/"id": "pear"/"id": "plum"/'
> wrong 's/"to": "ffn/"too": "ffn/'
> wrong 's/"to": "ffn_hidden"/"to": "ffn_hiden"/'
> wrong 's/"qk_norm"/"qk_norms"/'
> wrong 's/"head"/"heads"/'
> wrong 's/4000/"many"/'
> wrong 's/4000/-4/'
> wrong 's/"biases"/"bias"/'
> wrong 's/"is": true/"is": [1]/'
> wrong 's/"to": "mixers"/"to": "mixer"/'
> wrong 's/, "values": { "full": "full" }//'
> wrong 's/"patterns"/"keys"/'
> wrong 's/"id"/"family": "graph", "id"/'
> wrong 's/{ "full": "full" }/"fulls"/'
> wrong 's/,$//'
> wrong ''
nncost: toy/foreign/pear.json:3: lik: unknown key, expected a key of the architecture, perhaps "like", found "lik"
nncost: toy/foreign/pear.json:3: like: unknown architecture, expected the id of a file in foreign/, nearest "llama", found "lama"
nncost: toy/foreign/pear.json:3: like: a circle, expected a file that does not inherit from this file, found "pear"
nncost: toy/foreign/pear.json: source: missing, expected text of 1 to 255 bytes, found nothing
nncost: toy/foreign/pear.json:2: id: not the name of the file, expected "pear", found "plum"
nncost: toy/foreign/pear.json:7: keys[0].too: unknown key, expected a key of the key, perhaps "to", found "too"
nncost: toy/foreign/pear.json:7: keys[0].to: unknown field, expected a field of the decoder, perhaps "ffn_hidden", found "ffn_hiden"
nncost: toy/foreign/pear.json:5: implies.qk_norms: unknown field, expected a field of the decoder, perhaps "qk_norm", found "qk_norms"
nncost: toy/foreign/pear.json:5: implies.qk_norm: qk_norm: unknown value, expected one of none, head, projection, plain, found "heads"
nncost: toy/foreign/pear.json:7: keys[0].default: ffn_hidden: not a number, expected a whole number from 1 to 1e7, found "many"
nncost: toy/foreign/pear.json:7: keys[0].default: ffn_hidden: out of range, expected at least 1, found -4
nncost: toy/foreign/pear.json:8: keys[1].values.a.bias: unknown field, expected a field of the decoder, perhaps "biases", found "bias"
nncost: toy/foreign/pear.json:8: keys[1].when.is: wrong type, expected a number, a switch, a word or an object of fields, found a list of 1
nncost: toy/foreign/pear.json:10: patterns[0].to: unknown field, expected a field of the decoder, perhaps "mixers", found "mixer"
nncost: toy/foreign/pear.json:10: patterns[0].values: missing, expected the kind of each word, found nothing
nncost: toy/foreign/pear.json:9: keys: repeated key, expected each key once, found this key again
nncost: toy/foreign/pear.json:5: implies.qk_norm: unknown field, expected a field of the graph, found "qk_norm"
nncost: toy/foreign/pear.json:10: patterns[0].values: unknown list of words, expected an object, or one of activations, found "fulls"
nncost: toy/foreign/pear.json:2:3: bad syntax, expected ',' or '}', found '"'
nncost: config.json: pear_ffn: its default differs from that of intermediate_size, expected one of them "optional" in foreign/pear.json, found two defaults

# An output of nvidia-smi describes a machine. nncost uses the shipped device with the same name, and takes memory and
# power limit from the output.
$ printf '<?xml version="1.0" ?>\n<nvidia_smi_log>\n<gpu id="0"><product_name>NVIDIA round</product_name><fb_memory_usage><total>40000 MiB</total></fb_memory_usage><current_power_limit>N/A</current_power_limit></gpu>\n</nvidia_smi_log>\n' >smi.xml
$ nncost estimate dense smi.xml --format json | grep -oE '"(capacity|device_bytes|mem)_?[a-z]*": 4[0-9.e+]*' | sort -u
"capacity_bytes": 41943040000
"mem_bytes": 41943040000
$ sed 's/40000 MiB/N\/A/' smi.xml >none.xml; nncost estimate dense none.xml
! nncost: none.xml: GPU 0: expected product_name and fb_memory_usage.total, as 'nvidia-smi -q -x' writes them
[3]
$ sed 's/round/roundest/' smi.xml >other.xml; nncost estimate dense other.xml
! nncost: other.xml:1: like: unknown device, expected one of fitted, old, round, nearest "round", found "roundest"
[3]
$ mkdir bin; printf '#!/bin/sh\ncat smi.xml\n' >bin/nvidia-smi; chmod +x bin/nvidia-smi
$ PATH=$PWD/bin:$PATH nncost estimate dense . --full | grep '^device'
device    . = nvidia-smi -q -x, NVIDIA round, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
$ rm bin/nvidia-smi; PATH=$PWD/bin:$PATH nncost estimate dense .
! nncost: DEVICE: "." means the measured machine, or the GPU that nvidia-smi describes; found neither: 'python3 -m nncost.measure' writes a file of the machine
[3]

# A file of hwloc describes a machine. The file lists the devices of several libraries, and nncost counts the GPUs from
# the devices of only one library. Two GPUs are joined by a switch; a connection through the host does not count.
$ nncost estimate dense inputs/hwloc.xml --format json | grep -oE '"(capacity|device_bytes|mem)_?[a-z]*": [34][0-9.e+]*' | sort -u
"capacity_bytes": 40000000000
"mem_bytes": 40000000000
$ nncost estimate dense inputs/hwloc.xml --devices 4 --format json | grep -o '"devices_per_node": [0-9]*'
"devices_per_node": 2
$ sed '0,/round/s//square/' inputs/hwloc.xml >mixed.xml; nncost estimate dense mixed.xml
! nncost: mixed.xml: expected GPUs of one product, found Tesla square and Tesla round; name one of the two devices
[3]
$ sed 's/OSDev" g/Misc" g/' inputs/hwloc.xml >none.xml; nncost estimate dense none.xml
! nncost: none.xml: expected a GPU, found none
[3]
$ nncost show inputs/hwloc.xml | sed -n '1p;/^mem_bytes /p'
device    inputs/hwloc.xml
mem_bytes                   40000000000   B            40.00 GB  hwloc.xml
$ printf '\tGPU0\tGPU1\nGPU0\t X \tNV18\nGPU1\tNV18\t X \n\nLegend:\n' >topo.txt; nncost estimate dense ./topo.txt
! nncost: ./topo.txt: names no product, expected the output of 'nvidia-smi -q -x' or of 'lstopo --of xml'
[3]
