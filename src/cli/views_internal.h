/* Commands with their views: estimate, ops, op, search, scale, serve, run, budget, check, diff, report.
 *
 * One file per command, cmd_NAME.c: it loads what the operands name, computes, and writes the result through an
 * nnc_view. A view's page is rows of (label, text with metrics in braces, ink, condition), see nnc_page_row; only
 * sentences that depend on more than a metric are code. This header has what the files offer each other and the
 * tables of outputs (docs.c). */
#ifndef NNCOST_CLI_VIEWS_INTERNAL_H
#define NNCOST_CLI_VIEWS_INTERNAL_H

#include "metrics/metrics_internal.h"
#include "record/record_internal.h"
#include "render/render_internal.h"
#include "scenario/scenario_internal.h"
#include "search/search_internal.h"

typedef struct nnc_session nnc_session;
typedef struct nnc_options nnc_options;

/* ---- views: the record that each is of ---- */

extern const nnc_view nnc_estimate_view; /* nnc_report */
extern const nnc_view nnc_checkpoint_view;
extern const nnc_view nnc_op_view, nnc_budget_view, nnc_trace_view,
    nnc_watch_view;                                    /* an answer, private to the command */
extern const nnc_view nnc_ops_output;                  /* private; see nnc_report_ops */
extern const nnc_view nnc_run_view, nnc_bare_run_view; /* views of an nnc_report with a run; bare: result is
                                          * NULL */
extern const nnc_view nnc_search_output;               /* nnc_search_report */
extern const nnc_view nnc_choices_view, nnc_scale_view, nnc_fit_view, nnc_limit_view; /* private */
extern const nnc_view nnc_serve_view, nnc_serve_ops_view; /* views of an nnc_report with serve: the answer; its ops */
extern const nnc_view nnc_images_view;                    /* view of an nnc_report with images */
extern const nnc_view nnc_serve_sweep_view, nnc_images_sweep_view, nnc_serve_search_view; /* private */
extern const nnc_view nnc_check_output, nnc_diff_output;                                  /* nnc_check_report */

/* ---- cmd_estimate.c: parts of its page that `run` shows, too ---- */

/* The step, its range of measurements, and the errors of earlier predictions of the same kind. */
void nnc_step_write(nnc_sheet *sheet, const nnc_report *report);
/* In a line of this label: fits, is tight or does not fit, and the smallest changes that would fit. */
void nnc_fit_write(nnc_sheet *sheet, const char *label, const nnc_report *report);

/* ---- cmd_advise.c ---- */

extern const nnc_view nnc_advise_view; /* private */

/* ---- timeline_page.c ---- */

/* --timeline: one bar of letters per stage, and its first and last passes. */
void nnc_timeline_write(nnc_buffer *out, nnc_style style, const nnc_report *report);
/* --trace: the same as a trace for chrome://tracing and Perfetto: a thread per stage, arrows between them, the
 * passes in flight, and the ops of a step. */
void nnc_report_trace(nnc_buffer *out, const nnc_report *report);

/* ---- cmd_ops.c ---- */

#define NNC_SORT_LIST(X)       \
    X(NNC_SORT_ORDER, "order") \
    X(NNC_SORT_TIME, "time")   \
    X(NNC_SORT_FLOPS, "flops") \
    X(NNC_SORT_BYTES, "bytes")
NNC_ENUM(nnc_ops_sort, NNC_SORT_LIST, NNC_SORT_COUNT);
const char *nnc_ops_sort_name(nnc_ops_sort value);

#define NNC_BY_LIST(X)                                                   \
    X(NNC_BY_ROW, "row")     /* each op and phase in a row of its own */ \
    X(NNC_BY_OP, "op")       /* all phases of an op */                   \
    X(NNC_BY_GROUP, "group") /* attention, mlp, ... */                   \
    X(NNC_BY_PHASE, "phase")
NNC_ENUM(nnc_ops_by, NNC_BY_LIST, NNC_BY_COUNT);
const char *nnc_ops_by_name(nnc_ops_by value);

typedef struct nnc_ops_view {
    nnc_ops_sort sort;
    nnc_ops_by by;
    int32_t top; /* rows to show, 0 = all */
    bool bare;   /* the table without the subject above it */
} nnc_ops_view;

/* Writes the ops of an estimate. NNC_NO_MEMORY, or NNC_OK. */
nnc_status nnc_report_ops(nnc_buffer *out, nnc_style style, const nnc_report *report, nnc_ops_view view);

/* ---- cmd_search.c: what searches over devices and over sizes share ---- */

/* The batch of the options. Where they give none, it adds one that such models are trained with as an option and
 * sets *chosen. A plan file has its own batch: then *global_batch is 0. */
nnc_status nnc_batch_choose(nnc_session *session, const char *model_asked, nnc_arena *arena, int64_t *global_batch,
                            bool *chosen, nnc_error *err);

#define NNC_BATCH_CHOSEN " (chosen: about 4 million tokens)"

/* The best plan on a device, or of a size. */
typedef struct nnc_best {
    nnc_found found;          /* numbers are NaN when no plan was found */
    const nnc_result *result; /* estimate of the plan; NULL = no plan was found. Its rows are not
                               * valid */
    const char *software;     /* NULL = no plan was found */
    const char *reason;       /* why no plan was found, set by the caller; NULL = one was */
    const char *currency;
    double cost; /* cost of the run; cost of a step when the run's length is not known */
} nnc_best;

/* Fills it, and estimates the plan into the arena. found: NULL = no plan was found. Texts are the report's. */
nnc_status nnc_best_fill(const nnc_session *session, const nnc_search_report *report, const nnc_found *found,
                         nnc_scratch *scratch, nnc_arena *arena, nnc_best *best, nnc_error *err);

/* Getters of rows that begin with an nnc_best: "16", "1.23 GB", "dp8 tp2 mb1", "12.3 USD". */
nnc_metric_get nnc_best_devices, nnc_best_memory, nnc_best_plan, nnc_best_cost;
/* The command that estimates the plan, on a line. */
void nnc_best_command(nnc_buffer *out, const nnc_best *best);

/* Writes plans as a table. sizes: they are for different numbers of devices, which are shown. The cost of a run or a
 * step is shown where the sizes differ, or the length of the run is known. currency: of the prices. */
void nnc_found_write(nnc_buffer *out, nnc_style style, const nnc_found *list, int32_t count, const char *currency,
                     bool sizes);

/* Writes a search. */
void nnc_report_search(nnc_buffer *out, nnc_style style, const nnc_search_report *report);

/* ---- device_ranking.c: search MODEL DEVICE,DEVICE ... ---- */

/* Are there several devices? */
bool nnc_device_ranking_asked(const nnc_options *options);
/* Searches the best plan on each device and ranks the devices. */
nnc_status nnc_device_ranking_run(nnc_session *session, nnc_error *err);

/* ---- cmd_serve.c ---- */

/* Loads what the operands name (a model and a device, or a plan file, whose --scenario is taken, and a device in
 * place of its own; NULL = its own), and hands it to write with a scratch and an arena. nnc_serve_report answers it
 * first: it sets the exit code to 1 when the requests do not fit or come too fast. */
typedef nnc_status nnc_serve_writer(nnc_session *session, nnc_serve_scenario *scenario, nnc_scratch *scratch,
                                    nnc_arena *arena, nnc_error *err);
nnc_status nnc_serve_with(nnc_session *session, const char *model, const char *device, nnc_serve_writer *write,
                          nnc_error *err);
nnc_status nnc_serve_report(nnc_session *session, const char *model, const char *device, nnc_serve_writer *write,
                            nnc_error *err);

/* ---- cmd_check.c ---- */

/* The values of --format in this command: the values of every command, and two for programs that run checks. */
extern const nnc_format nnc_format_junit, nnc_format_github;
enum { NNC_CHECK_FORMAT_COUNT = NNC_FORMAT_COUNT + 2 };
const nnc_format *nnc_check_format_at(unsigned index);
const char *nnc_check_format_name(unsigned index); /* "?" past the last */

/* At most `most` changes as a table. */
void nnc_changes_write(nnc_buffer *out, nnc_style style, const nnc_check_row *row, int32_t most, const char *old_head,
                       const char *now_head);

/* ---- cmd_init.c: scenarios of plan files ---- */

/* A field of an object, in SI units; and the --set options, if any. */
void nnc_scenario_field(nnc_record *record, const nnc_field *field, const void *object);
void nnc_scenario_sets(nnc_record *record, const nnc_scenario_args *given);

/* ---- cmd_run.c: lines of a run on other pages ---- */

/* Lines about its input, when options describe it. */
void nnc_run_input_lines(nnc_buffer *out, nnc_style style, const nnc_run *run);
/* All of it. */
void nnc_run_lines(nnc_buffer *out, nnc_style style, const nnc_report *report);

#endif
