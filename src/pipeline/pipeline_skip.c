/* Runs the slots of a wave, leaving out those whose effect is known.
 *
 * One slot maps the state (when each device is free, when each message arrives) to the next by
 * maxima of sums, so every entry after n slots is a convex function of every entry before them.
 * Two cases can be carried on in closed form:
 *
 *   - the state came back, all of it later by the same time: so it will for ever;
 *   - each entry grew by the same amount twice, though not all by one amount (stages that do not
 *     wait for each other drift apart). If a trial from the state K repeats on still grows by that
 *     amount, so do all repeats in between: two points of a convex function and its slope at one
 *     end leave it no other way. K is found by bisection.   [pipeline-skip] */
#include <float.h>
#include <math.h>
#include <string.h>

#include "pipeline/pipeline_wave.h"

enum { TRIAL_MIN = 8 }; /* repeats worth a trial */

static void copy(const nnc_wave_shape *shape, nnc_wave_state *to, const nnc_wave_state *from)
{
    const size_t size = (size_t)shape->tracks * sizeof(double), p = (size_t)shape->p;
    memcpy(to->free_s, from->free_s, p * size);
    memcpy(to->down_s, from->down_s, (p + 1) * size);
    memcpy(to->up_s, from->up_s, (p + 1) * size);
}

/* Rows of a state, to walk them alike. */
static double *row(nnc_wave_state *state, int i)
{
    return i == 0 ? state->free_s : i == 1 ? state->down_s : state->up_s;
}

/* Times differ by the rounding of a few additions. */
static bool near(double a_s, double b_s, double size_s)
{
    return fabs(a_s - b_s) <= 8 * DBL_EPSILON * size_s;
}

/* All of now is later than then by one time; what was never sent stays 0. Of one track. */
static bool came_back(const nnc_wave_shape *shape, nnc_wave *wave, int64_t track)
{
    const double now_s = wave->now.free_s[track], by_s = now_s - wave->then.free_s[track];
    const int64_t tracks = shape->tracks;
    for (int r = 0; r < 3; r++) {
        const double *const now = row(&wave->now, r), *const then = row(&wave->then, r);
        for (int64_t i = (shape->p - (r == 0)) * tracks + track; i >= 0; i -= tracks) {
            if (!near(now[i] - then[i], by_s, now_s) && now[i] != 0) {
                return false;
            }
        }
    }
    return true;
}

/* now - later is times * (later - then), entry by entry. */
static bool goes_on(const nnc_wave_shape *shape, nnc_wave *wave, double times, int64_t track)
{
    const int64_t tracks = shape->tracks;
    for (int r = 0; r < 3; r++) {
        const double *const now = row(&wave->now, r), *const then = row(&wave->then, r);
        const double *const later = row(&wave->later, r);
        for (int64_t i = track; i < (shape->p + (r > 0)) * tracks; i += tracks) {
            const double reached_s = later[i] + times * (later[i] - then[i]);
            if (!near(now[i], reached_s, times * later[i] + now[i])) {
                return false;
            }
        }
    }
    return true;
}

/* now = later + times * (later - then). */
static void extend(const nnc_wave_shape *shape, nnc_wave *wave, double times)
{
    for (int r = 0; r < 3; r++) {
        double *const now = row(&wave->now, r);
        const double *const then = row(&wave->then, r), *const later = row(&wave->later, r);
        for (int64_t i = 0; i < shape->p + (r > 0); i++) {
            now[i] = later[i] + times * (later[i] - then[i]);
        }
    }
}

/* A repeat of `slots` slots run from the state `times` repeats after later; true when it grows as
 * the repeat from then to later did. The slot number counts only modulo a turn here. */
static bool trial(const nnc_wave_shape *shape, nnc_wave *wave, int64_t t, int64_t slots,
                  int64_t times)
{
    extend(shape, wave, (double)times);
    for (int64_t k = 0; k < slots; k++) {
        nnc_wave_slot(shape, wave, t + k);
    }
    return goes_on(shape, wave, (double)(times + 1), 0);
}

/* then, later and now are `slots` apart and grew alike; carries now on. Returns the slots it is
 * further, at most `left`. */
static int64_t drift(const nnc_wave_shape *shape, nnc_wave *wave, int64_t t, int64_t slots,
                     int64_t left)
{
    int64_t good = 0, bad = left / slots; /* repeats after now; the trial's own is one of them */
    if (bad < TRIAL_MIN) {
        return 0;
    }
    copy(shape, &wave->kept, &wave->now);
    if (trial(shape, wave, t, slots, bad)) {
        return bad * slots;
    }
    while (bad - good > 1 + good / 8) {
        const int64_t middle = good + (bad - good) / 2;
        *(trial(shape, wave, t, slots, middle) ? &good : &bad) = middle;
    }
    copy(shape, &wave->now, &wave->kept);
    if (good > 0) {
        trial(shape, wave, t, slots, good);
    }
    return good * slots;
}

/* Brent's cycle detection, anew for each stretch of like slots: the remembered moment is replaced
 * after 1, 2, 4, ... turns, so a period is found whatever its length and run-up. */
typedef struct watch {
    int64_t until, then; /* end of the stretch, slot of the remembered moment */
    int64_t age_max;     /* 0: nothing remembered yet */
    int64_t repeat;      /* of a drift */
} watch;

static void remember(const nnc_wave_shape *shape, nnc_wave *wave, watch *w, int64_t t)
{
    const int64_t turn = nnc_wave_turn(shape);
    copy(shape, &wave->then, &wave->now);
    w->then = t;
    w->age_max = w->age_max == 0 ? 2 * turn : 2 * w->age_max;
    /* Messages on the way make waves as long as the pipeline. */
    w->repeat = w->age_max >= 2 * turn * shape->p ? turn * shape->p : turn;
}

/* Whole ages of the remembered moment that are left in the stretch, where it pays to leave them out. */
static int64_t ages_left(const nnc_wave_shape *shape, const watch *w, int64_t t)
{
    const int64_t age = t - w->then, times = (w->until - t) / age;
    return age % nnc_wave_turn(shape) == 0 && times * age >= NNC_SKIP_MIN ? times : 0;
}

/* Does a track stand as it did then, or has nobody seen it do so for too long? */
static bool repeats(const nnc_wave_shape *shape, nnc_wave *wave, const watch *w, int64_t t,
                    int64_t track)
{
    return t - w->then >= NNC_SKIP_FORCE_OPS / shape->p || came_back(shape, wave, track);
}

/* Slots that can be left out before slot t, of one track. */
static int64_t skip(const nnc_wave_shape *shape, nnc_wave *wave, watch *w, int64_t t)
{
    const int64_t age = t - w->then, times = ages_left(shape, w, t);
    if (times > 0 && repeats(shape, wave, w, t, 0)) {
        copy(shape, &wave->later, &wave->now);
        extend(shape, wave, (double)times);
        return times * age;
    }
    int64_t skipped = 0;
    if (age == w->repeat) {
        copy(shape, &wave->later, &wave->now);
    } else if (age == 2 * w->repeat && goes_on(shape, wave, 1, 0)) {
        skipped = drift(shape, wave, t, w->repeat, w->until - t);
        w->age_max = skipped > 0 ? 0 : w->age_max;
    }
    return skipped;
}

/* Where a stretch of like slots begins. */
static void begin_stretch(const nnc_wave_shape *shape, watch *w, int64_t t)
{
    w->until = nnc_wave_same_until(shape, t);
    w->age_max = 0;
}

/* Skips before slot t what can be skipped; returns the slot to run then. */
static int64_t watch_slot(const nnc_wave_shape *shape, nnc_wave *wave, watch *w, int64_t t)
{
    if (w->until - t >= NNC_SKIP_MIN) {
        if (w->age_max > 0) {
            t += skip(shape, wave, w, t);
        }
        if (w->age_max == 0 || t - w->then >= w->age_max) {
            remember(shape, wave, w, t);
        }
    }
    return t;
}

void nnc_wave_run(const nnc_pipeline *pipeline, nnc_wave *wave)
{
    const nnc_wave_shape shape = nnc_wave_shape_of(pipeline, &pipeline->send_s, 1);
    const int64_t slots = nnc_wave_slots(&shape);
    const bool skips = pipeline->micro_batches > NNC_SKIP_MIN;
    watch w = { .until = 0 };
    nnc_wave_begin(&shape, wave);
    for (int64_t t = 0; t < slots; t++) {
        if (skips && t >= w.until) {
            begin_stretch(&shape, &w, t);
        }
        t = watch_slot(&shape, wave, &w, t);
        nnc_wave_slot(&shape, wave, t);
    }
}

/* ---- tracks ---- */

static void take_row(double *to, const double *from, int64_t count, int64_t k)
{
    for (int64_t i = 0; i < count; i++) {
        to[i] = from[i * NNC_TRACKS + k];
    }
}

static void put_row(double *to, const double *from, int64_t count, int64_t k)
{
    for (int64_t i = 0; i < count; i++) {
        to[i * NNC_TRACKS + k] = from[i];
    }
}

/* Copies one track of a state out, or back in. */
static void take_state(const nnc_wave_shape *shape, nnc_wave_state *to, nnc_wave_state *from,
                       int64_t k)
{
    for (int r = 0; r < 3; r++) {
        take_row(row(to, r), row(from, r), shape->p + (r > 0), k);
    }
}

static void put_state(const nnc_wave_shape *shape, nnc_wave_state *to, nnc_wave_state *from,
                      int64_t k)
{
    for (int r = 0; r < 3; r++) {
        put_row(row(to, r), row(from, r), shape->p + (r > 0), k);
    }
}

/* Runs one track alone, from slot t to the end of the stretch, and leaves it in kept. */
static void run_apart(const nnc_wave_shape *shape, nnc_wave *wave, nnc_wave *one,
                      const watch *shared, int64_t t, int64_t k)
{
    const int64_t p = shape->p;
    nnc_pipeline pipeline = *shape->pipeline;
    nnc_wave_shape alone = *shape;
    watch w = *shared;
    pipeline.forward_s += k;
    pipeline.backward_s += k;
    pipeline.weight_s += k;
    alone.pipeline = &pipeline;
    alone.send_s += k;
    alone.tracks = 1;
    take_state(shape, &one->now, &wave->now, k);
    take_state(shape, &one->then, &wave->then, k);
    take_state(shape, &one->later, &wave->later, k);
    take_row(one->forward_s, wave->forward_s, p, k);
    take_row(one->forward_send_s, wave->forward_send_s, p, k);
    take_row(one->backward_s, wave->backward_s, p, k);
    take_row(one->backward_send_s, wave->backward_send_s, p, k);
    take_row(one->weight_s, wave->weight_s, p, k);
    one->forward = wave->forward;
    one->backward = wave->backward;
    while ((t = watch_slot(&alone, one, &w, t)) < w.until) {
        nnc_wave_slot(&alone, one, t++);
    }
    put_state(shape, &wave->kept, &one->now, k);
}

/* Tracks that skip before slot t run apart; returns them with those that did before. */
static unsigned run_skipping(const nnc_wave_shape *shape, int32_t count, nnc_wave *wave,
                             nnc_wave *one, const watch *w, int64_t t, unsigned apart)
{
    const int64_t age = t - w->then;
    const bool back = ages_left(shape, w, t) > 0, drifts = age == 2 * w->repeat;
    for (int32_t k = 0; k < count && (back || drifts); k++) {
        if ((apart & 1u << k) == 0 &&
            ((back && repeats(shape, wave, w, t, k)) || (drifts && goes_on(shape, wave, 1, k)))) {
            run_apart(shape, wave, one, w, t, k);
            apart |= 1u << k;
        }
    }
    if (age == w->repeat) {
        copy(shape, &wave->later, &wave->now);
    }
    return apart;
}

/* Where a stretch ends all tracks are together again. */
static void join(const nnc_wave_shape *shape, nnc_wave *wave, nnc_wave *one, unsigned apart)
{
    for (int32_t k = 0; k < NNC_TRACKS; k++) {
        if ((apart & 1u << k) != 0) {
            take_state(shape, &one->now, &wave->kept, k);
            put_state(shape, &wave->now, &one->now, k);
        }
    }
}

void nnc_wave_run_tracks(const nnc_wave_shape *shape, int32_t count, nnc_wave *wave, nnc_wave *one)
{
    const int64_t slots = nnc_wave_slots(shape), turn = nnc_wave_turn(shape);
    const bool skips = shape->pipeline->micro_batches > NNC_SKIP_MIN;
    const unsigned all = (1u << count) - 1;
    unsigned apart = 0;
    watch w = { .until = 0 };
    nnc_wave_begin(shape, wave);
    for (int64_t t = 0; t < slots; t++) {
        if (skips && t >= w.until) {
            join(shape, wave, one, apart);
            apart = 0;
            begin_stretch(shape, &w, t);
        }
        if (w.until - t >= NNC_SKIP_MIN) {
            if (w.age_max > 0) {
                apart = run_skipping(shape, count, wave, one, &w, t, apart);
            }
            if (w.age_max == 0 || t - w.then >= w.age_max) {
                remember(shape, wave, &w, t);
            }
        }
        if (apart == all) { /* nobody is left here */
            nnc_wave_turn_on(shape, wave, t, (w.until - t) % turn);
            t = w.until - 1;
        } else {
            nnc_wave_slot(shape, wave, t);
        }
    }
    join(shape, wave, one, apart);
}
