/* Reads objects by tables: field tables for files, tables of metrics for recorded results. An error is noted in the
 * list of faults of the document, and reading continues with the next member. */
#include <nncost/serve.h>

#include "input/input_internal.h"

enum { NAMES_MAX = 160 };

static void mismatch(nnc_json at, const nnc_field *field, const char *what) {
    char expected[256];
    nnc_field_expected(field, expected, sizeof(expected));
    nnc_json_mismatch(at, what, expected);
}

/* Reads a number from a text that consists of a number and its unit, such as "24GiB". Returns false for a text of
 * another form, for example a number without a unit. */
static bool read_united(const char *text, const nnc_field *field, double *value) {
    const size_t length = strlen(text);
    return field->unit != NULL && length > 0 && !(text[length - 1] >= '0' && text[length - 1] <= '9') &&
           nnc_read_quantity(text, field->unit, false, value);
}

static void read_number(nnc_json at, const nnc_field *field, void *place, int index) {
    char expected[256];
    double value = 0.0;
    if (nnc_json_type_of(at) == NNC_JSON_NULL) {
        return; /* null means that the file does not state the value, as if the key were absent */
    }
    if (nnc_json_type_of(at) == NNC_JSON_NUMBER) {
        value = nnc_json_number(at);
    } else if (nnc_json_type_of(at) != NNC_JSON_TEXT || !read_united(nnc_json_text(at), field, &value)) {
        mismatch(at, field, "wrong type");
        return;
    }
    const char *what = nnc_field_refuse(field, value, expected, sizeof(expected));
    if (what != NULL) {
        nnc_json_mismatch(at, what, expected);
    } else {
        nnc_field_store(field, place, index, value);
    }
}

static void read_bool(nnc_json at, const nnc_field *field, void *place, int index) {
    if (nnc_json_type_of(at) != NNC_JSON_BOOL) {
        mismatch(at, field, "wrong type");
    } else {
        nnc_field_store(field, place, index, nnc_json_bool(at));
    }
}

static void read_name(nnc_json at, const nnc_field *field, void *place, int index) {
    if (nnc_json_type_of(at) != NNC_JSON_TEXT) {
        mismatch(at, field, "wrong type");
        return;
    }
    const int value = nnc_names_find(field->names, nnc_json_text(at));
    if (value < 0) {
        mismatch(at, field, "unknown value");
    } else {
        nnc_field_store(field, place, index, value);
    }
}

static void read_text(nnc_json at, const nnc_field *field, void *place) {
    if (nnc_json_type_of(at) != NNC_JSON_TEXT) {
        mismatch(at, field, "wrong type");
        return;
    }
    const size_t length = strlen(nnc_json_text(at));
    if (length == 0) {
        mismatch(at, field, "empty");
    } else if (field->size > 0 && length >= field->size) {
        mismatch(at, field, "too long");
    } else if (field->size > 0) {
        memcpy(place, nnc_json_text(at), length + 1);
    }
}

static void read_list(nnc_json at, const nnc_field *field, void *object) {
    char *base = object;
    int32_t count = 0;
    if (nnc_json_type_of(at) != NNC_JSON_LIST) {
        mismatch(at, field, "wrong type");
        return;
    }
    if (nnc_json_count(at) < 1 || nnc_json_count(at) > field->capacity) {
        mismatch(at, field, "wrong length");
        return;
    }
    nnc_field one = *field;
    one.type = nnc_field_element(field->type);
    for (nnc_json item = nnc_json_first(at); item.node != NULL; item = nnc_json_next(item)) {
        if (one.type == NNC_FIELD_BOOL) {
            read_bool(item, &one, base + field->offset, count++);
        } else if (one.type == NNC_FIELD_ENUM) {
            read_name(item, &one, base + field->offset, count++);
        } else if (nnc_json_type_of(item) == NNC_JSON_NULL) {
            mismatch(item, &one, "wrong type");
        } else {
            read_number(item, &one, base + field->offset, count++);
        }
    }
    memcpy(base + field->count_offset, &count, sizeof(count));
}

static const nnc_names dtypes = { nnc_dtype_name, NNC_DTYPE_COUNT };

/* Returns the number format whose name is the key; NNC_DTYPE_COUNT = the key is not the name of a number format. */
static nnc_dtype dtype_of_key(nnc_json at) {
    const int found = nnc_names_find(dtypes, nnc_json_key(at));
    return found < 0 ? NNC_DTYPE_COUNT : (nnc_dtype)found;
}

static void refuse_key(nnc_json at, const char *what, const char *const *names, size_t count) {
    const char *key = nnc_json_key(at);
    const char *near = nnc_nearest(key, names, count);
    nnc_json_fault(at, NULL, "unknown key, expected a key of the %s%s%s%s, found \"%.60s\"", what,
                   near != NULL ? ", perhaps \"" : "", near != NULL ? near : "", near != NULL ? "\"" : "", key);
}

static bool is_note(nnc_json at) {
    if (strcmp(nnc_json_key(at), "note") != 0) { return false; }
    if (nnc_json_type_of(at) != NNC_JSON_TEXT) { nnc_json_mismatch(at, "wrong type", "text"); }
    return true;
}

static void read_by_dtype(nnc_json at, const nnc_field *field, void *place) {
    const size_t size = field->size / NNC_DTYPE_COUNT;
    nnc_field one = *field;
    one.type = nnc_field_element(field->type);
    if (nnc_json_type_of(at) != NNC_JSON_OBJECT) {
        mismatch(at, field, "wrong type");
        return;
    }
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item); item = nnc_json_next(item)) {
        const nnc_dtype dtype = dtype_of_key(item);
        if (is_note(item)) { continue; }
        if (dtype == NNC_DTYPE_COUNT) {
            const char *formats[NNC_DTYPE_COUNT];
            for (int i = 0; i < NNC_DTYPE_COUNT; i++) { formats[i] = nnc_dtype_name((nnc_dtype)i); }
            refuse_key(item, field->name, formats, NNC_DTYPE_COUNT);
        } else if (field->type == NNC_FIELD_RATES) {
            read_number(item, &one, place, (int)dtype);
        } else {
            const nnc_field_table inner = { field->name, field->fields, field->field_count };
            nnc_read_object(item, &inner, NULL, (char *)place + (size_t)dtype * size);
        }
    }
}

static void read_flags(nnc_json at, const nnc_field *field, unsigned *flags) {
    if (nnc_json_type_of(at) != NNC_JSON_TEXT || !nnc_flags_read(nnc_flags_of(field->type), nnc_json_text(at), flags)) {
        mismatch(at, field, "unknown value");
    }
}

void nnc_read_field(nnc_json at, const nnc_field *field, void *object) {
    void *place = (char *)object + field->offset;
    switch (field->type) {
    case NNC_FIELD_BOOL: read_bool(at, field, place, 0); break;
    case NNC_FIELD_I32:
    case NNC_FIELD_I64:
    case NNC_FIELD_F64: read_number(at, field, place, 0); break;
    case NNC_FIELD_ENUM: read_name(at, field, place, 0); break;
    case NNC_FIELD_TEXT: read_text(at, field, place); break;
    case NNC_FIELD_I32_LIST:
    case NNC_FIELD_I64_LIST:
    case NNC_FIELD_BOOL_LIST:
    case NNC_FIELD_ENUM_LIST: read_list(at, field, object); break;
    case NNC_FIELD_RATES:
    case NNC_FIELD_OBJECT_BY_DTYPE: read_by_dtype(at, field, place); break;
    case NNC_FIELD_OBJECT: {
        const nnc_field_table inner = { field->name, field->fields, field->field_count };
        /* null in place of an object means that the object is not inherited from the file that the key "like" names */
        if (nnc_json_type_of(at) != NNC_JSON_NULL) { nnc_read_object(at, &inner, NULL, place); }
        break;
    }
    case NNC_FIELD_ADAPTERS: read_flags(at, field, place); break;
    case NNC_FIELD_OFFLOAD:
    case NNC_FIELD_TRAIN:
    case NNC_FIELD_RECOMPUTE: mismatch(at, field, "not kept in files"); break;
    }
}

void nnc_refuse_unknown(nnc_json at, const nnc_field_table *table, const char *const *others) {
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < table->count && count < NAMES_MAX; i++) { names[count++] = table->fields[i].name; }
    for (; others != NULL && *others != NULL && count < NAMES_MAX; others++) { names[count++] = *others; }
    refuse_key(at, table->what, names, count);
}

static void require(nnc_json at, const nnc_field *field) {
    const nnc_json value = nnc_json_get(at, field->name);
    if (nnc_json_type_of(value) == NNC_JSON_ABSENT || nnc_json_type_of(value) == NNC_JSON_NULL) {
        char expected[256];
        nnc_field_expected(field, expected, sizeof(expected));
        nnc_json_fault(at, field->name, "missing, expected %s, found nothing", expected);
    }
}

/* Reads the members of a JSON object by a field table. If a field is itself an object with a field table, as in device,
 * efficiency, gemm, the function calls itself for this object, through nnc_read_field. */
void nnc_read_object(nnc_json at, const nnc_field_table *table, const char *const *others, void *object) {
    if (!nnc_json_expect(at, NNC_JSON_OBJECT, "an object")) { return; }
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item); item = nnc_json_next(item)) {
        const nnc_field *field = nnc_field_of_key(table, nnc_json_key(item));
        if (field != NULL) {
            nnc_read_field(item, field, object);
        } else if (!is_note(item) && !nnc_is_one_of(nnc_json_key(item), others) &&
                   (others != NULL || strcmp(nnc_json_key(item), "same_as") != 0)) {
            nnc_refuse_unknown(item, table, others);
        }
    }
    for (size_t i = 0; i < table->count && nnc_json_go_on(at); i++) {
        if (table->fields[i].required) { require(at, &table->fields[i]); }
    }
}

void *nnc_read_objects(nnc_json at, const nnc_field_table *table, const char *const *others, size_t size,
                       int32_t *count) {
    *count = 0;
    if (nnc_json_type_of(at) == NNC_JSON_ABSENT || nnc_json_type_of(at) == NNC_JSON_NULL) { return NULL; }
    if (nnc_json_type_of(at) != NNC_JSON_LIST) {
        char expected[64];
        snprintf(expected, sizeof(expected), "a list of %ss", table->what);
        nnc_json_mismatch(at, "wrong type", expected);
        return NULL;
    }
    char *list = nnc_arena_array(at.doc->arena, (size_t)nnc_json_count(at) + 1, size);
    if (list == NULL) {
        nnc_faults_no_memory(at.doc->faults);
        return NULL;
    }
    for (nnc_json item = nnc_json_first(at); item.node != NULL; item = nnc_json_next(item)) {
        char *object = list + (size_t)(*count)++ * size;
        nnc_fields_init(table, object);
        nnc_read_object(item, table, others, object);
    }
    return list;
}

/* Checks the value of a field that is a whole number. Returns the error if the value is not allowed; NULL = the value
 * is allowed, or the field has another type. */
static const char *refuse_whole(const nnc_field *field, const void *object, double *value, char *expected,
                                size_t size) {
    const char *place = (const char *)object + field->offset;
    if (field->type == NNC_FIELD_I32) {
        *value = *(const int32_t *)(const void *)place;
    } else if (field->type == NNC_FIELD_I64) {
        *value = (double)*(const int64_t *)(const void *)place;
    } else {
        return NULL;
    }
    const bool absent = *value == 0 && !field->required;
    return absent ? NULL : nnc_field_refuse(field, *value, expected, size);
}

bool nnc_check_ranges(nnc_json at, const nnc_field_table *table, const void *object) {
    bool suits = true;
    for (size_t i = 0; i < table->count && nnc_json_go_on(at); i++) {
        const nnc_field *field = &table->fields[i];
        char expected[256];
        double value = 0;
        const char *what = refuse_whole(field, object, &value, expected, sizeof(expected));
        if (what != NULL) {
            char found[NNC_NUMBER_TEXT];
            nnc_json_fault(at, field->name, "%s, expected %s, found %s", what, expected, nnc_number_text(value, found));
            suits = false;
        }
    }
    return suits;
}

/* ---- parts of every spec file: schema, id, texts, sources ---- */

const char *nnc_read_text(nnc_json at) {
    if (nnc_json_type_of(at) == NNC_JSON_ABSENT) { return NULL; }
    if (!nnc_json_expect(at, NNC_JSON_TEXT, "text")) { return NULL; }
    const char *copy = nnc_arena_strdup(at.doc->arena, nnc_json_text(at));
    if (copy == NULL) { nnc_faults_no_memory(at.doc->faults); }
    return copy;
}

void nnc_read_texts(nnc_json at, const char *const **texts, int32_t *count) {
    int32_t used = 0;
    if (nnc_json_type_of(at) == NNC_JSON_ABSENT) { return; }
    if (!nnc_json_expect(at, NNC_JSON_LIST, "a list of texts")) { return; }
    const char **list = nnc_arena_array(at.doc->arena, (size_t)nnc_json_count(at), sizeof(*list));
    if (list == NULL) {
        nnc_faults_no_memory(at.doc->faults);
        return;
    }
    for (nnc_json item = nnc_json_first(at); item.node != NULL; item = nnc_json_next(item)) {
        const char *text = nnc_read_text(item);
        if (text != NULL) { list[used++] = text; }
    }
    *texts = list;
    *count = used;
}

/* Tests whether a key of "sources" is valid: the key is "" (the whole file), a key of the file, or a dotted name whose
 * first part is a key of the file. */
static bool names_fields(const char *key, const nnc_field_table *table, const char *const *others) {
    char first[64];
    const size_t length = strcspn(key, ".");
    if (length >= sizeof(first)) { return false; }
    memcpy(first, key, length);
    first[length] = '\0';
    return key[0] == '\0' || nnc_field_of_key(table, first) != NULL || nnc_is_one_of(first, others);
}

/* A list of sources that grows while sources are added. The list is allocated in the arena. */
typedef struct source_list {
    nnc_source *list;
    int32_t count, capacity;
} source_list;

static void add_source(source_list *to, const char *key, nnc_json text) {
    nnc_arena *arena = text.doc->arena;
    nnc_source *list = nnc_arena_grow(arena, to->list, to->count, &to->capacity, sizeof(*list));
    const nnc_source source = { nnc_arena_strdup(arena, key), nnc_read_text(text) };
    if (list == NULL || source.key == NULL) {
        nnc_faults_no_memory(text.doc->faults);
        return;
    }
    to->list = list;
    if (source.text != NULL) { to->list[to->count++] = source; }
}

static void add_sources(nnc_json item, source_list *to) {
    if (nnc_json_type_of(item) != NNC_JSON_LIST) {
        add_source(to, nnc_json_key(item), item);
        return;
    }
    if (nnc_json_count(item) == 0) { nnc_json_mismatch(item, "empty", "the source of the value"); }
    for (nnc_json one = nnc_json_first(item); one.node != NULL; one = nnc_json_next(one)) {
        add_source(to, nnc_json_key(item), one);
    }
}

void nnc_read_sources(nnc_json root, const nnc_field_table *table, const char *const *others,
                      const nnc_source **sources, int32_t *count) {
    const nnc_json at = nnc_json_get(root, "sources");
    source_list list = { .count = 0 };
    /* A file may lack sources. Only shipped files must have sources, and tests/shipped.sh checks this. */
    if (nnc_json_type_of(at) == NNC_JSON_ABSENT) { return; }
    if (nnc_json_type_of(at) != NNC_JSON_OBJECT || nnc_json_count(at) == 0) {
        nnc_json_mismatch(at, "no sources", "an object of texts or lists of texts");
        return;
    }
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item); item = nnc_json_next(item)) {
        if (!names_fields(nnc_json_key(item), table, others)) { nnc_refuse_unknown(item, table, others); }
        add_sources(item, &list);
    }
    *sources = list.list;
    *count = list.count;
}

/* Adds the text of each key "fitted_on", in an object and in the objects inside it, to the list of sources. The
 * function calls itself for each object inside the object. */
static void add_fitted(nnc_json at, const char *name, source_list *to) {
    char below[96];
    const nnc_json text = nnc_json_get(at, "fitted_on");
    if (nnc_json_type_of(text) == NNC_JSON_TEXT) { add_source(to, name, text); }
    for (nnc_json child = nnc_json_first(at); child.node != NULL; child = nnc_json_next(child)) {
        if (nnc_json_type_of(child) == NNC_JSON_OBJECT) {
            snprintf(below, sizeof below, "%.60s.%.30s", name, nnc_json_key(child));
            add_fitted(child, below, to);
        }
    }
}

void nnc_read_fitted(nnc_json root, const char *key, const nnc_source **sources, int32_t *count) {
    source_list list = { .count = 0 };
    add_fitted(nnc_json_get(root, key), key, &list);
    nnc_source *all = nnc_arena_array(root.doc->arena, (size_t)(*count + list.count) + 1, sizeof *all);
    if (all == NULL) {
        nnc_faults_no_memory(root.doc->faults);
        return;
    }
    for (int32_t i = 0; i < *count + list.count; i++) { all[i] = i < *count ? (*sources)[i] : list.list[i - *count]; }
    *sources = all;
    *count += list.count;
}

static bool is_id(const char *id) {
    return id[0] != '\0' && id[0] != '.' && strchr(id, '/') == NULL && strstr(id, "..") == NULL;
}

void nnc_read_schema(nnc_json root, const char *schema) {
    const nnc_json kind = nnc_json_get(root, "schema");
    if (nnc_json_type_of(kind) == NNC_JSON_ABSENT) {
        nnc_json_fault(root, "schema", "missing, expected \"%s\", found nothing", schema);
    } else if (nnc_json_type_of(kind) != NNC_JSON_TEXT || strcmp(nnc_json_text(kind), schema) != 0) {
        char expected[64];
        snprintf(expected, sizeof(expected), "\"%s\"", schema);
        nnc_json_mismatch(kind, "unknown schema", expected);
    }
}

void nnc_read_id(nnc_json root, const char *stem) {
    const nnc_json id = nnc_json_get(root, "id");
    /* if the id is not a text, nnc_read_object has already noted an error */
    if (nnc_json_type_of(id) != NNC_JSON_TEXT) { return; }
    if (!is_id(nnc_json_text(id))) {
        nnc_json_mismatch(id, "bad id", "a file name without '/' or \"..\"");
    } else if (stem != NULL && strcmp(stem, nnc_json_text(id)) != 0) {
        char expected[96];
        snprintf(expected, sizeof(expected), "\"%s\"", stem);
        nnc_json_mismatch(id, "not the name of the file", expected);
    }
}

void nnc_name_by_id(char *name, size_t size, const char *id) {
    if (name[0] == '\0') { snprintf(name, size, "%s", id); }
}

void nnc_read_identity(nnc_json root, const char *schema, const char *stem) {
    nnc_read_schema(root, schema);
    nnc_read_id(root, stem);
}

/* ---- recorded results, read back by tables of metrics ---- */

/* 2^53: a double represents every whole number up to this value exactly. */
#define WHOLE_MAX 9007199254740992.0

/* For each type of metric: the JSON type that a recorded value must have, and how messages name this JSON type. */
static const struct {
    nnc_json_type type;
    const char *expected;
} wanted[] = {
    [NNC_METRIC_NUMBER] = { NNC_JSON_NUMBER, "a number" },  [NNC_METRIC_WHOLE] = { NNC_JSON_NUMBER, "a whole number" },
    [NNC_METRIC_BOOL] = { NNC_JSON_BOOL, "true or false" }, [NNC_METRIC_TEXT] = { NNC_JSON_TEXT, "text" },
    [NNC_METRIC_CHARS] = { NNC_JSON_TEXT, "text" },         [NNC_METRIC_ENUM] = { NNC_JSON_TEXT, "text" },
    [NNC_METRIC_OBJECT] = { NNC_JSON_OBJECT, "an object" }, [NNC_METRIC_LIST] = { NNC_JSON_LIST, "a list" },
};

/* Returns the address to which row->offset is added to find a metric. If row->hop is 0, the result is the address of
 * `record`; otherwise it is the address of another record, to which a pointer in `record` points. */
static char *base_of(const nnc_metric *row, void *record) {
    char *at = record;
    if (row->hop > 0) { memcpy(&at, &at[row->hop - 1], sizeof at); }
    return at;
}

static void put_whole(char *at, size_t size, int64_t whole) {
    const int32_t narrow = (int32_t)whole;
    memcpy(at, size == sizeof whole ? (const void *)&whole : (const void *)&narrow, size);
}

static void take_whole(nnc_json value, char *at, size_t size) {
    const double number = nnc_json_number(value);
    const double most = size == sizeof(int64_t) ? WHOLE_MAX : (double)INT32_MAX;
    if (!(number >= 0.0 && number <= most && floor(number) >= number)) {
        nnc_json_mismatch(value, "out of range", "a whole number as nncost writes it");
        return;
    }
    put_whole(at, size, (int64_t)number);
}

static void take_text(nnc_json value, const nnc_metric *row, char *at) {
    if (row->type == NNC_METRIC_CHARS) {
        snprintf(at, row->size, "%s", nnc_json_text(value));
        return;
    }
    const char *copy = nnc_arena_strdup(value.doc->arena, nnc_json_text(value));
    if (copy == NULL) { nnc_faults_no_memory(value.doc->faults); }
    memcpy(at, &copy, sizeof copy);
}

static void take_enum(nnc_json value, const nnc_metric *row, char *at) {
    const nnc_names names = { row->name_of, row->values };
    const int index = nnc_names_find(names, nnc_json_text(value));
    if (index < 0) {
        const nnc_field like = { .type = NNC_FIELD_ENUM, .names = names };
        char expected[256];
        nnc_field_expected(&like, expected, sizeof expected);
        nnc_json_mismatch(value, "unknown value", expected);
        return;
    }
    put_whole(at, row->size, index);
}

/* State of reading a JSON object into `record`. The members of the object are read one by one; the record already has
 * the values of earlier members. owner: the record with the list that contains `record`; NULL = `record` is in no
 * list. */
typedef struct reading {
    nnc_json object;
    void *record;
    const void *owner;
    nnc_record_take *take;
} reading;

static void take_rows(const reading *r, const nnc_metrics *metrics);

/* Reads a list of a recorded result into an array of records. NOLINTNEXTLINE(misc-no-recursion): nesting is shallow */
static void take_list(const reading *r, const nnc_metric *row, nnc_json list, char *base) {
    const size_t size = row->rows->record_size;
    const int64_t count = nnc_json_count(list);
    char *at = base + row->offset;
    if (row->in_place && (size_t)count > row->size / size) {
        nnc_json_fault(list, NULL, "too long, expected at most %d entries", (int)(row->size / size));
        return;
    }
    if (!row->in_place) {
        char *made = nnc_arena_array(list.doc->arena, (size_t)count + 1, size);
        if (made == NULL) {
            nnc_faults_no_memory(list.doc->faults);
            return;
        }
        memcpy(at, &made, sizeof made);
        at = made;
    }
    put_whole(base + row->count_offset, row->count_size, count);
    for (nnc_json item = nnc_json_first(list); item.node != NULL && nnc_json_go_on(item);
         item = nnc_json_next(item), at += size) {
        const reading inside = { item, at, r->record, r->take };
        take_rows(&inside, row->rows);
    }
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static void take_value(const reading *r, const nnc_metric *row, nnc_json value) {
    char *base = base_of(row, r->record), *at = base + row->offset;
    const double number = nnc_json_number(value);
    const bool flag = nnc_json_bool(value);
    const reading inside = { value, at, r->owner, r->take };
    switch (row->type) {
    case NNC_METRIC_NUMBER: memcpy(at, &number, sizeof number); break;
    case NNC_METRIC_WHOLE: take_whole(value, at, row->size); break;
    case NNC_METRIC_BOOL: memcpy(at, &flag, sizeof flag); break;
    case NNC_METRIC_ENUM: take_enum(value, row, at); break;
    case NNC_METRIC_OBJECT: take_rows(&inside, row->rows); break;
    case NNC_METRIC_LIST: take_list(r, row, value, base); break;
    default: take_text(value, row, at); break;
    }
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static void take_row(const reading *r, const nnc_metric *row) {
    const nnc_json value = nnc_json_get(r->object, row->name);
    const nnc_json_type type = nnc_json_type_of(value);
    const nnc_place place = { .record = r->record, .owner = r->owner };
    const double none = (double)NAN;
    if (r->take(r->object, row, value, r->record) || nnc_metric_getter(row) != NULL) { return; }
    if (type == NNC_JSON_ABSENT) {
        if (nnc_metric_rare(row)->when == NULL || nnc_metric_rare(row)->when(&place)) {
            nnc_json_fault(r->object, row->name, "missing, expected %s, found nothing", wanted[row->type].expected);
        }
    } else if (type == wanted[row->type].type) {
        take_value(r, row, value);
    } else if (type != NNC_JSON_NULL || (row->type != NNC_METRIC_NUMBER && nnc_metric_rare(row)->unless == NULL)) {
        nnc_json_mismatch(value, "wrong type", wanted[row->type].expected);
    } else if (row->type == NNC_METRIC_NUMBER) {
        memcpy(base_of(row, r->record) + row->offset, &none, sizeof none);
    }
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static void take_rows(const reading *r, const nnc_metrics *metrics) {
    for (size_t i = 0; i < metrics->count && nnc_json_go_on(r->object); i++) {
        const nnc_metric *row = &metrics->rows[i];
        if (row->name == NULL && row->type == NNC_METRIC_OBJECT) {
            const reading same = { r->object, base_of(row, r->record) + row->offset, r->owner, r->take };
            take_rows(&same, row->rows);
        } else if (row->name != NULL) {
            take_row(r, row);
        }
    }
}

void nnc_record_read(nnc_json object, const nnc_metrics *metrics, void *record, nnc_record_take *take) {
    const reading all = { object, record, NULL, take };
    take_rows(&all, metrics);
}

/* ---- Reads comma-separated values (RFC 4180) and decodes the cells in place; reads recorded requests in such a file
 * ---- */

nnc_csv nnc_csv_begin(const char *name, char *text, size_t size) {
    const size_t mark = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    return (nnc_csv){ .name = name, .at = text + mark, .end = text + size, .line = 1 };
}

static nnc_status refuse(const nnc_csv *csv, const char *what, nnc_error *err) {
    char where[512];
    snprintf(where, sizeof where, "%.480s:%ld", csv->name, csv->line);
    return nnc_fail(err, NNC_BAD_SPEC, where, "%s", what);
}

/* Returns the length of the line break at `at`; 0 = no line break. */
static size_t break_length(const char *at) { return *at == '\n' ? 1 : at[0] == '\r' && at[1] == '\n' ? 2 : 0; }

/* Decodes the quoted cell that begins at csv->at. Sets *close to the end of the decoded text. */
static nnc_status read_quoted(nnc_csv *csv, char **close, nnc_error *err) {
    char *to = csv->at;
    const char *from = csv->at + 1;
    for (;; from++) {
        if (from >= csv->end) { return refuse(csv, "a quote that is not closed, expected '\"'", err); }
        if (*from == '"' && from[1] != '"') { break; }
        from += *from == '"'; /* in a quoted cell, two adjacent quotes stand for one quote */
        csv->line += *from == '\n';
        if (*from == '\0') { return refuse(csv, "a NUL byte, expected text", err); }
        *to++ = *from;
    }
    *close = to;
    csv->at += from + 1 - csv->at;
    return NNC_OK;
}

static nnc_status read_plain(nnc_csv *csv, char **close, nnc_error *err) {
    while (csv->at < csv->end && *csv->at != ',' && break_length(csv->at) == 0) {
        if (*csv->at == '"' || *csv->at == '\0') {
            return refuse(csv, "a quote or NUL byte inside a cell without quotes, expected the cell in quotes", err);
        }
        csv->at++;
    }
    *close = csv->at;
    return NNC_OK;
}

/* Reads one cell and the separator that follows the cell. Sets *last to true if the cell is the last of its row. */
static nnc_status read_cell(nnc_csv *csv, bool *last, nnc_error *err) {
    char *start = csv->at, *close = start;
    if (csv->count == NNC_CSV_CELLS_MAX) {
        return refuse(csv, "more cells in a row than can be read, expected at most 256", err);
    }
    const bool quoted = csv->at < csv->end && *csv->at == '"';
    NNC_TRY(quoted ? read_quoted(csv, &close, err) : read_plain(csv, &close, err));
    const size_t ends = break_length(csv->at);
    *last = csv->at >= csv->end || ends > 0;
    if (!*last && *csv->at != ',') {
        return refuse(csv, "text after a closing quote, expected ',' or the end of the line", err);
    }
    if (csv->at < csv->end) {
        csv->at += ends > 0 ? ends : 1;
        csv->line += ends > 0;
    }
    /* the NUL that ends the cell is written last, because it may overwrite the separator after the cell */
    *close = '\0';
    csv->cells[csv->count++] = start;
    return NNC_OK;
}

nnc_status nnc_csv_next(nnc_csv *csv, bool *more, nnc_error *err) {
    bool last = false;
    csv->count = 0;
    for (size_t ends = 0; csv->at < csv->end && (ends = break_length(csv->at)) > 0; csv->line++) { csv->at += ends; }
    csv->row_line = csv->line;
    *more = csv->at < csv->end;
    while (*more && !last) { NNC_TRY(read_cell(csv, &last, err)); }
    return NNC_OK;
}

/* ---- reads recorded requests from CSV ---- */

static nnc_status refuse_cell(const nnc_csv *csv, const char *column, const char *expected, const char *found,
                              nnc_error *err) {
    char where[512];
    snprintf(where, sizeof where, "%.480s:%ld", csv->name, csv->row_line);
    return nnc_fail(err, NNC_BAD_SPEC, where, "%s: expected %s, found \"%.40s\"", column, expected, found);
}

/* Columns that nncost reads: for each, its index in the CSV file of requests; -1 = the file does not have the
 * column. */
typedef struct arrival_columns {
    int place[3];
} arrival_columns;
static const char *const arrival_names[] = { "arrival_s", "input_len", "output_len" };

static nnc_status read_heads(const nnc_csv *csv, arrival_columns *columns, nnc_error *err) {
    *columns = (arrival_columns){ { -1, -1, -1 } };
    for (int i = 0; i < csv->count; i++) {
        int name = 0;
        while (name < 3 && strcmp(csv->cells[i], arrival_names[name]) != 0) { name++; }
        if (name == 3 || columns->place[name] >= 0) {
            return refuse_cell(csv, "column", "arrival_s, input_len and output_len, each once", csv->cells[i], err);
        }
        columns->place[name] = i;
    }
    return columns->place[0] >= 0 ? NNC_OK
                                  : refuse_cell(csv, "column", "arrival_s", csv->count > 0 ? csv->cells[0] : "", err);
}

static nnc_status read_arrival(const nnc_csv *csv, const arrival_columns *columns, double before_s,
                               nnc_serve_arrival *arrival, nnc_error *err) {
    int64_t *const lengths[] = { NULL, &arrival->input_len, &arrival->output_len };
    const char *time = columns->place[0] < csv->count ? csv->cells[columns->place[0]] : "";
    if (!nnc_read_quantity(time, "s", false, &arrival->arrival_s) || !(arrival->arrival_s >= before_s)) {
        return refuse_cell(csv, "arrival_s", "a time that is not before the time of the previous request", time, err);
    }
    for (int i = 1; i < 3; i++) {
        double value = 0.0;
        if (columns->place[i] < 0) { continue; }
        const char *cell = columns->place[i] < csv->count ? csv->cells[columns->place[i]] : "";
        if (!nnc_read_quantity(cell, NULL, false, &value) || value != floor(value) || !(value >= 1.0) || value > 1e8) {
            return refuse_cell(csv, arrival_names[i], "a whole number from 1 to 1e8", cell, err);
        }
        *lengths[i] = (int64_t)value;
    }
    return NNC_OK;
}

static nnc_status read_arrivals(nnc_csv *csv, nnc_arena *arena, nnc_serve_ask *ask, nnc_error *err) {
    enum { ARRIVALS_MAX = 1 << 20 };
    nnc_serve_arrival *list = NULL;
    int32_t count = 0, capacity = 0;
    arrival_columns columns;
    bool more = false;
    NNC_TRY(nnc_csv_next(csv, &more, err));
    NNC_TRY(read_heads(csv, &columns, err));
    for (;;) {
        NNC_TRY(nnc_csv_next(csv, &more, err));
        if (!more) { break; }
        nnc_serve_arrival one = { .arrival_s = 0.0 };
        NNC_TRY(read_arrival(csv, &columns, count > 0 ? list[count - 1].arrival_s : 0.0, &one, err));
        if (count == ARRIVALS_MAX) { return refuse_cell(csv, "requests", "at most 1,048,576", "more", err); }
        nnc_serve_arrival *grown = nnc_arena_grow(arena, list, count, &capacity, sizeof *list);
        NNC_GOT(grown, err);
        list = grown;
        list[count++] = one;
    }
    ask->arrival_list = list;
    ask->arrival_count = count;
    return count > 0 ? NNC_OK : refuse_cell(csv, "requests", "at least one row", "none", err);
}

nnc_status nnc_arrivals_load(nnc_specs *specs, nnc_serve_ask *ask, nnc_error *err) {
    char *text = NULL;
    size_t size = 0;
    NNC_TRY(nnc_specs_read(specs, ask->arrivals, &text, &size, err));
    nnc_csv csv = nnc_csv_begin(ask->arrivals, text, size);
    const nnc_status status = read_arrivals(&csv, nnc_specs_arena(specs), ask, err);
    free(text);
    return status;
}
