/* Loads the specs and the plan of a scenario of a plan file, with the options of the command line on top. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_internal.h"
#include "input/input_internal.h"
#include "record/record_internal.h"
#include "scenario/scenario_internal.h"

nnc_status nnc_plans_open(nnc_specs *specs, nnc_arena *arena, const char *model,
                          const nnc_plans **plans, nnc_error *err)
{
    *plans = NULL;
    return nnc_is_path(model) && nnc_plans_is(specs, model)
               ? nnc_plans_read(specs, arena, model, plans, err)
               : NNC_OK;
}

nnc_status nnc_plans_pick(const nnc_plans *plans, const char *id,
                          const nnc_plans_scenario **scenario, nnc_error *err)
{
    enum { NAMES_MAX = 256 };
    const char *names[NAMES_MAX] = { "" };
    size_t count = 0;
    for (int32_t i = 0; i < plans->scenario_count; i++) {
        const nnc_plans_scenario *one = &plans->scenarios[i];
        if (id != NULL ? strcmp(one->id, id) == 0 : plans->scenario_count == 1) {
            *scenario = one;
            return NNC_OK;
        }
        if (count < NAMES_MAX) {
            names[count++] = one->id;
        }
    }
    if (id == NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--scenario",
                        "missing, expected one of the %d scenarios of %s, such as \"%s\"",
                        (int)plans->scenario_count, plans->path, names[0]);
    }
    const char *near = nnc_nearest(id, names, count);
    return nnc_fail(err, NNC_BAD_USAGE, "--scenario",
                    "unknown scenario, expected one of the %d of %s, %s \"%s\", found \"%.80s\"",
                    (int)plans->scenario_count, plans->path, near != NULL ? "nearest" : "such as",
                    near != NULL ? near : names[0], id);
}

/* A path starts from the folder of the plan file; a cluster is always a path. */
static const char *resolve_ref(nnc_arena *arena, const nnc_plans *plans,
                               const nnc_plans_scenario *from, nnc_plans_ref kind)
{
    const char *ref = from->refs[kind];
    return ref == NULL || (!nnc_is_path(ref) && kind != NNC_REF_CLUSTER)
               ? ref
               : nnc_path_from(arena, plans->path, ref);
}

/* Is it one of the four ways in which requests arrive? One replaces another. */
static bool is_load(const nnc_field *field)
{
    static const char *const loads[] = { "batch", "concurrency", "request_rate", "offline", NULL };
    return nnc_field_is_of(&nnc_serve_table, field) && nnc_is_one_of(field->name, loads);
}

/* Is the field among the first `count` settings? */
static bool is_given(const nnc_scenario_args *given, int count, const nnc_field *field)
{
    for (int i = 0; i < count; i++) {
        const nnc_field *other = given->settings[i].field;
        if (other == field || (is_load(field) && is_load(other))) {
            return true;
        }
    }
    return false;
}

/* Joins the scenario's settings and those of the command line, which come last and win. */
static nnc_status merge(nnc_arena *arena, const nnc_plans_scenario *from, nnc_scenario_args *given,
                        nnc_error *err)
{
    const char *sets[NNC_SETS_MAX];
    int set_count = 0;
    const int own = given->setting_count;
    if (from->values.count + given->setting_count > NNC_SETTINGS_MAX ||
        from->sets.count + given->set_count > NNC_SETS_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, "command line", "too many options on top");
    }
    for (int32_t i = 0; i < from->values.count; i++) {
        const nnc_pair *pair = &from->values.list[i];
        if (!is_given(given, own, pair->field)) {
            given->settings[given->setting_count++] = (nnc_setting){ pair->field, pair->text };
        }
    }
    for (int32_t i = 0; i < from->sets.count; i++) {
        const nnc_pair *pair = &from->sets.list[i];
        const size_t size = strlen(pair->key) + strlen(pair->text) + 2;
        char *set = nnc_arena_alloc(arena, size);
        if (set == NULL) {
            return nnc_no_memory(err);
        }
        snprintf(set, size, "%s=%s", pair->key, pair->text);
        sets[set_count++] = set;
    }
    for (int i = 0; i < given->set_count; i++) {
        sets[set_count++] = given->sets[i];
    }
    if (set_count > 0) {
        memcpy(given->sets, sets, (size_t)set_count * sizeof *sets);
    }
    given->set_count = set_count;
    return NNC_OK;
}

nnc_status nnc_plans_blame(const nnc_plans *plans, const nnc_plans_scenario *from, nnc_error *err)
{
    char where[sizeof err->where];
    snprintf(where, sizeof where, "%s:%ld: %s", plans->path, from->line, from->id);
    nnc_error_within(err, where);
    return err->status;
}

/* The specs of a scenario, and the options it stands for. */
typedef struct whole_ask {
    const char *refs[NNC_REF_COUNT];
    nnc_scenario_args given;
    bool own; /* the command line changes nothing */
} whole_ask;

static nnc_status ask_whole(const nnc_scenario_args *given, nnc_arena *arena,
                            const nnc_plans *plans, const nnc_plans_scenario *from,
                            const char *device, whole_ask *whole, nnc_error *err)
{
    const char **refs = whole->refs;
    whole->given = *given;
    whole->own = given->setting_count == 0 && given->set_count == 0 && device == NULL &&
                 given->software == NULL && given->cluster == NULL;
    refs[NNC_REF_MODEL] = NULL;
    refs[NNC_REF_DEVICE] = device;
    refs[NNC_REF_SOFTWARE] = given->software;
    refs[NNC_REF_CLUSTER] = given->cluster;
    for (int i = 0; i < NNC_REF_COUNT; i++) {
        if (refs[i] == NULL && from->refs[i] != NULL) {
            refs[i] = resolve_ref(arena, plans, from, (nnc_plans_ref)i);
            if (refs[i] == NULL) {
                return nnc_no_memory(err);
            }
        }
    }
    whole->given.software = refs[NNC_REF_SOFTWARE];
    whole->given.cluster = refs[NNC_REF_CLUSTER];
    return merge(arena, from, &whole->given, err);
}

/* A fault is blamed on the file, unless the command line changes the scenario. */
static nnc_status blame(const nnc_plans *plans, const nnc_plans_scenario *from, bool own,
                        nnc_status status, nnc_error *err)
{
    if (status != NNC_OK) {
        err->status = status == NNC_BAD_USAGE && own ? NNC_BAD_SPEC : status;
        status = nnc_plans_blame(plans, from, err);
    }
    return status;
}

nnc_status nnc_plans_load(nnc_specs *specs, const nnc_scenario_args *given, nnc_arena *arena,
                          const nnc_plans *plans, const nnc_plans_scenario *from,
                          const char *device, nnc_scenario *scenario, nnc_error *err)
{
    whole_ask whole = { .own = false };
    if (from->serve) {
        nnc_fail(err, NNC_BAD_USAGE, "serve",
                 "it is served, expected a scenario that is trained; see 'nncost serve --help'");
        return nnc_plans_blame(plans, from, err);
    }
    NNC_TRY(ask_whole(given, arena, plans, from, device, &whole, err));
    return blame(plans, from, whole.own,
                 nnc_scenario_load(specs, &whole.given, whole.refs[NNC_REF_MODEL],
                                   whole.refs[NNC_REF_DEVICE], scenario, err),
                 err);
}

nnc_status nnc_plans_load_served(nnc_specs *specs, const nnc_scenario_args *given, nnc_arena *arena,
                                 const nnc_plans *plans, const nnc_plans_scenario *from,
                                 const char *device, nnc_serve_scenario *scenario, nnc_error *err)
{
    whole_ask whole = { .own = false };
    if (!from->serve) {
        nnc_fail(err, NNC_BAD_USAGE, "serve",
                 "it is trained, expected a scenario with \"serve\": true");
        return nnc_plans_blame(plans, from, err);
    }
    NNC_TRY(ask_whole(given, arena, plans, from, device, &whole, err));
    return blame(plans, from, whole.own,
                 nnc_serve_scenario_load(specs, &whole.given, whole.refs[NNC_REF_MODEL],
                                         whole.refs[NNC_REF_DEVICE], scenario, err),
                 err);
}

/* ---- values ---- */

/* Keeps a text that equals that of the last estimate. */
static bool set_figure(nnc_figure *figure, nnc_arena *arena, const char *name, const nnc_cell *cell)
{
    const char *last = figure->text;
    *figure = (nnc_figure){ .name = name, .number = (double)NAN };
    switch (cell->kind) {
    case NNC_CELL_NULL: break;
    case NNC_CELL_NUMBER: figure->number = cell->number; break;
    case NNC_CELL_WHOLE: figure->number = (double)cell->whole; break;
    case NNC_CELL_BOOL: figure->text = cell->flag ? "true" : "false"; break;
    case NNC_CELL_TEXT:
        figure->text = last != NULL && strcmp(last, cell->text) == 0
                           ? last
                           : nnc_arena_strdup(arena, cell->text);
        return figure->text != NULL;
    }
    return true;
}

nnc_figures nnc_figures_of(nnc_collector *collector, const nnc_report *report)
{
    const nnc_figures none = { NULL, 0 };
    const bool served = report->serve != NULL, images = report->images != NULL;
    struct nnc_collected *kind = images   ? &collector->images
                                 : served ? &collector->served
                                          : &collector->trained;
    const nnc_metrics *metrics = images   ? &nnc_images_metrics
                                 : served ? &nnc_serve_metrics
                                          : &nnc_estimate_run_metrics;
    const nnc_columns *columns = &kind->columns;
    if (columns->list == NULL &&
        nnc_columns_of(metrics, collector->arena, &kind->columns) != NNC_OK) {
        return none;
    }
    if (kind->figures == NULL) {
        kind->figures =
            nnc_arena_array(collector->arena, (size_t)columns->count, sizeof *kind->figures);
    }
    if (kind->figures == NULL) {
        return none;
    }
    const nnc_place place = { .record = report };
    int32_t count = columns->count; /* metrics of the run come last */
    while (report->run == NULL && count > 0 &&
           strncmp(columns->list[count - 1].name, "run.", 4) == 0) {
        count--;
    }
    for (int32_t i = 0; i < count; i++) {
        char text[NNC_METRIC_TEXT_MAX];
        const nnc_cell cell = nnc_column_read(&columns->list[i], place, text);
        if (!set_figure(&kind->figures[i], collector->arena, columns->list[i].name, &cell)) {
            return none;
        }
    }
    return (nnc_figures){ kind->figures, count };
}
