# Launch files are configurations and commands of DeepSpeed, accelerate and other programs. nncost reads them as plans.
# The cases of this file run only where libyaml is installed.

# nncost uses each key of a DeepSpeed file, or lists it as a key without effect. If the value of a key is "auto", the
# error names the options that can give the value.
$ nncost estimate inputs/ds.json dense round --devices 4
! nncost: inputs/ds.json:3: gradient_accumulation_steps: left open, expected --micro-batches or --global-batch, or a file that sets this field
[3]
$ nncost estimate inputs/ds.json dense --full round --full --devices 4 --micro-batches 8 | sed -n '/^plan/,/^$/p'
plan      4 devices = data 4, ZeRO 2, offload optimizer
          batch 64 = 8 micro-batches of 2 x data 4, sequence 1000, bf16, policy mixed, adamw,
          flash attention, recompute none, software deepspeed-0.14, mode predicted
read      inputs/ds.json (deepspeed): --software deepspeed-0.14 --micro-batch 2 --clip-gradients=on
          --precision bf16 --zero 2 --offload optimizer
          3 other keys have no effect on the estimate (--format json lists them)

$ nncost estimate inputs/ds.json dense round --devices 4 --micro-batches 8 --format json >out.json
$ grep -o '"source_files": .*' out.json | sed 's/}, /},\n/g; s/"ignored/\n&/'
"source_files": [{"file": "inputs/ds.json", "format": "deepspeed", "options": "--software deepspeed-0.14 --micro-batch 2 --clip-gradients=on --precision bf16 --zero 2 --offload optimizer"}], 
"ignored_keys": [{"file": "inputs/ds.json", "line": 9, "key": "zero_optimization.reduce_bucket_size", "why": "size of a transfer", "skipped": false},
{"file": "inputs/ds.json", "line": 10, "key": "zero_optimization.offload_optimizer.pin_memory", "why": "buffers of the copy to the host, and its order", "skipped": false},
{"file": "inputs/ds.json", "line": 12, "key": "steps_per_print", "why": "logging", "skipped": false}]},

# --to-options prints the options of nncost that mean the same as a launch file, and the keys whose values are still
# missing.
$ nncost show inputs/ds.json --to-options
nncost estimate MODEL DEVICE --software deepspeed-0.14 --micro-batch 2 --clip-gradients --precision bf16 --zero 2 --offload optimizer
\# inputs/ds.json:3: gradient_accumulation_steps: left open, expected --micro-batches or --global-batch, or a file that sets this field
$ nncost show inputs/ds.json dense --to-options
nncost estimate dense DEVICE --software deepspeed-0.14 --micro-batch 2 --clip-gradients --precision bf16 --zero 2 --offload optimizer
\# inputs/ds.json:3: gradient_accumulation_steps: left open, expected --micro-batches or --global-batch, or a file that sets this field
$ nncost show inputs/fsdp.yaml --to-options
nncost estimate MODEL DEVICE --zero 3 --reshard --precision bf16 --devices-per-node 4 --devices 8 --shard 4 --recompute full
$ nncost show inputs/fsdp.yaml dense round --to-options | sed "s/\$/ --full/" | sh | sed -n '/^plan/,/^$/p' | head -3
plan      8 devices = data 8, ZeRO 3, sharded over 4 of 8 ranks
          batch 8 = 1 micro-batch of 1 x data 8, sequence 1000, bf16, policy mixed, adamw,
          flash attention, recompute full, software torch-compile (chosen for this plan),
$ nncost show dense --to-options
! nncost: --to-options: expected a launch file, found "dense"
[2]
$ nncost show inputs/ds.json
! nncost: inputs/ds.json: is a launch file: --to-options shows the options with the same meaning
[2]
$ nncost show dense --from deepspeed
! nncost: --from: needs --to-options
[2]

# An option takes precedence over a launch file. If two launch files disagree, nncost asks for an option.
$ nncost estimate inputs/ds.json dense --full round --full --devices 4 --micro-batches 8 --zero 1 --offload none | grep '^plan'
plan      4 devices = data 4, ZeRO 1
$ nncost estimate inputs/fsdp.yaml inputs/ds.json dense round --micro-batches 8
! nncost: inputs/ds.json:7: zero_optimization.stage: disagrees with inputs/fsdp.yaml:8: zero is 3 there and 2 here; --zero decides
[3]
$ nncost estimate --full inputs/fsdp.yaml inputs/ds.json dense round --micro-batches 8 --zero 3 | grep -A3 '^read'
read      inputs/fsdp.yaml (accelerate): --reshard=on --precision bf16 --devices-per-node 4
          --devices 8 --zero 3 --shard 4 --recompute full
          inputs/ds.json (deepspeed): --software deepspeed-0.14 --micro-batch 2 --clip-gradients=on
          --offload optimizer

# For a key that nncost cannot use, the error names the line of the key. With --lenient, nncost skips a key that it
# cannot use, and lists the key.
$ printf 'distributed_type: FSDP\nfsdp_config:\n  fsdp_auto_wrap_policy: NO_WRAP\n  fsdp_new: 1\n' >wrap.yaml
$ nncost estimate wrap.yaml dense round --devices 2
! nncost: wrap.yaml:3: fsdp_config.fsdp_auto_wrap_policy: cannot be estimated, expected transformer_based_wrap, size_based_wrap, found NO_WRAP; nncost gathers weights layer by layer, and --lenient skips the key
[3]
$ nncost estimate --full wrap.yaml dense round --devices 2 --lenient | grep -A4 '^read'
read      wrap.yaml (accelerate): --zero 3 --reshard=on --precision fp32
skipped   wrap.yaml:3: fsdp_config.fsdp_auto_wrap_policy: cannot be estimated, expected
          transformer_based_wrap, size_based_wrap, found NO_WRAP
skipped   wrap.yaml:4: fsdp_config.fsdp_new: unknown key, and it may affect the cost

$ echo '{ "zero_optimization": { "stage": 5 } }' >five.json; nncost estimate five.json dense round
! nncost: five.json:1: zero_optimization.stage: unknown value, expected one of 0, 1, 2, 3, found 5
[3]
$ echo '{ "zero_optimization": { "stage": 3, "offload_param": { "device": "nvme" } } }' >nvme.json
$ nncost estimate nvme.json dense round
! nncost: nvme.json:1: zero_optimization.offload_param.device: cannot be estimated, expected none, cpu, found nvme; nncost has no offload to NVMe, the nearest is --offload weights, and --lenient skips the key
[3]
$ printf 'distributed_type: MULTI_GPU\nnum_processes: 6\nnum_machines: 4\n' >four.yaml; nncost estimate four.yaml dense round
! nncost: four.yaml:3: num_machines: num_processes/num_machines is not a whole number
[3]

# A launch file may name another launch file. If a launch file names a second file that does not exist, nncost asks for
# the second file.
$ mkdir -p sub; printf 'distributed_type: DEEPSPEED\nnum_processes: 4\ndeepspeed_config:\n  deepspeed_config_file: ../inputs/ds.json\n' >sub/a.yaml
$ nncost estimate --full sub/a.yaml dense round --micro-batches 8 | grep -A2 '^read'
read      sub/a.yaml (accelerate): --software deepspeed-0.14 --devices 4
          sub/../inputs/ds.json (deepspeed): --micro-batch 2 --clip-gradients=on --precision bf16
          --zero 2 --offload optimizer
$ sed -i s/ds.json/gone.json/ sub/a.yaml; nncost estimate sub/a.yaml dense round --micro-batches 8
! nncost: sub/a.yaml:4: deepspeed_config.deepspeed_config_file: no such file, expected "sub/../inputs/gone.json"; give the file on the command line
[3]
$ nncost estimate --full sub/a.yaml inputs/ds.json dense round --micro-batches 8 | grep -A2 '^read'
read      sub/a.yaml (accelerate): --software deepspeed-0.14 --devices 4
          inputs/ds.json (deepspeed): --micro-batch 2 --clip-gradients=on --precision bf16 --zero 2
          --offload optimizer
$ nncost show sub/a.yaml --to-options
nncost estimate MODEL DEVICE --devices 4
\# sub/a.yaml:4: deepspeed_config.deepspeed_config_file: no such file, give it on the command line

# nncost refuses a file of an unknown kind, a file with bad syntax, and a file that does not exist.
$ printf 'a: 1\n' >other.yaml; nncost estimate other.yaml dense round
! nncost: other.yaml: unknown format of launch file, expected a format of docs/files.md; --from FORMAT sets the format
[3]
$ nncost estimate other.yaml dense round --from accelerate
! nncost: other.yaml:1: a: unknown key, and it may affect the cost; give the option of nncost with the same meaning, and --lenient skips the key
[3]
$ nncost estimate inputs/ds.json dense round --from yaml
! nncost: --from: unknown format, expected a format of docs/files.md, found "yaml"
[2]
$ printf 'a: [1\n' >bad.yaml; nncost estimate bad.yaml dense round
! nncost: bad.yaml:2:1: bad syntax, expected YAML, found: did not find expected ',' or ']'
[3]
$ printf 'a: !!str 1\n' >bad.yaml; nncost estimate bad.yaml dense round
! nncost: bad.yaml:1:4: cannot be read, expected no tag (!), found one
[3]
$ nncost estimate inputs/ds.json
! nncost: inputs/ds.json:3: gradient_accumulation_steps: left open, expected --micro-batches or --global-batch, or a file that sets this field
[3]
$ nncost estimate gone.yaml dense round
! nncost: gone.yaml: cannot be opened, expected a readable file, found: No such file or directory
[4]

# The key context_parallel_strategy of MaxText has an effect if there are several context ranks: here ring attention
# over 4 ranks.
$ printf 'base_config: base.yml\nmodel_name: llama2-7b\nici_context_parallelism: 4\ncontext_parallel_strategy: ring\n' >ring.yaml
$ nncost show ring.yaml --to-options | head -1
nncost estimate ./ring.yaml DEVICE --context-kind ring --micro-batch 48 --micro-batches 1 --seq-len 2048 --recompute full --precision bf16 --policy amp --optimizer adamw --clip-gradients --attention flash --tensor 1 --context 4 --expert 1 --zero 3

# torchtitan counts the embedding and the head as one layer each. 32 + 2 layers in groups of 6 layers are 6 groups: each
# of the 2 pipeline ranks has 3 groups, which are its virtual stages.
$ printf '[model]\nname = "llama3"\nflavor = "8B"\n[parallelism]\npipeline_parallel_degree = 2\n' >groups.toml
$ printf 'pipeline_parallel_schedule = "Interleaved1F1B"\npipeline_parallel_layers_per_stage = 6\n' >>groups.toml
$ nncost show groups.toml --to-options | head -1
nncost estimate ./groups.toml DEVICE --software fsdp --pipeline 2 --schedule interleaved --seq-len 2048 --clip-gradients --tensor 1 --context 1 --context-kind all-gather --expert 1 --recompute full --policy amp --precision bf16 --optimizer adamw --micro-batch 1 --micro-batches 8 --zero 3 --reshard=off --virtual-stages 3 --ends-as-layers --recompute-layers 8

# --emit writes the command of a serving engine. If the command cannot express the plan, nncost reports an error.
$ nncost serve dense round --tensor 2 --devices 8 --max-batch 32 --memory-use 0.8 --emit vllm
vllm serve dense --data-parallel-size 4 --tensor-parallel-size 2 --gpu-memory-utilization 0.8 --max-num-seqs 32
$ nncost serve dense round --tensor 2 --data 4 --emit sglang
python -m sglang.launch_server --model-path dense --tp-size 2 --dp-size 4
$ nncost serve dense round --tensor 2 --receive-steps 30 --concurrency 4 --emit sglang
python -m sglang.launch_server --model-path dense --tp-size 2 --scheduler-recv-interval 30
$ nncost serve dense round --tensor 2 --emit tensorrt-llm
trtllm-serve dense --tp-size 2
$ nncost serve dense round --tensor 2 --data 4 --emit tensorrt-llm
! nncost: --data: 4 cannot be written for tensorrt-llm, because the written command would mean 1
[3]
$ nncost serve dense round --emit deepspeed
! nncost: --emit: expected vllm, sglang or tensorrt-llm, found "deepspeed"
[2]
$ nncost serve dense round --emit vllm --set device.mem_bytes=1e9
! nncost: --emit: an engine has no options for --set and --steps, expected a command without --set and --steps
[2]

# --emit writes a training plan as a launch file. If the file cannot express the plan, nncost reports an error. A
# DeepSpeed file names no model, so the command that reads the file must name the model.
$ nncost estimate dense round --devices 4 --zero 2 --global-batch 16 --precision bf16 --emit deepspeed
{
  "train_micro_batch_size_per_gpu": 1,
  "gradient_accumulation_steps": 4,
  "gradient_clipping": 1.0,
  "bf16": {
    "enabled": true
  },
  "data_types": {
    "grad_accum_dtype": "bf16"
  },
  "zero_optimization": {
    "stage": 2,
    "overlap_comm": true,
    "contiguous_gradients": true
  },
  "optimizer": {
    "type": "AdamW",
    "params": {
      "lr": 1.0e-4,
      "weight_decay": 0.1
    }
  },
  "steps_per_print": 10
}
$ nncost estimate dense round --devices 4 --zero 3 --global-batch 16 --precision bf16 --emit deepspeed=ds.json >page.txt; nncost show ds.json --to-options
nncost estimate MODEL DEVICE --software deepspeed-0.14 --micro-batch 1 --micro-batches 4 --clip-gradients --precision bf16 --policy mixed --zero 3 --optimizer adamw
$ nncost estimate dense round --devices 4 --pipeline 2 --global-batch 16 --emit deepspeed
! nncost: --pipeline: cannot be written for deepspeed: a DeepSpeed file has no pipeline stages: --emit megatron, torchtitan or nanotron
[3]
$ nncost estimate experts round --devices 4 --zero 3 --capacity-factor 2 --global-batch 16 --emit transformers
! nncost: --capacity-factor: 2 cannot be written for transformers, because the written file would mean 0
[3]
$ nncost estimate dense round --devices 4 --zero 3 --global-batch 16 --emit transformers
{
  "model_name_or_path": "dense",
  "dataset_name": "DATASET",
  "block_size": 1000,
  "do_train": true,
  "output_dir": "OUTPUT",
  "per_device_train_batch_size": 1,
  "gradient_accumulation_steps": 4,
  "optim": "adamw_torch",
  "max_grad_norm": 1.0,
  "learning_rate": 2.0e-5,
  "lr_scheduler_type": "cosine",
  "num_train_epochs": 1,
  "torch_compile": true,
  "bf16": true,
  "gradient_checkpointing": false,
  "fsdp": "full_shard auto_wrap"
}
$ nncost estimate dense round --devices 4 --emit vllm
! nncost: --emit: expected megatron, torchtitan, deepspeed, accelerate, axolotl, llama-factory, transformers, maxtext or nanotron, found "vllm"
[2]
$ nncost compare dense round --devices 4 --zero 1,3 --global-batch 16 --emit deepspeed
! nncost: --emit: expected a folder for the files of several plans, as in deepspeed=DIR/
[2]
$ nncost search dense round,dense --devices 4 --global-batch 16 --emit deepspeed
! nncost: --emit: writes the plan for one device, expected one DEVICE, found several
[2]

# An option of a command may be negated (--no-enforce-eager), and its value may be a JSON object.
$ nncost show dense --to-options -- vllm serve x --no-enable-eplb --no-enforce-eager --no-async-scheduling --speculative-config '{"method": "mtp", "num_speculative_tokens": 2}'
nncost serve dense DEVICE --software vllm --acceptance 0.7 --draft-length 2 --data 1
$ nncost show dense --to-options -- vllm serve x --no-eplb
! nncost: arguments:1: no-eplb: unknown key, and it may affect the cost; give the option of nncost with the same meaning, and --lenient skips the key
[3]
$ nncost show dense --to-options -- vllm serve x --speculative-config.method ngram
! nncost: arguments:1: speculative-config.method: cannot be estimated, expected mtp, deepseek_mtp, qwen3_next_mtp, qwen3_5_mtp, mimo_mtp, ernie_mtp, glm4_moe_mtp, longcat_flash_mtp, pangu_ultra_moe_mtp, exaone_moe_mtp, nemotron_h_mtp ..., found ngram; --draft MODEL --draft-length N --acceptance X, and --lenient skips the key
[3]
$ echo 'accelerate launch sft.py --per_device_train_batch_size 2 --use_peft --lora_r 4 --no_remove_unused_columns --no_gradient_checkpointing --bf16' >sft.sh
$ nncost show sft.sh dense --to-options
nncost estimate dense DEVICE --software torch-eager --micro-batch 2 --adapter-rank 4 --precision bf16 --micro-batches 1 --optimizer adamw --clip-gradients
$ echo 'accelerate launch dpo.py --per_device_train_batch_size 2 --beta 0.1' >dpo.sh
$ nncost show dpo.sh dense --to-options
! nncost: dpo.sh:1: beta: cannot be estimated, found 0.1; --method dpo, with which a batch counts pairs of answers, or options of nncost alone, and --lenient skips the key
[3]

# A script may write the configuration file that its command names, and it may read another script. On the command line
# of nncost, 1=X gives the first argument of the script, and BATCH=X gives its variable BATCH.
$ printf 'TP=${1:-1}\nFORMAT=FP8\n' >parts.sh
$ cat inputs/serve.sh
source "$(dirname "$0")/parts.sh"
CONFIG=options.yml
cat >"$CONFIG" <<EOF
kv_cache_config:
  dtype: ${FORMAT,,}
EOF
if [[ "$BATCH" != "" ]]; then
    cat <<EOF >>$CONFIG
max_batch_size: $BATCH
EOF
fi
trtllm-serve dense --tp_size=$TP --extra_llm_api_options=$CONFIG
$ cp inputs/serve.sh .; nncost show serve.sh --to-options
nncost serve dense DEVICE --software tensorrt-llm --tensor 1 --kv-precision fp8
$ nncost show serve.sh 1=2 BATCH=32 --to-options
nncost serve dense DEVICE --software tensorrt-llm --tensor 2 --kv-precision fp8 --max-batch 32
$ echo 'enable_attention_dp: true' >>options.yml
$ nncost serve options.yml dense round --tensor 4 --input-len 8 --output-len 8
! nncost: options.yml: an option sets tensor, expected options for all fields that this key sets
[3]
$ printf 'cat >o.yml <<EOF\nenable_attention_dp: true\nEOF\ntrtllm-serve dense --tp_size=4 --ep_size 4 --extra_llm_api_options=o.yml\n' >dp.sh; nncost show dp.sh --to-options
nncost serve dense DEVICE --software tensorrt-llm --tensor 1 --expert 4 --attention-data 4
$ sed -i 's/^enable.*/&\nattention_dp_config:\n    enable_balance: true\n    timeout_iters: 60/' dp.sh; nncost show dp.sh --to-options
nncost serve dense DEVICE --software tensorrt-llm --tensor 1 --expert 4 --balance-steps 60 --attention-data 4 --balance-more 10
$ echo 'torchrun --nproc-per-node $GPUS pretrain_gpt.py --num-layers $1 --tensor-model-parallel-size $TP' >unset.sh
$ nncost show unset.sh --to-options
! nncost: unset.sh:1: num-layers: is ${1}, which the script does not set, expected 1=VALUE among the arguments; other values need TP
[3]
$ nncost show unset.sh 1=2 --to-options
! nncost: unset.sh:1: tensor-model-parallel-size: is ${TP}, which the script does not set, expected TP=VALUE among the arguments, or --tensor
[3]

# nncost lists the arguments of a script whose values it does not know ("$@" and $EXTRA_ARGS). 1=VALUE on the command
# line of nncost gives the first argument. Inside a function of a script, $1 and "$@" are the arguments of the call.
$ printf 'vllm serve dense --port 1 \\\n --tensor-parallel-size 2 "$@" $EXTRA_ARGS\n' >all.sh; nncost show all.sh --to-options
nncost serve dense DEVICE --software vllm --tensor 2 --data 1
\# all.sh:2: "$@": arguments given on the command line are not known, 1=VALUE gives the first
\# all.sh:2: $EXTRA_ARGS: the script does not set these options, EXTRA_ARGS=VALUE gives them
$ nncost show all.sh 1=--max-num-seqs 2=64 'EXTRA_ARGS=--kv-cache-dtype fp8' --to-options
nncost serve dense DEVICE --software vllm --max-batch 64 --kv-precision fp8 --tensor 2 --data 1
$ echo 'torchrun pretrain_gpt.py "${@:2}"' >all.sh; nncost show all.sh --to-options
! nncost: all.sh:1: starts pretrain_gpt.py with "$@", the arguments of the script, and nncost does not know these arguments, expected 1=VALUE 2=VALUE ... among the arguments
[3]
$ printf 'shift\nvllm serve $1 --tensor-parallel-size $2' >all.sh; nncost show all.sh --to-options
! nncost: all.sh:1: vllm: is ${2}, which the script does not set, expected 2=VALUE among the arguments; other values need 3
[3]
$ printf 'shift\nvllm serve $1 --tensor-parallel-size $22' >all.sh; nncost show all.sh 2=dense 3=1 --to-options
nncost serve dense DEVICE --software vllm --tensor 12 --data 1
$ printf 'shift\nvllm serve $1 --tensor-parallel-size ${23333333333333333333}' >all.sh; nncost show all.sh 2=dense 3=1 --to-options
! nncost: all.sh:2: tensor-parallel-size: is ${2333333334}, which the script does not set, expected 2333333334=VALUE among the arguments, or --tensor
[3]
$ echo 'vllm serve ${@:0} ${@:99999999999999999999}' >all.sh; nncost show all.sh 1=dense 2=--tensor-parallel-size 3=2 --to-options
nncost serve dense DEVICE --software vllm --tensor 2 --data 1
$ printf 'f() {\n m=$1; shift; vllm serve $m --port 1 "$@"\n}\nf dense --tensor-parallel-size 4\n' >all.sh; nncost show all.sh --to-options
nncost serve dense DEVICE --software vllm --tensor 4 --data 1
$ printf 'set -- dense --tensor-parallel-size 4\nvllm serve "$@"\n' >all.sh; nncost show all.sh --to-options
nncost serve dense DEVICE --software vllm --tensor 4 --data 1

# If a branch of a script sets a value, the error names the variable that decides whether the branch runs. If nncost
# knows the variable, it evaluates the condition itself.
$ printf 'if [ ${12} = true ]; then A="--tensor-parallel-size 2"; else A=""; fi\nif [ $2 = big ]; then M=wide; else M=dense; fi\nvllm serve dense --dtype auto $A --max-num-seqs $3' >branch.sh; nncost show branch.sh --to-options
! nncost: branch.sh:1: tensor-parallel-size: is set in a branch whose condition reads $12, expected 12=VALUE among the arguments, or --tensor; other values need 3
[3]
$ nncost show branch.sh 12=true 3=8 --to-options
nncost serve dense DEVICE --software vllm --tensor 2 --max-batch 8 --data 1
$ printf 'if [ "$1" = small ]; then L=2; fi\ntorchrun pretrain_gpt.py --num-layers $L --tensor-model-parallel-size 2' >branch.sh; nncost show branch.sh --to-options
! nncost: branch.sh:2: num-layers: is set in a branch whose condition reads $1, expected 1=VALUE among the arguments
[3]
$ printf 'M=""\nif [[ $M == *"VL"* ]]; then A="--tensor-parallel-size 4"; else A="--tensor-parallel-size 2"; fi\nvllm serve dense $A\n' >branch.sh; nncost show branch.sh --to-options
nncost serve dense DEVICE --software vllm --tensor 2 --data 1

# A script may have an unknown folder in the path of its model ($MODELS/dense). A script may also have an unknown value
# for a key that sets no field of the plan.
$ printf 'EAGER=$(cat eager)\nif [ $EAGER = true ]; then A=--enforce-eager; fi\nvllm serve $MODELS/dense --tensor-parallel-size 2 $A\n' >folder.sh; nncost show folder.sh --to-options
nncost serve dense DEVICE --software vllm --tensor 2 --data 1
\# folder.sh:2: enforce_eager: steps are not captured as CUDA graphs: small batches take longer than the estimate, unless a software profile has "captured": false in "serving"

# In a MaxText file, the degree -1 means that MaxText computes the degree from the number of devices. nncost asks for
# the degree.
$ printf 'base_config: base.yml\nmodel_name: mixtral-8x7b\nici_fsdp_parallelism: 1\nici_expert_parallelism: -1\n' >axis.yml; nncost estimate axis.yml round --devices 8
! nncost: axis.yml:4: ici_expert_parallelism: left open, expected --expert, or a file that sets this field
[3]
$ nncost estimate axis.yml round --devices 8 --expert 8 --shard 8 --full | grep '^plan'
plan      8 devices = data 8, expert 8, ZeRO 3
$ sed -i s/expert_p/tensor_p/ axis.yml; nncost show axis.yml --to-options
! nncost: axis.yml:4: ici_tensor_parallelism: expected a number of at least 0: the program computes this value from the devices, so give the value
[3]

# If a launch file names no model, nncost asks for MODEL.
$ echo '{ "train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 1 }' >whole.json; nncost estimate whole.json round
! nncost: MODEL: missing, expected FILE... MODEL DEVICE: the files name no model
[2]
$ nncost estimate whole.json
! nncost: MODEL and DEVICE: missing, expected FILE... MODEL DEVICE: the files name no model
[2]

# If a value sets a field but makes the estimate inexact, nncost prints a note. An example is the optimizer OneBitAdam,
# which compresses its transfers.
$ echo '{ "train_micro_batch_size_per_gpu": 1, "optimizer": { "type": "OneBitAdam" } }' >onebit.json
$ nncost show onebit.json --to-options
nncost estimate MODEL DEVICE --software deepspeed-0.14 --micro-batch 1 --optimizer adamw --zero 0 --precision fp32 --clip-gradients=off --overlap 0
\# onebit.json:1: optimizer.type: this optimizer compresses its transfers after the first steps and keeps their errors: the estimate is for the first steps

# If nncost refuses the optimizer of a file, the error names the option that can replace the key: --optimizer.
$ echo '{ "train_micro_batch_size_per_gpu": 1, "optimizer": { "type": "Adagrad" } }' >other.json
$ nncost show other.json --to-options
! nncost: other.json:1: optimizer.type: cannot be estimated, expected adam, adamw, fusedadam, deepspeedcpuadam, torch_adam, lamb, onebitadam, zerooneadam, onebitlamb, lion, muon, found Adagrad; give the optimizer with the same number of states by --optimizer, and --lenient skips the key
[3]

# With --method dpo, the batch of a TRL file is a number of pairs of answers. Without --method dpo, nncost refuses the
# key beta, which belongs to methods that train on pairs of answers.
$ printf 'model_name_or_path: x\nper_device_train_batch_size: 4\nbeta: 0.1\nbf16: true\ndtype: bfloat16\n' >dpo.yaml
$ nncost estimate dpo.yaml dense round
! nncost: dpo.yaml:3: beta: cannot be estimated, found 0.1; --method dpo, with which a batch counts pairs of answers, or options of nncost alone, and --lenient skips the key
[3]
$ nncost estimate dpo.yaml dense round --devices 1 --method dpo | grep '^plan'
plan      helper models of 214.2 MB, whose passes 'nncost run' counts, batch 8, sequence 1000, bf16,

# The losses orpo and simpo need no reference model, so nncost does not set --method dpo for them.
$ printf 'model_name_or_path: x\nstage: dpo\ndo_train: true\nbf16: true\nfinetuning_type: lora\nlora_rank: 4\npref_loss: sigmoid\n' >pref.yaml
$ nncost show pref.yaml --to-options | grep -o -e '--method [a-z]*' -e '--micro-batch [0-9]*'
--micro-batch 16
--method dpo
$ sed s/sigmoid/orpo/ pref.yaml >orpo.yaml
$ nncost show orpo.yaml --to-options | grep -o -e '--method [a-z]*' -e '--micro-batch [0-9]*'
--micro-batch 16

# A YAML file may repeat a key with the same value. A repeated key with another value is an error.
$ printf 'base_model: x\nmicro_batch_size: 2\nsequence_len: 1_0\nmicro_batch_size:\n  2\n' >twice.yaml
$ nncost show twice.yaml --to-options | grep -o -e '--micro-batch [0-9]*'
--micro-batch 2
$ printf 'base_model: x\nmicro_batch_size: 2\nmicro_batch_size: 20\n' >twice.yaml
$ nncost show twice.yaml --to-options
! nncost: twice.yaml:3: micro_batch_size: repeated key, expected each key once, found this key again
[3]

# If accelerate uses FSDP 2 and fp8, it gathers the weights in 8 bits. With the backend TE (Transformer Engine),
# accelerate gathers the weights in their full format.
$ printf 'distributed_type: FSDP\nmixed_precision: fp8\nfsdp_config:\n  fsdp_version: 2\n  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n  fsdp_reshard_after_forward: true\n' >fp8.yaml
$ nncost show fp8.yaml --to-options
nncost estimate MODEL DEVICE --zero 3 --reshard --precision fp8 --fp8-gather
\# fp8.yaml:1: fp8_config: linear weights are gathered in 8 bits: memory, and a step without resharding, count the full format
$ printf 'fp8_config:\n  backend: TE\n' | cat fp8.yaml - >te.yaml
$ nncost show te.yaml --to-options
nncost estimate MODEL DEVICE --zero 3 --reshard --precision fp8

# nncost ignores a key of vLLM that moves the KV cache to host memory, because the engine computes the same requests.
# nncost refuses a key that sends the KV cache to another engine.
$ nncost show dense --to-options -- vllm serve x --kv-transfer-config '{"kv_connector": "OffloadingConnector", "kv_role": "kv_both", "kv_connector_extra_config": {"cpu_bytes_to_use": 1}}'
nncost serve dense DEVICE --software vllm --data 1
$ nncost show dense --to-options -- vllm serve x --kv-transfer-config '{"kv_connector": "NixlConnector", "kv_role": "kv_both"}'
! nncost: arguments:1: kv-transfer-config.kv_connector: cannot be estimated, expected MooncakeStoreConnector, OffloadingConnector, SimpleCPUOffloadConnector, LMCacheConnector, LMCacheConnectorV1, LMCacheMPConnector, found NixlConnector; --disaggregate P:D, and --lenient skips the key
[3]

# If the draft model of vLLM is the served model, the served model has heads that make the drafts. For a head of EAGLE,
# nncost uses the default of --draft-share. For a draft model that is neither the served model nor a head of EAGLE,
# nncost asks for --draft.
$ nncost show dense --to-options -- vllm serve a/x --limit-mm-per-prompt.video 0 --speculative-config '{"method": "ernie_mtp", "model": "a/x", "num_speculative_tokens": 1}'
nncost serve dense DEVICE --software vllm --acceptance 0.7 --draft-length 1 --data 1
$ nncost show dense --to-options -- vllm serve a/x --speculative-config '{"method": "eagle3", "model": "a/y", "num_speculative_tokens": 1}'
nncost serve dense DEVICE --software vllm --acceptance 0.7 --draft-length 1 --data 1
\# arguments:1: speculative_config.model: a draft head: its time is that of --draft-share, and its weights are left out
$ nncost show dense --to-options -- vllm serve a/x --speculative-config '{"model": "a/y", "num_speculative_tokens": 1}'
! nncost: arguments:1: speculative-config.model: cannot be estimated; --draft MODEL, or --draft-share X for a small head, and --lenient skips the key
[3]

# The options of the command vllm serve take precedence over its YAML file. A script may write the YAML file of vllm
# serve.
$ printf 'tensor-parallel-size: 4\nmax-num-seqs: 32\n' >e.yaml; nncost show dense --to-options -- vllm serve a/x --config e.yaml --max-num-seqs 64
nncost serve dense DEVICE --software vllm --max-batch 64 --tensor 4 --data 1
$ printf 'cat >w.yaml <<EOF\nmax-num-batched-tokens: 4096\nEOF\nvllm serve a/x --config w.yaml\n' >e.sh; nncost show e.sh dense --to-options
nncost serve dense DEVICE --software vllm --chunk 4096 --data 1
$ nncost serve dense round -- vllm serve a/x --config none.yaml
! nncost: arguments:1: config: no such file, expected "none.yaml"; give the file on the command line
[3]

# nncost refuses a script that starts a program which does not train (mmlu.py), even if MODEL is given.
$ printf 'torchrun --nproc_per_node 8 tools/mmlu.py --num-layers 2 --tensor-model-parallel-size 2\n' >m.sh; nncost estimate m.sh dense round
! nncost: m.sh:1: .program: cannot be estimated, expected pretrain_gpt.py, pretrain_gpt_core.py, finetune_gpt.py, posttrain_gpt.py, pretrain_mamba.py, pretrain_hybrid.py, pretrain_bert.py, pretrain_t5.py ..., found mmlu.py; a program that trains: nncost serve MODEL DEVICE estimates one that generates text, and --lenient skips the key
[3]
$ sed -i s/mmlu/train/ m.sh; nncost show m.sh dense --to-options
nncost estimate dense DEVICE --software megatron --tensor 2 --pipeline 1 --optimizer adamw --clip-gradients --attention flash --zero 0 --sequence-parallel=off --devices 8 --devices-per-node 8 --precision fp32 --policy fp32 --overlap 0

# If the language model and the towers are frozen, only the projection between them is trained, and nncost uses --train
# norm. If only the language model is frozen, nncost asks for --train.
$ nncost show dense --to-options -- torchrun train.py --num-layers 2 --bf16 --freeze-LM --freeze-ViT | grep -o -- '--train .*\|freeze.*'
--train norm --tensor 1 --pipeline 1 --optimizer adamw --clip-gradients --attention flash --zero 0 --sequence-parallel=off --policy mixed-fp32grad --overlap 0
freeze_LM: only the projection of the towers is trained: it counts as the norms
$ nncost estimate dense round -- torchrun train.py --num-layers 2 --bf16 --freeze-LM
! nncost: arguments:1: freeze-LM: cannot be estimated together with the other keys; --train LIST names the parts that are trained, and --lenient skips the key
[3]

# MaxText with sparse_matmul: false and without a capacity factor: every expert computes every token, so all parameters
# are active.
$ printf 'base_config: base.yml\nnum_experts: 4\nnum_experts_per_tok: 2\nsparse_matmul: false\n' >x.yml; nncost estimate x.yml round --format json | grep -o '"params": [0-9]*, "active_params": [0-9]*'
"params": 3218278400, "active_params": 3218278400
$ nncost show x.yml --to-options | grep '^#'
\# x.yml:4: sparse_matmul: every expert computes every token: the FLOPs of the model count them all
$ sed -i 's/false/true/' x.yml; nncost estimate x.yml round --format json | grep -o '"params": [0-9]*, "active_params": [0-9]*'
"params": 3218278400, "active_params": 1808992256

# MindSpeed-LLM is a version of Megatron-LM for Ascend processors, and has additional options. nncost reads
# --context-parallel-algo and refuses --swap-attention.
$ nncost show dense --to-options -- msrun --worker_num 16 --local_worker_num 8 posttrain_gpt.py --num-layers 2 --bf16 --use-fused-swiglu --context-parallel-size 2 --context-parallel-algo ulysses_cp_algo --stage sft --model-type-hf qwen3 --ai-framework mindspore | grep -o -- '--context.*'
--context 2 --context-kind ulysses --tensor 1 --pipeline 1 --optimizer adamw --clip-gradients --attention flash --zero 0 --sequence-parallel=off --devices 16 --devices-per-node 8 --policy mixed-fp32grad
$ nncost show dense --to-options -- torchrun posttrain_gpt.py --num-layers 2 --bf16 --swap-attention
! nncost: arguments:1: swap-attention: cannot be estimated, expected false, found true; --offload activations or --recompute LIST, and --lenient skips the key
[3]

# Parameters: attention and norms of 4 layers, 4 x (4 x 64 x 64 + 2 x 64); the dense MLP of the first layer, 3 x 64 x
# 160; experts, shared experts and routers of 3 layers, 3 x (8 x 3 x 64 x 32 + 3 x 64 x 64 + 8 x 64); the last norm, 64;
# embedding and head, 2 x 256 x 64. The sum is 315,456.
$ nncost estimate round --software eager --format json --micro-batch 1 --global-batch 8 -- torchrun --nproc_per_node 8 posttrain_gpt.py --bf16 --num-layers 4 --hidden-size 64 --num-attention-heads 4 --seq-length 128 --padded-vocab-size 256 --swiglu --ffn-hidden-size 160 --num-experts 8 --moe-router-topk 2 --moe-ffn-hidden-size 32 --n-shared-experts 2 --first-k-dense-replace 1 --untie-embeddings-and-output-weights --disable-bias-linear --normalization RMSNorm --position-embedding-type rope | grep -o '"params": [0-9]*, "active_params": [0-9]*'
"params": 315456, "active_params": 204864

# A script may name a file by its path in a container (/workspace/configs/x.yaml). nncost then uses the file with the
# same folder and name near the script (configs/x.yaml).
$ mkdir -p run/configs; printf 'model_name_or_path: dense\ndo_train: true\nstage: sft\nfinetuning_type: full\ncutoff_len: 64\nper_device_train_batch_size: 2\npure_bf16: true\nfp8: true\n' >run/configs/x.yaml; echo 'llamafactory-cli train /workspace/configs/x.yaml' >run/x.sh; nncost show run/x.sh --to-options | grep -o -- '--seq-len .*--policy [^ ]*'
--seq-len 64 --micro-batch 2 --precision fp8 --policy bf16-pure
$ echo 'llamafactory-cli train /workspace/x.yaml' >run/configs/x.sh; nncost show run/configs/x.sh --to-options
! nncost: run/configs/x.sh:1: names the configuration /workspace/x.yaml, but this configuration is not found: give the configuration instead of the script, with the options that the command adds
[3]

# By default, Megatron-FSDP uses ZeRO 3 and stores gradients in the number format of the weights. Options of Megatron-LM
# can change the ZeRO stage and the format of the gradients.
$ nncost show dense --to-options -- torchrun pretrain_gpt.py --num-layers 2 --bf16 --use-distributed-optimizer --use-megatron-fsdp | grep -o -- '--zero .\|--policy [^ ]*'
--zero 3
--policy mixed
$ nncost show dense --to-options -- torchrun pretrain_gpt.py --num-layers 2 --bf16 --use-megatron-fsdp --data-parallel-sharding-strategy optim --megatron-fsdp-main-grads-dtype fp32 | grep -o -- '--zero .\|--policy [^ ]*'
--zero 1
--policy mixed-fp32grad

# The command after "--" may begin with a launcher, such as accelerate launch or torchrun.
$ nncost show --to-options -- accelerate launch --num_processes 4 sft.py --model_name_or_path x --per_device_train_batch_size 1 --bf16
nncost estimate x DEVICE --software torch-eager --micro-batch 1 --precision bf16 --micro-batches 1 --optimizer adamw --clip-gradients --devices 4 --policy amp
$ nncost show dense --to-options -- torchrun --nproc-per-node 2 sft.py --per_device_train_batch_size 1 --bf16
nncost estimate dense DEVICE --software torch-eager --micro-batch 1 --precision bf16 --micro-batches 1 --optimizer adamw --clip-gradients --devices 2 --devices-per-node 2 --policy amp

# If a command names a configuration file, its options and its words KEY=VALUE take precedence over the keys of this
# file. An option that nncost does not know is an error.
$ printf 'model_name_or_path: dense\nstage: sft\ndo_train: true\nfinetuning_type: full\nbf16: true\nper_device_train_batch_size: 1\n' >sft.yaml
$ nncost show --to-options -- llamafactory-cli train sft.yaml per_device_train_batch_size=4 | grep -o -- '--micro-batch .'
--micro-batch 4
$ nncost show --to-options -- llamafactory-cli train sft.yaml per_device_batch=4
! nncost: arguments:1: per_device_batch: unknown key, and it may affect the cost; give the option of nncost with the same meaning, and --lenient skips the key
[3]
$ printf 'base_model: dense\nmicro_batch_size: 1\nbf16: true\n' >tune.yaml
$ nncost show --to-options -- axolotl train tune.yaml --micro-batch-size 4 --launcher torchrun -- --nproc_per_node=2 | grep -o -- '--micro-batch .\|--devices .'
--micro-batch 4
--devices 2
$ printf 'DIR=$(cd "$(dirname "$0")" && pwd)\naccelerate launch -m axolotl.cli.train $DIR/tune.yaml --sequence_len=64\n' >tune.sh
$ nncost show tune.sh --to-options | grep -o -- '--micro-batch .\|--seq-len ..'
--seq-len 64
--micro-batch 1
$ printf 'max_seq_len: 64\nmodel: {name: mpt_causal_lm, d_model: 64, n_heads: 2, n_layers: 2, vocab_size: 128}\ntrain_loader: {dataset: {max_seq_len: "${max_seq_len}"}}\noptimizer: {name: adamw}\nglobal_train_batch_size: 8\ndevice_train_microbatch_size: 2\n' >mpt.yaml
$ nncost show --to-options -- composer -n 4 train.py mpt.yaml max_seq_len=32 | grep -o -- '--seq-len ..\|--devices .'
--seq-len 32
--devices 4
$ printf '[model]\nname = "llama3"\nflavor = "debugmodel"\n[training]\nlocal_batch_size = 1\nseq_len = 64\n' >titan.toml
$ nncost show --to-options -- torchrun --nproc_per_node 2 -m torchtitan.train --job.config_file titan.toml --training.seq-len 32 | grep -o -- '--seq-len ..\|--devices .'
--seq-len 32
--devices 2

# nncost refuses a program that reads a configuration but does not train. The error names the program.
$ printf 'python -m maxtext.checkpoint_conversion.to_maxtext base.yml model_name=llama2-7b\n' >convert.sh
$ nncost show convert.sh --to-options
! nncost: convert.sh:1: starts maxtext.checkpoint_conversion.to_maxtext, expected a program that docs/files.md lists; --from FORMAT reads the options as those of such a program
[3]

# Helper models of a training method count in the memory total. DPO keeps a frozen copy of the weights. With adapters,
# DPO needs no copy.
$ printf 'stage: dpo\ndo_train: true\nmodel_name_or_path: dense\nfinetuning_type: full\nbf16: true\ncutoff_len: 500\n' >dpo.yaml
$ nncost estimate dpo.yaml dense round --format json | grep -o '"weight_bytes": [0-9]*\|"helper_bytes": [0-9]*'
"weight_bytes": 642636000
"helper_bytes": 214212000
$ nncost estimate dpo.yaml dense round --reference-params 0 --format json | grep -o '"weight_bytes": [0-9]*'
"weight_bytes": 428424000
$ nncost estimate dpo.yaml dense round --reference-params 1e6 --reference-total-params 8e6 --format json | grep -o '"helper_bytes": [0-9]*'
"helper_bytes": 16000000
$ nncost estimate dpo.yaml dense round --reference-params 1e6 --reference-total-params 8e5
! nncost: --reference-total-params: has no effect here, expected together with --reference-params N, and N at most this number
[2]
$ sed 's/full/lora/' dpo.yaml >lora.yaml
$ nncost estimate lora.yaml dense round --format json | grep -o '"helper_bytes": [0-9]*' | wc -l
0
$ sed 's/dpo/kto/' dpo.yaml >kto.yaml
$ nncost show kto.yaml --to-options
nncost estimate dense DEVICE --software torch-eager --method kto --precision bf16 --seq-len 500 --recompute full --micro-batch 8 --micro-batches 1 --optimizer adamw --clip-gradients --policy amp

# On GPUs, MaxText divides the weights inside each node, so nncost asks for --shard. If the file gives the FSDP degrees,
# nncost computes --shard from them. nncost accepts keys that only repeat a value of base.yml.
$ printf 'base_config: base.yml\nhardware: gpu\nmodel_name: llama3-8b\n' >gpu.yml
$ nncost estimate gpu.yml round --devices 16
! nncost: gpu.yml:2: hardware: left open, expected --shard, or a file that sets this field
[3]
$ nncost estimate gpu.yml round --software torch-compile --devices 16 --shard 8 --full | grep '^plan'
plan      16 devices = data 16, ZeRO 3, sharded over 8 of 16 ranks
$ printf 'dcn_fsdp_parallelism: 2\nici_fsdp_parallelism: 4\nglobal_head_dim: 0\nshare_kv_projections: false\n' >>gpu.yml
$ nncost show gpu.yml --to-options | grep -o ' --zero.*'
 --zero 3 --shard 8

# The patterns of unfrozen_parameters may match a part of one layer. nncost refuses patterns that match different parts
# of different layers, because no option of nncost can express such patterns.
$ printf 'base_model: a/b\nsequence_len: 2048\nmicro_batch_size: 1\nbf16: true\nunfrozen_parameters:\n  - model.layers.2.mlp.+\n' >one.yml; nncost show one.yml dense round --to-options | grep -o ' --train.*--opt'
 --train mlp --train-layers 1 --train-from 2 --opt
$ echo '  - model.layers.1.self_attn.+' >>one.yml; nncost show one.yml dense round --to-options 2>&1 | grep -c 'parameters that are not whole parts'
1

# nncost does not wait for a script that reads itself, for a pipe or for a device (/dev/zero). The errors explain why
# nncost found no program.
$ echo 'bash self.sh' >self.sh; ln -s self.sh other.sh; nncost show other.sh --to-options
! nncost: other.sh:2: starts no program itself, and reads more than 16 scripts: give the options of the program
[3]
$ echo 'ls -l' >ls.sh; echo 'bash ls.sh' >calls.sh; nncost show calls.sh --to-options
! nncost: calls.sh: neither this script nor a script that it reads starts a program with options, expected a script that starts a program that docs/files.md lists
[3]
$ mkfifo pipe.sh; printf 'source pipe.sh\nsource /dev/zero\ntorchrun pretrain_gpt.py --num-layers 2 --hidden-size 64 --num-attention-heads 4 --seq-length 128 --micro-batch-size 3\n' >pipes.sh
$ timeout 10 nncost show pipes.sh --to-options | grep -o 'micro-batch .'
micro-batch 3
$ mkfifo pipe.yaml; echo 'vllm serve a/b --config pipe.yaml' >pipes.sh; timeout 10 nncost show pipes.sh --to-options
! nncost: pipe.yaml: a pipe or a device, expected a file
[3]

# A script may read another script whose name is an argument (conf/$1.sh). If the argument that names the script is
# missing, nncost asks for it. In Megatron-DeepSpeed, a model with one expert is a dense network.
$ mkdir -p conf; printf 'OPTIONS="--bf16"\n' >conf/small.sh; printf 'source "${DIR}/conf/${1}.sh"\ntorchrun pretrain_gpt.py --num-layers 2 $OPTIONS\n' >named.sh; nncost show named.sh --to-options
! nncost: named.sh:1: reads ${DIR}/conf/${1}.sh, expected 1=VALUE among the arguments
[3]
$ nncost show named.sh 1=small dense --to-options | grep -o -e '--precision bf16'
--precision bf16
$ for n in '' '--num-experts 1 --moe-expert-parallel-size 1 --topk 1'; do nncost estimate round --software eager --json -- deepspeed pretrain_gpt.py --deepspeed --no-pipeline-parallel --num-layers 2 --hidden-size 64 --num-attention-heads 4 --seq-length 128 --max-position-embeddings 128 --micro-batch-size 1 --fp16 --vocab-size 128 $n | grep -o '"params": [0-9]*'; done
"params": 116480
"params": 116480

# In a JSON template, a word in capital letters (GBSIZE) is a variable, for which nncost asks. Capital letters in
# strings, or in numbers such as 1E2, are no variables.
$ printf '{ "train_batch_size": GBSIZE,\n "zero_optimization": { "stage": ${STAGE} }, "data_efficiency": { "data_routing": { "model_type": "x" } }, "fp16": { "enabled": true, "min_loss_scale": 1E2 }, "wandb": { "team": "A \\" TEAM" } }\n' >template.json; nncost estimate template.json dense round
! nncost: template.json:1: train_batch_size: is ${GBSIZE}, which the script does not set, expected GBSIZE=VALUE among the arguments, or --global-batch
[3]
$ nncost show template.json dense round GBSIZE=8 STAGE=2 --to-options
nncost estimate dense round --software deepspeed-0.14 --global-batch 8 --zero 2 --precision fp16 --clip-gradients=off --micro-batches 1 --overlap 0

# A reward model of Axolotl reads two answers per sample, so the micro-batch of 3 samples has 6 sequences. nncost prints
# a note, because it counts the head of a language model.
$ printf 'base_model: dense\nsequence_len: 64\nmicro_batch_size: 3\nreward_model: true\n' >reward.yaml; nncost show reward.yaml --to-options | grep -o -e '--micro-batch [0-9]*' -e 'the head has .*'
--micro-batch 6
the head has one score for each of two answers: the estimate counts the head and the loss of words

# nncost reads keys of earlier versions. In Axolotl, attn_implementation takes precedence over flash_attention. In an
# early version of torchtitan, the section [training] has the pipeline degree, and the code has the sizes of LLaMA 2.
$ printf 'base_model: dense\nsequence_len: 64\nflash_attention: true\nattn_implementation: sdpa\nadapter: lora\nlora_r: 4\nlora_target_linear: true\nrelora_steps: 100\n' >old.yaml; nncost show old.yaml --to-options | grep -o -e '--attention [a-z0-9]*' -e 'restarts.*'
--attention flash
restarts, which add the adapters to the weights, are not counted
$ printf '[model]\nname = "llama2"\nflavor = "7B"\n[training]\nbatch_size = 1\npipeline_parallel_degree = 2\nfp8_linear = ""\n' >old.toml; nncost estimate old.toml round --software eager --devices 2 --json | grep -o -e '"params": [0-9]*' -e '"pipeline": [0-9]*' | head -2
"params": 6738415616
"pipeline": 2

# nncost refuses a script that only sets options if the script that it reads (common.sh) is missing. In Megatron-LM, the
# matrices of experts also have biases.
$ printf 'source ./common.sh\nMODEL_OPTIONS="--num-layers 2 --hidden-size 64 --num-attention-heads 4 --seq-length 128"\n' >part.sh
$ nncost show part.sh --to-options
! nncost: part.sh:3: starts no program itself, and the script ./common.sh, which it reads, is not found: give the options of the program
[3]
$ nncost estimate round --software torch-compile --format json -- --num-layers 1 --hidden-size 64 --num-attention-heads 4 --seq-length 128 --vocab-size 128 --num-experts 2 --moe-router-topk 1 --position-embedding-type rope --micro-batch-size 1 --bf16 | grep -o '"mlp": [0-9]*'
"mlp": 66304

# In GRPO, beta is the weight of the reference model. The default of beta is 0, and with 0 there is no reference model
# (--reference-params 0).
$ printf 'base_model: dense\nrl: grpo\ntrl:\n  num_generations: 4\n  num_iterations: 2\nbf16: true\n' >grpo.yaml
$ nncost show grpo.yaml --to-options
nncost estimate dense DEVICE --software torch-eager --method grpo --group 4 --update-epochs 2 --precision bf16 --seq-len 512 --micro-batch 1 --optimizer adamw --clip-gradients --reference-params 0 --policy bf16-pure
$ printf 'rl_beta: 0.1\n' | cat grpo.yaml - >kl.yaml
$ nncost show kl.yaml --to-options
nncost estimate dense DEVICE --software torch-eager --method grpo --group 4 --update-epochs 2 --precision bf16 --seq-len 512 --micro-batch 1 --optimizer adamw --clip-gradients --policy bf16-pure
$ sed 's/trl:/trl:\n  beta: 0.0/' kl.yaml >nokl.yaml
$ nncost show nokl.yaml --to-options
nncost estimate dense DEVICE --software torch-eager --method grpo --group 4 --update-epochs 2 --precision bf16 --seq-len 512 --micro-batch 1 --optimizer adamw --clip-gradients --reference-params 0 --policy bf16-pure

# vLLM with a model that nncost does not know: expert parallelism means that the model has experts. Without expert
# parallelism, nncost asks for --data, because data-parallel ranks may be replicas or groups of attention data.
$ nncost show --to-options -- vllm serve a/x --enable-expert-parallel --tensor-parallel-size 2 --data-parallel-size 4
nncost serve a/x DEVICE --software vllm --tensor 2 --expert 8 --attention-data 4
$ nncost show --to-options -- vllm serve a/x --tensor-parallel-size 2 --data-parallel-size 4
nncost serve a/x DEVICE --software vllm --tensor 2
\# arguments:1: data_parallel_size: left open, expected --data, or a file that sets this field

# If the command line gives two MaxText files, the values of the second file replace those of the first file.
$ printf 'run_name: ""\nbase_emb_dim: 512\nbase_num_decoder_layers: 3\nmax_target_length: 1024\nper_device_batch_size: 4\nbase_mlp_dim: 7168\nmesh_axes: ["data"]\n' >base.yml
$ printf 'base_config: "base.yml"\nbase_emb_dim: 256\nper_device_batch_size: 2\n' >top.yml
$ nncost show base.yml top.yml --to-options
nncost estimate ./top.yml DEVICE --micro-batch 2 --seq-len 1024 --micro-batches 1 --recompute full --precision bf16 --policy amp --optimizer adamw --clip-gradients --attention flash --tensor 1 --context 1 --expert 1 --zero 3
$ nncost estimate base.yml top.yml round --format json | grep -o '"layers": [0-9]*\|"hidden": [0-9]*\|"params": [0-9]*' | sort -u
"params": 39192320
$ printf 'base_config: "other.yml"\n' >other.yml
$ nncost show base.yml other.yml --to-options
! nncost: other.yml:1: base_config: cannot be estimated, expected base.yml, ./base.yml, configs/base.yml, src/maxtext/configs/base.yml, found other.yml; give the settings of this file as options; nncost serve MODEL DEVICE estimates inference, and --lenient skips the key
[3]

# TRL files (with the key use_peft) compute in bf16 by default. In files without use_peft and without the key bf16, the
# number format of the weights (dtype) decides.
$ printf 'model_name_or_path: dense\nuse_peft: false\nper_device_train_batch_size: 2\n' >trl.yaml
$ nncost show trl.yaml --to-options
nncost estimate dense DEVICE --software torch-eager --micro-batch 2 --micro-batches 1 --optimizer adamw --clip-gradients --precision bf16 --policy amp
$ printf 'model_name_or_path: dense\ndtype: bfloat16\nper_device_train_batch_size: 2\n' >pure.yaml
$ nncost show pure.yaml --to-options
nncost estimate dense DEVICE --software torch-eager --micro-batch 2 --micro-batches 1 --optimizer adamw --clip-gradients --precision bf16 --policy bf16-pure
$ sed 's/bfloat16/auto/' pure.yaml >auto.yaml
$ nncost show auto.yaml --to-options
nncost estimate dense DEVICE --software torch-eager --micro-batch 2 --micro-batches 1 --optimizer adamw --clip-gradients
\# auto.yaml:2: dtype: left open, expected --precision, or a file that sets this field

# MaxText with several replicas divides the weights inside each replica. The size of a replica depends on the number of
# devices, so nncost asks for --shard.
$ printf 'base_config: base.yml\nmodel_name: llama3-8b\nici_fsdp_parallelism: -1\ndcn_data_parallelism: 2\n' >replicas.yml
$ nncost show replicas.yml --to-options
nncost estimate ./replicas.yml DEVICE --micro-batch 12 --micro-batches 1 --seq-len 2048 --recompute full --precision bf16 --policy amp --optimizer adamw --clip-gradients --attention flash --tensor 1 --context 1 --expert 1 --zero 3
\# replicas.yml:4: dcn_data_parallelism: left open, expected --shard, or a file that sets this field

# torchtitan files set the kernels of the optimizer update (--optimizer-kernels). In LLaMA-Factory, max_new_tokens has
# an effect only with PPO. The name of a launch file may be long.
$ printf '[model]\nname = "llama3"\nflavor = "8B"\n[optimizer]\nimplementation = "foreach"\n[parallelism]\ntensor_parallel_degree = 1\n' >foreach.toml
$ nncost show foreach.toml --to-options
nncost estimate ./foreach.toml DEVICE --software fsdp --optimizer-kernels foreach --tensor 1 --seq-len 2048 --clip-gradients --pipeline 1 --context 1 --context-kind all-gather --expert 1 --recompute full --policy amp --precision bf16 --optimizer adamw --micro-batch 8 --zero 3 --reshard --recompute-layers 16
$ long=a-name-that-is-longer-than-the-id-of-a-model-may-be-by-a-few-letters; cp foreach.toml $long.toml
> nncost show $long.toml round --to-options | cut -d' ' -f1-4
nncost estimate ./a-name-that-is-longer-than-the-id-of-a-model-may-be-by-a-few-letters.toml round
$ printf 'stage: ppo\ndo_train: true\nmodel_name_or_path: dense\nmax_new_tokens: 100\n' >ppo.yaml
$ nncost show ppo.yaml --to-options
nncost estimate dense DEVICE --software torch-eager --method ppo --response-tokens 100 --seq-len 2048 --adapter-rank 8 --adapters linear --recompute full --micro-batch 8 --micro-batches 1 --optimizer adamw --clip-gradients --critic-params 0 --precision bf16

# --fp8-gather: FSDP gathers the matrices of a layer in 1 byte per weight instead of 2. A layer of the model "dense" has
# 12,000,000 weights in matrices, so with --fp8-gather the gather transfers 12,000,000 B less than without it.
$ nncost ops dense fitted --data 2 --zero 3 --reshard --precision fp8 --policy mixed --format csv | grep gather_weights | cut -d, -f1,6,7
data.gather_weights,1,bytes=22000000
data.gather_weights,8,bytes=24026000
data.gather_weights,1,bytes=4000
data.gather_weights,1,bytes=4000
data.gather_weights,8,bytes=24026000
data.gather_weights,1,bytes=22000000
$ nncost ops dense fitted --data 2 --zero 3 --reshard --precision fp8 --policy mixed --fp8-gather --format csv | grep gather_weights | cut -d, -f1,6,7
data.gather_weights,1,bytes=22000000
data.gather_weights,8,bytes=12026000
data.gather_weights,1,bytes=4000
data.gather_weights,1,bytes=4000
data.gather_weights,8,bytes=12026000
data.gather_weights,1,bytes=22000000
$ printf '[model]\nname = "llama3"\nflavor = "8B"\nconverters = ["float8"]\n[float8]\nenable_fsdp_float8_all_gather = true\n' >gather.toml
$ nncost show gather.toml --to-options
nncost estimate ./gather.toml DEVICE --software fsdp --precision fp8 --fp8-gather --seq-len 2048 --clip-gradients --tensor 1 --pipeline 1 --context 1 --context-kind all-gather --expert 1 --recompute full --policy amp --optimizer adamw --micro-batch 8 --zero 3 --reshard --recompute-layers 16
\# gather.toml:6: float8.enable_fsdp_float8_all_gather: linear weights are gathered in 8 bits: memory, and a step without resharding, count the full format

# In nanotron, llama3_ring_attention gathers keys and values (--context-kind all-gather). nncost accepts a file in which
# every fourth layer has no rotary positions (no_rope_layer).
$ printf 'general:\n  run: x\nmodel:\n  dtype: bfloat16\n  model_config:\n    is_qwen2_config: true\n    _attn_implementation: llama3_ring_attention\n    ring_attn_heads_k_stride: 1\n    hidden_size: 64\n    intermediate_size: 128\n    num_attention_heads: 4\n    num_hidden_layers: 4\n    num_key_value_heads: 4\n    max_position_embeddings: 512\n    vocab_size: 128\n    no_rope_layer: 4\n    tie_word_embeddings: true\nparallelism:\n  dp: 2\n  tp: 1\n  pp: 1\n  context_parallel_size: 4\n  recompute_layer: true\ntokens:\n  batch_accumulation_per_replica: 3\n  micro_batch_size: 1\n  sequence_length: 512\noptimizer:\n  accumulate_grad_in_fp32: true\n  zero_stage: 0\n' >ring.yaml
$ nncost show ring.yaml --to-options
nncost estimate ./ring.yaml DEVICE --software nanotron --precision bf16 --attention flash2 --context-kind all-gather --data 2 --tensor 1 --pipeline 1 --context 4 --recompute full --micro-batches 3 --micro-batch 1 --seq-len 512 --policy mixed-fp32grad --zero 0 --clip-gradients=off --optimizer adamw --devices 8

# Adapters on routed experts need a model with experts, kernels for such adapters (use_scattermoe), and experts that are
# not divided over tensor ranks. nncost refuses such adapters together with lora_target_linear, which already names all
# linear layers.
$ printf 'base_model: experts\nadapter: lora\nlora_r: 16\nlora_target_parameters: [mlp.experts.gate_up_proj, mlp.experts.down_proj]\nmicro_batch_size: 1\n' >plain.yaml
$ (cat plain.yaml; echo 'use_scattermoe: true') >experts.yaml; (cat experts.yaml; echo 'lora_target_linear: true') >both.yaml
$ nncost show experts.yaml --to-options
nncost estimate experts DEVICE --software torch-eager --adapter-rank 16 --adapters experts --micro-batch 1 --seq-len 512 --optimizer adamw --clip-gradients --precision bf16
$ nncost show plain.yaml --to-options
! nncost: plain.yaml:4: lora_target_parameters: cannot be estimated together with the other keys; --adapters LIST names the layers with adapters; nncost has adapters of experts with use_scattermoe or use_sonicmoe, both matrices, and --lenient skips the key
[3]
$ nncost show both.yaml --to-options
! nncost: both.yaml:4: lora_target_parameters: cannot be estimated together with the other keys; --adapters LIST names the layers with adapters; nncost has adapters of experts with use_scattermoe or use_sonicmoe, both matrices, and --lenient skips the key
[3]
$ sed 's/_parameters.*/_modules: [q_proj, gate_proj, up_proj, down_proj]/' plain.yaml >modules.yaml
$ nncost show modules.yaml --to-options
nncost estimate experts DEVICE --software torch-eager --adapter-rank 16 --adapters mlp,q --micro-batch 1 --seq-len 512 --optimizer adamw --clip-gradients --precision bf16
\# modules.yaml:4: lora_target_modules: some versions of peft and transformers also put adapters on routed experts: --adapters attention,mlp,experts counts them
$ sed 's/: experts/: dense/' modules.yaml >without.yaml; nncost show without.yaml --to-options
nncost estimate dense DEVICE --software torch-eager --adapter-rank 16 --adapters mlp,q --micro-batch 1 --seq-len 512 --optimizer adamw --clip-gradients --precision bf16
$ nncost estimate dense fitted --adapter-rank 16 --adapters experts
! nncost: --adapters: the model has no routed experts, expected a list without experts
[3]
$ nncost estimate experts fitted --devices 2 --tensor 2 --adapter-rank 16 --adapters attention,experts
! nncost: --adapters: tensor ranks divide each expert, so experts cannot have adapters, expected --tensor 1 or --whole-experts
[3]
$ nncost estimate experts fitted --dora --adapter-rank 16 --adapters experts
! nncost: --adapters: routed experts have no DoRA, expected --dora off or a list without experts
[3]

# A file of LLaMA-Factory v1 does not give the training method, because the subcommand does. If the data set has dpo in
# its name, nncost asks for --method.
$ printf 'model: dense\npeft_config:\n  name: lora\n  r: 8\ndist_config:\n  name: fsdp2\ntrain_dataset: data/v1_dpo_demo.yaml\nmicro_batch_size: 1\n' >pairs.yaml
$ nncost estimate pairs.yaml fitted
! nncost: pairs.yaml:7: train_dataset: left open, expected --method, or a file that sets this field
[3]
$ nncost show pairs.yaml --to-options
nncost estimate dense DEVICE --adapter-rank 8 --zero 3 --reshard --micro-batch 1 --micro-batches 1 --seq-len 2048 --precision bf16 --recompute full --context 1 --optimizer adamw --clip-gradients
\# pairs.yaml:7: train_dataset: left open, expected --method, or a file that sets this field
$ sed 's/_dpo_/_sft_/' pairs.yaml >one.yaml; nncost show one.yaml --to-options
nncost estimate dense DEVICE --adapter-rank 8 --zero 3 --reshard --micro-batch 1 --micro-batches 1 --seq-len 2048 --precision bf16 --recompute full --context 1 --optimizer adamw --clip-gradients

# nncost refuses a pattern with nested repeats, such as (a+)+, because its compilation can take minutes.
$ printf 'base_model: meta-llama/Llama-3.1-8B\nsequence_len: 2048\nmicro_batch_size: 1\nbf16: true\nunfrozen_parameters:\n  - ((((((((((((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+\n' >p.yml
$ nncost estimate p.yml dense round
! nncost: p.yml:5: unfrozen_parameters: names parameters that are not whole parts of layers; --train LIST names the parts that are trained; with an adapter, names of parameters begin with base_model.model, so that patterns of the model match none, and --lenient skips the key
[3]
$ printf 'base_model: meta-llama/Llama-3.1-8B\nsequence_len: 2048\nmicro_batch_size: 1\nbf16: true\nunfrozen_parameters:\n  - a++++++++++++++++++++++++++++++\n' >p.yml
$ timeout 5 nncost estimate p.yml dense round >out 2>err; echo $?; grep -c 'names parameters that are not' err
3
1

# As in Python, each alternative of a pattern must match from the beginning of a parameter's name: embed_tokens does not
# match model.embed_tokens.weight, so only the head is trained.
$ printf 'base_model: meta-llama/Llama-3.1-8B\nsequence_len: 2048\nmicro_batch_size: 1\nbf16: true\nunfrozen_parameters:\n  - x|embed_tokens|lm_head\n' >p.yml
$ nncost show p.yml dense round --to-options | grep -o 'train [a-z,]*'
train head
$ sed -i 's/x|.*/a)|(lm_head/' p.yml; nncost show p.yml dense round --to-options 2>err; echo $?; grep -c 'names parameters that are not' err
3
1

# The plugin for cut cross entropy computes the loss in chunks. cut_cross_entropy: false switches the plugin off.
$ printf 'base_model: dense\nsequence_len: 8\nmicro_batch_size: 1\ngradient_accumulation_steps: 1\noptimizer: adamw_torch\nbf16: true\nplugins:\n  - axolotl.integrations.cut_cross_entropy.CutCrossEntropyPlugin\n' >cce.yml
$ nncost show cce.yml DEVICE --to-options | grep -o 'loss-keep.*'
loss-keep chunks
$ echo 'cut_cross_entropy: false' >>cce.yml; nncost show cce.yml --to-options | grep -c loss-keep
0
[1]

# A table of a launch format in a data folder of the user takes precedence over the shipped table. A row without the
# member "key" is an error.
$ mkdir -p own/foreign/launch; printf 'sequence_len: 64\nmicro_batch_size: 2\ngradient_accumulation_steps: 1\n' >own.yaml
$ NNCOST_PATH=own:$NNCOST_PATH nncost show own.yaml dense --from axolotl --to-options
nncost estimate dense DEVICE --software torch-eager --seq-len 64 --micro-batch 2 --micro-batches 1 --optimizer adamw --clip-gradients --precision bf16 --policy bf16-pure
$ sed 's/"sequence_len", "to": "seq_len"/"sequence_len", "harmless": "mine"/' ../shipped/foreign/launch/axolotl.json >own/foreign/launch/axolotl.json
$ NNCOST_PATH=own:$NNCOST_PATH nncost show own.yaml dense --from axolotl --to-options
nncost estimate dense DEVICE --software torch-eager --micro-batch 2 --micro-batches 1 --optimizer adamw --clip-gradients --precision bf16 --policy bf16-pure
$ sed -i 's/{ "key": "sequence_len"/{ "keys": "sequence_len"/' own/foreign/launch/axolotl.json; NNCOST_PATH=own:$NNCOST_PATH nncost show own.yaml dense --from axolotl --to-options
! nncost: own/foreign/launch/axolotl.json:10: keys[1]: wrong row, expected an object with a text "key", found an object
[3]

# Without --devices, a plan has as many data ranks as its expert ranks or its shards need.
$ printf '[model]\nname = "deepseek_v3"\nflavor = "16B"\n[training]\nlocal_batch_size = 4\nseq_len = 4096\n[parallelism]\nexpert_parallel_degree = 8\n' >ep.toml
$ nncost estimate ep.toml round --software torch-compile | grep -o '^plan .* zero3'
plan      8 devices dp8 ep8 zero3
$ nncost estimate dense round --shard 4 --zero 3 | grep -o '^plan .* dp4'
plan      4 devices dp4

# A repeated key is an error if the earlier value has an anchor (&a) that an alias (*a) uses.
$ printf 'zero: &a null\nzero: 1\nseq_len: *a\n' >alias.yaml; nncost show alias.yaml dense --from axolotl --to-options
! nncost: alias.yaml:2: zero: repeated key, expected each key once, found this key again
[3]

# The shell that "bash -c" starts expands variables in single quotes, and it removes quotes that are in the value of a
# variable. nncost reads the options of the launcher, although an earlier line of the script prints the command.
$ printf 'export LAUNCHER="torchrun --nproc_per_node 4 --nnodes 2"\nexport CMD="pretrain_gpt.py --bf16 --num-layers 4 --pipeline-model-parallel-size 2 --pp-partition-method '"'"'type:transformer|embedding'"'"'"\necho $CMD\nsrun bash -c '"'"'$LAUNCHER --node_rank $R $CMD'"'"' 2>&1 | tee log\n' >quotes.sh
$ tail -2 quotes.sh
echo $CMD
srun bash -c '$LAUNCHER --node_rank $R $CMD' 2>&1 | tee log
$ nncost show quotes.sh dense --to-options | grep -o -- '--devices .\|--ends-as-layers'
--ends-as-layers
--devices 8

# If Megatron-LM has a pattern of layers, nncost ignores the ratios of a hybrid model. Without a pattern, nncost refuses
# the ratios. nncost accepts --max-padding-length only if it is equal to --seq-length.
$ nncost show dense --to-options -- torchrun pretrain_mamba.py --bf16 --num-layers 2 --hybrid-override-pattern 'M*' --hybrid-attention-ratio 0.5 --hybrid-mlp-ratio 0.5 | grep -c tensor
1
$ nncost show --to-options -- torchrun pretrain_mamba.py --bf16 --num-layers 2 --hybrid-attention-ratio 0.5
! nncost: arguments:1: hybrid-attention-ratio: cannot be estimated, expected 0, found 0.5; MODEL, and --lenient skips the key
[3]
$ nncost show dense --to-options -- torchrun pretrain_gpt.py --bf16 --num-layers 2 --seq-length 64 --max-padding-length 64 | grep -o -- '--seq-len ..'
--seq-len 64
$ nncost show dense --to-options -- torchrun pretrain_gpt.py --bf16 --num-layers 2 --seq-length 64 --max-padding-length 32
! nncost: arguments:1: max-padding-length: cannot be estimated; --seq-len N, and --lenient skips the key
[3]

# The key activation_checkpointing of DeepSpeed has an effect only in programs that call DeepSpeed's checkpointing. A
# DeepSpeed file does not show whether its program calls DeepSpeed's checkpointing, so nncost prints a note.
$ printf '{"train_batch_size": 8, "activation_checkpointing": {"partition_activations": true}}' >parts.json
$ nncost show parts.json dense --to-options
nncost estimate dense DEVICE --software deepspeed-0.14 --global-batch 8 --zero 0 --precision fp32 --clip-gradients=off --micro-batches 1 --overlap 0
\# parts.json:1: activation_checkpointing.partition_activations: counts only in programs that call the checkpointing of DeepSpeed, with tensor parallelism: --recompute full --sequence-parallel is the nearest

# The file base.yml of MaxText may be missing, because nncost knows its values. A configuration file other than base.yml
# must exist. The option --command may give a whole command in quotes.
$ nncost show --to-options -- python3 -m MaxText.train /no/base.yml model_name=llama2-7b per_device_batch_size=4 | grep -o -- '--micro-batch .\|--seq-len ....'
--micro-batch 4
--seq-len 2048
$ nncost show --to-options -- llamafactory-cli train /no/sft.yaml cutoff_len=64
! nncost: arguments:1: names the configuration /no/sft.yaml, but this configuration is not found: give the configuration instead of the script, with the options that the command adds
[3]
$ printf 'ARGS="per_device_batch_size=2 model_name=llama2-7b \\\n max_target_length=64"\nxpk workload create --command="set -e && python3 -m MaxText.train MaxText/configs/base.yml ${ARGS}"\n' >xpk.sh
$ nncost show xpk.sh --to-options | grep -o -- '--micro-batch .\|--seq-len ..'
--micro-batch 2
--seq-len 64

# The option --fsdp_config names a JSON file with FSDP keys, which nncost reads. The precision of the trainer takes
# precedence over mixed_precision "no" in the file of accelerate.
$ printf '{"activation_checkpointing": true, "backward_prefetch": "backward_pre"}\n' >fsdp.json
$ nncost show dense --to-options -- torchrun train.py --per_device_train_batch_size 1 --bf16 True --fsdp 'full_shard auto_wrap' --fsdp_config fsdp.json | grep -o -- '--recompute [a-z]*'
--recompute full
$ printf 'distributed_type: MULTI_GPU\nmixed_precision: "no"\nnum_processes: 2\n' >multi.yaml
$ nncost show dense --to-options -- accelerate launch --config_file multi.yaml sft.py --per_device_train_batch_size 1 --bf16 True | grep -o -- '--precision [a-z0-9]*\|--devices .'
--precision bf16
--devices 2
$ nncost show multi.yaml dense --to-options | grep -o -- '--precision [a-z0-9]*'
--precision fp32

# The example program of PEFT uses adapters if use_peft_lora is true. Without lora_r, nncost asks for --adapter-rank,
# because the default rank is in the program, not in the command.
$ nncost show dense --to-options -- accelerate launch train.py --per_device_train_batch_size 1 --bf16 True --use_peft_lora True --lora_r 8 --use_4bit_quantization True | grep -o -- '--adapter-rank .\|--frozen ...'
--adapter-rank 8
--frozen nf4
$ nncost show dense --to-options -- accelerate launch train.py --per_device_train_batch_size 1 --bf16 True --use_peft_lora True
! nncost: arguments:1: use_peft_lora: cannot be estimated together with the other keys; --adapter-rank N, and --lenient skips the key
[3]

# In Megatron-DeepSpeed, --ds-sequence-parallel-size is the degree of Ulysses, and multiquery attention has one KV head.
# Without --encoder-num-layers, the encoder and the decoder of a T5 both have --num-layers layers.
$ nncost show dense --to-options -- torchrun pretrain_gpt.py --bf16 --num-layers 2 --ds-sequence-parallel-size 4 | grep -o -- '--context .\|--context-kind [a-z]*'
--context 4
--context-kind ulysses
$ SIZE="--bf16 --num-layers 2 --hidden-size 64 --num-attention-heads 4 --max-position-embeddings 64 --micro-batch-size 1 --padded-vocab-size 128"; echo "torchrun pretrain_gpt.py $SIZE --seq-length 64 \$@" >gpt.sh; echo "torchrun pretrain_t5.py $SIZE --kv-channels 16 --ffn-hidden-size 128 --encoder-seq-length 64 --decoder-seq-length 32 \$@" >t5.sh
$ sed 's/$@/--attention-head-type multiquery/' gpt.sh >mqa.sh; sed 's/$@/--group-query-attention --num-query-groups 1/' gpt.sh >gqa.sh
$ for f in gpt mqa gqa; do nncost estimate $f.sh round --software torch-eager --format json | grep -o '"params": [0-9]*' | head -1; done
"params": 112384
"params": 99904
"params": 99904
$ sed 's/$@/--encoder-num-layers 2/' t5.sh >both.sh
$ for f in t5 both; do nncost estimate $f.sh round --software torch-eager --format json | grep -o '"params": [0-9]*' | head -1; done
"params": 184192
"params": 184192

# Megatron-DeepSpeed at ZeRO stage 0 divides the optimizer states if it runs a pipeline in bf16, so nncost sets --zero
# 1. Without a pipeline, or in fp16, nncost sets --zero 0.
$ printf '{"zero_optimization": {"stage": 0}, "bf16": {"enabled": true}}\n' >ds0.json
$ for f in '' --no-pipeline-parallel; do nncost show dense --to-options -- torchrun pretrain_gpt.py --num-layers 4 --bf16 --deepspeed --deepspeed_config ds0.json $f | grep -o -- '--zero .'; done
--zero 1
--zero 0
$ sed 's/bf16/fp16/' ds0.json >ds16.json; nncost show dense --to-options -- torchrun pretrain_gpt.py --num-layers 4 --fp16 --deepspeed --deepspeed_config ds16.json | grep -o -- '--zero .'
--zero 0

# deepspeed --include lists the devices of a host. For localhost, nncost counts the devices. For a host other than
# localhost, nncost asks for --devices.
$ for i in localhost:0,1,2,3 localhost:1 worker-2:0,1; do nncost estimate dense round --format json -- deepspeed --include $i sft.py --per_device_train_batch_size 1 --bf16 True | grep -o '"devices": [0-9]*' | head -1; done
"devices": 4
"devices": 1
! nncost: arguments:1: include: left open, expected --devices, or a file that sets this field

# Options of accelerate launch take precedence over its file. If a command changes only --num_processes, nncost does not
# compute the devices per node from the file's number of nodes.
$ printf 'distributed_type: FSDP\nfsdp_config:\n  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\nmixed_precision: bf16\nnum_machines: 2\nnum_processes: 8\n' >accelerate.yaml
$ nncost show dense --to-options -- accelerate launch --config_file accelerate.yaml --num_processes 4 --mixed_precision fp16 sft.py --per_device_train_batch_size 1
nncost estimate dense DEVICE --micro-batch 1 --micro-batches 1 --optimizer adamw --clip-gradients --devices 4 --precision fp16 --zero 3 --reshard
$ nncost show dense --to-options -- accelerate launch --config_file accelerate.yaml --num_machines 4 --num_processes 16 sft.py --per_device_train_batch_size 1 | grep -o -- '--devices[^ ]* [0-9]*'
--devices-per-node 4
--devices 16
$ nncost show dense --to-options -- accelerate launch --config_file accelerate.yaml sft.py --per_device_train_batch_size 1 | grep -o -- '--devices[^ ]* [0-9]*'
--devices-per-node 4
--devices 8

# mpirun starts one process for each device of a training run. A serving engine starts its own processes, so nncost
# ignores the number of processes of mpirun and srun.
$ nncost show dense --to-options -- mpirun -np 16 -npernode 8 --mca btl ^openib -x NCCL_DEBUG=INFO python pretrain_gpt.py --num-layers 4 --bf16 | grep -o -- '--devices[^ ]* [0-9]*'
--devices 16
--devices-per-node 8
$ nncost show dense --to-options -- mpirun -n 1 --oversubscribe trtllm-serve dense --tp_size 2
nncost serve dense DEVICE --software tensorrt-llm --tensor 2
$ nncost show dense --to-options -- srun -N 1 -n 1 vllm serve dense --tensor-parallel-size 2
nncost serve dense DEVICE --software vllm --tensor 2 --data 1

# A value of the user (N=8) replaces a value that is known only when the script runs ($(nvidia-smi)). A value of the
# user (B=4) does not replace a value that the script sets (B=2). The Docker image of vLLM starts its server.
$ printf 'N=$(nvidia-smi -L | wc -l)\nB=2\ntorchrun --nproc_per_node $N sft.py --per_device_train_batch_size $B --gradient_accumulation_steps $((64/N)) --bf16 True\n' >count.sh
$ nncost show dense count.sh N=8 B=4 --to-options | grep -o -- '--devices .\|--micro-batch[es]* .'
--micro-batch 2
--micro-batches 8
--devices 8
$ nncost show --to-options -- docker run --gpus all vllm/vllm-openai:latest --model dense --tensor-parallel-size 2
nncost serve dense DEVICE --software vllm --tensor 2 --data 1
$ echo 'docker run --gpus all vllm/vllm-openai:latest dense --tensor-parallel-size 2' >docker.sh; nncost show docker.sh --to-options
nncost serve dense DEVICE --software vllm --tensor 2 --data 1
$ echo 'torchrun --nproc_per_node $G sft.py --per_device_train_batch_size 1' >unset.sh; nncost show dense unset.sh --to-options
! nncost: unset.sh:1: nproc_per_node: is ${G}, which the script does not set, expected G=VALUE among the arguments; --devices N, and --lenient skips the key
[3]

# If LLaMA-Factory trains with Megatron, recompute_granularity decides whether layers are recomputed. With its own
# trainer, LLaMA-Factory recomputes all layers by default.
$ printf 'model_name_or_path: dense\nstage: sft\ndo_train: true\nfinetuning_type: full\nbf16: true\ntensor_model_parallel_size: 1\n' >bridge.yaml
$ for g in '' 'recompute_granularity: full'; do (cat bridge.yaml; echo "$g") >granularity.yaml; nncost show granularity.yaml --to-options | grep -o -- '--recompute [a-z]*'; done
--recompute none
--recompute full
$ sed '/tensor/d' bridge.yaml >own.yaml; nncost show own.yaml --to-options | grep -o -- '--recompute [a-z]*'
--recompute full

# LLaMA-Factory v1 converts the weights to fp32 if it trains all weights. With full tuning, LLaMA-Factory v1 computes in
# bf16 only with FSDP.
$ printf 'model: dense\nmodel_class: llm\nmicro_batch_size: 1\ncutoff_len: 64\n' >v1.yaml; (cat v1.yaml; printf 'dist_config:\n  name: fsdp2\n') >v1-fsdp.yaml
$ for f in v1 v1-fsdp; do nncost show $f.yaml --to-options | grep -o -- '--precision .*' | grep -o -- '--precision [a-z0-9]*\|--policy [a-z]*'; done
--precision fp32
--precision bf16
--policy amp

# The key tf32 of Axolotl applies to matrix products in fp32. If bf16 is true, the precision is bf16.
$ for b in true false; do printf "base_model: dense\nbf16: $b\nfp16: false\ntf32: true\n" >tf32.yaml; nncost show tf32.yaml --to-options | grep -o -- '--precision [a-z0-9]*'; done
--precision bf16
--precision tf32

# A recipe of torchtune uses FSDP if it has several devices, and stores its optimizer states in bf16. nncost refuses a
# model whose name it does not know.
$ printf "tokenizer:\n  max_seq_len: 64\nmodel:\n  _component_: torchtune.models.llama3_1.qlora_llama3_1_8b\n  lora_attn_modules: ['q_proj', 'output_proj']\n  apply_lora_to_mlp: True\n  lora_rank: 4\nbatch_size: 2\ngradient_accumulation_steps: 8\noptimizer:\n  _component_: torch.optim.AdamW\nloss:\n  _component_: torchtune.modules.loss.LinearCrossEntropyLoss\ndtype: bf16\nenable_activation_checkpointing: True\n" >tune.yaml
$ nncost show tune.yaml --to-options
nncost estimate meta-llama/Llama-3.1-8B-Instruct DEVICE --seq-len 64 --adapters mlp,q,out --adapter-rank 4 --micro-batch 2 --micro-batches 8 --optimizer adamw --loss-keep chunks --precision bf16 --policy bf16-pure --recompute full --frozen nf4 --clip-gradients=off --attention flash
\# tune.yaml:8: batch_size: left open, expected --devices, or a file that sets this field
$ for n in 1 2; do nncost estimate tune.yaml dense round --devices $n --software eager --full | grep -o -e '^plan .*' -e '--zero.*'; done
plan      batch 16 = 8 micro-batches of 2, sequence 64, bf16, policy bf16-pure, adamw,
--zero 0
plan      2 devices = data 2, ZeRO 3
--zero 3 --reshard=on
$ sed 's/qlora_llama3_1_8b/lora_mine/' tune.yaml >mine.yaml; nncost estimate mine.yaml round --devices 1 2>&1 | sed 's/expected.*found/expected .. found/'
nncost: mine.yaml:4: model._component_: cannot be estimated, expected .. found torchtune.models.llama3_1.lora_mine; give MODEL, and --lenient skips the key

# The option --recompute-num-layers of Megatron-LM is a number of layers per virtual stage. With 2 layers per virtual
# stage, a pipeline rank recomputes 2 layers if it has 1 virtual stage, 8 layers if it has 4, and 4 layers if it has 2.
$ A="--num-layers 16 --hidden-size 64 --num-attention-heads 4 --seq-length 64 --micro-batch-size 1 --global-batch-size 8 --vocab-size 128 --pipeline-model-parallel-size 2 --recompute-granularity full --recompute-method block --recompute-num-layers 2"; for v in "" "--num-layers-per-virtual-pipeline-stage 2" "--num-virtual-stages-per-pipeline-rank 2"; do nncost show --to-options -- torchrun pretrain_gpt.py $A $v | grep -o -e '--recompute-layers [0-9]*'; done
--recompute-layers 2
--recompute-layers 8
--recompute-layers 4

# ms-swift starts NPROC_PER_NODE processes. If NPROC_PER_NODE is not set and one device is visible, ms-swift runs on one
# device. If several devices are visible, nncost asks for --devices.
$ printf 'n=2\nCUDA_VISIBLE_DEVICES=0,1 \\\nNPROC_PER_NODE=$n \\\nswift sft \\\n  --model dense \\\n  --tuner_type lora \\\n  --torch_dtype bfloat16 \\\n  --lora_rank 4 \\\n  --target_modules q_proj v_proj \\\n  --gradient_accumulation_steps $(expr 16 / $n) \\\n  --max_length 64 \\\n  --attn_impl flash_attn \\\n  --deepspeed zero2\n' >swift.sh; nncost show swift.sh --to-options
nncost estimate dense DEVICE --software deepspeed-0.14 --precision bf16 --adapter-rank 4 --adapters q,v --micro-batches 8 --seq-len 64 --attention flash2 --micro-batch 1 --optimizer adamw --clip-gradients --devices 2 --devices-per-node 2 --zero 2 --overlap 0 --recompute full
$ sed -e '/deepspeed/d' -e 's/flash_attn .*/flash_attn/' -e '/NPROC/d' -e 's/DEVICES=0,1/DEVICES=0/' -e 's/lora \\/full \\/' swift.sh >one.sh; nncost show one.sh --to-options
nncost estimate dense DEVICE --software torch-eager --precision bf16 --micro-batches 8 --seq-len 64 --attention flash2 --micro-batch 1 --optimizer adamw --clip-gradients --devices 1 --devices-per-node 1 --policy bf16-pure --recompute full
$ sed -e '/NPROC/d' swift.sh >split.sh; nncost estimate split.sh round
! nncost: split.sh:1: swift: left open, expected --devices, or a file that sets this field
[3]
$ sed -e 's/swift sft/swift rlhf --rlhf_type grpo/' swift.sh >grpo.sh; nncost estimate grpo.sh round
! nncost: grpo.sh:4: rlhf_type: cannot be estimated, expected dpo, kto, orpo, simpo, cpo, found grpo; nncost estimate MODEL DEVICE --method NAME, and --lenient skips the key
[3]

# If a file has lora_r but not use_peft, nncost asks for --adapter-rank, because some programs with this key do not use
# adapters. If a NeMo file does not give the number of nodes, nncost asks for --devices.
$ printf 'per_device_train_batch_size: 2\nlora_r: 4\nbf16: true\nmax_length: 64\n' >rank.yaml; nncost estimate rank.yaml dense round
! nncost: rank.yaml:2: lora_r: left open, expected --adapter-rank, or a file that sets this field
[3]
$ (cat rank.yaml; echo 'use_peft: false') >whole.yaml; nncost show whole.yaml --to-options | grep -c adapter
0
[1]
$ printf 'exp_manager:\n  name: x\ntrainer:\n  devices: 8\nmodel:\n  micro_batch_size: 1\n  global_batch_size: 8\n  encoder_seq_length: 64\n' >nodes.yaml; nncost estimate nodes.yaml dense round
! nncost: nodes.yaml:4: trainer.devices: left open, expected --devices, or a file that sets this field
[3]

# In GPT-NeoX files, keys have '-' or '_', and a later file replaces values of an earlier file. The width of a gated MLP
# is one third of intermediate_size, rounded up to a multiple of mlp-multiple-of. A layer in the style of GPT-J has two
# norms. With make-vocab-size-divisible-by 1, the vocabulary is not padded.
$ printf '{\n  "pipe-parallel-size": 0,\n  "model-parallel-size": 1,\n  "num-layers": 2,\n  "hidden-size": 64,\n  "num-attention-heads": 4,\n  "seq-length": 128,\n  "max-position-embeddings": 128,\n  "pos-emb": "rotary",\n  "norm": "rmsnorm",\n  "activation": "swiglu",\n  "intermediate-size": 400,\n  "mlp-multiple-of": 32,\n  "use-bias-in-attn-linear": false,\n  "use-bias-in-mlp": false,\n  "no-weight-tying": true,\n  "gpt-j-residual": true,\n  "make-vocab-size-divisible-by": 1,\n  "attention-config": [[["flash"], 2]],\n  "fp16": {"enabled": true, "type": "bfloat16"},\n  "zero-optimization": {"stage": 1, "overlap-comm": true},\n  "optimizer": {"type": "Adam", "params": {"lr": 1.0e-4}},\n  "train-micro-batch-size-per-gpu": 4,\n  "gradient-clipping": 1.0,\n  "checkpoint-activations": true,\n}\n' >neox.yml
$ printf '"synchronize_each_layer": true\n"train_micro_batch_size_per_gpu": 2\n"gradient_accumulation_steps": 3\n' >top.yml
$ nncost show neox.yml --to-options; nncost show neox.yml top.yml --to-options | grep -o -e '--micro-batch.*' | cut -d' ' -f1-4
nncost estimate ./neox.yml DEVICE --software megatron-deepspeed --pipeline 1 --tensor 1 --seq-len 128 --attention flash2 --precision bf16 --zero 1 --optimizer adamw --micro-batch 4 --clip-gradients --recompute full --micro-batches 1 --sequence-parallel=off
--micro-batch 2 --micro-batches 3
$ nncost estimate neox.yml round --devices 2 --software eager --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["model"]["params_by_group"])' # 50257 x 64; 2 x 3 x 64 x 160; 5 norms
{'embedding': 3216448, 'attention': 32768, 'mlp': 61440, 'norm': 320, 'head': 3216448}

# The shell expression ${NAME:=word} also sets the variable NAME to the default.
$ printf ': "${N:=3}"\ntorchrun pretrain_gpt.py --num-layers $N --hidden-size ${H=64} --ffn-hidden-size $H --num-attention-heads 4 --seq-length 64 --max-position-embeddings 64 --micro-batch-size ${B:=2} --global-batch-size $((B * 4)) --vocab-size 128\n' >assign.sh
$ for n in 3 5; do nncost estimate assign.sh N=$n round --devices 1 --software eager --json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["model"]["params"], d["plan"]["micro_batch"], d["plan"]["global_batch"])'; done; nncost show assign.sh --to-options | grep -o -e '--micro-batch.*8'
88064 2 8
138496 2 8
--micro-batch 2 --global-batch 8

# If an arithmetic expression in a script needs variables that the script does not set, nncost asks for the first of
# them.
$ printf 'torchrun --nproc_per_node 1 sft.py --per_device_train_batch_size $(( N > 8 ? N / 4 : 2 ))\n' >sum.sh; nncost estimate sum.sh dense round
! nncost: sum.sh:1: per_device_train_batch_size: is ${N}, which the script does not set, expected N=VALUE among the arguments, or --micro-batch
[3]
$ nncost show sum.sh dense round N=16 --to-options | grep -o -e '--micro-batch [0-9]*'
--micro-batch 4

# With --devices, the number of devices in a script may be unknown.
$ printf 'G=`python -c "print(8)"`\ntorchrun --nproc_per_node $G --nnodes $N sft.py --per_device_train_batch_size 1\n' >asked.sh; nncost estimate asked.sh dense round
! nncost: asked.sh:2: nproc_per_node: is ${`python_-c_"print(8)"`}, which is known only when the script runs; --devices N, and --lenient skips the key
[3]
$ nncost estimate asked.sh dense round --devices 4 --full | grep '^plan'
plan      4 devices = data 4

# In Pai-Megatron-Patch, the tokenizer and extra_vocab_size decide the vocabulary, which is not padded. nncost asks for
# MODEL if the network has a vision tower, or if the code of the program, not an option, makes the first layer dense.
$ echo "--bf16 --num-layers 2 --hidden-size 64 --num-attention-heads 4 --seq-length 64 --max-position-embeddings 64 --micro-batch-size 1 --use-rotary-position-embeddings --max-padding-length 64 --extra-vocab-size 5" >pai
$ for t in Qwen2Tokenizer LLama3Tokenizer LLamaTokenizer; do echo "torchrun pretrain_qwen.py $(cat pai) --patch-tokenizer-type $t" >$t.sh; nncost estimate $t.sh round --software torch-eager --format json 2>&1 | grep -o '"embedding": [0-9]*\|nncost: .*' | head -1; done # (151643 + 5) x 64; (128000 + 5) x 64
"embedding": 9705472
"embedding": 8192320
nncost: LLamaTokenizer.sh:1: extra-vocab-size: left open, expected --set model.vocab=N, or a file that sets this field
$ echo "torchrun pretrain_qwen.py $(cat pai) --patch-tokenizer-type Qwen2VLTokenizer --padded-vocab-size 128" >vl.sh; nncost estimate vl.sh round
! nncost: vl.sh:1: patch-tokenizer-type: left open, expected MODEL, or a file that sets this field
[3]
$ echo "torchrun pretrain_deepseek.py $(cat pai) --patch-tokenizer-type DeepSeekV2Tokenizer --padded-vocab-size 128 --moe-layer-freq 1" >ds2.sh; nncost estimate ds2.sh round
! nncost: ds2.sh:1: .program: left open, expected MODEL, or a file that sets this field
[3]

# The option --padded-vocab-size is the number of rows of the table. With --padded-vocab-size, --vocab-size and
# --make-vocab-size-divisible-by have no effect.
$ echo "torchrun pretrain_gpt.py --bf16 --num-layers 2 --hidden-size 64 --num-attention-heads 4 --seq-length 64 --max-position-embeddings 64 --micro-batch-size 1 --vocab-size 100 --make-vocab-size-divisible-by 64 --padded-vocab-size 200" >padded.sh; nncost estimate padded.sh round --software torch-eager --format json | grep -o '"embedding": [0-9]*' # (200 + 64) x 64
"embedding": 16896

# The user can give the value of a variable "${NAME}" in a YAML file of a launcher. If the embedding and the head count
# as layers of the pipeline, they also count in the virtual stages: (6 + 2) layers / 2 ranks / 2 layers per virtual
# stage = 2 virtual stages per rank. If the stages have different numbers of layers, nncost asks for --virtual-stages.
$ printf 'MODEL_ARGS:\n  --num-layers: 6\n  --tensor-model-parallel-size: ${TP}\n  --pipeline-model-parallel-size: 2\n  --num-layers-per-virtual-pipeline-stage: ${L}\n  --account-for-embedding-in-pipeline-split: true\n  --account-for-loss-in-pipeline-split: true\n  --micro-batch-size: 1\n  --seq-length: 64\n  --bf16: true\n' >zoo.yaml
$ nncost show zoo.yaml dense --to-options
! nncost: zoo.yaml:3: MODEL_ARGS.--tensor-model-parallel-size: is ${TP}, which the script does not set, expected TP=VALUE among the arguments, or --tensor; other values need L
[3]
$ nncost show zoo.yaml dense TP=4 L=2 --to-options | grep -o -- '--tensor .\|--virtual-stages .\|--ends-as-layers'
--tensor 4
--ends-as-layers
--virtual-stages 2
$ sed '/account/d' zoo.yaml >plain.yaml; nncost show plain.yaml dense TP=4 L=1 --to-options | grep -o -- '--virtual-stages .'
--virtual-stages 3
$ (sed '/account/d' zoo.yaml; echo '  --decoder-first-pipeline-num-layers: 2') >uneven.yaml; nncost estimate uneven.yaml dense round TP=1 L=1
! nncost: uneven.yaml:5: MODEL_ARGS.--num-layers-per-virtual-pipeline-stage: left open, expected --virtual-stages, or a file that sets this field
[3]

# This Megatron-LM script has a gated delta rule in three of four layers, and attention with an output gate.
# --recompute-modules lists the recomputed modules, so --recompute-activations adds no module.
$ echo "torchrun pretrain_gpt.py --bf16 --num-layers 4 --hidden-size 64 --num-attention-heads 4 --seq-length 64 --max-position-embeddings 64 --micro-batch-size 1 --padded-vocab-size 128 --position-embedding-type rope --normalization RMSNorm --disable-bias-linear --swiglu --ffn-hidden-size 128 --experimental-attention-variant gated_delta_net --linear-attention-freq 4 --linear-conv-kernel-dim 4 --linear-key-head-dim 8 --linear-value-head-dim 8 --linear-num-key-heads 4 --linear-num-value-heads 8 --attention-output-gate --recompute-activations --recompute-granularity selective --recompute-modules mlp" >delta.sh
$ nncost estimate delta.sh round --software torch-eager --json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["model"]["params_by_group"]["attention"], d["plan"]["recompute"])' # 3 x (64 x (2 x 32 + 2 x 64) + 64 x 16 + 128 x 4 + 2 x 8 + 64 x 64) + 5 x 64 x 64
74288 mlp

# If vLLM does not split prompts into chunks, nncost needs the largest number of tokens in a step.
# --max-num-batched-tokens or --chunk gives this number.
$ nncost serve dense round --input-len 8 --output-len 8 -- vllm serve dense --no-enable-chunked-prefill
! nncost: arguments:1: no-enable-chunked-prefill: cannot be estimated together with the other keys; --chunk N, and --lenient skips the key
[3]
$ nncost show dense --to-options -- vllm serve dense --no-enable-chunked-prefill --max-num-batched-tokens 8192
nncost serve dense DEVICE --software vllm --chunk 8192 --data 1
\# arguments:1: no_enable_chunked_prefill: prompts are not split: one that is longer than the rest of max_num_batched_tokens waits for the next step

# Commands that start one deployment on several nodes count as one command. Two commands without the rank of a node are
# two deployments, and nncost reports an error. SGLang accepts the beginning of an option's name (--mem-frac).
$ printf 'python3 -m sglang.launch_server --model-path dense --tp-size 4 --nnodes 2 --node-rank 0 --port 1 --mem-frac 0.8\npython3 -m sglang.launch_server --model-path dense --tp-size 4 --nnodes 2 --node-rank 1 --mem-frac 0.8\n' >nodes.sh; nncost show nodes.sh --to-options
nncost serve dense DEVICE --software sglang --memory-use 0.8 --tensor 4 --data 1
$ nncost show dense --to-options -- python3 -m sglang.launch_server --model-path dense --tp-size 4 --scheduler-recv-interval 30
nncost serve dense DEVICE --software sglang --receive-steps 30 --tensor 4 --data 1
$ nncost show dense --to-options -- python3 -m sglang.launch_server --model-path dense --enable-piecewise-cuda-graph --piecewise-cuda-graph-max-tokens 8192
nncost serve dense DEVICE --software sglang --graph-tokens 8192 --tensor 1 --data 1
$ printf 'cat >o.yml <<EOF\ntorch_compile_config:\n    capture_num_tokens: [1, 8320]\n    enable_piecewise_cuda_graph: true\nbatch_wait_timeout_iters: 40\nbatch_wait_max_tokens_ratio: 0.8\nEOF\ntrtllm-serve dense --max_num_tokens=8320 --extra_llm_api_options=o.yml\n' >graphs.sh; nncost show graphs.sh --to-options
nncost serve dense DEVICE --software tensorrt-llm --chunk 8320 --wait-steps 40 --wait-share 0.8 --graph-tokens 8320
$ sed -i 's/--max_num_tokens=8320 //' graphs.sh; nncost show graphs.sh --to-options
nncost serve dense DEVICE --software tensorrt-llm --wait-steps 40 --wait-share 0.8 --graph-tokens 8192
$ sed 's/--node-rank .//' nodes.sh >two.sh; nncost show two.sh --to-options
! nncost: two.sh: several commands, expected one command that trains or serves, found commands in lines 1 and 2; NAME=VALUE among the arguments may select one
[3]
$ sed '2s/tp-size 4/tp-size 2/' nodes.sh >other.sh; nncost show other.sh --to-options
! nncost: other.sh: several commands, expected one command that trains or serves, found commands in lines 1 and 2; NAME=VALUE among the arguments may select one
[3]
$ printf 'vllm serve dense --data-parallel-size 2 --data-parallel-size-local 1\nvllm serve dense --headless --data-parallel-start-rank 1 --data-parallel-size 2 --data-parallel-size-local 1\n' >head.sh; nncost show head.sh --to-options
nncost serve dense DEVICE --software vllm --data 2

# Megatron-LM with CUDA graphs uses the profile megatron-graphs. nncost switches ZeRO 1 and sequence parallelism on only
# if the command has these options.
$ nncost show dense --to-options -- --num-layers 2 --bf16 --tensor-model-parallel-size 2 --cuda-graph-impl local | grep -o -e '--software megatron-graphs' -e '--zero 0 --sequence-parallel=off'
--software megatron-graphs
--zero 0 --sequence-parallel=off

# nncost reads the options of Megatron-LM for GRPO, a training method with generated answers.
$ nncost show dense --to-options -- --num-layers 2 --bf16 --grpo-group-size 16 --grpo-iterations 2 --grpo-kl-beta 0.0 --langrl-env-config env.yaml | grep -o -e '--group 16' -e '--update-epochs 2' -e '--method grpo'
--group 16
--update-epochs 2
--method grpo

# MaxText can list the tensors that it keeps (remat_policy: custom). If MaxText keeps only the input of each layer,
# nncost uses full recomputation. For any list with further tensors, nncost asks for --recompute.
$ printf 'remat_policy: custom\ndecoder_layer_input: offload\nper_device_batch_size: 1\n' >remat.yml; nncost show remat.yml dense --to-options | grep -o -e '--recompute full' -e '--offload activations'
--recompute full
--offload activations
$ (cat remat.yml; echo 'out_proj: device') >kept.yml; nncost estimate kept.yml dense round
! nncost: kept.yml:1: remat_policy: left open, expected --recompute, or a file that sets this field
[3]

# MaxText: the rules of the mesh have no effect if only the axis fsdp has several devices. If an axis other than fsdp
# has several devices, nncost refuses the key mesh_axes.
$ printf 'mesh_axes: [fsdp, expert]\nlogical_axis_rules: [[embed, [fsdp, expert]]]\nper_device_batch_size: 1\n' >mesh.yml; nncost show mesh.yml dense --to-options | grep -o -e '--zero 3'
--zero 3
$ (cat mesh.yml; echo 'ici_expert_parallelism: 2') >expert.yml; nncost show expert.yml dense --to-options
! nncost: expert.yml:1: mesh_axes: cannot be estimated, expected [["norm","fsdp"]], found expert,fsdp; give the degrees by --tensor, --context, --expert and --shard, and --lenient skips the key
[3]

# A file that names a model may change fields of the model. Here GPT-2 has a longer table of positions.
$ printf 'max_seq_len: 2048\nglobal_train_batch_size: 8\ndevice_train_microbatch_size: 1\nprecision: amp_bf16\nmodel:\n  name: hf_causal_lm\n  pretrained_model_name_or_path: gpt2\n  config_overrides:\n    n_positions: 2048\n' >positions.yaml; nncost show positions.yaml --to-options | grep -o -e '--set .*'
--set model.positions_max=2048

# nncost knows the DeepSpeed files that accelerate ships by their names. nncost asks for the micro-batch, which these
# files do not set.
$ printf 'distributed_type: DEEPSPEED\ndeepspeed_config:\n  deepspeed_config_file: ../deepspeed_config_templates/zero_stage2_offload_config.json\nnum_processes: 2\n' >shipped.yaml; nncost show shipped.yaml dense --to-options
nncost estimate dense DEVICE --software deepspeed-0.14 --devices 2 --zero 2 --offload optimizer --precision fp16 --optimizer adamw --micro-batches 1 --clip-gradients
\# shipped.yaml:3: deepspeed_config.deepspeed_config_file: left open, expected --micro-batch, or a file that sets this field

# In TRL files for GRPO, which trains on generated answers, a sequence is a prompt with its answer. If beta is 0, there
# is no reference model.
$ printf 'per_device_train_batch_size: 2\nbf16: true\nmax_prompt_length: 16\nmax_completion_length: 48\nnum_generations: 8\nnum_iterations: 2\nuse_vllm: true\nreward_funcs: [accuracy]\nreward_weights: [1.0]\n' >grpo.yaml; nncost show grpo.yaml dense --to-options | grep -o -e '--response-tokens 48' -e '--method grpo' -e '--group 8' -e '--update-epochs 2' -e '--seq-len 64' -e '--reference-params 0'
--response-tokens 48
--method grpo
--group 8
--update-epochs 2
--seq-len 64
--reference-params 0
$ (cat grpo.yaml; echo 'beta: 0.04') >beta.yaml; nncost show beta.yaml dense --to-options | grep -c -e '--reference-params'
0
[1]
$ sed '/num_generations/d; /^num_iter/d' grpo.yaml >lengths.yaml; nncost show lengths.yaml dense --to-options
! nncost: lengths.yaml:3: max_prompt_length: cannot be estimated, found 16; --method dpo, with which a batch counts pairs of answers, or options of nncost alone, and --lenient skips the key
[3]

# If base.yml of MaxText has rules of the mesh, a file that changes values of base.yml may set a degree without rules of
# its own.
$ printf 'run_name: ""\nmesh_axes: [data, fsdp, tensor]\nlogical_axis_rules: [[embed, [fsdp]]]\nper_device_batch_size: 1\nici_tensor_parallelism: 1\n' >base.yml; printf 'base_config: base.yml\nici_tensor_parallelism: 2\n' >run.yml; nncost show base.yml run.yml dense --to-options | grep -o -e '--tensor 2'
--tensor 2

# nncost reads a YAML file with options of SGLang.
$ printf 'tp: 8\nenable-dp-attention: true\ndp-size: 4\nattention-backend: fa3\nport: 8000\n' >engine.yaml; nncost show engine.yaml dense --to-options
nncost serve dense DEVICE --software sglang --tensor 2 --attention-data 4
\# engine.yaml:2: enable_dp_attention: SGLang divides its own chunked_prefill_size by dp_size: --chunk N gives the tokens of each group

# The scripts of Megatron-LM for the paper of 2021 read two further scripts. nncost knows these two scripts, so their
# files may be missing. In a script without the variable MEGATRON_EXTRA_PARAMS, the scripts that it reads must exist.
$ printf 'PP=2\nGBS=16\nNLS=4\nNNODES=3\nTP=4\nMBS=1\nHS=64\nNAH=4\nDDP=local\nMEGATRON_EXTRA_PARAMS="--activations-checkpoint-method uniform "\n. `pwd`/CONFIG.sh\n. `pwd`/SBATCH.sh\n' >figure.sh; nncost show figure.sh --to-options | grep -o -e '--tensor 4' -e '--pipeline 2' -e '--devices 24' -e '--global-batch 16' -e '--recompute full' -e '--precision fp16'
--recompute full
--tensor 4
--pipeline 2
--global-batch 16
--precision fp16
--devices 24
$ sed /EXTRA/d figure.sh >other_figure.sh; nncost show other_figure.sh --to-options
! nncost: other_figure.sh:12: starts no program itself, and the script ${`pwd`}/SBATCH.sh, which it reads, is not found: give the options of the program
[3]

# accelerate can form FSDP units by a number of parameters (SIZE_BASED_WRAP). nncost reads this key and prints a note on
# its effect.
$ printf 'distributed_type: FSDP\nmixed_precision: bf16\nnum_processes: 4\nfsdp_config:\n  fsdp_auto_wrap_policy: SIZE_BASED_WRAP\n  fsdp_min_num_params: 100000000\n' >units.yaml; nncost show units.yaml dense --to-options
nncost estimate dense DEVICE --zero 3 --reshard --precision bf16 --devices 4
\# units.yaml:5: fsdp_config.fsdp_auto_wrap_policy: units of at least fsdp_min_num_params parameters: the estimate gathers the weights of each layer

# nncost prints notes for two keys of DeepSpeed: a curriculum changes the sequence length, and cpu_checkpointing has an
# effect only in programs that call DeepSpeed's checkpointing.
$ echo '{ "train_batch_size": 8, "curriculum_learning": { "enabled": true, "curriculum_type": "seqlen", "schedule_config": { "total_curriculum_step": 9 } }, "activation_checkpointing": { "cpu_checkpointing": true, "partition_activations": false } }' >schedule.json; nncost show schedule.json dense --to-options
nncost estimate dense DEVICE --software deepspeed-0.14 --global-batch 8 --zero 0 --precision fp32 --clip-gradients=off --micro-batches 1 --overlap 0
\# schedule.json:1: curriculum_learning.enabled: the estimate is for steps after the curriculum ends: sequences have their full length; --seq-len gives another one
\# schedule.json:1: activation_checkpointing.cpu_checkpointing: counts only in programs that call the checkpointing of DeepSpeed: --recompute full --offload activations is the nearest

# A file of accelerate with distributed_type NO starts one process. With ZeRO and Ulysses, one copy of
# the parameters is divided over all 8 ranks: 4 data ranks x 2 context ranks.
$ printf 'distributed_type: "NO"\nmixed_precision: bf16\nnum_machines: 1\nnum_processes: 8\n' >single.yaml; nncost show single.yaml dense --to-options
nncost estimate dense DEVICE --software torch-eager --zero 0 --precision bf16 --devices-per-node 8 --devices 1
$ printf 'distributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 3\nmixed_precision: bf16\nnum_processes: 8\nparallelism_config:\n  parallelism_config_dp_shard_size: 4\n  parallelism_config_sp_size: 2\n  parallelism_config_sp_backend: deepspeed\n' >ulysses.yaml; nncost show ulysses.yaml dense --to-options | grep -o -e '--data .*'
--data 4 --shard 8 --context 2 --context-kind ulysses --clip-gradients

# A script may print its command in a function and then run the command. nncost counts the printed command and the
# executed command as one.
$ printf 'save() {\n  local file="$1"\n  shift\n  printf "%%q " "$@" | tee "$file"\n}\nMORE=(--kv-cache-dtype fp8)\nRUN=(\n  vllm serve x\n  --block-size 64\n  "${MORE[@]}"\n)\nsave log.txt "${RUN[@]}"\n"${RUN[@]}" >log &\n' >printed.sh; nncost show printed.sh dense --to-options
nncost serve dense DEVICE --software vllm --block 64 --kv-precision fp8 --data 1

# If a script has two commands, the error names the variable that selects one of them.
$ printf 'if [ "$LONG" -eq 1 ]; then\n  vllm serve x --block-size 64\nelse\n  vllm serve x --block-size 16\nfi\n' >selected.sh; nncost show selected.sh dense --to-options
! nncost: selected.sh: several commands, expected one command that trains or serves, found commands in lines 2 and 4; LONG=VALUE among the arguments may select one
[3]
$ nncost show selected.sh dense LONG=1 --to-options | grep -o -e '--block 64'
--block 64

# The mean number of tokens of a step with drafts gives the share a of accepted drafts. With 3 drafts, 1 + a + a^2 + a^3
# = 2.533 tokens mean a = 0.7.
$ nncost show dense --to-options -- vllm serve x --speculative-config '{"method": "mtp", "num_speculative_tokens": 3, "rejection_sample_method": "synthetic", "synthetic_acceptance_length": 2.533}' | grep -o -e '--acceptance [0-9.]*'
--acceptance 0.7
$ nncost show dense --to-options -- python -m atom.entrypoints.openai_server --served-model-name x --method mtp --num-speculative-tokens 1 --spec-decode-acceptance-length 1.25 | grep -o -e '--acceptance [0-9.]*'
--acceptance 0.25
$ nncost show dense --to-options -- vllm serve x --speculative-config '{"method": "mtp", "num_speculative_tokens": 1, "synthetic_acceptance_length": 2.5}'
! nncost: arguments:1: speculative-config.synthetic_acceptance_length: needs between 1 and drafts + 1 tokens; --acceptance X, and --lenient skips the key
[3]

# torchtitan can recompute every second matrix product of a layer. nncost computes every second layer again instead, and
# every output has a note about the difference.
$ printf '[model]\nname = "llama3"\nflavor = "8B"\n[training]\nlocal_batch_size = 1\nseq_len = 64\n[activation_checkpoint]\nmode = "selective"\nselective_ac_option = "op"\n' >op.toml; nncost show op.toml --to-options | grep -e '^#' -e '--recompute-layers'
nncost estimate ./op.toml DEVICE --software fsdp --seq-len 64 --recompute full --clip-gradients --tensor 1 --pipeline 1 --context 1 --context-kind all-gather --expert 1 --policy amp --precision bf16 --optimizer adamw --micro-batch 1 --zero 3 --reshard --recompute-layers 16
\# op.toml:9: activation_checkpoint.selective_ac_option: every second product of a layer is computed again: the estimate computes every second layer again
$ sed 's/mode = .*/mode = "full"/' op.toml >full.toml; nncost show full.toml --to-options | grep -c -e '^#' -e '--recompute-layers'
0
[1]

# nncost refuses a MaxText file with use_grpo: true, because this run learns from generated answers.
$ printf 'base_config: base.yml\nuse_grpo: true\n' >rl.yml; nncost show rl.yml dense --to-options
! nncost: rl.yml:2: use_grpo: cannot be estimated, expected false, found true; --method grpo, and --lenient skips the key
[3]

# A run file of the MosaicML platform, for llm-foundry, has the command, the command's configuration and the number of
# devices.
$ printf 'name: run\nimage: x\ncompute:\n  gpus: 16\ncommand: |\n  cd scripts\n  composer train/train.py /mnt/config/parameters.yaml max_seq_len=64\nparameters:\n  max_seq_len: 32\n  global_train_batch_size: 8\n  device_train_microbatch_size: auto\n  model:\n    name: hf_causal_lm\n    pretrained_model_name_or_path: dense\n' >run.yaml; nncost show run.yaml --to-options
nncost estimate dense DEVICE --software composer --seq-len 64 --global-batch 8 --precision bf16 --devices 16 --zero 0 --policy amp --clip-gradients=off
\# run.yaml:1: device_train_microbatch_size: left open, expected --micro-batch, or a file that sets this field
$ sed 's/train\/train/eval\/eval/' run.yaml >eval.yaml; nncost show eval.yaml --to-options
! nncost: eval.yaml:7: starts eval.py, expected a program that docs/files.md lists; --from FORMAT reads the options as those of such a program
[3]
$ sed 's/    name: hf_causal_lm/    layers: 9/' run.yaml >unknown.yaml; nncost show unknown.yaml --to-options
! nncost: unknown.yaml:13: model.layers: unknown key, and it may affect the cost; give the option of nncost with the same meaning, and --lenient skips the key
[3]
$ sed 's/.mnt.config.parameters/yamls\/other/' run.yaml >missing.yaml; nncost show missing.yaml --to-options
! nncost: missing.yaml:7: names the configuration yamls/other.yaml, but this configuration is not found: give the configuration instead of the script, with the options that the command adds
[3]

# Many keys of serving engines have no effect on the cost. nncost refuses --mm-encoder-only, because this engine runs
# only the image encoder.
$ printf 'tensor_parallel_size: 4\nenable_attention_dp: true\nmoe_expert_parallel_size: 4\ndisable_mm_encoder: true\nnum_serve_frontends: 4\nkv_cache_config:\n  mamba_ssm_stochastic_rounding: true\n  mamba_ssm_philox_rounds: 5\n  pool_ratio: [0.8, 0.2]\n  avg_seq_len: 1000\n  block_reuse_config:\n    policy: per_request\nspeculative_config:\n  decoding_type: MTP\n  num_nextn_predict_layers: 1\n  use_mtp_vanilla: false\n' >keys.yaml; nncost show keys.yaml dense --to-options
nncost serve dense DEVICE --software tensorrt-llm --tensor 1 --expert 4 --acceptance 0.7 --draft-length 1 --attention-data 4
\# keys.yaml:9: kv_cache_config.pool_ratio: a fixed share of the memory for each kind of layers: the estimate divides it as the layers need
$ nncost show dense --to-options -- vllm serve x --prefix-match-unit 128 --kda-prefill-backend flashkda
nncost serve dense DEVICE --software vllm --data 1
$ nncost show dense --to-options -- vllm serve x --mm-encoder-only
! nncost: arguments:1: mm-encoder-only: cannot be estimated, expected false, found true; this engine runs no language model, and --lenient skips the key
[3]

# A script of Megatron-DeepSpeed may make its DeepSpeed file from a template with sed. If the script has experts, nncost
# asks for MODEL.
$ printf '{ "train_batch_size": BATCH_SIZE, "train_micro_batch_size_per_gpu": MBSIZE, "zero_optimization": { "stage": STAGE }, "fp16": { "enabled": ON }, "gradient_clipping": 1.0 }\n' >template.json
$ printf 'SIZE=16\nsed "s/BATCH_SIZE/${SIZE}/" template.json \\\n  | sed "s/MBSIZE/2/" | sed -e s#STAGE#1# -e s/ON/true/g >made_${SIZE}.json\ndeepspeed pretrain_gpt.py --num-layers 2 --hidden-size 64 --num-attention-heads 4 --seq-length 64 --max-position-embeddings 64 --vocab-size 100 --micro-batch-size 2 --global-batch-size 16 --fp16 --deepspeed --deepspeed_config made_${SIZE}.json --zero-stage 1\n' >templated.sh; nncost show templated.sh --to-options
nncost estimate ./templated.sh DEVICE --software megatron-deepspeed --seq-len 64 --micro-batch 2 --global-batch 16 --precision fp16 --attention unfused --zero 1 --tensor 1 --pipeline 1 --optimizer adamw --clip-gradients --sequence-parallel=off --policy mixed --overlap 0
$ sed 's/MBSIZE.2./.*BSIZE.2./' templated.sh >pattern.sh; nncost show pattern.sh --to-options
nncost estimate ./pattern.sh DEVICE --software megatron-deepspeed --seq-len 64 --micro-batch 2 --global-batch 16 --precision fp16 --attention unfused --zero 1 --tensor 1 --pipeline 1 --optimizer adamw --clip-gradients --sequence-parallel=off
\# pattern.sh:4: deepspeed_config: no such file, give it on the command line
$ sed 's/--fp16/--fp16 --num-experts 4 --moe-expert-parallel-size 2 --moe-train-capacity-factor 1.5 --topk 1/' templated.sh >experts.sh; nncost show experts.sh --to-options
! nncost: experts.sh:4: topk: cannot be estimated, found 1; give MODEL with its experts: Megatron-DeepSpeed has experts in every second layer, and --lenient skips the key
[3]
$ nncost show experts.sh experts --to-options | grep -o -e '--expert 2' -e '--capacity-factor [0-9.]*'
--expert 2
--capacity-factor 1.5

# In nanotron, the expert ranks come in addition to the data ranks. In nncost, the expert ranks are data ranks, so
# --data is the number of data ranks in nanotron times the expert degree.
$ printf 'parallelism:\n  dp: 2\n  tp: 2\n  pp: 1\n  expert_parallel_size: 2\ntokens:\n  sequence_length: 64\n  micro_batch_size: 1\n  batch_accumulation_per_replica: 1\nmodel:\n  dtype: bfloat16\noptimizer:\n  zero_stage: 0\n  clip_grad: 1.0\n' >moe.yaml; nncost show moe.yaml experts --to-options
! nncost: moe.yaml:5: parallelism.expert_parallel_size: cannot be estimated, expected 1, found 2; these ranks come on top of the data ranks, and nncost counts them as such: --expert N, and --data N times as large, and --lenient skips the key
[3]
$ nncost estimate moe.yaml experts round --software eager --expert 2 --data 4 | grep -o -e '8 devices dp4 tp2 ep2'
8 devices dp4 tp2 ep2

# The environment variable SGLANG_SIMULATE_ACC_LEN of SGLang can also give the mean number of tokens of a step with
# drafts.
$ printf 'if [ "${EVAL:-false}" != true ]; then\n  export SGLANG_SIMULATE_ACC_LEN=1.75\nfi\npython3 -m sglang.launch_server --model-path x --speculative-algorithm NEXTN --speculative-num-steps 2\n' >simulated.sh; nncost show simulated.sh dense --to-options | grep -o -e '--acceptance [0-9.]*'
--acceptance 0.5
$ nncost show simulated.sh dense EVAL=true --to-options | grep -o -e '--acceptance [0-9.]*'
--acceptance 0.7
