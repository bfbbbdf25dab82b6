/* SPDX-License-Identifier: Apache-2.0 */
/* Sweeps. A sweep estimates every combination of the values of its axes; the results of a sweep have one row for each
 * combination. */
#ifndef NNCOST_SWEEP_H
#define NNCOST_SWEEP_H

#include <nncost/cell.h>
#include <nncost/spec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A sweep. Add the axes first, then the columns and constraints; then call nnc_sweep_run. */
typedef struct nnc_sweep nnc_sweep;

/* Creates a sweep over models and devices, two lists of ids or paths that are joined by commas. software: a list of
 * software profiles; NULL = the default profile of each plan. cluster: a cluster file whose links replace the links of
 * every device; NULL = the links of each device file. The nnc_specs must live longer than the sweep. Errors: those of
 * nnc_model_load, nnc_device_load and nnc_software_load, NNC_BAD_USAGE; after an error *sweep is NULL. */
NNC_API nnc_status nnc_sweep_create(nnc_specs *specs, const char *models, const char *devices, const char *software,
                                    const char *cluster, nnc_sweep **sweep, nnc_error *err);
NNC_API void nnc_sweep_destroy(nnc_sweep *sweep);

/* Adds an axis to a sweep. name: a field of the plan, a model or a device, as it is named in files ("tensor",
 * "device.mem_bytes"). list: values of the axis, "2,4", "1..8", "1..64*2" or "0..1+0.25". The axis that was added last
 * varies fastest: its value changes from each row to the next. NNC_BAD_USAGE: unknown field, wrong value, an axis that
 * was added before, too many combinations. */
NNC_API nnc_status nnc_sweep_add(nnc_sweep *sweep, const char *name, const char *list, nnc_error *err);
/* Adds several axes whose values belong together by their position in the lists: "tensor=1,2,4;data=8,4,2" gives three
 * combinations, tensor 1 with data 8, tensor 2 with data 4, and tensor 4 with data 2. */
NNC_API nnc_status nnc_sweep_link(nnc_sweep *sweep, const char *axes, nnc_error *err);
/* Restricts a sweep to one part of its rows, so that several machines can share the sweep. `of` is the number of parts.
 * `number` selects one of these parts, from 1 to `of`. The rows are assigned to the parts in turn. */
NNC_API nnc_status nnc_sweep_part(nnc_sweep *sweep, int64_t number, int64_t of, nnc_error *err);

/* Makes a sweep keep the rows of plans that are illegal or do not fit in memory. If nnc_sweep_keep_all is not called, a
 * sweep drops the rows of plans that are illegal or do not fit in memory. */
NNC_API void nnc_sweep_keep_all(nnc_sweep *sweep);
/* Adds columns to the results of a sweep. `names` lists axes, fields, metrics and the words "row", "verdict", "reason"
 * and "command", joined by commas. A metric is given in `names` by its name in the output of 'estimate --format csv',
 * or by the last part of this name. If `names` is NULL, the function adds the axes with several values, and the main
 * metrics. */
NNC_API nnc_status nnc_sweep_columns(nnc_sweep *sweep, const char *names, nnc_error *err);
/* Makes a sweep keep only rows that fulfil a constraint, for example "tensor * pipeline <= 64 && mfu > 0.4". Several
 * calls add several constraints. A row is kept only if the row fulfils all constraints. */
NNC_API nnc_status nnc_sweep_where(nnc_sweep *sweep, const char *constraint, nnc_error *err);

NNC_API int nnc_sweep_column_count(const nnc_sweep *sweep);
/* Returns the name of a column of the results, for example "step.step_s"; valid as long as the sweep. */
NNC_API const char *nnc_sweep_column_name(const nnc_sweep *sweep, int column);
/* Writes to *rows the number of combinations that nnc_sweep_run will estimate (those of one part, if the sweep is
 * restricted to a part). */
NNC_API nnc_status nnc_sweep_size(nnc_sweep *sweep, int64_t *rows, nnc_error *err);

/* Numbers of combinations of a sweep, one number for each outcome. */
typedef struct nnc_sweep_tally {
    /* excluded: a constraint is not fulfilled; illegal: the plan breaks a rule; over_memory: the plan is legal, but
     * does not fit in memory; fitting: the plan is legal and fits in memory */
    int64_t excluded, illegal, over_memory, fitting;
} nnc_sweep_tally;

/* A function of the caller that receives each row which the sweep keeps: the number of the row, and one cell for each
 * column. The cells are valid until the caller's function returns. nnc_sweep_run calls this function in the thread in
 * which nnc_sweep_run itself runs, in the order of the rows. If the caller's function returns false, the sweep
 * stops. */
typedef bool nnc_sweep_row_fn(void *context, int64_t row, const nnc_cell *cells);

/* Runs a sweep with `threads` threads, 1 to 256. The rows and their order are the same with any number of threads, and
 * the memory that a sweep needs is the same for any number of rows. tally: gets the numbers of combinations for each
 * outcome; may be NULL. Errors: NNC_BAD_USAGE, NNC_NO_MEMORY. */
NNC_API nnc_status nnc_sweep_run(nnc_sweep *sweep, int threads, nnc_sweep_row_fn *row, void *context,
                                 nnc_sweep_tally *tally, nnc_error *err);

#ifdef __cplusplus
}
#endif

#endif
