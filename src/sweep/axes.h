/* The axes of a sweep: what varies, over which values, and the values of each row. */
#ifndef NNCOST_SWEEP_AXES_H
#define NNCOST_SWEEP_AXES_H

#include <nncost/spec.h>

#include "base/arena.h"
#include "base/cell.h"

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

#endif
