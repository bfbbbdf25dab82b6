/* Metrics tables of serving (inference), of image generation, and of a whole training run. */
#include <nncost/run.h>

#include "metrics/metrics_internal.h"
#include "serve/serve_internal.h"

#define SECONDS(member, ...) NNC_NUMBER(nnc_serve, member, .unit = "s", __VA_ARGS__)
#define BYTES(member, ...) NNC_NUMBER(nnc_serve, member, .unit = "B", __VA_ARGS__)
#define COUNT(member, ...) NNC_NUMBER(nnc_serve, member, .show = NNC_SHOW_COUNT, __VA_ARGS__)
#define OF(member) NNC_IN(nnc_serve, member)

NNC_GET(get_input_params, nnc_report, nnc_number_cell(self->serve->params))

static const nnc_metric model_rows[] = {
    NNC_AS("asked", TEXT, NNC_IN(nnc_report, model_asked), .help = "The model or device, as the user named it."),
    NNC_AS("id", CHARS, NNC_VIA(nnc_report, model), NNC_IN(nnc_model, id), .help = "Id of the model or device."),
    NNC_AS("name", CHARS, NNC_VIA(nnc_report, model), NNC_IN(nnc_model, name), .help = "Full name of the model."),
    NNC_AS("params", NUMBER, .get = get_input_params, .show = NNC_SHOW_COUNT, .help = "Parameters."),
    NNC_AS("overrides", TEXT, NNC_IN(nnc_report, overrides), .help = "Fields that --set changed."),
};
static const nnc_metrics model_metrics = NNC_METRICS("the model", model_rows, nnc_report);

static const nnc_metric device_rows[] = {
    NNC_AS("asked", TEXT, NNC_IN(nnc_report, device_asked), .help = "The model or device, as the user named it."),
    NNC_AS("id", CHARS, NNC_VIA(nnc_report, device), NNC_IN(nnc_device, id), .help = "Id of the model or device."),
    NNC_AS("name", CHARS, NNC_VIA(nnc_report, device), NNC_IN(nnc_device, name), .help = "Full name of the device."),
};
static const nnc_metrics device_metrics = NNC_METRICS("the device", device_rows, nnc_report);

#define PLAN(member, ...) NNC_WHOLE(nnc_serve_ask, member, __VA_ARGS__)
static const nnc_metric plan_rows[] = {
    PLAN(devices, .help = "Total number of devices."),
    PLAN(data, .help = "Replicas that share the requests."),
    PLAN(tensor, .help = "Devices that split each matrix product."),
    PLAN(pipeline, .help = "Pipeline stages over which the layers are divided."),
    PLAN(expert, .help = "Devices that hold whole experts; 1 = every expert is split."),
    PLAN(attention_data, .help = "Groups of tensor ranks, each with its own requests."),
    PLAN(input_len, .help = "Tokens of a prompt."),
    PLAN(output_len, .help = "Generated tokens per request."),
    PLAN(batch, .blank_zero = true, .help = "Requests of a static batch."),
    PLAN(concurrency, .blank_zero = true, .help = "Open requests at any time."),
    NNC_NUMBER(nnc_serve_ask, waves,
               .help = "Number of requests of a benchmark divided by the number of open requests."),
    NNC_NUMBER(nnc_serve_ask, request_rate, .help = "Requests per second."),
    NNC_NUMBER(nnc_serve_ask, prefix_hit, .help = "Share of a prompt that is already cached."),
    NNC_NAMED(nnc_serve_ask, precision, nnc_dtype_name, NNC_DTYPE_COUNT, .help = "Number format of the products."),
    NNC_NAMED(nnc_serve_ask, weights, nnc_stored_name, NNC_STORED_COUNT,
              .help = "Number format of the stored weights."),
    PLAN(group_size, .help = "Number of int4 weights that share a scale."),
    NNC_NAMED(nnc_serve_ask, kv_precision, nnc_stored_name, NNC_STORED_COUNT,
              .help = "Number format of cached keys and values."),
    NNC_NUMBER(nnc_serve_ask, memory_use, .help = "Share of the device memory that may be used."),
    PLAN(block, .help = "Tokens per block of the paged cache."),
    PLAN(chunk, .help = "Maximum tokens of one prefill step."),
    PLAN(max_batch, .help = "Maximum number of sequences that decode together."),
    NNC_AS("draft", CHARS, NNC_IN(nnc_serve_ask, draft), .help = "Model that proposes tokens."),
    PLAN(draft_length, .blank_zero = true, .help = "Tokens that the draft model proposes at a time."),
    NNC_AS("disaggregate", CHARS, NNC_IN(nnc_serve_ask, disaggregate),
           .help = "Number of replicas that only prefill, and number of replicas that only decode."),
    NNC_NUMBER(nnc_serve_ask, imbalance,
               .help = "Tokens of the busiest expert rank divided by the mean of all expert ranks."),
};
static const nnc_metrics plan_metrics = NNC_METRICS("how the model is served", plan_rows, nnc_serve_ask);

NNC_GET(get_software, nnc_report, nnc_text_cell(self->software->id))

static const nnc_metric whole_plan_rows[] = {
    NNC_AS("mode", ENUM, NNC_VIA(nnc_report, serve), OF(mode), .name_of = nnc_serve_mode_name,
           .values = NNC_SERVE_MODE_COUNT,
           .help = "How requests come: as one batch, with a fixed number of open requests, at a rate, or with as "
                   "many open requests as possible."),
    NNC_AS("software", TEXT, .get = get_software, .help = "Software profile of the serving engine."),
    NNC_ROWS(&plan_metrics, NNC_VIA(nnc_report, serve), OF(plan)),
    NNC_ROWS(&nnc_launch_metrics),
};
static const nnc_metrics whole_plan_metrics = NNC_METRICS("how the model is served", whole_plan_rows, nnc_report);

#define STEP(member, ...) NNC_NUMBER(nnc_serve_step, member, __VA_ARGS__)
static const nnc_metric step_rows[] = {
    STEP(time_s, .unit = "s", .head = "time", .help = "Time of the whole prefill or decode step."),
    STEP(product_s, .unit = "s", .head = "products",
         .help = "Time of the products with weights, without experts and head."),
    STEP(expert_s, .unit = "s", .head = "experts", .help = "Time of the products of the experts."),
    STEP(attention_s, .unit = "s", .head = "attention",
         .help = "Time of attention over the cache and of layers that keep a state."),
    STEP(head_s, .unit = "s", .head = "head", .help = "Time of logits and sampling."),
    STEP(comm_s, .unit = "s", .head = "network", .drop = 1, .help = "Time of communication between devices."),
    STEP(host_s, .unit = "s", .head = "host",
         .help = "Time of the engine's host code: per step, per layer and per sequence."),
    STEP(lower_bound_s, .unit = "s", .head = "at least",
         .help = "Lower bound of the step for any software: datasheet rates and complete overlap."),
    NNC_NAMED(nnc_serve_step, bound, nnc_bound_name, NNC_BOUND_COUNT, .head = "bound",
              .help = "Resource of the largest part of the prefill or decode step."),
    STEP(sequences, .show = NNC_SHOW_COUNT, .help = "Number of sequences that a replica computes in the step."),
    STEP(new_tokens, .show = NNC_SHOW_COUNT, .help = "Number of tokens of each sequence that the step computes."),
    STEP(context, .show = NNC_SHOW_COUNT, .help = "Number of positions to which the last new token attends."),
    STEP(steps, .show = NNC_SHOW_COUNT,
         .help = "Number of times that the step reads the weights; a prefill reads the weights once per chunk."),
    STEP(flops, .unit = "FLOP", .help = "FLOPs of one device of a tensor group."),
    STEP(weight_bytes, .unit = "B", .help = "Bytes of weights that the step reads."),
    STEP(kv_bytes, .unit = "B", .help = "Bytes of keys and values that the step reads and writes."),
    STEP(bytes, .unit = "B", .help = "weight_bytes + kv_bytes."),
    STEP(network_bytes, .unit = "B", .help = "Bytes that a device sends to other devices in the step."),
    STEP(intensity_flops_per_byte, .unit = "FLOP/B", .help = "FLOPs divided by bytes."),
};
const nnc_metrics nnc_serve_step_metrics = NNC_METRICS("a step of serving", step_rows, nnc_serve_step);

static const nnc_metric decode_rows[] = {
    NNC_ROWS(&nnc_serve_step_metrics, OF(decode)),
    SECONDS(prompt_s, .help = "Time that one prompt adds to a decode step if both are computed in one step.",
            .more = NNC_MORE(.source = "arXiv:2403.02310; docs/serving.md")),
    COUNT(critical_batch,
          .help =
              "Smallest number of sequences with which decode is compute-bound; null: decode is always memory-bound.",
          .more = NNC_MORE(.source = "docs/serving.md")),
    NNC_NUMBER(nnc_serve, intensity_limit_flops_per_byte, .unit = "FLOP/B",
               .help = "Upper limit of the arithmetic intensity of decode for any number of sequences."),
};
static const nnc_metrics decode_metrics = NNC_METRICS("one decode step", decode_rows, nnc_serve);

static const nnc_metric latency_rows[] = {
    SECONDS(ttft_s, .head = "TTFT", .help = "Time to the first token.", .more = NNC_MORE(.source = "docs/serving.md")),
    SECONDS(tpot_s, .head = "TPOT", .help = "Time per output token after the first token.",
            .more = NNC_MORE(.source = "docs/serving.md")),
    SECONDS(request_s, .head = "request", .help = "Time of a request from its start to its last token."),
    SECONDS(queue_s, .help = "Part of the time to the first token in which a request waits for other requests."),
    SECONDS(ttft_p50_s, .help = "Median time to the first token of the simulated requests."),
    SECONDS(ttft_p90_s, .help = "90th percentile of the time to the first token."),
    SECONDS(tpot_p50_s, .help = "Median over the requests of the time per output token."),
    SECONDS(tpot_p90_s, .help = "90th percentile over the requests of the time per output token."),
    SECONDS(tpot_p99_s, .help = "99th percentile over the requests of the time per output token."),
    SECONDS(request_p50_s, .help = "Median time of a simulated request."),
    SECONDS(request_p90_s, .help = "90th percentile of the time of a request."),
    SECONDS(request_p99_s, .help = "99th percentile of the time of a request."),
    COUNT(simulated, .help = "Number of simulated requests of one replica."),
    COUNT(preemptions, .help = "Number of times that a simulated request was preempted."),
    NNC_AS("ttft_interval_s", NUMBER, OF(ttft_interval_s), .each_count = 2, .unit = "s",
           .help = "Interval of ttft_s: the range that should contain nine of ten measurements."),
    NNC_AS("tpot_interval_s", NUMBER, OF(tpot_interval_s), .each_count = 2, .unit = "s",
           .help = "Interval of tpot_s: the range that should contain nine of ten measurements."),
    NNC_TEXT(nnc_serve, interval_reason,
             .help = "Reason why the intervals are wider than the intervals of measured devices and networks; null: "
                     "the intervals are not wider."),
    SECONDS(ttft_lower_bound_s, .help = "Lower bound of the time to the first token."),
    SECONDS(tpot_lower_bound_s, .help = "Lower bound of the time per output token."),
    SECONDS(request_lower_bound_s, .help = "Lower bound of the time of a request."),
};
static const nnc_metrics latency_metrics = NNC_METRICS("latency", latency_rows, nnc_serve);

static const nnc_metric throughput_rows[] = {
    COUNT(output_tokens_per_s, .head = "tok/s", .help = "Generated tokens per second, all devices."),
    COUNT(output_tokens_per_s_per_device, .head = "tok/s/device", .help = "Generated tokens per second of one device."),
    COUNT(tokens_per_s_per_user, .head = "tok/s/user", .help = "Generated tokens per second of one request."),
    COUNT(input_tokens_per_s, .help = "Tokens of prompts per second, all devices."),
    COUNT(requests_per_s, .help = "Requests per second."),
    COUNT(running, .help = "Sequences that decode at the same time, all replicas."),
    NNC_NUMBER(nnc_serve, utilization, .show = NNC_SHOW_PERCENT,
               .help = "Share of the peak FLOP/s that the computation reaches."),
    COUNT(upper_bound_tokens_per_s,
          .help = "Upper bound of the tokens per second for any software with this number of running sequences."),
    COUNT(saturation_rate, .help = "Saturation: requests per second above which the queue grows without limit."),
    NNC_AS("saturation_interval", NUMBER, OF(saturation_interval), .each_count = 2,
           .help = "Interval of saturation_rate: the range that should contain nine of ten measurements."),
    NNC_BOOL(nnc_serve, saturated, .help = "Whether requests arrive faster than saturation_rate."),
};
static const nnc_metrics throughput_metrics = NNC_METRICS("throughput", throughput_rows, nnc_serve);

static const char used_memory[] = "memory.total_bytes";
static const nnc_metric memory_rows[] = {
    BYTES(weight_bytes, .help = "Weights of one device, including the weights of a draft model.",
          .more = NNC_MORE(.part_of = used_memory)),
    BYTES(workspace_bytes, .help = "Activations, graphs and workspace.", .more = NNC_MORE(.part_of = used_memory)),
    BYTES(kv_bytes, .help = "Bytes of the cache of all running sequences, at full length.",
          .more = NNC_MORE(.part_of = used_memory)),
    BYTES(kv_bytes_per_token, .help = "Cache of one device per token.",
          .more = NNC_MORE(.source = "arXiv:2305.13245; docs/serving.md")),
    BYTES(state_bytes_per_sequence,
          .help = "Bytes of the recurrent states of one sequence, independent of its length."),
    BYTES(free_bytes, .help = "Memory of one device that is available to the cache."),
    COUNT(max_tokens, .help = "Tokens that fit in the cache, all devices."),
    COUNT(max_sequences, .help = "Requests at full length that fit in the cache, all devices."),
    BYTES(paging_waste_bytes, .help = "Mean unused memory in the last cache block of a sequence, on one device.",
          .more = NNC_MORE(.source = "arXiv:2309.06180")),
    BYTES(total_bytes, .help = "Used memory of one device."),
    BYTES(capacity_bytes, .help = "Memory capacity of one device."),
    BYTES(limit_bytes, .help = "Memory of one device that weights, workspace and cache may use."),
    BYTES(headroom_bytes, .any_sign = true,
          .help = "Free part of the memory that may be used; negative: the deployment does not fit."),
    NNC_BOOL(nnc_serve, fits, .help = "Whether the requests fit."),
};
static const nnc_metrics memory_metrics = NNC_METRICS("memory of one device", memory_rows, nnc_serve);

NNC_GET(get_currency, nnc_report, nnc_text_cell(nnc_price_currency(self->device)))

static const nnc_metric money_rows[] = {
    NNC_NUMBER(nnc_serve, price_per_device_hour, .help = "Price of one device for one hour."),
    NNC_NUMBER(nnc_serve, per_million_output_tokens, .help = "Price of all devices per million generated tokens."),
    NNC_NUMBER(nnc_serve, per_million_prefilled_tokens,
               .help = "Price of the device time of prefill per million prompt tokens."),
    NNC_NUMBER(nnc_serve, per_million_decoded_tokens,
               .help = "Price of the device time of decode per million generated tokens."),
    NNC_NUMBER(nnc_serve, energy_j_per_token, .unit = "J",
               .help = "Energy of a generated token at the rated power of the boards."),
    NNC_NUMBER(nnc_serve, carbon_g_per_million_tokens, .unit = "g",
               .help = "Carbon dioxide of a million generated tokens, from energy_j_per_token."),
};
static const nnc_metrics money_metrics = NNC_METRICS("cost", money_rows, nnc_serve);

static const nnc_metric cost_rows[] = {
    NNC_AS("currency", TEXT, .get = get_currency, .help = "Currency of the prices."),
    NNC_ROWS(&money_metrics, NNC_VIA(nnc_report, serve)),
};
static const nnc_metrics cost_metrics = NNC_METRICS("cost", cost_rows, nnc_report);

static const nnc_metric formula_rows[] = {
    SECONDS(ttft_p99_s, .help = "99th percentile of the time to the first token of the simulated requests."),
    COUNT(tokens_per_verify,
          .help = "Mean number of tokens that one verification of draft tokens accepts and generates.",
          .more = NNC_MORE(.source = "arXiv:2211.17192")),
    SECONDS(draft_s, .help = "Time of one step of the draft model."),
    SECONDS(verify_s, .help = "Time of a decode step that verifies the tokens proposed by the draft."),
    NNC_NUMBER(nnc_serve, speculation_speedup,
               .help = "Time per output token without the draft divided by the time per output token with the draft."),
    SECONDS(speculation_tpot_s, .help = "Time per output token with the draft."),
    BYTES(transfer_bytes, .help = "Bytes of the cache of a prompt that a prefill worker sends to a decode worker."),
    SECONDS(transfer_s, .help = "Time to send the cache of a prompt."),
    COUNT(apart_requests_per_s, .help = "Requests per second of separate prefill and decode workers."),
    NNC_NUMBER(
        nnc_serve, apart_workers_ratio,
        .help = "Number of prefill workers per decode worker with which prefill workers and decode workers never wait "
                "for each other."),
    SECONDS(apart_ttft_s, .help = "Time to the first token with separate workers, without a queue."),
    SECONDS(apart_tpot_s, .help = "Time per output token with separate workers, at full batch."),
};
static const nnc_metrics formula_metrics =
    NNC_METRICS("formulas that are not compared with measurements", formula_rows, nnc_serve);

static const nnc_metric serve_rows[] = {
    NNC_AS("model", OBJECT, .rows = &model_metrics),
    NNC_AS("device", OBJECT, .rows = &device_metrics),
    NNC_AS("plan", OBJECT, .rows = &whole_plan_metrics),
    NNC_AS("prefill", OBJECT, NNC_VIA(nnc_report, serve), OF(prefill), .rows = &nnc_serve_step_metrics),
    NNC_AS("decode", OBJECT, NNC_VIA(nnc_report, serve), .rows = &decode_metrics),
    NNC_AS("latency", OBJECT, NNC_VIA(nnc_report, serve), .rows = &latency_metrics),
    NNC_AS("throughput", OBJECT, NNC_VIA(nnc_report, serve), .rows = &throughput_metrics),
    NNC_AS("memory", OBJECT, NNC_VIA(nnc_report, serve), .rows = &memory_metrics),
    NNC_AS("cost", OBJECT, .rows = &cost_metrics),
    NNC_AS("formula", OBJECT, NNC_VIA(nnc_report, serve), .rows = &formula_metrics),
};
const nnc_metrics nnc_serve_metrics = NNC_METRICS("serving", serve_rows, nnc_report);

static const nnc_metric op_rows[] = {
    NNC_TEXT(nnc_serve_op, name, .head = "op", .help = "Name of the op in the network."),
    NNC_TEXT(nnc_serve_op, phase, .head = "phase", .help = "prefill or decode."),
    NNC_NUMBER(nnc_serve_op, count, .head = "count", .show = NNC_SHOW_COUNT,
               .help = "Number of kernels of this op in the step."),
    NNC_NUMBER(nnc_serve_op, rows, .head = "rows", .show = NNC_SHOW_COUNT,
               .help = "Number of tokens that the op processes."),
    NNC_NUMBER(nnc_serve_op, flops, .unit = "FLOP", .head = "FLOPs", .show = NNC_SHOW_SCALED,
               .help = "FLOPs of the kernels of the op on one device."),
    NNC_NUMBER(nnc_serve_op, weight_bytes, .unit = "B", .head = "weights",
               .help = "Bytes of weights that the kernels of the op read."),
    NNC_NUMBER(nnc_serve_op, kv_bytes, .unit = "B", .head = "cache",
               .help = "Bytes of keys, values and states that the kernels of the op read and write."),
    NNC_NUMBER(nnc_serve_op, time_s, .unit = "s", .head = "time", .help = "Time of all kernels of the op in the step."),
    NNC_NAMED(nnc_serve_op, bound, nnc_bound_name, NNC_BOUND_COUNT, .head = "bound",
              .help = "Resource that bounds the largest part of this time."),
};
const nnc_metrics nnc_serve_op_metrics = NNC_METRICS("an op of a step", op_rows, nnc_serve_op);

static const nnc_metric change_rows[] = {
    NNC_CHARS(nnc_serve_change, options, .help = "Options that make the change."),
    NNC_NUMBER(nnc_serve_change, tpot_s, .unit = "s", .help = "Time per output token with this change."),
    NNC_NUMBER(nnc_serve_change, output_tokens_per_s, .help = "Generated tokens per second of the deployment."),
    NNC_NUMBER(nnc_serve_change, total_bytes, .unit = "B", .help = "Memory of one device with this change."),
    NNC_NUMBER(nnc_serve_change, per_million_output_tokens, .help = "Cost of a million output tokens."),
};
static const nnc_metrics change_metrics = NNC_METRICS("a change of a deployment", change_rows, nnc_serve_change);

double nnc_serve_used_bytes(const nnc_serve *serve) { return serve->limit_bytes; }

enum { SERVED_TEXT = 128 };

/* Writes the load of a deployment: "a batch of 8", "64 concurrent requests", "2.5 requests/s". */
static void write_load(const nnc_serve *s, char text[SERVED_TEXT]) {
    char number[NNC_NUMBER_TEXT];
    switch (s->mode) {
    case NNC_SERVE_STATIC: snprintf(text, SERVED_TEXT, "a batch of %" PRId64, s->plan.batch); break;
    case NNC_SERVE_CLOSED:
        snprintf(text, SERVED_TEXT, "%" PRId64 " concurrent request%s", s->plan.concurrency,
                 s->plan.concurrency > 1 ? "s" : "");
        break;
    case NNC_SERVE_OPEN:
        snprintf(text, SERVED_TEXT, "%s requests/s", nnc_count_text(s->plan.request_rate, number));
        break;
    default: snprintf(text, SERVED_TEXT, "%s requests at a time", nnc_count_text(s->running, number)); break;
    }
}

/* Writes the rate and the latencies of the served requests. If the load is too high, writes the highest possible
 * load. */
static void write_latency(const nnc_serve *s, char text[SERVED_TEXT]) {
    char rate[NNC_NUMBER_TEXT], ttft[NNC_NUMBER_TEXT], tpot[NNC_NUMBER_TEXT];
    if (s->saturated) {
        snprintf(text, SERVED_TEXT, "at most %s requests/s", nnc_count_text(s->saturation_rate, rate));
        return;
    }
    snprintf(text, SERVED_TEXT, "%s tokens/s, first token after %s, then %s per token",
             nnc_count_text(s->output_tokens_per_s, rate), nnc_unit_text(s->ttft_s, "s", ttft),
             nnc_unit_text(s->tpot_s, "s", tpot));
}

const char *nnc_serve_sentence(const nnc_report *report, char text[NNC_METRIC_TEXT_MAX]) {
    const nnc_serve *s = report->serve;
    const nnc_device *device = report->device;
    char many[32] = "", load[SERVED_TEXT], latency[SERVED_TEXT], total[NNC_NUMBER_TEXT], used[NNC_NUMBER_TEXT];
    const bool helps = (!s->fits || s->saturated) && report->serve_change_count > 0;
    const char *change = helps ? report->serve_changes[0].options : "";
    const bool is_short = change[0] != '\0' && strlen(change) <= NNC_SENTENCE_CHANGE;
    const char *serves = s->saturated ? "cannot serve" : s->fits ? "serves" : "would serve";
    if (s->plan.devices > 1) { snprintf(many, sizeof many, "%" PRId32 " x ", s->plan.devices); }
    write_load(s, load);
    write_latency(s, latency);
    snprintf(text, NNC_METRIC_TEXT_MAX, "%.48s on %s%.60s %s %.40s: %.100s; it %s: %s of %s per device%s%.48s.",
             nnc_report_model_name(report), many, device->name[0] != '\0' ? device->name : device->id, serves, load,
             latency, s->fits ? "fits" : "does not fit", nnc_unit_text(s->total_bytes, "B", total),
             nnc_unit_text(nnc_serve_used_bytes(s), "B", used),
             is_short ? (s->saturated && s->fits ? "; it serves them with " : "; it fits with ") : "",
             is_short ? change : "");
    return text;
}

static nnc_cell get_sentence(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    return nnc_text_cell(nnc_serve_sentence(place->record, text));
}

static const nnc_metric document_rows[] = {
    NNC_AS("sentence", TEXT, .get = get_sentence, .help = "The result of serving, in one sentence."),
    NNC_ROWS(&nnc_serve_metrics),
    NNC_AS("ops", LIST, NNC_IN(nnc_report, serve_ops), NNC_COUNT(nnc_report, serve_op_count),
           .rows = &nnc_serve_op_metrics,
           .help = "All ops of prefill and of a decode step; the ops of equal layers are one row."),
    NNC_AS("changes", LIST, NNC_IN(nnc_report, serve_changes), NNC_COUNT(nnc_report, serve_change_count),
           .rows = &change_metrics,
           .help =
               "Changes with which the deployment fits in memory and serves the request rate; the smallest change is "
               "first. For a static batch, the list also has the largest batch that fits and takes at most 50 ms per "
               "token."),
};
const nnc_metrics nnc_serve_document = NNC_METRICS("serving", document_rows, nnc_report);

const nnc_metric *nnc_figure_metric(const char *name) {
    const nnc_metric *metric = nnc_metric_find(&nnc_estimate_run_metrics, name);
    metric = metric != NULL ? metric : nnc_metric_find(&nnc_serve_metrics, name);
    return metric != NULL ? metric : nnc_metric_find(&nnc_images_metrics, name);
}

/* ---- metrics tables of image generation by diffusion ---- */

#define IMAGES(member, ...) NNC_NUMBER(nnc_images, member, __VA_ARGS__)
static const nnc_metric figure_rows[] = {
    NNC_AS("steps", WHOLE, NNC_IN(nnc_images, plan.steps), .help = "Forward passes of an image."),
    NNC_AS("guidance", BOOL, NNC_IN(nnc_images, plan.guidance),
           .help = "Whether each pass is computed twice, with and without the prompt."),
    NNC_AS("image", WHOLE, NNC_IN(nnc_images, plan.image),
           .help = "Height and width of an image in pixels; 0 = a video of the model's size."),
    NNC_AS("batch", WHOLE, NNC_IN(nnc_images, plan.batch),
           .help = "Number of images that are generated at the same time."),
    NNC_AS("precision", ENUM, NNC_IN(nnc_images, plan.precision), .name_of = nnc_dtype_name, .values = NNC_DTYPE_COUNT,
           .help = "Number format of the arithmetic."),
    IMAGES(forward_s, .unit = "s", .help = "Time of one pass over the batch."),
    IMAGES(forward_flops, .unit = "FLOP", .help = "FLOPs of one pass over the batch."),
    IMAGES(text_s, .unit = "s", .help = "Time of the text encoders for the prompts of a batch."),
    IMAGES(decode_s, .unit = "s", .help = "Time of the image decoder for the latents of a batch."),
    IMAGES(image_s, .unit = "s", .head = "time", .help = "Time from the prompts to the images of a batch."),
    IMAGES(lower_bound_s, .unit = "s", .help = "Lower bound of image_s for any software."),
    IMAGES(images_per_s, .help = "Images per second of one device."),
    IMAGES(utilization, .show = NNC_SHOW_PERCENT, .help = "Share of the peak FLOP/s that the computation reaches."),
    IMAGES(weight_bytes, .unit = "B", .help = "Bytes of the weights of all networks, in 16 bits."),
    IMAGES(capacity_bytes, .unit = "B", .help = "Memory of the device."),
    NNC_BOOL(nnc_images, fits, .help = "Whether the device holds all weights at once."),
    IMAGES(price_per_device_hour, .help = "Price of the device for one hour."),
    IMAGES(per_thousand_images, .help = "Price of a thousand images."),
    IMAGES(energy_j_per_image, .unit = "J", .help = "Energy of an image at the board's rated power."),
    IMAGES(carbon_g_per_thousand_images, .unit = "g",
           .help = "Carbon dioxide of a thousand images, from energy_j_per_image."),
};
static const nnc_metrics figures = NNC_METRICS("image generation by diffusion", figure_rows, nnc_images);

NNC_GET(get_model, nnc_report, nnc_text_cell(self->model->id))
NNC_GET(get_device, nnc_report, nnc_text_cell(self->device->id))
NNC_GET(get_encoders, nnc_report, nnc_text_cell(self->model->text_encoders))
NNC_GET(get_decoder, nnc_report, nnc_text_cell(self->model->image_decoder))

static const nnc_metric images_rows[] = {
    NNC_AS("model", TEXT, .get = get_model, .help = "Id of the model."),
    NNC_AS("device", TEXT, .get = get_device, .help = "Id of the device."),
    NNC_AS("software", TEXT, .get = get_software, .help = "Id of the software profile."),
    NNC_AS("text_encoders", TEXT, .get = get_encoders, .help = "Models that read the prompt."),
    NNC_AS("image_decoder", TEXT, .get = get_decoder, .help = "Model that decodes the latent into an image."),
    NNC_AS("currency", TEXT, .get = get_currency, .help = "Currency of the prices."),
    NNC_AS("images", OBJECT, NNC_VIA(nnc_report, images), .rows = &figures),
};
const nnc_metrics nnc_images_metrics = NNC_METRICS("image generation by diffusion", images_rows, nnc_report);

/* ---- metrics table of a whole training run ---- */

static const char run_time[] = "run.run_s";
static const char run_cost[] = "run.cost";

#define TIME(member, ...) NNC_NUMBER(nnc_run, member, .unit = "s", __VA_ARGS__)

#define RUN_PART(member, heading, ...) TIME(member, .head = heading, .more = NNC_MORE(.part_of = run_time), __VA_ARGS__)
#define COST_PART(member, ...) NNC_NUMBER(nnc_run, member, .more = NNC_MORE(.part_of = run_cost), __VA_ARGS__)

static const nnc_metric run_rows[] = {
    NNC_NUMBER(nnc_run, devices, .show = NNC_SHOW_COUNT, .help = "Number of devices that train."),
    NNC_NUMBER(nnc_run, nodes, .show = NNC_SHOW_COUNT, .help = "Number of nodes of the training devices."),
    NNC_NUMBER(nnc_run, steps, .show = NNC_SHOW_COUNT, .help = "Number of optimizer steps of the run."),
    NNC_NUMBER(nnc_run, tokens, .show = NNC_SHOW_COUNT, .help = "Number of tokens that the run trains on."),
    NNC_NUMBER(nnc_run, samples, .show = NNC_SHOW_COUNT, .help = "Number of samples that the run trains on."),
    NNC_NUMBER(nnc_run, flops, .unit = "FLOP", .help = "Model FLOPs of the run."),
    NNC_NUMBER(nnc_run, flops_per_token, .unit = "FLOP",
               .help = "Model FLOPs of one token, all models of the method together."),

    TIME(step_s, .help = "Time of one step, including the wait for input."),
    TIME(fetch_s, .help = "Time to read the samples of one step from storage."),
    TIME(prepare_s, .help = "Time in which the workers of a device prepare the samples of one step."),
    TIME(transfer_s, .help = "Time to send the samples of one step to the device."),
    TIME(input_s,
         .help = "Time of the input of one step: the slowest of reading, preparing and sending, or the sum of the "
                 "three times if they do not overlap.",
         .more = NNC_MORE(.source = "docs/data-and-runs.md")),
    TIME(input_wait_s, .head = "input", .help = "Time that a step waits for its input."),
    NNC_BOOL(nnc_run, input_bound, .help = "Whether the step waits for its input."),
    NNC_NUMBER(nnc_run, input_bytes_per_s, .unit = "B/s",
               .help = "Smallest storage bandwidth with which no device waits for input."),
    NNC_NUMBER(nnc_run, workers_needed, .show = NNC_SHOW_COUNT,
               .help =
                   "Smallest number of data-loading workers per device with which the device does not wait for input."),
    NNC_NUMBER(nnc_run, prefetch_bytes, .unit = "B",
               .help = "Host memory of the batches that are prefetched for one device."),

    TIME(rollout_step_s, .help = "Time that training waits for generated tokens, per step."),
    TIME(score_step_s, .help = "Time to score the tokens of one step: forward passes in addition to training."),
    TIME(sync_step_s, .help = "Time to send new weights to the devices that generate answers."),

    NNC_NUMBER(nnc_run, outer_bytes, .unit = "B",
               .help = "Bytes that a site sends for one average of the weights; the site receives the same number "
                       "of bytes."),
    TIME(outer_s, .help = "Time that a site waits for one average."),

    TIME(device_mtbf_s, .help = "Mean time between two stops of a job on one device."),
    TIME(system_mtbf_s, .help = "Mean time between stops of the job."),
    NNC_NUMBER(nnc_run, survive_hour, .show = NNC_SHOW_PERCENT,
               .help = "Probability that the job runs for an hour without a stop."),
    NNC_NUMBER(nnc_run, stops, .show = NNC_SHOW_COUNT, .help = "Expected number of stops of the run."),
    NNC_NUMBER(nnc_run, nodes_out, .show = NNC_SHOW_COUNT, .help = "Mean number of nodes under repair."),
    NNC_NUMBER(nnc_run, spares_needed, .show = NNC_SHOW_COUNT,
               .help = "Smallest number of spare nodes that replace all failed nodes during 99 % of the time.",
               .more = NNC_MORE(.source = "Poisson law of independent repairs")),
    NNC_NUMBER(nnc_run, short_share, .show = NNC_SHOW_PERCENT2,
               .help = "Share of the time in which spares_needed spare nodes do not suffice."),
    NNC_NUMBER(nnc_run, checkpoint_bytes, .unit = "B", .help = "Bytes of one checkpoint."),
    TIME(block_s, .help = "Time that training waits for a checkpoint."),
    TIME(save_s, .help = "Time from the start of a checkpoint until it is durable."),
    TIME(load_s, .help = "Time to load a checkpoint."),
    TIME(restart_s, .help = "Time from a stop until training resumes."),
    TIME(young_s, .help = "Time between two checkpoints with which the run loses the least time, by Young's formula."),
    TIME(interval_s, .help = "Useful training time between two checkpoints."),
    NNC_NUMBER(nnc_run, goodput, .show = NNC_SHOW_PERCENT2,
               .help = "Useful time divided by wall time, without evaluation and planned stops."),
    NNC_NUMBER(nnc_run, first_order, .show = NNC_SHOW_PERCENT2,
               .help = "Goodput by the first-order formula. Its result is up to two percentage points too low."),

    RUN_PART(train_s, "training", .help = "Time of all steps of the run, as estimated."),
    RUN_PART(wait_s, "input", .help = "Time that training waits for input."),
    RUN_PART(rollout_s, "rollouts", .help = "Time that training waits for generated data."),
    RUN_PART(score_s, "scoring", .help = "Scoring time of policy, reference, reward, critic and teacher."),
    RUN_PART(sync_s, "weights", .help = "Time to send new weights to the devices that generate answers."),
    RUN_PART(straggler_s, "stragglers", .help = "Time that training waits for slow devices."),
    RUN_PART(save_time_s, "checkpoints", .help = "Time that training waits for checkpoints."),
    RUN_PART(lost_s, "restarts", .help = "Time of restarts and of lost work that is repeated."),
    RUN_PART(evaluate_s, "evaluation", .help = "Time of all evaluations of the run."),
    RUN_PART(warmup_s, "warm-up", .help = "Time of start, compilation and ramp of the batch size."),
    RUN_PART(planned_s, "planned stops", .help = "Time of all planned stops of the run."),
    RUN_PART(sites_s, "sites", .help = "Time that training waits for averages over the sites."),
    TIME(run_s, .head = "run", .help = "Time of the whole run from its start to its end."),
    NNC_NUMBER(nnc_run, days, .show = NNC_SHOW_COUNT, .unit = "days", .help = "Time of the run in days."),
    NNC_NUMBER(nnc_run, device_hours, .unit = "h", .show = NNC_SHOW_COUNT, .help = "Device-hours of the run."),

    NNC_NUMBER(nnc_run, price_per_device_hour, .help = "Price of one device for one hour."),
    COST_PART(cost_devices, .help = "Price of the device-hours."),
    COST_PART(cost_storage, .help = "Price of the data that the run stores."),
    COST_PART(cost_egress, .help = "Price of the data that the run moves out of the cloud."),
    NNC_NUMBER(nnc_run, cost, .help = "Price of the run."),
    NNC_NUMBER(nnc_run, cost_per_million_tokens, .help = "Price of the whole run per million training tokens."),

    NNC_NUMBER(nnc_run, busy_share, .show = NNC_SHOW_PERCENT, .help = "Share of the run in which a device is busy."),
    NNC_NUMBER(nnc_run, power_w, .unit = "W", .help = "Mean power of one device, including its share of the node."),
    NNC_NUMBER(nnc_run, energy_j, .unit = "J",
               .help = "Energy of the run, with the overhead of the data centre (PUE)."),
    NNC_NUMBER(nnc_run, rated_energy_j, .unit = "J",
               .help = "Rated power of the devices x device-hours x PUE. Most published energies of a run are computed "
                       "by this formula."),
    NNC_NUMBER(nnc_run, carbon_kg, .unit = "kg", .help = "Carbon dioxide emitted for the energy of the run."),
    NNC_NUMBER(nnc_run, rated_carbon_kg, .unit = "kg", .help = "Carbon dioxide emitted for rated_energy_j."),
    NNC_NUMBER(nnc_run, embodied_carbon_kg, .unit = "kg",
               .help = "Carbon dioxide emitted to make the devices x the run's share of their lifetime."),
};
const nnc_metrics nnc_run_metrics = NNC_METRICS("a whole run", run_rows, nnc_run);
