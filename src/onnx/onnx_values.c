/* Values of an ONNX graph: the functions find values by name, fold constants, and compute the shapes of values that
 * nodes move without arithmetic. Programs that export ONNX files write the arithmetic on shapes as nodes (Shape,
 * Gather, Concat, Reshape), so nncost computes these nodes during the import. nncost reads only the shapes of
 * parameters, not their numbers. */
#include "base/base_internal.h"
#include "onnx/onnx_internal.h"

/* ---- finds values by name, and reads attributes of the current node ---- */

bool nnc_onnx_refuse(nnc_onnx_graph *g, const char *format, ...) {
    char what[300];
    va_list args;
    if (g->status != NNC_OK) { return false; }
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    const Onnx__NodeProto *node = g->node;
    const char *type = node != NULL && node->op_type != NULL ? node->op_type : "";
    const char *name = node == NULL                                    ? ""
                       : node->name != NULL && node->name[0] != '\0'   ? node->name
                       : node->n_output > 0 && node->output[0] != NULL ? node->output[0]
                                                                       : "";
    g->status =
        nnc_fail(g->err, NNC_BAD_SPEC, g->path, node != NULL ? "node %.100s (%.40s): %s" : "%s%s%s", name, type, what);
    return false;
}

static uint64_t hash_of(const char *name) {
    uint64_t hash = 14695981039346656037u;
    for (; *name != '\0'; name++) { hash = (hash ^ (unsigned char)*name) * 1099511628211u; }
    return hash;
}

int32_t nnc_onnx_find(nnc_onnx_graph *g, const char *name) {
    const uint64_t mask = (uint64_t)g->slot_count - 1;
    uint64_t at = hash_of(name) & mask;
    while (g->slots[at] != 0) {
        if (strcmp(g->values[g->slots[at] - 1].name, name) == 0) { return g->slots[at] - 1; }
        at = (at + 1) & mask;
    }
    /* a full table does not occur, because the table has space for all names of the ONNX file */
    if (g->count == g->capacity) { return -1; }
    g->values[g->count] = (nnc_onnx_value){ .name = name, .src = -1, .key = -1, .reg = -1 };
    g->slots[at] = ++g->count;
    return g->count - 1;
}

bool nnc_onnx_has_input(const nnc_onnx_graph *g, size_t index) {
    return index < g->node->n_input && g->node->input[index] != NULL && g->node->input[index][0] != '\0';
}

nnc_onnx_value *nnc_onnx_input(nnc_onnx_graph *g, size_t index) {
    const int32_t found = nnc_onnx_find(g, nnc_onnx_has_input(g, index) ? g->node->input[index] : "");
    return &g->values[found < 0 ? 0 : found];
}

void nnc_onnx_same_dims(const nnc_onnx_value *in, nnc_onnx_value *out) {
    out->rank = in->rank;
    memcpy(out->dims, in->dims, sizeof out->dims);
}

nnc_onnx_value *nnc_onnx_output(nnc_onnx_graph *g, size_t index) {
    const bool said = index < g->node->n_output && g->node->output[index] != NULL;
    const int32_t found = nnc_onnx_find(g, said ? g->node->output[index] : "");
    return &g->values[found < 0 ? 0 : found];
}

bool nnc_onnx_elements(const nnc_onnx_value *v, int64_t *elements) {
    *elements = 1;
    for (int32_t i = 0; i < v->rank; i++) {
        if (v->dims[i] < 0 || !nnc_mul_i64(*elements, v->dims[i], elements) || *elements > 1000000000000000) {
            return false;
        }
    }
    return true;
}

const Onnx__AttributeProto *nnc_onnx_attribute(const nnc_onnx_graph *g, const char *name) {
    for (size_t i = 0; i < g->node->n_attribute; i++) {
        const Onnx__AttributeProto *a = g->node->attribute[i];
        if (a->name != NULL && strcmp(a->name, name) == 0) { return a; }
    }
    return NULL;
}

int64_t nnc_onnx_int(const nnc_onnx_graph *g, const char *name, int64_t unsaid) {
    const Onnx__AttributeProto *a = nnc_onnx_attribute(g, name);
    return a != NULL && a->has_i ? a->i : unsaid;
}

int64_t nnc_onnx_ints(const nnc_onnx_graph *g, const char *name, size_t index, int64_t unsaid) {
    const Onnx__AttributeProto *a = nnc_onnx_attribute(g, name);
    return a != NULL && index < a->n_ints ? a->ints[index] : unsaid;
}

int32_t nnc_onnx_axis(nnc_onnx_graph *g, const nnc_onnx_value *v, int64_t axis) {
    if (axis < -v->rank || axis >= v->rank) {
        nnc_onnx_refuse(g, "axis %lld does not exist in a tensor with %d axes", (long long)axis, v->rank);
        return -1;
    }
    return (int32_t)(axis < 0 ? axis + v->rank : axis);
}

bool nnc_onnx_broadcast(nnc_onnx_graph *g, const nnc_onnx_value *a, const nnc_onnx_value *b, nnc_onnx_value *out) {
    out->rank = a->rank > b->rank ? a->rank : b->rank;
    for (int32_t i = 0; i < out->rank; i++) {
        const int32_t ia = i - (out->rank - a->rank), ib = i - (out->rank - b->rank);
        const int64_t da = ia >= 0 ? a->dims[ia] : 1, db = ib >= 0 ? b->dims[ib] : 1;
        if (da != db && da != 1 && db != 1) {
            return nnc_onnx_refuse(g, "axis %d: lengths of %lld and %lld cannot be combined", i, (long long)da,
                                   (long long)db);
        }
        out->dims[i] = da == 1 ? db : da;
    }
    return true;
}

enum { AXES_MAX = 32 };

/* Returns the size that g->axes gives for an axis of an input of the network. The entry of g->axes has the name of the
 * axis, or the input and the number of the axis ("x.2"). -1 = g->axes has no such entry. */
static int64_t axis_said(nnc_onnx_graph *g, const char *input, int axis, const char *name) {
    char place[96];
    int index = 0;
    snprintf(place, sizeof place, "%.80s.%d", input, axis);
    for (const char *at = g->axes; at != NULL && *at != '\0' && index < AXES_MAX; index++) {
        const size_t size = strcspn(at, ","), length = strcspn(at, "=,");
        const bool named = name != NULL && strlen(name) == length && memcmp(name, at, length) == 0;
        if (length < size && (named || (strlen(place) == length && memcmp(place, at, length) == 0))) {
            g->axes_used |= 1U << index;
            return strtoll(at + length + 1, NULL, 10);
        }
        at += size + (at[size] == ',');
    }
    return -1;
}

const char *nnc_onnx_axis_left(const nnc_onnx_graph *g) {
    int index = 0;
    for (const char *at = g->axes; at != NULL && *at != '\0'; index++) {
        const size_t size = strcspn(at, ",");
        if (index >= AXES_MAX || (g->axes_used >> index & 1U) == 0) { return at; }
        at += size + (at[size] == ',');
    }
    return NULL;
}

const Onnx__TypeProto__Tensor *nnc_onnx_type_of(const Onnx__ValueInfoProto *info) {
    return info->type != NULL && info->type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE ? info->type->tensor_type
                                                                                               : NULL;
}

bool nnc_onnx_read_shape(nnc_onnx_graph *g, const Onnx__ValueInfoProto *info, nnc_onnx_value *v, bool batch) {
    const Onnx__TypeProto__Tensor *type = nnc_onnx_type_of(info);
    if (type == NULL || type->shape == NULL || type->shape->n_dim > NNC_ONNX_RANK_MAX) {
        return nnc_onnx_refuse(g, "input %.60s has no shape", v->name);
    }
    v->rank = (int32_t)type->shape->n_dim;
    for (int32_t i = 0; i < v->rank; i++) {
        const Onnx__TensorShapeProto__Dimension *dim = type->shape->dim[i];
        const bool number = dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        const bool named = dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
        v->dims[i] =
            number && dim->dim_value > 0 ? dim->dim_value : axis_said(g, v->name, i, named ? dim->dim_param : NULL);
        if (batch && i == 0) {
            if (v->dims[0] > 1) {
                return nnc_onnx_refuse(g,
                                       "input %.60s has a batch of %" PRId64 ", expected 1 or a name: export it again",
                                       v->name, v->dims[0]);
            }
            v->dims[0] = 1;
        }
        if (v->dims[i] < 1 || v->dims[i] > 1000000000) {
            char place[96];
            snprintf(place, sizeof place, "%.60s.%d", v->name, i);
            return nnc_onnx_refuse(g, "input %.60s: axis %d has no size, expected nncost import FILE.onnx %.60s=NUMBER",
                                   v->name, i, named ? dim->dim_param : place);
        }
    }
    return true;
}

static int64_t *new_numbers(nnc_onnx_graph *g, int64_t count) {
    return count >= 0 && count <= NNC_ONNX_WHOLE_MAX ? nnc_arena_array(g->arena, (size_t)count + 1, sizeof(int64_t))
                                                     : NULL;
}

/* Reads element number `index` of a tensor of whole numbers into *value. Returns false if the ONNX file does not
 * contain this element. */
static bool whole_of(const Onnx__TensorProto *t, size_t index, int64_t *value) {
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
    if (t->has_raw_data && t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__INT32 && (index + 1) * 4 <= t->raw_data.len) {
        memcpy(&narrow, t->raw_data.data + index * 4, 4);
        *value = narrow;
        return true;
    }
    if (t->has_raw_data && t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__BOOL && index < t->raw_data.len) {
        *value = t->raw_data.data[index];
        return true;
    }
    return false;
}

/* Converts the elements of a tensor of floats, such as the factors of a Resize node, to whole numbers. NULL = an
 * element is no whole number or is not in the ONNX file, or the tensor has more than 8 elements. */
static int64_t *whole_floats(nnc_onnx_graph *g, const Onnx__TensorProto *t, int64_t count) {
    enum { SOME = 8 };
    int64_t *whole =
        t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT && count <= SOME ? new_numbers(g, count) : NULL;
    for (int64_t i = 0; whole != NULL && i < count; i++) {
        float value = 0.5F;
        if ((size_t)i < t->n_float_data) {
            value = t->float_data[i];
        } else if (t->has_raw_data && (size_t)(i + 1) * 4 <= t->raw_data.len) {
            memcpy(&value, t->raw_data.data + i * 4, 4);
        }
        if (!(value > -1e6F && value < 1e6F) || (float)(int64_t)value != value) { return NULL; }
        whole[i] = (int64_t)value;
    }
    return whole;
}

static bool is_whole(int32_t type) {
    return type == ONNX__TENSOR_PROTO__DATA_TYPE__INT64 || type == ONNX__TENSOR_PROTO__DATA_TYPE__INT32 ||
           type == ONNX__TENSOR_PROTO__DATA_TYPE__BOOL;
}

bool nnc_onnx_constant(nnc_onnx_graph *g, const Onnx__TensorProto *t, nnc_onnx_value *v) {
    int64_t elements = 0;
    if (t->n_dims > NNC_ONNX_RANK_MAX) {
        return nnc_onnx_refuse(g, "a tensor has %zu axes, expected at most %d", t->n_dims, NNC_ONNX_RANK_MAX);
    }
    v->rank = (int32_t)t->n_dims;
    for (int32_t i = 0; i < v->rank; i++) { v->dims[i] = t->dims[i]; }
    if (!nnc_onnx_elements(v, &elements)) { return nnc_onnx_refuse(g, "a constant of an impossible size"); }
    v->kind = is_whole(t->data_type) ? NNC_ONNX_WHOLE : NNC_ONNX_WEIGHT;
    v->origin = elements;
    if (v->kind == NNC_ONNX_WHOLE) {
        v->whole = new_numbers(g, elements);
        for (int64_t i = 0; v->whole != NULL && i < elements; i++) {
            if (!whole_of(t, (size_t)i, &v->whole[i])) {
                /* NULL = the elements are not in this ONNX file (ONNX can store them in another file) */
                v->whole = NULL;
            }
        }
    } else {
        v->whole = whole_floats(g, t, elements);
    }
    return true;
}

bool nnc_onnx_known(const nnc_onnx_value *v, int64_t *count) {
    return v->kind == NNC_ONNX_WHOLE && v->whole != NULL && nnc_onnx_elements(v, count);
}

static bool calculate(const char *type, int64_t a, int64_t b, int64_t *out) {
    *out = 0;
    if (strcmp(type, "Add") == 0) { return nnc_add_i64(a, b, out); }
    if (strcmp(type, "Sub") == 0) { return b != INT64_MIN && nnc_add_i64(a, -b, out); }
    if (strcmp(type, "Mul") == 0) { return nnc_mul_i64(a, b, out); }
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

/* Folds an elementwise node with two constants. If both inputs are known, computes the elements; if not, computes only
 * the shape. Returns false if the node was refused. */
static bool combine(nnc_onnx_graph *g, nnc_onnx_value *out) {
    const nnc_onnx_value *a = nnc_onnx_input(g, 0), *b = nnc_onnx_input(g, 1);
    int64_t na = 0, nb = 0, count = 0;
    if (!nnc_onnx_broadcast(g, a, b, out) || !nnc_onnx_elements(out, &count)) {
        return nnc_onnx_refuse(g, "inputs with these shapes cannot be combined");
    }
    const bool numbers =
        nnc_onnx_known(a, &na) && nnc_onnx_known(b, &nb) && (na == count || na == 1) && (nb == count || nb == 1);
    out->kind = a->kind == NNC_ONNX_WHOLE && b->kind == NNC_ONNX_WHOLE ? NNC_ONNX_WHOLE : NNC_ONNX_WEIGHT;
    out->computed = true;
    out->whole = numbers ? new_numbers(g, count) : NULL;
    for (int64_t i = 0; out->whole != NULL && i < count; i++) {
        if (!calculate(g->node->op_type, a->whole[na == 1 ? 0 : i], b->whole[nb == 1 ? 0 : i], &out->whole[i])) {
            out->whole = NULL;
        }
    }
    return true;
}

static bool concatenate(nnc_onnx_graph *g, nnc_onnx_value *out) {
    const nnc_onnx_value *first = nnc_onnx_input(g, 0);
    const int32_t axis = nnc_onnx_axis(g, first, nnc_onnx_int(g, "axis", 0));
    int64_t total = 0, count = 0;
    bool numbers = first->rank == 1;
    if (axis < 0) { return false; }
    nnc_onnx_same_dims(first, out);
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
    out->whole = numbers ? new_numbers(g, total) : NULL;
    int64_t at = 0;
    for (size_t i = 0; out->whole != NULL && i < g->node->n_input; i++) {
        const nnc_onnx_value *v = nnc_onnx_input(g, i);
        for (int64_t k = 0; k < v->dims[0]; k++) { out->whole[at++] = v->whole[k]; }
    }
    return true;
}

/* Folds a node of type ConstantOfShape, whose output repeats one value. The output is a list of whole numbers, or a
 * parameter without data. Returns false if the node was refused. */
static bool fill(nnc_onnx_graph *g, nnc_onnx_value *out) {
    const Onnx__AttributeProto *value = nnc_onnx_attribute(g, "value");
    const nnc_onnx_value *shape = nnc_onnx_input(g, 0);
    int64_t count = 0, elements = 0, number = 0;
    if (!nnc_onnx_known(shape, &count) || count > NNC_ONNX_RANK_MAX) {
        return nnc_onnx_refuse(g, "the shape of its output cannot be computed");
    }
    out->rank = (int32_t)count;
    memcpy(out->dims, shape->whole, (size_t)count * sizeof(int64_t));
    if (!nnc_onnx_elements(out, &elements)) { return nnc_onnx_refuse(g, "the shape of its output is impossible"); }
    out->origin = elements;
    const bool whole = value != NULL && value->t != NULL && is_whole(value->t->data_type);
    out->kind = whole ? NNC_ONNX_WHOLE : NNC_ONNX_WEIGHT;
    out->whole = whole ? new_numbers(g, elements) : NULL;
    if (out->whole != NULL && !whole_of(value->t, 0, &number)) { out->whole = NULL; }
    for (int64_t i = 0; out->whole != NULL && i < elements; i++) { out->whole[i] = number; }
    return true;
}

static bool choose(nnc_onnx_graph *g, nnc_onnx_value *out) {
    const nnc_onnx_value *which = nnc_onnx_input(g, 0), *a = nnc_onnx_input(g, 1), *b = nnc_onnx_input(g, 2);
    int64_t n = 0, na = 0, nb = 0;
    if (!nnc_onnx_broadcast(g, a, b, out)) { return false; }
    out->kind = a->kind == NNC_ONNX_WHOLE && b->kind == NNC_ONNX_WHOLE ? NNC_ONNX_WHOLE : NNC_ONNX_WEIGHT;
    out->computed = true;
    if (nnc_onnx_known(which, &n) && nnc_onnx_known(a, &na) && nnc_onnx_known(b, &nb) && n == na && n == nb) {
        out->whole = new_numbers(g, n);
        for (int64_t i = 0; out->whole != NULL && i < n; i++) {
            out->whole[i] = which->whole[i] != 0 ? a->whole[i] : b->whole[i];
        }
    }
    return true;
}

static bool is(const nnc_onnx_graph *g, const char *const *types) {
    for (; *types != NULL; types++) {
        if (strcmp(*types, g->node->op_type) == 0) { return true; }
    }
    return false;
}

bool nnc_onnx_shape_of(nnc_onnx_graph *g) {
    const nnc_onnx_value *in = nnc_onnx_input(g, 0);
    nnc_onnx_value *out = nnc_onnx_output(g, 0);
    out->kind = NNC_ONNX_WHOLE;
    out->rank = 1;
    out->dims[0] = in->rank;
    out->whole = nnc_arena_array(g->arena, (size_t)in->rank + 1, sizeof(int64_t));
    if (out->whole != NULL) { memcpy(out->whole, in->dims, (size_t)in->rank * sizeof(int64_t)); }
    return true;
}

bool nnc_onnx_fold(nnc_onnx_graph *g) {
    static const char *const pairs[] = { "Add", "Sub", "Mul", "Div", "Mod", "Equal", "Less", "Greater", "Pow", NULL };
    static const char *const plain[] = { "Sqrt",       "Floor", "Ceil", "Neg", "Abs",     "Not", "Exp",
                                         "Reciprocal", "Cos",   "Sin",  "Erf", "Sigmoid", NULL };
    const Onnx__AttributeProto *value = nnc_onnx_attribute(g, "value");
    nnc_onnx_value *out = nnc_onnx_output(g, 0);
    const nnc_onnx_value *in = nnc_onnx_input(g, 0);
    if (strcmp(g->node->op_type, "Constant") == 0) {
        const Onnx__AttributeProto *a = value;
        if (a != NULL && a->t != NULL) { return nnc_onnx_constant(g, a->t, out); }
        out->kind = NNC_ONNX_WEIGHT; /* the constant is a single number, not a tensor */
        out->origin = 1;
        return nnc_onnx_attribute(g, "value_float") != NULL || nnc_onnx_attribute(g, "value_int") != NULL ||
               nnc_onnx_refuse(g, "a constant of this form is not known");
    }
    if (strcmp(g->node->op_type, "ConstantOfShape") == 0) { return fill(g, out); }
    if (strcmp(g->node->op_type, "Shape") == 0) { return nnc_onnx_shape_of(g); }
    if (is(g, pairs)) { return combine(g, out); }
    if (strcmp(g->node->op_type, "Concat") == 0) { return concatenate(g, out); }
    if (strcmp(g->node->op_type, "Where") == 0) { return choose(g, out); }
    out->kind = in->kind;
    out->origin = in->origin;
    out->computed = in->computed;
    if (is(g, plain)) {
        out->computed = true;
        nnc_onnx_same_dims(in, out);
        return true;
    }
    return nnc_onnx_moved_shape(g, in, out);
}

/* Reads a list of numbers of the current node. Older ONNX files have the list in the attribute `name`, newer files in
 * an input. *count receives the length; -1 = the node has neither the attribute nor the input. Returns false if the
 * node was refused. */
static bool list_of(nnc_onnx_graph *g, const char *name, size_t input, const int64_t **list, int64_t *count) {
    static const int64_t none[1] = { 0 };
    const Onnx__AttributeProto *a = nnc_onnx_attribute(g, name);
    *list = none;
    *count = -1;
    if (a != NULL) {
        *list = a->n_ints > 0 ? a->ints : none;
        *count = (int64_t)a->n_ints;
        return true;
    }
    if (!nnc_onnx_has_input(g, input)) { return true; }
    const nnc_onnx_value *v = nnc_onnx_input(g, input);
    if (!nnc_onnx_known(v, count)) {
        return nnc_onnx_refuse(g, "%s: expected numbers that are known without running the network", name);
    }
    *list = v->whole;
    return true;
}

static bool reshape(nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out) {
    const int64_t *shape = NULL;
    int64_t count = 0, elements = 0, product = 1;
    int32_t open = -1;
    if (!list_of(g, "shape", 1, &shape, &count)) { return false; }
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
            return nnc_onnx_refuse(g, "axis %d of the new shape: %lld elements cannot be divided by %lld", open,
                                   (long long)elements, (long long)product);
        }
        out->dims[open] = elements / product;
        product *= out->dims[open];
    }
    return product == elements || nnc_onnx_refuse(g, "%lld elements become %lld: export the network with a batch of 1",
                                                  (long long)elements, (long long)product);
}

static bool transpose(nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out) {
    out->rank = in->rank;
    for (int32_t i = 0; i < in->rank; i++) {
        const int64_t from = nnc_onnx_ints(g, "perm", (size_t)i, in->rank - 1 - i);
        if (from < 0 || from >= in->rank) {
            return nnc_onnx_refuse(g, "perm: axis %lld does not exist in a tensor with %d axes", (long long)from,
                                   in->rank);
        }
        out->dims[i] = in->dims[from];
    }
    return true;
}

static bool flatten(nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out) {
    const int64_t axis = nnc_onnx_int(g, "axis", 1);
    const int64_t split = axis < 0 ? axis + in->rank : axis;
    out->rank = 2;
    out->dims[0] = out->dims[1] = 1;
    for (int32_t i = 0; i < in->rank; i++) { out->dims[i < split ? 0 : 1] *= in->dims[i]; }
    return true;
}

static bool squeeze(nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out) {
    const int64_t *axes = NULL;
    int64_t count = 0;
    bool gone[NNC_ONNX_RANK_MAX] = { false };
    if (!list_of(g, "axes", 1, &axes, &count)) { return false; }
    for (int32_t i = 0; i < in->rank; i++) { gone[i] = count < 0 && in->dims[i] == 1; }
    for (int64_t i = 0; i < count; i++) {
        const int32_t axis = nnc_onnx_axis(g, in, axes[i]);
        if (axis < 0) { return false; }
        if (in->dims[axis] != 1) {
            return nnc_onnx_refuse(g, "axis %d has the length %lld, expected 1", axis, (long long)in->dims[axis]);
        }
        gone[axis] = true;
    }
    out->rank = 0;
    for (int32_t i = 0; i < in->rank; i++) {
        if (!gone[i]) { out->dims[out->rank++] = in->dims[i]; }
    }
    return true;
}

static bool unsqueeze(nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out) {
    const int64_t *axes = NULL;
    int64_t count = 0;
    bool made[NNC_ONNX_RANK_MAX] = { false };
    if (!list_of(g, "axes", 1, &axes, &count)) { return false; }
    out->rank = in->rank + (int32_t)(count > 0 ? count : 0);
    if (count < 1 || count > NNC_ONNX_RANK_MAX || out->rank > NNC_ONNX_RANK_MAX) {
        return nnc_onnx_refuse(g, "axes: expected at most %d axes in total", NNC_ONNX_RANK_MAX);
    }
    for (int64_t i = 0; i < count; i++) {
        const int32_t axis = nnc_onnx_axis(g, out, axes[i]);
        if (axis < 0 || made[axis]) { return nnc_onnx_refuse(g, "axes: an axis occurs twice"); }
        made[axis] = true;
    }
    for (int32_t i = 0, from = 0; i < out->rank; i++) { out->dims[i] = made[i] ? 1 : in->dims[from++]; }
    return true;
}

static bool expand(nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out) {
    nnc_onnx_value to = { .rank = 0 };
    const int64_t *shape = NULL;
    int64_t count = 0;
    if (!list_of(g, "shape", 1, &shape, &count)) { return false; }
    if (count < 0 || count > NNC_ONNX_RANK_MAX) {
        return nnc_onnx_refuse(g, "expected a shape of up to %d axes", NNC_ONNX_RANK_MAX);
    }
    to.rank = (int32_t)count;
    for (int32_t i = 0; i < to.rank; i++) { to.dims[i] = shape[i]; }
    return nnc_onnx_broadcast(g, in, &to, out);
}

/* Computes the shape of the output of a Slice node, one axis at a time, and its elements if they are known. The length
 * of an axis is (end - start) / step, rounded up. */
/* NOLINTNEXTLINE(readability-function-cognitive-complexity): a list of cases */
static bool slice(nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out) {
    const int64_t *starts = NULL, *ends = NULL, *axes = NULL, *steps = NULL;
    int64_t count = 0, end_count = 0, axis_count = 0, step_count = 0;
    if (!list_of(g, "starts", 1, &starts, &count) || !list_of(g, "ends", 2, &ends, &end_count) ||
        !list_of(g, "axes", 3, &axes, &axis_count) || !list_of(g, "steps", 4, &steps, &step_count)) {
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
        if (axis < 0 || step < 1) { return nnc_onnx_refuse(g, "steps: expected 1 or more"); }
        const int64_t side = in->dims[axis];
        int64_t from = starts[i] < 0 ? starts[i] + side : starts[i];
        int64_t to = ends[i] < 0 ? ends[i] + side : ends[i];
        from = from < 0 ? 0 : from > side ? side : from;
        to = to < from ? from : to > side ? side : to;
        out->dims[axis] = nnc_ceil_div(to - from, step);
        if (in->kind == NNC_ONNX_WHOLE && in->rank == 1 && in->whole != NULL) {
            out->whole = new_numbers(g, out->dims[0]);
            for (int64_t k = 0; out->whole != NULL && k < out->dims[0]; k++) {
                out->whole[k] = in->whole[from + k * step];
            }
        }
    }
    return true;
}

/* Computes the shape of the output of a Gather node: the axes of the indices replace the axis from which elements are
 * selected. Returns false if the node was refused. */
static bool gather(nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out) {
    const nnc_onnx_value *index = nnc_onnx_input(g, 1);
    const int32_t axis = nnc_onnx_axis(g, in, nnc_onnx_int(g, "axis", 0));
    int64_t count = 0;
    if (axis < 0 || in->rank - 1 + index->rank > NNC_ONNX_RANK_MAX || index->kind == NNC_ONNX_UNKNOWN) {
        return nnc_onnx_refuse(g, "axis or indices do not exist in the input");
    }
    out->rank = 0;
    for (int32_t i = 0; i < in->rank; i++) {
        if (i != axis) {
            out->dims[out->rank++] = in->dims[i];
            continue;
        }
        for (int32_t k = 0; k < index->rank; k++) { out->dims[out->rank++] = index->dims[k]; }
    }
    if (in->kind == NNC_ONNX_WHOLE && in->rank == 1 && in->whole != NULL && nnc_onnx_known(index, &count)) {
        out->whole = new_numbers(g, count);
        for (int64_t k = 0; out->whole != NULL && k < count; k++) {
            const int64_t at = index->whole[k] < 0 ? index->whole[k] + in->dims[0] : index->whole[k];
            if (at < 0 || at >= in->dims[0]) {
                return nnc_onnx_refuse(g, "index %lld of %lld", (long long)index->whole[k], (long long)in->dims[0]);
            }
            out->whole[k] = in->whole[at];
        }
    }
    return true;
}

/* Gives the output the shape of the input, for nodes that do not change the shape. Returns true. */
static bool keep(nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out) {
    (void)g;
    nnc_onnx_same_dims(in, out);
    return true;
}

static const struct {
    const char *type;
    bool (*shape)(nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out);
    /* true: the output has the elements of the input in the same order, so known whole numbers stay known */
    bool keeps;
} moves[] = {
    { "Reshape", reshape, true }, { "Transpose", transpose, false }, { "Flatten", flatten, true },
    { "Squeeze", squeeze, true }, { "Unsqueeze", unsqueeze, true },  { "Expand", expand, false },
    { "Slice", slice, false },    { "Gather", gather, false },       { "Identity", keep, true },
    { "Cast", keep, true },       { "Dropout", keep, true },
};

bool nnc_onnx_moved_shape(nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out) {
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        if (strcmp(moves[i].type, g->node->op_type) == 0) {
            if (!moves[i].shape(g, in, out)) { return false; }
            if (moves[i].keeps && in->kind == NNC_ONNX_WHOLE) { out->whole = in->whole; }
            return true;
        }
    }
    return nnc_onnx_refuse(g, "cannot be converted");
}
