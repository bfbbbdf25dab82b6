/* Nodes of an ONNX graph that cut, join and reorder. */
#include <inttypes.h>

#include "onnx/onnx_nodes.h"

/* Part of an axis: which values they are does not matter, only how many. */
static bool part(nnc_onnx_graph *g, nnc_onnx_value *in, nnc_onnx_value *out)
{
    int64_t had = 0, has = 0;
    nnc_onnx_elements(in, &had);
    if (!nnc_onnx_elements(out, &has) || has < 1 || had % has != 0) {
        return nnc_onnx_refuse(g, "a part of %" PRId64 " values with %" PRId64, had, has);
    }
    if (has == had) {
        nnc_onnx_alias(g, in, out);
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

bool nnc_onnx_split(nnc_onnx_graph *g)
{
    nnc_onnx_value *in = nnc_onnx_input(g, 0);
    const int32_t axis = nnc_onnx_axis(g, in, nnc_onnx_int(g, "axis", 0));
    const nnc_onnx_value *sizes = nnc_onnx_has_input(g, 1) ? nnc_onnx_input(g, 1) : NULL;
    const int64_t parts = (int64_t)g->node->n_output;
    for (int64_t i = 0; axis >= 0 && i < parts; i++) {
        nnc_onnx_value *out = nnc_onnx_output(g, (size_t)i);
        nnc_onnx_same_dims(in, out);
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
bool nnc_onnx_gather(nnc_onnx_graph *g)
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
    nnc_onnx_same_dims(x, out);
    out->dims[1] += tokens->dims[1];
    nnc_onnx_made(
        out, nnc_onnx_step(g, x->reg, "\"op\": \"prepend\", \"count\": %" PRId64, tokens->dims[1]),
        2, out->dims + 1);
    return true;
}

bool nnc_onnx_concatenate(nnc_onnx_graph *g)
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
    nnc_onnx_same_dims(&joined, out);
    nnc_onnx_alias(g, &joined, out);
    return true;
}

bool nnc_onnx_moved(nnc_onnx_graph *g)
{
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    int64_t had = 0, has = 0;
    if (!nnc_onnx_moved_shape(g, in, out)) {
        return false;
    }
    if (!nnc_onnx_elements(in, &had) || !nnc_onnx_elements(out, &has) || had != has) {
        return nnc_onnx_is(g, "Slice")
                   ? part(g, in, out)
                   : nnc_onnx_refuse(g, "repeats values, which cannot be placed");
    }
    nnc_onnx_alias(g, in, out);
    return true;
}
