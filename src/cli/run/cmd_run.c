#include "base/error.h"
#include "cli/run/run_view.h"
#include "cli/scenario_asked.h"
#include "input/field.h"

static nnc_status write(nnc_session *session, void *context, nnc_scenario *scenario,
                        nnc_scratch *scratch, nnc_error *err)
{
    (void)context, (void)scratch, (void)err;
    session->exit_code = scenario->result.verdict != NNC_OVER_MEMORY ? 0 : 1;
    nnc_report shown = scenario->report;
    shown.past = nnc_report_past(&shown);
    nnc_view_write(session->out, session->style, &nnc_run_view, &shown);
    return NNC_OK;
}

/* Without a model and a device: what is given is all there is. */
static nnc_status run_bare(nnc_session *session, nnc_error *err)
{
    const nnc_given *given = &session->options.given;
    nnc_plan plan = nnc_plan_default();
    nnc_run_ask ask = nnc_run_ask_default();
    nnc_run run;
    for (int i = 0; i < given->setting_count; i++) {
        const nnc_field *field = given->settings[i].field;
        const bool of_run = nnc_field_is_of(&nnc_run_table, field);
        if (nnc_field_set(of_run ? &nnc_run_table : &nnc_plan_table,
                          of_run ? (void *)&ask : (void *)&plan, field->name,
                          given->settings[i].value, err) != NNC_OK) {
            nnc_option_name(field->name, err->where);
            return NNC_BAD_USAGE;
        }
    }
    NNC_TRY(nnc_run_of(NULL, NULL, &plan, &ask, &run, err));
    const nnc_report report = { .run = &run, .run_ask = &ask };
    nnc_view_write(session->out, session->style, &nnc_bare_run_view, &report);
    return NNC_OK;
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    const nnc_options *options = &session->options;
    session->options.given.asks_run = true;
    return options->operand_count == 0
               ? run_bare(session, err)
               : nnc_scenario_report(session, options->operands[0], options->operands[1], write,
                                     NULL, err);
}

const nnc_command nnc_cmd_run = {
    .name = "run",
    .operands = "[MODEL DEVICE | PLANS.json [DEVICE]]",
    .summary = "The whole run: days, device-hours, cost, energy and carbon, with failures, "
               "checkpoints and input.",
    .notes = "How much is trained: --tokens, --samples, --epochs with --dataset-size, or --days. "
             "Without MODEL and DEVICE the formulas work on what is given: --devices, --step-s, "
             "--device-mtbf-s and so on. What is not known is left out. Times take us, ms, s, min, "
             "h, d; bytes and rates k, M, G, T; tokens k, M, B, T.",
    .min_operands = 0,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_SCENARIO | NNC_TAKES_RUN,
    .run = run,
};
