/* What serving says. */
#include "metrics/metrics_internal.h"
#include "serve/serve_images.h"

#define SECONDS(member, ...) NNC_NUMBER(nnc_serve, member, .unit = "s", __VA_ARGS__)
#define BYTES(member, ...) NNC_NUMBER(nnc_serve, member, .unit = "B", __VA_ARGS__)
#define COUNT(member, ...) NNC_NUMBER(nnc_serve, member, .show = NNC_SHOW_COUNT, __VA_ARGS__)
#define OF(member) NNC_IN(nnc_serve, member)

/* ---- what was asked ---- */

NNC_GET(get_input_params, nnc_report, nnc_number_cell(self->serve->params))

static const nnc_metric model_rows[] = {
    NNC_AS("asked", TEXT, NNC_IN(nnc_report, model_asked), .help = "As it was asked for."),
    NNC_AS("id", CHARS, NNC_VIA(nnc_report, model), NNC_IN(nnc_model, id), .help = "Its id."),
    NNC_AS("name", CHARS, NNC_VIA(nnc_report, model), NNC_IN(nnc_model, name),
           .help = "Its name in full."),
    NNC_AS("params", NUMBER, .get = get_input_params, .show = NNC_SHOW_COUNT,
           .help = "Parameters."),
    NNC_AS("overrides", TEXT, NNC_IN(nnc_report, overrides), .help = "What --set changed."),
};
static const nnc_metrics model_metrics = NNC_METRICS("the model", model_rows, nnc_report);

static const nnc_metric device_rows[] = {
    NNC_AS("asked", TEXT, NNC_IN(nnc_report, device_asked), .help = "As it was asked for."),
    NNC_AS("id", CHARS, NNC_VIA(nnc_report, device), NNC_IN(nnc_device, id), .help = "Its id."),
    NNC_AS("name", CHARS, NNC_VIA(nnc_report, device), NNC_IN(nnc_device, name),
           .help = "Its name in full."),
};
static const nnc_metrics device_metrics = NNC_METRICS("the device", device_rows, nnc_report);

#define PLAN(member, ...) NNC_WHOLE(nnc_serve_ask, member, __VA_ARGS__)
static const nnc_metric plan_rows[] = {
    PLAN(devices, .help = "Devices in all."),
    PLAN(data, .help = "Replicas that share the requests."),
    PLAN(tensor, .help = "Devices that split each matrix product."),
    PLAN(pipeline, .help = "Stages the layers are spread over."),
    PLAN(expert, .help = "Devices that hold whole experts; 1 = every expert is split."),
    PLAN(attention_data, .help = "Groups of tensor ranks with requests of their own."),
    PLAN(input_len, .help = "Tokens of a prompt."),
    PLAN(output_len, .help = "Tokens that are generated for it."),
    PLAN(batch, .blank_zero = true, .help = "Requests of a static batch."),
    PLAN(concurrency, .blank_zero = true, .help = "Requests that are always open."),
    NNC_NUMBER(nnc_serve_ask, waves, .help = "Requests of a benchmark over those that are open."),
    NNC_NUMBER(nnc_serve_ask, request_rate, .help = "Requests per second."),
    NNC_NUMBER(nnc_serve_ask, prefix_hit, .help = "Share of a prompt that is cached already."),
    NNC_NAMED(nnc_serve_ask, precision, nnc_dtype_name, NNC_DTYPE_COUNT,
              .help = "Format that products are computed in."),
    NNC_NAMED(nnc_serve_ask, weights, nnc_stored_name, NNC_STORED_COUNT,
              .help = "Format that weights are stored in."),
    PLAN(group_size, .help = "Weights that share a scale, of int4."),
    NNC_NAMED(nnc_serve_ask, kv_precision, nnc_stored_name, NNC_STORED_COUNT,
              .help = "Format that keys and values are cached in."),
    NNC_NUMBER(nnc_serve_ask, memory_use, .help = "Share of the device memory that is used."),
    PLAN(block, .help = "Tokens per block of the paged cache."),
    PLAN(chunk, .help = "Tokens of a prefill step at most."),
    PLAN(max_batch, .help = "Sequences that decode together at most."),
    NNC_AS("draft", CHARS, NNC_IN(nnc_serve_ask, draft), .help = "Model that proposes tokens."),
    PLAN(draft_length, .blank_zero = true, .help = "Tokens that a draft proposes."),
    NNC_AS("disaggregate", CHARS, NNC_IN(nnc_serve_ask, disaggregate),
           .help = "Replicas that prefill alone, and that decode alone."),
    NNC_NUMBER(nnc_serve_ask, imbalance,
               .help = "Tokens of the busiest rank of experts over the mean."),
};
static const nnc_metrics plan_metrics = NNC_METRICS("how it is served", plan_rows, nnc_serve_ask);

NNC_GET(get_software, nnc_report, nnc_text_cell(self->software->id))

static const nnc_metric whole_plan_rows[] = {
    NNC_AS("mode", ENUM, NNC_VIA(nnc_report, serve), OF(mode),
           .names = { nnc_serve_mode_name, NNC_SERVE_MODE_COUNT }, .help = "How requests come."),
    NNC_AS("software", TEXT, .get = get_software, .help = "The engine's profile."),
    NNC_ROWS(&plan_metrics, NNC_VIA(nnc_report, serve), OF(plan)),
};
static const nnc_metrics whole_plan_metrics =
    NNC_METRICS("how it is served", whole_plan_rows, nnc_report);

/* ---- steps ---- */

#define STEP(member, ...) NNC_NUMBER(nnc_serve_step, member, __VA_ARGS__)
static const nnc_metric step_rows[] = {
    STEP(time_s, .unit = "s", .head = "time", .help = "The step, all of it."),
    STEP(product_s, .unit = "s", .head = "products",
         .help = "Products with weights, but experts and head."),
    STEP(expert_s, .unit = "s", .head = "experts", .help = "Products of the experts."),
    STEP(attention_s, .unit = "s", .head = "attention",
         .help = "Attention over the cache, and layers that keep a state."),
    STEP(head_s, .unit = "s", .head = "head", .help = "Logits and sampling."),
    STEP(comm_s, .unit = "s", .head = "network", .drop = 1, .help = "Between devices."),
    STEP(host_s, .unit = "s", .head = "host",
         .help = "The engine's own time: per step, layer and sequence."),
    STEP(lower_bound_s, .unit = "s", .head = "bound",
         .help = "What no implementation beats: datasheet rates, everything overlapped."),
    NNC_NAMED(nnc_serve_step, bound, nnc_bound_name, NNC_BOUND_COUNT, .head = "by",
              .help = "What takes most of the step."),
    STEP(sequences, .show = NNC_SHOW_COUNT, .help = "Sequences of a replica."),
    STEP(new_tokens, .show = NNC_SHOW_COUNT, .help = "Tokens of each that are computed."),
    STEP(context, .show = NNC_SHOW_COUNT, .help = "Positions that the last of them attends to."),
    STEP(steps, .show = NNC_SHOW_COUNT, .help = "Passes over the weights: chunks of a prefill."),
    STEP(flops, .unit = "FLOP", .help = "FLOPs of one device of a tensor group."),
    STEP(weight_bytes, .unit = "B", .help = "Weights that it reads."),
    STEP(kv_bytes, .unit = "B", .help = "Keys and values that it reads and writes."),
    STEP(bytes, .unit = "B", .help = "Both together."),
    STEP(network_bytes, .unit = "B", .help = "What it sends to other devices."),
    STEP(intensity_flops_per_byte, .unit = "FLOP/B", .help = "FLOPs over bytes."),
};
const nnc_metrics nnc_serve_step_metrics =
    NNC_METRICS("a step of serving", step_rows, nnc_serve_step);

static const nnc_metric decode_rows[] = {
    NNC_ROWS(&nnc_serve_step_metrics, OF(decode)),
    COUNT(critical_batch, .help = "Sequences at which decode becomes compute-bound; null: none do.",
          .more = NNC_MORE(.source = "docs/serving.md")),
    NNC_NUMBER(nnc_serve, intensity_limit_flops_per_byte, .unit = "FLOP/B",
               .help = "Intensity that decode of ever more sequences comes near."),
};
static const nnc_metrics decode_metrics = NNC_METRICS("one decode step", decode_rows, nnc_serve);

/* ---- answers ---- */

static const nnc_metric latency_rows[] = {
    SECONDS(ttft_s, .head = "TTFT", .help = "Time to the first token.",
            .more = NNC_MORE(.source = "docs/serving.md")),
    SECONDS(tpot_s, .head = "TPOT", .help = "Time per output token after it.",
            .more = NNC_MORE(.source = "docs/serving.md")),
    SECONDS(request_s, .head = "request", .help = "A request from its begin to its last token."),
    SECONDS(queue_s, .help = "Of the time to the first token, waiting for others."),
    NNC_AS("ttft_interval_s", NUMBER, OF(ttft_interval_s), .each_count = 2, .unit = "s",
           .help = "Where nine of ten measurements fall."),
    NNC_AS("tpot_interval_s", NUMBER, OF(tpot_interval_s), .each_count = 2, .unit = "s",
           .help = "Where nine of ten measurements fall."),
    SECONDS(ttft_lower_bound_s, .help = "No implementation is faster to the first token."),
    SECONDS(tpot_lower_bound_s, .help = "No implementation is faster from token to token."),
    SECONDS(request_lower_bound_s, .help = "No implementation is faster with a request."),
};
static const nnc_metrics latency_metrics = NNC_METRICS("latency", latency_rows, nnc_serve);

static const nnc_metric throughput_rows[] = {
    COUNT(output_tokens_per_s, .head = "tok/s",
          .help = "Generated tokens per second, all devices."),
    COUNT(output_tokens_per_s_per_device, .head = "tok/s/device",
          .help = "The same of one device."),
    COUNT(tokens_per_s_per_user, .head = "tok/s/user",
          .help = "Generated tokens per second that one request sees."),
    COUNT(input_tokens_per_s, .help = "Tokens of prompts per second, all devices."),
    COUNT(requests_per_s, .help = "Requests per second."),
    COUNT(running, .help = "Sequences that decode at a time, all replicas."),
    NNC_NUMBER(nnc_serve, utilization, .show = NNC_SHOW_PERCENT,
               .help = "Share of the peak FLOP/s that is used."),
    COUNT(upper_bound_tokens_per_s,
          .help = "No implementation generates more with so many running."),
    COUNT(saturation_rate, .help = "Requests per second beyond which the queue grows without end."),
    NNC_BOOL(nnc_serve, saturated, .help = "Whether requests come faster than that."),
};
static const nnc_metrics throughput_metrics = NNC_METRICS("throughput", throughput_rows, nnc_serve);

static const char used_memory[] = "memory.total_bytes";
static const nnc_metric memory_rows[] = {
    BYTES(weight_bytes, .help = "Weights of one device, with those of a draft.",
          .more = NNC_MORE(.part_of = used_memory)),
    BYTES(workspace_bytes, .help = "Activations, graphs and workspace.",
          .more = NNC_MORE(.part_of = used_memory)),
    BYTES(kv_bytes, .help = "Cache of the sequences that run, at full length.",
          .more = NNC_MORE(.part_of = used_memory)),
    BYTES(kv_bytes_per_token, .help = "What a token more adds to the cache of one device.",
          .more = NNC_MORE(.source = "arXiv:2305.13245; docs/serving.md")),
    BYTES(state_bytes_per_sequence, .help = "States of a sequence, whatever its length."),
    BYTES(free_bytes, .help = "What the cache may have."),
    COUNT(max_tokens, .help = "Tokens that it holds, all devices."),
    COUNT(max_sequences, .help = "Requests at full length that it holds, all devices."),
    BYTES(paging_waste_bytes, .help = "Of a sequence, in its last block, on average.",
          .more = NNC_MORE(.source = "arXiv:2309.06180")),
    BYTES(total_bytes, .help = "Memory that is used on one device."),
    BYTES(capacity_bytes, .help = "Memory of one device."),
    BYTES(headroom_bytes, .any_sign = true,
          .help = "What is left of the share in use; negative: it does not fit."),
    NNC_BOOL(nnc_serve, fits, .help = "Whether the requests fit."),
};
static const nnc_metrics memory_metrics =
    NNC_METRICS("memory of one device", memory_rows, nnc_serve);

NNC_GET(get_currency, nnc_report, nnc_text_cell(nnc_price_currency(self->device)))

static const nnc_metric money_rows[] = {
    NNC_NUMBER(nnc_serve, price_per_device_hour, .help = "Price of one device for one hour."),
    NNC_NUMBER(nnc_serve, per_million_output_tokens,
               .help = "Price of all devices over the tokens that are generated."),
    NNC_NUMBER(nnc_serve, per_million_prefilled_tokens,
               .help = "Price of the time that prefill takes, over the tokens of prompts."),
    NNC_NUMBER(nnc_serve, per_million_decoded_tokens,
               .help = "Price of the time that decode takes, over the tokens that are generated."),
    NNC_NUMBER(nnc_serve, energy_j_per_token, .unit = "J",
               .help = "Energy of a generated token at the rated power of the boards."),
    NNC_NUMBER(nnc_serve, carbon_g_per_million_tokens, .unit = "g",
               .help = "Carbon dioxide of a million generated tokens, of that energy."),
};
static const nnc_metrics money_metrics = NNC_METRICS("cost", money_rows, nnc_serve);

static const nnc_metric cost_rows[] = {
    NNC_AS("currency", TEXT, .get = get_currency, .help = "Currency of the prices."),
    NNC_ROWS(&money_metrics, NNC_VIA(nnc_report, serve)),
};
static const nnc_metrics cost_metrics = NNC_METRICS("cost", cost_rows, nnc_report);

static const nnc_metric formula_rows[] = {
    SECONDS(ttft_p99_s, .help = "99th percentile of the time to the first token, open loop."),
    COUNT(tokens_per_verify, .help = "Tokens that one verification of a draft yields.",
          .more = NNC_MORE(.source = "arXiv:2211.17192")),
    SECONDS(draft_s, .help = "A step of the draft."),
    SECONDS(verify_s, .help = "A decode step that verifies what a draft proposed."),
    NNC_NUMBER(nnc_serve, speculation_speedup,
               .help = "Time per token without the draft over with it."),
    SECONDS(speculation_tpot_s, .help = "Time per output token with the draft."),
    BYTES(transfer_bytes, .help = "Cache of a prompt that goes from prefill to decode."),
    SECONDS(transfer_s, .help = "Time that this takes."),
    COUNT(apart_requests_per_s, .help = "Requests per second of such workers."),
    NNC_NUMBER(nnc_serve, apart_workers_ratio,
               .help = "Workers that prefill for each that decodes, so that neither waits."),
    SECONDS(apart_ttft_s, .help = "Time to the first token of such workers, without a queue."),
    SECONDS(apart_tpot_s, .help = "Time per output token of such workers, at their full batch."),
};
static const nnc_metrics formula_metrics =
    NNC_METRICS("by formula alone, not scored", formula_rows, nnc_serve);

/* ---- all of it ---- */

static const nnc_metric serve_rows[] = {
    NNC_AS("model", OBJECT, .rows = &model_metrics),
    NNC_AS("device", OBJECT, .rows = &device_metrics),
    NNC_AS("plan", OBJECT, .rows = &whole_plan_metrics),
    NNC_AS("prefill", OBJECT, NNC_VIA(nnc_report, serve), OF(prefill),
           .rows = &nnc_serve_step_metrics),
    NNC_AS("decode", OBJECT, NNC_VIA(nnc_report, serve), .rows = &decode_metrics),
    NNC_AS("latency", OBJECT, NNC_VIA(nnc_report, serve), .rows = &latency_metrics),
    NNC_AS("throughput", OBJECT, NNC_VIA(nnc_report, serve), .rows = &throughput_metrics),
    NNC_AS("memory", OBJECT, NNC_VIA(nnc_report, serve), .rows = &memory_metrics),
    NNC_AS("cost", OBJECT, .rows = &cost_metrics),
    NNC_AS("formula", OBJECT, NNC_VIA(nnc_report, serve), .rows = &formula_metrics),
};
const nnc_metrics nnc_serve_metrics = NNC_METRICS("serving", serve_rows, nnc_report);

static const nnc_metric op_rows[] = {
    NNC_TEXT(nnc_serve_op, name, .head = "op", .help = "What it is called in the network."),
    NNC_TEXT(nnc_serve_op, phase, .head = "phase", .help = "prefill or decode."),
    NNC_NUMBER(nnc_serve_op, count, .head = "count", .show = NNC_SHOW_COUNT,
               .help = "Kernels of the step."),
    NNC_NUMBER(nnc_serve_op, rows, .head = "rows", .show = NNC_SHOW_COUNT,
               .help = "Tokens that pass it."),
    NNC_NUMBER(nnc_serve_op, flops, .unit = "FLOP", .head = "FLOPs", .show = NNC_SHOW_SCALED,
               .help = "Work of all of them on one device."),
    NNC_NUMBER(nnc_serve_op, weight_bytes, .unit = "B", .head = "weights",
               .help = "Weights that they read."),
    NNC_NUMBER(nnc_serve_op, kv_bytes, .unit = "B", .head = "cache",
               .help = "Keys, values and states that they read and write."),
    NNC_NUMBER(nnc_serve_op, time_s, .unit = "s", .head = "time", .help = "Time of all of them."),
    NNC_NAMED(nnc_serve_op, bound, nnc_bound_name, NNC_BOUND_COUNT, .head = "bound",
              .help = "What takes most of it."),
};
const nnc_metrics nnc_serve_op_metrics = NNC_METRICS("an op of a step", op_rows, nnc_serve_op);

static const nnc_metric document_rows[] = {
    NNC_ROWS(&nnc_serve_metrics),
    NNC_AS("ops", LIST, NNC_IN(nnc_report, serve_ops), NNC_COUNT(nnc_report, serve_op_count),
           .rows = &nnc_serve_op_metrics,
           .help = "Every op of prefill and of a decode step, equal layers together."),
};
const nnc_metrics nnc_serve_document = NNC_METRICS("serving", document_rows, nnc_report);

const nnc_metric *nnc_figure_metric(const char *name)
{
    const nnc_metric *metric = nnc_metric_find(&nnc_estimate_run_metrics, name);
    metric = metric != NULL ? metric : nnc_metric_find(&nnc_serve_metrics, name);
    return metric != NULL ? metric : nnc_metric_find(&nnc_images_metrics, name);
}

/* What the sampling of images says. */

#define IMAGES(member, ...) NNC_NUMBER(nnc_images, member, __VA_ARGS__)
static const nnc_metric figure_rows[] = {
    NNC_AS("steps", WHOLE, NNC_IN(nnc_images, plan.steps), .help = "Forward passes of an image."),
    NNC_AS("guidance", BOOL, NNC_IN(nnc_images, plan.guidance),
           .help = "Whether each is made twice."),
    NNC_AS("image", WHOLE, NNC_IN(nnc_images, plan.image), .help = "Pixels per side."),
    NNC_AS("batch", WHOLE, NNC_IN(nnc_images, plan.batch), .help = "Images at a time."),
    NNC_AS("precision", ENUM, NNC_IN(nnc_images, plan.precision),
           .names = { nnc_dtype_name, NNC_DTYPE_COUNT }, .help = "Format of the arithmetic."),
    IMAGES(forward_s, .unit = "s", .help = "One pass over the batch."),
    IMAGES(forward_flops, .unit = "FLOP", .help = "FLOPs of that pass."),
    IMAGES(text_s, .unit = "s", .help = "Encoders of the prompts, of a batch."),
    IMAGES(decode_s, .unit = "s", .help = "The decoder of the latents, of a batch."),
    IMAGES(image_s, .unit = "s", .head = "time", .help = "Until the images of a batch are done."),
    IMAGES(lower_bound_s, .unit = "s", .help = "What no implementation beats."),
    IMAGES(images_per_s, .help = "Images per second of one device."),
    IMAGES(utilization, .show = NNC_SHOW_PERCENT, .help = "Share of the peak FLOP/s that is used."),
    IMAGES(weight_bytes, .unit = "B", .help = "Weights of all networks in 16 bits."),
    IMAGES(capacity_bytes, .unit = "B", .help = "Memory of the device."),
    NNC_BOOL(nnc_images, fits, .help = "Whether it holds all weights at once."),
    IMAGES(price_per_device_hour, .help = "Price of the device for one hour."),
    IMAGES(per_thousand_images, .help = "Price of a thousand images."),
    IMAGES(energy_j_per_image, .unit = "J",
           .help = "Energy of an image at the board's rated power."),
    IMAGES(carbon_g_per_thousand_images, .unit = "g",
           .help = "Carbon dioxide of a thousand images, of that energy."),
};
static const nnc_metrics figures = NNC_METRICS("images by diffusion", figure_rows, nnc_images);

NNC_GET(get_model, nnc_report, nnc_text_cell(self->model->id))
NNC_GET(get_device, nnc_report, nnc_text_cell(self->device->id))
NNC_GET(get_encoders, nnc_report, nnc_text_cell(self->model->text_encoders))
NNC_GET(get_decoder, nnc_report, nnc_text_cell(self->model->image_decoder))

static const nnc_metric images_rows[] = {
    NNC_AS("model", TEXT, .get = get_model, .help = "Id of the model."),
    NNC_AS("device", TEXT, .get = get_device, .help = "Id of the device."),
    NNC_AS("software", TEXT, .get = get_software, .help = "Id of the software profile."),
    NNC_AS("text_encoders", TEXT, .get = get_encoders, .help = "Models that read the prompt."),
    NNC_AS("image_decoder", TEXT, .get = get_decoder, .help = "The model that makes the image."),
    NNC_AS("currency", TEXT, .get = get_currency, .help = "Currency of the prices."),
    NNC_AS("images", OBJECT, NNC_VIA(nnc_report, images), .rows = &figures),
};
const nnc_metrics nnc_images_metrics = NNC_METRICS("images by diffusion", images_rows, nnc_report);
