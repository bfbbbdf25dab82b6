/* nncost search MODEL DEVICE,DEVICE,...: finds the best plan on each listed device, and ranks the devices by cost or
 * time. The option --plans writes a plan file with one scenario for each device. */
#include <limits.h>
#include <unistd.h>

#include <nncost/nncost.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "input/input_internal.h"
#include "record/record_internal.h"

/* A row of the ranking: a device and the best plan on it. The nnc_best is the first member, because the getters of
 * nnc_best read this struct. */
typedef struct choice_row {
    nnc_best best;
    const char *id, *name;
    const char *seller, *date; /* seller and date of the price of the device; NULL = no price */
    nnc_basis basis;           /* kind of measurements to which the efficiencies of the device were fitted */
    double energy_j, price;
} choice_row;

typedef struct choices {
    const char *model;
    const nnc_scenario_args *given;
    const char *aim; /* text of the aim of the ranking: "the cheapest size within the deadline" */
    int64_t global_batch;
    const char *batch_chosen; /* text that says how the command chose the batch; "" = an option gives the batch */
    choice_row *rows;
    int32_t count;
} choices;

NNC_GET(get_energy, choice_row, nnc_number_cell(self->energy_j / 3.6e6))
NNC_GET(get_bound, choice_row,
        nnc_text_cell(self->best.result != NULL ? nnc_bound_name(self->best.result->bound) : NULL))
NNC_GET(get_shown_plan, choice_row,
        self->best.result != NULL ? nnc_best_plan(place, text) : nnc_text_cell(self->best.reason))

#define BEST(member) NNC_IN(choice_row, best.member)
#define FOUND(member) NNC_IN(choice_row, best.found.member)
static const nnc_metric choice_rows[] = {
    NNC_TEXT(choice_row, id, .head = "device", .help = "Id of the device."),
    NNC_AS("devices", WHOLE, .get = nnc_best_devices, .head = "devices", .help = "Number of devices of the plan."),
    NNC_AS("step_s", NUMBER, FOUND(step_s), .head = "step", .unit = "s", .help = "Time of one step."),
    NNC_AS("run_s", NUMBER, FOUND(run_s), .head = "run", .unit = "s", .help = "Time of the whole run."),
    NNC_HEAD("cost", TEXT, .get = nnc_best_cost),
    NNC_AS("cost", NUMBER, BEST(cost),
           .help = "Cost of the whole run, or of a step when the length of the run is not known."),
    NNC_AS("currency", TEXT, BEST(currency), .help = "Currency of the cost and the price."),
    NNC_AS("energy_kwh", NUMBER, .get = get_energy, .head = "kWh", .show = NNC_SHOW_COUNT, .drop = 3,
           .help = "Energy of the whole run; if the length of the run is not known, energy of one step at the rated "
                   "power."),
    NNC_AS("memory_bytes", WHOLE, .get = nnc_best_memory, .head = "memory", .unit = "B", .drop = 2,
           .help = "Memory on the fullest device."),
    NNC_AS("mfu", NUMBER, FOUND(mfu), .head = "MFU", .show = NNC_SHOW_PERCENT, .drop = 4,
           .help = "Model FLOPs utilisation of the step."),
    NNC_AS("bound", TEXT, .get = get_bound, .head = "limit", .help = "Resource that limits the step most."),
    NNC_HEAD("plan", TEXT, .get = get_shown_plan),
    NNC_AS("plan", TEXT, .get = nnc_best_plan, .help = "The plan in short form, such as dp64 zero1 mb1."),
    NNC_AS("software", TEXT, BEST(software), .help = "Software profile of the plan."),
    NNC_AS("basis", ENUM, NNC_IN(choice_row, basis), .name_of = nnc_basis_name, .values = NNC_BASIS_COUNT,
           .help = "Source of the device's efficiencies."),
    NNC_AS("device_hours", NUMBER, FOUND(device_hours), .help = "Device-hours of the whole run."),
    NNC_NUMBER(choice_row, price, .help = "Price of one device for one hour."),
    NNC_TEXT(choice_row, seller, .help = "Seller of the price."),
    NNC_TEXT(choice_row, date, .help = "Date of the price."),
    NNC_AS("reason", TEXT, BEST(reason), .help = "Reason why no plan is shown."),
    NNC_AS("command", TEXT, FOUND(command), .help = "The command that estimates the plan."),
};
static const nnc_metrics choice_metrics = NNC_METRICS("a device", choice_rows, choice_row);

static const nnc_metric document_rows[] = {
    NNC_TEXT(choices, model),
    NNC_TEXT(choices, aim),
    NNC_WHOLE(choices, global_batch),
    { .name = "devices",
      .type = NNC_METRIC_LIST,
      NNC_IN(choices, rows),
      NNC_COUNT(choices, count),
      .rows = &choice_metrics },
};
static const nnc_metrics document = NNC_METRICS("devices to choose from", document_rows, choices);

static void write_unmeasured(nnc_buffer *out, const choices *all) {
    int32_t count = 0;
    for (int32_t i = 0; i < all->count; i++) {
        const choice_row *row = &all->rows[i];
        if (row->best.result != NULL && row->basis == NNC_BASIS_DEFAULT) {
            nnc_buffer_text(out, count++ > 0 ? ", " : "\nnot measured, with efficiencies of similar devices: ");
            nnc_buffer_text(out, row->id);
        }
    }
    nnc_buffer_text(out, count > 0 ? "\n" : "");
}

/* Writes the table of ranked devices. The headings of the table say whether costs and energies are for the run or for
 * one step. */
static void write_table(nnc_buffer *out, nnc_style style, const choices *all) {
    nnc_table table = { .count = 0 };
    bool run = true;
    for (int32_t i = 0; i < all->count; i++) {
        run = run && !(all->rows[i].best.result != NULL && isnan(all->rows[i].best.found.run_s));
    }
    nnc_table_heads(&table, &choice_metrics);
    nnc_table_rename(&table, "cost", run ? "run cost" : "step cost");
    nnc_table_rename(&table, "kWh", run ? "run kWh" : "step kWh");
    nnc_table_rename(&table, "run", run ? "run" : NULL);
    nnc_table_records(&table, (nnc_lines){ &choice_metrics, all, all->rows, all->count });
    nnc_table_write(&table, out, style);
}

/* Writes the source of the price of each device, because the prices of one device differ more between sellers than the
 * prices of one seller differ between devices. */
static void write_prices(nnc_buffer *out, nnc_style style, const choices *all) {
    int32_t count = 0;
    for (int32_t i = 0; i < all->count; i++) {
        const choice_row *row = &all->rows[i];
        char amount[NNC_NUMBER_TEXT], source[256] = "";
        if (isnan(row->price)) { continue; }
        if (row->seller != NULL) {
            snprintf(source, sizeof source, " (%.120s%s%.120s)", row->seller, row->date != NULL ? ", " : "",
                     row->date != NULL ? row->date : "");
        }
        nnc_buffer_text(out, count++ > 0 ? "" : "\n");
        nnc_sheet_line(out, style, "price of %s: %s %s/h%s", row->id, nnc_count_text(row->price, amount),
                       row->best.currency, source);
    }
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record) {
    const choices *all = record;
    nnc_put_sets(out, all->given);
    nnc_sheet_line(out, style, "%s, global batch %" PRId64 "%s; for each device: %s", all->model, all->global_batch,
                   all->batch_chosen, all->aim);
    nnc_buffer_byte(out, '\n');
    write_table(out, style, all);
    write_prices(out, style, all);
    write_unmeasured(out, all);
    nnc_buffer_byte(out, '\n');
    for (int32_t i = 0; i < all->count; i++) { nnc_best_command(out, &all->rows[i].best); }
}

const nnc_view nnc_choices_view = {
    .schema = "nncost.choices/1", .document = &document, .list = "devices", .page = write_page
};

enum { DEVICES_MAX = 32 };

bool nnc_device_ranking_asked(const nnc_options *options) {
    return options->operand_count == 2 && strchr(options->operands[1], ',') != NULL;
}

/* Arguments of the function to which a search gives the result for one device. */
typedef struct ranking {
    nnc_arena *arena;
    choice_row *row; /* row of the ranking in which the result of the search is stored */
    nnc_scratch *scratch;
    bool fastest;      /* true: the device with the shortest time comes first; false: the cheapest device comes first */
    nnc_error refused; /* reason why no plan is legal on the first of the refused devices */
    int32_t refusals;  /* number of devices on which no plan is legal */
} ranking;

static const char *keep(nnc_arena *arena, const char *text) {
    return text != NULL ? nnc_arena_strdup(arena, text) : NULL;
}

/* Returns the best plan in the result of a search on one device; NULL = no plan fits. */
static const nnc_found *best_of(const nnc_search_report *report, bool fastest) {
    if (report->sizes == NULL) { return report->result->best_count > 0 ? &report->result->best[0] : NULL; }
    const int32_t index = fastest ? report->fastest : report->cheapest;
    return index >= 0 ? &report->sizes[index].best : NULL;
}

static const char *reason_of(nnc_arena *arena, const nnc_search_report *report) {
    char text[600];
    bool missed = report->sizes == NULL && report->result->any_missed;
    const nnc_error *why = &report->why;
    for (int32_t i = 0; i < report->size_count && report->sizes != NULL; i++) {
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

/* Fills the ranking row of a device with the result of the search on this device. Copies the texts of the result,
 * because the search frees the memory in which these texts are. */
static nnc_status take(nnc_session *session, void *context, const nnc_search_report *report, nnc_error *err) {
    ranking *r = context;
    choice_row *row = r->row;
    const nnc_device *device = report->device;
    *row = (choice_row){ .id = keep(r->arena, device->id),
                         .name = keep(r->arena, device->name),
                         .basis = device->efficiency.basis };
    NNC_TRY(nnc_best_fill(session, report, best_of(report, r->fastest), r->scratch, &row->best, err));
    nnc_best *best = &row->best;
    best->currency = keep(r->arena, nnc_price_currency(device));
    best->software = keep(r->arena, best->software);
    best->found.command = keep(r->arena, best->found.command);
    row->energy_j = best->found.energy_j;
    row->price = (double)NAN;
    if (best->result == NULL) {
        best->reason = reason_of(r->arena, report);
        return best->reason != NULL ? NNC_OK : nnc_no_memory(err);
    }
    if (isnan(best->found.plan.price) && device->price_count > 0) {
        row->seller = keep(r->arena, device->prices->where);
        row->date = keep(r->arena, device->prices->date);
    }
    row->energy_j = isnan(row->energy_j) ? best->result->energy_j : row->energy_j;
    row->price = best->result->price_per_device_hour;
    return NNC_OK;
}

/* Fills the ranking row of a device on which no plan is legal. */
static nnc_status take_refusal(const nnc_session *session, ranking *r, const char *name, const nnc_error *why,
                               nnc_error *err) {
    const nnc_search_report none = { .currency = NULL };
    const nnc_device *device;
    char text[sizeof why->where + sizeof why->what + 24];
    NNC_TRY(nnc_device_load(session->specs, name, &device, err));
    *r->row = (choice_row){ .id = keep(r->arena, device->id),
                            .name = keep(r->arena, device->name),
                            .basis = device->efficiency.basis,
                            .energy_j = (double)NAN,
                            .price = (double)NAN };
    NNC_TRY(nnc_best_fill(session, &none, NULL, r->scratch, &r->row->best, err));
    snprintf(text, sizeof text, "no legal plan: %s: %s", why->where, why->what);
    r->row->best.reason = nnc_arena_strdup(r->arena, text);
    return r->row->best.reason != NULL ? NNC_OK : nnc_no_memory(err);
}

static int compare(const double a[], const double b[], int count) {
    for (int i = 0; i < count; i++) {
        if (a[i] < b[i] || a[i] > b[i]) { return a[i] < b[i] ? -1 : 1; }
    }
    return 0;
}

/* Orders ranking rows: first devices with a known cost, by cost; then devices with a plan but without a cost, by time;
 * then devices without a plan. */
static int by_cost(const void *a, const void *b) {
    const choice_row *rows[] = { a, b };
    double keys[2][3];
    for (int i = 0; i < 2; i++) {
        const nnc_best *best = &rows[i]->best;
        keys[i][0] = best->result == NULL;
        keys[i][1] = isnan(best->cost);
        keys[i][2] = isnan(best->cost) ? best->found.step_s : best->cost;
    }
    const int order = compare(keys[0], keys[1], 3);
    return order != 0 ? order : strcmp(rows[0]->id, rows[1]->id);
}

static int by_time(const void *a, const void *b) {
    const nnc_best *x = &((const choice_row *)a)->best, *y = &((const choice_row *)b)->best;
    return compare((const double[]){ x->result == NULL, x->found.step_s },
                   (const double[]){ y->result == NULL, y->found.step_s }, 2);
}

static const char *aim_of(const nnc_options *options, bool *fastest) {
    const bool deadline = options->search.deadline_s > 0.0, budget = options->search.budget != NULL;
    const char *objective = options->search.objective;
    *fastest = objective != NULL ? strcmp(objective, "time") == 0 : budget && !deadline;
    return *fastest             ? (budget ? "the fastest size within the budget" : "the fastest size")
           : deadline && budget ? "the cheapest size within the deadline and the budget"
           : deadline           ? "the cheapest size within the deadline"
           : budget             ? "the cheapest size within the budget"
                                : "the cheapest size";
}

/* ---- --plans: writes a plan file with the ranked devices ---- */

static void put_fields(nnc_record *record, const nnc_options *options, const nnc_plan *plan) {
    static const char *const chosen[] = { "devices",        "data",         "tensor",        "pipeline",
                                          "virtual_stages", "context",      "expert",        "sequence_parallel",
                                          "zero",           "micro_batch",  "schedule",      "recompute",
                                          "offload",        "global_batch", "ends_as_layers" };
    for (size_t i = 0; i < nnc_plan_table.count; i++) {
        const nnc_field *field = &nnc_plan_table.fields[i];
        bool wanted = false;
        for (size_t k = 0; k < sizeof chosen / sizeof chosen[0]; k++) {
            wanted = wanted || strcmp(field->name, chosen[k]) == 0;
        }
        for (int k = 0; k < options->given.setting_count; k++) {
            wanted = wanted || options->given.settings[k].field == field;
        }
        if (!wanted || (strcmp(field->name, "schedule") == 0 && plan->pipeline == 1)) { continue; }
        nnc_scenario_field(record, field, plan);
    }
}

/* Writes the options of the run into a scenario of the plan file. */
static void put_run(nnc_record *record, const nnc_scenario_args *given) {
    for (int i = 0; i < given->setting_count; i++) {
        const nnc_field *field = given->settings[i].field;
        nnc_run_ask ask = nnc_run_ask_default();
        if (nnc_field_is_of(&nnc_run_table, field) &&
            nnc_field_set(&nnc_run_table, &ask, field->name, given->settings[i].value, NULL) == NNC_OK) {
            nnc_scenario_field(record, field, &ask);
        }
    }
}

/* Writes the cluster file, as a path that is valid in any folder, and the price of --seller into a scenario. The price
 * is written as a number, because a plan file cannot name a seller. */
static nnc_status put_terms(nnc_record *record, const nnc_session *session, const choice_row *row, nnc_error *err) {
    const nnc_scenario_args *given = &session->options.given;
    char folder[PATH_MAX], text[2 * PATH_MAX];
    if (given->cluster != NULL) {
        const bool relative =
            given->cluster[0] != '/' && strchr(given->cluster, '/') != NULL && getcwd(folder, sizeof folder) != NULL;
        snprintf(text, sizeof text, "%s%s%s", relative ? folder : "", relative ? "/" : "", given->cluster);
        nnc_record_text(record, "cluster", text);
    }
    if (given->seller != NULL && !isnan(row->price)) {
        const nnc_device *device = NULL;
        NNC_TRY(nnc_device_load(session->specs, row->id, &device, err));
        if (row->best.currency != NULL && strcmp(row->best.currency, nnc_price_currency(device)) != 0) {
            return nnc_fail(err, NNC_BAD_USAGE, "--plans",
                            "%s sells %s in %s, but prices in a plan file are in the currency of the device, %s",
                            given->seller, row->id, row->best.currency, nnc_price_currency(device));
        }
        snprintf(text, sizeof text, "price: %s, %s", row->seller != NULL ? row->seller : given->seller,
                 row->date != NULL ? row->date : "no date");
        nnc_record_number(record, "price", row->price);
        nnc_record_text(record, "note", text);
    }
    return NNC_OK;
}

static nnc_status write_plans(const nnc_session *session, const choices *all, nnc_error *err) {
    const nnc_options *options = &session->options;
    nnc_buffer out = { 0 };
    nnc_status status = NNC_OK;
    nnc_record record = nnc_record_begin(&out, NNC_PLANS_SCHEMA);
    nnc_record_text(&record, "note",
                    "Written by 'nncost search --plans'; 'nncost check' estimates "
                    "every scenario, --update records them.");
    nnc_record_list(&record, "scenarios");
    for (int32_t i = 0; i < all->count; i++) {
        const choice_row *row = &all->rows[i];
        if (row->best.result != NULL) {
            nnc_record_object(&record, NULL);
            nnc_record_text(&record, "id", row->id);
            nnc_record_text(&record, "model", all->model);
            nnc_record_text(&record, "device", row->id);
            nnc_record_text(&record, "software", row->best.software);
            put_fields(&record, options, &row->best.found.plan);
            put_run(&record, &options->given);
            if (status == NNC_OK) { status = put_terms(&record, session, row, err); }
            nnc_scenario_sets(&record, &options->given);
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

static nnc_status search_all(ranking *r, nnc_session *session, choices *all, nnc_error *err) {
    char *list = nnc_arena_strdup(r->arena, session->options.operands[1]);
    NNC_GOT(list, err);
    for (char *next = list; next != NULL;) {
        char *device = next, *comma = strchr(next, ',');
        next = comma != NULL ? comma + 1 : NULL;
        if (comma != NULL) { *comma = '\0'; }
        if (all->count == DEVICES_MAX) {
            return nnc_fail(err, NNC_BAD_USAGE, "DEVICE", "too many devices, expected at most %d", DEVICES_MAX);
        }
        if (*device == '\0') {
            return nnc_fail(err, NNC_BAD_USAGE, "DEVICE", "an empty name in the list \"%s\"",
                            session->options.operands[1]);
        }
        /* a copy of the options for each device: a search removes options that the next search needs */
        nnc_session own = *session;
        nnc_error why = { .status = NNC_OK };
        r->row = &all->rows[all->count];
        const nnc_status status = nnc_search_args_run(&own, session->options.operands[0], device, take, r, &why);
        if (status == NNC_ILLEGAL_PLAN) {
            NNC_TRY(take_refusal(session, r, device, &why, err));
            r->refused = r->refusals++ == 0 ? why : r->refused;
        } else if (status != NNC_OK) {
            return nnc_fail(err, status, why.where, "%s", why.what);
        }
        all->count++;
        if (own.exit_code > 1) { /* after a signal, the page shows the devices whose searches have ended */
            session->exit_code = own.exit_code;
            return NNC_OK;
        }
    }
    return NNC_OK;
}

static nnc_status choose(nnc_session *session, ranking *r, nnc_error *err) {
    choices all = { .model = session->options.operands[0], .given = &session->options.given };
    choice_row *rows = nnc_arena_array(r->arena, DEVICES_MAX, sizeof *rows);
    bool any = false;
    if (rows == NULL || r->scratch == NULL) { return nnc_no_memory(err); }
    all.rows = rows;
    all.aim = aim_of(&session->options, &r->fastest);
    NNC_TRY(nnc_batch_choose(session, session->options.operands[0], &all.global_batch, &all.batch_chosen, err));
    NNC_TRY(search_all(r, session, &all, err));
    for (int32_t i = 0; i < all.count; i++) { any = any || rows[i].best.result != NULL; }
    if (r->refusals == all.count) { return nnc_fail(err, NNC_ILLEGAL_PLAN, r->refused.where, "%s", r->refused.what); }
    qsort(rows, (size_t)all.count, sizeof *rows, r->fastest ? by_time : by_cost);
    session->exit_code = session->exit_code > 1 ? session->exit_code : any ? 0 : 1;
    nnc_view_write(session->out, session->style, &nnc_choices_view, &all);
    return session->options.search.plans != NULL ? write_plans(session, &all, err) : NNC_OK;
}

nnc_status nnc_device_ranking_run(nnc_session *session, nnc_error *err) {
    if (session->options.search.target_step_s > 0.0) {
        return nnc_fail(err, NNC_BAD_USAGE, "--target-step", "needs a single device, expected one DEVICE");
    }
    const nnc_scenario_args *given = &session->options.given;
    if (session->options.search.plans != NULL && (given->region != NULL || given->building != NULL)) {
        return nnc_fail(err, NNC_BAD_USAGE, given->region != NULL ? "--region" : "--building",
                        "cannot be stored in a plan file, expected --plans without this option");
    }
    ranking r = { .arena = nnc_specs_arena(session->specs), .scratch = nnc_scratch_create() };
    const nnc_status status = choose(session, &r, err);
    nnc_scratch_destroy(r.scratch);
    return status;
}
