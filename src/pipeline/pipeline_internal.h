/* Pipeline schedules: the order in which each stage runs micro-batches, and the times that follow from it.
 *
 * The file schedule.c has one row per schedule: order lists, closed forms, and rules for plans. The file peak.c
 * computes the most bytes that a device keeps for backward if its chunks differ. The file pipeline.c replays the order
 * lists of any schedule op by op. The file wave.c has a faster replay, slot by slot, for schedules in which all devices
 * have the same slots. The replays of pipeline.c and wave.c compute the steady part of a long schedule in closed form
 * instead of replaying it.
 *
 * In this folder an op is one phase (forward, backward or weight gradient) of one micro-batch on one virtual stage. */
#ifndef NNCOST_PIPELINE_PIPELINE_INTERNAL_H
#define NNCOST_PIPELINE_PIPELINE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nncost/plan.h>

#include "base/base_internal.h"

/* ---- pipeline.c: a pipeline and its replay op by op ---- */

/* A pipeline to replay. A pipeline has (stages times chunks) virtual stages, numbered in the order in which forward of
 * a micro-batch passes through them. Each device runs its ops in the fixed order of its order list (schedule.c): an op
 * starts as soon as its input has arrived and the previous op of the device has ended. [pipeline] */
typedef struct nnc_pipeline {
    nnc_schedule schedule;
    int32_t stages; /* number of devices (stages) in the pipeline, at least 1 */
    /* number of virtual stages per device: 2 for zb-v, any number for interleaved, 1 for all other schedules */
    int32_t chunks;
    int64_t micro_batches;
    const double *forward_s; /* forward_s[s]: seconds of forward of virtual stage s; backward_s and weight_s also have
                              * one element per virtual stage */
    /* backward_s[s]: seconds of the input gradient of virtual stage s, including recomputation */
    const double *backward_s;
    const double *weight_s; /* seconds of the weight gradient, which is an op of its own in zb-* and dualpipe, else
                             * part of the backward op */
    double send_s;          /* seconds of a message to the next virtual stage if it is on another device, in either
                             * direction; no device waits while its own message is on the way */
} nnc_pipeline;

typedef enum nnc_pipeline_phase {
    NNC_RUN_FORWARD,
    /* input and weight gradient together; in schedules whose weight gradients are ops of their own, only the input
     * gradient */
    NNC_RUN_BACKWARD,
    NNC_RUN_WEIGHT
} nnc_pipeline_phase;

typedef struct nnc_pipeline_event {
    int32_t device, chunk; /* device that runs the op; chunk of the device, from 0 (in dualpipe the direction, 0 or
                            * 1) */
    int64_t micro_batch;
    nnc_pipeline_phase phase;
    double start_s, end_s;
} nnc_pipeline_event;

/* Function that receives one interval in which a device runs an op. The replay calls the function for the intervals of
 * each device in the order of time. */
typedef void nnc_pipeline_event_fn(void *context, const nnc_pipeline_event *event);

enum {
    NNC_PIPELINE_STAGES_MAX = 1024,
    NNC_PIPELINE_VIRTUAL_MAX = 4096 /* largest number of virtual stages, stages x chunks; in dualpipe twice this
                                     * product, one for each direction */
};

/* Times of a pipeline that was replayed. Element d of each array belongs to device d; elements from `stages` on are not
 * set. */
typedef struct nnc_pipeline_result {
    double total_s;    /* seconds of one step of the pipeline: the largest span_s of all devices */
    double makespan_s; /* seconds from the first start of any device to the last end of any device */
    /* Seconds of one step on each device. zb-*: from the first start to the last end on this device, because no barrier
     * separates the steps. dualpipe: from time 0 to the last end on this device. All other schedules: total_s, because
     * each device waits for the last device. */
    double span_s[NNC_PIPELINE_STAGES_MAX];
    double busy_s[NNC_PIPELINE_STAGES_MAX];
    double in_flight[NNC_PIPELINE_STAGES_MAX]; /* most micro-batches that the device keeps at the same time, where
                                                * one chunk of a micro-batch counts as 1/chunks; see
                                                * nnc_pipeline_in_flight */
} nnc_pipeline_result;

/* Working memory of replays, a few MB. A caller allocates the working memory once with calloc and uses it for many
 * replays; a small pipeline touches only a part of it. */
typedef struct nnc_pipeline_memory nnc_pipeline_memory;

/* Replays the whole schedule, op by op. event: function that receives each interval in which a device runs an op; NULL
 * = intervals are not reported. The result is exact; the running time grows as stages x chunks x micro_batches. Returns
 * false if a value of the pipeline is illegal or above a limit. */
bool nnc_pipeline_replay(const nnc_pipeline *pipeline, nnc_pipeline_memory *memory, nnc_pipeline_result *result,
                         nnc_pipeline_event_fn *event, void *context);

/* Computes the same results as nnc_pipeline_replay, but much faster for many micro-batches: replays ops until the times
 * grow steadily, then continues in closed form. Up to 16 micro-batches, all ops are replayed, and the results are equal
 * to those of nnc_pipeline_replay in every bit; with more micro-batches the results are equal up to rounding. Takes up
 * to INT64_MAX / (4 x chunks) micro-batches. If stages have nearly equal times, the growth may not become steady within
 * 2^23 / stages micro-batches; the times are then extrapolated, and the result is slightly too low. Returns false if
 * the schedule cannot run. */
bool nnc_pipeline_run(const nnc_pipeline *pipeline, nnc_pipeline_memory *memory, nnc_pipeline_result *result);

/* A batch is a number of pipelines that are replayed at once, NNC_TRACKS at most. All pipelines of a batch have the
 * same schedule, stages, chunks and micro-batches; only their times differ. Pipeline k of the batch is called track k;
 * its time of virtual stage s is at index (s times NNC_TRACKS) + k. */
enum { NNC_TRACKS = 8, NNC_TRACKS_STAGES_MAX = NNC_PIPELINE_STAGES_MAX / NNC_TRACKS };

/* Replays the first `count` tracks (pipelines of a batch). Each track has the same result, in every bit, as
 * nnc_pipeline_run. send_s: seconds of a message, one value per track, used instead of pipeline->send_s. Sets
 * total_s[k] to the step time of track k, and span_s[(d times NNC_TRACKS) + k] to the step time on device d of this
 * track. Returns false if `stages` is below 2 or above NNC_TRACKS_STAGES_MAX, or if nnc_pipeline_run would return
 * false. */
bool nnc_pipeline_run_tracks(const nnc_pipeline *pipeline, const double send_s[NNC_TRACKS], int32_t count,
                             nnc_pipeline_memory *memory, double *span_s, double total_s[NNC_TRACKS]);

/* ---- vector instructions of the processor ---- */

/* Tests whether the processor has vector instructions for four doubles. The results of replays are equal in every bit
 * with and without vector instructions. */
bool nnc_is_wide(void);

/* NNC_WIDE marks a function that may only be called if nnc_is_wide() returns true. NNC_EACH marks a function that is
 * compiled several times: for each number of tracks (pipelines), and for processors with and without vector
 * instructions. */
#if defined(__x86_64__) && defined(__GNUC__)
#define NNC_WIDE __attribute__((target("avx2")))
#else
#define NNC_WIDE
#endif

/* NNC_FOUR stands for four values, one for each of four tracks (pipelines), that are loaded, added and stored together.
 * Storing the four values as two pairs would delay the next load of all four values by some cycles. */
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

/* ---- wave.c: replay slot by slot, for schedules in which all devices have the same slots ---- */

enum {
    NNC_SKIP_MIN = 16, /* smallest number of equal periods that a replay skips; skipping fewer periods saves no time */
    /* number of replayed ops without a period after which the replay assumes that all times grow by the same amount in
     * each period */
    NNC_SKIP_FORCE_OPS = 1 << 22,
    /* Number of elements of each array of a replay: one more than the largest number of stages, plus padding. With the
     * padding, elements of equal index in different arrays are not in the same cache set of the processor. */
    NNC_WAVE_ENTRIES = NNC_PIPELINE_STAGES_MAX + 5 * NNC_TRACKS
};

/* State of a replay between two slots. The time of a message that was not sent yet is 0. If several pipelines (tracks)
 * are replayed at once, element i of track k is at index (i times tracks) + k, in this struct and in the arrays of
 * nnc_wave. */
typedef struct nnc_wave_state {
    double free_s[NNC_WAVE_ENTRIES]; /* time at which device i ends its last op so far */
    double down_s[NNC_WAVE_ENTRIES]; /* arrival of the forward message to device i; element `stages` is the message from
                                      * the last device back to device 0 */
    double up_s[NNC_WAVE_ENTRIES];   /* arrival of the backward message to device i - 1; element 0 is the message from
                                      * device 0 to the last device */
} nnc_wave_state;

/* Cursor: the device that moves on to its next chunk in the next slot. The position of the cursor repeats after a turn,
 * which is (stages times chunks) slots, so it does not change when whole turns are skipped. */
typedef struct nnc_wave_cursor {
    int64_t place, chunk; /* place: number of the device, counted from the end of the pipeline at which micro-batches
                           * enter */
} nnc_wave_cursor;

typedef struct nnc_wave {
    nnc_wave_state now;
    nnc_wave_cursor forward, backward;
    nnc_wave_state then, later; /* remembered states: `then` is the oldest, `later` lies between `then` and `now`.
                                 * Comparing the remembered states with `now` shows a period or a constant growth. */
    /* saved: the state before drift() tries to skip repeats; kept: the last states of those tracks (pipelines) that
     * have reached the end of the stretch */
    nnc_wave_state saved, kept;
    double first_s[NNC_WAVE_ENTRIES]; /* time at which each device starts its first op */
    double forward_s[NNC_WAVE_ENTRIES], forward_send_s[NNC_WAVE_ENTRIES];
    double backward_s[NNC_WAVE_ENTRIES], backward_send_s[NNC_WAVE_ENTRIES];
    double weight_s[NNC_WAVE_ENTRIES];
} nnc_wave;

/* A schedule described by two numbers, lead and skew, which give the ops of each slot; see the top of wave.c. */
typedef struct nnc_wave_shape {
    const nnc_pipeline *pipeline; /* the pipeline; its arrays of times have the times of all tracks */
    const double *send_s;         /* seconds that a message takes: one value for each track (pipeline) */
    int64_t tracks, stride;       /* tracks: 1 or NNC_TRACKS; stride: distance in the arrays of the pipeline between two
                                   * virtual stages of one track */
    int64_t p, v, ops;            /* p: number of devices; v: number of chunks per device; ops: number of ops of one
                                   * phase on one device */
    int64_t lead, skew;
    bool splits, wide; /* splits: true = weight gradients are ops of their own; wide: true = vector instructions for
                        * four doubles are used */
} nnc_wave_shape;

nnc_wave_shape nnc_wave_shape_of(const nnc_pipeline *pipeline, const double *send_s, int64_t tracks);
/* Runs all slots of the first `count` tracks (pipelines of a batch), and skips periods where possible. Sets
 * wave->first_s to the time at which each device starts, and wave->now.free_s to the time at which it ends. Each track
 * has the same results, in every bit, as if it ran alone. */
void nnc_wave_run_tracks(const nnc_wave_shape *shape, int32_t count, nnc_wave *wave);

/* ---- order lists: written by schedule.c, run by pipeline.c ---- */

enum {
    NNC_RUNS_MAX = 16,   /* largest number of entries of the order list of a device; an entry is a sequence of ops and
                          * its number of repeats */
    NNC_RUN_OPS_MAX = 6, /* largest number of ops in one entry of an order list */
    /* largest number of messages that are on the way between neighbours; a queue between the last and the first device
     * has at least `stages` elements */
    NNC_QUEUE_SLOTS = 8,
    NNC_QUEUES_MAX = 2 * NNC_PIPELINE_VIRTUAL_MAX,
    NNC_SLOTS_MAX = NNC_QUEUES_MAX * NNC_QUEUE_SLOTS + 4 * NNC_PIPELINE_VIRTUAL_MAX
};

/* An op in an order list: F forward, B input gradient, W weight gradient, BW input and weight gradient as one op. The
 * digit is the chunk in zb-v, or the direction in dualpipe; other schedules have only the digit 0. The first six values
 * are also indices of the streams of a device. */
typedef enum nnc_run_op {
    NNC_F0,
    NNC_F1,
    NNC_B0,
    NNC_B1,
    NNC_W0,
    NNC_W1,
    NNC_STREAMS,
    NNC_BW0 = NNC_STREAMS, /* input and weight gradient as one op, which sends the input gradient when it ends */
    NNC_BW1,
    NNC_F0_BW1, /* a forward of direction 0 together with the input and weight gradient of direction 1 as one op, which
                 * sends the results of forward and backward when it ends */
    NNC_F1_BW0
} nnc_run_op;

/* An entry of an order list: a sequence of ops and the number of its repeats. Because an entry has a number of repeats,
 * an order list is short for any number of micro-batches. */
typedef struct nnc_order_run {
    int64_t repeat;
    uint8_t ops;
    uint8_t op[NNC_RUN_OPS_MAX];
} nnc_order_run;

/* A queue of the messages from one virtual stage to the next, in the order of micro-batches. */
typedef struct nnc_queue {
    double *arrival_s; /* ring buffer of arrival times with mask + 1 elements; the number of elements is a power of
                        * two */
    double send_s;
    /* seconds that a message takes, one value for each track of a batch; not used if there is one track */
    const double *sends_s;
    uint64_t mask, put, got;
} nnc_queue;

/* A stream: all ops of one phase on one virtual stage of a device, in the order of their micro-batches. */
typedef struct nnc_stream {
    /* time_s: seconds of one op; send_s: seconds of one op and of the message with its result */
    double time_s, send_s;
    const double *times_s;   /* seconds of one op, one value for each track of a batch */
    nnc_queue *in, *out;     /* queues from which the ops get their input, and to which they send their result; NULL =
                              * the op has no input or sends nothing: the first and last virtual stage of a pass, and
                              * weight gradients */
    int64_t done, limit;     /* done: number of ops that have run; limit: number of ops that exist; ops of the order
                              * list beyond the limit are skipped */
    int64_t turn, turn_left; /* of an interleaved device: number of ops that it runs before it goes on to the next chunk
                              * (turn), and how many of them are left (turn_left) */
    int32_t virtual_stage;
    int32_t keeps; /* change of the number of kept micro-batches by one op: 1 for a forward, -1 for the op after which
                    * activations are freed, else 0 */
} nnc_stream;

typedef struct nnc_pipeline_device {
    int32_t run, op; /* run: index of the current entry of the order list; op: index in this entry of the op that runs
                      * next */
    int64_t left;    /* number of repeats of the current entry that the device has not finished */
    int32_t kept, kept_max, runs;
    bool started;
    nnc_stream stream[NNC_STREAMS];
    nnc_order_run order[NNC_RUNS_MAX];
} nnc_pipeline_device;

/* A copy of the state of a replay (the remembered moment). The replay compares later states with the copy to find a
 * period. */
typedef struct nnc_pipeline_moment {
    /* time at which each device ends its last op, with the same indices as in nnc_wave_state */
    double free_s[NNC_WAVE_ENTRIES];
    struct {
        int64_t left;
        int32_t run, op;
    } device[NNC_PIPELINE_STAGES_MAX];
    double arrival_s[NNC_SLOTS_MAX]; /* arrival times of all messages on the way, in the order of the queues */
} nnc_pipeline_moment;

struct nnc_pipeline_memory {
    nnc_wave wave, tracks;
    nnc_pipeline_device device[NNC_PIPELINE_STAGES_MAX];
    /* forward[s]: messages to virtual stage s from virtual stage s - 1 */
    nnc_queue forward[NNC_PIPELINE_VIRTUAL_MAX];
    /* backward[s]: messages to virtual stage s from virtual stage s + 1 */
    nnc_queue backward[NNC_PIPELINE_VIRTUAL_MAX];
    double arrival_s[NNC_SLOTS_MAX];
    nnc_pipeline_moment moment;
};

/* ---- schedule.c: one row per schedule, with its properties and functions ---- */

/* A pipeline whose stages all have the same times. p: number of stages; v: chunks per device; f, b, w: seconds of
 * forward, input gradient and weight gradient of one micro-batch, over all chunks of a stage. */
typedef struct nnc_equal_stages {
    double p, v, f, b, w;
} nnc_equal_stages;

/* A pipeline schedule: its properties, and the functions that compute its order lists and formulas. */
typedef struct nnc_schedule_row {
    /* number of chunks (groups of layers) per device; 0 = virtual_stages of the plan, for interleaved */
    int32_t chunks;
    bool folded; /* true: in the second chunk or direction, micro-batches pass the devices from the last to the first,
                  * so the first device holds both the first and the last layers */
    bool dual;   /* true: micro-batches enter at both ends of the pipeline, and each device holds one stage for each
                  * direction */
    bool splits; /* true: weight gradients are ops of their own, separate from the input gradients */
    /* only used if `splits` is true. true: activations count as kept only until the end of the input gradient; false:
     * until the end of the weight gradient */
    bool frees_early;
    bool keeps_all;   /* true: a device keeps the activations of all micro-batches of a step until its first backward */
    bool rolls;       /* true: there is no barrier between steps: the next step of a stage starts with its own first
                       * pass */
    int32_t searched; /* position in the order in which a search tries the schedules; 0 = a search does not try this
                       * schedule */
    /* Writes the order list of device d to *device; devices are counted from 0. */
    void (*write)(const nnc_pipeline *pipeline, int64_t d, nnc_pipeline_device *device);
    /* Sets `lead` and `skew` of the shape, two numbers that give the ops of each slot (see wave.c). NULL = `lead` and
     * `skew` cannot describe this schedule. */
    void (*wave)(nnc_wave_shape *shape, int64_t micro_batches);
    /* Returns the idle seconds of a step from a formula; see nnc_pipeline_say_bubble. */
    double (*bubble_s)(const nnc_equal_stages *s, nnc_derivation *why);
    /* Returns the largest number of micro-batches that a device keeps; see nnc_pipeline_in_flight. */
    double (*in_flight)(double m, double p, double v, double stage, nnc_derivation *why);
} nnc_schedule_row;

extern const nnc_schedule_row *const nnc_schedule_rows[];

/* Returns the row of a schedule; the row of 1f1b for NNC_SCHEDULE_COUNT (the plan gives no schedule). */
static inline const nnc_schedule_row *nnc_schedule_of(nnc_schedule schedule) {
    return nnc_schedule_rows[(unsigned)schedule < NNC_SCHEDULE_COUNT ? schedule : NNC_SCHEDULE_1F1B];
}

/* Returns the number of groups of layers (chunks) that each device holds under a plan. */
static inline int32_t nnc_schedule_chunks(const nnc_plan *plan) {
    const int32_t chunks = nnc_schedule_of(plan->schedule)->chunks;
    return chunks > 0 ? chunks : plan->virtual_stages;
}

/* Tests whether, under the schedule of a plan, one device holds both the first and the last layers. The plan must have
 * a pipeline when this function is called. */
static inline bool nnc_schedule_ends_meet(const nnc_plan *plan) { return nnc_schedule_of(plan->schedule)->folded; }

/* Tests whether the plan has a pipeline whose schedule has weight gradients as ops of their own. */
static inline bool nnc_schedule_splits(const nnc_plan *plan) {
    return plan->pipeline > 1 && nnc_schedule_of(plan->schedule)->splits;
}

/* Tests whether the plan has a pipeline with a schedule in which micro-batches enter at both ends (dualpipe). */
static inline bool nnc_schedule_dual(const nnc_plan *plan) {
    return plan->pipeline > 1 && nnc_schedule_of(plan->schedule)->dual;
}

/* Tests whether the schedule of a plan gives the same order as 1f1b, so that a search can leave the plan out. The order
 * is the same as in 1f1b for every schedule except 1f1b if the plan has no pipeline, and for the interleaved schedule
 * with one virtual stage per device. */
bool nnc_schedule_repeats(const nnc_plan *plan);

/* Tests whether the plan has so many micro-batches that more of them would change neither the micro-batches in flight
 * nor the memory peak of any device (nnc_pipeline_in_flight, nnc_pipeline_peak). */
bool nnc_schedule_is_steady(const nnc_plan *plan);

/* Tests whether each device holds the same layers as under 1f1b, and keeps at least as many micro-batches as under
 * 1f1b. */
bool nnc_schedule_keeps_1f1b(const nnc_plan *plan);

/* Sets the schedule of a plan that states none, and checks the rules on numbers of stages, virtual stages and layers.
 * Returns NNC_ILLEGAL_PLAN if the plan breaks a rule; err then names the option, the rule with its numbers, and legal
 * values. */
nnc_status nnc_schedule_resolve(nnc_plan *plan, int64_t layers, nnc_error *err);
/* Checks that the schedule of a plan can run the plan's number of micro-batches. Returns NNC_ILLEGAL_PLAN if the
 * schedule cannot run this number of micro-batches. */
nnc_status nnc_schedule_check(const nnc_plan *plan, nnc_error *err);

/* Returns the idle seconds (bubble) of a schedule from a formula: total_s minus the busy time, for stages with equal
 * times and messages that take no time. forward_s, backward_s, weight_s: seconds tF, tB, tW of forward, input gradient
 * and weight gradient, over all chunks of a stage. p: number of stages. m: number of micro-batches. The formula of
 * zb-h1 holds for m >= p, and the formula of zb-h2 for m >= 2p-1. For tW > tF, the published formulas of zb-h1 and
 * zb-h2 give less idle time than is possible under their limit of micro-batches in flight, so the formulas in this
 * folder for zb-h1 and zb-h2 differ from the published formulas. For zb-v the bubble is 0, which is exact for tF = tB =
 * tW and m >= 2p-1, and a lower bound otherwise. The formula of dualpipe holds for tF = tB, tW <= tF, m even and m >=
 * 2p.
 *   [bubble] */
double nnc_pipeline_say_bubble(nnc_schedule schedule, const nnc_equal_stages *equal, nnc_derivation *why);

/* Returns the largest number of micro-batches whose activations a device keeps at the same time. The activations of one
 * micro-batch in all layers of the device count as 1, those in one chunk of layers as 1 / chunks. The activations are
 * kept from the start of forward to the end of backward; in zb-h2, zb-v and dualpipe to the end of the weight gradient;
 * in zb-h1 to the end of the input gradient, as published.   [in-flight] */
double nnc_pipeline_in_flight(nnc_schedule schedule, int32_t stages, int32_t chunks, int64_t micro_batches,
                              int32_t stage);
double nnc_pipeline_say_in_flight(nnc_schedule schedule, int32_t stages, int32_t chunks, int64_t micro_batches,
                                  int32_t stage, nnc_derivation *why);

/* ---- peak.c: the bytes that a device keeps at its memory peak ---- */

/* Returns the most bytes that a device keeps for backward at the same time. bytes[c]: bytes that one pass keeps in
 * chunk c of the device; in dualpipe, in direction c. Sets counts[c] to the number of passes that chunk c keeps at the
 * moment of the peak. The function reads only schedule, stages, chunks and micro_batches of *pipeline; there may be up
 * to NNC_PIPELINE_VIRTUAL_MAX chunks. [in-flight] */
double nnc_pipeline_peak(const nnc_pipeline *pipeline, int32_t device, const double *bytes, double *counts);
/* Finds the memory peak of a device on which one chunk (`chunk`) keeps more bytes per pass than the other chunks (more
 * = true) or fewer (more = false). Sets *count to the number of passes that the chunk `chunk` keeps at the peak, and
 * *all to the number of passes that all chunks keep. Returns false if the schedule is not interleaved. */
bool nnc_pipeline_peak_of_one(const nnc_pipeline *pipeline, int32_t device, int32_t chunk, bool more, double *count,
                              double *all);

#endif
