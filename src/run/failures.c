/* Failures, restarts and checkpoints of a run, and its goodput (useful training time / wall time); then power, energy
 * and carbon. */
#include "base/base_internal.h"
#include "cost/cost_internal.h"
#include "run/run_internal.h"

double nnc_young_interval(double block_s, double mtbf_s) { return sqrt(2.0 * block_s * mtbf_s); }

double nnc_daly_interval(double block_s, double mtbf_s) {
    if (!(block_s < 2.0 * mtbf_s)) { return mtbf_s; }
    const double x = block_s / (2.0 * mtbf_s);
    return nnc_young_interval(block_s, mtbf_s) * (1.0 + sqrt(x) / 3.0 + x / 9.0) - block_s;
}

double nnc_goodput(double interval_s, double block_s, double save_s, double restart_s, double mtbf_s,
                   bool asynchronous) {
    const double again_s = asynchronous ? restart_s + save_s : restart_s;
    /* without failures, the formula of the goodput divides infinity by infinity; the limit of the formula is returned
     * instead */
    if (isinf(mtbf_s)) { return interval_s / (interval_s + block_s); }
    return interval_s / (mtbf_s * exp(again_s / mtbf_s) * expm1((interval_s + block_s) / mtbf_s));
}

double nnc_spares(double nodes_out, double enough_share, double *short_share) {
    enum { SPARES_MAX = 10000000 };
    /* The number of nodes out of service has a Poisson distribution. The sum of the Poisson probabilities starts at
     * exp(-mean), which underflows to 0 for means above about 700. For larger means, the number of spare nodes is
     * computed from the normal distribution: mean + 2.33 standard deviations, which is enough for 99 % of the time. */
    if (nodes_out > 700.0) {
        *short_share = 1.0 - enough_share;
        return ceil(nodes_out + 2.3263479 * sqrt(nodes_out));
    }
    double term = exp(-nodes_out), sum = term;
    int spares = 0;
    while (sum < enough_share && spares < SPARES_MAX) {
        spares++;
        term *= nodes_out / spares;
        sum += term;
    }
    *short_share = fmax(1.0 - sum, 0.0);
    return spares;
}

/* Returns the share of the time in which `spares` or more nodes are out of service, so that no spare node is left and a
 * failed node can only be repaired. nodes_out: mean number of nodes out of service. */
static double share_without_spare(double nodes_out, double spares) {
    double term = exp(-nodes_out), below = 0.0;
    const int64_t most = (int64_t)fmin(spares, 1e9);
    for (int64_t k = 0; k < most && term > 0.0; k++) {
        below += term;
        term *= nodes_out / (double)(k + 1);
    }
    return fmax(1.0 - below, 0.0);
}

static void say_rate(const nnc_run_ask *ask, nnc_run *run, nnc_derivation *why) {
    const double hours_per_month = 730.0;
    double stops_per_s = 0.0;
    NNC_LET(why, devices, NULL, run->devices);
    run->device_mtbf_s = ask->device_mtbf_s;
    NNC_PUT(why, run->device_mtbf_s, "s");
    if (!isnan(ask->device_mtbf_s)) {
        NNC_SET(why, stops_per_s, NULL, devices / run->device_mtbf_s);
        NNC_NOTE(why, "failures are independent, so the failure rates of all devices add up");
    }
    if (ask->reclaim_per_month > 0.0) {
        const double before = stops_per_s;
        NNC_LET(why, reclaim_per_month, NULL, ask->reclaim_per_month);
        NNC_LET(why, nodes, NULL, run->nodes);
        NNC_PUT(why, hours_per_month, "h");
        NNC_LET(why, stops_of_devices_per_s, NULL, before);
        NNC_SET(why, stops_per_s, NULL,
                stops_of_devices_per_s + reclaim_per_month * nodes / (hours_per_month * 3600.0));
    }
    NNC_SET(why, run->system_mtbf_s, "s", 1.0 / stops_per_s);
    NNC_LET(why, hour, "s", 3600.0);
    NNC_SET(why, run->survive_hour, NULL, exp(-hour / run->system_mtbf_s));
    NNC_SOURCE(why, "exponential law of independent stops");
}

static void say_checkpoint(const nnc_run_ask *ask, double link_bytes_per_s, nnc_run *run, nnc_derivation *why) {
    double write_bytes_per_s = ask->storage_write_bytes_per_s;
    double read_bytes_per_s = ask->storage_read_bytes_per_s;
    NNC_LET(why, devices, NULL, run->devices);
    if (isnan(write_bytes_per_s)) {
        NNC_LET(why, storage_of_a_device_bytes_per_s, "B/s", NNC_STORAGE_OF_A_DEVICE);
        NNC_SET(why, write_bytes_per_s, "B/s", devices * storage_of_a_device_bytes_per_s);
        NNC_SOURCE(why, "2 TB/s for 16,384 devices, arXiv:2407.21783 section 3.3.1");
    }
    NNC_PUT(why, write_bytes_per_s, "B/s");
    if (isnan(read_bytes_per_s)) { NNC_SET(why, read_bytes_per_s, "B/s", write_bytes_per_s); }
    NNC_PUT(why, read_bytes_per_s, "B/s");
    run->save_s = ask->save_s;
    if (isnan(ask->save_s)) { NNC_SET(why, run->save_s, "s", run->checkpoint_bytes / write_bytes_per_s); }
    NNC_PUT(why, run->save_s, "s");
    run->block_s = ask->block_s;
    if (isnan(ask->block_s) && ask->asynchronous) {
        NNC_PUT(why, link_bytes_per_s, "B/s");
        NNC_SET(why, run->block_s, "s", run->checkpoint_bytes / devices / link_bytes_per_s);
        NNC_NOTE(why, "training waits for the copy to host memory");
    } else if (isnan(ask->block_s)) {
        NNC_SET(why, run->block_s, "s", run->save_s);
    }
    NNC_PUT(why, run->block_s, "s");
    run->load_s = ask->load_s;
    if (isnan(ask->load_s)) { NNC_SET(why, run->load_s, "s", run->checkpoint_bytes / read_bytes_per_s); }
    NNC_PUT(why, run->load_s, "s");
}

static void say_spares(const nnc_run_ask *ask, nnc_run *run, nnc_derivation *why) {
    NNC_LET(why, failing_share, NULL, ask->failing_share);
    NNC_LET(why, repair_s, "s", ask->repair_s);
    NNC_SET(why, run->nodes_out, NULL, failing_share * repair_s / run->system_mtbf_s);
    NNC_NOTE(why, "mean number of nodes under repair");
    run->spares_needed = nnc_spares(run->nodes_out, 0.99, &run->short_share);
}

static void say_restart(const nnc_run_ask *ask, nnc_run *run, nnc_derivation *why) {
    const double waiting = isnan(ask->replace_s) || ask->replace_s <= 0.0 || isnan(run->nodes_out)
                               ? 0.0
                               : share_without_spare(run->nodes_out, ask->spares);
    NNC_LET(why, detect_s, "s", ask->detect_s);
    NNC_LET(why, start_s, "s", ask->start_s);
    if (waiting > 0.0) {
        NNC_LET(why, replace_s, "s", ask->replace_s);
        NNC_LET(why, waiting_share, NULL, waiting);
        NNC_SET(why, run->restart_s, "s", detect_s + waiting_share * replace_s + start_s + run->load_s);
        NNC_NOTE(why, "waiting_share: share of failures that find no spare node");
    } else {
        NNC_SET(why, run->restart_s, "s", detect_s + start_s + run->load_s);
    }
}

static void say_interval(const nnc_run_ask *ask, nnc_run *run, nnc_derivation *why) {
    NNC_SET(why, run->young_s, "s", sqrt(2.0 * run->block_s * run->system_mtbf_s));
    NNC_SOURCE(why, "Young, CACM 17(9), 1974");
    run->interval_s = ask->checkpoint_interval_s;
    if (isnan(ask->checkpoint_interval_s)) {
        if (!(run->block_s > 0.0) && !(run->save_s > 0.0)) {
            NNC_LET(why, second, "s", 1.0);
            NNC_SET(why, run->interval_s, "s", second);
            NNC_NOTE(why, "checkpoints without cost are written continuously");
        } else if (ask->elastic_replicas > 0.0) {
            NNC_LET(why, hour, "s", 3600.0);
            NNC_SET(why, run->interval_s, "s", hour);
            NNC_NOTE(why, "a checkpoint is needed only after all replicas fail");
        } else if (ask->asynchronous || !(run->block_s > 0.0)) {
            NNC_SET(why, run->interval_s, "s", nnc_max(run->young_s, run->save_s));
            NNC_NOTE(why, "a second checkpoint must not begin before the first has ended");
        } else if (run->block_s < 2.0 * run->system_mtbf_s) {
            NNC_SET(why, run->interval_s, "s",
                    run->young_s * (1.0 + sqrt(run->block_s / (2.0 * run->system_mtbf_s)) / 3.0 +
                                    run->block_s / (2.0 * run->system_mtbf_s) / 9.0) -
                        run->block_s);
            NNC_SOURCE(why, "Daly, doi:10.1016/j.future.2004.11.016, equation 37");
        } else {
            NNC_SET(why, run->interval_s, "s", run->system_mtbf_s);
        }
    }
    NNC_PUT(why, run->interval_s, "s");
}

/* Computes the goodput of elastic training: after a failure of one replica, the other replicas continue to train, so no
 * training step is repeated. */
static void say_elastic(const nnc_run_ask *ask, nnc_run *run, nnc_derivation *why) {
    NNC_LET(why, detect_s, "s", ask->detect_s);
    NNC_LET(why, reshard_s, "s", ask->reshard_s);
    NNC_LET(why, replace_s, "s", isnan(ask->replace_s) ? 0.0 : ask->replace_s);
    NNC_LET(why, replicas, NULL, ask->elastic_replicas);
    NNC_SAY(why, lost_per_stop_s, "s", detect_s + reshard_s + replace_s / replicas);
    NNC_SET(why, run->goodput, NULL,
            run->interval_s / (run->interval_s + run->block_s) *
                nnc_max(0.0, 1.0 - lost_per_stop_s / run->system_mtbf_s));
    NNC_NOTE(why, "while a replica is missing, its share of the work is missing");
    NNC_SET(why, run->first_order, NULL, run->goodput);
}

void nnc_run_failures(const nnc_run_ask *ask, double link_bytes_per_s, nnc_run *run, nnc_derivation *why) {
    const bool stops = !isnan(ask->device_mtbf_s) || ask->reclaim_per_month > 0.0;
    const bool saves = stops || !isnan(ask->checkpoint_interval_s), planned = ask->planned_stops > 0.0;
    run->goodput = 1.0;
    if (saves || planned) { say_checkpoint(ask, link_bytes_per_s, run, why); }
    if (planned && !stops) { say_restart(ask, run, why); }
    if (!saves) {
        NNC_PUT(why, run->goodput, NULL);
        return;
    }
    if (!stops) {
        run->interval_s = ask->checkpoint_interval_s;
        NNC_PUT(why, run->interval_s, "s");
        NNC_SET(why, run->goodput, NULL, run->interval_s / (run->interval_s + run->block_s));
        return;
    }
    say_rate(ask, run, why);
    say_spares(ask, run, why);
    say_restart(ask, run, why);
    say_interval(ask, run, why);
    if (ask->elastic_replicas > 0.0) {
        say_elastic(ask, run, why);
        return;
    }
    if (ask->asynchronous) {
        NNC_SET(why, run->goodput, NULL,
                run->interval_s / (run->system_mtbf_s * exp((run->restart_s + run->save_s) / run->system_mtbf_s) *
                                   expm1((run->interval_s + run->block_s) / run->system_mtbf_s)));
        NNC_NOTE(why, "a failure returns to the last durable checkpoint");
    } else {
        NNC_SET(why, run->goodput, NULL,
                run->interval_s / (run->system_mtbf_s * exp(run->restart_s / run->system_mtbf_s) *
                                   expm1((run->interval_s + run->block_s) / run->system_mtbf_s)));
        NNC_NOTE(why, "failures can also occur during a checkpoint or a restart");
    }
    NNC_SOURCE(why, "Daly, doi:10.1016/j.future.2004.11.016, equation 20");
    NNC_SET(why, run->first_order, NULL,
            1.0 - run->block_s / run->interval_s - (run->interval_s / 2.0 + run->restart_s) / run->system_mtbf_s);
}

/* Power, energy and carbon of a run. Energy and carbon are computed twice: from the predicted mean power of a device,
 * and from the rated power of the devices. The energy and carbon from the rated power are comparable with published
 * totals, which are based on the rated power. */

/* Sets the mean power of a device over the run, and the share of the run in which the device is busy. While the device
 * trains, its power is the sum of idle power, power of the matrix units and power of the memory, but not more than its
 * power limit. */
static void say_drawn(const nnc_result *result, const nnc_device *device, double limit_w, double useful_share,
                      nnc_run *run, nnc_derivation *why) {
    const nnc_efficiencies *e = &device->efficiency;
    const double of_plan = e->gemm[result->plan.precision].power_share;
    NNC_LET(why, rated_w, "W", device->power_w);
    NNC_PUT(why, limit_w, "W");
    NNC_LET(why, idle_share, NULL, e->power.idle_share);
    NNC_LET(why, matrix_share, NULL, isnan(of_plan) ? e->gemm[NNC_BF16].power_share : of_plan);
    NNC_LET(why, memory_share, NULL, e->power.memory_share);
    NNC_LET(why, matrix_used, NULL,
            result->executed_flops / result->plan.devices / result->peak_flops_per_s / result->step_s);
    NNC_LET(why, memory_used, NULL,
            (result->read_bytes + result->write_bytes) / device->mem_bytes_per_s / result->step_s);
    NNC_SAY(why, drawn_w, "W",
            nnc_min(limit_w, rated_w * (idle_share + matrix_share * matrix_used + memory_share * memory_used)));
    NNC_SOURCE(why, "efficiency.power of the device file");
    NNC_NOTE(why, "the device alone while it trains, averaged over a step");
    NNC_PUT(why, useful_share, NULL);
    NNC_SET(why, run->busy_share, NULL, useful_share);
    NNC_SET(why, run->power_w, "W", idle_share * rated_w + (drawn_w - idle_share * rated_w) * useful_share);
    NNC_NOTE(why, "the device without its host; idle power while it waits or is stopped");
}

static void say_power(const nnc_result *result, const nnc_device *device, const nnc_run_ask *ask, double busy,
                      double limit_w, nnc_run *run, nnc_derivation *why) {
    NNC_SAY(why, useful_s, "s",
            run->train_s + run->wait_s + run->straggler_s + run->rollout_s + run->score_s + run->sync_s +
                run->evaluate_s);
    NNC_SAY(why, stopped_s, "s", run->run_s - useful_s);
    if (isnan(ask->idle_w) || isnan(ask->busy_w)) {
        if (result != NULL && device != NULL && device->efficiency.power.exponent > 0.0) {
            say_drawn(result, device, limit_w,
                      (run->train_s + run->rollout_s + run->score_s + run->evaluate_s) / (useful_s + stopped_s), run,
                      why);
            return;
        }
        NNC_LET(why, rated_w, "W", limit_w);
        NNC_SET(why, run->power_w, "W", rated_w);
        NNC_NOTE(why, "rated power: the device file has no power of a node");
        return;
    }
    NNC_LET(why, idle_w, "W", ask->idle_w);
    NNC_LET(why, busy_w, "W", ask->busy_w);
    /* A power cap lowers the power of the device. The power of the device's host does not change. */
    NNC_LET(why, capped_w, "W", device != NULL ? device->power_w - limit_w : 0.0);
    /* While a device waits for input data or for a slower device, its power is the idle power. */
    NNC_LET(why, busy_share_of_step, NULL, busy);
    NNC_SET(why, run->busy_share, NULL,
            (busy_share_of_step * run->train_s + run->rollout_s + run->score_s + run->evaluate_s) /
                (useful_s + stopped_s));
    if (capped_w > 0.0) {
        NNC_SET(why, run->power_w, "W", idle_w + nnc_max(0.0, busy_w - capped_w - idle_w) * run->busy_share);
    } else {
        NNC_SET(why, run->power_w, "W", idle_w + (busy_w - idle_w) * run->busy_share);
    }
    NNC_NOTE(why, "a device with its share of the node; idle power while stopped");
}

void nnc_run_energy(const nnc_result *result, const nnc_device *device, const nnc_run_ask *ask, double busy_share,
                    nnc_run *run, nnc_derivation *why) {
    const double rated_w = device != NULL ? nnc_power_limit(device) : (double)NAN;
    NNC_LET(why, pue, NULL, ask->pue);
    say_power(result, device, ask, busy_share, rated_w, run, why);
    NNC_PUT(why, rated_w, "W");
    NNC_LET(why, devices, NULL, run->devices);
    NNC_LET(why, network_w, "W", ask->network_w);
    NNC_SET(why, run->energy_j, "J", (run->power_w * devices + network_w) * run->run_s * pue);
    NNC_SET(why, run->rated_energy_j, "J", rated_w * run->device_hours * 3600.0 * pue);
    NNC_NOTE(why, "published totals count this way: rated power of the devices alone");
    NNC_LET(why, carbon_g_per_kwh, "g/kWh", ask->carbon_g_per_kwh);
    NNC_SET(why, run->carbon_kg, "kg", run->energy_j / 3.6e6 * carbon_g_per_kwh / 1000.0);
    NNC_SET(why, run->rated_carbon_kg, "kg", run->rated_energy_j / 3.6e6 * carbon_g_per_kwh / 1000.0);
    NNC_LET(why, embodied_kg, "kg", ask->embodied_kg);
    NNC_LET(why, life_s, "s", ask->life_s);
    NNC_LET(why, use_share, NULL, ask->use_share);
    NNC_SET(why, run->embodied_carbon_kg, "kg", embodied_kg * run->device_hours * 3600.0 / (life_s * use_share));
    NNC_NOTE(why, "embodied carbon of the device, in proportion to the lifetime that the run uses");
}
