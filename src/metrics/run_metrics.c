/* The table of a whole run. */
#include <nncost/run.h>

#include "metrics/metrics_internal.h"

static const char run_time[] = "run.run_s";
static const char run_cost[] = "run.cost";

#define TIME(member, ...) NNC_NUMBER(nnc_run, member, .unit = "s", __VA_ARGS__)

#define RUN_PART(member, heading, ...) \
    TIME(member, .head = heading, .more = NNC_MORE(.part_of = run_time), __VA_ARGS__)
#define COST_PART(member, ...) \
    NNC_NUMBER(nnc_run, member, .more = NNC_MORE(.part_of = run_cost), __VA_ARGS__)

static const nnc_metric run_rows[] = {
    NNC_NUMBER(nnc_run, devices, .show = NNC_SHOW_COUNT, .help = "Devices that train."),
    NNC_NUMBER(nnc_run, nodes, .show = NNC_SHOW_COUNT, .help = "Nodes of these devices."),
    NNC_NUMBER(nnc_run, steps, .show = NNC_SHOW_COUNT, .help = "Optimizer steps."),
    NNC_NUMBER(nnc_run, tokens, .show = NNC_SHOW_COUNT, .help = "Training tokens."),
    NNC_NUMBER(nnc_run, samples, .show = NNC_SHOW_COUNT, .help = "Training samples."),
    NNC_NUMBER(nnc_run, flops, .unit = "FLOP", .help = "Model FLOPs of the run."),
    NNC_NUMBER(nnc_run, flops_per_token, .unit = "FLOP",
               .help = "Model FLOPs of one token, all models of the method together."),

    TIME(step_s, .help = "One step, including the wait for input."),
    TIME(fetch_s, .help = "Reading one step's samples from storage."),
    TIME(prepare_s, .help = "Preparing one step's samples on the workers of a device."),
    TIME(transfer_s, .help = "Sending one step's samples to the device."),
    TIME(input_s, .help = "Input of one step: the slowest of its stages, or their sum.",
         .more = NNC_MORE(.source = "docs/data-and-runs.md")),
    TIME(input_wait_s, .head = "input", .help = "Time that a step waits for its input."),
    NNC_BOOL(nnc_run, input_bound, .help = "Whether the step waits for its input."),
    NNC_NUMBER(nnc_run, input_bytes_per_s, .unit = "B/s",
               .help = "Storage bandwidth at which no device waits."),
    NNC_NUMBER(nnc_run, workers_needed, .show = NNC_SHOW_COUNT,
               .help = "Data-loading workers per device at which it does not wait."),
    NNC_NUMBER(nnc_run, prefetch_bytes, .unit = "B",
               .help = "Host memory of the batches prefetched for one device."),

    TIME(rollout_step_s, .help = "Time that training waits for generated tokens, per step."),
    TIME(score_step_s,
         .help = "Scoring the tokens of one step: forward passes in addition to training."),
    TIME(sync_step_s, .help = "Sending new weights to the devices that generate answers."),

    NNC_NUMBER(nnc_run, outer_bytes, .unit = "B",
               .help = "Bytes that a site sends, and receives, for one average of the weights."),
    TIME(outer_s, .help = "Time that a site waits for one average."),

    TIME(device_mtbf_s, .help = "Mean time between stops of one device."),
    TIME(system_mtbf_s, .help = "Mean time between stops of the job."),
    NNC_NUMBER(nnc_run, survive_hour, .show = NNC_SHOW_PERCENT,
               .help = "Chance of an hour without a stop."),
    NNC_NUMBER(nnc_run, stops, .show = NNC_SHOW_COUNT, .help = "Expected number of stops."),
    NNC_NUMBER(nnc_run, nodes_out, .show = NNC_SHOW_COUNT,
               .help = "Nodes under repair, on average."),
    NNC_NUMBER(nnc_run, spares_needed, .show = NNC_SHOW_COUNT,
               .help = "Spare nodes that suffice 99 % of the time.",
               .more = NNC_MORE(.source = "Poisson law of independent repairs")),
    NNC_NUMBER(nnc_run, short_share, .show = NNC_SHOW_PERCENT2,
               .help = "Share of the time in which these spare nodes do not suffice."),
    NNC_NUMBER(nnc_run, checkpoint_bytes, .unit = "B", .help = "One checkpoint."),
    TIME(block_s, .help = "Time that training waits for a checkpoint."),
    TIME(save_s, .help = "From the start of a checkpoint until it is durable."),
    TIME(load_s, .help = "Loading a checkpoint."),
    TIME(restart_s, .help = "From a stop until training resumes."),
    TIME(young_s, .help = "Best interval between checkpoints by Young's formula."),
    TIME(interval_s, .help = "Useful work between two checkpoints."),
    NNC_NUMBER(nnc_run, goodput, .show = NNC_SHOW_PERCENT2,
               .help = "Useful time over wall time, without evaluation and planned stops."),
    NNC_NUMBER(nnc_run, first_order, .show = NNC_SHOW_PERCENT2,
               .help = "The same to first order; up to two percentage points too low."),

    RUN_PART(train_s, "training", .help = "Steps as estimated."),
    RUN_PART(wait_s, "input", .help = "Waiting for input."),
    RUN_PART(rollout_s, "rollouts", .help = "Generating the training data."),
    RUN_PART(score_s, "scoring",
             .help = "Forward passes of policy, reference, reward, critic, teacher."),
    RUN_PART(sync_s, "weights",
             .help = "Sending new weights to the devices that generate answers."),
    RUN_PART(straggler_s, "stragglers", .help = "Waiting for slow devices."),
    RUN_PART(save_time_s, "checkpoints", .help = "Waiting for checkpoints."),
    RUN_PART(lost_s, "restarts", .help = "Restarts, and lost work that is repeated."),
    RUN_PART(evaluate_s, "evaluation", .help = "Evaluation."),
    RUN_PART(warmup_s, "warm-up", .help = "Start, compilation, ramp."),
    RUN_PART(planned_s, "planned stops", .help = "Planned stops."),
    RUN_PART(sites_s, "sites", .help = "Waiting for the averages of sites."),
    TIME(run_s, .head = "run", .help = "The run from start to end."),
    NNC_NUMBER(nnc_run, days, .show = NNC_SHOW_COUNT, .unit = "days", .help = "The same in days."),
    NNC_NUMBER(nnc_run, device_hours, .unit = "h", .show = NNC_SHOW_COUNT,
               .help = "Device-hours of the run."),

    NNC_NUMBER(nnc_run, price_per_device_hour, .help = "Price of one device for one hour."),
    COST_PART(cost_devices, .help = "Price of the device-hours."),
    COST_PART(cost_storage, .help = "Price of stored data."),
    COST_PART(cost_egress, .help = "Price of data moved out."),
    NNC_NUMBER(nnc_run, cost, .help = "Price of the run."),
    NNC_NUMBER(nnc_run, cost_per_million_tokens,
               .help = "Price of the run per million training tokens."),

    NNC_NUMBER(nnc_run, busy_share, .show = NNC_SHOW_PERCENT,
               .help = "Share of the run in which a device is busy."),
    NNC_NUMBER(nnc_run, power_w, .unit = "W",
               .help = "Mean power of one device with its share of the node."),
    NNC_NUMBER(nnc_run, energy_j, .unit = "J", .help = "Energy of the run, building included."),
    NNC_NUMBER(nnc_run, rated_energy_j, .unit = "J",
               .help = "Rated power of the devices times device-hours and PUE, as most published "
                       "totals count."),
    NNC_NUMBER(nnc_run, carbon_kg, .unit = "kg", .help = "Carbon dioxide of the energy."),
    NNC_NUMBER(nnc_run, rated_carbon_kg, .unit = "kg", .help = "Carbon dioxide of rated_energy_j."),
    NNC_NUMBER(nnc_run, embodied_carbon_kg, .unit = "kg",
               .help =
                   "Carbon of manufacturing the devices, for the run's share of their lifetime."),
};
const nnc_metrics nnc_run_metrics = NNC_METRICS("a whole run", run_rows, nnc_run);
