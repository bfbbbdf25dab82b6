/* Stops, restarts and checkpoints: what of the wall time is useful. */
#include <math.h>
#include <stddef.h>

#include "base/names.h"
#include "run/run.h"

double nnc_young_interval(double block_s, double mtbf_s)
{
    return sqrt(2.0 * block_s * mtbf_s);
}

double nnc_daly_interval(double block_s, double mtbf_s)
{
    if (!(block_s < 2.0 * mtbf_s)) {
        return mtbf_s;
    }
    const double x = block_s / (2.0 * mtbf_s);
    return nnc_young_interval(block_s, mtbf_s) * (1.0 + sqrt(x) / 3.0 + x / 9.0) - block_s;
}

double nnc_goodput(double interval_s, double block_s, double save_s, double restart_s,
                   double mtbf_s, bool asynchronous)
{
    const double again_s = asynchronous ? restart_s + save_s : restart_s;
    if (isinf(mtbf_s)) { /* the limit of what is below */
        return interval_s / (interval_s + block_s);
    }
    return interval_s / (mtbf_s * exp(again_s / mtbf_s) * expm1((interval_s + block_s) / mtbf_s));
}

double nnc_spares(double nodes_out, double enough_share, double *short_share)
{
    enum { SPARES_MAX = 10000000 };
    /* From the largest term outwards in logarithms would be exact for any mean; a sum of terms from
     * exp(-mean) on is, up to a mean of some 700. Beyond, the normal limit: mean + 2.33 deviations. */
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

/* Share of the time in which `spares` nodes or more are out: a stop then waits for a replacement. */
static double share_without_spare(double nodes_out, double spares)
{
    double term = exp(-nodes_out), below = 0.0;
    const int64_t most = (int64_t)fmin(spares, 1e9);
    for (int64_t k = 0; k < most && term > 0.0; k++) {
        below += term;
        term *= nodes_out / (double)(k + 1);
    }
    return fmax(1.0 - below, 0.0);
}

static void say_rate(const nnc_run_ask *ask, nnc_run *run, nnc_derivation *why)
{
    const double hours_per_month = 730.0;
    double stops_per_s = 0.0;
    NNC_LET(why, devices, NULL, run->devices);
    run->device_mtbf_s = ask->device_mtbf_s;
    NNC_PUT(why, run->device_mtbf_s, "s");
    if (!isnan(ask->device_mtbf_s)) {
        NNC_SET(why, stops_per_s, NULL, devices / run->device_mtbf_s);
        NNC_NOTE(why, "stops are independent of each other, so rates of devices add up");
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

static void say_checkpoint(const nnc_run_ask *ask, double link_bytes_per_s, nnc_run *run,
                           nnc_derivation *why)
{
    double write_bytes_per_s = ask->storage_write_bytes_per_s;
    double read_bytes_per_s = ask->storage_read_bytes_per_s;
    NNC_LET(why, devices, NULL, run->devices);
    if (isnan(write_bytes_per_s)) {
        NNC_LET(why, storage_of_a_device_bytes_per_s, "B/s", NNC_STORAGE_OF_A_DEVICE);
        NNC_SET(why, write_bytes_per_s, "B/s", devices * storage_of_a_device_bytes_per_s);
        NNC_SOURCE(why, "2 TB/s for 16,384 devices, arXiv:2407.21783 section 3.3.1");
    }
    NNC_PUT(why, write_bytes_per_s, "B/s");
    if (isnan(read_bytes_per_s)) {
        NNC_SET(why, read_bytes_per_s, "B/s", write_bytes_per_s);
    }
    NNC_PUT(why, read_bytes_per_s, "B/s");
    run->save_s = ask->save_s;
    if (isnan(ask->save_s)) {
        NNC_SET(why, run->save_s, "s", run->checkpoint_bytes / write_bytes_per_s);
    }
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
    if (isnan(ask->load_s)) {
        NNC_SET(why, run->load_s, "s", run->checkpoint_bytes / read_bytes_per_s);
    }
    NNC_PUT(why, run->load_s, "s");
}

static void say_spares(const nnc_run_ask *ask, nnc_run *run, nnc_derivation *why)
{
    NNC_LET(why, failing_share, NULL, ask->failing_share);
    NNC_LET(why, repair_s, "s", ask->repair_s);
    NNC_SET(why, run->nodes_out, NULL, failing_share * repair_s / run->system_mtbf_s);
    NNC_NOTE(why, "on average, while they are repaired");
    run->spares_needed = nnc_spares(run->nodes_out, 0.99, &run->short_share);
}

static void say_restart(const nnc_run_ask *ask, nnc_run *run, nnc_derivation *why)
{
    const double waiting = isnan(ask->replace_s) || ask->replace_s <= 0.0 || isnan(run->nodes_out)
                               ? 0.0
                               : share_without_spare(run->nodes_out, ask->spares);
    NNC_LET(why, detect_s, "s", ask->detect_s);
    NNC_LET(why, start_s, "s", ask->start_s);
    if (waiting > 0.0) {
        NNC_LET(why, replace_s, "s", ask->replace_s);
        NNC_LET(why, waiting_share, NULL, waiting);
        NNC_SET(why, run->restart_s, "s",
                detect_s + waiting_share * replace_s + start_s + run->load_s);
        NNC_NOTE(why, "waiting_share: of the stops at which no spare node is left");
    } else {
        NNC_SET(why, run->restart_s, "s", detect_s + start_s + run->load_s);
    }
}

static void say_interval(const nnc_run_ask *ask, nnc_run *run, nnc_derivation *why)
{
    NNC_SET(why, run->young_s, "s", sqrt(2.0 * run->block_s * run->system_mtbf_s));
    NNC_SOURCE(why, "Young, CACM 17(9), 1974");
    run->interval_s = ask->checkpoint_interval_s;
    if (isnan(ask->checkpoint_interval_s)) {
        if (!(run->block_s > 0.0) && !(run->save_s > 0.0)) {
            NNC_LET(why, second, "s", 1.0);
            NNC_SET(why, run->interval_s, "s", second);
            NNC_NOTE(why, "checkpoints that cost nothing are written all the time");
        } else if (ask->elastic_replicas > 0.0) {
            NNC_LET(why, hour, "s", 3600.0);
            NNC_SET(why, run->interval_s, "s", hour);
            NNC_NOTE(why, "a checkpoint is needed only where every replica stops");
        } else if (ask->asynchronous) {
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

/* The others go on without the replica that stopped, and no work is done again. */
static void say_elastic(const nnc_run_ask *ask, nnc_run *run, nnc_derivation *why)
{
    NNC_LET(why, detect_s, "s", ask->detect_s);
    NNC_LET(why, reshard_s, "s", ask->reshard_s);
    NNC_LET(why, replace_s, "s", isnan(ask->replace_s) ? 0.0 : ask->replace_s);
    NNC_LET(why, replicas, NULL, ask->elastic_replicas);
    NNC_SAY(why, lost_per_stop_s, "s", detect_s + reshard_s + replace_s / replicas);
    NNC_SET(why, run->goodput, NULL,
            run->interval_s / (run->interval_s + run->block_s) *
                nnc_max(0.0, 1.0 - lost_per_stop_s / run->system_mtbf_s));
    NNC_NOTE(why, "while a replica is missing its share of the work is");
    NNC_SET(why, run->first_order, NULL, run->goodput);
}

void nnc_run_failures(const nnc_run_ask *ask, double link_bytes_per_s, nnc_run *run,
                      nnc_derivation *why)
{
    const bool stops = !isnan(ask->device_mtbf_s) || ask->reclaim_per_month > 0.0;
    const bool saves = stops || !isnan(ask->checkpoint_interval_s);
    run->goodput = 1.0;
    if (!saves) {
        NNC_PUT(why, run->goodput, NULL);
        return;
    }
    say_checkpoint(ask, link_bytes_per_s, run, why);
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
                run->interval_s /
                    (run->system_mtbf_s * exp((run->restart_s + run->save_s) / run->system_mtbf_s) *
                     expm1((run->interval_s + run->block_s) / run->system_mtbf_s)));
        NNC_NOTE(why, "a stop goes back to the checkpoint that was durable");
    } else {
        NNC_SET(why, run->goodput, NULL,
                run->interval_s / (run->system_mtbf_s * exp(run->restart_s / run->system_mtbf_s) *
                                   expm1((run->interval_s + run->block_s) / run->system_mtbf_s)));
        NNC_NOTE(why, "stops may strike while a checkpoint is written, and during a restart");
    }
    NNC_SOURCE(why, "Daly, doi:10.1016/j.future.2004.11.016, equation 20");
    NNC_SET(why, run->first_order, NULL,
            1.0 - run->block_s / run->interval_s -
                (run->interval_s / 2.0 + run->restart_s) / run->system_mtbf_s);
}
