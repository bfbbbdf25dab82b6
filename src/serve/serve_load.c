/* From steps to latency and throughput, by how requests come.   [serve-load] */
#include <math.h>

#include "serve/serve.h"

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
    NNC_NOTE(why,
             "a request takes its prefill, and its share of as many decode steps as it has tokens");
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
    double input, output, cached, fresh; /* tokens of a request; prompt: cached and computed */
    double context;                      /* mean, of a decode step */
    double prefill_s, busy_s;            /* of one prompt; what it takes of the busiest stage */
    double most;                         /* sequences that fit and that the engine takes */
    double requests_per_s;
} load;

static double decode_s(const load *l, double sequences)
{
    return nnc_serve_decode(l->of, sequences, l->context, NULL).time_s;
}

/* Sequences that run over those that may, less what may: above 0 where more will. */
static double open_growth(const load *l, double sequences)
{
    const double rho = l->requests_per_s * l->busy_s;
    const double step_s = decode_s(l, nnc_max(sequences, 1.0));
    const double ttft_s =
        l->prefill_s + step_s / 2.0 + nnc_serve_mean_wait_s(l->busy_s, rho) + l->of->engine->ttft_s;
    return nnc_serve_say_running(l->requests_per_s, ttft_s, step_s / (1.0 - rho), l->output, NULL) -
           sequences;
}

/* Sequences of an open loop at rest: what runs grows slower than what may. Secants between the ends of an
 * interval that has it; an end that stays counts half, so that both close in (Illinois). */
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

/* Of a wave that starts and ends together. */
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
    NNC_NOTE(why, "no server between the batch and the engine");
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
        NNC_NOTE(why, "the batch runs in waves of as many as fit");
    }
    NNC_SET(why, s->output_tokens_per_s, NULL, batch * output_len / s->request_s);
    s->running = requests;
    s->queue_s = 0.0;
}

/* As many as fit: a sequence that ends makes room for a prompt, which rides in the next step. */
static void say_offline(const load *l, nnc_serve *s, double sequences, nnc_derivation *why)
{
    const nnc_serve_engine *engine = l->of->engine;
    NNC_LET(why, sequences_of_replica, NULL, sequences);
    NNC_LET(why, output_len, NULL, l->output);
    NNC_SAY(why, prompts_of_step, NULL, sequences_of_replica / output_len);
    s->tpot_s =
        nnc_serve_mixed(l->of, sequences, l->context, prompts_of_step, l->cached, l->fresh).time_s;
    NNC_PUT(why, s->tpot_s, "s");
    NNC_NOTE(
        why,
        "a decode step of all of them, with the prompts that take the place of those that end");
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
    NNC_NOTE(why, "what of a prefill others wait for, in this engine");
    s->tpot_s = nnc_serve_say_tpot(decode_s, stalling_s, output_len, sequences_of_replica, why);
    NNC_PUT(why, replicas, NULL);
    NNC_LET(why, cycle_s, "s", decode_s + sequences_of_replica / output_len * prefill_s);
    NNC_SET(why, s->output_tokens_per_s, NULL, replicas * sequences_of_replica / cycle_s);
    NNC_NOTE(why, "the devices decode or prefill, whoever waits for it");
    NNC_LET(why, waiting, NULL, open - sequences);
    NNC_SET(why, s->queue_s, "s", waiting * s->tpot_s * output_len / sequences_of_replica);
    NNC_NOTE(why, "requests that are open beyond what runs, over the requests that end per second");
    NNC_LET(why, whole_prefill_s, "s", l->prefill_s);
    NNC_LET(why, wave_share, NULL, engine->ttft_wave / (2.0 * l->of->plan->waves));
    NNC_LET(why, engine_ttft_s, "s", engine->ttft_s);
    NNC_SET(why, s->ttft_s, "s",
            whole_prefill_s + decode_s / 2.0 + sequences_of_replica * prefill_s * wave_share +
                s->queue_s + engine_ttft_s);
    NNC_NOTE(why,
             "a step that runs, its own prefill, and of a benchmark the first wave, all at once");
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
    NNC_NOTE(why, "decode has what prefill leaves of the time");
    NNC_SET(why, s->queue_s, "s", prefill_load / (2.0 * (1.0 - prefill_load)) * prefill_s);
    NNC_SOURCE(why, "mean wait of the queue M/D/1");
    NNC_SET(why, s->ttft_s, "s", whole_prefill_s + decode_s / 2.0 + s->queue_s + engine_ttft_s);
    NNC_SET(why, s->request_s, "s", s->ttft_s + (output_len - 1.0) * s->tpot_s);
    NNC_LET(why, running_of_replica, NULL,
            nnc_serve_say_running(rate, s->ttft_s, s->tpot_s, output_len, why));
    NNC_SET(why, s->running, NULL, replicas * running_of_replica);
    NNC_SET(why, s->output_tokens_per_s, NULL, replicas * rate * output_len);
}

/* Too many requests: the queue grows without end, tokens come as fast as they can. */
static void say_saturated(const load *l, nnc_serve *s, nnc_derivation *why)
{
    s->saturated = true;
    s->tpot_s = nnc_serve_say_tpot(decode_s(l, l->most), l->busy_s, l->output, l->most, why);
    s->ttft_s = s->request_s = s->queue_s = (double)INFINITY;
    s->running = l->of->plan->data * l->most;
    NNC_PUT(why, s->running, NULL);
    NNC_SET(why, s->output_tokens_per_s, NULL, s->running / s->tpot_s);
}

/* ---- all of them ---- */

/* Requests that one replica has open, and sequences that it runs. */
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

/* What no implementation beats: datasheet rates, nothing waits. */
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
    NNC_NOTE(why, "decode alone, as if prefill cost nothing");
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
    NNC_NOTE(why, "of the peak of the products' format");
}

/* The parts of a step and their sum. */
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
    l.cached = nnc_min(l.cached, l.input - 1.0); /* the last token is computed in any case */
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
