/* Compares the reserved memory of plans, which is added to the counted tensors, with measured peaks. Tests the verdict
 * (whether a plan fits), too. */
#include <nncost/search.h>

#include "cost/cost_internal.h"
#include "support.h"

static nnc_software reserved(double bytes, double share, double high) {
    nnc_software software = nnc_software_default();
    software.reserve =
        (nnc_reserve){ .bytes = bytes, .share = share, .low = 0.9, .high = high, .context = (double)NAN };
    return software;
}

/* The profile reserves 1000 bytes and a tenth of the counted bytes. A reserve that the user gives replaces the 1000
 * bytes, the tenth, and the interval. */
START_TEST(what_is_set_aside) {
    const nnc_model model = gpt(2, 64, 4, 500, 64);
    const nnc_device device = plain_device();
    const nnc_software software = reserved(1000.0, 0.1, 1.2);
    nnc_plan plan = nnc_plan_default();
    const nnc_memory m = estimate_with(&model, &device, &software, &plan).memory;
    const int64_t counted = m.total_bytes - m.reserve_bytes;
    ck_assert_int_eq(m.reserve_bytes, (int64_t)ceil(1000.0 + 0.1 * (double)counted));
    ck_assert_int_eq(m.total_interval_bytes[0], (int64_t)ceil(0.9 * (double)m.total_bytes));
    ck_assert_int_eq(m.total_interval_bytes[1], (int64_t)ceil(1.2 * (double)m.total_bytes));
    plan.reserve_bytes = 0;
    const nnc_memory own = estimate_with(&model, &device, &software, &plan).memory;
    ck_assert_int_eq(own.total_bytes, counted);
    ck_assert_int_eq(own.total_interval_bytes[0], counted);
    ck_assert_int_eq(own.total_interval_bytes[1], counted);
}
END_TEST

/* Tests the verdict for devices with four sizes of memory: the upper end of the interval, the predicted bytes, and one
 * byte less than each of these two. */
START_TEST(three_words) {
    const nnc_model model = gpt(2, 64, 4, 500, 64);
    const nnc_software software = reserved(1000.0, 0.1, 1.2);
    const nnc_plan plan = nnc_plan_default();
    nnc_device device = plain_device();
    const nnc_memory m = estimate_with(&model, &device, &software, &plan).memory;
    const struct {
        int64_t mem_bytes;
        nnc_verdict verdict;
        const char *word;
    } cases[] = { { m.total_interval_bytes[1], NNC_FITS, "fits" },
                  { m.total_interval_bytes[1] - 1, NNC_TIGHT, "tight" },
                  { m.total_bytes, NNC_TIGHT, "tight" },
                  { m.total_bytes - 1, NNC_OVER_MEMORY, "does_not_fit" } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        device.mem_bytes = cases[i].mem_bytes;
        const nnc_result r = estimate_with(&model, &device, &software, &plan);
        ck_assert_int_eq(r.verdict, cases[i].verdict);
        ck_assert_str_eq(nnc_verdict_name(r.verdict), cases[i].word);
    }
}
END_TEST

/* The advice for 8 A100 of 40 GB, printed by the first command of the documentation, is within 15 % of the best plan of
 * a search. The advice is the smallest set of changes with which the plan fits, and has further changes as long as the
 * step becomes faster. Its plan is not tight. */
START_TEST(advice_is_what_a_search_finds) {
    static const char *const models[] = { "llama3-8b", "llama2-13b", "mistral-7b" };
    nnc_profiles profiles;
    const nnc_device *a100 = NULL;
    nnc_search_result *found = calloc(1, sizeof *found);
    ck_assert_int_eq(nnc_profiles_load(specs, NULL, &profiles, NULL), NNC_OK);
    ck_assert_int_eq(nnc_device_load(specs, "a100-40gb", &a100, NULL), NNC_OK);
    for (size_t i = 0; i < COUNT_OF(models); i++) {
        const nnc_model *model = NULL;
        nnc_plan plan = nnc_plan_default();
        nnc_advice advice[3];
        nnc_result r;
        ck_assert_int_eq(nnc_model_load(specs, models[i], &model, NULL), NNC_OK);
        plan.devices = 8;
        ck_assert_int_gt(nnc_advise_by_plan(model, a100, &profiles, &plan, scratch, advice, 3), 0);
        nnc_search search = nnc_search_default();
        search.best = 1;
        search.base.devices = 8;
        search.base.global_batch = 8;
        /* the advice does not change the profile */
        const nnc_software *software = nnc_profile_of(&profiles, model, a100, &plan);
        ck_assert_int_eq(nnc_search_run(model, a100, software, &search, NULL, NULL, found, NULL), NNC_OK);
        ck_assert_int_eq(found->best_count, 1);
        ck_assert_msg(advice[0].step_s <= 1.15 * found->best[0].step_s, "%s: %g, found %g", models[i], advice[0].step_s,
                      found->best[0].step_s);
        ck_assert_int_eq(nnc_estimate(model, a100, software, &found->best[0].plan, scratch, &r, NULL), NNC_OK);
        ck_assert_int_eq(r.verdict, NNC_FITS);
    }
    free(found);
}
END_TEST

/* If the bytes at the peak are known op by op, only the share of the allocator is uncertain. The memory that the
 * allocator adds is uncertain: the interval goes from 0 to twice the share of the allocator. */
START_TEST(an_allocator_keeps_up_to_twice_its_share) {
    const nnc_model *gpt2 = NULL;
    const nnc_software *eager = NULL;
    const nnc_plan plan = nnc_plan_default();
    ck_assert_int_eq(nnc_model_load(specs, "gpt2", &gpt2, NULL), NNC_OK);
    ck_assert_int_eq(nnc_software_load(specs, "torch-eager", &eager, NULL), NNC_OK);
    const nnc_device *device = load_device("hw/h100-sxm5-80gb.json");
    const nnc_memory m = estimate_with(gpt2, device, eager, &plan).memory;
    const double peak = (double)m.peak_allocated_bytes, beside = (double)m.context_bytes;
    ck_assert(m.one_moment && eager->reserve.share > 0.0);
    ck_assert_int_eq(m.total_interval_bytes[0], (int64_t)ceil(peak + beside));
    ck_assert_int_eq(m.total_interval_bytes[1], (int64_t)ceil(peak * (1.0 + 2.0 * eager->reserve.share) + beside));
}
END_TEST

/* ln(measured / predicted) has a normal distribution. The risk is 0.05 at the upper end of the interval, because 5 % of
 * programs need more. The risk of running out of memory is 0.5 if the capacity equals the predicted bytes, and 0.95 if
 * the capacity is smaller by the factor of the upper end. Without an interval, the bytes are certain. */
START_TEST(risk_of_a_memory) {
    const nnc_memory m = { .total_bytes = 1000000000000, .total_interval_bytes = { 900000000000, 1250000000000 } };
    ck_assert_double_eq_tol(nnc_memory_risk(&m, 1250000000000), 0.05, 1e-5);
    ck_assert_double_eq_tol(nnc_memory_risk(&m, 1000000000000), 0.5, 1e-12);
    ck_assert_double_eq_tol(nnc_memory_risk(&m, 800000000000), 0.95, 1e-5);
    const nnc_memory sure = { .total_bytes = 10, .total_interval_bytes = { 10, 10 } };
    ck_assert_double_eq(nnc_memory_risk(&sure, 10), 0);
    ck_assert_double_eq(nnc_memory_risk(&sure, 9), 1);
}
END_TEST

int main(void) {
    const TTest *const tests[] = { what_is_set_aside, three_words, risk_of_a_memory, advice_is_what_a_search_finds,
                                   an_allocator_keeps_up_to_twice_its_share };
    return run_tests("reserve", tests, COUNT_OF(tests));
}
