/* calibrate --explain MODEL: finds the measurement that would make the range of MODEL's estimate narrowest.
 *
 * Each parameter has a range. A fitted parameter has the range that its rows allow. Other parameters have the range
 * from the 10th to the 90th percentile of shipped devices, relative to the median of these devices. No shipped device
 * has its own host, so host.kernel_s has the range that the interval of a step gives to waiting for the host. The
 * estimate is repeated at both ends of each range, while other parameters keep their fitted values. The parameter with
 * the largest difference is the one to measure. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/lab/cli_lab.h"
#include "input/input_internal.h"

/* Kinds of measured rows that determine a parameter, by the beginning of the parameter's name. */
static const struct {
    const char *begin, *measure;
} measures[] = {
    { "efficiency.gemm.", "matrix products of this number format" },
    { "efficiency.attention.", "this attention kernel alone, forward and backward" },
    { "efficiency.conv.", "convolutions" },
    { "efficiency.pointwise.", "norms, softmax and activations" },
    { "efficiency.maps.", "norms of feature maps" },
    { "efficiency.stream.", "copies, sums and ReLU" },
    { "efficiency.optimizer.", "updates of the optimizer" },
    { "efficiency.collectives.scale_out", "collectives between nodes" },
    { "efficiency.collectives.", "collectives within a node" },
    { "host.", "a step with a small batch, which waits for the host" },
};

/* Parameters that are varied even if no measured row determines them. */
static const char *const others[] = {
    "efficiency.gemm.bf16.sustained_fraction",
    "efficiency.gemm.fp8.sustained_fraction",
    "efficiency.gemm.tf32.sustained_fraction",
    "efficiency.gemm.fp32.sustained_fraction",
    "efficiency.attention.flash1.sustained_fraction",
    "efficiency.attention.flash2.sustained_fraction",
    "efficiency.attention.flash3.sustained_fraction",
    "efficiency.attention.cudnn.sustained_fraction",
    "efficiency.conv.sustained_fraction",
    "efficiency.conv.memory_fraction",
    "efficiency.pointwise.memory_fraction",
    "efficiency.maps.memory_fraction",
    "efficiency.stream.memory_fraction",
    "efficiency.optimizer.memory_fraction",
    "efficiency.collectives.all_reduce.bus_fraction",
    "efficiency.collectives.all_gather.bus_fraction",
    "efficiency.collectives.reduce_scatter.bus_fraction",
    "efficiency.collectives.all_to_all.bus_fraction",
    "efficiency.collectives.scale_out_fraction",
    "host.kernel_s",
};
enum { OTHERS = sizeof others / sizeof others[0], DEVICES_MOST = 512 };

static const char *measure_of(const char *name) {
    for (size_t i = 0; i < sizeof measures / sizeof measures[0]; i++) {
        if (strncmp(name, measures[i].begin, strlen(measures[i].begin)) == 0) { return measures[i].measure; }
    }
    return NULL;
}

/* Finds the 10th and 90th percentile of a parameter over the shipped devices with fitted efficiencies, relative to the
 * median. Returns false if fewer than five devices have the parameter, or all have the same value. */
static bool spread_of(nnc_specs *specs, const char *name, double ratio[2]) {
    const char *const *ids = NULL;
    double values[DEVICES_MOST];
    int32_t count = 0, found = 0;
    if (nnc_specs_list(specs, NNC_SPEC_DEVICE, &ids, &count, NULL) != NNC_OK) { return false; }
    for (int32_t i = 0; i < count && found < DEVICES_MOST; i++) {
        const nnc_device *device = NULL;
        nnc_parameter_place place = { 0 };
        if (nnc_device_load(specs, ids[i], &device, NULL) != NNC_OK) { continue; }
        nnc_device copy = *device;
        if (copy.efficiency.fitted && nnc_parameter_find(&copy, name, &place, NULL) == NNC_OK && *place.value > 0.0) {
            values[found++] = *place.value;
        }
    }
    if (found < 5) { return false; }
    nnc_sort_numbers(values, (size_t)found);
    ratio[0] = values[found / 10] / values[found / 2];
    ratio[1] = values[found - 1 - found / 10] / values[found / 2];
    return ratio[1] > ratio[0];
}

/* Finds the range of a parameter that was not fitted, relative to its value. Returns false if it is not known. */
static bool range_of(nnc_specs *specs, const nnc_software *software, const char *name, double ratio[2]) {
    if (strcmp(name, "host.kernel_s") != 0) { return spread_of(specs, name, ratio); }
    ratio[0] = exp(-software->spread.idle);
    ratio[1] = exp(software->spread.idle);
    return ratio[1] > ratio[0];
}

static double four_digits(double value) {
    char text[NNC_NUMBER_TEXT];
    double rounded = value;
    snprintf(text, sizeof text, "%.4g", value);
    return nnc_read_double(text, &rounded) ? rounded : value;
}

typedef struct question {
    nnc_specs *specs;
    const nnc_fit *fit;
    const nnc_device *start;
    nnc_next *list;
    int32_t count;
} question;

static const nnc_fit_parameter *fitted_of(const nnc_fit *fit, const char *name) {
    for (int32_t i = 0; i < fit->parameter_count; i++) {
        if (fit->parameters[i].reason == NULL && strcmp(fit->parameters[i].name, name) == 0) {
            return &fit->parameters[i];
        }
    }
    return NULL;
}

/* Returns the seconds of a step with the device parameter `name` set to `value`; NaN = no estimate. Other values
 * stay. */
static double step_with(nnc_scenario *s, nnc_scratch *scratch, const char *name, double value) {
    const nnc_device kept = s->device;
    nnc_parameter_place place = { 0 };
    double step_s = (double)NAN;
    if (nnc_parameter_find(&s->device, name, &place, NULL) == NNC_OK) {
        *place.value = value;
        nnc_result result;
        if (nnc_report_estimate(&s->report, &s->plan, scratch, &result, NULL) == NNC_OK) { step_s = result.step_s; }
    }
    s->device = kept;
    return step_s;
}

static void try_parameter(question *q, nnc_scenario *s, nnc_scratch *scratch, const char *name) {
    const nnc_fit_parameter *fitted = fitted_of(q->fit, name);
    nnc_parameter_place place = { 0 };
    double ratio[2];
    for (int32_t i = 0; i < q->count; i++) {
        if (strcmp(q->list[i].name, name) == 0) { return; }
    }
    if (measure_of(name) == NULL || q->count == NNC_NEXT_MAX ||
        nnc_parameter_find(&s->device, name, &place, NULL) != NNC_OK || !(*place.value > 0.0)) {
        return;
    }
    nnc_next next = { .measure = measure_of(name), .rows = fitted != NULL ? fitted->rows : 0 };
    snprintf(next.name, sizeof next.name, "%s", name);
    if (fitted != NULL) {
        next.low = fitted->low;
        next.high = fitted->high;
    } else if (range_of(q->specs, &s->software, name, ratio)) {
        const double high = *place.value * ratio[1];
        next.low = four_digits(*place.value * ratio[0]);
        next.high = four_digits(strstr(name, "fraction") != NULL ? fmin(high, 1.0) : high);
    } else {
        return;
    }
    next.low_step_s = step_with(s, scratch, name, next.low);
    next.high_step_s = step_with(s, scratch, name, next.high);
    next.share = fabs(log(next.low_step_s / next.high_step_s));
    if (next.share > 1e-4) { q->list[q->count++] = next; }
}

static int widest_first(const void *a, const void *b) {
    const nnc_next *x = a, *y = b;
    return (x->share < y->share) - (x->share > y->share);
}

static nnc_status ask(nnc_session *session, void *context, nnc_scenario *scenario, nnc_scratch *scratch,
                      nnc_error *err) {
    question *q = context;
    (void)session, (void)err;
    scenario->device = *q->start;
    for (int32_t i = 0; i < q->fit->parameter_count; i++) {
        const nnc_fit_parameter *p = &q->fit->parameters[i];
        if (p->reason == NULL && !isnan(p->value)) {
            *(double *)(void *)((char *)&scenario->device + p->offset) = p->value;
        }
    }
    for (int32_t i = 0; i < q->fit->parameter_count; i++) {
        try_parameter(q, scenario, scratch, q->fit->parameters[i].name);
    }
    for (int i = 0; i < OTHERS; i++) { try_parameter(q, scenario, scratch, others[i]); }
    if (q->count > 0) { qsort(q->list, (size_t)q->count, sizeof *q->list, widest_first); }
    return NNC_OK;
}

nnc_status nnc_next_measurements(nnc_session *session, const nnc_fit *fit, const nnc_device *start, const char *device,
                                 const char *model, nnc_next *list, int32_t *count, nnc_error *err) {
    question q = { .specs = session->specs, .fit = fit, .start = start, .list = list };
    const nnc_status status = nnc_scenario_report(session, model, device, ask, &q, err);
    if (status != NNC_OK && strcmp(err->where, "MODEL") == 0) { snprintf(err->where, sizeof err->where, "--explain"); }
    *count = q.count;
    return status;
}
