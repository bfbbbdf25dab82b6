#include "op/work.h"

/* A set of statistics of up to this many elements stays on the chip between the pass that sums and
 * the pass that scales (128 KiB in 16 bit, what one unit of a current GPU holds). */
enum { ON_CHIP_ELEMENTS = 65536 };

static bool reads_twice(const nnc_norm *p)
{
    return p->kind == NNC_NORM_BATCH ||
           (p->kind == NNC_NORM_GROUP && p->elements / p->rows > ON_CHIP_ELEMENTS);
}

/* Normalisation in one kernel reads x and writes y; backward reads x and dy and writes dx. Where
 * the statistics do not stay on the chip x is read once more forward, x and dy once more backward.
 * Without fusion there is one kernel per primitive: 6 passes, 5 for RMS, and half as many again
 * backward.   [norm] */
nnc_work nnc_norm_work(const nnc_op *op)
{
    const nnc_norm *p = &op->u.norm;
    const bool backward = op->phase == NNC_PHASE_BACKWARD, rms = p->kind == NNC_NORM_RMS;
    const double elements = (double)p->elements, bytes = nnc_dtype_bytes(op->dtype);
    const double flops = rms ? (backward ? 10.0 : 4.0) : (backward ? 14.0 : 8.0);

    double reads = backward ? 2.0 : 1.0, writes = 1.0;
    if (!p->fused) {
        const double passes = (rms ? 5.0 : 6.0) * (backward ? 1.5 : 1.0);
        reads = passes / 2.0;
        writes = passes / 2.0;
    } else if (reads_twice(p)) {
        reads *= 2.0;
    }
    return (nnc_work){
        .vector_flops = flops * elements,
        .read_bytes = reads * elements * bytes,
        .write_bytes = writes * elements * bytes,
    };
}

/* Statistics: mean and reciprocal deviation in fp32 per row, RMS the latter only.
 * Written out in fp32 ("eager"), an RMS norm of 16-bit data keeps the up-cast input and its square,
 * the reciprocal, and the normalised value before the gain. Source: tests/data/reference. */
double nnc_norm_kept(const nnc_op *op)
{
    const nnc_norm *p = &op->u.norm;
    const double elements = (double)p->elements, bytes = nnc_dtype_bytes(op->dtype);
    const double statistics = (p->kind == NNC_NORM_RMS ? 4.0 : 8.0) * (double)p->rows;
    const double input = p->keeps_input ? elements * bytes : 0.0;
    const double upcast = bytes < 4.0 ? elements * 4.0 : input; /* fp32 needs no copy */

    switch (p->keep) {
    case NNC_KEEP_UPCAST: return upcast + statistics;
    case NNC_KEEP_EAGER: return upcast + elements * 4.0 + statistics + elements * bytes;
    default: return input + statistics;
    }
}

double nnc_norm_transient(const nnc_op *op)
{
    return 2.0 * (double)op->u.norm.elements * nnc_dtype_bytes(op->dtype);
}
