/* search over several devices: which one to take. */
#include "cli/search/buyer.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <nncost/nncost.h>

#include "base/error.h"
#include "base/number.h"
#include "cli/output.h"
#include "cli/search/batch_chosen.h"
#include "cli/search/buyer_view.h"
#include "cli/search_asked.h"
#include "input/kind.h"
#include "input/read.h"
#include "record/plan_file.h"
#include "render/json_writer.h"

enum { DEVICES_MAX = 32 };

bool nnc_buyer_asked(const nnc_options *options)
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
    const bool deadline = options->search.deadline_s > 0.0, budget = options->search.budget != NULL;
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

nnc_status nnc_buyer_run(nnc_session *session, nnc_error *err)
{
    if (session->options.search.target_step_s > 0.0) {
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
