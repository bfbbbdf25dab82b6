/* One row of a sweep made concrete: the model, device, software and plan it stands for. */
#ifndef NNCOST_SWEEP_POINT_H
#define NNCOST_SWEEP_POINT_H

#include <nncost/estimate.h>

#include "sweep/axes.h"

/* Owned by one thread. Starts as { .axes, .scratch }, the rest zero. */
typedef struct nnc_point {
    const nnc_sweep_axes *axes;
    nnc_scratch *scratch;
    nnc_model model;
    nnc_device device;
    nnc_software software;
    nnc_plan plan;
    int32_t places[NNC_SWEEP_AXES_MAX];
    bool placed;
    const nnc_software *profile; /* that software is of, where no axis names one */
    int64_t specs_moves;         /* times that model or device changed */
    nnc_error
        spec_fault; /* fields of model or device that contradict each other; status NNC_OK = none */
} nnc_point;

/* Moves to a row, setting only what changed since the last one. Every value of every axis must have
 * been tried before: setting one cannot fail. */
void nnc_point_move(nnc_point *point, int64_t row);

/* Estimates the row. Any status but NNC_OK says why the plan is not legal. */
nnc_status nnc_point_estimate(nnc_point *point, nnc_result *result, nnc_error *err);

/* Sets a value of an axis in the point's model, device, software or plan. */
nnc_status nnc_point_set(nnc_point *point, const nnc_sweep_axis *axis, int32_t index,
                         nnc_error *err);

#endif
