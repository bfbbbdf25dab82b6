/* Pipelines that are replayed side by side, once there are enough of one schedule, stages and micro-batches; and the plans
 * that wait for their times. */
#ifndef NNCOST_SEARCH_REPLAYS_H
#define NNCOST_SEARCH_REPLAYS_H

#include "pipeline/pipeline.h"

enum { NNC_ENDS_MAX = 8 };

/* So many stages in a row, and what each does after its passes. */
typedef struct nnc_stage_end {
    int32_t stages;
    double end_s;
} nnc_stage_end;

/* A plan that waits. */
typedef struct nnc_waiting {
    uint64_t index;
    int64_t memory_bytes;
    bool fits;
    int32_t track, end_count;
    nnc_stage_end ends[NNC_ENDS_MAX]; /* one, of the slowest, where all stages end together */
} nnc_waiting;

/* Where a pipeline waits; until it is replayed. */
typedef struct nnc_replay_place {
    int32_t set, track;
    uint64_t number; /* of the set that it was of */
} nnc_replay_place;

/* Told what a plan's step takes; a step of NaN could not be replayed. */
typedef void nnc_waited_fn(void *context, const nnc_waiting *plan, double step_s);

typedef struct nnc_replays nnc_replays;

/* NULL when out of memory. */
nnc_replays *nnc_replays_create(nnc_waited_fn *waited, void *context);
void nnc_replays_destroy(nnc_replays *replays);

/* Can pipelines of such a plan be replayed side by side? */
bool nnc_replays_suit(const nnc_plan *plan);

/* Adds a pipeline; memory is for replays that become due. */
nnc_replay_place nnc_replays_add(nnc_replays *replays, const nnc_pipeline *pipeline,
                                 nnc_pipeline_memory *memory);

/* Does a pipeline still wait, with room for one more plan? */
bool nnc_replays_has(const nnc_replays *replays, const nnc_replay_place *track);

/* A plan waits for a pipeline that does. */
void nnc_replays_wait(nnc_replays *replays, const nnc_replay_place *track, nnc_waiting *plan);

/* Replays all. */
void nnc_replays_finish(nnc_replays *replays, nnc_pipeline_memory *memory);

#endif
