/* What a check found, as a table and as a comment on a pull request. */
#include "cli/record/check_view.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/shell_word.h"
#include "render/sheet.h"
#include "render/table.h"
#include "render/text.h"

enum { SHOWN_CHANGES = 10, SHOWN_ROWS = 20 };

static const char *state_text(nnc_check_state state)
{
    return state == NNC_CHECK_SAME ? "as recorded" : nnc_check_state_name(state);
}

static bool is_shown(const nnc_check_report *report, const nnc_check_row *row)
{
    return nnc_check_row_moved(row) || nnc_check_row_failed(report, row);
}

/* ---- table ---- */

const char *nnc_change_currency(const nnc_check_row *row, const nnc_change *change)
{
    static const char *const money[] = { "cost.step", "cost.run", "cost.per_million_tokens",
                                         "cost.per_thousand_samples",
                                         "cost.price_per_device_hour" };
    const nnc_figures figures = row->now.count > 0 ? row->now : row->old;
    for (size_t i = 0; i < sizeof money / sizeof money[0]; i++) {
        if (strcmp(nnc_change_name(change), money[i]) == 0) {
            const nnc_figure *currency = nnc_figure_find(figures, "cost.currency", NULL);
            return currency != NULL && currency->text != NULL ? currency->text : "";
        }
    }
    return "";
}

static void put_value(nnc_table *table, const char *text, const char *currency)
{
    char cell[96];
    const bool bare = *currency == '\0' || strcmp(text, "-") == 0;
    snprintf(cell, sizeof cell, "%s%s%s", text, bare ? "" : " ", bare ? "" : currency);
    nnc_table_cell(table, cell);
}

void nnc_changes_write(nnc_buffer *out, nnc_style style, const nnc_check_row *row, int32_t most,
                       const char *old_head, const char *now_head)
{
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
        const char *currency = nnc_change_currency(row, change);
        put_value(&table, text.old, currency);
        put_value(&table, text.now, currency);
        nnc_table_cell(&table, change->kind == NNC_CHANGE_NEW    ? "new"
                               : change->kind == NNC_CHANGE_GONE ? "gone"
                                                                 : text.percent);
    }
    nnc_table_write(&table, out, style);
}

static void write_causes(nnc_sheet *sheet, const nnc_check_row *row)
{
    for (int32_t i = 0; i < row->cause_count; i++) {
        nnc_sheet_label(sheet, i == 0 ? "  why" : "  ");
        nnc_sheet_words(sheet, "%s", row->causes[i]);
        nnc_sheet_end(sheet);
    }
}

static void write_missed(nnc_sheet *sheet, const nnc_check_row *row)
{
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

static void put_path(nnc_buffer *out, const char *path)
{
    nnc_put_plain(out, path, nnc_text_width(path));
}

static void write_row(nnc_buffer *out, nnc_style style, const nnc_check_report *report,
                      const nnc_check_row *row)
{
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    char headline[256];
    nnc_check_headline(row, headline, sizeof headline);
    nnc_sheet_gap(&sheet);
    if (row->line > 0) {
        put_path(out, report->path);
        nnc_buffer_print(out, ":%ld: ", row->line);
    }
    nnc_put_plain(out, row->id, nnc_text_width(row->id));
    nnc_buffer_print(out, ": %s\n", state_text(row->state));
    write_causes(&sheet, row);
    if (headline[0] != '\0') {
        nnc_sheet_label(&sheet, "  moved");
        nnc_sheet_words(&sheet, "%s", headline);
        nnc_sheet_end(&sheet);
    }
    write_missed(&sheet, row);
    if (row->change_count > 0) {
        nnc_sheet_gap(&sheet);
        nnc_changes_write(out, style, row, SHOWN_CHANGES, "recorded", "now");
    }
    if (row->change_count > SHOWN_CHANGES) {
        nnc_buffer_print(out, "... and %d more (--format json has all)\n",
                         (int)(row->change_count - SHOWN_CHANGES));
    }
}

/* Figures that this version adds fail nothing; they are only counted. */
static int32_t added_figures(const nnc_check_report *report)
{
    int32_t added = 0;
    for (int32_t i = 0; i < report->row_count; i++) {
        for (int32_t k = 0;
             report->rows[i].state == NNC_CHECK_SAME && k < report->rows[i].change_count; k++) {
            added += report->rows[i].changes[k].kind == NNC_CHANGE_NEW;
        }
    }
    return added;
}

/* A command to copy; path: as it stands in a shell. */
static void put_command(nnc_buffer *out, nnc_style style, const nnc_check_report *report)
{
    nnc_buffer word = { 0 };
    nnc_shell_word(&word, report->path);
    nnc_buffer_byte(&word, '\0');
    nnc_buffer_text(out, "'nncost check ");
    if (style.format == &nnc_format_markdown && !word.failed) {
        nnc_put_markdown(out, word.bytes);
    } else if (!word.failed) {
        nnc_put_plain(out, word.bytes, INT_MAX);
    }
    nnc_buffer_text(out, " --update'");
    out->failed = out->failed || word.failed;
    nnc_buffer_free(&word);
}

static void write_advice(nnc_buffer *out, nnc_style style, const nnc_check_report *report,
                         const nnc_check_sum *sum)
{
    const int32_t moved = sum->states[NNC_CHECK_MOVED] + sum->states[NNC_CHECK_ADDED] +
                          sum->states[NNC_CHECK_REMOVED];
    if (report->updated) {
        nnc_buffer_print(out, "recorded by nncost %s\n", report->tool);
    } else if (moved > 0) {
        nnc_buffer_text(out, "If this is meant, accept it with ");
        put_command(out, style, report);
        nnc_buffer_text(out, ".\n");
    } else if (sum->states[NNC_CHECK_NOT_ASKED] > 0) {
        nnc_buffer_text(out, "Nothing is recorded yet; ");
        put_command(out, style, report);
        nnc_buffer_text(out, " does it.\n");
    } else if (added_figures(report) > 0) {
        nnc_buffer_print(out, "%d figures are new and not recorded yet; they fail nothing.\n",
                         (int)added_figures(report));
    }
}

static void write_table(nnc_buffer *out, nnc_style style, const nnc_check_report *report)
{
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
    if (hidden > 0) {
        nnc_buffer_print(out, "\n... and %d more scenarios (--format json has all)\n", (int)hidden);
    }
    nnc_buffer_text(out, shown > 0 ? "\n" : "");
    write_advice(out, style, report, &sum);
}

/* ---- Markdown ---- */

static void markdown_cell(nnc_buffer *out, const nnc_check_row *row, const char *name)
{
    for (int32_t i = 0; i < row->change_count; i++) {
        const nnc_change *change = &row->changes[i];
        if (change->kind == NNC_CHANGE_MOVED && strcmp(nnc_change_name(change), name) == 0) {
            const nnc_change_text text = nnc_change_text_of(change);
            const char *currency = nnc_change_currency(row, change);
            nnc_buffer_print(out, "%s -> %s%s%s (%s)", text.old, text.now,
                             *currency != '\0' ? " " : "", currency, text.percent);
        }
    }
    nnc_buffer_text(out, " | ");
}

static void markdown_line(nnc_buffer *out, const nnc_check_row *row)
{
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

/* Inside HTML nothing is taken for Markdown. */
static void put_html(nnc_buffer *out, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<': nnc_buffer_text(out, "&lt;"); break;
        case '>': nnc_buffer_text(out, "&gt;"); break;
        case '&': nnc_buffer_text(out, "&amp;"); break;
        default: nnc_buffer_byte(out, *text); break;
        }
    }
}

static void markdown_details(nnc_buffer *out, nnc_style style, const nnc_check_row *row)
{
    if (row->change_count == 0) {
        return;
    }
    nnc_buffer_text(out, "\n<details><summary>");
    put_html(out, row->id);
    nnc_buffer_print(out, ": %d figures</summary>\n\n", (int)row->change_count);
    for (int32_t i = 0; i < row->cause_count; i++) {
        nnc_buffer_text(out, "- why: ");
        nnc_put_markdown(out, row->causes[i]);
        nnc_buffer_byte(out, '\n');
    }
    nnc_buffer_text(out, row->cause_count > 0 ? "\n" : "");
    nnc_changes_write(out, style, row, row->change_count, "recorded", "now");
    nnc_buffer_text(out, "\n</details>\n");
}

/* The comment begins with a mark by which a job finds its own comment again. */
static void write_markdown(nnc_buffer *out, nnc_style style, const nnc_check_report *report)
{
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
                nnc_buffer_text(
                    out, "\n| scenario | | step | memory | cost of a step | requirements missed |\n"
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
    if (failing > shown) {
        nnc_buffer_print(out, "\n... and %d more scenarios\n", (int)(failing - shown));
    }
    nnc_buffer_text(out, shown > 0 ? "\n" : "");
    write_advice(out, style, report, &sum);
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record)
{
    (style.format == &nnc_format_markdown ? write_markdown : write_table)(out, style, record);
}

const nnc_view nnc_check_output = { .schema = NNC_CHECK_SCHEMA,
                                    .document = &nnc_check_document,
                                    .lines = nnc_check_lines,
                                    .page = write_page };

const nnc_format *nnc_check_format_at(unsigned index)
{
    return index < NNC_FORMAT_COUNT    ? nnc_formats[index]
           : index == NNC_FORMAT_COUNT ? &nnc_format_junit
                                       : &nnc_format_github;
}

const char *nnc_check_format_name(unsigned index)
{
    return index < NNC_CHECK_FORMAT_COUNT ? nnc_check_format_at(index)->name : "?";
}
