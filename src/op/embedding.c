#include <inttypes.h>
#include <stdio.h>

#include "op/op_row.h"

enum { TOKEN_ID_BYTES = 8 }; /* int64 on the device */

/* A lookup multiplies nothing: it reads one row per token and writes it. Backward reads dy and adds
 * it to the row's gradient, which is read and written.   [embedding] */
static nnc_work embedding_work(const nnc_op *op)
{
    const double tokens = (double)op->u.embedding.tokens;
    const double elements = tokens * (double)op->u.embedding.width;
    const double bytes = nnc_dtype_bytes(op->dtype);
    if (op->phase == NNC_PHASE_BACKWARD) {
        return (nnc_work){
            .vector_flops = elements,
            .read_bytes = elements * (bytes + op->grad_bytes) + TOKEN_ID_BYTES * tokens,
            .write_bytes = elements * op->grad_bytes,
        };
    }
    return (nnc_work){
        .read_bytes = elements * bytes + TOKEN_ID_BYTES * tokens,
        .write_bytes = elements * bytes,
    };
}

static double embedding_kept(const nnc_op *op)
{
    return TOKEN_ID_BYTES * (double)op->u.embedding.tokens;
}

static void embedding_shard(nnc_op *op, const nnc_degrees *d)
{
    op->u.embedding.tokens /= d->context;
    op->weights.rows /= d->tensor;
}

static void embedding_shape(const nnc_op *op, char *text, size_t size)
{
    snprintf(text, size, "tokens=%" PRId64 " width=%" PRId64, op->u.embedding.tokens,
             op->u.embedding.width);
}

static const char *embedding_name(const nnc_op *op)
{
    (void)op;
    return "embedding";
}

const nnc_op_row nnc_embedding_row = {
    .name = embedding_name,
    .work = embedding_work,
    .kept = embedding_kept,
    .transient = nnc_op_no_bytes,
    .backward = nnc_op_same_backward,
    .shard = embedding_shard,
    .shape = embedding_shape,
    .timed = NNC_TIMED_POINTWISE,
};
