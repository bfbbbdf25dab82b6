/* Power, energy and carbon of a run, by the account of the node and by that of published totals. */
#include <math.h>
#include <stddef.h>

#include "run/run.h"

static void say_power(const nnc_run_ask *ask, double busy, double rated_w, nnc_run *run,
                      nnc_derivation *why)
{
    NNC_SAY(why, useful_s, "s",
            run->train_s + run->wait_s + run->straggler_s + run->rollout_s + run->score_s +
                run->sync_s + run->evaluate_s);
    NNC_SAY(why, stopped_s, "s", run->run_s - useful_s);
    NNC_PUT(why, rated_w, "W");
    if (isnan(ask->idle_w) || isnan(ask->busy_w)) {
        NNC_SET(why, run->power_w, "W", rated_w);
        NNC_NOTE(why, "rated: no power of a node is known for this device");
        return;
    }
    NNC_LET(why, idle_w, "W", ask->idle_w);
    NNC_LET(why, busy_w, "W", ask->busy_w);
    /* What waits for input or for slow devices does not work. */
    NNC_LET(why, busy_share_of_step, NULL, busy);
    NNC_SET(why, run->busy_share, NULL,
            (busy_share_of_step * run->train_s + run->rollout_s + run->score_s + run->evaluate_s) /
                (useful_s + stopped_s));
    NNC_SET(why, run->power_w, "W", idle_w + (busy_w - idle_w) * run->busy_share);
    NNC_NOTE(why, "of a device with its share of the node; idle while stopped");
}

void nnc_run_energy(const nnc_run_ask *ask, double busy_share, double rated_w, nnc_run *run,
                    nnc_derivation *why)
{
    NNC_LET(why, pue, NULL, ask->pue);
    say_power(ask, busy_share, rated_w, run, why);
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
