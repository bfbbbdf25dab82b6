/* A check as commands of a GitHub workflow, which show beside the lines of a change.
 * Source: docs.github.com, "Workflow commands for GitHub Actions". */
#include <string.h>

#include "base/error.h"
#include "base/shell_word.h"
#include "cli/record/check_view.h"

/* Properties escape two characters more than messages do. */
static void put(nnc_buffer *out, const char *text, bool property)
{
    for (size_t size; *text != '\0'; text += size) {
        const size_t control = nnc_control_length(text);
        const bool escaped = *text == '%' || (property && (*text == ':' || *text == ','));
        size = control > 0 ? control : 1;
        for (size_t i = 0; i < size; i++) {
            nnc_buffer_print(out, control > 0 || escaped ? "%%%02X" : "%c",
                             (unsigned)(unsigned char)text[i]);
        }
    }
}

static void begin(nnc_buffer *out, const nnc_check_report *report, const nnc_check_row *row)
{
    nnc_buffer_text(out, "::error file=");
    put(out, report->path, true);
    nnc_buffer_print(out, ",line=%ld,title=nncost ", row->line > 0 ? row->line : 1);
    put(out, row->id, true);
    nnc_buffer_text(out, "::");
}

static void put_moved(nnc_buffer *out, const nnc_check_report *report, const nnc_check_row *row)
{
    char headline[256];
    begin(out, report, row);
    nnc_check_headline(row, headline, sizeof headline);
    if (row->state == NNC_CHECK_ADDED) {
        nnc_buffer_text(out, "no estimate is recorded");
    } else if (row->state == NNC_CHECK_REMOVED) {
        nnc_buffer_text(out, "an estimate is recorded, but there is no such scenario");
    } else if (headline[0] != '\0') {
        put(out, headline, false);
    } else {
        nnc_buffer_print(out, "%d figures moved", (int)row->change_count);
    }
    for (int32_t i = 0; i < row->cause_count; i++) {
        nnc_buffer_text(out, "%0Awhy: ");
        put(out, row->causes[i], false);
    }
    nnc_buffer_text(out, "%0Aaccept with: nncost check ");
    nnc_buffer word = { 0 };
    nnc_shell_word(&word, report->path);
    nnc_buffer_byte(&word, '\0');
    put(out, word.failed ? "" : word.bytes, false);
    out->failed = out->failed || word.failed;
    nnc_buffer_free(&word);
    nnc_buffer_text(out, " --update\n");
}

static void write_report(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record)
{
    const nnc_check_report *report = record;
    (void)style, (void)view;
    char text[256];
    for (int32_t i = 0; i < report->row_count; i++) {
        const nnc_check_row *row = &report->rows[i];
        const bool moved = row->state != NNC_CHECK_SAME && row->state != NNC_CHECK_NOT_ASKED;
        if (moved && !report->updated) {
            put_moved(out, report, row);
        }
        for (int32_t k = 0; k < row->verdict_count; k++) {
            if (!row->verdicts[k].met) {
                nnc_verdict_text(&row->verdicts[k], text, sizeof text);
                begin(out, report, row);
                nnc_buffer_text(out, "requires ");
                put(out, text, false);
                nnc_buffer_byte(out, '\n');
            }
        }
    }
    nnc_check_summary(report, text, sizeof text);
    nnc_buffer_text(out, "nncost: ");
    put(out, report->path, false);
    nnc_buffer_print(out, ": %s\n", text);
}

const nnc_format nnc_format_github = { .name = "github", .view = write_report };
