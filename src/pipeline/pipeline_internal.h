/* Pipeline schedules: the order in which each stage runs micro-batches, and the times that follow from it.
 *
 *     schedule.c    one row per schedule: order lists, closed forms, rules for plans
 *     peak.c        the most bytes that a device keeps if its chunks differ
 *     pipeline.c    replay of the order lists, op by op, for any schedule
 *     wave.c        faster replay, slot by slot, for schedules with slots common to all devices
 *
 * Both replays skip the steady part of a long schedule in closed form.
 *
 * In this folder an op is one phase (forward, backward or weight gradient) of one micro-batch on one virtual stage. */
#ifndef NNCOST_PIPELINE_PIPELINE_INTERNAL_H
#define NNCOST_PIPELINE_PIPELINE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nncost/plan.h>

#include "base/derivation.h"

/* ---- pipeline.c: a pipeline and its replay ---- */

/* One pipeline to replay. Virtual stages are numbered in the order in which a micro-batch passes them in forward; there
 * are stages * chunks of them. Each device runs a fixed order list: an op starts as soon as its input has arrived and
 * the previous op of the device is done. schedule.c has the lists and their sources.   [pipeline] */
typedef struct nnc_pipeline {
    nnc_schedule schedule;
    int32_t stages; /* devices in the pipeline, >= 1 */
    int32_t chunks; /* virtual stages per device: 1, 2 for zb-v, any for interleaved */
    int64_t micro_batches;
    const double *forward_s;  /* seconds of forward of each virtual stage; the two arrays below also have one entry per
                               * virtual stage */
    const double *backward_s; /* time of input gradient and recomputation */
    const double *weight_s;   /* seconds of the weight gradient: a separate op in zb-* and dualpipe, otherwise part of
                               * the backward op */
    double send_s;            /* seconds of a message to the next virtual stage on another device, in each direction;
                               * blocks neither device */
} nnc_pipeline;

typedef enum nnc_pipeline_phase {
    NNC_RUN_FORWARD,
    NNC_RUN_BACKWARD, /* both gradients, or only the input gradient if the schedule splits backward */
    NNC_RUN_WEIGHT
} nnc_pipeline_phase;

typedef struct nnc_pipeline_event {
    int32_t device, chunk; /* device of the interval; its chunk, from 0, or in dualpipe its direction, 0 or 1 */
    int64_t micro_batch;
    nnc_pipeline_phase phase;
    double start_s, end_s;
} nnc_pipeline_event;

/* Receives one interval in which a device runs an op. The intervals of one device come in time order. */
typedef void nnc_pipeline_event_fn(void *context, const nnc_pipeline_event *event);

enum {
    NNC_PIPELINE_STAGES_MAX = 1024,
    NNC_PIPELINE_VIRTUAL_MAX = 4096 /* largest number of virtual stages: stages * chunks; dualpipe counts both
                                     * directions */
};

/* Times of a replayed pipeline. The first `stages` entries of each array are set, one per device. */
typedef struct nnc_pipeline_result {
    double total_s;    /* seconds of a step: the longest span_s */
    double makespan_s; /* seconds from the first start to the last end of all devices */
    /* Seconds of one step on a device. zb-*: from the first start to the last end of this device, because these
     * schedules need no barrier between steps. dualpipe: from 0 to the last end of this device. Other schedules:
     * total_s. */
    double span_s[NNC_PIPELINE_STAGES_MAX];
    double busy_s[NNC_PIPELINE_STAGES_MAX];
    double in_flight[NNC_PIPELINE_STAGES_MAX]; /* most micro-batches kept at once, where one chunk counts as 1/chunks;
                                                * see nnc_pipeline_in_flight */
} nnc_pipeline_result;

/* Working memory of replays. Allocate it once with calloc and use it for any number of replays. A small pipeline
 * touches only a part of its few MB. */
typedef struct nnc_pipeline_memory nnc_pipeline_memory;

/* Replays the whole schedule op by op, in a topological order; event may be NULL. The result is exact; the time is
 * O(stages * chunks * micro_batches). Returns false if a value of the pipeline is illegal or exceeds a limit. */
bool nnc_pipeline_replay(const nnc_pipeline *pipeline, nnc_pipeline_memory *memory, nnc_pipeline_result *result,
                         nnc_pipeline_event_fn *event, void *context);

/* Computes the same results as nnc_pipeline_replay, much faster for many micro-batches: replays until the growth is
 * steady and then continues in closed form. With micro_batches <= 16 it skips no ops, and results are bitwise equal to
 * nnc_pipeline_replay, otherwise equal up to rounding. Takes up to INT64_MAX / (4 * chunks) micro-batches. If stages
 * are nearly equal, growth may not become steady within 2^23 / stages micro-batches. The growth so far is then
 * extrapolated, and the result is a little low. Returns false if the schedule cannot run. */
bool nnc_pipeline_run(const nnc_pipeline *pipeline, nnc_pipeline_memory *memory, nnc_pipeline_result *result);

/* Number of pipelines in a batch that is replayed at once. All pipelines of a batch have the same schedule, stages,
 * chunks and micro-batches. Pipeline k of the batch is called track k. Its time of virtual stage s is at index s *
 * NNC_TRACKS + k. */
enum { NNC_TRACKS = 8, NNC_TRACKS_STAGES_MAX = NNC_PIPELINE_STAGES_MAX / NNC_TRACKS };

/* Replays the first `count` tracks (pipelines of a batch); each result is bitwise equal to nnc_pipeline_run. send_s has
 * one value per track; pipeline->send_s is not read. Sets span_s of device d on track k at d * NNC_TRACKS + k, and
 * total_s of each track. Returns false if stages is below 2 or above NNC_TRACKS_STAGES_MAX, or if nnc_pipeline_run
 * would return false. */
bool nnc_pipeline_run_tracks(const nnc_pipeline *pipeline, const double send_s[NNC_TRACKS], int32_t count,
                             nnc_pipeline_memory *memory, double *span_s, double total_s[NNC_TRACKS]);

/* ---- vectors ---- */

/* Tests whether the processor has vector instructions for four numbers. Results are bitwise equal without them. */
bool nnc_is_wide(void);

/* NNC_WIDE: a function that runs only if nnc_is_wide returns true. NNC_EACH functions are compiled separately for each
 * number of tracks (pipelines) and each processor. */
#if defined(__x86_64__) && defined(__GNUC__)
#define NNC_WIDE __attribute__((target("avx2")))
#else
#define NNC_WIDE
#endif

/* Four values, one per track (pipeline), that are loaded, added and stored at once. Stores of two values would delay
 * the next load of all four by some cycles. */
#if defined(__GNUC__) && !defined(__OPTIMIZE_SIZE__)
#define NNC_EACH static inline __attribute__((always_inline))
typedef double nnc_four __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double)), may_alias));
#define NNC_FOUR(at) (*(nnc_four *)(at))
#define NNC_FOUR_OF(at) (*(const nnc_four *)(at))
enum { NNC_STEP = 4 };
#else
#define NNC_EACH static inline
#define NNC_FOUR(at) (*(at))
#define NNC_FOUR_OF(at) (*(at))
enum { NNC_STEP = 1 };
#endif

NNC_EACH void nnc_copy_tracks(double *to, const double *from, const int64_t tracks) {
    if (tracks == 1) {
        *to = *from;
        return;
    }
    for (int64_t k = 0; k < tracks; k += NNC_STEP) { NNC_FOUR(&to[k]) = NNC_FOUR_OF(&from[k]); }
}

/* ---- wave.c: schedules with slots that are common to all devices ---- */

enum {
    NNC_SKIP_MIN = 16, /* least number of repeats that are skipped: skipping fewer saves no time */
    /* After this many replayed ops without a period, the replay assumes that all times grow by the same amount in each
     * period. */
    NNC_SKIP_FORCE_OPS = 1 << 22,
    /* Entries of one array: one more than the number of stages, plus padding. The padding keeps entries with equal
     * index in different arrays out of the same cache set. */
    NNC_WAVE_ENTRIES = NNC_PIPELINE_STAGES_MAX + 5 * NNC_TRACKS
};

/* State of a replay between two slots; entries are 0 before any message was sent. If several pipelines (tracks)
 * are replayed at once, entry i of track k is at i * tracks + k, in this struct and in the arrays below. */
typedef struct nnc_wave_state {
    double free_s[NNC_WAVE_ENTRIES]; /* end of the last op of device i */
    double down_s[NNC_WAVE_ENTRIES]; /* arrival of the forward message to device i; entry p wraps around to device 0 */
    double up_s[NNC_WAVE_ENTRIES];   /* arrival of the backward message to device i - 1; entry 0 wraps around to the
                                      * last device */
} nnc_wave_state;

/* The device that moves to its next chunk in the next slot of a replay. Chunks repeat every turn (stages * chunks
 * slots), so skipping whole turns does not change the cursor. */
typedef struct nnc_wave_cursor {
    int64_t place, chunk; /* place: number of the device, from 0 at the end where micro-batches enter */
} nnc_wave_cursor;

typedef struct nnc_wave {
    nnc_wave_state now;
    nnc_wave_cursor forward, backward;
    nnc_wave_state then, later; /* remembered states: `then` is the oldest, `later` lies between `then` and `now`; their
                                       * differences show a period or a constant growth */
    /* saved: state before a trial; kept: final state of finished tracks (pipelines) */
    nnc_wave_state saved, kept;
    double first_s[NNC_WAVE_ENTRIES]; /* start of the first op of each device in the step */
    double forward_s[NNC_WAVE_ENTRIES], forward_send_s[NNC_WAVE_ENTRIES];
    double backward_s[NNC_WAVE_ENTRIES], backward_send_s[NNC_WAVE_ENTRIES];
    double weight_s[NNC_WAVE_ENTRIES];
} nnc_wave;

/* A schedule by two numbers, lead and skew, that give the ops of each slot; see the top of wave.c. */
typedef struct nnc_wave_shape {
    const nnc_pipeline *pipeline; /* pipeline with the times of all tracks */
    const double *send_s;         /* send time of each track (pipeline) */
    int64_t tracks, stride;       /* tracks: 1 or NNC_TRACKS; stride: distance in the arrays between two times of one
                                   * track */
    int64_t p, v, ops;            /* p: number of devices; v: chunks per device; ops: number of ops of one phase on one
                                   * device */
    int64_t lead, skew;
    bool splits, wide; /* splits: weight gradients are separate ops; wide: the processor adds four numbers with one
                        * instruction */
} nnc_wave_shape;

nnc_wave_shape nnc_wave_shape_of(const nnc_pipeline *pipeline, const double *send_s, int64_t tracks);
/* Runs all slots of all tracks (pipelines of one batch) and skips periods where possible. Writes the start of each
 * device to first_s and its end to now.free_s. Each track has bitwise the same results as if it ran alone. */
void nnc_wave_run_tracks(const nnc_wave_shape *shape, int32_t count, nnc_wave *wave);

/* ---- order lists, which schedule.c writes and pipeline.c runs ---- */

enum {
    NNC_RUNS_MAX = 16,   /* most entries in the order list of one device: sequences of ops, with repeats */
    NNC_RUN_OPS_MAX = 6, /* most ops in one repeated sequence of an order list */
    NNC_QUEUE_SLOTS = 8, /* messages on the way between neighbours; a queue that wraps around has at least `stages`
                          * entries */
    NNC_QUEUES_MAX = 2 * NNC_PIPELINE_VIRTUAL_MAX,
    NNC_SLOTS_MAX = NNC_QUEUES_MAX * NNC_QUEUE_SLOTS + 4 * NNC_PIPELINE_VIRTUAL_MAX
};

/* One op of an order list. The digits 0 and 1 are the two chunks of zb-v or the two directions of dualpipe; other
 * schedules use only 0. The first six values are also indices into the streams of a device. */
typedef enum nnc_run_op {
    NNC_F0,
    NNC_F1,
    NNC_B0,
    NNC_B1,
    NNC_W0,
    NNC_W1,
    NNC_STREAMS,
    NNC_BW0 = NNC_STREAMS, /* backward with both gradients; the input gradient is sent at its end */
    NNC_BW1,
    NNC_F0_BW1, /* F0 and BW1 run as one op; both results are sent at its end */
    NNC_F1_BW0
} nnc_run_op;

/* An entry of an order list: a sequence of ops and its repeats. Lists stay short for any number of micro-batches. */
typedef struct nnc_order_run {
    int64_t repeat;
    uint8_t ops;
    uint8_t op[NNC_RUN_OPS_MAX];
} nnc_order_run;

/* Messages from one virtual stage to the next, in micro-batch order. */
typedef struct nnc_queue {
    double *arrival_s; /* ring buffer of mask + 1 entries; the size is a power of two */
    double send_s;
    const double *sends_s; /* send_s of each track of a batch; not used with one track */
    uint64_t mask, put, got;
} nnc_queue;

/* All ops of one phase on one virtual stage, in micro-batch order. */
typedef struct nnc_stream {
    double time_s, send_s;   /* time_s: seconds of one op; send_s: seconds of one op and of sending the result of
                              * this op */
    const double *times_s;   /* seconds of one op on each track of a batch */
    nnc_queue *in, *out;     /* queues of messages to and from the stream; in is NULL for the first virtual stage of a
                              * pass, out for the last; both are NULL for weight gradients */
    int64_t done, limit;     /* number of ops done; ops of the order list past the limit are skipped */
    int64_t turn, turn_left; /* interleaved device. turn: number of ops per chunk; turn_left: number of ops until the
                              * next chunk */
    int32_t virtual_stage;
    int32_t keeps; /* change of the number of kept micro-batches by one op: 1 for forward, -1 for the op that frees
                    * activations, else 0 */
} nnc_stream;

typedef struct nnc_pipeline_device {
    int32_t run, op; /* run: index of the current entry of the order list; op: index of the next op in it */
    int64_t left;    /* unfinished repeats of the current entry of the order list */
    int32_t kept, kept_max, runs;
    bool started;
    nnc_stream stream[NNC_STREAMS];
    nnc_order_run order[NNC_RUNS_MAX];
} nnc_pipeline_device;

/* A copy of the replay state that is compared with later states to find a period. */
typedef struct nnc_pipeline_moment {
    double free_s[NNC_WAVE_ENTRIES]; /* end of the last op of each device; see nnc_wave_state */
    struct {
        int64_t left;
        int32_t run, op;
    } device[NNC_PIPELINE_STAGES_MAX];
    double arrival_s[NNC_SLOTS_MAX]; /* arrivals of messages on the way, queue by queue */
} nnc_pipeline_moment;

struct nnc_pipeline_memory {
    nnc_wave wave, tracks;
    nnc_pipeline_device device[NNC_PIPELINE_STAGES_MAX];
    nnc_queue forward[NNC_PIPELINE_VIRTUAL_MAX];  /* queue into each virtual stage from the one before it */
    nnc_queue backward[NNC_PIPELINE_VIRTUAL_MAX]; /* queue into each virtual stage from the one after it */
    double arrival_s[NNC_SLOTS_MAX];
    nnc_pipeline_moment moment;
};

/* ---- schedule.c: one row per schedule ---- */

/* A pipeline with equal stages: number of stages, chunks per device, and the seconds of forward, input gradient and
 * weight gradient of one micro-batch on all chunks of a stage. */
typedef struct nnc_equal_stages {
    double p, v, f, b, w;
} nnc_equal_stages;

/* The properties and functions of one pipeline schedule. */
typedef struct nnc_schedule_row {
    int32_t chunks;   /* groups of layers per device; 0 = the virtual_stages of the plan, interleaved */
    bool folded;      /* the second chunk or direction runs from the last device back to the first, so the first device
                       * has both ends */
    bool dual;        /* micro-batches enter at both ends: each device holds one stage for each direction */
    bool splits;      /* weight gradients are separate ops */
    bool frees_early; /* with splits: activations count as kept only until the end of the input gradient */
    bool keeps_all;   /* a device keeps all micro-batches of a step at once */
    bool rolls;       /* no barrier between steps: the step of a stage starts with the first pass of this stage */
    int32_t searched; /* position in the order in which a search tries schedules; 0 = a search does not try it */
    /* Writes the order list of device d, counted from 0. */
    void (*write)(const nnc_pipeline *pipeline, int64_t d, nnc_pipeline_device *device);
    /* Sets lead and skew, the numbers that give the ops of each slot (see wave.c); NULL = the schedule has no such
     * form. */
    void (*wave)(nnc_wave_shape *shape, int64_t micro_batches);
    /* Returns the idle seconds of a step; see nnc_pipeline_bubble_s. */
    double (*bubble_s)(const nnc_equal_stages *s, nnc_derivation *why);
    /* Returns the most micro-batches that a device keeps at once; see nnc_pipeline_in_flight. */
    double (*in_flight)(double m, double p, double v, double stage, nnc_derivation *why);
} nnc_schedule_row;

extern const nnc_schedule_row *const nnc_schedule_rows[];

/* Returns the row of a schedule. NNC_SCHEDULE_COUNT (not given) has the row of 1f1b. */
static inline const nnc_schedule_row *nnc_schedule_of(nnc_schedule schedule) {
    return nnc_schedule_rows[(unsigned)schedule < NNC_SCHEDULE_COUNT ? schedule : NNC_SCHEDULE_1F1B];
}

/* Returns the number of groups of layers that each device of the pipeline holds. */
static inline int32_t nnc_schedule_chunks(const nnc_plan *plan) {
    const int32_t chunks = nnc_schedule_of(plan->schedule)->chunks;
    return chunks > 0 ? chunks : plan->virtual_stages;
}

/* Tests whether one device holds both ends of the pipeline of a plan. Not meaningful without a pipeline. */
static inline bool nnc_schedule_ends_meet(const nnc_plan *plan) { return nnc_schedule_of(plan->schedule)->folded; }

/* Tests whether weight gradients are separate ops in the schedule of a plan. */
static inline bool nnc_schedule_splits(const nnc_plan *plan) {
    return plan->pipeline > 1 && nnc_schedule_of(plan->schedule)->splits;
}

/* Tests whether micro-batches enter at both ends of the pipeline of a plan. */
static inline bool nnc_schedule_dual(const nnc_plan *plan) {
    return plan->pipeline > 1 && nnc_schedule_of(plan->schedule)->dual;
}

/* Tests whether a plan runs as 1f1b although its schedule has another name, so that a search can leave it out. Without
 * a pipeline all schedules run as 1f1b. With one virtual stage per device, interleaved runs as 1f1b. */
bool nnc_schedule_repeats(const nnc_plan *plan);

/* Tests whether the plan has so many micro-batches that more of them would not change what a device keeps at its
 * peak: nnc_pipeline_in_flight and nnc_pipeline_peak return equal values for each larger number. */
bool nnc_schedule_is_steady(const nnc_plan *plan);

/* Tests whether each device holds the same layers as with 1f1b, and keeps at least as many micro-batches as there. */
bool nnc_schedule_keeps_1f1b(const nnc_plan *plan);

/* Sets the schedule of a plan, and checks its rules on stages, virtual stages and layers.
 * NNC_ILLEGAL_PLAN: err names the option, the rule with its numbers, and legal values. */
nnc_status nnc_schedule_resolve(nnc_plan *plan, int64_t layers, nnc_error *err);
/* Checks that the schedule of a plan can run its number of micro-batches. NNC_ILLEGAL_PLAN: it cannot. */
nnc_status nnc_schedule_check(const nnc_plan *plan, nnc_error *err);

/* Returns the idle time of the schedule in closed form: total_s minus the busy time, if all stages have equal times
 * (per stage, all chunks) and sending takes no time. Here p is the number of stages, m of micro-batches; tF, tB and tW
 * are the seconds of forward, input gradient and weight gradient. The formulas of zb-h1 and zb-h2 hold from m = p and m
 * = 2p-1 on. For tW > tF they give the idle time under the published limit of micro-batches in flight; the published
 * formula is lower there. zb-v has no bubble for tF = tB = tW and m >= 2p-1; for other times, the result 0 is a lower
 * bound. The formula of DualPipe holds for tF = tB, tW <= tF, m even and >= 2p.   [bubble] */
double nnc_pipeline_bubble_s(nnc_schedule schedule, int32_t stages, int32_t chunks, double forward_s, double backward_s,
                             double weight_s);
double nnc_pipeline_say_bubble(nnc_schedule schedule, const nnc_equal_stages *equal, nnc_derivation *why);

/* Returns the most micro-batches whose activations a device keeps at once. 1 means the activations of one micro-batch
 * in all layers of the device; one chunk of layers counts as 1 / chunks. Activations are kept from the start of the
 * forward to the end of the backward. In zb-h2, zb-v and dualpipe they are kept to the end of the weight gradient, in
 * zb-h1 to the end of the input gradient, as published.   [in-flight] */
double nnc_pipeline_in_flight(nnc_schedule schedule, int32_t stages, int32_t chunks, int64_t micro_batches,
                              int32_t stage);
double nnc_pipeline_say_in_flight(nnc_schedule schedule, int32_t stages, int32_t chunks, int64_t micro_batches,
                                  int32_t stage, nnc_derivation *why);

/* ---- peak.c: what a device keeps at its peak ---- */

/* Returns the most bytes that a device keeps at once. bytes[c] is the bytes that one pass keeps in chunk c of the
 * device, or in direction c of dualpipe. Sets counts[c] to the kept passes of chunk c at that moment. Reads schedule,
 * stages, chunks and micro_batches of the pipeline; takes up to NNC_PIPELINE_VIRTUAL_MAX chunks.   [in-flight] */
double nnc_pipeline_peak(const nnc_pipeline *pipeline, int32_t device, const double *bytes, double *counts);
/* Finds the peak of a device whose chunks keep equal bytes, except one: `chunk` keeps more bytes than the others
 * (`more`), or fewer. Sets *count to the kept passes of this chunk at the peak, and *all to the kept passes of all
 * chunks. Returns false if the schedule is not interleaved. */
bool nnc_pipeline_peak_of_one(const nnc_pipeline *pipeline, int32_t device, int32_t chunk, bool more, double *count,
                              double *all);

#endif
