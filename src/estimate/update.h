/* What a device does once per step, after its last backward: gradients, update, weights. */
#ifndef NNCOST_ESTIMATE_UPDATE_H
#define NNCOST_ESTIMATE_UPDATE_H

#include "estimate/step.h"
#include "estimate/sync.h"

/* times: where nothing is free, and nothing hides. */
typedef struct nnc_tail {
    nnc_op exchanges[NNC_STEP_EXCHANGES_MAX];
    double exchange_s[NNC_STEP_EXCHANGES_MAX];
    int exchange_count;
    nnc_op updates[NNC_UPDATE_KIND_COUNT];
    nnc_work works[NNC_UPDATE_KIND_COUNT];
    nnc_timing times[NNC_UPDATE_KIND_COUNT];
    int update_count;
} nnc_tail;

/* All that a tail depends on besides what a device holds: of a plan (and its device and links, which are the plan's),
 * without what passes run and in which order. */
typedef struct nnc_tail_plan {
    nnc_plan plan;
    const nnc_software *software;
    int64_t passes; /* 0 where nothing of the tail is done in each */
} nnc_tail_plan;

/* Tails of steps whose plans are the same to them: bounds, stages and rows of one step ask for them again, and a search
 * does for every micro-batch and recomputation. */
enum { NNC_TAIL_STORE = 6 };
typedef struct nnc_tail_store {
    nnc_tail_plan plan; /* of a search */
    bool one_step;      /* tails are found by what a device holds, without adding that up */
    int32_t count, oldest;
    struct {
        nnc_holding holding; /* of one step */
        nnc_tail_held held;
        nnc_tail tail;
    } of[NNC_TAIL_STORE];
} nnc_tail_store;

/* Empties a store unless its tails are those of such a step, on the same device. */
void nnc_tail_store_suit(nnc_tail_store *store, const nnc_step *step);

/* From the store of the step, else in the room that is given. */
const nnc_tail *nnc_tail_of(const nnc_step *step, const nnc_holding *holding, nnc_tail *room);

/* Fills exchange_s and update_s of every stage; stages that hold the same have the same tail. */
void nnc_tail_stages(const nnc_step *step, const nnc_unit units[NNC_SEGMENTS_MAX],
                     const nnc_overlap *overlap, nnc_step_memory *m);

/* Adds the exposed and the updating seconds of one device to the result. */
void nnc_tail_times(const nnc_step *step, const nnc_unit units[NNC_SEGMENTS_MAX],
                    const nnc_holding *holding, const nnc_overlap *overlap, nnc_result *r);

/* Appends the tail of one device to its rows. */
void nnc_tail_append(const nnc_step *step, const nnc_unit units[NNC_SEGMENTS_MAX],
                     const nnc_holding *holding, const nnc_overlap *overlap, nnc_rows *rows);

#endif
