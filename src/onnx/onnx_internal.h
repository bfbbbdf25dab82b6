/* An ONNX graph during its conversion to a graph file: its values, and the functions that the files of this folder
 * share.
 *
 *     node with only constant inputs   -->  folded                            (onnx_values.c)
 *     node with other inputs           -->  converted                         (onnx_nodes.c, onnx_patterns.c)
 *     converted node                   -->  entries of "ops" of a graph file  (onnx_write.c)
 *
 * Only files that are compiled with protobuf-c include this header; other files include onnx_import.h. */
#ifndef NNCOST_ONNX_ONNX_INTERNAL_H
#define NNCOST_ONNX_ONNX_INTERNAL_H

#include <onnx.pb-c.h>

#include <nncost/status.h>

#include "base/base_internal.h"

enum { NNC_ONNX_RANK_MAX = 8, NNC_ONNX_WHOLE_MAX = 4096 };

typedef enum nnc_onnx_kind {
    NNC_ONNX_UNKNOWN,
    NNC_ONNX_WHOLE,  /* constant whole numbers that the import computes: shapes, indices */
    NNC_ONNX_WEIGHT, /* constants and parameters */
    NNC_ONNX_ACTIVATION
} nnc_onnx_kind;

/* Patterns: a value can be a step of a larger op, such as the mean of a norm. It is then deferred, that is, not written
 * until a later node shows which op it belongs to. src is the input of the larger op. */
typedef enum nnc_onnx_pattern {
    NNC_ONNX_PLAIN,
    NNC_ONNX_MEAN,        /* the value is the mean of src over its last axis */
    NNC_ONNX_CENTERED,    /* the value is src minus the mean of src */
    NNC_ONNX_SQUARED,     /* the value is the square of each element of a CENTERED value */
    NNC_ONNX_VARIANCE,    /* the value is the mean of a SQUARED value over its last axis */
    NNC_ONNX_DEVIATION,   /* the value is the square root of a VARIANCE value */
    NNC_ONNX_NORMED,      /* normalised src */
    NNC_ONNX_NORMED_GAIN, /* NORMED (normalised src) times a gain */
    NNC_ONNX_ERF,         /* the value is erf (error function) of src */
    NNC_ONNX_ERF_PLUS,    /* the value is an ERF value plus 1 */
    NNC_ONNX_SIGMOID,     /* the value is the sigmoid of src */
    NNC_ONNX_HARD_SIGMOID,
    NNC_ONNX_CLIPPED,
    NNC_ONNX_BATCH_NORM, /* batch norm of src */
    NNC_ONNX_BATCH_GAIN, /* the value is the batch norm of src times a gain */
    NNC_ONNX_LINEAR,     /* src times a matrix; a bias may follow */
    NNC_ONNX_PADDED,     /* the value is src, padded with zeros */
    NNC_ONNX_SCORES,     /* the value is the matrix product of src and the transpose of key */
    NNC_ONNX_PROBABILITIES
} nnc_onnx_pattern;

typedef struct nnc_onnx_value {
    const char *name;
    nnc_onnx_kind kind;
    int32_t rank;
    int64_t dims[NNC_ONNX_RANK_MAX];
    int64_t *whole; /* elements of the value if they are known whole numbers; NULL = not known */
    int64_t origin; /* weights: number of elements of the parameter from which the value comes */
    bool computed;  /* true: a constant that was computed from other constants, and thus no parameter */
    bool ids;       /* true: the elements are token ids */
    nnc_onnx_pattern pattern;
    int32_t src, key, width; /* src, key: indices of values in nnc_onnx_graph; width: width of a linear layer's
                              * output */
    int32_t same_as;         /* 1 + index of a value with the same elements and another name; 0 = no such value */
    bool rms;
    int64_t pads[4]; /* padding of a feature map: at the start of both axes, then at the end of both axes */
    int32_t reg;     /* index of the register (a tensor of the graph file) that holds the value; -1 = not written yet */
    int32_t shape_rank;
    int64_t shape[4]; /* shape of the tensor in the register */
} nnc_onnx_value;

typedef struct nnc_onnx_graph {
    const char *path;
    const Onnx__GraphProto *proto;
    nnc_arena *arena;
    nnc_error *err;
    nnc_status status;
    const Onnx__NodeProto *node; /* the node that is being converted ("current node"); NULL = none */
    nnc_onnx_value *values;
    int32_t count, capacity;
    int32_t *slots; /* hash table of the names of values: each entry is 1 + index of a value; 0 = empty */
    int32_t slot_count;
    bool shapeless; /* true: no parameter of the file has data; then floating-point inputs after the first input are
                     * treated as parameters */
    /* ---- the graph file that is being written ---- */
    nnc_buffer out;
    int32_t current, regs, reg_capacity, step;
    struct nnc_onnx_reg {
        int32_t name, last; /* last: index of the last entry of "ops" that uses the register, found in the first pass; 0
                             * = no entry */
    } * reg;
    int32_t *names; /* for each name, the index of the register that has it; -1 = the name is free */
    int32_t name_count;
    bool begun;  /* true: at least one entry of "ops" was written */
    bool second; /* true: the second of two equal passes over the nodes; the first pass finds the last use of each
                  * register */
    int32_t convolutions, batch_norms, dropouts, biased;
    bool softmax_last;
    const char *axes;   /* sizes for axes that have no size in the ONNX file: "sequence=128,x.2=48"; NULL = no sizes
                         * given */
    uint32_t axes_used; /* bit i is set if an input has axis i of `axes` */
} nnc_onnx_graph;

/* Returns the tensor type of an input; NULL = it is no tensor. */
const Onnx__TypeProto__Tensor *nnc_onnx_type_of(const Onnx__ValueInfoProto *info);
/* Reads the shape of an input. batch: the first axis is the batch; its size must be 1 or not given. The sizes of the
 * other axes are in the file or in `axes`. Returns false if the file was refused. */
bool nnc_onnx_read_shape(nnc_onnx_graph *g, const Onnx__ValueInfoProto *info, nnc_onnx_value *v, bool batch);
/* Returns the first entry of `axes` that fits no axis of an input; NULL = every entry was used. */
const char *nnc_onnx_axis_left(const nnc_onnx_graph *g);

/* Notes why the current node cannot be converted, which ends the import. Always returns false. */
bool nnc_onnx_refuse(nnc_onnx_graph *g, const char *format, ...) NNC_PRINTF(2, 3);

/* Returns the index of the value with this name, which is added if it is new; -1: out of memory. */
int32_t nnc_onnx_find(nnc_onnx_graph *g, const char *name);
/* Returns the value of input `index` of the current node; if the node has no such input, an unknown value. */
nnc_onnx_value *nnc_onnx_input(nnc_onnx_graph *g, size_t index);
bool nnc_onnx_has_input(const nnc_onnx_graph *g, size_t index);
nnc_onnx_value *nnc_onnx_output(nnc_onnx_graph *g, size_t index);

/* Computes the number of elements of a value. Returns false when the number is too large or not known. */
bool nnc_onnx_elements(const nnc_onnx_value *v, int64_t *elements);
const Onnx__AttributeProto *nnc_onnx_attribute(const nnc_onnx_graph *g, const char *name);
int64_t nnc_onnx_int(const nnc_onnx_graph *g, const char *name, int64_t unsaid);
/* Returns element `index` of the list attribute `name`; if the node has no such attribute, returns `unsaid`. */
int64_t nnc_onnx_ints(const nnc_onnx_graph *g, const char *name, size_t index, int64_t unsaid);
/* Returns the index of an axis of v; a negative axis is counted from the end. -1: the axis does not exist, and the node
 * was refused. */
int32_t nnc_onnx_axis(nnc_onnx_graph *g, const nnc_onnx_value *v, int64_t axis);

/* Folds a node, that is, computes its output because all its inputs are constants: the values of whole numbers, and
 * only the shape of other constants. Returns false when it refuses the node. */
bool nnc_onnx_fold(nnc_onnx_graph *g);
/* Folds a Shape node: its output is the sizes of the axes of its input, as whole numbers. Always returns true. */
bool nnc_onnx_shape_of(nnc_onnx_graph *g);
/* Reads a constant tensor of the file into a value. Returns false if the file was refused. */
bool nnc_onnx_constant(nnc_onnx_graph *g, const Onnx__TensorProto *t, nnc_onnx_value *v);

/* Computes the shape of the output of a node that moves values, such as Reshape or Slice, for constants and
 * activations. Returns false when it refuses the node. */
bool nnc_onnx_moved_shape(nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out);
/* Computes the shape of two values combined element by element, with broadcasting. Returns false when it refuses the
 * node. */
bool nnc_onnx_broadcast(nnc_onnx_graph *g, const nnc_onnx_value *a, const nnc_onnx_value *b, nnc_onnx_value *out);

/* Converts a node with an input that is no constant to entries of "ops". Returns false when it refuses the node. */
bool nnc_onnx_convert(nnc_onnx_graph *g);
/* Writes a deferred value as an op of its own, so that it has a register. Returns false when it refuses the node. */
bool nnc_onnx_materialise(nnc_onnx_graph *g, nnc_onnx_value *v);

/* ---- constants ---- */

/* Tests whether a value consists of known whole numbers and has at most one axis. *count: number of these whole
 * numbers. */
bool nnc_onnx_known(const nnc_onnx_value *v, int64_t *count);

/* ---- steps ---- */

/* Appends an entry to the list "ops" of the graph file. A register is a tensor with a name in that file. from: the
 * register that the entry reads. format: all members of the entry except "as", which names the output. Returns the
 * register of the output. */
int32_t nnc_onnx_step(nnc_onnx_graph *g, int32_t from, const char *format, ...) NNC_PRINTF(3, 4);
/* Creates the register of the first input of the network. Returns its index. */
int32_t nnc_onnx_begin(nnc_onnx_graph *g);
/* Writes the name of a register to `text`, for an entry of "ops" that reads this register in addition to the current
 * tensor. Returns text. */
const char *nnc_onnx_with(nnc_onnx_graph *g, int32_t reg, char text[16]);

/* Gives the tensor of a value another shape, by an op "view". Returns false when it refuses the node. */
bool nnc_onnx_view(nnc_onnx_graph *g, nnc_onnx_value *v, int32_t rank, const int64_t *shape);
/* nnc_onnx_as_map gives a value the shape of a feature map (channels x height x width) or a volume (channels x depth x
 * height x width). nnc_onnx_as_rows gives it the shape rows x last axis. Both write an op "view" if the shape changes,
 * and return false when they refuse the node. */
bool nnc_onnx_as_map(nnc_onnx_graph *g, nnc_onnx_value *v);
bool nnc_onnx_as_rows(nnc_onnx_graph *g, nnc_onnx_value *v);
/* Notes the register and the shape of the output of a node that was written. */
void nnc_onnx_made(nnc_onnx_value *out, int32_t reg, int32_t rank, const int64_t *shape);

/* ---- nodes ---- */

static inline bool nnc_onnx_is(const nnc_onnx_graph *g, const char *type) {
    return strcmp(g->node->op_type, type) == 0;
}

/* Tests whether a value is a constant with one element. */
bool nnc_onnx_is_scalar(const nnc_onnx_value *v);
int32_t nnc_onnx_index_of(const nnc_onnx_graph *g, const nnc_onnx_value *v);
/* Makes `out` another name for the tensor of `in`, with the shape of `out`. */
void nnc_onnx_alias(const nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out);
/* Sets the pattern of `out`, when a node continues a larger op. `out` then has another tensor than its input. */
void nnc_onnx_becomes(nnc_onnx_value *out, nnc_onnx_pattern pattern);
void nnc_onnx_same_dims(const nnc_onnx_value *in, nnc_onnx_value *out);
/* Defers `out` (does not write it yet), as a step of a larger op whose input is src. */
void nnc_onnx_defer(nnc_onnx_graph *g, nnc_onnx_value *out, nnc_onnx_pattern pattern, const nnc_onnx_value *src);
/* Defers the output of the current node, as a step of a larger op whose input is the first input of the node. Returns
 * false when it refuses the node. */
bool nnc_onnx_put_off(nnc_onnx_graph *g, nnc_onnx_pattern pattern);
/* Write the op to which a deferred value belongs: a norm, a linear layer or a batch norm. affine: text of further
 * members of the entry in "ops", or "". Each returns false when it refuses the node. */
bool nnc_onnx_write_norm(nnc_onnx_graph *g, nnc_onnx_value *v, const char *affine);
bool nnc_onnx_write_linear(nnc_onnx_graph *g, nnc_onnx_value *v, bool bias);
bool nnc_onnx_write_batch_norm(nnc_onnx_graph *g, nnc_onnx_value *v);
/* Writes the current node as an activation of this kind. Returns false when it refuses the node. */
bool nnc_onnx_act(nnc_onnx_graph *g, const char *kind);

/* Functions that convert the current node (onnx_patterns.c). They return false when they refuse the node. */
bool nnc_onnx_gemm(nnc_onnx_graph *g);
bool nnc_onnx_product(nnc_onnx_graph *g);
bool nnc_onnx_softmax(nnc_onnx_graph *g);
bool nnc_onnx_batch_norm(nnc_onnx_graph *g);
bool nnc_onnx_layer_norm(nnc_onnx_graph *g);
bool nnc_onnx_instance_norm(nnc_onnx_graph *g);
bool nnc_onnx_mean(nnc_onnx_graph *g);
bool nnc_onnx_response_norm(nnc_onnx_graph *g);
bool nnc_onnx_root(nnc_onnx_graph *g);
bool nnc_onnx_pair(nnc_onnx_graph *g);
bool nnc_onnx_sum(nnc_onnx_graph *g);

#endif
