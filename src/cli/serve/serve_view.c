#include "cli/serve/serve_view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/subject.h"
#include "render/table.h"
#include "render/text.h"

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
