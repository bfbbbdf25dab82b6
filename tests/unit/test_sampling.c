/* Tests that no random plan is faster than the best plan that the search finds. */
#include <stdlib.h>

#include "draw.h"

enum { DRAWN = 2000 };

static nnc_plan draw_from(const nnc_plan *base) {
    static const unsigned recomputes[] = { 0, NNC_RECOMPUTE_ATTENTION, NNC_RECOMPUTE_FULL };
    nnc_plan plan = *base;
    plan.tensor = power(4);
    plan.pipeline = power(4);
    plan.context = power(2);
    plan.expert = power(3);
    plan.zero = (int32_t)draw(4);
    plan.sequence_parallel = plan.tensor > 1 && coin();
    plan.recompute = recomputes[draw(3)];
    plan.micro_batch = power(4);
    return plan;
}

static void check_space(const char *model_id, const char *device_id, int32_t devices, int64_t global_batch,
                        nnc_search_result *found) {
    const nnc_model *model = NULL;
    const nnc_device *device = NULL;
    const nnc_software *software = load_software("software/torch-compile.json");
    nnc_search search = nnc_search_default();
    search.best = 1;
    search.threads = 1;
    nnc_error err = { 0 };
    int feasible = 0;
    ck_assert_int_eq(nnc_model_load(specs, model_id, &model, &err), NNC_OK);
    ck_assert_int_eq(nnc_device_load(specs, device_id, &device, &err), NNC_OK);
    search.base.devices = devices;
    search.base.global_batch = global_batch;
    ck_assert_msg(nnc_search_run(model, device, software, &search, NULL, NULL, found, &err) == NNC_OK, "%s: %s",
                  err.where, err.what);
    ck_assert_int_eq(found->best_count, 1);
    seed(devices);
    for (int i = 0; i < DRAWN; i++) {
        const nnc_plan plan = draw_from(&search.base);
        nnc_result r;
        if (nnc_estimate(model, device, software, &plan, scratch, &r, NULL) == NNC_OK && r.memory.headroom_bytes >= 0) {
            ck_assert_msg(r.step_s >= found->best[0].step_s * (1 - 1e-12), "%s on %d %s: %.9g, found %.9g", model_id,
                          (int)devices, device_id, r.step_s, found->best[0].step_s);
            feasible++;
        }
    }
    ck_assert_int_gt(feasible, 20);
}

START_TEST(search_is_never_beaten) {
    nnc_search_result *found = calloc(1, sizeof *found);
    ck_assert_ptr_nonnull(found);
    check_space("gpt2-xl", "a100", 16, 256, found);
    check_space("llama3-8b", "h100", 32, 256, found);
    check_space("mixtral-8x7b", "h200", 64, 512, found);
    check_space("llama2-13b", "tpu-v5p", 64, 512, found);
    free(found);
}
END_TEST

int main(void) {
    const TTest *const tests[] = { search_is_never_beaten };
    return run_tests("sampling", tests, COUNT_OF(tests));
}
