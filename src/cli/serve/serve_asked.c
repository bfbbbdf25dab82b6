#include "cli/serve/serve_asked.h"

#include <stdlib.h>

#include "base/error.h"

nnc_status nnc_serve_report(nnc_session *session, const char *model_asked, const char *device_asked,
                            nnc_serve_writer *write, nnc_error *err)
{
    nnc_serve_scenario *scenario = calloc(1, sizeof *scenario);
    nnc_scratch *scratch = nnc_scratch_create();
    nnc_status status = NNC_NO_MEMORY;
    if (scenario == NULL || scratch == NULL) {
        nnc_no_memory(err);
        goto done;
    }
    status = nnc_serve_scenario_load(session->specs, &session->options.given, model_asked,
                                     device_asked, scenario, err);
    if (status == NNC_OK) {
        status = nnc_serve_scenario_answer(scenario, scratch, err);
    }
    if (status == NNC_OK) {
        const nnc_serve *serve = &scenario->serve;
        session->exit_code = serve->fits && !serve->saturated ? 0 : 1;
        status = write(session, scenario, err);
    }
done:
    nnc_scratch_destroy(scratch);
    free(scenario);
    return status;
}
