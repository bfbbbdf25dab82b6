/* estimate */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/scenario_asked.h"
#include "cli/views_internal.h"
#include "cost/network.h"

/* How near earlier predictions of this kind came to what was measured. */
static void write_past(nnc_sheet *sheet, const nnc_report *report)
{
    static const char *const few[NNC_PAST_FEWEST] = { "none", "one", "two" };
    char error[NNC_NUMBER_TEXT], bias[NNC_NUMBER_TEXT], others[64] = "";
    const nnc_past *p = &report->past;
    if (p->of == NNC_PAST_NONE) {
        return;
    }
    nnc_sheet_label(sheet, "");
    if (p->of == NNC_PAST_FEW) {
        nnc_sheet_words(sheet,
                        "%s measured step%s of this family and profile%s: how near it comes is "
                        "not known",
                        p->rows == 0 ? "no" : few[p->rows], p->rows == 2 ? "s" : "",
                        p->rows == 0 ? "" : " alone");
        nnc_sheet_end(sheet);
        return;
    }
    if (p->of == NNC_PAST_ALL_DEVICES) {
        snprintf(others, sizeof others, " on any device, %s on this one", few[p->device_rows]);
    }
    nnc_sheet_words(sheet,
                    "%" PRId64 " measured steps of this %sfamily and profile%s, %" PRId64
                    " of them unseen by any fit: mean error %s, bias %s%s",
                    p->rows, p->of == NNC_PAST_DEVICE ? "device, " : "", others, p->unseen,
                    nnc_percent_text(p->error, error), p->bias < 0.0 ? "-" : "+",
                    nnc_percent_text(fabs(p->bias), bias));
    nnc_sheet_end(sheet);
}

void nnc_step_write(nnc_sheet *sheet, const nnc_report *report)
{
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    const nnc_result *result = report->result;

    nnc_sheet_label(sheet, "step");
    nnc_sheet_item(sheet, NNC_INK_STRONG, "%s", nnc_unit_text(result->step_s, "s", a));
    if (!isnan(result->interval_s[0]) && !isnan(result->interval_s[1])) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "nine of ten measurements fall in %s .. %s",
                       nnc_unit_text(result->interval_s[0], "s", a),
                       nnc_unit_text(result->interval_s[1], "s", b));
    }
    if (result->plan.pipeline > 1) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "busiest stage %" PRId32 " of %" PRId32, result->stage,
                       result->plan.pipeline);
    }
    nnc_sheet_end(sheet);
    write_past(sheet, report);
}

/* What an estimate needs: memory by class, whether it fits, money. */

/* What stands beside a class of memory. */
static const char *class_note(const nnc_memory *memory, const char *name)
{
    static const char *const notes[][2] = {
        { "optimizer_bytes", "states and master weights" },
        { "activation_bytes", "kept for backward" },
        { "reserve_bytes", "set aside" },
    };
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        if (strcmp(notes[i][0], name) == 0) {
            return notes[i][1];
        }
    }
    return strcmp(name, "transient_bytes") == 0 && memory->transient_what != NULL
               ? memory->transient_what
               : "";
}

/* The metrics that the memory is the sum of. */
static void write_memory(nnc_sheet *sheet, const nnc_memory *memory)
{
    static const nnc_head heads[] = {
        { .text = "memory", .left = true },
        { .text = "size" },
        { .text = "of device" },
        { .text = "", .left = true, .shrinks = true, .drop = 1 },
    };
    const nnc_place place = { .record = memory };
    nnc_table table;
    nnc_table_begin(&table, heads, sizeof heads / sizeof heads[0]);
    for (size_t i = 0; i < nnc_memory_metrics.count; i++) {
        const nnc_metric *row = &nnc_memory_metrics.rows[i];
        char text[NNC_METRIC_TEXT_MAX];
        const nnc_cell cell = nnc_metric_read(row, &place, 0, text);
        if (nnc_metric_rare(row)->part_of != NULL && cell.whole != 0) {
            nnc_table_cell(&table, row->head);
            nnc_table_number(&table, (double)cell.whole, "B");
            nnc_table_share(&table, (double)cell.whole / (double)memory->capacity_bytes);
            nnc_table_cell(&table, class_note(memory, row->name));
        }
    }
    nnc_table_write(&table, sheet->out, sheet->style);
}

void nnc_fit_write(nnc_sheet *sheet, const char *label, const nnc_report *report)
{
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT], c[NNC_NUMBER_TEXT];
    const nnc_memory *memory = &report->result->memory;
    const double total = (double)memory->total_bytes, capacity = (double)memory->capacity_bytes;
    const nnc_verdict verdict = report->result->verdict;
    const bool fits = verdict != NNC_OVER_MEMORY;

    nnc_sheet_label(sheet, label);
    if (report->result->plan.pipeline > 1) {
        nnc_sheet_words(sheet, "on the fullest stage %" PRId32 ":", report->result->memory_stage);
        nnc_sheet_phrase(sheet, NNC_INK_STRONG, "%s (%s)", nnc_unit_text(total, "B", a),
                         nnc_binary_text(total, b));
    } else {
        nnc_sheet_item(sheet, NNC_INK_STRONG, "%s (%s)", nnc_unit_text(total, "B", a),
                       nnc_binary_text(total, b));
    }
    nnc_sheet_words(sheet, "of %s (%s), %s:", nnc_unit_text(capacity, "B", a),
                    nnc_binary_text(capacity, b), nnc_percent_text(total / capacity, c));
    nnc_unit_text(fabs((double)memory->headroom_bytes), "B", a);
    if (verdict == NNC_TIGHT) {
        nnc_sheet_phrase(sheet, NNC_INK_BAD, "tight, %s free, where peaks up to %s were measured",
                         a, nnc_unit_text((double)memory->total_interval_bytes[1], "B", b));
    } else if (fits) {
        nnc_sheet_phrase(sheet, NNC_INK_GOOD, "fits, %s free", a);
    } else {
        nnc_sheet_phrase(sheet, NNC_INK_BAD, "DOES NOT FIT by %s", a);
    }
    nnc_sheet_end(sheet);
    for (int i = 0; i < report->advice_count; i++) {
        const nnc_advice *advice = &report->advice[i];
        nnc_sheet_label(sheet, i == 0 ? "would fit" : "");
        nnc_sheet_item(sheet, NNC_INK_GOOD, "%s", advice->text);
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s",
                       nnc_unit_text((double)advice->total_bytes, "B", a));
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "step %s", nnc_unit_text(advice->step_s, "s", b));
        nnc_sheet_end(sheet);
    }
    if (!fits && report->advice_count == 0) {
        nnc_sheet_label(sheet, "");
        if (report->result->plan.devices > 1) {
            nnc_sheet_words(sheet,
                            "no change of batch, recompute, parallelism, optimizer or policy alone "
                            "makes it fit on these %" PRId32 " devices",
                            report->result->plan.devices);
        } else {
            nnc_sheet_words(sheet, "no change of batch, recompute, optimizer or policy alone makes "
                                   "it fit on one device");
        }
        nnc_sheet_end(sheet);
    }
}

static void write_cost(nnc_sheet *sheet, const nnc_report *report)
{
    char a[NNC_NUMBER_TEXT];
    const nnc_result *result = report->result;
    const nnc_price *price = nnc_report_price(report);
    const char *currency = nnc_report_currency(report);

    nnc_sheet_label(sheet, "cost");
    if (isnan(result->price_per_device_hour)) {
        nnc_sheet_words(sheet, "no price recorded for this device: give --price");
        nnc_sheet_end(sheet);
    } else {
        nnc_count_text(result->price_per_device_hour, a);
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s %s per device-hour", a, currency);
        if (price != NULL) {
            nnc_sheet_price(sheet, price);
        } else {
            nnc_sheet_words(sheet, "(--price)");
        }
        if (result->plan.devices > 1) {
            nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s %s per step of all %" PRId32 " devices",
                           nnc_count_text(result->cost_step, a), currency, result->plan.devices);
        } else {
            nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s %s per step",
                           nnc_count_text(result->cost_step, a), currency);
        }
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s %s per %s",
                       nnc_count_text(nnc_report_unit_cost(result, NULL), a), currency,
                       result->tokens > 0 ? "million tokens" : "thousand samples");
        nnc_sheet_end(sheet);
    }
}

NNC_GET(get_stage, void, nnc_whole_cell(place->index))

NNC_GET(get_stage_share, nnc_stage,
        nnc_number_cell((double)self->memory.total_bytes / (double)self->memory.capacity_bytes))

NNC_GET(get_stage_fits, nnc_stage, nnc_text_cell(self->memory.headroom_bytes >= 0 ? "yes" : "NO"))

/* The parts of a stage's memory, beside which its times have a table of their own. */
static const nnc_metric stage_memory_rows[] = {
    NNC_HEAD("stage", WHOLE, .get = get_stage),
    NNC_ROWS(&nnc_memory_metrics, NNC_IN(nnc_stage, memory)),
    NNC_HEAD("of device", NUMBER, .get = get_stage_share, .show = NNC_SHOW_PERCENT, .drop = 3),
    NNC_HEAD("fits", TEXT, .get = get_stage_fits),
};
static const nnc_metrics memory = NNC_METRICS("memory of a stage", stage_memory_rows, nnc_stage);

static void write_stages(nnc_buffer *out, nnc_style style, const nnc_report *report)
{
    nnc_lines lines = { &nnc_stage_time_metrics, report, report->stages, report->stage_count };
    nnc_table_of(out, style, lines);
    nnc_buffer_byte(out, '\n');
    lines.metrics = &memory;
    nnc_table_of(out, style, lines);
}

/* Times a step with the figure doubled exceeds what its elasticity promises. */
static const double worth_a_word = 1.1;

static void write_capacity(nnc_buffer *out, nnc_style style, const nnc_sensitivity *entry)
{
    char needed[NNC_NUMBER_TEXT], has[NNC_NUMBER_TEXT],
        then[64] = "less than that it would not fit";
    if (entry->needed > entry->value) {
        snprintf(then, sizeof then, "%.4g x as much it would fit", entry->needed / entry->value);
    }
    nnc_buffer_byte(out, '\n');
    nnc_sheet_line(out, style, "mem_bytes moves no time: the plan takes %s of %s, with %s",
                   nnc_unit_text(entry->needed, "B", needed), nnc_unit_text(entry->value, "B", has),
                   then);
}

/* Why twice the matrix peak may gain far less than its elasticity promises. */
static void write_cache(nnc_buffer *out, const nnc_sensitivity *peak, const nnc_report *report)
{
    const nnc_dtype precision = report->result->plan.precision;
    const double cache = report->device->efficiency.gemm[precision].l2_bytes_per_s;
    const double promised_s = report->result->step_s * exp2(peak->elasticity);
    if (!isnan(cache) && peak->doubled_s > worth_a_word * promised_s) {
        char text[NNC_NUMBER_TEXT];
        nnc_buffer_print(
            out,
            "\neach figure is doubled alone: the cache that feeds the matrix units keeps its %s,"
            "\nefficiency.gemm.%s.l2_bytes_per_s, and may bound products first\n",
            nnc_unit_text(cache, "B/s", text), nnc_dtype_name(precision));
    }
}

static void write_sensitivity(nnc_buffer *out, nnc_style style, const nnc_report *report)
{
    nnc_table table = { .count = 0 };
    const nnc_sensitivity *capacity = NULL, *peak = NULL;
    nnc_table_heads(&table, &nnc_sensitivity_metrics);
    for (int i = 0; i < report->sensitivity_count; i++) {
        const nnc_sensitivity *e = &report->sensitivity[i];
        const nnc_place place = { e, report, i };
        if (e->figure == NNC_LEVER_MEM_BYTES) {
            capacity = e;
        } else {
            peak = e->figure == NNC_LEVER_MATMUL ? e : peak;
            nnc_table_record(&table, &nnc_sensitivity_metrics, &place);
        }
    }
    nnc_table_write(&table, out, style);
    if (peak != NULL) {
        write_cache(out, peak, report);
    }
    if (capacity != NULL) {
        write_capacity(out, style, capacity);
    }
}

static void write_step(nnc_sheet *sheet, const nnc_report *report)
{
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    const nnc_result *result = report->result;

    nnc_step_write(sheet, report);
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

static void write_page(nnc_buffer *out, nnc_style style, const void *record)
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
    write_memory(&sheet, &report->result->memory);
    if (style.format == &nnc_format_markdown) {
        nnc_sheet_gap(&sheet); /* a list right below a table would be read as its row */
    }
    nnc_fit_write(&sheet, "total", report);
    nnc_sheet_gap(&sheet);
    write_cost(&sheet, report);
    if (report->run != NULL) {
        nnc_sheet_gap(&sheet);
        nnc_run_lines(out, style, report);
    }
    if (report->all_stages) {
        nnc_sheet_gap(&sheet);
        write_stages(out, style, report);
    }
    if (report->intervals != NULL) {
        nnc_sheet_gap(&sheet);
        nnc_timeline_write(out, style, report);
    }
    if (report->sensitivity != NULL) {
        nnc_sheet_gap(&sheet);
        write_sensitivity(out, style, report);
    }
}

/* One table: that of the timeline, the stages or the sensitivity where asked for. */
static nnc_lines lines_of(const void *record)
{
    const nnc_report *report = record;
    if (report->intervals != NULL) {
        return (nnc_lines){ &nnc_interval_metrics, report, report->intervals,
                            report->interval_count };
    }
    if (report->all_stages) {
        return (nnc_lines){ &nnc_stage_metrics, report, report->stages, report->stage_count };
    }
    if (report->sensitivity != NULL) {
        return (nnc_lines){ &nnc_sensitivity_metrics, report, report->sensitivity,
                            report->sensitivity_count };
    }
    return (nnc_lines){ &nnc_estimate_metrics, NULL, report, 1 };
}

const nnc_view nnc_estimate_view = { .schema = "nncost.estimate/1",
                                     .document = &nnc_estimate_document,
                                     .lines = lines_of,
                                     .page = write_page };

static nnc_status write_trace(const nnc_report *report, const char *path, nnc_error *err)
{
    nnc_buffer out = { 0 };
    nnc_report_trace(&out, report);
    const nnc_status status =
        out.failed ? nnc_no_memory(err) : nnc_output_write(path, out.bytes, out.size, err);
    nnc_buffer_free(&out);
    return status;
}

static nnc_status write_report(nnc_session *session, const nnc_report *report, nnc_error *err)
{
    const nnc_options *options = &session->options;
    nnc_report shown = *report;
    shown.all_stages = options->stages;
    shown.past = nnc_report_past(report);
    if (!options->timeline) {
        shown.intervals = NULL;
    }
    nnc_view_write(session->out, session->style, &nnc_estimate_view, &shown);
    return options->trace != NULL ? write_trace(report, options->trace, err) : NNC_OK;
}

/* With a scratch of its own: the report points into the other. */
static nnc_status find_sensitivity(nnc_scenario *scenario, nnc_sensitivity entries[NNC_LEVER_COUNT],
                                   nnc_error *err)
{
    nnc_scratch *scratch = nnc_scratch_create();
    if (scratch == NULL) {
        return nnc_no_memory(err);
    }
    const nnc_status status = nnc_sensitivity_of(
        &scenario->model, &scenario->device, &scenario->software, &scenario->plan, scratch, entries,
        NNC_LEVER_COUNT, &scenario->report.sensitivity_count, err);
    scenario->report.sensitivity = entries;
    nnc_scratch_destroy(scratch);
    return status;
}

/* "0.41s", or a rate of samples or tokens. */
static nnc_status read_measured(const char *text, const nnc_result *r, nnc_own_step *own,
                                nnc_error *err)
{
    static const char *const units[] = { "tokens/s", "samples/s", "s" };
    double value = 0.0;
    int unit = 0;
    while (unit < 3 && !nnc_read_quantity(text, units[unit], false, &value)) {
        unit++;
    }
    if (unit == 3 || !(value > 0.0) || (unit == 0 && r->tokens == 0)) {
        return nnc_fail(err, NNC_BAD_USAGE, "--measured",
                        "wrong value, expected a time (0.41s) or a rate (380samples/s%s), found "
                        "\"%.40s\"",
                        r->tokens > 0 ? ", 12000tokens/s" : "", text);
    }
    own->step_s = unit == 0   ? (double)r->tokens / value
                  : unit == 1 ? (double)r->plan.global_batch / value
                              : value;
    own->mfu = r->model_flops / (own->step_s * r->plan.devices * r->peak_flops_per_s);
    own->predicted_over = r->step_s / own->step_s;
    own->possible = own->step_s >= r->lower_bound_s;
    return NNC_OK;
}

static nnc_status write_answer(nnc_session *session, void *context, nnc_scenario *scenario,
                               nnc_scratch *scratch, nnc_error *err)
{
    const nnc_options *options = &session->options;
    nnc_sensitivity entries[NNC_LEVER_COUNT];
    nnc_report *report = &scenario->report;
    nnc_own_step own;
    nnc_status status = NNC_OK;
    (void)context;
    session->exit_code = scenario->result.verdict != NNC_OVER_MEMORY ? 0 : 1;
    if (options->measured != NULL) {
        NNC_TRY(read_measured(options->measured, &scenario->result, &own, err));
        report->own = &own;
    }
    if (options->timeline || options->trace != NULL) {
        status = nnc_scenario_timeline(scenario, scratch, err);
    }
    if (status == NNC_OK && options->sensitivity) {
        status = find_sensitivity(scenario, entries, err);
    }
    if (status == NNC_OK) {
        status = write_report(session, report, err);
    }
    report->own = NULL;
    report->sensitivity = NULL;
    nnc_scenario_timeline_free(scenario);
    return status;
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    const nnc_options *options = &session->options;
    if (options->format == &nnc_format_csv && options->stages && options->timeline) {
        return nnc_fail(err, NNC_BAD_USAGE, "--stages",
                        "CSV holds one table, expected --stages or --timeline, found both");
    }
    if (options->format == &nnc_format_csv && options->sensitivity &&
        (options->stages || options->timeline)) {
        return nnc_fail(err, NNC_BAD_USAGE, "--sensitivity",
                        "CSV holds one table, expected it or %s, found both",
                        options->stages ? "--stages" : "--timeline");
    }
    return nnc_scenario_report(session, options->operands[0], options->operands[1], write_answer,
                               NULL, err);
}

const nnc_command nnc_cmd_estimate = {
    .name = "estimate",
    .operands = "MODEL DEVICE | PLANS.json [DEVICE]",
    .summary = "One training step: time with its bounds, what limits it, memory, throughput, cost.",
    .notes =
        "Exits with 1 when the step does not fit into the device's memory; everything is printed "
        "all the same, with the smallest changes that would fit. Stages count from 0. With "
        "--format csv, --stages, --timeline and --sensitivity print their table in place of the "
        "estimate. A "
        "timeline has at most 1000000 passes. An elasticity of -0.5: one percent more of the "
        "figure "
        "takes half a percent off the step.",
    .min_operands = 1,
    .max_operands = 2,
    .takes =
        NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_RUN | NNC_TAKES_SCENARIO | NNC_TAKES_STAGES,
    .run = run,
};
