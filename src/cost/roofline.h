/* Work -> seconds on one device. */
#ifndef NNCOST_COST_ROOFLINE_H
#define NNCOST_COST_ROOFLINE_H

#include <nncost/estimate.h>

/* Rates one kind of op meets. vector_flops_per_s may be NaN (not published): the vector units are
 * then left out. */
typedef struct nnc_roof {
    double matmul_flops_per_s, vector_flops_per_s, mem_bytes_per_s;
    nnc_efficiency efficiency;
} nnc_roof;

typedef struct nnc_timing {
    double compute_s, memory_s, fixed_s, time_s;
    nnc_bound bound;
} nnc_timing;

/* Seconds one instance takes, by the roofline model:
 *     t = max(flops / (f peak), vector_flops / vector peak, bytes / (g bandwidth)) + t0
 * with the fractions f, g and the fixed cost t0 of its kind (1, 1, 0 when nothing is fitted).
 * bound is the larger side; host when the fixed cost exceeds both.
 * Source: Williams, Waterman, Patterson, CACM 52(4), 2009.   [roofline] */
nnc_timing nnc_roofline(const nnc_roof *roof, const nnc_work *work);

/* The roof an op meets on a device. */
nnc_roof nnc_roof_of(const nnc_device *device, const nnc_op *op);

#endif
