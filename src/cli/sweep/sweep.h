/* A sweep as the command line asks for it: its axes, the names it shows and tests, and the rows. */
#ifndef NNCOST_CLI_SWEEP_SWEEP_H
#define NNCOST_CLI_SWEEP_SWEEP_H

#include "base/digest.h"
#include "cli/command.h"
#include "cli/share.h"
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
    NNC_NAME_AXIS,
    NNC_NAME_FIELD,  /* of model, device or plan */
    NNC_NAME_FIGURE, /* of the estimate, by its name there */
    NNC_NAME_NONE
} nnc_name_kind;

/* A name that a column, a constraint or --by uses. */
typedef struct nnc_slot {
    const char *name; /* in full: "plan.tensor", "step.step_s" */
    nnc_name_kind kind;
    int32_t index;           /* of the axis or the figure */
    nnc_sweep_target target; /* of a field */
    const char *field;
} nnc_slot;

typedef struct nnc_sweep {
    nnc_arena *arena;
    nnc_sweep_axes axes;
    nnc_software software; /* where no axis names one */
    const char *cluster;   /* file; NULL = the devices' own links */
    nnc_columns figures;   /* the estimate's values */
    nnc_slot slots[NNC_SWEEP_SLOTS_MAX];
    int32_t slot_count;
    int32_t columns[NNC_TABLE_COLUMNS]; /* slots */
    nnc_head heads[NNC_TABLE_COLUMNS];  /* of the columns */
    int32_t column_count;
    nnc_where where[NNC_WHERES_MAX];
    int32_t where_count;
    bool all;
    int32_t by; /* slot that rows are sorted by; -1 = none */
    bool by_falls;
    nnc_shard shard;
    int64_t shard_rows;
    const nnc_format *format;     /* NULL: packed cells, for a database */
    char digest[NNC_DIGEST_TEXT]; /* of all that decides the rows, but the shard */
} nnc_sweep;

/* Reads the operands and options into axes; every value is tried. */
nnc_status nnc_sweep_bind(nnc_session *session, nnc_sweep *sweep, nnc_error *err);

/* Finds the names that columns, --where and --by use. sample: a point at row 0. */
nnc_status nnc_sweep_resolve(const nnc_options *options, nnc_point *sample, nnc_sweep *sweep,
                             nnc_error *err);

/* What one thread needs to work out rows. */
typedef struct nnc_sweeper nnc_sweeper;
nnc_sweeper *nnc_sweeper_create(const nnc_sweep *sweep); /* NULL when out of memory */
void nnc_sweeper_destroy(nnc_sweeper *sweeper);
/* nnc_pool's work. */
void nnc_sweeper_work(void *sweeper, nnc_batch *batch);

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
