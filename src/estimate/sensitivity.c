/* Effect of each parameter of the device file on the step time: the elasticity (relative change of the step time per
 * relative change of the parameter), the step time with twice the value, and the value with which the step reaches a
 * given time. All numbers of a sensitivity are computed from estimates with a changed device.   [sensitivity] */
#include <nncost/estimate.h>

#include "base/base_internal.h"
#include "estimate/estimate_internal.h"

/* Relative change of a parameter, upwards and downwards, from which its elasticity is computed. The change is small, so
 * that the bound of an op seldom changes, and large compared with rounding errors. */
#define APART 1e-3

/* Factor on a rate of the device. At WITHOUT_BOUND times its rate a resource takes nearly no time, but all numbers stay
 * finite. */
#define WITHOUT_BOUND 0x1p40

enum { HALVINGS = 80 };

/* Says which value of a device parameter is changed. ONE_RATE: the only value of a parameter that has one value for all
 * number formats. OF_PRECISION and OF_FP32 are for parameters with one value per number format. OF_PRECISION: the value
 * for the format of the plan's precision. OF_FP32: the value for fp32. */
typedef enum which_rate { ONE_RATE, OF_PRECISION, OF_FP32 } which_rate;

static const struct {
    const char *name, *unit;
    /* offset of the value in nnc_device; offset of the first value if the parameter has one value per format */
    size_t offset;
    which_rate rate;
} figures[] = {
#define FIGURE(member, unit) #member, (unit), offsetof(nnc_device, member)
    [NNC_PARAMETER_MATMUL] = { FIGURE(matmul_flops_per_s, "FLOP/s"), OF_PRECISION },
    [NNC_PARAMETER_VECTOR] = { FIGURE(vector_flops_per_s, "FLOP/s"), OF_FP32 },
    [NNC_PARAMETER_MEM_RATE] = { FIGURE(mem_bytes_per_s, "B/s"), ONE_RATE },
    [NNC_PARAMETER_SCALE_UP_RATE] = { FIGURE(scale_up.bytes_per_s, "B/s"), ONE_RATE },
    [NNC_PARAMETER_SCALE_UP_LATENCY] = { FIGURE(scale_up.latency_s, "s"), ONE_RATE },
    [NNC_PARAMETER_SCALE_OUT_RATE] = { FIGURE(scale_out.bytes_per_s, "B/s"), ONE_RATE },
    [NNC_PARAMETER_SCALE_OUT_LATENCY] = { FIGURE(scale_out.latency_s, "s"), ONE_RATE },
    [NNC_PARAMETER_HOST_RATE] = { FIGURE(host.bytes_per_s, "B/s"), ONE_RATE },
    [NNC_PARAMETER_HOST_MEM_RATE] = { FIGURE(host.mem_bytes_per_s, "B/s"), ONE_RATE },
    /* mem_bytes is the only parameter whose value is an integer; the values of all other parameters are doubles */
    [NNC_PARAMETER_MEM_BYTES] = { FIGURE(mem_bytes, "B"), ONE_RATE },
#undef FIGURE
};
NNC_ROW_EACH(figures, NNC_PARAMETER_COUNT);

char *nnc_sensitivity_parameter_name(nnc_sensitivity_parameter figure, nnc_dtype precision,
                                     char text[NNC_PARAMETER_TEXT]) {
    if (text == NULL || (unsigned)figure >= NNC_PARAMETER_COUNT) {
        if (text != NULL) { snprintf(text, NNC_PARAMETER_TEXT, "?"); }
        return text;
    }
    const bool by_format = figures[figure].rate != ONE_RATE;
    const nnc_dtype dtype = figures[figure].rate == OF_FP32 ? NNC_FP32 : precision;
    snprintf(text, NNC_PARAMETER_TEXT, "%s%s%s", figures[figure].name, by_format ? "." : "",
             by_format ? nnc_dtype_name(dtype) : "");
    return text;
}

const char *nnc_sensitivity_parameter_unit(nnc_sensitivity_parameter figure) {
    return (unsigned)figure < NNC_PARAMETER_COUNT ? figures[figure].unit : "?";
}

/* Returns the address of the value of a parameter in *device; NULL for the parameter mem_bytes, whose value is an
 * integer and not a double. precision: format whose value is used, if the parameter has one value per format. */
static double *place_of(nnc_device *device, nnc_sensitivity_parameter figure, nnc_dtype precision) {
    const which_rate rate = figures[figure].rate;
    const int at = rate == OF_PRECISION ? (int)precision : rate == OF_FP32 ? (int)NNC_FP32 : 0;
    void *place = (char *)device + figures[figure].offset;
    return figure == NNC_PARAMETER_MEM_BYTES ? NULL : (double *)place + at;
}

double nnc_sensitivity_parameter_value(const nnc_device *device, nnc_sensitivity_parameter figure,
                                       nnc_dtype precision) {
    if (device == NULL || (unsigned)figure >= NNC_PARAMETER_COUNT || (unsigned)precision >= NNC_DTYPE_COUNT) {
        return (double)NAN;
    }
    nnc_device copy = *device;
    const double *place = place_of(&copy, figure, precision);
    return figure == NNC_PARAMETER_MATMUL ? nnc_device_matmul_peak(device, precision)
           : place != NULL                ? *place
                                          : (double)nnc_device_capacity(device);
}

void nnc_sensitivity_parameter_scale(nnc_device *device, nnc_sensitivity_parameter figure, nnc_dtype precision,
                                     double factor) {
    const double value = nnc_sensitivity_parameter_value(device, figure, precision) * factor;
    if (isnan(value) || !(factor > 0.0)) {
        return; /* the device file does not state the value of the parameter, or the new value would not be positive */
    }
    double *place = place_of(device, figure, precision);
    if (place != NULL) {
        *place = value;
    } else {
        device->mem_bytes = (int64_t)fmin(value, 0x1p60);
        device->usable_bytes = NAN;
    }
}

/* Arguments of a series of estimates; from one estimate to the next, only one value of the device changes. */
typedef struct trial {
    const nnc_model *model;
    const nnc_device *device;
    const nnc_software *software;
    const nnc_plan *plan;
    nnc_scratch *scratch;
    nnc_dtype precision; /* number format of the matrix products in the plan with all defaults filled in */
} trial;

static nnc_status step_with(const trial *t, nnc_sensitivity_parameter figure, double factor, double *step_s,
                            nnc_error *err) {
    nnc_device device = *t->device;
    nnc_result result;
    nnc_sensitivity_parameter_scale(&device, figure, t->precision, factor);
    const nnc_status status = nnc_estimate_read(t->model, &device, t->software, t->plan, t->scratch, &result, err);
    *step_s = result.step_s;
    return status;
}

/* Reads and checks the arguments of the public function `function` into *asked, and fills *t with pointers to them. */
static nnc_status begin(const char *function, const nnc_model *model, const nnc_device *device,
                        const nnc_software *software, const nnc_plan *plan, nnc_scratch *scratch,
                        nnc_estimate_args *asked, trial *t, nnc_error *err) {
    NNC_TRY(nnc_need(function, "scratch", scratch != NULL, err));
    NNC_TRY(nnc_estimate_args_read(function, model, device, software, plan, asked, err));
    *t = (trial){
        .model = model, .device = device, .software = asked->software, .plan = &asked->plan, .scratch = scratch
    };
    return NNC_OK;
}

static nnc_status sense(const trial *t, nnc_sensitivity *entry, nnc_error *err) {
    double below_s = 0.0, above_s = 0.0;
    NNC_TRY(step_with(t, entry->figure, 1.0 - APART, &below_s, err));
    NNC_TRY(step_with(t, entry->figure, 1.0 + APART, &above_s, err));
    NNC_TRY(step_with(t, entry->figure, 2.0, &entry->doubled_s, err));
    const bool same = !(above_s < below_s) && !(above_s > below_s);
    entry->elasticity = same ? 0.0 : log(above_s / below_s) / log((1.0 + APART) / (1.0 - APART));
    return NNC_OK;
}

/* Inserts an entry into a list of at most `max` entries, sorted by the absolute value of the elasticity, the largest
 * first; entries with equal elasticities keep the order of the parameters. If the list is full, its last entry is
 * dropped. */
static void insert(nnc_sensitivity *entries, int max, int *count, const nnc_sensitivity *entry) {
    int at = *count;
    for (; at > 0 && fabs(entries[at - 1].elasticity) < fabs(entry->elasticity); at--) {
        if (at < max) { entries[at] = entries[at - 1]; }
    }
    if (at < max) { entries[at] = *entry; }
    *count += *count < max;
}

nnc_status nnc_sensitivity_of(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                              const nnc_plan *plan, nnc_scratch *scratch, nnc_sensitivity *entries, int max, int *count,
                              nnc_error *err) {
    nnc_estimate_args asked;
    nnc_result now;
    trial t;
    NNC_TRY(nnc_need(__func__, "entries", entries != NULL, err));
    NNC_TRY(nnc_need(__func__, "count", count != NULL, err));
    *count = 0;
    NNC_TRY(begin(__func__, model, device, software, plan, scratch, &asked, &t, err));
    NNC_TRY(nnc_estimate_read(model, device, t.software, t.plan, scratch, &now, err));
    t.precision = now.plan.precision;
    for (int f = 0; f < NNC_PARAMETER_COUNT; f++) {
        const nnc_sensitivity_parameter figure = (nnc_sensitivity_parameter)f;
        nnc_sensitivity entry = { .figure = figure,
                                  .value = nnc_sensitivity_parameter_value(device, figure, t.precision),
                                  .needed = (double)NAN };
        if (isnan(entry.value)) { continue; }
        if (figure == NNC_PARAMETER_MEM_BYTES) {
            entry.doubled_s = now.step_s;
            entry.needed = (double)now.memory.total_bytes;
        } else {
            NNC_TRY(sense(&t, &entry, err));
        }
        insert(entries, max, count, &entry);
    }
    return NNC_OK;
}

nnc_status nnc_target_find(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                           const nnc_plan *plan, nnc_sensitivity_parameter figure, double step_s, nnc_scratch *scratch,
                           nnc_target *target, nnc_error *err) {
    nnc_estimate_args asked;
    nnc_plan resolved;
    trial t;
    double low = 0.0, high = log2(WITHOUT_BOUND); /* `low`, `high`: limits of the base-2 logarithm of the factor, for
                                                   * bisection */
    NNC_TRY(nnc_need(__func__, "target", target != NULL, err));
    NNC_TRY(begin(__func__, model, device, software, plan, scratch, &asked, &t, err));
    if ((unsigned)figure >= NNC_PARAMETER_COUNT || !(step_s > 0.0) || isinf(step_s)) {
        return nnc_fail(err, NNC_BAD_USAGE, __func__,
                        "out of range, expected one of %d figures and a time above 0 s, found %d and %g s",
                        NNC_PARAMETER_COUNT, (int)figure, step_s);
    }
    NNC_TRY(nnc_plan_resolve_read(t.plan, model, device, &resolved, err));
    t.precision = resolved.precision;
    *target = (nnc_target){ .figure = figure,
                            .value = nnc_sensitivity_parameter_value(device, figure, t.precision),
                            .needed = (double)NAN };
    NNC_TRY(step_with(&t, figure, 1.0, &target->step_s, err));
    if (isnan(target->value)) { return NNC_OK; }
    if (target->step_s <= step_s) {
        target->needed = target->value;
        return NNC_OK;
    }
    NNC_TRY(step_with(&t, figure, WITHOUT_BOUND, &target->step_s, err));
    if (target->step_s > step_s) { return NNC_OK; }
    for (int i = 0; i < HALVINGS && high - low > 1e-10; i++) {
        const double middle = low + (high - low) / 2.0;
        double found_s = 0.0;
        NNC_TRY(step_with(&t, figure, exp2(middle), &found_s, err));
        if (found_s <= step_s) {
            high = middle;
            target->step_s = found_s;
        } else {
            low = middle;
        }
    }
    target->needed = target->value * exp2(high);
    return NNC_OK;
}
