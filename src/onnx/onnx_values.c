/* Values by name, and what the node at hand says. */
#include "onnx/onnx_values.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"

bool nnc_onnx_refuse(nnc_onnx_graph *g, const char *format, ...)
{
    char what[300];
    va_list args;
    if (g->status != NNC_OK) {
        return false;
    }
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    const Onnx__NodeProto *node = g->node;
    const char *type = node != NULL && node->op_type != NULL ? node->op_type : "";
    const char *name = node == NULL                                    ? ""
                       : node->name != NULL && node->name[0] != '\0'   ? node->name
                       : node->n_output > 0 && node->output[0] != NULL ? node->output[0]
                                                                       : "";
    g->status = nnc_fail(g->err, NNC_BAD_SPEC, g->path,
                         node != NULL ? "node %.100s (%.40s): %s" : "%s%s%s", name, type, what);
    return false;
}

static uint64_t hash_of(const char *name)
{
    uint64_t hash = 14695981039346656037u;
    for (; *name != '\0'; name++) {
        hash = (hash ^ (unsigned char)*name) * 1099511628211u;
    }
    return hash;
}

int32_t nnc_onnx_find(nnc_onnx_graph *g, const char *name)
{
    const uint64_t mask = (uint64_t)g->slot_count - 1;
    uint64_t at = hash_of(name) & mask;
    while (g->slots[at] != 0) {
        if (strcmp(g->values[g->slots[at] - 1].name, name) == 0) {
            return g->slots[at] - 1;
        }
        at = (at + 1) & mask;
    }
    if (g->count == g->capacity) { /* room was made for every name of the file */
        return -1;
    }
    g->values[g->count] = (nnc_onnx_value){ .name = name, .src = -1, .key = -1, .reg = -1 };
    g->slots[at] = ++g->count;
    return g->count - 1;
}

bool nnc_onnx_has_input(const nnc_onnx_graph *g, size_t index)
{
    return index < g->node->n_input && g->node->input[index] != NULL &&
           g->node->input[index][0] != '\0';
}

nnc_onnx_value *nnc_onnx_input(nnc_onnx_graph *g, size_t index)
{
    const int32_t found =
        nnc_onnx_find(g, nnc_onnx_has_input(g, index) ? g->node->input[index] : "");
    return &g->values[found < 0 ? 0 : found];
}

nnc_onnx_value *nnc_onnx_output(nnc_onnx_graph *g, size_t index)
{
    const bool said = index < g->node->n_output && g->node->output[index] != NULL;
    const int32_t found = nnc_onnx_find(g, said ? g->node->output[index] : "");
    return &g->values[found < 0 ? 0 : found];
}

bool nnc_onnx_elements(const nnc_onnx_value *v, int64_t *elements)
{
    *elements = 1;
    for (int32_t i = 0; i < v->rank; i++) {
        if (v->dims[i] < 0 || !nnc_mul_i64(*elements, v->dims[i], elements) ||
            *elements > 1000000000000000) {
            return false;
        }
    }
    return true;
}

const Onnx__AttributeProto *nnc_onnx_attribute(const nnc_onnx_graph *g, const char *name)
{
    for (size_t i = 0; i < g->node->n_attribute; i++) {
        const Onnx__AttributeProto *a = g->node->attribute[i];
        if (a->name != NULL && strcmp(a->name, name) == 0) {
            return a;
        }
    }
    return NULL;
}

int64_t nnc_onnx_int(const nnc_onnx_graph *g, const char *name, int64_t unsaid)
{
    const Onnx__AttributeProto *a = nnc_onnx_attribute(g, name);
    return a != NULL && a->has_i ? a->i : unsaid;
}

int64_t nnc_onnx_ints(const nnc_onnx_graph *g, const char *name, size_t index, int64_t unsaid)
{
    const Onnx__AttributeProto *a = nnc_onnx_attribute(g, name);
    return a != NULL && index < a->n_ints ? a->ints[index] : unsaid;
}

int32_t nnc_onnx_axis(nnc_onnx_graph *g, const nnc_onnx_value *v, int64_t axis)
{
    if (axis < -v->rank || axis >= v->rank) {
        nnc_onnx_refuse(g, "axis %lld of a tensor of %d axes", (long long)axis, v->rank);
        return -1;
    }
    return (int32_t)(axis < 0 ? axis + v->rank : axis);
}

bool nnc_onnx_broadcast(nnc_onnx_graph *g, const nnc_onnx_value *a, const nnc_onnx_value *b,
                        nnc_onnx_value *out)
{
    out->rank = a->rank > b->rank ? a->rank : b->rank;
    for (int32_t i = 0; i < out->rank; i++) {
        const int32_t ia = i - (out->rank - a->rank), ib = i - (out->rank - b->rank);
        const int64_t da = ia >= 0 ? a->dims[ia] : 1, db = ib >= 0 ? b->dims[ib] : 1;
        if (da != db && da != 1 && db != 1) {
            return nnc_onnx_refuse(g, "axis %d: %lld and %lld do not combine", i, (long long)da,
                                   (long long)db);
        }
        out->dims[i] = da == 1 ? db : da;
    }
    return true;
}

enum { AXES_MAX = 32 };

int64_t nnc_onnx_axis_said(nnc_onnx_graph *g, const char *input, int axis, const char *name)
{
    char place[96];
    int index = 0;
    snprintf(place, sizeof place, "%.80s.%d", input, axis);
    for (const char *at = g->axes; at != NULL && *at != '\0' && index < AXES_MAX; index++) {
        const size_t size = strcspn(at, ","), length = strcspn(at, "=,");
        const bool named = name != NULL && strlen(name) == length && memcmp(name, at, length) == 0;
        if (length < size &&
            (named || (strlen(place) == length && memcmp(place, at, length) == 0))) {
            g->axes_used |= 1U << index;
            return strtoll(at + length + 1, NULL, 10);
        }
        at += size + (at[size] == ',');
    }
    return -1;
}

const char *nnc_onnx_axis_left(const nnc_onnx_graph *g)
{
    int index = 0;
    for (const char *at = g->axes; at != NULL && *at != '\0'; index++) {
        const size_t size = strcspn(at, ",");
        if (index >= AXES_MAX || (g->axes_used >> index & 1U) == 0) {
            return at;
        }
        at += size + (at[size] == ',');
    }
    return NULL;
}

const Onnx__TypeProto__Tensor *nnc_onnx_type_of(const Onnx__ValueInfoProto *info)
{
    return info->type != NULL && info->type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE
               ? info->type->tensor_type
               : NULL;
}

bool nnc_onnx_read_shape(nnc_onnx_graph *g, const Onnx__ValueInfoProto *info, nnc_onnx_value *v,
                         bool batch)
{
    const Onnx__TypeProto__Tensor *type = nnc_onnx_type_of(info);
    if (type == NULL || type->shape == NULL || type->shape->n_dim > NNC_ONNX_RANK_MAX) {
        return nnc_onnx_refuse(g, "input %.60s has no shape", v->name);
    }
    v->rank = (int32_t)type->shape->n_dim;
    for (int32_t i = 0; i < v->rank; i++) {
        const Onnx__TensorShapeProto__Dimension *dim = type->shape->dim[i];
        const bool number = dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        const bool named = dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
        v->dims[i] = number && dim->dim_value > 0
                         ? dim->dim_value
                         : nnc_onnx_axis_said(g, v->name, i, named ? dim->dim_param : NULL);
        if (batch && i == 0) {
            if (v->dims[0] > 1) {
                return nnc_onnx_refuse(g,
                                       "input %.60s has a batch of %" PRId64
                                       ", expected 1 or a name: export it again",
                                       v->name, v->dims[0]);
            }
            v->dims[0] = 1;
        }
        if (v->dims[i] < 1 || v->dims[i] > 1000000000) {
            char place[96];
            snprintf(place, sizeof place, "%.60s.%d", v->name, i);
            return nnc_onnx_refuse(
                g,
                "input %.60s: axis %d has no size, expected nncost import FILE.onnx %.60s=NUMBER",
                v->name, i, named ? dim->dim_param : place);
        }
    }
    return true;
}
