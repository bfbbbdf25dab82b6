/* ops --serve */
#include "base/error.h"
#include "cli/serve/serve_asked.h"
#include "cli/serve/serve_view.h"

static nnc_status write(nnc_session *session, nnc_serve_scenario *scenario, nnc_error *err)
{
    if (scenario->base.report.images != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--steps",
                        "ops of a pass are those of 'nncost ops %s %s'",
                        scenario->base.report.model_asked, scenario->base.report.device_asked);
    }
    session->exit_code = 0;
    nnc_view_write(session->out, session->style, &nnc_serve_ops_view, &scenario->base.report);
    return NNC_OK;
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    return nnc_serve_report(session, session->options.operands[0], session->options.operands[1],
                            write, err);
}

const nnc_command nnc_cmd_serve_ops = {
    .name = "ops",
    .operands = "MODEL DEVICE | PLANS.json [DEVICE] --serve",
    .summary =
        "Every op of a prefill and of a decode step, equal layers together: work, weights and "
        "cache that it reads, time, what bounds it.",
    .notes = "Exits with 0 whether the requests fit or not.",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_SERVE | NNC_TAKES_SCENARIO | NNC_TAKES_SERVING,
    .run = run,
};
