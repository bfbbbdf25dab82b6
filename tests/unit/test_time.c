/* Tests the time of a step on a device with round numbers: efficiencies, bounds, utilisation and cost. */
#include "answers.h"

static nnc_model model_of(void) { return gpt(4, 1024, 8, 5000, 256); }

static nnc_result run_on(const nnc_device *device) {
    const nnc_model model = model_of();
    const nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    plan.micro_batch = 4;
    return estimate_with(&model, device, &software, &plan);
}

/* A change of the efficiency of one kind of ops: factors of the compute and memory rates, and a fixed time. */
typedef struct change {
    nnc_op_kind kind;
    double compute, memory, fixed_s;
} change;

static bool same_efficiency(nnc_op_kind a, nnc_op_kind b) {
    const nnc_op_kind pointwise[] = { NNC_OP_NORM, NNC_OP_POINTWISE, NNC_OP_EMBEDDING, NNC_OP_LOSS };
    bool in_a = false, in_b = false;
    for (size_t i = 0; i < COUNT_OF(pointwise); i++) {
        in_a = in_a || pointwise[i] == a;
        in_b = in_b || pointwise[i] == b;
    }
    return a == b || (in_a && in_b);
}

/* Returns the sum of the times of all rows of the last estimate, computed with one changed efficiency: max(compute,
 * memory) + fixed time of each row. */
static double expected_step(const change *c) {
    const nnc_device device = plain_device();
    int32_t count = 0;
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    double sum = 0.0;
    for (int32_t i = 0; i < count; i++) {
        const nnc_work *w = &rows[i].work;
        const bool hit = same_efficiency(rows[i].op->kind, c->kind);
        const double matrix = w->flops / device.matmul_flops_per_s[NNC_BF16] / (hit ? c->compute : 1.0);
        const double vector = w->vector_flops / device.vector_flops_per_s[NNC_FP32];
        const double memory = bytes_of(w) / device.mem_bytes_per_s / (hit ? c->memory : 1.0);
        sum += (fmax(fmax(matrix, vector), memory) + (hit ? c->fixed_s : 0.0)) * rows[i].repeat;
    }
    return sum;
}

static void set_efficiency(nnc_device *device, const change *c) {
    nnc_efficiencies *e = &device->efficiency;
    nnc_gemm_efficiency *gemm = &e->gemm[NNC_BF16];
    nnc_flash_efficiency *flash = &e->attention[NNC_FLASH2];
    const nnc_efficiency plain = { c->compute, c->memory, c->fixed_s };
    switch (c->kind) {
    case NNC_OP_MATMUL:
        gemm->sustained_fraction = c->compute;
        gemm->memory_fraction = c->memory;
        gemm->fixed_s = c->fixed_s;
        break;
    case NNC_OP_FLASH:
        flash->sustained_fraction = c->compute;
        flash->memory_fraction = c->memory;
        flash->fixed_s = c->fixed_s;
        break;
    case NNC_OP_CONV:
        e->conv = (nnc_conv_efficiency){ c->compute, c->memory, c->fixed_s, 0, 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
        break;
    case NNC_OP_UPDATE: e->optimizer = plain; break;
    default: e->pointwise = plain; break;
    }
}

/* Each class of kernels has its own fractions and its own fixed time. */
START_TEST(efficiencies) {
    static const change changes[] = {
        { 0, 0.5, 1.0, 0.0 }, { 0, 1.0, 0.25, 0.0 }, { 0, 1.0, 1.0, 1e-3 }, { 0, 0.7, 0.6, 1e-5 }
    };
    static const nnc_op_kind kinds[] = { NNC_OP_MATMUL, NNC_OP_FLASH, NNC_OP_POINTWISE, NNC_OP_UPDATE, NNC_OP_CONV };
    const nnc_device plain = plain_device();
    const double neutral = run_on(&plain).step_s;
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        for (size_t i = 0; i < COUNT_OF(changes); i++) {
            change c = changes[i];
            c.kind = kinds[k];
            nnc_device device = plain;
            set_efficiency(&device, &c);
            const nnc_result r = run_on(&device);
            ck_assert_double_le(fabs(r.step_s / expected_step(&c) - 1.0), 1e-12);
            ck_assert_double_ge(r.step_s, neutral);
            ck_assert_double_eq(r.lower_bound_s, run_on(&plain).lower_bound_s);
            if (c.kind == NNC_OP_CONV) { /* a decoder has no convolution */
                ck_assert_double_eq(r.step_s, neutral);
            }
        }
    }
}
END_TEST

START_TEST(efficiency_of_convolutions) {
    const nnc_model model = residual_unet(64, 64, 2);
    const nnc_software software = nnc_software_default();
    const nnc_plan plan = nnc_plan_default();
    const change c = { NNC_OP_CONV, 0.5, 0.25, 1e-5 };
    nnc_device device = plain_device();
    const double neutral = estimate_with(&model, &device, &software, &plan).step_s;
    device.efficiency.conv =
        (nnc_conv_efficiency){ c.compute, c.memory, c.fixed_s, 0, 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
    const double step_s = estimate_with(&model, &device, &software, &plan).step_s;
    ck_assert_double_le(fabs(step_s / expected_step(&c) - 1.0), 1e-12);
    ck_assert_double_gt(step_s, neutral);
}
END_TEST

static bool stays_apart(const nnc_op_cost *row) {
    return row->op->kind != NNC_OP_NORM && row->op->kind != NNC_OP_POINTWISE;
}

static double moved(const nnc_op_cost *row) { return bytes_of(&row->work); }

/* The lower bound of a step is the time of one engine of the device. With a slow memory, the lower bound is the time to
 * move bytes, with norms and pointwise ops fused into other ops. */
START_TEST(lower_bound_of_memory) {
    nnc_device device = plain_device();
    device.mem_bytes_per_s = 1e6;
    const nnc_result r = run_on(&device);
    ck_assert_double_eq_tol(r.lower_bound_s, sum_rows(stays_apart, moved) / 1e6, 1e-9 * r.lower_bound_s);
    ck_assert_double_lt(r.lower_bound_s, 0.9 * r.step_s);
}
END_TEST

/* With slow matrix units, the lower bound is the time of the products. Fused attention runs seven products and unfused
 * attention six, so a plan with unfused attention has a lower bound of six products. */
START_TEST(lower_bound_of_products) {
    const nnc_model model = residual_unet(32, 16, 2);
    const nnc_software software = nnc_software_default();
    nnc_device device = plain_device();
    nnc_plan plan = nnc_plan_default();
    device.matmul_flops_per_s[NNC_BF16] = 1e6;
    const nnc_result fused = estimate_with(&model, &device, &software, &plan);
    plan.attention = NNC_ATTENTION_UNFUSED;
    const nnc_result unfused = estimate_with(&model, &device, &software, &plan);
    ck_assert_double_eq_tol(fused.lower_bound_s, fused.executed_flops / 1e6, 1e-9 * fused.lower_bound_s);
    ck_assert_double_eq_tol(unfused.lower_bound_s, unfused.executed_flops / 1e6, 1e-9 * fused.lower_bound_s);
    ck_assert_double_lt(unfused.lower_bound_s, fused.lower_bound_s);
}
END_TEST

/* If each launch takes a second, only launches bound the step. */
START_TEST(bound_by_the_host) {
    nnc_device device = plain_device();
    device.efficiency.gemm[NNC_BF16].fixed_s = 1.0;
    const nnc_result r = run_on(&device);
    ck_assert_int_eq(r.bound, NNC_BOUND_HOST);
    ck_assert_double_lt(r.step_without_bound_s, 0.01 * r.step_s);
}
END_TEST

/* The efficiency of another number format does not change the step. */
START_TEST(efficiency_by_format) {
    nnc_device device = plain_device();
    const double neutral = run_on(&device).step_s;
    device.efficiency.gemm[NNC_FP16].sustained_fraction = 0.5;
    device.efficiency.gemm[NNC_FP32].fixed_s = 1.0;
    ck_assert_double_eq(run_on(&device).step_s, neutral);
}
END_TEST

/* If the rate of the vector units is not known, the time of these units is left out, and results are still numbers. */
START_TEST(unknown_vector_rate) {
    nnc_device device = plain_device();
    const nnc_result known = run_on(&device);
    device.vector_flops_per_s[NNC_FP32] = (double)NAN;
    const nnc_result unknown = run_on(&device);
    ck_assert(isfinite(unknown.step_s) && isfinite(unknown.lower_bound_s) && isfinite(unknown.upper_bound_s) &&
              isfinite(unknown.mfu));
    ck_assert_double_le(unknown.step_s, known.step_s);
    ck_assert_double_eq(unknown.vector_flops, known.vector_flops);
    device.vector_flops_per_s[NNC_FP32] = 1e30; /* a very high rate gives the same step time as an unknown rate */
    ck_assert_double_eq(run_on(&device).step_s, unknown.step_s);
    device.vector_flops_per_s[NNC_FP32] = 1e3; /* slow enough to bound everything */
    const nnc_result slow = run_on(&device);
    ck_assert_double_gt(slow.step_s, 1e3 * known.step_s);
    ck_assert_double_eq_tol(slow.lower_bound_s, slow.vector_flops / 1e3, 1e-12 * slow.lower_bound_s);
}
END_TEST

/* The bound of a step depends on the device. The bound is the part whose removal saves the most time. */
START_TEST(bounds) {
    nnc_device device = plain_device();
    device.vector_flops_per_s[NNC_FP32] = 1e30;
    device.matmul_flops_per_s[NNC_BF16] = 1e9;
    nnc_result r = run_on(&device);
    ck_assert_int_eq(r.bound, NNC_BOUND_COMPUTE);
    ck_assert_double_lt(r.step_without_bound_s, 0.1 * r.step_s);
    ck_assert_double_gt(r.mfu, 0.9);
    device = plain_device();
    device.mem_bytes_per_s = 1e9;
    r = run_on(&device);
    ck_assert_int_eq(r.bound, NNC_BOUND_MEMORY);
    ck_assert_double_lt(r.step_without_bound_s, 0.1 * r.step_s);
    ck_assert_double_eq(r.ridge_flops_per_byte, 100e12 / 1e9);
    ck_assert_str_eq(nnc_bound_name(r.bound), "memory");
    ck_assert_str_eq(nnc_bound_name(NNC_BOUND_COUNT), "?");
}
END_TEST

/* One op: 100 TFLOP take 1 s, and 2 TB take 2 s. */
START_TEST(roofline) {
    nnc_device roof = roof_of(100e12, 1e12);
    nnc_work work = { .flops = 100e12, .read_bytes = 1.5e12, .write_bytes = 0.5e12 };
    nnc_timing t = timing_on(&roof, &work);
    ck_assert_double_eq(t.compute_s, 1.0);
    ck_assert_double_eq(t.memory_s, 2.0);
    ck_assert_double_eq(t.time_s, 2.0);
    ck_assert_int_eq(t.bound, NNC_BOUND_MEMORY);
    ck_assert_double_eq(nnc_intensity(&work), 50.0);
    roof.efficiency.conv = (nnc_conv_efficiency){ 0.25, 0.5, 0.125, 0, 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
    t = timing_on(&roof, &work);
    ck_assert_double_eq(t.compute_s, 4.0);
    ck_assert_double_eq(t.memory_s, 4.0);
    ck_assert_double_eq(t.time_s, 4.125);
    ck_assert_int_eq(t.bound, NNC_BOUND_COMPUTE); /* if both times are equal, the bound is compute */
    roof.efficiency.conv.fixed_s = 5.0;
    ck_assert_int_eq(timing_on(&roof, &work).bound, NNC_BOUND_HOST);
    work = (nnc_work){ 0 };
    ck_assert(isnan(nnc_intensity(&work)));
    work.flops = 1.0; /* the intensity of an op that moves no bytes is not known */
    ck_assert(isnan(nnc_intensity(&work)));
    work.flops = 0.0;
    roof.mem_bytes_per_s = (double)NAN; /* if the device file has no bandwidth, the time is not known */
    ck_assert(isnan(timing_on(&roof, &work).time_s));
}
END_TEST

/* Products in fp32 run on the vector units if the matrix units have no rate for fp32. */
START_TEST(peaks) {
    nnc_device device = plain_device();
    ck_assert_double_eq(nnc_device_matmul_peak(&device, NNC_FP32), 10e12);
    ck_assert_double_eq(nnc_device_ridge(&device, NNC_FP32), 10.0);
    device.matmul_flops_per_s[NNC_FP32] = 20e12;
    ck_assert_double_eq(nnc_device_matmul_peak(&device, NNC_FP32), 20e12);
    ck_assert(isnan(nnc_device_matmul_peak(&device, NNC_FP8)));
}
END_TEST

START_TEST(rates) {
    const nnc_device device = plain_device();
    const nnc_result r = run_on(&device);
    ck_assert_double_eq(r.mfu, r.model_flops / (r.step_s * 100e12));
    ck_assert_double_eq(r.hfu, r.mfu);
    ck_assert_double_eq(r.tokens_per_s, 4 * 256 / r.step_s);
    ck_assert_double_eq(r.tokens_per_s_per_device, r.tokens_per_s);
    ck_assert_double_eq(r.samples_per_s, 4 / r.step_s);
    ck_assert_double_eq(r.model_flops_per_s_per_device, r.model_flops / r.step_s);
    ck_assert_double_eq(r.peak_flops_per_s, 100e12);
    ck_assert(isnan(r.interval_s[0]) == isnan(r.interval_s[1]));
}
END_TEST

/* If the price is not known, costs are not known. The price in the plan has precedence over the price in the device
 * file. A run is given by its tokens or its sequences. */
START_TEST(money) {
    const nnc_price prices[] = { { .per_device_hour = 3.0 }, { .per_device_hour = 2.0 } };
    const nnc_model model = model_of();
    const nnc_software software = nnc_software_default();
    nnc_device device = plain_device();
    nnc_plan plan = nnc_plan_default();
    nnc_result r = estimate_with(&model, &device, &software, &plan);
    ck_assert(isnan(r.price_per_device_hour) && isnan(r.cost_step) && isnan(r.cost_run));
    ck_assert(isnan(r.run_s) && isnan(r.device_hours));
    ck_assert_double_eq(r.energy_j, 400 * r.step_s); /* energy of the step */

    device.prices = prices;
    device.price_count = 2;
    plan.tokens = 256e6;
    r = estimate_with(&model, &device, &software, &plan);
    ck_assert_double_eq(r.price_per_device_hour, 3.0);
    ck_assert_double_eq_tol(r.run_s, 1e6 * r.step_s, 1e-9 * r.run_s);
    ck_assert_double_eq_tol(r.device_hours, r.run_s / 3600, 1e-9 * r.run_s);
    ck_assert_double_eq_tol(r.cost_run, 3.0 * r.device_hours, 1e-9 * r.cost_run);
    ck_assert_double_eq_tol(r.cost_run, 1e6 * r.cost_step, 1e-9 * r.cost_run);
    ck_assert_double_eq_tol(r.energy_j, 400 * r.run_s, 1e-9 * r.energy_j); /* energy of the run */
    const double run_s = r.run_s;

    plan.tokens = (double)NAN;
    plan.samples = 1e6;
    plan.price = 0.5;
    r = estimate_with(&model, &device, &software, &plan);
    ck_assert_double_eq_tol(r.run_s, run_s, 1e-9 * run_s);
    ck_assert_double_eq(r.price_per_device_hour, 0.5);

    device.power_w = (double)NAN;
    ck_assert(isnan(estimate_with(&model, &device, &software, &plan).energy_j));
}
END_TEST

/* If the device file lacks a number that an estimate needs, the estimate is refused. */
START_TEST(missing_bandwidth) {
    const nnc_model model = model_of();
    const nnc_software software = nnc_software_default();
    const nnc_plan plan = nnc_plan_default();
    nnc_device device = plain_device();
    nnc_result result;
    device.mem_bytes_per_s = (double)NAN;
    ck_assert_int_eq(nnc_estimate(&model, &device, &software, &plan, scratch, &result, NULL), NNC_BAD_SPEC);
}
END_TEST

/* A plan that needs more memory than the device has is not an error. */
START_TEST(does_not_fit) {
    nnc_device device = plain_device();
    nnc_result r = run_on(&device);
    ck_assert_int_eq(r.verdict, NNC_FITS);
    device.mem_bytes = r.memory.total_bytes;
    ck_assert_int_eq(run_on(&device).verdict, NNC_FITS);
    device.mem_bytes--;
    r = run_on(&device);
    ck_assert_int_eq(r.verdict, NNC_OVER_MEMORY);
    ck_assert_int_eq(r.memory.headroom_bytes, -1);
    ck_assert(isfinite(r.step_s));
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        efficiency_of_convolutions,
        lower_bound_of_memory,
        lower_bound_of_products,
        efficiencies,
        bound_by_the_host,
        efficiency_by_format,
        unknown_vector_rate,
        bounds,
        roofline,
        peaks,
        rates,
        money,
        missing_bandwidth,
        does_not_fit,
    };
    return run_tests("time", tests, COUNT_OF(tests));
}
