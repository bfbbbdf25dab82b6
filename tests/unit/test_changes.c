/* Tests the proposed changes of a plan that make the plan faster or smaller. An estimate with the options of a change
 * must give the stated result. The sorted list must have the best change of every kind. All changes together must be at
 * least as fast as each change alone. */
#include "base/base_internal.h"
#include "cluster.h"
#include "estimate/estimate_internal.h"

static nnc_model model;
static nnc_device device;
static nnc_software software;
static const nnc_software *compiled;
static nnc_plan_changes changes;

/* The model has 4 layers of width 512 and 2000 words. The matrix units of the device have 5 TFLOP/s in fp32, 50 TFLOP/s
 * in TF32 and 100 TFLOP/s in bf16. */
static void set_up(void) {
    open_support();
    model = gpt(4, 512, 8, 2000, 128);
    device = plain_device();
    device.matmul_flops_per_s[NNC_FP32] = 5e12;
    software = nnc_software_default();
    compiled = NULL;
}

static nnc_plan single(void) {
    nnc_plan plan = nnc_plan_default();
    plan.micro_batch = 8;
    plan.precision = NNC_FP32;
    plan.policy = NNC_POLICY_FP32;
    plan.attention = NNC_ATTENTION_UNFUSED;
    return plan;
}

static int find(const nnc_plan *plan, bool quick) {
    const nnc_profiles profiles = nnc_profiles_of_one(&software);
    const nnc_plan_change_ask ask = {
        .model = &model, .device = &device, .profiles = &profiles, .others = { compiled }, .plan = plan, .quick = quick
    };
    return nnc_plan_changes_find(&ask, scratch, &changes);
}

/* Sets the options of a change in the plan, the model and the profile, as if a user gave them. */
static void type(const char *options, nnc_plan *plan, nnc_model *changed, const nnc_software **profile) {
    char text[256];
    char *next = text;
    snprintf(text, sizeof text, "%s", options);
    for (char *option = strtok_r(text, " ", &next); option != NULL; option = strtok_r(NULL, " ", &next)) {
        nnc_error err = { 0 };
        char field[64];
        char *off = strstr(option, "=off");
        snprintf(field, sizeof field, "%s", strcmp(option, "--lora") == 0 ? "adapter_rank" : option + 2);
        field[off != NULL ? off - option - 2 : (long)strlen(field)] = '\0';
        for (char *c = field; *c != '\0'; c++) { *c = *c == '-' ? '_' : *c; }
        if (strcmp(option, "--set") == 0) {
            ck_assert_str_eq(strtok_r(NULL, " ", &next), "vocab_multiple=128");
            changed->decoder.vocab_multiple = 128;
            continue;
        }
        if (strcmp(option, "--software") == 0) {
            ck_assert_str_eq(strtok_r(NULL, " ", &next), compiled->id);
            *profile = compiled;
            continue;
        }
        const bool is_switch = off != NULL || strcmp(field, "sequence_parallel") == 0;
        const char *value = is_switch ? (off != NULL ? "off" : "on") : strtok_r(NULL, " ", &next);
        ck_assert_msg(nnc_plan_set(plan, field, value, &err) == NNC_OK, "%s: %s", err.where, err.what);
    }
}

/* An estimate with the options of a change must give the results that the list states for this change. A listed change
 * makes the step faster by more than 0.5 % or the memory smaller by more than 5 %, or makes a plan fit that does not
 * fit. */
static void check_change(const nnc_plan *plan, const nnc_result *base, const nnc_plan_change *change) {
    nnc_plan typed = *plan;
    const nnc_software *profile = &software;
    nnc_model changed = model;
    type(change->options, &typed, &changed, &profile);
    const nnc_result r = estimate_with(&changed, &device, profile, &typed);
    ck_assert_double_eq(change->step_s, r.step_s);
    ck_assert_double_eq(change->samples_per_s, r.samples_per_s);
    ck_assert_double_eq(change->gain, r.samples_per_s / base->samples_per_s);
    ck_assert_int_eq(change->total_bytes, r.memory.total_bytes);
    ck_assert_int_eq(change->global_batch, r.plan.global_batch);
    ck_assert_int_ne(change->verdict, NNC_OVER_MEMORY);
    ck_assert_int_eq(change->verdict, r.verdict);
    ck_assert_int_eq(change->adapters, typed.adapter_rank > plan->adapter_rank);
    ck_assert(base->verdict == NNC_OVER_MEMORY || change->gain > 1.005 ||
              (double)r.memory.total_bytes < 0.95 * (double)base->memory.total_bytes);
}

/* Compares the list of changes with the expected options, in this order, and checks each change. */
static void check_list(const nnc_plan *plan, const char *const *expected, int count) {
    const nnc_result base = estimate_with(&model, &device, &software, plan);
    for (int i = 0; i < count && i < changes.count; i++) {
        ck_assert_str_eq(changes.list[i].options, expected[i]);
        check_change(plan, &base, &changes.list[i]);
        ck_assert(i == 0 || changes.list[i].samples_per_s <= changes.list[i - 1].samples_per_s);
        ck_assert(changes.together.options[0] == '\0' || changes.together.gain >= changes.list[i].gain ||
                  changes.list[i].adapters);
    }
    ck_assert_int_eq(changes.count, count);
    if (changes.together.options[0] != '\0') { check_change(plan, &base, &changes.together); }
}

/* bf16 multiplies 20 times as fast as fp32. TF32 multiplies only 10 times as fast as fp32, the device has no fp8 peak,
 * and fp16 is proposed only for devices without bf16. Micro-batches of 16 and 32 divide the time of one update among
 * more samples. A micro-batch of 64 gains less than 0.5 % over 32. 8-bit Adam and flash attention read and write fewer
 * bytes. Two micro-batches of half the size, and recomputed norms, save activations. A plan with LoRA needs no
 * gradients of the frozen weights. All changes together leave out adapters, and use larger batches as long as the
 * batches gain time. */
START_TEST(one_device) {
    static const char *const all[] = { "--precision bf16 --policy mixed",
                                       "--lora 16",
                                       "--lora 16 --frozen nf4",
                                       "--attention flash",
                                       "--micro-batch 32",
                                       "--optimizer adam8bit",
                                       "--micro-batch 4 --micro-batches 2",
                                       "--recompute norm,activation" };
    const char *const first[] = { all[0], all[3], all[4], all[5] };
    const nnc_plan plan = single();
    find(&plan, false);
    check_list(&plan, all, COUNT_OF(all));
    ck_assert_str_eq(changes.together.options, "--micro-batch 512 --precision bf16 --policy mixed --attention flash");
    /* A quick search does not try adapters, smaller batches, or several changes together. If the plan fits, a quick
     * search does not try recomputation. */
    find(&plan, true);
    check_list(&plan, first, COUNT_OF(first));
    ck_assert_str_eq(changes.together.options, "");
}
END_TEST

/* No single change makes the plan fit 150 MB. The fp32 weights, gradients and two moments of 13.7 million parameters
 * are 219 MB. Frozen 4-bit weights with adapters fit only if bf16 and flash attention make the activations smaller,
 * too. */
START_TEST(nothing_alone_fits) {
    const nnc_plan plan = single();
    device.mem_bytes = 150000000;
    ck_assert_int_eq(find(&plan, false), 0);
    check_list(&plan, NULL, 0);
    ck_assert_str_eq(changes.together.options,
                     "--precision bf16 --policy mixed --lora 16 --frozen nf4 --attention flash");
    ck_assert(changes.together.adapters);
}
END_TEST

/* The plan has adapters, ZeRO 3 and tensor parallelism over 2 on 8 devices, with 4 devices per node. fp8 doubles the
 * peak. A change to ZeRO 1 saves the gathers of the weights. Frozen weights of 4 bits are gathered in a quarter of the
 * time. Tensor parallelism over 4 halves the number of data ranks, so the global batch needs two micro-batches. Tensor
 * parallelism over 8 is not listed, because a node has 4 devices. The plan already has adapters, so no change adds
 * adapters. */
START_TEST(cluster) {
    static const char *const all[] = { "--precision fp8",
                                       "--micro-batch 128",
                                       "--zero 1",
                                       "--frozen nf4",
                                       "--sequence-parallel",
                                       "--micro-batch 4 --micro-batches 2",
                                       "--data 2 --tensor 4 --micro-batches 2" };
    nnc_plan plan = single();
    plan.precision = NNC_BF16;
    plan.policy = NNC_POLICY_MIXED;
    plan.attention = NNC_ATTENTION_FLASH;
    plan.data = plan.devices_per_node = 4;
    plan.tensor = 2;
    plan.zero = 3;
    plan.adapter_rank = 8;
    device = cluster_device();
    find(&plan, false);
    check_list(&plan, all, COUNT_OF(all));
    ck_assert_str_eq(changes.together.options, "--sequence-parallel --micro-batch 256 --precision fp8");
}
END_TEST

/* Compiled kernels replace eager kernels. Compiled kernels have other launch costs than eager kernels, and fuse
 * pointwise ops. */
START_TEST(other_software) {
    static const char *const all[] = { "--software torch-compile", "--micro-batch 256", "--attention flash",
                                       "--optimizer adam8bit",     "--lora 16",         "--lora 16 --frozen nf4" };
    nnc_plan plan = single();
    plan.precision = NNC_FP16;
    plan.policy = NNC_POLICY_MIXED;
    device = *load_device("hw/v100-sxm2-32gb.json");
    model = gpt(2, 512, 8, 50257, 128);
    software = *load_software("software/torch-eager.json");
    compiled = load_software("software/torch-compile.json");
    find(&plan, false);
    check_list(&plan, all, COUNT_OF(all));
    ck_assert_str_eq(changes.together.options, "--micro-batch 512 --attention flash --software torch-compile");
}
END_TEST

/* The change is to the narrowest format in which the device multiplies faster: bf16, fp16 if the device has no bf16, or
 * TF32 if the device has no 16-bit format. */
START_TEST(precisions_of_devices) {
    const nnc_plan plan = single();
    device.matmul_flops_per_s[NNC_BF16] = (double)NAN;
    find(&plan, true);
    ck_assert_str_eq(changes.list[0].options, "--precision fp16 --policy mixed");
    device.matmul_flops_per_s[NNC_FP16] = (double)NAN;
    find(&plan, true);
    ck_assert_str_eq(changes.list[0].options, "--precision tf32");
    nnc_plan narrow = plan; /* for a plan with TF32, no change to another format is listed */
    narrow.precision = NNC_TF32;
    for (int i = find(&narrow, true) - 1; i >= 0; i--) {
        ck_assert_ptr_null(strstr(changes.list[i].options, "--precision"));
    }
}
END_TEST

static const nnc_plan_change *listed(const char *options) {
    for (int i = 0; i < changes.count; i++) {
        if (strcmp(changes.list[i].options, options) == 0) { return &changes.list[i]; }
    }
    return NULL;
}

/* Products with 2001 columns, an odd number, take 4 times as long as products with 2048 columns, which are aligned. If
 * the vocabulary is already padded or aligned, padding gains nothing. */
START_TEST(padding) {
    nnc_plan plan = single();
    device.efficiency.gemm[NNC_FP32].unaligned_ratio = device.efficiency.gemm[NNC_BF16].unaligned_ratio = 4.0;
    software.lists_operators = true; /* the profile runs eager kernels; a compiler would pad the operands itself */
    model.decoder.vocab = 2001;
    find(&plan, true);
    const nnc_result base = estimate_with(&model, &device, &software, &plan);
    const nnc_plan_change *padded = listed("--set vocab_multiple=128");
    ck_assert_ptr_nonnull(padded);
    check_change(&plan, &base, padded);
    find(&plan, false);
    ck_assert_ptr_nonnull(strstr(changes.together.options, "--set vocab_multiple=128"));
    check_change(&plan, &base, &changes.together);
    for (int i = 0; i < 2; i++) {
        model.decoder.vocab = i == 0 ? 2001 : 2048;
        model.decoder.vocab_multiple = i == 0 ? 8 : 1;
        find(&plan, true);
        ck_assert_ptr_null(listed("--set vocab_multiple=128"));
    }
}
END_TEST

/* Makes a recorded program of 512 tokens, whose head has `words` words of width 512. */
static void record_head(int words) {
    char text[1024];
    nnc_error err = { 0 };
    snprintf(
        text, sizeof text,
        "{\"schema\":\"nncost.capture/1\",\"source\":{},\"batch\":2,\"parameters\":{\"count\":%d,\"trained\":%d},"
        "\"modules\":[\"\"],\"ops\":["
        "{\"name\":\"aten.embedding.default\",\"phase\":\"forward\",\"module\":0,\"inputs\":[[\"float32\",[%d,512],0],"
        "[\"int64\",[512],2]],\"outputs\":[[\"float32\",[512,512],3]]},"
        "{\"name\":\"aten.mm.default\",\"phase\":\"forward\",\"module\":0,\"inputs\":[[\"float32\",[512,512],3],"
        "[\"float32\",[512,%d],1]],\"outputs\":[[\"float32\",[512,%d],4]]},"
        "{\"name\":\"aten.mm.default\",\"phase\":\"backward\",\"module\":0,\"inputs\":[[\"float32\",[%d,512],4],"
        "[\"float32\",[512,512],3]],\"outputs\":[[\"float32\",[%d,512],5]]}],\"storages\":["
        "[%d,\"parameter\",\"float32\",-1,9],[%d,\"parameter\",\"float32\",-1,9],[4096,\"input\",\"int64\",-1,9],"
        "[1048576,\"kept\",\"float32\",0,2],[%d,\"kept\",\"float32\",1,2],[%d,\"gradient\",\"float32\",2,3]],"
        "\"blocks\":[]}",
        2 * 512 * words, 2 * 512 * words, words, words, words, words, words, 2048 * words, 2048 * words, 2048 * words,
        2048 * words);
    const nnc_model *read = NULL;
    ck_assert_msg(nnc_model_parse(specs, "step.json", text, strlen(text), &read, &err) == NNC_OK, "%s: %s", err.where,
                  err.what);
    model = *read;
}

/* The products of a recorded head of 1001 words take 4 times as long. The products of a head of 1024 words are
 * aligned. */
START_TEST(recorded_words_are_padded) {
    const nnc_plan plan = nnc_plan_default();
    device.efficiency.gemm[NNC_FP32].unaligned_ratio = 4.0;
    software.lists_operators = true;
    for (int aligned = 0; aligned < 2; aligned++) {
        record_head(aligned ? 1024 : 1001);
        find(&plan, true);
        ck_assert((listed("--set vocab_multiple=128") == NULL) == aligned);
    }
}
END_TEST

/* The plan has ZeRO 3 over 8 devices, 8-bit Adam, full recomputation and a batch of 64. No optimizer is smaller. The
 * only change of recomputation is to recompute nothing. A larger micro-batch needs a larger global batch. The device
 * has no fp8. */
START_TEST(given_batch) {
    static const char *const all[] = { "--recompute none",       "--micro-batch 64 --global-batch 512",
                                       "--micro-batch 4",        "--lora 16",
                                       "--lora 16 --frozen nf4", "--data 4 --tensor 2" };
    nnc_plan plan = single();
    plan.precision = NNC_BF16;
    plan.policy = NNC_POLICY_MIXED;
    plan.attention = NNC_ATTENTION_FLASH;
    plan.data = 8;
    plan.zero = 3;
    plan.optimizer = NNC_OPTIMIZER_ADAM8BIT;
    plan.recompute = NNC_RECOMPUTE_FULL;
    plan.global_batch = 64;
    device = cluster_device();
    device.matmul_flops_per_s[NNC_FP8] = (double)NAN;
    find(&plan, false);
    check_list(&plan, all, COUNT_OF(all));
    ck_assert_str_eq(changes.together.options, "--micro-batch 128 --global-batch 1024 --recompute none");
}
END_TEST

/* A plan with the global batch 1 needs a larger global batch for each larger micro-batch. */
START_TEST(global_batch_of_one) {
    nnc_plan plan = single();
    plan.micro_batch = plan.global_batch = 1;
    find(&plan, false);
    ck_assert_ptr_nonnull(listed("--micro-batch 32 --global-batch 32"));
}
END_TEST

/* Four stages run 4 micro-batches. With one chunk of layers, a stage computes 4 passes and waits for 3 passes. With two
 * chunks, a stage waits half as long, so the step takes 5.5 passes instead of 7. With more chunks, the 8 layers are not
 * a multiple of stages x chunks. */
START_TEST(virtual_stages) {
    nnc_plan plan = single();
    plan.precision = NNC_BF16;
    plan.policy = NNC_POLICY_MIXED;
    plan.pipeline = 4;
    plan.micro_batches = 4;
    model = gpt(8, 512, 8, 2000, 128);
    device = cluster_device();
    find(&plan, false);
    const nnc_result base = estimate_with(&model, &device, &software, &plan);
    const nnc_plan_change *halved = listed("--virtual-stages 2");
    ck_assert_ptr_nonnull(halved);
    check_change(&plan, &base, halved);
    ck_assert_double_gt(halved->gain, 1.05);
    ck_assert_double_lt(halved->gain, 7.0 / 5.5);
}
END_TEST

/* A pipeline of two stages gains from more micro-batches, up to four for each stage: with m micro-batches, a step takes
 * the time of m + 1 passes for the work of m passes. If the user gives a batch, the number of micro-batches stays. */
START_TEST(micro_batches_of_a_pipeline) {
    nnc_plan plan = single();
    plan.precision = NNC_BF16;
    plan.policy = NNC_POLICY_MIXED;
    plan.pipeline = 2;
    device = cluster_device();
    for (int given = 0; given < 3; given++) {
        plan.micro_batches = given == 1 ? 1 : 0;
        plan.global_batch = given == 2 ? 8 : 0;
        find(&plan, false);
        const nnc_result base = estimate_with(&model, &device, &software, &plan);
        const nnc_plan_change *more = listed("--micro-batches 8");
        ck_assert_int_eq(base.plan.micro_batches, 1);
        ck_assert((more != NULL) == (given == 0));
        if (given > 0) { continue; }
        check_change(&plan, &base, more);
        ck_assert_int_eq(more->global_batch, 8 * base.plan.global_batch);
        ck_assert_double_gt(more->gain, 1.5);
    }
}
END_TEST

/* A plan with ZeRO 3 uses another software profile than a plan with ZeRO 1. The kernels of the profile for ZeRO 1 start
 * without delay. The change names this profile, because the profile is a cause of the gain. */
START_TEST(named_profile) {
    nnc_software sharded = nnc_software_default();
    nnc_profiles profiles = nnc_profiles_of_one(&software);
    nnc_plan plan = single();
    snprintf(sharded.id, sizeof sharded.id, "slow");
    software.launch_s = 0.0;
    sharded.launch_s = 1e-3;
    profiles.of[NNC_PROFILE_SHARDED] = &sharded;
    plan.data = 4;
    plan.zero = 3;
    device = cluster_device();
    device.host.kernel_s = 1e-5;
    const nnc_plan_change_ask ask = { .model = &model, .device = &device, .profiles = &profiles, .plan = &plan };
    ck_assert_int_gt(nnc_plan_changes_find(&ask, scratch, &changes), 0);
    bool named = false;
    for (int i = 0; i < changes.count; i++) {
        const char *zero = strstr(changes.list[i].options, "--zero"),
                   *profile = strstr(changes.list[i].options, " --so");
        ck_assert_msg((zero == NULL) == (profile == NULL), "%s", changes.list[i].options);
        named = named || profile != NULL;
    }
    ck_assert(named);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        one_device,    precisions_of_devices,     nothing_alone_fits, cluster,        other_software,
        padding,       recorded_words_are_padded, given_batch,        virtual_stages, micro_batches_of_a_pipeline,
        named_profile, global_batch_of_one
    };
    return run_tests_with("changes", set_up, close_support, tests, COUNT_OF(tests));
}
