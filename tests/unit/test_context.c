/* Tests communication and time of context parallelism, expert parallelism and torus networks, worked by hand. */
#include "cluster.h"
#include "cost/cost_internal.h"
#include "routes.h"

static double exposed_context_s(nnc_context_kind kind, nnc_result *r) {
    const nnc_model model = llama(4, 512, 8, 8, 1024, 512, 4096);
    nnc_plan plan = plan_of(1, 1, 1);
    plan.context = 4;
    plan.context_kind = kind;
    plan.devices = 4;
    *r = estimate_on_cluster(&model, &plan);
    return r->exposed_s[NNC_COMM_CONTEXT];
}

/* Only the communication of a ring overlaps with attention. Attention has to wait for all-gathers and all-to-alls of
 * context ranks. */
START_TEST(kinds_differ) {
    nnc_result ring, gather, ulysses;
    exposed_context_s(NNC_CONTEXT_RING, &ring);
    ck_assert_double_eq(exposed_context_s(NNC_CONTEXT_ALL_GATHER, &gather), gather.communication_s[NNC_COMM_CONTEXT]);
    ck_assert_double_eq(exposed_context_s(NNC_CONTEXT_ULYSSES, &ulysses), ulysses.communication_s[NNC_COMM_CONTEXT]);
    ck_assert_double_lt(ring.exposed_s[NNC_COMM_CONTEXT], ring.communication_s[NNC_COMM_CONTEXT]);
    ck_assert(ring.step_s < gather.step_s || ring.step_s > gather.step_s);
    ck_assert(gather.step_s < ulysses.step_s || gather.step_s > ulysses.step_s);
}
END_TEST

static double total(const char *name, nnc_phase phase, double *bytes) {
    int32_t count = 0;
    double repeat = 0.0;
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    *bytes = 0.0;
    for (int32_t i = 0; i < count; i++) {
        if (rows[i].op->phase == phase && strcmp(rows[i].op->name, name) == 0) {
            repeat += rows[i].repeat;
            *bytes += (rows[i].work.read_bytes + rows[i].work.write_bytes) * rows[i].repeat;
        }
    }
    return repeat;
}

/* In each of 4 layers, a rank merges 3 blocks in addition to its own block. A merge works on three quarters of 1,024
 * tokens x 512 values; for each value, it reads 6 B and writes 4 B. In backward, a merge works on queries, keys and
 * values. */
START_TEST(a_ring_merges_its_blocks_in_fp32) {
    nnc_result r;
    double bytes = 0.0;
    exposed_context_s(NNC_CONTEXT_RING, &r);
    ck_assert_double_eq(total("attn.merge", NNC_PHASE_FORWARD, &bytes), 12);
    ck_assert_double_eq(bytes, 12 * 1024.0 * 512 * 0.75 * 10);
    total("attn.merge", NNC_PHASE_BACKWARD, &bytes);
    ck_assert_double_eq(bytes, 12 * 1024.0 * 3 * 512 * 0.75 * 10);
    exposed_context_s(NNC_CONTEXT_ALL_GATHER, &r);
    ck_assert_double_eq(total("attn.merge", NNC_PHASE_FORWARD, &bytes), 0);
}
END_TEST

/* The 2 key heads are copied to 8 heads, which travel round the ring. A block of ring attention has 1,024 tokens x 8
 * heads x 128 values of 2 B: a key and a value vector per head. In backward, the fp32 gradients of keys and values
 * travel round the ring, too. In forward, the copy reads 2 heads and writes 8 heads; in backward, it reads 8 heads and
 * writes 2 heads. Attention in each of 4 layers has 1,024 queries and 4,096 keys. Forward reads the keys and values
 * that the copy wrote (8 heads; without a copy 2), and writes the output and 4 B per query. Backward reads Q, K, V, the
 * output, its gradient and 8 B per query, and writes the gradients of Q, K, V. */
START_TEST(copied_keys_travel_for_all_heads) {
    const nnc_model model = llama(4, 512, 8, 2, 1024, 512, 4096);
    const nnc_device device = cluster_device();
    nnc_software software = nnc_software_default();
    nnc_plan plan = plan_of(1, 1, 1);
    plan.context = plan.devices = 4;
    for (int copies = 1; copies <= 4; copies += 3) {
        double forward = 0.0, backward = 0.0;
        software.expanded_kv = copies > 1;
        estimate_with(&model, &device, &software, &plan);
        ck_assert_double_eq(exchanged("attn.context_in", NNC_PHASE_FORWARD), 1024.0 * 2 * copies * 128 * 2);
        ck_assert_double_eq(exchanged("attn.context_in", NNC_PHASE_BACKWARD), 1024.0 * 2 * copies * 128 * 6);
        total("attn.expand_kv", NNC_PHASE_FORWARD, &forward);
        total("attn.expand_kv", NNC_PHASE_BACKWARD, &backward);
        ck_assert_double_eq(forward, copies > 1 ? 4 * 1024.0 * (2 + 8) * 128 * 2 : 0);
        ck_assert_double_eq(backward, forward);
        const double q = 1024.0 * 8 * 64 * 2, kv = 4096.0 * 2 * copies * 128 * 2, rows = 1024.0 * 8 * 4;
        total("attn.core", NNC_PHASE_FORWARD, &forward);
        total("attn.core", NNC_PHASE_BACKWARD, &backward);
        ck_assert_double_eq(forward, 4 * (q + kv + q + rows));
        ck_assert_double_eq(backward, 4 * (q + kv + 2 * q + 2 * rows + q + kv));
    }
}
END_TEST

/* A kernel on 4 blocks of 1,024 keys has the efficiency of short sequences and starts four times. With 2,048.5 keys per
 * query, this kernel takes 1 + 3.25 x 512/2048.5 times as long as a kernel without the loss of short sequences. A
 * kernel on 4,096 keys takes 1 + 512/2048.5 times as long. */
START_TEST(a_ring_attends_to_short_blocks) {
    nnc_device device = plain_device();
    nnc_flash_efficiency *e = &device.efficiency.attention[NNC_FLASH2];
    *e = (nnc_flash_efficiency){ .sustained_fraction = 0.5,
                                 .backward_ratio = 1,
                                 .memory_fraction = 1,
                                 .fixed_s = 1e-5,
                                 .seq_half = 1024,
                                 .library_unmasked_half = NAN,
                                 .narrow_ratio = 1,
                                 .head_multiple = 32 };
    nnc_op op = { .kind = NNC_OP_FLASH, .dtype = NNC_BF16, .math_dtype = NNC_BF16 };
    op.u.flash = (nnc_flash){ .batch = 1,
                              .heads = 8,
                              .kv_heads = 8,
                              .s_q = 4096,
                              .s_k = 4096,
                              .head_dim = 128,
                              .value_dim = 128,
                              .pairs = 4096.0 * 4097 / 2,
                              .full_pairs = 4096.0 * 4096,
                              .causal = true,
                              .kernel = NNC_FLASH2 };
    const nnc_work work = nnc_op_work(&op);
    const double matrix_s = work.flops / 50e12;
    ck_assert_double_eq_tol(nnc_op_time(&device, &op, &work).time_s, (1 + 512 / 2048.5) * matrix_s + 1e-5, 1e-12);
    op.u.flash.blocks = 4;
    ck_assert_double_eq_tol(nnc_op_time(&device, &op, &work).time_s, (1 + 3.25 * 512 / 2048.5) * matrix_s + 4e-5,
                            1e-12);
}
END_TEST

static double expert_bytes(double imbalance, double capacity) {
    const nnc_model model = mixtral(2, 64, 4, 4, 32, 8, 256, 128);
    nnc_plan plan = plan_of(8, 1, 1);
    plan.expert = 8;
    plan.imbalance = imbalance;
    plan.capacity_factor = capacity;
    estimate_on_cluster(&model, &plan);
    int32_t count = 0;
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(rows[i].op->name, "moe.all_to_all_in") == 0) { return rows[i].op->u.collective.bytes; }
    }
    return 0.0;
}

/* 128 tokens go to 2 of 8 experts, with 64 values of 2 B each. With a capacity factor of 1.25, an expert has slots for
 * 1.25 x 32 tokens. */
START_TEST(padding_and_imbalance_travel) {
    const double bytes = 128.0 * 2 * 64 * 2;
    ck_assert_double_eq(expert_bytes(1, 0), bytes);
    ck_assert_double_eq(expert_bytes(3, 0), 3 * bytes);
    ck_assert_double_eq(expert_bytes(1, 1.25), 1.25 * bytes);
    ck_assert_double_eq(expert_bytes(1.5, 1.25), 1.5 * 1.25 * bytes);
}
END_TEST

START_TEST(nobody_gets_more_than_all_tokens) {
    const nnc_model model = mixtral(2, 64, 4, 4, 32, 8, 256, 128);
    const nnc_device device = cluster_device();
    nnc_plan plan = plan_of(8, 1, 1), resolved;
    nnc_error err = { 0 };
    plan.expert = 4;
    plan.imbalance = 4;
    ck_assert_int_eq(nnc_plan_resolve(&plan, &model, &device, &resolved, &err), NNC_OK);
    plan.imbalance = 4.5;
    ck_assert_int_eq(nnc_plan_resolve(&plan, &model, &device, &resolved, &err), NNC_ILLEGAL_PLAN);
    ck_assert_str_eq(err.where, "--imbalance");
}
END_TEST

/* A torus of 16 x 16 x 16 has 4,096 devices. A group of every 12th device has nearly the bandwidth of a group of every
 * 8th device, not a twelfth of one link. */
START_TEST(a_stride_that_does_not_tile_costs_a_little) {
    const nnc_device device = torus(16, 16, 16, true, 50e9);
    const nnc_route eighth = route_of(&device, 4096, 0, 512, 8);
    const nnc_route twelfth = route_of(&device, 4096, 0, 341, 12);
    ck_assert_double_gt(twelfth.inner_bytes_per_s, 0.5 * eighth.inner_bytes_per_s);
    ck_assert_double_le(twelfth.inner_bytes_per_s, eighth.inner_bytes_per_s);
}
END_TEST

int main(void) {
    const TTest *const tests[] = { kinds_differ,
                                   a_ring_merges_its_blocks_in_fp32,
                                   copied_keys_travel_for_all_heads,
                                   a_ring_attends_to_short_blocks,
                                   padding_and_imbalance_travel,
                                   nobody_gets_more_than_all_tokens,
                                   a_stride_that_does_not_tile_costs_a_little };
    return run_tests("context", tests, COUNT_OF(tests));
}
