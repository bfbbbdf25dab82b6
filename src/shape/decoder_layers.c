/* Writes the parts of a decoder's layers that transformer.c does not write: latent and sparse attention, experts,
 * several residual streams, and mixers with a state. */
#include "base/base_internal.h"
#include "shape/shape_internal.h"

/* Appends one product of an indexer. The product computes the scores (queries of all heads times keys) or, if `sum` is
 * true, the weighted sum of the scores over the heads. pairs, all: numbers of query-key pairs with and without the
 * mask. */
static void index_product(const nnc_layer_writer *w, const nnc_decoder *d, bool sum, int64_t keys, double pairs,
                          double all) {
    const int64_t heads = d->index_heads;
    nnc_op *op = nnc_list_add(&w->to, sum ? "index.sum" : "index.scores", NNC_OP_MATMUL, NNC_GROUP_ATTENTION);
    nnc_matmul *p = &op->u.matmul;
    nnc_matmul_set(p, sum ? w->batch : nnc_list_mul(&w->to, w->batch, heads), w->seq_len, keys,
                   sum ? heads : d->index_dim);
    p->b_shared = sum ? 1 : heads;
    p->pairs = pairs;
    p->full_pairs = p->window_pairs = all;
    p->needs_grad_input = true;
    p->keeps_a = p->keeps_b = !sum;
    op->split = NNC_SPLIT_TOKENS;
}

/* The indexer of sparse attention computes a score for every pair of a query and an earlier token. For each of its
 * heads, the indexer computes the ReLU of the product query x key; the score is the weighted sum of these values over
 * the heads. Source: DeepSeek-V3.2-Exp, section 2.1.
 *
 * In a model without latent attention, the indexer reads the residual stream, normalises its queries and its key, and
 * has no learned weights for its heads. Source: MiniMaxM3SparseAttention of vLLM, minimax_m3.py.   [indexer] */
void nnc_decoder_pick_tokens(const nnc_layer_writer *w, const nnc_decoder *d) {
    const int64_t heads = d->index_heads, width = d->index_dim;
    const bool latent = w->layer->latent;
    nnc_layer_linear(w, "index.q", NNC_GROUP_ATTENTION, NNC_SPLIT_SEQUENCE, heads * width,
                     latent ? d->q_lora_rank : d->hidden, false)
        ->u.matmul.keeps_a = false;
    nnc_layer_linear(w, "index.k", NNC_GROUP_ATTENTION, NNC_SPLIT_SEQUENCE, width, d->hidden, false)->u.matmul.keeps_a =
        false;
    for (int i = latent ? 1 : 0; i < 2; i++) {
        const int64_t rows = nnc_list_mul(&w->to, w->tokens, i == 0 ? heads : 1);
        nnc_op *norm =
            nnc_list_norm(&w->to, i == 0 ? "index.q_norm" : "index.norm", latent ? NNC_NORM_LAYER : NNC_NORM_RMS,
                          nnc_list_mul(&w->to, rows, width), rows, latent ? 2 * width : width);
        norm->split = NNC_SPLIT_SEQUENCE;
        norm->u.norm.keeps_input = true;
    }
    if (latent) {
        nnc_layer_linear(w, "index.weights", NNC_GROUP_ATTENTION, NNC_SPLIT_SEQUENCE, heads, d->hidden, false)
            ->u.matmul.keeps_a = false;
    }
    const double all = (double)nnc_list_mul(&w->to, w->seq_len, w->seq_len);
    const double pairs = (double)nnc_attention_pairs(w->seq_len, w->seq_len, true, 0);
    index_product(w, d, false, w->seq_len, pairs, all);
    if (latent) { index_product(w, d, true, w->seq_len, pairs, all); }
}

/* Appends the copies that bring keys, values and queries of latent attention into a layout with one part per head. The
 * key of a head consists of a projection of the latent and of a rotated part that all heads share. The values of latent
 * attention are copied from the tensor that has keys and values together. The queries of latent attention are rotated
 * without a copy if the rotation is a fused kernel; otherwise the queries are copied, too. Source:
 * fused_mla_yarn_rope_apply.py and multi_latent_attention.py of Megatron-LM. [latent-attention] */
static void by_heads(const nnc_layer_writer *w, const nnc_decoder *d) {
    const int64_t whole = d->qk_nope_head_dim + d->qk_rope_head_dim;
    const int64_t queries = w->to.how->software->fused_rotary ? 0 : whole;
    const int64_t rows = nnc_list_mul(&w->to, w->tokens, d->heads);
    nnc_op *op = nnc_list_pointwise(&w->to, "attn.by_heads", NNC_PW_BY_HEADS, NNC_GROUP_ATTENTION,
                                    nnc_list_mul(&w->to, rows, queries + whole + d->v_head_dim));
    op->u.pointwise.input_elements = nnc_list_mul(&w->to, rows, queries + d->qk_nope_head_dim + d->v_head_dim);
    op->split = NNC_SPLIT_HEADS;
}

void nnc_decoder_project_latent(const nnc_layer_writer *w, const nnc_decoder *d) {
    const int64_t q_width = d->heads * (d->qk_nope_head_dim + d->qk_rope_head_dim);
    const int64_t kv_width = d->heads * (d->qk_nope_head_dim + d->v_head_dim);
    const int64_t latent = d->kv_lora_rank + d->qk_rope_head_dim;
    const bool keep_norm = !nnc_list_recomputes(&w->to, NNC_RECOMPUTE_NORM);
    const int64_t q_input = d->q_lora_rank > 0 ? d->q_lora_rank : d->hidden;

    if (d->q_lora_rank > 0) {
        nnc_op *down = nnc_layer_linear(w, "attn.q_down", NNC_GROUP_ATTENTION, NNC_SPLIT_SEQUENCE, d->q_lora_rank,
                                        d->hidden, w->layer->qkv_bias);
        down->u.matmul.keeps_a = keep_norm;
        nnc_layer_norm(w, "attn.q_norm", d->q_lora_rank);
    }
    nnc_op *kv_down = nnc_layer_linear(w, "attn.kv_down", NNC_GROUP_ATTENTION, NNC_SPLIT_SEQUENCE, latent, d->hidden,
                                       w->layer->qkv_bias);
    /* attn.q_down and attn.kv_down read the same input; if the layer has attn.q_down, this op counts the kept bytes of
     * the input */
    kv_down->u.matmul.keeps_a = keep_norm && d->q_lora_rank == 0;
    nnc_layer_norm(w, "attn.kv_norm", d->kv_lora_rank);
    /* The weights of the down-projections are not divided: every tensor rank has all these weights, and computes the
     * projections for its part of the tokens. The outputs are then gathered. */
    nnc_layer_tensor_collective(w, "attn.tensor_in", true, q_input + latent + (d->attention_gate ? d->hidden : 0));
    /* this linear layer computes a gate; the op attn.gate applies the gate to the output of the attention. Source:
     * g_proj of K3's MLA */
    if (d->attention_gate) {
        nnc_layer_linear(w, "attn.gate_in", NNC_GROUP_ATTENTION, NNC_SPLIT_COLUMN, d->heads * d->v_head_dim, d->hidden,
                         false)
            ->u.matmul.keeps_a = false;
    }
    const int32_t first = w->to.list->count;
    nnc_op *q_up = nnc_layer_linear(w, d->q_lora_rank > 0 ? "attn.q_up" : "attn.q", NNC_GROUP_ATTENTION,
                                    NNC_SPLIT_COLUMN, q_width, q_input, false);
    q_up->u.matmul.keeps_a = keep_norm && d->q_lora_rank > 0;
    nnc_op *kv_up =
        nnc_layer_linear(w, "attn.kv_up", NNC_GROUP_ATTENTION, NNC_SPLIT_COLUMN, kv_width, d->kv_lora_rank, false);
    kv_up->u.matmul.keeps_a = keep_norm;
    nnc_layer_rotary(w, "attn.rotary", d->heads * d->qk_rope_head_dim);
    by_heads(w, d);
    /* with recomputation of the up-projections, backward computes the up-projections again from their kept inputs */
    for (int32_t i = first; i < w->to.list->count; i++) {
        w->to.list->ops[i].recomputed = nnc_list_recomputes(&w->to, NNC_RECOMPUTE_MLA_UP_PROJ);
    }
}

/* ---- one key that all heads share, and compressed keys   [shared-keys] ----
 * Source: DeepseekV4Attention, the compressors and DeepseekV4Indexer of transformers, modular_deepseek_v4.py. */

/* Appends the ops that compress a window of `ratio` successive tokens to one key of `width` values. The key is the sum
 * of the tokens' values, weighted by a softmax over the window. If `overlap` is true, a window includes the tokens of
 * the previous window, too, and each token has two sets of values. names: names of the projection, the softmax and the
 * norm. */
static void compress(const nnc_layer_writer *w, const char *const names[3], int64_t width, int64_t ratio,
                     bool overlap) {
    const int64_t values = overlap ? 2 * width : width;
    nnc_op *in =
        nnc_layer_linear(w, names[0], NNC_GROUP_ATTENTION, NNC_SPLIT_SEQUENCE, 2 * values, w->layer->hidden, false);
    in->u.matmul.keeps_a = false;
    /* the projection has ratio x values learned weights: one for each position of a token in the window and each
     * value */
    in->weights.vector = nnc_list_mul(&w->to, ratio, values);
    nnc_op *pool = nnc_list_pointwise(&w->to, names[1], NNC_PW_SOFTMAX, NNC_GROUP_ATTENTION,
                                      nnc_list_mul(&w->to, w->tokens, values));
    pool->split = NNC_SPLIT_SEQUENCE;
    pool->u.pointwise.keeps_output = true;
    const int64_t rows = w->tokens / ratio;
    nnc_op *norm = nnc_list_norm(&w->to, names[2], NNC_NORM_RMS, nnc_list_mul(&w->to, rows, width), rows, width);
    norm->split = NNC_SPLIT_SEQUENCE;
    norm->u.norm.keeps_input = true;
}

/* Appends the ops of an indexer, which selects compressed keys (one key for several tokens): products of the indexer's
 * queries with its keys, then a weighted sum of these products over the heads of the indexer. */
static void pick_keys(const nnc_layer_writer *w, const nnc_decoder *d) {
    static const char *const names[] = { "index.kv", "index.pool", "index.norm" };
    const int64_t heads = d->index_heads, width = d->index_dim, ratio = d->index_ratio;
    const int64_t keys = w->seq_len / ratio;
    compress(w, names, width, ratio, true);
    nnc_layer_linear(w, "index.q", NNC_GROUP_ATTENTION, NNC_SPLIT_SEQUENCE, heads * width, d->q_lora_rank, false)
        ->u.matmul.keeps_a = false;
    nnc_layer_linear(w, "index.weights", NNC_GROUP_ATTENTION, NNC_SPLIT_SEQUENCE, heads, d->hidden, false)
        ->u.matmul.keeps_a = false;
    const double all = (double)nnc_list_mul(&w->to, w->seq_len, keys);
    const double pairs = (double)(keys * (w->seq_len + 1)) - (double)(ratio * keys * (keys + 1)) / 2.0;
    index_product(w, d, false, keys, pairs, all);
    index_product(w, d, true, keys, pairs, all);
}

void nnc_decoder_project_shared(const nnc_layer_writer *w, const nnc_decoder *d, nnc_mixer mixer) {
    static const char *const names[] = { "attn.far_kv", "attn.far_pool", "attn.far_norm" };
    const nnc_layer *l = w->layer;
    nnc_layer_linear(w, "attn.q_down", NNC_GROUP_ATTENTION, NNC_SPLIT_SEQUENCE, d->q_lora_rank, d->hidden, false)
        ->u.matmul.keeps_a = !nnc_list_recomputes(&w->to, NNC_RECOMPUTE_NORM);
    nnc_layer_norm(w, "attn.q_norm", d->q_lora_rank);
    nnc_layer_linear(w, "attn.kv", NNC_GROUP_ATTENTION, NNC_SPLIT_SEQUENCE, l->head_dim, d->hidden, false)
        ->u.matmul.keeps_a = false;
    nnc_layer_norm(w, "attn.kv_norm", l->head_dim);
    if (mixer == NNC_MIXER_FAR || mixer == NNC_MIXER_FAR_PICKED) {
        compress(w, names, l->head_dim, l->far_ratio, mixer == NNC_MIXER_FAR_PICKED);
    }
    if (mixer == NNC_MIXER_FAR_PICKED) { pick_keys(w, d); }
    nnc_layer_tensor_collective(w, "attn.tensor_in", true, d->q_lora_rank + l->head_dim);
    nnc_layer_linear(w, "attn.q_up", NNC_GROUP_ATTENTION, NNC_SPLIT_COLUMN, l->heads * l->head_dim, d->q_lora_rank,
                     false);
    nnc_op *norm =
        nnc_list_norm(&w->to, "attn.head_norm", NNC_NORM_RMS, nnc_list_mul(&w->to, w->tokens, l->heads * l->head_dim),
                      nnc_list_mul(&w->to, w->tokens, l->heads), 0);
    norm->split = NNC_SPLIT_INNER;
    /* rotates the queries, the key, and the output of attention (in the reverse direction); each rotation is a rotary
     * embedding */
    nnc_layer_rotary(w, "attn.rotary", (2 * l->heads + 1) * l->rotary);
}

/* Appends the ops of several residual streams (hyper-connections). With hyper-connections, the input of attention or
 * MLP is a weighted sum of the streams. The output of attention or MLP is added to each stream with a weight, and the
 * streams are mixed with each other. For the head, only the weighted sum of the streams is computed. Source:
 * DeepseekV4HyperConnection and DeepseekV4HyperHead of transformers, modular_deepseek_v4.py. [streams] */
void nnc_decoder_streams(const nnc_layer_writer *w, const nnc_decoder *d, const char *const *half) {
    const int64_t n = d->streams, weights = half != NULL ? (2 + n) * n : n;
    const int64_t wide = nnc_list_mul(&w->to, w->hidden_elements, n);
    const nnc_group group = half != NULL ? NNC_GROUP_MLP : NNC_GROUP_HEAD;
    nnc_op *mix = nnc_layer_linear(w, half != NULL ? half[0] : "head.stream_weights", group, NNC_SPLIT_SEQUENCE,
                                   weights, n * d->hidden, false);
    /* the linear layer that computes the weights of the streams has one bias for each weight of the streams, and one
     * scale for each kind of weight */
    mix->weights.vector = weights + (half != NULL ? 3 : 1);
    nnc_op *in = nnc_list_pointwise(&w->to, half != NULL ? half[1] : "head.streams_in", NNC_PW_COMBINE, group,
                                    w->hidden_elements);
    in->split = NNC_SPLIT_SEQUENCE;
    in->u.pointwise.input_elements = wide;
    if (half != NULL) {
        nnc_op *out = nnc_list_pointwise(&w->to, half[2], NNC_PW_SCALE, group, wide);
        out->split = NNC_SPLIT_SEQUENCE;
        out->u.pointwise.keeps_input = true;
    }
}

/* Returns numbers of residual streams in a network with attention residuals, in which a reader (attention, MLP or head)
 * reads one stream for each finished block of residual_block layers, and one for the present block. The result is the
 * number of streams that the head reads, or the sum of the numbers that all attentions or all MLPs of the network read.
 * The first attention of the network reads only the embedding. */
static int64_t streams_read(const nnc_decoder *d, nnc_group reader) {
    const int64_t size = d->residual_block;
    if (reader == NNC_GROUP_HEAD) { return (d->layers + size - 1) / size + 1; }
    int64_t sum = 0;
    for (int64_t i = reader == NNC_GROUP_ATTENTION; i < d->layers; i++) {
        sum += reader == NNC_GROUP_ATTENTION ? (i + size - 1) / size + 1 : i / size + 2;
    }
    return sum;
}

/* Appends the weighted sum of the residual streams of all blocks of layers, which `reader` (attention, MLP or head)
 * reads (attention residuals). A softmax over the streams has one score per stream: the product of the normalised
 * stream and a vector. The ops of each layer are written for the mean number of streams over all layers. Source:
 * KimiDecoderLayer of Kimi K3's modeling_kimi_linear.py: _apply_attn_res, with the weights self_attention_res_norm,
 * self_attention_res_proj, mlp_res_norm, mlp_res_proj, output_attn_res_norm and output_attn_res_proj.
 * [attention-residuals] */
void nnc_decoder_read_blocks(const nnc_layer_writer *w, const nnc_decoder *d, nnc_group reader) {
    const char *name = reader == NNC_GROUP_HEAD  ? "head.blocks_in"
                       : reader == NNC_GROUP_MLP ? "mlp.blocks_in"
                                                 : "attn.blocks_in";
    const int64_t read = nnc_list_mul(&w->to, w->hidden_elements, streams_read(d, reader));
    nnc_op *in = nnc_list_pointwise(&w->to, name, NNC_PW_COMBINE, reader, w->hidden_elements);
    in->split = NNC_SPLIT_SEQUENCE;
    in->u.pointwise.input_elements = reader == NNC_GROUP_HEAD ? read : read / d->layers;
    /* the present stream is kept for the gradient of its score; each finished stream is kept once for all layers */
    in->u.pointwise.extra_kept_bytes = nnc_list_bytes(&w->to, w->hidden_elements);
    in->weights.vector = 2 * d->hidden;
}

/* ---- one computed stream, other predicted streams   [altup] ----
 * Source: Gemma3nTextAltUp, Gemma3nTextLaurelBlock and Gemma3nTextDecoderLayer of transformers, modeling_gemma3n.py;
 * arXiv:2301.13310 (AltUp), arXiv:2411.07501 (LAuReL). */

/* Appends the weights of a mixture of the streams: a norm of one stream, one score per stream, and `count` weights. The
 * prediction and the correction of the streams share one norm and one set of scores. Only the call of the function with
 * first = true counts the parameters of norm and scores. */
static void mix_streams(const nnc_layer_writer *w, const nnc_decoder *d, const char *const names[3], int64_t count,
                        bool first) {
    nnc_op *norm = nnc_layer_norm(w, names[0], d->hidden);
    if (!first) { norm->weights = (nnc_weights){ 0 }; }
    nnc_op *router =
        nnc_layer_linear(w, names[1], NNC_GROUP_MLP, NNC_SPLIT_SEQUENCE, d->altup_inputs, d->hidden, false);
    if (!first) { router->weights = (nnc_weights){ 0 }; }
    nnc_layer_linear(w, names[2], NNC_GROUP_MLP, NNC_SPLIT_SEQUENCE, count, d->altup_inputs, false);
}

static nnc_op *write_streams(const nnc_layer_writer *w, const char *name, nnc_pointwise_kind kind, int64_t elements) {
    nnc_op *op = nnc_list_pointwise(&w->to, name, kind, NNC_GROUP_MLP, elements);
    op->split = NNC_SPLIT_SEQUENCE;
    return op;
}

/* Appends the prediction of all streams at the beginning of a layer: each predicted stream is a weighted sum of all
 * streams. */
void nnc_decoder_predict_streams(const nnc_layer_writer *w, const nnc_decoder *d) {
    static const char *const names[] = { "altup.predict_norm", "altup.predict_router", "altup.predict_weights" };
    const int64_t n = d->altup_inputs, wide = nnc_list_mul(&w->to, w->hidden_elements, n);
    mix_streams(w, d, names, n * n, true);
    nnc_op *op = write_streams(w, "altup.predict", NNC_PW_COMBINE, wide);
    op->u.pointwise.input_elements = wide;
    op->u.pointwise.extra_kept_bytes = nnc_list_bytes(&w->to, wide);
}

/* Appends the correction of all streams at the end of a layer: the error of the prediction of the first stream, times a
 * weight, is added to each stream. After the correction, each value of the first stream is multiplied by a learned
 * scale. */
void nnc_decoder_correct_streams(const nnc_layer_writer *w, const nnc_decoder *d) {
    static const char *const names[] = { "altup.correct_norm", "altup.correct_router", "altup.correct_weights" };
    const int64_t n = d->altup_inputs, wide = nnc_list_mul(&w->to, w->hidden_elements, n);
    mix_streams(w, d, names, n, false);
    write_streams(w, "altup.correct", NNC_PW_RESIDUAL, wide);
    nnc_op *scale = write_streams(w, "altup.scale", NNC_PW_SCALE, w->hidden_elements);
    scale->u.pointwise.keeps_input = true;
    scale->weights.vector = d->hidden;
}

/* Appends the matrix product that computes all residual streams except the first from the embedding, and the scaling of
 * these streams. If at_end is true, appends a matrix product for all streams except the first, and the mean of all
 * streams. */
void nnc_decoder_project_streams(const nnc_layer_writer *w, const nnc_decoder *d, bool at_end) {
    const nnc_group group = at_end ? NNC_GROUP_HEAD : NNC_GROUP_EMBEDDING;
    const int64_t others = (d->altup_inputs - 1) * d->hidden;
    nnc_layer_linear(w, at_end ? "head.altup" : "embed.altup", group, NNC_SPLIT_SEQUENCE, others, d->hidden, false);
    nnc_op *op = nnc_list_pointwise(&w->to, at_end ? "head.altup_mean" : "embed.altup_scale",
                                    at_end ? NNC_PW_COMBINE : NNC_PW_SCALE, group,
                                    at_end ? w->hidden_elements : nnc_list_mul(&w->to, w->tokens, others));
    op->split = NNC_SPLIT_SEQUENCE;
    if (at_end) { op->u.pointwise.input_elements = nnc_list_mul(&w->to, w->hidden_elements, d->altup_inputs); }
}

/* Appends the low-rank product that runs parallel to attention, its norm, and two additions to the stream. */
void nnc_decoder_add_laurel(const nnc_layer_writer *w, const nnc_decoder *d) {
    nnc_layer_linear(w, "laurel.left", NNC_GROUP_MLP, NNC_SPLIT_SEQUENCE, d->laurel_rank, d->hidden, false)
        ->u.matmul.keeps_a = false;
    nnc_layer_linear(w, "laurel.right", NNC_GROUP_MLP, NNC_SPLIT_SEQUENCE, d->hidden, d->laurel_rank, false);
    nnc_layer_norm(w, "laurel.norm", d->hidden);
    nnc_list_residual(&w->to, "laurel.residual", NNC_GROUP_MLP, w->hidden_elements)->split = NNC_SPLIT_SEQUENCE;
    nnc_list_residual(&w->to, "laurel.join", NNC_GROUP_MLP, w->hidden_elements)->split = NNC_SPLIT_SEQUENCE;
}

/* Sizes that describe how the tokens of a layer are sent to its routed experts. */
typedef struct routing {
    const nnc_layer_writer *w;
    const nnc_decoder *d;
    int64_t width;        /* number of values of a token that is sent to an expert */
    int64_t copies, rows; /* copies: copies of tokens that the router sends to experts; rows: rows of the products of
                           * all experts, padding included */
    /* share of `rows` that have tokens, not padding; the special value 0 means that no row is padding */
    double useful;
} routing;

static routing routing_of(const nnc_layer_writer *w, const nnc_decoder *d) {
    const double factor = w->to.how->plan->capacity_factor;
    routing r = { .w = w, .d = d, .width = d->expert_latent > 0 ? d->expert_latent : d->hidden };
    r.copies = r.rows = nnc_list_mul(&w->to, w->tokens, d->experts_per_token);
    /* with a capacity factor all experts have equal numbers of slots; the number is rounded up to a whole number */
    if (factor > 0.0) {
        const double slots = factor * (double)r.copies / (double)d->experts;
        int64_t whole = (int64_t)slots;
        whole += (double)whole < slots ? 1 : 0;
        r.rows = nnc_list_mul(&w->to, whole, d->experts);
    }
    const double served = r.rows < r.copies ? (double)r.rows : (double)r.copies;
    r.useful = r.rows == r.copies ? 0.0 : served / (double)r.rows;
    return r;
}

/* Appends a matrix product, in which each routed expert multiplies the tokens that are sent to this expert, and returns
 * the op. Each expert has n x k weights. */
static nnc_op *expert_linear(const routing *r, const char *name, nnc_split split, int64_t n, int64_t k) {
    const int64_t experts = r->d->experts;
    nnc_op *op = nnc_list_linear(&r->w->to, name, NNC_GROUP_MLP, split, r->rows, n, k, false);
    op->weights.vector = r->d->expert_bias ? nnc_list_mul(&r->w->to, experts, n) : 0;
    op->weights.count = experts;
    op->weights.active = r->d->experts_per_token;
    op->u.matmul.experts = experts < r->rows ? experts : r->rows;
    op->u.matmul.one_by_one = r->w->to.how->software->launch_product_s > 0.0;
    op->u.matmul.ragged = !(r->w->to.how->plan->capacity_factor > 0.0);
    op->u.matmul.useful = r->useful;
    return op;
}

static bool sends_once(const nnc_software *s) {
    return s->dispatcher == NNC_DISPATCHER_PROFILE ? s->expert_once_per_node
                                                   : s->dispatcher != NNC_DISPATCHER_ALL_TO_ALL;
}

static bool sorts(const nnc_software *s) {
    return s->dispatcher == NNC_DISPATCHER_PROFILE ? s->expert_sorts : s->dispatcher == NNC_DISPATCHER_ALL_TO_ALL;
}

/* Appends the all-to-all that sends the copies of a rank's tokens to the ranks of their experts (out false), or the
 * results of the experts back (out true). Empty slots of experts are sent, too. With sequence parallelism each tensor
 * rank sends its part of the tokens to the experts. If the profile sends in 8 bits (expert_dispatch_8bit), tokens have
 * 8 bits in forward and the gradients of results have 8 bits in backward. The bytes of the all-to-all are counted for
 * the busiest rank, which receives `imbalance` times the mean. */
static void dispatch_collective(const routing *r, const char *name, bool out) {
    const nnc_writer *to = &r->w->to;
    const nnc_plan *plan = to->how->plan;
    const double ranks = (double)plan->context * (plan->sequence_parallel ? plan->tensor : 1);
    const double copies = (double)r->d->experts_per_token;
    const double padding = (double)r->rows / (double)r->copies;
    if (plan->expert == 1) { return; }
    nnc_collective_op e = { .comm = NNC_COMM_EXPERT,
                            .forward = NNC_ALL_TO_ALL,
                            .backward = NNC_ALL_TO_ALL,
                            .bytes = (double)r->w->tokens * (double)r->width / ranks * copies * padding *
                                     plan->imbalance * nnc_dtype_bytes(to->how->dtype),
                            .copies = copies,
                            .groups = (double)r->d->expert_groups,
                            .groups_met = (double)r->d->groups_per_token,
                            .once_per_node = sends_once(to->how->software) };
    if (to->how->software->expert_dispatch_8bit && to->how->linear_dtype == NNC_FP8) {
        const double scaled = e.bytes / nnc_dtype_bytes(to->how->dtype) * NNC_DISPATCH_8BIT_BYTES;
        e.backward_bytes = out ? scaled : e.bytes;
        e.bytes = out ? e.bytes : scaled;
    }
    nnc_list_collective(to, name, e);
}

static nnc_op *reorder(const routing *r, const char *name, nnc_pointwise_kind kind, int64_t out, int64_t in) {
    nnc_op *op = nnc_list_pointwise(&r->w->to, name, kind, NNC_GROUP_MLP, out);
    op->split = NNC_SPLIT_SEQUENCE;
    op->u.pointwise.input_elements = in;
    return op;
}

/* Appends a copy of the received rows that changes their order: from the order of the sending ranks to the order of the
 * experts, or from the order of the experts back to the order of the ranks. Source: sort_chunks_by_idxs of
 * MoEAlltoAllTokenDispatcher, token_dispatcher.py of Megatron-LM. [experts] */
static void sort_rows(const routing *r, const char *name) {
    const nnc_writer *to = &r->w->to;
    const nnc_plan *plan = to->how->plan;
    if (sorts(to->how->software) && plan->expert > 1 && r->d->experts > plan->expert) {
        nnc_list_pointwise(to, name, NNC_PW_COPY, NNC_GROUP_MLP, nnc_list_mul(to, r->rows, r->width))->split =
            NNC_SPLIT_EXPERT_ROW;
    }
}

/* Appends dispatch (back false) or combine (back true) as a matrix product with a mask. The mask has one row for each
 * slot of each expert and one column for each token of a sequence. The matrix product with the mask counts no model
 * FLOPs. Only the mask of combine needs a gradient, because only this mask contains the weights of the experts'
 * results. Source: dense_matmul of MaxText, src/MaxText/layers/moe.py. [experts] */
static void mask_product(const routing *r, const char *name, bool back) {
    const nnc_layer_writer *w = r->w;
    const int64_t slots = r->rows / w->batch;
    nnc_op *op = nnc_list_add(&w->to, name, NNC_OP_MATMUL, NNC_GROUP_MLP);
    op->split = NNC_SPLIT_TOKENS;
    nnc_matmul_set(&op->u.matmul, w->batch, back ? w->seq_len : slots, r->width, back ? slots : w->seq_len);
    op->u.matmul.useful = -1.0;
    op->u.matmul.needs_grad_input = op->u.matmul.keeps_b = back;
    op->u.matmul.keeps_a = true;
    nnc_list_mul(&w->to, nnc_list_mul(&w->to, r->rows, r->width), w->seq_len);
}

/* If the profile does not fuse the clamp of an expert's gate and up values into the activation kernel: appends an op
 * before the activation that clamps gate and up values and writes all of them to one tensor. Returns true if the clamp
 * was appended as an op and is recomputed in backward. Source: weighted_bias_quick_geglu_impl of Megatron-LM,
 * megatron/core/fusions/fused_bias_geglu.py. [experts] */
static bool clamp(const routing *r) {
    const nnc_layer_writer *w = r->w;
    if (!r->d->expert_clamp || w->to.how->software->fused_expert_clamp) { return false; }
    const int64_t inner = nnc_list_mul(&w->to, r->rows, r->d->expert_hidden);
    nnc_op *op = nnc_list_pointwise(&w->to, "moe.clamp", NNC_PW_CLAMP, NNC_GROUP_MLP, nnc_list_mul(&w->to, inner, 2));
    op->split = NNC_SPLIT_EXPERT_INNER;
    op->recomputed = nnc_layer_acts_again(w, NNC_SPLIT_EXPERT_INNER);
    op->u.pointwise.keeps_input = true;
    return op->recomputed;
}

/* Appends the op that copies the bias of each expert to every row of this expert. Source: transform_bias of MaxText,
 * src/MaxText/layers/moe.py. [experts] */
static void gather_bias(const routing *r, int64_t width) {
    const nnc_writer *to = &r->w->to;
    nnc_op *op = nnc_list_pointwise(to, "moe.bias", NNC_PW_DISPATCH, NNC_GROUP_MLP, nnc_list_mul(to, r->rows, width));
    op->split = NNC_SPLIT_EXPERT_ROW;
    op->u.pointwise.input_elements = nnc_list_mul(to, r->d->experts, width);
}

static void routed(const routing *r) {
    const nnc_layer_writer *w = r->w;
    const nnc_decoder *d = r->d;
    const int64_t copied = nnc_list_mul(&w->to, r->copies, r->width);
    const int64_t single = nnc_list_mul(&w->to, w->tokens, r->width);
    const bool masked = w->to.how->software->expert_masks && w->to.how->plan->capacity_factor > 0.0;
    if (masked) {
        mask_product(r, "moe.dispatch", false);
    } else {
        reorder(r, "moe.dispatch", NNC_PW_DISPATCH, copied, single);
    }
    dispatch_collective(r, "moe.all_to_all_in", false);
    sort_rows(r, "moe.sort");
    const bool gated = nnc_mlp_gated(d->mlp);
    expert_linear(r, gated ? "moe.gate_up" : "moe.up", NNC_SPLIT_EXPERT_COLUMN,
                  gated ? 2 * d->expert_hidden : d->expert_hidden, r->width);
    const bool scored = w->to.how->software->expert_scores_first;
    const bool clamped_again = clamp(r);
    nnc_op *act = nnc_layer_activation(w, "moe.activation", NNC_SPLIT_EXPERT_INNER,
                                       nnc_list_mul(&w->to, r->rows, d->expert_hidden));
    act->u.pointwise.weighted = scored;
    act->u.pointwise.keeps_input = !clamped_again;
    expert_linear(r, "moe.down", NNC_SPLIT_EXPERT_ROW, r->width, d->expert_hidden)->u.matmul.keeps_a =
        !nnc_layer_acts_again(w, NNC_SPLIT_EXPERT_INNER);
    if (d->expert_bias && w->to.how->software->expert_bias_gathered) {
        gather_bias(r, (gated ? 2 : 1) * d->expert_hidden + r->width);
    } else if (d->expert_bias && !w->to.how->software->fused_expert_bias) {
        nnc_op *bias = nnc_list_pointwise(&w->to, "moe.bias", NNC_PW_EXPERT_BIAS, NNC_GROUP_MLP,
                                          nnc_list_mul(&w->to, r->rows, r->width));
        bias->split = NNC_SPLIT_EXPERT_ROW;
        bias->u.pointwise.fused = false;
    }
    sort_rows(r, "moe.unsort");
    dispatch_collective(r, "moe.all_to_all_out", true);
    if (masked) {
        mask_product(r, "moe.combine", true);
        return;
    }
    nnc_op *combine = reorder(r, "moe.combine", scored ? NNC_PW_SUM_COPIES : NNC_PW_COMBINE, single, copied);
    /* Combine keeps the unweighted results of the experts for backward, because the gradient of the scores (the weights
     * of these results) is computed from the results. */
    if (!scored) { combine->u.pointwise.extra_kept_bytes = nnc_list_bytes(&w->to, copied); }
}

/* Appends the norms of a layer with experts: one before and one after the routed experts, one after the shared expert,
 * and one before the router. The router multiplies its normalised input by one weight per value, and its results by one
 * weight per expert. Source: Gemma4TextDecoderLayer and Gemma4TextRouter of transformers, modeling_gemma4.py.
 * [experts] */
static void expert_norms(const nnc_layer_writer *w, const nnc_decoder *d) {
    nnc_layer_norm(w, "moe.norm", d->hidden);
    nnc_layer_norm(w, "moe.end_norm", d->hidden);
    nnc_layer_norm(w, "moe.shared_end_norm", d->hidden);
    nnc_layer_norm(w, "moe.router_norm", d->hidden);
    nnc_op *scale = nnc_list_pointwise(&w->to, "moe.expert_scale", NNC_PW_SCALE, NNC_GROUP_MLP,
                                       nnc_list_mul(&w->to, w->tokens, d->experts_per_token));
    scale->split = NNC_SPLIT_SEQUENCE;
    scale->weights.vector = d->experts;
}

void nnc_decoder_experts(const nnc_layer_writer *w, const nnc_decoder *d) {
    const nnc_mlp_names shared = { nnc_mlp_gated(d->mlp) ? "moe.shared_gate_up" : "moe.shared_up",
                                   "moe.shared_activation", "moe.shared_down" };
    const routing r = routing_of(w, d);
    /* With sequence parallelism, tensor ranks divide the tokens of the layer. If tensor ranks split each routed expert,
     * a rank gathers all copies of all tokens; for the shared expert, a rank gathers all tokens once. */
    const nnc_plan *plan = w->to.how->plan;
    const int64_t sliced = plan->whole_experts ? 0 : d->experts_per_token;
    const int64_t copies = sliced + (d->shared_hidden > 0 ? 1 : 0);
    const int64_t width = d->hidden * (plan->sequence_parallel ? copies : 1);

    nnc_layer_begin_norm(w, "mlp.norm");
    const int32_t first = w->to.list->count;
    if (width > 0) { nnc_layer_tensor_collective(w, "mlp.tensor_in", true, width); }
    const int64_t scored = d->experts + d->idle_experts;
    nnc_op *router = nnc_layer_linear(w, "moe.router", NNC_GROUP_MLP, NNC_SPLIT_SEQUENCE, scored, d->hidden, false);
    router->u.matmul.keeps_a = !nnc_list_recomputes(&w->to, NNC_RECOMPUTE_NORM);
    router->weights.vector = d->router_bias ? scored : 0;
    nnc_op *scores = nnc_list_pointwise(&w->to, "moe.scores", NNC_PW_SOFTMAX, NNC_GROUP_MLP,
                                        nnc_list_mul(&w->to, w->tokens, scored));
    scores->split = NNC_SPLIT_SEQUENCE;
    scores->u.pointwise.keeps_output = true;
    if (d->shared_hidden > 0) {
        const int32_t inner = w->to.list->count;
        /* the input of the shared expert is the input of the router, and the router counts its kept bytes */
        nnc_layer_dense(w, &shared, d->shared_hidden, false);
        if (nnc_list_recomputes(&w->to, NNC_RECOMPUTE_SHARED_EXPERTS)) { nnc_list_again(&w->to, inner); }
    }
    if (d->shared_gate) {
        nnc_layer_linear(w, "moe.shared_gate", NNC_GROUP_MLP, NNC_SPLIT_SEQUENCE, 1, d->hidden, false)
            ->u.matmul.keeps_a = false;
        nnc_op *gate = nnc_list_pointwise(&w->to, "moe.shared_scale", NNC_PW_SCALE, NNC_GROUP_MLP, w->hidden_elements);
        gate->split = NNC_SPLIT_SEQUENCE;
        gate->u.pointwise.keeps_input = true;
    }
    if (d->expert_norms) { expert_norms(w, d); }
    if (d->expert_latent > 0) { /* projection to the width of the routed experts. Source: NemotronHMoE of vLLM,
                                 * nemotron_h.py */
        nnc_layer_linear(w, "moe.latent_in", NNC_GROUP_MLP, NNC_SPLIT_SEQUENCE, r.width, d->hidden, false)
            ->u.matmul.keeps_a = false;
    }
    routed(&r);
    if (d->latent_norm) { nnc_layer_norm(w, "moe.latent_norm", r.width); }
    if (d->expert_latent > 0) {
        nnc_layer_linear(w, "moe.latent_out", NNC_GROUP_MLP, NNC_SPLIT_SEQUENCE, d->hidden, r.width, false);
    }
    if (width > 0) { nnc_layer_tensor_collective(w, "mlp.tensor_out", false, width); }
    if (nnc_list_recomputes(&w->to, NNC_RECOMPUTE_MOE)) { nnc_list_again(&w->to, first); }
    nnc_layer_join(w, "mlp.end_norm", "mlp.residual", NNC_GROUP_MLP);
}

/* ---- inputs of layers   [layer-inputs] ----
 * The inputs of a layer are a row of a table, plus a projection of the token's embedding with a norm for each layer. At
 * the end of the layer, a linear layer projects the residual stream to the width of the layer's inputs. An activation
 * function follows on the linear layer; its result is multiplied by the inputs of the layer. A second linear layer and
 * a norm follow, and the result is added to the stream. Tensor ranks do not divide the linear layers of the inputs.
 * Source: Gemma4TextModel and Gemma4TextDecoderLayer of transformers, modeling_gemma4.py. */

void nnc_decoder_embed_inputs(const nnc_layer_writer *w, const nnc_decoder *d) {
    const int64_t rows = nnc_vocab_split(d->layer_input_vocab, w->to.how->plan->tensor);
    const int64_t width = nnc_list_mul(&w->to, d->layers, d->layer_input_width);
    const int64_t elements = nnc_list_mul(&w->to, w->tokens, width);
    nnc_op *table = nnc_list_add(&w->to, "embed.inputs", NNC_OP_EMBEDDING, NNC_GROUP_EMBEDDING);
    table->split = NNC_SPLIT_VOCAB;
    table->weights = (nnc_weights){ .count = 1, .rows = rows, .cols = width, .table = true };
    table->u.embedding = (nnc_embedding){ .tokens = w->tokens, .width = width };
    w->to.list->lookup_params += nnc_list_mul(&w->to, rows, width);
    nnc_layer_tensor_collective(w, "embed.inputs_tensor", false, width);
    nnc_layer_linear(w, "embed.inputs_project", NNC_GROUP_EMBEDDING, NNC_SPLIT_SEQUENCE, width, d->hidden, false);
    nnc_list_norm(&w->to, "embed.inputs_norm", d->norm, elements, nnc_list_mul(&w->to, w->tokens, d->layers),
                  d->layer_input_width)
        ->split = NNC_SPLIT_SEQUENCE;
    nnc_list_pointwise(&w->to, "embed.inputs_sum", NNC_PW_RESIDUAL, NNC_GROUP_EMBEDDING, elements)->split =
        NNC_SPLIT_SEQUENCE;
}

void nnc_decoder_add_input(const nnc_layer_writer *w, const nnc_decoder *d) {
    const int64_t width = d->layer_input_width;
    nnc_layer_linear(w, "input.project", NNC_GROUP_MLP, NNC_SPLIT_SEQUENCE, width, d->hidden, false);
    nnc_layer_activation(w, "input.activation", NNC_SPLIT_SEQUENCE, nnc_list_mul(&w->to, w->tokens, width));
    nnc_layer_linear(w, "input.expand", NNC_GROUP_MLP, NNC_SPLIT_SEQUENCE, d->hidden, width, false);
    nnc_layer_norm(w, "input.norm", d->hidden);
    /* if the model has several residual streams (altup), the result is added to all streams except the first */
    if (d->altup_inputs > 1) {
        const int64_t others = nnc_list_mul(&w->to, w->hidden_elements, d->altup_inputs - 1);
        write_streams(w, "input.residual", NNC_PW_RESIDUAL, others);
    } else {
        nnc_layer_residual(w, "input.residual", NNC_GROUP_MLP);
    }
}

/* ---- mixers that keep a state instead of keys and values   [state-mixers] ----
 * Sources: Mamba arXiv:2312.00752; Mamba-2 arXiv:2405.21060; gated delta rule arXiv:2412.06464; lightning attention
 * arXiv:2501.08313; short convolutions arXiv:2511.23404. */

enum { CHUNK = 256, DELTA_CHUNK = 64 };

static nnc_op *linear(const nnc_layer_writer *w, const char *name, nnc_split split, int64_t n, int64_t k, bool bias) {
    return nnc_layer_linear(w, name, NNC_GROUP_ATTENTION, split, n, k, bias);
}

/* Appends the first matrix product of a mixer with a state. keeps_input: true = this product counts the kept bytes of
 * its input, which is the output of the norm before the mixer. */
static void enter(const nnc_layer_writer *w, int64_t n, bool keeps_input) {
    const nnc_layer *l = w->layer;
    nnc_layer_tensor_collective(w, "ssm.tensor_in", true, l->hidden);
    linear(w, "ssm.in", NNC_SPLIT_COLUMN, n, l->hidden, l->qkv_bias)->u.matmul.keeps_a =
        keeps_input && !nnc_list_recomputes(&w->to, NNC_RECOMPUTE_NORM);
}

static void leave(const nnc_layer_writer *w, int64_t width) {
    const nnc_layer *l = w->layer;
    linear(w, "ssm.out", NNC_SPLIT_ROW, l->hidden, width, l->out_bias);
    nnc_layer_tensor_collective(w, "ssm.tensor_out", false, l->hidden);
    nnc_layer_join(w, "ssm.end_norm", "ssm.residual", NNC_GROUP_ATTENTION);
}

static nnc_op *pointwise(const nnc_layer_writer *w, const char *name, nnc_pointwise_kind kind, int64_t width) {
    nnc_op *op = nnc_list_pointwise(&w->to, name, kind, NNC_GROUP_ATTENTION, nnc_list_mul(&w->to, w->tokens, width));
    op->split = NNC_SPLIT_INNER;
    return op;
}

/* Appends a causal depthwise convolution and, if `silu` is true, a SiLU in the same kernel. Only the input of the
 * causal convolution is kept for backward. */
static void convolve(const nnc_layer_writer *w, const nnc_decoder *d, int64_t channels, bool silu) {
    const nnc_conv conv = { .batch = w->batch,
                            .c_in = channels,
                            .c_out = channels,
                            .h_in = w->seq_len,
                            .w_in = 1,
                            .h_out = w->seq_len,
                            .w_out = 1,
                            .kernel = d->conv_kernel,
                            .stride = 1,
                            .groups = channels,
                            .kernel_w = 1,
                            .needs_grad_input = true,
                            .keeps_input = true };
    nnc_list_conv(&w->to, "ssm.conv", NNC_GROUP_ATTENTION, &conv, d->conv_bias)->split = NNC_SPLIT_INNER;
    if (silu) { pointwise(w, "ssm.conv_act", NNC_PW_SILU, channels); }
}

static void gate(const nnc_layer_writer *w, const char *name, int64_t width) {
    pointwise(w, name, NNC_PW_SWIGLU, width)->u.pointwise.keeps_input = true;
}

static void scan(const nnc_layer_writer *w, nnc_scan dims, int64_t params) {
    nnc_op *op = nnc_list_add(&w->to, "ssm.scan", NNC_OP_SCAN, NNC_GROUP_ATTENTION);
    dims.tokens = w->tokens;
    op->u.scan = dims;
    op->weights.vector = params;
    nnc_list_mul(&w->to, nnc_list_mul(&w->to, w->tokens, dims.inner), dims.state);
}

/* Appends an RMS norm of the values that a mixer reads from its state. With heads = 1, the RMS norm is over all values
 * of a token. With more heads, the RMS norm is over the values of each head, and all heads share the weights of the
 * norm. */
static void state_norm(const nnc_layer_writer *w, int64_t width, int64_t heads) {
    nnc_op *op = nnc_list_norm(&w->to, "ssm.state_norm", NNC_NORM_RMS, nnc_list_mul(&w->to, w->tokens, width),
                               nnc_list_mul(&w->to, w->tokens, heads), width / heads);
    op->split = NNC_SPLIT_INNER;
    op->u.norm.across_heads = heads == 1;
}

static void mamba(const nnc_layer_writer *w, const nnc_decoder *d) {
    const int64_t inner = d->ssm_inner, projected = d->ssm_rank + 2 * d->ssm_state;
    enter(w, 2 * inner, true);
    convolve(w, d, inner, true);
    linear(w, "ssm.x", NNC_SPLIT_ROW, projected, inner, false);
    nnc_layer_tensor_collective(w, "ssm.tensor_x", false, projected);
    if (d->ssm_norms) {
        nnc_layer_norm(w, "ssm.rank_norm", d->ssm_rank);
        nnc_layer_norm(w, "ssm.key_norm", d->ssm_state);
        nnc_layer_norm(w, "ssm.query_norm", d->ssm_state);
    }
    linear(w, "ssm.step", NNC_SPLIT_COLUMN, inner, d->ssm_rank, true);
    scan(w, (nnc_scan){ .inner = inner, .state = d->ssm_state, .groups = 1 },
         nnc_list_mul(&w->to, inner, d->ssm_state + 1));
    gate(w, "ssm.gate", inner);
    leave(w, inner);
}

static void mamba2_behind(const nnc_layer_writer *w, const nnc_decoder *d, bool keeps_input) {
    const int64_t inner = d->ssm_inner, keys = d->ssm_groups * d->ssm_state;
    enter(w, 2 * inner + 2 * keys + d->ssm_heads, keeps_input);
    convolve(w, d, inner + 2 * keys, true);
    scan(w,
         (nnc_scan){ .inner = inner,
                     .state = d->ssm_state,
                     .groups = d->ssm_groups,
                     .heads = d->ssm_heads,
                     .chunk = d->ssm_chunk > 0 ? d->ssm_chunk : CHUNK },
         3 * d->ssm_heads);
    gate(w, "ssm.gate", inner);
    if (!d->no_state_norm) { state_norm(w, inner, 1); }
    leave(w, inner);
}

static void mamba2(const nnc_layer_writer *w, const nnc_decoder *d) { mamba2_behind(w, d, true); }

/* Appends a mixer that consists of attention and Mamba-2: both read the same input, and their outputs are added.
 * Source: arXiv:2507.22448, section 2. */
static void attention_and_mamba2(const nnc_layer_writer *w, const nnc_decoder *d) {
    nnc_attention_names names = nnc_attention_plain;
    names.residual = NULL;
    nnc_layer_project(w, &names, NULL);
    nnc_layer_attend(w, &names, NULL);
    nnc_list_residual(&w->to, "attn.beside", NNC_GROUP_ATTENTION, w->hidden_elements);
    mamba2_behind(w, d, false);
}

/* Appends the convolution, the recurrence and the norm of a gated delta rule. params: number of weights of the
 * recurrence. */
static void delta_rule(const nnc_layer_writer *w, const nnc_decoder *d, int64_t params) {
    const int64_t inner = d->ssm_inner;
    convolve(w, d, inner + 2 * d->ssm_groups * d->ssm_state, true);
    scan(w,
         (nnc_scan){ .inner = inner,
                     .state = d->ssm_state,
                     .groups = d->ssm_groups,
                     .heads = d->ssm_heads,
                     .chunk = d->ssm_chunk > 0 ? d->ssm_chunk : DELTA_CHUNK,
                     .delta = true },
         params);
    state_norm(w, inner, d->ssm_heads);
    gate(w, "ssm.gate", inner);
    leave(w, inner);
}

static void gated_delta(const nnc_layer_writer *w, const nnc_decoder *d) {
    enter(w, 2 * d->ssm_inner + 2 * d->ssm_groups * d->ssm_state, true);
    linear(w, "ssm.decay", NNC_SPLIT_COLUMN, 2 * d->ssm_heads, w->layer->hidden, false)->u.matmul.keeps_a = false;
    delta_rule(w, d, 2 * d->ssm_heads);
}

/* Appends a mixer with a decay for each value of a key, and one weight per head for the update of the state. One linear
 * layer computes ssm_rank values per token for the decays and, unless ssm_full_gate is set, ssm_rank values for the
 * gate; further linear layers project these values to decays and gate. Source: arXiv:2510.26692, section 3. */
static void kimi_delta(const nnc_layer_writer *w, const nnc_decoder *d) {
    const int64_t inner = d->ssm_inner, keys = d->ssm_heads * d->ssm_state;
    enter(w, inner + 2 * d->ssm_groups * d->ssm_state, true);
    linear(w, "ssm.update", NNC_SPLIT_COLUMN, d->ssm_heads, w->layer->hidden, false)->u.matmul.keeps_a = false;
    const int64_t ranks = d->ssm_full_gate ? d->ssm_rank : 2 * d->ssm_rank;
    linear(w, "ssm.ranks", NNC_SPLIT_TOKENS, ranks, w->layer->hidden, false)->u.matmul.keeps_a = false;
    linear(w, "ssm.decay", NNC_SPLIT_COLUMN, keys, d->ssm_rank, false);
    linear(w, "ssm.gate_in", NNC_SPLIT_COLUMN, inner, d->ssm_full_gate ? w->layer->hidden : d->ssm_rank, false)
        ->u.matmul.keeps_a = !d->ssm_full_gate;
    delta_rule(w, d, nnc_list_mul(&w->to, d->ssm_heads, d->ssm_state + 1));
}

static void lightning(const nnc_layer_writer *w, const nnc_decoder *d) {
    const int64_t inner = d->heads * d->head_dim;
    enter(w, 3 * inner, true);
    pointwise(w, "ssm.activation", NNC_PW_SILU, 3 * inner)->u.pointwise.keeps_input = true;
    scan(w,
         (nnc_scan){ .inner = inner,
                     .state = d->head_dim,
                     .groups = d->heads,
                     .heads = d->heads,
                     .chunk = d->ssm_chunk > 0 ? d->ssm_chunk : CHUNK },
         0);
    state_norm(w, inner, 1);
    linear(w, "ssm.gate_in", NNC_SPLIT_COLUMN, inner, w->layer->hidden, false)->u.matmul.keeps_a = false;
    gate(w, "ssm.gate", inner);
    leave(w, inner);
}

static void short_conv(const nnc_layer_writer *w, const nnc_decoder *d) {
    enter(w, 3 * d->hidden, true);
    gate(w, "ssm.gate_in", d->hidden);
    convolve(w, d, d->hidden, false);
    gate(w, "ssm.gate", d->hidden);
    leave(w, d->hidden);
}

typedef void mixer_writer(const nnc_layer_writer *w, const nnc_decoder *d);
/* NULL: this mixer is an attention, which keeps keys and values instead of a state */
static mixer_writer *const NNC_ROW(NNC_MIXER_FULL) = NULL;
static mixer_writer *const NNC_ROW(NNC_MIXER_WINDOW) = NULL;
static mixer_writer *const NNC_ROW(NNC_MIXER_CHUNK) = NULL;
static mixer_writer *const NNC_ROW(NNC_MIXER_UNROTATED) = NULL;
static mixer_writer *const NNC_ROW(NNC_MIXER_MAMBA) = mamba;
static mixer_writer *const NNC_ROW(NNC_MIXER_MAMBA2) = mamba2;
static mixer_writer *const NNC_ROW(NNC_MIXER_GATED_DELTA) = gated_delta;
static mixer_writer *const NNC_ROW(NNC_MIXER_LIGHTNING) = lightning;
static mixer_writer *const NNC_ROW(NNC_MIXER_SHORT_CONV) = short_conv;
static mixer_writer *const NNC_ROW(NNC_MIXER_BESIDE) = attention_and_mamba2;
static mixer_writer *const NNC_ROW(NNC_MIXER_NONE) = NULL;
static mixer_writer *const NNC_ROW(NNC_MIXER_PICKED) = NULL;
static mixer_writer *const NNC_ROW(NNC_MIXER_ALL) = NULL;
static mixer_writer *const NNC_ROW(NNC_MIXER_FAR) = NULL;
static mixer_writer *const NNC_ROW(NNC_MIXER_FAR_PICKED) = NULL;
static mixer_writer *const NNC_ROW(NNC_MIXER_KIMI_DELTA) = kimi_delta;
static mixer_writer *const *const mixers[] = { NNC_MIXER_LIST(NNC_ROW_AT) };

bool nnc_mixer_attends(nnc_mixer mixer) { return *mixers[mixer] == NULL && mixer != NNC_MIXER_NONE; }

void nnc_decoder_keep_state(const nnc_layer_writer *w, const nnc_decoder *d, nnc_mixer mixer) {
    if (*mixers[mixer] != NULL) {
        nnc_layer_begin_norm(w, "ssm.norm");
        (*mixers[mixer])(w, d);
    }
}
