/* Tests random serving plans on every shipped device and engine: times are above their lower bounds; more sequences,
 * longer contexts and slower memory never make a decode step shorter; and as many sequences fit in memory as the result
 * states. */
#include "draw.h"
#include "serve_cases.h"

enum { PLANS = 4000 };

static const char *const models[] = { "llama3-8b",   "llama3-70b",  "mistral-7b", "mixtral-8x7b",
                                      "deepseek-v2", "gpt-oss-20b", "gemma2-9b",  "jamba-v0.1",
                                      "qwen3-8b",    "olmoe-1b-7b", "gpt2-xl",    "phi3-mini" };
static const char *const devices[] = { "a100",   "h100",     "h200",        "b200-sxm-180gb", "l40s",
                                       "mi300x", "rtx-4090", "gb200-nvl72", "a100-40gb",      "h100-pcie-80gb" };
static const char *const engines[] = {
    "vllm",     "vllm-2024",         "sglang",    "tensorrt-llm",      "lmdeploy",
    "gpt-fast", "fastertransformer", "llama-cpp", "tensorrt-llm-2024", "neutral-engine"
};
#define ONE_OF(list) list[draw(sizeof(list) / sizeof(list)[0])]

typedef struct drawn {
    const nnc_model *model;
    const nnc_device *device;
    const nnc_software *software;
    nnc_serve_ask ask;
    char text[512];
} drawn;

static void draw_load(nnc_serve_ask *ask) {
    switch (draw(4)) {
    case 0: ask->batch = (int64_t)scaled(1.0, 600.0); break;
    case 1: ask->concurrency = (int64_t)scaled(1.0, 3000.0); break;
    case 2: ask->request_rate = scaled(0.01, 300.0); break;
    default: ask->offline = true; break;
    }
}

static drawn draw_served(int number) {
    nnc_error err = { 0 };
    drawn d = { .ask = nnc_serve_ask_default() };
    seed(number);
    ok(nnc_model_load(specs, ONE_OF(models), &d.model, &err), &err);
    ok(nnc_device_load(specs, ONE_OF(devices), &d.device, &err), &err);
    ok(nnc_software_load(specs, ONE_OF(engines), &d.software, &err), &err);
    d.ask.tensor = power(3);
    d.ask.pipeline = coin() ? 1 : power(2);
    d.ask.data = coin() ? 0 : power(1);
    d.ask.attention_data = draw(4) == 0 ? power(2) : 1;
    d.ask.expert = draw(4) == 0 ? d.ask.tensor * d.ask.attention_data : 1;
    d.ask.input_len = (int64_t)scaled(1.0, 16000.0);
    d.ask.output_len = (int64_t)scaled(1.0, 4000.0);
    d.ask.weights = coin() ? NNC_STORED_COUNT : (nnc_stored)draw(NNC_STORED_COUNT);
    d.ask.kv_precision = coin() ? NNC_STORED_COUNT : (nnc_stored)draw(NNC_STORED_COUNT);
    d.ask.prefix_hit = coin() ? 0.0 : scaled(0.01, 1.0);
    d.ask.chunk = coin() ? 0 : (int64_t)scaled(64.0, 20000.0);
    draw_load(&d.ask);
    snprintf(d.text, sizeof d.text,
             "plan %d: %s on %s with %s, tensor %d, pipeline %d, groups %d, in %d, out %d, hit %g, "
             "chunk %d, batch %d, open %d, rate %g",
             number, d.model->id, d.device->id, d.software->id, (int)d.ask.tensor, (int)d.ask.pipeline,
             (int)d.ask.attention_data, (int)d.ask.input_len, (int)d.ask.output_len, d.ask.prefix_hit, (int)d.ask.chunk,
             (int)d.ask.batch, (int)d.ask.concurrency, d.ask.request_rate);
    return d;
}

static bool serve(const drawn *d, const nnc_serve_ask *ask, nnc_serve *s) {
    return nnc_serve_of(d->model, d->device, d->software, ask, scratch, s, NULL) == NNC_OK;
}

#define HOLDS(condition) ck_assert_msg(condition, "%s: %s", d.text, #condition)

static bool at_least(double a, double b) { return a >= b * (1.0 - 1e-12); }

/* No time is below its lower bound, and no rate is above its upper bound. Finite values are above 0. */
START_TEST(nothing_beats_its_bound) {
    int legal = 0;
    for (int number = 0; number < PLANS; number++) {
        const drawn d = draw_served(number);
        nnc_serve s;
        if (!serve(&d, &d.ask, &s)) { continue; }
        legal++;
        HOLDS(at_least(s.prefill.time_s, s.prefill.lower_bound_s));
        HOLDS(at_least(s.decode.time_s, s.decode.lower_bound_s));
        HOLDS(at_least(s.ttft_s, s.ttft_lower_bound_s));
        HOLDS(at_least(s.tpot_s, s.tpot_lower_bound_s));
        HOLDS(at_least(s.request_s, s.request_lower_bound_s));
        HOLDS(at_least(s.upper_bound_tokens_per_s, s.output_tokens_per_s));
        HOLDS(s.decode.lower_bound_s > 0.0 && s.prefill.lower_bound_s > 0.0);
        HOLDS(s.utilization > 0.0 && s.utilization <= 1.0);
        HOLDS(at_least(s.tpot_interval_s[1], s.tpot_s) && at_least(s.tpot_s, s.tpot_interval_s[0]));
    }
    ck_assert_int_gt(legal, PLANS / 4);
}
END_TEST

/* More sequences, a longer context, a wider cache format or a slower memory never make a decode step shorter, and never
 * lower its bound. */
START_TEST(decode_grows) {
    for (int number = 0; number < PLANS; number++) {
        const drawn d = draw_served(number);
        nnc_serve_ask few = d.ask, more;
        nnc_serve a, b;
        few.concurrency = 0;
        few.request_rate = (double)NAN;
        few.offline = false;
        few.batch = (int64_t)scaled(1.0, 300.0);
        few.data = 1;
        few.devices = 0;
        if (!serve(&d, &few, &a)) { continue; }
        more = few;
        more.batch += between(1, 300);
        HOLDS(serve(&d, &more, &b) && at_least(b.decode.time_s, a.decode.time_s));
        HOLDS(at_least(b.decode.lower_bound_s, a.decode.lower_bound_s));
        more = few;
        more.input_len += between(1, 5000);
        if (serve(&d, &more, &b)) { /* a longer context can exceed a table of learned positions */
            HOLDS(at_least(b.decode.time_s, a.decode.time_s));
            HOLDS(at_least(b.prefill.lower_bound_s, a.prefill.lower_bound_s));
        }
        more = few;
        more.kv_precision = NNC_STORED_FP32;
        HOLDS(serve(&d, &more, &b) && at_least(b.decode.kv_bytes, a.decode.kv_bytes));
        HOLDS(at_least(b.decode.time_s, a.decode.time_s));
        nnc_device slower = *d.device;
        slower.mem_bytes_per_s *= 0.7;
        nnc_error err = { 0 };
        ok(nnc_serve_of(d.model, &slower, d.software, &few, scratch, &b, &err), &err);
        HOLDS(at_least(b.decode.time_s, a.decode.time_s));
    }
}
END_TEST

/* For a batch that does not fit, the result states how many sequences would fit: so many fit, and one more does not. */
START_TEST(as_many_fit_as_it_says) {
    int over = 0;
    for (int number = 0; number < PLANS; number++) {
        const drawn d = draw_served(number);
        nnc_serve_ask ask = d.ask;
        nnc_serve s, again;
        ask.concurrency = 0;
        ask.request_rate = (double)NAN;
        ask.offline = false;
        ask.batch = (int64_t)scaled(1.0, 5000.0);
        if (!serve(&d, &ask, &s)) { continue; }
        HOLDS(s.fits == (s.headroom_bytes >= 0.0));
        over += !s.fits;
        if (s.max_sequences < 1.0 || s.max_sequences > 1e6) {
            HOLDS(s.fits == (s.max_sequences > 1e6));
            continue;
        }
        ask.batch = (int64_t)s.max_sequences;
        HOLDS(serve(&d, &ask, &again) && again.fits);
        ask.batch++;
        HOLDS(serve(&d, &ask, &again) && !again.fits && again.headroom_bytes < 0.0);
    }
    ck_assert_int_gt(over, PLANS / 20);
}
END_TEST

int main(void) {
    const TTest *const tests[] = { nothing_beats_its_bound, decode_grows, as_many_fit_as_it_says };
    return run_tests_with("serve_random", open_support, close_support, tests, COUNT_OF(tests));
}
