#include "cli/lab/accuracy_view.h"

#include <math.h>

#include "cli/lab/accuracy_text.h"

/* ---- groups ---- */

static nnc_cell get_section(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_score_group *group = place->record;
    (void)text;
    return nnc_text_cell(nnc_score_section_name(group->section));
}

static nnc_cell get_by(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_score_group *group = place->record;
    (void)text;
    return nnc_text_cell(nnc_score_by_name(group->by));
}

static nnc_cell get_group_name(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_score_group *group = place->record;
    (void)text;
    return nnc_text_cell(group->by == NNC_SCORE_BY_FILE ? nnc_accuracy_file_name(group->name)
                                                        : group->name);
}

static nnc_cell get_worst(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_score_group *group = place->record;
    (void)text;
    return nnc_text_cell(group->stats.worst != NULL ? group->stats.worst->row->id : NULL);
}

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
    { .name = "section",
      .type = NNC_METRIC_TEXT,
      .get = get_section,
      .help = "What is compared: steps, memory, matrix products ..." },
    { .name = "by",
      .type = NNC_METRIC_TEXT,
      .get = get_by,
      .head = "by",
      .help = "What its rows have in common." },
    { .name = "name",
      .type = NNC_METRIC_TEXT,
      .get = get_group_name,
      .head = "",
      .help = "The file, device or framework." },
    { .name = "rows",
      .type = NNC_METRIC_WHOLE,
      STATS(rows),
      .head = "rows",
      .help = "Measured rows." },
    { .name = "scored",
      .type = NNC_METRIC_WHOLE,
      STATS(scored),
      .head = "scored",
      .help = "Those with a prediction." },
    { .name = "mape",
      STATS(mape),
      .head = "MAPE",
      .show = NNC_SHOW_PERCENT2,
      .help = "Mean of the absolute errors, predicted / measured - 1." },
    { .name = "median",
      STATS(median),
      .head = "median",
      .show = NNC_SHOW_PERCENT2,
      .help = "Median of the absolute errors." },
    { .name = "p90",
      STATS(p90),
      .head = "p90",
      .show = NNC_SHOW_PERCENT2,
      .help = "Nine tenths of the absolute errors are at most this." },
    { .name = "bias",
      STATS(bias),
      .head = "bias",
      .show = NNC_SHOW_ERROR,
      .help = "Mean of the errors." },
    { .name = "intervals",
      .type = NNC_METRIC_WHOLE,
      STATS(intervals),
      .help = "Rows with a predicted interval." },
    { .name = "inside",
      STATS(inside),
      .head = "inside",
      .show = NNC_SHOW_PERCENT,
      .drop = 1,
      .help = "Share of them whose measurement lies inside." },
    { .name = "worst",
      .type = NNC_METRIC_TEXT,
      .get = get_worst,
      .help = "Id of the row with the largest absolute error." },
    { .name = "worst_error",
      .get = get_worst_error,
      .head = "worst",
      .show = NNC_SHOW_ERROR,
      .help = "Its error." },
    { .head = "", .type = NNC_METRIC_TEXT, .get = get_worst, .shrinks = true, .drop = 2 },
};
#undef STATS
const nnc_metrics nnc_score_group_metrics =
    NNC_METRICS("errors of a group of rows", group_rows, nnc_score_group);

/* ---- rows ---- */

static nnc_cell get_row_file(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_scored *scored = place->record;
    (void)text;
    return nnc_text_cell(nnc_accuracy_file_name(scored->row->file));
}

static nnc_cell get_kind(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_scored *scored = place->record;
    (void)text;
    return nnc_text_cell(nnc_measured_kind_name(scored->row->kind));
}

static nnc_cell get_device(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_scored *scored = place->record;
    (void)text;
    return nnc_text_cell(scored->device != NULL ? scored->device : scored->row->device);
}

static nnc_cell get_memory_stat(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    static const char *const stats[NNC_MEMORY_STAT_COUNT] = { "allocated", "reserved", "unstated" };
    const nnc_scored *scored = place->record;
    (void)text;
    return nnc_text_cell(isnan(scored->memory_error) ? NULL : stats[scored->memory_stat]);
}

static nnc_cell get_measured_bytes(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_scored *scored = place->record;
    (void)text;
    return nnc_number_cell(isnan(scored->memory_error)
                               ? (double)NAN
                               : scored->row->measured_bytes[scored->memory_stat]);
}

#define ROW(member) NNC_VIA(nnc_scored, row), NNC_IN(nnc_measured, member)
static const nnc_metric scored_rows[] = {
    { .name = "id", .type = NNC_METRIC_TEXT, ROW(id), .help = "Id of the row in its file." },
    { .name = "file", .type = NNC_METRIC_TEXT, .get = get_row_file, .help = "Name of the file." },
    { .name = "line", .type = NNC_METRIC_WHOLE, ROW(line), .help = "Line of the file." },
    { .name = "kind",
      .type = NNC_METRIC_TEXT,
      .get = get_kind,
      .help = "What was measured: a step, a kernel, a collective ..." },
    { .name = "device", .type = NNC_METRIC_TEXT, .get = get_device, .help = "Id of the device." },
    { .name = "framework",
      .type = NNC_METRIC_TEXT,
      ROW(framework),
      .help = "What it was measured with." },
    { .name = "software", .type = NNC_METRIC_TEXT, ROW(software), .help = "Software profile." },
    { .name = "undecided",
      .type = NNC_METRIC_TEXT,
      ROW(undecided),
      .help = "Deciding fields that the row leaves open." },
    { .name = "measured_s", ROW(measured_s), .unit = "s", .help = "Measured time." },
    { .name = "rounding", ROW(rounding), .help = "Relative rounding of the measurement." },
    { NNC_NUMBER(nnc_scored, predicted_s), .unit = "s", .help = "Predicted time." },
    { NNC_NUMBER(nnc_scored, error), .help = "predicted / measured - 1." },
    { NNC_NUMBER(nnc_scored, low_s), .unit = "s", .help = "Lower end of the interval." },
    { NNC_NUMBER(nnc_scored, high_s), .unit = "s", .help = "Upper end of the interval." },
    { NNC_NUMBER(nnc_scored, lower_bound_s), .unit = "s", .help = "Lower bound of the time." },
    { NNC_NUMBER(nnc_scored, model_flops), .unit = "FLOP",
      .help = "Model FLOPs of the step, attention over all pairs." },
    { .name = "memory_stat",
      .type = NNC_METRIC_TEXT,
      .get = get_memory_stat,
      .help = "Which memory was measured." },
    { .name = "measured_bytes",
      .get = get_measured_bytes,
      .unit = "B",
      .help = "Measured memory." },
    { NNC_NUMBER(nnc_scored, predicted_bytes), .unit = "B", .help = "Predicted memory." },
    { NNC_NUMBER(nnc_scored, memory_error), .help = "predicted / measured - 1." },
    { NNC_TEXT(nnc_scored, reason), .help = "Why there is no prediction." },
};
static const nnc_metrics scored = NNC_METRICS("a row and its prediction", scored_rows, nnc_scored);

static const nnc_metric line_rows[] = {
    { .name = "id", .type = NNC_METRIC_TEXT, ROW(id) },
    { .name = "measured", ROW(measured_s) },
    { .name = "predicted", NNC_IN(nnc_scored, predicted_s) },
    { .name = "error", NNC_IN(nnc_scored, error) },
    { .name = "low", NNC_IN(nnc_scored, low_s) },
    { .name = "high", NNC_IN(nnc_scored, high_s) },
    { .name = "reason", .type = NNC_METRIC_TEXT, NNC_IN(nnc_scored, reason) },
};
#undef ROW
static const nnc_metrics lines = NNC_METRICS("a line of CSV", line_rows, nnc_scored);

/* ---- files, and all of it ---- */

static nnc_cell get_file(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_measured_file *file = place->record;
    (void)text;
    return nnc_text_cell(nnc_accuracy_file_name(file->path));
}

static const nnc_metric file_rows[] = {
    { .name = "file", .type = NNC_METRIC_TEXT, .get = get_file, .help = "Name of the file." },
    { .name = "rows",
      .type = NNC_METRIC_WHOLE,
      NNC_IN(nnc_measured_file, count),
      .help = "Rows that it has." },
    { .name = "unused_columns",
      .type = NNC_METRIC_TEXTS,
      NNC_IN(nnc_measured_file, unused),
      NNC_COUNT(nnc_measured_file, unused_count),
      .help = "Columns that no prediction uses." },
};
static const nnc_metrics files = NNC_METRICS("a file of rows", file_rows, nnc_measured_file);

static const nnc_metric document_rows[] = {
    { NNC_TEXT(nnc_accuracy_report, overrides), .help = "Fields that --set changed." },
    { .name = "files",
      .type = NNC_METRIC_LIST,
      NNC_IN(nnc_accuracy_report, files),
      NNC_COUNT(nnc_accuracy_report, file_count),
      .rows = &files,
      .help = "The files." },
    { .name = "groups",
      .type = NNC_METRIC_LIST,
      NNC_IN(nnc_accuracy_report, groups),
      NNC_COUNT(nnc_accuracy_report, group_count),
      .rows = &nnc_score_group_metrics,
      .help = "Errors by section, and there by file, device, framework and in total." },
    { .name = "rows",
      .type = NNC_METRIC_LIST,
      NNC_IN(nnc_accuracy_report, rows),
      NNC_COUNT(nnc_accuracy_report, count),
      .rows = &scored,
      .help = "Every row." },
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
