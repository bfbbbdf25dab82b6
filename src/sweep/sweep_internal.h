#ifndef NNCOST_SWEEP_SWEEP_INTERNAL_H
#define NNCOST_SWEEP_SWEEP_INTERNAL_H

#include <nncost/estimate.h>
#include <nncost/spec.h>
#include <nncost/status.h>
#include <nncost/sweep.h>

#include "base/base_internal.h"
#include "input/input_internal.h"
#include "metrics/metrics_internal.h"
#include "render/render_internal.h"

/* ---- axes.c: the axes of a sweep, their values, and the values of each row ---- */

enum { NNC_SWEEP_AXES_MAX = 160, NNC_SWEEP_VALUES_MAX = 1000000 };

/* Kinds of axes, by the values that an axis has. */
typedef enum nnc_sweep_target {
    NNC_SWEEP_MODEL, /* this enumerator and the next two: the values are whole models, devices or profiles */
    NNC_SWEEP_DEVICE,
    NNC_SWEEP_SOFTWARE,
    NNC_SWEEP_PLAN_FIELD, /* this enumerator and the next two: the values are of one field of the plan, model or
                           * device */
    NNC_SWEEP_MODEL_FIELD,
    NNC_SWEEP_DEVICE_FIELD
} nnc_sweep_target;

typedef struct nnc_sweep_axis {
    const char *name; /* full name of the field, "plan.tensor"; the column of the axis has the same name */
    nnc_sweep_target target;
    const char *field;     /* name of the field inside the plan, model or device: "tensor"; NULL = the values are whole
                            * models, devices or profiles */
    const char *option;    /* text before a value of the axis in a command line: " --tensor "; NULL = the values are
                            * whole models, devices or profiles */
    bool is_switch;        /* true: the option is a switch, which may stand without a value */
    const char **values;   /* values of the axis as text */
    const char *bytes;     /* values in binary form, as the plan stores them, one after the other; NULL = values are set
                            * from text */
    size_t offset, size;   /* offset: place of the field in the plan, in bytes; size: bytes of one binary value */
    const void **specs;    /* if the axis varies models, devices or profiles: one pointer per value */
    const nnc_cell *cells; /* values of the axis as cells, which outputs print */
    int32_t count;
    int32_t group; /* axes of one group change together and have the same number of values */
} nnc_sweep_axis;

typedef struct nnc_sweep_axes {
    nnc_sweep_axis axes[NNC_SWEEP_AXES_MAX];
    int32_t axis_count;
    int32_t lengths[NNC_SWEEP_AXES_MAX]; /* number of values of the axes of each group */
    int32_t group_count;
    int64_t rows;                 /* number of rows of the sweep: the product of the lengths of all groups */
    const nnc_profiles *profiles; /* the usual profile for each kind of plan; NULL = an axis lists the profiles of the
                                   * rows */
    /* kept: kind of profile of all rows, chosen for the plan of the first row. With one kind, a difference between two
     * rows has one cause. Models and devices that have only one profile use that profile. If `each` is true, every row
     * has the usual profile of its own plan instead. */
    nnc_profile_kind kept;
    nnc_plan kept_plan; /* plan of the first row; its number formats decide the profile of every row */
    bool each;
    const nnc_software *first; /* software profile of the first row */
} nnc_sweep_axes;

/* Reads a list: "2,4", "1..8" (increment 1), "1..64*2" (times 2), "0..1+0.25" (increment 0.25), or several of these
 * joined by commas. Ranges are allowed only with `numeric`; the end of a range is a value if an increment reaches it.
 * where: name of the list in messages. NNC_BAD_USAGE: an empty list, a value given twice, a range that does not rise,
 * more than NNC_SWEEP_VALUES_MAX values. */
nnc_status nnc_sweep_list(nnc_arena *arena, const char *where, const char *list, bool numeric, const char ***values,
                          int32_t *count, nnc_error *err);

/* Works as nnc_sweep_list, for numbers. A range without increment or factor doubles its value: "8..64" is 8, 16, 32,
 * 64. */
nnc_status nnc_sweep_sizes(nnc_arena *arena, const char *where, const char *list, const char ***values, int32_t *count,
                           nnc_error *err);

/* Sets lengths, group_count and rows after all axes were added. Axes that change together are one group; groups must be
 * numbered from 0 in the order of their first axes. NNC_BAD_USAGE: axes of one group have different numbers of values,
 * or there are too many rows. */
nnc_status nnc_sweep_count(nnc_sweep_axes *axes, nnc_error *err);

/* Sets places[g] to the index of the values that the axes of group g have in this row. The last group varies
 * fastest. */
void nnc_sweep_place(const nnc_sweep_axes *axes, int64_t row, int32_t *places);

/* ---- sweep_rows.c: the model, device, software and plan of one row of a sweep ---- */

/* A point: model, device, software and plan of the row that a thread evaluates. Initialise it with { .axes, .scratch };
 * all other members must be 0. */
typedef struct nnc_point {
    const nnc_sweep_axes *axes;
    nnc_scratch *scratch;
    nnc_model model;
    nnc_device device;
    nnc_software software;
    nnc_plan plan;
    int32_t places[NNC_SWEEP_AXES_MAX];
    bool placed;
    nnc_model filled; /* copy of `model` in which a release has set fields; valid if is_filled */
    nnc_software switched;
    bool is_filled;
    const nnc_software *profile; /* if no axis names a profile: the profile that `software` copies */
    bool usual;                  /* true: `profile` is the usual profile of the plan of the row */
    int64_t specs_moves;         /* number of changes of model or device so far */
    nnc_error spec_fault;        /* contradiction between fields of the model or of the device; status NNC_OK = no
                                  * contradiction */
} nnc_point;

/* Moves the point to a row; sets only values that differ from the previous row. Cannot fail, because every value of
 * every axis must have been set once before. */
void nnc_point_move(nnc_point *point, int64_t row);

/* Estimates the current row of a point. If the plan is illegal, returns another status than NNC_OK, and err has the
 * reason. */
nnc_status nnc_point_estimate(nnc_point *point, nnc_result *result, nnc_error *err);

/* Sets one value of an axis in the model, device, software or plan of the point. */
nnc_status nnc_point_set(nnc_point *point, const nnc_sweep_axis *axis, int32_t index, nnc_error *err);

/* ---- pool.c: the pool of workers, and the shards of a merge ---- */

/* A pool evaluates rows on several threads or ranks, and emits them in order. One thread evaluates a chunk of rows into
 * a batch. Finished batches wait in a ring of fixed length until all earlier batches are emitted. Memory therefore
 * stays constant, and the output does not depend on the number of threads. */

enum { NNC_POOL_THREADS_MAX = 256, NNC_POOL_CHUNK = 128, NNC_POOL_CHUNK_MAX = 1024 };

/* One part of a sweep or search. */
typedef struct nnc_shard {
    int64_t number, of; /* number: from 1 to `of`; 1 of 1 = the sweep or search is not divided */
} nnc_shard;

enum { NNC_SHARDS_MAX = 1000000 };

/* The shards that a merge has seen. All must belong to one sweep or search, and each may occur only once. A new set
 * starts as { .kind }. */
typedef struct nnc_shard_set {
    const char *kind; /* word for the command in messages: "sweep" or "search" */
    const char *digest;
    int64_t of, count;
    const char **paths; /* paths[n - 1]: path of the file of shard n; NULL = not seen */
    const char *first_path;
} nnc_shard_set;

/* Adds a shard. digest: digest of all inputs that decide the rows, except the shard. NNC_BAD_SPEC: the shard belongs to
 * another sweep or search, or was seen before. Paths and the first digest must outlive the set. */
nnc_status nnc_shard_set_add(nnc_shard_set *set, const char *path, const char *digest, nnc_shard shard, nnc_error *err);
/* Checks that all shards were seen. NNC_BAD_USAGE: a shard is missing. */
nnc_status nnc_shard_set_complete(const nnc_shard_set *set, nnc_error *err);
void nnc_shard_set_free(nnc_shard_set *set);

/* The results of one chunk of rows: row `first` to row `first` + `count` - 1. */
typedef struct nnc_batch {
    int64_t first, count;
    nnc_buffer bytes; /* the kept rows as bytes, one row after the other */
    nnc_buffer marks; /* for each kept row: its number, its sort key, and where it ends in `bytes` */
    nnc_sweep_tally tally;
} nnc_batch;

void nnc_batch_clear(nnc_batch *batch);
void nnc_batch_free(nnc_batch *batch);
/* Ends a row, after its bytes were appended to batch->bytes. row: number of the row. key: its sort key. */
void nnc_batch_mark(nnc_batch *batch, int64_t row, double key);

/* One row of a batch. */
typedef struct nnc_batch_row {
    int64_t number;
    double key;
    const char *bytes;
    size_t size;
} nnc_batch_row;

/* Reads the next row of a batch. *at: position in the batch, 0 before the first row. Returns false after the last
 * row. */
bool nnc_batch_next(const nnc_batch *batch, size_t *at, nnc_batch_row *row);

void nnc_tally_add(nnc_sweep_tally *sum, const nnc_sweep_tally *more);

typedef struct nnc_pool {
    int64_t first, end; /* rows to evaluate: first to end - 1 */
    int64_t chunk;      /* number of rows per chunk, at most NNC_POOL_CHUNK_MAX */
    int threads;
    void **workers; /* one worker per thread: the first argument of work */
    void (*work)(void *worker, nnc_batch *batch);
    /* Function that receives the batches in order, on the thread that runs the pool. If it sets *stop, the pool ends
     * after the batches that have begun. */
    nnc_status (*emit)(void *context, const nnc_batch *batch, bool *stop, nnc_error *err);
    void *context;
} nnc_pool;

/* Runs a pool. Returns the error of emit, or NNC_NO_MEMORY. */
nnc_status nnc_pool_run(const nnc_pool *pool, nnc_error *err);

/* ---- pool.c: the pool over MPI ranks ---- */

/* The pool over MPI ranks, with one thread per rank. Rank 0 assigns chunks, emits batches in order, and evaluates
 * chunks itself while no batch waits. Idle ranks sleep. Without MPI there is one rank. */

typedef struct nnc_rank_group {
    int rank, size;
} nnc_rank_group;

nnc_rank_group nnc_rank_group_begin(void);
void nnc_rank_group_end(void);

/* Ends all MPI ranks at once, for errors that only some ranks have noticed. Returns only if there is one rank. */
void nnc_rank_group_abort(nnc_rank_group ranks, nnc_status status);

/* Returns on every rank the value of `mine` on MPI rank 0. */
int64_t nnc_rank_group_share(int64_t mine);

/* Tests whether the status is NNC_OK on every rank, and all ranks read files with the same digest. Every rank must call
 * this function. If the test fails, the first rank that failed keeps its status and reports it. The status of the other
 * ranks becomes NNC_OK, because mpirun may stop a rank that still writes as soon as one exit code is not 0. */
bool nnc_rank_group_all_well(nnc_rank_group ranks, uint64_t digest, nnc_status *status, nnc_error *err);

/* Sleeps some microseconds, so that a waiting rank does not keep a core busy. Only in a build with MPI. */
void nnc_rank_group_nap(void);
/* Sleeps until a request (an MPI_Request) is done. Only in a build with MPI. */
void nnc_rank_group_wait(void *request);
/* Copies `size` bytes of rank 0 to every rank. Every rank must call this function. Only in a build with MPI. */
void nnc_rank_group_broadcast(void *bytes, size_t size);

/* Works as nnc_pool_run, over all MPI ranks. Every rank must call this function with the same rows. With several ranks,
 * each rank has one thread, and only rank 0 emits. */
nnc_status nnc_rank_group_run(nnc_rank_group ranks, const nnc_pool *pool, nnc_error *err);

/* ---- sweep.c: constraints on rows (--where) ---- */

/* A constraint such as "tensor * pipeline <= 64 && micro_batch > 1", in the grammar of nnc_expression_read. True is
 * 1, % is fmod(), and texts can be compared only by == and !=. With a value that is not recorded (NaN), every
 * comparison except != is false. */

enum { NNC_WHERES_MAX = 8, NNC_WHERE_NODES = 128, NNC_WHERE_TEXT = 512 };

typedef enum nnc_where_kind { NNC_WHERE_NUMBER, NNC_WHERE_WORD, NNC_WHERE_VARIABLE, NNC_WHERE_OPERATOR } nnc_where_kind;

typedef struct nnc_where_node {
    nnc_where_kind kind;
    nnc_operator of;
    int32_t left, right;    /* indices of the nodes of the left and the right operand; -1 = no operand */
    int32_t variable, text; /* variable: index of the variable; text: offset of the text in `texts` */
    double number;
} nnc_where_node;

typedef struct nnc_where {
    nnc_where_node nodes[NNC_WHERE_NODES];
    int32_t node_count, root;
    char texts[NNC_WHERE_TEXT];
    int32_t text_size;
} nnc_where;

/* Type of a function that assigns a number (variable) to a name. nnc_where_read later gets the value by this number. */
typedef nnc_status nnc_where_name(void *context, const char *name, int32_t *variable, nnc_error *err);

/* Reads a constraint. Errors name the place in the text of the option. Returns NNC_BAD_USAGE, or the status of
 * `name`. */
nnc_status nnc_where_parse(const char *option, const char *text, nnc_where_name *name, void *context, nnc_where *where,
                           nnc_error *err);

/* Type of a function that returns the value of a variable, or NULL while the value is not known. */
typedef const nnc_cell *nnc_where_read(void *context, int32_t variable);

typedef enum nnc_truth { NNC_FALSE, NNC_TRUE, NNC_NOT_KNOWN_YET } nnc_truth;

/* Tests whether the constraint is met. NNC_NOT_KNOWN_YET: the answer depends on variables that are not known yet. */
nnc_truth nnc_where_test(const nnc_where *where, nnc_where_read *read, void *context);

/* ---- sweep.c, sweep_names.c, sweep_rows.c: sweeps ---- */

enum { NNC_SWEEP_SLOTS_MAX = NNC_TABLE_COLUMNS };

typedef enum nnc_name_kind {
    NNC_NAME_ROW, /* the name means the number of the row in the sweep, from 0 */
    NNC_NAME_VERDICT,
    NNC_NAME_REASON,
    NNC_NAME_COMMAND,
    NNC_NAME_FRAMEWORK, /* the name means the step time minus the step time of the same plan with the software profile
                         * of the first row */
    NNC_NAME_AXIS,
    NNC_NAME_FIELD,  /* the name means a field of a model, device or plan */
    NNC_NAME_FIGURE, /* the name means a metric of the estimate */
    NNC_NAME_NONE
} nnc_name_kind;

/* Verdict on the plan of a row. */
#define NNC_SWEEP_VERDICT_LIST(X)                                                    \
    X(NNC_SWEEP_FITS, "fits")               /* the plan fits; the row has metrics */ \
    X(NNC_SWEEP_OVER_MEMORY, "over_memory") /* the plan does not fit */              \
    X(NNC_SWEEP_ILLEGAL, "illegal")         /* the plan is not legal; the row has no metrics */
NNC_ENUM(nnc_sweep_verdict, NNC_SWEEP_VERDICT_LIST, NNC_SWEEP_VERDICTS);
const char *nnc_sweep_verdict_name(nnc_sweep_verdict value);

/* The columns that belong to the sweep itself, in the order of nnc_name_kind. */
extern const nnc_metrics nnc_sweep_own_metrics;

/* A name that a column, a constraint or --by uses. */
typedef struct nnc_slot {
    const char *name; /* full name of the field or metric: "plan.tensor", "step.step_s" */
    nnc_name_kind kind;
    int32_t index;           /* index of the axis or of the metric to which the name refers */
    nnc_sweep_target target; /* for a name of kind NNC_NAME_FIELD: whether the field is of the plan, the model or the
                              * device */
    const char *field;
} nnc_slot;

struct nnc_sweep {
    nnc_specs *specs;
    nnc_arena *arena;
    nnc_sweep_axes axes;
    nnc_profiles profiles; /* the usual software profile for each kind of plan; used if no axis lists profiles */
    const char *cluster;   /* path of the cluster file; NULL = the links of the device files */
    nnc_columns figures;   /* metrics of an estimate that columns and constraints can name */
    nnc_point point;       /* the point with every axis at its first value */
    int32_t groups;        /* number of groups of axes that have been added so far */
    bool settled;          /* true: the axes are complete, and the rows are counted */
    nnc_slot slots[NNC_SWEEP_SLOTS_MAX];
    int32_t slot_count;
    int32_t columns[NNC_TABLE_COLUMNS]; /* for each column: index of its name in `slots` */
    nnc_head heads[NNC_TABLE_COLUMNS];  /* heading of each column */
    int32_t column_count;
    nnc_where where[NNC_WHERES_MAX];
    const char *where_texts[NNC_WHERES_MAX];
    int32_t where_count;
    bool all;
    int32_t by; /* index of the sort key in `slots`; -1 = not sorted */
    bool by_falls;
    nnc_shard shard;
    int64_t shard_rows;
    const nnc_format *format; /* output format of the rows; NULL = rows are stored as packed cells (nnc_cells_pack) */
};

/* These functions work as nnc_sweep_add and nnc_sweep_link. `where` and `option` are the names that messages use. A
 * pair is NAME=LIST. */
nnc_status nnc_sweep_add_as(nnc_sweep *sweep, const char *where, const char *name, const char *list, nnc_error *err);
nnc_status nnc_sweep_add_pair(nnc_sweep *sweep, const char *option, const char *pair, nnc_error *err);
nnc_status nnc_sweep_add_link(nnc_sweep *sweep, const char *option, const char *pairs, nnc_error *err);
/* Adds an axis whose values are whole models, devices or profiles. */
nnc_status nnc_sweep_add_whole(nnc_sweep *sweep, nnc_sweep_target target, const char *name, const char *list,
                               nnc_error *err);

/* Completes the axes and counts the rows. Later calls do nothing. */
nnc_status nnc_sweep_settle(nnc_sweep *sweep, nnc_error *err);

/* These functions work as nnc_sweep_columns and nnc_sweep_where. `option` is the name that messages use. */
nnc_status nnc_sweep_add_columns(nnc_sweep *sweep, const char *option, const char *names, nnc_error *err);
nnc_status nnc_sweep_add_where(nnc_sweep *sweep, const char *option, const char *constraint, nnc_error *err);
/* Sets the sort key: COLUMN, COLUMN:asc or COLUMN:desc. */
nnc_status nnc_sweep_sort(nnc_sweep *sweep, const char *option, const char *by, nnc_error *err);

/* Computes a digest of all inputs that decide the rows, except the shard: version, axes, columns, constraints and the
 * bytes of the files. */
nnc_status nnc_sweep_digest(const nnc_sweep *sweep, uint64_t *made, nnc_error *err);

/* Empties the buffer, and writes to it the command line that estimates the row with these indices of axis values. */
void nnc_sweep_command(const nnc_sweep *sweep, const int32_t *places, nnc_buffer *out);

/* The state of one thread that evaluates rows. */
typedef struct nnc_sweeper nnc_sweeper;
nnc_sweeper *nnc_sweeper_create(const nnc_sweep *sweep); /* nnc_sweeper_create returns NULL if out of memory */
void nnc_sweeper_destroy(nnc_sweeper *sweeper);
/* Returns the number of rows that a worker evaluates as one chunk. */
int64_t nnc_sweeper_chunk(const nnc_sweeper *sweeper);
/* Evaluates one chunk of rows into a batch. Used as the work function of a pool. */
void nnc_sweeper_work(void *sweeper, nnc_batch *batch);

/* Opens a pool over the rows of the shard and creates its workers. End it with nnc_sweep_close_pool. */
nnc_status nnc_sweep_open_pool(const nnc_sweep *sweep, int64_t first, int threads, nnc_pool *pool, nnc_error *err);
void nnc_sweep_close_pool(nnc_pool *pool);

/* The field that a name of the user means. */
typedef struct nnc_found_field {
    nnc_sweep_target target;
    const nnc_field *field;
    const char *prefix; /* prefix of the full name, such as "plan." */
    const char *dotted; /* the name without the prefix, as the user wrote it */
} nnc_found_field;

/* Finds a field of plan, model or device, in this order unless a prefix names one. shown = true: the field must have a
 * value that can be shown. */
bool nnc_sweep_find(const nnc_point *point, const char *name, bool shown, nnc_found_field *found);
/* Returns the full name of a found field, such as "plan.tensor"; NULL = out of memory. */
const char *nnc_found_name(nnc_arena *arena, const nnc_found_field *found);
/* Lists the names of all fields, at most `max`. Returns the number of names listed. */
size_t nnc_sweep_field_names(const nnc_point *point, const char **names, size_t max);

/* Tests whether the values of the field are numbers. */
bool nnc_sweep_numeric(const nnc_field *field);

/* Returns the value of a field as a cell; a text value is written to `text`. */
nnc_cell nnc_field_cell(const nnc_slot *slot, const nnc_point *point, const nnc_plan *resolved, char *text,
                        size_t size);

#endif
