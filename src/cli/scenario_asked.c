#include "cli/scenario_asked.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

nnc_status nnc_asked_plans(nnc_session *session, nnc_arena *arena, const char *model,
                           const char *device, const nnc_plans **plans,
                           const nnc_plans_scenario **picked, nnc_error *err)
{
    const nnc_options *options = &session->options;
    NNC_TRY(nnc_plans_open(session->specs, arena, model, plans, err));
    if (*plans != NULL) {
        return nnc_plans_pick(*plans, options->scenario, picked, err);
    }
    if (options->scenario != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--scenario", "%s is not a plan file", model);
    }
    if (device == NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "DEVICE",
                        "missing, expected MODEL DEVICE or a plan file, found only \"%s\"", model);
    }
    return NNC_OK;
}

void nnc_scenario_ask_run(nnc_scenario *scenario)
{
    scenario->asks_run =
        scenario->asks_run || !isnan(scenario->plan.tokens) || !isnan(scenario->plan.samples);
}

nnc_status nnc_scenario_load_asked(nnc_session *session, nnc_arena *arena, const char *model,
                                   const char *device, nnc_scenario *scenario, nnc_error *err)
{
    const nnc_given *given = &session->options.given;
    const nnc_plans_scenario *picked = NULL;
    const nnc_plans *plans = NULL;
    NNC_TRY(nnc_asked_plans(session, arena, model, device, &plans, &picked, err));
    NNC_TRY(plans != NULL
                ? nnc_plans_load(session->specs, given, arena, plans, picked, device, scenario, err)
                : nnc_scenario_load(session->specs, given, model, device, scenario, err));
    nnc_scenario_ask_run(scenario);
    return NNC_OK;
}

nnc_status nnc_scenario_report(nnc_session *session, const char *model_asked,
                               const char *device_asked, nnc_report_writer *write, void *context,
                               nnc_error *err)
{
    nnc_scenario *scenario = calloc(1, sizeof *scenario);
    nnc_scratch *scratch = nnc_scratch_create();
    nnc_arena *arena = nnc_arena_create();
    nnc_status status = NNC_NO_MEMORY;

    if (scenario == NULL || scratch == NULL || arena == NULL) {
        nnc_no_memory(err);
        goto done;
    }
    status = nnc_scenario_load_asked(session, arena, model_asked, device_asked, scenario, err);
    if (status == NNC_OK) {
        status = nnc_scenario_estimate(scenario, scratch, err);
    }
    if (status == NNC_OK) {
        status = write(session, context, scenario, scratch, err);
    }
done:
    nnc_arena_destroy(arena);
    nnc_scratch_destroy(scratch);
    free(scenario);
    return status;
}
