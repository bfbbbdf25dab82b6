#include "cli/serve/serve_asked.h"
#include "cli/serve/serve_images_view.h"
#include "cli/serve/serve_view.h"

static nnc_status write(nnc_session *session, nnc_serve_scenario *scenario, nnc_error *err)
{
    (void)err;
    const nnc_report *report = &scenario->base.report;
    nnc_view_write(session->out, session->style,
                   report->images != NULL ? &nnc_images_view : &nnc_serve_view, report);
    return NNC_OK;
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    return nnc_serve_report(session, session->options.operands[0], session->options.operands[1],
                            write, err);
}

const nnc_command nnc_cmd_serve = {
    .name = "serve",
    .operands = "MODEL DEVICE | PLANS.json [DEVICE]",
    .summary =
        "A decoder that is served: time to first token and per token, throughput, memory and "
        "cost.",
    .notes =
        "Requests come as a static batch (--batch), a closed loop (--concurrency), an open loop "
        "(--request-rate) or as many as fit (--offline). Exits with 1 where they do not fit, or "
        "come faster than they can be served.",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_SERVE | NNC_TAKES_SCENARIO,
    .run = run,
};
