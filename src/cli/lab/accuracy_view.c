#include "cli/lab/accuracy_view.h"

#include <math.h>

#include "cli/lab/accuracy_text.h"

/* ---- groups ---- */

NNC_GET(get_section, nnc_score_group, nnc_text_cell(nnc_score_section_name(self->section)))

NNC_GET(get_by, nnc_score_group, nnc_text_cell(nnc_score_by_name(self->by)))

NNC_GET(get_group_name, nnc_score_group,
        nnc_text_cell(self->by == NNC_SCORE_BY_FILE || self->by == NNC_SCORE_FITTED ||
                              self->by == NNC_SCORE_UNFITTED
                          ? nnc_measured_file_name(self->name)
                          : self->name))

NNC_GET(get_worst, nnc_score_group,
        nnc_text_cell(self->stats.worst != NULL ? self->stats.worst->row->id : NULL))

static nnc_cell get_worst_error(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_score_group *group = place->record;
    const nnc_scored *worst = group->stats.worst;
    const bool memory =
        group->section == NNC_SECTION_MEMORY || group->section == NNC_SECTION_MEMORY_APART;
    (void)text;
    return nnc_number_cell(worst == NULL ? (double)NAN
                           : memory      ? worst->memory_error
                                         : worst->error);
}

#define STATS(member) NNC_IN(nnc_score_group, stats.member)
static const nnc_metric group_rows[] = {
    NNC_AS("section", TEXT, .get = get_section,
           .help = "What is compared: steps, memory, matrix products ..."),
    NNC_AS("by", TEXT, .get = get_by, .head = "by", .help = "What its rows have in common."),
    NNC_AS("name", TEXT, .get = get_group_name, .head = "",
           .help = "The file, device or framework."),
    NNC_AS("rows", WHOLE, STATS(rows), .head = "rows", .help = "Measured rows."),
    NNC_AS("scored", WHOLE, STATS(scored), .head = "scored", .help = "Those with a prediction."),
    NNC_AS("mape", NUMBER, STATS(mape), .head = "MAPE", .show = NNC_SHOW_PERCENT2,
           .help = "Mean of the absolute errors, predicted / measured - 1."),
    NNC_AS("median", NUMBER, STATS(median), .head = "median", .show = NNC_SHOW_PERCENT2,
           .help = "Median of the absolute errors."),
    NNC_AS("p90", NUMBER, STATS(p90), .head = "p90", .show = NNC_SHOW_PERCENT2,
           .help = "Nine tenths of the absolute errors are at most this."),
    NNC_AS("bias", NUMBER, STATS(bias), .head = "bias", .show = NNC_SHOW_ERROR,
           .help = "Mean of the errors."),
    NNC_AS("intervals", WHOLE, STATS(intervals), .help = "Rows with a predicted interval."),
    NNC_AS("inside", NUMBER, STATS(inside), .head = "inside", .show = NNC_SHOW_PERCENT, .drop = 1,
           .help = "Share of them whose measurement lies inside."),
    NNC_AS("worst", TEXT, .get = get_worst,
           .help = "Id of the row with the largest absolute error."),
    NNC_AS("worst_error", NUMBER, .get = get_worst_error, .head = "worst", .show = NNC_SHOW_ERROR,
           .help = "Its error."),
    NNC_HEAD("", TEXT, .get = get_worst, .shrinks = true, .drop = 2),
};
#undef STATS
const nnc_metrics nnc_score_group_metrics =
    NNC_METRICS("errors of a group of rows", group_rows, nnc_score_group);

/* ---- rows ---- */

NNC_GET(get_row_file, nnc_scored, nnc_text_cell(nnc_measured_file_name(self->row->file)))

NNC_GET(get_kind, nnc_scored, nnc_text_cell(nnc_measured_kind_name(self->row->kind)))

NNC_GET(get_served, nnc_scored,
        nnc_text_cell(self->row->kind == NNC_MEASURED_SERVING ? nnc_served_name(self->row->served)
                                                              : NULL))

NNC_GET(get_device, nnc_scored,
        nnc_text_cell(self->device != NULL ? self->device : self->row->device))

NNC_GET(get_memory_stat, nnc_scored,
        nnc_text_cell(isnan(self->memory_error) ? NULL : nnc_memory_stat_name(self->memory_stat)))

NNC_GET(get_measured_bytes, nnc_scored,
        nnc_number_cell(isnan(self->memory_error) ? (double)NAN
                                                  : self->row->measured_bytes[self->memory_stat]))

#define ROW(member) NNC_VIA(nnc_scored, row), NNC_IN(nnc_measured, member)
static const nnc_metric scored_rows[] = {
    NNC_AS("id", TEXT, ROW(id), .help = "Id of the row in its file."),
    NNC_AS("file", TEXT, .get = get_row_file, .help = "Name of the file."),
    NNC_AS("line", WHOLE, ROW(line), .help = "Line of the file."),
    NNC_AS("kind", TEXT, .get = get_kind,
           .help = "What was measured: a step, a kernel, a collective ..."),
    NNC_AS("served", TEXT, .get = get_served,
           .help = "Of requests that were served: which time, by the column that has it."),
    NNC_AS("device", TEXT, .get = get_device, .help = "Id of the device."),
    NNC_AS("framework", TEXT, ROW(framework), .help = "What it was measured with."),
    NNC_AS("software", TEXT, ROW(software), .help = "Software profile."),
    NNC_AS("source", TEXT, ROW(source), .help = "Repository or document of its source."),
    NNC_AS("model", TEXT, ROW(model_name), .help = "Name of its model."),
    NNC_AS("fitted", BOOL, ROW(fitted), .help = "Whether its group is one that fits may see."),
    NNC_AS("undecided", TEXT, ROW(undecided), .help = "Deciding fields that the row leaves open."),
    NNC_AS("measured_s", NUMBER, ROW(measured_s), .unit = "s", .help = "Measured time."),
    NNC_AS("rounding", NUMBER, ROW(rounding), .help = "Relative rounding of the measurement."),
    NNC_NUMBER(nnc_scored, predicted_s, .unit = "s", .help = "Predicted time."),
    NNC_NUMBER(nnc_scored, error, .help = "predicted / measured - 1."),
    NNC_NUMBER(nnc_scored, low_s, .unit = "s", .help = "Lower end of the interval."),
    NNC_NUMBER(nnc_scored, high_s, .unit = "s", .help = "Upper end of the interval."),
    NNC_NUMBER(nnc_scored, lower_bound_s, .unit = "s", .help = "Lower bound of the time."),
    NNC_NUMBER(nnc_scored, model_flops, .unit = "FLOP",
               .help = "Model FLOPs of the step, attention over all pairs."),
    NNC_AS("memory_stat", TEXT, .get = get_memory_stat, .help = "Which memory was measured."),
    NNC_AS("measured_bytes", NUMBER, .get = get_measured_bytes, .unit = "B",
           .help = "Measured memory."),
    NNC_NUMBER(nnc_scored, predicted_bytes, .unit = "B", .help = "Predicted memory.",
               .more = NNC_MORE(.same_as = "memory.total_bytes")),
    NNC_NUMBER(nnc_scored, most_bytes, .unit = "B",
               .help = "Upper end of the predicted memory, above which one peak in ten lies."),
    NNC_NAMED(nnc_scored, fit, nnc_verdict_name, NNC_VERDICT_COUNT,
              .help = "Whether the step, which ran, is predicted to fit."),
    NNC_NUMBER(nnc_scored, memory_error, .help = "predicted / measured - 1."),
    NNC_TEXT(nnc_scored, what, .help = "Device, profile and family, with --summary."),
    NNC_TEXT(nnc_scored, reason, .help = "Why there is no prediction."),
};
static const nnc_metrics scored = NNC_METRICS("a row and its prediction", scored_rows, nnc_scored);

static const nnc_metric line_rows[] = {
    NNC_AS("id", TEXT, ROW(id)),
    NNC_AS("measured", NUMBER, ROW(measured_s)),
    NNC_AS("predicted", NUMBER, NNC_IN(nnc_scored, predicted_s)),
    NNC_AS("error", NUMBER, NNC_IN(nnc_scored, error)),
    NNC_AS("low", NUMBER, NNC_IN(nnc_scored, low_s)),
    NNC_AS("high", NUMBER, NNC_IN(nnc_scored, high_s)),
    NNC_AS("reason", TEXT, NNC_IN(nnc_scored, reason)),
};
#undef ROW
static const nnc_metrics lines = NNC_METRICS("a line of CSV", line_rows, nnc_scored);

/* ---- files, and all of it ---- */

NNC_GET(get_file, nnc_measured_file, nnc_text_cell(nnc_measured_file_name(self->path)))

static const nnc_metric file_rows[] = {
    NNC_AS("file", TEXT, .get = get_file, .help = "Name of the file."),
    NNC_AS("rows", WHOLE, NNC_IN(nnc_measured_file, count), .help = "Rows that it has."),
    NNC_AS("unused_columns", TEXTS, NNC_IN(nnc_measured_file, unused),
           NNC_COUNT(nnc_measured_file, unused_count), .help = "Columns that no prediction uses."),
};
static const nnc_metrics files = NNC_METRICS("a file of rows", file_rows, nnc_measured_file);

static const nnc_metric document_rows[] = {
    NNC_TEXT(nnc_accuracy_report, overrides, .help = "Fields that --set changed."),
    NNC_AS("files", LIST, NNC_IN(nnc_accuracy_report, files),
           NNC_COUNT(nnc_accuracy_report, file_count), .rows = &files, .help = "The files."),
    NNC_AS("groups", LIST, NNC_IN(nnc_accuracy_report, groups),
           NNC_COUNT(nnc_accuracy_report, group_count), .rows = &nnc_score_group_metrics,
           .help = "Errors by section, and there by file, device, framework and in total."),
    NNC_AS("rows", LIST, NNC_IN(nnc_accuracy_report, rows), NNC_COUNT(nnc_accuracy_report, count),
           .rows = &scored, .help = "Every row."),
};
const nnc_metrics nnc_accuracy_document =
    NNC_METRICS("predictions beside measurements", document_rows, nnc_accuracy_report);

static nnc_lines lines_of(const void *record)
{
    const nnc_accuracy_report *report = record;
    return (nnc_lines){ &lines, report, report->rows, report->count };
}

const nnc_view nnc_accuracy_view = { .schema = "nncost.accuracy/1",
                                     .document = &nnc_accuracy_document,
                                     .lines = lines_of,
                                     .page = nnc_accuracy_page };
