/* serve */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/command.h"
#include "cli/scenario_asked.h"
#include "cli/views_internal.h"
#include "explain/explain.h"
#include "serve/serve_images.h"

static void write_id(nnc_sheet *sheet, const char *label, const char *asked, const char *id)
{
    nnc_sheet_label(sheet, label);
    if (asked == NULL || strcmp(asked, id) == 0) {
        nnc_sheet_item(sheet, NNC_INK_STRONG, "%s", id);
    } else {
        nnc_sheet_item(sheet, NNC_INK_STRONG, "%s = %s", asked, id);
    }
}

static void write_subject(nnc_sheet *sheet, const nnc_report *report)
{
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT], c[NNC_NUMBER_TEXT];
    const nnc_serve *s = report->serve;
    const nnc_device *device = report->device;
    write_id(sheet, "model", report->model_asked, report->model->id);
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s", report->model->name);
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s parameters", nnc_count_text(s->params, a));
    if (report->overrides != NULL) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "set %s", report->overrides);
    }
    nnc_sheet_end(sheet);
    write_id(sheet, "device", report->device_asked, device->id);
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s peak in %s",
                   nnc_unit_text(nnc_device_matmul_peak(device, s->plan.precision), "FLOP/s", a),
                   nnc_dtype_name(s->plan.precision));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s", nnc_unit_text(device->mem_bytes_per_s, "B/s", b));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s", nnc_unit_text((double)device->mem_bytes, "B", c));
    nnc_sheet_end(sheet);
}

static void write_degree(nnc_sheet *sheet, const char *name, int32_t degree)
{
    if (degree > 1) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s %" PRId32, name, degree);
    }
}

static void write_plan(nnc_sheet *sheet, const nnc_report *report)
{
    char a[NNC_NUMBER_TEXT];
    const nnc_serve *s = report->serve;
    const nnc_serve_ask *p = &s->plan;
    nnc_sheet_label(sheet, "plan");
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%" PRId32 " device%s", p->devices,
                   p->devices > 1 ? "s" : "");
    write_degree(sheet, "tensor", p->tensor);
    write_degree(sheet, "pipeline", p->pipeline);
    write_degree(sheet, "attention data", p->attention_data);
    write_degree(sheet, "expert", p->expert);
    write_degree(sheet, "data", p->data);
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "weights %s", nnc_stored_name(p->weights));
    if (strcmp(nnc_stored_name(p->weights), nnc_dtype_name(p->precision)) != 0) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "products in %s", nnc_dtype_name(p->precision));
    }
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "cache %s", nnc_stored_name(p->kv_precision));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "software %s", report->software->id);
    nnc_sheet_end(sheet);
    nnc_sheet_label(sheet, "requests");
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s tokens in", nnc_count_text((double)p->input_len, a));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s out", nnc_count_text((double)p->output_len, a));
    switch (s->mode) {
    case NNC_SERVE_STATIC:
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "a static batch of %" PRId64, p->batch);
        break;
    case NNC_SERVE_CLOSED:
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%" PRId64 " always open", p->concurrency);
        break;
    case NNC_SERVE_OPEN:
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s per second", nnc_count_text(p->request_rate, a));
        break;
    default: nnc_sheet_item(sheet, NNC_INK_PLAIN, "offline, as many as fit"); break;
    }
    if (p->prefix_hit > 0.0) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s of the prompt cached",
                       nnc_percent_text(p->prefix_hit, a));
    }
    nnc_sheet_end(sheet);
}

static void write_time(nnc_sheet *sheet, const char *label, double time_s, const double interval[2],
                       double bound_s)
{
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    nnc_sheet_label(sheet, label);
    if (isinf(time_s)) {
        nnc_sheet_item(sheet, NNC_INK_BAD, "grows without end");
        nnc_sheet_end(sheet);
        return;
    }
    nnc_sheet_item(sheet, NNC_INK_STRONG, "%s", nnc_unit_text(time_s, "s", a));
    if (interval != NULL && !isnan(interval[0])) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "nine of ten measurements from %s to %s",
                       nnc_unit_text(interval[0], "s", a), nnc_unit_text(interval[1], "s", b));
    }
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "at least %s", nnc_unit_text(bound_s, "s", a));
    nnc_sheet_end(sheet);
}

static void write_latency(nnc_sheet *sheet, const nnc_serve *s)
{
    write_time(sheet, "first token", s->ttft_s, s->ttft_interval_s, s->ttft_lower_bound_s);
    write_time(sheet, "per token", s->tpot_s, s->tpot_interval_s, s->tpot_lower_bound_s);
    write_time(sheet, "request", s->request_s, NULL, s->request_lower_bound_s);
}

static void write_throughput(nnc_sheet *sheet, const nnc_serve *s)
{
    char a[NNC_NUMBER_TEXT];
    nnc_sheet_label(sheet, "throughput");
    nnc_sheet_item(sheet, NNC_INK_STRONG, "%s tokens/s", nnc_count_text(s->output_tokens_per_s, a));
    if (s->plan.devices > 1) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s per device",
                       nnc_count_text(s->output_tokens_per_s_per_device, a));
    }
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s per user",
                   nnc_count_text(s->tokens_per_s_per_user, a));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s requests/s", nnc_count_text(s->requests_per_s, a));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s running", nnc_count_text(s->running, a));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s of the peak", nnc_percent_text(s->utilization, a));
    nnc_sheet_end(sheet);
    nnc_sheet_label(sheet, "saturation");
    nnc_sheet_item(sheet, s->saturated ? NNC_INK_BAD : NNC_INK_PLAIN, "at %s requests/s%s",
                   nnc_count_text(s->saturation_rate, a),
                   s->saturated ? ": the queue grows without end" : "");
    nnc_sheet_end(sheet);
    nnc_sheet_label(sheet, "decode");
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s-bound", nnc_bound_name(s->decode.bound));
    if (isnan(s->critical_batch)) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN,
                       "at this length no number of sequences makes it compute-bound");
    } else {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "compute-bound from %s sequences on",
                       nnc_count_text(ceil(s->critical_batch), a));
    }
    nnc_sheet_end(sheet);
}

static void write_memory(nnc_sheet *sheet, const nnc_serve *s)
{
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    nnc_sheet_label(sheet, "memory");
    if (s->fits) {
        nnc_sheet_item(sheet, NNC_INK_GOOD, "fits");
    } else {
        nnc_sheet_item(sheet, NNC_INK_BAD, "does not fit by %s",
                       nnc_unit_text(-s->headroom_bytes, "B", a));
    }
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s of %s", nnc_unit_text(s->total_bytes, "B", a),
                   nnc_unit_text(s->plan.memory_use * s->capacity_bytes, "B", b));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "weights %s", nnc_unit_text(s->weight_bytes, "B", a));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "cache %s", nnc_unit_text(s->kv_bytes, "B", a));
    nnc_sheet_end(sheet);
    nnc_sheet_label(sheet, "");
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s a token",
                   nnc_unit_text(s->kv_bytes_per_token, "B", a));
    nnc_sheet_item(sheet, NNC_INK_STRONG, "at most %s sequences of this length",
                   nnc_count_text(s->max_sequences, a));
    nnc_sheet_end(sheet);
}

static void write_cost(nnc_sheet *sheet, const nnc_report *report)
{
    char a[NNC_NUMBER_TEXT];
    const nnc_serve *s = report->serve;
    const char *currency = nnc_price_currency(report->device);
    if (!isnan(s->per_million_output_tokens)) {
        nnc_sheet_label(sheet, "cost");
        nnc_sheet_item(sheet, NNC_INK_STRONG, "%s %s per million tokens out",
                       nnc_count_text(s->per_million_output_tokens, a), currency);
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "by time %s for a million in",
                       nnc_count_text(s->per_million_prefilled_tokens, a));
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s out",
                       nnc_count_text(s->per_million_decoded_tokens, a));
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "at %s %s per device-hour",
                       nnc_count_text(s->price_per_device_hour, a), currency);
        const nnc_price *price = report->device->price_count > 0 ? report->device->prices : NULL;
        if (price != NULL && price->per_device_hour == s->price_per_device_hour) {
            nnc_sheet_price(sheet, price);
        }
        nnc_sheet_end(sheet);
    }
    if (!isnan(s->energy_j_per_token)) {
        nnc_sheet_label(sheet, "energy");
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s a token at rated power",
                       nnc_unit_text(s->energy_j_per_token, "J", a));
        if (!isnan(s->carbon_g_per_million_tokens)) {
            nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s g of carbon dioxide per million out",
                           nnc_count_text(s->carbon_g_per_million_tokens, a));
            nnc_sheet_item(sheet, NNC_INK_PLAIN, "at %g g/kWh", s->plan.carbon_g_per_kwh);
            nnc_sheet_region(sheet, report->region);
        }
        nnc_sheet_end(sheet);
    }
}

/* What nothing was measured to compare with. */
static void write_formulas(nnc_sheet *sheet, const nnc_serve *s)
{
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    if (!isnan(s->ttft_p99_s)) {
        nnc_sheet_label(sheet, "99th of 100");
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "first token %s, not scored",
                       nnc_unit_text(s->ttft_p99_s, "s", a));
        nnc_sheet_end(sheet);
    }
    if (!isnan(s->speculation_speedup)) {
        nnc_sheet_label(sheet, "speculation");
        if (s->plan.draft[0] != '\0') {
            nnc_sheet_item(sheet, NNC_INK_PLAIN, "draft %s", s->plan.draft);
        }
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%" PRId64 " x %s to propose", s->plan.draft_length,
                       nnc_unit_text(s->draft_s, "s", a));
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s to verify", nnc_unit_text(s->verify_s, "s", a));
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s tokens a verification",
                       nnc_count_text(s->tokens_per_verify, a));
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "per token %s",
                       nnc_unit_text(s->speculation_tpot_s, "s", a));
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s times as fast, not scored",
                       nnc_count_text(s->speculation_speedup, b));
        nnc_sheet_end(sheet);
    }
    if (!isnan(s->apart_requests_per_s)) {
        nnc_sheet_label(sheet, "apart");
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s requests/s",
                       nnc_count_text(s->apart_requests_per_s, a));
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s workers that prefill for each that decodes",
                       nnc_count_text(s->apart_workers_ratio, b));
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s of cache a prompt",
                       nnc_unit_text(s->transfer_bytes, "B", a));
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "sent in %s", nnc_unit_text(s->transfer_s, "s", b));
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "first token %s",
                       nnc_unit_text(s->apart_ttft_s, "s", a));
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "per token %s, not scored",
                       nnc_unit_text(s->apart_tpot_s, "s", b));
        nnc_sheet_end(sheet);
    }
}

/* Both steps, part by part. */
static void write_steps(nnc_sheet *sheet, const nnc_serve *s)
{
    const nnc_serve_step *steps[] = { &s->prefill, &s->decode };
    static const char *const names[] = { "prefill", "decode" };
    nnc_table table = { .count = 0 };
    nnc_table_head(&table, (nnc_head){ .text = "step", .left = true });
    nnc_table_heads(&table, &nnc_serve_step_metrics);
    for (int i = 0; i < 2; i++) {
        const nnc_place place = { .record = steps[i] };
        nnc_table_cell(&table, names[i]);
        nnc_table_record(&table, &nnc_serve_step_metrics, &place);
    }
    nnc_sheet_gap(sheet);
    nnc_table_write(&table, sheet->out, sheet->style);
    nnc_sheet_gap(sheet);
}

static void serve_page(nnc_buffer *out, nnc_style style, const void *record)
{
    const nnc_report *report = record;
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    sheet.indent = 13;
    write_subject(&sheet, report);
    write_plan(&sheet, report);
    write_steps(&sheet, report->serve);
    write_latency(&sheet, report->serve);
    write_throughput(&sheet, report->serve);
    write_memory(&sheet, report->serve);
    write_cost(&sheet, report);
    write_formulas(&sheet, report->serve);
}

static nnc_lines answer_lines(const void *record)
{
    return (nnc_lines){ &nnc_serve_metrics, NULL, record, 1 };
}

static nnc_lines op_lines(const void *record)
{
    const nnc_report *report = record;
    return (nnc_lines){ &nnc_serve_op_metrics, NULL, report->serve_ops, report->serve_op_count };
}

static void ops_page(nnc_buffer *out, nnc_style style, const void *record)
{
    const nnc_report *report = record;
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    sheet.indent = 13;
    write_subject(&sheet, report);
    write_plan(&sheet, report);
    nnc_sheet_gap(&sheet);
    nnc_table_of(out, style, op_lines(record));
}

const nnc_view nnc_serve_view = { .schema = "nncost.serve/1",
                                  .document = &nnc_serve_document,
                                  .lines = answer_lines,
                                  .page = serve_page };
const nnc_view nnc_serve_ops_view = {
    .schema = "nncost.serve/1", .document = &nnc_serve_document, .lines = op_lines, .page = ops_page
};

static nnc_lines images_lines(const void *record)
{
    return (nnc_lines){ &nnc_images_metrics, NULL, record, 1 };
}

/* What stands before and behind the passes. */
static void write_image_parts(nnc_sheet *sheet, const nnc_report *report)
{
    const nnc_images *i = report->images;
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    nnc_sheet_label(sheet, "parts");
    if (i->plan.encoder_count > 0) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "prompt %s (%s)", nnc_unit_text(i->text_s, "s", a),
                       report->model->text_encoders);
    }
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%" PRId64 " x %s", i->plan.steps,
                   nnc_unit_text(i->forward_s, "s", a));
    if (i->plan.decoder != NULL) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "image %s (%s)", nnc_unit_text(i->decode_s, "s", a),
                       report->model->image_decoder);
    }
    nnc_sheet_item(sheet, i->fits ? NNC_INK_PLAIN : NNC_INK_BAD, "weights %s of %s",
                   nnc_unit_text(i->weight_bytes, "B", a),
                   nnc_unit_text(i->capacity_bytes, "B", b));
    nnc_sheet_end(sheet);
}

static void images_page(nnc_buffer *out, nnc_style style, const void *record)
{
    const nnc_report *self = record;
    const nnc_images *i = self->images;
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    sheet.indent = 11;
    nnc_sheet_label(&sheet, "images");
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%s on %s", self->model->id, self->device->id);
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%" PRId64 " x %" PRId64 " pixels", i->plan.image,
                   i->plan.image);
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%" PRId64 " at a time", i->plan.batch);
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%" PRId64 " steps%s", i->plan.steps,
                   i->plan.guidance ? " with guidance" : "");
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%s", nnc_dtype_name(i->plan.precision));
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "software %s", self->software->id);
    nnc_sheet_end(&sheet);
    write_image_parts(&sheet, self);
    nnc_sheet_label(&sheet, "time");
    nnc_sheet_item(&sheet, NNC_INK_STRONG, "%s", nnc_unit_text(i->image_s, "s", a));
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%s a step", nnc_unit_text(i->forward_s, "s", b));
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "at least %s in all",
                   nnc_unit_text(i->lower_bound_s, "s", a));
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%s of the peak", nnc_percent_text(i->utilization, b));
    nnc_sheet_end(&sheet);
    nnc_sheet_label(&sheet, "throughput");
    nnc_sheet_item(&sheet, NNC_INK_STRONG, "%s images/s", nnc_count_text(i->images_per_s, a));
    if (!isnan(i->per_thousand_images)) {
        nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%s %s per thousand images",
                       nnc_count_text(i->per_thousand_images, a), nnc_price_currency(self->device));
    }
    const nnc_price *price = self->device->price_count > 0 ? self->device->prices : NULL;
    if (price != NULL && price->per_device_hour == i->price_per_device_hour) {
        nnc_sheet_price(&sheet, price);
    }
    if (!isnan(i->energy_j_per_image)) {
        nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%s an image at rated power",
                       nnc_unit_text(i->energy_j_per_image, "J", a));
    }
    if (!isnan(i->carbon_g_per_thousand_images)) {
        nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%s g of carbon dioxide per thousand",
                       nnc_count_text(i->carbon_g_per_thousand_images, a));
        nnc_sheet_region(&sheet, self->region);
    }
    nnc_sheet_end(&sheet);
}

const nnc_view nnc_images_view = { .schema = "nncost.images/1",
                                   .document = &nnc_images_metrics,
                                   .lines = images_lines,
                                   .page = images_page };

/* ---- the commands ---- */

static nnc_status load(nnc_session *session, nnc_arena *arena, const char *model,
                       const char *device, nnc_serve_scenario *scenario, nnc_error *err)
{
    const nnc_given *given = &session->options.given;
    const nnc_plans_scenario *picked = NULL;
    const nnc_plans *plans = NULL;
    NNC_TRY(nnc_asked_plans(session, arena, model, device, &plans, &picked, err));
    return plans != NULL
               ? nnc_plans_load_served(session->specs, given, arena, plans, picked, device,
                                       scenario, err)
               : nnc_serve_scenario_load(session->specs, given, model, device, scenario, err);
}

static nnc_status answer(nnc_session *session, nnc_serve_scenario *scenario, nnc_scratch *scratch,
                         nnc_error *err)
{
    const nnc_serve *serve = &scenario->serve;
    NNC_TRY(nnc_serve_scenario_answer(scenario, scratch, err));
    const bool fits = scenario->base.report.images != NULL ? scenario->images.fits
                                                           : serve->fits && !serve->saturated;
    session->exit_code = fits ? 0 : 1;
    return NNC_OK;
}

static nnc_status with_scenario(nnc_session *session, const char *model, const char *device,
                                bool answered, nnc_serve_writer *write, nnc_error *err)
{
    nnc_serve_scenario *scenario = calloc(1, sizeof *scenario);
    nnc_scratch *scratch = nnc_scratch_create();
    nnc_arena *arena = nnc_arena_create();
    nnc_status status = NNC_NO_MEMORY;
    if (scenario == NULL || scratch == NULL || arena == NULL) {
        nnc_no_memory(err);
        goto done;
    }
    status = load(session, arena, model, device, scenario, err);
    if (status == NNC_OK && answered) {
        status = answer(session, scenario, scratch, err);
    }
    if (status == NNC_OK) {
        status = write(session, scenario, scratch, arena, err);
    }
done:
    nnc_arena_destroy(arena);
    nnc_scratch_destroy(scratch);
    free(scenario);
    return status;
}

nnc_status nnc_serve_with(nnc_session *session, const char *model, const char *device,
                          nnc_serve_writer *write, nnc_error *err)
{
    return with_scenario(session, model, device, false, write, err);
}

nnc_status nnc_serve_report(nnc_session *session, const char *model, const char *device,
                            nnc_serve_writer *write, nnc_error *err)
{
    return with_scenario(session, model, device, true, write, err);
}

static nnc_status write_answer(nnc_session *session, nnc_serve_scenario *scenario,
                               nnc_scratch *scratch, nnc_arena *arena, nnc_error *err)
{
    const nnc_report *report = &scenario->base.report;
    (void)scratch, (void)arena, (void)err;
    nnc_view_write(session->out, session->style,
                   report->images != NULL ? &nnc_images_view : &nnc_serve_view, report);
    return NNC_OK;
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    char **operands = session->options.operands;
    return nnc_serve_report(session, operands[0], operands[1], write_answer, err);
}

const nnc_command nnc_cmd_serve = {
    .name = "serve",
    .operands = "MODEL DEVICE | PLANS.json [DEVICE]",
    .summary =
        "A decoder that is served: time to first token and per token, throughput, memory and "
        "cost.",
    .notes =
        "Requests come as a static batch (--batch), a closed loop (--concurrency), an open loop "
        "(--request-rate) or as many as fit (--offline). Exits with 1 when they do not fit, or "
        "when they come faster than they can be served.",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_SERVE | NNC_TAKES_SCENARIO,
    .run = run,
};

static nnc_status write_ops(nnc_session *session, nnc_serve_scenario *scenario,
                            nnc_scratch *scratch, nnc_arena *arena, nnc_error *err)
{
    const nnc_report *report = &scenario->base.report;
    (void)scratch, (void)arena;
    if (report->images != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--steps",
                        "the ops of a pass are those of 'nncost ops %s %s'", report->model_asked,
                        report->device_asked);
    }
    session->exit_code = 0;
    nnc_view_write(session->out, session->style, &nnc_serve_ops_view, report);
    return NNC_OK;
}

static nnc_status run_ops(nnc_session *session, nnc_error *err)
{
    char **operands = session->options.operands;
    return nnc_serve_report(session, operands[0], operands[1], write_ops, err);
}

const nnc_command nnc_cmd_serve_ops = {
    .name = "ops",
    .operands = "MODEL DEVICE | PLANS.json [DEVICE] --serve",
    .summary =
        "Every op of a prefill and of a decode step, equal layers together: work, weights and "
        "cache that it reads, time, what bounds it.",
    .notes = "Exits with 0 whether the requests fit or not.",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_SERVE | NNC_TAKES_SCENARIO | NNC_TAKES_SERVING,
    .run = run_ops,
};

static nnc_status write_explained(nnc_session *session, nnc_serve_scenario *scenario,
                                  nnc_scratch *scratch, nnc_arena *arena, nnc_error *err)
{
    static const nnc_explain_output none = { NULL, NULL };
    (void)scratch, (void)arena;
    session->exit_code = 0;
    return nnc_report_explain(session->out, session->style, &scenario->base.report, &none,
                              session->options.operands[0], err);
}

static nnc_status run_explain(nnc_session *session, nnc_error *err)
{
    char **operands = session->options.operands;
    return nnc_serve_report(session, operands[1], operands[2], write_explained, err);
}

const nnc_command nnc_cmd_serve_explain = {
    .name = "explain",
    .operands = "NAMES MODEL DEVICE | NAMES PLANS.json [DEVICE] --serve",
    .summary = "What metrics of serving are: formula, source, and the numbers put in.",
    .notes =
        "NAMES are joined by commas: metrics by their names in 'nncost serve --format json', such "
        "as tpot_s, kv_bytes_per_token, max_sequences or decode.time_s.",
    .min_operands = 2,
    .max_operands = 3,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_SERVE | NNC_TAKES_SCENARIO | NNC_TAKES_SERVING,
    .run = run_explain,
};
