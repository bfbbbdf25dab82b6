#include "cost/roofline.h"

#include <math.h>

#include "base/number.h"
#include "op/op_row.h"

double nnc_device_matmul_peak(const nnc_device *device, nnc_dtype dtype)
{
    const double peak = device->matmul_flops_per_s[dtype];
    return isnan(peak) && dtype == NNC_FP32 ? device->vector_flops_per_s[dtype] : peak;
}

double nnc_device_ridge(const nnc_device *device, nnc_dtype dtype)
{
    return nnc_device_matmul_peak(device, dtype) / device->mem_bytes_per_s;
}

double nnc_intensity(const nnc_work *work)
{
    const double bytes = work->read_bytes + work->write_bytes;
    return bytes > 0.0 ? (work->flops + work->vector_flops) / bytes : NAN;
}

nnc_timing nnc_roofline(double compute_s, double memory_s, double fixed_s)
{
    nnc_timing t = { .compute_s = compute_s, .memory_s = memory_s, .fixed_s = fixed_s };
    const double larger = nnc_max(compute_s, memory_s);
    t.time_s = larger + fixed_s;
    t.bound = fixed_s > larger        ? NNC_BOUND_HOST
              : compute_s >= memory_s ? NNC_BOUND_COMPUTE
                                      : NNC_BOUND_MEMORY;
    return t;
}

/* Constant fractions of the datasheet. Products (convolutions, an optimizer's) run at the machine's
 * own rate. */
static nnc_timing constant_time(const nnc_device *device, const nnc_op *op, const nnc_work *work,
                                const nnc_efficiency *e)
{
    const double rate = nnc_min(e->sustained_fraction * device->efficiency.calibration, 1.0);
    const double bytes = work->read_bytes + work->write_bytes;
    double compute_s = 0.0;
    if (work->flops > 0.0) {
        compute_s = work->flops / (rate * nnc_device_matmul_peak(device, op->math_dtype));
    }
    if (!isnan(device->vector_flops_per_s[NNC_FP32])) {
        compute_s = nnc_max(compute_s, work->vector_flops / device->vector_flops_per_s[NNC_FP32]);
    }
    return nnc_roofline(compute_s, bytes / (e->memory_fraction * device->mem_bytes_per_s),
                        e->fixed_s);
}

/* Casts to 8 bits come with the library of the products, and reach the bandwidth that those reach. */
static nnc_timing cast_time(const nnc_device *device, const nnc_op *op, const nnc_work *work)
{
    nnc_efficiency e = device->efficiency.pointwise;
    e.memory_fraction = device->efficiency.gemm[NNC_FP8].memory_fraction;
    e.fixed_s = device->efficiency.gemm[NNC_FP8].fixed_s;
    return constant_time(device, op, work, &e);
}

nnc_timing nnc_op_time(const nnc_device *device, const nnc_op *op, const nnc_work *work)
{
    switch (nnc_op_timed(op)) {
    case NNC_TIMED_GEMM: return nnc_gemm_time(device, op, work);
    case NNC_TIMED_FLASH: return nnc_flash_time(device, op, work);
    case NNC_TIMED_CONV: return constant_time(device, op, work, &device->efficiency.conv);
    case NNC_TIMED_UPDATE: return constant_time(device, op, work, &device->efficiency.optimizer);
    case NNC_TIMED_CAST: return cast_time(device, op, work);
    default: return constant_time(device, op, work, &device->efficiency.pointwise);
    }
}
