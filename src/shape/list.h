/* The op list of one forward pass, as a family writes it down. */
#ifndef NNCOST_SHAPE_LIST_H
#define NNCOST_SHAPE_LIST_H

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

enum { NNC_OPS_MAX = 2048, NNC_BLOCKS_MAX = 512, NNC_SEGMENTS_MAX = 4 };

typedef struct nnc_op_list {
    nnc_op ops[NNC_OPS_MAX];
    int32_t count;
    nnc_block blocks[NNC_BLOCKS_MAX];
    int32_t block_count;
    nnc_segment segments[NNC_SEGMENTS_MAX];
    int32_t segment_count; /* ops are added to the last one */
    bool truncated;        /* more ops or blocks than the list holds */
    bool overflow;         /* a product of dims left int64 */
    double input_bytes;    /* training data of one micro-batch: token ids or images */
    int64_t tokens;        /* of one micro-batch; 0 for images */
    int64_t lookup_params; /* position table and, when untied, input embedding */
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

/* Writes the forward ops of one micro-batch of plan->micro_batch samples. The list is reset first.
 * Check list->overflow and list->truncated afterwards. */
void nnc_lower(const nnc_model *model, const nnc_lowering *how, nnc_op_list *list);

void nnc_decoder_lower(const nnc_model *model, const nnc_lowering *how, nnc_op_list *list);
void nnc_unet_lower(const nnc_model *model, const nnc_lowering *how, nnc_op_list *list);

/* Building blocks, shared by the families. */

/* Appends a zeroed op and returns it; a spare one when the list is full. */
nnc_op *nnc_list_add(nnc_op_list *list, const nnc_lowering *how, const char *name, nnc_op_kind kind,
                     nnc_group group, int64_t repeat, int32_t block);
/* a * b * c * d, noting overflow in the list. */
int64_t nnc_list_mul(nnc_op_list *list, int64_t a, int64_t b, int64_t c, int64_t d);
/* Opens a recompute block and returns its index. */
int32_t nnc_list_block(nnc_op_list *list, int64_t repeat, double input_bytes);

/* Opens a segment; ops added from here on belong to it. */
void nnc_list_segment(nnc_op_list *list, int64_t instances, bool layer);
/* Adds an exchange between ranks; none where the degree is 1. */
void nnc_list_exchange(nnc_op_list *list, const nnc_lowering *how, const char *name,
                       nnc_exchange exchange, int64_t repeat, int32_t block);

/* Attention over queries and keys already projected: one fused op, or kernel by kernel. */
typedef struct nnc_attention_shape {
    int64_t batch, heads, kv_heads, s_q, s_k, head_dim, value_dim, window;
    bool causal;
    double dropout;
} nnc_attention_shape;

/* Names of the ops of one attention: fused; scores, scale and mask, softmax, dropout, context. */
typedef struct nnc_attention_labels {
    const char *fused, *scores, *mask, *softmax, *dropout, *context;
} nnc_attention_labels;

void nnc_list_attention(nnc_op_list *list, const nnc_lowering *how, const nnc_attention_shape *a,
                        const nnc_attention_labels *labels, int64_t repeat, int32_t block);

/* y[m,n] = x[m,k] W, a linear layer with a weight of its own. */
nnc_op *nnc_list_linear(nnc_op_list *list, const nnc_lowering *how, const char *name,
                        nnc_group group, int64_t m, int64_t n, int64_t k, bool bias, int64_t repeat,
                        int32_t block);
nnc_op *nnc_list_norm(nnc_op_list *list, const nnc_lowering *how, const char *name,
                      nnc_norm_kind kind, int64_t elements, int64_t rows, int64_t params,
                      int64_t repeat, int32_t block);
nnc_op *nnc_list_pointwise(nnc_op_list *list, const nnc_lowering *how, const char *name,
                           nnc_pointwise_kind kind, nnc_group group, int64_t elements,
                           int64_t repeat, int32_t block);

#endif
