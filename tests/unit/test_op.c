/* The work of single ops, small enough to count by hand: products, attention, convolutions, and the
 * tables of all kinds. test_op_vector.c has the others. */
#include "answers.h"

/* ---- products ---- */

/* A 2x4 by B 4x3: 2*3 outputs of 4 products and 4 sums, 48 FLOPs. bf16: A 16 B, B 24 B, C 12 B. */
START_TEST(matmul) {
    nnc_op op = linear(2, 3, 4);
    ck_work(nnc_op_work(&op), 48, 0, 16 + 24, 12);
    ck_assert_double_eq(nnc_op_work(&op).full_flops, 48);
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 16);      /* A */
    ck_assert_double_eq(nnc_op_transient_bytes(&op), 28); /* dA and dC */
    nnc_op library = op;                                  /* an op of a library without bytes of its own has the same */
    library.by_library = true;
    ck_assert_double_eq(nnc_op_transient_bytes(&library), 28);

    op.weights.vector = 3; /* a bias is read, and added to 6 outputs */
    ck_work(nnc_op_work(&op), 48, 6, 16 + 24 + 6, 12);
    op.u.matmul.keeps_b = true;
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 16 + 24);

    op = linear(2, 1, 4); /* one output and its bias */
    op.weights.vector = 1;
    ck_work(nnc_op_work(&op), 16, 2, 16 + 8 + 2, 4);
}
END_TEST

/* dA 2x4 = dC 2x3 by B^T; dB 4x3 = A^T 4x2 by dC, in fp32, plus a bias gradient of 6 sums. */
START_TEST(matmul_backward) {
    nnc_op op = linear(2, 3, 4), backward[NNC_BACKWARD_MAX];
    op.weights.vector = 3;
    op.grad_bytes = 4;
    ck_assert_int_eq(nnc_op_backward(&op, backward), 2);
    ck_assert_int_eq((int)backward[0].phase, NNC_PHASE_GRAD_INPUT);
    ck_work(nnc_op_work(&backward[0]), 48, 0, 12 + 24, 16);
    ck_assert_int_eq((int)backward[1].phase, NNC_PHASE_GRAD_WEIGHT);
    ck_work(nnc_op_work(&backward[1]), 48, 6, 16 + 12, 48);

    op.grad_accumulate = 1; /* adds to 12 fp32 numbers, read and written */
    ck_assert_int_eq(nnc_op_backward(&op, backward), 2);
    ck_work(nnc_op_work(&backward[1]), 48, 6, 16 + 12 + 48, 48);

    op.u.matmul.needs_grad_input = false; /* the first layer */
    ck_assert_int_eq(nnc_op_backward(&op, backward), 1);
    ck_assert_int_eq((int)backward[0].phase, NNC_PHASE_GRAD_WEIGHT);
}
END_TEST

/* Q K^T of 4 heads in groups of 2, 2 queries, 3 keys, width 5: 4*2*3*5*2 FLOPs; Q 4*2*5, K of two
 * groups 2*3*5, scores 4*2*3 elements. 5 of the 6 pairs are unmasked. */
START_TEST(matmul_of_scores) {
    nnc_op op = op_of(NNC_OP_MATMUL), backward[NNC_BACKWARD_MAX];
    op.u.matmul = (nnc_matmul){ .batch = 4,
                                .m = 2,
                                .n = 3,
                                .k = 5,
                                .b_shared = 2,
                                .pairs = 5,
                                .full_pairs = 6,
                                .window_pairs = 4,
                                .needs_grad_input = true,
                                .keeps_b = true };
    ck_work(nnc_op_work(&op), 240, 0, 80 + 60, 48);
    ck_assert_double_eq(nnc_op_work(&op).full_flops, 240);
    ck_assert_double_eq(nnc_op_work(&op).window_flops, 160);
    ck_assert_double_eq(nnc_op_work(&op).causal_flops, 200);
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 60);
    /* dQ = dS K, K shared; dK = dS^T Q of every head */
    ck_assert_int_eq(nnc_op_backward(&op, backward), 2);
    ck_assert_int_eq((int)backward[0].phase, NNC_PHASE_BACKWARD);
    ck_work(nnc_op_work(&backward[0]), 240, 0, 48 + 60, 80);
    ck_work(nnc_op_work(&backward[1]), 240, 0, 48 + 80, 4 * 3 * 5 * 2);
    ck_assert_double_eq(nnc_op_work(&backward[1]).causal_flops, 200);
}
END_TEST

/* Operands of one byte; the output is 16-bit. */
START_TEST(matmul_fp8) {
    nnc_op op = linear(2, 3, 4);
    op.math_dtype = NNC_FP8;
    ck_work(nnc_op_work(&op), 48, 0, 8 + 12, 12);
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 8);
}
END_TEST

/* ---- attention ---- */

/* Counts the pairs one by one: query i is at position i + s_k - s_q and sees itself and the tokens
 * before it, at most the last `window`. */
static int64_t count_pairs(int64_t s_q, int64_t s_k, bool causal, int64_t window) {
    int64_t pairs = 0;
    for (int64_t i = 0; i < s_q; i++) {
        for (int64_t j = 0; j < s_k; j++) {
            const int64_t at = i + s_k - s_q;
            const bool seen = !causal || (j <= at && (window == 0 || j > at - window));
            pairs += seen;
        }
    }
    return pairs;
}

START_TEST(attention_pairs) {
    for (int64_t s_q = 1; s_q <= 12; s_q++) {
        for (int64_t s_k = s_q; s_k <= 12; s_k++) {
            ck_assert_int_eq(nnc_attention_pairs(s_q, s_k, false, 0), count_pairs(s_q, s_k, false, 0));
            for (int64_t window = 0; window <= 14; window++) {
                ck_assert_int_eq(nnc_attention_pairs(s_q, s_k, true, window), count_pairs(s_q, s_k, true, window));
            }
        }
    }
}
END_TEST

/* 2 samples, 4 query heads on 2 key heads of width 8, 3 tokens, causal: 6 of 9 pairs.
 * Forward 4*2*4*8 = 256 FLOPs a pair. Q 2*3*4*8 = 192 elements, K and V 96 each, O 192; the
 * log-sum-exp is 24 numbers in fp32. Softmax 5 FLOPs a pair, 2*4*6 pairs. */
START_TEST(flash) {
    nnc_op op = op_of(NNC_OP_FLASH);
    op.u.flash = (nnc_flash){ .batch = 2,
                              .heads = 4,
                              .kv_heads = 2,
                              .s_q = 3,
                              .s_k = 3,
                              .head_dim = 8,
                              .value_dim = 8,
                              .pairs = 6,
                              .full_pairs = 9,
                              .keeps_qkv = true,
                              .kept_s_k = 3,
                              .kept_kv_heads = 2 };
    ck_work(nnc_op_work(&op), 256 * 6, 5 * 48, 2 * (192 + 96 + 96), 2 * 192 + 96);
    ck_assert_double_eq(nnc_op_work(&op).full_flops, 256 * 9);
    ck_assert_double_eq(nnc_op_work(&op).causal_flops, 256 * 6);
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 2 * (192 + 96 + 96) + 96);
    ck_assert_double_eq(nnc_op_transient_bytes(&op), 2 * (192 + 192 + 96 + 96));
    op.u.flash.kept_kv_heads = 4; /* copied to every head */
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 2 * (192 + 192 + 192) + 96);

    /* Five products instead of two; Q, O, dO, K, V and two rows in, dQ, dK, dV out. */
    nnc_op backward[NNC_BACKWARD_MAX];
    ck_assert_int_eq(nnc_op_backward(&op, backward), 1);
    ck_work(nnc_op_work(&backward[0]), 640 * 6, 6 * 48, 2 * (3 * 192 + 2 * 96) + 2 * 96, 2 * (192 + 96 + 96));
    ck_assert_double_eq(nnc_op_work(&backward[0]).full_flops, 2 * 256 * 9);
    ck_assert_double_eq(nnc_op_work(&backward[0]).causal_flops, 2 * 256 * 6);

    op.phase = NNC_PHASE_RECOMPUTE; /* forward again */
    ck_assert_double_eq(nnc_op_work(&op).flops, 256 * 6);
    op.u.flash.pairs = op.u.flash.full_pairs;
    ck_assert_double_eq(nnc_op_work(&op).flops, 256 * 9);
}
END_TEST

/* ---- convolution ---- */

static nnc_op conv(int64_t c_in, int64_t c_out, int64_t side, int64_t side_out, int64_t kernel) {
    nnc_op op = op_of(NNC_OP_CONV);
    op.weights = (nnc_weights){ .count = 1, .rows = c_out, .cols = c_in * kernel * kernel };
    op.u.conv = (nnc_conv){ .batch = 1,
                            .c_in = c_in,
                            .c_out = c_out,
                            .h_in = side,
                            .w_in = side,
                            .h_out = side_out,
                            .w_out = side_out,
                            .kernel = kernel,
                            .stride = 1,
                            .groups = 1,
                            .needs_grad_input = true,
                            .keeps_input = true };
    return op;
}

/* 2 -> 3 channels, 4x4 -> 2x2, kernel 3: 12 outputs of 18 products. x 32, w 54, y 12 elements. */
START_TEST(conv2d) {
    nnc_op op = conv(2, 3, 4, 2, 3), backward[NNC_BACKWARD_MAX];
    op.grad_bytes = 4;
    ck_work(nnc_op_work(&op), 432, 0, 2 * (32 + 54), 2 * 12);
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 64);
    ck_assert_double_eq(nnc_op_transient_bytes(&op), 2 * (32 + 12));
    op.weights.vector = 3;
    ck_work(nnc_op_work(&op), 432, 12, 2 * (32 + 54 + 3), 2 * 12);
    ck_assert_int_eq(nnc_op_backward(&op, backward), 2);
    ck_work(nnc_op_work(&backward[0]), 432, 0, 2 * (12 + 54), 2 * 32);
    ck_work(nnc_op_work(&backward[1]), 432, 12, 2 * (32 + 12), 4 * 54);
    op.u.conv.needs_grad_input = false;
    ck_assert_int_eq(nnc_op_backward(&op, backward), 1);
    ck_assert_int_eq((int)backward[0].phase, NNC_PHASE_GRAD_WEIGHT);
}
END_TEST

/* Each of the 2x2 input positions gives 2x2 outputs: 4 positions of 3*2*4 products. */
START_TEST(conv_transposed) {
    nnc_op op = conv(3, 2, 2, 4, 2);
    op.u.conv.transposed = true;
    op.u.conv.stride = 2;
    ck_work(nnc_op_work(&op), 192, 0, 2 * (12 + 24), 2 * 32);
    ck_assert_str_eq(nnc_op_kind_name(&op), "conv_transpose2d");
}
END_TEST

/* Two groups see half of the input each; a 1x1 convolution is a product over positions. */
START_TEST(conv_as_products) {
    nnc_op grouped = conv(4, 6, 3, 3, 3), dense = grouped;
    grouped.u.conv.groups = 2;
    ck_assert_double_eq(2 * nnc_op_work(&grouped).flops, nnc_op_work(&dense).flops);
    const nnc_op point = conv(4, 6, 3, 3, 1), product = linear(9, 6, 4);
    const nnc_work a = nnc_op_work(&point), b = nnc_op_work(&product);
    ck_work(a, b.flops, 0, b.read_bytes, b.write_bytes);
}
END_TEST

/* Each of two tensor ranks has half of the groups, so half of the products, weights and outputs. Alone, a rank has
 * all. */
START_TEST(conv_of_a_rank) {
    for (int64_t tensor = 1; tensor <= 2; tensor++) {
        const nnc_degrees degrees = { .tensor = tensor, .context = 1, .expert = 1 };
        nnc_op op = conv(4, 4, 6, 6, 3);
        op.u.conv.groups = 4;
        op.weights.cols = 9;
        op.split = NNC_SPLIT_INNER;
        const nnc_work all = nnc_op_work(&op);
        nnc_op_rows[NNC_OP_CONV]->shard(&op, &degrees);
        const nnc_work one = nnc_op_work(&op);
        const double ranks = (double)tensor;
        ck_work(one, all.flops / ranks, 0, all.read_bytes / ranks, all.write_bytes / ranks);
        ck_assert_int_eq(nnc_weights_params(&op.weights), 36 / tensor);
    }
}
END_TEST

/* Two tensor ranks share the heads of a scan, its groups as far as there are several, and its values per head. */
START_TEST(scan_of_a_rank) {
    const nnc_degrees degrees = { .tensor = 2, .context = 3 };
    for (int64_t groups = 1; groups <= 4; groups *= 2) {
        nnc_op op = op_of(NNC_OP_SCAN);
        op.weights.vector = 24;
        op.u.scan = (nnc_scan){ .tokens = 12, .inner = 64, .heads = 8, .groups = groups, .state = 16 };
        nnc_op_rows[NNC_OP_SCAN]->shard(&op, &degrees);
        ck_assert_int_eq(op.u.scan.tokens, 4);
        ck_assert_int_eq(op.u.scan.inner, 32);
        ck_assert_int_eq(op.u.scan.heads, 4);
        ck_assert_int_eq(op.u.scan.groups, groups > 1 ? groups / 2 : 1);
        ck_assert_int_eq(nnc_weights_params(&op.weights), 12);
    }
}
END_TEST

/* The scores of 8 heads, 6 queries and 10 keys of width 4, over 2 ranks with heads and 3 with queries: 4 heads of
 * 2 queries, 4 x 2 x 10 x 4 products. A rank has a third of the pairs of a head. */
START_TEST(scores_of_a_rank) {
    const nnc_degrees degrees = {
        .tensor = 2, .context = 3, .expert = 1, .heads = 2, .positions = 3, .imbalance = 1.0
    };
    nnc_op op = linear(6, 10, 4);
    op.u.matmul.b_is_weight = false;
    op.u.matmul.batch = op.u.matmul.heads = 8;
    op.u.matmul.pairs = op.u.matmul.full_pairs = op.u.matmul.window_pairs = 60;
    op.split = NNC_SPLIT_HEADS;
    nnc_op_rows[NNC_OP_MATMUL]->shard(&op, &degrees);
    ck_assert_int_eq(op.u.matmul.batch, 4);
    ck_assert_int_eq(op.u.matmul.m, 2);
    ck_assert_double_eq(op.u.matmul.pairs, 20);
    ck_assert_double_eq(nnc_op_work(&op).flops, 2.0 * 4 * 2 * 10 * 4);
}
END_TEST

/* Experts of one rank have no busiest rank: imbalance adds neither rows nor padding. Of two ranks, the busiest has
 * half as many rows more, and a third of its rows are not those of a mean rank. */
START_TEST(experts_of_a_rank) {
    for (int64_t expert = 1; expert <= 2; expert++) {
        const nnc_degrees degrees = {
            .tensor = 1, .context = 1, .expert = expert, .expert_tensor = 1, .expert_rows = 1, .imbalance = 1.5
        };
        nnc_op op = linear(8, 3, 4);
        op.u.matmul.experts = 4;
        op.split = NNC_SPLIT_EXPERT_COLUMN;
        nnc_op_rows[NNC_OP_MATMUL]->shard(&op, &degrees);
        const nnc_work work = nnc_op_work(&op);
        ck_assert_double_eq(work.flops, 2.0 * 3 * 4 * (expert > 1 ? 12 : 8));
        ck_assert_double_eq(work.full_flops, 2.0 * 3 * 4 * 8);
        ck_assert_int_eq(op.u.matmul.experts, 4 / expert);
    }
}
END_TEST

/* ---- tables ---- */

START_TEST(every_kind_has_a_row) {
    nnc_op backward[NNC_BACKWARD_MAX];
    for (int kind = 0; kind < NNC_OP_KIND_COUNT; kind++) {
        const nnc_op_row *row = nnc_op_rows[kind];
        ck_assert_msg((row->name != NULL || row->name_of != NULL) && row->work != NULL && row->kept != NULL &&
                          row->transient != NULL && row->backward != NULL && row->shard != NULL && row->shape != NULL,
                      "the row of op kind %d has a hole", kind);
        for (int phase = 0; phase < NNC_PHASE_COUNT; phase++) {
            nnc_op op = linear(2, 3, 4); /* 1 in every member that divides */
            op.kind = (nnc_op_kind)kind;
            op.phase = (nnc_phase)phase;
            if (kind == NNC_OP_CONV) {
                op.u.conv = conv(2, 3, 4, 2, 3).u.conv;
            } else if (kind != NNC_OP_MATMUL) {
                memset(&op.u, 0, sizeof op.u);
                op.u.norm.rows = kind == NNC_OP_NORM;
            }
            const nnc_work work = nnc_op_work(&op);
            ck_assert_double_ge(work.flops + work.vector_flops + bytes_of(&work), 0);
            ck_assert_double_ge(nnc_op_kept_bytes(&op), 0);
            ck_assert_double_ge(nnc_op_transient_bytes(&op), 0);
            ck_assert_int_le(nnc_op_backward(&op, backward), NNC_BACKWARD_MAX);
            ck_assert_str_ne(nnc_op_kind_name(&op), "");
        }
    }
}
END_TEST

/* A pointwise op that moves no bytes has an empty row. */
static double moved_by(nnc_pointwise_kind kind) {
    nnc_op op = op_of(NNC_OP_POINTWISE), backward[NNC_BACKWARD_MAX];
    op.u.pointwise = (nnc_pointwise){ .kind = kind, .elements = 1 };
    const nnc_work forward = nnc_op_work(&op);
    double bytes = bytes_of(&forward);
    if (nnc_op_backward(&op, backward) == 1) {
        const nnc_work work = nnc_op_work(&backward[0]);
        bytes += bytes_of(&work);
    }
    return bytes;
}

START_TEST(every_variety_has_a_row) {
    for (int kind = 0; kind < NNC_PW_KIND_COUNT; kind++) {
        ck_assert_msg(moved_by((nnc_pointwise_kind)kind) > 0.0, "the row of the pointwise op %s is empty",
                      nnc_pointwise_kind_name((nnc_pointwise_kind)kind));
    }
    for (int kind = 0; kind < NNC_NORM_KIND_COUNT; kind++) {
        nnc_op op = op_of(NNC_OP_NORM);
        op.u.norm.kind = (nnc_norm_kind)kind;
        ck_assert_msg(nnc_op_kind_name(&op) != NULL, "norm %d has no row", kind);
    }
    for (int kind = 0; kind < NNC_UPDATE_KIND_COUNT; kind++) {
        nnc_op op = op_of(NNC_OP_UPDATE);
        op.u.update.kind = (nnc_update_kind)kind;
        ck_assert_msg(nnc_op_kind_name(&op) != NULL, "update %d has no row", kind);
    }
    for (int kind = 0; kind < NNC_COLLECTIVE_COUNT; kind++) {
        ck_assert_msg(nnc_collective_name((nnc_collective)kind) != NULL, "collective %d has no row", kind);
    }
}
END_TEST

START_TEST(activations_have_facts) {
    ck_assert(nnc_activation_of(NNC_PW_RELU)->by_output);
    ck_assert(!nnc_activation_of(NNC_PW_GELU)->by_output);
    ck_assert(nnc_activation_of(NNC_PW_GEGLU)->gated);
    ck_assert(!nnc_activation_of(NNC_PW_SILU)->gated);
}
END_TEST

/* An operator of a captured program moves its recorded bytes and computes nothing that counts. */
START_TEST(recorded_kernels) {
    nnc_op op = { .kind = NNC_OP_KERNEL };
    op.u.kernel = (nnc_kernel){ .read_bytes = 3, .write_bytes = 5 };
    const nnc_work work = nnc_op_work(&op);
    ck_assert_double_eq(work.flops + work.vector_flops, 0);
    ck_assert_double_eq(work.read_bytes, 3);
    ck_assert_double_eq(work.write_bytes, 5);
}
END_TEST

/* AdamW updates 10 elements once, SGD 30 elements three times. An update in one kernel moves 28 and 12 bytes per element:
 * 280 + 360 in one round, 280 + 3 * 360 in the step. Of the 2 * 40 states 20 exist. In single kernels AdamW has 20 passes
 * over memory, SGD has 3; momentum has 6, or 8 if AdamW is the strongest. */
START_TEST(updates_of_two_optimizers) {
    nnc_optimizer_group groups[] = { { .kind = NNC_OPTIMIZER_ADAMW, .count = 1, .elements = 10, .calls = 1 },
                                     { .kind = NNC_OPTIMIZER_SGD, .count = 1, .elements = 30, .calls = 3 } };
    const nnc_launches l = nnc_optimizer_launches(groups, 2, NNC_OPTIMIZER_ADAMW);
    ck_assert_double_eq(l.updates, 1360.0 / 640.0);
    ck_assert_double_eq(l.state_share, 20.0 / 80.0);
    ck_assert_double_eq(l.pass_share, (20 * 10 + 3 * 30 * 3) / (20 * 40 * 1360.0 / 640.0));
    ck_assert_double_eq(l.list_share, 10.0 / 40.0);
    groups[1].kind = NNC_OPTIMIZER_MOMENTUM;
    const double updates = (280.0 + 20 * 90) / (280.0 + 20 * 30);
    ck_assert_double_eq(nnc_optimizer_launches(groups, 2, NNC_OPTIMIZER_ADAMW).pass_share,
                        (20 * 10 + 8 * 30 * 3) / (20 * 40 * updates));
    ck_assert_double_eq(nnc_optimizer_launches(&groups[1], 1, NNC_OPTIMIZER_MOMENTUM).pass_share, 1.0);
}
END_TEST

/* Every enumerator has a name of its own. */
START_TEST(names) {
    for (int i = 0; i < NNC_PHASE_COUNT; i++) {
        for (int j = 0; j < i; j++) { ck_assert_str_ne(nnc_phase_name((nnc_phase)i), nnc_phase_name((nnc_phase)j)); }
    }
    for (int i = 0; i < NNC_GROUP_COUNT; i++) {
        for (int j = 0; j < i; j++) { ck_assert_str_ne(nnc_group_name((nnc_group)i), nnc_group_name((nnc_group)j)); }
    }
    ck_assert_str_eq(nnc_phase_name(NNC_PHASE_COUNT), "?");
    ck_assert_str_eq(nnc_group_name(NNC_GROUP_COUNT), "?");
}
END_TEST

START_TEST(shapes) {
    char text[80];
    nnc_op op = linear(1024, 4800, 1600), backward[NNC_BACKWARD_MAX];
    nnc_op_shape(&op, text, sizeof text);
    ck_assert_str_eq(text, "m=1024 n=4800 k=1600");
    ck_assert_int_eq(nnc_op_backward(&op, backward), 2);
    nnc_op_shape(&backward[1], text, sizeof text);
    ck_assert_str_eq(text, "m=1600 n=4800 k=1024");
    op = conv(2, 3, 4, 2, 3);
    nnc_op_shape(&op, text, sizeof text);
    ck_assert_str_eq(text, "n=1 c=2->3 4x4->2x2 k=3");
    nnc_op_shape(&op, text, 5); /* cut, and still terminated */
    ck_assert_str_eq(text, "n=1 ");
}
END_TEST

int main(void) {
    const TTest *const tests[] = { matmul,
                                   matmul_backward,
                                   matmul_of_scores,
                                   matmul_fp8,
                                   attention_pairs,
                                   flash,
                                   conv2d,
                                   conv_transposed,
                                   conv_as_products,
                                   conv_of_a_rank,
                                   scan_of_a_rank,
                                   scores_of_a_rank,
                                   experts_of_a_rank,
                                   every_kind_has_a_row,
                                   every_variety_has_a_row,
                                   activations_have_facts,
                                   names,
                                   updates_of_two_optimizers,
                                   recorded_kernels,
                                   shapes };
    return run_tests("op", tests, COUNT_OF(tests));
}
