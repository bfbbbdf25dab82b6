/* Two estimates side by side: what changed, largest first, and the op or part responsible. */
#include "cli/record/check_view.h"
#include "render/table.h"
#include "render/text.h"

enum { SHOWN_OPS = 8 };

static void write_ops(nnc_buffer *out, nnc_style style, const nnc_check_row *row)
{
    const int32_t shown = row->op_count < SHOWN_OPS ? row->op_count : SHOWN_OPS;
    nnc_table_of(out, style, (nnc_lines){ &nnc_check_op_metrics, row, row->ops, shown });
    if (row->op_count > shown) {
        nnc_buffer_print(out, "%s... and %d more ops\n",
                         style.format == &nnc_format_markdown ? "\n" : "",
                         (int)(row->op_count - shown));
    }
}

static void write_row(nnc_buffer *out, nnc_style style, const nnc_check_row *row)
{
    const bool markdown = style.format == &nnc_format_markdown;
    char headline[256];
    nnc_check_headline(row, headline, sizeof headline);
    nnc_buffer_byte(out, '\n');
    if (row->id[0] != '\0') {
        nnc_buffer_text(out, markdown ? "**" : "");
        nnc_put_plain(out, row->id, nnc_text_width(row->id));
        nnc_buffer_text(out, markdown ? "**: " : ": ");
    }
    if (row->state == NNC_CHECK_ADDED || row->state == NNC_CHECK_REMOVED) {
        nnc_buffer_print(out, "only in the %s\n", row->state == NNC_CHECK_ADDED ? "new" : "old");
        return;
    }
    nnc_buffer_print(out, "%d figures differ%s%s\n\n", (int)row->change_count,
                     headline[0] != '\0' ? "; " : "", headline);
    nnc_changes_write(out, style, row, row->change_count, "old", "new");
    if (row->op_count > 0) {
        nnc_buffer_byte(out, '\n');
        write_ops(out, style, row);
    }
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record)
{
    const nnc_check_report *report = record;
    int32_t differ = 0;
    for (int32_t i = 0; i < report->row_count; i++) {
        differ += report->rows[i].state != NNC_CHECK_SAME;
    }
    nnc_put_plain(out, report->path, nnc_text_width(report->path));
    nnc_buffer_text(out, " -> ");
    nnc_put_plain(out, report->other, nnc_text_width(report->other));
    nnc_buffer_text(out, ": ");
    if (report->row_count == 1 && report->rows[0].id[0] == '\0') {
        nnc_buffer_text(out, differ > 0 ? "the estimates differ\n" : "the same\n");
    } else {
        nnc_buffer_print(out, "%d of %d recorded estimates differ\n", (int)differ,
                         (int)report->row_count);
    }
    for (int32_t i = 0; i < report->row_count; i++) {
        if (report->rows[i].state != NNC_CHECK_SAME) {
            write_row(out, style, &report->rows[i]);
        }
    }
}

const nnc_view nnc_diff_output = { .schema = "nncost.diff/1",
                                   .document = &nnc_diff_document,
                                   .lines = nnc_check_lines,
                                   .page = write_page };
