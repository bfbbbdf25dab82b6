/* An estimate as text, Markdown, JSON or CSV. Everything is written to a stream that the caller
 * owns; write errors stay in the stream for the caller to find with ferror(). */
#ifndef NNCOST_REPORT_REPORT_H
#define NNCOST_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include <nncost/sensitivity.h>

typedef enum nnc_format {
    NNC_FORMAT_TABLE,
    NNC_FORMAT_JSON,
    NNC_FORMAT_CSV,
    NNC_FORMAT_MARKDOWN,
    NNC_FORMAT_COUNT
} nnc_format;

extern const char *const nnc_format_names[NNC_FORMAT_COUNT];

/* How to write. width and colour only matter to NNC_FORMAT_TABLE. */
typedef struct nnc_style {
    nnc_format format;
    int width; /* columns of the terminal */
    bool colour;
} nnc_style;

/* One estimate and what it was made from. */
typedef struct nnc_report {
    const char *model_asked, *device_asked; /* as given by the user: "a100", "my/device.json" */
    const char *overrides;                  /* "hidden=2048, ..."; NULL = none */
    const char *cluster;                    /* file of the links; NULL = the device file's */
    const nnc_model *model;
    const nnc_device *device;
    const nnc_software *software;
    const nnc_result *result;
    const nnc_op_cost *ops; /* NULL: leave the op list out */
    int32_t op_count;
    const nnc_stage *stages; /* NULL: only in comparisons */
    int32_t stage_count;
    const nnc_scratch *scratch; /* of the estimate; NULL: exchanges cannot be explained */
    const nnc_advice *advice;
    int advice_count;
    bool all_stages;               /* show a table of them */
    const nnc_interval *intervals; /* stage by stage, in the order of time; NULL: no timeline */
    int64_t interval_count;
    const nnc_sensitivity *sensitivity; /* NULL: not asked */
    int sensitivity_count;
} nnc_report;

/* The functions below return NNC_OK or NNC_NO_MEMORY. */

nnc_status nnc_report_estimate(FILE *out, nnc_style style, const nnc_report *report);

/* The intervals as a trace for chrome://tracing and Perfetto: a thread per stage, microseconds. */
void nnc_report_trace(FILE *out, const nnc_report *report);

typedef enum nnc_ops_sort {
    NNC_SORT_ORDER,
    NNC_SORT_TIME,
    NNC_SORT_FLOPS,
    NNC_SORT_BYTES,
    NNC_SORT_COUNT
} nnc_ops_sort;

typedef enum nnc_ops_by {
    NNC_BY_ROW,   /* every op and phase on its own */
    NNC_BY_OP,    /* all phases of an op */
    NNC_BY_GROUP, /* attention, mlp, ... */
    NNC_BY_PHASE,
    NNC_BY_COUNT
} nnc_ops_by;

extern const char *const nnc_ops_sort_names[NNC_SORT_COUNT];
extern const char *const nnc_ops_by_names[NNC_BY_COUNT];

typedef struct nnc_ops_view {
    nnc_ops_sort sort;
    nnc_ops_by by;
    int32_t top; /* rows to show, 0 = all */
} nnc_ops_view;

nnc_status nnc_report_ops(FILE *out, nnc_style style, const nnc_report *report, nnc_ops_view view);

/* varied[i] holds, for every one of the varied_count names, its value in row i. */
typedef struct nnc_comparison {
    const nnc_report *rows;
    int32_t row_count;
    const char *const *varied_names;
    const char *const *varied; /* row_count x varied_count */
    int32_t varied_count;
} nnc_comparison;

nnc_status nnc_report_comparison(FILE *out, nnc_style style, const nnc_comparison *comparison);

/* Writes the formula, source and numbers of a quantity ("mfu") or of an op ("attn.qkv").
 * NNC_BAD_USAGE for a name that is neither; err names the nearest. */
nnc_status nnc_report_explain(FILE *out, nnc_style style, const nnc_report *report,
                              const char *quantity, nnc_error *err);

/* The price of the device file that the costs count; NULL if the plan gives one, or none is known. */
const nnc_price *nnc_report_price(const nnc_report *report);

/* Price of a million tokens, or of a thousand samples where there are no tokens; NaN = unknown. */
double nnc_report_unit_cost(const nnc_result *result);

#endif
