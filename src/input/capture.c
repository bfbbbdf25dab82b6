/* Reads captured PyTorch programs: files of schema nncost.capture/1, which `python3 -m nncost.capture` writes
 * (python/nncost/capture.py). The result is a list of operators; the family `capture` computes their cost.
 *
 * The modules, storages and blocks of the file tell which operator ran at each position of the step. The name, inputs,
 * outputs and args of an operator decide its kind and its dims or bytes. The bytes, kind and lifetime of the storages
 * decide the kept bytes, temporary bytes and parameters of the operators.
 *
 * The file lists the operators of equal layers only once, with a repeat (folded). The file lists the storages of every
 * layer. The bytes of a folded operator are the mean over its repeats, so the sums of bytes are exact. The file has
 * only the number of operators of the optimizer; the cost of the optimizer follows from the plan. */
#include "input/capture_internal.h"

#define DIM_MAX 1e9

static const char *const storage_kinds[] = { "parameter", "frozen", "buffer",    "input", "gradient",
                                             "state",     "kept",   "temporary", NULL };

/* ---- reads formats, whole numbers and lists of a capture file ---- */

/* Number formats of tensors and their names in PyTorch. whole: true = the format is an integer, boolean or complex
 * format. parts: number of real numbers in one element, 2 for a complex format. */
static const struct {
    const char *name;
    int bytes, parts;
    bool whole;
    nnc_dtype dtype;
} formats[] = { { "float32", 4, 1, false, NNC_FP32 },      { "bfloat16", 2, 1, false, NNC_BF16 },
                { "float16", 2, 1, false, NNC_FP16 },      { "float64", 8, 1, false, NNC_FP64 },
                { "int64", 8, 1, true, NNC_FP32 },         { "int32", 4, 1, true, NNC_FP32 },
                { "int16", 2, 1, true, NNC_FP32 },         { "int8", 1, 1, true, NNC_FP32 },
                { "uint8", 1, 1, true, NNC_FP32 },         { "bool", 1, 1, true, NNC_FP32 },
                { "float8_e4m3fn", 1, 1, false, NNC_FP8 }, { "float8_e5m2", 1, 1, false, NNC_FP8 },
                { "complex64", 8, 2, true, NNC_FP32 },     { "complex128", 16, 2, true, NNC_FP64 } };

static int format_of(nnc_json at) {
    const char *name = nnc_json_type_of(at) == NNC_JSON_TEXT ? nnc_json_text(at) : "";
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(name, formats[i].name) == 0) { return (int)i; }
    }
    nnc_json_mismatch(at, "unknown dtype", "one of PyTorch such as float32, bfloat16 or int64");
    return -1;
}

/* Reads the list with the key `key` of the capture file; the list is empty if the file does not have the key. Other
 * members of the file refer to the entries of a list by their index. If the input is not valid, notes a fault and
 * returns false. */
static bool read_entries(const reader *r, nnc_json root, const char *key, entries *found) {
    const nnc_json at = nnc_json_get(root, key);
    *found = (entries){ 0 };
    if (at.node == NULL) { return true; }
    if (!nnc_json_is_list(at, root, key, OPS_MAX)) { return false; }
    found->of = nnc_arena_array(r->arena, (size_t)nnc_json_count(at) + 1, sizeof *found->of);
    if (found->of == NULL) { return nnc_faults_no_memory(r->faults); }
    for (nnc_json item = nnc_json_first(at); item.node != NULL; item = nnc_json_next(item)) {
        found->of[found->count++] = item;
    }
    return true;
}

/* If *at is a number, replaces *at by the entry of the list `all` with the index *at. If the input is not valid, notes
 * a fault and returns false. */
static bool find_entry(const entries *all, nnc_json *at) {
    int64_t number = 0;
    if (nnc_json_type_of(*at) != NNC_JSON_NUMBER) { return true; }
    if (!nnc_json_whole(*at, 0, all->count - 1, &number)) { return false; }
    *at = all->of[number];
    return true;
}

/* ---- reads the modules and the storages ---- */

static bool read_modules(reader *r, nnc_json root) {
    const nnc_json at = nnc_json_get(root, "modules");
    if (!nnc_json_is_list(at, root, "modules", STORAGES_MAX)) { return false; }
    r->modules = nnc_arena_array(r->arena, (size_t)nnc_json_count(at) + 1, sizeof *r->modules);
    if (r->modules == NULL) { return nnc_faults_no_memory(r->faults); }
    for (nnc_json item = nnc_json_first(at); item.node != NULL; item = nnc_json_next(item)) {
        if (nnc_json_type_of(item) != NNC_JSON_TEXT) {
            nnc_json_mismatch(item, "wrong type", "the path of a module");
            return false;
        }
        const char *path = nnc_arena_strdup(r->arena, nnc_json_text(item));
        if (path == NULL) { return nnc_faults_no_memory(r->faults); }
        r->modules[r->module_count++] = path;
    }
    return true;
}

/* If several layers are equal, each of them has its own copy of a storage. count: number of copies. first_step: number
 * of operators that run between the first uses of two successive copies. last_step: number of operators that run
 * between the last uses of two successive copies. */
typedef struct copies {
    int64_t count, first_step, last_step;
} copies;

static bool read_copies(nnc_json_numbers *n, const storage *s, copies *c) {
    *c = (copies){ 1, 0, 0 };
    if (!nnc_json_has_more(n)) { return true; }
    if (!nnc_json_next_whole(n, 1, STORAGES_MAX, &c->count) ||
        !nnc_json_next_whole(n, -POSITIONS_MAX, POSITIONS_MAX, &c->first_step) ||
        !nnc_json_next_whole(n, -POSITIONS_MAX, POSITIONS_MAX, &c->last_step)) {
        return false;
    }
    const int64_t begin = s->first + (c->count - 1) * c->first_step, end = s->last + (c->count - 1) * c->last_step;
    if (begin < -1 || begin > POSITIONS_MAX || end < -1 || end > POSITIONS_MAX || nnc_json_has_more(n)) {
        nnc_json_mismatch(n->list, "outside of the step", "copies at positions inside the step");
        return false;
    }
    return true;
}

/* Reads the kind of a storage (parameter, gradient, ...) from the JSON value `word`, and its number format from the
 * JSON value after `word`. If the input is not valid, notes a fault and returns false. */
static bool read_kind(nnc_json word, storage *s) {
    const char *name = nnc_json_type_of(word) == NNC_JSON_TEXT ? nnc_json_text(word) : "";
    int kind = 0;
    while (kind < STORAGE_KINDS && strcmp(name, storage_kinds[kind]) != 0) { kind++; }
    if (kind == STORAGE_KINDS) {
        nnc_json_mismatch(word, "unknown kind of storage",
                          "parameter, frozen, buffer, input, gradient, state, kept or temporary");
        return false;
    }
    const int format = format_of(nnc_json_next(word));
    if (format < 0) { return false; }
    *s = (storage){ .kind = (storage_kind)kind,
                    .dtype = formats[format].dtype,
                    .width = (unsigned char)(formats[format].bytes / formats[format].parts),
                    .whole = formats[format].whole,
                    .reader = -1,
                    .enters = -1 };
    return true;
}

/* Reads a storage from a row "bytes, kind and format, first, last, copies". Adds the storage and its copies in equal
 * layers to the list of storages. kinds: `count` pairs of kind and format. A row that is a string has an index of
 * `kinds` in place of kind and format. If the input is not valid, notes a fault and returns false. */
static bool add_storage(reader *r, nnc_json_numbers *n, const storage *kinds, int32_t count, int32_t *capacity) {
    int64_t bytes = 0, kind = 0, first = 0, last = 0;
    storage one;
    copies c;
    if (!nnc_json_next_whole(n, 0, BYTES_MAX, &bytes)) { return false; }
    if (n->text != NULL) {
        if (!nnc_json_next_whole(n, 0, count - 1, &kind)) { return false; }
        one = kinds[kind];
    } else {
        if (!read_kind(n->at, &one)) { return false; }
        n->at = nnc_json_next(nnc_json_next(n->at));
    }
    if (!nnc_json_next_whole(n, -1, POSITIONS_MAX, &first) || !nnc_json_next_whole(n, -1, POSITIONS_MAX, &last)) {
        return false;
    }
    one.bytes = (double)bytes;
    one.first = (int32_t)first;
    one.last = (int32_t)last;
    if (!read_copies(n, &one, &c)) { return false; }
    if (r->storage_count + c.count > STORAGES_MAX) {
        nnc_json_fault(n->list, NULL, "too many, expected at most %d storages, found %" PRId64, STORAGES_MAX,
                       r->storage_count + c.count);
        return false;
    }
    for (int32_t full = r->storage_count; *capacity < r->storage_count + c.count; full = *capacity) {
        r->storages = nnc_arena_grow(r->arena, r->storages, full, capacity, sizeof *r->storages);
        if (r->storages == NULL) { return nnc_faults_no_memory(r->faults); }
    }
    for (int64_t i = 0; i < c.count; i++) {
        storage *copy = &r->storages[r->storage_count++];
        *copy = one;
        copy->first += (int32_t)(i * c.first_step);
        copy->last += (int32_t)(i * c.last_step);
    }
    return true;
}

/* Reads the list of pairs of a kind and a number format, to which the storages refer. If the input is not valid, notes
 * a fault and returns NULL. */
static storage *read_kinds(const reader *r, nnc_json root, int32_t *count) {
    entries all;
    if (!read_entries(r, root, "kinds", &all)) { return NULL; }
    storage *kinds = nnc_arena_array(r->arena, (size_t)all.count + 1, sizeof *kinds);
    if (kinds == NULL) { (void)nnc_faults_no_memory(r->faults); }
    for (*count = 0; kinds != NULL && *count < all.count; ++*count) {
        const nnc_json at = all.of[*count];
        if (nnc_json_type_of(at) != NNC_JSON_LIST || nnc_json_count(at) != 2) {
            nnc_json_mismatch(at, "not a kind of storage", "[kind, dtype]");
            return NULL;
        }
        if (!read_kind(nnc_json_first(at), &kinds[*count])) { return NULL; }
    }
    return kinds;
}

static bool read_storages(reader *r, nnc_json root) {
    const nnc_json at = nnc_json_get(root, "storages");
    nnc_json_numbers rows = nnc_json_numbers_of(at);
    int32_t capacity = 0, count = 0;
    const storage *kinds = read_kinds(r, root, &count);
    if (kinds == NULL || (rows.text == NULL && !nnc_json_is_list(at, root, "storages", STORAGES_MAX))) { return false; }
    while (rows.text != NULL && *rows.text != '\0') {
        if (!add_storage(r, &rows, kinds, count, &capacity)) { return false; }
        rows.text += *rows.text == ',';
    }
    for (nnc_json item = rows.at; item.node != NULL; item = nnc_json_next(item)) {
        const int32_t size = nnc_json_type_of(item) == NNC_JSON_LIST ? nnc_json_count(item) : 0;
        nnc_json_numbers row = nnc_json_numbers_of(item);
        if (size != 5 && size != 8) {
            nnc_json_mismatch(item, "not a storage",
                              "[bytes, kind, dtype, first, last], with copies, first step and last step for equal "
                              "layers");
            return false;
        }
        if (!add_storage(r, &row, kinds, count, &capacity)) { return false; }
    }
    return true;
}

/* ---- reads the tensors of an operator ---- */

/* Reads the format and the shape of a tensor, and computes the bytes of all its elements. at: a list whose first two
 * entries are format and shape; *rest receives the third entry. If the input is not valid, notes a fault and returns
 * false. */
static bool read_shape(nnc_json at, tensor *t, nnc_json *rest) {
    const nnc_json dtype = nnc_json_first(at), shape = nnc_json_next(dtype);
    const int format = format_of(dtype);
    *t = (tensor){ .elements = 1.0 };
    if (format < 0 || !nnc_json_is_list(shape, at, NULL, RANK_MAX)) { return false; }
    for (nnc_json dim = nnc_json_first(shape); dim.node != NULL; dim = nnc_json_next(dim)) {
        if (!nnc_json_whole(dim, 0, DIM_MAX, &t->shape[t->rank])) { return false; }
        t->elements *= (double)t->shape[t->rank++];
    }
    if (t->elements > BYTES_MAX) {
        nnc_json_fault(shape, NULL, "too large, expected at most %.0f elements", BYTES_MAX);
        return false;
    }
    t->bytes = t->elements * formats[format].bytes;
    t->dtype = formats[format].dtype;
    t->whole = formats[format].whole;
    t->complex = strncmp(formats[format].name, "complex", 7) == 0;
    *rest = nnc_json_next(shape);
    return true;
}

static bool read_shapes(reader *r, nnc_json root) {
    const nnc_json at = nnc_json_get(root, "shapes");
    if (at.node == NULL) { return true; }
    if (!nnc_json_is_list(at, root, "shapes", STORAGES_MAX)) { return false; }
    r->shapes = nnc_arena_array(r->arena, (size_t)nnc_json_count(at) + 1, sizeof *r->shapes);
    if (r->shapes == NULL) { return nnc_faults_no_memory(r->faults); }
    for (nnc_json item = nnc_json_first(at); item.node != NULL; item = nnc_json_next(item)) {
        nnc_json rest;
        if (nnc_json_type_of(item) != NNC_JSON_LIST || nnc_json_count(item) != 2) {
            nnc_json_mismatch(item, "not a shape", "[dtype, shape]");
            return false;
        }
        if (!read_shape(item, &r->shapes[r->shape_count++], &rest)) { return false; }
    }
    return true;
}

/* Reads the next number of a list, and sets the index of the tensor's storage to this number. If the input is not
 * valid, notes a fault and returns false. */
static bool set_storage(const reader *r, nnc_json_numbers *n, tensor *t) {
    int64_t number = 0;
    if (!nnc_json_next_whole(n, 0, r->storage_count - 1, &number)) { return false; }
    t->storage = (int32_t)number;
    t->bytes = fmin(t->bytes, r->storages[number].bytes);
    return true;
}

/* Reads a tensor that is written as two numbers: the index of its entry in "shapes", and the index of its storage. If
 * the input is not valid, notes a fault and returns false. */
static bool read_short(const reader *r, nnc_json_numbers *n, tensor *t) {
    int64_t number = 0;
    if (!nnc_json_next_whole(n, 0, r->shape_count - 1, &number)) { return false; }
    *t = r->shapes[number];
    if (nnc_json_has_more(n) && (n->text != NULL || nnc_json_type_of(n->at) == NNC_JSON_NUMBER)) {
        return set_storage(r, n, t);
    }
    nnc_json_mismatch(n->list, "not tensors", "[shape, storage, shape, storage, ...]");
    return false;
}

/* Reads an entry that stands for one tensor or for several equal tensors with consecutive storage numbers; *count
 * receives the number of tensors. If the input is not valid, notes a fault and returns false. */
static bool read_tensor(const reader *r, nnc_json item, tensor *t, int64_t *count) {
    const int32_t size = nnc_json_type_of(item) == NNC_JSON_LIST ? nnc_json_count(item) : 0;
    nnc_json_numbers rest = { .list = item };
    if (size != 3 && size != 4) {
        nnc_json_mismatch(item, "not a tensor", "[dtype, shape, storage], with a count for equal tensors");
        return false;
    }
    return read_shape(item, t, &rest.at) && set_storage(r, &rest, t) &&
           (size == 3 || nnc_json_next_whole(&rest, 1, (double)(r->storage_count - t->storage), count));
}

/* Reads the list of the input or output tensors of an operator. at: the list, which is the member `key` of `op`. If the
 * input is not valid, notes an error and returns false. */
static bool read_tensors(reader *r, nnc_json at, nnc_json op, const char *key, tensors *all) {
    nnc_json_numbers n = nnc_json_numbers_of(at);
    const bool is_short = n.text != NULL || nnc_json_type_of(n.at) == NNC_JSON_NUMBER;
    if (n.text == NULL && !nnc_json_is_list(at, op, key, 2 * TENSORS_MAX)) { return false; }
    all->capacity = nnc_json_count_numbers(&n) / (is_short ? 2 : 1);
    all->of = nnc_arena_array(r->arena, (size_t)all->capacity + 1, sizeof *all->of);
    if (all->of == NULL) { return nnc_faults_no_memory(r->faults); }
    while (nnc_json_has_more(&n)) {
        tensor one;
        int64_t count = 1;
        if (!(is_short ? read_short(r, &n, &one) : read_tensor(r, n.at, &one, &count))) { return false; }
        n.at = is_short ? n.at : nnc_json_next(n.at);
        if (count > TENSORS_MAX - all->count) {
            nnc_json_fault(at, NULL, "too long, expected at most %d tensors", TENSORS_MAX);
            return false;
        }
        for (; count > 0; count--) {
            all->of = nnc_arena_grow(r->arena, all->of, all->count, &all->capacity, sizeof *all->of);
            if (all->of == NULL) { return nnc_faults_no_memory(r->faults); }
            all->of[all->count++] = one;
            one.storage++;
        }
    }
    return n.text == NULL || *n.text == '\0' || nnc_json_refuse_number(at, 0, r->storage_count - 1);
}

/* ---- dims of operators ---- */

static bool refuse_shapes(const issue *o, const char *expected) {
    nnc_json_fault(o->at, "inputs", "shapes that do not match each other, expected %s", expected);
    return false;
}

/* Sets the dims of a matrix product from the shapes of its operands. The operands are the last two input tensors; the
 * first input of addmm is an addend. If the input is not valid, notes a fault and returns false. */
static bool read_product(const issue *o, nnc_captured_op *op) {
    const tensors *in = &o->in, *out = &o->out;
    if (in->count < 2 || out->count < 1) { return refuse_shapes(o, "two matrices"); }
    tensor left = in->of[in->count - 2], right = in->of[in->count - 1], *const a = &left, *const b = &right;
    /* the operator `dot` multiplies two vectors: a matrix with one row by a matrix with one column */
    if (a->rank == 1) {
        *a = (tensor){ .shape = { 1, a->shape[0] }, .rank = 2, .elements = a->elements, .dtype = a->dtype };
    }
    if (b->rank == 1) {
        b->shape[1] = 1;
        b->rank = 2;
    }
    const int32_t rank = a->rank;
    if (rank < 2 || rank > 3 || b->rank != rank || a->shape[rank - 1] != b->shape[rank - 2] ||
        (rank == 3 && a->shape[0] != b->shape[0]) || !(a->elements * b->elements > 0.0)) {
        return refuse_shapes(o, "m x k and k x n");
    }
    op->kind = NNC_CAPTURED_PRODUCT;
    op->batch = rank == 3 ? a->shape[0] : 1;
    op->m = a->shape[rank - 2];
    op->k = a->shape[rank - 1];
    op->n = b->shape[rank - 1];
    /* a product of complex matrices has the work of four products of real matrices: [re im] x [[re im] [-im re]] */
    if (a->complex) {
        op->k *= 2;
        op->n *= 2;
    }
    op->dtype = a->dtype;
    op->bias = in->count > 2;
    return true;
}

/* Reads stride, transposed and groups of a convolution from its last arguments: [..., stride, padding, dilation,
 * transposed, output padding, groups]. If the arguments do not fit a convolution, notes a fault and returns false. */
static bool read_window(const issue *o, int64_t *stride, bool *transposed, int64_t *groups) {
    int lists = 0;
    bool known = false;
    *stride = 0;
    *groups = 0;
    *transposed = false;
    /* stride is the third list before the argument `transposed`; lists before the stride, such as the sizes of a bias,
     * are skipped */
    nnc_json recent[3] = { { 0 } };
    for (nnc_json arg = nnc_json_first(o->args); arg.node != NULL; arg = nnc_json_next(arg)) {
        const nnc_json_type type = nnc_json_type_of(arg);
        if (type == NNC_JSON_LIST && !known) {
            recent[lists++ % 3] = arg;
        } else if (type == NNC_JSON_BOOL && !known) {
            known = true;
            *transposed = nnc_json_bool(arg);
        } else if (type == NNC_JSON_NUMBER && known) {
            if (!nnc_json_whole(arg, 1, DIM_MAX, groups)) { return false; }
        }
    }
    const nnc_json first = lists >= 3 ? nnc_json_first(recent[lists % 3]) : (nnc_json){ 0 };
    if (!known || *groups == 0 || first.node == NULL) {
        nnc_json_fault(o->at, "args",
                       "not the arguments of a convolution, expected stride, padding, dilation, transposed, output "
                       "padding and groups");
        return false;
    }
    return nnc_json_whole(first, 1, DIM_MAX, stride);
}

/* Sets the dims of a convolution from its input x, weight w and output y. If the maps have one axis, the height is 1;
 * if the maps have three axes, the height is depth times height. If the input is not valid, notes a fault and returns
 * false. */
static bool set_conv(const issue *o, const tensor *x, const tensor *w, const tensor *y, nnc_captured_op *op) {
    const int32_t rank = x->rank;
    if (rank < 3 || rank > 5 || w->rank != rank || y->rank != rank || x->shape[0] != y->shape[0] ||
        !(x->elements * w->elements * y->elements > 0.0)) {
        return refuse_shapes(o, "a map, a kernel and a map");
    }
    if (!read_window(o, &op->stride, &op->transposed, &op->groups)) { return false; }
    const int64_t narrow = op->transposed ? x->shape[1] : y->shape[1];
    const int64_t wide = op->transposed ? y->shape[1] : x->shape[1];
    if (w->shape[0] != narrow || w->shape[1] * op->groups != wide) {
        return refuse_shapes(o, "a kernel of the channels of both maps and the groups");
    }
    const int32_t last = rank - 1;
    op->batch = x->shape[0];
    op->c_in = x->shape[1];
    op->c_out = y->shape[1];
    op->h_in = op->h_out = op->kernel = 1;
    for (int32_t i = 2; i < last; i++) {
        op->h_in *= x->shape[i];
        op->h_out *= y->shape[i];
        op->kernel *= w->shape[i];
    }
    op->w_in = x->shape[last];
    op->w_out = y->shape[last];
    op->kernel_w = w->shape[last];
    op->dtype = x->dtype;
    return true;
}

static bool first_bool(const issue *o) {
    for (nnc_json arg = nnc_json_first(o->args); arg.node != NULL; arg = nnc_json_next(arg)) {
        if (nnc_json_type_of(arg) == NNC_JSON_BOOL) { return nnc_json_bool(arg); }
    }
    return false;
}

/* Tests whether the mask of an attention is causal. The first boolean argument of the operator tells whether the mask
 * is causal. In efficient and cuDNN kernels, the last boolean argument tells whether the mask is causal; the first
 * boolean argument tells whether the kernel returns the log-sum-exp. */
static bool is_causal(const issue *o) {
    bool last = false;
    if (strstr(o->by->name, "efficient") == NULL && strstr(o->by->name, "cudnn") == NULL) { return first_bool(o); }
    for (nnc_json arg = nnc_json_first(o->args); arg.node != NULL; arg = nnc_json_next(arg)) {
        last = nnc_json_type_of(arg) == NNC_JSON_BOOL ? nnc_json_bool(arg) : last;
    }
    return last;
}

/* Sets the dims of an attention from the shapes of its queries, keys and values, which are [batch, heads, tokens,
 * width]. In backward the first input is the gradient of the output. If the input is not valid, notes a fault and
 * returns false. */
static bool read_attention(const issue *o, bool backward, nnc_captured_op *op) {
    const tensors *in = &o->in;
    const int32_t first = backward ? 1 : 0;
    if (in->count < first + 3) { return refuse_shapes(o, "queries, keys and values"); }
    const tensor *q = &in->of[first], *k = &in->of[first + 1], *v = &in->of[first + 2];
    if (q->rank != 4 || k->rank != 4 || v->rank != 4 || !(q->elements * k->elements > 0.0) ||
        q->shape[0] != k->shape[0] || q->shape[3] != k->shape[3] || v->shape[2] != k->shape[2] ||
        !(v->elements > 0.0)) {
        return refuse_shapes(o, "queries, keys and values of [batch, heads, tokens, width]");
    }
    op->kind = NNC_CAPTURED_ATTENTION;
    op->batch = q->shape[0];
    op->heads = q->shape[1];
    op->kv_heads = k->shape[1];
    op->s_q = q->shape[2];
    op->s_k = k->shape[2];
    op->head_dim = q->shape[3];
    op->value_dim = v->shape[3];
    op->causal = is_causal(o) && op->s_q <= op->s_k;
    op->dtype = q->dtype;
    return true;
}

/* ---- adds operators to the program ---- */

static nnc_captured_op *add_op(reader *r, const nnc_captured_op *like) {
    if (r->count == r->capacity) {
        nnc_captured_op *grown = nnc_arena_grow(r->arena, r->ops, r->count, &r->capacity, sizeof *r->ops);
        if (grown == NULL) {
            nnc_faults_no_memory(r->faults);
            return NULL;
        }
        r->ops = grown;
    }
    nnc_captured_op *op = &r->ops[r->count++];
    *op = *like;
    return op;
}

/* Adds the entries of a convolution_backward to r->ops: one for each output (gradient of the input, of the weight, of
 * the bias). If the input is not valid, notes a fault and returns false. */
static bool add_conv_backward(reader *r, const issue *o, const nnc_captured_op *like) {
    const tensors *in = &o->in, *out = &o->out;
    if (in->count < 3) { return refuse_shapes(o, "a gradient, a map and a kernel"); }
    nnc_captured_op op = *like;
    if (!set_conv(o, &in->of[1], &in->of[2], &in->of[0], &op)) { return false; }
    for (int32_t i = 0; i < out->count; i++) {
        const tensor *t = &out->of[i];
        const bool is_weight = t->rank == in->of[2].rank && memcmp(t->shape, in->of[2].shape, sizeof t->shape) == 0 &&
                               (i > 0 || out->count == 1 || out->of[1].rank == 1);
        op.kind = t->rank == 1 ? NNC_CAPTURED_KERNEL
                  : is_weight  ? NNC_CAPTURED_CONV_GRAD_WEIGHT
                               : NNC_CAPTURED_CONV_GRAD_INPUT;
        op.read_bytes = in->of[0].bytes;
        op.write_bytes = t->bytes;
        if (add_op(r, &op) == NULL) { return false; }
    }
    return true;
}

static void set_bytes(form how, const tensors *in, const tensors *out, nnc_captured_op *op) {
    op->kind = NNC_CAPTURED_KERNEL;
    for (int32_t i = 0; i < out->count; i++) { op->write_bytes += out->of[i].bytes; }
    const tensor none = { 0 }, *const table = in->count > 0 ? &in->of[0] : &none;
    const double rows_bytes = how == FORM_GATHER ? op->write_bytes
                              : how == FORM_BAG && in->count > 1
                                  ? in->of[1].elements * table->bytes / (double)table->shape[0]
                                  : INFINITY;
    for (int32_t i = 0; i < in->count; i++) {
        const bool written = how == FORM_WRITE && i == 0;
        op->read_bytes += written ? 0.0 : i == 0 ? fmin(rows_bytes, table->bytes) : in->of[i].bytes;
    }
    if (out->count > 0) { op->dtype = out->of[0].dtype; }
}

/* Adds the number of elements of each parameter to the first forward operator that reads the parameter. Backward
 * operators are not used: equal layers are recorded once, and backward begins with the last layer, so the recorded
 * backward operators read the parameters of another layer. All parameters that one operator counts are of one kind,
 * trained or frozen: the kind of the operator's last parameter, which is usually the matrix. A parameter that is frozen
 * although the operator's last parameter is trained (such as a frozen bias of a trained matrix), or the reverse, is
 * added to r->loose. If the input is not valid, notes a fault and returns false. */
static bool take_parameters(reader *r, int32_t number, form how, nnc_captured_op *op) {
    const nnc_json at = r->issues[number].at;
    const tensors *in = &r->issues[number].in;
    const bool table = op->group == NNC_GROUP_EMBEDDING;
    bool any = false;
    /* starts with the last tensor, usually the matrix, which decides the kind (trained or frozen) of the operator */
    for (int32_t i = in->count - 1; i >= 0 && op->phase == NNC_PHASE_FORWARD; i--) {
        const tensor *t = &in->of[i];
        storage *s = &r->storages[t->storage];
        s->reader = number;
        if (s->looked_up && how == FORM_PRODUCT) { nnc_capture_tie(r, s); }
        if ((s->kind != PARAMETER && s->kind != FROZEN) || s->seen) { continue; }
        s->seen = true;
        op->frozen = any ? op->frozen : s->kind == FROZEN;
        any = true;
        if (s->bytes * (double)op->repeat > BYTES_MAX) {
            nnc_json_fault(at, "repeat", "too many parameters, expected at most %.0f bytes", BYTES_MAX);
            return false;
        }
        const int64_t elements = (int64_t)(s->bytes / s->width);
        const int64_t rows = t->rank > 1 ? t->shape[0] : 0;
        r->frozen_params += s->kind == FROZEN ? elements * op->repeat : 0;
        if (op->frozen != (s->kind == FROZEN)) {
            r->loose[s->kind == FROZEN] += (double)elements * (double)op->repeat;
        } else if (rows > 0 && op->rows == 0 && elements % rows == 0) {
            op->rows = rows;
            op->cols = elements / rows;
            op->table = table;
        } else {
            op->vector += elements;
        }
        r->program->params += elements * op->repeat;
        r->program->table_params += table ? elements * op->repeat : 0;
        s->looked_up = table;
    }
    return true;
}

/* Reads the phase of an operator. at: the operator; word: its member "phase". If the input is not valid, notes a fault
 * and returns false. */
static bool read_phase(nnc_json at, nnc_json word, issue *o) {
    const char *text = nnc_json_type_of(word) == NNC_JSON_TEXT ? nnc_json_text(word) : "";
    const bool optimizer = strcmp(text, "optimizer") == 0;
    const bool again = strcmp(text, "recompute") == 0, backward = again || strcmp(text, "backward") == 0;
    if (!optimizer && !backward && strcmp(text, "forward") != 0) {
        nnc_json_fault(word.node != NULL ? word : at, word.node != NULL ? NULL : "phase",
                       "unknown phase, expected forward, backward, recompute or optimizer");
        return false;
    }
    o->counts = !optimizer;
    o->phase = backward ? NNC_PHASE_BACKWARD : NNC_PHASE_FORWARD;
    o->again = again;
    return true;
}

enum { KEY_NAME, KEY_PHASE, KEY_MODULE, KEY_INPUTS, KEY_OUTPUTS, KEY_ARGS, KEY_REPEAT, KEY_STEPS, KEY_MOVES, KEYS };

/* Finds the members of an operator. If the operator is not a JSON object, has no name, or has an unknown key, notes a
 * fault and returns false. */
static bool find_members(nnc_json at, nnc_json found[KEYS]) {
    static const char *const keys[KEYS] = { "name", "phase",  "module", "inputs", "outputs",
                                            "args", "repeat", "steps",  "moves" };
    int last = KEYS - 1;
    for (nnc_json key = nnc_json_first(at); nnc_json_type_of(at) == NNC_JSON_OBJECT && key.node != NULL;
         key = nnc_json_next(key)) {
        int tries = 0, i = last;
        do { /* the recorder writes the members in the order of keys[], so the search for a key starts after the key
              * that was found last */
            i = (i + 1) % KEYS;
        } while (strcmp(nnc_json_key(key), keys[i]) != 0 && ++tries < KEYS);
        if (tries == KEYS) {
            nnc_json_fault(key, NULL,
                           "unknown key of an operator, expected name, phase, module, inputs, "
                           "outputs, args, repeat, steps or moves");
            return false;
        }
        found[i] = key;
        last = i;
    }
    if (nnc_json_type_of(found[KEY_NAME]) == NNC_JSON_TEXT) { return true; }
    nnc_json_mismatch(at, "not an operator", "an object with a name");
    return false;
}

/* Reads an operator of the file: name, phase, module, tensors and repeats. The FLOPs and bytes of the operator are
 * computed later. If the input is not valid, notes a fault and returns false. */
static bool read_issue(reader *r, nnc_json at, issue *o) {
    nnc_json found[KEYS] = { { 0 } };
    /* `before` is the previous operator of the file. An operator that does not state its phase or module has the phase
     * or module of the previous operator. */
    const issue *before = o > r->issues ? o - 1 : NULL;
    *o = (issue){ .at = at, .repeat = 1, .steps = 1 };
    if (before != NULL) {
        o->phase = before->phase;
        o->counts = before->counts;
        o->again = before->again;
        o->module = before->module;
    }
    if (!find_members(at, found) ||
        ((before == NULL || found[KEY_PHASE].node != NULL) && !read_phase(at, found[KEY_PHASE], o)) ||
        ((before == NULL || found[KEY_MODULE].node != NULL) &&
         !nnc_json_whole_value(at, found[KEY_MODULE], "module", 0, r->module_count - 1, &o->module)) ||
        !find_entry(&r->args, &found[KEY_ARGS]) || !find_entry(&r->moves, &found[KEY_MOVES]) ||
        (found[KEY_REPEAT].node != NULL && !nnc_json_whole(found[KEY_REPEAT], 1, POSITIONS_MAX, &o->repeat)) ||
        (found[KEY_STEPS].node != NULL && !nnc_json_whole(found[KEY_STEPS], 1, POSITIONS_MAX, &o->steps)) ||
        (o->counts && (!read_tensors(r, found[KEY_INPUTS], at, "inputs", &o->in) ||
                       !read_tensors(r, found[KEY_OUTPUTS], at, "outputs", &o->out)))) {
        return false;
    }
    o->moves = found[KEY_MOVES];
    o->args = found[KEY_ARGS];
    o->by = nnc_capture_name(r, nnc_json_text(found[KEY_NAME]));
    if (o->by == NULL) { return nnc_faults_no_memory(r->faults); }
    if (o->counts && !nnc_capture_is_known(found[KEY_NAME], o->by, &o->in)) { return false; }
    r->program->operators += o->repeat;
    if (!o->counts) {
        r->updates = true;
        r->divides = r->divides || strstr(o->by->name, "addcdiv") != NULL || strstr(o->by->name, "adam") != NULL;
        r->signs = r->signs || strstr(o->by->name, "sign") != NULL;
        r->fuses = r->fuses || strstr(o->by->name, "_fused_") != NULL;
    }
    return true;
}

static bool read_issues(reader *r, nnc_json root) {
    const nnc_json at = nnc_json_get(root, "ops");
    if (!nnc_json_is_list(at, root, "ops", OPS_MAX) || !read_entries(r, root, "args", &r->args) ||
        !read_entries(r, root, "moves", &r->moves)) {
        return false;
    }
    r->issues = nnc_arena_array(r->arena, (size_t)nnc_json_count(at) + 1, sizeof *r->issues);
    if (r->issues == NULL) { return nnc_faults_no_memory(r->faults); }
    for (nnc_json item = nnc_json_first(at); item.node != NULL; item = nnc_json_next(item)) {
        if (!read_issue(r, item, &r->issues[r->file_ops++])) { return false; }
    }
    return true;
}

static bool has_dim(const tensors *all, int64_t dim) {
    for (int32_t i = 0; i < all->count && dim > 0; i++) {
        for (int32_t j = 0; j < all->of[i].rank; j++) {
            if (all->of[i].shape[j] == dim) { return true; }
        }
    }
    return false;
}

/* Computes the work of an operator and adds the operator to the program. `how` tells from which data the work is
 * computed: from the dims of a product, convolution or attention, or from the bytes of the tensors. If the input is not
 * valid, notes a fault and returns false. */
static bool read_form(reader *r, const issue *o, form how, nnc_captured_op *op) {
    const tensors *in = &o->in, *out = &o->out;
    bool good = true;
    switch (how) {
    case FORM_PRODUCT: good = read_product(o, op); break;
    case FORM_ATTENTION:
    case FORM_ATTENTION_BACKWARD: good = read_attention(o, how == FORM_ATTENTION_BACKWARD, op); break;
    case FORM_CONV:
        good = in->count >= 2 && out->count >= 1 ? set_conv(o, &in->of[0], &in->of[1], &out->of[0], op)
                                                 : refuse_shapes(o, "a map and a kernel");
        op->kind = NNC_CAPTURED_CONV;
        op->bias = in->count > 2;
        if (good && r->program->image == 0 && in->of[0].rank > 3) { r->program->image = op->w_in; }
        break;
    case FORM_CONV_BACKWARD: good = add_conv_backward(r, o, op); break;
    default: set_bytes(how, in, out, op);
    }
    if (good && how != FORM_CONV_BACKWARD) { good = add_op(r, op) != NULL; }
    return good;
}

/* Computes the work of the operator with the index `number` in the file, and adds the operator to the program. If the
 * input is not valid, notes a fault and returns false. */
static bool add_issue(reader *r, int32_t number) {
    const issue *o = &r->issues[number], *before = number > 0 ? o - 1 : o;
    nnc_captured_op op = { .dtype = NNC_FP32,
                           .name = o->by->name,
                           .phase = o->phase,
                           .again = o->again,
                           .repeat = o->repeat,
                           .steps = o->steps,
                           .continues = number > 0 && o->steps > 1 && before->steps > 1 && o->by == before->by &&
                                        o->phase == before->phase && o->module == before->module };
    op.module = r->modules[o->module];
    r->module_of[number] = op.module;
    r->backward_of[number] = !o->counts || op.phase != NNC_PHASE_FORWARD;
    r->first_of[number] = r->last_of[number] = r->count;
    r->refs_of[number] = r->ref_count;
    if (!o->counts) { return true; }
    const form how = o->by->form;
    op.group = nnc_capture_group(r, op.name, op.module, o->by->group, &o->out, &o->in);
    if (how == FORM_GATHER && op.group == NNC_GROUP_EMBEDDING && o->in.count > 1 && op.phase == NNC_PHASE_FORWARD) {
        nnc_capture_note_lookup(r, o);
    }
    if (!nnc_capture_note_tensors(r, how, &o->in, &o->out) || !take_parameters(r, number, how, &op)) { return false; }
    r->program->vocab = op.table && op.rows > r->program->vocab ? op.rows : r->program->vocab;
    op.words = has_dim(&o->in, r->program->vocab) || has_dim(&o->out, r->program->vocab) ? r->program->vocab : 0;
    const bool good = read_form(r, o, how, &op);
    r->last_of[number] = r->count;
    return good;
}

static bool add_issues(reader *r) {
    const size_t count = (size_t)r->file_ops + 1;
    r->first_of = nnc_arena_array(r->arena, count, sizeof *r->first_of);
    r->last_of = nnc_arena_array(r->arena, count, sizeof *r->last_of);
    r->refs_of = nnc_arena_array(r->arena, count, sizeof *r->refs_of);
    /* The backward of a convolution adds two or three ops, and most operators have three or four tensors. The arrays
     * start with space for 1.25 ops and 4 tensors per operator, so that they seldom have to grow. */
    r->capacity = (int32_t)(count + count / 4);
    r->ref_capacity = (int32_t)(4 * count);
    r->refs = nnc_arena_array(r->arena, (size_t)r->ref_capacity, sizeof *r->refs);
    r->ops = nnc_arena_array(r->arena, (size_t)r->capacity, sizeof *r->ops);
    r->module_of = nnc_arena_array(r->arena, count, sizeof *r->module_of);
    r->backward_of = nnc_arena_array(r->arena, count, sizeof *r->backward_of);
    if (r->ops == NULL || r->first_of == NULL || r->last_of == NULL || r->refs_of == NULL || r->refs == NULL ||
        r->module_of == NULL || r->backward_of == NULL) {
        return nnc_faults_no_memory(r->faults);
    }
    for (int32_t i = 0; i < r->file_ops; i++) {
        if (!add_issue(r, i)) { return false; }
    }
    r->refs_of[r->file_ops] = r->ref_count;
    return true;
}

/* ---- reads the whole file ---- */

/* r->loose has the numbers of trained and of frozen parameters that no operator counts yet. frozen false: adds the
 * trained parameters in r->loose to the first forward operator that has no frozen parameters. frozen true: adds the
 * frozen parameters in r->loose to the first forward operator that has no trained parameters. */
static void add_loose(reader *r, bool frozen) {
    for (int32_t i = 0; i < r->count && r->loose[frozen] > 0.0; i++) {
        nnc_captured_op *op = &r->ops[i];
        if (op->phase == NNC_PHASE_FORWARD && op->repeat == 1 &&
            (op->frozen == frozen || (op->rows == 0 && op->vector == 0))) {
            op->frozen = frozen;
            op->vector += (int64_t)r->loose[frozen];
            r->loose[frozen] = 0.0;
        }
    }
}

static bool read_parameters(reader *r, nnc_json root) {
    const nnc_json at = nnc_json_get(root, "parameters");
    if (nnc_json_type_of(at) != NNC_JSON_OBJECT) {
        nnc_json_fault(root, "parameters", "missing or of a wrong type, expected an object");
        return false;
    }
    return nnc_json_whole_member(at, "count", 1, BYTES_MAX, &r->count_params) &&
           nnc_json_whole_member(at, "trained", 0, BYTES_MAX, &r->trained_params);
}

/* Tests whether the program trains. A program that trains has backward operators; a program whose operators are all in
 * forward does not train. */
static bool has_backward(const reader *r) {
    int32_t i = 0;
    while (i < r->count && r->ops[i].phase == NNC_PHASE_FORWARD) { i++; }
    return i < r->count;
}

/* Compares the numbers of parameters that the file states with the numbers of parameters that its operators read. */
static bool check_parameters(reader *r, nnc_json root) {
    const nnc_json at = nnc_json_get(root, "parameters");
    const int64_t count = r->count_params, trained = r->trained_params;
    if (r->program->params > count) {
        nnc_json_fault(at, "count", "fewer parameters than the operators read, expected %" PRId64 ", found %" PRId64,
                       r->program->params, count);
        return false;
    }
    if (r->program->params - r->frozen_params > trained || r->frozen_params > count - trained ||
        (trained == 0 && has_backward(r))) {
        nnc_json_fault(at, "trained",
                       "differs from the number of storages of kind parameter, expected %" PRId64 ", found %" PRId64,
                       r->program->params - r->frozen_params, trained);
        return false;
    }
    /* adds the parameters that no operator reads to r->loose */
    r->loose[0] += (double)(trained - (r->program->params - r->frozen_params));
    r->loose[1] += (double)(count - trained - r->frozen_params);
    add_loose(r, false);
    add_loose(r, true);
    r->program->params = count;
    return true;
}

/* Returns the number format in which most bytes of the trained parameters are stored. If the program trains no
 * parameters, returns the number format in which most bytes of all parameters are stored. */
static nnc_dtype main_dtype(const reader *r) {
    const storage_kind kind = r->program->inference ? FROZEN : PARAMETER;
    double bytes[NNC_DTYPE_COUNT] = { 0 };
    nnc_dtype most = NNC_FP32;
    for (int32_t i = 0; i < r->storage_count; i++) {
        const storage *s = &r->storages[i];
        if (s->kind == kind && !s->whole) {
            bytes[s->dtype] += s->bytes;
            most = bytes[s->dtype] > bytes[most] ? s->dtype : most;
        }
    }
    return most;
}

/* Returns the number format in which most bytes of the frozen parameters are stored; NNC_FROZEN_COUNT = the program has
 * no frozen parameters. */
static nnc_frozen main_frozen(const reader *r) {
    double bytes[9] = { 0 };
    /* bytes per number of the format in which most bytes of the frozen parameters read so far are stored */
    int most = 0;
    for (int32_t i = 0; i < r->storage_count; i++) {
        const storage *s = &r->storages[i];
        if (s->kind == FROZEN) {
            bytes[s->width] += s->bytes;
            most = bytes[s->width] > bytes[most] ? s->width : most;
        }
    }
    return most == 0 ? NNC_FROZEN_COUNT : most >= 4 ? NNC_FROZEN_32 : most == 2 ? NNC_FROZEN_16 : NNC_FROZEN_INT8;
}

static bool read_program(reader *r, nnc_json root) {
    static const char *const keys[] = { "schema",   "source", "batch",  "parameters", "modules", "ops",   "blocks",
                                        "storages", "note",   "second", "optimizer",  "owners",  "saved", "shapes",
                                        "kinds",    "args",   "moves",  "autocast",   NULL };
    const nnc_json batch = nnc_json_get(root, "batch");
    int32_t count = 0;
    for (nnc_json key = nnc_json_first(root); key.node != NULL; key = nnc_json_next(key)) {
        if (!nnc_is_one_of(nnc_json_key(key), keys)) {
            nnc_json_fault(
                key, NULL,
                "unknown key, expected schema, source, batch, parameters, modules, ops, "
                "blocks, storages, shapes, kinds, args, moves, owners, saved, optimizer, autocast or second");
            return false;
        }
    }
    r->program->batch = 1; /* if "batch" is null in the file, the whole step is one sample */
    if (nnc_json_type_of(batch) != NNC_JSON_NULL &&
        !nnc_json_whole_member(root, "batch", 1, POSITIONS_MAX, &r->program->batch)) {
        return false;
    }
    r->blocks = nnc_json_get(root, "blocks");
    if (!nnc_capture_read_autocast(r, root) || !read_modules(r, root) || !read_storages(r, root) ||
        !read_shapes(r, root) || !read_issues(r, root) || !read_parameters(r, root)) {
        return false;
    }
    r->optimizer = nnc_capture_optimizer(r);
    const int32_t *places = nnc_capture_places(r, root, &count);
    if (places != NULL && r->asked != NULL) { places = nnc_capture_change(r, root, places, &count); }
    if (places == NULL || !add_issues(r)) { return false; }
    nnc_capture_count_tokens(r);
    if (r->count == 0 || r->ops[0].phase != NNC_PHASE_FORWARD) {
        nnc_json_fault(root, "ops", "no training step, expected operators of forward and of backward");
        return false;
    }
    if (!nnc_capture_lifetimes(r, places, count) || !check_parameters(r, root)) { return false; }
    r->program->inference = r->trained_params == 0;
    for (int32_t i = 0; i < count; i++) { /* a forward operator after a backward operator begins the next pass */
        r->program->passes += !r->backward_of[places[i]] && (i == 0 || r->backward_of[places[i - 1]]);
    }
    if (!nnc_capture_slots(r, places, count) || !nnc_capture_fuse(r, places, count)) {
        return nnc_faults_no_memory(r->faults);
    }
    r->program->dtype = main_dtype(r);
    r->program->frozen = main_frozen(r);
    r->program->optimizer = r->optimizer;
    r->program->kernels = nnc_capture_kernels(r, root);
    if (r->program->kernels == NNC_OPTIMIZER_KERNELS_COUNT || !nnc_capture_groups(r, root)) { return false; }
    r->program->ops = r->ops;
    r->program->count = r->count;
    if (r->program->dtype == NNC_FP32) {
        r->program->autocast = nnc_capture_autocast(r, places, count);
        return r->program->autocast != NULL;
    }
    return true;
}

/* Tests whether two captured programs, recorded with different numbers of samples, have the same operators in the same
 * order. */
static bool is_same_program(nnc_json at, const struct nnc_captured *one, const struct nnc_captured *two) {
    if (two->batch == one->batch) {
        nnc_json_fault(at, "batch",
                       "the same number of samples as in the first step, expected another number than %" PRId64,
                       one->batch);
        return false;
    }
    if (two->count != one->count || two->params != one->params || two->dtype != one->dtype ||
        two->slot_count != one->slot_count || two->frozen != one->frozen) {
        nnc_json_fault(at, NULL,
                       "another program than the first step, expected %" PRId32 " operators and %" PRId64
                       " parameters in %s, found %" PRId32 ", %" PRId64 " and %s",
                       one->count, one->params, nnc_dtype_name(one->dtype), two->count, two->params,
                       nnc_dtype_name(two->dtype));
        return false;
    }
    for (int32_t i = 0; i < one->count; i++) {
        const nnc_captured_op *a = &one->ops[i], *b = &two->ops[i];
        if (strcmp(a->name, b->name) != 0 || a->kind != b->kind || a->phase != b->phase || a->again != b->again ||
            a->repeat != b->repeat) {
            nnc_json_fault(at, "ops", "another program than the first step, expected %s, found %s", a->name, b->name);
            return false;
        }
    }
    return true;
}

static struct nnc_captured *read_step(nnc_json root, const nnc_modules *asked) {
    reader r = { .arena = root.doc->arena, .faults = root.doc->faults, .asked = asked };
    r.program = nnc_arena_alloc(r.arena, sizeof *r.program);
    if (r.program == NULL) {
        nnc_faults_no_memory(r.faults);
        return NULL;
    }
    return read_program(&r, root) && r.faults->count == 0 ? r.program : NULL;
}

void nnc_capture_read(nnc_json root, const nnc_modules *asked, nnc_model *model) {
    const nnc_json second = nnc_json_get(root, "second");
    struct nnc_captured *program = read_step(root, asked);
    model->family = NNC_FAMILY_CAPTURE;
    if (program != NULL && second.node != NULL) {
        const struct nnc_captured *other = read_step(second, asked);
        program->second = other != NULL && is_same_program(second, program, other) ? other : NULL;
        program = program->second != NULL ? program : NULL;
    }
    model->captured = program;
    const nnc_json note = nnc_json_get(root, "note");
    const char **notes = nnc_arena_array(root.doc->arena, 1, sizeof *notes);
    if (nnc_json_type_of(note) == NNC_JSON_TEXT && notes != NULL &&
        (notes[0] = nnc_arena_strdup(root.doc->arena, nnc_json_text(note))) != NULL) {
        model->notes = notes;
        model->note_count = 1;
    }
}

nnc_status nnc_capture_ask(nnc_specs *specs, const nnc_modules *asked, nnc_model *model, nnc_error *err) {
    char *text = NULL;
    nnc_faults faults = { .name = model->path, .err = err };
    nnc_json_doc doc = { .faults = &faults, .arena = nnc_specs_arena(specs) };
    NNC_TRY(nnc_specs_read(specs, model->path, &text, &doc.size, err));
    doc.text = text;
    if (nnc_json_parse(&doc)) { nnc_capture_read(nnc_json_root(&doc), asked, model); }
    nnc_json_free(&doc);
    free(text);
    return faults.status;
}

/* ---- the entry of the family `capture` in the list of model families ---- */

static const nnc_field fields[] = {
    NNC_COMMON_FIELDS,
    { NNC_FIELD_IN(nnc_model, decoder, vocab_multiple), .min = 1, .max = DIM_MAX, NNC_DEFAULT(1),
      .help = "The vocabulary, the largest table in which the program looks up tokens, is padded to a multiple of this "
              "number; 1 = as recorded." },
};

/* Refuses a model file with the family `capture`, because only a captured program may have this family. */
static void complete(nnc_json root, nnc_model *model) {
    if (model->captured == NULL) {
        nnc_json_fault(root, "family", "a captured step has its own file, expected schema " NNC_CAPTURE_SCHEMA);
    }
}

static void rules(nnc_json at, const nnc_model *model) {
    (void)at;
    (void)model;
}

const nnc_family_fields nnc_capture_fields = {
    .table = { "capture", fields, NNC_COUNT_OF(fields) },
    .complete = complete,
    .rules = rules,
};
