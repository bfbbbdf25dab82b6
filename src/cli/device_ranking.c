/* device ranking */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <nncost/nncost.h>

#include "base/error.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/search_asked.h"
#include "cli/views_internal.h"
#include "input/kind.h"
#include "input/read.h"
#include "record/plan_file.h"

/* What a device has to offer. */
typedef struct nnc_choice_row {
    const char *id, *name;
    const char *seller, *date; /* of the price; NULL = none */
    const char *currency;
    const char *software, *command; /* NULL = nothing found */
    const char *reason;             /* why nothing was; NULL = something was */
    const char *require;            /* the fields of its plan, for a plan file */
    bool found;
    nnc_basis basis; /* of the device's efficiencies */
    nnc_plan plan;
    nnc_bound bound;
    double step_s, mfu, run_s, device_hours, cost, energy_j, price;
    int64_t memory_bytes;
} nnc_choice_row;

typedef struct nnc_choices {
    const char *model;
    const char *aim; /* "the cheapest size that keeps to the deadline" */
    int64_t global_batch;
    bool batch_chosen; /* not asked for */
    nnc_choice_row *rows;
    int32_t count;
} nnc_choices;

static nnc_cell get_days(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_choice_row *row = place->record;
    (void)text;
    return nnc_number_cell(row->run_s);
}

static nnc_cell get_cost(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_choice_row *row = place->record;
    char amount[NNC_NUMBER_TEXT];
    if (isnan(row->cost)) {
        return (nnc_cell){ .kind = NNC_CELL_NULL };
    }
    snprintf(text, NNC_METRIC_TEXT_MAX, "%s %s", nnc_count_text(row->cost, amount), row->currency);
    return nnc_text_cell(text);
}

static nnc_cell get_energy(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_choice_row *row = place->record;
    (void)text;
    return nnc_number_cell(row->energy_j / 3.6e6);
}

static nnc_cell get_word(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_choice_row *row = place->record;
    return row->found ? nnc_text_cell(nnc_plan_word(&row->plan, text)) : nnc_text_cell(row->reason);
}

static nnc_cell get_limit(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_choice_row *row = place->record;
    (void)text;
    return row->found ? nnc_text_cell(nnc_bound_name(row->bound))
                      : (nnc_cell){ .kind = NNC_CELL_NULL };
}

static nnc_cell get_devices(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_choice_row *row = place->record;
    (void)text;
    return row->found ? (nnc_cell){ .kind = NNC_CELL_WHOLE, .whole = row->plan.devices }
                      : (nnc_cell){ .kind = NNC_CELL_NULL };
}

static nnc_cell get_memory(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_choice_row *row = place->record;
    (void)text;
    return row->found ? (nnc_cell){ .kind = NNC_CELL_WHOLE, .whole = row->memory_bytes }
                      : (nnc_cell){ .kind = NNC_CELL_NULL };
}

static nnc_cell get_plan(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_choice_row *row = place->record;
    return row->found ? nnc_text_cell(nnc_plan_word(&row->plan, text))
                      : (nnc_cell){ .kind = NNC_CELL_NULL };
}

/* With a name for programs, with a head for people. */
static const nnc_metric choice_rows[] = {
    NNC_TEXT(nnc_choice_row, id, .head = "device", .help = "Id of the device."),
    NNC_AS("devices", WHOLE, .get = get_devices, .head = "devices", .help = "Devices of the plan."),
    NNC_NUMBER(nnc_choice_row, step_s, .head = "step", .unit = "s", .help = "Time of one step."),
    NNC_AS("run_s", NUMBER, .get = get_days, .head = "run", .unit = "s",
           .help = "Time of the whole run."),
    NNC_HEAD("cost", TEXT, .get = get_cost),
    NNC_AS("cost", NUMBER, NNC_IN(nnc_choice_row, cost),
           .help = "Cost of the whole run, or of a step where its length is not known."),
    NNC_TEXT(nnc_choice_row, currency, .help = "Currency of the cost and the price."),
    NNC_AS("energy_kwh", NUMBER, .get = get_energy, .head = "kWh", .show = NNC_SHOW_COUNT,
           .drop = 3, .help = "Energy of the whole run, or of a step at the rated power."),
    NNC_AS("memory_bytes", WHOLE, .get = get_memory, .head = "memory", .unit = "B", .drop = 2,
           .help = "Memory on the fullest device."),
    NNC_NUMBER(nnc_choice_row, mfu, .head = "MFU", .show = NNC_SHOW_PERCENT, .drop = 4,
               .help = "Model FLOPs utilisation of the step."),
    NNC_AS("bound", TEXT, .get = get_limit, .head = "limit", .help = "What limits the step most."),
    NNC_HEAD("plan", TEXT, .get = get_word),
    NNC_AS("plan", TEXT, .get = get_plan, .help = "The plan in one word."),
    NNC_TEXT(nnc_choice_row, software, .help = "Software profile of the plan."),
    NNC_AS("basis", ENUM, NNC_IN(nnc_choice_row, basis),
           .names = { nnc_basis_name, NNC_BASIS_COUNT },
           .help = "What the device's efficiencies rest on."),
    NNC_NUMBER(nnc_choice_row, device_hours, .help = "Devices times hours of the whole run."),
    NNC_NUMBER(nnc_choice_row, price, .help = "Price of one device for one hour."),
    NNC_TEXT(nnc_choice_row, seller, .help = "Whose price it is."),
    NNC_TEXT(nnc_choice_row, date, .help = "When it was asked."),
    NNC_TEXT(nnc_choice_row, reason, .help = "Why no plan is shown."),
    NNC_TEXT(nnc_choice_row, command, .help = "The command that estimates the plan."),
};
static const nnc_metrics choice_metrics = NNC_METRICS("a device", choice_rows, nnc_choice_row);

static const nnc_metric document_rows[] = {
    NNC_TEXT(nnc_choices, model),
    NNC_TEXT(nnc_choices, aim),
    NNC_WHOLE(nnc_choices, global_batch),
    { .name = "devices",
      .type = NNC_METRIC_LIST,
      NNC_IN(nnc_choices, rows),
      NNC_COUNT(nnc_choices, count),
      .rows = &choice_metrics },
};
static const nnc_metrics document =
    NNC_METRICS("devices to choose from", document_rows, nnc_choices);

static nnc_lines lines_of(const void *record)
{
    const nnc_choices *choices = record;
    return (nnc_lines){ &choice_metrics, choices, choices->rows, choices->count };
}

static void write_unmeasured(nnc_buffer *out, const nnc_choices *choices)
{
    int32_t count = 0;
    for (int32_t i = 0; i < choices->count; i++) {
        if (choices->rows[i].found && choices->rows[i].basis == NNC_BASIS_DEFAULT) {
            nnc_buffer_print(out, "%s%s",
                             count++ > 0 ? ", "
                                         : "\nnot measured, with efficiencies of similar devices: ",
                             choices->rows[i].id);
        }
    }
    nnc_buffer_text(out, count > 0 ? "\n" : "");
}

/* What a cost is of, its heading says. */
static void write_table(nnc_buffer *out, nnc_style style, const nnc_choices *choices)
{
    nnc_table table = { .count = 0 };
    bool run = true;
    for (int32_t i = 0; i < choices->count; i++) {
        run = run && !(choices->rows[i].found && isnan(choices->rows[i].run_s));
    }
    nnc_table_heads(&table, &choice_metrics);
    for (int i = 0; i < table.count; i++) {
        nnc_head *head = &table.heads[i];
        if (strcmp(head->text, "cost") == 0) {
            head->text = run ? "run cost" : "step cost";
        } else if (strcmp(head->text, "run") == 0 && !run) {
            head->text = NULL;
        }
        if (head->text != NULL && strcmp(head->text, "kWh") == 0) {
            head->text = run ? "run kWh" : "step kWh";
        }
    }
    nnc_table_records(&table, lines_of(choices));
    nnc_table_write(&table, out, style);
}

/* Sellers differ more than devices do, so each is named. */
static void write_prices(nnc_buffer *out, const nnc_choices *choices)
{
    int32_t count = 0;
    for (int32_t i = 0; i < choices->count; i++) {
        const nnc_choice_row *row = &choices->rows[i];
        char amount[NNC_NUMBER_TEXT];
        if (isnan(row->price)) {
            continue;
        }
        nnc_buffer_print(out, "%s%s %s %s/h", count++ > 0 ? "; " : "\nprices: ", row->id,
                         nnc_count_text(row->price, amount), row->currency);
        if (row->seller != NULL) {
            nnc_buffer_print(out, " (%s%s%s)", row->seller, row->date != NULL ? ", " : "",
                             row->date != NULL ? row->date : "");
        }
    }
    nnc_buffer_text(out, count > 0 ? "\n" : "");
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record)
{
    const nnc_choices *choices = record;
    nnc_buffer_print(out, "%s, global batch %" PRId64 "%s; of each device %s\n\n", choices->model,
                     choices->global_batch,
                     choices->batch_chosen ? " (chosen: about 4 million tokens)" : "",
                     choices->aim);
    write_table(out, style, choices);
    write_prices(out, choices);
    write_unmeasured(out, choices);
    nnc_buffer_byte(out, '\n');
    for (int32_t i = 0; i < choices->count; i++) {
        if (choices->rows[i].command != NULL) {
            nnc_buffer_print(out, "    %s\n", choices->rows[i].command);
        }
    }
}

const nnc_view nnc_choices_view = {
    .schema = "nncost.choices/1", .document = &document, .lines = lines_of, .page = write_page
};

/* search over several devices: which one to take. */

enum { DEVICES_MAX = 32 };

bool nnc_device_ranking_asked(const nnc_options *options)
{
    return options->operand_count == 2 && strchr(options->operands[1], ',') != NULL;
}

/* What the search of one device is told, and tells. */
typedef struct buyer {
    nnc_arena *arena;
    nnc_choice_row *row;
    nnc_scratch *scratch;
    bool fastest;
} buyer;

static const char *keep(nnc_arena *arena, const char *text)
{
    return text != NULL ? nnc_arena_strdup(arena, text) : NULL;
}

/* The plan that a device is judged by; NULL = it has none. */
static const nnc_found *best_of(const nnc_search_report *report, bool fastest)
{
    if (report->sizes == NULL) {
        return report->result->best_count > 0 ? &report->result->best[0] : NULL;
    }
    const int32_t index = fastest ? report->fastest : report->cheapest;
    return index >= 0 ? &report->sizes[index].best : NULL;
}

static const char *reason_of(nnc_arena *arena, const nnc_search_report *report)
{
    char text[600];
    bool missed = report->sizes == NULL && report->result->any_missed;
    const nnc_error *why = &report->why;
    for (int32_t i = 0; i < report->size_count; i++) {
        missed = missed || report->sizes[i].any_missed;
        why = report->sizes[i].why.status != NNC_OK ? &report->sizes[i].why : why;
    }
    snprintf(text, sizeof text, "%s%s",
             missed                  ? "misses the deadline or the budget"
             : why->status != NNC_OK ? "no legal plan: "
                                     : "no plan fits",
             !missed && why->status != NNC_OK ? why->what : "");
    return nnc_arena_strdup(arena, text);
}

static nnc_status take(nnc_session *session, void *context, const nnc_search_report *report,
                       nnc_error *err)
{
    buyer *b = context;
    nnc_choice_row *row = b->row;
    const nnc_device *device = report->device;
    const nnc_found *best = best_of(report, b->fastest);
    *row = (nnc_choice_row){ .id = keep(b->arena, device->id),
                             .name = keep(b->arena, device->name),
                             .currency = keep(b->arena, nnc_price_currency(device)),
                             .basis = device->efficiency.basis,
                             .found = best != NULL,
                             .step_s = (double)NAN,
                             .mfu = (double)NAN,
                             .run_s = (double)NAN,
                             .device_hours = (double)NAN,
                             .cost = (double)NAN,
                             .energy_j = (double)NAN,
                             .price = (double)NAN };
    if (best == NULL) {
        row->reason = reason_of(b->arena, report);
        return row->reason != NULL ? NNC_OK : nnc_no_memory(err);
    }
    row->plan = best->plan;
    row->software = keep(b->arena, best->software);
    row->command = keep(b->arena, best->command);
    row->step_s = best->step_s;
    row->mfu = best->mfu;
    row->memory_bytes = best->memory_bytes;
    row->run_s = best->run_s;
    row->device_hours = best->device_hours;
    row->energy_j = best->energy_j;
    row->cost = isnan(best->run_s) ? best->cost_step : best->cost_run;
    if (isnan(best->plan.price) && device->price_count > 0) {
        row->seller = keep(b->arena, device->prices->where);
        row->date = keep(b->arena, device->prices->date);
    }
    const nnc_result *result = NULL;
    NNC_TRY(nnc_found_estimate(session, report, best, b->scratch, b->arena, &result, err));
    row->bound = result->bound;
    row->energy_j = isnan(row->energy_j) ? result->energy_j : row->energy_j;
    row->price = result->price_per_device_hour;
    return NNC_OK;
}

/* Those with a plan first; then by money where all have a price, else by time. */
static int by_cost(const void *a, const void *b)
{
    const nnc_choice_row *left = a, *right = b;
    const double keys[2][3] = {
        { !left->found, isnan(left->cost), isnan(left->cost) ? left->step_s : left->cost },
        { !right->found, isnan(right->cost), isnan(right->cost) ? right->step_s : right->cost }
    };
    for (int i = 0; i < 3; i++) {
        if (keys[0][i] < keys[1][i] || keys[0][i] > keys[1][i]) {
            return keys[0][i] < keys[1][i] ? -1 : 1;
        }
    }
    return strcmp(left->id, right->id);
}

static int by_time(const void *a, const void *b)
{
    const nnc_choice_row *left = a, *right = b;
    if (left->found != right->found) {
        return left->found ? -1 : 1;
    }
    return left->step_s < right->step_s ? -1 : left->step_s > right->step_s;
}

static const char *aim_of(const nnc_options *options, bool *fastest)
{
    const bool deadline = options->search.deadline != NULL, budget = options->search.budget != NULL;
    const char *objective = options->search.objective;
    *fastest = objective != NULL ? strcmp(objective, "time") == 0 : budget && !deadline;
    return *fastest ? (budget ? "the fastest size within the budget" : "the fastest size")
           : deadline && budget ? "the cheapest size within the deadline and the budget"
           : deadline           ? "the cheapest size within the deadline"
           : budget             ? "the cheapest size within the budget"
                                : "the cheapest size";
}

/* ---- plan file ---- */

/* A field of an object, in SI units as a plan file has it. */
static void put_field(nnc_record *record, const nnc_field *field, const void *object)
{
    char text[256];
    double number = 0.0;
    nnc_field_text(field, object, text, sizeof text);
    if (field->type == NNC_FIELD_BOOL) {
        nnc_record_bool(record, field->name, strcmp(text, "on") == 0);
    } else if (field->type != NNC_FIELD_ENUM && nnc_read_double(text, &number)) {
        nnc_record_number(record, field->name, number);
    } else {
        nnc_record_text(record, field->name, text);
    }
}

static void put_fields(nnc_record *record, const nnc_options *options, const nnc_plan *plan)
{
    static const char *const chosen[] = {
        "devices",        "data",        "tensor",   "pipeline",
        "virtual_stages", "context",     "expert",   "sequence_parallel",
        "zero",           "micro_batch", "schedule", "recompute",
        "offload",        "global_batch"
    };
    for (size_t i = 0; i < nnc_plan_table.count; i++) {
        const nnc_field *field = &nnc_plan_table.fields[i];
        bool wanted = false;
        for (size_t k = 0; k < sizeof chosen / sizeof chosen[0]; k++) {
            wanted = wanted || strcmp(field->name, chosen[k]) == 0;
        }
        for (int k = 0; k < options->given.setting_count; k++) {
            wanted = wanted || options->given.settings[k].field == field;
        }
        if (!wanted || (strcmp(field->name, "schedule") == 0 && plan->pipeline == 1)) {
            continue;
        }
        put_field(record, field, plan);
    }
}

/* What was said of the run. */
static void put_run(nnc_record *record, const nnc_given *given)
{
    for (int i = 0; i < given->setting_count; i++) {
        const nnc_field *field = given->settings[i].field;
        nnc_run_ask ask = nnc_run_ask_default();
        if (nnc_field_is_of(&nnc_run_table, field) &&
            nnc_field_set(&nnc_run_table, &ask, field->name, given->settings[i].value, NULL) ==
                NNC_OK) {
            put_field(record, field, &ask);
        }
    }
}

/* The cluster, by a path that holds from any folder; a seller's price, whose catalogue no plan file names. */
static nnc_status put_terms(nnc_record *record, const nnc_session *session,
                            const nnc_choice_row *row, nnc_error *err)
{
    const nnc_given *given = &session->options.given;
    char folder[PATH_MAX], text[2 * PATH_MAX];
    if (given->cluster != NULL) {
        const bool relative = given->cluster[0] != '/' && strchr(given->cluster, '/') != NULL &&
                              getcwd(folder, sizeof folder) != NULL;
        snprintf(text, sizeof text, "%s%s%s", relative ? folder : "", relative ? "/" : "",
                 given->cluster);
        nnc_record_text(record, "cluster", text);
    }
    if (given->seller != NULL && !isnan(row->price)) {
        const nnc_device *device = NULL;
        NNC_TRY(nnc_device_load(session->specs, row->id, &device, err));
        if (row->currency != NULL && strcmp(row->currency, nnc_price_currency(device)) != 0) {
            return nnc_fail(err, NNC_BAD_USAGE, "--plans",
                            "%s sells %s in %s, a plan file has prices in the device's %s",
                            given->seller, row->id, row->currency, nnc_price_currency(device));
        }
        snprintf(text, sizeof text, "price: %s, %s",
                 row->seller != NULL ? row->seller : given->seller,
                 row->date != NULL ? row->date : "no date");
        nnc_record_number(record, "price", row->price);
        nnc_record_text(record, "note", text);
    }
    return NNC_OK;
}

static void put_sets(nnc_record *record, const nnc_given *given)
{
    if (given->set_count == 0) {
        return;
    }
    nnc_record_object(record, "set");
    for (int i = 0; i < given->set_count; i++) {
        char key[128];
        const char *equals = strchr(given->sets[i], '=');
        double number = 0.0;
        if (equals == NULL) {
            continue;
        }
        snprintf(key, sizeof key, "%.*s", (int)(equals - given->sets[i]), given->sets[i]);
        if (nnc_read_double(equals + 1, &number)) {
            nnc_record_number(record, key, number);
        } else {
            nnc_record_text(record, key, equals + 1);
        }
    }
    nnc_record_close(record);
}

static nnc_status write_plans(const nnc_session *session, const nnc_choices *choices,
                              nnc_error *err)
{
    const nnc_options *options = &session->options;
    nnc_buffer out = { 0 };
    nnc_status status = NNC_OK;
    nnc_record record = nnc_record_begin(&out, NNC_PLANS_SCHEMA);
    nnc_record_text(&record, "note",
                    "Written by 'nncost search --plans'; 'nncost check' estimates "
                    "every scenario, --update records them.");
    nnc_record_list(&record, "scenarios");
    for (int32_t i = 0; i < choices->count; i++) {
        const nnc_choice_row *row = &choices->rows[i];
        if (row->found) {
            nnc_record_object(&record, NULL);
            nnc_record_text(&record, "id", row->id);
            nnc_record_text(&record, "model", choices->model);
            nnc_record_text(&record, "device", row->id);
            nnc_record_text(&record, "software", row->software);
            put_fields(&record, options, &row->plan);
            put_run(&record, &options->given);
            if (status == NNC_OK) {
                status = put_terms(&record, session, row, err);
            }
            put_sets(&record, &options->given);
            nnc_record_close(&record);
        }
    }
    nnc_record_close(&record);
    nnc_record_end(&record);
    status = status != NNC_OK ? status
             : out.failed     ? nnc_no_memory(err)
                              : nnc_output_write(options->search.plans, out.bytes, out.size, err);
    nnc_buffer_free(&out);
    return status;
}

/* ---- the command ---- */

static nnc_status search_all(buyer *b, nnc_session *session, nnc_choices *choices, nnc_error *err)
{
    char *list = nnc_arena_strdup(b->arena, session->options.operands[1]);
    if (list == NULL) {
        return nnc_no_memory(err);
    }
    for (char *next = list; next != NULL;) {
        char *device = next, *comma = strchr(next, ',');
        next = comma != NULL ? comma + 1 : NULL;
        if (comma != NULL) {
            *comma = '\0';
        }
        if (choices->count == DEVICES_MAX) {
            return nnc_fail(err, NNC_BAD_USAGE, "DEVICE", "too many devices, expected at most %d",
                            DEVICES_MAX);
        }
        if (*device == '\0') {
            return nnc_fail(err, NNC_BAD_USAGE, "DEVICE", "an empty name in the list \"%s\"",
                            session->options.operands[1]);
        }
        nnc_session own = *session; /* its options are those of the next device, too */
        b->row = &choices->rows[choices->count];
        NNC_TRY(nnc_search_asked(&own, session->options.operands[0], device, take, b, err));
        choices->count++;
        if (own.exit_code > 1) { /* a signal: those so far are shown */
            session->exit_code = own.exit_code;
            return NNC_OK;
        }
    }
    return NNC_OK;
}

static nnc_status choose(nnc_session *session, buyer *b, nnc_error *err)
{
    nnc_choices choices = { .model = session->options.operands[0] };
    nnc_choice_row *rows = nnc_arena_array(b->arena, DEVICES_MAX, sizeof *rows);
    bool any = false;
    if (rows == NULL || b->scratch == NULL) {
        return nnc_no_memory(err);
    }
    choices.rows = rows;
    choices.aim = aim_of(&session->options, &b->fastest);
    NNC_TRY(nnc_batch_choose(session, b->arena, &choices.global_batch, &choices.batch_chosen, err));
    NNC_TRY(search_all(b, session, &choices, err));
    for (int32_t i = 0; i < choices.count; i++) {
        any = any || rows[i].found;
    }
    qsort(rows, (size_t)choices.count, sizeof *rows, b->fastest ? by_time : by_cost);
    session->exit_code = session->exit_code > 1 ? session->exit_code : any ? 0 : 1;
    nnc_view_write(session->out, session->style, &nnc_choices_view, &choices);
    return session->options.search.plans != NULL ? write_plans(session, &choices, err) : NNC_OK;
}

nnc_status nnc_device_ranking_run(nnc_session *session, nnc_error *err)
{
    if (session->options.search.target_step != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--target-step", "is for one device, expected one");
    }
    const nnc_given *given = &session->options.given;
    if (session->options.search.plans != NULL &&
        (given->region != NULL || given->building != NULL)) {
        return nnc_fail(err, NNC_BAD_USAGE, given->region != NULL ? "--region" : "--building",
                        "has no place in a plan file, expected --plans without it");
    }
    buyer b = { .arena = nnc_arena_create(), .scratch = nnc_scratch_create() };
    const nnc_status status = b.arena != NULL ? choose(session, &b, err) : nnc_no_memory(err);
    nnc_scratch_destroy(b.scratch);
    nnc_arena_destroy(b.arena);
    return status;
}
