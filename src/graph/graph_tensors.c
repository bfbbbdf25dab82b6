/* Defines the kinds of op of a graph file that work on tensors of any shape or on tokens, and the op `input`. Each kind
 * of op has a list of parameters, a function that infers the output and weights of an op, and an entry in the list at
 * the end of the file. Kinds of op on maps are in graph_maps.c. */
#include <inttypes.h>
#include <stddef.h>

#include "graph/graph_internal.h"

/* ---- kinds of op that read one tensor of any shape ---- */

bool nnc_graph_needs_values(nnc_graph_walk *w, const nnc_graph_op *op) {
    return !op->in.ids || nnc_graph_fail(w, op->node,
                                         "%s: expected values, found token ids; the op embed turns "
                                         "token ids into values",
                                         op->node->label);
}

static bool infer_same(nnc_graph_walk *w, nnc_graph_op *op) { return nnc_graph_needs_values(w, op); }

static const char *const norm_words[] = { "layer", "rms", "group", "batch", NULL };

static const nnc_graph_param norm_params[] = {
    [NNC_NORM_PARAM_KIND] = { "kind", NNC_GRAPH_WORD, .words = norm_words, .required = true,
                              .help =
                                  "Values that share a mean and a variance: of each position (layer, rms), of each "
                                  "group of channels of a sample (group), or of each channel over the batch (batch)." },
    [NNC_NORM_PARAM_GROUPS] = { "groups", NNC_GRAPH_NUMBER, .unsaid = 32, .min = 1, .max = 10000000,
                                .help = "Groups of channels of a group norm." },
    [NNC_NORM_PARAM_AFFINE] = { "affine", NNC_GRAPH_NUMBER, .unsaid = 1, .min = 0, .max = 1,
                                .help = "Whether the norm has a gain and a bias." },
    [NNC_NORM_PARAM_BIAS] = { "bias", NNC_GRAPH_NUMBER, .unsaid = NNC_GRAPH_UNSAID, .min = 0, .max = 1,
                              .help = "Whether the norm has a bias; not given: all norms except rms have a bias." },
    [NNC_NORM_PARAM_HEADS] = { "heads", NNC_GRAPH_NUMBER, .unsaid = 1, .min = 1, .max = 10000000,
                               .help = "Number of heads that the width is divided into; each head is normalised "
                                       "separately, with the same gain." },
};

static bool infer_norm(nnc_graph_walk *w, nnc_graph_op *op) {
    const int64_t *v = op->values;
    const int64_t width = nnc_graph_width(&op->in), heads = v[NNC_NORM_PARAM_HEADS];
    const bool grouped = v[NNC_NORM_PARAM_KIND] == NNC_NORM_GROUP;
    const int64_t groups = grouped ? v[NNC_NORM_PARAM_GROUPS] : heads;
    const bool bias = v[NNC_NORM_PARAM_BIAS] == NNC_GRAPH_UNSAID ? v[NNC_NORM_PARAM_KIND] != NNC_NORM_RMS
                                                                 : v[NNC_NORM_PARAM_BIAS] > 0;
    if (width % groups != 0) {
        return nnc_graph_fail(w, op->node, "%s: %s: expected a divisor of %" PRId64 " channels, found %" PRId64,
                              op->node->label, grouped ? "groups" : "heads", width, groups);
    }
    op->weights.vector = v[NNC_NORM_PARAM_AFFINE] * (width / heads) * (bias ? 2 : 1);
    return nnc_graph_needs_values(w, op);
}

static const char *const act_words[] = { "relu",       "gelu",    "silu",   "sigmoid", "tanh", "hard_sigmoid",
                                         "hard_swish", "softmax", "swiglu", "geglu",   NULL };

static const nnc_graph_param act_params[] = {
    { "kind", NNC_GRAPH_WORD, .words = act_words, .required = true,
      .help =
          "Activation function; swiglu and geglu multiply one half of the values by the function of the other half." },
};

static bool infer_act(nnc_graph_walk *w, nnc_graph_op *op) {
    if (op->values[0] >= NNC_ACT_SWIGLU) {
        int64_t *width = &op->out.dims[nnc_graph_width_axis(&op->out)];
        if (*width % 2 != 0) {
            return nnc_graph_fail(w, op->node, "%s: expected an even width to halve, found %" PRId64, op->node->label,
                                  *width);
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
                          .help = "Whether the op adds one learned value per output." },
    [NNC_LINEAR_SPLIT] = { "split", NNC_GRAPH_WORD, .words = split_words, .unsaid = NNC_LINEAR_WHOLE,
                           .help = "How tensor ranks divide the matrix. column: each rank computes its part of the "
                                   "output; row (in a later layer): the partial outputs of all ranks are added." },
    [NNC_LINEAR_UNBIASED] = { "unbiased", NNC_GRAPH_NUMBER, .unsaid = 0, .min = 0, .max = 1000000000,
                              .help = "Number of outputs that have no bias although the layer has one, such as keys." },
};

static bool infer_linear(nnc_graph_walk *w, nnc_graph_op *op) {
    const int64_t out = op->values[NNC_LINEAR_OUT], split = op->values[NNC_LINEAR_SPLIT];
    const int64_t unbiased = op->values[NNC_LINEAR_UNBIASED];
    if (op->in.sharded != (split == NNC_LINEAR_ROWS)) {
        return nnc_graph_fail(w, op->node,
                              "%s: split: expected row only in a linear op whose input was split by column",
                              op->node->label);
    }
    if (unbiased > op->values[NNC_LINEAR_BIAS] * out) {
        return nnc_graph_fail(w, op->node,
                              "%s: unbiased: expected at most the outputs with a bias, %" PRId64 ", found %" PRId64,
                              op->node->label, op->values[NNC_LINEAR_BIAS] * out, unbiased);
    }
    op->out.sharded = split == NNC_LINEAR_COLUMNS;
    op->out.dims[nnc_graph_width_axis(&op->in)] = out;
    op->weights = (nnc_graph_weights){ .count = 1,
                                       .rows = nnc_graph_width(&op->in),
                                       .cols = out,
                                       .vector = op->values[NNC_LINEAR_BIAS] * out - unbiased };
    return nnc_graph_needs_values(w, op);
}

static const char *const scale_words[] = { "gain", "bias", "constant", NULL };

static const nnc_graph_param scale_params[] = {
    { "kind", NNC_GRAPH_WORD, .words = scale_words, .unsaid = NNC_SCALE_GAIN,
      .help = "Use of the learned values: gain multiplies the tensor by the values, bias adds the values; constant "
              "multiplies by a number that is not learned." },
};

static bool infer_scale(nnc_graph_walk *w, nnc_graph_op *op) {
    op->weights.vector = op->values[0] == NNC_SCALE_CONSTANT ? 0 : nnc_graph_width(&op->in);
    return nnc_graph_needs_values(w, op);
}

/* ---- kinds of op that read two tensors ---- */

static const nnc_graph_param with_params[] = {
    { "with", NNC_GRAPH_TENSOR, .required = true,
      .help = "Name of the tensor that the op reads in addition to the current tensor." },
};

bool nnc_graph_same_shape(const nnc_graph_tensor *a, const nnc_graph_tensor *b) {
    bool same = a->rank == b->rank && a->ids == b->ids;
    for (int32_t i = 0; same && i < a->rank; i++) { same = a->dims[i] == b->dims[i]; }
    return same;
}

/* Infers the output of an op on two tensors of equal shapes, or on one tensor and one value for each of its channels.
 * Returns false and records a fault if the shapes do not match. */
static bool infer_both(nnc_graph_walk *w, nnc_graph_op *op) {
    const nnc_graph_tensor *a = &op->in, *b = &op->with;
    const bool same = nnc_graph_same_shape(a, b);
    char one[96], other[96];
    if (!same && b->rank == 1 && nnc_graph_width(a) == b->dims[0]) { return nnc_graph_needs_values(w, op); }
    if (!same && a->rank == 1 && nnc_graph_width(b) == a->dims[0]) {
        op->out.rank = b->rank;
        for (int32_t i = 0; i < b->rank; i++) { op->out.dims[i] = b->dims[i]; }
        return nnc_graph_needs_values(w, op);
    }
    return same ? nnc_graph_needs_values(w, op)
                : nnc_graph_fail(w, op->node, "%s: expected equal shapes, or one value per channel, found %s and %s",
                                 op->node->label, nnc_graph_shape_text(a, one), nnc_graph_shape_text(b, other));
}

static const char *const axis_words[] = { "channels", "tokens", NULL };

static const nnc_graph_param concat_params[] = {
    { "with", NNC_GRAPH_TENSOR, .required = true, .help = "Name of the tensor that is joined to the current tensor." },
    [NNC_CONCAT_AXIS] = { "axis", NNC_GRAPH_WORD, .words = axis_words, .unsaid = 0,
                          .help = "Axis along which the tensors are joined." },
    [NNC_CONCAT_COPY] = { "copy", NNC_GRAPH_NUMBER, .unsaid = 1, .min = 0, .max = 1,
                          .help = "Whether a kernel copies the values. If the code runs several concats as one kernel, "
                                  "only the last concat copies values." },
};

static bool axis_of(nnc_graph_walk *w, const nnc_graph_op *op, bool tokens, int *axis) {
    char text[96];
    *axis = tokens ? 0 : nnc_graph_width_axis(&op->in);
    return !tokens || op->in.rank == 2 ||
           nnc_graph_fail(w, op->node, "%s: expected tokens x width, found %s", op->node->label,
                          nnc_graph_shape_text(&op->in, text));
}

static bool infer_concat(nnc_graph_walk *w, nnc_graph_op *op) {
    char one[96], other[96];
    nnc_graph_tensor with = op->with;
    int axis = 0;
    if (!axis_of(w, op, op->values[NNC_CONCAT_AXIS] == NNC_AXIS_TOKENS, &axis)) { return false; }
    if (with.rank == op->in.rank) { with.dims[axis] = op->in.dims[axis]; }
    if (!nnc_graph_same_shape(&op->in, &with)) {
        return nnc_graph_fail(w, op->node, "%s: expected shapes that differ in one axis, found %s and %s",
                              op->node->label, nnc_graph_shape_text(&op->in, one),
                              nnc_graph_shape_text(&op->with, other));
    }
    op->out.dims[axis] += op->with.dims[axis];
    return nnc_graph_needs_values(w, op);
}

static const nnc_graph_param slice_params[] = {
    [NNC_SLICE_SIZE] = { "size", NNC_GRAPH_NUMBER, .unsaid = NNC_GRAPH_UNSAID, .min = 1, .max = NNC_GRAPH_DIM_MAX,
                         .help = "Number of channels or tokens of the output; not given: all channels or tokens "
                                 "from start on." },
    [NNC_SLICE_START] = { "start", NNC_GRAPH_NUMBER, .unsaid = 0, .min = 0, .max = NNC_GRAPH_DIM_MAX,
                          .help = "Number of channels or tokens before the first one of the output." },
    [NNC_SLICE_AXIS] = { "axis", NNC_GRAPH_WORD, .words = axis_words, .unsaid = 0,
                         .help = "Axis along which the op takes a part of the tensor." },
};

static bool infer_slice(nnc_graph_walk *w, nnc_graph_op *op) {
    const int64_t start = op->values[NNC_SLICE_START];
    int axis = 0;
    if (!axis_of(w, op, op->values[NNC_SLICE_AXIS] == NNC_AXIS_TOKENS, &axis)) { return false; }
    const int64_t given = op->values[NNC_SLICE_SIZE], rest = op->in.dims[axis] - start;
    const int64_t size = given != NNC_GRAPH_UNSAID ? given : rest > 0 ? rest : 1;
    if (size > rest) {
        return nnc_graph_fail(w, op->node, "%s: expected at most %" PRId64 ", found %" PRId64 " from %" PRId64 " on",
                              op->node->label, op->in.dims[axis], size, start);
    }
    op->out.dims[axis] = size;
    return nnc_graph_needs_values(w, op);
}

static const char *const loss_words[] = { "cross_entropy", "squared_error", NULL };

static const nnc_graph_param loss_params[] = {
    { "kind", NNC_GRAPH_WORD, .words = loss_words, .required = true, .help = "Loss function." },
};

/* ---- kinds of op on tokens, and the input ---- */

static bool needs_tokens(nnc_graph_walk *w, const nnc_graph_op *op) {
    char text[96];
    return (op->in.rank == 2 && !op->in.ids) || nnc_graph_fail(w, op->node, "%s: expected tokens x width, found %s",
                                                               op->node->label, nnc_graph_shape_text(&op->in, text));
}

static const nnc_graph_param input_params[] = {
    { "tokens", NNC_GRAPH_NUMBER, .unsaid = 0, .min = 1, .max = NNC_GRAPH_DIM_MAX,
      .help = "Number of token ids of a sequence." },
    { "shape", NNC_GRAPH_SHAPE,
      .help = "Axes of one sample: channels, height, width; channels, depth, height, width; tokens, width; or width." },
};
enum { INPUT_TOKENS };

static bool infer_input(nnc_graph_walk *w, nnc_graph_op *op) {
    const int64_t tokens = op->values[INPUT_TOKENS];
    op->out.sharded = false;
    op->out.ids = tokens > 0;
    if ((tokens > 0) == (op->node->shape_count > 0)) {
        return nnc_graph_fail(w, op->node, "input: expected tokens or a shape, found %s", tokens > 0 ? "both" : "none");
    }
    if (tokens > 0) {
        op->out.rank = 1;
        op->out.dims[0] = tokens;
    }
    return true;
}

/* ---- attention ---- */

static const nnc_graph_param attention_params[] = {
    [NNC_ATTENTION_HEADS] = { "heads", NNC_GRAPH_NUMBER, .required = true, .min = 1, .max = 10000000,
                              .help = "Number of query heads." },
    [NNC_ATTENTION_KV_HEADS] = { "kv_heads", NNC_GRAPH_NUMBER, .unsaid = NNC_GRAPH_UNSAID, .min = 1, .max = 10000000,
                                 .help = "Key and value heads; not given: heads." },
    [NNC_ATTENTION_KEY] = { "key", NNC_GRAPH_TENSOR,
                            .help = "Name of the tensor that contains the keys and, without the parameter value, the "
                                    "values; not given: the current tensor contains queries, keys and values." },
    [NNC_ATTENTION_VALUE] = { "value", NNC_GRAPH_TENSOR, .help = "Name of the tensor that contains the values." },
    [NNC_ATTENTION_CAUSAL] = { "causal", NNC_GRAPH_NUMBER, .unsaid = 0, .min = 0, .max = 1,
                               .help = "Whether a token attends only to itself and to the tokens before it." },
    [NNC_ATTENTION_WINDOW] = { "window", NNC_GRAPH_NUMBER, .unsaid = 0, .min = 0, .max = NNC_GRAPH_DIM_MAX,
                               .help =
                                   "Side of the squares of positions, or length of the blocks of tokens, that attend "
                                   "only to themselves; with causal, number of earlier tokens; 0 = no window." },
    [NNC_ATTENTION_BIASES] = { "position_biases", NNC_GRAPH_NUMBER, .unsaid = 0, .min = 0, .max = NNC_GRAPH_DIM_MAX,
                               .help = "Rows of a table of attention biases, with one value per head; 0 = no table." },
    [NNC_ATTENTION_MLP] = { "position_mlp", NNC_GRAPH_NUMBER, .unsaid = 0, .min = 0, .max = NNC_GRAPH_DIM_MAX,
                            .help = "Hidden width of two linear layers that compute the position_biases from two "
                                    "coordinates, once for all samples; the scores of each head then also have a "
                                    "learned scale (Swin V2). 0 = the table is learned." },
    [NNC_ATTENTION_LINEAR] = { "linear", NNC_GRAPH_NUMBER, .unsaid = 0, .min = 0, .max = 1,
                               .help = "Whether the attention is linear: without softmax, so the products of keys and "
                                       "values come first." },
};

static int64_t or_none(const nnc_graph_tensor *t) { return t->rank > 0 ? nnc_graph_width(t) : 0; }

/* Infers the table of position biases of an attention, or the two layers that compute them, and checks the options that
 * exclude each other. heads, kv_heads: heads of queries and of keys. */
static bool infer_positions(nnc_graph_walk *w, nnc_graph_op *op, int64_t heads, int64_t kv_heads) {
    const int64_t *v = op->values;
    const int64_t mlp = v[NNC_ATTENTION_MLP], biases = v[NNC_ATTENTION_BIASES];
    if (v[NNC_ATTENTION_LINEAR] > 0 &&
        (v[NNC_ATTENTION_WINDOW] > 0 || v[NNC_ATTENTION_CAUSAL] > 0 || biases > 0 || kv_heads != heads)) {
        return nnc_graph_fail(w, op->node,
                              "%s: linear: expected as many key heads as query heads, and no window, causal or "
                              "position_biases",
                              op->node->label);
    }
    if (mlp > 0 && biases == 0) {
        return nnc_graph_fail(w, op->node, "%s: position_mlp: expected together with position_biases", op->node->label);
    }
    const bool table = biases > 0 && mlp == 0;
    op->weights = (nnc_graph_weights){ .count = table || mlp > 0 ? 1 : 0,
                                       .rows = table ? biases : mlp,
                                       .cols = table || mlp > 0 ? heads : 0,
                                       .vector = mlp > 0 ? 3 * mlp + heads : 0,
                                       .table = table };
    return nnc_graph_needs_values(w, op);
}

/* Checks that the widths of the inputs of an attention match its heads, and infers the output and the weights. An
 * attention reads one tensor (with queries, keys and values), two tensors (one with queries, one with keys
 * and values), or three tensors. If the input is not valid, notes a fault and returns false. */
static bool infer_attention(nnc_graph_walk *w, nnc_graph_op *op) {
    const int64_t *v = op->values;
    const int64_t heads = v[NNC_ATTENTION_HEADS];
    const int64_t kv = v[NNC_ATTENTION_KV_HEADS] == NNC_GRAPH_UNSAID ? heads : v[NNC_ATTENTION_KV_HEADS];
    const int64_t own = nnc_graph_width(&op->in), key = or_none(&op->with);
    const int64_t value = or_none(&op->also);
    const int64_t parts = key > 0 ? heads : heads + 2 * kv;
    const bool split = own % parts == 0 && heads % kv == 0;
    const int64_t head_dim = split ? own / parts : 0;
    const int64_t value_dim = value > 0 ? value / kv : head_dim;
    const int64_t expected = head_dim * kv * (key > 0 && value == 0 ? 2 : 1);
    if (!split || (key > 0 && key != expected) || value_dim * kv != (value > 0 ? value : own / parts * kv)) {
        return nnc_graph_fail(w, op->node,
                              "%s: heads: %" PRId64 " heads and %" PRId64 " key heads do not divide the widths %" PRId64
                              ", %" PRId64 " and %" PRId64,
                              op->node->label, heads, kv, own, key, value);
    }
    const int64_t side = v[NNC_ATTENTION_WINDOW];
    const bool other = key > 0 && nnc_graph_positions(&op->with) != nnc_graph_positions(&op->in);
    if (side > 0 && (other || op->in.dims[op->in.rank == 3 ? 1 : 0] % side != 0 ||
                     (op->in.rank == 3 && op->in.dims[2] % side != 0))) {
        char text[96];
        return nnc_graph_fail(w, op->node,
                              "%s: window: %" PRId64 " does not divide %s, or keys and queries have different "
                              "positions",
                              op->node->label, side, nnc_graph_shape_text(&op->in, text));
    }
    if (op->in.rank < 2 || (op->with.rank > 0 && op->with.rank < 2)) {
        return nnc_graph_fail(w, op->node, "%s: expected tokens or a map, found one value per channel",
                              op->node->label);
    }
    op->out.dims[nnc_graph_width_axis(&op->in)] = heads * value_dim;
    return infer_positions(w, op, heads, kv);
}

/* ---- recurrent layers: LSTM, GRU, RNN ---- */

static const char *const recurrent_words[] = { "lstm", "gru", "rnn", NULL };

static const nnc_graph_param recurrent_params[] = {
    [NNC_RECURRENT_KIND] = { "kind", NNC_GRAPH_WORD, .words = recurrent_words, .required = true,
                             .help = "Kind of layer: with four gates (lstm), three (gru) or one (rnn)." },
    [NNC_RECURRENT_HIDDEN] = { "hidden", NNC_GRAPH_NUMBER, .required = true, .min = 1, .max = 10000000,
                               .help = "Width of the state." },
    [NNC_RECURRENT_BOTH] = { "bidirectional", NNC_GRAPH_NUMBER, .unsaid = 0, .min = 0, .max = 1,
                             .help = "Whether a second layer reads the tokens backward; the outputs are joined." },
    [NNC_RECURRENT_BIAS] = { "bias", NNC_GRAPH_NUMBER, .unsaid = 1, .min = 0, .max = 1,
                             .help = "Whether both products of a gate have a bias, as in PyTorch." },
};

/* Returns the number of gates of a recurrent layer, summed over its directions. Each gate has a weight matrix of hidden
 * x hidden elements. */
static int64_t gates_of(const nnc_graph_op *op) {
    static const int64_t gates[] = { 4, 3, 1 };
    return gates[op->values[NNC_RECURRENT_KIND]] * (1 + op->values[NNC_RECURRENT_BOTH]);
}

static bool infer_recurrent(nnc_graph_walk *w, nnc_graph_op *op) {
    const int64_t hidden = op->values[NNC_RECURRENT_HIDDEN], outputs = gates_of(op) * hidden;
    op->out.dims[1] = hidden * (1 + op->values[NNC_RECURRENT_BOTH]);
    op->weights = (nnc_graph_weights){ .count = 1,
                                       .rows = nnc_graph_width(&op->in) + hidden,
                                       .cols = outputs,
                                       .vector = 2 * op->values[NNC_RECURRENT_BIAS] * outputs };
    return needs_tokens(w, op);
}

/* ---- kinds of op that look up tables or select single tokens ---- */

static const nnc_graph_param embed_params[] = {
    [NNC_EMBED_ROWS] = { "rows", NNC_GRAPH_NUMBER, .required = true, .min = 1, .max = NNC_GRAPH_DIM_MAX,
                         .help = "Number of rows of the embedding table." },
    [NNC_EMBED_WIDTH] = { "width", NNC_GRAPH_NUMBER, .required = true, .min = 1, .max = 10000000,
                          .help = "Width of one row of the embedding table." },
};

static bool infer_embed(nnc_graph_walk *w, nnc_graph_op *op) {
    if (!op->in.ids) { return nnc_graph_fail(w, op->node, "%s: expected token ids, found values", op->node->label); }
    op->out.ids = false;
    op->out.rank = 2;
    op->out.dims[1] = op->values[NNC_EMBED_WIDTH];
    op->weights = (nnc_graph_weights){
        .count = 1, .rows = op->values[NNC_EMBED_ROWS], .cols = op->values[NNC_EMBED_WIDTH], .table = true
    };
    return true;
}

static const nnc_graph_param table_params[] = {
    [NNC_TABLE_ROWS] = { "rows", NNC_GRAPH_NUMBER, .required = true, .min = 1, .max = 100000000000,
                         .help = "Number of rows of the table whose rows are added up." },
    [NNC_TABLE_WIDTH] = { "width", NNC_GRAPH_NUMBER, .required = true, .min = 1, .max = 10000000,
                          .help = "Width of one row of the table." },
    [NNC_TABLE_LOOKUPS] = { "lookups", NNC_GRAPH_NUMBER, .unsaid = 1, .min = 1, .max = NNC_GRAPH_DIM_MAX,
                            .help = "Number of rows that are added up for each sample." },
};

static bool infer_table(nnc_graph_walk *w, nnc_graph_op *op) {
    char text[96];
    op->out.dims[0] += op->values[NNC_TABLE_WIDTH];
    op->weights = (nnc_graph_weights){
        .count = 1, .rows = op->values[NNC_TABLE_ROWS], .cols = op->values[NNC_TABLE_WIDTH], .table = true
    };
    return (op->in.rank == 1 && !op->in.ids) || nnc_graph_fail(w, op->node, "%s: expected one vector, found %s",
                                                               op->node->label, nnc_graph_shape_text(&op->in, text));
}

static const char *const position_words[] = { "learned", "fixed", "rotary", NULL };

static const nnc_graph_param position_params[] = {
    [NNC_POSITION_KIND] = { "kind", NNC_GRAPH_WORD, .words = position_words, .required = true,
                            .help = "Kind of position: learned and fixed add a value to each element, rotary rotates "
                                    "pairs of values." },
    [NNC_POSITION_ROWS] = { "rows", NNC_GRAPH_NUMBER, .unsaid = 0, .min = 0, .max = NNC_GRAPH_DIM_MAX,
                            .help = "Rows of the learned table; not given: the number of tokens." },
};

static bool infer_position(nnc_graph_walk *w, nnc_graph_op *op) {
    const int64_t rows = op->values[NNC_POSITION_ROWS], tokens = nnc_graph_positions(&op->in);
    if (rows > 0 && rows < tokens) {
        return nnc_graph_fail(w, op->node, "%s: rows: expected at least %" PRId64 " for the tokens, found %" PRId64,
                              op->node->label, tokens, rows);
    }
    if (op->values[NNC_POSITION_KIND] == NNC_POSITION_LEARNED) {
        op->weights = (nnc_graph_weights){
            .count = 1, .rows = rows > 0 ? rows : tokens, .cols = nnc_graph_width(&op->in), .table = true
        };
    }
    return nnc_graph_needs_values(w, op);
}

static const nnc_graph_param timestep_params[] = {
    { "width", NNC_GRAPH_NUMBER, .required = true, .min = 1, .max = 10000000,
      .help = "Width of the embedding of the time step." },
};

static bool infer_timestep(nnc_graph_walk *w, nnc_graph_op *op) {
    (void)w;
    op->out = (nnc_graph_tensor){ .rank = 1, .dims = { op->values[0] }, .storage = op->out.storage };
    return true;
}

static const nnc_graph_param prepend_params[] = {
    { "count", NNC_GRAPH_NUMBER, .unsaid = 1, .min = 1, .max = 1000000,
      .help = "Number of learned tokens that are put before the tokens of the input." },
};

static bool infer_prepend(nnc_graph_walk *w, nnc_graph_op *op) {
    op->out.dims[0] += op->values[0];
    op->weights.vector = op->values[0] * nnc_graph_width(&op->in);
    return needs_tokens(w, op);
}

static bool infer_transpose(nnc_graph_walk *w, nnc_graph_op *op) {
    op->out.dims[0] = op->in.dims[1];
    op->out.dims[1] = op->in.dims[0];
    return needs_tokens(w, op);
}

static bool infer_select(nnc_graph_walk *w, nnc_graph_op *op) {
    op->out.rank = 1;
    op->out.dims[0] = op->in.dims[1];
    return needs_tokens(w, op);
}

/* ---- one row per kind of op: parameters and function that infers the output ---- */

const nnc_graph_kind_row nnc_graph_norm_row = NNC_GRAPH_ROW(norm_params, infer_norm);
const nnc_graph_kind_row nnc_graph_act_row = NNC_GRAPH_PARTS_ROW(act_params, infer_act);
const nnc_graph_kind_row nnc_graph_dropout_row = { .infer = infer_same, .parts = true };
const nnc_graph_kind_row nnc_graph_linear_row = NNC_GRAPH_PARTS_ROW(linear_params, infer_linear);
const nnc_graph_kind_row nnc_graph_scale_row = NNC_GRAPH_ROW(scale_params, infer_scale);
const nnc_graph_kind_row nnc_graph_add_row = NNC_GRAPH_PARTS_ROW(with_params, infer_both);
const nnc_graph_kind_row nnc_graph_mul_row = NNC_GRAPH_PARTS_ROW(with_params, infer_both);
const nnc_graph_kind_row nnc_graph_concat_row = NNC_GRAPH_ROW(concat_params, infer_concat);
const nnc_graph_kind_row nnc_graph_slice_row = NNC_GRAPH_ROW(slice_params, infer_slice);
const nnc_graph_kind_row nnc_graph_loss_row = NNC_GRAPH_ROW(loss_params, infer_same);
const nnc_graph_kind_row nnc_graph_input_row = NNC_GRAPH_ROW(input_params, infer_input);
const nnc_graph_kind_row nnc_graph_attention_row = NNC_GRAPH_PARTS_ROW(attention_params, infer_attention);
const nnc_graph_kind_row nnc_graph_recurrent_row = NNC_GRAPH_ROW(recurrent_params, infer_recurrent);
const nnc_graph_kind_row nnc_graph_embed_row = NNC_GRAPH_ROW(embed_params, infer_embed);
const nnc_graph_kind_row nnc_graph_table_row = NNC_GRAPH_ROW(table_params, infer_table);
const nnc_graph_kind_row nnc_graph_position_row = NNC_GRAPH_ROW(position_params, infer_position);
const nnc_graph_kind_row nnc_graph_timestep_row = NNC_GRAPH_ROW(timestep_params, infer_timestep);
const nnc_graph_kind_row nnc_graph_prepend_row = NNC_GRAPH_ROW(prepend_params, infer_prepend);
const nnc_graph_kind_row nnc_graph_transpose_row = { .infer = infer_transpose };
const nnc_graph_kind_row nnc_graph_select_row = { .infer = infer_select };
