#include "base/error.h"
#include "cli/estimate/estimate_view.h"
#include "cli/scenario_asked.h"

static nnc_status write(nnc_session *session, void *context, nnc_scenario *scenario,
                        nnc_scratch *scratch, nnc_error *err)
{
    const nnc_report *report = &scenario->report;
    (void)context, (void)scratch;
    return nnc_report_ops(session->out, session->style, report, session->options.view) == NNC_OK
               ? NNC_OK
               : nnc_no_memory(err);
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    char **operands = session->options.operands;
    return nnc_scenario_report(session, operands[0], operands[1], write, NULL, err);
}

const nnc_command nnc_cmd_ops = {
    .name = "ops",
    .operands = "MODEL DEVICE | PLANS.json [DEVICE]",
    .summary = "Every op of the step: shape, FLOPs, bytes, intensity, time, share, what bounds it.",
    .notes = "FLOPs, bytes and time are those of one instance; repeat counts the instances in one "
             "step, and share is that of all of them. With --by all figures are sums over the "
             "step. FLOPs include those of the vector units. Exits with 0 whether the step fits "
             "or not.",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_RUN | NNC_TAKES_SCENARIO | NNC_TAKES_OPS,
    .run = run,
    .serving = &nnc_cmd_serve_ops,
};
