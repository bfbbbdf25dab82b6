/* nncost report: writes a single HTML page about an estimate, the scenarios of a plan file, a search, or two estimates
 * (diff). The page has the verdict, pictures, numbers, ops, sources, and the command line that writes the page
 * again. */
#include <limits.h>

#include <nncost/nncost.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "input/input_internal.h"
#include "plot/plot_internal.h"
#include "record/record_internal.h"
#include "render/render_internal.h"

/* Limits that keep a report page below 120 kB. OPS: largest number of rows in the table of ops. PASSES: largest number
 * of passes in a timeline. */
enum { OPS = 60, PASSES = 250, WIDE = 720, NARROW = 360 };

static nnc_style html_of(const nnc_session *session) {
    nnc_style style = session->style;
    style.format = &nnc_format_html;
    style.colour = false;
    return style;
}

static void put_picture(nnc_buffer *out, const nnc_picture *picture, const nnc_plot_data *data, const char *class,
                        int32_t width) {
    char id[64];
    /* the ids of all pictures on a page must be different */
    snprintf(id, sizeof id, "nnc-%zu-%s", out->size, picture->name);
    const nnc_plot_how how = {
        .width = width, .fragment = true, .id = id, .marks = PASSES, .from_s = (double)NAN, .to_s = (double)NAN
    };
    nnc_buffer_print(out, "<div class=\"%s\">", class);
    nnc_plot_draw(out, picture, data, &how);
    nnc_buffer_text(out, "</div>\n");
}

/* Draws each picture twice, in a wide and in a narrow form; the page shows the form that fits the width of the window.
 * A timeline is drawn once, and the reader can scroll it sideways. */
static void put_pictures(nnc_buffer *out, const nnc_plot_data *data, bool pipelined) {
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

static void put_sources(nnc_buffer *out, const char *what, const nnc_source *sources, int32_t count) {
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

static nnc_status put_estimate(nnc_session *session, const nnc_report *report, nnc_error *err) {
    nnc_buffer *out = session->out;
    char text[NNC_METRIC_TEXT_MAX], head[256];
    const nnc_plot_data data = { .report = report };
    nnc_report plain = *report;
    /* the report lists no intervals of the timeline, because the picture of the timeline shows them */
    plain.intervals = NULL;
    nnc_report_sentence(report, text);
    const char *scenario = session->options.scenario;
    snprintf(head, sizeof head, "%.100s%s%.100s", scenario != NULL ? scenario : "", scenario != NULL ? ": " : "",
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
                       (nnc_ops_view){ .sort = NNC_SORT_TIME, .top = OPS, .bare = true }) != NNC_OK) {
        return nnc_no_memory(err);
    }
    nnc_html_put(out, "h2", "Sources");
    put_sources(out, report->model->id, report->model->sources, report->model->source_count);
    put_sources(out, report->device->id, report->device->sources, report->device->source_count);
    put_sources(out, report->software->id, report->software->sources, report->software->source_count);
    return NNC_OK;
}

static void put_plans(nnc_session *session, const char *heading, const nnc_found *list, int32_t count,
                      const nnc_search_report *report) {
    if (count > 0) {
        nnc_html_put(session->out, "h2", heading);
        nnc_found_write(session->out, html_of(session), list, count, report->currency, report->sizes != NULL);
    }
}

static nnc_status put_search(nnc_session *session, const nnc_search_report *report, nnc_error *err) {
    nnc_buffer *out = session->out;
    const nnc_plot_data data = { .search = report };
    const bool sizes = report->sizes != NULL;
    char text[192];
    if (report->digest != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--shard", "a report needs the whole search, expected no --shard");
    }
    nnc_html_put(out, "h1", report->model->name);
    snprintf(text, sizeof text,
             "%" PRIu64 " combinations of the choices for %s, batch %" PRId64 ": %" PRIu64 " legal, %" PRIu64 " fit.",
             report->total.covered, report->device->name, report->search->base.global_batch, report->total.legal,
             report->total.feasible);
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
        if (report->sizes[i].found) { list[found++] = report->sizes[i].best; }
    }
    put_plans(session, "The best plan of every size", list, found, report);
    return NNC_OK;
}

static void put_diff(nnc_session *session, const nnc_check_report *report) {
    nnc_buffer *out = session->out;
    char text[512];
    int32_t differ = 0;
    for (int32_t i = 0; i < report->row_count; i++) { differ += report->rows[i].state != NNC_CHECK_SAME; }
    snprintf(text, sizeof text, "%.200s against %.200s", report->other, report->path);
    nnc_html_put(out, "h1", text);
    snprintf(text, sizeof text, "%" PRId32 " of %" PRId32 " estimates differ.", differ, report->row_count);
    nnc_html_put(out, "p", text);
    for (int32_t i = 0; i < report->row_count; i++) {
        const nnc_check_row *row = &report->rows[i];
        if (row->state == NNC_CHECK_SAME) { continue; }
        nnc_html_put(out, "h2", row->id[0] != '\0' ? row->id : "The estimate");
        nnc_check_headline(row, text, sizeof text);
        nnc_html_put(out, "p",
                     row->state == NNC_CHECK_ADDED     ? "only in the new"
                     : row->state == NNC_CHECK_REMOVED ? "only in the old"
                                                       : text);
        nnc_changes_write(out, html_of(session), row, row->change_count, "old", "new");
        if (row->op_count > 0) {
            nnc_table_of(
                out, html_of(session),
                (nnc_lines){ &nnc_check_op_metrics, row, row->ops, row->op_count < OPS ? row->op_count : OPS });
        }
    }
}

/* Appends the arguments of the command line, beginning with the argument `at`, to `command`. The option --output and
 * its path are left out. A NUL ends the appended text. */
static void put_arguments(nnc_buffer *command, const nnc_session *session, const char *at) {
    const char *end = session->arguments.bytes + session->arguments.size;
    for (; at < end; at += strlen(at) + 1) {
        if (strncmp(at, "--output", 8) != 0) {
            nnc_buffer_byte(command, ' ');
            nnc_shell_word(command, at);
        } else if (at[8] == '\0') {
            at += sizeof "--output";
        }
    }
    nnc_buffer_byte(command, '\0');
}

static void put_foot(nnc_session *session) {
    nnc_buffer *out = session->out;
    nnc_buffer command = { 0 };
    nnc_html_put(out, "h2", "This page");
    nnc_buffer_text(&command, "nncost");
    put_arguments(&command, session, session->arguments.bytes);
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

static nnc_status write_estimate(nnc_session *session, void *context, nnc_scenario *scenario, nnc_scratch *scratch,
                                 nnc_error *err) {
    const nnc_result *result = &scenario->result;
    (void)context;
    if (result->plan.pipeline > 1) { NNC_TRY(nnc_scenario_timeline(scenario, scratch, err)); }
    const nnc_status status = put_estimate(session, &scenario->report, err);
    nnc_scenario_timeline_free(scenario);
    session->exit_code = result->verdict == NNC_OVER_MEMORY ? 1 : session->exit_code;
    return status;
}

/* Writes a section of the page for each scenario of a plan file, or only for the scenario that --scenario names. */
static nnc_status write_estimates(nnc_session *session, nnc_error *err) {
    char **operands = session->options.operands;
    const nnc_plans *plans = NULL;
    NNC_TRY(nnc_plans_open(session->specs, nnc_specs_arena(session->specs), operands[0], &plans, err));
    if (plans == NULL || session->options.scenario != NULL || plans->scenario_count == 1) {
        return nnc_scenario_report(session, operands[0], operands[1], write_estimate, NULL, err);
    }
    for (int32_t i = 0; i < plans->scenario_count; i++) {
        session->options.scenario = plans->scenarios[i].id;
        NNC_TRY(nnc_scenario_report(session, operands[0], operands[1], write_estimate, NULL, err));
    }
    return NNC_OK;
}

static nnc_status write_diff(nnc_session *session, nnc_error *err) {
    char **operands = session->options.operands;
    nnc_check_report report;
    if (session->options.operand_count < 3) {
        return nnc_fail(err, NNC_BAD_USAGE, "report diff", "too few arguments, expected OLD NEW");
    }
    NNC_TRY(nnc_diff_make(session->specs, nnc_specs_arena(session->specs), operands[1], operands[2], &report, err));
    put_diff(session, &report);
    return NNC_OK;
}

static nnc_status write_search(nnc_session *session, void *context, const nnc_search_report *report, nnc_error *err) {
    (void)context;
    return put_search(session, report, err);
}

static bool is_of(const nnc_options *options, const char *what) {
    return options->operand_count > 0 && strcmp(options->operands[0], what) == 0;
}

static void form_of(const nnc_options *options, nnc_form *form) {
    if (is_of(options, "diff")) {
        snprintf(form->name, sizeof form->name, "report diff");
        form->takes = NNC_TAKES_COMMON | NNC_TAKES_REPORT;
    } else if (!is_of(options, "search")) {
        snprintf(form->name, sizeof form->name, "report MODEL DEVICE");
        form->takes &= ~(unsigned)NNC_TAKES_SEARCH;
    }
}

static nnc_status run(nnc_session *session, nnc_error *err) {
    const nnc_options *options = &session->options;
    const bool search = is_of(options, "search"), diff = is_of(options, "diff");
    nnc_status status = NNC_OK;
    nnc_html_begin(session->out, "nncost report");
    if (search && options->operand_count < 2) {
        status = nnc_fail(err, NNC_BAD_USAGE, "report search", "too few arguments, expected MODEL DEVICE");
    } else if (search) {
        status = nnc_search_args_run(session, options->operands[1], options->operands[2], write_search, NULL, err);
    } else if (!diff && options->operand_count > 2) {
        status = nnc_fail(err, NNC_BAD_USAGE, options->operands[2], "one argument too many, expected MODEL DEVICE");
    } else {
        status = diff ? write_diff(session, err) : write_estimates(session, err);
    }
    put_foot(session);
    nnc_html_end(session->out);
    return status;
}

const nnc_command nnc_cmd_report = {
    .name = "report",
    .part_of = "plot report",
    .operands = "MODEL DEVICE | PLANS.json [DEVICE] | search MODEL DEVICE | diff OLD NEW",
    .summary = "One page of HTML: the verdict, pictures, and every number with its source.",
    .notes = "The page contains the output of 'estimate' and 'ops', of 'search' or of 'diff' with the same options, "
             "and the pictures of 'plot'. The page is one file that loads no other file. A browser opens the file "
             "from disk, and the file can be mailed and printed. For a plan file, the page has a part for each "
             "scenario, or only for the scenario of --scenario. A click on a heading sorts a table. If the same "
             "command runs twice, it writes two files with equal bytes; --date adds a date. --format has no effect. "
             "The command exits with 1 if a plan does not fit, or if a search finds no plan.",
    .min_operands = 1,
    .max_operands = 3,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_LAUNCH | NNC_TAKES_PLAN | NNC_TAKES_SWITCH | NNC_TAKES_SCENARIO |
             NNC_TAKES_SEARCH | NNC_TAKES_REPORT,
    .form = form_of,
    .run = run,
};

/* ---- nncost explore: writes the program as one page for a browser, with a command line with which the page starts
 * ---- */

/* The text in the browser page behind which the start command line is inserted. */
static const char mark[] = "<meta name=\"nnc-start\" content=\"";

/* Reads the browser page that `explore` writes. An installed program has the file of the browser page in its data
 * folder; a program in the source tree has the file in the build folder. */
static nnc_status read_page(const char *data, char **text, size_t *size, nnc_error *err) {
    static const char *const places[] = { "explorer.html", "build/web/explorer.html" };
    char path[PATH_MAX + 32];
    for (size_t i = 0; data != NULL && i < sizeof places / sizeof places[0]; i++) {
        nnc_error missing;
        snprintf(path, sizeof path, "%s/%s", data, places[i]);
        if (nnc_file_read(path, text, size, &missing) == NNC_OK) { return NNC_OK; }
    }
    return nnc_fail(err, NNC_IO, "explorer.html",
                    "is not installed with this program; in the source tree, tools/web builds it");
}

/* Checks that the operands of `explore` are ids of a model and a device that can be loaded. Paths are refused, because
 * a browser page reads only files that the user drops on the page. Without operands, there is nothing to check. */
static nnc_status check(nnc_session *session, nnc_error *err) {
    const nnc_options *options = &session->options;
    nnc_scenario *scenario = nnc_arena_alloc(nnc_specs_arena(session->specs), sizeof *scenario);
    NNC_GOT(scenario, err);
    if (options->operand_count == 1) {
        return nnc_fail(err, NNC_BAD_USAGE, "explore", "too few arguments, expected MODEL DEVICE");
    }
    for (int i = 0; i < options->operand_count; i++) {
        if (nnc_is_path(options->operands[i])) {
            return nnc_fail(err, NNC_BAD_USAGE, options->operands[i],
                            "is a file, and the explorer page cannot read files by their path; drop the file on the "
                            "page instead");
        }
    }
    return options->operand_count == 0
               ? NNC_OK
               : nnc_scenario_load_args(session, options->operands[0], options->operands[1], scenario, err);
}

/* Writes the command line with which the browser page starts: the command line of `explore`, with "estimate" in place
 * of "explore" and without --output. Writes nothing if `explore` has no operands. */
static void put_start(nnc_buffer *out, const nnc_session *session) {
    nnc_buffer words = { 0 };
    if (session->options.operand_count == 0) { return; }
    nnc_buffer_text(&words, "estimate");
    put_arguments(&words, session, session->arguments.bytes + strlen(session->arguments.bytes) + 1);
    out->failed = out->failed || words.failed;
    nnc_put_xml(out, words.failed ? "" : words.bytes);
    nnc_buffer_free(&words);
}

static nnc_status write_page(nnc_session *session, const char *page, size_t size, nnc_error *err) {
    const char *path = session->options.output != NULL ? session->options.output : "nncost-explorer.html";
    const char *at = strstr(page, mark);
    nnc_buffer text = { 0 };
    if (at == NULL) {
        return nnc_fail(err, NNC_BAD_SPEC, "explorer.html",
                        "is the page of another version of nncost, expected the page of this version");
    }
    at += sizeof mark - 1;
    nnc_buffer_put(&text, page, (size_t)(at - page));
    put_start(&text, session);
    nnc_buffer_put(&text, at, size - (size_t)(at - page));
    const nnc_status status = text.failed ? nnc_no_memory(err) : nnc_output_write(path, text.bytes, text.size, err);
    nnc_buffer_free(&text);
    /* the page is written already; the session must not overwrite the file */
    session->options.output = NULL;
    nnc_buffer_print(session->out, "%s\n", path);
    return status;
}

static nnc_status run_explore(nnc_session *session, nnc_error *err) {
    char *page = NULL;
    size_t size = 0;
    NNC_TRY(check(session, err));
    nnc_status status = read_page(session->data, &page, &size, err);
    if (status == NNC_OK && page != NULL) { status = write_page(session, page, size, err); }
    free(page);
    return status;
}

const nnc_command nnc_cmd_explore = {
    .name = "explore",
    .part_of = "plot explore",
    .operands = "[MODEL DEVICE]",
    .summary = "The whole program as one page for a browser; the page first shows the estimate of MODEL on DEVICE.",
    .notes = "The command writes nncost-explorer.html, or the file of --output, and prints the path of the file. The "
             "page needs no server and sends nothing over a network: open the page from disk, put it on any web "
             "server, or mail it. The page has the command line of this program, a form, pictures, links and "
             "explanations. Drop model and device files on the page to use these files.",
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_LAUNCH | NNC_TAKES_PLAN | NNC_TAKES_RUN,
    .run = NNC_NOT_ON_PAGE(run_explore),
};
