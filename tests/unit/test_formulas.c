/* Computes every worked example of docs/formulas.md with the library. */
#include "formula_cluster.h"
#include "formula_ops.h"
#include "suite.h"

/* ---- whole transformers ---- */

static void gpt2_flops(const cJSON *in, answers *out) {
    const nnc_model *model = load_model("models/gpt2.json");
    nnc_plan plan = nnc_plan_default();
    plan.micro_batch = whole(in, "B");
    plan.seq_len = whole(in, "s");
    const nnc_result r = estimate(model, &plan);
    give(out, "model_flops_full", r.model_flops);
    give(out, "model_flops_causal_half", half_attention_flops(&r));
    give(out, "six_nd", r.six_nd_flops);
}

static nnc_result gpt3(const cJSON *in, unsigned recompute) {
    const nnc_model model = gpt(whole(in, "L"), whole(in, "h"), 96, whole(in, "V"), whole(in, "s"));
    nnc_plan plan = nnc_plan_default();
    plan.micro_batch = whole(in, "B");
    plan.recompute = recompute;
    return estimate(&model, &plan);
}

/* In the method of arXiv:2205.05198, the FLOPs of recomputed products of the scores count three times. */
static double selective_flops(const nnc_result *r) { return r->model_flops + 3.0 * r->recompute_flops; }

static void gpt3_flops(const cJSON *in, answers *out) {
    const nnc_result selective = gpt3(in, NNC_RECOMPUTE_ATTENTION);
    give(out, "model", gpt3(in, NNC_RECOMPUTE_NONE).model_flops);
    give(out, "full_recompute", gpt3(in, NNC_RECOMPUTE_FULL).hardware_flops);
    give(out, "selective", selective_flops(&selective));
}

static void llama3_flops(const cJSON *in, answers *out) {
    const nnc_model *model = load_model("models/llama3-8b.json");
    nnc_plan plan = nnc_plan_default();
    plan.seq_len = whole(in, "s");
    const nnc_result r = estimate(model, &plan);
    const double tokens = (double)r.tokens, core = sum_rows(is_attention_core, full_flops);
    give(out, "matmul_fwd_per_token", (r.forward_flops - core) / tokens);
    give(out, "attn_full_fwd_per_token", core / tokens);
    give(out, "train_per_token_full", r.model_flops / tokens);
    give(out, "train_per_token_half", half_attention_flops(&r) / tokens);
}

static void gpt3_mfu(const cJSON *in, answers *out) {
    const double rate = number(in, "step") * number(in, "n") * number(in, "P");
    const nnc_result selective = gpt3(in, NNC_RECOMPUTE_ATTENTION);
    give(out, "mfu", selective.model_flops / rate);
    give(out, "hfu_selective", selective_flops(&selective) / rate);
}

/* ---- a diffusion network ---- */

static bool is_forward_conv(const nnc_op_cost *row) {
    return row->op->phase == NNC_PHASE_FORWARD && row->op->kind == NNC_OP_CONV;
}

static bool is_forward_linear(const nnc_op_cost *row) {
    return row->op->phase == NNC_PHASE_FORWARD && row->op->kind == NNC_OP_MATMUL && row->op->u.matmul.b_is_weight;
}

static void stable_diffusion(const cJSON *in, answers *out) {
    const nnc_model *model = load_model("models/sd1-unet.json");
    nnc_plan plan = nnc_plan_default();
    plan.image = whole(in, "latent") * model->unet.latent_factor;
    const nnc_result r = estimate(model, &plan);
    give(out, "params", (double)r.params);
    give(out, "fwd", r.forward_flops);
    give(out, "macs", r.forward_flops / 2);
    give(out, "attention_score_macs", sum_rows(is_attention_core, full_flops) / 2);
    give(out, "conv_macs", sum_rows(is_forward_conv, full_flops) / 2);
    give(out, "linear_macs", sum_rows(is_forward_linear, full_flops) / 2);
}

/* ---- parameters ---- */

static double params_of(const char *file, int64_t vocab_multiple) {
    nnc_model model = *load_model(file);
    const nnc_plan plan = nnc_plan_default();
    model.decoder.vocab_multiple = vocab_multiple;
    return (double)estimate(&model, &plan).params;
}

static void gpt2_params(const cJSON *in, answers *out) {
    (void)in;
    give(out, "params", params_of("models/gpt2.json", 1));
    give(out, "params_padded_vocab_50304", params_of("models/gpt2.json", 64));
}

static void gpt2_xl_params(const cJSON *in, answers *out) {
    (void)in;
    give(out, "params", params_of("models/gpt2-xl.json", 1));
}

static void llama_params(const cJSON *in, answers *out) {
    (void)in;
    give(out, "params", params_of("models/llama-7b.json", 1));
}

static void llama3_params(const cJSON *in, answers *out) {
    (void)in;
    give(out, "params", params_of("models/llama3-8b.json", 1));
}

/* ---- memory ---- */

static double korthikanti_layer(const cJSON *in, unsigned recompute, int32_t tensor, bool sequence) {
    nnc_model model = gpt(2, whole(in, "h"), whole(in, "a"), 100, whole(in, "s"));
    nnc_plan plan = nnc_plan_default();
    plan.micro_batch = whole(in, "b");
    plan.seq_len = whole(in, "s");
    plan.recompute = recompute;
    plan.tensor = tensor;
    plan.sequence_parallel = sequence;
    return nnc_korthikanti_layer_bytes(&model.decoder, &plan);
}

static void korthikanti(const cJSON *in, answers *out) {
    give(out, "none", korthikanti_layer(in, NNC_RECOMPUTE_NONE, 1, false));
    give(out, "t8", korthikanti_layer(in, NNC_RECOMPUTE_NONE, 8, false));
    give(out, "t8_sp", korthikanti_layer(in, NNC_RECOMPUTE_NONE, 8, true));
    give(out, "t8_selective", korthikanti_layer(in, NNC_RECOMPUTE_ATTENTION, 8, false));
    give(out, "t8_sp_selective", korthikanti_layer(in, NNC_RECOMPUTE_ATTENTION, 8, true));
    give(out, "full", korthikanti_layer(in, NNC_RECOMPUTE_FULL, 1, false));
}

/* Returns the bytes that one layer keeps: the difference between a model of two layers and a model of one layer. */
static double llama_layer(const cJSON *in, unsigned recompute) {
    nnc_model model =
        llama(2, whole(in, "h"), whole(in, "a"), whole(in, "g"), whole(in, "f"), 100, whole(in, "tokens"));
    nnc_plan plan = nnc_plan_default();
    plan.recompute = recompute;
    const int64_t two = estimate(&model, &plan).memory.activation_bytes;
    model.decoder.layers = 1;
    return (double)(two - estimate(&model, &plan).memory.activation_bytes);
}

static void kept_per_layer(const cJSON *in, answers *out) {
    const double layer = llama_layer(in, NNC_RECOMPUTE_NONE);
    give(out, "layer", layer);
    give(out, "per_token", layer / number(in, "tokens"));
    give(out, "without_norm_and_act", llama_layer(in, NNC_RECOMPUTE_NORM | NNC_RECOMPUTE_ACTIVATION));
}

static void kept_map(const cJSON *in, answers *out) {
    ck_assert_double_eq(number(in, "beta"), nnc_dtype_bytes(NNC_FP32));
    const double bytes = kept_map_bytes(whole(in, "batch") * 112 * 112 * 64, NNC_FP32);
    give(out, "bytes", bytes);
    give(out, "mib", bytes / 1048576);
}

static void fp32_states(const cJSON *in, answers *out) {
    const nnc_model *model = load_model("models/gpt2-xl.json");
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_FP32;
    const nnc_memory m = estimate(model, &plan).memory;
    ck_assert_int_eq(whole(in, "N"), model->published_params);
    give(out, "weights", (double)m.weight_bytes);
    give(out, "grads", (double)m.gradient_bytes);
    give(out, "states", (double)m.optimizer_bytes);
    give(out, "total", (double)(m.weight_bytes + m.gradient_bytes + m.optimizer_bytes));
}

static void adam_moments(const cJSON *in, answers *out) {
    const nnc_update update = { .optimizer = NNC_OPTIMIZER_ADAM, .policy = NNC_POLICY_FP32, .params = whole(in, "N") };
    give(out, "extra", nnc_update_moment_bytes(&update));
}

static void matrix_states(const cJSON *in, answers *out) {
    const int64_t rows = whole(in, "rows"), cols = whole(in, "cols");
    nnc_update update = { .optimizer = NNC_OPTIMIZER_ADAFACTOR,
                          .policy = NNC_POLICY_FP32,
                          .params = rows * cols,
                          .matrix_params = rows * cols,
                          .factored_elements = (double)(rows + cols) };
    give(out, "adafactor_bytes", nnc_update_moment_bytes(&update));
    update.optimizer = NNC_OPTIMIZER_ADAM;
    give(out, "adam_bytes", nnc_update_moment_bytes(&update));
    give(out, "muon_flops", nnc_muon_flops(rows, cols));
}

static void adam_step(const cJSON *in, answers *out) {
    nnc_op op = op_of(NNC_OP_UPDATE);
    op.phase = NNC_PHASE_UPDATE;
    op.u.update = (nnc_update){
        .optimizer = NNC_OPTIMIZER_ADAM, .policy = NNC_POLICY_MIXED, .fused = true, .params = whole(in, "N")
    };
    const nnc_work work = nnc_op_work(&op);
    const nnc_device roof = roof_of(1e15, number(in, "W"));
    give(out, "traffic", bytes_of(&work));
    give(out, "t_step", timing_on(&roof, &work).time_s);
}

/* ---- plans and runs ---- */

static void global_batch(const cJSON *in, answers *out) {
    const nnc_model model = gpt(1, 8, 1, 10, 8);
    const nnc_device device = plain_device();
    nnc_plan plan = nnc_plan_default(), resolved;
    plan.micro_batch = whole(in, "b");
    plan.micro_batches = whole(in, "m");
    plan.devices = plan.data = (int32_t)whole(in, "dp");
    ck_assert_int_eq(nnc_plan_resolve(&plan, &model, &device, &resolved, NULL), NNC_OK);
    give(out, "global_batch", (double)resolved.global_batch);
    const double sync_s =
        estimate_on_cluster(&model, &plan).communication_s[NNC_COMM_DATA] / (double)resolved.global_batch;
    plan.micro_batches = 1;
    const nnc_result once = estimate_on_cluster(&model, &plan);
    give(out, "sync_per_sample_relative_to_m1",
         sync_s / (once.communication_s[NNC_COMM_DATA] / (double)once.plan.global_batch));
}

/* Estimates a run of the given number of seconds. The number of tokens determines the length of the run. */
static nnc_result run_of(double seconds, double price) {
    const nnc_model model = gpt(2, 64, 2, 100, 64);
    nnc_plan plan = nnc_plan_default();
    plan.price = price;
    plan.tokens = estimate(&model, &plan).tokens_per_s * seconds;
    return estimate(&model, &plan);
}

/* Several devices that run at the same time cost as much as one device that runs for the sum of their times. */
static void run_price(const cJSON *in, answers *out) {
    const nnc_result r = run_of(number(in, "gpus") * number(in, "days") * 86400, number(in, "price"));
    give_near(out, "gpu_hours", r.device_hours, 1e-12);
    give_near(out, "cost", r.cost_run, 1e-12);
}

/* The energy does not include the power usage effectiveness (PUE) of the building, so the test multiplies with it. */
static void run_energy(const cJSON *in, answers *out) {
    const nnc_result r = run_of(number(in, "gpu_hours") * 3600, (double)NAN);
    ck_assert_double_eq(number(in, "watt"), plain_device().power_w);
    give(out, "mwh", r.energy_j * number(in, "pue") / 3.6e9);
}

static const solved table[] = {
    { "F0.1", block_format, NULL },
    { "F0.2", block_format, NULL },
    { "F0.3", double_quantised, NULL },
    { "F0.4", block_format, NULL },
    { "F1.1", peak_rate, NULL },
    { "F1.2", ridge, NULL },
    { "F1.3", math_time, NULL },
    { "F1.4", dot_product, NULL },
    { "F1.5", roofline, NULL },
    { "F2.1", product, NULL },
    { "F2.2", product_time, NULL },
    { "F2.3", critical_tokens, NULL },
    { "F2.4", weight_gradient, NULL },
    { "F3.1", full_attention, NULL },
    { "F3.2", causal_attention, "half_rule" }, /* half_rule approximates fwd */
    { "F3.3", windowed_pairs, NULL },
    { "F3.4", packed_pairs, NULL },
    { "F3.5", score_traffic, NULL },
    { "F3.6", flash_intensity, NULL },
    { "F4.1", rms_norm, NULL },
    { "F4.2", swiglu, NULL },
    { "F4.3", cross_entropy, NULL },
    { "F4.4", bias_dropout_residual, NULL },
    { "F5.1", gpt2_flops, NULL },
    { "F5.2", gpt3_flops, NULL },
    { "F5.3", llama3_flops, NULL },
    /* not computed: the output size H_o is given to the library, as the size of a convolution */
    { "F6.1", stem, "H_o" },
    { "F6.2", decoder_conv, NULL },
    { "F6.3", transposed_conv, "H_o" },
    { "F6.5", stable_diffusion, NULL },
    { "F8.1", gpt2_params, NULL },
    { "F8.2", gpt2_xl_params, NULL },
    { "F8.3", llama_params, NULL },
    { "F8.4", llama3_params, NULL },
    { "F9.1", korthikanti, NULL },
    { "F9.2", kept_per_layer, NULL },
    { "F9.5", kept_map, NULL },
    { "F10.1", fp32_states, NULL },
    { "F10.2", adam_moments, NULL },
    { "F10.3", matrix_states, NULL },
    { "F10.4", adam_step, NULL },
    { "F3.7", latent_params, "cache_elements_per_token_layer" }, /* inference */
    { "F7.1", mixtral_params, NULL },
    { "F7.2", deepseek_params, NULL },
    { "F7.3", expert_slots, NULL },
    { "F7.4", expert_flops, NULL },
    /* not computed: the best number of layers per kept input (best_r) is no whole number */
    { "F9.3", checkpoints, "best_r" },
    { "F10.5", zero_stages, NULL },
    { "F10.6", distributed_optimizer, NULL },
    { "F12.1", data_traffic, NULL },
    { "F12.3", hybrid_traffic, NULL },
    { "F13.1", tensor_traffic, NULL },
    { "F14.1", ring_traffic, NULL },
    { "F14.2", ring_threshold, NULL },
    { "F14.3", ulysses_traffic, NULL },
    { "F15.1", bubbles, NULL },
    { "F15.2", bubble_forms, NULL },
    { "F15.3", interleaved_in_flight, NULL },
    { "F15.4", boundary, NULL },
    { "F15.5", uneven_stages, "lower upper" }, /* test_pipeline.c tests the bounds of the replay */
    { "F16.1", global_batch, NULL },
    /* not computed: the example has dispatch in 8 bits, but the library computes dispatch and combine in 16 bits */
    { "F17.1", expert_traffic, "dispatch" },
    { "F18.1", partial_overlap, NULL },
    { "F18.2", interleaved_step, NULL },
    { "F18.3", bucketed, NULL },
    { "F19.2", gpt3_mfu, NULL },
    { "F21.1", offloaded_gradients, NULL },
    { "F21.2", offloaded_layer, NULL },
    { "F23.1", run_price, NULL },
    { "F23.2", run_energy, "tco2" }, /* the carbon intensity of a power grid is no value of a device */
};

static const unsolved later[] = {
    { "tile and wave quantisation is not modelled", "F2.5" },
    { "networks outside the families", "F6.4 F6.6 F6.7 F8.5 F9.4 F19.1" },
    { "collectives alone, in test_link_examples.c", "F11.1 F11.2 F11.3 F11.4 F11.5 F11.6 F12.2" },
    { "a rule of thumb without the (n - 1) / n", "F13.2" },
    { "a sum of times that are given", "F16.2" },
    { "routing limited to some nodes is not modelled", "F17.2" },
    { "8 N D, which leaves attention out, and scaling laws", "F19.3 F19.4 F19.5" },
    { "data loading, failures and checkpoints", "F20.1 F20.2 F20.3 F20.4 F22.1 F22.2 F22.3" },
    { "inference", "F3.8 F24.1 F24.2 F24.3 F24.4 F24.5 F24.6" },
    { "low-rank adapters", "F25.1 F25.2" },
};

static cJSON *examples;

static void open_examples(void) {
    open_support();
    examples = read_json(REFERENCE "formula-examples.json");
}

static void close_examples(void) {
    cJSON_Delete(examples);
    close_support();
}

/* Whole numbers must be exactly equal, if a double can hold them. Numbers that are not whole have a tolerance of
 * 1e-5. */
START_TEST(example) {
    const solved *row = &table[_i];
    const cJSON *found = find_entry(examples, "id", row->id), *expected = NULL;
    answers out = { .count = 0 };
    row->solve(member(found, "inputs"), &out);
    cJSON_ArrayForEach(expected, member(found, "expected")) {
        const double value = member(expected, "value")->valuedouble;
        const bool exact = value == floor(value) && value < 9007199254740992.0;
        check_answer(row->id, expected, &out, row->without, exact ? 0.0 : 1e-5);
    }
}
END_TEST

START_TEST(every_example_has_its_place) {
    ck_every_entry_has_its_place(examples, table, COUNT_OF(table), later, COUNT_OF(later), NULL);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("formulas");
    TCase *tests = add_case(suite, "formula-examples.json", open_examples, close_examples);
    tcase_add_loop_test(tests, example, 0, (int)COUNT_OF(table));
    tcase_add_test(tests, every_example_has_its_place);
    return run_suite(suite);
}
