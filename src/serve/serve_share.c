/* What one device has of products, weights and cache. */
#include "serve/serve.h"

double nnc_serve_share(const nnc_serve_case *of, const nnc_serve_product *p)
{
    const double t = of->plan->tensor;
    switch (p->split) {
    case NNC_SPLIT_TOKENS:
    case NNC_SPLIT_SEQUENCE: return 1.0;
    case NNC_SPLIT_QKV: /* a head of keys and values at least on every rank */
        return (p->heads / t + 2.0 * nnc_max(p->kv_heads / t, 1.0)) /
               (p->heads + 2.0 * p->kv_heads);
    case NNC_SPLIT_EXPERT_COLUMN:
    case NNC_SPLIT_EXPERT_ROW: return 1.0 / (t * of->plan->attention_data);
    default: return 1.0 / t;
    }
}

bool nnc_serve_is_plain(const nnc_serve_case *of, const nnc_serve_product *p)
{
    /* Of models with experts, four bits and weights that are only stored so are published for the experts
     * alone. */
    const bool narrow = of->rates.weight_bytes < 1.0 || of->rates.weight_only;
    return p->plain || (narrow && of->net->experts > 0.0 && p->group == NNC_GROUP_ATTENTION);
}

double nnc_serve_stage_share(const nnc_serve_case *of)
{
    return nnc_ceil(of->net->layers / of->plan->pipeline) / of->net->layers;
}

static double kv_element_bytes(const nnc_serve_case *of, double width)
{
    return of->rates.kv_bytes + (of->rates.kv_scaled ? 4.0 / width : 0.0);
}

double nnc_serve_kv_token(const nnc_serve_case *of, const nnc_serve_attention *a)
{
    const double heads = nnc_max(a->kv_heads / of->plan->tensor, 1.0);
    return a->latent > 0.0
               ? a->layers * (a->latent + a->rope) * kv_element_bytes(of, a->latent + a->rope)
               : a->layers * heads *
                     (a->key_dim * kv_element_bytes(of, a->key_dim) +
                      a->value_dim * kv_element_bytes(of, a->value_dim));
}

double nnc_serve_kv_bytes(const nnc_serve_case *of, double tokens)
{
    double bytes = 0.0;
    for (int32_t i = 0; i < of->net->attention_count; i++) {
        const nnc_serve_attention *a = &of->net->attentions[i];
        bytes +=
            nnc_serve_kv_token(of, a) * (a->window > 0.0 ? nnc_min(tokens, a->window) : tokens);
    }
    return bytes + (of->draft != NULL ? nnc_serve_kv_bytes(of->draft, tokens) : 0.0);
}

double nnc_serve_state_bytes(const nnc_serve_case *of)
{
    double bytes = 0.0;
    for (int32_t i = 0; i < of->net->state_count; i++) {
        bytes += 4.0 * of->net->states[i].layers * of->net->states[i].elements / of->plan->tensor;
    }
    return bytes;
}

double nnc_serve_critical_batch(const nnc_serve_case *of, double context, double *intensity_limit,
                                nnc_derivation *why)
{
    const double few = of->plan->pipeline, most = 1e6; /* of one stage: all experts are read */
    const nnc_serve_step one = nnc_serve_decode(of, few, context, NULL);
    const nnc_serve_step all = nnc_serve_decode(of, few * most, context, NULL);
    double critical_batch = (double)NAN;
    NNC_LET(why, ridge, NULL, of->rates.peak_flops_per_s / of->rates.mem_bytes_per_s);
    NNC_LET(why, flops_per_sequence, "FLOP", all.flops / most);
    NNC_LET(why, kv_bytes_per_sequence, "B", one.kv_bytes);
    NNC_LET(why, all_weight_bytes, "B", all.weight_bytes);
    NNC_SAY(why, spare_bytes, "B", flops_per_sequence / ridge - kv_bytes_per_sequence);
    NNC_NOTE(why, "what the compute of a sequence leaves of the memory's time, for the weights");
    if (spare_bytes > 0.0) {
        NNC_SET(why, critical_batch, NULL, all_weight_bytes / spare_bytes);
    }
    double intensity_limit_flops_per_byte = 0.0;
    NNC_SET(why, intensity_limit_flops_per_byte, NULL, flops_per_sequence / kv_bytes_per_sequence);
    *intensity_limit = intensity_limit_flops_per_byte;
    return critical_batch;
}
