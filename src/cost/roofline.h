/* Work -> seconds on one device. */
#ifndef NNCOST_COST_ROOFLINE_H
#define NNCOST_COST_ROOFLINE_H

#include <nncost/estimate.h>

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

/* The parts that forms share: the roofline as above, bound named, fixed cost added. */
nnc_timing nnc_roofline(double compute_s, double memory_s, double fixed_s);

/* Matrix product by tiles, waves, split of k, cache and clock.   [gemm-time] */
nnc_timing nnc_gemm_time(const nnc_device *device, const nnc_op *op, const nnc_work *work);

/* Fused attention: rate rises with the length and with the number of query blocks.   [flash-time] */
nnc_timing nnc_flash_time(const nnc_device *device, const nnc_op *op, const nnc_work *work);

#endif
