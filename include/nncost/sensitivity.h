/* SPDX-License-Identifier: Apache-2.0 */
/* What a faster device would bring: the step time against each figure of the device file. */
#ifndef NNCOST_SENSITIVITY_H
#define NNCOST_SENSITIVITY_H

#include <nncost/estimate.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A figure of the device file that a step may depend on, and that money may move. */
typedef enum nnc_lever {
    NNC_LEVER_MATMUL, /* peak of the plan's precision */
    NNC_LEVER_VECTOR,
    NNC_LEVER_MEM_RATE,
    NNC_LEVER_SCALE_UP_RATE,
    NNC_LEVER_SCALE_UP_LATENCY,
    NNC_LEVER_SCALE_OUT_RATE,
    NNC_LEVER_SCALE_OUT_LATENCY,
    NNC_LEVER_HOST_RATE,
    NNC_LEVER_HOST_MEM_RATE,
    NNC_LEVER_MEM_BYTES,
    NNC_LEVER_COUNT
} nnc_lever;

/* Its name for --set, "matmul_flops_per_s.bf16", and its unit; text of at least NNC_LEVER_TEXT. */
enum { NNC_LEVER_TEXT = 48 };
NNC_API char *nnc_lever_name(nnc_lever figure, nnc_dtype precision, char text[NNC_LEVER_TEXT]);
NNC_API const char *nnc_lever_unit(nnc_lever figure);

/* What the device has; NaN = not recorded. */
NNC_API double nnc_lever_value(const nnc_device *device, nnc_lever figure, nnc_dtype precision);
/* Multiplies it. A figure that is not recorded stays so. */
NNC_API void nnc_lever_scale(nnc_device *device, nnc_lever figure, nnc_dtype precision,
                             double factor);

/* elasticity: d ln step_s / d ln value, from estimates with the figure a little below and above; -1:
 * the step takes its time from this figure alone, 0: it does not matter, exactly. A kink of the
 * roofline in between gives the mean of both sides.   [sensitivity] */
typedef struct nnc_sensitivity {
    nnc_lever figure;
    double value; /* of the device */
    double elasticity;
    double doubled_s; /* the step with twice the value */
    double needed;    /* NNC_LEVER_MEM_BYTES: what the plan takes; else NaN */
} nnc_sensitivity;

/* Estimates the plan some 30 times; fills an entry for every figure that is recorded, at most max, those
 * that matter most first. Returns nnc_estimate's status. */
NNC_API nnc_status nnc_sensitivity_of(const nnc_model *model, const nnc_device *device,
                                      const nnc_software *software, const nnc_plan *plan,
                                      nnc_scratch *scratch, nnc_sensitivity *entries, int max,
                                      int *count, nnc_error *err);

/* The smallest value of one rate that alone brings a plan to a step time. */
typedef struct nnc_target {
    nnc_lever figure;
    double value;  /* of the device */
    double needed; /* the smallest, to 9 digits; NaN: no value is enough */
    double step_s; /* with it; with a figure without bounds where none is enough */
} nnc_target;

NNC_API nnc_status nnc_target_find(const nnc_model *model, const nnc_device *device,
                                   const nnc_software *software, const nnc_plan *plan,
                                   nnc_lever figure, double step_s, nnc_scratch *scratch,
                                   nnc_target *target, nnc_error *err);

#ifdef __cplusplus
}
#endif

#endif
