/* Reads a whole ONNX file (its tensors, then its nodes in order) and writes the graph file of nncost. In a build
 * without protobuf-c, only the first part of this C file (NNC_ONNX_MISSING) is compiled, which reports that nncost
 * cannot read ONNX files. */
#include "onnx/onnx_import.h"

#include "base/base_internal.h"
#include "input/input_internal.h"

bool nnc_onnx_is_file(const char *path) { return nnc_ends_in(path, ".onnx"); }

nnc_status nnc_onnx_take(nnc_specs *specs, char **operand, nnc_error *err) {
    nnc_arena *arena = nnc_specs_arena(specs);
    const nnc_piped **all = nnc_specs_piped(specs);
    const char *slash = strrchr(*operand, '/'), *notes = NULL;
    const size_t size = strlen(*operand) + 3;
    char *path = nnc_arena_alloc(arena, size);
    nnc_piped *made = nnc_arena_alloc(arena, sizeof *made);
    if (path == NULL || made == NULL) { return nnc_no_memory(err); }
    snprintf(path, size, "%s%s", slash == NULL ? "./" : "", *operand);
    *made = (nnc_piped){ .next = *all, .path = path };
    NNC_TRY(nnc_onnx_import(*operand, slash != NULL ? slash + 1 : *operand, NULL, arena, &made->text, &made->size,
                            &notes, err));
    *all = made;
    *operand = path;
    return NNC_OK;
}

#ifdef NNC_ONNX_MISSING
nnc_status nnc_onnx_import(const char *path, const char *id, const char *axes, nnc_arena *arena, char **text,
                           size_t *size, const char **notes, nnc_error *err) {
    (void)id, (void)axes, (void)arena, (void)text, (void)size, (void)notes;
    return nnc_fail(err, NNC_BAD_USAGE, path,
                    "this program was built without ONNX files, expected protobuf-c and onnx.proto when it was "
                    "configured (Debian: protobuf-c-compiler libprotobuf-c-dev libonnx-dev)");
}

#else

#include <errno.h>
#include <sys/stat.h>

#include "onnx/onnx_internal.h"

/* Largest size of an ONNX file in bytes. A larger file contains the weights of the network, but an import needs only
 * the shapes of the weights. */
#define BYTES_MAX 536870912

static nnc_status read_file(const char *path, uint8_t **bytes, size_t *size, nnc_error *err) {
    struct stat about;
    errno = 0;
    const int descriptor = nnc_open_to_read(path);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
    if (file == NULL && errno == ENOMEM) { return nnc_no_memory(err); }
    if (file == NULL || fstat(fileno(file), &about) != 0) {
        if (file != NULL) { fclose(file); }
        return nnc_fail(err, NNC_IO, path, "cannot be read");
    }
    if (about.st_size > BYTES_MAX) {
        fclose(file);
        return nnc_fail(err, NNC_BAD_SPEC, path,
                        "larger than 512 MB, expected the weights in files of their own: "
                        "onnx.save_model(model, path, save_as_external_data=True)");
    }
    *size = (size_t)about.st_size;
    *bytes = malloc(*size + 1);
    const size_t got = *bytes != NULL ? fread(*bytes, 1, *size, file) : 0;
    fclose(file);
    NNC_GOT(*bytes, err);
    return got == *size ? NNC_OK : nnc_fail(err, NNC_IO, path, "cannot be read");
}

static int64_t names_in(const Onnx__GraphProto *proto) {
    size_t names = proto->n_initializer + proto->n_input + 8;
    for (size_t i = 0; i < proto->n_node; i++) { names += proto->node[i]->n_input + proto->node[i]->n_output; }
    return names < 1000000 ? (int64_t)names : -1;
}

static bool make_room(nnc_onnx_graph *g) {
    const int64_t names = names_in(g->proto);
    if (names < 0) { return nnc_onnx_refuse(g, "has more than a million values"); }
    g->capacity = (int32_t)names;
    g->slot_count = 64;
    while (g->slot_count < 2 * names) { g->slot_count *= 2; }
    g->values = nnc_arena_array(g->arena, (size_t)names, sizeof *g->values);
    g->slots = nnc_arena_array(g->arena, (size_t)g->slot_count, sizeof *g->slots);
    if (g->values == NULL || g->slots == NULL) {
        g->status = nnc_no_memory(g->err);
        return false;
    }
    /* the value with index 0 has the name "", which stands for an input that a node omits */
    return nnc_onnx_find(g, "") == 0;
}

static bool is_float(const Onnx__ValueInfoProto *info) {
    const Onnx__TypeProto__Tensor *type = nnc_onnx_type_of(info);
    return type == NULL || !type->has_elem_type ||
           (type->elem_type != ONNX__TENSOR_PROTO__DATA_TYPE__INT64 &&
            type->elem_type != ONNX__TENSOR_PROTO__DATA_TYPE__INT32 &&
            type->elem_type != ONNX__TENSOR_PROTO__DATA_TYPE__BOOL);
}

/* Writes an input of the ONNX network to the graph file: the first input as the member "input", each later input as an
 * entry of "ops". Returns false if nncost refuses the ONNX file. */
static bool place_input(nnc_onnx_graph *g, const Onnx__ValueInfoProto *info, nnc_onnx_value *v, bool first) {
    char shape[96] = "";
    const bool ids = !is_float(info);
    int64_t elements = 0;
    if (!nnc_onnx_read_shape(g, info, v, true) || !nnc_onnx_elements(v, &elements)) {
        return nnc_onnx_refuse(g, "input %.60s is of an impossible size", v->name);
    }
    if (v->rank < 2 || v->rank > 5 || (ids && v->rank != 2)) {
        return nnc_onnx_refuse(g, "input %.60s has %d axes, expected 2 to 5 (2 for token ids)", v->name, v->rank);
    }
    for (int32_t i = 1; i < v->rank; i++) {
        nnc_text_append(shape, sizeof shape, "", "%s%" PRId64, i > 1 ? ", " : "", v->dims[i]);
    }
    char members[160];
    snprintf(members, sizeof members, ids ? "\"tokens\": %s" : "\"shape\": [%s]", shape);
    if (first) {
        nnc_buffer_print(&g->out, "  \"input\": { %s },\n  \"ops\": [", members);
        nnc_onnx_made(v, nnc_onnx_begin(g), v->rank - 1, v->dims + 1);
    } else {
        nnc_onnx_made(v, nnc_onnx_step(g, -1, "\"op\": \"input\", %s", members), v->rank - 1, v->dims + 1);
    }
    v->ids = ids;
    return true;
}

static bool read_tensors(nnc_onnx_graph *g) {
    const Onnx__GraphProto *proto = g->proto;
    bool first = true;
    for (size_t i = 0; i < proto->n_initializer; i++) {
        const Onnx__TensorProto *t = proto->initializer[i];
        const int32_t at = nnc_onnx_find(g, t->name != NULL ? t->name : "");
        if (at <= 0 || !nnc_onnx_constant(g, t, &g->values[at])) {
            return nnc_onnx_refuse(g, "a parameter without a name");
        }
    }
    g->shapeless = proto->n_initializer == 0;
    for (size_t i = 0; i < proto->n_input; i++) {
        const Onnx__ValueInfoProto *info = proto->input[i];
        const int32_t at = nnc_onnx_find(g, info->name != NULL ? info->name : "");
        if (at <= 0) { return nnc_onnx_refuse(g, "an input without a name"); }
        nnc_onnx_value *v = &g->values[at];
        if (v->kind != NNC_ONNX_UNKNOWN) {
            /* old ONNX files list their parameters as inputs, too; an input with the name of a parameter is skipped */
            continue;
        }
        if (!first && g->shapeless && is_float(info)) {
            int64_t elements = 0;
            if (!nnc_onnx_read_shape(g, info, v, false) || !nnc_onnx_elements(v, &elements)) {
                return nnc_onnx_refuse(g, "parameter %.60s is of an impossible size", v->name);
            }
            v->kind = NNC_ONNX_WEIGHT;
            v->origin = elements;
            continue;
        }
        if (!place_input(g, info, v, first)) { return false; }
        first = false;
    }
    return !first || nnc_onnx_refuse(g, "has no input");
}

static bool check_output(nnc_onnx_graph *g) {
    for (size_t i = 0; i < g->node->n_output; i++) {
        const nnc_onnx_value *v = nnc_onnx_output(g, i);
        int64_t elements = 0;
        for (int32_t k = 0; v->kind != NNC_ONNX_UNKNOWN && k < v->rank; k++) {
            if (v->dims[k] < (v->kind == NNC_ONNX_ACTIVATION ? 1 : 0)) {
                return nnc_onnx_refuse(g, "axis %d of its output has the impossible length %" PRId64, k, v->dims[k]);
            }
        }
        if (v->kind != NNC_ONNX_UNKNOWN && !nnc_onnx_elements(v, &elements)) {
            return nnc_onnx_refuse(g, "its output has an impossible size");
        }
    }
    return true;
}

static bool run_node(nnc_onnx_graph *g) {
    const char *type = g->node->op_type;
    bool constant = true;
    if (type == NULL || g->node->n_output == 0) { return nnc_onnx_refuse(g, "has no type or no output"); }
    for (size_t i = 0; i < g->node->n_input; i++) {
        const nnc_onnx_value *v = nnc_onnx_input(g, i);
        constant = constant && v->kind != NNC_ONNX_ACTIVATION;
        if (nnc_onnx_has_input(g, i) && v->kind == NNC_ONNX_UNKNOWN) {
            return nnc_onnx_refuse(g, "reads \"%.60s\", which no earlier node writes", v->name);
        }
    }
    if (nnc_onnx_output(g, 0)->kind != NNC_ONNX_UNKNOWN) {
        return nnc_onnx_refuse(g, "writes \"%.60s\" a second time", nnc_onnx_output(g, 0)->name);
    }
    return (constant ? nnc_onnx_fold(g) : nnc_onnx_convert(g)) && g->status == NNC_OK && check_output(g);
}

static void write_loss(nnc_onnx_graph *g, const nnc_onnx_value *v) {
    nnc_onnx_step(g, v->reg, "\"op\": \"loss\", \"kind\": \"%s\"",
                  v->shape_rank == 1 ? "cross_entropy" : "squared_error");
}

static bool write_outputs(nnc_onnx_graph *g) {
    bool any = false;
    g->node = NULL;
    for (size_t i = 0; i < g->proto->n_output; i++) {
        const char *name = g->proto->output[i]->name;
        const int32_t at = nnc_onnx_find(g, name != NULL ? name : "");
        nnc_onnx_value *v = at > 0 ? &g->values[at] : NULL;
        if (v == NULL || v->kind != NNC_ONNX_ACTIVATION) { continue; }
        if (!nnc_onnx_materialise(g, v)) { return false; }
        if (!any) { write_loss(g, v); }
        any = true;
    }
    return any || nnc_onnx_refuse(g, "has no output that depends on its input");
}

/* Converts all nodes of the ONNX graph. The import runs this function twice: the first run only finds the last use of
 * each tensor, the second run writes the graph file. Returns false if nncost refuses the ONNX file. */
static bool pass(nnc_onnx_graph *g) {
    for (int32_t i = 0; i < g->name_count; i++) { g->names[i] = -1; }
    g->count = g->regs = g->step = 0;
    g->current = -1;
    g->convolutions = g->batch_norms = g->dropouts = g->biased = 0;
    g->softmax_last = g->begun = false;
    g->node = NULL;
    nnc_buffer_clear(&g->out);
    memset(g->slots, 0, (size_t)g->slot_count * sizeof *g->slots);
    if (nnc_onnx_find(g, "") != 0 || !read_tensors(g)) { return false; }
    for (size_t i = 0; i < g->proto->n_node; i++) {
        g->node = g->proto->node[i];
        if (!run_node(g)) { return nnc_onnx_refuse(g, "cannot be converted"); }
    }
    return write_outputs(g);
}

static const char *notes_of(const nnc_onnx_graph *g) {
    nnc_buffer text = { 0 };
    if (g->batch_norms == 0 && g->biased > 1 && g->biased * 2 > g->convolutions) {
        nnc_buffer_print(&text,
                         "the file has no batch norm: if the network has batch norms in training, the export has "
                         "folded them into its %d convolutions, and their parameters and time are missing\n",
                         g->convolutions);
    }
    if (g->dropouts == 0) { nnc_buffer_text(&text, "the file has no dropout\n"); }
    nnc_buffer_text(&text, "the file has no loss, so nncost added one\n");
    const char *copy = NULL;
    nnc_buffer_byte(&text, '\0');
    if (!text.failed) { copy = nnc_arena_strdup(g->arena, text.bytes); }
    nnc_buffer_free(&text);
    return copy;
}

static nnc_status finish(nnc_onnx_graph *g, const char *id, char **text, size_t *size) {
    nnc_buffer all = { 0 };
    nnc_buffer_text(&all, "{\n  \"schema\": \"nncost.model/1\",\n");
    nnc_buffer_text(&all, "  \"id\": ");
    nnc_put_json_text(&all, id); /* the id comes from a file name, so it may contain any character */
    nnc_buffer_text(&all, ",\n  \"name\": ");
    nnc_put_json_text(&all, id);
    nnc_buffer_text(&all, ",\n  \"family\": \"graph\",\n"
                          "  \"sources\": { \"\": \"an ONNX file, by nncost import\" },\n");
    nnc_buffer_put(&all, g->out.bytes, g->out.size);
    nnc_buffer_text(&all, "\n  ]\n}\n");
    *size = all.size;
    *text = all.failed || g->out.failed ? NULL : nnc_arena_alloc(g->arena, all.size + 1);
    if (*text != NULL) { memcpy(*text, all.bytes, all.size); }
    nnc_buffer_free(&all);
    return *text != NULL ? NNC_OK : nnc_no_memory(g->err);
}

static nnc_status convert(nnc_onnx_graph *g, const char *id, char **text, size_t *size, const char **notes) {
    if (make_room(g)) {
        if (pass(g)) {
            g->second = true;
            pass(g);
        }
    }
    if (g->status == NNC_OK) {
        g->status = finish(g, id, text, size);
        *notes = notes_of(g);
    }
    nnc_buffer_free(&g->out);
    return g->status;
}

/* State of the allocator of protobuf-c. The allocator limits memory, because two bytes of an ONNX file can describe a
 * tensor that needs 200 bytes. failed: true after a failed allocation. The member `failed` is needed because protobuf-c
 * reports a failed allocation in the same way as a bad file. */
typedef struct unpacking {
    size_t left; /* number of bytes that protobuf-c may still allocate */
    bool too_many, failed;
} unpacking;

/* Returns the number of bytes that protobuf-c may allocate for an ONNX file of `count` bytes. The number is large
 * enough for a million values, and for files that contain weights. */
static size_t most_bytes(size_t count) { return (size_t)1000000000 + 3 * count; }

static void *take(void *context, size_t size) {
    enum { OVERHEAD = 32 }; /* number of additional bytes that the system needs for each allocation */
    unpacking *u = context;
    u->too_many = u->too_many || size > u->left || u->left - size < OVERHEAD;
    if (u->too_many) { return NULL; }
    u->left -= size + OVERHEAD;
    void *memory = malloc(size > 0 ? size : 1);
    u->failed = u->failed || memory == NULL;
    return memory;
}

static void give_back(void *context, void *memory) {
    (void)context;
    free(memory);
}

nnc_status nnc_onnx_read(const char *path, const uint8_t *bytes, size_t count, const char *id, const char *axes,
                         nnc_arena *arena, char **text, size_t *size, const char **notes, nnc_error *err) {
    unpacking taken = { .left = most_bytes(count) };
    ProtobufCAllocator memory = { take, give_back, &taken };
    Onnx__ModelProto *model = onnx__model_proto__unpack(&memory, count, bytes);
    nnc_status status = NNC_OK;
    if (taken.failed) {
        status = nnc_no_memory(err);
    } else if (taken.too_many) {
        status = nnc_fail(err, NNC_BAD_SPEC, path, "has more than a million values");
    } else if (model == NULL || model->graph == NULL) {
        status = nnc_fail(err, NNC_BAD_SPEC, path, "is no ONNX file");
    } else {
        nnc_onnx_graph g = { .path = path, .proto = model->graph, .arena = arena, .err = err, .axes = axes };
        status = convert(&g, id, text, size, notes);
        const char *left = nnc_onnx_axis_left(&g);
        if (status == NNC_OK && left != NULL) {
            status = nnc_fail(err, NNC_BAD_USAGE, path,
                              "no input has an axis of this name without a size, expected AXIS=NUMBER, "
                              "or INPUT.POSITION=NUMBER for an axis without a name, found %.60s",
                              left);
        }
    }
    if (model != NULL) { onnx__model_proto__free_unpacked(model, &memory); }
    return status;
}

nnc_status nnc_onnx_import(const char *path, const char *id, const char *axes, nnc_arena *arena, char **text,
                           size_t *size, const char **notes, nnc_error *err) {
    uint8_t *bytes = NULL;
    size_t count = 0;
    nnc_status status = read_file(path, &bytes, &count, err);
    if (status == NNC_OK) { status = nnc_onnx_read(path, bytes, count, id, axes, arena, text, size, notes, err); }
    free(bytes);
    return status;
}

#endif
