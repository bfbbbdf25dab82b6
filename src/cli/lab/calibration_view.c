#include "cli/lab/calibration_view.h"

#include <math.h>

#include "render/grid.h"
#include "render/record.h"
#include "render/text.h"

static void number_cell(nnc_grid *grid, double value)
{
    char text[NNC_NUMBER_TEXT];
    nnc_grid_cell(grid, isnan(value) ? "-" : nnc_number_text(value, text));
}

static nnc_status write_fitted(nnc_buffer *out, nnc_style style, nnc_arena *arena,
                               const nnc_calibration_report *report)
{
    static const nnc_grid_column columns[] = {
        { .head = "figure", .left = true },
        { .head = "before" },
        { .head = "after" },
        { .head = "rows" },
        { .head = "", .left = true },
    };
    nnc_grid grid = nnc_grid_begin(arena, columns, (int)(sizeof columns / sizeof columns[0]));
    for (int32_t i = 0; i < report->figure_count; i++) {
        const nnc_calibration_figure *figure = &report->figures[i];
        if (figure->reason == NULL) {
            nnc_grid_cell(&grid, figure->name);
            number_cell(&grid, figure->before);
            number_cell(&grid, figure->after);
            nnc_grid_count(&grid, figure->rows);
            nnc_grid_cell(&grid, figure->at_limit ? "at its limit" : "");
        }
    }
    if (grid.count == 0) {
        nnc_buffer_text(out, "\nno figure is fitted\n");
        return NNC_OK;
    }
    nnc_grid_heading(out, style, "fitted");
    return nnc_grid_write(&grid, out, style);
}

static nnc_status write_left(nnc_buffer *out, nnc_style style, nnc_arena *arena,
                             const nnc_calibration_report *report)
{
    static const nnc_grid_column columns[] = {
        { .head = "figure", .left = true },
        { .head = "value" },
        { .head = "why", .left = true, .shrinks = true },
    };
    nnc_grid grid = nnc_grid_begin(arena, columns, (int)(sizeof columns / sizeof columns[0]));
    for (int32_t i = 0; i < report->figure_count; i++) {
        const nnc_calibration_figure *figure = &report->figures[i];
        if (figure->reason != NULL) {
            nnc_grid_cell(&grid, figure->name);
            number_cell(&grid, figure->before);
            nnc_grid_cell(&grid, figure->reason);
        }
    }
    if (grid.count == 0) {
        return NNC_OK;
    }
    nnc_grid_heading(out, style, "left as they are");
    return nnc_grid_write(&grid, out, style);
}

static void error_row(nnc_grid *grid, const char *name, const char *what,
                      const nnc_score_stats *before, const nnc_score_stats *after,
                      const nnc_score_stats *crossed)
{
    nnc_grid_cell(grid, name);
    nnc_grid_cell(grid, what);
    nnc_grid_count(grid, before->rows);
    nnc_grid_share(grid, before->mape);
    nnc_grid_share(grid, before->median);
    nnc_grid_share(grid, after->mape);
    nnc_grid_share(grid, after->median);
    nnc_grid_share(grid, crossed != NULL ? crossed->mape : (double)NAN);
    nnc_grid_share(grid, crossed != NULL ? crossed->median : (double)NAN);
}

static nnc_status write_errors(nnc_buffer *out, nnc_style style, nnc_arena *arena,
                               const nnc_calibration_report *report)
{
    static const nnc_grid_column columns[] = {
        { .head = "", .left = true }, { .head = "", .left = true },  { .head = "rows" },
        { .head = "MAPE before" },    { .head = "median" },          { .head = "after" },
        { .head = "median" },         { .head = "cross-validated" }, { .head = "median" },
    };
    bool crossed = false;
    nnc_grid grid = nnc_grid_begin(arena, columns, (int)(sizeof columns / sizeof columns[0]));
    for (int32_t i = 0; i < report->group_count; i++) {
        const nnc_calibration_group *g = &report->groups[i];
        crossed = crossed || g->parts > 0;
        if (g->rows > 0) {
            error_row(&grid, g->name, "fitted on", g->before, g->after, g->crossed);
        }
        if (g->held > 0) {
            error_row(&grid, g->name, "held out", g->held_before, g->held_after, NULL);
        }
    }
    nnc_grid_heading(out, style, "errors");
    const nnc_status status = nnc_grid_write(&grid, out, style);
    if (!crossed) {
        nnc_buffer_text(out,
                        "\nno cross-validation: it takes two rows that need not stay together\n");
    }
    return status;
}

static nnc_status write_unused(nnc_buffer *out, nnc_style style, nnc_arena *arena,
                               const nnc_calibration_report *report)
{
    static const nnc_grid_column columns[] = {
        { .head = "rows" },
        { .head = "file", .left = true },
        { .head = "reason", .left = true, .shrinks = true },
        { .head = "the first", .left = true, .shrinks = true, .drop = 1 },
    };
    nnc_grid grid = nnc_grid_begin(arena, columns, (int)(sizeof columns / sizeof columns[0]));
    for (int32_t i = 0; i < report->unused_count; i++) {
        nnc_grid_count(&grid, report->unused[i].rows);
        nnc_grid_cell(&grid, report->unused[i].file);
        nnc_grid_cell(&grid, report->unused[i].reason);
        nnc_grid_cell(&grid, report->unused[i].first);
    }
    if (grid.count == 0) {
        return NNC_OK;
    }
    nnc_grid_heading(out, style, "rows that are not used");
    return nnc_grid_write(&grid, out, style);
}

static nnc_status write_text(nnc_buffer *out, nnc_style style, nnc_arena *arena,
                             const nnc_calibration_report *report)
{
    typedef nnc_status part(nnc_buffer *, nnc_style, nnc_arena *, const nnc_calibration_report *);
    static part *const parts[] = { write_fitted, write_left, write_errors, write_unused };
    nnc_status status = NNC_OK;
    nnc_buffer_print(out, "%s: fitted on %d row%s, %d held out, %d of other devices\n",
                     report->device, (int)report->rows, report->rows == 1 ? "" : "s",
                     (int)report->held, (int)report->other_devices);
    if (report->overrides != NULL) {
        nnc_buffer_print(out, "with %s\n", report->overrides);
    }
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && status == NNC_OK; i++) {
        status = parts[i](out, style, arena, report);
    }
    if (report->written != NULL) {
        nnc_buffer_print(out, "\nwritten to %s\n", report->written);
    } else {
        nnc_buffer_text(out, "\nno device file is written: --output FILE.json writes one\n");
    }
    return status;
}

static void record_figure(nnc_record *record, const nnc_calibration_figure *figure)
{
    nnc_record_text(record, "name", figure->name);
    nnc_record_number(record, "before", figure->before);
    nnc_record_number(record, "after", figure->after);
    nnc_record_whole(record, "rows", figure->rows);
    nnc_record_bool(record, "at_limit", figure->at_limit);
    nnc_record_text(record, "reason", figure->reason);
}

static void record_errors(nnc_record *record, const char *key, const nnc_score_stats *stats)
{
    nnc_record_object(record, key);
    nnc_record_whole(record, "scored", stats->scored);
    nnc_record_number(record, "mape", stats->mape);
    nnc_record_number(record, "median", stats->median);
    nnc_record_number(record, "p90", stats->p90);
    nnc_record_number(record, "bias", stats->bias);
    nnc_record_close(record);
}

static void record_group(nnc_record *record, const nnc_calibration_group *group)
{
    nnc_record_object(record, NULL);
    nnc_record_text(record, "name", group->name);
    nnc_record_whole(record, "rows", group->rows);
    nnc_record_whole(record, "held_out", group->held);
    nnc_record_whole(record, "parts", group->parts);
    record_errors(record, "before", group->before);
    record_errors(record, "after", group->after);
    record_errors(record, "cross_validated", group->crossed);
    record_errors(record, "held_out_before", group->held_before);
    record_errors(record, "held_out_after", group->held_after);
    nnc_record_close(record);
}

static void record_unused(nnc_record *record, const nnc_calibration_unused *unused)
{
    nnc_record_object(record, NULL);
    nnc_record_text(record, "file", unused->file);
    nnc_record_whole(record, "rows", unused->rows);
    nnc_record_text(record, "reason", unused->reason);
    nnc_record_text(record, "first", unused->first);
    nnc_record_close(record);
}

static void write_json(nnc_buffer *out, const nnc_calibration_report *report)
{
    nnc_record record = nnc_record_begin(out, "nncost.calibration/1");
    nnc_record_text(&record, "device", report->device);
    nnc_record_text(&record, "data", report->data);
    nnc_record_text(&record, "overrides", report->overrides);
    nnc_record_text(&record, "written", report->written);
    nnc_record_whole(&record, "rows", report->rows);
    nnc_record_whole(&record, "held_out", report->held);
    nnc_record_whole(&record, "other_devices", report->other_devices);
    nnc_record_list(&record, "figures");
    for (int32_t i = 0; i < report->figure_count; i++) {
        nnc_record_object(&record, NULL);
        record_figure(&record, &report->figures[i]);
        nnc_record_close(&record);
    }
    nnc_record_close(&record);
    nnc_record_list(&record, "groups");
    for (int32_t i = 0; i < report->group_count; i++) {
        record_group(&record, &report->groups[i]);
    }
    nnc_record_close(&record);
    nnc_record_list(&record, "unused");
    for (int32_t i = 0; i < report->unused_count; i++) {
        record_unused(&record, &report->unused[i]);
    }
    nnc_record_close(&record);
    nnc_record_end(&record);
}

static void write_csv(nnc_buffer *out, const nnc_calibration_report *report)
{
    static const nnc_calibration_figure none = { .name = "" };
    nnc_record record = nnc_record_csv(out);
    for (int32_t i = -1; i < report->figure_count; i++) {
        nnc_record_row(&record, i < 0);
        record_figure(&record, i < 0 ? &none : &report->figures[i]);
        nnc_record_row_end(&record);
    }
}

nnc_status nnc_report_calibration(nnc_buffer *out, nnc_style style,
                                  const nnc_calibration_report *report)
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
        status = write_text(out, style, arena, report);
    }
    nnc_arena_destroy(arena);
    return status;
}
