/* A network as a list of ops: numbers with names, macros and repeats, and the walk that infers every shape.
 *
 *     file --input/graph_read--> nnc_graph_net --walk--> ops with shapes and weights --sink--> shape/, measure, explain
 *
 * Knows nothing of files, FLOPs or devices. Invariants of a walk: an op sees tensors of known shape alone; turns of a
 * repeat that start from the same state are walked once and reported as equal turns with a count. */
#ifndef NNCOST_GRAPH_GRAPH_INTERNAL_H
#define NNCOST_GRAPH_GRAPH_INTERNAL_H

#include <nncost/model.h>
#include <nncost/op.h>

enum {
    NNC_GRAPH_PARAMS_MAX = 16,    /* parameters of a kind of op */
    NNC_GRAPH_ARGS_MAX = 16,      /* arguments of a macro */
    NNC_GRAPH_RANK_MAX = 4,       /* axes of a tensor, without the batch */
    NNC_GRAPH_NAMES_MAX = 64,     /* tensors that have a name at one time */
    NNC_GRAPH_DEPTH_MAX = 24,     /* nesting of macros and repeats */
    NNC_GRAPH_TENSORS_MAX = 4096, /* tensors made in one walk */
    NNC_GRAPH_STEPS_MAX = 16384,  /* steps of one walk */
    NNC_GRAPH_TURNS_MAX = 100000, /* turns of one repeat */
    NNC_GRAPH_STACK_MAX = 16,     /* operands of an expression that wait */
};

/* No tensor has more elements per sample, and no number of a file is larger. */
#define NNC_GRAPH_NUMBER_MAX 1000000000000000
#define NNC_GRAPH_DIM_MAX 1000000000 /* largest size of one axis */
#define NNC_GRAPH_KERNEL_MAX 1000

/* ---- expressions ---- */

typedef enum nnc_code_kind {
    NNC_CODE_NUMBER, /* value itself */
    NNC_CODE_LET,    /* the let of this index */
    NNC_CODE_ARG,    /* the argument of this index of the macro around */
    NNC_CODE_ADD,
    NNC_CODE_SUBTRACT,
    NNC_CODE_MULTIPLY,
    NNC_CODE_DIVIDE
} nnc_code_kind;

typedef struct nnc_code {
    nnc_code_kind kind;
    int64_t value;
} nnc_code;

/* Operands before their operator. */
typedef struct nnc_expr {
    const nnc_code *code;
    int32_t count;    /* 0 = absent */
    const char *text; /* text as the file has it */
} nnc_expr;

/* ---- kinds of op ---- */

/* Enumerator, name in files, help, name of the row (nnc_graph_conv_row). The row has its parameters and infers its
 * output; shape/graph_family.c has its cost. A kind without a row does not link. */
#define NNC_GRAPH_KIND_LIST(X)                                                                                    \
    X(NNC_GRAPH_INPUT, "input", "A tensor that comes from outside: token ids or values.", input)                  \
    X(NNC_GRAPH_CONV, "conv", "A convolution over the positions of a map.", conv)                                 \
    X(NNC_GRAPH_CONV_TRANSPOSE, "conv_transpose", "A convolution that goes from small to large.", conv_transpose) \
    X(NNC_GRAPH_NORM, "norm", "A normalisation with a gain, and a bias unless it is rms.", norm)                  \
    X(NNC_GRAPH_ACT, "act", "An activation, one value at a time.", act)                                           \
    X(NNC_GRAPH_DROPOUT, "dropout", "Some elements become 0.", dropout)                                           \
    X(NNC_GRAPH_POOL, "pool", "The largest or the mean of each window of a map.", pool)                           \
    X(NNC_GRAPH_GLOBAL_POOL, "global_pool", "The mean over all positions of a map, or tokens.", global_pool)      \
    X(NNC_GRAPH_UPSAMPLE, "upsample", "A map with more positions, by copies or in between.", upsample)            \
    X(NNC_GRAPH_LINEAR, "linear", "A product of each token, or position, with a matrix.", linear)                 \
    X(NNC_GRAPH_ATTENTION, "attention", "Attention over what is already projected.", attention)                   \
    X(NNC_GRAPH_EMBED, "embed", "A table is looked up by token ids.", embed)                                      \
    X(NNC_GRAPH_POSITION, "position", "A learned or fixed value per position is added.", position)                \
    X(NNC_GRAPH_TIMESTEP, "timestep", "Sines and cosines of a time step.", timestep)                              \
    X(NNC_GRAPH_SCALE, "scale", "A product with one learned value per channel.", scale)                           \
    X(NNC_GRAPH_ADD, "add", "The sum with another tensor.", add)                                                  \
    X(NNC_GRAPH_MUL, "mul", "The product with another tensor, one value at a time.", mul)                         \
    X(NNC_GRAPH_CONCAT, "concat", "Another tensor behind this one.", concat)                                      \
    X(NNC_GRAPH_SLICE, "slice", "A part of the channels, or of the tokens.", slice)                               \
    X(NNC_GRAPH_PREPEND, "prepend", "Learned tokens before the others.", prepend)                                 \
    X(NNC_GRAPH_SELECT, "select", "One token of all.", select)                                                    \
    X(NNC_GRAPH_VIEW, "view", "The same values in another shape.", view)                                          \
    X(NNC_GRAPH_FLATTEN, "flatten", "All values of a sample in a row.", flatten)                                  \
    X(NNC_GRAPH_TO_TOKENS, "to_tokens", "Each position of a map becomes a token.", to_tokens)                     \
    X(NNC_GRAPH_TO_MAP, "to_map", "Tokens become the positions of a map.", to_map)                                \
    X(NNC_GRAPH_FOLD, "fold", "Squares of positions become channels.", fold)                                      \
    X(NNC_GRAPH_UNFOLD, "unfold", "Channels become squares of positions.", unfold)                                \
    X(NNC_GRAPH_LOSS, "loss", "The loss of training.", loss)
NNC_ENUM(nnc_graph_kind, NNC_GRAPH_KIND_LIST, NNC_GRAPH_KIND_COUNT);
const char *nnc_graph_kind_name(nnc_graph_kind value);
const char *nnc_graph_kind_help(nnc_graph_kind value);

typedef enum nnc_graph_param_type {
    NNC_GRAPH_NUMBER,
    NNC_GRAPH_WORD,   /* one of a list */
    NNC_GRAPH_TENSOR, /* the name of one */
    NNC_GRAPH_SHAPE   /* numbers, one for each axis */
} nnc_graph_param_type;

typedef struct nnc_graph_param {
    const char *name; /* NULL = the kind does not use this place */
    nnc_graph_param_type type;
    const char *const *words; /* end with NULL */
    bool required;
    int64_t unsaid; /* default; NNC_GRAPH_UNSAID = the kind decides */
    int64_t min, max;
    const char *help;
} nnc_graph_param;

#define NNC_GRAPH_UNSAID INT64_MIN

/* ---- the network as read ---- */

typedef struct nnc_graph_value {
    nnc_expr number;
    int32_t index; /* index of a word or of a tensor's name; -1 = absent */
} nnc_graph_value;

typedef enum nnc_graph_step {
    NNC_STEP_OP,
    NNC_STEP_USE,
    NNC_STEP_REPEAT,
    NNC_STEP_IF,
    NNC_STEP_TIED,   /* steps whose ops share the weights of earlier ops */
    NNC_STEP_FROZEN, /* steps whose weights are never trained */
    NNC_STEP_FROM,   /* returns to a named tensor */
    NNC_STEP_AS      /* only names the current tensor */
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
    nnc_expr defaults[NNC_GRAPH_ARGS_MAX]; /* empty = required */
    nnc_graph_ops ops;
} nnc_graph_define;

typedef struct nnc_graph_node {
    nnc_graph_step step;
    const char *where; /* "define.stage.ops[1]" */
    int32_t as, from;  /* name that the step gives its output; tensor that the step returns to; -1 = none */
    /* an op */
    nnc_graph_kind kind;
    const char *label; /* "bottleneck.conv" */
    nnc_group group;   /* NNC_GROUP_COUNT = the group follows from the kind */
    nnc_graph_value values[NNC_GRAPH_PARAMS_MAX];
    nnc_expr shape[NNC_GRAPH_RANK_MAX];
    int32_t shape_count;
    /* a use */
    const nnc_graph_define *define;
    nnc_expr args[NNC_GRAPH_ARGS_MAX];
    /* a repeat, an if, tied ops */
    nnc_expr count;
    nnc_graph_ops ops;
} nnc_graph_node;

/* A whole file. Lets that are plain numbers come first and may be set; lets that are computed from others come
 * after. */
struct nnc_graph_net {
    const char *let_names[NNC_GRAPH_LETS_MAX];
    nnc_expr lets[NNC_GRAPH_LETS_MAX]; /* empty = a number, in nnc_graph.lets */
    int32_t let_count;
    int32_t length_let;       /* the side of an image or the tokens of a sequence; -1 = a fixed length */
    bool images;              /* the input is a map, not tokens */
    const char *const *names; /* names of tensors */
    int32_t name_count;
    nnc_graph_node input;
    nnc_graph_ops ops;
    const char *texts[3];         /* input, define and ops as the file has them; NULL = left out */
    const nnc_graph_node *layers; /* the repeat that pipeline stages divide; NULL = none */
};

/* ---- the walk ---- */

typedef struct nnc_graph_tensor {
    int32_t rank;
    int64_t dims[NNC_GRAPH_RANK_MAX]; /* sizes of one sample: channels, height, width; tokens, width;
                                   * width */
    bool ids;                         /* the tensor holds whole numbers, which are looked up */
    bool sharded;                     /* each tensor rank has its part of the width */
    int32_t storage;                  /* memory of the tensor: views share one */
} nnc_graph_tensor;

/* Notes of a sink about one storage. */
typedef struct nnc_graph_storage {
    uint32_t flags;   /* part of the state that decides whether turns of a repeat are equal */
    int32_t producer; /* not compared: it does not decide whether turns are equal */
} nnc_graph_storage;

typedef struct nnc_graph_weights {
    int64_t count, rows, cols, vector; /* as nnc_weights */
    bool table;
} nnc_graph_weights;

/* An op with everything inferred. */
typedef struct nnc_graph_op {
    const nnc_graph_node *node;
    const int64_t *values;                /* values of its parameters, in the kind's order; words by index */
    nnc_graph_tensor in, with, also, out; /* rank 0 = absent */
    nnc_graph_weights weights;
} nnc_graph_op;

typedef struct nnc_graph_fault {
    const char *where; /* NULL = no fault */
    char what[256];
} nnc_graph_fault;

typedef struct nnc_graph_binding {
    int32_t name;
    nnc_graph_tensor tensor;
} nnc_graph_binding;

typedef struct nnc_graph_walk nnc_graph_walk;

/* Receives every op in order. enter: one turn of a repeat begins; returns a mark. leave: the ops since the mark stand for this many equal turns. */
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
    bool begun; /* is there a current tensor? */
    nnc_graph_binding bindings[NNC_GRAPH_NAMES_MAX];
    int32_t binding_count, frame; /* names from frame on belong to the current macro */
    nnc_graph_storage storages[NNC_GRAPH_TENSORS_MAX];
    int32_t storage_count;
    int32_t steps, depth, repeats;
    int32_t tied, frozen; /* depth of steps whose ops share weights, or do not train them */
};

/* Walks the whole network with these lets. false: a fault was noted. */
bool nnc_graph_run(const struct nnc_graph_net *net, const int64_t *lets, const nnc_graph_sink *sink,
                   nnc_graph_fault *fault);

/* Notes the first fault of a walk; returns false. */
bool nnc_graph_fail(nnc_graph_walk *walk, const nnc_graph_node *node, const char *format, ...) NNC_PRINTF(3, 4);

/* The value of an expression. false: division with a rest, or out of range. */
bool nnc_expr_value(const nnc_expr *expr, const int64_t *lets, const int64_t *args, int64_t *value);

/* Parameters and ops of the whole network, and the turns of its layers: 0 without layers or where they differ. */
typedef struct nnc_graph_sizes {
    int64_t params, ops;
    int64_t layers, stream; /* stream: elements that one layer passes to the next */
} nnc_graph_sizes;
bool nnc_graph_measure(const struct nnc_graph_net *net, const int64_t *lets, nnc_graph_sizes *sizes,
                       nnc_graph_fault *fault);

/* ---- captured programs ---- */

/* How one operator of a captured program is priced. */
typedef enum nnc_captured_kind {
    NNC_CAPTURED_KERNEL, /* a pass over tensors, counted by bytes */
    NNC_CAPTURED_PRODUCT,
    NNC_CAPTURED_CONV,
    NNC_CAPTURED_CONV_GRAD_INPUT, /* a convolution_backward is two or three of these entries */
    NNC_CAPTURED_CONV_GRAD_WEIGHT,
    NNC_CAPTURED_ATTENTION
} nnc_captured_kind;

/* One operator of forward or backward, as PyTorch issued it. Bytes and parameters are those of one instance. */
typedef struct nnc_captured_op {
    const char *name, *module; /* "convolution", "layer1.0.conv1" */
    nnc_captured_kind kind;
    nnc_phase phase; /* forward or backward */
    nnc_group group;
    nnc_dtype dtype; /* format of its operands */
    int64_t repeat;
    int64_t batch, m, n, k;                                /* a product */
    int64_t c_in, c_out, h_in, w_in, h_out, w_out, stride; /* a convolution, with batch */
    int64_t kernel, kernel_w, groups;
    int64_t heads, kv_heads, s_q, s_k, head_dim, value_dim; /* attention, with batch */
    bool transposed, causal, bias;
    double read_bytes, write_bytes;
    double kept_bytes;               /* bytes that it creates and backward needs */
    double transient_bytes;          /* backward: temporary tensors that live while it runs */
    int64_t rows, cols, vector;      /* parameters that no earlier operator has read */
    bool table;                      /* rows of its parameter are looked up */
    bool frozen;                     /* its parameters are not trained */
    int32_t slot;                    /* the run of operators that it belongs to */
    bool narrow;                     /* under autocast: it computes in 16 bits */
    double cast_kernels, cast_bytes; /* under autocast: casts of its operands, of a gradient */
} nnc_captured_op;

/* Operators of forward that follow each other and belong to one unit of the network, and their backward: equal layers,
 * or a module of a numbered list ("layer1.0"). ZeRO 3 gathers units, and full recomputation runs them again. Slots that
 * are no unit hold what lies outside: table, head, loss. */
typedef struct nnc_captured_slot {
    bool unit;
    int64_t repeat;
    double input_bytes; /* of one repeat: tensors that enter it from outside */
} nnc_captured_slot;

/* One training step of a PyTorch program, read from a file of schema nncost.capture/1. */
struct nnc_captured {
    const nnc_captured_op *ops; /* operators in order; without those of the optimizer */
    int32_t count;
    const nnc_captured_slot *slots; /* in the order of forward */
    int32_t slot_count;
    int32_t passes; /* of forward and backward: more than 1 if the step accumulates gradients */
    int64_t batch;  /* samples of the step */
    int64_t tokens; /* tokens of the step, if it looks tokens up; else 0 */
    int64_t image;  /* pixels per side of its input, if that is a map; else 0 */
    int64_t params, table_params;
    int64_t operators; /* operators issued in one step, the optimizer's included */
    double input_bytes;
    double peak_gradients, peak_kept,
        peak_temporary;                  /* bytes that live at the moment of forward and backward with most of them */
    nnc_dtype dtype;                     /* of the trained parameters */
    nnc_frozen frozen;                   /* format of the others; NNC_FROZEN_COUNT = all are trained */
    nnc_optimizer optimizer;             /* by the operators of its update; NNC_OPTIMIZER_COUNT = none were recorded */
    const struct nnc_captured *autocast; /* the same step under autocast; NULL = not recorded in fp32 */
    const struct nnc_captured *second;   /* the same step with another number of samples; NULL = none */
};

/* ---- rows of kinds ---- */

typedef struct nnc_graph_kind_row {
    const nnc_graph_param *params;
    int32_t param_count;
    /* Infers output and weights from the inputs. false: a fault was noted. */
    bool (*infer)(nnc_graph_walk *walk, nnc_graph_op *op);
    bool parts; /* works on a part of the width as on the whole width, so tensor ranks may divide it */
} nnc_graph_kind_row;
const nnc_graph_kind_row *nnc_graph_kind_row_of(nnc_graph_kind kind);

/* Axis of the width (channels): the first of a map, the last of tokens. */
int nnc_graph_width_axis(const nnc_graph_tensor *t);
int64_t nnc_graph_width(const nnc_graph_tensor *t);
/* Elements of a sample: all; one channel; positions or tokens. */
int64_t nnc_graph_elements(const nnc_graph_tensor *t);
int64_t nnc_graph_positions(const nnc_graph_tensor *t);
/* "3 x 224 x 224" */
const char *nnc_graph_shape_text(const nnc_graph_tensor *t, char text[96]);

#define NNC_GRAPH_KIND_ROW(name, text, help, row) extern const nnc_graph_kind_row nnc_graph_##row##_row;
NNC_GRAPH_KIND_LIST(NNC_GRAPH_KIND_ROW)
#undef NNC_GRAPH_KIND_ROW

#define NNC_GRAPH_ROW(list, function)                                                        \
    {                                                                                        \
        .params = (list), .param_count = sizeof(list) / sizeof(list)[0], .infer = (function) \
    }

#define NNC_GRAPH_PARTS_ROW(list, function)                                                                 \
    {                                                                                                       \
        .params = (list), .param_count = sizeof(list) / sizeof(list)[0], .infer = (function), .parts = true \
    }

/* Places of the parameters among an op's values. The first are those of any window that moves over a map; a kind without
 * dilation leaves that place empty. */
enum {
    NNC_WINDOW_KERNEL,
    NNC_WINDOW_STRIDE,
    NNC_WINDOW_PAD,
    NNC_WINDOW_PAD_END,
    NNC_WINDOW_KERNEL_W,
    NNC_WINDOW_STRIDE_W,
    NNC_WINDOW_PAD_W,
    NNC_WINDOW_PAD_END_W,
    NNC_WINDOW_DILATION,
    NNC_WINDOW_OWN, /* places from here on belong to the kind itself */
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
    NNC_ACT_SWIGLU, /* activations from here on join two halves into one */
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
enum { NNC_EMBED_ROWS, NNC_EMBED_WIDTH };
enum { NNC_POSITION_KIND, NNC_POSITION_ROWS };
enum { NNC_POSITION_LEARNED, NNC_POSITION_FIXED, NNC_POSITION_ROTARY };
enum { NNC_LOSS_CROSS_ENTROPY, NNC_LOSS_SQUARED_ERROR };

/* How a window moves over one axis. */
typedef struct nnc_graph_window {
    int64_t kernel, stride, pad, pad_end, dilation;
    bool ceil; /* may end outside */
} nnc_graph_window;
/* The windows of an op, over its height and its width. */
void nnc_graph_windows(const nnc_graph_op *op, nnc_graph_window windows[2]);

/* Does the input suit? false: a fault was noted. */
bool nnc_graph_needs_values(nnc_graph_walk *walk, const nnc_graph_op *op);

#endif
