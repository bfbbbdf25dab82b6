/* Work -> seconds on one device. */
#ifndef NNCOST_COST_ROOFLINE_H
#define NNCOST_COST_ROOFLINE_H

#include <math.h>

#include <nncost/estimate.h>

#include "base/derivation.h"
#include "base/number.h"
#include "op/dims.h"

/* Seconds of one instance. compute_s and memory_s as each alone would take; time_s is at least the
 * larger of them and at most their sum, fixed_s included. bound is the larger side; host when the
 * fixed cost exceeds both. */
typedef struct nnc_timing {
    double compute_s, memory_s, fixed_s, time_s;
    nnc_bound bound;
} nnc_timing;

/* Seconds of one op by the roofline model and the device's fitted efficiencies:
 *     t = max(flops / (f peak), vector_flops / vector peak, bytes / (g bandwidth)) + t0
 * with the fractions f, g and the fixed cost t0 of its kind (1, 1, 0 when nothing is fitted).
 * Matrix products and fused attention have forms of their own, which reduce to this one. The vector
 * units are left out where their peak is not published. Not for collectives.
 * Source: Williams, Waterman, Patterson, CACM 52(4), 2009.   [roofline] */
nnc_timing nnc_op_time(const nnc_device *device, const nnc_op *op, const nnc_work *work);
/* The same, saying how. */
nnc_timing nnc_op_say_time(const nnc_device *device, const nnc_op *op, const nnc_work *work,
                           nnc_derivation *why);

/* Matrix product by tiles, waves, split of k, cache and clock.   [gemm-time] */
nnc_timing nnc_gemm_time(const nnc_device *device, const nnc_op *op, const nnc_work *work);
nnc_timing nnc_gemm_say_time(const nnc_device *device, const nnc_op *op, const nnc_work *work,
                             nnc_derivation *why);

/* Fused attention: rate rises with the length and with the number of query blocks.   [flash-time] */
nnc_timing nnc_flash_time(const nnc_device *device, const nnc_op *op, const nnc_work *work);
nnc_timing nnc_flash_say_time(const nnc_device *device, const nnc_op *op, const nnc_work *work,
                              nnc_derivation *why);

/* Convolution: rate rises with the channels of a group and the terms of a sum.   [conv-time] */
nnc_timing nnc_conv_time(const nnc_device *device, const nnc_op *op, const nnc_work *work);
nnc_timing nnc_conv_say_time(const nnc_device *device, const nnc_op *op, const nnc_work *work,
                             nnc_derivation *why);

/* ---- what the forms share ---- */

/* Figures of the device that every form uses, and the work. */
typedef struct nnc_rates {
    double matmul_flops_per_s, vector_flops_per_s; /* peaks; vector NaN = not published */
    double mem_bytes_per_s, calibration;
    double sustained_fraction, memory_fraction, fixed_s; /* of the kind */
} nnc_rates;

NNC_SAYING void nnc_say_work(const nnc_work *work, nnc_derivation *why)
{
    NNC_PUT(why, work->flops, "FLOP");
    NNC_PUT(why, work->vector_flops, "FLOP");
    NNC_PUT(why, work->read_bytes, "B");
    NNC_PUT(why, work->write_bytes, "B");
}

NNC_SAYING nnc_rates nnc_rates_of(const nnc_device *device, nnc_dtype dtype,
                                  const nnc_efficiency *e, nnc_derivation *why)
{
    const nnc_rates r = { .matmul_flops_per_s = nnc_device_matmul_peak(device, dtype),
                          .vector_flops_per_s = device->vector_flops_per_s[NNC_FP32],
                          .mem_bytes_per_s = device->mem_bytes_per_s,
                          .calibration = device->efficiency.calibration,
                          .sustained_fraction = e->sustained_fraction,
                          .memory_fraction = e->memory_fraction,
                          .fixed_s = e->fixed_s };
    NNC_PUT(why, r.matmul_flops_per_s, "FLOP/s");
    NNC_PUT(why, r.vector_flops_per_s, "FLOP/s");
    NNC_PUT(why, r.mem_bytes_per_s, "B/s");
    NNC_PUT(why, r.calibration, NULL);
    NNC_PUT(why, r.sustained_fraction, NULL);
    NNC_PUT(why, r.memory_fraction, NULL);
    NNC_PUT(why, r.fixed_s, "s");
    return r;
}

/* Seconds on the vector units, 0 where their peak is not published. */
NNC_SAYING double nnc_vector_s(const nnc_rates *r, const nnc_work *work, nnc_derivation *why)
{
    double vector_s = 0.0;
    if (!isnan(r->vector_flops_per_s)) {
        if (work->vector_flops > 0.0) {
            NNC_SET(why, vector_s, "s", work->vector_flops / r->vector_flops_per_s);
        }
    }
    NNC_PUT(why, vector_s, "s");
    return vector_s;
}

/* The roofline: bound named, fixed cost added. */
NNC_SAYING nnc_timing nnc_roofline(double compute_s, double memory_s, double fixed_s,
                                   nnc_derivation *why)
{
    nnc_timing t = { .compute_s = compute_s, .memory_s = memory_s, .fixed_s = fixed_s };
    const double larger = nnc_max(compute_s, memory_s);
    NNC_SET(why, t.time_s, "s", nnc_max(compute_s, memory_s) + fixed_s);
    NNC_SOURCE(why, "Williams, Waterman, Patterson, CACM 52(4), 2009");
    t.bound = fixed_s > larger        ? NNC_BOUND_HOST
              : compute_s >= memory_s ? NNC_BOUND_COMPUTE
                                      : NNC_BOUND_MEMORY;
    return t;
}

#endif
