/* Faults in a document: where they are, and noting them. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "input/json.h"
#include "input/scan.h"
#include "input/walk.h"

/* The open containers above a value, outermost first. */
typedef struct way {
    nnc_json open[NNC_SCAN_DEPTH_MAX + 2];
    int depth;
} way;

/* Calls itself as deep as the text is nested. */
static bool find(nnc_json at, nnc_json to, way *w)
{
    if (at.node == to.node) {
        return true;
    }
    w->open[w->depth++] = at;
    for (nnc_json child = nnc_json_first(at); child.node != NULL; child = nnc_json_next(child)) {
        if (find(child, to, w)) {
            return true;
        }
    }
    w->depth--;
    return false;
}

/* Of a value that was taken over, the key that says so. */
static nnc_json own_of(nnc_json container, nnc_json at)
{
    if (!nnc_json_inherited(at)) {
        return at;
    }
    const nnc_json same = nnc_json_get(container, "same_as");
    return same.node != NULL ? same : nnc_json_get(container, "like");
}

/* The line of a value's key, or of the value in a list. */
static long line_of(const way *w, nnc_json at)
{
    nnc_walk walk = nnc_walk_begin(at.doc->text);
    for (int i = 0; i < w->depth; i++) {
        const bool object = nnc_json_type_of(w->open[i]) == NNC_JSON_OBJECT;
        const nnc_json below = i + 1 < w->depth ? w->open[i + 1] : at;
        const nnc_json child = own_of(w->open[i], below);
        if (child.node == NULL) {
            break; /* part of an object is from elsewhere */
        }
        nnc_walk_member(&walk, object);
        for (nnc_json c = nnc_json_first(w->open[i]); c.node != child.node; c = nnc_json_next(c)) {
            nnc_walk_value(&walk);
            nnc_walk_member(&walk, object);
        }
        if (child.node != below.node) {
            break;
        }
    }
    return walk.key_line;
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

static void write_path(const way *w, nnc_json at, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < w->depth; i++) {
        const nnc_json child = i + 1 < w->depth ? w->open[i + 1] : at;
        if (nnc_json_type_of(w->open[i]) == NNC_JSON_OBJECT) {
            used = append(text, size, used, used > 0 ? ".%s" : "%s", nnc_json_key(child), 0);
        } else {
            int index = 0;
            for (nnc_json c = nnc_json_first(w->open[i]); c.node != child.node;
                 c = nnc_json_next(c)) {
                index++;
            }
            used = append(text, size, used, "[%d]", NULL, index);
        }
    }
}

nnc_json nnc_json_follow(nnc_json at, const char *dotted, const char **rest)
{
    *rest = dotted;
    while (**rest != '\0') {
        char part[64];
        const size_t length = strcspn(*rest, ".");
        if (length >= sizeof(part)) {
            break;
        }
        memcpy(part, *rest, length);
        part[length] = '\0';
        const nnc_json child = nnc_json_get(at, part);
        if (child.node == NULL) {
            break;
        }
        at = child;
        *rest += length + ((*rest)[length] == '.');
    }
    return at;
}

static void write_where(nnc_json at, const char *member, char *where, size_t size)
{
    const nnc_json_doc *doc = at.doc;
    const char *name = doc->faults->name;
    const char *rest = member != NULL ? member : "";
    char path[256] = "", line[32] = "";
    if (doc->root != NULL && at.node != NULL) {
        at = nnc_json_follow(at, rest, &rest);
        way w = { .depth = 0 };
        find(nnc_json_root(doc), at, &w);
        write_path(&w, at, path, sizeof(path));
        if (w.depth > 0) {
            snprintf(line, sizeof(line), ":%ld", line_of(&w, at));
        }
    }
    const char *dot = path[0] != '\0' && rest[0] != '\0' ? "." : "";
    const char *colon = name != NULL && (path[0] != '\0' || rest[0] != '\0') ? ": " : "";
    snprintf(where, size, "%s%s%s%s%s%s", name != NULL ? name : "", line, colon, path, dot, rest);
}

void nnc_faults_note(nnc_faults *faults, const nnc_error *fault)
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

/* Said once: what cannot be read for want of memory says nothing of the file. */
void nnc_faults_no_memory(nnc_faults *faults)
{
    nnc_error fault;
    if (faults->no_memory) {
        return;
    }
    faults->no_memory = true;
    nnc_fail(&fault, NNC_NO_MEMORY, faults->name != NULL ? faults->name : "", "out of memory");
    nnc_faults_note(faults, &fault);
}

bool nnc_json_go_on(nnc_json at)
{
    const nnc_faults *faults = at.doc->faults;
    return !faults->no_memory && faults->count < (faults->report != NULL ? NNC_FAULTS_MAX : 1);
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
    nnc_faults_note(at.doc->faults, &fault);
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
