#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/record/check_view.h"
#include "cli/report/report_page.h"
#include "cli/scenario_asked.h"
#include "cli/search_asked.h"
#include "record/plan_file_load.h"
#include "render/html.h"

static nnc_status write_estimate(nnc_session *session, void *context, nnc_scenario *scenario,
                                 nnc_scratch *scratch, nnc_error *err)
{
    const nnc_result *result = &scenario->result;
    (void)context;
    if (result->plan.pipeline > 1) {
        NNC_TRY(nnc_scenario_timeline(scenario, scratch, err));
    }
    const nnc_status status = nnc_report_estimate_html(session, &scenario->report, err);
    nnc_scenario_timeline_free(scenario);
    session->exit_code = result->verdict == NNC_OVER_MEMORY ? 1 : session->exit_code;
    return status;
}

/* One section for each scenario of a plan file, or for the one that is asked for. */
static nnc_status write_estimates(nnc_session *session, nnc_arena *arena, nnc_error *err)
{
    char **operands = session->options.operands;
    const nnc_plans *plans = NULL;
    NNC_TRY(nnc_plans_open(session->specs, arena, operands[0], &plans, err));
    if (plans == NULL || session->options.scenario != NULL || plans->scenario_count == 1) {
        return nnc_scenario_report(session, operands[0], operands[1], write_estimate, NULL, err);
    }
    for (int32_t i = 0; i < plans->scenario_count; i++) {
        session->options.scenario = plans->scenarios[i].id;
        NNC_TRY(nnc_scenario_report(session, operands[0], operands[1], write_estimate, NULL, err));
    }
    return NNC_OK;
}

static nnc_status write_diff(nnc_session *session, nnc_arena *arena, nnc_error *err)
{
    char **operands = session->options.operands;
    nnc_check_report report;
    if (session->options.operand_count < 3) {
        return nnc_fail(err, NNC_BAD_USAGE, "report diff", "too few arguments, expected OLD NEW");
    }
    NNC_TRY(nnc_diff_make(arena, operands[1], operands[2], &report, err));
    nnc_report_diff_html(session, &report);
    return NNC_OK;
}

static nnc_status write_search(nnc_session *session, void *context, const nnc_search_report *report,
                               nnc_error *err)
{
    (void)context;
    return nnc_report_search_html(session, report, err);
}

static bool is_of(const nnc_options *options, const char *what)
{
    return options->operand_count > 0 && strcmp(options->operands[0], what) == 0;
}

static void form_of(const nnc_options *options, nnc_form *form)
{
    if (is_of(options, "diff")) {
        snprintf(form->name, sizeof form->name, "report diff");
        form->takes = NNC_TAKES_COMMON | NNC_TAKES_REPORT;
    } else if (!is_of(options, "search")) {
        snprintf(form->name, sizeof form->name, "report MODEL DEVICE");
        form->takes &= ~(unsigned)NNC_TAKES_SEARCH;
    }
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    const nnc_options *options = &session->options;
    const bool search = is_of(options, "search"), diff = is_of(options, "diff");
    nnc_arena *arena = nnc_arena_create();
    nnc_status status = NNC_OK;
    if (arena == NULL) {
        return nnc_no_memory(err);
    }
    nnc_html_begin(session->out, "nncost report");
    if (search && options->operand_count < 2) {
        status = nnc_fail(err, NNC_BAD_USAGE, "report search",
                          "too few arguments, expected MODEL DEVICE");
    } else if (search) {
        status = nnc_search_asked(session, options->operands[1], options->operands[2], write_search,
                                  NULL, err);
    } else if (!diff && options->operand_count > 2) {
        status = nnc_fail(err, NNC_BAD_USAGE, options->operands[2],
                          "one argument too many, expected MODEL DEVICE");
    } else {
        status = diff ? write_diff(session, arena, err) : write_estimates(session, arena, err);
    }
    nnc_arena_destroy(arena);
    nnc_report_foot_html(session);
    nnc_html_end(session->out);
    return status;
}

const nnc_command nnc_cmd_report = {
    .name = "report",
    .operands = "MODEL DEVICE | PLANS.json [DEVICE] | search MODEL DEVICE | diff OLD NEW",
    .summary = "One page of HTML: the verdict, pictures, every number, its sources.",
    .notes =
        "What 'estimate' and 'ops', 'search' or 'diff' say with the same options, with the "
        "pictures "
        "of 'plot', in one file that needs nothing else: it opens from disk, can be mailed and "
        "printed, and fetches nothing. Of a plan file every scenario has its part, or the one of "
        "--scenario. Tables are sorted by a click on a heading. The same command gives the same "
        "bytes; --date adds a date. --format does not change it. Exits with 1 when a plan does not "
        "fit, or none is found.",
    .min_operands = 1,
    .max_operands = 3,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_SCENARIO | NNC_TAKES_SEARCH |
             NNC_TAKES_REPORT,
    .form = form_of,
    .run = run,
};
