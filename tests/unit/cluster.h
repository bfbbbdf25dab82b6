/* Defines data for tests of plans with several devices: a device with links, small models with experts and latent
 * attention, and plans with given degrees. */
#ifndef NNCOST_TESTS_UNIT_CLUSTER_H
#define NNCOST_TESTS_UNIT_CLUSTER_H

#include "op/op_internal.h"
#include "support.h"

/* Returns the device of plain_device(), with links, in servers of eight devices. The links have 300 GB/s within a
 * server, 25 GB/s between servers and to host memory, and no latency. */
static inline nnc_device cluster_device(void) {
    nnc_device device = plain_device();
    device.matmul_flops_per_s[NNC_FP8] = 200e12;
    device.scale_up =
        (nnc_scale_up){ .kind = NNC_LINK_SWITCH, .devices = 8, .bytes_per_s = 300e9, .latency_s = (double)NAN };
    device.scale_out =
        (nnc_scale_out){ .bytes_per_s = 25e9, .latency_s = (double)NAN, .oversubscription = (double)NAN };
    device.host = (nnc_host_link){ .bytes_per_s = 25e9, .mem_bytes_per_s = 50e9 };
    return device;
}

static inline nnc_result estimate_on_cluster(const nnc_model *model, const nnc_plan *plan) {
    const nnc_device device = cluster_device();
    const nnc_software software = nnc_software_default();
    return estimate_with(model, &device, &software, plan);
}

/* Returns a LLaMA whose MLP layers have `experts` gated experts. Each token uses two experts. */
static inline nnc_model mixtral(int64_t layers, int64_t hidden, int64_t heads, int64_t kv_heads, int64_t expert_hidden,
                                int64_t experts, int64_t vocab, int64_t seq_len) {
    nnc_model model = llama(layers, hidden, heads, kv_heads, expert_hidden, vocab, seq_len);
    nnc_decoder *d = &model.decoder;
    d->experts = experts;
    d->experts_per_token = 2;
    d->expert_hidden = expert_hidden;
    return model;
}

/* Returns a model with latent attention: one dense layer, then layers with routed and shared experts. */
static inline nnc_model deepseek(int64_t layers, int64_t seq_len) {
    nnc_model model = mixtral(layers, 128, 8, 8, 32, 16, 512, seq_len);
    nnc_decoder *d = &model.decoder;
    d->ffn_hidden = 384;
    d->experts_per_token = 4;
    d->shared_hidden = 64;
    d->dense_layers = 1;
    d->router_bias = true;
    d->head_dim = 24;
    d->q_lora_rank = 48;
    d->kv_lora_rank = 32;
    d->qk_nope_head_dim = 16;
    d->qk_rope_head_dim = 8;
    d->v_head_dim = 16;
    return model;
}

static inline nnc_plan plan_of(int32_t data, int32_t tensor, int32_t pipeline) {
    nnc_plan plan = nnc_plan_default();
    plan.data = data;
    plan.tensor = tensor;
    plan.pipeline = pipeline;
    plan.precision = NNC_BF16;
    return plan;
}

/* Returns the row with the given name and phase from the op table of the last estimate. NULL = no such row. */
static inline const nnc_op_cost *find_row(const char *name, nnc_phase phase) {
    int32_t count = 0;
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    for (int32_t i = 0; i < count; i++) {
        if (rows[i].op->phase == phase && strcmp(rows[i].op->name, name) == 0) { return &rows[i]; }
    }
    return NULL;
}

static inline const nnc_op_cost *row_of(const char *name, nnc_phase phase) {
    const nnc_op_cost *row = find_row(name, phase);
    ck_assert_msg(row != NULL, "no row %s", name);
    return row;
}

/* Returns the bytes of the tensor of one collective in the last estimate. */
static inline double exchanged(const char *name, nnc_phase phase) {
    const nnc_op_cost *row = row_of(name, phase);
    ck_assert_int_eq((int)row->op->kind, NNC_OP_COLLECTIVE);
    return row->op->u.collective.bytes;
}

static inline void near(double found, double expected, double rel) {
    ck_assert_msg(fabs(found - expected) <= rel * fabs(expected), "expected %.17g, found %.17g", expected, found);
}

#endif
