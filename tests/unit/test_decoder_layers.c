/* Tests decoders with unusual kinds of layers; the decoders are small enough to count by hand. */
#include "named_rows.h"
#include "shape/shape_internal.h"

static double vector_flops(const nnc_op_cost *row) { return row->work.vector_flops; }

static double vector_flops_of(const char *name) {
    wanted_name = name;
    return sum_rows(is_named, vector_flops);
}

static void set_mixers(nnc_model *model, const char *text) {
    ck_assert_int_eq(nnc_model_set(model, "mixers", text, NULL), NNC_OK);
}

/* The model has width 4, 2 heads of width 2 and 8 tokens. A query-key pair costs 4 * 2 * 2 = 16 FLOPs. Full causal
 * attention has 36 pairs. A window of 3 tokens has 1 + 2 + 6 * 3 = 21 pairs. Chunks of 3, 3 and 2 tokens have 6 + 6 + 3
 * = 15 pairs. Two of the five layers have the window: layers 0 and 3. */
START_TEST(mixers_alternate) {
    nnc_model model = gpt(5, 4, 2, 10, 8);
    const nnc_plan plan = causal_bf16();
    const nnc_result full = estimate_on_cluster(&model, &plan);
    model.decoder.sliding_window = 3;
    set_mixers(&model, "window,full,full");
    const nnc_result mixed = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(mixed.params, full.params);
    ck_assert_double_eq(mixed.model_flops, full.model_flops - 3 * 2 * 16 * (36 - 21));
    ck_assert_double_eq(runs("attn.core"), 5);
    set_mixers(&model, "chunk");
    ck_assert_double_eq(estimate_on_cluster(&model, &plan).model_flops, full.model_flops - 3 * 5 * 16 * (36 - 15));
}
END_TEST

/* If the list of mixers is equal to the default, no result changes, for any plan. */
START_TEST(mixers_that_are_alike) {
    nnc_model model = llama(6, 8, 4, 2, 12, 10, 8);
    nnc_plan plan = causal_bf16();
    for (int pipeline = 1; pipeline <= 3; pipeline += 2) {
        plan.pipeline = pipeline;
        plan.micro_batches = 4;
        model.decoder.mixers_count = 0;
        const nnc_result plain = estimate_on_cluster(&model, &plan);
        set_mixers(&model, "full");
        const nnc_result listed = estimate_on_cluster(&model, &plan);
        ck_assert_double_eq(listed.step_s, plain.step_s);
        ck_assert_int_eq(listed.memory.total_bytes, plain.memory.total_bytes);
    }
}
END_TEST

/* The four layers of the model run on two stages. Layers 0 and 2 are dense, layers 1 and 3 have experts, so each stage
 * holds one layer of each kind. In the second model, the last two layers have the experts. The second stage of the
 * second model holds 2 * (4 experts * 3 matrices of 8 x 12, router 8 x 4) instead of 2 * (3 matrices of 8 x 12). */
START_TEST(stages_hold_their_own_layers) {
    nnc_model model = llama(4, 8, 4, 2, 12, 10, 8);
    nnc_plan plan = causal_bf16();
    plan.pipeline = 2;
    plan.micro_batches = 2;
    model.decoder.experts = 4;
    model.decoder.experts_per_token = 1;
    model.decoder.expert_hidden = 12;
    ck_assert_int_eq(nnc_model_set(&model, "mlps", "dense,experts", NULL), NNC_OK);
    const nnc_result mixed = estimate_on_cluster(&model, &plan);
    model.decoder.mlps_count = 0;
    model.decoder.dense_layers = 2;
    const nnc_result apart = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(mixed.params, apart.params);
    /* A layer with experts is larger than a dense layer. If both stages are equal, the first stage needs most memory,
     * because two micro-batches are in flight. Weights take 2 B per parameter, master copies and moments 12 B. */
    const int64_t more = 4 * 3 * 96 + 32 - 3 * 96 + 8;
    ck_assert_int_eq(mixed.memory_stage, 0);
    ck_assert_int_eq(apart.memory_stage, 1);
    ck_assert_int_eq(apart.memory.weight_bytes - mixed.memory.weight_bytes, 2 * more);
    ck_assert_int_eq(apart.memory.optimizer_bytes - mixed.memory.optimizer_bytes, 12 * more);
}
END_TEST

/* If the list has only layers with experts, the results are those of a model with experts and without a list. No layer
 * has an MLP of ffn_hidden = 13, so two tensor ranks are legal, although 13 is not a multiple of 2. */
START_TEST(a_list_of_experts) {
    nnc_model model = llama(4, 8, 4, 2, 13, 10, 8);
    nnc_plan plan = causal_bf16();
    plan.tensor = 2;
    model.decoder.experts = 4;
    model.decoder.experts_per_token = 1;
    model.decoder.expert_hidden = 12;
    const nnc_result plain = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(nnc_model_set(&model, "mlps", "experts", NULL), NNC_OK);
    const nnc_result listed = estimate_on_cluster(&model, &plan);
    ck_assert_double_eq(listed.step_s, plain.step_s);
    ck_assert_int_eq(listed.memory.total_bytes, plain.memory.total_bytes);
}
END_TEST

/* The model has two layers of width 4. Each layer norm has 8 parameters, and one norm follows the last layer. */
START_TEST(norms_by_place) {
    static const struct {
        nnc_norm_place place;
        int norms;
    } places[] = { { NNC_NORM_PRE, 5 },      { NNC_NORM_POST, 4 },     { NNC_NORM_BRANCH, 5 },
                   { NNC_NORM_SANDWICH, 9 }, { NNC_NORM_PARALLEL, 3 }, { NNC_NORM_PARALLEL_TWO, 5 } };
    nnc_model model = gpt(2, 4, 2, 10, 3);
    const nnc_plan plan = causal_bf16();
    ck_assert_int_eq(COUNT_OF(places), NNC_NORM_PLACE_COUNT);
    for (int i = 0; i < NNC_NORM_PLACE_COUNT; i++) {
        model.decoder.norm_place = places[i].place;
        const nnc_result r = estimate_on_cluster(&model, &plan);
        ck_assert_int_eq(r.params_by_group[NNC_GROUP_NORM], 8 * places[i].norms);
    }
    model.decoder.norm_place = NNC_NORM_PRE;
    model.decoder.embed_norm = true;
    ck_assert_int_eq(estimate_on_cluster(&model, &plan).params_by_group[NNC_GROUP_NORM], 8 * 6);
    model.decoder.plain_norms = true;
    ck_assert_int_eq(estimate_on_cluster(&model, &plan).params_by_group[NNC_GROUP_NORM], 0);
}
END_TEST

/* Parallel attention and MLP read the output of the same norm. Therefore the MLP keeps neither a copy of the norm's
 * output nor the input and statistics of a norm of its own: 3 x 8 bytes less for each token of width 4. If attention
 * and MLP are parallel, but each has a norm of its own, the two norms have the same input, so the input is kept only
 * once. */
START_TEST(parallel_halves_keep_less) {
    nnc_model model = gpt(1, 4, 2, 10, 3);
    const nnc_plan plan = causal_bf16();
    const int64_t pre = estimate_on_cluster(&model, &plan).memory.activation_bytes;
    model.decoder.norm_place = NNC_NORM_PARALLEL;
    ck_assert_int_eq(pre - estimate_on_cluster(&model, &plan).memory.activation_bytes, 3 * (8 + 8 + 8));
    model.decoder.norm_place = NNC_NORM_PARALLEL_TWO;
    ck_assert_int_eq(pre - estimate_on_cluster(&model, &plan).memory.activation_bytes, 3 * 8);
}
END_TEST

/* Tensor ranks add up the outputs of attention and MLP in one all-reduce. */
START_TEST(parallel_halves_reduce_once) {
    nnc_model model = gpt(3, 4, 2, 10, 4);
    nnc_plan plan = causal_bf16();
    plan.tensor = 2;
    estimate_on_cluster(&model, &plan);
    ck_assert_double_eq(runs("attn.tensor_out") + runs("mlp.tensor_out"), 6);
    model.decoder.norm_place = NNC_NORM_PARALLEL;
    estimate_on_cluster(&model, &plan);
    ck_assert_double_eq(runs("attn.tensor_out") + runs("mlp.tensor_out"), 3);
}
END_TEST

/* 4 query heads and 2 key heads of width 6 are 24 and 12 wide. RMS norms have one weight per value. */
START_TEST(query_and_key_norms) {
    static const int params[] = { 0, 2 * 6, 24 + 12, 0 };
    nnc_model model = llama(1, 8, 4, 2, 12, 10, 5);
    nnc_plan plan = causal_bf16();
    model.decoder.head_dim = 6;
    const int64_t without = estimate_on_cluster(&model, &plan).params;
    for (int i = 0; i < NNC_QK_NORM_COUNT; i++) {
        model.decoder.qk_norm = (nnc_qk_norm)i;
        ck_assert_int_eq(estimate_on_cluster(&model, &plan).params, without + params[i]);
        ck_assert_double_eq(vector_flops_of("attn.q_norm"), i > 0 ? 4 * 5 * 24 : 0);
        ck_assert_double_eq(vector_flops_of("attn.k_norm"), i > 0 ? 4 * 5 * 12 : 0);
        plan.tensor = 2; /* each tensor rank has its own heads */
        estimate_on_cluster(&model, &plan);
        ck_assert_double_eq(vector_flops_of("attn.q_norm"), i > 0 ? 4 * 5 * 12 : 0);
        plan.tensor = 1;
    }
}
END_TEST

/* The model has width 8, 4 query heads and 2 key heads of width 2, inner width 12 and 10 words. Queries have 8 biases,
 * keys 4 and values 4. */
START_TEST(biases_by_place) {
    static const struct {
        const char *field;
        int params;
    } places[] = { { "qkv_bias", 8 + 4 + 4 }, { "out_bias", 8 },        { "mlp_bias", 2 * 12 + 8 },
                   { "head_bias", 10 },       { "no_key_bias", 8 + 4 }, /* after qkv_bias below */
                   { "biases", 16 + 8 + 32 } };
    const nnc_plan plan = causal_bf16();
    for (int i = 0; i < (int)COUNT_OF(places); i++) {
        nnc_model model = llama(1, 8, 4, 2, 12, 10, 5);
        const int64_t without = estimate_on_cluster(&model, &plan).params;
        model.decoder.qkv_bias = strcmp(places[i].field, "no_key_bias") == 0;
        ck_assert_int_eq(nnc_model_set(&model, places[i].field, "on", NULL), NNC_OK);
        ck_assert_int_eq(estimate_on_cluster(&model, &plan).params, without + places[i].params);
    }
}
END_TEST

/* The model has 4 heads of width 2 on tokens of width 8. The gate is a second query projection of 8 x 8 weights, and
 * one product per value of the output. Sinks are one value per head. With a full rotation, 2 values of each of 4 query
 * heads and 2 key heads change; with half a rotation, 1 value of each head changes. */
START_TEST(gates_sinks_and_rotation) {
    nnc_model model = llama(1, 8, 4, 2, 12, 10, 5);
    const nnc_plan plan = causal_bf16();
    const nnc_result plain = estimate_on_cluster(&model, &plan);
    const double turned = vector_flops_of("attn.rotary");
    model.decoder.sinks = true;
    ck_assert_int_eq(estimate_on_cluster(&model, &plan).params, plain.params + 4);
    model.decoder.sinks = false;
    model.decoder.attention_gate = true;
    nnc_result r = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(r.params, plain.params + 64);
    ck_assert_double_eq(r.forward_flops, plain.forward_flops + 2 * 5 * 64);
    ck_assert_double_eq(runs("attn.gate"), 1);
    model.decoder.attention_gate = false;
    model.decoder.rotary_dim = 1;
    estimate_on_cluster(&model, &plan);
    ck_assert_double_eq(vector_flops_of("attn.rotary"), turned / 2);
    const nnc_device device = cluster_device();
    nnc_software apart = nnc_software_default();
    /* if the scaling is not fused into the rotation, the rotation makes 6 passes over memory instead of 2 */
    apart.fused_rotary_scale = false;
    estimate_with(&model, &device, &apart, &plan);
    const double once = row_of("attn.rotary", NNC_PHASE_FORWARD)->work.read_bytes;
    model.decoder.rotary_scale = true;
    estimate_with(&model, &device, &apart, &plan);
    ck_assert_double_eq(row_of("attn.rotary", NNC_PHASE_FORWARD)->work.read_bytes, 4 * once);
    model.decoder.rotary_scale = false;
    model.decoder.rotary_dim = 0;
    set_mixers(&model, "full_unrotated");
    estimate_on_cluster(&model, &plan);
    ck_assert_double_eq(runs("attn.rotary"), 0);
}
END_TEST

/* Liger-Kernel computes logits in ceil(words / width) chunks: 50,257 / 768 = 65.4 and 50,688 / 768 = 66. Products in
 * fp4 have operands with one scale per block of values. Products in fp8 have operands with scales for blocks if the
 * software profile has scales per block. */
START_TEST(chunks_and_blocks) {
    static nnc_op_list list;
    nnc_plan plan = nnc_plan_default();
    plan.tensor = plan.context = plan.expert = 1;
    for (int i = 0; i < 8; i++) {
        const nnc_model model = gpt(1, 768, 12, i % 2 == 0 ? 50257 : 50688, 64);
        const nnc_software liger = { .loss_keep = NNC_LOSS_KEEPS_CHUNKS, .block_scales = i / 2 % 2 != 0 };
        const nnc_dtype dtype = i < 4 ? NNC_FP8 : NNC_FP4;
        const nnc_lowering how = { .plan = &plan, .software = &liger, .dtype = NNC_BF16, .linear_dtype = dtype };
        int found = 0;
        nnc_lower(&model, &how, &list);
        for (int32_t k = 0; k < list.count; k++) {
            const nnc_op *op = &list.ops[k];
            if (strcmp(op->name, "head.logits") == 0) { found += op->u.matmul.chunks == 66; }
            if (strcmp(op->name, "mlp.up") != 0) { continue; }
            ck_assert_int_eq(op->u.matmul.in_blocks, dtype == NNC_FP4 || liger.block_scales);
            found++;
        }
        ck_assert_int_eq(found, 2);
    }
}
END_TEST

/* A soft cap takes three more operations for each value: 2 heads x 6 pairs for scores, 3 tokens x 10 words for
 * logits. */
START_TEST(soft_caps) {
    nnc_model model = gpt(1, 4, 2, 10, 3);
    nnc_plan plan = causal_bf16();
    estimate_on_cluster(&model, &plan);
    const double plain = vector_flops_of("attn.core");
    model.decoder.score_softcap = model.decoder.logit_softcap = true;
    estimate_on_cluster(&model, &plan);
    ck_assert_double_eq(vector_flops_of("attn.core"), plain + 3 * 2 * 6);
    ck_assert_double_eq(vector_flops_of("head.softcap"), 3 * 3 * 10);
    plan.attention = NNC_ATTENTION_UNFUSED; /* unfused attention caps all 9 scores of a head */
    estimate_on_cluster(&model, &plan);
    ck_assert_double_eq(vector_flops_of("attn.softcap"), 3 * 2 * 9);
}
END_TEST

/* 4 experts of width 12 process tokens of width 8. An expert with biases has 24 + 8 bias values. An expert without a
 * gate has 2 matrices of 96 weights instead of 3. The gate of the shared expert has 8 weights. */
START_TEST(experts_of_other_forms) {
    nnc_model model = llama(1, 8, 4, 2, 12, 10, 5);
    const nnc_plan plan = causal_bf16();
    model.decoder.experts = 4;
    model.decoder.experts_per_token = 1;
    model.decoder.expert_hidden = 12;
    const nnc_result gated = estimate_on_cluster(&model, &plan);
    model.decoder.expert_bias = true;
    const nnc_result biased = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(biased.params, gated.params + 4 * (24 + 8));
    ck_assert_int_eq(biased.active_params, gated.active_params + 24 + 8);
    ck_assert_ptr_null(find_row("moe.bias", NNC_PHASE_FORWARD)); /* the products add the bias */
    const nnc_device device = cluster_device();
    nnc_software apart = nnc_software_default();
    /* the bias has a separate kernel: for each of 5 x 8 values, 28 B in forward and 40 B in backward */
    apart.fused_expert_bias = false;
    estimate_with(&model, &device, &apart, &plan);
    const nnc_work forward = row_of("moe.bias", NNC_PHASE_FORWARD)->work;
    const nnc_work backward = row_of("moe.bias", NNC_PHASE_BACKWARD)->work;
    ck_assert_double_eq(forward.read_bytes + forward.write_bytes, 5 * 8 * 28.0);
    ck_assert_double_eq(backward.read_bytes + backward.write_bytes, 5 * 8 * 40.0);
    /* a kernel writes 24 + 8 biases for each copy of a token, and reads the biases of 4 experts */
    apart.expert_bias_gathered = true;
    estimate_with(&model, &device, &apart, &plan);
    const nnc_work gathered = row_of("moe.bias", NNC_PHASE_FORWARD)->work;
    ck_assert_double_eq(gathered.write_bytes, 5 * 32 * 2.0);
    ck_assert_double_eq(gathered.read_bytes, 4 * 32 * 2.0);
    apart.expert_bias_gathered = false;
    model.decoder.expert_bias = false;
    model.decoder.expert_clamp = true;
    estimate_on_cluster(&model, &plan);
    /* The kernel of the activation includes the clamp. */
    ck_assert_ptr_null(find_row("moe.clamp", NNC_PHASE_FORWARD));
    /* a separate kernel clamps 5 tokens x 24 values of 2 B: 4 passes over memory in forward, 5 in backward */
    apart.fused_expert_clamp = false;
    estimate_with(&model, &device, &apart, &plan);
    const nnc_op_cost *cut = row_of("moe.clamp", NNC_PHASE_FORWARD);
    ck_assert_double_eq(cut->work.read_bytes + cut->work.write_bytes, 4 * 5 * 24 * 2.0);
    ck_assert_double_eq(nnc_op_kept_bytes(cut->op), 5 * 24 * 2.0);
    const nnc_work uncut = row_of("moe.clamp", NNC_PHASE_BACKWARD)->work;
    ck_assert_double_eq(uncut.read_bytes + uncut.write_bytes, 5 * 5 * 24 * 2.0);
    model.decoder.expert_clamp = false;
    model.decoder.mlp = NNC_MLP_RELU2;
    ck_assert_int_eq(estimate_on_cluster(&model, &plan).params, gated.params - 4 * 96);
    model.decoder.mlp = NNC_MLP_SWIGLU;
    model.decoder.shared_hidden = 12;
    const int64_t shared = estimate_on_cluster(&model, &plan).params;
    model.decoder.shared_gate = true;
    ck_assert_int_eq(estimate_on_cluster(&model, &plan).params, shared + 8);
}
END_TEST

static double bytes(const nnc_op_cost *row) { return row->work.read_bytes + row->work.write_bytes; }

/* There are 2 tokens and 2 heads. A head has a key of 2 + 1 values and a value vector of 3 values. If the rotation is
 * fused, a kernel reads 5 values of keys and values per token and head, and writes 6: 2 tokens * 2 heads * 2 B * 11. If
 * the rotation is separate, a kernel also copies the 3 values of each query, so it reads 3 values more and writes 3
 * values more: 2 tokens * 2 heads * 2 B * (11 + 6). */
START_TEST(latent_keys_lie_by_heads) {
    nnc_model model = llama(1, 4, 2, 2, 12, 10, 2);
    const nnc_plan plan = causal_bf16();
    const nnc_device device = cluster_device();
    nnc_software software = nnc_software_default();
    model.decoder.kv_lora_rank = 4;
    model.decoder.qk_nope_head_dim = 2;
    model.decoder.qk_rope_head_dim = 1;
    model.decoder.v_head_dim = 3;
    wanted_name = "attn.by_heads";
    estimate_with(&model, &device, &software, &plan);
    ck_assert_double_eq(sum_rows(is_named, bytes), 2 * 2 * 2.0 * (5 + 6));
    software.fused_rotary = false;
    estimate_with(&model, &device, &software, &plan);
    ck_assert_double_eq(sum_rows(is_named, bytes), 2 * 2 * 2.0 * (5 + 6 + 3 + 3));
}
END_TEST

/* 5 tokens of width 8 go to 2 of 4 experts on 2 ranks. A kernel sorts 10 rows of 8 values of 2 B before the experts,
 * and a second kernel restores the order after the experts. Each kernel reads and writes all rows. With one expert on
 * each of 4 ranks, there is no sorting. */
START_TEST(rows_are_sorted_where_they_arrive) {
    nnc_model model = llama(1, 8, 4, 2, 12, 10, 5);
    const nnc_device device = cluster_device();
    nnc_software software = nnc_software_default();
    nnc_plan plan = causal_bf16();
    model.decoder.experts = 4;
    model.decoder.experts_per_token = 2;
    model.decoder.expert_hidden = 12;
    plan.data = plan.devices = 4;
    plan.expert = 2;
    estimate_with(&model, &device, &software, &plan);
    ck_assert_double_eq(runs("moe.sort"), 0);
    software.expert_sorts = true;
    estimate_with(&model, &device, &software, &plan);
    ck_assert_double_eq(runs("moe.unsort"), 1);
    wanted_name = "moe.sort";
    ck_assert_double_eq(sum_rows(is_named, bytes), 10 * 8 * 2 * 2.0);
    plan.expert = 4;
    estimate_with(&model, &device, &software, &plan);
    ck_assert_double_eq(runs("moe.sort"), 0);
}
END_TEST

static double flops(const nnc_op_cost *row) { return row->work.flops; }

/* 6 tokens of width 8 go to 2 of 4 experts. With capacity factor 1.25, each expert has 4 slots. Dispatch and combine
 * each multiply with a mask of 16 slots x 6 tokens, 2 FLOPs per term. Products with masks count as executed FLOPs, not
 * as model FLOPs. Backward computes the gradients of the tokens, of the results and of the mask of the results. */
START_TEST(slots_are_filled_by_products_with_masks) {
    nnc_model model = llama(1, 8, 4, 2, 12, 10, 6);
    const nnc_device device = cluster_device();
    nnc_software software = nnc_software_default();
    nnc_plan plan = causal_bf16();
    model.decoder.experts = 4;
    model.decoder.experts_per_token = 2;
    model.decoder.expert_hidden = 12;
    plan.capacity_factor = 1.25;
    const nnc_result sorted = estimate_with(&model, &device, &software, &plan);
    software.expert_masks = true;
    const nnc_result masked = estimate_with(&model, &device, &software, &plan);
    wanted_name = "moe.dispatch";
    ck_assert_double_eq(sum_rows(is_named, flops), 2 * 16 * 6 * 8);
    wanted_name = "moe.combine";
    ck_assert_double_eq(sum_rows(is_named, flops), 2 * 16 * 6 * 8);
    ck_assert_double_eq(masked.model_flops, sorted.model_flops);
    ck_assert_double_eq(masked.executed_flops - sorted.executed_flops, 5 * 2 * 16 * 6 * 8);
}
END_TEST

/* The model has width 8, 4 query heads and 2 key heads of width 2, inner width 12 and RMS norms. A layer has 8 * 16
 * (queries, keys and values) + 8 * 8 (output) + 3 * 8 * 12 (MLP) + 2 * 8 (norms) = 496 parameters. A layer that
 * predicts later tokens also has 2 * 64 parameters of a projection from 16 to 8 values, and 3 * 8 parameters of
 * norms. */
START_TEST(layers_that_predict_further_tokens_are_told) {
    nnc_model model = llama(2, 8, 4, 2, 12, 10, 5);
    const nnc_plan plan = plan_of(1, 1, 1);
    const nnc_result none = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(none.next_params, 0);
    model.decoder.next_layers = 2;
    const nnc_result two = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(two.next_params, 2 * (496 + 128 + 24));
    ck_assert_int_eq(two.params, none.params);
    ck_assert_double_eq(two.step_s, none.step_s);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        mixers_alternate,
        mixers_that_are_alike,
        stages_hold_their_own_layers,
        a_list_of_experts,
        norms_by_place,
        parallel_halves_keep_less,
        parallel_halves_reduce_once,
        query_and_key_norms,
        biases_by_place,
        gates_sinks_and_rotation,
        latent_keys_lie_by_heads,
        rows_are_sorted_where_they_arrive,
        slots_are_filled_by_products_with_masks,
        soft_caps,
        chunks_and_blocks,
        experts_of_other_forms,
        layers_that_predict_further_tokens_are_told,
    };
    return run_tests("decoder_layers", tests, COUNT_OF(tests));
}
