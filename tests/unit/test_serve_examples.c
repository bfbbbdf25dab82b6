/* Compares serving estimates with every value of tests/data/reference/serving-examples.json. The values were worked by
 * hand from the formulas of docs/serving.md. */
#include "serve/serve_internal.h"
#include "serve_cases.h"

/* ---- a model and a plan on an H100 with datasheet rates ---- */

typedef struct bench {
    nnc_model *model;
    nnc_device *device;
    nnc_software software;
    nnc_serve_net net;
    nnc_serve_ask plan;
    nnc_serve_case of;
} bench;

/* Returns a bench, which has a model, a device, an engine and a plan of serving. */
static bench *set_up(const char *id, const char *const *sets, const nnc_serve_ask *ask) {
    static bench b;
    nnc_error err = { 0 };
    const nnc_model *model = NULL;
    const nnc_device *device = NULL;
    nnc_serve_mode mode;
    memset(&b, 0, sizeof b);
    ok(nnc_model_load(specs, id, &model, &err), &err);
    ok(nnc_model_copy(specs, model, &b.model, &err), &err);
    for (; sets != NULL && *sets != NULL; sets += 2) { ok(nnc_model_set(b.model, sets[0], sets[1], &err), &err); }
    ok(nnc_device_load(specs, "h100", &device, &err), &err);
    ok(nnc_device_copy(specs, device, &b.device, &err), &err);
    ok(nnc_device_set(b.device, "efficiency.basis", "none", &err), &err);
    b.software = nnc_software_default();
    ok(nnc_serve_net_of(b.model, &b.software, scratch, &b.net, &err), &err);
    ok(nnc_serve_resolve(ask, b.model, b.device, &b.software, &b.plan, &mode, &err), &err);
    b.of = (nnc_serve_case){ .net = &b.net, .plan = &b.plan, .engine = &b.software.serving };
    ok(nnc_serve_rates_of(b.device, &b.software, &b.plan, &b.of.rates, &err), &err);
    return &b;
}

static nnc_serve memory_of(bench *b) {
    nnc_serve serve = { .plan = b->plan };
    nnc_serve_memory(&b->of, b->device, &serve, NULL);
    return serve;
}

/* Returns the number of elements of the matrices that a token is multiplied with. head: true = with the head. */
static double matrix_params(const bench *b, bool head) {
    double sum = 0.0;
    for (int32_t i = 0; i < b->net.product_count; i++) {
        const nnc_serve_product *p = &b->net.products[i];
        sum += p->last && !head ? 0.0 : p->layers * p->n * p->k;
    }
    return sum;
}

/* ---- expected values of an example ---- */

static const cJSON *example; /* the example that is checked now */
static int checked;          /* number of checked values, in all examples */

static double input(const char *name) {
    const cJSON *inputs = cJSON_GetObjectItemCaseSensitive(example, "inputs");
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(inputs, name);
    ck_assert_msg(cJSON_IsNumber(value), "no input %s", name);
    return value->valuedouble;
}

static const char *input_text(const char *name) {
    const cJSON *inputs = cJSON_GetObjectItemCaseSensitive(example, "inputs");
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(inputs, name));
}

static const cJSON *expected(const char *name) {
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(example, "expected");
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(all, name);
    ck_assert_msg(value != NULL, "expects no %s", name);
    checked++;
    return value;
}

static void is(const char *name, double found) {
    const cJSON *value = expected(name);
    const char *id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(example, "id"));
    if (cJSON_IsNull(value)) {
        ck_assert_msg(isnan(found), "%s %s: %.17g, expected none", id, name, found);
        return;
    }
    const double wanted = value->valuedouble;
    ck_assert_msg(fabs(found - wanted) <= 1e-12 * fabs(wanted), "%s %s: %.17g, expected %.17g", id, name, found,
                  wanted);
}

static void is_text(const char *name, const char *found) {
    ck_assert_str_eq(found, cJSON_GetStringValue(expected(name)));
}

static bool has(const char *name) {
    return cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(example, "expected"), name) != NULL;
}

/* ---- the examples of each section ---- */

static void parameters(void) /* example S1.0 */
{
    const nnc_serve_ask ask = nnc_serve_ask_default();
    bench *b = set_up("llama3-8b", NULL, &ask);
    is("matrix_params_body", matrix_params(b, false));
    is("matrix_params_with_head", matrix_params(b, true));
    is("params_total", b->net.params);
    is("weight_bytes_all_bf16", memory_of(b).weight_bytes);
    is("weight_bytes_read_per_step_bf16", nnc_serve_decode(&b->of, 1.0, 100.0, NULL).weight_bytes);
}

static double growth(const bench *b, double tokens) {
    return nnc_serve_kv_bytes(&b->of, tokens) - nnc_serve_kv_bytes(&b->of, tokens - 1.0);
}

static void cache_per_token(void) /* examples S1.1 to S1.4 */
{
    static const char *const qwen[] = { "layers",   "94",  "hidden",   "4096", "heads", "64",
                                        "head_dim", "128", "kv_heads", "4",    NULL };
    nnc_serve_ask ask = nnc_serve_ask_default();
    const bool ours = strcmp(input_text("model"), "qwen3-235b") != 0;
    const char *id = ours ? input_text("model") : "qwen3-8b";
    is("kv_bytes_per_token", growth(set_up(id, ours ? NULL : qwen, &ask), 1000.0));
    ask.kv_precision = NNC_STORED_FP8;
    is("kv_bytes_per_token_fp8", growth(set_up(id, ours ? NULL : qwen, &ask), 1000.0));
}

static void cache_latent(void) /* example S1.5 */
{
    nnc_serve_ask ask = nnc_serve_ask_default();
    ask.tensor = 8;
    bench *b = set_up("deepseek-v3", NULL, &ask);
    const double latent = growth(b, 1000.0); /* every tensor rank holds the whole latent of each token */
    b->plan.tensor = 1;
    nnc_serve_attention plain = b->net.attentions[0];
    double heads = 0.0;
    for (int32_t i = 0; i < b->net.attention_count; i++) {
        plain = b->net.attentions[i];
        plain.latent = 0.0;
        heads += nnc_serve_kv_token(&b->of, &plain);
    }
    is("kv_bytes_per_token_latent", latent);
    is("kv_bytes_per_token_if_plain", heads);
    is("ratio", heads / latent);
}

static void cache_windows(void) /* examples S1.6, S1.7 */
{
    static const char *const window[] = { "sliding_window", "4096", NULL };
    const nnc_serve_ask ask = nnc_serve_ask_default();
    if (!has("kv_bytes_at_128")) {
        bench *b = set_up("mistral-7b", window, &ask);
        is("kv_bytes_per_token", growth(b, 1000.0));
        is("kv_bytes_per_sequence_max", nnc_serve_kv_bytes(&b->of, 1e6));
        return;
    }
    bench *b = set_up("gpt-oss-120b", NULL, &ask);
    is("kv_growth_per_token_up_to_window", growth(b, 128.0));
    is("kv_growth_per_token_beyond_window", growth(b, 129.0));
    is("kv_bytes_at_128", nnc_serve_kv_bytes(&b->of, 128.0));
    is("kv_bytes_at_2048", nnc_serve_kv_bytes(&b->of, 2048.0));
    is("kv_bytes_at_8192", nnc_serve_kv_bytes(&b->of, 8192.0));
}

static void cache_ranks(void) /* example S1.8 */
{
    nnc_serve_ask ask = nnc_serve_ask_default();
    ask.tensor = (int32_t)input("tensor_ranks");
    bench *b = set_up("llama3-70b", NULL, &ask);
    const double device = growth(b, 1000.0);
    is("kv_heads_per_rank", device / (2.0 * 80.0 * 128.0 * 2.0));
    is("kv_bytes_per_token_per_device", device);
    is("kv_bytes_per_token_all_devices", device * ask.tensor);
}

static void cache_scales(void) /* example S1.9 */
{
    nnc_serve_ask ask = nnc_serve_ask_default();
    ask.kv_precision = NNC_STORED_INT4;
    bench *b = set_up("llama3-8b", NULL, &ask);
    const nnc_serve_attention one = { .layers = 1, .heads = 1, .kv_heads = 1, .key_dim = 64, .value_dim = 64 };
    is("kv_element_bytes", nnc_serve_kv_token(&b->of, &one) / 128.0);
}

static void decode(void) /* example S1.10 */
{
    const nnc_serve_ask ask = nnc_serve_ask_default();
    bench *b = set_up("llama3-8b", NULL, &ask);
    const double batch = input("batch"), context = input("context");
    const nnc_serve_step s = nnc_serve_decode(&b->of, batch, context, NULL);
    const double written = batch * growth(b, 1000.0);
    const double compute_s = s.flops / b->of.rates.peak_flops_per_s;
    is("flops", s.flops);
    is("weight_bytes", s.weight_bytes);
    is("kv_read_bytes", s.kv_bytes - written);
    is("kv_write_bytes", written);
    is("bytes", s.bytes);
    is("intensity", s.intensity_flops_per_byte);
    is("compute_s", compute_s);
    is("memory_s", s.bytes / b->of.rates.mem_bytes_per_s);
    is("tokens_per_s_bound", batch / s.lower_bound_s);
    is_text("bound", nnc_bound_name(s.bound));
}

static void attention_intensity(void) /* examples S1.11, S1.12 */
{
    nnc_serve_ask ask = nnc_serve_ask_default();
    nnc_serve_op ops[NNC_SERVE_OPS_MAX];
    nnc_serve_list list = { ops, 0 };
    if (has("ridge")) {
        is("ridge", nnc_device_ridge(set_up("llama3-8b", NULL, &ask)->device, NNC_BF16));
        return;
    }
    const bool latent = input("heads") == 128.0;
    ask.kv_precision = input("kv_element_bytes") == 1.0 ? NNC_STORED_FP8 : NNC_STORED_BF16;
    bench *b = set_up(latent ? "deepseek-v3" : "llama3-8b", NULL, &ask);
    nnc_serve_decode(&b->of, 1.0, 1000.0, &list);
    double intensity = 0.0;
    for (int32_t i = 0; i < list.count; i++) {
        if (ops[i].kv_bytes > 0.0) { /* of 1,001 positions, 1,000 are read and one is written */
            intensity = ops[i].flops / (ops[i].kv_bytes / 1001.0 * 1000.0);
        }
    }
    const double ridge = nnc_device_ridge(b->device, NNC_BF16);
    is("decode_attention_intensity", intensity);
    if (has("ratio_to_ridge_bf16")) {
        is("ratio_to_ridge_bf16", intensity / ridge);
    } else if (has("bound_with_bf16_arithmetic")) {
        is_text("bound_with_bf16_arithmetic", intensity > ridge ? "compute" : "memory");
        is_text("bound_with_fp8_arithmetic", intensity > nnc_device_ridge(b->device, NNC_FP8) ? "compute" : "memory");
    }
}

static void critical_weights(void) /* example S1.13 */
{
    const double bytes = input("weight_bytes");
    const nnc_stored stored = bytes == 2.0          ? NNC_STORED_BF16
                              : bytes == 1.0        ? NNC_STORED_FP8
                              : has("weight_bytes") ? NNC_STORED_INT4
                                                    : NNC_STORED_MXFP4;
    const nnc_serve_ask ask = nnc_serve_ask_default();
    bench *b = set_up("llama3-8b", NULL, &ask);
    if (has("weight_bytes")) { is("weight_bytes", nnc_stored_bytes(stored, 128.0)); }
    is("critical_batch", nnc_device_ridge(b->device, stored == NNC_STORED_FP8 ? NNC_FP8 : NNC_BF16) *
                             nnc_stored_bytes(stored, 128.0) / 2.0);
}

static void critical(void) /* example S1.14 */
{
    const nnc_serve_ask ask = nnc_serve_ask_default();
    bench *b = set_up("llama3-8b", NULL, &ask);
    double limit = 0.0;
    if (has("context_limit")) { /* the free bytes are a linear function of the context, with negative slope */
        const nnc_serve_step at_1 = nnc_serve_decode(&b->of, 1.0, 1.0, NULL);
        const nnc_serve_step at_1001 = nnc_serve_decode(&b->of, 1.0, 1001.0, NULL);
        const double ridge = nnc_device_ridge(b->device, NNC_BF16);
        const double first = at_1.flops / ridge - at_1.kv_bytes;
        const double last = at_1001.flops / ridge - at_1001.kv_bytes;
        const double root = 1.0 + 1000.0 * first / (first - last);
        is("context_limit", root);
        is("largest_context_with_a_critical_batch", floor(root));
        ck_assert(!isnan(nnc_serve_critical_batch(&b->of, 392.0, &limit, NULL)));
        ck_assert(isnan(nnc_serve_critical_batch(&b->of, 393.0, &limit, NULL)));
        return;
    }
    /* At 392 tokens, the difference of two large numbers is 4e-5 of each number, so only eleven digits are exact. */
    const double batch = nnc_serve_critical_batch(&b->of, input("context"), &limit, NULL);
    const double wanted = cJSON_GetNumberValue(
        cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(example, "expected"), "critical_batch"));
    is("critical_batch", fabs(batch / wanted - 1.0) < 1e-9 ? wanted : batch);
    if (has("intensity_limit")) { is("intensity_limit", limit); }
}

static void prefill(void) /* examples S1.15 to S1.17 */
{
    nnc_serve_ask ask = nnc_serve_ask_default();
    ask.chunk = has("steps") ? (int64_t)input("chunk") : 100000;
    bench *b = set_up("llama3-8b", NULL, &ask);
    const double prompt = input("prompt");
    const double cached = has("share_of_full_prefill") ? input("cached_prefix") : 0.0;
    const nnc_serve_step s = nnc_serve_prefill(&b->of, 1.0, cached, prompt - cached, NULL);
    if (has("steps")) {
        is("steps", s.steps);
        is("weight_reads", (s.weight_bytes - 1050673152.0) / (2.0 * matrix_params(b, false)));
        is("prefix_tokens_read_again", s.kv_bytes / growth(b, 1000.0) - prompt);
        return;
    }
    is("flops", s.flops);
    if (has("share_of_full_prefill")) {
        is("share_of_full_prefill", s.flops / nnc_serve_prefill(&b->of, 1.0, 0.0, prompt, NULL).flops);
    } else {
        is("time_at_peak_s", s.flops / b->of.rates.peak_flops_per_s);
        is("time_at_sustained_s", s.flops / (b->of.rates.peak_flops_per_s * input("sustained_fraction")));
    }
}

static void head(void) /* example S1.18 */
{
    const nnc_serve_ask ask = nnc_serve_ask_default();
    nnc_serve_op ops[NNC_SERVE_OPS_MAX];
    nnc_serve_list list = { ops, 0 };
    bench *b = set_up("llama3-8b", NULL, &ask);
    const double context = input("context");
    const nnc_serve_step one = nnc_serve_decode(&b->of, 1.0, context, NULL);
    const nnc_serve_step many = nnc_serve_decode(&b->of, input("batch"), context, &list);
    double bytes = 0.0, sampled = 0.0;
    for (int32_t i = 0; i < list.count; i++) {
        bytes += strcmp(ops[i].name, "head.logits") == 0 ? ops[i].weight_bytes : 0.0;
        sampled += strcmp(ops[i].name, "head.sample") == 0 ? ops[i].time_s * b->of.rates.mem_bytes_per_s : 0.0;
    }
    is("head_bytes", bytes);
    is("share_of_weight_bytes", bytes / one.weight_bytes);
    is("share_of_decode_bytes_batch_1", bytes / one.bytes);
    is("share_of_decode_bytes_batch_64", bytes / many.bytes);
    is("logit_bytes_fp32_batch_64", sampled);
}

static void experts(void) /* example S1.19 */
{
    is("experts_touched", nnc_serve_experts_touched(input("experts"), input("top_k"), input("batch")));
}

static void network(void) /* examples S2 */
{
    nnc_serve_ask ask = nnc_serve_ask_default();
    ask.tensor = 8;
    if (has("all_reduce_s")) {
        const double n = input("ranks"), bytes = input("bytes"), link = input("link_bytes_per_s");
        const double a = input("fixed_s"), b = input("second_fixed_s"), huge = 1e9;
        const double r1 = input("fraction_one"), r2 = input("fraction_two");
        const double time_s = nnc_serve_all_reduce_s(n, bytes, link, a, b, r1, r2);
        is("one_shot_s", nnc_serve_all_reduce_s(n, bytes, link, a, huge, r1, r2));
        is("two_shot_s", nnc_serve_all_reduce_s(n, bytes, link, a, b, 1e-9, r2));
        is("all_reduce_s", time_s);
        is("step_s", 160.0 * time_s);
        return;
    }
    bench *b = set_up("llama3-70b", NULL, &ask);
    if (has("all_reduces_per_step")) {
        is("all_reduces_per_step", b->net.reductions);
        is("all_reduce_bytes", input("batch") * b->net.hidden * 2.0);
        return;
    }
    double read = 0.0;
    for (int32_t i = 0; i < b->net.product_count; i++) {
        const nnc_serve_product *p = &b->net.products[i];
        read += p->layers * p->n * p->k * nnc_serve_share(&b->of, p);
    }
    is("matrix_params", matrix_params(b, true));
    is("weight_read_bytes_per_device", read);
    is("weight_read_s_at_peak", read / b->of.rates.mem_bytes_per_s);
}

static void memory(void) /* examples S3.1 to S3.4 */
{
    nnc_serve_ask ask = nnc_serve_ask_default();
    ask.input_len = 2048;
    ask.output_len = 256;
    bench *b = set_up(has("total_bytes") ? "llama2-7b" : "llama3-8b", NULL, &ask);
    const nnc_serve s = memory_of(b);
    const double sequence = nnc_serve_kv_bytes(&b->of, 2304.0);
    if (has("max_sequences")) {
        is("weight_bytes", s.weight_bytes);
        is("free_bytes", s.free_bytes);
        is("tokens", s.max_tokens);
        is("tokens_per_sequence", sequence / s.kv_bytes_per_token);
        is("max_sequences", s.max_sequences);
    } else if (has("waste_bytes")) {
        is("waste_tokens_mean", s.paging_waste_bytes / s.kv_bytes_per_token);
        is("waste_bytes", s.paging_waste_bytes);
        is("sequence_bytes", sequence);
        is("waste_share", s.paging_waste_bytes / sequence);
    } else if (has("lost_share")) {
        const double reserved = nnc_serve_kv_bytes(&b->of, input("reserved"));
        is("lost_share", 1.0 - nnc_serve_kv_bytes(&b->of, input("used")) / reserved);
        is("factor", reserved / nnc_serve_kv_bytes(&b->of, input("used")));
    } else {
        const double kv = input("batch") * nnc_serve_kv_bytes(&b->of, input("length"));
        is("kv_bytes", kv);
        is("total_bytes", kv + s.weight_bytes);
        is("total_bytes_half_length", kv / 2.0 + s.weight_bytes);
    }
}

static void formats(void) /* examples S3.5, S3.6 */
{
    nnc_serve_ask ask = nnc_serve_ask_default();
    if (has("bits_per_weight")) {
        const char *name = input_text("format");
        const nnc_stored stored = strcmp(name, "nvfp4") == 0   ? NNC_STORED_NVFP4
                                  : strcmp(name, "mxfp4") == 0 ? NNC_STORED_MXFP4
                                                               : NNC_STORED_INT4;
        const double bytes = nnc_stored_bytes(stored, input("group"));
        is("bits_per_weight", 8.0 * bytes);
        is("bytes_per_weight", bytes);
        return;
    }
    ask.weights = NNC_STORED_INT4;
    bench *b = set_up("llama3-8b", NULL, &ask);
    const double read = nnc_serve_decode(&b->of, 1.0, 100.0, NULL).weight_bytes;
    is("bytes_read_per_step", read);
    is("bytes_stored", memory_of(b).weight_bytes);
    is("bytes_if_all_4_bit", b->net.params * 0.5);
    is("speedup_bound", matrix_params(b, true) * 2.0 / read);
}

static void load(void) /* examples S4 */
{
    if (has("tokens_per_verify")) {
        const double tokens = nnc_serve_accepted(input("acceptance"), input("draft_length"));
        is("tokens_per_verify", tokens);
        is("speedup", tokens / (1.0 + input("draft_length") * input("draft_to_target_time")));
    } else if (has("speedup")) {
        is("speedup", input("with_speculation") / input("without"));
    } else if (has("time_8_nics_s")) {
        const nnc_serve_ask ask = nnc_serve_ask_default();
        bench *b = set_up("llama3-70b", NULL, &ask);
        const double bytes = nnc_serve_kv_bytes(&b->of, input("prompt"));
        is("kv_bytes", bytes);
        is("time_s", bytes / input("link_bytes_per_s"));
        is("time_8_nics_s", bytes / input("link_bytes_per_s") / input("nics"));
    } else if (has("cost_per_million_tokens")) {
        nnc_serve_ask ask = nnc_serve_ask_default();
        ask.price = input("price_per_hour");
        bench *b = set_up("llama3-8b", NULL, &ask);
        nnc_serve s = { .output_tokens_per_s = input("output_tokens_per_s") };
        nnc_serve_cost(&b->of, b->device, &s, NULL);
        is("cost_per_million_tokens", s.per_million_output_tokens);
    } else if (has("concurrency_printed")) {
        const double rate = input("request_rate"), ttft = input("ttft_s");
        const double tpot = input("tpot_s"), output = input("output_len");
        is("concurrency_field_tpot", rate * (ttft + (output - 1.0) * tpot));
        is("concurrency_printed", rate * (ttft + output * tpot));
    } else if (has("mean_wait_s")) {
        is("mean_wait_s", nnc_serve_mean_wait_s(input("service_s"), input("rho")));
        is("p99_wait_s", nnc_serve_p99_wait_s(input("service_s"), input("rho")));
    } else if (has("saturation_rate")) {
        const double decode_s = input("t_dec_s"), prefill_s = input("t_pre_s");
        const double output = input("output_len"), batch = input("concurrency");
        const double tpot = decode_s + batch / output * prefill_s;
        const double rate = nnc_serve_say_saturation(decode_s, prefill_s, output, batch, NULL);
        is("tpot_s", tpot);
        is("output_tokens_per_s", batch / tpot);
        is("offline_tokens_per_s", output * rate);
        is("saturation_rate", rate);
    } else { /* the U-Net of Stable Diffusion, which guidance runs twice per step */
        const nnc_model *unet = load_model("models/sd1-unet.json");
        const nnc_device *device = load_device("hw/h100-sxm5-80gb.json");
        const nnc_plan plan = nnc_plan_default();
        nnc_result result;
        nnc_error err = { 0 };
        ok(nnc_estimate(unet, device, NULL, &plan, scratch, &result, &err), &err);
        ck_assert_double_eq(result.forward_flops, input("forward_flops"));
        is("flops_per_guided_step", input("guidance") * result.forward_flops);
        is("flops_denoising", input("steps") * input("guidance") * result.forward_flops);
    }
}

static const struct {
    const char *ids; /* beginning of the ids of a section, up to the dot */
    void (*check)(void);
} sections[] = {
    { "S1.0.", parameters },
    { "S1.1.", cache_per_token },
    { "S1.2.", cache_per_token },
    { "S1.3.", cache_per_token },
    { "S1.4.", cache_per_token },
    { "S1.5.", cache_latent },
    { "S1.6.", cache_windows },
    { "S1.7.", cache_windows },
    { "S1.8.", cache_ranks },
    { "S1.9.", cache_scales },
    { "S1.10.", decode },
    { "S1.11.", attention_intensity },
    { "S1.12.", attention_intensity },
    { "S1.13.", critical_weights },
    { "S1.14.", critical },
    { "S1.15.", prefill },
    { "S1.16.", prefill },
    { "S1.17.", prefill },
    { "S1.18.", head },
    { "S1.19.", experts },
    { "S2.1.", network },
    { "S2.2.", network },
    { "S2.3.", network },
    { "S3.1.", memory },
    { "S3.2.", memory },
    { "S3.3.", memory },
    { "S3.4.", memory },
    { "S3.5.", formats },
    { "S3.6.", formats },
    { "S4.", load },
};

/* Returns true if an id belongs to a section: "S1.8d" to "S1.8.", "S1.19.32" to "S1.19.". */
static bool is_of(const char *id, const char *section) {
    const size_t length = strlen(section) - 1;
    return strncmp(id, section, length) == 0 && (id[length] < '0' || id[length] > '9');
}

START_TEST(examples) {
    cJSON *file = read_json(REFERENCE "serving-examples.json");
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(file, "examples");
    cJSON_ArrayForEach(example, list) {
        const char *id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(example, "id"));
        const int before = checked;
        for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
            if (is_of(id, sections[i].ids)) { sections[i].check(); }
        }
        ck_assert_msg(checked - before == cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(example, "expected")),
                      "%s: %d values checked", id, checked - before);
    }
    ck_assert_int_eq(checked, 161);
    cJSON_Delete(file);
}
END_TEST

int main(void) {
    const TTest *const tests[] = { examples };
    return run_tests_with("serve_examples", open_support, close_support, tests, COUNT_OF(tests));
}
