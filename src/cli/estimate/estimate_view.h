/* An estimate as text, Markdown, JSON or CSV. Everything is written to a stream that the caller
 * owns; write errors stay in the stream for the caller to find with ferror(). */
#ifndef NNCOST_CLI_ESTIMATE_ESTIMATE_VIEW_H
#define NNCOST_CLI_ESTIMATE_ESTIMATE_VIEW_H

#include "metrics/report.h"
#include "render/style.h"

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

#endif
