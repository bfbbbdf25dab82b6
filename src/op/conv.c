/* 2-d convolution, plain and transposed. */
#include <inttypes.h>
#include <stdio.h>

#include "op/op_internal.h"

typedef struct dims {
    double batch, c_in, h_in, w_in, c_out, h_out, w_out, kernel, groups, bias;
    double inputs, outputs, weights;        /* elements */
    double in_bytes, out_bytes, grad_bytes; /* of an element */
} dims;

NNC_SAYING dims dims_of(const nnc_op *op, nnc_derivation *why)
{
    const nnc_conv *p = &op->u.conv;
    dims d;
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

/* 2-d convolution: every output element is a sum of c_in/groups * kernel^2 products; taps on the
 * padding are counted. A transposed convolution does the same products per input position. The
 * input and weight gradients are the same amount each. Input, weights and output cross memory
 * once: an explicit im2col would be efficiency, not work.   [conv2d] */
NNC_SAYING nnc_work conv_work(const nnc_op *op, nnc_derivation *why)
{
    const dims d = dims_of(op, why);
    nnc_work work = { 0 };
    if (op->u.conv.transposed) {
        NNC_SET(why, work.flops, "FLOP", 2.0 * (d.batch * d.h_in * d.w_in) * d.weights);
    } else {
        NNC_SET(why, work.flops, "FLOP", 2.0 * (d.batch * d.h_out * d.w_out) * d.weights);
    }
    NNC_NOTE(why, "one multiply and one add per weight and position of the output (of the input if "
                  "transposed); taps on the padding count");
    work.full_flops = work.flops;
    work.window_flops = work.flops;
    work.causal_flops = work.flops;
    if (op->phase == NNC_PHASE_GRAD_INPUT) {
        NNC_SET(why, work.read_bytes, "B", (d.outputs + d.weights) * d.in_bytes);
        NNC_SET(why, work.write_bytes, "B", d.inputs * d.out_bytes);
        return work;
    }
    if (d.bias > 0.0) {
        NNC_SET(why, work.vector_flops, "FLOP", d.outputs);
    }
    if (op->phase == NNC_PHASE_GRAD_WEIGHT) {
        NNC_LET(why, grad_accumulate, NULL, op->grad_accumulate);
        NNC_SET(why, work.read_bytes, "B",
                (d.inputs + d.outputs) * d.in_bytes + d.weights * d.grad_bytes * grad_accumulate);
        NNC_NOTE(why,
                 "operands cross memory once; grad_accumulate: share of the micro-batches that "
                 "add to an existing gradient");
        if (op->u.conv.separate_bias) {
            NNC_LET(why, plain_read_bytes, "B", work.read_bytes);
            NNC_SET(why, work.read_bytes, "B", plain_read_bytes + d.outputs * d.in_bytes);
            NNC_NOTE(why, "a separate kernel makes the gradient of the bias");
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

NNC_SAYING double conv_kept(const nnc_op *op, nnc_derivation *why)
{
    const dims d = dims_of(op, NULL);
    if (!op->u.conv.keeps_input) {
        return 0.0;
    }
    NNC_SAY(why, kept_bytes, "B", d.inputs * d.in_bytes);
    NNC_NOTE(why, nnc_kept_note);
    return kept_bytes;
}

NNC_SAYING double conv_transient(const nnc_op *op, nnc_derivation *why)
{
    const dims d = dims_of(op, NULL);
    NNC_SAY(why, transient_bytes, "B", (d.inputs + d.outputs) * d.out_bytes);
    NNC_NOTE(why, nnc_transient_note);
    return transient_bytes;
}

NNC_OP_FUNCTIONS(conv)

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

/* A depthwise convolution divides with its channels. */
static void conv_shard(nnc_op *op, const nnc_degrees *d)
{
    nnc_conv *p = &op->u.conv;
    if (op->split == NNC_SPLIT_INNER) {
        p->c_in /= d->tensor;
        p->c_out /= d->tensor;
        p->groups /= d->tensor;
        op->weights.rows /= d->tensor;
        op->weights.vector /= d->tensor;
    }
}

static void conv_shape(const nnc_op *op, char *text, size_t size)
{
    const nnc_conv *p = &op->u.conv;
    snprintf(text, size,
             "n=%" PRId64 " c=%" PRId64 "->%" PRId64 " %" PRId64 "x%" PRId64 "->%" PRId64
             "x%" PRId64 " k=%" PRId64,
             p->batch, p->c_in, p->c_out, p->h_in, p->w_in, p->h_out, p->w_out, p->kernel);
}

static const char *conv_name(const nnc_op *op)
{
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
