/* A check or a comparison as JSON and CSV. */
#include <math.h>

#include "cli/record/check_view.h"
#include "render/record.h"

static const char *const kind_names[NNC_CHANGE_KIND_COUNT] = {
    [NNC_CHANGE_MOVED] = "moved",
    [NNC_CHANGE_GONE] = "gone",
    [NNC_CHANGE_NEW] = "new",
    [NNC_CHANGE_WITHIN] = "within tolerance",
};

static void put_figure(nnc_record *record, const char *key, const nnc_figure *figure)
{
    if (figure == NULL) {
        nnc_record_null(record, key);
    } else if (figure->text != NULL) {
        nnc_record_text(record, key, figure->text);
    } else {
        nnc_record_number(record, key, figure->number);
    }
}

static void put_change(nnc_record *record, const nnc_change *change)
{
    nnc_record_text(record, "figure", nnc_change_name(change));
    nnc_record_text(record, "kind", kind_names[change->kind]);
    put_figure(record, "old", change->old);
    put_figure(record, "now", change->now);
    nnc_record_number(record, "relative", change->relative);
}

static void put_verdict(nnc_record *record, const nnc_check_verdict *verdict)
{
    nnc_record_object(record, NULL);
    nnc_record_text(record, "figure", verdict->figure->name);
    nnc_record_text(record, "rule", verdict->requirement->rule);
    put_figure(record, "found", verdict->figure);
    nnc_record_bool(record, "met", verdict->met);
    nnc_record_close(record);
}

static void put_responsible(nnc_record *record, const nnc_check_row *row)
{
    static const char *const totals[] = { "step.step_s", "memory.total_bytes" };
    nnc_record_object(record, "responsible");
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++) {
        double moved_by = 0;
        nnc_record_text(record, totals[i],
                        nnc_figures_responsible(row->old, row->now, totals[i], &moved_by));
    }
    nnc_record_close(record);
}

static void put_row(nnc_record *record, const nnc_check_report *report, const nnc_check_row *row)
{
    nnc_record_object(record, NULL);
    nnc_record_text(record, "id", row->id);
    if (row->line > 0) {
        nnc_record_whole(record, "line", row->line);
    } else {
        nnc_record_null(record, "line");
    }
    nnc_record_text(record, "state", nnc_check_state_name(row->state));
    if (report->other == NULL) {
        nnc_record_bool(record, "failed", nnc_check_row_failed(report, row));
    }
    nnc_record_list(record, "why");
    for (int32_t i = 0; i < row->cause_count; i++) {
        nnc_record_text(record, NULL, row->causes[i]);
    }
    nnc_record_close(record);
    put_responsible(record, row);
    nnc_record_list(record, "requirements");
    for (int32_t i = 0; i < row->verdict_count; i++) {
        put_verdict(record, &row->verdicts[i]);
    }
    nnc_record_close(record);
    nnc_record_list(record, "changes");
    for (int32_t i = 0; i < row->change_count; i++) {
        nnc_record_object(record, NULL);
        put_change(record, &row->changes[i]);
        nnc_record_close(record);
    }
    nnc_record_close(record);
    nnc_record_list(record, "ops");
    for (int32_t i = 0; i < row->op_count; i++) {
        nnc_record_object(record, NULL);
        nnc_record_text(record, "name", row->ops[i].name);
        nnc_record_text(record, "phase", row->ops[i].phase);
        nnc_record_number(record, "old_s", row->ops[i].old_s);
        nnc_record_number(record, "now_s", row->ops[i].now_s);
        nnc_record_close(record);
    }
    nnc_record_close(record);
    nnc_record_close(record);
}

void nnc_check_write_json(nnc_buffer *out, const char *schema, const nnc_check_report *report)
{
    const nnc_check_sum sum = nnc_check_sum_of(report);
    nnc_record record = nnc_record_begin(out, schema);
    nnc_record_text(&record, "file", report->path);
    if (report->other != NULL) {
        nnc_record_text(&record, "other", report->other);
    } else {
        nnc_record_bool(&record, "passed", sum.passed);
        nnc_record_bool(&record, "updated", report->updated);
        nnc_record_whole(&record, "requirements", sum.requirements);
        nnc_record_whole(&record, "missed", sum.missed);
    }
    nnc_record_text(&record, "tool", report->tool);
    nnc_record_text(&record, "old_tool", report->old_tool);
    nnc_record_list(&record, "scenarios");
    for (int32_t i = 0; i < report->row_count; i++) {
        put_row(&record, report, &report->rows[i]);
    }
    nnc_record_close(&record);
    nnc_record_end(&record);
}

static void put_line(nnc_record *record, bool heading, const nnc_check_row *row,
                     const nnc_change *change)
{
    nnc_record_row(record, heading);
    nnc_record_text(record, "scenario", row->id);
    nnc_record_text(record, "state", nnc_check_state_name(row->state));
    put_change(record, change);
    nnc_record_row_end(record);
}

/* A line per change. */
void nnc_check_write_csv(nnc_buffer *out, const nnc_check_report *report)
{
    static const nnc_figure none = { .name = "", .text = "" };
    static const nnc_change nothing = { .old = &none, .now = &none };
    static const nnc_check_row nobody = { .id = "" };
    nnc_record record = nnc_record_csv(out);
    put_line(&record, true, &nobody, &nothing);
    for (int32_t i = 0; i < report->row_count; i++) {
        for (int32_t k = 0; k < report->rows[i].change_count; k++) {
            put_line(&record, false, &report->rows[i], &report->rows[i].changes[k]);
        }
    }
}
