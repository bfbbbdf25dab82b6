/* Converts the nodes of an ONNX graph. The file has one function for each type of node, and the table of types. Nodes
 * that cut, join or reorder tensors come first, then nodes on feature maps. If the type of a node is unknown, the
 * import refuses the file, and the error names the type; the import never guesses the function of a node. */
#include "base/base_internal.h"
#include "onnx/onnx_internal.h"

/* ---- converts nodes that cut, join or reorder tensors ---- */

/* Converts a node whose output is a part of an axis of its input. The op depends only on the length of the part,
 * because the position of the part does not change the cost. Returns false if the node was refused. */
static bool part(nnc_onnx_graph *g, nnc_onnx_value *in, nnc_onnx_value *out) {
    int64_t had = 0, has = 0;
    nnc_onnx_elements(in, &had);
    if (!nnc_onnx_elements(out, &has) || has < 1 || had % has != 0) {
        return nnc_onnx_refuse(
            g, "the input has %" PRId64 " values, no multiple of the %" PRId64 " values of the output", had, has);
    }
    if (has == had) {
        nnc_onnx_alias(g, in, out);
        return true;
    }
    const int64_t rows[] = { had / has, has };
    if (!nnc_onnx_view(g, in, 2, rows)) { return false; }
    nnc_onnx_made(out, nnc_onnx_step(g, in->reg, "\"op\": \"slice\", \"axis\": \"tokens\", \"size\": 1"), 2,
                  (const int64_t[]){ 1, has });
    return true;
}

static bool split(nnc_onnx_graph *g) {
    nnc_onnx_value *in = nnc_onnx_input(g, 0);
    const int32_t axis = nnc_onnx_axis(g, in, nnc_onnx_int(g, "axis", 0));
    const nnc_onnx_value *sizes = nnc_onnx_has_input(g, 1) ? nnc_onnx_input(g, 1) : NULL;
    const int64_t parts = (int64_t)g->node->n_output;
    for (int64_t i = 0; axis >= 0 && i < parts; i++) {
        nnc_onnx_value *out = nnc_onnx_output(g, (size_t)i);
        nnc_onnx_same_dims(in, out);
        out->dims[axis] = sizes != NULL && sizes->whole != NULL && sizes->rank == 1 && i < sizes->dims[0]
                              ? sizes->whole[i]
                              : nnc_onnx_ints(g, "split", (size_t)i, in->dims[axis] / parts);
        if (!part(g, in, out)) { return false; }
    }
    return axis >= 0;
}

/* Converts a node of type Gather. The node looks up token ids in a table of parameters (an embedding), or selects a
 * part of an activation. Returns false if the node was refused. */
static bool gather(nnc_onnx_graph *g) {
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *index = nnc_onnx_input(g, 1), *out = nnc_onnx_output(g, 0);
    if (!nnc_onnx_moved_shape(g, in, out)) { return false; }
    if (in->kind == NNC_ONNX_ACTIVATION) { return part(g, in, out); }
    if (!index->ids || in->kind != NNC_ONNX_WEIGHT || in->rank != 2 || index->shape_rank != 1) {
        return nnc_onnx_refuse(g, "expected token ids as indices into a table of parameters");
    }
    const int64_t shape[] = { index->shape[0], in->dims[1] };
    nnc_onnx_made(out,
                  nnc_onnx_step(g, index->reg, "\"op\": \"embed\", \"rows\": %" PRId64 ", \"width\": %" PRId64,
                                in->dims[0], in->dims[1]),
                  2, shape);
    return true;
}

/* Converts a node that joins learned tokens and the tokens of the input, with the learned tokens first. Returns false
 * if the node was refused. */
static bool prepend(nnc_onnx_graph *g, const nnc_onnx_value *tokens, nnc_onnx_value *x, nnc_onnx_value *out) {
    if (x->rank != 3 || tokens->rank != 3 || x->dims[0] != 1 || tokens->dims[0] != 1 || tokens->dims[2] != x->dims[2] ||
        !nnc_onnx_as_rows(g, x)) {
        return nnc_onnx_refuse(g, "expected learned tokens before the other tokens");
    }
    nnc_onnx_same_dims(x, out);
    out->dims[1] += tokens->dims[1];
    nnc_onnx_made(out, nnc_onnx_step(g, x->reg, "\"op\": \"prepend\", \"count\": %" PRId64, tokens->dims[1]), 2,
                  out->dims + 1);
    return true;
}

static bool concatenate(nnc_onnx_graph *g) {
    nnc_onnx_value *first = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    const int32_t axis = nnc_onnx_axis(g, first, nnc_onnx_int(g, "axis", 0));
    if (axis < 0) { return false; }
    if (first->kind == NNC_ONNX_WEIGHT && g->node->n_input == 2 && axis == 1) {
        return prepend(g, first, nnc_onnx_input(g, 1), out);
    }
    const bool channels = axis == 1 && first->rank >= 4;
    nnc_onnx_value joined = *first;
    for (size_t i = 0; i < g->node->n_input; i++) {
        nnc_onnx_value *v = nnc_onnx_input(g, i);
        char name[16];
        int64_t elements = 0;
        if (v->kind != NNC_ONNX_ACTIVATION || v->rank != first->rank || !nnc_onnx_elements(v, &elements) ||
            elements < 1) {
            return nnc_onnx_refuse(g, "expected activations with the same number of axes");
        }
        const int64_t rest = elements / v->dims[axis];
        const int64_t rows[] = { v->dims[axis], rest };
        if (channels ? !nnc_onnx_as_map(g, v) : !nnc_onnx_view(g, v, 2, rows)) { return false; }
        if (i == 0) {
            joined = *v;
            continue;
        }
        nnc_onnx_with(g, v->reg, name);
        const int32_t step = g->step;
        const int32_t reg = nnc_onnx_step(g, joined.reg, "\"op\": \"concat\", \"with\": \"%s\", \"axis\": \"%s\"", name,
                                          channels ? "channels" : "tokens");
        if (!g->second) { g->reg[v->reg].last = step + 1; }
        joined.dims[axis] += v->dims[axis];
        joined.shape[0] += v->shape[0];
        nnc_onnx_made(&joined, reg, joined.shape_rank, joined.shape);
    }
    nnc_onnx_same_dims(&joined, out);
    nnc_onnx_alias(g, &joined, out);
    return true;
}

static bool moved(nnc_onnx_graph *g) {
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    int64_t had = 0, has = 0;
    if (!nnc_onnx_moved_shape(g, in, out)) { return false; }
    if (!nnc_onnx_elements(in, &had) || !nnc_onnx_elements(out, &has) || had != has) {
        return nnc_onnx_is(g, "Slice") ? part(g, in, out)
                                       : nnc_onnx_refuse(g, "repeats values, which cannot be converted");
    }
    nnc_onnx_alias(g, in, out);
    return true;
}

enum { SIDES = 3 }; /* largest number of axes along which a window moves: depth, height, width */

/* The window of a convolution or a pool, which moves over a volume or a feature map. A sequence counts as a map with
 * one row, so its window moves along the width. */
typedef struct window {
    int64_t kernel[SIDES], stride[SIDES], dilation[SIDES], begin[SIDES], end[SIDES], more[SIDES];
} window;

static bool same_text(const Onnx__AttributeProto *a, const char *text) {
    return a != NULL && a->has_s && a->s.len == strlen(text) && memcmp(a->s.data, text, a->s.len) == 0;
}

/* Sets the padding at both ends of one side of a window in the mode "SAME": the number of output positions is length /
 * stride, rounded up. */
static void pad_alike(window *w, int side, int64_t length, bool upper) {
    const int64_t outputs = nnc_ceil_div(length, w->stride[side]);
    const int64_t pad = (outputs - 1) * w->stride[side] + w->dilation[side] * (w->kernel[side] - 1) + 1 - length;
    const int64_t all = pad > 0 ? pad : 0;
    w->begin[side] = upper ? all / 2 : all - all / 2;
    w->end[side] = all - w->begin[side];
}

/* Reads kernel, stride, dilation and padding of the window of the current node. pads: padding of height and width by a
 * Pad node before the current node. Returns false if the node was refused. */
static bool read_window(nnc_onnx_graph *g, const nnc_onnx_value *in, const int64_t kernel[SIDES], const int64_t pads[4],
                        window *w) {
    const Onnx__AttributeProto *automatic = nnc_onnx_attribute(g, "auto_pad");
    const bool upper = same_text(automatic, "SAME_UPPER"), lower = same_text(automatic, "SAME_LOWER");
    const bool explicit =
        automatic == NULL || !automatic->has_s || automatic->s.len == 0 || same_text(automatic, "NOTSET");
    const int32_t sides = in->rank - 2;
    const int64_t most = 1000000;
    if ((upper || lower) && nnc_onnx_is(g, "ConvTranspose")) {
        return nnc_onnx_refuse(g, "auto_pad: expected explicit pads");
    }
    for (int i = 0; i < SIDES; i++) {
        const bool there = i >= SIDES - sides;
        const size_t at = (size_t)(there ? i - (SIDES - sides) : 0);
        w->kernel[i] = kernel[i];
        w->stride[i] = there ? nnc_onnx_ints(g, "strides", at, 1) : 1;
        w->dilation[i] = there ? nnc_onnx_ints(g, "dilations", at, 1) : 1;
        w->begin[i] = there && explicit ? nnc_onnx_ints(g, "pads", at, 0) : 0;
        w->end[i] = there && explicit ? nnc_onnx_ints(g, "pads", at + (size_t)sides, 0) : 0;
        w->more[i] = there ? nnc_onnx_ints(g, "output_padding", at, 0) : 0;
        if (w->stride[i] < 1 || w->stride[i] > most || w->dilation[i] < 1 || w->dilation[i] > most ||
            w->kernel[i] < 1 || w->kernel[i] > most || w->begin[i] < 0 || w->begin[i] > most || w->end[i] < 0 ||
            w->end[i] > most) {
            return nnc_onnx_refuse(g, "a window with an impossible size");
        }
        if (there && (upper || lower)) { pad_alike(w, i, in->dims[2 + at], upper); }
        w->begin[i] += i > 0 ? pads[i - 1] : 0;
        w->end[i] += i > 0 ? pads[1 + i] : 0;
    }
    return true;
}

static bool window_text(nnc_onnx_graph *g, const window *w, char *text, size_t size) {
    const size_t used =
        (size_t)snprintf(text, size,
                         "\"kernel\": %" PRId64 ", \"kernel_w\": %" PRId64 ", \"stride\": %" PRId64
                         ", \"stride_w\": %" PRId64 ", \"pad\": %" PRId64 ", \"pad_w\": %" PRId64
                         ", \"pad_end\": %" PRId64 ", \"pad_end_w\": %" PRId64 ", \"dilation\": %" PRId64,
                         w->kernel[1], w->kernel[2], w->stride[1], w->stride[2], w->begin[1], w->begin[2], w->end[1],
                         w->end[2], w->dilation[2]);
    if (nnc_onnx_input(g, 0)->rank == 2 + SIDES) {
        snprintf(text + used, size - used,
                 ", \"kernel_d\": %" PRId64 ", \"stride_d\": %" PRId64 ", \"pad_d\": %" PRId64
                 ", \"pad_end_d\": %" PRId64,
                 w->kernel[0], w->stride[0], w->begin[0], w->end[0]);
    }
    return ((w->kernel[1] == 1 || w->dilation[1] == w->dilation[2]) &&
            (w->kernel[0] == 1 || w->dilation[0] == w->dilation[2])) ||
           nnc_onnx_refuse(g, "dilations that differ");
}

/* Returns the size of the output along one side of a map, which is the number of positions of the window; -1 = the
 * window is larger than the side. up: true = a transposed convolution. */
static int64_t side_of(const nnc_onnx_graph *g, const window *w, int i, int64_t length, bool up) {
    const int64_t reach = w->dilation[i] * (w->kernel[i] - 1) + 1;
    if (up) { return (length - 1) * w->stride[i] - w->begin[i] - w->end[i] + reach + w->more[i]; }
    const int64_t room = length + w->begin[i] + w->end[i] - reach;
    if (room < 0) { return -1; }
    const bool ceil = nnc_onnx_int(g, "ceil_mode", 0) != 0;
    int64_t out = (ceil ? nnc_ceil_div(room, w->stride[i]) : room / w->stride[i]) + 1;
    if (ceil && (out - 1) * w->stride[i] >= length + w->begin[i]) { out--; }
    return out;
}

/* If the value `in` is the output of a Pad node, returns the input of the Pad node and copies its padding to pads. If
 * `in` is any other value, returns `in`, and sets pads to 0. */
static nnc_onnx_value *without_pad(nnc_onnx_graph *g, nnc_onnx_value *in, int64_t pads[4]) {
    memset(pads, 0, 4 * sizeof *pads);
    if (in->pattern != NNC_ONNX_PADDED) { return in; }
    memcpy(pads, in->pads, sizeof in->pads);
    return &g->values[in->src];
}

static bool place_window(nnc_onnx_graph *g, nnc_onnx_value *in, nnc_onnx_value *out, int64_t channels,
                         const int64_t kernel[SIDES], bool up, const char *members) {
    char text[600];
    int64_t pads[4], side[SIDES] = { 1, 1, 1 }, shape[1 + SIDES] = { 0 };
    window w = { .kernel = { 1, 1, 1 }, .stride = { 1, 1, 1 }, .dilation = { 1, 1, 1 } };
    in = without_pad(g, in, pads);
    const int32_t sides = in->rank - 2;
    if (sides < 1 || sides > SIDES || in->dims[0] != 1) {
        return nnc_onnx_refuse(g, "expected one map of channels x height x width, found %d axes%s", in->rank,
                               in->rank >= 4 ? " and another batch than 1" : "");
    }
    /* a map has at least two sides; a sequence becomes a map with one row */
    const int32_t held = sides < 2 ? 2 : sides;
    memcpy(side + SIDES - sides, in->dims + 2, (size_t)sides * sizeof *side);
    shape[0] = in->dims[1];
    memcpy(shape + 1, side + SIDES - held, (size_t)held * sizeof *side);
    if (!read_window(g, in, kernel, pads, &w) || !nnc_onnx_view(g, in, 1 + held, shape) ||
        !window_text(g, &w, text, sizeof text)) {
        return false;
    }
    for (int i = SIDES - held; i < SIDES; i++) {
        side[i] = side_of(g, &w, i, side[i], up);
        if (side[i] < 1) { return nnc_onnx_refuse(g, "no window fits into axis %d", i + in->rank - SIDES); }
    }
    shape[0] = channels;
    memcpy(shape + 1, side + SIDES - held, (size_t)held * sizeof *side);
    out->rank = in->rank;
    out->dims[0] = 1;
    out->dims[1] = channels;
    memcpy(out->dims + 2, side + SIDES - sides, (size_t)sides * sizeof *side);
    nnc_onnx_made(out, nnc_onnx_step(g, in->reg, "%s, %s", members, text), 1 + held, shape);
    return true;
}

static bool convolution(nnc_onnx_graph *g) {
    const bool up = nnc_onnx_is(g, "ConvTranspose"), bias = nnc_onnx_has_input(g, 2);
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    const nnc_onnx_value *w = nnc_onnx_input(g, 1);
    const int64_t groups = nnc_onnx_int(g, "group", 1);
    char members[160];
    if (w->kind != NNC_ONNX_WEIGHT || w->rank < 3 || w->rank > 2 + SIDES || in->kind != NNC_ONNX_ACTIVATION ||
        groups < 1) {
        return nnc_onnx_refuse(g, "expected a map and a kernel of four axes, three of a sequence, or five of a volume");
    }
    const int64_t kernel[] = { w->rank == 5 ? w->dims[2] : 1, w->rank >= 4 ? w->dims[w->rank - 2] : 1,
                               w->dims[w->rank - 1] };
    const int64_t channels = up ? w->dims[1] * groups : w->dims[0];
    const int64_t reads = up ? w->dims[0] : w->dims[1] * groups;
    if (in->rank != w->rank || reads != in->dims[1]) {
        return nnc_onnx_refuse(g,
                               "the kernel is for %" PRId64 " channels, but the input has another number of "
                               "channels: %" PRId64,
                               reads, in->rank == w->rank ? in->dims[1] : 0);
    }
    g->convolutions++;
    g->biased += bias;
    snprintf(members, sizeof members, "\"op\": \"%s\", \"out\": %" PRId64 ", \"groups\": %" PRId64 ", \"bias\": %s%s",
             up ? "conv_transpose" : "conv", channels, groups, bias ? "true" : "false",
             up && nnc_onnx_ints(g, "output_padding", 0, 0) > 0 ? ", \"output_pad\": 1" : "");
    for (int32_t i = 0; up && i < w->rank - 2; i++) {
        const int64_t more = nnc_onnx_ints(g, "output_padding", (size_t)i, 0);
        if (more > 1 || more != nnc_onnx_ints(g, "output_padding", 0, 0)) {
            return nnc_onnx_refuse(g, "output_padding: expected 0 or 1 on all sides");
        }
    }
    return place_window(g, in, out, channels, kernel, up, members);
}

static bool pool(nnc_onnx_graph *g) {
    const bool max = nnc_onnx_is(g, "MaxPool");
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    int64_t kernel[SIDES] = { 1, 1, 1 };
    for (int32_t i = 0; i < in->rank - 2 && i < SIDES; i++) {
        kernel[(in->rank - 2 < SIDES ? SIDES - in->rank + 2 : 0) + i] = nnc_onnx_ints(g, "kernel_shape", (size_t)i, 0);
    }
    char members[96];
    snprintf(members, sizeof members, "\"op\": \"pool\", \"kind\": \"%s\", \"ceil\": %s", max ? "max" : "mean",
             nnc_onnx_int(g, "ceil_mode", 0) != 0 ? "true" : "false");
    return place_window(g, in, out, in->rank >= 3 ? in->dims[1] : 0, kernel, false, members);
}

/* Converts a global pool: writes an op that computes the mean over all positions of a map. Returns false if the node
 * was refused. */
static bool global_pool(nnc_onnx_graph *g) {
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    if (!nnc_onnx_as_map(g, in)) { return false; }
    nnc_onnx_same_dims(in, out);
    for (int32_t i = 2; i < out->rank; i++) { out->dims[i] = 1; }
    nnc_onnx_made(out, nnc_onnx_step(g, in->reg, "\"op\": \"global_pool\""), 1, out->dims + 1);
    return true;
}

/* Defers a Pad node: its zeros around the map become padding of the window of the next node. Returns false if the node
 * was refused. */
static bool pad(nnc_onnx_graph *g) {
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    const nnc_onnx_value *amounts = nnc_onnx_input(g, 1);
    const Onnx__AttributeProto *own = nnc_onnx_attribute(g, "pads");
    const size_t rank = (size_t)in->rank;
    const int64_t *pads = own != NULL ? own->ints : amounts->whole;
    int64_t count = own != NULL ? (int64_t)own->n_ints : 0;
    if (own == NULL && !nnc_onnx_known(amounts, &count)) {
        return nnc_onnx_refuse(g, "pads: expected numbers that are known without running the network");
    }
    if (nnc_onnx_has_input(g, 3) || rank < 3 || rank > 4 || count != 2 * (int64_t)rank) {
        return nnc_onnx_refuse(g, "pads: expected two for each of three or four axes");
    }
    bool none = true;
    nnc_onnx_same_dims(in, out);
    memset(out->pads, 0, sizeof out->pads);
    for (size_t i = 0; i < 2 * rank; i++) {
        const size_t axis = i % rank;
        none = none && pads[i] == 0;
        if (pads[i] < 0 || pads[i] > 100000 || (pads[i] > 0 && axis < 2)) {
            return nnc_onnx_refuse(g, "pads: expected padding only at the sides of a map");
        }
        out->dims[axis] += pads[i];
        if (axis >= 2) { out->pads[(i < rank ? 0 : 2) + axis + 2 - rank] = pads[i]; }
    }
    if (none) {
        nnc_onnx_alias(g, in, out);
        return true;
    }
    if (!nnc_onnx_materialise(g, in)) { return false; }
    nnc_onnx_defer(g, out, NNC_ONNX_PADDED, in);
    return true;
}

/* Returns the factor by which a Resize node enlarges both height and width of a map; 0 = the factors differ, or are no
 * whole numbers. */
static int64_t factor_of(nnc_onnx_graph *g, const nnc_onnx_value *in) {
    const bool old = nnc_onnx_is(g, "Upsample");
    const nnc_onnx_value *scales = nnc_onnx_input(g, old ? 1 : 2), *sizes = nnc_onnx_input(g, 3);
    int64_t factors[4] = { 0 }, count = 0;
    const bool sized = !old && nnc_onnx_known(sizes, &count) && count == 4;
    const bool scaled =
        !sized && scales->kind == NNC_ONNX_WEIGHT && scales->whole != NULL && scales->rank == 1 && scales->dims[0] == 4;
    for (int i = 0; i < 4 && (sized || scaled); i++) {
        factors[i] = scaled                                                  ? scales->whole[i]
                     : in->dims[i] > 0 && sizes->whole[i] % in->dims[i] == 0 ? sizes->whole[i] / in->dims[i]
                                                                             : 0;
    }
    return factors[0] == 1 && factors[1] == 1 && factors[2] == factors[3] ? factors[2] : 0;
}

static bool resize(nnc_onnx_graph *g) {
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    const Onnx__AttributeProto *mode = nnc_onnx_attribute(g, "mode");
    const bool linear = same_text(mode, "linear") || same_text(mode, "bilinear");
    if (!nnc_onnx_as_map(g, in)) { return false; }
    const int64_t factor = factor_of(g, in);
    if (factor < 1 || factor > 64 || (mode != NULL && !linear && !same_text(mode, "nearest"))) {
        return nnc_onnx_refuse(g, "expected height and width enlarged by the same whole number, with the mode "
                                  "nearest or linear");
    }
    nnc_onnx_same_dims(in, out);
    if (factor == 1) {
        nnc_onnx_alias(g, in, out);
        return true;
    }
    out->dims[2] *= factor;
    out->dims[3] *= factor;
    nnc_onnx_made(out,
                  nnc_onnx_step(g, in->reg, "\"op\": \"upsample\", \"kind\": \"%s\", \"factor\": %" PRId64,
                                linear ? "bilinear" : "nearest", factor),
                  3, out->dims + 1);
    return true;
}

/* Writes the output "last state" of a recurrent layer (shape: directions x 1 x hidden), if the node has this output. */
static void last_state(nnc_onnx_graph *g, size_t index, const nnc_onnx_value *all, int64_t turns, int64_t hidden) {
    nnc_onnx_value *out = nnc_onnx_output(g, index);
    if (index < g->node->n_output && out->name[0] != '\0') {
        const int64_t shape[] = { 1, turns * hidden };
        out->rank = 3;
        out->dims[0] = turns;
        out->dims[1] = 1;
        out->dims[2] = hidden;
        nnc_onnx_made(out, nnc_onnx_step(g, all->reg, "\"op\": \"slice\", \"axis\": \"tokens\", \"size\": 1"), 2,
                      shape);
    }
}

/* Converts a recurrent layer: LSTM, GRU or RNN. The inputs of the layer are the tokens (tokens x 1 x width), the
 * weights W of the tokens (directions x (gates times hidden) x width), the weights R of the state, and the biases. The
 * outputs of the layer are the states after all tokens (tokens x directions x 1 x hidden) and the last state. Returns
 * false if the node was refused. */
static bool recurrent(nnc_onnx_graph *g) {
    nnc_onnx_value *in = nnc_onnx_input(g, 0);
    const nnc_onnx_value *w = nnc_onnx_input(g, 1);
    const int64_t gates = nnc_onnx_is(g, "LSTM") ? 4 : nnc_onnx_is(g, "GRU") ? 3 : 1;
    const int64_t turns = w->rank == 3 ? w->dims[0] : 0, hidden = turns > 0 ? w->dims[1] / gates : 0;
    const bool batch_first = nnc_onnx_int(g, "layout", 0) != 0;
    if (in->kind != NNC_ONNX_ACTIVATION || in->rank != 3 || w->kind != NNC_ONNX_WEIGHT || turns < 1 || turns > 2 ||
        hidden < 1 || w->dims[1] != gates * hidden || w->dims[2] != in->dims[2] || in->dims[batch_first ? 0 : 1] != 1 ||
        nnc_onnx_has_input(g, 7)) {
        return nnc_onnx_refuse(g, "expected one sequence of tokens, weights for one or two directions, no peepholes");
    }
    const int64_t tokens = in->dims[batch_first ? 1 : 0];
    const int64_t rows[] = { tokens, in->dims[2] }, shape[] = { tokens, turns * hidden };
    if (!nnc_onnx_view(g, in, 2, rows)) { return false; }
    const char *kind = gates == 4 ? "lstm" : gates == 3 ? "gru" : "rnn";
    const int32_t reg = nnc_onnx_step(
        g, in->reg,
        "\"op\": \"recurrent\", \"kind\": \"%s\", \"hidden\": %" PRId64 ", \"bidirectional\": %s, \"bias\": %s", kind,
        hidden, turns == 2 ? "true" : "false", nnc_onnx_has_input(g, 3) ? "true" : "false");
    nnc_onnx_value all = { .rank = 4, .dims = { tokens, turns, 1, hidden } };
    nnc_onnx_made(&all, reg, 2, shape);
    last_state(g, 1, &all, turns, hidden);
    last_state(g, 2, &all, turns, hidden);
    nnc_onnx_value *out = nnc_onnx_output(g, 0);
    if (out->name[0] != '\0') {
        out->rank = all.rank;
        memcpy(out->dims, all.dims, sizeof all.dims);
        nnc_onnx_made(out, reg, 2, shape);
    }
    return true;
}

/* ---- activations, and the table of all types of node ---- */

bool nnc_onnx_act(nnc_onnx_graph *g, const char *kind) {
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    nnc_onnx_same_dims(in, out);
    if (!nnc_onnx_materialise(g, in)) { return false; }
    nnc_onnx_made(out, nnc_onnx_step(g, in->reg, "\"op\": \"act\", \"kind\": \"%s\"", kind), in->shape_rank, in->shape);
    return true;
}

static bool dropout(nnc_onnx_graph *g) {
    g->dropouts++;
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    nnc_onnx_same_dims(in, out);
    if (in->pattern == NNC_ONNX_PROBABILITIES) {
        nnc_onnx_alias(g, in, out);
        return true;
    }
    if (!nnc_onnx_materialise(g, in)) { return false; }
    nnc_onnx_made(out, nnc_onnx_step(g, in->reg, "\"op\": \"dropout\""), in->shape_rank, in->shape);
    return true;
}

static bool error_function(nnc_onnx_graph *g) { return nnc_onnx_put_off(g, NNC_ONNX_ERF); }

static bool sigmoid(nnc_onnx_graph *g) { return nnc_onnx_put_off(g, NNC_ONNX_SIGMOID); }

static bool hard_sigmoid(nnc_onnx_graph *g) { return nnc_onnx_put_off(g, NNC_ONNX_HARD_SIGMOID); }

static bool clip(nnc_onnx_graph *g) { return nnc_onnx_put_off(g, NNC_ONNX_CLIPPED); }

static bool relu(nnc_onnx_graph *g) { return nnc_onnx_act(g, "relu"); }

static bool gelu(nnc_onnx_graph *g) { return nnc_onnx_act(g, "gelu"); }

static bool tanh_of(nnc_onnx_graph *g) { return nnc_onnx_act(g, "tanh"); }

static bool hard_swish(nnc_onnx_graph *g) { return nnc_onnx_act(g, "hard_swish"); }

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
    { "Pad", pad },
    { "Gemm", nnc_onnx_gemm },
    { "MatMul", nnc_onnx_product },
    { "LSTM", recurrent },
    { "GRU", recurrent },
    { "RNN", recurrent },
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
    { "Softmax", nnc_onnx_softmax },
    { "BatchNormalization", nnc_onnx_batch_norm },
    { "LayerNormalization", nnc_onnx_layer_norm },
    { "InstanceNormalization", nnc_onnx_instance_norm },
    { "GroupNormalization", nnc_onnx_instance_norm },
    { "LRN", nnc_onnx_response_norm },
    { "ReduceMean", nnc_onnx_mean },
    { "Sqrt", nnc_onnx_root },
    { "Add", nnc_onnx_pair },
    { "Sub", nnc_onnx_pair },
    { "Mul", nnc_onnx_pair },
    { "Div", nnc_onnx_pair },
    { "Pow", nnc_onnx_pair },
    { "Sum", nnc_onnx_sum },
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

bool nnc_onnx_convert(nnc_onnx_graph *g) {
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        if (nnc_onnx_is(g, nodes[i].type)) { return nodes[i].place(g); }
    }
    return nnc_onnx_refuse(g, "cannot be converted");
}
