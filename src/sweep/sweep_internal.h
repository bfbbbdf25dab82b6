#ifndef NNCOST_SWEEP_SWEEP_INTERNAL_H
#define NNCOST_SWEEP_SWEEP_INTERNAL_H

#include <nncost/estimate.h>
#include <nncost/spec.h>
#include <nncost/status.h>
#include <nncost/sweep.h>

#include "base/base_internal.h"
#include "base/expression.h"
#include "input/input_internal.h"
#include "metrics/metrics_internal.h"
#include "render/render_internal.h"

/* ---- axes (axes.c) ---- */

/* The axes of a sweep, their values, and the values of each row. */

enum { NNC_SWEEP_AXES_MAX = 160, NNC_SWEEP_VALUES_MAX = 1000000 };

/* The object that a value of an axis is put into. */
typedef enum nnc_sweep_target {
    NNC_SWEEP_MODEL, /* a whole model, device or profile */
    NNC_SWEEP_DEVICE,
    NNC_SWEEP_SOFTWARE,
    NNC_SWEEP_PLAN_FIELD, /* one field of the object */
    NNC_SWEEP_MODEL_FIELD,
    NNC_SWEEP_DEVICE_FIELD
} nnc_sweep_target;

typedef struct nnc_sweep_axis {
    const char *name; /* "plan.tensor", also the name of its column */
    nnc_sweep_target target;
    const char *field;     /* field of the object, "tensor"; NULL = the whole object */
    const char *option;    /* text in a command line before the value: " --tensor "; NULL = a whole
                          * object */
    bool is_switch;        /* an option that may stand without a value */
    const char **values;   /* as text */
    const char *bytes;     /* in binary, as in the plan, one after the other; NULL = set from text */
    size_t offset, size;   /* place of one binary value */
    const void **specs;    /* models, devices or profiles by value: const nnc_model * ... */
    const nnc_cell *cells; /* the values as cells */
    int32_t count;
    int32_t group; /* axes of a group move together and have as many values */
} nnc_sweep_axis;

typedef struct nnc_sweep_axes {
    nnc_sweep_axis axes[NNC_SWEEP_AXES_MAX];
    int32_t axis_count;
    int32_t lengths[NNC_SWEEP_AXES_MAX]; /* length of each group */
    int32_t group_count;
    int64_t rows;                 /* product of the lengths */
    const nnc_profiles *profiles; /* used where no axis names a profile; NULL = the neutral profile */
    /* Rows keep the profile of the first row, so that a difference of two rows has one cause; except models and devices with
     * one profile for all plans. each: every row has the usual profile of its plan instead. */
    nnc_profile_kind kept;
    nnc_plan kept_plan; /* plan of the first row: its formats decide the profile of every row */
    bool each;
    const nnc_software *first; /* profile of the first row */
} nnc_sweep_axes;

/* Reads a list: "2,4", "1..8" (step 1), "1..64*2" (times 2), "0..1+0.25" (step 0.25), or several of them joined by
 * commas. Ranges need numeric; the end of a range counts when a step meets it. where names the list in messages.
 * NNC_BAD_USAGE: an empty list, a value twice, a range that does not rise, more than NNC_SWEEP_VALUES_MAX values. */
nnc_status nnc_sweep_list(nnc_arena *arena, const char *where, const char *list, bool numeric, const char ***values,
                          int32_t *count, nnc_error *err);

/* The same for numbers, where a range without step or factor doubles: "8..64" is 8, 16, 32, 64. */
nnc_status nnc_sweep_sizes(nnc_arena *arena, const char *where, const char *list, const char ***values, int32_t *count,
                           nnc_error *err);

/* Counts the rows of complete axes: fills in lengths, group_count and rows. Groups count from 0 in the order of the
 * axes. NNC_BAD_USAGE: linked lists of different lengths, too many rows. */
nnc_status nnc_sweep_count(nnc_sweep_axes *axes, nnc_error *err);

/* The place of a row in every group; the last group moves fastest. */
void nnc_sweep_place(const nnc_sweep_axes *axes, int64_t row, int32_t *places);

/* ---- points (sweep_rows.c) ---- */

/* One row of a sweep made concrete: its model, device, software and plan. */

/* Owned by one thread. Starts as { .axes, .scratch }, the rest zero. */
typedef struct nnc_point {
    const nnc_sweep_axes *axes;
    nnc_scratch *scratch;
    nnc_model model;
    nnc_device device;
    nnc_software software;
    nnc_plan plan;
    int32_t places[NNC_SWEEP_AXES_MAX];
    bool placed;
    nnc_model filled; /* model as a release fills it in, cached while `is_filled` */
    nnc_software switched;
    bool is_filled;
    const nnc_software *profile; /* the profile that `software` copies, where no axis names one */
    bool usual;                  /* it is the usual profile of the row's plan */
    int64_t specs_moves;         /* number of times that model or device changed */
    nnc_error spec_fault;        /* fields of model or device that contradict each other; status NNC_OK = they agree */
} nnc_point;

/* Moves to a row; sets only what changed since the last one. Every value of every axis must have been set once
 * before: then this cannot fail. */
void nnc_point_move(nnc_point *point, int64_t row);

/* Estimates the row. A status other than NNC_OK says why the plan is illegal. */
nnc_status nnc_point_estimate(nnc_point *point, nnc_result *result, nnc_error *err);

/* Sets a value of an axis in the point's model, device, software or plan. */
nnc_status nnc_point_set(nnc_point *point, const nnc_sweep_axis *axis, int32_t index, nnc_error *err);

/* ---- the pool of workers (pool.c) ---- */

/* Evaluates rows on several threads or ranks, and emits them in order. One thread evaluates a chunk of rows into a
 * batch; batches wait in a ring of fixed length until it is their turn. So memory stays constant and the output does
 * not depend on the number of threads. */

enum { NNC_POOL_THREADS_MAX = 256, NNC_POOL_CHUNK = 128, NNC_POOL_CHUNK_MAX = 1024 };

/* One part of a sweep or search. */
typedef struct nnc_shard {
    int64_t number, of; /* number counts from 1; 1 of 1: not divided */
} nnc_shard;

enum { NNC_SHARDS_MAX = 1000000 };

/* The shards that a merge has seen: of one sweep or search, each once. Starts as { .kind }. */
typedef struct nnc_shard_set {
    const char *kind; /* "sweep" or "search", for messages */
    const char *digest;
    int64_t of, count;
    const char **paths; /* paths by number; NULL = not seen */
    const char *first_path;
} nnc_shard_set;

/* digest: of everything that decides the rows except the shard. NNC_BAD_SPEC: a shard of something else, or one that was
 * seen before. Paths and the first digest must outlive the set. */
nnc_status nnc_shard_set_add(nnc_shard_set *set, const char *path, const char *digest, nnc_shard shard, nnc_error *err);
/* NNC_BAD_USAGE: a shard is missing. */
nnc_status nnc_shard_set_complete(const nnc_shard_set *set, nnc_error *err);
void nnc_shard_set_free(nnc_shard_set *set);

/* The outcome of a chunk: rows first to first + count - 1. */
typedef struct nnc_batch {
    int64_t first, count;
    nnc_buffer bytes; /* bytes of the kept rows, one after the other */
    nnc_buffer marks; /* for each kept row its number, key and end */
    nnc_sweep_tally tally;
} nnc_batch;

void nnc_batch_clear(nnc_batch *batch);
void nnc_batch_free(nnc_batch *batch);
/* Ends a row whose bytes were put. key: the sort key. */
void nnc_batch_mark(nnc_batch *batch, int64_t row, double key);

/* One row of a batch. */
typedef struct nnc_batch_row {
    int64_t number;
    double key;
    const char *bytes;
    size_t size;
} nnc_batch_row;

/* The next row; *at starts with 0. False after the last one. */
bool nnc_batch_next(const nnc_batch *batch, size_t *at, nnc_batch_row *row);

void nnc_tally_add(nnc_sweep_tally *sum, const nnc_sweep_tally *more);

typedef struct nnc_pool {
    int64_t first, end; /* range of rows */
    int64_t chunk;      /* rows of a chunk, at most NNC_POOL_CHUNK_MAX */
    int threads;
    void **workers; /* workers, one per thread: the first argument of work */
    void (*work)(void *worker, nnc_batch *batch);
    /* Called by the thread of the caller, batch by batch in order. *stop = true ends the run after the batches that
     * have begun. */
    nnc_status (*emit)(void *context, const nnc_batch *batch, bool *stop, nnc_error *err);
    void *context;
} nnc_pool;

/* Errors: that of emit, or NNC_NO_MEMORY. */
nnc_status nnc_pool_run(const nnc_pool *pool, nnc_error *err);

/* ---- rank groups (pool.c) ---- */

/* The pool over MPI ranks, one thread each. Rank 0 assigns chunks, emits batches in order, and evaluates chunks
 * itself while no batch waits. Idle ranks sleep. Without MPI there is one rank. */

typedef struct nnc_rank_group {
    int rank, size;
} nnc_rank_group;

nnc_rank_group nnc_rank_group_begin(void);
void nnc_rank_group_end(void);

/* Ends all ranks at once, for errors that not all ranks know of; returns where there is one rank. */
void nnc_rank_group_abort(nnc_rank_group ranks, nnc_status status);

/* Sends the number of rank 0 to every rank. */
int64_t nnc_rank_group_share(int64_t mine);

/* Is the status NNC_OK on every rank, and did all read the same files (digest)? Every rank must call. If not, the
 * first rank that failed keeps its status and reports it; the status of the others becomes NNC_OK, because mpirun
 * may stop a rank that still writes as soon as one exit code is not 0. */
bool nnc_rank_group_all_well(nnc_rank_group ranks, uint64_t digest, nnc_status *status, nnc_error *err);

/* Sleeps briefly. Only in a build with MPI. */
void nnc_rank_group_nap(void);
/* Sleeps until a request (an MPI_Request) is done. Only in a build with MPI. */
void nnc_rank_group_wait(void *request);
/* Sends bytes of rank 0 to every rank; every rank must call. Only in a build with MPI. */
void nnc_rank_group_broadcast(void *bytes, size_t size);

/* nnc_pool_run over all ranks. Every rank must call it with the same rows. With several ranks the number of threads
 * is ignored, and only rank 0 emits. */
nnc_status nnc_rank_group_run(nnc_rank_group ranks, const nnc_pool *pool, nnc_error *err);

/* ---- constraints (sweep.c) ---- */

/* Constraints: "tensor * pipeline <= 64 && micro_batch > 1", in the grammar of base/expression.h. True is 1, % is fmod(),
 * texts compare by == and != only. A value that is not recorded makes every comparison but != false. */

enum { NNC_WHERES_MAX = 8, NNC_WHERE_NODES = 128, NNC_WHERE_TEXT = 512 };

typedef enum nnc_where_kind { NNC_WHERE_NUMBER, NNC_WHERE_WORD, NNC_WHERE_VARIABLE, NNC_WHERE_OPERATOR } nnc_where_kind;

typedef struct nnc_where_node {
    nnc_where_kind kind;
    nnc_operator of;
    int32_t left, right;    /* nodes; -1 = none */
    int32_t variable, text; /* number of a variable; place in texts */
    double number;
} nnc_where_node;

typedef struct nnc_where {
    nnc_where_node nodes[NNC_WHERE_NODES];
    int32_t node_count, root;
    char texts[NNC_WHERE_TEXT];
    int32_t text_size;
} nnc_where;

/* Gives a name a number, which nnc_where_read receives later. */
typedef nnc_status nnc_where_name(void *context, const char *name, int32_t *variable, nnc_error *err);

/* Reads a constraint; errors tell the place in the text of the option. NNC_BAD_USAGE, or the status of `name`. */
nnc_status nnc_where_parse(const char *option, const char *text, nnc_where_name *name, void *context, nnc_where *where,
                           nnc_error *err);

/* The value of a variable; NULL while it is not known. */
typedef const nnc_cell *nnc_where_read(void *context, int32_t variable);

typedef enum nnc_truth { NNC_FALSE, NNC_TRUE, NNC_NOT_KNOWN_YET } nnc_truth;

/* Is the constraint met? NNC_NOT_KNOWN_YET: that depends on variables that are not known. */
nnc_truth nnc_where_test(const nnc_where *where, nnc_where_read *read, void *context);

/* ---- sweeps (sweep.c, sweep_names.c, sweep_rows.c) ---- */

enum { NNC_SWEEP_SLOTS_MAX = NNC_TABLE_COLUMNS };

typedef enum nnc_name_kind {
    NNC_NAME_ROW, /* the row's number */
    NNC_NAME_VERDICT,
    NNC_NAME_REASON,
    NNC_NAME_COMMAND,
    NNC_NAME_FRAMEWORK, /* part of the step that its software adds to the software of the first
                         * row */
    NNC_NAME_AXIS,
    NNC_NAME_FIELD,  /* field of a model, device or plan */
    NNC_NAME_FIGURE, /* a metric of the estimate */
    NNC_NAME_NONE
} nnc_name_kind;

/* Outcome of a plan. */
#define NNC_SWEEP_VERDICT_LIST(X)                                 \
    X(NNC_SWEEP_FITS, "fits")               /* it has metrics */  \
    X(NNC_SWEEP_OVER_MEMORY, "over_memory") /* it does not fit */ \
    X(NNC_SWEEP_ILLEGAL, "illegal")         /* it has no metrics */
NNC_ENUM(nnc_sweep_verdict, NNC_SWEEP_VERDICT_LIST, NNC_SWEEP_VERDICTS);
const char *nnc_sweep_verdict_name(nnc_sweep_verdict value);

/* The columns of the sweep itself, in the order of nnc_name_kind. */
extern const nnc_metrics nnc_sweep_own_metrics;

/* A name used by a column, a constraint or --by. */
typedef struct nnc_slot {
    const char *name; /* full name: "plan.tensor", "step.step_s" */
    nnc_name_kind kind;
    int32_t index;           /* index of the axis or the metric */
    nnc_sweep_target target; /* target of a field */
    const char *field;
} nnc_slot;

struct nnc_sweep {
    nnc_specs *specs;
    nnc_arena *arena;
    nnc_sweep_axes axes;
    nnc_profiles profiles; /* profiles, used where no axis names one */
    const char *cluster;   /* path of the file; NULL = the links of the devices */
    nnc_columns figures;   /* the metrics of the estimate */
    nnc_point point;       /* point with every axis at its first value */
    int32_t groups;        /* number of groups of axes so far */
    bool settled;          /* the axes are complete */
    nnc_slot slots[NNC_SWEEP_SLOTS_MAX];
    int32_t slot_count;
    int32_t columns[NNC_TABLE_COLUMNS]; /* indices of slots */
    nnc_head heads[NNC_TABLE_COLUMNS];  /* headings of the columns */
    int32_t column_count;
    nnc_where where[NNC_WHERES_MAX];
    const char *where_texts[NNC_WHERES_MAX];
    int32_t where_count;
    bool all;
    int32_t by; /* slot of the sort key; -1 = not sorted */
    bool by_falls;
    nnc_shard shard;
    int64_t shard_rows;
    const nnc_format *format; /* format of the rows; NULL: packed cells */
};

/* Same as nnc_sweep_add and nnc_sweep_link; where and option are names for messages. A pair is NAME=LIST. */
nnc_status nnc_sweep_add_as(nnc_sweep *sweep, const char *where, const char *name, const char *list, nnc_error *err);
nnc_status nnc_sweep_add_pair(nnc_sweep *sweep, const char *option, const char *pair, nnc_error *err);
nnc_status nnc_sweep_add_link(nnc_sweep *sweep, const char *option, const char *pairs, nnc_error *err);
/* Adds an axis of models, devices or profiles. */
nnc_status nnc_sweep_add_whole(nnc_sweep *sweep, nnc_sweep_target target, const char *name, const char *list,
                               nnc_error *err);

/* Completes the axes and counts the rows, once. */
nnc_status nnc_sweep_settle(nnc_sweep *sweep, nnc_error *err);

/* Same as nnc_sweep_columns and nnc_sweep_where. */
nnc_status nnc_sweep_add_columns(nnc_sweep *sweep, const char *option, const char *names, nnc_error *err);
nnc_status nnc_sweep_add_where(nnc_sweep *sweep, const char *option, const char *constraint, nnc_error *err);
/* Sets the sort key: COLUMN, COLUMN:asc or COLUMN:desc. */
nnc_status nnc_sweep_sort(nnc_sweep *sweep, const char *option, const char *by, nnc_error *err);

/* Digest of everything that decides the rows except the shard: version, axes, columns, constraints and the bytes of
 * the files. */
nnc_status nnc_sweep_digest(const nnc_sweep *sweep, uint64_t *made, nnc_error *err);

/* Writes the command line of the row at these places; the buffer is emptied first. */
void nnc_sweep_command(const nnc_sweep *sweep, const int32_t *places, nnc_buffer *out);

/* The state of one thread that evaluates rows. */
typedef struct nnc_sweeper nnc_sweeper;
nnc_sweeper *nnc_sweeper_create(const nnc_sweep *sweep); /* NULL when out of memory */
void nnc_sweeper_destroy(nnc_sweeper *sweeper);
/* Rows of its chunks. */
int64_t nnc_sweeper_chunk(const nnc_sweeper *sweeper);
/* The work function of a pool. */
void nnc_sweeper_work(void *sweeper, nnc_batch *batch);

/* Opens a pool with its workers over the rows of the shard; end it with nnc_sweep_close_pool. */
nnc_status nnc_sweep_open_pool(const nnc_sweep *sweep, int64_t first, int threads, nnc_pool *pool, nnc_error *err);
void nnc_sweep_close_pool(nnc_pool *pool);

/* The field of a name. */
typedef struct nnc_found_field {
    nnc_sweep_target target;
    const nnc_field *field;
    const char *prefix; /* "plan." */
    const char *dotted; /* the rest of the name, as written */
} nnc_found_field;

/* Finds a field of plan, model or device, in this order unless a prefix decides. shown: it must have a value of its
 * own. */
bool nnc_sweep_find(const nnc_point *point, const char *name, bool shown, nnc_found_field *found);
/* "plan.tensor"; NULL when out of memory. */
const char *nnc_found_name(nnc_arena *arena, const nnc_found_field *found);
/* Names of all fields, at most max. */
size_t nnc_sweep_field_names(const nnc_point *point, const char **names, size_t max);

/* Is a value of the field a number? */
bool nnc_sweep_numeric(const nnc_field *field);

/* The value of a field as a cell; a text is written to `text`. */
nnc_cell nnc_field_cell(const nnc_slot *slot, const nnc_point *point, const nnc_plan *resolved, char *text,
                        size_t size);

#endif
