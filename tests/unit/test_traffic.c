/* Tests communication and memory of several devices, by hand: the bytes of every collective, worked examples, and the
 * memory of sharded, recomputed and offloaded tensors. */
#include "cluster.h"
#include "cost/cost_internal.h"
#include "estimate/estimate_internal.h"

static nnc_model small_gpt(void) { return gpt(4, 256, 8, 512, 128); }

/* Returns the bytes of all collectives with one name and phase in a step. */
static double total_exchanged(const char *name, nnc_phase phase) {
    int32_t count = 0;
    double sum = 0.0;
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    for (int32_t i = 0; i < count; i++) {
        if (rows[i].op->phase == phase && strcmp(rows[i].op->name, name) == 0) {
            const nnc_collective_op *e = &rows[i].op->u.collective;
            sum += e->bytes * (e->count > 0.0 ? e->count : 1.0) * rows[i].repeat;
        }
    }
    return sum;
}

static bool is_exchange(const nnc_op_cost *row) { return row->op->kind == NNC_OP_COLLECTIVE; }

static double one(const nnc_op_cost *row) {
    (void)row;
    return 1.0;
}

/* ---- data ---- */

/* ZeRO stages 0 to 3 over 64 ranks, with the bytes per parameter of example F10.5: 2 B of weights, 2 B of gradients, 12
 * B of optimizer states. */
START_TEST(sharded_states) {
    const nnc_model model = small_gpt();
    nnc_plan plan = plan_of(64, 1, 1);
    const double bytes[4] = { 120e9 / 7.5e9, 31.40625e9 / 7.5e9, 16.640625e9 / 7.5e9, 1.875e9 / 7.5e9 };
    nnc_memory before = { 0 };
    for (int32_t zero = 0; zero <= 3; zero++) {
        plan.zero = zero;
        const nnc_result r = estimate_on_cluster(&model, &plan);
        const nnc_memory *m = &r.memory;
        near((double)(m->weight_bytes + m->gradient_bytes + m->optimizer_bytes), bytes[zero] * (double)r.params, 1e-5);
        near((double)m->weight_bytes, (zero == 3 ? 2.0 / 64 : 2.0) * (double)r.params, 1e-5);
        near((double)m->gradient_bytes, (zero >= 2 ? 2.0 / 64 : 2.0) * (double)r.params, 1e-5);
        near((double)m->optimizer_bytes, (zero >= 1 ? 12.0 / 64 : 12.0) * (double)r.params, 1e-5);
        if (zero > 0) { ck_assert_int_eq(m->activation_bytes, before.activation_bytes); }
        before = *m;
    }
    /* with Megatron's distributed optimizer, a parameter takes 6 + 12 / dp bytes on dp data ranks: example F10.6 */
    plan = plan_of(16, 1, 1);
    plan.zero = 1;
    plan.policy = NNC_POLICY_MIXED_FP32GRAD;
    const nnc_result r = estimate_on_cluster(&model, &plan);
    near((double)(r.memory.weight_bytes + r.memory.gradient_bytes + r.memory.optimizer_bytes), 6.75 * (double)r.params,
         1e-5);
}
END_TEST

/* At the peak of ZeRO 3, the gathered weights of the present unit and of the next unit and the gradient of one unit are
 * in memory. Without reshard, all weights are. The largest unit of this model is the embedding table. */
START_TEST(gathered_weights) {
    nnc_model model = small_gpt();
    model.decoder.vocab = 100000;
    nnc_plan plan = plan_of(8, 1, 1);
    plan.zero = 2;
    const double stage2 = (double)estimate_on_cluster(&model, &plan).memory.transient_bytes;
    plan.zero = 3;
    nnc_result r = estimate_on_cluster(&model, &plan);
    const double unit = 100000.0 * 256 + 128.0 * 256;
    near((double)r.memory.transient_bytes - stage2, (2 * 2 + 2) * unit, 1e-6);
    plan.reshard = false;
    r = estimate_on_cluster(&model, &plan);
    near((double)r.memory.transient_bytes - stage2, 2 * (double)r.params + 2 * unit, 1e-6);
}
END_TEST

/* Bytes of the collectives between data ranks, in a step of three passes. */
START_TEST(gradients_and_weights) {
    const nnc_model model = small_gpt();
    nnc_plan plan = plan_of(8, 1, 1);
    plan.micro_batches = 3;
    double all = 2.0 * (double)estimate_on_cluster(&model, &plan).params;
    ck_assert_double_eq(total_exchanged("data.reduce_gradients", NNC_PHASE_COMM), all);
    ck_assert_double_eq(sum_rows(is_exchange, one), 1.0);
    plan.policy = NNC_POLICY_MIXED_FP32GRAD; /* gradients of 4 B */
    estimate_on_cluster(&model, &plan);
    ck_assert_double_eq(total_exchanged("data.reduce_gradients", NNC_PHASE_COMM), 2 * all);
    plan.policy = NNC_POLICY_MIXED;
    for (plan.zero = 1; plan.zero <= 2; plan.zero++) { /* ZeRO 2 scatters gradients in every pass */
        estimate_on_cluster(&model, &plan);
        ck_assert_double_eq(total_exchanged("data.scatter_gradients", NNC_PHASE_COMM), (plan.zero == 2 ? 3 : 1) * all);
        ck_assert_double_eq(total_exchanged("data.gather_weights", NNC_PHASE_COMM), all);
        ck_assert_ptr_null(find_row("data.reduce_gradients", NNC_PHASE_COMM));
    }
    plan.zero = 3;
    estimate_on_cluster(&model, &plan);
    near(total_exchanged("data.gather_weights", NNC_PHASE_FORWARD), 3 * all, 1e-12);
    near(total_exchanged("data.gather_weights", NNC_PHASE_BACKWARD), 3 * all, 1e-12);
    near(total_exchanged("data.scatter_gradients", NNC_PHASE_BACKWARD), 3 * all, 1e-12);
    plan.reshard = false; /* weights are gathered once a step */
    estimate_on_cluster(&model, &plan);
    near(total_exchanged("data.gather_weights", NNC_PHASE_COMM), all, 1e-12);
    ck_assert_ptr_null(find_row("data.gather_weights", NNC_PHASE_FORWARD));
    ck_assert_ptr_null(find_row("data.gather_weights", NNC_PHASE_BACKWARD));
    near(total_exchanged("data.scatter_gradients", NNC_PHASE_BACKWARD), 3 * all, 1e-12);
}
END_TEST

/* FSDP with param_dtype bf16 and reduce_dtype fp32, in three passes: 2 B per weight are gathered and 4 B are scattered.
 * At the peak, 10 B per weight of a unit are in memory: the weights of two units in 2 B each, and the gradient of one
 * unit in 16 and in 32 bits. Under ZeRO 2, all weights are cast (2 B each), and fp32 weights are gathered after the
 * update. */
START_TEST(weights_are_cast_before_the_gather) {
    const nnc_model model = small_gpt();
    nnc_plan plan = plan_of(8, 1, 1);
    plan.micro_batches = 3;
    plan.policy = NNC_POLICY_AMP;
    plan.zero = 2;
    const nnc_result two = estimate_on_cluster(&model, &plan);
    const double params = (double)two.params, unit = 12.0 * 256 * 256 + 13.0 * 256;
    near(total_exchanged("data.gather_weights", NNC_PHASE_COMM), 4 * params, 1e-12);
    plan.zero = 3;
    const nnc_result three = estimate_on_cluster(&model, &plan);
    near(total_exchanged("data.gather_weights", NNC_PHASE_FORWARD), 3 * 2 * params, 1e-12);
    near(total_exchanged("data.gather_weights", NNC_PHASE_BACKWARD), 3 * 2 * params, 1e-12);
    near(total_exchanged("data.scatter_gradients", NNC_PHASE_BACKWARD), 3 * 4 * params, 1e-12);
    ck_assert_int_eq(three.memory.transient_bytes - two.memory.transient_bytes, (int64_t)(10 * unit - 2 * params));
    /* all weights stay gathered: 2 B for each weight of the model, not only for the weights of two units */
    plan.reshard = false;
    const nnc_result kept = estimate_on_cluster(&model, &plan);
    near(total_exchanged("data.gather_weights", NNC_PHASE_COMM), 2 * params, 1e-12);
    ck_assert_int_eq(kept.memory.transient_bytes - three.memory.transient_bytes, (int64_t)(2 * params - 4 * unit));
}
END_TEST

static double bytes_of_row(const nnc_op_cost *row) { return row->work.read_bytes + row->work.write_bytes; }

static bool casts(const nnc_op_cost *row) { return strcmp(row->op->name, "weights.cast") == 0; }

/* If weights are in one fp32 buffer, each of three passes gathers 4 B and scatters 2 B per weight; casts move 6 B
 * forward and 20 B backward. Without one fp32 buffer, weights are gathered once (4 B), each pass scatters 4 B, and
 * casts move 6 B forward and 6 B backward. */
START_TEST(weights_of_one_buffer) {
    const nnc_model model = small_gpt();
    const nnc_device device = cluster_device();
    nnc_software software = nnc_software_default();
    nnc_plan plan = plan_of(8, 1, 1);
    plan.micro_batches = 3;
    plan.zero = 2;
    plan.policy = NNC_POLICY_AMP;
    software.cast_weights = true;
    for (int flat = 0; flat < 2; flat++) {
        software.flat_weights = flat == 1;
        const double params = (double)estimate_with(&model, &device, &software, &plan).params;
        near(total_exchanged("data.gather_weights", NNC_PHASE_COMM), (flat ? 12 : 4) * params, 1e-12);
        near(total_exchanged("data.scatter_gradients", NNC_PHASE_COMM), (flat ? 6 : 12) * params, 1e-12);
        near(sum_rows(casts, bytes_of_row), 3 * (flat ? 26 : 12) * params, 1e-12);
    }
    /* the weights of experts are cast in the same way as weights outside experts */
    const nnc_model experts = mixtral(2, 128, 8, 8, 32, 4, 512, 128);
    nnc_plan one = plan_of(1, 1, 1);
    one.policy = NNC_POLICY_AMP;
    software.flat_weights = false;
    const double all = (double)estimate_with(&experts, &device, &software, &one).params;
    near(sum_rows(casts, bytes_of_row), 12 * all, 1e-12);
    plan.policy = NNC_POLICY_MIXED; /* weights are in 16 bits, so no cast is needed */
    estimate_with(&model, &device, &software, &plan);
    ck_assert_double_eq(sum_rows(casts, bytes_of_row), 0);
}
END_TEST

static bool copies_heads(const nnc_op_cost *row) { return strcmp(row->op->name, "attn.heads") == 0; }

/* Queries, keys, values and the result of 128 tokens x 256 values in 4 layers are copied: 2 B read and 2 B written per
 * value, forward and backward. */
START_TEST(copied_heads) {
    const nnc_model model = small_gpt();
    const nnc_device device = cluster_device();
    nnc_software software = nnc_software_default();
    nnc_plan plan = plan_of(1, 1, 1);
    const double all = 2 * 4.0 * (4 * 128 * 256) * (2 + 2);
    const double expected[NNC_HEAD_COPY_COUNT][2] = { { 0, 0 }, { 0, all }, { all, all } };
    for (int copy = 0; copy < NNC_HEAD_COPY_COUNT; copy++) {
        software.copied_heads = (nnc_head_copy)copy;
        for (int unfused = 0; unfused < 2; unfused++) {
            plan.attention = unfused ? NNC_ATTENTION_UNFUSED : NNC_ATTENTION_FLASH;
            estimate_with(&model, &device, &software, &plan);
            ck_assert_double_eq(sum_rows(copies_heads, bytes_of_row), expected[copy][unfused]);
        }
    }
}
END_TEST

/* 8 ranks share each copy of the weights, and there are 4 replicas. Inside a copy, weights are gathered twice and
 * gradients are scattered once; the gradient of a shard is reduced over the replicas. Example F12.3 has the bytes per
 * parameter. */
START_TEST(hybrid_shards) {
    const nnc_model model = small_gpt();
    nnc_plan plan = plan_of(32, 1, 1);
    plan.shard = 8;
    plan.zero = 3;
    const nnc_result r = estimate_on_cluster(&model, &plan);
    const double per_param = 13e9 / (double)r.params;
    const double gathered = total_exchanged("data.gather_weights", NNC_PHASE_FORWARD) +
                            total_exchanged("data.gather_weights", NNC_PHASE_BACKWARD);
    const double scattered = total_exchanged("data.scatter_gradients", NNC_PHASE_BACKWARD);
    const double replicas = total_exchanged("data.reduce_replicas", NNC_PHASE_BACKWARD);
    near(per_param * (nnc_collective_sent_bytes(NNC_ALL_GATHER, 8, gathered) +
                      nnc_collective_sent_bytes(NNC_REDUCE_SCATTER, 8, scattered)),
         68.25e9, 1e-9);
    near(per_param * nnc_collective_sent_bytes(NNC_ALL_REDUCE, 4, replicas), 4.875e9, 1e-9);
    near(per_param * (double)r.memory.weight_bytes, 3.25e9, 1e-5);
    for (plan.zero = 1; plan.zero <= 2; plan.zero++) {
        estimate_on_cluster(&model, &plan);
        near(per_param *
                 nnc_collective_sent_bytes(NNC_ALL_REDUCE, 4, total_exchanged("data.reduce_replicas", NNC_PHASE_COMM)),
             4.875e9, 1e-9);
    }
    plan.shard = 1; /* a copy on one rank has no shards, so there are only replicas */
    for (plan.zero = 1; plan.zero <= 3; plan.zero++) {
        const nnc_phase phase = plan.zero == 3 ? NNC_PHASE_BACKWARD : NNC_PHASE_COMM;
        estimate_on_cluster(&model, &plan);
        near(total_exchanged("data.reduce_replicas", phase), 2.0 * (double)r.params, 1e-12);
        ck_assert_ptr_null(find_row("data.gather_weights", phase));
    }
}
END_TEST

/* Example F18.3: 80 ms of backward in 24 equal buckets, and 50 ms of network time. A table with a quarter of all
 * gradients is reduced last, so a quarter of the 50 ms is exposed: 12.5 ms. Each fabric has its own window of
 * overlap. */
START_TEST(buckets) {
    nnc_overlap_window hideout = {
        .forward_s = { 1.0 }, .backward_s = { 0.08, 0.01 }, .bucket_bytes = 1e6, .shards = 4.0
    };
    nnc_collective_op e = { .comm = NNC_COMM_DATA, .route = NNC_ROUTE_SHARD, .forward = NNC_ALL_REDUCE, .bytes = 24e6 };
    const nnc_lane near_by = NNC_LANE_SCALE_UP, far = NNC_LANE_SCALE_OUT;
    near(0.08 + nnc_cluster_exposed_s(&e, 0.05, 1.0, near_by, &hideout, NULL), 0.08208333333333334, 1e-12);
    near(nnc_cluster_exposed_s(&e, 0.05, 0.0, near_by, &hideout, NULL), 0.05, 1e-12);
    near(nnc_cluster_exposed_s(&e, 0.2, 1.0, near_by, &hideout, NULL), 0.2 + 0.08 / 24 - 0.08, 1e-12);
    near(nnc_cluster_exposed_s(&e, 0.05, 1.0, far, &hideout, NULL), 0.05 + 0.01 / 24 - 0.01, 1e-12);
    hideout.table_share = 0.25;
    near(nnc_cluster_exposed_s(&e, 0.05, 1.0, near_by, &hideout, NULL), 0.0125, 1e-12);
    e.route = NNC_ROUTE_REPLICA; /* a replica reduces a quarter of every bucket */
    e.bytes = 6e6;
    near(nnc_cluster_exposed_s(&e, 0.05, 1.0, near_by, &hideout, NULL), 0.0125, 1e-12);
    /* The gradients of experts contain no table. 50 + 80 / 24 - 80 ms is negative, so backward overlaps with all of 24
     * buckets but the last one, and 50 / 24 ms are exposed. Each of 8 replicas of experts reduces an eighth of every
     * bucket, so 24 / 8 MB are also 24 buckets. */
    e.route = NNC_ROUTE_EXPERT_SHARD;
    e.bytes = 24e6;
    near(nnc_cluster_exposed_s(&e, 0.05, 1.0, near_by, &hideout, NULL), 0.05 / 24, 1e-12);
    hideout.expert_shards = 8.0;
    e.route = NNC_ROUTE_EXPERT_REPLICA;
    e.bytes = 3e6;
    near(nnc_cluster_exposed_s(&e, 0.05, 1.0, near_by, &hideout, NULL), 0.05 / 24, 1e-12);
    e.comm = NNC_COMM_PIPELINE;
    near(nnc_cluster_exposed_s(&e, 0.05, 1.0, near_by, &hideout, NULL), 0.05, 1e-12);
    e.comm = NNC_COMM_OFFLOAD; /* the update on the host waits for all gradients; transfers do not wait */
    e.route = NNC_OFFLOAD_HOST_MEMORY;
    near(nnc_cluster_exposed_s(&e, 0.05, 1.0, near_by, &hideout, NULL), 0.05, 1e-12);
    e.route = NNC_OFFLOAD_HOST_LINK;
    ck_assert_double_lt(nnc_cluster_exposed_s(&e, 0.05, 1.0, near_by, &hideout, NULL), 0.05);
}
END_TEST

/* ---- tensor ---- */

/* A layer has two all-reduces forward and two backward. With sequence parallelism, a layer has gathers and scatters,
 * and backward gathers the kept inputs again. The tensor of one collective has S = 2 B x 128 tokens x width 256. */
START_TEST(tensor_parallel) {
    const nnc_model model = small_gpt();
    const double S = 2.0 * 128 * 256;
    nnc_plan plan = plan_of(1, 8, 1);
    const nnc_result r = estimate_on_cluster(&model, &plan);
    const char *const out[] = { "attn.tensor_out", "mlp.tensor_out" };
    const char *const in[] = { "attn.tensor_in", "mlp.tensor_in" };
    for (int i = 0; i < 2; i++) {
        const nnc_op_cost *forward = row_of(out[i], NNC_PHASE_FORWARD);
        const nnc_op_cost *backward = row_of(in[i], NNC_PHASE_BACKWARD);
        ck_assert_int_eq((int)forward->op->u.collective.forward, NNC_ALL_REDUCE);
        ck_assert_int_eq((int)backward->op->u.collective.forward, NNC_ALL_REDUCE);
        ck_assert_double_eq(total_exchanged(out[i], NNC_PHASE_FORWARD), 4 * S);
        ck_assert_double_eq(total_exchanged(in[i], NNC_PHASE_BACKWARD), 4 * S);
        ck_assert_ptr_null(find_row(in[i], NNC_PHASE_FORWARD));
        near(forward->network_s, 2 * 7.0 / 8 * S / 300e9, 1e-12);
        ck_assert_str_eq(forward->link, "scale_up");
    }
    /* the embedding, the head in backward, and the loss (three numbers per token) have collectives, too */
    ck_assert_double_eq(total_exchanged("embed.tensor", NNC_PHASE_FORWARD), S);
    ck_assert_double_eq(total_exchanged("head.tensor_in", NNC_PHASE_BACKWARD), S);
    ck_assert_double_eq(total_exchanged("loss.tensor", NNC_PHASE_FORWARD), 3 * 4.0 * 128);
    near(r.exposed_s[NNC_COMM_TENSOR], r.communication_s[NNC_COMM_TENSOR], 1e-12);

    plan.sequence_parallel = true;
    estimate_on_cluster(&model, &plan);
    for (int i = 0; i < 2; i++) {
        ck_assert_double_eq(total_exchanged(in[i], NNC_PHASE_FORWARD), 4 * S);
        ck_assert_double_eq(total_exchanged(in[i], NNC_PHASE_BACKWARD), 2 * 4 * S);
        ck_assert_double_eq(total_exchanged(out[i], NNC_PHASE_FORWARD), 4 * S);
        ck_assert_double_eq(total_exchanged(out[i], NNC_PHASE_BACKWARD), 4 * S);
        ck_assert_int_eq((int)row_of(out[i], NNC_PHASE_FORWARD)->op->u.collective.forward, NNC_REDUCE_SCATTER);
        ck_assert_int_eq((int)row_of(in[i], NNC_PHASE_FORWARD)->op->u.collective.forward, NNC_ALL_GATHER);
    }
    plan.recompute = NNC_RECOMPUTE_FULL; /* full recomputation runs the collectives of forward once more */
    estimate_on_cluster(&model, &plan);
    ck_assert_double_eq(total_exchanged(in[0], NNC_PHASE_RECOMPUTE), 4 * S);
    ck_assert_double_eq(total_exchanged(out[1], NNC_PHASE_RECOMPUTE), 4 * S);
}
END_TEST

/* ---- context ---- */

/* Examples F14.1 (ring) and F14.3 (Ulysses), and an all-gather of 8 key heads of 128. */
START_TEST(context_parallel) {
    nnc_model model = llama(1, 4096, 32, 8, 64, 64, 131072);
    nnc_plan plan = plan_of(1, 1, 1);
    plan.context = 8;
    estimate_on_cluster(&model, &plan);
    const nnc_op_cost *ring = row_of("attn.context_in", NNC_PHASE_FORWARD);
    ck_assert_int_eq((int)ring->op->u.collective.forward, NNC_P2P);
    ck_assert_double_eq(ring->op->u.collective.bytes, 67108864);
    ck_assert_double_eq(total_exchanged("attn.context_in", NNC_PHASE_FORWARD), 469762048);
    ck_assert_double_eq(total_exchanged("attn.context_in", NNC_PHASE_BACKWARD),
                        3.0 * 469762048); /* with gradients in fp32 */
    near(ring->network_s, 469762048 / 300e9, 1e-12);

    plan.context_kind = NNC_CONTEXT_ALL_GATHER;
    estimate_on_cluster(&model, &plan);
    const double kv = 2.0 * 2 * 131072 * 8 * 128;
    ck_assert_double_eq(total_exchanged("attn.context_in", NNC_PHASE_FORWARD), kv);
    ck_assert_double_eq(total_exchanged("attn.context_in", NNC_PHASE_BACKWARD), 2 * kv);

    plan.context_kind = NNC_CONTEXT_ULYSSES;
    model.decoder.seq_len = 32768;
    estimate_on_cluster(&model, &plan);
    const double send =
        exchanged("attn.context_in", NNC_PHASE_FORWARD) + exchanged("attn.context_out", NNC_PHASE_FORWARD);
    ck_assert_double_eq(send, 83886080);
    ck_assert_double_eq(nnc_collective_sent_bytes(NNC_ALL_TO_ALL, 8, send), 73400320);
    ck_assert_double_eq(total_exchanged("attn.context_in", NNC_PHASE_BACKWARD) +
                            total_exchanged("attn.context_out", NNC_PHASE_BACKWARD),
                        83886080);

    /* 8 key heads on 16 ranks: each of 2048 tokens sends 32 query heads and, twice, 8 heads of keys and values */
    plan.context = 16;
    estimate_on_cluster(&model, &plan);
    ck_assert_double_eq(exchanged("attn.context_in", NNC_PHASE_FORWARD), 2048 * 2 * (32 * 128 + 2 * 8 * 256));
    ck_assert_double_eq(exchanged("attn.context_out", NNC_PHASE_FORWARD), 2048 * 2 * 32 * 128);
}
END_TEST

/* ---- pipeline ---- */

/* Example F15.4: a stage sends the activations of one micro-batch. With sequence parallelism, a rank sends its share of
 * the activations. */
START_TEST(pipeline_sends) {
    const nnc_model model = gpt(4, 12288, 96, 512, 2048);
    nnc_plan plan = plan_of(1, 8, 4);
    plan.micro_batches = 8;
    nnc_result r = estimate_on_cluster(&model, &plan);
    ck_assert_double_eq(exchanged("pipeline.send", NNC_PHASE_COMM), 50331648);
    const double ends = r.stage == 0 || r.stage == 3 ? 1.0 : 2.0;
    ck_assert_double_eq(row_of("pipeline.send", NNC_PHASE_COMM)->repeat, ends * 8);
    plan.sequence_parallel = true;
    r = estimate_on_cluster(&model, &plan);
    ck_assert_double_eq(exchanged("pipeline.send", NNC_PHASE_COMM), 6291456);
    ck_assert_double_eq(r.exposed_s[NNC_COMM_PIPELINE], row_of("pipeline.tied_table", NNC_PHASE_COMM)->network_s);
    plan.overlap = 0.0;
    ck_assert_double_gt(estimate_on_cluster(&model, &plan).exposed_s[NNC_COMM_PIPELINE],
                        r.exposed_s[NNC_COMM_PIPELINE]);
}
END_TEST

/* ---- experts ---- */

/* Each rank sends the copies of its tokens twice forward and twice backward. The bytes are those of combine in example
 * F17.1; 63/64 of the copies leave the rank. */
START_TEST(expert_parallel) {
    nnc_model model = mixtral(1, 7168, 56, 56, 64, 64, 64, 4096);
    model.decoder.experts_per_token = 8;
    nnc_plan plan = plan_of(64, 1, 1);
    plan.expert = 64;
    nnc_result r = estimate_on_cluster(&model, &plan);
    const char *const names[] = { "moe.all_to_all_in", "moe.all_to_all_out" };
    for (int i = 0; i < 2; i++) {
        const double bytes = exchanged(names[i], NNC_PHASE_FORWARD);
        ck_assert_double_eq(nnc_collective_sent_bytes(NNC_ALL_TO_ALL, 64, bytes), 462422016);
        ck_assert_double_eq(exchanged(names[i], NNC_PHASE_BACKWARD), bytes);
    }
    /* experts are not replicated, so their gradients are not sent */
    ck_assert_double_eq(total_exchanged("data.reduce_gradients", NNC_PHASE_COMM),
                        2.0 * (double)(r.params - 64 * 3 * 7168 * 64));
    plan.expert = 16; /* four replicas of each expert */
    r = estimate_on_cluster(&model, &plan);
    near(total_exchanged("data.reduce_gradients", NNC_PHASE_COMM),
         2.0 * (double)(r.params - 64 * 3 * 7168 * 64) + 2.0 * 4 * 3 * 7168 * 64, 1e-12);
    /* with shards over 2 ranks, the shards of an expert have two replicas, and the shards of all other parameters have
     * thirty-two replicas */
    plan.zero = 1;
    plan.shard = 2;
    r = estimate_on_cluster(&model, &plan);
    near(total_exchanged("data.reduce_replicas", NNC_PHASE_COMM),
         (double)(r.params - 64 * 3 * 7168 * 64) + 4.0 * 3 * 7168 * 64, 1e-12);
    /* In Megatron-Core's dispatcher, each of two tensor ranks sends the copies of its half of the tokens. After that,
     * each of the two tensor ranks gathers the copies of all tokens. */
    const double tokens = 4096.0 * 7168 * 2;
    plan = plan_of(64, 2, 1);
    plan.expert = 64;
    plan.sequence_parallel = true;
    estimate_on_cluster(&model, &plan);
    ck_assert_double_eq(exchanged(names[0], NNC_PHASE_FORWARD), 8 * tokens / 2);
    ck_assert_double_eq(exchanged("mlp.tensor_in", NNC_PHASE_FORWARD), 8 * tokens);
    ck_assert_double_eq(exchanged("attn.tensor_in", NNC_PHASE_FORWARD), tokens);
    /* the shared expert processes the tokens themselves, not the copies that are sent to routed experts */
    model.decoder.shared_hidden = 64;
    estimate_on_cluster(&model, &plan);
    ck_assert_double_eq(exchanged("mlp.tensor_out", NNC_PHASE_FORWARD), 9 * tokens);
}
END_TEST

/* ---- host ---- */

/* Example F21.1 has the bytes per parameter: gradients are sent to the host, weights are sent back. */
START_TEST(offloaded_optimizer) {
    const nnc_model model = small_gpt();
    nnc_plan plan = plan_of(1, 1, 1);
    const nnc_result resident = estimate_on_cluster(&model, &plan);
    plan.offload = NNC_OFFLOAD_OPTIMIZER;
    const nnc_result r = estimate_on_cluster(&model, &plan);
    const double each_way = 2.0 * (double)r.params / 25e9;
    ck_assert_int_eq(r.memory.optimizer_bytes, 0);
    ck_assert_int_eq(r.memory.weight_bytes, resident.memory.weight_bytes);
    near(row_of("offload.gradients", NNC_PHASE_COMM)->network_s, each_way, 1e-12);
    near(row_of("offload.weights", NNC_PHASE_COMM)->network_s, each_way, 1e-12);
    near(each_way * 1.5e9 / (double)r.params, 0.12, 1e-12);
    /* the update runs on the host, so the device has no row for it */
    ck_assert_ptr_null(find_row("optimizer", NNC_PHASE_UPDATE));
    ck_assert_str_eq(row_of("offload.weights", NNC_PHASE_COMM)->link, "host");
    near(row_of("offload.update", NNC_PHASE_COMM)->network_s, 28.0 * (double)r.params / (0.3 * 50e9), 1e-12);
    plan.zero = 1; /* with ZeRO 1, each of four ranks sends its share */
    plan.data = 4;
    estimate_on_cluster(&model, &plan);
    near(row_of("offload.gradients", NNC_PHASE_COMM)->network_s, each_way / 4, 1e-5);
}
END_TEST

/* Forward sends every kept byte of the layers to the host, and backward reads it again. The bytes of two layers and of
 * the head stay on the device. */
START_TEST(offloaded_activations) {
    const nnc_model model = gpt(8, 256, 8, 64, 512);
    nnc_plan plan = plan_of(1, 1, 1);
    const nnc_result kept = estimate_on_cluster(&model, &plan);
    plan.offload = NNC_OFFLOAD_ACTIVATIONS;
    const nnc_result r = estimate_on_cluster(&model, &plan);
    const double down = total_exchanged("offload.activations", NNC_PHASE_FORWARD);
    ck_assert_double_eq(down, total_exchanged("offload.activations", NNC_PHASE_BACKWARD));
    ck_assert_double_lt(down, (double)kept.memory.activation_bytes);
    const double head = (double)kept.memory.activation_bytes - down;
    near((double)r.memory.activation_bytes, 2 * down / 8 + head, 1e-9);
    plan.recompute = NNC_RECOMPUTE_FULL; /* with full recomputation, only the input of each layer is sent */
    near((double)estimate_on_cluster(&model, &plan).memory.activation_bytes, 2 * 2.0 * 512 * 256 + head, 1e-9);
    ck_assert_double_gt(r.communication_s[NNC_COMM_OFFLOAD], r.exposed_s[NNC_COMM_OFFLOAD]);
}
END_TEST

START_TEST(offloaded_weights) {
    const nnc_model model = small_gpt();
    nnc_plan plan = plan_of(8, 1, 1);
    plan.zero = 3;
    plan.offload = NNC_OFFLOAD_WEIGHTS;
    const nnc_result r = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(r.memory.weight_bytes, 0);
    near(total_exchanged("offload.weights", NNC_PHASE_FORWARD), 2.0 * (double)r.params / 8, 1e-9);
    near(total_exchanged("offload.weights", NNC_PHASE_BACKWARD), 2.0 * (double)r.params / 8, 1e-9);
}
END_TEST

/* ---- recomputation ---- */

/* If full recomputation runs r layers from one kept input, the inputs of all such groups are kept, and r layers are in
 * memory while they run again. The test first recomputes all layers, and then only some layers. The recomputed FLOPs do
 * not depend on the number r of layers per kept input. */
START_TEST(recompute_segments) {
    const nnc_model model = gpt(12, 256, 8, 64, 128);
    nnc_plan plan = plan_of(1, 1, 1);
    const nnc_result none = estimate_on_cluster(&model, &plan);
    const double input = 2.0 * 128 * 256;
    plan.recompute = NNC_RECOMPUTE_FULL;
    const nnc_result full = estimate_on_cluster(&model, &plan);
    const double layer = ((double)(none.memory.activation_bytes - full.memory.activation_bytes) + 12 * input) / 12;
    for (int64_t every = 1; every <= 7; every++) {
        plan.recompute_every = every;
        const nnc_result r = estimate_on_cluster(&model, &plan);
        const double segments = ceil(12.0 / (double)every);
        ck_assert_double_eq((double)(full.memory.activation_bytes - r.memory.activation_bytes),
                            (12 - segments) * input);
        ck_assert_double_eq((double)(r.memory.transient_bytes - none.memory.transient_bytes), (double)every * layer);
        ck_assert_double_eq(r.recompute_flops, full.recompute_flops);
        ck_assert_double_eq(r.step_s, full.step_s);
    }
    plan.recompute_every = 1;
    for (int64_t layers = 1; layers <= 12; layers++) {
        plan.recompute_layers = layers;
        const nnc_result r = estimate_on_cluster(&model, &plan);
        near((double)(none.memory.activation_bytes - r.memory.activation_bytes), (double)layers * (layer - input),
             1e-12);
        near(r.recompute_flops, full.recompute_flops * (double)layers / 12, 1e-12);
        near(r.recompute_s, full.recompute_s * (double)layers / 12, 1e-12);
    }
    /* Groups of 8 layers, but only 3 layers are recomputed: 3 layers are in memory, not 8, and one input is kept. */
    plan.recompute_layers = 3;
    plan.recompute_every = 8;
    const nnc_result few = estimate_on_cluster(&model, &plan);
    ck_assert_double_eq((double)(few.memory.transient_bytes - none.memory.transient_bytes), 3 * layer);
    ck_assert_double_eq((double)(none.memory.activation_bytes - few.memory.activation_bytes), 3 * layer - input);
}
END_TEST

/* Four virtual stages of 3 layers, two on each device. The first layer of each virtual stage runs again, a third of all
 * layers. */
START_TEST(recomputed_layers_of_virtual_stages) {
    const nnc_model model = gpt(12, 256, 8, 64, 128);
    nnc_plan plan = plan_of(1, 1, 2);
    plan.virtual_stages = 2;
    plan.schedule = NNC_SCHEDULE_INTERLEAVED;
    plan.micro_batches = 4;
    plan.global_batch = 0;
    const nnc_result none = estimate_on_cluster(&model, &plan);
    plan.recompute = NNC_RECOMPUTE_FULL;
    const nnc_result full = estimate_on_cluster(&model, &plan);
    plan.recompute_layers = 1;
    const nnc_result some = estimate_on_cluster(&model, &plan);
    near(some.recompute_flops, full.recompute_flops / 3, 1e-12);
    near((double)(none.memory.activation_bytes - some.memory.activation_bytes),
         (double)(none.memory.activation_bytes - full.memory.activation_bytes) / 3, 1e-6);
}
END_TEST

static bool casts_gradient(const nnc_op_cost *row) {
    return strcmp(row->op->name, "cast") == 0 && row->op->phase == NNC_PHASE_BACKWARD;
}

/* In backward, fp8 products cast the gradient of each output, which reads 2 B and writes 1 B per value. 4 tensor ranks
 * divide 8 query heads of 64 and 2 key heads. So each rank computes 2 query heads, a key head and a value head: 4 * 64
 * values per token. The output of attention has 512 values per token, gate and up together 2 * 1024 / 4, and the output
 * of the MLP 512. There are 4,096 tokens and 4 layers. */
START_TEST(ranks_cast_a_whole_key_head) {
    const nnc_model model = llama(4, 512, 8, 2, 1024, 512, 4096);
    nnc_plan plan = plan_of(1, 4, 1);
    plan.precision = NNC_FP8;
    estimate_on_cluster(&model, &plan);
    ck_assert_double_eq(sum_rows(casts_gradient, bytes_of_row), 4 * 4096.0 * (256 + 512 + 512 + 512) * 3);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        sharded_states,
        gathered_weights,
        gradients_and_weights,
        weights_are_cast_before_the_gather,
        weights_of_one_buffer,
        copied_heads,
        ranks_cast_a_whole_key_head,
        hybrid_shards,
        buckets,
        tensor_parallel,
        context_parallel,
        pipeline_sends,
        expert_parallel,
        offloaded_optimizer,
        offloaded_activations,
        offloaded_weights,
        recompute_segments,
        recomputed_layers_of_virtual_stages,
    };
    return run_tests("traffic", tests, COUNT_OF(tests));
}
