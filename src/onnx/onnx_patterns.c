/* Converts ONNX nodes that may be a part of a larger op: norms, GELU and SiLU, linear layers with a bias, attention.
 * Each node completes a deferred pattern (onnx_write.c), continues a deferred pattern, or becomes a separate op. */
#include "onnx/onnx_internal.h"

bool nnc_onnx_batch_norm(nnc_onnx_graph *g) {
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    int64_t elements = 0;
    if (in->rank < 4 || !nnc_onnx_elements(nnc_onnx_input(g, 1), &elements) || elements != in->dims[1]) {
        return nnc_onnx_refuse(g, "expected a map, and a gain for each of its channels");
    }
    nnc_onnx_same_dims(in, out);
    nnc_onnx_defer(g, out, NNC_ONNX_BATCH_NORM, in);
    return true;
}

bool nnc_onnx_layer_norm(nnc_onnx_graph *g) {
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    const int64_t axis = nnc_onnx_int(g, "axis", -1);
    if (axis != -1 && axis != in->rank - 1) { return nnc_onnx_refuse(g, "axis: expected the last axis"); }
    nnc_onnx_same_dims(in, out);
    nnc_onnx_defer(g, out, NNC_ONNX_NORMED_GAIN, in);
    return nnc_onnx_write_norm(g, out, nnc_onnx_has_input(g, 2) ? "" : ", \"bias\": false");
}

bool nnc_onnx_instance_norm(nnc_onnx_graph *g) {
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    const int64_t groups = nnc_onnx_int(g, "num_groups", in->rank >= 4 ? in->dims[1] : 1);
    if (!nnc_onnx_as_map(g, in)) { return false; }
    nnc_onnx_same_dims(in, out);
    nnc_onnx_made(out, nnc_onnx_step(g, in->reg, "\"op\": \"norm\", \"kind\": \"group\", \"groups\": %" PRId64, groups),
                  in->shape_rank, in->shape);
    return true;
}

/* Converts a node of type ReduceMean. A mean over the positions of a map, or over tokens, becomes a pool. A mean over
 * the last axis is the beginning of a norm, so the value of this mean is deferred. */
/* NOLINTNEXTLINE(readability-function-cognitive-complexity): a list of cases */
bool nnc_onnx_mean(nnc_onnx_graph *g) {
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
        return nnc_onnx_refuse(g, "axes: expected numbers that are known without running the network");
    }
    for (int64_t i = 0; i < count; i++) {
        const int32_t axis = nnc_onnx_axis(g, in, list[i]);
        if (axis < 0) { return false; }
        gone[axis] = true;
    }
    out->rank = 0;
    for (int32_t i = 0; i < in->rank; i++) {
        if (!gone[i] || keep) { out->dims[out->rank++] = gone[i] ? 1 : in->dims[i]; }
    }
    if (count == 1 && gone[in->rank - 1]) {
        const bool squares = in->pattern == NNC_ONNX_SQUARED;
        const nnc_onnx_value *src = squares ? &g->values[in->src] : in;
        out->rms = in->rms;
        nnc_onnx_defer(g, out, squares ? NNC_ONNX_VARIANCE : NNC_ONNX_MEAN, src);
        return true;
    }
    const bool map = in->rank >= 4 && in->rank <= 5 && count == in->rank - 2 && !gone[0] && !gone[1];
    const bool tokens = in->rank == 3 && count == 1 && gone[1] && in->dims[0] == 1;
    if (!map && !tokens) {
        return nnc_onnx_refuse(g, "expected a mean over positions, over tokens or over the last axis");
    }
    if (map ? !nnc_onnx_as_map(g, in) : !nnc_onnx_as_rows(g, in)) { return false; }
    const int64_t width = map ? in->dims[1] : in->dims[2];
    nnc_onnx_made(out, nnc_onnx_step(g, in->reg, "\"op\": \"global_pool\""), 1, &width);
    return true;
}

bool nnc_onnx_response_norm(nnc_onnx_graph *g) {
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    nnc_onnx_same_dims(in, out);
    if (!nnc_onnx_as_map(g, in)) { return false; }
    nnc_onnx_made(
        out, nnc_onnx_step(g, in->reg, "\"op\": \"norm\", \"kind\": \"layer\", \"affine\": false, \"name\": \"lrn\""),
        in->shape_rank, in->shape);
    return true;
}

bool nnc_onnx_root(nnc_onnx_graph *g) {
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    if (in->pattern != NNC_ONNX_VARIANCE) {
        return nnc_onnx_refuse(g, "a square root outside of a norm cannot be converted");
    }
    nnc_onnx_same_dims(in, out);
    nnc_onnx_alias(g, in, out);
    nnc_onnx_becomes(out, NNC_ONNX_DEVIATION);
    return true;
}

/* ---- converts nodes with two inputs, such as Add and Mul ---- */

static bool is_mean_of(const nnc_onnx_graph *g, const nnc_onnx_value *m, const nnc_onnx_value *x) {
    return m->pattern == NNC_ONNX_MEAN && &g->values[m->src] == x;
}

/* Tests whether the value w has one element for each channel of x. *map: true = the channels are the first axis of a
 * map; false = the channels are the last axis of x. */
static bool per_channel(const nnc_onnx_value *w, const nnc_onnx_value *x, bool *map) {
    int64_t elements = 0;
    if (!nnc_onnx_elements(w, &elements) || x->rank < 1 || w->rank < 1) { return false; }
    const int32_t sides = x->rank - 2;
    *map = x->rank >= 4 && w->rank > sides;
    for (int32_t i = 0; *map && i < sides; i++) { *map = w->dims[w->rank - 1 - i] == 1; }
    return *map ? elements == x->dims[1] && w->dims[w->rank - 1 - sides] == elements
                : elements == x->dims[x->rank - 1] && w->dims[w->rank - 1] == elements;
}

/* Converts an elementwise node whose inputs are the activation x and the constant w. Returns false if the node was
 * refused. */
/* NOLINTNEXTLINE(readability-function-cognitive-complexity): a list of cases */
static bool with_constant(nnc_onnx_graph *g, nnc_onnx_value *x, const nnc_onnx_value *w, nnc_onnx_value *out) {
    const bool adds = nnc_onnx_is(g, "Add") || nnc_onnx_is(g, "Sub"), times = nnc_onnx_is(g, "Mul");
    bool map = false;
    int64_t elements = 0, own = 0;
    if (!nnc_onnx_broadcast(g, x, w, out)) { return false; }
    /* x is an intermediate result of attention, so the constant is a scale, a mask or a bias */
    if (x->pattern == NNC_ONNX_SCORES || x->pattern == NNC_ONNX_PROBABILITIES) {
        const int64_t table = adds && !w->computed && w->kind == NNC_ONNX_WEIGHT ? w->origin : 0;
        nnc_onnx_alias(g, x, out);
        out->origin = nnc_onnx_is_scalar(w) ? x->origin : x->origin + table;
        return true;
    }
    if (nnc_onnx_is_scalar(w)) {
        nnc_onnx_alias(g, x, out);
        if (x->pattern == NNC_ONNX_ERF && adds) {
            nnc_onnx_becomes(out, NNC_ONNX_ERF_PLUS);
        } else if (x->pattern == NNC_ONNX_LINEAR || x->pattern == NNC_ONNX_SIGMOID ||
                   x->pattern == NNC_ONNX_HARD_SIGMOID || x->pattern == NNC_ONNX_CLIPPED) {
            out->pattern = x->pattern;
        }
        return true;
    }
    if (nnc_onnx_is(g, "Div") || nnc_onnx_is(g, "Pow")) {
        return nnc_onnx_refuse(g, "expected a constant with one value");
    }
    const bool channels = per_channel(w, x, &map);
    if (x->pattern == NNC_ONNX_LINEAR && adds && channels && !map) {
        nnc_onnx_alias(g, x, out);
        return nnc_onnx_write_linear(g, out, true);
    }
    if (x->pattern == NNC_ONNX_NORMED && times && channels) {
        nnc_onnx_alias(g, x, out);
        nnc_onnx_becomes(out, NNC_ONNX_NORMED_GAIN);
        return true;
    }
    if (x->pattern == NNC_ONNX_NORMED_GAIN && adds && channels && !x->rms) {
        nnc_onnx_alias(g, x, out);
        return nnc_onnx_write_norm(g, out, "");
    }
    if ((x->pattern == NNC_ONNX_BATCH_NORM && times) || (x->pattern == NNC_ONNX_BATCH_GAIN && adds)) {
        if (!channels) { return nnc_onnx_refuse(g, "expected one value per channel"); }
        nnc_onnx_alias(g, x, out);
        nnc_onnx_becomes(out, NNC_ONNX_BATCH_GAIN);
        return times || nnc_onnx_write_batch_norm(g, out);
    }
    if (channels) {
        if (map ? !nnc_onnx_as_map(g, x) : !nnc_onnx_as_rows(g, x)) { return false; }
        nnc_onnx_made(out, nnc_onnx_step(g, x->reg, "\"op\": \"scale\"%s", adds ? ", \"kind\": \"bias\"" : ""),
                      x->shape_rank, x->shape);
        return true;
    }
    if (adds && nnc_onnx_elements(w, &elements) && nnc_onnx_elements(x, &own) && elements == own) {
        if (!nnc_onnx_as_rows(g, x)) { return false; }
        nnc_onnx_made(out,
                      nnc_onnx_step(g, x->reg, "\"op\": \"position\", \"kind\": \"%s\"",
                                    w->computed || w->kind == NNC_ONNX_WHOLE ? "fixed" : "learned"),
                      x->shape_rank, x->shape);
        return true;
    }
    return nnc_onnx_refuse(g, "expected a constant with one value, or with one value per channel or per element");
}

static bool same_place(const nnc_onnx_value *a, const nnc_onnx_value *b) {
    return a->pattern == NNC_ONNX_PLAIN && b->pattern == NNC_ONNX_PLAIN && a->reg >= 0 && a->reg == b->reg;
}

/* Returns the name of the activation function that the product of x and f computes, such as "gelu"; f was computed from
 * x. NULL = the product is no known activation function. */
static const char *product_of(const nnc_onnx_graph *g, const nnc_onnx_value *x, const nnc_onnx_value *f) {
    if (f->src < 0 || !same_place(x, &g->values[f->src])) { return NULL; }
    return f->pattern == NNC_ONNX_ERF_PLUS       ? "gelu"
           : f->pattern == NNC_ONNX_SIGMOID      ? "silu"
           : f->pattern == NNC_ONNX_HARD_SIGMOID ? "hard_swish"
           : f->pattern == NNC_ONNX_CLIPPED      ? "hard_swish"
                                                 : NULL;
}

/* Converts an elementwise node whose inputs a and b are activations. The inputs have equal shapes, or one input has a
 * single element for each channel of the other input. Returns false if the node was refused. */
static bool both(nnc_onnx_graph *g, nnc_onnx_value *a, nnc_onnx_value *b, nnc_onnx_value *out, const char *op) {
    char name[16];
    int64_t na = 0, nb = 0;
    nnc_onnx_elements(a, &na);
    nnc_onnx_elements(b, &nb);
    if (!nnc_onnx_broadcast(g, a, b, out)) { return false; }
    nnc_onnx_value *large = na >= nb ? a : b, *small = na >= nb ? b : a;
    if (na == nb) {
        if (!nnc_onnx_materialise(g, a) || !nnc_onnx_materialise(g, b) ||
            !nnc_onnx_view(g, b, a->shape_rank, a->shape)) {
            return false;
        }
    } else {
        bool map = false;
        if (!per_channel(small, large, &map)) {
            return nnc_onnx_refuse(g, "expected equal shapes, or one value per channel");
        }
        const int64_t width = map ? large->dims[1] : large->dims[large->rank - 1];
        if ((map ? !nnc_onnx_as_map(g, large) : !nnc_onnx_as_rows(g, large)) || !nnc_onnx_view(g, small, 1, &width)) {
            return false;
        }
    }
    nnc_onnx_with(g, small->reg, name);
    const int32_t step = g->step;
    const int32_t reg = nnc_onnx_step(g, large->reg, "\"op\": \"%s\", \"with\": \"%s\"", op, name);
    if (!g->second) { g->reg[small->reg].last = step + 1; }
    nnc_onnx_made(out, reg, large->shape_rank, large->shape);
    return true;
}

/* NOLINTNEXTLINE(readability-function-cognitive-complexity): a list of cases */
bool nnc_onnx_pair(nnc_onnx_graph *g) {
    nnc_onnx_value *a = nnc_onnx_input(g, 0), *b = nnc_onnx_input(g, 1), *out = nnc_onnx_output(g, 0);
    const bool minus = nnc_onnx_is(g, "Sub"), over = nnc_onnx_is(g, "Div"), times = nnc_onnx_is(g, "Mul");
    if (minus && is_mean_of(g, b, a)) {
        nnc_onnx_same_dims(a, out);
        nnc_onnx_defer(g, out, NNC_ONNX_CENTERED, a);
        return true;
    }
    if ((nnc_onnx_is(g, "Pow") && nnc_onnx_is_scalar(b)) || (times && a == b)) {
        nnc_onnx_same_dims(a, out);
        out->rms = a->pattern != NNC_ONNX_CENTERED;
        nnc_onnx_defer(g, out, NNC_ONNX_SQUARED, out->rms ? a : &g->values[a->src]);
        return true;
    }
    if (over && b->kind == NNC_ONNX_ACTIVATION && b->pattern == NNC_ONNX_DEVIATION) {
        const nnc_onnx_value *src = &g->values[b->src];
        const bool suits =
            b->rms ? same_place(a, src) || a == src : a->pattern == NNC_ONNX_CENTERED && a->src == b->src;
        nnc_onnx_same_dims(a, out);
        out->rms = b->rms;
        nnc_onnx_defer(g, out, NNC_ONNX_NORMED, src);
        return suits || nnc_onnx_refuse(g, "a norm of this form is not known");
    }
    if (a->kind != NNC_ONNX_ACTIVATION || b->kind != NNC_ONNX_ACTIVATION) {
        if (over && a->kind != NNC_ONNX_ACTIVATION) {
            return nnc_onnx_refuse(g, "a constant divided by an activation cannot be converted");
        }
        return a->kind == NNC_ONNX_ACTIVATION ? with_constant(g, a, b, out) : with_constant(g, b, a, out);
    }
    /* one input is the scores of attention, and the other input is a mask that the network computes */
    if (a->pattern == NNC_ONNX_SCORES || b->pattern == NNC_ONNX_SCORES) {
        nnc_onnx_value *scores = a->pattern == NNC_ONNX_SCORES ? a : b;
        nnc_onnx_same_dims(scores, out);
        nnc_onnx_alias(g, scores, out);
        return scores != b || a->pattern != NNC_ONNX_SCORES;
    }
    const char *kind = times ? product_of(g, a, b) : NULL;
    const bool second = kind == NULL && times;
    kind = second ? product_of(g, b, a) : kind;
    if (kind != NULL) {
        nnc_onnx_value *x = second ? b : a;
        nnc_onnx_same_dims(x, out);
        nnc_onnx_made(out, nnc_onnx_step(g, x->reg, "\"op\": \"act\", \"kind\": \"%s\"", kind), x->shape_rank,
                      x->shape);
        return true;
    }
    return both(g, a, b, out, times || over ? "mul" : "add");
}

/* Converts a node of type Sum with several inputs to a chain of additions. Each addition has two inputs. Returns false
 * if the node was refused. */
bool nnc_onnx_sum(nnc_onnx_graph *g) {
    nnc_onnx_value *out = nnc_onnx_output(g, 0), *first = nnc_onnx_input(g, 0);
    nnc_onnx_value sum = *first;
    if (first->kind != NNC_ONNX_ACTIVATION) {
        return nnc_onnx_refuse(g, "expected an activation as the first term of the sum");
    }
    nnc_onnx_same_dims(first, out);
    for (size_t i = 1; i < g->node->n_input; i++) {
        nnc_onnx_value *next = nnc_onnx_input(g, i), made = sum;
        if (next->kind != NNC_ONNX_ACTIVATION || !nnc_onnx_materialise(g, &sum) || !both(g, &sum, next, &made, "add")) {
            return nnc_onnx_refuse(g, "expected activations with equal shapes, or with one value per channel");
        }
        sum = made;
    }
    memcpy(out->dims, sum.dims, sizeof out->dims);
    out->rank = sum.rank;
    nnc_onnx_alias(g, &sum, out);
    return true;
}

bool nnc_onnx_gemm(nnc_onnx_graph *g) {
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    const nnc_onnx_value *w = nnc_onnx_input(g, 1);
    const bool turned = nnc_onnx_int(g, "transB", 0) != 0;
    if (in->kind != NNC_ONNX_ACTIVATION || w->kind != NNC_ONNX_WEIGHT || w->rank != 2 || in->rank != 2 ||
        nnc_onnx_int(g, "transA", 0) != 0 || w->dims[turned ? 1 : 0] != in->dims[1] ||
        w->dims[turned ? 0 : 1] > 1000000000) {
        return nnc_onnx_refuse(g, "expected a product of rows and a matrix of parameters");
    }
    out->rank = 2;
    out->dims[0] = in->dims[0];
    out->dims[1] = w->dims[turned ? 0 : 1];
    out->width = (int32_t)out->dims[1];
    nnc_onnx_defer(g, out, NNC_ONNX_LINEAR, in);
    return nnc_onnx_write_linear(g, out, nnc_onnx_has_input(g, 2));
}

/* Writes an op "attention" for the product of queries and keys, the softmax, and the product with the values. Queries,
 * keys and values must have an axis of heads. Returns false if the node was refused. */
static bool attention(nnc_onnx_graph *g, nnc_onnx_value *scores, nnc_onnx_value *value, nnc_onnx_value *out) {
    nnc_onnx_value *query = &g->values[scores->src], *key = &g->values[scores->key];
    const int32_t r = query->rank;
    if (r < 3 || r > 4 || key->rank != r || value->rank != r) {
        return nnc_onnx_refuse(g, "expected an attention with 3 or 4 axes, found %d axes", r);
    }
    const int64_t blocks = r == 4 ? query->dims[0] : 1, heads = query->dims[r - 3];
    const int64_t s = query->dims[r - 2], d = query->dims[r - 1], t = key->dims[r - 1];
    const int64_t e = value->dims[r - 1];
    bool suits =
        key->dims[r - 2] == d && value->dims[r - 2] == t && key->dims[r - 3] == heads && value->dims[r - 3] == heads;
    suits = suits && (r == 3 || (key->dims[0] == blocks && value->dims[0] == blocks));
    if (!suits || (blocks > 1 && s != t)) {
        return nnc_onnx_refuse(g, "the shapes of queries, keys and values of an attention do not match each other");
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
        return nnc_onnx_refuse(g, "the number of attention biases is no multiple of the number of heads");
    }
    if (blocks > 1) { nnc_text_append(extra, sizeof extra, "", ", \"window\": %" PRId64, s); }
    /* gets the names of keys and values first, because the entry of "ops" then reads the queries */
    nnc_onnx_with(g, key->reg, k_name);
    nnc_onnx_with(g, value->reg, v_name);
    const int32_t step = g->step;
    const int32_t reg = nnc_onnx_step(
        g, query->reg, "\"op\": \"attention\", \"heads\": %" PRId64 ", \"key\": \"%s\", \"value\": \"%s\"%s", heads,
        k_name, v_name, extra);
    if (!g->second) { g->reg[key->reg].last = g->reg[value->reg].last = step + 1; }
    out->rank = r;
    memcpy(out->dims, query->dims, sizeof out->dims);
    out->dims[r - 1] = e;
    nnc_onnx_made(out, reg, 2, o_shape);
    return true;
}

bool nnc_onnx_product(nnc_onnx_graph *g) {
    nnc_onnx_value *a = nnc_onnx_input(g, 0), *b = nnc_onnx_input(g, 1), *out = nnc_onnx_output(g, 0);
    if (a->kind == NNC_ONNX_ACTIVATION && b->kind == NNC_ONNX_WEIGHT && b->rank == 2 && a->rank >= 1 &&
        a->dims[a->rank - 1] == b->dims[0] && b->dims[1] >= 1 && b->dims[1] <= 1000000000) {
        nnc_onnx_same_dims(a, out);
        out->dims[a->rank - 1] = b->dims[1];
        out->width = (int32_t)b->dims[1];
        nnc_onnx_defer(g, out, NNC_ONNX_LINEAR, a);
        return true;
    }
    if (a->kind != NNC_ONNX_ACTIVATION || b->kind != NNC_ONNX_ACTIVATION) {
        return nnc_onnx_refuse(g, "expected a product of rows and a matrix of parameters, or of two activations");
    }
    if (a->pattern == NNC_ONNX_PROBABILITIES) { return attention(g, a, b, out); }
    if (a->rank < 3 || b->rank != a->rank || a->dims[a->rank - 1] != b->dims[b->rank - 2]) {
        return nnc_onnx_refuse(g, "a product of two activations outside of an attention cannot be converted");
    }
    nnc_onnx_same_dims(a, out);
    out->dims[a->rank - 1] = b->dims[b->rank - 1];
    nnc_onnx_defer(g, out, NNC_ONNX_SCORES, a);
    out->key = nnc_onnx_index_of(g, b);
    out->origin = 0;
    return true;
}

bool nnc_onnx_softmax(nnc_onnx_graph *g) {
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    if (in->pattern != NNC_ONNX_SCORES) {
        g->softmax_last = true;
        return nnc_onnx_act(g, "softmax");
    }
    nnc_onnx_same_dims(in, out);
    nnc_onnx_alias(g, in, out);
    nnc_onnx_becomes(out, NNC_ONNX_PROBABILITIES);
    return true;
}
