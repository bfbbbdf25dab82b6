#include <inttypes.h>
#include <stdio.h>

#include "base/names.h"
#include "op/op_row.h"

NNC_ENUM_NAMES(nnc_update_kind, NNC_UPDATE_LIST)

/* weights, gradients, fp32 master copy, one moment, transient cast of the weights.
 * Sources: ZeRO arXiv:1910.02054 section 3.1 (mixed), Megatron-LM (mixed-fp32grad), DeepSeek-V3
 * arXiv:2412.19437 (fp8), scaling-book (bf16-states-fp32), Micikevicius arXiv:1710.03740.
 * [policies] */
static const nnc_policy_sizes policies[NNC_POLICY_COUNT] = {
    [NNC_POLICY_DEFAULT] = { 2, 2, 4, 4, 0 },
    [NNC_POLICY_FP32] = { 4, 4, 0, 4, 0 },
    [NNC_POLICY_MIXED] = { 2, 2, 4, 4, 0 },
    [NNC_POLICY_MIXED_FP32GRAD] = { 2, 4, 4, 4, 0 },
    [NNC_POLICY_MIXED_BOTH] = { 2, 6, 4, 4, 0 },
    [NNC_POLICY_AMP] = { 4, 4, 0, 4, 2 },
    [NNC_POLICY_BF16_STATES_FP32] = { 2, 0, 0, 4, 0 },
    [NNC_POLICY_BF16_PURE] = { 2, 2, 0, 2, 0 },
    [NNC_POLICY_FP8] = { 1, 4, 4, 2, 0 },
};

nnc_policy_sizes nnc_policy_bytes(nnc_policy policy)
{
    return policies[(unsigned)policy < NNC_POLICY_COUNT ? policy : NNC_POLICY_DEFAULT];
}

NNC_ENUM_TEXTS(nnc_policy, NNC_POLICY_LIST)

NNC_ENUM_TEXTS(nnc_optimizer, NNC_OPTIMIZER_LIST)

/* Per parameter: moments kept (in units of the policy's moment), FLOPs of one step, and passes over
 * fp32 memory when every primitive is a kernel of its own (Adam: m 3, v 5, sqrt 2, scale 2, eps 2,
 * addcdiv 4; AdamW: decay 2 more). Counts by inspection.   [optimizer-step] */
static const struct {
    double moments, flops, unfused_passes;
} optimizers[NNC_OPTIMIZER_COUNT] = {
    [NNC_OPTIMIZER_ADAMW] = { 2, 16, 20 },  [NNC_OPTIMIZER_ADAM] = { 2, 14, 18 },
    [NNC_OPTIMIZER_SGD] = { 0, 2, 3 },      [NNC_OPTIMIZER_MOMENTUM] = { 1, 4, 6 },
    [NNC_OPTIMIZER_RMSPROP] = { 1, 9, 13 }, [NNC_OPTIMIZER_ADAFACTOR] = { 0, 14, 18 },
    [NNC_OPTIMIZER_LION] = { 1, 8, 13 },    [NNC_OPTIMIZER_ADAM8BIT] = { 0, 24, 20 },
    [NNC_OPTIMIZER_MUON] = { 1, 4, 6 },
};

/* Adam's two moments in 8 bits, with one fp32 scale per block of 256. Source: arXiv:2110.02861. */
static double adam8bit_bytes(void)
{
    return 2.0 * nnc_block_format_bytes(1.0, 4.0, 256.0);
}

double nnc_update_moment_bytes(const nnc_update *update)
{
    const double moment_bytes = nnc_policy_bytes(update->policy).state_bytes;
    const double params = (double)update->params;
    switch (update->optimizer) {
    case NNC_OPTIMIZER_ADAFACTOR: return moment_bytes * update->factored_elements;
    case NNC_OPTIMIZER_ADAM8BIT: return adam8bit_bytes() * params;
    case NNC_OPTIMIZER_MUON: /* momentum for matrices, Adam for tables, gains and biases */
        return moment_bytes * (2.0 * params - (double)update->matrix_params);
    default: return moment_bytes * optimizers[update->optimizer].moments * params;
    }
}

double nnc_policy_gradient_io_bytes(nnc_policy policy)
{
    const double bytes = nnc_policy_bytes(policy).gradient_bytes;
    return bytes > 0.0 ? bytes : 2.0; /* not stored, yet written by backward and read once */
}

/* One fused pass reads the gradient, the master copy (or the weight itself) and the moments, and
 * writes them back with the 16-bit weight.
 * Muon orthogonalises each matrix by five Newton-Schulz iterations, each about four passes over a
 * 16-bit copy. Adafactor reads the gradient once more, for its row and column means. */
static nnc_work step_work(const nnc_update *u)
{
    const nnc_policy_sizes sizes = nnc_policy_bytes(u->policy);
    const double params = (double)u->params, moments = nnc_update_moment_bytes(u);
    const double gradient = nnc_policy_gradient_io_bytes(u->policy);
    const bool master = sizes.master_bytes > 0.0;

    nnc_work work = { 0 };
    work.vector_flops = optimizers[u->optimizer].flops * params;
    if (u->fused) {
        work.read_bytes = (gradient + (master ? sizes.master_bytes : sizes.weight_bytes)) * params;
        work.write_bytes = (sizes.master_bytes + sizes.weight_bytes) * params;
        work.read_bytes += moments;
        work.write_bytes += moments;
    } else {
        const double passes = optimizers[u->optimizer].unfused_passes * 4.0 * params;
        work.read_bytes = passes * 0.6;
        work.write_bytes = passes * 0.4;
        if (master) { /* cast the gradient up and the weight down */
            work.read_bytes += (gradient < 4.0 ? gradient : 0.0) * params + 4.0 * params;
            work.write_bytes += (gradient < 4.0 ? 4.0 : 0.0) * params + sizes.weight_bytes * params;
        }
    }
    if (u->optimizer == NNC_OPTIMIZER_ADAFACTOR) {
        work.read_bytes += gradient * params;
    }
    if (u->optimizer == NNC_OPTIMIZER_MUON) {
        const double passes = 5.0 * 4.0 * 2.0 * (double)u->matrix_params;
        work.flops = u->orthogonalise_flops;
        work.read_bytes += 0.5 * passes;
        work.write_bytes += 0.5 * passes;
    }
    return work;
}

/* Clipping by the global norm reads every gradient; scaling is folded into a fused step and is a
 * pass of its own otherwise. Clearing writes them once. */
static nnc_work update_work(const nnc_op *op)
{
    const nnc_update *u = &op->u.update;
    const double gradients = nnc_policy_gradient_io_bytes(u->policy) * (double)u->params;
    switch (u->kind) {
    case NNC_UPDATE_CLIP:
        return (nnc_work){
            .vector_flops = (u->fused ? 2.0 : 3.0) * (double)u->params,
            .read_bytes = gradients * (u->fused ? 1.0 : 2.0),
            .write_bytes = u->fused ? 0.0 : gradients,
        };
    case NNC_UPDATE_ZERO: return (nnc_work){ .write_bytes = gradients };
    default: return step_work(u);
    }
}

double nnc_muon_flops(int64_t rows, int64_t cols)
{
    const double r = (double)(rows < cols ? rows : cols), c = (double)(rows < cols ? cols : rows);
    return 5.0 * (4.0 * r * r * c + 2.0 * r * r * r);
}

static void update_shape(const nnc_op *op, char *text, size_t size)
{
    snprintf(text, size, "params=%" PRId64, op->u.update.params);
}

static const char *update_name(const nnc_op *op)
{
    return nnc_update_kind_name(op->u.update.kind);
}

const nnc_op_row nnc_update_row = {
    .name = update_name,
    .work = update_work,
    .kept = nnc_op_no_bytes,
    .transient = nnc_op_no_bytes,
    .backward = nnc_op_no_backward,
    .shard = nnc_op_not_sharded,
    .shape = update_shape,
    .timed = NNC_TIMED_UPDATE,
};
