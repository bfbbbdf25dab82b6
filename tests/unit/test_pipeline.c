/* Tests the replay of pipeline schedules against numbers worked by hand, closed formulas, and replays of other
 * schedules. */
#include "pipelines.h"

static double whole_step_s(const nnc_pipeline *pipeline, int32_t stage) {
    double busy_s = 0;
    for (int32_t s = stage; s < pipeline->stages * pipeline->chunks; s += pipeline->stages) {
        busy_s += forward_s[s] + backward_s[s] + weight_s[s];
    }
    return (double)pipeline->micro_batches * busy_s;
}

/* 1F1B with 8 micro-batches and stages of c_i = 3, 3.6, 3 and 2.4 s. The step takes at least max_j(sum_{i<j} c_i + m
 * c_j) = 3 + 8 * 3.6 = 31.8 s. The step takes at most sum c_i + (m-1) max c_i = 12 + 7 * 3.6 = 37.2 s. */
START_TEST(unequal_1f1b) {
    const double forward[] = { 1.0, 1.2, 1.0, 0.8 }, backward[] = { 2.0, 2.4, 2.0, 1.6 };
    for (int i = 0; i < 4; i++) {
        forward_s[i] = forward[i];
        backward_s[i] = 0.25 * backward[i];
        weight_s[i] = 0.75 * backward[i];
    }
    const nnc_pipeline pipeline = pipeline_of(NNC_SCHEDULE_1F1B, 4, 1, 8);
    replay(&pipeline);
    expect_near(replayed.total_s, 35.4, 1e-15);
    ck_assert(nnc_pipeline_run(&pipeline, memory, &run));
    ck_assert_double_eq(run.total_s, replayed.total_s);
}
END_TEST

START_TEST(one_stage_never_waits) {
    for (int s = 0; s < NNC_SCHEDULE_COUNT; s++) {
        const int32_t v = s == NNC_SCHEDULE_ZB_V ? 2 : s == NNC_SCHEDULE_INTERLEAVED ? 3 : 1;
        for (int64_t m = 1; m <= 40; m += 13) {
            nnc_pipeline pipeline = equal_stages((nnc_schedule)s, 1, v, m, 1, 2, 0.5);
            pipeline.send_s = 7;
            replay(&pipeline);
            expect_near(replayed.total_s, 3.5 * (double)m, 1e-14);
            expect_near(replayed.busy_s[0], replayed.makespan_s, 1e-14);
            ck_assert(nnc_pipeline_run(&pipeline, memory, &run));
            expect_near(run.total_s, 3.5 * (double)m, 1e-14);
        }
    }
}
END_TEST

/* One micro-batch goes through all stages and back, with 2 (p-1) messages. */
START_TEST(one_micro_batch) {
    nnc_pipeline pipeline = equal_stages(NNC_SCHEDULE_1F1B, 5, 1, 1, 1, 2, 0);
    pipeline.send_s = 0.25;
    replay(&pipeline);
    ck_assert_double_eq(replayed.total_s, 5 * 3 + 8 * 0.25);
    /* In a folded pipeline, the last device runs two successive chunks, and sends no message from one chunk to the
     * next. */
    pipeline = equal_stages(NNC_SCHEDULE_ZB_V, 5, 2, 1, 1, 2, 0);
    pipeline.send_s = 0.25;
    replay(&pipeline);
    ck_assert_double_eq(replayed.total_s, 5 * 3 + 16 * 0.25);
}
END_TEST

/* Bubbles of 8 stages, if forward, backward and weight gradients take F = B = W = 1 each: 21 for 1F1B, a third of 21
 * for ZB-H1, and 6 for DualPipe. */
START_TEST(published_bubbles) {
    ck_assert_double_eq(nnc_pipeline_say_bubble(NNC_SCHEDULE_1F1B, &(nnc_equal_stages){ 8, 1, 1, 1, 1 }, NULL), 21);
    ck_assert_double_eq(nnc_pipeline_say_bubble(NNC_SCHEDULE_GPIPE, &(nnc_equal_stages){ 8, 1, 1, 1, 1 }, NULL), 21);
    ck_assert_double_eq(nnc_pipeline_say_bubble(NNC_SCHEDULE_INTERLEAVED, &(nnc_equal_stages){ 8, 3, 1, 1, 1 }, NULL),
                        7);
    ck_assert_double_eq(nnc_pipeline_say_bubble(NNC_SCHEDULE_ZB_H1, &(nnc_equal_stages){ 8, 1, 1, 1, 1 }, NULL), 7);
    ck_assert_double_eq(nnc_pipeline_say_bubble(NNC_SCHEDULE_ZB_H2, &(nnc_equal_stages){ 8, 1, 1, 1, 1 }, NULL), 0);
    ck_assert_double_eq(nnc_pipeline_say_bubble(NNC_SCHEDULE_ZB_V, &(nnc_equal_stages){ 8, 2, 1, 1, 1 }, NULL), 0);
    ck_assert_double_eq(nnc_pipeline_say_bubble(NNC_SCHEDULE_DUALPIPE, &(nnc_equal_stages){ 8, 1, 1, 1, 1 }, NULL), 6);
    /* With F, B and W for the times of forward, backward and weight gradients, the bubble is 7 (F + B - W) for ZB-H1,
     * and 7 (F + B - 2W) for ZB-H2. */
    ck_assert_double_eq(nnc_pipeline_say_bubble(NNC_SCHEDULE_ZB_H1, &(nnc_equal_stages){ 8, 1, 2, 3, 1 }, NULL), 28);
    ck_assert_double_eq(nnc_pipeline_say_bubble(NNC_SCHEDULE_ZB_H2, &(nnc_equal_stages){ 8, 1, 2, 3, 1 }, NULL), 21);
    /* Bubble divided by the time without bubble, for p = 8 stages and m = 32 micro-batches: 7/32 for 1F1B, and 7/128
     * for the interleaved schedule with v = 4 chunks per stage. */
    ck_assert_double_eq(nnc_pipeline_say_bubble(NNC_SCHEDULE_1F1B, &(nnc_equal_stages){ 8, 1, 1, 1, 0 }, NULL) / 64,
                        0.21875);
    ck_assert_double_eq(
        nnc_pipeline_say_bubble(NNC_SCHEDULE_INTERLEAVED, &(nnc_equal_stages){ 8, 4, 1, 1, 0 }, NULL) / 64, 0.0546875);
}
END_TEST

/* Returns the number of micro-batches from which the closed form of the bubble holds. */
static int64_t least_micro_batches(nnc_schedule schedule, int32_t p) {
    switch (schedule) {
    case NNC_SCHEDULE_ZB_H1: return p;
    case NNC_SCHEDULE_ZB_H2:
    case NNC_SCHEDULE_ZB_V: return 2 * p - 1;
    case NNC_SCHEDULE_DUALPIPE: return 2 * p;
    default: return 1;
    }
}

static void expect_closed_form(const nnc_pipeline *pipeline, double f, double b, double w) {
    const int32_t p = pipeline->stages;
    replay(pipeline);
    for (int32_t d = 0; d < p; d++) {
        ck_assert_double_eq(replayed.in_flight[d], nnc_pipeline_in_flight(pipeline->schedule, p, pipeline->chunks,
                                                                          pipeline->micro_batches, d));
    }
    if (pipeline->micro_batches >= least_micro_batches(pipeline->schedule, p)) {
        const double ideal_s = (double)pipeline->micro_batches * (f + b + w);
        expect_near(replayed.total_s,
                    ideal_s + nnc_pipeline_say_bubble(pipeline->schedule,
                                                      &(nnc_equal_stages){ p, pipeline->chunks, f, b, w }, NULL),
                    1e-12);
    }
}

/* Returns true for cases with a published closed form. */
static bool published(nnc_schedule schedule, int32_t p, int32_t v, int64_t m, const double t[3]) {
    switch (schedule) {
    case NNC_SCHEDULE_INTERLEAVED: return m % p == 0;
    case NNC_SCHEDULE_ZB_V: return v == 2 && t[0] == t[1] && t[1] == t[2];
    case NNC_SCHEDULE_DUALPIPE: return v == 1 && (p == 1 || (p % 2 == 0 && m % 2 == 0 && t[0] == t[1] && t[2] <= t[0]));
    default: return v == 1;
    }
}

static void sweep_equal_stages(nnc_schedule schedule, const double t[3]) {
    for (int32_t p = 1; p <= 12; p++) {
        for (int64_t m = 1; m <= 60; m++) {
            for (int32_t v = 1; v <= 4; v++) {
                if (published(schedule, p, v, m, t)) {
                    const nnc_pipeline pipeline = equal_stages(schedule, p, v, m, t[0], t[1], t[2]);
                    expect_closed_form(&pipeline, t[0], t[1], t[2]);
                }
            }
        }
    }
}

START_TEST(equal_stages_meet_the_closed_forms) {
    static const double times[][3] = { { 1, 1, 1 }, { 1, 1, 0.5 },   { 1, 1.5, 0.7 }, { 0.5, 1, 0.5 },
                                       { 1, 2, 0 }, { 0.8, 1.2, 1 }, { 1, 1, 2 },     { 2, 0.5, 1 } };
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        for (int s = 0; s < NNC_SCHEDULE_COUNT; s++) { sweep_equal_stages((nnc_schedule)s, times[i]); }
    }
}
END_TEST

START_TEST(published_in_flight) {
    for (int32_t i = 0; i < 8; i++) {
        ck_assert_double_eq(nnc_pipeline_in_flight(NNC_SCHEDULE_GPIPE, 8, 1, 100, i), 100);
        ck_assert_double_eq(nnc_pipeline_in_flight(NNC_SCHEDULE_1F1B, 8, 1, 100, i), 8 - i);
        ck_assert_double_eq(nnc_pipeline_in_flight(NNC_SCHEDULE_ZB_H1, 8, 1, 100, i), 8 - i);
        ck_assert_double_eq(nnc_pipeline_in_flight(NNC_SCHEDULE_ZB_H2, 8, 1, 100, i), 15);
        ck_assert_double_eq(nnc_pipeline_in_flight(NNC_SCHEDULE_ZB_V, 8, 2, 100, i), 8);
        ck_assert_double_eq(nnc_pipeline_in_flight(NNC_SCHEDULE_DUALPIPE, 8, 1, 100, i), 9);
    }
    /* With p = 8 stages of v = 3 chunks each, p (1 + (p-1) / (p v)) = 8 + 7/3 micro-batches are in flight on the first
     * stage. */
    expect_near(nnc_pipeline_in_flight(NNC_SCHEDULE_INTERLEAVED, 8, 3, 96, 0), 31.0 / 3, 1e-15);
    ck_assert_double_eq(nnc_pipeline_in_flight(NNC_SCHEDULE_1F1B, 8, 1, 3, 0), 3);
}
END_TEST

/* On each device and with any number of micro-batches, the schedules 1f1b, gpipe, zb-h1 and zb-h2 keep at least as many
 * micro-batches in flight as 1f1b. */
START_TEST(at_least_1f1b_in_flight) {
    int found = 0;
    for (int k = 0; k < NNC_SCHEDULE_COUNT; k++) {
        const nnc_plan plan = { .schedule = (nnc_schedule)k, .pipeline = 8 };
        if (!nnc_schedule_keeps_1f1b(&plan)) { continue; }
        found++;
        for (int32_t m = 1; m <= 40; m++) {
            for (int32_t d = 0; d < plan.pipeline; d++) {
                ck_assert_double_ge(nnc_pipeline_in_flight(plan.schedule, plan.pipeline, 1, m, d),
                                    nnc_pipeline_in_flight(NNC_SCHEDULE_1F1B, plan.pipeline, 1, m, d));
            }
        }
    }
    ck_assert_int_eq(found, 4);
}
END_TEST

START_TEST(run_is_the_replay) {
    seed = 88172645463325252U;
    for (int i = 0; i < CASES; i++) {
        const nnc_pipeline pipeline = random_pipeline(i % 8 == 0 ? 2000 : 500);
        const int64_t m = pipeline.micro_batches;
        replay(&pipeline);
        ck_assert(nnc_pipeline_run(&pipeline, memory, &run));
        expect_near(run.total_s, replayed.total_s, m <= 16 ? 0 : 1e-12);
        expect_near(run.makespan_s, replayed.makespan_s, m <= 16 ? 0 : 1e-12);
        for (int32_t d = 0; d < pipeline.stages; d++) {
            ck_assert_double_eq(run.busy_s[d], replayed.busy_s[d]);
            ck_assert_double_eq(run.in_flight[d], replayed.in_flight[d]);
            ck_assert_double_eq(run.in_flight[d],
                                nnc_pipeline_in_flight(pipeline.schedule, pipeline.stages, pipeline.chunks, m, d));
        }
    }
}
END_TEST

/* With very many micro-batches, the step time is their number times the time of the slowest stage. */
START_TEST(any_number_of_micro_batches) {
    static const nnc_schedule schedules[] = { NNC_SCHEDULE_1F1B,  NNC_SCHEDULE_GPIPE, NNC_SCHEDULE_ZB_H1,
                                              NNC_SCHEDULE_ZB_H2, NNC_SCHEDULE_ZB_V,  NNC_SCHEDULE_DUALPIPE };
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++) {
        const int32_t v = schedules[i] == NNC_SCHEDULE_ZB_V ? 2 : 1;
        nnc_pipeline pipeline = equal_stages(schedules[i], DEVICES, v, 1000000000000, 1, 1, 1);
        ck_assert(nnc_pipeline_run(&pipeline, memory, &run));
        expect_near(run.total_s, 3e12, 1e-9);
        forward_s[7] = 1.5;
        const double pace_s = schedules[i] == NNC_SCHEDULE_GPIPE      ? 3.5
                              : v == 2                                ? 4
                              : schedules[i] == NNC_SCHEDULE_DUALPIPE ? 3.25
                                                                      : 3.5;
        ck_assert(nnc_pipeline_run(&pipeline, memory, &run));
        expect_near(run.total_s, pace_s * 1e12, 1e-9);
    }
}
END_TEST

/* The order of ZB-V on two devices begins with three micro-batches. The pipeline of the test has only two
 * micro-batches, a and b. Each pass of a chunk takes 1 s.
 *     device 0  F0a F0b  .  F1a B1a W1a F1b B1b W1b B0a W0a  .  B0b W0b       ends at 14
 *     device 1   .  F0a F1a F0b F1b B1a W1a B0a W0a B1b W1b B0b W0b           from 1 to 13 */
START_TEST(fewer_micro_batches_than_zb_v_lists) {
    const nnc_pipeline pipeline = equal_stages(NNC_SCHEDULE_ZB_V, 2, 2, 2, 2, 2, 2);
    ck_assert(nnc_pipeline_run(&pipeline, memory, &run));
    ck_assert_double_eq(run.total_s, 14.0);
    ck_assert_double_eq(run.span_s[0], 14.0);
    ck_assert_double_eq(run.span_s[1], 12.0);
    ck_assert_double_eq(run.busy_s[0], 12.0);
}
END_TEST

START_TEST(monotone_in_every_time) {
    seed = 362436069362436069U;
    for (int i = 0; i < CASES; i++) {
        nnc_pipeline pipeline = random_pipeline(120);
        ck_assert(nnc_pipeline_run(&pipeline, memory, &replayed));
        const int64_t s = draw_int(0, (int64_t)pipeline.stages * pipeline.chunks - 1);
        switch (draw_int(0, 4)) {
        case 0: forward_s[s] *= 1 + draw(); break;
        case 1: backward_s[s] *= 1 + draw(); break;
        case 2: weight_s[s] *= 1 + draw(); break;
        case 3: pipeline.send_s += draw(); break;
        default: pipeline.micro_batches += pipeline.schedule == NNC_SCHEDULE_INTERLEAVED ? pipeline.stages : 2;
        }
        ck_assert(nnc_pipeline_run(&pipeline, memory, &run));
        ck_assert_double_ge(run.makespan_s, replayed.makespan_s * (1 - 1e-12));
        /* In zb-v, longer passes can delay the first pass of the last device, and so make the step slightly shorter. */
        if (pipeline.schedule != NNC_SCHEDULE_ZB_V) {
            ck_assert_double_ge(run.total_s, replayed.total_s * (1 - 1e-12));
        }
    }
}
END_TEST

/* A pipeline takes at least the busy time of its busiest device. A pipeline takes at most the sum of all passes and
 * messages. */
START_TEST(bounds) {
    seed = 521288629521288629U;
    for (int i = 0; i < CASES; i++) {
        const nnc_pipeline pipeline = random_pipeline(120);
        const int32_t p = pipeline.stages;
        double all_s = 0, most_s = 0;
        ck_assert(nnc_pipeline_run(&pipeline, memory, &run));
        for (int32_t d = 0; d < p; d++) {
            all_s += whole_step_s(&pipeline, d);
            most_s = fmax(most_s, run.busy_s[d]);
        }
        all_s += 2.0 * (double)pipeline.micro_batches * (p * pipeline.chunks - 1) * pipeline.send_s;
        ck_assert_double_ge(run.total_s, most_s * (1 - 1e-12));
        ck_assert_double_le(run.total_s, run.makespan_s);
        ck_assert_double_le(run.makespan_s, all_s * (1 + 1e-12));
    }
}
END_TEST

/* ---- refused pipelines, and the largest pipelines ---- */

START_TEST(rules) {
    nnc_pipeline pipeline = equal_stages(NNC_SCHEDULE_INTERLEAVED, 4, 2, 6, 1, 1, 1);
    ck_assert(!nnc_pipeline_run(&pipeline, memory, &run)); /* 6 micro-batches are not a multiple of 4 stages */
    pipeline = equal_stages(NNC_SCHEDULE_DUALPIPE, 3, 1, 6, 1, 1, 1);
    ck_assert(!nnc_pipeline_run(&pipeline, memory, &run)); /* dualpipe needs an even number of stages */
    pipeline = equal_stages(NNC_SCHEDULE_ZB_V, 4, 1, 8, 1, 1, 1);
    ck_assert(!nnc_pipeline_replay(&pipeline, memory, &run, NULL, NULL)); /* zb-v needs two chunks */
    pipeline = equal_stages(NNC_SCHEDULE_1F1B, 4, 2, 8, 1, 1, 1);
    ck_assert(!nnc_pipeline_run(&pipeline, memory, &run)); /* 1f1b needs one chunk */
    pipeline = equal_stages(NNC_SCHEDULE_1F1B, 4, 1, 0, 1, 1, 1);
    ck_assert(!nnc_pipeline_run(&pipeline, memory, &run));
    pipeline.micro_batches = INT64_MAX;
    ck_assert(!nnc_pipeline_run(&pipeline, memory, &run));
    pipeline.micro_batches = 1;
    pipeline.stages = NNC_PIPELINE_STAGES_MAX + 1;
    ck_assert(!nnc_pipeline_run(&pipeline, memory, &run));
}
END_TEST

START_TEST(largest) {
    static double ones[NNC_PIPELINE_VIRTUAL_MAX];
    for (int i = 0; i < NNC_PIPELINE_VIRTUAL_MAX; i++) { ones[i] = 1; }
    for (int s = 0; s < NNC_SCHEDULE_COUNT; s++) {
        const nnc_schedule schedule = (nnc_schedule)s;
        nnc_pipeline pipeline = pipeline_of(schedule, NNC_PIPELINE_STAGES_MAX, 1, 1024);
        pipeline.forward_s = pipeline.backward_s = pipeline.weight_s = ones;
        pipeline.chunks = schedule == NNC_SCHEDULE_INTERLEAVED ? 4 : schedule == NNC_SCHEDULE_ZB_V ? 2 : 1;
        replay(&pipeline);
        ck_assert(nnc_pipeline_run(&pipeline, memory, &run));
        expect_near(run.total_s, replayed.total_s, 1e-12);
    }
}
END_TEST

/* The interleaved schedule with one chunk takes as long as 1F1B. */
START_TEST(interleaved_with_one_chunk) {
    seed = 5;
    for (int i = 0; i < 100; i++) {
        nnc_pipeline pipeline = random_pipeline(40);
        pipeline.chunks = 1;
        pipeline.schedule = NNC_SCHEDULE_INTERLEAVED;
        ck_assert(nnc_pipeline_run(&pipeline, memory, &run));
        pipeline.schedule = NNC_SCHEDULE_1F1B;
        replay(&pipeline);
        expect_near(run.total_s, replayed.total_s, 1e-12);
    }
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        unequal_1f1b,
        one_stage_never_waits,
        one_micro_batch,
        published_bubbles,
        equal_stages_meet_the_closed_forms,
        published_in_flight,
        at_least_1f1b_in_flight,
        run_is_the_replay,
        any_number_of_micro_batches,
        fewer_micro_batches_than_zb_v_lists,
        monotone_in_every_time,
        bounds,
        rules,
        largest,
        interleaved_with_one_chunk,
    };
    return run_tests_with("pipeline", open_memory, close_memory, tests, COUNT_OF(tests));
}
