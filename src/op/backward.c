#include "op/work.h"

static nnc_matmul product(const nnc_matmul *p, int64_t m, int64_t n, int64_t k)
{
    return (nnc_matmul){
        .batch = p->batch,
        .m = m,
        .n = n,
        .k = k,
        .b_shared = p->b_shared,
        .experts = p->experts,
        .useful = p->useful,
        .kept_divisor = 1,
        .pairs = p->pairs,
        .full_pairs = p->full_pairs,
    };
}

/* C = A B: dA = dC B^T and dB = A^T dC. Of a weight, dB is the weight gradient; dA is left out when
 * A needs no gradient. Operands shared by a group of heads are read once per group in dA; dB sums
 * over the group, so its second operand is not shared. */
static int matmul_backward(const nnc_op *op, nnc_op *backward)
{
    const nnc_matmul *p = &op->u.matmul;
    int count = 0;
    if (p->needs_grad_input) {
        nnc_op *a = &backward[count++];
        *a = *op;
        a->phase = p->b_is_weight ? NNC_PHASE_GRAD_INPUT : NNC_PHASE_BACKWARD;
        a->weights.vector = 0;
        a->u.matmul = product(p, p->m, p->k, p->n);
    }
    nnc_op *b = &backward[count++];
    *b = *op;
    b->phase = p->b_is_weight ? NNC_PHASE_GRAD_WEIGHT : NNC_PHASE_BACKWARD;
    b->u.matmul = product(p, p->k, p->n, p->m);
    b->u.matmul.b_shared = 1;
    return count;
}

static int conv_backward(const nnc_op *op, nnc_op *backward)
{
    int count = 0;
    if (op->u.conv.needs_grad_input) {
        backward[count] = *op;
        backward[count++].phase = NNC_PHASE_GRAD_INPUT;
    }
    backward[count] = *op;
    backward[count++].phase = NNC_PHASE_GRAD_WEIGHT;
    return count;
}

/* What is gathered forward is scattered backward, and the other way round. */
static int exchange_backward(const nnc_op *op, nnc_op *backward)
{
    const nnc_exchange *e = &op->u.exchange;
    const nnc_collective runs[] = { e->backward, e->backward_again };
    int count = 0;
    for (int i = 0; i < 2; i++) {
        if (runs[i] != NNC_NO_COLLECTIVE) {
            backward[count] = *op;
            backward[count].phase = NNC_PHASE_BACKWARD;
            backward[count].u.exchange.forward = runs[i];
            if (e->backward_bytes > 0.0) {
                backward[count].u.exchange.bytes = e->backward_bytes;
            }
            count++;
        }
    }
    return count;
}

int nnc_op_backward(const nnc_op *op, nnc_op backward[NNC_BACKWARD_MAX])
{
    switch (op->kind) {
    case NNC_OP_MATMUL: return matmul_backward(op, backward);
    case NNC_OP_CONV: return conv_backward(op, backward);
    case NNC_OP_COLLECTIVE: return exchange_backward(op, backward);
    case NNC_OP_UPDATE: return 0;
    case NNC_OP_POINTWISE:
        if (op->u.pointwise.kind == NNC_PW_TIMESTEP) {
            return 0; /* no parameters upstream */
        }
        break;
    default: break;
    }
    backward[0] = *op;
    backward[0].phase = NNC_PHASE_BACKWARD;
    return 1;
}
