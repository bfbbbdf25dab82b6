#include <inttypes.h>
#include <stdio.h>

#include "op/work.h"

static void conv_shape(const nnc_conv *p, char *text, size_t size)
{
    snprintf(text, size,
             "n=%" PRId64 " c=%" PRId64 "->%" PRId64 " %" PRId64 "x%" PRId64 "->%" PRId64
             "x%" PRId64 " k=%" PRId64,
             p->batch, p->c_in, p->c_out, p->h_in, p->w_in, p->h_out, p->w_out, p->kernel);
}

static void matmul_shape(const nnc_matmul *p, char *text, size_t size)
{
    if (p->experts > 0) {
        snprintf(text, size, "experts=%" PRId64 " m=%" PRId64 " n=%" PRId64 " k=%" PRId64,
                 p->experts, p->m, p->n, p->k);
    } else if (p->batch > 1) {
        snprintf(text, size, "b=%" PRId64 " m=%" PRId64 " n=%" PRId64 " k=%" PRId64, p->batch, p->m,
                 p->n, p->k);
    } else {
        snprintf(text, size, "m=%" PRId64 " n=%" PRId64 " k=%" PRId64, p->m, p->n, p->k);
    }
}

void nnc_op_shape(const nnc_op *op, char *text, unsigned long size)
{
    switch (op->kind) {
    case NNC_OP_MATMUL: matmul_shape(&op->u.matmul, text, size); break;
    case NNC_OP_FLASH: {
        const nnc_flash *p = &op->u.flash;
        snprintf(text, size,
                 "b=%" PRId64 " heads=%" PRId64 "/%" PRId64 " s=%" PRId64 "x%" PRId64 " d=%" PRId64,
                 p->batch, p->heads, p->kv_heads, p->s_q, p->s_k, p->head_dim);
        break;
    }
    case NNC_OP_CONV: conv_shape(&op->u.conv, text, size); break;
    case NNC_OP_NORM:
        snprintf(text, size, "rows=%" PRId64 " width=%" PRId64, op->u.norm.rows,
                 op->u.norm.elements / op->u.norm.rows);
        break;
    case NNC_OP_POINTWISE:
        snprintf(text, size, "elements=%" PRId64, op->u.pointwise.elements);
        break;
    case NNC_OP_EMBEDDING:
        snprintf(text, size, "tokens=%" PRId64 " width=%" PRId64, op->u.embedding.tokens,
                 op->u.embedding.width);
        break;
    case NNC_OP_LOSS:
        snprintf(text, size, "rows=%" PRId64 " classes=%" PRId64, op->u.loss.tokens,
                 op->u.loss.classes);
        break;
    case NNC_OP_COLLECTIVE: snprintf(text, size, "bytes=%.0f", op->u.exchange.bytes); break;
    default: snprintf(text, size, "params=%" PRId64, op->u.update.params); break;
    }
}
