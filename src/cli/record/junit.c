/* A check as JUnit XML: a test case per recorded estimate and one per requirement. Nothing in it
 * depends on the clock or the machine. */
#include <stdio.h>

#include "cli/record/check_view.h"
#include "render/svg.h"

static void begin_case(nnc_buffer *out, const nnc_check_report *report, const nnc_check_row *row,
                       const char *what)
{
    nnc_buffer_text(out, "    <testcase classname=\"");
    nnc_put_xml(out, row->id);
    nnc_buffer_text(out, "\" name=\"");
    nnc_put_xml(out, what);
    nnc_buffer_text(out, "\" file=\"");
    nnc_put_xml(out, report->path);
    nnc_buffer_print(out, "\" line=\"%ld\"", row->line);
}

static void put_failure(nnc_buffer *out, const char *type, const char *message)
{
    nnc_buffer_print(out, ">\n      <failure type=\"%s\" message=\"", type);
    nnc_put_xml(out, message);
    nnc_buffer_text(out, "\">");
}

static void end_failure(nnc_buffer *out)
{
    nnc_buffer_text(out, "</failure>\n    </testcase>\n");
}

static void put_estimate(nnc_buffer *out, const nnc_check_report *report, const nnc_check_row *row)
{
    char headline[256];
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
        const char *currency = nnc_change_currency(row, &row->changes[i]);
        nnc_put_xml(out, *currency != '\0' ? " " : "");
        nnc_put_xml(out, currency);
        nnc_buffer_print(out, " %s\n", text.percent);
    }
    end_failure(out);
}

static void put_verdict(nnc_buffer *out, const nnc_check_report *report, const nnc_check_row *row,
                        const nnc_check_verdict *verdict)
{
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

static void write_report(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record)
{
    const nnc_check_report *report = record;
    (void)style, (void)view;
    int32_t cases = 0, failures = 0;
    for (int32_t i = 0; i < report->row_count; i++) {
        const nnc_check_row *row = &report->rows[i];
        const bool recorded = row->state != NNC_CHECK_NOT_ASKED;
        cases += row->verdict_count + recorded;
        failures += recorded && row->state != NNC_CHECK_SAME && !report->updated;
        for (int32_t k = 0; k < row->verdict_count; k++) {
            failures += !row->verdicts[k].met;
        }
    }
    nnc_buffer_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    nnc_buffer_print(out, "<testsuites tests=\"%d\" failures=\"%d\">\n  <testsuite name=\"",
                     (int)cases, (int)failures);
    nnc_put_xml(out, report->path);
    nnc_buffer_print(out, "\" tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"0\">\n",
                     (int)cases, (int)failures);
    for (int32_t i = 0; i < report->row_count; i++) {
        const nnc_check_row *row = &report->rows[i];
        if (row->state != NNC_CHECK_NOT_ASKED) {
            put_estimate(out, report, row);
        }
        for (int32_t k = 0; k < row->verdict_count; k++) {
            put_verdict(out, report, row, &row->verdicts[k]);
        }
    }
    nnc_buffer_text(out, "  </testsuite>\n</testsuites>\n");
}

const nnc_format nnc_format_junit = { .name = "junit", .view = write_report };
