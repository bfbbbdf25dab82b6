/* Reads JSON documents.
 *
 * The text is checked first (json_scan.c), because cJSON accepts more than RFC 8259 allows. After the check by
 * json_scan.c, cJSON builds the tree, which is checked for repeated keys and infinite numbers. cJSON stores no
 * positions, so nncost reads the text again to find the line of an error.
 *
 * One object of a document can be left out of the tree (nnc_json_large); its members are parsed one at a time. If the
 * object of recorded estimates is left out of the tree, checking the file needs memory for one estimate, and not for
 * the whole file.
 *
 * The program contains the values of some shipped documents (nnc_image_values), which cJSON does not parse. */
#include <cjson/cJSON.h>
#include <locale.h>

#include "input/input_internal.h"

/* The functions of cJSON that nncost calls. cJSON is a shared library that is loaded when the first document is parsed,
 * because many commands parse no document. */
#ifdef NNC_CJSON_LIBRARY
#define CJSON_CALLS(X)          \
    X(ParseWithLengthOpts)      \
    X(Delete)                   \
    X(GetArraySize)             \
    X(PrintUnformatted)         \
    X(free)                     \
    X(InitHooks)                \
    X(SetValuestring)           \
    X(AddItemReferenceToObject) \
    X(AddObjectToObject)
/* NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration */
#define POINTER(name) __typeof__(cJSON_##name) *name;
#define NAME(name) "cJSON_" #name,
#define CJSON(name) late.name
static struct late { CJSON_CALLS(POINTER) } late;
/* functions that allocate and free memory for cJSON; nncost passes these functions to cJSON after cJSON is loaded */
static cJSON_Hooks late_hooks;

static bool load(const nnc_json_doc *doc) {
    static const char *const names[] = { CJSON_CALLS(NAME) };
    struct late found;
    nnc_error err;
    if (late.Delete != NULL) { return true; }
    if (nnc_dlopen_functions(NNC_CJSON_LIBRARY, NNC_CJSON_PACKAGE, names, NNC_COUNT_OF(names), &found, &err) !=
        NNC_OK) {
        nnc_faults_note(doc->faults, &err);
        return false;
    }
    late = found;
    if (late_hooks.malloc_fn != NULL) { late.InitHooks(&late_hooks); }
    return true;
}
#define LOADED(doc) load(doc)
#else
#define CJSON(name) cJSON_##name
#define LOADED(doc) true
#endif

static void fault_at(const nnc_json_doc *doc, nnc_position at, const char *what) {
    nnc_error fault;
    char where[sizeof(fault.where)];
    const char *name = doc->faults->name;
    snprintf(where, sizeof(where), "%s:%ld:%ld", name != NULL ? name : "text", at.line, at.column);
    nnc_fail(&fault, NNC_BAD_SPEC, where, "%s", what);
    nnc_faults_note(doc->faults, &fault);
}

/* A member of an object, and its position among the members. */
typedef struct keyed {
    const cJSON *node;
    int place;
} keyed;

static int by_key(const void *a, const void *b) {
    const keyed *left = a, *right = b;
    const int keys = strcmp(left->node->string, right->node->string);
    return keys != 0 ? keys : (left->place > right->place) - (left->place < right->place);
}

/* Tests whether two members of an object may have the same key. Returns true if two keys have the same digest, or if
 * memory ran out. If the function returns false, all keys are different. */
static bool may_repeat(const cJSON *object) {
    enum { FEW = 64 };
    uint64_t few[FEW];
    size_t slots = 16;
    while (slots < 2 * (size_t)CJSON(GetArraySize)(object)) { slots *= 2; }
    uint64_t *seen = slots <= FEW ? few : calloc(slots, sizeof *seen);
    if (seen == few) { memset(few, 0, slots * sizeof *few); }
    bool repeats = seen == NULL;
    for (const cJSON *at = object->child; at != NULL && !repeats; at = at->next) {
        repeats = nnc_digest_repeats(seen, slots, nnc_quick_digest(at->string, strlen(at->string)));
    }
    if (seen != few) { free(seen); }
    return repeats;
}

static void refuse_repeats(const nnc_json_doc *doc, const cJSON *object) {
    int count = 0;
    keyed *members = calloc((size_t)CJSON(GetArraySize)(object) + 1, sizeof *members);
    if (members == NULL) {
        nnc_faults_no_memory(doc->faults);
        return;
    }
    for (const cJSON *at = object->child; at != NULL; at = at->next, count++) { members[count] = (keyed){ at, count }; }
    qsort(members, (size_t)count, sizeof *members, by_key);
    for (int i = 1; i < count; i++) {
        if (strcmp(members[i - 1].node->string, members[i].node->string) == 0) {
            nnc_json_fault((nnc_json){ doc, members[i].node }, NULL,
                           "repeated key, expected each key once, found this key again");
        }
    }
    free(members);
}

/* Checks the tree for errors that cJSON does not report: repeated keys, and numbers such as 1e999, which cJSON reads as
 * infinity. The function calls itself for each object or list inside the value; the depth of a document is limited.
 * Returns false if a number is infinite. */
static bool refuse_values(const nnc_json_doc *doc, const cJSON *at) {
    bool finite = isfinite(at->valuedouble);
    if ((at->type & 0xFF) == cJSON_Object && may_repeat(at)) { refuse_repeats(doc, at); }
    for (const cJSON *child = at->child; child != NULL; child = child->next) {
        finite = refuse_values(doc, child) && finite;
    }
    return finite;
}

/* Tests an escape \uXXXX to which `at` points. Returns 1 if the escape is the first half of a surrogate pair, 2 if it
 * is the second half of a pair, and 0 if it is no half of a pair. */
static int surrogate_at(const char *at) {
    if (at[0] != '\\' || at[1] != 'u' || (at[2] | 0x20) != 'd') { return 0; }
    const char digit = (char)(at[3] | 0x20);
    return digit >= 'c' && digit <= 'f' ? 2 : digit == '8' || digit == '9' || digit == 'a' || digit == 'b';
}

static bool is_half(const char *at) {
    const int half = surrogate_at(at);
    return half == 2 || (half == 1 && surrogate_at(at + 6) != 2);
}

/* Notes why cJSON has refused a text. end: the place where cJSON stopped. If nnc_json_scan finds an error in the text,
 * the function notes this error. If nnc_json_scan finds no error, cJSON has failed for one of three reasons: half a
 * surrogate pair, a number in a locale whose decimal point has several bytes, or lack of memory. */
static void refuse_text(const nnc_json_doc *doc, int values_max, const char *end) {
    nnc_json_scan_fault fault;
    if (!nnc_json_scan(doc->text, doc->size, values_max, &fault)) {
        fault_at(doc, fault.at, fault.what);
    } else if (is_half(end)) {
        fault_at(doc, nnc_json_position(doc->text, end),
                 "bad text, expected a pair of surrogates after \\u, found only one");
    } else if (strlen(localeconv()->decimal_point) > 1) {
        fault_at(doc, nnc_json_position(doc->text, end),
                 "cannot be read, expected a locale whose decimal point has one byte, found another locale");
    } else {
        nnc_faults_no_memory(doc->faults);
    }
}

static int values_max_of(const nnc_json_doc *doc) {
    return doc->values_max > 0 ? doc->values_max : NNC_SCAN_VALUES_MAX;
}

/* Moves a walk to the object or list with a dotted name. Returns false if the text has no object or list with this
 * name. */
static bool walk_to(nnc_walk *w, const char *dotted) {
    char key[64];
    while (*dotted != '\0') {
        const size_t length = strcspn(dotted, ".");
        bool more = w->text[w->at] == '{' && length < sizeof key;
        snprintf(key, sizeof key, "%.*s", (int)length, dotted);
        for (more = more && nnc_walk_member(w, true); more && !nnc_walk_key_is(w, key);) {
            nnc_walk_value(w);
            more = nnc_walk_member(w, true);
        }
        if (!more) { return false; }
        dotted += length + (dotted[length] == '.');
    }
    return w->text[w->at] == '{' || w->text[w->at] == '[';
}

/* Copies the text without the members of the large object or list, and stores the places of the members in the
 * document. Returns false if the text has no object or list with the name of the large object, or if memory ran out. */
static bool leave_out(nnc_json_doc *doc, nnc_buffer *lean) {
    nnc_walk w = nnc_walk_begin(doc->text);
    int32_t capacity = 0;
    size_t copied = 0;
    if (!walk_to(&w, doc->large.name)) { return false; }
    const bool object = doc->text[w.at] == '{';
    while (nnc_walk_member(&w, object)) {
        const size_t place = w.text[w.at] == '{' ? w.at : 0;
        size_t *places = nnc_arena_grow(doc->arena, doc->large.places, doc->large.count, &capacity, sizeof *places);
        if (places == NULL) { return false; }
        doc->large.places = places;
        places[doc->large.count++] = place;
        nnc_walk_value(&w);
        if (place > 0) {
            nnc_buffer_put(lean, doc->text + copied, place + 1 - copied);
            /* the next copy starts at the closing brace of the member, so that an empty object replaces the member in
             * the copied text */
            copied = w.at - 1;
        }
    }
    doc->large.end = w.at;
    nnc_buffer_put(lean, doc->text + copied, doc->size + 1 - copied);
    doc->large.digests = nnc_arena_array(doc->arena, (size_t)doc->large.count + 1, sizeof *doc->large.digests);
    return !lean->failed && doc->large.digests != NULL;
}

/* Parses the document without the members of its large object (see nnc_json_large). If parsing fails, returns false;
 * the caller then parses the whole document. */
static bool parse_lean(nnc_json_doc *doc) {
    nnc_buffer lean = { 0 };
    const char *rest = NULL;
    if (leave_out(doc, &lean)) {
        doc->root = CJSON(ParseWithLengthOpts)(lean.bytes, lean.size, NULL, true);
        doc->large.object = nnc_json_follow(nnc_json_root(doc), doc->large.name, &rest).node;
    }
    nnc_buffer_free(&lean);
    return doc->root != NULL;
}

/* Python writes some numbers that JSON does not have (NaN, Infinity, -Infinity). Returns the length of the number NaN,
 * Infinity or -Infinity at the start of `text`; 0 = the text starts with none of them. */
static size_t word_at(const char *at) {
    return strncmp(at, "-Infinity", 9) == 0  ? 9
           : strncmp(at, "Infinity", 8) == 0 ? 8
           : strncmp(at, "NaN", 3) == 0      ? 3
                                             : 0;
}

static bool replace_python_numbers(nnc_arena *arena, const char **text, size_t size) {
    if (strstr(*text, "Infinity") == NULL && strstr(*text, "NaN") == NULL) { return true; }
    char *copy = nnc_arena_alloc(arena, size + 1);
    if (copy == NULL) { return false; }
    memcpy(copy, *text, size);
    bool quoted = false;
    for (char *c = copy; *c != '\0'; c++) {
        const size_t length = quoted ? 0 : word_at(c);
        /* the replacement has as many characters as the number, so that the positions of all later values stay the
         * same */
        if (length > 0) {
            const char *const word = length == 3 ? "\"?\"" : length == 8 ? "\"+inf\"  " : "\"-inf\"   ";
            memcpy(c, word, length);
            c += length - 1;
        } else if (quoted && *c == '\\' && c[1] != '\0') {
            c++;
        } else if (*c == '"') {
            quoted = !quoted;
        }
    }
    *text = copy;
    return true;
}

bool nnc_json_parse(nnc_json_doc *doc) {
    const int before = doc->faults->count;
    const bool python = doc->foreign && strstr(doc->text, "\"schema\"") == NULL;
    const bool captured = doc->foreign && strstr(doc->text, "\"" NNC_CAPTURE_SCHEMA "\"") != NULL;
    const int values_max = python || captured ? NNC_SCAN_VALUES_MANY : values_max_of(doc);
    const char *end;
    nnc_json_scan_fault fault;
    doc->root = NULL;
    if (!LOADED(doc)) { return false; }
    const size_t most = values_max > NNC_SCAN_VALUES_MANY ? NNC_RECORDED_BYTES_MAX : NNC_FILE_BYTES_MAX;
    if (doc->size > most) {
        nnc_error large;
        nnc_file_too_large(doc->faults->name != NULL ? doc->faults->name : "text", most, &large);
        nnc_faults_note(doc->faults, &large);
        return false;
    }
    if (python && !replace_python_numbers(doc->arena, &doc->text, doc->size)) {
        return nnc_faults_no_memory(doc->faults);
    }
    end = doc->text;
    /* the text is checked by nnc_json_scan before parse_lean reads it, because parse_lean uses nnc_walk, which works
     * only on valid text */
    const bool lean =
        doc->large.name != NULL && nnc_json_scan(doc->text, doc->size, values_max, NULL) && parse_lean(doc);
    if (!lean && (nnc_json_scan_lexemes(doc->text, doc->size, values_max) ||
                  nnc_json_scan(doc->text, doc->size, values_max, &fault))) {
        doc->root = CJSON(ParseWithLengthOpts)(doc->text, doc->size + 1, &end, true);
    }
    if (doc->root == NULL || !refuse_values(doc, doc->root)) { refuse_text(doc, values_max, end); }
    return doc->faults->count == before;
}

static bool is_left_out(nnc_json at, int32_t index) {
    const nnc_json_large *large = &at.doc->large;
    return large->object != NULL && index < large->count && large->places[index] > 0;
}

bool nnc_json_open(nnc_json at, int32_t index) {
    const nnc_json_doc *doc = at.doc;
    if (!is_left_out(at, index)) { return true; }
    const int before = doc->faults->count;
    const size_t place = doc->large.places[index];
    const char *end = doc->text + place;
    cJSON *read = CJSON(ParseWithLengthOpts)(end, doc->size + 1 - place, &end, false);
    if (read != NULL) {
        ((cJSON *)at.node)->child = read->child;
        read->child = NULL;
        CJSON(Delete)(read);
    }
    if (read == NULL || !refuse_values(doc, at.node)) { refuse_text(doc, values_max_of(doc), end); }
    return doc->faults->count == before;
}

void nnc_json_close(nnc_json at, int32_t index, const char *const *skip) {
    if (is_left_out(at, index)) {
        cJSON *node = (cJSON *)at.node;
        if (skip != NULL) { at.doc->large.digests[index] = nnc_json_digest(at, skip); }
        CJSON(Delete)(node->child);
        node->child = NULL;
    }
}

void nnc_json_allocate_with(void *(*allocate)(size_t), void (*release)(void *)) {
#ifdef NNC_CJSON_LIBRARY
    late_hooks = (cJSON_Hooks){ allocate, release };
#else
    cJSON_Hooks hooks = { allocate, release };
    cJSON_InitHooks(&hooks);
#endif
}

void nnc_json_free(nnc_json_doc *doc) {
    if (doc->root != NULL && doc->image.values == NULL) { CJSON(Delete)((cJSON *)doc->root); }
    doc->root = NULL;
    if (doc->like != NULL) {
        nnc_json_free(doc->like);
        doc->like = NULL;
    }
}

nnc_json nnc_json_root(const nnc_json_doc *doc) { return (nnc_json){ doc, doc->root }; }

/* ---- values of a document: nodes of cJSON, or values of an image ---- */

/* A node of a document is either a node of cJSON or a value of an image. Returns the node as a value of the image; NULL
 * = the node is a node of cJSON. */
static const nnc_image_value *imaged(nnc_json at) {
    return at.node != NULL && at.doc->image.values != NULL ? (const void *)at.node : NULL;
}

static nnc_json node_of(const nnc_json_doc *doc, const nnc_image_value *value) {
    return (nnc_json){ doc, (const void *)value };
}

nnc_json_type nnc_json_type_of(nnc_json at) {
    const nnc_image_value *value = imaged(at);
    if (at.node == NULL) { return NNC_JSON_ABSENT; }
    if (value != NULL) { return (nnc_json_type)(value->key & NNC_IMAGE_TYPE); }
    switch (at.node->type & 0xFF) {
    case cJSON_False:
    case cJSON_True: return NNC_JSON_BOOL;
    case cJSON_Number: return NNC_JSON_NUMBER;
    case cJSON_String: return NNC_JSON_TEXT;
    case cJSON_Array: return NNC_JSON_LIST;
    case cJSON_Object: return NNC_JSON_OBJECT;
    default: return NNC_JSON_NULL;
    }
}

nnc_json nnc_json_get(nnc_json object, const char *key) {
    nnc_json at = nnc_json_first(object);
    for (; at.node != NULL; at = nnc_json_next(at)) {
        const char *own = nnc_json_key(at);
        if (own[0] == key[0] && strcmp(own, key) == 0) { break; }
    }
    return at;
}

const char *nnc_json_text_in(nnc_json object, const char *key) {
    const nnc_json at = nnc_json_get(object, key);
    return nnc_json_type_of(at) == NNC_JSON_TEXT ? nnc_json_text(at) : NULL;
}

bool nnc_json_has_schema(nnc_json object, const char *schema) {
    const char *found = nnc_json_text_in(object, "schema");
    return found != NULL && strcmp(found, schema) == 0;
}

nnc_json nnc_json_first(nnc_json container) {
    const nnc_image_value *value = imaged(container);
    if (value != NULL) { return node_of(container.doc, nnc_json_count(container) > 0 ? value + 1 : NULL); }
    return (nnc_json){ container.doc, container.node != NULL ? container.node->child : NULL };
}

nnc_json nnc_json_next(nnc_json at) {
    const nnc_image_value *value = imaged(at);
    if (value != NULL) { return node_of(at.doc, value->next > 0 ? value + value->next : NULL); }
    return (nnc_json){ at.doc, at.node != NULL ? at.node->next : NULL };
}

const char *nnc_json_key(nnc_json at) {
    const nnc_image_value *value = imaged(at);
    if (value != NULL) {
        return value->key > NNC_IMAGE_TYPE ? at.doc->image.texts + value->key / (NNC_IMAGE_TYPE + 1) - 1 : "";
    }
    return at.node->string != NULL ? at.node->string : "";
}

bool nnc_json_bool(nnc_json at) {
    const nnc_image_value *value = imaged(at);
    if (value != NULL) { return nnc_json_type_of(at) == NNC_JSON_BOOL && value->value != 0; }
    return at.node != NULL && (at.node->type & 0xFF) == cJSON_True;
}

double nnc_json_number(nnc_json at) {
    const nnc_image_value *value = imaged(at);
    if (value != NULL) { return nnc_json_type_of(at) == NNC_JSON_NUMBER ? at.doc->image.numbers[value->value] : 0.0; }
    return at.node->valuedouble;
}

const char *nnc_json_text(nnc_json at) {
    const nnc_image_value *value = imaged(at);
    if (value != NULL) { return nnc_json_type_of(at) == NNC_JSON_TEXT ? at.doc->image.texts + value->value : NULL; }
    return at.node->valuestring;
}

int nnc_json_count(nnc_json at) {
    const nnc_image_value *value = imaged(at);
    const nnc_json_type type = nnc_json_type_of(at);
    if (value != NULL) { return type == NNC_JSON_LIST || type == NNC_JSON_OBJECT ? (int)value->value : 0; }
    return at.node != NULL ? CJSON(GetArraySize)(at.node) : 0;
}

/* A bit of the type of a cJSON node that cJSON itself does not use. nncost sets the bit in nodes that are inherited. */
enum { INHERITED = 1 << 16 };

static cJSON *last_of(nnc_json object, bool added) {
    cJSON *last = NULL;
    if (added) {
        /* cJSON stores the last child of a node in the member `prev` of the first child */
        last = object.node->child->prev;
        last->type |= INHERITED;
    } else {
        nnc_faults_no_memory(object.doc->faults);
    }
    return last;
}

void nnc_json_set_text(nnc_json at, const char *text) {
    if (CJSON(SetValuestring)((cJSON *)at.node, text) == NULL) { nnc_faults_no_memory(at.doc->faults); }
}

void nnc_json_inherit(nnc_json object, nnc_json value) {
    last_of(object, CJSON(AddItemReferenceToObject)((cJSON *)object.node, value.node->string, (cJSON *)value.node));
}

nnc_json nnc_json_inherit_object(nnc_json object, const char *key) {
    return (nnc_json){ object.doc, last_of(object, CJSON(AddObjectToObject)((cJSON *)object.node, key) != NULL) };
}

nnc_json nnc_json_number_as(nnc_json at, double number) {
    cJSON *made = nnc_arena_alloc(at.doc->arena, sizeof *made);
    if (made == NULL) {
        nnc_faults_no_memory(at.doc->faults);
        return at;
    }
    *made = (cJSON){ .type = cJSON_Number, .valuedouble = number };
    return (nnc_json){ at.doc, made };
}

bool nnc_json_inherited(nnc_json at) {
    return at.node != NULL && imaged(at) == NULL && (at.node->type & INHERITED) != 0;
}

/* ---- errors: finds the place of an error in the file, and notes the error ---- */

/* The path to a value in a document: the objects and lists that contain the value, with the outermost first. */
typedef struct way {
    nnc_json open[NNC_SCAN_DEPTH_MAX + 2];
    int depth;
} way;

/* Finds the path from the value `at` to the value `to` inside it. Returns false if `to` is not inside `at`. The
 * function calls itself for each object or list inside `at`. */
static bool find(nnc_json at, nnc_json to, way *w) {
    if (at.node == to.node) { return true; }
    w->open[w->depth++] = at;
    for (nnc_json child = nnc_json_first(at); child.node != NULL; child = nnc_json_next(child)) {
        if (find(child, to, w)) { return true; }
    }
    w->depth--;
    return false;
}

/* Returns the member of `container` that the file contains for the value `at`. For a value that is not inherited, the
 * returned member is `at` itself. For an inherited value, the returned member is "same_as" or "like", the key by which
 * the value was inherited. */
static nnc_json own_of(nnc_json container, nnc_json at) {
    if (!nnc_json_inherited(at)) { return at; }
    const nnc_json same = nnc_json_get(container, "same_as");
    return same.node != NULL ? same : nnc_json_get(container, "like");
}

/* Walks over the text of the document to a value. The member key_line of the returned walk is the line of the value's
 * key; for an element of a list, it is the line of the value. */
static nnc_walk walk_along(const way *w, nnc_json at) {
    nnc_walk walk = nnc_walk_begin(at.doc->text);
    for (int i = 0; i < w->depth; i++) {
        const bool object = nnc_json_type_of(w->open[i]) == NNC_JSON_OBJECT;
        const nnc_json below = i + 1 < w->depth ? w->open[i + 1] : at;
        const nnc_json child = own_of(w->open[i], below);
        /* the value was inherited through a key of an enclosing object, so the line of the enclosing object is used */
        if (child.node == NULL) { break; }
        nnc_walk_member(&walk, object);
        for (nnc_json c = nnc_json_first(w->open[i]); c.node != child.node; c = nnc_json_next(c)) {
            nnc_walk_value(&walk);
            nnc_walk_member(&walk, object);
        }
        if (child.node != below.node) { break; }
    }
    return walk;
}

static size_t append(char *text, size_t size, size_t used, const char *format, const char *key, int index) {
    if (used >= size) { return used; }
    const int n = key != NULL ? snprintf(text + used, size - used, format, key)
                              : snprintf(text + used, size - used, format, index);
    return n > 0 ? used + (size_t)n : used;
}

static void write_path(const way *w, nnc_json at, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < w->depth; i++) {
        const nnc_json child = i + 1 < w->depth ? w->open[i + 1] : at;
        if (nnc_json_type_of(w->open[i]) == NNC_JSON_OBJECT) {
            used = append(text, size, used, used > 0 ? ".%s" : "%s", nnc_json_key(child), 0);
        } else {
            int index = 0;
            for (nnc_json c = nnc_json_first(w->open[i]); c.node != child.node; c = nnc_json_next(c)) { index++; }
            used = append(text, size, used, "[%d]", NULL, index);
        }
    }
}

nnc_json nnc_json_follow(nnc_json at, const char *dotted, const char **rest) {
    *rest = dotted;
    while (**rest != '\0') {
        char part[64];
        const size_t length = strcspn(*rest, ".");
        if (length >= sizeof(part)) { break; }
        memcpy(part, *rest, length);
        part[length] = '\0';
        const nnc_json child = nnc_json_get(at, part);
        if (child.node == NULL) { break; }
        at = child;
        *rest += length + ((*rest)[length] == '.');
    }
    return at;
}

/* For each value inside `at`, stores the number of its line in the cJSON node of the value. The line is stored in the
 * member `valueint`, which nncost does not use for other purposes. The function calls itself for each object or list
 * inside the value. */
static void note_lines(cJSON *at, nnc_walk *w) {
    const bool object = (at->type & 0xFF) == cJSON_Object;
    for (cJSON *child = at->child; child != NULL && (child->type & INHERITED) == 0; child = child->next) {
        nnc_walk_member(w, object);
        child->valueint = (int)w->key_line;
        if (child->child != NULL) {
            note_lines(child, w);
        } else {
            nnc_walk_value(w);
        }
    }
    nnc_walk_member(w, object); /* moves the walk to the place after the closing bracket of `at` */
}

long nnc_json_line(nnc_json at) {
    cJSON *root = (cJSON *)at.doc->root;
    if (imaged(at) != NULL) {
        way w = { .depth = 0 };
        return find(nnc_json_root(at.doc), at, &w) ? walk_along(&w, at).key_line : 1;
    }
    if (at.node == NULL || root == NULL || root->child == NULL) { return 1; }
    if (root->valueint == 0) { /* 0 = the lines of this document are not stored yet */
        nnc_walk w = nnc_walk_begin(at.doc->text);
        root->valueint = 1;
        note_lines(root, &w);
    }
    return at.node->valueint;
}

static void write_where(nnc_json at, const char *member, char *where, size_t size) {
    const nnc_json_doc *doc = at.doc;
    const char *name = doc->faults->name;
    const char *rest = member != NULL ? member : "";
    char path[256] = "", line[32] = "";
    if (doc->root != NULL && at.node != NULL) {
        at = nnc_json_follow(at, rest, &rest);
        way w = { .depth = 0 };
        find(nnc_json_root(doc), at, &w);
        write_path(&w, at, path, sizeof(path));
        if (w.depth > 0) { snprintf(line, sizeof(line), ":%ld", walk_along(&w, at).key_line); }
    }
    const char *dot = path[0] != '\0' && rest[0] != '\0' ? "." : "";
    const char *colon = name != NULL && (path[0] != '\0' || rest[0] != '\0') ? ": " : "";
    snprintf(where, size, "%s%s%s%s%s%s", name != NULL ? name : "", line, colon, path, dot, rest);
}

const char *nnc_json_copy(nnc_json at) {
    way w = { .depth = 0 };
    cJSON *own = NULL; /* an image has no tree of cJSON, so the function parses the text of the value to get a tree */
    if (imaged(at) != NULL && find(nnc_json_root(at.doc), at, &w)) {
        const nnc_walk walk = walk_along(&w, at);
        own = LOADED(at.doc) ? CJSON(ParseWithLengthOpts)(walk.text + walk.at, at.doc->size + 1 - walk.at, NULL, false)
                             : NULL;
    }
    const cJSON *node = imaged(at) != NULL ? own : at.node;
    char *text = node != NULL ? CJSON(PrintUnformatted)(node) : NULL;
    const char *copy = text != NULL ? nnc_arena_strdup(at.doc->arena, text) : NULL;
    if (text != NULL) { CJSON(free)(text); }
    if (own != NULL) { CJSON(Delete)(own); }
    return copy;
}

void nnc_faults_note(nnc_faults *faults, const nnc_error *fault) {
    if (faults->count++ == 0) {
        faults->status = fault->status;
        if (faults->err != NULL) { *faults->err = *fault; }
    }
    if (faults->report != NULL && faults->count <= NNC_FAULTS_MAX) { faults->report(faults->context, fault); }
}

bool nnc_faults_no_memory(nnc_faults *faults) {
    nnc_error fault;
    if (faults->no_memory) { return false; }
    faults->no_memory = true;
    nnc_fail(&fault, NNC_NO_MEMORY, faults->name != NULL ? faults->name : "", "out of memory");
    nnc_faults_note(faults, &fault);
    return false;
}

bool nnc_json_go_on(nnc_json at) {
    const nnc_faults *faults = at.doc->faults;
    return !faults->no_memory && faults->count < (faults->report != NULL ? NNC_FAULTS_MAX : 1);
}

bool nnc_json_fault(nnc_json at, const char *member, const char *format, ...) {
    nnc_error fault;
    char where[sizeof(fault.where)];
    if (!nnc_json_go_on(at)) { return false; }
    write_where(at, member, where, sizeof(where));
    va_list args;
    va_start(args, format);
    nnc_vfail(&fault, NNC_BAD_SPEC, where, format, args);
    va_end(args);
    nnc_faults_note(at.doc->faults, &fault);
    return false;
}

static void describe(nnc_json at, char *text, size_t size) {
    char number[NNC_NUMBER_TEXT];
    switch (nnc_json_type_of(at)) {
    case NNC_JSON_ABSENT: snprintf(text, size, "nothing"); break;
    case NNC_JSON_NULL: snprintf(text, size, "null"); break;
    case NNC_JSON_BOOL: snprintf(text, size, "%s", nnc_json_bool(at) ? "true" : "false"); break;
    case NNC_JSON_NUMBER: snprintf(text, size, "%s", nnc_number_text(nnc_json_number(at), number)); break;
    case NNC_JSON_TEXT: {
        const char *value = nnc_json_text(at);
        size_t length = 0;
        size_t next = 1;
        while (length < 60 && next > 0 && value[length] != '\0') {
            next = nnc_utf8_length(value + length, strlen(value + length));
            length += next;
        }
        snprintf(text, size, "\"%.*s%s\"", (int)length, value, value[length] != '\0' ? "..." : "");
        break;
    }
    case NNC_JSON_LIST: snprintf(text, size, "a list of %d", nnc_json_count(at)); break;
    case NNC_JSON_OBJECT: snprintf(text, size, "an object"); break;
    }
}

bool nnc_json_mismatch(nnc_json at, const char *what, const char *expected) {
    char found[96];
    describe(at, found, sizeof(found));
    return nnc_json_fault(at, NULL, "%s, expected %s, found %s", what, expected, found);
}

bool nnc_json_expect(nnc_json at, nnc_json_type type, const char *expected) {
    return nnc_json_type_of(at) == type || nnc_json_mismatch(at, "wrong type", expected);
}

/* ---- whole numbers and lists ---- */

bool nnc_json_refuse_number(nnc_json at, double least, double most) {
    char expected[96];
    snprintf(expected, sizeof expected, "a whole number from %.0f to %.0f", least, most);
    nnc_json_mismatch(at, "wrong value", expected);
    return false;
}

bool nnc_json_whole(nnc_json at, double least, double most, int64_t *value) {
    const double number = nnc_json_type_of(at) == NNC_JSON_NUMBER ? nnc_json_number(at) : -1e300;
    if (number >= least && number <= most && number == (double)(int64_t)number) {
        *value = (int64_t)number;
        return true;
    }
    return nnc_json_refuse_number(at, least, most);
}

nnc_json_numbers nnc_json_numbers_of(nnc_json list) {
    const bool text = nnc_json_type_of(list) == NNC_JSON_TEXT;
    return (nnc_json_numbers){ list, nnc_json_first(list), text ? nnc_json_text(list) : NULL };
}

bool nnc_json_has_more(const nnc_json_numbers *n) {
    return n->text != NULL ? *n->text != '\0' && *n->text != ',' : n->at.node != NULL;
}

int32_t nnc_json_count_numbers(const nnc_json_numbers *n) {
    int32_t count = n->text != NULL ? 1 : nnc_json_count(n->list);
    for (const char *at = n->text; at != NULL && *at != '\0'; at++) { count += *at == ' '; }
    return count;
}

bool nnc_json_next_whole(nnc_json_numbers *n, double least, double most, int64_t *value) {
    if (n->text == NULL) {
        const nnc_json at = n->at;
        n->at = nnc_json_next(at);
        return nnc_json_whole(at, least, most, value);
    }
    const bool minus = *n->text == '-';
    const char *const first = n->text + minus, *end = first;
    for (*value = 0; *end >= '0' && *end <= '9' && end - first < 18; end++) { *value = 10 * *value + (*end - '0'); }
    *value = minus ? -*value : *value;
    if (end == first || (*end != ' ' && *end != ',' && *end != '\0') || (double)*value < least ||
        (double)*value > most) {
        return nnc_json_refuse_number(n->list, least, most);
    }
    n->text = end + (*end == ' ');
    return true;
}

bool nnc_json_whole_value(nnc_json object, nnc_json at, const char *key, double least, double most, int64_t *found) {
    if (at.node == NULL) {
        nnc_json_fault(object, key, "missing, expected a whole number, found nothing");
        return false;
    }
    return nnc_json_whole(at, least, most, found);
}

bool nnc_json_whole_member(nnc_json object, const char *key, double least, double most, int64_t *found) {
    return nnc_json_whole_value(object, nnc_json_get(object, key), key, least, most, found);
}

bool nnc_json_is_list(nnc_json at, nnc_json parent, const char *key, int32_t most) {
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
