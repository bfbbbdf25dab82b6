#include <inttypes.h>
#include <stdio.h>

#include "op/op_row.h"

/* Cross-entropy over `tokens` rows of `classes` logits.
 * Fused: logits read once forward; backward reads them and writes the gradient in their place.
 * Unfused, in fp32: cast, log-softmax, its gradient, cast back.
 * Mean squared error reads prediction and target forward, and writes one gradient backward.
 * Source: counts by inspection.   [cross-entropy] */
static nnc_work loss_work(const nnc_op *op)
{
    const nnc_loss *p = &op->u.loss;
    const double elements = (double)p->tokens * (double)p->classes;
    const double bytes = nnc_dtype_bytes(op->dtype), fp32 = 4.0;
    const bool backward = op->phase == NNC_PHASE_BACKWARD;

    if (p->squared_error) {
        return (nnc_work){
            .vector_flops = (backward ? 2.0 : 3.0) * elements,
            .read_bytes = 2.0 * elements * bytes,
            .write_bytes = backward ? elements * bytes : 0.0,
        };
    }
    nnc_work work = { .vector_flops = (backward ? 2.0 : 5.0) * elements };
    if (p->fused) {
        work.read_bytes = elements * bytes;
        work.write_bytes = backward ? elements * bytes : 0.0;
    } else if (backward) {
        work.read_bytes = elements * (fp32 + fp32);
        work.write_bytes = elements * (fp32 + bytes);
    } else {
        work.read_bytes = elements * (bytes + fp32);
        work.write_bytes = elements * (fp32 + fp32);
    }
    return work;
}

static double loss_kept(const nnc_op *op)
{
    const nnc_loss *p = &op->u.loss;
    const double bytes = p->keep == NNC_LOSS_KEEPS_FP32 ? 4.0 : nnc_dtype_bytes(op->dtype);
    return (double)p->tokens * (double)p->classes * bytes;
}

/* An unfused loss holds the logits, their fp32 copy and the fp32 probabilities at once; what it
 * keeps is counted there. */
static double loss_transient(const nnc_op *op)
{
    const nnc_loss *p = &op->u.loss;
    if (p->fused || p->squared_error) {
        return 0.0;
    }
    const double elements = (double)p->tokens * (double)p->classes;
    return elements * (nnc_dtype_bytes(op->dtype) + 4.0 + 4.0) - loss_kept(op);
}

static void loss_shard(nnc_op *op, const nnc_degrees *d)
{
    op->u.loss.tokens /= d->context;
    op->u.loss.classes /= d->tensor;
}

static void loss_shape(const nnc_op *op, char *text, size_t size)
{
    snprintf(text, size, "rows=%" PRId64 " classes=%" PRId64, op->u.loss.tokens,
             op->u.loss.classes);
}

static const char *loss_name(const nnc_op *op)
{
    return op->u.loss.squared_error ? "squared_error" : "cross_entropy";
}

const nnc_op_row nnc_loss_row = {
    .name = loss_name,
    .work = loss_work,
    .kept = loss_kept,
    .transient = loss_transient,
    .backward = nnc_op_same_backward,
    .shard = loss_shard,
    .shape = loss_shape,
    .timed = NNC_TIMED_POINTWISE,
    .transient_what = "fp32 logits of the loss",
};
