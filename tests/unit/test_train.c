/* Tests the training of some layers, adapters and frozen weights, on models that are small enough to count by hand. */
#include "cluster.h"
#include "shape/shape_internal.h"

static nnc_result trained(const nnc_model *model, unsigned train, int64_t rank) {
    nnc_plan plan = plan_of(1, 1, 1);
    plan.train = train;
    plan.adapter_rank = rank;
    return estimate_on_cluster(model, &plan);
}

/* Adapters on all linear layers of LLaMA 7B, counted as by the authors of QLoRA. Each of 32 layers has rank x (4 (4096
 * + 4096) + 3 (4096 + 11008)) parameters: 39,976,960 in all layers with rank 16. */
START_TEST(llama_adapters) {
    const nnc_model *model = load_model("models/llama-7b.json");
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_BF16;
    plan.adapter_rank = 16;
    const nnc_result lora = estimate(model, &plan);
    ck_assert_int_eq(lora.trained_params, 39976960);
    plan.adapter_rank = 64;
    ck_assert_int_eq(estimate(model, &plan).trained_params, 159907840);
    plan.adapters = NNC_ADAPTED_ATTENTION;
    ck_assert_int_eq(estimate(model, &plan).trained_params, 32 * 64 * 4 * 8192);
    plan.adapter_rank = 8; /* only queries and values have adapters; peft prints 4,194,304 */
    plan.adapters = NNC_ADAPTED_QUERY | NNC_ADAPTED_VALUE;
    ck_assert_int_eq(estimate(model, &plan).trained_params, 4194304);
    plan.adapters = NNC_ADAPTED_UP | NNC_ADAPTED_DOWN;
    ck_assert_int_eq(estimate(model, &plan).trained_params, 32 * 8 * 2 * (4096 + 11008));
    plan.adapters = NNC_ADAPTED_QKV; /* queries, keys and values are one matrix of 4096 x 12288 */
    ck_assert_int_eq(estimate(model, &plan).trained_params, 32 * 8 * (4096 + 12288));
    plan.adapters = NNC_ADAPTED_ATTENTION | NNC_ADAPTED_MLP;
    ck_assert_int_eq(estimate(model, &plan).trained_params, 39976960 / 2);
    plan.adapters = NNC_ADAPTED_LINEAR;
    plan.adapter_rank = 16;
    plan.dora = true; /* DoRA adds a length for each of 4 * 4096 + 2 * 11008 + 4096 outputs */
    ck_assert_int_eq(estimate(model, &plan).trained_params, 39976960 + 32 * (4 * 4096 + 2 * 11008 + 4096));
    plan.adapter_rank = 0;
    plan.dora = false;
    const nnc_result whole = estimate(model, &plan);
    ck_assert_int_eq(whole.trained_params, whole.params);
    ck_assert_int_eq(lora.params - lora.trained_params, whole.params);
}
END_TEST

/* DoRA multiplies A (k x 16) with B (16 x n) to compute the length of W + A B. Full recomputation repeats all of
 * forward. So a layer of LLaMA 7B repeats the product of A and B for 4 matrices of 4096 x 4096 and 3 of 4096 x
 * 11008. */
START_TEST(lengths_of_dora_are_computed_again) {
    const nnc_model *model = load_model("models/llama-7b.json");
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_BF16;
    plan.adapter_rank = 16;
    plan.recompute = NNC_RECOMPUTE_FULL;
    const double product = 2.0 * 16 * (4.0 * 4096 * 4096 + 3.0 * 4096 * 11008);
    for (int64_t layers = 0; layers <= 2; layers += 2) { /* with 0, all 32 layers are trained */
        plan.train_layers = layers;
        plan.dora = false;
        const double plain = estimate(model, &plan).recompute_flops;
        plan.dora = true;
        const double repeated = (layers > 0 ? (double)layers : 32.0) * product;
        ck_assert_double_eq_tol(estimate(model, &plan).recompute_flops - plain, repeated, 1e-9 * plain);
    }
}
END_TEST

/* Adapters of queries (32 heads of 128) and values (8 heads of 128) in Llama 3 8B: 32 layers of 8 (4096 + 4096) + 8
 * (4096 + 1024). peft prints the same number. */
START_TEST(adapters_of_grouped_queries) {
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_BF16;
    plan.adapter_rank = 8;
    plan.adapters = NNC_ADAPTED_QUERY | NNC_ADAPTED_VALUE;
    ck_assert_int_eq(estimate(load_model("models/llama3-8b.json"), &plan).trained_params, 3407872);
}
END_TEST

/* 2 layers of width 8. Each layer adds a vector of 3 values per token, which is looked up and projected from the input
 * (8 -> 2 * 3). Each layer projects its 8 values to 3 and back to 8. Adapters of rank 2 on all linear layers have 2 (8
 * + 6) parameters more for the projection of the input, and 2 (8 + 3) + 2 (3 + 8) more in each of 2 layers. */
START_TEST(adapters_of_layer_inputs) {
    nnc_model model = llama(2, 8, 2, 2, 12, 10, 6);
    const int64_t plain = trained(&model, NNC_TRAIN_ALL, 2).trained_params;
    model.decoder.layer_input_width = 3;
    model.decoder.layer_input_vocab = 10;
    ck_assert_int_eq(trained(&model, NNC_TRAIN_ALL, 2).trained_params - plain, 2 * 14 + 2 * (2 * 11 + 2 * 11));
}
END_TEST

/* Adafactor keeps one number per row and per column of a matrix, and one per value of a vector. The second of 2 stages
 * has a layer of width 8. The matrices of this layer have 8 + 24 (qkv), 16 (output), 40 (up) and 40 (down) rows and
 * columns. Its biases have 24, 8, 32 and 8 values, and its two norms have 16 each. The second stage also has the last
 * norm and a second table for the tied head, 100 x 8. */
START_TEST(factored_moments_of_a_second_table) {
    const nnc_model model = gpt(2, 8, 2, 100, 6);
    nnc_plan plan = nnc_plan_default();
    int32_t count = 0;
    plan.devices = plan.pipeline = 2;
    plan.policy = NNC_POLICY_FP32;
    plan.optimizer = NNC_OPTIMIZER_ADAFACTOR;
    estimate_on_cluster(&model, &plan);
    const nnc_stage *stages = nnc_scratch_stages(scratch, &count);
    ck_assert_int_eq(count, 2);
    ck_assert_int_eq(stages[1].memory.optimizer_bytes, 4 * (32 + 24 + 24 + 72 + 48 + 32 + 16 + 108));
}
END_TEST

/* Routed experts of Qwen3 30B-A3B: 48 layers of 128 experts. The joined gate and up matrix of an expert is 2048 x 1536,
 * its down matrix 768 x 2048. An adapter has matrices of in x rank and rank x out. */
START_TEST(adapters_of_experts) {
    const nnc_model *model = load_model("hub/qwen3-30b-a3b.json");
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_BF16;
    plan.adapter_rank = 16;
    plan.adapters = NNC_ADAPTED_EXPERTS;
    const int64_t of_layer = 128 * 16 * (2048 + 1536 + 768 + 2048);
    ck_assert_int_eq(estimate(model, &plan).trained_params, 48 * of_layer);
    /* attention has 32 query heads, 4 heads of keys and 4 of values, with width 128 */
    plan.adapters |= NNC_ADAPTED_ATTENTION;
    const int64_t attention = 16 * (2048 + 4096 + 2 * (2048 + 512) + 4096 + 2048);
    ck_assert_int_eq(estimate(model, &plan).trained_params, 48 * (of_layer + attention));
    plan.adapters = NNC_ADAPTED_ATTENTION; /* without adapters of experts */
    ck_assert_int_eq(estimate(model, &plan).trained_params, 48 * attention);
}
END_TEST

/* 2 tokens of width 4 are the input of the projection of queries and, after its norm, of the projection of keys and
 * values. The first product keeps its input, 2 * 4 values of 2 bytes, even if it is frozen, as long as the second
 * product has an adapter. Only the adapters, which have rank 1, are trained. */
START_TEST(a_frozen_product_keeps_for_the_next) {
    const nnc_device device = cluster_device();
    const nnc_software software = nnc_software_default();
    nnc_model model = llama(1, 4, 2, 2, 12, 10, 2);
    nnc_plan plan = plan_of(1, 1, 1);
    model.decoder.q_lora_rank = 3;
    model.decoder.kv_lora_rank = 4;
    model.decoder.qk_nope_head_dim = 2;
    model.decoder.qk_rope_head_dim = 1;
    model.decoder.v_head_dim = 3;
    plan.adapter_rank = 1;
    for (int i = 0; i < 2; i++) {
        plan.adapters = i == 0 ? NNC_ADAPTED_KEY : NNC_ADAPTED_OUT;
        const nnc_result r = estimate_with(&model, &device, &software, &plan);
        const nnc_op_cost *row = find_row("attn.q_down", NNC_PHASE_FORWARD);
        ck_assert_double_eq(nnc_op_kept_bytes(row->op), i == 0 ? 2.0 * 2 * 4 : 0.0);
        /* parameters of the adapters: first for products from 4 to 5 values and from 4 values to 2 heads of 2 + 3
         * values, then for a product from 2 heads of 3 values to 4 values */
        ck_assert_int_eq(r.trained_params, i == 0 ? 4 + 5 + 4 + 10 : 6 + 4);
    }
}
END_TEST

/* The policy determines the bytes of trained weights. Outside of linear layers, a frozen weight has two bytes. In a
 * linear layer, a frozen weight has two bytes (16 bits), one byte (8 bits), or 0.5 + 1/64 + 4/16384 bytes (4 bits with
 * scales). In fp32 all weights have four bytes. */
START_TEST(frozen_weights_are_stored) {
    static const double stored[] = { 2, 1, 0.5 + 1 / 64.0 + 4 / 16384.0, 1, 4 };
    const nnc_model *model = load_model("models/llama-7b.json");
    const double matrices = 32.0 * (4.0 * 4096 * 4096 + 3.0 * 4096 * 11008);
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_BF16;
    const nnc_result whole = estimate(model, &plan);
    const double of_weights = (double)whole.memory.weight_bytes / (double)whole.params;
    const double of_gradients = (double)whole.memory.gradient_bytes / (double)whole.params;
    const double of_states = (double)whole.memory.optimizer_bytes / (double)whole.params;
    plan.adapter_rank = 16;
    ck_assert_int_eq(COUNT_OF(stored), NNC_FROZEN_COUNT);
    for (int i = 0; i < NNC_FROZEN_COUNT; i++) {
        plan.frozen = (nnc_frozen)i;
        const nnc_result r = estimate(model, &plan);
        const double own = (double)r.trained_params, others = i == NNC_FROZEN_32 ? 4.0 : 2.0;
        ck_assert_double_eq_tol((double)r.memory.weight_bytes,
                                own * of_weights + stored[i] * matrices + others * ((double)whole.params - matrices),
                                2);
        ck_assert_double_eq_tol((double)r.memory.gradient_bytes, own * of_gradients, 2);
        ck_assert_double_eq_tol((double)r.memory.optimizer_bytes, own * of_states, 2);
    }
}
END_TEST

/* With width 4, MLP width 16, 10 words and 6 tokens, the products of the layer have 3 * 16 + 16 weights in attention
 * and 128 in the MLP, and the logits have 40. Frozen products compute only the gradient of their input. If the logits
 * use the embedding table, they compute the gradients of input and weights. If only the head is trained, all ops before
 * the head run only forward and keep nothing. */
START_TEST(gradients_that_remain) {
    const nnc_model model = gpt(1, 4, 2, 10, 6);
    const nnc_result all = trained(&model, NNC_TRAIN_ALL, 0);
    const double products = 2.0 * 6 * (64 + 128 + 40), pairs = all.forward_flops - products;
    ck_assert_double_eq(all.backward_flops, 2 * products + 2 * pairs);
    /* The tied table and the norms are trained. The products between embedding and head have no weight gradient; the
     * head has one. */
    const nnc_result norms = trained(&model, NNC_TRAIN_EMBEDDING | NNC_TRAIN_NORM, 0);
    ck_assert_double_eq(norms.forward_flops, all.forward_flops);
    ck_assert_double_eq(norms.backward_flops, products + 2.0 * 6 * 40 + 2 * pairs);
    ck_assert_int_lt(norms.memory.activation_bytes, all.memory.activation_bytes);
    nnc_model untied = model;
    untied.decoder.tied_head = false;
    const nnc_result head = trained(&untied, NNC_TRAIN_HEAD, 0);
    ck_assert_int_eq(head.trained_params, 40);
    ck_assert_double_eq(head.backward_flops, 2.0 * 6 * 40);
}
END_TEST

/* The last 2 of 32 layers of LLaMA 7B are trained. Each layer has 4 matrices of 4096 x 4096, 3 of 4096 x 11008 and two
 * gains of 4096. The first 30 layers run only forward. */
START_TEST(last_layers_are_trained) {
    const nnc_model *model = load_model("models/llama-7b.json");
    const int64_t of_layer = 4 * 4096 * 4096 + 3 * 4096 * 11008 + 2 * 4096;
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_BF16;
    const nnc_result all = estimate(model, &plan);
    const double of_layer_flops = (all.backward_flops - 2 * 2.0 * 2048 * 32000 * 4096) / 32;
    plan.train_layers = 2;
    const nnc_result last = estimate(model, &plan);
    ck_assert_int_eq(last.params, all.params);
    ck_assert_int_eq(last.trained_params, 2 * of_layer);
    ck_assert_double_eq(last.forward_flops, all.forward_flops);
    /* backward computes all gradients of two layers, and the gradient of the input of the head */
    ck_assert_double_eq_tol(last.backward_flops, 2 * of_layer_flops + 2.0 * 2048 * 32000 * 4096, 1e6);
    ck_assert_double_eq_tol((double)last.memory.gradient_bytes, 2.0 * 2 * (double)of_layer, 2);
    /* layers 4 and 5 are trained: layers 6 to 31 compute the gradient of their input, with the FLOPs of their
     * forward */
    plan.train_from = 4;
    const nnc_result middle = estimate(model, &plan);
    ck_assert_int_eq(middle.trained_params, 2 * of_layer);
    const double products = 2.0 * 2048 * (double)(of_layer - 2 * 4096);
    ck_assert_double_eq_tol(middle.backward_flops, last.backward_flops + 26 * (of_layer_flops - products), 1e6);
    ck_assert_double_gt((double)middle.memory.activation_bytes, (double)last.memory.activation_bytes);
    plan.recompute = NNC_RECOMPUTE_FULL; /* two layers run twice, and their inputs are kept */
    plan.train_from = -1;
    const nnc_result again = estimate(model, &plan);
    plan.train_layers = 4;
    const nnc_result more = estimate(model, &plan);
    ck_assert_int_eq(more.memory.activation_bytes - again.memory.activation_bytes, 2 * 2 * 2048 * 4096);
    plan.train_layers = 33; /* the model has 32 layers */
    const nnc_device device = plain_device();
    const nnc_software software = nnc_software_default();
    nnc_result result;
    nnc_error err;
    ck_assert_int_eq(nnc_estimate(model, &device, &software, &plan, scratch, &result, &err), NNC_ILLEGAL_PLAN);
    ck_assert_str_eq(err.where, "--train-layers");
}
END_TEST

/* Adapters in 3 of 32 layers, from layer 10 on. A plan with a range of all layers has the same estimate as a plan
 * without a range. */
START_TEST(adapters_of_some_layers) {
    const nnc_model *model = load_model("models/llama-7b.json");
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_BF16;
    plan.adapter_rank = 16;
    const nnc_result all = estimate(model, &plan);
    plan.train_layers = 3;
    plan.train_from = 10;
    ck_assert_int_eq(estimate(model, &plan).trained_params, 39976960 / 32 * 3);
    plan.train_layers = 32;
    plan.train_from = 0;
    const nnc_result whole = estimate(model, &plan);
    ck_assert_int_eq(whole.trained_params, all.trained_params);
    ck_assert_double_eq(whole.backward_flops, all.backward_flops);
    ck_assert_int_eq(whole.memory.activation_bytes, all.memory.activation_bytes);
    ck_assert_double_eq(whole.step_s, all.step_s);
}
END_TEST

/* The test recomputes the first k of 32 layers completely. If only the last two layers are trained, the layers before
 * them have no backward. So full recomputation of the first k layers recomputes no layer if k is 30, one layer if k is
 * 31, and two layers if k is 32. */
START_TEST(layers_that_run_again) {
    const nnc_model *model = load_model("models/llama-7b.json");
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_BF16;
    plan.recompute = NNC_RECOMPUTE_FULL;
    const double of_layer = estimate(model, &plan).recompute_flops / 32;
    plan.train_layers = 2;
    for (int64_t k = 30; k <= 32; k++) {
        plan.recompute_layers = k;
        ck_assert_double_eq_tol(estimate(model, &plan).recompute_flops, (double)(k - 30) * of_layer, 1.0);
    }
    plan.train_from = 0; /* the layers after the trained layers have a backward, too */
    plan.recompute_layers = 3;
    ck_assert_double_eq_tol(estimate(model, &plan).recompute_flops, 3 * of_layer, 1.0);
}
END_TEST

/* A model of 24 layers, in which three kinds alternate. A range of all layers changes nothing. The parameters of
 * disjoint ranges add up to the parameters of all layers. */
START_TEST(mixed_layers_divide) {
    const nnc_model *model = load_model("hub/qwen3.5-0.8b.json");
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_BF16;
    plan.train = NNC_TRAIN_ATTENTION | NNC_TRAIN_MLP | NNC_TRAIN_NORM;
    const nnc_result all = estimate(model, &plan);
    plan.train_layers = model->decoder.layers;
    plan.train_from = 0;
    const nnc_result whole = estimate(model, &plan);
    ck_assert_int_eq(whole.trained_params, all.trained_params);
    ck_assert_double_eq_tol(whole.step_s, all.step_s, 1e-12 * all.step_s);
    plan.train = NNC_TRAIN_ALL; /* trains all layers, but neither the norm after the layers nor the tower */
    plan.train_from = -1;
    const int64_t layers = estimate(model, &plan).trained_params;
    int64_t sum = 0;
    plan.train_layers = 4;
    for (plan.train_from = 0; plan.train_from < model->decoder.layers; plan.train_from += 4) {
        sum += estimate(model, &plan).trained_params;
    }
    ck_assert_int_eq(sum, layers);
    /* layers of every kind before the trained layers have no backward; only the gradient of the head's input remains */
    plan.seq_len = 2048;
    plan.train_layers = 4;
    plan.train_from = 20;
    const double four = estimate(model, &plan).backward_flops;
    plan.train_layers = 8;
    plan.train_from = 16;
    const double eight = estimate(model, &plan).backward_flops;
    const double head = 2.0 * 2048 * (double)model->decoder.hidden * (double)model->decoder.vocab;
    ck_assert_double_eq_tol(2 * four - eight, head, 1e-9 * eight);
    plan.pipeline = 2; /* all trained layers, of all kinds, are on the second stage */
    plan.micro_batches = 2;
    plan.global_batch = 0;
    plan.devices = 2;
    plan.train_layers = 12;
    plan.train_from = 12;
    const nnc_result second = estimate_on_cluster(model, &plan);
    ck_assert_int_eq(second.memory.gradient_bytes, 2 * second.trained_params);
}
END_TEST

/* Rotations of the inputs of LLaMA 7B's linear layers in blocks of 32: 4 matrices with 4096 inputs, gate and up with
 * 4096, down with 11008. A block has 32 * 31 / 2 = 496 parameters; peft prints the same number. Forward multiplies each
 * input with its block, 2 * 32 FLOPs, and computes three powers of each block with 2 * 32^3 FLOPs each. Backward has
 * twice these FLOPs. */
START_TEST(adapters_that_rotate) {
    const nnc_model *model = load_model("models/llama-7b.json");
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_BF16;
    plan.adapter_rank = 32;
    plan.oft = true;
    const nnc_result r = estimate(model, &plan);
    plan.oft = false;
    plan.adapter_rank = 0;
    const nnc_result all = estimate(model, &plan);
    const double inputs = 6.0 * 4096 + 11008, blocks = inputs / 32;
    ck_assert_int_eq(r.trained_params, (int64_t)(32 * blocks * 496));
    ck_assert_int_eq(r.params - r.trained_params, all.params);
    const double beside = 32 * (2048 * inputs * 64 + blocks * 3 * 65536);
    ck_assert_double_eq_tol(r.forward_flops - all.forward_flops, beside, 1.0);
    const double weights = 32.0 * (4.0 * 4096 * 4096 + 3.0 * 4096 * 11008) + 32000.0 * 4096;
    ck_assert_double_eq_tol(all.backward_flops - r.backward_flops, 2.0 * 2048 * weights - 2 * beside, 1e6);
    /* each matrix keeps a copy of its input, but not of its output */
    plan.oft = true;
    plan.adapter_rank = 32;
    plan.adapters = NNC_ADAPTED_QUERY;
    const nnc_result query = estimate(model, &plan);
    plan.adapters = NNC_ADAPTED_QUERY | NNC_ADAPTED_KEY;
    const nnc_result both = estimate(model, &plan);
    ck_assert_int_eq(both.memory.activation_bytes - query.memory.activation_bytes,
                     32 * (2 * 2048 * 4096 + 2 * 128 * 4 * 32 * 32));
}
END_TEST

/* Rotation blocks of 3 inputs have 3 parameters each. A layer of GPT-2 has five matrices with 768 inputs (three of them
 * in one matrix) and one with 3072. */
START_TEST(odd_blocks_that_rotate) {
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_BF16;
    plan.adapter_rank = 3;
    plan.oft = true;
    ck_assert_int_eq(estimate(load_model("models/gpt2.json"), &plan).trained_params, 12 * (5 * 256 + 1024) * 3);
}
END_TEST

/* A layer of BERT begins with the product of queries, keys and values. If only the last layer is trained, the product
 * of queries, keys and values needs no gradient of its input. If several layers are trained, all trained layers but the
 * first need this gradient; nncost counts the gradient for the first layer, too. */
START_TEST(the_first_trained_layer_passes_nothing_on) {
    const nnc_model *model = load_model("hub/bert-base.json");
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_BF16;
    plan.seq_len = 128;
    double flops[4];
    for (plan.train_layers = 1; plan.train_layers < 4; plan.train_layers++) {
        flops[plan.train_layers] = estimate(model, &plan).backward_flops;
    }
    ck_assert_double_eq_tol((flops[2] - flops[1]) - (flops[3] - flops[2]), 2.0 * 128 * 768 * 3 * 768, 1.0);
}
END_TEST

/* Adapters of rank 2 have 2 * (3 * 4 + 12) parameters for queries, keys and values, and 2 * (4 + 4) for the output of
 * attention. The products of the adapters run once forward and twice backward. */
START_TEST(adapters_work_beside) {
    const nnc_model model = gpt(1, 4, 2, 10, 6);
    nnc_plan plan = plan_of(1, 1, 1);
    plan.adapter_rank = 2;
    plan.adapters = NNC_ADAPTED_ATTENTION;
    const nnc_result r = estimate_on_cluster(&model, &plan);
    const nnc_result all = trained(&model, NNC_TRAIN_ALL, 0);
    ck_assert_int_eq(r.trained_params, 2 * (3 * 4 + 12) + 2 * (4 + 4));
    ck_assert_int_eq(r.params - r.trained_params, all.params);
    /* matrix A of queries, keys and values is 4 x 6, with rank 2 for each; their B matrices have 2 * 12 weights */
    const double beside = 2.0 * 6 * (4 * 6 + 2 * 12 + 4 * 2 + 2 * 4);
    ck_assert_double_eq(r.forward_flops - all.forward_flops, beside);
    const double frozen = 2.0 * 6 * (64 + 128 + 40);
    ck_assert_double_eq(all.backward_flops - r.backward_flops, frozen - 2 * beside);
}
END_TEST

/* Each of two tensor ranks has half of the parameters that the ranks divide, and all parameters that the ranks do not
 * divide. ZeRO divides both. */
START_TEST(adapters_divide) {
    const nnc_model *model = load_model("models/llama-7b.json");
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_BF16;
    plan.adapter_rank = 16;
    plan.frozen = NNC_FROZEN_NF4;
    const nnc_result one = estimate_on_cluster(model, &plan);
    plan.devices = plan.tensor = 2;
    const nnc_result two = estimate_on_cluster(model, &plan);
    ck_assert_int_eq(one.trained_params, two.trained_params);
    ck_assert_int_lt(two.memory.weight_bytes, one.memory.weight_bytes * 11 / 20);
    plan.tensor = 1;
    plan.zero = 3;
    const nnc_result sharded = estimate_on_cluster(model, &plan);
    ck_assert_int_le(sharded.memory.weight_bytes, one.memory.weight_bytes / 2 + 1);
    ck_assert_int_ge(sharded.memory.weight_bytes, one.memory.weight_bytes / 2 - 1);
}
END_TEST

/* --frozen stores only the linear layers of a U-Net in its format, not the convolutions. Linear layers of Stable
 * Diffusion 1: transformer blocks of width c have 18 c^2 + 2 x 768 c weights, 5 blocks with c = 320, 5 with 640, 6 with
 * 1280. The time embedding has 320 x 1280 + 1280 x 1280 weights, and its projections in the residual blocks have 1280 x
 * 20160. */
START_TEST(convolutions_stay_wide) {
    const nnc_model *model = load_model("models/sd1-unet.json");
    const int64_t blocks =
        5 * (18 * 320 * 320 + 1536 * 320) + 5 * (18 * 640 * 640 + 1536 * 640) + 6 * (18 * 1280 * 1280 + 1536 * 1280);
    const int64_t linear = blocks + 320 * 1280 + 1280 * 1280 + 1280 * 20160;
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_BF16;
    plan.adapter_rank = 16;
    const int64_t wide = estimate(model, &plan).memory.weight_bytes;
    plan.frozen = NNC_FROZEN_INT8;
    ck_assert_int_eq(wide - estimate(model, &plan).memory.weight_bytes, linear);
}
END_TEST

static const struct {
    unsigned train;
    int64_t rank;
    bool dora;
    nnc_frozen frozen;
    const char *where;
} faults[] = {
    { NNC_TRAIN_ADAPTERS, 0, false, NNC_FROZEN_16, "--train" },
    { NNC_TRAIN_TIME, 0, false, NNC_FROZEN_16, "--train" },
    { NNC_TRAIN_ALL, 0, true, NNC_FROZEN_16, "--dora" },
    { NNC_TRAIN_ALL, 0, false, NNC_FROZEN_NF4, "--frozen" },
};

START_TEST(plans_that_train_nothing_are_refused) {
    const nnc_device device = cluster_device();
    const nnc_software software = nnc_software_default();
    const nnc_model small = llama(1, 4, 2, 2, 12, 10, 2);
    nnc_plan adapters = plan_of(1, 1, 1);
    nnc_result result;
    adapters.train = NNC_TRAIN_ADAPTERS;
    adapters.adapter_rank = 1;
    ck_assert_int_eq(nnc_estimate(&small, &device, &software, &adapters, scratch, &result, NULL), NNC_OK);
    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        nnc_plan plan = plan_of(1, 1, 1);
        nnc_error err;
        plan.train = faults[i].train;
        plan.adapter_rank = faults[i].rank;
        plan.dora = faults[i].dora;
        plan.frozen = faults[i].frozen;
        const nnc_model model = gpt(1, 4, 2, 10, 6);
        ck_assert_int_eq(nnc_estimate(&model, &device, &software, &plan, scratch, &result, &err), NNC_ILLEGAL_PLAN);
        ck_assert_str_eq(err.where, faults[i].where);
    }
    nnc_plan plan = plan_of(1, 1, 1); /* no layer of the model contains a part of the head */
    nnc_error err;
    const nnc_model model = gpt(2, 4, 2, 10, 6);
    plan.train_layers = 1;
    plan.train = NNC_TRAIN_HEAD | NNC_TRAIN_EMBEDDING;
    ck_assert_int_eq(nnc_estimate(&model, &device, &software, &plan, scratch, &result, &err), NNC_ILLEGAL_PLAN);
    ck_assert_str_eq(err.where, "--train-layers");
    plan.train |= NNC_TRAIN_MLP;
    ck_assert_int_eq(nnc_estimate(&model, &device, &software, &plan, scratch, &result, &err), NNC_OK);
}
END_TEST

/* After frozen layers, the head has its product forward and the gradient of its weights, each with 2 x tokens x hidden
 * x vocab FLOPs. Frozen layers need no gradient of their output, so the head does not compute the gradient of its
 * input. If layers before the head are trained, the head computes the gradient of its input. */
START_TEST(the_first_that_is_trained_passes_nothing_on) {
    nnc_model model = gpt(4, 256, 8, 1000, 128);
    model.decoder.tied_head = false;
    const double product = 2.0 * 128 * 256 * 1000;
    const nnc_result head = trained(&model, NNC_TRAIN_HEAD, 0);
    ck_assert_double_eq(head.backward_flops, product);
    const nnc_result norms = trained(&model, NNC_TRAIN_HEAD | NNC_TRAIN_NORM, 0);
    ck_assert_double_ge(norms.backward_flops, 2 * product);
}
END_TEST

/* On the last of two stages, a tied head is a second copy of the embedding table. If the second copy is frozen, because
 * only adapters are trained, the last stage has the weights of this copy, but no gradients or states. A frozen copy
 * takes the same memory as a separate frozen head. A trained copy also has gradients and states. */
START_TEST(second_table_of_adapters_is_frozen) {
    const nnc_model tied = gpt(2, 64, 4, 500, 32);
    nnc_model own = tied;
    nnc_plan plan = plan_of(1, 1, 2);
    nnc_memory last[4];
    own.decoder.tied_head = false;
    plan.micro_batches = 2;
    for (int i = 0; i < 4; i++) {
        int32_t count = 0;
        plan.adapter_rank = i < 2 ? 4 : 0;
        (void)estimate_on_cluster(i % 2 == 0 ? &tied : &own, &plan);
        const nnc_stage *stages = nnc_scratch_stages(scratch, &count);
        ck_assert_int_eq(count, 2);
        last[i] = stages[1].memory;
    }
    ck_assert_int_eq(last[0].weight_bytes, last[1].weight_bytes);
    ck_assert_int_eq(last[0].gradient_bytes, last[1].gradient_bytes);
    ck_assert_int_eq(last[0].optimizer_bytes, last[1].optimizer_bytes);
    ck_assert_int_lt(last[0].gradient_bytes, 500 * 64 * 2);
    ck_assert_int_eq(last[2].gradient_bytes, last[3].gradient_bytes);
    ck_assert_int_gt(last[2].gradient_bytes, 500 * 64 * 2);
}
END_TEST

/* Masked FLOPs of a step of 3 sequences of 32 tokens. Forward has 2 FLOPs per token and weight: 12 h^2 weights per
 * layer and 500 h of the head. Forward also has 4 h FLOPs for each of 32 x 33 / 2 causal pairs of tokens in each layer.
 * Backward has twice these FLOPs. */
START_TEST(masked_flops_by_hand) {
    const double h = 64.0, tokens = 3.0 * 32.0, pairs = 3.0 * 32.0 * 33.0 / 2.0;
    for (int layers = 1; layers <= 4; layers++) {
        const nnc_model model = gpt(layers, 64, 4, 500, 32);
        nnc_plan plan = plan_of(1, 1, 1);
        plan.micro_batch = 3;
        const nnc_result r = estimate_on_cluster(&model, &plan);
        const double forward = 2.0 * tokens * (12.0 * h * h * layers + 500.0 * h) + 4.0 * h * pairs * layers;
        ck_assert_double_eq_tol(r.causal_flops, 3.0 * forward, 1e-9 * forward);
    }
}
END_TEST

/* The middle one of three layers is trained, so the op list has three parts, each with the recompute blocks of a layer.
 * 170 blocks become 510, which the list can hold. 171 become 513, one more than the list can hold. */
START_TEST(a_list_holds_the_blocks_of_parts) {
    static nnc_op_list list;
    nnc_plan plan = plan_of(1, 1, 1);
    const nnc_lowering how = { .plan = &plan, .dtype = NNC_BF16 };
    plan.train_layers = plan.train_from = 1;
    for (int32_t blocks = 170; blocks <= 171; blocks++) {
        memset(&list, 0, sizeof list);
        list.segment_count = 1;
        list.segments[0] = (nnc_segment){ .instances = 3, .layer = true };
        list.count = list.block_count = blocks;
        for (int32_t i = 0; i < blocks; i++) {
            list.blocks[i] = (nnc_block){ .repeat = 3 };
            list.ops[i] =
                (nnc_op){ .name = "mlp.up", .kind = NNC_OP_POINTWISE, .block = i, .repeat = 3, .weights.count = 1 };
        }
        nnc_list_train(&list, &how);
        ck_assert_int_eq(list.truncated, 3 * blocks > NNC_BLOCKS_MAX);
        ck_assert_int_eq(list.segment_count, list.truncated ? 1 : 3);
        ck_assert_int_eq(list.count, list.truncated ? blocks : 3 * blocks);
    }
}
END_TEST

/* One forward pass of a GPT of 2 layers, width 4, 6 tokens and 10 words. Parameters: 40 (words) + 24 (positions), 4 x 4
 * x 4 + 2 x 4 x 16 weights, 4 x 4 + 16 + 4 biases and 2 x 8 of norms in each of 2 layers, and 8 of the last norm. The
 * sum is 560 parameters of 2 bytes. FLOPs: 2 x 6 tokens x (2 layers x 192 + 40) weights for products, and 2 x 2 x 6 x 6
 * x 4 per layer for attention. At the peak, the GELU reads and writes 6 x 16 elements each, while the residual stream
 * of 6 x 4 elements exists: 216 elements. */
START_TEST(a_forward_pass_trains_nothing) {
    nnc_model model = gpt(2, 4, 2, 10, 6);
    model.decoder.dropout = 0.1;
    const nnc_result step = trained(&model, NNC_TRAIN_ALL, 0);
    ck_assert_ptr_nonnull(find_row("embed.dropout", NNC_PHASE_FORWARD));
    ck_assert_ptr_nonnull(find_row("loss", NNC_PHASE_FORWARD));
    const nnc_result pass = trained(&model, NNC_TRAIN_NONE, 0);
    int32_t count = 0;
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    for (int32_t i = 0; i < count; i++) {
        ck_assert_int_eq(rows[i].op->phase, NNC_PHASE_FORWARD);
        ck_assert_msg(strstr(rows[i].op->name, "dropout") == NULL && strcmp(rows[i].op->name, "loss") != 0, "%s",
                      rows[i].op->name);
    }
    ck_assert_int_eq(pass.trained_params, 0);
    ck_assert_int_eq(pass.params, 560);
    ck_assert_int_eq(pass.params, step.params);
    ck_assert_double_eq(pass.forward_flops, 2 * 6 * (2 * 192 + 40) + 2 * 2 * 2 * 6 * 6 * 4);
    ck_assert_double_eq(pass.forward_flops, step.forward_flops);
    ck_assert_double_eq(pass.step_s, pass.forward_s + pass.host_s);
    ck_assert_double_lt(pass.forward_s, step.forward_s);
    ck_assert_int_eq(pass.memory.weight_bytes, 2 * 560);
    ck_assert_int_eq(pass.memory.gradient_bytes + pass.memory.optimizer_bytes + pass.memory.activation_bytes, 0);
    ck_assert_int_eq(pass.memory.transient_bytes, 2 * (2 * 6 * 16 + 6 * 4));
    ck_assert_int_eq(pass.memory.apart_bytes, 0);
}
END_TEST

/* A batch norm reads its input twice in training (for the sums and for the scaling) and once in inference. */
START_TEST(batch_norms_of_inference) {
    const nnc_model model = double_conv_unet(8, 2, 2);
    const unsigned train[] = { NNC_TRAIN_ALL, NNC_TRAIN_NONE };
    for (int i = 0; i < 2; i++) {
        int32_t count = 0, norms = 0;
        (void)trained(&model, train[i], 0);
        const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
        for (int32_t k = 0; k < count; k++) {
            const nnc_op *op = rows[k].op;
            if (op->kind != NNC_OP_NORM || op->phase != NNC_PHASE_FORWARD) { continue; }
            norms++;
            ck_assert_double_eq(rows[k].work.read_bytes, (i == 0 ? 4.0 : 2.0) * (double)op->u.norm.elements);
            ck_assert_double_eq(rows[k].work.write_bytes, 2.0 * (double)op->u.norm.elements);
        }
        ck_assert_int_gt(norms, 0);
    }
}
END_TEST

/* Options that train a part of the model contradict a forward pass. */
START_TEST(a_forward_pass_has_no_adapters) {
    const nnc_device device = cluster_device();
    const nnc_software software = nnc_software_default();
    const nnc_model model = gpt(2, 4, 2, 10, 6);
    const struct {
        unsigned train;
        int64_t rank, layers;
        const char *where;
    } cases[] = { { NNC_TRAIN_NONE | NNC_TRAIN_MLP, 0, 0, "--train" },
                  { NNC_TRAIN_NONE, 2, 0, "--adapter-rank" },
                  { NNC_TRAIN_NONE, 0, 1, "--train-layers" } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nnc_plan plan = plan_of(1, 1, 1);
        nnc_result result;
        nnc_error err;
        plan.train = cases[i].train;
        plan.adapter_rank = cases[i].rank;
        plan.train_layers = cases[i].layers;
        ck_assert_int_eq(nnc_estimate(&model, &device, &software, &plan, scratch, &result, &err), NNC_ILLEGAL_PLAN);
        ck_assert_str_eq(err.where, cases[i].where);
    }
}
END_TEST

int main(void) {
    const TTest *const tests[] = { llama_adapters,
                                   lengths_of_dora_are_computed_again,
                                   adapters_of_grouped_queries,
                                   adapters_of_experts,
                                   adapters_of_layer_inputs,
                                   factored_moments_of_a_second_table,
                                   a_frozen_product_keeps_for_the_next,
                                   frozen_weights_are_stored,
                                   gradients_that_remain,
                                   last_layers_are_trained,
                                   adapters_of_some_layers,
                                   layers_that_run_again,
                                   mixed_layers_divide,
                                   adapters_that_rotate,
                                   odd_blocks_that_rotate,
                                   the_first_trained_layer_passes_nothing_on,
                                   adapters_work_beside,
                                   adapters_divide,
                                   convolutions_stay_wide,
                                   plans_that_train_nothing_are_refused,
                                   the_first_that_is_trained_passes_nothing_on,
                                   second_table_of_adapters_is_frozen,
                                   masked_flops_by_hand,
                                   a_list_holds_the_blocks_of_parts,
                                   a_forward_pass_trains_nothing,
                                   batch_norms_of_inference,
                                   a_forward_pass_has_no_adapters };
    return run_tests("train", tests, COUNT_OF(tests));
}
