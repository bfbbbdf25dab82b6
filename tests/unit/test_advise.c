/* Tests advice for plans that do not fit in memory. The changed plan must fit. If changes that keep the training result
 * make the plan fit, no such change may give a faster plan than the first advice. The advice must name the options of
 * the change. */
#include "support.h"

enum { MOST = 8 };

/* The model has 12 layers of width 256 and runs 16 sequences. Each test sets the memory size of the device. */
static nnc_model model_of(void) { return gpt(12, 256, 4, 2000, 128); }

static nnc_plan plan_of(void) {
    nnc_plan plan = nnc_plan_default();
    plan.micro_batch = 16;
    plan.precision = NNC_BF16;
    return plan;
}

static nnc_device device_of(int64_t mem_bytes) {
    nnc_device device = plain_device();
    device.mem_bytes = mem_bytes;
    return device;
}

static nnc_result result_on(int64_t mem_bytes, const nnc_plan *plan) {
    const nnc_model model = model_of();
    const nnc_device device = device_of(mem_bytes);
    const nnc_software software = nnc_software_default();
    return estimate_with(&model, &device, &software, plan);
}

static int advise(int64_t mem_bytes, const nnc_plan *plan, nnc_advice *advice, int max) {
    const nnc_model model = model_of();
    const nnc_device device = device_of(mem_bytes);
    const nnc_software software = nnc_software_default();
    return nnc_advise(&model, &device, &software, plan, scratch, advice, max);
}

static const unsigned recompute[] = { NNC_RECOMPUTE_ATTENTION, NNC_RECOMPUTE_NORM,
                                      NNC_RECOMPUTE_NORM | NNC_RECOMPUTE_ACTIVATION, NNC_RECOMPUTE_FULL };

/* Tests whether the model fits if the plan changes only the settings in `set`. Estimates all plans that differ from the
 * given plan only in the settings in `set`, without the advice of the library. The function halves the micro-batch as
 * long as it is even. */
static bool any_fits(int64_t mem_bytes, const nnc_plan *plan, unsigned set) {
    int64_t batches[64] = { plan->micro_batch }, count = 1;
    while (batches[count - 1] % 2 == 0) {
        batches[count] = batches[count - 1] / 2;
        count++;
    }
    for (int64_t i = 0; i < count; i++) {
        for (size_t r = 0; r < COUNT_OF(recompute); r++) {
            nnc_plan tried = *plan;
            tried.micro_batch = (set & 1U) != 0 ? batches[i] : plan->micro_batch;
            tried.recompute |= (set & 2U) != 0 ? recompute[r] : NNC_RECOMPUTE_NONE;
            if ((set & 4U) != 0 && plan->precision == NNC_FP32) {
                tried.precision = NNC_BF16;
                tried.policy = NNC_POLICY_MIXED;
            }
            if ((set & 8U) != 0 && plan->optimizer == NNC_OPTIMIZER_ADAMW) { tried.optimizer = NNC_OPTIMIZER_ADAM8BIT; }
            if ((set & 16U) != 0 && plan->precision != NNC_FP32) { tried.policy = NNC_POLICY_BF16_PURE; }
            if (result_on(mem_bytes, &tried).verdict == NNC_FITS) { return true; }
        }
    }
    return false;
}

/* Returns the smallest number of kinds of change with which some plan fits. 6 = no plan fits. */
static int fewest_changes(int64_t mem_bytes, const nnc_plan *plan) {
    int fewest = 6;
    for (unsigned set = 1; set < 32; set++) {
        int bits = 0;
        for (unsigned rest = set; rest != 0; rest &= rest - 1) { bits++; }
        if (bits < fewest && any_fits(mem_bytes, plan, set)) { fewest = bits; }
    }
    return fewest;
}

/* Returns the step time of the fastest plan that fits and differs from the given plan only in micro-batch and
 * recomputation. Tries all combinations of micro-batch and recomputation, without the advice of the library. Infinite =
 * no plan fits. */
static double fastest_gentle_s(int64_t mem_bytes, const nnc_plan *plan) {
    double fastest_s = INFINITY;
    for (int64_t batch = plan->micro_batch, passes = plan->micro_batches;; batch /= 2, passes *= 2) {
        for (size_t r = 0; r <= COUNT_OF(recompute); r++) {
            nnc_plan tried = *plan;
            tried.micro_batch = batch;
            tried.micro_batches = passes > 0 ? passes : batch == plan->micro_batch ? 0 : plan->micro_batch / batch;
            tried.recompute |= r > 0 ? recompute[r - 1] : NNC_RECOMPUTE_NONE;
            const nnc_result result = result_on(mem_bytes, &tried);
            fastest_s = result.verdict == NNC_FITS && result.step_s < fastest_s ? result.step_s : fastest_s;
        }
        if (batch % 2 != 0) { return fastest_s; }
    }
}

/* Sets the fields of a plan from the options in the text of an advice. */
static nnc_plan typed(const nnc_plan *plan, const char *text) {
    nnc_plan result = *plan;
    char copy[sizeof((nnc_advice *)0)->text], field[64];
    char *at = NULL;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *option = strtok_r(copy, " ", &at); option != NULL; option = strtok_r(NULL, " ", &at)) {
        const char *value = strtok_r(NULL, " ", &at);
        nnc_error err = { 0 };
        ck_assert_msg(strncmp(option, "--", 2) == 0 && value != NULL, "%s", text);
        snprintf(field, sizeof field, "%s", option + 2);
        for (char *dash = strchr(field, '-'); dash != NULL; dash = strchr(dash, '-')) { *dash = '_'; }
        ck_assert_msg(nnc_plan_set(&result, field, value, &err) == NNC_OK, "%s: %s", err.where, err.what);
    }
    return result;
}

static void check_advice(int64_t mem_bytes, const nnc_plan *plan, const nnc_advice *advice) {
    const nnc_result asked = result_on(mem_bytes, plan), r = result_on(mem_bytes, &advice->plan);
    ck_assert_int_eq(r.verdict, NNC_FITS);
    ck_assert_int_eq(r.memory.total_bytes, advice->total_bytes);
    ck_assert_double_eq(r.step_s, advice->step_s);
    ck_assert_int_le(advice->total_bytes, mem_bytes);
    ck_assert_int_eq(r.plan.global_batch, asked.plan.global_batch); /* the same training */
    if (strstr(advice->text, "--seq-len") == NULL && strstr(advice->text, "--lora") == NULL) {
        ck_assert_double_eq(r.model_flops, asked.model_flops);
    }
    const nnc_plan options = typed(plan, advice->text);
    const nnc_result retyped = result_on(mem_bytes, &options);
    ck_assert_int_eq(retyped.verdict, NNC_FITS);
    ck_assert_int_eq(retyped.memory.total_bytes, advice->total_bytes);
    ck_assert_double_eq(retyped.step_s, advice->step_s);
}

/* The memory of the device decreases from slightly too small to almost nothing. If changes that keep the training
 * result suffice, the first advice is the fastest plan with such changes. If no change that keeps the training result
 * suffices, the advice has the smallest number of changes with which the plan fits. */
START_TEST(fastest_then_fewest) {
    nnc_plan plans[4] = { plan_of(), plan_of(), plan_of(), plan_of() };
    plans[1].precision = NNC_FP32;
    plans[2].attention = NNC_ATTENTION_UNFUSED;
    plans[2].micro_batches = 3;
    plans[3].optimizer = NNC_OPTIMIZER_LION;
    plans[3].micro_batch = 12; /* halves to 3 */
    for (size_t p = 0; p < COUNT_OF(plans); p++) {
        const int64_t needed = result_on(1, &plans[p]).memory.total_bytes;
        bool gentle = false, other = false, none = false;
        for (int64_t percent = 99; percent > 1; percent -= 7) {
            const int64_t mem_bytes = needed / 100 * percent;
            nnc_advice advice[MOST];
            const int count = advise(mem_bytes, &plans[p], advice, MOST);
            const int expected = fewest_changes(mem_bytes, &plans[p]);
            const double fastest_s = fastest_gentle_s(mem_bytes, &plans[p]);
            ck_assert(count > 0 || expected == 6);
            gentle = gentle || isfinite(fastest_s);
            other = other || (!isfinite(fastest_s) && expected < 6);
            none = none || expected == 6;
            for (int i = 0; i < count; i++) {
                ck_assert(isfinite(fastest_s) || advice[i].changes <= expected);
                ck_assert(i == 0 || !isfinite(fastest_s) || advice[i].step_s >= advice[i - 1].step_s);
                check_advice(mem_bytes, &plans[p], &advice[i]);
                for (int j = 0; j < i; j++) { ck_assert_str_ne(advice[i].text, advice[j].text); }
            }
            if (isfinite(fastest_s)) { ck_assert_double_le(advice[0].step_s, 1.03 * fastest_s); }
        }
        ck_assert(gentle && other && none); /* every case occurred */
    }
}
END_TEST

/* If a plan with half of the micro-batch fits, the list of advice contains this plan, not only a plan with an
 * eighth. */
START_TEST(mildest_step) {
    nnc_plan plan = plan_of(), half = plan;
    nnc_advice advice[MOST];
    half.micro_batch = 8;
    half.micro_batches = 2;
    const int64_t mem_bytes = result_on(1, &half).memory.total_bytes;
    const int count = advise(mem_bytes, &plan, advice, MOST);
    ck_assert_int_ge(count, 1);
    bool found = false;
    for (int i = 0; i < count; i++) {
        found = found || (strcmp(advice[i].text, "--micro-batch 8 --micro-batches 2") == 0 && advice[i].changes == 1 &&
                          advice[i].plan.micro_batch == 8 && advice[i].plan.micro_batches == 2 &&
                          advice[i].total_bytes == mem_bytes);
    }
    ck_assert(found);
}
END_TEST

START_TEST(nothing_helps) {
    nnc_advice advice[MOST];
    const nnc_plan plan = plan_of();
    ck_assert_int_eq(advise(1000, &plan, advice, MOST), 0);
    nnc_plan illegal = plan; /* this plan is not legal */
    illegal.image = 64;
    ck_assert_int_eq(advise(INT64_C(1) << 40, &illegal, advice, MOST), 0);
}
END_TEST

/* The logits of one long sequence with a large vocabulary are most of the memory. Logits in 16 bits need half of the
 * bytes of fp32 logits. The advice names the 16-bit format that the device has, bf16 or fp16. */
START_TEST(sixteen_bits_of_either_kind) {
    const nnc_model model = gpt(2, 64, 2, 50000, 512);
    const nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default(), narrow = plan;
    nnc_device device = device_of(INT64_C(1) << 40);
    device.matmul_flops_per_s[NNC_FP32] = 10e12;
    plan.precision = NNC_FP32;
    narrow.precision = NNC_BF16;
    const int64_t most = estimate_with(&model, &device, &software, &plan).memory.total_bytes;
    const int64_t least = estimate_with(&model, &device, &software, &narrow).memory.total_bytes;
    ck_assert_int_lt(least, most * 8 / 10);
    for (int kinds = 0; kinds < 4; kinds++) {
        nnc_advice advice[MOST];
        bool has = false;
        device.mem_bytes = (most + least) / 2 * 10 / 9;
        device.matmul_flops_per_s[NNC_BF16] = (kinds & 1) != 0 ? 100e12 : (double)NAN;
        device.matmul_flops_per_s[NNC_FP16] = (kinds & 2) != 0 ? 100e12 : (double)NAN;
        const int count = nnc_advise(&model, &device, &software, &plan, scratch, advice, MOST);
        for (int i = 0; i < count; i++) { has = has || strstr(advice[i].text, "--precision") != NULL; }
        ck_assert_msg(has == (kinds != 0), "%d: %d, %s", kinds, count, count > 0 ? advice[0].text : "");
    }
}
END_TEST

/* The function writes at most as many advices as the caller's array can hold. An array that is smaller than the list of
 * advice gets the first entries of this list. */
START_TEST(room) {
    const nnc_plan plan = plan_of();
    const int64_t mem_bytes = result_on(1, &plan).memory.total_bytes - 1;
    nnc_advice all[MOST], some[MOST];
    const int count = advise(mem_bytes, &plan, all, MOST);
    ck_assert_int_gt(count, 1);
    for (int max = 0; max <= count; max++) {
        ck_assert_int_eq(advise(mem_bytes, &plan, some, max), max);
        for (int i = 0; i < max; i++) { ck_assert_str_eq(some[i].text, all[i].text); }
    }
}
END_TEST

/* The device gets more and more memory until the plan fits. The array gets at most the requested number of advices, and
 * every advice fits. No advice makes the sequence shorter than 256 tokens, with and without adapters. */
START_TEST(no_advice_goes_too_far) {
    nnc_plan plans[] = { plan_of(), plan_of() };
    int shorter = 0, gentle = 0, none = 0;
    for (size_t p = 0; p < COUNT_OF(plans); p++) {
        nnc_model model = model_of();
        model.decoder.seq_len = 2048;
        const nnc_software software = nnc_software_default();
        plans[p].micro_batch = 1;
        plans[p].adapter_rank = p == 0 ? 0 : 8;
        nnc_device device = device_of(1);
        const int64_t whole = estimate_with(&model, &device, &software, &plans[p]).memory.total_bytes;
        for (int i = 1; i < 40; i++) {
            device.mem_bytes = whole * i / 40;
            for (int max = 1; max <= 3; max++) {
                nnc_advice advice[4];
                advice[max].changes = -7;
                const int count = nnc_advise(&model, &device, &software, &plans[p], scratch, advice, max);
                ck_assert_int_le(count, max);
                ck_assert_int_eq(advice[max].changes, -7);
                for (int k = 0; k < count; k++) {
                    const nnc_result r = estimate_with(&model, &device, &software, &advice[k].plan);
                    ck_assert_int_eq(r.verdict, NNC_FITS);
                    ck_assert_int_ge(r.plan.seq_len, 256);
                    ck_assert_int_eq(2048 % r.plan.seq_len, 0);
                    shorter += r.plan.seq_len == 256;
                    gentle += r.plan.seq_len == 2048;
                }
                none += count == 0;
            }
        }
    }
    ck_assert(shorter > 0 && gentle > 0 && none > 0);
}
END_TEST

/* If the user gives the global batch, the advice keeps the global batch. */
START_TEST(given_global_batch) {
    nnc_plan plan = plan_of();
    nnc_advice advice[MOST];
    plan.global_batch = 64;
    const int64_t mem_bytes = result_on(1, &plan).memory.total_bytes / 2;
    const int count = advise(mem_bytes, &plan, advice, MOST);
    ck_assert_int_gt(count, 0);
    for (int i = 0; i < count; i++) {
        check_advice(mem_bytes, &plan, &advice[i]);
        ck_assert_int_eq(advice[i].plan.global_batch, 64);
    }
}
END_TEST

/* Full recomputation includes all partial kinds of recomputation. So a partial kind of recomputation does not change an
 * estimate with full recomputation. */
START_TEST(full_contains_the_others) {
    nnc_plan plan = plan_of();
    plan.recompute = NNC_RECOMPUTE_FULL;
    const nnc_result alone = result_on(1, &plan);
    plan.recompute |= NNC_RECOMPUTE_NORM | NNC_RECOMPUTE_ACTIVATION;
    const nnc_result both = result_on(1, &plan);
    ck_assert_int_eq((int)both.plan.recompute, NNC_RECOMPUTE_FULL);
    ck_assert_int_eq(both.memory.total_bytes, alone.memory.total_bytes);
    ck_assert_double_eq(both.step_s, alone.step_s);
}
END_TEST

/* In this test, the plan already recomputes some ops. No advice occurs twice, and each advice changes the plan. */
START_TEST(advice_does_not_repeat) {
    const unsigned parts[] = { NNC_RECOMPUTE_NORM, NNC_RECOMPUTE_NORM | NNC_RECOMPUTE_ACTIVATION,
                               NNC_RECOMPUTE_ATTENTION, NNC_RECOMPUTE_ATTENTION | NNC_RECOMPUTE_NORM };
    for (size_t p = 0; p < COUNT_OF(parts); p++) {
        nnc_plan plan = plan_of();
        nnc_advice advice[MOST];
        plan.recompute = parts[p];
        const int64_t most_bytes = result_on(1, &plan).memory.total_bytes;
        for (int64_t mem_bytes = most_bytes / 2; mem_bytes < most_bytes; mem_bytes += most_bytes / 16) {
            const int count = advise(mem_bytes, &plan, advice, MOST);
            for (int i = 0; i < count; i++) {
                check_advice(mem_bytes, &plan, &advice[i]);
                for (int k = 0; k < i; k++) { ck_assert_str_ne(advice[i].text, advice[k].text); }
            }
        }
    }
}
END_TEST

/* A plan with full recomputation gets no advice to recompute, and no advice occurs twice. */
START_TEST(advice_changes_only_what_can_change) {
    nnc_plan plan = plan_of();
    int found = 0;
    plan.recompute = NNC_RECOMPUTE_FULL;
    plan.micro_batch = 1;
    for (int64_t mem = 4000000; mem < 400000000; mem = mem * 5 / 4) {
        nnc_advice advice[MOST];
        const int count = advise(mem, &plan, advice, MOST);
        found += count;
        for (int i = 0; i < count; i++) {
            ck_assert_ptr_null(strstr(advice[i].text, "--recompute"));
            ck_assert_uint_eq(((const nnc_plan *)&advice[i].plan)->recompute, NNC_RECOMPUTE_FULL);
            for (int k = 0; k < i; k++) { ck_assert_str_ne(advice[i].text, advice[k].text); }
        }
    }
    ck_assert_int_gt(found, 0);
}
END_TEST

/* Sequences of 127 tokens are not a multiple of two tensor ranks, so sequence parallelism is illegal. The plan with all
 * changes that keep the training result includes sequence parallelism, so this plan is illegal, too. The device has
 * exactly the memory of the smallest micro-batch with full recomputation. The smaller micro-batch and full
 * recomputation fit together, but neither change fits alone. The proposed plan has the same precision, optimizer and
 * sequence length as the given plan. */
START_TEST(gentle_changes_with_an_illegal_one) {
    const nnc_model model = gpt(12, 256, 4, 2000, 127);
    const nnc_software software = nnc_software_default();
    nnc_device device = plain_device();
    nnc_plan plan = plan_of();
    nnc_advice advice[MOST];
    device.scale_up =
        (nnc_scale_up){ .kind = NNC_LINK_SWITCH, .devices = 8, .bytes_per_s = 300e9, .latency_s = (double)NAN };
    plan.tensor = 2;
    plan.devices = plan.devices_per_node = 2;
    nnc_plan small = plan;
    small.micro_batch = 1;
    small.micro_batches = 16;
    small.recompute = NNC_RECOMPUTE_FULL;
    device.mem_bytes = estimate_with(&model, &device, &software, &small).memory.total_bytes;
    const int count = nnc_advise(&model, &device, &software, &plan, scratch, advice, MOST);
    ck_assert_int_gt(count, 0);
    ck_assert_str_eq(advice[0].text, "--micro-batch 1 --micro-batches 16 --recompute full");
    for (int i = 0; i < count; i++) {
        const nnc_plan fitting = advice[i].plan;
        ck_assert_int_eq(fitting.precision, NNC_BF16);
        ck_assert_int_eq(fitting.optimizer, NNC_OPTIMIZER_ADAMW);
        ck_assert_int_eq(fitting.seq_len, 127);
        ck_assert_int_eq(estimate_with(&model, &device, &software, &fitting).verdict, NNC_FITS);
    }
}
END_TEST

/* Measured peaks may be 20 % above the expected memory. On the smallest device that gets advice, the plan fits only
 * tightly: the expected memory fits, but 120 % of the expected memory do not fit. On a device with 1.2 times the memory
 * of the smallest device that gets advice, a plan fits. */
START_TEST(the_last_advice_is_tight) {
    const nnc_model model = model_of();
    const nnc_plan plan = plan_of();
    nnc_software software = nnc_software_default();
    nnc_device device = device_of(1000000);
    nnc_advice advice[MOST];
    int count = 0;
    software.reserve.high = 1.2;
    while (count == 0) {
        device.mem_bytes += device.mem_bytes / 32;
        count = nnc_advise(&model, &device, &software, &plan, scratch, advice, MOST);
    }
    ck_assert_int_eq(count, 1);
    ck_assert_int_eq(advice[0].verdict, NNC_TIGHT);
    ck_assert_int_le(advice[0].total_bytes, device.mem_bytes);
    ck_assert_int_gt(advice[0].total_bytes * 6 / 5, device.mem_bytes);
    device.mem_bytes = advice[0].total_bytes * 6 / 5 + 1;
    ck_assert_int_gt(nnc_advise(&model, &device, &software, &plan, scratch, advice, MOST), 0);
    ck_assert_int_eq(advice[0].verdict, NNC_FITS);
}
END_TEST

int main(void) {
    const TTest *const tests[] = { fastest_then_fewest,
                                   mildest_step,
                                   nothing_helps,
                                   sixteen_bits_of_either_kind,
                                   room,
                                   given_global_batch,
                                   full_contains_the_others,
                                   advice_does_not_repeat,
                                   no_advice_goes_too_far,
                                   advice_changes_only_what_can_change,
                                   gentle_changes_with_an_illegal_one,
                                   the_last_advice_is_tight };
    return run_tests("advise", tests, COUNT_OF(tests));
}
