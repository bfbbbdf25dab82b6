/* Bytes of activations that a device keeps for backward. */
#include <math.h>
#include <stdio.h>

#include "base/number.h"
#include "cost/memory.h"

NNC_SAYING double korthikanti_layer(const nnc_decoder *d, const nnc_plan *plan, nnc_derivation *why)
{
    NNC_LET(why, s, NULL, (double)plan->seq_len / plan->context);
    NNC_LET(why, b, NULL, (double)plan->micro_batch);
    NNC_LET(why, h, NULL, (double)d->hidden);
    NNC_LET(why, a, NULL, (double)d->heads);
    NNC_LET(why, t, NULL, plan->tensor);
    NNC_SAY(why, sbh, NULL, s * b * h);
    NNC_NOTE(why, "s: sequence of a rank, b: micro-batch, h: hidden, a: heads, t: tensor ranks");
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
    NNC_NOTE(why, "the second term: scores, softmax and its dropout");
    return layer_bytes;
}

double nnc_korthikanti_layer_bytes(const nnc_decoder *d, const nnc_plan *plan)
{
    return korthikanti_layer(d, plan, NULL);
}

/* The same paper's terms outside the layers: the embedding's dropout mask, and at the head the norm's
 * and the logits' input and the fp32 logits. */
NNC_SAYING double korthikanti_ends(const nnc_decoder *d, const nnc_plan *plan,
                                   const nnc_holding *holding, int32_t last, nnc_derivation *why)
{
    NNC_LET(why, s, NULL, (double)plan->seq_len / plan->context);
    NNC_LET(why, b, NULL, (double)plan->micro_batch);
    NNC_LET(why, h, NULL, (double)d->hidden);
    NNC_LET(why, V, NULL, (double)d->vocab);
    NNC_LET(why, t, NULL, plan->tensor);
    NNC_PUT(why, holding->in_flight, NULL);
    double masks_bytes = 0.0, head_bytes = 0.0;
    if (holding->instances[0] > 0) {
        NNC_SET(why, masks_bytes, "B", s * b * h / t * holding->in_flight);
        NNC_NOTE(why, "the embedding's dropout mask");
    }
    if (holding->instances[last] > 0) {
        NNC_SET(why, head_bytes, "B", 4.0 * (s * b) * (h + V) / t);
        NNC_NOTE(why, "inputs of the last norm and of the logits, the fp32 logits; V: vocabulary");
    }
    NNC_PUT(why, masks_bytes, "B");
    NNC_PUT(why, head_bytes, "B");
    NNC_SAY(why, ends_bytes, "B", masks_bytes + head_bytes);
    return ends_bytes;
}

NNC_SAYING nnc_kept kept_of(const nnc_op_list *list, const nnc_segment_sums *sums,
                            const nnc_holding *holding, const nnc_plan *plan, nnc_derivation *why)
{
    NNC_LET(why, every, NULL, plan->recompute_every > 1 ? (double)plan->recompute_every : 1.0);
    nnc_kept k = { 0 };
    for (int32_t s = 0; s < holding->segments; s++) {
        if (holding->instances[s] == 0) {
            continue;
        }
        const nnc_segment_sums *sum = &sums[s];
        char name[24];
        double segment_bytes = 0.0;
        NNC_LET(why, again, NULL, (double)holding->recomputed[s]);
        NNC_LET(why, whole, NULL, (double)holding->instances[s] - again);
        NNC_PUT(why, sum->kept_bytes, "B");
        NNC_PUT(why, sum->input_bytes, "B");
        NNC_WHEN(why, snprintf(name, sizeof name, "kept.%d", (int)s));
        NNC_SET_AS(why, name, segment_bytes, "B",
                   whole * sum->kept_bytes + ceil(again / every) * sum->input_bytes);
        NNC_NOTE(
            why,
            "of a segment (embedding, equal layers, head): whole instances keep all that their "
            "ops keep, those run again the input of a block");
        k.bytes += segment_bytes;
        NNC_WHEN(why, nnc_say_term(why, name, "B", segment_bytes));
        if (list->segments[s].layer) {
            k.largest_layer_bytes =
                nnc_max(k.largest_layer_bytes, whole > 0.0 ? sum->kept_bytes : sum->input_bytes);
        } else {
            k.ends_bytes += segment_bytes;
            k.head_bytes += s > 0 ? segment_bytes : 0.0;
        }
    }
    NNC_WHEN(why, nnc_say_sum(why, "pass_bytes", "B", k.bytes));
    NNC_NOTE(why, "kept of one micro-batch");
    return k;
}

nnc_kept nnc_kept_of(const nnc_op_list *list, const nnc_segment_sums *sums,
                     const nnc_holding *holding, const nnc_plan *plan, nnc_derivation *why)
{
    return why != NULL ? kept_of(list, sums, holding, plan, why)
                       : kept_of(list, sums, holding, plan, NULL);
}

NNC_SAYING double activation_bytes_of(const nnc_model *model, const nnc_op_list *list,
                                      const nnc_holding *holding, const nnc_plan *plan,
                                      const nnc_kept *k, nnc_derivation *why)
{
    const double pass_bytes = k->bytes;
    double waiting_bytes = 0.0;
    NNC_PUT(why, holding->in_flight, NULL);
    if (plan->activations == NNC_ACTIVATIONS_KORTHIKANTI) {
        const nnc_decoder *d = &model->decoder;
        const int32_t last = list->segment_count - 1;
        int64_t layers = 0;
        for (int32_t s = 1; s < last; s++) {
            layers += holding->instances[s];
        }
        const double layer_bytes = korthikanti_layer(d, plan, why);
        const double ends_bytes = korthikanti_ends(d, plan, holding, last, why);
        NNC_PUT(why, layers, NULL);
        NNC_SET(why, waiting_bytes, "B",
                layer_bytes * (double)layers * holding->in_flight + ends_bytes);
        NNC_SOURCE(why, "arXiv:2205.05198 section 4");
    } else if (holding->head_at_once && k->head_bytes > 0.0) {
        NNC_PUT(why, k->head_bytes, "B");
        NNC_SET(why, waiting_bytes, "B",
                (pass_bytes - k->head_bytes) * holding->in_flight + k->head_bytes);
    } else {
        NNC_SET(why, waiting_bytes, "B", pass_bytes * holding->in_flight);
    }
    if ((plan->offload & NNC_OFFLOAD_ACTIVATIONS) != 0) {
        NNC_LET(why, layer_kept_bytes, "B", k->largest_layer_bytes);
        NNC_LET(why, ends_kept_bytes, "B", k->ends_bytes);
        NNC_SAY(why, activation_bytes, "B",
                ceil(nnc_min(waiting_bytes, 2.0 * layer_kept_bytes + ends_kept_bytes)));
        NNC_NOTE(why, "one layer's on its way to host memory while the next layer's are made; what "
                      "table and head keep stays");
        return activation_bytes;
    }
    NNC_SAY(why, activation_bytes, "B", ceil(waiting_bytes));
    return activation_bytes;
}

double nnc_activation_bytes(const nnc_model *model, const nnc_op_list *list,
                            const nnc_holding *holding, const nnc_plan *plan, const nnc_kept *k,
                            nnc_derivation *why)
{
    return why != NULL ? activation_bytes_of(model, list, holding, plan, k, why)
                       : activation_bytes_of(model, list, holding, plan, k, NULL);
}
