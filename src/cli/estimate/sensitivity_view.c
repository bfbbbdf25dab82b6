#include "cli/estimate/sensitivity_view.h"

#include <math.h>
#include <stdio.h>

#include "render/sheet.h"
#include "render/table.h"
#include "render/text.h"

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

void nnc_sensitivity_write(nnc_buffer *out, nnc_style style, const nnc_report *report)
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
