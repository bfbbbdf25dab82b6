#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <nncost/nncost.h>

#include "base/error.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/record/causes.h"
#include "input/file.h"

/* One run over the scenarios of a plan file. */
typedef struct check {
    nnc_session *session;
    nnc_arena *arena;
    nnc_scratch *scratch;
    nnc_scenario *scenario;
    const nnc_plans *plans;
    nnc_origins origins;
    nnc_collector collector;
    nnc_figures names; /* of the last estimate, all of it */
    nnc_recorded_estimate *estimates;
    nnc_check_row *rows;
    int32_t row_count;
    nnc_change *changes; /* room for those of one scenario */
    int32_t change_room;
    int32_t next_old;
} check;

/* What people call things is not part of an estimate, and what nobody knows is not recorded. */
static bool is_recorded(const nnc_plans *plans, const nnc_figure *figure)
{
    if (strcmp(figure->name, "model.name") == 0 || strcmp(figure->name, "device.name") == 0 ||
        (figure->text == NULL && figure->number != figure->number)) {
        return false;
    }
    for (int32_t i = 0; i < plans->record_count; i++) {
        if (nnc_figure_match(plans->record[i], figure->name) >= 0) {
            return true;
        }
    }
    return plans->record_count == 0;
}

static nnc_status select_figures(check *c, nnc_figures all, nnc_figures *selected, nnc_error *err)
{
    nnc_figure *list = nnc_arena_array(c->arena, (size_t)all.count + 1, sizeof *list);
    if (list == NULL) {
        return nnc_no_memory(err);
    }
    *selected = (nnc_figures){ list, 0 };
    for (int32_t i = 0; i < all.count; i++) {
        if (is_recorded(c->plans, &all.list[i])) {
            list[selected->count++] = all.list[i];
        }
    }
    return NNC_OK;
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

static nnc_status judge(check *c, const nnc_plans_scenario *from, nnc_figures all,
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
        verdicts[i] =
            (nnc_check_verdict){ requirement, figure, nnc_requirement_met(requirement, figure) };
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

static const nnc_recorded_estimate *find_old(check *c, const char *id)
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

/* Fills in what changed; false when out of memory. */
static bool compare(check *c, const nnc_plans_scenario *from, nnc_check_row *row)
{
    const int32_t room = row->old.count + row->now.count;
    if (room > c->change_room) {
        c->changes = nnc_arena_array(c->arena, (size_t)room, sizeof *c->changes);
        c->change_room = c->changes != NULL ? room : 0;
    }
    if (c->changes == NULL) {
        return room == 0;
    }
    row->change_count = nnc_figures_compare(row->old, row->now, from->tolerances,
                                            from->tolerance_count, c->changes);
    for (int32_t i = 0; i < row->change_count; i++) {
        if (c->changes[i].kind == NNC_CHANGE_MOVED || c->changes[i].kind == NNC_CHANGE_GONE) {
            row->state = NNC_CHECK_MOVED;
        }
    }
    if (row->change_count > 0) {
        nnc_change *own = nnc_arena_array(c->arena, (size_t)row->change_count, sizeof *own);
        if (own == NULL) {
            return false;
        }
        memcpy(own, c->changes, (size_t)row->change_count * sizeof *own);
        row->changes = own;
    }
    return row->state != NNC_CHECK_MOVED ||
           nnc_causes_find(&c->origins, from, &c->plans->recorded, row);
}

static nnc_status check_scenario(check *c, const nnc_plans_scenario *from, nnc_error *err)
{
    nnc_scenario *scenario = c->scenario;
    nnc_check_row *row = &c->rows[c->row_count];
    NNC_TRY(nnc_plans_load(c->session->specs, &c->session->options.given, c->arena, c->plans, from,
                           NULL, scenario, err));
    if (nnc_estimate(&scenario->model, &scenario->device, &scenario->software, &scenario->plan,
                     c->scratch, &scenario->result, err) != NNC_OK) {
        return nnc_plans_blame(c->plans, from, err);
    }
    NNC_TRY(nnc_origins_add(&c->origins, from, scenario, err));
    const nnc_figures all = nnc_figures_of(&c->collector, &scenario->report);
    const nnc_recorded_estimate *old = find_old(c, from->id);
    *row = (nnc_check_row){ .id = from->id, .line = from->line };
    if (all.list == NULL) {
        return nnc_no_memory(err);
    }
    c->names = all;
    NNC_TRY(select_figures(c, all, &row->now, err));
    NNC_TRY(judge(c, from, all, row, err));
    row->state = old != NULL                       ? NNC_CHECK_SAME
                 : c->plans->recorded.tool != NULL ? NNC_CHECK_ADDED
                                                   : NNC_CHECK_NOT_ASKED;
    if (old != NULL) {
        /* What the file no longer records is not missed. */
        NNC_TRY(select_figures(c, old->figures, &row->old, err));
        if (!compare(c, from, row)) {
            return nnc_no_memory(err);
        }
    }
    c->estimates[c->row_count++] = (nnc_recorded_estimate){ .id = from->id, .figures = row->now };
    return NNC_OK;
}

/* Recorded estimates whose scenario is no longer there. */
static void add_removed(check *c)
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
            c->rows[c->row_count++] =
                (nnc_check_row){ .id = recorded->estimates[i].id, .state = NNC_CHECK_REMOVED };
        }
    }
}

/* The file may have been edited while it was being checked. */
static nnc_status refuse_other(const nnc_plans *plans, nnc_error *err)
{
    struct stat about;
    char *text = NULL;
    size_t size = 0;
    if (stat(plans->path, &about) == 0 && !S_ISREG(about.st_mode)) {
        return nnc_fail(err, NNC_BAD_USAGE, "--update", "%s is not a file that can be replaced",
                        plans->path);
    }
    nnc_status status = nnc_file_read(plans->path, &text, &size, err);
    if (status == NNC_OK && (size != plans->size || memcmp(text, plans->text, size) != 0)) {
        status = nnc_fail(err, NNC_IO, plans->path,
                          "changed while it was being checked; nothing is written");
    }
    free(text);
    return status;
}

/* Nothing is written that could not be read again. */
static nnc_status verify(const nnc_plans *plans, const char *text, size_t size, nnc_error *err)
{
    nnc_arena *arena = nnc_arena_create();
    nnc_faults faults = { .name = plans->path, .err = err };
    nnc_plans again;
    if (arena == NULL) {
        return nnc_no_memory(err);
    }
    nnc_plans_parse(arena, text, size, &faults, &again);
    nnc_arena_destroy(arena);
    return faults.status;
}

static nnc_status write_recorded(check *c, const nnc_recorded *recorded, nnc_error *err)
{
    size_t size = 0;
    nnc_buffer part = { 0 };
    nnc_recorded_write(&part, recorded, c->plans->record_count > 0);
    nnc_buffer_byte(&part, '\0');
    const char *text =
        part.failed ? NULL : nnc_plans_with_recorded(c->arena, c->plans, part.bytes, &size);
    nnc_buffer_free(&part);
    if (text == NULL) {
        return nnc_no_memory(err);
    }
    if (size == c->plans->size && memcmp(text, c->plans->text, size) == 0) {
        return NNC_OK;
    }
    NNC_TRY(verify(c->plans, text, size, err));
    NNC_TRY(refuse_other(c->plans, err));
    return nnc_output_write(c->plans->path, text, size, err);
}

static nnc_status update(check *c, nnc_error *err)
{
    nnc_recorded recorded = {
        .tool = nnc_version(),
        .conventions = NNC_RECORDED_CONVENTIONS,
        .estimates = c->estimates,
        .estimate_count = c->plans->scenario_count,
    };
    recorded.digests = nnc_origins_sorted(&c->origins, c->plans, &recorded.digest_count);
    return recorded.digests != NULL ? write_recorded(c, &recorded, err) : nnc_no_memory(err);
}

static nnc_status check_all(check *c, nnc_error *err)
{
    const nnc_plans *plans = c->plans;
    const size_t room = (size_t)plans->scenario_count + (size_t)plans->recorded.estimate_count;
    c->rows = nnc_arena_array(c->arena, room, sizeof *c->rows);
    c->estimates = nnc_arena_array(c->arena, room, sizeof *c->estimates);
    if (c->rows == NULL || c->estimates == NULL) {
        return nnc_no_memory(err);
    }
    for (int32_t i = 0; i < plans->scenario_count; i++) {
        NNC_TRY(check_scenario(c, &plans->scenarios[i], err));
    }
    for (int32_t i = 0; i < plans->record_count; i++) {
        if (check_name(c->names, "record", plans->record[i], err) != NNC_OK) {
            char where[sizeof err->where];
            memcpy(where, err->where, sizeof where);
            snprintf(err->where, sizeof err->where, "%.256s: %.128s", plans->path, where);
            return NNC_BAD_SPEC;
        }
    }
    add_removed(c);
    return NNC_OK;
}

static nnc_status report(check *c, nnc_error *err)
{
    const nnc_options *options = &c->session->options;
    const nnc_check_report found = {
        .path = c->plans->path,
        .tool = nnc_version(),
        .old_tool = c->plans->recorded.tool,
        .rows = c->rows,
        .row_count = c->row_count,
        .updated = options->update,
    };
    c->session->exit_code = nnc_check_sum_of(&found).passed ? 0 : 1;
    return nnc_report_check(c->session->out, c->session->style, &found) == NNC_OK
               ? NNC_OK
               : nnc_no_memory(err);
}

static nnc_status check_file(check *c, nnc_error *err)
{
    const nnc_options *options = &c->session->options;
    NNC_TRY(nnc_plans_read(c->arena, options->operands[0], &c->plans, err));
    NNC_TRY(check_all(c, err));
    if (options->update) {
        NNC_TRY(update(c, err));
    }
    return report(c, err);
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    check c = { .session = session,
                .arena = nnc_arena_create(),
                .scratch = nnc_scratch_create(),
                .scenario = calloc(1, sizeof(nnc_scenario)) };
    nnc_status status = NNC_NO_MEMORY;
    c.origins.specs = session->specs;
    c.origins.arena = c.collector.arena = c.arena;
    if (c.arena == NULL || c.scratch == NULL || c.scenario == NULL) {
        nnc_no_memory(err);
    } else {
        status = check_file(&c, err);
    }
    free(c.scenario);
    nnc_scratch_destroy(c.scratch);
    nnc_arena_destroy(c.arena);
    return status;
}

const nnc_command nnc_cmd_check = {
    .name = "check",
    .operands = "PLANS.json",
    .summary = "A plan file's estimates again: what moved since they were recorded, and why, and "
               "which requirements are missed.",
    .notes = "Exits with 1 when a figure moved past its tolerance (none by default: all 12 digits "
             "count), a scenario was added or removed, or a requirement is missed. --update "
             "accepts what moved: it writes the file's \"recorded\" part, whole or not at all, and "
             "leaves every other byte as it is. --format also takes junit, and github for the "
             "annotations of a "
             "workflow. 'nncost init' prints a plan file to begin with.",
    .min_operands = 1,
    .max_operands = 1,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_CHECK,
    .run = run,
};
