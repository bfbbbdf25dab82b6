/* Tests that the search finds the same best plans as single estimates of all plans, with and without pruning, on any
 * number of threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <nncost/nncost.h>

#include "cost/cost_internal.h"
#include "pipeline/pipeline_internal.h"
#include "search/search_internal.h"
#include "suite.h"

static nnc_specs *specs;
static const nnc_model *gpt;
static const nnc_device *a100;
static nnc_search_result *result, *other;

static void setup(void) {
    nnc_error err;
    specs = nnc_specs_open(NNCOST_SOURCE_DIR);
    result = calloc(1, sizeof *result);
    other = calloc(1, sizeof *other);
    ck_assert_ptr_nonnull(specs);
    ck_assert_ptr_nonnull(result);
    ck_assert_ptr_nonnull(other);
    ck_assert_int_eq(nnc_model_load(specs, "gpt2-xl", &gpt, &err), NNC_OK);
    ck_assert_int_eq(nnc_device_load(specs, "a100", &a100, &err), NNC_OK);
}

static void teardown(void) {
    free(result);
    free(other);
    nnc_specs_close(specs);
}

static nnc_search search_of(int32_t devices, int64_t batch) {
    nnc_search search = nnc_search_default();
    search.best = 20;
    search.base.devices = devices;
    search.base.global_batch = batch;
    return search;
}

static void run(const nnc_search *search, nnc_search_result *out) {
    const nnc_software software = nnc_software_default();
    nnc_error err;
    ck_assert_int_eq(nnc_search_run(gpt, a100, &software, search, NULL, NULL, out, &err), NNC_OK);
    ck_assert_uint_eq(out->space, out->evaluated + out->pruned);
}

static void check_estimate(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                           const nnc_found *found, nnc_scratch *scratch) {
    nnc_result estimate;
    nnc_error err;
    ck_assert_int_eq(nnc_estimate(model, device, software, &found->plan, scratch, &estimate, &err), NNC_OK);
    ck_assert_double_eq(found->step_s, estimate.step_s);
    ck_assert_double_eq(found->mfu, estimate.mfu);
    ck_assert_double_eq(found->exposed_comm_s, estimate.exposed_comm_s);
    ck_assert_double_eq(found->bubble_share, estimate.bubble_share);
    ck_assert_int_eq(found->memory_bytes, estimate.memory.total_bytes);
    ck_assert_double_eq(found->cost_step, estimate.cost_step);
}

static void check_found(const nnc_found *found, nnc_scratch *scratch) {
    const nnc_software software = nnc_software_default();
    check_estimate(gpt, a100, &software, found, scratch);
}

static void check_same(const nnc_search_result *a, const nnc_search_result *b) {
    ck_assert_int_eq(a->best_count, b->best_count);
    ck_assert_int_eq(a->pareto_count, b->pareto_count);
    for (int32_t i = 0; i < a->best_count; i++) {
        ck_assert_uint_eq(a->best[i].index, b->best[i].index);
        ck_assert_double_eq(a->best[i].step_s, b->best[i].step_s);
    }
    for (int32_t i = 0; i < a->pareto_count; i++) { ck_assert_uint_eq(a->pareto[i].index, b->pareto[i].index); }
}

START_TEST(equals_estimate_to_the_last_digit) {
    const nnc_search search = search_of(64, 96);
    nnc_scratch *scratch = nnc_scratch_create();
    run(&search, result);
    ck_assert_int_gt(result->best_count, 1);
    for (int32_t i = 0; i < result->best_count; i++) { check_found(&result->best[i], scratch); }
    for (int32_t i = 0; i < result->pareto_count; i++) { check_found(&result->pareto[i], scratch); }
    nnc_scratch_destroy(scratch);
}
END_TEST

/* The run results of every plan of a search are those of nnc_run_of. Limits on the run never prune a plan that meets
 * them. */
START_TEST(runs_are_those_of_a_run) {
    const nnc_software software = nnc_software_default();
    nnc_search search = search_of(64, 96);
    nnc_run_ask ask = nnc_run_ask_default();
    nnc_scratch *scratch = nnc_scratch_create();
    nnc_error err;
    ask.device_mtbf_s = 3.6e6;
    ask.sites = 2;
    ask.outer_every = 100;
    ask.site_bytes_per_s = 1e9;
    ask.carbon_g_per_kwh = 400;
    search.run = &ask;
    search.base.tokens = 1e10;
    run(&search, result);
    ck_assert_int_gt(result->best_count, 10);
    for (int32_t i = 0; i < result->best_count; i++) {
        const nnc_found *found = &result->best[i];
        nnc_result estimate;
        nnc_run whole;
        ck_assert_int_eq(nnc_estimate(gpt, a100, &software, &found->plan, scratch, &estimate, &err), NNC_OK);
        ck_assert_int_eq(nnc_run_of(&estimate, a100, &found->plan, &ask, &whole, &err), NNC_OK);
        ck_assert_double_eq(found->run_s, whole.run_s);
        ck_assert_double_eq(found->device_hours, whole.device_hours);
        ck_assert_double_eq(found->cost_run, whole.cost);
        ck_assert_double_eq(found->goodput, whole.goodput);
        ck_assert_double_lt(found->goodput, 1.0);
        ck_assert_double_eq(found->energy_j, whole.energy_j);
        ck_assert_double_eq(found->carbon_kg, whole.carbon_kg);
    }
    search.deadline_s = result->best[9].run_s;
    run(&search, result);
    ck_assert_int_ge(result->best_count, 10);
    search.no_prune = true;
    run(&search, other);
    check_same(result, other);
    search.deadline_s *= 0.5;
    run(&search, other);
    search.no_prune = false;
    run(&search, result);
    ck_assert(result->any_missed && other->any_missed);
    ck_assert_uint_eq(result->missed.index, other->missed.index);
    ask.epochs = 2; /* the samples contradict the tokens of the plan */
    ask.dataset_size = 1e9;
    ck_assert_int_eq(nnc_search_run(gpt, a100, &software, &search, NULL, NULL, result, &err), NNC_BAD_USAGE);
    nnc_scratch_destroy(scratch);
}
END_TEST

/* Searches with several models, profiles and choices also return plans whose results equal single estimates. A search
 * shares a result only between plans that have equal results. Each space is searched as a whole and in parts, so that
 * in one of the searches each choice is the first one whose results a cache stores. */
START_TEST(equals_estimate_whatever_is_searched) {
    static const struct {
        const char *model, *software;
        int32_t devices, per_node;
        int64_t batch;
        int64_t schedule, zero; /* -1: all */
    } spaces[] = {
        { "llama3-8b", "torch-eager", 16, 8, 32, -1, -1 },
        { "llama3-8b", "torch-compile", 32, 4, 32, NNC_SCHEDULE_ZB_H1, -1 },
        { "mixtral-8x7b", "torch-eager", 32, 8, 64, -1, 1 },
        { "gpt2", "torch-eager", 8, 4, 16, -1, 0 },
        { "gpt2", "torch-compile", 8, 4, 16, NNC_SCHEDULE_DUALPIPE, -1 },
        { "gpt2", "torch-eager", 1, 8, 8, -1, -1 },
        { "sd1-unet", "torch-compile", 16, 8, 64, -1, -1 },
    };
    nnc_scratch *scratch = nnc_scratch_create();
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        const nnc_model *model;
        const nnc_software *software;
        nnc_device device = *a100;
        nnc_error err;
        nnc_search search = search_of(spaces[i].devices, spaces[i].batch);
        device.host.mem_bytes_per_s = 20e9; /* a rate of host memory makes offload of the optimizer possible */
        search.best = NNC_SEARCH_BEST_MAX;
        search.mem_bytes = INT64_C(1) << 50;
        search.base.devices_per_node = spaces[i].per_node;
        search.schedule = spaces[i].schedule >= 0 ? (nnc_choice){ { spaces[i].schedule }, 1 } : search.schedule;
        search.zero = spaces[i].zero >= 0 ? (nnc_choice){ { spaces[i].zero }, 1 } : search.zero;
        ck_assert_int_eq(nnc_model_load(specs, spaces[i].model, &model, &err), NNC_OK);
        ck_assert_int_eq(nnc_software_load(specs, spaces[i].software, &software, &err), NNC_OK);
        for (int part = 0; part < 3; part++) {
            search.objective = part == 0 ? NNC_OBJECTIVE_TIME : NNC_OBJECTIVE_MEMORY;
            search.base.overlap = part == 2 ? 0.3 : (double)NAN;
            nnc_profiles profiles = nnc_profiles_of_one(software);
            profiles.any = true; /* allows options that no framework offers */
            ck_assert_int_eq(nnc_search_by_plan(model, &device, &profiles, &search, NULL, NULL, result, &err), NNC_OK);
            ck_assert_int_gt(result->best_count, 0);
            for (int32_t k = 0; k < result->best_count + result->pareto_count; k++) {
                const nnc_found *one =
                    k < result->best_count ? &result->best[k] : &result->pareto[k - result->best_count];
                check_estimate(model, &device, software, one, scratch);
            }
        }
    }
    nnc_scratch_destroy(scratch);
}
END_TEST

/* Every choice of offload, on one device and on eight. Plans of a block share a pass only if the pass has the same
 * costs. In gpt2, embedding and head share one table, which is on one device (zb-v) or on two. With the table on one
 * device and with the table on two devices, there are five kinds of passes: without offload, with and without ZeRO 3;
 * with offloaded activations, with and without ZeRO 3; and with offloaded weights, which need ZeRO 3. So there are 10
 * kinds of passes, 2 more than the search keeps at a time. */
START_TEST(every_offload_equals_its_estimate) {
    static const struct {
        int32_t devices;
        double host_bytes_per_s; /* NAN: nothing can be offloaded */
        unsigned seen;           /* bit k: plans with offload k are among the results */
    } cases[] = { { 1, 20e9, 1U << 0 | 1U << 1 | 1U << 3 },
                  { 8, 20e9, 1U << 0 | 1U << 1 | 1U << 3 | 1U << 7 },
                  { 1, NAN, 1U << 0 },
                  { 8, NAN, 1U << 0 } };
    const nnc_software software = nnc_software_default();
    nnc_scratch *scratch = nnc_scratch_create();
    const nnc_model *model;
    nnc_error err;
    ck_assert_int_eq(nnc_model_load(specs, "gpt2", &model, &err), NNC_OK);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const bool many = cases[i].devices > 1;
        nnc_device device = *a100;
        nnc_search search = search_of(cases[i].devices, 32);
        nnc_profiles profiles = nnc_profiles_of_one(&software);
        unsigned seen = 0;
        profiles.any = true;
        device.host.bytes_per_s = device.host.mem_bytes_per_s = cases[i].host_bytes_per_s;
        search.best = NNC_SEARCH_BEST_MAX;
        search.micro_batch = (nnc_choice){ { 1 }, 1 };
        search.tensor = search.context = (nnc_choice){ { 1 }, 1 };
        search.pipeline = (nnc_choice){ { many ? 2 : 1 }, 1 };
        search.virtual_stages = (nnc_choice){ { 1, many ? 2 : 1 }, many ? 2 : 1 };
        search.schedule = (nnc_choice){ { NNC_SCHEDULE_1F1B, NNC_SCHEDULE_INTERLEAVED, NNC_SCHEDULE_ZB_V }, 3 };
        search.recompute = (nnc_choice){ { NNC_RECOMPUTE_NONE }, 1 };
        search.offload =
            (nnc_choice){ { NNC_OFFLOAD_NONE, NNC_OFFLOAD_OPTIMIZER, NNC_OFFLOAD_OPTIMIZER | NNC_OFFLOAD_ACTIVATIONS,
                            NNC_OFFLOAD_OPTIMIZER | NNC_OFFLOAD_ACTIVATIONS | NNC_OFFLOAD_WEIGHTS },
                          4 };
        ck_assert_int_eq(nnc_search_by_plan(model, &device, &profiles, &search, NULL, NULL, result, &err), NNC_OK);
        for (int32_t k = 0; k < result->best_count; k++) {
            const nnc_plan plan = result->best[k].plan;
            check_estimate(model, &device, &software, &result->best[k], scratch);
            seen |= 1U << plan.offload;
        }
        ck_assert_uint_eq(seen, cases[i].seen);
    }
    nnc_scratch_destroy(scratch);
}
END_TEST

/* If messages between stages do not overlap with compute, they make the step longer, over slow and over fast links. */
START_TEST(messages_count) {
    nnc_scratch *scratch = nnc_scratch_create();
    nnc_software software = nnc_software_default();
    nnc_error err;
    nnc_search search = search_of(32, 64);
    nnc_device slow = *a100;
    slow.scale_out.bytes_per_s = 1e8;
    software.overlap_pipeline = 0.25;
    search.best = NNC_SEARCH_BEST_MAX;
    search.pipeline = (nnc_choice){ { 2, 4 }, 2 };
    search.base.devices_per_node = 1;
    ck_assert_int_eq(nnc_search_run(gpt, &slow, &software, &search, NULL, NULL, result, &err), NNC_OK);
    ck_assert_int_gt(result->best_count, 10);
    for (int32_t i = 0; i < result->best_count; i++) {
        check_estimate(gpt, &slow, &software, &result->best[i], scratch);
    }
    nnc_scratch_destroy(scratch);
}
END_TEST

/* A given shard size excludes plans with ZeRO 0. The search still finds plans. */
START_TEST(shards_may_be_fixed) {
    nnc_search search = search_of(16, 32);
    search.base.shard = 4;
    run(&search, result);
    ck_assert_int_gt(result->best_count, 0);
    for (int32_t i = 0; i < result->best_count; i++) {
        ck_assert_int_eq(result->best[i].plan.shard, 4);
        ck_assert_int_gt(result->best[i].plan.zero, 0);
    }
}
END_TEST

START_TEST(pruning_never_changes_the_answer) {
    nnc_search search = search_of(16, 24);
    run(&search, result);
    search.no_prune = true;
    run(&search, other);
    check_same(result, other);
    ck_assert_uint_lt(result->evaluated, other->evaluated);
    ck_assert_uint_eq(result->legal, other->legal); /* legal plans are counted before pruning */
    ck_assert_uint_eq(result->feasible, other->feasible);
    search.objective = NNC_OBJECTIVE_MEMORY;
    run(&search, other);
    search.no_prune = false;
    run(&search, result);
    check_same(result, other);
}
END_TEST

static int64_t drawn(uint64_t *state, int64_t least, int64_t most) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return least + (int64_t)((*state >> 33) % (uint64_t)(most - least + 1));
}

/* Random spaces and memory limits. A search with pruning computes few complete estimates. A search with pruning counts
 * and finds the same plans as a search that evaluates every plan. */
START_TEST(random_spaces_prune_alike) {
    static const char *const models[] = { "gpt2", "llama3-8b", "mixtral-8x7b", "deepseek-v3", "sd1-unet" };
    static const int32_t sizes[] = { 1, 6, 8, 16, 24, 64 };
    uint64_t state = 28, fits = 0, over = 0;
    for (int i = 0; i < 60; i++) {
        const nnc_model *model;
        const nnc_software *software;
        nnc_device device = *a100;
        nnc_error err;
        const int32_t devices = sizes[drawn(&state, 0, COUNT_OF(sizes) - 1)];
        nnc_search search = search_of(devices, devices * drawn(&state, 1, 4) * drawn(&state, 1, 3) *
                                                   (drawn(&state, 0, 1) == 0 ? 1 : 8));
        device.host.mem_bytes_per_s = drawn(&state, 0, 1) == 0 ? 20e9 : (double)NAN;
        search.mem_bytes = INT64_C(1) << drawn(&state, 31, 38);
        search.objective = drawn(&state, 0, 1) == 0 ? NNC_OBJECTIVE_TIME : NNC_OBJECTIVE_MEMORY;
        search.base.optimizer = drawn(&state, 0, 1) == 0 ? NNC_OPTIMIZER_ADAMW : NNC_OPTIMIZER_SGD;
        search.base.attention = drawn(&state, 0, 3) == 0 ? NNC_ATTENTION_UNFUSED : NNC_ATTENTION_FLASH;
        search.schedule = (nnc_choice){ { NNC_SCHEDULE_1F1B, drawn(&state, 1, NNC_SCHEDULE_COUNT - 1) }, 2 };
        search.virtual_stages = (nnc_choice){ { 1, drawn(&state, 2, 4) }, 2 };
        search.recompute = (nnc_choice){ { NNC_RECOMPUTE_NONE, NNC_RECOMPUTE_FULL }, 2 };
        ck_assert_int_eq(nnc_model_load(specs, models[drawn(&state, 0, COUNT_OF(models) - 1)], &model, &err), NNC_OK);
        ck_assert_int_eq(nnc_software_load(specs, "torch-eager", &software, &err), NNC_OK);
        nnc_profiles profiles = nnc_profiles_of_one(software);
        profiles.any = true;
        ck_assert_int_eq(nnc_search_by_plan(model, &device, &profiles, &search, NULL, NULL, result, &err), NNC_OK);
        search.no_prune = true;
        ck_assert_int_eq(nnc_search_by_plan(model, &device, &profiles, &search, NULL, NULL, other, &err), NNC_OK);
        check_same(result, other);
        ck_assert_uint_eq(result->legal, other->legal);
        ck_assert_uint_eq(result->feasible, other->feasible);
        ck_assert_uint_eq(other->legal, other->evaluated);
        fits += result->feasible;
        over += result->legal - result->feasible;
    }
    ck_assert_uint_gt(fits, 1000);
    ck_assert_uint_gt(over, 1000);
}
END_TEST

START_TEST(threads_never_change_the_answer) {
    nnc_search search = search_of(32, 48);
    run(&search, result);
    search.threads = 5;
    run(&search, other);
    check_same(result, other);
    ck_assert_uint_eq(result->evaluated, other->evaluated);
    ck_assert_uint_eq(result->legal, other->legal);
    ck_assert_uint_eq(result->feasible, other->feasible);
}
END_TEST

/* Computes all legal plans with nnc_estimate. The fastest plan that fits is the best plan of the search. */
START_TEST(finds_the_fastest_of_all) {
    nnc_search search = search_of(8, 8);
    const nnc_software software = nnc_software_default();
    nnc_scratch *scratch = nnc_scratch_create();
    nnc_space space;
    nnc_result estimate;
    double fastest_s = INFINITY;
    uint64_t legal = 0, feasible = 0;
    search.no_prune = true;
    run(&search, result);
    ck_assert_int_eq(nnc_space_make(gpt, a100, &search, &space, NULL), NNC_OK);
    for (uint64_t i = 0; i < space.blocks * space.block_size; i++) {
        nnc_plan plan = search.base;
        nnc_space_block(&space, i / space.block_size, &plan);
        nnc_space_inside(&space, i % space.block_size, &plan);
        if (nnc_schedule_repeats(&plan) ||
            nnc_estimate(gpt, a100, &software, &plan, scratch, &estimate, NULL) != NNC_OK) {
            continue;
        }
        legal++;
        feasible += estimate.verdict == NNC_FITS;
        if (estimate.verdict == NNC_FITS && estimate.step_s < fastest_s) { fastest_s = estimate.step_s; }
    }
    nnc_scratch_destroy(scratch);
    ck_assert_uint_eq(result->evaluated, legal);
    ck_assert_uint_eq(result->legal, legal);
    ck_assert_uint_eq(result->feasible, feasible);
    search.no_prune = false;
    run(&search, result);
    ck_assert_uint_eq(result->legal, legal);
    ck_assert_uint_eq(result->feasible, feasible);
    ck_assert_double_eq(result->best[0].step_s, fastest_s);
}
END_TEST

START_TEST(the_front_is_one) {
    const nnc_search search = search_of(32, 64);
    run(&search, result);
    ck_assert_int_gt(result->pareto_count, 1);
    for (int32_t i = 1; i < result->pareto_count; i++) {
        ck_assert_double_gt(result->pareto[i].step_s, result->pareto[i - 1].step_s);
        ck_assert_int_lt(result->pareto[i].memory_bytes, result->pareto[i - 1].memory_bytes);
    }
    ck_assert_double_eq(result->pareto[0].step_s, result->best[0].step_s);
}
END_TEST

/* All plans that the search returns meet the deadline. All plans that the search leaves out break the deadline. */
START_TEST(limits_hold_for_the_run) {
    nnc_search search = search_of(16, 64);
    search.base.tokens = 1e9;
    search.base.price = 2.0;
    run(&search, other);
    const nnc_found *fastest = &other->best[0], *last = &other->best[other->best_count - 1];
    ck_assert_double_eq(fastest->cost_run, fastest->device_hours * 2.0);
    ck_assert_double_lt(fastest->run_s, last->run_s);
    search.deadline_s = 0.5 * (fastest->run_s + last->run_s);
    run(&search, result);
    ck_assert_int_gt(result->best_count, 0);
    ck_assert_uint_eq(result->best[0].index, fastest->index);
    for (int32_t i = 0; i < result->pareto_count; i++) {
        ck_assert_double_le(result->pareto[i].run_s, search.deadline_s);
    }
    search.deadline_s = 0.0;
    search.budget = fastest->cost_run;
    run(&search, result);
    ck_assert_uint_eq(result->best[0].index, fastest->index);
    ck_assert_double_eq(result->pareto[0].cost_run, search.budget);
}
END_TEST

/* A plan is feasible if the probability that it runs out of memory is at most the given risk. Without a risk, a plan is
 * feasible if the upper end of its memory fits, here 1.1 times the memory. A search with unlimited memory finds all
 * plans of a small space. The second search has a capacity slightly larger than the memory of the fastest plan, so this
 * plan has a risk just below 0.5. */
START_TEST(a_risk_selects_plans) {
    static const double risks[] = { 0.0, 0.02, 0.5, 0.9 };
    nnc_software software = nnc_software_default();
    nnc_error err;
    nnc_scratch *scratch = nnc_scratch_create();
    nnc_search search = search_of(8, 64);
    search.tensor = search.pipeline = search.context = (nnc_choice){ { 1 }, 1 };
    search.zero = (nnc_choice){ { 0, 1, 3 }, 3 };
    search.best = NNC_SEARCH_BEST_MAX;
    search.no_prune = true;
    search.mem_bytes = (int64_t)1 << 50;
    software.reserve.high = 1.1;
    ck_assert_int_eq(nnc_search_run(gpt, a100, &software, &search, NULL, NULL, other, &err), NNC_OK);
    ck_assert_uint_eq(other->legal, (uint64_t)other->best_count);
    search.mem_bytes = other->best[0].memory_bytes + 1000;
    for (size_t i = 0; i < sizeof risks / sizeof *risks; i++) {
        uint64_t feasible = 0, sure = 0;
        for (int32_t k = 0; k < other->best_count; k++) {
            nnc_result r;
            ck_assert_int_eq(nnc_estimate(gpt, a100, &software, &other->best[k].plan, scratch, &r, NULL), NNC_OK);
            const bool fits = r.memory.total_interval_bytes[1] <= search.mem_bytes;
            feasible += risks[i] > 0.0 ? nnc_memory_risk(&r.memory, search.mem_bytes) <= risks[i] : fits;
            sure += fits;
        }
        search.risk = risks[i];
        ck_assert_int_eq(nnc_search_run(gpt, a100, &software, &search, NULL, NULL, result, &err), NNC_OK);
        ck_assert_uint_eq(result->feasible, feasible);
        ck_assert(risks[i] < 0.5 || feasible > sure);
    }
    nnc_scratch_destroy(scratch);
}
END_TEST

/* A switch is off (0) or on (1). A search can try 0 and 1 for a switch, and refuses any other value. Five tensor ranks
 * divide the 25 heads of GPT-2 XL. */
START_TEST(switches_are_off_or_on) {
    const nnc_software software = nnc_software_default();
    nnc_search search = search_of(5, 40);
    nnc_error err;
    search.tensor = (nnc_choice){ { 5 }, 1 };
    uint64_t legal[3];
    for (int i = 0; i < 3; i++) { /* off, on, both */
        search.sequence_parallel = (nnc_choice){ { i % 2, 1 }, i < 2 ? 1 : 2 };
        run(&search, result);
        ck_assert_int_gt(result->best_count, 0);
        for (int32_t k = 0; i < 2 && k < result->best_count; k++) {
            ck_assert_int_eq(result->best[k].plan.sequence_parallel, i);
        }
        legal[i] = result->legal;
    }
    ck_assert_uint_eq(legal[2], legal[0] + legal[1]);
    for (int64_t value = -1; value <= 2; value += 3) {
        search.sequence_parallel = (nnc_choice){ { 0, value }, 2 };
        ck_assert_int_eq(nnc_search_run(gpt, a100, &software, &search, NULL, NULL, result, &err), NNC_BAD_USAGE);
        ck_assert_str_eq(err.where, "nnc_search.sequence_parallel.values[1]");
    }
}
END_TEST

START_TEST(a_missed_limit_names_the_fastest) {
    nnc_search search = search_of(16, 64);
    search.base.tokens = 1e9;
    run(&search, other);
    search.deadline_s = 1.0;
    run(&search, result);
    ck_assert_int_eq(result->best_count, 0);
    ck_assert(result->any_missed);
    ck_assert_uint_eq(result->missed.index, other->best[0].index);
    search.no_prune = true;
    search.threads = 3;
    run(&search, result);
    ck_assert_uint_eq(result->missed.index, other->best[0].index);
}
END_TEST

START_TEST(a_limit_needs_the_length_of_the_run) {
    nnc_search search = search_of(16, 64);
    const nnc_software software = nnc_software_default();
    nnc_error err;
    search.deadline_s = 1.0;
    ck_assert_int_eq(nnc_search_run(gpt, a100, &software, &search, NULL, NULL, result, &err), NNC_BAD_USAGE);
    ck_assert_str_eq(err.where, "--deadline");
}
END_TEST

START_TEST(cost_at_one_size_is_time) {
    nnc_search search = search_of(16, 64);
    run(&search, result);
    search.objective = NNC_OBJECTIVE_COST;
    run(&search, other);
    check_same(result, other);
    ck_assert_double_eq(other->best[0].device_s, 16.0 * other->best[0].step_s);
}
END_TEST

static bool stop_at_once(void *context, uint64_t covered, uint64_t space) {
    uint64_t *seen = context;
    *seen = covered;
    return covered > space;
}

/* If a search is stopped, it returns the best plans of all complete rounds. */
START_TEST(stops_at_a_whole_round) {
    const nnc_search search = search_of(64, 96);
    const nnc_software software = nnc_software_default();
    nnc_error err;
    uint64_t seen = 0;
    ck_assert_int_eq(nnc_search_run(gpt, a100, &software, &search, stop_at_once, &seen, result, &err), NNC_OK);
    ck_assert_uint_gt(result->covered, 0);
    ck_assert_uint_lt(result->covered, result->space);
    ck_assert_uint_eq(result->covered, seen);
    ck_assert_uint_eq(result->covered, result->evaluated + result->pruned);
}
END_TEST

START_TEST(an_impossible_space_says_why) {
    nnc_search search = search_of(8, 8);
    const nnc_software software = nnc_software_default();
    nnc_error err = { .status = NNC_OK };
    search.tensor = (nnc_choice){ { 8 }, 1 }; /* 25 heads are not a multiple of 8 ranks */
    ck_assert_int_eq(nnc_search_run(gpt, a100, &software, &search, NULL, NULL, result, &err), NNC_ILLEGAL_PLAN);
    ck_assert_str_eq(err.where, "--tensor");
    ck_assert_ptr_nonnull(strstr(err.what, "heads 25"));
}
END_TEST

/* The framework of this profile cannot run stages with different numbers of layers. 48 layers divide evenly over 16
 * stages, but not over 32 or 10. With embedding and head there are 50 layers, which divide evenly over 10 stages. If
 * the framework counts embedding and head as layers, a search also counts them. */
START_TEST(equal_stages_divide_the_layers) {
    static const struct {
        int32_t stages;
        bool asked, can, divides, counted;
    } cases[] = { { 16, false, true, true, false },   { 32, false, true, false, false },
                  { 16, true, true, false, false },   { 10, true, false, true, true },
                  { 10, false, false, false, false }, { 10, false, true, true, true } };
    nnc_software software = nnc_software_default();
    software.ships.uneven_stages = false;
    nnc_profiles profiles = nnc_profiles_of_one(&software);
    profiles.any = false;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        nnc_search search = search_of(cases[i].stages, 64);
        nnc_error err = { .status = NNC_OK };
        search.pipeline = (nnc_choice){ { cases[i].stages }, 1 };
        search.base.ends_as_layers = cases[i].asked;
        software.ships.ends_as_layers = cases[i].can;
        const bool found = nnc_search_by_plan(gpt, a100, &profiles, &search, NULL, NULL, result, &err) == NNC_OK &&
                           result->best_count > 0;
        ck_assert_msg(found == cases[i].divides, "%zu: %s: %s", i, err.where, err.what);
        ck_assert(!found || result->best[0].plan.ends_as_layers == cases[i].counted);
    }
}
END_TEST

/* Every block belongs to exactly one shard. Each shard has an equal number of blocks, and an equal number of blocks
 * with each choice. */
START_TEST(shards_divide_the_space) {
    nnc_search search = search_of(64, 96);
    nnc_space space;
    ck_assert_int_eq(nnc_space_make(gpt, a100, &search, &space, NULL), NNC_OK);
    const uint64_t stages = (uint64_t)space.axes[NNC_AXIS_PIPELINE].count;
    static const int32_t divisions[] = { 1, 2, 3, 4, 5, 6, 7, 8, 30, 997, 100000 };
    unsigned char *seen = calloc(space.blocks, 1);
    ck_assert_ptr_nonnull(seen);
    for (size_t d = 0; d < sizeof divisions / sizeof *divisions; d++) {
        const int32_t shards = divisions[d];
        memset(seen, 0, space.blocks);
        for (int32_t shard = 1; shard <= shards; shard++) {
            const uint64_t size = nnc_space_shard_size(&space, shard, shards);
            uint64_t whole_models = 0; /* blocks without a pipeline */
            ck_assert_uint_ge(size, space.blocks / (uint64_t)shards);
            ck_assert_uint_le(size, space.blocks / (uint64_t)shards + 1);
            for (uint64_t i = 0; i < size; i++) {
                const uint64_t block = nnc_space_shard_block(i, shard, shards);
                ck_assert_uint_lt(block, space.blocks);
                ck_assert_int_eq(seen[block]++, 0);
                whole_models += block % stages == 0;
            }
            if (shards <= 8) {
                const double share = (double)whole_models * (double)stages / (double)size;
                ck_assert_double_gt(share, 0.8);
                ck_assert_double_lt(share, 1.2);
            }
        }
        ck_assert_ptr_null(memchr(seen, 0, space.blocks));
    }
    free(seen);
}
END_TEST

/* All shards together return the plans of the whole search. Without pruning, all shards together also evaluate the same
 * plans as the whole search. */
static void check_shards(const nnc_search *whole, int32_t shards) {
    nnc_front *front = calloc(1, sizeof *front), *part = calloc(1, sizeof *part);
    nnc_search_result sum = { .space = 0 };
    ck_assert_ptr_nonnull(front);
    ck_assert_ptr_nonnull(part);
    for (int32_t i = 1; i <= shards; i++) {
        nnc_search search = *whole;
        search.shard = i;
        search.shards = shards;
        run(&search, result);
        ck_assert_uint_eq(result->covered, result->space);
        sum.space += result->space;
        sum.evaluated += result->evaluated;
        sum.legal += result->legal;
        sum.feasible += result->feasible;
        nnc_front_clear(part);
        memcpy(part->best, result->best, sizeof part->best);
        memcpy(part->pareto, result->pareto, sizeof part->pareto);
        part->best_count = result->best_count;
        part->pareto_count = result->pareto_count;
        part->any_missed = result->any_missed;
        part->missed = result->missed;
        nnc_front_merge(front, search.objective, search.best, part);
    }
    run(whole, other);
    nnc_front_result(front, result);
    check_same(result, other);
    ck_assert_int_eq(result->any_missed, other->any_missed);
    if (other->any_missed) { ck_assert_uint_eq(result->missed.index, other->missed.index); }
    ck_assert_uint_eq(sum.space, other->space);
    ck_assert_uint_eq(sum.legal, other->legal);
    ck_assert_uint_eq(sum.feasible, other->feasible);
    if (whole->no_prune) { ck_assert_uint_eq(sum.evaluated, other->evaluated); }
    free(front);
    free(part);
}

START_TEST(shards_hold_the_answer) {
    nnc_search search = search_of(32, 48);
    check_shards(&search, 2);
    check_shards(&search, 3);
    check_shards(&search, 7);
    search.threads = 2;
    search.objective = NNC_OBJECTIVE_MEMORY;
    check_shards(&search, 5);
    search.no_prune = true;
    check_shards(&search, 3);
    search.base.tokens = 1e9;
    search.deadline_s = 1.0;
    check_shards(&search, 4);
    search.no_prune = false;
    check_shards(&search, 4);
}
END_TEST

/* ---- fronts and batches by hand ---- */

/* A front with one plan of 2 s and 100 B beats each plan that is slower and needs at least 100 B. It beats no other
 * plan. */
START_TEST(a_front_beats_what_is_worse) {
    static nnc_front front;
    const nnc_found found = { .index = 7, .step_s = 2.0, .memory_bytes = 100 };
    nnc_front_clear(&front);
    ck_assert(!nnc_front_beats(&front, NNC_OBJECTIVE_TIME, 1, 3.0, 200));
    nnc_front_add(&front, NNC_OBJECTIVE_TIME, 1, &found);
    ck_assert(nnc_front_beats(&front, NNC_OBJECTIVE_TIME, 1, 3.0, 101));
    ck_assert(nnc_front_beats(&front, NNC_OBJECTIVE_TIME, 1, 3.0, 100));
    ck_assert(!nnc_front_beats(&front, NNC_OBJECTIVE_TIME, 1, 3.0, 99));
    /* a plan with the same values may come first by its index */
    ck_assert(!nnc_front_beats(&front, NNC_OBJECTIVE_TIME, 1, 2.0, 100));
    ck_assert(!nnc_front_beats(&front, NNC_OBJECTIVE_TIME, 1, 1.0, 200));
    /* the front still has space for a second plan */
    ck_assert(!nnc_front_beats(&front, NNC_OBJECTIVE_TIME, 2, 3.0, 200));
}
END_TEST

enum { BATCH_SHAPES = 1100, BATCH_TRACKS = 11, BATCH_PLANS = 9, BATCH_STAGES = 4 };
enum { BATCH_ALL = BATCH_SHAPES * BATCH_TRACKS * BATCH_PLANS };
static double batch_expected[BATCH_ALL];
static int32_t batch_answers[BATCH_ALL];

static void answer(void *context, const nnc_waiting *plan, double step_s) {
    int32_t *count = context;
    ck_assert_double_eq(step_s, batch_expected[plan->index]);
    batch_answers[plan->index]++;
    ++*count;
}

/* The test has more shapes of pipelines than a batch has sets, more pipelines than a batch has lanes, and more plans
 * than a batch has slots. Each plan is answered once. The time of a plan is the time that its pipeline takes alone,
 * until its last stage ends. A pipeline that was replayed is no longer in the batch. */
START_TEST(batches_are_replays) {
    nnc_pipeline_memory *memory = calloc(1, sizeof *memory);
    nnc_pipeline_result *alone = calloc(1, sizeof *alone);
    int32_t count = 0;
    nnc_batched_replay *replay = nnc_batched_replay_create(answer, &count);
    ck_assert(memory != NULL && alone != NULL && replay != NULL);
    nnc_replay_place first = { 0 }, last = { 0 };
    uint64_t index = 0;
    for (int track = 0; track < BATCH_TRACKS; track++) {
        for (int shape = 0; shape < BATCH_SHAPES; shape++) {
            double times_s[3][BATCH_STAGES];
            for (int s = 0; s < 3 * BATCH_STAGES; s++) {
                times_s[s / BATCH_STAGES][s % BATCH_STAGES] = 1.0 + 0.125 * (double)((s * 7 + track * 5 + shape) % 11);
            }
            const nnc_pipeline pipeline = { .schedule = NNC_SCHEDULE_1F1B,
                                            .stages = 2 + shape % (BATCH_STAGES - 1),
                                            .chunks = 1,
                                            .micro_batches = 2 + shape,
                                            .forward_s = times_s[0],
                                            .backward_s = times_s[1],
                                            .weight_s = times_s[2],
                                            .send_s = 0.25 * (double)(track % 3) };
            ck_assert(nnc_pipeline_run(&pipeline, memory, alone));
            const nnc_replay_place place = nnc_batched_replay_add(replay, &pipeline, memory);
            first = index == 0 ? place : first;
            last = place;
            for (int p = 0; p < BATCH_PLANS && nnc_batched_replay_has(replay, &place); p++) {
                nnc_waiting waiting = { .index = index, .end_count = 2 };
                waiting.ends[0] = (nnc_stage_end){ pipeline.stages - 1, 0.5 * p };
                waiting.ends[1] = (nnc_stage_end){ 1, 3.0 - p };
                batch_expected[index] = alone->span_s[pipeline.stages - 1] + 3.0 - p;
                for (int d = 0; d < pipeline.stages - 1; d++) {
                    batch_expected[index] = fmax(batch_expected[index], alone->span_s[d] + 0.5 * p);
                }
                nnc_batched_replay_wait(replay, &place, &waiting);
                index++;
            }
        }
    }
    ck_assert_uint_gt(index, BATCH_SHAPES * BATCH_TRACKS);
    ck_assert(!nnc_batched_replay_has(replay, &first));
    ck_assert(nnc_batched_replay_has(replay, &last));
    nnc_batched_replay_finish(replay, memory);
    ck_assert(!nnc_batched_replay_has(replay, &last));
    ck_assert_uint_eq((uint64_t)count, index);
    for (uint64_t i = 0; i < index; i++) { ck_assert_int_eq(batch_answers[i], 1); }
    nnc_batched_replay_destroy(replay);
    free(alone);
    free(memory);
}
END_TEST

/* waited_s and waited_plans have an entry for each plan that waited until its batch of pipelines was replayed: its step
 * time, and the plan */
enum { WAITED_MAX = 2000 };
static double waited_s[WAITED_MAX];
static nnc_plan waited_plans[WAITED_MAX];

static void note_waited(void *context, const nnc_waiting *plan, double step_s) {
    (void)context;
    waited_s[plan->index] = step_s;
}

/* Lets all plans of the current group wait. Returns the number of plans that wait so far. */
static uint64_t wait_group(nnc_plan_groups *groups, uint64_t size, uint64_t count) {
    for (uint64_t i = 0; i < size; i++) {
        nnc_result costs;
        nnc_waiting waiting = { .index = count };
        nnc_pass_costs *pass = nnc_plan_groups_plan(groups, i, &costs);
        if (pass == NULL) { continue; }
        ck_assert(nnc_plan_groups_times(groups, pass, &costs.plan));
        ck_assert_uint_lt(count, WAITED_MAX);
        waited_plans[count] = costs.plan;
        if (nnc_plan_groups_wait(groups, pass, i, &costs, &waiting)) { count++; }
    }
    return count;
}

/* Plans of a block share their step ends if their schedules put the same layers on each stage. The step ends of zb-v
 * and dualpipe differ, because they put the first and the last layers on one device. The step ends of zb-h1 differ,
 * because zb-h1 overlaps less communication than 1f1b. Each plan that waited for a batch has the step time of its
 * estimate. */
START_TEST(waited_plans_equal_estimates) {
    nnc_software software = nnc_software_default();
    const nnc_model *model;
    nnc_search search = search_of(32, 64);
    nnc_scratch *scratch = nnc_scratch_create();
    nnc_space space;
    uint64_t count = 0, schedules = 0;
    software.overlap_tensor = 0.5;
    nnc_profiles profiles = nnc_profiles_of_one(&software);
    profiles.any = true;
    ck_assert_int_eq(nnc_model_load(specs, "llama3-8b", &model, NULL), NNC_OK);
    search.tensor = (nnc_choice){ { 2 }, 1 };
    search.context = search.micro_batch = (nnc_choice){ { 1 }, 1 };
    search.pipeline = (nnc_choice){ { 2, 4 }, 2 };
    search.virtual_stages = (nnc_choice){ { 1, 2, 3 }, 3 };
    search.zero = (nnc_choice){ { 0, 1, 2, 3 }, 4 };
    search.schedule = (nnc_choice){
        { NNC_SCHEDULE_1F1B, NNC_SCHEDULE_INTERLEAVED, NNC_SCHEDULE_ZB_H1, NNC_SCHEDULE_ZB_V, NNC_SCHEDULE_DUALPIPE }, 5
    };
    ck_assert_int_eq(nnc_space_make(model, a100, &search, &space, NULL), NNC_OK);
    nnc_plan_groups *groups =
        nnc_plan_groups_create(model, a100, &profiles, &space, INT64_MAX, false, note_waited, NULL);
    const uint64_t size = nnc_space_group_size(&space);
    for (uint64_t block = 0; block < space.blocks; block++) {
        if (!nnc_plan_groups_block(groups, &search.base, block, NULL)) { continue; }
        for (uint64_t group = 0; group < space.block_size / size; group++) {
            if (nnc_plan_groups_group(groups, group)) { count = wait_group(groups, size, count); }
        }
    }
    nnc_plan_groups_finish(groups);
    for (uint64_t i = 0; i < count; i++) {
        nnc_result estimate;
        ck_assert_int_eq(nnc_estimate(model, a100, &software, &waited_plans[i], scratch, &estimate, NULL), NNC_OK);
        ck_assert_double_eq_tol(waited_s[i], estimate.step_s, 1e-12 * estimate.step_s);
        schedules |= 1U << waited_plans[i].schedule;
    }
    ck_assert_int_eq(__builtin_popcountll(schedules), 5);
    nnc_plan_groups_destroy(groups);
    nnc_scratch_destroy(scratch);
}
END_TEST

/* In dualpipe the first forward of a stage overlaps with no backward. For dualpipe, a search must not use the times of
 * experts that it computed for another schedule with separate weight gradients. */
START_TEST(experts_of_dualpipe_equal_estimates) {
    nnc_software software = nnc_software_default();
    const nnc_model *model;
    nnc_search search = search_of(32, 64);
    nnc_scratch *scratch = nnc_scratch_create();
    int32_t dual = 0;
    software.overlap_expert = 0.9;
    ck_assert_int_eq(nnc_model_load(specs, "mixtral-8x7b", &model, NULL), NNC_OK);
    search.expert = (nnc_choice){ { 8 }, 1 };
    search.tensor = search.context = search.micro_batch = search.zero = (nnc_choice){ { 1 }, 1 };
    search.pipeline = (nnc_choice){ { 2, 4 }, 2 };
    search.schedule = (nnc_choice){ { NNC_SCHEDULE_ZB_H1, NNC_SCHEDULE_DUALPIPE }, 2 };
    search.mem_bytes = (int64_t)1 << 40;
    search.no_prune = true;
    ck_assert_int_eq(nnc_search_run(model, a100, &software, &search, NULL, NULL, result, NULL), NNC_OK);
    for (int32_t i = 0; i < result->best_count; i++) {
        check_estimate(model, a100, &software, &result->best[i], scratch);
        dual += result->best[i].plan.schedule == NNC_SCHEDULE_DUALPIPE;
    }
    ck_assert(dual > 0 && dual < result->best_count);
    nnc_scratch_destroy(scratch);
}
END_TEST

START_TEST(a_shard_may_be_empty) {
    nnc_search search = search_of(8, 8);
    const nnc_software software = nnc_software_default();
    nnc_error err = { .status = NNC_OK };
    search.shard = search.shards = 1000000;
    ck_assert_int_eq(nnc_search_run(gpt, a100, &software, &search, NULL, NULL, result, &err), NNC_ILLEGAL_PLAN);
    ck_assert_str_eq(err.where, "--shard");
    ck_assert_uint_eq(result->space, 0);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        equals_estimate_to_the_last_digit,
        runs_are_those_of_a_run,
        equals_estimate_whatever_is_searched,
        every_offload_equals_its_estimate,
        messages_count,
        shards_may_be_fixed,
        pruning_never_changes_the_answer,
        random_spaces_prune_alike,
        threads_never_change_the_answer,
        finds_the_fastest_of_all,
        the_front_is_one,
        limits_hold_for_the_run,
        a_missed_limit_names_the_fastest,
        a_risk_selects_plans,
        switches_are_off_or_on,
        a_limit_needs_the_length_of_the_run,
        cost_at_one_size_is_time,
        stops_at_a_whole_round,
        an_impossible_space_says_why,
        equal_stages_divide_the_layers,
        shards_divide_the_space,
        shards_hold_the_answer,
        a_front_beats_what_is_worse,
        batches_are_replays,
        waited_plans_equal_estimates,
        a_shard_may_be_empty,
        experts_of_dualpipe_equal_estimates,
    };
    return run_tests_with("search", setup, teardown, tests, COUNT_OF(tests));
}
