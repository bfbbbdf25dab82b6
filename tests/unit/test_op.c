/* Tests FLOPs and bytes of single ops that are small enough to count by hand: products, attention and convolutions.
 * Also tests the tables of all kinds of ops. test_op_vector.c tests norms, pointwise ops, lookups, losses and
 * updates. */
#include "answers.h"

/* ---- products ---- */

/* A is 2x4 and B is 4x3: 2*3 outputs of 4 products and 4 sums are 48 FLOPs. In bf16, A has 16 B, B 24 B and C 12 B. */
START_TEST(matmul) {
    nnc_op op = linear(2, 3, 4);
    ck_work(nnc_op_work(&op), 48, 0, 16 + 24, 12);
    ck_assert_double_eq(nnc_op_work(&op).full_flops, 48);
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 16);      /* A is kept */
    ck_assert_double_eq(nnc_op_transient_bytes(&op), 28); /* dA and dC */
    /* An op of a library without recorded working bytes has the transient bytes of the same op without a library. */
    nnc_op library = op;
    library.by_library = true;
    ck_assert_double_eq(nnc_op_transient_bytes(&library), 28);

    op.weights.vector = 3; /* the bias is read, and is added to 6 outputs */
    ck_work(nnc_op_work(&op), 48, 6, 16 + 24 + 6, 12);
    op.u.matmul.keeps_b = true;
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 16 + 24);

    op = linear(2, 1, 4); /* each row has one output, to which the bias is added */
    op.weights.vector = 1;
    ck_work(nnc_op_work(&op), 16, 2, 16 + 8 + 2, 4);
}
END_TEST

/* dA (2x4) is dC (2x3) times B^T. dB (4x3) is A^T (4x2) times dC, in fp32. The gradient of the bias takes 6 sums. */
START_TEST(matmul_backward) {
    nnc_op op = linear(2, 3, 4), backward[NNC_BACKWARD_MAX];
    op.weights.vector = 3;
    op.grad_bytes = 4;
    ck_assert_int_eq(nnc_op_backward(&op, backward), 2);
    ck_assert_int_eq((int)backward[0].phase, NNC_PHASE_GRAD_INPUT);
    ck_work(nnc_op_work(&backward[0]), 48, 0, 12 + 24, 16);
    ck_assert_int_eq((int)backward[1].phase, NNC_PHASE_GRAD_WEIGHT);
    ck_work(nnc_op_work(&backward[1]), 48, 6, 16 + 12, 48);

    op.grad_accumulate = 1; /* backward adds the gradient to 12 fp32 numbers, which it reads and writes */
    ck_assert_int_eq(nnc_op_backward(&op, backward), 2);
    ck_work(nnc_op_work(&backward[1]), 48, 6, 16 + 12 + 48, 48);

    op.u.matmul.needs_grad_input = false; /* the first layer needs no gradient of its input */
    ck_assert_int_eq(nnc_op_backward(&op, backward), 1);
    ck_assert_int_eq((int)backward[0].phase, NNC_PHASE_GRAD_WEIGHT);
}
END_TEST

/* Q K^T of 4 query heads, which share 2 key heads; 2 queries, 3 keys, width 5. FLOPs: 4*2*3*5*2. Elements: 4*2*5 of Q,
 * 2*3*5 of K, 4*2*3 of the scores. 5 of the 6 pairs are not masked. */
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
    /* dQ = dS K, where heads share K; dK = dS^T Q for every head */
    ck_assert_int_eq(nnc_op_backward(&op, backward), 2);
    ck_assert_int_eq((int)backward[0].phase, NNC_PHASE_BACKWARD);
    ck_work(nnc_op_work(&backward[0]), 240, 0, 48 + 60, 80);
    ck_work(nnc_op_work(&backward[1]), 240, 0, 48 + 80, 4 * 3 * 5 * 2);
    ck_assert_double_eq(nnc_op_work(&backward[1]).causal_flops, 200);
}
END_TEST

/* The operands have one byte per value. The output has 16 bits. */
START_TEST(matmul_fp8) {
    nnc_op op = linear(2, 3, 4);
    op.math_dtype = NNC_FP8;
    ck_work(nnc_op_work(&op), 48, 0, 8 + 12, 12);
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 8);
}
END_TEST

/* ---- attention ---- */

/* Counts pairs of query and key one by one. Query i is at position i + s_k - s_q. A causal query attends to the token
 * at its position and to those before it, but at most to the last `window` tokens. */
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

/* Attention of 2 samples with 4 query heads and 2 key heads of width 8 on 3 tokens. 6 of 9 pairs are causal. Forward
 * has 4 FLOPs * 2 samples * 4 heads * width 8 = 256 FLOPs per pair of tokens. Q has 2*3*4*8 = 192 elements, K and V
 * have 96 each, O has 192. The log-sum-exp has 24 numbers in fp32. Softmax takes 5 FLOPs for each of 2*4*6 pairs. */
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
    op.u.flash.kept_kv_heads = 4; /* the keys are copied to every query head */
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 2 * (192 + 192 + 192) + 96);

    /* Backward has five products, forward has two. Backward reads Q, O, dO, K, V and two numbers per row, and writes
     * dQ, dK and dV. */
    nnc_op backward[NNC_BACKWARD_MAX];
    ck_assert_int_eq(nnc_op_backward(&op, backward), 1);
    ck_work(nnc_op_work(&backward[0]), 640 * 6, 6 * 48, 2 * (3 * 192 + 2 * 96) + 2 * 96, 2 * (192 + 96 + 96));
    ck_assert_double_eq(nnc_op_work(&backward[0]).full_flops, 2 * 256 * 9);
    ck_assert_double_eq(nnc_op_work(&backward[0]).causal_flops, 2 * 256 * 6);

    op.phase = NNC_PHASE_RECOMPUTE; /* the phase recompute runs forward again */
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

/* A convolution from 2 to 3 channels, from 4x4 to 2x2 positions, with a kernel of 3x3: 12 outputs of 18 products. x has
 * 32 elements, w 54, y 12. */
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

/* A transposed convolution: each of the 2x2 input positions gives 2x2 outputs, with 3*2*4 products per input
 * position. */
START_TEST(conv_transposed) {
    nnc_op op = conv(3, 2, 2, 4, 2);
    op.u.conv.transposed = true;
    op.u.conv.stride = 2;
    ck_work(nnc_op_work(&op), 192, 0, 2 * (12 + 24), 2 * 32);
    ck_assert_str_eq(nnc_op_kind_name(&op), "conv_transpose2d");
}
END_TEST

/* With two groups, each output reads half of the input channels. A 1x1 convolution is a matrix product over
 * positions. */
START_TEST(conv_as_products) {
    nnc_op grouped = conv(4, 6, 3, 3, 3), dense = grouped;
    grouped.u.conv.groups = 2;
    ck_assert_double_eq(2 * nnc_op_work(&grouped).flops, nnc_op_work(&dense).flops);
    const nnc_op point = conv(4, 6, 3, 3, 1), product = linear(9, 6, 4);
    const nnc_work a = nnc_op_work(&point), b = nnc_op_work(&product);
    ck_work(a, b.flops, 0, b.read_bytes, b.write_bytes);
}
END_TEST

/* Each of two tensor ranks has half of the groups, and so half of the products, weights and outputs. A single rank has
 * all groups. */
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

/* Two tensor ranks divide the heads of a scan and its values per head. The ranks also divide the groups of the scan if
 * there are two groups or more. */
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

/* Scores of 8 heads, 6 queries and 10 keys of width 4. 2 ranks divide the heads and 3 ranks the queries, so a rank has
 * 4 heads x 2 queries x 10 keys x width 4 products. A rank has a third of the pairs of a head. */
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

/* With one expert rank, imbalance adds no rows and no padding. With two ranks and an imbalance of 1.5, the busiest rank
 * has 1.5 times the mean number of rows, so a third of its rows are in excess of the mean. */
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
        /* The cast reads 24 received values (8 rows of 3) in forward and 32 gradients (8 rows of 4) in backward, and
         * keeps 16 additional bytes. In Megatron-LM, sort_chunks_by_idxs of MoEAlltoAllTokenDispatcher processes the
         * rows that a rank received. */
        nnc_op cast = op_of(NNC_OP_POINTWISE);
        cast.split = NNC_SPLIT_EXPERT_ROW;
        cast.u.pointwise = (nnc_pointwise){
            .kind = NNC_PW_CAST, .elements = 24, .backward_elements = 32, .extra_kept_bytes = 16.0, .fused = true
        };
        nnc_op_rows[NNC_OP_POINTWISE]->shard(&cast, &degrees);
        ck_assert_int_eq(cast.u.pointwise.elements, expert > 1 ? 36 : 24);
        ck_assert_int_eq(cast.u.pointwise.backward_elements, expert > 1 ? 48 : 32);
        ck_assert_double_eq(cast.u.pointwise.extra_kept_bytes, expert > 1 ? 24.0 : 16.0);
    }
}
END_TEST

/* Attention whose keys and values have another number of tokens and another width than the queries: 2 samples, 4 query
 * heads on 2 key heads, 3 queries, 5 keys of width 8, values of width 6. Q has 2*4*3*8 = 192 elements, K 2*2*5*8 = 160,
 * V 2*2*5*6 = 120, O 2*4*3*6 = 144, and 24 rows have 4 B each. Forward takes 2 FLOPs * 2 samples * 4 heads * (8+6) =
 * 224 FLOPs for a pair of tokens. For a pair, backward takes 2*224 FLOPs for the gradients, and 2*2*4*8 = 128 FLOPs to
 * compute the score again. Of 15 pairs, 7 are not masked, and 12 are in a window of 4 keys. Per pair and head, a soft
 * cap adds 3 operations to the 5 of forward, and 3 + 4 operations to the 6 of backward. */
START_TEST(flash_of_two_widths) {
    nnc_op op = op_of(NNC_OP_FLASH);
    op.u.flash = (nnc_flash){ .batch = 2,
                              .heads = 4,
                              .kv_heads = 2,
                              .s_q = 3,
                              .s_k = 5,
                              .head_dim = 8,
                              .value_dim = 6,
                              .pairs = 7,
                              .full_pairs = 15,
                              .window_pairs = 12,
                              .keeps_qkv = true,
                              .kept_s_k = 10,
                              .kept_kv_heads = 1 };
    ck_work(nnc_op_work(&op), 224 * 7, 5 * 2 * 4 * 7, 2 * (192 + 160 + 120), 2 * 144 + 96);
    ck_assert_double_eq(nnc_op_work(&op).full_flops, 224 * 15);
    ck_assert_double_eq(nnc_op_work(&op).window_flops, 224 * 12);
    ck_assert_double_eq(nnc_op_work(&op).causal_flops, 224 * 7);
    ck_assert_double_eq(nnc_op_transient_bytes(&op), 2 * (192 + 160 + 120 + 144));
    /* the op keeps keys and values of all 10 positions of one head, 2*10*14 elements */
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 2 * (192 + 280) + 96);
    op.u.flash.softcap = true;
    ck_assert_double_eq(nnc_op_work(&op).vector_flops, 8 * 2 * 4 * 7);
    op.phase = NNC_PHASE_BACKWARD;
    ck_work(nnc_op_work(&op), (2 * 224 + 128) * 7, 13 * 2 * 4 * 7, 2 * (192 + 160 + 120 + 2 * 144) + 2 * 96,
            2 * (192 + 160 + 120));
    ck_assert_double_eq(nnc_op_work(&op).full_flops, 2 * 224 * 15);
    ck_assert_double_eq(nnc_op_work(&op).window_flops, 2 * 224 * 12);
    ck_assert_double_eq(nnc_op_work(&op).causal_flops, 2 * 224 * 7);
    op.phase = NNC_PHASE_FORWARD;
    op.dropped =
        true; /* backward computes queries, keys and values again; forward keeps the statistics of the softmax */
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 96);
    ck_assert_double_eq(nnc_op_dropped_bytes(&op), 2 * (192 + 280));
    op.u.flash.keeps_qkv = false;
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 0);
}
END_TEST

/* Attention of 12 query heads, 4 key heads and 12 queries. 2 ranks divide the heads and 3 ranks the positions: a rank
 * has 6 query heads, 2 key heads, 4 queries and a third of the pairs. Two tensor ranks divide the 12 sinks. If there
 * are more ranks than key heads, each rank has one key head. Ranks that divide only tokens have all heads. */
START_TEST(flash_of_a_rank) {
    nnc_degrees degrees = { .tensor = 2, .context = 3, .expert = 1, .heads = 2, .positions = 3 };
    nnc_op whole = op_of(NNC_OP_FLASH);
    whole.split = NNC_SPLIT_HEADS;
    whole.weights.vector = 12;
    whole.u.flash = (nnc_flash){ .batch = 1,
                                 .heads = 12,
                                 .kv_heads = 4,
                                 .s_q = 12,
                                 .s_k = 24,
                                 .head_dim = 8,
                                 .value_dim = 8,
                                 .pairs = 90,
                                 .full_pairs = 288,
                                 .window_pairs = 96,
                                 .kept_s_k = 24,
                                 .kept_kv_heads = 4 };
    nnc_op op = whole;
    nnc_op_rows[NNC_OP_FLASH]->shard(&op, &degrees);
    ck_assert_int_eq(op.u.flash.heads, 6);
    ck_assert_int_eq(op.u.flash.kv_heads, 2);
    ck_assert_int_eq(op.u.flash.kept_kv_heads, 2);
    ck_assert_int_eq(op.u.flash.s_q, 4);
    ck_assert_int_eq(op.u.flash.s_k, 24);
    ck_assert_int_eq(op.u.flash.kept_s_k, 8);
    ck_assert_double_eq(op.u.flash.pairs, 30);
    ck_assert_double_eq(op.u.flash.full_pairs, 96);
    ck_assert_double_eq(op.u.flash.window_pairs, 32);
    ck_assert_int_eq(op.weights.vector, 6);
    op = whole;
    degrees.heads = 6;
    op.u.flash.kept_kv_heads = 0; /* another op keeps the keys */
    nnc_op_rows[NNC_OP_FLASH]->shard(&op, &degrees);
    ck_assert_int_eq(op.u.flash.kv_heads, 1);
    ck_assert_int_eq(op.u.flash.kept_kv_heads, 0);
    op = whole;
    nnc_op_rows[NNC_OP_FLASH]->shard(&op, &degrees);
    ck_assert_int_eq(op.u.flash.kept_kv_heads, 1);
    op = whole;
    op.split = NNC_SPLIT_TOKENS;
    nnc_op_rows[NNC_OP_FLASH]->shard(&op, &degrees);
    ck_assert_mem_eq(&op.u.flash, &whole.u.flash, sizeof op.u.flash);
}
END_TEST

/* A product of 60 rows, 48 columns and 24 inner values. In the first five cases, 2 tensor ranks and 3 context ranks
 * divide the product; with sequence parallelism, 6 ranks divide the rows. In the cases of experts, 3 expert ranks have
 * 2 tensor ranks each, and 5 ranks divide the rows. The ranks that divide the columns also divide the bias. Sequence
 * parallelism also divides the kept operand of a product that is divided by columns. */
START_TEST(matmul_of_a_rank) {
    static const struct {
        nnc_split split;
        int64_t m, n, k, rows, cols, vector, kept_divisor;
    } cases[] = {
        { NNC_SPLIT_TOKENS, 20, 48, 24, 24, 48, 48, 1 },    { NNC_SPLIT_SEQUENCE, 10, 48, 24, 24, 48, 48, 1 },
        { NNC_SPLIT_COLUMN, 20, 24, 24, 24, 24, 24, 2 },    { NNC_SPLIT_ROW, 20, 48, 12, 12, 48, 48, 1 },
        { NNC_SPLIT_QKV, 20, 24, 24, 24, 24, 24, 2 },       { NNC_SPLIT_EXPERT_COLUMN, 12, 24, 24, 24, 24, 8, 1 },
        { NNC_SPLIT_EXPERT_ROW, 12, 48, 12, 12, 48, 16, 1 }
    };
    const nnc_degrees degrees = { .tensor = 2,
                                  .context = 3,
                                  .expert = 3,
                                  .expert_tensor = 2,
                                  .expert_rows = 5,
                                  .sequence = 6,
                                  .heads = 2,
                                  .positions = 3,
                                  .imbalance = 1.0 };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const bool routed = cases[i].split == NNC_SPLIT_EXPERT_COLUMN || cases[i].split == NNC_SPLIT_EXPERT_ROW;
        nnc_op op = linear(60, 48, 24);
        op.split = cases[i].split;
        op.weights.vector = 48;
        op.weights.count = routed ? 6 : 1;
        op.weights.active = routed ? 3 : 0;
        op.u.matmul.experts = routed ? 6 : 0;
        op.u.matmul.heads = 4; /* 48 columns are heads of 6 values: 4 of queries, 2 of keys and 2 of values */
        op.u.matmul.kv_heads = 2;
        nnc_op_rows[NNC_OP_MATMUL]->shard(&op, &degrees);
        ck_assert_int_eq(op.u.matmul.m, cases[i].m);
        ck_assert_int_eq(op.u.matmul.n, cases[i].n);
        ck_assert_int_eq(op.u.matmul.k, cases[i].k);
        ck_assert_int_eq(op.weights.rows, cases[i].rows);
        ck_assert_int_eq(op.weights.cols, cases[i].cols);
        ck_assert_int_eq(op.weights.vector, cases[i].vector);
        ck_assert_int_eq(op.u.matmul.kept_divisor, cases[i].kept_divisor);
        ck_assert_int_eq(op.weights.count, routed ? 2 : 1);
        ck_assert_int_eq(op.weights.active, routed);
    }
    /* 4 query heads and 1 head of keys and values on 2 ranks: a rank has 2 + 2 * 1 of 6 heads, with 8 columns and 8
     * bias values each */
    nnc_op op = linear(60, 48, 24);
    op.split = NNC_SPLIT_QKV;
    op.weights.vector = 48;
    op.u.matmul.heads = 4;
    op.u.matmul.kv_heads = 1;
    nnc_op_rows[NNC_OP_MATMUL]->shard(&op, &degrees);
    ck_assert_int_eq(op.u.matmul.n, 32);
    ck_assert_int_eq(op.weights.vector, 32);
}
END_TEST

/* A lookup of 12 tokens in a table of 10 rows. 3 context ranks have 4 tokens each. 2 tensor ranks that divide the
 * vocabulary have 5 rows each. 4 expert ranks that divide a table updated in place have 3 rows each. A loss over a
 * divided vocabulary has half of the classes. Sequence parallelism divides the rows of a norm by 6. A norm across all
 * heads has a third of the rows and half of each row. */
START_TEST(lookups_losses_and_norms_of_a_rank) {
    const nnc_degrees degrees = { .tensor = 2, .context = 3, .expert = 4, .sequence = 6 };
    for (int divided = 0; divided < 2; divided++) {
        nnc_op op = op_of(NNC_OP_EMBEDDING);
        op.split = divided ? NNC_SPLIT_VOCAB : NNC_SPLIT_TOKENS;
        op.weights = (nnc_weights){ .count = 1, .rows = 10, .cols = 4 };
        op.u.embedding = (nnc_embedding){ .tokens = 12, .width = 4 };
        nnc_op_rows[NNC_OP_EMBEDDING]->shard(&op, &degrees);
        ck_assert_int_eq(op.u.embedding.tokens, 4);
        ck_assert_int_eq(op.weights.rows, divided ? 5 : 10);
        op = op_of(NNC_OP_LOSS);
        op.split = divided ? NNC_SPLIT_VOCAB : NNC_SPLIT_TOKENS;
        op.u.loss = (nnc_loss){ .tokens = 12, .classes = 10 };
        nnc_op_rows[NNC_OP_LOSS]->shard(&op, &degrees);
        ck_assert_int_eq(op.u.loss.tokens, 4);
        ck_assert_int_eq(op.u.loss.classes, divided ? 5 : 10);
        ck_assert_int_eq(op.u.loss.divided, divided);
        op = op_of(NNC_OP_NORM);
        op.split = divided ? NNC_SPLIT_INNER : NNC_SPLIT_SEQUENCE;
        op.weights.vector = 8;
        op.u.norm = (nnc_norm){ .elements = 144, .rows = 36, .across_heads = divided };
        nnc_op_rows[NNC_OP_NORM]->shard(&op, &degrees);
        ck_assert_int_eq(op.u.norm.elements, 24); /* 6 ranks in both cases */
        ck_assert_int_eq(op.u.norm.rows, divided ? 12 : 6);
        ck_assert_int_eq(op.weights.vector, divided ? 4 : 8);
    }
    nnc_op table = op_of(NNC_OP_EMBEDDING);
    table.in_place = true;
    table.weights = (nnc_weights){ .count = 1, .rows = 10, .cols = 4 };
    table.u.embedding = (nnc_embedding){ .tokens = 12, .width = 4, .summed = 1 };
    nnc_op_rows[NNC_OP_EMBEDDING]->shard(&table, &degrees);
    ck_assert_int_eq(table.weights.rows, 3); /* 10 / 4, rounded up */
    const nnc_degrees one = { .tensor = 1, .context = 1, .expert = 1 };
    nnc_op loss = op_of(NNC_OP_LOSS);
    loss.split = NNC_SPLIT_VOCAB;
    loss.u.loss = (nnc_loss){ .tokens = 12, .classes = 10 };
    nnc_op_rows[NNC_OP_LOSS]->shard(&loss, &one);
    ck_assert(!loss.u.loss.divided);
}
END_TEST

/* Operands with one scale per block: an 8-bit value takes 1/32 B more, an fp4 value 1/16 B more. A 2x4 and a 4x3 matrix
 * have 20 values. */
START_TEST(matmul_in_blocks) {
    nnc_op op = linear(2, 3, 4);
    op.u.matmul.in_blocks = true;
    op.math_dtype = NNC_FP8;
    ck_work(nnc_op_work(&op), 48, 0, 20 * (1 + 1.0 / 32), 12);
    op.math_dtype = NNC_FP4;
    ck_work(nnc_op_work(&op), 48, 0, 20 * (0.5 + 1.0 / 16), 12);
    op.u.matmul.useful = 0.25; /* only a quarter of the rows counts as model FLOPs */
    ck_assert_double_eq(nnc_op_work(&op).full_flops, 12);
    op.u.matmul.useful = -1; /* no model FLOPs */
    ck_assert_double_eq(nnc_op_work(&op).full_flops, 0);
}
END_TEST

/* A convolution from 2 to 3 channels, from 4x4 to 2x2 positions, with a kernel of 3 x 1: 12 outputs of 2*3 products, 18
 * weights. If the bias is separate, as with cuDNN, one more kernel reads and writes the 12 outputs, and backward reads
 * their gradients once more. In half of the micro-batches, backward adds the gradient of the weights to an earlier
 * sum. */
START_TEST(conv_with_a_bias_apart) {
    nnc_op op = conv(2, 3, 4, 2, 3), backward[NNC_BACKWARD_MAX];
    op.u.conv.kernel_w = 1;
    op.grad_bytes = 4;
    op.grad_accumulate = 0.5;
    op.weights.vector = 3;
    ck_work(nnc_op_work(&op), 144, 12, 2 * (32 + 18 + 3), 2 * 12);
    op.u.conv.separate_bias = true;
    ck_work(nnc_op_work(&op), 144, 12, 2 * (32 + 18 + 3) + 2 * 12, 2 * 2 * 12);
    ck_assert_int_eq(nnc_op_backward(&op, backward), 2);
    ck_work(nnc_op_work(&backward[0]), 144, 0, 2 * (12 + 18), 2 * 32);
    ck_work(nnc_op_work(&backward[1]), 144, 12, 2 * (32 + 12) + 0.5 * 4 * 18 + 2 * 12, 4 * 18);
    ck_assert_double_eq(nnc_op_work(&op).full_flops, 144);
    op.u.conv.keeps_input = false;
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 0);
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
            nnc_op op = linear(2, 3, 4); /* every member that is used as a divisor is 1 */
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

/* Returns the bytes that a pointwise op moves forward and backward; 0 = the row of the op is empty. */
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

/* An operator of a captured program moves its recorded bytes, and its FLOPs are 0. */
START_TEST(recorded_kernels) {
    nnc_op op = { .kind = NNC_OP_KERNEL };
    op.u.kernel = (nnc_kernel){ .read_bytes = 3, .write_bytes = 5 };
    const nnc_work work = nnc_op_work(&op);
    ck_assert_double_eq(work.flops + work.vector_flops, 0);
    ck_assert_double_eq(work.read_bytes, 3);
    ck_assert_double_eq(work.write_bytes, 5);
}
END_TEST

/* AdamW updates 10 elements once, SGD updates 30 elements three times. In one kernel, an update moves 28 B per element
 * (AdamW) or 12 B (SGD). A step that updates each element once moves 280 + 360 B. In this step SGD updates its elements
 * three times, so the step moves 280 + 3 * 360 B. AdamW keeps 20 states for its 10 elements, not 2 * 40 states for all
 * 40 elements. As single kernels, AdamW passes over memory 20 times and SGD 3 times. As single kernels, momentum passes
 * over memory 6 times, or 8 times in a step whose main optimizer is AdamW. */
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
    /* A program that trains a single number has all states of this number. */
    groups[0].elements = 1;
    ck_assert_double_eq(nnc_optimizer_launches(groups, 1, NNC_OPTIMIZER_ADAMW).state_share, 1.0);
}
END_TEST

/* Every enumerator has a unique name. */
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
    nnc_op_shape(&op, text, 5); /* the text is cut and still ends with a NUL */
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
                                   flash_of_two_widths,
                                   flash_of_a_rank,
                                   matmul_of_a_rank,
                                   lookups_losses_and_norms_of_a_rank,
                                   matmul_in_blocks,
                                   conv_with_a_bias_apart,
                                   every_kind_has_a_row,
                                   every_variety_has_a_row,
                                   activations_have_facts,
                                   names,
                                   updates_of_two_optimizers,
                                   recorded_kernels,
                                   shapes };
    return run_tests("op", tests, COUNT_OF(tests));
}
