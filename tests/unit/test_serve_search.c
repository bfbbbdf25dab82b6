/* Compares the search for a deployment with single estimates of all deployments: the counts, the cheapest and the
 * fastest deployment, and the Pareto front. Also compares the reason why no deployment serves more requests, and the
 * deployment that misses the limits least. */
#include "run_cases.h"
#include "serve/serve_internal.h"
#include "serve_cases.h"

enum { MOST_DEVICES = 4, TRIED = 2000 };

static const nnc_model *model;
static const nnc_device *device;
static const nnc_software *engine;
static nnc_serve tried[TRIED]; /* deployments that meet the limits */
static int tried_count;

static void load(const char *id) {
    nnc_error err = { 0 };
    ok(nnc_model_load(specs, id, &model, &err), &err);
    ok(nnc_device_load(specs, "h100", &device, &err), &err);
    ok(nnc_software_load(specs, "vllm", &engine, &err), &err);
}

static nnc_serve_ask request(void) {
    nnc_serve_ask ask = nnc_serve_ask_default();
    ask.input_len = 2000;
    ask.output_len = 200;
    ask.price = 3.0;
    return ask;
}

/* Returns the number after n in the list 1, 2, 3, 4, 6, 8, 12, 16, 24 ..., but at most `most`. */
static double following(double n, double most) {
    double next = most;
    for (double power = 1.0; power <= 1e6; power *= 2.0) {
        next = power > n && power < next ? power : next;
        next = power > 1.0 && power * 1.5 > n && power * 1.5 < next ? power * 1.5 : next;
    }
    return next;
}

static bool meets(const nnc_serve *s, const nnc_serve_search *search) {
    for (int32_t i = 0; i < search->limit_count; i++) {
        double value = 0.0;
        memcpy(&value, (const char *)s + search->limits[i].offset, sizeof value);
        if (search->limits[i].at_least ? value < search->limits[i].value : value > search->limits[i].value) {
            return false;
        }
    }
    return true;
}

/* Evaluates all deployments: every number of devices, divided into replicas, tensor ranks and stages that are powers of
 * two, with every number of concurrent requests per replica. Returns the number of evaluated plans. */
static int64_t try_all(const nnc_serve_ask *ask, const nnc_serve_search *search, int64_t *deployments) {
    int64_t evaluated = 0;
    tried_count = 0;
    *deployments = 0;
    for (int32_t devices = 1; devices <= MOST_DEVICES; devices *= 2) {
        for (int32_t stages = 1; stages <= devices; stages *= 2) {
            for (int32_t tensor = 1; tensor * stages <= devices; tensor *= 2) {
                nnc_serve_ask one = *ask;
                nnc_error err = { 0 };
                one.devices = devices;
                one.tensor = tensor;
                one.pipeline = stages;
                one.data = devices / tensor / stages;
                one.concurrency = one.data;
                nnc_serve s;
                if (nnc_serve_of(model, device, engine, &one, scratch, &s, &err) != NNC_OK) { continue; }
                ++*deployments;
                const double most = fmin(s.max_sequences / one.data, (double)s.plan.max_batch);
                for (double n = 1.0, last = 0.0; n <= most && n > last; last = n, n = following(n, most)) {
                    one.concurrency = (int64_t)(n * one.data);
                    ok(nnc_serve_of(model, device, engine, &one, scratch, &s, &err), &err);
                    evaluated++;
                    if (meets(&s, search)) {
                        ck_assert_int_lt(tried_count, TRIED);
                        tried[tried_count++] = s;
                    }
                }
            }
        }
    }
    return evaluated;
}

static bool covers(const nnc_serve *a, const nnc_serve *b) {
    return a->output_tokens_per_s_per_device >= b->output_tokens_per_s_per_device &&
           a->tokens_per_s_per_user >= b->tokens_per_s_per_user;
}

static void check_front(const nnc_serve_search_result *r) {
    int32_t on_front = 0;
    for (int i = 0; i < tried_count; i++) {
        bool best = true;
        for (int k = 0; k < tried_count && best; k++) {
            best = k == i || !covers(&tried[k], &tried[i]) || (covers(&tried[i], &tried[k]) && i < k);
        }
        bool listed = false;
        for (int32_t f = 0; f < r->front_count; f++) {
            listed = listed || (r->front[f].tpot_s == tried[i].tpot_s &&
                                r->front[f].output_tokens_per_s_per_device == tried[i].output_tokens_per_s_per_device);
        }
        ck_assert_msg(!best || listed, "plan %d is not on the front", i);
        on_front += best;
    }
    ck_assert_int_eq(r->front_count, on_front);
    for (int32_t f = 1; f < r->front_count; f++) {
        ck_assert(r->front[f].tokens_per_s_per_user > r->front[f - 1].tokens_per_s_per_user);
        ck_assert(r->front[f].output_tokens_per_s_per_device < r->front[f - 1].output_tokens_per_s_per_device);
    }
}

START_TEST(equals_all_deployments) {
    static const nnc_serve_limit limits[] = {
        { "latency.ttft_s", offsetof(nnc_serve, ttft_s), false, 0.8 },
        { "latency.tpot_s", offsetof(nnc_serve, tpot_s), false, 0.02 },
        { "throughput.tokens_per_s_per_user", offsetof(nnc_serve, tokens_per_s_per_user), true, 60.0 },
    };
    nnc_serve_search_result *r = calloc(1, sizeof *r);
    ck_assert_ptr_nonnull(r);
    load("llama3-8b");
    for (int32_t count = 0; count <= 3; count++) {
        const nnc_serve_search search = { limits, count, MOST_DEVICES };
        const nnc_serve_ask ask = request();
        nnc_error err = { 0 };
        int64_t deployments = 0;
        const int64_t evaluated = try_all(&ask, &search, &deployments);
        ok(nnc_serve_search_of(model, device, engine, &ask, &search, scratch, r, &err), &err);
        ck_assert_int_eq(r->deployments, deployments);
        ck_assert_int_eq(r->evaluated, evaluated);
        ck_assert_int_eq(r->fitting, evaluated);
        ck_assert_int_eq(r->meeting, tried_count);
        ck_assert(r->found && tried_count > 10);
        double most = 0.0, least_s = (double)INFINITY;
        for (int i = 0; i < tried_count; i++) {
            most = fmax(most, tried[i].output_tokens_per_s_per_device);
            least_s = fmin(least_s, tried[i].tpot_s);
        }
        ck_assert_double_eq(r->cheapest.output_tokens_per_s_per_device, most);
        ck_assert_double_le(r->fastest.tpot_s, least_s / 0.99);
        check_front(r);
        /* the cheapest deployment meets the limits, and breaks the reported limit with more requests */
        nnc_serve s;
        ok(nnc_serve_of(model, device, engine, &r->cheapest.plan, scratch, &s, &err), &err);
        ck_assert(meets(&s, &search));
        CLOSE(r->cheapest.per_million_output_tokens, s.per_million_output_tokens, 1e-12);
        CLOSE(r->cheapest.headroom_bytes, s.headroom_bytes, 1e-12);
        CLOSE(r->cheapest.request_s, s.request_s, 1e-12);
        ck_assert(count > 0 || r->cheapest.broken < 0);
        if (r->cheapest.broken >= 0) {
            nnc_serve_ask more = r->cheapest.plan;
            double value = 0.0;
            more.concurrency = (int64_t)r->cheapest.broken_requests;
            ck_assert_int_gt(more.concurrency, r->cheapest.plan.concurrency);
            ok(nnc_serve_of(model, device, engine, &more, scratch, &s, &err), &err);
            ck_assert(!meets(&s, &search));
            memcpy(&value, (const char *)&s + limits[r->cheapest.broken].offset, sizeof value);
            CLOSE(r->cheapest.broken_value, value, 1e-12);
        }
    }
    free(r);
}
END_TEST

/* The number of requests that breaks a limit for the cheapest deployment is the first number after its own, even if
 * larger numbers also break the limit. */
START_TEST(the_first_number_that_breaks_a_limit) {
    nnc_serve_search_result *r = calloc(1, sizeof *r);
    int later = 0;
    ck_assert_ptr_nonnull(r);
    load("llama3-8b");
    for (double limit_s = 0.006; limit_s < 0.03; limit_s *= 1.25) {
        const nnc_serve_limit limit = { "latency.tpot_s", offsetof(nnc_serve, tpot_s), false, limit_s };
        const nnc_serve_search search = { &limit, 1, MOST_DEVICES };
        const nnc_serve_ask ask = request();
        nnc_error err = { 0 };
        nnc_serve s;
        ok(nnc_serve_search_of(model, device, engine, &ask, &search, scratch, r, &err), &err);
        if (!r->found || r->cheapest.broken < 0) { continue; }
        ok(nnc_serve_of(model, device, engine, &r->cheapest.plan, scratch, &s, &err), &err);
        const double data = (double)s.plan.data, own = (double)r->cheapest.plan.concurrency / data;
        const double most = floor(fmin(s.max_sequences / data, (double)s.plan.max_batch)), next = following(own, most);
        CLOSE(r->cheapest.broken_requests, next * data, 1e-12);
        later += following(next, most) < most ? 1 : 0;
    }
    ck_assert_int_gt(later, 0);
    free(r);
}
END_TEST

/* No deployment reaches the limit of 1 ns per token. The deployment that misses this limit least is the one with the
 * least time per token. A given request rate that is too high is evaluated, and no deployment serves it. */
START_TEST(misses) {
    static const nnc_serve_limit limits[] = { { "latency.tpot_s", offsetof(nnc_serve, tpot_s), false, 1e-9 } };
    const nnc_serve_search search = { limits, 1, MOST_DEVICES }, free_search = { limits, 0, MOST_DEVICES };
    nnc_serve_ask ask = request();
    nnc_serve_search_result *r = calloc(1, sizeof *r);
    nnc_error err = { 0 };
    int64_t deployments = 0;
    ck_assert_ptr_nonnull(r);
    load("llama3-8b");
    try_all(&ask, &free_search, &deployments);
    double least_s = (double)INFINITY;
    for (int i = 0; i < tried_count; i++) { least_s = fmin(least_s, tried[i].tpot_s); }
    ok(nnc_serve_search_of(model, device, engine, &ask, &search, scratch, r, &err), &err);
    ck_assert(!r->found && r->meeting == 0 && r->front_count == 0 && r->nearest_limit == 0);
    ck_assert_double_eq(r->nearest.tpot_s, least_s);
    CLOSE(r->nearest_value, least_s / 1e-9, 1e-9);

    ask.request_rate = 1e6;
    ok(nnc_serve_search_of(model, device, engine, &ask, &free_search, scratch, r, &err), &err);
    ck_assert_int_eq(r->evaluated, deployments);
    ck_assert(r->fitting == deployments && !r->found && r->nearest_limit == -1);
    ck_assert(r->saturation_rate > 0.0 && r->saturation_rate < 1e6);
    ask.request_rate = 0.5;
    ok(nnc_serve_search_of(model, device, engine, &ask, &free_search, scratch, r, &err), &err);
    ck_assert_int_eq(r->evaluated, deployments);
    ck_assert_int_eq(r->meeting, deployments);
    free(r);
}
END_TEST

/* Values of --disaggregate: "P:D" is the number of prefill and of decode replicas. */
START_TEST(disaggregated) {
    static const struct {
        const char *text;
        int32_t prefill, decode; /* 0: refused */
    } cases[] = { { "3:2", 3, 2 },
                  { "1:1", 1, 1 },
                  { "2P1D", 2, 1 },
                  { "12p4d", 12, 4 },
                  { "2P1", 2, 1 },
                  { "2D1P", 0, 0 },
                  { "2:1D", 0, 0 },
                  { "3", 0, 0 },
                  { "0:1", 0, 0 },
                  { "1:0", 0, 0 },
                  { "1:2x", 0, 0 },
                  { ":", 0, 0 },
                  { "1:", 0, 0 },
                  { "1:1000000", 1, 1000000 },
                  { "1000000:1", 1000000, 1 },
                  { "1000001:1", 0, 0 },
                  { "1:1000001", 0, 0 } };
    load("llama3-8b");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nnc_serve_ask ask = request();
        nnc_serve s;
        nnc_error err = { 0 };
        snprintf(ask.disaggregate, sizeof ask.disaggregate, "%s", cases[i].text);
        const nnc_status status = nnc_serve_of(model, device, engine, &ask, scratch, &s, &err);
        ck_assert_msg((status == NNC_OK) == (cases[i].prefill > 0), "%s", cases[i].text);
        if (status == NNC_OK) {
            ck_assert_int_eq(s.plan.prefill_workers, cases[i].prefill);
            ck_assert_int_eq(s.plan.decode_workers, cases[i].decode);
        } else {
            ck_assert_str_eq(err.where, "--disaggregate");
        }
    }
    nnc_serve_ask ask = request();
    nnc_serve s;
    nnc_error err = { 0 };
    snprintf(ask.disaggregate, sizeof ask.disaggregate, "none");
    ok(nnc_serve_of(model, device, engine, &ask, scratch, &s, &err), &err);
    ck_assert_int_eq(s.plan.prefill_workers, 0);
    /* --devices counts the devices of all workers: 2 + 1 workers of 2 devices are 6 devices. 12 devices are two groups
     * of 2 + 1 workers. */
    ask.concurrency = 8;
    ask.tensor = 2;
    snprintf(ask.disaggregate, sizeof ask.disaggregate, "2P1D");
    ok(nnc_serve_of(model, device, engine, &ask, scratch, &s, &err), &err);
    ck_assert_int_eq(s.plan.devices, 6);
    ck_assert_int_eq(s.plan.data, 1);
    ck_assert_str_eq(s.plan.disaggregate, "2:1");
    ck_assert_double_eq(s.output_tokens_per_s_per_device, s.output_tokens_per_s / 6.0);
    ask.devices = 12;
    ok(nnc_serve_of(model, device, engine, &ask, scratch, &s, &err), &err);
    ck_assert_int_eq(s.plan.data, 2);
    ck_assert_double_eq(s.output_tokens_per_s_per_device, s.output_tokens_per_s / 12.0);
    /* two groups with one decode worker each hold as many sequences as two replicas; with three decode workers each
     * they hold three times as many */
    const double held = s.max_sequences;
    snprintf(ask.disaggregate, sizeof ask.disaggregate, "none");
    ask.devices = 4;
    ok(nnc_serve_of(model, device, engine, &ask, scratch, &s, &err), &err);
    ck_assert_double_eq(s.max_sequences, held);
    snprintf(ask.disaggregate, sizeof ask.disaggregate, "1:3");
    ask.devices = 16;
    ok(nnc_serve_of(model, device, engine, &ask, scratch, &s, &err), &err);
    ck_assert_double_eq(s.max_sequences, 3.0 * held);
    ask.devices = 6;
    ck_assert_int_eq(nnc_serve_of(model, device, engine, &ask, scratch, &s, &err), NNC_ILLEGAL_PLAN);
    ck_assert_str_eq(err.where, "--devices");
    ask = request();
    ask.prefill_workers = 1;
    ck_assert_int_eq(nnc_serve_of(model, device, engine, &ask, scratch, &s, &err), NNC_ILLEGAL_PLAN);
    ck_assert_str_eq(err.where, "--disaggregate");
}
END_TEST

/* On one device, expert parallelism gives the same deployment, so the search evaluates one deployment, as for a model
 * without experts. On two devices, the search evaluates tensor parallelism with divided and with whole experts. */
START_TEST(whole_experts_are_tried_once) {
    nnc_serve_search_result *r = calloc(1, sizeof *r);
    ck_assert_ptr_nonnull(r);
    nnc_serve_ask ask = request();
    nnc_error err = { 0 };
    load("olmoe-1b-7b");
    const nnc_serve_search one = { NULL, 0, 1 };
    ok(nnc_serve_search_of(model, device, engine, &ask, &one, scratch, r, &err), &err);
    ck_assert_int_eq(r->deployments, 1);
    load("llama3-8b");
    ok(nnc_serve_search_of(model, device, engine, &ask, &one, scratch, r, &err), &err);
    ck_assert_int_eq(r->deployments, 1);
    ask.devices = ask.tensor = 2;
    load("olmoe-1b-7b");
    ok(nnc_serve_search_of(model, device, engine, &ask, &one, scratch, r, &err), &err);
    ck_assert_int_eq(r->deployments, 2);
    free(r);
}
END_TEST

int main(void) {
    const TTest *const tests[] = { equals_all_deployments, the_first_number_that_breaks_a_limit, misses, disaggregated,
                                   whole_experts_are_tried_once };
    return run_tests("serving search", tests, COUNT_OF(tests));
}
