/* The parts that the commands accuracy and calibrate share, and their documents for the schema. */
#ifndef NNCOST_CLI_LAB_H
#define NNCOST_CLI_LAB_H

#include "cli/cli_internal.h"
#include "lab/lab_internal.h"
#include "metrics/metrics_internal.h"
#include "render/render_internal.h"
#include "scenario/scenario_internal.h"

/* Views that write the result of accuracy (an nnc_accuracy_report) and of calibrate (an nnc_calibration_report). */
extern const nnc_view nnc_accuracy_view, nnc_calibration_view;

/* ---- measured_rows.c: the rows that the command line chooses ---- */

/* The rows that --only, --fold and --group choose. "--fold not:2/5" leaves out the rows whose digest is in the second
 * of five parts. */
typedef struct nnc_row_choice {
    const char *only;    /* text that the id contains; NULL = any id */
    int64_t part, parts; /* part: number of the chosen part of --fold, from 1; parts: number of parts, 0 = no --fold */
    bool others;
    unsigned together; /* flags of the row values that decide the part of --fold: rows with equal values are in one
                        * part; 0 = the id of a row decides */
} nnc_row_choice;

/* Reads --only, --fold and --group. Fails with NNC_BAD_USAGE. */
nnc_status nnc_row_choice_read(const nnc_options *options, nnc_row_choice *choice, nnc_error *err);

/* Changes the choice so that rows of the same source and model are in one part of --fold. */
void nnc_row_choice_by_model(nnc_row_choice *choice);

/* nnc_row_passes tests whether --only chooses a row, nnc_row_in_fold whether the row is in the part of --fold. */
bool nnc_row_passes(const nnc_row_choice *choice, const nnc_measured *row);
bool nnc_row_in_fold(const nnc_row_choice *choice, const nnc_measured *row);

/* Returns a digest of the values of a row that decide its part of --fold; rows with equal digests stay together. */
uint64_t nnc_row_digest(const nnc_row_choice *choice, const nnc_measured *row);

/* Loads the files that the operands name into the arena. NNC_BAD_USAGE: --only chooses no row. */
nnc_status nnc_rows_read(nnc_session *session, const nnc_row_choice *choice, nnc_arena *arena,
                         nnc_measured_file **files, int32_t *count, nnc_error *err);

/* Loads the device that a row names into the scenario; *id is the id of its file. */
nnc_status nnc_row_load_device(nnc_specs *specs, const nnc_measured *row, nnc_scenario *scenario, const char **id,
                               nnc_error *err);
/* Loads model, plan, software profile and other fields of a row; the device must already be loaded. A row of a kernel
 * also gets a model, so that --set model.X can be checked. Call nnc_scenario_apply after it, so that options can change
 * the row. */
nnc_status nnc_row_load(nnc_specs *specs, const nnc_options *options, const nnc_measured *row, nnc_scenario *scenario,
                        nnc_error *err);

/* Levels of knowledge about the software of a row that predictions use (--level). */
#define NNC_LEVEL_LIST(X)                                                                                             \
    X(NNC_LEVEL_MATCHED, "matched", "The release of the row's framework, as --software names it.")                    \
    X(NNC_LEVEL_PLAN, "plan", "The plan settings of the release, with the profile that nncost chooses for the plan.") \
    X(NNC_LEVEL_USER, "user", "Only the row itself, as in an estimate without --software.")
NNC_ENUM(nnc_level, NNC_LEVEL_LIST, NNC_LEVEL_COUNT);
const char *nnc_level_name(nnc_level value);

/* Rows that were left out, counted by file and by reason. */
typedef struct nnc_left_out {
    const char *file, *reason, *first; /* first: id of the first row left out for this reason */
    int32_t rows;
} nnc_left_out;

/* Counts a row that is left out; `list` needs space for one entry per row. */
void nnc_left_out_add(nnc_left_out *list, int32_t *count, const nnc_measured *row, const char *reason);

/* Turns the error of a row into a reason to leave it out, in the arena. An error of the machine (memory, files) ends
 * the command; *reason is then NULL. */
nnc_status nnc_left_out_reason(nnc_arena *arena, const nnc_error *why, const char **reason, nnc_error *err);

/* Metrics of an nnc_left_out: file, number of rows, reason, first row. */
extern const nnc_metrics nnc_left_out_metrics;

#endif
