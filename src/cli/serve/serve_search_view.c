#include "cli/serve/serve_search_view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/sheet.h"
#include "render/table.h"
#include "render/text.h"

#define PLAN(member, ...) NNC_AS(#member, WHOLE, NNC_IN(nnc_serve_found, plan.member), __VA_ARGS__)
#define NUMBER(member, ...) NNC_NUMBER(nnc_serve_found, member, __VA_ARGS__)

/* The device file's price may be missing, and then there is no cost. */
static const nnc_metric found_rows[] = {
    PLAN(devices, .head = "devices", .help = "Devices in all."),
    PLAN(tensor, .head = "tensor", .help = "Devices that split each matrix product."),
    PLAN(pipeline, .head = "pipeline", .help = "Stages the layers are spread over."),
    PLAN(attention_data, .head = "attention", .drop = 2,
         .help = "Groups of tensor ranks with requests of their own."),
    PLAN(expert, .head = "expert", .drop = 3,
         .help = "Devices that hold whole experts; 1 = every expert is split."),
    PLAN(data, .head = "data", .help = "Replicas that share the requests."),
    PLAN(concurrency, .head = "requests", .blank_zero = true,
         .help = "Requests that are always open."),
    NUMBER(ttft_s, .unit = "s", .head = "TTFT", .help = "Time to the first token."),
    NUMBER(tpot_s, .unit = "s", .head = "TPOT", .help = "Time per output token after it."),
    NUMBER(request_s, .unit = "s", .help = "A request from its begin to its last token."),
    NUMBER(output_tokens_per_s, .show = NNC_SHOW_COUNT,
           .help = "Generated tokens per second, all devices."),
    NUMBER(output_tokens_per_s_per_device, .head = "tok/s/device", .show = NNC_SHOW_COUNT,
           .help = "The same of one device."),
    NUMBER(tokens_per_s_per_user, .head = "tok/s/user", .show = NNC_SHOW_COUNT,
           .help = "Generated tokens per second that one request sees."),
    NUMBER(per_million_output_tokens, .head = "per M out", .drop = 1, .show = NNC_SHOW_COUNT,
           .help = "Price of all devices over a million generated tokens."),
    NNC_NAMED(nnc_serve_found, bound, nnc_bound_name, NNC_BOUND_COUNT, .head = "bound",
              .help = "What takes most of a decode step."),
};
static const nnc_metrics found_metrics = NNC_METRICS("a deployment", found_rows, nnc_serve_found);

#define RESULT NNC_VIA(nnc_serve_searched, result)
#define OF(member) RESULT, NNC_IN(nnc_serve_search_result, member)
NNC_IF(found_none, nnc_serve_searched, !self->result->found)

static nnc_cell get_why(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]);
NNC_GET(get_model, nnc_serve_searched, nnc_text_cell(self->report->model->id))
NNC_GET(get_device, nnc_serve_searched, nnc_text_cell(self->report->device->id))
NNC_GET(get_software, nnc_serve_searched, nnc_text_cell(self->report->software->id))

static const nnc_metric search_rows[] = {
    NNC_AS("model", TEXT, .get = get_model, .help = "Id of the model."),
    NNC_AS("device", TEXT, .get = get_device, .help = "Id of the device."),
    NNC_AS("software", TEXT, .get = get_software, .help = "Id of the engine's profile."),
    NNC_AS("slo", TEXT, NNC_IN(nnc_serve_searched, slo), .help = "What was to be held."),
    NNC_AS("deployments", WHOLE, OF(deployments), .help = "Legal ways to divide the devices."),
    NNC_AS("evaluated", WHOLE, OF(evaluated), .help = "Of these with so many requests each."),
    NNC_AS("fitting", WHOLE, OF(fitting), .help = "That fit into memory."),
    NNC_AS("meeting", WHOLE, OF(meeting), .help = "That hold all limits."),
    NNC_AS("cheapest", OBJECT, OF(cheapest), .rows = &found_metrics,
           .help = "Most tokens per second and device.", .more = NNC_MORE(.unless = found_none)),
    NNC_AS("fastest", OBJECT, OF(fastest), .rows = &found_metrics,
           .help = "Shortest time per token.", .more = NNC_MORE(.unless = found_none)),
    NNC_AS("why", TEXT, .get = get_why,
           .help = "What keeps the cheapest from more requests; or what was missed."),
    NNC_AS("front", LIST, RESULT, .offset = offsetof(nnc_serve_search_result, front),
           NNC_COUNT(nnc_serve_search_result, front_count), .in_place = true,
           .rows = &found_metrics,
           .help = "Deployments that no other beats both per device and per user."),
};
static const nnc_metrics search_document =
    NNC_METRICS("a search for a deployment", search_rows, nnc_serve_searched);

static const nnc_metric *figure_row(const char *name)
{
    return nnc_metric_find(&nnc_serve_metrics, name);
}

static void value_text(const nnc_serve_limit *limit, double value, char text[NNC_NUMBER_TEXT])
{
    const char *unit = figure_row(limit->name)->unit;
    if (unit != NULL) {
        nnc_unit_text(value, unit, text);
    } else {
        nnc_count_text(value, text);
    }
}

static nnc_cell get_why(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_serve_searched *self = place->record;
    const nnc_serve_search_result *r = self->result;
    const nnc_serve_found *best = &r->cheapest;
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    if (r->found && best->broken >= 0) {
        const nnc_serve_limit *limit = &self->limits[best->broken];
        value_text(limit, best->broken_value, a);
        value_text(limit, limit->value, b);
        snprintf(text, NNC_METRIC_TEXT_MAX, "with %s requests %s would be %s, %s %s is asked for",
                 nnc_number_text(best->broken_requests, (char[NNC_NUMBER_TEXT]){ 0 }),
                 strchr(limit->name, '.') + 1, a, limit->at_least ? "at least" : "at most", b);
    } else if (r->found) {
        snprintf(text, NNC_METRIC_TEXT_MAX,
                 best->plan.concurrency > 0
                     ? "memory and engine take no more requests, or more would not pay"
                     : "the load was given");
    } else if (r->nearest_limit >= 0) {
        const nnc_serve_limit *limit = &self->limits[r->nearest_limit];
        value_text(limit, limit->value, b);
        snprintf(text, NNC_METRIC_TEXT_MAX,
                 "no deployment holds %s %s %s: the nearest is %.3g times off",
                 strchr(limit->name, '.') + 1, limit->at_least ? "at least" : "at most", b,
                 r->nearest_value);
    } else {
        snprintf(text, NNC_METRIC_TEXT_MAX,
                 "nothing fits: more devices, narrower weights or shorter requests would");
    }
    return nnc_text_cell(text);
}

static nnc_lines front_lines(const void *record)
{
    const nnc_serve_searched *self = record;
    return (nnc_lines){ &found_metrics, NULL, self->result->front, self->result->front_count };
}

static void write_found(nnc_sheet *sheet, const char *label, const nnc_serve_found *found,
                        const char *currency)
{
    char a[NNC_NUMBER_TEXT];
    const nnc_serve_ask *p = &found->plan;
    nnc_sheet_label(sheet, label);
    nnc_sheet_item(sheet, NNC_INK_STRONG, "%" PRId32 " device%s", p->devices,
                   p->devices > 1 ? "s" : "");
    const struct {
        const char *name;
        int32_t degree;
    } degrees[] = { { "tensor", p->tensor },
                    { "pipeline", p->pipeline },
                    { "attention data", p->attention_data },
                    { "expert", p->expert },
                    { "data", p->data } };
    for (size_t i = 0; i < sizeof degrees / sizeof degrees[0]; i++) {
        if (degrees[i].degree > 1) {
            nnc_sheet_item(sheet, NNC_INK_STRONG, "%s %" PRId32, degrees[i].name,
                           degrees[i].degree);
        }
    }
    if (p->concurrency > 0) {
        nnc_sheet_item(sheet, NNC_INK_STRONG, "%" PRId64 " requests at a time", p->concurrency);
    }
    nnc_sheet_end(sheet);
    nnc_sheet_label(sheet, "");
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "first token %s", nnc_unit_text(found->ttft_s, "s", a));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "per token %s", nnc_unit_text(found->tpot_s, "s", a));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s tokens/s per device",
                   nnc_count_text(found->output_tokens_per_s_per_device, a));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s per user",
                   nnc_count_text(found->tokens_per_s_per_user, a));
    if (!isnan(found->per_million_output_tokens)) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s %s per million out",
                       nnc_count_text(found->per_million_output_tokens, a), currency);
    }
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s-bound", nnc_bound_name(found->bound));
    nnc_sheet_end(sheet);
}

static void search_page(nnc_buffer *out, nnc_style style, const void *record)
{
    const nnc_serve_searched *self = record;
    const nnc_serve_search_result *r = self->result;
    const nnc_place place = { .record = record };
    char text[NNC_METRIC_TEXT_MAX];
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    const char *currency = nnc_price_currency(self->report->device);
    sheet.indent = 11;
    nnc_sheet_label(&sheet, "searched");
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%s on %s with %s", self->report->model->id,
                   self->report->device->id, self->report->software->id);
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%" PRId64 " deployments", r->deployments);
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%" PRId64 " with their requests", r->evaluated);
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%" PRId64 " fit", r->fitting);
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%" PRId64 " hold %s", r->meeting,
                   self->slo != NULL ? self->slo : "what was asked");
    nnc_sheet_end(&sheet);
    if (r->found) {
        write_found(&sheet, "cheapest", &r->cheapest, currency);
    }
    nnc_sheet_label(&sheet, r->found ? "" : "none");
    nnc_sheet_words(&sheet, "%s", get_why(&place, text).text);
    nnc_sheet_end(&sheet);
    if (r->found) {
        write_found(&sheet, "fastest", &r->fastest, currency);
        nnc_table_under(out, style, front_lines(record),
                        "Deployments that no other beats both per device and per user");
    }
}

const nnc_view nnc_serve_search_view = { .schema = "nncost.serve-search/1",
                                         .document = &search_document,
                                         .lines = front_lines,
                                         .page = search_page };
