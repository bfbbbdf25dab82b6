/* Tests that nncost refuses plans that no cluster can run. The message must name the option, the numbers and the
 * nearest legal values. */
#include "cluster.h"

enum { GPT, LLAMA, MIXTRAL, DEEPSEEK, UNET };

static nnc_model model_of(int i) {
    switch (i) {
    case GPT: return gpt(12, 768, 12, 50257, 1024);
    case LLAMA: return llama(10, 512, 24, 6, 1024, 32000, 96);
    case MIXTRAL: return mixtral(8, 512, 8, 4, 96, 12, 3200, 256);
    case DEEPSEEK: return deepseek(4, 64);
    default: return double_conv_unet(64, 8, 2);
    }
}

/* settings: "tensor=2 data=8" */
static void apply(nnc_plan *plan, const char *settings) {
    char text[256], *rest = NULL;
    nnc_error err = { 0 };
    snprintf(text, sizeof text, "%s", settings);
    for (char *one = strtok_r(text, " ", &rest); one != NULL; one = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(one, '=');
        ck_assert_ptr_nonnull(value);
        *value++ = '\0';
        ck_assert_msg(nnc_plan_set(plan, one, value, &err) == NNC_OK, "%s: %s", err.where, err.what);
    }
}

static const struct {
    int model;
    const char *settings;
    nnc_status status;
    const char *where, *what;
} illegal[] = {
    { GPT, "devices=12 tensor=4 pipeline=2", NNC_ILLEGAL_PLAN, "--devices",
      "expected a multiple of tensor x pipeline x context = 8, found 12" },
    { GPT, "devices=12 data=4 tensor=2", NNC_BAD_USAGE, "--devices",
      "disagrees with data x tensor x pipeline x context, expected 8, found 12" },
    { GPT, "tensor=5", NNC_ILLEGAL_PLAN, "--tensor", "heads 12 cannot be divided over 5 ranks, expected 4 or 6" },
    { GPT, "tensor=16", NNC_ILLEGAL_PLAN, "--tensor", "heads 12 cannot be divided over 16 ranks, expected 12" },
    { LLAMA, "tensor=4", NNC_ILLEGAL_PLAN, "--tensor", "kv_heads 6 cannot be divided over 4 ranks, expected 3 or 6" },
    { LLAMA, "tensor=3", NNC_ILLEGAL_PLAN, "--tensor",
      "ffn_hidden 1024 cannot be divided over 3 ranks, expected 2 or 4" },
    { MIXTRAL, "tensor=8 sequence_parallel=on seq_len=100 micro_batch=1", NNC_ILLEGAL_PLAN, "--sequence-parallel",
      "the tokens of a rank 100 cannot be divided over 8 ranks, expected 5 or "
      "10" },
    { GPT, "sequence_parallel=on", NNC_ILLEGAL_PLAN, "--sequence-parallel",
      "shards activations over tensor ranks, expected --tensor 2 or more" },
    { GPT, "context=3", NNC_ILLEGAL_PLAN, "--context",
      "half of seq_len 512 cannot be divided over 3 ranks, expected 2 or 4" },
    { GPT, "context=5 context_kind=ulysses", NNC_ILLEGAL_PLAN, "--context",
      "heads of a tensor rank 12 cannot be divided over 5 ranks, expected 4 or 6" },
    { LLAMA, "context=4 context_kind=ulysses", NNC_ILLEGAL_PLAN, "--context",
      "kv_heads of a tensor rank 6 cannot be divided over 4 ranks, expected 3 or 6" },
    { GPT, "context=2 attention=unfused", NNC_ILLEGAL_PLAN, "--attention",
      "context parallelism needs a fused attention kernel, expected flash, found unfused" },
    { GPT, "expert=2 data=2", NNC_ILLEGAL_PLAN, "--expert", "the model has no experts, expected 1" },
    { MIXTRAL, "expert=8 data=8", NNC_ILLEGAL_PLAN, "--expert",
      "experts 12 cannot be divided over 8 ranks, expected 6 or 12" },
    { MIXTRAL, "expert=4 data=6", NNC_ILLEGAL_PLAN, "--expert",
      "data x context 6 cannot be divided over 4 ranks, expected 3 or 6" },
    { GPT, "pipeline=13", NNC_ILLEGAL_PLAN, "--pipeline",
      "12 layers cannot fill 13 stages, expected pipeline x virtual_stages of at most 12, or --ends-as-layers, which "
      "counts embedding and head as one layer each" },
    { GPT, "pipeline=4 virtual_stages=4 micro_batches=4", NNC_ILLEGAL_PLAN, "--pipeline",
      "12 layers cannot fill 16 stages, expected pipeline x virtual_stages of at most 12" },
    { GPT, "pipeline=2000", NNC_ILLEGAL_PLAN, "--pipeline", "expected at most 1024 stages and 4096 virtual stages" },
    { GPT, "pipeline=4 virtual_stages=2 schedule=1f1b", NNC_ILLEGAL_PLAN, "--virtual-stages",
      "only the interleaved schedule has virtual stages, expected 1, found 2" },
    { GPT, "virtual_stages=2", NNC_ILLEGAL_PLAN, "--virtual-stages",
      "a pipeline of one stage has no bubble to split, expected 1, found 2" },
    { GPT, "pipeline=4 virtual_stages=3 micro_batches=6", NNC_ILLEGAL_PLAN, "--micro-batches",
      "the interleaved schedule runs micro-batches in groups of 4, expected 8, found 6" },
    { GPT, "pipeline=3 schedule=dualpipe micro_batches=6", NNC_ILLEGAL_PLAN, "--pipeline",
      "dualpipe enters a pipeline from both ends, expected an even number of stages, 2 or 4, found "
      "3" },
    { GPT, "pipeline=4 schedule=dualpipe micro_batches=7", NNC_ILLEGAL_PLAN, "--micro-batches",
      "dualpipe starts micro-batches at both ends, expected an even number, at least the number of stages, 8, found "
      "7" },
    { GPT, "pipeline=4 schedule=dualpipe micro_batches=2", NNC_ILLEGAL_PLAN, "--micro-batches",
      "dualpipe starts micro-batches at both ends, expected an even number, at least the number of stages, 4, found "
      "2" },
    { GPT, "data=8 shard=4", NNC_ILLEGAL_PLAN, "--shard", "--zero 0 divides no tensors, expected --zero 1 to 3" },
    { GPT, "data=8 shard=16 zero=1", NNC_ILLEGAL_PLAN, "--shard",
      "more ranks than replicas, expected at most 8, found 16" },
    { GPT, "data=8 shard=3 zero=1", NNC_ILLEGAL_PLAN, "--shard",
      "data x context 8 cannot be divided over 3 ranks, expected 2 or 4" },
    { MIXTRAL, "data=12 expert=2 shard=4 zero=1", NNC_ILLEGAL_PLAN, "--shard",
      "data x context / expert 6 cannot be divided over 4 ranks, expected 3 or 6" },
    { GPT, "data=8 offload=weights zero=2", NNC_ILLEGAL_PLAN, "--offload",
      "weights can be stored in host memory only if ZeRO 3 divides them, expected --zero 3, found "
      "2" },
    { GPT, "data=4 global_batch=6", NNC_ILLEGAL_PLAN, "--global-batch",
      "cannot be divided into passes, expected a multiple of 4 (micro_batch x data), such as 4 or 8, found 6" },
    { GPT, "data=4 micro_batch=4 global_batch=8", NNC_ILLEGAL_PLAN, "--global-batch",
      "cannot be divided into passes, expected a multiple of 16 (micro_batch x data), or --micro-batch of at most 2, "
      "found 8" },
    { GPT, "data=8 global_batch=3", NNC_ILLEGAL_PLAN, "--global-batch",
      "less than one sequence per replica, expected at least 8 (micro_batch x data), or at least 3 times as many "
      "devices "
      "per replica (--tensor, --pipeline or --context; 'nncost search' tries them), found 3" },
    { GPT, "pipeline=7 virtual_stages=2 micro_batches=7", NNC_ILLEGAL_PLAN, "--pipeline",
      "12 layers cannot fill 14 stages, expected pipeline x virtual_stages of at most 12, or --ends-as-layers, which "
      "counts embedding and head as one layer each" },
    { GPT, "data=4 micro_batch=2 micro_batches=2 global_batch=32", NNC_BAD_USAGE, "--global-batch",
      "disagrees with --micro-batch and --micro-batches, expected micro_batch x micro_batches x data = 16, found 32" },
    { MIXTRAL, "data=2 tensor=2 expert=2 whole_experts=on", NNC_ILLEGAL_PLAN, "--whole-experts",
      "each tensor rank sends its own tokens to the experts, expected --sequence-parallel" },
    { LLAMA, "adapter_rank=4 adapters=experts", NNC_ILLEGAL_PLAN, "--adapters",
      "the model has no routed experts, expected a list without experts" },
    { UNET, "tensor=2", NNC_ILLEGAL_PLAN, "--tensor",
      "only data ranks can divide the work of a unet, expected 1, found 2" },
    { UNET, "pipeline=2", NNC_ILLEGAL_PLAN, "--pipeline",
      "only data ranks can divide the work of a unet, expected 1, found 2" },
    { UNET, "context=4", NNC_ILLEGAL_PLAN, "--context",
      "only data ranks can divide the work of a unet, expected 1, found 4" },
    { UNET, "tensor=16777216 pipeline=16777216", NNC_ILLEGAL_PLAN, "--tensor",
      "tensor x pipeline x context is more than any cluster has" },
    { GPT, "data=16777216 pipeline=512", NNC_ILLEGAL_PLAN, "--data", "more devices than any cluster has" },
};

START_TEST(is_refused) {
    const nnc_device device = cluster_device();
    const nnc_model model = model_of(illegal[_i].model);
    nnc_plan plan = nnc_plan_default(), resolved;
    nnc_error err = { 0 };
    apply(&plan, illegal[_i].settings);
    ck_assert_int_eq(nnc_plan_resolve(&plan, &model, &device, &resolved, &err), illegal[_i].status);
    ck_assert_str_eq(err.where, illegal[_i].where);
    ck_assert_str_eq(err.what, illegal[_i].what);
}
END_TEST

/* Legal plans: values that messages about refused plans suggest, and values just inside the limits. */
static const struct {
    int model;
    const char *settings;
} legal[] = {
    { LLAMA, "tensor=2" },
    { MIXTRAL, "tensor=8" }, /* if 8 ranks share 4 key heads, each rank has one head */
    { MIXTRAL, "tensor=4 sequence_parallel=on seq_len=100" },
    { GPT, "context=4" },
    { GPT, "context=4 context_kind=all-gather" },
    { GPT, "context=4 context_kind=ulysses" },
    /* with one key head on 2 ranks, each rank has a copy of the head */
    { MIXTRAL, "tensor=4 context=2 context_kind=ulysses" },
    { MIXTRAL, "expert=12 data=6 context=2" },
    { MIXTRAL, "expert=6 data=3 context=2 seq_len=64" },
    { DEEPSEEK, "tensor=8 expert=16 data=16" },
    { GPT, "pipeline=12 micro_batches=1" },
    { GPT, "pipeline=4 virtual_stages=3 micro_batches=8" },
    { GPT, "pipeline=6 schedule=zb-v micro_batches=3" },
    { GPT, "pipeline=4 schedule=dualpipe micro_batches=4" },
    { GPT, "data=8 zero=1 shard=4" },
    { GPT, "data=8 zero=0 shard=8" },
    { GPT, "data=8 zero=3 offload=weights" },
    { GPT, "devices=24 pipeline=6" },
    { UNET, "data=32 zero=3" },
    { MIXTRAL, "data=2 expert=2 whole_experts=on" },
};

START_TEST(is_accepted) {
    const nnc_model model = model_of(legal[_i].model);
    nnc_plan plan = nnc_plan_default();
    apply(&plan, legal[_i].settings);
    const nnc_result r = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(r.plan.devices, r.plan.data * r.plan.tensor * r.plan.pipeline * r.plan.context);
}
END_TEST

/* If a degree is not given, it follows from the number of devices. */
START_TEST(open_degrees) {
    const nnc_device device = cluster_device();
    const nnc_model model = model_of(GPT);
    nnc_plan plan = nnc_plan_default(), resolved;
    apply(&plan, "devices=48 pipeline=4 context=2");
    ck_assert_int_eq(nnc_plan_resolve(&plan, &model, &device, &resolved, NULL), NNC_OK);
    ck_assert_int_eq(resolved.data, 6);
    ck_assert_int_eq(resolved.shard, 12);
    ck_assert_int_eq(resolved.devices_per_node, 8);
    ck_assert_int_eq((int)resolved.schedule, NNC_SCHEDULE_1F1B);
    plan = nnc_plan_default();
    apply(&plan, "data=3 pipeline=2 virtual_stages=2 micro_batches=2");
    ck_assert_int_eq(nnc_plan_resolve(&plan, &model, &device, &resolved, NULL), NNC_OK);
    ck_assert_int_eq(resolved.devices, 6);
    ck_assert_int_eq((int)resolved.schedule, NNC_SCHEDULE_INTERLEAVED);
    plan = nnc_plan_default();
    ck_assert_int_eq(nnc_plan_resolve(&plan, &model, &device, &resolved, NULL), NNC_OK);
    ck_assert_int_eq(resolved.devices, 1);
    /* Four ranks hold experts. With whole experts, the four ranks of experts include the two tensor ranks. If the
     * tensor ranks divide each expert, all four ranks that hold experts are data ranks. */
    const nnc_model experts = model_of(MIXTRAL);
    for (int whole = 0; whole < 2; whole++) {
        plan = nnc_plan_default();
        apply(&plan, "tensor=2 expert=4 sequence_parallel=on");
        plan.whole_experts = whole == 1;
        ck_assert_int_eq(nnc_plan_resolve(&plan, &experts, &device, &resolved, NULL), NNC_OK);
        ck_assert_int_eq(resolved.data, whole ? 2 : 4);
    }
}
END_TEST

/* If a link rate is missing, the error names the link. If a plan does not use the link whose rate is missing, its
 * estimate succeeds. */
START_TEST(missing_links) {
    const nnc_model model = gpt(4, 64, 4, 64, 32);
    const nnc_software software = nnc_software_default();
    nnc_device device = cluster_device();
    nnc_plan plan = nnc_plan_default();
    nnc_result r;
    nnc_error err = { 0 };
    device.scale_out.bytes_per_s = device.host.bytes_per_s = (double)NAN;
    apply(&plan, "data=8");
    ck_assert_int_eq(nnc_estimate(&model, &device, &software, &plan, scratch, &r, &err), NNC_OK);
    plan.offload = NNC_OFFLOAD_OPTIMIZER;
    ck_assert_int_eq(nnc_estimate(&model, &device, &software, &plan, scratch, &r, &err), NNC_BAD_SPEC);
    ck_assert_ptr_nonnull(strstr(err.what, "host.bytes_per_s"));
    device.host = (nnc_host_link){ .bytes_per_s = 25e9, .mem_bytes_per_s = (double)NAN };
    ck_assert_int_eq(nnc_estimate(&model, &device, &software, &plan, scratch, &r, &err), NNC_OK);
    const double without_s = r.step_s;
    device.host.mem_bytes_per_s = 76.8e9; /* the rate that nncost assumes if the rate of host memory is unknown */
    ck_assert_int_eq(nnc_estimate(&model, &device, &software, &plan, scratch, &r, &err), NNC_OK);
    ck_assert_double_eq(r.step_s, without_s);
    plan.offload = 0;
    plan.data = 16;
    ck_assert_int_eq(nnc_estimate(&model, &device, &software, &plan, scratch, &r, &err), NNC_BAD_SPEC);
    ck_assert_ptr_nonnull(strstr(err.where, "scale_out.bytes_per_s"));
}
END_TEST

/* No reader has checked a plan that a C program made, so the library checks the values of the plan. */
START_TEST(plans_made_in_c) {
    const nnc_model model = mixtral(8, 512, 8, 4, 96, 12, 3200, 256);
    const nnc_device device = cluster_device();
    nnc_plan plans[] = { nnc_plan_default(), nnc_plan_default(), nnc_plan_default(),
                         nnc_plan_default(), nnc_plan_default(), nnc_plan_default() };
    const char *const options[] = { "--expert", "--tensor", "--pipeline", "--context", "--zero", "--schedule" };
    plans[0].expert = 0;
    plans[1].tensor = -2;
    plans[2].pipeline = 0;
    plans[3].context = 0;
    plans[4].zero = 4;
    plans[5].schedule = (nnc_schedule)(NNC_SCHEDULE_COUNT + 1);
    for (size_t i = 0; i < COUNT_OF(plans); i++) {
        nnc_plan resolved;
        nnc_error err = { 0 };
        ck_assert_int_eq(nnc_plan_resolve(&plans[i], &model, &device, &resolved, &err), NNC_ILLEGAL_PLAN);
        ck_assert_str_eq(err.where, options[i]);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("legal");
    TCase *tests = add_case(suite, "legal", open_support, close_support);
    tcase_add_loop_test(tests, is_refused, 0, (int)COUNT_OF(illegal));
    tcase_add_loop_test(tests, is_accepted, 0, (int)COUNT_OF(legal));
    tcase_add_test(tests, open_degrees);
    tcase_add_test(tests, missing_links);
    tcase_add_test(tests, plans_made_in_c);
    return run_suite(suite);
}
