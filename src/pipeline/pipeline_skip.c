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

/* A repeat of `slots` slots run from the state `times` repeats after later; true when it grows as
 * the repeat from then to later did. The slot number counts only modulo a turn here. */
static bool trial(const nnc_wave_shape *shape, nnc_wave *wave, int64_t t, int64_t slots,
                  int64_t times)
{
    extend(shape, wave, (double)times, 0);
    for (int64_t k = 0; k < slots; k++) {
        nnc_wave_slot(shape, wave, t + k);
    }
    return goes_on(shape, wave, (double)(times + 1), 0);
}

/* then, later and now, of one pipeline alone, are `slots` apart and grew alike; carries now on. Returns the slots it is
 * further, at most `left`. */
static int64_t drift(const nnc_wave_shape *shape, nnc_wave *wave, int64_t t, int64_t slots,
                     int64_t left)
{
    int64_t good = 0, bad = left / slots; /* repeats after now; the trial's own is one of them */
    if (bad < TRIAL_MIN) {
        return 0;
    }
    copy(shape, &wave->kept, &wave->now, 0);
    if (trial(shape, wave, t, slots, bad)) {
        return bad * slots;
    }
    while (bad - good > 1 + good / 8) {
        const int64_t middle = good + (bad - good) / 2;
        *(trial(shape, wave, t, slots, middle) ? &good : &bad) = middle;
    }
    copy(shape, &wave->now, &wave->kept, 0);
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

static void copy_row(double *to, int64_t to_step, const double *from, int64_t from_step,
                     int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        to[i * to_step] = from[i * from_step];
    }
}

/* A drift is tried in `one`, apart from other tracks; NULL: there are none. */
static int64_t drift_apart(const nnc_wave_shape *shape, nnc_wave *wave, nnc_wave *one,
                           const watch *w, int64_t t, int64_t track)
{
    const int64_t p = shape->p, n = shape->tracks;
    nnc_pipeline pipeline = *shape->pipeline;
    nnc_wave_shape alone = *shape;
    if (one == NULL) {
        return drift(shape, wave, t, w->repeat, w->until - t);
    }
    pipeline.forward_s += track;
    pipeline.backward_s += track;
    pipeline.weight_s += track;
    alone.pipeline = &pipeline;
    alone.send_s += track;
    alone.tracks = 1;
    for (int r = 0; r < 3; r++) {
        copy_row(row(&one->now, r), 1, &row(&wave->now, r)[track], n, p + (r > 0));
        copy_row(row(&one->then, r), 1, &row(&wave->then, r)[track], n, p + (r > 0));
        copy_row(row(&one->later, r), 1, &row(&wave->later, r)[track], n, p + (r > 0));
    }
    copy_row(one->forward_s, 1, &wave->forward_s[track], n, p);
    copy_row(one->forward_send_s, 1, &wave->forward_send_s[track], n, p);
    copy_row(one->backward_s, 1, &wave->backward_s[track], n, p);
    copy_row(one->backward_send_s, 1, &wave->backward_send_s[track], n, p);
    copy_row(one->weight_s, 1, &wave->weight_s[track], n, p);
    one->forward = wave->forward;
    one->backward = wave->backward;
    const int64_t skipped = drift(&alone, one, t, w->repeat, w->until - t);
    for (int r = 0; r < 3; r++) {
        copy_row(&row(&wave->now, r)[track], n, row(&one->now, r), 1, p + (r > 0));
    }
    return skipped;
}

/* Slots that can be left out before slot t. */
static int64_t skip(const nnc_wave_shape *shape, nnc_wave *wave, nnc_wave *one, watch *w, int64_t t,
                    int64_t track)
{
    const int64_t age = t - w->then, times = ages_left(shape, w, t);
    if (times > 0 && repeats(shape, wave, w, t, track)) {
        copy(shape, &wave->later, &wave->now, track);
        extend(shape, wave, (double)times, track);
        return times * age;
    }
    int64_t skipped = 0;
    if (age == w->repeat) {
        copy(shape, &wave->later, &wave->now, track);
    } else if (age == 2 * w->repeat && goes_on(shape, wave, 1, track)) {
        skipped = drift_apart(shape, wave, one, w, t, track);
        w->age_max = skipped > 0 ? 0 : w->age_max;
    }
    return skipped;
}

/* Skips before slot t what can be skipped; returns the slot to run then. */
static int64_t watch_slot(const nnc_wave_shape *shape, nnc_wave *wave, nnc_wave *one, watch *w,
                          int64_t t, int64_t track)
{
    if (w->until - t >= NNC_SKIP_MIN) {
        if (w->age_max > 0) {
            t += skip(shape, wave, one, w, t, track);
        }
        if (is_due(w, t)) {
            copy(shape, &wave->then, &wave->now, track);
            mark(shape, w, t);
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
            w = (watch){ .until = nnc_wave_same_until(&shape, t) };
        }
        t = watch_slot(&shape, wave, NULL, &w, t, 0);
        nnc_wave_slot(&shape, wave, t);
    }
}

/* ---- tracks ---- */

static void copy_all(const nnc_wave_shape *shape, nnc_wave_state *to, nnc_wave_state *from)
{
    for (int r = 0; r < 3; r++) {
        memcpy(row(to, r), row(from, r),
               (size_t)((shape->p + (r > 0)) * shape->tracks) * sizeof(double));
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
 * those that are through are kept as they are. */
static void run_skipping(const nnc_wave_shape *shape, int32_t count, nnc_wave *wave, nnc_wave *one,
                         const watch *together, int64_t t)
{
    watch w[NNC_TRACKS];
    int64_t at[NNC_TRACKS];
    for (int32_t k = 0; k < count; k++) {
        w[k] = *together;
        at[k] = t;
    }
    for (int32_t going = count; going > 0;) {
        for (int32_t k = 0; k < count; k++) {
            if (at[k] < w[k].until) {
                at[k] = watch_slot(shape, wave, one, &w[k], at[k], k);
                if (at[k] >= w[k].until) {
                    copy(shape, &wave->kept, &wave->now, k);
                    going--;
                }
            }
        }
        if (going > 0) {
            nnc_wave_slot(shape, wave, t);
        }
        for (int32_t k = 0; k < count && going > 0; k++) {
            if (at[k] < w[k].until && ++at[k] == w[k].until) {
                copy(shape, &wave->kept, &wave->now, k);
                going--;
            }
        }
    }
    copy_all(shape, &wave->now, &wave->kept);
}

/* Runs a stretch of like slots from t to the end of the watch. */
static void run_stretch(const nnc_wave_shape *shape, int32_t count, nnc_wave *wave, nnc_wave *one,
                        watch *w, int64_t t)
{
    for (; t < w->until; t++) {
        if (w->until - t >= NNC_SKIP_MIN) {
            if (w->age_max > 0 && any_skips(shape, count, wave, w, t)) {
                run_skipping(shape, count, wave, one, w, t);
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
        nnc_wave_slot(shape, wave, t);
    }
}

void nnc_wave_run_tracks(const nnc_wave_shape *shape, int32_t count, nnc_wave *wave, nnc_wave *one)
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
            run_stretch(shape, count, wave, one, &w, t);
            t = w.until;
        } else {
            nnc_wave_slot(shape, wave, t++);
        }
    }
}
