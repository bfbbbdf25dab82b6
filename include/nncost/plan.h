/* SPDX-License-Identifier: Apache-2.0 */
/* How a model is trained: batch, precision, optimizer, memory savers, and the software it runs on. */
#ifndef NNCOST_PLAN_H
#define NNCOST_PLAN_H

#include <stddef.h>

#include <nncost/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes per parameter by precision policy; see nnc_policy_bytes. */
#define NNC_POLICY_LIST(X)                                                                     \
    X(NNC_POLICY_DEFAULT, "default", "fp32 for fp32 and tf32, else mixed.")                    \
    X(NNC_POLICY_FP32, "fp32", "Weights, gradients and states in fp32.")                       \
    X(NNC_POLICY_MIXED, "mixed", "16-bit weights and gradients, fp32 master copy and states.") \
    X(NNC_POLICY_MIXED_FP32GRAD, "mixed-fp32grad",                                             \
      "16-bit weights, fp32 gradients, master copy and states.")                               \
    X(NNC_POLICY_MIXED_BOTH, "mixed-both",                                                     \
      "16-bit weights, 16-bit and fp32 gradients, fp32 master copy and states.")               \
    X(NNC_POLICY_AMP, "amp",                                                                   \
      "Weights, gradients and states in fp32; weights are cast to 16 bits for use.")           \
    X(NNC_POLICY_BF16_STATES_FP32, "bf16-states-fp32",                                         \
      "bf16 weights, fp32 states; neither gradients nor a master copy are kept.")              \
    X(NNC_POLICY_BF16_PURE, "bf16-pure", "Weights, gradients and states in bf16.")             \
    X(NNC_POLICY_FP8, "fp8", "8-bit weights, fp32 gradients and master copy, 16-bit states.")
NNC_ENUM(nnc_policy, NNC_POLICY_LIST, NNC_POLICY_COUNT);
NNC_API const char *nnc_policy_name(nnc_policy policy);
NNC_API const char *nnc_policy_help(nnc_policy policy);

#define NNC_OPTIMIZER_LIST(X)                                                                      \
    X(NNC_OPTIMIZER_ADAMW, "adamw", "Adam with decoupled weight decay: two moments.")              \
    X(NNC_OPTIMIZER_ADAM, "adam", "Two moments.")                                                  \
    X(NNC_OPTIMIZER_SGD, "sgd", "Gradient descent, without state.")                                \
    X(NNC_OPTIMIZER_MOMENTUM, "momentum", "Gradient descent with momentum: one moment.")           \
    X(NNC_OPTIMIZER_RMSPROP, "rmsprop", "One moment.")                                             \
    X(NNC_OPTIMIZER_ADAFACTOR, "adafactor", "The rows and columns of each matrix share a moment.") \
    X(NNC_OPTIMIZER_LION, "lion", "One moment; the step is its sign.")                             \
    X(NNC_OPTIMIZER_ADAM8BIT, "adam8bit", "Adam with its moments in 8 bits, scaled by block.")     \
    X(NNC_OPTIMIZER_MUON, "muon",                                                                  \
      "Orthogonalised momentum for matrices, Adam for tables, gains and biases.")                  \
    X(NNC_OPTIMIZER_LAMB, "lamb", "Adam, each tensor's step as long as its weights ask.")          \
    X(NNC_OPTIMIZER_LARS, "lars", "Momentum, each tensor's step as long as its weights ask.")
NNC_ENUM(nnc_optimizer, NNC_OPTIMIZER_LIST, NNC_OPTIMIZER_COUNT);
NNC_API const char *nnc_optimizer_name(nnc_optimizer optimizer);
NNC_API const char *nnc_optimizer_help(nnc_optimizer optimizer);

/* What is computed again in backward instead of kept: a set of flags. */
typedef enum nnc_recompute {
    NNC_RECOMPUTE_NONE = 0,
    NNC_RECOMPUTE_ATTENTION = 1,       /* "selective": scores, softmax and the product with V */
    NNC_RECOMPUTE_NORM = 2,            /* norm outputs */
    NNC_RECOMPUTE_ACTIVATION = 4,      /* outputs of GELU, SiLU, SwiGLU ... */
    NNC_RECOMPUTE_FULL = 8,            /* everything but the input of each block */
    NNC_RECOMPUTE_MLA_UP_PROJ = 16,    /* queries, keys and values, from their latents */
    NNC_RECOMPUTE_MOE_ACT = 32,        /* outputs of activation functions in experts */
    NNC_RECOMPUTE_SHARED_EXPERTS = 64, /* experts that every token meets, from their input */
    NNC_RECOMPUTE_MLP = 128,           /* the MLPs of layers without experts, from their input */
    NNC_RECOMPUTE_MOE = 256, /* router, exchanges and experts, from the input of the router */
    NNC_RECOMPUTE_MODULES = 16 | 32 | 64 | 128 | 256
} nnc_recompute;

#define NNC_ATTENTION_LIST(X)                                                        \
    X(NNC_ATTENTION_FLASH, "flash", "Fused, by the kernel of the software profile.") \
    X(NNC_ATTENTION_FLASH1, "flash1", "Fused, FlashAttention.")                      \
    X(NNC_ATTENTION_FLASH2, "flash2", "Fused, FlashAttention-2.")                    \
    X(NNC_ATTENTION_FLASH3, "flash3", "Fused, FlashAttention-3.")                    \
    X(NNC_ATTENTION_UNFUSED, "unfused", "One kernel per primitive; the scores are stored.")
NNC_ENUM(nnc_attention, NNC_ATTENTION_LIST, NNC_ATTENTION_COUNT);
NNC_API const char *nnc_attention_name(nnc_attention attention);
NNC_API const char *nnc_attention_help(nnc_attention attention);

#define NNC_MODE_LIST(X)                                                       \
    X(NNC_MODE_PREDICTED, "predicted", "At the device's fitted efficiencies.") \
    X(NNC_MODE_IDEAL, "ideal", "The lower bound: datasheet rates, everything overlapped.")
NNC_ENUM(nnc_mode, NNC_MODE_LIST, NNC_MODE_COUNT);
NNC_API const char *nnc_mode_name(nnc_mode mode);
NNC_API const char *nnc_mode_help(nnc_mode mode);

#define NNC_CONVENTION_LIST(X)                                                                    \
    X(NNC_CONVENTION_PALM, "palm", "Attention over all s x s pairs.")                             \
    X(NNC_CONVENTION_CAUSAL, "causal", "Attention over the s(s+1)/2 pairs a causal mask leaves.") \
    X(NNC_CONVENTION_6ND, "6nd", "6 FLOPs per parameter that sits in a matrix product, and token.")
NNC_ENUM(nnc_flops_convention, NNC_CONVENTION_LIST, NNC_CONVENTION_COUNT);
NNC_API const char *nnc_flops_convention_name(nnc_flops_convention convention);
NNC_API const char *nnc_flops_convention_help(nnc_flops_convention convention);

#define NNC_ACTIVATIONS_LIST(X)                                                  \
    X(NNC_ACTIVATIONS_PER_OP, "per-op", "What each op keeps, in exact formats.") \
    X(NNC_ACTIVATIONS_KORTHIKANTI, "korthikanti",                                \
      "s b h (34 + 5 a s / h) per layer, arXiv:2205.05198.")
NNC_ENUM(nnc_activations, NNC_ACTIVATIONS_LIST, NNC_ACTIVATIONS_COUNT);
NNC_API const char *nnc_activations_name(nnc_activations activations);
NNC_API const char *nnc_activations_help(nnc_activations activations);

#define NNC_SCHEDULE_LIST(X)                                                                     \
    X(NNC_SCHEDULE_1F1B, "1f1b", "One forward, one backward in turn.")                           \
    X(NNC_SCHEDULE_GPIPE, "gpipe", "All forwards, then all backwards.")                          \
    X(NNC_SCHEDULE_INTERLEAVED, "interleaved", "1f1b over several groups of layers per device.") \
    X(NNC_SCHEDULE_ZB_H1, "zb-h1",                                                               \
      "1f1b with weight gradients as ops of their own, in its memory.")                          \
    X(NNC_SCHEDULE_ZB_H2, "zb-h2", "zb-h1 with twice as much in flight and a smaller bubble.")   \
    X(NNC_SCHEDULE_ZB_V, "zb-v",                                                                 \
      "Two groups of layers per device, down the pipeline and back up.")                         \
    X(NNC_SCHEDULE_DUALPIPE, "dualpipe",                                                         \
      "Micro-batches enter at both ends; forwards are paired with backwards.")
NNC_ENUM(nnc_schedule, NNC_SCHEDULE_LIST, NNC_SCHEDULE_COUNT);
NNC_API const char *nnc_schedule_name(nnc_schedule schedule);
NNC_API const char *nnc_schedule_help(nnc_schedule schedule);

/* How attention sees the tokens of other context ranks. */
#define NNC_CONTEXT_KIND_LIST(X)                                                            \
    X(NNC_CONTEXT_RING, "ring", "Blocks of keys and values pass around, arXiv:2310.01889.") \
    X(NNC_CONTEXT_ALL_GATHER, "all-gather", "Keys and values are gathered first.")          \
    X(NNC_CONTEXT_ULYSSES, "ulysses", "Heads are exchanged for tokens and back, arXiv:2309.14509.")
NNC_ENUM(nnc_context_kind, NNC_CONTEXT_KIND_LIST, NNC_CONTEXT_KIND_COUNT);
NNC_API const char *nnc_context_kind_name(nnc_context_kind kind);
NNC_API const char *nnc_context_kind_help(nnc_context_kind kind);

/* Which ranks are neighbours: the degree named first varies fastest. Expert ranks are taken from the
 * context and data ranks, nearest first. */
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

/* What lives in host memory: a set of flags. */
typedef enum nnc_offload {
    NNC_OFFLOAD_NONE = 0,
    NNC_OFFLOAD_OPTIMIZER = 1,
    NNC_OFFLOAD_ACTIVATIONS = 2,
    NNC_OFFLOAD_WEIGHTS = 4
} nnc_offload;

/* Whose weights a step trains. */
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
/* "attention,norm": names joined by commas; "all". */
NNC_API void nnc_train_text(unsigned train, char *text, unsigned long size);

#define NNC_ADAPTED_LIST(X)                                                      \
    X(NNC_ADAPTED_LINEAR, "linear", "Every linear layer of attention and MLPs.") \
    X(NNC_ADAPTED_ATTENTION, "attention", "The projections of attention.")       \
    X(NNC_ADAPTED_MLP, "mlp", "The matrices of MLPs.")
NNC_ENUM(nnc_adapted, NNC_ADAPTED_LIST, NNC_ADAPTED_COUNT);
NNC_API const char *nnc_adapted_name(nnc_adapted adapted);
NNC_API const char *nnc_adapted_help(nnc_adapted adapted);

#define NNC_FROZEN_LIST(X)                                                    \
    X(NNC_FROZEN_16, "16bit", "Two bytes each.")                              \
    X(NNC_FROZEN_INT8, "int8", "Matrices of linear layers in one byte each.") \
    X(NNC_FROZEN_NF4, "nf4", "Matrices of linear layers in 4 bits and their scales (QLoRA).")
NNC_ENUM(nnc_frozen, NNC_FROZEN_LIST, NNC_FROZEN_COUNT);
NNC_API const char *nnc_frozen_name(nnc_frozen frozen);
NNC_API const char *nnc_frozen_help(nnc_frozen frozen);

/* Where zero or NaN means "not given", a comment names the default, which nnc_plan_resolve fills in. A plan
 * begins as nnc_plan_default(), which sets its size: members are only ever appended, so that a program may be
 * older or newer than the library it runs with. Where a plan is part of another struct it has this room. */
enum { NNC_PLAN_ROOM = 512 };
typedef struct nnc_plan {
    size_t struct_size; /* of the struct as the program knows it */
    int32_t devices, data, tensor, pipeline, virtual_stages, context, expert; /* degrees, 1 = off */
    bool sequence_parallel;
    int32_t zero;  /* ZeRO stage: 1 states, 2 gradients too, 3 weights too (FSDP) */
    int32_t shard; /* ranks that share one copy of what ZeRO shards; 0 = data x context */
    bool reshard;  /* stage 3: weights are gathered again for backward */
    int32_t devices_per_node; /* in one scale-up domain; 0 = the device file's */
    nnc_schedule schedule;
    nnc_context_kind context_kind;
    nnc_rank_order rank_order;
    unsigned offload;         /* nnc_offload flags */
    double overlap;           /* share of hideable communication that hides; NaN = the software's */
    double capacity_factor;   /* expert slots per mean load; 0 = every token is served */
    double imbalance;         /* tokens of the busiest expert rank over the mean */
    int64_t recompute_every;  /* full recomputation in segments of this many layers */
    int64_t recompute_layers; /* full recomputation of this many layers per stage; 0 = all */
    int64_t micro_batch;      /* sequences or images per model replica and pass */
    int64_t micro_batches;    /* passes per optimizer step */
    int64_t global_batch;     /* micro_batch * micro_batches * data */
    int64_t seq_len;          /* tokens; default the model's */
    int64_t image;            /* pixels per side; default the model's */
    nnc_dtype precision; /* NNC_DTYPE_COUNT = bf16, else fp16, else fp32, by what the device has */
    nnc_policy policy;
    nnc_optimizer optimizer;
    unsigned recompute; /* nnc_recompute flags */
    nnc_attention attention;
    nnc_activations activations;
    nnc_mode mode;
    nnc_flops_convention flops_convention;
    bool clip_gradients;
    double tokens;         /* to train on in the whole run; NaN = not asked */
    double samples;        /* sequences or images to train on; NaN = not asked */
    double price;          /* per device-hour; NaN = the device file's newest */
    int64_t reserve_bytes; /* set aside; -1 = what the software profile reserves */
    unsigned train;        /* nnc_train flags: the others are frozen; 0 = all are trained */
    int64_t
        adapter_rank; /* of low-rank adapters beside linear layers; 0 = none. Without `train` they alone
                              are trained */
    nnc_adapted adapters; /* which layers have them */
    bool dora;            /* adapters of direction, and a trained length for each output */
    nnc_frozen frozen;    /* how weights that are not trained are stored */
    bool fp8_inputs;      /* inputs of activation functions are kept in 8 bits */
    bool ends_as_layers;  /* table and head count as a layer each where stages share layers out */
    int64_t first_stage_layers, last_stage_layers; /* of a pipeline; 0 = as many as the others */
    bool whole_experts; /* tensor ranks are expert ranks, too: none has a slice of an expert */
    bool next_tokens;   /* the model's layers that predict tokens further on are trained, too */
} nnc_plan;

/* What a norm keeps for backward. */
#define NNC_NORM_KEEP_LIST(X)                                                              \
    X(NNC_KEEP_FUSED, "fused", "Its input, in the format it came in, and the statistics.") \
    X(NNC_KEEP_UPCAST, "upcast", "An fp32 copy of its input, and the statistics.")         \
    X(NNC_KEEP_EAGER, "eager",                                                             \
      "RMS norm written out: fp32 input and square, the scale, the normalised value.")
NNC_ENUM(nnc_norm_keep, NNC_NORM_KEEP_LIST, NNC_KEEP_COUNT);
NNC_API const char *nnc_norm_keep_name(nnc_norm_keep keep);
NNC_API const char *nnc_norm_keep_help(nnc_norm_keep keep);

/* What the loss keeps for backward, per logit. */
#define NNC_LOSS_KEEP_LIST(X)                                                                \
    X(NNC_LOSS_KEEPS_LOGITS, "logits", "In the format of the logits, or their log-softmax.") \
    X(NNC_LOSS_KEEPS_FP32, "fp32", "fp32 probabilities.")
NNC_ENUM(nnc_loss_keep, NNC_LOSS_KEEP_LIST, NNC_LOSS_KEEPS_COUNT);
NNC_API const char *nnc_loss_keep_name(nnc_loss_keep keep);
NNC_API const char *nnc_loss_keep_help(nnc_loss_keep keep);

/* Where queries, keys, values and what attention gives are copied into an order by heads and back. */
#define NNC_HEAD_COPY_LIST(X)                                       \
    X(NNC_HEADS_IN_PLACE, "none", "Kernels read them as they lie.") \
    X(NNC_HEADS_UNFUSED, "unfused", "For batched products alone.")  \
    X(NNC_HEADS_ALWAYS, "always", "For fused attention, too.")
NNC_ENUM(nnc_head_copy, NNC_HEAD_COPY_LIST, NNC_HEAD_COPY_COUNT);
NNC_API const char *nnc_head_copy_name(nnc_head_copy copy);
NNC_API const char *nnc_head_copy_help(nnc_head_copy copy);

/* An implementation: which kernels are fused and what each keeps. Owned by the set it was loaded into; its
 * fields have the names of the file: nnc_software_number, nnc_software_text and nnc_software_set of
 * <nncost/spec.h>. */
typedef struct nnc_software nnc_software;

#ifdef NNC_STATIC_LINKING_ONLY

/* Where nine of ten measurements fall, as shares of the predicted step. NaN = not known. */
typedef struct nnc_spread {
    double low, high;
} nnc_spread;

/* Half of the range in which nine of ten measurements fall, in the natural logarithm, by what the step is made of;
 * squares add up. */
typedef struct nnc_spreads {
    double own;              /* of the profile; NaN = not known */
    double network, idle;    /* times their share of the step; idle: the host, and other stages */
    double kernels, carried; /* of devices of no measured step; of none measured at all */
    double experts;          /* of models that have them */
} nnc_spreads;

/* In place of `own`, `kernels`, `carried` and `experts` where a profile was measured on a device. */
typedef struct nnc_range {
    char device[48];
    char of[48]; /* the id of a network of the family graph, else "decoder", "experts" ... */
    double own;
} nnc_range;

/* A framework that a profile stands for, and what its runs do where they do not say. */
typedef struct nnc_framework {
    char framework[48], version[32];  /* how both begin; "" = any, here and below */
    char hardware[32], precision[16]; /* how the row's begin */
    char notes[24];                   /* what its notes have in them */
    char model[32];                   /* how the name of its network begins */
    char precision_as[16]; /* the format that its precision comes to; "" = what it says */
    nnc_policy policy;
    nnc_attention attention;
    nnc_context_kind context_kind,
        adapter_context_kind;             /* the latter where only adapters are trained */
    double overlap;                       /* NaN = the profile's */
    double capacity_factor, fp16_dropout; /* of models with experts, and of those trained in fp16 */
    int32_t zero;
    int64_t micro_batch;    /* 0 = what a rank has to do in one pass, where that is little */
    bool one_pass;          /* however much it is */
    int64_t vocab_multiple; /* the table is padded to this times the tensor degree; 0 = not */
    bool sequence_parallel; /* wherever there is tensor parallelism */
    bool interleaves; /* pipelines, a layer in each virtual stage, where micro-batches allow it */
    nnc_adapted adapters; /* which layers have adapters, where only these are trained */
    bool half_selective;  /* "selective" recomputes every other layer or product */
    bool whole_experts;   /* tensor ranks are expert ranks, too */
    bool ends_as_layers;  /* where layers and ends divide over stages, and layers alone do not */
    bool gathered_in_pipelines; /* ZeRO stage 3 keeps weights gathered between passes there */
    /* What its programs do on their hosts beside the network, while the device waits: in a pass, of a sample. */
    double host_pass_s, host_sample_s;
    double
        input_samples_per_s; /* prepared for each device of a host whose devices all train; 0 = enough */
    double internode_latency_s; /* measured on the cluster of its rows; 0 = the device file's */
} nnc_framework;

/* Predicted steps beside measured ones of a device and a family of models ("decoder", "experts" for decoders with
 * experts), under a profile. Errors are predicted over measured, less 1. */
typedef struct nnc_track {
    char device[48], family[16];
    int64_t rows, unseen; /* compared; of those, of groups that no fit saw */
    double error, bias;   /* means of the sizes, and with sign */
} nnc_track;

/* Device memory that a plan takes beside what it counts: the driver's context and collectives, and what an allocator
 * cannot hand out again; and where measured peaks fell. */
typedef struct nnc_reserve {
    double bytes, share; /* of every plan; of what it counts */
    double low,
        high; /* of the peak, nine of ten measured ones lie below `high` times the prediction */
} nnc_reserve;

/* What a framework has; where a profile does not say, it has it. */
typedef struct nnc_shipped {
    bool schedules[NNC_SCHEDULE_COUNT];
    bool recompute_attention, recompute_norm, recompute_activation, recompute_full;
    bool recompute_modules; /* latent projections, MLPs and experts by themselves */
    bool offload_optimizer, offload_activations, offload_weights;
} nnc_shipped;

/* What an engine that serves adds to the device: times of the host, and how its kernels compare to those
 * that the device was measured with. */
typedef struct nnc_serve_engine {
    double step_s, layer_s,
        sequence_s; /* of the host: per step, layer, and decoding sequence   [0] */
    double prefill_factor, decode_factor; /* of the time of all ops of such a step   [1] */
    double ttft_s;                        /* per request, beside queue and prefill   [0] */
    double
        ttft_wave; /* of a closed loop: share of the first wave's wait that a mean TTFT has   [1] */
    double stream_factor[NNC_STORED_COUNT]; /* of the device's stream_fraction   [1] */
    double kv_factor;                       /* of its kv_fraction   [1] */
    double all_reduce_factor;               /* time over the device's   [1] */
    double all_reduce_s;                    /* and beside it, of each   [0] */
    double attention_factor;                /* prefill attention, time over the device's   [1] */
    double
        kv_reread; /* of the cache, how much of it is read again for each further query head   [0] */
    double
        stall; /* closed loop: share of others' prefills that a decoding sequence waits for   [1] */
    double host_layer_s; /* launching a layer, hidden by device work   [0] */
    double expert_s
        [NNC_STORED_COUNT]; /* per layer of experts that the device cannot compute as stored   [0] */
    bool captured;          /* decode steps are graphs, launched at once   [on] */
    double launch_s;        /* per kernel of a step that is not   [0] */
    bool paged;             /* the cache is in blocks; else reserved at full length   [on] */
    int64_t chunk, max_batch, block;    /* defaults of the plan; 0 = 8192, 256, 16 */
    double memory_use, workspace_bytes; /* NaN = 0.9, 2 GB */
    /* Where nine of ten measurements fall, over prediction; NaN = not known. Time per token, also of models
     * with experts, and time to the first token. */
    nnc_spread tpot, tpot_experts, ttft;
    bool fitted;                 /* false: the profile has no such object */
    double unit_bytes_per_clock; /* that kernels of a decode step read at most; NaN = no limit */
} nnc_serve_engine;

/* Read from software/<id>.json. */
struct nnc_software {
    char id[48];
    char name[96];
    bool fused_norm;       /* else one kernel per primitive */
    bool fused_activation; /* gate and product in one kernel, neither intermediate kept */
    bool fused_residual;   /* bias, dropout and residual in one kernel */
    bool fused_maps;       /* norm, activation and sum of a feature map in one kernel */
    bool contiguous_maps;  /* channels of a map do not lie together (NCHW) */
    bool written_out;      /* layer and RMS norms and GELU: a kernel per primitive */
    bool by_reductions;    /* norms of rows and softmax: a kernel per sum, and one for the rest */
    bool
        turned_group_norms; /* their kernel knows contiguous maps alone: others are turned, and back */
    bool grouped_on_vectors; /* convolutions in groups, but for those that have a kernel */
    bool random_written;     /* dropout reads random numbers that another kernel has written */
    bool cast_weights;       /* fp32 weights are cast for every micro-batch, their gradients back */
    bool flat_weights;       /* one buffer, gathered for every micro-batch, in fp32 */
    bool fused_rotary;
    bool fused_softmax;        /* scale and mask inside the softmax kernel (unfused attention) */
    bool fused_loss;           /* cross-entropy in one kernel on the logits' own format */
    bool fused_rotary_scale;   /* also where rotation scales */
    bool fused_expert_bias;    /* biases of experts are added by their products */
    bool expert_bias_gathered; /* a row of biases for every copy of a token */
    bool fused_expert_clamp;   /* experts clamp in the kernel of the activation */
    bool fused_optimizer;
    nnc_flash_kernel flash_kernel; /* what --attention flash stands for */
    nnc_norm_keep norm_keep;       /* layer, RMS and batch norms */
    nnc_norm_keep group_norm_keep; /* group norms of residual blocks */
    nnc_loss_keep loss_keep;
    nnc_head_copy copied_heads;
    bool loss_in_place;  /* the loss writes over the logits: its copies do not live at once */
    bool softmax_upcast; /* softmax runs in fp32; its fp32 output is kept beside the cast one */
    bool attention_mask_kept; /* a boolean s x s mask per layer */
    bool expanded_kv;         /* grouped keys and values are copied to every head, and kept */
    bool
        expert_once_per_node; /* a token travels to a domain once, whatever experts it meets there */
    bool expert_masks;        /* slots are filled and emptied by products with masks */
    bool expert_sorts;        /* what comes from other ranks is copied into the order of experts */
    bool expert_dispatch_8bit; /* tokens go to their experts as products read them, in 8 bits */
    bool narrow_gathers; /* tensor ranks gather tokens as products read them, in 8 or 4 bits */
    bool block_scales; /* 8-bit operands have a scale for each block of 128, not for each tensor */
    int64_t network_units;    /* that kernels of the expert exchange keep from compute */
    bool expert_scores_first; /* experts weight their activations: combining keeps nothing */
    bool context_frozen;      /* cross-attention input needs no gradient */
    /* Share of each kind of communication that hides behind compute, 0..1. */
    double overlap_tensor, overlap_context, overlap_expert, overlap_data, overlap_pipeline,
        overlap_offload;
    double overlap_tensor_backward; /* in backward passes; NaN = as overlap_tensor */
    double bucket_bytes; /* gradients that are reduced at once, beside the rest of backward */
    double launch_s;     /* the host's time to issue one op; 0 = recorded once and replayed */
    double
        launch_expert_s; /* the same of models with experts, whose shapes the host waits for; NaN = as
                               launch_s */
    double launch_product_s; /* of each product of a group that is issued one by one */
    bool
        recorded_attention; /* attention and norms are recorded and replayed, what follows is issued */
    bool tuned_pointwise; /* norms and activations by kernels written for the device */
    nnc_spreads spread;
    const nnc_range *ranges;
    int32_t range_count;
    nnc_reserve reserve;
    nnc_shipped ships;
    bool zero_gradients;             /* gradients are cleared by a kernel, not freed */
    bool added_gradients;            /* sums in fp32 are made by a kernel after each pass */
    nnc_serve_engine serving;        /* says nothing to an estimate of training */
    const nnc_framework *stands_for; /* says nothing to an estimate */
    int32_t stands_for_count;
    const nnc_track *compared; /* says nothing to an estimate */
    int32_t compared_count;
    const nnc_source *sources;
    int32_t source_count;
    const char *path;
};

/* The neutral implementation: everything fused, nothing kept twice ("torch-compile"). */
nnc_software nnc_software_default(void);

/* Is every field within its limits? As nnc_plan_check; a profile that was loaded is. */
nnc_status nnc_software_check(const nnc_software *software, nnc_error *err);

#endif /* NNC_STATIC_LINKING_ONLY */

/* The profiles that plans get when none is asked for: nnc_profiles_get of <nncost/spec.h>. */
typedef struct nnc_profiles nnc_profiles;

#ifdef NNC_STATIC_LINKING_ONLY

/* What decides which one. */
typedef enum nnc_profile_kind {
    NNC_PROFILE_COPIES,  /* one device, or copies of the weights */
    NNC_PROFILE_SHARDED, /* weights are sharded: ZeRO 3 */
    NNC_PROFILE_SPLIT, /* layers are: tensor, pipeline, context or expert parallelism; or the states of
                          a transformer's optimizer: ZeRO 1 and 2 */
    NNC_PROFILE_TPU, /* whatever the plan does, on a TPU */
    NNC_PROFILE_KINDS
} nnc_profile_kind;

struct nnc_profiles {
    const nnc_software *of[NNC_PROFILE_KINDS];
    bool any; /* a search offers what no framework of the profile ships, too */
};

/* One profile, whatever the plan. */
nnc_profiles nnc_profiles_of_one(const nnc_software *software);

/* Which of them a plan gets. */
nnc_profile_kind nnc_profile_kind_of(const nnc_model *model, const nnc_device *device,
                                     const nnc_plan *plan);

#endif /* NNC_STATIC_LINKING_ONLY */

/* The profile of a plan, resolved or not, of a model on a device; of the neutral one where the plan is NULL. */
NNC_API const nnc_software *nnc_profile_of(const nnc_profiles *profiles, const nnc_model *model,
                                           const nnc_device *device, const nnc_plan *plan);

/* Does the framework of a profile have the schedule of a plan, and all that it recomputes and offloads? Else
 * *option, unless NULL, is what it lacks: "--schedule", "--recompute", "--offload". */
NNC_API bool nnc_software_ships(const nnc_software *software, const nnc_plan *plan,
                                const char **option);

/* A plan with every field at its default. nnc_plan_init: the same of a struct of this size, for programs that
 * do not read this header. */
NNC_API void nnc_plan_init(nnc_plan *plan, size_t struct_size);
static inline nnc_plan nnc_plan_default(void)
{
    nnc_plan plan;
    nnc_plan_init(&plan, sizeof plan);
    return plan;
}

/* Is every field within its limits, those of the command line? NNC_ILLEGAL_PLAN; err names the option, what
 * it expects and what was found. Every function that takes a plan begins with it. */
NNC_API nnc_status nnc_plan_check(const nnc_plan *plan, nnc_error *err);

/* Fills in what was left open: sequence length and image from the model, precision and policy from
 * the device, the third of micro_batch, micro_batches, global_batch from the other two.
 * Fails with NNC_ILLEGAL_PLAN when the three disagree, the device lacks the precision, or a length
 * does not suit the model; err names the option. */
NNC_API nnc_status nnc_plan_resolve_into(const nnc_plan *plan, const nnc_model *model,
                                         const nnc_device *device, nnc_plan *resolved,
                                         nnc_error *err);
static inline nnc_status nnc_plan_resolve(const nnc_plan *plan, const nnc_model *model,
                                          const nnc_device *device, nnc_plan *resolved,
                                          nnc_error *err)
{
    if (resolved != plan) {
        resolved->struct_size = sizeof *resolved;
    }
    return nnc_plan_resolve_into(plan, model, device, resolved, err);
}

/* Bytes per parameter of a precision policy with an Adam-like optimizer.
 * Sources: ZeRO arXiv:1910.02054 section 3.1; Megatron-LM; docs/formulas.md [policies] */
typedef struct nnc_policy_sizes {
    double weight_bytes, gradient_bytes, master_bytes, state_bytes; /* state: one moment */
    double cast_bytes; /* transient 16-bit copy of the weights */
} nnc_policy_sizes;
NNC_API nnc_policy_sizes nnc_policy_bytes(nnc_policy policy);

/* "none", "selective", "full", or the flags joined by commas, into text. */
NNC_API void nnc_recompute_text(unsigned recompute, char *text, unsigned long size);
/* "none", or the flags joined by commas, into text. */
NNC_API void nnc_offload_text(unsigned offload, char *text, unsigned long size);

#ifdef __cplusplus
}
#endif

#endif
