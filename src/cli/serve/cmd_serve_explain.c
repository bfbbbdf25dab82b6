/* explain --serve */
#include "cli/serve/serve_asked.h"
#include "explain/explain.h"

static nnc_status write(nnc_session *session, nnc_serve_scenario *scenario, nnc_error *err)
{
    static const nnc_explain_output none = { NULL, NULL };
    session->exit_code = 0;
    return nnc_report_explain(session->out, session->style, &scenario->base.report, &none,
                              session->options.operands[0], err);
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    return nnc_serve_report(session, session->options.operands[1], session->options.operands[2],
                            write, err);
}

const nnc_command nnc_cmd_serve_explain = {
    .name = "explain",
    .operands = "NAMES MODEL DEVICE | NAMES PLANS.json [DEVICE] --serve",
    .summary = "What metrics of serving are: formula, source, and the numbers put in.",
    .notes =
        "NAMES are joined by commas: metrics by their names in 'nncost serve --format json', such "
        "as tpot_s, kv_bytes_per_token, max_sequences or decode.time_s.",
    .min_operands = 2,
    .max_operands = 3,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_SERVE | NNC_TAKES_SCENARIO | NNC_TAKES_SERVING,
    .run = run,
};
