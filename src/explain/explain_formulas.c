#include "explain/explain_formulas.h"

static bool is_grad_weight(const nnc_op *op)
{
    return op->phase == NNC_PHASE_GRAD_WEIGHT;
}

static nnc_op_formulas matmul_formulas(const nnc_op *op, nnc_scope *scope)
{
    const nnc_matmul *p = &op->u.matmul;
    nnc_scope_add(scope, "batch", (double)p->batch, NULL);
    nnc_scope_add(scope, "m", (double)p->m, NULL);
    nnc_scope_add(scope, "n", (double)p->n, NULL);
    nnc_scope_add(scope, "k", (double)p->k, NULL);
    nnc_scope_add(scope, "b_shared", (double)p->b_shared, NULL);
    nnc_scope_add(scope, "bias", (double)op->weights.vector, NULL);
    return (nnc_op_formulas){
        .flops = "2 * batch * m * n * k",
        .vector_flops = is_grad_weight(op) ? "k * n" : "m * n",
        .read_bytes = is_grad_weight(op)
                          ? "(batch * m * k + batch / b_shared * k * n) * in_bytes + batch * m * n "
                            "* grad_bytes * grad_accumulate"
                      : op->weights.vector > 0
                          ? "(batch * m * k + batch / b_shared * k * n + bias) * in_bytes"
                          : "(batch * m * k + batch / b_shared * k * n) * in_bytes",
        .write_bytes =
            is_grad_weight(op) ? "batch * m * n * grad_bytes" : "batch * m * n * out_bytes",
        .source = "C[m,n] = A[m,k] B[k,n]: one multiply and one add per term; operands cross "
                  "memory once",
    };
}

static nnc_op_formulas conv_formulas(const nnc_op *op, nnc_scope *scope)
{
    const nnc_conv *p = &op->u.conv;
    const double kernel = (double)p->kernel;
    const double weights =
        (double)p->c_out * ((double)p->c_in / (double)p->groups) * kernel * kernel;
    nnc_scope_add(scope, "batch", (double)p->batch, NULL);
    nnc_scope_add(scope, "positions",
                  p->transposed ? (double)p->h_in * (double)p->w_in
                                : (double)p->h_out * (double)p->w_out,
                  NULL);
    nnc_scope_add(scope, "weights", weights, NULL);
    nnc_scope_add(scope, "c_in", (double)p->c_in, NULL);
    nnc_scope_add(scope, "h_in", (double)p->h_in, NULL);
    nnc_scope_add(scope, "w_in", (double)p->w_in, NULL);
    nnc_scope_add(scope, "c_out", (double)p->c_out, NULL);
    nnc_scope_add(scope, "h_out", (double)p->h_out, NULL);
    nnc_scope_add(scope, "w_out", (double)p->w_out, NULL);
    nnc_scope_add(scope, "bias", (double)op->weights.vector, NULL);
    nnc_op_formulas f = {
        .flops = "2 * batch * positions * weights",
        .vector_flops = "batch * c_out * h_out * w_out",
        .read_bytes = "(batch * c_in * h_in * w_in + weights + bias) * in_bytes",
        .write_bytes = "batch * c_out * h_out * w_out * out_bytes",
        .source = "weights = c_out c_in / groups kernel^2; positions are those of the output, of "
                  "the input if transposed; taps on the padding count",
    };
    if (op->phase == NNC_PHASE_GRAD_INPUT) {
        f.read_bytes = "(batch * c_out * h_out * w_out + weights) * in_bytes";
        f.write_bytes = "batch * c_in * h_in * w_in * out_bytes";
    } else if (is_grad_weight(op)) {
        f.read_bytes = "(batch * c_in * h_in * w_in + batch * c_out * h_out * w_out) * in_bytes + "
                       "weights * grad_bytes * grad_accumulate";
        f.write_bytes = "weights * grad_bytes";
    }
    return f;
}

static nnc_op_formulas flash_formulas(const nnc_op *op, const nnc_work *work, nnc_scope *scope)
{
    const nnc_flash *p = &op->u.flash;
    const bool backward = op->phase == NNC_PHASE_BACKWARD;
    const double per_pair = 4.0 * (double)p->batch * (double)p->heads * (double)p->head_dim;
    nnc_scope_add(scope, "batch", (double)p->batch, NULL);
    nnc_scope_add(scope, "heads", (double)p->heads, NULL);
    nnc_scope_add(scope, "kv_heads", (double)p->kv_heads, NULL);
    nnc_scope_add(scope, "head_dim", (double)p->head_dim, NULL);
    nnc_scope_add(scope, "s_q", (double)p->s_q, NULL);
    nnc_scope_add(scope, "s_k", (double)p->s_k, NULL);
    nnc_scope_add(scope, "pairs", work->flops / (backward ? 2.5 : 1.0) / per_pair, NULL);
    return (nnc_op_formulas){
        .flops = backward ? "10 * batch * heads * head_dim * pairs"
                          : "4 * batch * heads * head_dim * pairs",
        .vector_flops = backward ? "6 * batch * heads * pairs" : "5 * batch * heads * pairs",
        .read_bytes = backward
                          ? "out_bytes * batch * head_dim * (3 * s_q * heads + 2 * s_k * "
                            "kv_heads) + 8 * batch * heads * s_q"
                          : "out_bytes * batch * head_dim * (s_q * heads + 2 * s_k * kv_heads)",
        .write_bytes = backward
                           ? "out_bytes * batch * head_dim * (s_q * heads + 2 * s_k * kv_heads)"
                           : "out_bytes * batch * head_dim * s_q * heads + 4 * batch * heads * s_q",
        .source = "pairs: queries and keys that the mask lets meet; five products backward, since "
                  "the scores are recomputed; arXiv:2205.14135, arXiv:2307.08691",
    };
}

static double element_count(const nnc_op *op)
{
    switch (op->kind) {
    case NNC_OP_NORM: return (double)op->u.norm.elements;
    case NNC_OP_EMBEDDING: return (double)op->u.embedding.tokens * (double)op->u.embedding.width;
    case NNC_OP_LOSS: return (double)op->u.loss.tokens * (double)op->u.loss.classes;
    case NNC_OP_UPDATE: return (double)op->u.update.params;
    default: break;
    }
    const nnc_pointwise *p = &op->u.pointwise;
    return (double)(op->phase == NNC_PHASE_BACKWARD && p->backward_elements > 0
                        ? p->backward_elements
                        : p->elements);
}

/* Everything else is a pass over elements. */
static nnc_op_formulas element_formulas(const nnc_op *op, const nnc_work *work, nnc_scope *scope)
{
    const double elements = element_count(op);
    nnc_scope_add(scope, "elements", elements, NULL);
    nnc_scope_add(scope, "flops_per_element", work->flops / elements, NULL);
    nnc_scope_add(scope, "vector_flops_per_element", work->vector_flops / elements, NULL);
    nnc_scope_add(scope, "read_per_element", work->read_bytes / elements, NULL);
    nnc_scope_add(scope, "written_per_element", work->write_bytes / elements, NULL);
    return (nnc_op_formulas){
        .flops = "elements * flops_per_element",
        .vector_flops = "elements * vector_flops_per_element",
        .read_bytes = "elements * read_per_element",
        .write_bytes = "elements * written_per_element",
        .source = "counts by inspection of the kernel; transcendentals count as one",
    };
}

nnc_op_formulas nnc_op_formulas_of(const nnc_op_cost *cost, nnc_scope *scope)
{
    const nnc_op *op = cost->op;
    switch (op->kind) {
    case NNC_OP_MATMUL: return matmul_formulas(op, scope);
    case NNC_OP_CONV: return conv_formulas(op, scope);
    case NNC_OP_FLASH: return flash_formulas(op, &cost->work, scope);
    default: break;
    }
    return element_formulas(op, &cost->work, scope);
}
