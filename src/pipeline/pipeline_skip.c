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
    const size_t p = (size_t)shape->p;
    memcpy(to->free_s, from->free_s, p * sizeof(double));
    memcpy(to->down_s, from->down_s, (p + 1) * sizeof(double));
    memcpy(to->up_s, from->up_s, (p + 1) * sizeof(double));
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

/* All of now is later than then by one time; what was never sent stays 0. */
static bool came_back(const nnc_wave_shape *shape, nnc_wave *wave)
{
    const double now_s = wave->now.free_s[0], by_s = now_s - wave->then.free_s[0];
    for (int r = 0; r < 3; r++) {
        const double *const now = row(&wave->now, r), *const then = row(&wave->then, r);
        for (int64_t i = 0; i < shape->p + (r > 0); i++) {
            if (!near(now[i] - then[i], by_s, now_s) && now[i] != 0) {
                return false;
            }
        }
    }
    return true;
}

/* now - later is times * (later - then), entry by entry. */
static bool goes_on(const nnc_wave_shape *shape, nnc_wave *wave, double times)
{
    for (int r = 0; r < 3; r++) {
        const double *const now = row(&wave->now, r), *const then = row(&wave->then, r);
        const double *const later = row(&wave->later, r);
        for (int64_t i = 0; i < shape->p + (r > 0); i++) {
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
    return goes_on(shape, wave, (double)(times + 1));
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

/* Slots that can be left out before slot t. */
static int64_t skip(const nnc_wave_shape *shape, nnc_wave *wave, watch *w, int64_t t)
{
    const int64_t age = t - w->then, left = w->until - t;
    const bool forced = age >= NNC_SKIP_FORCE_OPS / shape->p;
    if (age % nnc_wave_turn(shape) != 0) {
        return 0;
    }
    const int64_t times = left / age;
    if (times * age >= NNC_SKIP_MIN && (forced || came_back(shape, wave))) {
        copy(shape, &wave->later, &wave->now);
        extend(shape, wave, (double)times);
        return times * age;
    }
    int64_t skipped = 0;
    if (age == w->repeat) {
        copy(shape, &wave->later, &wave->now);
    } else if (age == 2 * w->repeat && goes_on(shape, wave, 1)) {
        skipped = drift(shape, wave, t, w->repeat, left);
        w->age_max = skipped > 0 ? 0 : w->age_max;
    }
    return skipped;
}

void nnc_wave_run(const nnc_pipeline *pipeline, nnc_wave *wave)
{
    const nnc_wave_shape shape = nnc_wave_shape_of(pipeline);
    const int64_t slots = nnc_wave_slots(&shape);
    const bool skips = pipeline->micro_batches > NNC_SKIP_MIN;
    watch w = { .until = 0 };
    nnc_wave_begin(&shape, wave);
    for (int64_t t = 0; t < slots; t++) {
        if (skips && t >= w.until) {
            w.until = nnc_wave_same_until(&shape, t);
            w.age_max = 0;
        }
        if (w.until - t >= NNC_SKIP_MIN) {
            if (w.age_max > 0) {
                t += skip(&shape, wave, &w, t);
            }
            if (w.age_max == 0 || t - w.then >= w.age_max) {
                remember(&shape, wave, &w, t);
            }
        }
        nnc_wave_slot(&shape, wave, t);
    }
}
