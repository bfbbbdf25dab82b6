#include "cli/serve/serve_asked.h"

#include <stdlib.h>

#include "base/error.h"
#include "cli/scenario_asked.h"

nnc_status nnc_serve_load_asked(nnc_session *session, nnc_arena *arena, const char *model_asked,
                                const char *device_asked, nnc_serve_scenario *scenario,
                                nnc_error *err)
{
    const nnc_options *options = &session->options;
    const nnc_plans_scenario *picked = NULL;
    const nnc_plans *plans = NULL;
    NNC_TRY(nnc_asked_plans(session, arena, model_asked, device_asked, &plans, &picked, err));
    NNC_TRY(plans != NULL ? nnc_plans_load_served(session->specs, &options->given, arena, plans,
                                                  picked, device_asked, scenario, err)
                          : nnc_serve_scenario_load(session->specs, &options->given, model_asked,
                                                    device_asked, scenario, err));
    return nnc_serve_scenario_check_read(&options->given, scenario, err);
}

nnc_status nnc_serve_report(nnc_session *session, const char *model_asked, const char *device_asked,
                            nnc_serve_writer *write, nnc_error *err)
{
    nnc_serve_scenario *scenario = calloc(1, sizeof *scenario);
    nnc_scratch *scratch = nnc_scratch_create();
    nnc_arena *arena = nnc_arena_create();
    nnc_status status = NNC_NO_MEMORY;
    if (scenario == NULL || scratch == NULL || arena == NULL) {
        nnc_no_memory(err);
        goto done;
    }
    status = nnc_serve_load_asked(session, arena, model_asked, device_asked, scenario, err);
    if (status == NNC_OK) {
        status = nnc_serve_scenario_answer(scenario, scratch, err);
    }
    if (status == NNC_OK) {
        const nnc_serve *serve = &scenario->serve;
        const bool fits = scenario->base.report.images != NULL ? scenario->images.fits
                                                               : serve->fits && !serve->saturated;
        session->exit_code = fits ? 0 : 1;
        status = write(session, scenario, err);
    }
done:
    nnc_arena_destroy(arena);
    nnc_scratch_destroy(scratch);
    free(scenario);
    return status;
}
