/* Tests how the power limit of a device makes a step longer: by hand from the rows of a step, and on shipped devices.
 * */
#include "answers.h"

static nnc_result run_on(const nnc_device *device) {
    const nnc_model model = gpt(4, 1024, 8, 5000, 256);
    const nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    plan.micro_batch = 4;
    return estimate_with(&model, device, &software, &plan);
}

/* The device draws 100 W when idle, and its limit is 400 W. At their peak, the matrix units draw 600 W and the memory
 * 100 W. */
static nnc_device hungry_device(void) {
    nnc_device device = plain_device();
    device.power_w = 400;
    device.power_cap_w = NAN;
    device.efficiency.gemm[NNC_BF16].power_share = 1.5;
    device.efficiency.power = (nnc_power_efficiency){ 0.25, 0.25, 0.5 };
    return device;
}

/* Returns the mean power in W that the rows of the last estimate draw above idle. pass_s: the seconds of these rows. */
static double drawn_w(const nnc_device *device, double *pass_s) {
    int32_t count = 0;
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    double joules = 0.0;
    *pass_s = 0.0;
    for (int32_t i = 0; i < count; i++) {
        const nnc_work *w = &rows[i].work;
        if (rows[i].op->phase == NNC_PHASE_UPDATE) { continue; }
        joules += 600.0 * w->flops / device->matmul_flops_per_s[NNC_BF16] * rows[i].repeat;
        joules += 100.0 * bytes_of(w) / device->mem_bytes_per_s * rows[i].repeat;
        *pass_s += rows[i].time_s * rows[i].repeat;
    }
    return joules / *pass_s;
}

START_TEST(a_pass_takes_longer_by_the_power_it_lacks) {
    nnc_device device = hungry_device(), free_device = hungry_device();
    double pass_s = 0.0, slow_s = 0.0;
    free_device.efficiency.power.exponent = 0;
    const nnc_result free = run_on(&free_device);
    const double watts = drawn_w(&device, &pass_s);
    ck_assert_double_gt(watts, 300.0); /* at 300 W or less, the power limit does not slow down the pass */
    const nnc_result held = run_on(&device);
    (void)drawn_w(&device, &slow_s);
    ck_assert_double_eq_tol(slow_s / pass_s, sqrt(watts / 300.0), 1e-9);
    ck_assert_double_eq_tol(held.step_s - free.step_s, slow_s - pass_s, 1e-9 * held.step_s);
    ck_assert_double_eq(held.lower_bound_s, free.lower_bound_s);
}
END_TEST

START_TEST(a_cap_is_a_lower_limit) {
    nnc_device device = hungry_device();
    double pass_s = 0.0, slow_s = 0.0;
    const nnc_result board = run_on(&device);
    device.power_cap_w = 1000; /* a cap above the limit of the board changes nothing */
    ck_assert_double_eq(run_on(&device).step_s, board.step_s);
    ck_assert_double_eq(run_on(&device).energy_j, board.energy_j);
    device.efficiency.power.exponent = 0; /* with exponent 0, power does not slow down the clock */
    (void)run_on(&device);
    const double watts = drawn_w(&device, &pass_s);
    device.efficiency.power.exponent = 0.5;
    device.power_cap_w = 300;
    const nnc_result capped = run_on(&device);
    (void)drawn_w(&device, &slow_s);
    ck_assert_double_eq_tol(slow_s / pass_s, sqrt(watts / 200.0), 1e-9);
    ck_assert_double_eq_tol(capped.energy_j, 300.0 * capped.step_s, 1e-9 * capped.energy_j);
}
END_TEST

/* The idle device already draws all of its power, so a slower clock cannot bring the device below the limit, and nncost
 * does not slow down the clock. */
START_TEST(a_limit_without_room_slows_nothing) {
    nnc_device device = hungry_device();
    device.efficiency.power.idle_share = 1.0;
    const double step_s = run_on(&device).step_s;
    device.efficiency.power.exponent = 0;
    ck_assert_double_eq(step_s, run_on(&device).step_s);
}
END_TEST

START_TEST(a_cap_that_cannot_be_judged_is_refused) {
    const nnc_model model = gpt(4, 1024, 8, 5000, 256);
    const nnc_software software = nnc_software_default();
    const nnc_plan plan = nnc_plan_default();
    nnc_device device = hungry_device();
    nnc_result result;
    nnc_error err = { 0 };
    device.power_cap_w = 100; /* the power of the idle device */
    ck_assert_int_eq(nnc_estimate(&model, &device, &software, &plan, scratch, &result, &err), NNC_BAD_SPEC);
    ck_assert_str_eq(err.where, "--power-cap");
    device.power_cap_w = 101;
    ck_assert_int_eq(nnc_estimate(&model, &device, &software, &plan, scratch, &result, &err), NNC_OK);
    device.efficiency.power.exponent = 0;
    ck_assert_int_eq(nnc_estimate(&model, &device, &software, &plan, scratch, &result, &err), NNC_BAD_SPEC);
    ck_assert_ptr_nonnull(strstr(err.what, "efficiency.power"));
}
END_TEST

START_TEST(work_below_the_limit_is_not_held) {
    nnc_device device = hungry_device();
    device.efficiency.gemm[NNC_BF16].power_share = 0.1;
    const nnc_result cool = run_on(&device);
    device.efficiency.power.exponent = 0;
    ck_assert_double_eq(run_on(&device).step_s, cool.step_s);
    /* power_share = NAN: the power of the matrix units is not known, so it limits nothing */
    device.efficiency.power.exponent = 0.5;
    device.efficiency.gemm[NNC_BF16].power_share = NAN;
    ck_assert_double_eq(run_on(&device).step_s, cool.step_s);
}
END_TEST

/* power_share is a share at the peak: matrix units with twice the peak also draw 600 W at this peak, and the step is
 * shorter. */
START_TEST(a_doubled_peak_still_pays) {
    nnc_device device = hungry_device();
    const double before_s = run_on(&device).step_s;
    device.matmul_flops_per_s[NNC_BF16] *= 2;
    ck_assert_double_lt(run_on(&device).step_s, before_s);
}
END_TEST

/* In eager FSDP, the matrix units of an H100 are often idle, so the mean power stays below the limit. The case is the
 * 7B model of llm-foundry. */
START_TEST(eager_steps_on_h100_are_not_held) {
    const nnc_model *model = load_model("models/llama2-7b.json");
    nnc_device device = *load_device("hw/h100-sxm5-80gb.json");
    nnc_plan plan = nnc_plan_default();
    const nnc_software *software = NULL;
    nnc_error err = { 0 };
    ck_assert_int_eq(nnc_software_load(specs, "fsdp", &software, &err), NNC_OK);
    plan.devices = 64;
    plan.zero = 3;
    plan.micro_batch = 8;
    plan.seq_len = 2048;
    plan.attention = NNC_ATTENTION_FLASH1;
    const double step_s = estimate_with(model, &device, software, &plan).step_s;
    device.efficiency.power.exponent = 0;
    ck_assert_double_eq(estimate_with(model, &device, software, &plan).step_s, step_s);
}
END_TEST

/* Some software has faster kernels, which have efficiencies of their own in the device file (pointwise_tuned). */
START_TEST(tuned_kernels_have_a_rate_of_their_own) {
    const nnc_model model = gpt(4, 1024, 8, 5000, 256);
    nnc_device device = plain_device();
    nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    device.efficiency.pointwise.memory_fraction = 0.5;
    device.efficiency.pointwise_tuned = device.efficiency.pointwise;
    device.efficiency.pointwise_tuned.memory_fraction = NAN;
    const double plain_s = estimate_with(&model, &device, &software, &plan).step_s;
    software.tuned_pointwise = true; /* the device file has no pointwise_tuned, so the step does not change */
    ck_assert_double_eq(estimate_with(&model, &device, &software, &plan).step_s, plain_s);
    device.efficiency.pointwise_tuned.memory_fraction = 1.0;
    const double tuned_s = estimate_with(&model, &device, &software, &plan).step_s;
    device.efficiency.pointwise.memory_fraction = 1.0;
    software.tuned_pointwise = false;
    ck_assert_double_eq(estimate_with(&model, &device, &software, &plan).step_s, tuned_s);
    ck_assert_double_lt(tuned_s, plain_s);
}
END_TEST

START_TEST(experts_have_a_launch_of_their_own) {
    const nnc_model *dense = load_model("models/llama3-8b.json"), *experts = load_model("models/mixtral-8x7b.json");
    const nnc_device *device = load_device("hw/h100-sxm5-80gb.json");
    nnc_software software = nnc_software_default(), slow = software;
    nnc_plan plan = nnc_plan_default();
    plan.seq_len = 128;
    slow.launch_s = 1e-4;
    software.launch_expert_s = 1e-4;
    const nnc_result a = estimate_with(experts, device, &software, &plan),
                     b = estimate_with(experts, device, &slow, &plan);
    ck_assert_double_eq(a.step_s, b.step_s);
    ck_assert_double_gt(a.host_s, 0.0);
    ck_assert_double_eq(estimate_with(dense, device, &software, &plan).host_s, 0.0);
}
END_TEST

/* Kernels of expert communication occupy units, so compute takes 1.5 times as long. A product that is bound by compute,
 * with 2 us fixed time and 8 us of compute, takes 14 us. A product that is bound by memory, with 8 us of memory and 5
 * us of compute, does not become slower. If a product with 8 us of memory has 6 us of compute, its compute takes 9 us
 * and becomes the bound: 2 us + 8 us x 9 / 8 = 11 us. A factor of 1 changes nothing. */
START_TEST(lent_units_slow_down_the_work) {
    const nnc_op product = { .kind = NNC_OP_MATMUL, .u.matmul = { .m = 8, .n = 8, .k = 8, .batch = 1 } };
    static nnc_rows rows;
    nnc_op_cost *const three = rows.rows;
    three[0] = three[1] = three[2] =
        (nnc_op_cost){ .op = &product, .time_s = 10e-6, .fixed_s = 2e-6, .compute_s = 8e-6, .memory_s = 8e-6 };
    three[0].bound = NNC_BOUND_COMPUTE;
    three[1].bound = three[2].bound = NNC_BOUND_MEMORY;
    three[0].memory_s = 1e-6;
    three[1].compute_s = 5e-6;
    three[2].compute_s = 6e-6;
    rows.count = 3;
    nnc_rows_lend(&rows, 1.0);
    ck_assert_double_eq(three[0].time_s, 10e-6);
    nnc_rows_lend(&rows, 1.5);
    ck_assert_double_eq_tol(three[0].time_s, 14e-6, 1e-18);
    ck_assert_double_eq_tol(three[0].compute_s, 12e-6, 1e-18);
    ck_assert_double_eq(three[1].time_s, 10e-6);
    ck_assert_double_eq(three[1].compute_s, 5e-6);
    ck_assert_double_eq_tol(three[2].time_s, 11e-6, 1e-18);
    ck_assert_double_eq_tol(three[2].compute_s, 9e-6, 1e-18);
    ck_assert_int_eq(three[2].bound, NNC_BOUND_COMPUTE);
}
END_TEST

/* A norm in fp64 has no matrix product, so the power limit also works on a device without an fp64 peak for products. A
 * product of 100 us at the peak draws 600 W. The norm reads and writes 100 MB in 100 us and draws 100 W. The mean power
 * of product and norm is 350 W above the 100 W of the idle device, and the limit leaves 300 W. So the product and the
 * norm take sqrt(350 / 300) times as long. */
START_TEST(rows_without_products_need_no_peak) {
    const nnc_op product = { .kind = NNC_OP_MATMUL, .math_dtype = NNC_BF16 };
    const nnc_op norm = { .kind = NNC_OP_POINTWISE, .math_dtype = NNC_FP64 };
    const nnc_device device = hungry_device();
    static nnc_rows rows;
    rows.rows[0] =
        (nnc_op_cost){ .op = &product, .repeat = 1.0, .time_s = 1e-4, .compute_s = 1e-4, .work.flops = 1e10 };
    rows.rows[1] =
        (nnc_op_cost){ .op = &norm, .repeat = 1.0, .time_s = 1e-4, .memory_s = 1e-4, .work.read_bytes = 1e8 };
    rows.count = 2;
    ck_assert(isnan(nnc_device_matmul_peak(&device, NNC_FP64)));
    nnc_power_throttle(&rows, &device);
    ck_assert_double_eq_tol(rows.rows[0].time_s + rows.rows[1].time_s, 2e-4 * sqrt(350.0 / 300.0), 1e-12);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        rows_without_products_need_no_peak,        lent_units_slow_down_the_work,
        a_pass_takes_longer_by_the_power_it_lacks, a_cap_is_a_lower_limit,
        a_limit_without_room_slows_nothing,        a_cap_that_cannot_be_judged_is_refused,
        work_below_the_limit_is_not_held,          a_doubled_peak_still_pays,
        eager_steps_on_h100_are_not_held,          tuned_kernels_have_a_rate_of_their_own,
        experts_have_a_launch_of_their_own,
    };
    return run_tests("power", tests, COUNT_OF(tests));
}
