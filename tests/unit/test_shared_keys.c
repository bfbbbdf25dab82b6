/* Tests decoders with special attention or experts that are small enough to count by hand. The decoders have window
 * layers with another number of heads, keys used as values, experts with a latent, shared or reused keys, layers with
 * extra inputs, or several residual streams. */
#include "named_rows.h"

static void set(nnc_model *model, const char *field, const char *text) {
    nnc_error err = { .status = NNC_OK };
    ck_assert_msg(nnc_model_set(model, field, text, &err) == NNC_OK, "%s: %s", err.where, err.what);
}

static int64_t params_of(const nnc_model *model) {
    const nnc_plan plan = causal_bf16();
    return estimate_on_cluster(model, &plan).params;
}

static double core_flops(const nnc_op_cost *row) { return row->work.causal_flops; }

static double moved_bytes(const nnc_op_cost *row) { return row->work.read_bytes + row->work.write_bytes; }

/* Width 8 with 4 query heads and 2 key heads of 2: queries have 64 parameters, keys 32, values 32, output 64. Window
 * layers with 1 key head and heads of width 4 have 128 (queries) + 32 (keys) + 32 (values) + 128 (output) parameters in
 * attention. If keys are also the values, the layer without a window has 32 parameters less. */
START_TEST(windows_have_other_heads) {
    nnc_model model = llama(2, 8, 4, 2, 12, 10, 8);
    const int64_t plain = params_of(&model);
    model.decoder.sliding_window = 3;
    set(&model, "mixers", "window,full");
    model.decoder.window_kv_heads = 1;
    model.decoder.window_head_dim = 4;
    ck_assert_int_eq(params_of(&model) - plain, (128 + 32 + 32 + 128) - 192);
    model.decoder.keys_as_values = true;
    ck_assert_int_eq(params_of(&model) - plain, (128 + 32 + 32 + 128) - 192 - 32);
    model.decoder.window_heads = 2; /* 2 heads of width 4: queries and output have 64 parameters each */
    ck_assert_int_eq(params_of(&model) - plain, (64 + 32 + 32 + 64) - 192 - 32);
}
END_TEST

/* Sinks are one value per head, here only in the window layer. A gate per head is a product of 8 x 4 in both layers.
 * Values of width 3 in 2 key heads have 2 * 3 * 8 parameters, and the output projection of 4 heads has 4 * 3 * 8
 * parameters. */
START_TEST(heads_have_sinks_gates_and_widths) {
    nnc_model model = llama(2, 8, 4, 2, 12, 10, 8);
    model.decoder.sliding_window = 3;
    set(&model, "mixers", "window,full");
    const int64_t plain = params_of(&model);
    model.decoder.sinks = model.decoder.window_sinks = true;
    ck_assert_int_eq(params_of(&model) - plain, 4);
    model.decoder.head_gate = true;
    ck_assert_int_eq(params_of(&model) - plain, 4 + 2 * 32);
    model.decoder.v_head_dim = 3;
    ck_assert_int_eq(params_of(&model) - plain, 4 + 2 * 32 + 2 * (48 - 32 + 96 - 64));
}
END_TEST

/* At width 8, each of 4 experts has 3 matrices of 8 x 12. With a latent of width 4, the experts have 3 matrices of 4 x
 * 12, and there are products of 8 x 4 to the latent and back. The norms of the experts have 4 * 8 parameters, and the
 * scales have one parameter per expert. */
START_TEST(experts_work_at_another_width) {
    nnc_model model = llama(1, 8, 4, 2, 12, 10, 8);
    model.decoder.experts = 4;
    model.decoder.experts_per_token = 2;
    model.decoder.expert_hidden = 12;
    const nnc_plan plan = causal_bf16();
    const nnc_result plain = estimate_on_cluster(&model, &plan);
    model.decoder.expert_latent = 4;
    const nnc_result latent = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(latent.params - plain.params, 4 * 3 * 12 * (4 - 8) + 2 * 8 * 4);
    /* each of 8 tokens goes to 2 experts */
    ck_assert_double_eq(latent.forward_flops - plain.forward_flops, 2.0 * 8 * (2 * 3 * 12 * (4 - 8) + 2 * 8 * 4));
    model.decoder.expert_norms = true;
    ck_assert_int_eq(params_of(&model) - latent.params, 4 * 8 + 4);
}
END_TEST

/* Parts of Kimi K3. Latent attention with 4 heads has values of width 3; its gate is a product of 8 x 12 with 2 * 8
 * tokens * 96 FLOPs. The sum over experts of width 4 has a norm of 4. If the gate of a delta rule with 16 values reads
 * the 8 values of a token instead of 2 values, the gate has 16 * (8 - 2) parameters more. The 8 x 2 parameters of the
 * projection to these 2 values are not needed. */
START_TEST(latents_and_delta_rules_have_gates) {
    nnc_model model = llama(1, 8, 4, 2, 12, 10, 8);
    nnc_decoder *d = &model.decoder;
    d->kv_lora_rank = 6;
    d->qk_nope_head_dim = 4;
    d->qk_rope_head_dim = 2;
    d->v_head_dim = 3;
    const nnc_plan plan = causal_bf16();
    const nnc_result plain = estimate_on_cluster(&model, &plan);
    d->attention_gate = true;
    const nnc_result gated = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(gated.params - plain.params, 8 * 12);
    ck_assert_double_eq(gated.forward_flops - plain.forward_flops, 2.0 * 8 * 8 * 12);
    d->experts = 4;
    d->experts_per_token = 2;
    d->expert_hidden = 12;
    d->expert_latent = 4;
    const int64_t latent = params_of(&model);
    d->latent_norm = true;
    ck_assert_int_eq(params_of(&model) - latent, 4);

    nnc_model delta = llama(1, 8, 4, 2, 12, 10, 8);
    delta.decoder.ssm_inner = 16;
    delta.decoder.ssm_state = 3;
    delta.decoder.ssm_heads = delta.decoder.ssm_groups = 4;
    delta.decoder.ssm_rank = 2;
    delta.decoder.conv_kernel = 3;
    set(&delta, "mixers", "kimi_delta");
    const int64_t low = params_of(&delta);
    delta.decoder.ssm_full_gate = true;
    ck_assert_int_eq(params_of(&delta) - low, 16 * (8 - 2) - 8 * 2);
}
END_TEST

static double input_elements(const nnc_op_cost *row) { return row->work.read_bytes; }

/* Attention residuals: 5 layers in blocks of 2, width 8, 8 tokens, 2 bytes per value. Each half of a layer has a norm
 * and a vector of 8 parameters each, and so has the head. The attentions of the five layers read 0, 2, 2, 3 and 3
 * residual streams. The MLPs of the five layers read 2, 2, 3, 3 and 4 residual streams, and the head reads 4. Forward
 * of an op reads each of these residual streams once, and the two vectors of the op. */
START_TEST(layers_read_blocks) {
    nnc_model model = llama(5, 8, 4, 2, 12, 10, 8);
    const int64_t plain = params_of(&model);
    model.decoder.residual_block = 2;
    ck_assert_int_eq(params_of(&model) - plain, (5 * 2 + 1) * 16);
    const double stream = 8 * 8 * 2;
    const struct {
        const char *name;
        double streams;
        int ops;
    } wanted[] = { { "attn.blocks_in", 10.0 / 5.0, 5 },
                   { "mlp.blocks_in", 14.0 / 5.0, 5 },
                   { "head.blocks_in", 4.0, 1 } };
    for (int i = 0; i < (int)COUNT_OF(wanted); i++) {
        wanted_name = wanted[i].name;
        const double inputs = wanted[i].ops * (double)(int64_t)(wanted[i].streams * 64.0) * 2.0;
        ck_assert_double_ge(sum_rows(is_named, input_elements), inputs);
        ck_assert_double_le(sum_rows(is_named, input_elements), inputs + wanted[i].ops * (stream + 16 * 4.0));
    }
}
END_TEST

/* Parts of Gemma 3n: 2 layers of width 8, 3 streams, rank 2, 8 tokens. Each layer predicts the streams with a norm of 8
 * parameters, 3 scores of 8 and 9 weights of 3 parameters. Each layer corrects the streams with 3 weights of 3 and a
 * scale of 8. The low-rank product of a layer, 8 x 2 and 2 x 8, has 2 * 16 weights and a norm of 8. Two products of 8 x
 * 8 make the second and the third stream from the embedding, and two products make one stream from all streams. The
 * scores are computed twice. A layer that reuses keys and values has 2 * 32 fewer weights. */
START_TEST(layers_predict_streams) {
    nnc_model model = llama(2, 8, 4, 2, 12, 10, 8);
    const nnc_plan plan = causal_bf16();
    const nnc_result plain = estimate_on_cluster(&model, &plan);
    set(&model, "laurel_rank", "2");
    const nnc_result low = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(low.params - plain.params, 2 * (2 * 16 + 8));
    ck_assert_double_eq(low.forward_flops - plain.forward_flops, 2 * 2.0 * 8 * 2 * 16);
    set(&model, "altup_inputs", "3");
    const nnc_result wide = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(wide.params - low.params, 2 * (8 + 24 + 27 + 9 + 8) + 2 * 2 * 64);
    ck_assert_double_eq(wide.forward_flops - low.forward_flops,
                        2 * 2.0 * 8 * (24 + 27 + 24 + 9) + 2.0 * 8 * 2 * 2 * 64);
    /* In each layer, the prediction reads 3 streams of 8 tokens x 8 values of 16 bits, and writes 3 streams. */
    wanted_name = "altup.predict";
    ck_assert_double_eq(sum_rows(is_named, moved_bytes), 2 * (192 + 192) * 2);
    const int64_t own = params_of(&model);
    model.decoder.reused_kv_layers = 1;
    ck_assert_int_eq(params_of(&model) - own, -2 * 32);
    model.decoder.unused_kv = true;
    ck_assert_int_eq(params_of(&model), own);
}
END_TEST

/* The router also scores 3 experts that have no weights: 3 x 8 router weights, and 3 x 8 products for each of 8
 * tokens. */
START_TEST(experts_are_idle) {
    nnc_model model = llama(1, 8, 4, 2, 12, 10, 8);
    model.decoder.experts = 4;
    model.decoder.experts_per_token = 2;
    model.decoder.expert_hidden = 12;
    model.decoder.router_bias = true;
    const nnc_plan plan = causal_bf16();
    const nnc_result plain = estimate_on_cluster(&model, &plan);
    set(&model, "idle_experts", "3");
    const nnc_result idle = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(idle.params - plain.params, 3 * 8 + 3);
    ck_assert_double_eq(idle.forward_flops - plain.forward_flops, 2.0 * 8 * 3 * 8);
}
END_TEST

/* LongCat-Flash has 28 layers with two attentions and two MLPs each. The parameters of an attention are 6144 x (1536 +
 * 576) + 1536 x 64 x 192 + 512 x 64 x 256 + 64 x 128 x 6144 + 1536 + 512 = 90,572,800. The parameters of an MLP are 3 x
 * 6144 x 12288, of the experts 512 x 3 x 6144 x 2048, of the router 768 x 6144. A layer has 4 norms. Each of the two
 * tables has 131072 x 6144 parameters. Of the 12 experts of a token, 8 have weights. */
START_TEST(layers_have_two_halves) {
    const nnc_model *model = NULL;
    nnc_error err = { .status = NNC_OK };
    ck_assert_int_eq(nnc_model_load(specs, "meituan-longcat/LongCat-Flash-Chat", &model, &err), NNC_OK);
    const int64_t layer =
        2 * (int64_t)90572800 + 2 * (int64_t)226492416 + (int64_t)512 * 37748736 + 768 * 6144 + 4 * 6144;
    ck_assert_int_eq(params_of(model), 28 * layer + 6144 + 2 * (int64_t)131072 * 6144);
    ck_assert_int_eq(params_of(model), 560664958976);
    ck_assert_int_eq(model->decoder.experts_per_token, 8);
}
END_TEST

/* Queries are projected from 8 to 3 values, normalised, and projected to 4 heads of 2: 24 + 3 + 24 parameters. The key
 * has 16 parameters, and its norm has 2. The output projection maps each of 2 groups of 2 heads from 4 to 3 values, and
 * then all 6 values to 8: 24 + 48 parameters. A key for each 4 tokens adds a projection of 8 x 4, 4 x 2 scores and a
 * norm of 2 parameters. A key for each 2 tokens, with two sets of values, adds a projection of 8 x 8, 2 x 4 scores and
 * a norm of 2 parameters. The indexer of the keys for each 2 tokens has 2 heads of 4. The indexer adds a projection of
 * 8 x 16, 2 x 8 scores, a norm of 4, queries of 3 x 8 and weights of 8 x 2 parameters. With 8 tokens, a window of 3 has
 * 21 pairs. Token i also attends to i / 4 keys (6 pairs in all), or to at most 2 of i / 2 keys (12 in all). A pair
 * costs 4 heads * 2 * (2 + 2) FLOPs. */
START_TEST(keys_are_shared) {
    nnc_model model = llama(1, 8, 4, 1, 12, 10, 8);
    /* queries, keys, values and output of this model's attention have 64 + 16 + 16 + 64 parameters */
    const int64_t plain = params_of(&model);
    nnc_decoder *d = &model.decoder;
    d->shared_keys = true;
    d->q_lora_rank = 3;
    d->out_groups = 2;
    d->out_rank = 3;
    d->sliding_window = 3;
    set(&model, "mixers", "window");
    const int64_t window = params_of(&model);
    ck_assert_int_eq(window - plain, 24 + 3 + 24 + 16 + 2 + 24 + 48 - 160);
    wanted_name = "attn.core";
    ck_assert_double_eq(sum_rows(is_named, core_flops), 32 * 21);
    d->compress_ratio = 4;
    set(&model, "mixers", "window_far");
    ck_assert_int_eq(params_of(&model) - window, 32 + 8 + 2);
    ck_assert_double_eq(sum_rows(is_named, core_flops), 32 * (21 + 6));
    d->compress_ratio = 0;
    d->index_ratio = 2;
    d->index_heads = d->index_topk = 2;
    d->index_dim = 4;
    set(&model, "mixers", "window_far_picked");
    ck_assert_int_eq(params_of(&model) - window, 64 + 8 + 2 + 128 + 16 + 4 + 24 + 16);
    ck_assert_double_eq(sum_rows(is_named, core_flops), 32 * (21 + 12));
}
END_TEST

/* With 2 streams, each half of a layer has (2 + 2) * 2 weights for each of 2 * 8 values, one constant per weight and 3
 * scales. The head has 2 weights of 8 values, their constants and a scale. */
START_TEST(streams_are_mixed) {
    nnc_model model = llama(3, 8, 4, 2, 12, 10, 8);
    const int64_t plain = params_of(&model);
    model.decoder.streams = 2;
    ck_assert_int_eq(params_of(&model) - plain, 3 * 2 * (8 * 16 + 8 + 3) + 2 * 16 + 2 + 1);
}
END_TEST

/* With keys and values per head, the indexer reads the residual stream: queries 8 x 8, key 8 x 4, two norms of 4.
 * Layers that attend to all tokens have no indexer. */
START_TEST(plain_heads_have_an_indexer) {
    nnc_model model = llama(3, 8, 4, 2, 12, 10, 8);
    const int64_t plain = params_of(&model);
    model.decoder.index_heads = model.decoder.index_topk = 2;
    model.decoder.index_dim = 4;
    set(&model, "mixers", "full_all,full,full_reused");
    ck_assert_int_eq(params_of(&model) - plain, 64 + 32 + 8);
    /* 8 queries have 36 pairs with keys up to their own, or 1 + 7 * 2 pairs with at most two keys each */
    wanted_name = "attn.core";
    const double picked = sum_rows(is_named, core_flops);
    set(&model, "mixers", "full_all");
    ck_assert_int_eq(params_of(&model), plain);
    ck_assert_double_eq(sum_rows(is_named, core_flops) / (3 * 36), picked / (36 + 2 * 15));
}
END_TEST

/* The last 2 of 4 layers have no keys and values (2 matrices of 8 x 4 per layer) and MLPs of 3 matrices of 8 x 24
 * instead of 8 x 12. The last 2 layers compute as many scores as the first 2 layers, and keep no keys and values. */
START_TEST(layers_reuse_keys_and_values) {
    nnc_model model = llama(4, 8, 4, 2, 12, 10, 8);
    model.decoder.sliding_window = 3;
    set(&model, "mixers", "window,full");
    const int64_t plain = params_of(&model);
    wanted_name = "attn.core";
    const double flops = sum_rows(is_named, core_flops);
    set(&model, "reused_kv_layers", "2");
    ck_assert_int_eq(params_of(&model) - plain, -2 * 2 * 32);
    ck_assert_double_eq(sum_rows(is_named, core_flops), flops);
    /* queries have norms in 4 layers and keys in 2 layers, with 2 parameters each */
    model.decoder.qk_norm = NNC_QK_NORM_HEAD;
    ck_assert_int_eq(params_of(&model) - plain, -2 * 2 * 32 + (4 + 2) * 2);
    model.decoder.wide_reused = true;
    ck_assert_int_eq(params_of(&model) - plain, -2 * 2 * 32 + (4 + 2) * 2 + 2 * 3 * 8 * 12);
    nnc_plan plan = causal_bf16(), resolved;
    const nnc_device device = cluster_device();
    nnc_error err = { .status = NNC_OK };
    plan.pipeline = plan.devices = 2;
    ck_assert_int_eq(nnc_plan_resolve(&plan, &model, &device, &resolved, &err), NNC_ILLEGAL_PLAN);
    ck_assert_str_eq(err.where, "--pipeline");
}
END_TEST

/* A table has 10 rows of 4 values for each of 3 layers. One product for all layers has 8 x 12 parameters, and the norm
 * of a layer input has 4 parameters. Each layer has products of 8 x 4 and 4 x 8, and a norm of 8 parameters. There are
 * 8 tokens. The table of inputs is only looked up, so it has no FLOPs. */
START_TEST(layers_have_inputs) {
    nnc_model model = llama(3, 8, 4, 2, 12, 10, 8);
    const nnc_plan plan = causal_bf16();
    const nnc_result plain = estimate_on_cluster(&model, &plan);
    set(&model, "layer_input_width", "4");
    set(&model, "layer_input_vocab", "10");
    const nnc_result with = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(with.params - plain.params, 10 * 12 + 96 + 4 + 3 * (32 + 32 + 8));
    ck_assert_double_eq(with.forward_flops - plain.forward_flops, 2.0 * 8 * (96 + 3 * 64));
    /* With 3 streams, each layer adds the input to the second and the third stream: 2 x 8 tokens x 8 values of 16 bits
     * are read and written once. */
    set(&model, "altup_inputs", "3");
    (void)estimate_on_cluster(&model, &plan);
    int32_t count = 0;
    double bytes = 0.0;
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    for (int32_t i = 0; i < count; i++) {
        const bool adds = strcmp(nnc_op_name(rows[i].op), "input.residual") == 0;
        if (adds && nnc_op_phase(rows[i].op) == NNC_PHASE_FORWARD) {
            bytes += (rows[i].work.read_bytes + rows[i].work.write_bytes) * rows[i].repeat;
        }
    }
    ck_assert_double_eq(bytes, 3 * 2 * 64 * (1 + 1) * 2);
}
END_TEST

/* Laguna-XS-2.1 has 40 layers. 10 layers attend to all tokens with 48 heads of 128, and 30 layers attend to a window
 * with 64 heads. A layer has 8 heads of keys, a gate per head, and norms of 128 for queries and keys. The first layer
 * has an MLP of 3 x 2048 x 8192. Each layer after the first one has 256 experts and a shared expert of 3 x 2048 x 512,
 * and a router. */
START_TEST(windows_have_more_heads) {
    const nnc_model *model = NULL;
    nnc_error err = { .status = NNC_OK };
    ck_assert_int_eq(nnc_model_load(specs, "poolside/Laguna-XS-2.1", &model, &err), NNC_OK);
    const int64_t keys = 2 * 2048 * 1024 + 256, head = 2 * 2048 * 128 + 2048;
    const int64_t experts = (int64_t)257 * 3 * 2048 * 512 + 256 * 2048;
    ck_assert_int_eq(params_of(model), 40 * (keys + 2 * 2048) + (10 * 48 + 30 * 64) * head + 3 * 2048 * 8192 +
                                           39 * experts + 2048 + 2 * (int64_t)100352 * 2048);
    ck_assert_int_eq(params_of(model), 33442607104);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("shared keys");
    TCase *tests = add_case(suite, "layers", open_support, close_support);
    tcase_add_test(tests, windows_have_other_heads);
    tcase_add_test(tests, heads_have_sinks_gates_and_widths);
    tcase_add_test(tests, experts_work_at_another_width);
    tcase_add_test(tests, latents_and_delta_rules_have_gates);
    tcase_add_test(tests, layers_read_blocks);
    tcase_add_test(tests, layers_predict_streams);
    tcase_add_test(tests, experts_are_idle);
    tcase_add_test(tests, layers_have_two_halves);
    tcase_add_test(tests, windows_have_more_heads);
    tcase_add_test(tests, layers_reuse_keys_and_values);
    tcase_add_test(tests, layers_have_inputs);
    tcase_add_test(tests, keys_are_shared);
    tcase_add_test(tests, streams_are_mixed);
    tcase_add_test(tests, plain_heads_have_an_indexer);
    return run_suite(suite);
}
