/* The schedules in which all devices move in step, replayed slot by slot.
 *
 * In slot t device i runs forward number t - i, then backward t - lead + skew * i, then weight
 * gradient t - lead - i, each where there is one; numbers count micro-batches, of one chunk each
 * where a device has several. That is the order list of gpipe, 1f1b, interleaved, zb-h1 and zb-h2
 * by the choice of lead and skew alone. A forward takes what the device above sent one slot
 * before, a backward what the device below sent in the same slot (skew 0) or one before (skew 1),
 * also from the last device around to the first: two rows of messages are all that is on the way,
 * and the devices of a slot can be run without asking what is ready. */
#include "pipeline/pipeline_wave.h"

#ifdef __has_include
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif
#endif

#include "pipeline/schedule.h"

/* Devices first <= i < end. */
typedef struct device_range {
    int64_t first, end;
} device_range;

/* Does the processor have vectors of four numbers? Sums and maxima have the same digits in any. */
#if defined(__x86_64__) && defined(__GNUC__)
#define WIDE __attribute__((target("avx2")))
static bool is_wide(void)
{
#ifdef CPU_FEATURE_ACTIVE /* the C library has asked already; the compiler's own word asks again at each start */
    return CPU_FEATURE_ACTIVE(AVX2);
#else
    return __builtin_cpu_supports("avx2") != 0;
#endif
}
#else
#define WIDE
static bool is_wide(void)
{
    return false;
}
#endif

/* Compiled once for each number of tracks and each processor. */
#ifdef __GNUC__
#define EACH static inline __attribute__((always_inline))
#else
#define EACH static inline
#endif

nnc_wave_shape nnc_wave_shape_of(const nnc_pipeline *pipeline, const double *send_s, int64_t tracks)
{
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
                             .wide = tracks > 1 && is_wide() };
    row->wave(&shape, m);
    return shape;
}

static int64_t clamp(int64_t value, int64_t end)
{
    return value < 0 ? 0 : value > end ? end : value;
}

/* Devices whose number at + step * i is one of the ops; step is 1, 0 or -1. */
static device_range active(const nnc_wave_shape *shape, int64_t at, int64_t step)
{
    if (step == 0) {
        return (device_range){ 0, at >= 0 && at < shape->ops ? shape->p : 0 };
    }
    if (step > 0) {
        return (device_range){ clamp(-at, shape->p), clamp(shape->ops - at, shape->p) };
    }
    return (device_range){ clamp(at - shape->ops + 1, shape->p), clamp(at + 1, shape->p) };
}

/* Four tracks are copied and added at once: what is stored in halves cannot be loaded whole for a while. */
#ifdef __GNUC__
typedef double four
    __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double)), may_alias));
#define FOUR(at) (*(four *)(at))
#define FOUR_OF(at) (*(const four *)(at))
enum { STEP = 4 };
#else
#define FOUR(at) (*(at))
#define FOUR_OF(at) (*(at))
enum { STEP = 1 };
#endif

EACH void add_tracks(double *sum, const double *a, const double *b, const int64_t tracks)
{
    if (tracks == 1) {
        *sum = *a + *b;
        return;
    }
    for (int64_t k = 0; k < tracks; k += STEP) {
        FOUR(&sum[k]) = FOUR_OF(&a[k]) + FOUR_OF(&b[k]);
    }
}

EACH void copy_tracks(double *to, const double *from, const int64_t tracks)
{
    if (tracks == 1) {
        *to = *from;
        return;
    }
    for (int64_t k = 0; k < tracks; k += STEP) {
        FOUR(&to[k]) = FOUR_OF(&from[k]);
    }
}

EACH void set_zero(double *to, const int64_t tracks)
{
    for (int64_t k = 0; k < tracks; k++) {
        to[k] = 0;
    }
}

/* Times with the way of what is sent, where there is anybody to send it to. */
EACH void add_send(const nnc_wave_shape *shape, double *sum, const double *times,
                   const int64_t tracks)
{
    if (shape->p > 1) {
        add_tracks(sum, times, shape->send_s, tracks);
    } else {
        copy_tracks(sum, times, tracks);
    }
}

EACH void set_forward(const nnc_wave_shape *shape, nnc_wave *wave, int64_t i, int64_t chunk,
                      const int64_t tracks)
{
    const int64_t at = i * tracks, s = (chunk * shape->p + i) * shape->stride;
    copy_tracks(&wave->forward_s[at], &shape->pipeline->forward_s[s], tracks);
    add_send(shape, &wave->forward_send_s[at], &wave->forward_s[at], tracks);
}

EACH void set_backward(const nnc_wave_shape *shape, nnc_wave *wave, int64_t i, int64_t chunk,
                       const int64_t tracks)
{
    const nnc_pipeline *const pipeline = shape->pipeline;
    const int64_t at = i * tracks, s = (chunk * shape->p + i) * shape->stride;
    copy_tracks(&wave->weight_s[at], &pipeline->weight_s[s], tracks);
    if (shape->splits) {
        copy_tracks(&wave->backward_s[at], &pipeline->backward_s[s], tracks);
    } else {
        add_tracks(&wave->backward_s[at], &pipeline->backward_s[s], &wave->weight_s[at], tracks);
    }
    /* Nothing is sent from the first virtual stage; what wraps around there is not read. */
    add_send(shape, &wave->backward_send_s[at], &wave->backward_s[at], tracks);
}

/* The next device of a round; the next round is of the next chunk. */
static void go_on(const nnc_wave_shape *shape, nnc_wave_cursor *next)
{
    if (++next->place == shape->p) {
        next->place = 0;
        next->chunk = next->chunk + 1 < shape->v ? next->chunk + 1 : 0;
    }
}

/* In each slot one device at most goes on to its next chunk forward, and one backward. */
EACH void turn(const nnc_wave_shape *shape, nnc_wave *wave, int64_t t, const int64_t tracks)
{
    const int64_t p = shape->p, v = shape->v;
    set_forward(shape, wave, wave->forward.place, wave->forward.chunk, tracks);
    /* The ends of the pipeline wait for nobody. */
    if (wave->forward.chunk == 0) {
        set_zero(wave->now.down_s, tracks);
    }
    go_on(shape, &wave->forward);
    if (t - shape->lead + p - 1 >= 0) {
        set_backward(shape, wave, p - 1 - wave->backward.place, v - 1 - wave->backward.chunk,
                     tracks);
        if (wave->backward.chunk == 0) {
            set_zero(&wave->now.up_s[p * tracks], tracks);
        }
        go_on(shape, &wave->backward);
    }
}

EACH double later(double a, double b)
{
    return a > b ? a : b;
}

EACH void forward_slot(nnc_wave *wave, device_range range, const int64_t tracks)
{
    double *const restrict free_s = wave->now.free_s;
    double *const restrict down_s = wave->now.down_s;
    for (int64_t i = (range.end - 1) * tracks; i >= range.first * tracks; i -= tracks) {
        double start_s[NNC_TRACKS];
        for (int64_t k = 0; k < tracks; k++) {
            start_s[k] = later(down_s[i + k], free_s[i + k]);
        }
        for (int64_t k = 0; k < tracks; k++) {
            free_s[i + k] = start_s[k] + wave->forward_s[i + k];
        }
        for (int64_t k = 0; k < tracks; k++) {
            down_s[i + tracks + k] = start_s[k] + wave->forward_send_s[i + k];
        }
    }
}

/* Each takes what the device below sent one slot before. */
EACH void backward_skewed(nnc_wave *wave, device_range range, const int64_t tracks)
{
    double *const restrict free_s = wave->now.free_s;
    double *const restrict up_s = wave->now.up_s;
    for (int64_t i = range.first * tracks; i < range.end * tracks; i += tracks) {
        double start_s[NNC_TRACKS];
        for (int64_t k = 0; k < tracks; k++) {
            start_s[k] = later(up_s[i + tracks + k], free_s[i + k]);
        }
        for (int64_t k = 0; k < tracks; k++) {
            free_s[i + k] = start_s[k] + wave->backward_s[i + k];
        }
        for (int64_t k = 0; k < tracks; k++) {
            up_s[i + k] = start_s[k] + wave->backward_send_s[i + k];
        }
    }
}

/* Each takes what the device below sends in this slot. */
EACH void backward_slot(nnc_wave *wave, device_range range, const int64_t tracks)
{
    double *const restrict free_s = wave->now.free_s;
    double *const restrict up_s = wave->now.up_s;
    double arrival_s[NNC_TRACKS]; /* handed on in registers: this chain is what takes time */
    copy_tracks(arrival_s, &up_s[range.end * tracks], tracks);
    for (int64_t i = (range.end - 1) * tracks; i >= range.first * tracks; i -= tracks) {
        double start_s[NNC_TRACKS];
        for (int64_t k = 0; k < tracks; k++) {
            start_s[k] = later(arrival_s[k], free_s[i + k]);
        }
        for (int64_t k = 0; k < tracks; k++) {
            arrival_s[k] = start_s[k] + wave->backward_send_s[i + k];
        }
        for (int64_t k = 0; k < tracks; k++) {
            free_s[i + k] = start_s[k] + wave->backward_s[i + k];
        }
        copy_tracks(&up_s[i], arrival_s, tracks);
    }
}

/* Forward, then backward, of devices that have both. Skewed: each takes what the device below sent one slot before. */
EACH void both_slot(nnc_wave *wave, device_range range, const bool skewed, const int64_t tracks)
{
    double *const restrict free_s = wave->now.free_s;
    double *const restrict down_s = wave->now.down_s;
    double *const restrict up_s = wave->now.up_s;
    double arrival_s[NNC_TRACKS]; /* handed on in registers, like what is free in between */
    copy_tracks(arrival_s, &up_s[range.end * tracks], tracks);
    for (int64_t i = (range.end - 1) * tracks; i >= range.first * tracks; i -= tracks) {
        double start_s[NNC_TRACKS], sent_s[NNC_TRACKS];
        for (int64_t k = 0; k < tracks; k++) {
            start_s[k] = later(down_s[i + k], free_s[i + k]);
        }
        for (int64_t k = 0; k < tracks; k++) {
            down_s[i + tracks + k] = start_s[k] + wave->forward_send_s[i + k];
        }
        for (int64_t k = 0; k < tracks; k++) {
            start_s[k] = later(arrival_s[k], start_s[k] + wave->forward_s[i + k]);
        }
        for (int64_t k = 0; k < tracks; k++) {
            free_s[i + k] = start_s[k] + wave->backward_s[i + k];
        }
        for (int64_t k = 0; k < tracks; k++) {
            sent_s[k] = start_s[k] + wave->backward_send_s[i + k];
        }
        copy_tracks(arrival_s, skewed ? &up_s[i] : sent_s, tracks);
        copy_tracks(&up_s[i], sent_s, tracks);
    }
}

EACH void weight_slot(nnc_wave *wave, device_range range, const int64_t tracks)
{
    for (int64_t i = range.first * tracks; i < range.end * tracks; i += tracks) {
        add_tracks(&wave->now.free_s[i], &wave->now.free_s[i], &wave->weight_s[i], tracks);
    }
}

EACH void slot(const nnc_wave_shape *shape, nnc_wave *wave, int64_t t, int64_t times,
               const int64_t tracks)
{
    const int64_t p = shape->p, at = t - shape->lead;
    const device_range forward = active(shape, t, -1);
    const device_range backward = active(shape, at, shape->skew > 0 ? 1 : 0);
    const device_range weight = active(shape, at, -1);
    const bool together = forward.first == backward.first && forward.end == backward.end;
    for (int64_t i = 0; i < times; i++) {
        if (shape->v > 1) {
            turn(shape, wave, t, tracks);
        }
        if (t < p && i == 0) { /* devices begin one slot after the other */
            copy_tracks(&wave->first_s[t * tracks], &wave->now.down_s[t * tracks], tracks);
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
        if (shape->splits) {
            weight_slot(wave, weight, tracks);
        }
        if (shape->v > 1) {
            copy_tracks(wave->now.down_s, &wave->now.down_s[p * tracks], tracks);
            copy_tracks(&wave->now.up_s[p * tracks], wave->now.up_s, tracks);
        }
    }
}

WIDE static void slot_wide(const nnc_wave_shape *shape, nnc_wave *wave, int64_t t, int64_t times)
{
    slot(shape, wave, t, times, NNC_TRACKS);
}

static void slot_tracks(const nnc_wave_shape *shape, nnc_wave *wave, int64_t t, int64_t times)
{
    slot(shape, wave, t, times, NNC_TRACKS);
}

static void slot_alone(const nnc_wave_shape *shape, nnc_wave *wave, int64_t t, int64_t times)
{
    slot(shape, wave, t, times, 1);
}

void nnc_wave_slot(const nnc_wave_shape *shape, nnc_wave *wave, int64_t t, int64_t times)
{
    if (shape->tracks == 1) {
        slot_alone(shape, wave, t, times);
    } else if (shape->wide) {
        slot_wide(shape, wave, t, times);
    } else {
        slot_tracks(shape, wave, t, times);
    }
}

int64_t nnc_wave_same_until(const nnc_wave_shape *shape, int64_t t)
{
    const int64_t step[3] = { -1, shape->skew, -1 };
    const int64_t lead[3] = { 0, shape->lead, shape->lead };
    int64_t until = INT64_MAX;
    for (int i = 0; i < (shape->splits ? 3 : 2); i++) {
        const int64_t reach = step[i] * (shape->p - 1); /* of the last device against the first */
        const int64_t low = lead[i] - (reach > 0 ? reach : 0),
                      full = lead[i] - (reach < 0 ? reach : 0);
        const int64_t change = t < low                 ? low
                               : t < full              ? t
                               : t < low + shape->ops  ? low + shape->ops
                               : t < full + shape->ops ? t
                                                       : INT64_MAX;
        until = change < until ? change : until;
    }
    return until;
}

int64_t nnc_wave_slots(const nnc_wave_shape *shape)
{
    return shape->lead + shape->ops + (shape->splits ? shape->p - 1 : 0);
}

int64_t nnc_wave_turn(const nnc_wave_shape *shape)
{
    return shape->v > 1 ? shape->p * shape->v : 1;
}

void nnc_wave_begin(const nnc_wave_shape *shape, nnc_wave *wave)
{
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
