#include "input/json.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "input/file.h"
#include "input/scan.h"

/* The open containers above a value, outermost first. */
typedef struct way {
    const cJSON *open[NNC_SCAN_DEPTH_MAX + 1];
    int depth;
    int ordinal; /* of the value, in the order of the text */
} way;

/* The value that follows in the order of the text; NULL at the end. */
static const cJSON *step_on(way *w, const cJSON *at)
{
    w->ordinal++;
    if (at->child != NULL) {
        w->open[w->depth++] = at;
        return at->child;
    }
    while (at->next == NULL && w->depth > 0) {
        at = w->open[--w->depth];
    }
    return w->depth > 0 ? at->next : NULL;
}

static way way_to(const cJSON *root, const cJSON *node)
{
    way w = { .depth = 0, .ordinal = 0 };
    for (const cJSON *at = root; at != NULL && at != node;) {
        at = step_on(&w, at);
    }
    return w;
}

static size_t append(char *text, size_t size, size_t used, const char *format, const char *key,
                     int index)
{
    if (used >= size) {
        return used;
    }
    const int n = key != NULL ? snprintf(text + used, size - used, format, key)
                              : snprintf(text + used, size - used, format, index);
    return n > 0 ? used + (size_t)n : used;
}

static void write_path(const way *w, const cJSON *node, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < w->depth; i++) {
        const cJSON *child = i + 1 < w->depth ? w->open[i + 1] : node;
        if (cJSON_IsObject(w->open[i])) {
            used = append(text, size, used, used > 0 ? ".%s" : "%s", child->string, 0);
        } else {
            int index = 0;
            for (const cJSON *c = w->open[i]->child; c != NULL && c != child; c = c->next) {
                index++;
            }
            used = append(text, size, used, "[%d]", NULL, index);
        }
    }
}

/* Follows a dotted name as far as it exists; *rest is what is left of it. */
static const cJSON *follow(const cJSON *node, const char *member, const char **rest)
{
    *rest = member;
    while (node != NULL && **rest != '\0') {
        char part[64];
        const size_t length = strcspn(*rest, ".");
        if (length >= sizeof(part)) {
            break;
        }
        memcpy(part, *rest, length);
        part[length] = '\0';
        const cJSON *child = cJSON_GetObjectItemCaseSensitive(node, part);
        if (child == NULL) {
            break;
        }
        node = child;
        *rest += length + ((*rest)[length] == '.');
    }
    return node;
}

static void write_where(nnc_json at, const char *member, char *where, size_t size)
{
    const nnc_json_doc *doc = at.doc;
    const char *name = doc->faults->name;
    const char *rest = member != NULL ? member : "";
    char path[256] = "", line[32] = "";
    if (doc->root != NULL && at.node != NULL) {
        const cJSON *node = follow(at.node, rest, &rest);
        const way w = way_to(doc->root, node);
        write_path(&w, node, path, sizeof(path));
        if (w.depth > 0) {
            snprintf(line, sizeof(line), ":%ld",
                     nnc_scan_value(doc->text, doc->size, w.ordinal).line);
        }
    }
    const char *dot = path[0] != '\0' && rest[0] != '\0' ? "." : "";
    const char *colon = name != NULL && (path[0] != '\0' || rest[0] != '\0') ? ": " : "";
    snprintf(where, size, "%s%s%s%s%s%s", name != NULL ? name : "", line, colon, path, dot, rest);
}

static void note(nnc_faults *faults, const nnc_error *fault)
{
    if (faults->count++ == 0) {
        faults->status = fault->status;
        if (faults->err != NULL) {
            *faults->err = *fault;
        }
    }
    if (faults->report != NULL && faults->count <= NNC_FAULTS_MAX) {
        faults->report(faults->context, fault);
    }
}

void nnc_faults_no_memory(nnc_faults *faults)
{
    nnc_error fault;
    nnc_fail(&fault, NNC_NO_MEMORY, faults->name != NULL ? faults->name : "", "out of memory");
    note(faults, &fault);
}

bool nnc_json_go_on(nnc_json at)
{
    const nnc_faults *faults = at.doc->faults;
    return faults->count < (faults->report != NULL ? NNC_FAULTS_MAX : 1);
}

void nnc_json_fault(nnc_json at, const char *member, const char *format, ...)
{
    nnc_error fault;
    char where[sizeof(fault.where)];
    if (!nnc_json_go_on(at)) {
        return;
    }
    write_where(at, member, where, sizeof(where));
    va_list args;
    va_start(args, format);
    nnc_vfail(&fault, NNC_BAD_SPEC, where, format, args);
    va_end(args);
    note(at.doc->faults, &fault);
}

static void describe(nnc_json at, char *text, size_t size)
{
    char number[NNC_NUMBER_TEXT];
    switch (nnc_json_type_of(at)) {
    case NNC_JSON_ABSENT: snprintf(text, size, "nothing"); break;
    case NNC_JSON_NULL: snprintf(text, size, "null"); break;
    case NNC_JSON_BOOL: snprintf(text, size, "%s", nnc_json_bool(at) ? "true" : "false"); break;
    case NNC_JSON_NUMBER:
        snprintf(text, size, "%s", nnc_number_text(nnc_json_number(at), number));
        break;
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

void nnc_json_mismatch(nnc_json at, const char *what, const char *expected)
{
    char found[96];
    describe(at, found, sizeof(found));
    nnc_json_fault(at, NULL, "%s, expected %s, found %s", what, expected, found);
}

static void fault_at(const nnc_json_doc *doc, nnc_position at, const char *what)
{
    nnc_error fault;
    char where[sizeof(fault.where)];
    const char *name = doc->faults->name;
    snprintf(where, sizeof(where), "%s:%ld:%ld", name != NULL ? name : "text", at.line, at.column);
    nnc_fail(&fault, NNC_BAD_SPEC, where, "%s", what);
    note(doc->faults, &fault);
}

static void fault_repeated(const nnc_json_doc *doc, const cJSON *later)
{
    nnc_json_fault((nnc_json){ doc, later }, NULL,
                   "repeated key, expected it once, found it again");
}

static void compare_every_pair(const nnc_json_doc *doc, const cJSON *object)
{
    for (const cJSON *earlier = object->child; earlier != NULL; earlier = earlier->next) {
        for (const cJSON *later = earlier->next; later != NULL; later = later->next) {
            if (strcmp(earlier->string, later->string) == 0) {
                fault_repeated(doc, later);
                break;
            }
        }
    }
}

/* One member of a large object, and its place among the others. */
typedef struct member {
    const cJSON *node;
    int place;
} member;

static int by_key(const void *a, const void *b)
{
    const member *left = a, *right = b;
    const int keys = strcmp(left->node->string, right->node->string);
    return keys != 0 ? keys : (left->place > right->place) - (left->place < right->place);
}

static void compare_sorted(const nnc_json_doc *doc, const cJSON *object, int count)
{
    member *members = calloc((size_t)count, sizeof(*members));
    int place = 0;
    if (members == NULL) {
        nnc_faults_no_memory(doc->faults);
        return;
    }
    for (const cJSON *at = object->child; at != NULL; at = at->next, place++) {
        members[place] = (member){ at, place };
    }
    qsort(members, (size_t)count, sizeof(*members), by_key);
    for (int i = 1; i < count; i++) {
        if (strcmp(members[i - 1].node->string, members[i].node->string) == 0) {
            fault_repeated(doc, members[i].node);
        }
    }
    free(members);
}

/* cJSON keeps both of two equal keys. */
static void refuse_repeats(const nnc_json_doc *doc)
{
    enum { FEW = 64 };
    way w = { .depth = 0, .ordinal = 0 };
    for (const cJSON *at = doc->root; at != NULL; at = step_on(&w, at)) {
        const int count = cJSON_IsObject(at) ? cJSON_GetArraySize(at) : 0;
        if (count <= FEW && count > 1) {
            compare_every_pair(doc, at);
        } else if (count > FEW) {
            compare_sorted(doc, at, count);
        }
    }
}

bool nnc_json_parse(nnc_json_doc *doc)
{
    nnc_scan_fault fault;
    const int before = doc->faults->count;
    doc->root = NULL;
    if (doc->size > NNC_FILE_BYTES_MAX) {
        fault_at(doc, (nnc_position){ 1, 1 }, "too large, expected at most 16 MB, found more");
        return false;
    }
    const int values_max = doc->values_max > 0 ? doc->values_max : NNC_SCAN_VALUES_MAX;
    if (!nnc_scan(doc->text, doc->size, values_max, &fault)) {
        fault_at(doc, fault.at, fault.what);
        return false;
    }
    const char *end = doc->text;
    doc->root = cJSON_ParseWithLengthOpts(doc->text, doc->size + 1, &end, true);
    if (doc->root == NULL) {
        /* cJSON reads numbers in the caller's locale, and knows one-byte decimal points only. */
        fault_at(doc, nnc_scan_position(doc->text, end),
                 *end == '\\'
                     ? "bad text, expected paired surrogates after \\u, found a half"
                     : "cannot be read, expected a locale with a decimal point of one byte, "
                       "found another");
        return false;
    }
    refuse_repeats(doc);
    return doc->faults->count == before;
}

void nnc_json_free(nnc_json_doc *doc)
{
    cJSON_Delete(doc->root);
    doc->root = NULL;
}

nnc_json nnc_json_root(const nnc_json_doc *doc)
{
    return (nnc_json){ doc, doc->root };
}

nnc_json_type nnc_json_type_of(nnc_json at)
{
    if (at.node == NULL) {
        return NNC_JSON_ABSENT;
    }
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

nnc_json nnc_json_get(nnc_json object, const char *key)
{
    return (nnc_json){ object.doc, cJSON_GetObjectItemCaseSensitive(object.node, key) };
}

nnc_json nnc_json_first(nnc_json container)
{
    return (nnc_json){ container.doc, container.node != NULL ? container.node->child : NULL };
}

nnc_json nnc_json_next(nnc_json at)
{
    return (nnc_json){ at.doc, at.node->next };
}

const char *nnc_json_key(nnc_json at)
{
    return at.node->string != NULL ? at.node->string : "";
}

bool nnc_json_bool(nnc_json at)
{
    return cJSON_IsTrue(at.node) != 0;
}

double nnc_json_number(nnc_json at)
{
    return at.node->valuedouble;
}

const char *nnc_json_text(nnc_json at)
{
    return at.node->valuestring;
}

int nnc_json_count(nnc_json at)
{
    return cJSON_GetArraySize(at.node);
}
