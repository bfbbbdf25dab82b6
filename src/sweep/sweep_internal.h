#ifndef NNCOST_SWEEP_SWEEP_INTERNAL_H
#define NNCOST_SWEEP_SWEEP_INTERNAL_H

#include <nncost/estimate.h>
#include <nncost/spec.h>
#include <nncost/status.h>
#include <nncost/sweep.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/cell.h"
#include "base/digest.h"
#include "base/expression.h"
#include "input/field.h"
#include "metrics/report.h"
#include "render/table.h"

/* ---- axes (axes.c) ---- */

/* The axes of a sweep: what varies, over which values, and the values of each row. */

enum { NNC_SWEEP_AXES_MAX = 160, NNC_SWEEP_VALUES_MAX = 1000000 };

/* What a value of an axis is put into. */
typedef enum nnc_sweep_target {
    NNC_SWEEP_MODEL, /* a model, device or profile as a whole */
    NNC_SWEEP_DEVICE,
    NNC_SWEEP_SOFTWARE,
    NNC_SWEEP_PLAN_FIELD, /* one field of it */
    NNC_SWEEP_MODEL_FIELD,
    NNC_SWEEP_DEVICE_FIELD
} nnc_sweep_target;

typedef struct nnc_sweep_axis {
    const char *name; /* "plan.tensor", the name of its column too */
    nnc_sweep_target target;
    const char *field;     /* of the target, "tensor"; NULL for a whole one */
    const char *option;    /* as a command has it, a blank before it: " --tensor "; NULL as above */
    bool is_switch;        /* an option without a value is on */
    const char **values;   /* as the field is set from */
    const char *bytes;     /* as they stand in the plan, one after another; NULL = set from text */
    size_t offset, size;   /* of one of them */
    const void **specs;    /* what each value of a whole target names: const nnc_model * ... */
    const nnc_cell *cells; /* the same as numbers, where they are numbers */
    int32_t count;
    int32_t group; /* axes of a group move together; all of them have as many values */
} nnc_sweep_axis;

typedef struct nnc_sweep_axes {
    nnc_sweep_axis axes[NNC_SWEEP_AXES_MAX];
    int32_t axis_count;
    int32_t lengths[NNC_SWEEP_AXES_MAX]; /* of each group */
    int32_t group_count;
    int64_t rows;                 /* product of the lengths */
    const nnc_profiles *profiles; /* where no axis names one; NULL = the neutral one */
} nnc_sweep_axes;

/* Reads a list: "2,4", "1..8" (step 1), "1..64*2" (times 2), "0..1+0.25" (step 0.25), or several of
 * them joined by commas. Ranges are for numeric lists; of a range, the end counts when a step meets
 * it. where names the list in messages. NNC_BAD_USAGE: an empty list, a value twice, a range that
 * does not rise, more than NNC_SWEEP_VALUES_MAX values. */
struct nnc_field;
/* The same of a field, in whose unit the ends of a range may stand: "4k..32k*2". */
nnc_status nnc_sweep_list_of(nnc_arena *arena, const char *where, const char *list,
                             const struct nnc_field *field, bool numeric, const char ***values,
                             int32_t *count, nnc_error *err);
nnc_status nnc_sweep_list(nnc_arena *arena, const char *where, const char *list, bool numeric,
                          const char ***values, int32_t *count, nnc_error *err);

/* The same of numbers, where a range without step or factor doubles: "8..64" is 8, 16, 32, 64. */
nnc_status nnc_sweep_sizes(nnc_arena *arena, const char *where, const char *list,
                           const char ***values, int32_t *count, nnc_error *err);

/* Counts the rows once all axes are there: fills in lengths, group_count and rows. Groups are numbered
 * from 0 in the order of the axes. NNC_BAD_USAGE: linked lists of different lengths, too many rows. */
nnc_status nnc_sweep_count(nnc_sweep_axes *axes, nnc_error *err);

/* The place of a row on every group; the last group moves fastest. */
void nnc_sweep_place(const nnc_sweep_axes *axes, int64_t row, int32_t *places);

/* ---- points (point.c) ---- */

/* One row of a sweep made concrete: the model, device, software and plan it stands for. */

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
    const nnc_software *profile; /* that software is of, where no axis names one */
    int64_t specs_moves;         /* times that model or device changed */
    nnc_error
        spec_fault; /* fields of model or device that contradict each other; status NNC_OK = none */
} nnc_point;

/* Moves to a row, setting only what changed since the last one. Every value of every axis must have
 * been tried before: setting one cannot fail. */
void nnc_point_move(nnc_point *point, int64_t row);

/* Estimates the row. Any status but NNC_OK says why the plan is not legal. */
nnc_status nnc_point_estimate(nnc_point *point, nnc_result *result, nnc_error *err);

/* Sets a value of an axis in the point's model, device, software or plan. */
nnc_status nnc_point_set(nnc_point *point, const nnc_sweep_axis *axis, int32_t index,
                         nnc_error *err);

/* ---- the pool of workers (pool.c) ---- */

/* Rows worked out by several threads or ranks, handed on in order. A chunk of rows is worked out by
 * one thread into a batch; batches wait in a ring of fixed length for their turn, so memory stays
 * flat and what comes out does not depend on how many threads there were. */

enum { NNC_POOL_THREADS_MAX = 256, NNC_POOL_CHUNK = 128, NNC_POOL_CHUNK_MAX = 1024 };

/* A share of the work. */
typedef struct nnc_shard {
    int64_t number, of; /* number counts from 1; 1 of 1: not divided */
} nnc_shard;

enum { NNC_SHARDS_MAX = 1000000 };

/* A chunk of rows: number first and count - 1 more. */
typedef struct nnc_batch {
    int64_t first, count;
    nnc_buffer bytes; /* of the rows that are kept, one after the other */
    nnc_buffer marks; /* one per row kept: number, key and where it ends */
    nnc_sweep_tally tally;
} nnc_batch;

void nnc_batch_clear(nnc_batch *batch);
void nnc_batch_free(nnc_batch *batch);
/* Ends a row whose bytes have been put. key: what rows are sorted by. */
void nnc_batch_mark(nnc_batch *batch, int64_t row, double key);

/* One row that a batch holds. */
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
    int64_t first, end; /* rows to do */
    int64_t chunk;      /* rows that are worked out together, at most NNC_POOL_CHUNK_MAX */
    int threads;
    void **workers; /* one per thread, handed to work */
    void (*work)(void *worker, nnc_batch *batch);
    /* Called by the caller's thread, batch by batch in order. *stop = true ends the run after the
     * batches that have been begun. */
    nnc_status (*emit)(void *context, const nnc_batch *batch, bool *stop, nnc_error *err);
    void *context;
} nnc_pool;

/* Fails with what emit returned, or NNC_NO_MEMORY. */
nnc_status nnc_pool_run(const nnc_pool *pool, nnc_error *err);

/* Its parts: how many chunks there are, which rows a chunk has, handing one on, all of them in this thread. */
int64_t nnc_pool_chunks(const nnc_pool *pool);
void nnc_pool_chunk(const nnc_pool *pool, int64_t chunk, nnc_batch *batch);
nnc_status nnc_pool_emit(const nnc_pool *pool, const nnc_batch *batch, bool *stop, nnc_error *err);
nnc_status nnc_pool_run_alone(const nnc_pool *pool, int64_t chunk_count, nnc_error *err);

/* ---- rank groups (rank_group.c) ---- */

/* The pool over MPI ranks, one thread each: rank 0 hands out chunks, puts the batches in order and emits them,
 * and works itself while no batch waits; who has nothing to do sleeps. Without MPI there is one rank. */

typedef struct nnc_crew {
    int rank, size;
} nnc_crew;

nnc_crew nnc_crew_begin(void);
void nnc_crew_end(void);

/* Ends all ranks at once; returns where there is one. For what not all ranks know of. */
void nnc_crew_abandon(nnc_crew crew, nnc_status status);

/* Rank 0's number, to every rank. */
int64_t nnc_crew_share(int64_t mine);

/* Is it the same on every rank? Every rank must ask; told to those on which it differs from rank 0's. */
bool nnc_crew_same(uint64_t mine);
/* The first rank that says so; -1 = none does. Every rank must ask. */
int nnc_crew_first(nnc_crew crew, bool mine);

/* Is all well on every rank, and the digest of what it read that of rank 0? Every rank must ask. If not, the
 * first rank that has failed keeps its status, to say why and end with its code, and that of the others becomes
 * NNC_OK, since mpirun may stop what still writes once a code is not 0. */
bool nnc_crew_all_well(nnc_crew crew, uint64_t digest, nnc_status *status, nnc_error *err);

/* Sleeps for a moment. Only in a build with MPI. */
void nnc_crew_nap(void);
/* Sleeps until a request of MPI (an MPI_Request) is done. Only in a build with MPI. */
void nnc_crew_wait(void *request);

/* As nnc_pool_run, which it is for a crew of one. Every rank must call it with the same rows; of a larger crew
 * threads do not count, emit on rank 0 only. */
nnc_status nnc_crew_run(nnc_crew crew, const nnc_pool *pool, nnc_error *err);

/* ---- constraints (where.c) ---- */

/* Constraints: "tensor * pipeline <= 64 && micro_batch > 1", in the grammar of base/expression.h. True is 1, % is fmod(),
 * texts compare by == and != only. A value that is not recorded makes every comparison but != false. */

enum { NNC_WHERES_MAX = 8, NNC_WHERE_NODES = 128, NNC_WHERE_TEXT = 512 };

typedef enum nnc_where_kind {
    NNC_WHERE_NUMBER,
    NNC_WHERE_WORD,
    NNC_WHERE_VARIABLE,
    NNC_WHERE_OPERATOR
} nnc_where_kind;

typedef struct nnc_where_node {
    nnc_where_kind kind;
    nnc_operator of;
    int32_t left, right;    /* nodes; -1 = none */
    int32_t variable, text; /* as the caller counts them; a place in texts */
    double number;
} nnc_where_node;

typedef struct nnc_where {
    nnc_where_node nodes[NNC_WHERE_NODES];
    int32_t node_count, root;
    char texts[NNC_WHERE_TEXT];
    int32_t text_size;
} nnc_where;

/* Gives a name its number, which nnc_where_read is asked for later. */
typedef nnc_status nnc_where_name(void *context, const char *name, int32_t *variable,
                                  nnc_error *err);

/* Reads a constraint; what is wrong is said with its place, of option. NNC_BAD_USAGE, or what name
 * returns. */
nnc_status nnc_where_parse(const char *option, const char *text, nnc_where_name *name,
                           void *context, nnc_where *where, nnc_error *err);

/* The value of a variable; NULL when it is not known yet. */
typedef const nnc_cell *nnc_where_read(void *context, int32_t variable);

typedef enum nnc_truth { NNC_FALSE, NNC_TRUE, NNC_NOT_KNOWN_YET } nnc_truth;

/* Is the constraint met? NNC_NOT_KNOWN_YET: that depends on variables not known yet. */
nnc_truth nnc_where_test(const nnc_where *where, nnc_where_read *read, void *context);

/* ---- sweeps (sweep.c, sweep_names.c, sweep_rows.c) ---- */

/* The inside of a sweep: its axes, the names it shows and tests, and the rows. */

enum { NNC_SWEEP_SLOTS_MAX = NNC_TABLE_COLUMNS };

typedef enum nnc_name_kind {
    NNC_NAME_ROW, /* the row's number */
    NNC_NAME_VERDICT,
    NNC_NAME_REASON,
    NNC_NAME_COMMAND,
    NNC_NAME_AXIS,
    NNC_NAME_FIELD,  /* of model, device or plan */
    NNC_NAME_FIGURE, /* of the estimate, by its name there */
    NNC_NAME_NONE
} nnc_name_kind;

/* What became of a plan. */
#define NNC_SWEEP_VERDICT_LIST(X)                                       \
    X(NNC_SWEEP_FITS, "fits")               /* its metrics are there */ \
    X(NNC_SWEEP_OVER_MEMORY, "over_memory") /* it does not fit */       \
    X(NNC_SWEEP_ILLEGAL, "illegal")         /* it has no metrics */
NNC_ENUM(nnc_sweep_verdict, NNC_SWEEP_VERDICT_LIST, NNC_SWEEP_VERDICTS);
const char *nnc_sweep_verdict_name(nnc_sweep_verdict value);

/* The columns that are a sweep's own, in the order of nnc_name_kind. */
extern const nnc_metrics nnc_sweep_own_metrics;

/* A name that a column, a constraint or --by uses. */
typedef struct nnc_slot {
    const char *name; /* in full: "plan.tensor", "step.step_s" */
    nnc_name_kind kind;
    int32_t index;           /* of the axis or the figure */
    nnc_sweep_target target; /* of a field */
    const char *field;
} nnc_slot;

struct nnc_sweep {
    nnc_specs *specs;
    nnc_arena *arena;
    nnc_sweep_axes axes;
    nnc_profiles profiles; /* where no axis names one */
    const char *cluster;   /* file; NULL = the devices' own links */
    nnc_columns figures;   /* the estimate's values */
    nnc_point point;       /* with every axis at its first value */
    int32_t groups;        /* of axes, so far */
    bool settled;          /* all axes are there */
    nnc_slot slots[NNC_SWEEP_SLOTS_MAX];
    int32_t slot_count;
    int32_t columns[NNC_TABLE_COLUMNS]; /* slots */
    nnc_head heads[NNC_TABLE_COLUMNS];  /* of the columns */
    int32_t column_count;
    nnc_where where[NNC_WHERES_MAX];
    const char *where_texts[NNC_WHERES_MAX];
    int32_t where_count;
    bool all;
    int32_t by; /* slot that rows are sorted by; -1 = none */
    bool by_falls;
    nnc_shard shard;
    int64_t shard_rows;
    const nnc_format *format; /* that rows are written in; NULL: packed cells */
};

/* Axes as nnc_sweep_add and nnc_sweep_link add them. where, option: what they were given to, for messages.
 * A pair is NAME=LIST. */
nnc_status nnc_sweep_add_as(nnc_sweep *sweep, const char *where, const char *name, const char *list,
                            nnc_error *err);
nnc_status nnc_sweep_add_pair(nnc_sweep *sweep, const char *option, const char *pair,
                              nnc_error *err);
nnc_status nnc_sweep_add_link(nnc_sweep *sweep, const char *option, const char *pairs,
                              nnc_error *err);
/* A model, device or profile as a whole. */
nnc_status nnc_sweep_add_whole(nnc_sweep *sweep, nnc_sweep_target target, const char *name,
                               const char *list, nnc_error *err);

/* The row that the part has in a place. */
static inline int64_t nnc_sweep_row_at(const nnc_sweep *sweep, int64_t place)
{
    return sweep->shard.number - 1 + place * sweep->shard.of;
}

/* Counts the rows, once: there are no more axes. */
nnc_status nnc_sweep_settle(nnc_sweep *sweep, nnc_error *err);

/* As nnc_sweep_columns and nnc_sweep_where. */
nnc_status nnc_sweep_add_columns(nnc_sweep *sweep, const char *option, const char *names,
                                 nnc_error *err);
nnc_status nnc_sweep_add_where(nnc_sweep *sweep, const char *option, const char *constraint,
                               nnc_error *err);
/* What rows are sorted by: COLUMN, COLUMN:asc or COLUMN:desc. */
nnc_status nnc_sweep_sort(nnc_sweep *sweep, const char *option, const char *by, nnc_error *err);

/* Digest of all that decides the rows but the part: version, axes, columns, constraints and the bytes of
 * the files. */
nnc_status nnc_sweep_digest(const nnc_sweep *sweep, uint64_t *made, nnc_error *err);

/* The command line of the row whose place on every group is given; the buffer is emptied first. */
void nnc_sweep_command(const nnc_sweep *sweep, const int32_t *places, nnc_buffer *out);

/* What one thread needs to work out rows. */
typedef struct nnc_sweeper nnc_sweeper;
nnc_sweeper *nnc_sweeper_create(const nnc_sweep *sweep); /* NULL when out of memory */
void nnc_sweeper_destroy(nnc_sweeper *sweeper);
/* Rows that it does at once. */
int64_t nnc_sweeper_chunk(const nnc_sweeper *sweeper);
/* nnc_pool's work. */
void nnc_sweeper_work(void *sweeper, nnc_batch *batch);

/* A pool over rows of the part, workers included; nnc_sweep_close_pool ends it. */
nnc_status nnc_sweep_open_pool(const nnc_sweep *sweep, int64_t first, int threads, nnc_pool *pool,
                               nnc_error *err);
void nnc_sweep_close_pool(nnc_pool *pool);

/* A field that a name stands for. */
typedef struct nnc_found_field {
    nnc_sweep_target target;
    const nnc_field *field;
    const char *prefix; /* "plan." */
    const char *dotted; /* the name after it, as it was written */
} nnc_found_field;

/* Finds a field of plan, model or device, in this order unless a prefix says which. shown: one that has a
 * value of its own. */
bool nnc_sweep_find(const nnc_point *point, const char *name, bool shown, nnc_found_field *found);
/* "plan.tensor"; NULL when out of memory. */
const char *nnc_found_name(nnc_arena *arena, const nnc_found_field *found);
/* Names of all fields, at most max. */
size_t nnc_sweep_field_names(const nnc_point *point, const char **names, size_t max);

/* A field of the point's model or device, or of plan, and the object it is in; NULL = there is none. */
const nnc_field *nnc_sweep_field(nnc_sweep_target target, const nnc_point *point,
                                 const nnc_plan *plan, const char *field, const void **object,
                                 nnc_dtype *dtype);

/* Is a value of the field a number? */
bool nnc_sweep_numeric(const nnc_field *field);

/* The value of a field as a cell; a text goes into text. */
nnc_cell nnc_field_cell(const nnc_slot *slot, const nnc_point *point, const nnc_plan *resolved,
                        char *text, size_t size);

#endif
