/* An estimate, and its ops. */
#ifndef NNCOST_CLI_ESTIMATE_ESTIMATE_VIEW_H
#define NNCOST_CLI_ESTIMATE_ESTIMATE_VIEW_H

#include "metrics/report.h"
#include "render/format.h"

/* Of an nnc_report. */
extern const nnc_view nnc_op_view;
extern const nnc_view nnc_estimate_view;

/* The intervals as a trace for chrome://tracing and Perfetto: a thread per stage, arrows between them, the
 * passes in flight, and the ops of a step. */
void nnc_report_trace(nnc_buffer *out, const nnc_report *report);

#define NNC_SORT_LIST(X)       \
    X(NNC_SORT_ORDER, "order") \
    X(NNC_SORT_TIME, "time")   \
    X(NNC_SORT_FLOPS, "flops") \
    X(NNC_SORT_BYTES, "bytes")
NNC_ENUM(nnc_ops_sort, NNC_SORT_LIST, NNC_SORT_COUNT);
const char *nnc_ops_sort_name(nnc_ops_sort value);

#define NNC_BY_LIST(X)                                           \
    X(NNC_BY_ROW, "row")     /* every op and phase on its own */ \
    X(NNC_BY_OP, "op")       /* all phases of an op */           \
    X(NNC_BY_GROUP, "group") /* attention, mlp, ... */           \
    X(NNC_BY_PHASE, "phase")
NNC_ENUM(nnc_ops_by, NNC_BY_LIST, NNC_BY_COUNT);
const char *nnc_ops_by_name(nnc_ops_by value);
typedef struct nnc_ops_view {
    nnc_ops_sort sort;
    nnc_ops_by by;
    int32_t top; /* rows to show, 0 = all */
    bool bare;   /* the table alone */
} nnc_ops_view;

/* What `ops` writes, whatever its rows are. */
extern const nnc_view nnc_ops_output;

/* NNC_NO_MEMORY, or NNC_OK. */
nnc_status nnc_report_ops(nnc_buffer *out, nnc_style style, const nnc_report *report,
                          nnc_ops_view view);

#endif
