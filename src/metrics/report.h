/* One estimate and what it was made from: what views of it read. */
#ifndef NNCOST_METRICS_REPORT_H
#define NNCOST_METRICS_REPORT_H

#include <nncost/run.h>
#include <nncost/sensitivity.h>
#include <nncost/serve.h>
#include <nncost/spec.h>

#include "base/derivation.h"
#include "metrics/metric.h"

/* A step that the user measured, beside the estimate. */
typedef struct nnc_own_step {
    double step_s, mfu;
    double predicted_over; /* the predicted time over the measured one */
    bool possible;         /* it is not below the lower bound */
} nnc_own_step;

/* Fewer measured steps say little: of three on, the median is no end of the list. */
enum { NNC_PAST_FEWEST = 3 };

/* Whose measured steps speak for an estimate: those of its device, or where they are too few those of
 * all devices, of its family under its profile. */
typedef enum nnc_past_of {
    NNC_PAST_NONE, /* not said: it is no prediction, or the profile was never compared */
    NNC_PAST_FEW,  /* on all devices fewer than NNC_PAST_FEWEST: neither error nor bias */
    NNC_PAST_DEVICE,
    NNC_PAST_ALL_DEVICES,
    NNC_PAST_COUNT
} nnc_past_of;
const char *nnc_past_name(unsigned of);

typedef struct nnc_past {
    nnc_past_of of;
    int64_t device_rows;  /* measured steps of the device */
    int64_t rows, unseen; /* of whom `of` says */
    double error, bias;
} nnc_past;

typedef struct nnc_report {
    const char *model_asked, *device_asked; /* as given by the user: "a100", "my/device.json" */
    const char *overrides;                  /* "hidden=2048, ..."; NULL = none */
    const char *cluster;                    /* file of the links; NULL = the device file's */
    const nnc_model *model;
    const nnc_device *device;
    const nnc_software *software;
    bool software_chosen; /* by the plan, not asked for */
    const nnc_result *result;
    const nnc_op_cost *ops; /* NULL: leave the op list out */
    int32_t op_count;
    const nnc_stage *stages; /* NULL: only in comparisons */
    int32_t stage_count;
    nnc_scratch *scratch; /* of the estimate; NULL: it cannot be explained */
    const nnc_advice *advice;
    int advice_count;
    bool all_stages;               /* show a table of them */
    const nnc_interval *intervals; /* stage by stage, in the order of time; NULL: no timeline */
    int64_t interval_count;
    const nnc_sensitivity *sensitivity; /* NULL: not asked */
    int sensitivity_count;
    const nnc_run_ask *run_ask; /* NULL: a run is not asked for */
    const nnc_run *run;
    bool spot;                      /* the price is that of capacity that may be taken back */
    const nnc_region *region;       /* whose carbon intensity counts; NULL: none was named */
    const nnc_building *building;   /* whose PUE counts; NULL: none was named */
    const nnc_serve_ask *serve_ask; /* NULL: it is trained */
    const nnc_serve *serve;
    const struct nnc_images_ask *images_ask; /* NULL: it does not make images */
    const struct nnc_images *images;
    const nnc_serve_op *serve_ops;
    int32_t serve_op_count;
    nnc_past past;           /* earlier predictions beside measured steps */
    const nnc_own_step *own; /* NULL: none was given */
} nnc_report;

/* How near earlier predictions of the same family under the same profile came. */
nnc_past nnc_report_past(const nnc_report *report);

/* The price of the device file that the costs count; NULL if the plan gives one, or none is known. */
const nnc_price *nnc_report_price(const nnc_report *report);

/* Currency of the prices of a plan on a device: that of the device file, or else US dollars, which
 * --price is taken to be in too. */
const char *nnc_price_currency(const nnc_device *device);

/* The same of what a report costs; NULL if no price is known. */
const char *nnc_report_currency(const nnc_report *report);

/* What to do where issuing and launching ops takes the largest part of the step; NULL: it does not. */
const char *nnc_launch_advice(const nnc_result *result);

/* Rows of the vocabulary where tensor ranks have it padded; 0 = they do not. */
int64_t nnc_padded_rows(const nnc_report *report);

/* Price of a million tokens, or of a thousand samples where there are no tokens; NaN = unknown. */
double nnc_report_unit_cost(const nnc_result *result, nnc_derivation *why);

/* The verdict in one line, with its figures, into text; returns text. */
const char *nnc_report_sentence(const nnc_report *report, char text[NNC_METRIC_TEXT_MAX]);

/* What the fit says that long kernels hold: of the peak of the plan's precision, of the bandwidth. */
double nnc_report_sustained_flops_per_s(const nnc_report *report);
double nnc_report_sustained_bytes_per_s(const nnc_report *report);

/* A plan in one word: "dp8 tp4 sp pp2 zero1 mb2 recompute=norm+activation"; what is 1 or none is not said. */
char *nnc_plan_word(const nnc_plan *plan, char text[NNC_METRIC_TEXT_MAX]);

/* ---- what they say ---- */

/* Of an nnc_report: the sections of an estimate, and with the lists that are asked for all of it. */
extern const nnc_metrics nnc_estimate_metrics, nnc_estimate_document;
/* With the run that was asked for beside it. Of an nnc_run. */
extern const nnc_metrics nnc_estimate_run_metrics, nnc_run_metrics;

/* The metric of a full name in either, an estimate's first; NULL: there is none. */
const nnc_metric *nnc_figure_metric(const char *name);

/* Of an nnc_report that is served: all values, and with its ops. Of an nnc_serve_step and an nnc_serve_op. */
extern const nnc_metrics nnc_serve_metrics, nnc_serve_document, nnc_serve_step_metrics,
    nnc_serve_op_metrics;

/* Of an nnc_report that makes images. */
extern const nnc_metrics nnc_images_metrics;

/* Of an nnc_result. */
extern const nnc_metrics nnc_work_metrics, nnc_step_metrics, nnc_throughput_metrics;

/* Of an nnc_plan: all of it, and what a search chooses. Of an nnc_memory. */
extern const nnc_metrics nnc_plan_metrics, nnc_plan_choice_metrics, nnc_memory_metrics;

/* Of an nnc_op_cost, nnc_stage, nnc_interval and nnc_sensitivity that a report lists. */
extern const nnc_metrics nnc_op_metrics, nnc_stage_metrics, nnc_stage_time_metrics,
    nnc_interval_metrics, nnc_sensitivity_metrics;

#endif
