/* Tests that nnc_estimate allocates no memory after its working memory (scratch) was created. test_nomalloc is linked
 * with -Wl,--wrap=malloc (and calloc, realloc), so all allocations of its objects call the functions below. */
#include <stdlib.h>

#include <nncost/nncost.h>

#include "suite.h"

static long allocations;

/* The linker gives these names.
 * NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size) {
    allocations++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    allocations++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size) {
    allocations++;
    return __real_realloc(old, size);
}
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

static nnc_specs *specs;
static nnc_scratch *scratch;
static const nnc_device *device;

static void open_all(void) {
    specs = nnc_specs_open(NNCOST_SOURCE_DIR);
    scratch = nnc_scratch_create();
    ck_assert_ptr_nonnull(specs);
    ck_assert_ptr_nonnull(scratch);
    ck_assert_int_eq(nnc_device_load(specs, "a100", &device, NULL), NNC_OK);
}

static void close_all(void) {
    nnc_scratch_destroy(scratch);
    nnc_specs_close(specs);
}

static const nnc_model *load(const char *id) {
    const nnc_model *model = NULL;
    ck_assert_int_eq(nnc_model_load(specs, id, &model, NULL), NNC_OK);
    return model;
}

/* Returns the number of allocations of one estimate. The estimate must succeed; the plan need not fit. */
static long allocations_of(const nnc_model *model, const nnc_plan *plan) {
    const nnc_software software = nnc_software_default();
    nnc_result result;
    nnc_error err = { 0 };
    const long before = allocations;
    const nnc_status status = nnc_estimate(model, device, &software, plan, scratch, &result, &err);
    const long made = allocations - before;
    ck_assert_msg(status == NNC_OK, "%s: %s", err.where, err.what);
    return made;
}

/* Checks that the wrappers count allocations. Without this check, broken wrappers could let all tests pass. */
START_TEST(the_wrappers_count) { ck_assert_int_gt(allocations, 0); }
END_TEST

START_TEST(decoder_allocates_nothing) {
    const nnc_model *model = load("gpt2-xl");
    nnc_plan plan = nnc_plan_default();
    ck_assert_int_eq(allocations_of(model, &plan), 0);
    plan.recompute = NNC_RECOMPUTE_FULL;
    plan.attention = NNC_ATTENTION_UNFUSED;
    plan.micro_batches = 4;
    ck_assert_int_eq(allocations_of(model, &plan), 0);
}
END_TEST

/* Estimates of two families use the same scratch in turn. No estimate may enlarge the scratch for the next estimate. */
START_TEST(unet_allocates_nothing) {
    const nnc_model *decoder = load("llama3-8b"), *unet = load("sd1-unet");
    const nnc_plan plan = nnc_plan_default();
    ck_assert_int_eq(allocations_of(unet, &plan), 0);
    ck_assert_int_eq(allocations_of(decoder, &plan), 0);
    ck_assert_int_eq(allocations_of(unet, &plan), 0);
}
END_TEST

/* Estimates with all kinds of parallelism, which replay a pipeline and compute bounds, allocate nothing. */
START_TEST(cluster_allocates_nothing) {
    const nnc_model *experts = load("deepseek-v2-lite");
    nnc_model model = *load("gpt3-175b");
    nnc_plan plan = nnc_plan_default();
    model.decoder.vocab_multiple = 1024;
    plan.data = 16;
    plan.tensor = plan.pipeline = 8;
    plan.virtual_stages = 3;
    plan.micro_batches = 64;
    plan.sequence_parallel = true;
    plan.zero = 1;
    ck_assert_int_eq(allocations_of(&model, &plan), 0);
    plan.virtual_stages = 1;
    plan.schedule = NNC_SCHEDULE_ZB_H2;
    plan.context = 2;
    plan.zero = 3;
    plan.recompute = NNC_RECOMPUTE_FULL;
    plan.offload = NNC_OFFLOAD_ACTIVATIONS;
    ck_assert_int_eq(allocations_of(&model, &plan), 0);
    plan = nnc_plan_default();
    plan.data = plan.expert = 8;
    ck_assert_int_eq(allocations_of(experts, &plan), 0);
    plan.mode = NNC_MODE_IDEAL;
    plan.attention = NNC_ATTENTION_UNFUSED;
    ck_assert_int_eq(allocations_of(experts, &plan), 0);
}
END_TEST

/* Runs a search for `devices` devices on one thread. Returns the number of allocations; evaluated: the number of
 * evaluated plans. */
static long allocations_of_search(int32_t devices, uint64_t *evaluated) {
    static nnc_search_result result;
    const nnc_model *model = load("llama3-8b");
    const nnc_software software = nnc_software_default();
    nnc_search search = nnc_search_default();
    search.best = 3;
    search.no_prune = true;
    nnc_error err = { 0 };
    search.base.devices = devices;
    search.base.global_batch = 64;
    const long before = allocations;
    const nnc_status status = nnc_search_run(model, device, &software, &search, NULL, NULL, &result, &err);
    ck_assert_msg(status == NNC_OK, "%s: %s", err.where, err.what);
    *evaluated = result.evaluated;
    return allocations - before;
}

/* A search allocates memory for its threads, but none per plan: a search of ten times as many plans makes the same
 * number of allocations. */
START_TEST(search_allocates_nothing_per_plan) {
    uint64_t few = 0, many = 0;
    const long for_few = allocations_of_search(2, &few), for_many = allocations_of_search(16, &many);
    ck_assert_int_gt(for_few, 0);
    ck_assert_uint_gt(many, 10 * few);
    ck_assert_int_eq(for_many, for_few);
}
END_TEST

/* Serving a dense model and a model with experts under load allocates nothing. */
START_TEST(serving_allocates_nothing) {
    static const char *const ids[] = { "llama3-8b", "deepseek-v2-lite" };
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        const nnc_model *model = load(ids[i]);
        nnc_serve_ask ask = nnc_serve_ask_default();
        nnc_serve_op ops[NNC_SERVE_OPS_MAX];
        nnc_serve serve = { .struct_size = sizeof serve };
        int32_t count = 0;
        ask.request_rate = 1.0;
        const long before = allocations;
        const nnc_status status = nnc_serve_into(model, device, NULL, &ask, scratch, &serve, ops, &count, NULL);
        const long made = allocations - before;
        ck_assert_int_eq(status, NNC_OK);
        ck_assert_int_eq(made, 0);
        ck_assert_int_gt(count, 0);
    }
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        the_wrappers_count,        decoder_allocates_nothing,         unet_allocates_nothing,
        cluster_allocates_nothing, search_allocates_nothing_per_plan, serving_allocates_nothing,
    };
    return run_tests_with("nomalloc", open_all, close_all, tests, COUNT_OF(tests));
}
