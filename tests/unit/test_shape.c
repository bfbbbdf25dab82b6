/* Tests parameters, FLOPs and kept bytes of decoders that are small enough to count by hand. */
#include "op/op_internal.h"
#include "shape/shape_internal.h"
#include "support.h"

static nnc_plan bf16(void) {
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_BF16;
    return plan;
}

static double kept_of(const nnc_model *model, const nnc_plan *plan) {
    return (double)estimate(model, plan).memory.activation_bytes;
}

/* A GPT of width 4 with 2 heads, 2 layers, 10 words and 3 tokens. Parameters: 40 of the word table, 12 of positions, 12
 * h^2 + 13 h = 192 + 52 per layer, and 8 of the last norm. FLOPs of a layer: qkv 2*3*12*4 = 288, scores 2*2*9*2 = 72,
 * the product with the values also 72, output 2*3*4*4 = 96, two products of the MLP with 2*3*16*4 = 384 each. The
 * logits have 2*3*10*4 = 240. A causal mask leaves 6 of 9 pairs. */
START_TEST(tiny_gpt) {
    const nnc_model model = gpt(2, 4, 2, 10, 3);
    nnc_plan plan = bf16();
    nnc_result r = estimate(&model, &plan);
    ck_assert_int_eq(r.params, 40 + 12 + 2 * (192 + 52) + 8);
    ck_assert_int_eq(r.params_by_group[NNC_GROUP_EMBEDDING], 52);
    ck_assert_int_eq(r.params_by_group[NNC_GROUP_ATTENTION], 2 * (4 * 16 + 16));
    ck_assert_int_eq(r.params_by_group[NNC_GROUP_MLP], 2 * (8 * 16 + 20));
    ck_assert_int_eq(r.params_by_group[NNC_GROUP_NORM], 5 * 8);
    ck_assert_int_eq(r.params_by_group[NNC_GROUP_HEAD], 0);
    ck_assert_int_eq(r.matmul_params, r.params - 12);
    ck_assert_double_eq(r.forward_flops, 2 * (288 + 72 + 72 + 96 + 384 + 384) + 240);
    ck_assert_double_eq(r.backward_flops, 2 * r.forward_flops);
    ck_assert_double_eq(r.model_flops, 3 * r.forward_flops);
    ck_assert_double_eq(r.six_nd_flops, 6.0 * (double)(r.params - 12) * 3);
    ck_assert_int_eq(r.tokens, 3);
    ck_assert_double_eq(r.input_bytes, 3 * 4);
    plan.flops_convention = NNC_CONVENTION_CAUSAL;
    r = estimate(&model, &plan);
    ck_assert_double_eq(r.model_flops, 3 * (2 * (288 + 48 + 48 + 96 + 384 + 384) + 240));
    plan.flops_convention = NNC_CONVENTION_6ND;
    r = estimate(&model, &plan);
    ck_assert_double_eq(r.model_flops, r.six_nd_flops);
}
END_TEST

/* Per token, a layer keeps 16 hidden states of 2 B per value, a log-sum-exp of 4 B per head, and statistics of 8 B for
 * each of two norms. Ops outside the layers keep two ids of 8 B, the input and statistics of the last norm, the input
 * of the head, and 10 logits. */
START_TEST(tiny_gpt_keeps) {
    const nnc_model model = gpt(2, 4, 2, 10, 3);
    nnc_plan plan = bf16();
    const double outside = 3 * (8 + 8 + 8 + 8 + 8 + 20);
    ck_assert_double_eq(kept_of(&model, &plan), 2 * 3 * (16 * 4 * 2 + 4 * 2 + 16) + outside);
    /* unfused attention keeps 9 probabilities of 2 B per head and no log-sum-exp */
    plan.attention = NNC_ATTENTION_UNFUSED;
    ck_assert_double_eq(kept_of(&model, &plan), 2 * (3 * (16 * 4 * 2 + 16) + 2 * 9 * 2) + outside);
    plan.micro_batch = 2; /* with two samples, all kept bytes double, except those of the position ids */
    ck_assert_double_eq(kept_of(&model, &plan), 2 * (2 * (3 * (16 * 4 * 2 + 16) + 2 * 9 * 2) + outside) - 24);
}
END_TEST

/* A Llama of width 8 with 4 query heads and 2 key heads of width 2, inner width 12, 10 words and 5 tokens. q and o have
 * 64 parameters each, k and v 32 each, three MLP matrices 96 each, gains 2*8. A layer keeps 8h + 4ad + 4gd + 6f + 4a +
 * 8 bytes per token. */
START_TEST(tiny_llama) {
    const nnc_model model = llama(1, 8, 4, 2, 12, 10, 5);
    const nnc_plan plan = bf16();
    const nnc_result r = estimate(&model, &plan);
    ck_assert_int_eq(r.params, 2 * 80 + (64 + 64 + 2 * 32 + 3 * 96 + 16) + 8);
    ck_assert_int_eq(r.params_by_group[NNC_GROUP_HEAD], 80);
    ck_assert_int_eq(r.matmul_params, r.params - 80);
    /* two FLOPs per matrix element and token; attention has 4 FLOPs for each of 25 pairs, 4 heads and 2 values */
    ck_assert_double_eq(r.forward_flops, 2 * 5 * (192 + 288 + 80) + 4 * 25 * 4 * 2);
    const double layer = 8 * 8 + 4 * 8 + 4 * 4 + 6 * 12 + 4 * 4 + 8;
    const double outside = 8 + 16 + 4 + 16 + 20;
    ck_assert_double_eq((double)r.memory.activation_bytes, 5 * (layer + outside));
}
END_TEST

/* Fewer heads of keys and values mean fewer parameters and bytes of K and V, but the same FLOPs of the scores. */
START_TEST(grouped_heads) {
    const nnc_plan plan = bf16();
    const nnc_model full = llama(3, 16, 4, 4, 20, 10, 7);
    const nnc_result all = estimate(&full, &plan);
    ck_assert_int_eq(all.params_by_group[NNC_GROUP_ATTENTION], 3 * 4 * 16 * 16);
    for (int64_t kv_heads = 1; kv_heads <= 4; kv_heads *= 2) {
        const nnc_model model = llama(3, 16, 4, kv_heads, 20, 10, 7);
        const nnc_result r = estimate(&model, &plan);
        const int64_t fewer = 3 * 2 * 16 * (4 - kv_heads) * 4; /* elements of K and V */
        ck_assert_int_eq(r.params, all.params - fewer);
        ck_assert_double_eq(r.forward_flops, all.forward_flops - 2.0 * 7 * (double)fewer);
        ck_assert_int_eq(r.memory.activation_bytes, all.memory.activation_bytes - 3 * 7 * 2 * 2 * (4 - kv_heads) * 4);
    }
}
END_TEST

/* If the file gives the width of a head, the projections are not square. */
START_TEST(wide_heads) {
    nnc_model model = llama(1, 8, 4, 2, 12, 10, 5);
    model.decoder.head_dim = 6;
    const nnc_plan plan = bf16();
    ck_assert_int_eq(estimate(&model, &plan).params_by_group[NNC_GROUP_ATTENTION], 8 * 24 + 2 * 8 * 12 + 24 * 8);
}
END_TEST

START_TEST(tied_head) {
    nnc_model model = gpt(2, 4, 2, 10, 3);
    const nnc_plan plan = bf16();
    const nnc_result tied = estimate(&model, &plan);
    model.decoder.tied_head = false;
    const nnc_result untied = estimate(&model, &plan);
    ck_assert_int_eq(untied.params, tied.params + 40);
    ck_assert_int_eq(untied.params_by_group[NNC_GROUP_HEAD], 40);
    /* the table at the input is only looked up, so it is not multiplied */
    ck_assert_int_eq(untied.matmul_params, tied.matmul_params);
    ck_assert_double_eq(untied.forward_flops, tied.forward_flops);
    ck_assert_int_eq(untied.memory.activation_bytes, tied.memory.activation_bytes);
}
END_TEST

/* A table of 10 words is padded to 16 rows: six more rows are stored and multiplied, and each token has six more
 * logits. */
START_TEST(padded_vocabulary) {
    nnc_model model = gpt(2, 4, 2, 10, 3);
    const nnc_plan plan = bf16();
    const nnc_result plain = estimate(&model, &plan);
    model.decoder.vocab_multiple = 16;
    const nnc_result padded = estimate(&model, &plan);
    ck_assert_int_eq(padded.params, plain.params + 6 * 4);
    ck_assert_double_eq(padded.forward_flops, plain.forward_flops + 2 * 3 * 6 * 4);
    ck_assert_int_eq(padded.memory.activation_bytes, plain.memory.activation_bytes + 3 * 6 * 2);
    ck_assert_int_eq(nnc_vocab_split(50257, 8), 51200); /* as GPT-3 in Megatron-LM */
    ck_assert_int_eq(nnc_vocab_split(50257, 1), 50257);
    ck_assert_int_eq(nnc_vocab_split(32000, 8), 32000);
    model.decoder.vocab_multiple = 5; /* the 10 words are already a multiple of vocab_multiple 5 */
    ck_assert_int_eq(estimate(&model, &plan).params, plain.params);
}
END_TEST

/* Each of 8 tokens attends to 3 tokens: 1 + 2 + 6*3 = 21 pairs instead of 36. Two layers have 4 FLOPs per pair and
 * value of width 4. */
START_TEST(sliding_window) {
    nnc_model model = gpt(2, 4, 2, 10, 8);
    nnc_plan plan = bf16();
    plan.flops_convention = NNC_CONVENTION_CAUSAL;
    const nnc_result full = estimate(&model, &plan);
    model.decoder.sliding_window = 3;
    const nnc_result windowed = estimate(&model, &plan);
    const double fewer = 2 * 16 * (36 - 21);
    ck_assert_double_eq(windowed.forward_flops, full.forward_flops - fewer);
    ck_assert_double_eq(windowed.model_flops, full.model_flops - 3 * fewer);
    /* fused attention has five products backward and two forward, so 3.5 times the forward FLOPs in all */
    ck_assert_double_eq(windowed.executed_flops, full.executed_flops - 3.5 * fewer);
    model.decoder.sliding_window = 8; /* the window contains all tokens */
    ck_assert_double_eq(estimate(&model, &plan).model_flops, full.model_flops);
}
END_TEST

/* Dropout keeps masks of 1 B per element: one after the embedding and two per layer. Unfused attention also drops
 * probabilities. For the dropped probabilities, unfused attention keeps a mask of 1 B and the remaining probabilities
 * of 2 B, in addition to the output of the softmax. */
START_TEST(dropout_keeps_masks) {
    nnc_model model = gpt(2, 4, 2, 10, 3);
    nnc_plan plan = bf16();
    const double fused = kept_of(&model, &plan);
    plan.attention = NNC_ATTENTION_UNFUSED;
    const double unfused = kept_of(&model, &plan);
    model.decoder.dropout = 0.1;
    ck_assert_double_eq(kept_of(&model, &plan), unfused + 3 * 4 * (1 + 2 * 2) + 2 * (2 * 9 * 3));
    plan.attention = NNC_ATTENTION_FLASH;
    ck_assert_double_eq(kept_of(&model, &plan), fused + 3 * 4 * (1 + 2 * 2));
}
END_TEST

/* With dropout, a layer keeps the published s b h (34 + 5 a s / h) bytes, and 16 B of statistics per token. */
START_TEST(layer_of_korthikanti) {
    nnc_model model = gpt(1, 64, 4, 10, 32);
    nnc_plan plan = bf16();
    model.decoder.dropout = 0.1;
    plan.attention = NNC_ATTENTION_UNFUSED;
    plan.micro_batch = 2;
    const double one = kept_of(&model, &plan);
    model.decoder.layers = 2;
    const double s = 32, b = 2, h = 64, a = 4;
    ck_assert_double_eq(kept_of(&model, &plan) - one, s * b * h * (34 + 5 * a * s / h) + 16 * s * b);
}
END_TEST

START_TEST(biases) {
    nnc_model model = llama(3, 8, 4, 2, 12, 10, 5);
    const nnc_plan plan = bf16();
    const int64_t none = estimate(&model, &plan).params;
    model.decoder.qkv_bias = true; /* q, k and v have biases */
    ck_assert_int_eq(estimate(&model, &plan).params, none + 3 * (8 + 2 * 4));
    model.decoder.biases = true; /* with this option, output, gate, up and down projections have biases, too */
    ck_assert_int_eq(estimate(&model, &plan).params, none + 3 * (8 + 2 * 4 + 8 + 2 * 12 + 8));
    model.decoder.norm = NNC_NORM_LAYER; /* also biases of seven norms */
    ck_assert_int_eq(estimate(&model, &plan).params, none + 3 * (8 + 2 * 4 + 8 + 2 * 12 + 8) + 7 * 8);
}
END_TEST

/* A table of positions may have more rows than the training sequence has tokens. */
START_TEST(position_table) {
    nnc_model model = gpt(1, 4, 2, 10, 3);
    const nnc_plan plan = bf16();
    const nnc_result r = estimate(&model, &plan);
    model.decoder.positions_max = 8;
    const nnc_result longer = estimate(&model, &plan);
    ck_assert_int_eq(longer.params, r.params + 5 * 4);
    ck_assert_int_eq(longer.matmul_params, r.matmul_params);
    model.decoder.positions = NNC_POSITIONS_NONE;
    ck_assert_int_eq(estimate(&model, &plan).params, r.params - 3 * 4);
}
END_TEST

/* A row that stands for n equal layers has n times the work of one layer. */
START_TEST(repeats_are_copies) {
    nnc_plan plan = bf16();
    for (int attention = 0; attention < NNC_ATTENTION_COUNT; attention++) {
        nnc_result r[3];
        plan.attention = (nnc_attention)attention;
        for (int i = 0; i < 3; i++) {
            const nnc_model model = gpt(1 + 7 * i, 8, 2, 10, 6);
            r[i] = estimate(&model, &plan);
        }
        ck_assert_int_eq(r[0].op_count, r[2].op_count);
        ck_assert_int_eq(r[2].params - r[1].params, r[1].params - r[0].params);
        ck_assert_double_eq(r[2].forward_flops - r[1].forward_flops, r[1].forward_flops - r[0].forward_flops);
        ck_assert_double_eq(r[2].backward_flops - r[1].backward_flops, r[1].backward_flops - r[0].backward_flops);
        ck_assert_double_eq(r[2].vector_flops - r[1].vector_flops, r[1].vector_flops - r[0].vector_flops);
        ck_assert_int_eq(r[2].memory.activation_bytes - r[1].memory.activation_bytes,
                         r[1].memory.activation_bytes - r[0].memory.activation_bytes);
    }
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        tiny_gpt,           tiny_gpt_keeps, tiny_llama, grouped_heads,       wide_heads,           tied_head,
        padded_vocabulary,  sliding_window, biases,     dropout_keeps_masks, layer_of_korthikanti, position_table,
        repeats_are_copies,
    };
    return run_tests("shape", tests, COUNT_OF(tests));
}
