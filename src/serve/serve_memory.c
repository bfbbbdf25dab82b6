/* Computes the memory of a served model on the device that needs the most: weights, workspace, and the space that is
 * left for keys and values. Engines define their share of the memory in different ways (nnc_memory_share).
 * [serve-memory]
 *
 *     usable, memory   | weights | workspace | cache |      rest       |   share: weights, workspace and cache
 *     before-weights   workspace | weights   | cache | activations     |   share: weights and cache
 *     after-weights    | weights | workspace | cache       | rest      |   share: cache of cache and rest
 */
#include "cost/cost_internal.h"
#include "serve/serve_internal.h"

#define WORKSPACE_BYTES 2e9
#define MIB 1048576.0
#define GIB (1024.0 * MIB)

/* ---- defaults of SGLang, which depend on the memory of the device ---- */

/* Defaults of SGLang; a row is for devices with less than `below_gib` GiB of memory. chunk: largest number of tokens of
 * a prefill step. sequences, more_sequences: largest number of sequences for which decode steps are recorded, with at
 * most 3 tensor ranks (sequences) or with 4 and more tensor ranks (more_sequences).
 * Source: _handle_gpu_memory_settings in python/sglang/srt/server_args.py, SGLang 0.5.4 to 0.5.16. */
static const struct {
    double below_gib;
    int64_t chunk;
    double sequences, more_sequences;
} sizes[] = {
    { 20.0, 2048, 8.0, 8.0 },      { 35.0, 2048, 24.0, 80.0 },   { 60.0, 4096, 32.0, 160.0 },
    { 160.0, 8192, 256.0, 512.0 }, { 1e9, 16384, 512.0, 512.0 },
};

static size_t size_of(double mem_bytes) {
    size_t i = 0;
    while (mem_bytes >= sizes[i].below_gib * GIB) { i++; }
    return i;
}

int64_t nnc_serve_chunk_by_memory(double mem_bytes) { return sizes[size_of(mem_bytes)].chunk; }

/* SGLang reserves memory for activations and recorded steps. SGLang uses the memory that remains after this reservation
 * for weights and cache. */
double nnc_serve_share_by_memory(double mem_bytes, const nnc_serve_ask *p) {
    const size_t i = size_of(mem_bytes);
    const double sequences = p->tensor < 4 ? sizes[i].sequences : sizes[i].more_sequences;
    double reserved = 512.0 + 1.5 * nnc_max((double)p->chunk, 2048.0) + 2.0 * sequences;
    reserved += (double)p->tensor * p->pipeline * p->attention_data / 8.0 * 1024.0;
    if (p->attention_data > 1) { reserved += sequences * p->attention_data * (sequences > 300.0 ? 4.5 : 3.0); }
    if (mem_bytes > 60.0 * GIB) { reserved = nnc_max(reserved, 10240.0); }
    const double share = (mem_bytes - reserved * MIB) / mem_bytes;
    return nnc_max(floor(share * 1000.0 + 0.5) / 1000.0, 0.001);
}

/* ---- memory ---- */

/* Returns the bytes of weights on the device with the most layers: weights of products in their storage format, all
 * other weights in 16 bits. */
static double weight_bytes(const nnc_serve_case *of) {
    const nnc_serve_net *net = of->net;
    const double stage = nnc_serve_stage_share(of);
    double layers = 0.0, ends = 0.0;
    for (int32_t i = 0; i < net->product_count; i++) {
        const nnc_serve_product *p = &net->products[i];
        const double matrices = p->experts > 0.0 ? p->experts : 1.0;
        const double bytes = p->layers * matrices * p->n * p->k * nnc_serve_share(of, p) *
                             (nnc_serve_is_plain(of, p) ? of->rates.plain_bytes : of->rates.weight_bytes);
        *(p->last ? &ends : &layers) += bytes;
    }
    const double others = net->other_params * of->rates.plain_bytes;
    const double table = net->vocab * net->hidden * of->rates.plain_bytes;
    /* bytes of norms and biases, which are not divided over tensor ranks */
    const double small = nnc_max(others - table, 0.0);
    const double tables = (others - small) / of->plan->tensor;
    /* If head and input table are tied and both are on one device, the device stores the table once. */
    const double both = net->tied_head ? nnc_max(tables, ends) : tables + ends;
    return layers * stage + small * stage + (of->plan->pipeline > 1 ? nnc_max(tables, ends) : both);
}

/* Returns the bytes of activations in the largest step: `chunk` tokens, and a sampled token for each of `max_batch`
 * sequences. The sampler keeps copies of all logits and the hidden states of the step. A layer stores the result of its
 * widest product, the activation function of this result (half as wide), and three hidden states. Tokens of experts
 * have separate buffers. */
static double activation_bytes(const nnc_serve_case *of) {
    const nnc_serve_net *net = of->net;
    const nnc_serve_ask *p = of->plan;
    const double tokens = (double)p->chunk, hidden = 2.0 * net->hidden * tokens;
    double widest = 0.0, experts = 0.0;
    for (int32_t i = 0; i < net->product_count; i++) {
        const nnc_serve_product *product = &net->products[i];
        if (product->last) { continue; }
        const double columns = product->n * nnc_serve_share(of, product);
        if (product->experts > 0.0) {
            experts = nnc_max(experts, product->chosen * (1.5 * columns + net->hidden));
        } else {
            widest = nnc_max(widest, 1.5 * columns);
        }
    }
    const double sampler = of->engine->logit_bytes * net->vocab * (double)p->max_batch + 2.0 * hidden;
    return nnc_max(sampler, 2.0 * tokens * widest + 3.0 * hidden) + 2.0 * tokens * experts;
}

void nnc_serve_memory(const nnc_serve_case *of, const nnc_device *device, nnc_serve *s, nnc_derivation *why) {
    const nnc_serve_ask *p = of->plan;
    const nnc_serve_engine *engine = of->engine;
    const double length = (double)(p->input_len + p->output_len), block = (double)p->block;
    const double stage = nnc_serve_stage_share(of);
    const double ranks = (double)p->tensor * p->pipeline * p->attention_data;
    s->params = of->net->params;
    NNC_PUT(why, s->params, NULL);
    s->capacity_bytes =
        engine->memory_share == NNC_SHARE_MEMORY ? (double)device->mem_bytes : (double)nnc_device_capacity(device);
    NNC_PUT(why, s->capacity_bytes, "B");
    NNC_LET(why, memory_use, NULL, p->memory_use);
    s->weight_bytes = weight_bytes(of) + (of->draft != NULL ? weight_bytes(of->draft) : 0.0);
    NNC_PUT(why, s->weight_bytes, "B");
    s->workspace_bytes = (isnan(engine->workspace_bytes) ? WORKSPACE_BYTES : engine->workspace_bytes) +
                         (ranks > 1.0 ? engine->ranks_bytes : 0.0) + (engine->profiled ? activation_bytes(of) : 0.0);
    NNC_PUT(why, s->workspace_bytes, "B");
    switch (engine->memory_share) {
    case NNC_SHARE_BEFORE_WEIGHTS:
        NNC_SET(why, s->limit_bytes, "B", memory_use * (s->capacity_bytes - s->workspace_bytes) + s->workspace_bytes);
        NNC_NOTE(why, "the share of the memory that is free before weights are loaded, and the workspace");
        break;
    case NNC_SHARE_AFTER_WEIGHTS:
        NNC_SET(why, s->limit_bytes, "B",
                memory_use * (s->capacity_bytes - s->weight_bytes - s->workspace_bytes) + s->weight_bytes +
                    s->workspace_bytes);
        NNC_NOTE(why, "the share of the memory that weights and workspace leave, and weights and workspace");
        break;
    default: NNC_SET(why, s->limit_bytes, "B", memory_use * s->capacity_bytes);
    }
    NNC_SET(why, s->free_bytes, "B", nnc_max(s->limit_bytes - s->weight_bytes - s->workspace_bytes, 0.0));
    NNC_NOTE(why, "memory left for keys and values");

    NNC_LET(why, tokens, NULL, nnc_ceil(length / block) * block);
    NNC_LET(why, stage_share, NULL, stage);
    NNC_LET(why, kv_bytes_of_token, "B", nnc_serve_kv_bytes(of, length) - nnc_serve_kv_bytes(of, length - 1.0));
    NNC_SET(why, s->kv_bytes_per_token, "B", kv_bytes_of_token * stage_share);
    NNC_SOURCE(why, "docs/serving.md: 2 x layers x kv_heads / tensor x head_dim x bytes");
    s->state_bytes_per_sequence = nnc_serve_state_bytes(of) * stage;
    NNC_PUT(why, s->state_bytes_per_sequence, "B");
    NNC_LET(why, sequence_bytes, "B", nnc_serve_kv_bytes(of, tokens) * stage);
    NNC_NOTE(why, "one sequence at full length, in whole blocks, limited by attention windows");
    NNC_LET(why, groups, NULL, (double)p->attention_data * nnc_serve_decoders(p));
    NNC_SET(why, s->max_sequences, NULL,
            floor(s->free_bytes / (sequence_bytes + s->state_bytes_per_sequence)) * groups);
    s->max_tokens = s->kv_bytes_per_token > 0.0 ? floor(s->free_bytes / s->kv_bytes_per_token) * groups : (double)NAN;
    NNC_PUT(why, s->max_tokens, NULL);
    NNC_LET(why, tokens_of_block, NULL, of->engine->paged ? block : 1.0);
    NNC_SET(why, s->paging_waste_bytes, "B", (tokens_of_block - 1.0) / 2.0 * s->kv_bytes_per_token);
}
