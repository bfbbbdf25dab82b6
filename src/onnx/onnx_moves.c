/* Shapes of what ONNX nodes only move: the same values in another order, or fewer. */
#include <string.h>

#include "base/number.h"
#include "onnx/onnx_fold.h"

/* A list of numbers: the attribute of older files, or an input. count -1 = neither. false: refused. */
static bool list_of(nnc_onnx_graph *g, const char *name, size_t input, const int64_t **list,
                    int64_t *count)
{
    static const int64_t none[1] = { 0 };
    const Onnx__AttributeProto *a = nnc_onnx_attribute(g, name);
    *list = none;
    *count = -1;
    if (a != NULL) {
        *list = a->n_ints > 0 ? a->ints : none;
        *count = (int64_t)a->n_ints;
        return true;
    }
    if (!nnc_onnx_has_input(g, input)) {
        return true;
    }
    const nnc_onnx_value *v = nnc_onnx_input(g, input);
    if (!nnc_onnx_known(v, count)) {
        return nnc_onnx_refuse(g, "%s: expected numbers that can be worked out", name);
    }
    *list = v->whole;
    return true;
}

static bool reshape(nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out)
{
    const int64_t *shape = NULL;
    int64_t count = 0, elements = 0, product = 1;
    int32_t open = -1;
    if (!list_of(g, "shape", 1, &shape, &count)) {
        return false;
    }
    if (count < 0 || count > NNC_ONNX_RANK_MAX || !nnc_onnx_elements(in, &elements)) {
        return nnc_onnx_refuse(g, "expected a shape of up to %d axes", NNC_ONNX_RANK_MAX);
    }
    out->rank = (int32_t)count;
    for (int32_t i = 0; i < out->rank; i++) {
        out->dims[i] = i < in->rank && shape[i] == 0 ? in->dims[i] : shape[i];
        if (shape[i] == -1 && open < 0) {
            open = i;
        } else if (out->dims[i] < 0 || !nnc_mul_i64(product, out->dims[i], &product)) {
            return nnc_onnx_refuse(g, "axis %d of the new shape is impossible", i);
        }
    }
    if (open >= 0) {
        if (product == 0 || elements % product != 0) {
            return nnc_onnx_refuse(g,
                                   "axis %d of the new shape: %lld elements do not divide by %lld",
                                   open, (long long)elements, (long long)product);
        }
        out->dims[open] = elements / product;
        product *= out->dims[open];
    }
    return product == elements ||
           nnc_onnx_refuse(g,
                           "%lld elements become %lld: was it exported with another batch than 1?",
                           (long long)elements, (long long)product);
}

static bool transpose(nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out)
{
    out->rank = in->rank;
    for (int32_t i = 0; i < in->rank; i++) {
        const int64_t from = nnc_onnx_ints(g, "perm", (size_t)i, in->rank - 1 - i);
        if (from < 0 || from >= in->rank) {
            return nnc_onnx_refuse(g, "perm: axis %lld of %d", (long long)from, in->rank);
        }
        out->dims[i] = in->dims[from];
    }
    return true;
}

static bool flatten(nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out)
{
    const int64_t axis = nnc_onnx_int(g, "axis", 1);
    const int64_t split = axis < 0 ? axis + in->rank : axis;
    out->rank = 2;
    out->dims[0] = out->dims[1] = 1;
    for (int32_t i = 0; i < in->rank; i++) {
        out->dims[i < split ? 0 : 1] *= in->dims[i];
    }
    return true;
}

static bool squeeze(nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out)
{
    const int64_t *axes = NULL;
    int64_t count = 0;
    bool gone[NNC_ONNX_RANK_MAX] = { false };
    if (!list_of(g, "axes", 1, &axes, &count)) {
        return false;
    }
    for (int32_t i = 0; i < in->rank; i++) {
        gone[i] = count < 0 && in->dims[i] == 1;
    }
    for (int64_t i = 0; i < count; i++) {
        const int32_t axis = nnc_onnx_axis(g, in, axes[i]);
        if (axis < 0) {
            return false;
        }
        if (in->dims[axis] != 1) {
            return nnc_onnx_refuse(g, "axis %d has %lld places, expected 1", axis,
                                   (long long)in->dims[axis]);
        }
        gone[axis] = true;
    }
    out->rank = 0;
    for (int32_t i = 0; i < in->rank; i++) {
        if (!gone[i]) {
            out->dims[out->rank++] = in->dims[i];
        }
    }
    return true;
}

static bool unsqueeze(nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out)
{
    const int64_t *axes = NULL;
    int64_t count = 0;
    bool made[NNC_ONNX_RANK_MAX] = { false };
    if (!list_of(g, "axes", 1, &axes, &count)) {
        return false;
    }
    out->rank = in->rank + (int32_t)(count > 0 ? count : 0);
    if (count < 1 || count > NNC_ONNX_RANK_MAX || out->rank > NNC_ONNX_RANK_MAX) {
        return nnc_onnx_refuse(g, "axes: expected up to %d in all", NNC_ONNX_RANK_MAX);
    }
    for (int64_t i = 0; i < count; i++) {
        const int32_t axis = nnc_onnx_axis(g, out, axes[i]);
        if (axis < 0 || made[axis]) {
            return nnc_onnx_refuse(g, "axes: one is said twice");
        }
        made[axis] = true;
    }
    for (int32_t i = 0, from = 0; i < out->rank; i++) {
        out->dims[i] = made[i] ? 1 : in->dims[from++];
    }
    return true;
}

static bool expand(nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out)
{
    nnc_onnx_value to = { .rank = 0 };
    const int64_t *shape = NULL;
    int64_t count = 0;
    if (!list_of(g, "shape", 1, &shape, &count)) {
        return false;
    }
    if (count < 0 || count > NNC_ONNX_RANK_MAX) {
        return nnc_onnx_refuse(g, "expected a shape of up to %d axes", NNC_ONNX_RANK_MAX);
    }
    to.rank = (int32_t)count;
    for (int32_t i = 0; i < to.rank; i++) {
        to.dims[i] = shape[i];
    }
    return nnc_onnx_broadcast(g, in, &to, out);
}

/* One axis after the other; a part is as long as its steps. */
/* NOLINTNEXTLINE(readability-function-cognitive-complexity): one case after the other */
static bool slice(nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out)
{
    const int64_t *starts = NULL, *ends = NULL, *axes = NULL, *steps = NULL;
    int64_t count = 0, end_count = 0, axis_count = 0, step_count = 0;
    if (!list_of(g, "starts", 1, &starts, &count) || !list_of(g, "ends", 2, &ends, &end_count) ||
        !list_of(g, "axes", 3, &axes, &axis_count) ||
        !list_of(g, "steps", 4, &steps, &step_count)) {
        return false;
    }
    if (count < 0 || end_count != count || (axis_count >= 0 && axis_count != count) ||
        (step_count >= 0 && step_count != count)) {
        return nnc_onnx_refuse(g, "expected as many ends, axes and steps as starts");
    }
    out->rank = in->rank;
    memcpy(out->dims, in->dims, sizeof out->dims);
    for (int64_t i = 0; i < count; i++) {
        const int32_t axis = nnc_onnx_axis(g, in, axis_count >= 0 ? axes[i] : i);
        const int64_t step = step_count >= 0 ? steps[i] : 1;
        if (axis < 0 || step < 1) {
            return nnc_onnx_refuse(g, "steps: expected 1 or more");
        }
        const int64_t side = in->dims[axis];
        int64_t from = starts[i] < 0 ? starts[i] + side : starts[i];
        int64_t to = ends[i] < 0 ? ends[i] + side : ends[i];
        from = from < 0 ? 0 : from > side ? side : from;
        to = to < from ? from : to > side ? side : to;
        out->dims[axis] = nnc_ceil_div(to - from, step);
        if (in->kind == NNC_ONNX_WHOLE && in->rank == 1 && in->whole != NULL) {
            out->whole = nnc_onnx_room(g, out->dims[0]);
            for (int64_t k = 0; out->whole != NULL && k < out->dims[0]; k++) {
                out->whole[k] = in->whole[from + k * step];
            }
        }
    }
    return true;
}

/* The axis becomes those of the indices. */
static bool gather(nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out)
{
    const nnc_onnx_value *index = nnc_onnx_input(g, 1);
    const int32_t axis = nnc_onnx_axis(g, in, nnc_onnx_int(g, "axis", 0));
    int64_t count = 0;
    if (axis < 0 || in->rank - 1 + index->rank > NNC_ONNX_RANK_MAX ||
        index->kind == NNC_ONNX_UNKNOWN) {
        return nnc_onnx_refuse(g, "axis and indices do not suit the input");
    }
    out->rank = 0;
    for (int32_t i = 0; i < in->rank; i++) {
        if (i != axis) {
            out->dims[out->rank++] = in->dims[i];
            continue;
        }
        for (int32_t k = 0; k < index->rank; k++) {
            out->dims[out->rank++] = index->dims[k];
        }
    }
    if (in->kind == NNC_ONNX_WHOLE && in->rank == 1 && in->whole != NULL &&
        nnc_onnx_known(index, &count)) {
        out->whole = nnc_onnx_room(g, count);
        for (int64_t k = 0; out->whole != NULL && k < count; k++) {
            const int64_t at =
                index->whole[k] < 0 ? index->whole[k] + in->dims[0] : index->whole[k];
            if (at < 0 || at >= in->dims[0]) {
                return nnc_onnx_refuse(g, "index %lld of %lld", (long long)index->whole[k],
                                       (long long)in->dims[0]);
            }
            out->whole[k] = in->whole[at];
        }
    }
    return true;
}

bool nnc_onnx_same_shape(nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out)
{
    (void)g;
    out->rank = in->rank;
    memcpy(out->dims, in->dims, sizeof out->dims);
    return true;
}

static const struct {
    const char *type;
    bool (*shape)(nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out);
    bool keeps; /* numbers stay as they are, in their order */
} moves[] = {
    { "Reshape", reshape, true },
    { "Transpose", transpose, false },
    { "Flatten", flatten, true },
    { "Squeeze", squeeze, true },
    { "Unsqueeze", unsqueeze, true },
    { "Expand", expand, false },
    { "Slice", slice, false },
    { "Gather", gather, false },
    { "Identity", nnc_onnx_same_shape, true },
    { "Cast", nnc_onnx_same_shape, true },
    { "Dropout", nnc_onnx_same_shape, true },
};

bool nnc_onnx_moved_shape(nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out)
{
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        if (strcmp(moves[i].type, g->node->op_type) == 0) {
            if (!moves[i].shape(g, in, out)) {
                return false;
            }
            if (moves[i].keeps && in->kind == NNC_ONNX_WHOLE) {
                out->whole = in->whole;
            }
            return true;
        }
    }
    return nnc_onnx_refuse(g, "cannot be placed");
}
