/* What is known of the values of an ONNX graph while it is gone through. */
#ifndef NNCOST_ONNX_ONNX_VALUES_H
#define NNCOST_ONNX_ONNX_VALUES_H

#include <onnx.pb-c.h>
#include <stdbool.h>
#include <stdint.h>

#include <nncost/status.h>

#include "base/arena.h"
#include "base/buffer.h"

enum { NNC_ONNX_RANK_MAX = 8, NNC_ONNX_WHOLE_MAX = 4096 };

typedef enum nnc_onnx_kind {
    NNC_ONNX_UNKNOWN,
    NNC_ONNX_WHOLE,  /* whole numbers that are worked out: shapes, indices */
    NNC_ONNX_WEIGHT, /* constants and parameters */
    NNC_ONNX_ACTIVATION
} nnc_onnx_kind;

/* Activations that are part of something larger: nothing is written until it is clear of what. src is what
 * goes into it. */
typedef enum nnc_onnx_pattern {
    NNC_ONNX_PLAIN,
    NNC_ONNX_MEAN,        /* of src, over its last axis */
    NNC_ONNX_CENTERED,    /* src less its mean */
    NNC_ONNX_SQUARED,     /* squares of that */
    NNC_ONNX_VARIANCE,    /* their mean */
    NNC_ONNX_DEVIATION,   /* the root of it */
    NNC_ONNX_NORMED,      /* src normalised, */
    NNC_ONNX_NORMED_GAIN, /* times a gain */
    NNC_ONNX_ERF,         /* the error function of src */
    NNC_ONNX_ERF_PLUS,    /* and 1 */
    NNC_ONNX_SIGMOID,     /* of src */
    NNC_ONNX_HARD_SIGMOID,
    NNC_ONNX_CLIPPED,
    NNC_ONNX_BATCH_NORM, /* of src, */
    NNC_ONNX_BATCH_GAIN, /* times another gain */
    NNC_ONNX_LINEAR,     /* src times a matrix, its bias not seen yet */
    NNC_ONNX_PADDED,     /* src with zeros around it */
    NNC_ONNX_SCORES,     /* src times the transpose of key */
    NNC_ONNX_PROBABILITIES
} nnc_onnx_pattern;

typedef struct nnc_onnx_value {
    const char *name;
    nnc_onnx_kind kind;
    int32_t rank;
    int64_t dims[NNC_ONNX_RANK_MAX];
    int64_t *whole; /* as many as elements; NULL = not known */
    int64_t origin; /* weights: elements of the parameter it is a part or a copy of */
    bool computed;  /* a constant that was worked out: no parameter */
    bool ids;       /* token ids */
    nnc_onnx_pattern pattern;
    int32_t src, key, width; /* values; width of a linear layer's output */
    int32_t same_as; /* the value, counted from 1, that this one is under another name; 0 = none */
    bool rms;
    int64_t pads[4]; /* of one with zeros around it: before both sides, behind both */
    int32_t reg;     /* tensor of the graph file that holds it; -1 = none yet */
    int32_t shape_rank;
    int64_t shape[3]; /* its shape there */
} nnc_onnx_value;

typedef struct nnc_onnx_graph {
    const char *path;
    const Onnx__GraphProto *proto;
    nnc_arena *arena;
    nnc_error *err;
    nnc_status status;
    const Onnx__NodeProto *node; /* the one at hand */
    nnc_onnx_value *values;
    int32_t count, capacity;
    int32_t *slots; /* values by the hash of their name, counted from 1 */
    int32_t slot_count;
    bool shapeless; /* no parameter has data: those that are inputs are parameters too */
    /* what is written */
    nnc_buffer out;
    int32_t current, regs, reg_capacity, step;
    struct nnc_onnx_reg {
        int32_t name, last; /* of the first pass: the last step that goes back to it; 0 = none */
    } * reg;
    int32_t *names; /* in use by which register; -1 = free */
    int32_t name_count;
    bool begun;  /* has a step been written? */
    bool second; /* of two equal passes: the first finds out who is used when */
    int32_t convolutions, batch_norms, dropouts, biased;
    bool softmax_last;
    const char *axes;   /* sizes of axes without one: "sequence=128,x.2=48"; NULL = none are said */
    uint32_t axes_used; /* which of them an input has, a bit each */
} nnc_onnx_graph;

/* The tensor type of an input; NULL = it is no tensor. */
const Onnx__TypeProto__Tensor *nnc_onnx_type_of(const Onnx__ValueInfoProto *info);
/* The first axis is the batch, which is 1 whatever the file says it may be; others have to be known or said. */
bool nnc_onnx_read_shape(nnc_onnx_graph *g, const Onnx__ValueInfoProto *info, nnc_onnx_value *v,
                         bool batch);
/* The size that is said for an axis of an input, by the name it has or by its place; -1 = none. */
int64_t nnc_onnx_axis_said(nnc_onnx_graph *g, const char *input, int axis, const char *name);
/* The first that no input has; NULL = all are used. */
const char *nnc_onnx_axis_left(const nnc_onnx_graph *g);

/* Refuses the node at hand; returns false. */
bool nnc_onnx_refuse(nnc_onnx_graph *g, const char *format, ...) NNC_PRINTF(2, 3);

/* The value of a name, a new one if need be; -1: out of memory. */
int32_t nnc_onnx_find(nnc_onnx_graph *g, const char *name);
/* Of an input of the node at hand; an unknown value when it has none there. */
nnc_onnx_value *nnc_onnx_input(nnc_onnx_graph *g, size_t index);
bool nnc_onnx_has_input(const nnc_onnx_graph *g, size_t index);
nnc_onnx_value *nnc_onnx_output(nnc_onnx_graph *g, size_t index);

/* false: more than fits, or not known */
bool nnc_onnx_elements(const nnc_onnx_value *v, int64_t *elements);
const Onnx__AttributeProto *nnc_onnx_attribute(const nnc_onnx_graph *g, const char *name);
int64_t nnc_onnx_int(const nnc_onnx_graph *g, const char *name, int64_t unsaid);
/* Value `index` of a list of numbers. */
int64_t nnc_onnx_ints(const nnc_onnx_graph *g, const char *name, size_t index, int64_t unsaid);
/* axis of v, negative ones counted from the end; -1: refused */
int32_t nnc_onnx_axis(nnc_onnx_graph *g, const nnc_onnx_value *v, int64_t axis);

/* Constants: whole numbers are worked out, of others only shapes. false: refused. */
bool nnc_onnx_fold(nnc_onnx_graph *g);
/* The axes of a value, as whole numbers. */
bool nnc_onnx_shape_of(nnc_onnx_graph *g);
/* A tensor of the file as a value. */
bool nnc_onnx_constant(nnc_onnx_graph *g, const Onnx__TensorProto *t, nnc_onnx_value *v);

/* Shape of an output whose values are those of an input in another order, or fewer: for constants and
 * activations alike. false: refused. */
bool nnc_onnx_moved_shape(nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out);
/* The shape of two that are combined. */
bool nnc_onnx_broadcast(nnc_onnx_graph *g, const nnc_onnx_value *a, const nnc_onnx_value *b,
                        nnc_onnx_value *out);

/* One node whose inputs are not all constants. false: refused. */
bool nnc_onnx_convert(nnc_onnx_graph *g);
/* Writes what has not been written of a value yet. */
bool nnc_onnx_materialise(nnc_onnx_graph *g, nnc_onnx_value *v);

#endif
