/* Defines the kinds of op of a graph file that work on maps (channels x height x width) and volumes (channels x depth x
 * height x width): convolutions, pools, and ops that only reorder values. */
#include <inttypes.h>
#include <stddef.h>

#include "graph/graph_internal.h"

static bool graph_needs_map(nnc_graph_walk *w, const nnc_graph_op *op) {
    char text[96];
    return op->in.rank == 3 || nnc_graph_fail(w, op->node, "%s: expected a map of channels x height x width, found %s",
                                              op->node->label, nnc_graph_shape_text(&op->in, text));
}

static bool is_volume(const nnc_graph_op *op) { return op->in.rank == 4; }

/* Checks that the input of an op is a map or a volume. If the input is not valid, notes a fault and returns false. */
static bool needs_sides(nnc_graph_walk *w, const nnc_graph_op *op) { return is_volume(op) || graph_needs_map(w, op); }

/* Returns the index in the array of nnc_graph_windows() for an axis of a map or volume: 0 = the window along the
 * height, 1 = along the width, 2 = along the depth. */
static int window_of(const nnc_graph_op *op, int axis) { return !is_volume(op) ? axis - 1 : axis == 1 ? 2 : axis - 2; }

/* Returns the number of positions that a window takes along an axis of `side` positions. The result is the size of the
 * output along the axis. 0 = the window is longer than the padded axis. */
static int64_t graph_side(int64_t side, const nnc_graph_window *window) {
    const int64_t span = window->dilation * (window->kernel - 1) + 1;
    const int64_t room = side + window->pad + window->pad_end - span;
    const int64_t up = window->ceil ? window->stride - 1 : 0;
    int64_t out = room < 0 ? 0 : (room + up) / window->stride + 1;
    if (window->ceil && (out - 1) * window->stride >= side + window->pad) {
        out--; /* leaves out the last position of the window, because this position begins in the padding at the end of
                * the axis */
    }
    return out;
}

/* Returns the parameter `value` of an op; if the graph file does not give this parameter, returns `other`. For example,
 * a width that is not given equals the height. */
static int64_t or_else(int64_t value, int64_t other) { return value == NNC_GRAPH_UNSAID ? other : value; }

void nnc_graph_windows(const nnc_graph_op *op, nnc_graph_window windows[3]) {
    const int64_t *v = op->values;
    const int64_t stride = or_else(v[NNC_WINDOW_STRIDE], v[NNC_WINDOW_KERNEL]);
    windows[0] = (nnc_graph_window){ .kernel = v[NNC_WINDOW_KERNEL],
                                     .stride = stride,
                                     .pad = v[NNC_WINDOW_PAD],
                                     .pad_end = or_else(v[NNC_WINDOW_PAD_END], v[NNC_WINDOW_PAD]),
                                     .dilation = v[NNC_WINDOW_DILATION],
                                     .ceil = v[NNC_WINDOW_CEIL] > 0 };
    windows[1] = windows[0];
    windows[1].kernel = or_else(v[NNC_WINDOW_KERNEL_W], windows[0].kernel);
    windows[1].stride = or_else(v[NNC_WINDOW_STRIDE_W], stride);
    windows[1].pad = or_else(v[NNC_WINDOW_PAD_W], windows[0].pad);
    windows[1].pad_end = or_else(v[NNC_WINDOW_PAD_END_W], or_else(v[NNC_WINDOW_PAD_W], windows[0].pad_end));
    windows[2] = windows[0];
    windows[2].kernel = or_else(v[NNC_WINDOW_KERNEL_D], windows[0].kernel);
    windows[2].stride = or_else(v[NNC_WINDOW_STRIDE_D], stride);
    windows[2].pad = or_else(v[NNC_WINDOW_PAD_D], windows[0].pad);
    windows[2].pad_end = or_else(v[NNC_WINDOW_PAD_END_D], or_else(v[NNC_WINDOW_PAD_D], windows[0].pad_end));
}

/* Defines one parameter of a window. The unit of the parameter is one position of the map over which the window
 * moves. */
#define POSITIONS(index, name, unsaid_, min_, help_)                                                             \
    [index] = {                                                                                                  \
        name, NNC_GRAPH_NUMBER, .unsaid = (unsaid_), .min = (min_), .max = NNC_GRAPH_KERNEL_MAX, .help = (help_) \
    }

/* Lists all parameters of a window that moves over a map. A parameter of a window has one index, which is valid for
 * every kind of op with a window. */
#define WINDOW(stride_unsaid, what)                                                                                   \
    POSITIONS(NNC_WINDOW_KERNEL, "kernel", 1, 1, "Side of the " what "."),                                            \
        POSITIONS(NNC_WINDOW_STRIDE, "stride", stride_unsaid, 1, "Distance between two windows, in positions."),      \
        POSITIONS(NNC_WINDOW_PAD, "pad", 0, 0, "Padding at each side, in positions."),                                \
        POSITIONS(NNC_WINDOW_PAD_END, "pad_end", NNC_GRAPH_UNSAID, 0,                                                 \
                  "Padding at the bottom and the right, if it differs from pad."),                                    \
        POSITIONS(NNC_WINDOW_KERNEL_W, "kernel_w", NNC_GRAPH_UNSAID, 1,                                               \
                  "Width of the " what ", if it differs from the height."),                                           \
        POSITIONS(NNC_WINDOW_STRIDE_W, "stride_w", NNC_GRAPH_UNSAID, 1,                                               \
                  "Stride along the width, if it differs from stride."),                                              \
        POSITIONS(NNC_WINDOW_PAD_W, "pad_w", NNC_GRAPH_UNSAID, 0, "Padding left and right, if it differs from pad."), \
        POSITIONS(NNC_WINDOW_PAD_END_W, "pad_end_w", NNC_GRAPH_UNSAID, 0,                                             \
                  "Padding at the right; not given: pad_w, or else pad_end."),                                        \
        POSITIONS(NNC_WINDOW_KERNEL_D, "kernel_d", NNC_GRAPH_UNSAID, 1,                                               \
                  "Depth of the " what " in a volume, if it differs from the height."),                               \
        POSITIONS(NNC_WINDOW_STRIDE_D, "stride_d", NNC_GRAPH_UNSAID, 1,                                               \
                  "Stride along the depth, if it differs from stride."),                                              \
        POSITIONS(NNC_WINDOW_PAD_D, "pad_d", NNC_GRAPH_UNSAID, 0,                                                     \
                  "Padding in front and behind, if it differs from pad."),                                            \
        POSITIONS(NNC_WINDOW_PAD_END_D, "pad_end_d", NNC_GRAPH_UNSAID, 0,                                             \
                  "Padding behind; not given: pad_d, or else pad_end.")

/* Computes the sizes of the output of an op with a window. If the input is not valid, notes a fault and returns
 * false. */
static bool sides(nnc_graph_walk *w, nnc_graph_op *op) {
    static const char *const names[] = { "height", "width", "depth" };
    nnc_graph_window windows[3];
    if (!needs_sides(w, op)) { return false; }
    nnc_graph_windows(op, windows);
    for (int axis = 1; axis < op->in.rank; axis++) {
        const int i = window_of(op, axis);
        op->out.dims[axis] = graph_side(op->in.dims[axis], &windows[i]);
        if (op->out.dims[axis] < 1) {
            return nnc_graph_fail(
                w, op->node, "%s: %s: a window of %" PRId64 " does not fit into %" PRId64 " positions and the padding",
                op->node->label, names[i], windows[i].kernel, op->in.dims[axis]);
        }
    }
    return true;
}

/* ---- convolutions ---- */

#define DILATION                                           \
    [NNC_WINDOW_DILATION] = { "dilation",                  \
                              NNC_GRAPH_NUMBER,            \
                              .unsaid = 1,                 \
                              .min = 1,                    \
                              .max = NNC_GRAPH_KERNEL_MAX, \
                              .help = "Distance between two taps, in positions." }
#define CHANNELS                                                                                                      \
    [NNC_CONV_OUT] = { "out",    NNC_GRAPH_NUMBER, .required = true,                                                  \
                       .min = 1, .max = 10000000,  .help = "Number of channels of the output." },                     \
    [NNC_CONV_GROUPS] = { "groups",                                                                                   \
                          NNC_GRAPH_NUMBER,                                                                           \
                          .unsaid = 1,                                                                                \
                          .min = 1,                                                                                   \
                          .max = 10000000,                                                                            \
                          .help = "Groups of channels that are convolved separately; one per channel = depthwise." }, \
    [NNC_CONV_BIAS] = { "bias",   NNC_GRAPH_NUMBER, .unsaid = 1,                                                      \
                        .min = 0, .max = 1,         .help = "Whether the op adds one learned value per channel." }

static const nnc_graph_param conv_params[] = {
    WINDOW(1, "kernel"),
    DILATION,
    CHANNELS,
    [NNC_CONV_STANDARDIZE] = { "standardize", NNC_GRAPH_NUMBER, .unsaid = 0, .min = 0, .max = 1,
                               .help = "Whether each pass first normalises the weights of each output channel." },
    [NNC_CONV_GAIN] = { "gain", NNC_GRAPH_NUMBER, .unsaid = 0, .min = 0, .max = 1,
                        .help = "Whether a learned value per output channel multiplies the standardized weights." },
};

static bool weights_of(nnc_graph_walk *w, nnc_graph_op *op) {
    const int64_t *v = op->values;
    const int64_t in = op->in.dims[0], out = v[NNC_CONV_OUT], groups = v[NNC_CONV_GROUPS];
    nnc_graph_window windows[3];
    nnc_graph_windows(op, windows);
    if (in % groups != 0 || out % groups != 0) {
        return nnc_graph_fail(w, op->node,
                              "%s: groups: expected a divisor of %" PRId64 " and %" PRId64 " channels, found %" PRId64,
                              op->node->label, in, out, groups);
    }
    op->out.dims[0] = out;
    op->weights = (nnc_graph_weights){ .count = 1,
                                       .rows = out,
                                       .cols = in / groups * windows[0].kernel * windows[1].kernel *
                                               (is_volume(op) ? windows[2].kernel : 1),
                                       .vector = v[NNC_CONV_BIAS] * out };
    return true;
}

static bool infer_conv(nnc_graph_walk *w, nnc_graph_op *op) {
    const int64_t *v = op->values;
    if (v[NNC_CONV_GAIN] > v[NNC_CONV_STANDARDIZE]) {
        return nnc_graph_fail(w, op->node, "%s: gain: needs the parameter standardize, expected standardize 1, found 0",
                              op->node->label);
    }
    if (!sides(w, op) || !weights_of(w, op)) { return false; }
    op->weights.vector += v[NNC_CONV_GAIN] * v[NNC_CONV_OUT];
    return true;
}

static const nnc_graph_param transpose_params[] = {
    WINDOW(NNC_GRAPH_UNSAID, "kernel"),
    DILATION,
    CHANNELS,
    [NNC_CONV_OUTPUT_PAD] = { "output_pad", NNC_GRAPH_NUMBER, .unsaid = 0, .min = 0, .max = NNC_GRAPH_KERNEL_MAX,
                              .help = "Positions that are added to the output at the bottom and the right." },
};

/* Infers the output of a transposed convolution. Each side of the output is (input side - 1) * stride - (sum of the
 * padding at the two ends) + extent of the dilated kernel + output_pad. If the input is not valid, notes a fault and
 * returns false. */
static bool infer_transpose(nnc_graph_walk *w, nnc_graph_op *op) {
    nnc_graph_window windows[3];
    if (!needs_sides(w, op)) { return false; }
    nnc_graph_windows(op, windows);
    for (int axis = 1; axis < op->in.rank; axis++) {
        const nnc_graph_window *x = &windows[window_of(op, axis)];
        op->out.dims[axis] = (op->in.dims[axis] - 1) * x->stride - x->pad - x->pad_end + x->dilation * (x->kernel - 1) +
                             1 + op->values[NNC_CONV_OUTPUT_PAD];
    }
    return weights_of(w, op);
}

/* ---- pools ---- */

static const char *const pool_words[] = { "max", "mean", NULL };

static const nnc_graph_param pool_params[] = {
    WINDOW(NNC_GRAPH_UNSAID, "window"),
    DILATION,
    [NNC_WINDOW_CEIL] = { "ceil", NNC_GRAPH_NUMBER, .unsaid = 0, .min = 0, .max = 1,
                          .help = "Whether the last window may end outside the padded map." },
    [NNC_POOL_KIND] = { "kind", NNC_GRAPH_WORD, .words = pool_words, .required = true,
                        .help = "Function over a window: mean or maximum." },
};

static bool infer_global_pool(nnc_graph_walk *w, nnc_graph_op *op) {
    op->out.rank = 1;
    op->out.dims[0] = nnc_graph_width(&op->in);
    return nnc_graph_needs_values(w, op);
}

static const char *const upsample_words[] = { "nearest", "bilinear", NULL };

static const nnc_graph_param upsample_params[] = {
    [NNC_UPSAMPLE_KIND] = { "kind", NNC_GRAPH_WORD, .words = upsample_words, .unsaid = 0,
                            .help = "Interpolation between the positions." },
    [NNC_UPSAMPLE_FACTOR] = { "factor", NNC_GRAPH_NUMBER, .unsaid = 2, .min = 1, .max = 1000,
                              .help = "Side of the output divided by the side of the input." },
};

static bool infer_upsample(nnc_graph_walk *w, nnc_graph_op *op) {
    for (int axis = 1; axis < op->in.rank; axis++) {
        op->out.dims[axis] = op->in.dims[axis] * op->values[NNC_UPSAMPLE_FACTOR];
    }
    return needs_sides(w, op);
}

/* ---- kinds of op that only reorder values ---- */

static const nnc_graph_param fold_params[] = {
    { "side", NNC_GRAPH_NUMBER, .unsaid = 2, .min = 1, .max = NNC_GRAPH_KERNEL_MAX,
      .help = "Side of a square of positions." },
};

static bool infer_fold(nnc_graph_walk *w, nnc_graph_op *op) {
    const int64_t side = op->values[0];
    if (!graph_needs_map(w, op)) { return false; }
    if (op->in.dims[1] % side != 0 || op->in.dims[2] % side != 0) {
        return nnc_graph_fail(w, op->node,
                              "%s: side: expected a divisor of %" PRId64 " x %" PRId64 " positions, found %" PRId64,
                              op->node->label, op->in.dims[1], op->in.dims[2], side);
    }
    op->out.dims[0] *= side * side;
    op->out.dims[1] /= side;
    op->out.dims[2] /= side;
    return true;
}

static bool infer_unfold(nnc_graph_walk *w, nnc_graph_op *op) {
    const int64_t side = op->values[0];
    if (!graph_needs_map(w, op)) { return false; }
    if (op->in.dims[0] % (side * side) != 0) {
        return nnc_graph_fail(w, op->node,
                              "%s: side: expected a number whose square divides %" PRId64 " channels, found %" PRId64,
                              op->node->label, op->in.dims[0], side);
    }
    op->out.dims[0] /= side * side;
    op->out.dims[1] *= side;
    op->out.dims[2] *= side;
    return true;
}

static bool infer_flatten(nnc_graph_walk *w, nnc_graph_op *op) {
    op->out.rank = 1;
    op->out.dims[0] = nnc_graph_elements(&op->in);
    op->out.storage = op->in.storage;
    return nnc_graph_needs_values(w, op);
}

static const nnc_graph_param view_params[] = {
    { "shape", NNC_GRAPH_SHAPE, .help = "New shape of one sample; the values do not change." },
};

/* Checks an op "view", which gives a tensor another shape without moving its values; the walk has set the shape of the
 * output before this check. If the input is not valid, notes a fault and returns false. */
static bool infer_view(nnc_graph_walk *w, nnc_graph_op *op) {
    char one[96], other[96];
    op->out.storage = op->in.storage;
    if (op->node->shape_count == 0 || op->in.ids || nnc_graph_elements(&op->in) != nnc_graph_elements(&op->out)) {
        return nnc_graph_fail(w, op->node, "%s: shape: %s has another number of values than %s", op->node->label,
                              nnc_graph_shape_text(&op->out, one), nnc_graph_shape_text(&op->in, other));
    }
    return true;
}

static bool infer_to_tokens(nnc_graph_walk *w, nnc_graph_op *op) {
    op->out.rank = 2;
    op->out.dims[0] = nnc_graph_positions(&op->in);
    op->out.dims[1] = op->in.dims[0];
    op->out.storage = op->in.storage;
    return needs_sides(w, op);
}

static const nnc_graph_param to_map_params[] = {
    [NNC_TO_MAP_HEIGHT] = { "height", NNC_GRAPH_NUMBER, .required = true, .min = 1, .max = NNC_GRAPH_DIM_MAX,
                            .help = "Height of the map that the tokens become." },
};

static bool infer_to_map(nnc_graph_walk *w, nnc_graph_op *op) {
    const int64_t height = op->values[NNC_TO_MAP_HEIGHT];
    if (op->in.rank != 2 || op->in.dims[0] % height != 0) {
        char text[96];
        return nnc_graph_fail(w, op->node,
                              "%s: height: expected a number of tokens that can be divided into rows of %" PRId64
                              ", found %s",
                              op->node->label, height, nnc_graph_shape_text(&op->in, text));
    }
    op->out.rank = 3;
    op->out.dims[0] = op->in.dims[1];
    op->out.dims[1] = height;
    op->out.dims[2] = op->in.dims[0] / height;
    op->out.storage = op->in.storage;
    return true;
}

const nnc_graph_kind_row nnc_graph_conv_row = NNC_GRAPH_ROW(conv_params, infer_conv);
const nnc_graph_kind_row nnc_graph_conv_transpose_row = NNC_GRAPH_ROW(transpose_params, infer_transpose);
const nnc_graph_kind_row nnc_graph_pool_row = NNC_GRAPH_ROW(pool_params, sides);
const nnc_graph_kind_row nnc_graph_global_pool_row = { .infer = infer_global_pool };
const nnc_graph_kind_row nnc_graph_upsample_row = NNC_GRAPH_ROW(upsample_params, infer_upsample);
const nnc_graph_kind_row nnc_graph_fold_row = NNC_GRAPH_ROW(fold_params, infer_fold);
const nnc_graph_kind_row nnc_graph_unfold_row = NNC_GRAPH_ROW(fold_params, infer_unfold);
const nnc_graph_kind_row nnc_graph_view_row = NNC_GRAPH_ROW(view_params, infer_view);
const nnc_graph_kind_row nnc_graph_flatten_row = { .infer = infer_flatten };
const nnc_graph_kind_row nnc_graph_to_tokens_row = { .infer = infer_to_tokens };
const nnc_graph_kind_row nnc_graph_to_map_row = NNC_GRAPH_ROW(to_map_params, infer_to_map);
