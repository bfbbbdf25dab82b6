/* Tests that nncost fills in fields of a plan that the user left open, and refuses impossible plans with the name of
 * the option. */
#include <stddef.h>

#include "estimate/estimate_internal.h"
#include "support.h"

static nnc_model decoder(void) { return gpt(2, 64, 4, 100, 32); }

static void check_refused(const nnc_model *model, const nnc_device *device, const nnc_plan *plan, nnc_status status,
                          const char *where) {
    nnc_error err = { 0 };
    nnc_plan resolved;
    nnc_result result;
    const nnc_software software = nnc_software_default();
    ck_assert_int_eq(nnc_plan_resolve(plan, model, device, &resolved, &err), status);
    ck_assert_int_eq(err.status, status);
    ck_assert_str_eq(err.where, where);
    ck_assert_str_ne(err.what, "");
    /* nnc_estimate returns the same status, also if the caller passes no nnc_error */
    ck_assert_int_eq(nnc_estimate(model, device, &software, plan, scratch, &result, NULL), status);
    int32_t rows = -1;
    ck_assert_ptr_null(nnc_scratch_ops(scratch, &rows));
    ck_assert_int_eq(rows, 0);
}

static nnc_plan resolved_of(const nnc_model *model, const nnc_plan *plan) {
    nnc_error err = { 0 };
    nnc_plan resolved;
    const nnc_device device = plain_device();
    ck_assert_msg(nnc_plan_resolve(plan, model, &device, &resolved, &err) == NNC_OK, "%s: %s", err.where, err.what);
    return resolved;
}

/* Missing batch sizes follow from micro_batch x micro_batches x data = global_batch; 0 = not given. */
START_TEST(batches) {
    static const struct {
        int32_t data;
        int64_t given[3], expected[3];
    } cases[] = {
        { 1, { 0, 0, 0 }, { 1, 1, 1 } },    { 1, { 4, 0, 0 }, { 4, 1, 4 } },   { 1, { 0, 4, 0 }, { 1, 4, 4 } },
        { 1, { 0, 0, 12 }, { 1, 12, 12 } }, { 1, { 3, 0, 12 }, { 3, 4, 12 } }, { 1, { 0, 3, 12 }, { 4, 3, 12 } },
        { 1, { 3, 4, 0 }, { 3, 4, 12 } },   { 1, { 3, 4, 12 }, { 3, 4, 12 } }, { 2, { 0, 0, 0 }, { 1, 1, 2 } },
        { 2, { 3, 0, 12 }, { 3, 2, 12 } },  { 2, { 0, 3, 12 }, { 2, 3, 12 } }, { 8, { 16, 4, 0 }, { 16, 4, 512 } },
    };
    const nnc_model model = decoder();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nnc_plan plan = nnc_plan_default();
        plan.devices = plan.data = cases[i].data;
        plan.micro_batch = cases[i].given[0];
        plan.micro_batches = cases[i].given[1];
        plan.global_batch = cases[i].given[2];
        const nnc_plan resolved = resolved_of(&model, &plan);
        ck_assert_int_eq(resolved.micro_batch, cases[i].expected[0]);
        ck_assert_int_eq(resolved.micro_batches, cases[i].expected[1]);
        ck_assert_int_eq(resolved.global_batch, cases[i].expected[2]);
        /* resolving a resolved plan changes nothing */
        const nnc_plan again = resolved_of(&model, &resolved);
        ck_assert_int_eq(again.global_batch, resolved.global_batch);
        ck_assert_int_eq(again.precision, resolved.precision);
        ck_assert_int_eq(again.policy, resolved.policy);
    }
}
END_TEST

START_TEST(batches_refused) {
    const nnc_model model = decoder();
    const nnc_device device = plain_device();
    nnc_plan plan = nnc_plan_default();
    plan.micro_batch = 5; /* 5 does not divide 12 */
    plan.global_batch = 12;
    check_refused(&model, &device, &plan, NNC_ILLEGAL_PLAN, "--global-batch");
    plan.micro_batch = 0;
    plan.micro_batches = 5;
    check_refused(&model, &device, &plan, NNC_ILLEGAL_PLAN, "--global-batch");
    plan.micro_batch = 3; /* 3 samples in each of 5 passes are not a global batch of 12 */
    check_refused(&model, &device, &plan, NNC_BAD_USAGE, "--global-batch");
    plan.global_batch = 0;
    plan.micro_batch = plan.micro_batches = INT64_C(1) << 40;
    check_refused(&model, &device, &plan, NNC_ILLEGAL_PLAN, "--micro-batch");
}
END_TEST

/* The default precision is bf16, then fp16. A device without rates of matrix products in bf16 and fp16 gets fp32 on the
 * vector units. */
START_TEST(precision) {
    const nnc_model model = decoder();
    nnc_device device = plain_device();
    nnc_plan plan = nnc_plan_default(), resolved;
    ck_assert_int_eq(resolved_of(&model, &plan).precision, NNC_BF16);
    ck_assert_int_eq(resolved_of(&model, &plan).policy, NNC_POLICY_MIXED);
    device.matmul_flops_per_s[NNC_BF16] = (double)NAN;
    ck_assert_int_eq(nnc_plan_resolve(&plan, &model, &device, &resolved, NULL), NNC_OK);
    ck_assert_int_eq(resolved.precision, NNC_FP16);
    device.matmul_flops_per_s[NNC_FP16] = (double)NAN;
    ck_assert_int_eq(nnc_plan_resolve(&plan, &model, &device, &resolved, NULL), NNC_OK);
    ck_assert_int_eq(resolved.precision, NNC_FP32);
    ck_assert_int_eq(resolved.policy, NNC_POLICY_FP32);
    plan.precision = NNC_BF16;
    check_refused(&model, &device, &plan, NNC_ILLEGAL_PLAN, "--precision");
    plan.precision = NNC_TF32;
    ck_assert_int_eq(nnc_plan_resolve(&plan, &model, &device, &resolved, NULL), NNC_OK);
    ck_assert_int_eq(resolved.policy, NNC_POLICY_FP32);
    device.matmul_flops_per_s[NNC_INT8] = 1e15; /* int8 has a rate, but is not a format for training */
    plan.precision = NNC_INT8;
    check_refused(&model, &device, &plan, NNC_ILLEGAL_PLAN, "--precision");
    /* in fp8 plans attention runs in bf16, but this device has no rate for bf16 */
    device.matmul_flops_per_s[NNC_FP8] = 1e15;
    plan.precision = NNC_FP8;
    check_refused(&model, &device, &plan, NNC_ILLEGAL_PLAN, "--precision");
    device.vector_flops_per_s[NNC_FP32] = device.matmul_flops_per_s[NNC_TF32] = (double)NAN;
    plan.precision = NNC_DTYPE_COUNT; /* with the default precision, no format with a rate is left */
    check_refused(&model, &device, &plan, NNC_ILLEGAL_PLAN, "--precision");
}
END_TEST

START_TEST(policy) {
    const nnc_model model = decoder();
    const nnc_device device = plain_device();
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_FP32;
    plan.policy = NNC_POLICY_MIXED; /* 2-byte weights do not fit products of 4-byte values */
    check_refused(&model, &device, &plan, NNC_ILLEGAL_PLAN, "--policy");
    plan.precision = NNC_BF16;
    plan.policy = NNC_POLICY_FP8;
    check_refused(&model, &device, &plan, NNC_ILLEGAL_PLAN, "--policy");
    plan.policy = NNC_POLICY_AMP;
    ck_assert_int_eq(resolved_of(&model, &plan).policy, NNC_POLICY_AMP);
}
END_TEST

START_TEST(lengths) {
    nnc_model model = decoder();
    const nnc_device device = plain_device();
    nnc_plan plan = nnc_plan_default();
    ck_assert_int_eq(resolved_of(&model, &plan).seq_len, 32);
    plan.seq_len = 8;
    ck_assert_int_eq(resolved_of(&model, &plan).seq_len, 8);
    plan.seq_len = 33; /* more tokens than learned positions */
    check_refused(&model, &device, &plan, NNC_ILLEGAL_PLAN, "--seq-len");
    model.decoder.positions_max = 33;
    ck_assert_int_eq(resolved_of(&model, &plan).seq_len, 33);
    model.decoder.positions = NNC_POSITIONS_ROTARY;
    plan.seq_len = 1000;
    ck_assert_int_eq(resolved_of(&model, &plan).seq_len, 1000);
    plan.image = 64;
    check_refused(&model, &device, &plan, NNC_ILLEGAL_PLAN, "--image");
}
END_TEST

START_TEST(images) {
    nnc_model model = residual_unet(64, 8, 3);
    const nnc_device device = plain_device();
    nnc_plan plan = nnc_plan_default();
    model.unet.latent_factor = 4;
    ck_assert_int_eq(resolved_of(&model, &plan).image, 64);
    plan.image = 16; /* the latent has a side of 4 and is halved twice */
    ck_assert_int_eq(resolved_of(&model, &plan).image, 16);
    plan.image = 12; /* the deepest level of the U-Net has no pixel left */
    check_refused(&model, &device, &plan, NNC_ILLEGAL_PLAN, "--image");
    plan.image = 66; /* 66 is not a multiple of the latent factor */
    check_refused(&model, &device, &plan, NNC_ILLEGAL_PLAN, "--image");
}
END_TEST

START_TEST(questions_for_the_other_family) {
    const nnc_model unet = residual_unet(64, 8, 3);
    const nnc_device device = plain_device();
    nnc_plan plan = nnc_plan_default();
    plan.seq_len = 32;
    check_refused(&unet, &device, &plan, NNC_ILLEGAL_PLAN, "--seq-len");
    plan = nnc_plan_default();
    plan.tokens = 1e9;
    check_refused(&unet, &device, &plan, NNC_ILLEGAL_PLAN, "--tokens");
    plan = nnc_plan_default();
    plan.flops_convention = NNC_CONVENTION_6ND;
    check_refused(&unet, &device, &plan, NNC_ILLEGAL_PLAN, "--flops-convention");
    plan = nnc_plan_default();
    plan.activations = NNC_ACTIVATIONS_KORTHIKANTI;
    check_refused(&unet, &device, &plan, NNC_ILLEGAL_PLAN, "--activations");
}
END_TEST

/* The published formula is for a GPT in 16 bits, without other kinds of layers. */
START_TEST(korthikanti) {
    nnc_model model = decoder();
    const nnc_device device = plain_device();
    nnc_plan plan = nnc_plan_default();
    plan.activations = NNC_ACTIVATIONS_KORTHIKANTI;
    resolved_of(&model, &plan);
    plan.precision = NNC_FP32;
    check_refused(&model, &device, &plan, NNC_ILLEGAL_PLAN, "--activations");
    plan.precision = NNC_FP16;
    resolved_of(&model, &plan);
    model.decoder.kv_heads = 2;
    check_refused(&model, &device, &plan, NNC_ILLEGAL_PLAN, "--activations");
    model = decoder();
    model.decoder.ffn_hidden = 128;
    check_refused(&model, &device, &plan, NNC_ILLEGAL_PLAN, "--activations");
    model = llama(2, 64, 4, 4, 256, 100, 32);
    check_refused(&model, &device, &plan, NNC_ILLEGAL_PLAN, "--activations");
}
END_TEST

static void check_too_large(const nnc_model *model, const nnc_plan *plan) {
    const nnc_device device = plain_device();
    const nnc_software software = nnc_software_default();
    nnc_result result;
    nnc_error err = { 0 };
    const nnc_status status = nnc_estimate(model, &device, &software, plan, scratch, &result, &err);
    ck_assert(status == NNC_ILLEGAL_PLAN || status == NNC_BAD_SPEC);
    ck_assert_str_eq(err.where, model->id);
}

/* Tensors and sums whose bytes do not fit 64 bits are refused. */
START_TEST(too_large) {
    nnc_model model = llama(100000, 1000000, 1, 1, 1000000, 1000000, 1000000);
    nnc_plan plan = nnc_plan_default();
    check_too_large(&model, &plan);
    plan.micro_batch = 1000000000;
    check_too_large(&model, &plan);
    model = llama(1000, 1, 1, 1, 1, 2, 1000000000);
    plan.micro_batch = 1;
    plan.attention = NNC_ATTENTION_UNFUSED;
    check_too_large(&model, &plan);
    model = llama(100000, 1, 1, 1, 1, 2, 7000000); /* all tensors together have 2^63 bytes, but no tensor is large */
    check_too_large(&model, &plan);
    plan.attention = NNC_ATTENTION_FLASH;
    model = llama(100000, 10000000, 1, 1, 10000000, 2, 1); /* 4e19 parameters */
    check_too_large(&model, &plan);
    model = residual_unet(64, 8, 2);
    plan.micro_batch = 1000000000;
    check_too_large(&model, &plan);
    plan.image = 1000000;
    check_too_large(&model, &plan);
    plan.micro_batch = 1;
    plan.attention = NNC_ATTENTION_UNFUSED; /* 1e24 pairs */
    check_too_large(&model, &plan);
}
END_TEST

/* Each text is a valid value of --recompute. */
START_TEST(recompute_texts) {
    static const struct {
        unsigned recompute;
        const char *text;
    } cases[] = {
        { NNC_RECOMPUTE_NONE, "none" },
        { NNC_RECOMPUTE_ATTENTION, "selective" },
        { NNC_RECOMPUTE_FULL, "full" },
        { NNC_RECOMPUTE_NORM, "norm" },
        { NNC_RECOMPUTE_ACTIVATION, "activation" },
        { NNC_RECOMPUTE_NORM | NNC_RECOMPUTE_ACTIVATION, "norm,activation" },
        { NNC_RECOMPUTE_ATTENTION | NNC_RECOMPUTE_NORM | NNC_RECOMPUTE_ACTIVATION, "attention,norm,activation" },
    };
    char text[64];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nnc_plan plan = nnc_plan_default();
        nnc_recompute_text(cases[i].recompute, text, sizeof text);
        ck_assert_str_eq(text, cases[i].text);
        ck_assert_int_eq(nnc_plan_set(&plan, "recompute", text, NULL), NNC_OK);
        ck_assert_uint_eq(plan.recompute, cases[i].recompute);
    }
    nnc_recompute_text(NNC_RECOMPUTE_NORM | NNC_RECOMPUTE_ACTIVATION, text, 7);
    ck_assert_str_eq(text, "norm,a");
}
END_TEST

/* On one device, a model of a library gets the profile that runs op by op, unless ZeRO divides its state. Models that
 * are not of a library do not get the profile that runs op by op. */
START_TEST(profiles_of_a_device) {
    nnc_model library = decoder();
    nnc_plan plan = nnc_plan_default();
    ck_assert_int_eq(nnc_profile_kind_by_plan(&library, &plan), NNC_PROFILE_COPIES);
    library.implementation = NNC_IMPLEMENTATION_TRANSFORMERS;
    ck_assert_int_eq(nnc_profile_kind_by_plan(&library, &plan), NNC_PROFILE_EAGER);
    plan.zero = 1;
    ck_assert_int_eq(nnc_profile_kind_by_plan(&library, &plan), NNC_PROFILE_SPLIT);
    plan.zero = 3;
    ck_assert_int_eq(nnc_profile_kind_by_plan(&library, &plan), NNC_PROFILE_SHARDED);
    plan.zero = 0;
    plan.data = 2;
    ck_assert_int_eq(nnc_profile_kind_by_plan(&library, &plan), NNC_PROFILE_COPIES);
    plan.tensor = 2;
    ck_assert_int_eq(nnc_profile_kind_by_plan(&library, &plan), NNC_PROFILE_SPLIT);
}
END_TEST

/* Neuron compiles every program, so a model of a library is not run op by op there. */
START_TEST(profiles_of_neuron) {
    static const char *const names[] = { "trainium2", "inferentia2", "gaudi3" };
    nnc_device device = plain_device();
    nnc_model library = decoder();
    const nnc_plan plan = nnc_plan_default();
    library.implementation = NNC_IMPLEMENTATION_TRANSFORMERS;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        snprintf(device.architecture, sizeof device.architecture, "%s", names[i]);
        ck_assert_int_eq(nnc_profile_kind_of(&library, &device, &plan), i < 2 ? NNC_PROFILE_COPIES : NNC_PROFILE_EAGER);
    }
}
END_TEST

/* On a GPU before Hopper, fp16 selects a profile of older software, for transformers and for networks of feature maps.
 * bf16 does not. */
START_TEST(profiles_of_early_devices) {
    nnc_device device = plain_device();
    nnc_plan plan = nnc_plan_default();
    const nnc_model *models[] = { load_model("models/gpt2-xl.json"), load_model("models/vit-b-16.json"),
                                  load_model("models/sd1-unet.json") };
    plan.precision = NNC_FP16;
    for (size_t i = 0; i < COUNT_OF(models); i++) {
        const bool maps = i == 2;
        snprintf(device.architecture, sizeof device.architecture, "volta");
        plan.precision = NNC_FP16;
        ck_assert_int_eq(nnc_profile_kind_kept(models[i], &device, &plan, NNC_PROFILE_COPIES),
                         maps ? NNC_PROFILE_EARLY_MAPS : NNC_PROFILE_EARLY);
        ck_assert(nnc_profile_kind_may(models[i], &device, NNC_PROFILE_EARLY) == !maps);
        ck_assert(nnc_profile_kind_may(models[i], &device, NNC_PROFILE_EARLY_MAPS) == maps);
        plan.precision = NNC_BF16;
        ck_assert_int_eq(nnc_profile_kind_kept(models[i], &device, &plan, NNC_PROFILE_COPIES), NNC_PROFILE_COPIES);
        snprintf(device.architecture, sizeof device.architecture, "hopper");
        plan.precision = NNC_FP16;
        ck_assert_int_eq(nnc_profile_kind_kept(models[i], &device, &plan, NNC_PROFILE_COPIES), NNC_PROFILE_COPIES);
        ck_assert(!nnc_profile_kind_may(models[i], &device, NNC_PROFILE_EARLY));
    }
}
END_TEST

/* A framework without a feature refuses a plan that needs this feature, and names the option. It accepts the other
 * plan. A framework with all features accepts the plan with the feature and the plan without it. */
START_TEST(frameworks_lack_features) {
#define LACKS(feature) offsetof(nnc_shipped, feature)
    static const struct {
        size_t feature;
        const char *needs, *option, *other;
    } cases[] = {
        { LACKS(recompute_attention), "recompute=attention", "--recompute", "recompute=full" },
        { LACKS(recompute_norm), "recompute=norm", "--recompute", "recompute=attention" },
        { LACKS(recompute_activation), "recompute=activation", "--recompute", "recompute=norm" },
        { LACKS(recompute_modules), "recompute=moe", "--recompute", "recompute=full" },
        { LACKS(recompute_full), "recompute=full", "--recompute", "recompute=none" },
        { LACKS(recompute_apart), "recompute=norm", "--recompute", "recompute=norm,activation" },
        { LACKS(recompute_apart), "recompute=activation", "--recompute", "recompute=attention" },
        { LACKS(offload_optimizer), "offload=optimizer", "--offload", "offload=activations" },
        { LACKS(offload_activations), "offload=activations", "--offload", "offload=weights" },
        { LACKS(offload_weights), "offload=weights", "--offload", "offload=none" },
        { LACKS(schedules[NNC_SCHEDULE_1F1B]), "pipeline=2 schedule=1f1b", "--schedule", "schedule=1f1b" },
        { LACKS(plain_tensor), "tensor=2", "--sequence-parallel", "tensor=2 sequence_parallel=on" },
        { LACKS(replicated_grids), "data=1 context=2", "--zero", "data=4" },
        { LACKS(replicated_grids), "data=2 context=2", "--zero", "data=2 context=2 zero=1" },
        { LACKS(replicated_grids), "data=2 tensor=2", "--zero", "tensor=2" },
        { LACKS(replicated_grids), "data=2 pipeline=2", "--zero", "pipeline=2" },
        { LACKS(replicated_grids), "data=2 expert=2", "--zero", "data=2 expert=2 zero=2" },
        { LACKS(sharded_states), "data=2 zero=1", "--zero", "data=2 zero=2" },
        { LACKS(sharded_gradients), "data=2 zero=2", "--zero", "data=2 zero=3" },
        { LACKS(sharded_gradients), "data=1 zero=3", "--zero", "data=1 context=2 zero=3" },
        { LACKS(sharded_weights), "data=2 zero=3", "--zero", "data=2 zero=2" },
        { LACKS(sharded_pipelines), "data=2 pipeline=2 zero=2", "--zero", "data=2 pipeline=2 zero=1" },
    };
#undef LACKS
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        for (int other = 0; other < 2; other++) {
            nnc_plan plan = nnc_plan_default();
            nnc_software software = nnc_software_default();
            const char *option = NULL;
            char text[80], *rest = NULL;
            plan.schedule = NNC_SCHEDULE_1F1B;
            snprintf(text, sizeof text, "%s", other ? cases[i].other : cases[i].needs);
            for (char *one = strtok_r(text, " ", &rest); one != NULL; one = strtok_r(NULL, " ", &rest)) {
                char *value = strchr(one, '=');
                *value++ = '\0';
                ck_assert_int_eq(nnc_plan_set(&plan, one, value, NULL), NNC_OK);
            }
            ck_assert(nnc_software_ships(&software, &plan, &option) && option == NULL);
            *(bool *)(void *)((char *)&software.ships + cases[i].feature) = false;
            ck_assert_msg(nnc_software_ships(&software, &plan, &option) == (other == 1), "%d", (int)i);
            if (!other) { ck_assert_str_eq(option, cases[i].option); }
        }
    }
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        batches,
        batches_refused,
        precision,
        policy,
        lengths,
        images,
        korthikanti,
        questions_for_the_other_family,
        too_large,
        recompute_texts,
        profiles_of_a_device,
        profiles_of_neuron,
        frameworks_lack_features,
        profiles_of_early_devices,
    };
    return run_tests("resolve", tests, COUNT_OF(tests));
}
