#include "base/error.h"
#include "cli/search/batch_chosen.h"
#include "cli/search/buyer.h"
#include "cli/search/search_view.h"
#include "cli/search_asked.h"

/* batch_chosen: a bool */
static nnc_status write(nnc_session *session, void *batch_chosen, const nnc_search_report *report,
                        nnc_error *err)
{
    nnc_search_report found = *report;
    (void)err;
    found.batch_chosen = *(const bool *)batch_chosen;
    nnc_report_search(session->out, session->style, &found);
    return NNC_OK;
}

/* Without a batch one that such models are trained with is chosen, and said. */
static nnc_status search_one(nnc_session *session, nnc_arena *arena, nnc_error *err)
{
    char **operands = session->options.operands;
    int64_t batch = 0;
    bool chosen = false;
    NNC_TRY(nnc_batch_choose(session, arena, &batch, &chosen, err));
    return nnc_search_asked(session, operands[0], operands[1], write, &chosen, err);
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    if (nnc_buyer_asked(&session->options)) {
        return nnc_buyer_run(session, err);
    }
    if (session->options.search.plans != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--plans", "is for several devices, found one");
    }
    nnc_arena *arena = nnc_arena_create();
    const nnc_status status = arena != NULL ? search_one(session, arena, err) : nnc_no_memory(err);
    nnc_arena_destroy(arena);
    return status;
}

const nnc_command nnc_cmd_search = {
    .name = "search",
    .operands = "MODEL DEVICE[,DEVICE...] | PLANS.json [DEVICE]",
    .summary = "The best legal plans for N devices, and the front of time against memory.",
    .notes = "Needs --devices, or a plan file that has them; without --global-batch one of about 4 "
             "million tokens is chosen, and said. Every choice that is left open is searched: "
             "tensor, pipeline, context, expert, virtual stages, micro-batch, ZeRO stage, "
             "sequence parallelism, recompute, schedule, offload. An option with a list "
             "restricts it: --tensor 4,8 --recompute none,full; '+' joins what one plan "
             "recomputes. Other options hold for every plan. Each figure equals that of "
             "'estimate' for the same plan. --devices may be a list of sizes, 64,128 or 8..4096 "
             "(doubling): "
             "then the best plan of each size is shown, and the fastest and the cheapest size. "
             "Several devices are compared, each by its cheapest size that keeps to --deadline and "
             "--budget, "
             "or with --objective time by its fastest; --plans FILE writes a scenario for each. "
             "--shard I/N searches one of N parts, of equal size, for 'nncost merge' to put "
             "together: "
             "that takes --format json. Ctrl-C ends with the best of what was covered. Exits with "
             "1 when no plan fits, with "
             "128 and the number of the signal when stopped by one.",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_RUN | NNC_TAKES_SCENARIO |
             NNC_TAKES_SEARCH | NNC_TAKES_TARGET,
    .crew = true,
    .run = run,
    .serving = &nnc_cmd_serve_search,
};
