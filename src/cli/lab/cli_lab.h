/* The commands accuracy and calibrate: what they share, and their documents for the schema. */
#ifndef NNCOST_CLI_LAB_H
#define NNCOST_CLI_LAB_H

#include "cli/cli_internal.h"
#include "lab/lab_internal.h"
#include "metrics/metrics_internal.h"
#include "render/render_internal.h"
#include "scenario/scenario_internal.h"

/* Pages and documents of an nnc_accuracy_report and of an nnc_calibration_report. */
extern const nnc_view nnc_accuracy_view, nnc_calibration_view;

/* ---- measured_rows.c: the rows that the command line chooses ---- */

/* --only, --fold and --group: "not:2/5" leaves out the rows whose digest falls into the second of
 * five parts. */
typedef struct nnc_row_choice {
    const char *only;    /* text in the id; NULL = any id */
    int64_t part, parts; /* part from 1; parts 0 = no --fold */
    bool others;
    unsigned together; /* flags of the values that rows of a part have in common; 0 = the id */
} nnc_row_choice;

/* Fails with NNC_BAD_USAGE. */
nnc_status nnc_row_choice_read(const nnc_options *options, nnc_row_choice *choice, nnc_error *err);

/* Keeps rows of one source and model together. */
void nnc_row_choice_by_model(nnc_row_choice *choice);

/* Does --only let the row pass, and is it in the part that --fold asks for? */
bool nnc_row_passes(const nnc_row_choice *choice, const nnc_measured *row);
bool nnc_row_in_fold(const nnc_row_choice *choice, const nnc_measured *row);

/* Equal for rows that parts keep together. */
uint64_t nnc_row_digest(const nnc_row_choice *choice, const nnc_measured *row);

/* Loads the files that the operands name, into the arena. NNC_BAD_USAGE: --only lets no row pass. */
nnc_status nnc_rows_read(nnc_session *session, const nnc_row_choice *choice, nnc_arena *arena,
                         nnc_measured_file **files, int32_t *count, nnc_error *err);

/* Loads the device that a row names into the scenario; *id is that of its file. */
nnc_status nnc_row_load_device(nnc_specs *specs, const nnc_measured *row, nnc_scenario *scenario, const char **id,
                               nnc_error *err);
/* The rest of what the row says; a kernel gets a model to check --set model.X with. The device is
 * there already, and nnc_scenario_apply lets the options change what the row says. */
nnc_status nnc_row_load(nnc_specs *specs, const nnc_options *options, const nnc_measured *row, nnc_scenario *scenario,
                        nnc_error *err);

/* Knowledge of the software of a row that predictions use (--level). */
#define NNC_LEVEL_LIST(X)                                                                        \
    X(NNC_LEVEL_MATCHED, "matched", "The release of its framework, as --software names it.")     \
    X(NNC_LEVEL_PLAN, "plan", "The plan settings of the release, with the profile of the plan.") \
    X(NNC_LEVEL_USER, "user", "The row alone, as an estimate without --software.")
NNC_ENUM(nnc_level, NNC_LEVEL_LIST, NNC_LEVEL_COUNT);
const char *nnc_level_name(nnc_level value);

/* Rows that were left out, counted by file and reason. */
typedef struct nnc_left_out {
    const char *file, *reason, *first; /* first: the id of one */
    int32_t rows;
} nnc_left_out;

/* Counts a row; the list has an element for each. */
void nnc_left_out_add(nnc_left_out *list, int32_t *count, const nnc_measured *row, const char *reason);

/* An error of a row becomes a reason to leave it out, in the arena; one of the machine ends the command: *reason
 * stays NULL. */
nnc_status nnc_left_out_reason(nnc_arena *arena, const nnc_error *why, const char **reason, nnc_error *err);

/* ---- next_measurement.c ---- */

enum { NNC_NEXT_MAX = 200 };

/* A parameter that the estimate of a model depends on, and its range. */
typedef struct nnc_next {
    char name[NNC_FIT_NAME];
    double low, high, low_step_s, high_step_s;
    double share;        /* |ln(low_step_s / high_step_s)| */
    int32_t rows;        /* that it was fitted on */
    const char *measure; /* rows that would narrow it */
} nnc_next;

/* Fills list, which holds NNC_NEXT_MAX, most important parameter first. model: as of an estimate; options of the plan
 * are the session's. */
nnc_status nnc_next_measurements(nnc_session *session, const nnc_fit *fit, const nnc_device *start, const char *device,
                                 const char *model, nnc_next *list, int32_t *count, nnc_error *err);

/* Metrics of a reason why rows cannot be predicted (nnc_left_out): count, file, reason, first row. */
extern const nnc_metrics nnc_left_out_metrics;

#endif
