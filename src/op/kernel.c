/* Operators of captured programs that are no product, convolution or attention: a pass over their tensors. */
#include <inttypes.h>
#include <stdio.h>

#include "op/op_internal.h"

/* Each input is read once and each output written once; the capture has their bytes. Arithmetic of such a kernel is
 * far below its traffic on every device, and does not count.   [captured-kernel] */
NNC_SAYING nnc_work kernel_work(const nnc_op *op, nnc_derivation *why)
{
    const nnc_kernel *p = &op->u.kernel;
    nnc_work work = { 0 };
    NNC_LET(why, recorded_read_bytes, "B", p->read_bytes);
    NNC_LET(why, recorded_write_bytes, "B", p->write_bytes);
    NNC_SET(why, work.read_bytes, "B", recorded_read_bytes);
    NNC_SET(why, work.write_bytes, "B", recorded_write_bytes);
    NNC_NOTE(why, "of its tensors, each once, from the capture");
    return work;
}

static nnc_work kernel_plain_work(const nnc_op *op)
{
    return kernel_work(op, NULL);
}

static void kernel_say(const nnc_op *op, nnc_derivation *why)
{
    (void)kernel_work(op, why);
}

static void kernel_shape(const nnc_op *op, char *text, size_t size)
{
    const nnc_kernel *p = &op->u.kernel;
    snprintf(text, size, "read=%.0f written=%.0f", p->read_bytes, p->write_bytes);
}

static nnc_timed kernel_timed(const nnc_op *op)
{
    const bool map = op->group == NNC_GROUP_CONV || op->group == NNC_GROUP_RESAMPLE;
    return map ? NNC_TIMED_MAP : NNC_TIMED_POINTWISE;
}

const nnc_op_row nnc_kernel_row = {
    .name = "kernel",
    .work = kernel_plain_work,
    .kept = nnc_op_no_bytes,
    .transient = nnc_op_no_bytes,
    .say = kernel_say,
    .backward = nnc_op_no_backward,
    .shard = nnc_op_not_sharded,
    .shape = kernel_shape,
    .timed_of = kernel_timed,
    .fuses = true,
};
