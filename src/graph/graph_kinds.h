/* The kinds of op: where each parameter stands among an op's values. */
#ifndef NNCOST_GRAPH_GRAPH_KINDS_H
#define NNCOST_GRAPH_GRAPH_KINDS_H

#include "graph/graph.h"

#define NNC_GRAPH_KIND_ROW(name, text, help, row) \
    extern const nnc_graph_kind_row nnc_graph_##row##_row;
NNC_GRAPH_KIND_LIST(NNC_GRAPH_KIND_ROW)
#undef NNC_GRAPH_KIND_ROW

#define NNC_GRAPH_ROW(list, function)                                                        \
    {                                                                                        \
        .params = (list), .param_count = sizeof(list) / sizeof(list)[0], .infer = (function) \
    }

#define NNC_GRAPH_PARTS_ROW(list, function)                                                   \
    {                                                                                         \
        .params = (list), .param_count = sizeof(list) / sizeof(list)[0], .infer = (function), \
        .parts = true                                                                         \
    }

/* Of whatever moves a window over a map; a kind that has no dilation, or does not end outside, leaves
 * its place empty. */
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
    NNC_WINDOW_OWN, /* what follows is the kind's */
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
enum {
    NNC_NORM_PARAM_KIND,
    NNC_NORM_PARAM_GROUPS,
    NNC_NORM_PARAM_AFFINE,
    NNC_NORM_PARAM_BIAS,
    NNC_NORM_PARAM_HEADS
};
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
    NNC_ACT_SWIGLU, /* from here on two halves become one */
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
/* Windows along a side; 0 = none fits. */
int64_t nnc_graph_side(int64_t side, const nnc_graph_window *window);
/* Of an op, over its height and its width. */
void nnc_graph_windows(const nnc_graph_op *op, nnc_graph_window windows[2]);

/* What an op asks of its input; false: a fault was noted. */
bool nnc_graph_needs_map(nnc_graph_walk *walk, const nnc_graph_op *op);
bool nnc_graph_needs_values(nnc_graph_walk *walk, const nnc_graph_op *op);

#endif
