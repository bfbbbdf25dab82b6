/* Seconds per op -> seconds per step. */
#ifndef NNCOST_ESTIMATE_STEP_H
#define NNCOST_ESTIMATE_STEP_H

#include <nncost/estimate.h>

#include "base/derivation.h"
#include "cost/memory.h"
#include "cost/network.h"
#include "cost/rows.h"
#include "estimate/stages.h"
#include "estimate/sync.h"
#include "pipeline/pipeline_replay.h"

/* Seconds of what happens once per step: exposed ones of each exchange, in their order, and all of the update. */
typedef struct nnc_tail_seconds {
    nnc_comm comm[NNC_STEP_EXCHANGES_MAX];
    double exposed_s[NNC_STEP_EXCHANGES_MAX], update_s;
    int exchanges;
} nnc_tail_seconds;

/* The same by what a device holds: equal in all steps of one micro-batch that differ in nothing but the order of their
 * passes. */
enum { NNC_TAILS_MAX = 4 };
typedef struct nnc_tails {
    int32_t count;
    struct {
        nnc_holding holding;
        nnc_tail_seconds seconds;
    } of[NNC_TAILS_MAX];
} nnc_tails;

/* What a tail depends on of what a device holds. */
typedef struct nnc_tail_held {
    nnc_parameters dense, expert; /* that are trained */
    double tied_params;
} nnc_tail_held;

/* That, and what tails hide behind whatever the plan shards: equal in all steps with the same passes. */
typedef struct nnc_tail_window {
    nnc_holding holding;
    nnc_tail_held held;
    nnc_hideout hideout;
} nnc_tail_window;

enum { NNC_WINDOWS_MAX = 6 };
typedef struct nnc_tail_windows {
    int32_t count;
    nnc_tail_window of[NNC_WINDOWS_MAX];
} nnc_tail_windows;

/* Everything a step is put together from. */
typedef struct nnc_step {
    const nnc_device *device;
    const nnc_plan *plan;
    const nnc_software *software;
    const nnc_op_list *list;      /* of one rank */
    const nnc_segment_sums *sums; /* of the list's segments */
    const nnc_network *network;   /* NULL on one device */
    double tied_params;           /* of one rank: table at both ends of a pipeline, else 0 */
    nnc_launch launch;
    double send_bytes;            /* activations from stage to stage, one micro-batch */
    double send_s;                /* seconds of that; 0 without a pipeline */
    bool free[NNC_BOUND_COUNT];   /* what costs nothing, to see what a step would take without */
    nnc_tails *tails;             /* of such steps, added to; NULL = they are not kept */
    nnc_tail_windows *windows;    /* of the same passes, likewise */
    struct nnc_tail_store *store; /* of this plan, list and network; NULL = there is none */
    nnc_derivation *why;          /* NULL: the step is not explained */
} nnc_step;

/* Replays of the last few pipelines. Plans that differ in what happens once per step have the same
 * passes: their pipelines run alike, to the last digit, and need not run again. */
enum { NNC_REPLAYS = 8 };
typedef struct nnc_replayed {
    nnc_schedule schedule;
    int32_t stages, virtual_stages; /* 0 = empty */
    int64_t micro_batches;
    double send_s, total_s;
    double forward_s[NNC_VIRTUAL_STAGES_MAX], backward_s[NNC_VIRTUAL_STAGES_MAX],
        weight_s[NNC_VIRTUAL_STAGES_MAX];
    double span_s[NNC_STAGES_MAX], busy_s[NNC_STAGES_MAX];
} nnc_replayed;

/* Working memory of a step. */
typedef struct nnc_step_memory {
    nnc_deal deal;
    nnc_holding holdings[NNC_STAGES_MAX];
    bool alike[NNC_STAGES_MAX]; /* holds what the stage before does */
    nnc_stage stages[NNC_STAGES_MAX];
    nnc_pipeline_memory pipeline;
    nnc_pipeline_result run;
    double delay_s; /* of the step, by messages between stages */
    double forward_s[NNC_VIRTUAL_STAGES_MAX], backward_s[NNC_VIRTUAL_STAGES_MAX],
        weight_s[NNC_VIRTUAL_STAGES_MAX];
    double send_s; /* of the last run */
    int64_t runs;  /* so far */
    nnc_replayed replays[NNC_REPLAYS];
    int32_t oldest; /* the next to be replaced */
} nnc_step_memory;

/* A step that keeps them in `tails`, which is emptied: each device is asked for several times. */
static inline nnc_step nnc_step_keeping(const nnc_step *step, nnc_tails *tails)
{
    nnc_step keeping = *step;
    tails->count = 0;
    keeping.tails = tails;
    return keeping;
}

/* Deals the layers out and fills memory->holdings and alike: what each device of the pipeline keeps, for how
 * many micro-batches in flight. */
void nnc_step_deal(const nnc_step *step, nnc_step_memory *memory);
/* The same for another number of micro-batches, where all else of the plan is as it was dealt out for: what they
 * keep in flight. Is that what it was? */
bool nnc_step_deal_again(const nnc_step *step, nnc_step_memory *memory);
/* What plans of one list were dealt, found again by all that it depends on; pipelines that are long are not kept. */
enum {
    NNC_DEALT_BITS = 8,
    NNC_DEALT = 1 << NNC_DEALT_BITS,
    NNC_DEALT_STAGES = 32,
    NNC_DEALT_VIRTUAL = 64
};
typedef struct nnc_dealt {
    uint64_t key; /* 0 = empty */
    int32_t virtual_stages;
    bool alike[NNC_DEALT_STAGES], virtual_alike[NNC_DEALT_VIRTUAL];
    nnc_holding holdings[NNC_DEALT_STAGES];
    nnc_share shares[NNC_DEALT_VIRTUAL];
} nnc_dealt;
/* nnc_step_deal, for plans that differ in pipeline, schedule, virtual stages, micro-batches and full recomputation alone. */
void nnc_step_deal_kept(const nnc_step *step, nnc_dealt kept[NNC_DEALT], nnc_step_memory *memory);
/* Says how many micro-batches a device keeps in flight. */
void nnc_step_say_in_flight(const nnc_step *step, int32_t device);

/* Times the step: rows hold the op table of one micro-batch on a rank that held every layer. On
 * return they are those of the busiest stage over the whole step, with its exchanges and its update
 * appended, and the result has the times. spare: room for as many rows. false: the pipeline is too large to
 * replay.   [step] */
bool nnc_step_time(const nnc_step *asked, nnc_rows *rows, nnc_rows *spare, nnc_step_memory *memory,
                   nnc_result *result);

/* Hides what hides in the rows, and sums them into units. */
void nnc_step_units(const nnc_step *step, nnc_rows *rows, nnc_unit units[NNC_SEGMENTS_MAX]);

/* The passes of a step, run through the schedule. */
typedef struct nnc_step_times {
    double total_s; /* of all passes */
    double send_s;  /* of a message between stages, as far as it is exposed */
    int64_t run;    /* of m->runs */
    int32_t stage;  /* the busiest */
} nnc_step_times;

/* Seconds of every virtual stage and of messages between stages, in m: the pipeline that nnc_step_core_run runs. */
void nnc_step_core_times(const nnc_step *step, const nnc_unit units[NNC_SEGMENTS_MAX],
                         nnc_step_memory *m);

/* The times of a step from its units alone, without rows. Estimate and search share them. First the
 * passes; false: the pipeline is too large to replay. */
bool nnc_step_core_run(const nnc_step *step, const nnc_unit units[NNC_SEGMENTS_MAX],
                       nnc_step_memory *m, nnc_step_times *times);
/* The step time of a pipeline: that of the stage which needs longest for its passes and, after them, for what
 * happens once per step. Fills in the latter in m->stages. */
double nnc_step_core_s(const nnc_step *step, const nnc_unit units[NNC_SEGMENTS_MAX],
                       const nnc_step_times *times, nnc_step_memory *m);
/* The step time and its parts: the busiest stage's, exposed communication, bubble. */
bool nnc_step_core_parts(const nnc_step *step, const nnc_unit units[NNC_SEGMENTS_MAX],
                         const nnc_step_times *times, nnc_step_memory *m, nnc_result *r);

/* Sums by part of the step and of the network. */
typedef struct nnc_group_sums {
    double sums[NNC_PARTS][NNC_GROUP_COUNT];
} nnc_group_sums;

/* FLOPs of one micro-batch: as run, and as its convention counts them. */
typedef struct nnc_pass_work {
    double full[NNC_PASS_PARTS], counted[NNC_PASS_PARTS], causal;
    nnc_group_sums groups; /* only where the step is explained */
} nnc_pass_work;

/* Share of each segment's instances that full recomputation runs again, over all stages. Is that all of them, or
 * none? */
bool nnc_step_recomputed(const nnc_step *step, const nnc_step_memory *m,
                         double shares[NNC_SEGMENTS_MAX]);

/* The mathematics of the rows of one micro-batch, which are of all tensor, context and expert ranks together; and that
 * of the whole step, in the result. */
void nnc_step_pass_work(const nnc_step *step, const nnc_rows *rows,
                        const double again[NNC_SEGMENTS_MAX], nnc_pass_work *work);
void nnc_step_work(const nnc_step *step, const nnc_pass_work *work, nnc_result *r);

/* The same of what kernels run, on all ranks: rows of one rank; replicated work counts each time. */
void nnc_step_executed(const nnc_step *step, const nnc_rows *rows, const nnc_step_memory *m,
                       nnc_result *r);

/* Seconds of one message from stage to stage: 0 where the network is free. */
double nnc_step_send_s(const nnc_step *step);
/* Works out what that takes of the step's list and links. */
void nnc_step_set_send(nnc_step *step, double send_bytes);

/* Passes through what a device holds; DualPipe runs half of the micro-batches through each of its
 * two stages. */
int64_t nnc_step_passes(const nnc_plan *plan);
/* The schedule over the times of the last run. Points into m. */
nnc_pipeline nnc_step_pipeline(const nnc_plan *plan, const nnc_step_memory *m);
/* Seconds of each virtual stage from the units of its segments. */
void nnc_step_virtual_times(const nnc_step *step, const nnc_unit units[NNC_SEGMENTS_MAX],
                            nnc_step_memory *m);
/* Runs the pipeline schedule over units into m->run; without a pipeline passes follow each other. */
bool nnc_step_run(const nnc_step *step, const nnc_unit units[NNC_SEGMENTS_MAX], double send_s,
                  nnc_step_memory *m);
/* Runs it again with another time to send. */
bool nnc_step_rerun(const nnc_plan *plan, double send_s, nnc_step_memory *m);
/* Fills m->stages from the last run, but for memory and what nnc_tail_stages fills. */
void nnc_step_describe(const nnc_step *step, const nnc_unit units[NNC_SEGMENTS_MAX],
                       nnc_step_memory *m);
/* Device with the longest busy time of m->run, the lowest on a tie. */
int32_t nnc_step_busiest(const nnc_step_memory *m, int32_t stages);
/* Leaves in rows what one device holds, repeated over the step. */
void nnc_step_restrict(const nnc_step *step, const nnc_holding *holding, nnc_rows *rows);
/* The largest and the second largest of what bounds the step. */
void nnc_step_rank(nnc_result *r);
/* Seconds of an op, unless it communicates, where some resources are free. */
double nnc_step_free_s(const nnc_step *step, double compute_s, double memory_s, double fixed_s);
/* The step, not its parts, if one resource were free: its rows, fresh, in every way through hiding, issuing and the
 * pipeline again. Leaves its own passes in m. */
double nnc_step_without_s(const nnc_step *step, nnc_bound bound, nnc_rows *fresh,
                          nnc_step_memory *m);

#endif
