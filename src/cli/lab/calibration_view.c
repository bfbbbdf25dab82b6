#include "cli/lab/calibration_view.h"

#include <math.h>

#include "render/sheet.h"
#include "render/table.h"
#include "render/text.h"

/* ---- figures ---- */

NNC_IF(is_fitted, nnc_calibration_figure, self->reason == NULL)

static bool is_left(const nnc_place *place)
{
    return !is_fitted(place);
}

NNC_GET(get_remark, nnc_calibration_figure, nnc_text_cell(self->at_limit ? "at its limit" : ""))

static const nnc_metric figure_rows[] = {
    NNC_TEXT(nnc_calibration_figure, name, .head = "figure", .help = "Name in the file."),
    NNC_NUMBER(nnc_calibration_figure, before, .head = "before", .show = NNC_SHOW_PLAIN,
               .help = "What the file had."),
    NNC_NUMBER(nnc_calibration_figure, after, .head = "after", .show = NNC_SHOW_PLAIN,
               .help = "What was fitted."),
    NNC_WHOLE(nnc_calibration_figure, rows, .head = "rows", .help = "Rows it was fitted to."),
    NNC_BOOL(nnc_calibration_figure, at_limit, .help = "Whether the fit ended at a limit."),
    NNC_TEXT(nnc_calibration_figure, reason, .help = "Why it was not fitted."),
    NNC_HEAD("", TEXT, .get = get_remark),
};
static const nnc_metrics figures =
    NNC_METRICS("a figure of the device", figure_rows, nnc_calibration_figure);
static const nnc_metrics fitted = { .rows = figure_rows,
                                    .count = sizeof figure_rows / sizeof figure_rows[0],
                                    .record_size = sizeof(nnc_calibration_figure),
                                    .listed = is_fitted };

static const nnc_metric left_rows[] = {
    NNC_HEAD("figure", TEXT, NNC_IN(nnc_calibration_figure, name)),
    NNC_HEAD("value", NUMBER, NNC_IN(nnc_calibration_figure, before), .show = NNC_SHOW_PLAIN),
    NNC_HEAD("why", TEXT, NNC_IN(nnc_calibration_figure, reason), .shrinks = true),
};
static const nnc_metrics left = { .rows = left_rows,
                                  .count = sizeof left_rows / sizeof left_rows[0],
                                  .record_size = sizeof(nnc_calibration_figure),
                                  .listed = is_left };

/* ---- errors ---- */

static const nnc_metric error_rows[] = {
    NNC_WHOLE(nnc_score_stats, scored, .help = "Rows with a prediction."),
    NNC_NUMBER(nnc_score_stats, mape, .help = "Mean of the absolute errors."),
    NNC_NUMBER(nnc_score_stats, median, .help = "Median of the absolute errors."),
    NNC_NUMBER(nnc_score_stats, p90,
               .help = "Nine tenths of the absolute errors are at most this."),
    NNC_NUMBER(nnc_score_stats, bias, .help = "Mean of the errors."),
};
static const nnc_metrics errors = NNC_METRICS("errors of rows", error_rows, nnc_score_stats);

#define ERRORS(member) NNC_VIA(nnc_calibration_group, member), .rows = &errors
static const nnc_metric group_rows[] = {
    NNC_TEXT(nnc_calibration_group, name, .help = "What its rows have in common."),
    NNC_WHOLE(nnc_calibration_group, rows, .help = "Rows that were fitted to."),
    NNC_AS("held_out", WHOLE, NNC_IN(nnc_calibration_group, held),
           .help = "Rows that were held out."),
    NNC_WHOLE(nnc_calibration_group, parts, .help = "Parts of the cross-validation."),
    NNC_AS("before", OBJECT, ERRORS(before), .help = "Of the rows fitted to, before."),
    NNC_AS("after", OBJECT, ERRORS(after), .help = "Of them, after."),
    NNC_AS("cross_validated", OBJECT, ERRORS(crossed),
           .help = "Of them, each predicted by a fit without it."),
    NNC_AS("held_out_before", OBJECT, ERRORS(held_before), .help = "Of those held out, before."),
    NNC_AS("held_out_after", OBJECT, ERRORS(held_after), .help = "Of those held out, after."),
};
#undef ERRORS
static const nnc_metrics groups = NNC_METRICS("a group of rows", group_rows, nnc_calibration_group);

/* ---- all of it ---- */

static const nnc_metric document_rows[] = {
    NNC_TEXT(nnc_calibration_report, device, .help = "Id of the device whose figures they are."),
    NNC_TEXT(nnc_calibration_report, software,
             .help = "Id of the engine whose figures they are, of what is served."),
    NNC_TEXT(nnc_calibration_report, data, .help = "The files and rows."),
    NNC_TEXT(nnc_calibration_report, overrides, .help = "Fields that --set changed."),
    NNC_TEXT(nnc_calibration_report, written, .help = "The device file that was written."),
    NNC_WHOLE(nnc_calibration_report, rows, .help = "Rows that were fitted to."),
    NNC_AS("held_out", WHOLE, NNC_IN(nnc_calibration_report, held),
           .help = "Rows that were held out."),
    NNC_WHOLE(nnc_calibration_report, other_devices, .help = "Rows of other devices."),
    NNC_AS("figures", LIST, NNC_IN(nnc_calibration_report, figures),
           NNC_COUNT(nnc_calibration_report, figure_count), .rows = &figures,
           .help = "Figures of the device."),
    NNC_AS("groups", LIST, NNC_IN(nnc_calibration_report, groups),
           NNC_COUNT(nnc_calibration_report, group_count), .rows = &groups,
           .help = "Errors by group of rows."),
    NNC_AS("unused", LIST, NNC_IN(nnc_calibration_report, unused),
           NNC_COUNT(nnc_calibration_report, unused_count), .rows = &nnc_left_out_metrics,
           .help = "Rows that are not used."),
};
static const nnc_metrics document =
    NNC_METRICS("a calibration", document_rows, nnc_calibration_report);

static nnc_lines lines_of(const void *record)
{
    const nnc_calibration_report *report = record;
    return (nnc_lines){ &figures, report, report->figures, report->figure_count };
}

/* ---- for people ---- */

static void put_percent(nnc_table *table, double share)
{
    nnc_buffer_print(&table->cells, isnan(share) ? "-" : "%.2f%%", 100.0 * share);
    nnc_table_cell(table, "");
}

static void put_errors(nnc_table *table, const char *name, const char *what,
                       const nnc_score_stats *before, const nnc_score_stats *after,
                       const nnc_score_stats *crossed)
{
    nnc_table_cell(table, name);
    nnc_table_cell(table, what);
    nnc_table_whole(table, before->rows);
    put_percent(table, before->mape);
    put_percent(table, before->median);
    put_percent(table, after->mape);
    put_percent(table, after->median);
    put_percent(table, crossed != NULL ? crossed->mape : (double)NAN);
    put_percent(table, crossed != NULL ? crossed->median : (double)NAN);
}

static void write_errors(nnc_buffer *out, nnc_style style, const nnc_calibration_report *report)
{
    static const nnc_head heads[] = {
        { .text = "", .left = true }, { .text = "", .left = true },  { .text = "rows" },
        { .text = "MAPE before" },    { .text = "median" },          { .text = "after" },
        { .text = "median" },         { .text = "cross-validated" }, { .text = "median" },
    };
    bool crossed = false;
    nnc_table table;
    nnc_table_begin(&table, heads, sizeof heads / sizeof heads[0]);
    for (int32_t i = 0; i < report->group_count; i++) {
        const nnc_calibration_group *g = &report->groups[i];
        crossed = crossed || g->parts > 0;
        if (g->rows > 0) {
            put_errors(&table, g->name, "fitted on", g->before, g->after, g->crossed);
        }
        if (g->held > 0) {
            put_errors(&table, g->name, "held out", g->held_before, g->held_after, NULL);
        }
    }
    nnc_sheet_heading(out, style, "errors");
    nnc_table_write(&table, out, style);
    if (!crossed) {
        nnc_buffer_text(out,
                        "\nno cross-validation: it takes two rows that need not stay together\n");
    }
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record)
{
    const nnc_calibration_report *report = record;
    nnc_lines lines = lines_of(report);
    const bool served = report->software != NULL;
    nnc_buffer_print(out, "%s: fitted on %d row%s, %d held out, %d of other %s\n",
                     served ? report->software : report->device, (int)report->rows,
                     report->rows == 1 ? "" : "s", (int)report->held, (int)report->other_devices,
                     served ? "engines or devices" : "devices");
    if (report->overrides != NULL) {
        nnc_buffer_print(out, "with %s\n", report->overrides);
    }
    lines.metrics = &fitted;
    if (!nnc_table_under(out, style, lines, "fitted")) {
        nnc_buffer_text(out, "\nno figure is fitted\n");
    }
    lines.metrics = &left;
    (void)nnc_table_under(out, style, lines, "left as they are");
    write_errors(out, style, report);
    (void)nnc_table_under(
        out, style,
        (nnc_lines){ &nnc_left_out_metrics, report, report->unused, report->unused_count },
        "rows that are not used");
    if (report->written != NULL) {
        nnc_buffer_text(out, "\nwritten to ");
        nnc_put_plain(out, report->written, nnc_text_width(report->written));
        nnc_buffer_byte(out, '\n');
    } else {
        nnc_buffer_print(out, "\nno %s is written: --output FILE.json writes one\n",
                         served ? "profile" : "device file");
    }
}

const nnc_view nnc_calibration_view = {
    .schema = "nncost.calibration/1", .document = &document, .lines = lines_of, .page = write_page
};
