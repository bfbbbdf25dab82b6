/* Writes the entries of the list "ops" of a graph file, and values that were deferred.
 *
 * A tensor of the graph file gets a name only if it is read by an entry that does not directly follow the entry that
 * writes the tensor. After the last use of the tensor, the name is free for other tensors. The nodes are converted in
 * two equal runs: the first run finds the last use of each register (tensor), and the second run writes.
 *
 * Programs export one op, such as a norm, as several nodes (mean, subtract, square ...). The value of a node that is
 * part of an op is deferred: only its pattern and the input of the op are stored. The value is written when a later
 * node shows to which op it belongs. */
#include "base/base_internal.h"
#include "onnx/onnx_internal.h"

/* ---- writes entries of the list "ops", and manages the names of registers ---- */

static void out_of_memory(nnc_onnx_graph *g) {
    if (g->status == NNC_OK) { g->status = nnc_no_memory(g->err); }
}

static int32_t new_reg(nnc_onnx_graph *g) {
    if (g->second) { return g->regs++; }
    struct nnc_onnx_reg *grown = nnc_arena_grow(g->arena, g->reg, g->regs, &g->reg_capacity, sizeof *g->reg);
    if (grown == NULL) {
        out_of_memory(g);
        return 0;
    }
    g->reg = grown;
    g->reg[g->regs] = (struct nnc_onnx_reg){ -1, 0 };
    return g->regs++;
}

/* Frees the names of registers that no later entry of the list "ops" reads, so that later registers can use the
 * names. */
static void release(nnc_onnx_graph *g) {
    for (int32_t i = 0; i < g->name_count; i++) {
        if (g->names[i] >= 0 && g->reg[g->names[i]].last <= g->step) { g->names[i] = -1; }
    }
}

static int32_t take_name(nnc_onnx_graph *g, int32_t reg) {
    int32_t i = 0;
    while (i < g->name_count && g->names[i] >= 0) { i++; }
    if (i == g->name_count) {
        int32_t capacity = g->name_count;
        int32_t *grown = nnc_arena_grow(g->arena, g->names, g->name_count, &capacity, sizeof *grown);
        if (grown == NULL) {
            out_of_memory(g);
            return 0;
        }
        g->names = grown;
        g->name_count++;
    }
    g->names[i] = reg;
    return i;
}

/* Writes the beginning of an entry of the list "ops", with a comma before every entry except the first. */
static void begin_step(nnc_onnx_graph *g) {
    nnc_buffer_text(&g->out, g->begun ? ",\n    { " : "\n    { ");
    g->begun = true;
}

int32_t nnc_onnx_begin(nnc_onnx_graph *g) {
    g->step++;
    const int32_t reg = new_reg(g);
    if (g->second && g->reg[reg].last > 0) {
        g->reg[reg].name = take_name(g, reg);
        begin_step(g);
        nnc_buffer_print(&g->out, "\"as\": \"t%" PRId32 "\" }", g->reg[reg].name);
    }
    g->current = reg;
    return reg;
}

const char *nnc_onnx_with(nnc_onnx_graph *g, int32_t reg, char text[16]) {
    if (!g->second) { g->reg[reg].last = g->step + 1; }
    snprintf(text, 16, "t%" PRId32, g->reg[reg].name >= 0 ? g->reg[reg].name : 0);
    return text;
}

int32_t nnc_onnx_step(nnc_onnx_graph *g, int32_t from, const char *format, ...) {
    char members[512], name[16];
    va_list args;
    va_start(args, format);
    vsnprintf(members, sizeof members, format, args);
    va_end(args);
    if (from >= 0 && from != g->current) {
        begin_step(g);
        nnc_buffer_print(&g->out, "\"from\": \"%s\" }", nnc_onnx_with(g, from, name));
    }
    g->step++;
    const int32_t reg = new_reg(g);
    if (g->second) { release(g); }
    begin_step(g);
    nnc_buffer_text(&g->out, members);
    if (g->second && g->reg[reg].last > 0) {
        g->reg[reg].name = take_name(g, reg);
        nnc_buffer_print(&g->out, ", \"as\": \"t%" PRId32 "\"", g->reg[reg].name);
    }
    nnc_buffer_text(&g->out, " }");
    g->current = reg;
    return reg;
}

void nnc_onnx_made(nnc_onnx_value *out, int32_t reg, int32_t rank, const int64_t *shape) {
    out->kind = NNC_ONNX_ACTIVATION;
    out->pattern = NNC_ONNX_PLAIN;
    out->reg = reg;
    out->shape_rank = rank;
    memcpy(out->shape, shape, (size_t)rank * sizeof *shape);
}

bool nnc_onnx_view(nnc_onnx_graph *g, nnc_onnx_value *v, int32_t rank, const int64_t *shape) {
    char text[96] = "";
    int64_t had = 1, has = 1;
    if (!nnc_onnx_materialise(g, v)) { return false; }
    for (int32_t i = 0; i < v->shape_rank; i++) { had *= v->shape[i]; }
    for (int32_t i = 0; i < rank; i++) {
        has *= shape[i];
        nnc_text_append(text, sizeof text, "", "%s%" PRId64, i > 0 ? ", " : "", shape[i]);
    }
    bool same = rank == v->shape_rank;
    for (int32_t i = 0; same && i < rank; i++) { same = shape[i] == v->shape[i]; }
    if (same) { return true; }
    if (had != has || v->ids) {
        return nnc_onnx_refuse(g, "a tensor of %" PRId64 " values cannot be taken as %s", had, text);
    }
    const int32_t reg = nnc_onnx_step(g, v->reg, "\"op\": \"view\", \"shape\": [%s]", text);
    v->reg = reg;
    v->shape_rank = rank;
    memcpy(v->shape, shape, (size_t)rank * sizeof *shape);
    return true;
}

bool nnc_onnx_as_map(nnc_onnx_graph *g, nnc_onnx_value *v) {
    if (v->rank < 4 || v->rank > 5 || v->dims[0] != 1) {
        return nnc_onnx_refuse(g, "expected one map of channels x height x width, found %d axes%s", v->rank,
                               v->rank >= 4 ? " and another batch than 1" : "");
    }
    return nnc_onnx_view(g, v, v->rank - 1, v->dims + 1);
}

bool nnc_onnx_as_rows(nnc_onnx_graph *g, nnc_onnx_value *v) {
    int64_t elements = 0;
    if (v->rank < 1 || !nnc_onnx_elements(v, &elements) || v->dims[v->rank - 1] < 1) {
        return nnc_onnx_refuse(g, "expected rows of values, found a single value");
    }
    const int64_t width = v->dims[v->rank - 1];
    const int64_t shape[] = { elements / width, width };
    if (elements == width) { return nnc_onnx_view(g, v, 1, shape + 1); }
    return nnc_onnx_view(g, v, 2, shape);
}

bool nnc_onnx_is_scalar(const nnc_onnx_value *v) {
    int64_t elements = 0;
    return v->kind != NNC_ONNX_ACTIVATION && nnc_onnx_elements(v, &elements) && elements == 1;
}

int32_t nnc_onnx_index_of(const nnc_onnx_graph *g, const nnc_onnx_value *v) { return (int32_t)(v - g->values); }

void nnc_onnx_alias(const nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out) {
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

void nnc_onnx_becomes(nnc_onnx_value *out, nnc_onnx_pattern pattern) {
    out->pattern = pattern;
    out->same_as = 0;
}

void nnc_onnx_defer(nnc_onnx_graph *g, nnc_onnx_value *out, nnc_onnx_pattern pattern, const nnc_onnx_value *src) {
    out->kind = NNC_ONNX_ACTIVATION;
    out->pattern = pattern;
    out->src = nnc_onnx_index_of(g, src);
}

static bool write_plain(nnc_onnx_graph *g, nnc_onnx_value *v, const char *members) {
    nnc_onnx_value *src = &g->values[v->src];
    if (!nnc_onnx_materialise(g, src)) { return false; }
    nnc_onnx_made(v, nnc_onnx_step(g, src->reg, "%s", members), src->shape_rank, src->shape);
    return true;
}

bool nnc_onnx_write_norm(nnc_onnx_graph *g, nnc_onnx_value *v, const char *affine) {
    char members[96];
    nnc_onnx_value *src = &g->values[v->src];
    snprintf(members, sizeof members, "\"op\": \"norm\", \"kind\": \"%s\"%s", v->rms ? "rms" : "layer", affine);
    return nnc_onnx_as_rows(g, src) && write_plain(g, v, members);
}

bool nnc_onnx_write_linear(nnc_onnx_graph *g, nnc_onnx_value *v, bool bias) {
    nnc_onnx_value *src = &g->values[v->src];
    if (!nnc_onnx_as_rows(g, src)) { return false; }
    int64_t shape[2] = { src->shape[0], v->width };
    const int32_t reg = nnc_onnx_step(g, src->reg, "\"op\": \"linear\", \"out\": %" PRId32 "%s", v->width,
                                      bias ? "" : ", \"bias\": false");
    nnc_onnx_made(v, reg, src->shape_rank, src->shape_rank == 1 ? shape + 1 : shape);
    return true;
}

bool nnc_onnx_write_batch_norm(nnc_onnx_graph *g, nnc_onnx_value *v) {
    g->batch_norms++;
    return nnc_onnx_as_map(g, &g->values[v->src]) && write_plain(g, v, "\"op\": \"norm\", \"kind\": \"batch\"");
}

/* Writes a value x that has the same elements as a second value y: first writes y, unless y is already written, and
 * then lets x and y share one register. Returns false if the node was refused. */
static bool write_same(nnc_onnx_graph *g, nnc_onnx_value *v) {
    nnc_onnx_value *same = &g->values[v->same_as - 1];
    if (!nnc_onnx_materialise(g, same)) { return false; }
    nnc_onnx_made(v, same->reg, same->shape_rank, same->shape);
    return true;
}

bool nnc_onnx_materialise(nnc_onnx_graph *g, nnc_onnx_value *v) {
    if (v->pattern != NNC_ONNX_PLAIN && v->same_as > 0 && v->kind == NNC_ONNX_ACTIVATION) { return write_same(g, v); }
    switch (v->pattern) {
    case NNC_ONNX_PLAIN: return v->reg >= 0 || nnc_onnx_refuse(g, "reads \"%.60s\", which no node writes", v->name);
    case NNC_ONNX_NORMED: return nnc_onnx_write_norm(g, v, ", \"affine\": false");
    case NNC_ONNX_NORMED_GAIN: return nnc_onnx_write_norm(g, v, v->rms ? "" : ", \"bias\": false");
    case NNC_ONNX_SIGMOID: return write_plain(g, v, "\"op\": \"act\", \"kind\": \"sigmoid\"");
    case NNC_ONNX_HARD_SIGMOID: return write_plain(g, v, "\"op\": \"act\", \"kind\": \"hard_sigmoid\"");
    case NNC_ONNX_CLIPPED: return write_plain(g, v, "\"op\": \"act\", \"kind\": \"relu\"");
    case NNC_ONNX_BATCH_NORM:
    case NNC_ONNX_BATCH_GAIN: return nnc_onnx_write_batch_norm(g, v);
    case NNC_ONNX_LINEAR: return nnc_onnx_write_linear(g, v, false);
    default:
        return nnc_onnx_refuse(g, "\"%.60s\" is part of a norm, a GELU or an attention whose form is not known",
                               v->name);
    }
}

bool nnc_onnx_put_off(nnc_onnx_graph *g, nnc_onnx_pattern pattern) {
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    nnc_onnx_same_dims(in, out);
    if (!nnc_onnx_materialise(g, in)) { return false; }
    nnc_onnx_defer(g, out, pattern, in);
    return true;
}
