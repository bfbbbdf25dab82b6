#include "record/causes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nncost/nncost.h>

#include "base/error.h"
#include "input/kind.h"

static const char plan_kind[] = "plan";

static const char *find(const nnc_recorded_digest *list, int32_t count, const char *kind,
                        const char *name)
{
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, name) == 0 && strcmp(list[i].kind, kind) == 0) {
            return list[i].digest;
        }
    }
    return NULL;
}

/* The plans follow each other as the scenarios do: the search goes on behind the last find. */
static const char *find_plan(const nnc_recorded *recorded, const char *id, int32_t *next)
{
    for (int32_t i = 0; i < recorded->digest_count; i++) {
        const nnc_recorded_digest *digest =
            &recorded->digests[(*next + i) % recorded->digest_count];
        if (strcmp(digest->name, id) == 0 && strcmp(digest->kind, plan_kind) == 0) {
            *next = (int32_t)(digest - recorded->digests) + 1;
            return digest->digest;
        }
    }
    return NULL;
}

static nnc_status add(nnc_origins *origins, const char *kind, const char *name, const char *path,
                      nnc_error *err)
{
    char text[NNC_DIGEST_TEXT];
    uint64_t digest = 0;
    NNC_TRY(nnc_spec_digest(origins->specs, path, &digest, err));
    nnc_recorded_digest *list = nnc_arena_grow(origins->arena, origins->list, origins->count,
                                               &origins->capacity, sizeof *list);
    if (list == NULL) {
        return nnc_no_memory(err);
    }
    origins->list = list;
    const char *copy = nnc_arena_strdup(origins->arena, nnc_digest_print(digest, text));
    if (copy == NULL) {
        return nnc_no_memory(err);
    }
    origins->list[origins->count++] = (nnc_recorded_digest){ kind, name, copy };
    return NNC_OK;
}

/* What a scenario names, the profile of its plan where it names none; NULL: no file of this kind. */
static const char *name_of(const nnc_plans_scenario *from, const nnc_scenario *scenario, int kind)
{
    const char *name = from->refs[kind];
    return kind == NNC_REF_SOFTWARE && nnc_software_is_chosen(name) ? scenario->software.id : name;
}

nnc_status nnc_origins_add(nnc_origins *origins, const nnc_plans_scenario *from,
                           const nnc_scenario *scenario, nnc_error *err)
{
    const char *const paths[NNC_REF_COUNT] = { scenario->model.path, scenario->device.path,
                                               scenario->software.path, scenario->report.cluster };
    nnc_status status = NNC_OK;
    for (int i = 0; i < NNC_REF_COUNT && status == NNC_OK; i++) {
        const char *kind = nnc_plans_ref_names[i], *name = name_of(from, scenario, i);
        /* What is built in is the tool's own. */
        if (name != NULL && paths[i] != NULL &&
            find(origins->list, origins->count, kind, name) == NULL) {
            status = add(origins, kind, name, paths[i], err);
        }
    }
    return status;
}

static int kind_of(const nnc_recorded_digest *digest)
{
    int kind = 0;
    while (kind < NNC_REF_COUNT && strcmp(nnc_plans_ref_names[kind], digest->kind) != 0) {
        kind++;
    }
    return kind;
}

static int by_kind(const void *a, const void *b)
{
    const nnc_recorded_digest *left = a, *right = b;
    const int kinds = kind_of(left) - kind_of(right);
    return kinds != 0 ? kinds : strcmp(left->name, right->name);
}

const nnc_recorded_digest *nnc_origins_sorted(const nnc_origins *origins, const nnc_plans *plans,
                                              int32_t *count)
{
    const size_t files = (size_t)origins->count, all = files + (size_t)plans->scenario_count;
    nnc_recorded_digest *list = nnc_arena_array(origins->arena, all, sizeof *list);
    if (list == NULL) {
        return NULL;
    }
    if (files > 0) {
        memcpy(list, origins->list, files * sizeof *list);
        qsort(list, files, sizeof *list, by_kind);
    }
    for (size_t i = files; i < all; i++) {
        const nnc_plans_scenario *scenario = &plans->scenarios[i - files];
        char text[NNC_DIGEST_TEXT];
        nnc_digest_print(scenario->digest, text);
        list[i] = (nnc_recorded_digest){ plan_kind, scenario->id,
                                         nnc_arena_strdup(origins->arena, text) };
        if (list[i].digest == NULL) {
            return NULL;
        }
    }
    *count = (int32_t)all;
    return list;
}

static bool say(const nnc_origins *origins, const char **causes, nnc_check_row *row,
                const char *text)
{
    causes[row->cause_count] = nnc_arena_strdup(origins->arena, text);
    return causes[row->cause_count++] != NULL;
}

/* Is a change one of the plan, or of which model and device it names? What a newer version adds to
 * every plan is none; overrides and a cluster are only there where a plan has some. */
static bool is_of_plan(const nnc_change *change)
{
    const char *name = nnc_change_name(change);
    if (change->kind == NNC_CHANGE_NEW) {
        return strcmp(name, "plan.overrides") == 0 || strcmp(name, "plan.cluster") == 0;
    }
    return strncmp(name, "plan.", 5) == 0 || strcmp(name, "device.id") == 0 ||
           strcmp(name, "model.id") == 0;
}

/* "plan: micro_batch 1 -> 2, zero 0 -> 1": the fields that came out differently. */
static void plan_text(const nnc_check_row *row, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "plan");
    const size_t head = used;
    for (int32_t i = 0; i < row->change_count && used < size; i++) {
        const nnc_change *change = &row->changes[i];
        const char *name = nnc_change_name(change);
        if (is_of_plan(change)) {
            const nnc_change_text pair = nnc_change_text_of(change);
            used += (size_t)snprintf(
                text + used, size - used, "%s %s %s -> %s", used == head ? ":" : ",",
                strncmp(name, "plan.", 5) == 0 ? name + 5 : name, pair.old, pair.now);
        }
    }
    if (used == head) {
        snprintf(text, size, "plan: changed in the file");
    }
}

bool nnc_causes_find(nnc_origins *origins, const nnc_plans_scenario *from,
                     const nnc_scenario *scenario, const nnc_recorded *recorded, nnc_check_row *row)
{
    const char **causes = nnc_arena_array(origins->arena, NNC_CAUSES_MAX, sizeof *causes);
    char text[256], digest[NNC_DIGEST_TEXT];
    bool said = causes != NULL;
    if (!said) {
        return false;
    }
    const char *old = find_plan(recorded, from->id, &origins->next_plan);
    if (old != NULL && strcmp(old, nnc_digest_print(from->digest, digest)) != 0) {
        plan_text(row, text, sizeof text);
        said = say(origins, causes, row, text);
    }
    for (int i = 0; i < NNC_REF_COUNT && said; i++) {
        const char *kind = nnc_plans_ref_names[i], *name = name_of(from, scenario, i);
        const char *now = name != NULL ? find(origins->list, origins->count, kind, name) : NULL;
        old = name != NULL ? find(recorded->digests, recorded->digest_count, kind, name) : NULL;
        if (now != NULL && old != NULL && strcmp(now, old) != 0) {
            snprintf(text, sizeof text, "%s file: what %s says has changed", kind, name);
            said = say(origins, causes, row, text);
        }
    }
    if (said && strcmp(recorded->tool, nnc_version()) != 0) {
        snprintf(text, sizeof text, "tool: nncost %s -> %s", recorded->tool, nnc_version());
        said = say(origins, causes, row, text);
    }
    if (said && (recorded->conventions == NULL ||
                 strcmp(recorded->conventions, NNC_RECORDED_CONVENTIONS) != 0)) {
        snprintf(text, sizeof text, "conventions: %s -> %s",
                 recorded->conventions != NULL ? recorded->conventions : "-",
                 NNC_RECORDED_CONVENTIONS);
        said = say(origins, causes, row, text);
    }
    if (said && row->cause_count == 0) {
        snprintf(text, sizeof text,
                 "tool: plan and files are as recorded, so it is nncost itself, another build of "
                 "%s",
                 nnc_version());
        said = say(origins, causes, row, text);
    }
    row->causes = causes;
    return said;
}
