/* One operation with its dims. */
#ifndef NNCOST_OP_DIMS_H
#define NNCOST_OP_DIMS_H

#include <nncost/op.h>

/* Every kind of op, and the name of its row (op/op_row.h). */
#define NNC_OP_KIND_LIST(X)                                                                    \
    X(NNC_OP_MATMUL, matmul) /* C[m,n] = A[m,k] B[k,n], `batch` times; B may be a parameter */ \
    X(NNC_OP_FLASH, flash)   /* fused attention, scores never leave the chip */                \
    X(NNC_OP_CONV, conv)     /* convolution, also transposed */                                \
    X(NNC_OP_SCAN, scan)     /* a state carried from token to token */                         \
    X(NNC_OP_NORM, norm)     /* layer, RMS, group, batch */                                    \
    X(NNC_OP_POINTWISE,                                                                        \
      pointwise) /* one pass over elements: activations, residual, softmax ... */              \
    X(NNC_OP_EMBEDDING, embedding)   /* table lookup */                                        \
    X(NNC_OP_LOSS, loss)             /* cross-entropy, squared error */                        \
    X(NNC_OP_UPDATE, update)         /* optimizer step, gradient clipping, zeroing */          \
    X(NNC_OP_COLLECTIVE, collective) /* what ranks exchange */
NNC_ENUM(nnc_op_kind, NNC_OP_KIND_LIST, NNC_OP_KIND_COUNT);

typedef struct nnc_matmul {
    int64_t batch, m, n, k;
    int64_t experts; /* rows are spread over this many B of k x n; 0 = one B */
    bool one_by_one; /* ... each by a kernel of its own */
    double useful;   /* share of the rows that are not padding; 0 = all, -1 = none is mathematics */
    int64_t b_shared;         /* this many of the batch share one B (grouped heads); 1 = none */
    int64_t heads, kv_heads;  /* attention heads that n, or the batch, is made of; 0 = none */
    double pairs, full_pairs; /* scores: query-key pairs under the mask and in all; 0 = no mask */
    double window_pairs;      /* as wide as the window for every query; full_pairs without one */
    bool b_is_weight;         /* B is a parameter (its gradient is grad_weight) */
    bool needs_grad_input;
    bool in_blocks;        /* operands have a scale for each block, not for each tensor */
    bool keeps_a, keeps_b; /* kept for backward, owned by this op */
    int64_t kept_divisor;  /* ranks that hold one copy of A between them; 1 = each its own */
} nnc_matmul;

typedef struct nnc_flash {
    int64_t batch, heads, kv_heads, s_q, s_k;
    int64_t head_dim, value_dim; /* width of a head's query and key, and of its value */
    int64_t blocks; /* keys and values arrive in so many, a kernel for each; 0 = all at once */
    double pairs, full_pairs; /* query-key pairs of one head, under the mask and in all */
    double window_pairs;      /* as wide as the window for every query; full_pairs without one */
    bool causal;              /* a query meets no keys behind its own */
    bool keeps_qkv;           /* kept for backward, owned by this op */
    int64_t kept_s_k;         /* keys and values kept: s_k, or this rank's own part */
    int64_t kept_kv_heads;    /* kv_heads, or heads when copied to each */
    bool softcap;             /* a tanh bounds every score */
    nnc_flash_kernel kernel;
} nnc_flash;

typedef struct nnc_conv {
    int64_t batch, c_in, c_out, h_in, w_in, h_out, w_out, kernel, stride, groups;
    int64_t kernel_w; /* 0 = kernel */
    bool transposed;
    bool needs_grad_input;
    bool keeps_input;
    bool contiguous; /* channels of a map do not lie together */
    bool bias_apart; /* the bias is added by a kernel of its own */
    bool on_vectors; /* no kernel of matrix units has such groups */
} nnc_conv;

/* Every token adds to a state and reads it: `state` numbers for each of `inner` values. */
typedef struct nnc_scan {
    int64_t tokens, inner, state;
    int64_t groups; /* keys, and queries, of width `state` per token */
    int64_t heads;  /* decays per token; 0 = one per value */
    int64_t chunk;  /* tokens that meet in products; 0 = one after the other, on the vector units */
    bool delta;     /* what the state says of a key already is taken off first */
} nnc_scan;

typedef struct nnc_norm {
    nnc_norm_kind kind;
    int64_t elements;
    int64_t rows; /* sets of statistics: tokens, samples x groups, or channels */
    bool fused;
    bool by_reductions; /* a kernel for each sum, and one for the rest; none if not fused */
    bool turned;        /* what it reads and writes is put into another order and back */
    bool keeps_input;   /* the input is owned here, not by another op */
    bool across_heads;  /* a row is all heads of a token, which tensor ranks divide */
    nnc_norm_keep keep;
} nnc_norm;

#define NNC_POINTWISE_LIST(X)                                                                 \
    X(NNC_PW_GELU, "gelu")                                                                    \
    X(NNC_PW_RELU, "relu")                                                                    \
    X(NNC_PW_RELU2, "relu2")                                                                  \
    X(NNC_PW_SCALE, "scale")     /* by one value per row or channel */                        \
    X(NNC_PW_SOFTCAP, "softcap") /* tanh between two scales */                                \
    X(NNC_PW_SILU, "silu")                                                                    \
    X(NNC_PW_SIGMOID, "sigmoid")                                                              \
    X(NNC_PW_TANH, "tanh")                                                                    \
    X(NNC_PW_HARD_SIGMOID, "hard_sigmoid")                                                    \
    X(NNC_PW_HARD_SWISH, "hard_swish")                                                        \
    X(NNC_PW_MUL, "mul") /* two tensors, one value at a time */                               \
    X(NNC_PW_SWIGLU, "swiglu")                                                                \
    X(NNC_PW_GEGLU, "geglu")                                                                  \
    X(NNC_PW_BIAS, "bias")                                                                    \
    X(NNC_PW_DROPOUT, "dropout")                                                              \
    X(NNC_PW_RESIDUAL, "residual")                                                            \
    X(NNC_PW_BIAS_DROPOUT_RESIDUAL, "bias_dropout_residual")                                  \
    X(NNC_PW_SOFTMAX, "softmax")                                                              \
    X(NNC_PW_SCALE_MASK, "scale_mask")                                                        \
    X(NNC_PW_ROTARY, "rotary")                                                                \
    X(NNC_PW_POSITION_ADD, "position_add")                                                    \
    X(NNC_PW_TIME_ADD, "time_add") /* one value per channel of a feature map */               \
    X(NNC_PW_TIMESTEP, "timestep") /* sinusoidal embedding of the time step */                \
    X(NNC_PW_MAX_POOL, "max_pool")                                                            \
    X(NNC_PW_MAX_POOL2D, "max_pool2d") /* windows of any size: input_elements are given */    \
    X(NNC_PW_AVG_POOL2D, "avg_pool2d")                                                        \
    X(NNC_PW_UPSAMPLE_NEAREST, "upsample_nearest")                                            \
    X(NNC_PW_UPSAMPLE_BILINEAR, "upsample_bilinear")                                          \
    X(NNC_PW_RESIZE, "resize") /* by any factor: input_elements are given */                  \
    X(NNC_PW_CONCAT, "concat")                                                                \
    X(NNC_PW_COPY, "copy")                 /* in another order */                             \
    X(NNC_PW_BY_HEADS, "by_heads")         /* of parts: input_elements are given */           \
    X(NNC_PW_HALVES, "halves")             /* their gradients are put together */             \
    X(NNC_PW_CAST_WEIGHTS, "cast_weights") /* to 16 bits, and their gradients from it */      \
    X(NNC_PW_EXPERT_BIAS, "expert_bias")   /* of each expert, weighted, behind its product */ \
    X(NNC_PW_CLAMP, "clamp")               /* two halves, each by itself, and put together */ \
    X(NNC_PW_CAST, "cast")                 /* to the 8-bit operands of a matrix product */    \
    X(NNC_PW_DEQUANTIZE, "dequantize")     /* weights that are stored in fewer bits */        \
    X(NNC_PW_DISPATCH, "dispatch")         /* copies of tokens for experts, keys for heads */ \
    X(NNC_PW_MERGE, "merge")               /* results over blocks of keys added up in fp32 */ \
    X(NNC_PW_SUM_COPIES, "sum_copies")     /* of each token, added up again */                \
    X(NNC_PW_COMBINE, "combine")           /* their results weighted and added up again */
NNC_ENUM(nnc_pointwise_kind, NNC_POINTWISE_LIST, NNC_PW_KIND_COUNT);
const char *nnc_pointwise_kind_name(nnc_pointwise_kind value);

typedef struct nnc_pointwise {
    nnc_pointwise_kind kind;
    int64_t elements;       /* of the output */
    int64_t input_elements; /* 0 = by the kind's ratio */
    bool fused;             /* one kernel; else one per primitive */
    bool keeps_input, keeps_output, keeps_mask;
    bool keeps_8bit;           /* of the input, a copy in 8 bits */
    bool weighted;             /* by a score per row, whose gradient reads all of it once more */
    bool inside;               /* part of the kernel of the norm before it */
    bool by_reductions;        /* a kernel per sum or maximum, and one for the rest */
    bool random_written;       /* random numbers in fp32 are written by a kernel of their own */
    double extra_kept_bytes;   /* kept besides, all of it */
    int64_t backward_elements; /* 0 = elements */
} nnc_pointwise;

typedef struct nnc_embedding {
    int64_t tokens, width;
} nnc_embedding;

typedef struct nnc_loss {
    int64_t tokens, classes;
    bool fused;
    bool squared_error; /* mean squared error over tokens x classes values */
    bool in_place;      /* its copies of the logits do not live at once */
    nnc_loss_keep keep;
} nnc_loss;

#define NNC_UPDATE_LIST(X)               \
    X(NNC_UPDATE_STEP, "optimizer_step") \
    X(NNC_UPDATE_CLIP, "clip_gradients") \
    X(NNC_UPDATE_ZERO, "zero_gradients") \
    X(NNC_UPDATE_ADD, "add_gradients")
NNC_ENUM(nnc_update_kind, NNC_UPDATE_LIST, NNC_UPDATE_KIND_COUNT);
const char *nnc_update_kind_name(nnc_update_kind value);

typedef struct nnc_update {
    nnc_update_kind kind;
    nnc_optimizer optimizer;
    nnc_policy policy;
    bool fused;
    int64_t params;
    int64_t passes;             /* whose gradients are added up */
    int64_t matrix_params;      /* of those, inside matrices that the optimizer factors */
    double factored_elements;   /* Adafactor: rows + columns of each matrix, plus the vectors */
    double orthogonalise_flops; /* Muon: Newton-Schulz products */
} nnc_update;

/* Parameters an op brings along, per instance. */
typedef struct nnc_weights {
    int64_t count, rows, cols; /* `count` matrices of rows x cols */
    int64_t vector;            /* elements outside matrices: biases, norm gains */
    int64_t active; /* of `count` matrices and their vectors, what a token uses; 0 = all */
    bool table;     /* an embedding: Adam under Muon, and no gradient product */
} nnc_weights;

#define NNC_COLLECTIVE_LIST(X)              \
    X(NNC_NO_COLLECTIVE, "none")            \
    X(NNC_ALL_REDUCE, "all_reduce")         \
    X(NNC_ALL_GATHER, "all_gather")         \
    X(NNC_REDUCE_SCATTER, "reduce_scatter") \
    X(NNC_ALL_TO_ALL, "all_to_all")         \
    X(NNC_BROADCAST, "broadcast")           \
    X(NNC_P2P, "p2p")
NNC_ENUM(nnc_collective, NNC_COLLECTIVE_LIST, NNC_COLLECTIVE_COUNT);
const char *nnc_collective_name(nnc_collective value);

/* One exchange, with its counterpart in backward. Bytes are those of the full tensor. */
typedef struct nnc_exchange {
    nnc_comm comm;
    int32_t route;                                    /* data: which of its groups of ranks */
    nnc_collective forward, backward, backward_again; /* NNC_NO_COLLECTIVE = nothing */
    double bytes, backward_bytes, again_bytes; /* of backward and backward_again; 0 = as before */
    double count;  /* times in a row: a ring passes count blocks; 0 = once */
    bool hides;    /* runs beside the op it belongs to, as a ring of blocks does */
    double copies; /* of each token in an all-to-all, bound for ranks drawn at random; 0 = none */
    double groups,
        groups_met;     /* those ranks lie in so many groups, and a token's in a few; 0 = any */
    bool once_per_node; /* software sends one copy to a domain, which spreads it inside */
} nnc_exchange;

/* How an op's dims divide over the ranks of tensor, context and expert parallelism. */
typedef enum nnc_split {
    NNC_SPLIT_TOKENS,        /* tokens only: replicated over tensor ranks */
    NNC_SPLIT_SEQUENCE,      /* tokens, over tensor ranks too under sequence parallelism */
    NNC_SPLIT_COLUMN,        /* the width n of a product */
    NNC_SPLIT_QKV,           /* as COLUMN, key and value heads at least one per rank */
    NNC_SPLIT_ROW,           /* the depth k of a product */
    NNC_SPLIT_HEADS,         /* attention heads */
    NNC_SPLIT_INNER,         /* elements between a column and a row product */
    NNC_SPLIT_VOCAB,         /* rows of a table, classes of the loss */
    NNC_SPLIT_EXPERT_COLUMN, /* experts over expert ranks, their width over tensor ranks */
    NNC_SPLIT_EXPERT_ROW,
    NNC_SPLIT_EXPERT_INNER
} nnc_split;

struct nnc_op {
    const char *name; /* "attn.qkv", static storage */
    const char *
        place; /* where that is in the network, "down.0", static storage; NULL = the name says it */
    nnc_op_kind kind;
    nnc_phase phase;
    nnc_group group;
    nnc_dtype dtype;      /* of activations */
    nnc_dtype math_dtype; /* of the operands of a product: decides the peak */
    int64_t repeat;       /* equal instances in one micro-batch */
    int32_t block;        /* recompute block it lies in, -1 = none */
    int32_t segment;      /* part of the pipeline it lies in: see nnc_segment */
    nnc_split split;
    bool tuned;        /* by a kernel written for the device */
    bool recomputed;   /* run again in backward, by selective recomputation */
    bool dropped;      /* its input is made again in backward, instead of kept */
    bool frozen;       /* its weights are not trained */
    bool fixed;        /* nor by any plan: the network says so */
    bool forward_only; /* nothing that is trained lies before it: no backward, nothing kept */
    bool tower;        /* of a network that makes what another reads */
    nnc_weights weights;
    double grad_bytes;      /* of one element of the weight gradient */
    double grad_accumulate; /* share of passes that add to a gradient already there */
    union {
        nnc_matmul matmul;
        nnc_flash flash;
        nnc_conv conv;
        nnc_scan scan;
        nnc_norm norm;
        nnc_pointwise pointwise;
        nnc_embedding embedding;
        nnc_loss loss;
        nnc_update update;
        nnc_exchange exchange;
    } u;
};

/* It runs again from the input of its module, and keeps nothing itself. */
static inline bool nnc_op_keeps_nothing(const nnc_op *op)
{
    return op->dropped && op->recomputed;
}

static inline bool nnc_op_is_collective(const nnc_op *op)
{
    return op->kind == NNC_OP_COLLECTIVE;
}

#endif
