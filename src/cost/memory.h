/* Resident bytes of one device. */
#ifndef NNCOST_COST_MEMORY_H
#define NNCOST_COST_MEMORY_H

#include <nncost/estimate.h>

#include "base/derivation.h"
#include "cost/segment.h"

/* What one device of the pipeline holds of each segment. */
typedef struct nnc_holding {
    int64_t instances[NNC_SEGMENTS_MAX];
    int64_t recomputed[NNC_SEGMENTS_MAX]; /* of those, run again from their inputs */
    int32_t segments;                     /* of the list; the others hold nothing */
    double in_flight;                     /* micro-batches whose activations are kept at once */
    bool head_at_once; /* of the head one: its backward follows, whatever else is in flight */
} nnc_holding;

/* The same layers, recomputed alike: the same work, whatever is in flight. */
static inline bool nnc_holding_same(const nnc_holding *a, const nnc_holding *b)
{
    bool same = true;
    for (int32_t s = 0; s < a->segments; s++) {
        same = same && a->instances[s] == b->instances[s] && a->recomputed[s] == b->recomputed[s];
    }
    return same;
}
/* All that a holding says; the rest of it is room for more segments. */
void nnc_holding_copy(nnc_holding *to, const nnc_holding *from);

/* What the device holds at the peak of a step: weights, gradients and optimizer states by policy and
 * ZeRO stage; what its ops keep for backward of every micro-batch in flight, or block inputs alone
 * where they are recomputed; the largest working set beside it.
 * Sources: ZeRO arXiv:1910.02054; docs/formulas.md   [memory] */
/* Whether it fits into so many bytes. */
nnc_verdict nnc_memory_verdict(const nnc_memory *memory, int64_t capacity_bytes);

nnc_memory nnc_memory_of(const nnc_model *model, const nnc_op_list *list,
                         const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_holding *holding,
                         const nnc_plan *plan, const nnc_software *software,
                         int64_t capacity_bytes);
/* The same, saying how. */
nnc_memory nnc_memory_say(const nnc_model *model, const nnc_op_list *list,
                          const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_holding *holding,
                          const nnc_plan *plan, const nnc_software *software,
                          int64_t capacity_bytes, nnc_derivation *why);

/* Kept for backward by one micro-batch, and by those in flight. */
typedef struct nnc_kept {
    double bytes;
    double largest_layer_bytes, ends_bytes; /* of a layer; of what is none: table and head */
    double head_bytes;                      /* of what lies behind the layers */
} nnc_kept;

/* What a device holds and runs before ZeRO and offload take their parts: sums over its segments. */
typedef struct nnc_held {
    nnc_parameters dense, expert, frozen, frozen_expert; /* see nnc_holding_trained */
    nnc_kept kept;
    double op_bytes,
        block_bytes; /* where both are largest: an op's working set, a block run again */
    const char *op_what;
    double unit_params, unit_frozen; /* of the largest unit */
} nnc_held;
nnc_held nnc_held_of(const nnc_op_list *list, const nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                     const nnc_holding *holding, const nnc_plan *plan);

/* nnc_memory_of, where that is known: plans that differ in ZeRO stage and offload alone share it. */
nnc_memory nnc_memory_held(const nnc_model *model, const nnc_op_list *list, const nnc_held *held,
                           const nnc_holding *holding, const nnc_plan *plan,
                           const nnc_software *software, int64_t capacity_bytes);

/* The same device's with other micro-batches in flight: all but activations, and what is a share of the sum, stays. */
nnc_memory nnc_memory_in_flight(const nnc_memory *same, const nnc_model *model,
                                const nnc_op_list *list,
                                const nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                                const nnc_holding *holding, const nnc_plan *plan,
                                const nnc_software *software);

nnc_kept nnc_kept_of(const nnc_op_list *list, const nnc_segment_sums *sums,
                     const nnc_holding *holding, const nnc_plan *plan, nnc_derivation *why);
double nnc_activation_bytes(const nnc_model *model, const nnc_op_list *list,
                            const nnc_holding *holding, const nnc_plan *plan, const nnc_kept *kept,
                            nnc_derivation *why);

/* Parameters that one device holds; those it updates, after ZeRO. Fills update's sums too. */
double nnc_holding_params(const nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                          const nnc_holding *holding);
void nnc_holding_update(const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_holding *holding,
                        const nnc_plan *plan, nnc_update *update);
/* The same of parameters that are added up already. */
void nnc_parameters_update(const nnc_parameters *dense, const nnc_parameters *expert,
                           const nnc_plan *plan, nnc_update *update);

/* Parameters of all instances: those that are trained, and the others; dense ones or experts'. */
nnc_parameters nnc_holding_trained(const nnc_segment_sums *sums, const nnc_holding *holding,
                                   bool expert);
nnc_parameters nnc_holding_frozen(const nnc_segment_sums *sums, const nnc_holding *holding,
                                  bool expert);

/* Bytes of one parameter that is not trained, in a matrix of a linear layer. */
double nnc_frozen_param_bytes(const nnc_plan *plan);
/* Bytes of parameters that are not trained: of a linear layer's matrices as the plan stores them, of others two
 * each. */
double nnc_frozen_bytes(const nnc_parameters *frozen, const nnc_plan *plan);

/* Ranks over which ZeRO shards dense and expert parameters. */
double nnc_dense_shards(const nnc_plan *plan);
double nnc_expert_shards(const nnc_plan *plan);

/* Activations of one GPT layer of plain MLPs by the published formula, bytes of one micro-batch:
 *     s b h (10 + 24 / t + 5 a s / (h t)), all of it / t with sequence parallelism,
 * without the last term under selective recomputation, 2 s b h alone under full.
 * Source: Korthikanti et al., arXiv:2205.05198, table 2.   [korthikanti] */
double nnc_korthikanti_layer_bytes(const nnc_decoder *decoder, const nnc_plan *plan);

#endif
