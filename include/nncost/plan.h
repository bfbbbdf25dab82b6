/* SPDX-License-Identifier: Apache-2.0 */
/* Training plans (parallelism, batch, precision, optimizer, memory savings), and the software profiles that run
 * them. */
#ifndef NNCOST_PLAN_H
#define NNCOST_PLAN_H

#include <stddef.h>

#include <nncost/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Precision policies: formats of weights, gradients and optimizer states. nnc_policy_bytes gives their sizes. */
#define NNC_POLICY_LIST(X)                                                                                            \
    X(NNC_POLICY_DEFAULT, "default", "fp32 if --precision is fp32 or tf32, else mixed.")                              \
    X(NNC_POLICY_FP32, "fp32", "Weights, gradients and states in fp32.")                                              \
    X(NNC_POLICY_MIXED, "mixed", "16-bit weights and gradients, fp32 master copy and states.")                        \
    X(NNC_POLICY_MIXED_FP32GRAD, "mixed-fp32grad", "16-bit weights, fp32 gradients, master copy and states.")         \
    X(NNC_POLICY_MIXED_BOTH, "mixed-both", "16-bit weights, 16-bit and fp32 gradients, fp32 master copy and states.") \
    X(NNC_POLICY_AMP, "amp", "Weights, gradients and states in fp32; weights are cast to 16 bits for use.")           \
    X(NNC_POLICY_BF16_STATES_FP32, "bf16-states-fp32",                                                                \
      "bf16 weights, fp32 states; neither gradients nor a master copy are kept.")                                     \
    X(NNC_POLICY_BF16_PURE, "bf16-pure", "Weights, gradients and states in bf16.")                                    \
    X(NNC_POLICY_FP8, "fp8", "8-bit weights, fp32 gradients and master copy, 16-bit states.")                         \
    X(NNC_POLICY_BF16_LAYERWISE, "bf16-layerwise",                                                                    \
      "bf16 weights and states; backward applies each gradient and drops it.")
NNC_ENUM(nnc_policy, NNC_POLICY_LIST, NNC_POLICY_COUNT);
NNC_API const char *nnc_policy_name(nnc_policy policy);
NNC_API const char *nnc_policy_help(nnc_policy policy);

#define NNC_OPTIMIZER_LIST(X)                                                                                      \
    X(NNC_OPTIMIZER_ADAMW, "adamw", "Adam with decoupled weight decay: two moments.")                              \
    X(NNC_OPTIMIZER_ADAM, "adam", "Two moments.")                                                                  \
    X(NNC_OPTIMIZER_SGD, "sgd", "Gradient descent without states.")                                                \
    X(NNC_OPTIMIZER_MOMENTUM, "momentum", "Gradient descent with momentum: one moment.")                           \
    X(NNC_OPTIMIZER_RMSPROP, "rmsprop", "One moment.")                                                             \
    X(NNC_OPTIMIZER_ADAFACTOR, "adafactor", "One factored moment: a value per row and per column of a matrix.")    \
    X(NNC_OPTIMIZER_LION, "lion", "One moment; the step is its sign.")                                             \
    X(NNC_OPTIMIZER_ADAM8BIT, "adam8bit", "Adam with its moments in 8 bits, scaled by block.")                     \
    X(NNC_OPTIMIZER_MUON, "muon",                                                                                  \
      "Orthogonalised momentum for matrices; Adam for embedding tables, gains and biases.")                        \
    X(NNC_OPTIMIZER_LAMB, "lamb", "Adam with a step length per tensor, relative to its weights.")                  \
    X(NNC_OPTIMIZER_LARS, "lars", "Momentum with a step length per tensor, relative to its weights.")              \
    X(NNC_OPTIMIZER_ADAM4BIT, "adam4bit", "Adam with its moments in 4 bits, scaled by block.")                     \
    X(NNC_OPTIMIZER_ADAM_MINI, "adam-mini", "Adam with one second moment for each block of a tensor: one moment.") \
    X(NNC_OPTIMIZER_GALORE, "galore",                                                                              \
      "Adam on gradients of linear layers that are projected to --optimizer-rank rows or columns.")                \
    X(NNC_OPTIMIZER_APOLLO, "apollo", "As galore; the projected moments scale the full gradient.")
NNC_ENUM(nnc_optimizer, NNC_OPTIMIZER_LIST, NNC_OPTIMIZER_COUNT);
NNC_API const char *nnc_optimizer_name(nnc_optimizer optimizer);
NNC_API const char *nnc_optimizer_help(nnc_optimizer optimizer);

/* Kernels of an update. */
#define NNC_OPTIMIZER_KERNELS_LIST(X)                                                                     \
    X(NNC_KERNELS_DEFAULT, "default",                                                                     \
      "For a captured program as recorded; for other models as fused_optimizer of the software profile.") \
    X(NNC_KERNELS_FUSED, "fused", "One kernel for all operations: fused=True of torch.optim.")            \
    X(NNC_KERNELS_FOREACH, "foreach",                                                                     \
      "One kernel for each operation, over lists of tensors: the default of torch.optim on a GPU.")       \
    X(NNC_KERNELS_LOOP, "loop", "One kernel for each operation and tensor: foreach=False of torch.optim.")
NNC_ENUM(nnc_optimizer_kernels, NNC_OPTIMIZER_KERNELS_LIST, NNC_OPTIMIZER_KERNELS_COUNT);
NNC_API const char *nnc_optimizer_kernels_name(nnc_optimizer_kernels kernels);
NNC_API const char *nnc_optimizer_kernels_help(nnc_optimizer_kernels kernels);

/* Activation checkpointing: parts that are computed again in backward instead of kept. A set of flags. */
typedef enum nnc_recompute {
    NNC_RECOMPUTE_NONE = 0,
    NNC_RECOMPUTE_ATTENTION = 1,       /* "selective": scores, softmax and the product with V */
    NNC_RECOMPUTE_NORM = 2,            /* norm outputs */
    NNC_RECOMPUTE_ACTIVATION = 4,      /* outputs of GELU, SiLU, SwiGLU ... */
    NNC_RECOMPUTE_FULL = 8,            /* all ops of each recompute block; only the input of the block is kept */
    NNC_RECOMPUTE_MLA_UP_PROJ = 16,    /* queries, keys and values are computed again from their latents */
    NNC_RECOMPUTE_MOE_ACT = 32,        /* outputs of activation functions in experts */
    NNC_RECOMPUTE_SHARED_EXPERTS = 64, /* shared experts are computed again from their input */
    NNC_RECOMPUTE_MLP = 128,           /* MLPs of layers without experts are computed again from their input */
    NNC_RECOMPUTE_MOE = 256, /* router, expert communication and experts are computed again from the input of the
                              * router */
    NNC_RECOMPUTE_MODULES = 16 | 32 | 64 | 128 | 256
} nnc_recompute;

#define NNC_ATTENTION_LIST(X)                                                             \
    X(NNC_ATTENTION_FLASH, "flash",                                                       \
      "Fused, with the kernel of the software profile; unfused if the profile has none.") \
    X(NNC_ATTENTION_FLASH1, "flash1", "Fused, FlashAttention.")                           \
    X(NNC_ATTENTION_FLASH2, "flash2", "Fused, FlashAttention-2.")                         \
    X(NNC_ATTENTION_FLASH3, "flash3", "Fused, FlashAttention-3.")                         \
    X(NNC_ATTENTION_UNFUSED, "unfused", "One kernel per primitive; the scores are written to and read from memory.")
NNC_ENUM(nnc_attention, NNC_ATTENTION_LIST, NNC_ATTENTION_COUNT);
NNC_API const char *nnc_attention_name(nnc_attention attention);
NNC_API const char *nnc_attention_help(nnc_attention attention);

#define NNC_MODE_LIST(X)                                                              \
    X(NNC_MODE_PREDICTED, "predicted", "With the fitted efficiencies of the device.") \
    X(NNC_MODE_IDEAL, "ideal", "The lower bound: datasheet rates, full overlap.")
NNC_ENUM(nnc_mode, NNC_MODE_LIST, NNC_MODE_COUNT);
NNC_API const char *nnc_mode_name(nnc_mode mode);
NNC_API const char *nnc_mode_help(nnc_mode mode);

#define NNC_CONVENTION_LIST(X)                                                                         \
    X(NNC_CONVENTION_PALM, "palm", "Attention over all s x s pairs.")                                  \
    X(NNC_CONVENTION_CAUSAL, "causal", "Attention over the s(s+1)/2 pairs that a causal mask leaves.") \
    X(NNC_CONVENTION_6ND, "6nd", "6 FLOPs per token and per parameter in a matrix product.")
NNC_ENUM(nnc_flops_convention, NNC_CONVENTION_LIST, NNC_CONVENTION_COUNT);
NNC_API const char *nnc_flops_convention_name(nnc_flops_convention convention);
NNC_API const char *nnc_flops_convention_help(nnc_flops_convention convention);

#define NNC_ACTIVATIONS_LIST(X)                                                              \
    X(NNC_ACTIVATIONS_PER_OP, "per-op", "The tensors that each op keeps, in their formats.") \
    X(NNC_ACTIVATIONS_KORTHIKANTI, "korthikanti", "s b h (34 + 5 a s / h) per layer, arXiv:2205.05198.")
NNC_ENUM(nnc_activations, NNC_ACTIVATIONS_LIST, NNC_ACTIVATIONS_COUNT);
NNC_API const char *nnc_activations_name(nnc_activations activations);
NNC_API const char *nnc_activations_help(nnc_activations activations);

#define NNC_SCHEDULE_LIST(X)                                                                                 \
    X(NNC_SCHEDULE_1F1B, "1f1b", "Each stage alternates one forward and one backward pass.")                 \
    X(NNC_SCHEDULE_GPIPE, "gpipe", "Each stage runs all forward passes, then all backward passes.")          \
    X(NNC_SCHEDULE_INTERLEAVED, "interleaved", "1f1b over several groups of layers per device.")             \
    X(NNC_SCHEDULE_ZB_H1, "zb-h1", "1f1b with separate weight gradients, in the memory of 1f1b.")            \
    X(NNC_SCHEDULE_ZB_H2, "zb-h2", "zb-h1 with twice as many micro-batches in flight and a smaller bubble.") \
    X(NNC_SCHEDULE_ZB_V, "zb-v",                                                                             \
      "Two groups of layers per device: a micro-batch passes all devices twice, there and back.")            \
    X(NNC_SCHEDULE_DUALPIPE, "dualpipe",                                                                     \
      "Micro-batches enter at both ends; forward passes overlap with backward passes.")
NNC_ENUM(nnc_schedule, NNC_SCHEDULE_LIST, NNC_SCHEDULE_COUNT);
NNC_API const char *nnc_schedule_name(nnc_schedule schedule);
NNC_API const char *nnc_schedule_help(nnc_schedule schedule);

/* Decides how attention reads the tokens of other context ranks. */
#define NNC_CONTEXT_KIND_LIST(X)                                                                         \
    X(NNC_CONTEXT_RING, "ring", "Blocks of keys and values are passed around a ring, arXiv:2310.01889.") \
    X(NNC_CONTEXT_ALL_GATHER, "all-gather", "Each rank gathers all keys and values before attention.")   \
    X(NNC_CONTEXT_ULYSSES, "ulysses", "All-to-all from tokens to heads and back, arXiv:2309.14509.")
NNC_ENUM(nnc_context_kind, NNC_CONTEXT_KIND_LIST, NNC_CONTEXT_KIND_COUNT);
NNC_API const char *nnc_context_kind_name(nnc_context_kind kind);
NNC_API const char *nnc_context_kind_help(nnc_context_kind kind);

/* The order of ranks: ranks of the degree named first are neighbours. Each group of expert ranks consists of context
 * ranks and data ranks, the nearest first. */
#define NNC_RANK_ORDER_LIST(X)                                                \
    X(NNC_ORDER_TENSOR_CONTEXT_DATA_PIPELINE, "tensor-context-data-pipeline", \
      "Tensor ranks are neighbours, stages are farthest apart.")              \
    X(NNC_ORDER_TENSOR_CONTEXT_PIPELINE_DATA, "tensor-context-pipeline-data", \
      "Tensor ranks are neighbours, replicas are farthest apart.")            \
    X(NNC_ORDER_TENSOR_PIPELINE_CONTEXT_DATA, "tensor-pipeline-context-data", \
      "Tensor ranks are neighbours, then stages.")
NNC_ENUM(nnc_rank_order, NNC_RANK_ORDER_LIST, NNC_ORDER_COUNT);
NNC_API const char *nnc_rank_order_name(nnc_rank_order order);
NNC_API const char *nnc_rank_order_help(nnc_rank_order order);

/* Tensors that are stored in host memory. A set of flags. */
typedef enum nnc_offload {
    NNC_OFFLOAD_NONE = 0,
    NNC_OFFLOAD_OPTIMIZER = 1,
    NNC_OFFLOAD_ACTIVATIONS = 2,
    NNC_OFFLOAD_WEIGHTS = 4
} nnc_offload;

/* Parts of the network whose weights are trained. A set of flags. */
enum nnc_train {
    NNC_TRAIN_ALL = 0,
    NNC_TRAIN_EMBEDDING = 1,
    NNC_TRAIN_ATTENTION = 2,
    NNC_TRAIN_MLP = 4,
    NNC_TRAIN_NORM = 8,
    NNC_TRAIN_CONV = 16,
    NNC_TRAIN_TIME = 32,
    NNC_TRAIN_HEAD = 64,
    NNC_TRAIN_TOWERS = 128,
    NNC_TRAIN_ADAPTERS = 256
};
/* Writes the names of the trained parts, joined by commas ("attention,norm"), into text; "all" if train is 0. */
NNC_API void nnc_train_text(unsigned train, char *text, unsigned long size);

/* Linear layers that have adapters. A set of flags. */
typedef enum nnc_adapted {
    NNC_ADAPTED_LINEAR = 0, /* every linear layer of attention and MLPs, except routed experts */
    NNC_ADAPTED_QUERY = 1,
    NNC_ADAPTED_KEY = 2,
    NNC_ADAPTED_VALUE = 4,
    NNC_ADAPTED_OUT = 8,
    NNC_ADAPTED_ATTENTION = 15,
    NNC_ADAPTED_GATE = 16,
    NNC_ADAPTED_UP = 32,
    NNC_ADAPTED_DOWN = 64,
    NNC_ADAPTED_MLP = 112,
    NNC_ADAPTED_QKV = 128,      /* one adapter for the joined matrix of queries, keys and values */
    NNC_ADAPTED_MIXER_IN = 256, /* input projections of state-space layers and linear attention; the next value: their
                                 * output projections */
    NNC_ADAPTED_MIXER_OUT = 512,
    NNC_ADAPTED_SHARED_GATE = 1024, /* this value and the next two: layers of shared experts */
    NNC_ADAPTED_SHARED_UP = 2048,
    NNC_ADAPTED_SHARED_DOWN = 4096,
    NNC_ADAPTED_EXPERTS =
        8192 /* routed experts: one adapter for the joined gate and up matrices of each expert, one for
                                * its down matrix */
} nnc_adapted;
/* Writes the names of the linear layers with adapters, joined by commas ("q,v"), into text; "linear" if adapted is
 * 0. */
NNC_API void nnc_adapted_text(unsigned adapted, char *text, unsigned long size);

#define NNC_FROZEN_LIST(X)                                                                                         \
    X(NNC_FROZEN_16, "16bit", "Two bytes per weight.")                                                             \
    X(NNC_FROZEN_INT8, "int8", "Matrices of linear layers in one byte each.")                                      \
    X(NNC_FROZEN_NF4, "nf4", "Matrices of linear layers in 4 bits and their scales (QLoRA).")                      \
    X(NNC_FROZEN_FP8, "fp8", "Matrices of linear layers in one byte each, which 8-bit products read as they are.") \
    X(NNC_FROZEN_32, "32bit", "Four bytes per weight.")
NNC_ENUM(nnc_frozen, NNC_FROZEN_LIST, NNC_FROZEN_COUNT);
NNC_API const char *nnc_frozen_name(nnc_frozen frozen);
NNC_API const char *nnc_frozen_help(nnc_frozen frozen);

/* A training plan. Start from nnc_plan_default(), which sets struct_size. Members are only ever appended, so a program
 * may be older or newer than the library. 0 or NaN means "not given" where a comment names a default; nnc_plan_resolve
 * fills the default in. Other structs reserve NNC_PLAN_SPACE bytes for a plan. */
enum { NNC_PLAN_SPACE = 512 };
typedef struct nnc_plan {
    size_t struct_size; /* size of the struct in the version that the program was compiled with */
    int32_t devices, data, tensor, pipeline, virtual_stages, context, expert; /* degrees of parallelism; 1 = off */
    bool sequence_parallel;
    int32_t zero;             /* ZeRO stage: 1 optimizer states, 2 also gradients, 3 also weights (FSDP) */
    int32_t shard;            /* ranks that share one copy of the tensors that ZeRO divides; 0 = data x context */
    bool reshard;             /* stage 3: free weights after forward, gather them again for backward */
    int32_t devices_per_node; /* devices in one scale-up domain; 0 = from the device file */
    nnc_schedule schedule;
    nnc_context_kind context_kind;
    nnc_rank_order rank_order;
    unsigned offload;         /* nnc_offload flags */
    double overlap;           /* share of communication that overlaps with compute; NaN = from the software profile */
    double capacity_factor;   /* tokens that an expert can take / mean tokens per expert; 0 = no token is dropped */
    double imbalance;         /* tokens of the busiest expert rank / mean over all ranks */
    int64_t recompute_every;  /* full recomputation: layers per recompute block */
    int64_t recompute_layers; /* full recomputation: recomputed layers per stage; 0 = all */
    int64_t micro_batch;      /* sequences or images per replica and micro-batch */
    int64_t micro_batches;    /* micro-batches per optimizer step */
    int64_t global_batch;     /* micro_batch * micro_batches * data */
    int64_t seq_len;          /* tokens of a sequence; 0 = from the model */
    int64_t image;            /* pixels per side; 0 = from the model */
    nnc_dtype precision;      /* format of matrix products; NNC_DTYPE_COUNT = the first of bf16, fp16 and fp32 that the
                               * device has */
    nnc_policy policy;
    nnc_optimizer optimizer;
    unsigned recompute; /* nnc_recompute flags */
    nnc_attention attention;
    nnc_activations activations;
    nnc_mode mode;
    nnc_flops_convention flops_convention;
    bool clip_gradients;
    double tokens;         /* tokens of the whole run; NaN = not given */
    double samples;        /* sequences or images of the whole run; NaN = not given */
    double price;          /* price per device-hour; NaN = the newest in the device file */
    int64_t reserve_bytes; /* device memory set aside for other uses; -1 = from the software profile */
    unsigned train;        /* nnc_train flags of the trained parts; other parts are frozen; 0 = all parts are trained */
    int64_t adapter_rank;  /* rank of low-rank adapters (LoRA); 0 = no adapters. If train is 0, only the adapters are
                            * trained */
    nnc_adapted adapters;  /* layers that have adapters */
    bool dora;             /* adapters train a direction and one magnitude per output (DoRA) */
    nnc_frozen frozen;     /* storage format of frozen weights */
    bool fp8_inputs;       /* the inputs that activation functions keep for backward are stored in 8 bits */
    bool ends_as_layers;   /* embedding and head each count as one layer when stages are balanced */
    int64_t first_stage_layers,
        last_stage_layers;                   /* layers of the first and the last stage; 0 = as in the other stages */
    bool whole_experts;                      /* experts are not split over tensor ranks (expert tensor parallel = 1) */
    bool next_tokens;                        /* the plan also trains the model's layers for multi-token prediction */
    double helper_copies, helper_params;     /* frozen helper models of a training method (reference, reward model,
                                          * teacher) on the devices of a replica. helper_copies: number of copies of
                                          * the trained model; helper_params: parameters of models of other sizes.
                                          * nnc_method_helpers sets both */
    double critic_copies, critic_params;     /* critics, which are trained. critic_copies: number of critics of the size
                                          * of the trained model; critic_params: parameters of critics of other sizes */
    nnc_optimizer_kernels optimizer_kernels; /* kernels of the update */
    int64_t train_layers;   /* number of successive layers whose weights, or adapters, are trained; 0 = all layers. If
                           * train is 0, no weight outside these layers is trained */
    int64_t train_from;     /* index of the first trained layer; -1 = the last train_layers layers are trained */
    int64_t optimizer_rank; /* GaLore and APOLLO: rank of projected gradients */
    bool oft; /* adapters rotate blocks of adapter_rank inputs of a layer (OFT) instead of adding a low-rank product */
} nnc_plan;

/* Tensors that a norm keeps for backward. */
#define NNC_NORM_KEEP_LIST(X)                                                                   \
    X(NNC_KEEP_FUSED, "fused", "The input of the norm, in its own format, and the statistics.") \
    X(NNC_KEEP_UPCAST, "upcast", "An fp32 copy of the input of the norm, and the statistics.")  \
    X(NNC_KEEP_EAGER, "eager", "RMS norm in primitives: fp32 input and square, the scale, the normalised value.")
NNC_ENUM(nnc_norm_keep, NNC_NORM_KEEP_LIST, NNC_KEEP_COUNT);
NNC_API const char *nnc_norm_keep_name(nnc_norm_keep keep);
NNC_API const char *nnc_norm_keep_help(nnc_norm_keep keep);

/* Tensors that the loss keeps for backward, per logit. */
#define NNC_LOSS_KEEP_LIST(X)                                                                           \
    X(NNC_LOSS_KEEPS_LOGITS, "logits", "The logits or their log-softmax, in the format of the logits.") \
    X(NNC_LOSS_KEEPS_FP32, "fp32", "fp32 probabilities.")                                               \
    X(NNC_LOSS_KEEPS_CHUNKS, "chunks", "No tensor: logits are computed and freed in chunks of tokens.")
NNC_ENUM(nnc_loss_keep, NNC_LOSS_KEEP_LIST, NNC_LOSS_KEEPS_COUNT);
NNC_API const char *nnc_loss_keep_name(nnc_loss_keep keep);
NNC_API const char *nnc_loss_keep_help(nnc_loss_keep keep);

/* Decides how tokens get to experts on other ranks. */
#define NNC_DISPATCHER_LIST(X)                                                                                      \
    X(NNC_DISPATCHER_PROFILE, "profile", "As expert_once_per_node and expert_sorts of the software profile state.") \
    X(NNC_DISPATCHER_ALL_TO_ALL, "all-to-all",                                                                      \
      "Every copy of a token is sent, and sorted by expert where it arrives.")                                      \
    X(NNC_DISPATCHER_DEEPEP, "deepep", "A token is sent to a scale-up domain once: DeepEP.")                        \
    X(NNC_DISPATCHER_HYBRIDEP, "hybridep", "A token is sent to a scale-up domain once: HybridEP.")
NNC_ENUM(nnc_dispatcher, NNC_DISPATCHER_LIST, NNC_DISPATCHER_COUNT);
NNC_API const char *nnc_dispatcher_name(nnc_dispatcher dispatcher);
NNC_API const char *nnc_dispatcher_help(nnc_dispatcher dispatcher);

/* Decides when queries, keys, values and the output of attention are copied to a layout by heads, and back. */
#define NNC_HEAD_COPY_LIST(X)                                               \
    X(NNC_HEADS_IN_PLACE, "none", "No copies: kernels read them in place.") \
    X(NNC_HEADS_UNFUSED, "unfused", "Copies for batched products only.")    \
    X(NNC_HEADS_ALWAYS, "always", "Copies also for fused attention.")
NNC_ENUM(nnc_head_copy, NNC_HEAD_COPY_LIST, NNC_HEAD_COPY_COUNT);
NNC_API const char *nnc_head_copy_name(nnc_head_copy copy);
NNC_API const char *nnc_head_copy_help(nnc_head_copy copy);

/* A software profile: fused kernels, tensors kept for backward, overlap. The nnc_specs that loaded a profile owns it.
 * Fields are named as in the file: see nnc_software_number, nnc_software_text and nnc_software_set in
 * <nncost/spec.h>. */
typedef struct nnc_software nnc_software;

#ifdef NNC_STATIC_LINKING_ONLY

/* Lower and upper end of the 90 % range of measured steps, as fractions of the predicted step. NaN = unknown. */
typedef struct nnc_spread {
    double low, high;
} nnc_spread;

/* Half width of the 90 % range of measurements, in natural logarithm, by cause. The squares of the widths add up. */
typedef struct nnc_spreads {
    double own;              /* applies to every step with the profile; NaN = unknown */
    double network, idle;    /* factors: network x share of the step that waits for the network; idle x share of the
                              * step that waits for the host or other stages */
    double kernels, carried; /* kernels: for devices whose efficiencies were fitted to kernels only; carried: for
                              * devices that have the efficiencies of a similar device */
    double experts;          /* applies to models with experts */
} nnc_spreads;

/* A measured range. A range of one device replaces own, kernels, carried and experts of nnc_spreads; a range of all
 * devices replaces only own. */
typedef struct nnc_range {
    char device[48]; /* id of a device; "" = all devices that have no range of their own */
    char of[48];     /* id of a graph (of all devices: "graph"), or the kind of model: "decoder", "experts" ... */
    double own;      /* replaces the member own of nnc_spreads */
    double skew;     /* share of the half width by which the upper end is farther away, and the lower end nearer */
} nnc_range;

/* A framework that uses the profile, and the defaults of its plans. An entry applies if its hardware, model and
 * family are the start of the device id, the model id and the family ("" = any). If entries of several releases apply,
 * nncost uses the newest release that is not newer than the requested release. */
typedef struct nnc_framework {
    char framework[48], also[48]; /* framework: name of the framework; also: a second name, "" = no second name */
    char version[32]; /* first release that the entry describes, as a number; a word instead means versions that start
                       * with this word */
    char hardware[32], model[32]; /* hardware: start of the device id; model: start of the model id */
    char family[16];              /* family of the model */
    nnc_policy policy;
    nnc_attention attention;
    nnc_context_kind context_kind, adapter_context_kind; /* context_kind: how context ranks share attention;
                                                          * adapter_context_kind: how context ranks share attention
                                                          * when only adapters are trained */
    double capacity_factor, fp16_dropout; /* capacity_factor: capacity factor of experts; fp16_dropout: dropout
                                           * probability in fp16 training */
    int32_t zero;
    int64_t vocab_multiple; /* the embedding table is padded to a multiple of this number x the tensor degree; 0 = not
                             * padded */
    bool sequence_parallel; /* plans with tensor parallelism also use sequence parallelism */
    bool interleaves;       /* pipelines have one layer per virtual stage, if the number of micro-batches allows it */
    nnc_adapted adapters;   /* layers with adapters, when only adapters are trained */
    nnc_frozen frozen;      /* format of frozen weights, if products are computed in 8 bits or fewer */
    bool half_selective;    /* --recompute attention recomputes every second layer in full instead */
    bool whole_experts;     /* experts are not split over tensor ranks */
    /* the release sets ends_as_layers if the number of stages divides layers + 2 (embedding, head), but not layers */
    bool ends_as_layers;
    bool gathered_in_pipelines; /* pipelines with ZeRO stage 3 keep weights gathered between micro-batches */
} nnc_framework;

/* Switches that a release sets for some models and devices. If several recipes match, the last is used. */
typedef struct nnc_recipe {
    char version[32], hardware[32], precision[16], model[32]; /* conditions of the recipe; version, hardware and model
                                                               * as in nnc_framework */
    char set[192];                                            /* switches and their values: "overlap_expert=1
                                                               * block_scales=on" */
} nnc_recipe;

/* Comparison of predicted and measured steps of a profile, by device and family of models ("experts" for decoders with
 * experts). Error = predicted / measured - 1. */
typedef struct nnc_track {
    char device[48], family[16];
    int64_t rows, unseen; /* rows: number of measured steps; unseen: number of measured steps that no fit has used */
    double error, bias;   /* over the unseen steps. error: mean absolute error; bias: mean error with its sign; NaN =
                           * there is no unseen step */
    /* Mean absolute error and mean error of all steps, for a device with at least ten steps but fewer than ten unseen
     * steps; NaN for other devices. */
    double all_error, all_bias;
} nnc_track;

/* Device memory in addition to the memory that a plan counts: driver context, buffers of collectives, fragmentation.
 * Also has the range of measured peaks. */
typedef struct nnc_reserve {
    double bytes, share; /* reserve = bytes + share x the memory that a plan counts */
    double low, high;    /* quantiles of measured peak / predicted peak. low: 10 %; high: 90 % */
    double context;      /* bytes of a process on a single device, which has no collectives; NaN = `bytes` */
    double workspace;    /* workspaces of matrix products and convolutions that stay in the allocator */
} nnc_reserve;

/* Features of a framework. A feature that a profile does not mention is supported. */
typedef struct nnc_shipped {
    bool schedules[NNC_SCHEDULE_COUNT];
    bool recompute_attention, recompute_norm, recompute_activation, recompute_full;
    bool recompute_modules; /* recomputation of latent projections, MLPs or experts only */
    bool offload_optimizer, offload_activations, offload_weights;
    bool sharded_gradients, sharded_weights; /* sharded_gradients: ZeRO 2 shards gradients; sharded_weights: ZeRO 3
                                              * shards weights */
    bool sharded_pipelines;                  /* ZeRO 2 and 3 together with pipeline stages */
    bool plain_tensor;                       /* tensor parallelism without sequence parallelism */
    bool uneven_stages;                      /* stages or virtual stages may have different numbers of layers */
    bool plain_experts;                      /* networks with experts may use tensor parallelism without sequence
                                              * parallelism */
} nnc_shipped;

/* A serving engine: times of its host, and factors on the kernels measured on a device. */
typedef struct nnc_serve_engine {
    double step_s, layer_s, sequence_s;     /* host time: step_s per step, layer_s per layer, sequence_s per sequence
                                             * that decodes; default of each: 0 */
    double prefill_factor, decode_factor;   /* factors on the time of all ops: prefill_factor in a prefill step,
                                             * decode_factor in a decode step; default of each: 1 */
    double ttft_s;                          /* time per request in addition to queue and prefill, default: 0 */
    double stream_factor[NNC_STORED_COUNT]; /* factor on the device's stream_fraction, by weight format, default: 1 */
    double kv_factor;                       /* factor on the device's kv_fraction, default: 1 */
    double all_reduce_factor;               /* factor on the device's time of all-reduces, default: 1 */
    double all_reduce_s;                    /* additional time of each all-reduce, default: 0 */
    double attention_factor;                /* factor on the device's time of prefill attention, default: 1 */
    double kv_reread;    /* share of keys and values read again for each further query head of a group, default: 0 */
    double host_layer_s; /* time to launch a layer; overlaps with device work, default: 0 */
    double expert_s[NNC_STORED_COUNT]; /* time per layer with experts in a format that the device lacks, default: 0 */
    bool captured;                     /* a decode step is one recorded program (CUDA graph), default: on */
    double launch_s;                   /* launch time per kernel of a step that is not recorded, default: 0 */
    bool paged; /* on: the KV cache has blocks; off: a sequence reserves its full length, default: on */
    int64_t chunk, max_batch,
        block; /* chunk: most tokens of a prefill step (0 = 8192); max_batch: most sequences (0 = 256); block: tokens
                * per cache block (0 = 16) */
    double memory_use, workspace_bytes; /* memory_use: share of device memory that the engine may use (NaN = 0.9);
                                         * workspace_bytes: bytes of workspaces (NaN = 2 GB) */
    /* 90 % ranges of measured / predicted: time per output token; time per output token of models with experts; time to
     * first token. NaN = unknown. */
    nnc_spread tpot, tpot_experts, ttft;
    bool fitted;                 /* false: the profile has no serving values */
    double unit_bytes_per_clock; /* bytes that decode kernels read at most, per unit and clock cycle; NaN = no limit */
    bool preempt;                /* a request starts when the cache holds its prompt; when the cache is full, the newest
                                  * request gives up its cache and waits */
    double text_s;               /* time to turn a token into text and send it, one token after the other, default: 0 */
} nnc_serve_engine;

/* A profile, read from software/<id>.json. Comments of switches describe the value on and, after "else", off. */
struct nnc_software {
    char id[48];
    char name[96];
    char date[16];           /* year and month of a release: "2025-11"; "" = the profile is no release of a framework */
    bool fused_norm;         /* a norm is one kernel; else one kernel per primitive */
    bool fused_activation;   /* the activation and the multiplication of a gated MLP run in one kernel that keeps no
                              * intermediate tensor */
    bool fused_residual;     /* bias, dropout and residual run in one kernel */
    bool fused_maps;         /* norm, activation and sum of a feature map run in one kernel */
    bool contiguous_maps;    /* feature maps have one plane per channel (NCHW); else channels last */
    bool written_out;        /* layer norms, RMS norms and GELU run as one kernel per primitive */
    bool by_reductions;      /* norms of rows and softmax run as one kernel per sum or maximum, and one kernel for
                              * all other work */
    bool turned_group_norms; /* group norms need NCHW maps: maps in other layouts are copied to NCHW and back */
    bool grouped_on_vectors; /* grouped convolutions run on the vector units, except groups that have a kernel for
                              * matrix units */
    bool random_written;     /* dropout reads random numbers that a separate kernel wrote */
    bool cast_weights;       /* every micro-batch casts fp32 weights to 16 bits, and gradients back to fp32 */
    bool flat_weights;       /* weights are one flat buffer, gathered in fp32 for every micro-batch */
    bool fused_rotary;
    bool fused_softmax;        /* scale and mask are part of the softmax kernel (unfused attention) */
    bool fused_loss;           /* cross-entropy is one kernel in the format of the logits */
    bool fused_rotary_scale;   /* the rotary embedding is one kernel even when it scales (YaRN) */
    bool fused_expert_bias;    /* the products of experts add their biases */
    bool expert_bias_gathered; /* biases of experts are gathered first: one row per copy of a token */
    bool fused_expert_clamp;   /* the activation kernel of experts also clamps */
    bool fused_optimizer;
    nnc_flash_kernel flash_kernel; /* the kernel of --attention flash */
    nnc_norm_keep norm_keep;       /* tensors kept by layer, RMS and batch norms */
    nnc_norm_keep group_norm_keep; /* tensors kept by group norms of residual blocks */
    nnc_loss_keep loss_keep;
    nnc_head_copy copied_heads;
    bool loss_in_place;        /* the loss overwrites the logits */
    bool softmax_upcast;       /* softmax runs in fp32; its fp32 output is kept in addition to the cast output */
    bool attention_mask_kept;  /* each layer keeps a boolean s x s mask */
    bool library_kept;         /* ops keep the tensors that the operators of transformers and peft keep */
    bool expanded_kv;          /* grouped keys and values are copied to every query head, and the copies are kept */
    nnc_dispatcher dispatcher; /* how tokens are sent to experts on other ranks */
    bool expert_once_per_node; /* a token is sent only once to each scale-up domain, for all its experts there */
    bool expert_masks;         /* matrix products with masks move tokens into the slots of experts and back */
    bool expert_sorts;         /* tokens from other ranks are copied into the order of experts */
    bool expert_dispatch_8bit; /* tokens are sent to experts in the 8-bit format of the products */
    bool narrow_gathers;       /* tensor ranks gather tokens in the 8- or 4-bit format of the products */
    bool block_scales;         /* 8-bit operands have one scale per 128 elements instead of one per tensor */
    int64_t network_units;     /* units that kernels of expert communication use instead of compute kernels */
    bool expert_scores_first;  /* experts multiply activations by router scores, so combining keeps no tensor */
    bool context_frozen;       /* the input of cross-attention needs no gradient */
    /* Share of each kind of communication that overlaps with compute, 0 to 1. */
    double overlap_tensor, overlap_context, overlap_expert, overlap_data, overlap_pipeline, overlap_offload;
    double overlap_tensor_backward; /* share of overlap_tensor in backward; NaN = overlap_tensor */
    double bucket_bytes;            /* size of a bucket: gradients that are reduced together during backward */
    double launch_s;                /* host time to issue one op; 0 = all ops are recorded once and replayed */
    /* launch_s of models with experts, where the host waits for tensor sizes; NaN = launch_s */
    double launch_expert_s;
    double launch_product_s; /* host time to issue one product of experts, if the host issues them one by one */
    bool recorded_attention; /* attention and norms are recorded once and replayed; the host issues all other ops */
    bool tuned_pointwise;    /* norms and activations use kernels written for the device */
    nnc_spreads spread;
    const nnc_range *ranges;
    int32_t range_count;
    nnc_reserve reserve;
    nnc_shipped ships;
    bool zero_gradients;      /* a kernel sets gradients to zero; else they are freed */
    bool added_gradients;     /* a separate kernel adds gradients to fp32 sums after each micro-batch */
    nnc_serve_engine serving; /* serving engine of the profile; training does not use it */
    const nnc_framework *stands_for;
    int32_t stands_for_count;
    const nnc_recipe *recipes;
    int32_t recipe_count;
    const nnc_track *compared; /* comparisons with measurements; estimates do not use them */
    int32_t compared_count;
    const nnc_source *sources;
    int32_t source_count;
    const char *path;
    bool implausible;       /* true: the file was read in spite of implausible values, so estimates give no range of
                             * measurements */
    bool lists_operators;   /* if the operators of the model's library are known, each operator is a kernel */
    nnc_policy policy;      /* policy of a search whose plans give no policy */
    bool unfused_attention; /* "flash" attention of a plan is computed as unfused: programs of the profile have no
                             * fused kernel */
    bool fp8_gather;        /* in fp8, ZeRO 3 gathers the matrices of layers in 8 bits, except the matrices of
                             * experts */
    bool split_loss;        /* an unfused loss over a divided vocabulary has one fp32 kernel per primitive */
};

/* Returns the neutral profile ("torch-compile"): every kernel is fused, and no tensor is kept twice. */
nnc_software nnc_software_default(void);

/* Checks that every field is within its limits, as nnc_plan_check does. Loaded profiles always pass. */
nnc_status nnc_software_check(const nnc_software *software, nnc_error *err);

#endif /* NNC_STATIC_LINKING_ONLY */

/* The default profiles of plans, by the kind of plan: see nnc_profiles_get in <nncost/spec.h>. */
typedef struct nnc_profiles nnc_profiles;

#ifdef NNC_STATIC_LINKING_ONLY

/* Kinds of plan; each kind has its own default profile. */
typedef enum nnc_profile_kind {
    NNC_PROFILE_COPIES,        /* one device, or replicated weights */
    NNC_PROFILE_SHARDED,       /* sharded weights: ZeRO 3 */
    NNC_PROFILE_SPLIT,         /* split layers (tensor, pipeline, context, expert), or a transformer with ZeRO 1 or 2 */
    NNC_PROFILE_TPU,           /* any plan on a TPU */
    NNC_PROFILE_EAGER,         /* a captured program, or a library's model on one device: operators run one by one */
    NNC_PROFILE_EARLY,         /* a transformer in fp16 or TF32 on a GPU older than Hopper */
    NNC_PROFILE_EARLY_SHARDED, /* a transformer with ZeRO 3 on a GPU older than Hopper */
    NNC_PROFILE_EARLY_MAPS,    /* a network of feature maps in a format older than bf16, on a GPU older than Hopper */
    NNC_PROFILE_KINDS
} nnc_profile_kind;

struct nnc_profiles {
    const nnc_software *of[NNC_PROFILE_KINDS];
    bool any;                              /* true: a search also offers features that a profile does not support */
    const struct nnc_completer *completer; /* completes changed plans as the framework release that the user named;
                                            * NULL = no release */
};

/* Returns a set of default profiles in which `software` is the default of every kind of plan. */
nnc_profiles nnc_profiles_of_one(const nnc_software *software);

/* nnc_profile_kind_of returns the kind of a plan for a model and a device. nnc_profile_kind_by_plan uses only the plan
 * and the kind of model. nnc_profile_kind_kept returns `kept` (a comparison passes the kind of its first plan), unless
 * model, device and precision allow only one kind. nnc_profile_kind_may tests whether any plan of the model on the
 * device can have the kind. */
nnc_profile_kind nnc_profile_kind_of(const nnc_model *model, const nnc_device *device, const nnc_plan *plan);
nnc_profile_kind nnc_profile_kind_by_plan(const nnc_model *model, const nnc_plan *plan);
bool nnc_profile_kind_may(const nnc_model *model, const nnc_device *device, nnc_profile_kind kind);
nnc_profile_kind nnc_profile_kind_kept(const nnc_model *model, const nnc_device *device, const nnc_plan *plan,
                                       nnc_profile_kind kept);

#endif /* NNC_STATIC_LINKING_ONLY */

/* Returns the profile of a plan (resolved or not) of a model on a device. plan NULL: the neutral profile. */
NNC_API const nnc_software *nnc_profile_of(const nnc_profiles *profiles, const nnc_model *model,
                                           const nnc_device *device, const nnc_plan *plan);

/* Returns true when the framework of a profile supports the schedule, recomputation and offload of a plan. If not,
 * *option (may be NULL) receives the option that is not supported: "--schedule", "--recompute", "--offload". */
NNC_API bool nnc_software_ships(const nnc_software *software, const nnc_plan *plan, const char **option);

/* nnc_plan_default returns a plan with every field at its default. nnc_plan_init sets a struct of struct_size bytes to
 * the defaults, for programs that do not read this header. */
NNC_API void nnc_plan_init(nnc_plan *plan, size_t struct_size);
static inline nnc_plan nnc_plan_default(void) {
    nnc_plan plan;
    nnc_plan_init(&plan, sizeof plan);
    return plan;
}

/* Checks that every field is within the limits of the command line. NNC_ILLEGAL_PLAN: err names the option, the
 * expected range and the value. Every other function that takes a plan makes this check first. */
NNC_API nnc_status nnc_plan_check(const nnc_plan *plan, nnc_error *err);

/* Fills in the fields that are not given: sequence length and image from the model, precision and policy from the
 * device. Computes a missing value of micro_batch, micro_batches and global_batch from the other two. NNC_ILLEGAL_PLAN:
 * the three disagree, the device lacks the precision, or a length does not suit the model; err names the option. */
NNC_API nnc_status nnc_plan_resolve_into(const nnc_plan *plan, const nnc_model *model, const nnc_device *device,
                                         nnc_plan *resolved, nnc_error *err);
static inline nnc_status nnc_plan_resolve(const nnc_plan *plan, const nnc_model *model, const nnc_device *device,
                                          nnc_plan *resolved, nnc_error *err) {
    if (resolved != plan) { resolved->struct_size = sizeof *resolved; }
    return nnc_plan_resolve_into(plan, model, device, resolved, err);
}

/* Bytes per parameter of a precision policy with an Adam-like optimizer. Sources: ZeRO arXiv:1910.02054
 * section 3.1; Megatron-LM; docs/formulas.md [policies] */
typedef struct nnc_policy_sizes {
    double weight_bytes, gradient_bytes, master_bytes, state_bytes; /* state_bytes: size of one moment */
    double cast_bytes;                                              /* temporary 16-bit copy of the weights */
} nnc_policy_sizes;
NNC_API nnc_policy_sizes nnc_policy_bytes(nnc_policy policy);

/* Writes the recomputed parts as in --recompute: "none", "selective", "full", or names joined by commas. */
NNC_API void nnc_recompute_text(unsigned recompute, char *text, unsigned long size);
/* Writes the names of the offloaded tensors, joined by commas, into text; "none" if no flag is set. */
NNC_API void nnc_offload_text(unsigned offload, char *text, unsigned long size);

#ifdef __cplusplus
}
#endif

#endif
