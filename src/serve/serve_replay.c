/* Simulates one replica under a load of requests, from event to event.   (docs/serving.md, "Load")
 *
 * Requests wait in a queue in order of arrival. The engine works in iterations (continuous batching). Each iteration
 * computes up to `chunk` tokens of prompts and one token of every running sequence; it reads the weights once for all
 * these tokens. The first token of a request exists at the end of the iteration that computes the last part of its
 * prompt.
 *
 * Iterations without prompts differ only in the length of the context, which grows. The times of all such iterations up
 * to the next arrival, or up to the end of a sequence, are therefore summed in closed form. So the cost of a simulation
 * grows with the number of requests, not with the number of tokens. The times of steps come from tables; an entry of a
 * table is computed when it is read for the first time.
 *
 * Invariants: arrivals, random lengths and iterations depend only on the inputs and the seed, so equal inputs give
 * equal results on every machine. With the default options, sqrt is the only function of the C library in this file
 * that rounds, and IEEE 754 defines its result exactly. serve_replay.c allocates no memory. */
#include "estimate/estimate_internal.h"
#include "serve/serve_internal.h"

enum {
    FINE = 64, /* a table of step times has an entry for every number of sequences below FINE, then FINE / 2 entries per
                * factor of 2 */
    COARSE = 8,
    OCTAVES = 20,
    KNOTS = FINE + OCTAVES * FINE / 2,
    COARSE_KNOTS = COARSE + OCTAVES * COARSE / 2,
    CONTEXTS = 5, /* number of context lengths, evenly spaced, for which the time of a decode step is
                             * computed */
    BATCHES = 10, /* number of batches of consecutive requests; the spread of their means decides whether one
                             * simulation is enough */
    /* largest number of simulations of one load; the simulations differ in their random arrival times */
    RUNS = 16,
    RUNS_REQUESTS = 160000, /* largest number of requests in all simulations of one load, added up */
    NONE = -1
};
/* no further simulation is run if the standard error of the mean TTFT, divided by the mean TTFT, is at most this
 * value */
#define CERTAIN 0.01

/* One request of a client. All times are in seconds from the start of the simulation, as the client measures them. */
typedef struct request {
    double arrival_s, ready_s, first_s, last_s;
    double fresh, left;  /* number of prompt tokens. fresh: tokens to compute in total; left: tokens that are
                                  * not computed yet */
    double room, growth; /* cache space of this sequence, and cache space that each decode step adds; unit: the
                                  * space of a sequence of mean length */
    /* number of positions that the next decode step of the request attends to. While the sequence of the request runs,
     * `context` is stored minus all tokens that the worker's steps have computed so far, so that the stored value does
     * not change from step to step */
    double context;
    /* the request is done when the step count of its worker (worker.step) has this value */
    int64_t finish;
    int32_t input, output, made; /* number of tokens: of the prompt (input), to generate (output), generated before a
                                  * preemption (made) */
    int32_t next;                /* index of the next request in the queue of its worker */
    int32_t place;               /* index of the request in the heap of the sequences that run on its worker */
    int32_t newer, older;        /* indices of the neighbours in the list of running sequences, in order of
                                  * admission. newer: admitted next; older: admitted before */
} request;

/* An engine that runs decode steps: a whole replica, or one of the decode workers of a replica. */
typedef struct worker {
    double clock_s;
    double sent_s;                /* time at which the text of the token that was computed last is sent to the client */
    double context, room, growth; /* sums over the running sequences of those members of `request` that have the same
                                   * names */
    int64_t step;
    /* number of iterations in which prompts have waited for further prompts, although they could have started */
    double waited;
    /* balanced: step of the last start of prompts. full: first step in which each group of attention_data has a prompt;
     * NONE = some group has no prompt */
    int64_t balanced, full;
    /* the last time at which the engine received the new requests of the clients: as a step, and in seconds */
    int64_t received;
    double received_s;
    double begun_s;     /* time at which the last iteration started */
    int32_t head, tail; /* first request (head) and last request (tail) in the queue of this worker */
    int32_t *heap, running, newest;
} worker;

struct nnc_serve_work {
    double decode[KNOTS][CONTEXTS], prefill[KNOTS], added[COARSE_KNOTS][COARSE_KNOTS];
    double free_s[NNC_SERVE_WORKERS];
    worker workers[NNC_SERVE_WORKERS];
    request *requests;
    double *ttft, *tpot, *request_s; /* TTFT, TPOT and total time of each request in seconds, over all simulations */
    int32_t *heaps;
};

typedef struct simulation {
    const nnc_serve_load_case *load;
    nnc_serve_work *work;
    nnc_serve_replayed *result;
    request *requests;
    int64_t count, issued;         /* count: number of requests of one simulation; issued: number of requests that have
                                    * been created so far */
    int64_t counted, counted_tpot; /* number of values that are stored over all simulations: counted in ttft and
                                    * request_s, counted_tpot in tpot */
    double context_low, context_gap;
    double tokens_of_step;
    int64_t receive_steps; /* number of decode steps from one receipt of new requests to the next */
    bool ahead;            /* true: the engine schedules an iteration when the iteration before it starts */
    /* sums over all decode steps; decode_area: number of sequences x seconds of the step; decode_s: seconds of the
     * step */
    double decode_area, decode_s;
    int32_t workers;
    double drawn[2];        /* random numbers from -1 to 1 for the input length and the output length of the last
                             * request */
    uint64_t gaps, lengths; /* states of two random generators, one for arrival gaps and one for lengths, so that
                             * arrivals do not depend on lengths */
} simulation;

/* ---- working memory of the simulations ---- */

/* Returns the largest number of simulations of an open loop with random arrival times. requests: number of requests in
 * one simulation. */
static int64_t runs_of(int64_t requests) {
    const int64_t runs = RUNS_REQUESTS / (requests > 0 ? requests : 1);
    return runs < 1 ? 1 : runs > RUNS ? RUNS : runs;
}

static size_t bytes_for(int64_t requests) {
    return sizeof(nnc_serve_work) +
           (size_t)requests * (sizeof(request) + sizeof(int32_t) + 3 * (size_t)runs_of(requests) * sizeof(double));
}

nnc_serve_work *nnc_serve_work_of(nnc_scratch *scratch, int64_t requests) {
    nnc_serve_work *work = nnc_scratch_load(scratch, bytes_for(requests));
    if (work != NULL) {
        char *at = (char *)(work + 1);
        const int64_t all = requests * runs_of(requests);
        work->requests = (request *)(void *)at;
        work->ttft = (double *)(void *)(at + (size_t)requests * sizeof(request));
        work->tpot = work->ttft + all;
        work->request_s = work->tpot + all;
        work->heaps = (int32_t *)(void *)(work->request_s + all);
    }
    return work;
}

/* Returns the index of the last table entry (knot) whose argument is at most x. The table has entries for the arguments
 * 0, 1 ... exact - 1; above, it has exact / 2 entries for each factor of 2. Sets *part to the position of x between
 * this entry and the next one, from 0 to 1. */
static int32_t knot_of(int32_t exact, double x, double *part) {
    const int32_t octave = exact / 2;
    int exponent = 0, least = 0;
    if (x < exact) {
        *part = x - floor(x);
        return (int32_t)x;
    }
    (void)frexp((double)exact, &least);
    const double place = (2.0 * frexp(x, &exponent) - 1.0) * octave;
    const int32_t above = (exponent - least) * octave + (int32_t)place;
    *part = place - floor(place);
    return exact + (above < OCTAVES * octave - 1 ? above : OCTAVES * octave - 2);
}

static double knot_value(int32_t exact, int32_t knot) {
    const int32_t octave = exact / 2, above = knot - exact;
    return knot < exact ? (double)knot
                        : ldexp((double)exact * (1.0 + (double)(above % octave) / octave), above / octave);
}

static double decode_knot(simulation *s, int32_t knot, int32_t context) {
    double *value = &s->work->decode[knot][context];
    const nnc_serve_case *of = s->load->of;
    if (isnan(*value)) {
        const double sequences = knot_value(FINE, knot);
        const double positions = s->context_low + context * s->context_gap;
        *value = sequences > 0.0 ? nnc_serve_decode_s(of, sequences, positions) : 0.0;
    }
    return *value;
}

/* Returns the seconds of a decode step, interpolated between entries of a table. Sets *slope to the seconds by which
 * the step becomes longer when every sequence attends to one more position. */
static double decode_at(simulation *s, double sequences, double context, double *slope) {
    double part = 0.0;
    const int32_t knot = knot_of(FINE, sequences, &part);
    const double place = nnc_max((context - s->context_low) / s->context_gap, 0.0);
    const int32_t cell = place < CONTEXTS - 1 ? (int32_t)place : CONTEXTS - 2;
    double low = decode_knot(s, knot, cell), high = decode_knot(s, knot, cell + 1);
    if (part > 0.0) {
        low += part * (decode_knot(s, knot + 1, cell) - low);
        high += part * (decode_knot(s, knot + 1, cell + 1) - high);
    }
    *slope = nnc_max((high - low) / s->context_gap, 0.0);
    return low + (place - cell) * (high - low);
}

/* Returns the seconds for which the prefill of one prompt occupies the busiest pipeline stage, if no sequence decodes
 * at the same time. fresh: number of prompt tokens to compute. */
static double prefill_of(simulation *s, double fresh) {
    const nnc_serve_load_case *l = s->load;
    double part = 0.0;
    if (fresh == l->fresh) { return l->busy_s; }
    const int32_t knot = knot_of(FINE, fresh, &part);
    double *table = s->work->prefill;
    for (int32_t i = knot; i < knot + 2; i++) {
        if (isnan(table[i])) {
            const double tokens = nnc_max(knot_value(FINE, i), 1.0);
            table[i] = nnc_serve_prefill(l->of, 1.0, tokens * l->cached / l->fresh, tokens, NULL).time_s / l->stages;
        }
    }
    return table[knot] + part * (table[knot + 1] - table[knot]);
}

static double added_knot(simulation *s, int32_t row, int32_t column) {
    double *value = &s->work->added[row][column];
    if (isnan(*value)) { *value = nnc_serve_added_s(s->load, knot_value(COARSE, row), knot_value(COARSE, column)); }
    return *value;
}

/* Returns the seconds by which prompts make a decode step of `sequences` sequences longer. prompts: size of the prompts
 * together, in units of a prompt of mean length: sum of their prefill times / prefill time of the mean prompt. */
static double added_s(simulation *s, double sequences, double prompts) {
    double down = 0.0, right = 0.0, value = 0.0;
    const int32_t row = knot_of(COARSE, sequences, &down);
    const int32_t column = knot_of(COARSE, prompts, &right);
    for (int32_t i = 0; i < 2; i++) {
        const double weight = i == 0 ? 1.0 - down : down;
        if (weight > 0.0) {
            const double low = added_knot(s, row + i, column);
            value += weight * (right > 0.0 ? low + right * (added_knot(s, row + i, column + 1) - low) : low);
        }
    }
    return value;
}

/* ---- random numbers, which have the same bits on every machine ---- */

/* Returns a random number between 0 and 1, without both ends. Source of the generator splitmix64: Steele et al., OOPSLA
 * 2014. */
static double uniform(uint64_t *state) {
    *state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    z ^= z >> 31;
    return ((double)(z >> 12) + 0.5) * 0x1p-52;
}

/* Returns the natural logarithm, computed from its series by basic operations alone. The function log() is not used,
 * because its last digit differs between C libraries. */
static double ln(double x) {
    int exponent = 0;
    double mantissa = frexp(x, &exponent);
    if (mantissa < 0.70710678118654752) {
        mantissa *= 2.0;
        exponent--;
    }
    const double t = (mantissa - 1.0) / (mantissa + 1.0), square = t * t;
    double sum = 0.0;
    for (int term = 21; term > 0; term -= 2) { sum = sum * square + 1.0 / term; }
    return 2.0 * t * sum + exponent * 0.69314718055994530942;
}

/* Draws a random number from a gamma distribution with mean 1, by the method of Marsaglia and Tsang, ACM TOMS 26(3),
 * 2000. For a shape below 1, a number is drawn with shape + 1 and multiplied by a power of a uniform random number. */
static double gamma_of(simulation *s, double shape) {
    const double more = shape < 1.0 ? shape + 1.0 : shape;
    const double d = more - 1.0 / 3.0, c = 1.0 / sqrt(9.0 * d);
    const double lift = shape < 1.0 ? exp(ln(uniform(&s->gaps)) / shape) : 1.0;
    for (;;) {
        double x = 0.0, size = 0.0;
        do { /* draws a number from the normal distribution by the polar method */
            x = 2.0 * uniform(&s->gaps) - 1.0;
            const double y = 2.0 * uniform(&s->gaps) - 1.0;
            size = x * x + y * y;
        } while (size >= 1.0 || size == 0.0);
        x *= sqrt(-2.0 * ln(size) / size);
        const double v = (1.0 + c * x) * (1.0 + c * x) * (1.0 + c * x);
        if (v > 0.0 && ln(uniform(&s->gaps)) < 0.5 * x * x + d - d * v + d * ln(v)) { return lift * d * v / shape; }
    }
}

static double gap_s(simulation *s) {
    const double shape = s->load->of->plan->burstiness;
    return (shape == 1.0 ? -ln(uniform(&s->gaps)) : gamma_of(s, shape)) / s->load->requests_per_s;
}

/* Draws the prompt length and the output length of a request. Both lengths have a uniform distribution within a factor
 * of 1 ± length_spread around their means. In every second request, the distances from the means are those of the
 * request before with the opposite sign (antithetic variates), so each such pair of requests has exactly the mean
 * lengths, up to rounding. */
static void draw_lengths(simulation *s, int32_t index, request *r) {
    const nnc_serve_ask *plan = s->load->of->plan;
    const int64_t means[] = { plan->input_len, plan->output_len };
    int32_t *const lengths[] = { &r->input, &r->output };
    for (int i = 0; i < 2; i++) {
        s->drawn[i] = index % 2 == 0 ? 2.0 * uniform(&s->lengths) - 1.0 : -s->drawn[i];
        const double length = (double)means[i] * (1.0 + plan->length_spread * s->drawn[i]);
        *lengths[i] = (int32_t)nnc_max(floor(length + 0.5), 1.0);
    }
}

/* ---- the running sequences of a worker: a heap sorted by the step in which they end, and a list in order of admission
 * ---- */

static bool ends_before(const simulation *s, int32_t a, int32_t b) {
    const request *x = &s->requests[a], *y = &s->requests[b];
    return x->finish != y->finish ? x->finish < y->finish : a < b;
}

static void heap_put(simulation *s, worker *w, int32_t place, int32_t index) {
    w->heap[place] = index;
    s->requests[index].place = place;
}

static void heap_rise(simulation *s, worker *w, int32_t place, int32_t index) {
    while (place > 0 && ends_before(s, index, w->heap[(place - 1) / 2])) {
        heap_put(s, w, place, w->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    heap_put(s, w, place, index);
}

static void heap_remove(simulation *s, worker *w, int32_t place) {
    const int32_t last = w->heap[--w->running];
    if (place == w->running) { return; }
    for (int32_t child = 2 * place + 1; child < w->running; child = 2 * place + 1) {
        child += child + 1 < w->running && ends_before(s, w->heap[child + 1], w->heap[child]) ? 1 : 0;
        if (!ends_before(s, w->heap[child], last)) { break; }
        heap_put(s, w, place, w->heap[child]);
        place = child;
    }
    heap_rise(s, w, place, last);
}

static void start(simulation *s, worker *w, int32_t index) {
    request *r = &s->requests[index];
    r->context = (double)r->input + r->made - s->tokens_of_step * (double)w->step;
    /* the cache space is stored minus the growth in all steps of the worker so far, so that the stored value does not
     * change from step to step */
    r->room -= r->growth * (double)w->step;
    w->context += r->context;
    w->room += r->room;
    w->growth += r->growth;
    r->finish = w->step + (int64_t)nnc_ceil((r->output - r->made) / s->tokens_of_step - 1e-9);
    r->older = w->newest;
    r->newer = NONE;
    if (w->newest != NONE) { s->requests[w->newest].newer = index; }
    w->newest = index;
    heap_rise(s, w, w->running++, index);
}

static void stop(simulation *s, worker *w, int32_t index) {
    request *r = &s->requests[index];
    w->context -= r->context;
    w->room -= r->room;
    w->growth -= r->growth;
    if (r->newer != NONE) {
        s->requests[r->newer].older = r->older;
    } else {
        w->newest = r->older;
    }
    if (r->older != NONE) { s->requests[r->older].newer = r->newer; }
    heap_remove(s, w, r->place);
    if (w->running == 0) { /* when no sequence runs, the sums are set to 0, which removes rounding errors */
        w->context = w->room = w->growth = 0.0;
        w->step = 0;
    }
}

/* Returns the cache space that `tokens` tokens of a sequence need, divided by the space of a sequence of mean
 * length. */
static double room_of(const simulation *s, double tokens) {
    const nnc_serve_load_case *l = s->load;
    return tokens == l->input + l->output ? 1.0 : nnc_serve_sequence_bytes(l->of, tokens) / l->room_bytes;
}

static void take_place(simulation *s, request *r) {
    const double whole = nnc_min(room_of(s, (double)r->input + r->output), s->load->places);
    const bool grows = s->load->of->plan->preempt;
    r->room = grows ? nnc_min(room_of(s, (double)r->input + r->made), whole) : whole;
    r->growth = grows && r->output > r->made ? (whole - r->room) / (r->output - r->made) * s->tokens_of_step : 0.0;
}

/* Simulates the prefill of one prompt on separate prefill workers. Prompts are computed in order of arrival, each on
 * the worker that becomes free first. */
static void prefill_apart(simulation *s, request *r) {
    const nnc_serve_load_case *l = s->load;
    double *free_s = s->work->free_s;
    int32_t first = 0;
    for (int32_t i = 1; i < l->prefill_workers; i++) { first = free_s[i] < free_s[first] ? i : first; }
    const double busy_s = prefill_of(s, r->fresh);
    free_s[first] = nnc_max(free_s[first], r->ready_s) + busy_s;
    r->ready_s = free_s[first] + busy_s * (l->stages - 1.0) + l->transfer_s * (double)r->input / l->input;
    r->first_s = r->ready_s;
    r->left = 0.0;
}

static void push(simulation *s, worker *w, int32_t index) {
    s->requests[index].next = NONE;
    if (w->tail != NONE) {
        s->requests[w->tail].next = index;
    } else {
        w->head = index;
    }
    w->tail = index;
}

/* Creates the next request, sets its lengths, and appends it to the queue of worker w. */
static void issue(simulation *s, worker *w, double arrival_s) {
    const nnc_serve_load_case *l = s->load;
    const nnc_serve_ask *plan = l->of->plan;
    const int32_t index = (int32_t)s->issued++;
    request *r = &s->requests[index];
    *r = (request){ .arrival_s = arrival_s, .ready_s = arrival_s + l->of->engine->ttft_s };
    if (plan->arrival_count > 0) {
        const nnc_serve_arrival *a = &plan->arrival_list[(int64_t)index * plan->data];
        r->input = (int32_t)(a->input_len > 0 ? a->input_len : plan->input_len);
        r->output = (int32_t)(a->output_len > 0 ? a->output_len : plan->output_len);
    } else {
        draw_lengths(s, index, r);
    }
    const double cached = nnc_min(floor(plan->prefix_hit * r->input), r->input - 1.0);
    r->fresh = r->left = r->input - cached;
    if (l->prefill_workers > 0) { prefill_apart(s, r); }
    push(s, w, index);
}

static void finish(simulation *s, worker *w, int32_t index) {
    request *r = &s->requests[index];
    const double late_s = s->load->prefill_workers > 0 ? 0.0 : prefill_of(s, r->fresh) * (s->load->stages - 1.0);
    r->first_s += late_s;
    r->last_s = nnc_max(w->sent_s + late_s, r->first_s);
    if (s->load->open > 0 && s->issued < s->count) { issue(s, w, r->last_s); }
}

/* Adds the time in which the host turns the tokens of `steps` iterations into text, one token after the other.
 * sequences: number of sequences that get tokens in each iteration. Sets w->sent_s, the time at which the last text is
 * sent. first_s: end of the first of the iterations. */
static void write_text(const simulation *s, worker *w, double steps, double first_s, double sequences) {
    const double each_s = sequences * s->tokens_of_step * s->load->of->engine->text_s;
    w->sent_s = nnc_max(nnc_max(w->sent_s, first_s) + steps * each_s, w->clock_s + each_s);
}

/* Preempts a sequence, because the cache of the worker is full: removes the sequence that was admitted last, and puts
 * its request at the head of the queue. The prompt and the generated tokens of the request are computed again later. */
static void preempt(simulation *s, worker *w) {
    const int32_t index = w->newest;
    request *r = &s->requests[index];
    const double left = (double)(r->finish - w->step) * s->tokens_of_step;
    stop(s, w, index);
    r->made = (int32_t)nnc_max((double)r->output - left, 1.0);
    r->left = r->fresh + r->made;
    r->ready_s = w->received_s; /* the engine received this request before the preemption */
    r->next = w->head;
    w->head = index;
    w->tail = w->tail == NONE ? index : w->tail;
    s->result->preemptions++;
}

/* Lets the engine receive the new requests of the clients, but only in some iterations: in every receive_steps-th
 * decode step after the last receipt, in the iteration after an iteration with prompts, and in all iterations while no
 * sequence runs. Source: SchedulerRecvSkipper of SGLang (managers/scheduler_recv_skipper.py), whose counter increases
 * by 1 in a decode step and by 1,000 in a step with prompts. */
static void receive(const simulation *s, worker *w) {
    if (w->running > 0 && (w->step - w->received) % s->receive_steps != 0) { return; }
    w->received = w->step;
    /* An engine that schedules ahead has received the requests of this iteration when the last iteration started. An
     * engine without running sequences had no such iteration. */
    w->received_s = s->ahead && w->running > 0 ? w->begun_s : w->clock_s;
}

/* Returns the smallest number of decode steps, at least `steps`, after which the engine receives new requests. */
static double steps_to_receipt(const simulation *s, const worker *w, double steps) {
    const int64_t over = (w->step - w->received + (int64_t)steps) % s->receive_steps;
    return over == 0 ? steps : steps + (double)(s->receive_steps - over);
}

static double room_now(const worker *w) { return w->room + w->growth * (double)w->step; }

/* Tests whether request r can start, which needs two things: the engine can run one more sequence, and the cache has
 * space for the sequence. An engine that runs no sequence starts a request of any size. more: number of requests that
 * will start in the same iteration; more_room: cache space of these requests. */
static bool has_place(const simulation *s, const worker *w, int32_t more, double more_room, request *r) {
    const nnc_serve_load_case *l = s->load;
    const double used = room_now(w) + more_room + r->room + r->growth + w->growth;
    return (double)(w->running + more) < l->most && (w->running + more == 0 || used <= l->places * (1.0 + 1e-12));
}

static void end_steps(simulation *s, worker *w) {
    while (w->running > 0 && s->requests[w->heap[0]].finish <= w->step) {
        const int32_t index = w->heap[0];
        stop(s, w, index);
        finish(s, w, index);
    }
}

static double mean_context(const simulation *s, const worker *w) {
    return w->context / w->running + s->tokens_of_step * (double)w->step;
}

/* Tests whether the prompts that could start now wait until further prompts can start with them. If so, lowers *until_s
 * to the time at which the next request can start. Source: PyExecutor._waiting_requests of TensorRT-LLM. */
static bool waits_for_more(simulation *s, const worker *w, double *until_s) {
    const nnc_serve_ask *plan = s->load->of->plan;
    const double enough = plan->wait_share * s->load->chunk;
    double tokens = w->running, room = 0.0, next_s = (double)INFINITY;
    int32_t more = 0, index = w->head;
    if (w->waited >= (double)plan->wait_steps || w->running == 0 || s->load->prefill_workers > 0) { return false; }
    for (; index != NONE && tokens < enough; index = s->requests[index].next) {
        request *r = &s->requests[index];
        take_place(s, r);
        next_s = r->ready_s > w->received_s ? r->ready_s : next_s;
        if (r->ready_s > w->received_s || !has_place(s, w, more, room, r)) { break; }
        tokens += r->left;
        room += r->room;
        more++;
    }
    if (more == 0 || tokens >= enough) { return false; }
    *until_s = nnc_min(*until_s, next_s);
    return true;
}

/* Tests whether the prompts that could start now wait until each group of attention_data has a prompt. If so, lowers
 * *steps to the number of steps that they wait at most, and *until_s to the time at which the next request can start.
 * Source: PyExecutor._balance_adp_requests of TensorRT-LLM. TensorRT-LLM counts steps also while no prompt waits.
 * Approximation: N waiting prompts belong to N different groups, because the engine gives a request to the group with
 * the fewest requests. */
static bool waits_for_groups(simulation *s, worker *w, double *until_s, double *steps) {
    const nnc_serve_ask *plan = s->load->of->plan;
    double room = 0.0, next_s = (double)INFINITY;
    int32_t ready = 0, index = w->head;
    if (plan->balance_steps == 0 || plan->attention_data <= 1 || w->running == 0 || index == NONE ||
        s->load->prefill_workers > 0 || s->requests[index].left < s->requests[index].fresh + s->requests[index].made) {
        return false;
    }
    for (; index != NONE && ready < plan->attention_data; index = s->requests[index].next) {
        request *r = &s->requests[index];
        take_place(s, r);
        next_s = r->ready_s > w->received_s ? r->ready_s : next_s;
        if (r->ready_s > w->received_s || !has_place(s, w, ready, room, r)) { break; }
        room += r->room;
        ready++;
    }
    if (ready == 0) { return false; }
    const bool all = ready == plan->attention_data;
    w->full = !all ? NONE : w->full == NONE ? w->step : w->full;
    const int64_t since = w->step - w->balanced;
    const int64_t left = all ? w->full + plan->balance_more - w->step
                         : since > 0 && since % plan->balance_steps == 0
                             ? 0
                             : plan->balance_steps - since % plan->balance_steps;
    if (left <= 0) { return false; }
    *steps = nnc_min(*steps, (double)left);
    *until_s = all ? *until_s : nnc_min(*until_s, next_s);
    return true;
}

/* Simulates one iteration of the engine that computes prompts and one token of each running sequence. Returns false if
 * no prompt can start, or if the prompts wait for further prompts. */
static bool mixed_iteration(simulation *s, worker *w) {
    double budget = s->load->chunk, prompts = 0.0, room = 0.0;
    double until_s = 0.0, steps = 0.0;
    int32_t more = 0, complete = 0, done = NONE, last = NONE;
    if (waits_for_more(s, w, &until_s) || waits_for_groups(s, w, &until_s, &steps)) { return false; }
    while (w->head != NONE && budget > 0.0) {
        request *r = &s->requests[w->head];
        const int32_t index = w->head;
        if (r->ready_s > w->received_s) { break; }
        take_place(s, r);
        if (!has_place(s, w, more, room, r)) { break; }
        const double part = nnc_min(r->left, budget), whole = r->fresh + r->made;
        if (part > 0.0) { prompts += part / whole * prefill_of(s, whole) / s->load->busy_s; }
        budget -= part;
        r->left -= part;
        more++;
        room += r->room;
        if (r->left > 0.0) { /* a prompt that still has tokens to compute stays at the head of the queue */
            break;
        }
        w->head = r->next;
        w->tail = w->head == NONE ? NONE : w->tail;
        r->next = NONE;
        complete++;
        *(last == NONE ? &done : &s->requests[last].next) = index;
        last = index;
    }
    if (more == 0) { return false; }
    w->waited = 0.0;
    w->balanced = w->step;
    w->full = NONE;
    if (prompts > 0.0) {
        double slope = 0.0;
        const double decode_s = w->running > 0 ? decode_at(s, w->running, mean_context(s, w), &slope) : 0.0;
        const nnc_serve_case *of = s->load->of;
        const double tokens = (w->running + s->load->chunk - budget) / of->plan->attention_data;
        const double issue_s = nnc_serve_issue_s(of, tokens);
        w->begun_s = w->clock_s;
        w->clock_s += nnc_max(decode_s + added_s(s, w->running, prompts), issue_s);
        s->decode_s += decode_s;
        s->decode_area += decode_s * w->running;
        w->step += w->running > 0 ? 1 : 0;
    }
    w->received = w->step; /* the next iteration receives requests */
    write_text(s, w, 1.0, w->clock_s, w->running + complete);
    for (int32_t index = done; index != NONE;) {
        request *r = &s->requests[index];
        const int32_t next = r->next;
        if (r->made == 0) {
            r->first_s = s->load->prefill_workers > 0 ? r->first_s : w->sent_s;
            r->made = 1;
        }
        start(s, w, index);
        index = next;
    }
    end_steps(s, w);
    return true;
}

/* Returns the smallest number of decode steps, at least 1, that together take time_s or longer. first_s: seconds of the
 * first step; slope_s: each step takes slope_s longer than the step before it. */
static double steps_for(double time_s, double first_s, double slope_s) {
    const double b = first_s - slope_s / 2.0;
    const double root = sqrt(b * b + 2.0 * slope_s * nnc_max(time_s, 0.0));
    double steps = nnc_max(nnc_ceil(2.0 * nnc_max(time_s, 0.0) / (b + root)), 1.0);
    while (steps > 1.0 && (steps - 1.0) * (b + slope_s / 2.0 * (steps - 1.0)) >= time_s) { steps -= 1.0; }
    return steps;
}

/* Simulates decode steps without prompts up to the next event. An event is: a sequence ends, a waiting request can
 * start, the KV cache is full, the context reaches the next entry in the table of step times, or the time reaches
 * `horizon_s`. */
static void decode_run(simulation *s, worker *w, double horizon_s) {
    double slope = 0.0, until_s = horizon_s;
    const double context = mean_context(s, w);
    const double step_s = decode_at(s, w->running, context, &slope);
    const double slope_s = slope * s->tokens_of_step;
    const double cell = floor(nnc_max((context - s->context_low) / s->context_gap, 0.0));
    const double knot = s->context_low + (cell + 1.0) * s->context_gap;
    double steps = (double)(s->requests[w->heap[0]].finish - w->step);
    if (cell < CONTEXTS - 1) { steps = nnc_min(steps, nnc_max(nnc_ceil((knot - context) / s->tokens_of_step), 1.0)); }
    if (w->growth > 0.0) { steps = nnc_min(steps, nnc_max(floor((s->load->places - room_now(w)) / w->growth), 1.0)); }
    const bool waits = waits_for_more(s, w, &until_s), gathers = waits_for_groups(s, w, &until_s, &steps);
    if (waits) {
        steps = nnc_min(steps, (double)s->load->of->plan->wait_steps - w->waited);
    } else if (w->head != NONE && !gathers) {
        request *r = &s->requests[w->head];
        take_place(s, r);
        until_s = has_place(s, w, 0, 0.0, r) ? nnc_min(until_s, r->ready_s) : until_s;
    }
    if (w->clock_s + steps * (step_s + slope_s / 2.0 * (steps - 1.0)) > until_s) {
        const double ahead = s->ahead ? 1.0 : 0.0;
        steps = nnc_min(steps, steps_to_receipt(s, w, steps_for(until_s - w->clock_s, step_s, slope_s) + ahead));
    }
    const double time_s = steps * (step_s + slope_s / 2.0 * (steps - 1.0));
    w->clock_s += time_s;
    w->begun_s = w->clock_s - step_s - slope_s * (steps - 1.0);
    write_text(s, w, steps, w->clock_s - time_s + step_s, w->running);
    w->step += (int64_t)steps;
    w->waited += waits ? steps : 0.0;
    s->decode_s += time_s;
    s->decode_area += time_s * w->running;
    end_steps(s, w);
}

static double next_event_s(const simulation *s, const worker *w) {
    return w->running > 0    ? w->clock_s
           : w->head == NONE ? (double)INFINITY
                             : nnc_max(w->clock_s, s->requests[w->head].ready_s);
}

/* Simulates the next iterations of the worker whose next event is the earliest of all workers. Returns false if no
 * worker has an event left. In a closed loop with separate prefill workers, the end of a request on one worker can send
 * a new request to another worker. So a worker is not simulated beyond the earliest time at which another worker can
 * send it a new request. */
static bool turn(simulation *s) {
    worker *w = NULL;
    double first_s = (double)INFINITY, second_s = (double)INFINITY;
    for (int32_t i = 0; i < s->workers; i++) {
        const double event_s = next_event_s(s, &s->work->workers[i]);
        if (event_s < first_s) {
            second_s = first_s;
            first_s = event_s;
            w = &s->work->workers[i];
        } else {
            second_s = nnc_min(second_s, event_s);
        }
    }
    if (w == NULL) { return false; }
    w->clock_s = first_s;
    receive(s, w);
    while (s->load->of->plan->preempt && w->running > 1 && room_now(w) + w->growth > s->load->places * (1.0 + 1e-12)) {
        preempt(s, w);
    }
    if (!mixed_iteration(s, w) && w->running > 0) {
        const bool shared = s->load->open > 0 && s->load->prefill_workers > 0;
        decode_run(s, w, shared ? second_s + s->load->busy_s : (double)INFINITY);
    }
    return true;
}

/* Tests whether the arrival times of requests are random, as in an open loop without recorded arrivals. */
static bool draws_arrivals(const simulation *s) { return s->load->open == 0 && s->load->of->plan->arrival_count == 0; }

/* Returns a factor for the random gaps between arrivals. With this factor, the mean rate of the simulated arrivals
 * equals the requested rate exactly. If the gaps are exponential, the arrivals with this factor are a Poisson process
 * with a fixed number of arrivals. The factor matters near saturation: without it, most of the error of a mean latency
 * would come from the random error of the arrival rate. */
static double gap_scale(simulation *s) {
    const uint64_t state = s->gaps;
    double sum_s = 0.0;
    for (int64_t i = 0; i < s->count; i++) { sum_s += gap_s(s); }
    s->gaps = state;
    return (double)s->count / s->load->requests_per_s / sum_s;
}

/* Creates the requests that exist at the start of a simulation, and assigns them to the workers in turn: in an open
 * loop all requests with their arrival times, in a closed loop the first open requests. */
static void begin(simulation *s) {
    const nnc_serve_load_case *l = s->load;
    const nnc_serve_ask *plan = l->of->plan;
    nnc_serve_work *work = s->work;
    const double scale = draws_arrivals(s) ? gap_scale(s) : 1.0;
    double arrival_s = 0.0;
    const int64_t each = s->count / s->workers, more = s->count % s->workers;
    s->issued = 0;
    for (int32_t i = 0; i < NNC_SERVE_WORKERS; i++) {
        work->workers[i] = (worker){ .head = NONE,
                                     .tail = NONE,
                                     .newest = NONE,
                                     .full = NONE,
                                     .heap = work->heaps + (i < s->workers ? i * each + (i < more ? i : more) : 0) };
        work->free_s[i] = 0.0;
    }
    const int64_t first = l->open > 0 ? (l->open < s->count ? l->open : s->count) : s->count;
    for (int64_t i = 0; i < first; i++) {
        if (plan->arrival_count > 0) {
            arrival_s = plan->arrival_list[i * plan->data].arrival_s / l->pace;
        } else if (l->open == 0) {
            arrival_s += scale * gap_s(s);
        }
        issue(s, &work->workers[i % s->workers], arrival_s);
    }
}

/* Returns the value that would have index k if the array was sorted. Moves elements of the array (partition; Hoare,
 * CACM 4(7), 1961). */
static double ranked(double *values, int64_t count, int64_t k) {
    int64_t low = 0, high = count - 1;
    while (low < high) {
        const double pivot = values[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (values[i] < pivot) { i++; }
            while (values[j] > pivot) { j--; }
            if (i <= j) {
                const double held = values[i];
                values[i++] = values[j];
                values[j--] = held;
            }
        }
        if (k <= j) {
            high = j;
        } else if (k >= i) {
            low = i;
        } else {
            break;
        }
    }
    return values[k];
}

/* Returns the mean and the quantiles (50, 90 and 99 %) of an array of `count` values, at least one. Moves elements of
 * the array. */
static nnc_serve_spread_of summary_of(double *values, int64_t count) {
    static const double shares[] = { 0.5, 0.9, 0.99 };
    nnc_serve_spread_of of = { .mean = 0.0 };
    double *const places[] = { &of.p50, &of.p90, &of.p99 };
    for (int64_t i = 0; i < count; i++) { of.mean += values[i]; }
    of.mean /= (double)count;
    for (int i = 0; i < 3; i++) {
        *places[i] = ranked(values, count, (int64_t)nnc_ceil(shares[i] * (double)count) - 1);
    }
    return of;
}

/* Appends the times of the simulated requests to the arrays ttft, request_s and tpot, without those of the first
 * `skipped` requests. A request with one output token has no entry in tpot. */
static void collect(simulation *s, int64_t skipped) {
    nnc_serve_work *work = s->work;
    for (const request *r = s->requests + skipped; r < s->requests + s->count; r++) {
        work->ttft[s->counted] = r->first_s - r->arrival_s;
        work->request_s[s->counted++] = r->last_s - r->arrival_s;
        s->result->end_s = nnc_max(s->result->end_s, r->last_s);
        if (r->output > 1) { work->tpot[s->counted_tpot++] = (r->last_s - r->first_s) / (r->output - 1.0); }
    }
}

/* Tests after the first simulation whether the standard error of the mean TTFT is small enough. The error follows from
 * the means of BATCHES batches of consecutive requests (Conway, Management Science 10(1), 1963). */
static bool certain(const simulation *s) {
    const int64_t each = s->counted / BATCHES;
    double sum = 0.0, squares = 0.0;
    for (int64_t i = 0; i < each * BATCHES; i += each) {
        double mean_s = 0.0;
        for (int64_t k = i; k < i + each; k++) { mean_s += s->work->ttft[k] / (double)each; }
        sum += mean_s;
        squares += mean_s * mean_s;
    }
    const double mean_s = sum / BATCHES;
    const double variance = nnc_max(squares / BATCHES - mean_s * mean_s, 0.0) / (BATCHES - 1);
    return each > 0 && sqrt(variance) <= CERTAIN * mean_s;
}

static void summarise(simulation *s) {
    nnc_serve_replayed *result = s->result;
    const double unknown = (double)NAN;
    result->ttft = summary_of(s->work->ttft, s->counted);
    result->request = summary_of(s->work->request_s, s->counted);
    result->tpot = s->counted_tpot > 0 ? summary_of(s->work->tpot, s->counted_tpot)
                                       : (nnc_serve_spread_of){ unknown, unknown, unknown, unknown };
    result->sequences = s->decode_s > 0.0 ? s->decode_area / s->decode_s : 1.0;
}

void nnc_serve_replay(const nnc_serve_load_case *load, nnc_serve_replayed *result) {
    nnc_serve_work *work = load->of->work;
    simulation s = { .load = load,
                     .work = work,
                     .result = result,
                     .requests = work->requests,
                     .count = load->count,
                     .workers = load->prefill_workers > 0 ? load->decode_workers : (int32_t)load->replicas,
                     .tokens_of_step = load->tokens_of_step,
                     .receive_steps = load->prefill_workers > 0 ? 1 : load->of->plan->receive_steps,
                     .ahead = load->prefill_workers == 0 && load->of->engine->schedules_ahead,
                     .gaps = (uint64_t)load->of->plan->seed,
                     .lengths = ~(uint64_t)load->of->plan->seed };
    *result = (nnc_serve_replayed){ .preemptions = 0 };
    s.context_low = load->shortest;
    s.context_gap = nnc_max((load->longest - load->shortest) / (CONTEXTS - 1), 1.0);
    /* With all bits set, a double is NaN, which marks a table entry that has not been computed yet. */
    memset(work->decode, 0xff, sizeof work->decode);
    memset(work->prefill, 0xff, sizeof work->prefill);
    memset(work->added, 0xff, sizeof work->added);
    const int64_t most = draws_arrivals(&s) ? runs_of(s.count) : 1;
    for (int64_t run = 0; run < most; run++) {
        begin(&s);
        while (turn(&s)) {}
        collect(&s, load->skipped);
        result->requests += s.count;
        if (load->once || (run == 0 && certain(&s))) { break; }
    }
    summarise(&s);
}
