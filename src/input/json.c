/* JSON documents. One pass over the text checks it and builds the tree (json_scan.c); then the tree is checked for repeated
 * keys. Nodes keep no positions: the line of an error is found by walking the text again.
 *
 * One object of a document can be left out of the tree (nnc_json_large): its members are parsed one at a
 * time. A check of recorded estimates then needs memory for one estimate, not for the whole file. */
#include "input/input_internal.h"

static void fault_at(const nnc_json_doc *doc, nnc_position at, const char *what)
{
    nnc_error fault;
    char where[sizeof(fault.where)];
    const char *name = doc->faults->name;
    snprintf(where, sizeof(where), "%s:%ld:%ld", name != NULL ? name : "text", at.line, at.column);
    nnc_fail(&fault, NNC_BAD_SPEC, where, "%s", what);
    nnc_faults_note(doc->faults, &fault);
}

/* A member of an object and its index. */
typedef struct keyed {
    nnc_json_node *node;
    int place;
} keyed;

static int by_key(const void *a, const void *b)
{
    const keyed *left = a, *right = b;
    const int keys = strcmp(left->node->key, right->node->key);
    return keys != 0 ? keys : (left->place > right->place) - (left->place < right->place);
}

/* Do two keys have the same tag, or are there too many keys to compare each with each? Most objects then need no
 * sorting. */
static bool may_repeat(const nnc_json_node *object)
{
    if (object->count > 64) {
        return true;
    }
    for (const nnc_json_node *at = object->u.children.first; at != NULL; at = at->next) {
        for (const nnc_json_node *other = at->next; other != NULL; other = other->next) {
            if (other->tag == at->tag) {
                return true;
            }
        }
    }
    return false;
}

static void refuse_repeated(const nnc_json_doc *doc, const nnc_json_node *object)
{
    int count = 0;
    keyed *members = calloc((size_t)object->count + 1, sizeof *members);
    if (members == NULL) {
        nnc_faults_no_memory(doc->faults);
        return;
    }
    for (nnc_json_node *at = object->u.children.first; at != NULL; at = at->next, count++) {
        members[count] = (keyed){ at, count };
    }
    qsort(members, (size_t)count, sizeof *members, by_key);
    for (int i = 1; i < count; i++) {
        if (strcmp(members[i - 1].node->key, members[i].node->key) == 0) {
            nnc_json_fault((nnc_json){ doc, members[i].node }, NULL,
                           "repeated key, expected it once, found it again");
        }
    }
    free(members);
}

static bool is_container(const nnc_json_node *at)
{
    return at->type == NNC_JSON_OBJECT || at->type == NNC_JSON_LIST;
}

/* The recursion is as deep as the text is nested, which is limited. */
static void refuse_repeats(const nnc_json_doc *doc, const nnc_json_node *container)
{
    if (container->type == NNC_JSON_OBJECT && may_repeat(container)) {
        refuse_repeated(doc, container);
    }
    for (const nnc_json_node *at = container->u.children.first; at != NULL; at = at->next) {
        if (is_container(at)) {
            refuse_repeats(doc, at);
        }
    }
}

/* The tree of a text in an arena of its own. NULL: an error was noted. */
static nnc_json_node *build(const nnc_json_doc *doc, const char *text, size_t size, int values_max,
                            nnc_arena **arena)
{
    nnc_json_scan_fault fault = { .what = "" };
    *arena = nnc_arena_create();
    nnc_json_node *root =
        *arena != NULL ? nnc_json_build(text, size, values_max, *arena, &fault) : NULL;
    if (root == NULL && fault.what[0] != '\0') {
        fault_at(doc, fault.at, fault.what);
    } else if (root == NULL) {
        nnc_faults_no_memory(doc->faults);
    }
    return root;
}

static int values_max_of(const nnc_json_doc *doc)
{
    return doc->values_max > 0 ? doc->values_max : NNC_SCAN_VALUES_MAX;
}

/* Moves to the value of a dotted name; false: not found. */
static bool walk_to(nnc_walk *w, const char *dotted)
{
    char key[64];
    while (*dotted != '\0') {
        const size_t length = strcspn(dotted, ".");
        bool more = w->text[w->at] == '{' && length < sizeof key;
        snprintf(key, sizeof key, "%.*s", (int)length, dotted);
        for (more = more && nnc_walk_member(w, true); more && !nnc_walk_key_is(w, key);) {
            nnc_walk_value(w);
            more = nnc_walk_member(w, true);
        }
        if (!more) {
            return false;
        }
        dotted += length + (dotted[length] == '.');
    }
    return w->text[w->at] == '{';
}

/* Copies the text with the members of the large object empty, and stores their places in the document. */
static bool leave_out(nnc_json_doc *doc, nnc_buffer *lean)
{
    nnc_walk w = nnc_walk_begin(doc->text);
    int32_t capacity = 0;
    size_t copied = 0;
    if (!walk_to(&w, doc->apart.name)) {
        return false;
    }
    while (nnc_walk_member(&w, true)) {
        const size_t place = w.text[w.at] == '{' ? w.at : 0;
        size_t *places = nnc_arena_grow(doc->arena, doc->apart.places, doc->apart.count, &capacity,
                                        sizeof *places);
        if (places == NULL) {
            return false;
        }
        doc->apart.places = places;
        places[doc->apart.count++] = place;
        nnc_walk_value(&w);
        if (place > 0) {
            nnc_buffer_put(lean, doc->text + copied, place + 1 - copied);
            copied = w.at - 1; /* the closing brace */
        }
    }
    doc->apart.end = w.at;
    nnc_buffer_put(lean, doc->text + copied, doc->size + 1 - copied);
    doc->apart.digests =
        nnc_arena_array(doc->arena, (size_t)doc->apart.count + 1, sizeof *doc->apart.digests);
    return !lean->failed && doc->apart.digests != NULL;
}

/* Parses the document without the large object. false: it has none, or an error was noted. */
static bool parse_lean(nnc_json_doc *doc, int values_max)
{
    nnc_buffer lean = { 0 };
    const char *rest = NULL;
    const bool large = leave_out(doc, &lean);
    if (large) {
        doc->root = build(doc, lean.bytes, lean.size - 1, values_max, &doc->nodes);
        doc->apart.object = nnc_json_follow(nnc_json_root(doc), doc->apart.name, &rest).node;
    }
    nnc_buffer_free(&lean);
    return large;
}

/* Length of a number that JSON does not have, at the start of text; 0 = none. */
static size_t word_at(const char *at)
{
    return strncmp(at, "-Infinity", 9) == 0  ? 9
           : strncmp(at, "Infinity", 8) == 0 ? 8
           : strncmp(at, "NaN", 3) == 0      ? 3
                                             : 0;
}

static bool replace_python_numbers(nnc_arena *arena, const char **text, size_t size)
{
    if (strstr(*text, "Infinity") == NULL && strstr(*text, "NaN") == NULL) {
        return true;
    }
    char *copy = nnc_arena_alloc(arena, size + 1);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, *text, size);
    bool quoted = false;
    for (char *c = copy; *c != '\0'; c++) {
        const size_t length = quoted ? 0 : word_at(c);
        if (length > 0) { /* the same length as before, so that positions stay valid */
            const char *const word = length == 3   ? "\"?\""
                                     : length == 8 ? "\"+inf\"  "
                                                   : "\"-inf\"   ";
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

bool nnc_json_parse(nnc_json_doc *doc)
{
    const int before = doc->faults->count;
    const bool python = doc->foreign && strstr(doc->text, "\"schema\"") == NULL;
    const bool captured = doc->foreign && strstr(doc->text, "\"" NNC_CAPTURE_SCHEMA "\"") != NULL;
    const int values_max = python || captured ? NNC_SCAN_VALUES_MANY : values_max_of(doc);
    doc->root = NULL;
    const size_t most =
        values_max > NNC_SCAN_VALUES_MANY ? NNC_RECORDED_BYTES_MAX : NNC_FILE_BYTES_MAX;
    if (doc->size > most) {
        nnc_error large;
        nnc_file_too_large(doc->faults->name != NULL ? doc->faults->name : "text", most, &large);
        nnc_faults_note(doc->faults, &large);
        return false;
    }
    if (python && !replace_python_numbers(doc->arena, &doc->text, doc->size)) {
        nnc_faults_no_memory(doc->faults);
        return false;
    }
    /* Requires valid text: nnc_walk does not check it. */
    if (doc->apart.name == NULL || !nnc_json_scan(doc->text, doc->size, values_max, NULL) ||
        !parse_lean(doc, values_max)) {
        doc->root = build(doc, doc->text, doc->size, values_max, &doc->nodes);
    }
    if (doc->root != NULL && is_container(doc->root)) {
        refuse_repeats(doc, doc->root);
    }
    return doc->faults->count == before;
}

static bool is_apart(nnc_json at, int32_t index)
{
    const nnc_json_large *apart = &at.doc->apart;
    return apart->object != NULL && index < apart->count && apart->places[index] > 0;
}

bool nnc_json_open(nnc_json at, int32_t index)
{
    const nnc_json_doc *doc = at.doc;
    if (!is_apart(at, index)) {
        return true;
    }
    const int before = doc->faults->count;
    nnc_walk w = { .text = doc->text, .at = doc->apart.places[index] };
    nnc_walk_value(&w);
    const size_t place = doc->apart.places[index];
    const nnc_json_node *read = build(doc, doc->text + place, w.at - place, values_max_of(doc),
                                      &((nnc_json_doc *)doc)->opened);
    if (read != NULL) {
        at.node->u = read->u;
        at.node->count = read->count;
        refuse_repeats(doc, at.node);
    }
    return doc->faults->count == before;
}

void nnc_json_close(nnc_json at, int32_t index, const char *const *skip)
{
    if (is_apart(at, index)) {
        nnc_json_doc *doc = (nnc_json_doc *)at.doc;
        doc->apart.digests[index] = nnc_json_digest(at, skip);
        at.node->u.children.first = at.node->u.children.last = NULL;
        at.node->count = 0;
        nnc_arena_destroy(doc->opened);
        doc->opened = NULL;
    }
}

/* The shortest of 15 or 17 digits that reads back as the number. */
static void put_number(nnc_buffer *out, double value)
{
    char text[NNC_NUMBER_TEXT];
    double again = 0.0;
    snprintf(text, sizeof text, "%.15g", value);
    nnc_fix_point(text);
    if (!nnc_read_double(text, &again) || again < value || again > value) {
        snprintf(text, sizeof text, "%.17g", value);
        nnc_fix_point(text);
    }
    nnc_buffer_text(out, text);
}

static void put_value(nnc_buffer *out, const nnc_json_node *at)
{
    const bool object = at->type == NNC_JSON_OBJECT;
    if (is_container(at)) {
        nnc_buffer_byte(out, object ? '{' : '[');
        for (const nnc_json_node *child = at->u.children.first; child != NULL;
             child = child->next) {
            if (object) {
                nnc_put_json_text(out, child->key);
                nnc_buffer_byte(out, ':');
            }
            put_value(out, child);
            nnc_buffer_text(out, child->next != NULL ? "," : "");
        }
        nnc_buffer_byte(out, object ? '}' : ']');
    } else if (at->type == NNC_JSON_TEXT) {
        nnc_put_json_text(out, at->u.text);
    } else if (at->type == NNC_JSON_NUMBER) {
        put_number(out, at->u.number);
    } else {
        nnc_buffer_text(out, at->type == NNC_JSON_NULL ? "null" : at->u.truth ? "true" : "false");
    }
}

const char *nnc_json_copy(nnc_json at)
{
    nnc_buffer text = { 0 };
    const char *copy = NULL;
    if (at.node != NULL) {
        put_value(&text, at.node);
        nnc_buffer_byte(&text, '\0');
        copy = !text.failed ? nnc_arena_strdup(at.doc->arena, text.bytes) : NULL;
    }
    nnc_buffer_free(&text);
    return copy;
}

void nnc_json_free(nnc_json_doc *doc)
{
    nnc_arena_destroy(doc->nodes);
    nnc_arena_destroy(doc->opened);
    doc->nodes = doc->opened = NULL;
    doc->root = NULL;
    if (doc->like != NULL) {
        nnc_json_free(doc->like);
        doc->like = NULL;
    }
}

nnc_json nnc_json_root(const nnc_json_doc *doc)
{
    return (nnc_json){ doc, doc->root };
}

nnc_json_type nnc_json_type_of(nnc_json at)
{
    return at.node != NULL ? at.node->type : NNC_JSON_ABSENT;
}

nnc_json nnc_json_get(nnc_json object, const char *key)
{
    const uint32_t tag = nnc_json_tag(key);
    nnc_json at = nnc_json_first(object);
    if (object.node == NULL || object.node->type != NNC_JSON_OBJECT) {
        at.node = NULL;
    }
    while (at.node != NULL && (at.node->tag != tag || strcmp(at.node->key, key) != 0)) {
        at.node = at.node->next;
    }
    return at;
}

nnc_json nnc_json_first(nnc_json container)
{
    const bool children = container.node != NULL && is_container(container.node);
    return (nnc_json){ container.doc, children ? container.node->u.children.first : NULL };
}

nnc_json nnc_json_next(nnc_json at)
{
    return (nnc_json){ at.doc, at.node != NULL ? at.node->next : NULL };
}

const char *nnc_json_key(nnc_json at)
{
    return at.node->key != NULL ? at.node->key : "";
}

bool nnc_json_bool(nnc_json at)
{
    return at.node->type == NNC_JSON_BOOL && at.node->u.truth;
}

double nnc_json_number(nnc_json at)
{
    return at.node->type == NNC_JSON_NUMBER ? at.node->u.number : 0.0;
}

const char *nnc_json_text(nnc_json at)
{
    return at.node->type == NNC_JSON_TEXT ? at.node->u.text : NULL;
}

int nnc_json_count(nnc_json at)
{
    return at.node != NULL ? at.node->count : 0;
}

/* A node that the document itself adds to an object. */
static nnc_json add_inherited(nnc_json object, const nnc_json_node *like)
{
    nnc_json_node *node = nnc_arena_alloc(object.doc->nodes, sizeof *node);
    if (node == NULL) {
        nnc_faults_no_memory(object.doc->faults);
        return (nnc_json){ object.doc, NULL };
    }
    *node = *like;
    node->next = NULL;
    node->inherited = true;
    nnc_json_node_append(object.node, node);
    return (nnc_json){ object.doc, node };
}

void nnc_json_set_text(nnc_json at, const char *text)
{
    const char *copy = nnc_arena_strdup(at.doc->nodes, text);
    if (copy == NULL) {
        nnc_faults_no_memory(at.doc->faults);
    } else {
        at.node->u.text = copy;
    }
}

void nnc_json_inherit(nnc_json object, nnc_json value)
{
    add_inherited(object, value.node);
}

nnc_json nnc_json_inherit_object(nnc_json object, const char *key)
{
    const nnc_json_node empty = { .key = key, .tag = nnc_json_tag(key), .type = NNC_JSON_OBJECT };
    return add_inherited(object, &empty);
}

bool nnc_json_inherited(nnc_json at)
{
    return at.node != NULL && at.node->inherited;
}

/* ---- errors: finding the place, and noting them ---- */

/* The containers around a value, outermost first. */
typedef struct way {
    nnc_json open[NNC_SCAN_DEPTH_MAX + 2];
    int depth;
} way;

/* The recursion is as deep as the text is nested. */
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

/* The key that made a value inherited: "same_as" or "like". */
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
            break; /* the rest of this object is inherited */
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

long nnc_json_line(nnc_json at)
{
    way w = { .depth = 0 };
    find(nnc_json_root(at.doc), at, &w);
    return w.depth > 0 ? line_of(&w, at) : 1;
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

/* Notes out of memory once: it is not an error of the file. */
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
