#include "base/names.h"

const char *const nnc_dtype_names[NNC_DTYPE_COUNT] = {
#define DTYPE_NAME(name, text, bytes) [name] = (text),
    NNC_DTYPE_LIST(DTYPE_NAME)
#undef DTYPE_NAME
};

const char *const nnc_basis_names[NNC_BASIS_COUNT] = {
    [NNC_BASIS_NONE] = "none",
    [NNC_BASIS_DEFAULT] = "default",
    [NNC_BASIS_KERNELS] = "kernels",
    [NNC_BASIS_STEPS] = "steps",
};
const char *const nnc_objective_names[NNC_OBJECTIVE_COUNT] = {
    [NNC_OBJECTIVE_TIME] = "time",
    [NNC_OBJECTIVE_MEMORY] = "memory",
    [NNC_OBJECTIVE_COST] = "cost",
};

const char *const nnc_link_kind_names[NNC_LINK_KIND_COUNT] = {
    [NNC_LINK_NONE] = "none", [NNC_LINK_SWITCH] = "switch", [NNC_LINK_TORUS] = "torus",
    [NNC_LINK_MESH] = "mesh", [NNC_LINK_RING] = "ring",     [NNC_LINK_PCIE] = "pcie",
};

const char *const nnc_family_names[NNC_FAMILY_COUNT] = {
    [NNC_FAMILY_DECODER] = "decoder",
    [NNC_FAMILY_UNET] = "unet",
};

const char *const nnc_positions_names[NNC_POSITIONS_COUNT] = {
    [NNC_POSITIONS_NONE] = "none",
    [NNC_POSITIONS_LEARNED] = "learned",
    [NNC_POSITIONS_ROTARY] = "rotary",
};

const char *const nnc_norm_names[NNC_NORM_KIND_COUNT] = {
    [NNC_NORM_LAYER] = "layer",
    [NNC_NORM_RMS] = "rms",
    [NNC_NORM_GROUP] = "group",
    [NNC_NORM_BATCH] = "batch",
};

const char *const nnc_mlp_names[NNC_MLP_COUNT] = {
    [NNC_MLP_GELU] = "gelu",
    [NNC_MLP_RELU] = "relu",
    [NNC_MLP_SWIGLU] = "swiglu",
    [NNC_MLP_GEGLU] = "geglu",
};

const char *const nnc_unet_block_names[NNC_UNET_BLOCK_COUNT] = {
    [NNC_UNET_DOUBLE_CONV] = "double_conv",
    [NNC_UNET_RESIDUAL] = "residual",
};

const char *const nnc_unet_down_names[NNC_DOWN_COUNT] = {
    [NNC_DOWN_MAX_POOL] = "max_pool",
    [NNC_DOWN_CONV] = "conv",
};

const char *const nnc_unet_up_names[NNC_UP_COUNT] = {
    [NNC_UP_TRANSPOSED_CONV] = "transposed_conv",
    [NNC_UP_NEAREST_CONV] = "nearest_conv",
    [NNC_UP_BILINEAR] = "bilinear",
};

const char *const nnc_policy_names[NNC_POLICY_COUNT] = {
    [NNC_POLICY_DEFAULT] = "default",
    [NNC_POLICY_FP32] = "fp32",
    [NNC_POLICY_MIXED] = "mixed",
    [NNC_POLICY_MIXED_FP32GRAD] = "mixed-fp32grad",
    [NNC_POLICY_MIXED_BOTH] = "mixed-both",
    [NNC_POLICY_AMP] = "amp",
    [NNC_POLICY_BF16_STATES_FP32] = "bf16-states-fp32",
    [NNC_POLICY_BF16_PURE] = "bf16-pure",
    [NNC_POLICY_FP8] = "fp8",
};

const char *const nnc_optimizer_names[NNC_OPTIMIZER_COUNT] = {
    [NNC_OPTIMIZER_ADAMW] = "adamw",     [NNC_OPTIMIZER_ADAM] = "adam",
    [NNC_OPTIMIZER_SGD] = "sgd",         [NNC_OPTIMIZER_MOMENTUM] = "momentum",
    [NNC_OPTIMIZER_RMSPROP] = "rmsprop", [NNC_OPTIMIZER_ADAFACTOR] = "adafactor",
    [NNC_OPTIMIZER_LION] = "lion",       [NNC_OPTIMIZER_ADAM8BIT] = "adam8bit",
    [NNC_OPTIMIZER_MUON] = "muon",
};

const char *const nnc_flash_kernel_names[NNC_FLASH_KERNEL_COUNT] = {
    [NNC_FLASH1] = "flash1",
    [NNC_FLASH2] = "flash2",
    [NNC_FLASH3] = "flash3",
};
const char *const nnc_attention_names[NNC_ATTENTION_COUNT] = {
    [NNC_ATTENTION_FLASH] = "flash",     [NNC_ATTENTION_FLASH1] = "flash1",
    [NNC_ATTENTION_FLASH2] = "flash2",   [NNC_ATTENTION_FLASH3] = "flash3",
    [NNC_ATTENTION_UNFUSED] = "unfused",
};

const char *const nnc_mode_names[NNC_MODE_COUNT] = {
    [NNC_MODE_PREDICTED] = "predicted",
    [NNC_MODE_IDEAL] = "ideal",
};

const char *const nnc_convention_names[NNC_CONVENTION_COUNT] = {
    [NNC_CONVENTION_PALM] = "palm",
    [NNC_CONVENTION_CAUSAL] = "causal",
    [NNC_CONVENTION_6ND] = "6nd",
};

const char *const nnc_activations_names[NNC_ACTIVATIONS_COUNT] = {
    [NNC_ACTIVATIONS_PER_OP] = "per-op",
    [NNC_ACTIVATIONS_KORTHIKANTI] = "korthikanti",
};

const char *const nnc_norm_keep_names[NNC_KEEP_COUNT] = {
    [NNC_KEEP_FUSED] = "fused",
    [NNC_KEEP_UPCAST] = "upcast",
    [NNC_KEEP_EAGER] = "eager",
};

const char *const nnc_loss_keep_names[NNC_LOSS_KEEPS_COUNT] = {
    [NNC_LOSS_KEEPS_LOGITS] = "logits",
    [NNC_LOSS_KEEPS_FP32] = "fp32",
};

const char *const nnc_phase_names[NNC_PHASE_COUNT] = {
    [NNC_PHASE_FORWARD] = "forward",       [NNC_PHASE_BACKWARD] = "backward",
    [NNC_PHASE_GRAD_INPUT] = "grad_input", [NNC_PHASE_GRAD_WEIGHT] = "grad_weight",
    [NNC_PHASE_RECOMPUTE] = "recompute",   [NNC_PHASE_COMM] = "comm",
    [NNC_PHASE_UPDATE] = "update",
};

const char *const nnc_group_names[NNC_GROUP_COUNT] = {
    [NNC_GROUP_EMBEDDING] = "embedding",
    [NNC_GROUP_ATTENTION] = "attention",
    [NNC_GROUP_MLP] = "mlp",
    [NNC_GROUP_NORM] = "norm",
    [NNC_GROUP_CONV] = "conv",
    [NNC_GROUP_RESAMPLE] = "resample",
    [NNC_GROUP_TIME] = "time",
    [NNC_GROUP_HEAD] = "head",
    [NNC_GROUP_LOSS] = "loss",
    [NNC_GROUP_OPTIMIZER] = "optimizer",
    [NNC_GROUP_NETWORK] = "network",
};

const char *const nnc_bound_names[NNC_BOUND_COUNT] = {
    [NNC_BOUND_COMPUTE] = "compute",
    [NNC_BOUND_MEMORY] = "memory",
    [NNC_BOUND_NETWORK] = "network",
    [NNC_BOUND_HOST] = "host",
};

const char *const nnc_pointwise_names[NNC_PW_KIND_COUNT] = {
    [NNC_PW_GELU] = "gelu",
    [NNC_PW_RELU] = "relu",
    [NNC_PW_SILU] = "silu",
    [NNC_PW_SWIGLU] = "swiglu",
    [NNC_PW_GEGLU] = "geglu",
    [NNC_PW_BIAS] = "bias",
    [NNC_PW_DROPOUT] = "dropout",
    [NNC_PW_RESIDUAL] = "residual",
    [NNC_PW_BIAS_DROPOUT_RESIDUAL] = "bias_dropout_residual",
    [NNC_PW_SOFTMAX] = "softmax",
    [NNC_PW_SCALE_MASK] = "scale_mask",
    [NNC_PW_ROTARY] = "rotary",
    [NNC_PW_POSITION_ADD] = "position_add",
    [NNC_PW_TIME_ADD] = "time_add",
    [NNC_PW_TIMESTEP] = "timestep",
    [NNC_PW_MAX_POOL] = "max_pool",
    [NNC_PW_UPSAMPLE_NEAREST] = "upsample_nearest",
    [NNC_PW_UPSAMPLE_BILINEAR] = "upsample_bilinear",
    [NNC_PW_CONCAT] = "concat",
    [NNC_PW_CAST] = "cast",
    [NNC_PW_DISPATCH] = "dispatch",
    [NNC_PW_COMBINE] = "combine",
};

const char *const nnc_schedule_names[NNC_SCHEDULE_COUNT] = {
    [NNC_SCHEDULE_1F1B] = "1f1b",
    [NNC_SCHEDULE_GPIPE] = "gpipe",
    [NNC_SCHEDULE_INTERLEAVED] = "interleaved",
    [NNC_SCHEDULE_ZB_H1] = "zb-h1",
    [NNC_SCHEDULE_ZB_H2] = "zb-h2",
    [NNC_SCHEDULE_ZB_V] = "zb-v",
    [NNC_SCHEDULE_DUALPIPE] = "dualpipe",
};

const char *const nnc_context_kind_names[NNC_CONTEXT_KIND_COUNT] = {
    [NNC_CONTEXT_RING] = "ring",
    [NNC_CONTEXT_ALL_GATHER] = "all-gather",
    [NNC_CONTEXT_ULYSSES] = "ulysses",
};

const char *const nnc_collective_names[NNC_COLLECTIVE_COUNT] = {
    [NNC_NO_COLLECTIVE] = "none",
    [NNC_ALL_REDUCE] = "all_reduce",
    [NNC_ALL_GATHER] = "all_gather",
    [NNC_REDUCE_SCATTER] = "reduce_scatter",
    [NNC_ALL_TO_ALL] = "all_to_all",
    [NNC_BROADCAST] = "broadcast",
    [NNC_P2P] = "p2p",
};

const char *const nnc_comm_names[NNC_COMM_COUNT] = {
    [NNC_COMM_TENSOR] = "tensor", [NNC_COMM_CONTEXT] = "context",   [NNC_COMM_EXPERT] = "expert",
    [NNC_COMM_DATA] = "data",     [NNC_COMM_PIPELINE] = "pipeline", [NNC_COMM_OFFLOAD] = "offload",
};

const char *const nnc_rank_order_names[NNC_ORDER_COUNT] = {
    [NNC_ORDER_TENSOR_CONTEXT_DATA_PIPELINE] = "tensor-context-data-pipeline",
    [NNC_ORDER_TENSOR_CONTEXT_PIPELINE_DATA] = "tensor-context-pipeline-data",
    [NNC_ORDER_TENSOR_PIPELINE_CONTEXT_DATA] = "tensor-pipeline-context-data",
};

const char *const nnc_activity_names[NNC_ACTIVITY_COUNT] = {
    [NNC_ACTIVITY_FORWARD] = "forward", [NNC_ACTIVITY_BACKWARD] = "backward",
    [NNC_ACTIVITY_WEIGHT] = "weight",   [NNC_ACTIVITY_EXCHANGE] = "exchange",
    [NNC_ACTIVITY_UPDATE] = "update",   [NNC_ACTIVITY_IDLE] = "idle",
};

const char *const nnc_algorithm_names[NNC_ALGORITHM_COUNT] = {
    [NNC_BY_RING] = "ring",
    [NNC_BY_TREE] = "tree",
    [NNC_BY_LEVELS] = "levels",
    [NNC_BY_LEVEL_TREE] = "levels, a tree across",
    [NNC_BY_SWITCH] = "in the switch",
    [NNC_BY_HOP] = "hop",
    [NNC_BY_HOST_LINK] = "host link",
    [NNC_BY_HOST_MEMORY] = "host memory",
};
