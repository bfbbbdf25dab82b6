/* Attention over queries, keys and values: in one kernel, or one op after another. */
#include "base/names.h"
#include "op/work.h"
#include "shape/context.h"
#include "shape/transformer.h"

/* The shape of one attention over what is already projected. */
typedef struct core {
    const nnc_writer *w;
    const nnc_layer *layer;
    const nnc_core_names *names;
    int64_t batch, s_q, s_k;
    int64_t all, pairs, scores; /* query-key pairs, and under the mask; elements of all scores */
    int64_t in_window;          /* pairs, of a window over its width */
    int64_t kv_heads;           /* that are stored, copies counted */
    bool recomputed;
    bool projects_again; /* queries, keys and values are made again from their latents */
} core;

/* Q K^T, or P V. */
static nnc_op *score_product(const core *c, const char *name, int64_t n, int64_t k)
{
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
        .keeps_b = !c->projects_again,
    };
    return op;
}

static nnc_op *over_scores(const core *c, const char *name, nnc_pointwise_kind kind)
{
    nnc_op *op = nnc_list_pointwise(c->w, name, kind, NNC_GROUP_ATTENTION, c->scores);
    op->recomputed = c->recomputed;
    op->split = NNC_SPLIT_HEADS;
    return op;
}

static void unfused_core(const core *c)
{
    const nnc_software *software = c->w->how->software;
    const bool dropout = c->layer->dropout > 0.0;
    const bool upcast = software->softmax_upcast && nnc_dtype_bytes(c->w->how->dtype) < 4.0;
    const double mask_bytes =
        c->layer->causal && software->attention_mask_kept ? (double)c->s_q * (double)c->s_k : 0.0;

    score_product(c, c->names->scores, c->s_k, c->layer->head_dim)->u.matmul.keeps_a =
        !c->projects_again;
    if (c->layer->score_softcap) {
        over_scores(c, "attn.softcap", NNC_PW_SOFTCAP)->u.pointwise.keeps_output = !c->recomputed;
    }
    if (!software->fused_softmax) {
        over_scores(c, c->names->mask, NNC_PW_SCALE_MASK);
    }
    nnc_op *softmax = over_scores(c, c->names->softmax, NNC_PW_SOFTMAX);
    softmax->u.pointwise.by_reductions = software->by_reductions;
    softmax->weights.vector = c->layer->sinks ? c->layer->heads : 0;
    if (!c->recomputed) {
        softmax->u.pointwise.keeps_output = true;
        softmax->u.pointwise.extra_kept_bytes =
            mask_bytes + (upcast ? 4.0 * (double)c->scores : 0.0);
    }
    if (dropout) {
        nnc_op *drop = over_scores(c, c->names->dropout, NNC_PW_DROPOUT);
        drop->u.pointwise.keeps_mask = !c->recomputed;
        drop->u.pointwise.random_written = software->random_written;
    }
    /* Without dropout the softmax owns the probabilities. */
    score_product(c, c->names->context, c->layer->value_dim, c->s_k)->u.matmul.keeps_a =
        dropout && !c->recomputed;
}

/* The kernel a plan asks for by name; else it is that of the software. */
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

nnc_flash_kernel nnc_attention_kernel(nnc_attention attention, const nnc_software *software)
{
    return kernels[attention]->named ? kernels[attention]->kernel : software->flash_kernel;
}

/* What each block of keys gives is added to what the ones before gave, and backward its part of the
 * gradients of queries, keys and values: in fp32, for every block but the first. Under a causal mask
 * all queries meet the front half of an earlier block, and the back half of them all of a later one:
 * three quarters of either on average. */
static void merge_blocks(const core *c)
{
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

static void fused_core(const core *c)
{
    const nnc_layer *l = c->layer;
    const nnc_plan *plan = c->w->how->plan;
    const bool in_blocks = plan->context > 1 && nnc_context_of(plan)->in_blocks;
    nnc_op *op = nnc_list_add(c->w, c->names->fused, NNC_OP_FLASH, NNC_GROUP_ATTENTION);
    op->recomputed = c->recomputed;
    op->dropped = c->projects_again;
    op->split = NNC_SPLIT_HEADS;
    op->u.flash = (nnc_flash){
        .batch = c->batch,
        .heads = l->heads,
        .kv_heads = l->kv_heads,
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
        .kept_kv_heads = c->kv_heads,
        .blocks = in_blocks ? plan->context : 0,
        .softcap = l->score_softcap,
        .kernel = nnc_attention_kernel(c->w->how->attention, c->w->how->software),
    };
    op->weights.vector = l->sinks ? l->heads : 0;
    nnc_list_mul(c->w, c->scores, l->head_dim);
    if (in_blocks) {
        merge_blocks(c);
    }
}

/* Query-key pairs where tokens see half a window on either side, and themselves. */
static int64_t both_sides(int64_t s_q, int64_t s_k, int64_t window)
{
    const int64_t side = window / 2;
    int64_t all = INT64_MAX; /* refused as too large where it is used */
    if (!nnc_mul_i64(s_q, s_k, &all)) {
        return INT64_MAX;
    }
    return window == 0 || side >= s_k ? all : s_q * (2 * side + 1) - side * (side + 1);
}

/* Query-key pairs inside chunks of so many tokens. */
static int64_t chunk_pairs(int64_t seq_len, int64_t chunk)
{
    const int64_t rest = seq_len % chunk;
    return seq_len / chunk * nnc_attention_pairs(chunk, chunk, true, 0) +
           nnc_attention_pairs(rest, rest, true, 0);
}

/* Queries, keys and values by heads, what attention gives by tokens again: copies, and of gradients too. */
static void copy_heads(const core *c)
{
    const nnc_layer *l = c->layer;
    const int64_t q = nnc_list_mul(c->w, nnc_list_mul(c->w, c->batch, c->s_q), l->heads);
    const int64_t kv = nnc_list_mul(c->w, nnc_list_mul(c->w, c->batch, c->s_k), l->kv_heads);
    nnc_list_pointwise(c->w, "attn.heads", NNC_PW_COPY, NNC_GROUP_ATTENTION,
                       nnc_list_mul(c->w, q + kv, l->head_dim + l->value_dim))
        ->split = NNC_SPLIT_HEADS;
}

/* Keys and values of a group, written once for each of its heads; their gradients are added up again. */
static void expand_kv(const core *c)
{
    const nnc_layer *l = c->layer;
    const int64_t each =
        nnc_list_mul(c->w, nnc_list_mul(c->w, c->batch, c->s_k), l->head_dim + l->value_dim);
    nnc_op *op = nnc_list_pointwise(c->w, "attn.expand_kv", NNC_PW_DISPATCH, NNC_GROUP_ATTENTION,
                                    nnc_list_mul(c->w, each, c->kv_heads));
    op->split = NNC_SPLIT_HEADS;
    op->recomputed = c->recomputed;
    op->u.pointwise.input_elements = nnc_list_mul(c->w, each, l->kv_heads);
}

void nnc_layer_core(const nnc_layer_writer *w, const nnc_core_names *names, int64_t s_k)
{
    const nnc_layer *l = w->layer;
    core c = { .w = &w->to,
               .layer = l,
               .names = names,
               .batch = w->batch,
               .s_q = w->seq_len,
               .s_k = s_k,
               .kv_heads = l->kv_heads * nnc_layer_kv_copies(w),
               .recomputed = nnc_list_recomputes(&w->to, NNC_RECOMPUTE_ATTENTION),
               .projects_again =
                   l->latent && nnc_list_recomputes(&w->to, NNC_RECOMPUTE_MLA_UP_PROJ) };
    c.all = nnc_list_mul(c.w, c.s_q, c.s_k);
    c.pairs = !l->causal   ? both_sides(c.s_q, c.s_k, l->window)
              : l->chunked ? chunk_pairs(c.s_q, l->window)
                           : nnc_attention_pairs(c.s_q, c.s_k, true, l->window);
    c.in_window = l->causal && l->window > 0 && l->window < c.s_k
                      ? nnc_list_mul(c.w, c.s_q, l->window)
                      : c.all;
    c.scores = nnc_list_mul(c.w, nnc_list_mul(c.w, c.batch, l->heads), c.all);
    const bool unfused = w->to.how->attention == NNC_ATTENTION_UNFUSED;
    const nnc_head_copy copy = w->to.how->software->copied_heads;
    if (copy == NNC_HEADS_ALWAYS || (copy == NNC_HEADS_UNFUSED && unfused)) {
        copy_heads(&c);
    }
    if (c.kv_heads > l->kv_heads) {
        expand_kv(&c);
    }
    if (unfused) {
        unfused_core(&c);
    } else {
        fused_core(&c);
    }
}
