/* nncost advise: the changes of a plan that help most, each tried, the fastest first. */
#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "cli/views_internal.h"

enum { SHOWN = 5 };

typedef struct line {
    nnc_plan_change change;
    char sentence[512];
} line;

typedef struct answer {
    nnc_report report;
    int32_t count, tries;
    line *lines; /* places below */
    line places[SHOWN + NNC_ADVICE_MAX + 1];
} answer;

/* ---- one change ---- */

const char *nnc_plan_change_sentence(const nnc_plan_change *change, const nnc_result *base,
                                     const char *currency, char *text, size_t size)
{
    char step[NNC_NUMBER_TEXT], total[NNC_NUMBER_TEXT], cost[NNC_NUMBER_TEXT];
    const double percent = 100.0 * (change->gain - 1.0);
    nnc_unit_text(change->step_s, "s", step);
    nnc_unit_text((double)change->total_bytes, "B", total);
    size_t used = (size_t)snprintf(text, size, "%s: a step takes %s, %.1f%% %s", change->options,
                                   step, fabs(percent), percent < 0.0 ? "slower" : "faster");
    if (change->global_batch != base->plan.global_batch && used < size) {
        used += (size_t)snprintf(text + used, size - used, " per sample (batch %" PRId64 ")",
                                 change->global_batch);
    }
    if (used < size) {
        used += (size_t)snprintf(text + used, size - used, ", %s", total);
    }
    if (currency != NULL && !isnan(change->cost_step) && used < size) {
        used += (size_t)snprintf(text + used, size - used, ", %s %s a step",
                                 nnc_count_text(change->cost_step, cost), currency);
    }
    if (used < size) {
        used += (size_t)snprintf(text + used, size - used, "; it %s%s",
                                 change->verdict == NNC_FITS ? "fits" : "is tight",
                                 change->adapters ? " and trains only adapters" : "");
    }
    if (used < size) {
        snprintf(text + used, size - used, ".");
    }
    return text;
}

#define CHANGE(member) NNC_IN(line, change.member)
static const nnc_metric table_rows[] = {
    NNC_AS("options", CHARS, CHANGE(options), .head = "with",
           .help = "Options to append to the command."),
    NNC_AS("step_s", NUMBER, CHANGE(step_s), .head = "step", .unit = "s",
           .help = "One step with them."),
    NNC_AS("gain", NUMBER, CHANGE(gain), .head = "speed", .show = NNC_SHOW_PERCENT,
           .help = "Samples per second with them over those of the plan."),
    NNC_AS("total_bytes", WHOLE, CHANGE(total_bytes), .head = "memory", .unit = "B",
           .help = "Memory of the fullest device."),
    NNC_AS("cost_usd", NUMBER, CHANGE(cost_step), .head = "cost", .show = NNC_SHOW_COUNT,
           .help = "One step on all devices, in the currency of the device's prices."),
    NNC_AS("global_batch", WHOLE, CHANGE(global_batch), .head = "batch",
           .help = "Sequences or images per step."),
};
static const nnc_metrics table_metrics = NNC_METRICS("a change in the table", table_rows, line);

static const nnc_metric change_rows[] = {
    NNC_ROWS(&table_metrics),
    NNC_AS("samples_per_s", NUMBER, CHANGE(samples_per_s), .show = NNC_SHOW_COUNT,
           .help = "Samples trained on per second."),
    NNC_AS("adapters", BOOL, CHANGE(adapters),
           .help = "Only adapters are trained (LoRA), not all weights."),
    NNC_CHARS(line, sentence, .help = "The change in one line."),
};
static const nnc_metrics change_metrics = NNC_METRICS("a change of a plan", change_rows, line);

static nnc_cell get_verdict(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const answer *a = place->record;
    return nnc_text_cell(nnc_report_sentence(&a->report, text));
}

static const nnc_metric advise_rows[] = {
    NNC_AS("sentence", TEXT, .get = get_verdict, .help = "The verdict on the plan, in one line."),
    NNC_AS("step_s", NUMBER, NNC_VIA(answer, report.result), NNC_IN(nnc_result, step_s),
           .unit = "s", .help = "One step of the plan."),
    NNC_AS("total_bytes", WHOLE, NNC_VIA(answer, report.result),
           NNC_IN(nnc_result, memory.total_bytes), .unit = "B", .help = "Its memory."),
    NNC_AS("cost_usd", NUMBER, NNC_VIA(answer, report.result), NNC_IN(nnc_result, cost_step),
           .show = NNC_SHOW_COUNT, .help = "Cost of one of its steps."),
    NNC_WHOLE(answer, tries, .help = "Plans that were tried."),
    NNC_AS("changes", LIST, NNC_IN(answer, lines), NNC_COUNT(answer, count),
           .rows = &change_metrics,
           .help = "Changes that make the plan fit, faster or smaller, the fastest first."),
};
static const nnc_metrics advise_metrics = NNC_METRICS("advice on a plan", advise_rows, answer);

/* ---- the answer ---- */

static void add(answer *a, const nnc_plan_change *change)
{
    int32_t place = a->count++;
    for (; place > 0 && change->samples_per_s > a->lines[place - 1].change.samples_per_s; place--) {
        a->lines[place] = a->lines[place - 1];
    }
    a->lines[place].change = *change;
}

static bool has(const answer *a, const char *options)
{
    int32_t i = 0;
    while (i < a->count && strcmp(a->lines[i].change.options, options) != 0) {
        i++;
    }
    return i < a->count;
}

/* The changes that fit a plan that does not: their batch is that of the plan. */
static void add_advice(answer *a, const nnc_advice *advice)
{
    const nnc_result *r = a->report.result;
    nnc_plan_change change = { .step_s = advice->step_s,
                               .samples_per_s = (double)r->plan.global_batch / advice->step_s,
                               .gain = r->step_s / advice->step_s,
                               .cost_step = r->cost_step * advice->step_s / r->step_s,
                               .total_bytes = advice->total_bytes,
                               .global_batch = r->plan.global_batch,
                               .verdict = NNC_FITS };
    snprintf(change.options, sizeof change.options, "%s", advice->text);
    if (!has(a, change.options)) {
        add(a, &change);
    }
}

static void fill(answer *a, const nnc_plan_changes *found)
{
    for (int32_t i = 0; i < found->count && a->count < SHOWN; i++) {
        add(a, &found->list[i]);
    }
    if (found->together.options[0] != '\0' && !has(a, found->together.options)) {
        add(a, &found->together);
    }
    for (int32_t i = 0; i < a->report.advice_count; i++) {
        add_advice(a, &a->report.advice[i]);
    }
    for (int32_t i = 0; i < a->count; i++) {
        nnc_plan_change_sentence(&a->lines[i].change, a->report.result,
                                 nnc_report_currency(&a->report), a->lines[i].sentence,
                                 sizeof a->lines[i].sentence);
    }
    a->tries = found->tries;
}

/* ---- the output ---- */

static nnc_lines lines_of(const void *record)
{
    const answer *a = record;
    return (nnc_lines){ &change_metrics, NULL, a->lines, a->count };
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record)
{
    const answer *a = record;
    char text[NNC_METRIC_TEXT_MAX];
    nnc_sheet_line(out, style, "%s", nnc_report_sentence(&a->report, text));
    nnc_buffer_byte(out, '\n');
    if (a->count == 0) {
        nnc_sheet_line(out, style, "No other plan of %" PRId32 " tried fits, is faster or smaller.",
                       a->tries);
        return;
    }
    const nnc_lines lines = { &table_metrics, NULL, a->lines, a->count };
    nnc_table_of(out, style, lines);
    nnc_buffer_byte(out, '\n');
    nnc_sheet_line(out, style,
                   "The best of %" PRId32 " plans that were tried. Speed counts samples per "
                   "second; --lora trains only adapters.",
                   a->tries);
}

const nnc_view nnc_advise_view = {
    .schema = "nncost.advise/1", .document = &advise_metrics, .lines = lines_of, .page = write_page
};

static nnc_status write_answer(nnc_session *session, void *context, nnc_scenario *scenario,
                               nnc_scratch *scratch, nnc_error *err)
{
    nnc_plan_changes found;
    answer a = { .report = scenario->report };
    (void)context;
    a.lines = a.places;
    NNC_TRY(nnc_scenario_changes(scenario, false, scratch, &found, err));
    fill(&a, &found);
    session->exit_code = scenario->result.verdict != NNC_OVER_MEMORY || a.count > 0 ? 0 : 1;
    nnc_view_write(session->out, session->style, &nnc_advise_view, &a);
    return NNC_OK;
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    char **operands = session->options.operands;
    return nnc_scenario_report(session, operands[0], operands[1], write_answer, NULL, err);
}

const nnc_command nnc_cmd_advise = {
    .name = "advise",
    .operands = "[FILE...] MODEL DEVICE | PLANS.json [DEVICE]",
    .summary = "The changes of a plan that help most, each tried: time, memory and cost with them.",
    .notes = "Tries precision, torch.compile, micro-batch, activation checkpointing, ZeRO, the "
             "split over devices, optimizer, padding of the vocabulary, LoRA and QLoRA, one at a "
             "time and then the best of them together, on the same devices. 'nncost search' tries "
             "all plans. Exits with 1 when the plan does not fit and no change makes it fit.",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_SCENARIO | NNC_TAKES_LAUNCH,
    .run = run,
};
