/* Nodes of an ONNX graph that are put off until it is clear what they are part of: norms, GELU, SiLU, linear
 * layers with their bias. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "onnx/onnx_nodes.h"

bool nnc_onnx_is_scalar(const nnc_onnx_value *v)
{
    int64_t elements = 0;
    return v->kind != NNC_ONNX_ACTIVATION && nnc_onnx_elements(v, &elements) && elements == 1;
}

int32_t nnc_onnx_index_of(const nnc_onnx_graph *g, const nnc_onnx_value *v)
{
    return (int32_t)(v - g->values);
}

/* The same tensor under another name and shape. */
void nnc_onnx_alias(const nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out)
{
    const char *name = out->name;
    nnc_onnx_value moved = *in;
    memcpy(moved.dims, out->dims, sizeof moved.dims);
    moved.rank = out->rank;
    moved.name = name;
    if (in->same_as == 0 && in >= g->values && in < g->values + g->count) {
        moved.same_as = nnc_onnx_index_of(g, in) + 1;
    }
    *out = moved;
}

void nnc_onnx_becomes(nnc_onnx_value *out, nnc_onnx_pattern pattern)
{
    out->pattern = pattern;
    out->same_as = 0;
}

void nnc_onnx_same_dims(const nnc_onnx_value *in, nnc_onnx_value *out)
{
    out->rank = in->rank;
    memcpy(out->dims, in->dims, sizeof out->dims);
}

void nnc_onnx_defer(nnc_onnx_graph *g, nnc_onnx_value *out, nnc_onnx_pattern pattern,
                    const nnc_onnx_value *src)
{
    out->kind = NNC_ONNX_ACTIVATION;
    out->pattern = pattern;
    out->src = nnc_onnx_index_of(g, src);
}

static bool write_plain(nnc_onnx_graph *g, nnc_onnx_value *v, const char *members)
{
    nnc_onnx_value *src = &g->values[v->src];
    if (!nnc_onnx_materialise(g, src)) {
        return false;
    }
    nnc_onnx_made(v, nnc_onnx_step(g, src->reg, "%s", members), src->shape_rank, src->shape);
    return true;
}

bool nnc_onnx_write_norm(nnc_onnx_graph *g, nnc_onnx_value *v, const char *affine)
{
    char members[96];
    nnc_onnx_value *src = &g->values[v->src];
    snprintf(members, sizeof members, "\"op\": \"norm\", \"kind\": \"%s\"%s",
             v->rms ? "rms" : "layer", affine);
    return nnc_onnx_as_rows(g, src) && write_plain(g, v, members);
}

bool nnc_onnx_write_linear(nnc_onnx_graph *g, nnc_onnx_value *v, bool bias)
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

bool nnc_onnx_write_batch_norm(nnc_onnx_graph *g, nnc_onnx_value *v)
{
    g->batch_norms++;
    return nnc_onnx_as_map(g, &g->values[v->src]) &&
           write_plain(g, v, "\"op\": \"norm\", \"kind\": \"batch\"");
}

/* What is there under several names is written once. */
static bool write_same(nnc_onnx_graph *g, nnc_onnx_value *v)
{
    nnc_onnx_value *same = &g->values[v->same_as - 1];
    if (!nnc_onnx_materialise(g, same)) {
        return false;
    }
    nnc_onnx_made(v, same->reg, same->shape_rank, same->shape);
    return true;
}

bool nnc_onnx_materialise(nnc_onnx_graph *g, nnc_onnx_value *v)
{
    if (v->pattern != NNC_ONNX_PLAIN && v->same_as > 0 && v->kind == NNC_ONNX_ACTIVATION) {
        return write_same(g, v);
    }
    switch (v->pattern) {
    case NNC_ONNX_PLAIN:
        return v->reg >= 0 || nnc_onnx_refuse(g, "reads \"%.60s\", which nothing makes", v->name);
    case NNC_ONNX_NORMED: return nnc_onnx_write_norm(g, v, ", \"affine\": false");
    case NNC_ONNX_NORMED_GAIN: return nnc_onnx_write_norm(g, v, v->rms ? "" : ", \"bias\": false");
    case NNC_ONNX_SIGMOID: return write_plain(g, v, "\"op\": \"act\", \"kind\": \"sigmoid\"");
    case NNC_ONNX_HARD_SIGMOID:
        return write_plain(g, v, "\"op\": \"act\", \"kind\": \"hard_sigmoid\"");
    case NNC_ONNX_CLIPPED: return write_plain(g, v, "\"op\": \"act\", \"kind\": \"relu\"");
    case NNC_ONNX_BATCH_NORM:
    case NNC_ONNX_BATCH_GAIN: return nnc_onnx_write_batch_norm(g, v);
    case NNC_ONNX_LINEAR: return nnc_onnx_write_linear(g, v, false);
    default:
        return nnc_onnx_refuse(
            g, "\"%.60s\" is part of a norm, a GELU or an attention of an unknown form", v->name);
    }
}

/* Put off until it is clear what becomes of it. */
bool nnc_onnx_put_off(nnc_onnx_graph *g, nnc_onnx_pattern pattern)
{
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    nnc_onnx_same_dims(in, out);
    if (!nnc_onnx_materialise(g, in)) {
        return false;
    }
    nnc_onnx_defer(g, out, pattern, in);
    return true;
}
