#include "cost/roofline.h"

#include <math.h>

#include "base/number.h"
#include "op/op_row.h"

double nnc_device_matmul_peak(const nnc_device *device, nnc_dtype dtype)
{
    if (device == NULL || (unsigned)dtype >= NNC_DTYPE_COUNT) {
        return (double)NAN;
    }
    const double peak = device->matmul_flops_per_s[dtype];
    return isnan(peak) && dtype == NNC_FP32 ? device->vector_flops_per_s[dtype] : peak;
}

double nnc_device_ridge(const nnc_device *device, nnc_dtype dtype)
{
    return device != NULL ? nnc_device_matmul_peak(device, dtype) / device->mem_bytes_per_s
                          : (double)NAN;
}

double nnc_intensity(const nnc_work *work)
{
    if (work == NULL) {
        return NAN;
    }
    const double bytes = work->read_bytes + work->write_bytes;
    return bytes > 0.0 ? (work->flops + work->vector_flops) / bytes : NAN;
}

/* Constant fractions of the datasheet. Products (an optimizer's) run at the machine's own rate. */
NNC_SAYING nnc_timing constant_time(const nnc_device *device, const nnc_op *op,
                                    const nnc_work *work, const nnc_efficiency *e,
                                    nnc_derivation *why)
{
    const nnc_rates r = nnc_rates_of(device, op->math_dtype, e, why);
    nnc_say_work(work, why);
    double matrix_s = 0.0;
    if (work->flops > 0.0) {
        NNC_SAY(why, sustained, NULL, nnc_min(r.sustained_fraction * r.calibration, 1.0));
        NNC_SET(why, matrix_s, "s", work->flops / (sustained * r.matmul_flops_per_s));
    }
    NNC_PUT(why, matrix_s, "s");
    const double vector_s = nnc_vector_s(&r, work, why);
    NNC_SAY(why, compute_s, "s", nnc_max(matrix_s, vector_s));
    NNC_SAY(why, memory_s, "s",
            (work->read_bytes + work->write_bytes) / (r.memory_fraction * r.mem_bytes_per_s));
    return nnc_roofline(compute_s, memory_s, r.fixed_s, why);
}

/* Casts to 8 bits come with the library of the products, and reach the bandwidth that those reach. */
static nnc_efficiency efficiency_of(const nnc_device *device, const nnc_op *op)
{
    const nnc_efficiencies *all = &device->efficiency;
    const bool tuned = op->tuned && !isnan(all->pointwise_tuned.memory_fraction);
    const nnc_efficiency *maps =
        op->tuned && !isnan(all->maps_tuned.memory_fraction) ? &all->maps_tuned : &all->maps;
    nnc_efficiency e = tuned ? all->pointwise_tuned : all->pointwise;
    switch (nnc_op_timed(op)) {
    case NNC_TIMED_MAP: return maps->memory_fraction > 0.0 ? *maps : e;
    case NNC_TIMED_UPDATE: return all->optimizer;
    case NNC_TIMED_CAST:
        e.memory_fraction = all->gemm[NNC_FP8].memory_fraction;
        e.fixed_s = all->gemm[NNC_FP8].fixed_s;
        return e;
    default: return e;
    }
}

nnc_timing nnc_op_time(const nnc_device *device, const nnc_op *op, const nnc_work *work)
{
    const nnc_timed timed = nnc_op_timed(op);
    if (timed == NNC_TIMED_GEMM) {
        return nnc_gemm_time(device, op, work);
    }
    if (timed == NNC_TIMED_FLASH) {
        return nnc_flash_time(device, op, work);
    }
    if (timed == NNC_TIMED_CONV) {
        return nnc_conv_time(device, op, work);
    }
    const nnc_efficiency e = efficiency_of(device, op);
    return constant_time(device, op, work, &e, NULL);
}

nnc_timing nnc_op_say_time(const nnc_device *device, const nnc_op *op, const nnc_work *work,
                           nnc_derivation *why)
{
    const nnc_timed timed = nnc_op_timed(op);
    if (timed == NNC_TIMED_GEMM) {
        return nnc_gemm_say_time(device, op, work, why);
    }
    if (timed == NNC_TIMED_FLASH) {
        return nnc_flash_say_time(device, op, work, why);
    }
    if (timed == NNC_TIMED_CONV) {
        return nnc_conv_say_time(device, op, work, why);
    }
    const nnc_efficiency e = efficiency_of(device, op);
    return constant_time(device, op, work, &e, why);
}
