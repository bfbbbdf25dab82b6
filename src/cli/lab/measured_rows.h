/* Rows of measured files as the options of the command line choose and change them. */
#ifndef NNCOST_CLI_LAB_MEASURED_ROWS_H
#define NNCOST_CLI_LAB_MEASURED_ROWS_H

#include "cli/command.h"
#include "lab/measured.h"
#include "record/scenario.h"

/* --only, --fold and --group: "not:2/5" leaves out the rows whose digest falls into the second of
 * five parts. */
typedef struct nnc_row_choice {
    const char *only;    /* in the id; NULL = any */
    int64_t part, parts; /* from 1; parts 0 = no --fold */
    bool others;
    unsigned together; /* flags of what is equal in a part; 0 = the id */
} nnc_row_choice;

/* Fails with NNC_BAD_USAGE. */
nnc_status nnc_row_choice_read(const nnc_options *options, nnc_row_choice *choice, nnc_error *err);

/* Keeps rows of one source and model together. */
void nnc_row_choice_by_model(nnc_row_choice *choice);

/* Does --only let the row pass, and is it in the part that --fold asks for? */
bool nnc_row_passes(const nnc_row_choice *choice, const nnc_measured *row);
bool nnc_row_in_fold(const nnc_row_choice *choice, const nnc_measured *row);

/* NNC_BAD_USAGE: --only lets no row pass. */
nnc_status nnc_row_choice_check(const nnc_row_choice *choice, const nnc_measured_file *files,
                                int32_t count, nnc_error *err);

/* Equal for rows that parts keep together. */
uint64_t nnc_row_digest(const nnc_row_choice *choice, const nnc_measured *row);

/* Loads the device that a row names into the scenario; *id is that of its file. */
nnc_status nnc_row_load_device(nnc_specs *specs, const nnc_measured *row, nnc_scenario *scenario,
                               const char **id, nnc_error *err);
/* The rest of what the row says; a kernel gets a model to check --set model.X with. The device is
 * there already, and nnc_scenario_apply lets the options change what the row says. */
nnc_status nnc_row_load(nnc_specs *specs, const nnc_options *options, const nnc_measured *row,
                        nnc_scenario *scenario, nnc_error *err);

/* Loads the files that the operands name, into the arena. */
nnc_status nnc_rows_read(nnc_session *session, nnc_arena *arena, nnc_measured_file **files,
                         int32_t *count, nnc_error *err);

#endif
