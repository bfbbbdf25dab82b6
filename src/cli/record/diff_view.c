/* Two estimates side by side: what changed, largest first, and the op or part responsible. */
#include <math.h>
#include <stdio.h>

#include "cli/record/check_view.h"
#include "render/grid.h"
#include "render/sheet.h"
#include "render/text.h"

enum { SHOWN_OPS = 8 };

static nnc_status write_ops(nnc_buffer *out, nnc_style style, const nnc_check_row *row)
{
    static const nnc_grid_column columns[] = { { .head = "op", .left = true, .shrinks = true },
                                               { .head = "phase", .left = true },
                                               { .head = "old" },
                                               { .head = "new" },
                                               { .head = "difference" } };
    nnc_arena *arena = nnc_arena_create();
    if (arena == NULL) {
        return NNC_NO_MEMORY;
    }
    nnc_grid grid = nnc_grid_begin(arena, columns, 5);
    for (int32_t i = 0; i < row->op_count && i < SHOWN_OPS; i++) {
        const nnc_check_op *op = &row->ops[i];
        char text[NNC_NUMBER_TEXT], signed_text[NNC_NUMBER_TEXT + 1];
        const double by = (isnan(op->now_s) ? 0 : op->now_s) - (isnan(op->old_s) ? 0 : op->old_s);
        nnc_grid_cell(&grid, op->name);
        nnc_grid_cell(&grid, op->phase);
        nnc_grid_cell(&grid, nnc_unit_text(op->old_s, "s", text));
        nnc_grid_cell(&grid, nnc_unit_text(op->now_s, "s", text));
        snprintf(signed_text, sizeof signed_text, "%s%s", by > 0 ? "+" : "",
                 nnc_unit_text(by, "s", text));
        nnc_grid_cell(&grid, signed_text);
    }
    const nnc_status status = nnc_grid_write(&grid, out, style);
    nnc_arena_destroy(arena);
    if (row->op_count > SHOWN_OPS) {
        nnc_buffer_print(out, "%s... and %d more ops\n",
                         style.format == NNC_FORMAT_MARKDOWN ? "\n" : "",
                         (int)(row->op_count - SHOWN_OPS));
    }
    return status;
}

static nnc_status write_row(nnc_buffer *out, nnc_style style, const nnc_check_row *row)
{
    const bool markdown = style.format == NNC_FORMAT_MARKDOWN;
    char headline[256];
    nnc_status status = NNC_OK;
    nnc_check_headline(row, headline, sizeof headline);
    nnc_buffer_byte(out, '\n');
    if (row->id[0] != '\0') {
        nnc_buffer_text(out, markdown ? "**" : "");
        nnc_put_plain(out, row->id, nnc_text_width(row->id));
        nnc_buffer_text(out, markdown ? "**: " : ": ");
    }
    if (row->state == NNC_CHECK_ADDED || row->state == NNC_CHECK_REMOVED) {
        nnc_buffer_print(out, "only in the %s\n", row->state == NNC_CHECK_ADDED ? "new" : "old");
        return NNC_OK;
    }
    nnc_buffer_print(out, "%d figures differ%s%s\n\n", (int)row->change_count,
                     headline[0] != '\0' ? "; " : "", headline);
    status = nnc_changes_write(out, style, row, row->change_count, "old", "new");
    if (row->op_count > 0 && status == NNC_OK) {
        nnc_buffer_byte(out, '\n');
        status = write_ops(out, style, row);
    }
    return status;
}

nnc_status nnc_report_diff(nnc_buffer *out, nnc_style style, const nnc_check_report *report)
{
    int32_t differ = 0;
    nnc_status status = NNC_OK;
    switch (style.format) {
    case NNC_FORMAT_JSON: nnc_check_write_json(out, "nncost.diff/1", report); return NNC_OK;
    case NNC_FORMAT_CSV: nnc_check_write_csv(out, report); return NNC_OK;
    case NNC_FORMAT_TABLE:
    case NNC_FORMAT_MARKDOWN:
    case NNC_FORMAT_COUNT: break;
    }
    for (int32_t i = 0; i < report->row_count; i++) {
        differ += report->rows[i].state != NNC_CHECK_SAME;
    }
    nnc_buffer_print(out, "%s -> %s: ", report->path, report->other);
    if (report->row_count == 1 && report->rows[0].id[0] == '\0') {
        nnc_buffer_text(out, differ > 0 ? "the estimates differ\n" : "the same\n");
    } else {
        nnc_buffer_print(out, "%d of %d recorded estimates differ\n", (int)differ,
                         (int)report->row_count);
    }
    for (int32_t i = 0; i < report->row_count && status == NNC_OK; i++) {
        if (report->rows[i].state != NNC_CHECK_SAME) {
            status = write_row(out, style, &report->rows[i]);
        }
    }
    return status;
}
