/* Pipeline schedules: when does each stage run which micro-batch? Knows only times.
 *
 *     schedule.c    one row per schedule: order lists, closed forms, rules for plans
 *     peak.c        the most that a device keeps, when its chunks differ
 *     pipeline.c    replay of the order lists, op by op, for any schedule
 *     wave.c        faster replay, slot by slot, for schedules whose devices move in step
 *
 * Both replays skip the steady part of a long schedule in closed form. */
#ifndef NNCOST_PIPELINE_PIPELINE_INTERNAL_H
#define NNCOST_PIPELINE_PIPELINE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nncost/plan.h>

#include "base/derivation.h"

/* ---- pipeline.c: a pipeline and its replay ---- */

/* One pipeline to replay. Virtual stages are numbered in the order in which a micro-batch meets them going
 * forward; there are stages * chunks of them. Each device runs a fixed order list: an op starts as soon as its
 * input has arrived and the op before it is done. schedule.c has the lists and their sources.   [pipeline] */
typedef struct nnc_pipeline {
    nnc_schedule schedule;
    int32_t stages; /* devices in the pipeline, >= 1 */
    int32_t chunks; /* virtual stages per device: 1, 2 for zb-v, any for interleaved */
    int64_t micro_batches;
    const double *forward_s;  /* per virtual stage */
    const double *backward_s; /* time of input gradient and recomputation */
    const double *weight_s;   /* weight gradient: a separate op in zb-* and dualpipe, else one op with the
                               * input gradient */
    double send_s;            /* message to the next virtual stage on another device, each direction; blocks
                 * neither device */
} nnc_pipeline;

typedef enum nnc_pipeline_phase {
    NNC_RUN_FORWARD,
    NNC_RUN_BACKWARD, /* the whole backward unless the schedule splits it */
    NNC_RUN_WEIGHT
} nnc_pipeline_phase;

typedef struct nnc_pipeline_event {
    int32_t device, chunk; /* 0 <= chunk < chunks; for dualpipe the direction, 0 or 1 */
    int64_t micro_batch;
    nnc_pipeline_phase phase;
    double start_s, end_s;
} nnc_pipeline_event;

/* Called once per interval; the intervals of one device come in the order of time. */
typedef void nnc_pipeline_event_fn(void *context, const nnc_pipeline_event *event);

enum {
    NNC_PIPELINE_STAGES_MAX = 1024,
    NNC_PIPELINE_VIRTUAL_MAX = 4096 /* stages * chunks; dualpipe counts both directions */
};

/* The first `stages` entries of each array are set, one per device. */
typedef struct nnc_pipeline_result {
    double total_s;    /* the time of a step: the longest span_s */
    double makespan_s; /* from the first start to the last end of all devices */
    /* Time of one step on a device. zb-*: from its own first start to its own last end, because these schedules
     * need no barrier between steps; dualpipe: to its own last end; others: makespan_s. */
    double span_s[NNC_PIPELINE_STAGES_MAX];
    double busy_s[NNC_PIPELINE_STAGES_MAX];
    double in_flight[NNC_PIPELINE_STAGES_MAX]; /* most micro-batches kept at once, a chunk counts 1/chunks;
                                                * see nnc_pipeline_in_flight */
} nnc_pipeline_result;

/* Working memory of replays: allocate it once with calloc, use it for any number of replays. A replay touches as
 * much of its few MB as the pipeline needs. */
typedef struct nnc_pipeline_memory nnc_pipeline_memory;

/* Replays the whole schedule op by op, in a topological order; event may be NULL. Exact; takes
 * O(stages * chunks * micro_batches). false: the pipeline breaks a rule above or exceeds a limit. */
bool nnc_pipeline_replay(const nnc_pipeline *pipeline, nnc_pipeline_memory *memory, nnc_pipeline_result *result,
                         nnc_pipeline_event_fn *event, void *context);

/* The same total, makespan and counts, much faster for many micro-batches: replays until the growth is steady and
 * continues it in closed form. Equal to the replay digit for digit if nothing is skipped (micro_batches <= 16),
 * else up to rounding. Takes up to INT64_MAX / (4 * chunks) micro-batches. Very nearly equal stages may show no
 * steady growth within 2^23 / stages micro-batches; then the growth so far is continued and the result is a little
 * low. */
bool nnc_pipeline_run(const nnc_pipeline *pipeline, nnc_pipeline_memory *memory, nnc_pipeline_result *result);

/* Up to NNC_TRACKS pipelines with the same schedule, stages, chunks and micro-batches, replayed side by side: the
 * times of virtual stage s on track k are at s * NNC_TRACKS + k. */
enum { NNC_TRACKS = 8, NNC_TRACKS_STAGES_MAX = NNC_PIPELINE_STAGES_MAX / NNC_TRACKS };

/* Replays the first `count` tracks, each with the same digits as nnc_pipeline_run. send_s has one value per track;
 * pipeline->send_s is not read. Sets span_s of device d on track k at d * NNC_TRACKS + k, and total_s of each
 * track. false: the devices do not move in step, stages is below 2 or above NNC_TRACKS_STAGES_MAX, or
 * nnc_pipeline_run would refuse. */
bool nnc_pipeline_run_tracks(const nnc_pipeline *pipeline, const double send_s[NNC_TRACKS], int32_t count,
                             nnc_pipeline_memory *memory, double *span_s, double total_s[NNC_TRACKS]);

/* ---- wave.c: schedules whose devices move in step ---- */

enum {
    NNC_SKIP_MIN = 16, /* skipping fewer repeats than this gains nothing */
    /* Op replays without a period after which the growth is taken as steady. */
    NNC_SKIP_FORCE_OPS = 1 << 22,
    /* Entries of one array: one more than there are stages, plus padding, so that equal entries of different
     * arrays do not fall into the same cache set. */
    NNC_WAVE_ENTRIES = NNC_PIPELINE_STAGES_MAX + 5 * NNC_TRACKS
};

/* State between two slots; 0 before anything was sent. With several pipelines side by side, entry i of track k is at
 * i * tracks + k, here and below. */
typedef struct nnc_wave_state {
    double free_s[NNC_WAVE_ENTRIES]; /* end of the last op */
    double down_s[NNC_WAVE_ENTRIES]; /* arrival of a forward message at i; [p] wraps around */
    double up_s[NNC_WAVE_ENTRIES];   /* arrival of a backward message at i - 1; [0] wraps around */
} nnc_wave_state;

/* The device that takes its next chunk in the next slot. Chunks repeat every turn, so skipping whole turns leaves the
 * cursor as it is. */
typedef struct nnc_wave_cursor {
    int64_t place, chunk; /* places counted from the end where micro-batches enter */
} nnc_wave_cursor;

typedef struct nnc_wave {
    nnc_wave_state now;
    nnc_wave_cursor forward, backward;
    nnc_wave_state then, later;       /* earlier moments, compared with now */
    nnc_wave_state saved, kept;       /* during trials; of tracks that have finished */
    double first_s[NNC_WAVE_ENTRIES]; /* start of the first op */
    double forward_s[NNC_WAVE_ENTRIES], forward_send_s[NNC_WAVE_ENTRIES];
    double backward_s[NNC_WAVE_ENTRIES], backward_send_s[NNC_WAVE_ENTRIES];
    double weight_s[NNC_WAVE_ENTRIES];
} nnc_wave;

/* A schedule as lead and skew of its slots; see the head of wave.c. */
typedef struct nnc_wave_shape {
    const nnc_pipeline *pipeline; /* pipeline, with the times of all tracks */
    const double *send_s;         /* send time of each track */
    int64_t tracks, stride;       /* 1 or NNC_TRACKS; stride of the times */
    int64_t p, v, ops;            /* ops: number of ops of one phase on one device */
    int64_t lead, skew;
    bool splits, wide; /* wide: the processor adds four numbers at once */
} nnc_wave_shape;

nnc_wave_shape nnc_wave_shape_of(const nnc_pipeline *pipeline, const double *send_s, int64_t tracks);
/* Runs all slots of all tracks and skips where possible. Leaves the start and the end of each device in first_s and
 * now.free_s; a track has the same digits as alone. */
void nnc_wave_run_tracks(const nnc_wave_shape *shape, int32_t count, nnc_wave *wave);

/* ---- order lists, which schedule.c writes and pipeline.c runs ---- */

enum {
    NNC_RUNS_MAX = 16,   /* runs of the order list of one device */
    NNC_RUN_OPS_MAX = 6, /* ops of one repeat */
    NNC_QUEUE_SLOTS = 8, /* messages on the way between neighbours; wrap-around takes >= stages */
    NNC_QUEUES_MAX = 2 * NNC_PIPELINE_VIRTUAL_MAX,
    NNC_SLOTS_MAX = NNC_QUEUES_MAX * NNC_QUEUE_SLOTS + 4 * NNC_PIPELINE_VIRTUAL_MAX
};

/* One op of an order list. 0 and 1 are the two chunks of zb-v or the two directions of dualpipe; other schedules use
 * 0 only. The first six are also the index of the op's stream. */
typedef enum nnc_run_op {
    NNC_F0,
    NNC_F1,
    NNC_B0,
    NNC_B1,
    NNC_W0,
    NNC_W1,
    NNC_STREAMS,
    NNC_BW0 = NNC_STREAMS, /* whole backward; the gradient is sent at its end */
    NNC_BW1,
    NNC_F0_BW1, /* a forward and a whole backward at the same time; both results are sent at the end */
    NNC_F1_BW0
} nnc_run_op;

/* Some ops, repeated. Order lists are short in this form, whatever the number of micro-batches. */
typedef struct nnc_order_run {
    int64_t repeat;
    uint8_t ops;
    uint8_t op[NNC_RUN_OPS_MAX];
} nnc_order_run;

/* Messages from one virtual stage to the next, in the order of micro-batches. */
typedef struct nnc_queue {
    double *arrival_s; /* ring of mask + 1 entries, a power of two */
    double send_s;
    uint64_t mask, put, got;
} nnc_queue;

/* The ops of one phase on one device, in the order of micro-batches. */
typedef struct nnc_stream {
    double time_s, send_s;   /* time of one op, without and with sending its result */
    nnc_queue *in, *out;     /* NULL at the ends of the pipeline and for weight gradients */
    int64_t done, limit;     /* ops of an order list past the limit are left out */
    int64_t turn, turn_left; /* ops until an interleaved device takes its next chunk */
    int32_t virtual_stage;
    int32_t keeps; /* change of the kept micro-batches: 1 for a forward, -1 for the op that frees, else 0 */
} nnc_stream;

typedef struct nnc_pipeline_device {
    double free_s, first_s; /* end of the last op, start of the first */
    int32_t run, op;        /* position in the order list */
    int64_t left;           /* repeats of the run that are not finished */
    int32_t kept, kept_max, runs;
    bool started;
    nnc_stream stream[NNC_STREAMS];
    nnc_order_run order[NNC_RUNS_MAX];
} nnc_pipeline_device;

/* A moment of the replay, to recognise the same state at a later time. */
typedef struct nnc_pipeline_moment {
    struct {
        double free_s;
        int64_t left;
        int32_t run, op;
    } device[NNC_PIPELINE_STAGES_MAX];
    double arrival_s[NNC_SLOTS_MAX]; /* messages on the way, queue by queue */
} nnc_pipeline_moment;

struct nnc_pipeline_memory {
    nnc_wave wave, tracks;
    nnc_pipeline_device device[NNC_PIPELINE_STAGES_MAX];
    nnc_queue forward[NNC_PIPELINE_VIRTUAL_MAX];  /* queues into each virtual stage, from the
                                                   * stage before */
    nnc_queue backward[NNC_PIPELINE_VIRTUAL_MAX]; /* queues into each virtual stage, from the
                                                   * stage after */
    double arrival_s[NNC_SLOTS_MAX];
    nnc_pipeline_moment moment;
};

/* ---- schedule.c: one row per schedule ---- */

/* Equal stages: stages, chunks per device, and the seconds of one micro-batch on all chunks of a stage: forward,
 * input gradient, weight gradient. */
typedef struct nnc_equal_stages {
    double p, v, f, b, w;
} nnc_equal_stages;

/* All that is known of a schedule. */
typedef struct nnc_schedule_row {
    int32_t chunks;   /* groups of layers per device; 0 = the plan's virtual_stages, taken in turn */
    bool folded;      /* the second chunk or direction runs back up: both ends are on the first device */
    bool dual;        /* micro-batches enter at both ends: a device holds a stage of each direction */
    bool splits;      /* weight gradients are separate ops */
    bool frees_early; /* splits, but activations count as kept only until the end of the input gradient */
    bool rolls;       /* needs no barrier between steps: the step of a stage starts with its own first pass */
    int32_t searched; /* position in the order in which a search tries schedules; 0 = not tried */
    /* Writes the order list of device number d. */
    void (*write)(const nnc_pipeline *pipeline, int64_t d, nnc_pipeline_device *device);
    /* Sets lead and skew of the slots; NULL = the devices do not move in step. */
    void (*wave)(nnc_wave_shape *shape, int64_t micro_batches);
    /* Idle seconds of a step: see nnc_pipeline_bubble_s. */
    double (*bubble_s)(const nnc_equal_stages *s, nnc_derivation *why);
    /* Most micro-batches that a device keeps at once: see nnc_pipeline_in_flight. */
    double (*in_flight)(double m, double p, double v, double stage, nnc_derivation *why);
} nnc_schedule_row;

extern const nnc_schedule_row *const nnc_schedule_rows[];

/* The row of a schedule; NNC_SCHEDULE_COUNT (not given) has the row of 1f1b. */
static inline const nnc_schedule_row *nnc_schedule_of(nnc_schedule schedule)
{
    return nnc_schedule_rows[(unsigned)schedule < NNC_SCHEDULE_COUNT ? schedule : NNC_SCHEDULE_1F1B];
}

/* Groups of layers that each device of the plan's pipeline holds. */
static inline int32_t nnc_schedule_chunks(const nnc_plan *plan)
{
    const int32_t chunks = nnc_schedule_of(plan->schedule)->chunks;
    return chunks > 0 ? chunks : plan->virtual_stages;
}

/* Are both ends of the plan's pipeline on one device? Not meaningful without a pipeline. */
static inline bool nnc_schedule_ends_meet(const nnc_plan *plan)
{
    return nnc_schedule_of(plan->schedule)->folded;
}

/* Are the plan's weight gradients separate ops? */
static inline bool nnc_schedule_splits(const nnc_plan *plan)
{
    return plan->pipeline > 1 && nnc_schedule_of(plan->schedule)->splits;
}

/* Do micro-batches of the plan enter at both ends? */
static inline bool nnc_schedule_dual(const nnc_plan *plan)
{
    return plan->pipeline > 1 && nnc_schedule_of(plan->schedule)->dual;
}

/* Is the plan's schedule the same as another one under a different name? Without a pipeline all schedules are the
 * same; interleaved with one virtual stage is 1f1b. */
bool nnc_schedule_repeats(const nnc_plan *plan);

/* Sets the schedule, and checks its rules on stages, virtual stages and layers. NNC_ILLEGAL_PLAN: err names the
 * option, the rule with its numbers, and legal values. */
nnc_status nnc_schedule_resolve(nnc_plan *plan, int64_t layers, nnc_error *err);
/* Checks the rules on the number of micro-batches. */
nnc_status nnc_schedule_check(const nnc_plan *plan, nnc_error *err);

/* Idle time of the schedule in closed form, when all stages take the same times (per stage, all chunks) and sending
 * takes none: total_s minus the busy time. The forms of zb-h1 and zb-h2 hold from m = p and m = 2p-1 on; for
 * tW > tF they give the idle time under the published limit of micro-batches in flight, where the published form is
 * lower. zb-v has no bubble for tF = tB = tW and m >= 2p-1; otherwise its 0 is a lower bound. The form of DualPipe is
 * for tF = tB, tW <= tF, m even and >= 2p.   [bubble] */
double nnc_pipeline_bubble_s(nnc_schedule schedule, int32_t stages, int32_t chunks, double forward_s, double backward_s,
                             double weight_s);
double nnc_pipeline_say_bubble(nnc_schedule schedule, const nnc_equal_stages *equal, nnc_derivation *why);

/* Most micro-batches whose activations a device keeps at once, in units of its own layers. They are kept from the
 * start of the forward to the end of the backward; in zb-h2, zb-v and dualpipe to the end of the weight gradient; in
 * zb-h1 to the end of the input gradient, as published.   [in-flight] */
double nnc_pipeline_in_flight(nnc_schedule schedule, int32_t stages, int32_t chunks, int64_t micro_batches,
                              int32_t stage);
double nnc_pipeline_say_in_flight(nnc_schedule schedule, int32_t stages, int32_t chunks, int64_t micro_batches,
                                  int32_t stage, nnc_derivation *why);

/* ---- peak.c: what a device keeps at its peak ---- */

/* Most bytes that a device keeps at once: bytes[c] is what one pass of its chunk c keeps, or of direction c in dualpipe.
 * Sets counts[c], the passes of each chunk at that moment. Reads schedule, stages, chunks and micro_batches; up to
 * NNC_PIPELINE_VIRTUAL_MAX chunks.   [in-flight] */
double nnc_pipeline_peak(const nnc_pipeline *pipeline, int32_t device, const double *bytes, double *counts);
/* The same if only one chunk of an interleaved schedule keeps other bytes than the rest: more, or fewer. Sets its
 * passes at the peak, and those of all chunks. false: another schedule. */
bool nnc_pipeline_peak_of_one(const nnc_pipeline *pipeline, int32_t device, int32_t chunk, bool more, double *count,
                              double *all);

#endif
