/* Tests the timeline of a step: the activities of a stage must not overlap, must have no gaps, and together must take
 * the step time. */
#include "cluster.h"

typedef struct lane {
    bool started;
    double begin_s, end_s, spent_s[NNC_ACTIVITY_COUNT];
    int64_t passes[NNC_ACTIVITY_COUNT];
} lane;

typedef struct lanes {
    lane stage[64];
    double step_s;
} lanes;

static void follow(void *context, const nnc_interval *interval) {
    lanes *all = context;
    lane *l = &all->stage[interval->stage];
    const double slack_s = 1e-9 * all->step_s;
    ck_assert_int_lt(interval->stage, 64);
    ck_assert_double_le(interval->start_s, interval->end_s);
    if (!l->started) {
        l->started = true;
        l->begin_s = l->end_s = interval->start_s;
    }
    ck_assert_double_eq_tol(interval->start_s, l->end_s, slack_s);
    l->end_s = interval->end_s;
    l->spent_s[interval->activity] += interval->end_s - interval->start_s;
    l->passes[interval->activity] += interval->micro_batch >= 0 ? 1 : 0;
}

static void check(const nnc_model *model, const nnc_device *device, const nnc_plan *plan) {
    nnc_error err = { 0 };
    nnc_result result;
    int32_t stages = 0;
    lanes all = { .step_s = 0 };
    const nnc_software software = nnc_software_default();
    ck_assert_msg(nnc_estimate(model, device, &software, plan, scratch, &result, &err) == NNC_OK, "%s: %s", err.where,
                  err.what);
    all.step_s = result.step_s;
    ck_assert_int_eq(nnc_timeline(scratch, &result, follow, &all, &err), NNC_OK);
    const nnc_stage *stage = nnc_scratch_stages(scratch, &stages);
    ck_assert_int_eq(stages, result.plan.pipeline);
    for (int32_t i = 0; i < stages; i++) {
        const lane *l = &all.stage[i];
        const double slack_s = 1e-9 * result.step_s;
        const double busy_s =
            l->spent_s[NNC_ACTIVITY_FORWARD] + l->spent_s[NNC_ACTIVITY_BACKWARD] + l->spent_s[NNC_ACTIVITY_WEIGHT];
        ck_assert_double_eq_tol(l->end_s - l->begin_s, result.step_s, slack_s);
        /* except in zero-bubble schedules, a barrier starts all stages at time 0 */
        ck_assert(l->begin_s == 0.0 || plan->schedule >= NNC_SCHEDULE_ZB_H1);
        ck_assert_double_eq_tol(busy_s, stage[i].busy_s, slack_s);
        ck_assert_double_eq_tol(l->spent_s[NNC_ACTIVITY_EXCHANGE], stage[i].exchange_s, slack_s);
        ck_assert_double_eq_tol(l->spent_s[NNC_ACTIVITY_UPDATE], stage[i].update_s, slack_s);
        ck_assert_int_eq(l->passes[NNC_ACTIVITY_FORWARD], l->passes[NNC_ACTIVITY_BACKWARD]);
        ck_assert_int_ge(l->passes[NNC_ACTIVITY_FORWARD], result.plan.micro_batches);
    }
    /* The times of the busiest stage are equal to the times in the result. */
    const lane *l = &all.stage[result.stage];
    ck_assert_double_eq_tol(l->spent_s[NNC_ACTIVITY_UPDATE], result.update_s, 1e-9 * result.step_s);
}

static nnc_plan pipeline_of(int32_t pipeline, int64_t micro_batches) {
    nnc_plan plan = plan_of(2, 1, pipeline);
    plan.micro_batches = micro_batches;
    return plan;
}

/* Tests every schedule, with 16 layers (which 3 stages do not divide evenly) and with few and many micro-batches. */
START_TEST(every_schedule_fills_the_step) {
    static const int32_t pipelines[] = { 1, 2, 3, 4, 8 };
    static const int64_t passes[] = { 8, 24, 120 };
    const nnc_model model = gpt(16, 256, 8, 2048, 128);
    const nnc_device device = cluster_device();
    for (int s = 0; s < NNC_SCHEDULE_COUNT; s++) {
        for (size_t p = 0; p < COUNT_OF(pipelines); p++) {
            for (size_t m = 0; m < COUNT_OF(passes); m++) {
                nnc_plan plan = pipeline_of(pipelines[p], passes[m]);
                plan.schedule = (nnc_schedule)s;
                const bool odd = s == NNC_SCHEDULE_DUALPIPE && pipelines[p] % 2 != 0;
                const bool uneven = s == NNC_SCHEDULE_INTERLEAVED && passes[m] % pipelines[p] != 0;
                if (pipelines[p] > 1 && (odd || uneven)) { continue; /* an illegal plan */ }
                if (s == NNC_SCHEDULE_INTERLEAVED && pipelines[p] > 1) { plan.virtual_stages = 2; }
                check(&model, &device, &plan);
                plan.mode = NNC_MODE_IDEAL;
                check(&model, &device, &plan);
            }
        }
    }
}
END_TEST

/* Communication of sharded gradients, recomputation and exposed messages are part of the timeline. */
START_TEST(every_part_has_its_place) {
    const nnc_model model = gpt(16, 256, 8, 2048, 128);
    const nnc_device device = cluster_device();
    for (int32_t zero = 0; zero <= 3; zero++) {
        nnc_plan plan = pipeline_of(4, 16);
        plan.zero = zero;
        plan.tensor = 2;
        plan.overlap = 0.3;
        plan.recompute = NNC_RECOMPUTE_FULL;
        check(&model, &device, &plan);
        plan.pipeline = 1;
        plan.overlap = 0;
        check(&model, &device, &plan);
    }
}
END_TEST

START_TEST(too_long_is_refused) {
    const nnc_model model = gpt(16, 256, 8, 2048, 128);
    const nnc_device device = cluster_device();
    const nnc_software software = nnc_software_default();
    nnc_plan plan = pipeline_of(4, 125001); /* the step has 2 passes x 4 stages x 125001 micro-batches */
    nnc_result result = estimate_with(&model, &device, &software, &plan);
    nnc_error err = { 0 };
    lanes all = { .step_s = result.step_s };
    ck_assert_int_eq(nnc_timeline(scratch, &result, follow, &all, &err), NNC_BAD_USAGE);
    ck_assert_ptr_nonnull(strstr(err.what, "1000008"));
}
END_TEST

int main(void) {
    const TTest *const tests[] = { every_schedule_fills_the_step, every_part_has_its_place, too_long_is_refused };
    return run_tests("timeline", tests, COUNT_OF(tests));
}
