/* By formula alone, with nothing measured to compare with: the tail of the queue, speculation, and prefill
 * apart from decode.   [serve-extra] */
#include <math.h>

#include "serve/serve.h"

/* The 99th percentile, where requests come at random. */
static void say_tail(nnc_serve *s, double service_s, double rate, nnc_derivation *why)
{
    NNC_LET(why, prefill_load, NULL, rate * service_s);
    NNC_LET(why, p99_wait_s, "s", nnc_serve_p99_wait_s(service_s, prefill_load));
    NNC_NOTE(why, "exponential tail of the queue M/D/1");
    NNC_SET(why, s->ttft_p99_s, "s", s->ttft_s - s->queue_s + p99_wait_s);
}

/* A draft proposes, one decode step verifies. */
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
    NNC_NOTE(why,
             "a decode step that computes what was proposed and one token more, and all logits");
    s->tokens_per_verify = nnc_serve_accepted(p->acceptance, (double)p->draft_length);
    NNC_PUT(why, s->tokens_per_verify, NULL);
    NNC_SET(why, s->speculation_speedup, NULL,
            s->tokens_per_verify * decode_s / (s->verify_s + draft_length * s->draft_s));
    NNC_SET(why, s->speculation_tpot_s, "s", s->tpot_s / s->speculation_speedup);
    NNC_SOURCE(why, "arXiv:2211.17192");
}

/* Workers that prefill send their cache to those that decode. */
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
    NNC_NOTE(why, "workers that prefill for each that decodes, so that neither waits");
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
