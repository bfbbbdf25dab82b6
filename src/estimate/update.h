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

/* Tails of one step, by what a device holds: its bounds, its stages and its rows ask for them again. */
typedef struct nnc_tail_store {
    int32_t count;
    struct {
        nnc_holding holding;
        nnc_tail tail;
    } of[NNC_TAILS_MAX];
} nnc_tail_store;

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
