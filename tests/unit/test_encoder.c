/* Tests encoders and encoder-decoders that are small enough to count by hand. */
#include "cluster.h"

static nnc_plan bf16(void) { return plan_of(1, 1, 1); }

static nnc_model encoder(void) {
    nnc_model model = gpt(1, 4, 2, 10, 6);
    model.decoder.bidirectional = true;
    return model;
}

/* The model has width 4, 2 heads and 6 tokens. A query-key pair costs 4 * 4 = 16 FLOPs. A causal mask leaves 21 of 36
 * pairs. An encoder counts all 36 pairs. With a window of 2, an encoder counts a token and its neighbours: 3 * 6 - 2 =
 * 16 pairs. With a window of 4, an encoder counts two tokens on each side: 3 + 4 + 5 + 5 + 4 + 3 = 24 pairs. */
START_TEST(tokens_see_both_sides) {
    nnc_model model = encoder();
    nnc_plan plan = bf16();
    plan.flops_convention = NNC_CONVENTION_CAUSAL;
    const double all = estimate_on_cluster(&model, &plan).model_flops;
    model.decoder.sliding_window = 2;
    ck_assert_double_eq(estimate_on_cluster(&model, &plan).model_flops, all - 3 * 16 * (36 - 16));
    model.decoder.sliding_window = 4;
    ck_assert_double_eq(estimate_on_cluster(&model, &plan).model_flops, all - 3 * 16 * (36 - 24));
    model.decoder.sliding_window = 12; /* with a window of six tokens on each side, a token attends to all tokens */
    ck_assert_double_eq(estimate_on_cluster(&model, &plan).model_flops, all);
    model.decoder.sliding_window = 0;
    model.decoder.bidirectional = false;
    ck_assert_double_eq(estimate_on_cluster(&model, &plan).model_flops, all - 3 * 16 * (36 - 21));
}
END_TEST

/* The model has width 4, 10 words and 6 tokens. The head "logits" has 4 * 10 products with the tied word table, and no
 * parameters of its own. The head "masked" has a dense layer of 16 + 4 parameters, a norm of 8 and the logits. The head
 * "replaced" has the dense layer of "masked" and 4 + 1 parameters. The head "pooler" has the dense layer for one token.
 * The head "projection" has 12 parameters for 3 values. The head "masked_next" has the parameters of "masked", those of
 * a pooler, and 2 * 4 + 2 parameters of a score for two classes. The head "classes" has a dense layer and 3 * 4 + 3
 * parameters for 3 classes. The head "tags" has 3 * 4 + 3 parameters for all tokens, without a dense layer. */
START_TEST(heads) {
    static const struct {
        const char *name;
        int params, products; /* products: weights x their tokens */
    } wanted[] = { { "logits", 0, 6 * 40 },
                   { "masked", 20 + 8, 6 * (16 + 40) },
                   { "replaced", 20 + 5, 6 * (16 + 4) },
                   { "pooler", 20, 16 },
                   { "projection", 12, 12 },
                   { "masked_next", 20 + 8 + 20 + 10, 6 * (16 + 40) + 16 + 8 },
                   { "classes", 20 + 15, 16 + 12 },
                   { "tags", 15, 6 * 12 },
                   { "none", 0, 0 } };
    const nnc_plan plan = bf16();
    nnc_model model = encoder();
    model.decoder.head_width = 3;
    model.decoder.head = NNC_HEAD_NONE;
    const nnc_result bare = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(COUNT_OF(wanted), NNC_MODEL_HEAD_COUNT);
    for (int i = 0; i < NNC_MODEL_HEAD_COUNT; i++) {
        ck_assert_int_eq(nnc_model_set(&model, "head", wanted[i].name, NULL), NNC_OK);
        const nnc_result r = estimate_on_cluster(&model, &plan);
        ck_assert_int_eq(r.params, bare.params + wanted[i].params);
        ck_assert_double_eq(r.forward_flops, bare.forward_flops + 2 * wanted[i].products);
    }
}
END_TEST

/* The tables have 10 words and 6 positions of width 4, or of width 2. With width 2, an encoder projects the word table
 * and the position table to width 4 with a bias: 2 * 4 + 4. A decoder projects only the words (as OPT 350M does),
 * without a bias, and projects back before its logits: 2 * 8. Two token types add 2 rows. */
START_TEST(tables) {
    const nnc_plan plan = bf16();
    nnc_model model = encoder();
    const int64_t plain = estimate_on_cluster(&model, &plan).params;
    model.decoder.token_types = 2;
    ck_assert_int_eq(estimate_on_cluster(&model, &plan).params, plain + 8);
    model.decoder.embed_width = 2;
    model.decoder.head = NNC_HEAD_NONE;
    ck_assert_int_eq(estimate_on_cluster(&model, &plan).params, plain - 2 * 16 + 4 + 12);
    model.decoder.token_types = 0;
    model.decoder.bidirectional = false;
    model.decoder.head = NNC_HEAD_LOGITS;
    ck_assert_int_eq(estimate_on_cluster(&model, &plan).params, plain - 2 * 10 + 8 + 8);
    /* a decoder without a head still projects the words up and projects its output back */
    model.decoder.head = NNC_HEAD_NONE;
    ck_assert_int_eq(estimate_on_cluster(&model, &plan).params, plain - 2 * 10 + 8 + 8);
}
END_TEST

/* A table for 5 buckets of distances and 2 heads has 10 scores. One table of scores serves all layers, or each of the 3
 * layers has its own table. Each of 6 * 6 pairs looks up 2 values. */
START_TEST(relative_positions) {
    const nnc_plan plan = bf16();
    nnc_model model = gpt(3, 4, 2, 10, 6);
    model.decoder.positions = NNC_POSITIONS_NONE;
    const nnc_result none = estimate_on_cluster(&model, &plan);
    model.decoder.positions = NNC_POSITIONS_RELATIVE;
    model.decoder.relative_buckets = 5;
    const nnc_result once = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(once.params, none.params + 10);
    ck_assert_int_eq(once.matmul_params, none.matmul_params);
    ck_assert_double_eq(once.forward_flops, none.forward_flops);
    const nnc_op_cost *row = find_row("attn.relative", NNC_PHASE_FORWARD);
    ck_assert_ptr_nonnull(row);
    ck_assert_double_eq(row->work.write_bytes, 36 * 2 * 2);
    model.decoder.positions = NNC_POSITIONS_RELATIVE_EACH;
    const nnc_result each = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(each.params, none.params + 30);
    ck_assert_int_eq(each.matmul_params, none.matmul_params);
}
END_TEST

/* Two encoder layers over 5 tokens precede one decoder layer over 3 tokens. Encoder and decoder have width h = 4, inner
 * width 16 and biases. A layer has 12 h^2 + 13 h = 244 parameters. The decoder layer also has a cross-attention of 4
 * h^2 + 4 h and a norm, together 88. The encoder also has a last norm of 8 parameters, and its own table of 5
 * positions, which has 5 * 4 parameters. */
static nnc_model pair(void) {
    nnc_model model = gpt(1, 4, 2, 10, 3);
    model.decoder.positions_max = 5;
    model.decoder.encoder_layers = 2;
    model.decoder.encoder_seq_len = 5;
    return model;
}

START_TEST(encoder_before_decoder) {
    const nnc_model model = pair();
    const nnc_plan plan = bf16();
    const nnc_result r = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(r.params, 40 + 2 * 20 + 2 * 244 + 8 + 244 + 88 + 8);
    /* An encoder layer has 2 FLOPs * 5 tokens * 192 weights + 16 FLOPs * 25 pairs of tokens. The decoder layer has 2
     * FLOPs * 3 tokens * 192 weights + 16 FLOPs * 9 pairs of tokens. The cross-attention has the products q and out
     * over 3 tokens, the products k and v over 5 tokens, and 3 * 5 pairs of tokens. The logits follow. */
    const double encoder = 2 * (2 * 5 * 192 + 16 * 25), decoder = 2 * 3 * 192 + 16 * 9;
    const double cross = 2 * 3 * 32 + 2 * 5 * 32 + 16 * 15;
    ck_assert_double_eq(r.forward_flops, encoder + decoder + cross + 2 * 3 * 40);
    ck_assert_int_eq(r.tokens, 3);
    ck_assert_double_eq(r.input_bytes, 4 * (3 + 5));
    /* Window and rotary positions count only for attention among the decoder's own tokens. Attention to the encoder has
     * neither a window nor a rotation. */
    nnc_model narrow = pair();
    narrow.decoder.positions = NNC_POSITIONS_ROTARY;
    narrow.decoder.sliding_window = 1;
    estimate_on_cluster(&narrow, &plan);
    ck_assert_ptr_null(find_row("cross.rotary", NNC_PHASE_FORWARD));
    ck_assert_double_eq(find_row("cross.core", NNC_PHASE_FORWARD)->work.flops, 16 * 15);
}
END_TEST

/* Several layers read the states of the encoder, but the states are kept once: 5 tokens of width 4 in 2 B. */
START_TEST(encoder_states_are_kept_once) {
    nnc_model model = pair();
    const nnc_plan plan = bf16();
    double kept[3];
    for (int layers = 1; layers <= 2; layers++) {
        model.decoder.layers = layers;
        estimate_on_cluster(&model, &plan);
        const nnc_op_cost *kv = find_row("cross.kv", NNC_PHASE_FORWARD);
        ck_assert_ptr_nonnull(kv);
        kept[layers] = nnc_op_kept_bytes(kv->op) * kv->repeat;
    }
    ck_assert_double_eq(kept[1], 5 * 4 * 2);
    ck_assert_double_eq(kept[2], 5 * 4 * 2);
}
END_TEST

/* 10 frames of 3 bands become 5 tokens of width 4. The two convolutions have 3 x 3 x 4 weights and 4 biases over 10
 * positions, and 3 x 4 x 4 weights and 4 biases over 5 positions. A table of 5 positions replaces the table of the
 * tokens. */
START_TEST(frames) {
    nnc_model model = pair();
    const nnc_plan plan = bf16();
    const nnc_result tokens = estimate_on_cluster(&model, &plan);
    model.decoder.frame_bands = 3;
    const nnc_result r = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(r.params, tokens.params + 40 + 52);
    ck_assert_double_eq(r.forward_flops, tokens.forward_flops + 2 * 10 * 36 + 2 * 5 * 48);
    ck_assert_double_eq(r.input_bytes, 4 * 3 + 4 * 10 * 3);
}
END_TEST

/* A plan for an encoder-decoder must not have pipeline stages or context ranks. */
START_TEST(pairs_stay_together) {
    const nnc_model model = pair();
    const nnc_device device = cluster_device();
    const nnc_software software = nnc_software_default();
    for (int i = 0; i < 2; i++) {
        nnc_plan plan = plan_of(1, 1, i == 0 ? 2 : 1);
        nnc_error err = { 0 };
        nnc_result r;
        plan.context = i == 0 ? 1 : 2;
        ck_assert_int_eq(nnc_estimate(&model, &device, &software, &plan, scratch, &r, &err), NNC_ILLEGAL_PLAN);
        ck_assert_str_eq(err.where, i == 0 ? "--pipeline" : "--context");
    }
}
END_TEST

/* In an encoder without biases, the head for 3 classes has a dense layer of 16 weights, a norm of 4 weights, and the
 * classes with their bias. */
START_TEST(classes_of_an_encoder_without_biases) {
    static const struct {
        const char *name;
        int products;
    } wanted[] = { { "classes", 16 + 12 }, { "tags", 6 * (16 + 12) } };
    const nnc_plan plan = bf16();
    nnc_model model = encoder();
    model.decoder.biases = false;
    model.decoder.head_width = 3;
    model.decoder.head = NNC_HEAD_NONE;
    const nnc_result bare = estimate_on_cluster(&model, &plan);
    for (size_t i = 0; i < COUNT_OF(wanted); i++) {
        ck_assert_int_eq(nnc_model_set(&model, "head", wanted[i].name, NULL), NNC_OK);
        const nnc_result r = estimate_on_cluster(&model, &plan);
        ck_assert_int_eq(r.params, bare.params + 16 + 4 + 15);
        ck_assert_double_eq(r.forward_flops, bare.forward_flops + 2 * wanted[i].products);
    }
}
END_TEST

/* The model has width 4, 2 heads, a table of 6 positions, and a score for each head and each of 3 distances. */
START_TEST(positions_may_be_of_two_kinds) {
    const nnc_plan plan = bf16();
    nnc_model model = encoder();
    const int64_t learned = estimate_on_cluster(&model, &plan).params;
    ck_assert_int_eq(nnc_model_set(&model, "positions", "learned_relative", NULL), NNC_OK);
    model.decoder.relative_buckets = 3;
    ck_assert_int_eq(estimate_on_cluster(&model, &plan).params, learned + 3 * 2);
}
END_TEST

/* DeBERTa with 3 buckets has a table of 6 rows of width 4, and a norm of 8 parameters. Every layer projects the 6 rows
 * of the table with the matrices of its queries and keys, 2 * 6 * 4 * 4 FLOPs for each matrix. Every layer then
 * multiplies the projected rows with keys and queries: 2 heads of width 2, 6 tokens by 6 rows. */
START_TEST(distances_are_projected) {
    const nnc_plan plan = bf16();
    nnc_model model = encoder();
    model.decoder.positions = NNC_POSITIONS_NONE;
    const nnc_result none = estimate_on_cluster(&model, &plan);
    model.decoder.positions = NNC_POSITIONS_DISENTANGLED;
    model.decoder.relative_buckets = 3;
    const nnc_result r = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(r.params, none.params + 6 * 4 + 8);
    ck_assert_double_eq(r.forward_flops - none.forward_flops, 2 * (2 * 6 * 4 * 4) + 2 * (2 * 2 * 6 * 6 * 2));
    /* the rows of distances use the matrices and adapters of the tokens, so they add no trained parameters */
    nnc_plan adapters = plan;
    adapters.adapter_rank = 1;
    const int64_t trained = estimate_on_cluster(&model, &adapters).trained_params;
    model.decoder.positions = NNC_POSITIONS_NONE;
    ck_assert_int_eq(estimate_on_cluster(&model, &adapters).trained_params, trained);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        tokens_see_both_sides,
        heads,
        tables,
        relative_positions,
        encoder_before_decoder,
        encoder_states_are_kept_once,
        frames,
        pairs_stay_together,
        positions_may_be_of_two_kinds,
        distances_are_projected,
        classes_of_an_encoder_without_biases,
    };
    return run_tests("encoder", tests, COUNT_OF(tests));
}
