/* nncost check lists what has changed since the estimates of a plan file were recorded; nncost diff lists the
 * differences between two estimates.
 *
 * Output formats: a table; a Markdown comment for a pull request; JUnit XML; annotations for GitHub Actions; JSON and
 * CSV, which the metrics table of nnc_check_report describes. */
#include <limits.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "record/record_internal.h"

enum { SHOWN_CHANGES = 10, SHOWN_ROWS = 20 };

static const char *state_text(nnc_check_state state) {
    return state == NNC_CHECK_SAME ? "as recorded" : nnc_check_state_name(state);
}

static bool is_shown(const nnc_check_report *report, const nnc_check_row *row) {
    return nnc_check_row_moved(row) || nnc_check_row_failed(report, row);
}

static const char *currency_of(const nnc_check_row *row, const nnc_change *change) {
    static const char *const money[] = { "cost.step", "cost.run", "cost.per_million_tokens",
                                         "cost.per_thousand_samples", "cost.price_per_device_hour" };
    const nnc_figures figures = row->now.count > 0 ? row->now : row->old;
    for (size_t i = 0; i < sizeof money / sizeof money[0]; i++) {
        if (strcmp(nnc_change_name(change), money[i]) == 0) {
            const nnc_figure *currency = nnc_figure_find(figures, "cost.currency", NULL);
            return currency != NULL && currency->text != NULL ? currency->text : "";
        }
    }
    return "";
}

static void put_value(nnc_table *table, const char *text, const char *currency) {
    char cell[96];
    const bool bare = *currency == '\0' || strcmp(text, "-") == 0;
    snprintf(cell, sizeof cell, "%s%s%s", text, bare ? "" : " ", bare ? "" : currency);
    nnc_table_cell(table, cell);
}

void nnc_changes_write(nnc_buffer *out, nnc_style style, const nnc_check_row *row, int32_t most, const char *old_head,
                       const char *now_head) {
    const nnc_head heads[] = { { .text = "metric", .left = true, .shrinks = true },
                               { .text = old_head },
                               { .text = now_head },
                               { .text = "change" } };
    nnc_table table;
    nnc_table_begin(&table, heads, sizeof heads / sizeof heads[0]);
    for (int32_t i = 0; i < row->change_count && i < most; i++) {
        const nnc_change *change = &row->changes[i];
        const nnc_change_text text = nnc_change_text_of(change);
        nnc_table_cell(&table, nnc_change_name(change));
        const char *currency = currency_of(row, change);
        put_value(&table, text.old, currency);
        put_value(&table, text.now, currency);
        nnc_table_cell(&table, change->kind == NNC_CHANGE_NEW    ? "new"
                               : change->kind == NNC_CHANGE_GONE ? "gone"
                                                                 : text.percent);
    }
    nnc_table_write(&table, out, style);
}

static void write_causes(nnc_sheet *sheet, const nnc_check_row *row) {
    for (int32_t i = 0; i < row->cause_count; i++) {
        nnc_sheet_note(sheet, i == 0 ? "  why" : "  ", "%s", row->causes[i]);
    }
}

static void write_missed(nnc_sheet *sheet, const nnc_check_row *row) {
    for (int32_t i = 0; i < row->verdict_count; i++) {
        char text[256];
        if (!row->verdicts[i].met) {
            nnc_verdict_text(&row->verdicts[i], text, sizeof text);
            nnc_sheet_label(sheet, "  missed");
            nnc_sheet_item(sheet, NNC_INK_BAD, "%s", text);
            nnc_sheet_end(sheet);
        }
    }
}

static void put_path(nnc_buffer *out, const char *path) { nnc_put_plain(out, path, nnc_text_width(path)); }

static void write_row(nnc_buffer *out, nnc_style style, const nnc_check_report *report, const nnc_check_row *row) {
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    char headline[512];
    nnc_check_headline(row, headline, sizeof headline);
    nnc_sheet_gap(&sheet);
    if (row->line > 0) {
        put_path(out, report->path);
        nnc_buffer_print(out, ":%ld: ", row->line);
    }
    nnc_put_plain(out, row->id, nnc_text_width(row->id));
    nnc_buffer_print(out, ": %s\n", state_text(row->state));
    write_causes(&sheet, row);
    if (headline[0] != '\0') { nnc_sheet_note(&sheet, "  moved", "%s", headline); }
    write_missed(&sheet, row);
    if (row->change_count > 0) {
        nnc_sheet_gap(&sheet);
        nnc_changes_write(out, style, row, SHOWN_CHANGES, "recorded", "now");
    }
    if (row->change_count > SHOWN_CHANGES) {
        nnc_buffer_print(out, "... and %d more (--format json has all)\n", (int)(row->change_count - SHOWN_CHANGES));
    }
}

/* Returns the number of metrics that the estimates of this nncost version have and the recorded estimates lack, summed
 * over the scenarios without other changes. A metric that recorded estimates lack does not make a check fail. */
static int32_t added_metrics(const nnc_check_report *report) {
    int32_t added = 0;
    for (int32_t i = 0; i < report->row_count; i++) {
        for (int32_t k = 0; report->rows[i].state == NNC_CHECK_SAME && k < report->rows[i].change_count; k++) {
            added += report->rows[i].changes[k].kind == NNC_CHANGE_NEW;
        }
    }
    return added;
}

/* Writes the command line "nncost check PATH --update", which accepts the changes of a check; the path is quoted for a
 * shell. Returns false when out of memory. */
static bool accept_command(nnc_buffer *command, const nnc_check_report *report) {
    nnc_buffer_text(command, "nncost check ");
    nnc_shell_word(command, report->path);
    nnc_buffer_text(command, " --update");
    nnc_buffer_byte(command, '\0');
    return !command->failed;
}

static void put_command(nnc_buffer *out, nnc_style style, const nnc_check_report *report) {
    nnc_buffer command = { 0 };
    nnc_buffer_byte(out, '\'');
    if (!accept_command(&command, report)) {
        out->failed = true;
    } else if (style.format == &nnc_format_markdown) {
        nnc_put_markdown(out, command.bytes);
    } else {
        nnc_put_plain(out, command.bytes, INT_MAX);
    }
    nnc_buffer_byte(out, '\'');
    nnc_buffer_free(&command);
}

static void write_advice(nnc_buffer *out, nnc_style style, const nnc_check_report *report, const nnc_check_sum *sum) {
    const int32_t moved = sum->states[NNC_CHECK_MOVED] + sum->states[NNC_CHECK_ADDED] + sum->states[NNC_CHECK_REMOVED];
    if (report->updated) {
        nnc_buffer_print(out, "recorded by nncost %s\n", report->tool);
    } else if (moved > 0) {
        nnc_buffer_text(out, "To accept these changes, use ");
        put_command(out, style, report);
        nnc_buffer_text(out, ".\n");
    } else if (sum->states[NNC_CHECK_NOT_ASKED] > 0) {
        nnc_buffer_text(out, "The file has no recorded estimates yet; ");
        put_command(out, style, report);
        nnc_buffer_text(out, " records them.\n");
    } else if (added_metrics(report) > 0) {
        nnc_buffer_print(out, "%d metrics are new and not recorded yet, so they cannot fail the check.\n",
                         (int)added_metrics(report));
    }
}

static void write_table(nnc_buffer *out, nnc_style style, const nnc_check_report *report) {
    const nnc_check_sum sum = nnc_check_sum_of(report);
    int32_t shown = 0, hidden = 0;
    char text[256];
    nnc_check_summary(report, text, sizeof text);
    put_path(out, report->path);
    nnc_buffer_print(out, ": %s\n", text);
    for (int32_t i = 0; i < report->row_count; i++) {
        const nnc_check_row *row = &report->rows[i];
        if (is_shown(report, row)) {
            if (shown++ < SHOWN_ROWS) {
                write_row(out, style, report, row);
            } else {
                hidden++;
            }
        }
    }
    if (hidden > 0) { nnc_buffer_print(out, "\n... and %d more scenarios (--format json has all)\n", (int)hidden); }
    nnc_buffer_text(out, shown > 0 ? "\n" : "");
    write_advice(out, style, report, &sum);
}

/* ---- output of check as Markdown ---- */

static void markdown_cell(nnc_buffer *out, const nnc_check_row *row, const char *name) {
    const nnc_change *change = nnc_change_find(row, name);
    if (change != NULL) {
        const nnc_change_text text = nnc_change_text_of(change);
        const char *currency = currency_of(row, change);
        nnc_buffer_print(out, "%s -> %s%s%s (%s)", text.old, text.now, *currency != '\0' ? " " : "", currency,
                         text.percent);
    }
    nnc_buffer_text(out, " | ");
}

static void markdown_line(nnc_buffer *out, const nnc_check_row *row) {
    const int32_t missed = nnc_check_missed(row);
    nnc_buffer_text(out, "| ");
    nnc_put_markdown(out, row->id);
    nnc_buffer_print(out, " | %s | ", state_text(row->state));
    markdown_cell(out, row, "step.step_s");
    markdown_cell(out, row, "memory.total_bytes");
    markdown_cell(out, row, "cost.step");
    for (int32_t i = 0, written = 0; i < row->verdict_count && missed > 0; i++) {
        char text[256];
        if (!row->verdicts[i].met) {
            nnc_verdict_text(&row->verdicts[i], text, sizeof text);
            nnc_buffer_text(out, written++ > 0 ? "; " : "");
            nnc_put_markdown(out, text);
        }
    }
    nnc_buffer_text(out, " |\n");
}

static void markdown_details(nnc_buffer *out, nnc_style style, const nnc_check_row *row) {
    if (row->change_count == 0) { return; }
    nnc_buffer_text(out, "\n<details><summary>");
    /* GitHub does not interpret Markdown inside the HTML element <summary>, so the id of the scenario is escaped as
     * XML */
    nnc_put_xml(out, row->id);
    nnc_buffer_print(out, ": %d metrics</summary>\n\n", (int)row->change_count);
    for (int32_t i = 0; i < row->cause_count; i++) {
        nnc_buffer_text(out, "- why: ");
        nnc_put_markdown(out, row->causes[i]);
        nnc_buffer_byte(out, '\n');
    }
    nnc_buffer_text(out, row->cause_count > 0 ? "\n" : "");
    nnc_changes_write(out, style, row, row->change_count, "recorded", "now");
    nnc_buffer_text(out, "\n</details>\n");
}

/* Writes the result of a check as a Markdown comment for a pull request. The comment begins with an HTML comment, by
 * which a CI job finds the comment that it wrote before. */
static void write_markdown(nnc_buffer *out, nnc_style style, const nnc_check_report *report) {
    const nnc_check_sum sum = nnc_check_sum_of(report);
    int32_t failing = 0, shown = 0;
    char text[256];
    nnc_check_summary(report, text, sizeof text);
    nnc_buffer_text(out, "<!-- nncost check -->\n**nncost** ");
    nnc_put_markdown(out, report->path);
    nnc_buffer_print(out, ": %s\n", text);
    for (int32_t i = 0; i < report->row_count; i++) {
        if (is_shown(report, &report->rows[i]) && failing++ < SHOWN_ROWS) {
            if (shown++ == 0) {
                nnc_buffer_text(out, "\n| scenario | | step | memory | cost of a step | requirements missed |\n"
                                     "|:---|:---|:---|:---|:---|:---|\n");
            }
            markdown_line(out, &report->rows[i]);
        }
    }
    for (int32_t i = 0, left = shown; i < report->row_count && left > 0; i++) {
        if (is_shown(report, &report->rows[i])) {
            markdown_details(out, style, &report->rows[i]);
            left--;
        }
    }
    if (failing > shown) { nnc_buffer_print(out, "\n... and %d more scenarios\n", (int)(failing - shown)); }
    nnc_buffer_text(out, shown > 0 ? "\n" : "");
    write_advice(out, style, report, &sum);
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record) {
    (style.format == &nnc_format_markdown ? write_markdown : write_table)(out, style, record);
}

const nnc_view nnc_check_output = {
    .schema = NNC_CHECK_SCHEMA, .document = &nnc_check_document, .lines = nnc_check_lines, .page = write_page
};

const nnc_format *nnc_check_format_at(unsigned index) {
    return index < NNC_FORMAT_COUNT    ? nnc_formats[index]
           : index == NNC_FORMAT_COUNT ? &nnc_format_junit
                                       : &nnc_format_github;
}

const char *nnc_check_format_name(unsigned index) {
    return index < NNC_CHECK_FORMAT_COUNT ? nnc_check_format_at(index)->name : "?";
}

/* ---- output as JUnit XML: a test case for each recorded estimate and each requirement, without times or host names
 * ---- */

static void begin_case(nnc_buffer *out, const nnc_check_report *report, const nnc_check_row *row, const char *what) {
    nnc_buffer_text(out, "    <testcase classname=\"");
    nnc_put_xml(out, row->id);
    nnc_buffer_text(out, "\" name=\"");
    nnc_put_xml(out, what);
    nnc_buffer_text(out, "\" file=\"");
    nnc_put_xml(out, report->path);
    nnc_buffer_print(out, "\" line=\"%ld\"", row->line);
}

static void put_failure(nnc_buffer *out, const char *type, const char *message) {
    nnc_buffer_print(out, ">\n      <failure type=\"%s\" message=\"", type);
    nnc_put_xml(out, message);
    nnc_buffer_text(out, "\">");
}

static void end_failure(nnc_buffer *out) { nnc_buffer_text(out, "</failure>\n    </testcase>\n"); }

static void put_estimate(nnc_buffer *out, const nnc_check_report *report, const nnc_check_row *row) {
    char headline[512];
    const bool failed = row->state != NNC_CHECK_SAME && !report->updated;
    begin_case(out, report, row, "estimate as recorded");
    if (!failed) {
        nnc_buffer_text(out, "/>\n");
        return;
    }
    nnc_check_headline(row, headline, sizeof headline);
    put_failure(out, "moved", headline[0] != '\0' ? headline : nnc_check_state_name(row->state));
    for (int32_t i = 0; i < row->cause_count; i++) {
        nnc_buffer_text(out, "why: ");
        nnc_put_xml(out, row->causes[i]);
        nnc_buffer_byte(out, '\n');
    }
    for (int32_t i = 0; i < row->change_count; i++) {
        const nnc_change_text text = nnc_change_text_of(&row->changes[i]);
        nnc_put_xml(out, nnc_change_name(&row->changes[i]));
        nnc_buffer_text(out, ": ");
        nnc_put_xml(out, text.old);
        nnc_buffer_text(out, " -&gt; ");
        nnc_put_xml(out, text.now);
        const char *currency = currency_of(row, &row->changes[i]);
        nnc_put_xml(out, *currency != '\0' ? " " : "");
        nnc_put_xml(out, currency);
        nnc_buffer_print(out, " %s\n", text.percent);
    }
    end_failure(out);
}

static void put_verdict(nnc_buffer *out, const nnc_check_report *report, const nnc_check_row *row,
                        const nnc_check_verdict *verdict) {
    char text[256];
    snprintf(text, sizeof text, "%s %s", verdict->requirement->name, verdict->requirement->rule);
    begin_case(out, report, row, text);
    if (verdict->met) {
        nnc_buffer_text(out, "/>\n");
        return;
    }
    nnc_verdict_text(verdict, text, sizeof text);
    put_failure(out, "requirement", text);
    end_failure(out);
}

static void write_junit(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record) {
    const nnc_check_report *report = record;
    (void)style, (void)view;
    int32_t cases = 0, failures = 0;
    for (int32_t i = 0; i < report->row_count; i++) {
        const nnc_check_row *row = &report->rows[i];
        const bool recorded = row->state != NNC_CHECK_NOT_ASKED;
        cases += row->verdict_count + recorded;
        failures += recorded && row->state != NNC_CHECK_SAME && !report->updated;
        for (int32_t k = 0; k < row->verdict_count; k++) { failures += !row->verdicts[k].met; }
    }
    nnc_buffer_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    nnc_buffer_print(out, "<testsuites tests=\"%d\" failures=\"%d\">\n  <testsuite name=\"", (int)cases, (int)failures);
    nnc_put_xml(out, report->path);
    nnc_buffer_print(out, "\" tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"0\">\n", (int)cases, (int)failures);
    for (int32_t i = 0; i < report->row_count; i++) {
        const nnc_check_row *row = &report->rows[i];
        if (row->state != NNC_CHECK_NOT_ASKED) { put_estimate(out, report, row); }
        for (int32_t k = 0; k < row->verdict_count; k++) { put_verdict(out, report, row, &row->verdicts[k]); }
    }
    nnc_buffer_text(out, "  </testsuite>\n</testsuites>\n");
}

const nnc_format nnc_format_junit = { .name = "junit", .view = write_junit };

/* ---- output for GitHub Actions: lines "::error file=FILE,line=N::TEXT", which GitHub shows at line N of FILE. Source:
 * docs.github.com, "Workflow commands for GitHub Actions" ---- */

/* Writes a text into an "::error" line, with control characters and '%' escaped. property: true = ':' and ',' are
 * escaped too. */
static void put_escaped(nnc_buffer *out, const char *text, bool property) {
    for (size_t size; *text != '\0'; text += size) {
        const size_t control = nnc_control_length(text);
        const bool escaped = *text == '%' || (property && (*text == ':' || *text == ','));
        size = control > 0 ? control : 1;
        for (size_t i = 0; i < size; i++) {
            nnc_buffer_print(out, control > 0 || escaped ? "%%%02X" : "%c", (unsigned)(unsigned char)text[i]);
        }
    }
}

static void begin_error(nnc_buffer *out, const nnc_check_report *report, const nnc_check_row *row) {
    nnc_buffer_text(out, "::error file=");
    put_escaped(out, report->path, true);
    nnc_buffer_print(out, ",line=%ld,title=nncost ", row->line > 0 ? row->line : 1);
    put_escaped(out, row->id, true);
    nnc_buffer_text(out, "::");
}

static void put_moved(nnc_buffer *out, const nnc_check_report *report, const nnc_check_row *row) {
    char headline[512];
    begin_error(out, report, row);
    nnc_check_headline(row, headline, sizeof headline);
    if (row->state == NNC_CHECK_ADDED) {
        nnc_buffer_text(out, "no estimate is recorded");
    } else if (row->state == NNC_CHECK_REMOVED) {
        nnc_buffer_text(out, "the file has a recorded estimate for this id, but no scenario with this id");
    } else if (headline[0] != '\0') {
        put_escaped(out, headline, false);
    } else {
        nnc_buffer_print(out, "%d metrics moved", (int)row->change_count);
    }
    for (int32_t i = 0; i < row->cause_count; i++) {
        nnc_buffer_text(out, "%0Awhy: ");
        put_escaped(out, row->causes[i], false);
    }
    nnc_buffer command = { 0 };
    nnc_buffer_text(out, "%0Aaccept with: ");
    if (accept_command(&command, report)) {
        put_escaped(out, command.bytes, false);
    } else {
        out->failed = true;
    }
    nnc_buffer_free(&command);
    nnc_buffer_byte(out, '\n');
}

static void write_github(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record) {
    const nnc_check_report *report = record;
    (void)style, (void)view;
    char text[256];
    for (int32_t i = 0; i < report->row_count; i++) {
        const nnc_check_row *row = &report->rows[i];
        const bool moved = row->state != NNC_CHECK_SAME && row->state != NNC_CHECK_NOT_ASKED;
        if (moved && !report->updated) { put_moved(out, report, row); }
        for (int32_t k = 0; k < row->verdict_count; k++) {
            if (!row->verdicts[k].met) {
                nnc_verdict_text(&row->verdicts[k], text, sizeof text);
                begin_error(out, report, row);
                nnc_buffer_text(out, "requires ");
                put_escaped(out, text, false);
                nnc_buffer_byte(out, '\n');
            }
        }
    }
    nnc_check_summary(report, text, sizeof text);
    nnc_buffer_text(out, "nncost: ");
    put_escaped(out, report->path, false);
    nnc_buffer_print(out, ": %s\n", text);
}

const nnc_format nnc_format_github = { .name = "github", .view = write_github };

/* ---- diff: compares two estimates; lists the largest changes first, and names the op or part that caused each change
 * ---- */

enum { SHOWN_OPS = 8 };

static void write_ops(nnc_buffer *out, nnc_style style, const nnc_check_row *row) {
    const int32_t shown = row->op_count < SHOWN_OPS ? row->op_count : SHOWN_OPS;
    nnc_table_of(out, style, (nnc_lines){ &nnc_check_op_metrics, row, row->ops, shown });
    if (row->op_count > shown) {
        nnc_buffer_print(out, "%s... and %d more ops\n", style.format == &nnc_format_markdown ? "\n" : "",
                         (int)(row->op_count - shown));
    }
}

static void write_difference(nnc_buffer *out, nnc_style style, const nnc_check_row *row) {
    const bool markdown = style.format == &nnc_format_markdown;
    char headline[512];
    nnc_check_headline(row, headline, sizeof headline);
    nnc_buffer_byte(out, '\n');
    if (row->id[0] != '\0') {
        nnc_buffer_text(out, markdown ? "**" : "");
        nnc_put_plain(out, row->id, nnc_text_width(row->id));
        nnc_buffer_text(out, markdown ? "**: " : ": ");
    }
    if (row->state == NNC_CHECK_ADDED || row->state == NNC_CHECK_REMOVED) {
        nnc_buffer_print(out, "only in the %s file\n", row->state == NNC_CHECK_ADDED ? "new" : "old");
        return;
    }
    nnc_buffer_print(out, "%d metrics differ%s%s\n\n", (int)row->change_count, headline[0] != '\0' ? "; " : "",
                     headline);
    nnc_changes_write(out, style, row, row->change_count, "old", "new");
    if (row->op_count > 0) {
        nnc_buffer_byte(out, '\n');
        write_ops(out, style, row);
    }
}

static void write_differences(nnc_buffer *out, nnc_style style, const void *record) {
    const nnc_check_report *report = record;
    int32_t differ = 0;
    for (int32_t i = 0; i < report->row_count; i++) { differ += report->rows[i].state != NNC_CHECK_SAME; }
    nnc_put_plain(out, report->path, nnc_text_width(report->path));
    nnc_buffer_text(out, " -> ");
    nnc_put_plain(out, report->other, nnc_text_width(report->other));
    nnc_buffer_text(out, ": ");
    if (report->row_count == 1 && report->rows[0].id[0] == '\0') {
        nnc_buffer_text(out, differ > 0 ? "the estimates differ\n" : "the same\n");
    } else {
        nnc_buffer_print(out, "%d of %d recorded estimates differ\n", (int)differ, (int)report->row_count);
    }
    for (int32_t i = 0; i < report->row_count; i++) {
        if (report->rows[i].state != NNC_CHECK_SAME) { write_difference(out, style, &report->rows[i]); }
    }
}

const nnc_view nnc_diff_output = {
    .schema = "nncost.diff/1", .document = &nnc_diff_document, .lines = nnc_check_lines, .page = write_differences
};

/* Writes each training scenario of the plan file as a launch file (--emit). */
static nnc_status emit_all(nnc_session *session, nnc_error *err) {
    nnc_arena *arena = nnc_specs_arena(session->specs);
    static const nnc_scenario_args nothing = { .setting_count = 0 };
    const nnc_plans *plans = NULL;
    nnc_scenario *scenario = nnc_arena_alloc(arena, sizeof *scenario);
    if (scenario == NULL) { return nnc_no_memory(err); }
    NNC_TRY(nnc_plans_open(session->specs, arena, session->options.operands[0], &plans, err));
    for (int32_t i = 0; plans != NULL && i < plans->scenario_count; i++) {
        const nnc_plans_scenario *from = &plans->scenarios[i];
        if (!from->serve) {
            memset(scenario, 0, sizeof *scenario);
            NNC_TRY(nnc_plans_load(session->specs, &nothing, arena, plans, from, NULL, scenario, err));
            NNC_TRY(nnc_emit_scenario(session, scenario, from->id, err));
        }
    }
    return NNC_OK;
}

static nnc_status run_check(nnc_session *session, nnc_error *err) {
    const nnc_options *options = &session->options;
    nnc_check *check = NULL;
    if (options->forget) {
        return options->update ? nnc_fail(err, NNC_BAD_USAGE, "--forget", "cannot be used together with --update")
                               : nnc_plans_forget(session->specs, options->operands[0], err);
    }
    nnc_status status = nnc_check_make(session->specs, options->operands[0],
                                       options->update ? NNC_KEEPS_ESTIMATES : NNC_KEEPS_CHANGES, &check, err);
    if (status == NNC_OK && options->update) { status = nnc_check_update(check, err); }
    if (status == NNC_OK) {
        session->exit_code = nnc_check_passed(check) ? 0 : 1;
        nnc_view_write(session->out, session->style, &nnc_check_output, nnc_check_report_of(check));
    }
    nnc_check_destroy(check);
    if (status == NNC_OK && options->emit != NULL) {
        status = nnc_emit_begin(session, false, err);
        status = status == NNC_OK ? emit_all(session, err) : status;
    }
    return status;
}

const nnc_command nnc_cmd_check = {
    .name = "check",
    .operands = "PLANS.json",
    .summary = "Estimate the scenarios of a plan file again, and print changed estimates, their causes and missed "
               "requirements.",
    .notes =
        "The command exits with 1 if a metric changed by more than its tolerance, if a scenario was added or "
        "removed, or if a requirement is missed. Without a tolerance, all 12 digits of a metric must be equal. "
        "--update accepts the changes: it writes the key \"recorded\" of the file and changes no other byte; if the "
        "write fails, the file does not change. --forget removes the key \"recorded\", so that 'git merge-file' can "
        "merge the rest of the file. --format also accepts junit, and github (annotations for a workflow of "
        "GitHub). 'nncost init' prints a plan file to start from.",
    .min_operands = 1,
    .max_operands = 1,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_CHECK | NNC_TAKES_EMIT,
    .run = NNC_NOT_ON_PAGE(run_check),
};

static nnc_status run_diff(nnc_session *session, nnc_error *err) {
    char **paths = session->options.operands;
    nnc_check_report report;
    NNC_TRY(nnc_diff_make(session->specs, nnc_specs_arena(session->specs), paths[0], paths[1], &report, err));
    nnc_view_write(session->out, session->style, &nnc_diff_output, &report);
    return NNC_OK;
}

const nnc_command nnc_cmd_diff = {
    .name = "diff",
    .part_of = "check diff",
    .operands = "OLD NEW",
    .summary =
        "Two estimates: the metrics that differ, largest change first, and the op or part that causes the change.",
    .notes =
        "OLD and NEW are outputs of 'nncost estimate --format json', or plan files with recorded estimates, which "
        "are matched by scenario. A pipe also works: git show main:plans.json | nncost diff /dev/stdin plans.json. "
        "The command exits with 0 whether the estimates differ or not; 'nncost check' exits with 1 if estimates "
        "differ.",
    .min_operands = 2,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON,
    .run = run_diff,
};
