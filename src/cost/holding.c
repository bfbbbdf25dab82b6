/* Parameters that a device holds: sums over its segments, and over how many ranks ZeRO shards them. */
#include <math.h>
#include <stddef.h>

#include "cost/memory.h"
#include "op/work.h"
#include "parallel/split.h"

double nnc_dense_shards(const nnc_plan *plan)
{
    return plan->zero > 0 ? (double)plan->shard : 1.0;
}

double nnc_expert_shards(const nnc_plan *plan)
{
    const int32_t same = nnc_plan_expert_ranks(plan) / plan->expert;
    return plan->zero > 0 ? (double)(plan->shard < same ? plan->shard : same) : 1.0;
}

/* DualPipe keeps the stages of both directions; the holding counts both, so nothing doubles here. */
static nnc_parameters sum_of(const nnc_segment_sums *sums, const nnc_holding *holding, size_t at)
{
    nnc_parameters total = { 0 };
    for (int32_t s = 0; s < holding->segments; s++) {
        const nnc_parameters *p =
            (const nnc_parameters *)(const void *)((const char *)&sums[s] + at);
        const double n = (double)holding->instances[s];
        if (holding->instances[s] == 0 || !(p->params > 0.0)) { /* no experts, say */
            continue;
        }
        total.params += n * p->params;
        total.matrix_params += n * p->matrix_params;
        total.factored_elements += n * p->factored_elements;
        total.orthogonalise_flops += n * p->orthogonalise_flops;
    }
    return total;
}

nnc_parameters nnc_holding_trained(const nnc_segment_sums *sums, const nnc_holding *holding,
                                   bool expert)
{
    return sum_of(sums, holding,
                  expert ? offsetof(nnc_segment_sums, expert) : offsetof(nnc_segment_sums, dense));
}

nnc_parameters nnc_holding_frozen(const nnc_segment_sums *sums, const nnc_holding *holding,
                                  bool expert)
{
    return sum_of(sums, holding,
                  expert ? offsetof(nnc_segment_sums, frozen_expert)
                         : offsetof(nnc_segment_sums, frozen));
}

/* 16 bits; 8; 4, and for every 64 of them an 8-bit scale, for every 256 of these a 32-bit one. */
double nnc_frozen_param_bytes(const nnc_plan *plan)
{
    return plan->frozen == NNC_FROZEN_NF4    ? 0.5 + 1.0 / 64.0 + 4.0 / (64.0 * 256.0)
           : plan->frozen == NNC_FROZEN_INT8 ? 1.0
                                             : 2.0;
}

double nnc_frozen_bytes(const nnc_parameters *frozen, const nnc_plan *plan)
{
    return nnc_frozen_param_bytes(plan) * frozen->matrix_params +
           2.0 * (frozen->params - frozen->matrix_params);
}

double nnc_holding_params(const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_holding *holding)
{
    return nnc_holding_trained(sums, holding, false).params +
           nnc_holding_trained(sums, holding, true).params +
           nnc_holding_frozen(sums, holding, false).params +
           nnc_holding_frozen(sums, holding, true).params;
}

void nnc_holding_update(const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_holding *holding,
                        const nnc_plan *plan, nnc_update *update)
{
    const nnc_parameters dense = nnc_holding_trained(sums, holding, false);
    const nnc_parameters expert = nnc_holding_trained(sums, holding, true);
    nnc_parameters_update(&dense, &expert, plan, update);
}

void nnc_parameters_update(const nnc_parameters *dense, const nnc_parameters *expert,
                           const nnc_plan *plan, nnc_update *update)
{
    const double d = nnc_dense_shards(plan), e = nnc_expert_shards(plan);
    update->params = (int64_t)ceil(dense->params / d + expert->params / e);
    update->matrix_params = (int64_t)ceil(dense->matrix_params / d + expert->matrix_params / e);
    update->factored_elements = dense->factored_elements / d + expert->factored_elements / e;
    update->orthogonalise_flops = dense->orthogonalise_flops / d + expert->orthogonalise_flops / e;
}

void nnc_holding_copy(nnc_holding *to, const nnc_holding *from)
{
    for (int32_t s = 0; s < from->segments; s++) {
        to->instances[s] = from->instances[s];
        to->recomputed[s] = from->recomputed[s];
    }
    to->segments = from->segments;
    to->in_flight = from->in_flight;
    to->head_at_once = from->head_at_once;
}

nnc_verdict nnc_memory_verdict(const nnc_memory *memory, int64_t capacity_bytes)
{
    return memory->total_bytes > capacity_bytes               ? NNC_OVER_MEMORY
           : memory->total_interval_bytes[1] > capacity_bytes ? NNC_TIGHT
                                                              : NNC_FITS;
}
