/* The op list of one forward pass, as a family writes it down. */
#ifndef NNCOST_SHAPE_LIST_H
#define NNCOST_SHAPE_LIST_H

#include "base/number.h"
#include "op/dims.h"

/* Part of a network that full recomputation runs again from its input. */
typedef struct nnc_block {
    int64_t repeat;
    double input_bytes;
    int32_t segment;
} nnc_block;

/* A run of equal layers, or what comes before and after them: the unit of pipeline stages. */
typedef struct nnc_segment {
    int64_t instances; /* layers; 1 for embedding, head, or a network that is one piece */
    bool layer;        /* can be dealt out to stages */
} nnc_segment;

enum {
    NNC_OPS_MAX = 2048,
    NNC_BLOCKS_MAX = 512,
    NNC_SEGMENTS_MAX = 12,
    NNC_MIXED_LAYERS_MAX = 1024
};

typedef struct nnc_op_list {
    nnc_op ops[NNC_OPS_MAX];
    int32_t count;
    nnc_block blocks[NNC_BLOCKS_MAX];
    int32_t block_count;
    nnc_segment segments[NNC_SEGMENTS_MAX];
    int32_t segment_count; /* ops are added to the last one */
    /* Where layers of several kinds alternate, the segment of each; 0 = segments come one by one. */
    uint8_t mixed[NNC_MIXED_LAYERS_MAX];
    int32_t mixed_count;
    bool truncated;        /* more ops or blocks than the list holds */
    bool overflow;         /* a product of dims left int64 */
    double input_bytes;    /* training data of one micro-batch: token ids or images */
    int64_t tokens;        /* of one micro-batch; 0 for images */
    int64_t lookup_params; /* position table and, when untied, input embedding */
    /* What layers hand on to the next, of one micro-batch; 0 = there are no layers. */
    int64_t stream_elements;
    int64_t next_layers; /* behind the last one, with a head each */
    int64_t tied_rows,
        tied_cols; /* the table that the first and the last segment share; 0 = none */
} nnc_op_list;

/* What a family needs to know beside the model. */
typedef struct nnc_lowering {
    const nnc_plan *plan; /* resolved */
    const nnc_software *software;
    nnc_attention attention; /* may differ from the plan's */
    nnc_dtype dtype;         /* of activations */
    nnc_dtype linear_dtype;  /* of the operands of the block's linear layers: fp8 under fp8 */
    double grad_bytes, grad_accumulate;
} nnc_lowering;

/* Where ops are written: into the list's last segment, `repeat` equal instances of each in one
 * micro-batch, inside a recompute block. */
typedef struct nnc_writer {
    nnc_op_list *list;
    const nnc_lowering *how;
    int64_t repeat;
    int32_t block;     /* -1 = none */
    const char *place; /* of the ops: see nnc_op; NULL = none */
} nnc_writer;

/* Appends a zeroed op and returns it; a spare one when the list is full. */
nnc_op *nnc_list_add(const nnc_writer *w, const char *name, nnc_op_kind kind, nnc_group group);
/* a * b, noting overflow in the list. */
static inline int64_t nnc_list_mul(const nnc_writer *w, int64_t a, int64_t b)
{
    int64_t product = 1;
    w->list->overflow |= !nnc_mul_i64(a, b, &product);
    return product;
}
/* Of so many activations. */
double nnc_list_bytes(const nnc_writer *w, int64_t elements);
/* Does the plan compute this again in backward? */
static inline bool nnc_list_recomputes(const nnc_writer *w, nnc_recompute what)
{
    return (w->how->plan->recompute & what) != 0;
}
/* From op `first` on, ops run again in backward, from the input of the first of them that keeps one. */
void nnc_list_again(const nnc_writer *w, int32_t first);

/* The writer inside a recompute block of its own. */
nnc_writer nnc_list_block(const nnc_writer *w, int64_t repeat, int64_t input_elements);
/* Parts that one instance of a segment gathers one after the other: its blocks; 1 where it has none. */
double nnc_list_units(const nnc_op_list *list, int32_t segment);

/* Freezes what the plan does not train, and adds adapters. Nothing where all is trained.   [adapters] */
void nnc_list_train(nnc_op_list *list, const nnc_lowering *how);

/* Opens a segment; ops added from here on belong to it. */
void nnc_list_segment(const nnc_writer *w, int64_t instances, bool layer);

/* An exchange between ranks. */
void nnc_list_exchange(const nnc_writer *w, const char *name, nnc_exchange exchange);
/* y[m,n] = x[m,k] W, a linear layer with a weight of its own. */
nnc_op *nnc_list_linear(const nnc_writer *w, const char *name, nnc_group group, nnc_split split,
                        int64_t m, int64_t n, int64_t k, bool bias);
nnc_op *nnc_list_norm(const nnc_writer *w, const char *name, nnc_norm_kind kind, int64_t elements,
                      int64_t rows, int64_t params);
nnc_op *nnc_list_pointwise(const nnc_writer *w, const char *name, nnc_pointwise_kind kind,
                           nnc_group group, int64_t elements);
/* A convolution with a kernel of its own. */
nnc_op *nnc_list_conv(const nnc_writer *w, const char *name, nnc_group group, const nnc_conv *conv,
                      bool bias);
/* Joins a branch to what it left. */
nnc_op *nnc_list_residual(const nnc_writer *w, const char *name, nnc_group group, int64_t elements);
/* Cross-entropy over rows of classes. */
nnc_op *nnc_list_loss(const nnc_writer *w, int64_t rows, int64_t classes);

#endif
