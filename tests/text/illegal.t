# Tests plans that no program can run. The message about an illegal plan has the rule, the numbers and the nearest legal
# values.

# Tests illegal formats, policies and sequence lengths.
$ nncost estimate dense old --precision bf16
! nncost: --precision: old does not train in this format, expected one of fp32, fp16, found bf16
[3]
$ nncost estimate dense round --precision fp32 --policy mixed
! nncost: --policy: matrix products in fp32 read weights of 4 bytes, expected the policy fp32, found mixed with weights of 2 bytes
[3]
$ nncost estimate dense round --seq-len 2000
! nncost: --seq-len: longer than the position table, expected at most 1000, found 2000
[3]
$ nncost estimate unet round --tokens 1e9
! nncost: --tokens: a unet trains on images, expected --samples
[3]

# Tests degrees that are not a divisor of a dimension, and degrees that contradict each other.
$ nncost estimate dense round --tp 3
! nncost: --tensor: heads 8 cannot be divided over 3 ranks, expected 2 or 4
[3]
$ nncost estimate dense round --devices 12 --tensor 8
! nncost: --devices: expected a multiple of tensor x pipeline x context = 8, found 12
[3]
$ nncost estimate dense round --devices 16 --tensor 2 --data 4
! nncost: --devices: disagrees with data x tensor x pipeline x context, expected 8, found 16
[2]
$ nncost estimate dense round --devices 16 --global-batch 24
! nncost: --global-batch: cannot be divided into passes, expected a multiple of 16 (micro_batch x data), such as 16 or 32, found 24
[3]
$ nncost estimate dense round --tensor 16
! nncost: --tensor: heads 8 cannot be divided over 16 ranks, expected 8
[3]
$ nncost estimate unet round --tensor 2 --context 2
! nncost: --tensor: only data ranks can divide the work of a unet, expected 1, found 2
[3]
$ nncost estimate unet round --pipeline 2
! nncost: --pipeline: only data ranks can divide the work of a unet, expected 1, found 2
[3]

# Illegal plans with a pipeline.
$ nncost estimate dense round --pipeline 9
! nncost: --pipeline: 8 layers cannot fill 9 stages, expected pipeline x virtual_stages of at most 8, or --ends-as-layers, which counts embedding and head as one layer each
[3]
$ nncost estimate dense round --pipeline 4 --virtual-stages 2 --micro-batches 6
! nncost: --micro-batches: the interleaved schedule runs micro-batches in groups of 4, expected 8, found 6
[3]
$ nncost estimate dense round --virtual-stages 2
! nncost: --virtual-stages: a pipeline of one stage has no bubble to split, expected 1, found 2
[3]
$ nncost estimate dense round --pipeline 4 --virtual-stages 3 --micro-batches 4
! nncost: --pipeline: 8 layers cannot fill 12 stages, expected pipeline x virtual_stages of at most 8
[3]
$ nncost estimate dense round --pipeline 4 --schedule gpipe --virtual-stages 2 --micro-batches 4
! nncost: --virtual-stages: only the interleaved schedule has virtual stages, expected 1, found 2
[3]
$ nncost estimate dense round --pipeline 3 --schedule dualpipe --micro-batches 12
! nncost: --pipeline: dualpipe enters a pipeline from both ends, expected an even number of stages, 2 or 4, found 3
[3]
$ nncost estimate dense round --pipeline 4 --offload weights --micro-batches 8
! nncost: --offload: weights can be stored in host memory only if ZeRO 3 divides them, expected --zero 3, found 0
[3]

# Illegal plans with context parallelism or sequence parallelism.
$ nncost estimate experts round --context 3
! nncost: --context: half of seq_len 500 cannot be divided over 3 ranks, expected 2 or 4
[3]
$ nncost estimate dense round --context 8 --context-kind ulysses --tensor 2
! nncost: --context: heads of a tensor rank 4 cannot be divided over 8 ranks, expected 4
[3]
$ nncost estimate experts round --sequence-parallel
! nncost: --sequence-parallel: shards activations over tensor ranks, expected --tensor 2 or more
[3]
$ nncost estimate dense round --tensor 8 --sequence-parallel --seq-len 100
! nncost: --sequence-parallel: the tokens of a rank 100 cannot be divided over 8 ranks, expected 5 or 10
[3]

# Illegal plans with experts.
$ nncost estimate dense round --devices 8 --expert 8
! nncost: --expert: the model has no experts, expected 1
[3]
$ nncost estimate experts round --devices 8 --expert 3
! nncost: --expert: experts 8 cannot be divided over 3 ranks, expected 2 or 4
[3]
$ nncost estimate experts round --devices 4 --expert 8
! nncost: --expert: data x context 4 cannot be divided over 8 ranks, expected 4
[3]

# --shard needs a stage of ZeRO, and its value must be a divisor of the number of ranks.
$ nncost estimate dense round --data 8 --shard 4
! nncost: --shard: --zero 0 divides no tensors, expected --zero 1 to 3
[3]
$ nncost estimate dense round --data 8 --zero 3 --shard 3
! nncost: --shard: data x context 8 cannot be divided over 3 ranks, expected 2 or 4
[3]

# --activations korthikanti is valid only for GPT models.
$ nncost estimate unet round --activations korthikanti
! nncost: --activations: the korthikanti formula counts a GPT, expected per-op
[3]
$ nncost estimate experts round --activations korthikanti
! nncost: --activations: the korthikanti formula counts a GPT layer (plain MLP of 4 x hidden, as many key as query heads), expected per-op for this model
[3]

# If a plan breaks several rules, the message reports the first rule only.
$ nncost estimate dense round --tensor 3 --pipeline 9 --seq-len 5000
! nncost: --seq-len: longer than the position table, expected at most 1000, found 5000
[3]

# --recompute-layers must not be above the number of layers of a stage.
$ nncost estimate dense round --recompute full --recompute-layers 9
! nncost: --recompute-layers: more than the layers of a stage, expected at most 8, found 9
[3]
$ nncost estimate dense round --pipeline 3 --recompute full --recompute-layers 4
! nncost: --recompute-layers: more than the layers of a stage, expected at most 3, found 4
[3]
$ nncost estimate unet round --recompute full --recompute-layers 1
! nncost: --recompute-layers: a unet is not a sequence of equal layers, expected 0, found 1
[3]

# Illegal plans for a vision transformer, which divides images into patches.
$ nncost estimate vision round --tensor 3
! nncost: --tensor: heads 10 cannot be divided over 3 ranks, expected 2 or 5
[3]
$ nncost estimate vision round --context 2
! nncost: --context: nncost cannot divide the patches of an image over context ranks, expected 1, found 2
[3]
$ nncost estimate vision round --image 95
! nncost: --image: cannot be divided into patches, expected a multiple of 10, found 95
[3]
$ nncost estimate vision round --seq-len 100
! nncost: --seq-len: a vit takes images, not tokens
[3]
$ nncost estimate vision round --flops-convention 6nd
! nncost: --flops-convention: 6nd counts one use of each parameter per token, and a vit counts images
[3]

# Tests a value of --context that is probably a sequence length. The message proposes the right option.
$ nncost estimate dense round --context 8192
! nncost: --context: the number of devices that share a sequence, expected at most the number of --devices, found 8192; did you mean --seq-len 8192?
[3]
