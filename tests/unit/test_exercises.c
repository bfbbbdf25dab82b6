/* Computes published exercises and published numbers with the library, and compares the results with the answers of the
 * authors. */
#include "exercise_cluster.h"
#include "suite.h"

/* ---- roofline and devices ---- */

static void peak_times(const cJSON *in, answers *out) {
    give(out, "h100", math_s(number(in, "flops"), number(in, "h100")));
    give(out, "v6e", math_s(number(in, "flops"), number(in, "v6e")));
}

static void ridge(const cJSON *in, answers *out) {
    nnc_device device = plain_device();
    device.matmul_flops_per_s[NNC_BF16] = number(in, "P");
    device.mem_bytes_per_s = number(in, "W");
    give(out, "ridge", nnc_device_ridge(&device, NNC_BF16));
}

static void dot_product(const cJSON *in, answers *out) {
    const nnc_op op = linear(1, 1, whole(in, "N"));
    const nnc_work work = nnc_op_work(&op);
    give(out, "intensity", nnc_intensity(&work));
}

static void critical_int8(const cJSON *in, answers *out) {
    give(out, "batch", critical_rows(number(in, "P"), number(in, "W"), NNC_INT8));
}

static void critical_bf16(const cJSON *in, answers *out) {
    give(out, "batch", critical_rows(number(in, "P"), number(in, "W"), NNC_BF16));
}

/* Returns the smallest number of rows for which a product with an n x k weight reaches an intensity. All traffic
 * counts. */
static double rows_to_reach(double intensity, int64_t n, int64_t k, nnc_dtype dtype) {
    for (int64_t rows = 1; rows < 100000; rows++) {
        nnc_op op = linear(rows, n, k);
        op.dtype = op.math_dtype = dtype;
        const nnc_work work = nnc_op_work(&op);
        if (nnc_intensity(&work) >= intensity) { return (double)rows; }
    }
    return (double)NAN;
}

static void ridge_batch(const cJSON *in, answers *out) {
    give(out, "batch", rows_to_reach(number(in, "ridge"), whole(in, "F"), whole(in, "D"), NNC_BF16));
}

static void int8_batch(const cJSON *in, answers *out) {
    give(out, "batch", rows_to_reach(number(in, "P") / number(in, "W"), whole(in, "F"), whole(in, "D"), NNC_INT8));
}

/* Each chip reads its share of the weights. */
static void read_weights(const cJSON *in, answers *out) {
    const nnc_device roof = roof_of(1e15, number(in, "W"));
    const nnc_work work = { .read_bytes = number(in, "N") * nnc_dtype_bytes(NNC_BF16) / number(in, "n") };
    give(out, "time", timing_on(&roof, &work).time_s);
}

static void mi300x_peak(const cJSON *in, answers *out) {
    (void)in;
    const nnc_device *device = load_device("hw/mi300x.json");
    give(out, "tflops", nnc_device_matmul_peak(device, NNC_BF16) / 1e12);
}

/* ---- transformers ---- */

static void gated_16b(const cJSON *in, answers *out) {
    const nnc_model model = llama(whole(in, "L"), whole(in, "D"), 32, 32, whole(in, "F"), whole(in, "V"), 2048);
    const nnc_plan plan = nnc_plan_default();
    const nnc_result r = estimate(&model, &plan);
    const double attention = (double)r.params_by_group[NNC_GROUP_ATTENTION];
    give(out, "params", (double)r.params);
    give(out, "attention_share", attention / (attention + (double)r.params_by_group[NNC_GROUP_MLP]));
}

static void fused_intensity(const cJSON *in, answers *out) {
    give(out, "prefill", attention_intensity(whole(in, "S"), whole(in, "S"), whole(in, "G")));
    give(out, "decode", attention_intensity(1, 1 << 20, whole(in, "G")));
}

static bool is_projection(const nnc_op_cost *row) {
    return row->op->phase == NNC_PHASE_FORWARD && row->op->group == NNC_GROUP_ATTENTION &&
           row->op->kind == NNC_OP_MATMUL;
}

/* The FLOPs of scores grow with the square of the sequence length, the FLOPs of projections with the length. */
static void scores_equal_projections(const cJSON *in, answers *out) {
    const int64_t width = whole(in, "D"), length = 1024;
    const nnc_model model = gpt(1, width, 32, 100, length);
    const nnc_plan plan = nnc_plan_default();
    estimate(&model, &plan);
    give(out, "s", (double)length * sum_rows(is_projection, full_flops) / sum_rows(is_attention_core, full_flops));
}

static void gpt_params(const cJSON *in, answers *out) {
    const nnc_model model = gpt(whole(in, "L"), whole(in, "h"), 1, whole(in, "V"), whole(in, "s"));
    const nnc_plan plan = nnc_plan_default();
    give(out, "params", (double)estimate(&model, &plan).params);
}

static void training_flops(const cJSON *in, answers *out) {
    const nnc_model model = gpt(whole(in, "L"), whole(in, "h"), whole(in, "a"), whole(in, "V"), whole(in, "s"));
    nnc_plan plan = nnc_plan_default();
    plan.micro_batch = whole(in, "b");
    ck_assert_int_eq(model.decoder.ffn_hidden, whole(in, "f"));
    const nnc_result r = estimate(&model, &plan);
    const bool half = strcmp(text_of(in, "causal"), "half") == 0;
    give(out, "flops", half ? half_attention_flops(&r) : r.model_flops);
}

/* In the authors' selective recomputation, the products of the scores run once more. The authors count the FLOPs of the
 * repeated products three times. */
static void gpt_mfu(const cJSON *in, answers *out) {
    const nnc_model model = gpt(whole(in, "L"), whole(in, "h"), 1, whole(in, "V"), whole(in, "s"));
    nnc_plan plan = nnc_plan_default();
    plan.micro_batch = whole(in, "B");
    plan.recompute = NNC_RECOMPUTE_ATTENTION;
    const double rate = number(in, "step") * number(in, "gpus") * number(in, "P");
    const nnc_result r = estimate(&model, &plan);
    give(out, "mfu", r.model_flops / rate);
    give(out, "hfu", (r.model_flops + 3.0 * r.recompute_flops) / rate);
}

/* The networks of the MPT benchmark have a vocabulary of 50368 words. */
static nnc_model mpt(int64_t layers, int64_t hidden, int64_t seq_len) {
    return gpt(layers, hidden, hidden / 128, 50368, seq_len);
}

static void mpt_rate(const cJSON *in, answers *out) {
    const nnc_model model = mpt(whole(in, "L"), whole(in, "h"), whole(in, "s"));
    const nnc_plan plan = nnc_plan_default();
    const nnc_result r = estimate(&model, &plan);
    const double rate = r.model_flops / (double)r.tokens * number(in, "tokens_per_s_per_gpu");
    ck_assert_int_eq(r.params, whole(in, "N"));
    give(out, "model_tflops", rate / 1e12);
    give(out, "mfu", 100 * rate / number(in, "P"));
}

static void checkpointed_hfu(const cJSON *in, answers *out) {
    const nnc_model model = mpt(80, 8192, 2048);
    nnc_plan plan = nnc_plan_default();
    plan.recompute = NNC_RECOMPUTE_FULL;
    const nnc_result r = estimate(&model, &plan);
    give(out, "hfu", number(in, "mfu") * r.hfu / r.mfu);
}

/* ---- parameters of the shipped files ---- */

static double params_of(const char *file) {
    const nnc_plan plan = nnc_plan_default();
    return (double)estimate(load_model(file), &plan).params;
}

static void gpt2(const cJSON *in, answers *out) {
    (void)in;
    give(out, "params", params_of("models/gpt2.json"));
}

static void gpt2_larger(const cJSON *in, answers *out) {
    (void)in;
    give(out, "medium", params_of("models/gpt2-medium.json"));
    give(out, "large", params_of("models/gpt2-large.json"));
}

static void llama3(const cJSON *in, answers *out) {
    (void)in;
    give(out, "params", params_of("models/llama3-8b.json"));
}

static void stable_diffusion(const cJSON *in, answers *out) {
    (void)in;
    give(out, "params", params_of("models/sd1-unet.json"));
}

/* ---- memory ---- */

/* With full recomputation, forward keeps one hidden state per layer. The result is the difference between a model with
 * twice the layers and a model with the given layers. */
static void hidden_states(const cJSON *in, answers *out) {
    const int64_t layers = whole(in, "L"), width = whole(in, "h"), length = whole(in, "s");
    nnc_model model = llama(layers, width, 32, 8, 14336, 100, length);
    nnc_plan plan = nnc_plan_default();
    plan.recompute = NNC_RECOMPUTE_FULL;
    const int64_t once = estimate(&model, &plan).memory.activation_bytes;
    model.decoder.layers = 2 * layers;
    const int64_t twice = estimate(&model, &plan).memory.activation_bytes;
    give(out, "ckpt", (double)(twice - once) / 1073741824);
    give(out, "one", kept_map_bytes(length * width, NNC_BF16) / 1073741824);
}

static void mixed_states(const cJSON *in, answers *out) {
    give(out, "bytes", adam_state_bytes(NNC_POLICY_MIXED, number(in, "N")));
}

static void fp32_states(const cJSON *in, answers *out) {
    give(out, "bytes", adam_state_bytes(NNC_POLICY_FP32, number(in, "N")));
}

static void adam_moments(const cJSON *in, answers *out) {
    const nnc_update update = { .optimizer = NNC_OPTIMIZER_ADAM, .policy = NNC_POLICY_FP32, .params = whole(in, "N") };
    give(out, "bytes", nnc_update_moment_bytes(&update));
}

static void weight_formats(const cJSON *in, answers *out) {
    give(out, "fp32", number(in, "N") * nnc_policy_bytes(NNC_POLICY_FP32).weight_bytes / 1e9);
    give(out, "fp16", number(in, "N") * nnc_policy_bytes(NNC_POLICY_MIXED).weight_bytes / 1e9);
}

static void global_batch(const cJSON *in, answers *out) {
    const nnc_model model = gpt(1, 8, 1, 10, 8);
    const nnc_device device = plain_device();
    nnc_plan plan = nnc_plan_default(), resolved;
    plan.micro_batch = whole(in, "b");
    plan.micro_batches = whole(in, "m");
    plan.devices = plan.data = (int32_t)whole(in, "dp");
    ck_assert_int_eq(nnc_plan_resolve(&plan, &model, &device, &resolved, NULL), NNC_OK);
    give(out, "batch", (double)resolved.global_batch);
}

static void table_bytes(const cJSON *in, answers *out) {
    const nnc_weights table = { .count = 1, .rows = whole(in, "rows"), .cols = whole(in, "cols") };
    give(out, "mb", (double)nnc_weights_params(&table) * nnc_policy_bytes(NNC_POLICY_FP32).weight_bytes / 1e6);
}

static double tensor_bytes(const cJSON *in) {
    const cJSON *dim = NULL;
    int64_t elements = 1;
    cJSON_ArrayForEach(dim, member(in, "shape")) { elements *= (int64_t)dim->valuedouble; }
    return kept_map_bytes(elements, number(in, "beta") == 4.0 ? NNC_FP32 : NNC_BF16);
}

static void tensor(const cJSON *in, answers *out) {
    give(out, "bytes", tensor_bytes(in));
    give(out, "mib", tensor_bytes(in) / 1048576);
    give(out, "gb", tensor_bytes(in) / 1e9);
}

static void image_batch(const cJSON *in, answers *out) {
    const nnc_model model = double_conv_unet(512, 4, 2);
    nnc_plan plan = nnc_plan_default();
    plan.micro_batch = (int64_t)cJSON_GetArrayItem(member(in, "shape"), 0)->valuedouble;
    give(out, "mb", estimate(&model, &plan).input_bytes / 1e6);
}

static const solved table[] = {
    { "roofline-h100-1e12", peak_times, NULL },
    { "roofline-v5e-ridge", ridge, NULL },
    { "roofline-dot", dot_product, NULL },
    { "roofline-int8w-bf16a", critical_int8, NULL },
    { "roofline-h100-critical", critical_bf16, NULL },
    { "text-matmul-240", ridge_batch, NULL },
    { "tpu-int8-matmul-crossover", int8_batch, NULL },
    { "tpu-load-200b", read_weights, NULL },
    { "peak-mi300x", mi300x_peak, NULL },
    { "tf-16b", gated_16b, "kv_bytes" }, /* inference */
    { "tf-attn-intensity", fused_intensity, NULL },
    { "tf-attn-equals-proj", scores_equal_projections, NULL },
    { "megatron-params-1.7b", gpt_params, NULL },
    { "megatron-params-7.5b", gpt_params, NULL },
    { "megatron-params-39.1b", gpt_params, NULL },
    { "megatron-params-310.1b", gpt_params, NULL },
    { "nemo-gpt3", training_flops, NULL },
    { "nemo-nemotron", training_flops, NULL },
    { "nemo-transformer", training_flops, NULL },
    { "seqsel-util-22B", gpt_mfu, NULL },
    { "seqsel-util-175B", gpt_mfu, NULL },
    { "seqsel-terms-175B", selective_terms, NULL },
    { "seqsel-act-22B", stage_activations, NULL },
    { "seqsel-act-1T", stage_activations, NULL },
    { "seqsel-fig7-22B", stage_shares, NULL },
    { "seqsel-states-22B", stage_states, NULL },
    { "zero-7.5b-64", zero_stages_at, NULL },
    { "zero-7.5b-4", zero_stages_at, NULL },
    { "text-zero-factors", zero_factors, NULL },
    { "zero-volume", zero_volume, NULL },
    { "train-dp-largest", largest_on_a_chip, NULL },
    { "train-llama13b-params", params_of_13b, NULL },
    { "train-llama13b-states", states_of_13b, NULL },
    { "text-act-transfer", tensor, NULL },
    { "ring-block-nvlink", hidden_ring, NULL },
    { "shard-ag-x", gather_part, NULL },
    /* not computed: ring_asymptotic leaves out the factor (n - 1) / n */
    { "shard-ag-line", gather_line, "ring_asymptotic" },
    { "l3-70b-flops", flops_of_70b, NULL },
    { "l3-70b-44days", days_of_70b, NULL },
    { "gpt3-flops", flops_of_gpt3, NULL },
    { "gpt3-v100-years", years_of_gpt3, NULL },
    { "mtnlg-2240", achieved_rate, NULL },
    { "palm-mfu", palm_mfu, NULL },
    { "mixtral-8x7b", mixtral_params, NULL },
    { "dsv3-params", deepseek_params, NULL },
    { "mpt-70b-512", mpt_rate, NULL },
    { "mpt-13b-128", mpt_rate, NULL },
    { "mpt-hfu", checkpointed_hfu, NULL },
    { "gpt2-124m", gpt2, NULL },
    { "gpt2-medium-large", gpt2_larger, NULL },
    { "llama3-8b-exact", llama3, NULL },
    { "sd15-unet", stable_diffusion, NULL },
    { "act-hidden-state", hidden_states, "layer all" }, /* the 28 tensors were measured */
    { "zero-gpt2-states", mixed_states, NULL },
    { "text-gpt2-24gb", fp32_states, NULL },
    { "text-adam-100m", adam_moments, NULL },
    { "text-gpt3-weights", weight_formats, NULL },
    { "text-batch-512", global_batch, NULL },
    { "text-embedding", table_bytes, NULL },
    { "text-ffn-activation", tensor, NULL },
    { "text-conv-map", tensor, NULL },
    { "text-embedded-batch", tensor, NULL },
    { "text-image-batch", image_batch, NULL },
};

static const unsolved later[] = {
    { "links alone, in test_link_examples.c", "train-dp-threshold" },
    { "thresholds at which one term of two is the larger, not times",
      "roofline-two-chip shard-strategy train-tp-limit train-xopt-64" },
    { "products and quotients of figures that are given", "tpu-v5e-pod shard-replicated llama-21-days dsv3-days" },
    { "matrices that live in host memory while they are used", "tpu-gather-from-host" },
    { "8 N D, which leaves attention out", "megatron-34-days" },
    { "networks outside the families", "bert-base-params vit-b16 resnet50 dit-xl2" },
};

/* Exercises with one of the topics in this list are not about a training step. */
static const char *const later_topics = "inference checkpoint cost lora data-loading";

static cJSON *exercises;

static void open_exercises(void) {
    open_support();
    exercises = read_json(REFERENCE "exercises.json");
}

static void close_exercises(void) {
    cJSON_Delete(exercises);
    close_support();
}

/* The tolerance is the tolerance of the author; 0 = exactly equal. */
START_TEST(exercise) {
    const solved *row = &table[_i];
    const cJSON *found = find_entry(exercises, "id", row->id), *expected = NULL;
    answers out = { .count = 0 };
    row->solve(member(found, "inputs"), &out);
    cJSON_ArrayForEach(expected, member(found, "expected")) {
        const bool own = cJSON_HasObjectItem(expected, "tol_rel");
        check_answer(row->id, expected, &out, row->without,
                     own ? number(expected, "tol_rel") : number(member(found, "tolerance"), "rel"));
    }
}
END_TEST

START_TEST(every_exercise_has_its_place) {
    ck_every_entry_has_its_place(exercises, table, COUNT_OF(table), later, COUNT_OF(later), later_topics);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("exercises");
    TCase *tests = add_case(suite, "exercises.json", open_exercises, close_exercises);
    tcase_add_loop_test(tests, exercise, 0, (int)COUNT_OF(table));
    tcase_add_test(tests, every_exercise_has_its_place);
    return run_suite(suite);
}
