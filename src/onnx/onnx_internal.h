/* An ONNX graph during its conversion to a graph file: its values, and the functions that the files of src/onnx share.
 *
 * A node whose inputs are all constants is folded (onnx_values.c). A node with an input that is no constant is
 * converted (onnx_nodes.c, onnx_patterns.c). A converted node becomes entries of "ops" of a graph file (onnx_write.c).
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
    /* the value is a constant of whole numbers (a shape, an index); the import computes these numbers */
    NNC_ONNX_WHOLE,
    NNC_ONNX_WEIGHT, /* the value is a parameter, or a constant of other numbers; the import knows only its shape */
    NNC_ONNX_ACTIVATION
} nnc_onnx_kind;

/* Patterns. A value can be an intermediate result of a larger op, such as the mean of a norm. The value is then
 * deferred: nncost does not write it until a later node shows to which op the value belongs. src: the input of the
 * larger op. */
typedef enum nnc_onnx_pattern {
    NNC_ONNX_PLAIN,
    NNC_ONNX_MEAN,        /* the value is the mean of src over the last axis */
    NNC_ONNX_CENTERED,    /* the value is src minus the mean of src */
    NNC_ONNX_SQUARED,     /* the value is the square of each element of a value with the pattern CENTERED */
    NNC_ONNX_VARIANCE,    /* the value is the mean, over the last axis, of a value with the pattern SQUARED */
    NNC_ONNX_DEVIATION,   /* the value is the square root of a value with the pattern VARIANCE */
    NNC_ONNX_NORMED,      /* the value is the normalised src */
    NNC_ONNX_NORMED_GAIN, /* the value is the normalised src, times a gain */
    NNC_ONNX_ERF,         /* the value is the error function (erf) of src */
    NNC_ONNX_ERF_PLUS,    /* the value is 1 plus a value with the pattern ERF */
    NNC_ONNX_SIGMOID,     /* the value is the sigmoid of src */
    NNC_ONNX_HARD_SIGMOID,
    NNC_ONNX_CLIPPED,
    NNC_ONNX_BATCH_NORM, /* the value is the batch norm of src, without a gain */
    NNC_ONNX_BATCH_GAIN, /* the value is the batch norm of src times a gain */
    NNC_ONNX_LINEAR,     /* the value is src times a matrix of weights; a bias may follow */
    NNC_ONNX_PADDED,     /* the value is src, padded with zeros */
    NNC_ONNX_SCORES,     /* the value is the matrix product of src and the transpose of key */
    NNC_ONNX_PROBABILITIES
} nnc_onnx_pattern;

typedef struct nnc_onnx_value {
    const char *name;
    nnc_onnx_kind kind;
    int32_t rank;
    int64_t dims[NNC_ONNX_RANK_MAX];
    int64_t *whole; /* elements of a constant of known whole numbers; NULL = the elements are not known */
    /* number of elements of one parameter: the value itself, if the value is a parameter, or else the parameter from
     * which the value is computed */
    int64_t origin;
    bool computed; /* true: the constant was computed from other constants, so it is no parameter of the network */
    bool ids;      /* true: the elements of the value are token ids */
    nnc_onnx_pattern pattern;
    int32_t src, key, width; /* src, key: indices of values in nnc_onnx_graph; width: width of a linear layer's
                              * output */
    /* 1 + index of another value with equal elements; 0 = there is no such value */
    int32_t same_as;
    bool rms;
    int64_t pads[4]; /* for a padded map: number of zeros above, to the left, below and to the right */
    /* index of the register (a tensor of the graph file) with the value; -1 = the value is not written yet */
    int32_t reg;
    int32_t shape_rank;
    int64_t shape[4]; /* sizes of the axes of the register's tensor; shape_rank: number of these axes */
} nnc_onnx_value;

typedef struct nnc_onnx_graph {
    const char *path;
    const Onnx__GraphProto *proto;
    nnc_arena *arena;
    nnc_error *err;
    nnc_status status;
    const Onnx__NodeProto *node; /* the node that is being converted; NULL = no node is being converted */
    nnc_onnx_value *values;
    int32_t count, capacity;
    int32_t *slots; /* hash table of the names of values: each entry is 1 + the index of a value; 0 = a free entry */
    int32_t slot_count;
    /* true: no parameter of the file has data; the floating-point inputs after the first input are then parameters */
    bool shapeless;
    /* ---- members for the graph file that is being written ---- */
    nnc_buffer out;
    int32_t current, regs, reg_capacity, step;
    struct nnc_onnx_reg {
        /* last: index of the last entry of "ops" that uses the register, which the first pass over the nodes finds; 0 =
         * no entry uses the register */
        int32_t name, last;
    } * reg;
    int32_t *names; /* names[i]: index of the register that has name number i; -1 = name i is free */
    int32_t name_count;
    bool begun; /* true: at least one entry of the list "ops" was written */
    /* true: the second of two equal passes over the nodes; the first pass only finds the last use of each register */
    bool second;
    int32_t convolutions, batch_norms, dropouts, biased;
    bool softmax_last;
    const char *axes;   /* sizes for axes that have no size in the ONNX file: "sequence=128,x.2=48"; NULL = no sizes
                         * given */
    uint32_t axes_used; /* bit i is 1 if an axis of an input has taken its size from entry i of `axes` */
} nnc_onnx_graph;

/* Returns the tensor type of an input of the network; NULL = the input is no tensor. */
const Onnx__TypeProto__Tensor *nnc_onnx_type_of(const Onnx__ValueInfoProto *info);
/* Reads the shape of an input of the network. batch: true = the first axis is the batch, whose size must be 1 or
 * missing. The size of every axis except the batch comes from the ONNX file or from g->axes. Returns false if nncost
 * refuses the ONNX file. */
bool nnc_onnx_read_shape(nnc_onnx_graph *g, const Onnx__ValueInfoProto *info, nnc_onnx_value *v, bool batch);
/* Returns the first entry of g->axes that no axis of an input has used; NULL = all entries were used. */
const char *nnc_onnx_axis_left(const nnc_onnx_graph *g);

/* Stores the reason why the current node cannot be converted; the import then ends with an error. Always returns
 * false. */
bool nnc_onnx_refuse(nnc_onnx_graph *g, const char *format, ...) NNC_PRINTF(2, 3);

/* Returns the index of the value with a given name. If the graph has no value with this name, the function adds a
 * value; -1: out of memory. */
int32_t nnc_onnx_find(nnc_onnx_graph *g, const char *name);
/* Returns the value of input number `index` of the current node. If the node has fewer inputs, returns the value with
 * the name "", which is unknown. */
nnc_onnx_value *nnc_onnx_input(nnc_onnx_graph *g, size_t index);
bool nnc_onnx_has_input(const nnc_onnx_graph *g, size_t index);
nnc_onnx_value *nnc_onnx_output(nnc_onnx_graph *g, size_t index);

/* Computes the number of elements of a value. Returns false if the number of elements is too large or a size is not
 * known. */
bool nnc_onnx_elements(const nnc_onnx_value *v, int64_t *elements);
const Onnx__AttributeProto *nnc_onnx_attribute(const nnc_onnx_graph *g, const char *name);
int64_t nnc_onnx_int(const nnc_onnx_graph *g, const char *name, int64_t unsaid);
/* Returns element number `index` of the list in attribute `name` of the current node; if the node has no such element,
 * returns `unsaid`. */
int64_t nnc_onnx_ints(const nnc_onnx_graph *g, const char *name, size_t index, int64_t unsaid);
/* Returns the index of an axis of v, counted from 0. A negative `axis` counts from the last axis of v. If v does not
 * have the axis, refuses the node and returns -1. */
int32_t nnc_onnx_axis(nnc_onnx_graph *g, const nnc_onnx_value *v, int64_t axis);

/* Folds the current node, whose inputs are all constants: computes its output during the import. If the output has
 * whole numbers, the function computes its elements; for constants of any other kind, the function computes only the
 * shape. Returns false if the node was refused. */
bool nnc_onnx_fold(nnc_onnx_graph *g);
/* Folds a node of type Shape: its output is a list of whole numbers, the sizes of the axes of its input. Always returns
 * true. */
bool nnc_onnx_shape_of(nnc_onnx_graph *g);
/* Reads a constant tensor of the ONNX file into the value v. Returns false if nncost refuses the ONNX file. */
bool nnc_onnx_constant(nnc_onnx_graph *g, const Onnx__TensorProto *t, nnc_onnx_value *v);

/* Computes the shape of the output of a node that moves values without arithmetic, such as Reshape or Slice. The input
 * may be a constant or an activation. Returns false if the node was refused. */
bool nnc_onnx_moved_shape(nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out);
/* Computes the shape of the result of an elementwise operation on two values, with broadcasting. Returns false if the
 * node was refused. */
bool nnc_onnx_broadcast(nnc_onnx_graph *g, const nnc_onnx_value *a, const nnc_onnx_value *b, nnc_onnx_value *out);

/* Converts the current node to entries of the list "ops". At least one input of the node is no constant. Returns false
 * if the node was refused. */
bool nnc_onnx_convert(nnc_onnx_graph *g);
/* Writes a deferred value as a separate op, so that a register contains the value. Returns false if the node was
 * refused. */
bool nnc_onnx_materialise(nnc_onnx_graph *g, nnc_onnx_value *v);

/* ---- onnx_values.c: constants ---- */

/* Tests whether a value is a constant of known whole numbers with at most one axis. *count receives the number of its
 * elements. */
bool nnc_onnx_known(const nnc_onnx_value *v, int64_t *count);

/* ---- onnx_write.c: entries of the list "ops" ---- */

/* Appends an entry to the list "ops" of the graph file, and returns the register of its output (a register is a named
 * tensor of the graph file). from: the register that the entry reads. format: all members of the entry except "as",
 * which names the output. */
int32_t nnc_onnx_step(nnc_onnx_graph *g, int32_t from, const char *format, ...) NNC_PRINTF(3, 4);
/* Creates the register that contains the first input of the network, and returns its index. */
int32_t nnc_onnx_begin(nnc_onnx_graph *g);
/* Writes the name of a register to `text`, for an entry of "ops" with two inputs: the output of the previous entry and
 * this register. Returns text. */
const char *nnc_onnx_with(nnc_onnx_graph *g, int32_t reg, char text[16]);

/* Gives the tensor of a value another shape: writes an op "view". Returns false if the node was refused. */
bool nnc_onnx_view(nnc_onnx_graph *g, nnc_onnx_value *v, int32_t rank, const int64_t *shape);
/* nnc_onnx_as_map gives a value the shape of a feature map (channels x height x width) or of a volume (channels x depth
 * x height x width). nnc_onnx_as_rows gives a value the shape rows x last axis. nnc_onnx_as_map and nnc_onnx_as_rows
 * write an op "view" if the shape changes, and return false if they refuse the node. */
bool nnc_onnx_as_map(nnc_onnx_graph *g, nnc_onnx_value *v);
bool nnc_onnx_as_rows(nnc_onnx_graph *g, nnc_onnx_value *v);
/* Stores in a value the index and the shape of the register that contains the value. */
void nnc_onnx_made(nnc_onnx_value *out, int32_t reg, int32_t rank, const int64_t *shape);

/* ---- onnx_nodes.c, onnx_patterns.c: nodes ---- */

static inline bool nnc_onnx_is(const nnc_onnx_graph *g, const char *type) {
    return strcmp(g->node->op_type, type) == 0;
}

/* Tests whether a value is a constant that has a single element. */
bool nnc_onnx_is_scalar(const nnc_onnx_value *v);
int32_t nnc_onnx_index_of(const nnc_onnx_graph *g, const nnc_onnx_value *v);
/* Makes `out` a second name for the tensor of the value `in`; the shape of `out` does not change. */
void nnc_onnx_alias(const nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out);
/* Sets the pattern of `out`, the output of a node that continues a larger op. After the call, `out` no longer counts as
 * a value whose elements are equal to those of the node's input. */
void nnc_onnx_becomes(nnc_onnx_value *out, nnc_onnx_pattern pattern);
void nnc_onnx_same_dims(const nnc_onnx_value *in, nnc_onnx_value *out);
/* Defers the value `out`, so that nncost does not write the value until a later node is read. pattern: the kind of
 * intermediate result; src: the input of the larger op to which the result belongs. */
void nnc_onnx_defer(nnc_onnx_graph *g, nnc_onnx_value *out, nnc_onnx_pattern pattern, const nnc_onnx_value *src);
/* Defers the output of the current node: the output is an intermediate result (pattern) of a larger op. The input of
 * the larger op is the first input of the node. Returns false if the node was refused. */
bool nnc_onnx_put_off(nnc_onnx_graph *g, nnc_onnx_pattern pattern);
/* nnc_onnx_write_norm, nnc_onnx_write_linear and nnc_onnx_write_batch_norm write the op to which a deferred value
 * belongs. affine: text of further members of the entry in "ops", or "". Each of the three functions returns false if
 * the node was refused. */
bool nnc_onnx_write_norm(nnc_onnx_graph *g, nnc_onnx_value *v, const char *affine);
bool nnc_onnx_write_linear(nnc_onnx_graph *g, nnc_onnx_value *v, bool bias);
bool nnc_onnx_write_batch_norm(nnc_onnx_graph *g, nnc_onnx_value *v);
/* Writes the current node as an activation function. kind: name of the function, such as "relu". Returns false if the
 * node was refused. */
bool nnc_onnx_act(nnc_onnx_graph *g, const char *kind);

/* Functions of onnx_patterns.c that convert the current node, one for each type of node. Each function returns false if
 * the node was refused. */
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
