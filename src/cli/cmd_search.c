/* nncost search: finds the best legal plans for one or several numbers of devices, and the Pareto front of step time
 * and memory. cmd_search.c has functions for device_ranking.c and cmd_scale.c, which need the best plan on one device
 * or on one number of devices. */
#include <nncost/nncost.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "cost/cost_internal.h"
#include "input/input_internal.h"
#include "record/record_internal.h"
#include "shape/shape_internal.h"

/* Cost of a plan, in the first of four measures whose value is known: money of the run, device-hours of the run, money
 * of a step, device-seconds of a step. */
typedef struct spent {
    const char *what; /* name of the measure of cost, such as "run cost" */
    double amount;
    const char *currency; /* currency of the cost; NULL = the cost is in device-hours or device-seconds */
} spent;

/* Size in bytes of the buffer for a text of spent_text, such as "run cost 12.3 USD". */
enum { SPENT_TEXT = 96 };

static spent spent_on(const nnc_found *found, const char *currency) {
    const bool run = !isnan(found->run_s);
    const double money = run ? found->cost_run : found->cost_step;
    if (!isnan(money)) { return (spent){ run ? "run cost" : "step cost", money, currency }; }
    return run ? (spent){ "device-hours", found->device_hours, NULL } : (spent){ "device-s", found->device_s, NULL };
}

static const char *spent_text(const nnc_found *found, const char *currency, char text[SPENT_TEXT]) {
    const spent cost = spent_on(found, currency);
    char amount[NNC_NUMBER_TEXT];
    snprintf(text, SPENT_TEXT, "%s %s%s%s", cost.what, nnc_count_text(cost.amount, amount),
             cost.currency != NULL ? " " : "", cost.currency != NULL ? cost.currency : "");
    return text;
}

/* A row of the table of plans. The row shows the plan `found`; `like` is the number of further plans with the same step
 * time and memory, which have no row of their own. */
typedef struct plan_row {
    nnc_found found;
    int32_t like;
} plan_row;

NNC_GET(get_energy, plan_row, nnc_number_cell(self->found.energy_j / 3.6e6))
NNC_GET(get_carbon, plan_row, nnc_number_cell(self->found.carbon_kg / 1000.0))
NNC_GET(get_cost, plan_row, nnc_number_cell(spent_on(&self->found, NULL).amount))

static nnc_cell get_plan(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    const plan_row *self = place->record;
    nnc_plan_word(&self->found.plan, text);
    if (self->like > 0) { nnc_text_append(text, NNC_METRIC_TEXT_MAX, "", " (+%" PRId32 ")", self->like); }
    return nnc_text_cell(text);
}

#define FOUND(member) NNC_IN(plan_row, found.member)
static const nnc_metric plan_column_rows[] = {
    NNC_HEAD("devices", WHOLE, FOUND(plan.devices)),
    NNC_HEAD("step", NUMBER, FOUND(step_s), .unit = "s"),
    NNC_HEAD("run", NUMBER, FOUND(run_s), .unit = "s"),
    NNC_HEAD("cost", NUMBER, .get = get_cost, .show = NNC_SHOW_COUNT),
    NNC_HEAD("goodput", NUMBER, FOUND(goodput), .show = NNC_SHOW_PERCENT, .drop = 4),
    NNC_HEAD("kWh", NUMBER, .get = get_energy, .show = NNC_SHOW_COUNT, .drop = 3),
    NNC_HEAD("t CO2e", NUMBER, .get = get_carbon, .show = NNC_SHOW_COUNT, .drop = 5),
    NNC_HEAD("memory", WHOLE, FOUND(memory_bytes), .unit = "B", .drop = 3),
    NNC_HEAD("MFU", NUMBER, FOUND(mfu), .show = NNC_SHOW_PERCENT, .drop = 2),
    NNC_HEAD("bubble", NUMBER, FOUND(bubble_share), .show = NNC_SHOW_PERCENT, .drop = 1),
    NNC_HEAD("software", CHARS, FOUND(software), .shrinks = true),
    NNC_HEAD("plan", TEXT, .get = get_plan),
};
#undef FOUND
enum { DEVICES, STEP, RUN, COST, GOODPUT, ENERGY, CARBON, MEMORY, MFU, BUBBLE, SOFTWARE };
static const nnc_metrics plan_columns = NNC_METRICS("a plan that fits", plan_column_rows, plan_row);

static bool software_differs(const nnc_found *list, int32_t count) {
    for (int32_t i = 1; i < count; i++) {
        if (strcmp(list[i].software, list[0].software) != 0) { return true; }
    }
    return false;
}

/* Returns true if two plans look equal in the table: they have the same number of devices, the same profile, and the
 * same text for step time and memory. */
static bool is_like(const nnc_found *a, const nnc_found *b) {
    char left[NNC_NUMBER_TEXT], right[NNC_NUMBER_TEXT];
    return a->plan.devices == b->plan.devices && strcmp(a->software, b->software) == 0 &&
           strcmp(nnc_unit_text(a->step_s, "s", left), nnc_unit_text(b->step_s, "s", right)) == 0 &&
           strcmp(nnc_unit_text((double)a->memory_bytes, "B", left),
                  nnc_unit_text((double)b->memory_bytes, "B", right)) == 0;
}

/* Joins successive plans that look equal in the table (is_like) to one row. Returns the number of rows. */
static int32_t fold(const nnc_found *list, int32_t count, plan_row *rows) {
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++) {
        if (kept > 0 && is_like(&rows[kept - 1].found, &list[i])) {
            rows[kept - 1].like++;
        } else {
            rows[kept++] = (plan_row){ .found = list[i] };
        }
    }
    return kept;
}

void nnc_found_write(nnc_buffer *out, nnc_style style, const nnc_found *list, int32_t count, const char *currency,
                     bool sizes) {
    const bool run = count > 0 && !isnan(list[0].run_s);
    char head[64] = "";
    nnc_table table = { .count = 0 };
    plan_row *rows = calloc((size_t)count + 1, sizeof *rows);
    if (rows == NULL) {
        out->failed = true;
        return;
    }
    const int32_t kept = fold(list, count, rows);
    nnc_table_heads(&table, &plan_columns);
    table.heads[DEVICES].text = sizes ? table.heads[DEVICES].text : NULL;
    table.heads[RUN].text = run ? table.heads[RUN].text : NULL;
    table.heads[GOODPUT].text = run && list[0].goodput < 1.0 ? table.heads[GOODPUT].text : NULL;
    table.heads[ENERGY].text = run && list[0].energy_j > 0.0 ? table.heads[ENERGY].text : NULL;
    table.heads[CARBON].text = run && list[0].carbon_kg > 0.0 ? table.heads[CARBON].text : NULL;
    if (run || (sizes && count > 0)) {
        const spent cost = spent_on(&list[0], currency);
        if (cost.currency != NULL) { /* heading of the cost column, such as "run USD" */
            snprintf(head, sizeof head, "%s %s", run ? "run" : "step", cost.currency);
        } else {
            snprintf(head, sizeof head, "%s", cost.what);
        }
    }
    table.heads[COST].text = *head != '\0' ? head : NULL;
    table.heads[SOFTWARE].text = software_differs(list, count) ? table.heads[SOFTWARE].text : NULL;
    nnc_table_records(&table, (nnc_lines){ &plan_columns, NULL, rows, kept });
    nnc_table_write(&table, out, style);
    if (kept < count) { nnc_buffer_text(out, "(+N): N further plans have the same step time and memory\n"); }
    free(rows);
}

/* Writes the reason why a search found no plan for one number of devices. */
static void write_none(nnc_buffer *out, nnc_style style, const nnc_search_size *size, const char *currency) {
    char step[NNC_NUMBER_TEXT], run[NNC_NUMBER_TEXT], cost[SPENT_TEXT];
    const char *plural = size->devices == 1 ? "" : "s";
    if (size->why.status != NNC_OK) {
        nnc_sheet_line(out, style, "%" PRId32 " device%s: no legal plan, %s: %s", size->devices, plural,
                       size->why.where, size->why.what);
    } else if (size->any_missed) {
        nnc_sheet_line(out, style,
                       "%" PRId32 " device%s: misses the deadline or the budget, the fastest takes "
                       "%s a step, %s for the run, %s",
                       size->devices, plural, nnc_unit_text(size->missed.step_s, "s", step),
                       nnc_unit_text(size->missed.run_s, "s", run), spent_text(&size->missed, currency, cost));
    } else {
        nnc_buffer_print(out, "%" PRId32 " device%s: no plan fits\n", size->devices, plural);
    }
}

static void write_named(nnc_buffer *out, const char *name, const nnc_search_report *report, int32_t index) {
    const nnc_found *found = &report->sizes[index].best;
    char step[NNC_NUMBER_TEXT], run[NNC_NUMBER_TEXT], cost[SPENT_TEXT];
    nnc_buffer_print(out, "%s: %" PRId32 " device%s, %s a step", name, found->plan.devices,
                     found->plan.devices == 1 ? "" : "s", nnc_unit_text(found->step_s, "s", step));
    if (!isnan(found->run_s)) { nnc_buffer_print(out, ", %s for the run", nnc_unit_text(found->run_s, "s", run)); }
    nnc_buffer_print(out, ", %s\n", spent_text(found, report->currency, cost));
    if (found->command != NULL) { nnc_buffer_print(out, "    %s\n", found->command); }
}

static void write_sizes(nnc_buffer *out, nnc_style style, const nnc_search_report *report) {
    nnc_arena *arena = nnc_arena_create();
    const size_t room = report->size_count > 0 ? (size_t)report->size_count : 1;
    nnc_found *list = arena != NULL ? nnc_arena_array(arena, room, sizeof *list) : NULL;
    int32_t found = 0;
    out->failed = out->failed || list == NULL;
    for (int32_t i = 0; i < report->size_count && list != NULL; i++) {
        if (report->sizes[i].found) { list[found++] = report->sizes[i].best; }
    }
    if (found > 0) {
        nnc_found_write(out, style, list, found, report->currency, true);
        nnc_buffer_byte(out, '\n');
    }
    for (int32_t i = 0; i < report->size_count; i++) {
        if (!report->sizes[i].found) { write_none(out, style, &report->sizes[i], report->currency); }
    }
    if (found > 0) {
        nnc_buffer_text(out, found < report->size_count ? "\n" : "");
        write_named(out, "fastest", report, report->fastest);
        write_named(out, "cheapest", report, report->cheapest);
    }
    nnc_arena_destroy(arena);
}

/* Size in bytes of the buffer for a difference, such as ", 1.2 ms less bubble". The text of a difference is empty if
 * the difference is only a rounding error. */
enum { DIFFERENCE = 80 };
static const char *difference(const char *what, double less_s, double step_s, char text[DIFFERENCE]) {
    char number[NNC_NUMBER_TEXT];
    text[0] = '\0';
    if (fabs(less_s) > 1e-6 * step_s) {
        snprintf(text, DIFFERENCE, ", %s %s %s", nnc_unit_text(fabs(less_s), "s", number),
                 less_s > 0.0 ? "less" : "more", what);
    }
    return text;
}

/* Writes the differences in step time between the best plan and the second plan, for each part of the step. Writes
 * nothing if both steps take the same time. */
static void write_why(nnc_buffer *out, nnc_style style, const nnc_search_result *r) {
    const nnc_found *a = &r->best[0], *b = &r->best[1];
    char faster[NNC_NUMBER_TEXT];
    const double bubble_s = b->bubble_share * b->step_s - a->bubble_share * a->step_s;
    const double exposed_s = b->exposed_comm_s - a->exposed_comm_s;
    const double faster_s = b->step_s - a->step_s;
    if (r->best_count < 2 || !(fabs(faster_s) > 1e-6 * a->step_s)) { return; }
    char bubble[DIFFERENCE], exposed[DIFFERENCE], compute[DIFFERENCE];
    nnc_buffer_byte(out, '\n');
    nnc_sheet_line(out, style, "the first plan is %s %s than the second plan%s%s%s",
                   nnc_unit_text(fabs(faster_s), "s", faster), faster_s > 0.0 ? "faster" : "slower",
                   difference("bubble", bubble_s, a->step_s, bubble),
                   difference("exposed communication", exposed_s, a->step_s, exposed),
                   difference("compute", faster_s - bubble_s - exposed_s, a->step_s, compute));
}

/* Writes the fastest plan that breaks the deadline or the budget of the search. */
static void write_missed(nnc_buffer *out, nnc_style style, const nnc_found *missed, const char *currency) {
    char step[NNC_NUMBER_TEXT], run[NNC_NUMBER_TEXT], cost[SPENT_TEXT];
    nnc_sheet_line(out, style,
                   "no plan that fits meets the deadline and the budget; the fastest takes %s a "
                   "step, %s for the run, %s",
                   nnc_unit_text(missed->step_s, "s", step), nnc_unit_text(missed->run_s, "s", run),
                   spent_text(missed, currency, cost));
}

static void write_target(nnc_buffer *out, const nnc_search_report *report, const nnc_target *t) {
    char name[NNC_PARAMETER_TEXT], now[NNC_NUMBER_TEXT], then[NNC_NUMBER_TEXT];
    const char *unit = nnc_sensitivity_parameter_unit(t->figure);
    const bool memory = t->figure == NNC_PARAMETER_MEM_BYTES;
    const nnc_dtype precision = report->result->best_count > 0 ? report->result->best[0].plan.precision : NNC_BF16;
    nnc_buffer_print(out, "  %-24s %s", nnc_sensitivity_parameter_name(t->figure, precision, name),
                     nnc_unit_text(t->value, unit, now));
    if (isnan(t->needed)) {
        nnc_buffer_print(out, ": not enough: even with %s, the step takes %s%s\n",
                         memory                              ? "infinite capacity"
                         : t->figure == NNC_PARAMETER_MATMUL ? "an infinite peak"
                                                             : "infinite bandwidth",
                         nnc_unit_text(t->step_s, "s", then), memory ? " (the fastest plan of all)" : "");
    } else {
        nnc_buffer_print(out, " -> %s, %.4g times%s\n", nnc_unit_text(t->needed, unit, then), t->needed / t->value,
                         memory ? ", with another plan" : "");
    }
}

static void write_targets(nnc_buffer *out, const nnc_search_report *report) {
    const nnc_search_result *r = report->result;
    char goal[NNC_NUMBER_TEXT], now[NNC_NUMBER_TEXT];
    nnc_unit_text(report->target_step_s, "s", goal);
    if (r->best_count > 0 && r->best[0].step_s <= report->target_step_s) {
        nnc_buffer_print(out, "\na step of %s is reached: the best plan takes %s\n", goal,
                         nnc_unit_text(r->best[0].step_s, "s", now));
        return;
    }
    if (r->best_count > 0) {
        nnc_buffer_print(out,
                         "\nsmallest value of each parameter, changed alone, that shortens the step from %s to %s\n\n",
                         nnc_unit_text(r->best[0].step_s, "s", now), goal);
    } else {
        nnc_buffer_print(out, "\nsmallest value of each parameter, changed alone, for a step of %s\n\n", goal);
    }
    for (int i = 0; i < report->target_count; i++) { write_target(out, report, &report->targets[i]); }
}

static bool is_as_fast(const nnc_found *a, const nnc_found *b) {
    return fabs(a->step_s - b->step_s) <= 1e-6 * b->step_s;
}

/* Writes the probability that the first plan of the list is the fastest, and names the plan with the second largest
 * probability. */
static void write_sure(nnc_buffer *out, nnc_style style, const nnc_search_report *report) {
    enum { STEPS = 20 }; /* number of steps that the page suggests to measure for each of two plans */
    const nnc_search_result *r = report->result;
    const nnc_sure *sure = report->sure;
    char word[NNC_METRIC_TEXT_MAX], time[NNC_NUMBER_TEXT];
    int32_t other = 0;
    for (int32_t i = 1; sure != NULL && i < r->best_count; i++) {
        if (!is_as_fast(&r->best[i], &r->best[0]) && (other == 0 || sure[i].p_best > sure[other].p_best)) { other = i; }
    }
    if (sure == NULL || isnan(sure[0].p_best) || other == 0) { return; }
    nnc_buffer_byte(out, '\n');
    if (sure[0].p_best > 0.95) {
        nnc_buffer_print(out, "the first plan is the fastest of the list with a probability of %.0f %%\n",
                         100.0 * sure[0].p_best);
        return;
    }
    nnc_sheet_line(out, style,
                   "the first plan is the fastest of the list with a probability of %.0f %%; the most likely other "
                   "plan is %s; to decide, measure %d steps of each plan, %s in total",
                   100.0 * sure[0].p_best, nnc_plan_word(&r->best[other].plan, word), STEPS,
                   nnc_unit_text(STEPS * (r->best[0].step_s + r->best[other].step_s), "s", time));
}

/* The texts of plans contain the word "ends" if embedding and head count as one layer each. If the text of at least one
 * of the best plans contains the word "ends", writes a line that explains the word. */
static void write_ends(nnc_buffer *out, nnc_style style, const nnc_search_result *r) {
    bool any = false;
    for (int32_t i = 0; i < r->best_count; i++) { any |= r->best[i].plan.ends_as_layers; }
    if (!any) { return; }
    nnc_buffer_byte(out, '\n');
    nnc_sheet_line(out, style,
                   "ends: embedding and head count as one layer each when stages are balanced (--ends-as-layers)");
}

static void write_result(nnc_buffer *out, nnc_style style, const nnc_search_report *report) {
    const nnc_search_result *r = report->result;
    if (r->any_missed) {
        write_missed(out, style, &r->missed, report->currency);
        return;
    }
    if (r->best_count == 0) {
        const nnc_plan *base = &report->search->base;
        nnc_buffer_text(out, "no plan fits\n");
        if (report->total.legal > 0) {
            nnc_sheet_line(out, style,
                           "A plan fits here if the upper end of its range of memory fits; 'nncost advise' also shows "
                           "changes after which a plan is tight.");
        }
        if (report->total.legal == 0 && base->devices > 0 && base->global_batch % base->devices != 0) {
            nnc_buffer_print(out, "no plan is legal; try --global-batch %" PRId64 ", a multiple of the devices\n",
                             (base->global_batch / base->devices + 1) * base->devices);
        }
        return;
    }
    if (!software_differs(r->best, r->best_count)) { nnc_buffer_print(out, "software %s\n\n", r->best[0].software); }
    nnc_found_write(out, style, r->best, r->best_count, report->currency, false);
    write_ends(out, style, r);
    write_why(out, style, r);
    write_sure(out, style, report);
    if (r->best[0].command != NULL) { nnc_buffer_print(out, "\n    %s\n", r->best[0].command); }
    nnc_buffer_print(out, "\n%s\n\n",
                     r->pareto_truncated ? "fastest plans of the Pareto front: no other plan is faster with less memory"
                                         : "Pareto front: no other plan is faster with less memory");
    nnc_found_write(out, style, r->pareto, r->pareto_count < 12 ? r->pareto_count : 12, report->currency, false);
}

static void write_head(nnc_buffer *out, nnc_style style, const nnc_search_report *report) {
    const nnc_search_total *t = &report->total;
    const char *chosen = report->batch_chosen != NULL ? report->batch_chosen : "";
    const char *with = report->overrides != NULL ? " with " : "";
    const char *overrides = report->overrides != NULL ? report->overrides : "";
    if (report->sizes != NULL) {
        nnc_buffer_print(out, "%s%s%s on %" PRId32 " sizes of %s, global batch %" PRId64 "%s\n", report->model->id,
                         with, overrides, report->size_count, report->device->id, report->search->base.global_batch,
                         chosen);
    } else {
        nnc_buffer_print(out, "%s%s%s on %" PRId32 " x %s, global batch %" PRId64 "%s\n", report->model->id, with,
                         overrides, report->search->base.devices, report->device->id, report->search->base.global_batch,
                         chosen);
    }
    char shard[64] = "";
    if (report->search->shards > 0) {
        snprintf(shard, sizeof shard, "shard %" PRId32 "/%" PRId32 ": ", report->search->shard, report->search->shards);
    }
    nnc_sheet_line(out, style,
                   "%s%" PRIu64 " combinations: %" PRIu64 " legal, %" PRIu64 " fit; %" PRIu64 " evaluated%s", shard,
                   t->space, t->legal, t->feasible, t->evaluated,
                   t->evaluated < t->feasible ? "; no other plan can be among the best" : "");
    if (t->covered < t->space) {
        nnc_buffer_print(out, "interrupted: only %" PRIu64 " combinations were covered\n", t->covered);
    }
    nnc_buffer_byte(out, '\n');
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record) {
    const nnc_search_report *report = record;
    write_head(out, style, report);
    if (!report->device->efficiency.fitted) {
        nnc_sheet_line(out, style,
                       "no fitted efficiencies for this device: roofline times; real times are longer, and the order "
                       "of plans may differ");
        nnc_buffer_byte(out, '\n');
    } else if (report->device->efficiency.basis == NNC_BASIS_DEFAULT) {
        nnc_buffer_text(out, "not measured on this device: its efficiencies are those of similar devices\n\n");
    }
    if (report->sizes != NULL) {
        write_sizes(out, style, report);
    } else if (report->why.status != NNC_OK) {
        nnc_buffer_print(out, "no legal plan, %s: %s\n", report->why.where, report->why.what);
    } else {
        write_result(out, style, report);
        if (report->target_step_s > 0.0) { write_targets(out, report); }
    }
}

static nnc_lines lines_of(const void *record) {
    const nnc_search_report *report = record;
    return report->sizes != NULL
               ? (nnc_lines){ &nnc_size_best_metrics, report, report->sizes, report->size_count }
               : (nnc_lines){ &nnc_found_metrics, report, report->result->best, report->result->best_count };
}

const nnc_view nnc_search_output = {
    .schema = NNC_SEARCH_SCHEMA, .document = &nnc_search_document, .lines = lines_of, .page = write_page
};

void nnc_report_search(nnc_buffer *out, nnc_style style, const nnc_search_report *report) {
    nnc_view view = nnc_search_output;
    view.exact = report->digest != NULL;
    nnc_view_write(out, style, &view, report);
}

/* Limits of the batch that nncost chooses. TOKENS_MAX: largest number of tokens in a batch; batches of language-model
 * pre-training usually have about 4 million tokens. ADAPTED_MOST: largest number of sequences in a batch that trains
 * adapters; QLoRA (arXiv:2305.14314, table 9) uses batches of 16 sequences for models of 7B and 13B parameters, and of
 * 64 sequences for 33B and 65B. */
enum { TOKENS_MAX = 5000000, ADAPTED_MOST = 64 };

/* Reads the batch and the sequence length from the options of the command line; 0 = no option gives this value. */
static nnc_status read_given(const nnc_scenario_args *given, nnc_plan *plan, nnc_error *err) {
    for (int i = 0; i < given->setting_count; i++) {
        const nnc_setting *setting = &given->settings[i];
        if (strcmp(setting->field->name, "global_batch") == 0 || strcmp(setting->field->name, "seq_len") == 0) {
            NNC_TRY(nnc_setting_apply(setting, &nnc_plan_table, plan, err));
        }
    }
    return NNC_OK;
}

/* Returns the value of an option as a whole number; `none` if the option is not given, 0 if the value is a list. */
static int64_t whole_setting(const nnc_scenario_args *given, const char *name, int64_t none) {
    const char *value = nnc_scenario_setting(given, name);
    double number = 0.0;
    return value == NULL ? none : nnc_read_double(value, &number) ? (int64_t)number : 0;
}

/* Returns the largest number in the value of --devices, a list such as 1,8 or 8..512*2; 1 if --devices is not given. */
static int64_t most_devices(const nnc_scenario_args *given) {
    int64_t most = 1;
    const char *at = nnc_scenario_setting(given, "devices");
    while (at != NULL && *at != '\0') {
        const int64_t count = strtoll(at, NULL, 10);
        most = count > most ? count : most;
        at += strcspn(at, ",.");
        at += strspn(at, ",.");
    }
    return most;
}

/* Returns the global batch that follows from other options of the command line: micro_batch x micro_batches x data. If
 * --data is not given, `data` is devices / (tensor x pipeline x context). 0 = the options do not determine the global
 * batch. */
static int64_t fixed_batch(const nnc_scenario_args *given) {
    const int64_t split =
        whole_setting(given, "tensor", 1) * whole_setting(given, "pipeline", 1) * whole_setting(given, "context", 1);
    const int64_t devices = whole_setting(given, "devices", 0);
    const int64_t data = whole_setting(given, "data", split > 0 ? devices / split : 0);
    return whole_setting(given, "micro_batch", 0) * whole_setting(given, "micro_batches", 0) * data;
}

static nnc_status keep_batch(nnc_session *session, int64_t batch, nnc_error *err) {
    nnc_scenario_args *given = &session->options.given;
    char number[24];
    snprintf(number, sizeof number, "%" PRId64, batch);
    const char *value = nnc_arena_strdup(nnc_specs_arena(session->specs), number);
    NNC_GOT(value, err);
    given->settings[given->setting_count++] = (nnc_setting){ nnc_field_of_key(&nnc_plan_table, "global_batch"), value };
    return NNC_OK;
}

nnc_status nnc_batch_choose(nnc_session *session, const char *model_asked, int64_t *global_batch, const char **chosen,
                            nnc_error *err) {
    nnc_scenario_args *given = &session->options.given;
    nnc_plan plan = nnc_plan_default();
    const nnc_plans *plans = NULL;
    const nnc_model *model = NULL;
    *chosen = "";
    plan.seq_len = 0;
    NNC_TRY(read_given(given, &plan, err));
    *global_batch = plan.global_batch;
    if (*global_batch == 0) { *global_batch = fixed_batch(given); }
    NNC_TRY(nnc_plans_open(session->specs, nnc_specs_arena(session->specs), model_asked, &plans, err));
    if (plan.global_batch > 0 || plans != NULL) { return NNC_OK; }
    if (*global_batch > 0) { return keep_batch(session, *global_batch, err); }
    NNC_TRY(nnc_model_load(session->specs, model_asked, &model, err));
    if (model->captured != NULL && given->setting_count < NNC_SETTINGS_MAX) {
        int64_t least = 0;
        nnc_captured_batches(model->captured, &least, global_batch);
        *global_batch *= most_devices(given);
        *chosen = " (chosen: the recorded samples on each device)";
        return keep_batch(session, *global_batch, err);
    }
    const int64_t seq_len = plan.seq_len > 0 ? plan.seq_len : nnc_model_sizes_of(model).seq_len;
    if (seq_len == 0 || given->setting_count == NNC_SETTINGS_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, "--global-batch", "missing, expected one batch for all plans");
    }
    *global_batch = most_devices(given);
    if (whole_setting(given, "adapter_rank", 0) > 0) {
        while (*global_batch * 2 <= ADAPTED_MOST) { *global_batch *= 2; }
        *chosen = *global_batch <= ADAPTED_MOST ? " (chosen: usual with adapters)" : " (chosen: one sequence a device)";
        return keep_batch(session, *global_batch, err);
    }
    while (*global_batch % 2 == 0) { *global_batch /= 2; }
    /* The chosen batch is the largest odd factor of the number of devices, multiplied by a power of two, so that the
     * devices can divide the batch. */
    *chosen = *global_batch * seq_len <= TOKENS_MAX ? " (chosen: about 4 million tokens)"
                                                    : " (chosen: can be divided over the devices)";
    while (*global_batch * 2 * seq_len <= TOKENS_MAX) { *global_batch *= 2; }
    return keep_batch(session, *global_batch, err);
}

/* Estimates a plan that a search found, because the search does not store the times of the plan's step by part, the
 * bound and the energy. The result is allocated in the arena of the specs; its op table is valid until the next use of
 * the scratch. */
static nnc_status estimate_found(const nnc_session *session, const nnc_search_report *report, const nnc_found *found,
                                 nnc_scratch *scratch, const nnc_result **result, nnc_error *err) {
    nnc_profiles profiles;
    nnc_result *made = nnc_arena_alloc(nnc_specs_arena(session->specs), sizeof *made);
    NNC_GOT(made, err);
    *result = made;
    NNC_TRY(nnc_profiles_asked(session->specs, session->options.given.software, &profiles, err));
    return nnc_estimate(report->model, report->device,
                        nnc_profile_of(&profiles, report->model, report->device, &found->plan), &found->plan, scratch,
                        made, err);
}

/* ---- filling an nnc_best: the best plan on one device, or on one number of devices ---- */

nnc_status nnc_best_fill(const nnc_session *session, const nnc_search_report *report, const nnc_found *found,
                         nnc_scratch *scratch, nnc_best *best, nnc_error *err) {
    const double none = (double)NAN;
    *best =
        (nnc_best){ .currency = report->currency,
                    .cost = none,
                    .found = { .step_s = none, .mfu = none, .run_s = none, .device_hours = none, .energy_j = none } };
    if (found == NULL) { return NNC_OK; }
    best->found = *found;
    best->software = found->software;
    best->cost = isnan(found->run_s) ? found->cost_step : found->cost_run;
    return estimate_found(session, report, found, scratch, &best->result, err);
}

/* Getters for rows whose first member is an nnc_best. The getters return null if the search found no plan. */
#define BEST_GET(function, ...)                                                 \
    nnc_cell function(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) { \
        const nnc_best *best = place->record;                                   \
        (void)text;                                                             \
        return best->result != NULL ? (__VA_ARGS__) : nnc_text_cell(NULL);      \
    }
BEST_GET(nnc_best_devices, nnc_whole_cell(best->found.plan.devices))
BEST_GET(nnc_best_memory, nnc_whole_cell(best->found.memory_bytes))
BEST_GET(nnc_best_plan, nnc_text_cell(nnc_plan_word(&best->found.plan, text)))

nnc_cell nnc_best_cost(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    const nnc_best *best = place->record;
    char amount[NNC_NUMBER_TEXT];
    if (isnan(best->cost)) { return nnc_text_cell(NULL); }
    snprintf(text, NNC_METRIC_TEXT_MAX, "%s %s", nnc_count_text(best->cost, amount), best->currency);
    return nnc_text_cell(text);
}

void nnc_best_command(nnc_buffer *out, const nnc_best *best) {
    if (best->found.command != NULL) { nnc_buffer_print(out, "    %s\n", best->found.command); }
}

/* ---- probability that the first plan of the result is the fastest ---- */

/* The errors of the predicted step times of two plans of one search are correlated, because the predictions share the
 * error of the model, the device and the profile. The constant common_share is the correlated share of the variance of
 * the error. The correlated share was chosen on pairs of published steps that differ only in the plan: tests/sure.py
 * prints how often a plan is faster in the measurements if its predicted probability of being faster is 80 %. */
static const double common_share = 0.7;

/* Half width of the interval around the mean that contains 90 % of a normal distribution, in standard deviations. */
static const double within_90 = 1.6449;

/* Returns the probability that a normally distributed variable exceeds its mean by more than x standard deviations. */
static double above(double x) { return 0.5 * erfc(x / sqrt(2.0)); }

/* A plan of the result: the logarithm of its predicted step time, and the standard deviation of the part of the error
 * that is independent of other plans. */
typedef struct candidate {
    double log_s, deviation;
    bool repeats; /* true: the previous plan of the result has the same predicted step time */
} candidate;

/* Returns the probability that plan i is the fastest of the list: for each error of plan i, the probability that all
 * other plans are slower; this probability is integrated over the error of plan i. */
static double probability_best(const candidate *list, int32_t count, int32_t i) {
    enum { POINTS = 201 };
    const double reach = 5.0, width = 2.0 * reach / (POINTS - 1);
    double sum = 0.0, weights = 0.0;
    for (int k = 0; k < POINTS; k++) {
        const double x = -reach + width * k;
        const double at = list[i].log_s + list[i].deviation * x, weight = exp(-0.5 * x * x);
        double slower = weight;
        for (int32_t j = 0; j < count; j++) {
            if (j != i && !list[j].repeats) { slower *= above((at - list[j].log_s) / list[j].deviation); }
        }
        sum += slower;
        weights += weight;
    }
    return sum / weights;
}

static nnc_status find_sure(const nnc_session *session, nnc_search_report *report, nnc_scratch *scratch,
                            nnc_error *err) {
    const nnc_search_result *r = report->result;
    const int64_t asked = report->search->mem_bytes;
    candidate list[NNC_SEARCH_BEST_MAX] = { 0 };
    nnc_sure *sure = nnc_arena_array(nnc_specs_arena(session->specs), NNC_SEARCH_BEST_MAX, sizeof *sure);
    if (sure == NULL) { return nnc_no_memory(err); }
    for (int32_t i = 0; i < r->best_count; i++) {
        const nnc_result *one = NULL;
        NNC_TRY(estimate_found(session, report, &r->best[i], scratch, &one, err));
        NNC_GOT(one, err);
        list[i].log_s = log(one->step_s);
        list[i].deviation = log(one->interval_s[1] / one->step_s) / within_90 * sqrt(1.0 - common_share);
        list[i].repeats = i > 0 && is_as_fast(&r->best[i], &r->best[i - 1]);
        sure[i].found = &r->best[i];
        sure[i].p_out_of_memory =
            nnc_memory_risk(&one->memory, asked > 0 ? asked : nnc_device_capacity(report->device));
    }
    for (int32_t i = 0; i < r->best_count; i++) {
        sure[i].p_best = list[i].repeats ? sure[i - 1].p_best : probability_best(list, r->best_count, i);
    }
    report->sure = sure;
    report->sure_count = r->best_count;
    return NNC_OK;
}

/* Writes the launch file of --emit for the best plan; if the search covers several numbers of devices, the launch file
 * is for the fastest of the best plans. */
static nnc_status emit_best(nnc_session *session, const nnc_search_report *report, nnc_error *err) {
    char **operands = session->options.operands;
    const nnc_found *best =
        report->sizes != NULL ? &report->sizes[report->fastest].best : nnc_search_result_best(report->result, 0);
    nnc_launch_plan plan = { .software = best->software,
                             .model_asked = operands[1] != NULL ? operands[0] : report->model->path,
                             .device = operands[1] != NULL ? operands[1] : report->device->path,
                             .model = report->model,
                             .on = report->device,
                             .plan = &best->plan };
    return nnc_emit_plan(session, &plan, NULL, err);
}

/* Writes the result of a search. batch_chosen: text from nnc_batch_choose that says how the batch was chosen. */
static nnc_status write_found(nnc_session *session, void *batch_chosen, const nnc_search_report *report,
                              nnc_error *err) {
    nnc_search_report found = *report;
    nnc_scratch *scratch = nnc_scratch_create();
    nnc_status status = scratch != NULL ? NNC_OK : nnc_no_memory(err);
    found.batch_chosen = *(const char *const *)batch_chosen;
    if (status == NNC_OK && found.sizes == NULL && found.digest == NULL &&
        found.search->objective == NNC_OBJECTIVE_TIME) {
        status = find_sure(session, &found, scratch, err);
    }
    if (status == NNC_OK && session->options.emit != NULL && nnc_search_answered(report)) {
        status = emit_best(session, report, err);
    }
    if (status == NNC_OK && (!nnc_emit_instead(session) || !nnc_search_answered(report))) {
        nnc_report_search(session->out, session->style, &found);
    }
    nnc_scratch_destroy(scratch);
    return status;
}

/* Runs `nncost search`. If the options give no global batch, the command chooses a batch, and the page says how. If the
 * operands name several devices, the command ranks the devices instead. */
static nnc_status run(nnc_session *session, nnc_error *err) {
    char **operands = session->options.operands;
    int64_t batch = 0;
    const char *chosen = "";
    if (nnc_device_ranking_asked(&session->options)) {
        return session->options.emit != NULL ? nnc_fail(err, NNC_BAD_USAGE, "--emit",
                                                        "writes the plan for one device, expected one DEVICE, "
                                                        "found several")
                                             : nnc_device_ranking_run(session, err);
    }
    NNC_TRY(nnc_emit_begin(session, true, err));
    if (session->options.search.plans != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--plans",
                        "writes the plans for several devices, expected a list of devices, found one device");
    }
    NNC_TRY(nnc_batch_choose(session, operands[0], &batch, &chosen, err));
    return nnc_search_args_run(session, operands[0], operands[1], write_found, &chosen, err);
}

const nnc_command nnc_cmd_search = {
    .name = "search",
    .operands = "MODEL DEVICE[,DEVICE...] | PLANS.json [DEVICE]",
    .summary = "The best legal plans for N devices, and the Pareto front of time and memory.",
    .notes =
        "The command needs --devices, or a plan file with a number of devices. Without --global-batch, the command "
        "chooses and prints a batch of about 4 million tokens, or of 64 sequences if adapters are trained. The "
        "search tries every value of the settings that no option gives: tensor, pipeline, context, expert, virtual "
        "stages, micro-batch, ZeRO stage, sequence parallelism, recompute, schedule, offload. An option with a list "
        "restricts the setting to the values of the list: --tensor 4,8 --recompute none,norm+activation. In "
        "--recompute, '+' joins the parts that form one value. All other options have one value for every plan. "
        "Each result equals the result of 'estimate' for the same plan. --devices may be a list of numbers, such as "
        "64,128 or 8..4096 (doubling). With such a list, the command prints the best plan for each number of "
        "devices, and the numbers of devices with the fastest and the cheapest plan. If DEVICE is a list, the "
        "devices are compared, each with its cheapest number of devices within --deadline and --budget, or, with "
        "--objective time, with its fastest number; --plans FILE writes a scenario for each device. --shard I/N "
        "searches one of N equal parts of the plans, and needs --format json; 'nncost merge' joins the outputs of "
        "all parts. Ctrl-C stops the search and prints the best plans so far. The command exits with 1 if no plan "
        "fits, and with 128 + the number of the signal if a signal stops the search.",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_LAUNCH | NNC_TAKES_PLAN | NNC_TAKES_RUN | NNC_TAKES_SCENARIO |
             NNC_TAKES_SEARCH | NNC_TAKES_TARGET | NNC_TAKES_EMIT,
    .ranks = true,
    .run = run,
    .serving = &nnc_cmd_serve_search,
};
