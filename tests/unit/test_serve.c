/* Tests rules that hold for every serving estimate. */
#include "base/base_internal.h"
#include "evaluate.h"
#include "serve/serve_internal.h"
#include "serve_cases.h"

static const char *const models[] = { "llama3-8b",  "mixtral-8x7b", "deepseek-v2-lite", "gpt-oss-20b",
                                      "jamba-v0.1", "gemma2-9b",    "gpt2-xl" };

static nnc_serve served(const char *id, const nnc_serve_ask *ask) {
    const nnc_model *model = NULL;
    const nnc_device *device = NULL;
    const nnc_software *software = NULL;
    nnc_serve serve;
    nnc_error err = { 0 };
    ok(nnc_model_load(specs, id, &model, &err), &err);
    ok(nnc_device_load(specs, "h100", &device, &err), &err);
    ok(nnc_software_load(specs, "vllm", &software, &err), &err);
    ok(nnc_serve_of(model, device, software, ask, scratch, &serve, &err), &err);
    return serve;
}

static nnc_serve_ask short_requests(void) {
    nnc_serve_ask ask = nnc_serve_ask_default();
    ask.input_len = 500;
    ask.output_len = 100;
    return ask;
}

/* A larger batch, a longer context or wider weights never make a step shorter, and no time is below its lower bound. */
START_TEST(monotone_and_bounded) {
    static const nnc_stored narrow_first[] = { NNC_STORED_INT4, NNC_STORED_INT8, NNC_STORED_BF16 };
    for (size_t m = 0; m < sizeof models / sizeof models[0]; m++) {
        double before = 0.0;
        for (int64_t batch = 1; batch <= 1024; batch *= 2) {
            nnc_serve_ask ask = short_requests();
            ask.batch = batch;
            const nnc_serve s = served(models[m], &ask);
            ck_assert_msg(s.tpot_s > before, "%s at %d", models[m], (int)batch);
            ck_assert(s.tpot_s >= s.tpot_lower_bound_s && s.ttft_s >= s.ttft_lower_bound_s);
            before = s.tpot_s;
        }
        before = 0.0;
        for (int64_t input_len = 100; input_len <= 800; input_len *= 2) {
            nnc_serve_ask ask = short_requests();
            ask.input_len = input_len;
            ask.batch = 32;
            const nnc_serve s = served(models[m], &ask);
            ck_assert_msg(s.tpot_s >= before, "%s at %d", models[m], (int)input_len);
            before = s.tpot_s;
        }
        before = 0.0;
        for (int i = 0; i < 3; i++) {
            nnc_serve_ask ask = short_requests();
            ask.weights = narrow_first[i];
            ask.precision = NNC_BF16;
            const nnc_serve s = served(models[m], &ask);
            ck_assert_msg(s.tpot_s > before, "%s in %s", models[m], nnc_stored_name(narrow_first[i]));
            before = s.tpot_s;
        }
    }
}
END_TEST

/* The parts of a step add up to its time. Open and closed loops agree with Little's law. Above the saturation rate, the
 * queue of an open loop grows without limit. */
START_TEST(loads_agree) {
    nnc_serve_ask ask = short_requests();
    ask.concurrency = 32;
    const nnc_serve closed = served("llama3-8b", &ask);
    const nnc_serve_step *d = &closed.decode;
    ck_assert_double_eq_tol(d->time_s, d->product_s + d->expert_s + d->attention_s + d->head_s + d->comm_s + d->host_s,
                            1e-15);
    ck_assert_double_eq_tol(closed.requests_per_s * closed.request_s, 32.0, 1e-9);

    ask.concurrency = 0;
    ask.request_rate = closed.requests_per_s;
    const nnc_serve open = served("llama3-8b", &ask);
    ck_assert(!open.saturated);
    ck_assert_double_eq_tol(open.running, open.requests_per_s * open.request_s, 1e-6);
    /* the mean number of running requests is close to the 32 open requests of the closed loop */
    ck_assert_double_eq_tol(open.running / 32.0, 1.0, 0.1);

    ask.request_rate = open.saturation_rate * 1.001;
    ck_assert(served("llama3-8b", &ask).saturated);
    ck_assert(isinf(served("llama3-8b", &ask).ttft_s));
    ask.request_rate = open.saturation_rate * 0.999;
    ck_assert(!served("llama3-8b", &ask).saturated);
}
END_TEST

/* max_sequences sequences fit. One more sequence does not fit, and the headroom is negative by the missing bytes. */
START_TEST(fits_or_says_by_how_much) {
    nnc_serve_ask ask = nnc_serve_ask_default();
    ask.input_len = 2048;
    ask.batch = 192;
    const nnc_serve fits = served("llama3-8b", &ask);
    ask.batch = 193;
    const nnc_serve not = served("llama3-8b", &ask);
    ck_assert(fits.fits && !not .fits);
    ck_assert_double_eq(not .max_sequences, 192.0);
    ck_assert_double_eq_tol(fits.headroom_bytes - not .headroom_bytes, 2304.0 * 131072.0, 1e-3);
}
END_TEST

/* The replica with the most requests decides the time of a batch: with 6 requests on 4 replicas, two of the replicas
 * have 2 requests each. */
START_TEST(requests_are_whole) {
    nnc_serve_ask ask = short_requests();
    ask.batch = 1;
    const nnc_serve one = served("llama3-8b", &ask);
    ask.batch = 2;
    const nnc_serve two = served("llama3-8b", &ask);
    ask.data = 4;
    ask.batch = 1;
    const nnc_serve alone = served("llama3-8b", &ask);
    ck_assert_double_eq(alone.ttft_s, one.ttft_s);
    ck_assert_double_eq(alone.requests_per_s, one.requests_per_s);
    ask.batch = 6;
    const nnc_serve six = served("llama3-8b", &ask);
    ck_assert_double_eq(six.tpot_s, two.tpot_s);
    ck_assert_double_eq_tol(six.output_tokens_per_s / (3.0 * two.output_tokens_per_s), 1.0, 1e-12);
}
END_TEST

/* Each of two replicas has half of the requests. Stages and tensor ranks divide the weights and the KV cache. */
START_TEST(devices_share) {
    nnc_serve_ask ask = short_requests();
    ask.concurrency = 32;
    const nnc_serve one = served("llama3-8b", &ask);
    ask.concurrency = 64;
    ask.data = 2;
    const nnc_serve two = served("llama3-8b", &ask);
    ck_assert_double_eq_tol(two.output_tokens_per_s, 2.0 * one.output_tokens_per_s, 1e-6);
    ck_assert_double_eq(two.tpot_s, one.tpot_s);
    ask.data = 1;
    ask.tensor = 2;
    const nnc_serve split = served("llama3-8b", &ask);
    ck_assert_double_eq(split.kv_bytes_per_token, one.kv_bytes_per_token / 2.0);
    ck_assert(split.decode.comm_s > 0.0 && one.decode.comm_s == 0.0);
    ask.tensor = 1;
    ask.pipeline = 2;
    const nnc_serve staged = served("llama3-8b", &ask);
    ck_assert_double_eq(staged.kv_bytes_per_token, one.kv_bytes_per_token / 2.0);
    ck_assert(staged.max_sequences > one.max_sequences);
}
END_TEST

/* Every line that `explain` prints for a serving estimate is true. */
START_TEST(every_line_is_true) {
    const nnc_model *model = NULL;
    const nnc_device *device = NULL;
    const nnc_software *software = NULL;
    ck_assert_int_eq(nnc_model_load(specs, "mixtral-8x7b", &model, NULL), NNC_OK);
    ck_assert_int_eq(nnc_device_load(specs, "h100", &device, NULL), NNC_OK);
    ck_assert_int_eq(nnc_software_load(specs, "vllm", &software, NULL), NNC_OK);
    for (int variant = 0; variant < 5; variant++) {
        nnc_serve_ask ask = short_requests();
        const nnc_line *lines = NULL;
        nnc_error err = { 0 };
        nnc_serve serve;
        int count = 0;
        ask.tensor = 4;
        ask.data = 2;
        ask.batch = variant == 0 ? 8 : 0;
        ask.concurrency = variant == 1 ? 700 : 0;
        ask.request_rate = variant == 2 ? 4.0 : variant == 3 ? 1e6 : (double)NAN;
        ask.offline = variant == 4;
        ask.draft_length = 4;
        ask.prefill_workers = ask.decode_workers = 2;
        nnc_derivation *why = nnc_derivation_create();
        ok(nnc_serve_say(model, device, software, &ask, scratch, &serve, NULL, why, &err), &err);
        ck_assert(nnc_derivation_lines(why, &lines, &count) && count > 30);
        for (int i = 0; i < count; i++) {
            double value = 0.0;
            ck_assert_msg(evaluate(lines[i].numbers, &value), "%s = %s", lines[i].name, lines[i].numbers);
            ck_assert_msg((isnan(value) && isnan(lines[i].value)) || value == lines[i].value ||
                              fabs(value / lines[i].value - 1.0) < 1e-9,
                          "%s = %s = %.12g, not %.12g", lines[i].name, lines[i].numbers, value, lines[i].value);
        }
        nnc_derivation_destroy(why);
    }
}
END_TEST

/* The result of a search equals the result for its plan alone, meets the limits, and is on the Pareto front. */
START_TEST(search_finds) {
    static const nnc_serve_limit limits[] = {
        { "latency.ttft_s", offsetof(nnc_serve, ttft_s), false, 0.5 },
        { "latency.tpot_s", offsetof(nnc_serve, tpot_s), false, 0.02 },
    };
    const nnc_serve_search search = { limits, 2, 8 };
    const nnc_serve_ask ask = short_requests();
    const nnc_model *model = NULL;
    const nnc_device *device = NULL;
    const nnc_software *software = NULL;
    nnc_error err = { 0 };
    nnc_serve_search_result *r = calloc(1, sizeof *r);
    ck_assert_ptr_nonnull(r);
    ck_assert_int_eq(nnc_model_load(specs, "llama3-8b", &model, NULL), NNC_OK);
    ck_assert_int_eq(nnc_device_load(specs, "h100", &device, NULL), NNC_OK);
    ck_assert_int_eq(nnc_software_load(specs, "vllm", &software, NULL), NNC_OK);
    ok(nnc_serve_search_of(model, device, software, &ask, &search, scratch, r, &err), &err);
    ck_assert(r->found && r->meeting > 10 && r->meeting < r->evaluated);
    const nnc_serve again = served("llama3-8b", &r->cheapest.plan);
    ck_assert_double_eq(again.tpot_s, r->cheapest.tpot_s);
    ck_assert_double_eq(again.ttft_s, r->cheapest.ttft_s);
    ck_assert(again.tpot_s <= 0.02 && again.ttft_s <= 0.5);
    for (int32_t i = 0; i < r->front_count; i++) {
        const nnc_serve_found *f = &r->front[i];
        ck_assert(f->output_tokens_per_s_per_device <= r->cheapest.output_tokens_per_s_per_device);
        ck_assert(i == 0 || f->tokens_per_s_per_user > f[-1].tokens_per_s_per_user);
        ck_assert(i == 0 || f->output_tokens_per_s_per_device < f[-1].output_tokens_per_s_per_device);
    }
    if (r->cheapest.broken >= 0) { ck_assert(r->cheapest.broken_value > limits[r->cheapest.broken].value); }
    free(r);
}
END_TEST

/* Networks that do not generate tokens are refused with a message of one line. */
START_TEST(refuses) {
    static const char *const ids[] = { "bert-large", "t5-base", "sd1-unet", "vit-b-16", "resnet-50" };
    const nnc_device *device = load_device("hw/h100-sxm5-80gb.json");
    const nnc_serve_ask ask = nnc_serve_ask_default();
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        const nnc_model *model = NULL;
        nnc_serve serve;
        nnc_error err = { 0 };
        ok(nnc_model_load(specs, ids[i], &model, &err), &err);
        ck_assert_int_eq(nnc_serve_of(model, device, NULL, &ask, scratch, &serve, &err), NNC_ILLEGAL_PLAN);
        ck_assert_ptr_nonnull(strstr(err.what, "cannot be served"));
    }
}
END_TEST

/* Contradicting options are refused with a message that names one of them. The number of tensor ranks must be a divisor
 * or a multiple of the 8 key heads. 12 is neither, although 12 is a divisor of the 48 query heads. */
START_TEST(refuses_contradictions) {
    const nnc_device *device = load_device("hw/h100-sxm5-80gb.json");
    const nnc_model *llama3 = NULL;
    nnc_error err = { 0 };
    ok(nnc_model_load(specs, "llama3-8b", &llama3, &err), &err);
    nnc_model model = *llama3;
    const nnc_serve_ask plain = nnc_serve_ask_default();
    nnc_serve_ask asks[7] = { plain, plain, plain, plain, plain, plain, plain };
    static const struct {
        const char *where, *what;
    } wanted[7] = { { "--tensor", "kv_heads 8" },          { "--batch", "found 2" },  { "--batch", "found 2" },
                    { "--concurrency", "found 2" },        { "--expert", "found 2" }, { "--attention-data", "found 2" },
                    { "--disaggregate", "found one kind" } };
    model.decoder.heads = 48;
    model.decoder.ffn_hidden = 12 * 1024;
    asks[0].tensor = 12;
    asks[1].batch = 1;
    asks[1].offline = true;
    asks[2].batch = 1;
    asks[2].request_rate = 0.5;
    asks[3].concurrency = 1;
    asks[3].offline = true;
    asks[4].expert = 2;
    asks[5].attention_data = 2;
    asks[6].decode_workers = 1;
    for (size_t i = 0; i < COUNT_OF(asks); i++) {
        nnc_serve serve;
        const nnc_status status = nnc_serve_of(&model, device, NULL, &asks[i], scratch, &serve, &err);
        ck_assert_msg(status != NNC_OK, "%zu", i);
        ck_assert_msg(strcmp(err.where, wanted[i].where) == 0 && strstr(err.what, wanted[i].what), "%zu: %s: %s", i,
                      err.where, err.what);
    }
}
END_TEST

/* In this plan, 5 groups of 2 tensor ranks each divide the 14,336 columns of an expert among them. Each of 2 tensor
 * ranks has 7,168 columns, and 7,168 is not a multiple of 5 groups. So the message names the number of groups, and 4
 * and 7 as the nearest divisors. */
START_TEST(names_the_degree_at_fault) {
    const nnc_device *device = load_device("hw/h100-sxm5-80gb.json");
    const nnc_model *model = NULL;
    nnc_serve_ask ask = nnc_serve_ask_default();
    nnc_error err = { 0 };
    nnc_serve serve;
    ok(nnc_model_load(specs, "mixtral-8x7b", &model, &err), &err);
    ask.tensor = 2;
    ask.attention_data = 5;
    ck_assert_int_eq(nnc_serve_of(model, device, NULL, &ask, scratch, &serve, &err), NNC_ILLEGAL_PLAN);
    ck_assert_str_eq(err.where, "--attention-data");
    ck_assert_ptr_nonnull(strstr(err.what, "7168 cannot be divided over 5 ranks, expected 4 or 7"));
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        monotone_and_bounded, loads_agree,  fits_or_says_by_how_much, requests_are_whole,
        devices_share,        refuses,      refuses_contradictions,   names_the_degree_at_fault,
        every_line_is_true,   search_finds,
    };
    return run_tests_with("serve", open_support, close_support, tests, COUNT_OF(tests));
}
