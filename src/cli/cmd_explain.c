#include "cli/scenario_asked.h"
#include "explain/explain.h"

static nnc_status write(nnc_session *session, nnc_scenario *scenario, nnc_scratch *scratch,
                        nnc_error *err)
{
    const nnc_report *report = &scenario->report;
    (void)scratch;
    return nnc_report_explain(session->out, session->style, report, session->options.operands[0],
                              err);
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    char **operands = session->options.operands;
    return nnc_scenario_report(session, operands[1], operands[2], write, err);
}

const nnc_command nnc_cmd_explain = {
    .name = "explain",
    .operands = "QUANTITY MODEL DEVICE | QUANTITY PLANS.json [DEVICE]",
    .summary = "The formula of a quantity or of an op, its source, and the numbers put in.",
    .notes = "QUANTITY is a figure of the estimate by its name in the JSON output, such as mfu, "
             "step_s, memory, weight_bytes or cost, or an op by its name in 'nncost ops', such as "
             "attn.qkv; of an op with many shapes, the one that takes longest in each phase.",
    .min_operands = 2,
    .max_operands = 3,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_SCENARIO,
    .run = run,
};
