#include "cost/memory.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "op/work.h"

/* Whole bytes. The cap is past any device, and keeps sums of a few of them defined. */
static int64_t whole_bytes(double bytes)
{
    return (int64_t)ceil(nnc_min(bytes, 0x1p60));
}

double nnc_korthikanti_layer_bytes(const nnc_decoder *d, const nnc_plan *plan)
{
    const double s = (double)plan->seq_len / plan->context, b = (double)plan->micro_batch;
    const double h = (double)d->hidden, a = (double)d->heads, t = plan->tensor;
    const double sbh = s * b * h;
    const double scores = 5.0 * a * s * s * b / t;
    const bool selective = (plan->recompute & NNC_RECOMPUTE_ATTENTION) != 0;
    if ((plan->recompute & NNC_RECOMPUTE_FULL) != 0) {
        return plan->sequence_parallel ? 2.0 * sbh / t : 2.0 * sbh;
    }
    const double layer = plan->sequence_parallel ? 34.0 * sbh / t : sbh * (10.0 + 24.0 / t);
    return selective ? layer : layer + scores;
}

/* The same paper's terms outside the layers: the embedding's dropout mask, and at the head the norm's
 * and the logits' input and the fp32 logits. */
static double korthikanti_ends(const nnc_decoder *d, const nnc_plan *plan,
                               const nnc_holding *holding, int32_t last)
{
    const double t = plan->tensor,
                 sb = (double)plan->seq_len / plan->context * (double)plan->micro_batch;
    const double h = (double)d->hidden, V = (double)d->vocab;
    const double masks = holding->instances[0] > 0 ? sb * h / t * holding->in_flight : 0.0;
    return masks + (holding->instances[last] > 0 ? 4.0 * sb * (h + V) / t : 0.0);
}

double nnc_dense_shards(const nnc_plan *plan)
{
    return plan->zero > 0 ? (double)plan->shard : 1.0;
}

double nnc_expert_shards(const nnc_plan *plan)
{
    const int32_t same = plan->data * plan->context / plan->expert;
    return plan->zero > 0 ? (double)(plan->shard < same ? plan->shard : same) : 1.0;
}

/* DualPipe keeps the stages of both directions; the holding counts both, so nothing doubles here. */
static nnc_parameters total_of(const nnc_segment_sums *sums, const nnc_holding *holding,
                               bool expert)
{
    nnc_parameters total = { 0 };
    for (int32_t s = 0; s < NNC_SEGMENTS_MAX; s++) {
        const nnc_parameters *p = expert ? &sums[s].expert : &sums[s].dense;
        const double n = (double)holding->instances[s];
        total.params += n * p->params;
        total.matrix_params += n * p->matrix_params;
        total.factored_elements += n * p->factored_elements;
        total.orthogonalise_flops += n * p->orthogonalise_flops;
    }
    return total;
}

double nnc_holding_params(const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_holding *holding)
{
    return total_of(sums, holding, false).params + total_of(sums, holding, true).params;
}

void nnc_holding_update(const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_holding *holding,
                        const nnc_plan *plan, nnc_update *update)
{
    const nnc_parameters dense = total_of(sums, holding, false);
    const nnc_parameters expert = total_of(sums, holding, true);
    const double d = nnc_dense_shards(plan), e = nnc_expert_shards(plan);
    update->params = (int64_t)ceil(dense.params / d + expert.params / e);
    update->matrix_params = (int64_t)ceil(dense.matrix_params / d + expert.matrix_params / e);
    update->factored_elements = dense.factored_elements / d + expert.factored_elements / e;
    update->orthogonalise_flops = dense.orthogonalise_flops / d + expert.orthogonalise_flops / e;
}

bool nnc_holding_same(const nnc_holding *a, const nnc_holding *b)
{
    return memcmp(a->instances, b->instances, sizeof a->instances) == 0 &&
           memcmp(a->recomputed, b->recomputed, sizeof a->recomputed) == 0;
}

/* Kept for backward by one micro-batch, and the live block of what is recomputed. */
typedef struct kept {
    double bytes, live_bytes, largest_layer_bytes;
} kept;

static kept kept_of(const nnc_segment_sums *sums, const nnc_holding *holding, const nnc_plan *plan)
{
    const double every = plan->recompute_every > 1 ? (double)plan->recompute_every : 1.0;
    kept k = { 0 };
    for (int32_t s = 0; s < NNC_SEGMENTS_MAX; s++) {
        const double again = (double)holding->recomputed[s];
        const double whole = (double)holding->instances[s] - again;
        k.bytes += whole * sums[s].kept_bytes + ceil(again / every) * sums[s].input_bytes;
        if (again > 0.0) {
            k.live_bytes = nnc_max(k.live_bytes, nnc_min(every, again) * sums[s].live_bytes);
        }
        if (holding->instances[s] > 0) {
            k.largest_layer_bytes = nnc_max(k.largest_layer_bytes, sums[s].kept_bytes);
        }
    }
    return k;
}

static double activations(const nnc_model *model, const nnc_op_list *list,
                          const nnc_holding *holding, const nnc_plan *plan, const kept *k)
{
    double bytes = k->bytes * holding->in_flight;
    if (plan->activations == NNC_ACTIVATIONS_KORTHIKANTI) {
        const nnc_decoder *d = &model->decoder;
        const int32_t last = list->segment_count - 1;
        int64_t layers = 0;
        for (int32_t s = 1; s < last; s++) {
            layers += holding->instances[s];
        }
        bytes = nnc_korthikanti_layer_bytes(d, plan) * (double)layers * holding->in_flight +
                korthikanti_ends(d, plan, holding, last);
    }
    if ((plan->offload & NNC_OFFLOAD_ACTIVATIONS) != 0) { /* one goes down while one is made */
        bytes = nnc_min(bytes, 2.0 * k->largest_layer_bytes);
    }
    return bytes;
}

static const char *held_name(const nnc_policy_sizes *sizes)
{
    return sizes->cast_bytes > 0.0 ? "16-bit copy of the weights" : "gradients, not stored";
}

/* Largest extra at the peak: gradients of activations, the block being recomputed, what ZeRO gathers
 * (the unit at hand and the one prefetched, and the unit's whole gradient), and what the policy holds
 * for a while. */
static void transient(const nnc_segment_sums *sums, const nnc_holding *holding,
                      const nnc_plan *plan, double live_block, nnc_memory *memory)
{
    const nnc_policy_sizes sizes = nnc_policy_bytes(plan->policy);
    const char *what = NULL;
    double gradients = 0.0, unit = 0.0;
    for (int32_t s = 0; s < NNC_SEGMENTS_MAX; s++) {
        if (holding->instances[s] == 0) {
            continue;
        }
        unit = nnc_max(unit, sums[s].dense.params + sums[s].expert.params);
        if (sums[s].transient_bytes > gradients) {
            gradients = sums[s].transient_bytes;
            what = sums[s].transient_what;
        }
    }
    const double params = nnc_holding_params(sums, holding);
    double held = (sizes.cast_bytes + (sizes.gradient_bytes > 0.0 ? 0.0 : 2.0)) * params;
    double gathered = 0.0;
    if (plan->zero == 3 && plan->shard > 1) {
        const double weights = plan->reshard ? 2.0 * unit : params;
        gathered = weights * sizes.weight_bytes + unit * nnc_policy_gradient_io_bytes(plan->policy);
        held = held > 0.0 ? held / params * unit : 0.0;
    }
    memory->transient_bytes = whole_bytes(gradients + live_block + gathered + held);
    const double largest = nnc_max(nnc_max(gradients, live_block), nnc_max(gathered, held));
    memory->transient_what = largest == 0.0          ? "nothing"
                             : largest == gathered   ? "gathered weights"
                             : largest == live_block ? "one block, recomputed"
                             : largest == held       ? held_name(&sizes)
                             : what != NULL          ? what
                                                     : "gradients of activations";
}

nnc_memory nnc_memory_of(const nnc_model *model, const nnc_op_list *list,
                         const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_holding *holding,
                         const nnc_plan *plan, int64_t capacity_bytes)
{
    const nnc_policy_sizes sizes = nnc_policy_bytes(plan->policy);
    const double dense = total_of(sums, holding, false).params;
    const double expert = total_of(sums, holding, true).params;
    const double d = nnc_dense_shards(plan), e = nnc_expert_shards(plan);
    const double whole = dense + expert, sharded = dense / d + expert / e;
    const kept k = kept_of(sums, holding, plan);
    nnc_update update = { .optimizer = plan->optimizer, .policy = plan->policy };
    nnc_holding_update(sums, holding, plan, &update);

    const bool weights_leave = (plan->offload & NNC_OFFLOAD_WEIGHTS) != 0;
    const bool states_leave = (plan->offload & NNC_OFFLOAD_OPTIMIZER) != 0;
    const double weights = weights_leave ? 0.0 : plan->zero == 3 ? sharded : whole;
    const double states =
        sizes.master_bytes * (plan->zero > 0 ? sharded : whole) + nnc_update_moment_bytes(&update);
    nnc_memory memory = {
        .weight_bytes = whole_bytes(sizes.weight_bytes * weights),
        .gradient_bytes = whole_bytes(sizes.gradient_bytes * (plan->zero >= 2 ? sharded : whole)),
        .optimizer_bytes = whole_bytes(states_leave ? 0.0 : states),
        .activation_bytes = whole_bytes(activations(model, list, holding, plan, &k)),
        .reserve_bytes = plan->reserve_bytes,
        .capacity_bytes = capacity_bytes,
    };
    transient(sums, holding, plan, k.live_bytes, &memory);
    memory.total_bytes = memory.weight_bytes + memory.gradient_bytes + memory.optimizer_bytes +
                         memory.activation_bytes + memory.transient_bytes + memory.reserve_bytes;
    memory.headroom_bytes = capacity_bytes - memory.total_bytes;
    return memory;
}
