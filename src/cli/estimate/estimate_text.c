#include "cli/estimate/estimate_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/estimate/memory_text.h"
#include "cli/estimate/sensitivity_view.h"
#include "cli/estimate/stages_view.h"
#include "cli/estimate/step_text.h"
#include "cli/estimate/timeline_view.h"
#include "cli/run/run_view.h"
#include "cost/network.h"
#include "render/sheet.h"
#include "render/subject.h"
#include "render/table.h"
#include "render/text.h"

static void write_step(nnc_sheet *sheet, const nnc_report *report)
{
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    const nnc_result *result = report->result;

    nnc_step_text(sheet, report);
    nnc_sheet_label(sheet, "");
    nnc_sheet_words(sheet, "no software is faster than %s; with nothing overlapped it takes %s",
                    nnc_unit_text(result->lower_bound_s, "s", a),
                    nnc_unit_text(result->upper_bound_s, "s", b));
    nnc_sheet_end(sheet);
    if (result->plan.mode == NNC_MODE_IDEAL) {
        nnc_sheet_label(sheet, "");
        nnc_sheet_words(sheet, "ideal mode: every efficiency 1, no fixed costs, all traffic that "
                               "can be hidden is");
        nnc_sheet_end(sheet);
    } else if (!report->device->efficiency.fitted) {
        nnc_sheet_label(sheet, "");
        nnc_sheet_words(sheet, "no fitted efficiencies for this device: roofline time at the "
                               "datasheet's rates");
        nnc_sheet_end(sheet);
    } else if (report->device->efficiency.basis == NNC_BASIS_DEFAULT) {
        nnc_sheet_label(sheet, "");
        nnc_sheet_words(sheet, "not measured on this device: its efficiencies are those of similar "
                               "ones");
        nnc_sheet_end(sheet);
    }

    if ((result->plan.offload & NNC_OFFLOAD_OPTIMIZER) != 0 &&
        isnan(report->device->host.mem_bytes_per_s)) {
        nnc_sheet_label(sheet, "");
        nnc_sheet_words(sheet,
                        "the device file records no host.mem_bytes_per_s: updates in host "
                        "memory are taken to run at %g of %s",
                        NNC_HOST_UPDATE_SHARE, nnc_unit_text(NNC_HOST_MEM_BYTES_PER_S, "B/s", a));
        nnc_sheet_end(sheet);
    }

    nnc_sheet_label(sheet, "bound by");
    for (int pass = 0; pass < 2; pass++) {
        const nnc_bound bound = pass == 0 ? result->bound : result->next_bound;
        if (pass == 0 || (bound != result->bound && result->bound_s[bound] > 0)) {
            nnc_sheet_item(sheet, pass == 0 ? NNC_INK_STRONG : NNC_INK_PLAIN, "%s %s%s",
                           nnc_bound_name(bound),
                           nnc_percent_text(result->bound_s[bound] / result->step_s, a),
                           pass == 0 ? " of the step" : "");
        }
    }
    if (!isnan(result->step_without_bound_s)) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "without the %s limit it would take %s",
                       nnc_bound_name(result->bound),
                       nnc_unit_text(result->step_without_bound_s, "s", a));
    }
    nnc_sheet_end(sheet);
    const char *advice = nnc_launch_advice(result);
    if (advice != NULL) {
        nnc_sheet_label(sheet, "");
        nnc_sheet_words(sheet, "%s", advice);
        nnc_sheet_end(sheet);
    }
}

typedef struct slice {
    const char *name;
    double seconds;
} slice;

/* Of the step: a host that keeps ahead still adds nanoseconds. */
static const double shown_from = 1e-6;

/* The metrics that the step is the sum of. */
static int step_parts(const nnc_result *result, slice parts[])
{
    const nnc_place place = { .record = result };
    char text[NNC_METRIC_TEXT_MAX];
    int count = 0;
    for (size_t i = 0; i < nnc_step_metrics.count; i++) {
        const nnc_metric *row = &nnc_step_metrics.rows[i];
        const nnc_cell cell = nnc_metric_read(row, &place, 0, text);
        if (nnc_metric_rare(row)->part_of != NULL && cell.kind == NNC_CELL_NUMBER &&
            cell.number > shown_from * result->step_s) {
            parts[count++] = (slice){ row->head, cell.number };
        }
    }
    return count;
}

static int step_groups(const nnc_report *report, slice groups[])
{
    double seconds[NNC_GROUP_COUNT] = { 0 };
    int count = 0;
    for (int32_t i = 0; i < report->op_count; i++) {
        const nnc_op_cost *cost = &report->ops[i];
        seconds[nnc_op_group(cost->op)] += cost->time_s * cost->repeat;
    }
    for (int group = 0; group < NNC_GROUP_COUNT; group++) {
        if (seconds[group] > 0) {
            groups[count++] = (slice){ nnc_group_name((nnc_group)group), seconds[group] };
        }
    }
    const nnc_result *result = report->result; /* what no op takes */
    if (result->host_s > shown_from * result->step_s) {
        groups[count++] = (slice){ "host", result->host_s };
    }
    if (result->bubble_s > shown_from * result->step_s) {
        groups[count++] = (slice){ "bubble", result->bubble_s };
    }
    return count;
}

enum { SLICES_MAX = NNC_GROUP_COUNT + 8 };

static void put_slice(nnc_table *table, const char *indent, const slice *part, double step_s)
{
    char name[NNC_NUMBER_TEXT];
    snprintf(name, sizeof name, "%s%s", indent, part->name);
    nnc_table_cell(table, name);
    nnc_table_number(table, part->seconds, "s");
    nnc_table_share(table, part->seconds / step_s);
}

/* One of the two readings by itself. */
static void write_side(nnc_sheet *sheet, const char *what, const slice *side, int count,
                       double step_s)
{
    const nnc_head heads[] = { { .text = what, .left = true },
                               { .text = "time" },
                               { .text = "share" } };
    nnc_table table;
    nnc_table_begin(&table, heads, sizeof heads / sizeof heads[0]);
    for (int row = 0; row < count; row++) {
        put_slice(&table, "", &side[row], step_s);
    }
    nnc_table_write(&table, sheet->out, sheet->style);
}

/* Parts of the step beside groups of ops: two readings of the same time, where lines are for a terminal. */
static void write_parts(nnc_sheet *sheet, const nnc_report *report)
{
    static const nnc_head heads[] = {
        { .text = "part", .left = true },    { .text = "time" }, { .text = "share" },
        { .text = "  group", .left = true }, { .text = "time" }, { .text = "share" },
    };
    slice sides[2][SLICES_MAX];
    const int counts[2] = { step_parts(report->result, sides[0]), step_groups(report, sides[1]) };
    const double step_s = report->result->step_s;
    if (sheet->style.format == &nnc_format_markdown) {
        write_side(sheet, "part", sides[0], counts[0], step_s);
        nnc_sheet_gap(sheet);
        write_side(sheet, "group", sides[1], counts[1], step_s);
        return;
    }
    nnc_table table;
    nnc_table_begin(&table, heads, sizeof heads / sizeof heads[0]);
    for (int row = 0; row < counts[0] || row < counts[1]; row++) {
        for (int side = 0; side < 2; side++) {
            if (row < counts[side]) {
                put_slice(&table, side == 1 ? "  " : "", &sides[side][row], step_s);
            } else {
                nnc_table_cell(&table, "");
                nnc_table_cell(&table, "");
                nnc_table_cell(&table, "");
            }
        }
    }
    nnc_table_write(&table, sheet->out, sheet->style);
}

/* Communication by kind, and what the pipeline waits. */
static void write_waits(nnc_sheet *sheet, const nnc_result *result)
{
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    bool any = false;
    for (int kind = 0; kind < NNC_COMM_COUNT; kind++) {
        if (result->communication_s[kind] > 0 || result->exposed_s[kind] > 0) {
            if (!any) {
                nnc_sheet_label(sheet, "network");
            }
            any = true;
            nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s %s exposed of %s",
                           nnc_comm_name((nnc_comm)kind),
                           nnc_unit_text(result->exposed_s[kind], "s", a),
                           nnc_unit_text(result->communication_s[kind], "s", b));
        }
    }
    if (any) {
        nnc_sheet_end(sheet);
    }
    if (result->plan.pipeline > 1) {
        nnc_sheet_label(sheet, "bubble");
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s", nnc_unit_text(result->bubble_s, "s", a));
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s of the busy time",
                       nnc_percent_text(result->bubble_ratio, a));
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s of the step",
                       nnc_percent_text(result->bubble_share, a));
        nnc_sheet_end(sheet);
    }
    if (any || result->plan.pipeline > 1) {
        nnc_sheet_gap(sheet);
    }
}

/* A convention that counts what no kernel runs may exceed the peak. */
static void write_above_peak(nnc_sheet *sheet, const nnc_result *result)
{
    char a[NNC_NUMBER_TEXT];
    nnc_sheet_label(sheet, "");
    nnc_sheet_words(sheet,
                    "MFU above 100%%: %s counts more than kernels run, by the pairs under the mask "
                    "it is %s (--flops-convention causal)",
                    nnc_flops_convention_name(result->plan.flops_convention),
                    nnc_percent_text(result->causal_mfu, a));
    nnc_sheet_end(sheet);
}

/* The step of --measured: its MFU, and whether it can be. */
static void write_own(nnc_sheet *sheet, const nnc_report *report)
{
    const nnc_own_step *own = report->own;
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    if (own == NULL) {
        return;
    }
    nnc_sheet_label(sheet, "measured");
    nnc_sheet_item(sheet, NNC_INK_STRONG, "%s", nnc_unit_text(own->step_s, "s", a));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "MFU %s", nnc_percent_text(own->mfu, a));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "the estimate is %s of it",
                   nnc_percent_text(own->predicted_over, a));
    if (!own->possible) {
        nnc_sheet_item(sheet, NNC_INK_STRONG,
                       "impossible: less than the lower bound of %s, so it is not this step on "
                       "this device",
                       nnc_unit_text(report->result->lower_bound_s, "s", b));
    }
    nnc_sheet_end(sheet);
}

static void write_rates(nnc_sheet *sheet, const nnc_result *result)
{
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];

    nnc_sheet_label(sheet, "rate");
    if (result->tokens > 0) {
        nnc_sheet_item(sheet, NNC_INK_STRONG, "%s tokens/s",
                       nnc_count_text(result->tokens_per_s, a));
    }
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s samples/s", nnc_count_text(result->samples_per_s, a));
    nnc_sheet_item(sheet, NNC_INK_STRONG, "MFU %s", nnc_percent_text(result->mfu, a));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "HFU %s of %s, FLOPs as in %s",
                   nnc_percent_text(result->hfu, a),
                   nnc_unit_text(result->peak_flops_per_s, "FLOP/s", b),
                   nnc_flops_convention_name(result->plan.flops_convention));
    nnc_sheet_end(sheet);
    if (result->mfu > 1.0) {
        write_above_peak(sheet, result);
    }
    if (result->plan.devices > 1) {
        nnc_sheet_label(sheet, "");
        if (result->tokens > 0) {
            nnc_sheet_item(sheet, NNC_INK_PLAIN, "per device %s tokens/s",
                           nnc_count_text(result->tokens_per_s_per_device, a));
        }
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s%s", result->tokens > 0 ? "" : "per device ",
                       nnc_unit_text(result->model_flops_per_s_per_device, "FLOP/s", a));
        nnc_sheet_end(sheet);
    }

    nnc_sheet_label(sheet, "work");
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "model %s", nnc_unit_text(result->model_flops, "FLOP", a));
    if (result->hardware_flops > result->model_flops) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "with recompute %s",
                       nnc_unit_text(result->hardware_flops, "FLOP", a));
    }
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "executed %s",
                   nnc_unit_text(result->executed_flops, "FLOP", a));
    if (result->tokens > 0) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "6ND %s",
                       nnc_unit_text(result->six_nd_flops, "FLOP", a));
    }
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "memory traffic %s%s",
                   nnc_unit_text(result->read_bytes + result->write_bytes, "B", a),
                   result->plan.devices > 1 ? " per device" : "");
    nnc_sheet_end(sheet);
}

void nnc_estimate_page(nnc_buffer *out, nnc_style style, const void *record)
{
    const nnc_report *report = record;
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    nnc_sheet_subject(&sheet, report);
    nnc_sheet_gap(&sheet);
    write_step(&sheet, report);
    nnc_sheet_gap(&sheet);
    write_parts(&sheet, report);
    nnc_sheet_gap(&sheet);
    write_waits(&sheet, report->result);
    write_rates(&sheet, report->result);
    write_own(&sheet, report);
    nnc_sheet_gap(&sheet);
    nnc_memory_text(&sheet, &report->result->memory);
    if (style.format == &nnc_format_markdown) {
        nnc_sheet_gap(&sheet); /* a list right below a table would be read as its row */
    }
    nnc_fit_text(&sheet, "total", report);
    nnc_sheet_gap(&sheet);
    nnc_cost_text(&sheet, report);
    if (report->run != NULL) {
        nnc_sheet_gap(&sheet);
        nnc_run_lines(out, style, report);
    }
    if (report->all_stages) {
        nnc_sheet_gap(&sheet);
        nnc_stages_write(out, style, report);
    }
    if (report->intervals != NULL) {
        nnc_sheet_gap(&sheet);
        nnc_timeline_write(out, style, report);
    }
    if (report->sensitivity != NULL) {
        nnc_sheet_gap(&sheet);
        nnc_sensitivity_write(out, style, report);
    }
}
