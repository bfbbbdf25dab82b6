/* Reads captured PyTorch programs: files of schema nncost.capture/1, which `python3 -m nncost.capture` writes
 * (python/nncost/capture.py). The result is a list of operators; the family `capture` computes their cost.
 *
 *     modules, storages, blocks        -> positions: which operator of the file ran at each position of the step
 *     ops: name, inputs, outputs, args -> kind and dims (products, convolutions, attention), else bytes
 *     storages: bytes, kind, lifetime  -> kept and temporary bytes, parameters of the operators
 *
 * The file lists the operators of equal layers once, with a repeat (folded), but the storages of every layer. The bytes
 * of a folded operator are the mean over its repeats, so the sums of bytes are exact. The operators of the optimizer
 * are not stored; only their number is; the cost of the optimizer follows from the plan. */
#include "input/capture_internal.h"

enum {
    OPS_MAX = 20000, /* largest number of operators that a capture file may list */
    /* largest number of operators of a step, in which every repeated layer has its own operators */
    POSITIONS_MAX = 1000000,
    STORAGES_MAX = 1000000,
};
#define BYTES_MAX 1e15
#define DIM_MAX 1e9

static const char *const storage_kinds[] = { "parameter", "frozen", "buffer",    "input", "gradient",
                                             "state",     "kept",   "temporary", NULL };

/* ---- reads formats, whole numbers and lists of a capture file ---- */

/* Number formats of tensors and their names in PyTorch. whole: true = the format is an integer, boolean or complex
 * format. parts: real numbers in one element; 2 = the format is complex. */
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

/* Notes the fault that a value of the file is not a whole number from `least` to `most`. Always returns false. */
static bool refuse_number(nnc_json at, double least, double most) {
    char expected[96];
    snprintf(expected, sizeof expected, "a whole number from %.0f to %.0f", least, most);
    nnc_json_mismatch(at, "wrong value", expected);
    return false;
}

/* Reads a whole number in [least, most]. If the input is not valid, notes an error and returns false. */
static bool whole(nnc_json at, double least, double most, int64_t *value) {
    const double number = nnc_json_type_of(at) == NNC_JSON_NUMBER ? nnc_json_number(at) : -1e300;
    if (number >= least && number <= most && number == (double)(int64_t)number) {
        *value = (int64_t)number;
        return true;
    }
    return refuse_number(at, least, most);
}

/* A list of numbers in the capture file: either a JSON list, or a text in which spaces separate the numbers; such a
 * text is read faster. */
typedef struct numbers {
    nnc_json list, at; /* at: the entry that is read next, if the list is a JSON list */
    /* if the list is a text: the text from the number that is read next; NULL = the list is a JSON list */
    const char *text;
} numbers;

static numbers numbers_of(nnc_json list) {
    const bool text = nnc_json_type_of(list) == NNC_JSON_TEXT;
    return (numbers){ list, nnc_json_first(list), text ? nnc_json_text(list) : NULL };
}

/* Tests whether the list has a number that is not yet read. In a list that is a text, a comma marks the end of the
 * list. */
static bool has_more(const numbers *n) {
    return n->text != NULL ? *n->text != '\0' && *n->text != ',' : n->at.node != NULL;
}

static int32_t count_of(const numbers *n) {
    int32_t count = n->text != NULL ? 1 : nnc_json_count(n->list);
    for (const char *at = n->text; at != NULL && *at != '\0'; at++) { count += *at == ' '; }
    return count;
}

/* Reads the next number of a list, which must be a whole number from `least` to `most`. If the input is not valid,
 * notes an error and returns false. */
static bool next_whole(numbers *n, double least, double most, int64_t *value) {
    if (n->text == NULL) {
        const nnc_json at = n->at;
        n->at = nnc_json_next(at);
        return whole(at, least, most, value);
    }
    const bool minus = *n->text == '-';
    const char *const first = n->text + minus, *end = first;
    for (*value = 0; *end >= '0' && *end <= '9' && end - first < 18; end++) { *value = 10 * *value + (*end - '0'); }
    *value = minus ? -*value : *value;
    if (end == first || (*end != ' ' && *end != ',' && *end != '\0') || (double)*value < least ||
        (double)*value > most) {
        return refuse_number(n->list, least, most);
    }
    n->text = end + (*end == ' ');
    return true;
}

/* Reads a whole number from `least` to `most`. at: the JSON value, which is the member `key` of an object. If the input
 * is not valid, notes an error and returns false. */
static bool value(nnc_json object, nnc_json at, const char *key, double least, double most, int64_t *found) {
    if (at.node == NULL) {
        nnc_json_fault(object, key, "missing, expected a whole number, found nothing");
        return false;
    }
    return whole(at, least, most, found);
}

static bool member(nnc_json object, const char *key, double least, double most, int64_t *found) {
    return value(object, nnc_json_get(object, key), key, least, most, found);
}

static bool is_list(nnc_json at, nnc_json parent, const char *key, int32_t most) {
    if (nnc_json_type_of(at) != NNC_JSON_LIST) {
        nnc_json_fault(at.node != NULL ? at : parent, at.node != NULL ? NULL : key,
                       "missing or of a wrong type, expected a list");
        return false;
    }
    if (nnc_json_count(at) > most) {
        nnc_json_fault(at, NULL, "too long, expected at most %" PRId32 " entries, found %d", most, nnc_json_count(at));
        return false;
    }
    return true;
}

/* Reads the list with the key `key` of the capture file; without this key the list is empty. Other members of the file
 * refer to an entry of this list by its index. If the input is not valid, notes a fault and returns false. */
static bool read_entries(const reader *r, nnc_json root, const char *key, entries *found) {
    const nnc_json at = nnc_json_get(root, key);
    *found = (entries){ 0 };
    if (at.node == NULL) { return true; }
    if (!is_list(at, root, key, OPS_MAX)) { return false; }
    found->of = nnc_arena_array(r->arena, (size_t)nnc_json_count(at) + 1, sizeof *found->of);
    if (found->of == NULL) { return nnc_faults_no_memory(r->faults); }
    for (nnc_json item = nnc_json_first(at); item.node != NULL; item = nnc_json_next(item)) {
        found->of[found->count++] = item;
    }
    return true;
}

/* If *at is a number, it is the index of an entry of the list `all`: replaces *at by this entry. If the input is not
 * valid, notes a fault and returns false. */
static bool find_entry(const entries *all, nnc_json *at) {
    int64_t number = 0;
    if (nnc_json_type_of(*at) != NNC_JSON_NUMBER) { return true; }
    if (!whole(*at, 0, all->count - 1, &number)) { return false; }
    *at = all->of[number];
    return true;
}

/* ---- reads the modules and the storages ---- */

static bool read_modules(reader *r, nnc_json root) {
    const nnc_json at = nnc_json_get(root, "modules");
    if (!is_list(at, root, "modules", STORAGES_MAX)) { return false; }
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

/* Copies of a storage: several equal layers have one copy each. count: number of copies. first_step: operators that run
 * between the first use of one copy and the first use of the next copy. last_step: operators that run between the last
 * uses of two successive copies. */
typedef struct copies {
    int64_t count, first_step, last_step;
} copies;

static bool read_copies(numbers *n, const storage *s, copies *c) {
    *c = (copies){ 1, 0, 0 };
    if (!has_more(n)) { return true; }
    if (!next_whole(n, 1, STORAGES_MAX, &c->count) || !next_whole(n, -POSITIONS_MAX, POSITIONS_MAX, &c->first_step) ||
        !next_whole(n, -POSITIONS_MAX, POSITIONS_MAX, &c->last_step)) {
        return false;
    }
    const int64_t begin = s->first + (c->count - 1) * c->first_step, end = s->last + (c->count - 1) * c->last_step;
    if (begin < -1 || begin > POSITIONS_MAX || end < -1 || end > POSITIONS_MAX || has_more(n)) {
        nnc_json_mismatch(n->list, "outside of the step", "copies at positions of the step");
        return false;
    }
    return true;
}

/* Reads the kind (parameter, gradient, ...) and the number format of a storage: `word` is the kind, and the JSON value
 * after `word` is the format. If the input is not valid, notes a fault and returns false. */
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
                    .width = formats[format].bytes / formats[format].parts,
                    .whole = formats[format].whole,
                    .reader = -1,
                    .enters = -1 };
    return true;
}

/* Reads a storage from a row "bytes, kind and format, first, last, copies". Adds the storage and its copies in equal
 * layers to the list of storages. kinds: the `count` pairs of kind and format; a row that is a text refers to such a
 * pair by its index. If the input is not valid, notes a fault and returns false. */
static bool add_storage(reader *r, numbers *n, const storage *kinds, int32_t count, int32_t *capacity) {
    int64_t bytes = 0, kind = 0, first = 0, last = 0;
    storage one;
    copies c;
    if (!next_whole(n, 0, BYTES_MAX, &bytes)) { return false; }
    if (n->text != NULL) {
        if (!next_whole(n, 0, count - 1, &kind)) { return false; }
        one = kinds[kind];
    } else {
        if (!read_kind(n->at, &one)) { return false; }
        n->at = nnc_json_next(nnc_json_next(n->at));
    }
    if (!next_whole(n, -1, POSITIONS_MAX, &first) || !next_whole(n, -1, POSITIONS_MAX, &last)) { return false; }
    one.bytes = (double)bytes;
    one.first = (int32_t)first;
    one.last = (int32_t)last;
    if (!read_copies(n, &one, &c)) { return false; }
    if (r->storage_count + c.count > STORAGES_MAX) {
        nnc_json_fault(n->list, NULL, "too many, expected at most %d storages, found %" PRId64, STORAGES_MAX,
                       r->storage_count + c.count);
        return false;
    }
    for (int64_t i = 0; i < c.count; i++) {
        r->storages = nnc_arena_grow(r->arena, r->storages, r->storage_count, capacity, sizeof *r->storages);
        if (r->storages == NULL) { return nnc_faults_no_memory(r->faults); }
        r->storages[r->storage_count] = one;
        r->storages[r->storage_count].first += (int32_t)(i * c.first_step);
        r->storages[r->storage_count++].last += (int32_t)(i * c.last_step);
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
    numbers rows = numbers_of(at);
    int32_t capacity = 0, count = 0;
    const storage *kinds = read_kinds(r, root, &count);
    if (kinds == NULL || (rows.text == NULL && !is_list(at, root, "storages", STORAGES_MAX))) { return false; }
    while (rows.text != NULL && *rows.text != '\0') {
        if (!add_storage(r, &rows, kinds, count, &capacity)) { return false; }
        rows.text += *rows.text == ',';
    }
    for (nnc_json item = rows.at; item.node != NULL; item = nnc_json_next(item)) {
        const int32_t size = nnc_json_type_of(item) == NNC_JSON_LIST ? nnc_json_count(item) : 0;
        numbers row = numbers_of(item);
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
    if (format < 0 || !is_list(shape, at, NULL, RANK_MAX)) { return false; }
    for (nnc_json dim = nnc_json_first(shape); dim.node != NULL; dim = nnc_json_next(dim)) {
        if (!whole(dim, 0, DIM_MAX, &t->shape[t->rank])) { return false; }
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
    if (!is_list(at, root, "shapes", STORAGES_MAX)) { return false; }
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

/* Sets the index of the storage of a tensor to the next number of a list. If the input is not valid, notes a fault and
 * returns false. */
static bool set_storage(const reader *r, numbers *n, tensor *t) {
    int64_t number = 0;
    if (!next_whole(n, 0, r->storage_count - 1, &number)) { return false; }
    t->storage = (int32_t)number;
    t->bytes = fmin(t->bytes, r->storages[number].bytes);
    return true;
}

/* Reads a tensor that is written as two numbers: the index of its entry in "shapes", and its storage. If the input is
 * not valid, notes a fault and returns false. */
static bool read_short(const reader *r, numbers *n, tensor *t) {
    int64_t number = 0;
    if (!next_whole(n, 0, r->shape_count - 1, &number)) { return false; }
    *t = r->shapes[number];
    if (has_more(n) && (n->text != NULL || nnc_json_type_of(n->at) == NNC_JSON_NUMBER)) { return set_storage(r, n, t); }
    nnc_json_mismatch(n->list, "not tensors", "[shape, storage, shape, storage, ...]");
    return false;
}

/* Reads an entry that stands for one tensor or for several equal tensors with consecutive storage numbers; *count
 * receives the number of tensors. If the input is not valid, notes a fault and returns false. */
static bool read_tensor(const reader *r, nnc_json item, tensor *t, int64_t *count) {
    const int32_t size = nnc_json_type_of(item) == NNC_JSON_LIST ? nnc_json_count(item) : 0;
    numbers rest = { .list = item };
    if (size != 3 && size != 4) {
        nnc_json_mismatch(item, "not a tensor", "[dtype, shape, storage], with a count for equal tensors");
        return false;
    }
    return read_shape(item, t, &rest.at) && set_storage(r, &rest, t) &&
           (size == 3 || next_whole(&rest, 1, (double)(r->storage_count - t->storage), count));
}

/* Reads the list of the input or output tensors of an operator. at: this list, which is the member `key` of `op`. If
 * the input is not valid, notes an error and returns false. */
static bool read_tensors(reader *r, nnc_json at, nnc_json op, const char *key, tensors *all) {
    numbers n = numbers_of(at);
    const bool is_short = n.text != NULL || nnc_json_type_of(n.at) == NNC_JSON_NUMBER;
    if (n.text == NULL && !is_list(at, op, key, 2 * TENSORS_MAX)) { return false; }
    all->capacity = count_of(&n) / (is_short ? 2 : 1);
    all->of = nnc_arena_array(r->arena, (size_t)all->capacity + 1, sizeof *all->of);
    if (all->of == NULL) { return nnc_faults_no_memory(r->faults); }
    while (has_more(&n)) {
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
    return n.text == NULL || *n.text == '\0' || refuse_number(at, 0, r->storage_count - 1);
}

/* ---- names of operators ---- */

/* Operators that need more work than reading their inputs and writing their outputs once, and operators whose name
 * decides their group. The names are those in native_functions.yaml of PyTorch. */
static const struct {
    const char *name;
    form form;
    /* group to which the operator always belongs; NNC_GROUP_COUNT = the module and the shapes of the operator decide
     * the group */
    nnc_group group;
} operators[] = {
    { "mm", FORM_PRODUCT, NNC_GROUP_COUNT },
    { "addmm", FORM_PRODUCT, NNC_GROUP_COUNT },
    { "mv", FORM_PRODUCT, NNC_GROUP_COUNT },
    { "addmv", FORM_PRODUCT, NNC_GROUP_COUNT },
    { "dot", FORM_PRODUCT, NNC_GROUP_COUNT },
    { "vdot", FORM_PRODUCT, NNC_GROUP_COUNT },
    { "bmm", FORM_PRODUCT, NNC_GROUP_ATTENTION },
    { "baddbmm", FORM_PRODUCT, NNC_GROUP_ATTENTION },
    { "convolution", FORM_CONV, NNC_GROUP_CONV },
    { "convolution_backward", FORM_CONV_BACKWARD, NNC_GROUP_CONV },
    { "_scaled_dot_product_flash_attention", FORM_ATTENTION, NNC_GROUP_ATTENTION },
    { "_scaled_dot_product_flash_attention_for_cpu", FORM_ATTENTION, NNC_GROUP_ATTENTION },
    { "_scaled_dot_product_efficient_attention", FORM_ATTENTION, NNC_GROUP_ATTENTION },
    { "_scaled_dot_product_cudnn_attention", FORM_ATTENTION, NNC_GROUP_ATTENTION },
    { "_scaled_dot_product_flash_attention_backward", FORM_ATTENTION_BACKWARD, NNC_GROUP_ATTENTION },
    { "_scaled_dot_product_flash_attention_for_cpu_backward", FORM_ATTENTION_BACKWARD, NNC_GROUP_ATTENTION },
    { "_scaled_dot_product_efficient_attention_backward", FORM_ATTENTION_BACKWARD, NNC_GROUP_ATTENTION },
    { "_scaled_dot_product_cudnn_attention_backward", FORM_ATTENTION_BACKWARD, NNC_GROUP_ATTENTION },
    { "embedding", FORM_GATHER, NNC_GROUP_EMBEDDING },
    { "embedding_dense_backward", FORM_KERNEL, NNC_GROUP_EMBEDDING },
    { "_embedding_bag", FORM_BAG, NNC_GROUP_EMBEDDING },
    { "_embedding_bag_forward_only", FORM_BAG, NNC_GROUP_EMBEDDING },
    /* name that capture.py gives to the product of a sparse and a dense matrix */
    { "_sparse_product", FORM_BAG, NNC_GROUP_COUNT },
    { "_embedding_bag_dense_backward", FORM_KERNEL, NNC_GROUP_EMBEDDING },
    { "index_select", FORM_GATHER, NNC_GROUP_COUNT },
    { "gather", FORM_GATHER, NNC_GROUP_COUNT },
    { "index", FORM_GATHER, NNC_GROUP_COUNT },
    { "copy_", FORM_WRITE, NNC_GROUP_COUNT },
    { "fill_", FORM_WRITE, NNC_GROUP_COUNT },
    { "zero_", FORM_WRITE, NNC_GROUP_COUNT },
    { "_softmax", FORM_KERNEL, NNC_GROUP_ATTENTION },
    { "_softmax_backward_data", FORM_KERNEL, NNC_GROUP_ATTENTION },
    { "_log_softmax", FORM_KERNEL, NNC_GROUP_LOSS },
    { "_log_softmax_backward_data", FORM_KERNEL, NNC_GROUP_LOSS },
    { "nll_loss_forward", FORM_KERNEL, NNC_GROUP_LOSS },
    { "nll_loss_backward", FORM_KERNEL, NNC_GROUP_LOSS },
    { "max_pool2d_with_indices", FORM_KERNEL, NNC_GROUP_RESAMPLE },
    { "max_pool2d_with_indices_backward", FORM_KERNEL, NNC_GROUP_RESAMPLE },
    { "cat", FORM_KERNEL, NNC_GROUP_RESAMPLE },
};

enum { SMALL_MATRIX = 128 };

/* Tests by the words of its name whether an operator that is not in the table multiplies matrices. The FLOPs of such an
 * operator are not known, so it must not be treated as a kernel that only moves bytes. Two kinds of operator are
 * treated as such kernels, because they have few FLOPs per byte: a Fourier transform of n complex values has 5 n
 * log2(n) FLOPs for 16 n bytes; a factorization of a matrix of n rows (the words in `factors`) has at most 2 n^3 FLOPs
 * for 8 n^2 bytes in fp32, that is, n / 4 FLOPs per byte; n <= 128 gives at most 32. */
static void find_words(naming *n) {
    static const char *const products[] = { "mm",          "bmm",     "addmm",    "addbmm", "baddbmm", "mv",
                                            "addmv",       "dot",     "vdot",     "matmul", "linear",  "bilinear",
                                            "trilinear",   "einsum",  "rnn",      "lstm",   "gru",     "attention",
                                            "transformer", "cdist",   "svd",      "pinv",   "lstsq",   "eig",
                                            "eigh",        "eigvals", "eigvalsh", "matrix", NULL };
    static const char *const factors[] = { "cholesky", "qr", "lu", "inv", "inverse", "det", "slogdet", "solve", NULL };
    for (const char *at = n->name; *at != '\0';) {
        char word[32];
        const size_t length = strcspn(at, "_");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        n->product = n->product || nnc_is_one_of(word, products) ||
                     (strncmp(at, "conv", 4) == 0 && strncmp(at, "convert", 7) != 0);
        n->factors = n->factors || nnc_is_one_of(word, factors);
        at += length + strspn(at + length, "_");
    }
    /* an operator with thnn_fused in its name computes only the pointwise part of an LSTM or GRU cell, and multiplies
     * no matrices */
    n->product = n->product && strstr(n->name, "thnn_fused") == NULL;
}

/* Returns the properties of an operator that follow from its name alone; NULL = out of memory. */
static const naming *name_of(reader *r, const char *full) {
    static const char *const libraries[] = { "aten.", "prims.", "torchvision." };
    naming **slot = &r->names[nnc_digest_text(NNC_DIGEST_START, full) % NNC_COUNT_OF(r->names)];
    if (*slot != NULL && strcmp((*slot)->full, full) == 0) { return *slot; }
    const char *dot = strchr(full, '.');
    char base[128]; /* the part of the name between the dots: "add_" of "aten.add_.Tensor" */
    snprintf(base, sizeof base, "%.*s", (int)strcspn(dot != NULL ? dot + 1 : full, "."), dot != NULL ? dot + 1 : full);
    naming *n = nnc_arena_alloc(r->arena, sizeof *n);
    const char *name = nnc_arena_strdup(r->arena, base);
    if (n == NULL || name == NULL) { return NULL; }
    *n = (naming){ .full = full, .name = name, .form = FORM_KERNEL, .group = NNC_GROUP_COUNT, .own = dot == NULL };
    for (size_t i = 0; i < NNC_COUNT_OF(operators); i++) {
        if (strcmp(name, operators[i].name) == 0) {
            n->form = operators[i].form;
            n->group = operators[i].group;
        }
    }
    for (size_t i = 0; i < NNC_COUNT_OF(libraries); i++) {
        n->own = n->own || strncmp(full, libraries[i], strlen(libraries[i])) == 0;
    }
    find_words(n);
    nnc_capture_set_rules(n);
    return *slot = n;
}

/* Tests whether the FLOPs of an operator are known. Notes a fault and returns false for an operator that does not
 * belong to PyTorch, and for an operator that multiplies matrices but is not in the table `operators`. */
static bool is_known(nnc_json at, const naming *n, const tensors *in) {
    bool large = false;
    for (int32_t i = 0; i < in->count && n->factors; i++) {
        const tensor *t = &in->of[i];
        large = large || (t->rank > 1 && t->shape[t->rank - 1] > SMALL_MATRIX);
    }
    if (n->own && (n->form != FORM_KERNEL || (!n->product && !large))) { return true; }
    nnc_json_mismatch(at, "the FLOPs of this operator are not known",
                      n->own ? "mm, addmm, bmm, baddbmm, convolution or scaled_dot_product_attention"
                             : "an operator of PyTorch; record the step with an implementation in PyTorch");
    return false;
}

static bool has(const char *text, const char *word) { return strstr(text, word) != NULL; }

/* Returns the group (part of the network) of an operator. The name of the operator decides; if it does not, the path of
 * its module decides; if that does not, the shape of its tensor decides (a feature map has four axes). */
static nnc_group group_of(const reader *r, const char *name, const char *module, nnc_group known, const tensors *out,
                          const tensors *in) {
    const tensor *t = out->count > 0 ? &out->of[0] : in->count > 0 ? &in->of[0] : NULL;
    return known != NNC_GROUP_COUNT                                        ? known
           : has(name, "norm") || has(module, "norm") || has(module, "bn") ? NNC_GROUP_NORM
           : has(name, "loss")                                             ? NNC_GROUP_LOSS
           : has(name, "pool") || has(name, "upsample")                    ? NNC_GROUP_RESAMPLE
           : has(module, "attn") || has(module, "attention")               ? NNC_GROUP_ATTENTION
           : t != NULL && t->rank == 4 && r->program->tokens == 0          ? NNC_GROUP_CONV
                                                                           : NNC_GROUP_MLP;
}

/* ---- dims of operators ---- */

static bool refuse_shapes(const issue *o, const char *expected) {
    nnc_json_fault(o->at, "inputs", "shapes that do not go together, expected %s", expected);
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
    /* a product of complex matrices is counted as four products of real matrices: [re im] x [[re im] [-im re]] */
    if (a->complex) {
        op->k *= 2;
        op->n *= 2;
    }
    op->dtype = a->dtype;
    op->bias = in->count > 2;
    return true;
}

/* Reads stride, transposed and groups of a convolution from its last arguments: [..., stride, padding, dilation,
 * transposed, output padding, groups]. Notes a fault and returns false if the arguments are not those of a
 * convolution. */
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
            if (!whole(arg, 1, DIM_MAX, groups)) { return false; }
        }
    }
    const nnc_json first = lists >= 3 ? nnc_json_first(recent[lists % 3]) : (nnc_json){ 0 };
    if (!known || *groups == 0 || first.node == NULL) {
        nnc_json_fault(o->at, "args",
                       "not those of a convolution, expected stride, padding, dilation, transposed, output "
                       "padding and groups");
        return false;
    }
    return whole(first, 1, DIM_MAX, stride);
}

/* Sets the dims of a convolution from its input x, weight w and output y. If maps have one axis, the height is 1; if
 * they have three axes, the height is depth times height. If the input is not valid, notes a fault and returns
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

/* Tests whether the mask of an attention is causal. In the arguments of the operator the first boolean states this; in
 * those of efficient and cuDNN kernels it is the last boolean, because their first boolean says whether the log-sum-exp
 * is returned. */
static bool is_causal(const issue *o) {
    bool last = false;
    if (!has(o->by->name, "efficient") && !has(o->by->name, "cudnn")) { return first_bool(o); }
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

/* Adds the number of elements of each parameter to the first forward operator that reads the parameter. (Equal layers
 * are recorded once, and backward begins with the last layer, so recorded backward operators read the parameters of
 * another layer.) An operator counts either trained or frozen parameters: the kind of its last parameter, usually the
 * matrix, decides. A parameter of the other kind, such as a frozen bias of a trained matrix, is added to r->loose. If
 * the input is not valid, notes a fault and returns false. */
static bool take_parameters(reader *r, int32_t number, bool table, nnc_captured_op *op) {
    const nnc_json at = r->issues[number].at;
    const tensors *in = &r->issues[number].in;
    bool any = false;
    /* from the last tensor to the first, because the matrix is after the bias, and the kind of the matrix decides */
    for (int32_t i = in->count - 1; i >= 0 && op->phase == NNC_PHASE_FORWARD; i--) {
        const tensor *t = &in->of[i];
        storage *s = &r->storages[t->storage];
        s->reader = number;
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

/* Finds the members of an operator. Notes a fault and returns false if the operator is not a JSON object, has no name,
 * or has an unknown key. */
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

/* Reads an operator of the file: name, phase, module, tensors and repeats, but not yet its FLOPs and bytes. If the
 * input is not valid, notes a fault and returns false. */
static bool read_issue(reader *r, nnc_json at, issue *o) {
    nnc_json found[KEYS] = { { 0 } };
    /* the operator before this one in the file; if this operator does not state its phase or module, they are those of
     * the operator before */
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
         !value(at, found[KEY_MODULE], "module", 0, r->module_count - 1, &o->module)) ||
        !find_entry(&r->args, &found[KEY_ARGS]) || !find_entry(&r->moves, &found[KEY_MOVES]) ||
        (found[KEY_REPEAT].node != NULL && !whole(found[KEY_REPEAT], 1, POSITIONS_MAX, &o->repeat)) ||
        (found[KEY_STEPS].node != NULL && !whole(found[KEY_STEPS], 1, POSITIONS_MAX, &o->steps)) ||
        (o->counts && (!read_tensors(r, found[KEY_INPUTS], at, "inputs", &o->in) ||
                       !read_tensors(r, found[KEY_OUTPUTS], at, "outputs", &o->out)))) {
        return false;
    }
    o->moves = found[KEY_MOVES];
    o->args = found[KEY_ARGS];
    o->by = name_of(r, nnc_json_text(found[KEY_NAME]));
    if (o->by == NULL) { return nnc_faults_no_memory(r->faults); }
    if (o->counts && !is_known(found[KEY_NAME], o->by, &o->in)) { return false; }
    r->program->operators += o->repeat;
    if (!o->counts) {
        r->updates = true;
        r->divides = r->divides || has(o->by->name, "addcdiv") || has(o->by->name, "adam");
        r->signs = r->signs || has(o->by->name, "sign");
        r->fuses = r->fuses || has(o->by->name, "_fused_");
    }
    return true;
}

static bool read_issues(reader *r, nnc_json root) {
    const nnc_json at = nnc_json_get(root, "ops");
    if (!is_list(at, root, "ops", OPS_MAX) || !read_entries(r, root, "args", &r->args) ||
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

/* Computes the work of an operator and adds the operator to the program. Its form decides whether the work is given by
 * dims or by bytes. If the input is not valid, notes a fault and returns false. */
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
        if (good && r->program->image == 0) { r->program->image = op->w_in; }
        break;
    case FORM_CONV_BACKWARD: good = add_conv_backward(r, o, op); break;
    default: set_bytes(how, in, out, op);
    }
    if (good && how != FORM_CONV_BACKWARD) { good = add_op(r, op) != NULL; }
    return good;
}

/* Computes the work of the operator with the index `number` in the file, and adds it to the program. If the input is
 * not valid, notes a fault and returns false. */
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
    op.group = group_of(r, op.name, op.module, o->by->group, &o->out, &o->in);
    if (how == FORM_GATHER && op.group == NNC_GROUP_EMBEDDING && o->in.count > 1 && op.phase == NNC_PHASE_FORWARD &&
        (double)r->program->tokens < o->in.of[1].elements) {
        r->program->tokens = (int64_t)o->in.of[1].elements;
    }
    if (!nnc_capture_note_tensors(r, how, &o->in, &o->out) ||
        !take_parameters(r, number, op.group == NNC_GROUP_EMBEDDING, &op)) {
        return false;
    }
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
    r->refs = nnc_arena_array(r->arena, count, sizeof *r->refs);
    r->ops = nnc_arena_array(r->arena, count, sizeof *r->ops);
    r->ref_capacity = r->capacity = (int32_t)count;
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

/* ---- positions of the step ---- */

/* Returns an array with one entry for each position of the unfolded step: the index of the operator of the file that
 * ran there. *count receives the number of positions. If the input is not valid, notes an error and returns NULL. */
/* Most of the function checks the file. NOLINTNEXTLINE(readability-function-cognitive-complexity) */
static int32_t *place_ops(reader *r, nnc_json root, int32_t *count) {
    const nnc_json blocks = r->blocks;
    int32_t at = 0, total = 0;
    if (r->program->operators > POSITIONS_MAX) {
        nnc_json_fault(root, "ops", "too many, expected at most %d in a step", POSITIONS_MAX);
        return NULL;
    }
    int32_t *places = nnc_arena_array(r->arena, (size_t)r->program->operators + 1, sizeof *places);
    if (!is_list(blocks, root, "blocks", OPS_MAX) || places == NULL) {
        if (places == NULL) { nnc_faults_no_memory(r->faults); }
        return NULL;
    }
    for (nnc_json item = nnc_json_first(blocks);; item = nnc_json_next(item)) {
        int64_t first = r->file_ops, length = 0, repeat = 0;
        if (item.node != NULL) {
            const nnc_json begin = nnc_json_first(item), size = nnc_json_next(begin);
            if (nnc_json_type_of(item) != NNC_JSON_LIST || nnc_json_count(item) != 3) {
                nnc_json_mismatch(item, "not a block", "[first op, number of ops, repeat]");
                return NULL;
            }
            if (!whole(begin, at, r->file_ops, &first) || !whole(size, 1, (double)(r->file_ops - first), &length) ||
                !whole(nnc_json_next(size), 1, POSITIONS_MAX, &repeat)) {
                return NULL;
            }
        }
        for (; at < first; at++) {
            if (total < r->program->operators) { places[total++] = at; }
        }
        for (int64_t i = 0; i < repeat; i++) {
            for (int64_t j = 0; j < length; j++) {
                if (total < r->program->operators) { places[total++] = (int32_t)(first + j); }
            }
        }
        at += (int32_t)length;
        if (item.node == NULL) { break; }
    }
    if (total != r->program->operators) {
        nnc_json_fault(root, "blocks",
                       "do not agree with the repeats of the ops, expected %" PRId64 " positions, found %" PRId32,
                       r->program->operators, total);
        return NULL;
    }
    *count = total;
    return places;
}

/* Returns the optimizer of the step. It is found by the operators of the update and by the number of state elements per
 * trained weight; NNC_OPTIMIZER_COUNT = the step has no operators of an optimizer. Adam and RMSprop divide by the root
 * of their second moment; RMSprop and Adagrad have no first moment. Lion takes the sign. SGD without momentum has no
 * state. RAdam and Adadelta have two states per weight and are counted as Adam. */
static nnc_optimizer optimizer_of(const reader *r) {
    double states = 0.0, weights = 0.0;
    for (int32_t i = 0; i < r->storage_count; i++) {
        const double elements = r->storages[i].bytes / r->storages[i].width;
        states += r->storages[i].kind == STATE ? elements : 0.0;
        weights += r->storages[i].kind == PARAMETER ? elements : 0.0;
    }
    const bool one = states >= 0.5 * weights && states < 1.5 * weights;
    return !r->updates              ? NNC_OPTIMIZER_COUNT
           : r->divides             ? (one ? NNC_OPTIMIZER_RMSPROP : NNC_OPTIMIZER_ADAMW)
           : states < 0.5 * weights ? NNC_OPTIMIZER_SGD
           : !one                   ? NNC_OPTIMIZER_ADAMW
           : r->signs               ? NNC_OPTIMIZER_LION
                                    : NNC_OPTIMIZER_MOMENTUM;
}

/* Returns the kind of kernels of the optimizer update. If the file states the kind, returns it. Otherwise returns fused
 * if the update is one operator, and foreach (kernels for lists of tensors) if not. foreach is the default of
 * torch.optim on a GPU, and is assumed even if the step was recorded on a CPU with one operator per tensor. Returns
 * NNC_OPTIMIZER_KERNELS_COUNT after noting a fault. */
static nnc_optimizer_kernels kernels_of(const reader *r, nnc_json root) {
    const nnc_json at = nnc_json_get(root, "optimizer"), word = nnc_json_get(at, "kernels");
    const char *name = nnc_json_type_of(word) == NNC_JSON_TEXT ? nnc_json_text(word) : "";
    if (at.node == NULL) { return r->fuses ? NNC_KERNELS_FUSED : NNC_KERNELS_FOREACH; }
    for (nnc_optimizer_kernels i = NNC_KERNELS_FUSED; i < NNC_OPTIMIZER_KERNELS_COUNT; i++) {
        if (strcmp(name, nnc_optimizer_kernels_name(i)) == 0) { return i; }
    }
    nnc_json_mismatch(word.node != NULL ? word : at, "unknown kernels of the optimizer", "fused, foreach or loop");
    return NNC_OPTIMIZER_KERNELS_COUNT;
}

/* Largest number of tensors that one launch of a kernel for lists of tensors processes. list_tensors: for an operation
 * with two tensors per parameter. fused_tensors: for the fused kernel of Adam, with four tensors per parameter. Source:
 * depth_to_max_tensors, aten/src/ATen/native/cuda/MultiTensorApply.cuh of PyTorch. */
static const double list_tensors = 64.0, fused_tensors = 36.0;
static const double launch_elements =
    /* largest number of elements that one launch processes: depth_to_max_blocks x kChunkSize of PyTorch */
    320.0 * 65536.0;

/* Adds to *l the kernel launches of `calls` updates of a list of `count` tensors with `elements` elements together. */
static void add_launches(nnc_launches *l, double count, double elements, double calls) {
    const double chunks = nnc_ceil(elements / launch_elements);
    l->loop += calls * count;
    l->lists += calls * nnc_max(nnc_ceil(count / list_tensors), chunks);
    l->fused += calls * nnc_max(nnc_ceil(count / fused_tensors), chunks);
}

/* Returns the position of an optimizer in a list that begins with the optimizer with the most operations and states; -1
 * = not in the list. If one step has several optimizers, the one with the lowest position is used for all parameters,
 * so the cost of the update is an upper bound. */
static int rank_of(nnc_optimizer kind) {
    static const nnc_optimizer ranks[] = { NNC_OPTIMIZER_ADAMW,    NNC_OPTIMIZER_ADAM, NNC_OPTIMIZER_RMSPROP,
                                           NNC_OPTIMIZER_MOMENTUM, NNC_OPTIMIZER_LION, NNC_OPTIMIZER_SGD };
    const int count = (int)(sizeof ranks / sizeof ranks[0]);
    int rank = 0;
    while (rank < count && ranks[rank] != kind) { rank++; }
    return rank < count ? rank : -1;
}

/* Reads an entry [kind, tensors, elements, calls]: an optimizer of this kind updates a list of tensors with these
 * numbers of tensors and elements, and is called `calls` times. If the input is not valid, notes a fault and returns
 * false. */
static bool read_group(nnc_json at, nnc_launches *l, double *updated, double *trained, nnc_optimizer *kind) {
    const nnc_names names = { nnc_optimizer_name, NNC_OPTIMIZER_COUNT };
    const nnc_json word = nnc_json_first(at), size = nnc_json_next(word);
    const bool good = nnc_json_type_of(at) == NNC_JSON_LIST && nnc_json_count(at) == 4;
    const int found = good && nnc_json_type_of(word) == NNC_JSON_TEXT ? nnc_names_find(names, nnc_json_text(word)) : -1;
    int64_t count = 0, elements = 0, calls = 0;
    if (found < 0) {
        nnc_json_mismatch(good ? word : at, "not a list of tensors of an optimizer",
                          "[kind, tensors, elements, calls], kind as of --optimizer");
        return false;
    }
    if (!whole(size, 1, OPS_MAX, &count) || !whole(nnc_json_next(size), 1, BYTES_MAX, &elements) ||
        !whole(nnc_json_next(nnc_json_next(size)), 1, OPS_MAX, &calls)) {
        return false;
    }
    add_launches(l, (double)count, (double)elements, (double)calls);
    *updated += (double)calls * (double)elements;
    *trained += (double)elements;
    if (*kind == NNC_OPTIMIZER_COUNT || rank_of((nnc_optimizer)found) < rank_of(*kind)) {
        *kind = (nnc_optimizer)found;
    }
    return true;
}

/* Reads the lists of tensors that the optimizers update. If the file has no such lists, or if the caller freezes other
 * modules than the recorded program, all trained parameters are taken as one list. If the input is not valid, notes a
 * fault and returns false. */
static bool read_groups(reader *r, nnc_json root) {
    const nnc_json groups = nnc_json_get(nnc_json_get(root, "optimizer"), "groups");
    nnc_launches *l = &r->program->launches;
    double updated = 0.0, trained = 0.0;
    if (groups.node != NULL && r->asked == NULL) {
        nnc_optimizer kind = NNC_OPTIMIZER_COUNT;
        if (!is_list(groups, root, "groups", OPS_MAX)) { return false; }
        for (nnc_json at = nnc_json_first(groups); at.node != NULL; at = nnc_json_next(at)) {
            if (!read_group(at, l, &updated, &trained, &kind)) { return false; }
        }
        l->updates = trained > 0.0 ? updated / trained : 1.0;
        if (r->program->optimizer != NNC_OPTIMIZER_COUNT && kind != NNC_OPTIMIZER_COUNT) {
            r->program->optimizer = kind;
        }
        return true;
    }
    for (int32_t i = 0; i < r->storage_count; i++) {
        if (r->storages[i].kind == PARAMETER) {
            updated += 1.0;
            trained += r->storages[i].bytes / r->storages[i].width;
        }
    }
    if (updated > 0.0) { add_launches(l, updated, trained, 1.0); }
    l->updates = 1.0;
    return true;
}

/* ---- reads the whole file ---- */

/* r->loose has numbers of parameters (trained, frozen) that no operator counts yet. Adds one of these numbers to the
 * first forward operator that has no parameters of the other kind. */
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
    return member(at, "count", 1, BYTES_MAX, &r->count_params) &&
           member(at, "trained", 0, BYTES_MAX, &r->trained_params);
}

/* Tests whether the program trains: it has operators outside of forward. A program without such operators is a forward
 * pass. */
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
        nnc_json_fault(at, "count", "fewer than the operators read, expected %" PRId64 ", found %" PRId64,
                       r->program->params, count);
        return false;
    }
    if (r->program->params - r->frozen_params > trained || r->frozen_params > count - trained ||
        (trained == 0 && has_backward(r))) {
        nnc_json_fault(at, "trained", "not the storages of kind parameter, expected %" PRId64 ", found %" PRId64,
                       r->program->params - r->frozen_params, trained);
        return false;
    }
    /* r->loose gets the parameters that no operator reads */
    r->loose[0] += (double)(trained - (r->program->params - r->frozen_params));
    r->loose[1] += (double)(count - trained - r->frozen_params);
    add_loose(r, false);
    add_loose(r, true);
    r->program->params = count;
    return true;
}

/* Returns the number format in which most bytes of the trained parameters are stored; for a forward pass without
 * training, of all parameters. */
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
    int most = 0; /* bytes of one parameter in the format with the most bytes so far */
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
    static const char *const keys[] = { "schema", "source",   "batch", "parameters", "modules",   "ops",
                                        "blocks", "storages", "note",  "second",     "optimizer", "owners",
                                        "saved",  "shapes",   "kinds", "args",       "moves",     NULL };
    const nnc_json batch = nnc_json_get(root, "batch");
    int32_t count = 0;
    for (nnc_json key = nnc_json_first(root); key.node != NULL; key = nnc_json_next(key)) {
        if (!nnc_is_one_of(nnc_json_key(key), keys)) {
            nnc_json_fault(key, NULL,
                           "unknown key, expected schema, source, batch, parameters, modules, ops, "
                           "blocks, storages, shapes, kinds, args, moves, owners, saved, optimizer or second");
            return false;
        }
    }
    r->program->batch = 1; /* if "batch" is null in the file, nncost counts the whole step as one sample */
    if (nnc_json_type_of(batch) != NNC_JSON_NULL && !member(root, "batch", 1, POSITIONS_MAX, &r->program->batch)) {
        return false;
    }
    r->blocks = nnc_json_get(root, "blocks");
    if (!read_modules(r, root) || !read_storages(r, root) || !read_shapes(r, root) || !read_issues(r, root) ||
        !read_parameters(r, root)) {
        return false;
    }
    r->optimizer = optimizer_of(r);
    const int32_t *places = place_ops(r, root, &count);
    if (places != NULL && r->asked != NULL) { places = nnc_capture_change(r, root, places, &count); }
    if (places == NULL || !add_issues(r)) { return false; }
    if (r->count == 0 || r->ops[0].phase != NNC_PHASE_FORWARD) {
        nnc_json_fault(root, "ops", "no step, expected operators of forward and of backward");
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
    r->program->kernels = kernels_of(r, root);
    if (r->program->kernels == NNC_OPTIMIZER_KERNELS_COUNT || !read_groups(r, root)) { return false; }
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
        nnc_json_fault(at, "batch", "as in the first step, expected another than %" PRId64, one->batch);
        return false;
    }
    if (two->count != one->count || two->params != one->params || two->dtype != one->dtype ||
        two->slot_count != one->slot_count || two->frozen != one->frozen) {
        nnc_json_fault(at, NULL,
                       "not the same program, expected %" PRId32 " operators and %" PRId64
                       " parameters in %s, found %" PRId32 ", %" PRId64 " and %s",
                       one->count, one->params, nnc_dtype_name(one->dtype), two->count, two->params,
                       nnc_dtype_name(two->dtype));
        return false;
    }
    for (int32_t i = 0; i < one->count; i++) {
        const nnc_captured_op *a = &one->ops[i], *b = &two->ops[i];
        if (strcmp(a->name, b->name) != 0 || a->kind != b->kind || a->phase != b->phase || a->again != b->again ||
            a->repeat != b->repeat) {
            nnc_json_fault(at, "ops", "not the same program, expected %s, found %s", a->name, b->name);
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
        nnc_json_fault(root, "family", "a capture is a file of its own, expected schema " NNC_CAPTURE_SCHEMA);
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
