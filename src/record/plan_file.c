#include "record/plan_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "input/file.h"
#include "input/place.h"
#include "input/read.h"
#include "input/scan.h"

static bool read_schema(nnc_json root)
{
    const nnc_json at = nnc_json_get(root, "schema");
    const char *text = nnc_json_type_of(at) == NNC_JSON_TEXT ? nnc_json_text(at) : "";
    if (strcmp(text, NNC_PLANS_SCHEMA) == 0) {
        return true;
    }
    if (nnc_json_type_of(root) != NNC_JSON_OBJECT) {
        nnc_json_mismatch(root, "wrong type", "an object");
    } else if (at.node == NULL) {
        nnc_json_fault(root, "schema", "missing, expected \"%s\", found nothing", NNC_PLANS_SCHEMA);
    } else if (strncmp(text, "nncost.plans/", strlen("nncost.plans/")) == 0) {
        nnc_json_mismatch(at, "of another version of nncost", "\"" NNC_PLANS_SCHEMA "\"");
    } else {
        nnc_json_mismatch(at, "not a plan file", "\"" NNC_PLANS_SCHEMA "\"");
    }
    return false;
}

static void read_root(nnc_json root, nnc_plans *plans)
{
    static const char *const keys[] = { "schema",    "note",     "common", "record",
                                        "scenarios", "recorded", NULL };
    static const nnc_field_table none = { "plan file", NULL, 0 };
    if (!read_schema(root)) {
        return;
    }
    for (nnc_json item = nnc_json_first(root); item.node != NULL && nnc_json_go_on(item);
         item = nnc_json_next(item)) {
        if (!nnc_is_one_of(nnc_json_key(item), keys)) {
            nnc_refuse_unknown(item, &none, keys);
        }
    }
    (void)nnc_read_text(nnc_json_get(root, "note"));
    nnc_read_texts(nnc_json_get(root, "record"), &plans->record, &plans->record_count);
    nnc_plans_read_scenarios(root, plans);
    nnc_recorded_of(nnc_json_get(root, "recorded"), &plans->recorded);
}

static void find_lines(nnc_json root, nnc_plans *plans)
{
    const size_t count = (size_t)plans->scenario_count;
    nnc_plans_scenario *list = nnc_arena_array(root.doc->arena, count + 1, sizeof(*list));
    long *lines = nnc_arena_array(root.doc->arena, count + 1, sizeof(*lines));
    if (list == NULL || lines == NULL) {
        nnc_faults_no_memory(root.doc->faults);
        return;
    }
    nnc_plans_find_places(plans, root.doc->apart.end, lines, plans->scenario_count);
    for (size_t i = 0; i < count; i++) {
        list[i] = plans->scenarios[i];
        list[i].line = lines[i];
    }
    plans->scenarios = list;
    if (plans->recorded.tool != NULL && plans->places.end == 0) {
        nnc_json_fault(root, "recorded", "its key is written with escapes, expected it plain");
    }
}

void nnc_plans_parse(nnc_arena *arena, const char *text, size_t size, nnc_faults *faults,
                     nnc_plans *plans)
{
    nnc_json_doc doc = { .faults = faults,
                         .arena = arena,
                         .text = text,
                         .size = size,
                         .values_max = NNC_SCAN_VALUES_RECORDED,
                         .apart = { .name = "recorded.estimates" } };
    *plans = (nnc_plans){ .path = faults->name, .text = text, .size = size };
    if (nnc_json_parse(&doc)) {
        const nnc_json root = nnc_json_root(&doc);
        read_root(root, plans);
        if (faults->count == 0) {
            find_lines(root, plans);
        }
    }
    nnc_json_free(&doc);
}

nnc_status nnc_plans_text(nnc_specs *specs, const char *path, char **text, size_t *size,
                          nnc_error *err)
{
    return nnc_is_pipe(path) ? nnc_specs_read(specs, path, text, size, err)
                             : nnc_file_read_large(path, NNC_RECORDED_BYTES_MAX, text, size, err);
}

nnc_status nnc_plans_read(nnc_specs *specs, nnc_arena *arena, const char *path,
                          const nnc_plans **plans, nnc_error *err)
{
    char *text = NULL;
    size_t size = 0;
    nnc_plans *read = nnc_arena_alloc(arena, sizeof(*read));
    nnc_faults faults = { .name = nnc_arena_strdup(arena, path), .err = err };
    if (read == NULL || faults.name == NULL) {
        return nnc_fail(err, NNC_NO_MEMORY, path, "out of memory");
    }
    NNC_TRY(nnc_plans_text(specs, path, &text, &size, err));
    if (!nnc_arena_own(arena, text)) {
        return nnc_fail(err, NNC_NO_MEMORY, path, "out of memory");
    }
    nnc_plans_parse(arena, text, size, &faults, read);
    *plans = read;
    return faults.status;
}

bool nnc_plans_is(nnc_specs *specs, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    const bool is = (specs != NULL || !nnc_is_pipe(path)) &&
                    nnc_plans_text(specs, path, &text, &size, NULL) == NNC_OK &&
                    strstr(text, "\"nncost.plans/") != NULL;
    free(text);
    return is;
}
