/* Types and functions of graphs. A graph is a network as a list of ops, with lets (numbers that have names), macros and
 * repeats. The walk of a graph expands the list and infers the shape of every tensor.
 *
 * The reader in src/input makes an nnc_graph_net from a graph file. The walk makes ops with shapes and weights from the
 * nnc_graph_net. A sink receives the ops that the walk makes; src/shape and nnc_graph_measure have sinks.
 *
 * The folder src/graph does not depend on files, FLOPs or devices. When a walk reaches an op, the shapes of the op's
 * inputs are always known. The walk visits only the first of several equal iterations of a repeat, and passes the
 * number of equal iterations to the sink (the receiver of the ops). */
#ifndef NNCOST_GRAPH_GRAPH_INTERNAL_H
#define NNCOST_GRAPH_GRAPH_INTERNAL_H

#include <nncost/model.h>
#include <nncost/op.h>

#include "op/op_internal.h"

enum {
    NNC_GRAPH_PARAMS_MAX = 20,    /* largest number of parameters of one kind of op */
    NNC_GRAPH_ARGS_MAX = 16,      /* largest number of arguments of a macro */
    NNC_GRAPH_RANK_MAX = 4,       /* largest number of axes of a tensor, without the batch axis */
    NNC_GRAPH_NAMES_MAX = 64,     /* largest number of tensors that have a name at the same time */
    NNC_GRAPH_DEPTH_MAX = 24,     /* largest depth to which macros and repeats may be nested */
    NNC_GRAPH_TENSORS_MAX = 4096, /* largest number of tensors that one walk creates */
    NNC_GRAPH_STEPS_MAX = 16384,  /* largest number of list entries that one walk visits */
    NNC_GRAPH_TURNS_MAX = 100000, /* largest number of iterations of one repeat */
    /* largest number of operands of an expression that are on the stack at the same time */
    NNC_GRAPH_STACK_MAX = 16,
};

/* Largest number of elements of a tensor for one sample, and largest value of a number in a graph file. */
#define NNC_GRAPH_NUMBER_MAX 1000000000000000
#define NNC_GRAPH_DIM_MAX 1000000000 /* largest size of one axis */
#define NNC_GRAPH_KERNEL_MAX 1000

/* ---- expressions in graph files: "2 * heads + 1" ---- */

typedef enum nnc_code_kind {
    NNC_CODE_NUMBER, /* the operand `value`, a number */
    NNC_CODE_LET,    /* the let (a number with a name) whose index is `value` */
    NNC_CODE_ARG,    /* the argument with the index `value` of the macro that contains the expression */
    NNC_CODE_ADD,
    NNC_CODE_SUBTRACT,
    NNC_CODE_MULTIPLY,
    NNC_CODE_DIVIDE
} nnc_code_kind;

typedef struct nnc_code {
    nnc_code_kind kind;
    int64_t value;
} nnc_code;

/* An expression of a graph file, compiled to postfix order (operands before their operator). */
typedef struct nnc_expr {
    const nnc_code *code;
    int32_t count;    /* number of entries of `code`; 0 = the graph file does not give this expression */
    const char *text; /* the expression as text, as in the graph file */
} nnc_expr;

/* ---- the kinds of op that a graph file can contain ---- */

/* Kinds of op of graph files. Columns: value of the enum, name in files, help, and the word in the name of the C struct
 * that describes the kind ("conv" in nnc_graph_conv_row). The C struct of a kind of op lists the parameters of the op
 * and has the function that infers its output; shape/graph_family.c computes the cost of the op. The library does not
 * link if a kind of op has no struct. */
#define NNC_GRAPH_KIND_LIST(X)                                                                                       \
    X(NNC_GRAPH_INPUT, "input", "An additional input of the network: token ids or values.", input)                   \
    X(NNC_GRAPH_CONV, "conv", "A convolution over the positions of a map.", conv)                                    \
    X(NNC_GRAPH_CONV_TRANSPOSE, "conv_transpose", "A transposed convolution, which enlarges a map.", conv_transpose) \
    X(NNC_GRAPH_NORM, "norm", "A normalisation with a gain and, unless its kind is rms, a bias.", norm)              \
    X(NNC_GRAPH_ACT, "act", "An activation function.", act)                                                          \
    X(NNC_GRAPH_DROPOUT, "dropout", "Dropout sets random elements to 0.", dropout)                                   \
    X(NNC_GRAPH_POOL, "pool", "The maximum or the mean of each window of a map.", pool)                              \
    X(NNC_GRAPH_GLOBAL_POOL, "global_pool", "The mean over all positions of a map or over all tokens.", global_pool) \
    X(NNC_GRAPH_UPSAMPLE, "upsample", "A larger map: values are copied or interpolated.", upsample)                  \
    X(NNC_GRAPH_LINEAR, "linear", "A product of each token, or position, with a matrix.", linear)                    \
    X(NNC_GRAPH_ATTENTION, "attention", "Attention over projected queries, keys and values.", attention)             \
    X(NNC_GRAPH_RECURRENT, "recurrent", "An LSTM, a GRU or a plain recurrent layer, token by token.", recurrent)     \
    X(NNC_GRAPH_EMBED, "embed", "The row of a table for each token id.", embed)                                      \
    X(NNC_GRAPH_TABLE, "table", "Appends the sum of some rows of a table to the current vector.", table)             \
    X(NNC_GRAPH_POSITION, "position", "Adds a value per position, or rotates pairs of values.", position)            \
    X(NNC_GRAPH_TIMESTEP, "timestep", "Sines and cosines of a time step.", timestep)                                 \
    X(NNC_GRAPH_SCALE, "scale", "Multiplies channels by learned values, or adds the values.", scale)                 \
    X(NNC_GRAPH_ADD, "add", "The sum of the current tensor and another tensor.", add)                                \
    X(NNC_GRAPH_MUL, "mul", "The element-wise product of the current tensor and another tensor.", mul)               \
    X(NNC_GRAPH_CONCAT, "concat", "Appends another tensor to the current tensor.", concat)                           \
    X(NNC_GRAPH_SLICE, "slice", "A part of the channels, or of the tokens.", slice)                                  \
    X(NNC_GRAPH_PREPEND, "prepend", "Adds learned tokens before the first token.", prepend)                          \
    X(NNC_GRAPH_SELECT, "select", "One of the tokens.", select)                                                      \
    X(NNC_GRAPH_VIEW, "view", "The values of the current tensor in another shape.", view)                            \
    X(NNC_GRAPH_FLATTEN, "flatten", "All values of a sample as one vector.", flatten)                                \
    X(NNC_GRAPH_TO_TOKENS, "to_tokens", "Each position of a map becomes a token.", to_tokens)                        \
    X(NNC_GRAPH_TO_MAP, "to_map", "Tokens become the positions of a map.", to_map)                                   \
    X(NNC_GRAPH_TRANSPOSE, "transpose", "Tokens become channels, and channels become tokens.", transpose)            \
    X(NNC_GRAPH_FOLD, "fold", "Squares of positions become channels.", fold)                                         \
    X(NNC_GRAPH_UNFOLD, "unfold", "Channels become squares of positions.", unfold)                                   \
    X(NNC_GRAPH_LOSS, "loss", "The loss of training.", loss)
NNC_ENUM(nnc_graph_kind, NNC_GRAPH_KIND_LIST, NNC_GRAPH_KIND_COUNT);
const char *nnc_graph_kind_name(nnc_graph_kind value);
const char *nnc_graph_kind_help(nnc_graph_kind value);

typedef enum nnc_graph_param_type {
    NNC_GRAPH_NUMBER,
    NNC_GRAPH_WORD,   /* the value is a word from the list `words` */
    NNC_GRAPH_TENSOR, /* the value is the name of a tensor */
    NNC_GRAPH_SHAPE   /* the value is a shape: one number for each axis of a tensor */
} nnc_graph_param_type;

typedef struct nnc_graph_param {
    /* name of the parameter in a graph file; NULL = the kind of op has no parameter with this index */
    const char *name;
    nnc_graph_param_type type;
    const char *const *words; /* if the type is NNC_GRAPH_WORD: the words that are accepted; NULL ends the list */
    bool required;
    /* value of the parameter if the graph file does not give it; NNC_GRAPH_UNSAID = the function `infer` of the kind of
     * op chooses the value */
    int64_t unsaid;
    int64_t min, max;
    const char *help;
} nnc_graph_param;

#define NNC_GRAPH_UNSAID INT64_MIN

/* ---- a network as it was read from a graph file: entries of lists of ops ---- */

typedef struct nnc_graph_value {
    nnc_expr number;
    /* If the value is a word or a tensor: index of the word, or index of the name of the tensor; -1 = the graph file
     * does not give the value. */
    int32_t index;
} nnc_graph_value;

typedef enum nnc_graph_step {
    NNC_STEP_OP,
    NNC_STEP_USE,
    NNC_STEP_REPEAT,
    NNC_STEP_IF,
    NNC_STEP_TIED,   /* a list of ops that share the weights of earlier ops */
    NNC_STEP_FROZEN, /* a list of ops whose weights are never trained */
    NNC_STEP_FROM,   /* the named tensor becomes the current tensor, which the next op reads */
    NNC_STEP_AS      /* the current tensor gets a name; no op is added */
} nnc_graph_step;

struct nnc_graph_node;

typedef struct nnc_graph_ops {
    const struct nnc_graph_node *nodes;
    int32_t count;
} nnc_graph_ops;

typedef struct nnc_graph_define {
    const char *name;
    int32_t arg_count;
    const char *args[NNC_GRAPH_ARGS_MAX];
    /* default values of the macro's arguments; if an expression is empty, the argument has no default and has to be
     * given */
    nnc_expr defaults[NNC_GRAPH_ARGS_MAX];
    nnc_graph_ops ops;
} nnc_graph_define;

typedef struct nnc_graph_node {
    nnc_graph_step step;
    const char *where; /* place of this entry in the graph file, for messages, such as "define.stage.ops[1]" */
    /* as: index of the name that the output tensor of the entry gets; -1 = the tensor gets no name. from: index of the
     * tensor that the entry reads; -1 = the entry reads the output of the entry before it. */
    int32_t as, from;
    /* The next members are used only if the entry is an op. */
    nnc_graph_kind kind;
    const char *label; /* name of the op in outputs, such as "bottleneck.conv" */
    nnc_group group;   /* group of the op in outputs; NNC_GROUP_COUNT = the kind of op decides the group */
    nnc_graph_value values[NNC_GRAPH_PARAMS_MAX];
    nnc_expr shape[NNC_GRAPH_RANK_MAX];
    int32_t shape_count;
    /* The next members are used only if the entry uses a macro. */
    const nnc_graph_define *define;
    nnc_expr args[NNC_GRAPH_ARGS_MAX];
    /* The next members are used only if the entry is a repeat, an if, or a list of ops with shared weights (tied) or
     * untrained weights (frozen). For a repeat, `count` is the number of iterations. For an if, `count` = 0 means that
     * the condition does not hold. For a list of ops with shared (tied) or untrained (frozen) weights, `count` = 0
     * means that the list has no effect. */
    nnc_expr count;
    nnc_graph_ops ops;
} nnc_graph_node;

/* A whole graph file. A let is a number with a name. The arrays contain first the lets whose value is a plain number,
 * which a user may change. After the plain numbers, the arrays contain the lets that are computed from other lets. */
struct nnc_graph_net {
    const char *let_names[NNC_GRAPH_LETS_MAX];
    /* formulas of the lets that are computed; if a formula is empty, the let is a plain number, and its value is in
     * nnc_graph.lets */
    nnc_expr lets[NNC_GRAPH_LETS_MAX];
    int32_t let_count;
    /* index of the let that is the side length of an image or the number of tokens of a sequence; -1 = the graph has no
     * such let, and the size is fixed */
    int32_t length_let;
    bool images;              /* true: the network reads feature maps; false: the network reads tokens */
    const char *const *names; /* names of all tensors that have a name in the graph file */
    int32_t name_count;
    nnc_graph_node input;
    nnc_graph_ops ops;
    /* the members "input", "define" and "ops" of the graph file as text; NULL = the file does not have the member */
    const char *texts[3];
    /* the repeat whose iterations are the layers that a pipeline distributes over its stages; NULL = the network has no
     * such repeat */
    const nnc_graph_node *layers;
};

/* ---- the walk over a network ---- */

typedef struct nnc_graph_tensor {
    int32_t rank;
    /* For one sample, the number of elements along each axis of the tensor. Map: channels, height, width. Volume:
     * channels, depth, height, width. Tokens: number of tokens, width. Any other tensor: width. */
    int64_t dims[NNC_GRAPH_RANK_MAX];
    /* true: the elements of the tensor are token ids, with which an op looks up rows of a table */
    bool ids;
    /* true: tensor parallelism divides the width of the tensor, and each rank has one part */
    bool sharded;
    /* index of the storage (memory) of the tensor; a tensor and its views have the same index */
    int32_t storage;
} nnc_graph_tensor;

/* Data that a sink (receiver of the ops of a walk) stores for the storage of a tensor. A tensor and its views have one
 * storage, so the sink stores one set of data for the tensor and its views. */
typedef struct nnc_graph_storage {
    /* flags that the sink sets; two iterations of a repeat are equal only if the flags of their storages are equal */
    uint32_t flags;
    /* a number that the sink sets; two iterations of a repeat can be equal even if this number differs */
    int32_t producer;
} nnc_graph_storage;

typedef struct nnc_graph_weights {
    /* weights of an op: `count` matrices of rows x cols elements, and `vector` further elements */
    int64_t count, rows, cols, vector;
    bool table;
} nnc_graph_weights;

/* An op that the walk has reached: the values of its parameters, its input and output tensors, and its weights. */
typedef struct nnc_graph_op {
    const nnc_graph_node *node;
    /* values of the op's parameters, in the order of the parameters in the description of the kind of op; for a
     * parameter that is a word, the index of the word in the list of allowed words */
    const int64_t *values;
    /* in, with, also: the input tensors of the op; out: its output tensor. rank 0 of a tensor (it has no axes) = the op
     * does not have this tensor */
    nnc_graph_tensor in, with, also, out;
    nnc_graph_weights weights;
} nnc_graph_op;

typedef struct nnc_graph_fault {
    const char *where; /* place in the graph file where something is wrong; NULL = no fault was found */
    char what[256];
} nnc_graph_fault;

typedef struct nnc_graph_binding {
    int32_t name;
    nnc_graph_tensor tensor;
} nnc_graph_binding;

typedef struct nnc_graph_walk nnc_graph_walk;

/* The functions that receive the ops of a walk. op: called for each op, in order. enter: called before an iteration of
 * a repeat; its return value is passed to `leave` as `mark`. leave: called after the iteration. turns: number of equal
 * iterations for which this iteration stands, at least 1; the walk visits only this one of the equal iterations. */
typedef struct nnc_graph_sink {
    void *context;
    void (*op)(void *context, nnc_graph_walk *walk, const nnc_graph_op *op);
    int32_t (*enter)(void *context, nnc_graph_walk *walk, const nnc_graph_node *repeat);
    void (*leave)(void *context, int32_t mark, int64_t turns);
} nnc_graph_sink;

struct nnc_graph_walk {
    const struct nnc_graph_net *net;
    const nnc_graph_sink *sink;
    nnc_graph_fault *fault;
    int64_t lets[NNC_GRAPH_LETS_MAX];
    nnc_graph_tensor current;
    bool begun; /* true: the walk has reached a first tensor, which is in `current` */
    nnc_graph_binding bindings[NNC_GRAPH_NAMES_MAX];
    /* binding_count: number of names in `bindings`; frame: index in `bindings` of the first name that belongs to the
     * current macro */
    int32_t binding_count, frame;
    nnc_graph_storage storages[NNC_GRAPH_TENSORS_MAX];
    int32_t storage_count;
    int32_t steps, depth, repeats;
    /* number of lists that contain the current op: tied = lists with shared weights; frozen = lists with untrained
     * weights */
    int32_t tied, frozen;
};

/* Walks the whole network with the given values of the lets (numbers with names in the graph file), and calls the
 * functions of the sink. Returns false if the walk found a fault. */
bool nnc_graph_run(const struct nnc_graph_net *net, const int64_t *lets, const nnc_graph_sink *sink,
                   nnc_graph_fault *fault);

/* Records a fault at an entry of a list of ops. If the walk has already recorded a fault, the first fault stays. Always
 * returns false. */
bool nnc_graph_fail(nnc_graph_walk *walk, const nnc_graph_node *node, const char *format, ...) NNC_PRINTF(3, 4);

/* Computes the value of an expression of a graph file. Returns false if a division has a remainder or the value is out
 * of range. */
bool nnc_expr_value(const nnc_expr *expr, const int64_t *lets, const int64_t *args, int64_t *value);

/* Numbers of parameters, ops and layers of a whole network. layers: number of equal layers; 0 = the network has no
 * layers, or its layers differ. */
typedef struct nnc_graph_sizes {
    int64_t params, ops;
    /* stream: number of elements, for one sample, of the tensor that a layer passes to the next layer */
    int64_t layers, stream;
    bool tables; /* true: the network has an embedding table that backward updates in place */
} nnc_graph_sizes;
bool nnc_graph_measure(const struct nnc_graph_net *net, const int64_t *lets, nnc_graph_sizes *sizes,
                       nnc_graph_fault *fault);

/* ---- captured programs: a PyTorch step as a list of operators ---- */

/* Kinds of operator of a captured program. The kind of an operator decides by which formula the time of the operator is
 * computed. */
typedef enum nnc_captured_kind {
    NNC_CAPTURED_KERNEL, /* an operator that only reads and writes tensors, so that its time follows from its bytes */
    NNC_CAPTURED_PRODUCT,
    NNC_CAPTURED_CONV,
    /* the operator convolution_backward of PyTorch is split into two or three entries: gradients of input, weight and
     * bias */
    NNC_CAPTURED_CONV_GRAD_INPUT,
    NNC_CAPTURED_CONV_GRAD_WEIGHT,
    NNC_CAPTURED_ATTENTION
} nnc_captured_kind;

/* One operator of forward or backward that PyTorch issued. The bytes and parameters in nnc_captured_op are those of one
 * instance of the operator; `repeat` is the number of equal instances. */
typedef struct nnc_captured_op {
    /* name: name of the operator, such as "convolution"; module: path of the module that called the operator, such as
     * "layer1.0.conv1" */
    const char *name, *module;
    nnc_captured_kind kind;
    nnc_phase phase; /* phase of the operator: forward or backward */
    bool again;      /* true: a second run of an operator of forward, in backward (recomputation) */
    nnc_group group;
    nnc_dtype dtype; /* number format of the operands */
    int64_t repeat;
    /* number of time steps of a recurrent layer that one call of the operator computes, one time step after another; 1
     * for an operator that belongs to no recurrent layer */
    int64_t steps;
    bool
        /* true: this entry and the entry before it belong to one call of an operator. This entry has further time steps
         * of the call, and launches no kernel */
        continues;
    /* dims of a matrix product: `batch` products of an (m x k) matrix and a (k x n) matrix */
    int64_t batch, m, n, k;
    int64_t c_in, c_out, h_in, w_in, h_out, w_out, stride; /* dims of a convolution, together with `batch` */
    int64_t kernel, kernel_w, groups;
    int64_t heads, kv_heads, s_q, s_k, head_dim, value_dim; /* dims of an attention, together with `batch` */
    bool transposed, causal, bias;
    double read_bytes, write_bytes;
    /* bytes of those tensors that this operator writes, that backward reads, and that stay in memory until then */
    double kept_bytes;
    /* bytes of the temporary tensors that are in memory while the operator runs; only for an operator of backward */
    double transient_bytes;
    /* dims of the parameters that no operator before this one reads: a matrix of rows x cols elements, and `vector`
     * more elements */
    int64_t rows, cols, vector;
    bool table; /* true: the parameters are a table from which the operator reads single rows */
    bool tied;  /* true: a later matrix product multiplies with the table, so the parameters of the table are parameters
                 * of a matrix */
    /* size of the vocabulary of the program, if one axis of a tensor of this operator has this size; else 0 */
    int64_t words;
    bool frozen; /* true: training does not change the parameters of the operator */
    /* index of the part of the program (nnc_captured_slot) that contains the operator */
    int32_t slot;
    bool narrow; /* true: autocast makes the operator compute in 16 bits */
    /* casts of operands and gradients that autocast adds to the operator. cast_kernels: number of casts. cast_bytes:
     * bytes that the casts move. */
    double cast_kernels, cast_bytes;
    /* Kernels under torch.compile, as nnc_capture_fuse counts them. fused_kernels, fused_bytes: number and bytes of the
     * kernels that run the operator and the operators fused with it; 0 = another operator of the same kernel has these
     * values. fused_cast_kernels: number of casts that run as separate kernels. fused_cast_bytes: bytes that all casts
     * move. */
    double fused_kernels, fused_bytes, fused_cast_kernels, fused_cast_bytes;
} nnc_captured_op;

/* One part of a captured program: successive forward operators that belong to one unit, or that lie between two units,
 * and the backward of these operators. A unit is a sequence of equal layers, or a module of a numbered list
 * ("layer1.0"). ZeRO 3 gathers all weights of a unit at once, and with full recomputation backward runs the whole unit
 * a second time. Operators outside units are, for example, those of the embedding table, the head and the loss. */
typedef struct nnc_captured_slot {
    bool unit;
    int64_t repeat;
    /* bytes of the tensors that one instance of the unit reads and that were created outside the unit */
    double input_bytes;
} nnc_captured_slot;

/* One training step of a PyTorch program, read from a file with the schema nncost.capture/1. */
struct nnc_captured {
    /* operators of forward and backward in the order in which they ran; operators of the optimizer are not in this
     * list */
    const nnc_captured_op *ops;
    int32_t count;
    /* parts of the program (units, and the operators between two units), in the order of forward */
    const nnc_captured_slot *slots;
    int32_t slot_count;
    /* number of forward and backward passes in the step; more than 1 if the program accumulates gradients over
     * micro-batches */
    int32_t passes;
    bool inference; /* true: the program runs only forward, without backward, and trains no parameter */
    int64_t batch;  /* number of samples in the step */
    int64_t tokens; /* number of tokens in the step; 0 = the program looks up no tokens */
    int64_t image;  /* pixels per side of the input; 0 = the input is not an image */
    int64_t params, table_params;
    /* number of rows of the largest table in which the program looks up tokens; 0 = the program has no such table */
    int64_t vocab;
    /* number of all operators that the host issues in one step, including the operators of the optimizer */
    int64_t operators;
    double input_bytes;
    /* bytes of gradients, kept tensors and temporary tensors at the operator (of forward or backward) where their sum
     * is largest */
    double peak_gradients, peak_kept, peak_temporary;
    /* number format of the trained parameters; if the program trains no parameter, number format of all parameters */
    nnc_dtype dtype;
    nnc_frozen frozen; /* number format of the frozen parameters; NNC_FROZEN_COUNT = all parameters are trained */
    /* optimizer of the program, found from the operators of its update; NNC_OPTIMIZER_COUNT = the capture has no
     * update */
    nnc_optimizer optimizer;
    /* kind of kernels with which the program runs the optimizer update: fused, foreach or loop */
    nnc_optimizer_kernels kernels;
    /* optimizer_groups: lists of tensors that the optimizers update; strongest: the optimizer with the most
     * operations */
    const nnc_optimizer_group *optimizer_groups;
    int32_t optimizer_group_count;
    nnc_optimizer strongest;
    /* the same step under autocast; NULL = the step was not recorded in fp32 */
    const struct nnc_captured *autocast;
    /* 16-bit format of the autocast regions of a program whose step was recorded in fp32; NNC_DTYPE_COUNT = the program
     * has no autocast region */
    nnc_dtype autocast_dtype;
    /* the same program, recorded with another number of samples; NULL = the file has no second recording */
    const struct nnc_captured *second;
};

/* ---- the row of each kind of op ---- */

typedef struct nnc_graph_kind_row {
    const nnc_graph_param *params;
    int32_t param_count;
    /* Infers the output tensor and the weights of an op from its input tensors. Returns false if the walk found a
     * fault. */
    bool (*infer)(nnc_graph_walk *walk, nnc_graph_op *op);
    /* true: the op can compute one part of the width from this part alone, so tensor ranks may divide the width */
    bool parts;
} nnc_graph_kind_row;
const nnc_graph_kind_row *nnc_graph_kind_row_of(nnc_graph_kind kind);

/* Returns the axis of a tensor that is its width (channels): the first axis of a map, the last axis of a tensor of
 * tokens. */
int nnc_graph_width_axis(const nnc_graph_tensor *t);
int64_t nnc_graph_width(const nnc_graph_tensor *t);
/* For one sample of a tensor, nnc_graph_elements returns the number of elements, and nnc_graph_positions returns the
 * number of positions (pixels of a map, or tokens). */
int64_t nnc_graph_elements(const nnc_graph_tensor *t);
bool nnc_graph_same_shape(const nnc_graph_tensor *a, const nnc_graph_tensor *b);
int64_t nnc_graph_positions(const nnc_graph_tensor *t);
/* Writes the shape of a tensor to `text`, such as "3 x 224 x 224". Returns `text`. */
const char *nnc_graph_shape_text(const nnc_graph_tensor *t, char text[96]);

#define NNC_GRAPH_KIND_ROW(name, text, help, row) extern const nnc_graph_kind_row nnc_graph_##row##_row;
NNC_GRAPH_KIND_LIST(NNC_GRAPH_KIND_ROW)
#undef NNC_GRAPH_KIND_ROW

#define NNC_GRAPH_ROW(list, function) \
    { .params = (list), .param_count = sizeof(list) / sizeof(list)[0], .infer = (function) }

#define NNC_GRAPH_PARTS_ROW(list, function) \
    { .params = (list), .param_count = sizeof(list) / sizeof(list)[0], .infer = (function), .parts = true }

/* Indices into the parameter values of an op. All kinds of op with a window that moves over a map (convolution, pool)
 * have equal indices for the parameters of the window; a kind of op without dilation does not use the index
 * NNC_WINDOW_DILATION. */
enum {
    NNC_WINDOW_KERNEL,
    NNC_WINDOW_STRIDE,
    NNC_WINDOW_PAD,
    NNC_WINDOW_PAD_END,
    NNC_WINDOW_KERNEL_W,
    NNC_WINDOW_STRIDE_W,
    NNC_WINDOW_PAD_W,
    NNC_WINDOW_PAD_END_W,
    NNC_WINDOW_KERNEL_D,
    NNC_WINDOW_STRIDE_D,
    NNC_WINDOW_PAD_D,
    NNC_WINDOW_PAD_END_D,
    NNC_WINDOW_DILATION,
    NNC_WINDOW_OWN, /* index of the first parameter of an op that is not a parameter of its window */
    NNC_CONV_OUT = NNC_WINDOW_OWN,
    NNC_CONV_GROUPS,
    NNC_CONV_BIAS,
    NNC_CONV_OUTPUT_PAD,
    NNC_CONV_STANDARDIZE, /* a transposed convolution has no parameters NNC_CONV_STANDARDIZE and NNC_CONV_GAIN */
    NNC_CONV_GAIN,
    NNC_POOL_KIND = NNC_WINDOW_OWN,
    NNC_WINDOW_CEIL = NNC_GRAPH_PARAMS_MAX - 1
};
enum { NNC_POOL_MAX, NNC_POOL_MEAN };
enum { NNC_UPSAMPLE_KIND, NNC_UPSAMPLE_FACTOR };
enum { NNC_UPSAMPLE_NEAREST, NNC_UPSAMPLE_BILINEAR };
enum { NNC_TO_MAP_HEIGHT };
enum { NNC_NORM_PARAM_KIND, NNC_NORM_PARAM_GROUPS, NNC_NORM_PARAM_AFFINE, NNC_NORM_PARAM_BIAS, NNC_NORM_PARAM_HEADS };
enum { NNC_LINEAR_OUT, NNC_LINEAR_BIAS, NNC_LINEAR_SPLIT, NNC_LINEAR_UNBIASED };
enum { NNC_LINEAR_WHOLE, NNC_LINEAR_COLUMNS, NNC_LINEAR_ROWS };
enum {
    NNC_ACT_RELU,
    NNC_ACT_GELU,
    NNC_ACT_SILU,
    NNC_ACT_SIGMOID,
    NNC_ACT_TANH,
    NNC_ACT_HARD_SIGMOID,
    NNC_ACT_HARD_SWISH,
    NNC_ACT_SOFTMAX,
    /* NNC_ACT_SWIGLU and NNC_ACT_GEGLU read a gate and a value, which are the halves of the width, and multiply the
     * value by a function of the gate */
    NNC_ACT_SWIGLU,
    NNC_ACT_GEGLU
};
enum { NNC_SCALE_GAIN, NNC_SCALE_BIAS, NNC_SCALE_CONSTANT };
enum { NNC_CONCAT_WITH, NNC_CONCAT_AXIS, NNC_CONCAT_COPY };
enum { NNC_AXIS_CHANNELS, NNC_AXIS_TOKENS };
enum { NNC_SLICE_SIZE, NNC_SLICE_START, NNC_SLICE_AXIS };
enum {
    NNC_ATTENTION_HEADS,
    NNC_ATTENTION_KV_HEADS,
    NNC_ATTENTION_KEY,
    NNC_ATTENTION_VALUE,
    NNC_ATTENTION_CAUSAL,
    NNC_ATTENTION_WINDOW,
    NNC_ATTENTION_BIASES,
    NNC_ATTENTION_MLP,
    NNC_ATTENTION_LINEAR
};
enum { NNC_RECURRENT_KIND, NNC_RECURRENT_HIDDEN, NNC_RECURRENT_BOTH, NNC_RECURRENT_BIAS };
enum { NNC_RECURRENT_LSTM, NNC_RECURRENT_GRU, NNC_RECURRENT_RNN };
enum { NNC_EMBED_ROWS, NNC_EMBED_WIDTH };
enum { NNC_TABLE_ROWS, NNC_TABLE_WIDTH, NNC_TABLE_LOOKUPS };
enum { NNC_POSITION_KIND, NNC_POSITION_ROWS };
enum { NNC_POSITION_LEARNED, NNC_POSITION_FIXED, NNC_POSITION_ROTARY };
enum { NNC_LOSS_CROSS_ENTROPY, NNC_LOSS_SQUARED_ERROR };

/* A window (of a convolution or pool) that moves over one axis of a map. */
typedef struct nnc_graph_window {
    int64_t kernel, stride, pad, pad_end, dilation;
    bool ceil; /* true: the last window may extend beyond the padded map */
} nnc_graph_window;
/* Sets windows[0], [1] and [2] to the windows of an op along height, width and depth. */
void nnc_graph_windows(const nnc_graph_op *op, nnc_graph_window windows[3]);

/* Checks that the input of an op holds numbers to compute with, and not token ids. Returns false if the check failed
 * and a fault was recorded. */
bool nnc_graph_needs_values(nnc_graph_walk *walk, const nnc_graph_op *op);

#endif
