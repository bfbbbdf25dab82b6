/* Tests the software profile that a plan gets by default, and the plan settings of this profile's framework. */
#include <stdlib.h>
#include <string.h>

#include <nncost/nncost.h>

#include "input/input_internal.h"
#include "suite.h"

static nnc_specs *specs;
static nnc_profiles profiles;
static const nnc_device *h100, *tpu;
static const nnc_model *llama, *unet;

static void setup(void) {
    nnc_error err;
    specs = nnc_specs_open(NNCOST_SOURCE_DIR);
    ck_assert_int_eq(nnc_profiles_load(specs, NULL, &profiles, &err), NNC_OK);
    ck_assert_int_eq(nnc_device_load(specs, "h100", &h100, &err), NNC_OK);
    ck_assert_int_eq(nnc_device_load(specs, "tpu-v5e", &tpu, &err), NNC_OK);
    ck_assert_int_eq(nnc_model_load(specs, "llama3-8b", &llama, &err), NNC_OK);
    ck_assert_int_eq(nnc_model_load(specs, "sd1-unet", &unet, &err), NNC_OK);
}

static void teardown(void) { nnc_specs_close(specs); }

static const char *chosen(const nnc_device *device, const nnc_plan *plan) {
    return nnc_profile_of(&profiles, llama, device, plan)->id;
}

START_TEST(follows_what_the_plan_does) {
    nnc_plan plan = nnc_plan_default();
    ck_assert_str_eq(chosen(h100, &plan), "torch-compile");
    plan.devices = plan.data = 8; /* 8 data ranks: first without ZeRO, then with ZeRO 2 */
    ck_assert_str_eq(chosen(h100, &plan), "torch-compile");
    plan.zero = 2;
    ck_assert_str_eq(chosen(h100, &plan), "megatron");
    ck_assert_str_eq(nnc_profile_of(&profiles, unet, h100, &plan)->id, "torch-compile");
    plan.zero = 3;
    ck_assert_str_eq(chosen(h100, &plan), "fsdp");
    int32_t *const degrees[] = { &plan.tensor, &plan.pipeline, &plan.context, &plan.expert };
    for (size_t i = 0; i < COUNT_OF(degrees); i++) {
        *degrees[i] = 2;
        plan.zero = 3;
        ck_assert_str_eq(chosen(h100, &plan), "fsdp");
        plan.zero = 1;
        ck_assert_str_eq(chosen(h100, &plan), "megatron");
        *degrees[i] = 1;
    }
}
END_TEST

/* For a scenario, nncost loads only the profiles that its plans may need. Every profile that nncost chooses for a plan
 * is among the loaded profiles. */
START_TEST(no_chosen_profile_is_left_out) {
    const nnc_device *v100 = NULL, *a100 = NULL;
    nnc_error err;
    ck_assert_int_eq(nnc_device_load(specs, "v100", &v100, &err), NNC_OK);
    ck_assert_int_eq(nnc_device_load(specs, "a100", &a100, &err), NNC_OK);
    const nnc_device *const devices[] = { h100, a100, v100, tpu };
    for (size_t i = 0; i < 4U * 2 * 4 * 3 * 2 * 2; i++) {
        nnc_plan plan = nnc_plan_default();
        const nnc_device *device = devices[i % 4];
        nnc_model model = i / 4 % 2 == 0 ? *llama : *unet;
        plan.zero = (int32_t)(i / 8 % 4);
        plan.precision = (nnc_dtype[]){ NNC_DTYPE_COUNT, NNC_FP16, NNC_BF16 }[i / 32 % 3];
        plan.tensor = (int32_t)(1 + i / 96 % 2);
        model.implementation = i / 192 % 2 == 0 ? NNC_IMPLEMENTATION_NONE : NNC_IMPLEMENTATION_TRANSFORMERS;
        plan.precision = plan.precision == NNC_DTYPE_COUNT ? nnc_plan_default().precision : plan.precision;
        ck_assert(nnc_profile_kind_may(&model, device, nnc_profile_kind_of(&model, device, &plan)));
    }
    ck_assert(!nnc_profile_kind_may(llama, h100, NNC_PROFILE_TPU));
    ck_assert(!nnc_profile_kind_may(llama, h100, NNC_PROFILE_EARLY));
    ck_assert(!nnc_profile_kind_may(llama, tpu, NNC_PROFILE_SHARDED));
}
END_TEST

/* A plan for a TPU never gets a profile of PyTorch. */
START_TEST(is_one_that_exists_for_the_device) {
    nnc_plan plan = nnc_plan_default();
    for (plan.zero = 0; plan.zero <= 3; plan.zero++) {
        for (plan.tensor = 1; plan.tensor <= 2; plan.tensor++) {
            ck_assert_str_eq(chosen(tpu, &plan), "maxtext");
            ck_assert_str_ne(chosen(h100, &plan), "maxtext");
        }
    }
}
END_TEST

/* On GPUs before Hopper, profiles describe older software. Transformers in fp16 run without fused attention. ZeRO 3 in
 * bf16 has the fused attention of 2022. In fp16, TF32 and fp32, the norm of a feature map and the activation and sum
 * after it are separate kernels. */
START_TEST(is_one_of_the_years_of_the_device) {
    const nnc_device *a100 = NULL;
    nnc_error err;
    nnc_scratch *scratch = nnc_scratch_create();
    nnc_plan plan = nnc_plan_default();
    nnc_result result;
    ck_assert_int_eq(nnc_device_load(specs, "a100", &a100, &err), NNC_OK);
    ck_assert_str_eq(chosen(a100, &plan), "torch-compile");
    plan.zero = 3;
    ck_assert_str_eq(chosen(a100, &plan), "fsdp-1");
    ck_assert_str_eq(chosen(h100, &plan), "fsdp");
    plan.precision = NNC_FP16;
    ck_assert_str_eq(chosen(h100, &plan), "fsdp");
    ck_assert_str_eq(chosen(a100, &plan), "torch-1");
    const nnc_software *early = nnc_profile_of(&profiles, llama, a100, &plan);
    ck_assert_int_eq(nnc_estimate(llama, a100, early, &plan, scratch, &result, &err), NNC_OK);
    ck_assert_int_eq(result.plan.attention, NNC_ATTENTION_UNFUSED);
    plan.attention = NNC_ATTENTION_FLASH1;
    ck_assert_int_eq(nnc_estimate(llama, a100, early, &plan, scratch, &result, &err), NNC_OK);
    ck_assert_int_eq(result.plan.attention, NNC_ATTENTION_FLASH1);
    plan = nnc_plan_default();
    ck_assert(nnc_profile_of(&profiles, unet, a100, &plan)->fused_maps);
    for (size_t i = 0; i < 3; i++) {
        plan.precision = (const nnc_dtype[]){ NNC_FP16, NNC_TF32, NNC_FP32 }[i];
        ck_assert_str_eq(nnc_profile_of(&profiles, unet, a100, &plan)->id, "torch-1-maps");
        ck_assert_str_eq(nnc_profile_of(&profiles, unet, h100, &plan)->id, "torch-compile");
    }
    ck_assert(!nnc_profile_of(&profiles, unet, a100, &plan)->fused_maps);
    plan.zero = 3;
    ck_assert_str_eq(nnc_profile_of(&profiles, unet, a100, &plan)->id, "fsdp");
    nnc_scratch_destroy(scratch);
}
END_TEST

static nnc_release found(const char *words, const char *framework, const char *version) {
    nnc_release release;
    nnc_error err;
    const nnc_release_ask ask = { .words = words,
                                  .framework = framework,
                                  .version = version,
                                  .device = "h100-sxm5-80gb",
                                  .model = "llama3-8b",
                                  .family = "decoder" };
    ck_assert_int_eq(nnc_release_find(specs, &ask, &release, &err), NNC_OK);
    return release;
}

static const char *id_of(const char *words) {
    const nnc_release release = found(words, "", "");
    return release.entry != NULL ? release.software->id : "none";
}

/* With a version, nncost takes the newest release that is not newer than this version. Without a version, nncost takes
 * the newest release. */
START_TEST(releases_are_found_by_their_words) {
    ck_assert_str_eq(id_of("NeMo 25.11"), "nemo-25.09");
    ck_assert_str_eq(id_of("nemo-26.04.01"), "nemo-26.02");
    ck_assert_str_eq(id_of("Megatron-Bridge v26.02"), "nemo-26.02");
    ck_assert_str_eq(id_of("NeMo"), "nemo-26.06");
    ck_assert_str_eq(id_of("NeMo 23.01"), "none");
    ck_assert_str_eq(id_of("MLPerf 3.1"), "mlperf-3.1");
    ck_assert_str_eq(id_of("NeMo AutoModel"), "nemo-automodel");
    ck_assert_str_eq(id_of("nobody's"), "none");
    const nnc_release row = found(NULL, "llm-foundry/Composer FSDP", "");
    ck_assert_str_eq(row.software->id, "llm-foundry-0.3");
}
END_TEST

static bool gives_zero(const void *in, const char *field) { return in != NULL && strcmp(field, "zero") == 0; }

static bool gives_padding(const void *in, const char *field) {
    return in != NULL && strcmp(field, "vocab_multiple") == 0;
}

/* NeMo 24.03 with 32 layers on 4 tensor ranks and 4 stages. A device has 8 virtual stages, because 64 micro-batches are
 * a multiple of 4 stages. The rows of the embedding table are padded to a multiple of 128 x 4. With a plan in bf16,
 * gradients are in fp32; with a plan in fp16, gradients are not in fp32. */
START_TEST(releases_fill_in_what_is_open) {
    const nnc_framework *nemo = found("NeMo 24.07", "", "").entry;
    const nnc_given nothing = { gives_zero, NULL }, zero = { gives_zero, "" };
    nnc_model model = *llama;
    nnc_plan plan = nnc_plan_default();
    plan.devices = 64;
    plan.tensor = plan.pipeline = 4;
    plan.global_batch = 256;
    nnc_release_fill(nemo, &nothing, &model, &plan);
    ck_assert_int_eq(plan.zero, 1);
    ck_assert(plan.sequence_parallel);
    ck_assert_int_eq(plan.virtual_stages, 8);
    ck_assert_int_eq(plan.policy, NNC_POLICY_MIXED_FP32GRAD);
    ck_assert_int_eq(model.decoder.vocab_multiple, 512);
    nnc_plan own = nnc_plan_default();
    own.precision = NNC_FP16;
    nnc_release_fill(nemo, &zero, &model, &own);
    ck_assert_int_eq(own.zero, 0);
    ck_assert(!own.sequence_parallel);
    ck_assert_int_eq(own.policy, NNC_POLICY_MIXED);
    /* The user sets the padding of the table to 1, so the release does not pad it. */
    const nnc_given padding = { gives_padding, "" };
    model.decoder.vocab_multiple = 1;
    nnc_release_fill(nemo, &padding, &model, &plan);
    ck_assert_int_eq(model.decoder.vocab_multiple, 1);
}
END_TEST

/* For Qwen3, the recipe of release 25.09 sends every copy of a token. A recipe for a model other than Qwen3 does not
 * change how the profile sends tokens. */
START_TEST(recipes_set_switches) {
    const nnc_release release = found("NeMo 25.09", "", "");
    const char *const models[] = { "qwen3-30b-a3b", "llama3-8b" };
    const nnc_dispatcher wanted[] = { NNC_DISPATCHER_ALL_TO_ALL, NNC_DISPATCHER_PROFILE };
    for (size_t i = 0; i < 2; i++) {
        const nnc_release_ask ask = { .device = "h100-sxm5-80gb", .model = models[i] };
        nnc_software software = *release.software;
        const nnc_plan plan = nnc_plan_default();
        ck_assert_int_eq(nnc_release_switch(&release, &ask, &plan, &software, NULL), NNC_OK);
        ck_assert_int_eq(software.dispatcher, wanted[i]);
    }
}
END_TEST

/* peft before 0.12 gives adapters the format of the weight of their layer, if it is a floating-point format: adapters of
 * weights in nf4 stay in fp32. With peft before 0.12, the optimizer update runs over lists of tensors. */
START_TEST(adapters_of_early_peft) {
    const struct {
        const char *words;
        nnc_frozen frozen;
        bool narrow;
    } rows[] = { { "peft 0.7", NNC_FROZEN_16, true },
                 { "peft 0.11.1", NNC_FROZEN_16, true },
                 { "peft 0.7", NNC_FROZEN_NF4, false },
                 { "peft 0.12", NNC_FROZEN_16, false },
                 { "peft", NNC_FROZEN_16, false } };
    const nnc_given nothing = { gives_zero, NULL };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const nnc_release release = found(rows[i].words, "", "");
        const nnc_release_ask ask = { .device = "a100-sxm4-80gb", .model = "llama2-7b" };
        nnc_software software = *release.software;
        nnc_plan plan = nnc_plan_default();
        nnc_model model = { .family = NNC_FAMILY_DECODER };
        plan.frozen = rows[i].frozen;
        ck_assert_int_eq(nnc_release_switch(&release, &ask, &plan, &software, NULL), NNC_OK);
        ck_assert_int_eq(software.narrow_adapters, rows[i].narrow);
        nnc_release_fill(release.entry, &nothing, &model, &plan);
        const bool early = strcmp(software.id, "peft-0.11") == 0;
        ck_assert_int_eq(plan.optimizer_kernels, early ? NNC_KERNELS_FOREACH : NNC_KERNELS_DEFAULT);
    }
}
END_TEST

START_TEST(names_what_a_framework_lacks) {
    const char *lacks = NULL;
    nnc_plan plan = nnc_plan_default();
    plan.pipeline = 4;
    plan.schedule = NNC_SCHEDULE_ZB_H1;
    ck_assert(!nnc_software_ships(profiles.of[NNC_PROFILE_SPLIT], &plan, &lacks));
    ck_assert_str_eq(lacks, "--schedule");
    plan.schedule = NNC_SCHEDULE_INTERLEAVED;
    plan.recompute = NNC_RECOMPUTE_ATTENTION | NNC_RECOMPUTE_NORM;
    ck_assert(nnc_software_ships(profiles.of[NNC_PROFILE_SPLIT], &plan, &lacks));
    plan.recompute |= NNC_RECOMPUTE_ACTIVATION;
    ck_assert(!nnc_software_ships(profiles.of[NNC_PROFILE_SPLIT], &plan, &lacks));
    ck_assert_str_eq(lacks, "--recompute");
    plan.recompute = NNC_RECOMPUTE_NONE;
    /* validate_args of Megatron-LM: the distributed optimizer is ZeRO 1; FSDP allows no pipeline stages */
    plan.zero = 1;
    ck_assert(nnc_software_ships(profiles.of[NNC_PROFILE_SPLIT], &plan, NULL));
    plan.zero = 2;
    ck_assert(!nnc_software_ships(profiles.of[NNC_PROFILE_SPLIT], &plan, &lacks));
    ck_assert_str_eq(lacks, "--zero");
    plan.pipeline = 1;
    ck_assert(nnc_software_ships(profiles.of[NNC_PROFILE_SPLIT], &plan, NULL));
    plan.tensor = 2; /* MaxText always divides norms over the tensor ranks */
    plan.zero = 3;
    ck_assert(!nnc_software_ships(profiles.of[NNC_PROFILE_TPU], &plan, &lacks));
    ck_assert_str_eq(lacks, "--sequence-parallel");
    plan.sequence_parallel = true;
    ck_assert(nnc_software_ships(profiles.of[NNC_PROFILE_TPU], &plan, NULL));
    const nnc_software neutral = nnc_software_default(); /* a profile that lists no features has all features */
    ck_assert(nnc_software_ships(&neutral, &plan, NULL));
}
END_TEST

/* Every plan that a search finds has the profile that nncost selects for this plan. A plan of the search has the same
 * metrics as an estimate with the profile that nncost selects for the plan. No plan of the search needs a feature that
 * the framework lacks. */
START_TEST(a_search_compares_plans_under_their_own) {
    nnc_search search = nnc_search_default();
    search.best = 40;
    nnc_search_result *result = calloc(1, sizeof *result);
    nnc_scratch *scratch = nnc_scratch_create();
    bool any_sharded = false, any_split = false;
    nnc_error err;
    search.base.devices = 16;
    search.base.global_batch = 32;
    search.objective = NNC_OBJECTIVE_MEMORY;
    ck_assert_int_eq(nnc_search_by_plan(llama, h100, &profiles, &search, NULL, NULL, result, &err), NNC_OK);
    for (int32_t i = 0; i < result->best_count + result->pareto_count; i++) {
        const nnc_found *found = i < result->best_count ? &result->best[i] : &result->pareto[i - result->best_count];
        const nnc_software *software = nnc_profile_of(&profiles, llama, h100, &found->plan);
        nnc_result estimate;
        ck_assert_str_eq(found->software, software->id);
        ck_assert(nnc_software_ships(software, &found->plan, NULL));
        ck_assert_int_eq(nnc_estimate(llama, h100, software, &found->plan, scratch, &estimate, &err), NNC_OK);
        ck_assert_double_eq(found->step_s, estimate.step_s);
        ck_assert_int_eq(found->memory_bytes, estimate.memory.total_bytes);
        any_sharded = any_sharded || software == profiles.of[NNC_PROFILE_SHARDED];
        any_split = any_split || software == profiles.of[NNC_PROFILE_SPLIT];
    }
    ck_assert(any_sharded && any_split);
    nnc_scratch_destroy(scratch);
    free(result);
}
END_TEST

/* A search refuses a schedule that the profile lacks. With --software any, a search uses schedules that the profile
 * lacks. */
START_TEST(any_lifts_what_is_shipped) {
    nnc_search search = nnc_search_default();
    search.best = 1;
    nnc_search_result *result = calloc(1, sizeof *result);
    nnc_error err;
    search.base.devices = 8;
    search.base.global_batch = 16;
    search.pipeline = (nnc_choice){ { 4 }, 1 };
    search.zero = (nnc_choice){ { 1 }, 1 };
    search.schedule = (nnc_choice){ { NNC_SCHEDULE_ZB_H1 }, 1 };
    ck_assert_int_eq(nnc_search_by_plan(llama, h100, &profiles, &search, NULL, NULL, result, &err), NNC_ILLEGAL_PLAN);
    ck_assert_str_eq(err.where, "--schedule");
    profiles.any = true;
    ck_assert_int_eq(nnc_search_by_plan(llama, h100, &profiles, &search, NULL, NULL, result, &err), NNC_OK);
    ck_assert_int_eq(result->best_count, 1);
    ck_assert_str_eq(result->best[0].software, "megatron");
    free(result);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        follows_what_the_plan_does,
        no_chosen_profile_is_left_out,
        is_one_that_exists_for_the_device,
        is_one_of_the_years_of_the_device,
        names_what_a_framework_lacks,
        a_search_compares_plans_under_their_own,
        any_lifts_what_is_shipped,
        releases_are_found_by_their_words,
        releases_fill_in_what_is_open,
        recipes_set_switches,
        adapters_of_early_peft,
    };
    return run_tests_with("profiles", setup, teardown, tests, COUNT_OF(tests));
}
