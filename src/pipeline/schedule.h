/* The pipeline schedules: one row each. Whoever needs to know something about a schedule asks its row. */
#ifndef NNCOST_PIPELINE_SCHEDULE_H
#define NNCOST_PIPELINE_SCHEDULE_H

#include <nncost/plan.h>

#include "base/derivation.h"

struct nnc_pipeline;
struct nnc_pipeline_device;
struct nnc_wave_shape;

/* Equal stages: how many, chunks per device, and the seconds of one micro-batch on all chunks of a
 * stage: forward, input gradient, weight gradient. */
typedef struct nnc_equal_stages {
    double p, v, f, b, w;
} nnc_equal_stages;

typedef struct nnc_schedule_row {
    int32_t chunks; /* groups of layers per device; 0 = the plan's virtual_stages, taken in turn */
    bool folded;    /* the second chunk or direction runs back up: both ends on the first device */
    bool dual;      /* enters at both ends: a device holds a stage of either direction */
    bool splits;    /* weight gradients are ops of their own */
    bool frees_early; /* activations count as kept to the end of the input gradient all the same */
    bool rolls; /* needs no barrier between steps: a step starts with a stage's own first pass */
    int32_t searched; /* place among those a search tries; 0 = none */
    /* Writes the order list of device number d. */
    void (*write)(const struct nnc_pipeline *pipeline, int64_t d,
                  struct nnc_pipeline_device *device);
    /* Lead and skew of the slots, where all devices move in step; NULL = they do not. */
    void (*wave)(struct nnc_wave_shape *shape, int64_t micro_batches);
    /* Idle seconds of a step: see nnc_pipeline_bubble_s. */
    double (*bubble_s)(const nnc_equal_stages *s, nnc_derivation *why);
    /* Most micro-batches kept at once by the device of a stage: see nnc_pipeline_in_flight. */
    double (*in_flight)(double m, double p, double v, double stage, nnc_derivation *why);
} nnc_schedule_row;

extern const nnc_schedule_row *const nnc_schedule_rows[];

/* The row of a schedule; that of 1f1b for NNC_SCHEDULE_COUNT, not given. */
static inline const nnc_schedule_row *nnc_schedule_of(nnc_schedule schedule)
{
    return nnc_schedule_rows[(unsigned)schedule < NNC_SCHEDULE_COUNT ? schedule
                                                                     : NNC_SCHEDULE_1F1B];
}

/* Groups of layers that each device of the plan's pipeline holds. */
static inline int32_t nnc_schedule_chunks(const nnc_plan *plan)
{
    const int32_t chunks = nnc_schedule_of(plan->schedule)->chunks;
    return chunks > 0 ? chunks : plan->virtual_stages;
}

/* Do both ends of the plan's pipeline lie on one device? Says nothing without a pipeline. */
static inline bool nnc_schedule_ends_meet(const nnc_plan *plan)
{
    return nnc_schedule_of(plan->schedule)->folded;
}

/* Do weight gradients of the plan run as ops of their own? */
static inline bool nnc_schedule_splits(const nnc_plan *plan)
{
    return plan->pipeline > 1 && nnc_schedule_of(plan->schedule)->splits;
}

/* Do micro-batches of the plan enter at both ends? */
static inline bool nnc_schedule_dual(const nnc_plan *plan)
{
    return plan->pipeline > 1 && nnc_schedule_of(plan->schedule)->dual;
}

/* Is the plan's schedule another one under a different name? Without a pipeline all of them are the
 * same, and with one virtual stage interleaved is plain 1f1b. */
bool nnc_schedule_repeats(const nnc_plan *plan);

/* Fills in the schedule, and checks what it asks of stages, virtual stages and layers.
 * NNC_ILLEGAL_PLAN: err names the option, the rule with its numbers, and what would be legal. */
nnc_status nnc_schedule_resolve(nnc_plan *plan, int64_t layers, nnc_error *err);
/* The same for what it asks of the number of micro-batches. */
nnc_status nnc_schedule_check(const nnc_plan *plan, nnc_error *err);

/* nnc_pipeline_bubble_s and nnc_pipeline_in_flight, saying how. */
double nnc_pipeline_say_bubble(nnc_schedule schedule, const nnc_equal_stages *equal,
                               nnc_derivation *why);
double nnc_pipeline_say_in_flight(nnc_schedule schedule, int32_t stages, int32_t chunks,
                                  int64_t micro_batches, int32_t stage, nnc_derivation *why);

#endif
