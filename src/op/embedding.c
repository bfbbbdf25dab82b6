#include "op/work.h"

enum { TOKEN_ID_BYTES = 8 }; /* int64 on the device */

/* A lookup multiplies nothing: it reads one row per token and writes it. Backward reads dy and adds
 * it to the row's gradient, which is read and written.   [embedding] */
nnc_work nnc_embedding_work(const nnc_op *op)
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

double nnc_embedding_kept(const nnc_op *op)
{
    return TOKEN_ID_BYTES * (double)op->u.embedding.tokens;
}
