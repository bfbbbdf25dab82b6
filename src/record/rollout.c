/* What a model generates while it is tuned: the rate of one that is served. */
#include "record/rollout.h"

#include <inttypes.h>
#include <math.h>

#include "base/error.h"
#include "base/number.h"
#include "record/serve_scenario.h"
#include "shape/family.h"

/* Sequences of a step that one replica generates; 0 = not known. */
static int64_t sequences_of(const nnc_scenario *scenario, int64_t *seq_len)
{
    const nnc_run_ask *run = &scenario->run_ask;
    nnc_plan plan;
    *seq_len = scenario->plan.seq_len > 0 ? scenario->plan.seq_len
                                          : nnc_model_sizes_of(&scenario->model).seq_len;
    if (!isnan(run->rollout_batch)) {
        return (int64_t)run->rollout_batch;
    }
    /* A plan that is not legal is refused by the estimate; one that is searched for has no batch yet. */
    if (nnc_plan_resolve(&scenario->plan, &scenario->model, &scenario->device, &plan, NULL) !=
        NNC_OK) {
        return 0;
    }
    const double devices = run->rollout_devices > 0.0 ? run->rollout_devices : plan.devices;
    return (int64_t)ceil((double)plan.global_batch / fmax(devices / run->rollout_tensor, 1.0));
}

static nnc_status serve_with(nnc_scenario *scenario, const nnc_software *engine, nnc_serve_ask *ask,
                             nnc_scratch *scratch, nnc_error *err)
{
    nnc_serve serve;
    NNC_TRY(nnc_serve_of(&scenario->model, &scenario->device, engine, ask, scratch, &serve, err));
    if (!serve.fits && isnan(scenario->run_ask.rollout_batch)) {
        ask->batch = 0; /* in turns, as many as fit */
        ask->offline = true;
        NNC_TRY(
            nnc_serve_of(&scenario->model, &scenario->device, engine, ask, scratch, &serve, err));
    }
    if (!serve.fits) {
        return nnc_fail(err, NNC_BAD_USAGE, "--rollout-batch",
                        "such sequences do not fit on %" PRId32 " x %s, expected at most %.0f",
                        ask->tensor, scenario->device.id, floor(fmax(serve.max_sequences, 0.0)));
    }
    scenario->rollout_tokens_per_s = serve.output_tokens_per_s_per_device;
    scenario->rollout_batch = serve.running;
    return NNC_OK;
}

nnc_status nnc_scenario_rollout(nnc_specs *specs, nnc_scenario *scenario, nnc_error *err)
{
    const nnc_run_ask *run = &scenario->run_ask;
    const nnc_software *engine = NULL;
    int64_t seq_len = 0;
    scenario->rollout_tokens_per_s = scenario->rollout_batch = (double)NAN;
    if (!nnc_method_rolls_out(run->method) || !isnan(run->rollout_tokens_per_s) ||
        !isnan(run->rollout_s)) {
        return NNC_OK;
    }
    const int64_t batch = sequences_of(scenario, &seq_len);
    nnc_serve_ask ask = nnc_serve_ask_default();
    ask.tensor = (int32_t)run->rollout_tensor;
    ask.input_len = (int64_t)fmax(run->prompt_tokens, 1.0);
    ask.output_len =
        isnan(run->response_tokens) ? seq_len - ask.input_len : (int64_t)run->response_tokens;
    ask.prefix_hit = 1.0 - 1.0 / run->group;
    ask.batch = batch;
    ask.offline = batch == 0;
    if (ask.output_len < 1) {
        return nnc_fail(err, NNC_BAD_USAGE, "--response-tokens",
                        "missing, expected it where a prompt of %g tokens fills the sequence",
                        run->prompt_tokens);
    }
    NNC_TRY(nnc_software_load(specs, NNC_SERVE_SOFTWARE, &engine, err));
    nnc_scratch *scratch = nnc_scratch_create();
    const nnc_status status =
        scratch != NULL ? serve_with(scenario, engine, &ask, scratch, err) : nnc_no_memory(err);
    nnc_scratch_destroy(scratch);
    return status;
}
