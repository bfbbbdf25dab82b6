/* Latency and throughput from step times, for each way in which requests arrive: one static batch, offline
 * (as many as fit), closed loop (fixed concurrency) and open loop (request rate, queue M/D/1).   [serve-
 * load] */
#include <math.h>

#include "serve/serve_internal.h"

double nnc_serve_mean_wait_s(double service_s, double load)
{
    return load < 1.0 ? load / (2.0 * (1.0 - load)) * service_s : (double)INFINITY;
}

double nnc_serve_p99_wait_s(double service_s, double load)
{
    return nnc_max(0.0, nnc_serve_mean_wait_s(service_s, load) / load * log(100.0 * load));
}

double nnc_serve_accepted(double acceptance, double drafted)
{
    return acceptance < 1.0 ? (1.0 - pow(acceptance, drafted + 1.0)) / (1.0 - acceptance)
                            : drafted + 1.0;
}

double nnc_serve_say_tpot(double decode_s, double prefill_s, double output_len, double sequences,
                          nnc_derivation *why)
{
    double tpot_s = 0.0;
    NNC_PUT(why, decode_s, "s");
    NNC_PUT(why, prefill_s, "s");
    NNC_PUT(why, output_len, NULL);
    NNC_PUT(why, sequences, NULL);
    NNC_SET(why, tpot_s, "s", decode_s + sequences / output_len * prefill_s);
    NNC_NOTE(why, "each sequence waits for the prefills of the others");
    return tpot_s;
}

double nnc_serve_say_saturation(double decode_s, double prefill_s, double output_len,
                                double sequences, nnc_derivation *why)
{
    double rate = 0.0;
    NNC_PUT(why, prefill_s, "s");
    NNC_PUT(why, output_len, NULL);
    NNC_LET(why, most_sequences, NULL, sequences);
    NNC_LET(why, full_decode_s, "s", decode_s);
    NNC_SET_AS(why, "saturation_of_replica", rate, NULL,
               1.0 / (prefill_s + output_len * full_decode_s / most_sequences));
    NNC_NOTE(why, "a request uses its prefill and, per output token, its share of a decode step");
    return rate;
}

double nnc_serve_say_running(double rate, double ttft_s, double tpot_s, double output_len,
                             nnc_derivation *why)
{
    double running = 0.0;
    NNC_PUT(why, rate, NULL);
    NNC_PUT(why, output_len, NULL);
    NNC_SET_AS(why, "running_of_replica", running, NULL,
               rate * (ttft_s + (output_len - 1.0) * tpot_s));
    NNC_SOURCE(why, "Little, Operations Research 9(3), 1961");
    return running;
}

/* One replica under load. */
typedef struct load {
    const nnc_serve_case *of;
    double input, output, cached,
        fresh;      /* tokens per request; the prompt splits into a cached and a computed part */
    double context; /* mean context of a decode step */
    double prefill_s,
        busy_s;  /* prefill of one prompt: its latency, and its time on the busiest stage */
    double most; /* the most sequences: limited by memory and by the engine */
    double requests_per_s;
} load;

static double decode_s(const load *l, double sequences)
{
    return nnc_serve_decode(l->of, sequences, l->context, NULL).time_s;
}

/* Growth of an open loop: sequences that arrive minus sequences that the replica finishes. Above 0, more
 * sequences will run. */
static double open_growth(const load *l, double sequences)
{
    const double rho = l->requests_per_s * l->busy_s;
    const double step_s = decode_s(l, nnc_max(sequences, 1.0));
    const double ttft_s =
        l->prefill_s + step_s / 2.0 + nnc_serve_mean_wait_s(l->busy_s, rho) + l->of->engine->ttft_s;
    return nnc_serve_say_running(l->requests_per_s, ttft_s, step_s / (1.0 - rho), l->output, NULL) -
           sequences;
}

/* Number of sequences of an open loop in equilibrium, by the Illinois method: secants over an interval that
 * brackets the root; the function value of an end that stays is halved, so both ends converge. */
static double open_sequences(const load *l)
{
    double low = 0.0, high = l->most;
    double below = open_growth(l, low), above = open_growth(l, high);
    if (above >= 0.0) {
        return high;
    }
    for (int i = 0, side = 0; i < 60 && high - low > 1e-14 * high; i++) {
        const double middle = (low * above - high * below) / (above - below);
        const double growth = open_growth(l, middle);
        if (growth == 0.0) {
            return middle;
        }
        const bool grows = growth > 0.0;
        above *= grows && side > 0 ? 0.5 : 1.0;
        below *= !grows && side < 0 ? 0.5 : 1.0;
        *(grows ? &low : &high) = middle;
        *(grows ? &below : &above) = growth;
        side = grows ? 1 : -1;
    }
    return high;
}

/* ---- the modes ---- */

/* A static batch: all sequences start and end together. */
static double wave_s_of(const load *l, double sequences)
{
    return sequences < 1.0 ? 0.0
                           : nnc_serve_prefill(l->of, sequences, l->cached, l->fresh, NULL).time_s +
                                 (l->output - 1.0) * decode_s(l, sequences);
}

static void say_static(const load *l, nnc_serve *s, double requests, double sequences,
                       nnc_derivation *why)
{
    NNC_LET(why, prefill_s, "s", s->prefill.time_s);
    NNC_LET(why, decode_s, "s", s->decode.time_s);
    NNC_LET(why, output_len, NULL, l->output);
    NNC_LET(why, batch, NULL, requests);
    NNC_SET(why, s->ttft_s, "s", prefill_s);
    NNC_NOTE(why, "without a server between client and engine");
    NNC_SET(why, s->tpot_s, "s", decode_s);
    NNC_NOTE(why, "one decode step of the batch at its mean context");
    NNC_SET(why, s->request_s, "s", s->ttft_s + (output_len - 1.0) * s->tpot_s);
    const double held = floor(s->max_sequences / l->of->plan->data);
    if (held >= 1.0 && held < sequences) {
        NNC_LET(why, sequences_of_wave, NULL, held);
        NNC_LET(why, full_waves, NULL, floor(sequences / sequences_of_wave));
        NNC_LET(why, full_wave_s, "s", wave_s_of(l, sequences_of_wave));
        NNC_LET(why, last_wave_s, "s", wave_s_of(l, sequences - full_waves * sequences_of_wave));
        NNC_SET(why, s->request_s, "s", full_waves * full_wave_s + last_wave_s);
        NNC_NOTE(why, "the batch runs in waves; each wave holds as many sequences as fit");
    }
    NNC_SET(why, s->output_tokens_per_s, NULL, batch * output_len / s->request_s);
    s->running = requests;
    s->queue_s = 0.0;
}

/* Offline: the cache is full; each finished sequence admits a prompt, which is prefilled in the next decode
 * step. */
static void say_offline(const load *l, nnc_serve *s, double sequences, nnc_derivation *why)
{
    const nnc_serve_engine *engine = l->of->engine;
    NNC_LET(why, sequences_of_replica, NULL, sequences);
    NNC_LET(why, output_len, NULL, l->output);
    NNC_SAY(why, prompts_of_step, NULL, sequences_of_replica / output_len);
    s->tpot_s =
        nnc_serve_mixed(l->of, sequences, l->context, prompts_of_step, l->cached, l->fresh).time_s;
    NNC_PUT(why, s->tpot_s, "s");
    NNC_NOTE(why, "a decode step of all sequences, with the prompts that replace finished ones");
    NNC_LET(why, replicas, NULL, l->of->plan->data);
    NNC_SET(why, s->output_tokens_per_s, NULL, replicas * sequences_of_replica / s->tpot_s);
    NNC_LET(why, prefill_s, "s", l->prefill_s);
    NNC_LET(why, engine_ttft_s, "s", engine->ttft_s);
    NNC_SET(why, s->ttft_s, "s", prefill_s + s->tpot_s / 2.0 + engine_ttft_s);
    NNC_SET(why, s->request_s, "s", s->ttft_s + (output_len - 1.0) * s->tpot_s);
    s->running = l->of->plan->data * sequences;
    s->queue_s = 0.0;
}

static void say_closed(const load *l, nnc_serve *s, double open, double sequences,
                       nnc_derivation *why)
{
    const nnc_serve_engine *engine = l->of->engine;
    const double replicas = l->of->plan->data;
    NNC_LET(why, sequences_of_replica, NULL, sequences);
    NNC_LET(why, output_len, NULL, l->output);
    NNC_LET(why, decode_s, "s", s->decode.time_s);
    NNC_LET(why, prefill_s, "s", l->busy_s);
    NNC_LET(why, stall, NULL, engine->stall);
    NNC_SAY(why, stalling_s, "s", stall * prefill_s);
    NNC_NOTE(why, "part of a prefill that stalls running sequences in this engine");
    s->tpot_s = nnc_serve_say_tpot(decode_s, stalling_s, output_len, sequences_of_replica, why);
    NNC_PUT(why, replicas, NULL);
    NNC_LET(why, cycle_s, "s", decode_s + sequences_of_replica / output_len * prefill_s);
    NNC_SET(why, s->output_tokens_per_s, NULL, replicas * sequences_of_replica / cycle_s);
    NNC_NOTE(why, "the devices either decode or prefill");
    NNC_LET(why, waiting, NULL, open - sequences);
    NNC_SET(why, s->queue_s, "s", waiting * s->tpot_s * output_len / sequences_of_replica);
    NNC_NOTE(why, "waiting requests over the requests that finish per second");
    NNC_LET(why, whole_prefill_s, "s", l->prefill_s);
    NNC_LET(why, wave_share, NULL, engine->ttft_wave / (2.0 * l->of->plan->waves));
    NNC_LET(why, engine_ttft_s, "s", engine->ttft_s);
    NNC_SET(why, s->ttft_s, "s",
            whole_prefill_s + decode_s / 2.0 + sequences_of_replica * prefill_s * wave_share +
                s->queue_s + engine_ttft_s);
    NNC_NOTE(why, "half a running step, the prompt's own prefill, and the benchmark's first wave, "
                  "in which all prompts arrive together");
    NNC_SET(why, s->request_s, "s", s->ttft_s + (output_len - 1.0) * s->tpot_s);
    s->running = replicas * sequences;
}

static void say_open(const load *l, nnc_serve *s, nnc_derivation *why)
{
    const nnc_serve_engine *engine = l->of->engine;
    NNC_LET(why, rate, NULL, l->requests_per_s);
    NNC_LET(why, output_len, NULL, l->output);
    NNC_LET(why, decode_s, "s", s->decode.time_s);
    NNC_LET(why, prefill_s, "s", l->busy_s);
    NNC_LET(why, whole_prefill_s, "s", l->prefill_s);
    NNC_LET(why, engine_ttft_s, "s", engine->ttft_s);
    NNC_LET(why, replicas, NULL, l->of->plan->data);
    NNC_SAY(why, prefill_load, NULL, rate * prefill_s);
    NNC_SET(why, s->tpot_s, "s", decode_s / (1.0 - prefill_load));
    NNC_NOTE(why, "decode runs in the time that prefill leaves free");
    NNC_SET(why, s->queue_s, "s", prefill_load / (2.0 * (1.0 - prefill_load)) * prefill_s);
    NNC_SOURCE(why, "mean wait of the queue M/D/1");
    NNC_SET(why, s->ttft_s, "s", whole_prefill_s + decode_s / 2.0 + s->queue_s + engine_ttft_s);
    NNC_SET(why, s->request_s, "s", s->ttft_s + (output_len - 1.0) * s->tpot_s);
    NNC_LET(why, running_of_replica, NULL,
            nnc_serve_say_running(rate, s->ttft_s, s->tpot_s, output_len, why));
    NNC_SET(why, s->running, NULL, replicas * running_of_replica);
    NNC_SET(why, s->output_tokens_per_s, NULL, replicas * rate * output_len);
}

/* Past saturation: the queue is unbounded, and throughput stays at its maximum. */
static void say_saturated(const load *l, nnc_serve *s, nnc_derivation *why)
{
    s->saturated = true;
    s->tpot_s = nnc_serve_say_tpot(decode_s(l, l->most), l->busy_s, l->output, l->most, why);
    s->ttft_s = s->request_s = s->queue_s = (double)INFINITY;
    s->running = l->of->plan->data * l->most;
    NNC_PUT(why, s->running, NULL);
    NNC_SET(why, s->output_tokens_per_s, NULL, s->running / s->tpot_s);
}

/* ---- the entry point ---- */

/* Requests in flight on one replica, and sequences running on it. */
static double open_of(const nnc_serve *s, const load *l)
{
    const double replicas = l->of->plan->data;
    return s->mode == NNC_SERVE_STATIC   ? (double)l->of->plan->batch / replicas
           : s->mode == NNC_SERVE_CLOSED ? (double)l->of->plan->concurrency / replicas
                                         : l->most;
}

static double sequences_of(const nnc_serve *s, load *l)
{
    if (s->mode == NNC_SERVE_STATIC) {
        return open_of(s, l);
    }
    if (s->mode == NNC_SERVE_OPEN) {
        return l->requests_per_s < s->saturation_rate / l->of->plan->data ? open_sequences(l)
                                                                          : l->most;
    }
    return nnc_min(open_of(s, l), l->most);
}

/* Lower bounds: datasheet rates and no waiting. */
static void say_bounds(const load *l, nnc_serve *s, nnc_derivation *why)
{
    NNC_LET(why, prefill_lower_bound_s, "s", s->prefill.lower_bound_s);
    NNC_LET(why, decode_lower_bound_s, "s", s->decode.lower_bound_s);
    NNC_LET(why, output_len, NULL, l->output);
    NNC_SET(why, s->ttft_lower_bound_s, "s", prefill_lower_bound_s);
    NNC_SET(why, s->tpot_lower_bound_s, "s", decode_lower_bound_s);
    NNC_SET(why, s->request_lower_bound_s, "s",
            s->ttft_lower_bound_s + (output_len - 1.0) * s->tpot_lower_bound_s);
    NNC_LET(why, running, NULL, s->running);
    NNC_SET(why, s->upper_bound_tokens_per_s, NULL, running / s->tpot_lower_bound_s);
    NNC_NOTE(why, "decode alone, prefill free");
}

const nnc_spread *nnc_serve_spread(const nnc_serve_engine *engine, bool experts)
{
    return experts && !isnan(engine->tpot_experts.low) ? &engine->tpot_experts : &engine->tpot;
}

static void spread(const nnc_spread *of, double value, double bound, double interval[2])
{
    interval[0] = nnc_max(of->low * value, bound);
    interval[1] = of->high * value;
}

static void say_rates(const load *l, nnc_serve *s, nnc_derivation *why)
{
    NNC_LET(why, input_len, NULL, l->input);
    NNC_LET(why, output_len, NULL, l->output);
    NNC_LET(why, devices, NULL, l->of->plan->devices);
    NNC_SET(why, s->requests_per_s, NULL, s->output_tokens_per_s / output_len);
    NNC_SET(why, s->input_tokens_per_s, NULL, s->requests_per_s * input_len);
    NNC_SET(why, s->output_tokens_per_s_per_device, NULL, s->output_tokens_per_s / devices);
    NNC_SET(why, s->tokens_per_s_per_user, NULL, 1.0 / s->tpot_s);
    NNC_LET(why, prefill_flops, "FLOP",
            s->prefill.flops /
                (s->mode == NNC_SERVE_STATIC ? s->prefill.sequences : l->of->plan->attention_data));
    NNC_LET(why, decode_flops, "FLOP",
            s->decode.flops / nnc_max(s->decode.sequences / l->of->plan->pipeline, 1.0));
    NNC_LET(why, peak_flops_per_s, "FLOP/s", l->of->rates.peak_flops_per_s);
    NNC_LET(why, decode_steps, NULL, output_len - (s->mode == NNC_SERVE_STATIC ? 1.0 : 0.0));
    NNC_LET(why, replicas, NULL, l->of->plan->data);
    NNC_LET(why, stages, NULL, l->of->plan->pipeline);
    NNC_SET(why, s->utilization, NULL,
            s->requests_per_s / replicas / stages * (prefill_flops + decode_steps * decode_flops) /
                peak_flops_per_s);
    NNC_NOTE(why, "relative to the peak of the products' format");
}

/* Records the parts of a step and their sum. */
static void say_step(const char *name, const nnc_serve_step *s, nnc_derivation *why)
{
    if (why == NULL) {
        return;
    }
    nnc_say_of(why, "%s", name);
    NNC_PUT(why, s->product_s, "s");
    NNC_PUT(why, s->expert_s, "s");
    NNC_PUT(why, s->attention_s, "s");
    NNC_PUT(why, s->head_s, "s");
    NNC_PUT(why, s->comm_s, "s");
    NNC_PUT(why, s->host_s, "s");
    NNC_PUT(why, s->lower_bound_s, "s");
    NNC_SAY(why, time_s, "s",
            nnc_max(s->product_s + s->expert_s + s->attention_s + s->head_s + s->comm_s + s->host_s,
                    s->lower_bound_s));
    NNC_LET(why, step_flops, "FLOP", s->flops);
    NNC_LET(why, weights_read, "B", s->weight_bytes);
    NNC_LET(why, cache_moved, "B", s->kv_bytes);
    NNC_SAY(why, bytes, "B", weights_read + cache_moved);
    NNC_SAY(why, intensity_flops_per_byte, "FLOP/B", step_flops / bytes);
    (void)time_s, (void)intensity_flops_per_byte;
    nnc_say_of(why, "%s", "");
}

static load load_of(const nnc_serve_case *of, const nnc_serve *s)
{
    const nnc_serve_ask *p = of->plan;
    load l = { .of = of, .input = (double)p->input_len, .output = (double)p->output_len };
    l.cached = floor(p->prefix_hit * l.input);
    l.cached =
        nnc_min(l.cached, l.input - 1.0); /* even a fully cached prompt computes its last token */
    l.fresh = l.input - l.cached;
    l.context = l.input + l.output / 2.0;
    l.prefill_s = nnc_serve_prefill(of, 1.0, l.cached, l.fresh, NULL).time_s;
    l.busy_s = l.prefill_s / p->pipeline / p->attention_data;
    l.most = nnc_min(s->max_sequences / p->data, (double)p->max_batch);
    l.requests_per_s = p->request_rate / p->data;
    return l;
}

void nnc_serve_load(const nnc_serve_case *of, nnc_serve *s, nnc_serve_list *list,
                    nnc_derivation *why)
{
    load l = load_of(of, s);
    const bool fits = l.most >= 1.0;
    const double most = fits ? l.most : 1.0;
    NNC_LET(why, replicas, NULL, of->plan->data);
    NNC_LET(why, saturation_of_replica, NULL,
            nnc_serve_say_saturation(decode_s(&l, most), l.busy_s, l.output, most, why));
    NNC_SET(why, s->saturation_rate, NULL, replicas * saturation_of_replica);
    l.most = most;
    const double sequences = sequences_of(s, &l);
    const double prompts = s->mode == NNC_SERVE_STATIC ? sequences : 1.0;
    s->prefill = nnc_serve_prefill(of, prompts, l.cached, l.fresh, list);
    s->decode = nnc_serve_decode(of, sequences, l.context, list);
    say_step("prefill", &s->prefill, why);
    say_step("decode", &s->decode, why);
    if (s->mode == NNC_SERVE_STATIC) {
        say_static(&l, s, (double)of->plan->batch, sequences, why);
    } else if (s->mode == NNC_SERVE_OFFLINE) {
        say_offline(&l, s, sequences, why);
    } else if (s->mode == NNC_SERVE_OPEN &&
               l.requests_per_s < s->saturation_rate / of->plan->data) {
        say_open(&l, s, why);
    } else if (s->mode == NNC_SERVE_OPEN) {
        say_saturated(&l, s, why);
    } else {
        say_closed(&l, s, open_of(s, &l), sequences, why);
    }
    say_rates(&l, s, why);
    say_bounds(&l, s, why);
    s->critical_batch =
        nnc_serve_critical_batch(of, l.context, &s->intensity_limit_flops_per_byte, why);
    spread(nnc_serve_spread(of->engine, of->net->experts > 0.0), s->tpot_s, s->tpot_lower_bound_s,
           s->tpot_interval_s);
    spread(&of->engine->ttft, s->ttft_s, s->ttft_lower_bound_s, s->ttft_interval_s);
}

/* ---- results by formula alone; no measured rows support them: tail of the queue, speculative decoding,
 * disaggregated prefill   [serve-extra] ---- */

/* 99th percentile of the first-token time with Poisson arrivals. */
static void say_tail(nnc_serve *s, double service_s, double rate, nnc_derivation *why)
{
    NNC_LET(why, prefill_load, NULL, rate * service_s);
    NNC_LET(why, p99_wait_s, "s", nnc_serve_p99_wait_s(service_s, prefill_load));
    NNC_NOTE(why, "exponential tail of the queue M/D/1");
    NNC_SET(why, s->ttft_p99_s, "s", s->ttft_s - s->queue_s + p99_wait_s);
}

/* Speculative decoding: a draft proposes tokens, one decode step verifies them. */
static void say_speculation(const nnc_serve_case *of, nnc_serve *s, nnc_derivation *why)
{
    const nnc_serve_ask *p = of->plan;
    const double sequences = s->decode.sequences, context = s->decode.context;
    NNC_LET(why, draft_length, NULL, (double)p->draft_length);
    NNC_LET(why, decode_s, "s", s->decode.time_s);
    if (of->draft != NULL) {
        s->draft_s = nnc_serve_decode(of->draft, sequences, context, NULL).time_s;
        NNC_PUT(why, s->draft_s, "s");
        NNC_NOTE(why, "a decode step of the draft on the same devices");
    } else {
        NNC_LET(why, draft_share, NULL, p->draft_share);
        NNC_SET(why, s->draft_s, "s", draft_share * decode_s);
    }
    s->verify_s = nnc_serve_verify(of, sequences, context, draft_length + 1.0).time_s;
    NNC_PUT(why, s->verify_s, "s");
    NNC_NOTE(why, "a decode step over the proposed tokens and one more, with all logits");
    s->tokens_per_verify = nnc_serve_accepted(p->acceptance, (double)p->draft_length);
    NNC_PUT(why, s->tokens_per_verify, NULL);
    NNC_SET(why, s->speculation_speedup, NULL,
            s->tokens_per_verify * decode_s / (s->verify_s + draft_length * s->draft_s));
    NNC_SET(why, s->speculation_tpot_s, "s", s->tpot_s / s->speculation_speedup);
    NNC_SOURCE(why, "arXiv:2211.17192");
}

/* Disaggregated serving: prefill workers send their caches to decode workers. */
static void say_apart(const nnc_serve_case *of, const nnc_device *device, nnc_serve *s,
                      nnc_derivation *why)
{
    const nnc_serve_ask *p = of->plan;
    const double batch = nnc_max(nnc_min(s->max_sequences / p->data, (double)p->max_batch), 1.0);
    const double context = (double)p->input_len + (double)p->output_len / 2.0;
    NNC_LET(why, prefill_workers, NULL, p->prefill_workers);
    NNC_LET(why, decode_workers, NULL, p->decode_workers);
    NNC_LET(why, output_len, NULL, (double)p->output_len);
    NNC_LET(why, ranks, NULL, p->tensor);
    NNC_LET(why, prompt_kv_bytes, "B", nnc_serve_kv_bytes(of, (double)p->input_len));
    NNC_LET(why, network_bytes_per_s, "B/s", device->scale_out.bytes_per_s);
    NNC_SET(why, s->transfer_bytes, "B", prompt_kv_bytes * ranks);
    NNC_SET(why, s->transfer_s, "s", prompt_kv_bytes / network_bytes_per_s);
    NNC_NOTE(why, "each rank sends its own part over its own NIC");
    const nnc_serve_step prompt = nnc_serve_prefill(of, 1.0, 0.0, (double)p->input_len, NULL);
    NNC_LET(why, prompt_s, "s", prompt.time_s / p->pipeline / p->attention_data);
    NNC_LET(why, full_batch, NULL, batch);
    NNC_LET(why, full_decode_s, "s", nnc_serve_decode(of, batch, context, NULL).time_s);
    NNC_SAY(why, prefill_rate, NULL, prefill_workers / prompt_s);
    NNC_SAY(why, decode_rate, NULL, decode_workers * full_batch / (output_len * full_decode_s));
    NNC_SET(why, s->apart_requests_per_s, NULL, nnc_min(prefill_rate, decode_rate));
    NNC_SET(why, s->apart_workers_ratio, NULL,
            prompt_s * full_batch / (output_len * full_decode_s));
    NNC_NOTE(why, "prefill workers per decode worker at which neither waits");
    NNC_LET(why, engine_ttft_s, "s", of->engine->ttft_s);
    NNC_LET(why, whole_prefill_s, "s", prompt.time_s);
    NNC_SET(why, s->apart_ttft_s, "s", whole_prefill_s + s->transfer_s + engine_ttft_s);
    NNC_SET(why, s->apart_tpot_s, "s", full_decode_s);
}

void nnc_serve_extra(const nnc_serve_case *of, const nnc_device *device, nnc_serve *s,
                     nnc_derivation *why)
{
    const nnc_serve_ask *p = of->plan;
    const double unknown = (double)NAN;
    s->ttft_p99_s = s->tokens_per_verify = s->speculation_speedup = s->speculation_tpot_s = unknown;
    s->transfer_bytes = s->transfer_s = s->apart_requests_per_s = s->apart_workers_ratio = unknown;
    s->apart_ttft_s = s->apart_tpot_s = s->draft_s = s->verify_s = unknown;
    if (s->mode == NNC_SERVE_OPEN && !s->saturated) {
        say_tail(s, s->prefill.time_s / p->pipeline / p->attention_data, p->request_rate / p->data,
                 why);
    }
    if (p->draft_length > 0) {
        say_speculation(of, s, why);
    }
    if (p->prefill_workers > 0) {
        say_apart(of, device, s, why);
    }
}
