/* The report of a check or of a comparison: sums over its rows, summary lines, and the metric tables of its output. */
#include "base/base_internal.h"
#include "record/record_internal.h"

int32_t nnc_check_missed(const nnc_check_row *row)
{
    int32_t missed = 0;
    for (int32_t i = 0; i < row->verdict_count; i++) {
        missed += !row->verdicts[i].met;
    }
    return missed;
}

bool nnc_check_row_moved(const nnc_check_row *row)
{
    return row->state == NNC_CHECK_MOVED || row->state == NNC_CHECK_ADDED ||
           row->state == NNC_CHECK_REMOVED;
}

bool nnc_check_row_failed(const nnc_check_report *report, const nnc_check_row *row)
{
    return (nnc_check_row_moved(row) && !report->updated) || nnc_check_missed(row) > 0;
}

nnc_check_sum nnc_check_sum_of(const nnc_check_report *report)
{
    nnc_check_sum sum = { .passed = true };
    for (int32_t i = 0; i < report->row_count; i++) {
        const nnc_check_row *row = &report->rows[i];
        sum.states[row->state]++;
        sum.requirements += row->verdict_count;
        sum.missed += nnc_check_missed(row);
        sum.passed = sum.passed && !nnc_check_row_failed(report, row);
    }
    return sum;
}

void nnc_check_summary(const nnc_check_report *report, char *text, size_t size)
{
    const nnc_check_sum sum = nnc_check_sum_of(report);
    size_t used = 0;
    text[0] = '\0';
    for (int state = 0; state < NNC_CHECK_STATE_COUNT && used < size; state++) {
        if (sum.states[state] > 0) {
            const int n = snprintf(
                text + used, size - used, "%s%d %s", used > 0 ? ", " : "", sum.states[state],
                state == NNC_CHECK_SAME ? "as recorded"
                                        : nnc_check_state_name((nnc_check_state)state));
            used += n > 0 ? (size_t)n : 0;
        }
    }
    if (sum.requirements > 0 && used < size) {
        snprintf(text + used, size - used,
                 sum.missed > 0 ? "; %d of %d requirements missed" : "; %d of %d requirements met",
                 sum.missed > 0 ? sum.missed : sum.requirements, sum.requirements);
    }
}

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
    if (figure == NULL) {
        return (nnc_cell){ .kind = NNC_CELL_NULL };
    }
    return figure->text != NULL ? nnc_text_cell(figure->text) : nnc_number_cell(figure->number);
}

/* ---- changes ---- */

NNC_GET(get_figure, void, nnc_text_cell(nnc_change_name(self)))

NNC_GET(get_old, nnc_change, cell_of(self->old))

NNC_GET(get_now, nnc_change, cell_of(self->now))

static const nnc_metric change_rows[] = {
    NNC_AS("figure", TEXT, .get = get_figure, .help = "Name of the metric."),
    NNC_NAMED(nnc_change, kind, kind_name, NNC_CHANGE_KIND_COUNT, .help = "Kind of the change."),
    NNC_AS("old", ANY, .get = get_old, .help = "The recorded value."),
    NNC_AS("now", ANY, .get = get_now, .help = "The new value."),
    NNC_NUMBER(nnc_change, relative,
               .help = "The change over the recorded value; null for texts, and from zero."),
};
static const nnc_metrics changes = NNC_METRICS("a metric that differs", change_rows, nnc_change);

/* ---- requirements ---- */

NNC_GET(get_found, nnc_check_verdict, cell_of(self->figure))

static const nnc_metric verdict_rows[] = {
    NNC_AS("figure", TEXT, NNC_VIA(nnc_check_verdict, figure), NNC_IN(nnc_figure, name),
           .help = "Name of the metric."),
    NNC_AS("rule", TEXT, NNC_VIA(nnc_check_verdict, requirement), NNC_IN(nnc_requirement, rule),
           .help = "The required value."),
    NNC_AS("found", ANY, .get = get_found, .help = "The value found."),
    NNC_BOOL(nnc_check_verdict, met, .help = "Whether it meets the rule."),
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
    NNC_TEXT(nnc_check_op, name, .head = "op", .shrinks = true, .help = "Name of the op."),
    NNC_TEXT(nnc_check_op, phase, .head = "phase", .help = "Phase of the step."),
    NNC_NUMBER(nnc_check_op, old_s, .head = "old", .unit = "s", .help = "Its time before."),
    NNC_NUMBER(nnc_check_op, now_s, .head = "new", .unit = "s", .help = "Its time now."),
    NNC_HEAD("difference", NUMBER, .get = get_difference),
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

NNC_GET(get_step_part, void, responsible_for(place, step_total))

NNC_GET(get_memory_part, void, responsible_for(place, memory_total))

static const nnc_metric responsible_rows[] = {
    NNC_AS(step_total, TEXT, .get = get_step_part,
           .help = "The part of the step that moved most in its direction."),
    NNC_AS(memory_total, TEXT, .get = get_memory_part,
           .help = "The part of the memory that moved most in its direction."),
};
static const nnc_metrics responsible =
    NNC_METRICS("the part that a total moved by", responsible_rows, nnc_check_row);

NNC_IF(has_split, nnc_check_row, self->split != NULL)
NNC_IF(is_check, void, NNC_OWNER(nnc_check_report)->other == NULL)

NNC_GET(get_failed, void, nnc_bool_cell(nnc_check_row_failed(place->owner, self)))

static const nnc_metric row_rows[] = {
    NNC_TEXT(nnc_check_row, id, .help = "Id of the scenario."),
    NNC_WHOLE(nnc_check_row, line, .blank_zero = true, .help = "Its line in the plan file."),
    NNC_NAMED(nnc_check_row, state, nnc_check_state_name, NNC_CHECK_STATE_COUNT,
              .help = "Comparison with the recorded estimate."),
    NNC_AS("failed", BOOL, .get = get_failed,
           .help = "Whether it moved without being accepted, or misses a requirement.",
           .more = NNC_MORE(.when = is_check)),
    NNC_AS("why", TEXTS, NNC_IN(nnc_check_row, causes), NNC_COUNT(nnc_check_row, cause_count),
           .help = "Causes of the change: the plan, a file, the tool."),
    NNC_AS("responsible", OBJECT, .rows = &responsible,
           .help = "The part that each total moved by."),
    NNC_AS("requirements", LIST, NNC_IN(nnc_check_row, verdicts),
           NNC_COUNT(nnc_check_row, verdict_count), .rows = &verdicts, .help = "Its requirements."),
    NNC_TEXT(nnc_check_row, split,
             .help = "The change of the step as parts, of the software profile and of the plan, "
                     "where the profiles differ.",
             .more = NNC_MORE(.when = has_split)),
    NNC_NUMBER(nnc_check_row, change_s, .unit = "s", .help = "Change of the step.",
               .more = NNC_MORE(.when = has_split)),
    NNC_NUMBER(nnc_check_row, framework_s, .unit = "s",
               .help = "Part of it from the profile: the new step minus that of the new plan under "
                       "the old profile.",
               .more = NNC_MORE(.when = has_split)),
    NNC_AS("changes", LIST, NNC_IN(nnc_check_row, changes), NNC_COUNT(nnc_check_row, change_count),
           .rows = &changes, .help = "Metrics that differ, the largest change first."),
    NNC_AS("ops", LIST, NNC_IN(nnc_check_row, ops), NNC_COUNT(nnc_check_row, op_count),
           .rows = &nnc_check_op_metrics, .help = "Ops that differ, where both sides list them."),
};
static const nnc_metrics rows = NNC_METRICS("a scenario", row_rows, nnc_check_row);

/* ---- all of it ---- */

NNC_GET(get_passed, void, nnc_bool_cell(nnc_check_sum_of(self).passed))

NNC_GET(get_requirements, void, nnc_whole_cell(nnc_check_sum_of(self).requirements))

NNC_GET(get_missed, void, nnc_whole_cell(nnc_check_sum_of(self).missed))

static const nnc_metric rest_rows[] = {
    NNC_TEXT(nnc_check_report, tool, .help = "Version that made the new values."),
    NNC_TEXT(nnc_check_report, old_tool, .help = "Version that made the old ones."),
    NNC_AS("scenarios", LIST, NNC_IN(nnc_check_report, rows),
           NNC_COUNT(nnc_check_report, row_count), .rows = &rows, .help = "The scenarios."),
};
static const nnc_metrics rest = NNC_METRICS("scenarios", rest_rows, nnc_check_report);

static const nnc_metric check_rows[] = {
    NNC_AS("file", TEXT, NNC_IN(nnc_check_report, path), .help = "The plan file."),
    NNC_AS("passed", BOOL, .get = get_passed,
           .help = "True if every change was accepted and every requirement is met."),
    NNC_BOOL(nnc_check_report, updated, .help = "Whether the new values were recorded."),
    NNC_AS("requirements", WHOLE, .get = get_requirements,
           .help = "Requirements of all scenarios."),
    NNC_AS("missed", WHOLE, .get = get_missed, .help = "Missed requirements."),
    NNC_ROWS(&rest),
};
const nnc_metrics nnc_check_document = NNC_METRICS("a check", check_rows, nnc_check_report);

static const nnc_metric diff_rows[] = {
    NNC_AS("file", TEXT, NNC_IN(nnc_check_report, path), .help = "The old estimates."),
    NNC_TEXT(nnc_check_report, other, .help = "The new ones."),
    NNC_ROWS(&rest),
};
const nnc_metrics nnc_diff_document = NNC_METRICS("a comparison", diff_rows, nnc_check_report);

/* ---- a line per change ---- */

static const nnc_metric line_rows[] = {
    NNC_AS("scenario", TEXT, NNC_VIA(nnc_check_line, row), NNC_IN(nnc_check_row, id)),
    NNC_AS("state", ENUM, NNC_VIA(nnc_check_line, row), NNC_IN(nnc_check_row, state),
           .names = { nnc_check_state_name, NNC_CHECK_STATE_COUNT }),
    NNC_ROWS(&changes, NNC_VIA(nnc_check_line, change)),
};
static const nnc_metrics change_lines = NNC_METRICS("a change", line_rows, nnc_check_line);

nnc_lines nnc_check_lines(const void *record)
{
    const nnc_check_report *report = record;
    return (nnc_lines){ &change_lines, report, report->lines, report->line_count };
}
