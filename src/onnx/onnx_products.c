/* Nodes of an ONNX graph that multiply matrices: linear layers, attention. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "onnx/onnx_nodes.h"

bool nnc_onnx_gemm(nnc_onnx_graph *g)
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
    nnc_onnx_defer(g, out, NNC_ONNX_LINEAR, in);
    return nnc_onnx_write_linear(g, out, nnc_onnx_has_input(g, 2));
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

bool nnc_onnx_product(nnc_onnx_graph *g)
{
    nnc_onnx_value *a = nnc_onnx_input(g, 0), *b = nnc_onnx_input(g, 1),
                   *out = nnc_onnx_output(g, 0);
    if (a->kind == NNC_ONNX_ACTIVATION && b->kind == NNC_ONNX_WEIGHT && b->rank == 2 &&
        a->rank >= 1 && a->dims[a->rank - 1] == b->dims[0] && b->dims[1] >= 1 &&
        b->dims[1] <= 1000000000) {
        nnc_onnx_same_dims(a, out);
        out->dims[a->rank - 1] = b->dims[1];
        out->width = (int32_t)b->dims[1];
        nnc_onnx_defer(g, out, NNC_ONNX_LINEAR, a);
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
    nnc_onnx_same_dims(a, out);
    out->dims[a->rank - 1] = b->dims[b->rank - 1];
    nnc_onnx_defer(g, out, NNC_ONNX_SCORES, a);
    out->key = nnc_onnx_index_of(g, b);
    out->origin = 0;
    return true;
}

bool nnc_onnx_softmax(nnc_onnx_graph *g)
{
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
