/* Plans that are lowered alike. Of a plan a part alone decides which ops a rank runs in a pass; plans that differ in the
 * rest, pipeline degrees or ZeRO stages, share the list, its sums and its table. */
#ifndef NNCOST_ESTIMATE_ALIKE_H
#define NNCOST_ESTIMATE_ALIKE_H

#include <string.h>

#include "estimate/step.h"

/* What is worked out once for plans that are lowered alike. */
typedef struct nnc_alike {
    bool listed, found, worked, tabled; /* so far; found: for another plan */
    uint64_t list_number;               /* another one for another list */
    nnc_plan seen; /* all of a plan that its list depends on: see nnc_plan_seen */
    nnc_software software;
    nnc_op_list whole; /* undivided */
    nnc_op_list list;  /* of one rank; after `count` ops what the last plan adds */
    int32_t count;
    double grad_accumulate; /* of the list and the table */
    nnc_segment_sums sums[NNC_SEGMENTS_MAX];
    nnc_pass_work work; /* where recomputation does not depend on the stage */
    nnc_rows rows;      /* of those `count` ops, over these routes */
    nnc_route routes[NNC_ROUTES_OF_LAYERS];
    uint64_t table; /* number of the table, another one for other rows; 0 = none yet */
} nnc_alike;

/* The last few, of a model on a device. Both stay as they are until nnc_scratch_share is called again; or where nobody
 * promises that, they are held against those of the last estimate. */
enum { NNC_ALIKE = 4 };
typedef struct nnc_shared {
    const nnc_model *model; /* NULL: nothing is shared */
    const nnc_device *device;
    bool promised;
    nnc_model last_model; /* of the last estimate without a promise */
    nnc_device last_device;
    int32_t oldest; /* the next to be replaced */
    uint64_t lists, tables;
    nnc_timed_products timed;
    nnc_alike *last; /* that was found; NULL = none yet */
    int32_t count;
    nnc_alike alike[]; /* so many */
} nnc_shared;

/* With room for so many lists; free it. NULL when out of memory. */
nnc_shared *nnc_shared_create(int32_t count);

/* Nothing is shared with what was before. */
void nnc_shared_begin(nnc_shared *shared, const nnc_model *model, const nnc_device *device);

/* Two estimates in a row of equal models on equal devices share what they have in common. */
void nnc_shared_notice(nnc_shared *shared, const nnc_model *model, const nnc_device *device);

/* Equal bytes are equal values; others are worked out again. */
static inline bool nnc_same_bytes(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

/* A plan without what no op list depends on. Lists are lowered from it, so they cannot. */
nnc_plan nnc_plan_seen(const nnc_plan *plan);

/* How it is lowered: formats, and who adds to the weight gradients. */
nnc_lowering nnc_lowering_of(const nnc_plan *plan, const nnc_software *software,
                             nnc_attention attention);

/* The same from what lists depend on of a plan, which is left in seen. */
nnc_lowering nnc_lowering_seen(const nnc_plan *plan, const nnc_software *software, nnc_plan *seen);

/* The lists and sums of a plan, made unless they are there. */
nnc_status nnc_alike_find(nnc_shared *shared, const nnc_plan *plan, const nnc_software *software,
                          nnc_alike **found, nnc_error *err);

/* Another share of passes that add to a gradient already there, which shows in the weight gradients alone. */
void nnc_alike_accumulate(const nnc_shared *shared, double grad_accumulate, nnc_alike *alike);

/* The number of the table that its plans share, which is made unless it is there; and that table with what the last
 * plan added. */
uint64_t nnc_alike_table(nnc_shared *shared, nnc_alike *alike, const nnc_step *step);
void nnc_alike_rows(nnc_shared *shared, nnc_alike *alike, const nnc_step *step, nnc_rows *rows);

#endif
