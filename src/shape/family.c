#include <string.h>

#include "base/number.h"
#include "op/work.h"
#include "shape/list.h"

static void (*const families[NNC_FAMILY_COUNT])(const nnc_model *, const nnc_lowering *,
                                                nnc_op_list *) = {
    [NNC_FAMILY_DECODER] = nnc_decoder_lower,
    [NNC_FAMILY_UNET] = nnc_unet_lower,
};

void nnc_lower(const nnc_model *model, const nnc_lowering *how, nnc_op_list *list)
{
    list->count = 0;
    list->block_count = 0;
    list->segment_count = 0;
    list->truncated = false;
    list->overflow = false;
    list->input_bytes = 0.0;
    list->tokens = 0;
    list->lookup_params = 0;
    families[model->family](model, how, list);
}

nnc_op *nnc_list_add(nnc_op_list *list, const nnc_lowering *how, const char *name, nnc_op_kind kind,
                     nnc_group group, int64_t repeat, int32_t block)
{
    if (list->count == NNC_OPS_MAX) {
        list->truncated = true;
        list->count--; /* the caller reports it; the last slot is reused until then */
    }
    nnc_op *op = &list->ops[list->count++];
    memset(op, 0, sizeof *op);
    op->name = name;
    op->kind = kind;
    op->phase = NNC_PHASE_FORWARD;
    op->group = group;
    op->dtype = how->dtype;
    op->math_dtype = how->dtype;
    op->repeat = repeat;
    op->block = block;
    op->segment = list->segment_count - 1;
    op->grad_bytes = how->grad_bytes;
    op->grad_accumulate = how->grad_accumulate;
    return op;
}

int64_t nnc_list_mul(nnc_op_list *list, int64_t a, int64_t b, int64_t c, int64_t d)
{
    int64_t product = 0;
    if (!nnc_mul_i64(a, b, &product) || !nnc_mul_i64(product, c, &product) ||
        !nnc_mul_i64(product, d, &product)) {
        list->overflow = true;
        return 1;
    }
    return product;
}

int32_t nnc_list_block(nnc_op_list *list, int64_t repeat, double input_bytes)
{
    if (list->block_count == NNC_BLOCKS_MAX) {
        list->truncated = true;
        list->block_count--;
    }
    list->blocks[list->block_count] = (nnc_block){ repeat, input_bytes, list->segment_count - 1 };
    return list->block_count++;
}

void nnc_list_segment(nnc_op_list *list, int64_t instances, bool layer)
{
    if (list->segment_count == NNC_SEGMENTS_MAX) {
        list->truncated = true;
        list->segment_count--;
    }
    list->segments[list->segment_count++] = (nnc_segment){ instances, layer };
}

void nnc_list_exchange(nnc_op_list *list, const nnc_lowering *how, const char *name,
                       nnc_exchange exchange, int64_t repeat, int32_t block)
{
    nnc_op *op = nnc_list_add(list, how, name, NNC_OP_COLLECTIVE, NNC_GROUP_NETWORK, repeat, block);
    op->u.exchange = exchange;
}

nnc_op *nnc_list_linear(nnc_op_list *list, const nnc_lowering *how, const char *name,
                        nnc_group group, int64_t m, int64_t n, int64_t k, bool bias, int64_t repeat,
                        int32_t block)
{
    if (how->linear_dtype != how->dtype && block >= 0) {
        /* 8-bit operands: the input is cast forward, the output's gradient backward */
        nnc_op *cast = nnc_list_add(list, how, "cast", NNC_OP_POINTWISE, group, repeat, block);
        cast->u.pointwise = (nnc_pointwise){ .kind = NNC_PW_CAST,
                                             .elements = nnc_list_mul(list, m, k, 1, 1),
                                             .backward_elements = nnc_list_mul(list, m, n, 1, 1),
                                             .fused = true };
    }
    nnc_op *op = nnc_list_add(list, how, name, NNC_OP_MATMUL, group, repeat, block);
    op->math_dtype = block >= 0 ? how->linear_dtype : how->dtype;
    op->weights = (nnc_weights){ .count = 1, .rows = k, .cols = n, .vector = bias ? n : 0 };
    op->u.matmul = (nnc_matmul){ .batch = 1,
                                 .m = m,
                                 .n = n,
                                 .k = k,
                                 .b_shared = 1,
                                 .kept_divisor = 1,
                                 .b_is_weight = true,
                                 .needs_grad_input = true,
                                 .keeps_a = true };
    nnc_list_mul(list, m, n, k, 1);
    return op;
}

nnc_op *nnc_list_norm(nnc_op_list *list, const nnc_lowering *how, const char *name,
                      nnc_norm_kind kind, int64_t elements, int64_t rows, int64_t params,
                      int64_t repeat, int32_t block)
{
    nnc_op *op = nnc_list_add(list, how, name, NNC_OP_NORM, NNC_GROUP_NORM, repeat, block);
    op->weights.vector = params;
    op->u.norm = (nnc_norm){ .kind = kind,
                             .elements = elements,
                             .rows = rows,
                             .fused = how->software->fused_norm,
                             .keeps_input = true,
                             .keep = how->software->norm_keep };
    return op;
}

nnc_op *nnc_list_pointwise(nnc_op_list *list, const nnc_lowering *how, const char *name,
                           nnc_pointwise_kind kind, nnc_group group, int64_t elements,
                           int64_t repeat, int32_t block)
{
    nnc_op *op = nnc_list_add(list, how, name, NNC_OP_POINTWISE, group, repeat, block);
    op->u.pointwise = (nnc_pointwise){ .kind = kind, .elements = elements, .fused = true };
    return op;
}

static int64_t pairs_of(const nnc_attention_shape *a, int64_t all)
{
    return a->causal ? nnc_attention_pairs(a->s_q, a->s_k, true, a->window) : all;
}

/* One product of the scores: Q K^T, or P V. */
static nnc_op *score_product(nnc_op_list *list, const nnc_lowering *how,
                             const nnc_attention_shape *a, const char *name, int64_t n, int64_t k,
                             int64_t repeat, int32_t block)
{
    const int64_t all = nnc_list_mul(list, a->s_q, a->s_k, 1, 1);
    nnc_op *op = nnc_list_add(list, how, name, NNC_OP_MATMUL, NNC_GROUP_ATTENTION, repeat, block);
    op->split = NNC_SPLIT_HEADS;
    op->u.matmul = (nnc_matmul){
        .batch = nnc_list_mul(list, a->batch, a->heads, 1, 1),
        .m = a->s_q,
        .n = n,
        .k = k,
        .b_shared = how->software->expanded_kv ? 1 : a->heads / a->kv_heads,
        .heads = a->heads,
        .kv_heads = a->kv_heads,
        .kept_divisor = 1,
        .pairs = (double)pairs_of(a, all),
        .full_pairs = (double)all,
        .needs_grad_input = true,
        .keeps_b = true,
    };
    op->recomputed = (how->plan->recompute & NNC_RECOMPUTE_ATTENTION) != 0;
    return op;
}

static void unfused_attention(nnc_op_list *list, const nnc_lowering *how,
                              const nnc_attention_shape *a, const nnc_attention_labels *labels,
                              int64_t repeat, int32_t block)
{
    const nnc_software *software = how->software;
    const bool recomputed = (how->plan->recompute & NNC_RECOMPUTE_ATTENTION) != 0;
    const bool dropout = a->dropout > 0.0;
    const bool upcast = software->softmax_upcast && nnc_dtype_bytes(how->dtype) < 4.0;
    const int64_t scores =
        nnc_list_mul(list, nnc_list_mul(list, a->batch, a->heads, 1, 1), a->s_q, a->s_k, 1);
    const double mask_bytes =
        a->causal && software->attention_mask_kept ? (double)a->s_q * (double)a->s_k : 0.0;

    nnc_op *op = score_product(list, how, a, labels->scores, a->s_k, a->head_dim, repeat, block);
    op->u.matmul.keeps_a = true;
    if (!software->fused_softmax) {
        op = nnc_list_pointwise(list, how, labels->mask, NNC_PW_SCALE_MASK, NNC_GROUP_ATTENTION,
                                scores, repeat, block);
        op->recomputed = recomputed;
        op->split = NNC_SPLIT_HEADS;
    }
    op = nnc_list_pointwise(list, how, labels->softmax, NNC_PW_SOFTMAX, NNC_GROUP_ATTENTION, scores,
                            repeat, block);
    op->recomputed = recomputed;
    op->split = NNC_SPLIT_HEADS;
    if (!recomputed) {
        op->u.pointwise.keeps_output = true;
        op->u.pointwise.extra_kept_bytes = mask_bytes + (upcast ? 4.0 * (double)scores : 0.0);
    }
    if (dropout) {
        op = nnc_list_pointwise(list, how, labels->dropout, NNC_PW_DROPOUT, NNC_GROUP_ATTENTION,
                                scores, repeat, block);
        op->recomputed = recomputed;
        op->split = NNC_SPLIT_HEADS;
        op->u.pointwise.keeps_mask = !recomputed;
    }
    op = score_product(list, how, a, labels->context, a->value_dim, a->s_k, repeat, block);
    op->u.matmul.keeps_a = dropout && !recomputed; /* else the softmax owns the probabilities */
}

static nnc_flash_kernel flash_kernel(const nnc_lowering *how)
{
    switch (how->attention) {
    case NNC_ATTENTION_FLASH1: return NNC_FLASH1;
    case NNC_ATTENTION_FLASH2: return NNC_FLASH2;
    case NNC_ATTENTION_FLASH3: return NNC_FLASH3;
    default: return how->software->flash_kernel;
    }
}

void nnc_list_attention(nnc_op_list *list, const nnc_lowering *how, const nnc_attention_shape *a,
                        const nnc_attention_labels *labels, int64_t repeat, int32_t block)
{
    if (how->attention == NNC_ATTENTION_UNFUSED) {
        unfused_attention(list, how, a, labels, repeat, block);
        return;
    }
    nnc_op *op =
        nnc_list_add(list, how, labels->fused, NNC_OP_FLASH, NNC_GROUP_ATTENTION, repeat, block);
    op->recomputed = (how->plan->recompute & NNC_RECOMPUTE_ATTENTION) != 0;
    const int64_t all = nnc_list_mul(list, a->s_q, a->s_k, 1, 1);
    op->split = NNC_SPLIT_HEADS;
    op->u.flash = (nnc_flash){
        .batch = a->batch,
        .heads = a->heads,
        .kv_heads = a->kv_heads,
        .s_q = a->s_q,
        .s_k = a->s_k,
        .head_dim = a->head_dim,
        .value_dim = a->value_dim,
        .pairs = (double)pairs_of(a, all),
        .full_pairs = (double)all,
        .keeps_qkv = true,
        .kept_s_k = a->s_k,
        .kept_kv_heads = how->software->expanded_kv ? a->heads : a->kv_heads,
        .kernel = flash_kernel(how),
    };
    nnc_list_mul(list, nnc_list_mul(list, a->batch, a->heads, 1, 1), a->s_q, a->s_k, a->head_dim);
}
