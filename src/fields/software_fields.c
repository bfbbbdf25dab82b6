/* The fields of a software profile: fused kernels, tensors kept for backward, overlap of communication, and times of
 * the host. The default values describe PyTorch with torch.compile; by default every schedule is supported. */
#include <nncost/nncost.h>
#include <nncost/plan.h>

#include "fields/fields_internal.h"

static const nnc_field spread_fields[] = {
    { NNC_FIELD(nnc_spreads, own), .max = 5, .above_min = true, .required = true,
      .help = "Term of the interval of every step that is predicted with the profile." },
    { NNC_FIELD(nnc_spreads, network), .max = 5, NNC_DEFAULT(0.25),
      .help = "Factor on the network-bound share of the step. The product of factor and network-bound share is a "
              "term of the interval." },
    { NNC_FIELD(nnc_spreads, idle), .max = 5, NNC_DEFAULT(0.5),
      .help = "Factor on the share of the step in which the device waits for the host or for other stages. The "
              "product of factor and idle share is a term of the interval." },
    { NNC_FIELD(nnc_spreads, kernels), .max = 5, NNC_DEFAULT(0.05),
      .help = "Term of the interval on devices whose values were fitted only on kernels." },
    { NNC_FIELD(nnc_spreads, carried), .max = 5, NNC_DEFAULT(0.1),
      .help = "Term of the interval on devices whose efficiencies were copied from a similar device." },
    { NNC_FIELD(nnc_spreads, experts), .max = 5, NNC_DEFAULT(0.05),
      .help = "Term of the interval of models with experts." },
    { NNC_FIELD_COMMENT("fitted_on"), .required = true,
      .help = "Measurements from which the terms of the interval were computed." },
};

static const nnc_field reserve_fields[] = {
    { NNC_FIELD(nnc_reserve, bytes), .unit = "B", .max = 1e13, NNC_DEFAULT(0),
      .help = "Driver context and buffers of collectives." },
    { NNC_FIELD(nnc_reserve, share), .max = 1, NNC_DEFAULT(0),
      .help = "Fragmentation of the allocator, as a share of the tensors of the plan." },
    { NNC_FIELD(nnc_reserve, low), .max = 1, .above_min = true, NNC_DEFAULT(1),
      .help = "10 % quantile of measured / predicted peak." },
    { NNC_FIELD(nnc_reserve, high), .min = 1, .max = 10, NNC_DEFAULT(1),
      .help = "90 % quantile of measured / predicted peak." },
    { NNC_FIELD(nnc_reserve, context), .unit = "B", .max = 1e13,
      .help = "Driver context and libraries of a process on one device, without buffers of collectives; not given: the "
              "key bytes." },
    { NNC_FIELD(nnc_reserve, workspace), .unit = "B", .max = 1e12, NNC_DEFAULT(0),
      .help = "Bytes of workspace that the library of matrix products (cuBLAS) allocates and never frees." },
    { NNC_FIELD(nnc_reserve, held), .unit = "B", .max = 1e12, NNC_DEFAULT(0),
      .help = "Bytes of workspaces of matrix products that stay allocated between two steps, on GPUs from Hopper on." },
    { NNC_FIELD(nnc_reserve, held_early), .unit = "B", .max = 1e12, NNC_DEFAULT(0),
      .help = "Bytes of workspaces of matrix products that stay allocated between two steps, on GPUs before Hopper." },
    { NNC_FIELD(nnc_reserve, held_experts), .unit = "B", .max = 1e12, NNC_DEFAULT(0),
      .help = "Further bytes of the workspaces of grouped products of experts, on GPUs from Hopper on." },
    { NNC_FIELD(nnc_reserve, held_experts_early), .unit = "B", .max = 1e12, NNC_DEFAULT(0),
      .help = "Further bytes of the workspaces of grouped products of experts, on GPUs before Hopper." },
};

#define SHIPS(field, member, text)                                                                              \
    {                                                                                                           \
        .name = (field), .type = NNC_FIELD_BOOL, .offset = offsetof(nnc_shipped, member), .size = sizeof(bool), \
        NNC_DEFAULT_ON, .help = (text)                                                                          \
    }
static const nnc_field shipped_fields[] = {
    SHIPS("1f1b", schedules[NNC_SCHEDULE_1F1B],
          "The framework offers pipeline stages that alternate between forward and backward passes."),
    SHIPS("gpipe", schedules[NNC_SCHEDULE_GPIPE],
          "The framework offers pipeline stages that run all forward passes, then all backward passes."),
    SHIPS("interleaved", schedules[NNC_SCHEDULE_INTERLEAVED],
          "The framework offers pipeline stages with several groups of layers (virtual stages)."),
    SHIPS("zb_h1", schedules[NNC_SCHEDULE_ZB_H1], "The framework offers the zero-bubble schedule ZB-H1."),
    SHIPS("zb_h2", schedules[NNC_SCHEDULE_ZB_H2], "The framework offers the zero-bubble schedule ZB-H2."),
    SHIPS("zb_v", schedules[NNC_SCHEDULE_ZB_V], "The framework offers the zero-bubble schedule ZB-V."),
    SHIPS("dualpipe", schedules[NNC_SCHEDULE_DUALPIPE], "The framework offers the bidirectional schedule DualPipe."),
    SHIPS("recompute_attention", recompute_attention, "The framework offers recomputation of attention only."),
    SHIPS("recompute_norm", recompute_norm, "The framework offers recomputation of norm outputs only."),
    SHIPS("recompute_activation", recompute_activation,
          "The framework offers recomputation of the outputs of activation functions only."),
    SHIPS("recompute_apart", recompute_apart,
          "The framework offers recomputation of only norm outputs and recomputation of only outputs of activation "
          "functions, as separate choices."),
    SHIPS("recompute_modules", recompute_modules,
          "The framework offers recomputation of latent projections, MLPs or experts only."),
    SHIPS("recompute_full", recompute_full, "The framework offers recomputation of whole layers."),
    SHIPS("offload_optimizer", offload_optimizer, "The framework offers an optimizer in host memory."),
    SHIPS("offload_activations", offload_activations, "The framework offers activations in host memory."),
    SHIPS("offload_weights", offload_weights, "The framework offers weights in host memory."),
    SHIPS("sharded_states", sharded_states, "The framework offers ZeRO stage 1, which shards the optimizer states."),
    SHIPS("sharded_gradients", sharded_gradients, "The framework offers ZeRO stage 2, which shards the gradients."),
    SHIPS("sharded_weights", sharded_weights, "The framework offers ZeRO stage 3, which shards the weights."),
    SHIPS("sharded_pipelines", sharded_pipelines, "The framework offers ZeRO 2 and 3 together with pipeline stages."),
    SHIPS("replicated_grids", replicated_grids,
          "The framework offers data ranks without ZeRO, together with tensor, context or expert ranks or pipeline "
          "stages."),
    SHIPS("plain_tensor", plain_tensor,
          "The framework offers tensor parallelism without sequence parallelism: every rank computes whole norms."),
    SHIPS("plain_experts", plain_experts,
          "The framework offers tensor parallelism without sequence parallelism, for networks with experts."),
    SHIPS("uneven_stages", uneven_stages,
          "The framework offers pipeline stages and virtual stages with different numbers of layers."),
    SHIPS("ends_as_layers", ends_as_layers,
          "The framework can count embedding and head as one layer each when it divides layers among pipeline stages."),
};

#define SOFTWARE(member) NNC_FIELD(nnc_software, member)
static const nnc_field software_fields[] = {
    { SOFTWARE(id), .required = true, .help = "Name of the file without \".json\"; the command line uses this name." },
    { SOFTWARE(name), .required = true, .help = "Full name of the software profile." },
    { SOFTWARE(date), .help = "Year and month of the release of a framework." },
    /* Switches (nnc_switch_table): each row from here to block_scales has a command-line option and a key in plan
     * files, in addition to its key in profile files. */
    { SOFTWARE(dispatcher), NNC_FIELD_NAMES(nnc_dispatcher, NNC_DISPATCHER_COUNT),
      NNC_DEFAULT_AS(NNC_DISPATCHER_PROFILE, "profile"), .group = "Software",
      .help = "Way in which tokens are sent to experts on other ranks. profile: as the software profile says; "
              "all-to-all: every copy of a token is sent; deepep, hybridep (DeepEP, HybridEP): a token is sent to "
              "a scale-up domain once." },
    { SOFTWARE(overlap_tensor), .max = 1, NNC_DEFAULT(0),
      .help = "Share of the tensor-parallel communication that overlaps with compute." },
    { SOFTWARE(overlap_context), .max = 1, NNC_DEFAULT(1),
      .help = "Share of the context-parallel communication that overlaps with compute." },
    { SOFTWARE(overlap_expert), .max = 1, NNC_DEFAULT(0),
      .help = "Share of the expert-parallel communication that overlaps with compute." },
    { SOFTWARE(overlap_data), .max = 1, NNC_DEFAULT(1),
      .help = "Share of the data-parallel communication that overlaps with compute." },
    { SOFTWARE(overlap_pipeline), .max = 1, NNC_DEFAULT(1),
      .help = "Share of the communication between pipeline stages that overlaps with compute." },
    { SOFTWARE(recorded_attention), NNC_DEFAULT_OFF,
      .help = "Kernels of attention and norms are recorded once and replayed. The host issues the kernels of all "
              "ops except attention and norms." },
    { SOFTWARE(launch_s), .unit = "s", .max = 1, NNC_DEFAULT(0),
      .help = "Host time to issue one op. 0: all kernels are recorded once and replayed, without host time." },
    { SOFTWARE(lists_operators), NNC_DEFAULT_OFF,
      .help = "The kernels are the operators that the model's library issues one by one. off, or if nncost does not "
              "know the operators of the library: the kernels are those that this software profile describes." },
    { SOFTWARE(launch_expert_s), .unit = "s", .max = 1,
      .help = "Host time to issue one op of a model with experts. The time is longer than --launch-s if the host has "
              "to count the tokens of each expert. Not given: --launch-s." },
    { SOFTWARE(launch_product_s), .unit = "s", .max = 1, NNC_DEFAULT(0),
      .help = "Host time to issue the matrix product of one expert. 0: one kernel computes the products of all "
              "experts of a rank." },
    { SOFTWARE(tuned_pointwise), NNC_DEFAULT_OFF,
      .help = "Norms and activation functions run in kernels tuned for the device, with the efficiencies "
              "pointwise_tuned of the device file." },
    { SOFTWARE(added_gradients), NNC_DEFAULT_OFF,
      .help = "A separate kernel adds the weight gradients of each pass to their sums. off: the matrix products "
              "that compute the gradients also add them to the sums." },
    { SOFTWARE(fused_norm), NNC_DEFAULT_ON,
      .help = "Each norm is one kernel; off: one kernel per primitive operation." },
    { SOFTWARE(fused_activation), NNC_DEFAULT_ON,
      .help = "Activation function and gate of an MLP are one kernel, which keeps no intermediate tensor. off: the "
              "activation function is one kernel, and the gate is another kernel." },
    { SOFTWARE(fused_residual), NNC_DEFAULT_ON,
      .help = "Bias, dropout and residual addition are one kernel; off: separate kernels." },
    { SOFTWARE(fused_rotary), NNC_DEFAULT_ON,
      .help = "The rotary embedding is one kernel; off: one kernel per primitive operation." },
    { SOFTWARE(fused_loss), NNC_DEFAULT_ON,
      .help = "The cross-entropy loss is one kernel in the format of the logits. off: separate kernels in fp32." },
    { SOFTWARE(loss_keep), NNC_FIELD_NAMES(nnc_loss_keep, NNC_LOSS_KEEPS_COUNT),
      NNC_DEFAULT_AS(NNC_LOSS_KEEPS_LOGITS, "logits"),
      .help = "Tensor that the loss keeps for backward. logits: the logits in their format; fp32: the probabilities "
              "in fp32; chunks: no tensor, because logits are computed in chunks of tokens." },
    { SOFTWARE(fused_maps), NNC_DEFAULT_ON,
      .help = "In convolutional networks, one kernel computes a norm, the activation function after the norm and the "
              "sum after the norm." },
    { SOFTWARE(contiguous_maps), NNC_DEFAULT_OFF,
      .help = "Feature maps of convolutions are contiguous (NCHW). Feature maps are copied to channels last (NHWC) "
              "where the matrix units need this layout; off: all feature maps are channels last." },
    { SOFTWARE(narrow_adapters), NNC_DEFAULT_OFF,
      .help = "Weights of adapters have 16 bits, as in peft before 0.12, torchtune and litgpt. off: weights of "
              "adapters have 32 bits, or 16 bits with ZeRO." },
    { SOFTWARE(module_hooks), NNC_DEFAULT_OFF,
      .help = "With ZeRO, Python functions (hooks) of the framework run before and after each module, and for each "
              "gradient, as in DeepSpeed. Each hook takes time of the host." },
    { SOFTWARE(random_written), NNC_DEFAULT_OFF,
      .help = "Dropout reads fp32 random numbers that a separate kernel wrote to memory. off: the kernel of "
              "dropout generates the random numbers." },
    { SOFTWARE(fp8_gather), NNC_DEFAULT_OFF,
      .help = "With fp8 products, ZeRO 3 with --reshard gathers the matrices of all layers in 8 bits, except the "
              "matrices of experts." },
    { SOFTWARE(block_scales), NNC_DEFAULT_OFF,
      .help = "8-bit operands have a scale per block of 128 values instead of a scale per tensor." },
    /* The rows from here on have a key in profile files only; they have no option and no key in plan files. */
    { SOFTWARE(written_out), NNC_DEFAULT_OFF,
      .help = "Layer norms, RMS norms and GELU run as one kernel per primitive operation (mean, difference, product "
              "...)." },
    { SOFTWARE(by_reductions), NNC_DEFAULT_OFF,
      .help = "Layer norms, RMS norms and softmax run as one kernel per sum and one kernel for all other work." },
    { SOFTWARE(turned_group_norms), NNC_DEFAULT_OFF,
      .help = "Group norms need contiguous maps, so channels-last maps are copied to the contiguous layout and back." },
    { SOFTWARE(grouped_on_vectors), NNC_DEFAULT_OFF,
      .help = "Grouped convolutions, except depthwise ones, run on the vector units, unless the number of groups is a "
              "multiple of 32 and a group has 4, 8, 16 or 32 channels." },
    { SOFTWARE(copied_heads), NNC_FIELD_NAMES(nnc_head_copy, NNC_HEAD_COPY_COUNT),
      NNC_DEFAULT_AS(NNC_HEADS_IN_PLACE, "none"),
      .help = "Queries, keys, values and the output of attention are copied to a layout by heads and back. always: "
              "queries, keys, values and the output are also copied for contiguous maps that are read as tokens." },
    { SOFTWARE(cast_weights), NNC_DEFAULT_OFF,
      .help = "fp32 weights are cast to 16 bits in every micro-batch, and their gradients are cast back." },
    { SOFTWARE(flat_weights), NNC_DEFAULT_OFF,
      .help = "With ZeRO all weights are one flat buffer, gathered in fp32 for every micro-batch; gradients are "
              "collected in a flat buffer and reduced in 16 bits." },
    { SOFTWARE(fused_rotary_scale), NNC_DEFAULT_ON,
      .help = "The rotary embedding is one kernel, even if it also scales queries and keys (YaRN)." },
    { SOFTWARE(fused_softmax), NNC_DEFAULT_ON,
      .help = "Unfused attention: scale and mask are part of the softmax kernel." },
    { SOFTWARE(fused_expert_bias), NNC_DEFAULT_ON,
      .help =
          "The matrix products of experts add the biases; off: separate kernels multiply the biases by the router's "
          "scores and add the products in fp32." },
    { SOFTWARE(expert_bias_gathered), NNC_DEFAULT_OFF,
      .help = "Biases of experts are gathered before they are added, one row per copy of a token." },
    { SOFTWARE(fused_expert_clamp), NNC_DEFAULT_ON,
      .help = "The activation kernel of experts also clamps gate and up." },
    { SOFTWARE(fused_optimizer), NNC_DEFAULT_ON, .help = "The optimizer step is one kernel." },
    { SOFTWARE(flash_kernel), NNC_FIELD_NAMES(nnc_flash_kernel, NNC_FLASH_KERNEL_COUNT),
      NNC_DEFAULT_AS(NNC_FLASH2, "flash2"), .help = "The kernel of --attention flash." },
    { SOFTWARE(unfused_attention), NNC_DEFAULT_OFF,
      .help = "The framework has no fused attention: attention is unfused unless the plan names a kernel." },
    { SOFTWARE(norm_keep), NNC_FIELD_NAMES(nnc_norm_keep, NNC_KEEP_COUNT), NNC_DEFAULT_AS(NNC_KEEP_FUSED, "fused"),
      .help = "Tensors that layer, RMS and batch norms keep for backward." },
    { SOFTWARE(group_norm_keep), NNC_FIELD_NAMES(nnc_norm_keep, NNC_KEEP_COUNT),
      NNC_DEFAULT_AS(NNC_KEEP_FUSED, "fused"), .help = "Tensors that group norms keep for backward." },
    { SOFTWARE(loss_in_place), NNC_DEFAULT_OFF, .help = "The loss overwrites the logits." },
    { SOFTWARE(split_loss), NNC_DEFAULT_OFF,
      .help = "If tensor ranks divide the vocabulary, an unfused loss has one fp32 kernel per primitive operation." },
    { SOFTWARE(softmax_upcast), NNC_DEFAULT_OFF,
      .help = "Softmax runs in fp32 and keeps its fp32 output in addition to the cast output." },
    { SOFTWARE(attention_mask_kept), NNC_DEFAULT_OFF,
      .help = "Each layer keeps a boolean attention mask over all pairs of tokens." },
    { SOFTWARE(library_kept), NNC_DEFAULT_OFF,
      .help = "Language models keep for backward the tensors of the operators of transformers and peft, instead of "
              "the tensors that fused kernels need." },
    { SOFTWARE(expanded_kv), NNC_DEFAULT_OFF,
      .help = "Grouped keys and values are copied for every query head, and forward keeps the copies for backward." },
    { SOFTWARE(expert_once_per_node), NNC_DEFAULT_OFF,
      .help = "A token is sent to a scale-up domain once, for all its experts in this domain." },
    { SOFTWARE(expert_masks), NNC_DEFAULT_OFF,
      .help = "With a capacity factor, matrix products with masks move tokens to and from the slots of the experts." },
    { SOFTWARE(expert_sorts), NNC_DEFAULT_OFF,
      .help = "Tokens from other ranks, and the results for these tokens, are copied into the order of the experts." },
    { SOFTWARE(expert_dispatch_8bit), NNC_DEFAULT_OFF,
      .help = "With 8-bit products, tokens and gradients are sent to experts in 8 bits with a scale "
              "per block of 128; results return in 16 bits." },
    { SOFTWARE(narrow_gathers), NNC_DEFAULT_OFF,
      .help = "With products of 8 bits or fewer, tensor ranks gather tokens and gradients in the format of the "
              "products; sums are scattered in 16 bits." },
    { SOFTWARE(network_units), .max = 1e4, NNC_DEFAULT(0),
      .help = "Compute units of the device that the kernels of expert communication occupy." },
    { SOFTWARE(expert_scores_first), NNC_DEFAULT_OFF,
      .help =
          "Experts multiply their activations by the router's scores, so that combine needs no tensor in backward." },
    { SOFTWARE(context_frozen), NNC_DEFAULT_ON, .help = "The input of cross-attention needs no gradient." },
    { SOFTWARE(overlap_tensor_backward), .max = 1,
      .help = "Share of tensor-parallel communication of backward passes that overlaps with compute; not given: as "
              "overlap_tensor." },
    { SOFTWARE(overlap_offload), .max = 1, NNC_DEFAULT(1),
      .help = "Share of the transfers to and from host memory that overlaps with compute." },
    { SOFTWARE(bucket_bytes), .unit = "B", .max = 1e15, .above_min = true, NNC_DEFAULT(26214400),
      .help = "Bytes of gradients that one collective reduces while backward runs. If all weights are gathered once "
              "per step, one collective also gathers this many bytes of weights." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_software, spread), NNC_FIELD_TABLE(spread_fields),
      .help = "Terms of the interval. The half-width of the interval (natural logarithm of measured / predicted time) "
              "is the square root of the sum of the squared terms." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_software, reserve), NNC_FIELD_TABLE(reserve_fields),
      .help =
          "Device memory that is counted in addition to the tensors of the plan, unless --reserve-bytes is given." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_software, ships), NNC_FIELD_TABLE(shipped_fields),
      .help = "Schedules and memory savings that the frameworks of the profile support; a search tries no others." },
    { SOFTWARE(policy), NNC_FIELD_NAMES(nnc_policy, NNC_POLICY_COUNT), NNC_DEFAULT_AS(NNC_POLICY_DEFAULT, "default"),
      .help = "Precision policy that a search under this profile uses if --policy is not given: the default of the "
              "profile's frameworks." },
    { SOFTWARE(zero_gradients), NNC_DEFAULT_OFF,
      .help = "A kernel sets gradients to zero after the update; off: gradients are freed." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_software, serving), NNC_FIELD_TABLE(nnc_serve_engine_fields),
      .help =
          "Parameters of a serving engine: times that its host code and its kernels add to the times of the device." },
};

enum { SWITCHES_FROM = 3, SWITCHES = 25 };
const nnc_field_table nnc_switch_table = { "switch", software_fields + SWITCHES_FROM, SWITCHES };

const nnc_field_table nnc_software_table = { "software profile", software_fields, NNC_COUNT_OF(software_fields) };

nnc_software nnc_software_default(void) {
    nnc_software software;
    memset(&software, 0, sizeof software);
    nnc_fields_init(&nnc_software_table, &software);
    snprintf(software.id, sizeof software.id, "torch-compile");
    snprintf(software.name, sizeof software.name, "PyTorch with torch.compile");
    return software;
}

nnc_status nnc_software_check(const nnc_software *software, nnc_error *err) {
    return nnc_fields_check(&nnc_software_table, "software", software, err);
}

/* ---- names and help of the public enumerations, made from the lists in the public headers; sets of flags ---- */

NNC_ENUM_NAMES(nnc_dtype, NNC_DTYPE_LIST)
NNC_ENUM_NAMES(nnc_stored, NNC_STORED_LIST)

/* Enumerations of devices and their links. */
NNC_ENUM_TEXTS(nnc_link_kind, NNC_LINK_KIND_LIST)
NNC_ENUM_TEXTS(nnc_basis, NNC_BASIS_LIST)
NNC_ENUM_TEXTS(nnc_flash_kernel, NNC_FLASH_KERNEL_LIST)
NNC_ENUM_TEXTS(nnc_memory_share, NNC_MEMORY_SHARE_LIST)
NNC_ENUM_TEXTS(nnc_dispatcher, NNC_DISPATCHER_LIST)
NNC_ENUM_TEXTS(nnc_offer, NNC_OFFER_LIST)

/* Enumerations of models. */
NNC_ENUM_TEXTS(nnc_family, NNC_FAMILY_LIST)
NNC_ENUM_TEXTS(nnc_positions, NNC_POSITIONS_LIST)
NNC_ENUM_TEXTS(nnc_norm_kind, NNC_NORM_KIND_LIST)
NNC_ENUM_TEXTS(nnc_mlp, NNC_MLP_LIST)
NNC_ENUM_TEXTS(nnc_mixer, NNC_MIXER_LIST)
NNC_ENUM_TEXTS(nnc_mlp_kind, NNC_MLP_KIND_LIST)
NNC_ENUM_TEXTS(nnc_norm_place, NNC_NORM_PLACE_LIST)
NNC_ENUM_TEXTS(nnc_qk_norm, NNC_QK_NORM_LIST)
NNC_ENUM_TEXTS(nnc_model_head, NNC_MODEL_HEAD_LIST)
NNC_ENUM_TEXTS(nnc_unet_block, NNC_UNET_BLOCK_LIST)
NNC_ENUM_TEXTS(nnc_unet_down, NNC_UNET_DOWN_LIST)
NNC_ENUM_TEXTS(nnc_unet_up, NNC_UNET_UP_LIST)
NNC_ENUM_NAMES(nnc_group, NNC_GROUP_LIST)

/* Enumerations of plans and runs. */
NNC_ENUM_TEXTS(nnc_policy, NNC_POLICY_LIST)
NNC_ENUM_TEXTS(nnc_optimizer, NNC_OPTIMIZER_LIST)
NNC_ENUM_TEXTS(nnc_optimizer_kernels, NNC_OPTIMIZER_KERNELS_LIST)
NNC_ENUM_TEXTS(nnc_attention, NNC_ATTENTION_LIST)
NNC_ENUM_TEXTS(nnc_mode, NNC_MODE_LIST)
NNC_ENUM_TEXTS(nnc_flops_convention, NNC_CONVENTION_LIST)
NNC_ENUM_TEXTS(nnc_activations, NNC_ACTIVATIONS_LIST)
NNC_ENUM_TEXTS(nnc_frozen, NNC_FROZEN_LIST)
NNC_ENUM_TEXTS(nnc_schedule, NNC_SCHEDULE_LIST)
NNC_ENUM_TEXTS(nnc_context_kind, NNC_CONTEXT_KIND_LIST)
NNC_ENUM_TEXTS(nnc_rank_order, NNC_RANK_ORDER_LIST)
NNC_ENUM_TEXTS(nnc_stops, NNC_STOPS_LIST)
NNC_ENUM_TEXTS(nnc_method, NNC_METHOD_LIST)

/* Enumerations of software profiles. */
NNC_ENUM_TEXTS(nnc_norm_keep, NNC_NORM_KEEP_LIST)
NNC_ENUM_TEXTS(nnc_loss_keep, NNC_LOSS_KEEP_LIST)
NNC_ENUM_TEXTS(nnc_head_copy, NNC_HEAD_COPY_LIST)
NNC_ENUM_NAMES(nnc_implementation, NNC_IMPLEMENTATION_LIST)

/* ---- lists of flags, for the options that take names joined by commas ---- */

/* clang-format off */
#define FLAG(text, bit) { .name = (text), .flag = (bit) }
#define OTHER_NAME(text, bit) { .name = (text), .flag = (bit), .also = true }
/* clang-format on */

const nnc_flag nnc_recompute_flags[] = {
    FLAG("attention", NNC_RECOMPUTE_ATTENTION),
    FLAG("norm", NNC_RECOMPUTE_NORM),
    FLAG("activation", NNC_RECOMPUTE_ACTIVATION),
    FLAG("mla_up_proj", NNC_RECOMPUTE_MLA_UP_PROJ),
    FLAG("moe_act", NNC_RECOMPUTE_MOE_ACT),
    FLAG("shared_experts", NNC_RECOMPUTE_SHARED_EXPERTS),
    FLAG("mlp", NNC_RECOMPUTE_MLP),
    FLAG("moe", NNC_RECOMPUTE_MOE),
    FLAG("full", NNC_RECOMPUTE_FULL),
    FLAG("selective", NNC_RECOMPUTE_ATTENTION),
    OTHER_NAME("core_attn", NNC_RECOMPUTE_ATTENTION),
    OTHER_NAME("layernorm", NNC_RECOMPUTE_NORM),
    { .name = NULL },
};

const nnc_flag nnc_offload_flags[] = {
    FLAG("optimizer", NNC_OFFLOAD_OPTIMIZER),
    FLAG("activations", NNC_OFFLOAD_ACTIVATIONS),
    FLAG("weights", NNC_OFFLOAD_WEIGHTS),
    { .name = NULL },
};

const nnc_flag nnc_train_flags[] = {
    FLAG("embedding", NNC_TRAIN_EMBEDDING),
    FLAG("attention", NNC_TRAIN_ATTENTION),
    FLAG("mlp", NNC_TRAIN_MLP),
    FLAG("norm", NNC_TRAIN_NORM),
    FLAG("conv", NNC_TRAIN_CONV),
    FLAG("time", NNC_TRAIN_TIME),
    FLAG("head", NNC_TRAIN_HEAD),
    FLAG("towers", NNC_TRAIN_TOWERS),
    FLAG("adapters", NNC_TRAIN_ADAPTERS),
    FLAG("none", NNC_TRAIN_NONE),
    { .name = NULL },
};

const nnc_flag nnc_adapted_flags[] = {
    FLAG("attention", NNC_ADAPTED_ATTENTION),
    FLAG("mlp", NNC_ADAPTED_MLP),
    FLAG("q", NNC_ADAPTED_QUERY),
    FLAG("k", NNC_ADAPTED_KEY),
    FLAG("v", NNC_ADAPTED_VALUE),
    FLAG("out", NNC_ADAPTED_OUT),
    FLAG("qkv", NNC_ADAPTED_QKV),
    FLAG("gate", NNC_ADAPTED_GATE),
    FLAG("up", NNC_ADAPTED_UP),
    FLAG("down", NNC_ADAPTED_DOWN),
    FLAG("mixer_in", NNC_ADAPTED_MIXER_IN),
    FLAG("mixer_out", NNC_ADAPTED_MIXER_OUT),
    FLAG("shared_gate", NNC_ADAPTED_SHARED_GATE),
    FLAG("shared_up", NNC_ADAPTED_SHARED_UP),
    FLAG("shared_down", NNC_ADAPTED_SHARED_DOWN),
    FLAG("experts", NNC_ADAPTED_EXPERTS),
    { .name = NULL },
};

/* Returns the word that stands for the empty set of flags of a list: "all" for the parts that are trained, "linear" for
 * the layers with adapters, "none" for the other lists. */
static const char *name_of_none(const nnc_flag *list) {
    return list == nnc_train_flags ? "all" : list == nnc_adapted_flags ? "linear" : "none";
}

const nnc_flag *nnc_flags_of(nnc_field_type type) {
    return type == NNC_FIELD_ADAPTERS    ? nnc_adapted_flags
           : type == NNC_FIELD_RECOMPUTE ? nnc_recompute_flags
           : type == NNC_FIELD_OFFLOAD   ? nnc_offload_flags
           : type == NNC_FIELD_TRAIN     ? nnc_train_flags
                                         : NULL;
}

static bool has_parts(const nnc_field *field) { return nnc_flags_of(field->type) != NULL || field->capacity > 0; }

bool nnc_field_is_one_set(const nnc_field *field, const char *list) {
    const nnc_flag *flags = nnc_flags_of(field->type);
    bool one = has_parts(field) && strchr(list, '+') == NULL && strstr(list, "..") == NULL;
    for (const char *at = list; one && flags != NULL && at != NULL;) {
        const size_t length = strcspn(at, ",");
        const nnc_flag *part = flags;
        while (part->name != NULL && !nnc_same_name(part->name, at, length)) { part++; }
        one = part->name != NULL && (field->type != NNC_FIELD_RECOMPUTE || part->flag != NNC_RECOMPUTE_FULL) &&
              !nnc_same_name("selective", at, length);
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return one;
}

void nnc_field_join(const nnc_field *field, char *value) {
    char *last = NULL;
    for (char *at = value; has_parts(field) && (at = strchr(at, '+')) != NULL;) {
        last = at;
        *at = ',';
    }
    if (last != NULL && last[1] == '\0') { *last = '\0'; }
}

bool nnc_same_name(const char *name, const char *text, size_t length) {
    if (name == NULL || (length > 0 && name[0] != text[0]) || strlen(name) != length) {
        return false; /* the first letters are compared before strlen is called, which saves time. No name begins with
                       * '-' or '_' */
    }
    for (size_t i = 0; i < length; i++) {
        if (name[i] != text[i] && !(strchr("-_", name[i]) != NULL && strchr("-_", text[i]) != NULL)) { return false; }
    }
    return true;
}

unsigned nnc_flags_all(const nnc_flag *list) {
    unsigned all = 0;
    for (; list->name != NULL; list++) { all |= list->flag; }
    return all;
}

bool nnc_flags_read(const nnc_flag *list, const char *text, unsigned *flags) {
    *flags = 0;
    if (strcmp(text, name_of_none(list)) == 0) { return true; }
    for (;;) {
        const size_t length = strcspn(text, ",");
        const nnc_flag *f = list;
        while (f->name != NULL && !nnc_same_name(f->name, text, length)) { f++; }
        if (f->name == NULL) { return false; }
        *flags |= f->flag;
        if (text[length] == '\0') { return true; }
        text += length + 1;
    }
}

static void flags_text(const nnc_flag *list, unsigned flags, char *text, size_t size) {
    if (text == NULL || size == 0) { return; }
    const char *single = flags != 0 ? NULL : name_of_none(list);
    for (const nnc_flag *f = list; f->name != NULL; f++) { single = f->flag == flags && !f->also ? f->name : single; }
    if (single != NULL) {
        size_t length = strlen(single);
        length = length < size ? length : size - 1;
        /* memcpy instead of snprintf, because `nncost check` writes these names for every scenario and memcpy is
         * faster */
        memcpy(text, single, length);
        text[length] = '\0';
        return;
    }
    text[0] = '\0';
    for (const nnc_flag *f = list; f->name != NULL; f++) {
        if ((flags & f->flag) == f->flag) {
            nnc_text_append(text, size, ",", "%s", f->name);
            flags &= ~f->flag; /* removes the printed flag, so that its second name is not printed as well */
        }
    }
}

void nnc_recompute_text(unsigned recompute, char *text, unsigned long size) {
    /* "full" recomputation includes all other kinds, so only the name "full" is printed */
    const bool full = (recompute & NNC_RECOMPUTE_FULL) != 0;
    flags_text(nnc_recompute_flags, full ? NNC_RECOMPUTE_FULL : recompute, text, size);
}

void nnc_offload_text(unsigned offload, char *text, unsigned long size) {
    flags_text(nnc_offload_flags, offload, text, size);
}

void nnc_adapted_text(unsigned adapted, char *text, unsigned long size) {
    flags_text(nnc_adapted_flags, adapted, text, size);
}

void nnc_train_text(unsigned train, char *text, unsigned long size) { flags_text(nnc_train_flags, train, text, size); }
