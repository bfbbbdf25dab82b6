/* Computes latency and throughput of each kind of load again, with the formulas of docs/serving.md, from the times of a
 * prefill and of a decode step, for several splits over devices. Also tests rules of simulated loads, speculative
 * decoding and separate prefill workers. test_serve_replay.c tests simulated loads by hand. */
#include "run_cases.h"
#include "serve/serve_internal.h"
#include "serve_cases.h"

typedef struct split {
    int32_t data, tensor, pipeline;
    double prefix_hit;
} split;
static const split splits[] = { { 1, 1, 1, 0.0 }, { 2, 1, 1, 0.25 }, { 1, 2, 2, 0.0 }, { 3, 2, 1, 0.5 } };

static const nnc_device *device;
static const nnc_software *engine;

static nnc_serve served(const nnc_serve_ask *ask) {
    const nnc_model *model = NULL;
    nnc_serve serve;
    nnc_error err = { 0 };
    ok(nnc_model_load(specs, "llama3-8b", &model, &err), &err);
    ok(nnc_device_load(specs, "h100", &device, &err), &err);
    ok(nnc_software_load(specs, "vllm", &engine, &err), &err);
    ok(nnc_serve_of(model, device, engine, ask, scratch, &serve, &err), &err);
    return serve;
}

static nnc_serve_ask split_of(const split *by) {
    nnc_serve_ask ask = nnc_serve_ask_default();
    ask.input_len = 1000;
    ask.output_len = 200;
    ask.data = by->data;
    ask.tensor = by->tensor;
    ask.pipeline = by->pipeline;
    ask.prefix_hit = by->prefix_hit;
    ask.length_spread = 0.0;
    ask.max_batch = 256; /* less than the cache holds */
    return ask;
}

/* Checks request rates, rates per user and device, and bounds, which all modes compute in the same way. */
static void check_rates(const nnc_serve *s) {
    const double devices = s->plan.data * s->plan.tensor * s->plan.pipeline;
    CLOSE(s->requests_per_s, s->output_tokens_per_s / 200.0, 1e-12);
    CLOSE(s->input_tokens_per_s, s->requests_per_s * 1000.0, 1e-12);
    CLOSE(s->output_tokens_per_s_per_device, s->output_tokens_per_s / devices, 1e-12);
    CLOSE(s->tokens_per_s_per_user, 1.0 / s->tpot_s, 1e-12);
    CLOSE(s->ttft_lower_bound_s, s->prefill.lower_bound_s, 1e-12);
    CLOSE(s->tpot_lower_bound_s, s->decode.lower_bound_s, 1e-12);
    CLOSE(s->request_lower_bound_s, s->prefill.lower_bound_s + 199.0 * s->decode.lower_bound_s, 1e-12);
    CLOSE(s->upper_bound_tokens_per_s, s->running / s->decode.lower_bound_s, 1e-12);
    const nnc_spread tpot = nnc_serve_widened(nnc_serve_spread(&engine->serving, false), s);
    CLOSE(s->saturation_interval[0] * tpot.high, s->saturation_rate, 1e-12);
    CLOSE(s->saturation_interval[1] * tpot.low, s->saturation_rate, 1e-12);
    if (s->mode == NNC_SERVE_OPEN) { /* the intervals of an open loop include the queue; see open_loops_widen_ranges */
        ck_assert_double_le(s->tpot_interval_s[0], fmax(tpot.low * s->tpot_s, s->tpot_lower_bound_s));
        ck_assert_double_ge(s->tpot_interval_s[1], tpot.high * s->tpot_s);
    } else {
        CLOSE(s->tpot_interval_s[0], fmax(tpot.low * s->tpot_s, s->tpot_lower_bound_s), 1e-12);
        CLOSE(s->tpot_interval_s[1], tpot.high * s->tpot_s, 1e-12);
    }
    if (s->mode != NNC_SERVE_OPEN) {
        const nnc_spread ttft = nnc_serve_widened(&engine->serving.ttft, s);
        CLOSE(s->ttft_interval_s[0], fmax(ttft.low * s->ttft_s, s->ttft_lower_bound_s), 1e-12);
        CLOSE(s->ttft_interval_s[1], ttft.high * s->ttft_s, 1e-12);
    }
    /* FLOPs of one request on one device: its prefill and its decode steps. In a static batch, the prefill of a request
     * is its share of the prefill of the batch, and the first token needs no decode step. */
    const bool of_batch = s->mode == NNC_SERVE_STATIC;
    const double each =
        s->prefill.flops / (of_batch ? s->prefill.sequences : 1.0) +
        (of_batch ? 199.0 : 200.0) * s->decode.flops / fmax(s->decode.sequences / s->plan.pipeline, 1.0);
    CLOSE(s->utilization,
          s->requests_per_s / s->plan.data / s->plan.pipeline * each /
              nnc_device_matmul_peak(device, s->plan.precision),
          1e-12);
}

/* In a static batch, the time to the first token is the prefill; 199 decode steps follow. */
START_TEST(static_batches) {
    for (size_t i = 0; i < COUNT_OF(splits); i++) {
        nnc_serve_ask ask = split_of(&splits[i]);
        ask.batch = 24;
        const nnc_serve s = served(&ask);
        ck_assert_int_eq((int)s.mode, NNC_SERVE_STATIC);
        CLOSE(s.prefill.sequences, 24.0 / ask.data, 1e-12);
        CLOSE(s.prefill.new_tokens, 1000.0 * (1.0 - ask.prefix_hit), 1e-12);
        CLOSE(s.decode.context, 1000.0 + 100.0, 1e-12);
        CLOSE(s.ttft_s, s.prefill.time_s + engine->serving.ttft_s, 1e-12);
        CLOSE(s.tpot_s, s.decode.time_s, 1e-12);
        CLOSE(s.request_s, s.ttft_s + 199.0 * s.decode.time_s, 1e-12);
        CLOSE(s.output_tokens_per_s, 24.0 * 200.0 / s.request_s, 1e-12);
        ck_assert_double_eq(s.running, 24.0);
        ck_assert_double_eq(s.queue_s, 0.0);
        check_rates(&s);
    }
}
END_TEST

/* A batch of two full waves and one more sequence runs in three waves, each as long as a separate batch. */
START_TEST(batches_in_waves) {
    nnc_serve_ask ask = split_of(&splits[0]);
    ask.batch = 1;
    const nnc_serve last = served(&ask);
    const double most = floor(last.max_sequences);
    ask.batch = (int64_t)most;
    const nnc_serve full = served(&ask);
    const double server_s = engine->serving.ttft_s;
    CLOSE(full.request_s, server_s + full.prefill.time_s + 199.0 * full.decode.time_s, 1e-12);
    ask.batch = 2 * (int64_t)most + 1;
    const nnc_serve waves = served(&ask);
    CLOSE(waves.request_s, 2.0 * full.request_s + last.request_s - 2.0 * server_s, 1e-12);
    CLOSE(waves.output_tokens_per_s, (2.0 * most + 1.0) * 200.0 / waves.request_s, 1e-12);
    ask.batch = 2 * (int64_t)most;
    CLOSE(served(&ask).request_s, 2.0 * full.request_s - server_s, 1e-12);
}
END_TEST

/* The results of an open loop follow Little's law. The time to the first token is the sum of its parts. Replicas divide
 * the load. A load of a single request has the results of a batch of 1. */
START_TEST(open_loops) {
    for (size_t i = 0; i < COUNT_OF(splits); i++) {
        nnc_serve_ask ask = split_of(&splits[i]);
        ask.request_rate = 2.0 * ask.data;
        const nnc_serve s = served(&ask);
        ck_assert(s.mode == NNC_SERVE_OPEN && !s.saturated);
        ck_assert_double_eq(s.prefill.sequences, 1.0);
        CLOSE(s.ttft_s, s.prefill.time_s + s.queue_s + engine->serving.ttft_s, 1e-12);
        CLOSE(s.request_s, s.ttft_s + 199.0 * s.tpot_s, 1e-9);
        CLOSE(s.running, 2.0 * ask.data * s.request_s, 1e-12);
        CLOSE(s.output_tokens_per_s, 2.0 * ask.data * 200.0, 1e-12);
        ck_assert(s.ttft_p50_s <= s.ttft_p90_s && s.ttft_p90_s <= s.ttft_p99_s);
        ck_assert_double_ge(s.ttft_s, s.prefill.time_s);
        ck_assert_double_ge(s.tpot_s, s.decode.lower_bound_s);
        ck_assert_double_eq(s.simulated, 10000.0);
        check_rates(&s);

        ask.request_rate = 1e-4 * ask.data; /* requests are so rare that each request runs alone */
        const nnc_serve alone = served(&ask);
        ask.request_rate = NAN;
        ask.batch = ask.data;
        const nnc_serve one = served(&ask);
        CLOSE(alone.ttft_p50_s, one.ttft_s, 1e-6);
        CLOSE(alone.request_p50_s, one.request_s, 1e-6);
    }
}
END_TEST

/* The range of an open loop includes the wait in its queue. With the range 0.8 to 1.25 of step times, the ends for 8
 * requests per second are 0.8 x the time at 6.4 requests per second, and 1.25 x the time at 10 per second. If 1.25 x
 * the rate is above saturation, the time to first token has no upper end, and a token takes 1.25 x its time in a full
 * server. */
START_TEST(open_loops_widen_ranges) {
    nnc_serve_ask ask = split_of(&splits[0]);
    nnc_error err = { 0 };
    const nnc_model *model = NULL;
    nnc_serve s;
    ask.request_rate = 1e-4;
    const double most = served(&ask).saturation_rate, busy = 0.55 * most;
    ok(nnc_model_load(specs, "llama3-8b", &model, &err), &err);
    nnc_software wide = *engine;
    wide.serving.tpot = (nnc_spread){ .low = 0.8, .high = 1.25 };
    wide.serving.ttft = (nnc_spread){ .low = 0.5, .high = 2.0 };
    ask.request_rate = 0.8 * busy;
    const nnc_serve slow = served(&ask);
    ask.request_rate = 1.25 * busy;
    const nnc_serve fast = served(&ask);
    ask.request_rate = busy;
    const nnc_serve middle = served(&ask);
    ok(nnc_serve_of(model, device, &wide, &ask, scratch, &s, &err), &err);
    ck_assert_double_eq(s.tpot_s, middle.tpot_s);
    CLOSE(s.tpot_interval_s[0], 0.8 * slow.tpot_s, 1e-12);
    CLOSE(s.tpot_interval_s[1], 1.25 * fast.tpot_s, 1e-12);
    CLOSE(s.ttft_interval_s[0], 0.5 * slow.ttft_s, 1e-12);
    CLOSE(s.ttft_interval_s[1], 2.0 * fast.ttft_s, 1e-12);
    /* with the wait in the queue, the range is wider than the range of step times alone */
    ck_assert_double_gt(s.tpot_interval_s[1], 1.02 * 1.25 * s.tpot_s);
    CLOSE(s.saturation_interval[0], most / 1.25, 1e-12);
    CLOSE(s.saturation_interval[1], most / 0.8, 1e-12);

    ask.request_rate = 0.9 * most;
    ok(nnc_serve_of(model, device, &wide, &ask, scratch, &s, &err), &err);
    ck_assert(!s.saturated && isinf(s.ttft_interval_s[1]) && isfinite(s.ttft_interval_s[0]));
    CLOSE(s.tpot_interval_s[1], 1.25 * (double)s.plan.max_batch / (most * 200.0), 1e-12);

    ask.request_rate = 1.1 * most; /* the rate is above saturation, but not if steps take 0.8 of the time */
    ok(nnc_serve_of(model, device, &wide, &ask, scratch, &s, &err), &err);
    ck_assert(s.saturated && isinf(s.ttft_interval_s[1]));
    ask.request_rate = 0.8 * 1.1 * most;
    CLOSE(s.tpot_interval_s[0], 0.8 * served(&ask).tpot_s, 0.01);
}
END_TEST

/* In a list of recorded requests, steps that take f times as long have the same effect as requests that arrive f times
 * as fast. */
START_TEST(recorded_loops_widen_ranges) {
    enum { REQUESTS = 200 };
    nnc_serve_arrival list[REQUESTS], sped[REQUESTS];
    nnc_error err = { 0 };
    const nnc_model *model = NULL;
    nnc_serve s;
    nnc_serve_ask ask = split_of(&splits[0]);
    for (int i = 0; i < REQUESTS; i++) {
        list[i] = sped[i] = (nnc_serve_arrival){ .arrival_s = 0.1 * i, .input_len = 1000, .output_len = 200 };
        sped[i].arrival_s /= 1.25;
    }
    ask.arrival_list = sped;
    ask.arrival_count = REQUESTS;
    const nnc_serve fast = served(&ask);
    ok(nnc_model_load(specs, "llama3-8b", &model, &err), &err);
    nnc_software wide = *engine;
    wide.serving.tpot = (nnc_spread){ .low = 0.8, .high = 1.25 };
    ask.arrival_list = list;
    ok(nnc_serve_of(model, device, &wide, &ask, scratch, &s, &err), &err);
    CLOSE(s.tpot_interval_s[1], 1.25 * fast.tpot_s, 1e-12);
    ck_assert_double_lt(s.tpot_s, fast.tpot_s);
}
END_TEST

/* With full servers, three loads end the same number of requests per second: offline, a rate above saturation, and a
 * closed loop with enough clients. */
START_TEST(full_loops) {
    for (size_t i = 0; i < COUNT_OF(splits); i++) {
        nnc_serve_ask ask = split_of(&splits[i]);
        ask.offline = true;
        const nnc_serve all = served(&ask);
        const double most = fmin(all.max_sequences / ask.data, (double)all.plan.max_batch);
        ck_assert_int_eq((int)all.mode, NNC_SERVE_OFFLINE);
        CLOSE(all.decode.sequences, most, 1e-12);
        CLOSE(all.running, ask.data * most, 1e-12);
        CLOSE(all.requests_per_s, all.saturation_rate, 1e-12);
        CLOSE(all.tpot_s, all.running / all.output_tokens_per_s, 1e-12);
        CLOSE(all.ttft_s, all.prefill.time_s + all.tpot_s / 2.0 + engine->serving.ttft_s, 1e-12);
        CLOSE(all.request_s, all.ttft_s + 199.0 * all.tpot_s, 1e-12);
        ck_assert_double_eq(all.queue_s, 0.0);
        check_rates(&all);
        const double simulated[] = { all.ttft_p50_s,    all.ttft_p90_s,  all.ttft_p99_s,    all.tpot_p50_s,
                                     all.tpot_p90_s,    all.tpot_p99_s,  all.request_p50_s, all.request_p90_s,
                                     all.request_p99_s, all.preemptions, all.simulated };
        for (size_t k = 0; k < COUNT_OF(simulated); k++) { ck_assert(isnan(simulated[k])); }

        ask.offline = false;
        ask.request_rate = 2.0 * all.saturation_rate;
        const nnc_serve s = served(&ask);
        ck_assert(s.saturated && isinf(s.ttft_s) && isinf(s.request_s) && isinf(s.queue_s));
        CLOSE(s.tpot_s, all.tpot_s, 1e-12);
        CLOSE(s.running, ask.data * most, 1e-12);
        CLOSE(s.output_tokens_per_s, all.saturation_rate * 200.0, 1e-12);
        check_rates(&s);

        /* the lengths of the requests differ, so that the clients do not send their requests at the same moments */
        ask.request_rate = NAN;
        ask.concurrency = 4 * ask.data * (int64_t)most;
        ask.length_spread = 0.5;
        ask.waves = 1e9;
        CLOSE(served(&ask).requests_per_s, all.saturation_rate, 0.02);
    }
}
END_TEST

/* A benchmark of one wave ends with fewer open requests than it starts with. The rate of a benchmark of one wave is at
 * most the saturation rate. By Little's law, the rate of a benchmark of one wave is also at most that of a loop in
 * which all requests are always open. */
START_TEST(one_wave) {
    for (size_t i = 0; i < COUNT_OF(splits); i++) {
        for (int64_t open = 4; open <= 1024; open *= 16) {
            nnc_serve_ask ask = split_of(&splits[i]);
            ask.concurrency = open;
            ask.waves = 1.0;
            const nnc_serve s = served(&ask);
            ck_assert_double_le(s.requests_per_s, 1.01 * s.saturation_rate);
            ck_assert_double_le(s.requests_per_s * s.request_s, (double)open * (1.0 + 1e-9));
            check_rates(&s);
        }
    }
}
END_TEST

/* 4 clients send 100 requests each. A simulation of 400 requests covers the whole benchmark, so it counts the first
 * requests, whose prompts arrive together. In a longer benchmark, the simulation leaves out the first requests. */
START_TEST(whole_benchmarks_count) {
    nnc_serve_ask ask = split_of(&splits[0]);
    double ttft_s[3];
    ask.concurrency = 4;
    ask.requests = 400;
    ask.length_spread = 0.5;
    for (int i = 0; i < 3; i++) {
        ask.waves = i == 0 ? 99.75 : i == 1 ? 100.0 : 100.25;
        const nnc_serve s = served(&ask);
        ttft_s[i] = s.ttft_s;
        ck_assert_double_eq(s.simulated, i == 0 ? 399.0 : 400.0);
    }
    ck_assert_double_lt(10.0 * fabs(ttft_s[1] - ttft_s[0]), fabs(ttft_s[2] - ttft_s[1]));
}
END_TEST

/* The results of a closed loop follow Little's law. A load of one client has the results of a batch of 1. Requests that
 * do not fit in the cache wait. */
START_TEST(closed_loops) {
    for (size_t i = 0; i < COUNT_OF(splits); i++) {
        for (int full = 0; full < 2; full++) {
            nnc_serve_ask ask = split_of(&splits[i]);
            ask.concurrency = 12;
            ask.max_batch = full ? 3 : 0;
            const nnc_serve s = served(&ask);
            const double open = 12.0 / ask.data;
            ck_assert_int_eq((int)s.mode, NNC_SERVE_CLOSED);
            CLOSE(s.requests_per_s * s.request_s, 12.0, 1e-12);
            CLOSE(s.running, ask.data * s.decode.sequences, 1e-12);
            /* three requests run at a time; the requests after them wait until these three have their 200 tokens */
            if (full && open > 3.0) {
                CLOSE(s.queue_s, (open - 3.0) / 3.0 * 200.0 * s.tpot_s, 0.2);
            } else {
                ck_assert_double_lt(s.queue_s, 40.0 * s.tpot_s);
            }
            check_rates(&s);
        }
        nnc_serve_ask ask = split_of(&splits[i]);
        ask.concurrency = ask.data;
        const nnc_serve client = served(&ask);
        ask.concurrency = 0;
        ask.batch = ask.data;
        const nnc_serve one = served(&ask);
        CLOSE(client.ttft_s, one.ttft_s, 1e-9);
        CLOSE(client.tpot_s, one.tpot_s, 1e-9);
        CLOSE(client.output_tokens_per_s, one.output_tokens_per_s, 1e-9);

        ask.batch = 0; /* random lengths, whose mean is the fixed length of the runs above */
        ask.concurrency = ask.data;
        ask.length_spread = 0.1;
        CLOSE(served(&ask).ttft_s, one.ttft_s, 3e-3);
        CLOSE(served(&ask).request_s, one.request_s, 1e-3);
    }
}
END_TEST

/* Each of two groups runs 3 sequences and computes 500 prompt tokens per step. The two groups together run 6 sequences,
 * and compute a prompt of 1,000 tokens in one step. With 1,000 tokens per step and group, a prompt takes one step, too.
 * With 250 it takes two. */
START_TEST(groups_add_up) {
    const nnc_model *mixtral = NULL;
    nnc_serve_ask ask = split_of(&splits[0]);
    nnc_error err = { 0 };
    nnc_serve s[3];
    ok(nnc_model_load(specs, "mixtral-8x7b", &mixtral, &err), &err);
    ok(nnc_device_load(specs, "h200", &device, &err), &err);
    ok(nnc_software_load(specs, "vllm", &engine, &err), &err);
    ask.data = 1, ask.tensor = 2, ask.pipeline = 1, ask.attention_data = 2;
    ask.prefix_hit = 0.0;
    ask.offline = true;
    ask.max_batch = 3;
    for (int i = 0; i < 3; i++) {
        ask.chunk = 1000 >> i;
        ok(nnc_serve_of(mixtral, device, engine, &ask, scratch, &s[i], &err), &err);
        CLOSE(s[i].decode.sequences, 6.0, 1e-12);
    }
    CLOSE(s[1].saturation_rate, s[0].saturation_rate, 1e-12);
    ck_assert_double_lt(s[2].saturation_rate, s[1].saturation_rate);
}
END_TEST

/* Four drafted tokens are each accepted with probability 0.8, so one verification gives 1 + 0.8 + 0.64 + 0.512 + 0.4096
 * tokens. The tokens of one verification take the time of the verification and of four draft steps. */
START_TEST(speculation) {
    nnc_serve_ask ask = split_of(&splits[0]);
    ask.batch = 4;
    const nnc_serve none = served(&ask); /* without drafts, the results of speculative decoding are unknown */
    ck_assert(isnan(none.tokens_per_verify) && isnan(none.speculation_speedup) && isnan(none.speculation_tpot_s) &&
              isnan(none.draft_s) && isnan(none.verify_s));
    ask.draft_length = 4;
    ask.acceptance = 0.8;
    ask.draft_share = 0.1;
    const nnc_serve s = served(&ask);
    CLOSE(s.tokens_per_verify, 3.3616, 1e-12);
    CLOSE(s.draft_s, 0.1 * s.decode.time_s, 1e-12);
    ck_assert_double_gt(s.verify_s, s.decode.time_s);
    /* in a verification, the weights are read once for 5 tokens */
    ck_assert_double_lt(s.verify_s, 1.5 * s.decode.time_s);
    CLOSE(s.speculation_speedup, 3.3616 * s.decode.time_s / (s.verify_s + 0.4 * s.decode.time_s), 1e-12);
    CLOSE(s.tpot_s, s.decode.time_s / s.speculation_speedup, 1e-12);
    CLOSE(s.speculation_tpot_s, s.tpot_s, 1e-12);
    ask.acceptance = 1.0;
    ck_assert_double_eq(served(&ask).tokens_per_verify, 5.0);
    ask.acceptance = 0.0;
    ck_assert_double_eq(served(&ask).tokens_per_verify, 1.0);

    const nnc_model *draft = NULL;
    nnc_error err = { 0 };
    ok(nnc_model_load(specs, "llama3-8b", &draft, &err), &err);
    ask.draft_model = draft; /* the draft is the model itself, so a draft step takes as long as a decode step */
    CLOSE(served(&ask).draft_s, s.decode.time_s, 1e-12);
    ask.acceptance = 1.0; /* all drafted tokens are accepted: draft_length tokens, or 4 tokens if draft_length is 0 */
    ask.draft_length = 2;
    ck_assert_double_eq(served(&ask).tokens_per_verify, 3.0);
    ask.draft_length = 0;
    ck_assert_double_eq(served(&ask).tokens_per_verify, 5.0);
    ask.draft_length = 4;

    /* 199 tokens at 5 tokens per step are 40 steps; an open loop of one request has the same steps */
    ask.acceptance = 1.0;
    ask.draft_model = NULL;
    ask.batch = 0;
    ask.concurrency = 1;
    const nnc_serve loop = served(&ask);
    CLOSE(loop.request_s - loop.ttft_s, 40.0 * (loop.verify_s + 4.0 * loop.draft_s), 1e-3);
}
END_TEST

/* Three workers prefill and two decode. In Llama 3 8B, a token has keys and values in the cache: 32 layers x 2 x 8
 * heads x 128 values x 2 B. Each tensor rank sends its part of the cache of a prompt over its own NIC. */
START_TEST(separate_prefill) {
    for (size_t i = 0; i < COUNT_OF(splits); i++) {
        nnc_serve_ask ask = split_of(&splits[i]);
        ask.prefix_hit = 0.0;
        ask.offline = true;
        ask.prefill_workers = 3;
        ask.decode_workers = 2;
        const nnc_serve s = served(&ask); /* offline: decode runs the full batch */
        const double prompt_s = s.prefill.time_s / ask.pipeline;
        const double prefills = 3.0 / prompt_s, decodes = 2.0 * s.decode.sequences / 200.0 / s.decode.time_s;
        CLOSE(s.transfer_bytes, 131072.0 * 1000.0, 1e-12);
        CLOSE(s.transfer_s, 131072.0 * 1000.0 / ask.tensor / device->scale_out.bytes_per_s, 1e-12);
        CLOSE(s.apart_requests_per_s, fmin(prefills, decodes), 1e-12);
        CLOSE(s.apart_workers_ratio, decodes / 2.0 / (prefills / 3.0), 1e-12);
        CLOSE(s.apart_ttft_s, s.prefill.time_s + s.transfer_s + engine->serving.ttft_s, 1e-12);
        CLOSE(s.apart_tpot_s, s.decode.time_s, 1e-12);

        /* under load, a decode step contains no prefill, and the cache of each prompt is sent to the decode workers */
        ask.offline = false;
        ask.request_rate = 0.01;
        const nnc_serve loop = served(&ask);
        CLOSE(loop.ttft_p50_s, s.apart_ttft_s, 1e-6);
        ck_assert_int_eq(loop.plan.devices, 5 * s.plan.devices); /* the devices of all workers */
        CLOSE(loop.output_tokens_per_s_per_device * loop.plan.devices, 0.01 * 200.0, 1e-12);
        ask.request_rate = 2.0 * loop.saturation_rate;
        ck_assert(served(&ask).saturated);
    }
}
END_TEST

/* vLLM of 2024 divides a sequence among the units of a device if sequences x query heads per device are at most 512. If
 * vLLM divides a sequence among the units, it reads the cache 1 + 3 x 0.18 times, at 0.87 of the bandwidth, the default
 * for devices. If sequences x query heads are more than 512, vLLM reads the cache of Llama 3 8B once for each of 4
 * query heads, at the rate in the device file. With two tensor ranks, a device has half of the query heads. */
START_TEST(few_heads_divide_sequences) {
    const nnc_model *llama = NULL;
    const nnc_device *h100 = NULL;
    nnc_serve one, other;
    nnc_error err = { 0 };
    nnc_serve_ask ask = nnc_serve_ask_default();
    ck_assert_int_eq(nnc_model_load(specs, "llama3-8b", &llama, &err), NNC_OK);
    ck_assert_int_eq(nnc_device_load(specs, "h100", &h100, &err), NNC_OK);
    ck_assert_int_eq(nnc_software_load(specs, "vllm-2024", &engine, &err), NNC_OK);
    nnc_device plain = *h100, again = *h100;
    ask.input_len = ask.output_len = 1000;
    plain.efficiency.serving.attention_s = again.efficiency.serving.attention_s = 0.0;
    plain.efficiency.serving.kernel_s = again.efficiency.serving.kernel_s = 0.0;
    plain.efficiency.serving.kv_fraction[NNC_STORED_BF16] = 0.87;
    again.efficiency.serving.kv_fraction[NNC_STORED_BF16] = 0.29;
    again.efficiency.serving.kv_reread = 1.0;
    const struct {
        int32_t batch, tensor;
        double factor;
    } cases[] = { { 16, 1, 1.0 }, { 17, 1, 3.0 * 4.0 / 1.54 }, { 32, 2, 1.0 }, { 33, 2, 3.0 * 4.0 / 1.54 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ask.batch = cases[i].batch;
        ask.devices = ask.tensor = cases[i].tensor;
        ck_assert_int_eq(nnc_serve_of(llama, &plain, engine, &ask, scratch, &one, &err), NNC_OK);
        ck_assert_int_eq(nnc_serve_of(llama, &again, engine, &ask, scratch, &other, &err), NNC_OK);
        CLOSE(other.decode.attention_s, cases[i].factor * one.decode.attention_s, 1e-9);
    }
}
END_TEST

/* Llama 3 8B has 32 query heads and 8 heads of keys and values. If device and engine read the cache again for each
 * further query head, decode attention without fixed time takes 4 times as long, instead of 1 + 3 x 0.18 times. If an
 * engine reads the cache once, the kv_reread and kv_fraction of the device have no effect. AMD published 13,280
 * tokens/s for Llama 3.1 70B on 8 MI300X (fp8, 3,200 requests of 128 + 2,048 tokens, vLLM 0.11); with rereads, nncost
 * predicted 3,682. */
START_TEST(a_device_may_read_the_cache_once_per_query_head) {
    const nnc_model *llama = NULL;
    const nnc_device *h100 = NULL;
    nnc_serve once, again;
    nnc_error err = { 0 };
    nnc_serve_ask ask = nnc_serve_ask_default();
    ck_assert_int_eq(nnc_model_load(specs, "llama3-8b", &llama, &err), NNC_OK);
    ck_assert_int_eq(nnc_device_load(specs, "h100", &h100, &err), NNC_OK);
    ck_assert_int_eq(nnc_software_load(specs, "vllm-2024", &engine, &err), NNC_OK);
    nnc_device own = *h100;
    ask.batch = 64;
    ask.input_len = ask.output_len = 1000;
    own.efficiency.serving.attention_s = 0.0;
    own.efficiency.serving.kernel_s = 0.0;
    ck_assert_int_eq(nnc_serve_of(llama, &own, engine, &ask, scratch, &once, &err), NNC_OK);
    own.efficiency.serving.kv_reread = 1.0;
    ck_assert_int_eq(nnc_serve_of(llama, &own, engine, &ask, scratch, &again, &err), NNC_OK);
    CLOSE(again.decode.attention_s, 4.0 / (1.0 + 3.0 * 0.18) * once.decode.attention_s, 1e-9);
    ck_assert_int_eq(nnc_software_load(specs, "vllm", &engine, &err), NNC_OK);
    own.efficiency.serving.kv_reread = 0.0;
    own.efficiency.serving.kv_fraction[NNC_STORED_BF16] = NAN;
    ck_assert_int_eq(nnc_serve_of(llama, &own, engine, &ask, scratch, &once, &err), NNC_OK);
    own.efficiency.serving.kv_reread = 1.0;
    own.efficiency.serving.kv_fraction[NNC_STORED_BF16] = 0.17;
    ck_assert_int_eq(nnc_serve_of(llama, &own, engine, &ask, scratch, &again, &err), NNC_OK);
    ck_assert_double_eq(again.tpot_s, once.tpot_s);
}
END_TEST

/* Intervals are 2.3 times as wide on both sides if there is no measurement of the device, of recurrent states (45 of 60
 * layers of Qwen3.5), or of sparse attention (DeepSeek-V3.2). */
START_TEST(unmeasured_intervals) {
    nnc_error err;
    const nnc_model *model = NULL;
    const nnc_device *b200 = NULL;
    nnc_serve serve;
    nnc_serve_ask ask = nnc_serve_ask_default();
    ask.tensor = 8;
    ask.weights = NNC_STORED_FP8;
    ck_assert_int_eq(nnc_device_load(specs, "b200", &b200, &err), NNC_OK);
    ck_assert_int_eq(nnc_software_load(specs, "vllm", &engine, &err), NNC_OK);
    const struct {
        const char *model, *reason;
    } cases[] = { { "deepseek-v3", NULL },
                  { "Qwen/Qwen3.5-397B-A17B", "no serving measurement of a network with recurrent states" },
                  { "deepseek-ai/DeepSeek-V3.2", "no serving measurement of a network with sparse attention" } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ck_assert_int_eq(nnc_model_load(specs, cases[i].model, &model, &err), NNC_OK);
        ck_assert_int_eq(nnc_serve_of(model, b200, engine, &ask, scratch, &serve, &err), NNC_OK);
        ck_assert_pstr_eq(serve.interval_reason, cases[i].reason);
    }
    nnc_device own = *b200;
    own.efficiency.serving.stream_fraction[NNC_STORED_BF16] = NAN;
    ck_assert_int_eq(nnc_serve_of(model, &own, engine, &ask, scratch, &serve, &err), NNC_OK);
    ck_assert_str_eq(serve.interval_reason, "no serving measurement of this device");
    const nnc_spread wide = nnc_serve_widened(&(nnc_spread){ .low = 0.92, .high = 1.1 }, &serve);
    CLOSE(wide.low, 0.4, 1e-12);
    CLOSE(wide.high, 2.53, 1e-12);
}
END_TEST

int main(void) {
    const TTest *const tests[] = { static_batches,
                                   whole_benchmarks_count,
                                   batches_in_waves,
                                   open_loops,
                                   open_loops_widen_ranges,
                                   recorded_loops_widen_ranges,
                                   full_loops,
                                   closed_loops,
                                   one_wave,
                                   speculation,
                                   groups_add_up,
                                   separate_prefill,
                                   few_heads_divide_sequences,
                                   a_device_may_read_the_cache_once_per_query_head,
                                   unmeasured_intervals };
    return run_tests("serving modes", tests, COUNT_OF(tests));
}
