/* Operations of a network: their dims, and quantities computed from the dims.
 *
 *     nnc_op (kind, dims, phase)  --row of its kind-->  FLOPs, bytes, kept bytes, backward ops, shards
 *
 * Each kind of op has one row (nnc_op_row), in a file by subject: matmul.c, sequence_ops.c ... Other folders call
 * functions such as nnc_op_work(), or use the row; they never compare kinds.
 *
 * Invariants: after an op is sharded, its dims are for one instance on one rank; `repeat` counts equal instances in
 * one micro-batch. If several ops need a tensor for backward, only one of them owns it, so kept bytes add up over a
 * list. */
#ifndef NNCOST_OP_OP_INTERNAL_H
#define NNCOST_OP_OP_INTERNAL_H

#include <stddef.h>

#include <nncost/op.h>

#include "base/derivation.h"

/* ---- dims of each kind ---- */

/* Every kind of op. The second column is the word in the name of its row: nnc_matmul_row, nnc_flash_row ... */
#define NNC_OP_KIND_LIST(X)                                                                                  \
    X(NNC_OP_MATMUL, matmul)         /* C[m,n] = A[m,k] B[k,n], `batch` times; B may be a weight */          \
    X(NNC_OP_FLASH, flash)           /* fused attention: the scores stay on the chip */                      \
    X(NNC_OP_CONV, conv)             /* convolution, also transposed */                                      \
    X(NNC_OP_SCAN, scan)             /* a recurrence: tokens update and read a state, one after the other */ \
    X(NNC_OP_NORM, norm)             /* norm of a kind: layer, RMS, group or batch */                        \
    X(NNC_OP_POINTWISE, pointwise)   /* a pass over elements: activation, residual, softmax */               \
    X(NNC_OP_EMBEDDING, embedding)   /* table lookup */                                                      \
    X(NNC_OP_LOSS, loss)             /* cross-entropy, squared error */                                      \
    X(NNC_OP_KERNEL, kernel)         /* an operator of a captured program, by its recorded bytes */          \
    X(NNC_OP_UPDATE, update)         /* optimizer step, gradient clipping, zeroing */                        \
    X(NNC_OP_COLLECTIVE, collective) /* communication between ranks */
NNC_ENUM(nnc_op_kind, NNC_OP_KIND_LIST, NNC_OP_KIND_COUNT);

typedef struct nnc_matmul {
    int64_t batch, m, n, k;
    int64_t experts;  /* number of matrices B (k x n) that the rows are divided over; 0 = one B for all rows */
    bool one_by_one;  /* true: one kernel per expert; false: one grouped kernel for all experts */
    double useful;    /* share of rows that are not padding; 0 = no row is padding; -1 = no row counts in model FLOPs */
    int64_t b_shared; /* products of the batch that share one B (grouped heads); 1 = every product has its own B */
    int64_t heads, kv_heads;  /* number of attention heads. In the product that computes queries, keys and values the
                               * heads are a part of n, in scores a part of `batch`; 0 = no heads */
    double pairs, full_pairs; /* query-key pairs of attention scores: pairs with the mask, full_pairs without a mask;
                               * 0 = there is no mask */
    double window_pairs;      /* number of pairs if every query had a whole window; without a window = full_pairs */
    bool b_is_weight;         /* true: B is a parameter, and the op for its gradient has the phase grad_weight */
    bool needs_grad_input;
    bool in_blocks;        /* operands have one scale per group of elements instead of one per tensor */
    bool keeps_a, keeps_b; /* true: A (or B) is kept for backward, and this op counts its bytes */
    int64_t kept_divisor;  /* number of ranks that together store one copy of A; 1 = every rank stores A */
    bool padded;           /* true: the software pads widths that are no multiple of 16 bytes */
    int64_t vocab;         /* of a recorded gradient: size of the vocabulary if it is one of the dims, else 0 */
    int64_t chunks;        /* number of parts in which rows of the result are made and dropped; 0 = all rows at once */
} nnc_matmul;

typedef struct nnc_flash {
    int64_t batch, heads, kv_heads, s_q, s_k;
    int64_t head_dim, value_dim; /* head_dim: width of the query and of the key of a head; value_dim: width of the
                                  * value of a head */
    int64_t blocks; /* number of parts in which keys and values arrive (ring), one kernel each; 0 = all at once */
    double pairs, full_pairs; /* query-key pairs of one head: under the mask (pairs), and without a mask (full_pairs) */
    double window_pairs;      /* number of pairs if every query had a whole window; without a window = full_pairs */
    bool causal;              /* true: a query attends to its own and earlier keys only */
    bool keeps_qkv;           /* true: Q, K and V are kept for backward, and this op counts their bytes */
    int64_t kept_s_k;         /* number of keys that are kept: s_k, or only the keys of this rank */
    int64_t kept_kv_heads;    /* number of heads of the keys and values that are kept: kv_heads, or heads if they are
                               * copied to every head */
    bool softcap;             /* a tanh limits every score */
    nnc_flash_kernel kernel;
} nnc_flash;

typedef struct nnc_conv {
    int64_t batch, c_in, c_out, h_in, w_in, h_out, w_out, kernel, stride, groups;
    int64_t kernel_w; /* width of the kernel; 0 = the same as its height, `kernel` */
    bool transposed;
    bool needs_grad_input;
    bool keeps_input;
    bool contiguous;    /* NCHW layout: channels of a position are not adjacent in memory */
    bool separate_bias; /* a separate kernel adds the bias */
    bool on_vectors;    /* runs on the vector units, because the matrix units have no kernel for its groups */
} nnc_conv;

/* A recurrence: every token adds to a state and reads it. The state has `state` numbers for each of `inner` values. */
typedef struct nnc_scan {
    int64_t tokens, inner, state;
    int64_t groups; /* number of keys per token, and of queries per token; each has width `state` */
    int64_t heads;  /* number of decay factors per token; 0 = one decay factor per value */
    int64_t chunk;  /* tokens per chunk that is computed with matrix products; 0 = token by token on vector units */
    bool delta;     /* delta rule: before it adds, a token subtracts the value that the state has for its key */
} nnc_scan;

typedef struct nnc_norm {
    nnc_norm_kind kind;
    int64_t elements;
    int64_t rows; /* number of sets of statistics: tokens, samples x groups, or channels */
    bool fused;
    bool by_reductions; /* one kernel per sum, and one for all other work */
    bool turned;        /* input and output are copied to another layout and back */
    bool keeps_input;   /* true: this op counts the bytes of the kept input; false: another op does */
    bool across_heads;  /* one norm covers all heads of a token, and the heads are divided over tensor ranks */
    nnc_norm_keep keep;
} nnc_norm;

/* Pointwise kinds that graph files and ONNX files can name: `"op": "act", "kind": TEXT`. They are the first values of
 * the enum of pointwise kinds, in the order of docs/graph.md, so that the index of a name in this list is the value. */
#define NNC_ACTIVATION_LIST(X)             \
    X(NNC_PW_RELU, "relu")                 \
    X(NNC_PW_GELU, "gelu")                 \
    X(NNC_PW_SILU, "silu")                 \
    X(NNC_PW_SIGMOID, "sigmoid")           \
    X(NNC_PW_TANH, "tanh")                 \
    X(NNC_PW_HARD_SIGMOID, "hard_sigmoid") \
    X(NNC_PW_HARD_SWISH, "hard_swish")     \
    X(NNC_PW_SOFTMAX, "softmax")           \
    X(NNC_PW_SWIGLU, "swiglu")             \
    X(NNC_PW_GEGLU, "geglu")

/* All pointwise kinds. The row of each kind is in pointwise.c; a kind without a row does not compile. */
#define NNC_POINTWISE_LIST(X)                                                                                       \
    NNC_ACTIVATION_LIST(X)                                                                                          \
    X(NNC_PW_RELU2, "relu2")                                                                                        \
    X(NNC_PW_SCALE, "scale")     /* multiplies by one value per row or channel */                                   \
    X(NNC_PW_SOFTCAP, "softcap") /* tanh between two scales */                                                      \
    X(NNC_PW_MUL, "mul")         /* multiplies two tensors, element by element */                                   \
    X(NNC_PW_BIAS, "bias")                                                                                          \
    X(NNC_PW_DROPOUT, "dropout")                                                                                    \
    X(NNC_PW_RESIDUAL, "residual")                                                                                  \
    X(NNC_PW_BIAS_DROPOUT_RESIDUAL, "bias_dropout_residual")                                                        \
    X(NNC_PW_SCALE_MASK, "scale_mask")                                                                              \
    X(NNC_PW_ROTARY, "rotary")                                                                                      \
    X(NNC_PW_POSITION_ADD, "position_add")                                                                          \
    X(NNC_PW_TIME_ADD, "time_add")     /* adds one value per channel of a feature map */                            \
    X(NNC_PW_TIMESTEP, "timestep")     /* sinusoidal embedding of the diffusion time */                             \
    X(NNC_PW_MAX_POOL, "max_pool")     /* pools windows of 2 x 2 */                                                 \
    X(NNC_PW_MAX_POOL2D, "max_pool2d") /* pools windows of any size; input_elements is set */                       \
    X(NNC_PW_AVG_POOL2D, "avg_pool2d")                                                                              \
    X(NNC_PW_UPSAMPLE_NEAREST, "upsample_nearest")                                                                  \
    X(NNC_PW_UPSAMPLE_BILINEAR, "upsample_bilinear")                                                                \
    X(NNC_PW_RESIZE, "resize") /* resizes by any factor; input_elements is set */                                   \
    X(NNC_PW_CONCAT, "concat")                                                                                      \
    X(NNC_PW_COPY, "copy")                 /* copies into another layout */                                         \
    X(NNC_PW_BY_HEADS, "by_heads")         /* joins the parts of each head; input_elements is set */                \
    X(NNC_PW_HALVES, "halves")             /* splits in two; backward joins the gradients */                        \
    X(NNC_PW_CAST_WEIGHTS, "cast_weights") /* casts weights to 16 bits, gradients to fp32 */                        \
    X(NNC_PW_EXPERT_BIAS, "expert_bias")   /* adds a bias to the output of each expert and multiplies by a score */ \
    X(NNC_PW_CLAMP, "clamp")               /* clamps each of two halves, then concatenates */                       \
    X(NNC_PW_CAST, "cast")                 /* casts to the 8-bit operands of a matrix product */                    \
    X(NNC_PW_DEQUANTIZE, "dequantize")     /* converts weights that are stored in fewer bits */                     \
    X(NNC_PW_DISPATCH, "dispatch")         /* copies tokens to experts, or keys to heads */                         \
    X(NNC_PW_MERGE, "merge")               /* adds up, in fp32, the attention to each part of the keys */           \
    X(NNC_PW_SUM_COPIES, "sum_copies")     /* adds up the copies of each token */                                   \
    X(NNC_PW_COMBINE, "combine")           /* adds up the copies of each token, each multiplied by a weight */
NNC_ENUM(nnc_pointwise_kind, NNC_POINTWISE_LIST, NNC_PW_KIND_COUNT);
const char *nnc_pointwise_kind_name(nnc_pointwise_kind value);

/* Properties of an activation that graph and ONNX files need; a member of the row of a pointwise kind. */
typedef struct nnc_activation {
    bool by_output; /* backward reads the output; else it reads the input */
    bool gated;     /* the input has two halves, which are multiplied */
} nnc_activation;
const nnc_activation *nnc_activation_of(nnc_pointwise_kind kind);

typedef struct nnc_pointwise {
    nnc_pointwise_kind kind;
    int64_t elements;       /* elements of the output */
    int64_t input_elements; /* elements of the input; 0 = computed from `elements` by the ratio of the kind */
    bool fused;             /* on: one kernel; off: one kernel per primitive */
    bool keeps_input, keeps_output, keeps_mask;
    bool keeps_8bit; /* true: the input is kept as a copy in 8 bits */
    bool weighted;   /* output is multiplied by a score per row; the gradient of the score reads all inputs once more */
    bool inside;     /* true: the op runs inside the kernel of the norm before it */
    bool by_reductions;        /* one kernel per sum or maximum, and one for all other work */
    bool random_written;       /* a separate kernel writes the random numbers, in fp32 */
    double extra_kept_bytes;   /* further bytes that are kept, for all elements together */
    int64_t backward_elements; /* number of elements that backward works on; 0 = `elements` */
} nnc_pointwise;

/* Bytes per value of a table that is updated in place: fp32, the default of TorchRec. */
#define NNC_TABLE_BYTES 4.0

typedef struct nnc_embedding {
    int64_t tokens, width; /* tokens: rows that are looked up */
    int64_t summed;        /* number of rows that are summed to one output; 0 = rows are not summed */
} nnc_embedding;

typedef struct nnc_loss {
    int64_t tokens, classes;
    bool fused;
    bool squared_error; /* mean squared error of tokens x classes values */
    bool split;         /* if ranks divide the classes, an unfused loss has one fp32 kernel per primitive */
    bool divided;       /* tensor ranks divide the classes */
    bool in_place;      /* the loss overwrites the logits, so fewer copies of the logits are in memory */
    nnc_loss_keep keep;
} nnc_loss;

/* Dims of an operator of a captured program that is no product, convolution or attention. */
typedef struct nnc_kernel {
    double read_bytes, write_bytes; /* read_bytes: bytes of every tensor that the op reads; write_bytes: bytes of
                                     * every tensor that it writes; each tensor counts once */
} nnc_kernel;

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
    nnc_optimizer_kernels kernels; /* DEFAULT: one kernel; for SGD with momentum, kernels over lists of tensors */
    bool fused;                    /* true: one kernel for all operations */
    int64_t params;
    int64_t tensors;            /* number of tensors of these parameters; 0 = not known */
    int64_t passes;             /* NNC_UPDATE_ADD: number of passes whose gradients are added up */
    int64_t matrix_params;      /* parameters in matrices that the optimizer factors */
    double new_bytes;           /* NNC_UPDATE_STEP: bytes that the step writes to memory new to the program */
    double projected_params;    /* GaLore, APOLLO: parameters of matrices with projected gradients */
    double projected_elements;  /* elements of the projections and of two moments of these matrices */
    double projected_products;  /* sum of the rank of each of these matrices times its parameters */
    double factored_elements;   /* Adafactor: sum of rows + columns of all matrices, plus elements of vectors */
    double orthogonalise_flops; /* Muon: FLOPs of the matrix products in the Newton-Schulz iterations */
} nnc_update;

/* Parameters (weights) that one instance of an op owns. */
typedef struct nnc_weights {
    int64_t count, rows, cols; /* `count` matrices of rows x cols each */
    int64_t vector;            /* elements outside matrices: biases, norm gains */
    int64_t active;            /* number of matrices (with their vectors) that one token uses; 0 = all */
    bool table;                /* an embedding table: Muon updates it with Adam, and its gradient is no product */
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

/* A collective of forward, and the collectives of its backward. Bytes are the size of the full tensor. */
typedef struct nnc_collective_op {
    nnc_comm comm;
    int32_t route; /* for communication of kind NNC_COMM_DATA: nnc_route_kind of the group of ranks that takes part */
    nnc_collective forward, backward, backward_again; /* collectives of forward and backward; NNC_NO_COLLECTIVE: none */
    double bytes, backward_bytes, again_bytes;        /* bytes of the collectives: bytes of forward; backward_bytes
                                                       * of backward (0 = as forward); again_bytes of backward_again
                                                       * (0 = as backward) */
    double count;              /* number of times that the collective runs (a ring: once per part of keys); 0 = once */
    bool hides;                /* true: the collective overlaps with the attention op that uses its data, as in ring
                                * attention */
    double copies;             /* all-to-all: number of copies of each token that go to random ranks; 0 = not random */
    double groups, groups_met; /* groups: number of expert groups; groups_met: number of expert groups that the copies
                                * of a token go to, 0 = any ranks */
    bool once_per_node;        /* a token is sent once to each scale-up domain, and inside it to all of its experts */
} nnc_collective_op;

/* Decides which dims of an op are divided over the ranks of tensor, context and expert parallelism. */
typedef enum nnc_split {
    NNC_SPLIT_TOKENS,        /* tokens are divided; every tensor rank has a copy */
    NNC_SPLIT_SEQUENCE,      /* tokens are divided, with sequence parallelism also over tensor ranks */
    NNC_SPLIT_COLUMN,        /* the width n of a product is divided */
    NNC_SPLIT_QKV,           /* as COLUMN, but every rank has at least one key and value head */
    NNC_SPLIT_ROW,           /* the depth k of a product is divided */
    NNC_SPLIT_HEADS,         /* attention heads are divided */
    NNC_SPLIT_INNER,         /* elements between a column product and a row product are divided */
    NNC_SPLIT_VOCAB,         /* rows of an embedding table, or classes of the loss, are divided */
    NNC_SPLIT_EXPERT_COLUMN, /* experts are divided over expert ranks, and the width of each over tensor ranks */
    NNC_SPLIT_EXPERT_ROW,
    NNC_SPLIT_EXPERT_INNER
} nnc_split;

/* ---- an op ---- */

/* Kernels that a library issues for one instance of an op, and the bytes that they move. mixed_bytes: bytes of kernels
 * with operands of two types. */
typedef struct nnc_issued {
    double kernels, bytes, mixed_bytes;
} nnc_issued;
typedef enum nnc_issued_as {
    NNC_ISSUED_NOT,
    NNC_ISSUED_INSTEAD, /* the kernels of the library run instead of the fused kernel */
    NNC_ISSUED_TOO      /* the kernels of the library run in addition to a product, a convolution or attention */
} nnc_issued_as;

struct nnc_op {
    const char *name;  /* name of the op in outputs, "attn.qkv"; static storage */
    const char *place; /* place in the network, "down.0", static storage; NULL = the name includes it */
    nnc_op_kind kind;
    nnc_phase phase;
    nnc_group group;
    nnc_dtype dtype;      /* format of activations */
    nnc_dtype math_dtype; /* format of the operands of a product; it decides which peak applies */
    int64_t repeat;       /* number of equal instances in one micro-batch */
    int32_t block;        /* recompute block that the op belongs to; -1 = no block */
    int32_t segment;      /* segment of layers that the op belongs to: see nnc_segment */
    nnc_split split;
    bool tuned;      /* true: the op runs with a kernel that was written for the device */
    bool recomputed; /* selective recomputation runs the op again in backward */
    bool dropped;    /* the op's input is computed again in backward instead of kept */
    bool frozen;     /* the op's weights are not trained */
    bool outside;    /* the op is outside the layers that the plan trains: its weights are frozen, without adapter */
    bool fixed;      /* the op's weights are frozen under every plan, by the model file */
    bool in_place;   /* backward updates the rows of the table that were read: no gradient and no optimizer step */
    /* true: no trained weight precedes the op, so the op has no backward and keeps nothing */
    bool forward_only;
    bool tower;                             /* true: the op belongs to a tower: a network whose output another network
                                             * reads */
    bool by_library;                        /* true: library_kept and library_transient give the kept bytes and the
                                             * working set of the op */
    double library_kept, library_transient; /* for each element that op_elements() in op_table.c counts:
                                             * library_kept: kept bytes; library_transient: bytes of the working set */
    bool recorded;                          /* true: the op is an operator of a captured program; the list also has its
                                             * backward ops */
    double recorded_kept, recorded_transient; /* as recorded, independent of the dims: recorded_kept: kept bytes;
                                               * recorded_transient: bytes of the working set */
    nnc_weights weights;
    nnc_issued_as issued_as;
    nnc_issued issued[3];   /* kernels of forward; of backward or the input gradient; of the weight gradient */
    double grad_bytes;      /* bytes of one element of the weight gradient */
    double grad_accumulate; /* share of the passes whose gradient is added to an existing gradient */
    union {
        nnc_matmul matmul;
        nnc_flash flash;
        nnc_conv conv;
        nnc_scan scan;
        nnc_norm norm;
        nnc_pointwise pointwise;
        nnc_embedding embedding;
        nnc_loss loss;
        nnc_kernel kernel;
        nnc_update update;
        nnc_collective_op collective;
    } u;
};

/* Returns true when the op runs again from the input of its module in backward and keeps no tensor. */
static inline bool nnc_op_keeps_nothing(const nnc_op *op) { return op->dropped && op->recomputed; }

static inline bool nnc_op_is_collective(const nnc_op *op) { return op->kind == NNC_OP_COLLECTIVE; }

/* ---- quantities computed from the dims ---- */

/* Returns the work of one instance of an op, in the phase of the op. Cannot fail. */
nnc_work nnc_op_work(const nnc_op *op);

/* nnc_flash_scores, nnc_flash_queries and nnc_flash_keys (keys and values) return elements of all heads together. */
static inline double nnc_flash_scores(const nnc_flash *p) {
    return (double)p->batch * (double)p->heads * (double)p->s_q * (double)p->s_k;
}
static inline double nnc_flash_queries(const nnc_flash *p) {
    return (double)p->batch * (double)p->heads * (double)p->s_q * (double)p->head_dim;
}
static inline double nnc_flash_keys(const nnc_flash *p) {
    return (double)p->batch * (double)p->kv_heads * (double)p->s_k * (double)(p->head_dim + p->value_dim);
}

/* Returns the number and the bytes of the kernels that a library issues for an op in its phase. */
static inline nnc_issued nnc_op_issued(const nnc_op *op) {
    return op->phase == NNC_PHASE_GRAD_WEIGHT                                   ? op->issued[2]
           : op->phase == NNC_PHASE_FORWARD || op->phase == NNC_PHASE_RECOMPUTE ? op->issued[0]
                                                                                : op->issued[1];
}

/* Returns the bytes of the tensors that one instance of a forward op owns and keeps for backward. */
double nnc_op_kept_bytes(const nnc_op *op);
/* Returns the bytes that an op computes again instead of keeping them. They are in memory while its backward runs. */
double nnc_op_dropped_bytes(const nnc_op *op);

/* Records the work and the kept bytes of an op, with their formulas, in a derivation. */
void nnc_op_say(const nnc_op *op, nnc_derivation *why);

/* Writes place and name of an op as one path: "down.0" and "down.conv" give "down.0.conv". Returns text. */
const char *nnc_op_path(const nnc_op *op, char *text, size_t size);

/* Returns the bytes of the largest working set of backward, without kept tensors: gradients of the op's input and
 * output, fp32 copies of an unfused loss. */
double nnc_op_transient_bytes(const nnc_op *op);

/* NNC_BACKWARD_MAX: most backward ops of one op. nnc_op_backward writes the backward ops of a forward op, in the order
 * in which they run, and returns their number. */
enum { NNC_BACKWARD_MAX = 2 };
int nnc_op_backward(const nnc_op *op, nnc_op backward[NNC_BACKWARD_MAX]);

/* Return parameters of one instance of an op. nnc_weights_active: parameters that one token uses; nnc_weights_params:
 * all. */
int64_t nnc_weights_active(const nnc_weights *weights);
int64_t nnc_weights_params(const nnc_weights *weights);
/* Records the number of all parameters of an op, with its formula, in a derivation. */
void nnc_op_say_params(const nnc_op *op, nnc_derivation *why);

/* Return the bytes of the moments of an update, without the master copy; nnc_update_say_moments also records the
 * formula.   [optimizer-states] */
double nnc_update_moment_bytes(const nnc_update *update);
/* Returns the number of kernels in which torch.optim updates a list of tensors (foreach=True); 0 = this optimizer has
 * no such form. */
double nnc_optimizer_list_kernels(nnc_optimizer kind);
/* Returns the bytes per parameter that an update over lists of tensors allocates and frees again. */
double nnc_optimizer_list_bytes(nnc_optimizer kind, nnc_policy policy);
double nnc_update_say_moments(const nnc_update *update, nnc_derivation *why);

/* Tests whether an optimizer projects the gradients of linear layers to a lower rank. */
bool nnc_optimizer_projects(nnc_optimizer kind);
/* Returns the variant of an optimizer with smaller moments; the optimizer itself if it has no such variant. */
nnc_optimizer nnc_optimizer_smaller(nnc_optimizer kind);

/* Returns the bytes per element of the gradient that backward writes and the update reads. */
double nnc_policy_gradient_io_bytes(nnc_policy policy);

/* Returns the bytes per weight in the format that products read. ZeRO 3 casts a shard before its gather. Sources:
 * all_gather_inputs of _fully_shard/_fsdp_param.py and pre_unshard of _flat_param.py (torch.distributed.fsdp). */
double nnc_policy_used_bytes(nnc_policy policy);

/* A convention that decides which FLOPs of a step count as model FLOPs. */
typedef struct nnc_convention {
    enum {
        NNC_COUNTS_ALL,
        NNC_COUNTS_WINDOW,
        NNC_COUNTS_MASK
    } pairs;          /* query-key pairs that count: all, those in the window, or those under the mask */
    bool by_params;   /* true: FLOPs are computed from parameters and tokens, not from the ops */
    const char *note; /* text that says which ops count */
} nnc_convention;
const nnc_convention *nnc_convention_of(nnc_flops_convention convention);

/* Returns the FLOPs to orthogonalise one matrix: five Newton-Schulz iterations. Each has two products of an r x c
 * matrix by its transpose and one product of r x r matrices, r <= c. Source: Jordan 2024, "Muon".   [muon] */
double nnc_muon_flops(int64_t rows, int64_t cols);

/* Returns counted multiplications / executed multiplications: 1, except for fp32 convolutions with Winograd's F(2 x 2,
 * 3 x 3). Source: Lavin, Gray, arXiv:1509.09308.   [conv-time] */
static inline double nnc_op_products_saved(const nnc_op *op) {
    const nnc_conv *p = &op->u.conv;
    return op->kind == NNC_OP_CONV && op->math_dtype == NNC_FP32 && p->kernel == 3 &&
                   (p->kernel_w == 0 || p->kernel_w == 3) && p->stride == 1 && p->groups == 1
               ? 2.25
               : 1.0;
}

/* Returns the number of query-key pairs of one head, with s_q queries and s_k keys. window 0 = no window.
 * Sources: counts by inspection; docs/formulas.md   [attention-pairs] */
int64_t nnc_attention_pairs(int64_t s_q, int64_t s_k, bool causal, int64_t window);

/* Tests whether training in this format uses the format only for the matrix products of layers; all other ops then run
 * in 16 bits. fp8: arXiv:2209.05433; fp4: NVFP4, arXiv:2509.25149. */
static inline bool nnc_precision_is_narrow(nnc_dtype precision) { return precision == NNC_FP8 || precision == NNC_FP4; }

/* ---- nnc_op_row: one row of functions for each kind of op ---- */

/* Formulas that compute the time of an op from the fitted values of a device. cost/op_time.c has a row for each. */
#define NNC_TIMED_LIST(X)                                                      \
    X(NNC_TIMED_GEMM, "matrix product")                                        \
    X(NNC_TIMED_FLASH, "fused attention")                                      \
    X(NNC_TIMED_CONV, "convolution")                                           \
    X(NNC_TIMED_POINTWISE, "pointwise")                                        \
    X(NNC_TIMED_MAP, "pointwise, of feature maps")                             \
    X(NNC_TIMED_CAST, "cast to 8 bits, by the library of the matrix products") \
    X(NNC_TIMED_UPDATE, "optimizer update")                                    \
    X(NNC_TIMED_NETWORK, "by the links between the ranks")
#define NNC_TIMED_VALUE(name, text) name,
typedef enum nnc_timed { NNC_TIMED_LIST(NNC_TIMED_VALUE) NNC_TIMED_COUNT } nnc_timed;
#undef NNC_TIMED_VALUE

/* Numbers of ranks over which the dims of an op are divided. */
typedef struct nnc_degrees {
    int64_t tensor, context, expert;
    int64_t expert_tensor; /* tensor ranks that share each expert */
    int64_t expert_rows;   /* ranks that share the tokens sent to experts */
    int64_t sequence;      /* context ranks, times tensor ranks with sequence parallelism */
    int64_t heads;         /* number of ranks that share the heads of one attention */
    int64_t positions;     /* ranks that share the queries of one attention */
    double imbalance;      /* rows of the busiest expert rank / mean over all ranks */
} nnc_degrees;

typedef struct nnc_op_row {
    const char *name;                         /* "matmul" */
    const char *(*name_of)(const nnc_op *op); /* returns the name of an op, "rms_norm"; NULL: all ops have `name` */
    nnc_work (*work)(const nnc_op *op);
    double (*kept)(const nnc_op *op);
    double (*transient)(const nnc_op *op);
    void (*say)(const nnc_op *op, nnc_derivation *why); /* records work, kept bytes and transient bytes, with their
                                                         * formulas */
    int (*backward)(const nnc_op *op, nnc_op backward[NNC_BACKWARD_MAX]);
    void (*shard)(nnc_op *op, const nnc_degrees *degrees);
    void (*shape)(const nnc_op *op, char *text, size_t size);
    nnc_timed timed;
    nnc_timed (*timed_of)(const nnc_op *op); /* returns the form of time of an op; NULL: all ops use `timed` */
    const char *transient_what;              /* name of the working set; NULL: "gradients of activations" */
    bool fuses;                              /* true: with ideal fusion the op moves no bytes of its own */
    bool hides_ring;                         /* true: communication of ring attention overlaps with this op */
} nnc_op_row;

/* Defines the functions of a row from KIND_work (which also records the dims), KIND_kept and KIND_transient. Each of
 * these is NNC_SAYING and takes a derivation. Only a forward op keeps bytes. */
#define NNC_OP_FUNCTIONS(kind)                                                                    \
    static nnc_work kind##_plain_work(const nnc_op *op) { return kind##_work(op, NULL); }         \
    static double kind##_plain_kept(const nnc_op *op) { return kind##_kept(op, NULL); }           \
    static double kind##_plain_transient(const nnc_op *op) { return kind##_transient(op, NULL); } \
    static void kind##_say(const nnc_op *op, nnc_derivation *why) {                               \
        (void)kind##_work(op, why);                                                               \
        if (op->phase == NNC_PHASE_FORWARD) {                                                     \
            if (!nnc_op_keeps_nothing(op)) { (void)kind##_kept(op, why); }                        \
            (void)kind##_transient(op, why);                                                      \
        }                                                                                         \
    }
/* Sets a dim of the struct `d`, and records it as an operand. */
#define NNC_DIM(why, dim, value) \
    d.dim = (double)(value);     \
    NNC_PUT(why, d.dim, NULL)

#define NNC_OP_MEMBERS(kind) \
    .work = kind##_plain_work, .kept = kind##_plain_kept, .transient = kind##_plain_transient, .say = kind##_say

#define NNC_OP_ROW(kind, row) extern const nnc_op_row nnc_##row##_row;
NNC_OP_KIND_LIST(NNC_OP_ROW)
#undef NNC_OP_ROW

extern const nnc_op_row *const nnc_op_rows[NNC_OP_KIND_COUNT];

static inline const nnc_op_row *nnc_op_row_of(const nnc_op *op) { return nnc_op_rows[op->kind]; }

static inline nnc_timed nnc_op_timed(const nnc_op *op) {
    const nnc_op_row *row = nnc_op_row_of(op);
    return row->timed_of != NULL ? row->timed_of(op) : row->timed;
}

/* nnc_op_no_backward: for kinds without backward; returns 0. nnc_op_not_sharded: for kinds whose dims are not
 * divided. */
int nnc_op_no_backward(const nnc_op *op, nnc_op backward[NNC_BACKWARD_MAX]);
void nnc_op_not_sharded(nnc_op *op, const nnc_degrees *degrees);
/* Writes one backward op: a copy of the op in the phase backward. Returns 1, the number of backward ops. */
int nnc_op_same_backward(const nnc_op *op, nnc_op backward[NNC_BACKWARD_MAX]);

/* Texts of the notes that several kinds of op add to the derivation of their kept and transient bytes. */
extern const char nnc_kept_note[], nnc_transient_note[];

/* nnc_at_least_one returns value, but at least 1. nnc_scaled_up returns value * factor, rounded up. */
int64_t nnc_at_least_one(int64_t value);
int64_t nnc_scaled_up(int64_t value, double factor);

#endif
