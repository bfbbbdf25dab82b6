/* SPDX-License-Identifier: Apache-2.0 */
/* Training plans (parallelism, batch, precision, optimizer, ways to save memory), and software profiles: how a
 * framework runs a plan. */
#ifndef NNCOST_PLAN_H
#define NNCOST_PLAN_H

#include <stddef.h>

#include <nncost/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Precision policies: number formats of weights, gradients and optimizer states. nnc_policy_bytes returns the bytes per
 * parameter of a policy. */
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

#define NNC_OPTIMIZER_LIST(X)                                                                                       \
    X(NNC_OPTIMIZER_ADAMW, "adamw", "AdamW: Adam with decoupled weight decay; two moments.")                        \
    X(NNC_OPTIMIZER_ADAM, "adam", "Adam without weight decay: two moments.")                                        \
    X(NNC_OPTIMIZER_SGD, "sgd", "Stochastic gradient descent without optimizer states.")                            \
    X(NNC_OPTIMIZER_MOMENTUM, "momentum", "Gradient descent with momentum: one moment.")                            \
    X(NNC_OPTIMIZER_RMSPROP, "rmsprop", "RMSprop: one moment, of squared gradients.")                               \
    X(NNC_OPTIMIZER_ADAFACTOR, "adafactor",                                                                         \
      "Adafactor: one moment, stored as one value per row and per column of a matrix.")                             \
    X(NNC_OPTIMIZER_LION, "lion", "Lion: one moment; the update is its sign.")                                      \
    X(NNC_OPTIMIZER_ADAM8BIT, "adam8bit", "Adam with its moments in 8 bits, scaled by block.")                      \
    X(NNC_OPTIMIZER_MUON, "muon",                                                                                   \
      "Orthogonalised momentum for matrices; Adam for embedding tables, gains and biases.")                         \
    X(NNC_OPTIMIZER_LAMB, "lamb", "LAMB: Adam with a step length per tensor, relative to the norm of its weights.") \
    X(NNC_OPTIMIZER_LARS, "lars",                                                                                   \
      "LARS: momentum with a step length per tensor, relative to the norm of its weights.")                         \
    X(NNC_OPTIMIZER_ADAM4BIT, "adam4bit", "Adam with its moments in 4 bits, scaled by block.")                      \
    X(NNC_OPTIMIZER_ADAM_MINI, "adam-mini", "Adam with one second moment for each block of a tensor: one moment.")  \
    X(NNC_OPTIMIZER_GALORE, "galore",                                                                               \
      "Adam on gradients of linear layers that are projected to --optimizer-rank rows or columns.")                 \
    X(NNC_OPTIMIZER_APOLLO, "apollo", "APOLLO: as galore, but the projected moments scale the full gradient.")
NNC_ENUM(nnc_optimizer, NNC_OPTIMIZER_LIST, NNC_OPTIMIZER_COUNT);
NNC_API const char *nnc_optimizer_name(nnc_optimizer optimizer);
NNC_API const char *nnc_optimizer_help(nnc_optimizer optimizer);

/* Kinds of kernels with which frameworks run the optimizer update. */
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

/* Parts of forward that backward computes again instead of keeping their outputs (activation checkpointing). Values of
 * nnc_recompute are flags that can be combined. */
typedef enum nnc_recompute {
    NNC_RECOMPUTE_NONE = 0,
    NNC_RECOMPUTE_ATTENTION = 1, /* --recompute selective: scores, softmax and the product of softmax and
                                        * values */
    NNC_RECOMPUTE_NORM = 2,      /* backward computes the outputs of norms a second time */
    /* backward computes the outputs of activation functions (GELU, SiLU, SwiGLU) a second time instead of keeping
     * them */
    NNC_RECOMPUTE_ACTIVATION = 4,
    NNC_RECOMPUTE_FULL = 8, /* backward computes all ops of a recompute block a second time; only the input of the block
                             * is kept */
    NNC_RECOMPUTE_MLA_UP_PROJ = 16,    /* backward computes queries, keys and values a second time, from their
                                        * latents */
    NNC_RECOMPUTE_MOE_ACT = 32,        /* backward computes the outputs of activation functions in experts a second
                                        * time */
    NNC_RECOMPUTE_SHARED_EXPERTS = 64, /* backward computes shared experts a second time, from their kept input */
    NNC_RECOMPUTE_MLP = 128,           /* backward computes the MLPs of layers without experts a second time, from their
                                        * kept inputs */
    /* backward computes router, dispatch, experts and combine a second time, from the kept input of the router */
    NNC_RECOMPUTE_MOE = 256,
    NNC_RECOMPUTE_MODULES = 16 | 32 | 64 | 128 | 256
} nnc_recompute;

#define NNC_ATTENTION_LIST(X)                                                                                   \
    X(NNC_ATTENTION_FLASH, "flash",                                                                             \
      "Fused attention with the kernel of the software profile; unfused attention if the profile has no fused " \
      "kernel.")                                                                                                \
    X(NNC_ATTENTION_FLASH1, "flash1", "Fused attention with the kernel of the first FlashAttention.")           \
    X(NNC_ATTENTION_FLASH2, "flash2", "Fused attention with the kernel of FlashAttention-2.")                   \
    X(NNC_ATTENTION_FLASH3, "flash3", "Fused attention with the kernel of FlashAttention-3.")                   \
    X(NNC_ATTENTION_UNFUSED, "unfused",                                                                         \
      "Unfused attention: one kernel per primitive; the scores are written to and read from memory.")
NNC_ENUM(nnc_attention, NNC_ATTENTION_LIST, NNC_ATTENTION_COUNT);
NNC_API const char *nnc_attention_name(nnc_attention attention);
NNC_API const char *nnc_attention_help(nnc_attention attention);

#define NNC_MODE_LIST(X)                                                                                  \
    X(NNC_MODE_PREDICTED, "predicted", "The predicted step, with the fitted efficiencies of the device.") \
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

#define NNC_ACTIVATIONS_LIST(X)                                                                       \
    X(NNC_ACTIVATIONS_PER_OP, "per-op", "Sum over the tensors that each op keeps, in their formats.") \
    X(NNC_ACTIVATIONS_KORTHIKANTI, "korthikanti", "s b h (34 + 5 a s / h) per layer, arXiv:2205.05198.")
NNC_ENUM(nnc_activations, NNC_ACTIVATIONS_LIST, NNC_ACTIVATIONS_COUNT);
NNC_API const char *nnc_activations_name(nnc_activations activations);
NNC_API const char *nnc_activations_help(nnc_activations activations);

#define NNC_SCHEDULE_LIST(X)                                                                                   \
    X(NNC_SCHEDULE_1F1B, "1f1b", "Each stage alternates one forward and one backward pass.")                   \
    X(NNC_SCHEDULE_GPIPE, "gpipe", "Each stage runs all forward passes, then all backward passes.")            \
    X(NNC_SCHEDULE_INTERLEAVED, "interleaved", "1f1b over several groups of layers per device.")               \
    X(NNC_SCHEDULE_ZB_H1, "zb-h1", "1f1b with separate weight gradients; it needs as much memory as 1f1b.")    \
    X(NNC_SCHEDULE_ZB_H2, "zb-h2", "zb-h1 with twice as many micro-batches in flight and a smaller bubble.")   \
    X(NNC_SCHEDULE_ZB_V, "zb-v",                                                                               \
      "Two groups of layers per device: a micro-batch passes all devices in order and then in reverse order.") \
    X(NNC_SCHEDULE_DUALPIPE, "dualpipe",                                                                       \
      "Micro-batches enter at both ends; forward passes overlap with backward passes.")
NNC_ENUM(nnc_schedule, NNC_SCHEDULE_LIST, NNC_SCHEDULE_COUNT);
NNC_API const char *nnc_schedule_name(nnc_schedule schedule);
NNC_API const char *nnc_schedule_help(nnc_schedule schedule);

/* How attention gets the keys and values of tokens that are on other context ranks. */
#define NNC_CONTEXT_KIND_LIST(X)                                                                         \
    X(NNC_CONTEXT_RING, "ring", "Blocks of keys and values are passed around a ring, arXiv:2310.01889.") \
    X(NNC_CONTEXT_ALL_GATHER, "all-gather", "Each rank gathers all keys and values before attention.")   \
    X(NNC_CONTEXT_ULYSSES, "ulysses", "All-to-all from tokens to heads and back, arXiv:2309.14509.")
NNC_ENUM(nnc_context_kind, NNC_CONTEXT_KIND_LIST, NNC_CONTEXT_KIND_COUNT);
NNC_API const char *nnc_context_kind_name(nnc_context_kind kind);
NNC_API const char *nnc_context_kind_help(nnc_context_kind kind);

/* Order of the ranks. The name of a rank order lists kinds of parallelism: ranks that differ only in the first listed
 * kind have successive numbers. A group of expert ranks consists of context ranks with successive numbers. If the
 * context ranks are fewer than the expert degree, the group also has data ranks. */
#define NNC_RANK_ORDER_LIST(X)                                                \
    X(NNC_ORDER_TENSOR_CONTEXT_DATA_PIPELINE, "tensor-context-data-pipeline", \
      "Tensor ranks are neighbours, stages are farthest apart.")              \
    X(NNC_ORDER_TENSOR_CONTEXT_PIPELINE_DATA, "tensor-context-pipeline-data", \
      "Tensor ranks are neighbours, replicas are farthest apart.")            \
    X(NNC_ORDER_TENSOR_PIPELINE_CONTEXT_DATA, "tensor-pipeline-context-data", \
      "Tensor ranks are neighbours; ranks of successive pipeline stages have the next smallest distance.")
NNC_ENUM(nnc_rank_order, NNC_RANK_ORDER_LIST, NNC_ORDER_COUNT);
NNC_API const char *nnc_rank_order_name(nnc_rank_order order);
NNC_API const char *nnc_rank_order_help(nnc_rank_order order);

/* Tensors that can be stored in host memory. Values of nnc_offload are flags that can be combined. */
typedef enum nnc_offload {
    NNC_OFFLOAD_NONE = 0,
    NNC_OFFLOAD_OPTIMIZER = 1,
    NNC_OFFLOAD_ACTIVATIONS = 2,
    NNC_OFFLOAD_WEIGHTS = 4
} nnc_offload;

/* Parts of the network whose weights are trained. Values of nnc_train are flags that can be combined. */
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
    NNC_TRAIN_ADAPTERS = 256,
    NNC_TRAIN_NONE = 512 /* no weight is trained, so the step is one forward pass; this flag is never combined with
                          * other flags */
};
/* Writes the names of the trained parts of a combination of nnc_train flags, joined by commas ("attention,norm"), to
 * `text`, cut to `size` bytes; "all" if `train` is 0. */
NNC_API void nnc_train_text(unsigned train, char *text, unsigned long size);

/* Linear layers that have adapters. Values of nnc_adapted are flags that can be combined. */
typedef enum nnc_adapted {
    /* every linear layer of attention and MLPs has an adapter, except linear layers of routed experts */
    NNC_ADAPTED_LINEAR = 0,
    NNC_ADAPTED_QUERY = 1,
    NNC_ADAPTED_KEY = 2,
    NNC_ADAPTED_VALUE = 4,
    NNC_ADAPTED_OUT = 8,
    NNC_ADAPTED_ATTENTION = 15,
    NNC_ADAPTED_GATE = 16,
    NNC_ADAPTED_UP = 32,
    NNC_ADAPTED_DOWN = 64,
    NNC_ADAPTED_MLP = 112,
    NNC_ADAPTED_QKV = 128,      /* one adapter for the matrix that computes queries, keys and values together */
    NNC_ADAPTED_MIXER_IN = 256, /* input projections of state-space layers and of linear attention (MIXER_OUT: their
                                 * output projections) */
    NNC_ADAPTED_MIXER_OUT = 512,
    NNC_ADAPTED_SHARED_GATE = 1024, /* gate matrix of shared experts (SHARED_UP, SHARED_DOWN: their up and down
                                     * matrices) */
    NNC_ADAPTED_SHARED_UP = 2048,
    NNC_ADAPTED_SHARED_DOWN = 4096,
    NNC_ADAPTED_EXPERTS =
        8192 /* routed experts have two adapters each: for the joined gate and up matrix, and for the down matrix */
} nnc_adapted;
/* Writes the names of the linear layers of a combination of nnc_adapted flags, joined by commas ("q,v"), to `text`, cut
 * to `size` bytes; "linear" if `adapted` is 0. */
NNC_API void nnc_adapted_text(unsigned adapted, char *text, unsigned long size);

#define NNC_FROZEN_LIST(X)                                                                                   \
    X(NNC_FROZEN_16, "16bit", "Frozen weights in 16 bits, two bytes per weight.")                            \
    X(NNC_FROZEN_INT8, "int8", "Matrices of linear layers with one byte per weight.")                        \
    X(NNC_FROZEN_NF4, "nf4", "Matrices of linear layers with 4 bits per weight, and their scales (QLoRA).")  \
    X(NNC_FROZEN_FP8, "fp8",                                                                                 \
      "Matrices of linear layers with one byte per weight; 8-bit products read these bytes without a cast.") \
    X(NNC_FROZEN_32, "32bit", "Frozen weights in fp32, four bytes per weight.")
NNC_ENUM(nnc_frozen, NNC_FROZEN_LIST, NNC_FROZEN_COUNT);
NNC_API const char *nnc_frozen_name(nnc_frozen frozen);
NNC_API const char *nnc_frozen_help(nnc_frozen frozen);

/* A training plan. To make a plan, start from nnc_plan_default(), which sets struct_size. Later releases only append
 * members, so a program may be older or newer than the library. In members whose comment names a default, 0 or NaN
 * means that the user gave no value; nnc_plan_resolve then fills in the default. NNC_PLAN_SPACE: number of bytes that
 * other structs reserve for a plan. */
enum { NNC_PLAN_SPACE = 512 };
typedef struct nnc_plan {
    size_t struct_size; /* size of nnc_plan in the nncost release with which the user's program was compiled */
    /* Number of all devices (devices), and degrees of parallelism. A parallelism of degree 1 is not used. */
    int32_t devices, data, tensor, pipeline, virtual_stages, context, expert;
    bool sequence_parallel;
    /* ZeRO stage, which says what the data ranks divide: 0 = nothing; 1 = optimizer states; 2 = also gradients; 3 =
     * also weights (FSDP) */
    int32_t zero;
    int32_t shard;            /* number of ranks that share one copy of the tensors that ZeRO divides; 0 = data x
                               * context */
    bool reshard;             /* ZeRO 3. true: weights are freed after forward and gathered again for backward; false:
                               * weights stay gathered */
    int32_t devices_per_node; /* number of devices in one scale-up domain; 0 = the value of the device file */
    nnc_schedule schedule;
    nnc_context_kind context_kind;
    nnc_rank_order rank_order;
    unsigned offload;         /* tensors stored in host memory, a combination of nnc_offload flags */
    double overlap;           /* share of the communication time that overlaps with compute; NaN = as in the software
                               * profile */
    double capacity_factor;   /* tokens that an expert can take / mean tokens of an expert; 0 = experts take all
                               * tokens */
    double imbalance;         /* tokens of the busiest expert rank / mean tokens of all expert ranks */
    int64_t recompute_every;  /* number of layers of one recompute block in full recomputation */
    int64_t recompute_layers; /* with full recomputation: number of layers of each pipeline stage that are recomputed in
                               * backward; 0 = all layers of the stage */
    int64_t micro_batch;      /* number of sequences or images in one pass of one replica */
    int64_t micro_batches;    /* number of passes of one replica in one step (gradient accumulation) */
    int64_t global_batch;     /* number of sequences or images in one step: micro_batch x micro_batches x data */
    int64_t seq_len;          /* tokens of a sequence; 0 = the value of the model file */
    int64_t image;            /* pixels of one side of an image; 0 = the value of the model file */
    nnc_dtype precision;      /* format of matrix products; NNC_DTYPE_COUNT = the first of bf16, fp16 and fp32 in which
                               * the device computes matrix products */
    nnc_policy policy;
    nnc_optimizer optimizer;
    unsigned recompute; /* parts of forward that are recomputed in backward, a combination of nnc_recompute flags */
    nnc_attention attention;
    nnc_activations activations;
    nnc_mode mode;
    nnc_flops_convention flops_convention;
    bool clip_gradients;
    double tokens;  /* number of tokens that the whole training processes; NaN = not given */
    double samples; /* number of sequences or images that the whole training processes; NaN = not given */
    double price;   /* price of one device-hour; NaN = the newest price of the device file */
    /* bytes of device memory that the plan leaves unused; -1 = the reserve of the software profile */
    int64_t reserve_bytes;
    /* trained parts of the network, a combination of nnc_train flags; parts without a flag are frozen; 0 = all parts
     * are trained */
    unsigned train;
    int64_t adapter_rank; /* inner width of low-rank adapters (LoRA rank); 0 = no adapters. If the plan has adapters and
                           * `train` is 0, only the adapters are trained */
    nnc_adapted adapters; /* linear layers of the model that have adapters */
    /* true: an adapter trains the direction of the weights and one magnitude per output of the layer (DoRA) */
    bool dora;
    nnc_frozen frozen;   /* storage format of the frozen weights of the plan */
    bool fp8_inputs;     /* true: the inputs of activation functions that are kept for backward are stored in 8
                            * bits */
    bool ends_as_layers; /* true: embedding and head each count as one layer when layers are distributed over pipeline
                            * stages */
    /* number of layers of the first and of the last pipeline stage; 0 = the stage has as many layers as the stages
     * between the first and the last */
    int64_t first_stage_layers, last_stage_layers;
    bool whole_experts; /* true: each expert is whole on one tensor rank (expert tensor parallelism
                                              * 1); false: tensor ranks split experts */
    bool next_tokens;   /* true: the plan also trains the layers of the model for multi-token
                                              * prediction */
    /* frozen helper models of a training method (reference, reward model, teacher) on the devices of a replica.
     * helper_copies: number of helper models that are copies of the trained model; helper_params: parameters of all
     * helper models that are no such copies. */
    double helper_copies, helper_params;
    double critic_copies, critic_params;     /* critics, which are trained helper models. critic_copies: number of
                                              * critics of the size of the trained model; critic_params: parameters of
                                              * all critics that have another size than the trained model */
    nnc_optimizer_kernels optimizer_kernels; /* kernels in which the framework runs the optimizer update */
    int64_t train_layers; /* number of successive layers whose weights, or adapters, are trained; 0 = all layers. If
                           * `train` is 0, weights outside the trained layers are frozen */
    int64_t train_from;   /* index of the first trained layer, used only if train_layers is above 0; -1 = the trained
                           * layers are the last layers of the model */
    /* number of rows or columns to which the optimizers GaLore and APOLLO project gradients */
    int64_t optimizer_rank;
    bool oft; /* true: an adapter rotates blocks of adapter_rank inputs of a layer (OFT) instead of adding a low-rank
               * product */
} nnc_plan;

/* Sets of tensors that a norm keeps for backward. */
#define NNC_NORM_KEEP_LIST(X)                                                                   \
    X(NNC_KEEP_FUSED, "fused", "The input of the norm, in its own format, and the statistics.") \
    X(NNC_KEEP_UPCAST, "upcast", "An fp32 copy of the input of the norm, and the statistics.")  \
    X(NNC_KEEP_EAGER, "eager", "RMS norm in primitives: fp32 input and square, the scale, the normalised value.")
NNC_ENUM(nnc_norm_keep, NNC_NORM_KEEP_LIST, NNC_KEEP_COUNT);
NNC_API const char *nnc_norm_keep_name(nnc_norm_keep keep);
NNC_API const char *nnc_norm_keep_help(nnc_norm_keep keep);

/* Tensors that the loss keeps for backward. A tensor that the loss keeps has one value per logit. */
#define NNC_LOSS_KEEP_LIST(X)                                                                           \
    X(NNC_LOSS_KEEPS_LOGITS, "logits", "The logits or their log-softmax, in the format of the logits.") \
    X(NNC_LOSS_KEEPS_FP32, "fp32", "The probabilities in fp32.")                                        \
    X(NNC_LOSS_KEEPS_CHUNKS, "chunks", "No tensor: logits are computed and freed in chunks of tokens.")
NNC_ENUM(nnc_loss_keep, NNC_LOSS_KEEP_LIST, NNC_LOSS_KEEPS_COUNT);
NNC_API const char *nnc_loss_keep_name(nnc_loss_keep keep);
NNC_API const char *nnc_loss_keep_help(nnc_loss_keep keep);

/* Methods by which tokens are sent to experts on other ranks. */
#define NNC_DISPATCHER_LIST(X)                                                                                      \
    X(NNC_DISPATCHER_PROFILE, "profile", "As expert_once_per_node and expert_sorts of the software profile state.") \
    X(NNC_DISPATCHER_ALL_TO_ALL, "all-to-all",                                                                      \
      "Every copy of a token is sent, and sorted by expert where it arrives.")                                      \
    X(NNC_DISPATCHER_DEEPEP, "deepep", "A token is sent to a scale-up domain once: DeepEP.")                        \
    X(NNC_DISPATCHER_HYBRIDEP, "hybridep", "A token is sent to a scale-up domain once: HybridEP.")
NNC_ENUM(nnc_dispatcher, NNC_DISPATCHER_LIST, NNC_DISPATCHER_COUNT);
NNC_API const char *nnc_dispatcher_name(nnc_dispatcher dispatcher);
NNC_API const char *nnc_dispatcher_help(nnc_dispatcher dispatcher);

/* Places where kernels copy queries, keys, values and the output of attention into a layout by heads and back. */
#define NNC_HEAD_COPY_LIST(X)                                                                   \
    X(NNC_HEADS_IN_PLACE, "none", "No copies: kernels read queries, keys and values in place.") \
    X(NNC_HEADS_UNFUSED, "unfused", "Copies for batched products only.")                        \
    X(NNC_HEADS_ALWAYS, "always", "Copies also for fused attention.")
NNC_ENUM(nnc_head_copy, NNC_HEAD_COPY_LIST, NNC_HEAD_COPY_COUNT);
NNC_API const char *nnc_head_copy_name(nnc_head_copy copy);
NNC_API const char *nnc_head_copy_help(nnc_head_copy copy);

/* A software profile: which kernels a framework fuses, which tensors the framework keeps for backward, how much
 * communication overlaps with compute. The nnc_specs that loaded a profile owns the profile. Fields have the names of
 * the JSON file; nnc_software_number, nnc_software_text and nnc_software_set in <nncost/spec.h> read and set fields. */
typedef struct nnc_software nnc_software;

/* Kinds of memory; the member memory_use of a serving engine is a share of one kind of memory. */
#define NNC_MEMORY_SHARE_LIST(X)                                                                                  \
    X(NNC_SHARE_MEMORY, "memory", "The memory of the device. Weights, workspace and cache are inside the share.") \
    X(NNC_SHARE_USABLE, "usable",                                                                                 \
      "The usable memory of the device. Weights, workspace and cache are inside the share.")                      \
    X(NNC_SHARE_BEFORE_WEIGHTS, "before-weights",                                                                 \
      "Memory that is free before weights are loaded. Weights and cache are inside the share.")                   \
    X(NNC_SHARE_AFTER_WEIGHTS, "after-weights",                                                                   \
      "Memory that weights and workspace leave free. Only the cache is inside the share.")
NNC_ENUM(nnc_memory_share, NNC_MEMORY_SHARE_LIST, NNC_MEMORY_SHARE_COUNT);
NNC_API const char *nnc_memory_share_name(nnc_memory_share share);
NNC_API const char *nnc_memory_share_help(nnc_memory_share share);

#ifdef NNC_STATIC_LINKING_ONLY

/* Lower and upper end of the range of measured / predicted step time in which 90 % of the measurements lie. NaN =
 * unknown. */
typedef struct nnc_spread {
    double low, high;
} nnc_spread;

/* Causes of differences between measured and predicted step time. The range of measured / predicted contains 90 % of
 * the measurements. The half range is half of the width of the range of measured / predicted, as a natural logarithm.
 * Each member is the half range that one cause alone would give. The half range of a step is the square root of a sum:
 * the sum of the squared half ranges of all causes that apply to the step. */
typedef struct nnc_spreads {
    /* half range of the cause that applies to every step with the profile; NaN = unknown */
    double own;
    /* half ranges of the causes "network" and "idle time", which depend on the step. For the network, the half range is
     * `network` x share of the step that waits for the network. For idle time, the half range is `idle` x share of the
     * step that waits for the host or for other stages */
    double network, idle;
    double kernels, carried; /* kernels: half range of a device whose efficiencies were fitted only to kernels; carried:
                              * half range of a device that has the efficiencies of similar devices */
    /* half range of the cause "experts", which applies only to models with experts */
    double experts;
} nnc_spreads;

/* A range of measured / predicted step times for a group of models. A range of one device replaces the members own,
 * kernels, carried and experts of nnc_spreads; a range of all devices replaces only `own`. */
typedef struct nnc_range {
    char device[48]; /* id of the device of the range; "" = all devices without a range of their own */
    char of[48];     /* the group of models: id of a graph file, or a kind of model: "decoder", "experts", "graph"
                      * ... */
    /* half of the width of the range, as a natural logarithm of measured / predicted; replaces nnc_spreads.own */
    double own;
    /* asymmetry of the range, as a share of the half range h. As logarithms, the upper end of the range is (1 + skew) h
     * above the prediction, and the lower end is (1 - skew) h below the prediction */
    double skew;
} nnc_range;

/* A framework release that the profile describes, with the release's defaults for plans. An entry applies to an
 * estimate if the id of the device begins with `hardware`, the id of the model begins with `model`, and the name of the
 * model's family begins with `family`. An empty text applies to all ids and names. If the entries of several releases
 * apply, nncost uses the newest release that is not newer than the requested release. */
typedef struct nnc_framework {
    /* framework: name of the framework; also: a second name of the same framework; an empty text = the framework has no
     * second name */
    char framework[48], also[48];
    char version[32]; /* number of the first release that the entry describes. If `version` is a word instead of a
                       * number, the entry describes the releases whose name starts with this word */
    /* hardware: start of the ids of the devices to which the entry applies; model: start of the model ids; "" = all */
    char hardware[32], model[32];
    char family[16]; /* start of the names of the families to which the entry applies; "" = all */
    nnc_policy policy;
    nnc_attention attention;
    /* How context ranks share attention. adapter_context_kind applies to plans that train only adapters; context_kind
     * applies to every plan that trains more than adapters. */
    nnc_context_kind context_kind, adapter_context_kind;
    double capacity_factor, fp16_dropout; /* capacity_factor: capacity factor of experts; fp16_dropout: dropout
                                           * probability in training in fp16 */
    int32_t zero;
    int64_t vocab_multiple; /* the rows of the embedding table are padded to a multiple of this number x the tensor
                             * degree; 0 = not padded */
    bool sequence_parallel; /* true: plans with tensor parallelism use sequence parallelism */
    bool interleaves;       /* true: pipelines have one layer per virtual stage, if the number of micro-batches allows
                             * this */
    nnc_adapted adapters;   /* linear layers that have adapters in a plan that trains only adapters */
    nnc_frozen frozen;      /* storage format of frozen weights if matrix products are computed in 8 bits or fewer */
    /* true: --recompute attention means full recomputation of half of the layers of each stage */
    bool half_selective;
    bool whole_experts; /* true: tensor ranks do not split experts; each expert is on one tensor rank */
    /* true: embedding and head each count as a layer when layers are distributed over stages. The switch has an effect
     * only if layers + 2 is a multiple of the number of stages, and `layers` is no multiple of it */
    bool ends_as_layers;
    /* true: with ZeRO 3 and a pipeline, ranks gather weights once per step, not for every micro-batch */
    bool gathered_in_pipelines;
    nnc_optimizer_kernels optimizer_kernels; /* kernels of the update, as the framework calls torch.optim */
} nnc_framework;

/* Switches that a framework release sets for some models and devices. If several recipes apply to a plan, nncost uses
 * the last of these recipes in the file. */
typedef struct nnc_recipe {
    /* Conditions under which the recipe applies. version, hardware and model have the meaning that these names have in
     * nnc_framework; precision: precision of the plan. */
    char version[32], hardware[32], precision[16], model[32];
    char frozen[16]; /* start of the names of the storage formats of frozen weights; "" = all */
    /* switches that the recipe sets, with their values, for example "overlap_expert=1 block_scales=on" */
    char set[192];
} nnc_recipe;

/* Errors of predicted step times of a profile on one device, for one family of models ("experts" = decoders with
 * experts). Error = predicted / measured - 1. */
typedef struct nnc_track {
    char device[48], family[16];
    int64_t rows, unseen; /* rows: number of measured steps; unseen: number of measured steps that no fit has used */
    double error, bias;   /* errors of the unseen steps. error: mean absolute error; bias: mean error with its sign; NaN
                           * = no unseen steps */
    /* Errors of all measured steps, for a device with at least ten steps but fewer than ten unseen steps; NaN for other
     * devices. all_error: mean absolute error; all_bias: mean of the error with its sign. */
    double all_error, all_bias;
} nnc_track;

/* Device memory that a plan needs in addition to its tensors (driver context, buffers of collectives, fragmentation),
 * and the range in which measured memory peaks lie. */
typedef struct nnc_reserve {
    double bytes, share; /* memory reserve = bytes + share x bytes of the tensors of a plan */
    double low, high;    /* 10 % quantile (low) and 90 % quantile (high) of measured memory peak / predicted memory
                          * peak */
    double context;      /* value that is used instead of `bytes` for a plan on one device, which runs no collectives;
                          * NaN = `bytes` is used */
    /* bytes of workspaces of matrix products and convolutions, which PyTorch's allocator does not free */
    double workspace;
    /* bytes of the workspaces of matrix products that stay allocated between two steps. held: bytes on GPUs from Hopper
     * on; held_early: bytes on older GPUs; held_experts, held_experts_early: additional bytes for products of
     * experts */
    double held, held_early, held_experts, held_experts_early;
} nnc_reserve;

/* Features of a framework; true = the framework has the feature. A feature that the profile does not mention is
 * true. */
typedef struct nnc_shipped {
    bool schedules[NNC_SCHEDULE_COUNT];
    bool recompute_attention, recompute_norm, recompute_activation, recompute_full;
    bool recompute_modules; /* true: the framework can recompute single modules without the rest of the layer: only the
                             * latent projections, only the MLPs or only the experts */
    bool offload_optimizer, offload_activations, offload_weights;
    bool sharded_gradients, sharded_weights; /* sharded_gradients: ZeRO 2 divides gradients; sharded_weights: ZeRO 3
                                              * divides weights */
    bool sharded_pipelines;                  /* true: the framework can combine ZeRO 2 or 3 with a pipeline */
    bool plain_tensor;                       /* true: the framework has tensor parallelism without sequence
                                              * parallelism */
    bool uneven_stages;                      /* true: pipeline stages or virtual stages may have different numbers of
                                              * layers */
    bool ends_as_layers;                     /* true: embedding and head can count as one layer each when layers are
                                              * divided among stages */
    bool plain_experts;                      /* true: models with experts may have tensor parallelism without sequence
                                              * parallelism */
    bool sharded_states;                     /* true: ZeRO 1 divides only the optimizer states */
    bool replicated_grids;                   /* true: data ranks without ZeRO can be combined with tensor, context or
                                              * expert ranks and with a pipeline */
    bool recompute_apart;                    /* true: the framework can recompute norms without activation functions,
                                              * and activation functions without norms */
} nnc_shipped;

/* A serving engine: the seconds that its host program takes, and factors on the kernel times that were measured on the
 * device; the factors have no unit. */
typedef struct nnc_serve_engine {
    double step_s, layer_s, sequence_s;     /* seconds of the host per step (step_s), per layer (layer_s), and per
                                             * sequence that decodes (sequence_s); default 0 */
    double prefill_factor, decode_factor;   /* factors on the time of all ops of a prefill step (prefill_factor) and of
                                             * a decode step (decode_factor); default 1 */
    double ttft_s;                          /* seconds per request in addition to queueing and prefill, before the first
                                             * token; default 0 */
    double stream_factor[NNC_STORED_COUNT]; /* factor on stream_fraction of the device file, for each storage format of
                                             * weights; default 1 */
    /* factor on kv_fraction of the device file, the bandwidth share of decode attention; default 1 */
    double kv_factor;
    double all_reduce_factor; /* factor on the computed time of an all-reduce in serving; default 1 */
    double all_reduce_s;      /* seconds that each all-reduce takes in addition to its computed time; default 0 */
    double attention_factor;  /* factor on the computed time of attention in prefill steps; default 1 */
    double kv_reread;         /* if several query heads share keys and values: share of the keys and values that is read
                               * from memory again for each query head after the first; default 0 */
    double
        /* limit for the use of kv_reread and kv_fraction of the device file: a decode step uses these two values only
         * if sequences x query heads per device is larger than this limit; default 0 */
        reread_above;
    double host_layer_s; /* seconds in which the host launches the kernels of a layer; while the host launches them, the
                          * device works on earlier kernels; default 0 */
    double expert_s[NNC_STORED_COUNT]; /* additional seconds of each layer with experts if the device cannot compute in
                                        * the format of the weights; one value for each storage format; default 0 */
    bool captured;   /* true: the engine records the kernels of a decode step once, as a CUDA graph, and replays the
                      * graph in every later step; default true */
    double launch_s; /* seconds of the host to launch a kernel of a step that is not recorded; default 0 */
    /* true: the KV cache consists of blocks; false: each sequence reserves cache for its full length; default true */
    bool paged;
    int64_t chunk, max_batch,
        block; /* chunk: largest number of tokens of a prefill step (0 = 8192); max_batch: largest number of sequences
                * (0 = 256); block: tokens of a cache block (0 = 16) */
    double memory_use, workspace_bytes; /* memory_use: share of the device memory that the engine may use (NaN = 0.9);
                                         * workspace_bytes: bytes of workspaces (NaN = 2 GB) */
    double ranks_bytes;                 /* bytes of workspaces if a replica has several ranks; default 0 */
    /* bytes per logit in the run that measures the memory of activations (if `profiled` is true), which computes logits
     * for max_batch sequences; default 0 */
    double logit_bytes;
    /* Ranges of measured / predicted time in which 90 % of the measurements lie. tpot: time per output token of models
     * without experts; tpot_experts: time per output token of models with experts; ttft: time to first token. NaN =
     * unknown. */
    nnc_spread tpot, tpot_experts, ttft;
    bool fitted;                   /* false: the software profile has no values for serving */
    nnc_memory_share memory_share; /* memory to which memory_use refers */
    double unit_bytes_per_clock; /* most bytes that one unit of the device can read per clock cycle in a decode kernel;
                                  * NaN = no limit */
    bool preempt;                /* true: a request starts when the cache has space for its prompt; if the cache becomes
                                  * full later, the engine preempts the newest request. false: a request starts when the
                                  * cache has space for its prompt and answer */
    bool profiled;               /* true: before the engine allocates the cache, the engine runs the largest step to
                                  * measure the memory of the activations */
    bool sized_by_memory;        /* true: defaults of chunk and memory_use depend on the memory of the device */
    bool schedules_ahead;        /* true: the engine schedules a step when the step before this one starts on the
                                  * device, so a new request waits one step longer than if the value is false */
    double wave_threads;         /* number of threads per wave that decode kernels use. If waves of the device have more
                            * threads, kernels read less than unit_bytes_per_clock; NaN = kernels use all threads */
    bool pipelined_passes;       /* true: pipeline stages compute successive passes of one prompt at the same time */
    double text_s;               /* seconds to turn one token into text and send it; tokens are handled one at a time;
                                  * default 0 */
    double issue_s; /* seconds of the host to issue a kernel of a step with prompts. Such a step is not recorded as a
                     * CUDA graph, and the host issues its kernels while the device works; default 0 */
    /* On devices with at least large_bytes of memory, large_chunk and large_batch are the defaults in place of chunk
     * and max_batch. Devices whose id contains large_except use chunk and max_batch, however much memory they have. NaN
     * in large_bytes = all devices use chunk and max_batch. */
    double large_bytes;
    int64_t large_chunk, large_batch;
    int64_t
        graph_tokens; /* steps with prompts of at most this number of tokens are recorded as CUDA graphs; default 0 */
    char large_except[24];
} nnc_serve_engine;

/* A software profile, as read from software/<id>.json. The comment of a switch (bool) states the meaning of the value
 * true. */
struct nnc_software {
    char id[48];
    char name[96];
    char date[16];         /* year and month of a framework release, for example "2025-11"; "" = the profile is no
                              * release */
    bool fused_norm;       /* true: a norm runs as one kernel; false: as one kernel per primitive operation */
    bool fused_activation; /* true: a gated MLP runs activation and multiplication in one kernel, so no tensor between
                            * the two operations is kept */
    bool fused_residual;   /* true: one kernel adds the bias, applies dropout and adds the residual */
    bool fused_maps;       /* true: the norm, activation and sum that follow a convolution run in one kernel */
    bool contiguous_maps;  /* layout of feature maps; true: one plane per channel (NCHW); false: channels last
                              * (NHWC) */
    bool written_out;      /* true: layer norms, RMS norms and GELU run as one kernel per primitive operation */
    /* true: in softmax and in norms of rows, each sum or maximum over a row is one kernel, and the remaining operations
     * of the op together are one kernel */
    bool by_reductions;
    bool turned_group_norms; /* true: group norms work on NCHW; feature maps in channels last are copied to NCHW and
                              * back */
    bool grouped_on_vectors; /* true: grouped convolutions run on the vector units, except groups that have a kernel for
                              * matrix units */
    /* true: a separate kernel writes random numbers to memory, and dropout reads these numbers */
    bool random_written;
    bool cast_weights; /* true: for every micro-batch fp32 weights are cast to 16 bits, and gradients back to
                              * fp32 */
    bool flat_weights; /* true: all weights are one flat buffer, which is gathered in fp32 for every
                              * micro-batch */
    bool fused_rotary;
    bool fused_softmax; /* true: in unfused attention, the softmax kernel scales and masks the scores too */
    bool fused_loss;    /* true: cross-entropy runs as one kernel and computes in the number format of the logits */
    bool fused_rotary_scale;   /* true: a rotary embedding that scales queries and keys too (YaRN) runs as one kernel */
    bool fused_expert_bias;    /* true: the kernels of the experts' matrix products add the biases of the experts */
    bool expert_bias_gathered; /* true: a kernel copies the biases of the experts to one row for each copy of a token,
                                * before another kernel adds the biases */
    bool fused_expert_clamp;   /* true: the activation kernel of experts clamps the inputs of the activation */
    bool fused_optimizer;
    nnc_flash_kernel flash_kernel; /* generation of attention kernels that the option --attention flash selects */
    nnc_norm_keep norm_keep;       /* tensors that layer norms, RMS norms and batch norms keep for backward */
    nnc_norm_keep group_norm_keep; /* tensors that the group norms of residual blocks keep for backward */
    nnc_loss_keep loss_keep;
    nnc_head_copy copied_heads;
    /* true: the gradient of the loss is written over the logits, and needs no memory of its own */
    bool loss_in_place;
    /* true: softmax computes in fp32; two tensors are kept for backward: the fp32 output, and the output cast to 16
     * bits */
    bool softmax_upcast;
    /* true: each layer keeps a mask of s x s booleans for backward (s: tokens of a sequence) */
    bool attention_mask_kept;
    /* true: ops keep the tensors that the implementation in transformers and peft keeps for backward */
    bool library_kept;
    bool expanded_kv;          /* true: grouped keys and values are copied for every query head, and the copies are
                                * kept */
    nnc_dispatcher dispatcher; /* method by which tokens are sent to experts on other ranks */
    /* true: a token is sent only once to each scale-up domain, even if several of its experts are there */
    bool expert_once_per_node;
    bool expert_masks; /* true: tokens are moved into the slots of experts and back by matrix products with
                                * masks */
    /* true: tokens that arrive from other ranks are copied, so that tokens of one expert are contiguous */
    bool expert_sorts;
    /* true: tokens are sent to experts in 8 bits, the format in which matrix products read tokens */
    bool expert_dispatch_8bit;
    /* true: all-gathers between tensor ranks send tokens in 8 or 4 bits, the format of the matrix products */
    bool narrow_gathers;
    /* true: weights of adapters have 16 bits under 16-bit policies; false: weights of adapters have 16 bits only with
     * ZeRO, otherwise 32 bits */
    bool narrow_adapters;
    /* true: with ZeRO, Python functions of the framework (hooks) run before and after each module and for each
     * gradient */
    bool module_hooks;
    /* true: operands of 8-bit products have one scale per 128 elements; false: one scale per tensor */
    bool block_scales;
    int64_t network_units;    /* number of units of the device that kernels of expert communication occupy, so that
                                * compute kernels cannot use them */
    bool expert_scores_first; /* true: experts multiply their activations by the router scores, so combine keeps no
                                * tensor */
    /* true: backward computes no gradient of the input of cross-attention (image or text features) */
    bool context_frozen;
    /* Shares, from 0 to 1, of the communication time of each kind that overlaps with compute. */
    double overlap_tensor, overlap_context, overlap_expert, overlap_data, overlap_pipeline, overlap_offload;
    double overlap_tensor_backward; /* share of tensor-parallel communication that overlaps in backward; NaN =
                                     * overlap_tensor, as in forward */
    double bucket_bytes;            /* bytes of one bucket, the gradients that backward reduces in one collective */
    double launch_s;                /* seconds of the host to issue one op; 0 = all ops are recorded once and
                                     * replayed */
    /* launch_s for models with experts, whose host waits for the sizes of tensors; NaN = launch_s. */
    double launch_expert_s;
    double launch_product_s; /* seconds of the host to issue one matrix product of experts, if the products are issued
                              * one by one; otherwise 0 */
    bool recorded_attention; /* true: attention and norms are recorded once and replayed; the host issues every op that
                              * is neither attention nor a norm */
    bool tuned_pointwise;    /* true: norms and activation functions run kernels that were written for the device */
    nnc_spreads spread;
    const nnc_range *ranges;
    int32_t range_count;
    nnc_reserve reserve;
    nnc_shipped ships;
    bool zero_gradients;  /* true: after each step a kernel sets the gradients to zero; false: gradients are freed */
    bool added_gradients; /* true: after each micro-batch, a separate kernel adds the new gradients to sums in fp32 */
    nnc_serve_engine serving; /* serving engine of the profile; not used in training */
    const nnc_framework *stands_for;
    int32_t stands_for_count;
    const nnc_recipe *recipes;
    int32_t recipe_count;
    const nnc_track *compared; /* errors of the profile against measurements; estimates do not use these errors */
    int32_t compared_count;
    const nnc_source *sources;
    int32_t source_count;
    const char *path;
    bool implausible;       /* true: the file has implausible values that were accepted, so estimates give no interval
                             * of the step time */
    bool lists_operators;   /* true: if nncost knows the operators of the model's library, each operator is one
                             * kernel */
    nnc_policy policy;      /* precision policy that a search uses if the user gives no policy */
    bool unfused_attention; /* true: the framework has no fused attention; "flash" attention of a plan is computed as
                             * unfused */
    /* true: with fp8 products, ZeRO 3 gathers matrices of layers in 8 bits, except matrices of experts */
    bool fp8_gather;
    bool split_loss; /* true: an unfused loss over a vocabulary that tensor ranks divide has one fp32 kernel per
                             * primitive operation */
};

/* Returns the neutral profile "torch-compile", in which every kernel is fused and no tensor is kept twice. */
nnc_software nnc_software_default(void);

/* Returns an error if a field of the software profile is outside its limits. A profile that was loaded from its file
 * needs no further check, because loading a file checks the limits too. */
nnc_status nnc_software_check(const nnc_software *software, nnc_error *err);

#endif /* NNC_STATIC_LINKING_ONLY */

/* A set of software profiles: the default profile for each kind of plan. nnc_profiles_get in <nncost/spec.h> returns
 * the set. */
typedef struct nnc_profiles nnc_profiles;

#ifdef NNC_STATIC_LINKING_ONLY

/* Kinds of plan. Each kind of plan has a default software profile. */
typedef enum nnc_profile_kind {
    NNC_PROFILE_COPIES,        /* a plan for one device, or a plan with data parallelism in which every rank has all
                                * weights */
    NNC_PROFILE_SHARDED,       /* a plan with ZeRO 3: data ranks divide the weights */
    NNC_PROFILE_SPLIT,         /* a plan with tensor, pipeline, context or expert parallelism, or a plan for a decoder
                                * with ZeRO 1 or 2 */
    NNC_PROFILE_TPU,           /* every plan that runs on a TPU */
    NNC_PROFILE_EAGER,         /* a captured program, or a model of a PyTorch library on one device; operators run one
                                * by one */
    NNC_PROFILE_EARLY,         /* a plan for a transformer in fp16 or TF32, on a GPU older than Hopper */
    NNC_PROFILE_EARLY_SHARDED, /* a transformer with ZeRO 3 in another format than fp16 and TF32, on a GPU older than
                                * Hopper */
    /* a plan for a network of feature maps in fp16, TF32 or fp32, on a GPU older than Hopper */
    NNC_PROFILE_EARLY_MAPS,
    NNC_PROFILE_KINDS
} nnc_profile_kind;

struct nnc_profiles {
    const nnc_software *of[NNC_PROFILE_KINDS];
    bool any; /* true: a search tries plans that need features which the plan's profile does not have */
    const struct nnc_completer *completer; /* function that completes a changed plan with the settings of the framework
                                            * release that the user named; NULL = the user named no release */
};

/* Returns a set of profiles in which `software` is the default profile for every kind of plan. */
nnc_profiles nnc_profiles_of_one(const nnc_software *software);

/* The function nnc_profile_kind_of returns the kind of a plan for a model on a device. The function
 * nnc_profile_kind_by_plan returns the kind of a plan on a device that is not known. The function nnc_profile_kind_kept
 * returns `kept`, unless the model, the device and the precision cannot have the kind of plan `kept`; a comparison of
 * plans sets `kept` to the kind of its first plan. The function nnc_profile_kind_may tests whether any plan of the
 * model on the device can have the given kind. */
nnc_profile_kind nnc_profile_kind_of(const nnc_model *model, const nnc_device *device, const nnc_plan *plan);
nnc_profile_kind nnc_profile_kind_by_plan(const nnc_model *model, const nnc_plan *plan);
bool nnc_profile_kind_may(const nnc_model *model, const nnc_device *device, nnc_profile_kind kind);
nnc_profile_kind nnc_profile_kind_kept(const nnc_model *model, const nnc_device *device, const nnc_plan *plan,
                                       nnc_profile_kind kept);

#endif /* NNC_STATIC_LINKING_ONLY */

/* Returns the default software profile of a plan of a model on a device. nnc_plan_resolve need not have been called for
 * the plan; plan NULL = the default plan. The nnc_specs that loaded the profiles owns the returned profile. */
NNC_API const nnc_software *nnc_profile_of(const nnc_profiles *profiles, const nnc_model *model,
                                           const nnc_device *device, const nnc_plan *plan);

/* Tests whether the framework of a profile has all features that a plan uses: recomputation, offload, schedule, tensor
 * parallelism without sequence parallelism, ZeRO. If a feature is missing, *option (may be NULL) gets the option that
 * needs the feature, for example "--schedule". */
NNC_API bool nnc_software_ships(const nnc_software *software, const nnc_plan *plan, const char **option);

/* nnc_plan_default returns a plan with the default of every field. nnc_plan_init sets the first struct_size bytes of a
 * plan to the defaults; programs that do not read this header can call nnc_plan_init. */
NNC_API void nnc_plan_init(nnc_plan *plan, size_t struct_size);
static inline nnc_plan nnc_plan_default(void) {
    nnc_plan plan;
    nnc_plan_init(&plan, sizeof plan);
    return plan;
}

/* Returns NNC_ILLEGAL_PLAN if a field of the plan is outside the limits of its command-line option; err names the
 * option, the expected range and the value. All functions with a plan as input call nnc_plan_check first. */
NNC_API nnc_status nnc_plan_check(const nnc_plan *plan, nnc_error *err);

/* Fills in the plan fields that the user has not given: sequence length and image size from the model; precision from
 * the device; policy from the precision; micro_batch, micro_batches or global_batch from the two that are given;
 * degrees; schedule. NNC_BAD_USAGE: micro_batch, micro_batches and global_batch contradict each other.
 * NNC_ILLEGAL_PLAN: the plan breaks a rule, for example the device cannot compute in the precision; err names the
 * option. */
NNC_API nnc_status nnc_plan_resolve_into(const nnc_plan *plan, const nnc_model *model, const nnc_device *device,
                                         nnc_plan *resolved, nnc_error *err);
static inline nnc_status nnc_plan_resolve(const nnc_plan *plan, const nnc_model *model, const nnc_device *device,
                                          nnc_plan *resolved, nnc_error *err) {
    if (resolved != plan) { resolved->struct_size = sizeof *resolved; }
    return nnc_plan_resolve_into(plan, model, device, resolved, err);
}

/* Bytes per parameter of a precision policy, for an optimizer that stores moments, such as Adam. Sources: ZeRO
 * arXiv:1910.02054 section 3.1; Megatron-LM; docs/formulas.md [policies] */
typedef struct nnc_policy_sizes {
    /* state_bytes: bytes of one optimizer moment per parameter (Adam has two moments) */
    double weight_bytes, gradient_bytes, master_bytes, state_bytes;
    /* bytes of a temporary 16-bit copy of the weights, per parameter; 0 = no copy */
    double cast_bytes;
} nnc_policy_sizes;
NNC_API nnc_policy_sizes nnc_policy_bytes(nnc_policy policy);

/* Writes a combination of nnc_recompute flags to `text`, cut to `size` bytes. The text is a value of the option
 * --recompute: "none", "selective", "full", or names joined by commas. */
NNC_API void nnc_recompute_text(unsigned recompute, char *text, unsigned long size);
/* Writes the names of the tensors of a combination of nnc_offload flags, joined by commas, to `text`, cut to `size`
 * bytes; "none" if no flag is set. */
NNC_API void nnc_offload_text(unsigned offload, char *text, unsigned long size);

#ifdef __cplusplus
}
#endif

#endif
