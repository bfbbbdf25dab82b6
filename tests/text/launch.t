# Launch files: the plan that DeepSpeed and accelerate configurations stand for. Only where libyaml is installed.

# Every key is used, or listed as one without effect; "auto" is asked for by name.
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

# As a command line, with what is still open.
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
! nncost: inputs/ds.json: a launch file: --to-options shows the options with the same meaning
[2]
$ nncost show dense --from deepspeed
! nncost: --from: needs --to-options
[2]

# Options win; files that disagree need one.
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

# A key that cannot be used is an error with its line; --lenient lists it.
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

# A file that another names.
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

# Other files.
$ printf 'a: 1\n' >other.yaml; nncost estimate other.yaml dense round
! nncost: other.yaml: unknown kind of launch file, expected one of those in docs/files.md; --from FORMAT names it
[3]
$ nncost estimate other.yaml dense round --from accelerate
! nncost: other.yaml:1: a: unknown key, and it may affect the cost; give the option of nncost with the same meaning, and --lenient skips the key
[3]
$ nncost estimate inputs/ds.json dense round --from yaml
! nncost: --from: unknown format, expected one of those in docs/files.md, found "yaml"
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

# A strategy of context ranks counts with them: 4 ranks of a ring.
$ printf 'base_config: base.yml\nmodel_name: llama2-7b\nici_context_parallelism: 4\ncontext_parallel_strategy: ring\n' >ring.yaml
$ nncost show ring.yaml --to-options | head -1
nncost estimate ./ring.yaml DEVICE --context-kind ring --micro-batch 48 --micro-batches 1 --seq-len 2048 --recompute full --precision bf16 --policy amp --optimizer adamw --clip-gradients --attention flash --tensor 1 --context 4 --expert 1 --zero 3

# 32 layers, and one for each end, in groups of 6: 6 groups on 2 ranks, 3 on each.
$ printf '[model]\nname = "llama3"\nflavor = "8B"\n[parallelism]\npipeline_parallel_degree = 2\n' >groups.toml
$ printf 'pipeline_parallel_schedule = "Interleaved1F1B"\npipeline_parallel_layers_per_stage = 6\n' >>groups.toml
$ nncost show groups.toml --to-options | head -1
nncost estimate ./groups.toml DEVICE --software fsdp --pipeline 2 --schedule interleaved --seq-len 2048 --clip-gradients --tensor 1 --context 1 --context-kind all-gather --expert 1 --recompute full --policy amp --precision bf16 --optimizer adamw --micro-batch 1 --micro-batches 8 --zero 3 --reshard=off --virtual-stages 3 --ends-as-layers --recompute-layers 8

# The command of an engine, unless it would mean another plan.
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

# A plan as a launch file, unless it would stand for another plan. A file that names no model leaves it to the command.
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
! nncost: --emit: expected a folder for the files of several plans, deepspeed=DIR/
[2]
$ nncost search dense round,dense --devices 4 --global-batch 16 --emit deepspeed
! nncost: --emit: writes the plan of one device, found several
[2]

# An option of a command may be negated, and have an object as its value.
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

# A script may write the file that its command names, and read another script. "1=X" is its first argument.
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
! nncost: options.yml: an option gives tensor, expected options for all fields of this key
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

# Arguments of the command line are named; 1=VALUE gives them. A function has the arguments of its call.
$ printf 'vllm serve dense --port 1 \\\n --tensor-parallel-size 2 "$@" $EXTRA_ARGS\n' >all.sh; nncost show all.sh --to-options
nncost serve dense DEVICE --software vllm --tensor 2 --data 1
\# all.sh:2: "$@": arguments given on the command line are not known, 1=VALUE gives the first
\# all.sh:2: $EXTRA_ARGS: the script does not set these options, EXTRA_ARGS=VALUE gives them
$ nncost show all.sh 1=--max-num-seqs 2=64 'EXTRA_ARGS=--kv-cache-dtype fp8' --to-options
nncost serve dense DEVICE --software vllm --max-batch 64 --kv-precision fp8 --tensor 2 --data 1
$ echo 'torchrun pretrain_gpt.py "${@:2}"' >all.sh; nncost show all.sh --to-options
! nncost: all.sh:1: starts pretrain_gpt.py with "$@", arguments of its command line that nncost does not know, expected 1=VALUE 2=VALUE ... among the arguments
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

# A value that a branch sets names the variable that decides the branch; an unknown word is not the value of an option.
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

# The folder of a model may be unknown, and a value that sets no field, too.
$ printf 'EAGER=$(cat eager)\nif [ $EAGER = true ]; then A=--enforce-eager; fi\nvllm serve $MODELS/dense --tensor-parallel-size 2 $A\n' >folder.sh; nncost show folder.sh --to-options
nncost serve dense DEVICE --software vllm --tensor 2 --data 1
\# folder.sh:2: enforce_eager: steps are not captured as CUDA graphs: small batches take longer than the estimate, unless a software profile has "captured": false in "serving"

# MaxText computes a degree of -1 from the devices.
$ printf 'base_config: base.yml\nmodel_name: mixtral-8x7b\nici_fsdp_parallelism: 1\nici_expert_parallelism: -1\n' >axis.yml; nncost estimate axis.yml round --devices 8
! nncost: axis.yml:4: ici_expert_parallelism: left open, expected --expert, or a file that sets this field
[3]
$ nncost estimate axis.yml round --devices 8 --expert 8 --shard 8 --full | grep '^plan'
plan      8 devices = data 8, expert 8, ZeRO 3
$ sed -i s/expert_p/tensor_p/ axis.yml; nncost show axis.yml --to-options
! nncost: axis.yml:4: ici_tensor_parallelism: expected a number of at least 0: the program computes it from the devices, give its value
[3]

# A file without a model asks for it.
$ echo '{ "train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 1 }' >whole.json; nncost estimate whole.json round
! nncost: MODEL: missing, expected FILE... MODEL DEVICE: the files name no model
[2]
$ nncost estimate whole.json
! nncost: MODEL and DEVICE: missing, expected FILE... MODEL DEVICE: the files name no model
[2]

# A value that sets a field and makes the estimate inexact says so.
$ echo '{ "train_micro_batch_size_per_gpu": 1, "optimizer": { "type": "OneBitAdam" } }' >onebit.json
$ nncost show onebit.json --to-options
nncost estimate MODEL DEVICE --software deepspeed-0.14 --micro-batch 1 --optimizer adamw --zero 0 --precision fp32 --clip-gradients=off --overlap 0
\# onebit.json:1: optimizer.type: this optimizer compresses its transfers after the first steps and keeps their errors: the estimate is for the first steps

# An option that a refused key names counts for it.
$ echo '{ "train_micro_batch_size_per_gpu": 1, "optimizer": { "type": "Adagrad" } }' >other.json
$ nncost show other.json --to-options
! nncost: other.json:1: optimizer.type: cannot be estimated, expected adam, adamw, fusedadam, deepspeedcpuadam, torch_adam, lamb, onebitadam, zerooneadam, onebitlamb, lion, muon, found Adagrad; give the optimizer with the same number of states by --optimizer, and --lenient skips the key
[3]

# With --method dpo a batch of TRL counts pairs of answers; without it the key of a preference is refused.
$ printf 'model_name_or_path: x\nper_device_train_batch_size: 4\nbeta: 0.1\nbf16: true\ndtype: bfloat16\n' >dpo.yaml
$ nncost estimate dpo.yaml dense round
! nncost: dpo.yaml:3: beta: cannot be estimated, found 0.1; --method dpo, with which a batch counts pairs of answers, or options of nncost alone, and --lenient skips the key
[3]
$ nncost estimate dpo.yaml dense round --devices 1 --method dpo | grep '^plan'
plan      helper models of 214.2 MB, whose passes 'nncost run' counts, batch 8, sequence 1000, bf16,

# The losses orpo and simpo have no reference model.
$ printf 'model_name_or_path: x\nstage: dpo\ndo_train: true\nbf16: true\nfinetuning_type: lora\nlora_rank: 4\npref_loss: sigmoid\n' >pref.yaml
$ nncost show pref.yaml --to-options | grep -o -e '--method [a-z]*' -e '--micro-batch [0-9]*'
--micro-batch 16
--method dpo
$ sed s/sigmoid/orpo/ pref.yaml >orpo.yaml
$ nncost show orpo.yaml --to-options | grep -o -e '--method [a-z]*' -e '--micro-batch [0-9]*'
--micro-batch 16

# A repeated key with the same value changes nothing.
$ printf 'base_model: x\nmicro_batch_size: 2\nsequence_len: 1_0\nmicro_batch_size:\n  2\n' >twice.yaml
$ nncost show twice.yaml --to-options | grep -o -e '--micro-batch [0-9]*'
--micro-batch 2
$ printf 'base_model: x\nmicro_batch_size: 2\nmicro_batch_size: 20\n' >twice.yaml
$ nncost show twice.yaml --to-options
! nncost: twice.yaml:3: micro_batch_size: repeated key, expected each key once, found this key again
[3]

# FSDP 2 of accelerate gathers weights in 8 bits with fp8, unless the recipe says no.
$ printf 'distributed_type: FSDP\nmixed_precision: fp8\nfsdp_config:\n  fsdp_version: 2\n  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n  fsdp_reshard_after_forward: true\n' >fp8.yaml
$ nncost show fp8.yaml --to-options
nncost estimate MODEL DEVICE --zero 3 --reshard --precision fp8 --fp8-gather
\# fp8.yaml:1: fp8_config: linear weights are gathered in 8 bits: memory, and a step without resharding, count the full format
$ printf 'fp8_config:\n  backend: TE\n' | cat fp8.yaml - >te.yaml
$ nncost show te.yaml --to-options
nncost estimate MODEL DEVICE --zero 3 --reshard --precision fp8

# A cache of keys and values in other memory does not change the requests that are computed; two engines do.
$ nncost show dense --to-options -- vllm serve x --kv-transfer-config '{"kv_connector": "OffloadingConnector", "kv_role": "kv_both", "kv_connector_extra_config": {"cpu_bytes_to_use": 1}}'
nncost serve dense DEVICE --software vllm --data 1
$ nncost show dense --to-options -- vllm serve x --kv-transfer-config '{"kv_connector": "NixlConnector", "kv_role": "kv_both"}'
! nncost: arguments:1: kv-transfer-config.kv_connector: cannot be estimated, expected MooncakeStoreConnector, OffloadingConnector, SimpleCPUOffloadConnector, LMCacheConnector, LMCacheConnectorV1, LMCacheMPConnector, found NixlConnector; --disaggregate P:D, and --lenient skips the key
[3]

# A draft model that is the served model stands for its own heads; a head of EAGLE counts with a default share of the
# time; any other draft model must be given.
$ nncost show dense --to-options -- vllm serve a/x --limit-mm-per-prompt.video 0 --speculative-config '{"method": "ernie_mtp", "model": "a/x", "num_speculative_tokens": 1}'
nncost serve dense DEVICE --software vllm --acceptance 0.7 --draft-length 1 --data 1
$ nncost show dense --to-options -- vllm serve a/x --speculative-config '{"method": "eagle3", "model": "a/y", "num_speculative_tokens": 1}'
nncost serve dense DEVICE --software vllm --acceptance 0.7 --draft-length 1 --data 1
\# arguments:1: speculative_config.model: a draft head: its time is that of --draft-share, and its weights are left out
$ nncost show dense --to-options -- vllm serve a/x --speculative-config '{"model": "a/y", "num_speculative_tokens": 1}'
! nncost: arguments:1: speculative-config.model: cannot be estimated; --draft MODEL, or --draft-share X for a small head, and --lenient skips the key
[3]

# The options of an engine take precedence over its YAML file, which a script may write.
$ printf 'tensor-parallel-size: 4\nmax-num-seqs: 32\n' >e.yaml; nncost show dense --to-options -- vllm serve a/x --config e.yaml --max-num-seqs 64
nncost serve dense DEVICE --software vllm --max-batch 64 --tensor 4 --data 1
$ printf 'cat >w.yaml <<EOF\nmax-num-batched-tokens: 4096\nEOF\nvllm serve a/x --config w.yaml\n' >e.sh; nncost show e.sh dense --to-options
nncost serve dense DEVICE --software vllm --chunk 4096 --data 1
$ nncost serve dense round -- vllm serve a/x --config none.yaml
! nncost: arguments:1: config: no such file, expected "none.yaml"; give the file on the command line
[3]

# A program that does not train is refused, although MODEL is given.
$ printf 'torchrun --nproc_per_node 8 tools/mmlu.py --num-layers 2 --tensor-model-parallel-size 2\n' >m.sh; nncost estimate m.sh dense round
! nncost: m.sh:1: .program: cannot be estimated, expected pretrain_gpt.py, pretrain_gpt_core.py, finetune_gpt.py, posttrain_gpt.py, pretrain_mamba.py, pretrain_hybrid.py, pretrain_bert.py, pretrain_t5.py ..., found mmlu.py; a program that trains: nncost serve MODEL DEVICE estimates one that generates text, and --lenient skips the key
[3]
$ sed -i s/mmlu/train/ m.sh; nncost show m.sh dense --to-options
nncost estimate dense DEVICE --software megatron --tensor 2 --pipeline 1 --optimizer adamw --clip-gradients --attention flash --zero 0 --sequence-parallel=off --devices 8 --devices-per-node 8 --precision fp32 --policy fp32 --overlap 0

# With a frozen language model and frozen towers only the projection between them is trained.
$ nncost show dense --to-options -- torchrun train.py --num-layers 2 --bf16 --freeze-LM --freeze-ViT | grep -o -- '--train .*\|freeze.*'
--train norm --tensor 1 --pipeline 1 --optimizer adamw --clip-gradients --attention flash --zero 0 --sequence-parallel=off --policy mixed-fp32grad --overlap 0
freeze_LM: only the projection of the towers is trained: it counts as the norms
$ nncost estimate dense round -- torchrun train.py --num-layers 2 --bf16 --freeze-LM
! nncost: arguments:1: freeze-LM: cannot be estimated together with the other keys; --train LIST names the parts that are trained, and --lenient skips the key
[3]

# Without slots the experts of MaxText all compute every token, if sparse_matmul is off.
$ printf 'base_config: base.yml\nnum_experts: 4\nnum_experts_per_tok: 2\nsparse_matmul: false\n' >x.yml; nncost estimate x.yml round --format json | grep -o '"params": [0-9]*, "active_params": [0-9]*'
"params": 3218278400, "active_params": 3218278400
$ nncost show x.yml --to-options | grep '^#'
\# x.yml:4: sparse_matmul: every expert computes every token: the FLOPs of the model count them all
$ sed -i 's/false/true/' x.yml; nncost estimate x.yml round --format json | grep -o '"params": [0-9]*, "active_params": [0-9]*'
"params": 3218278400, "active_params": 1808992256

# MindSpeed-LLM is Megatron-LM for processors of Ascend, with keys of its own.
$ nncost show dense --to-options -- msrun --worker_num 16 --local_worker_num 8 posttrain_gpt.py --num-layers 2 --bf16 --use-fused-swiglu --context-parallel-size 2 --context-parallel-algo ulysses_cp_algo --stage sft --model-type-hf qwen3 --ai-framework mindspore | grep -o -- '--context.*'
--context 2 --context-kind ulysses --tensor 1 --pipeline 1 --optimizer adamw --clip-gradients --attention flash --zero 0 --sequence-parallel=off --devices 16 --devices-per-node 8 --policy mixed-fp32grad
$ nncost show dense --to-options -- torchrun posttrain_gpt.py --num-layers 2 --bf16 --swap-attention
! nncost: arguments:1: swap-attention: cannot be estimated, expected false, found true; --offload activations or --recompute LIST, and --lenient skips the key
[3]

# Parameters: 4 layers x (4 x 64 x 64 + 2 x 64) + 3 x 64 x 160 + 3 layers x (8 x 3 x 64 x 32 + 3 x 64 x 64 + 8 x 64) + 64
# + 2 x 256 x 64.
$ nncost estimate round --software eager --format json --micro-batch 1 --global-batch 8 -- torchrun --nproc_per_node 8 posttrain_gpt.py --bf16 --num-layers 4 --hidden-size 64 --num-attention-heads 4 --seq-length 128 --padded-vocab-size 256 --swiglu --ffn-hidden-size 160 --num-experts 8 --moe-router-topk 2 --moe-ffn-hidden-size 32 --n-shared-experts 2 --first-k-dense-replace 1 --untie-embeddings-and-output-weights --disable-bias-linear --normalization RMSNorm --position-embedding-type rope | grep -o '"params": [0-9]*, "active_params": [0-9]*'
"params": 315456, "active_params": 204864

# A path of a container stands for the file with the same folder and name near the script.
$ mkdir -p run/configs; printf 'model_name_or_path: dense\ndo_train: true\nstage: sft\nfinetuning_type: full\ncutoff_len: 64\nper_device_train_batch_size: 2\npure_bf16: true\nfp8: true\n' >run/configs/x.yaml; echo 'llamafactory-cli train /workspace/configs/x.yaml' >run/x.sh; nncost show run/x.sh --to-options | grep -o -- '--seq-len .*--policy [^ ]*'
--seq-len 64 --micro-batch 2 --precision fp8 --policy bf16-pure
$ echo 'llamafactory-cli train /workspace/x.yaml' >run/configs/x.sh; nncost show run/configs/x.sh --to-options
! nncost: run/configs/x.sh:1: names the configuration /workspace/x.yaml, which is not found: give this file instead, with the options that the command adds
[3]

# Megatron-FSDP shards everything and keeps gradients in the format of the weights, unless options say otherwise.
$ nncost show dense --to-options -- torchrun pretrain_gpt.py --num-layers 2 --bf16 --use-distributed-optimizer --use-megatron-fsdp | grep -o -- '--zero .\|--policy [^ ]*'
--zero 3
--policy mixed
$ nncost show dense --to-options -- torchrun pretrain_gpt.py --num-layers 2 --bf16 --use-megatron-fsdp --data-parallel-sharding-strategy optim --megatron-fsdp-main-grads-dtype fp32 | grep -o -- '--zero .\|--policy [^ ]*'
--zero 1
--policy mixed-fp32grad

# The command of a launcher may follow "--".
$ nncost show --to-options -- accelerate launch --num_processes 4 sft.py --model_name_or_path x --per_device_train_batch_size 1 --bf16
nncost estimate x DEVICE --software torch-eager --micro-batch 1 --precision bf16 --micro-batches 1 --optimizer adamw --clip-gradients --devices 4 --policy amp
$ nncost show dense --to-options -- torchrun --nproc-per-node 2 sft.py --per_device_train_batch_size 1 --bf16
nncost estimate dense DEVICE --software torch-eager --micro-batch 1 --precision bf16 --micro-batches 1 --optimizer adamw --clip-gradients --devices 2 --devices-per-node 2 --policy amp

# Options of a command that names a configuration file, and words KEY=VALUE, take precedence over the file; none is dropped.
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

# A program that reads a configuration and does not train is refused by name.
$ printf 'python -m maxtext.checkpoint_conversion.to_maxtext base.yml model_name=llama2-7b\n' >convert.sh
$ nncost show convert.sh --to-options
! nncost: convert.sh:1: starts maxtext.checkpoint_conversion.to_maxtext, expected a program that docs/files.md lists; --from FORMAT reads the options as those of such a program
[3]

# Helper models of a method count in memory: a frozen copy of the weights, and none with adapters.
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

# MaxText divides weights inside a node of GPUs, unless the file says more. Base values do not contradict themselves.
$ printf 'base_config: base.yml\nhardware: gpu\nmodel_name: llama3-8b\n' >gpu.yml
$ nncost estimate gpu.yml round --devices 16
! nncost: gpu.yml:2: hardware: left open, expected --shard, or a file that sets this field
[3]
$ nncost estimate gpu.yml round --software torch-compile --devices 16 --shard 8 --full | grep '^plan'
plan      16 devices = data 16, ZeRO 3, sharded over 8 of 16 ranks
$ printf 'dcn_fsdp_parallelism: 2\nici_fsdp_parallelism: 4\nglobal_head_dim: 0\nshare_kv_projections: false\n' >>gpu.yml
$ nncost show gpu.yml --to-options | grep -o ' --zero.*'
 --zero 3 --shard 8

# Patterns of parameters: one layer, and parts of different layers, which no option states.
$ printf 'base_model: a/b\nsequence_len: 2048\nmicro_batch_size: 1\nbf16: true\nunfrozen_parameters:\n  - model.layers.2.mlp.+\n' >one.yml; nncost show one.yml dense round --to-options | grep -o ' --train.*--opt'
 --train mlp --train-layers 1 --train-from 2 --opt
$ echo '  - model.layers.1.self_attn.+' >>one.yml; nncost show one.yml dense round --to-options 2>&1 | grep -c 'parameters that are not whole parts'
1

# A script that reads itself, and pipes and devices, end; each message says why nothing starts.
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

# A script whose argument names the script with its options asks for the argument; one expert of Megatron-DeepSpeed is a dense network.
$ mkdir -p conf; printf 'OPTIONS="--bf16"\n' >conf/small.sh; printf 'source "${DIR}/conf/${1}.sh"\ntorchrun pretrain_gpt.py --num-layers 2 $OPTIONS\n' >named.sh; nncost show named.sh --to-options
! nncost: named.sh:1: reads ${DIR}/conf/${1}.sh, expected 1=VALUE among the arguments
[3]
$ nncost show named.sh 1=small dense --to-options | grep -o -e '--precision bf16'
--precision bf16
$ for n in '' '--num-experts 1 --moe-expert-parallel-size 1 --topk 1'; do nncost estimate round --software eager --json -- deepspeed pretrain_gpt.py --deepspeed --no-pipeline-parallel --num-layers 2 --hidden-size 64 --num-attention-heads 4 --seq-length 128 --max-position-embeddings 128 --micro-batch-size 1 --fp16 --vocab-size 128 $n | grep -o '"params": [0-9]*'; done
"params": 116480
"params": 116480

# Words in capital letters of a JSON template need values; strings and numbers with an exponent stay.
$ printf '{ "train_batch_size": GBSIZE,\n "zero_optimization": { "stage": ${STAGE} }, "data_efficiency": { "data_routing": { "model_type": "x" } }, "fp16": { "enabled": true, "min_loss_scale": 1E2 }, "wandb": { "team": "A \\" TEAM" } }\n' >template.json; nncost estimate template.json dense round
! nncost: template.json:1: train_batch_size: is ${GBSIZE}, which the script does not set, expected GBSIZE=VALUE among the arguments, or --global-batch
[3]
$ nncost show template.json dense round GBSIZE=8 STAGE=2 --to-options
nncost estimate dense round --software deepspeed-0.14 --global-batch 8 --zero 2 --precision fp16 --clip-gradients=off --micro-batches 1 --overlap 0

# A reward model of axolotl reads two answers per sample, and its head is another one.
$ printf 'base_model: dense\nsequence_len: 64\nmicro_batch_size: 3\nreward_model: true\n' >reward.yaml; nncost show reward.yaml --to-options | grep -o -e '--micro-batch [0-9]*' -e 'the head has .*'
--micro-batch 6
the head has one score for each of two answers: the estimate counts the head and the loss of words

# Earlier keys of axolotl and torchtitan: attn_implementation decides over flash_attention; pipeline stages stood in [training], sizes of LLaMA 2 in the code.
$ printf 'base_model: dense\nsequence_len: 64\nflash_attention: true\nattn_implementation: sdpa\nadapter: lora\nlora_r: 4\nlora_target_linear: true\nrelora_steps: 100\n' >old.yaml; nncost show old.yaml --to-options | grep -o -e '--attention [a-z0-9]*' -e 'restarts.*'
--attention flash
restarts, which add the adapters to the weights, are not counted
$ printf '[model]\nname = "llama2"\nflavor = "7B"\n[training]\nbatch_size = 1\npipeline_parallel_degree = 2\nfp8_linear = ""\n' >old.toml; nncost estimate old.toml round --software eager --devices 2 --json | grep -o -e '"params": [0-9]*' -e '"pipeline": [0-9]*' | head -2
"params": 6738415616
"pipeline": 2

# A fragment of a script whose other part is missing is refused; linear biases of Megatron-LM are those of experts, too.
$ printf 'source ./common.sh\nMODEL_OPTIONS="--num-layers 2 --hidden-size 64 --num-attention-heads 4 --seq-length 128"\n' >part.sh
$ nncost show part.sh --to-options
! nncost: part.sh:3: starts no program itself, and the script ./common.sh, which it reads, is not found: give the options of the program
[3]
$ nncost estimate round --software torch-compile --format json -- --num-layers 1 --hidden-size 64 --num-attention-heads 4 --seq-length 128 --vocab-size 128 --num-experts 2 --moe-router-topk 1 --position-embedding-type rope --micro-batch-size 1 --bf16 | grep -o '"mlp": [0-9]*'
"mlp": 66304

# The reference model of grpo has weight beta, which is 0 unless the file sets it; then there is no such model.
$ printf 'base_model: dense\nrl: grpo\ntrl:\n  num_generations: 4\n  num_iterations: 2\nbf16: true\n' >grpo.yaml
$ nncost show grpo.yaml --to-options
nncost estimate dense DEVICE --software torch-eager --method grpo --group 4 --update-epochs 2 --precision bf16 --seq-len 512 --micro-batch 1 --optimizer adamw --clip-gradients --reference-params 0 --policy bf16-pure
$ printf 'rl_beta: 0.1\n' | cat grpo.yaml - >kl.yaml
$ nncost show kl.yaml --to-options
nncost estimate dense DEVICE --software torch-eager --method grpo --group 4 --update-epochs 2 --precision bf16 --seq-len 512 --micro-batch 1 --optimizer adamw --clip-gradients --policy bf16-pure
$ sed 's/trl:/trl:\n  beta: 0.0/' kl.yaml >nokl.yaml
$ nncost show nokl.yaml --to-options
nncost estimate dense DEVICE --software torch-eager --method grpo --group 4 --update-epochs 2 --precision bf16 --seq-len 512 --micro-batch 1 --optimizer adamw --clip-gradients --reference-params 0 --policy bf16-pure

# vLLM: an unknown model with expert parallelism has experts; without, data-parallel ranks may be of two kinds.
$ nncost show --to-options -- vllm serve a/x --enable-expert-parallel --tensor-parallel-size 2 --data-parallel-size 4
nncost serve a/x DEVICE --software vllm --tensor 2 --expert 8 --attention-data 4
$ nncost show --to-options -- vllm serve a/x --tensor-parallel-size 2 --data-parallel-size 4
nncost serve a/x DEVICE --software vllm --tensor 2
\# arguments:1: data_parallel_size: left open, expected --data, or a file that sets this field

# Of two MaxText files, the second replaces values of the first.
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

# Recipes of TRL switch bf16 on; otherwise the format of the weights decides.
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

# MaxText divides weights over one of several data-parallel replicas; the rest of the devices decides its size.
$ printf 'base_config: base.yml\nmodel_name: llama3-8b\nici_fsdp_parallelism: -1\ndcn_data_parallelism: 2\n' >replicas.yml
$ nncost show replicas.yml --to-options
nncost estimate ./replicas.yml DEVICE --micro-batch 12 --micro-batches 1 --seq-len 2048 --recompute full --precision bf16 --policy amp --optimizer adamw --clip-gradients --attention flash --tensor 1 --context 1 --expert 1 --zero 3
\# replicas.yml:4: dcn_data_parallelism: left open, expected --shard, or a file that sets this field

# torchtitan names the kernels of the update; LLaMA-Factory generates max_new_tokens with ppo alone.
$ printf '[model]\nname = "llama3"\nflavor = "8B"\n[optimizer]\nimplementation = "foreach"\n[parallelism]\ntensor_parallel_degree = 1\n' >foreach.toml
$ nncost show foreach.toml --to-options
nncost estimate ./foreach.toml DEVICE --software fsdp --optimizer-kernels foreach --tensor 1 --seq-len 2048 --clip-gradients --pipeline 1 --context 1 --context-kind all-gather --expert 1 --recompute full --policy amp --precision bf16 --optimizer adamw --micro-batch 8 --zero 3 --reshard --recompute-layers 16
$ long=a-name-that-is-longer-than-the-id-of-a-model-may-be-by-a-few-letters; cp foreach.toml $long.toml
> nncost show $long.toml round --to-options | cut -d' ' -f1-4
nncost estimate ./a-name-that-is-longer-than-the-id-of-a-model-may-be-by-a-few-letters.toml round
$ printf 'stage: ppo\ndo_train: true\nmodel_name_or_path: dense\nmax_new_tokens: 100\n' >ppo.yaml
$ nncost show ppo.yaml --to-options
nncost estimate dense DEVICE --software torch-eager --method ppo --response-tokens 100 --seq-len 2048 --adapter-rank 8 --adapters linear --recompute full --micro-batch 8 --micro-batches 1 --optimizer adamw --clip-gradients --critic-params 0 --precision bf16

# 8-bit gathers of FSDP: of a layer of "dense", 12,000,000 weights of matrices in 1 byte each instead of 2.
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

# nanotron's llama3_ring_attention gathers keys and values; every fourth layer may have no rotary positions.
$ printf 'general:\n  run: x\nmodel:\n  dtype: bfloat16\n  model_config:\n    is_qwen2_config: true\n    _attn_implementation: llama3_ring_attention\n    ring_attn_heads_k_stride: 1\n    hidden_size: 64\n    intermediate_size: 128\n    num_attention_heads: 4\n    num_hidden_layers: 4\n    num_key_value_heads: 4\n    max_position_embeddings: 512\n    vocab_size: 128\n    no_rope_layer: 4\n    tie_word_embeddings: true\nparallelism:\n  dp: 2\n  tp: 1\n  pp: 1\n  context_parallel_size: 4\n  recompute_layer: true\ntokens:\n  batch_accumulation_per_replica: 3\n  micro_batch_size: 1\n  sequence_length: 512\noptimizer:\n  accumulate_grad_in_fp32: true\n  zero_stage: 0\n' >ring.yaml
$ nncost show ring.yaml --to-options
nncost estimate ./ring.yaml DEVICE --software nanotron --precision bf16 --attention flash2 --context-kind all-gather --data 2 --tensor 1 --pipeline 1 --context 4 --recompute full --micro-batches 3 --micro-batch 1 --seq-len 512 --policy mixed-fp32grad --zero 0 --clip-gradients=off --optimizer adamw --devices 8

# Adapters on routed experts: with the kernels that read them, on a model with experts, on undivided experts, and never
# beside a list that already means every linear layer.
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
! nncost: --adapters: tensor ranks divide each expert, expected --tensor 1 or --whole-experts with experts
[3]
$ nncost estimate experts fitted --dora --adapter-rank 16 --adapters experts
! nncost: --adapters: routed experts have no DoRA, expected --dora off or a list without experts
[3]

# The subcommand of LLaMA-Factory v1 says whether steps run on pairs of answers; its data set hints at it.
$ printf 'model: dense\npeft_config:\n  name: lora\n  r: 8\ndist_config:\n  name: fsdp2\ntrain_dataset: data/v1_dpo_demo.yaml\nmicro_batch_size: 1\n' >pairs.yaml
$ nncost estimate pairs.yaml fitted
! nncost: pairs.yaml:7: train_dataset: left open, expected --method, or a file that sets this field
[3]
$ nncost show pairs.yaml --to-options
nncost estimate dense DEVICE --adapter-rank 8 --zero 3 --reshard --micro-batch 1 --micro-batches 1 --seq-len 2048 --precision bf16 --recompute full --context 1 --optimizer adamw --clip-gradients
\# pairs.yaml:7: train_dataset: left open, expected --method, or a file that sets this field
$ sed 's/_dpo_/_sft_/' pairs.yaml >one.yaml; nncost show one.yaml --to-options
nncost estimate dense DEVICE --adapter-rank 8 --zero 3 --reshard --micro-batch 1 --micro-batches 1 --seq-len 2048 --precision bf16 --recompute full --context 1 --optimizer adamw --clip-gradients

# A repeat of a repeat in a pattern is refused: its compilation would take minutes.
$ printf 'base_model: meta-llama/Llama-3.1-8B\nsequence_len: 2048\nmicro_batch_size: 1\nbf16: true\nunfrozen_parameters:\n  - ((((((((((((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+\n' >p.yml
$ nncost estimate p.yml dense round
! nncost: p.yml:5: unfrozen_parameters: names parameters that are not whole parts of layers; --train LIST names the parts that are trained; with an adapter, names of parameters begin with base_model.model, so that patterns of the model match none, and --lenient skips the key
[3]
$ printf 'base_model: meta-llama/Llama-3.1-8B\nsequence_len: 2048\nmicro_batch_size: 1\nbf16: true\nunfrozen_parameters:\n  - a++++++++++++++++++++++++++++++\n' >p.yml
$ timeout 5 nncost estimate p.yml dense round >out 2>err; echo $?; grep -c 'names parameters that are not' err
3
1

# Each alternative of a pattern begins where the name begins, as in Python: model.embed_tokens.weight does not match.
$ printf 'base_model: meta-llama/Llama-3.1-8B\nsequence_len: 2048\nmicro_batch_size: 1\nbf16: true\nunfrozen_parameters:\n  - x|embed_tokens|lm_head\n' >p.yml
$ nncost show p.yml dense round --to-options | grep -o 'train [a-z,]*'
train head
$ sed -i 's/x|.*/a)|(lm_head/' p.yml; nncost show p.yml dense round --to-options 2>err; echo $?; grep -c 'names parameters that are not' err
3
1

# The plugin for cut cross entropy computes the loss in chunks, unless its key is off.
$ printf 'base_model: dense\nsequence_len: 8\nmicro_batch_size: 1\ngradient_accumulation_steps: 1\noptimizer: adamw_torch\nbf16: true\nplugins:\n  - axolotl.integrations.cut_cross_entropy.CutCrossEntropyPlugin\n' >cce.yml
$ nncost show cce.yml DEVICE --to-options | grep -o 'loss-keep.*'
loss-keep chunks
$ echo 'cut_cross_entropy: false' >>cce.yml; nncost show cce.yml --to-options | grep -c loss-keep
0
[1]

# A table of the user wins over the shipped table, whose rows are in the program; each row needs a key.
$ mkdir -p own/foreign/launch; printf 'sequence_len: 64\nmicro_batch_size: 2\ngradient_accumulation_steps: 1\n' >own.yaml
$ NNCOST_PATH=own:$NNCOST_PATH nncost show own.yaml dense --from axolotl --to-options
nncost estimate dense DEVICE --software torch-eager --seq-len 64 --micro-batch 2 --micro-batches 1 --optimizer adamw --clip-gradients --precision bf16 --policy bf16-pure
$ sed 's/"sequence_len", "to": "seq_len"/"sequence_len", "harmless": "mine"/' ../shipped/foreign/launch/axolotl.json >own/foreign/launch/axolotl.json
$ NNCOST_PATH=own:$NNCOST_PATH nncost show own.yaml dense --from axolotl --to-options
nncost estimate dense DEVICE --software torch-eager --micro-batch 2 --micro-batches 1 --optimizer adamw --clip-gradients --precision bf16 --policy bf16-pure
$ sed -i 's/{ "key": "sequence_len"/{ "keys": "sequence_len"/' own/foreign/launch/axolotl.json; NNCOST_PATH=own:$NNCOST_PATH nncost show own.yaml dense --from axolotl --to-options
! nncost: own/foreign/launch/axolotl.json:10: keys[1]: wrong row, expected an object with a text "key", found an object
[3]

# Without --devices a plan has as many replicas as its expert ranks and shards need.
$ printf '[model]\nname = "deepseek_v3"\nflavor = "16B"\n[training]\nlocal_batch_size = 4\nseq_len = 4096\n[parallelism]\nexpert_parallel_degree = 8\n' >ep.toml
$ nncost estimate ep.toml round --software torch-compile | grep -o '^plan .* zero3'
plan      8 devices dp8 ep8 zero3
$ nncost estimate dense round --shard 4 --zero 3 | grep -o '^plan .* dp4'
plan      4 devices dp4

# A repeated key whose earlier value is the value of an alias.
$ printf 'zero: &a null\nzero: 1\nseq_len: *a\n' >alias.yaml; nncost show alias.yaml dense --from axolotl --to-options
! nncost: alias.yaml:2: zero: repeated key, expected each key once, found this key again
[3]

# The shell that "bash -c" starts expands variables in single quotes and removes quotes that a variable holds; the launcher counts although the command was printed before.
$ printf 'export LAUNCHER="torchrun --nproc_per_node 4 --nnodes 2"\nexport CMD="pretrain_gpt.py --bf16 --num-layers 4 --pipeline-model-parallel-size 2 --pp-partition-method '"'"'type:transformer|embedding'"'"'"\necho $CMD\nsrun bash -c '"'"'$LAUNCHER --node_rank $R $CMD'"'"' 2>&1 | tee log\n' >quotes.sh
$ tail -2 quotes.sh
echo $CMD
srun bash -c '$LAUNCHER --node_rank $R $CMD' 2>&1 | tee log
$ nncost show quotes.sh dense --to-options | grep -o -- '--devices .\|--ends-as-layers'
--ends-as-layers
--devices 8

# Ratios of a hybrid Megatron model count only without a pattern; padding is no length of its own.
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

# DeepSpeed checkpoints activations only for programs that call it, so a file alone is inexact there.
$ printf '{"train_batch_size": 8, "activation_checkpointing": {"partition_activations": true}}' >parts.json
$ nncost show parts.json dense --to-options
nncost estimate dense DEVICE --software deepspeed-0.14 --global-batch 8 --zero 0 --precision fp32 --clip-gradients=off --micro-batches 1 --overlap 0
\# parts.json:1: activation_checkpointing.partition_activations: counts only in programs that call the checkpointing of DeepSpeed, with tensor parallelism: --recompute full --sequence-parallel is the nearest

# The values of base.yml are the defaults of MaxText, so the file may be missing; --command starts a command in quotes.
$ nncost show --to-options -- python3 -m MaxText.train /no/base.yml model_name=llama2-7b per_device_batch_size=4 | grep -o -- '--micro-batch .\|--seq-len ....'
--micro-batch 4
--seq-len 2048
$ nncost show --to-options -- llamafactory-cli train /no/sft.yaml cutoff_len=64
! nncost: arguments:1: names the configuration /no/sft.yaml, which is not found: give this file instead, with the options that the command adds
[3]
$ printf 'ARGS="per_device_batch_size=2 model_name=llama2-7b \\\n max_target_length=64"\nxpk workload create --command="set -e && python3 -m MaxText.train MaxText/configs/base.yml ${ARGS}"\n' >xpk.sh
$ nncost show xpk.sh --to-options | grep -o -- '--micro-batch .\|--seq-len ..'
--micro-batch 2
--seq-len 64

# An FSDP file of a trainer is read like its object; the precision of the trainer takes precedence over "no" of accelerate.
$ printf '{"activation_checkpointing": true, "backward_prefetch": "backward_pre"}\n' >fsdp.json
$ nncost show dense --to-options -- torchrun train.py --per_device_train_batch_size 1 --bf16 True --fsdp 'full_shard auto_wrap' --fsdp_config fsdp.json | grep -o -- '--recompute [a-z]*'
--recompute full
$ printf 'distributed_type: MULTI_GPU\nmixed_precision: "no"\nnum_processes: 2\n' >multi.yaml
$ nncost show dense --to-options -- accelerate launch --config_file multi.yaml sft.py --per_device_train_batch_size 1 --bf16 True | grep -o -- '--precision [a-z0-9]*\|--devices .'
--precision bf16
--devices 2
$ nncost show multi.yaml dense --to-options | grep -o -- '--precision [a-z0-9]*'
--precision fp32

# Adapters of the example of PEFT: without a rank its default would count, which the file does not state.
$ nncost show dense --to-options -- accelerate launch train.py --per_device_train_batch_size 1 --bf16 True --use_peft_lora True --lora_r 8 --use_4bit_quantization True | grep -o -- '--adapter-rank .\|--frozen ...'
--adapter-rank 8
--frozen nf4
$ nncost show dense --to-options -- accelerate launch train.py --per_device_train_batch_size 1 --bf16 True --use_peft_lora True
! nncost: arguments:1: use_peft_lora: cannot be estimated together with the other keys; --adapter-rank N, and --lenient skips the key
[3]

# Megatron-DeepSpeed: Ulysses, one head of keys; without encoder_num_layers a T5 has num_layers in both stacks.
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

# In a pipeline of Megatron-DeepSpeed with bf16, ZeRO 0 shards the optimizer states; without a pipeline or in fp16 it does not.
$ printf '{"zero_optimization": {"stage": 0}, "bf16": {"enabled": true}}\n' >ds0.json
$ for f in '' --no-pipeline-parallel; do nncost show dense --to-options -- torchrun pretrain_gpt.py --num-layers 4 --bf16 --deepspeed --deepspeed_config ds0.json $f | grep -o -- '--zero .'; done
--zero 1
--zero 0
$ sed 's/bf16/fp16/' ds0.json >ds16.json; nncost show dense --to-options -- torchrun pretrain_gpt.py --num-layers 4 --fp16 --deepspeed --deepspeed_config ds16.json | grep -o -- '--zero .'
--zero 0

# deepspeed --include names the devices: their number counts.
$ for i in localhost:0,1,2,3 localhost:1 worker-2:0,1; do nncost estimate dense round --format json -- deepspeed --include $i sft.py --per_device_train_batch_size 1 --bf16 True | grep -o '"devices": [0-9]*' | head -1; done
"devices": 4
"devices": 1
! nncost: arguments:1: include: left open, expected --devices, or a file that sets this field

# Options of accelerate launch take precedence over its file; without --num_machines the file does not know the nodes.
$ printf 'distributed_type: FSDP\nfsdp_config:\n  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\nmixed_precision: bf16\nnum_machines: 2\nnum_processes: 8\n' >accelerate.yaml
$ nncost show dense --to-options -- accelerate launch --config_file accelerate.yaml --num_processes 4 --mixed_precision fp16 sft.py --per_device_train_batch_size 1
nncost estimate dense DEVICE --micro-batch 1 --micro-batches 1 --optimizer adamw --clip-gradients --devices 4 --precision fp16 --zero 3 --reshard
$ nncost show dense --to-options -- accelerate launch --config_file accelerate.yaml --num_machines 4 --num_processes 16 sft.py --per_device_train_batch_size 1 | grep -o -- '--devices[^ ]* [0-9]*'
--devices-per-node 4
--devices 16
$ nncost show dense --to-options -- accelerate launch --config_file accelerate.yaml sft.py --per_device_train_batch_size 1 | grep -o -- '--devices[^ ]* [0-9]*'
--devices-per-node 4
--devices 8

# mpirun starts a process for each device; an engine starts its own.
$ nncost show dense --to-options -- mpirun -np 16 -npernode 8 --mca btl ^openib -x NCCL_DEBUG=INFO python pretrain_gpt.py --num-layers 4 --bf16 | grep -o -- '--devices[^ ]* [0-9]*'
--devices 16
--devices-per-node 8
$ nncost show dense --to-options -- mpirun -n 1 --oversubscribe trtllm-serve dense --tp_size 2
nncost serve dense DEVICE --software tensorrt-llm --tensor 2
$ nncost show dense --to-options -- srun -N 1 -n 1 vllm serve dense --tensor-parallel-size 2
nncost serve dense DEVICE --software vllm --tensor 2 --data 1

# A value that the user gives takes precedence over one that only a run of the script knows; the image of vLLM starts its server.
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

# Trainings of LLaMA-Factory by Megatron recompute what recompute_granularity says, not what its own trainer does.
$ printf 'model_name_or_path: dense\nstage: sft\ndo_train: true\nfinetuning_type: full\nbf16: true\ntensor_model_parallel_size: 1\n' >bridge.yaml
$ for g in '' 'recompute_granularity: full'; do (cat bridge.yaml; echo "$g") >granularity.yaml; nncost show granularity.yaml --to-options | grep -o -- '--recompute [a-z]*'; done
--recompute none
--recompute full
$ sed '/tensor/d' bridge.yaml >own.yaml; nncost show own.yaml --to-options | grep -o -- '--recompute [a-z]*'
--recompute full

# The first version of LLaMA-Factory's new trainer casts the weights of full tuning to fp32; only FSDP computes in bf16.
$ printf 'model: dense\nmodel_class: llm\nmicro_batch_size: 1\ncutoff_len: 64\n' >v1.yaml; (cat v1.yaml; printf 'dist_config:\n  name: fsdp2\n') >v1-fsdp.yaml
$ for f in v1 v1-fsdp; do nncost show $f.yaml --to-options | grep -o -- '--precision .*' | grep -o -- '--precision [a-z0-9]*\|--policy [a-z]*'; done
--precision fp32
--precision bf16
--policy amp

# tf32 of Axolotl is the precision of products that stay in fp32.
$ for b in true false; do printf "base_model: dense\nbf16: $b\nfp16: false\ntf32: true\n" >tf32.yaml; nncost show tf32.yaml --to-options | grep -o -- '--precision [a-z0-9]*'; done
--precision bf16
--precision tf32

# A recipe of torchtune shards by FSDP if it has several devices, and has bf16 states; a name that is unknown is refused.
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

# Megatron-LM recomputes the given number of layers of each virtual stage.
$ A="--num-layers 16 --hidden-size 64 --num-attention-heads 4 --seq-length 64 --micro-batch-size 1 --global-batch-size 8 --vocab-size 128 --pipeline-model-parallel-size 2 --recompute-granularity full --recompute-method block --recompute-num-layers 2"; for v in "" "--num-layers-per-virtual-pipeline-stage 2" "--num-virtual-stages-per-pipeline-rank 2"; do nncost show --to-options -- torchrun pretrain_gpt.py $A $v | grep -o -e '--recompute-layers [0-9]*'; done
--recompute-layers 2
--recompute-layers 8
--recompute-layers 4

# ms-swift starts NPROC_PER_NODE processes; without it, one process has one visible device, or the number is asked.
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

# A rank of adapters without use_peft may be that of another program, so it is asked; the number of nodes of NeMo, too.
$ printf 'per_device_train_batch_size: 2\nlora_r: 4\nbf16: true\nmax_length: 64\n' >rank.yaml; nncost estimate rank.yaml dense round
! nncost: rank.yaml:2: lora_r: left open, expected --adapter-rank, or a file that sets this field
[3]
$ (cat rank.yaml; echo 'use_peft: false') >whole.yaml; nncost show whole.yaml --to-options | grep -c adapter
0
[1]
$ printf 'exp_manager:\n  name: x\ntrainer:\n  devices: 8\nmodel:\n  micro_batch_size: 1\n  global_batch_size: 8\n  encoder_seq_length: 64\n' >nodes.yaml; nncost estimate nodes.yaml dense round
! nncost: nodes.yaml:4: trainer.devices: left open, expected --devices, or a file that sets this field
[3]

# GPT-NeoX: keys with '-' or '_'; a later file replaces an earlier one; a gated MLP has a third of intermediate_size,
# rounded up; GPT-J layers have two norms; without padding the vocabulary stays as it is.
$ printf '{\n  "pipe-parallel-size": 0,\n  "model-parallel-size": 1,\n  "num-layers": 2,\n  "hidden-size": 64,\n  "num-attention-heads": 4,\n  "seq-length": 128,\n  "max-position-embeddings": 128,\n  "pos-emb": "rotary",\n  "norm": "rmsnorm",\n  "activation": "swiglu",\n  "intermediate-size": 400,\n  "mlp-multiple-of": 32,\n  "use-bias-in-attn-linear": false,\n  "use-bias-in-mlp": false,\n  "no-weight-tying": true,\n  "gpt-j-residual": true,\n  "make-vocab-size-divisible-by": 1,\n  "attention-config": [[["flash"], 2]],\n  "fp16": {"enabled": true, "type": "bfloat16"},\n  "zero-optimization": {"stage": 1, "overlap-comm": true},\n  "optimizer": {"type": "Adam", "params": {"lr": 1.0e-4}},\n  "train-micro-batch-size-per-gpu": 4,\n  "gradient-clipping": 1.0,\n  "checkpoint-activations": true,\n}\n' >neox.yml
$ printf '"synchronize_each_layer": true\n"train_micro_batch_size_per_gpu": 2\n"gradient_accumulation_steps": 3\n' >top.yml
$ nncost show neox.yml --to-options; nncost show neox.yml top.yml --to-options | grep -o -e '--micro-batch.*' | cut -d' ' -f1-4
nncost estimate ./neox.yml DEVICE --software megatron-deepspeed --pipeline 1 --tensor 1 --seq-len 128 --attention flash2 --precision bf16 --zero 1 --optimizer adamw --micro-batch 4 --clip-gradients --recompute full --micro-batches 1 --sequence-parallel=off
--micro-batch 2 --micro-batches 3
$ nncost estimate neox.yml round --devices 2 --software eager --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["model"]["params_by_group"])' # 50257 x 64; 2 x 3 x 64 x 160; 5 norms
{'embedding': 3216448, 'attention': 32768, 'mlp': 61440, 'norm': 320, 'head': 3216448}

# ${NAME:=word} gives the variable its default, too.
$ printf ': "${N:=3}"\ntorchrun pretrain_gpt.py --num-layers $N --hidden-size ${H=64} --ffn-hidden-size $H --num-attention-heads 4 --seq-length 64 --max-position-embeddings 64 --micro-batch-size ${B:=2} --global-batch-size $((B * 4)) --vocab-size 128\n' >assign.sh
$ for n in 3 5; do nncost estimate assign.sh N=$n round --devices 1 --software eager --json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["model"]["params"], d["plan"]["micro_batch"], d["plan"]["global_batch"])'; done; nncost show assign.sh --to-options | grep -o -e '--micro-batch.*8'
88064 2 8
138496 2 8
--micro-batch 2 --global-batch 8

# A sum of variables that the script does not set asks for the first of them.
$ printf 'torchrun --nproc_per_node 1 sft.py --per_device_train_batch_size $(( N > 8 ? N / 4 : 2 ))\n' >sum.sh; nncost estimate sum.sh dense round
! nncost: sum.sh:1: per_device_train_batch_size: is ${N}, which the script does not set, expected N=VALUE among the arguments, or --micro-batch
[3]
$ nncost show sum.sh dense round N=16 --to-options | grep -o -e '--micro-batch [0-9]*'
--micro-batch 4

# A number of devices that only a run knows is not needed with --devices.
$ printf 'G=`python -c "print(8)"`\ntorchrun --nproc_per_node $G --nnodes $N sft.py --per_device_train_batch_size 1\n' >asked.sh; nncost estimate asked.sh dense round
! nncost: asked.sh:2: nproc_per_node: is ${`python_-c_"print(8)"`}, which is known only when the script runs; --devices N, and --lenient skips the key
[3]
$ nncost estimate asked.sh dense round --devices 4 --full | grep '^plan'
plan      4 devices = data 4

# Pai-Megatron-Patch: the tokenizer and extra_vocab_size decide the vocabulary, which is not padded; a network with a
# vision tower, and one whose first layer is dense by its code, are asked for.
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

# A padded vocabulary is the size of the table: neither vocab_size nor make_vocab_size_divisible_by counts beside it.
$ echo "torchrun pretrain_gpt.py --bf16 --num-layers 2 --hidden-size 64 --num-attention-heads 4 --seq-length 64 --max-position-embeddings 64 --micro-batch-size 1 --vocab-size 100 --make-vocab-size-divisible-by 64 --padded-vocab-size 200" >padded.sh; nncost estimate padded.sh round --software torch-eager --format json | grep -o '"embedding": [0-9]*' # (200 + 64) x 64
"embedding": 16896

# "${NAME}" in a YAML file of a launcher has the value that the user gives. Layers of a virtual stage count the ends of the
# network if these count as layers: (6 + 2) / 2 / 2 stages. Stages of different sizes ask for --virtual-stages.
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

# Megatron-LM: a gated delta rule in three of four layers, and gated attention. With a list of modules, the switch for
# selective recomputation adds none.
$ echo "torchrun pretrain_gpt.py --bf16 --num-layers 4 --hidden-size 64 --num-attention-heads 4 --seq-length 64 --max-position-embeddings 64 --micro-batch-size 1 --padded-vocab-size 128 --position-embedding-type rope --normalization RMSNorm --disable-bias-linear --swiglu --ffn-hidden-size 128 --experimental-attention-variant gated_delta_net --linear-attention-freq 4 --linear-conv-kernel-dim 4 --linear-key-head-dim 8 --linear-value-head-dim 8 --linear-num-key-heads 4 --linear-num-value-heads 8 --attention-output-gate --recompute-activations --recompute-granularity selective --recompute-modules mlp" >delta.sh
$ nncost estimate delta.sh round --software torch-eager --json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["model"]["params_by_group"]["attention"], d["plan"]["recompute"])' # 3 x (64 x (2 x 32 + 2 x 64) + 64 x 16 + 128 x 4 + 2 x 8 + 64 x 64) + 5 x 64 x 64
74288 mlp

# vLLM without chunks of prompts: the budget of a step must be in the file, or --chunk.
$ nncost serve dense round --input-len 8 --output-len 8 -- vllm serve dense --no-enable-chunked-prefill
! nncost: arguments:1: no-enable-chunked-prefill: cannot be estimated together with the other keys; --chunk N, and --lenient skips the key
[3]
$ nncost show dense --to-options -- vllm serve dense --no-enable-chunked-prefill --max-num-batched-tokens 8192
nncost serve dense DEVICE --software vllm --chunk 8192 --data 1
\# arguments:1: no_enable_chunked_prefill: prompts are not split: one that is longer than the rest of max_num_batched_tokens waits for the next step

# Commands for the nodes of one deployment are one; two engines of a node are two. argparse takes the beginning of a name.
$ printf 'python3 -m sglang.launch_server --model-path dense --tp-size 4 --nnodes 2 --node-rank 0 --port 1 --mem-frac 0.8\npython3 -m sglang.launch_server --model-path dense --tp-size 4 --nnodes 2 --node-rank 1 --mem-frac 0.8\n' >nodes.sh; nncost show nodes.sh --to-options
nncost serve dense DEVICE --software sglang --memory-use 0.8 --tensor 4 --data 1
$ nncost show dense --to-options -- python3 -m sglang.launch_server --model-path dense --tp-size 4 --scheduler-recv-interval 30
nncost serve dense DEVICE --software sglang --receive-steps 30 --tensor 4 --data 1
$ sed 's/--node-rank .//' nodes.sh >two.sh; nncost show two.sh --to-options
! nncost: two.sh: several commands, expected one command that trains or serves, found commands in lines 1 and 2; NAME=VALUE among the arguments may select one
[3]
$ sed '2s/tp-size 4/tp-size 2/' nodes.sh >other.sh; nncost show other.sh --to-options
! nncost: other.sh: several commands, expected one command that trains or serves, found commands in lines 1 and 2; NAME=VALUE among the arguments may select one
[3]
$ printf 'vllm serve dense --data-parallel-size 2 --data-parallel-size-local 1\nvllm serve dense --headless --data-parallel-start-rank 1 --data-parallel-size 2 --data-parallel-size-local 1\n' >head.sh; nncost show head.sh --to-options
nncost serve dense DEVICE --software vllm --data 2

# A profile of NeMo stands for Megatron-LM with CUDA graphs, but ZeRO 1 and sequence parallelism stay options of the script.
$ nncost show dense --to-options -- --num-layers 2 --bf16 --tensor-model-parallel-size 2 --cuda-graph-impl local | grep -o -e '--software megatron-graphs' -e '--zero 0 --sequence-parallel=off'
--software megatron-graphs
--zero 0 --sequence-parallel=off

# Options of a run of Megatron-LM that learns from generated answers.
$ nncost show dense --to-options -- --num-layers 2 --bf16 --grpo-group-size 16 --grpo-iterations 2 --grpo-kl-beta 0.0 --langrl-env-config env.yaml | grep -o -e '--group 16' -e '--update-epochs 2' -e '--method grpo'
--group 16
--update-epochs 2
--method grpo

# MaxText: a list of tensors that keeps no more than the input of a layer means full recomputation; others are asked for.
$ printf 'remat_policy: custom\ndecoder_layer_input: offload\nper_device_batch_size: 1\n' >remat.yml; nncost show remat.yml dense --to-options | grep -o -e '--recompute full' -e '--offload activations'
--recompute full
--offload activations
$ (cat remat.yml; echo 'out_proj: device') >kept.yml; nncost estimate kept.yml dense round
! nncost: kept.yml:1: remat_policy: left open, expected --recompute, or a file that sets this field
[3]

# Rules of the mesh have no effect if only the axis fsdp has several devices.
$ printf 'mesh_axes: [fsdp, expert]\nlogical_axis_rules: [[embed, [fsdp, expert]]]\nper_device_batch_size: 1\n' >mesh.yml; nncost show mesh.yml dense --to-options | grep -o -e '--zero 3'
--zero 3
$ (cat mesh.yml; echo 'ici_expert_parallelism: 2') >expert.yml; nncost show expert.yml dense --to-options
! nncost: expert.yml:1: mesh_axes: cannot be estimated, expected [["norm","fsdp"]], found expert,fsdp; give the degrees by --tensor, --context, --expert and --shard, and --lenient skips the key
[3]

# A file that names a model may change it: GPT-2 with a longer table of positions.
$ printf 'max_seq_len: 2048\nglobal_train_batch_size: 8\ndevice_train_microbatch_size: 1\nprecision: amp_bf16\nmodel:\n  name: hf_causal_lm\n  pretrained_model_name_or_path: gpt2\n  config_overrides:\n    n_positions: 2048\n' >positions.yaml; nncost show positions.yaml --to-options | grep -o -e '--set .*'
--set model.positions_max=2048

# The DeepSpeed files that accelerate ships are known by their names; their micro-batch is asked for.
$ printf 'distributed_type: DEEPSPEED\ndeepspeed_config:\n  deepspeed_config_file: ../deepspeed_config_templates/zero_stage2_offload_config.json\nnum_processes: 2\n' >shipped.yaml; nncost show shipped.yaml dense --to-options
nncost estimate dense DEVICE --software deepspeed-0.14 --devices 2 --zero 2 --offload optimizer --precision fp16 --optimizer adamw --micro-batches 1 --clip-gradients
\# shipped.yaml:3: deepspeed_config.deepspeed_config_file: left open, expected --micro-batch, or a file that sets this field

# Recipes of TRL that learn from generated answers: a sequence is a prompt with its answer; beta 0 needs no reference model.
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

# Degrees on top of base.yml need no rules of their own.
$ printf 'run_name: ""\nmesh_axes: [data, fsdp, tensor]\nlogical_axis_rules: [[embed, [fsdp]]]\nper_device_batch_size: 1\nici_tensor_parallelism: 1\n' >base.yml; printf 'base_config: base.yml\nici_tensor_parallelism: 2\n' >run.yml; nncost show base.yml run.yml dense --to-options | grep -o -e '--tensor 2'
--tensor 2

# A file of options for SGLang.
$ printf 'tp: 8\nenable-dp-attention: true\ndp-size: 4\nattention-backend: fa3\nport: 8000\n' >engine.yaml; nncost show engine.yaml dense --to-options
nncost serve dense DEVICE --software sglang --tensor 2 --attention-data 4
\# engine.yaml:2: enable_dp_attention: SGLang divides its own chunked_prefill_size by dp_size: --chunk N gives the tokens of each group

# The scripts of Megatron-LM for its paper of 2021 read two others, which may be missing; a script without their variable may not.
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

# FSDP units of a number of parameters are read; their effect is named.
$ printf 'distributed_type: FSDP\nmixed_precision: bf16\nnum_processes: 4\nfsdp_config:\n  fsdp_auto_wrap_policy: SIZE_BASED_WRAP\n  fsdp_min_num_params: 100000000\n' >units.yaml; nncost show units.yaml dense --to-options
nncost estimate dense DEVICE --zero 3 --reshard --precision bf16 --devices 4
\# units.yaml:5: fsdp_config.fsdp_auto_wrap_policy: units of at least fsdp_min_num_params parameters: the estimate gathers the weights of each layer

# DeepSpeed: keys whose effect is named: lengths of a curriculum, and checkpoints on the host that the program must ask for.
$ echo '{ "train_batch_size": 8, "curriculum_learning": { "enabled": true, "curriculum_type": "seqlen", "schedule_config": { "total_curriculum_step": 9 } }, "activation_checkpointing": { "cpu_checkpointing": true, "partition_activations": false } }' >schedule.json; nncost show schedule.json dense --to-options
nncost estimate dense DEVICE --software deepspeed-0.14 --global-batch 8 --zero 0 --precision fp32 --clip-gradients=off --micro-batches 1 --overlap 0
\# schedule.json:1: curriculum_learning.enabled: the estimate is for steps after the curriculum ends: sequences have their full length; --seq-len gives another one
\# schedule.json:1: activation_checkpointing.cpu_checkpointing: counts only in programs that call the checkpointing of DeepSpeed: --recompute full --offload activations is the nearest

# A file of accelerate without distribution starts one process; the ranks of ZeRO with Ulysses are all ranks.
$ printf 'distributed_type: "NO"\nmixed_precision: bf16\nnum_machines: 1\nnum_processes: 8\n' >single.yaml; nncost show single.yaml dense --to-options
nncost estimate dense DEVICE --software torch-eager --zero 0 --precision bf16 --devices-per-node 8 --devices 1
$ printf 'distributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 3\nmixed_precision: bf16\nnum_processes: 8\nparallelism_config:\n  parallelism_config_dp_shard_size: 4\n  parallelism_config_sp_size: 2\n  parallelism_config_sp_backend: deepspeed\n' >ulysses.yaml; nncost show ulysses.yaml dense --to-options | grep -o -e '--data .*'
--data 4 --shard 8 --context 2 --context-kind ulysses --clip-gradients

# A script prints its command in a function before it runs the command: both are one command.
$ printf 'save() {\n  local file="$1"\n  shift\n  printf "%%q " "$@" | tee "$file"\n}\nMORE=(--kv-cache-dtype fp8)\nRUN=(\n  vllm serve x\n  --block-size 64\n  "${MORE[@]}"\n)\nsave log.txt "${RUN[@]}"\n"${RUN[@]}" >log &\n' >printed.sh; nncost show printed.sh dense --to-options
nncost serve dense DEVICE --software vllm --block 64 --kv-precision fp8 --data 1

# Of two commands, a message names the variable that selects one.
$ printf 'if [ "$LONG" -eq 1 ]; then\n  vllm serve x --block-size 64\nelse\n  vllm serve x --block-size 16\nfi\n' >selected.sh; nncost show selected.sh dense --to-options
! nncost: selected.sh: several commands, expected one command that trains or serves, found commands in lines 2 and 4; LONG=VALUE among the arguments may select one
[3]
$ nncost show selected.sh dense LONG=1 --to-options | grep -o -e '--block 64'
--block 64

# The tokens of a step with drafts give the share of accepted drafts: 1 + a + a^2 + a^3 = 2.533 with a = 0.7.
$ nncost show dense --to-options -- vllm serve x --speculative-config '{"method": "mtp", "num_speculative_tokens": 3, "rejection_sample_method": "synthetic", "synthetic_acceptance_length": 2.533}' | grep -o -e '--acceptance [0-9.]*'
--acceptance 0.7
$ nncost show dense --to-options -- python -m atom.entrypoints.openai_server --served-model-name x --method mtp --num-speculative-tokens 1 --spec-decode-acceptance-length 1.25 | grep -o -e '--acceptance [0-9.]*'
--acceptance 0.25
$ nncost show dense --to-options -- vllm serve x --speculative-config '{"method": "mtp", "num_speculative_tokens": 1, "synthetic_acceptance_length": 2.5}'
! nncost: arguments:1: speculative-config.synthetic_acceptance_length: needs between 1 and drafts + 1 tokens; --acceptance X, and --lenient skips the key
[3]

# A selective recomputation of torchtitan by products is counted by layers; every output says so.
$ printf '[model]\nname = "llama3"\nflavor = "8B"\n[training]\nlocal_batch_size = 1\nseq_len = 64\n[activation_checkpoint]\nmode = "selective"\nselective_ac_option = "op"\n' >op.toml; nncost show op.toml --to-options | grep -e '^#' -e '--recompute-layers'
nncost estimate ./op.toml DEVICE --software fsdp --seq-len 64 --recompute full --clip-gradients --tensor 1 --pipeline 1 --context 1 --context-kind all-gather --expert 1 --policy amp --precision bf16 --optimizer adamw --micro-batch 1 --zero 3 --reshard --recompute-layers 16
\# op.toml:9: activation_checkpoint.selective_ac_option: every second product of a layer is computed again: the estimate computes every second layer again
$ sed 's/mode = .*/mode = "full"/' op.toml >full.toml; nncost show full.toml --to-options | grep -c -e '^#' -e '--recompute-layers'
0
[1]

# A MaxText run that learns from generated answers is refused by its switch.
$ printf 'base_config: base.yml\nuse_grpo: true\n' >rl.yml; nncost show rl.yml dense --to-options
! nncost: rl.yml:2: use_grpo: cannot be estimated, expected false, found true; --method grpo, and --lenient skips the key
[3]

# A run file of the platform of llm-foundry has the command, its configuration and the number of devices.
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
! nncost: missing.yaml:7: names the configuration yamls/other.yaml, which is not found: give this file instead, with the options that the command adds
[3]

# Keys of engines that have no effect on cost, and a program that has only the network of images.
$ printf 'tensor_parallel_size: 4\nenable_attention_dp: true\nmoe_expert_parallel_size: 4\ndisable_mm_encoder: true\nnum_serve_frontends: 4\nkv_cache_config:\n  mamba_ssm_stochastic_rounding: true\n  mamba_ssm_philox_rounds: 5\n  pool_ratio: [0.8, 0.2]\n  avg_seq_len: 1000\n  block_reuse_config:\n    policy: per_request\nspeculative_config:\n  decoding_type: MTP\n  num_nextn_predict_layers: 1\n  use_mtp_vanilla: false\n' >keys.yaml; nncost show keys.yaml dense --to-options
nncost serve dense DEVICE --software tensorrt-llm --tensor 1 --expert 4 --acceptance 0.7 --draft-length 1 --attention-data 4
\# keys.yaml:9: kv_cache_config.pool_ratio: a fixed share of the memory for each kind of layers: the estimate divides it as the layers need
$ nncost show dense --to-options -- vllm serve x --prefix-match-unit 128 --kda-prefill-backend flashkda
nncost serve dense DEVICE --software vllm --data 1
$ nncost show dense --to-options -- vllm serve x --mm-encoder-only
! nncost: arguments:1: mm-encoder-only: cannot be estimated, expected false, found true; this engine runs no language model, and --lenient skips the key
[3]

# A script of Megatron-DeepSpeed makes its DeepSpeed file from a template by sed; its expert ranks count with MODEL alone.
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

# Expert ranks of nanotron are further ranks: nncost counts them as data ranks.
$ printf 'parallelism:\n  dp: 2\n  tp: 2\n  pp: 1\n  expert_parallel_size: 2\ntokens:\n  sequence_length: 64\n  micro_batch_size: 1\n  batch_accumulation_per_replica: 1\nmodel:\n  dtype: bfloat16\noptimizer:\n  zero_stage: 0\n  clip_grad: 1.0\n' >moe.yaml; nncost show moe.yaml experts --to-options
! nncost: moe.yaml:5: parallelism.expert_parallel_size: cannot be estimated, expected 1, found 2; these ranks come on top of the data ranks, and nncost counts them as such: --expert N, and --data N times as large, and --lenient skips the key
[3]
$ nncost estimate moe.yaml experts round --software eager --expert 2 --data 4 | grep -o -e '8 devices dp4 tp2 ep2'
8 devices dp4 tp2 ep2

# The environment of SGLang can give the tokens of a step with drafts, too.
$ printf 'if [ "${EVAL:-false}" != true ]; then\n  export SGLANG_SIMULATE_ACC_LEN=1.75\nfi\npython3 -m sglang.launch_server --model-path x --speculative-algorithm NEXTN --speculative-num-steps 2\n' >simulated.sh; nncost show simulated.sh dense --to-options | grep -o -e '--acceptance [0-9.]*'
--acceptance 0.5
$ nncost show simulated.sh dense EVAL=true --to-options | grep -o -e '--acceptance [0-9.]*'
--acceptance 0.7
