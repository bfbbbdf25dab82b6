#include <stdlib.h>

#include "base/error.h"
#include "base/number.h"
#include "cli/estimate/estimate_view.h"
#include "cli/output.h"
#include "cli/scenario_asked.h"

static nnc_status write_trace(const nnc_report *report, const char *path, nnc_error *err)
{
    nnc_buffer out = { 0 };
    nnc_report_trace(&out, report);
    const nnc_status status =
        out.failed ? nnc_no_memory(err) : nnc_output_write(path, out.bytes, out.size, err);
    nnc_buffer_free(&out);
    return status;
}

static nnc_status write_report(nnc_session *session, const nnc_report *report, nnc_error *err)
{
    const nnc_options *options = &session->options;
    nnc_report shown = *report;
    shown.all_stages = options->stages;
    shown.past = nnc_report_past(report);
    if (!options->timeline) {
        shown.intervals = NULL;
    }
    nnc_view_write(session->out, session->style, &nnc_estimate_view, &shown);
    return options->trace != NULL ? write_trace(report, options->trace, err) : NNC_OK;
}

/* With a scratch of its own: the report points into the other. */
static nnc_status find_sensitivity(nnc_scenario *scenario, nnc_sensitivity entries[NNC_LEVER_COUNT],
                                   nnc_error *err)
{
    nnc_scratch *scratch = nnc_scratch_create();
    if (scratch == NULL) {
        return nnc_no_memory(err);
    }
    const nnc_status status = nnc_sensitivity_of(
        &scenario->model, &scenario->device, &scenario->software, &scenario->plan, scratch, entries,
        NNC_LEVER_COUNT, &scenario->report.sensitivity_count, err);
    scenario->report.sensitivity = entries;
    nnc_scratch_destroy(scratch);
    return status;
}

/* "0.41s", or a rate of samples or tokens. */
static nnc_status read_measured(const char *text, const nnc_result *r, nnc_own_step *own,
                                nnc_error *err)
{
    static const char *const units[] = { "tokens/s", "samples/s", "s" };
    double value = 0.0;
    int unit = 0;
    while (unit < 3 && !nnc_read_quantity(text, units[unit], false, &value)) {
        unit++;
    }
    if (unit == 3 || !(value > 0.0) || (unit == 0 && r->tokens == 0)) {
        return nnc_fail(err, NNC_BAD_USAGE, "--measured",
                        "wrong value, expected a time (0.41s) or a rate (380samples/s%s), found "
                        "\"%.40s\"",
                        r->tokens > 0 ? ", 12000tokens/s" : "", text);
    }
    own->step_s = unit == 0   ? (double)r->tokens / value
                  : unit == 1 ? (double)r->plan.global_batch / value
                              : value;
    own->mfu = r->model_flops / (own->step_s * r->plan.devices * r->peak_flops_per_s);
    own->predicted_over = r->step_s / own->step_s;
    own->possible = own->step_s >= r->lower_bound_s;
    return NNC_OK;
}

static nnc_status write(nnc_session *session, void *context, nnc_scenario *scenario,
                        nnc_scratch *scratch, nnc_error *err)
{
    const nnc_options *options = &session->options;
    nnc_sensitivity entries[NNC_LEVER_COUNT];
    nnc_report *report = &scenario->report;
    nnc_own_step own;
    nnc_status status = NNC_OK;
    (void)context;
    session->exit_code = scenario->result.verdict != NNC_OVER_MEMORY ? 0 : 1;
    if (options->measured != NULL) {
        NNC_TRY(read_measured(options->measured, &scenario->result, &own, err));
        report->own = &own;
    }
    if (options->timeline || options->trace != NULL) {
        status = nnc_scenario_timeline(scenario, scratch, err);
    }
    if (status == NNC_OK && options->sensitivity) {
        status = find_sensitivity(scenario, entries, err);
    }
    if (status == NNC_OK) {
        status = write_report(session, report, err);
    }
    report->own = NULL;
    report->sensitivity = NULL;
    nnc_scenario_timeline_free(scenario);
    return status;
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    const nnc_options *options = &session->options;
    if (options->format == &nnc_format_csv && options->stages && options->timeline) {
        return nnc_fail(err, NNC_BAD_USAGE, "--stages",
                        "CSV holds one table, expected --stages or --timeline, found both");
    }
    if (options->format == &nnc_format_csv && options->sensitivity &&
        (options->stages || options->timeline)) {
        return nnc_fail(err, NNC_BAD_USAGE, "--sensitivity",
                        "CSV holds one table, expected it or %s, found both",
                        options->stages ? "--stages" : "--timeline");
    }
    return nnc_scenario_report(session, options->operands[0], options->operands[1], write, NULL,
                               err);
}

const nnc_command nnc_cmd_estimate = {
    .name = "estimate",
    .operands = "[FILE...] MODEL DEVICE | PLANS.json [DEVICE]",
    .summary = "One training step: time with its bounds, what limits it, memory, throughput, cost.",
    .notes =
        "FILE is a launch file: a DeepSpeed or accelerate configuration, see docs/files.md. "
        "Options "
        "of the command line replace what it says. "
        "Exits with 1 when the step does not fit into the device's memory; everything is printed "
        "all the same, with the smallest changes that would fit. Stages count from 0. With "
        "--format csv, --stages, --timeline and --sensitivity print their table in place of the "
        "estimate. A "
        "timeline has at most 1000000 passes. An elasticity of -0.5: one percent more of the "
        "figure "
        "takes half a percent off the step.",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_RUN | NNC_TAKES_SCENARIO |
             NNC_TAKES_STAGES | NNC_TAKES_LAUNCH,
    .run = run,
};
