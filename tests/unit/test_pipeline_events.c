/* Tests the single passes of a replayed pipeline: each pass must start after its inputs are ready, and a device must
 * run one pass at a time. */
#include "pipelines.h"

enum { MICRO_BATCHES = 40, CHUNKS = 4, PHASES = 3 };

typedef struct trace {
    const nnc_pipeline *pipeline;
    double last_s[DEVICES], busy_s[DEVICES], first_s, end_s;
    int64_t events;
    struct {
        double start_s, end_s;
        int seen;
        int32_t device;
        /* the first index is the virtual stage in the order in which a micro-batch meets the stages */
    } at[VIRTUAL][MICRO_BATCHES][PHASES];
} trace;

static trace traced, again;

/* Returns the virtual stage of the event, counted in the order in which a micro-batch meets the stages. */
static int32_t stage_of(const nnc_pipeline *pipeline, const nnc_pipeline_event *event) {
    const int32_t p = pipeline->stages, d = event->device;
    const bool back =
        (pipeline->schedule == NNC_SCHEDULE_ZB_V || pipeline->schedule == NNC_SCHEDULE_DUALPIPE) && event->chunk == 1;
    const int32_t along = back ? p - 1 - d : d;
    return pipeline->schedule == NNC_SCHEDULE_DUALPIPE ? along : event->chunk * p + along;
}

static void on_event(void *context, const nnc_pipeline_event *event) {
    trace *const to = context;
    const nnc_pipeline *const pipeline = to->pipeline;
    const int32_t d = event->device;
    ck_assert_int_lt(d, pipeline->stages);
    ck_assert_int_lt(event->micro_batch, pipeline->micro_batches);
    ck_assert_double_ge(event->start_s, to->last_s[d]); /* passes of a device are in order and do not overlap */
    ck_assert_double_ge(event->end_s, event->start_s);
    to->last_s[d] = event->end_s;
    to->busy_s[d] += event->end_s - event->start_s;
    to->end_s = fmax(to->end_s, event->end_s);
    to->events++;
    const int32_t s = stage_of(pipeline, event);
    to->at[s][event->micro_batch][event->phase].start_s = event->start_s;
    to->at[s][event->micro_batch][event->phase].end_s = event->end_s;
    to->at[s][event->micro_batch][event->phase].seen++;
    to->at[s][event->micro_batch][event->phase].device = d;
}

/* Checks that a pass starts after the pass on which it depends. If the pass and the earlier pass run on different
 * devices, a message of send_s seconds lies between them. */
static void expect_after(const trace *t, int32_t from, int from_phase, int32_t to, int to_phase, int64_t k) {
    const double way_s = t->at[from][k][from_phase].device == t->at[to][k][to_phase].device ? 0 : t->pipeline->send_s;
    ck_assert_double_ge(t->at[to][k][to_phase].start_s * (1 + 1e-14), t->at[from][k][from_phase].end_s + way_s);
}

static void expect_dependencies(const trace *t, bool splits) {
    const int32_t stages = t->pipeline->stages * t->pipeline->chunks;
    for (int64_t k = 0; k < t->pipeline->micro_batches; k++) {
        for (int32_t s = 0; s < stages; s++) {
            ck_assert_int_eq(t->at[s][k][NNC_RUN_FORWARD].seen, 1);
            ck_assert_int_eq(t->at[s][k][NNC_RUN_BACKWARD].seen, 1);
            ck_assert_int_eq(t->at[s][k][NNC_RUN_WEIGHT].seen, splits);
            expect_after(t, s, NNC_RUN_FORWARD, s, NNC_RUN_BACKWARD, k);
            if (splits) { expect_after(t, s, NNC_RUN_BACKWARD, s, NNC_RUN_WEIGHT, k); }
            if (s > 0) {
                expect_after(t, s - 1, NNC_RUN_FORWARD, s, NNC_RUN_FORWARD, k);
                expect_after(t, s, NNC_RUN_BACKWARD, s - 1, NNC_RUN_BACKWARD, k);
            }
        }
    }
}

START_TEST(events_are_a_schedule) {
    seed = 123456789123456789U;
    for (int i = 0; i < 700; i++) {
        nnc_pipeline pipeline = random_pipeline(MICRO_BATCHES);
        /* random_pipeline() may round the number of micro-batches up to a multiple of the stages */
        if (pipeline.micro_batches > MICRO_BATCHES) { continue; }
        const bool splits = pipeline.schedule == NNC_SCHEDULE_ZB_H1 || pipeline.schedule == NNC_SCHEDULE_ZB_H2 ||
                            pipeline.schedule == NNC_SCHEDULE_ZB_V ||
                            (pipeline.schedule == NNC_SCHEDULE_DUALPIPE && pipeline.stages > 1);
        traced = (trace){ .pipeline = &pipeline };
        again = (trace){ .pipeline = &pipeline };
        ck_assert(nnc_pipeline_replay(&pipeline, memory, &replayed, on_event, &traced));
        ck_assert(nnc_pipeline_replay(&pipeline, memory, &run, on_event, &again));
        expect_dependencies(&traced, splits);
        ck_assert_double_eq(traced.end_s, replayed.makespan_s);
        ck_assert_int_eq(traced.events, again.events);
        for (int32_t d = 0; d < pipeline.stages; d++) {
            ck_assert_double_eq_tol(traced.busy_s[d], replayed.busy_s[d], 1e-12 * (1 + replayed.makespan_s));
            ck_assert_double_eq(traced.last_s[d], again.last_s[d]);
        }
    }
}
END_TEST

int main(void) {
    const TTest *const tests[] = { events_are_a_schedule };
    return run_tests_with("pipeline_events", open_memory, close_memory, tests, COUNT_OF(tests));
}
