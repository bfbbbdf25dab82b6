/* Functions that compute answers about several devices. The examples of docs/formulas.md and the published exercises
 * use these functions. */
#ifndef NNCOST_TESTS_UNIT_CLUSTER_ANSWERS_H
#define NNCOST_TESTS_UNIT_CLUSTER_ANSWERS_H

#include "answers.h"
#include "cluster.h"
#include "cost/cost_internal.h"
#include "estimate/estimate_internal.h"
#include "pipeline/pipeline_internal.h"

/* A group of n ranks, in which each rank sends to the n - 1 other ranks at bytes_per_s. */
static inline nnc_route route_of(int32_t n, double bytes_per_s) {
    return (nnc_route){ .size = n,
                        .inner = n,
                        .outer = 1,
                        .inner_bytes_per_s = bytes_per_s,
                        .link_bytes_per_s = bytes_per_s,
                        .link = "scale_up" };
}

/* Returns the bytes per parameter of weights, gradients and optimizer states with a ZeRO stage, from an estimate. */
static inline double state_bytes(int32_t zero, int32_t data, nnc_policy policy) {
    const nnc_model model = gpt(4, 512, 8, 512, 64);
    nnc_plan plan = plan_of(data, 1, 1);
    plan.zero = zero;
    plan.policy = policy;
    const nnc_result r = estimate_on_cluster(&model, &plan);
    return (double)(r.memory.weight_bytes + r.memory.gradient_bytes + r.memory.optimizer_bytes) / (double)r.params;
}

/* Returns the bytes per parameter of one kind of collective of the data ranks, in a step with one pass. */
static inline double exchanged_per_param(const nnc_plan *plan, nnc_collective kind) {
    const nnc_model model = gpt(4, 512, 8, 512, 64);
    const nnc_result r = estimate_on_cluster(&model, plan);
    int32_t count = 0;
    double sum = 0.0;
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    for (int32_t i = 0; i < count; i++) {
        if (rows[i].op->kind == NNC_OP_COLLECTIVE && rows[i].op->u.collective.forward == kind) {
            sum += rows[i].op->u.collective.bytes * rows[i].repeat;
        }
    }
    return sum / (double)r.params;
}

/* Returns the bytes per parameter that a rank sends in all collectives. */
static inline double sent_per_param(int32_t data, int32_t zero) {
    static const nnc_collective kinds[] = { NNC_ALL_REDUCE, NNC_ALL_GATHER, NNC_REDUCE_SCATTER };
    nnc_plan plan = plan_of(data, 1, 1);
    double sum = 0.0;
    plan.zero = zero;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        sum += nnc_collective_sent_bytes(kinds[i], data, exchanged_per_param(&plan, kinds[i]));
    }
    return sum;
}

/* Returns the smallest number of tokens per rank for which the next block of keys and values arrives while the current
 * block is computed (ring attention). The transfer time grows with the number of tokens, the compute time with the
 * square of the number of tokens. */
static inline double ring_tokens(double flops_per_s, double bytes_per_s, int64_t heads, int64_t kv_heads) {
    const int64_t s = 1024, d = 128;
    nnc_op op = op_of(NNC_OP_FLASH);
    op.u.flash = (nnc_flash){ .batch = 1,
                              .heads = heads,
                              .kv_heads = kv_heads,
                              .s_q = s,
                              .s_k = s,
                              .head_dim = d,
                              .value_dim = d,
                              .pairs = (double)(s * s),
                              .full_pairs = (double)(s * s) };
    const nnc_route route = route_of(8, bytes_per_s);
    const double block = 2.0 * 2.0 * (double)(s * kv_heads * d);
    return (double)s * nnc_collective_s(&route, NNC_P2P, block) / (nnc_op_work(&op).flops / flops_per_s);
}

/* Returns the time of an op and a collective, if the given share of the collective overlaps with the op. */
static inline double overlapped_s(double compute_s, double network_s, double share) {
    static nnc_rows rows;
    static nnc_op_list list;
    const nnc_overlap overlap = { .share = { [NNC_COMM_TENSOR] = share } };
    list = (nnc_op_list){ .segment_count = 1, .segments = { { 1, true } } };
    rows.count = 2;
    for (int i = 0; i < 2; i++) {
        rows.ops[i] = op_of(i == 0 ? NNC_OP_MATMUL : NNC_OP_COLLECTIVE);
        rows.rows[i] = (nnc_op_cost){ .op = &rows.ops[i], .repeat = 1.0 };
    }
    rows.ops[1].u.collective = (nnc_collective_op){ .comm = NNC_COMM_TENSOR };
    rows.rows[0].time_s = compute_s;
    rows.rows[1].time_s = rows.rows[1].network_s = network_s;
    nnc_rows_overlap(&rows, &list, NULL, &overlap, NULL);
    return rows.rows[0].time_s + rows.rows[1].time_s;
}

/* Returns the training FLOPs per token and per parameter of a matrix product. */
static inline double flops_per_param_token(void) {
    const nnc_model model = llama(2, 256, 4, 4, 512, 1000, 64);
    const nnc_plan plan = plan_of(1, 1, 1);
    const nnc_result r = estimate_on_cluster(&model, &plan);
    return r.six_nd_flops / (double)r.matmul_params / (double)r.tokens;
}

/* Reads a list such as "1.0,1.2" and returns the number of values. */
static inline int32_t times_of(const cJSON *in, const char *key, double times[8]) {
    int32_t count = 0;
    for (const char *at = text_of(in, key); at != NULL && count < 8; at = strchr(at, ',')) {
        at += *at == ',';
        times[count++] = strtod(at, NULL);
    }
    return count;
}

static inline void mixtral_params(const cJSON *in, answers *out) {
    const nnc_model model = mixtral(whole(in, "L"), whole(in, "h"), whole(in, "a"), whole(in, "g"), whole(in, "f_e"),
                                    whole(in, "E"), whole(in, "V"), 4096);
    const nnc_plan plan = nnc_plan_default();
    const nnc_result r = estimate(&model, &plan);
    ck_assert_int_eq(whole(in, "k"), model.decoder.experts_per_token);
    give(out, "total", (double)r.params);
    give(out, "active", (double)r.active_params);
}

static inline nnc_model deepseek_v3(int64_t layers) {
    nnc_model model = llama(layers, 7168, 128, 128, 18432, 129280, 4096);
    nnc_decoder *d = &model.decoder;
    d->experts = 256;
    d->experts_per_token = 8;
    d->expert_hidden = d->shared_hidden = 2048;
    d->dense_layers = 3;
    d->router_bias = true;
    d->q_lora_rank = 1536;
    d->kv_lora_rank = 512;
    d->qk_nope_head_dim = d->v_head_dim = 128;
    d->qk_rope_head_dim = 64;
    d->head_dim = 192;
    return model;
}

#endif
