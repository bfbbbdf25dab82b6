/* Tests the peak of activations on a device of a pipeline. The test computes the peak from the times of a replay: a
 * chunk's activations are kept from the start of its forward until the end of the pass that frees them, and the test
 * adds up their bytes at every point in time. */
#include "draw.h"
#include "estimate/estimate_internal.h"
#include "pipeline/pipeline_internal.h"

enum { DEVICES = 12, CHUNKS = 10, MOMENTS = 2 * DEVICES * CHUNKS * 80 };

typedef struct moment {
    double at_s, bytes;
} moment;

static nnc_pipeline_memory *memory;
static nnc_pipeline_result replayed;
static moment moments[DEVICES][MOMENTS];
static int counts[DEVICES];
static double bytes[DEVICES][CHUNKS]; /* bytes that one pass of a chunk keeps */
static nnc_pipeline_phase freeing;

static void on_event(void *context, const nnc_pipeline_event *event) {
    (void)context;
    const int32_t d = event->device;
    const double kept = bytes[d][event->chunk];
    ck_assert_int_lt(counts[d] + 1, MOMENTS);
    if (event->phase == NNC_RUN_FORWARD) { moments[d][counts[d]++] = (moment){ event->start_s, kept }; }
    if (event->phase == freeing) { moments[d][counts[d]++] = (moment){ event->end_s, -kept }; }
}

/* Sorts moments by time. At equal times, freed bytes come first, so that a pass that starts can use them. */
static int by_time(const void *a, const void *b) {
    const moment *x = a, *y = b;
    return x->at_s < y->at_s ? -1 : x->at_s > y->at_s ? 1 : x->bytes < y->bytes ? -1 : x->bytes > y->bytes ? 1 : 0;
}

/* Replays a pipeline with random times. */
static void replay(nnc_schedule schedule, int32_t p, int32_t v, int64_t m) {
    double forward_s[DEVICES * CHUNKS], backward_s[DEVICES * CHUNKS], weight_s[DEVICES * CHUNKS];
    for (int32_t s = 0; s < p * v; s++) {
        forward_s[s] = (double)between(1, 1 << 20);
        backward_s[s] = (double)between(1, 1 << 20);
        weight_s[s] = (double)between(1, 1 << 20);
    }
    const nnc_pipeline pipeline = { .schedule = schedule,
                                    .stages = p,
                                    .chunks = v,
                                    .micro_batches = m,
                                    .forward_s = forward_s,
                                    .backward_s = backward_s,
                                    .weight_s = weight_s };
    const bool late =
        schedule == NNC_SCHEDULE_ZB_H2 || schedule == NNC_SCHEDULE_ZB_V || (schedule == NNC_SCHEDULE_DUALPIPE && p > 1);
    freeing = late ? NNC_RUN_WEIGHT : NNC_RUN_BACKWARD;
    memset(counts, 0, sizeof counts);
    ck_assert(nnc_pipeline_replay(&pipeline, memory, &replayed, on_event, NULL));
}

static double peak_of(int32_t device) {
    double now = 0.0, most = 0.0;
    qsort(moments[device], (size_t)counts[device], sizeof(moment), by_time);
    for (int i = 0; i < counts[device]; i++) {
        now += moments[device][i].bytes;
        most = fmax(most, now);
    }
    ck_assert_double_le(fabs(now), 1e-12 * most); /* all bytes are freed at the end */
    return most;
}

static void expect_peaks(nnc_schedule schedule, int32_t p, int32_t v, int64_t m) {
    const nnc_pipeline shape = { .schedule = schedule, .stages = p, .chunks = v, .micro_batches = m };
    const int32_t chunks = schedule == NNC_SCHEDULE_DUALPIPE && p > 1 ? 2 : v;
    for (int32_t d = 0; d < p; d++) {
        for (int32_t c = 0; c < CHUNKS; c++) { bytes[d][c] = draw(3) == 0 ? 0.0 : (double)between(0, 1 << 20); }
    }
    replay(schedule, p, v, m);
    for (int32_t d = 0; d < p; d++) {
        double kept[CHUNKS], sum = 0.0;
        const double found = nnc_pipeline_peak(&shape, d, bytes[d], kept);
        ck_assert_msg(!(found < peak_of(d)) && !(found > peak_of(d)),
                      "%s p %d v %d m %d device %d: found %.17g, expected %.17g", nnc_schedule_name(schedule), (int)p,
                      (int)v, (int)m, (int)d, found, peak_of(d));
        for (int32_t c = 0; c < chunks; c++) { sum += kept[c] * bytes[d][c]; }
        ck_assert_double_eq(sum, found);
    }
}

START_TEST(peaks_of_random_bytes) {
    seed(0);
    for (int i = 0; i < 4000; i++) {
        const nnc_schedule schedule = (nnc_schedule)draw(NNC_SCHEDULE_COUNT);
        int32_t p = (int32_t)between(1, DEVICES), v = 1;
        int64_t m = between(1, 60);
        if (schedule == NNC_SCHEDULE_DUALPIPE) {
            p += p % 2;
        } else if (schedule == NNC_SCHEDULE_INTERLEAVED) {
            v = (int32_t)between(1, CHUNKS);
            m = v > 1 ? p * between(1, 5) : m;
        } else if (schedule == NNC_SCHEDULE_ZB_V) {
            v = 2;
        }
        expect_peaks(schedule, p, v, m);
    }
}
END_TEST

static bool is_steady(const nnc_pipeline *shape) {
    nnc_plan plan = nnc_plan_default();
    plan.schedule = shape->schedule;
    plan.pipeline = shape->stages;
    plan.virtual_stages = shape->chunks;
    plan.micro_batches = shape->micro_batches;
    return nnc_schedule_is_steady(&plan);
}

/* Returns true if the devices of two pipelines have the same micro-batches in flight and the same peaks. The pipelines
 * have different numbers of micro-batches. */
static bool keep_alike(const nnc_pipeline *a, const nnc_pipeline *b) {
    bool alike = true;
    for (int32_t d = 0; d < a->stages; d++) {
        double own[CHUNKS], kept[CHUNKS], counted[CHUNKS];
        for (int32_t c = 0; c < CHUNKS; c++) { own[c] = draw(3) == 0 ? 0.0 : (double)between(0, 1 << 20); }
        const double x = nnc_pipeline_peak(a, d, own, kept), y = nnc_pipeline_peak(b, d, own, counted);
        const double m = nnc_pipeline_in_flight(a->schedule, a->stages, a->chunks, a->micro_batches, d);
        const double n = nnc_pipeline_in_flight(b->schedule, b->stages, b->chunks, b->micro_batches, d);
        alike = alike && !(x < y) && !(x > y) && !(m < n) && !(m > n);
    }
    return alike;
}

/* In a steady pipeline, more micro-batches do not change the bytes that a device keeps. Pipelines with fewer
 * micro-batches are not steady, and often change. */
START_TEST(more_micro_batches_keep_no_more) {
    int steady = 0, others = 0, differ = 0;
    seed(28);
    for (int i = 0; i < 20000; i++) {
        nnc_pipeline a = { .schedule = (nnc_schedule)draw(NNC_SCHEDULE_COUNT), .chunks = 1 };
        a.stages = (int32_t)between(2, 32);
        a.stages += a.schedule == NNC_SCHEDULE_DUALPIPE ? a.stages % 2 : 0;
        if (a.schedule == NNC_SCHEDULE_INTERLEAVED) { a.chunks = (int32_t)between(1, CHUNKS); }
        if (a.schedule == NNC_SCHEDULE_ZB_V) { a.chunks = 2; }
        const int32_t group = a.schedule == NNC_SCHEDULE_INTERLEAVED ? a.stages
                              : a.schedule == NNC_SCHEDULE_DUALPIPE  ? 2
                                                                     : 1;
        const int64_t most = 6 * a.stages / group;
        a.micro_batches = group * between(1, most);
        nnc_pipeline b = a;
        b.micro_batches += group * between(1, 2 * most);
        const bool alike = keep_alike(&a, &b);
        if (is_steady(&a)) {
            steady++;
            ck_assert_msg(alike, "%s p %d v %d m %d and %d", nnc_schedule_name(a.schedule), (int)a.stages,
                          (int)a.chunks, (int)a.micro_batches, (int)b.micro_batches);
        } else {
            others++;
            differ += alike ? 0 : 1;
        }
    }
    ck_assert_int_gt(steady, 5000);
    ck_assert_int_gt(differ, others / 4);
}
END_TEST

/* Finds the bytes that each chunk of a device keeps: its share of the bytes that the segments of the device keep. */
static void find_bytes(const nnc_plan *plan) {
    static nnc_segment_sums sums[NNC_SEGMENTS_MAX];
    const nnc_step_memory *m = &scratch->step;
    const int32_t p = plan->pipeline;
    nnc_segments_sum(&scratch->list, sums);
    for (int32_t v = 0; v < m->partition.virtual_stages; v++) {
        const bool folded = plan->schedule == NNC_SCHEDULE_ZB_V && v >= p;
        const int32_t d = folded ? 2 * p - 1 - v : v % p;
        const nnc_stage_residency *h = &m->holdings[d];
        double kept = 0.0;
        for (int32_t s = 0; s < scratch->list.segment_count; s++) {
            const double part = (double)m->partition.shares[v].instances[s];
            if (part > 0.0) { kept += nnc_segment_kept_bytes(&sums[s], h, plan, s) * part / (double)h->instances[s]; }
        }
        bytes[d][v / p] = kept;
    }
}

/* Does the same as find_bytes for DualPipe: a device holds stage d of one direction and stage p - 1 - d of the opposite
 * direction. Each of the two stages of a device keeps a share of the bytes that the device keeps. */
static void find_both_directions(const nnc_plan *plan) {
    static nnc_segment_sums sums[NNC_SEGMENTS_MAX];
    const nnc_step_memory *m = &scratch->step;
    const int32_t p = plan->pipeline;
    nnc_segments_sum(&scratch->list, sums);
    for (int32_t d = 0; d < p; d++) {
        const nnc_stage_residency *h = &m->holdings[d];
        for (int32_t c = 0; c < 2; c++) {
            const int32_t v = c == 0 ? d : p - 1 - d;
            bytes[d][c] = 0.0;
            for (int32_t s = 0; s < scratch->list.segment_count; s++) {
                const double part = (double)m->partition.shares[v].instances[s];
                if (part > 0.0) {
                    bytes[d][c] += nnc_segment_kept_bytes(&sums[s], h, plan, s) * part / (double)h->instances[s];
                }
            }
        }
    }
}

/* For random plans, the activations that an estimate counts for each stage must be those of a replay. */
START_TEST(activations_of_random_plans) {
    int number = 0, tried = 0, by_schedule[NNC_SCHEDULE_COUNT] = { 0 };
    while (tried < 1000) {
        split_case c = draw_legal(&number);
        c.plan.offload &= ~(unsigned)NNC_OFFLOAD_ACTIVATIONS;
        c.plan.ends_as_layers = draw(4) == 0;
        if (c.plan.schedule == NNC_SCHEDULE_INTERLEAVED) { c.plan.virtual_stages = (int32_t)between(1, 4); }
        nnc_plan plan;
        if (c.plan.pipeline == 1 || c.plan.micro_batches > 60 ||
            nnc_plan_resolve(&c.plan, &c.model, &c.device, &plan, NULL) != NNC_OK) {
            continue;
        }
        const nnc_result r = result_of_split(&c);
        if (r.plan.schedule == NNC_SCHEDULE_DUALPIPE) {
            find_both_directions(&r.plan);
        } else {
            find_bytes(&r.plan);
        }
        replay(r.plan.schedule, r.plan.pipeline, nnc_schedule_chunks(&r.plan), r.plan.micro_batches);
        for (int32_t d = 0; d < r.plan.pipeline; d++) {
            const double found = (double)scratch->step.stages[d].memory.activation_bytes;
            const double expected = ceil(peak_of(d));
            /* In a partly recomputed stage, shares can be fractions of a byte. */
            const double rounding = r.plan.recompute_layers > 0 || r.plan.recompute_every > 1;
            ck_assert_msg(fabs(found - expected) <= rounding,
                          "%s p %d v %d m %d device %d: found %.17g, expected %.17g",
                          nnc_schedule_name(r.plan.schedule), (int)r.plan.pipeline, (int)r.plan.virtual_stages,
                          (int)r.plan.micro_batches, (int)d, found, expected);
        }
        by_schedule[r.plan.schedule]++;
        tried++;
    }
    for (int s = 0; s < NNC_SCHEDULE_COUNT; s++) { ck_assert_int_gt(by_schedule[s], 20); }
}
END_TEST

/* ---- one device: backward adds gradients and frees activations ---- */

/* Bytes of an op in one instance of its segment: kept activations, gradients, 16-bit copy of the weights, and working
 * set. */
typedef struct op_bytes {
    double kept, gradient, cast, working;
} op_bytes;

static op_bytes bytes_of(const nnc_op_list *list, const nnc_op *op, const nnc_policy_sizes *sizes) {
    const double n = (double)op->repeat / (double)list->segments[op->segment].instances;
    const nnc_weights *w = &op->weights;
    const double params = op->frozen ? 0.0 : (double)(w->count * w->rows * w->cols + w->vector);
    const bool product = (op->kind == NNC_OP_MATMUL || op->kind == NNC_OP_CONV) && !w->table;
    const bool cast = op->kind == NNC_OP_POINTWISE && op->group == NNC_GROUP_OPTIMIZER;
    return (op_bytes){ .kept = n * nnc_op_kept_bytes(op),
                       .gradient = n * sizes->gradient_bytes * params,
                       .cast = product ? n * sizes->cast_bytes * params : 0.0,
                       .working = cast ? 0.0 : nnc_op_transient_bytes(op) };
}

/* Returns the bytes of one instance while backward runs its op `last`: the activations of all ops up to `last`, the
 * working set of `last`, and the gradients of `last` and of the ops after it. again: the instance is recomputed. A
 * recomputed instance keeps the inputs of its blocks, up to the block of `last`, and the activations of the ops of this
 * block up to `last`. */
static double inside(const nnc_op_list *list, const nnc_policy_sizes *sizes, int32_t last, bool again, double stream) {
    const nnc_op *now = &list->ops[last];
    double sum = bytes_of(list, now, sizes).working + (list->segments[now->segment].layer ? stream : 0.0);
    bool entered[NNC_BLOCKS_MAX] = { false };
    for (int32_t i = 0; i < list->count; i++) {
        const nnc_op *op = &list->ops[i];
        if (op->segment != now->segment) { continue; }
        const op_bytes b = bytes_of(list, op, sizes);
        const double n = (double)list->segments[op->segment].instances;
        sum += i >= last ? b.gradient : 0.0;
        sum += i <= last ? b.cast : 0.0;
        if (i > last) { continue; }
        if (!again || op->block < 0) {
            sum += b.kept;
            continue;
        }
        if (!entered[op->block]) {
            const nnc_block *block = &list->blocks[op->block];
            sum += block->input_bytes * (double)block->repeat / n;
            entered[op->block] = true;
        }
        sum += op->block == now->block ? nnc_op_kept_bytes(op) : 0.0;
    }
    return sum;
}

static double gradients_of(const nnc_op_list *list, const nnc_policy_sizes *sizes, int32_t segment) {
    double sum = 0.0;
    for (int32_t i = 0; i < list->count; i++) {
        sum += list->ops[i].segment == segment ? bytes_of(list, &list->ops[i], sizes).gradient : 0.0;
    }
    return sum;
}

static double casts_of(const nnc_op_list *list, const nnc_policy_sizes *sizes, int32_t segment) {
    double sum = 0.0;
    for (int32_t i = 0; i < list->count; i++) {
        sum += list->ops[i].segment == segment ? bytes_of(list, &list->ops[i], sizes).cast : 0.0;
    }
    return sum;
}

/* Returns the largest number of bytes in use during backward and the update. Backward runs op by op through every
 * instance of every segment, from the last to the first. At the update, all gradients are in memory. */
static double peak_by_instance(const nnc_op_list *list, const nnc_segment_sums *sums, const nnc_plan *plan,
                               double stream) {
    const nnc_policy_sizes sizes = nnc_policy_bytes(plan->policy);
    const bool again = plan->recompute == NNC_RECOMPUTE_FULL;
    /* earlier: bytes of activations and weight copies of earlier instances; later: bytes of gradients of later
     * instances */
    double earlier = 0.0, later = 0.0, most = 0.0;
    for (int32_t s = 0; s < list->segment_count; s++) {
        const double kept = again ? sums[s].input_bytes : sums[s].kept_bytes + casts_of(list, &sizes, s);
        earlier += (double)list->segments[s].instances * kept;
    }
    for (int32_t s = list->segment_count - 1; s >= 0; s--) {
        const double kept = again ? sums[s].input_bytes : sums[s].kept_bytes + casts_of(list, &sizes, s);
        for (int64_t j = list->segments[s].instances - 1; j >= 0; j--) {
            earlier -= kept;
            for (int32_t i = 0; i < list->count; i++) {
                if (list->ops[i].segment == s) {
                    most = fmax(most, earlier + later + inside(list, &sizes, i, again, stream));
                }
            }
            later += gradients_of(list, &sizes, s);
        }
    }
    return fmax(most, later);
}

static void expect_peak_of(const nnc_model *model, nnc_policy policy, unsigned recompute, int64_t batch) {
    static nnc_segment_sums sums[NNC_SEGMENTS_MAX];
    const nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    plan.precision = policy == NNC_POLICY_FP32 ? NNC_TF32 : NNC_BF16;
    plan.policy = policy;
    plan.recompute = recompute;
    plan.micro_batch = batch;
    const nnc_result r = estimate(model, &plan);
    const nnc_op_list *list = &scratch->list;
    nnc_segments_sum(list, sums);
    const nnc_resident_bytes held = nnc_resident_bytes_of(list, sums, &scratch->step.holdings[0], &r.plan, &software);
    ck_assert(held.replayed);
    const double stream =
        (double)list->stream_elements * (policy == NNC_POLICY_AMP || policy == NNC_POLICY_FP32 ? 4.0 : 2.0);
    const double expected = peak_by_instance(list, sums, &r.plan, stream);
    const double found = held.peak.gradient_bytes + held.peak.activation_bytes + held.peak.op_bytes +
                         held.peak.block_bytes + held.peak.cast_bytes;
    ck_assert_msg(fabs(found - expected) <= 1e-9 * expected,
                  "%s policy %d recompute %u batch %d: found %.17g, expected %.17g", model->id, (int)policy, recompute,
                  (int)batch, found, expected);
}

/* With small batches the peak is at the update. With large batches, the peak is at the start of backward. With large
 * layers and a small vocabulary, the peak is between the start of backward and the update. */
START_TEST(backward_instance_by_instance) {
    const nnc_model models[] = { gpt(3, 64, 4, 500, 32), llama(4, 64, 4, 2, 200, 90, 64), gpt(2, 256, 8, 64, 16),
                                 residual_unet(32, 32, 3), double_conv_unet(64, 16, 3) };
    const nnc_policy policies[] = { NNC_POLICY_FP32, NNC_POLICY_MIXED, NNC_POLICY_AMP };
    for (size_t i = 0; i < COUNT_OF(models); i++) {
        for (size_t k = 0; k < COUNT_OF(policies); k++) {
            for (int64_t batch = 1; batch <= 64; batch *= 4) {
                expect_peak_of(&models[i], policies[k], NNC_RECOMPUTE_NONE, batch);
                expect_peak_of(&models[i], policies[k], NNC_RECOMPUTE_FULL, batch);
            }
        }
    }
}
END_TEST

static void open_memory(void) {
    memory = calloc(1, sizeof *memory);
    ck_assert_ptr_nonnull(memory);
    open_support();
}

static void close_memory(void) {
    free(memory);
    close_support();
}

int main(void) {
    const TTest *const tests[] = { peaks_of_random_bytes, more_micro_batches_keep_no_more, activations_of_random_plans,
                                   backward_instance_by_instance };
    return run_tests_with("peak", open_memory, close_memory, tests, COUNT_OF(tests));
}
