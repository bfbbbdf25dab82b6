/* The inside of a sweep: its axes, the names it shows and tests, and the rows. */
#ifndef NNCOST_SWEEP_SWEEP_H
#define NNCOST_SWEEP_SWEEP_H

#include <nncost/sweep.h>

#include "base/digest.h"
#include "input/field.h"
#include "metrics/report.h"
#include "render/table.h"
#include "sweep/point.h"
#include "sweep/pool.h"
#include "sweep/where.h"

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
