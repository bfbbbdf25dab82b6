/* What an estimate needs: memory by class, whether it fits, money. */
#include "cli/estimate/memory_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/subject.h"
#include "render/table.h"
#include "render/text.h"

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
void nnc_memory_text(nnc_sheet *sheet, const nnc_memory *memory)
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

void nnc_fit_text(nnc_sheet *sheet, const char *label, const nnc_report *report)
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

void nnc_cost_text(nnc_sheet *sheet, const nnc_report *report)
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
