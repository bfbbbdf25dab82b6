#include "cli/search/search_view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/number.h"
#include "cli/search/search_found.h"
#include "render/sheet.h"
#include "render/text.h"
#include "shape/family.h"

/* ", bubble 1.2 ms less", when it is more than rounding. */
enum { DIFFERENCE = 80 };
static const char *difference(const char *what, double less_s, double step_s, char text[DIFFERENCE])
{
    char number[NNC_NUMBER_TEXT];
    text[0] = '\0';
    if (fabs(less_s) > 1e-6 * step_s) {
        snprintf(text, DIFFERENCE, ", %s %s %s", what, nnc_unit_text(fabs(less_s), "s", number),
                 less_s > 0.0 ? "less" : "more");
    }
    return text;
}

/* What sets the best plan apart from the next one: where the time went. */
static void write_why(nnc_buffer *out, nnc_style style, const nnc_search_result *r)
{
    const nnc_found *a = &r->best[0], *b = &r->best[1];
    char faster[NNC_NUMBER_TEXT];
    const double bubble_s = b->bubble_share * b->step_s - a->bubble_share * a->step_s;
    const double exposed_s = b->exposed_comm_s - a->exposed_comm_s;
    const double faster_s = b->step_s - a->step_s;
    if (r->best_count < 2 || !(fabs(faster_s) > 1e-6 * a->step_s)) {
        return;
    }
    char bubble[DIFFERENCE], exposed[DIFFERENCE], compute[DIFFERENCE];
    nnc_buffer_byte(out, '\n');
    nnc_sheet_line(out, style, "the first is %s %s than the second%s%s%s",
                   nnc_unit_text(fabs(faster_s), "s", faster), faster_s > 0.0 ? "faster" : "slower",
                   difference("bubble", bubble_s, a->step_s, bubble),
                   difference("exposed communication", exposed_s, a->step_s, exposed),
                   difference("compute", faster_s - bubble_s - exposed_s, a->step_s, compute));
}

/* A step, and what a run of such steps comes to. */
static void write_missed(nnc_buffer *out, nnc_style style, const nnc_found *missed,
                         const char *currency)
{
    char step[NNC_NUMBER_TEXT], run[NNC_NUMBER_TEXT], cost[NNC_SPENT_TEXT];
    nnc_sheet_line(
        out, style,
        "no plan that fits keeps to the deadline and the budget; the fastest takes %s a step, "
        "%s for the run, %s",
        nnc_unit_text(missed->step_s, "s", step), nnc_unit_text(missed->run_s, "s", run),
        nnc_spent_text(missed, currency, cost));
}

static void write_target(nnc_buffer *out, const nnc_search_report *report, const nnc_target *t)
{
    char name[NNC_LEVER_TEXT], now[NNC_NUMBER_TEXT], then[NNC_NUMBER_TEXT];
    const char *unit = nnc_lever_unit(t->figure);
    const bool memory = t->figure == NNC_LEVER_MEM_BYTES;
    const nnc_dtype precision =
        report->result->best_count > 0 ? report->result->best[0].plan.precision : NNC_BF16;
    nnc_buffer_print(out, "  %-24s %s", nnc_lever_name(t->figure, precision, name),
                     nnc_unit_text(t->value, unit, now));
    if (isnan(t->needed)) {
        nnc_buffer_print(out, ": alone not enough, even %s leaves %s%s\n",
                         memory                          ? "infinite capacity"
                         : t->figure == NNC_LEVER_MATMUL ? "an infinite peak"
                                                         : "infinite bandwidth",
                         nnc_unit_text(t->step_s, "s", then),
                         memory ? " with the fastest plan of all" : "");
    } else {
        nnc_buffer_print(out, " -> %s, %.4g x%s\n", nnc_unit_text(t->needed, unit, then),
                         t->needed / t->value, memory ? ", with another plan" : "");
    }
}

static void write_targets(nnc_buffer *out, const nnc_search_report *report)
{
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
                         "\nfrom %s to a step of %s, the smallest value of one figure alone\n\n",
                         nnc_unit_text(r->best[0].step_s, "s", now), goal);
    } else {
        nnc_buffer_print(out, "\nfor a step of %s\n\n", goal);
    }
    for (int i = 0; i < report->target_count; i++) {
        write_target(out, report, &report->targets[i]);
    }
}

static void write_result(nnc_buffer *out, nnc_style style, const nnc_search_report *report)
{
    const nnc_search_result *r = report->result;
    if (r->any_missed) {
        write_missed(out, style, &r->missed, report->currency);
        return;
    }
    if (r->best_count == 0) {
        nnc_buffer_text(out, "no plan fits\n");
        return;
    }
    if (!nnc_found_differ(r->best, r->best_count)) {
        nnc_buffer_print(out, "software %s\n\n", r->best[0].software);
    }
    nnc_found_write(out, style, r->best, r->best_count, report->currency, false);
    write_why(out, style, r);
    if (r->best[0].command != NULL) {
        nnc_buffer_print(out, "\n    %s\n", r->best[0].command);
    }
    nnc_buffer_print(out, "\ntime against memory, %s\n\n",
                     r->pareto_truncated ? "the fastest part of the front"
                                         : "no other plan is faster with less");
    nnc_found_write(out, style, r->pareto, r->pareto_count < 12 ? r->pareto_count : 12,
                    report->currency, false);
}

static void write_head(nnc_buffer *out, nnc_style style, const nnc_search_report *report)
{
    const nnc_search_total *t = &report->total;
    const char *chosen = report->batch_chosen ? " (chosen: about 4 million tokens)" : "";
    if (report->sizes != NULL) {
        nnc_buffer_print(out, "%s on %" PRId32 " sizes of %s, global batch %" PRId64 "%s\n",
                         report->model->id, report->size_count, report->device->id,
                         report->search->base.global_batch, chosen);
    } else {
        nnc_buffer_print(out, "%s on %" PRId32 " x %s, global batch %" PRId64 "%s\n",
                         report->model->id, report->search->base.devices, report->device->id,
                         report->search->base.global_batch, chosen);
    }
    char shard[64] = "";
    if (report->search->shards > 0) {
        snprintf(shard, sizeof shard, "shard %" PRId32 "/%" PRId32 ": ", report->search->shard,
                 report->search->shards);
    }
    nnc_sheet_line(out, style,
                   "%s%" PRIu64 " combinations: %" PRIu64 " legal, %" PRIu64 " fit; %" PRIu64
                   " evaluated%s",
                   shard, t->space, t->legal, t->feasible, t->evaluated,
                   t->evaluated < t->feasible ? ", no other can be among the best" : "");
    if (t->covered < t->space) {
        nnc_buffer_print(out, "interrupted: only %" PRIu64 " combinations were looked at\n",
                         t->covered);
    }
    nnc_buffer_byte(out, '\n');
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record)
{
    const nnc_search_report *report = record;
    write_head(out, style, report);
    if (!report->device->efficiency.fitted) {
        nnc_sheet_line(out, style,
                       "no fitted efficiencies for this device: roofline times, real ones are "
                       "longer and may rank otherwise");
        nnc_buffer_byte(out, '\n');
    } else if (report->device->efficiency.basis == NNC_BASIS_DEFAULT) {
        nnc_buffer_text(out, "not measured on this device: its efficiencies are those of similar "
                             "ones\n\n");
    }
    if (report->sizes != NULL) {
        nnc_sizes_write(out, style, report);
    } else if (report->why.status != NNC_OK) {
        nnc_buffer_print(out, "no legal plan, %s: %s\n", report->why.where, report->why.what);
    } else {
        write_result(out, style, report);
        if (report->target_step_s > 0.0) {
            write_targets(out, report);
        }
    }
}

static nnc_lines lines_of(const void *record)
{
    const nnc_search_report *report = record;
    return report->sizes != NULL
               ? (nnc_lines){ &nnc_size_best_metrics, report, report->sizes, report->size_count }
               : (nnc_lines){ &nnc_found_metrics, report, report->result->best,
                              report->result->best_count };
}

const nnc_view nnc_search_output = { .schema = NNC_SEARCH_SCHEMA,
                                     .document = &nnc_search_document,
                                     .lines = lines_of,
                                     .page = write_page };

void nnc_report_search(nnc_buffer *out, nnc_style style, const nnc_search_report *report)
{
    nnc_view view = nnc_search_output;
    view.exact = report->digest != NULL;
    nnc_view_write(out, style, &view, report);
}
