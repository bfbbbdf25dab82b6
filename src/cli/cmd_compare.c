/* nncost compare: estimates every combination of the given devices, models and plan options, and prints the estimates
 * as rows of one table. */
#include <assert.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "render/render_internal.h"

typedef struct compared_row {
    nnc_report report;
    const char *command; /* command line that prints the estimate of the row */
    /* change_s: step time of this row - step time of the first row, in seconds. framework_s: the seconds of change_s
     * that come from the software profile; NaN = this row and the first row have the same profile, or change_s cannot
     * be divided. */
    double change_s, framework_s;
    /* Text of change_s, divided into two numbers of seconds: those that come from the software profile, and those that
     * come from other causes. The text is NULL if the rows differ only in the profile, or if change_s is NaN. */
    const char *split;
} compared_row;

/* The estimates of the command compare. varied: for each estimate, the values of the options that differ between rows
 * (varied_names). */
typedef struct comparison_rows {
    const compared_row *rows;
    int32_t row_count;
    const char *const *varied_names;
    const char *const *varied; /* values of the varied options: row_count rows, each with varied_count values */
    int32_t varied_count;
} comparison_rows;

/* Returns the throughput of an estimate: tokens per second if every row of the comparison has tokens, otherwise samples
 * per second. */
static double speed(const nnc_result *result, bool tokens) {
    return tokens ? result->tokens_per_s : result->samples_per_s;
}

static double unit_cost(const nnc_result *result, bool tokens) {
    return result->cost_step / (tokens ? (double)result->tokens / 1e6 : (double)result->plan.global_batch / 1e3);
}

/* Returns the throughput by which rows of the comparison are ranked: the throughput of the whole run with all its
 * losses, if every row has a run; otherwise the throughput of a step. */
static double rank_speed(const nnc_report *report, bool tokens, bool run) {
    return run ? (tokens ? report->run->tokens : report->run->samples) / report->run->run_s
               : speed(report->result, tokens);
}

static double rank_cost(const nnc_report *report, bool tokens, bool run) {
    return run ? report->run->cost / (tokens ? report->run->tokens : report->run->samples)
               : unit_cost(report->result, tokens);
}

typedef struct ranking {
    bool tokens;                /* true: the samples of every row consist of tokens (not of images) */
    bool run;                   /* true: every row has a run */
    bool energy, carbon, stops; /* energy, carbon: true = at least one row has a known value; stops: true = at least one
                                 * row has a known rate of failures */
    const char *currency;       /* currency of the last row with a cost; NULL = no row has a cost */
    bool mixed;                 /* true: costs have several currencies, so no row is marked as the cheapest */
    int32_t fastest, cheapest;  /* index of the fastest and of the cheapest row that fits in memory; -1 = no row fits */
} ranking;

static ranking rank(const comparison_rows *comparison) {
    ranking found = { .tokens = true, .run = true, .fastest = -1, .cheapest = -1 };
    for (int32_t i = 0; i < comparison->row_count; i++) {
        const nnc_run *run = comparison->rows[i].report.run;
        found.run = found.run && run != NULL && !isnan(run->run_s);
        found.energy = found.energy || (run != NULL && !isnan(run->energy_j));
        found.carbon = found.carbon || (run != NULL && !isnan(run->carbon_kg));
        found.stops = found.stops || (run != NULL && !isnan(run->system_mtbf_s));
        found.tokens = found.tokens && comparison->rows[i].report.result->tokens > 0;
        const char *currency = nnc_report_currency(&comparison->rows[i].report);
        found.mixed =
            found.mixed || (currency != NULL && found.currency != NULL && strcmp(currency, found.currency) != 0);
        found.currency = currency != NULL ? currency : found.currency;
    }
    for (int32_t i = 0; i < comparison->row_count; i++) {
        const nnc_result *result = comparison->rows[i].report.result;
        if (result->verdict == NNC_OVER_MEMORY) { continue; }
        const nnc_report *report = &comparison->rows[i].report;
        if (found.fastest < 0 || rank_speed(report, found.tokens, found.run) >
                                     rank_speed(&comparison->rows[found.fastest].report, found.tokens, found.run)) {
            found.fastest = i;
        }
        if (!isnan(result->cost_step) && !found.mixed &&
            (found.cheapest < 0 || rank_cost(report, found.tokens, found.run) <
                                       rank_cost(&comparison->rows[found.cheapest].report, found.tokens, found.run))) {
            found.cheapest = i;
        }
    }
    return found;
}

/* Adds a cell with an amount of money to the table. mixed: true = the rows have several currencies, so the cell
 * contains the name of the currency. */
static void put_amount(nnc_table *table, const nnc_report *report, double amount, bool mixed) {
    char text[NNC_NUMBER_TEXT], whole[NNC_NUMBER_TEXT + 16];
    const char *currency = mixed && !isnan(amount) ? nnc_report_currency(report) : NULL;
    snprintf(whole, sizeof whole, "%s%s%s", nnc_count_text(amount, text), currency != NULL ? " " : "",
             currency != NULL ? currency : "");
    nnc_table_cell(table, whole);
}

/* Adds one column to the table of a comparison: the heading of the column if row is NULL, otherwise the cell of the
 * row. */
#define COLUMN(put, ...)                                      \
    do {                                                      \
        if (row == NULL) {                                    \
            nnc_table_head(table, (nnc_head){ __VA_ARGS__ }); \
        } else {                                              \
            put;                                              \
        }                                                     \
    } while (0)

/* Returns the text for headings of cost columns: the currency of all rows, such as "USD", or "cost" if the rows have
 * several currencies. */
static const char *cost_word(ranking ranked) {
    return ranked.mixed || ranked.currency == NULL ? "cost" : ranked.currency;
}

/* Adds the columns of the run to the table of a comparison: headings if row is NULL, otherwise the cells of the row. A
 * plan that does not fit has no run. A device without a rate of failures has no goodput. cost_head: memory for the
 * heading of the cost column. */
static void put_run(nnc_table *table, const nnc_report *row, ranking ranked, char cost_head[32]) {
    char text[NNC_NUMBER_TEXT];
    const double none = (double)NAN;
    const bool over = row != NULL && row->result->verdict == NNC_OVER_MEMORY;
    const nnc_run *run = row != NULL ? row->run : NULL;
    snprintf(cost_head, 32, "run %s", cost_word(ranked));
    COLUMN(nnc_table_number(table, over ? none : run->run_s, "s"), .text = "run");
    COLUMN(nnc_table_cell(table, nnc_count_text(over ? none : run->device_hours, text)), .text = "device-h", .drop = 4);
    if (ranked.currency != NULL) {
        COLUMN(put_amount(table, row, over ? none : run->cost, ranked.mixed), .text = cost_head);
    }
    if (ranked.energy) {
        COLUMN(nnc_table_cell(table, nnc_count_text(over ? none : run->energy_j / 3.6e6, text)), .text = "kWh",
               .drop = 5);
    }
    if (ranked.carbon) {
        COLUMN(nnc_table_cell(table, nnc_count_text(over ? none : run->carbon_kg / 1000.0, text)), .text = "t CO2e");
    }
    if (ranked.stops) {
        COLUMN(nnc_table_share(table, over || isnan(run->system_mtbf_s) ? none : run->goodput), .text = "goodput",
               .drop = 3);
    }
}

static const char *fit_word(nnc_verdict verdict) {
    return verdict == NNC_FITS ? "yes" : verdict == NNC_TIGHT ? "tight" : "NO";
}

/* Adds all columns to the table of a comparison: headings if row is NULL, otherwise the cells of the row. heads: memory
 * for two headings. */
static void put_columns(nnc_table *table, const nnc_report *row, ranking ranked, char heads[2][32]) {
    char text[NNC_NUMBER_TEXT];
    const nnc_result *result = row != NULL ? row->result : NULL;
    snprintf(heads[0], 32, "%s/%s", cost_word(ranked), ranked.tokens ? "Mtoken" : "ksample");
    COLUMN(nnc_table_number(table, result->step_s, "s"), .text = "step");
    COLUMN(nnc_table_cell(table, nnc_count_text(speed(result, ranked.tokens), text)),
           .text = ranked.tokens ? "tokens/s" : "samples/s", .drop = ranked.run ? 6 : 0);
    COLUMN(nnc_table_share(table, result->mfu), .text = "MFU", .drop = 2);
    COLUMN(nnc_table_number(table, (double)result->memory.total_bytes, "B"), .text = "memory", .drop = 3);
    COLUMN(nnc_table_cell(table, fit_word(result->verdict)), .text = "fits", .left = true);
    COLUMN(nnc_table_cell(table, nnc_bound_name(result->bound)), .text = "bound", .left = true, .drop = 1);
    if (ranked.run) { put_run(table, row, ranked, heads[1]); }
    if (ranked.currency != NULL) {
        COLUMN(put_amount(table, row, unit_cost(result, ranked.tokens), ranked.mixed), .text = heads[0],
               .drop = ranked.run ? 2 : 7);
    }
}

/* Writes the marks of a row: "fastest, cheapest, not measured". "not measured" means that the device of the row has
 * default efficiencies. */
static const char *crown_of(const comparison_rows *comparison, ranking ranked, int32_t row, char crown[64]) {
    const bool fastest = row == ranked.fastest, cheapest = row == ranked.cheapest;
    const bool unmeasured = comparison->rows[row].report.device->efficiency.basis == NNC_BASIS_DEFAULT;
    snprintf(crown, 64, "%s%s%s",
             fastest && cheapest ? "fastest, cheapest"
             : fastest           ? "fastest"
             : cheapest          ? "cheapest"
                                 : "",
             unmeasured && (fastest || cheapest) ? ", " : "", unmeasured ? "not measured" : "");
    return crown;
}

/* Returns true if all rows have the same software profile, and at least one row has this profile only because
 * keep_software replaced the default profile of its plan. */
static bool keeps_first(const comparison_rows *comparison) {
    const nnc_report *first = &comparison->rows[0].report;
    bool keeps = false, same = true;
    for (int32_t i = 1; i < comparison->row_count; i++) {
        const nnc_report *row = &comparison->rows[i].report;
        same = same && strcmp(row->software->id, first->software->id) == 0;
        keeps = keeps || (first->software_chosen && !row->software_chosen);
    }
    return keeps && same;
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record) {
    enum { VARIED_MAX = 32 };
    const comparison_rows *comparison = record;
    const ranking ranked = rank(comparison);
    const int32_t varied = comparison->varied_count < VARIED_MAX ? comparison->varied_count : VARIED_MAX;
    nnc_table table = { .count = 0 };
    if (comparison->row_count > 0 && comparison->rows->report.overrides != NULL) {
        nnc_sheet_line(out, style, "with %s", comparison->rows->report.overrides);
        nnc_buffer_byte(out, '\n');
    }
    for (int32_t i = 0; i < varied; i++) {
        nnc_table_head(&table, (nnc_head){ .text = comparison->varied_names[i], .left = true });
    }
    char heads[2][32];
    put_columns(&table, NULL, ranked, heads);
    bool split = false, named = false;
    for (int32_t i = 0; i < comparison->row_count; i++) { split = split || comparison->rows[i].split != NULL; }
    for (int32_t i = 0; i < varied; i++) { named = named || strcmp(comparison->varied_names[i], "software") == 0; }
    if (split && !named) { nnc_table_head(&table, (nnc_head){ .text = "software", .left = true }); }
    if (split) { nnc_table_head(&table, (nnc_head){ .text = "from the first row", .left = true }); }
    nnc_table_head(&table, (nnc_head){ .text = "", .left = true });
    for (int32_t i = 0; i < comparison->row_count; i++) {
        for (int32_t c = 0; c < varied; c++) {
            nnc_table_cell(&table, comparison->varied[i * comparison->varied_count + c]);
        }
        put_columns(&table, &comparison->rows[i].report, ranked, heads);
        char crown[64];
        const compared_row *row = &comparison->rows[i];
        if (split && !named) { nnc_table_cell(&table, row->report.software->id); }
        if (split) { nnc_table_cell(&table, row->split != NULL ? row->split : ""); }
        nnc_table_cell(&table, crown_of(comparison, ranked, i, crown));
    }
    nnc_table_write(&table, out, style);
    const nnc_report *first = &comparison->rows->report;
    if (!split && !named && keeps_first(comparison)) {
        nnc_buffer_byte(out, '\n');
        nnc_sheet_line(out, style,
                       "All rows have the software profile %s, which nncost chooses for the first row; --software any "
                       "gives each row its own profile.",
                       first->software->id);
    }
}

NNC_IF(has_split, compared_row, !isnan(self->framework_s))

static const nnc_metric compared_rows[] = {
    NNC_ROWS(&nnc_estimate_run_metrics, NNC_IN(compared_row, report)),
    NNC_NUMBER(compared_row, change_s, .unit = "s",
               .help =
                   "Step time minus the step time of the first row, if the two rows have different software profiles.",
               .more = NNC_MORE(.when = has_split)),
    NNC_NUMBER(compared_row, framework_s, .unit = "s",
               .help = "Part of change_s that is caused by the software profile: step time minus the step time of this "
                       "plan with the profile of the first row.",
               .more = NNC_MORE(.when = has_split)),
    NNC_TEXT(compared_row, command, .help = "The command line that gives this estimate."),
};
static const nnc_metrics compared = NNC_METRICS("one of several estimates", compared_rows, compared_row);

static const nnc_metric document_rows[] = {
    NNC_AS("rows", LIST, NNC_IN(comparison_rows, rows), NNC_COUNT(comparison_rows, row_count), .rows = &compared,
           .help = "One row for each estimate that is compared."),
};
static const nnc_metrics document = NNC_METRICS("a comparison", document_rows, comparison_rows);

const nnc_view nnc_comparison_view = {
    .schema = "nncost.compare/1", .document = &document, .list = "rows", .page = write_page
};

/* ---- making the rows of a comparison: all combinations of the listed values ---- */

enum { ROWS_MAX = 1000, AXES_MAX = NNC_SETTINGS_MAX + 3, VALUES_MAX = 256 };

/* A list of values: models, devices, values of --software, or values of a plan option. Each row of the comparison has
 * one value of each list. */
typedef struct axis {
    const char *name;
    const char **values;
    int32_t count;
} axis;

typedef enum fixed_axis { AXIS_MODEL, AXIS_DEVICE, AXIS_SOFTWARE, AXIS_SETTINGS } fixed_axis;

typedef struct product {
    nnc_arena *arena;
    const nnc_plans *plans; /* the plan file of the operands; NULL = the operands are models and devices */
    axis axes[AXES_MAX];
    int axis_count;
    int32_t row_count;
} product;

/* Adds a list of values. where: name of the option or operand in error messages. field: plan field to which the values
 * belong; NULL = the values are models, devices, profiles or scenarios. */
static nnc_status add_axis(product *p, const char *name, const char *where, const nnc_field *field, const char *list,
                           nnc_error *err) {
    const bool one = field != NULL && nnc_field_is_one_set(field, list);
    axis *added = &p->axes[p->axis_count++];
    char *text = nnc_arena_strdup(p->arena, list);
    *added = (axis){ .name = nnc_arena_strdup(p->arena, name) };
    added->values = nnc_arena_array(p->arena, VALUES_MAX, sizeof *added->values);
    if (text == NULL || added->name == NULL || added->values == NULL) { return nnc_no_memory(err); }
    for (bool more = true; more;) {
        const size_t length = one ? strlen(text) : strcspn(text, ",");
        more = text[length] == ',';
        text[length] = '\0';
        if (added->count == VALUES_MAX) {
            return nnc_fail(err, NNC_BAD_USAGE, where, "too many values, expected at most %d", VALUES_MAX);
        }
        if (length == 0) { return nnc_fail(err, NNC_BAD_USAGE, where, "empty value in the list \"%s\"", list); }
        for (int32_t i = 0; i < added->count; i++) {
            if (strcmp(added->values[i], text) == 0) {
                return nnc_fail(err, NNC_BAD_USAGE, where, "\"%s\" twice in the list \"%s\"", text, list);
            }
        }
        added->values[added->count++] = text;
        text += length + 1;
    }
    p->row_count *= added->count;
    if (p->row_count > ROWS_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, where, "too many combinations, expected at most %d", ROWS_MAX);
    }
    return NNC_OK;
}

/* Adds the scenarios that --scenario names, or else all scenarios of the plan file, as a list of values. On a command
 * line with a plan file, the list of scenarios replaces the list of models. */
static nnc_status add_scenarios(product *p, const nnc_options *options, nnc_error *err) {
    const nnc_plans *plans = p->plans;
    size_t size = 1;
    if (options->scenario != NULL) { return add_axis(p, "scenario", "--scenario", NULL, options->scenario, err); }
    for (int32_t i = 0; i < plans->scenario_count; i++) { size += strlen(plans->scenarios[i].id) + 1; }
    char *all = nnc_arena_alloc(p->arena, size);
    NNC_GOT(all, err);
    for (int32_t i = 0; i < plans->scenario_count; i++) {
        nnc_text_append(all, size, "", "%s%s", i > 0 ? "," : "", plans->scenarios[i].id);
    }
    return add_axis(p, "scenario", "--scenario", NULL, all, err);
}

static nnc_status list_axes(product *p, nnc_session *session, nnc_error *err) {
    const nnc_options *options = &session->options;
    const char *device = options->operand_count > 1 ? options->operands[1] : "-";
    p->row_count = 1;
    NNC_TRY(nnc_plans_open(session->specs, p->arena, options->operands[0], &p->plans, err));
    if (p->plans == NULL && (options->operand_count < 2 || options->scenario)) {
        return nnc_fail(err, NNC_BAD_USAGE, options->scenario != NULL ? "--scenario" : "DEVICE",
                        "%s, expected MODEL DEVICE or a plan file, found \"%s\"",
                        options->scenario != NULL ? "no plan file" : "missing", options->operands[0]);
    }
    NNC_TRY(p->plans != NULL ? add_scenarios(p, options, err)
                             : add_axis(p, "model", "MODEL", NULL, options->operands[0], err));
    NNC_TRY(add_axis(p, "device", "DEVICE", NULL, device, err));
    NNC_TRY(add_axis(p, "software", "--software", NULL, options->given.software != NULL ? options->given.software : "-",
                     err));
    for (int i = 0; i < options->given.setting_count; i++) {
        char name[NNC_OPTION_NAME];
        nnc_option_name(options->given.settings[i].field->name, name);
        NNC_TRY(add_axis(p, name + 2, name, options->given.settings[i].field, options->given.settings[i].value, err));
    }
    return NNC_OK;
}

/* Sets values[i] to the value of list i that a row has. The last list varies fastest: the next row has the next value
 * of the last list. */
static void row_values(const product *p, int32_t row, const char **values) {
    for (int i = p->axis_count - 1; i >= 0; i--) {
        assert(p->axes[i].count > 0);
        values[i] = p->axes[i].values[row % p->axes[i].count];
        row /= p->axes[i].count;
    }
}

/* Replaces the software profile of a row by the profile of the first row, so that a difference between rows has a
 * single cause. The function does not change a row in three cases: the user named the profile of the row; the option is
 * --software any; all plans of the row's model or device have the same profile. */
static nnc_status keep_software(const nnc_scenario *first, nnc_scenario *scenario, nnc_error *err) {
    const nnc_software *software = &first->software;
    if (scenario == first || !scenario->report.software_chosen || scenario->profiles.any) { return NNC_OK; }
    const nnc_profile_kind by_plan = nnc_profile_kind_by_plan(&first->model, &first->plan),
                           kept = nnc_profile_kind_kept(&scenario->model, &scenario->device, &first->plan, by_plan);
    /* Plans on a TPU, and plans of a captured program, have only one software profile. */
    if (kept == NNC_PROFILE_TPU || scenario->model.captured != NULL) { return NNC_OK; }
    if (first->report.software_chosen &&
        nnc_profile_kind_kept(&first->model, &first->device, &first->plan, kept) != kept) {
        NNC_TRY(nnc_profile_load(scenario->specs, kept, &software, err));
    }
    scenario->report.software_chosen =
        first->report.software_chosen && strcmp(scenario->software.id, software->id) == 0;
    scenario->software = *software;
    return NNC_OK;
}

/* Writes the command line that prints the estimate of a row. */
static nnc_status put_command(const product *p, const nnc_options *options, const nnc_command_args *args, bool chosen,
                              const nnc_scenario *scenario, const char **command, nnc_error *err) {
    nnc_buffer text = { 0 };
    nnc_scenario_args given = options->given;
    nnc_command_args full = *args;
    full.given = &given;
    given.setting_count = 0; /* settings that have no effect on the row are left out */
    for (int i = 0; i < options->given.setting_count; i++) {
        const nnc_setting *setting = &options->given.settings[i];
        const bool own = i < options->given.own_count;
        if (!own || nnc_scenario_needs(&options->given, setting, scenario) == NULL) {
            given.settings[given.setting_count++] = *setting;
        }
    }
    if (chosen && !scenario->report.software_chosen) { given.software = scenario->software.id; }
    nnc_command_put(&text, &full);
    *command = nnc_command_keep(p->arena, &text);
    nnc_buffer_free(&text);
    return *command != NULL ? NNC_OK : nnc_no_memory(err);
}

static nnc_status estimate_row(nnc_session *session, const product *p, int32_t row, nnc_scenario *scenarios,
                               const char **command, nnc_scratch *scratch, nnc_error *err) {
    nnc_scenario *scenario = &scenarios[row];
    const char *values[AXES_MAX] = { NULL };
    nnc_options options = session->options;
    row_values(p, row, values);
    options.given.software = options.given.software != NULL ? values[AXIS_SOFTWARE] : NULL;
    for (int i = 0; i < options.given.setting_count; i++) {
        options.given.settings[i].value = values[AXIS_SETTINGS + i];
    }
    const bool own = p->plans != NULL && values[AXIS_DEVICE] != NULL && strcmp(values[AXIS_DEVICE], "-") == 0;
    const nnc_command_args args = {
        .model = p->plans != NULL ? options.operands[0] : values[AXIS_MODEL],
        .device = own ? NULL : values[AXIS_DEVICE],
        .scenario = p->plans != NULL ? values[AXIS_MODEL] : NULL,
        .given = &options.given,
        .lenient = options.lenient,
    };
    const nnc_plans_scenario *from = NULL;
    if (p->plans == NULL) {
        NNC_TRY(
            nnc_scenario_load(session->specs, &options.given, values[AXIS_MODEL], values[AXIS_DEVICE], scenario, err));
    } else {
        NNC_TRY(nnc_plans_pick(p->plans, values[AXIS_MODEL], &from, err));
        NNC_TRY(nnc_plans_load(session->specs, &options.given, p->arena, p->plans, from,
                               own ? NULL : values[AXIS_DEVICE], scenario, err));
    }
    const bool chosen = scenario->report.software_chosen;
    NNC_TRY(keep_software(&scenarios[0], scenario, err));
    NNC_TRY(put_command(p, &options, &args, chosen, scenario, command, err));
    NNC_TRY(nnc_estimate(&scenario->model, &scenario->device, &scenario->software, &scenario->plan, scratch,
                         &scenario->result, err));
    nnc_scenario_request_run(scenario);
    return nnc_scenario_run(scenario, err);
}

/* Writes the difference in step time between a row and the first row, divided by cause: "+242 ms: framework 231 ms,
 * zero 11 ms". */
static nnc_status split_change(const product *p, const nnc_scenario *scenarios, int32_t row, nnc_scratch *scratch,
                               compared_row *made, nnc_error *err) {
    const nnc_scenario *first = &scenarios[0], *scenario = &scenarios[row];
    const char *here[AXES_MAX] = { NULL }, *there[AXES_MAX] = { NULL };
    char all[NNC_NUMBER_TEXT], part[NNC_NUMBER_TEXT];
    nnc_result same;
    made->change_s = made->framework_s = (double)NAN;
    if (strcmp(first->software.id, scenario->software.id) == 0 ||
        nnc_estimate(&scenario->model, &scenario->device, &first->software, &scenario->plan, scratch, &same, NULL) !=
            NNC_OK) {
        return NNC_OK;
    }
    made->change_s = scenario->result.step_s - first->result.step_s;
    made->framework_s = scenario->result.step_s - same.step_s;
    nnc_buffer text = { 0 };
    nnc_buffer_print(&text, "%s%s: framework %s", made->change_s < 0.0 ? "" : "+",
                     nnc_unit_text(made->change_s, "s", all), nnc_unit_text(made->framework_s, "s", part));
    row_values(p, 0, here);
    row_values(p, row, there);
    bool more = false;
    for (int i = 0; i < p->axis_count; i++) {
        if (i != AXIS_SOFTWARE && strcmp(here[i], there[i]) != 0) {
            nnc_buffer_print(&text, "%s%s", more ? " and " : ", ", p->axes[i].name);
            more = true;
        }
    }
    nnc_buffer_print(&text, " %s", nnc_unit_text(same.step_s - first->result.step_s, "s", part));
    const char *split = nnc_command_keep(p->arena, &text);
    nnc_buffer_free(&text);
    made->split = more ? split : NULL;
    return split != NULL ? NNC_OK : nnc_no_memory(err);
}

/* Returns true if the page has a column for a list of values (of models, devices or options). The lists of devices and
 * scenarios always have a column; any other list has a column only if it has several values. */
static bool is_shown(const product *p, int index) {
    return index == AXIS_DEVICE || p->axes[index].count > 1 || (index == AXIS_MODEL && p->plans != NULL);
}

static nnc_status write_rows(nnc_session *session, const product *p, const nnc_scenario *scenarios,
                             const char *const *commands, nnc_scratch *scratch, nnc_error *err) {
    const char *names[AXES_MAX];
    int32_t shown = 0;
    for (int i = 0; i < p->axis_count; i++) {
        if (is_shown(p, i)) { names[shown++] = p->axes[i].name; }
    }
    compared_row *rows = nnc_arena_array(p->arena, (size_t)p->row_count, sizeof *rows);
    const char **varied = nnc_arena_array(p->arena, (size_t)p->row_count * (size_t)shown, sizeof *varied);
    if (rows == NULL || varied == NULL) { return nnc_no_memory(err); }
    session->exit_code = 1;
    for (int32_t row = 0, at = 0; row < p->row_count; row++) {
        const char *values[AXES_MAX] = { NULL };
        row_values(p, row, values);
        if (p->plans == NULL) { values[AXIS_MODEL] = scenarios[row].model.id; }
        values[AXIS_DEVICE] = scenarios[row].device.id;
        for (int i = 0; i < p->axis_count; i++) {
            if (is_shown(p, i)) { varied[at++] = values[i]; }
        }
        rows[row] = (compared_row){ .report = scenarios[row].report, .command = commands[row] };
        NNC_TRY(split_change(p, scenarios, row, scratch, &rows[row], err));
        if (scenarios[row].result.verdict != NNC_OVER_MEMORY) { session->exit_code = 0; }
    }
    for (int32_t row = 0; row < p->row_count && session->options.emit != NULL; row++) {
        const char *values[AXES_MAX] = { NULL };
        char number[NNC_NUMBER_TEXT];
        row_values(p, row, values);
        snprintf(number, sizeof number, "%d", (int)row + 1);
        NNC_TRY(nnc_emit_scenario(session, &scenarios[row], p->plans != NULL ? values[AXIS_MODEL] : number, err));
    }
    const comparison_rows comparison = {
        .rows = rows,
        .row_count = p->row_count,
        .varied_names = names,
        .varied = varied,
        .varied_count = shown,
    };
    nnc_view_write(session->out, session->style, &nnc_comparison_view, &comparison);
    return NNC_OK;
}

static nnc_status run(nnc_session *session, nnc_error *err) {
    product p = { .arena = nnc_specs_arena(session->specs) };
    nnc_scratch *scratch = nnc_scratch_create();
    nnc_scenario *scenarios = NULL;
    const char **commands = NULL;
    nnc_status status = scratch != NULL ? nnc_emit_begin(session, false, err) : nnc_no_memory(err);
    status = status == NNC_OK ? list_axes(&p, session, err) : status;
    if (status != NNC_OK) { goto done; }
    scenarios = calloc((size_t)p.row_count, sizeof *scenarios);
    commands = nnc_arena_array(p.arena, (size_t)p.row_count, sizeof *commands);
    if (scenarios == NULL || commands == NULL) {
        status = nnc_no_memory(err);
        goto done;
    }
    for (int32_t row = 0; row < p.row_count && status == NNC_OK; row++) {
        status = estimate_row(session, &p, row, scenarios, &commands[row], scratch, err);
    }
    if (status == NNC_OK) { status = nnc_scenarios_check_read(&session->options, scenarios, p.row_count, err); }
    if (status == NNC_OK) { status = write_rows(session, &p, scenarios, commands, scratch, err); }
done:
    free(scenarios);
    nnc_scratch_destroy(scratch);
    return status;
}

const nnc_command nnc_cmd_compare = {
    .name = "compare",
    .operands = "MODEL[,MODEL...] DEVICE[,DEVICE...] | PLANS.json [DEVICE[,DEVICE...]]",
    .summary = "Devices, models or plans side by side: every combination of the given lists.",
    .notes =
        "Every plan option, and --software, may take a list: --micro-batch 1,2,4. The rows are in the order of the "
        "options; the last option varies fastest. --recompute norm,activation is one value with two parts. In a "
        "list of several values, '+' joins the parts of one value: none,norm+activation,full. Marks show the "
        "fastest and the cheapest of the plans that fit, by time and cost per token, or per sample if a model has "
        "no tokens. All rows have the software profile of the first row, unless --software names other profiles or "
        "only one profile is possible for a row; with --software any, each row has the default profile of its plan. "
        "If the rows have different profiles, a column states how much of the change of the step time the profile "
        "causes. All scenarios of a plan file are compared, or the scenarios that --scenario lists. The command "
        "exits with 1 if no plan fits.",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_LAUNCH | NNC_TAKES_PLAN | NNC_TAKES_RUN | NNC_TAKES_SCENARIO | NNC_TAKES_EMIT,
    .run = run,
    .serving = &nnc_cmd_serve_compare,
};
