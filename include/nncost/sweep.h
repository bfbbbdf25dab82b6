/* SPDX-License-Identifier: Apache-2.0 */
/* Sweeps. A sweep estimates every combination of the values of its axes; each combination is a row of the results. */
#ifndef NNCOST_SWEEP_H
#define NNCOST_SWEEP_H

#include <nncost/cell.h>
#include <nncost/spec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A sweep. Add axes first, then columns and constraints; then call nnc_sweep_run. */
typedef struct nnc_sweep nnc_sweep;

/* Creates a sweep over models and devices; each list has ids or paths, joined by commas. software: a list of software
 * profiles; NULL = the default profile of each plan. cluster: a cluster file whose links replace those of every device;
 * NULL = the links of each device file. specs must live longer than the sweep. Errors: those of nnc_model_load,
 * nnc_device_load and nnc_software_load, NNC_BAD_USAGE; *sweep is then NULL. */
NNC_API nnc_status nnc_sweep_create(nnc_specs *specs, const char *models, const char *devices, const char *software,
                                    const char *cluster, nnc_sweep **sweep, nnc_error *err);
NNC_API void nnc_sweep_destroy(nnc_sweep *sweep);

/* Adds an axis. name: a field of the plan, a model or a device, with its name in the files ("tensor",
 * "device.mem_bytes"). list: values of the axis, "2,4", "1..8", "1..64*2" or "0..1+0.25". The values of the axis that
 * was added last change fastest from row to row. NNC_BAD_USAGE: unknown field, wrong value, an axis that was added
 * before, too many combinations. */
NNC_API nnc_status nnc_sweep_add(nnc_sweep *sweep, const char *name, const char *list, nnc_error *err);
/* Adds axes whose values change together, for example "tensor=1,2,4;data=8,4,2". */
NNC_API nnc_status nnc_sweep_link(nnc_sweep *sweep, const char *axes, nnc_error *err);
/* Restricts the sweep to part `number` (from 1) of `of` parts. Each part has every `of`-th row. */
NNC_API nnc_status nnc_sweep_part(nnc_sweep *sweep, int64_t number, int64_t of, nnc_error *err);

/* Makes the sweep also keep rows of plans that are illegal or do not fit in memory. */
NNC_API void nnc_sweep_keep_all(nnc_sweep *sweep);
/* Adds columns to the results. names: axes, fields, metrics (the names of 'estimate --format csv', or their last
 * parts), "row", "verdict", "reason", "command", joined by commas. names NULL = the axes with several values, and the
 * main metrics. */
NNC_API nnc_status nnc_sweep_columns(nnc_sweep *sweep, const char *names, nnc_error *err);
/* Makes the sweep keep only rows that meet a constraint, for example "tensor * pipeline <= 64 && mfu > 0.4". If the
 * function is called several times, rows have to meet all constraints. */
NNC_API nnc_status nnc_sweep_where(nnc_sweep *sweep, const char *constraint, nnc_error *err);

NNC_API int nnc_sweep_column_count(const nnc_sweep *sweep);
/* Returns the name of a column, for example "step.step_s"; valid as long as the sweep. */
NNC_API const char *nnc_sweep_column_name(const nnc_sweep *sweep, int column);
/* Writes to *rows the number of combinations in the part of the sweep that runs. */
NNC_API nnc_status nnc_sweep_size(nnc_sweep *sweep, int64_t *rows, nnc_error *err);

/* Number of combinations of a sweep, for each outcome. */
typedef struct nnc_sweep_tally {
    /* excluded: by a constraint; illegal: the plan breaks a rule; over_memory: the plan is legal but does not fit in
     * memory; fitting: the plan is legal and fits */
    int64_t excluded, illegal, over_memory, fitting;
} nnc_sweep_tally;

/* Receives a row that the sweep keeps: its number, and one cell for each column. The cells are valid until the function
 * returns. The thread that called nnc_sweep_run calls the function, in the order of the rows. The function returns
 * false to stop the sweep. */
typedef bool nnc_sweep_row_fn(void *context, int64_t row, const nnc_cell *cells);

/* Runs a sweep with 1 to 256 threads. The rows and their order do not depend on the number of threads. The memory that
 * a sweep uses does not depend on the number of rows. tally: gets the numbers of combinations; may be NULL. Errors:
 * NNC_BAD_USAGE, NNC_NO_MEMORY. */
NNC_API nnc_status nnc_sweep_run(nnc_sweep *sweep, int threads, nnc_sweep_row_fn *row, void *context,
                                 nnc_sweep_tally *tally, nnc_error *err);

#ifdef __cplusplus
}
#endif

#endif
