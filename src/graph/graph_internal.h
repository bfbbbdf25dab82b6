/* A network as a list of ops: numbers with names, macros and repeats, and the walk that infers every shape.
 *
 *     file --input/graph_read--> nnc_graph_net --walk--> ops with shapes and weights --sink--> shape/, measure, explain
 *
 * This folder is independent of files, FLOPs and devices. Invariants of a walk: the shapes of an op's inputs are known;
 * iterations of a repeat that start from the same state are walked once, and the sink receives their number. */
#ifndef NNCOST_GRAPH_GRAPH_INTERNAL_H
#define NNCOST_GRAPH_GRAPH_INTERNAL_H

#include <nncost/model.h>
#include <nncost/op.h>

enum {
    NNC_GRAPH_PARAMS_MAX = 20,    /* parameters of a kind of op */
    NNC_GRAPH_ARGS_MAX = 16,      /* arguments of a macro */
    NNC_GRAPH_RANK_MAX = 4,       /* axes of a tensor, without the batch */
    NNC_GRAPH_NAMES_MAX = 64,     /* tensors that have a name at the same time */
    NNC_GRAPH_DEPTH_MAX = 24,     /* nesting of macros and repeats */
    NNC_GRAPH_TENSORS_MAX = 4096, /* tensors made in one walk */
    NNC_GRAPH_STEPS_MAX = 16384,  /* entries of lists of ops that one walk may visit */
    NNC_GRAPH_TURNS_MAX = 100000, /* iterations of one repeat */
    NNC_GRAPH_STACK_MAX = 16,     /* operands of an expression that wait for their operator */
};

/* Largest number of elements of a tensor per sample; also the largest number that a file may contain. */
#define NNC_GRAPH_NUMBER_MAX 1000000000000000
#define NNC_GRAPH_DIM_MAX 1000000000 /* largest size of one axis */
#define NNC_GRAPH_KERNEL_MAX 1000

/* ---- expressions ---- */

typedef enum nnc_code_kind {
    NNC_CODE_NUMBER, /* the number itself */
    NNC_CODE_LET,    /* the value of the let with this index */
    NNC_CODE_ARG,    /* the argument with this index of the enclosing macro */
    NNC_CODE_ADD,
    NNC_CODE_SUBTRACT,
    NNC_CODE_MULTIPLY,
    NNC_CODE_DIVIDE
} nnc_code_kind;

typedef struct nnc_code {
    nnc_code_kind kind;
    int64_t value;
} nnc_code;

/* An expression in postfix order: operands before their operator. */
typedef struct nnc_expr {
    const nnc_code *code;
    int32_t count;    /* 0 = absent */
    const char *text; /* text in the file */
} nnc_expr;

/* ---- kinds of op ---- */

/* Kinds of op. Columns: enumerator, name in files, help, start of the name of the row ("conv" in nnc_graph_conv_row).
 * The row lists the parameters of the kind and infers the output of an op; shape/graph_family.c computes its cost. A
 * kind without a row does not link. */
#define NNC_GRAPH_KIND_LIST(X)                                                                                       \
    X(NNC_GRAPH_INPUT, "input", "Another input of the network: token ids or values.", input)                         \
    X(NNC_GRAPH_CONV, "conv", "A convolution over the positions of a map.", conv)                                    \
    X(NNC_GRAPH_CONV_TRANSPOSE, "conv_transpose", "A transposed convolution, which enlarges a map.", conv_transpose) \
    X(NNC_GRAPH_NORM, "norm", "A normalisation with a gain, and a bias unless it is rms.", norm)                     \
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
    X(NNC_GRAPH_ADD, "add", "The sum with another tensor.", add)                                                     \
    X(NNC_GRAPH_MUL, "mul", "The element-wise product with another tensor.", mul)                                    \
    X(NNC_GRAPH_CONCAT, "concat", "Appends another tensor to the current tensor.", concat)                           \
    X(NNC_GRAPH_SLICE, "slice", "A part of the channels, or of the tokens.", slice)                                  \
    X(NNC_GRAPH_PREPEND, "prepend", "Adds learned tokens before the first token.", prepend)                          \
    X(NNC_GRAPH_SELECT, "select", "One of the tokens.", select)                                                      \
    X(NNC_GRAPH_VIEW, "view", "The same values in another shape.", view)                                             \
    X(NNC_GRAPH_FLATTEN, "flatten", "All values of a sample as one vector.", flatten)                                \
    X(NNC_GRAPH_TO_TOKENS, "to_tokens", "Each position of a map becomes a token.", to_tokens)                        \
    X(NNC_GRAPH_TO_MAP, "to_map", "Tokens become the positions of a map.", to_map)                                   \
    X(NNC_GRAPH_FOLD, "fold", "Squares of positions become channels.", fold)                                         \
    X(NNC_GRAPH_UNFOLD, "unfold", "Channels become squares of positions.", unfold)                                   \
    X(NNC_GRAPH_LOSS, "loss", "The loss of training.", loss)
NNC_ENUM(nnc_graph_kind, NNC_GRAPH_KIND_LIST, NNC_GRAPH_KIND_COUNT);
const char *nnc_graph_kind_name(nnc_graph_kind value);
const char *nnc_graph_kind_help(nnc_graph_kind value);

typedef enum nnc_graph_param_type {
    NNC_GRAPH_NUMBER,
    NNC_GRAPH_WORD,   /* one word of the list in `words` */
    NNC_GRAPH_TENSOR, /* the name of a tensor */
    NNC_GRAPH_SHAPE   /* numbers, one for each axis */
} nnc_graph_param_type;

typedef struct nnc_graph_param {
    const char *name; /* name of the parameter in a graph file; NULL = the kind does not use this parameter */
    nnc_graph_param_type type;
    const char *const *words; /* type WORD: words that the parameter may have; the list ends with NULL */
    bool required;
    int64_t unsaid; /* default value; NNC_GRAPH_UNSAID = the function `infer` of the kind decides */
    int64_t min, max;
    const char *help;
} nnc_graph_param;

#define NNC_GRAPH_UNSAID INT64_MIN

/* ---- a network as it was read from a graph file ---- */

typedef struct nnc_graph_value {
    nnc_expr number;
    int32_t index; /* index of a word or of a tensor's name; -1 = not given */
} nnc_graph_value;

typedef enum nnc_graph_step {
    NNC_STEP_OP,
    NNC_STEP_USE,
    NNC_STEP_REPEAT,
    NNC_STEP_IF,
    NNC_STEP_TIED,   /* a list of ops that use the weights of earlier ops */
    NNC_STEP_FROZEN, /* a list of ops whose weights are never trained */
    NNC_STEP_FROM,   /* makes a named tensor the current tensor again */
    NNC_STEP_AS      /* only gives the current tensor a name */
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
    nnc_expr defaults[NNC_GRAPH_ARGS_MAX]; /* default values of the arguments; an empty expression = the argument is
                                            * required */
    nnc_graph_ops ops;
} nnc_graph_define;

typedef struct nnc_graph_node {
    nnc_graph_step step;
    const char *where; /* place of this entry in the file: "define.stage.ops[1]" */
    int32_t as, from;  /* as: index of the name that the output gets; from: index of the tensor that the entry
                        * reads instead of the last output; -1 = none given */
    /* used only if the entry is an op */
    nnc_graph_kind kind;
    const char *label; /* name of the op in outputs: "bottleneck.conv" */
    nnc_group group;   /* NNC_GROUP_COUNT = the group follows from the kind */
    nnc_graph_value values[NNC_GRAPH_PARAMS_MAX];
    nnc_expr shape[NNC_GRAPH_RANK_MAX];
    int32_t shape_count;
    /* used only if the entry uses a macro */
    const nnc_graph_define *define;
    nnc_expr args[NNC_GRAPH_ARGS_MAX];
    /* used only if the entry is a repeat, an if, or a list of tied or frozen ops. count: number of repeats; for an
     * if or a list, 0 = off. */
    nnc_expr count;
    nnc_graph_ops ops;
} nnc_graph_node;

/* A whole graph file. A let is a number with a name. The lets that are plain numbers come first; users may set them.
 * The lets that are computed from other lets follow. */
struct nnc_graph_net {
    const char *let_names[NNC_GRAPH_LETS_MAX];
    nnc_expr lets[NNC_GRAPH_LETS_MAX]; /* formulas of computed lets; an empty expression = the let is a plain number,
                                        * stored in nnc_graph.lets */
    int32_t let_count;
    int32_t length_let; /* index of the let that is the side of the image or the length of the sequence; -1 = fixed */
    bool images;        /* on: the input is a feature map; off: tokens */
    const char *const *names; /* names of the tensors of the file */
    int32_t name_count;
    nnc_graph_node input;
    nnc_graph_ops ops;
    const char *texts[3];         /* input, define and ops as text of the file; NULL = not in the file */
    const nnc_graph_node *layers; /* the repeat that pipeline stages divide; NULL = no such repeat */
};

/* ---- the walk ---- */

typedef struct nnc_graph_tensor {
    int32_t rank;
    int64_t dims
        [NNC_GRAPH_RANK_MAX]; /* sizes for one sample: channels, (depth,) height, width; or tokens, width; or width */
    bool ids;                 /* the tensor holds whole numbers that are looked up in a table */
    bool sharded;             /* each tensor rank has a part of the width */
    int32_t storage;          /* index of the tensor's memory; a view has the same storage as its source */
} nnc_graph_tensor;

/* Data that a sink keeps about the memory (storage) of a tensor and of all its views. */
typedef struct nnc_graph_storage {
    uint32_t flags;   /* flags of the sink; iterations of a repeat are equal only if their flags are equal */
    int32_t producer; /* value of the sink; it may differ between equal iterations of a repeat */
} nnc_graph_storage;

typedef struct nnc_graph_weights {
    int64_t count, rows, cols, vector; /* `count` matrices of rows x cols; `vector` further elements */
    bool table;
} nnc_graph_weights;

/* An op that the walk has reached: the values of its parameters, its tensors and its weights. */
typedef struct nnc_graph_op {
    const nnc_graph_node *node;
    const int64_t *values; /* values of the parameters, in the order of the kind; a word is given by its index */
    nnc_graph_tensor in, with, also, out; /* in, with, also: inputs of the op; out: output of the op; a tensor of
                                           * rank 0 (no axes) is not given */
    nnc_graph_weights weights;
} nnc_graph_op;

typedef struct nnc_graph_fault {
    const char *where; /* place of the fault in the file; NULL = no fault */
    char what[256];
} nnc_graph_fault;

typedef struct nnc_graph_binding {
    int32_t name;
    nnc_graph_tensor tensor;
} nnc_graph_binding;

typedef struct nnc_graph_walk nnc_graph_walk;

/* Receives every op of a walk in order. enter: called when an iteration of a repeat begins; its result is passed to
 * leave as `mark`. leave: called when the iteration ends; turns = number of equal iterations, which are walked once. */
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
    bool begun; /* true: `current` is set */
    nnc_graph_binding bindings[NNC_GRAPH_NAMES_MAX];
    int32_t binding_count, frame; /* binding_count: number of names in `bindings`; frame: names from this index on
                                   * belong to the current macro */
    nnc_graph_storage storages[NNC_GRAPH_TENSORS_MAX];
    int32_t storage_count;
    int32_t steps, depth, repeats;
    int32_t tied, frozen; /* nesting depth of lists with shared weights (tied), and with untrained weights (frozen) */
};

/* Walks the whole network with given values of the lets. Returns false when a fault was noted. */
bool nnc_graph_run(const struct nnc_graph_net *net, const int64_t *lets, const nnc_graph_sink *sink,
                   nnc_graph_fault *fault);

/* Notes a fault at an entry of a list of ops, unless the walk already has a fault; returns false. */
bool nnc_graph_fail(nnc_graph_walk *walk, const nnc_graph_node *node, const char *format, ...) NNC_PRINTF(3, 4);

/* Computes the value of an expression. Returns false when a division leaves a remainder, or the value is out of
 * range. */
bool nnc_expr_value(const nnc_expr *expr, const int64_t *lets, const int64_t *args, int64_t *value);

/* Numbers of parameters, ops and layers of the whole network; layers = 0 if it has no layers, or if the layers
 * differ. */
typedef struct nnc_graph_sizes {
    int64_t params, ops;
    int64_t layers, stream; /* stream: elements that a layer passes to the next layer */
    bool tables;            /* true: the network has a table that is updated in place */
} nnc_graph_sizes;
bool nnc_graph_measure(const struct nnc_graph_net *net, const int64_t *lets, nnc_graph_sizes *sizes,
                       nnc_graph_fault *fault);

/* ---- captured programs ---- */

/* Kinds of operator of a captured program; the kind decides the formula of the cost. */
typedef enum nnc_captured_kind {
    NNC_CAPTURED_KERNEL, /* a pass over tensors, counted by bytes */
    NNC_CAPTURED_PRODUCT,
    NNC_CAPTURED_CONV,
    NNC_CAPTURED_CONV_GRAD_INPUT, /* one operator convolution_backward becomes two or three entries */
    NNC_CAPTURED_CONV_GRAD_WEIGHT,
    NNC_CAPTURED_ATTENTION
} nnc_captured_kind;

/* One operator of forward or backward, as PyTorch issued it. Bytes and parameters are for one instance. */
typedef struct nnc_captured_op {
    const char *name, *module; /* name of the operator, "convolution"; name of the module that called it,
                                * "layer1.0.conv1" */
    nnc_captured_kind kind;
    nnc_phase phase; /* forward or backward */
    bool again;      /* an operator of forward that backward runs again */
    nnc_group group;
    nnc_dtype dtype; /* format of the operands */
    int64_t repeat;
    int64_t steps; /* times that one call runs the operator, one after another: time steps of a recurrent layer */
    int64_t batch, m, n, k;                                /* dims of a product */
    int64_t c_in, c_out, h_in, w_in, h_out, w_out, stride; /* dims of a convolution, with batch */
    int64_t kernel, kernel_w, groups;
    int64_t heads, kv_heads, s_q, s_k, head_dim, value_dim; /* dims of attention, with batch */
    bool transposed, causal, bias;
    double read_bytes, write_bytes;
    double kept_bytes;               /* bytes of the tensors that the operator creates for backward */
    double transient_bytes;          /* backward: bytes of the temporary tensors that live while the operator runs */
    int64_t rows, cols, vector;      /* sizes of the parameters that no earlier operator has read */
    bool table;                      /* the parameter is a table whose rows the operator looks up */
    int64_t words;                   /* vocab of the program if a tensor of the operator has this dim, else 0 */
    bool frozen;                     /* the operator's parameters are not trained */
    int32_t slot;                    /* index of the part (nnc_captured_slot) that the operator belongs to */
    bool narrow;                     /* under autocast: the operator computes in 16 bits */
    double cast_kernels, cast_bytes; /* under autocast, casts of operands and gradients: cast_kernels: number of
                                      * casts; cast_bytes: bytes that the casts move */
    /* under torch.compile: number and bytes of the kernels that run for this operator and the operators that are fused
     * with it; number and bytes of casts that no other kernel does. See nnc_capture_fuse. */
    double fused_kernels, fused_bytes, fused_cast_kernels, fused_cast_bytes;
} nnc_captured_op;

/* One part of a captured program: successive operators of forward that belong to one unit, and the backward of these
 * operators. A unit is a sequence of equal layers, or a module of a numbered list ("layer1.0"). ZeRO 3 gathers a unit
 * at once, and full recomputation runs it again. Other parts hold operators outside of units: table, head, loss. */
typedef struct nnc_captured_slot {
    bool unit;
    int64_t repeat;
    double input_bytes; /* bytes of the tensors that one repeat reads from outside */
} nnc_captured_slot;

/* One training step of a PyTorch program, read from a file of schema nncost.capture/1. */
struct nnc_captured {
    const nnc_captured_op *ops; /* operators in order, without the operators of the optimizer */
    int32_t count;
    const nnc_captured_slot *slots; /* parts of the program, in the order of forward */
    int32_t slot_count;
    int32_t passes; /* number of forward and backward passes; more than 1 if the step accumulates gradients */
    bool inference; /* true: a forward pass without backward, in which no parameter is trained */
    int64_t batch;  /* number of samples in the step */
    int64_t tokens; /* number of tokens in the step; 0 = the program looks up no tokens */
    int64_t image;  /* pixels per side of the input; 0 = the input is no map */
    int64_t params, table_params;
    int64_t vocab;     /* number of rows of the largest table in which tokens are looked up; 0 = no table */
    int64_t operators; /* number of operators issued in one step, including operators of the optimizer */
    double input_bytes;
    double peak_gradients, peak_kept,
        peak_temporary; /* bytes of each kind at the operator (not of the optimizer) where their sum is largest */
    nnc_dtype dtype;    /* format of the trained parameters; of all parameters if none is trained */
    nnc_frozen frozen;  /* format of frozen parameters; NNC_FROZEN_COUNT = all are trained */
    /* optimizer, found from the operators of the update; NNC_OPTIMIZER_COUNT = no update was recorded */
    nnc_optimizer optimizer;
    nnc_optimizer_kernels kernels;       /* kernels of the update that the program asked for */
    int64_t tensors;                     /* number of trained parameters (tensors) */
    const struct nnc_captured *autocast; /* the same step, converted to autocast; NULL = the step was not recorded in
                                          * fp32 */
    const struct nnc_captured *second;   /* a recording of the same step with another number of samples; NULL = not
                                          * recorded */
};

/* ---- the row of each kind of op ---- */

typedef struct nnc_graph_kind_row {
    const nnc_graph_param *params;
    int32_t param_count;
    /* Infers output and weights from the inputs. Returns false when a fault was noted. */
    bool (*infer)(nnc_graph_walk *walk, nnc_graph_op *op);
    bool parts; /* the op works on a part of the width as on the whole width, so tensor ranks may divide the width */
} nnc_graph_kind_row;
const nnc_graph_kind_row *nnc_graph_kind_row_of(nnc_graph_kind kind);

/* Returns the axis of the width (channels): the first axis of a map, the last axis of tokens. */
int nnc_graph_width_axis(const nnc_graph_tensor *t);
int64_t nnc_graph_width(const nnc_graph_tensor *t);
/* nnc_graph_elements returns the elements of a tensor for one sample, nnc_graph_positions its positions: pixels of a
 * map, or tokens. */
int64_t nnc_graph_elements(const nnc_graph_tensor *t);
int64_t nnc_graph_positions(const nnc_graph_tensor *t);
/* Writes a shape as text, "3 x 224 x 224". Returns text. */
const char *nnc_graph_shape_text(const nnc_graph_tensor *t, char text[96]);

#define NNC_GRAPH_KIND_ROW(name, text, help, row) extern const nnc_graph_kind_row nnc_graph_##row##_row;
NNC_GRAPH_KIND_LIST(NNC_GRAPH_KIND_ROW)
#undef NNC_GRAPH_KIND_ROW

#define NNC_GRAPH_ROW(list, function) \
    { .params = (list), .param_count = sizeof(list) / sizeof(list)[0], .infer = (function) }

#define NNC_GRAPH_PARTS_ROW(list, function) \
    { .params = (list), .param_count = sizeof(list) / sizeof(list)[0], .infer = (function), .parts = true }

/* Indices of parameters in the values of an op. The first indices are the parameters of a window that moves over a map;
 * they are the same for every kind with a window. A kind without dilation does not use the index of dilation. */
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
    NNC_WINDOW_OWN, /* the parameters of each kind begin at this index */
    NNC_CONV_OUT = NNC_WINDOW_OWN,
    NNC_CONV_GROUPS,
    NNC_CONV_BIAS,
    NNC_CONV_OUTPUT_PAD,
    NNC_POOL_KIND = NNC_WINDOW_OWN,
    NNC_WINDOW_CEIL = NNC_GRAPH_PARAMS_MAX - 1
};
enum { NNC_POOL_MAX, NNC_POOL_MEAN };
enum { NNC_UPSAMPLE_KIND, NNC_UPSAMPLE_FACTOR };
enum { NNC_UPSAMPLE_NEAREST, NNC_UPSAMPLE_BILINEAR };
enum { NNC_TO_MAP_HEIGHT };
enum { NNC_NORM_PARAM_KIND, NNC_NORM_PARAM_GROUPS, NNC_NORM_PARAM_AFFINE, NNC_NORM_PARAM_BIAS, NNC_NORM_PARAM_HEADS };
enum { NNC_LINEAR_OUT, NNC_LINEAR_BIAS, NNC_LINEAR_SPLIT };
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
    NNC_ACT_SWIGLU, /* from this value on: activations that multiply two halves of the width into one */
    NNC_ACT_GEGLU
};
enum { NNC_SCALE_GAIN, NNC_SCALE_BIAS };
enum { NNC_CONCAT_WITH, NNC_CONCAT_AXIS };
enum { NNC_AXIS_CHANNELS, NNC_AXIS_TOKENS };
enum { NNC_SLICE_SIZE, NNC_SLICE_START, NNC_SLICE_AXIS };
enum {
    NNC_ATTENTION_HEADS,
    NNC_ATTENTION_KV_HEADS,
    NNC_ATTENTION_KEY,
    NNC_ATTENTION_VALUE,
    NNC_ATTENTION_CAUSAL,
    NNC_ATTENTION_WINDOW,
    NNC_ATTENTION_BIASES
};
enum { NNC_RECURRENT_KIND, NNC_RECURRENT_HIDDEN, NNC_RECURRENT_BOTH, NNC_RECURRENT_BIAS };
enum { NNC_RECURRENT_LSTM, NNC_RECURRENT_GRU, NNC_RECURRENT_RNN };
/* Returns the number of gates of a recurrent layer, in all directions. Each gate has a matrix of hidden x hidden
 * values. */
int64_t nnc_graph_gates(const nnc_graph_op *op);
enum { NNC_EMBED_ROWS, NNC_EMBED_WIDTH };
enum { NNC_TABLE_ROWS, NNC_TABLE_WIDTH, NNC_TABLE_LOOKUPS };
enum { NNC_POSITION_KIND, NNC_POSITION_ROWS };
enum { NNC_POSITION_LEARNED, NNC_POSITION_FIXED, NNC_POSITION_ROTARY };
enum { NNC_LOSS_CROSS_ENTROPY, NNC_LOSS_SQUARED_ERROR };

/* A window that moves over one axis of a map. */
typedef struct nnc_graph_window {
    int64_t kernel, stride, pad, pad_end, dilation;
    bool ceil; /* the last window may end outside the map */
} nnc_graph_window;
/* Computes the windows of an op over its height, its width and its depth. */
void nnc_graph_windows(const nnc_graph_op *op, nnc_graph_window windows[3]);

/* Checks that the input has values, not token ids. Returns false when a fault was noted. */
bool nnc_graph_needs_values(nnc_graph_walk *walk, const nnc_graph_op *op);

#endif
