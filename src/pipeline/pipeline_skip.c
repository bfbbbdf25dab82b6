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

/* Rows of a state, to walk them alike. */
static double *row(nnc_wave_state *state, int i)
{
    return i == 0 ? state->free_s : i == 1 ? state->down_s : state->up_s;
}

/* Of one track, like all that follows. */
static void copy(const nnc_wave_shape *shape, nnc_wave_state *to, nnc_wave_state *from,
                 int64_t track)
{
    const int64_t tracks = shape->tracks;
    for (int r = 0; r < 3; r++) {
        double *const a = row(to, r);
        const double *const b = row(from, r);
        for (int64_t i = track; i < (shape->p + (r > 0)) * tracks; i += tracks) {
            a[i] = b[i];
        }
    }
}

/* Times differ by the rounding of a few additions. */
static bool near(double a_s, double b_s, double size_s)
{
    return fabs(a_s - b_s) <= 8 * DBL_EPSILON * size_s;
}

/* All of now is later than then by one time; what was never sent stays 0. */
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
static void extend(const nnc_wave_shape *shape, nnc_wave *wave, double times, int64_t track)
{
    const int64_t tracks = shape->tracks;
    for (int r = 0; r < 3; r++) {
        double *const now = row(&wave->now, r);
        const double *const then = row(&wave->then, r), *const later = row(&wave->later, r);
        for (int64_t i = track; i < (shape->p + (r > 0)) * tracks; i += tracks) {
            now[i] = later[i] + times * (later[i] - then[i]);
        }
    }
}

/* Brent's cycle detection, anew for each stretch of like slots: the remembered moment is replaced
 * after 1, 2, 4, ... turns, so a period is found whatever its length and run-up. */
typedef struct watch {
    int64_t until, then; /* end of the stretch, slot of the remembered moment */
    int64_t age_max;     /* 0: nothing remembered yet */
    int64_t repeat;      /* of a drift */
} watch;

static void mark(const nnc_wave_shape *shape, watch *w, int64_t t)
{
    const int64_t turn = nnc_wave_turn(shape);
    w->then = t;
    w->age_max = w->age_max == 0 ? 2 * turn : 2 * w->age_max;
    /* Messages on the way make waves as long as the pipeline. */
    w->repeat = w->age_max >= 2 * turn * shape->p ? turn * shape->p : turn;
}

static bool is_due(const watch *w, int64_t t)
{
    return w->age_max == 0 || t - w->then >= w->age_max;
}

/* Whole ages of the remembered moment that are left in the stretch, where it pays to leave them out. */
static int64_t ages_left(const nnc_wave_shape *shape, const watch *w, int64_t t)
{
    const int64_t age = t - w->then, left = w->until - t, turn = nnc_wave_turn(shape);
    if (left < age || left < NNC_SKIP_MIN || (turn > 1 && age % turn != 0)) {
        return 0;
    }
    const int64_t times = left / age;
    return times * age >= NNC_SKIP_MIN ? times : 0;
}

/* Does a track stand as it did then, or has nobody seen it do so for too long? */
static bool repeats(const nnc_wave_shape *shape, nnc_wave *wave, const watch *w, int64_t t,
                    int64_t track)
{
    return t - w->then >= NNC_SKIP_FORCE_OPS / shape->p || came_back(shape, wave, track);
}

static void copy_all(const nnc_wave_shape *shape, nnc_wave_state *to, nnc_wave_state *from)
{
    for (int r = 0; r < 3; r++) {
        memcpy(row(to, r), row(from, r),
               (size_t)((shape->p + (r > 0)) * shape->tracks) * sizeof(double));
    }
}

/* Repeats of a drift that were tried with success and without, and those to try next; 0 = none. */
typedef struct drifting {
    int64_t good, bad, times;
} drifting;

/* Carries on the tracks whose then, later and now are `slots` apart and grew alike: as many repeats after now as a trial
 * of one more, run from the state that they lead to, grows like them. The trials of all tracks run at once. */
static void drift(const nnc_wave_shape *shape, int32_t count, nnc_wave *wave, watch *w, int64_t *at,
                  const bool *drifts, int64_t slots, int64_t t)
{
    drifting d[NNC_TRACKS];
    bool trying = false;
    for (int32_t k = 0; k < count; k++) {
        const bool with = drifts[k] && w[k].repeat == slots;
        d[k] = (drifting){ .good = 0, .bad = with ? (w[k].until - at[k]) / slots : 0 };
        d[k].times = d[k].bad < TRIAL_MIN ? 0 : d[k].bad;
        trying = trying || d[k].times > 0;
    }
    if (!trying) {
        return;
    }
    copy_all(shape, &wave->saved, &wave->now);
    while (trying) {
        for (int32_t k = 0; k < count; k++) {
            if (d[k].times > 0) {
                extend(shape, wave, (double)d[k].times, k);
            }
        }
        nnc_wave_slot(shape, wave, t, slots);
        trying = false;
        for (int32_t k = 0; k < count; k++) {
            if (d[k].times == 0) {
                continue;
            }
            if (goes_on(shape, wave, (double)(d[k].times + 1), k)) {
                copy(shape, &wave->saved, &wave->now, k);
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

/* Skips before slot *at what came back; else: has the track drifted? */
static bool skip(const nnc_wave_shape *shape, nnc_wave *wave, const watch *w, int64_t *at,
                 int64_t track)
{
    const int64_t age = *at - w->then, times = ages_left(shape, w, *at);
    if (times > 0 && repeats(shape, wave, w, *at, track)) {
        copy(shape, &wave->later, &wave->now, track);
        extend(shape, wave, (double)times, track);
        *at += times * age;
        return false;
    }
    if (age == w->repeat) {
        copy(shape, &wave->later, &wave->now, track);
        return false;
    }
    return age == 2 * w->repeat && goes_on(shape, wave, 1, track);
}

/* Skips what can be skipped of each track before its slot. */
static void watch_tracks(const nnc_wave_shape *shape, int32_t count, nnc_wave *wave, watch *w,
                         int64_t *at, int64_t t)
{
    bool watched[NNC_TRACKS], drifts[NNC_TRACKS];
    for (int32_t k = 0; k < count; k++) {
        watched[k] = w[k].until - at[k] >= NNC_SKIP_MIN;
        drifts[k] = watched[k] && w[k].age_max > 0 && skip(shape, wave, &w[k], &at[k], k);
    }
    for (int32_t k = 0; k < count; k++) {
        if (drifts[k]) {
            const int64_t slots = w[k].repeat;
            drift(shape, count, wave, w, at, drifts, slots, t);
            for (int32_t i = k; i < count; i++) {
                drifts[i] = drifts[i] && w[i].repeat != slots;
            }
        }
    }
    for (int32_t k = 0; k < count; k++) {
        if (watched[k] && is_due(&w[k], at[k])) {
            copy(shape, &wave->then, &wave->now, k);
            mark(shape, &w[k], at[k]);
        }
    }
}

/* Would any track skip before slot t? */
static bool any_skips(const nnc_wave_shape *shape, int32_t count, nnc_wave *wave, const watch *w,
                      int64_t t)
{
    const bool back = ages_left(shape, w, t) > 0, drifts = t - w->then == 2 * w->repeat;
    for (int32_t k = 0; k < count && (back || drifts); k++) {
        if ((back && repeats(shape, wave, w, t, k)) || (drifts && goes_on(shape, wave, 1, k))) {
            return true;
        }
    }
    return false;
}

/* Runs a stretch of like slots to its end, after which some track skips: each is at a slot of its own from then on, and
 * those that are through are kept as they are. Only where a turn ends is there anything to skip. */
static void run_skipping(const nnc_wave_shape *shape, int32_t count, nnc_wave *wave,
                         const watch *together, int64_t t)
{
    const int64_t turn = nnc_wave_turn(shape);
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
        if (turned == 0) {
            watch_tracks(shape, count, wave, w, at, t);
        }
        for (int32_t k = 0; k < count; k++) {
            const int64_t left = w[k].until - at[k];
            if (left > 0) {
                slots = left < slots ? left : slots;
            } else if (!through[k]) {
                copy(shape, &wave->kept, &wave->now, k);
                through[k] = true;
                going--;
            }
        }
        if (going == 0) {
            break;
        }
        nnc_wave_slot(shape, wave, t, slots);
        turned = (turned + slots) % turn;
        for (int32_t k = 0; k < count; k++) {
            at[k] += slots;
        }
    }
    copy_all(shape, &wave->now, &wave->kept);
}

/* Runs a stretch of like slots from t to the end of the watch. */
static void run_stretch(const nnc_wave_shape *shape, int32_t count, nnc_wave *wave, watch *w,
                        int64_t t)
{
    const int64_t turn = nnc_wave_turn(shape);
    while (t < w->until) {
        const int64_t left = w->until - t, slots = left < turn ? left : turn;
        if (left >= NNC_SKIP_MIN) {
            if (w->age_max > 0 && any_skips(shape, count, wave, w, t)) {
                run_skipping(shape, count, wave, w, t);
                return;
            }
            if (w->age_max > 0 && t - w->then == w->repeat) {
                copy_all(shape, &wave->later, &wave->now);
            }
            if (is_due(w, t)) {
                copy_all(shape, &wave->then, &wave->now);
                mark(shape, w, t);
            }
        }
        nnc_wave_slot(shape, wave, t, slots);
        t += slots;
    }
}

void nnc_wave_run_tracks(const nnc_wave_shape *shape, int32_t count, nnc_wave *wave)
{
    const int64_t slots = nnc_wave_slots(shape);
    const bool skips = shape->pipeline->micro_batches > NNC_SKIP_MIN;
    nnc_wave_begin(shape, wave);
    for (int64_t t = 0; t < slots;) {
        watch w = { .until = skips ? nnc_wave_same_until(shape, t) : t };
        if (w.until > slots) {
            w.until = slots;
        }
        if (w.until - t >= NNC_SKIP_MIN) {
            run_stretch(shape, count, wave, &w, t);
            t = w.until;
        } else {
            nnc_wave_slot(shape, wave, t++, 1);
        }
    }
}

void nnc_wave_run(const nnc_pipeline *pipeline, nnc_wave *wave)
{
    const nnc_wave_shape shape = nnc_wave_shape_of(pipeline, &pipeline->send_s, 1);
    nnc_wave_run_tracks(&shape, 1, wave);
}
