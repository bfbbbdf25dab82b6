#include "cli/lab/accuracy_text.h"

#include <string.h>

#include "render/sheet.h"
#include "render/table.h"

static const char *const section_titles[NNC_SECTION_COUNT] = {
#define TITLE(section, name, title) [section] = (title),
    NNC_SCORE_SECTION_LIST(TITLE)
#undef TITLE
};

/* ---- tables ---- */

static void write_section(nnc_buffer *out, nnc_style style, const nnc_accuracy_report *report,
                          nnc_score_section section)
{
    nnc_table table = { .count = 0 };
    nnc_table_heads(&table, &nnc_score_group_metrics);
    for (int32_t i = 0; i < report->group_count; i++) {
        const nnc_place place = { &report->groups[i], report, i };
        const nnc_score_by by = report->groups[i].by;
        const bool wanted = !report->summary || by == NNC_SCORE_BY_WHAT ||
                            by == NNC_SCORE_BY_HALF || by == NNC_SCORE_IN_TOTAL;
        if (report->groups[i].section == section && wanted) {
            nnc_table_record(&table, &nnc_score_group_metrics, &place);
        }
    }
    if (nnc_table_rows(&table) > 0) {
        nnc_sheet_heading(out, style, section_titles[section]);
        nnc_table_write(&table, out, style);
    }
}

static bool contradicts(const nnc_place *place)
{
    return nnc_score_contradicts(place->record);
}

NNC_GET(get_above, nnc_scored, nnc_number_cell(self->lower_bound_s / self->row->measured_s - 1.0))

#define ROW(member) NNC_VIA(nnc_scored, row), NNC_IN(nnc_measured, member)
static const nnc_metric contradiction_rows[] = {
    NNC_HEAD("row", TEXT, ROW(id), .shrinks = true),
    NNC_HEAD("device", TEXT, NNC_IN(nnc_scored, device), .drop = 1),
    NNC_HEAD("measured", NUMBER, ROW(measured_s), .unit = "s"),
    NNC_HEAD("bound", NUMBER, NNC_IN(nnc_scored, lower_bound_s), .unit = "s"),
    NNC_HEAD("above", NUMBER, .get = get_above, .show = NNC_SHOW_ERROR),
    NNC_HEAD("left open", TEXT, ROW(undecided), .drop = 2),
};
static const nnc_metrics contradictions = {
    .rows = contradiction_rows,
    .count = sizeof contradiction_rows / sizeof contradiction_rows[0],
    .record_size = sizeof(nnc_scored),
    .listed = contradicts,
};

NNC_GET(get_device, nnc_scored,
        nnc_text_cell(self->device != NULL ? self->device : self->row->device))

NNC_GET(get_remark, nnc_scored,
        nnc_text_cell(self->reason != NULL ? self->reason : self->row->undecided))

static const nnc_metric every_row[] = {
    NNC_HEAD("row", TEXT, ROW(id)),
    NNC_HEAD("device", TEXT, .get = get_device, .drop = 2),
    NNC_HEAD("measured", NUMBER, ROW(measured_s), .unit = "s"),
    NNC_HEAD("predicted", NUMBER, NNC_IN(nnc_scored, predicted_s), .unit = "s"),
    NNC_HEAD("error", NUMBER, NNC_IN(nnc_scored, error), .show = NNC_SHOW_ERROR),
    NNC_HEAD("memory", NUMBER, NNC_IN(nnc_scored, memory_error), .show = NNC_SHOW_ERROR),
    NNC_HEAD("left open, or why not", TEXT, .get = get_remark, .shrinks = true, .drop = 1),
};
#undef ROW
static const nnc_metrics rows = NNC_METRICS("a row", every_row, nnc_scored);

/* Columns that no file's prediction uses, each once. */
static void write_unused(nnc_buffer *out, nnc_style style, const nnc_accuracy_report *report)
{
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    bool any = false;
    nnc_buffer_byte(out, '\n');
    for (int32_t f = 0; f < report->file_count; f++) {
        for (int32_t i = 0; i < report->files[f].unused_count; i++) {
            const char *column = report->files[f].unused[i];
            bool seen = false;
            for (int32_t e = 0; e < f && !seen; e++) {
                for (int32_t k = 0; k < report->files[e].unused_count && !seen; k++) {
                    seen = strcmp(report->files[e].unused[k], column) == 0;
                }
            }
            if (!any) {
                sheet.indent = 0;
                nnc_sheet_label(&sheet, "");
                nnc_sheet_words(&sheet, "columns that no prediction uses:");
            }
            any = true;
            if (!seen) {
                nnc_sheet_words(&sheet, "%s", column);
            }
        }
    }
    if (any) {
        nnc_sheet_end(&sheet);
    }
}

void nnc_accuracy_page(nnc_buffer *out, nnc_style style, const void *record)
{
    const nnc_accuracy_report *report = record;
    int32_t scored = 0;
    for (int32_t i = 0; i < report->count; i++) {
        scored += report->rows[i].reason == NULL;
    }
    nnc_buffer_print(out, "%d rows: %d predicted, %d that cannot be expressed\n",
                     (int)report->count, (int)scored, (int)(report->count - scored));
    if (report->overrides != NULL) {
        nnc_buffer_print(out, "with %s\n", report->overrides);
    }
    for (int section = 0; section < NNC_SECTION_COUNT; section++) {
        write_section(out, style, report, (nnc_score_section)section);
    }
    if (report->summary) {
        return;
    }
    nnc_lines lines = { &contradictions, report, report->rows, report->count };
    if (!nnc_table_under(out, style, lines,
                         "rows whose lower bound lies above their measurement")) {
        nnc_buffer_text(out, "\nno lower bound lies above its measurement\n");
    }
    const nnc_lines left_out = { &nnc_left_out_metrics, report, report->left_out,
                                 report->left_out_count };
    (void)nnc_table_under(out, style, left_out, "rows that cannot be expressed");
    if (report->all_rows) {
        lines.metrics = &rows;
        (void)nnc_table_under(out, style, lines, "every row");
    }
    write_unused(out, style, report);
}
