/* Tests rules that hold for any plan, device and model. Plans, devices and models are drawn at random from a fixed
 * seed. */
#include "draw.h"
#include "estimate/estimate_internal.h"

enum { CASES = 400 };

typedef struct drawn {
    nnc_model model;
    nnc_device device;
    nnc_software software;
    nnc_plan plan;
} drawn;

static nnc_model draw_decoder(void) {
    const int64_t kv_heads = between(1, 3), heads = kv_heads * between(1, 4);
    const int64_t hidden = heads * 8 * between(1, 8), layers = between(1, 6);
    nnc_model model = gpt(layers, hidden, heads, between(10, 3000), 1);
    nnc_decoder *d = &model.decoder;
    d->seq_len = between(8, 300);
    d->kv_heads = kv_heads;
    d->ffn_hidden = between(8, 1000);
    d->vocab_multiple = coin() ? 1 : 64;
    /* Disentangled positions, the last value of the enumeration, are left out, because their table of distances is
     * projected only once per pass, for any batch. */
    d->positions = (nnc_positions)draw(NNC_POSITIONS_DISENTANGLED);
    d->positions_max = d->positions == NNC_POSITIONS_LEARNED ? 1000 : 0;
    d->relative_buckets = d->positions >= NNC_POSITIONS_RELATIVE ? 32 : 0;
    d->norm = coin() ? NNC_NORM_LAYER : NNC_NORM_RMS;
    d->mlp = (nnc_mlp)draw(NNC_MLP_COUNT);
    d->biases = coin();
    d->qkv_bias = coin();
    d->tied_head = coin();
    d->dropout = coin() ? 0.1 : 0.0;
    d->sliding_window = coin() ? between(1, 100) : 0;
    return model;
}

static nnc_model draw_unet(void) {
    const int32_t levels = (int32_t)between(2, 4);
    if (coin()) {
        const int64_t image = between(16, 70);
        nnc_model model = double_conv_unet(image, 2 * between(2, 10), levels);
        model.unet.up = coin() ? NNC_UP_BILINEAR : NNC_UP_TRANSPOSED_CONV;
        model.unet.blocks_per_level = between(1, 2);
        return model;
    }
    const int64_t image = between(16, 50);
    nnc_model model = residual_unet(image, 8 * between(1, 4), levels);
    nnc_unet *u = &model.unet;
    u->blocks_per_level = between(1, 3);
    u->transformer_depth = between(0, 2);
    u->context_len = coin() ? 7 : 0;
    u->attention_levels[1] = coin();
    u->linear_projections = coin();
    u->dropout = coin() ? 0.1 : 0.0;
    return model;
}

static nnc_efficiency draw_efficiency(void) {
    nnc_efficiency e;
    e.sustained_fraction = scaled(0.1, 1.0);
    e.memory_fraction = scaled(0.1, 1.0);
    e.fixed_s = coin() ? 0.0 : scaled(1e-7, 1e-4);
    return e;
}

static nnc_conv_efficiency draw_conv_efficiency(void) {
    const nnc_efficiency e = draw_efficiency();
    return (nnc_conv_efficiency){ e.sustained_fraction,
                                  e.memory_fraction,
                                  e.fixed_s,
                                  100.0 * e.memory_fraction,
                                  100.0 * e.sustained_fraction,
                                  e.fixed_s > 0.0 ? e.memory_fraction : (double)NAN,
                                  (double)NAN,
                                  (double)NAN,
                                  (double)NAN,
                                  (double)NAN,
                                  (double)NAN,
                                  (double)NAN };
}

static nnc_gemm_efficiency draw_gemm_efficiency(void) {
    nnc_gemm_efficiency e;
    e.sustained_fraction = scaled(0.1, 1.0);
    e.boost_ratio = coin() ? 1.0 : scaled(1.0, 1.5);
    e.memory_fraction = scaled(0.1, 1.0);
    e.library_memory_fraction = coin() ? (double)NAN : e.memory_fraction;
    e.fixed_s = coin() ? 0.0 : scaled(1e-7, 1e-4);
    e.k_fill = coin() ? 0.0 : scaled(1.0, 300.0);
    e.l2_bytes_per_flop = coin() ? (double)NAN : scaled(1e-3, 1.0);
    e.l2_bytes_per_s = coin() ? (double)NAN : scaled(1e11, 1e14);
    e.wave_quantization = coin() ? (double)NAN : scaled(0.1, 1.0);
    e.unaligned_ratio = 1.0;
    return e;
}

static nnc_flash_efficiency draw_flash_efficiency(void) {
    nnc_flash_efficiency e;
    e.sustained_fraction = scaled(0.1, 1.0);
    e.backward_ratio = scaled(0.5, 1.0);
    e.memory_fraction = scaled(0.1, 1.0);
    e.fixed_s = coin() ? 0.0 : scaled(1e-7, 1e-4);
    e.seq_half = coin() ? 0.0 : scaled(10.0, 2000.0);
    e.library_unmasked_half = e.library_backward_ratio = e.library_backward_bytes = (double)NAN;
    e.narrow_ratio = scaled(0.5, 1.0);
    e.block_penalty = coin() ? 0.0 : scaled(0.1, 2.0);
    e.head_multiple = 32.0;
    return e;
}

static nnc_device draw_device(void) {
    nnc_device device = plain_device();
    device.matmul_flops_per_s[NNC_BF16] = scaled(1e12, 1e15);
    device.matmul_flops_per_s[NNC_FP16] = scaled(1e12, 1e15);
    device.matmul_flops_per_s[NNC_TF32] = scaled(1e12, 1e15);
    device.matmul_flops_per_s[NNC_FP8] = scaled(1e12, 1e15);
    device.vector_flops_per_s[NNC_FP32] = scaled(1e11, 1e14);
    device.mem_bytes_per_s = scaled(1e10, 1e13);
    device.mem_bytes = (int64_t)scaled(1e6, 1e11);
    for (int i = 0; i < NNC_DTYPE_COUNT; i++) { device.efficiency.gemm[i] = draw_gemm_efficiency(); }
    device.efficiency.attention[NNC_FLASH1] = draw_flash_efficiency();
    device.efficiency.attention[NNC_FLASH2] = draw_flash_efficiency();
    device.efficiency.attention[NNC_FLASH3] = draw_flash_efficiency();
    device.units = (int32_t)scaled(1, 200);
    device.efficiency.conv = draw_conv_efficiency();
    device.efficiency.pointwise = draw_efficiency();
    device.efficiency.maps = device.efficiency.pointwise;
    device.efficiency.maps.memory_fraction *= 0.9;
    device.efficiency.optimizer = draw_efficiency();
    return device;
}

static nnc_software draw_software(void) {
    nnc_software s = nnc_software_default();
    s.fused_norm = coin();
    s.fused_activation = coin();
    s.fused_residual = coin();
    s.fused_rotary = coin();
    s.fused_softmax = coin();
    s.fused_loss = coin();
    s.fused_maps = s.fused_loss;
    s.contiguous_maps = s.fused_norm;
    s.fused_optimizer = coin();
    s.norm_keep = (nnc_norm_keep)draw(NNC_KEEP_COUNT);
    s.group_norm_keep = coin() ? NNC_KEEP_FUSED : NNC_KEEP_UPCAST;
    s.loss_keep = (nnc_loss_keep)draw(NNC_LOSS_KEEPS_COUNT);
    s.softmax_upcast = coin();
    s.attention_mask_kept = coin();
    s.expanded_kv = coin();
    s.context_frozen = coin();
    s.zero_gradients = coin();
    s.added_gradients = s.fused_optimizer;
    return s;
}

static nnc_plan draw_plan(void) {
    static const nnc_dtype precisions[] = { NNC_FP32, NNC_TF32, NNC_BF16, NNC_FP16, NNC_FP8 };
    static const nnc_policy policies[] = { NNC_POLICY_MIXED, NNC_POLICY_MIXED_FP32GRAD,   NNC_POLICY_MIXED_BOTH,
                                           NNC_POLICY_AMP,   NNC_POLICY_BF16_STATES_FP32, NNC_POLICY_BF16_PURE };
    nnc_plan plan = nnc_plan_default();
    plan.precision = precisions[draw(5)];
    if (plan.precision > NNC_TF32) { plan.policy = policies[draw(6)]; }
    plan.micro_batch = between(1, 5);
    plan.micro_batches = between(1, 4);
    plan.optimizer = (nnc_optimizer)draw(NNC_OPTIMIZER_COUNT);
    plan.recompute = (unsigned)draw(16);
    plan.attention = (nnc_attention)draw(NNC_ATTENTION_COUNT);
    plan.mode = (nnc_mode)draw(NNC_MODE_COUNT);
    plan.flops_convention = coin() ? NNC_CONVENTION_PALM : NNC_CONVENTION_CAUSAL;
    plan.clip_gradients = coin();
    return plan;
}

static drawn draw_case(int number) {
    seed(number);
    drawn c;
    c.model = coin() ? draw_decoder() : draw_unet();
    c.device = draw_device();
    c.software = draw_software();
    c.plan = draw_plan();
    return c;
}

static nnc_result result_of(const drawn *c) { return estimate_with(&c->model, &c->device, &c->software, &c->plan); }

/* Tests a <= b, with a tolerance for the rounding of sums. */
static bool at_most(double a, double b) { return a <= b * (1 + 1e-12); }

START_TEST(parts_and_bounds) {
    for (int i = 0; i < CASES; i++) {
        const drawn c = draw_case(i);
        const nnc_result r = result_of(&c);
        const nnc_memory *m = &r.memory;
        ck_assert_double_gt(r.step_s, 0.0);
        ck_assert(at_most(r.lower_bound_s, r.step_s));
        ck_assert(at_most(r.step_s, r.upper_bound_s));
        ck_assert(at_most(r.upper_bound_s, 3 * r.step_s) || c.plan.mode == NNC_MODE_IDEAL);
        ck_assert_double_eq(r.forward_s + r.backward_s + r.recompute_s + r.update_s, r.step_s);
        ck_assert_double_le(r.mfu, r.hfu);
        /* A plan in fp8 also runs products in 16 bits, which have another peak. In fp32, convolutions with 3 x 3 taps
         * compute up to 2.25 times fewer products than are counted. */
        const double most = c.plan.precision == NNC_FP32 ? 2.25 : 1.0;
        ck_assert(at_most(r.executed_flops, most * r.step_s * r.peak_flops_per_s) || c.plan.precision == NNC_FP8);
        ck_assert_int_eq(m->weight_bytes + m->gradient_bytes + m->optimizer_bytes + m->activation_bytes +
                             m->transient_bytes + m->apart_bytes + m->reserve_bytes,
                         m->total_bytes);
        ck_assert_int_ge(m->activation_bytes, 0);
        ck_assert_int_gt(m->transient_bytes, 0);
        int64_t params = 0;
        for (int g = 0; g < NNC_GROUP_COUNT; g++) { params += r.params_by_group[g]; }
        ck_assert_int_eq(params, r.params);
    }
}
END_TEST

/* If nnc_estimate is called again for the same plan, it gives the same digits, even if other calls run in between. */
START_TEST(deterministic) {
    for (int i = 0; i < CASES; i += 10) {
        const drawn c = draw_case(i), other = draw_case(i + 1);
        const nnc_result a = result_of(&c);
        result_of(&other);
        const nnc_result b = result_of(&c);
        ck_assert_double_eq(a.step_s, b.step_s);
        ck_assert_double_eq(a.upper_bound_s, b.upper_bound_s);
        ck_assert_double_eq(a.read_bytes, b.read_bytes);
        ck_assert_int_eq(a.memory.total_bytes, b.memory.total_bytes);
    }
}
END_TEST

static void fill_scratch(unsigned char byte) {
    const nnc_op_timer *timer = scratch->rows.timer;
    nnc_step_memory *m = &scratch->step;
    nnc_pipeline_memory *pipeline = &m->pipeline;
    memset(&scratch->list, byte, sizeof scratch->list);
    memset(&scratch->ideal, byte, sizeof scratch->ideal);
    memset(&scratch->rows, byte, sizeof scratch->rows);
    memset(&scratch->ideal_rows, byte, sizeof scratch->ideal_rows);
    memset(&scratch->network, byte, sizeof scratch->network);
    memset(&scratch->ends, byte, sizeof scratch->ends);
    memset(&scratch->ideal_ends, byte, sizeof scratch->ideal_ends);
    memset(&scratch->bound, byte, sizeof scratch->bound);
    memset(m, byte, (size_t)((char *)pipeline - (char *)m));
    memset(&m->run, byte, sizeof *m - (size_t)((char *)&m->run - (char *)m));
    m->runs = 0;
    scratch->rows.timer = scratch->ideal_rows.timer = timer;
}

/* An estimate does not read values that an earlier estimate left in its working memory. The result has the same bytes
 * for any content of the working memory. */
START_TEST(nothing_is_left_over) {
    static const unsigned char bytes[] = { 0x00, 0x01, 0x42, 0xff };
    for (int i = 0, number = 0; i < CASES; i++) {
        split_case c = draw_legal(&number);
        if (i % 2 == 0) {
            const drawn one = draw_case(i);
            c = (split_case){ one.model, one.device, one.software, one.plan };
        }
        c.plan.mode = coin() ? NNC_MODE_IDEAL : NNC_MODE_PREDICTED;
        const nnc_result expected = result_of_split(&c);
        fill_scratch(bytes[i % 4]);
        const nnc_result found = result_of_split(&c);
        const size_t last = offsetof(nnc_result, memory.one_moment) + sizeof(bool);
        const size_t next = offsetof(nnc_result, memory) + sizeof found.memory; /* padding between */
        const char *a = (const char *)&expected, *b = (const char *)&found;
        ck_assert_msg(memcmp(a, b, last) == 0 && memcmp(a + next, b + next, sizeof found - next) == 0,
                      "case %d: %.17g and %.17g s", i, expected.step_s, found.step_s);
    }
}
END_TEST

/* On the faster device, step time and bounds must not increase. In ideal mode, the step uses the faster of two op
 * lists, and the upper bound is that of the faster list. The upper bound may increase, because the step on the faster
 * device may use the other of the two op lists. */
static void check_no_slower(const drawn *c, const nnc_result *before) {
    const nnc_result after = result_of(c);
    ck_assert(at_most(after.step_s, before->step_s));
    ck_assert(at_most(after.lower_bound_s, before->lower_bound_s));
    ck_assert(at_most(after.upper_bound_s, before->upper_bound_s) || c->plan.mode == NNC_MODE_IDEAL);
    ck_assert_double_eq(after.model_flops, before->model_flops);
    ck_assert_int_eq(after.memory.total_bytes, before->memory.total_bytes);
}

/* A device with a higher rate or bandwidth never makes a step slower, and never changes the work. */
START_TEST(better_devices) {
    for (int i = 0; i < CASES; i++) {
        const drawn c = draw_case(i);
        const nnc_result before = result_of(&c);
        const double factor = scaled(1.01, 10.0);
        drawn better = c;
        for (int d = 0; d < NNC_DTYPE_COUNT; d++) { better.device.matmul_flops_per_s[d] *= factor; }
        check_no_slower(&better, &before);
        better = c;
        better.device.mem_bytes_per_s *= factor;
        check_no_slower(&better, &before);
        better = c;
        better.device.vector_flops_per_s[NNC_FP32] *= factor;
        check_no_slower(&better, &before);
        better = c;
        better.device.mem_bytes *= 2;
        check_no_slower(&better, &before);
        ck_assert(result_of(&better).verdict == NNC_FITS || before.verdict == NNC_OVER_MEMORY);
        nnc_efficiencies neutral;
        nnc_efficiencies_neutral(&neutral);
        better = c;
        for (int d = 0; d < NNC_DTYPE_COUNT; d++) { better.device.efficiency.gemm[d] = neutral.gemm[d]; }
        check_no_slower(&better, &before);
        better.device.efficiency = neutral;
        check_no_slower(&better, &before);
    }
}
END_TEST

static void check_no_less(const drawn *c, const nnc_result *before) {
    const nnc_result after = result_of(c);
    ck_assert(at_most(before->step_s, after.step_s));
    ck_assert(at_most(before->lower_bound_s, after.lower_bound_s));
    ck_assert(at_most(before->model_flops, after.model_flops));
    ck_assert(at_most(before->executed_flops, after.executed_flops));
    ck_assert_int_le(before->memory.activation_bytes, after.memory.activation_bytes);
    ck_assert_int_le(before->memory.transient_bytes, after.memory.transient_bytes);
    ck_assert_int_le(before->memory.total_bytes, after.memory.total_bytes);
    ck_assert_int_le(before->params, after.params);
}

/* More work never takes less time or memory. */
START_TEST(more_work) {
    for (int i = 0; i < CASES; i++) {
        const drawn c = draw_case(i);
        const nnc_result before = result_of(&c);
        drawn more = c;
        more.plan.micro_batch++;
        check_no_less(&more, &before);
        more = c;
        more.plan.micro_batches++;
        check_no_less(&more, &before);
        more = c;
        if (c.model.family == NNC_FAMILY_DECODER) {
            more.model.decoder.layers++;
            check_no_less(&more, &before);
            more = c;
            more.model.decoder.seq_len++;
            check_no_less(&more, &before);
            more = c;
            more.model.decoder.vocab++;
            check_no_less(&more, &before);
            more = c;
            more.model.decoder.ffn_hidden++;
            check_no_less(&more, &before);
            more = c;
            more.model.decoder.sliding_window += c.model.decoder.sliding_window > 0;
            check_no_less(&more, &before);
        } else {
            more.model.unet.image++;
            check_no_less(&more, &before);
            more = c;
            more.model.unet.blocks_per_level++;
            check_no_less(&more, &before);
        }
    }
}
END_TEST

/* Activations have a constant part (position ids, masks, statistics of a channel) and a part that grows with the batch.
 * Weights, gradients and optimizer states do not depend on the batch. */
START_TEST(doubled_batch) {
    for (int i = 0; i < CASES; i++) {
        drawn c = draw_case(i);
        nnc_memory m[3];
        double flops[3];
        for (int j = 0; j < 3; j++) {
            const nnc_result r = result_of(&c);
            m[j] = r.memory;
            flops[j] = r.model_flops;
            c.plan.micro_batch *= 2;
        }
        ck_assert_int_eq(m[2].activation_bytes - m[1].activation_bytes,
                         2 * (m[1].activation_bytes - m[0].activation_bytes));
        ck_assert_double_eq(flops[1], 2 * flops[0]);
        ck_assert_double_eq(flops[2], 4 * flops[0]);
        for (int j = 1; j < 3; j++) {
            ck_assert_int_eq(m[j].weight_bytes, m[0].weight_bytes);
            ck_assert_int_eq(m[j].gradient_bytes, m[0].gradient_bytes);
            ck_assert_int_eq(m[j].optimizer_bytes, m[0].optimizer_bytes);
        }
    }
}
END_TEST

/* The step time has no jumps when a rate of the device changes slightly. If bandwidth or peak grow by a millionth, the
 * time decreases by at most a millionth. If a product becomes shorter and its clock therefore stays high, the time may
 * decrease by up to two millionths. */
START_TEST(continuous) {
    for (int i = 0; i < CASES; i++) {
        const drawn c = draw_case(i);
        const nnc_result before = result_of(&c);
        drawn near = c;
        near.device.mem_bytes_per_s *= 1 + 1e-6;
        double step_s = result_of(&near).step_s;
        ck_assert_double_ge(step_s, before.step_s * (1 - 2e-6));
        near = c;
        for (int d = 0; d < NNC_DTYPE_COUNT; d++) { near.device.matmul_flops_per_s[d] *= 1 + 1e-6; }
        step_s = result_of(&near).step_s;
        ck_assert_double_ge(step_s, before.step_s * (1 - 2e-6));
    }
}
END_TEST

/* If all rates are twice as high and fixed costs are zero, the step takes half the time, with the same bound. */
START_TEST(scale_free) {
    for (int i = 0; i < CASES; i++) {
        drawn c = draw_case(i);
        for (int d = 0; d < NNC_DTYPE_COUNT; d++) {
            c.device.efficiency.gemm[d].fixed_s = 0.0;
            c.device.efficiency.gemm[d].boost_ratio = 1.0; /* no boost, because the clock falls after a fixed time */
        }
        c.device.efficiency.attention[NNC_FLASH1].fixed_s = 0.0;
        c.device.efficiency.attention[NNC_FLASH2].fixed_s = 0.0;
        c.device.efficiency.attention[NNC_FLASH3].fixed_s = c.device.efficiency.conv.fixed_s = 0.0;
        c.device.efficiency.maps.fixed_s = c.device.efficiency.stream.fixed_s = 0.0;
        c.device.efficiency.pointwise.fixed_s = c.device.efficiency.optimizer.fixed_s = 0.0;
        const nnc_result before = result_of(&c);
        c.device.mem_bytes_per_s *= 2;
        c.device.vector_flops_per_s[NNC_FP32] *= 2;
        for (int d = 0; d < NNC_DTYPE_COUNT; d++) {
            c.device.matmul_flops_per_s[d] *= 2;
            c.device.efficiency.gemm[d].l2_bytes_per_s *= 2;
        }
        const nnc_result after = result_of(&c);
        ck_assert_double_eq(2 * after.step_s, before.step_s);
        ck_assert_int_eq(after.bound, before.bound);
        ck_assert_double_eq(after.mfu, before.mfu);
    }
}
END_TEST

/* Additional recomputation executes more ops, but at most one forward pass more, and keeps fewer bytes. */
START_TEST(recompute) {
    static const unsigned sets[] = { NNC_RECOMPUTE_NONE, NNC_RECOMPUTE_ATTENTION,
                                     NNC_RECOMPUTE_ATTENTION | NNC_RECOMPUTE_NORM,
                                     NNC_RECOMPUTE_ATTENTION | NNC_RECOMPUTE_NORM | NNC_RECOMPUTE_ACTIVATION };
    for (int i = 0; i < CASES; i++) {
        drawn c = draw_case(i);
        nnc_result r[COUNT_OF(sets)];
        c.plan.mode = NNC_MODE_PREDICTED;
        for (size_t j = 0; j < COUNT_OF(sets); j++) {
            c.plan.recompute = sets[j];
            r[j] = result_of(&c);
            ck_assert_double_eq(r[j].model_flops, r[0].model_flops);
            ck_assert(at_most(r[j].recompute_s, r[j].forward_s));
            if (j > 0) {
                ck_assert(at_most(r[j - 1].step_s, r[j].step_s));
                ck_assert_double_le(r[j - 1].recompute_flops, r[j].recompute_flops);
                ck_assert_int_ge(r[j - 1].memory.activation_bytes, r[j].memory.activation_bytes);
            }
        }
        ck_assert_double_eq(r[0].recompute_s, 0.0);
        ck_assert_double_eq(r[0].hardware_flops, r[0].model_flops);
        c.plan.recompute = NNC_RECOMPUTE_FULL;
        const nnc_result full = result_of(&c);
        ck_assert(at_most(full.recompute_s, full.forward_s));
        ck_assert(at_most(full.recompute_flops, full.forward_flops));
        ck_assert_double_le(r[1].recompute_flops, full.recompute_flops);
    }
}
END_TEST

int main(void) {
    const TTest *const tests[] = { parts_and_bounds, deterministic, nothing_is_left_over, better_devices, more_work,
                                   doubled_batch,    continuous,    scale_free,           recompute };
    return run_tests("invariants", tests, COUNT_OF(tests));
}
