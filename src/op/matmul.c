/* Matrix products (linear layers, experts, and the two products of unfused attention) and convolutions. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "op/op_internal.h"

typedef struct dims {
    double batch, m, n, k, experts, b_shared, bias;
    double in_bytes, out_bytes, grad_bytes; /* bytes of one element: of the operands (in_bytes), of the result
                                             * (out_bytes), of the weight gradient (grad_bytes) */
} dims;

/* Returns the bytes of one element of an operand, including the element's part of a scale. If an operand has one scale
 * per group of elements, the scales add to the bytes of each element: 1/32 byte in 8-bit formats (one fp32 scale per
 * 128 elements, or a 1-byte scale per 32 elements), and 1/16 byte in fp4 (a 1-byte scale per 16 elements). Sources: OCP
 * Microscaling Formats v1.0; DeepSeek-V3 arXiv:2412.19437, section 3.3.2; NVFP4 of Transformer Engine. */
static double operand_bytes(const nnc_op *op) {
    const double bytes = nnc_dtype_bytes(op->math_dtype);
    return !op->u.matmul.in_blocks ? bytes : bytes + (op->math_dtype == NNC_FP4 ? 1.0 / 16.0 : 1.0 / 32.0);
}

NNC_SAYING dims dims_of(const nnc_op *op, nnc_derivation *why) {
    const nnc_matmul *p = &op->u.matmul;
    dims d;
    NNC_DIM(why, batch, p->batch);
    NNC_DIM(why, m, p->m);
    NNC_DIM(why, n, p->n);
    NNC_DIM(why, k, p->k);
    NNC_DIM(why, experts, p->experts > 0 ? (double)p->experts : 1.0);
    NNC_DIM(why, b_shared, p->b_shared);
    NNC_DIM(why, bias, op->weights.vector);
    NNC_DIM(why, in_bytes, operand_bytes(op));
    NNC_DIM(why, out_bytes, nnc_dtype_bytes(op->dtype));
    NNC_DIM(why, grad_bytes, op->grad_bytes);
    return d;
}

/* Computes the work of C[m,n] = A[m,k] B[k,n], `batch` times: each of the (m times n times k) terms is one multiply and
 * one add. Each operand is read from memory once. If a kernel reads an operand repeatedly, the repeated reads do not
 * count as work; they lower the fitted efficiency of the kernel. If experts divide the rows, the matrix B of each
 * expert is read once, and its gradient is written once. For attention scores, full_flops counts all query-key pairs,
 * window_flops counts a whole window of keys for each query, and causal_flops counts the pairs under the mask. Rows
 * that only fill free slots of an expert count as executed FLOPs, not as model FLOPs. A weight gradient is written in
 * its own format. If the gradient is added to the sum of earlier micro-batches, this sum is also read. Source:
 * scaling-book "transformers". [matmul] */
NNC_SAYING nnc_work matmul_work(const nnc_op *op, nnc_derivation *why) {
    const nnc_matmul *p = &op->u.matmul;
    const dims d = dims_of(op, why);
    nnc_work work = { 0 };
    NNC_SET(why, work.flops, "FLOP", 2.0 * d.batch * d.m * d.n * d.k);
    NNC_NOTE(why, "C[m,n] = A[m,k] B[k,n], 'batch' times: one multiply and one add per term");
    work.full_flops = p->useful > 0.0 ? work.flops * p->useful : p->useful < 0.0 ? 0.0 : work.flops;
    work.window_flops = work.causal_flops = work.full_flops;
    if (p->full_pairs > 0.0) {
        work.window_flops = work.flops / p->full_pairs * p->window_pairs;
        work.causal_flops = work.flops / p->full_pairs * p->pairs;
    }
    if (op->phase == NNC_PHASE_GRAD_WEIGHT) {
        NNC_LET(why, grad_accumulate, NULL, op->grad_accumulate);
        if (d.bias > 0.0) {
            NNC_SET(why, work.vector_flops, "FLOP", d.k * d.n);
            NNC_NOTE(why, "the bias gradient sums dy over the rows");
        }
        NNC_SET(why, work.write_bytes, "B", d.batch * d.experts * d.m * d.n * d.grad_bytes);
        NNC_SET(why, work.read_bytes, "B",
                d.batch * (d.m * d.k + d.k * d.n) * d.in_bytes + work.write_bytes * grad_accumulate);
        NNC_NOTE(
            why,
            "each operand is read once; grad_accumulate: share of the micro-batches that add to an existing gradient");
        return work;
    }
    if (d.bias > 0.0) { NNC_SET(why, work.vector_flops, "FLOP", d.m * d.n); }
    NNC_SET(why, work.read_bytes, "B",
            (d.batch * d.m * d.k + d.batch * d.experts / d.b_shared * d.k * d.n) * d.in_bytes + d.bias * d.in_bytes);
    NNC_NOTE(why, "each operand is read once; each expert has its own B; b_shared products of the batch share one B");
    NNC_SET(why, work.write_bytes, "B", d.batch * d.m * d.n * d.out_bytes);
    return work;
}

NNC_SAYING double matmul_kept(const nnc_op *op, nnc_derivation *why) {
    const nnc_matmul *p = &op->u.matmul;
    const dims d = dims_of(op, NULL);
    double a_bytes = 0.0, b_bytes = 0.0;
    if (p->keeps_a) {
        NNC_LET(why, ranks, NULL, (double)p->kept_divisor);
        NNC_SET(why, a_bytes, "B", d.batch * d.m * d.k * d.in_bytes / ranks);
        NNC_NOTE(why, "the ranks divide one copy of A");
    }
    if (p->keeps_b) {
        NNC_SET(why, b_bytes, "B", d.batch / d.b_shared * d.k * d.n * d.in_bytes);
        NNC_NOTE(why, "B is an activation, so it is also kept for backward");
    }
    NNC_PUT(why, a_bytes, "B");
    NNC_PUT(why, b_bytes, "B");
    NNC_SAY(why, kept_bytes, "B", a_bytes + b_bytes);
    NNC_NOTE(why, nnc_kept_note);
    return kept_bytes;
}

NNC_SAYING double matmul_transient(const nnc_op *op, nnc_derivation *why) {
    const dims d = dims_of(op, NULL);
    NNC_LET(why, chunks, NULL, (double)op->u.matmul.chunks);
    double transient_bytes = 0.0;
    if (chunks > 0.0) {
        NNC_SET(why, transient_bytes, "B", d.batch * d.m * (d.n / chunks + d.k) * d.out_bytes);
    } else {
        NNC_SET(why, transient_bytes, "B", d.batch * d.m * (d.n + d.k) * d.out_bytes);
    }
    NNC_NOTE(why, nnc_transient_note);
    return transient_bytes;
}

NNC_OP_FUNCTIONS(matmul)

void nnc_matmul_set(nnc_matmul *product, int64_t batch, int64_t m, int64_t n, int64_t k) {
    memset(product, 0, sizeof *product);
    product->batch = batch;
    product->m = m;
    product->n = n;
    product->k = k;
    product->b_shared = product->kept_divisor = 1;
}

static nnc_matmul product(const nnc_matmul *p, int64_t m, int64_t n, int64_t k) {
    return (nnc_matmul){
        .batch = p->batch,
        .padded = p->padded,
        .m = m,
        .n = n,
        .k = k,
        .b_shared = p->b_shared,
        .experts = p->experts,
        .one_by_one = p->one_by_one,
        .ragged = p->ragged,
        .useful = p->useful,
        .kept_divisor = 1,
        .in_blocks = p->in_blocks,
        .pairs = p->pairs,
        .full_pairs = p->full_pairs,
        .window_pairs = p->window_pairs,
    };
}

/* Writes the backward ops of C = A B, and returns their number: dA = dC B^T (left out if A needs no gradient) and dB =
 * A^T dC (a weight gradient if B is a weight). If the query heads of a group share one B, the product for dA reads B
 * once per group, but the product for dB computes one result for each query head. */
static int matmul_backward(const nnc_op *op, nnc_op *backward) {
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

static void shard_columns(nnc_op *op, int64_t ranks) {
    op->u.matmul.n /= ranks;
    op->weights.cols /= ranks;
    op->weights.vector /= ranks;
}

static void shard_rows(nnc_op *op, int64_t ranks) {
    op->u.matmul.k /= ranks;
    op->weights.rows /= ranks;
}

/* Divides the heads of the product that computes queries, keys and values over `ranks` tensor ranks. If there are fewer
 * heads of keys and values than ranks, each rank computes one key head and one value head. */
static void shard_qkv(nnc_op *op, int64_t ranks) {
    nnc_matmul *p = &op->u.matmul;
    const int64_t all = p->n, head_dim = all / (p->heads + 2 * p->kv_heads);
    p->n = (p->heads / ranks + 2 * nnc_at_least_one(p->kv_heads / ranks)) * head_dim;
    op->weights.cols = p->n;
    op->weights.vector = op->weights.vector * p->n / all;
}

/* Divides attention scores over ranks: first by heads, then by the queries of each head. If there are fewer heads of
 * keys and values than ranks, all query heads of a rank use the same key and value head. */
static void shard_scores(nnc_matmul *p, const nnc_degrees *d) {
    const int64_t heads = nnc_at_least_one(p->heads / d->heads);
    p->batch /= d->heads;
    p->b_shared = p->b_shared < heads ? p->b_shared : heads;
    p->m /= d->positions;
    p->pairs /= (double)d->positions;
    p->full_pairs /= (double)d->positions;
    p->window_pairs /= (double)d->positions;
}

/* Divides the experts over the expert ranks. The op then describes the product on the busiest rank, which receives
 * `imbalance` times as many tokens as each rank sends. */
static void shard_experts(nnc_op *op, const nnc_degrees *d) {
    nnc_matmul *p = &op->u.matmul;
    const double useful = p->useful > 0.0 ? p->useful : 1.0;
    p->m = nnc_scaled_up(p->m, d->expert > 1 ? d->imbalance : 1.0);
    if (d->expert > 1 && d->imbalance > 1.0) { p->useful = useful / d->imbalance; }
    p->experts = nnc_at_least_one(p->experts / d->expert);
    op->weights.count /= d->expert;
    op->weights.vector /= d->expert;
    op->weights.active = nnc_at_least_one(op->weights.active / d->expert);
}

static void matmul_shard(nnc_op *op, const nnc_degrees *d) {
    nnc_matmul *p = &op->u.matmul;
    if (op->split == NNC_SPLIT_HEADS) {
        shard_scores(p, d);
        return;
    }
    const bool expert = op->split == NNC_SPLIT_EXPERT_COLUMN || op->split == NNC_SPLIT_EXPERT_ROW;
    p->m /= op->split == NNC_SPLIT_SEQUENCE ? d->sequence : expert ? d->expert_rows : d->context;
    switch (op->split) {
    case NNC_SPLIT_COLUMN:
    case NNC_SPLIT_QKV:
        if (op->split == NNC_SPLIT_QKV) {
            shard_qkv(op, d->tensor);
        } else {
            shard_columns(op, d->tensor);
        }
        /* for backward, each tensor rank keeps only its own part of the operand A, because backward gathers A again */
        p->kept_divisor *= d->sequence / d->context;
        break;
    case NNC_SPLIT_ROW: shard_rows(op, d->tensor); break;
    case NNC_SPLIT_EXPERT_COLUMN:
        shard_experts(op, d);
        shard_columns(op, d->expert_tensor);
        break;
    case NNC_SPLIT_EXPERT_ROW:
        shard_experts(op, d);
        shard_rows(op, d->expert_tensor);
        break;
    default: break;
    }
}

static void matmul_shape(const nnc_op *op, char *text, size_t size) {
    const nnc_matmul *p = &op->u.matmul;
    if (p->experts > 0) {
        snprintf(text, size, "experts=%" PRId64 " m=%" PRId64 " n=%" PRId64 " k=%" PRId64, p->experts, p->m, p->n,
                 p->k);
    } else if (p->batch > 1) {
        snprintf(text, size, "b=%" PRId64 " m=%" PRId64 " n=%" PRId64 " k=%" PRId64, p->batch, p->m, p->n, p->k);
    } else {
        snprintf(text, size, "m=%" PRId64 " n=%" PRId64 " k=%" PRId64, p->m, p->n, p->k);
    }
}

const nnc_op_row nnc_matmul_row = {
    .name = "matmul",
    NNC_OP_MEMBERS(matmul),
    .backward = matmul_backward,
    .shard = matmul_shard,
    .shape = matmul_shape,
    .timed = NNC_TIMED_GEMM,
};

/* ---- 2-d convolution, forward and transposed ---- */

typedef struct conv_dims {
    double batch, c_in, h_in, w_in, c_out, h_out, w_out, kernel, groups, bias;
    double inputs, outputs, weights;        /* numbers of elements: of the input maps (inputs), of the output maps
                                             * (outputs), of the weights (weights) */
    double in_bytes, out_bytes, grad_bytes; /* bytes of one element: of operands (in_bytes), of output maps (out_bytes),
                                             * of the weight gradient (grad_bytes) */
} conv_dims;

NNC_SAYING conv_dims conv_dims_of(const nnc_op *op, nnc_derivation *why) {
    const nnc_conv *p = &op->u.conv;
    conv_dims d;
    NNC_DIM(why, batch, p->batch);
    NNC_DIM(why, c_in, p->c_in);
    NNC_DIM(why, h_in, p->h_in);
    NNC_DIM(why, w_in, p->w_in);
    NNC_DIM(why, c_out, p->c_out);
    NNC_DIM(why, h_out, p->h_out);
    NNC_DIM(why, w_out, p->w_out);
    NNC_DIM(why, kernel, p->kernel);
    NNC_DIM(why, groups, p->groups);
    NNC_DIM(why, bias, op->weights.vector);
    NNC_DIM(why, in_bytes, nnc_dtype_bytes(op->math_dtype));
    NNC_DIM(why, out_bytes, nnc_dtype_bytes(op->dtype));
    NNC_DIM(why, grad_bytes, op->grad_bytes);
    NNC_SET(why, d.inputs, NULL, d.batch * d.c_in * d.h_in * d.w_in);
    NNC_SET(why, d.outputs, NULL, d.batch * d.c_out * d.h_out * d.w_out);
    if (p->kernel_w > 0 && p->kernel_w != p->kernel) {
        NNC_LET(why, kernel_w, NULL, (double)p->kernel_w);
        NNC_SET(why, d.weights, NULL, d.c_out * (d.c_in / d.groups) * d.kernel * kernel_w);
        return d;
    }
    NNC_SET(why, d.weights, NULL, d.c_out * (d.c_in / d.groups) * d.kernel * d.kernel);
    return d;
}

/* Computes the work of a 2-d convolution. Each output element is a sum of c_in / groups x kernel^2 terms, each one
 * multiply and one add; terms that multiply padding are counted, too. In a transposed convolution, each input element
 * is multiplied with c_out / groups x kernel^2 weights. The input gradient and the weight gradient each have as many
 * FLOPs as forward. Input, weights and output are read or written once. Copies of the input that a convolution kernel
 * makes in memory (im2col) do not count as work; they lower the fitted efficiency of the kernel. [conv2d] */
NNC_SAYING nnc_work conv_work(const nnc_op *op, nnc_derivation *why) {
    const conv_dims d = conv_dims_of(op, why);
    nnc_work work = { 0 };
    if (op->u.conv.transposed) {
        NNC_SET(why, work.flops, "FLOP", 2.0 * (d.batch * d.h_in * d.w_in) * d.weights);
    } else {
        NNC_SET(why, work.flops, "FLOP", 2.0 * (d.batch * d.h_out * d.w_out) * d.weights);
    }
    NNC_NOTE(why, "one multiply and one add per weight and output position (input position if transposed), "
                  "products with padding included");
    work.full_flops = work.flops;
    work.window_flops = work.flops;
    work.causal_flops = work.flops;
    if (op->phase == NNC_PHASE_GRAD_INPUT) {
        NNC_SET(why, work.read_bytes, "B", (d.outputs + d.weights) * d.in_bytes);
        NNC_SET(why, work.write_bytes, "B", d.inputs * d.out_bytes);
        return work;
    }
    if (d.bias > 0.0) { NNC_SET(why, work.vector_flops, "FLOP", d.outputs); }
    if (op->phase == NNC_PHASE_GRAD_WEIGHT) {
        NNC_LET(why, grad_accumulate, NULL, op->grad_accumulate);
        NNC_SET(why, work.read_bytes, "B",
                (d.inputs + d.outputs) * d.in_bytes + d.weights * d.grad_bytes * grad_accumulate);
        NNC_NOTE(
            why,
            "each operand is read once; grad_accumulate: share of the micro-batches that add to an existing gradient");
        if (op->u.conv.separate_bias) {
            NNC_LET(why, plain_read_bytes, "B", work.read_bytes);
            NNC_SET(why, work.read_bytes, "B", plain_read_bytes + d.outputs * d.in_bytes);
            NNC_NOTE(why, "a separate kernel computes the gradient of the bias");
        }
        NNC_SET(why, work.write_bytes, "B", d.weights * d.grad_bytes);
        return work;
    }
    NNC_SET(why, work.read_bytes, "B", (d.inputs + d.weights + d.bias) * d.in_bytes);
    NNC_SET(why, work.write_bytes, "B", d.outputs * d.out_bytes);
    if (op->u.conv.separate_bias) {
        NNC_LET(why, plain_read_bytes, "B", work.read_bytes);
        NNC_SET(why, work.read_bytes, "B", plain_read_bytes + d.outputs * d.out_bytes);
        NNC_NOTE(why, "a separate kernel adds the bias");
        NNC_SET(why, work.write_bytes, "B", 2.0 * d.outputs * d.out_bytes);
    }
    return work;
}

NNC_SAYING double conv_kept(const nnc_op *op, nnc_derivation *why) {
    const conv_dims d = conv_dims_of(op, NULL);
    if (!op->u.conv.keeps_input) { return 0.0; }
    NNC_SAY(why, kept_bytes, "B", d.inputs * d.in_bytes);
    NNC_NOTE(why, nnc_kept_note);
    return kept_bytes;
}

NNC_SAYING double conv_transient(const nnc_op *op, nnc_derivation *why) {
    const conv_dims d = conv_dims_of(op, NULL);
    NNC_SAY(why, transient_bytes, "B", (d.inputs + d.outputs) * d.out_bytes);
    NNC_NOTE(why, nnc_transient_note);
    return transient_bytes;
}

NNC_OP_FUNCTIONS(conv)

static int conv_backward(const nnc_op *op, nnc_op *backward) {
    int count = 0;
    if (op->u.conv.needs_grad_input) {
        backward[count] = *op;
        backward[count++].phase = NNC_PHASE_GRAD_INPUT;
    }
    backward[count] = *op;
    backward[count++].phase = NNC_PHASE_GRAD_WEIGHT;
    return count;
}

/* Divides the channels of a depthwise convolution over the tensor ranks. A convolution that is not depthwise is
 * computed in full by every tensor rank. */
static void conv_shard(nnc_op *op, const nnc_degrees *d) {
    nnc_conv *p = &op->u.conv;
    if (op->split == NNC_SPLIT_INNER) {
        p->c_in /= d->tensor;
        p->c_out /= d->tensor;
        p->groups /= d->tensor;
        op->weights.rows /= d->tensor;
        op->weights.vector /= d->tensor;
    }
}

static void conv_shape(const nnc_op *op, char *text, size_t size) {
    const nnc_conv *p = &op->u.conv;
    snprintf(text, size,
             "n=%" PRId64 " c=%" PRId64 "->%" PRId64 " %" PRId64 "x%" PRId64 "->%" PRId64 "x%" PRId64 " k=%" PRId64,
             p->batch, p->c_in, p->c_out, p->h_in, p->w_in, p->h_out, p->w_out, p->kernel);
}

static const char *conv_name(const nnc_op *op) {
    return op->u.conv.transposed                               ? "conv_transpose2d"
           : op->u.conv.kernel_w == 1 && op->u.conv.kernel > 1 ? "conv1d"
                                                               : "conv2d";
}

const nnc_op_row nnc_conv_row = {
    .name_of = conv_name,
    NNC_OP_MEMBERS(conv),
    .backward = conv_backward,
    .shard = conv_shard,
    .shape = conv_shape,
    .timed = NNC_TIMED_CONV,
};
