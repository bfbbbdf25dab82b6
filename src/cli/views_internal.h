/* Commands with their views: estimate, ops, op, search, scale, serve, run, budget, check, diff, report.
 *
 * Each command has a file, cmd_NAME.c: it loads the operands, computes, and writes the result with an nnc_view. The
 * page of a view consists of rows (label, text with metrics in braces, ink, condition), see nnc_page_row. Only
 * sentences that depend on several metrics are code. This header has the functions that these files share, and the
 * views that docs.c lists. */
#ifndef NNCOST_CLI_VIEWS_INTERNAL_H
#define NNCOST_CLI_VIEWS_INTERNAL_H

#include "metrics/metrics_internal.h"
#include "record/record_internal.h"
#include "render/render_internal.h"
#include "scenario/scenario_internal.h"
#include "search/search_internal.h"

typedef struct nnc_session nnc_session;
typedef struct nnc_options nnc_options;

/* ---- views: the comment names the type of the record; private = a type of the command's file ---- */

extern const nnc_view nnc_estimate_view; /* nnc_report */
extern const nnc_view nnc_checkpoint_view;
extern const nnc_view nnc_op_view, nnc_budget_view, nnc_trace_view, nnc_watch_view; /* private */
extern const nnc_view nnc_ops_output;                                               /* private; see nnc_report_ops */
extern const nnc_view nnc_run_view, nnc_bare_run_view; /* nnc_report with a run; bare: its result is NULL */
extern const nnc_view nnc_search_output;               /* nnc_search_report */
extern const nnc_view nnc_choices_view, nnc_scale_view, nnc_fit_view, nnc_limit_view; /* private */
extern const nnc_view nnc_serve_view, nnc_serve_ops_view; /* nnc_report with serve: the answer; its ops */
extern const nnc_view nnc_images_view;                    /* nnc_report with images */
extern const nnc_view nnc_serve_sweep_view, nnc_images_sweep_view, nnc_serve_search_view; /* private */
extern const nnc_view nnc_check_output, nnc_diff_output;                                  /* nnc_check_report */

/* ---- cmd_estimate.c: parts of its page that `run` shows as well ---- */

/* Writes the step, the range of measurements, and the errors of earlier predictions of the same kind. */
void nnc_step_write(nnc_sheet *sheet, const nnc_report *report);
/* Writes a line with this label: whether the plan fits, is tight or does not fit, and the smallest changes that make
 * it fit. */
void nnc_fit_write(nnc_sheet *sheet, const char *label, const nnc_report *report);

/* ---- cmd_advise.c ---- */

extern const nnc_view nnc_advise_view; /* private */

/* ---- timeline_page.c ---- */

/* --timeline: writes one bar of letters per stage, and its first and last passes. */
void nnc_timeline_write(nnc_buffer *out, nnc_style style, const nnc_report *report);
/* --trace: writes the timeline as a trace for chrome://tracing and Perfetto, with a thread per stage, arrows between
 * stages, the passes in flight, and the ops of a step. */
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
    bool bare;   /* only the table, without the subject above it */
} nnc_ops_view;

/* Writes the ops of an estimate. Returns NNC_OK or NNC_NO_MEMORY. */
nnc_status nnc_report_ops(nnc_buffer *out, nnc_style style, const nnc_report *report, nnc_ops_view view);

/* ---- cmd_search.c: functions for searches over devices and over numbers of devices ---- */

/* Finds the batch of the options. If they give none, adds an option with a batch that such models are usually
 * trained with, and sets *chosen. A plan file has its own batch; *global_batch is then 0. */
nnc_status nnc_batch_choose(nnc_session *session, const char *model_asked, nnc_arena *arena, int64_t *global_batch,
                            bool *chosen, nnc_error *err);

#define NNC_BATCH_CHOSEN " (chosen: about 4 million tokens)"

/* The best plan on a device, or on a number of devices. */
typedef struct nnc_best {
    nnc_found found;          /* its numbers are NaN when no plan was found */
    const nnc_result *result; /* estimate of the plan, whose rows are not valid; NULL = no plan was found */
    const char *software;     /* NULL = no plan was found */
    const char *reason;       /* why no plan was found, set by the caller; NULL = a plan was found */
    const char *currency;
    double cost; /* cost of the run; if its length is not known, cost of a step */
} nnc_best;

/* Fills *best, and estimates the plan into the arena. found NULL = no plan was found. Strings belong to the report. */
nnc_status nnc_best_fill(const nnc_session *session, const nnc_search_report *report, const nnc_found *found,
                         nnc_scratch *scratch, nnc_arena *arena, nnc_best *best, nnc_error *err);

/* Getters for rows that begin with an nnc_best: "16", "1.23 GB", "dp8 tp2 mb1", "12.3 USD". */
nnc_metric_get nnc_best_devices, nnc_best_memory, nnc_best_plan, nnc_best_cost;
/* Writes the command that estimates the plan, on a line. */
void nnc_best_command(nnc_buffer *out, const nnc_best *best);

/* Writes plans as a table. sizes: the plans have different numbers of devices, which the table shows. The cost of a
 * run or a step is shown if numbers of devices differ, or if the length of the run is known. currency: currency of
 * the prices. */
void nnc_found_write(nnc_buffer *out, nnc_style style, const nnc_found *list, int32_t count, const char *currency,
                     bool sizes);

/* Writes a search. */
void nnc_report_search(nnc_buffer *out, nnc_style style, const nnc_search_report *report);

/* ---- device_ranking.c: search MODEL DEVICE,DEVICE ... ---- */

/* Do the operands name several devices? */
bool nnc_device_ranking_asked(const nnc_options *options);
/* Searches the best plan on each device, and ranks the devices. */
nnc_status nnc_device_ranking_run(nnc_session *session, nnc_error *err);

/* ---- cmd_serve.c ---- */

/* Loads the operands: a model and a device; or the --scenario of a plan file and a device, where device NULL means
 * the device of the scenario. Then calls `write` with a scratch and an arena. nnc_serve_report computes the
 * deployment first, and sets the exit code to 1 if the requests do not fit or arrive too fast. */
typedef nnc_status nnc_serve_writer(nnc_session *session, nnc_serve_scenario *scenario, nnc_scratch *scratch,
                                    nnc_arena *arena, nnc_error *err);
nnc_status nnc_serve_with(nnc_session *session, const char *model, const char *device, nnc_serve_writer *write,
                          nnc_error *err);
nnc_status nnc_serve_report(nnc_session *session, const char *model, const char *device, nnc_serve_writer *write,
                            nnc_error *err);

/* ---- cmd_check.c ---- */

/* Values of --format for this command: those of every command, and two for programs that run checks. */
extern const nnc_format nnc_format_junit, nnc_format_github;
enum { NNC_CHECK_FORMAT_COUNT = NNC_FORMAT_COUNT + 2 };
const nnc_format *nnc_check_format_at(unsigned index);
const char *nnc_check_format_name(unsigned index); /* "?" past the last */

/* Writes at most `most` changes as a table. */
void nnc_changes_write(nnc_buffer *out, nnc_style style, const nnc_check_row *row, int32_t most, const char *old_head,
                       const char *now_head);

/* ---- cmd_init.c: scenarios of plan files ---- */

/* nnc_scenario_field writes a field of an object, in SI units. nnc_scenario_sets writes the --set options, if there
 * are any. */
void nnc_scenario_field(nnc_record *record, const nnc_field *field, const void *object);
void nnc_scenario_sets(nnc_record *record, const nnc_scenario_args *given);

/* ---- cmd_run.c: lines of a run on other pages ---- */

/* Writes lines about the input of a run, if options describe it. */
void nnc_run_input_lines(nnc_buffer *out, nnc_style style, const nnc_run *run);
/* Writes all lines of a run. */
void nnc_run_lines(nnc_buffer *out, nnc_style style, const nnc_report *report);

#endif
