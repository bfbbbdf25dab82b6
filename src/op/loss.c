/* Losses: cross-entropy and mean squared error. */
#include <inttypes.h>
#include <stdio.h>

#include "op/op_internal.h"

/* Cross-entropy over `tokens` rows of `classes` logits.
 * Fused: logits read once forward; backward reads them and writes the gradient in their place.
 * Unfused, in fp32: cast, log-softmax, its gradient, cast back.
 * Mean squared error reads prediction and target forward, and writes one gradient backward.
 * Source: counts by inspection.   [cross-entropy] */
NNC_SAYING nnc_work loss_work(const nnc_op *op, nnc_derivation *why)
{
    const nnc_loss *p = &op->u.loss;
    const bool backward = op->phase == NNC_PHASE_BACKWARD;
    NNC_LET(why, tokens, NULL, (double)p->tokens);
    NNC_LET(why, classes, NULL, (double)p->classes);
    NNC_LET(why, element_bytes, NULL, nnc_dtype_bytes(op->dtype));
    NNC_LET(why, flops_per_element, NULL, backward ? 2.0 : p->squared_error ? 3.0 : 5.0);

    nnc_work work = { 0 };
    NNC_SET(why, work.vector_flops, "FLOP", flops_per_element * tokens * classes);
    NNC_NOTE(why, "counts by inspection of the kernel; transcendentals count as one");
    if (p->squared_error) {
        NNC_SET(why, work.read_bytes, "B", 2.0 * tokens * classes * element_bytes);
        NNC_NOTE(why, "prediction and target");
    } else if (p->fused) {
        NNC_SET(why, work.read_bytes, "B", tokens * classes * element_bytes);
        NNC_NOTE(why, "the logits, in one kernel");
    } else if (backward) {
        NNC_SET(why, work.read_bytes, "B", tokens * classes * (4.0 + 4.0));
        NNC_NOTE(why, "unfused, in fp32: the gradient of the log-softmax, then the cast back");
        NNC_SET(why, work.write_bytes, "B", tokens * classes * (4.0 + element_bytes));
        return work;
    } else {
        NNC_SET(why, work.read_bytes, "B", tokens * classes * (element_bytes + 4.0));
        NNC_NOTE(why, "unfused, in fp32: the cast, then the log-softmax");
        NNC_SET(why, work.write_bytes, "B", tokens * classes * (4.0 + 4.0));
        return work;
    }
    if (backward) {
        NNC_SET(why, work.write_bytes, "B", tokens * classes * element_bytes);
    }
    return work;
}

NNC_SAYING double loss_kept(const nnc_op *op, nnc_derivation *why)
{
    const nnc_loss *p = &op->u.loss;
    const double tokens = (double)p->tokens, classes = (double)p->classes;
    NNC_LET(why, logit_bytes, NULL,
            p->keep == NNC_LOSS_KEEPS_FP32 ? 4.0 : nnc_dtype_bytes(op->dtype));
    if (p->in_place) {
        NNC_SAY(why, no_bytes, "B", 0.0);
        NNC_NOTE(why, "the gradient overwrites the logits; the op that makes it counts it");
        return no_bytes;
    }
    NNC_SAY(why, kept_bytes, "B", tokens * classes * logit_bytes);
    NNC_NOTE(why, nnc_kept_note);
    return kept_bytes;
}

/* An unfused loss holds the logits, their fp32 copy and the fp32 probabilities at once; what it
 * keeps is counted there. */
NNC_SAYING double loss_transient(const nnc_op *op, nnc_derivation *why)
{
    const nnc_loss *p = &op->u.loss;
    const double tokens = (double)p->tokens, classes = (double)p->classes;
    const double element_bytes = nnc_dtype_bytes(op->dtype), kept_bytes = loss_kept(op, NULL);
    if (p->fused || p->in_place || p->squared_error) {
        return 0.0;
    }
    NNC_SAY(why, transient_bytes, "B", tokens * classes * (element_bytes + 4.0 + 4.0) - kept_bytes);
    NNC_NOTE(why,
             "logits, their fp32 copy and the fp32 probabilities at once, less the kept tensors");
    return transient_bytes;
}

NNC_OP_FUNCTIONS(loss)

static void loss_shard(nnc_op *op, const nnc_degrees *d)
{
    op->u.loss.tokens /= d->context;
    op->u.loss.classes /= op->split == NNC_SPLIT_VOCAB ? d->tensor : 1;
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
    .name_of = loss_name,
    NNC_OP_MEMBERS(loss),
    .backward = nnc_op_same_backward,
    .shard = loss_shard,
    .shape = loss_shape,
    .timed = NNC_TIMED_POINTWISE,
    .transient_what = "fp32 logits of the loss",
};
