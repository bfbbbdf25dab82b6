#include <inttypes.h>
#include <stdio.h>

#include "op/op_row.h"

int64_t nnc_attention_pairs(int64_t s_q, int64_t s_k, bool causal, int64_t window)
{
    if (!causal) {
        return s_q * s_k;
    }
    const int64_t before = s_k - s_q; /* keys the first query sees beside its own: ends align */
    const int64_t rising = window > 0 ? window - before - 1 : s_q; /* queries with a shorter view */
    const int64_t short_views = rising < 0 ? 0 : rising < s_q ? rising : s_q;
    return short_views * before + short_views * (short_views + 1) / 2 +
           (s_q - short_views) * window;
}

/* FLOPs of the softmax on the vector units, per pair: max, subtract, exp, sum, divide forward;
 * subtract and exp again, then four for its gradient backward. */
enum { SOFTMAX_FORWARD = 5, SOFTMAX_BACKWARD = 6 };

/* Attention in one kernel. Forward: Q K^T and P V over the pairs of the mask; Q, K, V are read once,
 * the output and one fp32 log-sum-exp per query are written. Backward recomputes the scores: five
 * products instead of four; it reads Q, K, V, O, dO and two fp32 numbers per query, writes dQ, dK,
 * dV. The mathematics (full_flops, causal_flops) has no recomputation: backward is twice forward.
 * Source: FlashAttention arXiv:2205.14135; FlashAttention-2 arXiv:2307.08691.   [flash] */
static nnc_work flash_work(const nnc_op *op)
{
    const nnc_flash *p = &op->u.flash;
    const double bytes = nnc_dtype_bytes(op->dtype), heads = (double)p->batch * (double)p->heads;
    const double kv_heads = (double)p->batch * (double)p->kv_heads;
    const double d = (double)p->head_dim, v = (double)p->value_dim;
    const double s_q = (double)p->s_q, s_k = (double)p->s_k;
    const double per_pair = 2.0 * heads * (d + v); /* Q K^T over d, P V over v */
    const double q_bytes = bytes * s_q * heads * d, o_bytes = bytes * s_q * heads * v;
    const double k_bytes = bytes * s_k * kv_heads * d, v_bytes = bytes * s_k * kv_heads * v;
    const double row_bytes = 4.0 * heads * s_q;

    if (op->phase == NNC_PHASE_BACKWARD) {
        const double again = 2.0 * heads * d; /* the scores, recomputed */
        return (nnc_work){
            .flops = (2.0 * per_pair + again) * p->pairs,
            .full_flops = 2.0 * per_pair * p->full_pairs,
            .causal_flops = 2.0 * per_pair * p->pairs,
            .vector_flops = SOFTMAX_BACKWARD * heads * p->pairs,
            .read_bytes = q_bytes + k_bytes + v_bytes + 2.0 * o_bytes + 2.0 * row_bytes,
            .write_bytes = q_bytes + k_bytes + v_bytes,
        };
    }
    return (nnc_work){
        .flops = per_pair * p->pairs,
        .full_flops = per_pair * p->full_pairs,
        .causal_flops = per_pair * p->pairs,
        .vector_flops = SOFTMAX_FORWARD * heads * p->pairs,
        .read_bytes = q_bytes + k_bytes + v_bytes,
        .write_bytes = o_bytes + row_bytes,
    };
}

/* Q, K, V and the log-sum-exp; the output is owned by the projection that reads it. */
static double flash_kept(const nnc_op *op)
{
    const nnc_flash *p = &op->u.flash;
    const double batch = (double)p->batch, heads = (double)p->heads;
    const double q = (double)p->s_q * heads * (double)p->head_dim;
    const double kv = (double)p->kept_s_k * (double)p->kept_kv_heads *
                      ((double)p->head_dim + (double)p->value_dim);
    if (!p->keeps_qkv) {
        return 0.0;
    }
    return batch * (q + kv) * nnc_dtype_bytes(op->dtype) + 4.0 * batch * heads * (double)p->s_q;
}

static double flash_transient(const nnc_op *op)
{
    const nnc_flash *p = &op->u.flash;
    const double widths = (double)p->head_dim + (double)p->value_dim;
    const double q = (double)p->s_q * (double)p->heads * widths;
    const double kv = (double)p->s_k * (double)p->kv_heads * widths;
    return (double)p->batch * (q + kv) * nnc_dtype_bytes(op->dtype);
}

static void flash_shard(nnc_op *op, const nnc_degrees *d)
{
    nnc_flash *p = &op->u.flash;
    p->heads /= d->heads;
    p->kv_heads = nnc_at_least_one(p->kv_heads / d->heads);
    p->kept_kv_heads = nnc_at_least_one(p->kept_kv_heads / d->heads);
    p->s_q /= d->positions;
    p->kept_s_k /= d->positions;
    p->pairs /= (double)d->positions;
    p->full_pairs /= (double)d->positions;
}

static void flash_shape(const nnc_op *op, char *text, size_t size)
{
    const nnc_flash *p = &op->u.flash;
    snprintf(text, size,
             "b=%" PRId64 " heads=%" PRId64 "/%" PRId64 " s=%" PRId64 "x%" PRId64 " d=%" PRId64,
             p->batch, p->heads, p->kv_heads, p->s_q, p->s_k, p->head_dim);
}

static const char *flash_name(const nnc_op *op)
{
    (void)op;
    return "flash_attention";
}

const nnc_op_row nnc_flash_row = {
    .name = flash_name,
    .work = flash_work,
    .kept = flash_kept,
    .transient = flash_transient,
    .backward = nnc_op_same_backward,
    .shard = flash_shard,
    .shape = flash_shape,
    .timed = NNC_TIMED_FLASH,
    .hides_ring = true,
};
