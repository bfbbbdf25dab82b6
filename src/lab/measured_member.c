#include "lab/measured_member.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "input/file.h"
#include "input/kind.h"

#define PLACE "lab/members.json"
#define SCHEMA "nncost.members/1"

struct nnc_members {
    nnc_specs *specs;
    nnc_faults faults;
    nnc_json_doc doc;  /* without a root: there is no table */
    nnc_member *known; /* those that were asked for */
    int32_t count, capacity;
};

static const char *text_of(nnc_json at)
{
    return nnc_json_type_of(at) == NNC_JSON_TEXT ? nnc_json_text(at) : NULL;
}

static void check_table(nnc_json root)
{
    const char *schema = text_of(nnc_json_get(root, "schema"));
    if (schema == NULL || strcmp(schema, SCHEMA) != 0) {
        nnc_json_fault(root, "schema", "unknown schema, expected \"" SCHEMA "\"");
    }
    for (nnc_json at = nnc_json_first(nnc_json_get(root, "members")); at.node != NULL;
         at = nnc_json_next(at)) {
        if (text_of(at) == NULL && text_of(nnc_json_get(at, "refused")) == NULL) {
            nnc_json_mismatch(at, "wrong type",
                              "\"MODEL FIELD=VALUE ...\", or an object with \"refused\"");
        }
    }
}

static nnc_status open_table(nnc_members *m, nnc_error *err)
{
    const char *path = NULL;
    char *text = NULL;
    size_t size = 0;
    NNC_TRY(nnc_specs_file(m->specs, PLACE, &path, err));
    if (path == NULL) {
        return NNC_OK;
    }
    NNC_TRY(nnc_file_read(path, &text, &size, err));
    m->faults = (nnc_faults){ .name = path, .err = err };
    m->doc = (nnc_json_doc){
        .faults = &m->faults, .arena = nnc_specs_arena(m->specs), .text = text, .size = size
    };
    if (nnc_json_parse(&m->doc)) {
        check_table(nnc_json_root(&m->doc));
    }
    free(text);
    return m->faults.status;
}

nnc_status nnc_members_open(nnc_specs *specs, nnc_members **members, nnc_error *err)
{
    *members = nnc_arena_alloc(nnc_specs_arena(specs), sizeof **members);
    if (*members == NULL) {
        return nnc_fail(err, NNC_NO_MEMORY, PLACE, "out of memory");
    }
    (*members)->specs = specs;
    const nnc_status status = open_table(*members, err);
    if (status != NNC_OK) {
        nnc_members_close(*members);
        *members = NULL;
    }
    return status;
}

void nnc_members_close(nnc_members *members)
{
    if (members != NULL) {
        nnc_json_free(&members->doc);
    }
}

/* Sets "FIELD=VALUE FIELD=VALUE ...". */
static nnc_status set_fields(nnc_model *model, const char *text, nnc_error *err)
{
    char pair[64];
    while (*text != '\0') {
        const size_t length = strcspn(text, " ");
        snprintf(pair, sizeof pair, "%.*s", (int)(length < sizeof pair ? length : 0), text);
        char *equals = strchr(pair, '=');
        if (equals == NULL) {
            return nnc_fail(err, NNC_BAD_SPEC, PLACE, "expected FIELD=VALUE, found \"%.60s\"",
                            text);
        }
        *equals = '\0';
        NNC_TRY(nnc_model_set(model, pair, equals + 1, err));
        text += length + strspn(text + length, " ");
    }
    return nnc_model_check(model, "model", err);
}

/* "MODEL FIELD=VALUE ..." */
static nnc_status make_model(nnc_members *m, const char *key, const char *text, nnc_model **made,
                             nnc_error *err)
{
    char id[64];
    const nnc_model *base = NULL;
    const size_t length = strcspn(text, " ");
    snprintf(id, sizeof id, "%.*s", (int)(length < sizeof id ? length : 0), text);
    NNC_TRY(nnc_model_load(m->specs, id, &base, err));
    NNC_TRY(nnc_model_copy(m->specs, base, made, err));
    snprintf((*made)->name, sizeof(*made)->name, "%.95s", key);
    return set_fields(*made, text + length + strspn(text + length, " "), err);
}

static nnc_status add(nnc_members *m, nnc_json at, nnc_member *member, nnc_error *err)
{
    nnc_arena *arena = nnc_specs_arena(m->specs);
    nnc_error why = { 0 };
    nnc_model *made = NULL;
    char reason[320];
    const char *refused = text_of(nnc_json_get(at, "refused"));
    if (refused != NULL) {
        member->reason = nnc_arena_strdup(arena, refused);
    } else {
        const nnc_status status = make_model(m, member->key, nnc_json_text(at), &made, &why);
        if (status == NNC_NO_MEMORY) {
            return nnc_fail(err, status, PLACE, "out of memory");
        }
        member->model = status == NNC_OK ? made : NULL;
        snprintf(reason, sizeof reason, PLACE " %.60s: %.60s %.160s", member->key, why.where,
                 why.what);
        member->reason = status == NNC_OK ? NULL : nnc_arena_strdup(arena, reason);
    }
    if (member->model == NULL && member->reason == NULL) {
        return nnc_fail(err, NNC_NO_MEMORY, PLACE, "out of memory");
    }
    return NNC_OK;
}

/* The table's entry of "NAME/TASK" or of "NAME"; key: which of them, if any. */
static nnc_json entry_of(const nnc_members *m, const char *name, const char *task, char key[160])
{
    const nnc_json all = nnc_json_get(nnc_json_root(&m->doc), "members");
    snprintf(key, 160, "%.100s/%.50s", name, task);
    nnc_json at = nnc_json_get(all, key);
    if (at.node == NULL) {
        snprintf(key, 160, "%.150s", name);
        at = nnc_json_get(all, key);
    }
    return at;
}

nnc_status nnc_members_find(nnc_members *members, const char *name, const char *task,
                            const nnc_member **member, nnc_error *err)
{
    nnc_arena *arena = nnc_specs_arena(members->specs);
    char key[160];
    const nnc_json at = entry_of(members, name, task, key);
    int32_t i = 0;
    *member = NULL;
    if (at.node == NULL) {
        return NNC_OK;
    }
    while (i < members->count && strcmp(members->known[i].key, key) != 0) {
        i++;
    }
    if (i == members->count) {
        nnc_member *known = nnc_arena_grow(arena, members->known, members->count,
                                           &members->capacity, sizeof *known);
        nnc_member made = { .key = nnc_arena_strdup(arena, key) };
        if (known == NULL || made.key == NULL) {
            return nnc_fail(err, NNC_NO_MEMORY, PLACE, "out of memory");
        }
        members->known = known;
        NNC_TRY(add(members, at, &made, err));
        members->known[members->count++] = made;
    }
    *member = &members->known[i];
    return NNC_OK;
}
