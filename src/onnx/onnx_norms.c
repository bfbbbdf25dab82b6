/* Nodes of an ONNX graph that normalise, whole or in parts. */
#include <inttypes.h>

#include "onnx/onnx_nodes.h"

bool nnc_onnx_batch_norm(nnc_onnx_graph *g)
{
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    int64_t elements = 0;
    if (in->rank != 4 || !nnc_onnx_elements(nnc_onnx_input(g, 1), &elements) ||
        elements != in->dims[1]) {
        return nnc_onnx_refuse(g, "expected a map, and a gain for each of its channels");
    }
    nnc_onnx_same_dims(in, out);
    nnc_onnx_defer(g, out, NNC_ONNX_BATCH_NORM, in);
    return true;
}

bool nnc_onnx_layer_norm(nnc_onnx_graph *g)
{
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    const int64_t axis = nnc_onnx_int(g, "axis", -1);
    if (axis != -1 && axis != in->rank - 1) {
        return nnc_onnx_refuse(g, "axis: expected the last one");
    }
    nnc_onnx_same_dims(in, out);
    nnc_onnx_defer(g, out, NNC_ONNX_NORMED_GAIN, in);
    return nnc_onnx_write_norm(g, out, nnc_onnx_has_input(g, 2) ? "" : ", \"bias\": false");
}

bool nnc_onnx_instance_norm(nnc_onnx_graph *g)
{
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    const int64_t groups = nnc_onnx_int(g, "num_groups", in->rank == 4 ? in->dims[1] : 1);
    if (!nnc_onnx_as_map(g, in)) {
        return false;
    }
    nnc_onnx_same_dims(in, out);
    nnc_onnx_made(out,
                  nnc_onnx_step(g, in->reg,
                                "\"op\": \"norm\", \"kind\": \"group\", \"groups\": %" PRId64,
                                groups),
                  in->shape_rank, in->shape);
    return true;
}

/* Over the positions of a map or over tokens; or over the last axis, where a norm begins. */
/* NOLINTNEXTLINE(readability-function-cognitive-complexity): one case after the other */
bool nnc_onnx_mean(nnc_onnx_graph *g)
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
        nnc_onnx_defer(g, out, squares ? NNC_ONNX_VARIANCE : NNC_ONNX_MEAN, src);
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

bool nnc_onnx_response_norm(nnc_onnx_graph *g)
{
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    nnc_onnx_same_dims(in, out);
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

bool nnc_onnx_root(nnc_onnx_graph *g)
{
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    if (in->pattern != NNC_ONNX_VARIANCE) {
        return nnc_onnx_refuse(g, "a root outside of a norm");
    }
    nnc_onnx_same_dims(in, out);
    nnc_onnx_alias(g, in, out);
    nnc_onnx_becomes(out, NNC_ONNX_DEVIATION);
    return true;
}
