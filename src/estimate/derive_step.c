/* Lines of nncost explain that are sums: over ops, over groups of ops, over parts of the step, or over segments. All
 * formulas that are not such sums are recorded in the functions that compute their values. The functions of
 * derive_step.c only record formulas; they change no result. */
#include "estimate/estimate_internal.h"
#include "op/op_internal.h"

static const char *const part_names[NNC_PARTS] = {
    [NNC_PART_FORWARD] = "forward", [NNC_PART_BACKWARD] = "backward", [NNC_PART_RECOMPUTE] = "recompute",
    [NNC_PART_COMM] = "comm",       [NNC_PART_UPDATE] = "update",
};

void nnc_say_name(const char *what, int32_t segment, nnc_part part, char name[NNC_SAY_NAME]) {
    snprintf(name, NNC_SAY_NAME, "%s.%d.%s", what, (int)segment, part_names[part]);
}

void nnc_say_plan(const nnc_plan *plan, nnc_derivation *why) {
    NNC_PUT(why, plan->data, NULL);
    NNC_PUT(why, plan->tensor, NULL);
    NNC_PUT(why, plan->pipeline, NULL);
    NNC_PUT(why, plan->virtual_stages, NULL);
    NNC_PUT(why, plan->context, NULL);
    NNC_PUT(why, plan->expert, NULL);
    NNC_PUT(why, plan->shard, NULL);
    NNC_PUT(why, plan->micro_batch, NULL);
    NNC_PUT(why, plan->micro_batches, NULL);
    NNC_PUT(why, plan->global_batch, NULL);
    NNC_PUT(why, plan->seq_len, NULL);
    NNC_SAY(why, devices, NULL, (double)plan->data * plan->tensor * plan->pipeline * plan->context);
    NNC_NOTE(why, "expert ranks are data x context ranks, so they add no devices");
    (void)devices;
}

/* ---- sums of values of op table rows, one sum for each key ---- */

enum { KEYS_MAX = 96 };
typedef struct keyed {
    char keys[KEYS_MAX][NNC_SAY_NAME];
    double sums[KEYS_MAX];
    int count;
} keyed;

/* Adds `value` to the sum with the name `key`. If there are more than KEYS_MAX keys, the last sum takes all further
 * keys, and its name becomes "others". */
static void add_keyed(keyed *k, const char *key, double value) {
    int i = 0;
    while (i < k->count && strcmp(k->keys[i], key) != 0) { i++; }
    if (i == KEYS_MAX) {
        i--;
        snprintf(k->keys[i], sizeof k->keys[i], "others");
    } else if (i == k->count) {
        k->count++;
        k->sums[i] = 0.0;
        snprintf(k->keys[i], sizeof k->keys[i], "%s", key);
    }
    k->sums[i] += value;
}

static void say_keyed(const keyed *k, const char *name, const char *unit, double result, nnc_derivation *why) {
    for (int i = 0; i < k->count; i++) { nnc_say_term(why, k->keys[i], unit, k->sums[i]); }
    nnc_say_sum(why, name, unit, result);
}

void nnc_say_groups(const nnc_group_sums *groups, nnc_part part, const char *name, double result, nnc_derivation *why) {
    for (int group = 0; group < NNC_GROUP_COUNT; group++) {
        char term[NNC_SAY_NAME];
        snprintf(term, sizeof term, "%s.%s", part_names[part], nnc_group_name((nnc_group)group));
        nnc_say_term(why, term, "FLOP", groups->sums[part][group]);
    }
    nnc_say_sum(why, name, "FLOP", result);
}

void nnc_say_parts(const double sums[NNC_PARTS], const char *name, const char *unit, double result,
                   nnc_derivation *why) {
    for (int part = 0; part < NNC_PARTS; part++) {
        char term[NNC_SAY_NAME];
        snprintf(term, sizeof term, "%s.%s", part_names[part], name);
        nnc_say_term(why, term, unit, sums[part]);
    }
    nnc_say_sum(why, name, unit, result);
}

void nnc_say_params(const nnc_op_list *list, const nnc_result *r, nnc_derivation *why) {
    char name[NNC_SAY_NAME];
    double active[NNC_GROUP_COUNT] = { 0 }, trained[NNC_GROUP_COUNT] = { 0 };
    for (int group = 0; group < NNC_GROUP_COUNT; group++) {
        keyed ops = { .count = 0 };
        for (int32_t i = 0; i < list->count; i++) {
            const nnc_op *op = &list->ops[i];
            if ((int)op->group == group && op->weights.count + op->weights.vector > 0) {
                active[group] += (double)(nnc_weights_active(&op->weights) * op->repeat);
                trained[group] += op->frozen ? 0.0 : (double)(nnc_weights_params(&op->weights) * op->repeat);
                add_keyed(&ops, op->name, (double)(nnc_weights_params(&op->weights) * op->repeat));
            }
        }
        snprintf(name, sizeof name, "params_by_group.%s", nnc_group_name((nnc_group)group));
        say_keyed(&ops, name, NULL, (double)r->params_by_group[group], why);
    }
    for (int group = 0; group < NNC_GROUP_COUNT; group++) {
        snprintf(name, sizeof name, "params_by_group.%s", nnc_group_name((nnc_group)group));
        nnc_say_term(why, name, NULL, (double)r->params_by_group[group]);
    }
    nnc_say_sum(why, "params", NULL, (double)r->params);
    for (int group = 0; group < NNC_GROUP_COUNT; group++) {
        snprintf(name, sizeof name, "active.%s", nnc_group_name((nnc_group)group));
        nnc_say_term(why, name, NULL, active[group]);
    }
    nnc_say_sum(why, "active_params", NULL, (double)r->active_params);
    for (int group = 0; group < NNC_GROUP_COUNT; group++) {
        snprintf(name, sizeof name, "trained.%s", nnc_group_name((nnc_group)group));
        nnc_say_term(why, name, NULL, trained[group]);
    }
    nnc_say_sum(why, "trained_params", NULL, (double)r->trained_params);
}

/* ---- the step: host time, and exposed communication ---- */

static void say_host(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                     const nnc_stage_residency *holding, double update_wait_s, const nnc_result *r) {
    nnc_derivation *const why = step->why;
    const bool full = (step->plan->recompute & NNC_RECOMPUTE_FULL) != 0;
    char formula[1024] = "0", name[NNC_SAY_NAME], instances[NNC_SAY_NAME];
    size_t used = 0;
    NNC_LET(why, held_passes, NULL, (double)nnc_step_passes(step->plan));
    (void)held_passes;
    for (int32_t s = 0; s < step->list->segment_count; s++) {
        for (int part = 0; part < NNC_PASS_PARTS; part++) {
            const bool again = full && part == NNC_PART_RECOMPUTE;
            const int64_t n = again ? holding->recomputed[s] : holding->instances[s];
            if (units[s].host_s[part] > 0.0 && n > 0) {
                nnc_say_name("host", s, (nnc_part)part, name);
                snprintf(instances, sizeof instances, "%s.%d", again ? "recomputed" : "instances", (int)s);
                nnc_say_operand(why, instances, NULL, (double)n);
                used += (size_t)snprintf(formula + used, sizeof formula - used, "%s%s * held_passes * %s",
                                         used > 0 ? " + " : "", instances, name);
            }
        }
    }
    if (update_wait_s != 0.0) {
        NNC_PUT(why, update_wait_s, "s");
        snprintf(formula + used, sizeof formula - used, "%supdate_wait_s", used > 0 ? " + " : "");
    }
    nnc_say_formula(why, "host_s", "s", formula, r->host_s);
    nnc_say_note(why, "instances of each segment that the stage holds, in every pass over them; update_wait_s: time in "
                      "which the device waits until the host has issued the kernels of the update, less the time by "
                      "which the host gets ahead during the update");
}

void nnc_say_step(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                  const nnc_stage_residency *holding, double update_wait_s, const nnc_result *r) {
    nnc_derivation *const why = step->why;
    say_host(step, units, holding, update_wait_s, r);
    for (int k = 0; k < NNC_COMM_COUNT; k++) {
        char name[NNC_SAY_NAME];
        snprintf(name, sizeof name, "exposed_comm.%s", nnc_comm_name((nnc_comm)k));
        nnc_say_term(why, name, "s", r->exposed_s[k]);
    }
    nnc_say_sum(why, "exposed_comm_s", "s", r->exposed_comm_s);
    NNC_PUT(why, r->forward_s, "s");
    NNC_PUT(why, r->backward_s, "s");
    NNC_PUT(why, r->recompute_s, "s");
    NNC_PUT(why, r->update_s, "s");
    NNC_PUT(why, r->bubble_s, "s");
}

/* ---- sums over rows of the step: parts, communication, bounds, traffic ---- */

static void group_key(const nnc_op_cost *row, const char *what, char key[NNC_SAY_NAME]) {
    snprintf(key, NNC_SAY_NAME, "%s.%s", what, nnc_group_name(row->op->group));
}

static void op_key(const nnc_op_cost *row, char key[NNC_SAY_NAME]) {
    snprintf(key, NNC_SAY_NAME, "%s.%s", row->op->name, nnc_phase_name(row->op->phase));
}

/* Records the seconds of one part of the step as a sum over groups of ops; the seconds of collectives are left out. */
static void say_part(const nnc_rows *rows, nnc_part part, const char *name, double result, nnc_derivation *why) {
    keyed sums = { .count = 0 };
    for (int32_t i = 0; i < rows->count; i++) {
        const nnc_op_cost *row = &rows->rows[i];
        if (nnc_part_of(row) == part && !nnc_op_is_collective(row->op)) {
            char key[NNC_SAY_NAME];
            group_key(row, part_names[part], key);
            add_keyed(&sums, key, row->time_s * row->repeat);
        }
    }
    say_keyed(&sums, name, "s", result, why);
    nnc_say_note(why, "sum of time_s times repeat over the ops of the busiest stage; nncost ops lists these ops");
}

/* Records the seconds of one kind of communication as a sum over collectives. exposed: true = only exposed seconds,
 * false = all seconds. */
static void say_kind(const nnc_rows *rows, nnc_comm kind, bool exposed, double result, nnc_derivation *why) {
    char name[NNC_SAY_NAME];
    keyed sums = { .count = 0 };
    for (int32_t i = 0; i < rows->count; i++) {
        const nnc_op_cost *row = &rows->rows[i];
        if (nnc_op_is_collective(row->op) && row->op->u.collective.comm == kind) {
            char key[NNC_SAY_NAME];
            op_key(row, key);
            add_keyed(&sums, key, (exposed ? row->time_s : row->network_s) * row->repeat);
        }
    }
    snprintf(name, sizeof name, "%s.%s", exposed ? "exposed_comm" : "communication", nnc_comm_name(kind));
    say_keyed(&sums, name, "s", result, why);
    nnc_say_note(why, exposed ? "sum of time_s times repeat over the collectives"
                              : "sum of network_s times repeat over the collectives");
}

static void say_bound(const nnc_rows *rows, nnc_bound bound, const nnc_result *r, nnc_derivation *why) {
    char name[NNC_SAY_NAME];
    keyed sums = { .count = 0 };
    for (int32_t i = 0; i < rows->count; i++) {
        const nnc_op_cost *row = &rows->rows[i];
        if (row->bound == bound) {
            char key[NNC_SAY_NAME];
            group_key(row, nnc_bound_name(bound), key);
            add_keyed(&sums, key, row->time_s * row->repeat);
        }
    }
    if (bound == NNC_BOUND_HOST || bound == NNC_BOUND_BUBBLE) {
        add_keyed(&sums, bound == NNC_BOUND_HOST ? "host_s" : "bubble_s",
                  bound == NNC_BOUND_HOST ? r->host_s : r->bubble_s);
    }
    snprintf(name, sizeof name, "bound_s.%s", nnc_bound_name(bound));
    say_keyed(&sums, name, "s", r->bound_s[bound], why);
    nnc_say_note(why, bound == NNC_BOUND_BUBBLE ? "waiting for other stages"
                      : bound == NNC_BOUND_HOST ? "time of the ops that the host bounds, and time that issuing all "
                                                  "ops adds"
                                                : "time of the ops that the resource bounds");
}

static void say_traffic(const nnc_rows *rows, const nnc_result *r, nnc_derivation *why) {
    keyed flops = { .count = 0 }, read = { .count = 0 }, written = { .count = 0 };
    double device_flops = 0.0;
    for (int32_t i = 0; i < rows->count; i++) {
        const nnc_op_cost *row = &rows->rows[i];
        const double done = (row->work.flops + row->work.vector_flops) * row->repeat;
        char key[NNC_SAY_NAME];
        group_key(row, "flops", key);
        add_keyed(&flops, key, done);
        device_flops += done;
        group_key(row, "read", key);
        add_keyed(&read, key, row->work.read_bytes * row->repeat);
        group_key(row, "written", key);
        add_keyed(&written, key, row->work.write_bytes * row->repeat);
    }
    say_keyed(&read, "read_bytes", "B", r->read_bytes, why);
    say_keyed(&written, "write_bytes", "B", r->write_bytes, why);
    say_keyed(&flops, "device_flops", "FLOP", device_flops, why);
    nnc_say_note(
        why, "sums over the ops of the busiest stage ('nncost ops' lists them): flops and vector_flops, times repeat");
    NNC_SAY(why, intensity, "FLOP/B", device_flops / (r->read_bytes + r->write_bytes));
    (void)intensity;
    NNC_NOTE(why, "arithmetic intensity of the whole step; single ops differ widely from it");
    NNC_SOURCE(why, "Williams, Waterman, Patterson, CACM 52(4), 2009");
}

void nnc_say_rows(const nnc_rows *rows, const nnc_result *r, nnc_derivation *why) {
    nnc_say_of_step(why);
    say_part(rows, NNC_PART_FORWARD, "forward_s", r->forward_s, why);
    say_part(rows, NNC_PART_BACKWARD, "backward_s", r->backward_s, why);
    say_part(rows, NNC_PART_RECOMPUTE, "recompute_s", r->recompute_s, why);
    say_part(rows, NNC_PART_UPDATE, "update_s", r->update_s, why);
    for (int k = 0; k < NNC_COMM_COUNT; k++) {
        say_kind(rows, (nnc_comm)k, true, r->exposed_s[k], why);
        say_kind(rows, (nnc_comm)k, false, r->communication_s[k], why);
    }
    say_traffic(rows, r, why);
}

void nnc_say_bounds(const nnc_rows *rows, const nnc_result *r, nnc_derivation *why) {
    for (int bound = 0; bound < NNC_BOUND_COUNT; bound++) { say_bound(rows, (nnc_bound)bound, r, why); }
}

void nnc_say_serial(const nnc_step *step, const nnc_rows *rows, const nnc_result *r) {
    static const char *const names[] = { "compute_total_s", "memory_total_s", "fixed_total_s", "network_total_s",
                                         "launch_total_s" };
    double totals[sizeof names / sizeof names[0]] = { 0 };
    if (step->plan->pipeline > 1) { return; }
    for (int32_t i = 0; i < rows->count; i++) {
        const nnc_op_cost *row = &rows->rows[i];
        const nnc_part part = nnc_part_of(row);
        const bool issued = part != NNC_PART_COMM && part != NNC_PART_UPDATE;
        totals[0] += row->compute_s * row->repeat;
        totals[1] += row->memory_s * row->repeat;
        totals[2] += row->fixed_s * row->repeat;
        totals[3] += row->network_s * row->repeat;
        totals[4] += issued ? nnc_launch_of_op_s(&step->launch, row->op) * row->repeat : 0.0;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) { nnc_say_term(step->why, names[i], "s", totals[i]); }
    nnc_say_sum(step->why, "upper_bound_s", "s", r->upper_bound_s);
    nnc_say_note(step->why, "time of all ops of the step, one after the other");
}

void nnc_say_equal_stages(const nnc_step *step, const nnc_stage *busiest) {
    const nnc_plan *plan = step->plan;
    const double stages = nnc_schedule_dual(plan) ? 2.0 : 1.0; /* number of pipeline stages on one device */
    const nnc_equal_stages equal = { .p = plan->pipeline,
                                     .v = nnc_schedule_chunks(plan),
                                     .f = busiest->forward_s / stages,
                                     .b = busiest->backward_s / stages,
                                     .w = busiest->weight_s / stages };
    if (plan->pipeline == 1) { return; }
    nnc_say_of(step->why, "%s", "bubble_s");
    nnc_pipeline_say_bubble(plan->schedule, &equal, step->why);
    nnc_say_note(step->why, "the closed form, if every stage took as long as the busiest and nothing "
                            "had to be sent; p: stages, v: virtual stages of each, f, b, w: forward, "
                            "backward and weight gradients of a micro-batch");
    nnc_say_source(step->why, "arXiv:2104.04473, arXiv:2401.10241, arXiv:2412.19437");
    nnc_say_of_step(step->why);
}
