#include "cli/lab/accuracy_view.h"

#include <math.h>

#include "cli/lab/accuracy_text.h"
#include "render/record.h"

static void record_group(nnc_record *record, const nnc_score_group *group)
{
    const nnc_score_stats *s = &group->stats;
    nnc_record_object(record, NULL);
    nnc_record_text(record, "section", nnc_score_section_name(group->section));
    nnc_record_text(record, "by", nnc_score_by_name(group->by));
    nnc_record_text(record, "name", nnc_accuracy_group_name(group));
    nnc_record_whole(record, "rows", s->rows);
    nnc_record_whole(record, "scored", s->scored);
    nnc_record_number(record, "mape", s->mape);
    nnc_record_number(record, "median", s->median);
    nnc_record_number(record, "p90", s->p90);
    nnc_record_number(record, "bias", s->bias);
    nnc_record_whole(record, "intervals", s->intervals);
    nnc_record_number(record, "inside", s->inside);
    nnc_record_text(record, "worst", s->worst != NULL ? s->worst->row->id : NULL);
    nnc_record_number(record, "worst_error", nnc_accuracy_worst(group));
    nnc_record_close(record);
}

static double first_memory(const nnc_scored *scored)
{
    return isnan(scored->memory_error) ? (double)NAN
                                       : scored->row->measured_bytes[scored->memory_stat];
}

static void record_row(nnc_record *record, const nnc_scored *scored)
{
    static const char *const stats[NNC_MEMORY_STAT_COUNT] = { "allocated", "reserved", "unstated" };
    const nnc_measured *row = scored->row;
    nnc_record_object(record, NULL);
    nnc_record_text(record, "id", row->id);
    nnc_record_text(record, "file", nnc_accuracy_file_name(row->file));
    nnc_record_whole(record, "line", row->line);
    nnc_record_text(record, "kind", nnc_measured_kind_name(row->kind));
    nnc_record_text(record, "device", scored->device != NULL ? scored->device : row->device);
    nnc_record_text(record, "framework", row->framework);
    nnc_record_text(record, "software", row->software);
    nnc_record_text(record, "undecided", row->undecided);
    nnc_record_number(record, "measured_s", row->measured_s);
    nnc_record_number(record, "rounding", row->rounding);
    nnc_record_number(record, "predicted_s", scored->predicted_s);
    nnc_record_number(record, "error", scored->error);
    nnc_record_number(record, "low_s", scored->low_s);
    nnc_record_number(record, "high_s", scored->high_s);
    nnc_record_number(record, "lower_bound_s", scored->lower_bound_s);
    nnc_record_number(record, "model_flops", scored->model_flops);
    nnc_record_text(record, "memory_stat",
                    isnan(scored->memory_error) ? NULL : stats[scored->memory_stat]);
    nnc_record_number(record, "measured_bytes", first_memory(scored));
    nnc_record_number(record, "predicted_bytes", scored->predicted_bytes);
    nnc_record_number(record, "memory_error", scored->memory_error);
    nnc_record_text(record, "reason", scored->reason);
    nnc_record_close(record);
}

static void record_file(nnc_record *record, const nnc_measured_file *file)
{
    nnc_record_object(record, NULL);
    nnc_record_text(record, "file", nnc_accuracy_file_name(file->path));
    nnc_record_whole(record, "rows", file->count);
    nnc_record_list(record, "unused_columns");
    for (int32_t i = 0; i < file->unused_count; i++) {
        nnc_record_text(record, NULL, file->unused[i]);
    }
    nnc_record_close(record);
    nnc_record_close(record);
}

static void write_json(nnc_buffer *out, const nnc_accuracy_report *report)
{
    nnc_record record = nnc_record_begin(out, "nncost.accuracy/1");
    nnc_record_text(&record, "overrides", report->overrides);
    nnc_record_list(&record, "files");
    for (int32_t i = 0; i < report->file_count; i++) {
        record_file(&record, &report->files[i]);
    }
    nnc_record_close(&record);
    nnc_record_list(&record, "groups");
    for (int32_t i = 0; i < report->group_count; i++) {
        record_group(&record, &report->groups[i]);
    }
    nnc_record_close(&record);
    nnc_record_list(&record, "rows");
    for (int32_t i = 0; i < report->count; i++) {
        record_row(&record, &report->rows[i]);
    }
    nnc_record_close(&record);
    nnc_record_end(&record);
}

static void write_csv(nnc_buffer *out, const nnc_accuracy_report *report)
{
    static const nnc_measured empty = { .id = "" };
    const nnc_scored none = { .row = &empty };
    nnc_record record = nnc_record_csv(out);
    for (int32_t i = -1; i < report->count; i++) {
        const nnc_scored *scored = i < 0 ? &none : &report->rows[i];
        nnc_record_row(&record, i < 0);
        nnc_record_text(&record, "id", scored->row->id);
        nnc_record_number(&record, "measured", scored->row->measured_s);
        nnc_record_number(&record, "predicted", scored->predicted_s);
        nnc_record_number(&record, "error", scored->error);
        nnc_record_number(&record, "low", scored->low_s);
        nnc_record_number(&record, "high", scored->high_s);
        nnc_record_text(&record, "reason", scored->reason);
        nnc_record_row_end(&record);
    }
}

nnc_status nnc_report_accuracy(nnc_buffer *out, nnc_style style, const nnc_accuracy_report *report)
{
    nnc_status status = NNC_NO_MEMORY;
    nnc_arena *arena = NULL;
    switch (style.format) {
    case NNC_FORMAT_JSON: write_json(out, report); return NNC_OK;
    case NNC_FORMAT_CSV: write_csv(out, report); return NNC_OK;
    default: break;
    }
    arena = nnc_arena_create();
    if (arena != NULL) {
        status = nnc_accuracy_write_text(out, style, arena, report);
    }
    nnc_arena_destroy(arena);
    return status;
}
