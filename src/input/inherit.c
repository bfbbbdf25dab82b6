/* Completes a JSON document before its values are read. The key "references" replaces short keys by long sources. The
 * key "like" inherits values from another file. The key "same_as" copies values from another object. Inherited values
 * are marked: an error in an inherited value names the key "like" or "same_as", and only the file that states a value
 * must give its source. */
#include "input/input_internal.h"

/* ---- references: texts that a file cites by short keys, as in "@nv-h100-ds, table 3" ---- */

enum { KEYS_MAX = 256 };

/* Returns the length of the reference key at the start of text. The function does not use strspn, which builds a table
 * of letters on each call. */
static size_t key_length(const char *text) {
    const char *c = text;
    while ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_' || *c == '-') {
        c++;
    }
    return (size_t)(c - text);
}

/* Returns the length of the reference key after the '@' at `at`; 0 = the '@' begins no citation. An '@' inside a word
 * does not begin a citation. */
static size_t cited(const char *text, const char *at) {
    const bool begins = at == text || strchr(" (\"'[", at[-1]) != NULL;
    return *at == '@' && begins ? key_length(at + 1) : 0;
}

/* Returns the text of a reference key, from "references" of a file or of the files in its chain of "like" keys; NULL =
 * unknown key. */
static const char *find_reference(const nnc_json_doc *doc, const char *key, size_t length) {
    for (; doc != NULL; doc = doc->like) {
        nnc_json at = nnc_json_first(nnc_json_get(nnc_json_root(doc), "references"));
        for (; at.node != NULL; at = nnc_json_next(at)) {
            if (strlen(nnc_json_key(at)) == length && memcmp(nnc_json_key(at), key, length) == 0) {
                return nnc_json_type_of(at) == NNC_JSON_TEXT ? nnc_json_text(at) : "";
            }
        }
    }
    return NULL;
}

static void refuse_reference(nnc_json at, const char *key, size_t length) {
    char found[64];
    const char *names[KEYS_MAX];
    size_t count = 0;
    snprintf(found, sizeof found, "%.*s", (int)(length < 60 ? length : 60), key);
    for (const nnc_json_doc *doc = at.doc; doc != NULL; doc = doc->like) {
        nnc_json one = nnc_json_first(nnc_json_get(nnc_json_root(doc), "references"));
        for (; one.node != NULL && count < KEYS_MAX; one = nnc_json_next(one)) { names[count++] = nnc_json_key(one); }
    }
    const char *near = nnc_nearest(found, names, count);
    nnc_json_fault(at, NULL, "unknown reference, expected a key of \"references\"%s%s%s, found \"@%s\"",
                   near != NULL ? ", perhaps \"@" : "", near != NULL ? near : "", near != NULL ? "\"" : "", found);
}

static void expand_text(nnc_json at) {
    const char *text = nnc_json_text(at); /* start of the part of the text that is not yet copied to `out` */
    nnc_buffer out = { 0 };
    for (const char *c = strchr(text, '@'); c != NULL; c = strchr(c + 1, '@')) {
        const size_t length = cited(nnc_json_text(at), c);
        const char *meant = length > 0 ? find_reference(at.doc, c + 1, length) : NULL;
        if (length > 0 && meant == NULL) { refuse_reference(at, c + 1, length); }
        if (meant != NULL) {
            nnc_buffer_put(&out, text, (size_t)(c - text));
            nnc_buffer_text(&out, meant);
            text = c + 1 + length;
        }
    }
    if (text == nnc_json_text(at)) { return; }
    nnc_buffer_text(&out, text);
    nnc_buffer_byte(&out, '\0');
    if (out.failed) {
        nnc_faults_no_memory(at.doc->faults);
    } else {
        nnc_json_set_text(at, out.bytes);
    }
    nnc_buffer_free(&out);
}

/* Replaces citations such as "@key" in strings inside the value `at` by the texts of "references". cites: true = `at`
 * is inside "sources", and all strings are searched; false = only strings with the key "fitted_on" or "source", and
 * strings inside "sources", are searched. The function calls itself for each value inside `at`. */
static void expand(nnc_json at, bool cites) {
    static const char *const keys[] = { "fitted_on", "source", NULL };
    if (nnc_json_type_of(at) == NNC_JSON_TEXT) {
        if (strchr(nnc_json_text(at), '@') != NULL && (cites || nnc_is_one_of(nnc_json_key(at), keys))) {
            expand_text(at);
        }
        return;
    }
    cites = cites || strcmp(nnc_json_key(at), "sources") == 0;
    for (nnc_json child = nnc_json_first(at); child.node != NULL; child = nnc_json_next(child)) {
        expand(child, cites);
    }
}

static void expand_references(nnc_json root) {
    const nnc_json at = nnc_json_get(root, "references");
    if (at.node != NULL && !nnc_json_expect(at, NNC_JSON_OBJECT, "an object of texts")) { return; }
    for (nnc_json one = nnc_json_first(at); one.node != NULL; one = nnc_json_next(one)) {
        const char *key = nnc_json_key(one);
        if (key[0] == '\0' || key_length(key) != strlen(key)) {
            nnc_json_fault(one, NULL, "bad key, expected letters, digits, '-' and '_', found \"%s\"", key);
        } else if (nnc_json_type_of(one) != NNC_JSON_TEXT) {
            nnc_json_mismatch(one, "wrong type", "text");
        }
    }
    expand(root, false);
}

/* ---- inheritance: "like" and "same_as" ---- */

/* Keys that a file does not inherit from another file. For example, published_params and spread hold only for the model
 * or profile whose own file states them. */
static const char *const never[] = { "schema",
                                     "id",
                                     "name",
                                     "aliases",
                                     "like",
                                     "note",
                                     "references",
                                     "sources",
                                     "published_params",
                                     "published_weights",
                                     "published_group_size",
                                     "spread",
                                     "stands_for",
                                     "compared",
                                     "ranges",
                                     "date",
                                     "recipes",
                                     "instances",
                                     NULL };

static bool is_object(nnc_json at) { return nnc_json_type_of(at) == NNC_JSON_OBJECT; }

/* Tests whether an object has a number of its own, which is not inherited. If an object has a number of its own, it
 * does not inherit the text "fitted_on", because this text names the measurements to which the inherited numbers were
 * fitted. */
static bool has_own_number(nnc_json object) {
    nnc_json at = nnc_json_first(object);
    while (at.node != NULL && (nnc_json_inherited(at) || nnc_json_type_of(at) != NNC_JSON_NUMBER)) {
        at = nnc_json_next(at);
    }
    return at.node != NULL;
}

/* Adds to the object `to` those members of the object `from` that the object `to` lacks. An object that is inside both
 * `to` and `from` gets its missing members from the object in `from`, too. Members whose key is in the list `but` are
 * not added. The function calls itself for each object that both `to` and `from` contain. */
static void merge(nnc_json to, nnc_json from, const char *const *but) {
    static const char *const comment[] = { "note", NULL };
    const bool other = has_own_number(to);
    for (nnc_json at = nnc_json_first(from); at.node != NULL; at = nnc_json_next(at)) {
        const char *key = nnc_json_key(at);
        const nnc_json own = nnc_json_get(to, key);
        if (nnc_is_one_of(key, but) || (other && strcmp(key, "fitted_on") == 0)) { continue; }
        if (own.node == NULL) {
            nnc_json_inherit(to, at);
        } else if (is_object(own) && is_object(at)) {
            merge(own, at, comment);
        }
    }
}

/* ---- "same_as": copies values from another object of the file ---- */

static void copy_same(nnc_json container, nnc_json object, nnc_json name) {
    static const char *const but[] = { "note", "same_as", NULL };
    const bool text = nnc_json_type_of(name) == NNC_JSON_TEXT;
    const nnc_json other = nnc_json_get(container, text ? nnc_json_text(name) : "");
    if (!text || !is_object(other) || other.node == object.node) {
        nnc_json_mismatch(name, "unknown", "the key of another object next to this one");
    } else if (nnc_json_get(other, "same_as").node != NULL) {
        nnc_json_mismatch(name, "a chain", "an object with values of its own");
    } else {
        merge(object, other, but);
    }
}

/* If an object has the key "same_as", adds the members of the object that "same_as" names. The function calls itself
 * for each object inside this object. */
static void fill_in_same(nnc_json container) {
    static const char *const texts[] = { "sources", "references", NULL };
    for (nnc_json at = nnc_json_first(container); at.node != NULL; at = nnc_json_next(at)) {
        if (is_object(at) && !nnc_is_one_of(nnc_json_key(at), texts)) {
            const nnc_json name = nnc_json_get(at, "same_as");
            if (name.node != NULL) { copy_same(container, at, name); }
            fill_in_same(at);
        }
    }
}

/* ---- "like": inherits values from another file ---- */

/* Tests whether a file states values that need a source. Values whose key is in the list `names` (id, name, aliases,
 * note, prices ...) need no source. */
static bool says_figures(nnc_json root) {
    static const char *const names[] = { "schema", "id",         "name",    "aliases",    "like",
                                         "note",   "references", "prices",  "stands_for", "compared",
                                         "ranges", "date",       "recipes", "instances",  NULL };
    nnc_json at = nnc_json_first(root);
    while (at.node != NULL && nnc_is_one_of(nnc_json_key(at), names)) { at = nnc_json_next(at); }
    return at.node != NULL;
}

/* Copies the sources of values that a file inherits from another file. from: the object "sources" of the other file. */
static void merge_sources(nnc_json root, nnc_json from) {
    nnc_json to = nnc_json_get(root, "sources");
    if (to.node == NULL && !says_figures(root)) { to = nnc_json_inherit_object(root, "sources"); }
    for (nnc_json at = nnc_json_first(from); is_object(to) && at.node != NULL; at = nnc_json_next(at)) {
        const char *rest;
        const nnc_json said = nnc_json_follow(root, nnc_json_key(at), &rest);
        if (nnc_json_get(to, nnc_json_key(at)).node == NULL && (*rest != '\0' || is_object(said))) {
            nnc_json_inherit(to, at);
        }
    }
}

static bool complete(nnc_json_doc *doc, nnc_specs *specs, nnc_spec_kind kind);

/* Reads the file that a key "like" names, adds the values that this file inherits (inherit.c), and returns the file as
 * a document. The text of the file is freed. If the file is not valid, notes an error and returns NULL. */
static nnc_json_doc *open_like(nnc_specs *specs, nnc_spec_kind kind, const char *path, nnc_error *err) {
    nnc_arena *arena = nnc_specs_arena(specs);
    nnc_json_doc *doc = nnc_arena_alloc(arena, sizeof *doc);
    nnc_faults *faults = nnc_arena_alloc(arena, sizeof *faults);
    char *text = NULL;
    size_t size = 0;
    nnc_buffer json = { 0 };
    if (doc == NULL || faults == NULL) {
        nnc_fail(err, NNC_NO_MEMORY, path, "out of memory");
        return NULL;
    }
    *faults = (nnc_faults){ .name = path, .err = err };
    if (nnc_specs_read(specs, path, &text, &size, err) == NNC_OK &&
        (kind != NNC_SPEC_DEVICE || !nnc_is_machine(text) || nnc_machine_json(path, text, &json, err) == NNC_OK)) {
        *doc = (nnc_json_doc){ .faults = faults,
                               .arena = arena,
                               .text = json.bytes != NULL ? json.bytes : text,
                               .size = json.bytes != NULL ? strlen(json.bytes) : size,
                               .foreign = kind == NNC_SPEC_MODEL };
        if (nnc_json_parse(doc)) { complete(doc, specs, kind); }
    }
    free(text);
    nnc_buffer_free(&json);
    if (doc->root == NULL || faults->count > 0) {
        nnc_json_free(doc);
        return NULL;
    }
    doc->text = NULL;
    return doc;
}

static bool find_like(nnc_json at, nnc_specs *specs, nnc_spec_kind kind, const char **path) {
    nnc_error err;
    const char *name = at.doc->faults->name;
    if (!nnc_json_expect(at, NNC_JSON_TEXT, "the id of another file")) { return false; }
    const char *id = nnc_json_text(at);
    if (nnc_is_path(id)) {
        *path = nnc_path_from(nnc_specs_arena(specs), name != NULL ? name : "", id);
        if (*path == NULL) { return nnc_faults_no_memory(at.doc->faults); }
    } else if (nnc_specs_find(specs, kind, id, path, &err) != NNC_OK) {
        if (err.status == NNC_IO) { /* after an I/O error, `err` names the file that could not be read */
            nnc_faults_note(at.doc->faults, &err);
        } else {
            nnc_json_fault(at, NULL, "%s", err.what);
        }
        return false;
    }
    if (nnc_specs_is_reading(specs, *path)) {
        return nnc_json_mismatch(at, "a circle", "a file that does not inherit from this file");
    }
    return true;
}

/* Reads the file that the key "like" of a document names. The file that "like" names must be valid, too. If the input
 * is not valid, notes an error and returns false. */
static bool read_like(nnc_json_doc *doc, nnc_json at, nnc_specs *specs, nnc_spec_kind kind) {
    nnc_error err;
    const char *path;
    const void *spec;
    const char *name = doc->faults->name != NULL ? doc->faults->name : "";
    if (!nnc_specs_begin_like(specs, name)) {
        return nnc_json_fault(at, NULL, "too long a chain, expected at most %d files that inherit from each other",
                              (int)NNC_LIKE_MAX);
    }
    const bool found = find_like(at, specs, kind, &path);
    if (found && nnc_spec_load(specs, kind, path, &spec, &err) == NNC_OK) {
        doc->like = open_like(specs, kind, path, &err);
    }
    nnc_specs_end_like(specs);
    if (found && doc->like == NULL) {
        nnc_faults_note(doc->faults, &err); /* `err` states the line and column in the file that the key "like" names */
    }
    return doc->like != NULL;
}

static bool complete(nnc_json_doc *doc, nnc_specs *specs, nnc_spec_kind kind) {
    const nnc_json root = nnc_json_root(doc);
    const nnc_json like = nnc_json_get(root, "like");
    if (!is_object(root) || nnc_is_foreign(root) || nnc_is_capture(root)) { return true; }
    if (kind != NNC_SPEC_KIND_COUNT && like.node != NULL && !read_like(doc, like, specs, kind)) { return false; }
    expand_references(root);
    if (doc->like != NULL) {
        const nnc_json from = nnc_json_root(doc->like);
        merge_sources(root, nnc_json_get(from, "sources"));
        merge(root, from, never);
    }
    return true;
}

bool nnc_spec_complete(nnc_json_doc *doc, nnc_specs *specs, nnc_spec_kind kind) {
    const bool completed = complete(doc, specs, kind);
    if (!nnc_is_foreign(nnc_json_root(doc)) && !nnc_is_capture(nnc_json_root(doc))) {
        fill_in_same(nnc_json_root(doc));
    }
    return completed;
}

/* ---- finds the file that sets a field ---- */

struct nnc_lineage {
    nnc_json_doc *doc;
};

nnc_status nnc_lineage_open(nnc_specs *specs, nnc_spec_kind kind, const char *path, nnc_lineage **lineage,
                            nnc_error *err) {
    nnc_json_doc *doc = path != NULL ? open_like(specs, kind, path, err) : NULL;
    *lineage = NULL;
    if (doc == NULL) { return path != NULL ? err->status : NNC_OK; }
    if (doc->like != NULL) {
        fill_in_same(nnc_json_root(doc));
        *lineage = nnc_arena_alloc(nnc_specs_arena(specs), sizeof **lineage);
    }
    if (*lineage == NULL) {
        const bool alone = doc->like == NULL;
        nnc_json_free(doc);
        return alone ? NNC_OK : nnc_fail(err, NNC_NO_MEMORY, path, "out of memory");
    }
    (*lineage)->doc = doc;
    return NNC_OK;
}

void nnc_lineage_close(nnc_lineage *lineage) {
    if (lineage != NULL) { nnc_json_free(lineage->doc); }
}

/* Tests whether a file itself states the field with a dotted name, directly or by "same_as". A field that the file
 * inherits by "like" is not stated by the file itself. */
static bool says(nnc_json at, const char *dotted) {
    char key[64];
    const size_t length = strcspn(dotted, ".");
    snprintf(key, sizeof key, "%.*s", (int)length, dotted);
    const nnc_json child = nnc_json_get(at, key);
    if (child.node == NULL || nnc_json_inherited(child)) {
        return child.node != NULL && nnc_json_get(at, "same_as").node != NULL;
    }
    return dotted[length] == '\0' || says(child, dotted + length + 1);
}

const char *nnc_lineage_of(const nnc_lineage *lineage, const char *dotted) {
    char key[64];
    const nnc_json_doc *doc = lineage->doc;
    snprintf(key, sizeof key, "%.*s", (int)strcspn(dotted, "."), dotted);
    while (doc != NULL && !says(nnc_json_root(doc), dotted)) { doc = nnc_is_one_of(key, never) ? NULL : doc->like; }
    return doc != NULL ? nnc_json_text(nnc_json_get(nnc_json_root(doc), "id")) : NULL;
}
