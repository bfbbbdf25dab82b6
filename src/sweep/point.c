#include "sweep/point.h"

#include <assert.h>
#include <string.h>

#include "estimate/plan_asked.h"
#include "estimate/scratch.h"

nnc_status nnc_point_set(nnc_point *point, const nnc_sweep_axis *axis, int32_t index,
                         nnc_error *err)
{
    switch (axis->target) {
    case NNC_SWEEP_MODEL: point->model = *(const nnc_model *)axis->specs[index]; break;
    case NNC_SWEEP_DEVICE: point->device = *(const nnc_device *)axis->specs[index]; break;
    case NNC_SWEEP_SOFTWARE: point->software = *(const nnc_software *)axis->specs[index]; break;
    case NNC_SWEEP_PLAN_FIELD:
        if (axis->bytes != NULL) { /* it was read when the axis was made */
            memcpy((char *)&point->plan + axis->offset, axis->bytes + (size_t)index * axis->size,
                   axis->size);
            return NNC_OK;
        }
        return nnc_plan_set(&point->plan, axis->field, axis->values[index], err);
    case NNC_SWEEP_MODEL_FIELD:
        return nnc_model_set(&point->model, axis->field, axis->values[index], err);
    case NNC_SWEEP_DEVICE_FIELD:
        return nnc_device_set(&point->device, axis->field, axis->values[index], err);
    }
    return NNC_OK;
}

/* A model or device that is loaded anew loses the fields set in the old one. */
static bool is_lost(const nnc_sweep_axis *axis, bool model_loaded, bool device_loaded)
{
    return (axis->target == NNC_SWEEP_MODEL_FIELD && model_loaded) ||
           (axis->target == NNC_SWEEP_DEVICE_FIELD && device_loaded);
}

static void check_specs(nnc_point *point)
{
    point->specs_moves++;
    nnc_shared_begin(point->scratch->shared, &point->model, &point->device); /* until they move */
    point->spec_fault.status = NNC_OK;
    if (nnc_model_check(&point->model, point->model.id, &point->spec_fault) == NNC_OK) {
        nnc_device_check(&point->device, point->device.id, &point->spec_fault);
    }
}

/* Whole models and devices are the first axes, so the fields set in them come after. */
void nnc_point_move(nnc_point *point, int64_t row)
{
    int32_t places[NNC_SWEEP_AXES_MAX];
    bool model_loaded = false, device_loaded = false, specs_moved = false;
    const nnc_sweep_axes *axes = point->axes;
    if (!point->placed) {
        point->plan = nnc_plan_default();
        point->software = nnc_software_default();
    }
    nnc_sweep_place(axes, row, places);
    for (int32_t i = 0; i < axes->axis_count; i++) {
        const nnc_sweep_axis *axis = &axes->axes[i];
        const int32_t place = places[axis->group];
        if (point->placed && place == point->places[axis->group] &&
            !is_lost(axis, model_loaded, device_loaded)) {
            continue;
        }
        const nnc_status status = nnc_point_set(point, axis, place, NULL);
        assert(status == NNC_OK);
        (void)status;
        model_loaded = model_loaded || axis->target == NNC_SWEEP_MODEL;
        device_loaded = device_loaded || axis->target == NNC_SWEEP_DEVICE;
        specs_moved = specs_moved ||
                      (axis->target != NNC_SWEEP_PLAN_FIELD && axis->target != NNC_SWEEP_SOFTWARE);
    }
    memcpy(point->places, places, sizeof *places * (size_t)axes->group_count);
    point->placed = true;
    if (specs_moved) {
        check_specs(point);
    }
    if (axes->profiles != NULL) {
        const nnc_software *profile =
            nnc_profile_of(axes->profiles, &point->model, &point->device, &point->plan);
        if (profile != point->profile) {
            point->software = *profile;
            point->profile = profile;
        }
    }
}

nnc_status nnc_point_estimate(nnc_point *point, nnc_result *result, nnc_error *err)
{
    if (point->spec_fault.status != NNC_OK) {
        if (err != NULL) {
            *err = point->spec_fault;
        }
        return point->spec_fault.status;
    }
    return nnc_estimate_asked(&point->model, &point->device, &point->software, &point->plan,
                              point->scratch, result, err);
}
