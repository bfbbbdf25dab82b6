/* Computes latency and throughput of a deployment from its step times, for each kind of load. A static batch and the
 * offline maximum have closed forms. A closed loop (fixed concurrency) and an open loop (request rate) are simulated in
 * serve_replay.c. (docs/serving.md, "Load") */
#include "serve/serve_internal.h"

double nnc_serve_mean_wait_s(double service_s, double load) {
    return load < 1.0 ? load / (2.0 * (1.0 - load)) * service_s : (double)INFINITY;
}

double nnc_serve_p99_wait_s(double service_s, double load) {
    return nnc_max(0.0, nnc_serve_mean_wait_s(service_s, load) / load * log(100.0 * load));
}

double nnc_serve_accepted(double acceptance, double drafted) {
    return acceptance < 1.0 ? (1.0 - pow(acceptance, drafted + 1.0)) / (1.0 - acceptance) : drafted + 1.0;
}

double nnc_serve_say_saturation(double decode_s, double prefill_s, double output_len, double sequences,
                                nnc_derivation *why) {
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

typedef nnc_serve_load_case load;

double nnc_serve_decode_s(const nnc_serve_case *of, double sequences, double context) {
    const nnc_serve_ask *p = of->plan;
    const double tokens = (double)p->draft_length;
    if (p->draft_length == 0) { return nnc_serve_decode(of, sequences, context, NULL).time_s; }
    const double draft_s = of->draft != NULL ? nnc_serve_decode(of->draft, sequences, context, NULL).time_s
                                             : p->draft_share * nnc_serve_decode(of, sequences, context, NULL).time_s;
    return nnc_serve_verify(of, sequences, context, tokens + 1.0).time_s + tokens * draft_s;
}

double nnc_serve_sequence_bytes(const nnc_serve_case *of, double tokens) {
    const double block = (double)of->plan->block;
    return (nnc_serve_kv_bytes(of, nnc_ceil(tokens / block) * block) + nnc_serve_state_bytes(of)) *
           nnc_serve_stage_share(of);
}

/* Returns the seconds per output token of each sequence while `sequences` sequences run. The result is the longer of
 * two times: the decode step, and the time in which the host turns the tokens of all sequences into text. */
static double token_s(const load *l, double sequences) {
    const double text_s = sequences * l->of->engine->text_s;
    return sequences > 0.0 ? nnc_max(nnc_serve_decode_s(l->of, sequences, l->context) / l->tokens_of_step, text_s)
                           : 0.0;
}

double nnc_serve_added_s(const load *l, double sequences, double prompts) {
    const nnc_serve_case *of = l->of;
    if (sequences <= 0.0) {
        const double together = nnc_max(prompts, 1.0);
        return prompts / together / l->stages *
               nnc_serve_prefill(of, together * l->stages, l->cached, l->fresh, NULL).time_s;
    }
    const nnc_serve_step decode = nnc_serve_mixed(of, sequences, l->context, 0.0, l->cached, l->fresh);
    const nnc_serve_step mixed = nnc_serve_mixed(of, sequences, l->context, prompts, l->cached, l->fresh);
    /* The host issues the kernels of a step with prompts while the device works. */
    const double device_s = decode.time_s - decode.host_s + of->net->layers * of->engine->layer_s;
    const double issued_s =
        nnc_serve_issue_s(of, (sequences + prompts * l->fresh) / of->plan->attention_data) - device_s;
    return nnc_max(of->engine->prefill_factor * (mixed.time_s - decode.time_s),
                   nnc_min(prompts, 1.0) * nnc_max(issued_s, 0.0));
}

/* ---- latency and throughput for each kind of load ---- */

/* Returns a fraction: the time of the prompts of a static batch / their time if the stages do not overlap, that is, if
 * one stage after the other computes each pass. An engine with pipelined_passes computes successive passes in different
 * stages at the same time: n passes through p stages take n + p - 1 turns of a stage, not n x p. With p or more
 * sequences, the stages can work on different sequences at the same time, so the function returns 1. (docs/serving.md,
 * "Two steps") */
static double prompt_share(const nnc_serve_case *of, const nnc_serve_step *prefill) {
    const double p = of->plan->pipeline, n = prefill->steps * prefill->sequences;
    return of->engine->pipelined_passes && prefill->sequences < p ? nnc_min((n + p - 1.0) / (n * p), 1.0) : 1.0;
}

/* Returns the seconds in which the prompts of a static batch are computed. */
static double prompts_s(const load *l, double sequences) {
    const nnc_serve_step prefill = nnc_serve_prefill(l->of, sequences, l->cached, l->fresh, NULL);
    return prefill.time_s * prompt_share(l->of, &prefill);
}

/* Returns the seconds that a static batch takes; its `sequences` sequences start and end together. Returns 0 if
 * `sequences` is below 1. */
static double wave_s_of(const load *l, double sequences) {
    return sequences < 1.0 ? 0.0 : prompts_s(l, sequences) + (l->output - 1.0) * token_s(l, sequences);
}

static void say_static(const load *l, nnc_serve *s, double requests, double sequences, nnc_derivation *why) {
    NNC_LET(why, prefill_s, "s", s->prefill.time_s * prompt_share(l->of, &s->prefill));
    NNC_LET(why, decode_s, "s", token_s(l, sequences));
    NNC_LET(why, output_len, NULL, l->output);
    NNC_LET(why, batch, NULL, requests);
    NNC_LET(why, engine_ttft_s, "s", l->of->engine->ttft_s);
    NNC_SET(why, s->ttft_s, "s", prefill_s + engine_ttft_s);
    NNC_SET(why, s->tpot_s, "s", decode_s);
    NNC_NOTE(why, "one decode step of the batch at its mean context");
    NNC_SET(why, s->request_s, "s", s->ttft_s + (output_len - 1.0) * s->tpot_s);
    const double held = floor(s->max_sequences / l->of->plan->data);
    if (held >= 1.0 && held < sequences) {
        NNC_LET(why, sequences_of_wave, NULL, held);
        NNC_LET(why, full_waves, NULL, floor(sequences / sequences_of_wave));
        NNC_LET(why, full_wave_s, "s", wave_s_of(l, sequences_of_wave));
        NNC_LET(why, last_wave_s, "s", wave_s_of(l, sequences - full_waves * sequences_of_wave));
        NNC_SET(why, s->request_s, "s", engine_ttft_s + full_waves * full_wave_s + last_wave_s);
        NNC_NOTE(why, "the batch runs in waves; each wave holds as many sequences as fit");
    }
    NNC_SET(why, s->output_tokens_per_s, NULL, batch * output_len / s->request_s);
    s->running = requests;
    s->queue_s = 0.0;
}

/* Sets the results of an offline load, in which all requests are available at the start: the number of running
 * sequences is the largest that engine and cache allow, and requests end at the saturation rate. */
static void say_offline(const load *l, nnc_serve *s, nnc_derivation *why) {
    NNC_LET(why, output_len, NULL, l->output);
    NNC_PUT(why, s->saturation_rate, NULL);
    NNC_SET(why, s->output_tokens_per_s, NULL, s->saturation_rate * output_len);
    s->running = l->of->plan->data * l->most * nnc_max((double)l->decode_workers, 1.0);
    NNC_PUT(why, s->running, NULL);
    if (l->output > 1.0) {
        NNC_SET(why, s->tpot_s, "s", s->running / s->output_tokens_per_s);
        /* a request with one output token has no time per further token, so the time of a decode step is the TPOT */
    } else {
        NNC_SET(why, s->tpot_s, "s", s->decode.time_s);
    }
    NNC_LET(why, prefill_s, "s", l->prefill_s);
    NNC_LET(why, engine_ttft_s, "s", l->of->engine->ttft_s);
    NNC_SET(why, s->ttft_s, "s", prefill_s + s->tpot_s / 2.0 + engine_ttft_s);
    NNC_SET(why, s->request_s, "s", s->ttft_s + (output_len - 1.0) * s->tpot_s);
    s->queue_s = 0.0;
}

/* Copies the latencies of the simulated requests to the result *s. */
static void say_replayed(const nnc_serve_replayed *r, nnc_serve *s, nnc_derivation *why) {
    NNC_LET(why, simulated_ttft_s, "s", r->ttft.mean);
    NNC_SET(why, s->ttft_s, "s", simulated_ttft_s);
    NNC_NOTE(why, "mean over the simulated requests: wait, prefill, and the engine's server");
    NNC_LET(why, simulated_tpot_s, "s", isnan(r->tpot.mean) ? s->decode.time_s : r->tpot.mean);
    NNC_SET(why, s->tpot_s, "s", simulated_tpot_s);
    NNC_NOTE(why, "mean over the simulated requests of more than one token");
    NNC_LET(why, simulated_request_s, "s", r->request.mean);
    NNC_SET(why, s->request_s, "s", simulated_request_s);
    NNC_NOTE(why, "mean over the simulated requests");
    s->ttft_p50_s = r->ttft.p50;
    s->ttft_p90_s = r->ttft.p90;
    s->ttft_p99_s = r->ttft.p99;
    s->tpot_p50_s = r->tpot.p50;
    s->tpot_p90_s = r->tpot.p90;
    s->tpot_p99_s = r->tpot.p99;
    s->request_p50_s = r->request.p50;
    s->request_p90_s = r->request.p90;
    s->request_p99_s = r->request.p99;
    NNC_PUT(why, s->ttft_p99_s, "s");
    s->simulated = (double)r->requests;
    s->preemptions = (double)r->preemptions;
}

/* Returns the number of sequences that run in all replicas of a closed loop. If the open requests cannot be divided
 * equally among the simulated replicas, the first replicas have one open request more than the others. */
static double running_of(const load *l) {
    const int64_t least = l->open / l->replicas, more = l->open % l->replicas;
    const double held = l->most * nnc_max((double)l->decode_workers, 1.0), few = (double)least;
    const double fuller = (double)more, replicas = (double)l->replicas;
    const double each = (fuller * nnc_min(few + 1.0, held) + (replicas - fuller) * nnc_min(few, held)) / replicas;
    return nnc_min(l->of->plan->data * each, (double)l->of->plan->concurrency);
}

/* Sets the results of a load that was simulated, which is a closed or an open loop. */
static void say_loop(const load *l, const nnc_serve_replayed *r, nnc_serve *s, nnc_derivation *why) {
    const nnc_serve_ask *p = l->of->plan;
    say_replayed(r, s, why);
    NNC_LET(why, prefill_s, "s", l->prefill_s);
    NNC_LET(why, engine_ttft_s, "s", l->of->engine->ttft_s);
    NNC_SET(why, s->queue_s, "s", nnc_max(s->ttft_s - prefill_s - engine_ttft_s, 0.0));
    NNC_NOTE(why, "wait for other requests and their steps");
    NNC_LET(why, output_len, NULL, l->output);
    if (l->open > 0 && l->skipped == 0 && l->count < 2 * l->open) {
        /* At the end of a benchmark, answers end and no new requests come, so the number of open requests falls. If a
         * benchmark has fewer than two waves of requests (two times the concurrency), it has fewer open requests than
         * the concurrency for most of its time, and Little's law with the full concurrency would give up to twice the
         * rate. */
        const double groups = (double)p->concurrency / (double)l->open;
        NNC_LET(why, requests, NULL, groups * (double)l->count);
        NNC_LET(why, benchmark_s, "s", r->end_s);
        NNC_SET(why, s->output_tokens_per_s, NULL, requests / benchmark_s * output_len);
        NNC_NOTE(why, "all requests of the benchmark, divided by its time");
        s->running = running_of(l);
    } else if (l->open > 0) {
        NNC_LET(why, concurrency, NULL, (double)p->concurrency);
        NNC_SET(why, s->output_tokens_per_s, NULL, concurrency / s->request_s * output_len);
        NNC_SOURCE(why, "Little, Operations Research 9(3), 1961");
        s->running = running_of(l);
    } else {
        /* recorded requests can arrive faster than the deployment answers, or all at the same time, so the rate of
         * answers limits the throughput */
        const bool recorded = p->arrival_count > 0;
        const double answered_per_s =
            recorded ? (double)p->arrival_count / (r->end_s - p->arrival_list[0].arrival_s) : (double)INFINITY;
        NNC_LET(why, rate, NULL, nnc_min(p->request_rate, answered_per_s));
        NNC_SET(why, s->output_tokens_per_s, NULL, rate * output_len);
        NNC_SET(why, s->running, NULL, rate * s->request_s);
        NNC_SOURCE(why, "Little, Operations Research 9(3), 1961");
    }
}

/* Sets the results of an open loop whose request rate is at or above the saturation rate: the queue of requests grows
 * without limit, and the throughput is its maximum. */
static void say_saturated(const load *l, nnc_serve *s, nnc_derivation *why) {
    s->saturated = true;
    say_offline(l, s, why);
    s->ttft_s = s->request_s = s->queue_s = (double)INFINITY;
}

/* Returns a lower bound of the seconds per output token: the lower bound of a decode step. With speculative decoding:
 * the lower bound of the step that verifies the proposed tokens, divided by the number of tokens that this step gives,
 * as if the draft model took no time. */
static double token_bound_s(const load *l, double sequences, double context) {
    const double drafted = (double)l->of->plan->draft_length;
    return drafted > 0.0 ? nnc_serve_verify(l->of, sequences, context, drafted + 1.0).lower_bound_s / l->tokens_of_step
                         : nnc_serve_decode(l->of, sequences, context, NULL).lower_bound_s;
}

/* Sets the lower bounds of the latencies and the upper bound of the throughput. The bounds assume datasheet rates and
 * no waiting for other requests. */
static void say_bounds(const load *l, nnc_serve *s, nnc_derivation *why) {
    const double share = s->mode == NNC_SERVE_STATIC ? prompt_share(l->of, &s->prefill) : 1.0;
    NNC_LET(why, prefill_lower_bound_s, "s", s->prefill.lower_bound_s * share);
    /* The lower bound full_s is for a decode step with all running sequences. At a given time some sequences are in
     * prefill, so a decode step can have fewer sequences and be faster than full_s. If the predicted time is below
     * full_s, the bound of a step with one sequence is used instead. */
    const double full_s = token_bound_s(l, s->decode.sequences, s->decode.context);
    NNC_LET(why, decode_lower_bound_s, "s", s->tpot_s < full_s ? token_bound_s(l, 1.0, l->shortest) : full_s);
    NNC_LET(why, output_len, NULL, l->output);
    NNC_SET(why, s->ttft_lower_bound_s, "s", prefill_lower_bound_s);
    NNC_SET(why, s->tpot_lower_bound_s, "s", decode_lower_bound_s);
    NNC_SET(why, s->request_lower_bound_s, "s", s->ttft_lower_bound_s + (output_len - 1.0) * s->tpot_lower_bound_s);
    NNC_LET(why, running, NULL, s->running);
    /* with separate workers, prefill workers compute the first token of each request, and decode workers compute all
     * later tokens */
    if (l->decode_workers > 0 && l->output > 1.0) {
        NNC_SET(why, s->upper_bound_tokens_per_s, NULL,
                running / s->tpot_lower_bound_s * output_len / (output_len - 1.0));
    } else {
        NNC_SET(why, s->upper_bound_tokens_per_s, NULL, running / s->tpot_lower_bound_s);
    }
    NNC_NOTE(why, "decode only, as if prefill took no time");
    if (l->output <= 1.0) { /* requests with one output token need no decode step, so decode does not limit their
                             * throughput */
        s->upper_bound_tokens_per_s = nnc_max(s->upper_bound_tokens_per_s, s->output_tokens_per_s);
    }
}

const nnc_spread *nnc_serve_spread(const nnc_serve_engine *engine, bool experts) {
    return experts && !isnan(engine->tpot_experts.low) ? &engine->tpot_experts : &engine->tpot;
}

/* Factor that widens the intervals of a device or network without serving measurements. For a device without
 * measurements, the rates are medians of other devices. The factor comes from one case: MI300X with engines of 2024
 * took 2.3 times as long as the medians predict. */
#define UNMEASURED 2.3

/* Returns the reason for widened intervals: no published measurement has the device, or no published measurement has a
 * network with such layers. NULL = the intervals are not widened. */
static const char *unmeasured(const nnc_serve_case *of) {
    bool sparse = false;
    if (of->rates.unmeasured) { return "no serving measurement of this device"; }
    for (int32_t i = 0; i < of->net->attention_count; i++) {
        sparse = sparse || of->net->attentions[i].picked || of->net->attentions[i].far_ratio > 0.0;
    }
    return of->net->state_count > 0 ? "no serving measurement of a network with recurrent states"
           : sparse                 ? "no serving measurement of a network with sparse attention"
                                    : NULL;
}

nnc_spread nnc_serve_widened(const nnc_spread *of, const nnc_serve *s) {
    const double factor = s->interval_reason != NULL ? UNMEASURED : 1.0;
    return (nnc_spread){ .low = of->low / factor, .high = of->high * factor };
}

static void spread(nnc_spread of, double value, double bound, double interval[2]) {
    interval[0] = nnc_max(of.low * value, bound);
    interval[1] = of.high * value;
}

/* Returns the seconds per output token if as many sequences run as engine and cache allow. */
static double full_tpot_s(const load *l, const nnc_serve *s) {
    const double running = l->of->plan->data * l->most * nnc_max((double)l->decode_workers, 1.0);
    return l->output > 1.0 ? running / (s->saturation_rate * l->output) : s->tpot_s;
}

/* Widens the intervals of an open loop by the time in which requests wait for each other. If all steps take f times as
 * long, the queue is the same as with unchanged steps and f times the request rate, except that all times are f times
 * as long. Each end of the range of step times is a factor f on the predicted time; for each end, a load with f times
 * the request rate is simulated. The simulated time per token is multiplied by the factor f of the step times. The
 * simulated time to first token is multiplied by the factor at the same end of the range of times to first token. If f
 * times the request rate is above saturation, the time to first token has no upper end, and the time per token is that
 * of a full server. */
static void spread_queue(const load *l, nnc_spread steps, nnc_spread ttft, nnc_serve *s) {
    const double factors[2] = { steps.low, steps.high }, firsts[2] = { ttft.low, ttft.high };
    load at = *l;
    at.once = true;
    for (int end = 0; end < 2; end++) {
        const double f = factors[end];
        double ttft_s = (double)INFINITY, tpot_s = full_tpot_s(l, s);
        if (l->of->plan->arrival_count > 0 || l->of->plan->request_rate * f < s->saturation_rate) {
            nnc_serve_replayed replayed;
            at.requests_per_s = l->requests_per_s * f;
            at.pace = f;
            nnc_serve_replay(&at, &replayed);
            ttft_s = replayed.ttft.mean;
            tpot_s = isnan(replayed.tpot.mean) ? s->tpot_s : replayed.tpot.mean;
        }
        ttft_s *= firsts[end];
        tpot_s *= f;
        if (end == 0) {
            s->ttft_interval_s[0] = nnc_max(nnc_min(s->ttft_interval_s[0], ttft_s), s->ttft_lower_bound_s);
            s->tpot_interval_s[0] = nnc_max(nnc_min(s->tpot_interval_s[0], tpot_s), s->tpot_lower_bound_s);
        } else {
            s->ttft_interval_s[1] = nnc_max(s->ttft_interval_s[1], ttft_s);
            s->tpot_interval_s[1] = nnc_max(s->tpot_interval_s[1], tpot_s);
        }
    }
}

static void say_rates(const load *l, nnc_serve *s, nnc_derivation *why) {
    NNC_LET(why, input_len, NULL, l->input);
    NNC_LET(why, output_len, NULL, l->output);
    NNC_LET(why, devices, NULL, (double)l->of->plan->devices);
    NNC_SET(why, s->requests_per_s, NULL, s->output_tokens_per_s / output_len);
    NNC_SET(why, s->input_tokens_per_s, NULL, s->requests_per_s * input_len);
    NNC_SET(why, s->output_tokens_per_s_per_device, NULL, s->output_tokens_per_s / devices);
    NNC_SET(why, s->tokens_per_s_per_user, NULL, 1.0 / s->tpot_s);
    NNC_LET(why, prefill_flops, "FLOP",
            s->prefill.flops / (s->mode == NNC_SERVE_STATIC ? s->prefill.sequences : l->of->plan->attention_data));
    NNC_LET(why, decode_flops, "FLOP", s->decode.flops / nnc_max(s->decode.sequences / l->of->plan->pipeline, 1.0));
    NNC_LET(why, peak_flops_per_s, "FLOP/s", l->of->rates.peak_flops_per_s);
    NNC_LET(why, decode_steps, NULL, output_len - (s->mode == NNC_SERVE_STATIC ? 1.0 : 0.0));
    NNC_LET(why, replicas, NULL, l->of->plan->data);
    NNC_LET(why, stages, NULL, l->of->plan->pipeline);
    NNC_SET(why, s->utilization, NULL,
            s->requests_per_s / replicas / stages * (prefill_flops + decode_steps * decode_flops) / peak_flops_per_s);
    NNC_NOTE(why, "relative to the peak FLOP/s in the format of the products");
}

/* Records in `why` the parts of the time of a decode or prefill step and their sum. Does nothing if `why` is NULL. */
static void say_step(const char *name, const nnc_serve_step *s, nnc_derivation *why) {
    if (why == NULL) { return; }
    nnc_say_of(why, "%s", name);
    NNC_PUT(why, s->product_s, "s");
    NNC_PUT(why, s->expert_s, "s");
    NNC_PUT(why, s->attention_s, "s");
    NNC_PUT(why, s->head_s, "s");
    NNC_PUT(why, s->comm_s, "s");
    NNC_PUT(why, s->host_s, "s");
    NNC_PUT(why, s->lower_bound_s, "s");
    NNC_SAY(why, time_s, "s",
            nnc_max(s->product_s + s->expert_s + s->attention_s + s->head_s + s->comm_s + s->host_s, s->lower_bound_s));
    NNC_LET(why, step_flops, "FLOP", s->flops);
    NNC_LET(why, weights_read, "B", s->weight_bytes);
    NNC_LET(why, cache_moved, "B", s->kv_bytes);
    NNC_SAY(why, bytes, "B", weights_read + cache_moved);
    NNC_SAY(why, intensity_flops_per_byte, "FLOP/B", step_flops / bytes);
    (void)time_s, (void)intensity_flops_per_byte;
    nnc_say_of(why, "%s", "");
}

/* largest number of prompt chunks that are simulated; if the chunk size of the user gives more chunks, larger chunks
 * are simulated */
#define PARTS_MOST 2e6

/* Sets l->replicas, the number of replicas that are simulated together, and l->open, the number of their open requests.
 * One replica is enough if all replicas have the same number of open requests, or so many open requests that one
 * request more hardly changes the times. Otherwise a group of replicas is simulated: the smallest group whose mean
 * number of open requests equals the mean of the deployment, with at most NNC_SERVE_WORKERS replicas. */
static void share_open(const nnc_serve_ask *p, load *l) {
    enum { MANY = 256 };
    const int64_t open = p->concurrency, data = p->data;
    int64_t common = data, rest = open;
    while (rest > 0) { /* computes the greatest common divisor of `data` and `open` (Euclid) */
        const int64_t next = common % rest;
        common = rest;
        rest = next;
    }
    const int64_t group = data / common < NNC_SERVE_WORKERS ? data / common : NNC_SERVE_WORKERS;
    l->replicas = open > data && open / data < MANY && p->prefill_workers == 0 ? group : 1;
    l->open = (open * l->replicas + data - 1) / data;
}

/* Sets l->count, the number of simulated requests, and l->skipped, the number of first requests that the statistics
 * leave out. In an open loop l->skipped is one tenth of the requests. In a closed loop l->skipped is one quarter of the
 * requests, but 0 if the simulation covers the whole benchmark. For recorded arrivals l->skipped is 0. */
static void count_requests(load *l) {
    const nnc_serve_ask *p = l->of->plan;
    const int64_t replicas = p->data;
    share_open(p, l);
    l->count = p->requests;
    l->skipped = l->count / 10;
    if (p->arrival_count > 0) {
        l->count = (p->arrival_count + replicas - 1) / replicas;
        l->skipped = 0;
    } else if (l->open > 0) {
        const double wanted = p->waves * (double)l->open;
        l->count = 4 * l->open > p->requests ? 4 * l->open : p->requests;
        l->skipped = wanted > (double)l->count ? l->count / 4 : 0;
        l->count = wanted > (double)l->count ? l->count : (int64_t)wanted;
    }
}

int64_t nnc_serve_requests_of(const nnc_serve_ask *plan) {
    load l = { .of = &(nnc_serve_case){ .plan = plan } };
    count_requests(&l);
    return l.count;
}

/* Returns the number of prompt tokens whose keys and values are already in the cache. The last token of a prompt is
 * always computed. */
static double cached_of(const nnc_serve_ask *p, double input) {
    return nnc_min(floor(p->prefix_hit * input), input - 1.0);
}

/* Returns the number of output tokens that one decode step gives for a sequence, which is 1 without speculative
 * decoding. */
static double tokens_of_step(const nnc_serve_ask *p) {
    return p->draft_length > 0 ? nnc_serve_accepted(p->acceptance, (double)p->draft_length) : 1.0;
}

/* Sets the mean prompt length and the mean output length of recorded requests, without rounding to whole tokens. */
static void set_recorded_means(const nnc_serve_ask *p, load *l) {
    double input = 0.0, output = 0.0;
    for (int64_t i = 0; i < p->arrival_count; i++) {
        const nnc_serve_arrival *a = &p->arrival_list[i];
        input += (double)(a->input_len > 0 ? a->input_len : p->input_len);
        output += (double)(a->output_len > 0 ? a->output_len : p->output_len);
    }
    l->input = input / (double)p->arrival_count;
    l->output = output / (double)p->arrival_count;
}

static load load_of(const nnc_serve_case *of, const nnc_serve *s) {
    const nnc_serve_ask *p = of->plan;
    const double whole = (double)(p->input_len + p->output_len);
    load l = { .of = of, .input = (double)p->input_len, .output = (double)p->output_len, .pace = 1.0 };
    if (p->arrival_count > 0) { set_recorded_means(p, &l); }
    l.cached = cached_of(p, l.input);
    l.fresh = l.input - l.cached;
    l.context = l.input + l.output / 2.0;
    l.shortest = l.input * (1.0 - p->length_spread);
    l.longest = whole * (1.0 + p->length_spread);
    for (int64_t i = 0; i < p->arrival_count; i++) {
        const nnc_serve_arrival *a = &p->arrival_list[i];
        const double input = a->input_len > 0 ? (double)a->input_len : l.input;
        const double output = a->output_len > 0 ? (double)a->output_len : l.output;
        l.shortest = nnc_min(l.shortest, input);
        l.longest = nnc_max(l.longest, input + output);
    }
    l.tokens_of_step = tokens_of_step(p);
    l.stages = (double)p->pipeline * p->attention_data;
    const nnc_serve_step prompt = nnc_serve_prefill(of, 1.0, l.cached, l.fresh, NULL);
    l.prefill_s = prompt.time_s;
    l.prefill_flops = prompt.flops;
    l.busy_s = l.prefill_s / l.stages;
    l.places = nnc_max(s->max_sequences / nnc_serve_decoders(p), 1.0);
    l.room_bytes = nnc_serve_sequence_bytes(of, whole);
    l.slots = (double)p->max_batch * p->attention_data;
    /* with preemption, a sequence takes cache space token by token, so its mean space is the mean of the space of the
     * prompt and the space of the whole sequence */
    const double room = p->preempt ? (1.0 + nnc_serve_sequence_bytes(of, l.input) / l.room_bytes) / 2.0 : 1.0;
    l.most = nnc_min(l.places / room, l.slots);
    l.requests_per_s = p->request_rate / p->data;
    if (nnc_serve_is_apart(p)) {
        l.prefill_workers = p->prefill_workers;
        l.decode_workers = p->decode_workers;
        l.transfer_s = nnc_serve_kv_bytes(of, l.input) / of->network_bytes_per_s;
    }
    count_requests(&l);
    l.chunk = nnc_max((double)p->chunk * p->attention_data, l.fresh * (double)l.count / PARTS_MOST);
    return l;
}

/* Returns the saturation rate of a replica in requests per second: its rate if as many sequences run as the engine and
 * the cache allow. Each iteration of the engine computes one token of each decoding sequence, and at most one chunk of
 * the prompts that replace ended sequences. */
static double say_saturation(const load *l, nnc_derivation *why) {
    const double chunk = (double)l->of->plan->chunk * l->of->plan->attention_data;
    if (l->decode_workers > 0) {
        NNC_LET(why, prefill_rate, NULL, l->prefill_workers / l->busy_s);
        NNC_LET(why, decode_rate, NULL,
                l->output > 1.0 ? l->decode_workers * l->most / ((l->output - 1.0) * token_s(l, l->most))
                                : (double)INFINITY);
        NNC_SAY(why, saturation_of_replica, NULL, nnc_min(prefill_rate, decode_rate));
        return saturation_of_replica;
    }
    const double rounds = (l->output - 1.0) / l->tokens_of_step + nnc_max(l->fresh / chunk, 1.0);
    const double prompts = nnc_min(l->most / rounds, chunk / l->fresh);
    NNC_LET(why, decoding, NULL, prompts * (l->output - 1.0) / l->tokens_of_step);
    NNC_NOTE(why, "sequences in a decode step where every slot is taken");
    const double step_s = decoding > 0.0 ? nnc_serve_decode_s(l->of, decoding, l->context) : 0.0;
    /* together: mean number of prompts in those iterations that compute prompts */
    const double together = nnc_max(prompts, nnc_min(chunk / l->fresh, 1.0));
    const double prompt_s = nnc_serve_added_s(l, decoding, together) / together;
    const double engine_rate = nnc_serve_say_saturation(step_s, prompt_s, l->output, prompts * l->output, why);
    /* text_s is the time in which the host turns one token into text. The host limits the rate to 1 / (output tokens x
     * text_s), which is infinite, and so no limit, if text_s is 0 */
    return nnc_min(engine_rate, 1.0 / (l->output * l->of->engine->text_s));
}

static double batch_of_replica(const nnc_serve_ask *plan) { return nnc_ceil((double)plan->batch / plan->data); }

double nnc_serve_token_s(const nnc_serve_case *of, const nnc_serve *s) {
    const load l = load_of(of, s);
    return token_s(&l, batch_of_replica(of->plan));
}

void nnc_serve_load(const nnc_serve_case *of, nnc_serve *s, nnc_serve_list *list, nnc_derivation *why) {
    const load l = load_of(of, s);
    nnc_serve_replayed replayed = { .sequences = l.most };
    NNC_LET(why, replicas, NULL, of->plan->data);
    const double flops =
        l.prefill_flops / of->plan->attention_data + l.output * nnc_serve_decode(of, 1.0, l.context, NULL).flops;
    const double at_peak = of->plan->pipeline * of->rates.peak_flops_per_s / flops;
    NNC_LET(why, saturation_of_replica, NULL, nnc_min(say_saturation(&l, why), at_peak));
    NNC_SET(why, s->saturation_rate, NULL, replicas * saturation_of_replica);
    s->saturated =
        s->mode == NNC_SERVE_OPEN && of->plan->arrival_count == 0 && of->plan->request_rate >= s->saturation_rate;
    const bool loop = s->mode == NNC_SERVE_CLOSED || s->mode == NNC_SERVE_OPEN;
    if (loop && !s->saturated) { nnc_serve_replay(&l, &replayed); }
    const double sequences = s->mode == NNC_SERVE_STATIC ? batch_of_replica(of->plan)
                             : s->mode == NNC_SERVE_CLOSED && l.decode_workers == 0
                                 ? nnc_min(nnc_ceil((double)l.open / (double)l.replicas), l.most)
                                 : replayed.sequences;
    const double prompts = s->mode == NNC_SERVE_STATIC ? sequences : 1.0;
    s->prefill = nnc_serve_prefill(of, prompts, l.cached, l.fresh, list);
    s->decode = nnc_serve_decode(of, sequences, l.context, list);
    say_step("prefill", &s->prefill, why);
    say_step("decode", &s->decode, why);
    s->prompt_s = nnc_serve_added_s(&l, sequences, 1.0);
    NNC_PUT(why, s->prompt_s, "s");
    const double unknown = (double)NAN;
    s->ttft_p50_s = s->ttft_p90_s = s->ttft_p99_s = unknown;
    s->tpot_p50_s = s->tpot_p90_s = s->tpot_p99_s = unknown;
    s->request_p50_s = s->request_p90_s = s->request_p99_s = unknown;
    s->simulated = s->preemptions = unknown;
    if (s->mode == NNC_SERVE_STATIC) {
        say_static(&l, s, (double)of->plan->batch, sequences, why);
    } else if (s->mode == NNC_SERVE_OFFLINE) {
        say_offline(&l, s, why);
    } else if (s->saturated) {
        say_saturated(&l, s, why);
    } else {
        say_loop(&l, &replayed, s, why);
    }
    say_rates(&l, s, why);
    say_bounds(&l, s, why);
    s->critical_batch = nnc_serve_critical_batch(of, l.context, &s->intensity_limit_flops_per_byte, why);
}

void nnc_serve_intervals(const nnc_serve_case *of, nnc_serve *s) {
    const load l = load_of(of, s);
    s->interval_reason = unmeasured(of);
    const nnc_spread steps = nnc_serve_widened(nnc_serve_spread(of->engine, of->net->experts > 0.0), s);
    const nnc_spread first = nnc_serve_widened(&of->engine->ttft, s);
    spread(steps, s->tpot_s, s->tpot_lower_bound_s, s->tpot_interval_s);
    spread(first, s->ttft_s, s->ttft_lower_bound_s, s->ttft_interval_s);
    s->saturation_interval[0] = s->saturation_rate / steps.high;
    s->saturation_interval[1] = s->saturation_rate / steps.low;
    if (s->mode == NNC_SERVE_OPEN && !isnan(steps.low)) { spread_queue(&l, steps, first, s); }
}

/* ---- results of formulas that were not compared with measurements: speculative decoding and disaggregated prefill
 * [serve-extra] ---- */

/* Sets the results of speculative decoding: a draft model proposes tokens, and one decode step of the served model
 * verifies all of them. */
static void say_speculation(const nnc_serve_case *of, nnc_serve *s, nnc_derivation *why) {
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
    NNC_SET(why, s->speculation_tpot_s, "s", s->tpot_s);
    NNC_SOURCE(why, "arXiv:2211.17192");
}

/* Sets the results of disaggregated serving: prefill workers compute the prompts and send the KV cache of each prompt
 * to decode workers. */
static void say_apart(const nnc_serve_case *of, const nnc_device *device, nnc_serve *s, nnc_derivation *why) {
    const nnc_serve_ask *p = of->plan;
    const double slots = (double)p->max_batch * p->attention_data;
    const double batch = nnc_max(nnc_min(s->max_sequences / nnc_serve_decoders(p), slots), 1.0);
    const double context = (double)p->input_len + (double)p->output_len / 2.0;
    NNC_LET(why, prefill_workers, NULL, p->prefill_workers);
    NNC_LET(why, decode_workers, NULL, p->decode_workers);
    NNC_LET(why, output_len, NULL, (double)p->output_len);
    NNC_LET(why, ranks, NULL, p->tensor);
    NNC_LET(why, prompt_kv_bytes, "B", nnc_serve_kv_bytes(of, (double)p->input_len));
    NNC_LET(why, network_bytes_per_s, "B/s", device->scale_out.bytes_per_s);
    NNC_SET(why, s->transfer_bytes, "B", prompt_kv_bytes * ranks);
    NNC_SET(why, s->transfer_s, "s", prompt_kv_bytes / network_bytes_per_s);
    NNC_NOTE(why, "each rank sends its part of the cache over its own NIC");
    const double cached = cached_of(p, (double)p->input_len);
    const nnc_serve_step prompt = nnc_serve_prefill(of, 1.0, cached, (double)p->input_len - cached, NULL);
    NNC_LET(why, prompt_s, "s", prompt.time_s / p->pipeline / p->attention_data);
    NNC_LET(why, full_batch, NULL, batch);
    NNC_LET(why, full_decode_s, "s", nnc_serve_decode_s(of, batch, context) / tokens_of_step(p));
    NNC_SAY(why, prefill_rate, NULL, prefill_workers / prompt_s);
    NNC_SAY(why, decode_rate, NULL, decode_workers * full_batch / (output_len * full_decode_s));
    NNC_SET(why, s->apart_requests_per_s, NULL, nnc_min(prefill_rate, decode_rate));
    NNC_SET(why, s->apart_workers_ratio, NULL, prompt_s * full_batch / (output_len * full_decode_s));
    NNC_NOTE(why, "prefill workers per decode worker at which neither waits");
    NNC_LET(why, engine_ttft_s, "s", of->engine->ttft_s);
    NNC_LET(why, whole_prefill_s, "s", prompt.time_s);
    NNC_SET(why, s->apart_ttft_s, "s", whole_prefill_s + s->transfer_s + engine_ttft_s);
    NNC_SET(why, s->apart_tpot_s, "s", full_decode_s);
}

void nnc_serve_extra(const nnc_serve_case *of, const nnc_device *device, nnc_serve *s, nnc_derivation *why) {
    const nnc_serve_ask *p = of->plan;
    const double unknown = (double)NAN;
    s->tokens_per_verify = s->speculation_speedup = s->speculation_tpot_s = unknown;
    s->transfer_bytes = s->transfer_s = s->apart_requests_per_s = s->apart_workers_ratio = unknown;
    s->apart_ttft_s = s->apart_tpot_s = s->draft_s = s->verify_s = unknown;
    if (p->draft_length > 0) { say_speculation(of, s, why); }
    if (p->prefill_workers > 0) { say_apart(of, device, s, why); }
}
