/* SPDX-License-Identifier: Apache-2.0 */
/* A sweep: one estimate per combination of lists of values, one row each. */
#ifndef NNCOST_SWEEP_H
#define NNCOST_SWEEP_H

#include <nncost/cell.h>
#include <nncost/spec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A sweep. Add axes first, then columns and constraints, then call nnc_sweep_run. */
typedef struct nnc_sweep nnc_sweep;

/* Creates a sweep over models and devices (ids or paths joined by commas). software: profiles in the same
 * way; NULL = the default. cluster: a file of links for every device; NULL = their own. specs must outlive
 * the sweep. Errors: those of nnc_model_load etc., NNC_BAD_USAGE; *sweep is then NULL. */
NNC_API nnc_status nnc_sweep_create(nnc_specs *specs, const char *models, const char *devices, const char *software,
                                    const char *cluster, nnc_sweep **sweep, nnc_error *err);
NNC_API void nnc_sweep_destroy(nnc_sweep *sweep);

/* Adds an axis: a field of the plan, a model or a device by its name in the files ("tensor",
 * "device.mem_bytes"), and its values: "2,4", "1..8", "1..64*2", "0..1+0.25". The last axis varies fastest.
 * NNC_BAD_USAGE: unknown field, bad value, an axis given twice, too many combinations. */
NNC_API nnc_status nnc_sweep_add(nnc_sweep *sweep, const char *name, const char *list, nnc_error *err);
/* Axes that move together: "tensor=1,2,4;data=8,4,2". */
NNC_API nnc_status nnc_sweep_link(nnc_sweep *sweep, const char *axes, nnc_error *err);
/* Restricts the sweep to part `number` (from 1) of `of`: every of-th row. */
NNC_API nnc_status nnc_sweep_part(nnc_sweep *sweep, int64_t number, int64_t of, nnc_error *err);

/* Also keeps rows of plans that are illegal or do not fit. */
NNC_API void nnc_sweep_keep_all(nnc_sweep *sweep);
/* Adds columns: names joined by commas, of axes, fields, metrics (as in 'estimate --format csv', or their
 * last part), "row", "verdict", "reason", "command". NULL: axes with several values and the main metrics. */
NNC_API nnc_status nnc_sweep_columns(nnc_sweep *sweep, const char *names, nnc_error *err);
/* Keeps only rows with "tensor * pipeline <= 64 && mfu > 0.4"; further calls add constraints. */
NNC_API nnc_status nnc_sweep_where(nnc_sweep *sweep, const char *constraint, nnc_error *err);

NNC_API int nnc_sweep_column_count(const nnc_sweep *sweep);
/* "step.step_s"; static storage of the sweep. */
NNC_API const char *nnc_sweep_column_name(const nnc_sweep *sweep, int column);
/* Number of combinations, of the part that was chosen. */
NNC_API nnc_status nnc_sweep_size(nnc_sweep *sweep, int64_t *rows, nnc_error *err);

/* Number of combinations by outcome. */
typedef struct nnc_sweep_tally {
    int64_t excluded, illegal, over_memory, fitting; /* excluded: by a constraint */
} nnc_sweep_tally;

/* Receives a kept row: its number, and one cell per column, valid until it returns. Called in the order of
 * rows by the thread that runs the sweep; return false to stop. */
typedef bool nnc_sweep_row_fn(void *context, int64_t row, const nnc_cell *cells);

/* Computes the rows with 1 to 256 threads; rows and their order do not depend on the number. Memory use is
 * constant. tally may be NULL. Errors: NNC_BAD_USAGE, NNC_NO_MEMORY. */
NNC_API nnc_status nnc_sweep_run(nnc_sweep *sweep, int threads, nnc_sweep_row_fn *row, void *context,
                                 nnc_sweep_tally *tally, nnc_error *err);

#ifdef __cplusplus
}
#endif

#endif
