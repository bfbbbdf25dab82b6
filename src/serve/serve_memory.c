/* Memory of the fullest device, and how many sequences it holds.   [serve-memory] */
#include <math.h>

#include "serve/serve.h"

#define WORKSPACE_BYTES 2e9

/* Weights of one device: products as they are stored, the rest in 16 bits. */
static double weight_bytes(const nnc_serve_case *of)
{
    const nnc_serve_net *net = of->net;
    const double stage = nnc_serve_stage_share(of);
    double layers = 0.0, ends = 0.0;
    for (int32_t i = 0; i < net->product_count; i++) {
        const nnc_serve_product *p = &net->products[i];
        const double matrices = p->experts > 0.0 ? p->experts : 1.0;
        const double bytes =
            p->layers * matrices * p->n * p->k * nnc_serve_share(of, p) *
            (nnc_serve_is_plain(of, p) ? of->rates.plain_bytes : of->rates.weight_bytes);
        *(p->last ? &ends : &layers) += bytes;
    }
    const double others = net->other_params * of->rates.plain_bytes;
    const double table = net->vocab * net->hidden * of->rates.plain_bytes;
    const double small = nnc_max(others - table, 0.0); /* norms and biases, on every rank */
    const double tables = (others - small) / of->plan->tensor;
    /* A tied head is the table itself where one device has both ends. */
    const double both = others > table ? tables + ends : nnc_max(tables, ends);
    return layers * stage + small * stage + (of->plan->pipeline > 1 ? nnc_max(tables, ends) : both);
}

void nnc_serve_memory(const nnc_serve_case *of, double capacity_bytes, nnc_serve *s,
                      nnc_derivation *why)
{
    const nnc_serve_ask *p = of->plan;
    const double length = (double)(p->input_len + p->output_len), block = (double)p->block;
    const double stage = nnc_serve_stage_share(of);
    s->params = of->net->params;
    NNC_PUT(why, s->params, NULL);
    s->capacity_bytes = capacity_bytes;
    NNC_PUT(why, s->capacity_bytes, "B");
    NNC_LET(why, memory_use, NULL, p->memory_use);
    s->weight_bytes = weight_bytes(of) + (of->draft != NULL ? weight_bytes(of->draft) : 0.0);
    NNC_PUT(why, s->weight_bytes, "B");
    s->workspace_bytes =
        isnan(of->engine->workspace_bytes) ? WORKSPACE_BYTES : of->engine->workspace_bytes;
    NNC_PUT(why, s->workspace_bytes, "B");
    NNC_SET(why, s->free_bytes, "B",
            nnc_max(memory_use * s->capacity_bytes - s->weight_bytes - s->workspace_bytes, 0.0));
    NNC_NOTE(why, "what is left for keys and values");

    NNC_LET(why, tokens, NULL, nnc_ceil(length / block) * block);
    NNC_LET(why, stage_share, NULL, stage);
    NNC_LET(why, kv_bytes_of_token, "B",
            nnc_serve_kv_bytes(of, length) - nnc_serve_kv_bytes(of, length - 1.0));
    NNC_SET(why, s->kv_bytes_per_token, "B", kv_bytes_of_token * stage_share);
    NNC_SOURCE(why, "docs/serving.md: 2 x layers x kv_heads / tensor x head_dim x bytes");
    s->state_bytes_per_sequence = nnc_serve_state_bytes(of) * stage;
    NNC_PUT(why, s->state_bytes_per_sequence, "B");
    NNC_LET(why, sequence_bytes, "B", nnc_serve_kv_bytes(of, tokens) * stage);
    NNC_NOTE(why, "of one sequence at its full length, in whole blocks, windows cut off");
    NNC_LET(why, groups, NULL, (double)p->attention_data * (double)p->data);
    NNC_SET(why, s->max_sequences, NULL,
            floor(s->free_bytes / (sequence_bytes + s->state_bytes_per_sequence)) * groups);
    s->max_tokens = s->kv_bytes_per_token > 0.0
                        ? floor(s->free_bytes / s->kv_bytes_per_token) * groups
                        : (double)NAN;
    NNC_PUT(why, s->max_tokens, NULL);
    NNC_LET(why, tokens_of_block, NULL, of->engine->paged ? block : 1.0);
    NNC_SET(why, s->paging_waste_bytes, "B", (tokens_of_block - 1.0) / 2.0 * s->kv_bytes_per_token);
}
