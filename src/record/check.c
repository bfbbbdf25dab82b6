/* The scenarios of a plan file, estimated again. */
#include "record/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nncost/nncost.h>

#include "base/error.h"

/* What people call things is not part of an estimate, and what nobody knows is not recorded. */
static bool is_recorded(const nnc_plans *plans, const nnc_figure *figure)
{
    if (figure->text != NULL
            ? strcmp(figure->name, "model.name") == 0 || strcmp(figure->name, "device.name") == 0
            : figure->number != figure->number) {
        return false;
    }
    for (int32_t i = 0; i < plans->record_count; i++) {
        if (nnc_figure_match(plans->record[i], figure->name) >= 0) {
            return true;
        }
    }
    return plans->record_count == 0;
}

static bool reserve(nnc_check *c, int32_t count, nnc_figure_room *room)
{
    if (room->list == NULL || count > room->capacity) {
        room->list = nnc_arena_array(c->arena, (size_t)count + 1, sizeof *room->list);
        room->capacity = room->list != NULL ? count : 0;
    }
    return room->list != NULL;
}

static nnc_status select_now(nnc_check *c, nnc_figures all, nnc_figures *selected, nnc_error *err)
{
    int32_t count = 0;
    if (!reserve(c, all.count, &c->now)) {
        return nnc_no_memory(err);
    }
    for (int32_t i = 0; i < all.count; i++) {
        if (is_recorded(c->plans, &all.list[i])) {
            c->now.list[count++] = all.list[i];
        }
    }
    *selected = (nnc_figures){ c->now.list, count };
    return NNC_OK;
}

/* What the file no longer records is not missed. */
static nnc_status select_old(nnc_check *c, const nnc_packed *all, nnc_figures *selected,
                             nnc_error *err)
{
    int32_t count = 0;
    if (!reserve(c, nnc_packed_count(all), &c->old)) {
        return nnc_no_memory(err);
    }
    for (int32_t i = 0; i < nnc_packed_count(all); i++) {
        c->old.list[count] = nnc_packed_figure(all, i);
        count += is_recorded(c->plans, &c->old.list[count]);
    }
    *selected = (nnc_figures){ c->old.list, count };
    return NNC_OK;
}

/* A list of its own in place of the room for one scenario. */
static bool own_list(nnc_check *c, nnc_figures *figures)
{
    nnc_figure *list = nnc_arena_array(c->arena, (size_t)figures->count + 1, sizeof *list);
    if (list != NULL && figures->count > 0) {
        memcpy(list, figures->list, (size_t)figures->count * sizeof *list);
    }
    figures->list = list;
    return list != NULL;
}

/* Names that stand for no figure are slips, and would make a gate that is always open. */
static nnc_status check_name(nnc_figures figures, const char *key, const char *name, nnc_error *err)
{
    for (int32_t i = 0; i < figures.count; i++) {
        if (nnc_figure_match(name, figures.list[i].name) >= 0) {
            return NNC_OK;
        }
    }
    nnc_figure_find(figures, name, err);
    snprintf(err->where, sizeof err->where, "%s.%.64s", key, name);
    return NNC_BAD_SPEC;
}

static nnc_status judge(nnc_check *c, const nnc_plans_scenario *from, nnc_figures all,
                        nnc_check_row *row, nnc_error *err)
{
    nnc_check_verdict *verdicts =
        nnc_arena_array(c->arena, (size_t)from->requirement_count + 1, sizeof *verdicts);
    if (verdicts == NULL) {
        return nnc_no_memory(err);
    }
    for (int32_t i = 0; i < from->requirement_count; i++) {
        const nnc_requirement *requirement = &from->requirements[i];
        const nnc_figure *figure = nnc_figure_find(all, requirement->name, err);
        if (figure == NULL) {
            snprintf(err->where, sizeof err->where, "require.%.64s", requirement->name);
            return nnc_plans_blame(c->plans, from, err);
        }
        nnc_figure *own = nnc_arena_alloc(c->arena, sizeof *own); /* the next scenario has others */
        if (own == NULL) {
            return nnc_no_memory(err);
        }
        *own = *figure;
        verdicts[i] =
            (nnc_check_verdict){ requirement, own, nnc_requirement_met(requirement, own) };
    }
    row->verdicts = verdicts;
    row->verdict_count = from->requirement_count;
    for (int32_t i = 0; i < from->tolerance_count; i++) {
        if (check_name(all, "tolerance", from->tolerances[i].name, err) != NNC_OK) {
            return nnc_plans_blame(c->plans, from, err);
        }
    }
    return NNC_OK;
}

static const nnc_recorded_estimate *find_old(nnc_check *c, const char *id)
{
    const nnc_recorded *recorded = &c->plans->recorded;
    for (int32_t i = 0; i < recorded->estimate_count; i++) {
        const int32_t at = (c->next_old + i) % recorded->estimate_count;
        if (strcmp(recorded->estimates[at].id, id) == 0) {
            c->next_old = at + 1;
            return &recorded->estimates[at];
        }
    }
    return NULL;
}

static nnc_scenario *scenario_of(nnc_check *c, const nnc_plans_scenario *from)
{
    return from->serve ? &c->served->base : c->scenario;
}

/* The changes of a row whose figures stay. */
static bool own_changes(nnc_check *c, const nnc_plans_scenario *from, nnc_check_row *row)
{
    nnc_change *own = nnc_arena_array(c->arena, (size_t)row->change_count, sizeof *own);
    row->changes = own;
    return own != NULL &&
           nnc_figures_compare(row->old, row->now, from->tolerances, from->tolerance_count,
                               c->changes) == row->change_count &&
           memcpy(own, c->changes, (size_t)row->change_count * sizeof *own) != NULL;
}

/* Fills in what changed, and keeps the figures where anything did; false when out of memory. */
static bool compare(nnc_check *c, const nnc_plans_scenario *from, nnc_check_row *row)
{
    const int32_t room = row->old.count + row->now.count;
    if (c->changes == NULL || room > c->change_room) {
        c->changes = nnc_arena_array(c->arena, (size_t)room + 1, sizeof *c->changes);
        c->change_room = c->changes != NULL ? room : 0;
    }
    if (c->changes == NULL) {
        return false;
    }
    row->change_count = nnc_figures_compare(row->old, row->now, from->tolerances,
                                            from->tolerance_count, c->changes);
    for (int32_t i = 0; i < row->change_count; i++) {
        if (c->changes[i].kind == NNC_CHANGE_MOVED || c->changes[i].kind == NNC_CHANGE_GONE) {
            row->state = NNC_CHECK_MOVED;
        }
    }
    if (row->change_count == 0) {
        return true;
    }
    return own_list(c, &row->old) && own_list(c, &row->now) && own_changes(c, from, row) &&
           (row->state != NNC_CHECK_MOVED ||
            nnc_causes_find(&c->origins, from, scenario_of(c, from), &c->plans->recorded, row));
}

/* What stays of a scenario beside what changed. */
static bool keep(nnc_check *c, const nnc_plans_scenario *from, nnc_check_row *row)
{
    const int32_t index = c->report.row_count;
    nnc_recorded_estimate *estimate = &c->estimates[index];
    *estimate = (nnc_recorded_estimate){ .id = from->id };
    if (c->keeping >= NNC_KEEPS_ESTIMATES &&
        !nnc_packed_make(c->arena, row->now, index > 0 ? &estimate[-1].figures : NULL,
                         &estimate->figures)) {
        return false;
    }
    if (row->change_count > 0) {
        return true;
    }
    if (c->keeping == NNC_KEEPS_ROWS) {
        return own_list(c, &row->old) && own_list(c, &row->now);
    }
    row->old = row->now = (nnc_figures){ NULL, 0 };
    return true;
}

/* Works it out; *scenario is what it was made from. */
static nnc_status answer(nnc_check *c, const nnc_plans_scenario *from, nnc_scenario **scenario,
                         nnc_error *err)
{
    static const nnc_given nothing = { .setting_count = 0 };
    nnc_scenario *one = *scenario = scenario_of(c, from);
    if (from->serve) {
        NNC_TRY(nnc_plans_load_served(c->specs, &nothing, c->arena, c->plans, from, NULL, c->served,
                                      err));
        return nnc_serve_scenario_answer(c->served, c->scratch, err) == NNC_OK
                   ? NNC_OK
                   : nnc_plans_blame(c->plans, from, err);
    }
    NNC_TRY(nnc_plans_load(c->specs, &nothing, c->arena, c->plans, from, NULL, one, err));
    return nnc_estimate(&one->model, &one->device, &one->software, &one->plan, c->scratch,
                        &one->result, err) == NNC_OK &&
                   nnc_scenario_run(one, err) == NNC_OK
               ? NNC_OK
               : nnc_plans_blame(c->plans, from, err);
}

static nnc_status check_scenario(nnc_check *c, const nnc_plans_scenario *from, nnc_error *err)
{
    nnc_scenario *scenario = NULL;
    nnc_check_row *row = &c->report.rows[c->report.row_count];
    NNC_TRY(answer(c, from, &scenario, err));
    NNC_TRY(nnc_origins_add(&c->origins, from, scenario, err));
    const nnc_figures all = nnc_figures_of(&c->collector, &scenario->report);
    const nnc_recorded_estimate *old = find_old(c, from->id);
    *row = (nnc_check_row){ .id = from->id, .line = from->line };
    if (all.list == NULL) {
        return nnc_no_memory(err);
    }
    c->names[from->serve] = all;
    NNC_TRY(select_now(c, all, &row->now, err));
    NNC_TRY(judge(c, from, all, row, err));
    row->state = old != NULL                       ? NNC_CHECK_SAME
                 : c->plans->recorded.tool != NULL ? NNC_CHECK_ADDED
                                                   : NNC_CHECK_NOT_ASKED;
    if (old != NULL) {
        NNC_TRY(select_old(c, &old->figures, &row->old, err));
        if (!compare(c, from, row)) {
            return nnc_no_memory(err);
        }
    }
    if (!keep(c, from, row)) {
        return nnc_no_memory(err);
    }
    c->report.row_count++;
    return NNC_OK;
}

/* Recorded estimates whose scenario is no longer there. */
static void add_removed(nnc_check *c)
{
    const nnc_recorded *recorded = &c->plans->recorded;
    const int32_t scenarios = c->plans->scenario_count;
    int32_t next = 0;
    for (int32_t i = 0; i < recorded->estimate_count; i++) {
        bool there = false;
        for (int32_t k = 0; k < scenarios && !there; k++) {
            const int32_t at = (next + k) % scenarios;
            there = strcmp(c->plans->scenarios[at].id, recorded->estimates[i].id) == 0;
            next = there ? at + 1 : next;
        }
        if (!there) {
            c->report.rows[c->report.row_count++] =
                (nnc_check_row){ .id = recorded->estimates[i].id, .state = NNC_CHECK_REMOVED };
        }
    }
}

static nnc_status check_all(nnc_check *c, nnc_error *err)
{
    const nnc_plans *plans = c->plans;
    const size_t room = (size_t)plans->scenario_count + (size_t)plans->recorded.estimate_count;
    c->report.rows = nnc_arena_array(c->arena, room, sizeof *c->report.rows);
    c->estimates = nnc_arena_array(c->arena, room, sizeof *c->estimates);
    if (c->report.rows == NULL || c->estimates == NULL) {
        return nnc_no_memory(err);
    }
    for (int32_t i = 0; i < plans->scenario_count; i++) {
        NNC_TRY(check_scenario(c, &plans->scenarios[i], err));
    }
    for (int32_t i = 0; i < plans->record_count; i++) {
        bool known = false;
        for (int kind = 0; kind < 2 && !known; kind++) {
            known = c->names[kind].count > 0 &&
                    check_name(c->names[kind], "record", plans->record[i], err) == NNC_OK;
        }
        if (!known) {
            nnc_error_within(err, plans->path);
            return NNC_BAD_SPEC;
        }
    }
    add_removed(c);
    return NNC_OK;
}

nnc_status nnc_check_create(nnc_specs *specs, const char *path, nnc_check **check, nnc_error *err)
{
    NNC_NEED(specs);
    NNC_NEED(path);
    NNC_NEED(check);
    return nnc_check_make(specs, path, NNC_KEEPS_ROWS, check, err);
}

nnc_status nnc_check_make(nnc_specs *specs, const char *path, nnc_check_keeping keeping,
                          nnc_check **check, nnc_error *err)
{
    nnc_check *made = calloc(1, sizeof *made);
    *check = NULL;
    if (made == NULL) {
        return nnc_no_memory(err);
    }
    *made = (nnc_check){ .specs = specs,
                         .keeping = keeping,
                         .arena = nnc_arena_create(),
                         .scratch = nnc_scratch_create(),
                         .scenario = calloc(1, sizeof *made->scenario),
                         .served = calloc(1, sizeof *made->served) };
    made->origins = (nnc_origins){ .specs = specs, .arena = made->arena };
    made->collector.arena = made->arena;
    nnc_status status = made->arena == NULL || made->scratch == NULL || made->scenario == NULL ||
                                made->served == NULL
                            ? nnc_no_memory(err)
                            : nnc_plans_read(specs, made->arena, path, &made->plans, err);
    if (status == NNC_OK) {
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): it is not NULL here */
        made->report = (nnc_check_report){ .path = made->plans->path,
                                           .tool = nnc_version(),
                                           .old_tool = made->plans->recorded.tool };
        status = check_all(made, err);
    }
    if (status == NNC_OK) {
        status = nnc_check_list_changes(made->arena, &made->report, err);
    }
    if (status != NNC_OK) {
        nnc_check_destroy(made);
        return status;
    }
    *check = made;
    return NNC_OK;
}

void nnc_check_destroy(nnc_check *check)
{
    if (check != NULL) {
        free(check->scenario);
        free(check->served);
        nnc_scratch_destroy(check->scratch);
        nnc_arena_destroy(check->arena);
        free(check);
    }
}

const nnc_check_report *nnc_check_report_of(const nnc_check *check)
{
    return &check->report;
}

bool nnc_check_passed(const nnc_check *check)
{
    return check != NULL && nnc_check_sum_of(&check->report).passed;
}

const nnc_check_row *nnc_check_scenario(const nnc_check *check, int32_t index)
{
    const nnc_check_report *report = check != NULL ? &check->report : NULL;
    return report != NULL && index >= 0 && index < report->row_count ? &report->rows[index] : NULL;
}
