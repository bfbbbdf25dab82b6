/* Bytes in the memory of one device: parameters, gradients, optimizer states, activations, and the largest working set.
 *
 * The file adds up parameters and bytes over the ops of one instance of each segment, then over the segments of a
 * device, and then applies ZeRO and offload.
 *
 * [memory] [korthikanti] */
#include "cost/cost_internal.h"
#include "op/op_internal.h"
#include "shape/shape_internal.h"

/* ---- sums over the ops of one instance of each segment ---- */

static void add_weights(const nnc_weights *w, double instances, nnc_parameters *sum) {
    const double matrices = (double)w->count * instances;
    const double elements = matrices * (double)w->rows * (double)w->cols;
    const double vector = (double)w->vector * instances;
    sum->params += elements + vector;
    sum->factored_elements += matrices * ((double)w->rows + (double)w->cols) + vector;
    if (!w->table) {
        sum->matrix_params += elements;
        sum->orthogonalise_flops += matrices * nnc_muon_flops(w->rows, w->cols);
    }
}

static bool is_expert(const nnc_op *op) {
    return op->split == NNC_SPLIT_EXPERT_COLUMN || op->split == NNC_SPLIT_EXPERT_ROW || op->in_place;
}

/* Returns the member of *s that counts the weights of an op: trained or frozen, of experts or outside experts. Tables
 * that are updated in place are counted in frozen_expert. */
static nnc_parameters *kind_of(const nnc_op *op, nnc_segment_sums *s) {
    if (op->frozen || op->in_place) { return is_expert(op) ? &s->frozen_expert : &s->frozen; }
    return is_expert(op) ? &s->expert : &s->dense;
}

/* Adds the parameters of an op. If the op is in a recompute block, adds the parameters of one instance of the block to
 * params[block]; else adds the parameters of all instances of the op to outside[segment]. */
static void add_unit(const nnc_op_list *list, const nnc_op *op, double instances, double *params,
                     double outside[NNC_SEGMENTS_MAX]) {
    nnc_parameters own = { 0 };
    if (op->block < 0) {
        add_weights(&op->weights, instances, &own);
        outside[op->segment] += own.params;
    } else {
        add_weights(&op->weights, (double)op->repeat / (double)list->blocks[op->block].repeat, &own);
        params[op->block] += own.params;
    }
}

/* Sets the numbers of parameters in the largest ZeRO-3 unit of each segment. A unit is a recompute block, or all ops of
 * the segment outside blocks. If the whole segment is one unit, the unit has all parameters of the segment. */
static void set_units(const nnc_op_list *list, const double *params, const double *frozen,
                      const double outside[NNC_SEGMENTS_MAX], const double frozen_outside[NNC_SEGMENTS_MAX],
                      nnc_segment_sums sums[NNC_SEGMENTS_MAX]) {
    for (int32_t s = 0; s < list->segment_count; s++) {
        sums[s].unit_params = outside[s];
        sums[s].unit_frozen = frozen_outside[s];
    }
    for (int32_t i = 0; i < list->block_count; i++) {
        nnc_segment_sums *s = &sums[list->blocks[i].segment];
        s->unit_params = nnc_max(s->unit_params, params[i]);
        s->unit_frozen = nnc_max(s->unit_frozen, frozen[i]);
    }
    for (int32_t s = 0; s < list->segment_count; s++) {
        if (!(nnc_list_units(list, s) > 1.0)) {
            sums[s].unit_params = sums[s].dense.params + sums[s].expert.params;
            sums[s].unit_frozen = sums[s].frozen.params + sums[s].frozen_expert.params;
        }
    }
}

/* Returns the number of frozen matrix parameters of an op that stay in 16 bits with --frozen: the option changes only
 * the format of linear layers, not of convolution kernels. */
static double unquantised_params(const nnc_op *op) {
    const nnc_weights *w = &op->weights;
    return op->frozen && op->kind != NNC_OP_MATMUL && !w->table ? (double)(w->count * w->rows * w->cols) : 0.0;
}

/* Returns the bytes of tensors that exist while an op of a forward pass runs: its inputs and outputs without weights,
 * and the residual stream. Nothing is kept for backward.   [forward-pass] */
static double forward_bytes(const nnc_op_list *list, const nnc_op *op) {
    const nnc_work work = nnc_op_work(op);
    const double width = nnc_dtype_bytes(op->dtype);
    const double weights = width * (double)nnc_weights_active(&op->weights);
    const double moved = work.read_bytes + work.write_bytes;
    return nnc_max(moved - weights, work.write_bytes) + width * (double)list->stream_elements;
}

/* If the working set of the op is larger than the largest working set of the segment so far, replaces the largest
 * working set. */
static void add_transient(const nnc_op_list *list, const nnc_op *op, nnc_segment_sums *s) {
    const bool passes = nnc_list_infers(list);
    const double transient = passes ? forward_bytes(list, op) : nnc_op_transient_bytes(op);
    if (transient > s->transient_bytes) {
        s->transient_bytes = transient;
        s->transient_what = passes ? "inputs and outputs of an op" : nnc_op_row_of(op)->transient_what;
    }
}

/* Adds the parameters of an op that occurs `instances` times in its segment. */
static void add_op_weights(const nnc_op_list *list, const nnc_op *op, double instances, nnc_parameters *kind) {
    add_weights(&op->weights, instances, kind);
    kind->matrix_params -= instances * unquantised_params(op);
    if (list->projected_rank > 0) {
        const nnc_projected projected = nnc_projected_of(op, list->projected_rank);
        kind->projected_elements += instances * projected.elements;
        kind->projected_products += instances * projected.products;
        kind->projected_params += instances * projected.params;
    }
    kind->table_params += op->in_place ? instances * (double)nnc_weights_params(&op->weights) : 0.0;
}

void nnc_segments_sum(const nnc_op_list *list, nnc_segment_sums sums[NNC_SEGMENTS_MAX]) {
    double live[NNC_BLOCKS_MAX], again[NNC_BLOCKS_MAX], params[NNC_BLOCKS_MAX], outside[NNC_SEGMENTS_MAX] = { 0 };
    double frozen[NNC_BLOCKS_MAX], frozen_outside[NNC_SEGMENTS_MAX] = { 0 };
    memset(sums, 0, sizeof sums[0] * NNC_SEGMENTS_MAX);
    for (int32_t i = 0; i < list->block_count; i++) {
        const nnc_block *block = &list->blocks[i];
        live[i] = again[i] = params[i] = frozen[i] = 0.0;
        sums[block->segment].input_bytes +=
            block->input_bytes * (double)block->repeat / (double)list->segments[block->segment].instances;
    }
    for (int32_t i = 0; i < list->count; i++) {
        const nnc_op *op = &list->ops[i];
        nnc_segment_sums *s = &sums[op->segment];
        const double instances = (double)op->repeat / (double)list->segments[op->segment].instances;
        const double kept = nnc_list_infers(list) ? 0.0 : nnc_op_kept_bytes(op);
        if (op->weights.count > 0 || op->weights.vector > 0) {
            add_op_weights(list, op, instances, kind_of(op, s));
            if (!op->in_place) { /* ZeRO never gathers tables that are updated in place */
                add_unit(list, op, instances, op->frozen ? frozen : params, op->frozen ? frozen_outside : outside);
            }
        }
        s->kept_bytes += kept * instances;
        if (op->block >= 0) {
            live[op->block] += kept;
            s->live_bytes = nnc_max(s->live_bytes, live[op->block]);
            again[op->block] += nnc_op_dropped_bytes(op);
            s->again_bytes = nnc_max(s->again_bytes, again[op->block]);
        } else {
            s->input_bytes += kept * instances;
        }
        add_transient(list, op, s);
    }
    set_units(list, params, frozen, outside, frozen_outside, sums);
}

/* ---- numbers of parameters of a device ---- */

double nnc_dense_shards(const nnc_plan *plan) { return plan->zero > 0 ? (double)plan->shard : 1.0; }

bool nnc_gradients_stay_whole(const nnc_plan *plan) { return plan->zero == 3 && !plan->reshard && plan->pipeline > 1; }

double nnc_expert_shards(const nnc_plan *plan) {
    const int32_t same = nnc_plan_expert_ranks(plan) / plan->expert;
    return plan->zero > 0 ? (double)(plan->shard < same ? plan->shard : same) : 1.0;
}

/* Returns the number of parameters of one kind that a device holds, summed over its segments. `at`: offset in
 * nnc_segment_sums of the member that counts this kind of parameters (dense, expert, frozen, frozen_expert). With
 * DualPipe a device holds a stage of each direction, and holding->instances has the layers of both stages. */
static nnc_parameters sum_of(const nnc_segment_sums *sums, const nnc_stage_residency *holding, size_t at) {
    nnc_parameters total = { 0 };
    for (int32_t s = 0; s < holding->segments; s++) {
        const nnc_parameters *p = (const nnc_parameters *)(const void *)((const char *)&sums[s] + at);
        const double n = (double)holding->instances[s];
        /* skipped: the segment has no parameters of the kind that `at` selects, for example no experts */
        if (holding->instances[s] == 0 || !(p->params > 0.0)) { continue; }
        total.params += n * p->params;
        total.matrix_params += n * p->matrix_params;
        total.table_params += n * p->table_params;
        total.factored_elements += n * p->factored_elements;
        total.orthogonalise_flops += n * p->orthogonalise_flops;
        total.projected_params += n * p->projected_params;
        total.projected_elements += n * p->projected_elements;
        total.projected_products += n * p->projected_products;
    }
    return total;
}

nnc_parameters nnc_stage_residency_trained(const nnc_segment_sums *sums, const nnc_stage_residency *holding,
                                           bool expert) {
    return sum_of(sums, holding, expert ? offsetof(nnc_segment_sums, expert) : offsetof(nnc_segment_sums, dense));
}

static nnc_parameters stage_residency_frozen(const nnc_segment_sums *sums, const nnc_stage_residency *holding,
                                             bool expert) {
    return sum_of(sums, holding,
                  expert ? offsetof(nnc_segment_sums, frozen_expert) : offsetof(nnc_segment_sums, frozen));
}

/* Returns the bytes per frozen parameter outside linear layers: norms, biases. */
static double frozen_vector_bytes(const nnc_plan *plan) { return plan->frozen == NNC_FROZEN_32 ? 4.0 : 2.0; }

/* Returns the bytes per frozen parameter of a linear layer: 4 in 32 bits, 2 in 16 bits, 1 in 8 bits; in NF4 half a
 * byte, an 8-bit scale per 64 values and a 32-bit scale per 256 of the 8-bit scales. */
static double frozen_param_bytes(const nnc_plan *plan) {
    return plan->frozen == NNC_FROZEN_NF4                                      ? 0.5 + 1.0 / 64.0 + 4.0 / (64.0 * 256.0)
           : plan->frozen == NNC_FROZEN_INT8 || plan->frozen == NNC_FROZEN_FP8 ? 1.0
                                                                               : frozen_vector_bytes(plan);
}

double nnc_frozen_bytes(const nnc_parameters *frozen, const nnc_plan *plan) {
    return frozen_param_bytes(plan) * frozen->matrix_params +
           frozen_vector_bytes(plan) * (frozen->params - frozen->matrix_params - frozen->table_params) +
           NNC_TABLE_BYTES * frozen->table_params;
}

double nnc_stage_residency_params(const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_stage_residency *holding) {
    return nnc_stage_residency_trained(sums, holding, false).params +
           nnc_stage_residency_trained(sums, holding, true).params +
           stage_residency_frozen(sums, holding, false).params + stage_residency_frozen(sums, holding, true).params;
}

void nnc_parameters_update(const nnc_parameters *dense, const nnc_parameters *expert, const nnc_plan *plan,
                           nnc_update *update) {
    const double d = nnc_dense_shards(plan), e = nnc_expert_shards(plan);
    update->params = (int64_t)ceil(dense->params / d + expert->params / e);
    update->matrix_params = (int64_t)ceil(dense->matrix_params / d + expert->matrix_params / e);
    update->factored_elements = dense->factored_elements / d + expert->factored_elements / e;
    update->orthogonalise_flops = dense->orthogonalise_flops / d + expert->orthogonalise_flops / e;
    update->projected_params = dense->projected_params / d + expert->projected_params / e;
    update->projected_elements = dense->projected_elements / d + expert->projected_elements / e;
    update->projected_products = dense->projected_products / d + expert->projected_products / e;
}

void nnc_stage_residency_copy(nnc_stage_residency *to, const nnc_stage_residency *from) {
    for (int32_t s = 0; s < from->segments; s++) {
        to->instances[s] = from->instances[s];
        to->recomputed[s] = from->recomputed[s];
    }
    to->segments = from->segments;
    to->in_flight = from->in_flight;
    to->uneven = from->uneven;
    to->uneven_layers = from->uneven_layers;
    to->odd_more = from->odd_more;
    to->odd_chunk = from->odd_chunk;
}

void nnc_holding_keep(nnc_stage_residency *holding, double in_flight) {
    holding->in_flight = in_flight;
    for (int32_t s = 0; s < holding->segments; s++) { holding->flight[s] = in_flight; }
}

double nnc_segment_kept_bytes(const nnc_segment_sums *sum, const nnc_stage_residency *holding, const nnc_plan *plan,
                              int32_t segment) {
    const double every = plan->recompute_every > 1 ? (double)plan->recompute_every : 1.0;
    const double again = (double)holding->recomputed[segment];
    return ((double)holding->instances[segment] - again) * sum->kept_bytes + ceil(again / every) * sum->input_bytes;
}

/* ---- activations of the micro-batches in flight ---- */

NNC_SAYING double korthikanti_layer(const nnc_decoder *d, const nnc_plan *plan, nnc_derivation *why) {
    NNC_LET(why, s, NULL, (double)plan->seq_len / plan->context);
    NNC_LET(why, b, NULL, (double)plan->micro_batch);
    NNC_LET(why, h, NULL, (double)d->hidden);
    NNC_LET(why, a, NULL, (double)d->heads);
    NNC_LET(why, t, NULL, plan->tensor);
    NNC_SAY(why, sbh, NULL, s * b * h);
    NNC_NOTE(why, "s: tokens of a sequence on one rank, b: micro-batch, h: hidden, a: heads, t: tensor ranks");
    if ((plan->recompute & NNC_RECOMPUTE_FULL) != 0) {
        NNC_LET(why, divisor, NULL, plan->sequence_parallel ? t : 1.0);
        NNC_SAY(why, layer_bytes, "B", 2.0 * sbh / divisor);
        return layer_bytes;
    }
    double linear_bytes = 0.0;
    if (plan->sequence_parallel) {
        NNC_SET(why, linear_bytes, "B", 34.0 * sbh / t);
    } else {
        NNC_SET(why, linear_bytes, "B", sbh * (10.0 + 24.0 / t));
    }
    if ((plan->recompute & NNC_RECOMPUTE_ATTENTION) != 0) {
        NNC_SAY(why, layer_bytes, "B", linear_bytes);
        return layer_bytes;
    }
    NNC_SAY(why, layer_bytes, "B", linear_bytes + 5.0 * a * s * s * b / t);
    NNC_NOTE(why, "the second term is the scores, the softmax and its dropout");
    return layer_bytes;
}

double nnc_korthikanti_layer_bytes(const nnc_decoder *d, const nnc_plan *plan) {
    return korthikanti_layer(d, plan, NULL);
}

/* Returns the activation bytes of embedding and head by arXiv:2205.05198: the dropout mask of the embedding; the inputs
 * of the last norm and of the head, and the fp32 logits. */
NNC_SAYING double korthikanti_ends(const nnc_decoder *d, const nnc_plan *plan, const nnc_stage_residency *holding,
                                   int32_t last, nnc_derivation *why) {
    NNC_LET(why, s, NULL, (double)plan->seq_len / plan->context);
    NNC_LET(why, b, NULL, (double)plan->micro_batch);
    NNC_LET(why, h, NULL, (double)d->hidden);
    NNC_LET(why, V, NULL, (double)d->vocab);
    NNC_LET(why, t, NULL, plan->tensor);
    double masks_bytes = 0.0, head_bytes = 0.0;
    if (holding->instances[0] > 0) {
        NNC_LET(why, table_in_flight, NULL, holding->flight[0]);
        NNC_SET(why, masks_bytes, "B", s * b * h / t * table_in_flight);
        NNC_NOTE(why, "dropout masks of the embedding, one per micro-batch in flight");
    }
    if (holding->instances[last] > 0) {
        NNC_SET(why, head_bytes, "B", 4.0 * (s * b) * (h + V) / t);
        NNC_NOTE(why, "inputs of the last norm and of the output layer, and the fp32 logits; V: vocabulary");
    }
    NNC_PUT(why, masks_bytes, "B");
    NNC_PUT(why, head_bytes, "B");
    NNC_SAY(why, ends_bytes, "B", masks_bytes + head_bytes);
    return ends_bytes;
}

/* For a captured program: sets the bytes kept for backward in the largest unit, and the bytes kept outside of units. */
static void find_units(const nnc_op_list *list, nnc_kept *k) {
    double unit_bytes[NNC_BLOCKS_MAX] = { 0 };
    k->ends_bytes = k->bytes;
    for (int32_t i = 0; i < list->count; i++) {
        const nnc_op *op = &list->ops[i];
        if (op->block < 0) { continue; }
        const double kept = (double)op->repeat * nnc_op_kept_bytes(op);
        unit_bytes[op->block] += kept / (double)list->blocks[op->block].repeat;
        k->ends_bytes -= kept;
    }
    for (int32_t b = 0; b < list->block_count; b++) {
        k->largest_layer_bytes = nnc_max(k->largest_layer_bytes, unit_bytes[b]);
    }
}

NNC_SAYING nnc_kept find_kept(const nnc_op_list *list, const nnc_segment_sums *sums, const nnc_stage_residency *holding,
                              const nnc_plan *plan, nnc_derivation *why) {
    NNC_LET(why, every, NULL, plan->recompute_every > 1 ? (double)plan->recompute_every : 1.0);
    nnc_kept k = { 0 };
    for (int32_t s = 0; s < holding->segments; s++) {
        if (holding->instances[s] == 0) { continue; }
        const nnc_segment_sums *sum = &sums[s];
        char name[24];
        double segment_bytes = 0.0;
        NNC_LET(why, again, NULL, (double)holding->recomputed[s]);
        NNC_LET(why, whole, NULL, (double)holding->instances[s] - again);
        NNC_PUT(why, sum->kept_bytes, "B");
        NNC_PUT(why, sum->input_bytes, "B");
        NNC_WHEN(why, snprintf(name, sizeof name, "kept.%d", (int)s));
        NNC_SET_AS(why, name, segment_bytes, "B", whole * sum->kept_bytes + ceil(again / every) * sum->input_bytes);
        NNC_NOTE(why, "activations of one segment (embedding, a run of equal layers, or head): instances that are not "
                      "recomputed keep all saved tensors, recomputed ones only the input of each block");
        k.bytes += segment_bytes;
        NNC_WHEN(why, nnc_say_term(why, name, "B", segment_bytes));
        if (list->segments[s].layer) {
            k.largest_layer_bytes = nnc_max(k.largest_layer_bytes, whole > 0.0 ? sum->kept_bytes : sum->input_bytes);
        } else {
            k.ends_bytes += segment_bytes;
        }
        k.segment_bytes[s] = segment_bytes;
        k.flight[s] = holding->flight[s];
        k.uneven = k.uneven || holding->flight[s] != holding->in_flight;
    }
    if (list->recorded && (plan->offload & NNC_OFFLOAD_ACTIVATIONS) != 0) { find_units(list, &k); }
    NNC_WHEN(why, nnc_say_sum(why, "pass_bytes", "B", k.bytes));
    NNC_NOTE(why, "activations that one micro-batch keeps, summed over the segments");
    return k;
}

static nnc_kept kept_of(const nnc_op_list *list, const nnc_segment_sums *sums, const nnc_stage_residency *holding,
                        const nnc_plan *plan, nnc_derivation *why) {
    return why != NULL ? find_kept(list, sums, holding, plan, why) : find_kept(list, sums, holding, plan, NULL);
}

/* Returns the activation bytes of a device whose segments have different numbers of micro-batches in flight at the
 * peak. */
NNC_SAYING double uneven_bytes(const nnc_stage_residency *holding, const nnc_kept *k, nnc_derivation *why) {
    double sum = 0.0;
    for (int32_t s = 0; s < holding->segments; s++) {
        if (holding->instances[s] == 0) { continue; }
        char name[24];
        double waiting = 0.0;
        NNC_LET(why, segment_bytes, "B", k->segment_bytes[s]);
        NNC_LET(why, segment_in_flight, NULL, k->flight[s]);
        NNC_WHEN(why, snprintf(name, sizeof name, "waiting.%d", (int)s));
        NNC_SET_AS(why, name, waiting, "B", segment_bytes * segment_in_flight);
        NNC_NOTE(why, "activations of one segment at the peak; segment_in_flight: number of micro-batches whose "
                      "activations the device keeps at the peak");
        NNC_WHEN(why, nnc_say_term(why, name, "B", waiting));
        sum += waiting;
    }
    NNC_WHEN(why, nnc_say_sum(why, "waiting_bytes", "B", sum));
    return sum;
}

NNC_SAYING double find_activations(const nnc_model *model, const nnc_op_list *list, const nnc_stage_residency *holding,
                                   const nnc_plan *plan, const nnc_kept *k, nnc_derivation *why) {
    const double pass_bytes = k->bytes;
    double waiting_bytes = 0.0;
    NNC_PUT(why, holding->in_flight, NULL);
    if (plan->activations == NNC_ACTIVATIONS_KORTHIKANTI) {
        const nnc_decoder *d = &model->decoder;
        const int32_t last = list->segment_count - 1;
        int64_t layers = 0;
        double flight = 0.0;
        for (int32_t s = 1; s < last; s++) {
            layers += holding->instances[s];
            flight += (double)holding->instances[s] * holding->flight[s];
        }
        const double layer_bytes = korthikanti_layer(d, plan, why);
        const double ends_bytes = korthikanti_ends(d, plan, holding, last, why);
        NNC_PUT(why, layers, NULL);
        if (holding->uneven_layers) {
            NNC_LET(why, layers_in_flight, NULL, flight);
            NNC_SET(why, waiting_bytes, "B", layer_bytes * layers_in_flight + ends_bytes);
        } else {
            NNC_SET(why, waiting_bytes, "B", layer_bytes * (double)layers * holding->in_flight + ends_bytes);
        }
        NNC_SOURCE(why, "arXiv:2205.05198 section 4");
    } else if (k->uneven) {
        waiting_bytes = uneven_bytes(holding, k, why);
    } else {
        NNC_SET(why, waiting_bytes, "B", pass_bytes * holding->in_flight);
    }
    if ((plan->offload & NNC_OFFLOAD_ACTIVATIONS) != 0) {
        NNC_LET(why, layer_kept_bytes, "B", k->largest_layer_bytes);
        NNC_LET(why, ends_kept_bytes, "B", k->ends_bytes);
        NNC_SAY(why, activation_bytes, "B", ceil(nnc_min(waiting_bytes, 2.0 * layer_kept_bytes + ends_kept_bytes)));
        NNC_NOTE(why, "activations of two layers: one layer's are copied to host memory while the next layer's are "
                      "computed; those of embedding and head stay on the device");
        return activation_bytes;
    }
    NNC_SAY(why, activation_bytes, "B", ceil(waiting_bytes - 0.01));
    NNC_NOTE(why, "rounded up to whole bytes; 0.01 B is more than the rounding error of the product");
    return activation_bytes;
}

static double activation_bytes_of(const nnc_model *model, const nnc_op_list *list, const nnc_stage_residency *holding,
                                  const nnc_plan *plan, const nnc_kept *k, nnc_derivation *why) {
    return why != NULL ? find_activations(model, list, holding, plan, k, why)
                       : find_activations(model, list, holding, plan, k, NULL);
}

/* ---- all bytes in the memory of a device ---- */

nnc_verdict nnc_memory_verdict(const nnc_memory *memory, int64_t capacity_bytes) {
    return memory->total_bytes > capacity_bytes               ? NNC_OVER_MEMORY
           : memory->total_interval_bytes[1] > capacity_bytes ? NNC_TIGHT
                                                              : NNC_FITS;
}

double nnc_memory_risk(const nnc_memory *memory, int64_t capacity_bytes) {
    const double within_90 = 1.6449; /* 90 % of a normal distribution lie within 1.6449 standard deviations of the
                                      * mean */
    const double total = (double)memory->total_bytes, capacity = (double)capacity_bytes;
    const double deviation = log((double)memory->total_interval_bytes[1] / total) / within_90;
    return deviation > 0.0 ? 0.5 * erfc(log(capacity / total) / deviation / sqrt(2.0)) : total > capacity ? 1.0 : 0.0;
}

/* Converts bytes to a whole number, at most 2^60: no device has as much memory, and the sum of a few numbers below 2^60
 * does not overflow. */
static int64_t whole_bytes(double bytes) { return (int64_t)nnc_min(bytes, 0x1p60); }

static const char *held_name(const nnc_policy_sizes *sizes) {
    return sizes->cast_bytes > 0.0 ? "16-bit copy of the weights" : "gradients, not stored";
}

/* Returns the bytes of recomputed tensors that are in memory while backward of their block runs. again: number of
 * layers that backward runs again from their inputs; 0 = only single modules are recomputed. */
static double live_of(const nnc_segment_sums *sum, const nnc_plan *plan, double again) {
    const double every = plan->recompute_every > 1 ? (double)plan->recompute_every : 1.0;
    return again > 0.0 ? nnc_min(every, again) * sum->live_bytes : sum->again_bytes;
}

static void add_parameters(nnc_parameters *to, const nnc_parameters *from, double times) {
    to->params += times * from->params;
    to->matrix_params += times * from->matrix_params;
    to->factored_elements += times * from->factored_elements;
    to->orthogonalise_flops += times * from->orthogonalise_flops;
    to->projected_params += times * from->projected_params;
    to->projected_elements += times * from->projected_elements;
    to->projected_products += times * from->projected_products;
}

/* Adds the models that a training method keeps on a device in addition to the trained model: copies of the trained
 * model, and models of other sizes, which tensor ranks and pipeline stages divide evenly. A frozen copy of a model with
 * adapters has no adapters. */
static void add_helpers(const nnc_plan *plan, nnc_resident_bytes *held) {
    const double ranks = (double)plan->tensor * plan->pipeline;
    const double helper = plan->helper_params / ranks, critic = plan->critic_params / ranks;
    const double trained = plan->adapter_rank > 0 ? 0.0 : plan->helper_copies;
    add_parameters(&held->helper, &held->dense, trained);
    add_parameters(&held->helper, &held->frozen, plan->helper_copies);
    add_parameters(&held->helper_expert, &held->expert, trained);
    add_parameters(&held->helper_expert, &held->frozen_expert, plan->helper_copies);
    add_parameters(&held->helper, &(nnc_parameters){ .params = helper, .matrix_params = helper }, 1.0);
    add_parameters(&held->dense, &held->dense, plan->critic_copies);
    add_parameters(&held->expert, &held->expert, plan->critic_copies);
    add_parameters(&held->frozen, &held->frozen, plan->critic_copies);
    add_parameters(&held->frozen_expert, &held->frozen_expert, plan->critic_copies);
    add_parameters(&held->dense, &(nnc_parameters){ .params = critic, .matrix_params = critic }, 1.0);
}

nnc_resident_bytes nnc_resident_bytes_of(const nnc_op_list *list, const nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                                         const nnc_stage_residency *holding, const nnc_plan *plan,
                                         const nnc_software *software) {
    nnc_resident_bytes held = { .launches = list->recorded_update,
                                .dense = nnc_stage_residency_trained(sums, holding, false),
                                .expert = nnc_stage_residency_trained(sums, holding, true),
                                .frozen = stage_residency_frozen(sums, holding, false),
                                .frozen_expert = stage_residency_frozen(sums, holding, true),
                                .kept = kept_of(list, sums, holding, plan, NULL) };
    add_helpers(plan, &held);
    for (int32_t s = 0; s < holding->segments; s++) {
        if (holding->instances[s] == 0) { continue; }
        held.unit_params = nnc_max(held.unit_params, sums[s].unit_params);
        held.unit_frozen = nnc_max(held.unit_frozen, sums[s].unit_frozen);
        const double live = live_of(&sums[s], plan, (double)holding->recomputed[s]);
        if (sums[s].transient_bytes + live > held.op_bytes + held.block_bytes) {
            held.op_bytes = sums[s].transient_bytes;
            held.block_bytes = live;
            held.op_what = sums[s].transient_what;
        }
    }
    if (!nnc_list_infers(list)) { nnc_peak_moment(list, sums, holding, plan, software, &held); }
    return held;
}

/* Tests whether the memory peak is computed as one moment of backward. The result is false if the weights are in host
 * memory, and the peak is then not computed as one moment of backward. */
static bool is_replayed(const nnc_resident_bytes *held, const nnc_plan *plan) {
    return held->replayed && (plan->offload & NNC_OFFLOAD_WEIGHTS) == 0;
}

/* Numbers of trained parameters on a device: before ZeRO divides them (stage_params), and after (sharded_params). */
typedef struct parts {
    double stage_params, sharded_params;
} parts;

/* Sets transient_bytes, the largest temporary bytes at the peak. The first part of transient_bytes is the sum of two
 * sizes of one segment: the gradients of activations, and the recomputed block. The second part of transient_bytes
 * exists only with ZeRO 3: the gathered weights of two units (without resharding: of all units), and the whole gradient
 * of one unit (of all units if a pipeline keeps whole gradients). The third part of transient_bytes is the temporary
 * copies of the precision policy. If ZeRO 3 gathers cast weights, the temporary copies are the 16-bit gradient of a
 * unit, in addition to the fp32 gradient that is scattered (foreach_reduce of torch.distributed.fsdp). */
NNC_SAYING void set_transient(const nnc_resident_bytes *held, const nnc_plan *plan, const parts *p, nnc_memory *memory,
                              nnc_derivation *why) {
    const nnc_policy_sizes sizes = nnc_policy_bytes(plan->policy);
    const double op_bytes = held->op_bytes, live_block = held->block_bytes;
    const double unit_params = held->unit_params, unit_frozen = held->unit_frozen;
    NNC_PUT(why, op_bytes, "B");
    NNC_LET(why, block_bytes, "B", live_block);
    NNC_LET(why, held_per_param, NULL, sizes.cast_bytes + (sizes.gradient_bytes > 0.0 ? 0.0 : 2.0));
    double held_bytes = 0.0, gathered_bytes = 0.0;
    if (plan->zero == 3 && plan->shard > 1) {
        NNC_LET(why, gathered_params, NULL, plan->reshard ? 2.0 * unit_params : p->stage_params);
        NNC_PUT(why, unit_params, NULL);
        NNC_LET(why, weight_bytes_per_param, NULL, nnc_policy_used_bytes(plan->policy));
        NNC_LET(why, gradient_bytes_per_param, NULL, nnc_policy_gradient_io_bytes(plan->policy));
        const double later_params = nnc_gradients_stay_whole(plan) ? p->stage_params - p->sharded_params : unit_params;
        NNC_LET(why, whole_gradient_params, NULL, later_params);
        NNC_SET(why, gathered_bytes, "B",
                gathered_params * weight_bytes_per_param + whole_gradient_params * gradient_bytes_per_param);
        NNC_NOTE(why, "ZeRO-3: gathered weights of the current and the next unit (or of all units, if they stay "
                      "gathered), and the unsharded gradient of one unit (or of all units, if a pipeline keeps them; "
                      "without the shard that gradient_bytes counts)");
        if (unit_frozen > 0.0) {
            NNC_PUT(why, unit_frozen, NULL);
            NNC_LET(why, frozen_bytes_each, NULL, frozen_vector_bytes(plan));
            NNC_SAY(why, gathered_frozen_bytes, "B", 2.0 * frozen_bytes_each * unit_frozen);
            NNC_NOTE(why, "ZeRO-3: gathered frozen weights of two units, with two or four bytes per weight");
            gathered_bytes += gathered_frozen_bytes;
        }
        NNC_SET(why, held_bytes, "B", held_per_param * unit_params);
    } else {
        NNC_LET(why, stage_params, NULL, p->stage_params);
        NNC_SET(why, held_bytes, "B", held_per_param * stage_params);
    }
    NNC_NOTE(why,
             "temporary tensors of the precision policy: a 16-bit copy of weights (ZeRO-3: of gradients), or gradients "
             "that are not stored");
    NNC_PUT(why, gathered_bytes, "B");
    NNC_SAY(why, transient_bytes, "B", ceil(op_bytes + block_bytes + gathered_bytes + held_bytes));
    memory->transient_bytes = whole_bytes(transient_bytes);
    const double largest = nnc_max(nnc_max(op_bytes, live_block), nnc_max(gathered_bytes, held_bytes));
    memory->transient_what = largest == 0.0              ? "nothing"
                             : largest == gathered_bytes ? "gathered weights"
                             : largest == live_block     ? "one block, recomputed"
                             : largest == held_bytes     ? held_name(&sizes)
                             : held->op_what != NULL     ? held->op_what
                                                         : "gradients of activations";
    NNC_NOTE(why, "op_bytes: largest working set of one op in backward; block_bytes: activations of the block that is "
                  "recomputed; both of the segment in which their sum is largest");
}

NNC_SAYING parts parts_of(const nnc_resident_bytes *held, const nnc_plan *plan, nnc_derivation *why) {
    NNC_LET(why, dense_params, NULL, held->dense.params);
    NNC_LET(why, expert_params, NULL, held->expert.params);
    NNC_LET(why, dense_shards, NULL, nnc_dense_shards(plan));
    NNC_LET(why, expert_shards, NULL, nnc_expert_shards(plan));
    NNC_SAY(why, stage_params, NULL, dense_params + expert_params);
    NNC_NOTE(why, "parameters of one rank of the stage, before ZeRO");
    NNC_SAY(why, sharded_params, NULL, dense_params / dense_shards + expert_params / expert_shards);
    NNC_NOTE(why, "parameters of one rank after ZeRO; experts have fewer replicas, so fewer shards");
    return (parts){ stage_params, sharded_params };
}

NNC_SAYING double states_of(const nnc_resident_bytes *held, const nnc_plan *plan, const parts *p, nnc_derivation *why) {
    nnc_update update = { .optimizer = plan->optimizer, .policy = plan->policy, .launches = held->launches };
    nnc_parameters_update(&held->dense, &held->expert, plan, &update);
    NNC_LET(why, master_bytes_per_param, NULL, nnc_policy_bytes(plan->policy).master_bytes);
    double master_params = 0.0;
    if (plan->zero > 0) {
        NNC_SET(why, master_params, NULL, p->sharded_params);
    } else {
        NNC_SET(why, master_params, NULL, p->stage_params);
    }
    const double moments_bytes = why != NULL ? nnc_update_say_moments(&update, why) : nnc_update_moment_bytes(&update);
    NNC_SAY(why, optimizer_bytes, "B", ceil(master_bytes_per_param * master_params + moments_bytes));
    return optimizer_bytes;
}

/* Returns the bytes of frozen weights on one device, after ZeRO 3 has divided them over ranks. 0 = the plan has no
 * frozen weights, or keeps them in host memory. */
NNC_SAYING double frozen_bytes_of(const nnc_resident_bytes *held, const nnc_plan *plan, nnc_derivation *why) {
    const nnc_parameters dense = held->frozen, expert = held->frozen_expert;
    const bool sharded = plan->zero == 3;
    if (!(dense.params + expert.params > 0.0) || (plan->offload & NNC_OFFLOAD_WEIGHTS) != 0) { return 0.0; }
    NNC_LET(why, stored_bytes_per_param, NULL, frozen_param_bytes(plan));
    NNC_LET(why, vector_bytes_each, NULL, frozen_vector_bytes(plan));
    NNC_LET(why, frozen_matrix_params, NULL,
            dense.matrix_params / (sharded ? nnc_dense_shards(plan) : 1.0) +
                expert.matrix_params / (sharded ? nnc_expert_shards(plan) : 1.0));
    NNC_LET(why, frozen_params, NULL,
            dense.params / (sharded ? nnc_dense_shards(plan) : 1.0) +
                expert.params / (sharded ? nnc_expert_shards(plan) : 1.0));
    NNC_NOTE(why, "frozen parameters of one rank after ZeRO; frozen_matrix_params: those of linear layers");
    if (expert.table_params > 0.0) {
        NNC_LET(why, table_params, NULL, expert.table_params);
        NNC_LET(why, table_bytes_each, "B", NNC_TABLE_BYTES);
        NNC_NOTE(why, "tables are updated in place, in fp32");
        NNC_SAY(why, frozen_bytes, "B",
                stored_bytes_per_param * frozen_matrix_params +
                    vector_bytes_each * (frozen_params - frozen_matrix_params - table_params) +
                    table_bytes_each * table_params);
        return frozen_bytes;
    }
    NNC_SAY(why, frozen_bytes, "B",
            stored_bytes_per_param * frozen_matrix_params + vector_bytes_each * (frozen_params - frozen_matrix_params));
    return frozen_bytes;
}

/* Returns the bytes of frozen helper models on one device. ZeRO 3 divides the weights of helper models only with
 * resharding: a helper model runs forward only, so without resharding its gathered weights stay whole. */
NNC_SAYING double helper_bytes_of(const nnc_resident_bytes *held, const nnc_plan *plan, nnc_derivation *why) {
    const nnc_parameters dense = held->helper, expert = held->helper_expert;
    if (!(dense.params + expert.params > 0.0) || (plan->offload & NNC_OFFLOAD_WEIGHTS) != 0) { return 0.0; }
    const bool sharded = plan->zero == 3 && plan->reshard;
    NNC_LET(why, helper_bytes_each, "B", nnc_frozen_bytes(&dense, plan));
    NNC_LET(why, helper_expert_bytes_each, "B", nnc_frozen_bytes(&expert, plan));
    NNC_LET(why, helper_shards, NULL, sharded ? nnc_dense_shards(plan) : 1.0);
    NNC_LET(why, helper_expert_shards, NULL, sharded ? nnc_expert_shards(plan) : 1.0);
    NNC_SAY(why, helper_bytes, "B",
            ceil(helper_bytes_each / helper_shards + helper_expert_bytes_each / helper_expert_shards));
    NNC_NOTE(why, "frozen weights of the reference, reward model or teacher of --method");
    return helper_bytes;
}

/* Sets apart_bytes: bytes at the peak moment of backward minus the sum of gradients, activations and transient memory.
 * apart_bytes is negative, because all gradients, all activations and all transient tensors are never in memory at the
 * same time. */
NNC_SAYING void set_apart(const nnc_resident_bytes *held, nnc_memory *memory, nnc_derivation *why) {
    NNC_LET(why, gradients_at_peak, "B", held->peak.gradient_bytes);
    NNC_LET(why, kept_at_peak, "B", held->peak.activation_bytes);
    NNC_LET(why, working_bytes, "B", held->peak.op_bytes);
    NNC_LET(why, again_bytes, "B", held->peak.block_bytes);
    NNC_LET(why, copies_bytes, "B", held->peak.cast_bytes);
    NNC_LET(why, workspace_bytes, "B", held->peak.workspace_bytes);
    NNC_SAY(why, at_peak_bytes, "B",
            ceil(gradients_at_peak + kept_at_peak + working_bytes + again_bytes + copies_bytes + workspace_bytes));
    NNC_NOTE(why, "bytes at the peak of backward: gradients are added while activations are freed; working_bytes: of "
                  "the running op; again_bytes: the recomputed block; copies_bytes: 16-bit copies of weights that "
                  "backward still needs; workspace_bytes: of libraries");
    NNC_LET(why, classes_bytes, "B",
            (double)(memory->gradient_bytes + memory->activation_bytes + memory->transient_bytes));
    NNC_SAY(why, apart_bytes, "B", at_peak_bytes - classes_bytes);
    memory->apart_bytes = whole_bytes(apart_bytes);
    memory->one_moment = true;
    memory->split_block_bytes = whole_bytes(held->largest_block_bytes);
}

/* Sets the bytes that PyTorch's allocator gives to tensors at the peak (peak_allocated_bytes), the bytes that it
 * reserves from the driver for them (peak_reserved_bytes), and the bytes of the driver's context (context_bytes). The
 * allocator rounds each tensor up to a multiple of 512 B, and reserves segments in multiples of 2 MiB for requests
 * above 10 MiB. The largest short-lived tensors are those of the loss. Later tensors occupy parts of the blocks that
 * the loss has freed; the largest block that stays unused is reserved in addition. Source:
 * c10/cuda/CUDACachingAllocator.cpp of PyTorch. [memory] */
NNC_SAYING void set_allocated(const nnc_software *software, nnc_memory *memory, nnc_derivation *why) {
    NNC_LET(why, counted_bytes, "B",
            (double)(memory->weight_bytes + memory->gradient_bytes + memory->optimizer_bytes +
                     memory->activation_bytes + memory->transient_bytes + memory->apart_bytes));
    NNC_LET(why, split_bytes, "B", (double)memory->split_block_bytes);
    NNC_SAY(why, peak_allocated_bytes, "B", ceil(counted_bytes / 512.0) * 512.0);
    NNC_SAY(why, peak_reserved_bytes, "B", ceil((peak_allocated_bytes + split_bytes) / 2097152.0) * 2097152.0);
    NNC_NOTE(why, "the allocator rounds tensors up to 512 B and segments up to 2 MiB; split_bytes: the largest block "
                  "that freed tensors of the loss leave unused");
    memory->peak_allocated_bytes = whole_bytes(peak_allocated_bytes);
    memory->peak_reserved_bytes = whole_bytes(peak_reserved_bytes);
    const double outside = isnan(software->reserve.context) ? software->reserve.bytes : software->reserve.context;
    memory->context_bytes = whole_bytes(outside);
    NNC_PUT(why, memory->context_bytes, "B");
}

/* Sets reserve_bytes, the memory for the driver, collectives and fragmentation, which is not computed from the plan: it
 * is the value of --reserve-bytes, or else the value of the software profile. */
NNC_SAYING void set_aside(const nnc_plan *plan, const nnc_software *software, nnc_memory *memory, nnc_derivation *why) {
    if (plan->reserve_bytes >= 0) {
        memory->reserve_bytes = plan->reserve_bytes;
        NNC_PUT(why, memory->reserve_bytes, "B");
        return;
    }
    NNC_LET(why, counted_bytes, "B",
            (double)(memory->weight_bytes + memory->gradient_bytes + memory->optimizer_bytes +
                     memory->activation_bytes + memory->transient_bytes + memory->apart_bytes));
    NNC_LET(why, fixed_bytes, "B", memory->one_moment ? (double)memory->context_bytes : software->reserve.bytes);
    NNC_LET(why, share, NULL, software->reserve.share);
    NNC_SAY(why, reserve_bytes, "B", ceil(fixed_bytes + share * counted_bytes));
    NNC_NOTE(why, "memory of the context, of collectives, and fragments that the allocator cannot reuse, by the "
                  "software profile");
    memory->reserve_bytes = whole_bytes(reserve_bytes);
}

/* A stand-in is a known network whose counts are used for a network that nncost does not know. STAND_IN is the largest
 * expected ratio of the larger memory to the smaller memory of the two networks. For 98 of the 100 timm networks that
 * ran, the ratio of the larger to the smaller memory was less than STAND_IN. */
#define STAND_IN 1.3

/* Sets total_interval_bytes, the smallest and the largest value that a measured memory peak is expected to have. If the
 * user gives the reserve, both ends of total_interval_bytes are total_bytes. */
NNC_SAYING void set_interval(const nnc_model *model, const nnc_plan *plan, const nnc_software *software,
                             nnc_memory *memory, nnc_derivation *why) {
    const bool own = plan->reserve_bytes >= 0;
    const double beyond = model->stand_in ? STAND_IN : 1.0;
    if (memory->one_moment && software->library_kept && !own &&
        /* after a replay of backward, reserve.share stands for tensors that the replay does not count, so reserve.share
         * decides the width of the range of measured peaks */
        !model->stand_in) {
        NNC_LET(why, peak_bytes, "B", (double)memory->peak_allocated_bytes);
        NNC_LET(why, beside_bytes, "B", (double)memory->context_bytes);
        NNC_LET(why, share, NULL, software->reserve.share);
        double lowest = 0.0, highest = 0.0;
        NNC_SET_AS(why, "total_interval_bytes.0", lowest, "B", ceil(peak_bytes + beside_bytes));
        NNC_SET_AS(why, "total_interval_bytes.1", highest, "B", ceil(peak_bytes * (1.0 + 2.0 * share) + beside_bytes));
        memory->total_interval_bytes[0] = whole_bytes(lowest);
        memory->total_interval_bytes[1] = whole_bytes(highest);
        return;
    }
    NNC_LET(why, low, NULL, own ? 1.0 : software->reserve.low / beyond);
    NNC_LET(why, high, NULL, own ? 1.0 : software->reserve.high * beyond);
    NNC_LET(why, total_bytes, "B", (double)memory->total_bytes);
    double least_bytes = 0.0, most_bytes = 0.0;
    NNC_SET_AS(why, "total_interval_bytes.0", least_bytes, "B", ceil(low * total_bytes));
    NNC_SET_AS(why, "total_interval_bytes.1", most_bytes, "B", ceil(high * total_bytes));
    memory->total_interval_bytes[0] = whole_bytes(least_bytes);
    memory->total_interval_bytes[1] = whole_bytes(most_bytes);
}

NNC_SAYING void complete(const nnc_model *model, const nnc_plan *plan, const nnc_software *software, nnc_memory *memory,
                         nnc_derivation *why) {
    set_allocated(software, memory, why);
    set_aside(plan, software, memory, why);
    NNC_SET(why, memory->total_bytes, "B",
            memory->weight_bytes + memory->gradient_bytes + memory->optimizer_bytes + memory->activation_bytes +
                memory->transient_bytes + memory->apart_bytes + memory->reserve_bytes);
    NNC_SET(why, memory->headroom_bytes, "B", memory->capacity_bytes - memory->total_bytes);
    set_interval(model, plan, software, memory, why);
}

NNC_SAYING nnc_memory memory_of(const nnc_model *model, const nnc_op_list *list, const nnc_segment_sums *said,
                                const nnc_resident_bytes *held, const nnc_stage_residency *holding,
                                const nnc_plan *plan, const nnc_software *software, int64_t capacity_bytes,
                                nnc_derivation *why) {
    const nnc_policy_sizes sizes = nnc_policy_bytes(plan->policy);
    const parts p = parts_of(held, plan, why);
    NNC_WHEN(why, (void)kept_of(list, said, holding, plan, why));
    const bool weights_leave = (plan->offload & NNC_OFFLOAD_WEIGHTS) != 0;
    const bool states_leave = (plan->offload & NNC_OFFLOAD_OPTIMIZER) != 0;
    double held_params = 0.0, gradient_params = 0.0;
    if (weights_leave) {
        NNC_SET(why, held_params, NULL, 0.0);
        NNC_NOTE(why, "offloaded: the weights are in host memory");
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
    const double helper_bytes = helper_bytes_of(held, plan, why);
    if (helper_bytes > 0.0) {
        NNC_LET(why, frozen_base_bytes, "B", frozen_bytes);
        NNC_SET(why, weight_bytes, "B", ceil(weight_bytes_per_param * held_params + frozen_base_bytes + helper_bytes));
    } else if (frozen_bytes > 0.0) {
        NNC_SET(why, weight_bytes, "B", ceil(weight_bytes_per_param * held_params + frozen_bytes));
    } else {
        NNC_SET(why, weight_bytes, "B", ceil(weight_bytes_per_param * held_params));
    }
    NNC_LET(why, gradient_bytes_per_param, NULL, sizes.gradient_bytes);
    NNC_SAY(why, gradient_bytes, "B", ceil(gradient_bytes_per_param * gradient_params));
    double optimizer_bytes = 0.0;
    if (states_leave) {
        NNC_SET(why, optimizer_bytes, "B", 0.0);
        NNC_NOTE(why, "offloaded: the optimizer states are in host memory");
    } else {
        optimizer_bytes = states_of(held, plan, &p, why);
    }
    const double activation_bytes = activation_bytes_of(model, list, holding, plan, &held->kept, why);
    nnc_memory memory = {
        .weight_bytes = whole_bytes(weight_bytes),
        .gradient_bytes = whole_bytes(gradient_bytes),
        .optimizer_bytes = whole_bytes(optimizer_bytes),
        .activation_bytes = whole_bytes(activation_bytes),
        .capacity_bytes = capacity_bytes,
        .helper_bytes = whole_bytes(helper_bytes),
    };
    NNC_PUT(why, memory.capacity_bytes, "B");
    set_transient(held, plan, &p, &memory, why);
    const double update_bytes = is_replayed(held, plan) ? 0.0 : nnc_list_update_bytes(held, plan);
    if (update_bytes > activation_bytes + (double)memory.transient_bytes) {
        NNC_PUT(why, update_bytes, "B");
        NNC_SAY(why, transient_bytes, "B", update_bytes - activation_bytes);
        NNC_NOTE(why, "the update needs more than the activations, which are freed before it");
        memory.transient_bytes = whole_bytes(transient_bytes);
        memory.transient_what = nnc_update_what;
    }
    if (is_replayed(held, plan)) {
        set_apart(held, &memory, why);
    } else {
        NNC_SET(why, memory.apart_bytes, "B", 0);
        memory.one_moment = nnc_list_infers(list);
    }
    complete(model, plan, software, &memory, why);
    return memory;
}

double nnc_working_bytes(const nnc_model *model, const nnc_op_list *list, const nnc_resident_bytes *held,
                         const nnc_stage_residency *holding, const nnc_plan *plan) {
    return activation_bytes_of(model, list, holding, plan, &held->kept, NULL) + held->op_bytes + held->block_bytes;
}

nnc_memory nnc_memory_of_resident(const nnc_model *model, const nnc_op_list *list, const nnc_resident_bytes *held,
                                  const nnc_stage_residency *holding, const nnc_plan *plan,
                                  const nnc_software *software, int64_t capacity_bytes) {
    return memory_of(model, list, NULL, held, holding, plan, software, capacity_bytes, NULL);
}

nnc_memory nnc_memory_say(const nnc_model *model, const nnc_op_list *list,
                          const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_stage_residency *holding,
                          const nnc_plan *plan, const nnc_software *software, int64_t capacity_bytes,
                          nnc_derivation *why) {
    const nnc_resident_bytes held = nnc_resident_bytes_of(list, sums, holding, plan, software);
    return why != NULL ? memory_of(model, list, sums, &held, holding, plan, software, capacity_bytes, why)
                       : nnc_memory_of_resident(model, list, &held, holding, plan, software, capacity_bytes);
}

nnc_memory nnc_memory_of(const nnc_model *model, const nnc_op_list *list, const nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                         const nnc_stage_residency *holding, const nnc_plan *plan, const nnc_software *software,
                         int64_t capacity_bytes) {
    return nnc_memory_say(model, list, sums, holding, plan, software, capacity_bytes, NULL);
}

nnc_memory nnc_memory_in_flight(const nnc_memory *same, const nnc_model *model, const nnc_op_list *list,
                                const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_stage_residency *holding,
                                const nnc_plan *plan, const nnc_software *software) {
    const nnc_kept k = kept_of(list, sums, holding, plan, NULL);
    nnc_memory memory = *same;
    memory.activation_bytes = whole_bytes(activation_bytes_of(model, list, holding, plan, &k, NULL));
    complete(model, plan, software, &memory, NULL);
    return memory;
}
