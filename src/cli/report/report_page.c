#include "cli/report/report_page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <nncost/nncost.h>

#include "base/error.h"
#include "base/shell_word.h"
#include "cli/estimate/estimate_view.h"
#include "cli/record/check_view.h"
#include "cli/search/search_found.h"
#include "plot/plot.h"
#include "render/html.h"
#include "render/svg.h"
#include "render/text.h"

/* OPS: rows of a table; PASSES: of a timeline, so that a page stays below 120 kB. */
enum { OPS = 60, PASSES = 250, WIDE = 720, NARROW = 360 };

static nnc_style html_of(const nnc_session *session)
{
    nnc_style style = session->style;
    style.format = &nnc_format_html;
    style.colour = false;
    return style;
}

/* ---- pictures ---- */

static void put_picture(nnc_buffer *out, const nnc_picture *picture, const nnc_plot_data *data,
                        const char *class, int32_t width)
{
    char id[64];
    snprintf(id, sizeof id, "nnc-%zu-%s", out->size, picture->name); /* unique on the page */
    const nnc_plot_how how = { .width = width,
                               .fragment = true,
                               .id = id,
                               .marks = PASSES,
                               .from_s = (double)NAN,
                               .to_s = (double)NAN };
    nnc_buffer_print(out, "<div class=\"%s\">", class);
    nnc_plot_draw(out, picture, data, &how);
    nnc_buffer_text(out, "</div>\n");
}

/* Wide and narrow, of which a page shows one; a timeline is moved sideways instead. */
static void put_pictures(nnc_buffer *out, const nnc_plot_data *data, bool pipelined)
{
    for (unsigned i = 0; i < NNC_PICTURE_COUNT; i++) {
        const nnc_picture *picture = nnc_pictures[i];
        if (picture->of == NNC_PLOT_ESTIMATE) {
            put_picture(out, picture, data, "desk", WIDE);
            put_picture(out, picture, data, "phone", NARROW);
        } else if (picture->of == NNC_PLOT_TIMELINE && pipelined) {
            put_picture(out, picture, data, "wide", WIDE);
        }
    }
}

/* ---- an estimate ---- */

static void put_sources(nnc_buffer *out, const char *what, const nnc_source *sources, int32_t count)
{
    if (count > 0) {
        nnc_html_put(out, "h3", what);
        nnc_buffer_text(out, "<dl>\n");
    }
    for (int32_t i = 0; i < count; i++) {
        nnc_html_put(out, "dt", sources[i].key[0] != '\0' ? sources[i].key : "all");
        nnc_html_put(out, "dd", sources[i].text);
    }
    nnc_buffer_text(out, count > 0 ? "</dl>\n" : "");
}

nnc_status nnc_report_estimate_html(nnc_session *session, const nnc_report *report, nnc_error *err)
{
    nnc_buffer *out = session->out;
    char text[NNC_METRIC_TEXT_MAX], head[256];
    const nnc_plot_data data = { .report = report };
    nnc_report plain = *report;
    plain.intervals = NULL; /* the picture shows them */
    nnc_report_sentence(report, text);
    const char *scenario = session->options.scenario;
    snprintf(head, sizeof head, "%.100s%s%.100s", scenario != NULL ? scenario : "",
             scenario != NULL ? ": " : "",
             report->model->name[0] != '\0' ? report->model->name : report->model->id);
    nnc_html_put(out, "h1", head);
    nnc_buffer_text(out, "<p class=\"verdict\">");
    nnc_put_xml(out, text);
    nnc_buffer_text(out, "\n");
    put_pictures(out, &data, report->intervals != NULL);
    nnc_html_put(out, "h2", "Figures");
    nnc_estimate_view.page(out, html_of(session), &plain);
    nnc_html_put(out, "h2", "Ops by time");
    if (nnc_report_ops(out, html_of(session), &plain,
                       (nnc_ops_view){ .sort = NNC_SORT_TIME, .top = OPS, .bare = true }) !=
        NNC_OK) {
        return nnc_no_memory(err);
    }
    nnc_html_put(out, "h2", "Sources");
    put_sources(out, report->model->id, report->model->sources, report->model->source_count);
    put_sources(out, report->device->id, report->device->sources, report->device->source_count);
    put_sources(out, report->software->id, report->software->sources,
                report->software->source_count);
    return NNC_OK;
}

/* ---- a search ---- */

static void put_plans(nnc_session *session, const char *heading, const nnc_found *list,
                      int32_t count, const nnc_search_report *report)
{
    if (count > 0) {
        nnc_html_put(session->out, "h2", heading);
        nnc_found_write(session->out, html_of(session), list, count, report->currency,
                        report->sizes != NULL);
    }
}

nnc_status nnc_report_search_html(nnc_session *session, const nnc_search_report *report,
                                  nnc_error *err)
{
    nnc_buffer *out = session->out;
    const nnc_plot_data data = { .search = report };
    const bool sizes = report->sizes != NULL;
    char text[192];
    if (report->digest != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--shard", "a report is of a whole search");
    }
    nnc_html_put(out, "h1", report->model->name);
    snprintf(text, sizeof text,
             "%" PRIu64 " combinations of the choices for %s, batch %" PRId64 ": %" PRIu64
             " legal, %" PRIu64 " fit.",
             report->total.covered, report->device->name, report->search->base.global_batch,
             report->total.legal, report->total.feasible);
    nnc_html_put(out, "p", text);
    for (unsigned i = 0; i < NNC_PICTURE_COUNT; i++) {
        if (nnc_pictures[i]->of == (sizes ? NNC_PLOT_SIZES : NNC_PLOT_FRONT)) {
            put_picture(out, nnc_pictures[i], &data, "desk", WIDE);
            put_picture(out, nnc_pictures[i], &data, "phone", NARROW);
        }
    }
    if (!sizes) {
        put_plans(session, "Best plans", report->result->best, report->result->best_count, report);
        put_plans(session, "No other plan is faster with less memory", report->result->pareto,
                  report->result->pareto_count, report);
        return NNC_OK;
    }
    nnc_found list[64];
    int32_t found = 0;
    for (int32_t i = 0; i < report->size_count && found < 64; i++) {
        if (report->sizes[i].found) {
            list[found++] = report->sizes[i].best;
        }
    }
    put_plans(session, "The best plan of every size", list, found, report);
    return NNC_OK;
}

/* ---- two estimates ---- */

void nnc_report_diff_html(nnc_session *session, const nnc_check_report *report)
{
    nnc_buffer *out = session->out;
    char text[512];
    int32_t differ = 0;
    for (int32_t i = 0; i < report->row_count; i++) {
        differ += report->rows[i].state != NNC_CHECK_SAME;
    }
    snprintf(text, sizeof text, "%.200s against %.200s", report->other, report->path);
    nnc_html_put(out, "h1", text);
    snprintf(text, sizeof text, "%" PRId32 " of %" PRId32 " estimates differ.", differ,
             report->row_count);
    nnc_html_put(out, "p", text);
    for (int32_t i = 0; i < report->row_count; i++) {
        const nnc_check_row *row = &report->rows[i];
        if (row->state == NNC_CHECK_SAME) {
            continue;
        }
        nnc_html_put(out, "h2", row->id[0] != '\0' ? row->id : "The estimate");
        nnc_check_headline(row, text, sizeof text);
        nnc_html_put(out, "p",
                     row->state == NNC_CHECK_ADDED     ? "only in the new"
                     : row->state == NNC_CHECK_REMOVED ? "only in the old"
                                                       : text);
        nnc_changes_write(out, html_of(session), row, row->change_count, "old", "new");
        if (row->op_count > 0) {
            nnc_table_of(out, html_of(session),
                         (nnc_lines){ &nnc_check_op_metrics, row, row->ops,
                                      row->op_count < OPS ? row->op_count : OPS });
        }
    }
}

/* ---- what made it ---- */

void nnc_report_foot_html(nnc_session *session)
{
    nnc_buffer *out = session->out;
    nnc_buffer command = { 0 };
    nnc_html_put(out, "h2", "This page");
    nnc_buffer_text(&command, "nncost");
    const char *end = session->arguments.bytes + session->arguments.size;
    for (const char *at = session->arguments.bytes; at < end; at += strlen(at) + 1) {
        if (strncmp(at, "--output", 8) != 0) { /* where to does not matter */
            nnc_buffer_byte(&command, ' ');
            nnc_shell_word(&command, at);
        } else if (at[8] == '\0') {
            at += sizeof "--output";
        }
    }
    nnc_buffer_byte(&command, '\0');
    out->failed = out->failed || command.failed;
    nnc_html_put(out, "pre", command.failed ? "" : command.bytes);
    nnc_buffer_free(&command);
    nnc_buffer_print(out, "<p>nncost %s", nnc_version());
    if (session->options.date != NULL) {
        nnc_buffer_text(out, ", ");
        nnc_put_xml(out, session->options.date);
    }
    nnc_buffer_text(out, "\n");
}
