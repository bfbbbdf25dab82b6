/* Tests random clusters and plans, with a fixed seed. A faster or larger part of the cluster may not make a step
 * longer, more work may not make a step shorter, and small changes must have small effects. */
#include "draw.h"

enum { CASES = 500 };

/* Returns true if a <= b, except for the rounding of sums. */
static bool at_most(double a, double b) { return a <= b * (1 + 1e-9); }

/* A step time is the longest span of a stage plus the longest step end of a stage, which may be another stage. If two
 * stages take nearly the same time, a faster device leaves less time for overlap, and the step can become slightly
 * longer. Returns the factor by which the test lets a step become longer. */
static double slack_of(const nnc_plan *plan) { return plan->pipeline > 1 ? 1.002 : 1.0; }

static void check_no_slower(const split_case *c, const nnc_result *before, const char *what, int number) {

    const nnc_result after = result_of_split(c);
    ck_assert_msg(at_most(after.step_s, before->step_s * slack_of(&before->plan)), "%d, %s: %.12g after %.12g", number,
                  what, after.step_s, before->step_s);
    ck_assert_msg(at_most(after.lower_bound_s, before->lower_bound_s), "%d, %s: bound", number, what);
    ck_assert_msg(at_most(after.upper_bound_s, before->upper_bound_s), "%d, %s: upper bound", number, what);
    ck_assert_double_eq(after.model_flops, before->model_flops);
    ck_assert_int_eq(after.memory.total_bytes, before->memory.total_bytes);
}

START_TEST(better_devices_and_links) {
    int number = 0;
    for (int i = 0; i < CASES; i++) {
        const split_case c = draw_legal(&number);
        const nnc_result before = result_of_split(&c);
        const double factor = scaled(1.01, 10.0);
        split_case better = c;
        better.device.scale_up.bytes_per_s *= factor;
        check_no_slower(&better, &before, "scale-up", number - 1);
        better = c;
        better.device.scale_out.bytes_per_s *= factor;
        check_no_slower(&better, &before, "scale-out", number - 1);
        better = c;
        better.device.scale_up.latency_s /= factor;
        better.device.scale_out.latency_s /= factor;
        check_no_slower(&better, &before, "latency", number - 1);
        better = c;
        better.device.host.bytes_per_s *= factor;
        better.device.host.mem_bytes_per_s *= factor;
        check_no_slower(&better, &before, "host", number - 1);
        better = c;
        better.device.mem_bytes_per_s *= factor;
        check_no_slower(&better, &before, "memory", number - 1);
        better = c;
        better.device.matmul_flops_per_s[NNC_BF16] *= factor;
        better.device.vector_flops_per_s[NNC_FP32] *= factor;
        check_no_slower(&better, &before, "peak", number - 1);
        better = c;
        better.device.mem_bytes *= 2;
        check_no_slower(&better, &before, "capacity", number - 1);
    }
}
END_TEST

/* A step with more overlap is never slower, and has the same bounds. */
START_TEST(overlap) {
    int number = 0;
    for (int i = 0; i < CASES; i++) {
        split_case c = draw_legal(&number);
        double step_s = INFINITY, lower_s = 0.0;
        for (int quarter = 0; quarter <= 4; quarter++) {
            c.plan.overlap = quarter / 4.0;
            const nnc_result r = result_of_split(&c);
            ck_assert_msg(at_most(r.step_s, step_s), "%d: %.12g after %.12g", number - 1, r.step_s, step_s);
            ck_assert(quarter == 0 || r.lower_bound_s == lower_s);
            step_s = r.step_s;
            lower_s = r.lower_bound_s;
        }
    }
}
END_TEST

/* The test adds work in four ways: one more sample per pass, twice as many passes, a sequence that is 64 tokens longer,
 * and a vocabulary of 64 more words. */
START_TEST(more_work) {
    int number = 0;
    for (int i = 0; i < CASES; i++) {
        const split_case c = draw_legal(&number);
        const nnc_result before = result_of_split(&c);
        for (int kind = 0; kind < 4; kind++) {
            split_case more = c;
            switch (kind) {
            case 0: more.plan.micro_batch++; break;
            case 1: more.plan.micro_batches *= 2; break;
            case 2: more.model.decoder.seq_len += 64; break;
            default: more.model.decoder.vocab += 64; break;
            }
            nnc_plan plan;
            if (nnc_plan_resolve(&more.plan, &more.model, &more.device, &plan, NULL) != NNC_OK) { continue; }
            const nnc_result after = result_of_split(&more);
            ck_assert_msg(at_most(before.step_s, after.step_s * slack_of(&before.plan)), "%d, %d: %.12g after %.12g",
                          number - 1, kind, after.step_s, before.step_s);
            /* in a pipeline, the bound contains the update of one stage, and this stage can change with the layers */
            ck_assert_msg(at_most(before.lower_bound_s, after.lower_bound_s) || c.plan.pipeline > 1, "%d, %d: bound",
                          number - 1, kind);
            ck_assert_msg(before.memory.total_bytes <= after.memory.total_bytes, "%d, %d: memory", number - 1, kind);
        }
    }
}
END_TEST

/* If a micro-batch becomes k times larger, its activations and its working set do not become smaller, and become at
 * most k times larger. A search uses this rule about k times larger micro-batches to decide which plans fit. */
START_TEST(whole_micro_batches) {
    int number = 0, compared = 0, close = 0;
    for (int i = 0; i < 8 * CASES; i++) {
        split_case c = draw_legal(&number);
        const nnc_result before = result_of_split(&c);
        const int64_t k = between(2, 12);
        if (before.memory.one_moment) { continue; } /* on one device, the peak is found by a replay of the ops */
        c.plan.micro_batch *= k;
        c.plan.global_batch = 0;
        nnc_plan plan;
        if (nnc_plan_resolve(&c.plan, &c.model, &c.device, &plan, NULL) != NNC_OK) { continue; }
        const nnc_result after = result_of_split(&c);
        const nnc_memory *a = &before.memory, *b = &after.memory;
        if (after.memory_stage != before.memory_stage) { continue; }
        const double one = (double)(a->activation_bytes + a->transient_bytes);
        const double all = (double)(b->activation_bytes + b->transient_bytes);
        ck_assert_int_eq(a->weight_bytes, b->weight_bytes);
        ck_assert_int_eq(a->gradient_bytes, b->gradient_bytes);
        ck_assert_int_eq(a->optimizer_bytes, b->optimizer_bytes);
        ck_assert_msg(one <= all && all <= (double)k * one, "%d: %.12g, %d times: %.12g", number - 1, one, (int)k, all);
        compared++;
        close += all >= 0.9 * (double)k * one ? 1 : 0;
    }
    ck_assert_int_gt(compared, 2000);
    ck_assert_int_gt(close, compared / 4);
}
END_TEST

/* If bandwidths and peaks grow by a millionth, the step becomes shorter by at most a millionth. */
START_TEST(continuous) {
    int number = 0;
    for (int i = 0; i < CASES; i++) {
        const split_case c = draw_legal(&number);
        const nnc_result before = result_of_split(&c);
        split_case near_by = c;
        near_by.device.scale_up.bytes_per_s *= 1 + 1e-6;
        near_by.device.scale_out.bytes_per_s *= 1 + 1e-6;
        near_by.device.mem_bytes_per_s *= 1 + 1e-6;
        near_by.device.matmul_flops_per_s[NNC_BF16] *= 1 + 1e-6;
        near_by.device.host.bytes_per_s *= 1 + 1e-6;
        near_by.device.host.mem_bytes_per_s *= 1 + 1e-6;
        near_by.device.vector_flops_per_s[NNC_FP32] *= 1 + 1e-6;
        ck_assert_double_ge(result_of_split(&near_by).step_s, before.step_s * (1 - 1.01e-6));
    }
}
END_TEST

int main(void) {
    const TTest *const tests[] = { better_devices_and_links, overlap, more_work, whole_micro_batches, continuous };
    return run_tests("monotone_cluster", tests, COUNT_OF(tests));
}
