/* Rates, money and energy of a step whose time is known. */
#include <math.h>

#include "cost/power.h"
#include "estimate/prepare.h"
#include "op/work.h"

void nnc_utilisation(nnc_result *r, nnc_derivation *why)
{
    const nnc_plan *plan = &r->plan;
    const double devices = plan->devices;
    if (nnc_convention_of(plan->flops_convention)->by_params) {
        NNC_SET(why, r->model_flops, "FLOP", r->six_nd_flops);
    }
    NNC_SET(why, r->hardware_flops, "FLOP", r->model_flops + r->recompute_flops);
    NNC_SET(why, r->mfu, NULL, r->model_flops / (r->step_s * devices * r->peak_flops_per_s));
    NNC_SET(why, r->causal_mfu, NULL,
            r->causal_flops / (r->step_s * devices * r->peak_flops_per_s));
    NNC_SET(why, r->hfu, NULL, r->hardware_flops / (r->step_s * devices * r->peak_flops_per_s));
    NNC_SET(why, r->model_flops_per_s_per_device, "FLOP/s", r->model_flops / r->step_s / devices);
    NNC_SET(why, r->samples_per_s, NULL, (double)plan->global_batch / r->step_s);
    r->tokens_per_s = r->tokens_per_s_per_device = NAN;
    if (r->tokens > 0) {
        NNC_SET(why, r->tokens_per_s, NULL, (double)r->tokens / r->step_s);
        NNC_SET(why, r->tokens_per_s_per_device, NULL, r->tokens_per_s / devices);
    }
}

double nnc_price_of(const nnc_plan *plan, const nnc_device *device)
{
    return !isnan(plan->price)       ? plan->price
           : device->price_count > 0 ? device->prices[0].per_device_hour
                                     : (double)NAN;
}

void nnc_run_cost(const nnc_device *device, nnc_result *r, nnc_derivation *why)
{
    const nnc_plan *plan = &r->plan;
    const double devices = plan->devices;
    r->price_per_device_hour = nnc_price_of(plan, device);
    NNC_PUT(why, r->price_per_device_hour, NULL);
    NNC_LET(why, power_w, "W", nnc_power_limit(device));
    NNC_SET(why, r->cost_step, NULL, r->step_s / 3600.0 * devices * r->price_per_device_hour);
    r->run_s = NAN;
    if (!isnan(plan->samples)) {
        NNC_LET(why, samples_to_train, NULL, plan->samples);
        NNC_SET(why, r->run_s, "s", samples_to_train / r->samples_per_s);
    } else if (!isnan(plan->tokens)) {
        NNC_LET(why, tokens_to_train, NULL, plan->tokens);
        NNC_SET(why, r->run_s, "s", tokens_to_train / r->tokens_per_s);
    }
    NNC_PUT(why, r->run_s, "s");
    NNC_SET(why, r->device_hours, "h", r->run_s / 3600.0 * devices);
    NNC_SET(why, r->cost_run, NULL, r->device_hours * r->price_per_device_hour);
    if (isnan(r->run_s)) {
        NNC_SET(why, r->energy_j, "J", power_w * devices * r->step_s);
    } else {
        NNC_SET(why, r->energy_j, "J", power_w * devices * r->run_s);
    }
}
