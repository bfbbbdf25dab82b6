/* Tests decoders that have towers (vision or audio encoders) or indexers (which select the tokens to attend to); they
 * are small enough to count by hand. */
#include "named_rows.h"
#include "op/op_internal.h"

#define TEXT                                                                                       \
    "\"text_config\": { \"model_type\": \"llama\", \"hidden_size\": 8, \"num_hidden_layers\": 1, " \
    "\"num_attention_heads\": 2, \"intermediate_size\": 16, \"vocab_size\": 10, "                  \
    "\"max_position_embeddings\": 4, \"hidden_act\": \"silu\" }"
#define VISION                                                                         \
    "\"vision_config\": { \"model_type\": \"clip_vision_model\", \"hidden_size\": 4, " \
    "\"num_hidden_layers\": 2, \"num_attention_heads\": 1, \"intermediate_size\": 8, " \
    "\"image_size\": 4, \"patch_size\": 2 }"
#define LLAVA(text, vision) "{ \"model_type\": \"llava\", " text ", " vision " }"

static nnc_error err;

static nnc_status parse(const char *text, nnc_model *model) {
    memset(&err, 0, sizeof err);
    return nnc_model_parse_into(specs, "c.json", text, strlen(text), model, &err);
}

/* Parameters of the decoder: tables 2 * 80, attention 4 * 64, MLP 3 * 128, norms 3 * 8, sum 824. The tower has 4
 * patches and a class token: patches 3 * 2 * 2 * 4 = 48, class token 4, positions 5 * 4, norms before and after the
 * layers 2 * 8. Each of the two layers of the tower has 4 * 16 + 16 (attention), 2 * 32 + 8 + 4 (MLP) and 2 * 8 (norms)
 * = 172 parameters; the sum of the tower is 432. The two linear layers of the projector have 4 * 8 + 8 and 8 * 8 + 8
 * parameters, sum 112. FLOPs of one image are those of a convolution (2 * 4 * 48), of two layers of 5 tokens (products
 * of 64 + 64 weights, and 25 pairs of tokens at 4 * 4), and of the projector for 4 tokens. */
START_TEST(towers_read_images) {
    nnc_model model;
    const nnc_plan plan = plan_of(1, 1, 1);
    ck_assert_msg(parse(LLAVA(TEXT, VISION), &model) == NNC_OK, "%s: %s", err.where, err.what);
    const nnc_result words = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(words.params, 824 + 432 + 112);
    ck_assert_int_eq(nnc_model_set(&model, "tower_inputs", "1", &err), NNC_OK);
    const nnc_result one = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(one.params, words.params);
    ck_assert_double_eq(one.forward_flops - words.forward_flops,
                        2 * 4 * 48 + 2 * (2 * 5 * 128 + 25 * 16) + 2 * 4 * (32 + 64));
    ck_assert_int_eq(nnc_model_set(&model, "tower_inputs", "3", &err), NNC_OK);
    const nnc_result three = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(three.params, words.params);
    ck_assert_double_eq(three.forward_flops - words.forward_flops, 3 * (one.forward_flops - words.forward_flops));
}
END_TEST

static const struct {
    const char *text, *what;
} faults[] = {
    { "{ \"model_type\": \"llava\", " VISION " }", "missing, expected an object with the decoder, found nothing" },
    { "{ \"model_type\": \"llava\", " TEXT " }", "missing, expected an object, found nothing" },
    { LLAVA("\"hidden_size\": 16, " TEXT, VISION), "differs from the value of the text model, expected 8, found 16" },
    { LLAVA("\"num_key_value_heads\": 1, " TEXT, VISION),
      "describes the text model, expected inside the object of the text model, found outside" },
    { LLAVA(TEXT, "\"vision_config\": { \"model_type\": \"clip_vision_model\", \"depth\": 3 }"),
      "changes the shape of a clip_vision_model in a way that nncost does not know, expected no such key, or your own "
      "model file (nncost show llama3-8b --format json prints an example), found 3" },
    { LLAVA("\"text_config\": { \"model_type\": \"mamba_vl\" }", VISION),
      "unknown architecture, expected one of those in docs/models.md, found \"mamba_vl\"" },
};

START_TEST(parts_are_refused) {
    nnc_model model;
    ck_assert_int_eq(parse(faults[_i].text, &model), NNC_BAD_SPEC);
    ck_assert_str_eq(err.what, faults[_i].what);
}
END_TEST

/* A configuration may tie the tables outside the object of the text model or inside it. */
START_TEST(tables_are_tied_from_outside) {
    nnc_model model;
    ck_assert_int_eq(parse(LLAVA("\"tie_word_embeddings\": true, " TEXT, VISION), &model), NNC_OK);
    ck_assert(model.decoder.tied_head);
    /* the same value may be given twice */
    ck_assert_msg(parse(LLAVA("\"intermediate_size\": 16, " TEXT, VISION), &model) == NNC_OK, "%s: %s", err.where,
                  err.what);
}
END_TEST

static double kept_bytes(const nnc_op_cost *row) { return nnc_op_kept_bytes(row->op); }

static double kept_by(const char *name) {
    wanted_name = name;
    return sum_rows(is_named, kept_bytes);
}

/* An indexer on width 8 with query latent 3 and 2 heads of width 4. The indexer has 3 * 8 parameters of queries, 8 * 4
 * of the key, 8 of the norm of the key, and 8 * 2 of the weights. With 4 tokens, all products run once per token, and
 * each of 16 pairs has 2 * 4 products and a sum over 2 heads, without a mask. If the indexer selects 2 of 4 tokens,
 * attention has 7 of the 10 causal pairs. With values of 2 bytes, the product of the scores keeps 4 * 2 * 4 values of
 * queries and 4 * 4 values of keys. The sum of the scores keeps no tensor. The queries of a token are computed from its
 * 3 latent values, or from 1 latent value. */
START_TEST(indexers_pick_tokens) {
    nnc_plan plan = plan_of(1, 1, 1);
    nnc_model model = gpt(1, 8, 2, 10, 4);
    nnc_decoder *d = &model.decoder;
    d->q_lora_rank = 3;
    d->kv_lora_rank = 4;
    d->qk_nope_head_dim = d->v_head_dim = 4;
    d->qk_rope_head_dim = 2;
    const nnc_result plain = estimate_on_cluster(&model, &plan);
    d->index_heads = 2;
    d->index_dim = 4;
    d->index_topk = 4;
    const nnc_result all = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(all.params - plain.params, 24 + 32 + 8 + 16);
    ck_assert_double_eq(all.forward_flops - plain.forward_flops, 2 * 4 * (24 + 32 + 16) + 2 * 16 * (2 * 4 + 2));
    ck_assert_double_eq(kept_by("index.scores"), 2 * (32 + 16));
    ck_assert_double_eq(kept_by("index.sum"), 0.0);
    /* the norm keeps the keys, and two fp32 statistics per token */
    ck_assert_double_eq(kept_by("index.norm"), 2 * 4 * 4 + 4 * 8);
    ck_assert_double_eq(kept_by("attn.q_up"), 2 * 4 * 3);
    d->q_lora_rank = 1;
    estimate_on_cluster(&model, &plan);
    ck_assert_double_eq(kept_by("attn.q_up"), 2 * 4 * 1);
    d->q_lora_rank = 3;
    plan.flops_convention = NNC_CONVENTION_CAUSAL;
    const double seen = estimate_on_cluster(&model, &plan).model_flops;
    d->index_topk = 2;
    /* forward, and backward with twice the FLOPs; a pair costs 2 * (6 + 4) FLOPs in each of 2 heads */
    ck_assert_double_eq(seen - estimate_on_cluster(&model, &plan).model_flops, 3 * 2 * 20 * 3);
}
END_TEST

#define INTERNVL(more)                                                                \
    "{ \"model_type\": \"internvl\", " TEXT ", \"vision_config\": { \"model_type\": " \
    "\"internvl_vision\", \"hidden_size\": 8, \"num_hidden_layers\": 1, "             \
    "\"num_attention_heads\": 2, \"intermediate_size\": 16, \"image_size\": 4, "      \
    "\"patch_size\": 2, " more " } }"

/* The decoder has 824 parameters. The tower has patches 3 * 2 * 2 * 8 + 8 = 104, class token 8 and positions 5 * 8. The
 * layer of the tower has 4 * 64 + 4 * 8 (attention), 2 * 128 + 16 + 8 (MLP), 32 (norms) and 16 (scales) = 616
 * parameters. The norm of 4 joined patches has 64 parameters, and the two linear layers of the projector have 32 * 8 +
 * 8 and 64 + 8. The sum is 1168. Norms of queries and keys add 2 * 8 parameters. The layer has 24 parameters fewer
 * without biases of queries, keys and values, and 16 fewer with RMS norms. Source: huggingface/transformers,
 * models/internvl/modeling_internvl.py. */
START_TEST(internvl_scales_its_layers) {
    nnc_model model;
    const nnc_plan plan = plan_of(1, 1, 1);
    ck_assert_msg(parse(INTERNVL("\"attention_bias\": true"), &model) == NNC_OK, "%s: %s", err.where, err.what);
    ck_assert_int_eq(estimate_on_cluster(&model, &plan).params, 824 + 1168);
    ck_assert_msg(parse(INTERNVL("\"use_qk_norm\": true, \"norm_type\": \"rms_norm\""), &model) == NNC_OK, "%s: %s",
                  err.where, err.what);
    ck_assert_int_eq(estimate_on_cluster(&model, &plan).params, 824 + 1168 + 16 - 24 - 16);
}
END_TEST

/* Parameters: tables 2 * 80. Each of two layers has 64 (queries) + 2 * 32 (keys and values) + 64 (output) parameters of
 * attention, and norms of 2 * 4 and 2 * 8. The dense MLP has 3 * 128 parameters, the router 32, the four experts 4 *
 * 96, the shared expert 96, and the last norm 8. Source: modeling_bailing_moe_v2.py of inclusionAI/Ling-mini-2.0. */
START_TEST(ling_has_experts) {
    static const char text[] =
        "{ \"model_type\": \"bailing_moe\", \"hidden_size\": 8, \"num_hidden_layers\": 2, \"num_attention_heads\": 2, "
        "\"num_key_value_heads\": 1, \"head_dim\": 4, \"intermediate_size\": 16, \"first_k_dense_replace\": 1, "
        "\"num_experts\": 4, \"num_experts_per_tok\": 2, \"moe_intermediate_size\": 4, \"num_shared_experts\": 1, "
        "\"use_qk_norm\": true, \"vocab_size\": 10, \"max_position_embeddings\": 4, \"hidden_act\": \"silu\" }";
    nnc_model model;
    const nnc_plan plan = plan_of(1, 1, 1);
    ck_assert_msg(parse(text, &model) == NNC_OK, "%s: %s", err.where, err.what);
    ck_assert_int_eq(estimate_on_cluster(&model, &plan).params, 160 + 2 * (192 + 24) + 384 + 512 + 8);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("towers");
    TCase *tests = add_case(suite, "towers", open_support, close_support);
    tcase_add_test(tests, towers_read_images);
    tcase_add_loop_test(tests, parts_are_refused, 0, (int)COUNT_OF(faults));
    tcase_add_test(tests, tables_are_tied_from_outside);
    tcase_add_test(tests, indexers_pick_tokens);
    tcase_add_test(tests, internvl_scales_its_layers);
    tcase_add_test(tests, ling_has_experts);
    return run_suite(suite);
}
