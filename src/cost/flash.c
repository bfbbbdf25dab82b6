#include <math.h>

#include "base/number.h"
#include "cost/roofline.h"

/* t = F / (f P) (1 + s0 / s) (1 + c N / blocks) (1 + (1 / r - 1) (128 / d - 1)) + t0, blocks = batch heads s_q / 128, N the
 * device's units: short sequences and few blocks of queries leave them idle. f of backward is
 * backward_ratio times that of forward. Beside it the operands cross memory once. */

static const double query_block = 128.0, wide_head = 128.0;

/* Time of narrow heads over that of wide ones: a wide row of the units stays partly empty. */
static double narrowness(const nnc_flash *u, const nnc_flash_efficiency *e)
{
    const double width = nnc_min((double)u->head_dim, wide_head);
    return 1.0 + (1.0 / e->narrow_ratio - 1.0) * (wide_head / width - 1.0);
}

nnc_timing nnc_flash_time(const nnc_device *device, const nnc_op *op, const nnc_work *work)
{
    const nnc_flash *u = &op->u.flash;
    const nnc_flash_efficiency *e = &device->efficiency.attention[u->kernel];
    const double backward = op->phase == NNC_PHASE_BACKWARD ? e->backward_ratio : 1.0;
    const double rate =
        nnc_min(e->sustained_fraction * device->efficiency.calibration * backward, 1.0);
    const double blocks = (double)u->batch * (double)u->heads * (double)u->s_q / query_block;
    const double bytes = work->read_bytes + work->write_bytes;
    double compute_s = work->flops / (rate * nnc_device_matmul_peak(device, op->math_dtype));
    compute_s *= 1.0 + e->seq_half / (double)u->s_k;
    compute_s *= narrowness(u, e);
    compute_s *= 1.0 + e->block_penalty * device->units / blocks;
    if (!isnan(device->vector_flops_per_s[NNC_FP32])) {
        compute_s = nnc_max(compute_s, work->vector_flops / device->vector_flops_per_s[NNC_FP32]);
    }
    return nnc_roofline(compute_s, bytes / (e->memory_fraction * device->mem_bytes_per_s),
                        e->fixed_s);
}
