/* Kinds of op that work on tensors of any shape. */
#include <inttypes.h>
#include <stddef.h>

#include "graph/graph_kinds.h"

bool nnc_graph_needs_values(nnc_graph_walk *w, const nnc_graph_op *op)
{
    return !op->in.ids || nnc_graph_fail(w, op->node,
                                         "%s: expected values, found token ids, which an embed "
                                         "looks up",
                                         op->node->label);
}

static bool as_it_was(nnc_graph_walk *w, nnc_graph_op *op)
{
    return nnc_graph_needs_values(w, op);
}

static const char *const norm_words[] = { "layer", "rms", "group", "batch", NULL };

static const nnc_graph_param norm_params[] = {
    [NNC_NORM_PARAM_KIND] = { "kind", NNC_GRAPH_WORD, .words = norm_words, .required = true,
                              .help = "Over what mean and variance are taken: each position, each "
                                      "group of channels of a sample, each channel of the batch." },
    [NNC_NORM_PARAM_GROUPS] = { "groups", NNC_GRAPH_NUMBER, .unsaid = 32, .min = 1, .max = 10000000,
                                .help = "Groups of channels of a group norm." },
    [NNC_NORM_PARAM_AFFINE] = { "affine", NNC_GRAPH_NUMBER, .unsaid = 1, .min = 0, .max = 1,
                                .help = "Has a gain and a bias." },
    [NNC_NORM_PARAM_BIAS] = { "bias", NNC_GRAPH_NUMBER, .unsaid = NNC_GRAPH_UNSAID, .min = 0,
                              .max = 1, .help = "Has a bias; left out, all but rms have." },
    [NNC_NORM_PARAM_HEADS] = { "heads", NNC_GRAPH_NUMBER, .unsaid = 1, .min = 1, .max = 10000000,
                               .help = "The width is that of so many heads, each normalised by "
                                       "itself with the same gain." },
};

static bool infer_norm(nnc_graph_walk *w, nnc_graph_op *op)
{
    const int64_t *v = op->values;
    const int64_t width = nnc_graph_width(&op->in), heads = v[NNC_NORM_PARAM_HEADS];
    const bool grouped = v[NNC_NORM_PARAM_KIND] == NNC_NORM_GROUP;
    const int64_t groups = grouped ? v[NNC_NORM_PARAM_GROUPS] : heads;
    const bool bias = v[NNC_NORM_PARAM_BIAS] == NNC_GRAPH_UNSAID
                          ? v[NNC_NORM_PARAM_KIND] != NNC_NORM_RMS
                          : v[NNC_NORM_PARAM_BIAS] > 0;
    if (width % groups != 0) {
        return nnc_graph_fail(w, op->node,
                              "%s: %s: expected a divisor of %" PRId64 " channels, found %" PRId64,
                              op->node->label, grouped ? "groups" : "heads", width, groups);
    }
    op->weights.vector = v[NNC_NORM_PARAM_AFFINE] * (width / heads) * (bias ? 2 : 1);
    return nnc_graph_needs_values(w, op);
}

static const char *const act_words[] = { "relu",   "gelu",         "silu",       "sigmoid",
                                         "tanh",   "hard_sigmoid", "hard_swish", "softmax",
                                         "swiglu", "geglu",        NULL };

static const nnc_graph_param act_params[] = {
    { "kind", NNC_GRAPH_WORD, .words = act_words, .required = true,
      .help = "Which function; swiglu and geglu multiply one half by the function of the other." },
};

static bool infer_act(nnc_graph_walk *w, nnc_graph_op *op)
{
    if (op->values[0] >= NNC_ACT_SWIGLU) {
        int64_t *width = &op->out.dims[nnc_graph_width_axis(&op->out)];
        if (*width % 2 != 0) {
            return nnc_graph_fail(w, op->node,
                                  "%s: expected an even width to halve, found %" PRId64,
                                  op->node->label, *width);
        }
        *width /= 2;
    }
    return nnc_graph_needs_values(w, op);
}

static const char *const split_words[] = { "none", "column", "row", NULL };

static const nnc_graph_param linear_params[] = {
    [NNC_LINEAR_OUT] = { "out", NNC_GRAPH_NUMBER, .required = true, .min = 1, .max = 1000000000,
                         .help = "Width of the output." },
    [NNC_LINEAR_BIAS] = { "bias", NNC_GRAPH_NUMBER, .unsaid = 1, .min = 0, .max = 1,
                          .help = "One value per output is added." },
    [NNC_LINEAR_SPLIT] = { "split", NNC_GRAPH_WORD, .words = split_words,
                           .unsaid = NNC_LINEAR_WHOLE,
                           .help = "How tensor ranks divide the matrix: by columns, each makes its "
                                   "part of the output; then by rows, and they add up." },
};

static bool infer_linear(nnc_graph_walk *w, nnc_graph_op *op)
{
    const int64_t out = op->values[NNC_LINEAR_OUT], split = op->values[NNC_LINEAR_SPLIT];
    if (op->in.sharded != (split == NNC_LINEAR_ROWS)) {
        return nnc_graph_fail(w, op->node,
                              "%s: split: row comes after column, and nothing else does",
                              op->node->label);
    }
    op->out.sharded = split == NNC_LINEAR_COLUMNS;
    op->out.dims[nnc_graph_width_axis(&op->in)] = out;
    op->weights = (nnc_graph_weights){ .count = 1,
                                       .rows = nnc_graph_width(&op->in),
                                       .cols = out,
                                       .vector = op->values[NNC_LINEAR_BIAS] * out };
    return nnc_graph_needs_values(w, op);
}

static const char *const scale_words[] = { "gain", "bias", NULL };

static const nnc_graph_param scale_params[] = {
    { "kind", NNC_GRAPH_WORD, .words = scale_words, .unsaid = NNC_SCALE_GAIN,
      .help = "The values multiply, or are added." },
};

static bool infer_scale(nnc_graph_walk *w, nnc_graph_op *op)
{
    op->weights.vector = nnc_graph_width(&op->in);
    return nnc_graph_needs_values(w, op);
}

/* ---- two tensors ---- */

static const nnc_graph_param with_params[] = {
    { "with", NNC_GRAPH_TENSOR, .required = true, .help = "The other tensor." },
};

static bool same_shape(const nnc_graph_tensor *a, const nnc_graph_tensor *b)
{
    bool same = a->rank == b->rank && a->ids == b->ids;
    for (int32_t i = 0; same && i < a->rank; i++) {
        same = a->dims[i] == b->dims[i];
    }
    return same;
}

/* Equal shapes, or one value per channel. */
static bool infer_both(nnc_graph_walk *w, nnc_graph_op *op)
{
    const nnc_graph_tensor *a = &op->in, *b = &op->with;
    const bool same = same_shape(a, b);
    char one[96], other[96];
    if (!same && b->rank == 1 && nnc_graph_width(a) == b->dims[0]) {
        return nnc_graph_needs_values(w, op);
    }
    if (!same && a->rank == 1 && nnc_graph_width(b) == a->dims[0]) {
        op->out.rank = b->rank;
        for (int32_t i = 0; i < b->rank; i++) {
            op->out.dims[i] = b->dims[i];
        }
        return nnc_graph_needs_values(w, op);
    }
    return same
               ? nnc_graph_needs_values(w, op)
               : nnc_graph_fail(w, op->node,
                                "%s: expected equal shapes, or one value per channel, found %s and "
                                "%s",
                                op->node->label, nnc_graph_shape_text(a, one),
                                nnc_graph_shape_text(b, other));
}

static const char *const axis_words[] = { "channels", "tokens", NULL };

static const nnc_graph_param concat_params[] = {
    { "with", NNC_GRAPH_TENSOR, .required = true, .help = "The other tensor." },
    [NNC_CONCAT_AXIS] = { "axis", NNC_GRAPH_WORD, .words = axis_words, .unsaid = 0,
                          .help = "Which axis grows." },
};

static bool axis_of(nnc_graph_walk *w, const nnc_graph_op *op, bool tokens, int *axis)
{
    char text[96];
    *axis = tokens ? 0 : nnc_graph_width_axis(&op->in);
    return !tokens || op->in.rank == 2 ||
           nnc_graph_fail(w, op->node, "%s: expected tokens x width, found %s", op->node->label,
                          nnc_graph_shape_text(&op->in, text));
}

static bool infer_concat(nnc_graph_walk *w, nnc_graph_op *op)
{
    char one[96], other[96];
    nnc_graph_tensor with = op->with;
    int axis = 0;
    if (!axis_of(w, op, op->values[NNC_CONCAT_AXIS] == NNC_AXIS_TOKENS, &axis)) {
        return false;
    }
    if (with.rank == op->in.rank) {
        with.dims[axis] = op->in.dims[axis];
    }
    if (!same_shape(&op->in, &with)) {
        return nnc_graph_fail(w, op->node,
                              "%s: expected shapes that differ in one axis, found %s "
                              "and %s",
                              op->node->label, nnc_graph_shape_text(&op->in, one),
                              nnc_graph_shape_text(&op->with, other));
    }
    op->out.dims[axis] += op->with.dims[axis];
    return nnc_graph_needs_values(w, op);
}

static const nnc_graph_param slice_params[] = {
    [NNC_SLICE_SIZE] = { "size", NNC_GRAPH_NUMBER, .required = true, .min = 1,
                         .max = NNC_GRAPH_DIM_MAX, .help = "How many." },
    [NNC_SLICE_START] = { "start", NNC_GRAPH_NUMBER, .unsaid = 0, .min = 0,
                          .max = NNC_GRAPH_DIM_MAX, .help = "From which on." },
    [NNC_SLICE_AXIS] = { "axis", NNC_GRAPH_WORD, .words = axis_words, .unsaid = 0,
                         .help = "Of which axis." },
};

static bool infer_slice(nnc_graph_walk *w, nnc_graph_op *op)
{
    const int64_t size = op->values[NNC_SLICE_SIZE], start = op->values[NNC_SLICE_START];
    int axis = 0;
    if (!axis_of(w, op, op->values[NNC_SLICE_AXIS] == NNC_AXIS_TOKENS, &axis)) {
        return false;
    }
    if (start + size > op->in.dims[axis]) {
        return nnc_graph_fail(
            w, op->node, "%s: expected at most %" PRId64 ", found %" PRId64 " from %" PRId64 " on",
            op->node->label, op->in.dims[axis], size, start);
    }
    op->out.dims[axis] = size;
    return nnc_graph_needs_values(w, op);
}

static const char *const loss_words[] = { "cross_entropy", "squared_error", NULL };

static const nnc_graph_param loss_params[] = {
    { "kind", NNC_GRAPH_WORD, .words = loss_words, .required = true, .help = "Which loss." },
};

const nnc_graph_kind_row nnc_graph_norm_row = NNC_GRAPH_ROW(norm_params, infer_norm);
const nnc_graph_kind_row nnc_graph_act_row = NNC_GRAPH_PARTS_ROW(act_params, infer_act);
const nnc_graph_kind_row nnc_graph_dropout_row = { .infer = as_it_was, .parts = true };
const nnc_graph_kind_row nnc_graph_linear_row = NNC_GRAPH_PARTS_ROW(linear_params, infer_linear);
const nnc_graph_kind_row nnc_graph_scale_row = NNC_GRAPH_ROW(scale_params, infer_scale);
const nnc_graph_kind_row nnc_graph_add_row = NNC_GRAPH_PARTS_ROW(with_params, infer_both);
const nnc_graph_kind_row nnc_graph_mul_row = NNC_GRAPH_PARTS_ROW(with_params, infer_both);
const nnc_graph_kind_row nnc_graph_concat_row = NNC_GRAPH_ROW(concat_params, infer_concat);
const nnc_graph_kind_row nnc_graph_slice_row = NNC_GRAPH_ROW(slice_params, infer_slice);
const nnc_graph_kind_row nnc_graph_loss_row = NNC_GRAPH_ROW(loss_params, as_it_was);
