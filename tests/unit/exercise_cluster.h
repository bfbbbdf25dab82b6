/* Computes published exercises about several devices and about whole runs. */
#ifndef NNCOST_TESTS_UNIT_EXERCISE_CLUSTER_H
#define NNCOST_TESTS_UNIT_EXERCISE_CLUSTER_H

#include "cluster_answers.h"

#define GIB 1073741824.0

static double math_s(double flops, double flops_per_s) {
    const nnc_device roof = roof_of(flops_per_s, 1e12);
    const nnc_work work = { .flops = flops };
    return timing_on(&roof, &work).time_s;
}

/* ---- activations and states of arXiv:2205.05198 ---- */

static double layer_bytes(const cJSON *in, unsigned recompute, int32_t tensor, bool sequence) {
    const nnc_model model = gpt(1, whole(in, "h"), whole(in, "a"), 100, whole(in, "s"));
    nnc_plan plan = plan_of(1, tensor, 1);
    plan.micro_batch = cJSON_HasObjectItem(in, "b") ? whole(in, "b") : 1;
    plan.seq_len = whole(in, "s");
    plan.recompute = recompute;
    plan.sequence_parallel = sequence;
    return nnc_korthikanti_layer_bytes(&model.decoder, &plan);
}

/* The exercise defines the overhead as three times the recomputed FLOPs / the model FLOPs. */
static void selective_terms(const cJSON *in, answers *out) {
    const double all = layer_bytes(in, NNC_RECOMPUTE_NONE, 1, false);
    const double selective = layer_bytes(in, NNC_RECOMPUTE_ATTENTION, 1, false);
    const nnc_model model = gpt(whole(in, "L"), whole(in, "h"), whole(in, "a"), whole(in, "V"), whole(in, "s"));
    nnc_plan plan = nnc_plan_default();
    plan.recompute = NNC_RECOMPUTE_ATTENTION;
    const nnc_result r = estimate(&model, &plan);
    give(out, "ratio", (all - selective) / (number(in, "s") * number(in, "h")));
    give(out, "saved", (all - selective) / all);
    give(out, "overhead", 3.0 * r.recompute_flops / r.model_flops);
}

/* Computes the kept bytes of the first stage: all its layers, for every micro-batch in flight. */
static void stage_activations(const cJSON *in, answers *out) {
    const int32_t t = (int32_t)whole(in, "t"), p = (int32_t)whole(in, "p");
    const double layers = number(in, "L") / p * nnc_pipeline_in_flight(NNC_SCHEDULE_1F1B, p, 1, 1024, 0);
    ck_assert_int_eq(whole(in, "v"), 1);
    give(out, "tp_only", layers * layer_bytes(in, NNC_RECOMPUTE_NONE, t, false) / GIB);
    give(out, "sp_selective", layers * layer_bytes(in, NNC_RECOMPUTE_ATTENTION, t, true) / GIB);
}

static void stage_shares(const cJSON *in, answers *out) {
    const int32_t t = (int32_t)whole(in, "t");
    const double per_cent = 0.01 * layer_bytes(in, NNC_RECOMPUTE_NONE, t, false);
    give(out, "seq", layer_bytes(in, NNC_RECOMPUTE_NONE, t, true) / per_cent);
    give(out, "selective", layer_bytes(in, NNC_RECOMPUTE_ATTENTION, t, false) / per_cent);
    give(out, "both", layer_bytes(in, NNC_RECOMPUTE_ATTENTION, t, true) / per_cent);
    give(out, "full", layer_bytes(in, NNC_RECOMPUTE_FULL, t, false) / per_cent);
}

/* Computes the bytes of weights, gradients and optimizer states, but only for the matrices of the layers. Gradients are
 * fp32. */
static void stage_states(const cJSON *in, answers *out) {
    nnc_model model = gpt(whole(in, "L"), whole(in, "h"), 64, 512, 2048);
    nnc_plan plan = plan_of(1, (int32_t)whole(in, "t"), (int32_t)whole(in, "p"));
    model.decoder.biases = false;
    plan.policy = NNC_POLICY_MIXED_FP32GRAD;
    const nnc_result r = estimate_on_cluster(&model, &plan);
    const double params = (double)(r.params_by_group[NNC_GROUP_ATTENTION] + r.params_by_group[NNC_GROUP_MLP]);
    ck_assert_double_eq(number(in, "bytes"), adam_state_bytes(plan.policy, 1.0));
    give(out, "gib", adam_state_bytes(plan.policy, params) / plan.tensor / GIB);
}

/* ---- sharded states ---- */

static void zero_stages_at(const cJSON *in, answers *out) {
    const char *const names[] = { "s0", "s1", "s2", "s3" };
    const int32_t dp = (int32_t)whole(in, "dp");
    for (int32_t zero = 0; zero <= 3; zero++) {
        give(out, names[zero], number(in, "N") * state_bytes(zero, dp, NNC_POLICY_MIXED) / 1e9);
    }
}

static void zero_factors(const cJSON *in, answers *out) {
    const int32_t dp = (int32_t)whole(in, "dp");
    const double all = state_bytes(0, dp, NNC_POLICY_MIXED);
    give(out, "s1", all / state_bytes(1, dp, NNC_POLICY_MIXED));
    give(out, "s2", all / state_bytes(2, dp, NNC_POLICY_MIXED));
}

static void zero_volume(const cJSON *in, answers *out) {
    (void)in;
    give_near(out, "ratio", sent_per_param(64, 3) / sent_per_param(64, 0), 1e-12);
}

/* Weights are bf16 and moments are fp32. Gradients are not kept. */
static void largest_on_a_chip(const cJSON *in, answers *out) {
    const double bytes = adam_state_bytes(NNC_POLICY_BF16_STATES_FP32, 1.0);
    ck_assert_double_eq(bytes, number(in, "bytes"));
    give(out, "N", number(in, "hbm") / bytes);
}

static void states_of_13b(const cJSON *in, answers *out) {
    give(out, "bytes", adam_state_bytes(NNC_POLICY_BF16_STATES_FP32, number(in, "N")));
}

/* ---- links ---- */

static void hidden_ring(const cJSON *in, answers *out) {
    give(out, "tokens", ring_tokens(number(in, "P"), number(in, "B_l"), 32, 32));
}

/* Returns the time of an all-gather over one axis of a torus. wraps: the axis is a ring, so the all-gather sends in
 * both directions. */
static double gather_s(int32_t ranks, double link_bytes_per_s, bool wraps, double bytes) {
    nnc_device device = cluster_device();
    nnc_route route;
    device.scale_up = (nnc_scale_up){ .kind = NNC_LINK_TORUS,
                                      .devices = ranks,
                                      .dims = { ranks },
                                      .dims_count = 1,
                                      .wrap = { wraps },
                                      .wrap_count = 1,
                                      .bytes_per_s = link_bytes_per_s,
                                      .latency_s = (double)NAN };
    ck_assert_int_eq(nnc_route_find(&device, ranks, ranks, ranks, 1, &route, NULL), NNC_OK);
    return nnc_collective_s(&route, NNC_ALL_GATHER, bytes);
}

static void gather_line(const cJSON *in, answers *out) {
    give(out, "line", gather_s((int32_t)whole(in, "X"), number(in, "W_1"), false, number(in, "bytes")));
}

/* The exercise leaves out the factor (n - 1) / n with n = 4 ranks. */
static void gather_part(const cJSON *in, answers *out) {
    const int32_t ranks = 4;
    const double bytes = 2.0 * number(in, "B") * number(in, "D") / number(in, "Y");
    give(out, "time", gather_s(ranks, 0.5 * number(in, "W_bi"), true, bytes) * ranks / (ranks - 1));
}

/* ---- parameters ---- */

/* In the exercise, the inner width F of the MLP is 2.7 times the width D of the model, and norms are ignored. */
static void params_of_13b(const cJSON *in, answers *out) {
    const int64_t D = whole(in, "D");
    const int64_t F = (int64_t)(number(in, "F_over_D") * (double)D);
    const nnc_model model = llama(whole(in, "L"), D, 40, 40, F, whole(in, "V"), 2048);
    const nnc_plan plan = nnc_plan_default();
    const nnc_result r = estimate(&model, &plan);
    const int64_t *groups = r.params_by_group;
    give(out, "ffw", (double)groups[NNC_GROUP_MLP]);
    give(out, "attention", (double)groups[NNC_GROUP_ATTENTION]);
    give(out, "vocab", (double)(groups[NNC_GROUP_EMBEDDING] + groups[NNC_GROUP_HEAD]));
    give(out, "total", (double)(r.params - groups[NNC_GROUP_NORM]));
}

static void deepseek_params(const cJSON *in, answers *out) {
    const nnc_model model = deepseek_v3(whole(in, "L"));
    const nnc_plan plan = nnc_plan_default();
    const nnc_result r = estimate(&model, &plan);
    give(out, "total", (double)r.params);
    give(out, "active", (double)r.active_params);
}

/* ---- whole runs ---- */

static void flops_of_70b(const cJSON *in, answers *out) {
    const double per_token = flops_per_param_token() * number(in, "N");
    give(out, "per_token", per_token);
    give(out, "total", per_token * number(in, "D"));
    give(out, "time_per_token", math_s(per_token, number(in, "P")));
}

static void days_of_70b(const cJSON *in, answers *out) {
    nnc_device roof = roof_of(number(in, "n") * number(in, "P"), 1e12);
    const nnc_work work = { .flops = number(in, "flops") };
    roof.efficiency.conv.sustained_fraction = number(in, "mfu");
    const double seconds = timing_on(&roof, &work).time_s;
    give(out, "seconds", seconds);
    give(out, "days", seconds / 86400);
}

static void flops_of_gpt3(const cJSON *in, answers *out) {
    give(out, "flops", flops_per_param_token() * number(in, "N") * number(in, "D"));
}

static void years_of_gpt3(const cJSON *in, answers *out) {
    give(out, "years", math_s(number(in, "flops"), number(in, "P")) / (365 * 86400.0));
}

/* With full recomputation, forward of every layer runs twice. The exercise counts the FLOPs of the first and of the
 * second forward. */
static void achieved_rate(const cJSON *in, answers *out) {
    const nnc_model model = gpt(whole(in, "L"), whole(in, "h"), 128, whole(in, "V"), whole(in, "s"));
    nnc_plan plan = nnc_plan_default();
    plan.recompute = NNC_RECOMPUTE_FULL;
    plan.micro_batch = 1;
    plan.micro_batches = whole(in, "B");
    const nnc_result r = estimate(&model, &plan);
    give(out, "tflops", r.hardware_flops / number(in, "step") / number(in, "n") / 1e12);
}

/* The FLOPs are 6 N D over all parameters, plus the products with attention scores over all pairs. The FLOPs of the
 * products with attention scores depend only on the number of layers and the width. */
static void palm_mfu(const cJSON *in, answers *out) {
    const int64_t a = whole(in, "a"), d = whole(in, "d");
    const nnc_model model = llama(whole(in, "L"), a * d, a, a, 256, 256, whole(in, "s"));
    const nnc_plan plan = nnc_plan_default();
    const nnc_result r = estimate(&model, &plan);
    const double core = 3.0 * sum_rows(is_attention_core, full_flops) / (double)r.tokens;
    const double per_token = flops_per_param_token() * number(in, "N");
    const double rate = number(in, "rate") / (number(in, "n") * number(in, "P"));
    give(out, "with", (per_token + core) * rate);
    give(out, "without", per_token * rate);
}

#endif
