#include "cost/roofline.h"

#include <math.h>

#include "base/number.h"

double nnc_device_matmul_peak(const nnc_device *device, nnc_dtype dtype)
{
    const double peak = device->matmul_flops_per_s[dtype];
    return isnan(peak) && dtype == NNC_FP32 ? device->vector_flops_per_s[dtype] : peak;
}

double nnc_device_ridge(const nnc_device *device, nnc_dtype dtype)
{
    return nnc_device_matmul_peak(device, dtype) / device->mem_bytes_per_s;
}

static const nnc_efficiency *efficiency_of(const nnc_device *device, const nnc_op *op)
{
    switch (op->kind) {
    case NNC_OP_MATMUL: return &device->efficiency.gemm[op->math_dtype];
    case NNC_OP_FLASH: return &device->efficiency.attention;
    case NNC_OP_CONV: return &device->efficiency.conv;
    case NNC_OP_UPDATE: return &device->efficiency.optimizer;
    default: return &device->efficiency.pointwise;
    }
}

nnc_roof nnc_roof_of(const nnc_device *device, const nnc_op *op)
{
    return (nnc_roof){
        .matmul_flops_per_s = nnc_device_matmul_peak(device, op->math_dtype),
        .vector_flops_per_s = device->vector_flops_per_s[NNC_FP32],
        .mem_bytes_per_s = device->mem_bytes_per_s,
        .efficiency = *efficiency_of(device, op),
    };
}

double nnc_intensity(const nnc_work *work)
{
    const double bytes = work->read_bytes + work->write_bytes;
    return bytes > 0.0 ? (work->flops + work->vector_flops) / bytes : NAN;
}

nnc_timing nnc_roofline(const nnc_roof *roof, const nnc_work *work)
{
    const nnc_efficiency *e = &roof->efficiency;
    nnc_timing t = { .fixed_s = e->fixed_s };
    t.compute_s = work->flops / (e->sustained_fraction * roof->matmul_flops_per_s);
    if (!isnan(roof->vector_flops_per_s)) {
        t.compute_s = nnc_max(t.compute_s, work->vector_flops / roof->vector_flops_per_s);
    }
    t.memory_s =
        (work->read_bytes + work->write_bytes) / (e->memory_fraction * roof->mem_bytes_per_s);
    const double larger = nnc_max(t.compute_s, t.memory_s);
    t.time_s = larger + t.fixed_s;
    t.bound = t.fixed_s > larger          ? NNC_BOUND_HOST
              : t.compute_s >= t.memory_s ? NNC_BOUND_COMPUTE
                                          : NNC_BOUND_MEMORY;
    return t;
}
