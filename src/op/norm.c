#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "op/op_row.h"

/* Per element: FLOPs of the kernel forward and backward, and passes over memory forward when every
 * primitive is a kernel of its own; backward has half as many again. Per row: bytes of statistics,
 * mean and reciprocal deviation in fp32, RMS the latter only. A row of up to so many elements stays
 * on the chip between the pass that sums and the pass that scales: of a group 128 KiB in 16 bit,
 * what one unit of a current GPU holds. Counts by inspection. */
static const struct {
    const char *name;
    double forward_flops, backward_flops, unfused_passes, statistics_bytes, on_chip_elements;
} kinds[NNC_NORM_KIND_COUNT] = {
    [NNC_NORM_LAYER] = { "layer_norm", 8, 14, 6, 8, INFINITY },
    [NNC_NORM_RMS] = { "rms_norm", 4, 10, 5, 4, INFINITY },
    [NNC_NORM_GROUP] = { "group_norm", 8, 14, 6, 8, 65536 },
    [NNC_NORM_BATCH] = { "batch_norm", 8, 14, 6, 8, 0 },
};

/* Normalisation in one kernel reads x and writes y; backward reads x and dy and writes dx. Where
 * the statistics do not stay on the chip x is read once more forward, x and dy once more backward.
 * Without fusion there is one kernel per primitive: 6 passes, 5 for RMS, and half as many again
 * backward.   [norm] */
static nnc_work norm_work(const nnc_op *op)
{
    const nnc_norm *p = &op->u.norm;
    const bool backward = op->phase == NNC_PHASE_BACKWARD;
    const double elements = (double)p->elements, bytes = nnc_dtype_bytes(op->dtype);
    const double flops = backward ? kinds[p->kind].backward_flops : kinds[p->kind].forward_flops;

    double reads = backward ? 2.0 : 1.0, writes = 1.0;
    if (!p->fused) {
        const double passes = kinds[p->kind].unfused_passes * (backward ? 1.5 : 1.0);
        reads = passes / 2.0;
        writes = passes / 2.0;
    } else if ((double)(p->elements / p->rows) > kinds[p->kind].on_chip_elements) {
        reads *= 2.0;
    }
    return (nnc_work){
        .vector_flops = flops * elements,
        .read_bytes = reads * elements * bytes,
        .write_bytes = writes * elements * bytes,
    };
}

/* Written out in fp32 ("eager"), an RMS norm of 16-bit data keeps the up-cast input and its square,
 * the reciprocal, and the normalised value before the gain. Source: tests/data/reference. */
static double norm_kept(const nnc_op *op)
{
    const nnc_norm *p = &op->u.norm;
    const double elements = (double)p->elements, bytes = nnc_dtype_bytes(op->dtype);
    const double statistics = kinds[p->kind].statistics_bytes * (double)p->rows;
    const double input = p->keeps_input ? elements * bytes : 0.0;
    const double upcast = bytes < 4.0 ? elements * 4.0 : input; /* fp32 needs no copy */

    switch (p->keep) {
    case NNC_KEEP_UPCAST: return upcast + statistics;
    case NNC_KEEP_EAGER: return upcast + elements * 4.0 + statistics + elements * bytes;
    default: return input + statistics;
    }
}

static double norm_transient(const nnc_op *op)
{
    return 2.0 * (double)op->u.norm.elements * nnc_dtype_bytes(op->dtype);
}

static void norm_shard(nnc_op *op, const nnc_degrees *d)
{
    op->u.norm.elements /= d->sequence;
    op->u.norm.rows /= d->sequence;
}

static void norm_shape(const nnc_op *op, char *text, size_t size)
{
    snprintf(text, size, "rows=%" PRId64 " width=%" PRId64, op->u.norm.rows,
             op->u.norm.elements / op->u.norm.rows);
}

static const char *norm_name(const nnc_op *op)
{
    return kinds[op->u.norm.kind].name;
}

const nnc_op_row nnc_norm_row = {
    .name = norm_name,
    .work = norm_work,
    .kept = norm_kept,
    .transient = norm_transient,
    .backward = nnc_op_same_backward,
    .shard = norm_shard,
    .shape = norm_shape,
    .timed = NNC_TIMED_POINTWISE,
    .fuses = true,
};
