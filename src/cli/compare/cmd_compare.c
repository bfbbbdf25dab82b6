#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/compare/compare_view.h"
#include "cli/scenario_asked.h"
#include "record/plan_file_load.h"

enum { ROWS_MAX = 1000, AXES_MAX = NNC_SETTINGS_MAX + 3, VALUES_MAX = 256 };

/* One thing that takes a list: model, device, software or a plan option. */
typedef struct axis {
    const char *name;
    const char **values;
    int32_t count;
} axis;

typedef enum fixed_axis { AXIS_MODEL, AXIS_DEVICE, AXIS_SOFTWARE, AXIS_SETTINGS } fixed_axis;

typedef struct product {
    nnc_arena *arena;
    const nnc_plans *plans; /* NULL = models and devices */
    axis axes[AXES_MAX];
    int axis_count;
    int32_t row_count;
} product;

/* where: what errors name, the option or the operand. */
static nnc_status add_axis(product *p, const char *name, const char *where, const char *list,
                           nnc_error *err)
{
    axis *added = &p->axes[p->axis_count++];
    char *text = nnc_arena_strdup(p->arena, list);
    *added = (axis){ .name = nnc_arena_strdup(p->arena, name) };
    added->values = nnc_arena_array(p->arena, VALUES_MAX, sizeof *added->values);
    if (text == NULL || added->name == NULL || added->values == NULL) {
        return nnc_no_memory(err);
    }
    for (bool more = true; more;) {
        const size_t length = strcspn(text, ",");
        more = text[length] == ',';
        text[length] = '\0';
        if (added->count == VALUES_MAX) {
            return nnc_fail(err, NNC_BAD_USAGE, where, "too many values, expected at most %d",
                            VALUES_MAX);
        }
        if (length == 0) {
            return nnc_fail(err, NNC_BAD_USAGE, where, "empty value in the list \"%s\"", list);
        }
        for (int32_t i = 0; i < added->count; i++) {
            if (strcmp(added->values[i], text) == 0) {
                return nnc_fail(err, NNC_BAD_USAGE, where, "\"%s\" twice in the list \"%s\"", text,
                                list);
            }
        }
        added->values[added->count++] = text;
        text += length + 1;
    }
    p->row_count *= added->count;
    if (p->row_count > ROWS_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, where, "too many combinations, expected at most %d",
                        ROWS_MAX);
    }
    return NNC_OK;
}

/* The scenarios asked for, else all; they hold the place of the models. */
static nnc_status add_scenarios(product *p, const nnc_options *options, nnc_error *err)
{
    const nnc_plans *plans = p->plans;
    size_t size = 1;
    if (options->scenario != NULL) {
        return add_axis(p, "scenario", "--scenario", options->scenario, err);
    }
    for (int32_t i = 0; i < plans->scenario_count; i++) {
        size += strlen(plans->scenarios[i].id) + 1;
    }
    char *all = nnc_arena_alloc(p->arena, size);
    if (all == NULL) {
        return nnc_no_memory(err);
    }
    for (int32_t i = 0; i < plans->scenario_count; i++) {
        const size_t used = strlen(all);
        snprintf(all + used, size - used, "%s%s", i > 0 ? "," : "", plans->scenarios[i].id);
    }
    return add_axis(p, "scenario", "--scenario", all, err);
}

static nnc_status list_axes(product *p, nnc_session *session, nnc_error *err)
{
    const nnc_options *options = &session->options;
    const char *device = options->operand_count > 1 ? options->operands[1] : "-";
    p->row_count = 1;
    NNC_TRY(nnc_plans_open(session->specs, p->arena, options->operands[0], &p->plans, err));
    if (p->plans == NULL && (options->operand_count < 2 || options->scenario)) {
        return nnc_fail(err, NNC_BAD_USAGE, options->scenario != NULL ? "--scenario" : "DEVICE",
                        "%s, expected MODEL DEVICE or a plan file, found \"%s\"",
                        options->scenario != NULL ? "no plan file" : "missing",
                        options->operands[0]);
    }
    NNC_TRY(p->plans != NULL ? add_scenarios(p, options, err)
                             : add_axis(p, "model", "MODEL", options->operands[0], err));
    NNC_TRY(add_axis(p, "device", "DEVICE", device, err));
    NNC_TRY(add_axis(p, "software", "--software",
                     options->given.software != NULL ? options->given.software : "-", err));
    for (int i = 0; i < options->given.setting_count; i++) {
        char name[NNC_OPTION_NAME];
        nnc_option_name(options->given.settings[i].field->name, name);
        NNC_TRY(add_axis(p, name + 2, name, options->given.settings[i].value, err));
    }
    return NNC_OK;
}

/* The value of every axis in a row; the last axis varies fastest. */
static void row_values(const product *p, int32_t row, const char **values)
{
    for (int i = p->axis_count - 1; i >= 0; i--) {
        assert(p->axes[i].count > 0);
        values[i] = p->axes[i].values[row % p->axes[i].count];
        row /= p->axes[i].count;
    }
}

static nnc_status estimate_row(nnc_session *session, const product *p, int32_t row,
                               nnc_scenario *scenario, const char **command, nnc_scratch *scratch,
                               nnc_error *err)
{
    const char *values[AXES_MAX] = { NULL };
    nnc_options options = session->options;
    row_values(p, row, values);
    options.given.software = options.given.software != NULL ? values[AXIS_SOFTWARE] : NULL;
    for (int i = 0; i < options.given.setting_count; i++) {
        options.given.settings[i].value = values[AXIS_SETTINGS + i];
    }
    nnc_buffer text = { 0 };
    const bool own =
        p->plans != NULL && values[AXIS_DEVICE] != NULL && strcmp(values[AXIS_DEVICE], "-") == 0;
    const nnc_command_asked asked = {
        p->plans != NULL ? options.operands[0] : values[AXIS_MODEL],
        own ? NULL : values[AXIS_DEVICE],
        p->plans != NULL ? values[AXIS_MODEL] : NULL,
        &options.given,
        options.lenient,
    };
    nnc_command_put(&text, &asked);
    *command = nnc_command_keep(p->arena, &text);
    nnc_buffer_free(&text);
    if (*command == NULL) {
        return nnc_no_memory(err);
    }
    const nnc_plans_scenario *from = NULL;
    if (p->plans == NULL) {
        NNC_TRY(nnc_scenario_load(session->specs, &options.given, values[AXIS_MODEL],
                                  values[AXIS_DEVICE], scenario, err));
    } else {
        NNC_TRY(nnc_plans_pick(p->plans, values[AXIS_MODEL], &from, err));
        NNC_TRY(nnc_plans_load(session->specs, &options.given, p->arena, p->plans, from,
                               own ? NULL : values[AXIS_DEVICE], scenario, err));
    }
    NNC_TRY(nnc_estimate(&scenario->model, &scenario->device, &scenario->software, &scenario->plan,
                         scratch, &scenario->result, err));
    nnc_scenario_ask_run(scenario);
    return nnc_scenario_run(scenario, err);
}

/* The device and the scenario always, and what else takes more than one value. */
static bool is_shown(const product *p, int index)
{
    return index == AXIS_DEVICE || p->axes[index].count > 1 ||
           (index == AXIS_MODEL && p->plans != NULL);
}

static nnc_status write_rows(nnc_session *session, const product *p, const nnc_scenario *scenarios,
                             const char *const *commands, nnc_error *err)
{
    const char *names[AXES_MAX];
    int32_t shown = 0;
    for (int i = 0; i < p->axis_count; i++) {
        if (is_shown(p, i)) {
            names[shown++] = p->axes[i].name;
        }
    }
    nnc_compared *rows = nnc_arena_array(p->arena, (size_t)p->row_count, sizeof *rows);
    const char **varied =
        nnc_arena_array(p->arena, (size_t)p->row_count * (size_t)shown, sizeof *varied);
    if (rows == NULL || varied == NULL) {
        return nnc_no_memory(err);
    }
    session->exit_code = 1;
    for (int32_t row = 0, at = 0; row < p->row_count; row++) {
        const char *values[AXES_MAX] = { NULL };
        row_values(p, row, values);
        if (p->plans == NULL) {
            values[AXIS_MODEL] = scenarios[row].model.id;
        }
        values[AXIS_DEVICE] = scenarios[row].device.id;
        for (int i = 0; i < p->axis_count; i++) {
            if (is_shown(p, i)) {
                varied[at++] = values[i];
            }
        }
        rows[row] = (nnc_compared){ scenarios[row].report, commands[row] };
        if (scenarios[row].result.verdict != NNC_OVER_MEMORY) {
            session->exit_code = 0;
        }
    }
    const nnc_comparison comparison = {
        .rows = rows,
        .row_count = p->row_count,
        .varied_names = names,
        .varied = varied,
        .varied_count = shown,
    };
    nnc_view_write(session->out, session->style, &nnc_comparison_view, &comparison);
    return NNC_OK;
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    product p = { .arena = nnc_arena_create() };
    nnc_scratch *scratch = nnc_scratch_create();
    nnc_scenario *scenarios = NULL;
    const char **commands = NULL;
    nnc_status status = NNC_NO_MEMORY;

    if (p.arena == NULL || scratch == NULL) {
        nnc_no_memory(err);
        goto done;
    }
    status = list_axes(&p, session, err);
    if (status != NNC_OK) {
        goto done;
    }
    scenarios = calloc((size_t)p.row_count, sizeof *scenarios);
    commands = nnc_arena_array(p.arena, (size_t)p.row_count, sizeof *commands);
    if (scenarios == NULL || commands == NULL) {
        status = nnc_no_memory(err);
        goto done;
    }
    for (int32_t row = 0; row < p.row_count && status == NNC_OK; row++) {
        status = estimate_row(session, &p, row, &scenarios[row], &commands[row], scratch, err);
    }
    if (status == NNC_OK) {
        status = write_rows(session, &p, scenarios, commands, err);
    }
done:
    free(scenarios);
    nnc_scratch_destroy(scratch);
    nnc_arena_destroy(p.arena);
    return status;
}

const nnc_command nnc_cmd_compare = {
    .name = "compare",
    .operands = "MODEL[,MODEL...] DEVICE[,DEVICE...] | PLANS.json [DEVICE[,DEVICE...]]",
    .summary = "Devices, models or plans side by side: every combination of the lists given.",
    .notes =
        "Every plan option, and --software, may take a list: --micro-batch 1,2,4. The order of "
        "the options is that of the rows, the last one varying fastest. What one plan "
        "recomputes is joined by '+' here: --recompute none,norm+activation,full. The fastest "
        "and the cheapest are marked among those that fit, by tokens or, where a model has "
        "none, by samples. Of a plan file all scenarios are compared, or those that --scenario "
        "lists. Exits with 1 when none fits.",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_RUN | NNC_TAKES_SCENARIO,
    .run = run,
    .serving = &nnc_cmd_serve_compare,
};
