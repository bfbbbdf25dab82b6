/* Nodes of an ONNX graph as steps of a graph file. What frameworks write as several nodes is one step: norms,
 * GELU, SiLU, attention, linear layers with their bias. Nothing is guessed: a node that cannot be placed is
 * refused by its name. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "onnx/onnx_write.h"

static bool is_type(const nnc_onnx_graph *g, const char *type)
{
    return strcmp(g->node->op_type, type) == 0;
}

static bool is_scalar(const nnc_onnx_value *v)
{
    int64_t elements = 0;
    return v->kind != NNC_ONNX_ACTIVATION && nnc_onnx_elements(v, &elements) && elements == 1;
}

static int32_t index_of(const nnc_onnx_graph *g, const nnc_onnx_value *v)
{
    return (int32_t)(v - g->values);
}

/* The same tensor under another name and shape. */
static void alias(const nnc_onnx_value *in, nnc_onnx_value *out)
{
    const char *name = out->name;
    nnc_onnx_value moved = *in;
    memcpy(moved.dims, out->dims, sizeof moved.dims);
    moved.rank = out->rank;
    moved.name = name;
    *out = moved;
}

static void same_dims(const nnc_onnx_value *in, nnc_onnx_value *out)
{
    out->rank = in->rank;
    memcpy(out->dims, in->dims, sizeof out->dims);
}

static void defer(nnc_onnx_graph *g, nnc_onnx_value *out, nnc_onnx_pattern pattern,
                  const nnc_onnx_value *src)
{
    out->kind = NNC_ONNX_ACTIVATION;
    out->pattern = pattern;
    out->src = index_of(g, src);
}

/* ---- what was put off ---- */

static bool write_plain(nnc_onnx_graph *g, nnc_onnx_value *v, const char *members)
{
    nnc_onnx_value *src = &g->values[v->src];
    if (!nnc_onnx_materialise(g, src)) {
        return false;
    }
    nnc_onnx_made(v, nnc_onnx_step(g, src->reg, "%s", members), src->shape_rank, src->shape);
    return true;
}

static bool write_norm(nnc_onnx_graph *g, nnc_onnx_value *v, const char *affine)
{
    char members[96];
    nnc_onnx_value *src = &g->values[v->src];
    snprintf(members, sizeof members, "\"op\": \"norm\", \"kind\": \"%s\"%s",
             v->rms ? "rms" : "layer", affine);
    return nnc_onnx_as_rows(g, src) && write_plain(g, v, members);
}

static bool write_linear(nnc_onnx_graph *g, nnc_onnx_value *v, bool bias)
{
    nnc_onnx_value *src = &g->values[v->src];
    if (!nnc_onnx_as_rows(g, src)) {
        return false;
    }
    int64_t shape[2] = { src->shape[0], v->width };
    const int32_t reg = nnc_onnx_step(g, src->reg, "\"op\": \"linear\", \"out\": %" PRId32 "%s",
                                      v->width, bias ? "" : ", \"bias\": false");
    nnc_onnx_made(v, reg, src->shape_rank, src->shape_rank == 1 ? shape + 1 : shape);
    return true;
}

static bool write_batch_norm(nnc_onnx_graph *g, nnc_onnx_value *v)
{
    g->batch_norms++;
    return nnc_onnx_as_map(g, &g->values[v->src]) &&
           write_plain(g, v, "\"op\": \"norm\", \"kind\": \"batch\"");
}

bool nnc_onnx_materialise(nnc_onnx_graph *g, nnc_onnx_value *v)
{
    switch (v->pattern) {
    case NNC_ONNX_PLAIN:
        return v->reg >= 0 || nnc_onnx_refuse(g, "reads \"%.60s\", which nothing makes", v->name);
    case NNC_ONNX_NORMED: return write_norm(g, v, ", \"affine\": false");
    case NNC_ONNX_NORMED_GAIN: return write_norm(g, v, v->rms ? "" : ", \"bias\": false");
    case NNC_ONNX_SIGMOID: return write_plain(g, v, "\"op\": \"act\", \"kind\": \"sigmoid\"");
    case NNC_ONNX_HARD_SIGMOID:
        return write_plain(g, v, "\"op\": \"act\", \"kind\": \"hard_sigmoid\"");
    case NNC_ONNX_CLIPPED: return write_plain(g, v, "\"op\": \"act\", \"kind\": \"relu\"");
    case NNC_ONNX_BATCH_NORM:
    case NNC_ONNX_BATCH_GAIN: return write_batch_norm(g, v);
    case NNC_ONNX_LINEAR: return write_linear(g, v, false);
    default:
        return nnc_onnx_refuse(
            g, "\"%.60s\" is part of a norm, a GELU or an attention of an unknown form", v->name);
    }
}

/* ---- convolutions and pools ---- */

static bool window_text(nnc_onnx_graph *g, const int64_t kernel[2], char *text, size_t size)
{
    const Onnx__AttributeProto *automatic = nnc_onnx_attribute(g, "auto_pad");
    int64_t pads[4];
    for (size_t i = 0; i < 4; i++) {
        pads[i] = nnc_onnx_ints(g, "pads", i, 0);
    }
    if (automatic != NULL && automatic->has_s && automatic->s.len != 6 && automatic->s.len != 0) {
        return nnc_onnx_refuse(g, "auto_pad: expected explicit pads"); /* NOTSET has six letters */
    }
    snprintf(text, size,
             "\"kernel\": %" PRId64 ", \"kernel_w\": %" PRId64 ", \"stride\": %" PRId64
             ", \"stride_w\": %" PRId64 ", \"pad\": %" PRId64 ", \"pad_w\": %" PRId64
             ", \"pad_end\": %" PRId64 ", \"pad_end_w\": %" PRId64 ", \"dilation\": %" PRId64,
             kernel[0], kernel[1], nnc_onnx_ints(g, "strides", 0, 1),
             nnc_onnx_ints(g, "strides", 1, 1), pads[0], pads[1], pads[2], pads[3],
             nnc_onnx_ints(g, "dilations", 0, 1));
    return nnc_onnx_ints(g, "dilations", 0, 1) == nnc_onnx_ints(g, "dilations", 1, 1) ||
           nnc_onnx_refuse(g, "dilations that differ");
}

/* Positions along an axis; -1: none, or numbers that make no sense. */
static int64_t side_of(const nnc_onnx_graph *g, const nnc_onnx_value *in, int axis, int64_t kernel,
                       bool up)
{
    const size_t i = (size_t)axis;
    const int64_t stride = nnc_onnx_ints(g, "strides", i, 1),
                  dilation = nnc_onnx_ints(g, "dilations", i, 1);
    const int64_t pad = nnc_onnx_ints(g, "pads", i, 0), end = nnc_onnx_ints(g, "pads", i + 2, 0);
    const int64_t side = in->dims[2 + axis];
    const int64_t most = 1000000;
    if (stride < 1 || dilation < 1 || pad < 0 || end < 0 || kernel < 1 || stride > most ||
        dilation > most || pad > most || end > most || kernel > most || side > 1000 * most) {
        return -1;
    }
    if (up) {
        return (side - 1) * stride - pad - end + dilation * (kernel - 1) + 1 +
               nnc_onnx_ints(g, "output_padding", i, 0);
    }
    const int64_t room = side + pad + end - dilation * (kernel - 1) - 1;
    if (room < 0) {
        return -1;
    }
    const bool ceil = nnc_onnx_int(g, "ceil_mode", 0) != 0;
    int64_t out = (ceil ? nnc_ceil_div(room, stride) : room / stride) + 1;
    if (ceil && (out - 1) * stride >= side + pad) {
        out--;
    }
    return out;
}

static bool place_window(nnc_onnx_graph *g, nnc_onnx_value *in, nnc_onnx_value *out,
                         int64_t channels, const int64_t kernel[2], bool up, const char *members)
{
    char window[400];
    if (!nnc_onnx_as_map(g, in) || !window_text(g, kernel, window, sizeof window)) {
        return false;
    }
    out->rank = 4;
    out->dims[0] = 1;
    out->dims[1] = channels;
    for (int axis = 0; axis < 2; axis++) {
        out->dims[2 + axis] = side_of(g, in, axis, kernel[axis], up);
        if (out->dims[2 + axis] < 1) {
            return nnc_onnx_refuse(g, "no window fits into axis %d", 2 + axis);
        }
    }
    nnc_onnx_made(out, nnc_onnx_step(g, in->reg, "%s, %s", members, window), 3, out->dims + 1);
    return true;
}

static bool convolution(nnc_onnx_graph *g)
{
    const bool up = is_type(g, "ConvTranspose"), bias = nnc_onnx_has_input(g, 2);
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    const nnc_onnx_value *w = nnc_onnx_input(g, 1);
    const int64_t groups = nnc_onnx_int(g, "group", 1);
    char members[160];
    if (w->kind != NNC_ONNX_WEIGHT || w->rank != 4 || in->kind != NNC_ONNX_ACTIVATION ||
        groups < 1) {
        return nnc_onnx_refuse(g, "expected a map and a kernel of four axes");
    }
    const int64_t channels = up ? w->dims[1] * groups : w->dims[0];
    const int64_t reads = up ? w->dims[0] : w->dims[1] * groups;
    if (in->rank != 4 || reads != in->dims[1]) {
        return nnc_onnx_refuse(g, "a kernel for %" PRId64 " channels reads %" PRId64, reads,
                               in->rank == 4 ? in->dims[1] : 0);
    }
    g->convolutions++;
    g->biased += bias;
    snprintf(members, sizeof members,
             "\"op\": \"%s\", \"out\": %" PRId64 ", \"groups\": %" PRId64 ", \"bias\": %s%s",
             up ? "conv_transpose" : "conv", channels, groups, bias ? "true" : "false",
             up && nnc_onnx_ints(g, "output_padding", 0, 0) > 0 ? ", \"output_pad\": 1" : "");
    if (up &&
        (nnc_onnx_ints(g, "output_padding", 0, 0) > 1 ||
         nnc_onnx_ints(g, "output_padding", 0, 0) != nnc_onnx_ints(g, "output_padding", 1, 0))) {
        return nnc_onnx_refuse(g, "output_padding: expected 0 or 1 on both sides");
    }
    return place_window(g, in, out, channels, w->dims + 2, up, members);
}

static bool pool(nnc_onnx_graph *g)
{
    const bool max = is_type(g, "MaxPool");
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    const int64_t kernel[] = { nnc_onnx_ints(g, "kernel_shape", 0, 0),
                               nnc_onnx_ints(g, "kernel_shape", 1, 0) };
    char members[96];
    snprintf(members, sizeof members, "\"op\": \"pool\", \"kind\": \"%s\", \"ceil\": %s",
             max ? "max" : "mean", nnc_onnx_int(g, "ceil_mode", 0) != 0 ? "true" : "false");
    return place_window(g, in, out, in->rank == 4 ? in->dims[1] : 0, kernel, false, members);
}

/* The mean over all positions of a map, or over tokens. */
static bool global_pool(nnc_onnx_graph *g)
{
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    if (!nnc_onnx_as_map(g, in)) {
        return false;
    }
    same_dims(in, out);
    out->dims[2] = out->dims[3] = 1;
    nnc_onnx_made(out, nnc_onnx_step(g, in->reg, "\"op\": \"global_pool\""), 1, out->dims + 1);
    return true;
}

static bool resize(nnc_onnx_graph *g)
{
    return nnc_onnx_refuse(g, "cannot be placed: write an upsample step by hand");
}

/* ---- products ---- */

static bool gemm(nnc_onnx_graph *g)
{
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    const nnc_onnx_value *w = nnc_onnx_input(g, 1);
    const bool turned = nnc_onnx_int(g, "transB", 0) != 0;
    if (in->kind != NNC_ONNX_ACTIVATION || w->kind != NNC_ONNX_WEIGHT || w->rank != 2 ||
        in->rank != 2 || nnc_onnx_int(g, "transA", 0) != 0 ||
        w->dims[turned ? 1 : 0] != in->dims[1] || w->dims[turned ? 0 : 1] > 1000000000) {
        return nnc_onnx_refuse(g, "expected rows times a matrix of parameters");
    }
    out->rank = 2;
    out->dims[0] = in->dims[0];
    out->dims[1] = w->dims[turned ? 0 : 1];
    out->width = (int32_t)out->dims[1];
    defer(g, out, NNC_ONNX_LINEAR, in);
    return write_linear(g, out, nnc_onnx_has_input(g, 2));
}

/* Attention: queries by keys, softmax, by values; heads are an axis of all three. */
static bool attention(nnc_onnx_graph *g, nnc_onnx_value *scores, nnc_onnx_value *value,
                      nnc_onnx_value *out)
{
    nnc_onnx_value *query = &g->values[scores->src], *key = &g->values[scores->key];
    const int32_t r = query->rank;
    if (r < 3 || r > 4 || key->rank != r || value->rank != r) {
        return nnc_onnx_refuse(g, "an attention of %d axes", r);
    }
    const int64_t blocks = r == 4 ? query->dims[0] : 1, heads = query->dims[r - 3];
    const int64_t s = query->dims[r - 2], d = query->dims[r - 1], t = key->dims[r - 1];
    const int64_t e = value->dims[r - 1];
    bool suits = key->dims[r - 2] == d && value->dims[r - 2] == t && key->dims[r - 3] == heads &&
                 value->dims[r - 3] == heads;
    suits = suits && (r == 3 || (key->dims[0] == blocks && value->dims[0] == blocks));
    if (!suits || (blocks > 1 && s != t)) {
        return nnc_onnx_refuse(g,
                               "queries, keys and values of an attention do not suit each other");
    }
    const int64_t q_shape[] = { blocks * s, heads * d }, k_shape[] = { blocks * t, heads * d };
    const int64_t v_shape[] = { blocks * t, heads * e }, o_shape[] = { blocks * s, heads * e };
    char k_name[16], v_name[16], extra[96] = "";
    if (!nnc_onnx_view(g, key, 2, k_shape) || !nnc_onnx_view(g, value, 2, v_shape) ||
        !nnc_onnx_view(g, query, 2, q_shape)) {
        return false;
    }
    if (scores->origin > 0 && scores->origin % heads == 0) {
        snprintf(extra, sizeof extra, ", \"position_biases\": %" PRId64, scores->origin / heads);
    } else if (scores->origin > 0) {
        return nnc_onnx_refuse(g, "a table of biases that is no multiple of the heads");
    }
    if (blocks > 1) {
        const size_t used = strlen(extra);
        snprintf(extra + used, sizeof extra - used, ", \"window\": %" PRId64, s);
    }
    /* the names are taken first, then the step goes back to the queries */
    nnc_onnx_with(g, key->reg, k_name);
    nnc_onnx_with(g, value->reg, v_name);
    const int32_t step = g->step;
    const int32_t reg = nnc_onnx_step(g, query->reg,
                                      "\"op\": \"attention\", \"heads\": %" PRId64
                                      ", \"key\": \"%s\", \"value\": \"%s\"%s",
                                      heads, k_name, v_name, extra);
    if (!g->second) {
        g->reg[key->reg].last = g->reg[value->reg].last = step + 1;
    }
    out->rank = r;
    memcpy(out->dims, query->dims, sizeof out->dims);
    out->dims[r - 1] = e;
    nnc_onnx_made(out, reg, 2, o_shape);
    return true;
}

static bool product(nnc_onnx_graph *g)
{
    nnc_onnx_value *a = nnc_onnx_input(g, 0), *b = nnc_onnx_input(g, 1),
                   *out = nnc_onnx_output(g, 0);
    if (a->kind == NNC_ONNX_ACTIVATION && b->kind == NNC_ONNX_WEIGHT && b->rank == 2 &&
        a->rank >= 1 && a->dims[a->rank - 1] == b->dims[0] && b->dims[1] >= 1 &&
        b->dims[1] <= 1000000000) {
        same_dims(a, out);
        out->dims[a->rank - 1] = b->dims[1];
        out->width = (int32_t)b->dims[1];
        defer(g, out, NNC_ONNX_LINEAR, a);
        return true;
    }
    if (a->kind != NNC_ONNX_ACTIVATION || b->kind != NNC_ONNX_ACTIVATION) {
        return nnc_onnx_refuse(g, "expected rows times a matrix of parameters, or two activations");
    }
    if (a->pattern == NNC_ONNX_PROBABILITIES) {
        return attention(g, a, b, out);
    }
    if (a->rank < 3 || b->rank != a->rank || a->dims[a->rank - 1] != b->dims[b->rank - 2]) {
        return nnc_onnx_refuse(g, "a product of two activations that is no attention");
    }
    same_dims(a, out);
    out->dims[a->rank - 1] = b->dims[b->rank - 1];
    defer(g, out, NNC_ONNX_SCORES, a);
    out->key = index_of(g, b);
    out->origin = 0;
    return true;
}

/* ---- one value at a time ---- */

static bool act(nnc_onnx_graph *g, const char *kind)
{
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    same_dims(in, out);
    if (!nnc_onnx_materialise(g, in)) {
        return false;
    }
    nnc_onnx_made(out, nnc_onnx_step(g, in->reg, "\"op\": \"act\", \"kind\": \"%s\"", kind),
                  in->shape_rank, in->shape);
    return true;
}

static bool softmax(nnc_onnx_graph *g)
{
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    if (in->pattern != NNC_ONNX_SCORES) {
        g->softmax_last = true;
        return act(g, "softmax");
    }
    same_dims(in, out);
    alias(in, out);
    out->pattern = NNC_ONNX_PROBABILITIES;
    return true;
}

/* Put off until it is clear what becomes of it. */
static bool put_off(nnc_onnx_graph *g, nnc_onnx_pattern pattern)
{
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    same_dims(in, out);
    if (!nnc_onnx_materialise(g, in)) {
        return false;
    }
    defer(g, out, pattern, in);
    return true;
}

static bool batch_norm(nnc_onnx_graph *g)
{
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    int64_t elements = 0;
    if (in->rank != 4 || !nnc_onnx_elements(nnc_onnx_input(g, 1), &elements) ||
        elements != in->dims[1]) {
        return nnc_onnx_refuse(g, "expected a map, and a gain for each of its channels");
    }
    same_dims(in, out);
    defer(g, out, NNC_ONNX_BATCH_NORM, in);
    return true;
}

static bool layer_norm(nnc_onnx_graph *g)
{
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    const int64_t axis = nnc_onnx_int(g, "axis", -1);
    if (axis != -1 && axis != in->rank - 1) {
        return nnc_onnx_refuse(g, "axis: expected the last one");
    }
    same_dims(in, out);
    defer(g, out, NNC_ONNX_NORMED_GAIN, in);
    return write_norm(g, out, nnc_onnx_has_input(g, 2) ? "" : ", \"bias\": false");
}

static bool instance_norm(nnc_onnx_graph *g)
{
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    const int64_t groups = nnc_onnx_int(g, "num_groups", in->rank == 4 ? in->dims[1] : 1);
    if (!nnc_onnx_as_map(g, in)) {
        return false;
    }
    same_dims(in, out);
    nnc_onnx_made(out,
                  nnc_onnx_step(g, in->reg,
                                "\"op\": \"norm\", \"kind\": \"group\", \"groups\": %" PRId64,
                                groups),
                  in->shape_rank, in->shape);
    return true;
}

/* Over the positions of a map or over tokens; or over the last axis, where a norm begins. */
/* NOLINTNEXTLINE(readability-function-cognitive-complexity): one case after the other */
static bool mean(nnc_onnx_graph *g)
{
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    const nnc_onnx_value *axes = nnc_onnx_has_input(g, 1) ? nnc_onnx_input(g, 1) : NULL;
    const Onnx__AttributeProto *said = nnc_onnx_attribute(g, "axes");
    const int64_t *list = axes != NULL ? axes->whole : said != NULL ? said->ints : NULL;
    const int64_t count = axes != NULL   ? (axes->rank == 1 ? axes->dims[0] : 1)
                          : said != NULL ? (int64_t)said->n_ints
                                         : 0;
    const bool keep = nnc_onnx_int(g, "keepdims", 1) != 0;
    bool gone[NNC_ONNX_RANK_MAX] = { false };
    if (list == NULL || count < 1 || count > in->rank) {
        return nnc_onnx_refuse(g, "axes: expected numbers that can be worked out");
    }
    for (int64_t i = 0; i < count; i++) {
        const int32_t axis = nnc_onnx_axis(g, in, list[i]);
        if (axis < 0) {
            return false;
        }
        gone[axis] = true;
    }
    out->rank = 0;
    for (int32_t i = 0; i < in->rank; i++) {
        if (!gone[i] || keep) {
            out->dims[out->rank++] = gone[i] ? 1 : in->dims[i];
        }
    }
    if (count == 1 && gone[in->rank - 1]) {
        const bool squares = in->pattern == NNC_ONNX_SQUARED;
        const nnc_onnx_value *src = squares ? &g->values[in->src] : in;
        out->rms = in->rms;
        defer(g, out, squares ? NNC_ONNX_VARIANCE : NNC_ONNX_MEAN, src);
        return true;
    }
    const bool map = in->rank == 4 && count == 2 && gone[2] && gone[3];
    const bool tokens = in->rank == 3 && count == 1 && gone[1] && in->dims[0] == 1;
    if (!map && !tokens) {
        return nnc_onnx_refuse(g, "a mean over other axes than positions, tokens or the last");
    }
    if (map ? !nnc_onnx_as_map(g, in) : !nnc_onnx_as_rows(g, in)) {
        return false;
    }
    const int64_t width = map ? in->dims[1] : in->dims[2];
    nnc_onnx_made(out, nnc_onnx_step(g, in->reg, "\"op\": \"global_pool\""), 1, &width);
    return true;
}

/* ---- two of them ---- */

static bool is_mean_of(const nnc_onnx_graph *g, const nnc_onnx_value *m, const nnc_onnx_value *x)
{
    return m->pattern == NNC_ONNX_MEAN && &g->values[m->src] == x;
}

/* Is one value per channel of the other: of its last axis, or of a map's first. */
static bool per_channel(const nnc_onnx_value *w, const nnc_onnx_value *x, bool *map)
{
    int64_t elements = 0;
    if (!nnc_onnx_elements(w, &elements) || x->rank < 1 || w->rank < 1) {
        return false;
    }
    *map = w->rank >= 3 && x->rank == 4 && w->dims[w->rank - 1] == 1 && w->dims[w->rank - 2] == 1;
    return *map ? elements == x->dims[1] && w->dims[w->rank - 3] == elements
                : elements == x->dims[x->rank - 1] && w->dims[w->rank - 1] == elements;
}

/* An activation and a constant. */
/* NOLINTNEXTLINE(readability-function-cognitive-complexity): one case after the other */
static bool with_constant(nnc_onnx_graph *g, nnc_onnx_value *x, const nnc_onnx_value *w,
                          nnc_onnx_value *out)
{
    const bool adds = is_type(g, "Add") || is_type(g, "Sub"), times = is_type(g, "Mul");
    bool map = false;
    int64_t elements = 0, own = 0;
    if (!nnc_onnx_broadcast(g, x, w, out)) {
        return false;
    }
    if (x->pattern == NNC_ONNX_SCORES ||
        x->pattern == NNC_ONNX_PROBABILITIES) { /* a scale, a mask, a bias */
        const int64_t table = adds && !w->computed && w->kind == NNC_ONNX_WEIGHT ? w->origin : 0;
        alias(x, out);
        out->origin = is_scalar(w) ? x->origin : x->origin + table;
        return true;
    }
    if (is_scalar(w)) {
        alias(x, out);
        if (x->pattern == NNC_ONNX_ERF && adds) {
            out->pattern = NNC_ONNX_ERF_PLUS;
        } else if (x->pattern == NNC_ONNX_LINEAR || x->pattern == NNC_ONNX_SIGMOID ||
                   x->pattern == NNC_ONNX_HARD_SIGMOID || x->pattern == NNC_ONNX_CLIPPED) {
            out->pattern = x->pattern;
        }
        return true;
    }
    if (is_type(g, "Div") || is_type(g, "Pow")) {
        return nnc_onnx_refuse(g, "by a constant of several values");
    }
    const bool channels = per_channel(w, x, &map);
    if (x->pattern == NNC_ONNX_LINEAR && adds && channels && !map) {
        alias(x, out);
        return write_linear(g, out, true);
    }
    if (x->pattern == NNC_ONNX_NORMED && times && channels) {
        alias(x, out);
        out->pattern = NNC_ONNX_NORMED_GAIN;
        return true;
    }
    if (x->pattern == NNC_ONNX_NORMED_GAIN && adds && channels && !x->rms) {
        alias(x, out);
        return write_norm(g, out, "");
    }
    if ((x->pattern == NNC_ONNX_BATCH_NORM && times) ||
        (x->pattern == NNC_ONNX_BATCH_GAIN && adds)) {
        if (!channels) {
            return nnc_onnx_refuse(g, "expected one value per channel");
        }
        alias(x, out);
        out->pattern = NNC_ONNX_BATCH_GAIN;
        return times || write_batch_norm(g, out);
    }
    if (channels) {
        if (map ? !nnc_onnx_as_map(g, x) : !nnc_onnx_as_rows(g, x)) {
            return false;
        }
        nnc_onnx_made(
            out,
            nnc_onnx_step(g, x->reg, "\"op\": \"scale\"%s", adds ? ", \"kind\": \"bias\"" : ""),
            x->shape_rank, x->shape);
        return true;
    }
    if (adds && nnc_onnx_elements(w, &elements) && nnc_onnx_elements(x, &own) && elements == own) {
        if (!nnc_onnx_as_rows(g, x)) {
            return false;
        }
        nnc_onnx_made(out,
                      nnc_onnx_step(g, x->reg, "\"op\": \"position\", \"kind\": \"%s\"",
                                    w->computed || w->kind == NNC_ONNX_WHOLE ? "fixed" : "learned"),
                      x->shape_rank, x->shape);
        return true;
    }
    return nnc_onnx_refuse(
        g, "a constant that is neither a number nor one value per channel or element");
}

static bool same_place(const nnc_onnx_value *a, const nnc_onnx_value *b)
{
    return a->pattern == NNC_ONNX_PLAIN && b->pattern == NNC_ONNX_PLAIN && a->reg >= 0 &&
           a->reg == b->reg;
}

/* x times a function of x. */
static const char *product_of(const nnc_onnx_graph *g, const nnc_onnx_value *x,
                              const nnc_onnx_value *f)
{
    if (f->src < 0 || !same_place(x, &g->values[f->src])) {
        return NULL;
    }
    return f->pattern == NNC_ONNX_ERF_PLUS       ? "gelu"
           : f->pattern == NNC_ONNX_SIGMOID      ? "silu"
           : f->pattern == NNC_ONNX_HARD_SIGMOID ? "hard_swish"
           : f->pattern == NNC_ONNX_CLIPPED      ? "hard_swish"
                                                 : NULL;
}

/* Two activations of equal shapes, or one value per channel of a map. */
static bool both(nnc_onnx_graph *g, nnc_onnx_value *a, nnc_onnx_value *b, nnc_onnx_value *out,
                 const char *op)
{
    char name[16];
    int64_t na = 0, nb = 0;
    nnc_onnx_elements(a, &na);
    nnc_onnx_elements(b, &nb);
    if (!nnc_onnx_broadcast(g, a, b, out)) {
        return false;
    }
    nnc_onnx_value *large = na >= nb ? a : b, *small = na >= nb ? b : a;
    if (na == nb) {
        if (!nnc_onnx_materialise(g, a) || !nnc_onnx_materialise(g, b) ||
            !nnc_onnx_view(g, b, a->shape_rank, a->shape)) {
            return false;
        }
    } else {
        bool map = false;
        if (!per_channel(small, large, &map)) {
            return nnc_onnx_refuse(g,
                                   "two shapes that are neither equal nor one value per channel");
        }
        const int64_t width = map ? large->dims[1] : large->dims[large->rank - 1];
        if ((map ? !nnc_onnx_as_map(g, large) : !nnc_onnx_as_rows(g, large)) ||
            !nnc_onnx_view(g, small, 1, &width)) {
            return false;
        }
    }
    nnc_onnx_with(g, small->reg, name);
    const int32_t step = g->step;
    const int32_t reg = nnc_onnx_step(g, large->reg, "\"op\": \"%s\", \"with\": \"%s\"", op, name);
    if (!g->second) {
        g->reg[small->reg].last = step + 1;
    }
    nnc_onnx_made(out, reg, large->shape_rank, large->shape);
    return true;
}

/* NOLINTNEXTLINE(readability-function-cognitive-complexity): one case after the other */
static bool pair(nnc_onnx_graph *g)
{
    nnc_onnx_value *a = nnc_onnx_input(g, 0), *b = nnc_onnx_input(g, 1),
                   *out = nnc_onnx_output(g, 0);
    const bool minus = is_type(g, "Sub"), over = is_type(g, "Div"), times = is_type(g, "Mul");
    if (minus && is_mean_of(g, b, a)) {
        same_dims(a, out);
        defer(g, out, NNC_ONNX_CENTERED, a);
        return true;
    }
    if ((is_type(g, "Pow") && is_scalar(b)) || (times && a == b)) {
        same_dims(a, out);
        out->rms = a->pattern != NNC_ONNX_CENTERED;
        defer(g, out, NNC_ONNX_SQUARED, out->rms ? a : &g->values[a->src]);
        return true;
    }
    if (over && b->kind == NNC_ONNX_ACTIVATION && b->pattern == NNC_ONNX_DEVIATION) {
        const nnc_onnx_value *src = &g->values[b->src];
        const bool suits = b->rms ? same_place(a, src) || a == src
                                  : a->pattern == NNC_ONNX_CENTERED && a->src == b->src;
        same_dims(a, out);
        out->rms = b->rms;
        defer(g, out, NNC_ONNX_NORMED, src);
        return suits || nnc_onnx_refuse(g, "a norm of an unknown form");
    }
    if (a->kind != NNC_ONNX_ACTIVATION || b->kind != NNC_ONNX_ACTIVATION) {
        if (over && a->kind != NNC_ONNX_ACTIVATION) {
            return nnc_onnx_refuse(g, "a constant over an activation");
        }
        return a->kind == NNC_ONNX_ACTIVATION ? with_constant(g, a, b, out)
                                              : with_constant(g, b, a, out);
    }
    if (a->pattern == NNC_ONNX_SCORES ||
        b->pattern == NNC_ONNX_SCORES) { /* a mask that was worked out */
        nnc_onnx_value *scores = a->pattern == NNC_ONNX_SCORES ? a : b;
        same_dims(scores, out);
        alias(scores, out);
        return scores != b || a->pattern != NNC_ONNX_SCORES;
    }
    const char *kind = times ? product_of(g, a, b) : NULL;
    const bool second = kind == NULL && times;
    kind = second ? product_of(g, b, a) : kind;
    if (kind != NULL) {
        nnc_onnx_value *x = second ? b : a;
        same_dims(x, out);
        nnc_onnx_made(out, nnc_onnx_step(g, x->reg, "\"op\": \"act\", \"kind\": \"%s\"", kind),
                      x->shape_rank, x->shape);
        return true;
    }
    return both(g, a, b, out, times || over ? "mul" : "add");
}

static bool sum(nnc_onnx_graph *g)
{
    nnc_onnx_value *out = nnc_onnx_output(g, 0);
    if (g->node->n_input != 2) {
        return nnc_onnx_refuse(g, "a sum of %zu, expected 2", g->node->n_input);
    }
    return both(g, nnc_onnx_input(g, 0), nnc_onnx_input(g, 1), out, "add");
}

/* ---- parts and joins ---- */

/* Part of an axis: which values they are does not matter, only how many. */
static bool part(nnc_onnx_graph *g, nnc_onnx_value *in, nnc_onnx_value *out)
{
    int64_t had = 0, has = 0;
    nnc_onnx_elements(in, &had);
    if (!nnc_onnx_elements(out, &has) || has < 1 || had % has != 0) {
        return nnc_onnx_refuse(g, "a part of %" PRId64 " values with %" PRId64, had, has);
    }
    if (has == had) {
        alias(in, out);
        return true;
    }
    const int64_t rows[] = { had / has, has };
    if (!nnc_onnx_view(g, in, 2, rows)) {
        return false;
    }
    nnc_onnx_made(out,
                  nnc_onnx_step(g, in->reg, "\"op\": \"slice\", \"axis\": \"tokens\", \"size\": 1"),
                  2, (const int64_t[]){ 1, has });
    return true;
}

static bool split(nnc_onnx_graph *g)
{
    nnc_onnx_value *in = nnc_onnx_input(g, 0);
    const int32_t axis = nnc_onnx_axis(g, in, nnc_onnx_int(g, "axis", 0));
    const nnc_onnx_value *sizes = nnc_onnx_has_input(g, 1) ? nnc_onnx_input(g, 1) : NULL;
    const int64_t parts = (int64_t)g->node->n_output;
    for (int64_t i = 0; axis >= 0 && i < parts; i++) {
        nnc_onnx_value *out = nnc_onnx_output(g, (size_t)i);
        same_dims(in, out);
        out->dims[axis] =
            sizes != NULL && sizes->whole != NULL && sizes->rank == 1 && i < sizes->dims[0]
                ? sizes->whole[i]
                : nnc_onnx_ints(g, "split", (size_t)i, in->dims[axis] / parts);
        if (!part(g, in, out)) {
            return false;
        }
    }
    return axis >= 0;
}

/* Token ids look up a table of parameters; of activations, indices take a part. */
static bool gather(nnc_onnx_graph *g)
{
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *index = nnc_onnx_input(g, 1),
                   *out = nnc_onnx_output(g, 0);
    if (!nnc_onnx_moved_shape(g, in, out)) {
        return false;
    }
    if (in->kind == NNC_ONNX_ACTIVATION) {
        return part(g, in, out);
    }
    if (!index->ids || in->kind != NNC_ONNX_WEIGHT || in->rank != 2 || index->shape_rank != 1) {
        return nnc_onnx_refuse(g, "expected token ids that look up a table of parameters");
    }
    const int64_t shape[] = { index->shape[0], in->dims[1] };
    nnc_onnx_made(out,
                  nnc_onnx_step(g, index->reg,
                                "\"op\": \"embed\", \"rows\": %" PRId64 ", \"width\": %" PRId64,
                                in->dims[0], in->dims[1]),
                  2, shape);
    return true;
}

/* A learned token before the others. */
static bool prepend(nnc_onnx_graph *g, const nnc_onnx_value *tokens, nnc_onnx_value *x,
                    nnc_onnx_value *out)
{
    if (x->rank != 3 || tokens->rank != 3 || x->dims[0] != 1 || tokens->dims[0] != 1 ||
        tokens->dims[2] != x->dims[2] || !nnc_onnx_as_rows(g, x)) {
        return nnc_onnx_refuse(g, "expected learned tokens before others");
    }
    same_dims(x, out);
    out->dims[1] += tokens->dims[1];
    nnc_onnx_made(
        out, nnc_onnx_step(g, x->reg, "\"op\": \"prepend\", \"count\": %" PRId64, tokens->dims[1]),
        2, out->dims + 1);
    return true;
}

static bool concatenate(nnc_onnx_graph *g)
{
    nnc_onnx_value *first = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    const int32_t axis = nnc_onnx_axis(g, first, nnc_onnx_int(g, "axis", 0));
    if (axis < 0) {
        return false;
    }
    if (first->kind == NNC_ONNX_WEIGHT && g->node->n_input == 2 && axis == 1) {
        return prepend(g, first, nnc_onnx_input(g, 1), out);
    }
    const bool channels = axis == 1 && first->rank == 4;
    nnc_onnx_value joined = *first;
    for (size_t i = 0; i < g->node->n_input; i++) {
        nnc_onnx_value *v = nnc_onnx_input(g, i);
        char name[16];
        int64_t elements = 0;
        if (v->kind != NNC_ONNX_ACTIVATION || v->rank != first->rank ||
            !nnc_onnx_elements(v, &elements) || elements < 1) {
            return nnc_onnx_refuse(g, "expected activations of as many axes");
        }
        const int64_t rest = elements / v->dims[axis];
        const int64_t rows[] = { v->dims[axis], rest };
        if (channels ? !nnc_onnx_as_map(g, v) : !nnc_onnx_view(g, v, 2, rows)) {
            return false;
        }
        if (i == 0) {
            joined = *v;
            continue;
        }
        nnc_onnx_with(g, v->reg, name);
        const int32_t step = g->step;
        const int32_t reg =
            nnc_onnx_step(g, joined.reg, "\"op\": \"concat\", \"with\": \"%s\", \"axis\": \"%s\"",
                          name, channels ? "channels" : "tokens");
        if (!g->second) {
            g->reg[v->reg].last = step + 1;
        }
        joined.dims[axis] += v->dims[axis];
        joined.shape[0] += v->shape[0];
        nnc_onnx_made(&joined, reg, joined.shape_rank, joined.shape);
    }
    same_dims(&joined, out);
    alias(&joined, out);
    return true;
}

static bool moved(nnc_onnx_graph *g)
{
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    int64_t had = 0, has = 0;
    if (!nnc_onnx_moved_shape(g, in, out)) {
        return false;
    }
    if (!nnc_onnx_elements(in, &had) || !nnc_onnx_elements(out, &has) || had != has) {
        return is_type(g, "Slice") ? part(g, in, out)
                                   : nnc_onnx_refuse(g, "repeats values, which cannot be placed");
    }
    alias(in, out);
    return true;
}

static bool dropout(nnc_onnx_graph *g)
{
    g->dropouts++;
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    same_dims(in, out);
    if (in->pattern == NNC_ONNX_PROBABILITIES) {
        alias(in, out);
        return true;
    }
    if (!nnc_onnx_materialise(g, in)) {
        return false;
    }
    nnc_onnx_made(out, nnc_onnx_step(g, in->reg, "\"op\": \"dropout\""), in->shape_rank, in->shape);
    return true;
}

/* ---- the table ---- */

static bool error_function(nnc_onnx_graph *g)
{
    return put_off(g, NNC_ONNX_ERF);
}
static bool sigmoid(nnc_onnx_graph *g)
{
    return put_off(g, NNC_ONNX_SIGMOID);
}
static bool hard_sigmoid(nnc_onnx_graph *g)
{
    return put_off(g, NNC_ONNX_HARD_SIGMOID);
}
static bool clip(nnc_onnx_graph *g)
{
    return put_off(g, NNC_ONNX_CLIPPED);
}
static bool relu(nnc_onnx_graph *g)
{
    return act(g, "relu");
}
static bool gelu(nnc_onnx_graph *g)
{
    return act(g, "gelu");
}
static bool tanh_of(nnc_onnx_graph *g)
{
    return act(g, "tanh");
}
static bool hard_swish(nnc_onnx_graph *g)
{
    return act(g, "hard_swish");
}

static bool response_norm(nnc_onnx_graph *g)
{
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    same_dims(in, out);
    if (!nnc_onnx_as_map(g, in)) {
        return false;
    }
    nnc_onnx_made(
        out,
        nnc_onnx_step(
            g, in->reg,
            "\"op\": \"norm\", \"kind\": \"layer\", \"affine\": false, \"name\": \"lrn\""),
        in->shape_rank, in->shape);
    return true;
}

static bool root(nnc_onnx_graph *g)
{
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    if (in->pattern != NNC_ONNX_VARIANCE) {
        return nnc_onnx_refuse(g, "a root outside of a norm");
    }
    same_dims(in, out);
    alias(in, out);
    out->pattern = NNC_ONNX_DEVIATION;
    return true;
}

static const struct {
    const char *type;
    bool (*place)(nnc_onnx_graph *g);
} nodes[] = {
    { "Conv", convolution },
    { "ConvTranspose", convolution },
    { "MaxPool", pool },
    { "AveragePool", pool },
    { "GlobalAveragePool", global_pool },
    { "GlobalMaxPool", global_pool },
    { "Resize", resize },
    { "Upsample", resize },
    { "Gemm", gemm },
    { "MatMul", product },
    { "Relu", relu },
    { "LeakyRelu", relu },
    { "Elu", relu },
    { "Clip", clip },
    { "Gelu", gelu },
    { "Tanh", tanh_of },
    { "Sigmoid", sigmoid },
    { "HardSigmoid", hard_sigmoid },
    { "HardSwish", hard_swish },
    { "Erf", error_function },
    { "Softmax", softmax },
    { "BatchNormalization", batch_norm },
    { "LayerNormalization", layer_norm },
    { "InstanceNormalization", instance_norm },
    { "GroupNormalization", instance_norm },
    { "LRN", response_norm },
    { "ReduceMean", mean },
    { "Sqrt", root },
    { "Add", pair },
    { "Sub", pair },
    { "Mul", pair },
    { "Div", pair },
    { "Pow", pair },
    { "Sum", sum },
    { "Concat", concatenate },
    { "Split", split },
    { "Gather", gather },
    { "Dropout", dropout },
    { "Reshape", moved },
    { "Transpose", moved },
    { "Flatten", moved },
    { "Squeeze", moved },
    { "Unsqueeze", moved },
    { "Slice", moved },
    { "Identity", moved },
    { "Cast", moved },
    { "Shape", nnc_onnx_shape_of },
};

bool nnc_onnx_convert(nnc_onnx_graph *g)
{
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        if (is_type(g, nodes[i].type)) {
            return nodes[i].place(g);
        }
    }
    return nnc_onnx_refuse(g, "cannot be placed");
}
