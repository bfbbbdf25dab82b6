/* SPDX-License-Identifier: Apache-2.0 */
/* A sweep estimates every combination of the values on its axes; each combination is one row of results. */
#ifndef NNCOST_SWEEP_H
#define NNCOST_SWEEP_H

#include <nncost/cell.h>
#include <nncost/spec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A sweep. Add axes first, then columns and constraints, then call nnc_sweep_run. */
typedef struct nnc_sweep nnc_sweep;

/* Creates a sweep over models and devices (ids or paths joined by commas). software: profiles, joined by commas too;
 * NULL = the default profiles. cluster: a cluster file with the links of every device; NULL = each device's own links.
 * specs must outlive the sweep. Errors: the errors of nnc_model_load etc., NNC_BAD_USAGE; *sweep is then NULL. */
NNC_API nnc_status nnc_sweep_create(nnc_specs *specs, const char *models, const char *devices, const char *software,
                                    const char *cluster, nnc_sweep **sweep, nnc_error *err);
NNC_API void nnc_sweep_destroy(nnc_sweep *sweep);

/* Adds an axis. name: a field of the plan, a model or a device, as in the files ("tensor", "device.mem_bytes"). list:
 * its values, "2,4", "1..8", "1..64*2" or "0..1+0.25". The last axis varies fastest. NNC_BAD_USAGE: unknown field, bad
 * value, an axis that is given twice, too many combinations. */
NNC_API nnc_status nnc_sweep_add(nnc_sweep *sweep, const char *name, const char *list, nnc_error *err);
/* Adds axes whose values change together: "tensor=1,2,4;data=8,4,2". */
NNC_API nnc_status nnc_sweep_link(nnc_sweep *sweep, const char *axes, nnc_error *err);
/* Restricts the sweep to part `number` (from 1) of `of` parts. Each part has every `of`-th row. */
NNC_API nnc_status nnc_sweep_part(nnc_sweep *sweep, int64_t number, int64_t of, nnc_error *err);

/* Makes the sweep also keep rows whose plans are illegal or do not fit. */
NNC_API void nnc_sweep_keep_all(nnc_sweep *sweep);
/* Adds columns. names: axes, fields, metrics (named as in 'estimate --format csv', or by their last part), "row",
 * "verdict", "reason", "command", joined by commas. NULL: axes with several values, and the main metrics. */
NNC_API nnc_status nnc_sweep_columns(nnc_sweep *sweep, const char *names, nnc_error *err);
/* Keeps only rows that meet a constraint: "tensor * pipeline <= 64 && mfu > 0.4". Further calls add constraints. */
NNC_API nnc_status nnc_sweep_where(nnc_sweep *sweep, const char *constraint, nnc_error *err);

NNC_API int nnc_sweep_column_count(const nnc_sweep *sweep);
/* Returns the name of a column, "step.step_s". It is valid as long as the sweep. */
NNC_API const char *nnc_sweep_column_name(const nnc_sweep *sweep, int column);
/* Writes the number of combinations in the chosen part to *rows. */
NNC_API nnc_status nnc_sweep_size(nnc_sweep *sweep, int64_t *rows, nnc_error *err);

/* Numbers of combinations of a sweep, by outcome. */
typedef struct nnc_sweep_tally {
    int64_t excluded, illegal, over_memory, fitting; /* numbers of combinations: excluded by a constraint, illegal,
                                                      * legal without fitting in memory (over_memory), legal and
                                                      * fitting */
} nnc_sweep_tally;

/* Receives one kept row: its number, and one cell per column, valid until the function returns. The thread that runs
 * the sweep calls the function in the order of rows. Return false to stop. */
typedef bool nnc_sweep_row_fn(void *context, int64_t row, const nnc_cell *cells);

/* Runs a sweep with 1 to 256 threads. Rows and their order do not depend on the number of threads; memory use is
 * constant. tally may be NULL. Errors: NNC_BAD_USAGE, NNC_NO_MEMORY. */
NNC_API nnc_status nnc_sweep_run(nnc_sweep *sweep, int threads, nnc_sweep_row_fn *row, void *context,
                                 nnc_sweep_tally *tally, nnc_error *err);

#ifdef __cplusplus
}
#endif

#endif
