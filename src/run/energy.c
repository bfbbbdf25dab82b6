/* Power, energy and carbon of a run, by the account of the node and by that of published totals. */
#include <math.h>
#include <stddef.h>

#include "cost/power.h"
#include "run/run.h"

/* What a device draws while it trains, over its rating, as the limit of its power counts it: by matrix units and
 * memory, above what it draws idle. */
static void say_drawn(const nnc_result *result, const nnc_device *device, double limit_w,
                      double useful_share, nnc_run *run, nnc_derivation *why)
{
    const nnc_efficiencies *e = &device->efficiency;
    const double of_plan = e->gemm[result->plan.precision].power_share;
    NNC_LET(why, rated_w, "W", device->power_w);
    NNC_PUT(why, limit_w, "W");
    NNC_LET(why, idle_share, NULL, e->power.idle_share);
    NNC_LET(why, matrix_share, NULL, isnan(of_plan) ? e->gemm[NNC_BF16].power_share : of_plan);
    NNC_LET(why, memory_share, NULL, e->power.memory_share);
    NNC_LET(why, matrix_used, NULL,
            result->executed_flops / result->plan.devices / result->peak_flops_per_s /
                result->step_s);
    NNC_LET(why, memory_used, NULL,
            (result->read_bytes + result->write_bytes) / device->mem_bytes_per_s / result->step_s);
    NNC_SAY(why, drawn_w, "W",
            nnc_min(limit_w, rated_w * (idle_share + matrix_share * matrix_used +
                                        memory_share * memory_used)));
    NNC_SOURCE(why, "efficiency.power of the device file");
    NNC_NOTE(why, "of the device alone, while it trains; of its peaks in the mean over a step");
    NNC_PUT(why, useful_share, NULL);
    NNC_SET(why, run->busy_share, NULL, useful_share);
    NNC_SET(why, run->power_w, "W",
            idle_share * rated_w + (drawn_w - idle_share * rated_w) * useful_share);
    NNC_NOTE(why, "of the device without its host; idle while it waits or is stopped");
}

static void say_power(const nnc_result *result, const nnc_device *device, const nnc_run_ask *ask,
                      double busy, double limit_w, nnc_run *run, nnc_derivation *why)
{
    NNC_SAY(why, useful_s, "s",
            run->train_s + run->wait_s + run->straggler_s + run->rollout_s + run->score_s +
                run->sync_s + run->evaluate_s);
    NNC_SAY(why, stopped_s, "s", run->run_s - useful_s);
    if (isnan(ask->idle_w) || isnan(ask->busy_w)) {
        if (result != NULL && device != NULL && device->efficiency.power.exponent > 0.0) {
            say_drawn(result, device, limit_w,
                      (run->train_s + run->rollout_s + run->score_s + run->evaluate_s) /
                          (useful_s + stopped_s),
                      run, why);
            return;
        }
        NNC_LET(why, rated_w, "W", limit_w);
        NNC_SET(why, run->power_w, "W", rated_w);
        NNC_NOTE(why, "rated: no power of a node is known for this device");
        return;
    }
    NNC_LET(why, idle_w, "W", ask->idle_w);
    NNC_LET(why, busy_w, "W", ask->busy_w);
    /* Below its rating by a cap, the device takes that much less; its host does not. */
    NNC_LET(why, capped_w, "W", device != NULL ? device->power_w - limit_w : 0.0);
    /* What waits for input or for slow devices does not work. */
    NNC_LET(why, busy_share_of_step, NULL, busy);
    NNC_SET(why, run->busy_share, NULL,
            (busy_share_of_step * run->train_s + run->rollout_s + run->score_s + run->evaluate_s) /
                (useful_s + stopped_s));
    if (capped_w > 0.0) {
        NNC_SET(why, run->power_w, "W",
                idle_w + nnc_max(0.0, busy_w - capped_w - idle_w) * run->busy_share);
    } else {
        NNC_SET(why, run->power_w, "W", idle_w + (busy_w - idle_w) * run->busy_share);
    }
    NNC_NOTE(why, "of a device with its share of the node; idle while stopped");
}

void nnc_run_energy(const nnc_result *result, const nnc_device *device, const nnc_run_ask *ask,
                    double busy_share, nnc_run *run, nnc_derivation *why)
{
    const double rated_w = device != NULL ? nnc_power_limit(device) : (double)NAN;
    NNC_LET(why, pue, NULL, ask->pue);
    say_power(result, device, ask, busy_share, rated_w, run, why);
    NNC_PUT(why, rated_w, "W");
    NNC_LET(why, devices, NULL, run->devices);
    NNC_LET(why, network_w, "W", ask->network_w);
    NNC_SET(why, run->energy_j, "J", (run->power_w * devices + network_w) * run->run_s * pue);
    NNC_SET(why, run->rated_energy_j, "J", rated_w * run->device_hours * 3600.0 * pue);
    NNC_NOTE(why, "the account of published totals: rated power of the devices alone");
    NNC_LET(why, carbon_g_per_kwh, "g/kWh", ask->carbon_g_per_kwh);
    NNC_SET(why, run->carbon_kg, "kg", run->energy_j / 3.6e6 * carbon_g_per_kwh / 1000.0);
    NNC_SET(why, run->rated_carbon_kg, "kg",
            run->rated_energy_j / 3.6e6 * carbon_g_per_kwh / 1000.0);
    NNC_LET(why, embodied_kg, "kg", ask->embodied_kg);
    NNC_LET(why, life_s, "s", ask->life_s);
    NNC_LET(why, use_share, NULL, ask->use_share);
    NNC_SET(why, run->embodied_carbon_kg, "kg",
            embodied_kg * run->device_hours * 3600.0 / (life_s * use_share));
    NNC_NOTE(why, "the share of making the device that this run uses up");
}
