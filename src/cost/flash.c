#include "cost/roofline.h"

/* t = F / (f P) (1 + h s0 s_q / pairs) (1 + c N / blocks) (1 + (1 / r - 1) (128 / d - 1)) d' / d + t0, blocks = batch heads
 * s_q / 128, N the device's units, h half under the causal mask: what begins and ends a block of queries takes as long for
 * few keys as for many, and few blocks leave units idle. d' is d rounded up to what kernels have, but for one without
 * losses. f of backward is backward_ratio times that of forward. Beside it the operands cross memory once. */

/* Heads of FlashAttention's kernels: 32, 64, 96 ..., of a TPU's 128, its lanes. Sources: csrc/flash_attn/src/static_switch.h of
 * Dao-AILab/flash-attention; https://github.com/jax-ml/jax/issues/30861. */
static double padded(const nnc_flash_efficiency *e, int64_t width)
{
    return e->sustained_fraction < 1.0 && e->head_multiple > 1.0
               ? nnc_ceil((double)width / e->head_multiple) * e->head_multiple
               : (double)width;
}

NNC_SAYING nnc_timing flash_time(const nnc_device *device, const nnc_op *op, const nnc_work *work,
                                 nnc_derivation *why)
{
    const nnc_flash *u = &op->u.flash;
    const nnc_flash_efficiency *e = &device->efficiency.attention[u->kernel];
    const nnc_efficiency shared = { e->sustained_fraction, e->memory_fraction, e->fixed_s };
    const nnc_rates r = nnc_rates_of(device, op->math_dtype, &shared, why);
    nnc_say_work(work, why);
    NNC_LET(why, backward_ratio, NULL, op->phase == NNC_PHASE_BACKWARD ? e->backward_ratio : 1.0);
    NNC_PUT(why, (double)u->batch, NULL);
    NNC_PUT(why, (double)u->heads, NULL);
    NNC_PUT(why, (double)u->s_q, NULL);
    NNC_PUT(why, e->seq_half, NULL);
    NNC_PUT(why, e->narrow_ratio, NULL);
    NNC_PUT(why, e->block_penalty, NULL);
    NNC_PUT(why, device->units, NULL);
    NNC_LET(why, width, NULL, nnc_min((double)u->head_dim, 128.0));

    NNC_SAY(why, sustained, NULL,
            nnc_min(r.sustained_fraction * r.calibration * backward_ratio, 1.0));
    NNC_SAY(why, blocks, NULL, (double)u->batch * (double)u->heads * (double)u->s_q / 128.0);
    NNC_SAY(why, long_s, "s", work->flops / (sustained * r.matmul_flops_per_s));
    NNC_NOTE(why, "of many blocks of long sequences and wide heads");
    NNC_LET(why, calls, NULL, u->blocks > 1 ? (double)u->blocks : 1.0);
    NNC_SAY(why, query_passes, NULL, 1.0 + 0.75 * (calls - 1.0));
    NNC_NOTE(why, "calls: a kernel for each block of keys; of the others three quarters meet");
    NNC_PUT(why, u->pairs, NULL);
    NNC_LET(why, masked, NULL, u->causal ? 0.5 : 1.0);
    NNC_SAY(why, short_factor, NULL,
            1.0 + query_passes * masked * e->seq_half * (double)u->s_q / u->pairs);
    NNC_NOTE(why, "to begin and end a block of queries takes as long for few keys as for many");
    NNC_SAY(why, narrow_factor, NULL, 1.0 + (1.0 / e->narrow_ratio - 1.0) * (128.0 / width - 1.0));
    NNC_NOTE(why,
             "narrow heads leave a row of the units partly empty; width: of a head, at most 128");
    NNC_LET(why, head_widths, NULL, (double)(u->head_dim + u->value_dim));
    NNC_LET(why, kernel_widths, NULL, padded(e, u->head_dim) + padded(e, u->value_dim));
    NNC_SAY(why, padded_factor, NULL, kernel_widths / head_widths);
    NNC_NOTE(why, "of keys and of values; kernels have heads of multiples of head_multiple");
    NNC_SAY(why, block_factor, NULL, 1.0 + e->block_penalty * device->units / blocks);
    NNC_NOTE(why, "few blocks of queries leave units idle");
    NNC_SAY(why, matrix_s, "s",
            long_s * short_factor * narrow_factor * padded_factor * block_factor);
    const double vector_s = nnc_vector_s(&r, work, why);
    NNC_SAY(why, compute_s, "s", nnc_max(matrix_s, vector_s));
    NNC_SAY(why, memory_s, "s",
            (work->read_bytes + work->write_bytes) / (r.memory_fraction * r.mem_bytes_per_s));
    double fixed_s = r.fixed_s;
    if (calls > 1.0) {
        NNC_LET(why, call_s, "s", r.fixed_s);
        NNC_SET(why, fixed_s, "s", calls * call_s);
    }
    return nnc_roofline(compute_s, memory_s, fixed_s, why);
}

nnc_timing nnc_flash_time(const nnc_device *device, const nnc_op *op, const nnc_work *work)
{
    return flash_time(device, op, work, NULL);
}

nnc_timing nnc_flash_say_time(const nnc_device *device, const nnc_op *op, const nnc_work *work,
                              nnc_derivation *why)
{
    return flash_time(device, op, work, why);
}
