#include <inttypes.h>
#include <stdio.h>

#include "op/op_row.h"

static double input_elements(const nnc_conv *p)
{
    return (double)p->batch * (double)p->c_in * (double)p->h_in * (double)p->w_in;
}

static double output_elements(const nnc_conv *p)
{
    return (double)p->batch * (double)p->c_out * (double)p->h_out * (double)p->w_out;
}

static double weight_elements(const nnc_conv *p)
{
    return (double)p->c_out * ((double)p->c_in / (double)p->groups) * (double)p->kernel *
           (double)p->kernel;
}

/* 2-d convolution: every output element is a sum of c_in/groups * kernel^2 products; taps on the
 * padding are counted. A transposed convolution does the same products per input position. The
 * input and weight gradients are the same amount each. Input, weights and output cross memory
 * once: an explicit im2col would be efficiency, not work.   [conv2d] */
static nnc_work conv_work(const nnc_op *op)
{
    const nnc_conv *p = &op->u.conv;
    const double bytes = nnc_dtype_bytes(op->math_dtype);
    const double x = input_elements(p), y = output_elements(p), w = weight_elements(p);
    const double positions =
        (double)p->batch *
        (p->transposed ? (double)p->h_in * (double)p->w_in : (double)p->h_out * (double)p->w_out);
    const double bias = (double)op->weights.vector;

    nnc_work work = { 0 };
    work.flops = 2.0 * positions * w;
    work.full_flops = work.flops;
    work.causal_flops = work.flops;
    if (op->phase == NNC_PHASE_GRAD_INPUT) {
        work.read_bytes = (y + w) * bytes;
        work.write_bytes = x * nnc_dtype_bytes(op->dtype);
    } else if (op->phase == NNC_PHASE_GRAD_WEIGHT) {
        work.read_bytes = (x + y) * bytes + w * op->grad_bytes * op->grad_accumulate;
        work.write_bytes = w * op->grad_bytes;
        work.vector_flops = bias > 0.0 ? y : 0.0;
    } else {
        work.read_bytes = (x + w + bias) * bytes;
        work.write_bytes = y * nnc_dtype_bytes(op->dtype);
        work.vector_flops = bias > 0.0 ? y : 0.0;
    }
    return work;
}

static double conv_kept(const nnc_op *op)
{
    return op->u.conv.keeps_input ? input_elements(&op->u.conv) * nnc_dtype_bytes(op->math_dtype)
                                  : 0.0;
}

static double conv_transient(const nnc_op *op)
{
    return (input_elements(&op->u.conv) + output_elements(&op->u.conv)) *
           nnc_dtype_bytes(op->dtype);
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
    return op->u.conv.transposed ? "conv_transpose2d" : "conv2d";
}

const nnc_op_row nnc_conv_row = {
    .name = conv_name,
    .work = conv_work,
    .kept = conv_kept,
    .transient = conv_transient,
    .backward = conv_backward,
    .shard = nnc_op_not_sharded,
    .shape = conv_shape,
    .timed = NNC_TIMED_CONV,
};
