/* Writes the ops of one layer of a transformer: attention, MLP, norms, residuals, and the collectives between tensor
 * ranks and between context ranks. Families that use this file: decoders, encoders, vision transformers, and U-Nets for
 * their attention. */
#include "base/base_internal.h"
#include "shape/shape_internal.h"

const nnc_attention_names nnc_attention_plain = {
    "attn.norm",
    "attn.tensor_in",
    "attn.qkv",
    NULL,
    "attn.rotary",
    "attn.context_in",
    { "attn.core", "attn.scores", "attn.mask", "attn.softmax", "attn.dropout", "attn.context" },
    "attn.context_out",
    "attn.out",
    "attn.tensor_out",
    "attn.end_norm",
    "attn.residual",
};

static const nnc_pointwise_kind NNC_ROW(NNC_MLP_GELU) = NNC_PW_GELU;
static const nnc_pointwise_kind NNC_ROW(NNC_MLP_RELU) = NNC_PW_RELU;
static const nnc_pointwise_kind NNC_ROW(NNC_MLP_RELU2) = NNC_PW_RELU2;
static const nnc_pointwise_kind NNC_ROW(NNC_MLP_SILU) = NNC_PW_SILU;
static const nnc_pointwise_kind NNC_ROW(NNC_MLP_SWIGLU) = NNC_PW_SWIGLU;
static const nnc_pointwise_kind NNC_ROW(NNC_MLP_GEGLU) = NNC_PW_GEGLU;
static const nnc_pointwise_kind *const activations[] = { NNC_MLP_LIST(NNC_ROW_AT) };

nnc_layer_writer nnc_layer_begin(const nnc_writer *w, const nnc_layer *layer, int64_t batch, int64_t seq_len) {
    const int64_t tokens = nnc_list_mul(w, batch, seq_len);
    return (nnc_layer_writer){ .to = *w,
                               .layer = layer,
                               .batch = batch,
                               .seq_len = seq_len,
                               .tokens = tokens,
                               .hidden_elements = nnc_list_mul(w, tokens, layer->hidden) };
}

static int64_t norm_params(const nnc_layer *l, int64_t width) {
    return l->plain_norms ? 0 : width * (l->norm_bias ? 2 : 1);
}

nnc_op *nnc_layer_norm(const nnc_layer_writer *w, const char *name, int64_t width) {
    nnc_op *op = nnc_list_norm(&w->to, name, w->layer->norm, nnc_list_mul(&w->to, w->tokens, width), w->tokens,
                               norm_params(w->layer, width));
    op->split = NNC_SPLIT_SEQUENCE;
    return op;
}

void nnc_layer_begin_norm(const nnc_layer_writer *w, const char *name) {
    const nnc_norm_place place = w->layer->norm_place;
    if (place != NNC_NORM_POST && place != NNC_NORM_BRANCH) { nnc_layer_norm(w, name, w->layer->hidden); }
}

nnc_op *nnc_layer_linear(const nnc_layer_writer *w, const char *name, nnc_group group, nnc_split split, int64_t n,
                         int64_t k, bool bias) {
    return nnc_list_linear(&w->to, name, group, split, w->tokens, n, k, bias);
}

void nnc_layer_residual(const nnc_layer_writer *w, const char *name, nnc_group group) {
    nnc_op *op = nnc_list_residual(&w->to, name, group, w->hidden_elements);
    if (w->layer->dropout > 0.0) {
        op->u.pointwise.kind = NNC_PW_BIAS_DROPOUT_RESIDUAL;
        op->u.pointwise.random_written = w->to.how->software->random_written;
        op->u.pointwise.keeps_mask = true;
    }
}

void nnc_layer_join(const nnc_layer_writer *w, const char *norm, const char *name, nnc_group group) {
    const nnc_norm_place place = w->layer->norm_place;
    if (place == NNC_NORM_BRANCH || place == NNC_NORM_SANDWICH) { nnc_layer_norm(w, norm, w->layer->hidden); }
    nnc_layer_residual(w, name, group);
    if (place == NNC_NORM_POST) { nnc_layer_norm(w, norm, w->layer->hidden); }
}

void nnc_layer_dropout(const nnc_layer_writer *w, const char *name, nnc_group group) {
    if (w->layer->dropout > 0.0) {
        nnc_op *op = nnc_list_pointwise(&w->to, name, NNC_PW_DROPOUT, group, w->hidden_elements);
        op->split = NNC_SPLIT_SEQUENCE;
        op->u.pointwise.keeps_mask = true;
        op->u.pointwise.random_written = w->to.how->software->random_written;
    }
}

/* ---- tensor parallelism: collectives at the start and end of the parts of a layer that tensor ranks divide ---- */

void nnc_layer_tensor_collective(const nnc_layer_writer *w, const char *name, bool entering, int64_t width) {
    const nnc_plan *plan = w->to.how->plan;
    nnc_collective_op e = { .comm = NNC_COMM_TENSOR };
    if (plan->tensor == 1) { return; }
    e.bytes = (double)w->tokens / (double)plan->context * nnc_list_bytes(&w->to, width);
    if (plan->sequence_parallel) {
        e.forward = entering ? NNC_ALL_GATHER : NNC_REDUCE_SCATTER;
        e.backward = entering ? NNC_REDUCE_SCATTER : NNC_ALL_GATHER;
        /* In backward, the weight gradient needs the input of all tokens, but each rank has kept only its part, so the
         * input is gathered a second time. */
        e.backward_again = entering ? NNC_ALL_GATHER : NNC_NO_COLLECTIVE;
    } else {
        e.forward = entering ? NNC_NO_COLLECTIVE : NNC_ALL_REDUCE;
        e.backward = entering ? NNC_ALL_REDUCE : NNC_NO_COLLECTIVE;
    }
    nnc_list_collective(&w->to, name, e);
}

/* Appends the collective at the start (entering true) or at the end (entering false) of the linear layers that tensor
 * ranks divide. If the profile has narrow_gathers, all-gathers send the 8-bit or 4-bit operands of the products, except
 * inputs that an adapter reads, which have 16 bits. A reduce-scatter adds values, so these values are sent in the
 * format of the activations. */
static void linear_collective(const nnc_layer_writer *w, const char *name, bool entering, int64_t width) {
    const nnc_lowering *how = w->to.how;
    const double wide = nnc_dtype_bytes(how->dtype), narrow = nnc_dtype_bytes(how->linear_dtype);
    const bool adapted = entering && how->plan->adapter_rank > 0;
    const int32_t first = w->to.list->count;
    nnc_layer_tensor_collective(w, name, entering, width);
    if (how->software->narrow_gathers && how->plan->sequence_parallel && narrow < wide && !adapted &&
        w->to.list->count > first) {
        nnc_collective_op *e = &w->to.list->ops[first].u.collective;
        const double sums = e->bytes, tokens = e->bytes / wide * narrow;
        e->bytes = entering ? tokens : sums;
        e->backward_bytes = entering ? sums : tokens;
        e->again_bytes = tokens;
    }
}

/* ---- context parallelism: one row for each kind (ring, all-gather, Ulysses) [context-parallel] ---- */

/* Numbers of elements that one context rank has of the queries, of keys and values together, and of the output of an
 * attention. */
typedef struct context_part {
    double ranks;
    double query, key_value, output;
    double bytes; /* number of bytes of one element */
} context_part;

typedef struct context_row {
    bool over_heads; /* true: each rank computes attention for some heads over all tokens; false: for all heads over its
                      * own tokens */
    /* true: keys and values arrive in several parts; the rank computes attention for each part and merges the
     * results */
    bool in_blocks;
    /* Sets *e to the collective before the attention (before true) or after the attention (before false). Leaves *e
     * unchanged if this kind of context parallelism has no collective before (or after) the attention. */
    void (*collective)(const context_part *part, bool before, nnc_collective_op *e);
} context_row;

/* Collective of ring attention: each rank sends its part of the keys and values to the next rank; a ring of r ranks
 * does this r - 1 times. In backward, the fp32 gradients of keys and values are sent together with the keys and values.
 * Source: arXiv:2310.01889. */
static void pass_blocks(const context_part *part, bool before, nnc_collective_op *e) {
    if (before) {
        e->forward = e->backward = NNC_P2P;
        e->bytes = part->key_value * part->bytes;
        e->backward_bytes = part->key_value * (part->bytes + 4.0);
        e->count = part->ranks - 1.0;
        e->hides = true;
    }
}

static void gather(const context_part *part, bool before, nnc_collective_op *e) {
    if (before) {
        e->forward = e->backward = NNC_ALL_GATHER;
        e->backward_again = NNC_REDUCE_SCATTER;
        e->bytes = part->key_value * part->ranks * part->bytes;
    }
}

/* Collectives of Ulysses: an all-to-all before attention gives each rank all tokens of a part of the heads; an
 * all-to-all after attention gives each rank all heads of a part of the tokens. Source: arXiv:2309.14509. */
static void swap(const context_part *part, bool before, nnc_collective_op *e) {
    e->forward = e->backward = NNC_ALL_TO_ALL;
    e->bytes = (before ? part->query + part->key_value : part->output) * part->bytes;
}

static const context_row NNC_ROW(NNC_CONTEXT_RING) = { false, true, pass_blocks };
static const context_row NNC_ROW(NNC_CONTEXT_ALL_GATHER) = { false, false, gather };
static const context_row NNC_ROW(NNC_CONTEXT_ULYSSES) = { true, false, swap };
static const context_row *const contexts[] = { NNC_CONTEXT_KIND_LIST(NNC_ROW_AT) };

static const context_row *context_of(const nnc_plan *plan) { return contexts[plan->context_kind]; }

bool nnc_context_over_heads(const nnc_plan *plan) { return context_of(plan)->over_heads; }

/* Returns the number of copies of each key and value head: the number of query heads per key-value head if the software
 * copies keys and values to query heads, else 1. */
static int64_t kv_copies(const nnc_layer_writer *w) {
    return w->to.how->software->expanded_kv ? w->layer->heads / w->layer->kv_heads : 1;
}

/* Appends the collective between context ranks before the attention (before true) or after the attention (before
 * false). */
static void context_collective(const nnc_layer_writer *w, const char *name, bool before) {
    const nnc_layer *l = w->layer;
    const nnc_plan *plan = w->to.how->plan;
    const double c = plan->context, t = plan->tensor;
    const double keyed = (double)(kv_copies(w) * l->kv_heads);
    const double own = keyed > t ? keyed / t : 1.0;
    /* each rank of Ulysses gets a key and value head, so with fewer heads than ranks a head is sent several times */
    const double kv_heads = nnc_context_over_heads(plan) && own < c ? c : own;
    const double tokens = (double)w->tokens / c; /* number of tokens that one context rank has */
    const context_part part = {
        .ranks = c,
        .query = tokens * (double)l->heads / t * (double)l->head_dim,
        .key_value = tokens * kv_heads * (double)(l->head_dim + l->value_dim),
        .output = tokens * (double)l->heads / t * (double)l->value_dim,
        .bytes = nnc_dtype_bytes(w->to.how->dtype),
    };
    nnc_collective_op e = { .comm = NNC_COMM_CONTEXT };
    if (plan->context == 1) { return; }
    context_of(plan)->collective(&part, before, &e);
    if (e.forward != NNC_NO_COLLECTIVE) { nnc_list_collective(&w->to, name, e); }
}

/* ---- attention without its projections, as several unfused ops or as one fused op ---- */

/* Sizes from which the ops of an attention, without its projections, are written. */
typedef struct core {
    const nnc_writer *w;
    const nnc_layer *layer;
    const nnc_core_names *names;
    int64_t batch, s_q, s_k;
    /* all: number of query-key pairs without a mask; pairs: number of query-key pairs that the mask allows; scores:
     * number of elements of the score matrices of all heads */
    int64_t all, pairs, scores;
    /* number of query-key pairs that there would be if every query had a complete window of keys before it */
    int64_t in_window;
    /* number of key and value heads; if heads are copied so that each query head has its own, the copies are counted */
    int64_t kv_heads;
    bool recomputed;
    /* true: queries, keys and values of latent attention are recomputed in backward from their latents */
    bool projects_again;
} core;

/* Appends one of the two matrix products of unfused attention, Q K^T or P V (Q, K, V: queries, keys, values; P:
 * probabilities after softmax), and returns the op. */
static nnc_op *score_product(const core *c, const char *name, int64_t n, int64_t k) {
    nnc_op *op = nnc_list_add(c->w, name, NNC_OP_MATMUL, NNC_GROUP_ATTENTION);
    op->split = NNC_SPLIT_HEADS;
    op->recomputed = c->recomputed;
    op->u.matmul = (nnc_matmul){
        .batch = nnc_list_mul(c->w, c->batch, c->layer->heads),
        .m = c->s_q,
        .n = n,
        .k = k,
        .b_shared = c->layer->heads / c->kv_heads,
        .heads = c->layer->heads,
        .kv_heads = c->layer->kv_heads,
        .kept_divisor = 1,
        .pairs = (double)c->pairs,
        .full_pairs = (double)c->all,
        .window_pairs = (double)c->in_window,
        .needs_grad_input = true,
        /* the layer that computes keys and values also keeps them */
        .keeps_b = !c->projects_again && !c->layer->reuses_kv,
    };
    return op;
}

static nnc_op *over_scores(const core *c, const char *name, nnc_pointwise_kind kind) {
    nnc_op *op = nnc_list_pointwise(c->w, name, kind, NNC_GROUP_ATTENTION, c->scores);
    op->recomputed = c->recomputed;
    op->split = NNC_SPLIT_HEADS;
    return op;
}

static void unfused_core(const core *c) {
    const nnc_software *software = c->w->how->software;
    const bool dropout = c->layer->dropout > 0.0;
    const bool upcast = software->softmax_upcast && nnc_dtype_bytes(c->w->how->dtype) < 4.0;
    const double mask_bytes = c->layer->causal && software->attention_mask_kept ? (double)c->s_q * (double)c->s_k : 0.0;

    score_product(c, c->names->scores, c->s_k, c->layer->head_dim)->u.matmul.keeps_a = !c->projects_again;
    if (c->layer->score_softcap) {
        over_scores(c, "attn.softcap", NNC_PW_SOFTCAP)->u.pointwise.keeps_output = !c->recomputed;
    }
    if (!software->fused_softmax) { over_scores(c, c->names->mask, NNC_PW_SCALE_MASK); }
    nnc_op *softmax = over_scores(c, c->names->softmax, NNC_PW_SOFTMAX);
    softmax->u.pointwise.by_reductions = software->by_reductions;
    softmax->weights.vector = c->layer->sinks ? c->layer->heads : 0;
    if (!c->recomputed) {
        softmax->u.pointwise.keeps_output = true;
        softmax->u.pointwise.extra_kept_bytes = mask_bytes + (upcast ? 4.0 * (double)c->scores : 0.0);
    }
    if (dropout) {
        nnc_op *drop = over_scores(c, c->names->dropout, NNC_PW_DROPOUT);
        drop->u.pointwise.keeps_mask = !c->recomputed;
        drop->u.pointwise.random_written = software->random_written;
    }
    /* Backward of the product P V (probabilities x values) needs the probabilities P. With dropout, the product P V
     * keeps the probabilities as they are after dropout; without dropout, the softmax op has already kept the
     * probabilities. */
    score_product(c, c->names->context, c->layer->value_dim, c->s_k)->u.matmul.keeps_a = dropout && !c->recomputed;
}

/* The kernel of fused attention that a value of nnc_attention selects. named false: the value names no kernel, so the
 * software profile selects the kernel. */
typedef struct kernel {
    bool named;
    nnc_flash_kernel kernel;
} kernel;
static const kernel NNC_ROW(NNC_ATTENTION_FLASH) = { false, NNC_FLASH2 };
static const kernel NNC_ROW(NNC_ATTENTION_FLASH1) = { true, NNC_FLASH1 };
static const kernel NNC_ROW(NNC_ATTENTION_FLASH2) = { true, NNC_FLASH2 };
static const kernel NNC_ROW(NNC_ATTENTION_FLASH3) = { true, NNC_FLASH3 };
static const kernel NNC_ROW(NNC_ATTENTION_UNFUSED) = { false, NNC_FLASH2 };
static const kernel *const kernels[] = { NNC_ATTENTION_LIST(NNC_ROW_AT) };

nnc_flash_kernel nnc_attention_kernel(nnc_attention attention, const nnc_software *software) {
    return kernels[attention]->named ? kernels[attention]->kernel : software->flash_kernel;
}

/* Appends the op of ring attention that merges results in fp32. Each part of the keys gives one result; this result is
 * merged with the results of the parts before it, so the first part needs no merge. In backward, the op adds the
 * contribution of each part to the gradients of queries, keys and values. Under a causal mask, a merge processes three
 * quarters of the elements on average: either all queries attend to half of the part's keys, or half of the queries
 * attend to all its keys. */
static void merge_blocks(const core *c) {
    const nnc_layer *l = c->layer;
    const int64_t context = c->w->how->plan->context, met = l->causal ? 3 : 4;
    const int64_t tokens = nnc_list_mul(c->w, c->batch, c->s_q);
    const int64_t q = l->heads * l->head_dim, kv = c->kv_heads * (l->head_dim + l->value_dim);
    nnc_op *op = nnc_list_pointwise(c->w, "attn.merge", NNC_PW_MERGE, NNC_GROUP_ATTENTION,
                                    nnc_list_mul(c->w, tokens, l->heads * l->value_dim * met) / 4);
    op->dtype = NNC_FP32;
    op->split = NNC_SPLIT_INNER;
    op->repeat *= context - 1;
    op->recomputed = c->recomputed;
    op->u.pointwise.backward_elements = nnc_list_mul(c->w, tokens, (q + kv) * met) / 4;
}

static void fused_core(const core *c) {
    const nnc_layer *l = c->layer;
    const nnc_plan *plan = c->w->how->plan;
    const bool in_blocks = plan->context > 1 && context_of(plan)->in_blocks;
    nnc_op *op = nnc_list_add(c->w, c->names->fused, NNC_OP_FLASH, NNC_GROUP_ATTENTION);
    op->recomputed = c->recomputed;
    op->dropped = c->projects_again;
    op->split = NNC_SPLIT_HEADS;
    op->u.flash = (nnc_flash){
        .batch = c->batch,
        .heads = l->heads,
        .kv_heads = c->kv_heads,
        .own_kv_heads = l->kv_heads,
        .s_q = c->s_q,
        .s_k = c->s_k,
        .head_dim = l->head_dim,
        .value_dim = l->value_dim,
        .pairs = (double)c->pairs,
        .full_pairs = (double)c->all,
        .window_pairs = (double)c->in_window,
        .causal = l->causal,
        .keeps_qkv = true,
        .kept_s_k = c->s_k,
        .kept_kv_heads = l->reuses_kv ? 0 : c->kv_heads, /* the layer that computes keys and values also keeps them */
        .blocks = in_blocks ? plan->context : 0,
        .softcap = l->score_softcap,
        .kernel = nnc_attention_kernel(c->w->how->attention, c->w->how->software),
    };
    op->weights.vector = l->sinks ? l->heads : 0;
    nnc_list_mul(c->w, c->scores, l->head_dim);
    if (in_blocks) { merge_blocks(c); }
}

/* Returns the number of query-key pairs if each token attends to itself and to the tokens at a distance of at most
 * window / 2 on both sides. window 0: each token attends to all tokens. */
static int64_t both_sides(int64_t s_q, int64_t s_k, int64_t window) {
    const int64_t side = window / 2;
    /* value that is returned if the product does not fit into an int64; the caller then refuses the plan */
    int64_t all = INT64_MAX;
    if (!nnc_mul_i64(s_q, s_k, &all)) { return INT64_MAX; }
    return window == 0 || side >= s_k ? all : s_q * (2 * side + 1) - side * (side + 1);
}

/* Returns the number of query-key pairs under a causal mask if the sequence is divided into chunks of `chunk` tokens,
 * and each token attends only to tokens of its own chunk. */
static int64_t chunk_pairs(int64_t seq_len, int64_t chunk) {
    const int64_t rest = seq_len % chunk;
    return seq_len / chunk * nnc_attention_pairs(chunk, chunk, true, 0) + nnc_attention_pairs(rest, rest, true, 0);
}

/* Returns the number of pairs of a query and a compressed key, if there is one compressed key for `ratio` tokens. Token
 * i (from 1) attends to min(floor(i / ratio), most) keys, where most = 0 means no limit. Therefore, all tokens except
 * the first j x ratio - 1 attend to key j (from 1). [shared-keys] */
static int64_t far_pairs(int64_t seq_len, int64_t ratio, int64_t most) {
    const int64_t full = seq_len / ratio, met = most > 0 && full > most ? most : full;
    return met * (seq_len + 1) - ratio * met * (met + 1) / 2;
}

/* Appends the copies of queries, keys and values to a layout with one part per head, and the copy of the attention
 * output back to a layout by tokens. Backward copies the gradients of queries, keys, values and output in the same
 * way. */
static void copy_heads(const core *c) {
    const nnc_layer *l = c->layer;
    const int64_t q = nnc_list_mul(c->w, nnc_list_mul(c->w, c->batch, c->s_q), l->heads);
    const int64_t kv = nnc_list_mul(c->w, nnc_list_mul(c->w, c->batch, c->s_k), l->kv_heads);
    nnc_list_pointwise(c->w, "attn.heads", NNC_PW_COPY, NNC_GROUP_ATTENTION,
                       nnc_list_mul(c->w, q + kv, l->head_dim + l->value_dim))
        ->split = NNC_SPLIT_HEADS;
}

/* Appends the copy of keys and values from each key-value head to all query heads that use it. Backward adds up the
 * gradients of the copies. */
static void expand_kv(const core *c) {
    const nnc_layer *l = c->layer;
    const int64_t each = nnc_list_mul(c->w, nnc_list_mul(c->w, c->batch, c->s_k), l->head_dim + l->value_dim);
    nnc_op *op = nnc_list_pointwise(c->w, "attn.expand_kv", NNC_PW_DISPATCH, NNC_GROUP_ATTENTION,
                                    nnc_list_mul(c->w, each, c->kv_heads));
    op->split = NNC_SPLIT_HEADS;
    op->recomputed = c->recomputed;
    op->u.pointwise.input_elements = nnc_list_mul(c->w, each, l->kv_heads);
}

void nnc_layer_core(const nnc_layer_writer *w, const nnc_core_names *names, int64_t s_k) {
    const nnc_layer *l = w->layer;
    core c = { .w = &w->to,
               .layer = l,
               .names = names,
               .batch = w->batch,
               .s_q = w->seq_len,
               .s_k = s_k,
               .kv_heads = l->kv_heads * kv_copies(w),
               .recomputed = nnc_list_recomputes(&w->to, NNC_RECOMPUTE_ATTENTION),
               .projects_again = l->latent && nnc_list_recomputes(&w->to, NNC_RECOMPUTE_MLA_UP_PROJ) };
    c.all = nnc_list_mul(c.w, c.s_q, c.s_k);
    c.pairs = !l->causal   ? both_sides(c.s_q, c.s_k, l->window)
              : l->chunked ? chunk_pairs(c.s_q, l->window)
                           : nnc_attention_pairs(c.s_q, c.s_k, true, l->window);
    if (l->far_ratio > 0) { c.pairs += far_pairs(c.s_q, l->far_ratio, l->far_most); }
    c.in_window = l->causal && l->window > 0 && l->window < c.s_k ? nnc_list_mul(c.w, c.s_q, l->window) : c.all;
    c.scores = nnc_list_mul(c.w, nnc_list_mul(c.w, c.batch, l->heads), c.all);
    const bool unfused = w->to.how->attention == NNC_ATTENTION_UNFUSED;
    const nnc_head_copy copy = w->to.how->software->copied_heads;
    if (copy == NNC_HEADS_ALWAYS || (copy == NNC_HEADS_UNFUSED && unfused)) { copy_heads(&c); }
    if (c.kv_heads > l->kv_heads) { expand_kv(&c); }
    if (unfused) {
        unfused_core(&c);
    } else {
        fused_core(&c);
    }
}

/* ---- attention together with its projections, gates and norms ---- */

void nnc_layer_rotary(const nnc_layer_writer *w, const char *name, int64_t width) {
    nnc_op *rotary =
        nnc_list_pointwise(&w->to, name, NNC_PW_ROTARY, NNC_GROUP_ATTENTION, nnc_list_mul(&w->to, w->tokens, width));
    rotary->split = NNC_SPLIT_INNER;
    const nnc_software *software = w->to.how->software;
    rotary->u.pointwise.fused = software->fused_rotary && (software->fused_rotary_scale || !w->layer->rotary_scale);
}

/* If the layer has a norm of the queries (or of the keys), appends this norm. Source: arXiv:2302.05442, section 2.
 * [qk-norm] */
static void head_norm(const nnc_layer_writer *w, const char *name, int64_t heads) {
    const nnc_layer *l = w->layer;
    const int64_t width = heads * l->head_dim, rows = nnc_list_mul(&w->to, w->tokens, heads);
    const bool across = l->qk_norm == NNC_QK_NORM_PROJECTION;
    const int64_t params = across ? width : l->qk_norm == NNC_QK_NORM_HEAD ? norm_params(l, l->head_dim) : 0;
    nnc_op *op =
        nnc_list_norm(&w->to, name, l->norm, nnc_list_mul(&w->to, w->tokens, width), across ? w->tokens : rows, params);
    op->split = NNC_SPLIT_INNER;
    op->u.norm.across_heads = across;
}

/* Corrects the cast of the gradient of a product of queries, keys and values, if there are fewer key heads than tensor
 * ranks. Each rank then computes one key head and one value head, so the ranks together cast more elements than the
 * product without copies has. The op list has the cast of the gradient directly before the product of queries, keys and
 * values. */
static void cast_copied_heads(const nnc_layer_writer *w, const nnc_op *product) {
    nnc_op *cast = w->to.list->count > 1 ? &w->to.list->ops[w->to.list->count - 2] : NULL;
    const int64_t q = product->u.matmul.heads, kv = product->u.matmul.kv_heads, t = w->to.how->plan->tensor;
    if (cast != NULL && cast->kind == NNC_OP_POINTWISE && cast->u.pointwise.kind == NNC_PW_CAST && kv > 0 && kv < t) {
        cast->u.pointwise.backward_elements =
            nnc_list_mul(&w->to, cast->u.pointwise.backward_elements / (q + 2 * kv), q + 2 * t);
    }
}

void nnc_layer_project(const nnc_layer_writer *w, const nnc_attention_names *names, const nnc_cross *cross) {
    const nnc_layer *l = w->layer;
    const int64_t q_heads = l->attention_gate ? 2 * l->heads : l->heads;
    const int64_t width = q_heads * l->head_dim, k_width = l->kv_heads * l->head_dim;
    const int64_t kv_width = k_width + (l->keys_as_values ? 0 : l->kv_heads * l->value_dim);
    /* true: the first product computes only queries, not keys and values */
    const bool alone = cross != NULL || l->reuses_kv;
    linear_collective(w, names->tensor_in, true, l->hidden);
    nnc_op *q = nnc_layer_linear(w, l->reuses_kv ? "attn.q" : names->q, NNC_GROUP_ATTENTION, NNC_SPLIT_QKV,
                                 alone ? width : width + kv_width, l->hidden, l->qkv_bias);
    q->weights.vector -= l->no_key_bias && q->weights.vector > 0 && !alone ? k_width : 0;
    if (l->reuses_kv && l->unused_kv) { /* counts weights that no op uses: projections, and the norm of a key */
        q->weights.vector += l->hidden * kv_width + (l->qk_norm == NNC_QK_NORM_HEAD ? norm_params(l, l->head_dim) : 0);
    }
    q->u.matmul.heads = q_heads;
    q->u.matmul.kv_heads = alone ? 0 : l->kv_heads;
    cast_copied_heads(w, q);
    q->u.matmul.keeps_a = !nnc_list_recomputes(&w->to, NNC_RECOMPUTE_NORM);
    if (cross != NULL) {
        nnc_op *kv = nnc_list_linear(&w->to, names->kv, NNC_GROUP_ATTENTION, NNC_SPLIT_QKV,
                                     nnc_list_mul(&w->to, w->batch, cross->len), kv_width, cross->width, l->qkv_bias);
        kv->u.matmul.kv_heads = l->kv_heads;
        cast_copied_heads(w, kv);
        kv->u.matmul.needs_grad_input = !cross->frozen;
        kv->u.matmul.keeps_a = cross->shares > 0;
        kv->u.matmul.kept_divisor = cross->shares > 0 ? cross->shares : 1;
        kv->weights.vector -= l->no_key_bias && kv->weights.vector > 0 ? k_width : 0;
    }
    if (l->qk_norm != NNC_QK_NORM_NONE) {
        head_norm(w, "attn.q_norm", l->heads);
        if (!l->reuses_kv) { head_norm(w, "attn.k_norm", l->kv_heads); }
    }
    if (l->rotary > 0) {
        nnc_layer_rotary(w, names->rotary, (l->heads + (l->reuses_kv ? 0 : l->kv_heads)) * l->rotary);
    }
}

/* Tests whether the layer computes attention and MLP in parallel: attention and MLP then read the same input. */
static bool runs_parallel(const nnc_layer *layer) {
    return layer->norm_place == NNC_NORM_PARALLEL || layer->norm_place == NNC_NORM_PARALLEL_TWO;
}

void nnc_layer_attend(const nnc_layer_writer *w, const nnc_attention_names *names, const nnc_cross *cross) {
    const nnc_layer *l = w->layer;
    context_collective(w, names->context_in, true);
    nnc_layer_core(w, &names->core, cross != NULL ? cross->len : w->seq_len);
    context_collective(w, names->context_out, false);
    /* An attention with a gate multiplies its output by the activated gate; the gate is half of the outputs of the
     * query projection. */
    if (l->attention_gate) {
        nnc_op *gate = nnc_list_pointwise(&w->to, "attn.gate", NNC_PW_SWIGLU, NNC_GROUP_ATTENTION,
                                          nnc_list_mul(&w->to, w->tokens, l->heads * l->value_dim));
        gate->split = NNC_SPLIT_INNER;
        gate->u.pointwise.keeps_input = true;
    }
    /* a linear layer computes one gate for each head. Source: Step-3.5, modeling_step3p5.py, g_proj */
    if (l->head_gate) {
        nnc_layer_linear(w, "attn.head_gate", NNC_GROUP_ATTENTION, NNC_SPLIT_COLUMN, l->heads, l->hidden, false)
            ->u.matmul.keeps_a = false;
        nnc_op *gate = nnc_list_pointwise(&w->to, "attn.gate", NNC_PW_SCALE, NNC_GROUP_ATTENTION,
                                          nnc_list_mul(&w->to, w->tokens, l->heads * l->value_dim));
        gate->split = NNC_SPLIT_INNER;
        gate->u.pointwise.keeps_input = true;
    }
    if (l->out_width > 0) {
        nnc_layer_linear(w, "attn.out_groups", NNC_GROUP_ATTENTION, NNC_SPLIT_COLUMN, l->out_width,
                         l->heads * l->value_dim / l->out_groups, false);
    }
    nnc_layer_linear(w, names->out, NNC_GROUP_ATTENTION, NNC_SPLIT_ROW, l->hidden,
                     l->out_width > 0 ? l->out_width : l->heads * l->value_dim, l->out_bias);
    /* if attention and MLP run in parallel, their outputs are added, and one collective after the MLP is enough for the
     * sum */
    if (!runs_parallel(l)) { linear_collective(w, names->tensor_out, false, l->hidden); }
    if (names->residual != NULL) { nnc_layer_join(w, names->end_norm, names->residual, NNC_GROUP_ATTENTION); }
}

void nnc_layer_attention(const nnc_layer_writer *w, const nnc_attention_names *names, const nnc_cross *cross) {
    nnc_layer_begin_norm(w, names->norm);
    nnc_layer_project(w, names, cross);
    nnc_layer_attend(w, names, cross);
}

/* ---- MLP: two matrix products with an activation between them ---- */

bool nnc_layer_acts_again(const nnc_layer_writer *w, nnc_split split) {
    const bool expert = split == NNC_SPLIT_EXPERT_INNER;
    return nnc_list_recomputes(&w->to, NNC_RECOMPUTE_ACTIVATION) ||
           (expert && nnc_list_recomputes(&w->to, NNC_RECOMPUTE_MOE_ACT));
}

nnc_op *nnc_layer_activation(const nnc_layer_writer *w, const char *name, nnc_split split, int64_t elements) {
    nnc_op *act = nnc_list_pointwise(&w->to, name, *activations[w->layer->mlp], NNC_GROUP_MLP, elements);
    act->split = split;
    act->recomputed = nnc_layer_acts_again(w, split);
    act->u.pointwise.keeps_input = true;
    act->u.pointwise.keeps_8bit = w->to.how->plan->fp8_inputs;
    if (w->layer->mlp == NNC_MLP_GELU && w->to.how->software->written_out) { act->u.pointwise.fused = false; }
    if (nnc_mlp_gated(w->layer->mlp) && !w->to.how->software->fused_activation) {
        act->u.pointwise.fused = false;
        if (!act->recomputed) { /* backward of the product (activated gate) x up needs the activated gate */
            act->u.pointwise.extra_kept_bytes = nnc_list_bytes(&w->to, elements);
        }
    }
    return act;
}

void nnc_layer_dense(const nnc_layer_writer *w, const nnc_mlp_names *names, int64_t inner, bool keeps_input) {
    const nnc_layer *l = w->layer;
    nnc_op *up = nnc_layer_linear(w, names->up, NNC_GROUP_MLP, NNC_SPLIT_COLUMN,
                                  nnc_mlp_gated(l->mlp) ? 2 * inner : inner, l->hidden, l->mlp_bias);
    up->u.matmul.keeps_a = keeps_input && !nnc_list_recomputes(&w->to, NNC_RECOMPUTE_NORM);
    nnc_layer_activation(w, names->activation, NNC_SPLIT_INNER, nnc_list_mul(&w->to, w->tokens, inner));
    nnc_op *down = nnc_layer_linear(w, names->down, NNC_GROUP_MLP, NNC_SPLIT_ROW, l->hidden, inner, l->mlp_bias);
    down->u.matmul.keeps_a = !nnc_list_recomputes(&w->to, NNC_RECOMPUTE_ACTIVATION);
}

void nnc_layer_mlp(const nnc_layer_writer *w) {
    const nnc_layer *l = w->layer;
    const nnc_mlp_names names = { nnc_mlp_gated(l->mlp) ? "mlp.gate_up" : "mlp.up", "mlp.activation", "mlp.down" };
    /* With NNC_NORM_PARALLEL, attention and MLP read the output of one norm, so the MLP has no norm of its own. */
    const bool shared = l->norm_place == NNC_NORM_PARALLEL;
    /* the norm of attention and the norm of the MLP read one tensor, which is kept for backward; the norm of attention
     * counts the bytes of this tensor */
    if (l->norm_place == NNC_NORM_PARALLEL_TWO) {
        nnc_layer_norm(w, "mlp.norm", l->hidden)->u.norm.keeps_input = false;
    } else if (!shared) {
        nnc_layer_begin_norm(w, "mlp.norm");
    }
    const int32_t first = w->to.list->count;
    if (!shared) { linear_collective(w, "mlp.tensor_in", true, l->hidden); }
    nnc_layer_dense(w, &names, l->ffn_hidden, !shared);
    linear_collective(w, "mlp.tensor_out", false, l->hidden);
    if (nnc_list_recomputes(&w->to, NNC_RECOMPUTE_MLP)) { nnc_list_again(&w->to, first); }
    nnc_layer_join(w, "mlp.end_norm", "mlp.residual", NNC_GROUP_MLP);
}
