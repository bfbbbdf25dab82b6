/* Functions that the commands accuracy and calibrate share, and the views of both commands, from which the JSON schema
 * is made. */
#ifndef NNCOST_CLI_LAB_H
#define NNCOST_CLI_LAB_H

#include "cli/cli_internal.h"
#include "lab/lab_internal.h"
#include "metrics/metrics_internal.h"
#include "render/render_internal.h"
#include "scenario/scenario_internal.h"

/* Views for the results of two commands: accuracy (an nnc_accuracy_report) and calibrate (an
 * nnc_calibration_report). */
extern const nnc_view nnc_accuracy_view, nnc_calibration_view;

/* ---- measured_rows.c: rows that options of the command line select ---- */

/* The selection of rows by --only, --fold and --group. --fold divides rows into parts by a digest; "--fold not:2/5"
 * selects all rows except those in the second of five parts. */
typedef struct nnc_row_choice {
    const char *only; /* text that the id of a selected row contains; NULL = no --only */
    /* part: number of the part that --fold selects, from 1; parts: number of parts; 0 = no --fold */
    int64_t part, parts;
    bool others;
    unsigned together; /* flags of the row values that decide the part of --fold: rows with equal values are in one
                        * part; 0 = the id of a row decides */
} nnc_row_choice;

/* Reads the options --only, --fold and --group. Fails with NNC_BAD_USAGE. */
nnc_status nnc_row_choice_read(const nnc_options *options, nnc_row_choice *choice, nnc_error *err);

/* Changes a selection so that --fold puts rows of the same source and model into the same part. */
void nnc_row_choice_by_model(nnc_row_choice *choice);

/* nnc_row_passes tests whether --only selects a row; nnc_row_in_fold tests whether --fold selects it. */
bool nnc_row_passes(const nnc_row_choice *choice, const nnc_measured *row);
bool nnc_row_in_fold(const nnc_row_choice *choice, const nnc_measured *row);

/* Returns the digest of a row, which decides in which part --fold puts the row. Rows with equal digests are in the same
 * part. */
uint64_t nnc_row_digest(const nnc_row_choice *choice, const nnc_measured *row);

/* Reads the files of measured rows that the operands name; the rows are allocated in the arena. NNC_BAD_USAGE: --only
 * selects no row. */
nnc_status nnc_rows_read(nnc_session *session, const nnc_row_choice *choice, nnc_arena *arena,
                         nnc_measured_file **files, int32_t *count, nnc_error *err);

/* Loads the device that a row names, and stores it in the scenario; *id gets the id of the device. */
nnc_status nnc_row_load_device(nnc_specs *specs, const nnc_measured *row, nnc_scenario *scenario, const char **id,
                               nnc_error *err);
/* Loads the model, plan and software profile of a row into the scenario, whose device must already be loaded. A row
 * that measures a single kernel gets a model too, so that --set model.X can be checked. Afterwards the caller calls
 * nnc_scenario_apply, so that options can change the scenario. */
nnc_status nnc_row_load(nnc_specs *specs, const nnc_options *options, const nnc_measured *row, nnc_scenario *scenario,
                        nnc_error *err);

/* The software that the prediction of a row may know (--level): release of the row's framework, settings of the
 * release, or only the row. */
#define NNC_LEVEL_LIST(X)                                                                                             \
    X(NNC_LEVEL_MATCHED, "matched", "The release of the row's framework, as --software names it.")                    \
    X(NNC_LEVEL_PLAN, "plan", "The plan settings of the release, with the profile that nncost chooses for the plan.") \
    X(NNC_LEVEL_USER, "user", "Only the row itself, as in an estimate without --software.")
NNC_ENUM(nnc_level, NNC_LEVEL_LIST, NNC_LEVEL_COUNT);
const char *nnc_level_name(nnc_level value);

/* Number of rows that were left out, for one file and one reason. */
typedef struct nnc_left_out {
    const char *file, *reason, *first; /* first: id of the first row of the file that was left out for this reason */
    int32_t rows;
} nnc_left_out;

/* Counts a row that is left out, with the reason. `list` must have space for one entry per row. */
void nnc_left_out_add(nnc_left_out *list, int32_t *count, const nnc_measured *row, const char *reason);

/* Turns the error `why` of a row into the text of a reason for leaving the row out; the text is allocated in the arena.
 * If the error comes from the machine (memory, files), returns the error, and *reason is NULL. */
nnc_status nnc_left_out_reason(nnc_arena *arena, const nnc_error *why, const char **reason, nnc_error *err);

/* Metrics of an nnc_left_out: file, number of rows, reason, id of the first row. */
extern const nnc_metrics nnc_left_out_metrics;

#endif
