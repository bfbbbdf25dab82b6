/* Computes worked examples of docs/formulas.md about single ops. The table of all examples is in test_formulas.c. */
#ifndef NNCOST_TESTS_UNIT_FORMULA_OPS_H
#define NNCOST_TESTS_UNIT_FORMULA_OPS_H

#include "answers.h"

/* ---- formats, devices, roofline ---- */

static void block_format(const cJSON *in, answers *out) {
    give(out, "bytes_per_element",
         nnc_block_format_bytes(number(in, "element_bytes"), number(in, "scale_bytes"), number(in, "block")));
}

/* In double quantisation, the scales are also stored in blocks, and each block of scales has its own scale. */
static void double_quantised(const cJSON *in, answers *out) {
    const double scale = nnc_block_format_bytes(number(in, "absmax_bits") / 8, number(in, "second_bits") / 8,
                                                number(in, "second_block"));
    give(out, "bits_per_element",
         8 * nnc_block_format_bytes(number(in, "element_bits") / 8, scale, number(in, "block")));
}

/* The device file has the peak of the data sheet, 989.4e12, which is a rounded value. */
static void peak_rate(const cJSON *in, answers *out) {
    const nnc_device *h100 = load_device("hw/h100-sxm5-80gb.json");
    ck_assert_double_eq(number(in, "tensor_cores"), 4.0 * h100->units);
    give_near(out, "peak", nnc_device_matmul_peak(h100, NNC_BF16), 1e-4);
}

static void ridge(const cJSON *in, answers *out) {
    nnc_device device = plain_device();
    device.matmul_flops_per_s[NNC_BF16] = number(in, "P");
    device.mem_bytes_per_s = number(in, "W");
    give(out, "ridge", nnc_device_ridge(&device, NNC_BF16));
}

static void math_time(const cJSON *in, answers *out) {
    const nnc_device roof = roof_of(number(in, "P"), 1e12);
    const nnc_work work = { .flops = number(in, "F") };
    give(out, "t_math", timing_on(&roof, &work).time_s);
}

/* 2 m n k counts one addition more per output than the exact number m n (2 k - 1). */
static void dot_product(const cJSON *in, answers *out) {
    const nnc_op op = linear(1, 1, whole(in, "N"));
    const nnc_work work = nnc_op_work(&op);
    give_near(out, "flops", work.flops, 1e-6);
    give(out, "bytes", bytes_of(&work));
    give(out, "intensity", nnc_intensity(&work));
}

static void roofline(const cJSON *in, answers *out) {
    const nnc_device roof = roof_of(number(in, "P"), number(in, "W"));
    const nnc_work work = { .flops = number(in, "F"), .read_bytes = number(in, "Q") };
    const nnc_timing t = timing_on(&roof, &work);
    give(out, "lower", t.time_s);
    give(out, "upper", t.compute_s + t.memory_s);
    give_text(out, "bound", nnc_bound_name(t.bound));
}

/* ---- products ---- */

static void product(const cJSON *in, answers *out) {
    const nnc_op op = linear(whole(in, "m"), whole(in, "n"), whole(in, "k"));
    const nnc_work work = nnc_op_work(&op);
    give(out, "flops", work.flops);
    give(out, "bytes", bytes_of(&work));
    give(out, "intensity", nnc_intensity(&work));
}

static void product_time(const cJSON *in, answers *out) {
    const nnc_op op = linear(whole(in, "m"), whole(in, "n"), whole(in, "k"));
    const nnc_work work = nnc_op_work(&op);
    const nnc_device roof = roof_of(number(in, "P"), number(in, "W"));
    const nnc_timing t = timing_on(&roof, &work);
    give(out, "t_math", t.compute_s);
    give(out, "t_mem", t.memory_s);
    give_text(out, "bound", nnc_bound_name(t.bound));
}

static void critical_tokens(const cJSON *in, answers *out) {
    ck_assert_double_eq(number(in, "beta_w"), nnc_dtype_bytes(NNC_INT8));
    give(out, "critical_tokens", critical_rows(number(in, "P"), number(in, "W"), NNC_INT8));
}

static void weight_gradient(const cJSON *in, answers *out) {
    nnc_op op = linear(whole(in, "T"), whole(in, "o"), whole(in, "i"));
    nnc_op backward[NNC_BACKWARD_MAX];
    op.grad_bytes = number(in, "main_grad_bytes");
    op.grad_accumulate = 1.0;
    ck_assert_int_eq(nnc_op_backward(&op, backward), 2);
    ck_assert_int_eq((int)backward[1].phase, NNC_PHASE_GRAD_WEIGHT);
    const nnc_work work = nnc_op_work(&backward[1]);
    give(out, "wgrad_flops", work.flops);
    give(out, "wgrad_bytes_accumulating", bytes_of(&work));
}

/* ---- attention ---- */

static nnc_op attention(const cJSON *in, bool causal) {
    const int64_t s = whole(in, "s");
    nnc_op op = op_of(NNC_OP_FLASH);
    op.u.flash = (nnc_flash){ .batch = whole(in, "b"),
                              .heads = whole(in, "a"),
                              .kv_heads = whole(in, "a"),
                              .s_q = s,
                              .s_k = s,
                              .head_dim = whole(in, "d"),
                              .value_dim = whole(in, "d"),
                              .pairs = (double)nnc_attention_pairs(s, s, causal, 0),
                              .full_pairs = (double)(s * s) };
    return op;
}

static void full_attention(const cJSON *in, answers *out) {
    nnc_op op = attention(in, false);
    give(out, "fwd", nnc_op_work(&op).flops);
    op.phase = NNC_PHASE_BACKWARD;
    give(out, "bwd", nnc_op_work(&op).full_flops);
    give(out, "bwd_flash_executed", nnc_op_work(&op).flops);
}

static void causal_attention(const cJSON *in, answers *out) {
    const nnc_op op = attention(in, true);
    give(out, "pairs", (double)nnc_attention_pairs(whole(in, "s"), whole(in, "s"), true, 0));
    give(out, "fwd", nnc_op_work(&op).flops);
}

static void windowed_pairs(const cJSON *in, answers *out) {
    const int64_t s = whole(in, "s");
    give(out, "pairs", (double)nnc_attention_pairs(s, s, true, whole(in, "window")));
}

/* The example counts s^2/2 pairs, slightly fewer than the exact number s(s+1)/2. */
static void packed_pairs(const cJSON *in, answers *out) {
    int64_t total = 0, pairs = 0;
    for (const char *at = text_of(in, "docs"); at != NULL; at = strchr(at, ',')) {
        const long length = strtol(at + (*at == ','), NULL, 10);
        total += length;
        pairs += nnc_attention_pairs(length, length, true, 0);
        at += *at == ',';
    }
    give_near(out, "pairs", (double)pairs, 1e-3);
    give_near(out, "single_document_pairs", (double)nnc_attention_pairs(total, total, true, 0), 1e-3);
}

static double forward_bytes(const char *name) {
    int32_t count = 0;
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    for (int32_t i = 0; i < count; i++) {
        if (rows[i].op->phase == NNC_PHASE_FORWARD && strcmp(rows[i].op->name, name) == 0) {
            return bytes_of(&rows[i].work);
        }
    }
    ck_abort_msg("no row %s", name);
    return 0.0;
}

/* The traffic of the scores is the traffic of the ops of unfused attention, minus the bytes of Q, K, V and the
 * output. */
static void score_traffic(const cJSON *in, answers *out) {
    const int64_t width = whole(in, "a") * whole(in, "d"), s = whole(in, "s");
    const nnc_model model = gpt(1, width, whole(in, "a"), 100, s);
    nnc_plan plan = nnc_plan_default();
    plan.attention = NNC_ATTENTION_UNFUSED;
    estimate(&model, &plan);
    const double qkvo = 4 * (double)s * (double)width * number(in, "beta");
    give(out, "score_traffic_unfused",
         forward_bytes("attn.scores") + forward_bytes("attn.softmax") + forward_bytes("attn.context") - qkvo);
    plan.attention = NNC_ATTENTION_FLASH;
    estimate(&model, &plan);
    give(out, "flash_fwd", forward_bytes("attn.core"));
}

static void flash_intensity(const cJSON *in, answers *out) {
    const int64_t s = whole(in, "s"), group = whole(in, "G");
    give(out, "prefill_intensity", attention_intensity(s, s, group));
    give(out, "decode_intensity", attention_intensity(1, s, group));
}

/* ---- vector ops ---- */

static void rms_norm(const cJSON *in, answers *out) {
    nnc_op op = op_of(NNC_OP_NORM);
    op.u.norm = (nnc_norm){
        .kind = NNC_NORM_RMS, .elements = whole(in, "T") * whole(in, "h"), .rows = whole(in, "T"), .fused = true
    };
    const nnc_work work = nnc_op_work(&op);
    const nnc_device roof = roof_of(1e15, number(in, "W"));
    give(out, "bytes", bytes_of(&work));
    give(out, "t_mem", timing_on(&roof, &work).memory_s);
}

static nnc_work pointwise(nnc_pointwise_kind kind, int64_t elements, bool fused, nnc_phase phase) {
    nnc_op op = op_of(NNC_OP_POINTWISE);
    op.phase = phase;
    op.u.pointwise = (nnc_pointwise){ .kind = kind, .elements = elements, .fused = fused };
    return nnc_op_work(&op);
}

static void swiglu(const cJSON *in, answers *out) {
    const int64_t elements = whole(in, "T") * whole(in, "f");
    const nnc_work forward = pointwise(NNC_PW_SWIGLU, elements, true, NNC_PHASE_FORWARD);
    const nnc_work backward = pointwise(NNC_PW_SWIGLU, elements, true, NNC_PHASE_BACKWARD);
    give(out, "fwd_bytes", bytes_of(&forward));
    give(out, "bwd_bytes", bytes_of(&backward));
    give(out, "fwd_flops", forward.vector_flops);
}

static void cross_entropy(const cJSON *in, answers *out) {
    static const char *const names[] = { "unfused_bytes", "fused_bytes" };
    nnc_op op = op_of(NNC_OP_LOSS);
    op.u.loss = (nnc_loss){ .tokens = whole(in, "T"), .classes = whole(in, "V") };
    for (int fused = 0; fused < 2; fused++) {
        op.u.loss.fused = fused != 0;
        op.phase = NNC_PHASE_FORWARD;
        const nnc_work forward = nnc_op_work(&op);
        op.phase = NNC_PHASE_BACKWARD;
        const nnc_work backward = nnc_op_work(&op);
        give(out, names[fused], bytes_of(&forward) + bytes_of(&backward));
    }
    const nnc_op logits = linear(whole(in, "T"), whole(in, "V"), 1600);
    give(out, "logits_gemm_fwd_h1600", nnc_op_work(&logits).flops);
}

static void bias_dropout_residual(const cJSON *in, answers *out) {
    const int64_t elements = whole(in, "T") * whole(in, "h");
    const nnc_pointwise_kind kind = NNC_PW_BIAS_DROPOUT_RESIDUAL;
    const nnc_work fused = pointwise(kind, elements, true, NNC_PHASE_FORWARD);
    const nnc_work unfused = pointwise(kind, elements, false, NNC_PHASE_FORWARD);
    give(out, "fused_bytes", bytes_of(&fused));
    give(out, "unfused_bytes", bytes_of(&unfused));
}

/* ---- convolution ---- */

static nnc_op convolution(const cJSON *in, int64_t h_out) {
    const int64_t h = whole(in, "H"), k = whole(in, "K");
    nnc_op op = op_of(NNC_OP_CONV);
    op.weights = (nnc_weights){ .count = 1, .rows = whole(in, "C_o"), .cols = whole(in, "C_i") * k * k };
    op.u.conv = (nnc_conv){ .batch = whole(in, "N"),
                            .c_in = whole(in, "C_i"),
                            .c_out = whole(in, "C_o"),
                            .h_in = h,
                            .w_in = h,
                            .h_out = h_out,
                            .w_out = h_out,
                            .kernel = k,
                            .stride = whole(in, "stride"),
                            .groups = 1 };
    return op;
}

static void stem(const cJSON *in, answers *out) {
    const nnc_op op = convolution(in, 112);
    give(out, "params_no_bias", (double)nnc_weights_params(&op.weights));
    give(out, "fwd", nnc_op_work(&op).flops);
}

static void decoder_conv(const cJSON *in, answers *out) {
    const nnc_op op = convolution(in, whole(in, "H"));
    const nnc_work work = nnc_op_work(&op);
    give(out, "fwd", work.flops);
    give(out, "bytes", bytes_of(&work));
    give(out, "intensity", nnc_intensity(&work));
}

static void transposed_conv(const cJSON *in, answers *out) {
    nnc_op op = convolution(in, 64);
    op.u.conv.transposed = true;
    give(out, "fwd", nnc_op_work(&op).flops);
}

#endif
