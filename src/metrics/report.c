#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/base_internal.h"
#include "metrics/metrics_internal.h"
#include "shape/shape_internal.h"

static const char *const past_names[NNC_PAST_COUNT] = { "none", "too_few", "device",
                                                        "all_devices" };

const char *nnc_past_name(unsigned of)
{
    return of < NNC_PAST_COUNT ? past_names[of] : "?";
}

static void add_track(nnc_past *past, const nnc_track *one)
{
    const double all = (double)(past->unseen + one->unseen);
    past->error += (one->error - past->error) * (double)one->unseen / all;
    past->bias += (one->bias - past->bias) * (double)one->unseen / all;
    past->rows += one->rows;
    past->unseen += one->unseen;
}

nnc_past nnc_report_past(const nnc_report *report)
{
    const nnc_model *model = report->model;
    const nnc_software *software = report->software;
    const bool experts = model->family == NNC_FAMILY_DECODER && model->decoder.experts > 0;
    const char *family = experts ? "experts" : nnc_family_name(model->family);
    nnc_past here = { .of = NNC_PAST_DEVICE }, all = { .of = NNC_PAST_ALL_DEVICES };
    if (report->result->plan.mode != NNC_MODE_PREDICTED ||
        (software->compared_count == 0 && software->date[0] == '\0')) {
        return (nnc_past){ .of = NNC_PAST_NONE };
    }
    for (int32_t i = 0; i < software->compared_count; i++) {
        const nnc_track *one = &software->compared[i];
        if (one->unseen > 0 && strcmp(one->family, family) == 0) {
            add_track(&all, one);
            if (strcmp(one->device, report->device->id) == 0) {
                add_track(&here, one);
            }
        }
    }
    here.device_rows = all.device_rows = here.unseen;
    if (all.unseen < NNC_PAST_FEWEST) {
        all.of = NNC_PAST_FEW;
        all.error = all.bias = (double)NAN;
    }
    return here.unseen < NNC_PAST_FEWEST ? all : here;
}

const nnc_price *nnc_report_price(const nnc_report *report)
{
    const nnc_device *device = report->device;
    return isnan(report->result->plan.price) && device->price_count > 0 ? device->prices : NULL;
}

const char *nnc_price_currency(const nnc_device *device)
{
    return device->price_count > 0 ? device->prices->currency : "USD";
}

const char *nnc_report_currency(const nnc_report *report)
{
    return isnan(report->result->price_per_device_hour) ? NULL : nnc_price_currency(report->device);
}

const char *nnc_launch_advice(const nnc_result *result)
{
    if (result->bound != NNC_BOUND_HOST) {
        return NULL;
    }
    return result->host_s > 0.5 * result->bound_s[NNC_BOUND_HOST]
               ? "the host limits the step: record ops once and replay them (CUDA graphs, "
                 "torch.compile), or make each op larger (a larger --micro-batch)"
               : "the fixed costs of kernels limit the step: make each kernel larger (a larger "
                 "--micro-batch, fewer of them)";
}

int64_t nnc_padded_rows(const nnc_report *report)
{
    const int64_t rows = nnc_model_sizes_of(report->model).vocab;
    const int64_t padded = nnc_vocab_split(rows, report->result->plan.tensor);
    return padded != rows ? padded : 0;
}

double nnc_report_unit_cost(const nnc_result *result, nnc_derivation *why)
{
    double unit_cost = 0.0;
    if (result->tokens > 0) {
        NNC_SET_AS(why, "per_million_tokens", unit_cost, NULL,
                   1e6 * result->cost_step / (double)result->tokens);
    } else {
        NNC_SET_AS(why, "per_thousand_samples", unit_cost, NULL,
                   1e3 * result->cost_step / (double)result->plan.global_batch);
    }
    return unit_cost;
}

double nnc_report_sustained_flops_per_s(const nnc_report *report)
{
    const nnc_efficiencies *e = &report->device->efficiency;
    const double fraction =
        e->gemm[report->result->plan.precision].sustained_fraction * e->calibration;
    return nnc_min(fraction, 1.0) * report->result->peak_flops_per_s;
}

double nnc_report_sustained_bytes_per_s(const nnc_report *report)
{
    const nnc_efficiencies *e = &report->device->efficiency;
    return e->pointwise.memory_fraction * report->device->mem_bytes_per_s;
}

const char *nnc_report_sentence(const nnc_report *report, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_result *r = report->result;
    const nnc_model *model = report->model;
    const nnc_device *device = report->device;
    char step[NNC_NUMBER_TEXT], total[NNC_NUMBER_TEXT], capacity[NNC_NUMBER_TEXT], many[32] = "",
                                                                                   set[160] = "";
    if (report->overrides != NULL && report->overrides[0] != '\0') {
        snprintf(set, sizeof set, " with %.120s", report->overrides);
    }
    if (r->plan.devices > 1) {
        snprintf(many, sizeof many, "%" PRId32 " x ", r->plan.devices);
    }
    snprintf(text, NNC_METRIC_TEXT_MAX,
             "One step of %.48s%s takes %s%s on %s%.48s and is bound by %s, %.1f%% of it; it %s: "
             "%s of %s "
             "per device.",
             model->name[0] != '\0' ? model->name : model->id, set,
             r->plan.mode == NNC_MODE_IDEAL ? "at least " : "", nnc_unit_text(r->step_s, "s", step),
             many, device->name[0] != '\0' ? device->name : device->id, nnc_bound_name(r->bound),
             100.0 * r->bound_s[r->bound] / r->step_s,
             r->verdict == NNC_FITS    ? "fits"
             : r->verdict == NNC_TIGHT ? "is tight"
                                       : "does not fit",
             nnc_unit_text((double)r->memory.total_bytes, "B", total),
             nnc_unit_text((double)r->memory.capacity_bytes, "B", capacity));
    return text;
}
