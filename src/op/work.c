#include "op/work.h"

#include "base/names.h"

static double nothing(const nnc_op *op)
{
    (void)op;
    return 0.0;
}

/* An exchange does no work on the device; its time is the network's. */
static nnc_work exchange_work(const nnc_op *op)
{
    (void)op;
    return (nnc_work){ 0 };
}

static const struct {
    const char *name;
    nnc_work (*work)(const nnc_op *op);
    double (*kept)(const nnc_op *op);
    double (*transient)(const nnc_op *op);
} kinds[NNC_OP_KIND_COUNT] = {
    [NNC_OP_MATMUL] = { "matmul", nnc_matmul_work, nnc_matmul_kept, nnc_matmul_transient },
    [NNC_OP_FLASH] = { "flash_attention", nnc_flash_work, nnc_flash_kept, nnc_flash_transient },
    [NNC_OP_CONV] = { "conv2d", nnc_conv_work, nnc_conv_kept, nnc_conv_transient },
    [NNC_OP_NORM] = { "norm", nnc_norm_work, nnc_norm_kept, nnc_norm_transient },
    [NNC_OP_POINTWISE] = { "pointwise", nnc_pointwise_work, nnc_pointwise_kept,
                           nnc_pointwise_transient },
    [NNC_OP_EMBEDDING] = { "embedding", nnc_embedding_work, nnc_embedding_kept, nothing },
    [NNC_OP_LOSS] = { "cross_entropy", nnc_loss_work, nnc_loss_kept, nnc_loss_transient },
    [NNC_OP_COLLECTIVE] = { "collective", exchange_work, nothing, nothing },
    [NNC_OP_UPDATE] = { "update", nnc_update_work, nothing, nothing },
};

nnc_work nnc_op_work(const nnc_op *op)
{
    return kinds[op->kind].work(op);
}

double nnc_op_kept_bytes(const nnc_op *op)
{
    return kinds[op->kind].kept(op);
}

double nnc_op_transient_bytes(const nnc_op *op)
{
    return kinds[op->kind].transient(op);
}

int64_t nnc_weights_active(const nnc_weights *weights)
{
    const int64_t count = weights->active > 0 ? weights->active : weights->count;
    return count * weights->rows * weights->cols + weights->vector;
}

int64_t nnc_weights_params(const nnc_weights *weights)
{
    return weights->count * weights->rows * weights->cols + weights->vector;
}

const char *nnc_op_kind_name(const nnc_op *op)
{
    switch (op->kind) {
    case NNC_OP_POINTWISE: return nnc_pointwise_kind_name(op->u.pointwise.kind);
    case NNC_OP_CONV: return op->u.conv.transposed ? "conv_transpose2d" : kinds[op->kind].name;
    case NNC_OP_COLLECTIVE: return nnc_collective_name(op->u.exchange.forward);
    case NNC_OP_LOSS: return op->u.loss.squared_error ? "squared_error" : kinds[op->kind].name;
    case NNC_OP_NORM: {
        static const char *const norms[NNC_NORM_KIND_COUNT] = {
            [NNC_NORM_LAYER] = "layer_norm",
            [NNC_NORM_RMS] = "rms_norm",
            [NNC_NORM_GROUP] = "group_norm",
            [NNC_NORM_BATCH] = "batch_norm",
        };
        return norms[op->u.norm.kind];
    }
    case NNC_OP_UPDATE: {
        static const char *const updates[] = {
            [NNC_UPDATE_STEP] = "optimizer_step",
            [NNC_UPDATE_CLIP] = "clip_gradients",
            [NNC_UPDATE_ZERO] = "zero_gradients",
        };
        return updates[op->u.update.kind];
    }
    default: return kinds[op->kind].name;
    }
}

NNC_ENUM_NAMES(nnc_phase, NNC_PHASE_LIST)

NNC_ENUM_NAMES(nnc_group, NNC_GROUP_LIST)
