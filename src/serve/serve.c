/* Serving, all of it. */
#include "serve/serve.h"

#include <math.h>

#include "base/error.h"
#include "base/sized.h"
#include "estimate/plan_asked.h"
#include "estimate/prepare.h"

static double price_of(const nnc_serve_ask *plan, const nnc_device *device)
{
    return !isnan(plan->price)       ? plan->price
           : device->price_count > 0 ? device->prices[0].per_device_hour
                                     : (double)NAN;
}

void nnc_serve_cost(const nnc_serve_case *of, const nnc_device *device, nnc_serve *s,
                    nnc_derivation *why)
{
    NNC_LET(why, devices, NULL, of->plan->devices);
    s->price_per_device_hour = price_of(of->plan, device);
    NNC_PUT(why, s->price_per_device_hour, NULL);
    NNC_PUT(why, s->output_tokens_per_s, NULL);
    NNC_SET(why, s->per_million_output_tokens, NULL,
            s->price_per_device_hour * devices / 3600.0 / s->output_tokens_per_s * 1e6);
    NNC_NOTE(why, "all of the price on the tokens that come out");
    const double prompts = s->mode == NNC_SERVE_STATIC ? s->prefill.sequences : 1.0;
    const double stages =
        s->mode == NNC_SERVE_STATIC ? 1.0 : (double)of->plan->pipeline * of->plan->attention_data;
    NNC_LET(why, replica_price_per_s, NULL,
            s->price_per_device_hour / 3600.0 * devices / of->plan->data);
    NNC_LET(why, prompt_s, "s", s->prefill.time_s / prompts / stages);
    NNC_LET(why, input_len, NULL, (double)of->plan->input_len);
    NNC_SET(why, s->per_million_prefilled_tokens, NULL,
            replica_price_per_s * prompt_s / input_len * 1e6);
    NNC_NOTE(why, "by the time that prefill takes of the devices");
    NNC_LET(why, decode_s, "s", s->decode.time_s);
    NNC_LET(why, sequences, NULL, s->decode.sequences);
    NNC_SET(why, s->per_million_decoded_tokens, NULL,
            replica_price_per_s * decode_s / sequences * 1e6);
    NNC_NOTE(why, "by the time that decode takes of them");
    NNC_LET(why, power_w, "W", device->power_w);
    NNC_SET(why, s->energy_j_per_token, "J", power_w * devices / s->output_tokens_per_s);
    NNC_NOTE(why, "rated power of the boards: more than decode draws");
    NNC_LET(why, carbon_g_per_kwh, "g/kWh", of->plan->carbon_g_per_kwh);
    NNC_SET(why, s->carbon_g_per_million_tokens, "g",
            s->energy_j_per_token * 1e6 / 3.6e6 * carbon_g_per_kwh);
}

/* What is asked for against what there is. */
void nnc_serve_fit(const nnc_serve_case *of, nnc_serve *s, nnc_derivation *why)
{
    const double groups = (double)of->plan->attention_data * (double)of->plan->data;
    const double held = s->mode == NNC_SERVE_STATIC
                            ? (double)of->plan->batch
                            : nnc_max(nnc_min(s->running, s->max_sequences), 1.0);
    const double stage = nnc_serve_stage_share(of);
    const double block = (double)of->plan->block;
    const double length = (double)(of->plan->input_len + of->plan->output_len);
    NNC_LET(why, sequences_of_device, NULL, nnc_ceil(held / groups));
    NNC_LET(why, sequence_bytes, "B",
            nnc_serve_kv_bytes(of, nnc_ceil(length / block) * block) * stage);
    NNC_SET(why, s->kv_bytes, "B",
            sequences_of_device * (sequence_bytes + s->state_bytes_per_sequence));
    NNC_SET(why, s->total_bytes, "B", s->weight_bytes + s->workspace_bytes + s->kv_bytes);
    NNC_LET(why, memory_use, NULL, of->plan->memory_use);
    NNC_SET(why, s->headroom_bytes, "B", memory_use * s->capacity_bytes - s->total_bytes);
    s->fits = s->headroom_bytes >= 0.0;
}

/* What proposes tokens, on the same devices, its weights stored alike. */
static nnc_status draft_of(const nnc_serve_case *of, const nnc_device *device,
                           const nnc_software *software, nnc_scratch *scratch, nnc_serve_net *net,
                           nnc_serve_case *draft, nnc_error *err)
{
    const nnc_model *model = of->plan->draft_model;
    const double tokens = of->net->vocab;
    nnc_serve_ask alone = *of->plan, resolved;
    nnc_serve_mode mode;
    alone.expert = alone.attention_data = 1;
    alone.devices = alone.data = 0;
    NNC_TRY(nnc_serve_net_of(model, software, scratch, net, err));
    if (fabs(net->vocab - tokens) > 0.01 * tokens) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--draft",
                        "%s has another vocabulary, expected about %.0f tokens, found %.0f",
                        model->id, tokens, net->vocab);
    }
    NNC_TRY(nnc_serve_resolve(&alone, model, device, software, net, &resolved, &mode, err));
    *draft =
        (nnc_serve_case){ .net = net, .plan = of->plan, .engine = of->engine, .rates = of->rates };
    return NNC_OK;
}

nnc_status nnc_serve_say(const nnc_model *model, const nnc_device *device,
                         const nnc_software *software, const nnc_serve_ask *ask,
                         nnc_scratch *scratch, nnc_serve *s, nnc_serve_list *list,
                         nnc_derivation *why, nnc_error *err)
{
    nnc_serve_net net, draft_net;
    nnc_serve_case draft;
    nnc_serve_case of = { .net = &net, .plan = &s->plan, .engine = &software->serving };
    *s = (nnc_serve){ .struct_size = sizeof *s };
    NNC_TRY(nnc_serve_net_of(model, software, scratch, &net, err));
    NNC_TRY(nnc_serve_resolve(ask, model, device, software, &net, &s->plan, &s->mode, err));
    NNC_TRY(nnc_serve_rates_of(device, software, &s->plan, &of.rates, err));
    if (s->plan.draft_model != NULL) {
        NNC_TRY(draft_of(&of, device, software, scratch, &draft_net, &draft, err));
        of.draft = &draft;
    }
    nnc_serve_memory(&of, (double)device->mem_bytes, s, why);
    nnc_serve_load(&of, s, list, why);
    nnc_serve_fit(&of, s, why);
    nnc_serve_cost(&of, device, s, why);
    nnc_serve_extra(&of, device, s, why);
    return NNC_OK;
}

nnc_status nnc_serve_into(const nnc_model *model, const nnc_device *device,
                          const nnc_software *software, const nnc_serve_ask *ask,
                          nnc_scratch *scratch, nnc_serve *serve, nnc_serve_op *ops,
                          int32_t *op_count, nnc_error *err)
{
    static const char here[] = "nnc_serve_of";
    nnc_serve_ask full = nnc_serve_ask_default();
    nnc_serve_list list = { ops, 0 };
    nnc_asked asked;
    nnc_serve whole;
    NNC_TRY(nnc_asked_read(here, model, device, software, NULL, &asked, err));
    NNC_TRY(nnc_need(here, "scratch", scratch != NULL, err));
    NNC_TRY(nnc_need(here, "serve", serve != NULL, err));
    NNC_TRY(nnc_sized_check(serve, sizeof *serve, "nnc_serve", err));
    if (ask != NULL) {
        NNC_TRY(nnc_sized_read(&full, sizeof full, ask, "nnc_serve_ask", err));
    }
    NNC_TRY(nnc_serve_ask_check(&full, err));
    NNC_TRY(nnc_serve_say(model, device, asked.software, &full, scratch, &whole,
                          ops != NULL ? &list : NULL, NULL, err));
    nnc_sized_write(serve, &whole, sizeof whole);
    if (op_count != NULL) {
        *op_count = list.count;
    }
    return NNC_OK;
}
