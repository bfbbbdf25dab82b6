/* Table lookup. */
#include <inttypes.h>
#include <stdio.h>

#include "op/op_internal.h"

enum { TOKEN_ID_BYTES = 8 }; /* int64 on the device */

/* A lookup multiplies nothing: it reads one row per token and writes it. Backward reads dy and adds
 * it to the row's gradient, which is read and written.   [embedding] */
NNC_SAYING nnc_work embedding_work(const nnc_op *op, nnc_derivation *why)
{
    NNC_LET(why, tokens, NULL, (double)op->u.embedding.tokens);
    NNC_LET(why, width, NULL, (double)op->u.embedding.width);
    NNC_LET(why, element_bytes, NULL, nnc_dtype_bytes(op->dtype));
    NNC_LET(why, token_id_bytes, NULL, TOKEN_ID_BYTES);
    nnc_work work = { 0 };
    if (op->phase == NNC_PHASE_BACKWARD) {
        NNC_LET(why, grad_bytes, NULL, op->grad_bytes);
        NNC_SET(why, work.vector_flops, "FLOP", tokens * width);
        NNC_SET(why, work.read_bytes, "B",
                tokens * width * (element_bytes + grad_bytes) + token_id_bytes * tokens);
        NNC_NOTE(why, "dy, and the gradients of the rows that it is added to");
        NNC_SET(why, work.write_bytes, "B", tokens * width * grad_bytes);
    } else {
        NNC_SET(why, work.read_bytes, "B",
                tokens * width * element_bytes + token_id_bytes * tokens);
        NNC_NOTE(why, "one row of the table per token: a lookup multiplies nothing");
        NNC_SET(why, work.write_bytes, "B", tokens * width * element_bytes);
    }
    return work;
}

NNC_SAYING double embedding_kept(const nnc_op *op, nnc_derivation *why)
{
    const double tokens = (double)op->u.embedding.tokens, token_id_bytes = TOKEN_ID_BYTES;
    NNC_SAY(why, kept_bytes, "B", token_id_bytes * tokens);
    NNC_NOTE(why, nnc_kept_note);
    return kept_bytes;
}

NNC_SAYING double embedding_transient(const nnc_op *op, nnc_derivation *why)
{
    (void)op;
    (void)why;
    return 0.0;
}

NNC_OP_FUNCTIONS(embedding)

static void embedding_shard(nnc_op *op, const nnc_degrees *d)
{
    op->u.embedding.tokens /= d->context;
    op->weights.rows /= op->split == NNC_SPLIT_VOCAB ? d->tensor : 1;
}

static void embedding_shape(const nnc_op *op, char *text, size_t size)
{
    snprintf(text, size, "tokens=%" PRId64 " width=%" PRId64, op->u.embedding.tokens,
             op->u.embedding.width);
}

const nnc_op_row nnc_embedding_row = {
    .name = "embedding",
    NNC_OP_MEMBERS(embedding),
    .backward = nnc_op_same_backward,
    .shard = embedding_shard,
    .shape = embedding_shape,
    .timed = NNC_TIMED_POINTWISE,
};
