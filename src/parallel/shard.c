#include "parallel/shard.h"

/* Degrees as they divide one op list. */
typedef struct degrees {
    int64_t tensor, context, expert;
    int64_t sequence;  /* context, times tensor under sequence parallelism */
    int64_t heads;     /* ranks that share the heads of one attention */
    int64_t positions; /* ranks that share the queries of one attention */
    double imbalance;
} degrees;

static degrees degrees_of(const nnc_plan *plan)
{
    const bool ulysses = plan->context_kind == NNC_CONTEXT_ULYSSES;
    degrees d = { .tensor = plan->tensor, .context = plan->context, .expert = plan->expert };
    d.sequence = d.context * (plan->sequence_parallel ? d.tensor : 1);
    d.heads = ulysses ? d.tensor * d.context : d.tensor;
    d.positions = ulysses ? 1 : d.context;
    d.imbalance = plan->imbalance;
    return d;
}

static int64_t at_least_one(int64_t value)
{
    return value > 0 ? value : 1;
}

static int64_t scale_up(int64_t value, double factor)
{
    const double exact = (double)value * factor;
    const int64_t whole = (int64_t)exact;
    return (double)whole < exact ? whole + 1 : whole;
}

static void shard_columns(nnc_op *op, int64_t ranks)
{
    op->u.matmul.n /= ranks;
    op->weights.cols /= ranks;
    op->weights.vector /= ranks;
}

static void shard_rows(nnc_op *op, int64_t ranks)
{
    op->u.matmul.k /= ranks;
    op->weights.rows /= ranks;
}

/* Each rank has its heads, and at least one key and value head. */
static void shard_qkv(nnc_op *op, const nnc_decoder *decoder, int64_t ranks)
{
    const int64_t heads = decoder->heads / ranks;
    const int64_t kv_heads = at_least_one(decoder->kv_heads / ranks);
    op->u.matmul.n = (heads + 2 * kv_heads) * decoder->head_dim;
    op->weights.cols = op->u.matmul.n;
    op->weights.vector = op->weights.vector > 0 ? op->u.matmul.n : 0;
}

/* Fewer key and value heads than ranks: every rank has one, for all of its query heads. */
static void shard_scores(nnc_matmul *p, const nnc_decoder *decoder, const degrees *d)
{
    const int64_t heads = at_least_one(decoder->heads / d->heads);
    p->batch /= d->heads;
    p->b_shared = p->b_shared < heads ? p->b_shared : heads;
    p->m /= d->positions;
    p->pairs /= (double)d->positions;
    p->full_pairs /= (double)d->positions;
}

/* Tokens arrive from every expert rank, as many as leave: the rows stay, the experts divide. */
static void shard_experts(nnc_op *op, const degrees *d)
{
    nnc_matmul *p = &op->u.matmul;
    const double useful = p->useful > 0.0 ? p->useful : 1.0;
    p->m = scale_up(p->m, d->expert > 1 ? d->imbalance : 1.0);
    if (d->expert > 1 && d->imbalance > 1.0) {
        p->useful = useful / d->imbalance;
    }
    p->experts = at_least_one(p->experts / d->expert);
    op->weights.count /= d->expert;
    op->weights.active = at_least_one(op->weights.active / d->expert);
}

static void shard_matmul(nnc_op *op, const nnc_model *model, const nnc_plan *plan, const degrees *d)
{
    nnc_matmul *p = &op->u.matmul;
    if (op->split == NNC_SPLIT_HEADS) {
        shard_scores(p, &model->decoder, d);
        return;
    }
    p->m /= op->split == NNC_SPLIT_SEQUENCE ? d->sequence : d->context;
    switch (op->split) {
    case NNC_SPLIT_COLUMN:
    case NNC_SPLIT_QKV:
        if (op->split == NNC_SPLIT_QKV) {
            shard_qkv(op, &model->decoder, d->tensor);
        } else {
            shard_columns(op, d->tensor);
        }
        p->kept_divisor = plan->sequence_parallel ? d->tensor : 1; /* gathered again */
        break;
    case NNC_SPLIT_ROW: shard_rows(op, d->tensor); break;
    case NNC_SPLIT_EXPERT_COLUMN:
        shard_experts(op, d);
        shard_columns(op, d->tensor);
        break;
    case NNC_SPLIT_EXPERT_ROW:
        shard_experts(op, d);
        shard_rows(op, d->tensor);
        break;
    default: break;
    }
}

static void shard_flash(nnc_flash *p, const degrees *d)
{
    p->heads /= d->heads;
    p->kv_heads = at_least_one(p->kv_heads / d->heads);
    p->kept_kv_heads = at_least_one(p->kept_kv_heads / d->heads);
    p->s_q /= d->positions;
    p->kept_s_k /= d->positions;
    p->pairs /= (double)d->positions;
    p->full_pairs /= (double)d->positions;
}

/* Ranks that share the elements of a pointwise op; of a cast, whose input and output differ. */
static int64_t pointwise_ranks(const nnc_op *op, const degrees *d, bool backward)
{
    const bool cast = op->u.pointwise.kind == NNC_PW_CAST;
    switch (op->split) {
    case NNC_SPLIT_SEQUENCE: return d->sequence;
    case NNC_SPLIT_INNER:
    case NNC_SPLIT_HEADS:
    case NNC_SPLIT_EXPERT_INNER: return d->context * d->tensor;
    case NNC_SPLIT_COLUMN:
    case NNC_SPLIT_QKV:
    case NNC_SPLIT_EXPERT_COLUMN: return d->context * (cast && backward ? d->tensor : 1);
    case NNC_SPLIT_ROW:
    case NNC_SPLIT_EXPERT_ROW: return d->context * (cast && !backward ? d->tensor : 1);
    default: return d->context;
    }
}

static void shard_pointwise(nnc_op *op, const degrees *d)
{
    nnc_pointwise *p = &op->u.pointwise;
    const int64_t ranks = pointwise_ranks(op, d, false);
    p->elements /= ranks;
    p->input_elements /= ranks;
    p->backward_elements /= pointwise_ranks(op, d, true);
    p->extra_kept_bytes /= (double)ranks;
    if (op->split == NNC_SPLIT_EXPERT_INNER && d->expert > 1) {
        p->elements = scale_up(p->elements, d->imbalance);
    }
}

void nnc_shard(nnc_op_list *list, const nnc_model *model, const nnc_plan *plan)
{
    const degrees d = degrees_of(plan);
    if (d.tensor == 1 && d.context == 1 && d.expert == 1) {
        return;
    }
    for (int32_t i = 0; i < list->count; i++) {
        nnc_op *op = &list->ops[i];
        switch (op->kind) {
        case NNC_OP_MATMUL: shard_matmul(op, model, plan, &d); break;
        case NNC_OP_FLASH: shard_flash(&op->u.flash, &d); break;
        case NNC_OP_NORM:
            op->u.norm.elements /= d.sequence;
            op->u.norm.rows /= d.sequence;
            break;
        case NNC_OP_POINTWISE: shard_pointwise(op, &d); break;
        case NNC_OP_EMBEDDING:
            op->u.embedding.tokens /= d.context;
            op->weights.rows /= d.tensor;
            break;
        case NNC_OP_LOSS:
            op->u.loss.tokens /= d.context;
            op->u.loss.classes /= d.tensor;
            break;
        default: break;
        }
    }
    for (int32_t i = 0; i < list->block_count; i++) { /* block inputs lie in the residual stream */
        list->blocks[i].input_bytes /= (double)d.sequence;
    }
}
