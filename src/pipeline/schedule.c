/* The pipeline schedules: one row per schedule, with functions for its order list and its formulas; and the rules that
 * a plan has to meet. In this file p is the number of stages, v the number of chunks per device, m the number of
 * micro-batches. */
#include "base/base_internal.h"
#include "pipeline/pipeline_internal.h"

/* An order list gives the ops of a device in the order in which they run. The order list depends only on the numbers of
 * stages, chunks and micro-batches, not on times. Because the order of ops does not depend on times, the replayed step
 * never becomes shorter if an op takes longer. */

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static void append(nnc_pipeline_device *device, int64_t repeat, const uint8_t *op, size_t ops) {
    if (repeat <= 0) { return; }
    nnc_order_run *const run = &device->order[device->runs++];
    run->repeat = repeat;
    run->ops = (uint8_t)ops;
    for (size_t i = 0; i < ops; i++) { run->op[i] = op[i]; }
}

#define APPEND(device, repeat, ...) \
    append((device), (repeat), (const uint8_t[]){ __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ }))

/* ---- 1f1b, arXiv:2104.04473 ----
 * Device i of p runs min(m, p-i-1) forwards, then one forward and one backward alternately, then the remaining
 * backwards. */

/* Writes the order list of a device: first `ahead` forwards, then one forward and one backward alternately, then
 * `ahead` backwards. n: number of micro-batches; with several chunks per device, the number of micro-batches times the
 * number of chunks. */
static void alternate(nnc_pipeline_device *device, int64_t n, int64_t ahead) {
    ahead = least(ahead, n);
    APPEND(device, ahead, NNC_F0);
    APPEND(device, n - ahead, NNC_F0, NNC_B0);
    APPEND(device, ahead, NNC_B0);
}

static void write_1f1b(const nnc_pipeline *pipeline, int64_t d, nnc_pipeline_device *device) {
    alternate(device, pipeline->micro_batches, pipeline->stages - d - 1);
}

static void wave_1f1b(nnc_wave_shape *shape, int64_t m) {
    (void)m;
    shape->lead = shape->p - 1;
}

static double bubble_1f1b(const nnc_equal_stages *s, nnc_derivation *why) {
    NNC_SAY(why, equal_bubble_s, "s", (s->p - 1) * (s->f + s->b + s->w));
    return equal_bubble_s;
}

static double in_flight_1f1b(double m, double p, double v, double stage, nnc_derivation *why) {
    (void)v;
    NNC_SAY(why, in_flight, NULL, nnc_min(m, p - stage));
    return in_flight;
}

static const nnc_schedule_row NNC_ROW(NNC_SCHEDULE_1F1B) = {
    .chunks = 1,
    .searched = 1,
    .write = write_1f1b,
    .wave = wave_1f1b,
    .bubble_s = bubble_1f1b,
    .in_flight = in_flight_1f1b,
};

/* ---- GPipe, arXiv:1811.06965: all forwards, then all backwards ---- */

static void write_gpipe(const nnc_pipeline *pipeline, int64_t d, nnc_pipeline_device *device) {
    (void)d;
    APPEND(device, pipeline->micro_batches, NNC_F0);
    APPEND(device, pipeline->micro_batches, NNC_B0);
}

static void wave_gpipe(nnc_wave_shape *shape, int64_t m) { shape->lead = m + shape->p - 1; }

static double in_flight_gpipe(double m, double p, double v, double stage, nnc_derivation *why) {
    (void)p, (void)v, (void)stage;
    NNC_SAY(why, in_flight, NULL, m);
    return in_flight;
}

static const nnc_schedule_row NNC_ROW(NNC_SCHEDULE_GPIPE) = {
    .chunks = 1,
    .keeps_all = true,
    .searched = 3,
    .write = write_gpipe,
    .wave = wave_gpipe,
    .bubble_s = bubble_1f1b,
    .in_flight = in_flight_gpipe,
};

/* ---- interleaved, arXiv:2104.04473 ----
 * The order of 1f1b with v chunks per device: one chunk of a micro-batch counts like a micro-batch of 1f1b. A device
 * moves on to its next chunk after every p micro-batches. Device i begins with min(m v, 2(p-i-1) + (v-1)p) forwards.
 * Virtual stage s is on device s % p. m must be a multiple of p. With v = 1, the interleaved schedule is 1f1b. */

static void write_interleaved(const nnc_pipeline *pipeline, int64_t d, nnc_pipeline_device *device) {
    const int64_t p = pipeline->stages, v = pipeline->chunks, after = p - d - 1;
    alternate(device, pipeline->micro_batches * v, v == 1 ? after : 2 * after + (v - 1) * p);
}

static void wave_interleaved(nnc_wave_shape *shape, int64_t m) {
    wave_1f1b(shape, m);
    if (shape->v > 1) {
        shape->lead = 2 * (shape->p - 1) + (shape->v - 1) * shape->p;
        shape->skew = 1;
    }
}

static double bubble_interleaved(const nnc_equal_stages *s, nnc_derivation *why) {
    NNC_SAY(why, equal_bubble_s, "s", (s->p - 1) * (s->f + s->b + s->w) / s->v);
    return equal_bubble_s;
}

static double in_flight_interleaved(double m, double p, double v, double stage, nnc_derivation *why) {
    if (!(v > 1)) { return in_flight_1f1b(m, p, v, stage, why); }
    NNC_SAY(why, in_flight, NULL, nnc_min(m * v, 2 * (p - stage - 1) + (v - 1) * p + 1) / v);
    return in_flight;
}

static const nnc_schedule_row NNC_ROW(NNC_SCHEDULE_INTERLEAVED) = {
    .chunks = 0,
    .searched = 2,
    .write = write_interleaved,
    .wave = wave_interleaved,
    .bubble_s = bubble_interleaved,
    .in_flight = in_flight_interleaved,
};

/* ---- ZB-H1 and ZB-H2, arXiv:2401.10241 ----
 * 1f1b with weight gradients (tW seconds) as ops of their own. The published formulas of the bubble hold if the weight
 * gradient takes at most as long as a forward (tW <= tF). If tW > tF, the first device still waits for the first
 * gradient: under the published limit of micro-batches in flight it has no other op to run. */

/* Writes the order list of a device whose weight gradients are ops of their own: first `ahead` forwards, then one
 * forward and one input gradient alternately, then the remaining input gradients. Each weight gradient runs `late`
 * input gradients later than its own input gradient; the last weight gradients fill the idle time at the end. */
static void alternate_split(nnc_pipeline_device *device, int64_t m, int64_t ahead, int64_t late) {
    ahead = least(ahead, m);
    late = least(late, m);
    const int64_t paired = m - ahead;
    APPEND(device, ahead, NNC_F0);
    APPEND(device, least(late, paired), NNC_F0, NNC_B0);
    APPEND(device, paired - late, NNC_F0, NNC_B0, NNC_W0);
    APPEND(device, late - paired, NNC_B0);
    APPEND(device, m - most(paired, late), NNC_B0, NNC_W0);
    APPEND(device, late, NNC_W0);
}

static void write_zb_h1(const nnc_pipeline *pipeline, int64_t d, nnc_pipeline_device *device) {
    alternate_split(device, pipeline->micro_batches, pipeline->stages - d - 1, d);
}

static double bubble_zb_h1(const nnc_equal_stages *s, nnc_derivation *why) {
    NNC_SAY(why, equal_bubble_s, "s", (s->p - 1) * (s->b + nnc_max(0, s->f - s->w)));
    return equal_bubble_s;
}

static const nnc_schedule_row NNC_ROW(NNC_SCHEDULE_ZB_H1) = {
    .chunks = 1,
    .splits = true,
    /* activations are kept only until the end of the input gradient, as the paper counts them */
    .frees_early = true,
    .rolls = true,
    .searched = 4,
    .write = write_zb_h1,
    .wave = wave_1f1b,
    .bubble_s = bubble_zb_h1,
    .in_flight = in_flight_1f1b,
};

static void write_zb_h2(const nnc_pipeline *pipeline, int64_t d, nnc_pipeline_device *device) {
    alternate_split(device, pipeline->micro_batches, 2 * (pipeline->stages - d - 1), 2 * d);
}

static void wave_zb_h2(nnc_wave_shape *shape, int64_t m) {
    (void)m;
    shape->lead = 2 * (shape->p - 1);
    shape->skew = 1;
}

static double bubble_zb_h2(const nnc_equal_stages *s, nnc_derivation *why) {
    NNC_SAY(why, equal_bubble_s, "s", (s->p - 1) * nnc_max(0, s->b - s->f + 2 * nnc_max(0, s->f - s->w)));
    return equal_bubble_s;
}

static double in_flight_zb_h2(double m, double p, double v, double stage, nnc_derivation *why) {
    (void)v, (void)stage;
    NNC_SAY(why, in_flight, NULL, nnc_min(m, 2 * p - 1));
    return in_flight;
}

static const nnc_schedule_row NNC_ROW(NNC_SCHEDULE_ZB_H2) = {
    .chunks = 1,
    .splits = true,
    .rolls = true,
    .searched = 5,
    .write = write_zb_h2,
    .wave = wave_zb_h2,
    .bubble_s = bubble_zb_h2,
    .in_flight = in_flight_zb_h2,
};

/* ---- ZB-V, arXiv:2401.10241 ----
 * Two chunks per device: forward passes the devices from first to last on virtual stages 0 .. p-1, and from last to
 * first on virtual stages p .. 2p-1. The order list is written for n = max(m, 2p-1) micro-batches; ops of micro-batches
 * that do not exist are skipped. */

static void write_zb_v(const nnc_pipeline *pipeline, int64_t i, nnc_pipeline_device *device) {
    const int64_t p = pipeline->stages, n = most(pipeline->micro_batches, 2 * p - 1);
    APPEND(device, 2 * (p - i) - 1, NNC_F0);
    APPEND(device, i, NNC_F1, NNC_F0);
    APPEND(device, p - i, NNC_F1, NNC_B1, NNC_W1);
    APPEND(device, n - (2 * p - i - 1), NNC_F0, NNC_B0, NNC_W0, NNC_F1, NNC_B1, NNC_W1);
    APPEND(device, p - i - 1, NNC_B0, NNC_W0, NNC_F1, NNC_B1, NNC_W1);
    APPEND(device, i, NNC_B0, NNC_B1);
    APPEND(device, p - i, NNC_B0, NNC_W0);
    APPEND(device, i, NNC_W1);
    APPEND(device, i, NNC_W0);
}

static double bubble_zb_v(const nnc_equal_stages *s, nnc_derivation *why) {
    (void)s;
    NNC_SAY(why, equal_bubble_s, "s", 0.0);
    return equal_bubble_s;
}

/* Returns the largest number of micro-batches that a device keeps in ZB-V: p if m >= 2p-1, because a device then keeps
 * both chunks of p micro-batches; a smaller number if m is smaller. */
static double in_flight_zb_v(double m, double p, double v, double stage, nnc_derivation *why) {
    (void)v;
    NNC_SAY(why, in_flight, NULL, nnc_min(nnc_min(m, p), (m + 1 + stage) / 2));
    return in_flight;
}

static const nnc_schedule_row NNC_ROW(NNC_SCHEDULE_ZB_V) = {
    .chunks = 2,
    .folded = true,
    .splits = true,
    .rolls = true,
    .write = write_zb_v,
    .bubble_s = bubble_zb_v,
    .in_flight = in_flight_zb_v,
};

/* ---- DualPipe, arXiv:2412.19437 ----
 * Half of the micro-batches enter the pipeline at each end; if m is odd, one more enters at device 0. Device i holds
 * stage i for one direction and stage p-1-i for the other direction. `chunks` is nevertheless 1, because the times of a
 * stage are the same in both directions. A forward of one direction and a backward of the other direction can run as a
 * pair, which takes the sum of the two times and sends the two results at its end. p must be even, or 1. The order list
 * is written for n = max(ceil(m / 2), p) micro-batches from each end; ops of micro-batches that do not exist are
 * skipped. */

/* Writes the order list of a dualpipe device. i: number of devices between this device and the nearer end of the
 * pipeline. n: number of micro-batches that enter at each end. Direction 0 is the direction that enters at the nearer
 * end. */
static void write_pairs(nnc_pipeline_device *device, int64_t n, int64_t p, int64_t i) {
    /* number of devices that are between this device and the middle of the pipeline */
    const int64_t inner = p / 2 - i - 1;
    const int64_t late1 = (i + 1) / 2; /* number of weight gradients of direction 1 that run at the end of the step */
    const int64_t main = n - p + i + 1;
    APPEND(device, 2 * inner, NNC_F0);
    APPEND(device, i + 1, NNC_F0, NNC_F1);
    APPEND(device, inner, NNC_B1, NNC_W1, NNC_F1);
    if (inner == 0) { /* for the two devices in the middle, the first backward is not paired, because the pair would
                       * save no time */
        APPEND(device, 1, NNC_F0, NNC_BW1, NNC_F1_BW0);
    }
    APPEND(device, main - (inner == 0), NNC_F0_BW1, NNC_F1_BW0);
    APPEND(device, inner, NNC_BW1, NNC_F1_BW0);
    APPEND(device, (i + 1) / 2, NNC_BW1, NNC_BW0);
    if (i % 2 == 0) { APPEND(device, 1, NNC_BW1, NNC_B0); }
    APPEND(device, late1, NNC_B1, NNC_B0);
    const int64_t fill1 = least(inner, late1);
    APPEND(device, fill1, NNC_W1, NNC_B0);
    APPEND(device, inner - fill1, NNC_W0, NNC_B0);
    APPEND(device, late1 - fill1, NNC_W1);
    APPEND(device, i + 1 - (late1 - fill1), NNC_W0);
}

static void write_dualpipe(const nnc_pipeline *pipeline, int64_t d, nnc_pipeline_device *device) {
    const int64_t p = pipeline->stages, m = pipeline->micro_batches;
    if (p > 1) {
        write_pairs(device, most((m + 1) / 2, p), p, least(d, p - d - 1));
    } else {
        alternate(device, m, 0);
    }
}

/* Returns the bubble of DualPipe in seconds, for a pair (a forward and a backward that run together) that takes the sum
 * of the times of the forward and the backward. The published formula is (p / 2 - 1) (tFB + tB - 3 tW), where tFB is
 * the time of a pair, tB the time of input and weight gradient together, and tW the time of the weight gradient. */
static double bubble_dualpipe(const nnc_equal_stages *s, nnc_derivation *why) {
    if (!(s->p > 1)) { return 0; }
    NNC_SAY(why, equal_bubble_s, "s", nnc_max(0, (0.5 * s->p - 1) * (s->f + 2 * s->b - s->w)));
    return equal_bubble_s;
}

/* Returns the largest number of micro-batches that a device keeps in DualPipe: p+1 if m >= 2p. If m is smaller, the
 * device keeps fewer micro-batches, because it first gets the micro-batches that enter at the nearer end of the
 * pipeline. */
static double in_flight_dualpipe(double m, double p, double v, double stage, nnc_derivation *why) {
    const bool upper = stage < p / 2;
    if (!(p > 1)) { return in_flight_1f1b(m, p, v, stage, why); }
    NNC_LET(why, near, NULL, upper ? ceil(m / 2) : floor(m / 2));
    NNC_LET(why, before, NULL, upper ? stage : p - stage - 1);
    NNC_SAY(why, in_flight, NULL, nnc_min(nnc_min(m, p + 1), near + 1 + before));
    NNC_NOTE(why, "near: micro-batches that enter at the nearer end of the pipeline; before: devices between that end "
                  "and this one");
    return in_flight;
}

static const nnc_schedule_row NNC_ROW(NNC_SCHEDULE_DUALPIPE) = {
    .chunks = 1,
    .folded = true,
    .dual = true,
    .splits = true,
    .searched = 6,
    .write = write_dualpipe,
    .bubble_s = bubble_dualpipe,
    .in_flight = in_flight_dualpipe,
};

const nnc_schedule_row *const nnc_schedule_rows[] = { NNC_SCHEDULE_LIST(NNC_ROW_AT) };

double nnc_pipeline_say_bubble(nnc_schedule schedule, const nnc_equal_stages *equal, nnc_derivation *why) {
    NNC_PUT(why, equal->p, NULL);
    NNC_PUT(why, equal->v, NULL);
    NNC_PUT(why, equal->f, "s");
    NNC_PUT(why, equal->b, "s");
    NNC_PUT(why, equal->w, "s");
    return nnc_schedule_of(schedule)->bubble_s(equal, why);
}

double nnc_pipeline_in_flight(nnc_schedule schedule, int32_t stages, int32_t chunks, int64_t micro_batches,
                              int32_t stage) {
    return nnc_pipeline_say_in_flight(schedule, stages, chunks, micro_batches, stage, NULL);
}

double nnc_pipeline_say_in_flight(nnc_schedule schedule, int32_t stages, int32_t chunks, int64_t micro_batches,
                                  int32_t stage, nnc_derivation *why) {
    const double m = (double)micro_batches, p = stages, v = chunks;
    NNC_PUT(why, m, NULL);
    NNC_PUT(why, p, NULL);
    NNC_PUT(why, v, NULL);
    NNC_PUT(why, stage, NULL);
    const double in_flight = nnc_schedule_of(schedule)->in_flight(m, p, v, stage, why);
    NNC_NOTE(why,
             "m: micro-batches, p: pipeline stages, v: virtual stages per device; stage: the stage that keeps most");
    return in_flight;
}

/* ---- checks whether a schedule is legal for a plan ---- */

bool nnc_schedule_repeats(const nnc_plan *plan) {
    const bool plain = plan->schedule == NNC_SCHEDULE_1F1B && plan->virtual_stages == 1;
    return plan->pipeline == 1 ? !plain : nnc_schedule_of(plan->schedule)->chunks == 0 && plan->virtual_stages == 1;
}

bool nnc_schedule_is_steady(const nnc_plan *plan) {
    const nnc_schedule_row *row = nnc_schedule_of(plan->schedule);
    /* A round is as many micro-batches as the pipeline has stages. The order of ops on a device only repeats after the
     * first `rounds` rounds: 2 rounds with one chunk and one direction, 4 rounds with several chunks or two
     * directions. */
    const int64_t rounds = row->chunks == 1 && !row->dual ? 2 : 4;
    return plan->pipeline == 1 || (!row->keeps_all && plan->micro_batches >= rounds * plan->pipeline);
}

/* Returns true for every schedule with one chunk and one direction: in such a schedule device i keeps at least p-i
 * micro-batches, because it would be idle with fewer micro-batches. */
bool nnc_schedule_keeps_1f1b(const nnc_plan *plan) {
    const nnc_schedule_row *row = nnc_schedule_of(plan->schedule);
    return row->chunks == 1 && !row->dual && !row->folded;
}

/* Checks a plan with several virtual stages: it must have a pipeline, and its schedule must be interleaved. */
static nnc_status check_chunks(const nnc_plan *p, nnc_error *err) {
    if (p->virtual_stages > 1 && nnc_schedule_of(p->schedule)->chunks > 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--virtual-stages",
                        "only the interleaved schedule has virtual stages, expected 1, found %" PRId32,
                        p->virtual_stages);
    }
    if (p->virtual_stages > 1 && p->pipeline == 1) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--virtual-stages",
                        "a pipeline of one stage has no bubble to split, expected 1, found %" PRId32,
                        p->virtual_stages);
    }
    return NNC_OK;
}

/* Checks the numbers of layers that the plan states for the first and the last pipeline stage (--first-stage-layers,
 * --last-stage-layers). */
static nnc_status check_ends(const nnc_plan *p, int64_t layers, nnc_error *err) {
    const int64_t first = p->first_stage_layers, last = p->last_stage_layers;
    const char *option = first > 0 ? "--first-stage-layers" : "--last-stage-layers";
    const int64_t chunks = nnc_schedule_chunks(p);
    const int64_t others = p->pipeline - (first > 0 ? 1 : 0) - (last > 0 ? 1 : 0);
    const int64_t rest = layers - first - last;
    if (first == 0 && last == 0) { return NNC_OK; }
    if (p->pipeline < 2 || nnc_schedule_dual(p) || nnc_schedule_ends_meet(p) || p->ends_as_layers) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, option,
                        "expected a schedule in which all micro-batches have the same direction, and no "
                        "--ends-as-layers");
    }
    if ((first > 0 && first < chunks) || (last > 0 && last < chunks) || rest < others * chunks ||
        (others == 0 && rest != 0)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, option,
                        "of %" PRId64 " layers, %" PRId64 " are left for the other %" PRId64
                        " stages, expected a layer for every virtual stage, and no layer without a stage",
                        layers, rest, others);
    }
    return NNC_OK;
}

nnc_status nnc_schedule_resolve(nnc_plan *p, int64_t layers, nnc_error *err) {
    if (p->schedule == NNC_SCHEDULE_COUNT) {
        p->schedule = p->virtual_stages > 1 ? NNC_SCHEDULE_INTERLEAVED : NNC_SCHEDULE_1F1B;
    }
    NNC_TRY(check_chunks(p, err));
    const int64_t stages = (int64_t)p->pipeline * nnc_schedule_chunks(p);
    if (p->pipeline > NNC_PIPELINE_STAGES_MAX || stages > NNC_PIPELINE_VIRTUAL_MAX) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--pipeline", "expected at most %d stages and %d virtual stages",
                        NNC_PIPELINE_STAGES_MAX, NNC_PIPELINE_VIRTUAL_MAX);
    }
    NNC_TRY(check_ends(p, layers, err));
    if (layers + (p->ends_as_layers ? 2 : 0) < stages) {
        const bool enough =
            !p->ends_as_layers && p->first_stage_layers == 0 && p->last_stage_layers == 0 && layers + 2 >= stages;
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--pipeline",
                        "%" PRId64 " layers cannot fill %" PRId64
                        " stages, expected pipeline x virtual_stages of at most %" PRId64 "%s",
                        layers, stages, layers + (p->ends_as_layers ? 2 : 0),
                        enough ? ", or --ends-as-layers, which counts embedding and head as one layer each" : "");
    }
    if (nnc_schedule_dual(p) && p->pipeline % 2 != 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--pipeline",
                        "%s enters a pipeline from both ends, expected an even number of stages, "
                        "%" PRId32 " or %" PRId32 ", found %" PRId32,
                        nnc_schedule_name(p->schedule), p->pipeline - 1, p->pipeline + 1, p->pipeline);
    }
    return NNC_OK;
}

nnc_status nnc_schedule_check(const nnc_plan *p, nnc_error *err) {
    const int64_t m = p->micro_batches, stages = p->pipeline;
    if (stages > 1 && nnc_schedule_of(p->schedule)->chunks == 0 && m % stages != 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--micro-batches",
                        "the interleaved schedule runs micro-batches in groups of %" PRId64 ", expected %" PRId64
                        ", found %" PRId64,
                        stages, nnc_ceil_div(m, stages) * stages, m);
    }
    if (nnc_schedule_dual(p) && (m % 2 != 0 || m < stages)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--micro-batches",
                        "%s starts micro-batches at both ends, expected an even number, at least the number of stages, "
                        "%" PRId64 ", found %" PRId64,
                        nnc_schedule_name(p->schedule), m < stages ? stages : m + 1, m);
    }
    return NNC_OK;
}
