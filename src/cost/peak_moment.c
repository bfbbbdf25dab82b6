/* The memory peak as one moment of backward: goes through the ops of one device from the last to the first, and finds
 * the moment at which gradients, activations and the working set of an op together have the most bytes.   [memory] */
#include "cost/cost_internal.h"
#include "op/op_internal.h"
#include "shape/shape_internal.h"

/* Tests whether the peak is computed as one moment of backward: gradients are freed before forward (set_to_none), and
 * the plan has one device and one micro-batch. Gradients then appear in backward, while the activations of their layer
 * are freed, so the peak is less than the sum of all gradients and activations. While backward runs op i of instance j,
 * these bytes are in memory: the kept tensors of instances before j, the kept tensors of ops up to i, the gradients of
 * instances after j, the gradients of ops from i on, and the working set of op i. From one equal instance to the next,
 * kept bytes and gradient bytes each change by a constant. Therefore the peak of a segment is always in its first or
 * its last instance. */
static bool gradients_come_late(const nnc_plan *plan, const nnc_software *software) {
    const nnc_policy_sizes sizes = nnc_policy_bytes(plan->policy);
    return !software->zero_gradients && !software->added_gradients && plan->devices == 1 && plan->micro_batches == 1 &&
           plan->activations != NNC_ACTIVATIONS_KORTHIKANTI && sizes.gradient_bytes > 0.0 &&
           !(plan->critic_copies + plan->critic_params > 0.0);
}

typedef struct moment {
    double gradients, kept, op, block, casts;
    const char *what;
} moment;

static double sum_moment(const moment *m) { return m->gradients + m->kept + m->op + m->block + m->casts; }

/* The state of a search for the peak of backward: the ops of one model, sums for one instance of each segment, and for
 * each segment the moment of backward at which one instance has the most bytes in memory. */
typedef struct replay {
    const nnc_op_list *list;
    const nnc_plan *plan;
    nnc_policy_sizes sizes;
    /* for one instance of each segment: bytes of all its gradients (gradient), and bytes of the 16-bit copies of its
     * weights (cast) */
    double gradient[NNC_SEGMENTS_MAX], cast[NNC_SEGMENTS_MAX];
    /* for one instance of each segment: the moment of its backward with the most bytes in memory. inside: without
     * recomputation; again: if backward runs its recompute blocks again one by one */
    moment inside[NNC_SEGMENTS_MAX], again[NNC_SEGMENTS_MAX];
    /* bytes of the gradient of the residual stream; it is in memory while backward runs the attention or the MLP of a
     * layer */
    double stream_bytes;
    double largest_op_bytes;
} replay;

/* Returns the bytes of the 16-bit copies that autocast makes of the trained weights of a product or convolution; 0 for
 * tables and other ops. Each 16-bit copy is kept until the gradient of its weight is computed. */
static double cast_of(const replay *r, const nnc_op *op) {
    const bool product = op->kind == NNC_OP_MATMUL || op->kind == NNC_OP_CONV;
    return product && !op->weights.table ? r->sizes.cast_bytes * nnc_op_trained_params(op) : 0.0;
}

static void take_larger(moment *most, const moment *now) {
    if (sum_moment(now) > sum_moment(most)) { *most = *now; }
}

/* Bytes of one instance of each segment that are still in memory when backward reaches the current op. `kept` is used
 * for an instance without recomputation; `inputs` and `live` are used for an instance whose recompute blocks backward
 * runs again. */
typedef struct left_over {
    double kept[NNC_SEGMENTS_MAX], casts[NNC_SEGMENTS_MAX], gradients[NNC_SEGMENTS_MAX];
    /* bytes that an instance still keeps: inputs of those recompute blocks that backward has not run again yet, and
     * tensors of ops outside blocks */
    double inputs[NNC_SEGMENTS_MAX];
    /* for each recompute block that backward runs again: bytes of the kept tensors of its ops, up to the current op */
    double live[NNC_BLOCKS_MAX];
    const nnc_op *first[NNC_BLOCKS_MAX]; /* the first op of each recompute block; a block may lie inside another
                                          * block */
} left_over;

static void begin_backward(const replay *r, left_over *left) {
    const nnc_op_list *list = r->list;
    for (int32_t s = 0; s < NNC_SEGMENTS_MAX; s++) {
        left->kept[s] = left->casts[s] = left->gradients[s] = left->inputs[s] = 0.0;
    }
    for (int32_t b = 0; b < list->block_count; b++) {
        const nnc_block *block = &list->blocks[b];
        left->live[b] = 0.0;
        left->first[b] = NULL;
        left->inputs[block->segment] +=
            block->input_bytes * (double)block->repeat / (double)list->segments[block->segment].instances;
    }
    for (int32_t i = 0; i < list->count; i++) {
        const nnc_op *op = &list->ops[i];
        const double n = nnc_op_instances(list, op), kept = nnc_op_kept_bytes(op);
        left->kept[op->segment] += n * kept;
        left->casts[op->segment] += n * cast_of(r, op);
        if (op->block >= 0) {
            left->live[op->block] += kept;
            left->first[op->block] = left->first[op->block] != NULL ? left->first[op->block] : op;
        } else {
            left->inputs[op->segment] += n * kept;
        }
    }
}

static void leave_op(const replay *r, const nnc_op *op, left_over *left) {
    const double n = nnc_op_instances(r->list, op), kept = nnc_op_kept_bytes(op);
    left->kept[op->segment] -= n * kept;
    left->casts[op->segment] -= n * cast_of(r, op);
    if (op->block < 0) {
        left->inputs[op->segment] -= n * kept;
        return;
    }
    left->live[op->block] -= kept;
    if (op == left->first[op->block]) {
        const nnc_block *block = &r->list->blocks[op->block];
        left->inputs[op->segment] -=
            block->input_bytes * (double)block->repeat / (double)r->list->segments[op->segment].instances;
    }
}

static void replay_ops(replay *r) {
    const nnc_op_list *list = r->list;
    left_over left;
    begin_backward(r, &left);
    memcpy(r->cast, left.casts, sizeof r->cast);
    for (int32_t i = list->count - 1; i >= 0; i--) {
        const nnc_op *op = &list->ops[i];
        const int32_t s = op->segment;
        const bool cast = op->kind == NNC_OP_POINTWISE && op->group == NNC_GROUP_OPTIMIZER;
        const double working = cast ? 0.0 : nnc_op_transient_bytes(op);
        left.gradients[s] += nnc_op_instances(list, op) * r->sizes.gradient_bytes * nnc_op_trained_params(op);
        moment now = { .gradients = left.gradients[s],
                       .kept = left.kept[s],
                       .op = working + (list->segments[s].layer ? r->stream_bytes : 0.0),
                       .casts = left.casts[s],
                       .what = nnc_op_row_of(op)->transient_what };
        take_larger(&r->inside[s], &now);
        now.kept = left.inputs[s];
        now.block = op->block >= 0 ? left.live[op->block] : 0.0;
        take_larger(&r->again[s], &now);
        r->largest_op_bytes = nnc_max(r->largest_op_bytes, working);
        leave_op(r, op, &left);
    }
    memcpy(r->gradient, left.gradients, sizeof r->gradient);
}

/* Compares the moment with the most bytes so far (*most) with the peak of the first or of the last instance of segment
 * s; if this peak has more bytes, *most is set to it. rest: bytes that the other segments have in memory while backward
 * runs segment s. */
static void replay_segment(const replay *r, const nnc_segment_sums *sum, const nnc_stage_residency *holding,
                           const nnc_resident_bytes *held, int32_t s, const moment *rest, moment *most) {
    const double n = (double)holding->instances[s], again = (double)holding->recomputed[s];
    const double every = r->plan->recompute_every > 1 ? (double)r->plan->recompute_every : 1.0;
    const double all = held->kept.segment_bytes[s];
    const bool blocks = again > 0.0;
    moment inside = blocks ? r->again[s] : r->inside[s];
    const double own = blocks ? sum->input_bytes : sum->kept_bytes;
    inside.block += (nnc_min(every, nnc_max(again, 1.0)) - 1.0) * sum->live_bytes;
    for (int end = 0; end < 2; end++) { /* end 0: the instance whose backward runs first; end 1: the instance whose
                                         * backward runs last */
        const double later = end == 0 ? 0.0 : n - 1.0;
        const double casts = r->plan->recompute == 0 ? (n - 1.0 - later) * r->cast[s] : 0.0;
        const moment now = { rest->gradients + later * r->gradient[s] + inside.gradients,
                             rest->kept + (end == 0 ? all - own : 0.0) + inside.kept,
                             inside.op,
                             inside.block,
                             rest->casts + casts + inside.casts,
                             inside.what };
        take_larger(most, &now);
    }
}

const char *const nnc_update_what = "the optimizer's values in between";

double nnc_list_update_bytes(const nnc_resident_bytes *held, const nnc_plan *plan) {
    const bool offloaded = (plan->offload & NNC_OFFLOAD_OPTIMIZER) != 0;
    if (plan->optimizer_kernels != NNC_KERNELS_FOREACH || offloaded) { return 0.0; }
    nnc_update update = { .optimizer = plan->optimizer };
    nnc_parameters_update(&held->dense, &held->expert, plan, &update);
    const nnc_launches *l = &held->launches;
    const double share = l->list_share > 0.0 && l->kind == plan->optimizer && plan->zero == 0 ? l->list_share : 1.0;
    return nnc_optimizer_list_bytes(plan->optimizer, plan->policy) * (double)update.params * share;
}

/* Compares the update with the peak of backward: in the update all gradients are in memory and no activations. If the
 * update has more bytes in memory than the peak of backward, the update becomes the peak. */
static void add_update_moment(nnc_resident_bytes *held, const nnc_plan *plan) {
    const double gradient_bytes =
        nnc_policy_bytes(plan->policy).gradient_bytes * (held->dense.params + held->expert.params);
    const double op_bytes = nnc_list_update_bytes(held, plan);
    if (gradient_bytes + op_bytes > held->peak.gradient_bytes + held->peak.activation_bytes + held->peak.op_bytes +
                                        held->peak.block_bytes + held->peak.cast_bytes) {
        held->peak.gradient_bytes = gradient_bytes;
        held->peak.op_bytes = op_bytes;
        held->peak.activation_bytes = held->peak.block_bytes = held->peak.cast_bytes = 0.0;
        held->peak.what = nnc_update_what;
    }
}

/* For a captured program that stores activations in host memory: computes the bytes of all gradients, of the
 * activations of two units, and of the activations outside of units. If the sum of these three numbers of bytes is less
 * than the bytes of gradients and activations at the peak, the peak is set to the sum. */
static void offload_moment(nnc_resident_bytes *held, const nnc_plan *plan) {
    const double gradient_bytes =
        nnc_policy_bytes(plan->policy).gradient_bytes * (held->dense.params + held->expert.params);
    const double kept = nnc_min(held->kept.bytes, 2.0 * held->kept.largest_layer_bytes + held->kept.ends_bytes);
    if ((plan->offload & NNC_OFFLOAD_ACTIVATIONS) != 0 &&
        gradient_bytes + kept < held->peak.gradient_bytes + held->peak.activation_bytes) {
        held->peak.gradient_bytes = gradient_bytes;
        held->peak.activation_bytes = kept;
    }
}

static void find_peak(replay *r, const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_stage_residency *holding,
                      nnc_resident_bytes *held) {
    moment rest = { 0 }, most = { 0 };
    replay_ops(r);
    for (int32_t s = 0; s < holding->segments; s++) {
        if (holding->instances[s] > 0) {
            const bool stays = holding->recomputed[s] == 0;
            rest.kept += held->kept.segment_bytes[s];
            rest.casts += stays ? (double)holding->instances[s] * r->cast[s] : 0.0;
        }
    }
    for (int32_t s = holding->segments - 1; s >= 0; s--) {
        if (holding->instances[s] == 0) { continue; }
        const double n = (double)holding->instances[s];
        rest.kept -= held->kept.segment_bytes[s];
        rest.casts -= holding->recomputed[s] == 0 ? n * r->cast[s] : 0.0;
        replay_segment(r, &sums[s], holding, held, s, &rest, &most);
        rest.gradients += n * r->gradient[s];
    }
    const moment update = { .gradients = rest.gradients,
                            .op = nnc_list_update_bytes(held, r->plan),
                            .what = nnc_update_what };
    take_larger(&most, &update);
    held->replayed = true;
    held->peak.gradient_bytes = most.gradients;
    held->peak.activation_bytes = most.kept;
    held->peak.op_bytes = most.op;
    held->peak.block_bytes = most.block;
    held->peak.cast_bytes = most.casts;
    held->peak.what = most.what;
    held->largest_block_bytes = r->largest_op_bytes / 2.0;
}

void nnc_peak_moment(const nnc_op_list *list, const nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                     const nnc_stage_residency *holding, const nnc_plan *plan, const nnc_software *software,
                     nnc_resident_bytes *held) {
    /* For a captured program the reader of the file has computed the bytes at the peak from the recorded operators. */
    if (list->recorded && plan->recompute == 0 && gradients_come_late(plan, software)) {
        held->replayed = true;
        held->peak.gradient_bytes = list->recorded_gradients;
        held->peak.activation_bytes = list->recorded_kept;
        held->peak.op_bytes = list->recorded_temporary;
        held->peak.cast_bytes = nnc_policy_bytes(plan->policy).cast_bytes * held->dense.params;
        held->peak.workspace_bytes = software->reserve.workspace;
        offload_moment(held, plan);
        add_update_moment(held, plan);
    } else if (gradients_come_late(plan, software) && (plan->offload & NNC_OFFLOAD_ACTIVATIONS) == 0) {
        replay r = { .list = list, .plan = plan, .sizes = nnc_policy_bytes(plan->policy) };
        r.stream_bytes =
            (double)list->stream_elements * (r.sizes.cast_bytes > 0.0 ? 4.0 : nnc_dtype_bytes(plan->precision));
        find_peak(&r, sums, holding, held);
        held->peak.workspace_bytes = software->reserve.workspace;
    }
}
