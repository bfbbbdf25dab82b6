/* Replay, slot by slot, of schedules in which all devices have the same slots (places in the order of ops).
 *
 * In slot t device i runs forward number t - i, then backward number t - lead + (skew times i), then weight gradient
 * number t - lead - i, if ops with these numbers exist. The numbers of forwards, backwards and weight gradients count
 * micro-batches; with several chunks per device, they count each chunk of a micro-batch. The two numbers lead and skew
 * describe gpipe, 1f1b, interleaved, zb-h1 and zb-h2. The picture shows the slots of 1f1b with 4 stages (lead 3, skew
 * 0).
 *
 *            slot  0   1   2   3   4   5   6
 *     device 0     F0  F1  F2  F3B0 ..
 *     device 1         F0  F1  F2B0 ..
 *     device 2             F0  F1B0 ..
 *     device 3                 F0B0 ..
 *
 * A forward takes the message that the previous device sent one slot before. A backward takes the message that the next
 * device sent in the same slot (skew 0) or one slot before (skew 1). There are also messages from the last device to
 * the first. Two arrays hold all messages on the way, and no device has to check whether an input has arrived. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "pipeline/pipeline_internal.h"

#ifdef __has_include
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif
#endif

/* A range of devices: from index `first` to index `end` - 1. */
typedef struct device_range {
    int64_t first, end;
} device_range;

bool nnc_is_wide(void) {
#if !defined(__x86_64__) || !defined(__GNUC__)
    return false;
#elif defined(CPU_FEATURE_ACTIVE)
    /* The C library has already found out which instructions the processor has; the builtin function of the compiler
     * repeats this work at each start of the program. */
    return CPU_FEATURE_ACTIVE(AVX2);
#else
    return __builtin_cpu_supports("avx2") != 0;
#endif
}

nnc_wave_shape nnc_wave_shape_of(const nnc_pipeline *pipeline, const double *send_s, int64_t tracks) {
    const nnc_schedule_row *const row = nnc_schedule_of(pipeline->schedule);
    const int64_t v = pipeline->chunks, m = pipeline->micro_batches;
    nnc_wave_shape shape = { .pipeline = pipeline,
                             .send_s = send_s,
                             .tracks = tracks,
                             .stride = tracks,
                             .p = pipeline->stages,
                             .v = v,
                             .ops = m * v,
                             .splits = row->splits,
                             .wide = tracks > 1 && nnc_is_wide() };
    row->wave(&shape, m);
    return shape;
}

static int64_t clamp(int64_t value, int64_t end) { return value < 0 ? 0 : value > end ? end : value; }

/* Returns the range of devices that run an op in one slot. Device i runs op number at + (step times i), if this number
 * is from 0 to shape->ops - 1. step is 1, 0 or -1. */
static device_range active(const nnc_wave_shape *shape, int64_t at, int64_t step) {
    if (step == 0) { return (device_range){ 0, at >= 0 && at < shape->ops ? shape->p : 0 }; }
    if (step > 0) { return (device_range){ clamp(-at, shape->p), clamp(shape->ops - at, shape->p) }; }
    return (device_range){ clamp(at - shape->ops + 1, shape->p), clamp(at + 1, shape->p) };
}

NNC_EACH void add_tracks(double *sum, const double *a, const double *b, const int64_t tracks) {
    if (tracks == 1) {
        *sum = *a + *b;
        return;
    }
    for (int64_t k = 0; k < tracks; k += NNC_STEP) { NNC_FOUR(&sum[k]) = NNC_FOUR_OF(&a[k]) + NNC_FOUR_OF(&b[k]); }
}

NNC_EACH void set_zero(double *to, const int64_t tracks) {
    for (int64_t k = 0; k < tracks; k++) { to[k] = 0; }
}

/* Sets each element of `sum` to the time of an op plus the time of the message with its result. In a pipeline with one
 * device there are no messages, so only the time of the op is set. */
NNC_EACH void add_send(const nnc_wave_shape *shape, double *sum, const double *times, const int64_t tracks) {
    if (shape->p > 1) {
        add_tracks(sum, times, shape->send_s, tracks);
    } else {
        nnc_copy_tracks(sum, times, tracks);
    }
}

NNC_EACH void set_forward(const nnc_wave_shape *shape, nnc_wave *wave, int64_t i, int64_t chunk, const int64_t tracks) {
    const int64_t at = i * tracks, s = (chunk * shape->p + i) * shape->stride;
    nnc_copy_tracks(&wave->forward_s[at], &shape->pipeline->forward_s[s], tracks);
    add_send(shape, &wave->forward_send_s[at], &wave->forward_s[at], tracks);
}

NNC_EACH void set_backward(const nnc_wave_shape *shape, nnc_wave *wave, int64_t i, int64_t chunk,
                           const int64_t tracks) {
    const nnc_pipeline *const pipeline = shape->pipeline;
    const int64_t at = i * tracks, s = (chunk * shape->p + i) * shape->stride;
    nnc_copy_tracks(&wave->weight_s[at], &pipeline->weight_s[s], tracks);
    if (shape->splits) {
        nnc_copy_tracks(&wave->backward_s[at], &pipeline->backward_s[s], tracks);
    } else {
        add_tracks(&wave->backward_s[at], &pipeline->backward_s[s], &wave->weight_s[at], tracks);
    }
    /* Virtual stage 0 sends no gradient to another stage; the code computes an arrival time for this message all the
     * same, but never reads it. */
    add_send(shape, &wave->backward_send_s[at], &wave->backward_s[at], tracks);
}

/* Moves a cursor to the next device; from the last device, to the first device and the next chunk. */
static void go_on(const nnc_wave_shape *shape, nnc_wave_cursor *next) {
    if (++next->place == shape->p) {
        next->place = 0;
        next->chunk = next->chunk + 1 < shape->v ? next->chunk + 1 : 0;
    }
}

/* Prepares slot t: at most one device moves on to its next forward chunk, and at most one device to its next backward
 * chunk. */
NNC_EACH void turn(const nnc_wave_shape *shape, nnc_wave *wave, int64_t t, const int64_t tracks) {
    const int64_t p = shape->p, v = shape->v;
    set_forward(shape, wave, wave->forward.place, wave->forward.chunk, tracks);
    /* Forward of virtual stage 0 needs no message, so the arrival time of its message is 0. */
    if (wave->forward.chunk == 0) { set_zero(wave->now.down_s, tracks); }
    go_on(shape, &wave->forward);
    if (t - shape->lead + p - 1 >= 0) {
        set_backward(shape, wave, p - 1 - wave->backward.place, v - 1 - wave->backward.chunk, tracks);
        if (wave->backward.chunk == 0) { set_zero(&wave->now.up_s[p * tracks], tracks); }
        go_on(shape, &wave->backward);
    }
}

NNC_EACH double later(double a, double b) { return a > b ? a : b; }

NNC_EACH void forward_slot(nnc_wave *wave, device_range range, const int64_t tracks) {
    double *const restrict free_s = wave->now.free_s;
    double *const restrict down_s = wave->now.down_s;
    for (int64_t i = (range.end - 1) * tracks; i >= range.first * tracks; i -= tracks) {
        double start_s[NNC_TRACKS];
        for (int64_t k = 0; k < tracks; k++) { start_s[k] = later(down_s[i + k], free_s[i + k]); }
        for (int64_t k = 0; k < tracks; k++) { free_s[i + k] = start_s[k] + wave->forward_s[i + k]; }
        for (int64_t k = 0; k < tracks; k++) { down_s[i + tracks + k] = start_s[k] + wave->forward_send_s[i + k]; }
    }
}

/* Runs one backward on each device of the range in one slot. Each backward takes the message that the next device sent
 * one slot before. */
NNC_EACH void backward_skewed(nnc_wave *wave, device_range range, const int64_t tracks) {
    double *const restrict free_s = wave->now.free_s;
    double *const restrict up_s = wave->now.up_s;
    for (int64_t i = range.first * tracks; i < range.end * tracks; i += tracks) {
        double start_s[NNC_TRACKS];
        for (int64_t k = 0; k < tracks; k++) { start_s[k] = later(up_s[i + tracks + k], free_s[i + k]); }
        for (int64_t k = 0; k < tracks; k++) { free_s[i + k] = start_s[k] + wave->backward_s[i + k]; }
        for (int64_t k = 0; k < tracks; k++) { up_s[i + k] = start_s[k] + wave->backward_send_s[i + k]; }
    }
}

/* Runs one backward on each device of the range in one slot. Each backward takes the message that the next device sends
 * in the same slot. */
NNC_EACH void backward_slot(nnc_wave *wave, device_range range, const int64_t tracks) {
    double *const restrict free_s = wave->now.free_s;
    double *const restrict up_s = wave->now.up_s;
    double arrival_s[NNC_TRACKS]; /* arrival times of the current message, kept in registers, because each device of the
                                   * loop waits for the message of the device before it */
    nnc_copy_tracks(arrival_s, &up_s[range.end * tracks], tracks);
    for (int64_t i = (range.end - 1) * tracks; i >= range.first * tracks; i -= tracks) {
        double start_s[NNC_TRACKS];
        for (int64_t k = 0; k < tracks; k++) { start_s[k] = later(arrival_s[k], free_s[i + k]); }
        for (int64_t k = 0; k < tracks; k++) { arrival_s[k] = start_s[k] + wave->backward_send_s[i + k]; }
        for (int64_t k = 0; k < tracks; k++) { free_s[i + k] = start_s[k] + wave->backward_s[i + k]; }
        nnc_copy_tracks(&up_s[i], arrival_s, tracks);
    }
}

/* Runs a forward and then a backward on each device of the range in one slot. skewed: true = a backward takes the
 * message that the next device sent one slot before; false = the message that it sends in the same slot. */
NNC_EACH void both_slot(nnc_wave *wave, device_range range, const bool skewed, const int64_t tracks) {
    double *const restrict free_s = wave->now.free_s;
    double *const restrict down_s = wave->now.down_s;
    double *const restrict up_s = wave->now.up_s;
    double arrival_s[NNC_TRACKS]; /* arrival times of the current message, kept in registers like the end times of the
                                   * forwards */
    nnc_copy_tracks(arrival_s, &up_s[range.end * tracks], tracks);
    for (int64_t i = (range.end - 1) * tracks; i >= range.first * tracks; i -= tracks) {
        double start_s[NNC_TRACKS], sent_s[NNC_TRACKS];
        for (int64_t k = 0; k < tracks; k++) { start_s[k] = later(down_s[i + k], free_s[i + k]); }
        for (int64_t k = 0; k < tracks; k++) { down_s[i + tracks + k] = start_s[k] + wave->forward_send_s[i + k]; }
        for (int64_t k = 0; k < tracks; k++) { start_s[k] = later(arrival_s[k], start_s[k] + wave->forward_s[i + k]); }
        for (int64_t k = 0; k < tracks; k++) { free_s[i + k] = start_s[k] + wave->backward_s[i + k]; }
        for (int64_t k = 0; k < tracks; k++) { sent_s[k] = start_s[k] + wave->backward_send_s[i + k]; }
        nnc_copy_tracks(arrival_s, skewed ? &up_s[i] : sent_s, tracks);
        nnc_copy_tracks(&up_s[i], sent_s, tracks);
    }
}

NNC_EACH void weight_slot(nnc_wave *wave, device_range range, const int64_t tracks) {
    for (int64_t i = range.first * tracks; i < range.end * tracks; i += tracks) {
        add_tracks(&wave->now.free_s[i], &wave->now.free_s[i], &wave->weight_s[i], tracks);
    }
}

NNC_EACH void slot(const nnc_wave_shape *shape, nnc_wave *wave, int64_t t, int64_t times, const int64_t tracks) {
    const int64_t p = shape->p, at = t - shape->lead;
    const device_range forward = active(shape, t, -1);
    const device_range backward = active(shape, at, shape->skew > 0 ? 1 : 0);
    const device_range weight = active(shape, at, -1);
    const bool together = forward.first == backward.first && forward.end == backward.end;
    for (int64_t i = 0; i < times; i++) {
        if (shape->v > 1) { turn(shape, wave, t, tracks); }
        if (t < p && i == 0) { /* in slot i, one of the first slots, device i runs its first op */
            nnc_copy_tracks(&wave->first_s[t * tracks], &wave->now.down_s[t * tracks], tracks);
        }
        if (together && shape->skew > 0) {
            both_slot(wave, forward, true, tracks);
        } else if (together) {
            both_slot(wave, forward, false, tracks);
        } else {
            forward_slot(wave, forward, tracks);
            if (shape->skew > 0) {
                backward_skewed(wave, backward, tracks);
            } else {
                backward_slot(wave, backward, tracks);
            }
        }
        if (shape->splits) { weight_slot(wave, weight, tracks); }
        if (shape->v > 1) {
            nnc_copy_tracks(wave->now.down_s, &wave->now.down_s[p * tracks], tracks);
            nnc_copy_tracks(&wave->now.up_s[p * tracks], wave->now.up_s, tracks);
        }
    }
}

NNC_WIDE static void slot_wide(const nnc_wave_shape *shape, nnc_wave *wave, int64_t t, int64_t times) {
    slot(shape, wave, t, times, NNC_TRACKS);
}

static void slot_tracks(const nnc_wave_shape *shape, nnc_wave *wave, int64_t t, int64_t times) {
    slot(shape, wave, t, times, NNC_TRACKS);
}

static void slot_alone(const nnc_wave_shape *shape, nnc_wave *wave, int64_t t, int64_t times) {
    slot(shape, wave, t, times, 1);
}

static void run_slots(const nnc_wave_shape *shape, nnc_wave *wave, int64_t t, int64_t times) {
    if (shape->tracks == 1) {
        slot_alone(shape, wave, t, times);
    } else if (shape->wide) {
        slot_wide(shape, wave, t, times);
    } else {
        slot_tracks(shape, wave, t, times);
    }
}

/* Returns the end of the stretch that begins at slot t. A stretch is a series of slots in which the same devices run a
 * forward, the same devices run a backward, and the same devices run a weight gradient. */
static int64_t same_until(const nnc_wave_shape *shape, int64_t t) {
    const int64_t step[3] = { -1, shape->skew, -1 };
    const int64_t lead[3] = { 0, shape->lead, shape->lead };
    int64_t until = INT64_MAX;
    for (int i = 0; i < (shape->splits ? 3 : 2); i++) {
        /* number of slots by which the last device runs its first op earlier than the first device; negative = later
         * */
        const int64_t reach = step[i] * (shape->p - 1);
        const int64_t low = lead[i] - (reach > 0 ? reach : 0), full = lead[i] - (reach < 0 ? reach : 0);
        const int64_t change = t < low                 ? low
                               : t < full              ? t
                               : t < low + shape->ops  ? low + shape->ops
                               : t < full + shape->ops ? t
                                                       : INT64_MAX;
        until = change < until ? change : until;
    }
    return until;
}

static int64_t slot_count(const nnc_wave_shape *shape) {
    return shape->lead + shape->ops + (shape->splits ? shape->p - 1 : 0);
}

static int64_t slots_of_turn(const nnc_wave_shape *shape) { return shape->v > 1 ? shape->p * shape->v : 1; }

static void begin(const nnc_wave_shape *shape, nnc_wave *wave) {
    const int64_t tracks = shape->tracks;
    for (int64_t i = 0; i < shape->p; i++) {
        set_zero(&wave->now.free_s[i * tracks], tracks);
        set_zero(&wave->now.down_s[(i + 1) * tracks], tracks);
        set_zero(&wave->now.up_s[i * tracks], tracks);
        set_forward(shape, wave, i, 0, tracks);
        set_backward(shape, wave, i, shape->v - 1, tracks);
    }
    set_zero(wave->now.down_s, tracks);
    set_zero(&wave->now.up_s[shape->p * tracks], tracks);
    wave->forward = wave->backward = (nnc_wave_cursor){ 0, 0 };
}

/* ---- skipping periods in closed form ---- */

/* A slot computes the next state of the replay (when each device is free, when each message arrives) from the current
 * state by maxima of sums. Therefore, each time in the state after n slots is a convex function of the times in the
 * state before these slots. In two cases the replay continues in closed form.
 *
 * In the first case, all times of the state are later than in an earlier state by one and the same amount; then the
 * state repeats forever, each time later by this amount.
 *
 * In the second case, each time grew by an amount of its own, and by the same amount in two successive repeats, because
 * some stages do not wait for each other. A trial starts one more repeat from the state that would be reached K repeats
 * later. If each time grows by its constant amount in the repeat of the trial, too, it grows by this amount in all
 * repeats in between, because the functions are convex. Bisection finds the largest confirmed K.   [pipeline-skip] */

enum { TRIAL_MIN = 8 }; /* smallest number of remaining repeats with which a trial saves time */

/* Returns one of the three arrays of a state: free_s (i = 0), down_s (i = 1) or up_s (i = 2). */
static double *row(nnc_wave_state *state, int i) {
    return i == 0 ? state->free_s : i == 1 ? state->down_s : state->up_s;
}

/* Copies the elements of one track (a pipeline of the batch) from one state of the replay to another. */
static void copy_track(const nnc_wave_shape *shape, nnc_wave_state *to, nnc_wave_state *from, int64_t track) {
    const int64_t tracks = shape->tracks;
    for (int r = 0; r < 3; r++) {
        double *const a = row(to, r);
        const double *const b = row(from, r);
        for (int64_t i = track; i < (shape->p + (r > 0)) * tracks; i += tracks) { a[i] = b[i]; }
    }
}

/* Tests whether two times are equal up to the rounding of a few additions. size_s: magnitude of the times that were
 * added. */
static bool near(double a_s, double b_s, double size_s) { return fabs(a_s - b_s) <= 8 * DBL_EPSILON * size_s; }

/* Tests whether all times of a track (pipeline) are later by the same amount than in the remembered state `then`. The
 * times of messages that were not sent are 0 in both states and are not compared. */
static bool came_back(const nnc_wave_shape *shape, nnc_wave *wave, int64_t track) {
    const double now_s = wave->now.free_s[track], by_s = now_s - wave->then.free_s[track];
    const int64_t tracks = shape->tracks;
    for (int r = 0; r < 3; r++) {
        const double *const now = row(&wave->now, r), *const then = row(&wave->then, r);
        for (int64_t i = (shape->p - (r == 0)) * tracks + track; i >= 0; i -= tracks) {
            if (!near(now[i] - then[i], by_s, now_s) && now[i] != 0) { return false; }
        }
    }
    return true;
}

/* Tests whether each time of a track (pipeline) grew from state `later` to state `now` by `times` times the amount by
 * which it grew from state `then` to state `later`. */
static bool goes_on(const nnc_wave_shape *shape, nnc_wave *wave, double times, int64_t track) {
    const int64_t tracks = shape->tracks;
    for (int r = 0; r < 3; r++) {
        const double *const now = row(&wave->now, r), *const then = row(&wave->then, r);
        const double *const later = row(&wave->later, r);
        for (int64_t i = track; i < (shape->p + (r > 0)) * tracks; i += tracks) {
            const double reached_s = later[i] + times * (later[i] - then[i]);
            if (!near(now[i], reached_s, times * later[i] + now[i])) { return false; }
        }
    }
    return true;
}

/* Extrapolates all times of a track (pipeline): sets each time in the state `now` to its value in `later` plus `times`
 * times its growth from `then` to `later`. */
static void extend(const nnc_wave_shape *shape, nnc_wave *wave, double times, int64_t track) {
    const int64_t tracks = shape->tracks;
    for (int r = 0; r < 3; r++) {
        double *const now = row(&wave->now, r);
        const double *const then = row(&wave->then, r), *const later = row(&wave->later, r);
        for (int64_t i = track; i < (shape->p + (r > 0)) * tracks; i += tracks) {
            now[i] = later[i] + times * (later[i] - then[i]);
        }
    }
}

/* State of Brent's cycle detection in one stretch of slots (see same_until). The state with which later states are
 * compared is replaced after 1, 2, 4, ... turns; replacing this state finds periods of any length, and also periods
 * that begin after an irregular part. */
typedef struct watch {
    /* until: slot at which the stretch ends; then: slot at which the remembered state was copied */
    int64_t until, then;
    /* number of slots after which the remembered state is replaced by a newer one; 0 = no state is remembered yet */
    int64_t age_max;
    int64_t repeat; /* number of slots that form one repeat in the test for constant growth */
} watch;

static void mark(const nnc_wave_shape *shape, watch *w, int64_t t) {
    const int64_t turn = slots_of_turn(shape);
    w->then = t;
    w->age_max = w->age_max == 0 ? 2 * turn : 2 * w->age_max;
    /* If messages delay the stages, the delay may need as many turns as the pipeline has stages until it has reached
     * all stages. */
    w->repeat = w->age_max >= 2 * turn * shape->p ? turn * shape->p : turn;
}

static bool is_due(const watch *w, int64_t t) { return w->age_max == 0 || t - w->then >= w->age_max; }

/* Returns how many more times the slots since the remembered state fit into the stretch (see same_until); 0 if skipping
 * so few slots saves no time. */
static int64_t ages_left(const nnc_wave_shape *shape, const watch *w, int64_t t) {
    const int64_t age = t - w->then, left = w->until - t, turn = slots_of_turn(shape);
    if (left < age || left < NNC_SKIP_MIN || age % turn != 0) { return 0; }
    const int64_t times = left / age;
    return times * age >= NNC_SKIP_MIN ? times : 0;
}

/* Tests whether the times of a track (pipeline) repeat the times of the remembered state. Returns true, too, if no
 * period was found in a very large number of slots. */
static bool repeats(const nnc_wave_shape *shape, nnc_wave *wave, const watch *w, int64_t t, int64_t track) {
    return t - w->then >= NNC_SKIP_FORCE_OPS / shape->p || came_back(shape, wave, track);
}

static void copy_all(const nnc_wave_shape *shape, nnc_wave_state *to, nnc_wave_state *from) {
    for (int r = 0; r < 3; r++) {
        memcpy(row(to, r), row(from, r), (size_t)((shape->p + (r > 0)) * shape->tracks) * sizeof(double));
    }
}

/* State of the bisection for the number of repeats to skip. good: largest number that a trial has confirmed; bad:
 * smallest number that a trial has refused (at first, all repeats that are left); times: number that is tried next; 0 =
 * the search has ended. */
typedef struct drifting {
    int64_t good, bad, times;
} drifting;

/* Skips repeats of `slots` slots on tracks (pipelines) whose times each grew by a constant amount in the last two
 * repeats. drifts: the bits of these tracks. A trial adds K times the constant growth of each time to the state and
 * runs one more repeat; K is confirmed if each time grows by the same amount in this additional repeat. Bisection finds
 * the largest K. The trials of all tracks (pipelines) run at the same time. */
static void drift(const nnc_wave_shape *shape, int32_t count, nnc_wave *wave, watch *w, int64_t *at, const bool *drifts,
                  int64_t slots, int64_t t) {
    drifting d[NNC_TRACKS];
    bool trying = false;
    for (int32_t k = 0; k < count; k++) {
        const bool with = drifts[k] && w[k].repeat == slots;
        d[k] = (drifting){ .good = 0, .bad = with ? (w[k].until - at[k]) / slots : 0 };
        d[k].times = d[k].bad < TRIAL_MIN ? 0 : d[k].bad;
        trying = trying || d[k].times > 0;
    }
    if (!trying) { return; }
    copy_all(shape, &wave->saved, &wave->now);
    while (trying) {
        for (int32_t k = 0; k < count; k++) {
            if (d[k].times > 0) { extend(shape, wave, (double)d[k].times, k); }
        }
        run_slots(shape, wave, t, slots);
        trying = false;
        for (int32_t k = 0; k < count; k++) {
            if (d[k].times == 0) { continue; }
            if (goes_on(shape, wave, (double)(d[k].times + 1), k)) {
                copy_track(shape, &wave->saved, &wave->now, k);
                d[k].good = d[k].times;
            } else {
                d[k].bad = d[k].times;
            }
            const int64_t between = d[k].bad - d[k].good;
            d[k].times = between > 1 + d[k].good / 8 ? d[k].good + between / 2 : 0;
            trying = trying || d[k].times > 0;
        }
    }
    copy_all(shape, &wave->now, &wave->saved);
    for (int32_t k = 0; k < count; k++) {
        at[k] += d[k].good * slots;
        w[k].age_max = d[k].good > 0 ? 0 : w[k].age_max;
    }
}

/* Skips periods of one track (pipeline) if its state repeats, and increases *at by the number of skipped slots. Returns
 * true if the state does not repeat, but each of its times grew by a constant amount in the last two repeats, so that
 * drift() can skip repeats. */
static bool skip(const nnc_wave_shape *shape, nnc_wave *wave, const watch *w, int64_t *at, int64_t track) {
    const int64_t age = *at - w->then, times = ages_left(shape, w, *at);
    if (times > 0 && repeats(shape, wave, w, *at, track)) {
        copy_track(shape, &wave->later, &wave->now, track);
        extend(shape, wave, (double)times, track);
        *at += times * age;
        return false;
    }
    if (age == w->repeat) {
        copy_track(shape, &wave->later, &wave->now, track);
        return false;
    }
    return age == 2 * w->repeat && goes_on(shape, wave, 1, track);
}

/* Skips whole periods on each track whose state repeats; no track goes beyond the end of the stretch (see same_until).
 * at[k]: number of the slot that track k has reached. */
static void watch_tracks(const nnc_wave_shape *shape, int32_t count, nnc_wave *wave, watch *w, int64_t *at, int64_t t) {
    bool watched[NNC_TRACKS], drifts[NNC_TRACKS];
    for (int32_t k = 0; k < count; k++) {
        watched[k] = w[k].until - at[k] >= NNC_SKIP_MIN;
        drifts[k] = watched[k] && w[k].age_max > 0 && skip(shape, wave, &w[k], &at[k], k);
    }
    for (int32_t k = 0; k < count; k++) {
        if (drifts[k]) {
            const int64_t slots = w[k].repeat;
            drift(shape, count, wave, w, at, drifts, slots, t);
            for (int32_t i = k; i < count; i++) { drifts[i] = drifts[i] && w[i].repeat != slots; }
        }
    }
    for (int32_t k = 0; k < count; k++) {
        if (watched[k] && is_due(&w[k], at[k])) {
            copy_track(shape, &wave->then, &wave->now, k);
            mark(shape, &w[k], at[k]);
        }
    }
}

/* Tests whether any track (pipeline) can skip a period that begins at slot t. */
static bool any_skips(const nnc_wave_shape *shape, int32_t count, nnc_wave *wave, const watch *w, int64_t t) {
    const bool back = ages_left(shape, w, t) > 0, drifts = t - w->then == 2 * w->repeat;
    for (int32_t k = 0; k < count && (back || drifts); k++) {
        if ((back && repeats(shape, wave, w, t, k)) || (drifts && goes_on(shape, wave, 1, k))) { return true; }
    }
    return false;
}

/* Runs all tracks (pipelines) from slot t to the end of the stretch (see same_until), in the case that at least one
 * track can skip periods. Tracks skip different numbers of slots; at[k] is the slot that track k has reached. A track
 * that reaches the end is copied to wave->kept until all tracks have reached it. Periods are skipped only at the end of
 * a turn. */
static void run_skipping(const nnc_wave_shape *shape, int32_t count, nnc_wave *wave, const watch *together, int64_t t) {
    const int64_t turn = slots_of_turn(shape);
    watch w[NNC_TRACKS];
    int64_t at[NNC_TRACKS];
    bool through[NNC_TRACKS] = { false };
    int32_t going = count;
    for (int32_t k = 0; k < count; k++) {
        w[k] = *together;
        at[k] = t;
    }
    for (int64_t turned = 0;;) {
        int64_t slots = turn - turned;
        if (turned == 0) { watch_tracks(shape, count, wave, w, at, t); }
        for (int32_t k = 0; k < count; k++) {
            const int64_t left = w[k].until - at[k];
            if (left > 0) {
                slots = left < slots ? left : slots;
            } else if (!through[k]) {
                copy_track(shape, &wave->kept, &wave->now, k);
                through[k] = true;
                going--;
            }
        }
        if (going == 0) { break; }
        run_slots(shape, wave, t, slots);
        turned = (turned + slots) % turn;
        for (int32_t k = 0; k < count; k++) { at[k] += slots; }
    }
    copy_all(shape, &wave->now, &wave->kept);
}

/* Runs all tracks (pipelines) from slot t to slot w->until, the end of the stretch (see same_until), and skips periods
 * where possible. */
static void run_stretch(const nnc_wave_shape *shape, int32_t count, nnc_wave *wave, watch *w, int64_t t) {
    const int64_t turn = slots_of_turn(shape);
    while (t < w->until) {
        const int64_t left = w->until - t, slots = left < turn ? left : turn;
        if (left >= NNC_SKIP_MIN) {
            if (w->age_max > 0 && any_skips(shape, count, wave, w, t)) {
                run_skipping(shape, count, wave, w, t);
                return;
            }
            if (w->age_max > 0 && t - w->then == w->repeat) { copy_all(shape, &wave->later, &wave->now); }
            if (is_due(w, t)) {
                copy_all(shape, &wave->then, &wave->now);
                mark(shape, w, t);
            }
        }
        run_slots(shape, wave, t, slots);
        t += slots;
    }
}

void nnc_wave_run_tracks(const nnc_wave_shape *shape, int32_t count, nnc_wave *wave) {
    const int64_t slots = slot_count(shape);
    const bool skips = shape->pipeline->micro_batches > NNC_SKIP_MIN;
    begin(shape, wave);
    for (int64_t t = 0; t < slots;) {
        watch w = { .until = skips ? same_until(shape, t) : t };
        if (w.until > slots) { w.until = slots; }
        if (w.until - t >= NNC_SKIP_MIN) {
            run_stretch(shape, count, wave, &w, t);
            t = w.until;
        } else {
            run_slots(shape, wave, t++, 1);
        }
    }
}
