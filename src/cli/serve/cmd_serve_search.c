/* search --serve */
#include <stdlib.h>

#include "base/error.h"
#include "cli/serve/serve_asked.h"
#include "cli/serve/serve_search_view.h"
#include "cli/serve/slo.h"

enum { DEVICES_MOST = 1 << 20, NODE = 8 };

static nnc_status search(nnc_session *session, nnc_serve_scenario *scenario, nnc_scratch *scratch,
                         nnc_arena *arena, nnc_error *err)
{
    const nnc_options *options = &session->options;
    const nnc_report *report = &scenario->base.report;
    nnc_serve_limit limits[NNC_SERVE_LIMITS];
    nnc_serve_search asked = { .limits = limits };
    const int32_t domain = report->device->scale_up.devices;
    int64_t most = domain > 1 && domain < NODE ? domain : NODE;
    const nnc_serve_ask *ask = &scenario->ask;
    if (ask->draft_length > 0 || ask->draft[0] != '\0' || ask->disaggregate[0] != '\0') {
        return nnc_fail(
            err, NNC_BAD_USAGE, ask->disaggregate[0] != '\0' ? "--disaggregate" : "--draft-length",
            "is not searched, since no measurement backs it; 'nncost serve' answers it");
    }
    NNC_TRY(nnc_slo_read(options->slo, arena, limits, &asked.limit_count, err));
    NNC_TRY(
        nnc_option_count("--max-devices", options->search.max_devices, DEVICES_MOST, &most, err));
    asked.devices_most = (int32_t)most;
    nnc_serve_search_result *result = nnc_arena_alloc(arena, sizeof *result);
    if (result == NULL) {
        return nnc_no_memory(err);
    }
    NNC_TRY(nnc_serve_search_of(report->model, report->device, report->software, &scenario->ask,
                                &asked, scratch, result, err));
    const nnc_serve_searched shown = { report, options->slo, limits, result };
    session->exit_code = result->found ? 0 : 1;
    nnc_view_write(session->out, session->style, &nnc_serve_search_view, &shown);
    return NNC_OK;
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    char **operands = session->options.operands;
    nnc_serve_scenario *scenario = calloc(1, sizeof *scenario);
    nnc_scratch *scratch = nnc_scratch_create();
    nnc_arena *arena = nnc_arena_create();
    nnc_status status = NNC_NO_MEMORY;
    if (scenario == NULL || scratch == NULL || arena == NULL) {
        nnc_no_memory(err);
        goto done;
    }
    status = nnc_serve_load_asked(session, arena, operands[0], operands[1], scenario, err);
    if (status == NNC_OK) {
        status = search(session, scenario, scratch, arena, err);
    }
done:
    nnc_arena_destroy(arena);
    nnc_scratch_destroy(scratch);
    free(scenario);
    return status;
}

const nnc_command nnc_cmd_serve_search = {
    .name = "search",
    .operands = "MODEL DEVICE | PLANS.json [DEVICE] --serve",
    .summary = "The cheapest and the fastest deployment of a decoder that is served, and the front "
               "between them.",
    .notes =
        "Searched are the counts of devices up to --max-devices where --devices is not given, "
        "the degrees of parallelism that are left at 1, and the requests at a time where no load "
        "is given. Cheapest is the one with most tokens per second and device, fastest the one "
        "with the shortest time per token, by a hundredth at least where it takes more devices. "
        "Exits with 1 where nothing holds --slo.",
    .min_operands = 1,
    .max_operands = 2,
    .takes =
        NNC_TAKES_COMMON | NNC_TAKES_SERVE | NNC_TAKES_SCENARIO | NNC_TAKES_SERVING | NNC_TAKES_SLO,
    .run = run,
};
