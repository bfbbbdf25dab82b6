/* Tests the simulation of serving under load. The iterations of a few recorded requests are worked by hand, on an
 * engine without overhead. Queues must have the known limits for one server (M/D/1) and for several servers (M/M/c).
 * Further tests cover seeds, lengths, a full cache and separate workers. tests/served_load.py compares the simulation
 * with a separate simulation in Python. */
#include <math.h>

#include "run_cases.h"
#include "serve/serve_internal.h"
#include "serve_cases.h"

enum { INPUT = 1000, MOST = 100000 };

static const nnc_model *model;
static const nnc_device *device;
static nnc_software engine;
static nnc_serve_arrival arrivals[MOST];

static void open_all(void) {
    nnc_error err = { 0 };
    const nnc_software *vllm = NULL;
    open_support();
    ok(nnc_model_load(specs, "llama3-8b", &model, &err), &err);
    ok(nnc_device_load(specs, "h100", &device, &err), &err);
    ok(nnc_software_load(specs, "vllm", &vllm, &err), &err);
    engine = *vllm;
    engine.serving.ttft_s = 0.0;
}

static nnc_serve served(const nnc_serve_ask *ask) {
    nnc_error err = { 0 };
    nnc_serve serve;
    ok(nnc_serve_of(model, device, &engine, ask, scratch, &serve, &err), &err);
    return serve;
}

static nnc_serve_ask ask_of(int64_t output) {
    nnc_serve_ask ask = nnc_serve_ask_default();
    ask.input_len = INPUT;
    ask.output_len = output;
    ask.length_spread = 0.0;
    return ask;
}

/* Times of a prompt alone (prompt_s), of a decode step of `sequences` sequences at `context` positions (decode_s), and
 * of a prompt that is added to a step of `sequences` sequences (added_s). */
static double prompt_s(void) {
    nnc_serve_ask ask = ask_of(2);
    return served(&ask).prefill.time_s;
}

static double decode_s(int64_t sequences, int64_t context) {
    nnc_serve_ask ask = ask_of(2);
    ask.input_len = context - 1; /* with two output tokens, the mean context of decode steps is `context` */
    ask.batch = sequences;
    return served(&ask).decode.time_s;
}

static double added_s(int64_t sequences, int64_t output) {
    nnc_serve_ask ask = ask_of(output);
    ask.batch = sequences;
    return served(&ask).prompt_s;
}

static nnc_serve_ask recorded(int64_t output, int64_t count) {
    nnc_serve_ask ask = ask_of(output);
    ask.arrival_list = arrivals;
    ask.arrival_count = count;
    return ask;
}

/* A request of three tokens: its prompt, a decode step at 1,001 positions, and one at 1,002. */
START_TEST(one_request) {
    nnc_serve_ask ask = recorded(3, 1);
    arrivals[0] = (nnc_serve_arrival){ .arrival_s = 5.0 };
    const nnc_serve s = served(&ask);
    const double steps_s = decode_s(1, 1001) + decode_s(1, 1002);
    CLOSE(s.ttft_s, prompt_s(), 1e-9);
    CLOSE(s.tpot_s, steps_s / 2.0, 1e-9);
    CLOSE(s.request_s, prompt_s() + steps_s, 1e-9);
    ck_assert_double_eq(s.simulated, 1.0);
    /* The lengths of the only request replace those of the user. */
    arrivals[0] = (nnc_serve_arrival){ 5.0, 700, 9 };
    const nnc_serve own = served(&ask);
    ck_assert_int_eq(own.plan.input_len, 700);
    ck_assert_int_eq(own.plan.output_len, 9);
    arrivals[0] = (nnc_serve_arrival){ .arrival_s = 5.0 };
    /* Two requests, each alone. The first request has a single token, which the prefill of its prompt computes. The
     * other has three tokens. */
    ask.arrival_count = 2;
    arrivals[0].output_len = 1;
    arrivals[1] = (nnc_serve_arrival){ .arrival_s = 1000.0 };
    CLOSE(served(&ask).request_s, prompt_s() + steps_s / 2.0, 1e-9);
}
END_TEST

/* The engine takes one second to write the text of a token. The two requests together have two tokens after their
 * prompts, and two tokens after the decode step. A step ends while the engine writes the text of the first two tokens.
 * If writing the text takes less time than a step, only the last token is later. */
START_TEST(tokens_become_text_in_turn) {
    nnc_serve_ask ask = recorded(2, 2), batch = ask_of(2);
    arrivals[0] = arrivals[1] = (nnc_serve_arrival){ .arrival_s = 0.0 };
    batch.batch = 2;
    const double both = served(&batch).prefill.time_s;
    engine.serving.text_s = 1.0;
    nnc_serve s = served(&ask);
    CLOSE(s.ttft_s, both + 2.0, 1e-9);
    CLOSE(s.request_s, both + 4.0, 1e-9);
    CLOSE(served(&batch).tpot_s, 2.0, 1e-9);
    CLOSE(s.saturation_rate, 0.5, 1e-9); /* writing the text of a request takes one second for each of its two tokens */
    engine.serving.text_s = 1e-4;
    s = served(&ask);
    CLOSE(s.ttft_s, both + 2e-4, 1e-9);
    CLOSE(s.request_s, both + decode_s(2, 1001) + 2e-4, 1e-9);
    /* twenty steps run as one group; the engine needs one second to write the text of each token, also of the token
     * that the prompt gives */
    ask = recorded(21, 1);
    engine.serving.text_s = 1.0;
    CLOSE(served(&ask).request_s, prompt_s() + 21.0, 1e-9);
    CLOSE(served(&ask).tpot_s, 1.0, 1e-9);
}
END_TEST

/* The second request arrives during the first decode step of the first request. The prompt of the second request is
 * computed in the second step, which is the last step of the first request. Then the second request decodes alone. */
START_TEST(a_prompt_joins_a_step) {
    nnc_serve_ask ask = recorded(3, 2);
    const double prompt = prompt_s(), step = decode_s(1, 1001);
    arrivals[0] = (nnc_serve_arrival){ .arrival_s = 0.0 };
    arrivals[1] = (nnc_serve_arrival){ .arrival_s = prompt + 0.25 * step };
    const nnc_serve s = served(&ask);
    const double joint = decode_s(1, 1002) + added_s(1, 3);
    const double first = prompt, second = 0.75 * step + joint;
    CLOSE(s.ttft_s, (first + second) / 2.0, 1e-9);
    const double whole = prompt + step + joint;
    CLOSE(s.request_s, (whole + second + step + decode_s(1, 1002)) / 2.0, 1e-9);
    CLOSE(s.decode.sequences, 1.0, 1e-12);          /* each of the four steps decodes one sequence */
    CLOSE(s.ttft_p50_s, fmin(first, second), 1e-9); /* nearest rank */
    CLOSE(s.ttft_p99_s, fmax(first, second), 1e-9);
}
END_TEST

/* Two prompts that arrive together are computed in one iteration, which takes less time than two separate prompts. If a
 * chunk holds only one prompt, the second prompt is computed in the first decode step of the first request. */
START_TEST(chunks) {
    nnc_serve_ask ask = recorded(2, 2);
    arrivals[0] = arrivals[1] = (nnc_serve_arrival){ .arrival_s = 0.0 };
    nnc_serve_ask batch = ask_of(2);
    batch.batch = 2;
    const double both = served(&batch).prefill.time_s, prompt = prompt_s();
    nnc_serve s = served(&ask);
    ck_assert(both < 2.0 * prompt);
    CLOSE(s.ttft_s, both, 1e-9);
    CLOSE(s.request_s, both + decode_s(2, 1001), 1e-9);
    CLOSE(s.decode.sequences, 2.0, 1e-12);
    ask.chunk = INPUT;
    s = served(&ask);
    const double second = prompt + decode_s(1, 1001) + added_s(1, 2);
    CLOSE(s.ttft_s, (prompt + second) / 2.0, 1e-9);
    CLOSE(s.request_s, (second + second + decode_s(1, 1001)) / 2.0, 1e-9);
    ask.chunk = 0; /* with one slot, the requests run one after the other */
    ask.max_batch = 1;
    s = served(&ask);
    const double alone = prompt + decode_s(1, 1001);
    CLOSE(s.ttft_s, prompt + alone / 2.0, 1e-9);
    CLOSE(s.request_s, 1.5 * alone, 1e-9);
}
END_TEST

/* Prompts with one output token, one prompt per iteration. Each prompt takes `prompt_s`, and the mean wait is that of
 * an M/D/1 queue. */
START_TEST(one_server) {
    static const double loads[] = { 0.3, 0.6, 0.9 };
    const double service_s = prompt_s();
    for (size_t i = 0; i < COUNT_OF(loads); i++) {
        nnc_serve_ask ask = ask_of(1);
        ask.chunk = INPUT;
        ask.request_rate = loads[i] / service_s;
        const nnc_serve s = served(&ask);
        CLOSE(s.saturation_rate, 1.0 / service_s, 1e-9);
        CLOSE(s.ttft_s, service_s + nnc_serve_mean_wait_s(service_s, loads[i]), i == 2 ? 0.05 : 0.03);
    }
}
END_TEST

/* Two slots, prompts of one token, and output lengths with an exponential distribution and mean 200. The wait is that
 * of an M/M/2 queue (Erlang's formula), because the time of a step hardly depends on the number of sequences. */
START_TEST(several_servers) {
    enum { SLOTS = 2 };
    uint64_t random = 7;
    double at_s = 0.0;
    nnc_serve_ask ask = recorded(200, MOST);
    const double service_s = 200.0 * decode_s(2, 200), load = 0.8;
    for (int i = 0; i < MOST; i++) {
        double drawn[2];
        for (int j = 0; j < 2; j++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            drawn[j] = -log(((double)(random >> 12) + 0.5) * 0x1p-52);
        }
        at_s += drawn[0] * service_s / SLOTS / load;
        arrivals[i] = (nnc_serve_arrival){ at_s, 1, (int64_t)(1.0 + 200.0 * drawn[1]) };
    }
    ask.input_len = 1;
    ask.max_batch = SLOTS;
    const nnc_serve s = served(&ask);
    const double a = SLOTS * load;
    double all = 0.0, term = 1.0;
    for (int i = 0; i < SLOTS; i++) {
        all += term;
        term *= a / (i + 1);
    }
    const double waits = term / (1.0 - load) / (all + term / (1.0 - load));
    CLOSE(s.ttft_s, waits * service_s / (SLOTS * (1.0 - load)), 0.1);
}
END_TEST

/* The same seed gives the same digits. Another seed gives other requests with the same distribution. Requests at
 * regular intervals wait less than those of a Poisson process; bursts wait longer. */
START_TEST(seeds) {
    nnc_serve_ask ask = ask_of(100);
    ask.request_rate = 20.0;
    const nnc_serve s = served(&ask), again = served(&ask);
    ck_assert_double_eq(s.ttft_s, again.ttft_s);
    ck_assert_double_eq(s.ttft_p99_s, again.ttft_p99_s);
    ask.seed = 2;
    const nnc_serve other = served(&ask);
    ck_assert_double_ne(s.ttft_s, other.ttft_s);
    CLOSE(s.ttft_s, other.ttft_s, 0.05);
    ask.burstiness = 100.0;
    ck_assert_double_lt(served(&ask).queue_s, 0.9 * s.queue_s);
    ask.burstiness = 0.25;
    ck_assert_double_gt(served(&ask).queue_s, 1.2 * s.queue_s);
}
END_TEST

/* ---- the test draws the same requests ---- */

/* Returns a random number from (0, 1), uniformly distributed (splitmix64; Steele et al., OOPSLA 2014). */
static double uniform(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (double)((z ^ (z >> 31)) >> 12) / 0x1p52 + 0x1p-53;
}

/* Returns a random number with a gamma distribution of this shape, divided by its mean. Source: Marsaglia and Tsang,
 * ACM TOMS 26(3), 2000, section 4. */
static double gamma_gap(uint64_t *state, double shape) {
    const double boost = shape < 1.0 ? pow(uniform(state), 1.0 / shape) : 1.0;
    const double a = shape < 1.0 ? shape + 1.0 : shape, d = a - 1.0 / 3.0;
    for (;;) {
        double x = 0.0, r = 0.0;
        do { /* Marsaglia's polar method */
            x = 2.0 * uniform(state) - 1.0;
            const double y = 2.0 * uniform(state) - 1.0;
            r = x * x + y * y;
        } while (r >= 1.0 || r == 0.0);
        x *= sqrt(-2.0 * log(r) / r);
        const double v = pow(1.0 + x / sqrt(9.0 * d), 3.0);
        if (v > 0.0 && log(uniform(state)) < 0.5 * x * x + d * (1.0 - v + log(v))) { return boost * d * v / shape; }
    }
}

/* Number of runs (docs/serving.md). One run is enough if the standard error of its mean is at most 1 %, computed from
 * the means of ten batches of successive requests. Otherwise there are 16 runs. */
enum { RUNS = 16 };

static bool is_enough(const double *values, int count) {
    const int each = count / 10;
    double means[10] = { 0.0 }, mean = 0.0, squares = 0.0;
    for (int i = 0; i < 10 * each; i++) {
        means[i / each] += values[i] / each;
        mean += values[i] / (10.0 * each);
    }
    for (int i = 0; i < 10; i++) { squares += (means[i] - mean) * (means[i] - mean); }
    return sqrt(squares / 10.0 / 9.0) <= 0.01 * mean;
}

static double mean_of(const double *values, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) { sum += values[i] / count; }
    return sum;
}

/* Prompts with one output token, one prompt per iteration. The waits of the requests follow Lindley's recursion: wait'
 * = max(0, wait + service - gap). The test draws gaps by the published methods from the same random numbers, and scales
 * them to the requested rate in each run. The first tenth of the requests is not counted. */
START_TEST(gaps_are_drawn_as_published) {
    static const double shapes[] = { 1.0, 0.25, 0.9, 1.5, 4.0, 100.0 };
    enum { REQUESTS = 1000, FIRST = REQUESTS / 10 };
    static double times_s[RUNS * REQUESTS], gaps[REQUESTS];
    const double service_s = prompt_s(), rate = 0.6 / service_s;
    int short_runs = 0;
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        nnc_serve_ask ask = ask_of(1);
        uint64_t state = 3 + i;
        int count = 0;
        ask.chunk = INPUT;
        ask.requests = REQUESTS;
        ask.request_rate = rate;
        ask.seed = (int64_t)state;
        ask.burstiness = shapes[i];
        for (int run = 0; run < RUNS; run++) {
            double wait_s = 0.0, sum = 0.0;
            for (int k = 0; k < REQUESTS; k++) {
                gaps[k] = shapes[i] == 1.0 ? -log(uniform(&state)) : gamma_gap(&state, shapes[i]);
                sum += gaps[k];
            }
            for (int k = 0; k < REQUESTS; k++) {
                const double gap_s = gaps[k] * REQUESTS / sum / rate;
                wait_s = k > 0 ? fmax(wait_s + service_s - gap_s, 0.0) : 0.0;
                times_s[count] = wait_s + service_s;
                count += k >= FIRST ? 1 : 0;
            }
            if (run == 0 && is_enough(times_s, count)) {
                short_runs++;
                break;
            }
        }
        CLOSE(served(&ask).ttft_s, mean_of(times_s, count), 1e-9);
    }
    ck_assert(short_runs > 0 && short_runs < (int)COUNT_OF(shapes));
}
END_TEST

/* Lengths have a uniform distribution around their mean, and each second request mirrors the request before it. Prompts
 * with one output token that never wait take the same time as a single prompt of their length. */
START_TEST(lengths_are_even_and_mirrored) {
    enum { REQUESTS = 40, FIRST = REQUESTS / 10 };
    static double times_s[RUNS * REQUESTS];
    nnc_serve_ask ask = ask_of(1);
    uint64_t state = ~(uint64_t)5;
    double drawn = 0.0;
    int count = 0;
    ask.seed = 5;
    ask.requests = REQUESTS;
    ask.request_rate = 1e-4;
    ask.length_spread = 0.5;
    for (int k = 0; k < RUNS * REQUESTS; k++) {
        drawn = k % 2 == 0 ? 2.0 * uniform(&state) - 1.0 : -drawn;
        if (k % 2 == 0) { (void)uniform(&state); /* skips the random number that draws the output length */ }
        nnc_serve_ask pair = ask;
        pair.request_rate = (double)NAN;
        const int64_t length = (int64_t)floor(INPUT * (1.0 + 0.5 * drawn) + 0.5);
        const nnc_serve_arrival both[] = { { 0.0, length, 0 }, { 10.0, 2 * INPUT - length, 0 } };
        pair.arrival_list = both;
        pair.arrival_count = 2;
        const nnc_serve times = served(&pair);
        times_s[count] = length < INPUT ? times.ttft_p50_s : times.ttft_p99_s;
        count += k % REQUESTS >= FIRST ? 1 : 0;
    }
    ck_assert(!is_enough(times_s, REQUESTS - FIRST));
    CLOSE(served(&ask).ttft_s, mean_of(times_s, count), 1e-9);
}
END_TEST

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Requests that are never open at the same time take as long as alone. The percentiles of the request times are those
 * of the sorted times, by nearest rank. With few lengths, many times are equal. Lengths are drawn in pairs with the
 * same mean, because times are interpolated from the mean length. */
START_TEST(shares_are_nearest_ranks) {
    enum { LENGTHS = 25, COUNT = 60 };
    double first_s[LENGTHS], whole_s[LENGTHS], firsts_s[COUNT], wholes_s[COUNT];
    uint64_t random = 11;
    nnc_serve_ask ask = recorded(2, 2);
    for (int i = 0; i < LENGTHS; i++) {
        arrivals[0] = (nnc_serve_arrival){ 0.0, 500 + 40 * i, 1 };
        arrivals[1] = (nnc_serve_arrival){ 10.0, 500 + 40 * (LENGTHS - 1 - i), 1 };
        const nnc_serve s = served(&ask);
        const bool shorter = i < LENGTHS / 2;
        first_s[i] = shorter ? s.ttft_p50_s : s.ttft_p99_s;
        whole_s[i] = shorter ? s.request_p50_s : s.request_p99_s;
    }
    for (int count = 1; count <= COUNT; count++) {
        const int lengths = count % 3 == 0 ? 3 : LENGTHS;
        int chosen = 0;
        for (int i = 0; i < count; i++) {
            const int drawn = (LENGTHS - lengths) / 2 + (int)(uniform(&random) * lengths);
            chosen = i % 2 > 0 ? LENGTHS - 1 - chosen : i + 1 < count ? drawn : LENGTHS / 2;
            arrivals[i] = (nnc_serve_arrival){ 10.0 * i, 500 + 40 * chosen, 1 };
            firsts_s[i] = first_s[chosen];
            wholes_s[i] = whole_s[chosen];
        }
        ask.arrival_count = count;
        const nnc_serve s = served(&ask);
        qsort(firsts_s, (size_t)count, sizeof *firsts_s, by_size);
        qsort(wholes_s, (size_t)count, sizeof *wholes_s, by_size);
        const int half = (count + 1) / 2 - 1, tenth = (9 * count + 9) / 10 - 1;
        const int last = (99 * count + 99) / 100 - 1;
        CLOSE(s.ttft_p50_s, firsts_s[half], 1e-9);
        CLOSE(s.ttft_p90_s, firsts_s[tenth], 1e-9);
        CLOSE(s.ttft_p99_s, firsts_s[last], 1e-9);
        CLOSE(s.request_p50_s, wholes_s[half], 1e-9);
        CLOSE(s.request_p90_s, wholes_s[tenth], 1e-9);
    }
}
END_TEST

/* A cached prefix of 500.5 tokens counts as 500 whole tokens. */
START_TEST(whole_tokens_are_cached) {
    nnc_serve_ask ask = recorded(3, 1);
    arrivals[0] = (nnc_serve_arrival){ .arrival_s = 0.0 };
    ask.prefix_hit = 0.5;
    const nnc_serve half = served(&ask);
    ask.prefix_hit = 0.5005;
    ck_assert_double_eq(served(&ask).ttft_s, half.ttft_s);
    ck_assert_double_lt(half.ttft_s, prompt_s());
}
END_TEST

/* Ten prompts arrive at once, and each has its own prefill worker. The decode workers take the prompts in turn, so each
 * of the first workers has one prompt more than the last workers. */
START_TEST(workers_take_turns) {
    enum { REQUESTS = 10 };
    nnc_serve_ask ask = recorded(2, REQUESTS);
    for (int i = 0; i < REQUESTS; i++) { arrivals[i] = (nnc_serve_arrival){ .arrival_s = 0.0 }; }
    ask.prefill_workers = REQUESTS;
    for (int workers = 1; workers <= REQUESTS; workers++) {
        const int each = REQUESTS / workers, more = REQUESTS % workers;
        const double sum_s =
            more * (each + 1) * decode_s(each + 1, 1001) + (workers - more) * each * decode_s(each, 1001);
        ask.decode_workers = workers;
        const nnc_serve s = served(&ask);
        CLOSE(s.tpot_s, sum_s / REQUESTS, 1e-9);
        CLOSE(s.ttft_s, prompt_s() + s.transfer_s, 1e-9);
    }
}
END_TEST

/* The table of step times has entries for some numbers of sequences (64 and 66, 128 and 132). Times for numbers between
 * two entries are interpolated linearly. */
START_TEST(steps_between_knots) {
    static const struct {
        int64_t sequences, low, high;
    } cases[] = { { 63, 63, 64 }, { 65, 64, 66 }, { 129, 128, 132 }, { 131, 128, 132 } };
    engine.serving.profiled = false; /* steps of 131,000 tokens would leave little memory to the cache */
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const int64_t n = cases[i].sequences, low = cases[i].low, high = cases[i].high;
        nnc_serve_ask ask = recorded(2, n);
        ask.chunk = n * INPUT;
        for (int64_t k = 0; k < n; k++) { arrivals[k] = (nnc_serve_arrival){ .arrival_s = 0.0 }; }
        const double part = (double)(n - low) / (double)(high - low);
        const nnc_serve s = served(&ask);
        CLOSE(s.tpot_s, (1.0 - part) * decode_s(low, 1001) + part * decode_s(high, 1001), 1e-9);
        /* 1,999 steps at 1,001 to 2,999 positions: the step time is a linear function of the position, so the mean is
         * the time at 2,000 positions. */
        ask.output_len = 2000;
        const double mean_s = (1.0 - part) * decode_s(low, 2000) + part * decode_s(high, 2000);
        CLOSE(served(&ask).tpot_s, mean_s, 3e-4);
    }
}
END_TEST

/* Random lengths have the requested mean, here for 20 clients and 200 output tokens. */
START_TEST(spreads) {
    nnc_serve_ask ask = ask_of(200);
    ask.concurrency = 20;
    ask.waves = 500;
    const nnc_serve fixed = served(&ask);
    ask.length_spread = 0.5;
    const nnc_serve s = served(&ask);
    CLOSE(s.tpot_s, fixed.tpot_s, 0.05);
    CLOSE(s.request_s, fixed.request_s, 0.05);
    ck_assert_double_gt(s.request_p90_s - s.request_p50_s, 2.0 * (fixed.request_p90_s - fixed.request_p50_s));
}
END_TEST

/* A cache has space for two complete sequences of 1,008 + 1,008 tokens. A third prompt fits while the first two are
 * short; later the newest sequence is preempted. The engine computes the tokens of the preempted sequence a second
 * time, and the sequence still gets all of its output. */
START_TEST(a_full_cache) {
    nnc_serve_ask ask = recorded(1016, 3);
    for (int i = 0; i < 3; i++) { arrivals[i] = (nnc_serve_arrival){ .arrival_s = 0.0 }; }
    engine.serving.preempt = false; /* the profile of vllm has preempt = true */
    const double whole = served(&ask).max_sequences;
    /* with this first value, more than two sequences fit; later values leave memory for two sequences */
    ask.memory_use = 0.9;
    const nnc_serve roomy = served(&ask);
    const double each = roomy.free_bytes / floor(whole);
    ask.memory_use = (roomy.weight_bytes + roomy.workspace_bytes + 2.2 * each) / roomy.capacity_bytes;
    const nnc_serve waits = served(&ask);
    ck_assert_double_eq(waits.max_sequences, 2.0);
    ck_assert_double_eq(waits.preemptions, 0.0);
    ask.preempt = true;
    const nnc_serve s = served(&ask);
    ck_assert_double_eq(s.preemptions, 1.0);
    ck_assert_double_lt(s.ttft_s, waits.ttft_s); /* all three requests start at the same time */
    ck_assert_double_gt(s.request_s, roomy.request_s);
    /* In a closed loop, a new request waits behind the preempted request, and no request is lost. With a small cache,
     * three clients wait longer than with a larger cache. */
    nnc_serve_ask loop = ask_of(1016);
    loop.memory_use = ask.memory_use;
    loop.preempt = true;
    loop.concurrency = 3;
    loop.requests = 12;
    loop.waves = 4.0;
    const nnc_serve closed = served(&loop);
    ck_assert_double_gt(closed.preemptions, 0.0);
    ck_assert_double_gt(closed.request_s, roomy.request_s);
}
END_TEST

/* A second prompt of 1,000 tokens arrives while the first request decodes. The second prompt waits 20 iterations for
 * further prompts. The second prompt starts earlier if the waiting tokens and the token of the first request reach
 * wait_share x the chunk of 8,192 tokens: at once if wait_share is 0.1, together with a third prompt if it is 0.2. */
START_TEST(prompts_wait_for_more) {
    nnc_serve_ask ask = recorded(101, 3);
    const double alone_s = prompt_s(), step_s = decode_s(1, 1021);
    arrivals[0] = (nnc_serve_arrival){ .arrival_s = 0.0 };
    arrivals[1] = (nnc_serve_arrival){ .arrival_s = alone_s + 10.5 * step_s };
    arrivals[2] = (nnc_serve_arrival){ .arrival_s = 100.0 };
    const nnc_serve plain = served(&ask);
    ask.wait_steps = 20;
    ask.wait_share = 0.9;
    CLOSE(3.0 * (served(&ask).ttft_s - plain.ttft_s), 20.0 * step_s, 2e-3);
    ask.wait_share = 0.1;
    ck_assert_double_eq(served(&ask).ttft_s, plain.ttft_s);
    ask.wait_share = 0.2;
    CLOSE(3.0 * (served(&ask).ttft_s - plain.ttft_s), 20.0 * step_s, 2e-3);
    /* with the third prompt, 2,001 tokens wait for the next step */
    arrivals[2].arrival_s = arrivals[1].arrival_s + 5.0 * step_s;
    const nnc_serve two = served(&ask);
    ask.wait_share = 0.9;
    const nnc_serve held = served(&ask); /* the two prompts start 15 and 14 iterations later */
    CLOSE(3.0 * (held.ttft_s - two.ttft_s), 2.0 * 15.0 * step_s, 0.05);
}
END_TEST

/* Two attention groups decode when a third prompt arrives. The third prompt starts at the next multiple of
 * balance_steps: 20 steps later if balance_steps is 50 instead of 30, and at the same time if it is 5 or 15. A fourth
 * prompt arrives 5 steps after the third, so that each group has a prompt. With a prompt for each group, the third and
 * the fourth prompt start at once, or 5 steps later if balance_more is 5. */
START_TEST(prompts_wait_for_groups) {
    nnc_serve_ask ask = recorded(101, 4);
    nnc_error err = { 0 };
    ok(nnc_model_load(specs, "mixtral-8x7b", &model, &err), &err); /* changes the model of this test only */
    ask.devices = ask.attention_data = 2;
    arrivals[0] = arrivals[1] = (nnc_serve_arrival){ .arrival_s = 0.0 };
    arrivals[2] = arrivals[3] = (nnc_serve_arrival){ .arrival_s = 100.0 };
    const nnc_serve pair = served(&ask);
    const double step_s = (pair.request_s - pair.ttft_s) / 100.0;
    arrivals[2].arrival_s = pair.ttft_s + 10.5 * step_s;
    static const int64_t steps[] = { 5, 15, 30, 50 };
    double total_s[COUNT_OF(steps)];
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        ask.balance_steps = steps[i];
        ask.balance_more = 5;
        total_s[i] = 4.0 * served(&ask).ttft_s;
    }
    CLOSE(total_s[3] - total_s[2], 20.0 * step_s, 0.01);
    CLOSE(total_s[1], total_s[0], 1e-9);
    arrivals[3].arrival_s = arrivals[2].arrival_s + 5.0 * step_s;
    const nnc_serve held = served(&ask);
    ask.balance_more = 0;
    CLOSE(4.0 * (held.ttft_s - served(&ask).ttft_s), 2.0 * 5.0 * step_s, 0.03);
    /* the next requests of clients in a closed loop wait, too */
    nnc_serve_ask loop = ask_of(101);
    loop.devices = loop.attention_data = 2;
    loop.concurrency = 8;
    loop.waves = 5.0;
    loop.length_spread = 0.5;
    const double at_once_s = served(&loop).ttft_s;
    loop.balance_steps = 50;
    ck_assert_double_gt(served(&loop).ttft_s, at_once_s + 3.0 * step_s);
}
END_TEST

/* The first request decodes. The second request arrives during step 29. The engine receives the second request after
 * step 29 with receive_steps 1, and after step 30 with receive_steps 10 or 30. A third request that arrives while the
 * prompt of the second one is computed is received right after this prompt. If the third request arrives two steps
 * later, it waits until step 10 or step 30 after the prompt of the second request. */
START_TEST(engine_receives_requests) {
    nnc_serve_ask ask = recorded(101, 2);
    const double alone_s = prompt_s(), step_s = decode_s(1, 1030);
    arrivals[0] = (nnc_serve_arrival){ .arrival_s = 0.0 };
    const double start_s = alone_s + 30.0 * (decode_s(1, 1001) + decode_s(1, 1030)) / 2.0;
    arrivals[1] = (nnc_serve_arrival){ .arrival_s = start_s - 1.5 * step_s };
    static const int64_t steps[] = { 1, 10, 30 };
    double total_s[COUNT_OF(steps)];
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        ask.receive_steps = steps[i];
        total_s[i] = 2.0 * served(&ask).ttft_s;
    }
    CLOSE(total_s[1] - total_s[0], step_s, 0.01);
    CLOSE(total_s[2], total_s[1], 1e-9);
    ask.arrival_count = 3;
    arrivals[2] = (nnc_serve_arrival){ .arrival_s = start_s + 0.5 * step_s };
    const double at_once_s = 3.0 * served(&ask).ttft_s;
    ask.receive_steps = 10;
    CLOSE(3.0 * served(&ask).ttft_s, at_once_s, 1e-9);
    const double pair_s = decode_s(2, 1030);
    arrivals[2].arrival_s = start_s + step_s + added_s(1, 101) + 1.5 * pair_s;
    const double soon_s = 3.0 * served(&ask).ttft_s;
    ask.receive_steps = 30;
    CLOSE(3.0 * served(&ask).ttft_s - soon_s, 20.0 * pair_s, 0.01);
    /* with separate workers for prompts, requests do not wait for a decode step */
    ask.prefill_workers = ask.decode_workers = 1;
    const double apart_s = served(&ask).ttft_s;
    ask.receive_steps = 1;
    CLOSE(served(&ask).ttft_s, apart_s, 1e-9);
}
END_TEST

/* The first request decodes, and the second arrives in the middle of a step. An engine that schedules ahead has already
 * scheduled the next step, so the prompt waits one step more. A request that finds no running sequence does not wait.
 * With receive_steps 10, the engine receives the request one step later as well. */
START_TEST(engine_schedules_ahead) {
    nnc_serve_ask ask = recorded(101, 2);
    const double alone_s = prompt_s(), step_s = decode_s(1, 1030);
    arrivals[0] = (nnc_serve_arrival){ .arrival_s = 0.0 };
    const double start_s = alone_s + 30.0 * (decode_s(1, 1001) + decode_s(1, 1030)) / 2.0;
    arrivals[1] = (nnc_serve_arrival){ .arrival_s = start_s - 1.5 * step_s };
    const double behind_s = 2.0 * served(&ask).ttft_s;
    engine.serving.schedules_ahead = true;
    CLOSE(2.0 * served(&ask).ttft_s - behind_s, step_s, 0.01);
    arrivals[1].arrival_s = 1e3;
    CLOSE(served(&ask).ttft_s, alone_s, 1e-9);
    arrivals[1].arrival_s = start_s - 0.5 * step_s;
    engine.serving.schedules_ahead = false;
    ask.receive_steps = 10;
    const double tenth_s = 2.0 * served(&ask).ttft_s;
    engine.serving.schedules_ahead = true;
    CLOSE(2.0 * served(&ask).ttft_s - tenth_s, 10.0 * step_s, 0.01);
    engine.serving.schedules_ahead = false;
}
END_TEST

/* An iteration with prompts lasts at least as long as the host issues its kernels, also for a part of a prompt. */
START_TEST(prompts_wait_for_the_host) {
    nnc_serve_ask ask = recorded(2, 1);
    arrivals[0] = (nnc_serve_arrival){ .arrival_s = 0.0 };
    engine.serving.issue_s = 1e-3;
    CLOSE(served(&ask).ttft_s, engine.serving.step_s + 0.291, 1e-9);
    ask.chunk = INPUT / 2;
    CLOSE(served(&ask).ttft_s, 2.0 * (engine.serving.step_s + 0.291), 1e-9);
    ask.graph_tokens = INPUT;
    ck_assert_double_lt(served(&ask).ttft_s, 0.291);
    engine.serving.issue_s = 0.0;
}
END_TEST

/* One prefill worker and one decode worker. The prefill of the second prompt waits until the first prompt is computed.
 * The two requests decode after their caches are sent, and no prompt is computed in their decode steps. */
START_TEST(separate_workers) {
    nnc_serve_ask ask = recorded(2, 2);
    arrivals[0] = arrivals[1] = (nnc_serve_arrival){ .arrival_s = 0.0 };
    ask.prefill_workers = ask.decode_workers = 1;
    const nnc_serve s = served(&ask);
    const double prompt = prompt_s(), sent = s.transfer_s;
    CLOSE(s.ttft_s, 1.5 * prompt + sent, 1e-9);
    CLOSE(s.request_s, 1.5 * prompt + sent + decode_s(1, 1001), 1e-9);
    ask.prefill_workers = 2;
    ask.decode_workers = 1;
    CLOSE(served(&ask).request_s, prompt + sent + decode_s(2, 1001), 1e-9);
}
END_TEST

/* Three decode workers hold three times as many sequences as one, and the throughput is at most its upper bound. The
 * formula for separate workers counts prompts without their cached tokens, and so does the saturation rate. */
START_TEST(separate_workers_together) {
    nnc_serve_ask ask = ask_of(500);
    ask.input_len = 16;
    ask.max_batch = 64;
    ask.concurrency = 300;
    ask.prefill_workers = 1;
    ask.decode_workers = 3;
    const nnc_serve s = served(&ask);
    ck_assert_double_eq(s.running, 192.0);
    ck_assert_double_gt(s.output_tokens_per_s, 64.0 / s.tpot_lower_bound_s);
    ck_assert_double_le(s.output_tokens_per_s, s.upper_bound_tokens_per_s);
    ask.decode_workers = 1;
    CLOSE(served(&ask).kv_bytes, s.kv_bytes, 1e-12); /* each decode worker has an equally full cache */
    ask.input_len = 5000;
    ask.output_len = 2;
    ask.concurrency = 4;
    for (double hit = 0.0; hit < 0.9; hit += 0.4) {
        ask.prefix_hit = hit;
        CLOSE(served(&ask).apart_requests_per_s, served(&ask).saturation_rate, 1e-9);
    }
}
END_TEST

/* 3 replicas with one slot each answer as many requests per second for 4 clients as for 3 clients, because one replica
 * has two clients. 4 clients of 3 replicas have the same results as 8 clients of 6 replicas. */
START_TEST(replicas_with_unequal_clients) {
    nnc_serve_ask ask = ask_of(50);
    ask.max_batch = 1;
    ask.waves = 100.0;
    ask.data = 3;
    ask.concurrency = 3;
    const nnc_serve equal = served(&ask);
    ask.concurrency = 4;
    const nnc_serve more = served(&ask);
    CLOSE(more.requests_per_s, equal.requests_per_s, 0.02);
    CLOSE(more.requests_per_s * more.request_s, 4.0, 1e-12);
    ck_assert_double_eq(more.running, 3.0);
    ask.data = 6;
    ask.concurrency = 8;
    CLOSE(served(&ask).request_s, more.request_s, 1e-12);
    ask.max_batch = 0;
    ck_assert_double_eq(served(&ask).running, 8.0);
}
END_TEST

/* If all tokens of a draft are accepted, a step gives several tokens. Even if all tokens of a draft are accepted, the
 * lower bound of the time per token is at most the predicted time. */
START_TEST(bounds_with_a_draft) {
    nnc_serve_ask ask = ask_of(128);
    ask.draft_length = 4;
    ask.acceptance = 1.0;
    for (int64_t clients = 1; clients <= 64; clients *= 8) {
        ask.concurrency = clients;
        const nnc_serve s = served(&ask);
        ck_assert_double_le(s.tpot_lower_bound_s, s.tpot_s);
        ck_assert_double_le(s.request_lower_bound_s, s.request_s);
        ck_assert_double_le(s.output_tokens_per_s, s.upper_bound_tokens_per_s);
        ck_assert_double_le(s.tpot_interval_s[0], s.tpot_s);
    }
}
END_TEST

/* The lengths in a list of requests determine throughput and price, and must fit. The plan has the mean lengths of the
 * requests, rounded to whole tokens. */
START_TEST(recorded_lengths) {
    nnc_error err = { 0 };
    nnc_serve serve;
    const nnc_model *gpt2 = NULL;
    nnc_serve_ask ask = recorded(256, 2), same = ask;
    for (int i = 0; i < 2; i++) { arrivals[i] = (nnc_serve_arrival){ 10.0 * i, 3 * i + 100, i + 4 }; }
    const nnc_serve s = served(&ask);
    ck_assert_double_eq(s.requests_per_s, 0.1);
    CLOSE(s.output_tokens_per_s, 0.45, 1e-12);
    CLOSE(s.input_tokens_per_s, 10.15, 1e-12);
    ck_assert_int_eq(s.plan.input_len, 102);
    ck_assert_int_eq(s.plan.output_len, 5);
    for (int i = 0; i < 2; i++) { arrivals[i] = (nnc_serve_arrival){ 10.0 * i, INPUT, 64 }; }
    const nnc_serve listed = served(&ask);
    for (int i = 0; i < 2; i++) { arrivals[i] = (nnc_serve_arrival){ 10.0 * i, 0, 0 }; }
    same.output_len = 64;
    CLOSE(served(&same).per_million_output_tokens, listed.per_million_output_tokens, 1e-12);
    ck_assert_double_eq(served(&same).request_s, listed.request_s);
    /* if two requests arrive at once, the throughput is two requests per request time */
    for (int i = 0; i < 2; i++) { arrivals[i] = (nnc_serve_arrival){ 7.0, 0, 0 }; }
    const nnc_serve burst = served(&same);
    CLOSE(burst.requests_per_s, 2.0 / burst.request_s, 1e-9);
    ck_assert_double_eq(burst.running, 2.0);
    /* a list of requests and a rate contradict each other */
    same.request_rate = 5.0;
    ck_assert_int_eq(nnc_serve_of(model, device, &engine, &same, scratch, &serve, &err), NNC_BAD_USAGE);
    ck_assert_str_eq(err.where, "--request-rate");
    /* GPT-2 has 1,024 positions */
    ok(nnc_model_load(specs, "gpt2", &gpt2, &err), &err);
    for (int i = 0; i < 2; i++) { arrivals[i] = (nnc_serve_arrival){ 10.0 * i, 10, 2000 * i + 10 }; }
    ck_assert_int_eq(nnc_serve_of(gpt2, device, &engine, &ask, scratch, &serve, &err), NNC_ILLEGAL_PLAN);
    ck_assert_str_eq(err.where, "--arrivals");
}
END_TEST

int main(void) {
    const TTest *const tests[] = { one_request,
                                   a_prompt_joins_a_step,
                                   tokens_become_text_in_turn,
                                   chunks,
                                   one_server,
                                   several_servers,
                                   seeds,
                                   spreads,
                                   a_full_cache,
                                   prompts_wait_for_more,
                                   engine_schedules_ahead,
                                   prompts_wait_for_the_host,
                                   prompts_wait_for_groups,
                                   engine_receives_requests,
                                   separate_workers,
                                   separate_workers_together,
                                   replicas_with_unequal_clients,
                                   recorded_lengths,
                                   bounds_with_a_draft,
                                   gaps_are_drawn_as_published,
                                   lengths_are_even_and_mirrored,
                                   shares_are_nearest_ranks,
                                   whole_tokens_are_cached,
                                   workers_take_turns,
                                   steps_between_knots };
    return run_tests_with("serve_replay", open_all, close_support, tests, COUNT_OF(tests));
}
