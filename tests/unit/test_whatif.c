/* Tests the effect of a changed datasheet value on shipped devices. Fitted values are fractions of datasheet values, so
 * the fitted rates change in proportion to the datasheet values. */
#include "support.h"

static nnc_model model_of(const char *id) {
    const nnc_model *model = NULL;
    nnc_error err = { 0 };
    ck_assert_msg(nnc_model_load(specs, id, &model, &err) == NNC_OK, "%s", err.what);
    return *model;
}

static nnc_device device_of(const char *id) {
    const nnc_device *device = NULL;
    nnc_error err = { 0 };
    ck_assert_msg(nnc_device_load(specs, id, &device, &err) == NNC_OK, "%s", err.what);
    return *device;
}

static void set(nnc_device *device, const char *field, double value) {
    char text[40];
    nnc_error err = { 0 };
    snprintf(text, sizeof text, "%.17g", value);
    ck_assert_msg(nnc_device_set(device, field, text, &err) == NNC_OK, "%s: %s", field, err.what);
}

static double step_s(const nnc_model *model, const nnc_device *device, const nnc_plan *plan) {
    const nnc_software software = *load_software("software/torch-compile.json");
    return estimate_with(model, device, &software, plan).step_s;
}

/* A step on one device with 8 passes of 4 sequences of 2,048 tokens; products take most of the time. */
static nnc_plan compute_bound(void) {
    nnc_plan plan = nnc_plan_default();
    plan.micro_batch = 4;
    plan.micro_batches = 8;
    plan.seq_len = 2048;
    return plan;
}

START_TEST(twice_the_peak_is_nearly_twice_as_fast) {
    static const struct {
        const char *device, *peak;
        double value;
    } cases[] = { { "v100", "matmul_flops_per_s.fp16", 250e12 },    { "a100", "matmul_flops_per_s.bf16", 624e12 },
                  { "h100", "matmul_flops_per_s.bf16", 1978.8e12 }, { "h200", "matmul_flops_per_s.bf16", 1978.8e12 },
                  { "b200", "matmul_flops_per_s.bf16", 4500e12 },   { "gb200", "matmul_flops_per_s.bf16", 5000e12 } };
    const nnc_model model = model_of("llama3-8b");
    const nnc_plan plan = compute_bound();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        nnc_device device = device_of(cases[i].device);
        const double before_s = step_s(&model, &device, &plan);
        set(&device, cases[i].peak, cases[i].value);
        const double after_s = step_s(&model, &device, &plan);
        ck_assert_msg(before_s / after_s >= 1.7, "%s: %.3f", cases[i].device, before_s / after_s);
    }
}
END_TEST

/* Returns a device with the datasheet values of `to` and the fitted values of `from`. */
static nnc_device become(const nnc_device *from, const nnc_device *to) {
    nnc_device device = *from;
    memcpy(device.matmul_flops_per_s, to->matmul_flops_per_s, sizeof device.matmul_flops_per_s);
    memcpy(device.vector_flops_per_s, to->vector_flops_per_s, sizeof device.vector_flops_per_s);
    device.units = to->units;
    device.clock_hz = to->clock_hz;
    device.mem_bytes = to->mem_bytes;
    device.mem_bytes_per_s = to->mem_bytes_per_s;
    device.l2_bytes = to->l2_bytes;
    device.scratch_bytes = to->scratch_bytes;
    device.scale_up = to->scale_up;
    device.scale_out = to->scale_out;
    device.host = to->host;
    return device;
}

START_TEST(a_datasheet_gets_near_the_device_it_describes) {
    static const char *const pairs[][2] = {
        { "v100", "a100" }, { "a100", "h100" }, { "h100", "h200" }, { "h100", "b200" }
    };
    enum { PLANS = 4 };
    nnc_plan plans[PLANS] = { compute_bound(), nnc_plan_default(), nnc_plan_default(), nnc_plan_default() };
    const nnc_model models[PLANS] = { model_of("llama3-8b"), model_of("llama2-7b"), model_of("gpt2-xl"),
                                      model_of("mixtral-8x7b") };
    plans[1].devices = 16;
    plans[1].zero = 2;
    plans[2].micro_batch = 8;
    plans[3].devices = 8;
    plans[3].expert = 8;
    plans[3].zero = 1;
    plans[3].micro_batch = 2;
    for (size_t i = 0; i < 4; i++) {
        const nnc_device from = device_of(pairs[i][0]), to = device_of(pairs[i][1]);
        nnc_device changed = become(&from, &to);
        /* FlashAttention-2 reaches 0.50 of the peak of A100 and 0.36 of the peak of H100, because it does not use the
         * product instructions of H100. A datasheet does not contain the fraction of the peak that a kernel reaches. */
        changed.efficiency.attention[NNC_FLASH2] = to.efficiency.attention[NNC_FLASH2];
        for (int k = 0; k < PLANS; k++) {
            nnc_plan plan = plans[k];
            plan.precision = NNC_BF16;
            /* FlashAttention 1 is the only attention kernel of V100 */
            if (i == 0) { plan.attention = NNC_ATTENTION_FLASH1; }
            const double ratio = step_s(&models[k], &changed, &plan) / step_s(&models[k], &to, &plan);
            ck_assert_msg(fabs(ratio - 1.0) < 0.15, "%s -> %s, plan %d: %.3f", pairs[i][0], pairs[i][1], k, ratio);
        }
    }
}
END_TEST

/* The rate of the L2 cache is 0.01 B/FLOP x peak, unless the rate is given. */
START_TEST(the_cache_goes_with_the_peak_unless_it_is_set) {
    nnc_device device = device_of("a100");
    const nnc_model model = model_of("llama3-8b");
    const nnc_plan plan = compute_bound();
    set(&device, "efficiency.gemm.bf16.l2_bytes_per_flop", 0.01);
    const double relative_s = step_s(&model, &device, &plan);
    set(&device, "efficiency.gemm.bf16.l2_bytes_per_s", 0.01 * 312e12);
    ck_assert_double_eq_tol(step_s(&model, &device, &plan), relative_s, 1e-12 * relative_s);
    set(&device, "matmul_flops_per_s.bf16", 624e12);
    ck_assert_double_gt(step_s(&model, &device, &plan), 0.9 * relative_s);
}
END_TEST

/* A100 has 312 TFLOP/s with 108 units at 1.41 GHz. */
START_TEST(peaks_go_with_units_and_clock) {
    nnc_device device = device_of("a100"), other = device;
    set(&device, "units", 54);
    ck_assert_double_eq(device.matmul_flops_per_s[NNC_BF16], 156e12);
    ck_assert_double_eq(device.vector_flops_per_s[NNC_FP32], 19.5e12 / 2);
    set(&device, "clock_hz", 2.82e9);
    ck_assert_double_eq(device.matmul_flops_per_s[NNC_BF16], 312e12);
    set(&device, "matmul_flops_per_s.bf16", 400e12);
    set(&device, "units", 108);
    ck_assert_double_eq(device.matmul_flops_per_s[NNC_BF16], 400e12);
    ck_assert_double_eq(device.matmul_flops_per_s[NNC_FP16], 624e12);
    /* the order makes no difference */
    set(&other, "matmul_flops_per_s.bf16", 400e12);
    set(&other, "clock_hz", 2.82e9);
    ck_assert_mem_eq(other.matmul_flops_per_s, device.matmul_flops_per_s, sizeof device.matmul_flops_per_s);
}
END_TEST

/* The device file of A100 has no values for tf32 and int8, so they have the values of bf16. Elements of bf16 have half
 * of the bytes of tf32 and twice the bytes of int8. */
START_TEST(formats_without_figures_take_those_of_the_nearest) {
    const nnc_device device = device_of("a100"), volta = device_of("v100");
    const nnc_gemm_efficiency *e = device.efficiency.gemm;
    ck_assert_double_eq(e[NNC_TF32].sustained_fraction, e[NNC_BF16].sustained_fraction);
    ck_assert_double_eq(e[NNC_TF32].l2_bytes_per_flop, 2 * e[NNC_BF16].l2_bytes_per_flop);
    ck_assert_double_eq(e[NNC_INT8].l2_bytes_per_flop, e[NNC_BF16].l2_bytes_per_flop / 2);
    ck_assert_double_eq(volta.efficiency.gemm[NNC_BF16].sustained_fraction,
                        volta.efficiency.gemm[NNC_FP16].sustained_fraction);
    ck_assert_double_eq(volta.efficiency.gemm[NNC_FP32].sustained_fraction, 0.75);
    const nnc_device b200 = device_of("b200");
    ck_assert_double_eq(b200.efficiency.gemm[NNC_INT8].sustained_fraction,
                        b200.efficiency.gemm[NNC_FP8].sustained_fraction);
}
END_TEST

/* A width of 1,280 sets 20 heads of 64 and an inner width of 5,120. 48 layers have 12 l h^2 + 13 l h parameters; the
 * tables of words and positions and the last norm follow. */
START_TEST(a_width_takes_heads_and_layers_with_it) {
    nnc_model model = model_of("gpt2-xl");
    const nnc_device device = device_of("a100");
    const nnc_plan plan = nnc_plan_default();
    nnc_error err = { 0 };
    ck_assert_int_eq(nnc_model_set(&model, "hidden", "1280", &err), NNC_OK);
    ck_assert_int_eq(model.decoder.heads, 20);
    ck_assert_int_eq(model.decoder.head_dim, 64);
    ck_assert_int_eq(model.decoder.ffn_hidden, 5120);
    ck_assert_int_eq(estimate_with(&model, &device, load_software("software/torch-compile.json"), &plan).params,
                     48LL * (12 * 1280 * 1280 + 13 * 1280) + (50257LL + 1024) * 1280 + 2 * 1280);
    ck_assert_int_eq(nnc_model_set(&model, "hidden", "1600", &err), NNC_OK);
    ck_assert_int_eq(model.decoder.heads, 25);
    ck_assert_int_eq(model.decoder.ffn_hidden, 6400);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        twice_the_peak_is_nearly_twice_as_fast,
        a_datasheet_gets_near_the_device_it_describes,
        the_cache_goes_with_the_peak_unless_it_is_set,
        peaks_go_with_units_and_clock,
        formats_without_figures_take_those_of_the_nearest,
        a_width_takes_heads_and_layers_with_it,
    };
    return run_tests("whatif", tests, COUNT_OF(tests));
}
