#include "base/error.h"
#include "cli/docs.h"
#include "cli/scenario_asked.h"
#include "explain/explain.h"

enum { OUTPUTS_MAX = 32 };

/* Those of other commands; ends with a NULL. */
static void list_outputs(nnc_explain_output outputs[OUTPUTS_MAX])
{
    int count = 0;
    for (int i = 0; nnc_docs_output_name(i) != NULL && count < OUTPUTS_MAX - 1; i++) {
        const nnc_metrics *metrics = nnc_docs_output_metrics(i);
        if (metrics != &nnc_estimate_document) {
            outputs[count++] = (nnc_explain_output){ nnc_docs_output_name(i), metrics };
        }
    }
    outputs[count] = (nnc_explain_output){ NULL, NULL };
}

static nnc_status write(nnc_session *session, void *context, nnc_scenario *scenario,
                        nnc_scratch *scratch, nnc_error *err)
{
    nnc_explain_output outputs[OUTPUTS_MAX];
    (void)context, (void)scratch;
    list_outputs(outputs);
    return nnc_report_explain(session->out, session->style, &scenario->report, outputs,
                              session->options.operands[0], err);
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    char **operands = session->options.operands;
    nnc_explain_output outputs[OUTPUTS_MAX];
    list_outputs(outputs);
    switch (session->options.operand_count) {
    case 0: return nnc_explain_list(session->out, session->style, outputs, err);
    case 1:
        return nnc_explain_formulas(session->out, session->style, session->specs, outputs,
                                    operands[0], err);
    case 2: return nnc_scenario_report(session, operands[1], NULL, write, NULL, err);
    default: return nnc_scenario_report(session, operands[1], operands[2], write, NULL, err);
    }
}

const nnc_command nnc_cmd_explain = {
    .name = "explain",
    .operands = "[NAMES [MODEL DEVICE | PLANS.json [DEVICE]]]",
    .summary =
        "What metrics and ops are: formula, source, and with MODEL DEVICE the numbers put in.",
    .notes =
        "NAMES are joined by commas: metrics by their names in the JSON output of any command, "
        "such "
        "as mfu, step_s, exposed_comm.data, memory or cost, and ops by their names in 'nncost "
        "ops', "
        "such as attn.qkv; of an op with many shapes, the one that takes longest in each phase. "
        "Without NAMES, all of them are listed. JSON of several names is a list.",
    .min_operands = 0,
    .max_operands = 3,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_RUN | NNC_TAKES_SCENARIO,
    .run = run,
    .serving = &nnc_cmd_serve_explain,
};
