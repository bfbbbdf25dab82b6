/* What a whole run says. */
#include <nncost/run.h>

#include "metrics/report.h"

static const char run_time[] = "run.run_s";
static const char run_cost[] = "run.cost";

#define TIME(member, ...) NNC_NUMBER(nnc_run, member, .unit = "s", __VA_ARGS__)

static const nnc_metric run_rows[] = {
    NNC_NUMBER(nnc_run, devices, .show = NNC_SHOW_COUNT, .help = "Devices that train."),
    NNC_NUMBER(nnc_run, nodes, .show = NNC_SHOW_COUNT, .help = "Nodes that they are in."),
    NNC_NUMBER(nnc_run, steps, .show = NNC_SHOW_COUNT, .help = "Optimizer steps."),
    NNC_NUMBER(nnc_run, tokens, .show = NNC_SHOW_COUNT, .help = "Tokens that are trained on."),
    NNC_NUMBER(nnc_run, samples, .show = NNC_SHOW_COUNT, .help = "Samples that are trained on."),
    NNC_NUMBER(nnc_run, flops, .unit = "FLOP", .help = "Model FLOPs of the run."),

    TIME(step_s, .help = "One step, with what it waits for input."),
    TIME(fetch_s, .help = "Reading one step's samples from storage."),
    TIME(prepare_s, .help = "Preparing one step's samples on the workers of a device."),
    TIME(transfer_s, .help = "Sending one step's samples to the device."),
    TIME(input_s, .help = "Input of one step: the slowest of its stages, or their sum.",
         .source = "docs/data-and-runs.md"),
    TIME(input_wait_s, .help = "What a step waits for its input."),
    NNC_BOOL(nnc_run, input_bound, .help = "Whether the step waits for its input."),
    NNC_NUMBER(nnc_run, input_bytes_per_s, .unit = "B/s",
               .help = "What storage must give so that no device waits."),
    NNC_NUMBER(nnc_run, workers_needed, .show = NNC_SHOW_COUNT,
               .help = "Workers per device that keep it fed."),
    NNC_NUMBER(nnc_run, prefetch_bytes, .unit = "B",
               .help = "Host memory of the batches that a device's workers hold."),

    NNC_NUMBER(nnc_run, outer_bytes, .unit = "B",
               .help = "Bytes that a site sends, and receives, for one average of the weights."),
    TIME(outer_s, .help = "What a site waits for one average."),

    TIME(device_mtbf_s, .help = "Mean time between stops of one device."),
    TIME(system_mtbf_s, .help = "Mean time between stops of the job."),
    NNC_NUMBER(nnc_run, survive_hour, .show = NNC_SHOW_PERCENT,
               .help = "Chance of an hour without a stop."),
    NNC_NUMBER(nnc_run, stops, .show = NNC_SHOW_COUNT, .help = "Stops to be expected."),
    NNC_NUMBER(nnc_run, nodes_out, .show = NNC_SHOW_COUNT,
               .help = "Nodes under repair, on average."),
    NNC_NUMBER(nnc_run, spares_needed, .show = NNC_SHOW_COUNT,
               .help = "Spare nodes that are enough for 99 % of the time.",
               .source = "Poisson law of independent repairs"),
    NNC_NUMBER(nnc_run, short_share, .show = NNC_SHOW_PERCENT2,
               .help = "Share of the time in which so many are not enough."),
    NNC_NUMBER(nnc_run, checkpoint_bytes, .unit = "B", .help = "One checkpoint."),
    TIME(block_s, .help = "What training waits for a checkpoint."),
    TIME(save_s, .help = "From the begin of a checkpoint until it is durable."),
    TIME(load_s, .help = "Loading a checkpoint."),
    TIME(restart_s, .help = "From a stop until training goes on."),
    TIME(young_s, .help = "Best interval between checkpoints by Young."),
    TIME(interval_s, .help = "Useful work between two checkpoints."),
    NNC_NUMBER(nnc_run, goodput, .show = NNC_SHOW_PERCENT2,
               .help = "Useful time over wall time, evaluation and planned stops apart."),
    NNC_NUMBER(nnc_run, first_order, .show = NNC_SHOW_PERCENT2,
               .help = "The same to first order: up to two points low."),

    TIME(train_s, .part_of = run_time, .head = "training", .help = "Steps as estimated."),
    TIME(wait_s, .part_of = run_time, .head = "input", .help = "Waiting for input."),
    TIME(straggler_s, .part_of = run_time, .head = "stragglers",
         .help = "Waiting for slow devices."),
    TIME(save_time_s, .part_of = run_time, .head = "checkpoints",
         .help = "Waiting for checkpoints."),
    TIME(lost_s, .part_of = run_time, .head = "restarts",
         .help = "Restarts, and work that is lost and done again."),
    TIME(evaluate_s, .part_of = run_time, .head = "evaluation", .help = "Evaluation."),
    TIME(warmup_s, .part_of = run_time, .head = "warm-up", .help = "Start, compilation, ramp."),
    TIME(planned_s, .part_of = run_time, .head = "planned stops", .help = "Planned stops."),
    TIME(sites_s, .part_of = run_time, .head = "sites",
         .help = "Waiting for the averages of sites."),
    TIME(run_s, .head = "run", .help = "The run from begin to end."),
    NNC_NUMBER(nnc_run, days, .show = NNC_SHOW_COUNT, .unit = "days", .help = "The same in days."),
    NNC_NUMBER(nnc_run, device_hours, .unit = "h", .show = NNC_SHOW_COUNT,
               .help = "Device-hours of the run."),

    NNC_NUMBER(nnc_run, price_per_device_hour, .help = "Price of one device for one hour."),
    NNC_NUMBER(nnc_run, cost_devices, .part_of = run_cost, .help = "Price of the device-hours."),
    NNC_NUMBER(nnc_run, cost_storage, .part_of = run_cost, .help = "Price of stored data."),
    NNC_NUMBER(nnc_run, cost_egress, .part_of = run_cost, .help = "Price of data moved out."),
    NNC_NUMBER(nnc_run, cost, .help = "Price of the run."),

    NNC_NUMBER(nnc_run, busy_share, .show = NNC_SHOW_PERCENT,
               .help = "Share of the run in which a device works."),
    NNC_NUMBER(nnc_run, power_w, .unit = "W",
               .help = "Power of one device with its share of the node, mean over the run."),
    NNC_NUMBER(nnc_run, energy_j, .unit = "J", .help = "Energy of the run, building included."),
    NNC_NUMBER(nnc_run, rated_energy_j, .unit = "J",
               .help = "Rated power of the devices times device-hours and PUE, the account of most "
                       "published totals."),
    NNC_NUMBER(nnc_run, carbon_kg, .unit = "kg", .help = "Carbon dioxide of the energy."),
    NNC_NUMBER(nnc_run, rated_carbon_kg, .unit = "kg",
               .help = "Carbon dioxide by the account of published totals."),
    NNC_NUMBER(nnc_run, embodied_carbon_kg, .unit = "kg",
               .help = "Carbon of making the devices, the run's share of their life."),
};
const nnc_metrics nnc_run_metrics = NNC_METRICS("a whole run", run_rows, nnc_run);
