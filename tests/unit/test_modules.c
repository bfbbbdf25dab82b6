/* Tests, by hand, the cost of modules of a layer that backward recomputes, and of the communication that sends tokens
 * to their experts. */
#include "answers.h"
#include "cluster.h"
#include "cost/cost_internal.h"

enum { TOKENS = 32, HIDDEN = 64, HEADS = 4, EXPERTS = 8, TOP = 2, EXPERT = 24, SHARED = 40, FFN = 96 };

/* A model of two layers with latent attention: rank 16 of the queries, rank 8 of keys and values, 24 values per head of
 * queries and keys, 16 per head of values. The first layer has no experts. */
static nnc_model latent_experts(void) {
    nnc_model model = llama(2, HIDDEN, HEADS, HEADS, FFN, 100, TOKENS);
    nnc_decoder *d = &model.decoder;
    d->experts = EXPERTS;
    d->experts_per_token = TOP;
    d->expert_hidden = EXPERT;
    d->shared_hidden = SHARED;
    d->dense_layers = 1;
    d->q_lora_rank = 16;
    d->kv_lora_rank = 8;
    d->qk_nope_head_dim = 16;
    d->qk_rope_head_dim = 8;
    d->v_head_dim = 16;
    d->head_dim = 24;
    return model;
}

static nnc_result estimate_of(unsigned recompute, bool fp8_inputs) {
    const nnc_model model = latent_experts();
    const nnc_device device = plain_device();
    const nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_BF16;
    plan.recompute = recompute;
    plan.fp8_inputs = fp8_inputs;
    return estimate_with(&model, &device, &software, &plan);
}

/* saved: bytes of the tensors that a recomputed module no longer keeps, at 2 B per value. flops: FLOPs of the products
 * that run again. */
START_TEST(modules_by_hand) {
    const int64_t qkv = 2 * (2 * TOKENS * HEADS * (24 + 24 + 16)); /* sum of both layers */
    const int64_t shared = 2 * TOKENS * (2 * SHARED + SHARED);
    const int64_t routed = 2 * TOKENS * TOP * (HIDDEN + 2 * EXPERT + EXPERT + HIDDEN);
    const struct {
        unsigned recompute;
        int64_t saved;
        double flops;
    } cases[] = {
        { NNC_RECOMPUTE_MLA_UP_PROJ, qkv, 2 * 2.0 * TOKENS * HEADS * (16 * (16 + 8) + 8 * (16 + 16)) },
        { NNC_RECOMPUTE_MOE_ACT, 2 * TOKENS * TOP * EXPERT, 0 },
        { NNC_RECOMPUTE_SHARED_EXPERTS, shared, 2.0 * TOKENS * HIDDEN * 3 * SHARED },
        { NNC_RECOMPUTE_MLP, 2 * TOKENS * 3 * FFN, 2.0 * TOKENS * HIDDEN * 3 * FFN },
        { NNC_RECOMPUTE_MOE, shared + routed + 2 * TOKENS * EXPERTS,
          2.0 * TOKENS * HIDDEN * (EXPERTS + 3 * SHARED + 3 * TOP * EXPERT) },
    };
    const int64_t none = estimate_of(NNC_RECOMPUTE_NONE, false).memory.activation_bytes;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const nnc_result r = estimate_of(cases[i].recompute, false);
        ck_assert_int_eq(none - r.memory.activation_bytes, cases[i].saved);
        ck_assert_double_eq(r.recompute_flops, cases[i].flops);
        ck_assert_double_gt(r.recompute_s, 0.0);
    }
}
END_TEST

/* With fp8_inputs, the activation functions of the MLP, the shared experts and the routed experts keep their inputs,
 * gate and up, with 1 B less per value. */
START_TEST(inputs_in_8_bits) {
    const int64_t gates = 2 * TOKENS * (FFN + SHARED + TOP * EXPERT);
    ck_assert_int_eq(estimate_of(0, false).memory.activation_bytes - estimate_of(0, true).memory.activation_bytes,
                     gates);
}
END_TEST

/* A recomputed output is in memory while the backward of its module runs: the kept bytes become transient bytes. */
START_TEST(modules_are_live_once) {
    const nnc_result none = estimate_of(NNC_RECOMPUTE_NONE, false);
    const nnc_result moe = estimate_of(NNC_RECOMPUTE_MOE, false);
    ck_assert_int_eq(moe.memory.transient_bytes - none.memory.transient_bytes,
                     none.memory.activation_bytes - moe.memory.activation_bytes);
}
END_TEST

START_TEST(names_of_modules) {
    nnc_plan plan = nnc_plan_default();
    char text[80];
    ck_assert_int_eq(nnc_plan_set(&plan, "recompute", "core_attn,layernorm,mla-up-proj,moe_act", NULL), NNC_OK);
    nnc_recompute_text(plan.recompute, text, sizeof text);
    ck_assert_str_eq(text, "attention,norm,mla_up_proj,moe_act");
    nnc_recompute_text(NNC_RECOMPUTE_NORM, text, sizeof text);
    ck_assert_str_eq(text, "norm");
}
END_TEST

/* Number of servers that receive copies of one token. DeepSeek-V3 has 8 groups of experts, and a token goes to experts
 * of 4 groups. With one group per server, the token reaches 4 of 8 servers. With two groups per server, the token
 * reaches 4 (1 - C(6,4) / C(8,4)) = 22/7 of 4 servers. With two servers per group, each of the 4 groups gets 2 copies,
 * and the token reaches 4 * 2 (1 - (1/2)^2) = 6 of 16 servers. Without groups, 8 copies reach 8 (1 - (7/8)^8) of 8
 * servers. */
START_TEST(servers_that_a_token_reaches) {
    const struct {
        double domains, groups, met, reached;
    } cases[] = { { 8, 8, 4, 4 }, { 4, 8, 4, 22.0 / 7 }, { 16, 8, 4, 6 }, { 8, 0, 0, 5.251128673553467 } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nnc_network network = { 0 };
        network.routes[NNC_ROUTE_EXPERT].outer = (int32_t)cases[i].domains;
        const nnc_collective_op e = { .comm = NNC_COMM_EXPERT,
                                      .bytes = 8e6,
                                      .copies = 8,
                                      .groups = cases[i].groups,
                                      .groups_met = cases[i].met,
                                      .once_per_node = true };
        ck_assert_double_eq_tol(nnc_network_carried_bytes(&network, &e, false, NULL), 1e6 * cases[i].reached, 1e-6);
    }
}
END_TEST

static double sent_bytes(nnc_phase phase, const char *name) {
    int32_t count = 0;
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(nnc_op_name(rows[i].op), name) == 0 && nnc_op_phase(rows[i].op) == phase) {
            return rows[i].op->u.collective.bytes;
        }
    }
    return NAN;
}

/* A value that is sent to an expert takes 1 B and 4/128 B for the scale of its block. A value that is sent back takes 2
 * B. The communication occupies 20 of 132 units. */
START_TEST(experts_that_are_sent_8_bits) {
    const nnc_model model = latent_experts();
    nnc_device device = cluster_device();
    nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    device.units = 132;
    software.expert_dispatch_8bit = true;
    software.network_units = 20;
    plan.data = plan.expert = 2;
    plan.precision = NNC_FP8;
    estimate_with(&model, &device, &software, &plan);
    const double values = (double)TOKENS * TOP * HIDDEN;
    ck_assert_double_eq(sent_bytes(NNC_PHASE_FORWARD, "moe.all_to_all_in"), values * (1 + 4.0 / 128));
    ck_assert_double_eq(sent_bytes(NNC_PHASE_FORWARD, "moe.all_to_all_out"), values * 2);
    ck_assert_double_eq(sent_bytes(NNC_PHASE_BACKWARD, "moe.all_to_all_in"), values * 2);
    ck_assert_double_eq(sent_bytes(NNC_PHASE_BACKWARD, "moe.all_to_all_out"), values * (1 + 4.0 / 128));
    ck_assert_double_eq(nnc_rows_lent_factor(&device, &plan, &software), 132.0 / 112);
    plan.expert = 1;
    ck_assert_double_eq(nnc_rows_lent_factor(&device, &plan, &software), 1.0);
}
END_TEST

/* With 8-bit gathers, tensor ranks gather tokens and gradients in 1 B per value, the format in which the products read
 * them. With 8-bit gathers, tensor ranks still scatter sums in 2 B per value. Adapters read tokens in 2 B per value. */
START_TEST(gathers_of_8_bits) {
    const nnc_model model = gpt(2, 64, 4, 100, TOKENS);
    const nnc_device device = cluster_device();
    nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    plan.tensor = 2;
    plan.sequence_parallel = true;
    plan.precision = NNC_FP8;
    for (int adapted = 0; adapted < 2; adapted++) {
        plan.adapter_rank = adapted ? 8 : 0;
        for (int narrow = 0; narrow < 2; narrow++) {
            const double values = TOKENS * 64.0, gathered = narrow ? values : 2 * values;
            software.narrow_gathers = narrow == 1;
            estimate_with(&model, &device, &software, &plan);
            ck_assert_double_eq(sent_bytes(NNC_PHASE_FORWARD, "attn.tensor_in"), adapted ? 2 * values : gathered);
            ck_assert_double_eq(sent_bytes(NNC_PHASE_BACKWARD, "attn.tensor_in"), 2 * values);
            ck_assert_double_eq(sent_bytes(NNC_PHASE_FORWARD, "mlp.tensor_out"), 2 * values);
            ck_assert_double_eq(sent_bytes(NNC_PHASE_BACKWARD, "mlp.tensor_out"), gathered);
            ck_assert_double_eq(sent_bytes(NNC_PHASE_FORWARD, "head.tensor_in"), 2 * values);
        }
    }
}
END_TEST

static const nnc_op *forward_op(const char *name) {
    int32_t count = 0;
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(nnc_op_name(rows[i].op), name) == 0 && nnc_op_phase(rows[i].op) == NNC_PHASE_FORWARD) {
            return rows[i].op;
        }
    }
    return NULL;
}

/* 2 data ranks with 2 tensor ranks each hold eight experts. With whole experts, each of the four ranks holds two
 * complete experts and computes half of the tokens of its replica. With whole experts, the tensor ranks gather only the
 * tokens of the shared expert. */
START_TEST(whole_experts) {
    const nnc_model model = latent_experts();
    nnc_plan plan = nnc_plan_default();
    nnc_error err = { 0 };
    plan.precision = NNC_BF16;
    plan.data = plan.tensor = 2;
    plan.expert = 4;
    plan.sequence_parallel = plan.whole_experts = true;
    const nnc_result whole = estimate_on_cluster(&model, &plan);
    const nnc_matmul *up = &forward_op("moe.gate_up")->u.matmul;
    ck_assert_int_eq(up->m, TOKENS * TOP / 2);
    ck_assert_int_eq(up->n, 2 * EXPERT);
    ck_assert_int_eq(up->experts, EXPERTS / 4);
    ck_assert_double_eq(forward_op("mlp.tensor_in")->u.collective.bytes, 2.0 * TOKENS * HIDDEN);
    plan.whole_experts = false;
    plan.expert = 2;
    const nnc_result sliced = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(forward_op("moe.gate_up")->u.matmul.n, EXPERT);
    ck_assert_double_eq(whole.model_flops, sliced.model_flops);
    ck_assert_int_eq(whole.memory.weight_bytes, sliced.memory.weight_bytes);
    plan.expert = 4; /* the expert degree 4 is larger than data degree x context degree */
    const nnc_device device = cluster_device();
    const nnc_software software = nnc_software_default();
    nnc_result r;
    ck_assert_int_eq(nnc_estimate(&model, &device, &software, &plan, scratch, &r, &err), NNC_ILLEGAL_PLAN);
    plan.whole_experts = true;
    plan.sequence_parallel = false;
    ck_assert_int_eq(nnc_estimate(&model, &device, &software, &plan, scratch, &r, &err), NNC_ILLEGAL_PLAN);
    ck_assert_str_eq(err.where, "--whole-experts");
}
END_TEST

/* [experts] One data rank and four tensor ranks. The same four ranks are two groups of 2 expert ranks. Each expert has
 * 1 x 4 / 2 = 2 copies, on ranks 0 and 2 or on ranks 1 and 3. Without ZeRO, the two copies of an expert add their
 * gradients. With ZeRO 1, the shards are those of the one data rank, so the two copies are replicas of these shards. */
START_TEST(copies_of_whole_experts) {
    const nnc_device device = cluster_device();
    nnc_plan plan = nnc_plan_default();
    nnc_network network;
    nnc_error err = { 0 };
    plan.devices = plan.tensor = 4;
    plan.expert = 2;
    plan.shard = plan.data = plan.context = plan.pipeline = 1;
    plan.sequence_parallel = plan.whole_experts = true;
    ck_assert_int_eq(nnc_network_find(&device, &plan, &network, &err), NNC_OK);
    ck_assert_int_eq(network.routes[NNC_ROUTE_EXPERT_SHARD].size, 2);
    ck_assert_int_eq(network.routes[NNC_ROUTE_EXPERT_REPLICA].size, 1);
    plan.zero = 1;
    ck_assert_int_eq(nnc_network_find(&device, &plan, &network, &err), NNC_OK);
    ck_assert_int_eq(network.routes[NNC_ROUTE_EXPERT_SHARD].size, 1);
    ck_assert_int_eq(network.routes[NNC_ROUTE_EXPERT_REPLICA].size, 2);
}
END_TEST

/* Products take longer by a factor of the device file if their operands have one scale per block of values. */
START_TEST(scales_for_blocks) {
    nnc_device device = plain_device();
    device.matmul_flops_per_s[NNC_FP8] = 1e14;
    device.efficiency.gemm[NNC_FP8].block_ratio = 1.25;
    nnc_op op = { .kind = NNC_OP_MATMUL, .dtype = NNC_BF16, .math_dtype = NNC_FP8 };
    op.u.matmul = (nnc_matmul){ .batch = 1, .m = 8192, .n = 8192, .k = 8192, .b_shared = 1 };
    const nnc_work work = nnc_op_work(&op);
    const nnc_timing whole = nnc_op_time(&device, &op, &work);
    op.u.matmul.in_blocks = true;
    ck_assert_double_eq(nnc_op_time(&device, &op, &work).compute_s, 1.25 * whole.compute_s);
    /* group_ratio is for experts with any number of tokens; experts with equal slots do not use it */
    op.u.matmul.in_blocks = false;
    device.efficiency.gemm[NNC_FP8].group_ratio = 2.0;
    op.u.matmul.experts = 4;
    op.u.matmul.ragged = true;
    ck_assert_double_eq(nnc_op_time(&device, &op, &work).compute_s, 2.0 * whole.compute_s);
    op.u.matmul.useful = 0.8; /* a mean rank has 0.8 of the rows of the busiest rank (--imbalance) */
    ck_assert_double_eq(nnc_op_time(&device, &op, &work).compute_s, 2.0 * whole.compute_s);
    op.u.matmul.ragged = false;
    ck_assert_double_eq(nnc_op_time(&device, &op, &work).compute_s, whole.compute_s);
    op.u.matmul.useful = 0.0;
    op.u.matmul.experts = 0;
    op.u.matmul.in_blocks = true;
    const double operands = 2.0 * 8192 * 8192;
    ck_assert_double_eq(nnc_op_work(&op).read_bytes, operands * (1 + 1.0 / 32));
    op.math_dtype = NNC_FP4;
    ck_assert_double_eq(nnc_op_work(&op).read_bytes, operands * (0.5 + 1.0 / 16));
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        modules_by_hand,
        inputs_in_8_bits,
        modules_are_live_once,
        names_of_modules,
        servers_that_a_token_reaches,
        experts_that_are_sent_8_bits,
        gathers_of_8_bits,
        whole_experts,
        copies_of_whole_experts,
        scales_for_blocks,
    };
    return run_tests("modules", tests, COUNT_OF(tests));
}
