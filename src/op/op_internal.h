/* Ops of a network: their dims, and quantities computed from the dims.
 *
 * An nnc_op has a kind, dims and a phase. Each kind of op has one row of functions (nnc_op_row), which compute FLOPs,
 * bytes, kept bytes, backward ops, and the dims on one rank. Each file has the rows of one subject: matmul.c,
 * sequence_ops.c ... Other folders call functions such as nnc_op_work(), or use the row; they do not test the kind of
 * an op.
 *
 * Invariants: after an op is sharded, its dims are the dims of one instance on one rank; `repeat` is the number of
 * equal instances in one micro-batch. If several ops need the same tensor for backward, only one of these ops counts
 * its bytes, so the kept bytes of a list of ops can be added up. */
#ifndef NNCOST_OP_OP_INTERNAL_H
#define NNCOST_OP_OP_INTERNAL_H

#include <stddef.h>

#include <nncost/op.h>

#include "base/base_internal.h"

/* ---- dims of each kind of op ---- */

/* All kinds of ops. The second argument of X is a part of names in the code: `matmul` stands for the row
 * nnc_matmul_row, `flash` for nnc_flash_row. */
#define NNC_OP_KIND_LIST(X)                                                                                        \
    X(NNC_OP_MATMUL, matmul)         /* matrix product C[m,n] = A[m,k] B[k,n], `batch` times; B may be a weight */ \
    X(NNC_OP_FLASH, flash)           /* fused attention: the scores stay on the chip */                            \
    X(NNC_OP_CONV, conv)             /* 2-d convolution or transposed convolution */                               \
    X(NNC_OP_SCAN, scan)             /* a recurrence: tokens update and read a state, one after the other */       \
    X(NNC_OP_NORM, norm)             /* normalisation: layer, RMS, group or batch norm */                          \
    X(NNC_OP_POINTWISE, pointwise)   /* function of each element, or of rows: activation, residual, softmax */     \
    X(NNC_OP_EMBEDDING, embedding)   /* embedding: lookup of rows in a table */                                    \
    X(NNC_OP_LOSS, loss)             /* loss: cross-entropy or squared error */                                    \
    X(NNC_OP_KERNEL, kernel)         /* an operator of a captured program, with its recorded bytes */              \
    X(NNC_OP_UPDATE, update)         /* work after backward: optimizer step, gradient clipping, zeroing */         \
    X(NNC_OP_COLLECTIVE, collective) /* collective: communication between ranks */
NNC_ENUM(nnc_op_kind, NNC_OP_KIND_LIST, NNC_OP_KIND_COUNT);

typedef struct nnc_matmul {
    int64_t batch, m, n, k;
    int64_t experts; /* number of experts, each with its own matrix B (k x n), that the rows of A are divided over; 0 =
                      * one B for all rows */
    /* true: experts run one after the other, one kernel each; false: one grouped kernel for all experts */
    bool one_by_one;
    bool ragged;      /* true: experts get different numbers of rows, because no capacity factor fixes them */
    double useful;    /* share of the rows of A that are not padding; 0 = no row is padding; -1 = the product has no
                       * model FLOPs */
    int64_t b_shared; /* number of products of the batch that use the same B (grouped heads); 1 = every product has its
                       * own B */
    /* heads: number of attention heads; kv_heads: number of heads of keys and values. In the product that computes
     * queries, keys and values, the heads are a part of the dimension n; in attention scores, the heads are a part of
     * the dimension `batch`. 0 = the product has no heads */
    int64_t heads, kv_heads;
    double pairs, full_pairs; /* of attention scores: number of query-key pairs with the mask (pairs) and without a mask
                               * (full_pairs); pairs and full_pairs 0 = there is no mask */
    /* of attention scores: number of query-key pairs with a whole window of keys for every query; equal to full_pairs
     * if the attention has no window */
    double window_pairs;
    bool b_is_weight; /* true: B is a trainable weight, and the product that computes its gradient has the phase
                       * grad_weight */
    bool needs_grad_input;
    /* true: each group of elements of an operand has a scale; false: each operand has one scale for the whole tensor */
    bool in_blocks;
    bool keeps_a, keeps_b; /* keeps_a, keeps_b: true: A (or B) is kept for backward, and this op counts its bytes */
    /* number of ranks among which the copy of A that is kept for backward is divided; 1 = every rank keeps all of A */
    int64_t kept_divisor;
    bool padded;   /* true: the software pads a width that is not a multiple of 16 bytes */
    int64_t vocab; /* of a weight gradient in a captured program: size of the vocabulary if it is one of the dims, else
                     * 0 */
    /* number of parts into which the rows of the matrix C are divided; the parts are computed one after the other, and
     * only one part is in memory at a time; 0 = all rows are computed at once */
    int64_t chunks;
} nnc_matmul;

typedef struct nnc_flash {
    /* kv_heads: number of key and value heads that the kernel reads; if heads were copied for the query heads, the
     * copies are counted */
    int64_t batch, heads, kv_heads, s_q, s_k;
    /* number of key and value heads of the model without copies; the cache of a served model has this number of
     * heads */
    int64_t own_kv_heads;
    int64_t head_dim, value_dim; /* head_dim: width of the query and key of a head; value_dim: width of the value of a
                                  * head */
    int64_t blocks; /* ring attention: number of parts in which keys and values arrive, one kernel per part; 0 = all at
                     * once */
    /* number of query-key pairs of one head: under the mask (pairs), and without a mask (full_pairs) */
    double pairs, full_pairs;
    /* number of query-key pairs of one head with a whole window of keys for every query; equal to full_pairs if there
     * is no window */
    double window_pairs;
    bool causal;      /* true: a query attends only to its own key and to earlier keys */
    bool keeps_qkv;   /* true: Q, K and V are kept for backward, and this op counts their bytes */
    int64_t kept_s_k; /* number of keys that a rank keeps for backward: s_k, or only its own keys (ring attention) */
    /* number of key and value heads that this op keeps for backward: kv_heads, or own_kv_heads if a library reads the
     * heads without copies; 0 = an earlier layer keeps the keys and values */
    int64_t kept_kv_heads;
    bool softcap; /* true: a tanh limits the size of the attention scores (soft cap) */
    nnc_flash_kernel kernel;
} nnc_flash;

typedef struct nnc_conv {
    int64_t batch, c_in, c_out, h_in, w_in, h_out, w_out, kernel, stride, groups;
    int64_t kernel_w; /* width of the convolution kernel; 0 = the width is equal to `kernel`, the height */
    bool transposed;
    bool needs_grad_input;
    bool keeps_input;
    bool contiguous;    /* true: feature maps are contiguous (NCHW); false: channels last (NHWC) */
    bool separate_bias; /* true: a kernel of its own adds the bias to the output */
    bool on_vectors;    /* true: runs on the vector units, because the matrix units have no kernel for the groups of
                         * this convolution */
    bool native;        /* true: runs in PyTorch's own kernels for depthwise convolutions of contiguous maps */
} nnc_conv;

/* Dims of a recurrence: each token changes a state and reads from it. The state consists of inner x state numbers (the
 * members `inner` and `state`). */
typedef struct nnc_scan {
    int64_t tokens, inner, state;
    int64_t groups; /* number of different keys (and of queries) per token; each key or query has `state` numbers */
    int64_t heads;  /* number of decay factors per token; 0 = `inner`, one decay factor for each value */
    int64_t chunk;  /* tokens per chunk; a chunk is computed with matrix products; 0 = token by token on the vector
                     * units */
    bool delta;     /* true: delta rule: before a token adds its value, it subtracts the value that the state holds for
                     * the key of this token */
} nnc_scan;

typedef struct nnc_norm {
    nnc_norm_kind kind;
    int64_t elements;
    /* number of rows, each with its own mean and variance: tokens; samples x groups; or channels */
    int64_t rows;
    bool fused;
    bool by_reductions; /* true: each sum over elements is a kernel, and all other work of the norm is one kernel */
    bool turned; /* true: the feature maps are copied to the contiguous layout before the norm, and back after it */
    bool keeps_input;  /* true: the norm counts the bytes of the input that it keeps; false: another op counts them */
    bool across_heads; /* true: the norm is over all heads of a token, although tensor ranks divide the heads */
    bool running;      /* true: batch norm in inference, which uses stored means and deviations */
    nnc_norm_keep keep;
} nnc_norm;

/* Pointwise kinds that graph files and ONNX files can name: `"op": "act", "kind": NAME`. The first values of the enum
 * nnc_pointwise_kind are the kinds that files can name, in the order of docs/graph.md, so the index of a name in this
 * list is the value of the enum. */
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

/* All kinds of pointwise ops. pointwise.c has a row for each kind, and does not compile if a row is missing. */
#define NNC_POINTWISE_LIST(X)                                                                                          \
    NNC_ACTIVATION_LIST(X)                                                                                             \
    X(NNC_PW_RELU2, "relu2")                                                                                           \
    X(NNC_PW_SCALE, "scale")     /* multiplies each element by the factor of its row or channel */                     \
    X(NNC_PW_SOFTCAP, "softcap") /* soft cap of scores: divides, computes tanh, multiplies */                          \
    X(NNC_PW_MUL, "mul")         /* multiplies two tensors element by element */                                       \
    X(NNC_PW_BIAS, "bias")                                                                                             \
    X(NNC_PW_DROPOUT, "dropout")                                                                                       \
    X(NNC_PW_RESIDUAL, "residual")                                                                                     \
    X(NNC_PW_BIAS_DROPOUT_RESIDUAL, "bias_dropout_residual")                                                           \
    X(NNC_PW_SCALE_MASK, "scale_mask")                                                                                 \
    X(NNC_PW_ROTARY, "rotary")                                                                                         \
    X(NNC_PW_POSITION_ADD, "position_add")                                                                             \
    X(NNC_PW_TIME_ADD, "time_add")     /* adds one value per channel to a feature map */                               \
    X(NNC_PW_TIMESTEP, "timestep")     /* computes the sinusoidal embedding of a diffusion step's time */              \
    X(NNC_PW_MAX_POOL, "max_pool")     /* pool: takes the maximum of each window of 2 x 2 */                           \
    X(NNC_PW_MAX_POOL2D, "max_pool2d") /* pool: takes the maximum of each window; input_elements is set */             \
    X(NNC_PW_AVG_POOL2D, "avg_pool2d")                                                                                 \
    X(NNC_PW_UPSAMPLE_NEAREST, "upsample_nearest")                                                                     \
    X(NNC_PW_UPSAMPLE_BILINEAR, "upsample_bilinear")                                                                   \
    X(NNC_PW_RESIZE, "resize") /* resizes a map by any factor; input_elements is set */                                \
    X(NNC_PW_CONCAT, "concat")                                                                                         \
    X(NNC_PW_COPY, "copy")                 /* copies a tensor into another layout */                                   \
    X(NNC_PW_BY_HEADS, "by_heads")         /* latent attention: joins the parts of each head; input_elements is set */ \
    X(NNC_PW_HALVES, "halves")             /* splits a tensor in two; backward joins the two gradients */              \
    X(NNC_PW_CAST_WEIGHTS, "cast_weights") /* casts weights to 16 bits; backward casts gradients to fp32 */            \
    X(NNC_PW_EXPERT_BIAS, "expert_bias")   /* adds a bias to the output of each expert, times the router's score */    \
    X(NNC_PW_CLAMP, "clamp")               /* clamps gate and up of an expert, then joins them to one tensor */        \
    X(NNC_PW_CAST, "cast")                 /* casts the operands of a matrix product to 8 bits */                      \
    X(NNC_PW_DEQUANTIZE, "dequantize")     /* converts stored weights to the format of the activations */              \
    X(NNC_PW_DISPATCH, "dispatch")         /* copies tokens to their experts, or keys and values to every head */      \
    X(NNC_PW_MERGE, "merge")               /* ring attention: adds the result for one part of the keys to the sum */   \
    X(NNC_PW_SUM_COPIES, "sum_copies")     /* adds up the copies of each token */                                      \
    X(NNC_PW_COMBINE, "combine")           /* adds up the copies of each token, each times its weight */
NNC_ENUM(nnc_pointwise_kind, NNC_POINTWISE_LIST, NNC_PW_KIND_COUNT);
const char *nnc_pointwise_kind_name(nnc_pointwise_kind value);

/* Properties of an activation function, which the readers of graph and ONNX files use. Each row of the table of
 * pointwise kinds has a member of the type nnc_activation. */
typedef struct nnc_activation {
    bool by_output; /* true: backward reads the output of forward; false: backward reads the input of forward */
    bool gated;     /* true: the input has two halves, gate and up; the output is activation(gate) times up */
} nnc_activation;
const nnc_activation *nnc_activation_of(nnc_pointwise_kind kind);

typedef struct nnc_pointwise {
    nnc_pointwise_kind kind;
    int64_t elements; /* number of elements of the op's output */
    /* number of elements of the input; 0 = `elements` times the ratio in the row of this pointwise kind */
    int64_t input_elements;
    bool fused; /* true: one kernel for the whole op; false: one kernel per primitive operation */
    bool keeps_input, keeps_output, keeps_mask;
    bool keeps_8bit; /* true: the input is kept as a copy in 8 bits */
    bool weighted;   /* true: the output is multiplied by a score per row; for the gradient of the score, backward reads
                      * all inputs again */
    bool inside;     /* true: the op runs inside the kernel of a norm that comes before or after it */
    bool by_reductions;        /* true: each sum or maximum is a kernel, and one kernel does all other work of the op */
    bool random_written;       /* true: a kernel of its own writes the random numbers of dropout to memory, in fp32 */
    double extra_kept_bytes;   /* bytes that the op keeps in addition to input, output and mask */
    int64_t backward_elements; /* number of elements that backward processes; 0 = `elements`, as many as forward */
} nnc_pointwise;

/* Bytes of one number of an embedding table whose rows backward updates directly: fp32, the default of TorchRec. */
#define NNC_TABLE_BYTES 4.0

typedef struct nnc_embedding {
    int64_t tokens, width; /* tokens: number of rows of the table that are looked up; width: numbers in a row */
    int64_t summed;        /* number of looked-up rows whose sum is one output; 0 = each row is an output of its own */
} nnc_embedding;

typedef struct nnc_loss {
    int64_t tokens, classes;
    bool fused;
    bool squared_error; /* true: mean squared error over tokens x classes values; false: cross-entropy */
    bool split;         /* true: the software runs an unfused loss as one fp32 kernel per primitive if ranks divide the
                         * classes */
    bool divided;       /* true: tensor ranks divide the classes of this cross-entropy */
    bool in_place;      /* true: the gradient is written over the logits, which saves a copy of the logits */
    nnc_loss_keep keep;
} nnc_loss;

/* Dims of an operator of a captured program; the operator is no matrix product, no convolution and no attention. */
typedef struct nnc_kernel {
    /* read_bytes: bytes of all tensors that the operator reads; write_bytes: bytes of all tensors that it writes; each
     * tensor counts once */
    double read_bytes, write_bytes;
} nnc_kernel;

#define NNC_UPDATE_LIST(X)               \
    X(NNC_UPDATE_STEP, "optimizer_step") \
    X(NNC_UPDATE_CLIP, "clip_gradients") \
    X(NNC_UPDATE_ZERO, "zero_gradients") \
    X(NNC_UPDATE_ADD, "add_gradients")
NNC_ENUM(nnc_update_kind, NNC_UPDATE_LIST, NNC_UPDATE_KIND_COUNT);
const char *nnc_update_kind_name(nnc_update_kind value);

/* Numbers of kernels that a captured program launches for one operation of its optimizer, summed over all lists of
 * tensors and all calls of optimizers in a step. loop: number if each tensor has its own kernel; lists: number if each
 * part of a list of tensors has its own kernel; fused: number if one fused kernel takes each part. */
typedef struct nnc_launches {
    double loop, lists, fused; /* 0 = the captured program has no launches of this kind */
    /* bytes that all calls of the optimizers in a step move / bytes that one call of each optimizer moves */
    double updates;
    /* kind: the optimizer with the most operations. The shares compare all optimizers of the step with a single
     * optimizer of the kind `kind` that updates all trained parameters; they are 0 if the program has no lists of
     * parameters. state_share: ratio of the numbers of optimizer states. pass_share: ratio of the numbers of passes
     * over memory. list_share: parameters in the largest list / all trained parameters. */
    nnc_optimizer kind;
    double state_share, pass_share, list_share;
} nnc_launches;

/* Largest number of elements that one launch of a kernel for lists of tensors processes: depth_to_max_blocks x
 * kChunkSize. Source: aten/src/ATen/native/cuda/MultiTensorApply.cuh of PyTorch. */
#define NNC_LAUNCH_ELEMENTS (320.0 * 65536.0)

/* A list of tensors that an optimizer of a recorded step updates. count: number of tensors; elements: number of
 * elements of all tensors; calls: number of calls of the optimizer in the step. */
typedef struct nnc_optimizer_group {
    nnc_optimizer kind;
    double count, elements, calls;
} nnc_optimizer_group;

typedef struct nnc_update {
    nnc_update_kind kind;
    nnc_optimizer optimizer;
    nnc_policy policy;
    /* with NNC_KERNELS_DEFAULT, the update is one kernel; but SGD with momentum runs one kernel per primitive operation
     * over a list of tensors */
    nnc_optimizer_kernels kernels;
    bool fused; /* true: one kernel does all operations of the optimizer */
    int64_t params;
    nnc_launches launches;   /* numbers of kernel launches that a captured program recorded for its optimizer */
    int64_t passes;          /* of NNC_UPDATE_ADD: number of passes whose gradients are added to a sum */
    int64_t matrix_params;   /* of Muon: number of parameters in the matrices that Muon orthogonalises */
    double new_bytes;        /* of NNC_UPDATE_STEP: bytes that the step writes to memory that the program has just
                              * allocated */
    double projected_params; /* of GaLore and APOLLO: number of parameters in matrices whose gradient is projected */
    /* of GaLore and APOLLO: number of elements of projections and moments of the matrices whose gradient is
     * projected */
    double projected_elements;
    /* of GaLore and APOLLO: sum of projection rank x parameters over the matrices whose gradient is projected */
    double projected_products;
    /* of Adafactor: sum of (rows + columns) over all matrices, plus the elements of all vectors */
    double factored_elements;
    double orthogonalise_flops; /* of Muon: FLOPs of the matrix products in its Newton-Schulz iterations */
} nnc_update;

/* Numbers of parameters of one instance of an op. */
typedef struct nnc_weights {
    int64_t count, rows, cols; /* number of matrices (count) and size of each (rows x cols) */
    int64_t vector;            /* number of parameters that are not in a matrix: biases, gains of norms */
    int64_t active;            /* number of matrices (with their biases) that one token uses; 0 = all `count`
                                * matrices */
    bool table;                /* true: an embedding table, which Muon updates with Adam and whose gradient is not a
                                * matrix product */
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

/* Dims of the collectives of one op: one collective in forward, and up to two collectives in backward. All numbers of
 * bytes are for the full tensor, not for the part of one rank. */
typedef struct nnc_collective_op {
    nnc_comm comm;
    int32_t route; /* only for comm NNC_COMM_DATA: the group of ranks that takes part (an nnc_route_kind) */
    /* forward: the collective of forward; backward, backward_again: the first and second collective of backward;
     * NNC_NO_COLLECTIVE = no collective */
    nnc_collective forward, backward, backward_again;
    /* bytes: bytes of the collective in forward; backward_bytes: bytes of the first collective in backward, 0 = equal
     * to `bytes`; again_bytes: bytes of the second collective in backward, 0 = equal to backward_bytes */
    double bytes, backward_bytes, again_bytes;
    double count;  /* number of times that the collective runs (ring attention: once per part of the keys);
                                * 0 = once */
    bool hides;    /* true: the collective overlaps with the attention op that uses its data, as in ring
                                * attention */
    double copies; /* all-to-all: copies of each token that go to random ranks; 0 = the destinations are not
                                * random */
    /* for models whose router limits each token to some groups of experts: number of groups (groups), and number of
     * groups to which the copies of one token go (groups_met); groups_met 0 = no limit */
    double groups, groups_met;
    bool once_per_node; /* true: a token is sent to each scale-up domain once, and from there to all of its
                                * experts in the domain */
} nnc_collective_op;

/* Bytes of a value that is sent to experts in 8 bits: 1 byte, plus 1/128 of the 4-byte scale that each block of 128
 * values has. Source: DeepEP, tests/test_internode.py (x_e4m3 with one float32 scale per 128 values),
 * https://github.com/deepseek-ai/DeepEP. [experts] */
#define NNC_DISPATCH_8BIT_BYTES (1.0 + 4.0 / 128.0)

/* States which dims of an op are divided over the tensor, context and expert ranks. */
typedef enum nnc_split {
    /* context ranks divide the tokens; all tensor ranks of a context rank compute the same tokens */
    NNC_SPLIT_TOKENS,
    NNC_SPLIT_SEQUENCE, /* context ranks divide the tokens; with sequence parallelism tensor ranks divide them,
                         * too */
    NNC_SPLIT_COLUMN,   /* tensor ranks divide the width n of a product C[m,n] = A[m,k] B[k,n] */
    NNC_SPLIT_QKV,      /* tensor ranks divide the heads of queries, keys and values in n; every rank has at least
                         * one key and value head */
    NNC_SPLIT_ROW,      /* tensor ranks divide the inner dimension k of a product C[m,n] = A[m,k] B[k,n] */
    NNC_SPLIT_HEADS,    /* tensor ranks divide the attention heads, and with them the elements of the op */
    /* for an op between a product with NNC_SPLIT_COLUMN and a product with NNC_SPLIT_ROW: tensor ranks divide the
     * elements */
    NNC_SPLIT_INNER,
    NNC_SPLIT_VOCAB,         /* tensor ranks divide the rows of an embedding table, or the classes of the loss */
    NNC_SPLIT_EXPERT_COLUMN, /* expert ranks divide the experts; tensor ranks divide the width n of each expert */
    NNC_SPLIT_EXPERT_ROW,
    NNC_SPLIT_EXPERT_INNER
} nnc_split;

/* ---- the struct of an op ---- */

/* Kernels that a library issues for one instance of an op. kernels: number of all kernels. mixed_bytes: bytes that
 * kernels whose operands have two formats move; bytes: bytes that all other kernels move. */
typedef struct nnc_issued {
    double kernels, bytes, mixed_bytes;
} nnc_issued;
typedef enum nnc_issued_as {
    NNC_ISSUED_NOT, /* the op runs as one fused kernel; the host may still issue the number of kernels in `issued` */
    NNC_ISSUED_INSTEAD, /* the kernels of the library take the place of the fused kernel of the op */
    NNC_ISSUED_TOO      /* the kernels of the library run in addition to the product, convolution or attention of the
                         * op */
} nnc_issued_as;

struct nnc_op {
    const char *name; /* name of the op in outputs, such as "attn.qkv"; a string in static storage */
    /* place of the op in the network, such as "down.0"; static storage; NULL = the name contains the place */
    const char *place;
    nnc_op_kind kind;
    nnc_phase phase;
    nnc_group group;
    nnc_dtype dtype;      /* number format of the activations that the op reads and writes */
    nnc_dtype math_dtype; /* number format of the operands of a product, which decides the peak FLOP/s */
    int64_t repeat;       /* number of equal instances of the op in one micro-batch */
    int32_t block;        /* number of the recompute block that contains the op; -1 = no block contains it */
    int32_t segment;      /* index of the segment of layers that contains the op, see nnc_segment */
    nnc_split split;
    bool tuned;      /* true: the op runs a kernel that was written for this device */
    bool recomputed; /* true: selective recomputation runs the op again in backward */
    bool dropped;    /* true: the inputs of the op are not kept for backward, but computed again */
    bool frozen;     /* true: the weights of the op are not trained, under this plan or by the model file */
    bool outside;    /* true: the op is outside the layers that the plan trains, so its weights are frozen and have no
                      * adapter */
    bool fixed;      /* true: the model file freezes the weights of the op, under every plan */
    bool in_place;   /* true: backward updates the rows of the table that were read; there is no gradient and no
                      * optimizer step for them */
    /* true: no trained weight precedes the op, so it has no backward and keeps no tensor */
    bool forward_only;
    /* true: the op has no backward because its result has no gradient; a layer that backward computes again runs the op
     * again */
    bool detached;
    bool tower; /* true: the op is part of a tower, a network whose output tokens the decoder reads */
    /* true: the op keeps library_kept bytes, and has a working set of library_transient bytes, for each of its
     * elements */
    bool by_library;
    double library_kept, library_transient;   /* bytes per element, for the elements that op_elements() in op_table.c
                                               * counts: kept for backward (library_kept), and working set
                                               * (library_transient) */
    bool recorded;                            /* true: the op is an operator of a captured program, whose list also
                                               * contains the backward operators */
    double recorded_kept, recorded_transient; /* as captured, independent of the dims: bytes kept for backward
                                               * (recorded_kept), bytes of the working set (recorded_transient) */
    nnc_weights weights;
    nnc_issued_as issued_as;
    nnc_issued issued[3]; /* kernels of forward [0], of backward or of the input gradient [1], and of the weight
                           * gradient [2] */
    /* number of modules of the program that forward of the op calls, and number of their parameter tensors; set only if
     * the software profile has module_hooks */
    float modules, tensors;
    double grad_bytes; /* bytes of one element of the gradient of the op's weights */
    /* share of the micro-batches whose weight gradient is added to the gradient of earlier micro-batches */
    double grad_accumulate;
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

/* Tests whether the op keeps no tensor for backward, because backward recomputes the whole module of the op. */
static inline bool nnc_op_keeps_nothing(const nnc_op *op) { return op->dropped && op->recomputed; }

static inline bool nnc_op_is_collective(const nnc_op *op) { return op->kind == NNC_OP_COLLECTIVE; }

/* ---- work, kept bytes and backward ops, computed from the dims of an op ---- */

/* Returns the FLOPs and the bytes moved of one instance of an op in its phase. nnc_op_work cannot fail. */
nnc_work nnc_op_work(const nnc_op *op);

/* nnc_flash_scores, nnc_flash_queries and nnc_flash_keys return a number of elements of an attention, summed over all
 * heads and sequences. nnc_flash_scores counts the elements of the scores, nnc_flash_queries those of the queries, and
 * nnc_flash_keys those of keys and values together. */
static inline double nnc_flash_scores(const nnc_flash *p) {
    return (double)p->batch * (double)p->heads * (double)p->s_q * (double)p->s_k;
}
static inline double nnc_flash_queries(const nnc_flash *p) {
    return (double)p->batch * (double)p->heads * (double)p->s_q * (double)p->head_dim;
}
static inline double nnc_flash_keys(const nnc_flash *p) {
    return (double)p->batch * (double)p->kv_heads * (double)p->s_k * (double)(p->head_dim + p->value_dim);
}

/* Returns the number and the bytes of the kernels that a library issues for an op in its current phase. */
static inline nnc_issued nnc_op_issued(const nnc_op *op) {
    return op->phase == NNC_PHASE_GRAD_WEIGHT                                   ? op->issued[2]
           : op->phase == NNC_PHASE_FORWARD || op->phase == NNC_PHASE_RECOMPUTE ? op->issued[0]
                                                                                : op->issued[1];
}

/* Returns the bytes of the tensors that one instance of a forward op keeps for backward. If several ops keep the same
 * tensor, only one of them counts its bytes. */
double nnc_op_kept_bytes(const nnc_op *op);
/* Returns the bytes of the tensors that backward of an op computes again because they were not kept. The recomputed
 * tensors are in memory only while backward of their op runs. */
double nnc_op_dropped_bytes(const nnc_op *op);

/* Adds the work and the kept bytes of an op to a derivation, with their formulas. */
void nnc_op_say(const nnc_op *op, nnc_derivation *why);
/* Adds the bytes of the kernels that a library issues for an op to a derivation, with their formulas. Adds nothing if
 * the op runs as one kernel. */
void nnc_op_say_issued(const nnc_op *op, nnc_derivation *why);

/* Writes the path of an op to `text`: place and name without repetition; the place "down.0" and the name "down.conv"
 * give "down.0.conv". Returns text. */
const char *nnc_op_path(const nnc_op *op, char *text, size_t size);

/* Returns the bytes of the largest working set of an op's backward. A working set is needed in addition to kept
 * tensors. For most ops the working set contains the gradients of input and output; for an unfused loss it contains
 * fp32 copies of the logits. */
double nnc_op_transient_bytes(const nnc_op *op);

/* Writes the backward ops of a forward op to `backward`, in the order in which they run. Returns the number of backward
 * ops, at most NNC_BACKWARD_MAX. */
enum { NNC_BACKWARD_MAX = 2 };
int nnc_op_backward(const nnc_op *op, nnc_op backward[NNC_BACKWARD_MAX]);

/* nnc_weights_active returns the number of parameters of one instance of an op that one token uses; nnc_weights_params
 * returns the number of all its parameters. */
int64_t nnc_weights_active(const nnc_weights *weights);
int64_t nnc_weights_params(const nnc_weights *weights);
/* Adds the number of all parameters of an op to a derivation, with its formula. */
void nnc_op_say_params(const nnc_op *op, nnc_derivation *why);

/* nnc_update_moment_bytes returns the bytes of the moments that an optimizer keeps, without the master copy of the
 * weights; nnc_update_say_moments adds their formula to a derivation, too.   [optimizer-states] */
double nnc_update_moment_bytes(const nnc_update *update);
/* Returns the number of kernels with which torch.optim updates one list of tensors (foreach=True); 0 = nncost does not
 * know this number for the optimizer. */
double nnc_optimizer_list_kernels(nnc_optimizer kind);
/* Returns the bytes per parameter of temporary tensors that an update of a list of tensors (foreach=True) allocates and
 * frees. */
double nnc_optimizer_list_bytes(nnc_optimizer kind, nnc_policy policy);
/* Returns the launches and shares of the optimizers of a recorded step. kind: the optimizer with the most operations;
 * NNC_OPTIMIZER_COUNT = the kinds are not known. */
nnc_launches nnc_optimizer_launches(const nnc_optimizer_group *groups, int32_t count, nnc_optimizer kind);
double nnc_update_say_moments(const nnc_update *update, nnc_derivation *why);

/* Tests whether an optimizer projects the gradients of linear layers to a lower rank (GaLore, APOLLO). */
bool nnc_optimizer_projects(nnc_optimizer kind);
/* Returns the variant of an optimizer with smaller moments, such as 8-bit Adam for Adam. An optimizer without a variant
 * with smaller moments is returned unchanged. */
nnc_optimizer nnc_optimizer_smaller(nnc_optimizer kind);

/* Returns the bytes per parameter of the gradient, in the format in which backward writes it and the update reads
 * it. */
double nnc_policy_gradient_io_bytes(nnc_policy policy);

/* Returns the bytes per parameter of the weights in the format in which matrix products read them. ZeRO 3 gathers
 * weights in the format of the matrix products, because each rank casts its shard before the gather. Sources:
 * all_gather_inputs of _fully_shard/_fsdp_param.py and pre_unshard of _flat_param.py (torch.distributed.fsdp). */
double nnc_policy_used_bytes(nnc_policy policy);

/* A FLOPs convention: states which FLOPs of a step count as model FLOPs. */
typedef struct nnc_convention {
    enum {
        NNC_COUNTS_ALL,
        NNC_COUNTS_WINDOW,
        NNC_COUNTS_MASK
    } pairs;          /* query-key pairs of attention whose FLOPs count: all pairs, all pairs within a window, or the
                       * pairs under the mask */
    bool by_params;   /* true: model FLOPs are computed from the numbers of parameters and tokens, not from the ops */
    const char *note; /* text for outputs that states which FLOPs this convention counts */
} nnc_convention;
const nnc_convention *nnc_convention_of(nnc_flops_convention convention);

/* Returns the FLOPs with which Muon orthogonalises one matrix of r x c elements, r <= c: five Newton-Schulz iterations,
 * each with two products of 2 r^2 c FLOPs and one product of 2 r^3 FLOPs. Source: Jordan 2024, "Muon".   [muon] */
double nnc_muon_flops(int64_t rows, int64_t cols);

/* Returns counted multiplications / executed multiplications of a kernel: 2.25 for fp32 convolutions that use
 * Winograd's F(2 x 2, 3 x 3), otherwise 1. Source: Lavin, Gray, arXiv:1509.09308.   [conv-time] */
static inline double nnc_op_products_saved(const nnc_op *op) {
    const nnc_conv *p = &op->u.conv;
    return op->kind == NNC_OP_CONV && op->math_dtype == NNC_FP32 && p->kernel == 3 &&
                   (p->kernel_w == 0 || p->kernel_w == 3) && p->stride == 1 && p->groups == 1
               ? 2.25
               : 1.0;
}

/* Sets *product to `batch` products C[m,n] = A[m,k] B[k,n]. Each product has its own B, and every rank stores all of A.
 * The padding bytes of the struct are set to zero, because ops are compared byte by byte. */
void nnc_matmul_set(nnc_matmul *product, int64_t batch, int64_t m, int64_t n, int64_t k);

/* Returns the number of query-key pairs that the mask of one head leaves, with s_q queries and s_k keys. window:
 * largest number of keys to which a query attends; 0 = no window. Sources: counts by inspection; docs/formulas.md
 * [attention-pairs] */
int64_t nnc_attention_pairs(int64_t s_q, int64_t s_k, bool causal, int64_t window);

/* Tests whether a precision of a plan applies only to the matrix products of layers, while all other ops run in 16
 * bits. fp8: arXiv:2209.05433; fp4: NVFP4, arXiv:2509.25149. */
static inline bool nnc_precision_is_narrow(nnc_dtype precision) { return precision == NNC_FP8 || precision == NNC_FP4; }

/* ---- nnc_op_row: the functions for one kind of op ---- */

/* Forms of an op's time: for each form, cost/op_time.c has a formula that computes the time of an op from fitted values
 * of the device. */
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

/* For each dim of an op, the number of ranks that divide it. */
typedef struct nnc_degrees {
    int64_t tensor, context, expert;
    int64_t expert_tensor; /* number of tensor ranks that divide each expert */
    int64_t expert_rows;   /* number of ranks that divide the tokens sent to experts */
    /* number of ranks that divide the tokens of norms: the number of context ranks; with sequence parallelism, context
     * ranks x tensor ranks */
    int64_t sequence;
    int64_t heads;     /* number of ranks that divide the heads of attention */
    int64_t positions; /* number of ranks that divide the queries of attention */
    double imbalance;  /* tokens of the busiest expert rank / mean of all expert ranks */
} nnc_degrees;

typedef struct nnc_op_row {
    const char *name;                         /* name of this kind of op, such as "matmul" */
    const char *(*name_of)(const nnc_op *op); /* returns the name of an op, such as "rms_norm"; NULL = every op of this
                                               * kind has the name `name` */
    nnc_work (*work)(const nnc_op *op);
    double (*kept)(const nnc_op *op);
    double (*transient)(const nnc_op *op);
    /* function that adds work, kept bytes and transient bytes of an op to a derivation, with their formulas */
    void (*say)(const nnc_op *op, nnc_derivation *why);
    int (*backward)(const nnc_op *op, nnc_op backward[NNC_BACKWARD_MAX]);
    void (*shard)(nnc_op *op, const nnc_degrees *degrees);
    void (*shape)(const nnc_op *op, char *text, size_t size);
    nnc_timed timed;
    nnc_timed (*timed_of)(const nnc_op *op); /* returns the form of time of an op; NULL = every op of this kind has the
                                              * form `timed` */
    const char *transient_what; /* name of the working set in outputs; NULL = the name is "gradients of activations" */
    bool fuses;                 /* true: in ideal mode the op is fused with its neighbours and moves no
                                 * bytes */
    bool hides_ring;            /* true: the communication of ring attention overlaps with ops of this kind */
} nnc_op_row;

/* Defines the functions of a row for one kind of op. The defined functions call three functions of the kind of op,
 * which record formulas in the derivation `why`: KIND_work (which also records the dims), KIND_kept and KIND_transient.
 * The function KIND_say records kept bytes and transient bytes only for forward ops. */
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
/* Sets the member `dim` of the struct `d`, and adds this member to the derivation `why`. */
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

/* nnc_op_no_backward is the function for kinds of ops without backward; it returns 0, the number of backward ops.
 * nnc_op_not_sharded is the function for kinds of ops whose dims no rank divides; it changes nothing. */
int nnc_op_no_backward(const nnc_op *op, nnc_op backward[NNC_BACKWARD_MAX]);
void nnc_op_not_sharded(nnc_op *op, const nnc_degrees *degrees);
/* The function for kinds of ops with one backward op, which is a copy of the forward op in the phase backward. Returns
 * 1, the number of backward ops. */
int nnc_op_same_backward(const nnc_op *op, nnc_op backward[NNC_BACKWARD_MAX]);

/* Texts in derivations that explain kept bytes and transient bytes; several kinds of ops use these texts. */
extern const char nnc_kept_note[], nnc_transient_note[];

/* nnc_at_least_one returns `value`, or 1 if `value` is less than 1. nnc_scaled_up returns `value` times `factor`,
 * rounded up. */
int64_t nnc_at_least_one(int64_t value);
int64_t nnc_scaled_up(int64_t value, double factor);

#endif
