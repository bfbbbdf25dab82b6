/* Constants of an ONNX graph: shape arithmetic is worked out, of parameters only the shape is known. */
#include "onnx/onnx_fold.h"

#include <string.h>

#include "base/number.h"

int64_t *nnc_onnx_room(nnc_onnx_graph *g, int64_t count)
{
    return count >= 0 && count <= NNC_ONNX_WHOLE_MAX
               ? nnc_arena_array(g->arena, (size_t)count + 1, sizeof(int64_t))
               : NULL;
}

/* Number `index` of a tensor of whole numbers; false: it has no such data. */
static bool whole_of(const Onnx__TensorProto *t, size_t index, int64_t *value)
{
    if (t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__INT64) {
        if (index < t->n_int64_data) {
            *value = t->int64_data[index];
            return true;
        }
        if (t->has_raw_data && (index + 1) * 8 <= t->raw_data.len) {
            memcpy(value, t->raw_data.data + index * 8, 8);
            return true;
        }
        return false;
    }
    if (index < t->n_int32_data) {
        *value = t->int32_data[index];
        return true;
    }
    int32_t narrow = 0;
    if (t->has_raw_data && t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__INT32 &&
        (index + 1) * 4 <= t->raw_data.len) {
        memcpy(&narrow, t->raw_data.data + index * 4, 4);
        *value = narrow;
        return true;
    }
    if (t->has_raw_data && t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__BOOL &&
        index < t->raw_data.len) {
        *value = t->raw_data.data[index];
        return true;
    }
    return false;
}

/* A few numbers that are whole though they are not kept so: scales of sides. */
static int64_t *whole_floats(nnc_onnx_graph *g, const Onnx__TensorProto *t, int64_t count)
{
    enum { SOME = 8 };
    int64_t *whole = t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT && count <= SOME
                         ? nnc_onnx_room(g, count)
                         : NULL;
    for (int64_t i = 0; whole != NULL && i < count; i++) {
        float value = 0.5F;
        if ((size_t)i < t->n_float_data) {
            value = t->float_data[i];
        } else if (t->has_raw_data && (size_t)(i + 1) * 4 <= t->raw_data.len) {
            memcpy(&value, t->raw_data.data + i * 4, 4);
        }
        if (!(value > -1e6F && value < 1e6F) || (float)(int64_t)value != value) {
            return NULL;
        }
        whole[i] = (int64_t)value;
    }
    return whole;
}

static bool is_whole(int32_t type)
{
    return type == ONNX__TENSOR_PROTO__DATA_TYPE__INT64 ||
           type == ONNX__TENSOR_PROTO__DATA_TYPE__INT32 ||
           type == ONNX__TENSOR_PROTO__DATA_TYPE__BOOL;
}

bool nnc_onnx_constant(nnc_onnx_graph *g, const Onnx__TensorProto *t, nnc_onnx_value *v)
{
    int64_t elements = 0;
    if (t->n_dims > NNC_ONNX_RANK_MAX) {
        return nnc_onnx_refuse(g, "a tensor has %zu axes, expected at most %d", t->n_dims,
                               NNC_ONNX_RANK_MAX);
    }
    v->rank = (int32_t)t->n_dims;
    for (int32_t i = 0; i < v->rank; i++) {
        v->dims[i] = t->dims[i];
    }
    if (!nnc_onnx_elements(v, &elements)) {
        return nnc_onnx_refuse(g, "a constant of an impossible size");
    }
    v->kind = is_whole(t->data_type) ? NNC_ONNX_WHOLE : NNC_ONNX_WEIGHT;
    v->origin = elements;
    if (v->kind == NNC_ONNX_WHOLE) {
        v->whole = nnc_onnx_room(g, elements);
        for (int64_t i = 0; v->whole != NULL && i < elements; i++) {
            if (!whole_of(t, (size_t)i, &v->whole[i])) {
                v->whole = NULL; /* kept elsewhere */
            }
        }
    } else {
        v->whole = whole_floats(g, t, elements);
    }
    return true;
}

bool nnc_onnx_known(const nnc_onnx_value *v, int64_t *count)
{
    return v->kind == NNC_ONNX_WHOLE && v->whole != NULL && nnc_onnx_elements(v, count);
}

static bool calculate(const char *type, int64_t a, int64_t b, int64_t *out)
{
    *out = 0;
    if (strcmp(type, "Add") == 0) {
        return nnc_add_i64(a, b, out);
    }
    if (strcmp(type, "Sub") == 0) {
        return b != INT64_MIN && nnc_add_i64(a, -b, out);
    }
    if (strcmp(type, "Mul") == 0) {
        return nnc_mul_i64(a, b, out);
    }
    if (strcmp(type, "Div") == 0 || strcmp(type, "Mod") == 0) {
        if (b == 0 || b == -1) {
            *out = type[0] == 'D' && a != INT64_MIN ? -a : 0;
            return b != 0;
        }
        *out = type[0] == 'D' ? a / b : a % b;
        return true;
    }
    *out = strcmp(type, "Equal") == 0 ? a == b : strcmp(type, "Less") == 0 ? a < b : a > b;
    return strcmp(type, "Equal") == 0 || strcmp(type, "Less") == 0 || strcmp(type, "Greater") == 0;
}

/* Of two constants: numbers where both are known, else a shape. */
static bool combine(nnc_onnx_graph *g, nnc_onnx_value *out)
{
    const nnc_onnx_value *a = nnc_onnx_input(g, 0), *b = nnc_onnx_input(g, 1);
    int64_t na = 0, nb = 0, count = 0;
    if (!nnc_onnx_broadcast(g, a, b, out) || !nnc_onnx_elements(out, &count)) {
        return nnc_onnx_refuse(g, "inputs do not combine");
    }
    const bool numbers = nnc_onnx_known(a, &na) && nnc_onnx_known(b, &nb) &&
                         (na == count || na == 1) && (nb == count || nb == 1);
    out->kind =
        a->kind == NNC_ONNX_WHOLE && b->kind == NNC_ONNX_WHOLE ? NNC_ONNX_WHOLE : NNC_ONNX_WEIGHT;
    out->computed = true;
    out->whole = numbers ? nnc_onnx_room(g, count) : NULL;
    for (int64_t i = 0; out->whole != NULL && i < count; i++) {
        if (!calculate(g->node->op_type, a->whole[na == 1 ? 0 : i], b->whole[nb == 1 ? 0 : i],
                       &out->whole[i])) {
            out->whole = NULL;
        }
    }
    return true;
}

static bool concatenate(nnc_onnx_graph *g, nnc_onnx_value *out)
{
    const nnc_onnx_value *first = nnc_onnx_input(g, 0);
    const int32_t axis = nnc_onnx_axis(g, first, nnc_onnx_int(g, "axis", 0));
    int64_t total = 0, count = 0;
    bool numbers = first->rank == 1;
    if (axis < 0) {
        return false;
    }
    nnc_onnx_same_shape(g, first, out);
    out->kind = first->kind;
    out->computed = true;
    for (size_t i = 0; i < g->node->n_input; i++) {
        const nnc_onnx_value *v = nnc_onnx_input(g, i);
        if (v->rank != first->rank || !nnc_add_i64(total, v->dims[axis], &total)) {
            return nnc_onnx_refuse(g, "inputs of different shapes");
        }
        numbers = numbers && nnc_onnx_known(v, &count);
    }
    out->dims[axis] = total;
    out->whole = numbers ? nnc_onnx_room(g, total) : NULL;
    int64_t at = 0;
    for (size_t i = 0; out->whole != NULL && i < g->node->n_input; i++) {
        const nnc_onnx_value *v = nnc_onnx_input(g, i);
        for (int64_t k = 0; k < v->dims[0]; k++) {
            out->whole[at++] = v->whole[k];
        }
    }
    return true;
}

/* A tensor of one value everywhere: whole numbers, or a parameter that was not written out. */
static bool fill(nnc_onnx_graph *g, nnc_onnx_value *out)
{
    const Onnx__AttributeProto *value = nnc_onnx_attribute(g, "value");
    const nnc_onnx_value *shape = nnc_onnx_input(g, 0);
    int64_t count = 0, elements = 0, number = 0;
    if (!nnc_onnx_known(shape, &count) || count > NNC_ONNX_RANK_MAX) {
        return nnc_onnx_refuse(g, "its shape cannot be worked out");
    }
    out->rank = (int32_t)count;
    memcpy(out->dims, shape->whole, (size_t)count * sizeof(int64_t));
    if (!nnc_onnx_elements(out, &elements)) {
        return nnc_onnx_refuse(g, "its shape is impossible");
    }
    out->origin = elements;
    const bool whole = value != NULL && value->t != NULL && is_whole(value->t->data_type);
    out->kind = whole ? NNC_ONNX_WHOLE : NNC_ONNX_WEIGHT;
    out->whole = whole ? nnc_onnx_room(g, elements) : NULL;
    if (out->whole != NULL && !whole_of(value->t, 0, &number)) {
        out->whole = NULL;
    }
    for (int64_t i = 0; out->whole != NULL && i < elements; i++) {
        out->whole[i] = number;
    }
    return true;
}

static bool choose(nnc_onnx_graph *g, nnc_onnx_value *out)
{
    const nnc_onnx_value *which = nnc_onnx_input(g, 0), *a = nnc_onnx_input(g, 1),
                         *b = nnc_onnx_input(g, 2);
    int64_t n = 0, na = 0, nb = 0;
    if (!nnc_onnx_broadcast(g, a, b, out)) {
        return false;
    }
    out->kind =
        a->kind == NNC_ONNX_WHOLE && b->kind == NNC_ONNX_WHOLE ? NNC_ONNX_WHOLE : NNC_ONNX_WEIGHT;
    out->computed = true;
    if (nnc_onnx_known(which, &n) && nnc_onnx_known(a, &na) && nnc_onnx_known(b, &nb) && n == na &&
        n == nb) {
        out->whole = nnc_onnx_room(g, n);
        for (int64_t i = 0; out->whole != NULL && i < n; i++) {
            out->whole[i] = which->whole[i] != 0 ? a->whole[i] : b->whole[i];
        }
    }
    return true;
}

static bool is(const nnc_onnx_graph *g, const char *const *types)
{
    for (; *types != NULL; types++) {
        if (strcmp(*types, g->node->op_type) == 0) {
            return true;
        }
    }
    return false;
}

bool nnc_onnx_shape_of(nnc_onnx_graph *g)
{
    const nnc_onnx_value *in = nnc_onnx_input(g, 0);
    nnc_onnx_value *out = nnc_onnx_output(g, 0);
    out->kind = NNC_ONNX_WHOLE;
    out->rank = 1;
    out->dims[0] = in->rank;
    out->whole = nnc_arena_array(g->arena, (size_t)in->rank + 1, sizeof(int64_t));
    if (out->whole != NULL) {
        memcpy(out->whole, in->dims, (size_t)in->rank * sizeof(int64_t));
    }
    return true;
}

bool nnc_onnx_fold(nnc_onnx_graph *g)
{
    static const char *const pairs[] = { "Add",   "Sub",  "Mul",     "Div", "Mod",
                                         "Equal", "Less", "Greater", "Pow", NULL };
    static const char *const plain[] = { "Sqrt", "Floor",   "Ceil",       "Neg", "Abs",
                                         "Not",  "Exp",     "Reciprocal", "Cos", "Sin",
                                         "Erf",  "Sigmoid", NULL };
    const Onnx__AttributeProto *value = nnc_onnx_attribute(g, "value");
    nnc_onnx_value *out = nnc_onnx_output(g, 0);
    const nnc_onnx_value *in = nnc_onnx_input(g, 0);
    if (strcmp(g->node->op_type, "Constant") == 0) {
        const Onnx__AttributeProto *a = value;
        if (a != NULL && a->t != NULL) {
            return nnc_onnx_constant(g, a->t, out);
        }
        out->kind = NNC_ONNX_WEIGHT; /* a number, or a text */
        out->origin = 1;
        return nnc_onnx_attribute(g, "value_float") != NULL ||
               nnc_onnx_attribute(g, "value_int") != NULL ||
               nnc_onnx_refuse(g, "a constant of an unknown form");
    }
    if (strcmp(g->node->op_type, "ConstantOfShape") == 0) {
        return fill(g, out);
    }
    if (strcmp(g->node->op_type, "Shape") == 0) {
        return nnc_onnx_shape_of(g);
    }
    if (is(g, pairs)) {
        return combine(g, out);
    }
    if (strcmp(g->node->op_type, "Concat") == 0) {
        return concatenate(g, out);
    }
    if (strcmp(g->node->op_type, "Where") == 0) {
        return choose(g, out);
    }
    out->kind = in->kind;
    out->origin = in->origin;
    out->computed = in->computed;
    if (is(g, plain)) {
        out->computed = true;
        return nnc_onnx_same_shape(g, in, out);
    }
    return nnc_onnx_moved_shape(g, in, out);
}
