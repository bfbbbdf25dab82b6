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

/* ---- axes.c: the axes of a sweep and their values ---- */

enum { NNC_SWEEP_AXES_MAX = 160, NNC_SWEEP_VALUES_MAX = 1000000 };

/* Kinds of axes. An nnc_sweep_target says of an axis whether the values of the axis are whole models, devices,
 * profiles, or values of a field. */
typedef enum nnc_sweep_target {
    /* values of NNC_SWEEP_MODEL, NNC_SWEEP_DEVICE and NNC_SWEEP_SOFTWARE axes are whole models, devices or profiles */
    NNC_SWEEP_MODEL,
    NNC_SWEEP_DEVICE,
    NNC_SWEEP_SOFTWARE,
    /* the axes of this kind and of the two kinds after it vary a field: of the plan, of the model, of the device */
    NNC_SWEEP_PLAN_FIELD,
    NNC_SWEEP_MODEL_FIELD,
    NNC_SWEEP_DEVICE_FIELD
} nnc_sweep_target;

typedef struct nnc_sweep_axis {
    const char *name; /* full name of the axis, which its column has as well; for a field: "plan.tensor" */
    nnc_sweep_target target;
    const char *field;   /* name of the field inside the plan, model or device: "tensor"; NULL = the values are whole
                            * models, devices or profiles */
    const char *option;  /* text before a value of the axis in a command line: " --tensor "; NULL = the values are
                            * whole models, devices or profiles */
    bool is_switch;      /* true: the option of the axis is a switch, which can be written without a value */
    const char **values; /* values of the axis, as text */
    const char *bytes;   /* values in binary form, as the plan stores them, one after the other; NULL = values are set
                            * from text */
    /* offset: position of the field in the plan struct, in bytes; size: number of bytes of one value in binary form */
    size_t offset, size;
    const void **specs;    /* one pointer for each value, if the axis varies models, devices or profiles */
    const nnc_cell *cells; /* values of the axis as table cells, for output */
    int32_t count;
    /* index of the group to which the axis belongs; axes of one group change together and have equally many values */
    int32_t group;
} nnc_sweep_axis;

typedef struct nnc_sweep_axes {
    nnc_sweep_axis axes[NNC_SWEEP_AXES_MAX];
    int32_t axis_count;
    int32_t lengths[NNC_SWEEP_AXES_MAX]; /* for each group of axes, the number of values that its axes have */
    int32_t group_count;
    int64_t rows;                 /* number of rows of the sweep, which is the product of all entries of `lengths` */
    const nnc_profiles *profiles; /* the usual profile for each kind of plan; NULL = an axis lists the profiles of the
                                   * rows */
    /* The kind of software profile that all rows have; nncost chooses it for the plan of the first row. If all rows
     * have the same kind of profile, a difference between two rows is not caused by different profiles. A row uses
     * another kind of profile only if nncost has a single profile for the model or the device of the row. If `each` is
     * true, `kept` is not used, and every row has the profile that nncost chooses for its plan. */
    nnc_profile_kind kept;
    /* plan of the first row; the profile of every row is chosen for the number formats of this plan */
    nnc_plan kept_plan;
    bool each;
    const nnc_software *first; /* software profile of the first row of the sweep */
} nnc_sweep_axes;

/* Reads a list of values: "2,4", "1..8" (increment 1), "1..64*2" (each value twice the value before), "0..1+0.25"
 * (increment 0.25), or several of these joined by commas. Ranges are allowed only if `numeric` is true; a range
 * contains its last value only if a whole number of increments or factors leads from the first value to it. where: name
 * of the list in error messages. Returns NNC_BAD_USAGE for an empty list, a value given twice, a range that does not
 * rise, or more than NNC_SWEEP_VALUES_MAX values. */
nnc_status nnc_sweep_list(nnc_arena *arena, const char *where, const char *list, bool numeric, const char ***values,
                          int32_t *count, nnc_error *err);

/* Reads a list of numbers as nnc_sweep_list does, but in a range without increment or factor each value is twice the
 * value before: "8..64" is 8, 16, 32, 64. */
nnc_status nnc_sweep_sizes(nnc_arena *arena, const char *where, const char *list, const char ***values, int32_t *count,
                           nnc_error *err);

/* Must be called after all axes were added: sets lengths, group_count and rows. Axes that change together form one
 * group; groups are numbered from 0 in the order of their first axes. Returns NNC_BAD_USAGE if axes of one group have
 * different numbers of values, or if the sweep has too many rows. */
nnc_status nnc_sweep_count(nnc_sweep_axes *axes, nnc_error *err);

/* For each group g of axes, sets places[g] to the index of the values that the axes of this group have in row number
 * `row`. The last group of axes varies fastest from row to row. */
void nnc_sweep_place(const nnc_sweep_axes *axes, int64_t row, int32_t *places);

/* ---- sweep_rows.c: the model, device, software and plan of one row of a sweep ---- */

/* A point is the model, device, software and plan of the row that a thread evaluates at present. A point is initialised
 * with { .axes, .scratch }; all other members must be 0. */
typedef struct nnc_point {
    const nnc_sweep_axes *axes;
    nnc_scratch *scratch;
    nnc_model model;
    nnc_device device;
    nnc_software software;
    nnc_plan plan;
    int32_t places[NNC_SWEEP_AXES_MAX];
    bool placed;
    nnc_model filled; /* copy of `model` in which a release of a profile has set fields; valid if is_filled is true */
    nnc_software switched;
    bool is_filled;
    const nnc_software *profile; /* the profile that was copied to `software`; only used if no axis lists profiles */
    bool usual;                  /* true: `profile` is the profile that nncost chooses for the plan of the row */
    int64_t specs_moves;         /* number of times that the model or the device has changed so far */
    nnc_error spec_fault;        /* contradiction between fields of the model or of the device; status NNC_OK = no
                                  * contradiction */
} nnc_point;

/* Moves a point to another row of the sweep, and sets only the values that differ from the row before. Cannot fail,
 * because every value of every axis has been tested when its axis was added. */
void nnc_point_move(nnc_point *point, int64_t row);

/* Estimates the row at which a point is. If the plan is illegal, returns a status other than NNC_OK, and err has the
 * reason. */
nnc_status nnc_point_estimate(nnc_point *point, nnc_result *result, nnc_error *err);

/* Sets the model, the device, the software or a field of the point to one value of an axis. index: index of the
 * value. */
nnc_status nnc_point_set(nnc_point *point, const nnc_sweep_axis *axis, int32_t index, nnc_error *err);

/* ---- pool.c: the pool of threads that evaluate rows, and the shards given to a merge ---- */

/* A pool evaluates the rows of a sweep on several threads or MPI ranks, and outputs them in order. A thread evaluates
 * one chunk of rows at a time and stores the results in a batch. A finished batch waits in a ring of fixed length until
 * all batches before it have been output. Because the ring has a fixed length, the memory does not grow with the number
 * of rows. The output does not depend on the number of threads. */

enum { NNC_POOL_THREADS_MAX = 256, NNC_POOL_CHUNK = 128, NNC_POOL_CHUNK_MAX = 1024 };

/* A shard: one of several parts into which a sweep or a search is divided. */
typedef struct nnc_shard {
    /* number of this shard, from 1 to `of`, and number of all shards; 1 and 1 = the sweep or search is not divided */
    int64_t number, of;
} nnc_shard;

enum { NNC_SHARDS_MAX = 1000000 };

/* The shards that a merge has found so far. All shards of a merge must belong to the same sweep or search, and no shard
 * is allowed to occur twice. A new, empty set of shards is initialised as { .kind }. */
typedef struct nnc_shard_set {
    const char *kind; /* word that error messages use for the merged output: "sweep" or "search" */
    const char *digest;
    int64_t of, count;
    const char **paths; /* paths[n - 1] is the path of the file with shard n; NULL = this shard has not been found */
    const char *first_path;
} nnc_shard_set;

/* Adds a shard to the set. digest: digest of all inputs on which the rows depend, except the shard number. Returns
 * NNC_BAD_SPEC if the shard belongs to another sweep or search, or is already in the set. All paths, and the digest of
 * the first shard, must exist as long as the set of shards. */
nnc_status nnc_shard_set_add(nnc_shard_set *set, const char *path, const char *digest, nnc_shard shard, nnc_error *err);
/* Checks that the set has all shards of the sweep or search; returns NNC_BAD_USAGE if a shard is missing. */
nnc_status nnc_shard_set_complete(const nnc_shard_set *set, nnc_error *err);
void nnc_shard_set_free(nnc_shard_set *set);

/* The results of one chunk of rows, which has the rows `first` to `first` + `count` - 1. */
typedef struct nnc_batch {
    int64_t first, count;
    nnc_buffer bytes; /* bytes of those rows of the chunk that are output, one row after the other */
    /* for each row in `bytes`: its row number, its sort key, and the offset in `bytes` at which it ends */
    nnc_buffer marks;
    nnc_sweep_tally tally;
} nnc_batch;

void nnc_batch_clear(nnc_batch *batch);
void nnc_batch_free(nnc_batch *batch);
/* Notes where a row ends in batch->bytes; must be called after the bytes of the row were appended. row: number of the
 * row; key: sort key of the row. */
void nnc_batch_mark(nnc_batch *batch, int64_t row, double key);

/* A row, as it is read from a batch. */
typedef struct nnc_batch_row {
    int64_t number;
    double key;
    const char *bytes;
    size_t size;
} nnc_batch_row;

/* Reads the next row of a batch into *row. *at: position in the batch, which must be 0 before the first call. Returns
 * false if the batch has no further row. */
bool nnc_batch_next(const nnc_batch *batch, size_t *at, nnc_batch_row *row);

void nnc_tally_add(nnc_sweep_tally *sum, const nnc_sweep_tally *more);

typedef struct nnc_pool {
    int64_t first, end; /* the pool evaluates the rows with the numbers `first` to `end` - 1 */
    int64_t chunk;      /* number of rows in a chunk, at most NNC_POOL_CHUNK_MAX */
    int threads;
    void **workers; /* one worker for each thread, which is passed to the function `work` */
    void (*work)(void *worker, nnc_batch *batch);
    /* Function that receives the batches in the order of their rows; it is called on the thread that runs the pool. If
     * the function sets *stop, the pool completes the chunks that have begun and evaluates no further chunks. */
    nnc_status (*emit)(void *context, const nnc_batch *batch, bool *stop, nnc_error *err);
    void *context;
} nnc_pool;

/* Evaluates all rows of a pool. Returns the error of the function `emit` if it fails, or NNC_NO_MEMORY. */
nnc_status nnc_pool_run(const nnc_pool *pool, nnc_error *err);

/* ---- pool.c: evaluating the rows of a pool on several MPI ranks ---- */

/* A pool over MPI ranks, with one thread per rank. Rank 0 assigns chunks of rows to ranks and outputs batches in order;
 * while no batch has arrived, it evaluates chunks itself. A rank without work sleeps. Without MPI there is one rank. */

typedef struct nnc_rank_group {
    int rank, size;
} nnc_rank_group;

nnc_rank_group nnc_rank_group_begin(void);
void nnc_rank_group_end(void);

/* Ends all MPI ranks at once. nnc_rank_group_abort is for errors that only some of the ranks have found. If there is
 * only one rank, the function does nothing and returns. */
void nnc_rank_group_abort(nnc_rank_group ranks, nnc_status status);

/* Returns, on every rank, the value that `mine` has on MPI rank 0. */
int64_t nnc_rank_group_share(int64_t mine);

/* Tests whether every rank has the status NNC_OK, and whether all ranks have read files with the same digest. Every
 * rank must call this function. If the test fails, the failed rank with the lowest number keeps the status of its
 * failure and reports the error. On all other ranks *status becomes NNC_OK, because mpirun can stop a rank that is
 * still writing when another rank ends with an exit code other than 0. */
bool nnc_rank_group_all_well(nnc_rank_group ranks, uint64_t digest, nnc_status *status, nnc_error *err);

/* Sleeps for some microseconds, so that a waiting rank leaves its CPU core to other ranks. The function exists only in
 * a build with MPI. */
void nnc_rank_group_nap(void);
/* Waits until an MPI request (of type MPI_Request) is complete, and sleeps meanwhile. The function exists only in a
 * build with MPI. */
void nnc_rank_group_wait(void *request);
/* Copies `size` bytes from rank 0 to every other rank. Every rank must call this function. The function exists only in
 * a build with MPI. */
void nnc_rank_group_broadcast(void *bytes, size_t size);

/* Evaluates all rows of a pool as nnc_pool_run does, but on all MPI ranks. Every rank must call this function with the
 * same rows. If there are several ranks, each rank has one thread, and only rank 0 outputs rows. */
nnc_status nnc_rank_group_run(nnc_rank_group ranks, const nnc_pool *pool, nnc_error *err);

/* ---- sweep.c: constraints on the rows of a sweep (option --where) ---- */

/* A constraint on rows (--where), such as "tensor*pipeline <= 64 && micro_batch > 1", in the grammar of
 * nnc_expression_read. A comparison that is true has the value 1; % computes fmod(); texts can be compared only by ==
 * and !=. If one of the compared values is not recorded (NaN), every comparison except != is false. */

enum { NNC_WHERES_MAX = 8, NNC_WHERE_NODES = 128, NNC_WHERE_TEXT = 512 };

typedef enum nnc_where_kind { NNC_WHERE_NUMBER, NNC_WHERE_WORD, NNC_WHERE_VARIABLE, NNC_WHERE_OPERATOR } nnc_where_kind;

typedef struct nnc_where_node {
    nnc_where_kind kind;
    nnc_operator of;
    /* indices of the nodes that are the left and the right operand of the operator; -1 = no operand */
    int32_t left, right;
    /* variable: number of the variable, for a node of kind NNC_WHERE_VARIABLE; text: offset in nnc_where.texts, for a
     * node of kind NNC_WHERE_WORD */
    int32_t variable, text;
    double number;
} nnc_where_node;

typedef struct nnc_where {
    nnc_where_node nodes[NNC_WHERE_NODES];
    int32_t node_count, root;
    char texts[NNC_WHERE_TEXT];
    int32_t text_size;
} nnc_where;

/* Type of a function that is called for each name in a constraint and sets *variable to a number for this name. When
 * the constraint is tested, nnc_where_read returns the value for this number. */
typedef nnc_status nnc_where_name(void *context, const char *name, int32_t *variable, nnc_error *err);

/* Reads a constraint from text. If the text has a fault, err names its position. Returns NNC_BAD_USAGE if the text is
 * no constraint, or the status of the function `name` if it fails. */
nnc_status nnc_where_parse(const char *option, const char *text, nnc_where_name *name, void *context, nnc_where *where,
                           nnc_error *err);

/* Type of a function that returns the value of a variable of a constraint; NULL = the value is not known yet. */
typedef const nnc_cell *nnc_where_read(void *context, int32_t variable);

typedef enum nnc_truth { NNC_FALSE, NNC_TRUE, NNC_NOT_KNOWN_YET } nnc_truth;

/* Tests whether the current row meets a constraint. Returns NNC_NOT_KNOWN_YET if the answer depends on variables whose
 * values are not known yet. */
nnc_truth nnc_where_test(const nnc_where *where, nnc_where_read *read, void *context);

/* ---- sweep.c, sweep_names.c, sweep_rows.c: the sweep ---- */

enum { NNC_SWEEP_SLOTS_MAX = NNC_TABLE_COLUMNS };

typedef enum nnc_name_kind {
    NNC_NAME_ROW, /* the name stands for the number of the row in the sweep, from 0 */
    NNC_NAME_VERDICT,
    NNC_NAME_REASON,
    NNC_NAME_COMMAND,
    NNC_NAME_FRAMEWORK, /* the name means the step time minus the step time of the same plan with the software profile
                         * of the first row */
    NNC_NAME_AXIS,
    NNC_NAME_FIELD,  /* the name stands for a field of a model, device or plan */
    NNC_NAME_FIGURE, /* the name stands for a metric of the estimate */
    NNC_NAME_NONE
} nnc_name_kind;

/* Verdict on the plan of a row of a sweep: whether the plan is legal and fits in memory. */
#define NNC_SWEEP_VERDICT_LIST(X)                                                    \
    X(NNC_SWEEP_FITS, "fits")               /* the plan fits; the row has metrics */ \
    X(NNC_SWEEP_OVER_MEMORY, "over_memory") /* the plan does not fit */              \
    X(NNC_SWEEP_ILLEGAL, "illegal")         /* the plan is not legal; the row has no metrics */
NNC_ENUM(nnc_sweep_verdict, NNC_SWEEP_VERDICT_LIST, NNC_SWEEP_VERDICTS);
const char *nnc_sweep_verdict_name(nnc_sweep_verdict value);

/* Metrics table of the columns that describe the row of the sweep, not its estimate; the columns are in the order of
 * nnc_name_kind. */
extern const nnc_metrics nnc_sweep_own_metrics;

/* A field, metric or axis that is named by a column, by a constraint or by the option --by. */
typedef struct nnc_slot {
    const char *name; /* full name of the field or metric, such as "plan.tensor" or "step.step_s" */
    nnc_name_kind kind;
    int32_t index;           /* index of the axis, or of the metric, for which the name stands */
    nnc_sweep_target target; /* for a name of kind NNC_NAME_FIELD: whether the field is of the plan, the model or the
                              * device */
    const char *field;
} nnc_slot;

struct nnc_sweep {
    nnc_specs *specs;
    nnc_arena *arena;
    nnc_sweep_axes axes;
    /* the software profile that nncost chooses for each kind of plan; used if no axis lists profiles */
    nnc_profiles profiles;
    /* path of the cluster file, which describes the links; NULL = the links in the device files are used */
    const char *cluster;
    nnc_columns figures; /* metrics of an estimate that a column or a constraint can name */
    nnc_point point;     /* point at which every axis has its first value */
    int32_t groups;      /* number of groups of axes that have been added to the sweep so far */
    bool settled;        /* true: no further axis can be added, and the number of rows is known */
    nnc_slot slots[NNC_SWEEP_SLOTS_MAX];
    int32_t slot_count;
    int32_t columns[NNC_TABLE_COLUMNS]; /* for each column of the output, the index in `slots` of its name */
    nnc_head heads[NNC_TABLE_COLUMNS];  /* for each column of the output, its heading */
    int32_t column_count;
    nnc_where where[NNC_WHERES_MAX];
    const char *where_texts[NNC_WHERES_MAX];
    int32_t where_count;
    bool all;
    int32_t by; /* index in `slots` of the column by which rows are sorted; -1 = rows are not sorted */
    bool by_falls;
    nnc_shard shard;
    int64_t shard_rows;
    /* output format of the rows; NULL = the caller gets the rows as packed cells (nnc_cells_pack) */
    const nnc_format *format;
};

/* nnc_sweep_add_as and nnc_sweep_add_pair add an axis in the same way as nnc_sweep_add; nnc_sweep_add_link adds axes in
 * the same way as nnc_sweep_link. `where` and `option` are the names that error messages use for the axis. A pair is a
 * text of the form NAME=LIST. */
nnc_status nnc_sweep_add_as(nnc_sweep *sweep, const char *where, const char *name, const char *list, nnc_error *err);
nnc_status nnc_sweep_add_pair(nnc_sweep *sweep, const char *option, const char *pair, nnc_error *err);
nnc_status nnc_sweep_add_link(nnc_sweep *sweep, const char *option, const char *pairs, nnc_error *err);
/* Adds an axis whose values are whole models, devices or profiles, as `target` says. */
nnc_status nnc_sweep_add_whole(nnc_sweep *sweep, nnc_sweep_target target, const char *name, const char *list,
                               nnc_error *err);

/* Must be called after the last axis was added: counts the rows of the sweep. A second call does nothing. */
nnc_status nnc_sweep_settle(nnc_sweep *sweep, nnc_error *err);

/* nnc_sweep_add_columns adds columns in the same way as nnc_sweep_columns; nnc_sweep_add_where adds a constraint in the
 * same way as nnc_sweep_where. `option` is the name that error messages use. */
nnc_status nnc_sweep_add_columns(nnc_sweep *sweep, const char *option, const char *names, nnc_error *err);
nnc_status nnc_sweep_add_where(nnc_sweep *sweep, const char *option, const char *constraint, nnc_error *err);
/* Sets the column by which rows are sorted, from the text COLUMN, COLUMN:asc or COLUMN:desc. */
nnc_status nnc_sweep_sort(nnc_sweep *sweep, const char *option, const char *by, nnc_error *err);

/* Computes a digest of all inputs on which the rows of a sweep depend, except the shard number: version of nncost,
 * axes, columns, constraints, and the bytes of the files. */
nnc_status nnc_sweep_digest(const nnc_sweep *sweep, uint64_t *made, nnc_error *err);

/* Replaces the content of `out` by the command line that estimates one row. places: for each group of axes, the index
 * of its values in this row. */
void nnc_sweep_command(const nnc_sweep *sweep, const int32_t *places, nnc_buffer *out);

/* State of one thread that evaluates rows of a sweep. */
typedef struct nnc_sweeper nnc_sweeper;
nnc_sweeper *nnc_sweeper_create(const nnc_sweep *sweep); /* returns NULL if out of memory */
void nnc_sweeper_destroy(nnc_sweeper *sweeper);
/* Returns the number of rows that a thread evaluates as one chunk. */
int64_t nnc_sweeper_chunk(const nnc_sweeper *sweeper);
/* Evaluates one chunk of rows and stores the results in a batch. nnc_sweeper_work is the function `work` of a pool over
 * a sweep. */
void nnc_sweeper_work(void *sweeper, nnc_batch *batch);

/* Creates a pool for the rows of the sweep's shard, and one worker for each of its threads. nnc_sweep_close_pool frees
 * the pool. */
nnc_status nnc_sweep_open_pool(const nnc_sweep *sweep, int64_t first, int threads, nnc_pool *pool, nnc_error *err);
void nnc_sweep_close_pool(nnc_pool *pool);

/* A field of the plan, the model or the device that a name written by the user stands for. */
typedef struct nnc_found_field {
    nnc_sweep_target target;
    const nnc_field *field;
    const char *prefix; /* prefix of the field's full name, such as "plan." */
    /* name of the field without prefix, as the user wrote it; it contains a dot if the field is inside an object */
    const char *dotted;
} nnc_found_field;

/* Finds the field for which a name stands. Searches the plan, then the model, then the device; a prefix of the name
 * selects one of these three. shown true: only finds a field whose value can be shown in a cell. */
bool nnc_sweep_find(const nnc_point *point, const char *name, bool shown, nnc_found_field *found);
/* Returns the full name of a field that nnc_sweep_find has found, such as "plan.tensor"; NULL = out of memory. */
const char *nnc_found_name(nnc_arena *arena, const nnc_found_field *found);
/* Writes the names of all fields of plan, model and device to `names`, but at most `max` names. Returns the number of
 * names written. */
size_t nnc_sweep_field_names(const nnc_point *point, const char **names, size_t max);

/* Tests whether the values of a field are numbers. */
bool nnc_sweep_numeric(const nnc_field *field);

/* Returns the value of a field as a table cell. If the value is a text, writes it to `text`. */
nnc_cell nnc_field_cell(const nnc_slot *slot, const nnc_point *point, const nnc_plan *resolved, char *text,
                        size_t size);

#endif
