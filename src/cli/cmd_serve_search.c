/* nncost search --serve: deployments of a served decoder: the cheapest, the fastest, and the front between them, within
 * the limits of --slo ("ttft_s<=0.5,tpot_s<=0.03"). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "cli/views_internal.h"
#include "serve/serve_internal.h"

typedef struct searched {
    const nnc_report *report; /* model, device, software and the request */
    const char *slo;          /* as given; NULL = none */
    const nnc_serve_limit *limits;
    const nnc_serve_search_result *result;
} searched;

#define PLAN(member, ...) NNC_AS(#member, WHOLE, NNC_IN(nnc_serve_found, plan.member), __VA_ARGS__)
#define NUMBER(member, ...) NNC_NUMBER(nnc_serve_found, member, __VA_ARGS__)

/* Without a price in the device file there is no cost. */
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
              .help = "The largest part of a decode step."),
};
static const nnc_metrics found_metrics = NNC_METRICS("a deployment", found_rows, nnc_serve_found);

#define RESULT NNC_VIA(searched, result)
#define OF(member) RESULT, NNC_IN(nnc_serve_search_result, member)
NNC_IF(found_none, searched, !self->result->found)

static nnc_cell get_why(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]);
NNC_GET(get_model, searched, nnc_text_cell(self->report->model->id))
NNC_GET(get_device, searched, nnc_text_cell(self->report->device->id))
NNC_GET(get_software, searched, nnc_text_cell(self->report->software->id))

static const nnc_metric search_rows[] = {
    NNC_AS("model", TEXT, .get = get_model, .help = "Id of the model."),
    NNC_AS("device", TEXT, .get = get_device, .help = "Id of the device."),
    NNC_AS("software", TEXT, .get = get_software, .help = "Id of the engine's profile."),
    NNC_AS("slo", TEXT, NNC_IN(searched, slo), .help = "The limits, as given."),
    NNC_AS("deployments", WHOLE, OF(deployments), .help = "Legal ways to divide the devices."),
    NNC_AS("evaluated", WHOLE, OF(evaluated),
           .help = "Deployments, counted once per number of requests."),
    NNC_AS("fitting", WHOLE, OF(fitting), .help = "Deployments that fit into memory."),
    NNC_AS("meeting", WHOLE, OF(meeting), .help = "Deployments that meet all limits."),
    NNC_AS("cheapest", OBJECT, OF(cheapest), .rows = &found_metrics,
           .help = "Most tokens per second and device.", .more = NNC_MORE(.unless = found_none)),
    NNC_AS("fastest", OBJECT, OF(fastest), .rows = &found_metrics,
           .help = "Shortest time per token.", .more = NNC_MORE(.unless = found_none)),
    NNC_AS("why", TEXT, .get = get_why,
           .help = "Why the cheapest takes no more requests; or the limit that was missed."),
    NNC_AS("front", LIST, RESULT, .offset = offsetof(nnc_serve_search_result, front),
           NNC_COUNT(nnc_serve_search_result, front_count), .in_place = true,
           .rows = &found_metrics,
           .help = "Pareto front: no other deployment is better both per device and per user."),
};
static const nnc_metrics search_document =
    NNC_METRICS("a search for a deployment", search_rows, searched);

static const nnc_metric *metric_of(const char *name)
{
    return nnc_metric_find(&nnc_serve_metrics, name);
}

static void value_text(const nnc_serve_limit *limit, double value, char text[NNC_NUMBER_TEXT])
{
    const char *unit = metric_of(limit->name)->unit;
    if (unit != NULL) {
        nnc_unit_text(value, unit, text);
    } else {
        nnc_count_text(value, text);
    }
}

static nnc_cell get_why(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const searched *self = place->record;
    const nnc_serve_search_result *r = self->result;
    const nnc_serve_found *best = &r->cheapest;
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    if (r->found && best->broken >= 0) {
        const nnc_serve_limit *limit = &self->limits[best->broken];
        value_text(limit, best->broken_value, a);
        value_text(limit, limit->value, b);
        snprintf(text, NNC_METRIC_TEXT_MAX, "with %s requests %s would be %s; the limit is %s %s",
                 nnc_number_text(best->broken_requests, (char[NNC_NUMBER_TEXT]){ 0 }),
                 strchr(limit->name, '.') + 1, a, limit->at_least ? "at least" : "at most", b);
    } else if (r->found) {
        snprintf(
            text, NNC_METRIC_TEXT_MAX,
            best->plan.concurrency > 0
                ? "memory and engine take no more requests, or more requests bring no throughput"
                : "the load was given");
    } else if (r->nearest_limit >= 0) {
        const nnc_serve_limit *limit = &self->limits[r->nearest_limit];
        value_text(limit, limit->value, b);
        snprintf(text, NNC_METRIC_TEXT_MAX,
                 "no deployment meets %s %s %s: the nearest misses it by a factor of %.3g",
                 strchr(limit->name, '.') + 1, limit->at_least ? "at least" : "at most", b,
                 r->nearest_value);
    } else {
        snprintf(text, NNC_METRIC_TEXT_MAX,
                 "nothing fits: use more devices, narrower weights or shorter requests");
    }
    return nnc_text_cell(text);
}

static nnc_lines front_lines(const void *record)
{
    const searched *self = record;
    return (nnc_lines){ &found_metrics, NULL, self->result->front, self->result->front_count };
}

/* The record of the rows of a deployment. */
typedef struct priced {
    nnc_serve_found found; /* comes first: conditions and metrics read it */
    const char *label, *currency;
} priced;

static const nnc_metric page_metric_rows[] = {
    NNC_ROWS(&found_metrics),
    NNC_TEXT(priced, label),
    NNC_TEXT(priced, currency),
};
static const nnc_metrics page_metrics = NNC_METRICS("a deployment", page_metric_rows, priced);

static const nnc_page_row found_page_rows[] = {
    NNC_LINE("{label}"),
    NNC_BOLD("1 device", .when = "devices = 1"),
    NNC_BOLD("{devices} devices", .when = "devices > 1"),
    NNC_BOLD("tensor {tensor}", .when = "tensor > 1"),
    NNC_BOLD("pipeline {pipeline}", .when = "pipeline > 1"),
    NNC_BOLD("attention data {attention_data}", .when = "attention_data > 1"),
    NNC_BOLD("expert {expert}", .when = "expert > 1"),
    NNC_BOLD("data {data}", .when = "data > 1"),
    NNC_BOLD("{concurrency} requests at a time"),
    NNC_LINE(""),
    NNC_ITEM("first token {ttft_s}"),
    NNC_ITEM("per token {tpot_s}"),
    NNC_ITEM("{output_tokens_per_s_per_device} tokens/s per device"),
    NNC_ITEM("{tokens_per_s_per_user} per user"),
    NNC_ITEM("{per_million_output_tokens} {currency} per million out"),
    NNC_ITEM("{bound}-bound"),
};
static const nnc_page_rows found_page = NNC_PAGE_ROWS(&page_metrics, found_page_rows);

static void write_deployment(nnc_sheet *sheet, const char *label, const nnc_serve_found *found,
                             const nnc_report *report)
{
    const priced one = { *found, label, nnc_price_currency(report->device) };
    nnc_sheet_rows(sheet, &found_page, &one);
}

static void write_cheapest(nnc_sheet *sheet, const void *record)
{
    const searched *self = record;
    write_deployment(sheet, "cheapest", &self->result->cheapest, self->report);
}

static void write_fastest(nnc_sheet *sheet, const void *record)
{
    const searched *self = record;
    write_deployment(sheet, "fastest", &self->result->fastest, self->report);
    nnc_table_under(sheet->out, sheet->style, front_lines(record),
                    "Pareto front: no other deployment is better both per device and per user");
}

static const nnc_metric searched_metric_rows[] = {
    NNC_ROWS(&search_document),
    NNC_AS("found", BOOL, OF(found)),
};
static const nnc_metrics searched_metrics =
    NNC_METRICS("a search's page", searched_metric_rows, searched);

static const nnc_page_row page_rows[] = {
    NNC_LINE("searched"),
    NNC_ITEM("{model} on {device} with {software}"),
    NNC_ITEM("{deployments} deployments"),
    NNC_ITEM("{evaluated} with their requests"),
    NNC_ITEM("{fitting} fit"),
    NNC_ITEM("{meeting} meet {slo}"),
    NNC_ITEM("{meeting} meet all limits", .when = "!slo"),
    NNC_BLOCK(write_cheapest, .when = "found"),
    NNC_LINE("", .when = "found"),
    NNC_WORDS("{why}"),
    NNC_LINE("none", .when = "!found"),
    NNC_WORDS("{why}"),
    NNC_BLOCK(write_fastest, .when = "found"),
};
static const nnc_page_rows page = NNC_PAGE_ROWS(&searched_metrics, page_rows);

static void search_page(nnc_buffer *out, nnc_style style, const void *record)
{
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    sheet.indent = 11;
    nnc_sheet_rows(&sheet, &page, record);
}

const nnc_view nnc_serve_search_view = { .schema = "nncost.serve-search/1",
                                         .document = &search_document,
                                         .lines = front_lines,
                                         .page = search_page };

static const char option[] = "--slo";

/* Can a metric have a limit? It is one number of nnc_serve, in a section. */
static bool has_limit(const nnc_column *column)
{
    const nnc_metric *row = column->metric;
    const nnc_metric *inside = column->depth > 0 ? column->inside[column->depth - 1] : NULL;
    return row->type == NNC_METRIC_NUMBER && row->each_count == 0 && row->get == NULL &&
           row->hop == 0 && inside != NULL && inside->hop > 0 && inside->size == 0 &&
           strncmp(column->name, "plan.", 5) != 0;
}

static nnc_status unknown(const nnc_columns *columns, const char *word, nnc_error *err)
{
    enum { NAMES_MAX = 256 };
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (int32_t i = 0; i < columns->count && count < NAMES_MAX; i++) {
        if (has_limit(&columns->list[i])) {
            names[count++] = strchr(columns->list[i].name, '.') + 1;
        }
    }
    const char *nearest = nnc_nearest(word, names, count);
    return nnc_fail(
        err, NNC_BAD_USAGE, option,
        "no such metric, expected one such as ttft_s, tpot_s or tokens_per_s_per_user%s%s, "
        "found \"%s\"",
        nearest != NULL ? ", perhaps " : "", nearest != NULL ? nearest : "", word);
}

static nnc_status read_one(const nnc_columns *columns, const char *text, nnc_serve_limit *limit,
                           nnc_error *err)
{
    char word[96];
    const char *sign = strpbrk(text, "<>");
    if (sign == NULL || sign[1] != '=' || sign == text || (size_t)(sign - text) >= sizeof word) {
        return nnc_fail(err, NNC_BAD_USAGE, option,
                        "expected METRIC<=NUMBER or METRIC>=NUMBER, found \"%s\"", text);
    }
    snprintf(word, sizeof word, "%.*s", (int)(sign - text), text);
    const nnc_name_match match =
        nnc_name_find(&columns->list[0].name, sizeof columns->list[0], columns->count, word);
    if (match.index < 0 || !has_limit(&columns->list[match.index])) {
        return unknown(columns, word, err);
    }
    const nnc_column *column = &columns->list[match.index];
    *limit = (nnc_serve_limit){ .name = column->name,
                                .offset = column->metric->offset,
                                .at_least = *sign == '>' };
    if (!nnc_read_quantity(sign + 2, column->metric->unit, false, &limit->value) ||
        !(limit->value > 0.0)) {
        return nnc_fail(err, NNC_BAD_USAGE, option,
                        "expected a number above 0 after %s%c=, found \"%s\"", word, *sign,
                        sign + 2);
    }
    return NNC_OK;
}

static nnc_status slo_read(const char *text, nnc_arena *arena,
                           nnc_serve_limit limits[NNC_SERVE_LIMITS], int32_t *count, nnc_error *err)
{
    nnc_columns columns;
    *count = 0;
    if (text == NULL) {
        return NNC_OK;
    }
    char *copy = nnc_arena_strdup(arena, text);
    if (copy == NULL || nnc_columns_of(&nnc_serve_metrics, arena, &columns) != NNC_OK) {
        return nnc_no_memory(err);
    }
    for (char *at = copy; at != NULL;) {
        char *comma = strchr(at, ',');
        if (comma != NULL) {
            *comma++ = '\0';
        }
        at += strspn(at, " ");
        if (*count == NNC_SERVE_LIMITS) {
            return nnc_fail(err, NNC_BAD_USAGE, option, "more than %d limits", NNC_SERVE_LIMITS);
        }
        NNC_TRY(read_one(&columns, at, &limits[(*count)++], err));
        at = comma;
    }
    return NNC_OK;
}

enum { DEVICES_MOST = 1 << 20, NODE = 8 };

static nnc_status search(nnc_session *session, nnc_serve_scenario *scenario, nnc_scratch *scratch,
                         nnc_arena *arena, nnc_error *err)
{
    const nnc_options *options = &session->options;
    const nnc_report *report = &scenario->base.report;
    nnc_serve_limit limits[NNC_SERVE_LIMITS];
    nnc_serve_search asked = { .limits = limits };
    const int32_t domain = report->device->scale_up.devices;
    int64_t most = domain > 1 && domain < NODE ? domain : NODE;
    const nnc_serve_ask *ask = &scenario->ask;
    if (ask->draft_length > 0 || ask->draft[0] != '\0' || ask->disaggregate[0] != '\0') {
        return nnc_fail(
            err, NNC_BAD_USAGE, ask->disaggregate[0] != '\0' ? "--disaggregate" : "--draft-length",
            "is not searched, since no measurement backs it; 'nncost serve' answers it");
    }
    NNC_TRY(slo_read(options->slo, arena, limits, &asked.limit_count, err));
    NNC_TRY(
        nnc_option_count("--max-devices", options->search.max_devices, DEVICES_MOST, &most, err));
    asked.devices_most = (int32_t)most;
    nnc_serve_search_result *result = nnc_arena_alloc(arena, sizeof *result);
    if (result == NULL) {
        return nnc_no_memory(err);
    }
    NNC_TRY(nnc_serve_search_of(report->model, report->device, report->software, &scenario->ask,
                                &asked, scratch, result, err));
    const searched shown = { report, options->slo, limits, result };
    session->exit_code = result->found ? 0 : 1;
    nnc_view_write(session->out, session->style, &nnc_serve_search_view, &shown);
    return NNC_OK;
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    char **operands = session->options.operands;
    return nnc_serve_with(session, operands[0], operands[1], search, err);
}

const nnc_command nnc_cmd_serve_search = {
    .name = "search",
    .operands = "MODEL DEVICE | PLANS.json [DEVICE] --serve",
    .summary = "The cheapest and the fastest deployment of a decoder under load, and the Pareto "
               "front between them.",
    .notes =
        "Without --devices it searches the numbers of devices up to --max-devices; it also "
        "searches "
        "the degrees of parallelism that are left at 1, and the requests at a time when no load "
        "is given. The cheapest deployment has most tokens per second and device; the fastest has "
        "the shortest time per token, by at least 1 % when it takes more devices. "
        "Exits with 1 when nothing meets --slo.",
    .min_operands = 1,
    .max_operands = 2,
    .takes =
        NNC_TAKES_COMMON | NNC_TAKES_SERVE | NNC_TAKES_SCENARIO | NNC_TAKES_SERVING | NNC_TAKES_SLO,
    .run = run,
};
