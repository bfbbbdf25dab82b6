#include "lab/measured_words.h"

#include <stddef.h>

const nnc_spelling nnc_words_precisions[] = {
    { "", NNC_DTYPE_COUNT, NULL }, /* the device's */
    { "fp32", NNC_FP32, NULL },
    { "tf32", NNC_TF32, NULL },
    { "bf16", NNC_BF16, NULL },
    { "fp16", NNC_FP16, NULL },
    { "amp fp16", NNC_FP16, NULL },
    { "fp8", NNC_FP8, NULL },
    { "fp8-cs", NNC_FP8, NULL }, /* scaling differs, sizes and rates do not */
    { "fp8-mx", NNC_FP8, NULL },
    { "nvfp4", 0, "precision nvfp4: no training in 4 bits" },
    { "int8", 0, "precision int8: no training in integers" },
    { NULL, 0, "precision" },
};

enum {
    RECOMPUTE_MINIMAL = NNC_RECOMPUTE_ATTENTION | NNC_RECOMPUTE_NORM | NNC_RECOMPUTE_ACTIVATION
};

const nnc_spelling nnc_words_recomputes[] = {
    { "", NNC_RECOMPUTE_NONE, NULL }, /* undecided */
    { "none", NNC_RECOMPUTE_NONE, NULL },
    { "selective", NNC_RECOMPUTE_ATTENTION, NULL },
    { "full", NNC_RECOMPUTE_FULL, NULL },
    { "minimal (matmul outputs saved)", RECOMPUTE_MINIMAL, NULL },
    { "full, qkv offloaded to host", 0, "recompute: some inputs are kept in host memory" },
    { "custom/offload", 0, "recompute: a list that is not stated" },
    { NULL, 0, "recompute" },
};

const nnc_spelling nnc_words_optimizers[] = {
    { "", NNC_OPTIMIZER_ADAMW, NULL },
    { "adam", NNC_OPTIMIZER_ADAM, NULL },
    { "adamw", NNC_OPTIMIZER_ADAMW, NULL },
    { "adamw fused", NNC_OPTIMIZER_ADAMW, NULL },
    { "adamw (fp32 weights)", NNC_OPTIMIZER_ADAMW, NULL },
    { "decoupled_adamw", NNC_OPTIMIZER_ADAMW, NULL },
    { "distributed adam", NNC_OPTIMIZER_ADAM, NULL },
    { "cpu adamw", NNC_OPTIMIZER_ADAMW, NULL },
    { "adam (fp32 grad accumulation)", NNC_OPTIMIZER_ADAM, NULL },
    { "adam (fp32 master, fp32 grad accumulation)", NNC_OPTIMIZER_ADAM, NULL },
    { "sgd", NNC_OPTIMIZER_SGD, NULL },
    { "momentum", NNC_OPTIMIZER_MOMENTUM, NULL },
    { "adafactor", NNC_OPTIMIZER_ADAFACTOR, NULL },
    { "lion", NNC_OPTIMIZER_LION, NULL },
    { "muon", NNC_OPTIMIZER_MUON, NULL },
    { NULL, 0, "optimizer" },
};

const nnc_spelling nnc_words_offloads[] = {
    { "", NNC_OFFLOAD_NONE, NULL },
    { "none", NNC_OFFLOAD_NONE, NULL },
    { "optimizer states on CPU (ZeRO-Offload AdamW)", NNC_OFFLOAD_OPTIMIZER, NULL },
    { "activations to host", NNC_OFFLOAD_ACTIVATIONS, NULL },
    { NULL, 0, "offload" },
};

const nnc_spelling nnc_words_shardings[] = {
    /* the ZeRO stage, where zero_stage is empty */
    { "", 0, NULL },
    { "none", 0, NULL },
    { "ddp", 0, NULL },
    { "zero0", 0, NULL },
    { "zero1", 1, NULL },
    { "distributed-optimizer", 1, NULL },
    { "zero2", 2, NULL },
    { "fsdp-shard_grad_op", 2, NULL },
    { "zero3", 3, NULL },
    { "fsdp", 3, NULL },
    { "fsdp2", 3, NULL },
    { "fsdp-full_shard", 3, NULL },
    { "fsdp within slice, dp across slices", 3, NULL }, /* shard_size says how far */
    { "fsdp within node, dp across nodes", 3, NULL },
    { NULL, 0, "sharding" },
};

const nnc_spelling nnc_words_positions[] = {
    { "", NNC_POSITIONS_COUNT, NULL }, /* by the kind of block */
    { "learned", NNC_POSITIONS_LEARNED, NULL }, { "rope", NNC_POSITIONS_ROTARY, NULL },
    { "alibi", NNC_POSITIONS_NONE, NULL }, /* a bias inside the attention kernel */
    { "none", NNC_POSITIONS_NONE, NULL },       { NULL, 0, "pos_embedding" },
};

const nnc_spelling nnc_words_tasks[] = {
    { "", 0, NULL },     { "pretrain", 0, NULL },
    { "sft", 0, NULL },  { "lora", 0, "task lora: only adapters are trained" },
    { NULL, 0, "task" },
};

const nnc_spelling nnc_words_attentions[] = {
    /* whether latent attention's ranks are read */
    { "", 0, NULL },    { "mha", 0, NULL },       { "gqa", 0, NULL },
    { "mla", 1, NULL }, { NULL, 0, "attention" },
};

const nnc_spelling nnc_words_flashes[] = {
    { "", NNC_WORDS_FLASH_UNKNOWN, NULL }, { "unknown", NNC_WORDS_FLASH_UNKNOWN, NULL },
    { "0", NNC_ATTENTION_UNFUSED, NULL },  { "1", NNC_ATTENTION_FLASH, NULL },
    { NULL, 0, "flash_attention" },
};

const nnc_framework nnc_frameworks[] = {
    { .prefix = "Megatron-DeepSpeed",
      .software = "megatron-classic",
      .policy = NNC_POLICY_MIXED,
      .attention = NNC_ATTENTION_UNFUSED,
      .fp16_dropout = 0.1 },
    { .prefix = "Megatron-LM + Transformer Engine",
      .software = "megatron",
      .policy = NNC_POLICY_MIXED_FP32GRAD,
      .sequence_parallel = true,
      .ulysses = true,
      .nothing_hides = true,
      .capacity_factor = 1.0 },
    { .prefix = "Megatron-LM",
      .version = "Megatron-Core",
      .software = "megatron",
      .policy = NNC_POLICY_MIXED_FP32GRAD,
      .sequence_parallel = true },
    { .prefix = "Megatron-LM",
      .software = "megatron-classic",
      .policy = NNC_POLICY_MIXED_FP32GRAD,
      .attention = NNC_ATTENTION_UNFUSED,
      .fp16_dropout = 0.1,
      .sequence_parallel = true },
    { .prefix = "Megatron-Bridge",
      .software = "megatron",
      .policy = NNC_POLICY_MIXED_FP32GRAD,
      .sequence_parallel = true },
    { .prefix = "NeMo AutoModel",
      .software = "fsdp",
      .policy = NNC_POLICY_AMP,
      .attention = NNC_ATTENTION_FLASH2,
      .stays_gathered = true },
    { .prefix = "NeMo",
      .software = "megatron",
      .policy = NNC_POLICY_MIXED_FP32GRAD,
      .sequence_parallel = true },
    { .prefix = "nanotron", /* eager PyTorch */
      .software = "fsdp",
      .policy = NNC_POLICY_MIXED_FP32GRAD,
      .attention = NNC_ATTENTION_FLASH2 },
    { .prefix = "DeepSpeed",
      .software = "fsdp",
      .policy = NNC_POLICY_MIXED,
      .attention = NNC_ATTENTION_FLASH2,
      .fp16_dropout = 0.1 },
    { .prefix = "llm-foundry", /* kernels of 2023 */
      .software = "fsdp",
      .policy = NNC_POLICY_AMP,
      .attention = NNC_ATTENTION_FLASH1 },
    { .prefix = "Composer FSDP",
      .software = "torch-eager",
      .policy = NNC_POLICY_AMP,
      .micro_batch = 16 }, /* of its configuration files */
    { .prefix = "FairScale",
      .software = "fsdp",
      .policy = NNC_POLICY_AMP,
      .attention = NNC_ATTENTION_FLASH1,
      .zero = 3 },
    { .prefix = "torchtitan",
      .software = "torch-compile",
      .policy = NNC_POLICY_AMP,
      .half_selective = true,
      .stays_gathered = true },
    { .prefix = "llm.c", .software = "torch-compile", .policy = NNC_POLICY_MIXED },
    { .prefix = "MaxText",
      .software = "maxtext",
      .policy = NNC_POLICY_AMP,
      .zero = 3,
      .micro_batch = NNC_ONE_PASS },
    { .prefix = "Paxml + TE", .software = "maxtext", .policy = NNC_POLICY_AMP },
    { .prefix = "Paxml",
      .software = "maxtext",
      .policy = NNC_POLICY_AMP,
      .attention = NNC_ATTENTION_UNFUSED },
    /* Our own profiles, for files that are written for this program. */
    { .prefix = "megatron-classic", .software = "megatron-classic" },
    { .prefix = "megatron", .software = "megatron" },
    { .prefix = "fsdp", .software = "fsdp" },
    { .prefix = "torch-eager", .software = "torch-eager" },
    { .prefix = "torch-compile", .software = "torch-compile" },
    { .prefix = "maxtext", .software = "maxtext" },
    { .prefix = "" },
};
