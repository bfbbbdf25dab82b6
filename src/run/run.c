/* Computes the whole run from the results of one step: amount of training, time of each activity of the run, cost and
 * energy. Order of the computation: fine-tuning method, input pipeline, sites, checkpoints and failures (failures.c),
 * times, money, energy. A part of the computation uses the results that earlier parts stored in `run`. */
#include "base/base_internal.h"
#include "estimate/estimate_internal.h"
#include "op/op_internal.h"
#include "run/run_internal.h"

#define DAY_S 86400.0

/* ---- the amount of training: numbers of samples, tokens, FLOPs and steps ---- */

typedef struct step {
    /* samples, tokens, flops: sums over all devices for one optimizer step; seconds: duration of the step */
    double samples, tokens, flops, seconds;
} step;

static step step_of(const nnc_result *result, const nnc_plan *plan, const nnc_run_ask *ask) {
    if (result == NULL) {
        return (step){ .samples = plan->global_batch > 0 ? (double)plan->global_batch : (double)NAN,
                       .tokens = plan->global_batch > 0 && plan->seq_len > 0
                                     ? (double)plan->global_batch * (double)plan->seq_len
                                     : (double)NAN,
                       .flops = ask->step_flops,
                       .seconds = ask->step_s };
    }
    return (step){ .samples = (double)result->plan.global_batch,
                   .tokens = result->tokens > 0 ? (double)result->tokens : (double)NAN,
                   .flops = isnan(ask->step_flops) ? result->model_flops : ask->step_flops,
                   .seconds = isnan(ask->step_s) ? result->step_s : ask->step_s };
}

/* Multiplies the samples, tokens and FLOPs of a step by the number of sites, because every site trains a replica on
 * different samples. Returns the samples, tokens and FLOPs of a step over all sites together. */
static step of_sites(step one, const nnc_run_ask *ask) {
    one.samples *= ask->sites;
    one.tokens *= ask->sites;
    one.flops *= ask->sites;
    return one;
}

/* Returns the number of steps of the run, from the number of epochs, samples or tokens that the user gives; NaN if the
 * user gives none of these. */
static double steps_asked(const nnc_plan *plan, const nnc_run_ask *ask, const step *one, nnc_derivation *why) {
    double steps = (double)NAN;
    NNC_LET(why, tokens_per_step, NULL, one->tokens);
    NNC_LET(why, samples_per_step, NULL, one->samples);
    if (!isnan(ask->epochs)) {
        NNC_LET(why, epochs, NULL, ask->epochs);
        NNC_LET(why, dataset_size, NULL, ask->dataset_size);
        if (isnan(one->tokens)) {
            NNC_SET(why, steps, NULL, ceil(epochs * dataset_size / samples_per_step));
        } else {
            NNC_SET(why, steps, NULL, ceil(epochs * dataset_size / tokens_per_step));
        }
    } else if (!isnan(plan->samples)) {
        NNC_LET(why, samples_to_train, NULL, plan->samples);
        NNC_SET(why, steps, NULL, samples_to_train / samples_per_step);
    } else if (!isnan(plan->tokens)) {
        NNC_LET(why, tokens_to_train, NULL, plan->tokens);
        NNC_SET(why, steps, NULL, tokens_to_train / tokens_per_step);
    }
    return steps;
}

/* Refuses a run that never ends: a run in which the time between two failures is too short to restart and to write a
 * checkpoint. The goodput of a run that never ends is 0, up to rounding errors. */
static nnc_status check_advances(const nnc_run *run, nnc_error *err) {
    const double least = 1e-9;     /* smallest goodput of a run that is accepted */
    if (!(run->goodput < least)) { /* NaN (unknown goodput) does not satisfy `<`, so a run with unknown goodput is
                                    * accepted */
        return NNC_OK;
    }
    return nnc_fail(err, NNC_ILLEGAL_PLAN, "--device-mtbf-s",
                    "the run makes no progress: it stops every %.4g s on average, expected rarer stops, or less time "
                    "between checkpoints and for a restart (now %.4g s)",
                    run->system_mtbf_s, run->interval_s + run->block_s + run->restart_s);
}

static nnc_status check_asked(const nnc_plan *plan, const nnc_run_ask *ask, nnc_error *err) {
    const int amounts = !isnan(plan->tokens) + !isnan(plan->samples) + !isnan(ask->epochs) + !isnan(ask->days) +
                        !isnan(ask->device_hours);
    const double amount = !isnan(plan->tokens) ? plan->tokens : plan->samples;
    if (amounts == 2 && !isnan(amount) && !isnan(ask->epochs) && isnan(ask->dataset_size)) {
        const bool tokens = !isnan(plan->tokens);
        char passes[96] = "";
        if (tokens) { /* --dataset-size is a number of tokens, or of samples if the model has no tokens */
            snprintf(passes, sizeof passes, ", or --epochs %.10g --dataset-size %.10g", ask->epochs, amount);
        }
        return nnc_fail(err, NNC_BAD_USAGE, "--epochs", "--%s is the total of all epochs, expected only --%s %.10g%s",
                        tokens ? "tokens" : "samples", tokens ? "tokens" : "samples", amount * ask->epochs, passes);
    }
    if (amounts > 1) {
        return nnc_fail(err, NNC_BAD_USAGE,
                        !isnan(ask->days)           ? "--days"
                        : !isnan(ask->device_hours) ? "--device-hours"
                                                    : "--epochs",
                        "too many amounts of training, expected one of --tokens, --samples, --epochs with "
                        "--dataset-size, --days or --device-hours, found %d of them",
                        amounts);
    }
    if (isnan(ask->epochs) != isnan(ask->dataset_size)) {
        return nnc_fail(err, NNC_BAD_USAGE, isnan(ask->epochs) ? "--dataset-size" : "--epochs",
                        "expected both --epochs and --dataset-size, found only one of them");
    }
    if (isnan(ask->idle_w) != isnan(ask->busy_w)) {
        return nnc_fail(err, NNC_BAD_USAGE, isnan(ask->idle_w) ? "--busy-w" : "--idle-w",
                        "expected both --idle-w and --busy-w, found only one of them");
    }
    if (ask->idle_w > ask->busy_w) {
        return nnc_fail(err, NNC_BAD_USAGE, "--idle-w", "expected at most --busy-w, %g W, found %g", ask->busy_w,
                        ask->idle_w);
    }
    if (ask->save_s < ask->block_s) {
        return nnc_fail(err, NNC_BAD_USAGE, "--block-s", "expected at most --save-s, %g s, found %g", ask->save_s,
                        ask->block_s);
    }
    if (ask->evaluate_every > 0.0 && isnan(ask->evaluate_s)) {
        return nnc_fail(err, NNC_BAD_USAGE, "--evaluate-s",
                        "missing, expected together with --evaluate-every, found none");
    }
    if (ask->sites > 1.0 && (isnan(ask->outer_every) || isnan(ask->site_bytes_per_s))) {
        return nnc_fail(err, NNC_BAD_USAGE, isnan(ask->outer_every) ? "--outer-every" : "--site-bytes-per-s",
                        "missing, expected together with --sites, found none");
    }
    if (ask->straggler_share >= 1.0) {
        return nnc_fail(err, NNC_BAD_USAGE, "--straggler-share", "expected below 1, found %g", ask->straggler_share);
    }
    return NNC_OK;
}

static void say_checkpoint_bytes(const nnc_result *result, const nnc_run_ask *ask, nnc_run *run, nnc_derivation *why) {
    run->checkpoint_bytes = ask->checkpoint_bytes;
    if (isnan(ask->checkpoint_bytes) && result != NULL) {
        const nnc_policy_sizes sizes = nnc_policy_bytes(result->plan.policy);
        const nnc_update update = { .kind = NNC_UPDATE_STEP,
                                    .optimizer = result->plan.optimizer,
                                    .policy = result->plan.policy,
                                    .params = result->params,
                                    .matrix_params = result->params };
        NNC_LET(why, params, NULL, (double)result->params);
        NNC_LET(why, weight_bytes_per_param, "B", sizes.weight_bytes);
        NNC_LET(why, master_bytes_per_param, "B", sizes.master_bytes);
        NNC_LET(why, moments_bytes, "B", nnc_update_moment_bytes(&update));
        NNC_SET(why, run->checkpoint_bytes, "B",
                params * (weight_bytes_per_param + master_bytes_per_param) + moments_bytes);
        NNC_NOTE(why, "weights, master copy and moments: the state needed to resume training");
    }
    NNC_PUT(why, run->checkpoint_bytes, "B");
}

static void say_amount(const step *one, nnc_run *run, nnc_derivation *why) {
    NNC_LET(why, tokens_per_step, NULL, one->tokens);
    NNC_LET(why, samples_per_step, NULL, one->samples);
    NNC_LET(why, flops_per_step, "FLOP", one->flops);
    NNC_SET(why, run->tokens, NULL, run->steps * tokens_per_step);
    NNC_SET(why, run->samples, NULL, run->steps * samples_per_step);
    NNC_SET(why, run->flops, "FLOP", run->steps * flops_per_step);
    NNC_SET(why, run->flops_per_token, "FLOP", flops_per_step / tokens_per_step);
}

static double days_asked(const nnc_run_ask *ask, const nnc_run *run, nnc_derivation *why) {
    double days = ask->days;
    if (isnan(days)) {
        NNC_LET(why, device_hours, "h", ask->device_hours);
        NNC_LET(why, devices, NULL, run->devices);
        NNC_SET(why, days, "days", device_hours / devices / 24.0);
    }
    NNC_PUT(why, days, "days");
    return days;
}

/* Returns the number of steps that fit into the duration of the run, which the user gives in days or device-hours. */
static double steps_of_days(const nnc_run_ask *ask, const nnc_run *run, nnc_derivation *why) {
    double steps = 0.0;
    const double days = days_asked(ask, run, why);
    NNC_LET(why, straggler_share, NULL, ask->straggler_share);
    NNC_LET(why, evaluation_of_a_step_s, "s", ask->evaluate_every > 0.0 ? ask->evaluate_s / ask->evaluate_every : 0.0);
    NNC_LET(why, outer_of_a_step_s, "s", ask->sites > 1.0 ? run->outer_s / ask->outer_every : 0.0);
    NNC_SET(why, steps, NULL,
            nnc_max(0.0, days * DAY_S - run->warmup_s - run->planned_s) /
                (run->step_s / (1.0 - straggler_share) / run->goodput + evaluation_of_a_step_s + outer_of_a_step_s));
    return steps;
}

static void say_method_times(const nnc_run_ask *ask, nnc_run *run, nnc_derivation *why) {
    if (ask->method == NNC_METHOD_TRAIN) {
        run->rollout_s = run->score_s = run->sync_s = 0.0;
    } else {
        NNC_SET(why, run->rollout_s, "s", run->steps * run->rollout_step_s);
        NNC_SET(why, run->score_s, "s", run->steps * run->score_step_s);
        NNC_SET(why, run->sync_s, "s", run->steps * run->sync_step_s);
    }
    NNC_PUT(why, run->rollout_s, "s");
    NNC_PUT(why, run->score_s, "s");
    NNC_PUT(why, run->sync_s, "s");
}

static void say_times(const nnc_run_ask *ask, double computed_s, nnc_run *run, nnc_derivation *why) {
    NNC_LET(why, straggler_share, NULL, ask->straggler_share);
    NNC_PUT(why, computed_s, "s");
    NNC_SET(why, run->train_s, "s", run->steps * computed_s);
    NNC_SET(why, run->wait_s, "s", run->steps * run->input_wait_s);
    NNC_SET(why, run->straggler_s, "s", (run->train_s + run->wait_s) * straggler_share / (1.0 - straggler_share));
    say_method_times(ask, run, why);
    NNC_SAY(why, useful_s, "s",
            run->train_s + run->wait_s + run->straggler_s + run->rollout_s + run->score_s + run->sync_s);
    run->save_time_s = 0.0;
    if (run->interval_s > 0.0) { NNC_SET(why, run->save_time_s, "s", useful_s / run->interval_s * run->block_s); }
    NNC_PUT(why, run->save_time_s, "s");
    /* A run without failures loses no work, so checkpoints are the only overhead in its goodput. */
    if (isnan(run->system_mtbf_s)) {
        run->lost_s = 0.0;
        NNC_PUT(why, run->lost_s, "s");
    } else {
        NNC_SET(why, run->lost_s, "s", useful_s / run->goodput - useful_s - run->save_time_s);
        NNC_NOTE(why, "restarts and repeated work");
    }
    run->evaluate_s = 0.0;
    if (ask->evaluate_every > 0.0) {
        NNC_LET(why, evaluate_every, NULL, ask->evaluate_every);
        NNC_LET(why, evaluation_s, "s", ask->evaluate_s);
        NNC_SET(why, run->evaluate_s, "s", floor(run->steps / evaluate_every) * evaluation_s);
    }
    NNC_PUT(why, run->evaluate_s, "s");
    nnc_run_sites_time(ask, run, why);
    NNC_SET(why, run->run_s, "s",
            useful_s + run->save_time_s + run->lost_s + run->evaluate_s + run->warmup_s + run->planned_s +
                run->sites_s);
    if (!isnan(run->system_mtbf_s)) { NNC_SET(why, run->stops, NULL, run->run_s / run->system_mtbf_s); }
}

/* Sets the times of a run whose step time is unknown and whose duration is given in days or device-hours. */
static void say_days_alone(const nnc_run_ask *ask, nnc_run *run, nnc_derivation *why) {
    const double days = days_asked(ask, run, why);
    NNC_LET(why, straggler_share, NULL, ask->straggler_share);
    NNC_SET(why, run->run_s, "s", days * 86400.0);
    NNC_SAY(why, useful_s, "s", (run->run_s - run->warmup_s - run->planned_s) * run->goodput);
    NNC_SET(why, run->train_s, "s", useful_s * (1.0 - straggler_share));
    NNC_SET(why, run->straggler_s, "s", useful_s * straggler_share);
    run->wait_s = run->lost_s = run->save_time_s = run->evaluate_s = run->sites_s = 0.0;
    run->rollout_s = run->score_s = run->sync_s = 0.0;
    if (!isnan(run->system_mtbf_s)) {
        NNC_SET(why, run->save_time_s, "s", useful_s / run->interval_s * run->block_s);
        NNC_SET(why, run->lost_s, "s", useful_s / run->goodput - useful_s - run->save_time_s);
        NNC_SET(why, run->stops, NULL, run->run_s / run->system_mtbf_s);
    }
}

static void say_money(const nnc_run_ask *ask, nnc_run *run, nnc_derivation *why) {
    NNC_LET(why, devices, NULL, run->devices);
    NNC_SET(why, run->days, "days", run->run_s / 86400.0);
    NNC_SET(why, run->device_hours, "h", run->run_s / 3600.0 * devices);
    NNC_PUT(why, run->price_per_device_hour, NULL);
    NNC_SET(why, run->cost_devices, NULL, run->device_hours * run->price_per_device_hour);
    run->cost_storage = run->cost_egress = 0.0;
    if (!isnan(ask->stored_bytes)) {
        NNC_LET(why, stored_bytes, "B", ask->stored_bytes);
        NNC_LET(why, price_per_gb_month, NULL, ask->storage_price);
        NNC_SET(why, run->cost_storage, NULL, stored_bytes / 1e9 * price_per_gb_month * run->run_s / (730.0 * 3600.0));
    }
    NNC_PUT(why, run->cost_storage, NULL);
    if (!isnan(ask->egress_bytes)) {
        NNC_LET(why, egress_bytes, "B", ask->egress_bytes);
        NNC_LET(why, price_per_gb, NULL, ask->egress_price);
        NNC_SET(why, run->cost_egress, NULL, egress_bytes / 1e9 * price_per_gb);
    }
    NNC_PUT(why, run->cost_egress, NULL);
    NNC_SET(why, run->cost, NULL, run->cost_devices + run->cost_storage + run->cost_egress);
    NNC_SET(why, run->cost_per_million_tokens, NULL, run->cost / run->tokens * 1e6);
}

static double busy_of(const nnc_result *result) {
    return result == NULL ? 1.0 : 1.0 - (result->bubble_s + result->exposed_comm_s + result->host_s) / result->step_s;
}

static void forget(nnc_run *run) {
    const double unknown = (double)NAN;
    *run = (nnc_run){
        .struct_size = sizeof *run,
        .samples = unknown,
        .tokens = unknown,
        .steps = unknown,
        .flops = unknown,
        .fetch_s = unknown,
        .prepare_s = unknown,
        .transfer_s = unknown,
        .input_s = unknown,
        .input_bytes_per_s = unknown,
        .workers_needed = unknown,
        .prefetch_bytes = unknown,
        .outer_bytes = unknown,
        .device_mtbf_s = unknown,
        .system_mtbf_s = unknown,
        .survive_hour = unknown,
        .checkpoint_bytes = unknown,
        .block_s = unknown,
        .save_s = unknown,
        .load_s = unknown,
        .restart_s = unknown,
        .young_s = unknown,
        .interval_s = unknown,
        .first_order = unknown,
        .stops = unknown,
        .nodes_out = unknown,
        .spares_needed = unknown,
        .short_share = unknown,
        .busy_share = unknown,
        .power_w = unknown,
        .flops_per_token = unknown,
    };
}

nnc_status nnc_run_say(const nnc_result *result, const nnc_device *device, const nnc_plan *plan, const nnc_run_ask *ask,
                       nnc_run *run, nnc_derivation *why, nnc_error *err) {
    step one = of_sites(step_of(result, plan, ask), ask);
    const double link = device != NULL ? device->host.bytes_per_s : (double)NAN;
    NNC_TRY(check_asked(plan, ask, err));
    NNC_TRY(nnc_run_method_check(result, ask, err));
    forget(run);
    run->devices = result != NULL ? result->plan.devices : plan->devices > 0 ? plan->devices : 1;
    run->devices *= ask->sites;
    const int32_t per_node = result != NULL               ? result->plan.devices_per_node
                             : plan->devices_per_node > 0 ? plan->devices_per_node
                                                          : 8;
    nnc_run_method(result, ask, one.tokens, &one.flops, &one.seconds, run, why);
    if (ask->encode_s > 0.0) {
        NNC_LET(why, computed_s, "s", one.seconds);
        NNC_LET(why, samples_of_a_device, NULL, one.samples / run->devices);
        NNC_LET(why, encode_s, "s", ask->encode_s);
        NNC_SAY(why, encoded_step_s, "s", computed_s + samples_of_a_device * encode_s);
        NNC_NOTE(why, "encoders on the device; cached samples skip them");
        one.seconds = encoded_step_s;
    }
    run->devices += ask->rollout_devices * ask->sites;
    run->nodes = ceil(run->devices / per_node);
    run->price_per_device_hour = result != NULL ? result->price_per_device_hour : plan->price;

    run->step_s = one.seconds;
    if (!isnan(ask->sample_bytes) || !isnan(ask->prepare_s) || !isnan(ask->prepared_bytes)) {
        nnc_run_input(ask, link, one.samples, one.seconds, run, why);
    } else {
        NNC_PUT(why, run->step_s, "s");
        NNC_PUT(why, run->input_wait_s, "s");
    }
    run->step_s += run->rollout_step_s + run->score_step_s + run->sync_step_s;
    nnc_run_sites(result, ask, run, why);
    say_checkpoint_bytes(result, ask, run, why);
    nnc_run_failures(ask, link, run, why);
    NNC_TRY(check_advances(run, err));
    run->warmup_s = ask->warmup_s;
    NNC_PUT(why, run->warmup_s, "s");
    run->planned_s = 0.0;
    if (ask->planned_stops > 0.0) {
        NNC_LET(why, planned_stops, NULL, ask->planned_stops);
        NNC_SET(why, run->planned_s, "s", planned_stops * run->restart_s);
    }
    NNC_PUT(why, run->planned_s, "s");

    const bool timed = !isnan(ask->days) || !isnan(ask->device_hours);
    run->steps = timed ? steps_of_days(ask, run, why) : steps_asked(plan, ask, &one, why);
    say_amount(&one, run, why);
    say_times(ask, one.seconds, run, why);
    if (isnan(run->run_s) && timed) { say_days_alone(ask, run, why); }
    say_money(ask, run, why);
    nnc_run_energy(result, device, ask, busy_of(result), run, why);
    return NNC_OK;
}

nnc_status nnc_run_into(const nnc_result *result, const nnc_device *device, const nnc_plan *plan,
                        const nnc_run_ask *ask, nnc_run *run, nnc_error *err) {
    static const char here[] = "nnc_run_of";
    nnc_plan full_plan;
    nnc_result full_result = { 0 };
    nnc_run_ask full_ask = nnc_run_ask_default();
    nnc_run full_run;
    NNC_TRY(nnc_need(here, "plan", plan != NULL || result != NULL, err));
    NNC_TRY(nnc_need(here, "run", run != NULL, err));
    NNC_TRY(nnc_sized_check(run, sizeof *run, "nnc_run", err));
    NNC_TRY(nnc_plan_read(plan, &full_plan, err));
    if (ask != NULL) { NNC_TRY(nnc_sized_read(&full_ask, sizeof full_ask, ask, "nnc_run_ask", err)); }
    NNC_TRY(nnc_run_ask_check(&full_ask, err));
    if (result != NULL) { NNC_TRY(nnc_sized_read(&full_result, sizeof full_result, result, "nnc_result", err)); }
    NNC_TRY(nnc_run_say(result != NULL ? &full_result : NULL, device, &full_plan, &full_ask, &full_run, NULL, err));
    nnc_sized_write(run, &full_run, sizeof full_run);
    return NNC_OK;
}

/* ---- methods of fine-tuning (RLHF, distillation ...), which add generation, scoring and weight synchronisation to the
 * training ---- */

/* A row describes one fine-tuning method. rollout: the method generates answers. Each of the members `again`,
 * `reference`, `reward`, `critic` and `teacher` stands for a model that runs forward over every token of the training
 * data; `again` stands for the trained model itself. Sources: docs/data-and-runs.md. */
typedef struct method_row {
    bool rollout, again, reference, reward, critic, teacher;
    /* true: the policy and the reference model score a second answer to each prompt (for the KL term of the method
     * kto) */
    bool two_answers;
} method_row;

static const method_row rows[NNC_METHOD_COUNT] = {
    [NNC_METHOD_DISTILL] = { .teacher = true },
    [NNC_METHOD_DISTILL_ON_POLICY] = { .rollout = true, .teacher = true },
    [NNC_METHOD_DPO] = { .reference = true },
    [NNC_METHOD_GRPO] = { .rollout = true, .again = true, .reference = true },
    [NNC_METHOD_PPO] = { .rollout = true, .again = true, .reference = true, .reward = true, .critic = true },
    [NNC_METHOD_KTO] = { .again = true, .reference = true, .two_answers = true },
};

bool nnc_method_rolls_out(nnc_method method) { return (unsigned)method < NNC_METHOD_COUNT && rows[method].rollout; }

/* If the method runs this helper model on the training devices, adds the helper to one of two counts: a copy of the
 * trained model without adapters adds 1 to *copies; a model of another size adds its parameters to *other_params.
 * params: active parameters of the helper; NaN = the helper is a copy of the trained model. total: parameters of the
 * helper in memory, which are more than `params` if the helper has experts; NaN = as many as `params`. */
static void add_helper(bool runs, double params, double total, const nnc_plan *plan, double *copies,
                       double *other_params) {
    if (!runs) { return; }
    *copies += isnan(params) && plan->adapter_rank == 0 ? 1.0 : 0.0;
    *other_params += isnan(params) ? 0.0 : isnan(total) ? params : nnc_max(total, params);
}

void nnc_method_helpers(const nnc_run_ask *ask, nnc_plan *plan) {
    const method_row *m = &rows[ask->method];
    const bool reward = m->reward || (m->rollout && ask->reward_params > 0.0);
    plan->helper_copies = plan->helper_params = plan->critic_copies = plan->critic_params = 0.0;
    add_helper(m->reference, ask->reference_params, ask->reference_total_params, plan, &plan->helper_copies,
               &plan->helper_params);
    add_helper(reward, ask->reward_params, ask->reward_total_params, plan, &plan->helper_copies, &plan->helper_params);
    add_helper(m->teacher, ask->teacher_params, ask->teacher_total_params, plan, &plan->helper_copies,
               &plan->helper_params);
    add_helper(m->critic, ask->critic_params, ask->critic_total_params, plan, &plan->critic_copies,
               &plan->critic_params);
}

/* Returns the size of a helper model divided by the size of the trained model (the policy). Returns 1 if the size of
 * the helper is not given, and 0 if the method does not run this helper or its size is 0. */
static double over_policy(bool runs, double params, double policy) {
    return !runs ? 0.0 : isnan(params) ? 1.0 : params > 0.0 ? params / policy : 0.0;
}

nnc_status nnc_run_method_check(const nnc_result *result, const nnc_run_ask *ask, nnc_error *err) {
    const method_row *m = &rows[ask->method];
    if (m->teacher && isnan(ask->teacher_params)) {
        return nnc_fail(err, NNC_BAD_USAGE, "--teacher-params",
                        "missing, expected the number of parameters of the teacher, found none");
    }
    if (ask->method != NNC_METHOD_TRAIN && result != NULL && result->tokens == 0) {
        return nnc_fail(err, NNC_BAD_USAGE, "--method", "is for models of tokens, expected train, found %s",
                        nnc_method_name(ask->method));
    }
    if (ask->rollout_devices > 0.0 && !m->rollout) {
        return nnc_fail(err, NNC_BAD_USAGE, "--rollout-devices",
                        "method %s generates no answers, expected no --rollout-devices, found %g",
                        nnc_method_name(ask->method), ask->rollout_devices);
    }
    if (ask->rollout_overlap && !(ask->rollout_devices > 0.0)) {
        return nnc_fail(err, NNC_BAD_USAGE, "--rollout-overlap",
                        "needs separate devices for generation, expected together with --rollout-devices");
    }
    return NNC_OK;
}

/* Returns the seconds of one forward pass over all tokens of a step, including exposed communication. The step time
 * without the update is divided between forward and backward (with recomputation) in the ratio of the predicted times
 * of forward and backward. Without an estimate (result NULL), forward takes a third of the step. */
static double forward_of(const nnc_result *result, double seconds, nnc_derivation *why) {
    double forward_step_s = (double)NAN;
    if (result == NULL) {
        NNC_LET(why, update_step_s, "s", seconds);
        NNC_SET(why, forward_step_s, "s", update_step_s / 3.0);
    } else {
        NNC_LET(why, forward_s, "s", result->forward_s);
        NNC_LET(why, backward_s, "s", result->backward_s + result->recompute_s);
        NNC_LET(why, update_s, "s", result->update_s);
        NNC_LET(why, update_step_s, "s", seconds);
        NNC_SET(why, forward_step_s, "s", (update_step_s - update_s) * forward_s / (forward_s + backward_s));
        NNC_NOTE(why, "backward_s includes recomputation");
    }
    return forward_step_s;
}

/* Returns the number of generated tokens divided by the number of all tokens of a sequence; 1 if the lengths of prompt
 * and answer are not known. */
static double generated_share_of(const nnc_result *result, const nnc_run_ask *ask) {
    if (!isnan(ask->response_tokens)) { return ask->response_tokens / (ask->response_tokens + ask->prompt_tokens); }
    return result != NULL && ask->prompt_tokens > 0.0
               ? nnc_max(0.0, 1.0 - ask->prompt_tokens / (double)result->plan.seq_len)
               : 1.0;
}

static void say_rollout(const nnc_result *result, const nnc_run_ask *ask, double tokens, double weight_bytes,
                        nnc_run *run, nnc_derivation *why) {
    const double devices = ask->rollout_devices > 0.0 ? ask->rollout_devices : run->devices / ask->sites;
    run->rollout_step_s = ask->rollout_s;
    if (isnan(ask->rollout_s)) {
        NNC_LET(why, tokens_per_step, NULL, tokens);
        NNC_LET(why, generated_share, NULL, generated_share_of(result, ask));
        NNC_LET(why, rollout_tail, NULL, ask->rollout_tail);
        NNC_LET(why, rollout_tokens_per_s, NULL, ask->rollout_tokens_per_s);
        NNC_LET(why, rollout_devices, NULL, devices);
        NNC_SET(why, run->rollout_step_s, "s",
                tokens_per_step * generated_share * rollout_tail / (rollout_tokens_per_s * rollout_devices));
        NNC_NOTE(why, "rollout_tail: longest answer over the mean; all ranks wait for it");
    }
    NNC_PUT(why, run->rollout_step_s, "s");
    run->sync_step_s = ask->sync_s;
    if (isnan(ask->sync_s) && isnan(ask->sync_bytes_per_s)) {
        run->sync_step_s = 0.0;
    } else if (isnan(ask->sync_s)) {
        NNC_PUT(why, weight_bytes, "B");
        NNC_LET(why, sync_bytes_per_s, "B/s", ask->sync_bytes_per_s);
        NNC_SET(why, run->sync_step_s, "s", weight_bytes / sync_bytes_per_s);
        NNC_NOTE(why, "the trained weights are sent to the generating devices");
    }
    NNC_PUT(why, run->sync_step_s, "s");
}

void nnc_run_method(const nnc_result *result, const nnc_run_ask *ask, double tokens, double *flops, double *seconds,
                    nnc_run *run, nnc_derivation *why) {
    const method_row *m = &rows[ask->method];
    run->rollout_step_s = run->score_step_s = run->sync_step_s = 0.0;
    if (ask->method == NNC_METHOD_TRAIN) { return; }
    const double policy = !isnan(ask->policy_params) ? ask->policy_params
                          : result != NULL           ? (double)result->active_params
                                                     : (double)NAN;
    const bool reward = m->reward || (m->rollout && ask->reward_params > 0.0);
    NNC_LET(why, update_epochs, NULL, ask->update_epochs);
    NNC_LET(why, policy_again, NULL, m->again && !ask->sampler_logprobs ? 1.0 : 0.0);
    NNC_LET(why, reference, NULL,
            over_policy(m->reference, ask->reference_params, policy) * (m->two_answers ? 2.0 : 1.0));
    NNC_LET(why, reward_model, NULL, over_policy(reward, ask->reward_params, policy));
    NNC_LET(why, critic, NULL, over_policy(m->critic, ask->critic_params, policy));
    /* The method distill computes the outputs of the teacher once and uses these outputs in every epoch, so one epoch
     * has 1 / epochs of the teacher's work. */
    NNC_LET(why, teacher, NULL,
            over_policy(m->teacher, ask->teacher_params, policy) /
                (ask->method == NNC_METHOD_DISTILL && !isnan(ask->epochs) ? ask->epochs : 1.0));
    NNC_SAY(why, passes, NULL, policy_again + reference + reward_model + critic + teacher);
    NNC_NOTE(why, "forward passes over every token, in units of the policy's size");

    const double forward_step_s = forward_of(result, *seconds, why);
    run->score_step_s = ask->score_s;
    if (isnan(ask->score_s)) { NNC_SET(why, run->score_step_s, "s", passes * forward_step_s); }
    NNC_PUT(why, run->score_step_s, "s");
    if (m->rollout) { say_rollout(result, ask, tokens / ask->sites, 2.0 * policy, run, why); }
    NNC_LET(why, forward_flops, "FLOP", result != NULL ? result->forward_flops * ask->sites : *flops / 3.0);
    NNC_LET(why, update_flops, "FLOP", *flops);
    NNC_LET(why, rollout_passes, NULL, m->rollout ? 1.0 : 0.0);
    NNC_SAY(why, method_flops, "FLOP",
            update_flops * update_epochs * (1.0 + critic) + forward_flops * (passes + rollout_passes));
    *flops = method_flops;
    NNC_LET(why, update_step_s, "s", *seconds);
    NNC_SAY(why, updates_s, "s", update_step_s * update_epochs * (1.0 + critic));
    NNC_NOTE(why, "a critic is trained in addition to the policy");
    *seconds = updates_s;
    if (ask->rollout_overlap) {
        NNC_LET(why, generating_s, "s", run->rollout_step_s);
        NNC_SET(why, run->rollout_step_s, "s", nnc_max(0.0, generating_s - run->score_step_s - updates_s));
        NNC_NOTE(why, "samples generated during training are one iteration old");
    }
}

/* ---- input pipeline: reading from storage, preparation by workers, transfer over the link of the host ---- */

/* Returns the time of a stage of the input pipeline; 0 if `seconds` is NaN, which means that the user did not describe
 * this stage. */
static double or_nothing(double seconds) { return isnan(seconds) ? 0.0 : seconds; }

static void say_prefetch(const nnc_run_ask *ask, double samples, nnc_run *run, nnc_derivation *why) {
    NNC_LET(why, workers, NULL, ask->workers);
    NNC_LET(why, prefetch, NULL, ask->prefetch);
    NNC_LET(why, samples_of_a_device, NULL, samples);
    NNC_LET(why, prepared_bytes, "B", ask->prepared_bytes);
    NNC_SET(why, run->prefetch_bytes, "B", workers * prefetch * samples_of_a_device * prepared_bytes);
    NNC_NOTE(why, "each worker holds whole batches of its device; pinned copies come on top");
}

static void say_stages(const nnc_run_ask *ask, double link_bytes_per_s, double samples, double computed_s, nnc_run *run,
                       nnc_derivation *why) {
    NNC_LET(why, devices, NULL, run->devices);
    NNC_LET(why, samples_of_a_device, NULL, samples);
    NNC_LET(why, sample_bytes, "B", ask->sample_bytes);
    NNC_LET(why, cached_share, NULL, ask->cached_share);
    NNC_LET(why, access_share, NULL, ask->access_share);
    NNC_LET(why, storage_bytes_per_s, "B/s", ask->input_bytes_per_s);
    NNC_LET(why, worker_s, "s", ask->prepare_s);
    NNC_LET(why, workers, NULL, ask->workers);
    NNC_LET(why, prepared_bytes, "B", ask->prepared_bytes);
    NNC_PUT(why, link_bytes_per_s, "B/s");
    NNC_SET(why, run->fetch_s, "s",
            samples_of_a_device * sample_bytes * (1.0 - cached_share) / (storage_bytes_per_s * access_share / devices));
    NNC_NOTE(why, "worker_s: one sample on one worker; all devices share the storage");
    NNC_SET(why, run->prepare_s, "s", samples_of_a_device * worker_s / workers);
    NNC_SET(why, run->transfer_s, "s", samples_of_a_device * prepared_bytes / link_bytes_per_s);
    NNC_SET(why, run->input_bytes_per_s, "B/s",
            devices * samples_of_a_device * sample_bytes * (1.0 - cached_share) / computed_s);
    NNC_NOTE(why, "storage bandwidth at which the device never waits");
    NNC_SET(why, run->workers_needed, NULL, ceil(samples_of_a_device * worker_s / computed_s));
}

void nnc_run_input(const nnc_run_ask *ask, double link_bytes_per_s, double samples_per_step, double computed_s,
                   nnc_run *run, nnc_derivation *why) {
    const double samples = samples_per_step / run->devices;
    NNC_PUT(why, computed_s, "s");
    say_stages(ask, link_bytes_per_s, samples, computed_s, run, why);
    say_prefetch(ask, samples, run, why);
    NNC_LET(why, fetch, "s", or_nothing(run->fetch_s));
    NNC_LET(why, prepare, "s", or_nothing(run->prepare_s));
    NNC_LET(why, transfer, "s", or_nothing(run->transfer_s));
    if (ask->serial_input) {
        NNC_SET(why, run->input_s, "s", fetch + prepare + transfer);
        NNC_SET(why, run->step_s, "s", computed_s + run->input_s);
        NNC_NOTE(why, "without prefetch the stages run one after the other");
    } else {
        NNC_SET(why, run->input_s, "s", nnc_max(fetch, nnc_max(prepare, transfer)));
        NNC_NOTE(why, "stages work on different batches at once: the slowest sets the pace");
        NNC_SET(why, run->step_s, "s", nnc_max(computed_s, run->input_s));
    }
    NNC_SET(why, run->input_wait_s, "s", run->step_s - computed_s);
    run->input_bound = ask->serial_input ? run->input_s > computed_s : run->input_wait_s > 0.0;
}

/* ---- sites: replicas in several places, whose weights are averaged once every few steps (DiLoCo) ---- */

/* Computes run->outer_s: the seconds of one averaging of the weights over all sites by a ring all-reduce, minus the
 * seconds that overlap with training; 0 with one site. With k sites, each site sends 2 (k - 1) / k times the bytes of
 * the weights. */
void nnc_run_sites(const nnc_result *result, const nnc_run_ask *ask, nnc_run *run, nnc_derivation *why) {
    run->outer_s = 0.0;
    if (ask->sites > 1.0) {
        NNC_LET(why, sites, NULL, ask->sites);
        NNC_LET(why, weight_bytes, "B",
                !isnan(ask->outer_bytes) ? ask->outer_bytes
                : result != NULL         ? 4.0 * (double)result->params
                                         : (double)NAN);
        NNC_LET(why, site_bytes_per_s, "B/s", ask->site_bytes_per_s);
        NNC_LET(why, outer_overlap_s, "s", ask->outer_overlap_s);
        NNC_SET(why, run->outer_bytes, "B", 2.0 * weight_bytes * (sites - 1.0) / sites);
        NNC_SET(why, run->outer_s, "s", nnc_max(0.0, run->outer_bytes / site_bytes_per_s - outer_overlap_s));
        NNC_SOURCE(why, "arXiv:2311.08105; not compared with measurements: no published run states its links");
        NNC_NOTE(why, "the effect of rarer averaging on the loss is not modelled");
    }
    NNC_PUT(why, run->outer_s, "s");
}

void nnc_run_sites_time(const nnc_run_ask *ask, nnc_run *run, nnc_derivation *why) {
    run->sites_s = 0.0;
    if (ask->sites > 1.0) {
        NNC_LET(why, outer_every, NULL, ask->outer_every);
        NNC_SET(why, run->sites_s, "s", floor(run->steps / outer_every) * run->outer_s);
    }
    NNC_PUT(why, run->sites_s, "s");
}
