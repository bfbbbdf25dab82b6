/* Goes through the plans of a search, in an order in which successive plans share their work. A block is the plans with
 * equal degrees, micro-batch and recomputation, so one rank runs equal ops in all of them. A group is the plans of a
 * block with equal schedule and equal number of virtual stages. A group has one plan for each pair of ZeRO stage and
 * offload.
 *
 * This file has the caches below; each belongs to one worker thread with one model, device and set of software
 * profiles. (Lowered op lists, step ends and partitions are cached in src/memo/.) Each cache has a key, and a part of
 * the search for which its values are valid.
 *
 * The cache `passes` has the op list, segment times, resident bytes and FLOPs of a pass. The key of `passes` is the
 * software profile, whether the ZeRO stage is 3, and the offload of weights or activations; its values are valid for
 * one block. The cache `run` has the replay of the pipeline, and the cache `resident` has the resident bytes of the
 * heaviest stages. The key of `run` and `resident` is pass and group; their values are valid for one group.
 *
 * The cache `ends` has the seconds of each stage after its last pass. The key of `ends` is the pass, the ZeRO stage,
 * the offload, the layers of each stage, whether weight gradients are ops of their own, and whether the schedule is
 * dualpipe; its values are valid as long as the pass exists. The cache `allowed` tells whether a plan is legal, and has
 * its software profile. The key of `allowed` is ZeRO stage and offload; its values are valid for one block.
 *
 * The cache `edges` has the working bytes up to which a stage fits, and the working bytes from which the stage exceeds
 * the memory. The key of `edges` is pipeline degree, group, stage, and the plan of the group; its values are valid for
 * the blocks with equal choices from tensor to sequence_parallel. The cache `resolved` has the plan of a block with all
 * defaults, or tells that the plan is not legal. The key of `resolved` is the pipeline degree; its values are valid for
 * the blocks that differ only in recomputation.
 *
 * The cache `plain` has lower bounds of the time. The key of `plain` is the software profile; one bound is valid for
 * one micro-batch, another bound for a column of blocks. The cache `smaller` has the bytes per segment of the op lists
 * of two micro-batches. The key of `smaller` is the plan without micro-batch, ZeRO and order of passes, and the
 * software profile; its values are valid for the whole search. The cache `full` has a micro-batch with which all plans
 * of a group exceed the memory. The key of `full` is recomputation, pipeline degree and group; its values are valid for
 * the blocks with equal choices from tensor to sequence_parallel.
 *
 * For most plans, the search decides whether they fit without computing their op list or their memory. In blocks with
 * equal degrees, all bytes of a pipeline stage except its working bytes (activations and the working set of an op)
 * follow from ZeRO stage and offload. When working bytes grow, the memory grows or stays equal. Therefore two numbers
 * of working bytes for each stage, which are called its edges, are enough to tell which plans fit. The working bytes of
 * a plan are estimated from the sums of a smaller micro-batch: with k times the micro-batch, no tensor is smaller, and
 * all tensors together have at most k times the bytes. The op list of a pass is lowered only if the edges do not
 * decide, or if the plan can be among the best. If all plans of a group exceed the memory, the same group exceeds it
 * with each larger micro-batch, as long as the number of micro-batches in flight is equal; the plans of such groups are
 * counted without evaluation. If all plans of a block with schedule 1f1b exceed the memory, plans with schedules that
 * keep at least as many micro-batches in flight exceed it, too.
 *
 * A plan that fits is pruned if one of three lower bounds of its step time is too long. The first bound is the cheapest
 * and needs no op list of the plan: it follows from products and traffic of a smaller micro-batch, because products and
 * traffic grow with the micro-batch. The second bound is the time of forward and backward without recomputation, and
 * the third bound is the time with recomputation.
 *
 * The gain of a cache is a ratio: instructions that the CPU runs for a search without this cache / instructions with
 * the cache. In the search `search gpt3-175b a100 --devices 1024` the gains are 1.7 for the cache `passes`, 1.16 for
 * `allowed`, 1.04 for `resident` and 1.0 for `run`. With --no-prune, the gain of the cache `ends` is 1.03; computing
 * the step ends takes 1.8 times as many instructions without this cache. In the search `search deepseek-v3 h100
 * --devices 2048 --global-batch 15360 --software any --tensor 2,4,16,64 --context 2,8 --expert 2,16` the gain is 1.11
 * for the cache `full`, and 1.19 for the two caches `edges` and `smaller` together, if all pipelines use these two.
 * Without the limits on the degrees in this search of deepseek-v3, the gain of the cache `plain`, with the bound of a
 * column, is 1.2. In the search `search llama3-70b h100 --devices 5040 --global-batch 5040` the gain of `resolved` is
 * 1.6. */
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_internal.h"
#include "estimate/estimate_internal.h"
#include "memo/memo_internal.h"
#include "pipeline/pipeline_internal.h"
#include "search/search_internal.h"
#include "shape/shape_internal.h"

static const nnc_software *software_of(const nnc_plan_groups *groups, const nnc_plan *plan) {
    return nnc_profile_of(groups->profiles, groups->model, groups->device, plan);
}

/* Tests whether the framework of the plan's software profile offers every option of the plan. With --software any
 * (profiles->any) the test always returns true. *option is set to the first option that the framework lacks; the
 * pointer `option` can be NULL. */
static bool ships(const nnc_plan_groups *groups, const nnc_plan *plan, const char **option) {
    return groups->profiles->any || nnc_software_ships(software_of(groups, plan), plan, option);
}

/* Sets groups->schedules[k] to true for each schedule k that at least one framework offers, and groups->splits to true
 * if one of the searched schedules computes weight gradients separately from backward. The software profile can differ
 * between ZeRO stages, so all ZeRO stages are tried. */
static void find_schedules(nnc_plan_groups *groups, const nnc_plan *base) {
    const nnc_space_axis *zero = &groups->space->axes[NNC_AXIS_ZERO];
    nnc_plan plan = *base;
    plan.pipeline = 2;
    for (int32_t i = 0; i < zero->count; i++) {
        plan.zero = (int32_t)zero->values[i];
        for (int k = 0; k < NNC_SCHEDULE_COUNT; k++) {
            groups->schedules[k] =
                groups->schedules[k] || groups->profiles->any || software_of(groups, &plan)->ships.schedules[k];
        }
    }
    const nnc_space_axis *order = &groups->space->axes[NNC_AXIS_SCHEDULE];
    for (int32_t i = 0; i < order->count; i++) {
        plan.schedule = (nnc_schedule)order->values[i];
        groups->splits = groups->splits || (groups->schedules[plan.schedule] && nnc_schedule_splits(&plan));
    }
}

/* Sets three members of *groups for the block of plans with the given number. column: number, from 1, of the column
 * that contains the block. full_block: first of the entries of groups->full for the recomputation and the pipeline
 * degree of the block. row_first: index of the first entry of groups->rows for this pipeline degree. */
static void find_columns(nnc_plan_groups *groups, uint64_t number) {
    const nnc_space_axis *axes = groups->space->axes;
    const uint64_t inner = (uint64_t)axes[NNC_AXIS_RECOMPUTE].count * (uint64_t)axes[NNC_AXIS_PIPELINE].count;
    const uint64_t each = groups->space->block_size / nnc_space_group_size(groups->space);
    groups->column = number / (inner * (uint64_t)axes[NNC_AXIS_MICRO_BATCH].count) + 1;
    groups->full_block = groups->full != NULL ? &groups->full[number % inner * each] : NULL;
    groups->row_first = number % (uint64_t)axes[NNC_AXIS_PIPELINE].count * each;
}

/* Tests the two rules that most blocks of plans break: the number of devices is a multiple of tensor x pipeline x
 * context, and the global batch is a multiple of micro-batch x data. Returns true without testing the two rules if the
 * plan states the data degree or the number of micro-batches, or if it does not state the number of devices. */
static bool divides(const nnc_plan *plan) {
    const double ranks = (double)plan->tensor * plan->pipeline * plan->context;
    if (plan->devices == 0 || plan->data > 0 || plan->micro_batches > 0) { return true; }
    if (ranks > plan->devices || plan->devices % (int64_t)ranks != 0) { return false; }
    const int64_t data = plan->devices / (int64_t)ranks;
    return plan->global_batch == 0 || plan->micro_batch == 0 ||
           (plan->micro_batch <= plan->global_batch / data && plan->global_batch % (plan->micro_batch * data) == 0);
}

/* Writes the plan that the block of plans with the given number describes, with all defaults, to groups->settled.
 * Returns false if the degrees or the batch of the block break a rule; err, which can be NULL, then names the rule. */
static bool resolve_block(nnc_plan_groups *groups, const nnc_plan *base, uint64_t number, nnc_error *err) {
    /* The plans of a block differ in schedule, virtual stages, ZeRO stage and offload. The plan in groups->settled gets
     * legal values for schedule, virtual stages, ZeRO stage and offload, so it is illegal only if the degrees, the
     * micro-batch or the recomputation of the block break a rule. */
    nnc_plan *plain = &groups->settled;
    *plain = *base;
    nnc_space_block(groups->space, number, plain);
    plain->schedule = NNC_SCHEDULE_1F1B;
    plain->virtual_stages = 1;
    /* the option --shard is only legal with ZeRO, so the plan gets ZeRO stage 3 */
    plain->zero = plain->shard > 0 ? 3 : 0;
    plain->offload = NNC_OFFLOAD_NONE;
    return (err != NULL || divides(plain)) &&
           nnc_plan_resolve_read(plain, groups->model, groups->device, plain, err) == NNC_OK;
}

/* Does the same as resolve_block, but faster: among blocks that differ only in recomputation, only the first block is
 * resolved; for a later block, the stored plan is copied and its recomputation is changed. The copied plan is correct
 * because, for models that can be divided over ranks, no rule about legal plans depends on recomputation. */
static bool recall_block(nnc_plan_groups *groups, const nnc_plan *base, uint64_t number) {
    const nnc_space_axis *recomputes = &groups->space->axes[NNC_AXIS_RECOMPUTE];
    const uint64_t pipelines = (uint64_t)groups->space->axes[NNC_AXIS_PIPELINE].count;
    const uint64_t place = number / ((uint64_t)recomputes->count * pipelines) + 1;
    nnc_resolved_block *known = &groups->resolved[number % pipelines];
    if (known->place != place) {
        known->place = place;
        known->legal = resolve_block(groups, base, number, NULL);
        known->plan = groups->settled;
        return known->legal;
    }
    if (known->legal) {
        const unsigned recompute = (unsigned)recomputes->values[number / pipelines % (uint64_t)recomputes->count];
        groups->settled = known->plan;
        groups->settled.recompute = nnc_plan_recompute(recompute);
    }
    return known->legal;
}

bool nnc_plan_groups_block(nnc_plan_groups *groups, const nnc_plan *base, uint64_t number, nnc_error *err) {
    groups->pass_count = groups->pass_next = 0;
    groups->listed = NULL;
    groups->known = groups->over_1f1b = false;
    groups->counts_ends = base->ends_as_layers;
    if (groups->layers == 0) { /* groups->layers is 0 only before the first block of plans of the search */
        groups->layers = nnc_model_sizes_of(groups->model).layers;
        find_schedules(groups, base);
        groups->scales = groups->model->family == NNC_FAMILY_DECODER && !(base->capacity_factor > 0.0);
    }
    find_columns(groups, number);
    return err == NULL && groups->resolved != NULL ? recall_block(groups, base, number)
                                                   : resolve_block(groups, base, number, err);
}

bool nnc_plan_groups_shipped(nnc_plan_groups *groups, nnc_error *err) {
    const char *option = NULL;
    nnc_network network;
    nnc_plan plan = groups->settled;
    if (nnc_network_find(groups->device, &plan, &network, err) != NNC_OK) { return false; }
    for (uint64_t inside = groups->space->block_size; inside-- > 0;) {
        nnc_space_inside(groups->space, inside, &plan);
        if (nnc_schedule_repeats(&plan)) { continue; }
        if (ships(groups, &plan, &option)) { return true; }
    }
    if (option != NULL) {
        nnc_fail(
            err, NNC_ILLEGAL_PLAN, option,
            "software %s does not support this option; --software any also searches options that this software lacks",
            software_of(groups, &plan)->id);
    }
    return false;
}

/* Counts the embedding and the head as one layer each in the plans of the current group, if ends_as_layers of the base
 * plan is true. Also counts embedding and head as layers if the framework can do so, and if the pipeline stages and
 * chunks have equal numbers of layers only when embedding and head are counted. For example, Llama 3.1 405B on 16
 * stages has 126 layers, which 16 does not divide; embedding and head make it 128 layers. */
static void count_ends(const nnc_plan_groups *groups, nnc_plan *plan) {
    const int64_t parts = (int64_t)plan->pipeline * plan->virtual_stages;
    const bool may = plan->pipeline > 1 && plan->first_stage_layers == 0 && plan->last_stage_layers == 0 &&
                     !nnc_schedule_dual(plan) && !nnc_schedule_ends_meet(plan);
    plan->ends_as_layers = groups->counts_ends;
    if (may && nnc_ends_even_stages(groups->layers, parts)) {
        plan->ends_as_layers =
            groups->counts_ends || groups->profiles->any || software_of(groups, plan)->ships.ends_as_layers;
    }
}

/* Tests whether the layers can be divided equally among the pipeline stages and their chunks. Also returns true if
 * unequal stages are allowed: the plan states the number of layers of the first or the last stage, the framework can
 * run uneven stages, or the user gave --software any. */
static bool divides_layers(const nnc_plan_groups *groups, const nnc_plan *plan) {
    const int64_t parts = (int64_t)plan->pipeline * plan->virtual_stages;
    return groups->profiles->any || plan->pipeline == 1 || plan->first_stage_layers > 0 ||
           plan->last_stage_layers > 0 || (groups->layers + (plan->ends_as_layers ? 2 : 0)) % parts == 0 ||
           software_of(groups, plan)->ships.uneven_stages;
}

/* Returns false if three conditions are true: the network has experts, the plan has tensor ranks but no sequence
 * parallelism, and the framework of the software profile cannot run such a plan. Otherwise returns true. */
static bool splits_experts(const nnc_plan_groups *groups, const nnc_plan *plan) {
    const bool has_experts = groups->model->family == NNC_FAMILY_DECODER && groups->model->decoder.experts > 0;
    return groups->profiles->any || !has_experts || plan->tensor == 1 || plan->sequence_parallel ||
           software_of(groups, plan)->ships.plain_experts;
}

/* Tests whether micro_batch x seq_len^2 is below 2^45. A tensor has at most 2^17 x micro_batch x seq_len^2
 * elements; 2^17 is a limit for the number of heads and for columns / sequence length. Therefore every element count
 * fits into 64 bits, and an op list that is legal with a smaller micro-batch is legal with this micro-batch. */
static bool counts_elements(const nnc_plan *plan) {
    return (double)plan->micro_batch * (double)plan->seq_len * (double)plan->seq_len < 0x1p45;
}

bool nnc_plan_groups_group(nnc_plan_groups *groups, uint64_t group) {
    nnc_plan *plan = &groups->settled;
    nnc_space_group(groups->space, group, plan);
    if ((plan->pipeline > 1 && !groups->schedules[plan->schedule]) || nnc_schedule_repeats(plan)) { return false; }
    count_ends(groups, plan);
    groups->group++;
    groups->group_index = group;
    /* groups->full is used only for plans whose memory follows from sums of bytes over segments. In a plan with one
     * device or one micro-batch, the memory can come from a replay of the ops and not from sums over segments. */
    const bool sums = plan->devices > 1 && plan->micro_batches > 1 && groups->full != NULL;
    groups->full_now = sums && nnc_schedule_is_steady(plan) ? &groups->full_block[group] : NULL;
    groups->over_now = 0;
    groups->partitioned = false;
    return divides_layers(groups, plan) && splits_experts(groups, plan) &&
           nnc_plan_resolve_schedule(plan, groups->model, groups->layers, NULL) == NNC_OK;
}

/* For the current block of plans, finds which pairs of ZeRO stage and offload are legal, and the software profile of
 * each pair. The legal pairs of ZeRO stage and offload and their profiles are the same for all schedules of the
 * block. */
static void find_allowed(nnc_plan_groups *groups) {
    const uint64_t size = nnc_space_group_size(groups->space);
    nnc_plan plan = groups->settled;
    /* the plan gets no schedule, so that the results are valid for every schedule */
    plan.schedule = NNC_SCHEDULE_COUNT;
    groups->allowed_count = 0;
    for (uint64_t i = 0; i < size; i++) {
        nnc_space_inside_group(groups->space, i, &plan);
        /* true: entry i has the same ZeRO stage as entry i - 1, so it has the same software profile */
        const bool same = i % (uint64_t)groups->space->axes[NNC_AXIS_OFFLOAD].count > 0;
        groups->software[i] = same ? groups->software[i - 1] : software_of(groups, &plan);
        groups->allowed[i] = (groups->profiles->any || nnc_software_ships(groups->software[i], &plan, NULL)) &&
                             nnc_plan_split_data(&plan, NULL) == NNC_OK;
        groups->allowed_count += groups->allowed[i] ? 1 : 0;
    }
    groups->known = true;
}

/* Tests whether the framework of `software` offers the schedule of the current group of plans. The test returns true
 * for plans without a pipeline, and if the user gave --software any. */
static bool has_schedule(const nnc_plan_groups *groups, const nnc_software *software) {
    return groups->profiles->any || groups->settled.pipeline == 1 ||
           software->ships.schedules[groups->settled.schedule];
}

/* Returns the number of legal plans in the current group of plans. */
static uint64_t count_legal(nnc_plan_groups *groups) {
    if (!groups->known) { find_allowed(groups); }
    if (groups->legal_group != groups->group) {
        groups->legal_group = groups->group;
        groups->legal = 0;
        for (uint64_t i = 0; i < nnc_space_group_size(groups->space); i++) {
            groups->legal += groups->allowed[i] && has_schedule(groups, groups->software[i]) ? 1 : 0;
        }
    }
    return groups->legal;
}

/* Is called when all legal plans of the current group exceed the memory; their number is `legal`. If the schedule of
 * the group is 1f1b, sets groups->over_1f1b, which becomes true if every allowed pair of ZeRO stage and offload of the
 * block is legal with 1f1b. */
static void keep_over_1f1b(nnc_plan_groups *groups, uint64_t legal) {
    if (groups->settled.schedule == NNC_SCHEDULE_1F1B) {
        if (!groups->known) { find_allowed(groups); }
        groups->over_1f1b = legal == groups->allowed_count;
    }
}

uint64_t nnc_plan_groups_full(nnc_plan_groups *groups) {
    const nnc_full_group *full = groups->full_now;
    if (groups->over_1f1b && nnc_schedule_keeps_1f1b(&groups->settled)) { return count_legal(groups); }
    const bool over = full != NULL && full->column == groups->column &&
                      full->micro_batch <= groups->settled.micro_batch && counts_elements(&groups->settled);
    if (over) { keep_over_1f1b(groups, full->legal); }
    return over ? full->legal : 0;
}

/* Counts one more plan of the current group that exceeds the memory. If the counted plan is the last legal plan of the
 * group, stores in groups->full that all plans of the group exceed the memory. */
static void count_over(nnc_plan_groups *groups) {
    nnc_full_group *full = groups->full_now;
    if (groups->full == NULL || ++groups->over_now < count_legal(groups)) { return; }
    keep_over_1f1b(groups, groups->over_now);
    if (full != NULL) { *full = (nnc_full_group){ groups->column, groups->settled.micro_batch, groups->over_now }; }
}

/* Tests whether one micro-batch of plan `a` has the same costs as one micro-batch of the plans that already share
 * `pass`. Two plans have the same costs per micro-batch if software profile, hooks, and offload of weights and
 * activations agree, and if the two plans or neither of them use ZeRO stage 3, which moves data in every micro-batch. If
 * embedding and head share one table, the schedules of the two plans must agree: each puts embedding and head on one
 * device, which stores the table once, or each puts them on two devices. */
static bool same_pass(const nnc_plan_groups *groups, const nnc_plan *a, const nnc_software *software,
                      const nnc_pass_costs *pass) {
    const nnc_plan *other = &pass->work.plan;
    const nnc_device *device = groups->device;
    const unsigned moved = NNC_OFFLOAD_ACTIVATIONS | NNC_OFFLOAD_WEIGHTS;
    /* linked: true = a plan with offload can share a pass with a plan without offload. `linked` is false on one device,
     * which uses links only for offload, and if the device file does not state the host bandwidths that offload
     * needs. */
    const bool linked = a->devices > 1 && !isnan(device->host.bytes_per_s) && !isnan(device->host.mem_bytes_per_s);
    const bool tied = pass->usable && pass->step.list->tied_rows > 0;
    return software == pass->software && (a->zero == 3) == (other->zero == 3) &&
           nnc_hooks_stage(software, a) == nnc_hooks_stage(software, other) &&
           (a->offload & moved) == (other->offload & moved) && (linked || (a->offload != 0) == (other->offload != 0)) &&
           (!tied || nnc_schedule_ends_meet(a) == nnc_schedule_ends_meet(other));
}

static nnc_pass_costs *find_pass(nnc_plan_groups *groups, const nnc_plan *plan, const nnc_software *software) {
    for (int32_t i = 0; i < groups->pass_count; i++) {
        if (same_pass(groups, plan, software, &groups->passes[i])) { return &groups->passes[i]; }
    }
    return NULL;
}

/* Sums the times of the ops of each segment and stores the sums in pass->units[kind] (nnc_units_kind). */
static void sum_units(nnc_plan_groups *groups, nnc_pass_costs *pass, int kind) {
    static const nnc_schedule schedules[] = { NNC_SCHEDULE_1F1B, NNC_SCHEDULE_ZB_H1, NNC_SCHEDULE_DUALPIPE };
    nnc_plan plan = pass->work.plan;
    nnc_step step = pass->step;
    step.plan = &plan;
    plan.schedule = schedules[kind];
    nnc_step_segment_times(&step, &groups->scratch->rows, pass->units[kind]);
    pass->pass_s[kind] = 0.0;
    for (int32_t s = 0; s < step.list->segment_count; s++) {
        const nnc_segment_time *unit = &pass->units[kind][s];
        pass->pass_s[kind] += (double)step.list->segments[s].instances * (unit->forward_s + unit->backward_s);
    }
    pass->timed[kind] = true;
}

/* Computes the times of all segments of a pass for one kind of schedules. If the search includes a schedule with
 * separate weight gradients, computes the times for two kinds together: schedules without separate weight gradients
 * (kind 0) and with them (kind 1). The computation of overlap shortens the times of collectives in the op table, so
 * these times are saved before the first kind and restored before the second. */
static void time_pass(nnc_plan_groups *groups, nnc_pass_costs *pass, int kind) {
    nnc_rows *rows = &groups->scratch->rows;
    const bool both = kind < 2 && groups->splits && pass->work.plan.pipeline > 1 && !pass->timed[1 - kind];
    nnc_lowered_rows(groups->scratch->shared, pass->alike, &pass->step, rows);
    for (int32_t i = 0; both && i < rows->count; i++) { groups->rows_s[i] = rows->rows[i].time_s; }
    sum_units(groups, pass, kind);
    for (int32_t i = 0; both && i < rows->count; i++) { rows->rows[i].time_s = groups->rows_s[i]; }
    if (both) { sum_units(groups, pass, 1 - kind); }
}

/* Returns a result with the FLOPs and tokens of the current block of plans, taken from a pass that already has them;
 * NULL = no such pass. All passes of a block have equal FLOPs and tokens if their profiles have the same value of the
 * switch context_frozen, which says that the input of cross-attention needs no gradient. */
static const nnc_result *known_work(const nnc_plan_groups *groups, const nnc_software *software) {
    for (int32_t i = 0; i < groups->pass_count; i++) {
        const nnc_pass_costs *pass = &groups->passes[i];
        if (pass->worked && pass->usable && pass->step.software->context_frozen == software->context_frozen) {
            return &pass->work;
        }
    }
    return NULL;
}

/* Key of the cache `smaller`: everything on which the bytes per segment of an op list depend, except the micro-batch.
 * In the member `plan`, the micro-batch and the order of passes are set to fixed values. */
typedef struct smaller_key {
    uint64_t degrees; /* number computed from the degrees of the plan, from which the cache computes its hash */
    nnc_plan plan;
    const nnc_software *software;
} smaller_key;

typedef struct smaller_sums {
    int64_t micro_batch, first; /* micro_batch: micro-batch of `sums`; first: micro-batch of `first_sums` */
    nnc_segment_sums sums[NNC_SEGMENTS_MAX];
    /* bytes per segment of the first op list that was stored with this key */
    nnc_segment_sums first_sums[NNC_SEGMENTS_MAX];
    const nnc_op_list *list; /* an op list of the model; only its segments are used, which are equal in all lists of the
                              * model */
    double tied_params;
} smaller_sums;

enum { SMALLER = 256, SMALLER_WAYS = 4 };

static smaller_key smaller_key_of(const nnc_plan *plan, const nnc_software *software) {
    smaller_key key = { .plan = nnc_plan_lowering_key(plan), .software = software };
    key.plan.micro_batch = 0;
    /* all pipeline degrees above 1 have the same byte sums: the first and the last stage each hold a copy of a tied
     * embedding table */
    key.plan.pipeline = plan->pipeline > 1 ? 2 : 1;
    key.plan.schedule = nnc_schedule_ends_meet(plan) ? NNC_SCHEDULE_DUALPIPE : NNC_SCHEDULE_1F1B;
    key.degrees = ((((uint64_t)plan->tensor * 31 + (uint64_t)plan->context) * 31 + (uint64_t)plan->expert) * 31 +
                   (uint64_t)key.plan.pipeline) *
                      31 +
                  (uint64_t)plan->recompute * 2 + (plan->sequence_parallel ? 1 : 0);
    return key;
}

/* Returns an upper bound of the factor by which the byte sums grow from known->sums to the larger micro-batch
 * `micro_batch`. With k times the micro-batch, a sum is at most k times as large: tensors grow k times, and parts that
 * are rounded up or do not depend on the micro-batch grow less. Returns infinity if micro_batch is not a multiple of
 * known->first. */
static double growth_of(const smaller_sums *known, int64_t micro_batch) {
    if (known->micro_batch == micro_batch) { return 1.0; }
    const double times = (double)micro_batch / (double)known->first;
    double growth = 1.0;
    for (int32_t s = 0; s < known->list->segment_count; s++) {
        const nnc_segment_sums *a = &known->first_sums[s], *b = &known->sums[s];
        const double first[] = { a->kept_bytes, a->input_bytes, a->live_bytes, a->again_bytes, a->transient_bytes };
        const double now[] = { b->kept_bytes, b->input_bytes, b->live_bytes, b->again_bytes, b->transient_bytes };
        for (size_t i = 0; i < NNC_COUNT_OF(first); i++) {
            growth = first[i] * times > now[i] * growth ? first[i] * times / now[i] : growth;
        }
    }
    return micro_batch % known->first == 0 ? growth : (double)INFINITY;
}

/* Tests whether the device file describes the links over which the ranks of a plan communicate. The result depends only
 * on the degrees and the shards of the plan. */
static bool has_network(nnc_plan_groups *groups, const nnc_plan *plan) {
    nnc_network network;
    uint64_t *column = &groups->rows[groups->row_first].networks[plan->zero == 3][plan->offload != 0];
    if (*column != groups->column && nnc_network_find(groups->device, plan, &network, NULL) == NNC_OK) {
        *column = groups->column;
    }
    return *column == groups->column;
}

/* Begins a pass without lowering its op list: copies the byte sums that were stored for a smaller micro-batch with the
 * same key. The sums of a smaller micro-batch are a lower bound of the sums of the pass. Returns false if no sums are
 * stored, or if the stored sums are no lower bound, for example for a plan on one device. */
static bool guess_pass(nnc_plan_groups *groups, nnc_pass_costs *pass) {
    const nnc_plan *plan = &pass->work.plan;
    /* on one device the peak of the memory comes from a replay of the ops, so the sums are no lower bound */
    if (groups->smaller.slots == 0 || plan->devices == 1 || !counts_elements(plan)) { return false; }
    const smaller_key key = smaller_key_of(plan, pass->software);
    const smaller_sums *known = nnc_memo_find(&groups->smaller, &key);
    if (groups->varied || known == NULL || known->micro_batch > plan->micro_batch || !has_network(groups, plan)) {
        return false;
    }
    pass->step = (nnc_step){ .device = groups->device, .plan = plan, .software = pass->software };
    memcpy(pass->sums, known->sums, sizeof pass->sums[0] * (size_t)known->list->segment_count);
    pass->step.list = known->list;
    pass->step.sums = pass->sums;
    pass->step.tied_params = known->tied_params;
    pass->growth = growth_of(known, plan->micro_batch);
    pass->layers = groups->layers_last;
    return true;
}

static void keep_sums(nnc_plan_groups *groups, const nnc_pass_costs *pass) {
    const smaller_key key = smaller_key_of(&pass->work.plan, pass->software);
    if (groups->smaller.slots > 0) {
        smaller_sums *known = nnc_memo_find(&groups->smaller, &key);
        const size_t size = sizeof pass->sums[0] * (size_t)pass->step.list->segment_count;
        if (known == NULL) {
            known = nnc_memo_add(&groups->smaller, &key);
            known->first = pass->work.plan.micro_batch;
            memcpy(known->first_sums, pass->sums, size);
        }
        known->micro_batch = pass->work.plan.micro_batch;
        memcpy(known->sums, pass->sums, size);
        known->list = pass->step.list;
        known->tied_params = pass->step.tied_params;
    }
}

/* Lowers the op list of a pass, unless this op list was lowered last. Returns false if the op list cannot be
 * lowered. */
static bool list_pass(nnc_plan_groups *groups, nnc_pass_costs *pass) {
    if (groups->listed == pass) { return true; }
    groups->listed = pass;
    return nnc_prepare_list(groups->scratch->shared, pass->software, &pass->work.plan, &pass->network, &pass->step,
                            pass->sums, &pass->alike, NULL) == NNC_OK;
}

/* Lowers the op list of a pass that began with the byte sums of a smaller micro-batch, and replaces these sums by the
 * sums of the new op list. */
static void complete_pass(nnc_plan_groups *groups, nnc_pass_costs *pass) {
    pass->guessed = false;
    pass->growth = 1.0;
    pass->holds = pass->edged = 0;
    groups->listed = NULL;
    pass->usable = list_pass(groups, pass);
    if (!pass->usable) { return; }
    keep_sums(groups, pass);
    pass->layers = nnc_list_layers_digest(pass->step.list);
    groups->varied = groups->varied || (groups->layers_last != 0 && groups->layers_last != pass->layers);
    groups->layers_last = pass->layers;
}

static nnc_pass_costs *make_pass(nnc_plan_groups *groups, const nnc_plan *plan, const nnc_software *software) {
    nnc_pass_costs *pass = &groups->passes[groups->pass_next];
    groups->pass_next = (groups->pass_next + 1) % NNC_PASSES_MAX;
    groups->pass_count = groups->pass_count < NNC_PASSES_MAX ? groups->pass_count + 1 : NNC_PASSES_MAX;
    assert(groups->pass_count <= NNC_PASSES_MAX);
    memset(&pass->work, 0, sizeof pass->work);
    pass->work.plan = *plan;
    pass->software = software;
    pass->number = ++groups->made;
    pass->group = pass->holds = pass->edged = 0;
    pass->least_s = (double)NAN;
    pass->worked = pass->timed[0] = pass->timed[1] = pass->timed[2] = pass->routed = false;
    groups->listed = groups->listed == pass ? NULL : groups->listed;
    pass->usable = pass->guessed = guess_pass(groups, pass);
    if (!pass->guessed) { complete_pass(groups, pass); }
    return pass;
}

static void count_work(nnc_plan_groups *groups, nnc_pass_costs *pass) {
    const nnc_result *known = known_work(groups, pass->step.software);
    const nnc_plan plan = pass->work.plan;
    if (known != NULL) {
        pass->work = *known;
        pass->work.plan = plan;
    } else if (list_pass(groups, pass)) {
        nnc_prepare_work(groups->scratch, pass->alike, &pass->step, &pass->work);
    }
    pass->worked = true;
}

void nnc_plan_groups_work(nnc_plan_groups *groups, nnc_pass_costs *pass, nnc_result *result) {
    const nnc_plan plan = result->plan;
    const nnc_memory memory = result->memory;
    const double step_s = result->step_s;
    if (!pass->worked) { count_work(groups, pass); }
    *result = pass->work;
    result->plan = plan;
    result->memory = memory;
    result->step_s = step_s;
}

/* Returns the entry of groups->plain, the stored lower bounds of the time, for a software profile. If no entry belongs
 * to this software profile, the profile gets the oldest entry, and the entry is marked as not computed (adds =
 * infinity). */
static nnc_plain_bound *plain_of(nnc_plan_groups *groups, const nnc_software *software) {
    for (int32_t i = 0; i < NNC_PLAIN_BOUNDS; i++) {
        if (groups->plain[i].software == software) { return &groups->plain[i]; }
    }
    nnc_plain_bound *bound = &groups->plain[groups->plain_next];
    groups->plain_next = (groups->plain_next + 1) % NNC_PLAIN_BOUNDS;
    bound->software = software;
    bound->adds = (double)INFINITY;
    bound->column = 0;
    return bound;
}

/* Finds the routes of a pass, which are the links that each group of ranks uses, unless the routes are already known.
 * Returns false if the device file lacks links that the plan needs. */
static bool find_routes(const nnc_plan_groups *groups, nnc_pass_costs *pass) {
    const nnc_plan *plan = &pass->work.plan;
    if (pass->guessed && !pass->routed && plan->devices > 1) { /* only a plan with several devices has routes */
        pass->routed = nnc_network_find(groups->device, plan, &pass->network, NULL) == NNC_OK;
        return pass->routed;
    }
    return true;
}

static bool same_routes(const nnc_route *routes, const nnc_pass_costs *pass) {
    return pass->work.plan.devices == 1 ||
           nnc_same_bytes(routes, pass->network.routes, sizeof routes[0] * NNC_ROUTES_OF_LAYERS);
}

double nnc_plan_groups_floor_s(nnc_plan_groups *groups, nnc_pass_costs *pass, const nnc_plan *plan) {
    const nnc_plain_bound *bound = plain_of(groups, pass->software);
    const bool holds = bound->column == groups->column && bound->micro_batch <= plan->micro_batch &&
                       find_routes(groups, pass) && same_routes(bound->routes, pass);
    return holds ? bound->sample_s * (double)plan->micro_batch * (double)plan->micro_batches / plan->pipeline : 0.0;
}

/* Returns a lower bound of the time of one micro-batch in all layers of the model, in seconds; 0 if the op list cannot
 * be lowered. The lower bound leaves out recomputation, so plans that differ only in recomputation share it. */
static double find_least_s(nnc_plan_groups *groups, nnc_pass_costs *pass) {
    const nnc_plan *plan = &pass->work.plan;
    const double adds = nnc_lowering_of(plan, pass->software, plan->attention).grad_accumulate;
    nnc_plan key = nnc_plan_lowering_key(plan);
    key.recompute = 0;
    nnc_plain_bound *bound = plain_of(groups, pass->software);
    if (!find_routes(groups, pass)) { return 0.0; }
    if (bound->adds <= adds && same_routes(bound->routes, pass) && nnc_same_bytes(&bound->plan, &key, sizeof key)) {
        return bound->least_s;
    }
    if (pass->guessed) { complete_pass(groups, pass); }
    if (!pass->usable || !list_pass(groups, pass)) { return 0.0; }
    nnc_step step = pass->step;
    step.plan = plan;
    bound->least_s = nnc_lowered_least_s(groups->scratch->shared, pass->alike, &step);
    bound->plan = key;
    bound->adds = pass->alike->least_adds;
    if (groups->scales && (bound->column != groups->column || bound->micro_batch > plan->micro_batch ||
                           !same_routes(bound->routes, pass))) {
        bound->column = groups->column;
        bound->micro_batch = plan->micro_batch;
        bound->sample_s = nnc_lowered_floor_s(pass->alike, &step) * (1.0 - 1e-9) / (double)plan->micro_batch;
    }
    if (plan->devices > 1) { memcpy(bound->routes, pass->network.routes, sizeof bound->routes); }
    return bound->least_s;
}

double nnc_plan_groups_compute_s(nnc_plan_groups *groups, nnc_pass_costs *pass, const nnc_plan *plan) {
    /* the factor keeps the result a lower bound if times were added in another order, which changes the last digits of
     * a sum */
    const double rounding = 1.0 - 1e-9;
    if (isnan(pass->least_s)) { pass->least_s = find_least_s(groups, pass); }
    return pass->least_s * rounding * (double)plan->micro_batches / plan->pipeline;
}

bool nnc_plan_groups_times(nnc_plan_groups *groups, nnc_pass_costs *pass, const nnc_plan *plan) {
    const int kind = nnc_units_kind(plan, pass->software);
    if (pass->guessed) { complete_pass(groups, pass); }
    if (!pass->timed[kind] && pass->usable) {
        (void)list_pass(groups, pass); /* list_pass cannot fail here, because the same list was lowered when the pass
                                        * was made */
        time_pass(groups, pass, kind);
    }
    return pass->usable;
}

/* Tests whether stage `a` stores at least as many bytes as stage `b` in every segment. Returns false if one of the two
 * stages has chunks that differ in their layers (uneven_layers). */
static bool keeps_more(const nnc_stage_residency *a, const nnc_stage_residency *b) {
    bool more = a->in_flight >= b->in_flight && !a->uneven_layers && !b->uneven_layers;
    for (int32_t s = 0; s < a->segments; s++) {
        more = more && a->recomputed[s] >= b->recomputed[s] &&
               a->instances[s] - a->recomputed[s] >= b->instances[s] - b->recomputed[s];
    }
    return more;
}

/* Removes from the list groups->heaviest every stage for which another stage in the list surely needs at least as much
 * memory. */
static void drop_lighter(nnc_plan_groups *groups) {
    const nnc_stage_residency *h = groups->scratch->step.holdings;
    int32_t count = 0;
    for (int32_t i = 0; i < groups->heaviest_count; i++) {
        bool lighter = false;
        for (int32_t k = 0; k < groups->heaviest_count && !lighter; k++) {
            lighter = k != i && keeps_more(&h[groups->heaviest[k]], &h[groups->heaviest[i]]) &&
                      (k < i || !keeps_more(&h[groups->heaviest[i]], &h[groups->heaviest[k]]));
        }
        if (!lighter) { groups->heaviest[count++] = groups->heaviest[i]; }
    }
    groups->heaviest_count = count;
}

/* Sorts groups->heaviest so that stages whose chunks are equal come first. For stages with different chunks, the peak
 * of the memory is found by a replay, which takes longer. */
static void move_even_first(nnc_plan_groups *groups) {
    const nnc_stage_residency *h = groups->scratch->step.holdings;
    int32_t even = 0;
    for (int32_t i = 0; i < groups->heaviest_count; i++) {
        const int32_t stage = groups->heaviest[i];
        if (!h[stage].uneven) {
            groups->heaviest[i] = groups->heaviest[even];
            groups->heaviest[even++] = stage;
        }
    }
}

/* Returns a digest of the layers that each pipeline stage holds and recomputes. */
static uint64_t digest_held(const nnc_step_memory *m, int32_t stages) {
    const uint64_t factor = 0x9E3779B97F4A7C15;
    uint64_t digest = (uint64_t)stages;
    for (int32_t d = 0; d < stages; d++) {
        const nnc_stage_residency *h = &m->holdings[d];
        digest = digest * factor + 1;
        for (int32_t s = 0; s < h->segments && !m->alike[d]; s++) {
            digest = (digest ^ digest >> 32) * factor + (uint64_t)h->instances[s];
            digest = (digest ^ digest >> 32) * factor + (uint64_t)h->recomputed[s];
        }
    }
    return digest;
}

/* Divides the layers of the current group's plans into pipeline stages, and writes to groups->heaviest the stages that
 * can need the most memory: among neighbouring stages with equal layers, the stage with the most micro-batches in
 * flight. layers: digest of the layers. */
static void partition_layers(nnc_plan_groups *groups, const nnc_step *step, uint64_t layers) {
    const nnc_stage_residency *h = groups->scratch->step.holdings;
    nnc_step_partition_recall(groups->scratch, step, layers);
    groups->heaviest_count = 0;
    for (int32_t d = 0; d < step->plan->pipeline; d++) {
        if (!groups->scratch->step.alike[d] || h[d].uneven || h[d - 1].uneven) {
            groups->heaviest[groups->heaviest_count++] = d;
        } else if (h[d].in_flight > h[groups->heaviest[groups->heaviest_count - 1]].in_flight) {
            groups->heaviest[groups->heaviest_count - 1] = d;
        }
    }
    drop_lighter(groups);
    move_even_first(groups);
    groups->partitioned = true;
    groups->layers_now = layers;
    groups->held_layers = digest_held(&groups->scratch->step, step->plan->pipeline);
}

/* Returns the value that pass->holds has if the stored resident bytes of the pass are valid for the current group: the
 * serial number of the group, or NNC_EVEN_GROUPS if each device has one chunk. With one chunk, the resident bytes are
 * equal for all schedules, because nnc_memory_of_resident gets the number of micro-batches in flight as a separate
 * argument. */
static uint64_t holds_of(const nnc_plan_groups *groups, const nnc_plan *plan) {
    return plan->pipeline == 1 || (nnc_schedule_chunks(plan) == 1 && !nnc_schedule_dual(plan)) ? NNC_EVEN_GROUPS
                                                                                               : groups->group;
}

/* Returns the resident bytes of pipeline stage groups->heaviest[i], one of the stages that can need the most memory.
 * The resident bytes are stored in pass->held if i < NNC_PASS_STAGES, otherwise in *buffer. */
static const nnc_resident_bytes *find_resident(const nnc_plan_groups *groups, nnc_pass_costs *pass,
                                               const nnc_plan *plan, int32_t i, nnc_resident_bytes *buffer) {
    const nnc_stage_residency *h = &groups->scratch->step.holdings[groups->heaviest[i]];
    nnc_resident_bytes *held = i < NNC_PASS_STAGES ? &pass->held[i] : buffer;
    if (held == buffer || i >= pass->held_count || pass->held_stage[i] != groups->heaviest[i]) {
        const nnc_plan *own = pass->step.plan;
        pass->step.plan = plan;
        nnc_step_find_peak(&pass->step, &groups->scratch->step, groups->heaviest[i]);
        pass->step.plan = own;
        *held = nnc_resident_bytes_of(pass->step.list, pass->step.sums, h, plan, pass->software);
        if (held != buffer) { pass->held_stage[i] = groups->heaviest[i]; }
        pass->held_count = i >= pass->held_count && held != buffer ? i + 1 : pass->held_count;
    }
    return held;
}

/* Largest difference, in bytes, between a sum of byte counts that are each rounded up and the same sum rounded up
 * once. */
#define ROUNDED_BYTES 8.0

/* Sets groups->edges_now to the edges of the current group. An edge belongs to one of the heaviest stages and one plan:
 * it is the number of working bytes that decides whether the stage fits. In all groups with one chunk per device, a
 * stage has the same weights, so these groups share the edges of the first group. */
static void find_edges(nnc_plan_groups *groups, const nnc_plan *plan) {
    const uint64_t size = nnc_space_group_size(groups->space), each = NNC_PASS_STAGES * size;
    const uint64_t group = holds_of(groups, plan) == NNC_EVEN_GROUPS ? 0 : groups->group_index;
    nnc_edge_row *row = &groups->rows[groups->row_first + group];
    groups->edges_now = &groups->edges[(groups->row_first + group) * each];
    for (int32_t i = 0; i < groups->heaviest_count && i < NNC_PASS_STAGES; i++) {
        if (row->column == groups->column && row->stages[i] == groups->heaviest[i]) { continue; }
        row->stages[i] = groups->heaviest[i];
        for (uint64_t k = 0; k < size; k++) {
            groups->edges_now[(uint64_t)i * size + k] = (nnc_memory_edge){ .fits = -1.0, .over = (double)INFINITY };
        }
    }
    if (row->column != groups->column) {
        for (int32_t i = groups->heaviest_count; i < NNC_PASS_STAGES; i++) { row->stages[i] = -1; }
    }
    row->column = groups->column;
}

static nnc_memory_edge *edge_of(const nnc_plan_groups *groups, int32_t i, uint64_t inside) {
    return groups->edges_now != NULL && i < NNC_PASS_STAGES
               ? &groups->edges_now[(uint64_t)i * nnc_space_group_size(groups->space) + inside]
               : NULL;
}

static void forget_held(const nnc_plan_groups *groups, nnc_pass_costs *pass, const nnc_plan *plan) {
    const uint64_t holds = holds_of(groups, plan);
    if (pass->holds != holds) {
        pass->holds = holds;
        pass->held_count = 0;
    }
}

/* Returns the working bytes of pipeline stage groups->heaviest[i], with i < NNC_PASS_STAGES. The working bytes of a
 * stage are computed once per group of plans and stored in pass->working. */
static double find_working(nnc_plan_groups *groups, nnc_pass_costs *pass, const nnc_plan *plan, int32_t i) {
    if (pass->edged != groups->group) {
        forget_held(groups, pass, plan);
        pass->edged = groups->group;
        pass->working_count = 0;
    }
    for (; pass->working_count <= i; pass->working_count++) {
        const int32_t stage = pass->working_count;
        const nnc_stage_residency *h = &groups->scratch->step.holdings[groups->heaviest[stage]];
        const nnc_resident_bytes *held = find_resident(groups, pass, plan, stage, NULL);
        pass->working[stage] = nnc_working_bytes(groups->model, pass->step.list, held, h, plan);
    }
    return pass->working[i];
}

/* Returns a lower bound, in bytes, of the memory of a stage that has `working` working bytes. The bound follows from
 * edge->bytes, which is the memory of the stage with edge->working working bytes. If the optimizer has an update kernel
 * per tensor (foreach), the peak can be in the update, and then the memory stays equal while the working bytes grow. */
static double least_bytes(const nnc_memory_edge *edge, const nnc_pass_costs *pass, double working) {
    const double more = working - edge->working;
    const double rate = more < 0.0                                                 ? 1.0 + pass->software->reserve.share
                        : pass->work.plan.optimizer_kernels == NNC_KERNELS_FOREACH ? 0.0
                                                                                   : 1.0;
    return edge->bytes > 0 ? (double)edge->bytes + rate * more - ROUNDED_BYTES : 0.0;
}

/* Compares the working bytes of each stage of a plan with the edges of this stage. Returns NNC_OVER_MEMORY if a stage
 * exceeds the memory, NNC_FITS if all stages fit, and NNC_TIGHT if the edges are not exact enough to decide. For each
 * of the three return values, writes a lower bound of the plan's memory to `result`. */
static nnc_verdict compare_edges(nnc_plan_groups *groups, nnc_pass_costs *pass, uint64_t inside, nnc_result *result) {
    bool fits = groups->heaviest_count <= NNC_PASS_STAGES;
    double least = 1.0;
    for (int32_t i = 0; i < groups->heaviest_count && i < NNC_PASS_STAGES; i++) {
        const nnc_memory_edge *edge = edge_of(groups, i, inside);
        const double working = find_working(groups, pass, &result->plan, i);
        if (working >= edge->over) {
            result->memory.total_bytes = result->memory.total_interval_bytes[1] = INT64_MAX;
            return NNC_OVER_MEMORY;
        }
        fits = fits && working * pass->growth <= edge->fits;
        least = nnc_max(least, least_bytes(edge, pass, working));
    }
    result->memory.total_bytes = result->memory.total_interval_bytes[1] = (int64_t)least;
    return fits ? NNC_FITS : NNC_TIGHT;
}

static void move_edge(const nnc_plan_groups *groups, nnc_memory_edge *edge, double working, const nnc_memory *memory) {
    if (nnc_memory_verdict(memory, groups->limit_bytes) == NNC_FITS) {
        edge->fits = nnc_max(edge->fits, working - ROUNDED_BYTES);
    } else {
        edge->over = nnc_min(edge->over, working + ROUNDED_BYTES);
    }
}

/* Moves an edge of a stage towards the working bytes of a plan whose memory was just computed. For the first plan of an
 * edge, also computes the memory at two further points near the limit. The memory is nearly a linear function of the
 * working bytes; the two further points are a little below and a little above the working bytes at which this function
 * reaches the limit. */
static void learn_edge(const nnc_plan_groups *groups, const nnc_pass_costs *pass, const nnc_plan *plan, int32_t i,
                       const nnc_resident_bytes *held, const nnc_memory *memory, nnc_memory_edge *edge) {
    const double beside = 65536.0; /* distance of the two further points from the working bytes at the limit, in bytes;
                                    * the working bytes of hardly any plan are nearer to the limit */
    const nnc_stage_residency *h = &groups->scratch->step.holdings[groups->heaviest[i]];
    const double now = nnc_working_bytes(groups->model, pass->step.list, held, h, plan);
    const double most = (double)memory->total_interval_bytes[1], total = (double)memory->total_bytes;
    const double rate =
        nnc_max(most, total) / total * (1.0 + (plan->reserve_bytes >= 0 ? 0.0 : pass->software->reserve.share));
    move_edge(groups, edge, now, memory);
    if (edge->bytes > 0) { return; }
    edge->working = now;
    edge->bytes = memory->total_bytes;
    for (int side = -1; side <= 1; side += 2) {
        nnc_resident_bytes other = *held;
        const double more = ((double)groups->limit_bytes - nnc_max(most, total)) / rate + side * beside;
        other.op_bytes += more;
        const nnc_memory there = nnc_memory_of_resident(groups->model, pass->step.list, &other, h, plan, pass->software,
                                                        nnc_device_capacity(groups->device));
        move_edge(groups, edge, now + more, &there);
    }
}

/* Writes to result the memory of the pipeline stage that needs the most, or of the first stage that exceeds the
 * limit. */
static void set_memory(nnc_plan_groups *groups, nnc_pass_costs *pass, uint64_t inside, nnc_result *result) {
    const nnc_plan *plan = &result->plan;
    nnc_resident_bytes buffer;
    forget_held(groups, pass, plan);
    result->memory.total_bytes = 0;
    for (int32_t i = 0; i < groups->heaviest_count; i++) {
        const nnc_stage_residency *h = &groups->scratch->step.holdings[groups->heaviest[i]];
        const nnc_resident_bytes *held = find_resident(groups, pass, plan, i, &buffer);
        const nnc_memory memory = nnc_memory_of_resident(groups->model, pass->step.list, held, h, plan, pass->software,
                                                         nnc_device_capacity(groups->device));
        nnc_memory_edge *edge = edge_of(groups, i, inside);
        if (edge != NULL) { learn_edge(groups, pass, plan, i, held, &memory, edge); }
        if (i == 0 || memory.total_bytes > result->memory.total_bytes) { result->memory = memory; }
        if (memory.total_bytes > groups->limit_bytes) { break; }
    }
}

/* Computes the memory of a plan. The op list of the plan is lowered only if the byte sums of a smaller micro-batch do
 * not already show that the plan exceeds the limit. Returns false if the op list cannot be lowered. */
static bool compute_memory(nnc_plan_groups *groups, nnc_pass_costs *pass, uint64_t inside, nnc_result *result) {
    set_memory(groups, pass, inside, result);
    if (pass->growth > 1.0 && nnc_memory_verdict(&result->memory, groups->limit_bytes) == NNC_FITS) {
        complete_pass(groups, pass);
        if (!pass->usable) { return false; }
        set_memory(groups, pass, inside, result);
    }
    groups->weighed = true;
    return true;
}

/* Sets the memory of a plan in result. If a lower bound of the memory is enough to decide whether the plan fits, sets
 * only this bound. Returns false if the op list of the plan cannot be lowered. */
static bool weigh(nnc_plan_groups *groups, nnc_pass_costs *pass, uint64_t inside, nnc_result *result) {
    groups->weighed = false;
    nnc_verdict verdict = NNC_TIGHT;
    if (groups->edges_now != NULL) { verdict = compare_edges(groups, pass, inside, result); }
    if (verdict == NNC_TIGHT) {
        if (!compute_memory(groups, pass, inside, result)) { return false; }
        verdict = nnc_memory_verdict(&result->memory, groups->limit_bytes);
    }
    if (verdict != NNC_FITS) { count_over(groups); }
    return true;
}

bool nnc_plan_groups_weigh(nnc_plan_groups *groups, nnc_pass_costs *pass, uint64_t inside, nnc_result *result) {
    return groups->weighed || compute_memory(groups, pass, inside, result);
}

nnc_pass_costs *nnc_plan_groups_plan(nnc_plan_groups *groups, uint64_t inside, nnc_result *result) {
    if (!groups->known) { find_allowed(groups); }
    if (!groups->allowed[inside] || !has_schedule(groups, groups->software[inside])) { return NULL; }
    nnc_plan *plan = &result->plan;
    *plan = groups->settled;
    result->step_s = 0.0;
    nnc_space_inside_group(groups->space, inside, plan);
    const nnc_software *software = groups->software[inside];
    nnc_plan_set_attention(plan, software);
    nnc_pass_costs *pass = find_pass(groups, plan, software);
    pass = pass != NULL ? pass : make_pass(groups, plan, software);
    if (pass->usable && groups->varied && groups->listed != pass) { complete_pass(groups, pass); }
    if (!pass->usable) { return NULL; }
    if (!groups->partitioned || groups->layers_now != pass->layers) {
        nnc_step step = pass->step;
        step.plan = plan;
        partition_layers(groups, &step, pass->layers);
        groups->edges_now = NULL;
        if (groups->rows != NULL && plan->devices > 1) { find_edges(groups, plan); }
    }
    return weigh(groups, pass, inside, result) ? pass : NULL;
}

nnc_plan_groups *nnc_plan_groups_create(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                                        const nnc_space *space, int64_t limit_bytes, bool bounds,
                                        nnc_batched_fn *batched, void *context) {
    nnc_plan_groups *made = calloc(1, sizeof *made); /* calloc is fast for this large struct: the operating system
                                                      * provides memory only for pages that are used, and most pages are
                                                      * never used */
    if (made == NULL) { return NULL; }
    made->model = model;
    made->device = device;
    made->profiles = profiles;
    made->space = space;
    made->limit_bytes = limit_bytes;
    made->scratch = nnc_scratch_create();
    made->replay = batched != NULL ? nnc_batched_replay_create(batched, context) : NULL;
    const bool splits = bounds && nnc_family_of(model)->split != NULL;
    if (made->scratch == NULL || (batched != NULL && made->replay == NULL) ||
        !nnc_scratch_share(made->scratch, model, device, true) ||
        (splits && !nnc_memo_create(&made->smaller, SMALLER, SMALLER_WAYS, sizeof(smaller_key),
                                    offsetof(smaller_key, plan), sizeof(smaller_sums))) ||
        (nnc_family_of(model)->split != NULL && model->captured == NULL &&
         (made->resolved = calloc((size_t)space->axes[NNC_AXIS_PIPELINE].count, sizeof *made->resolved)) == NULL) ||
        (splits && (made->rows = calloc((size_t)space->axes[NNC_AXIS_PIPELINE].count *
                                            (space->block_size / nnc_space_group_size(space)),
                                        sizeof *made->rows)) == NULL) ||
        (splits && (made->edges = calloc((size_t)space->axes[NNC_AXIS_PIPELINE].count * space->block_size,
                                         NNC_PASS_STAGES * sizeof *made->edges)) == NULL) ||
        (splits && (made->full = calloc((size_t)space->axes[NNC_AXIS_RECOMPUTE].count *
                                            (size_t)space->axes[NNC_AXIS_PIPELINE].count *
                                            (space->block_size / nnc_space_group_size(space)),
                                        sizeof *made->full)) == NULL)) {
        nnc_plan_groups_destroy(made);
        return NULL;
    }
    return made;
}

void nnc_plan_groups_destroy(nnc_plan_groups *groups) {
    if (groups != NULL) {
        nnc_memo_destroy(&groups->smaller);
        free(groups->full);
        free(groups->resolved);
        free(groups->rows);
        free(groups->edges);
        nnc_scratch_destroy(groups->scratch);
        nnc_batched_replay_destroy(groups->replay);
        free(groups);
    }
}
