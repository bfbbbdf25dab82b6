/* Nodes of an ONNX graph that combine two tensors: with a constant they are part of a norm, a bias or an
 * activation. */
#include "onnx/onnx_nodes.h"

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
    const bool adds = nnc_onnx_is(g, "Add") || nnc_onnx_is(g, "Sub"), times = nnc_onnx_is(g, "Mul");
    bool map = false;
    int64_t elements = 0, own = 0;
    if (!nnc_onnx_broadcast(g, x, w, out)) {
        return false;
    }
    if (x->pattern == NNC_ONNX_SCORES ||
        x->pattern == NNC_ONNX_PROBABILITIES) { /* a scale, a mask, a bias */
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
        return nnc_onnx_refuse(g, "by a constant of several values");
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
    if ((x->pattern == NNC_ONNX_BATCH_NORM && times) ||
        (x->pattern == NNC_ONNX_BATCH_GAIN && adds)) {
        if (!channels) {
            return nnc_onnx_refuse(g, "expected one value per channel");
        }
        nnc_onnx_alias(g, x, out);
        nnc_onnx_becomes(out, NNC_ONNX_BATCH_GAIN);
        return times || nnc_onnx_write_batch_norm(g, out);
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
bool nnc_onnx_pair(nnc_onnx_graph *g)
{
    nnc_onnx_value *a = nnc_onnx_input(g, 0), *b = nnc_onnx_input(g, 1),
                   *out = nnc_onnx_output(g, 0);
    const bool minus = nnc_onnx_is(g, "Sub"), over = nnc_onnx_is(g, "Div"),
               times = nnc_onnx_is(g, "Mul");
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
        const bool suits = b->rms ? same_place(a, src) || a == src
                                  : a->pattern == NNC_ONNX_CENTERED && a->src == b->src;
        nnc_onnx_same_dims(a, out);
        out->rms = b->rms;
        nnc_onnx_defer(g, out, NNC_ONNX_NORMED, src);
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
        nnc_onnx_made(out, nnc_onnx_step(g, x->reg, "\"op\": \"act\", \"kind\": \"%s\"", kind),
                      x->shape_rank, x->shape);
        return true;
    }
    return both(g, a, b, out, times || over ? "mul" : "add");
}

/* One after the other. */
bool nnc_onnx_sum(nnc_onnx_graph *g)
{
    nnc_onnx_value *out = nnc_onnx_output(g, 0), *first = nnc_onnx_input(g, 0);
    nnc_onnx_value sum = *first;
    if (first->kind != NNC_ONNX_ACTIVATION) {
        return nnc_onnx_refuse(g, "a sum that begins with a constant");
    }
    nnc_onnx_same_dims(first, out);
    for (size_t i = 1; i < g->node->n_input; i++) {
        nnc_onnx_value *next = nnc_onnx_input(g, i), made = sum;
        if (next->kind != NNC_ONNX_ACTIVATION || !nnc_onnx_materialise(g, &sum) ||
            !both(g, &sum, next, &made, "add")) {
            return nnc_onnx_refuse(g, "a sum of what does not suit");
        }
        sum = made;
    }
    memcpy(out->dims, sum.dims, sizeof out->dims);
    out->rank = sum.rank;
    nnc_onnx_alias(g, &sum, out);
    return true;
}
