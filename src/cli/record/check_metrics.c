/* What a check, or a comparison of two estimates, says. */
#include <math.h>
#include <stdio.h>

#include "base/names.h"
#include "base/number.h"
#include "cli/record/check_view.h"

NNC_ENUM_NAMES(nnc_check_state, NNC_CHECK_STATE_LIST)

static const char *kind_name(unsigned kind)
{
    static const char *const names[NNC_CHANGE_KIND_COUNT] = {
        [NNC_CHANGE_MOVED] = "moved",
        [NNC_CHANGE_GONE] = "gone",
        [NNC_CHANGE_NEW] = "new",
        [NNC_CHANGE_WITHIN] = "within tolerance",
    };
    return names[kind];
}

static nnc_cell cell_of(const nnc_figure *figure)
{
    return figure == NULL         ? (nnc_cell){ .kind = NNC_CELL_NULL }
           : figure->text != NULL ? nnc_text_cell(figure->text)
                                  : nnc_number_cell(figure->number);
}

/* ---- changes ---- */

static nnc_cell get_figure(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    (void)text;
    return nnc_text_cell(nnc_change_name(place->record));
}

static nnc_cell get_old(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    (void)text;
    return cell_of(((const nnc_change *)place->record)->old);
}

static nnc_cell get_now(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    (void)text;
    return cell_of(((const nnc_change *)place->record)->now);
}

static const nnc_metric change_rows[] = {
    { .name = "figure", .type = NNC_METRIC_TEXT, .get = get_figure, .help = "Name of the metric." },
    { NNC_NAMED(nnc_change, kind, kind_name, NNC_CHANGE_KIND_COUNT), .help = "What happened." },
    { .name = "old", .type = NNC_METRIC_ANY, .get = get_old, .help = "What was recorded." },
    { .name = "now", .type = NNC_METRIC_ANY, .get = get_now, .help = "What it is now." },
    { NNC_NUMBER(nnc_change, relative),
      .help = "The change over what was recorded; null for texts, and from zero." },
};
static const nnc_metrics changes = NNC_METRICS("a metric that differs", change_rows, nnc_change);

/* ---- requirements ---- */

static nnc_cell get_found(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    (void)text;
    return cell_of(((const nnc_check_verdict *)place->record)->figure);
}

static const nnc_metric verdict_rows[] = {
    { .name = "figure",
      .type = NNC_METRIC_TEXT,
      NNC_VIA(nnc_check_verdict, figure),
      NNC_IN(nnc_figure, name),
      .help = "Name of the metric." },
    { .name = "rule",
      .type = NNC_METRIC_TEXT,
      NNC_VIA(nnc_check_verdict, requirement),
      NNC_IN(nnc_requirement, rule),
      .help = "What is required of it." },
    { .name = "found", .type = NNC_METRIC_ANY, .get = get_found, .help = "What it is." },
    { NNC_BOOL(nnc_check_verdict, met), .help = "Whether it meets the rule." },
};
static const nnc_metrics verdicts = NNC_METRICS("a requirement", verdict_rows, nnc_check_verdict);

/* ---- ops ---- */

static nnc_cell get_difference(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_check_op *op = place->record;
    char number[NNC_NUMBER_TEXT];
    const double by = (isnan(op->now_s) ? 0 : op->now_s) - (isnan(op->old_s) ? 0 : op->old_s);
    snprintf(text, NNC_METRIC_TEXT_MAX, "%s%s", by > 0 ? "+" : "", nnc_unit_text(by, "s", number));
    return nnc_text_cell(text);
}

static const nnc_metric op_rows[] = {
    { NNC_TEXT(nnc_check_op, name), .head = "op", .shrinks = true, .help = "Name of the op." },
    { NNC_TEXT(nnc_check_op, phase), .head = "phase", .help = "Phase of the step." },
    { NNC_NUMBER(nnc_check_op, old_s), .head = "old", .unit = "s", .help = "Its time before." },
    { NNC_NUMBER(nnc_check_op, now_s), .head = "new", .unit = "s", .help = "Its time now." },
    { .head = "difference", .type = NNC_METRIC_NUMBER, .get = get_difference },
};
const nnc_metrics nnc_check_op_metrics =
    NNC_METRICS("an op that takes another time", op_rows, nnc_check_op);

/* ---- scenarios ---- */

static const char step_total[] = "step.step_s", memory_total[] = "memory.total_bytes";

static nnc_cell responsible_for(const nnc_place *place, const char *total)
{
    const nnc_check_row *row = place->record;
    double moved_by = 0;
    return nnc_text_cell(nnc_figures_responsible(row->old, row->now, total, &moved_by));
}

static nnc_cell get_step_part(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    (void)text;
    return responsible_for(place, step_total);
}

static nnc_cell get_memory_part(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    (void)text;
    return responsible_for(place, memory_total);
}

static const nnc_metric responsible_rows[] = {
    { .name = step_total,
      .type = NNC_METRIC_TEXT,
      .get = get_step_part,
      .help = "The part of the step that moved most in its direction." },
    { .name = memory_total,
      .type = NNC_METRIC_TEXT,
      .get = get_memory_part,
      .help = "The part of the memory that moved most in its direction." },
};
static const nnc_metrics responsible =
    NNC_METRICS("the part that a total moved by", responsible_rows, nnc_check_row);

static bool is_check(const nnc_place *place)
{
    return ((const nnc_check_report *)place->owner)->other == NULL;
}

static nnc_cell get_failed(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    (void)text;
    return (nnc_cell){ .kind = NNC_CELL_BOOL,
                       .flag = nnc_check_row_failed(place->owner, place->record) };
}

static const nnc_metric row_rows[] = {
    { NNC_TEXT(nnc_check_row, id), .help = "Id of the scenario." },
    { NNC_WHOLE(nnc_check_row, line), .blank_zero = true, .help = "Its line in the plan file." },
    { NNC_NAMED(nnc_check_row, state, nnc_check_state_name, NNC_CHECK_STATE_COUNT),
      .help = "How it compares with what was recorded." },
    { .name = "failed",
      .type = NNC_METRIC_BOOL,
      .get = get_failed,
      .when = is_check,
      .help = "Whether it moved without being accepted, or misses a requirement." },
    { .name = "why",
      .type = NNC_METRIC_TEXTS,
      NNC_IN(nnc_check_row, causes),
      NNC_COUNT(nnc_check_row, cause_count),
      .help = "What changed: the plan, a file, the tool." },
    { .name = "responsible",
      .type = NNC_METRIC_OBJECT,
      .rows = &responsible,
      .help = "The part that each total moved by." },
    { .name = "requirements",
      .type = NNC_METRIC_LIST,
      NNC_IN(nnc_check_row, verdicts),
      NNC_COUNT(nnc_check_row, verdict_count),
      .rows = &verdicts,
      .help = "Its requirements." },
    { .name = "changes",
      .type = NNC_METRIC_LIST,
      NNC_IN(nnc_check_row, changes),
      NNC_COUNT(nnc_check_row, change_count),
      .rows = &changes,
      .help = "Metrics that differ, the largest change first." },
    { .name = "ops",
      .type = NNC_METRIC_LIST,
      NNC_IN(nnc_check_row, ops),
      NNC_COUNT(nnc_check_row, op_count),
      .rows = &nnc_check_op_metrics,
      .help = "Ops that differ, where both sides list them." },
};
static const nnc_metrics rows = NNC_METRICS("a scenario", row_rows, nnc_check_row);

/* ---- all of it ---- */

static nnc_cell get_passed(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    (void)text;
    return (nnc_cell){ .kind = NNC_CELL_BOOL, .flag = nnc_check_sum_of(place->record).passed };
}

static nnc_cell get_requirements(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    (void)text;
    return (nnc_cell){ .kind = NNC_CELL_WHOLE,
                       .whole = nnc_check_sum_of(place->record).requirements };
}

static nnc_cell get_missed(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    (void)text;
    return (nnc_cell){ .kind = NNC_CELL_WHOLE, .whole = nnc_check_sum_of(place->record).missed };
}

static const nnc_metric rest_rows[] = {
    { NNC_TEXT(nnc_check_report, tool), .help = "Version that made the new figures." },
    { NNC_TEXT(nnc_check_report, old_tool), .help = "Version that made the old ones." },
    { .name = "scenarios",
      .type = NNC_METRIC_LIST,
      NNC_IN(nnc_check_report, rows),
      NNC_COUNT(nnc_check_report, row_count),
      .rows = &rows,
      .help = "The scenarios." },
};
static const nnc_metrics rest = NNC_METRICS("scenarios", rest_rows, nnc_check_report);

static const nnc_metric check_rows[] = {
    { .name = "file",
      .type = NNC_METRIC_TEXT,
      NNC_IN(nnc_check_report, path),
      .help = "The plan file." },
    { .name = "passed",
      .type = NNC_METRIC_BOOL,
      .get = get_passed,
      .help = "Whether nothing moved unaccepted and no requirement is missed." },
    { NNC_BOOL(nnc_check_report, updated), .help = "Whether the new figures were recorded." },
    { .name = "requirements",
      .type = NNC_METRIC_WHOLE,
      .get = get_requirements,
      .help = "Requirements of all scenarios." },
    { .name = "missed",
      .type = NNC_METRIC_WHOLE,
      .get = get_missed,
      .help = "Those that are missed." },
    { .type = NNC_METRIC_OBJECT, .rows = &rest },
};
const nnc_metrics nnc_check_document = NNC_METRICS("a check", check_rows, nnc_check_report);

static const nnc_metric diff_rows[] = {
    { .name = "file",
      .type = NNC_METRIC_TEXT,
      NNC_IN(nnc_check_report, path),
      .help = "The old estimates." },
    { NNC_TEXT(nnc_check_report, other), .help = "The new ones." },
    { .type = NNC_METRIC_OBJECT, .rows = &rest },
};
const nnc_metrics nnc_diff_document = NNC_METRICS("a comparison", diff_rows, nnc_check_report);

/* ---- a line per change ---- */

static const nnc_metric line_rows[] = {
    { .name = "scenario",
      .type = NNC_METRIC_TEXT,
      NNC_VIA(nnc_check_line, row),
      NNC_IN(nnc_check_row, id) },
    { .name = "state",
      .type = NNC_METRIC_ENUM,
      NNC_VIA(nnc_check_line, row),
      NNC_IN(nnc_check_row, state),
      .names = { nnc_check_state_name, NNC_CHECK_STATE_COUNT } },
    { .type = NNC_METRIC_OBJECT, NNC_VIA(nnc_check_line, change), .rows = &changes },
};
static const nnc_metrics lines = NNC_METRICS("a change", line_rows, nnc_check_line);

nnc_lines nnc_check_lines(const void *record)
{
    const nnc_check_report *report = record;
    return (nnc_lines){ &lines, report, report->lines, report->line_count };
}
