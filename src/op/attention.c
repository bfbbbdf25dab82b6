/* Fused attention (FlashAttention): scores never leave the chip. */
#include <inttypes.h>
#include <stdio.h>

#include "op/op_internal.h"

int64_t nnc_attention_pairs(int64_t s_q, int64_t s_k, bool causal, int64_t window)
{
    if (!causal) {
        return s_q * s_k;
    }
    /* keys before the first query's own: both sequences end together */
    const int64_t before = s_k - s_q;
    /* queries that see fewer keys than the window holds */
    const int64_t rising = window > 0 ? window - before - 1 : s_q;
    const int64_t short_views = rising < 0 ? 0 : rising < s_q ? rising : s_q;
    return short_views * before + short_views * (short_views + 1) / 2 +
           (s_q - short_views) * window;
}

typedef struct dims {
    double batch, heads, kv_heads, s_q, s_k, head_dim, value_dim, pairs;
    double element_bytes;
} dims;

NNC_SAYING dims dims_of(const nnc_op *op, nnc_derivation *why)
{
    const nnc_flash *p = &op->u.flash;
    dims d;
    NNC_DIM(why, batch, p->batch);
    NNC_DIM(why, heads, p->heads);
    NNC_DIM(why, kv_heads, p->kv_heads);
    NNC_DIM(why, s_q, p->s_q);
    NNC_DIM(why, s_k, p->s_k);
    NNC_DIM(why, head_dim, p->head_dim);
    NNC_DIM(why, value_dim, p->value_dim);
    NNC_DIM(why, pairs, p->pairs);
    NNC_DIM(why, element_bytes, nnc_dtype_bytes(op->dtype));
    return d;
}

/* Attention in one kernel. Forward: Q K^T and P V over the pairs of the mask; Q, K, V are read
 * once, the output and one fp32 log-sum-exp per query are written. Backward recomputes the scores:
 * five products instead of four; it reads Q, K, V, O, dO and two fp32 numbers per query, writes dQ,
 * dK, dV. Model FLOPs (full_flops, causal_flops) have no recomputation: backward is twice forward.
 * The softmax runs on the vector units, per pair: max, subtract, exp, sum, divide forward; subtract
 * and exp again, then four for its gradient backward.
 * Source: FlashAttention arXiv:2205.14135; FlashAttention-2 arXiv:2307.08691.   [flash] */
NNC_SAYING nnc_work flash_work(const nnc_op *op, nnc_derivation *why)
{
    const nnc_flash *p = &op->u.flash;
    const dims d = dims_of(op, why);
    nnc_work work = { 0 };
    NNC_SAY(why, pair_flops, "FLOP", 2.0 * d.batch * d.heads * (d.head_dim + d.value_dim));
    NNC_NOTE(why, "of one query-key pair in every head: Q K^T over head_dim, P V over value_dim");
    NNC_SAY(why, q_bytes, "B", d.batch * d.heads * d.s_q * d.head_dim * d.element_bytes);
    NNC_SAY(why, k_bytes, "B", d.batch * d.kv_heads * d.s_k * d.head_dim * d.element_bytes);
    NNC_SAY(why, v_bytes, "B", d.batch * d.kv_heads * d.s_k * d.value_dim * d.element_bytes);
    NNC_SAY(why, o_bytes, "B", d.batch * d.heads * d.s_q * d.value_dim * d.element_bytes);
    NNC_SAY(why, row_bytes, "B", 4.0 * d.batch * d.heads * d.s_q);
    NNC_NOTE(why, "one fp32 log-sum-exp per query");

    if (op->phase == NNC_PHASE_BACKWARD) {
        NNC_SET(why, work.flops, "FLOP",
                (2.0 * pair_flops + 2.0 * d.batch * d.heads * d.head_dim) * d.pairs);
        NNC_NOTE(
            why,
            "pairs: queries and keys under the mask; four products, and the scores recomputed");
        work.full_flops = 2.0 * pair_flops * p->full_pairs;
        work.window_flops = 2.0 * pair_flops * p->window_pairs;
        work.causal_flops = 2.0 * pair_flops * d.pairs;
        if (p->softcap) {
            NNC_SET(why, work.vector_flops, "FLOP", 13.0 * d.batch * d.heads * d.pairs);
            NNC_NOTE(why, "a soft cap: divide, tanh, multiply again, and four for its gradient");
        } else {
            NNC_SET(why, work.vector_flops, "FLOP", 6.0 * d.batch * d.heads * d.pairs);
        }
        NNC_SET(why, work.read_bytes, "B",
                q_bytes + k_bytes + v_bytes + 2.0 * o_bytes + 2.0 * row_bytes);
        NNC_SET(why, work.write_bytes, "B", q_bytes + k_bytes + v_bytes);
        return work;
    }
    NNC_SET(why, work.flops, "FLOP", pair_flops * d.pairs);
    NNC_NOTE(why, "pairs: queries and keys under the mask");
    work.full_flops = pair_flops * p->full_pairs;
    work.window_flops = pair_flops * p->window_pairs;
    work.causal_flops = pair_flops * d.pairs;
    if (p->softcap) {
        NNC_SET(why, work.vector_flops, "FLOP", 8.0 * d.batch * d.heads * d.pairs);
        NNC_NOTE(why, "a soft cap: divide, tanh, multiply");
    } else {
        NNC_SET(why, work.vector_flops, "FLOP", 5.0 * d.batch * d.heads * d.pairs);
    }
    NNC_SET(why, work.read_bytes, "B", q_bytes + k_bytes + v_bytes);
    NNC_SET(why, work.write_bytes, "B", o_bytes + row_bytes);
    return work;
}

/* Q, K, V and the log-sum-exp; the output is owned by the projection that reads it. */
NNC_SAYING double flash_kept(const nnc_op *op, nnc_derivation *why)
{
    const nnc_flash *p = &op->u.flash;
    const dims d = dims_of(op, NULL);
    if (!p->keeps_qkv) {
        return 0.0;
    }
    if (op->dropped) {
        NNC_SAY(why, kept_bytes, "B", 4.0 * d.batch * d.heads * d.s_q);
        NNC_NOTE(why, "the log-sum-exp; queries, keys and values are recomputed");
        return kept_bytes;
    }
    NNC_LET(why, kept_s_k, NULL, (double)p->kept_s_k);
    NNC_LET(why, kept_kv_heads, NULL, (double)p->kept_kv_heads);
    NNC_SAY(why, kept_elements, NULL,
            d.s_q * d.heads * d.head_dim + kept_s_k * kept_kv_heads * (d.head_dim + d.value_dim));
    NNC_SAY(why, kept_bytes, "B",
            d.batch * kept_elements * d.element_bytes + 4.0 * d.batch * d.heads * d.s_q);
    NNC_NOTE(why, nnc_kept_note);
    return kept_bytes;
}

NNC_SAYING double flash_transient(const nnc_op *op, nnc_derivation *why)
{
    const dims d = dims_of(op, NULL);
    NNC_SAY(why, transient_bytes, "B",
            d.batch * (d.s_q * d.heads + d.s_k * d.kv_heads) * (d.head_dim + d.value_dim) *
                d.element_bytes);
    NNC_NOTE(why, nnc_transient_note);
    return transient_bytes;
}

NNC_OP_FUNCTIONS(flash)

static void flash_shard(nnc_op *op, const nnc_degrees *d)
{
    nnc_flash *p = &op->u.flash;
    if (op->split == NNC_SPLIT_TOKENS) { /* every rank attends with all heads */
        return;
    }
    p->heads /= d->heads;
    p->kv_heads = nnc_at_least_one(p->kv_heads / d->heads);
    p->kept_kv_heads = nnc_at_least_one(p->kept_kv_heads / d->heads);
    p->s_q /= d->positions;
    p->kept_s_k /= d->positions;
    p->pairs /= (double)d->positions;
    p->full_pairs /= (double)d->positions;
    p->window_pairs /= (double)d->positions;
    op->weights.vector /= d->tensor; /* sinks */
}

static void flash_shape(const nnc_op *op, char *text, size_t size)
{
    const nnc_flash *p = &op->u.flash;
    snprintf(text, size,
             "b=%" PRId64 " heads=%" PRId64 "/%" PRId64 " s=%" PRId64 "x%" PRId64 " d=%" PRId64,
             p->batch, p->heads, p->kv_heads, p->s_q, p->s_k, p->head_dim);
}

const nnc_op_row nnc_flash_row = {
    .name = "flash_attention",
    NNC_OP_MEMBERS(flash),
    .backward = nnc_op_same_backward,
    .shard = flash_shard,
    .shape = flash_shape,
    .timed = NNC_TIMED_FLASH,
    .hides_ring = true,
};
