/* What every spec file has besides its own fields: schema, id, texts, sources. */
#include <stdio.h>
#include <string.h>

#include "input/read.h"

const char *nnc_read_text(nnc_json at)
{
    if (nnc_json_type_of(at) == NNC_JSON_ABSENT) {
        return NULL;
    }
    if (nnc_json_type_of(at) != NNC_JSON_TEXT) {
        nnc_json_mismatch(at, "wrong type", "text");
        return NULL;
    }
    const char *copy = nnc_arena_strdup(at.doc->arena, nnc_json_text(at));
    if (copy == NULL) {
        nnc_faults_no_memory(at.doc->faults);
    }
    return copy;
}

void nnc_read_texts(nnc_json at, const char *const **texts, int32_t *count)
{
    int32_t used = 0;
    if (nnc_json_type_of(at) == NNC_JSON_ABSENT) {
        return;
    }
    if (nnc_json_type_of(at) != NNC_JSON_LIST) {
        nnc_json_mismatch(at, "wrong type", "a list of texts");
        return;
    }
    const char **list = nnc_arena_array(at.doc->arena, (size_t)nnc_json_count(at), sizeof(*list));
    if (list == NULL) {
        nnc_faults_no_memory(at.doc->faults);
        return;
    }
    for (nnc_json item = nnc_json_first(at); item.node != NULL; item = nnc_json_next(item)) {
        const char *text = nnc_read_text(item);
        if (text != NULL) {
            list[used++] = text;
        }
    }
    *texts = list;
    *count = used;
}

/* A source's key is "", a key of the file, or a dotted name that begins with one. */
static bool names_fields(const char *key, const nnc_field_table *table, const char *const *others)
{
    char first[64];
    const size_t length = strcspn(key, ".");
    if (length >= sizeof(first)) {
        return false;
    }
    memcpy(first, key, length);
    first[length] = '\0';
    return key[0] == '\0' || nnc_field_of_key(table, first) != NULL || nnc_is_one_of(first, others);
}

/* Sources as they are added, in the arena. */
typedef struct source_list {
    nnc_source *list;
    int32_t count, capacity;
} source_list;

static void add_source(source_list *to, const char *key, nnc_json text)
{
    nnc_arena *arena = text.doc->arena;
    nnc_source *list = nnc_arena_grow(arena, to->list, to->count, &to->capacity, sizeof(*list));
    const nnc_source source = { nnc_arena_strdup(arena, key), nnc_read_text(text) };
    if (list == NULL || source.key == NULL) {
        nnc_faults_no_memory(text.doc->faults);
        return;
    }
    to->list = list;
    if (source.text != NULL) {
        to->list[to->count++] = source;
    }
}

static void add_sources(nnc_json item, source_list *to)
{
    if (nnc_json_type_of(item) != NNC_JSON_LIST) {
        add_source(to, nnc_json_key(item), item);
        return;
    }
    if (nnc_json_count(item) == 0) {
        nnc_json_mismatch(item, "empty", "where the figure comes from");
    }
    for (nnc_json one = nnc_json_first(item); one.node != NULL; one = nnc_json_next(one)) {
        add_source(to, nnc_json_key(item), one);
    }
}

void nnc_read_sources(nnc_json root, const nnc_field_table *table, const char *const *others,
                      const nnc_source **sources, int32_t *count)
{
    const nnc_json at = nnc_json_get(root, "sources");
    source_list list = { .count = 0 };
    if (nnc_json_type_of(at) == NNC_JSON_ABSENT) { /* tests/shipped.sh asks for them */
        return;
    }
    if (nnc_json_type_of(at) != NNC_JSON_OBJECT || nnc_json_count(at) == 0) {
        nnc_json_mismatch(at, "no sources", "an object of texts or lists of texts");
        return;
    }
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item);
         item = nnc_json_next(item)) {
        if (!names_fields(nnc_json_key(item), table, others)) {
            nnc_refuse_unknown(item, table, others);
        }
        add_sources(item, &list);
    }
    *sources = list.list;
    *count = list.count;
}

/* The texts beside fitted figures, under the names of their objects. Calls itself as deep as the text is
 * nested. */
static void add_fitted(nnc_json at, const char *name, source_list *to)
{
    char below[96];
    const nnc_json text = nnc_json_get(at, "fitted_on");
    if (nnc_json_type_of(text) == NNC_JSON_TEXT) {
        add_source(to, name, text);
    }
    for (nnc_json child = nnc_json_first(at); child.node != NULL; child = nnc_json_next(child)) {
        if (nnc_json_type_of(child) == NNC_JSON_OBJECT) {
            snprintf(below, sizeof below, "%.60s.%.30s", name, nnc_json_key(child));
            add_fitted(child, below, to);
        }
    }
}

void nnc_read_fitted(nnc_json root, const char *key, const nnc_source **sources, int32_t *count)
{
    source_list list = { .count = 0 };
    add_fitted(nnc_json_get(root, key), key, &list);
    nnc_source *all =
        nnc_arena_array(root.doc->arena, (size_t)(*count + list.count) + 1, sizeof *all);
    if (all == NULL) {
        nnc_faults_no_memory(root.doc->faults);
        return;
    }
    for (int32_t i = 0; i < *count + list.count; i++) {
        all[i] = i < *count ? (*sources)[i] : list.list[i - *count];
    }
    *sources = all;
    *count += list.count;
}

static bool is_id(const char *id)
{
    return id[0] != '\0' && id[0] != '.' && strchr(id, '/') == NULL && strstr(id, "..") == NULL;
}

void nnc_read_identity(nnc_json root, const char *schema, const char *stem)
{
    const nnc_json kind = nnc_json_get(root, "schema");
    if (nnc_json_type_of(kind) == NNC_JSON_ABSENT) {
        nnc_json_fault(root, "schema", "missing, expected \"%s\", found nothing", schema);
    } else if (nnc_json_type_of(kind) != NNC_JSON_TEXT ||
               strcmp(nnc_json_text(kind), schema) != 0) {
        char expected[64];
        snprintf(expected, sizeof(expected), "\"%s\"", schema);
        nnc_json_mismatch(kind, "unknown schema", expected);
    }
    const nnc_json id = nnc_json_get(root, "id");
    if (nnc_json_type_of(id) != NNC_JSON_TEXT) {
        return; /* the field table says so */
    }
    if (!is_id(nnc_json_text(id))) {
        nnc_json_mismatch(id, "bad id", "a file name without '/' or \"..\"");
    } else if (stem != NULL && strcmp(stem, nnc_json_text(id)) != 0) {
        char expected[96];
        snprintf(expected, sizeof(expected), "\"%s\"", stem);
        nnc_json_mismatch(id, "not the name of the file", expected);
    }
}
