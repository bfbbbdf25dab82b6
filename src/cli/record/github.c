/* A check as commands of a GitHub workflow, which show beside the lines of a change.
 * Source: docs.github.com, "Workflow commands for GitHub Actions". */
#include <string.h>

#include "cli/record/check_view.h"

/* Properties escape two characters more than messages do. */
static void put(FILE *out, const char *text, bool property)
{
    for (; *text != '\0'; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (byte == '%' || byte < 0x20 || (property && (byte == ':' || byte == ','))) {
            fprintf(out, "%%%02X", (unsigned)byte);
        } else {
            fputc(byte, out);
        }
    }
}

static void begin(FILE *out, const nnc_check_report *report, const nnc_check_row *row)
{
    fputs("::error file=", out);
    put(out, report->path, true);
    fprintf(out, ",line=%ld,title=nncost ", row->line > 0 ? row->line : 1);
    put(out, row->id, true);
    fputs("::", out);
}

static void put_moved(FILE *out, const nnc_check_report *report, const nnc_check_row *row)
{
    char headline[256];
    begin(out, report, row);
    nnc_check_headline(row, headline, sizeof headline);
    if (row->state == NNC_CHECK_ADDED) {
        fputs("no estimate is recorded", out);
    } else if (row->state == NNC_CHECK_REMOVED) {
        fputs("an estimate is recorded, but there is no such scenario", out);
    } else if (headline[0] != '\0') {
        put(out, headline, false);
    } else {
        fprintf(out, "%d figures moved", (int)row->change_count);
    }
    for (int32_t i = 0; i < row->cause_count; i++) {
        fputs("%0Awhy: ", out);
        put(out, row->causes[i], false);
    }
    fputs("%0Aaccept with: nncost check ", out);
    put(out, report->path, false);
    fputs(" --update\n", out);
}

void nnc_check_write_github(FILE *out, const nnc_check_report *report)
{
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
                fputs("requires ", out);
                put(out, text, false);
                fputc('\n', out);
            }
        }
    }
    nnc_check_summary(report, text, sizeof text);
    fprintf(out, "nncost: %s: %s\n", report->path, text);
}
