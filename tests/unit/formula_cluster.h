/* Computes the worked examples of docs/formulas.md about several devices. */
#ifndef NNCOST_TESTS_UNIT_FORMULA_CLUSTER_H
#define NNCOST_TESTS_UNIT_FORMULA_CLUSTER_H

#include "cluster_answers.h"

/* ---- experts ---- */

static void deepseek_params(const cJSON *in, answers *out) {
    const nnc_model model = deepseek_v3(whole(in, "L"));
    const nnc_plan plan = nnc_plan_default();
    const nnc_result r = estimate(&model, &plan);
    give(out, "total", (double)r.params);
    give(out, "active_incl_both_embeddings", (double)r.active_params);
    give(out, "active_without_input_embedding", (double)(r.active_params - whole(in, "V") * whole(in, "h")));
}

/* Computes the parameters of attention and of the two norms inside attention. The function compares two models that
 * differ by one dense layer. The result is the difference of the parameters of the two models, without the MLP and the
 * two norms outside attention. */
static void latent_params(const cJSON *in, answers *out) {
    nnc_plan plan = nnc_plan_default();
    nnc_model model = deepseek_v3(2);
    model.decoder.dense_layers = 2;
    const nnc_result two = estimate(&model, &plan);
    model = deepseek_v3(1);
    model.decoder.dense_layers = 1;
    const nnc_result one = estimate(&model, &plan);
    give(out, "params_per_layer", (double)(two.params - one.params - 3 * 7168 * 18432 - 2 * whole(in, "h")));
}

static nnc_model experts_of(const cJSON *in, int64_t hidden, int64_t expert_hidden) {
    nnc_model model = mixtral(1, hidden, 32, 32, expert_hidden, whole(in, "E"), 64, whole(in, "T"));
    model.decoder.experts_per_token = whole(in, "k");
    return model;
}

static void expert_slots(const cJSON *in, answers *out) {
    const nnc_model model = experts_of(in, 256, 64);
    nnc_plan plan = nnc_plan_default();
    plan.capacity_factor = number(in, "capacity_factor");
    estimate(&model, &plan);
    const nnc_matmul *p = &row_of("moe.gate_up", NNC_PHASE_FORWARD)->op->u.matmul;
    give(out, "capacity", (double)(p->m / p->experts));
    give(out, "padded_tokens", (double)p->m);
    give(out, "useful_tokens", (double)p->m * p->useful);
}

static void expert_flops(const cJSON *in, answers *out) {
    const nnc_model model = experts_of(in, whole(in, "h"), whole(in, "f_e"));
    const nnc_plan plan = nnc_plan_default();
    estimate(&model, &plan);
    give(out, "router_fwd", row_of("moe.router", NNC_PHASE_FORWARD)->work.flops);
    give(out, "experts_fwd",
         row_of("moe.gate_up", NNC_PHASE_FORWARD)->work.flops + row_of("moe.down", NNC_PHASE_FORWARD)->work.flops);
}

static void expert_traffic(const cJSON *in, answers *out) {
    nnc_model model = mixtral(1, whole(in, "h"), 56, 56, 64, 64, 64, whole(in, "T_r"));
    model.decoder.experts_per_token = whole(in, "k");
    nnc_plan plan = plan_of((int32_t)whole(in, "e"), 1, 1);
    plan.expert = plan.data;
    estimate_on_cluster(&model, &plan);
    give(out, "combine",
         nnc_collective_sent_bytes(NNC_ALL_TO_ALL, plan.expert, exchanged("moe.all_to_all_out", NNC_PHASE_FORWARD)));
}

/* ---- memory ---- */

/* The example states two numbers for a layer: the bytes of its input, and the bytes of all its kept tensors. */
static void checkpoints(const cJSON *in, answers *out) {
    const nnc_segment_sums sums[NNC_SEGMENTS_MAX] = {
        { .kept_bytes = number(in, "layer"), .input_bytes = number(in, "ckpt"), .live_bytes = number(in, "layer") }
    };
    const nnc_model model = gpt(1, 64, 1, 64, 64);
    const nnc_op_list layers = { .segments = { { .layer = true } }, .segment_count = 1 };
    const nnc_software neutral = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    nnc_stage_residency h = { .instances = { whole(in, "L") }, .segments = 1, .in_flight = 1.0, .flight = { 1.0 } };
    give(out, "keep_all", (double)nnc_memory_of(&model, &layers, sums, &h, &plan, &neutral, 0).activation_bytes);
    plan.recompute = NNC_RECOMPUTE_FULL;
    h.recomputed[0] = h.instances[0];
    const nnc_memory m = nnc_memory_of(&model, &layers, sums, &h, &plan, &neutral, 0);
    give(out, "per_layer_checkpoints_total", (double)(m.activation_bytes + m.transient_bytes));
}

static void zero_stages(const cJSON *in, answers *out) {
    const char *const names[] = { "stage0", "stage1", "stage2", "stage3" };
    for (int32_t zero = 0; zero <= 3; zero++) {
        give_near(out, names[zero], number(in, "N") * state_bytes(zero, (int32_t)whole(in, "dp"), NNC_POLICY_MIXED),
                  1e-5);
    }
}

static void distributed_optimizer(const cJSON *in, answers *out) {
    const double bytes = state_bytes(1, (int32_t)whole(in, "dp"), NNC_POLICY_MIXED_FP32GRAD);
    give_near(out, "per_param", bytes, 1e-5);
    give_near(out, "total", bytes * number(in, "N"), 1e-5);
}

/* ---- traffic ---- */

static void data_traffic(const cJSON *in, answers *out) {
    const int32_t n = (int32_t)whole(in, "n");
    const double N = number(in, "N"), B = number(in, "B_l");
    const nnc_route route = route_of(n, B);
    give_near(out, "ddp_sent", N * sent_per_param(n, 0), 1e-12);
    give_near(out, "zero3_sent", N * sent_per_param(n, 3), 1e-12);
    nnc_plan plan = plan_of(n, 1, 1);
    give(out, "ddp_time", nnc_collective_s(&route, NNC_ALL_REDUCE, N * exchanged_per_param(&plan, NNC_ALL_REDUCE)));
    plan.zero = 3;
    const double gathered = N * exchanged_per_param(&plan, NNC_ALL_GATHER);
    const double scattered = N * exchanged_per_param(&plan, NNC_REDUCE_SCATTER);
    give(out, "zero3_time",
         nnc_collective_s(&route, NNC_ALL_GATHER, gathered) + nnc_collective_s(&route, NNC_REDUCE_SCATTER, scattered));
}

static void hybrid_traffic(const cJSON *in, answers *out) {
    const int32_t shard = (int32_t)whole(in, "shard"), replicas = (int32_t)whole(in, "replicas");
    const double N = number(in, "N");
    nnc_plan plan = plan_of(shard * replicas, 1, 1);
    plan.zero = 3;
    plan.shard = shard;
    const double gathered = exchanged_per_param(&plan, NNC_ALL_GATHER);
    const double scattered = exchanged_per_param(&plan, NNC_REDUCE_SCATTER);
    give_near(out, "intra_sent",
              N * (nnc_collective_sent_bytes(NNC_ALL_GATHER, shard, gathered) +
                   nnc_collective_sent_bytes(NNC_REDUCE_SCATTER, shard, scattered)),
              1e-12);
    give_near(out, "inter_sent",
              N * nnc_collective_sent_bytes(NNC_ALL_REDUCE, replicas, exchanged_per_param(&plan, NNC_ALL_REDUCE)),
              1e-12);
    const nnc_model model = gpt(4, 512, 8, 512, 64);
    const nnc_result r = estimate_on_cluster(&model, &plan);
    give_near(out, "weights_per_rank", N * (double)r.memory.weight_bytes / (double)r.params, 1e-5);
}

static bool in_layers(const nnc_op_cost *row) { return row->op->kind == NNC_OP_COLLECTIVE && row->op->block >= 0; }

static double ring_sent(const nnc_op_cost *row) {
    return nnc_collective_sent_bytes(row->op->u.collective.forward, 8, row->op->u.collective.bytes);
}

static double on_the_link(const nnc_op_cost *row) { return row->network_s; }

static void tensor_traffic(const cJSON *in, answers *out) {
    const nnc_model model = gpt(1, whole(in, "h"), 96, 512, whole(in, "s"));
    nnc_plan plan = plan_of(1, (int32_t)whole(in, "t"), 1);
    nnc_device device = cluster_device();
    const nnc_software software = nnc_software_default();
    device.scale_up.bytes_per_s = number(in, "B_l");
    plan.micro_batch = whole(in, "b");
    estimate_with(&model, &device, &software, &plan);
    give(out, "S", exchanged("attn.tensor_out", NNC_PHASE_FORWARD));
    give(out, "per_layer_sent", sum_rows(in_layers, ring_sent));
    give(out, "per_layer_time", sum_rows(in_layers, on_the_link));
}

static void ring_traffic(const cJSON *in, answers *out) {
    const nnc_model model = llama(1, 4096, 32, whole(in, "g"), 64, 64, whole(in, "s"));
    nnc_plan plan = plan_of(1, 1, 1);
    plan.context = (int32_t)whole(in, "c");
    estimate_on_cluster(&model, &plan);
    const nnc_collective_op *e = &row_of("attn.context_in", NNC_PHASE_FORWARD)->op->u.collective;
    give(out, "per_step", e->bytes);
    give(out, "ring_fwd", e->bytes * e->count);
}

static void ring_threshold(const cJSON *in, answers *out) {
    const double P = number(in, "P"), B = number(in, "B_l");
    give(out, "min_local_tokens_full_mask", ring_tokens(P, B, whole(in, "a"), whole(in, "g")));
    give(out, "mha", ring_tokens(P, B, whole(in, "a"), whole(in, "a")));
}

static void ulysses_traffic(const cJSON *in, answers *out) {
    const nnc_model model =
        llama(1, whole(in, "a") * whole(in, "d"), whole(in, "a"), whole(in, "g"), 64, 64, whole(in, "s"));
    nnc_plan plan = plan_of(1, 1, 1);
    plan.context = (int32_t)whole(in, "c");
    plan.context_kind = NNC_CONTEXT_ULYSSES;
    estimate_on_cluster(&model, &plan);
    const double bytes =
        exchanged("attn.context_in", NNC_PHASE_FORWARD) + exchanged("attn.context_out", NNC_PHASE_FORWARD);
    give(out, "send_buffers", bytes);
    give(out, "leaving_rank", nnc_collective_sent_bytes(NNC_ALL_TO_ALL, plan.context, bytes));
}

static void boundary(const cJSON *in, answers *out) {
    const nnc_model model = gpt(4, whole(in, "h"), 96, 512, whole(in, "s"));
    nnc_plan plan = plan_of(1, (int32_t)whole(in, "t"), 2);
    plan.micro_batch = whole(in, "b");
    estimate_on_cluster(&model, &plan);
    give(out, "boundary", exchanged("pipeline.send", NNC_PHASE_COMM));
    plan.sequence_parallel = true;
    estimate_on_cluster(&model, &plan);
    give(out, "with_scatter_gather", exchanged("pipeline.send", NNC_PHASE_COMM));
}

/* ---- pipelines ---- */

static double replayed_s(const nnc_pipeline *pipeline) {
    nnc_pipeline_memory *memory = calloc(1, sizeof *memory);
    nnc_pipeline_result *run = calloc(1, sizeof *run);
    ck_assert(memory != NULL && run != NULL && nnc_pipeline_run(pipeline, memory, run));
    const double total_s = run->total_s;
    free(memory);
    free(run);
    return total_s;
}

static double equal_stages_s(nnc_schedule schedule, int32_t p, int32_t v, int64_t m, double pass_s) {
    double forward[64], backward[64], weight[64];
    for (int i = 0; i < p * v; i++) { forward[i] = backward[i] = weight[i] = pass_s / 3 / v; }
    const nnc_pipeline pipeline = { schedule, p, v, m, forward, backward, weight, 0.0 };
    return replayed_s(&pipeline);
}

static void uneven_stages(const cJSON *in, answers *out) {
    double forward[8], backward[8];
    const double weight[8] = { 0 };
    const int32_t p = times_of(in, "t_F", forward);
    ck_assert_int_eq(times_of(in, "t_B", backward), p);
    const nnc_pipeline pipeline = { NNC_SCHEDULE_1F1B, p, 1, whole(in, "m"), forward, backward, weight, 0.0 };
    give_near(out, "exact", replayed_s(&pipeline), 1e-12);
}

static void bubbles(const cJSON *in, answers *out) {
    const int32_t p = (int32_t)whole(in, "p"), v = (int32_t)whole(in, "v");
    const int64_t m = whole(in, "m");
    const double one = equal_stages_s(NNC_SCHEDULE_1F1B, p, 1, m, 3.0), ideal = 3.0 * (double)m;
    give(out, "bubble_ratio_1f1b", (one - ideal) / ideal);
    give(out, "bubble_share_1f1b", (one - ideal) / one);
    give(out, "bubble_ratio_interleaved", (equal_stages_s(NNC_SCHEDULE_INTERLEAVED, p, v, m, 3.0) - ideal) / ideal);
}

static void bubble_forms(const cJSON *in, answers *out) {
    const struct {
        const char *name;
        nnc_schedule schedule;
    } forms[] = { { "b_1f1b", NNC_SCHEDULE_1F1B },
                  { "b_zbh1", NNC_SCHEDULE_ZB_H1 },
                  { "b_zbh2", NNC_SCHEDULE_ZB_H2 },
                  { "b_dualpipe_unoverlapped_pair", NNC_SCHEDULE_DUALPIPE } };
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        give(out, forms[i].name,
             nnc_pipeline_say_bubble(forms[i].schedule,
                                     &(nnc_equal_stages){ (int32_t)whole(in, "p"), 1, number(in, "t_F"),
                                                          number(in, "t_Bin"), number(in, "t_W") },
                                     NULL));
    }
}

static void interleaved_in_flight(const cJSON *in, answers *out) {
    give(out, "in_flight",
         nnc_pipeline_in_flight(NNC_SCHEDULE_INTERLEAVED, (int32_t)whole(in, "p"), (int32_t)whole(in, "v"), 800, 0));
}

static void interleaved_step(const cJSON *in, answers *out) {
    give(out, "step",
         equal_stages_s(NNC_SCHEDULE_INTERLEAVED, (int32_t)whole(in, "p"), (int32_t)whole(in, "v"), whole(in, "m"),
                        number(in, "t_mb")) +
             number(in, "t_dp_exposed") + number(in, "t_opt"));
}

/* ---- overlap, host ---- */

static void partial_overlap(const cJSON *in, answers *out) {
    const double C = number(in, "C"), N = number(in, "N");
    give(out, "lower", overlapped_s(C, N, 1.0));
    give(out, "upper", overlapped_s(C, N, 0.0));
    give(out, "partial", overlapped_s(C, N, number(in, "eta")));
    give(out, "exposed", overlapped_s(C, N, number(in, "eta")) - C);
}

static void bucketed(const cJSON *in, answers *out) {
    const nnc_collective_op e = {
        .comm = NNC_COMM_DATA, .route = NNC_ROUTE_SHARD, .forward = NNC_ALL_REDUCE, .bytes = number(in, "L")
    };
    const nnc_overlap_window hideout = { .backward_s = { number(in, "t_bwd") }, .bucket_bytes = 1.0 };
    give(out, "ddp_backward",
         number(in, "t_bwd") + nnc_cluster_exposed_s(&e, number(in, "N"), 1.0, NNC_LANE_SCALE_UP, &hideout, NULL));
}

static double host_s(double bytes, double bytes_per_s) {
    const nnc_network network = { .host_bytes_per_s = bytes_per_s };
    const nnc_collective_op e = { .comm = NNC_COMM_OFFLOAD, .forward = NNC_P2P, .bytes = bytes };
    const char *link = NULL;
    return nnc_network_exchange_s(&network, &e, &link);
}

static void offloaded_gradients(const cJSON *in, answers *out) {
    ck_assert_double_eq(number(in, "beta"), nnc_policy_gradient_io_bytes(NNC_POLICY_MIXED));
    give(out, "each_way", host_s(number(in, "beta") * number(in, "N_local"), number(in, "B_h")));
}

static void offloaded_layer(const cJSON *in, answers *out) {
    const double transfer = host_s(number(in, "bytes_per_layer"), number(in, "B_h"));
    const double layer = number(in, "layer_fwd_time");
    give(out, "transfer", transfer);
    give(out, "hidden", overlapped_s(layer, transfer, 1.0) == layer);
}

#endif
