/* Tests layers that keep a recurrent state instead of the keys of all tokens; they are small enough to count by hand.
 * */
#include "answers.h"
#include "cluster.h"

static nnc_op scan_of(int64_t chunk, bool delta) {
    nnc_op op = op_of(NNC_OP_SCAN);
    op.dtype = NNC_BF16;
    op.u.scan = (nnc_scan){
        .tokens = 8, .inner = 6, .state = 5, .groups = 1, .heads = chunk > 0 ? 2 : 0, .chunk = chunk, .delta = delta
    };
    return op;
}

/* A scan of 8 tokens with 6 values, each with a state of 5 numbers. Token by token, each of 6 values takes 8 operations
 * for each of its 5 numbers, and 2 further operations: 8 * 6 * 42 = 2016 for 8 tokens. Backward takes three times as
 * many operations as forward. Per token, the scan reads 6 values, 2 * 5 keys and queries and one step size per value
 * (6), and writes 6 values. */
START_TEST(selective_scan) {
    nnc_op op = scan_of(0, false);
    ck_work(nnc_op_work(&op), 0, 2016, 8 * 22 * 2, 8 * 6 * 2);
    ck_assert_double_eq(nnc_op_work(&op).full_flops, 0);
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 8 * 22 * 2);
    op.phase = NNC_PHASE_BACKWARD;
    ck_work(nnc_op_work(&op), 0, 3 * 2016, 8 * 28 * 2, 8 * 22 * 2);
}
END_TEST

/* In chunks of 4, each of 8 tokens is multiplied with 4 tokens: 2 FLOPs * 8 * 4 * (5 numbers of the state + 6 values) =
 * 704 FLOPs. The state of 5 * 6 numbers is written and read with 4 FLOPs for each of 8 tokens: 4 * 8 * 5 * 6 = 960
 * FLOPs, the only model FLOPs. Decays take 3 operations for each of 4 tokens and 2 heads. Two states of 30 numbers in
 * fp32 are written and read: 240 B. */
START_TEST(chunked_scan) {
    nnc_op op = scan_of(4, false);
    ck_work(nnc_op_work(&op), 704 + 960, 8 * 3 * 4 * 2, 8 * 18 * 2 + 240, 8 * 6 * 2 + 240);
    ck_assert_double_eq(nnc_op_work(&op).full_flops, 960);
    op.phase = NNC_PHASE_BACKWARD;
    ck_assert_double_eq(nnc_op_work(&op).flops, 3 * 1664);
    ck_assert_double_eq(nnc_op_work(&op).full_flops, 2 * 960);
    ck_assert_double_eq(nnc_op_work(&op).read_bytes, 8 * 24 * 2 + 480);
}
END_TEST

/* The delta rule has 3 products with keys of 2 heads (10 numbers) and 2 products with values (6 numbers): 2 FLOPs * 8
 * tokens * 4 * (3 * 10 + 2 * 6) = 2688 FLOPs. Products with the state have 6 FLOPs * 8 tokens * 30 numbers = 1440
 * FLOPs. */
START_TEST(delta_scan) {
    const nnc_op op = scan_of(4, true);
    ck_assert_double_eq(nnc_op_work(&op).flops, 2688 + 1440);
    ck_assert_double_eq(nnc_op_work(&op).full_flops, 1440);
}
END_TEST

static nnc_model with(const char *mixers, const char *mlps) {
    nnc_model model = llama(2, 8, 4, 2, 12, 10, 5);
    nnc_decoder *d = &model.decoder;
    ck_assert_int_eq(nnc_model_set(&model, "mixers", mixers, NULL), NNC_OK);
    ck_assert_int_eq(nnc_model_set(&model, "mlps", mlps, NULL), NNC_OK);
    d->ssm_inner = 16;
    d->ssm_state = 3;
    d->ssm_heads = 4;
    d->ssm_groups = 2;
    d->ssm_rank = 2;
    d->conv_kernel = 3;
    return model;
}

/* Width 8, 16 values, state 3, 4 heads, 2 groups, rank 2, kernel 3. A layer also has a norm of 8 parameters. The
 * numbers of elements in the products and vectors of each mixer:
 * Mamba: the products have 8*32 + 16*(2 + 6) + 2*16 + 16*8; the convolution 48, the bias of steps 16, A and D 16*4.
 * Mamba-2: the products have 8*(32 + 12 + 4) + 16*8; the convolution 28*3, the vectors of heads 3*4, the norm 16.
 * Gated delta: the products have 8*(32 + 12) + 8*8 + 16*8; the convolution 28*3, the vectors of heads 2*4, the norm 4.
 * Kimi delta: the products have 8*(16 + 12) + 8*4 + 8*2*2 + 2*(4*3 + 16) + 16*8; the convolution 28*3, the vectors of
 * heads 4*(3 + 1), the norm 4.
 * Lightning, 4 heads of 2: the products have 8*24 + 8*8 + 8*8; the norm 8.
 * Short convolution: the products have 8*24 + 8*8; the convolution 24.
 * Attention and Mamba-2 together have the elements of Mamba-2, and 8*16 + 8*8 of 4 query heads and 2 key heads of
 * width 2. */
START_TEST(mixers_that_keep_a_state) {
    static const struct {
        const char *name;
        int products, convolution, vectors;
    } wanted[] = { { "mamba", 256 + 128 + 32 + 128, 48, 16 + 64 },
                   { "mamba2", 384 + 128, 84, 12 + 16 },
                   { "gated_delta", 352 + 64 + 128, 84, 8 + 4 },
                   { "kimi_delta", 224 + 32 + 32 + 56 + 128, 84, 16 + 4 },
                   { "lightning", 192 + 64 + 64, 0, 8 },
                   { "short_conv", 192 + 64, 24, 0 },
                   { "full_mamba2", 384 + 128 + 128 + 64, 84, 12 + 16 },
                   { "none", 0, 0, -8 } }; /* a layer without a mixer also has no norm of a mixer */
    const nnc_plan plan = plan_of(1, 1, 1);
    for (int i = 0; i < (int)COUNT_OF(wanted); i++) {
        const nnc_model model = with(wanted[i].name, "none");
        const nnc_result r = estimate_on_cluster(&model, &plan);
        const int layer = wanted[i].products + wanted[i].convolution + wanted[i].vectors + 8;
        ck_assert_int_eq(r.params, 2 * 80 + 8 + 2 * layer);
        const nnc_op_cost *scan = find_row("ssm.scan", NNC_PHASE_FORWARD);
        double scanned = scan != NULL ? scan->work.full_flops : 0.0;
        const nnc_op_cost *attends = find_row("attn.core", NNC_PHASE_FORWARD);
        scanned += attends != NULL ? attends->work.full_flops : 0.0;
        ck_assert_double_eq(r.forward_flops,
                            2 * 5 * 80 + 2 * (2 * 5 * (wanted[i].products + wanted[i].convolution) + scanned));
    }
}
END_TEST

/* The second of 2 layers has an MLP of inner width 6, the first has 12: 3 * 8 * 6 fewer weights. */
START_TEST(widths_differ_by_layer) {
    nnc_plan plan = plan_of(1, 1, 1);
    nnc_model model = llama(2, 8, 4, 2, 12, 10, 5);
    const int64_t same = estimate_on_cluster(&model, &plan).params;
    ck_assert_int_eq(nnc_model_set(&model, "ffn_widths", "12,6", NULL), NNC_OK);
    ck_assert_int_eq(estimate_on_cluster(&model, &plan).params, same - 3 * 8 * 6);
    ck_assert_int_eq(nnc_model_set(&model, "ffn_widths", "12", NULL), NNC_OK);
    ck_assert_int_eq(estimate_on_cluster(&model, &plan).params, same);
}
END_TEST

/* Two tensor ranks divide the values, heads and groups. */
START_TEST(states_over_tensor_ranks) {
    nnc_plan plan = plan_of(1, 1, 1);
    static const char *const names[] = { "mamba",     "mamba2",     "gated_delta", "kimi_delta",
                                         "lightning", "short_conv", "full_mamba2" };
    for (int i = 0; i < (int)COUNT_OF(names); i++) {
        const nnc_model model = with(names[i], "dense");
        plan.tensor = 1;
        const nnc_result one = estimate_on_cluster(&model, &plan);
        plan.tensor = 2;
        const nnc_result two = estimate_on_cluster(&model, &plan);
        ck_assert_int_eq(one.params, two.params);
        ck_assert_double_eq(one.model_flops, two.model_flops);
        ck_assert_int_lt(two.memory.weight_bytes, one.memory.weight_bytes * 6 / 10);
    }
}
END_TEST

/* A state passes through all tokens of a sequence, so context parallelism is refused. The number of
 * groups of the states must be a multiple of the number of tensor ranks. */
START_TEST(states_stay_together) {
    const nnc_model model = with("mamba2", "none");
    const nnc_device device = cluster_device();
    const nnc_software software = nnc_software_default();
    for (int i = 0; i < 2; i++) {
        nnc_plan plan = plan_of(1, i == 0 ? 1 : 4, 1);
        nnc_error err = { 0 };
        nnc_result r;
        plan.context = i == 0 ? 2 : 1;
        ck_assert_int_eq(nnc_estimate(&model, &device, &software, &plan, scratch, &r, &err), NNC_ILLEGAL_PLAN);
        ck_assert_str_eq(err.where, i == 0 ? "--context" : "--tensor");
    }
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        selective_scan,       chunked_scan,           delta_scan, mixers_that_keep_a_state, states_over_tensor_ranks,
        states_stay_together, widths_differ_by_layer,
    };
    return run_tests("state_layers", tests, COUNT_OF(tests));
}
