/* Tests by how much the step time changes if one parameter of the device grows (elasticity). */
#include <math.h>
#include <stdlib.h>

#include <nncost/nncost.h>

#include "suite.h"

static nnc_specs *specs;
static const nnc_model *gpt;
static const nnc_device *a100;
static nnc_scratch *scratch;

/* an A100 with datasheet rates, without fixed times and fitted efficiencies, as the formulas of these tests assume */
static nnc_device bare;

static void setup(void) {
    nnc_error err;
    specs = nnc_specs_open(NNCOST_SOURCE_DIR);
    scratch = nnc_scratch_create();
    ck_assert_ptr_nonnull(specs);
    ck_assert_ptr_nonnull(scratch);
    ck_assert_int_eq(nnc_model_load(specs, "gpt2-xl", &gpt, &err), NNC_OK);
    ck_assert_int_eq(nnc_device_load(specs, "a100", &a100, &err), NNC_OK);
    bare = *a100;
    ck_assert_int_eq(nnc_device_set(&bare, "efficiency.basis", "none", &err), NNC_OK);
    a100 = &bare;
}

static void teardown(void) {
    nnc_scratch_destroy(scratch);
    nnc_specs_close(specs);
}

/* Computes the elasticities of a step. entries: one entry per parameter, in the order of the enumeration. */
static void sense(const nnc_device *device, const nnc_plan *plan, nnc_sensitivity entries[NNC_PARAMETER_COUNT]) {
    const nnc_software software = nnc_software_default();
    nnc_sensitivity sorted[NNC_PARAMETER_COUNT];
    nnc_error err;
    int count = 0;
    ck_assert_int_eq(
        nnc_sensitivity_of(gpt, device, &software, plan, scratch, sorted, NNC_PARAMETER_COUNT, &count, &err), NNC_OK);
    for (int i = 0; i < NNC_PARAMETER_COUNT; i++) { entries[i] = (nnc_sensitivity){ .elasticity = (double)NAN }; }
    for (int i = 0; i < count; i++) {
        ck_assert(i == 0 || fabs(sorted[i].elasticity) <= fabs(sorted[i - 1].elasticity));
        entries[sorted[i].figure] = sorted[i];
    }
}

static double step_of(const nnc_device *device, const nnc_plan *plan) {
    const nnc_software software = nnc_software_default();
    nnc_result result;
    nnc_error err;
    ck_assert_int_eq(nnc_estimate(gpt, device, &software, plan, scratch, &result, &err), NNC_OK);
    return result.step_s;
}

static nnc_plan cluster_plan(int32_t pipeline, int32_t zero, unsigned offload) {
    nnc_plan plan = nnc_plan_default();
    plan.devices = 32;
    plan.pipeline = pipeline;
    plan.zero = zero;
    plan.offload = offload;
    plan.global_batch = 128;
    return plan;
}

/* If a rate doubles, the step becomes shorter by at most half. If a latency doubles, the step does not become
 * shorter. */
START_TEST(elasticities_have_bounds) {
    const nnc_plan plans[] = {
        cluster_plan(1, 0, 0),
        cluster_plan(1, 3, 0),
        cluster_plan(4, 0, 0),
        cluster_plan(2, 2, NNC_OFFLOAD_OPTIMIZER),
    };
    nnc_device device = *a100;
    device.host.mem_bytes_per_s = 25e9;
    for (size_t p = 0; p < sizeof plans / sizeof *plans; p++) {
        const nnc_plan plan = plans[p];
        nnc_sensitivity entries[NNC_PARAMETER_COUNT];
        const double now_s = step_of(&device, &plan);
        sense(&device, &plan, entries);
        for (int i = 0; i < NNC_PARAMETER_COUNT; i++) {
            const nnc_sensitivity *e = &entries[i];
            const bool latency = i == NNC_PARAMETER_SCALE_UP_LATENCY || i == NNC_PARAMETER_SCALE_OUT_LATENCY;
            if (isnan(e->elasticity)) { continue; }
            ck_assert_double_ge(latency ? -e->elasticity : e->elasticity, -1.0 - 1e-9);
            ck_assert_double_le(latency ? -e->elasticity : e->elasticity, 0.0);
            ck_assert(latency ? e->doubled_s >= now_s : e->doubled_s <= now_s);
        }
    }
}
END_TEST

/* A step with almost no memory traffic: only the peak determines its time. */
START_TEST(a_compute_bound_step_follows_the_peak) {
    nnc_device device = *a100;
    nnc_plan plan = nnc_plan_default();
    nnc_sensitivity entries[NNC_PARAMETER_COUNT];
    plan.micro_batch = 4;
    device.mem_bytes_per_s = 1e20;
    device.vector_flops_per_s[NNC_FP32] = 1e20;
    sense(&device, &plan, entries);
    ck_assert_double_eq_tol(entries[NNC_PARAMETER_MATMUL].elasticity, -1.0, 1e-4);
    ck_assert_double_eq_tol(entries[NNC_PARAMETER_MATMUL].doubled_s, 0.5 * step_of(&device, &plan), 1e-6);
    /* On one device, the elasticity of links is exactly 0. */
    ck_assert_double_eq(entries[NNC_PARAMETER_SCALE_UP_RATE].elasticity, 0.0);
    ck_assert_double_eq(entries[NNC_PARAMETER_SCALE_OUT_RATE].elasticity, 0.0);
    ck_assert_double_eq(entries[NNC_PARAMETER_SCALE_OUT_LATENCY].elasticity, 0.0);
    ck_assert_double_eq(entries[NNC_PARAMETER_HOST_RATE].elasticity, 0.0);
    ck_assert_double_eq(entries[NNC_PARAMETER_MEM_BYTES].elasticity, 0.0);
}
END_TEST

/* Compute takes one part of the step time, and memory takes another part. All efficiencies are 1 and all fixed times
 * are 0, so the step halves if all rates double, and the elasticities add up to -1. */
START_TEST(elasticities_add_up) {
    nnc_plan plan = nnc_plan_default();
    nnc_sensitivity e[NNC_PARAMETER_COUNT];
    plan.micro_batch = 4;
    sense(a100, &plan, e);
    ck_assert_double_eq_tol(e[NNC_PARAMETER_MATMUL].elasticity + e[NNC_PARAMETER_VECTOR].elasticity +
                                e[NNC_PARAMETER_MEM_RATE].elasticity,
                            -1.0, 1e-4);
}
END_TEST

START_TEST(capacity_says_what_is_needed) {
    const nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    nnc_sensitivity entries[NNC_PARAMETER_COUNT];
    nnc_result result;
    plan.micro_batch = 4;
    sense(a100, &plan, entries);
    ck_assert_int_eq(nnc_estimate(gpt, a100, &software, &plan, scratch, &result, NULL), NNC_OK);
    ck_assert_double_eq(entries[NNC_PARAMETER_MEM_BYTES].needed, (double)result.memory.total_bytes);
    ck_assert_double_eq(entries[NNC_PARAMETER_MEM_BYTES].value, (double)a100->mem_bytes);
    ck_assert_double_eq(entries[NNC_PARAMETER_MEM_BYTES].doubled_s, result.step_s);
}
END_TEST

START_TEST(an_unrecorded_figure_is_left_out) {
    nnc_device device = *a100;
    nnc_plan plan = nnc_plan_default();
    nnc_sensitivity entries[NNC_PARAMETER_COUNT];
    device.host.bytes_per_s = (double)NAN;
    sense(&device, &plan, entries);
    ck_assert(isnan(entries[NNC_PARAMETER_HOST_RATE].elasticity));
}
END_TEST

/* With the parameter value that nncost finds, the step reaches the target step time. A value of the parameter that is
 * slightly lower misses the target step time. */
START_TEST(a_target_is_the_smallest_value) {
    const nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    nnc_target target;
    nnc_error err;
    nnc_device device = *a100;
    plan.micro_batch = 4;
    const double now_s = step_of(a100, &plan), goal_s = 0.8 * now_s;
    ck_assert_int_eq(nnc_target_find(gpt, a100, &software, &plan, NNC_PARAMETER_MATMUL, goal_s, scratch, &target, &err),
                     NNC_OK);
    ck_assert_double_gt(target.needed, target.value);
    ck_assert_double_le(target.step_s, goal_s);
    nnc_sensitivity_parameter_scale(&device, NNC_PARAMETER_MATMUL, NNC_BF16, target.needed / target.value);
    ck_assert_double_eq_tol(step_of(&device, &plan), goal_s, 1e-6 * goal_s);
    nnc_sensitivity_parameter_scale(&device, NNC_PARAMETER_MATMUL, NNC_BF16, 1.0 - 1e-6);
    ck_assert_double_gt(step_of(&device, &plan), goal_s);
}
END_TEST

START_TEST(a_target_out_of_reach_says_what_is_left) {
    const nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    nnc_target target;
    nnc_error err;
    plan.micro_batch = 4;
    const double now_s = step_of(a100, &plan);
    ck_assert_int_eq(nnc_target_find(gpt, a100, &software, &plan, NNC_PARAMETER_MATMUL, 1e-9, scratch, &target, &err),
                     NNC_OK);
    ck_assert(isnan(target.needed));
    ck_assert_double_lt(target.step_s, now_s); /* only the memory time remains */
    ck_assert_double_gt(target.step_s, 0.0);
    ck_assert_int_eq(
        nnc_target_find(gpt, a100, &software, &plan, NNC_PARAMETER_SCALE_OUT_RATE, 2.0 * now_s, scratch, &target, &err),
        NNC_OK);
    ck_assert_double_eq(target.needed, target.value); /* the device already reaches the target step time */
}
END_TEST

/* If the target step time is the present step time, the needed value of the parameter is exactly its present value. If
 * the target is the step time that an unlimited value of the parameter allows, the target is reached. A target step
 * time below the time with an unlimited value is not reached, even if the difference is a rounding error. */
START_TEST(targets_at_the_ends_are_reached) {
    const nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    nnc_target target;
    nnc_error err;
    plan.micro_batch = 4;
    const double now_s = step_of(a100, &plan);
    ck_assert_int_eq(nnc_target_find(gpt, a100, &software, &plan, NNC_PARAMETER_MATMUL, now_s, scratch, &target, &err),
                     NNC_OK);
    ck_assert_double_eq(target.needed, (double)a100->matmul_flops_per_s[NNC_BF16]);
    ck_assert_double_eq(target.step_s, now_s);
    ck_assert_int_eq(nnc_target_find(gpt, a100, &software, &plan, NNC_PARAMETER_MATMUL, 1e-9, scratch, &target, &err),
                     NNC_OK);
    const double least_s = target.step_s;
    ck_assert_int_eq(
        nnc_target_find(gpt, a100, &software, &plan, NNC_PARAMETER_MATMUL, least_s, scratch, &target, &err), NNC_OK);
    ck_assert_double_gt(target.needed, target.value);
    ck_assert_double_eq(target.step_s, least_s);
    ck_assert_int_eq(nnc_target_find(gpt, a100, &software, &plan, NNC_PARAMETER_MATMUL, nextafter(least_s, 0.0),
                                     scratch, &target, &err),
                     NNC_OK);
    ck_assert(isnan(target.needed));
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        elasticities_have_bounds,
        a_compute_bound_step_follows_the_peak,
        elasticities_add_up,
        capacity_says_what_is_needed,
        an_unrecorded_figure_is_left_out,
        a_target_is_the_smallest_value,
        a_target_out_of_reach_says_what_is_left,
        targets_at_the_ends_are_reached,
    };
    return run_tests_with("sensitivity", setup, teardown, tests, COUNT_OF(tests));
}
