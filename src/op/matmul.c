#include "op/work.h"

/* C[m,n] = A[m,k] B[k,n], batch times. Each of the m n k terms is one multiply and one add.
 * Operands cross memory once: reloading tiles is efficiency, not work.
 * Rows spread over experts read one B each; a weight gradient writes one per expert.
 * A product of the scores counts full_flops over all pairs; causal_flops keeps those the mask
 * leaves. Rows that only pad an expert's slots are executed, not mathematics. A weight gradient is
 * written in its own format, and read too when passes add up.
 * Source: scaling-book "transformers".   [matmul] */
nnc_work nnc_matmul_work(const nnc_op *op)
{
    const nnc_matmul *p = &op->u.matmul;
    const double batch = (double)p->batch, m = (double)p->m, n = (double)p->n, k = (double)p->k;
    const double experts = p->experts > 0 ? (double)p->experts : 1.0;
    const double in_bytes = nnc_dtype_bytes(op->math_dtype);
    const double bias = (double)op->weights.vector;

    nnc_work work = { 0 };
    work.flops = 2.0 * batch * m * n * k;
    work.full_flops = p->useful > 0.0 ? work.flops * p->useful : work.flops;
    work.causal_flops = work.full_flops;
    if (p->full_pairs > 0.0) {
        work.causal_flops = work.flops / p->full_pairs * p->pairs;
    }
    if (op->phase == NNC_PHASE_GRAD_WEIGHT) {
        work.read_bytes = batch * (m * k + k * n) * in_bytes;
        work.write_bytes = batch * experts * m * n * op->grad_bytes;
        work.read_bytes += work.write_bytes * op->grad_accumulate;
        work.vector_flops = bias > 0.0 ? k * n : 0.0; /* the bias gradient sums dy over the rows */
    } else {
        work.read_bytes =
            (batch * m * k + batch * experts / (double)p->b_shared * k * n) * in_bytes;
        work.write_bytes = batch * m * n * nnc_dtype_bytes(op->dtype);
        work.vector_flops = bias > 0.0 ? m * n : 0.0;
        work.read_bytes += bias * in_bytes;
    }
    return work;
}

double nnc_matmul_kept(const nnc_op *op)
{
    const nnc_matmul *p = &op->u.matmul;
    const double bytes = nnc_dtype_bytes(op->math_dtype), batch = (double)p->batch;
    double kept = 0.0;
    if (p->keeps_a) {
        kept += batch * (double)p->m * (double)p->k * bytes / (double)p->kept_divisor;
    }
    if (p->keeps_b) {
        kept += batch / (double)p->b_shared * (double)p->k * (double)p->n * bytes;
    }
    return kept;
}

double nnc_matmul_transient(const nnc_op *op)
{
    const nnc_matmul *p = &op->u.matmul;
    const double bytes = nnc_dtype_bytes(op->dtype);
    return (double)p->batch * (double)p->m * ((double)p->n + (double)p->k) * bytes;
}
