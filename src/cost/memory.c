#include "cost/memory.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "op/work.h"

/* Whole bytes. The cap is past any device, and keeps sums of a few of them defined. */
static int64_t whole_bytes(double bytes)
{
    return (int64_t)nnc_min(bytes, 0x1p60);
}

static const char *held_name(const nnc_policy_sizes *sizes)
{
    return sizes->cast_bytes > 0.0 ? "16-bit copy of the weights" : "gradients, not stored";
}

/* Of a block that is run again, or has modules that are, what is live while its backward runs. */
static double live_of(const nnc_segment_sums *sum, const nnc_plan *plan, double again)
{
    const double every = plan->recompute_every > 1 ? (double)plan->recompute_every : 1.0;
    return again > 0.0 ? nnc_min(every, again) * sum->live_bytes : sum->again_bytes;
}

nnc_held nnc_held_of(const nnc_op_list *list, const nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                     const nnc_holding *holding, const nnc_plan *plan)
{
    nnc_held held = { .dense = nnc_holding_trained(sums, holding, false),
                      .expert = nnc_holding_trained(sums, holding, true),
                      .frozen = nnc_holding_frozen(sums, holding, false),
                      .frozen_expert = nnc_holding_frozen(sums, holding, true),
                      .kept = nnc_kept_of(list, sums, holding, plan, NULL) };
    for (int32_t s = 0; s < holding->segments; s++) {
        if (holding->instances[s] == 0) {
            continue;
        }
        held.unit_params = nnc_max(held.unit_params, sums[s].unit_params);
        held.unit_frozen = nnc_max(held.unit_frozen, sums[s].unit_frozen);
        const double live = live_of(&sums[s], plan, (double)holding->recomputed[s]);
        if (sums[s].transient_bytes + live > held.op_bytes + held.block_bytes) {
            held.op_bytes = sums[s].transient_bytes;
            held.block_bytes = live;
            held.op_what = sums[s].transient_what;
        }
    }
    return held;
}

/* Largest extra at the peak: of one segment, gradients of activations and the block being recomputed (the head has none);
 * what ZeRO gathers (two units, and one unit's whole gradient), and what the policy holds for a while. */
NNC_SAYING void transient(const nnc_held *held, const nnc_plan *plan, double params,
                          nnc_memory *memory, nnc_derivation *why)
{
    const nnc_policy_sizes sizes = nnc_policy_bytes(plan->policy);
    const double op_bytes = held->op_bytes, live_block = held->block_bytes;
    const double unit_params = held->unit_params, unit_frozen = held->unit_frozen;
    NNC_PUT(why, op_bytes, "B");
    NNC_LET(why, block_bytes, "B", live_block);
    NNC_LET(why, held_per_param, NULL, sizes.cast_bytes + (sizes.gradient_bytes > 0.0 ? 0.0 : 2.0));
    double held_bytes = 0.0, gathered_bytes = 0.0;
    if (plan->zero == 3 && plan->shard > 1) {
        NNC_LET(why, gathered_params, NULL, plan->reshard ? 2.0 * unit_params : params);
        NNC_PUT(why, unit_params, NULL);
        NNC_LET(why, weight_bytes_per_param, NULL, sizes.weight_bytes);
        NNC_LET(why, gradient_bytes_per_param, NULL, nnc_policy_gradient_io_bytes(plan->policy));
        NNC_SET(why, gathered_bytes, "B",
                gathered_params * weight_bytes_per_param + unit_params * gradient_bytes_per_param);
        NNC_NOTE(why, "ZeRO-3: the weights of the unit at hand and of the next, or of all; and the "
                      "whole gradient of a unit");
        if (unit_frozen > 0.0) {
            NNC_PUT(why, unit_frozen, NULL);
            NNC_SAY(why, gathered_frozen_bytes, "B", 2.0 * 2.0 * unit_frozen);
            NNC_NOTE(why, "weights that are not trained: those of two units, two bytes each");
            gathered_bytes += gathered_frozen_bytes;
        }
        NNC_SET(why, held_bytes, "B", held_per_param * unit_params);
    } else {
        NNC_LET(why, stage_params, NULL, params);
        NNC_SET(why, held_bytes, "B", held_per_param * stage_params);
    }
    NNC_NOTE(why,
             "what the precision policy holds for a while: a 16-bit copy, or gradients that it "
             "does not store");
    NNC_PUT(why, gathered_bytes, "B");
    NNC_SAY(why, transient_bytes, "B", ceil(op_bytes + block_bytes + gathered_bytes + held_bytes));
    memory->transient_bytes = whole_bytes(transient_bytes);
    const double largest =
        nnc_max(nnc_max(op_bytes, live_block), nnc_max(gathered_bytes, held_bytes));
    memory->transient_what = largest == 0.0              ? "nothing"
                             : largest == gathered_bytes ? "gathered weights"
                             : largest == live_block     ? "one block, recomputed"
                             : largest == held_bytes     ? held_name(&sizes)
                             : held->op_what != NULL     ? held->op_what
                                                         : "gradients of activations";
    NNC_NOTE(why,
             "op_bytes: the largest working set of an op's backward; block_bytes: the block that "
             "is run again; both of the layer, table or head where their sum is largest");
}

/* Parameters on the device: dense and expert ones of the stage, and those left after ZeRO. */
typedef struct parts {
    double stage_params, sharded_params;
} parts;

NNC_SAYING parts parts_of(const nnc_held *held, const nnc_plan *plan, nnc_derivation *why)
{
    NNC_LET(why, dense_params, NULL, held->dense.params);
    NNC_LET(why, expert_params, NULL, held->expert.params);
    NNC_LET(why, dense_shards, NULL, nnc_dense_shards(plan));
    NNC_LET(why, expert_shards, NULL, nnc_expert_shards(plan));
    NNC_SAY(why, stage_params, NULL, dense_params + expert_params);
    NNC_NOTE(why, "that one rank of the stage holds");
    NNC_SAY(why, sharded_params, NULL, dense_params / dense_shards + expert_params / expert_shards);
    NNC_NOTE(why, "of those, what ZeRO leaves it; experts are replicated over fewer ranks");
    return (parts){ stage_params, sharded_params };
}

NNC_SAYING double states_of(const nnc_held *held, const nnc_plan *plan, const parts *p,
                            nnc_derivation *why)
{
    nnc_update update = { .optimizer = plan->optimizer, .policy = plan->policy };
    nnc_parameters_update(&held->dense, &held->expert, plan, &update);
    NNC_LET(why, master_bytes_per_param, NULL, nnc_policy_bytes(plan->policy).master_bytes);
    double master_params = 0.0;
    if (plan->zero > 0) {
        NNC_SET(why, master_params, NULL, p->sharded_params);
    } else {
        NNC_SET(why, master_params, NULL, p->stage_params);
    }
    const double moments_bytes =
        why != NULL ? nnc_update_say_moments(&update, why) : nnc_update_moment_bytes(&update);
    NNC_SAY(why, optimizer_bytes, "B",
            ceil(master_bytes_per_param * master_params + moments_bytes));
    return optimizer_bytes;
}

/* Weights that are not trained, after ZeRO. */
NNC_SAYING double frozen_bytes_of(const nnc_held *held, const nnc_plan *plan, nnc_derivation *why)
{
    const nnc_parameters dense = held->frozen, expert = held->frozen_expert;
    const bool sharded = plan->zero == 3;
    if (!(dense.params + expert.params > 0.0) || (plan->offload & NNC_OFFLOAD_WEIGHTS) != 0) {
        return 0.0;
    }
    NNC_LET(why, stored_bytes_per_param, NULL, nnc_frozen_param_bytes(plan));
    NNC_LET(why, frozen_matrix_params, NULL,
            dense.matrix_params / (sharded ? nnc_dense_shards(plan) : 1.0) +
                expert.matrix_params / (sharded ? nnc_expert_shards(plan) : 1.0));
    NNC_LET(why, frozen_params, NULL,
            dense.params / (sharded ? nnc_dense_shards(plan) : 1.0) +
                expert.params / (sharded ? nnc_expert_shards(plan) : 1.0));
    NNC_NOTE(why, "not trained, after ZeRO; matrix: of linear layers");
    NNC_SAY(why, frozen_bytes, "B",
            stored_bytes_per_param * frozen_matrix_params +
                2.0 * (frozen_params - frozen_matrix_params));
    return frozen_bytes;
}

/* What the plan does not count: the user's figure, or the profile's. */
NNC_SAYING void set_aside(const nnc_plan *plan, const nnc_software *software, nnc_memory *memory,
                          nnc_derivation *why)
{
    if (plan->reserve_bytes >= 0) {
        memory->reserve_bytes = plan->reserve_bytes;
        NNC_PUT(why, memory->reserve_bytes, "B");
        return;
    }
    NNC_LET(why, counted_bytes, "B",
            (double)(memory->weight_bytes + memory->gradient_bytes + memory->optimizer_bytes +
                     memory->activation_bytes + memory->transient_bytes));
    NNC_LET(why, fixed_bytes, "B", software->reserve.bytes);
    NNC_LET(why, share, NULL, software->reserve.share);
    NNC_SAY(why, reserve_bytes, "B", ceil(fixed_bytes + share * counted_bytes));
    NNC_NOTE(why, "context and collectives, and what the allocator cannot hand out again, by the "
                  "software profile");
    memory->reserve_bytes = whole_bytes(reserve_bytes);
}

/* Where measured peaks fell; a figure of the user's own is taken at its word. */
NNC_SAYING void set_interval(const nnc_plan *plan, const nnc_software *software, nnc_memory *memory,
                             nnc_derivation *why)
{
    const bool own = plan->reserve_bytes >= 0;
    NNC_LET(why, low, NULL, own ? 1.0 : software->reserve.low);
    NNC_LET(why, high, NULL, own ? 1.0 : software->reserve.high);
    NNC_LET(why, total_bytes, "B", (double)memory->total_bytes);
    double least_bytes = 0.0, most_bytes = 0.0;
    NNC_SET_AS(why, "total_interval_bytes.0", least_bytes, "B", ceil(low * total_bytes));
    NNC_SET_AS(why, "total_interval_bytes.1", most_bytes, "B", ceil(high * total_bytes));
    memory->total_interval_bytes[0] = whole_bytes(least_bytes);
    memory->total_interval_bytes[1] = whole_bytes(most_bytes);
}

NNC_SAYING void complete(const nnc_plan *plan, const nnc_software *software, nnc_memory *memory,
                         nnc_derivation *why)
{
    set_aside(plan, software, memory, why);
    NNC_SET(why, memory->total_bytes, "B",
            memory->weight_bytes + memory->gradient_bytes + memory->optimizer_bytes +
                memory->activation_bytes + memory->transient_bytes + memory->reserve_bytes);
    NNC_SET(why, memory->headroom_bytes, "B", memory->capacity_bytes - memory->total_bytes);
    set_interval(plan, software, memory, why);
}

NNC_SAYING nnc_memory memory_of(const nnc_model *model, const nnc_op_list *list,
                                const nnc_segment_sums *said, const nnc_held *held,
                                const nnc_holding *holding, const nnc_plan *plan,
                                const nnc_software *software, int64_t capacity_bytes,
                                nnc_derivation *why)
{
    const nnc_policy_sizes sizes = nnc_policy_bytes(plan->policy);
    const parts p = parts_of(held, plan, why);
    NNC_WHEN(why, (void)nnc_kept_of(list, said, holding, plan, why));
    const bool weights_leave = (plan->offload & NNC_OFFLOAD_WEIGHTS) != 0;
    const bool states_leave = (plan->offload & NNC_OFFLOAD_OPTIMIZER) != 0;
    double held_params = 0.0, gradient_params = 0.0;
    if (weights_leave) {
        NNC_SET(why, held_params, NULL, 0.0);
        NNC_NOTE(why, "weights lie in host memory");
    } else if (plan->zero == 3) {
        NNC_SET(why, held_params, NULL, p.sharded_params);
    } else {
        NNC_SET(why, held_params, NULL, p.stage_params);
    }
    if (plan->zero >= 2) {
        NNC_SET(why, gradient_params, NULL, p.sharded_params);
    } else {
        NNC_SET(why, gradient_params, NULL, p.stage_params);
    }
    NNC_LET(why, weight_bytes_per_param, NULL, sizes.weight_bytes);
    const double frozen_bytes = frozen_bytes_of(held, plan, why);
    double weight_bytes = 0.0;
    if (frozen_bytes > 0.0) {
        NNC_SET(why, weight_bytes, "B", ceil(weight_bytes_per_param * held_params + frozen_bytes));
    } else {
        NNC_SET(why, weight_bytes, "B", ceil(weight_bytes_per_param * held_params));
    }
    NNC_LET(why, gradient_bytes_per_param, NULL, sizes.gradient_bytes);
    NNC_SAY(why, gradient_bytes, "B", ceil(gradient_bytes_per_param * gradient_params));
    double optimizer_bytes = 0.0;
    if (states_leave) {
        NNC_SET(why, optimizer_bytes, "B", 0.0);
        NNC_NOTE(why, "states lie in host memory");
    } else {
        optimizer_bytes = states_of(held, plan, &p, why);
    }
    const double activation_bytes =
        nnc_activation_bytes(model, list, holding, plan, &held->kept, why);
    nnc_memory memory = {
        .weight_bytes = whole_bytes(weight_bytes),
        .gradient_bytes = whole_bytes(gradient_bytes),
        .optimizer_bytes = whole_bytes(optimizer_bytes),
        .activation_bytes = whole_bytes(activation_bytes),
        .capacity_bytes = capacity_bytes,
    };
    NNC_PUT(why, memory.capacity_bytes, "B");
    transient(held, plan, p.stage_params, &memory, why);
    complete(plan, software, &memory, why);
    return memory;
}

nnc_memory nnc_memory_held(const nnc_model *model, const nnc_op_list *list, const nnc_held *held,
                           const nnc_holding *holding, const nnc_plan *plan,
                           const nnc_software *software, int64_t capacity_bytes)
{
    return memory_of(model, list, NULL, held, holding, plan, software, capacity_bytes, NULL);
}

nnc_memory nnc_memory_say(const nnc_model *model, const nnc_op_list *list,
                          const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_holding *holding,
                          const nnc_plan *plan, const nnc_software *software,
                          int64_t capacity_bytes, nnc_derivation *why)
{
    const nnc_held held = nnc_held_of(list, sums, holding, plan);
    return why != NULL
               ? memory_of(model, list, sums, &held, holding, plan, software, capacity_bytes, why)
               : nnc_memory_held(model, list, &held, holding, plan, software, capacity_bytes);
}

nnc_memory nnc_memory_of(const nnc_model *model, const nnc_op_list *list,
                         const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_holding *holding,
                         const nnc_plan *plan, const nnc_software *software, int64_t capacity_bytes)
{
    return nnc_memory_say(model, list, sums, holding, plan, software, capacity_bytes, NULL);
}

nnc_memory nnc_memory_in_flight(const nnc_memory *same, const nnc_model *model,
                                const nnc_op_list *list,
                                const nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                                const nnc_holding *holding, const nnc_plan *plan,
                                const nnc_software *software)
{
    const nnc_kept k = nnc_kept_of(list, sums, holding, plan, NULL);
    nnc_memory memory = *same;
    memory.activation_bytes =
        whole_bytes(nnc_activation_bytes(model, list, holding, plan, &k, NULL));
    complete(plan, software, &memory, NULL);
    return memory;
}
