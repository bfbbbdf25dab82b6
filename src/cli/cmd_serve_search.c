/* nncost search --serve: finds deployments of a decoder: the cheapest, the fastest, and the Pareto front of cost and
 * speed, among those that meet the limits of --slo ("ttft_s<=0.5,tpot_s<=0.03"). */
#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "serve/serve_internal.h"
#include "sweep/sweep_internal.h"

typedef struct searched {
    const nnc_report *report; /* report with model, device, software profile and load of the searched deployments */
    const char *slo;          /* value of --slo, limits in the user's spelling; NULL = no limits */
    const nnc_serve_limit *limits;
    const nnc_serve_search_result *result;
} searched;

#define PLAN(member, ...) NNC_AS(#member, WHOLE, NNC_IN(nnc_serve_found, plan.member), __VA_ARGS__)
#define NUMBER(member, ...) NNC_NUMBER(nnc_serve_found, member, __VA_ARGS__)

/* Metrics of a deployment that the search found. The cost of a deployment is missing if the device file has no
 * price. */
static const nnc_metric found_rows[] = {
    PLAN(devices, .head = "devices", .help = "Total number of devices."),
    PLAN(tensor, .head = "tensor", .help = "Devices that split each matrix product."),
    PLAN(pipeline, .head = "pipeline", .help = "Stages over which the layers are spread."),
    PLAN(attention_data, .head = "attention", .drop = 1,
         .help = "Groups of tensor ranks; each group has its own requests."),
    PLAN(expert, .head = "expert", .drop = 2, .help = "Devices that hold whole experts; 1 = every expert is split."),
    PLAN(data, .head = "data", .help = "Replicas that share the requests."),
    PLAN(concurrency, .head = "requests", .blank_zero = true, .help = "Requests that are always open."),
    NUMBER(ttft_s, .unit = "s", .head = "TTFT", .help = "Time to the first token."),
    NUMBER(tpot_s, .unit = "s", .head = "TPOT", .help = "Time per output token after the first."),
    NUMBER(request_s, .unit = "s", .help = "Time of a request from its arrival to its last token."),
    NUMBER(output_tokens_per_s, .show = NNC_SHOW_COUNT, .help = "Generated tokens per second of all devices."),
    NUMBER(output_tokens_per_s_per_device, .head = "tok/s/device", .show = NNC_SHOW_COUNT,
           .help = "Generated tokens per second of one device."),
    NUMBER(tokens_per_s_per_user, .head = "tok/s/user", .drop = 4, .show = NNC_SHOW_COUNT,
           .help = "Generated tokens per second of one request."),
    NUMBER(per_million_output_tokens, .head = "per M out", .show = NNC_SHOW_COUNT,
           .help = "Cost of all devices per million generated tokens."),
    NNC_NAMED(nnc_serve_found, bound, nnc_bound_name, NNC_BOUND_COUNT, .head = "bound", .drop = 3,
              .help = "Resource that bounds a decode step."),
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
    NNC_AS("slo", TEXT, NNC_IN(searched, slo), .help = "The limits of --slo."),
    NNC_AS("deployments", WHOLE, OF(deployments), .help = "Number of legal ways to divide the devices."),
    NNC_AS("evaluated", WHOLE, OF(evaluated),
           .help = "Number of evaluated pairs of a deployment and a number of requests."),
    NNC_AS("fitting", WHOLE, OF(fitting), .help = "Number of evaluated pairs that fit into memory."),
    NNC_AS("meeting", WHOLE, OF(meeting), .help = "Number of evaluated pairs that meet all limits."),
    NNC_AS("cheapest", OBJECT, OF(cheapest), .rows = &found_metrics,
           .help = "Deployment with the most tokens per second and device.", .more = NNC_MORE(.unless = found_none)),
    NNC_AS("fastest", OBJECT, OF(fastest), .rows = &found_metrics,
           .help = "Deployment with the shortest time per token.", .more = NNC_MORE(.unless = found_none)),
    NNC_AS("why", TEXT, .get = get_why,
           .help =
               "Reason why the cheapest deployment cannot serve more requests, or the limit that no deployment meets."),
    NNC_AS("front", LIST, RESULT, .offset = offsetof(nnc_serve_search_result, front),
           NNC_COUNT(nnc_serve_search_result, front_count), .in_place = true, .rows = &found_metrics,
           .help = "Pareto front: no other deployment is better both per device and per user."),
    NNC_AS("front_left_out", WHOLE, OF(front_left_out),
           .help = "Number of deployments of the front that the list leaves out."),
};
static const nnc_metrics search_document = NNC_METRICS("a search for a deployment", search_rows, searched);

static const nnc_metric *metric_of(const char *name) { return nnc_metric_find(&nnc_serve_metrics, name); }

static void value_text(const nnc_serve_limit *limit, double value, char text[NNC_NUMBER_TEXT]) {
    const char *unit = metric_of(limit->name)->unit;
    if (unit != NULL) {
        nnc_unit_text(value, unit, text);
    } else {
        nnc_count_text(value, text);
    }
}

static nnc_cell get_why(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    const searched *self = place->record;
    const nnc_serve_search_result *r = self->result;
    const nnc_serve_found *best = &r->cheapest;
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    if (r->found && best->broken >= 0) {
        const nnc_serve_limit *limit = &self->limits[best->broken];
        value_text(limit, best->broken_value, a);
        value_text(limit, limit->value, b);
        snprintf(text, NNC_METRIC_TEXT_MAX, "with %s requests %s would be %s; the limit is %s %s",
                 nnc_number_text(best->broken_requests, (char[NNC_NUMBER_TEXT]){ 0 }), strchr(limit->name, '.') + 1, a,
                 limit->at_least ? "at least" : "at most", b);
    } else if (r->found) {
        snprintf(text, NNC_METRIC_TEXT_MAX,
                 best->plan.concurrency > 0
                     ? "memory or engine allow no more requests, or more requests do not increase the throughput"
                     : "the load is fixed by an option");
    } else if (r->nearest_limit >= 0) {
        const nnc_serve_limit *limit = &self->limits[r->nearest_limit];
        value_text(limit, limit->value, b);
        snprintf(text, NNC_METRIC_TEXT_MAX,
                 "no deployment meets %s %s %s: the nearest deployment misses this limit by a factor of %.3g",
                 strchr(limit->name, '.') + 1, limit->at_least ? "at least" : "at most", b, r->nearest_value);
    } else if (r->saturation_rate > 0.0) {
        snprintf(text, NNC_METRIC_TEXT_MAX,
                 "requests arrive faster than any deployment serves them: at most %s requests/s",
                 nnc_count_text(r->saturation_rate, a));
    } else {
        snprintf(text, NNC_METRIC_TEXT_MAX, "nothing fits: use more devices, narrower weights or shorter requests");
    }
    return nnc_text_cell(text);
}

/* A found deployment with its label ("cheapest") and the currency of its cost: the record that the page shows. */
typedef struct priced {
    /* `found` is the first member, because conditions and metrics read a pointer to this struct as a pointer to an
     * nnc_serve_found */
    nnc_serve_found found;
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
    NNC_BOLD("1 request at a time", .when = "concurrency = 1"),
    NNC_BOLD("{concurrency} requests at a time", .when = "concurrency > 1"),
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
                             const nnc_report *report) {
    const priced one = { *found, label, nnc_price_currency(report->device) };
    nnc_sheet_rows(sheet, &found_page, &one);
}

static void write_cheapest(nnc_sheet *sheet, const void *record) {
    const searched *self = record;
    write_deployment(sheet, "cheapest", &self->result->cheapest, self->report);
}

static void write_fastest(nnc_sheet *sheet, const void *record) {
    const searched *self = record;
    write_deployment(sheet, "fastest", &self->result->fastest, self->report);
    nnc_table_under(sheet->out, sheet->style,
                    (nnc_lines){ &found_metrics, NULL, self->result->front, self->result->front_count },
                    "Pareto front: no other deployment is better both per device and per user");
    if (self->result->front_left_out > 0) {
        nnc_buffer_print(sheet->out, "%" PRId32 " more deployments of the front are left out of this list\n",
                         self->result->front_left_out);
    }
}

static const nnc_metric searched_metric_rows[] = {
    NNC_ROWS(&search_document),
    NNC_AS("found", BOOL, OF(found)),
};
static const nnc_metrics searched_metrics = NNC_METRICS("a search's page", searched_metric_rows, searched);

static const nnc_page_row page_rows[] = {
    NNC_LINE("searched"),
    NNC_ITEM("{model} on {device} with {software}"),
    NNC_ITEM("{deployments} deployments"),
    NNC_ITEM("{evaluated} pairs of deployment and load"),
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

const nnc_view nnc_serve_search_view = {
    .schema = "nncost.serve-search/1", .document = &search_document, .list = "front", .rows = &page, .indent = 11
};

static const char option[] = "--slo";

/* Returns true if --slo can limit a metric: the metric must be a single number, and one of the sections of nnc_serve
 * must contain it. */
static bool has_limit(const nnc_column *column) {
    const nnc_metric *row = column->metric;
    const nnc_metric *inside = column->depth > 0 ? column->inside[column->depth - 1] : NULL;
    return row->type == NNC_METRIC_NUMBER && row->each_count == 0 && row->get == NULL && row->hop == 0 &&
           inside != NULL && inside->hop > 0 && inside->size == 0 && strncmp(column->name, "plan.", 5) != 0;
}

static nnc_status unknown(const nnc_columns *columns, const char *word, nnc_error *err) {
    enum { NAMES_MAX = 256 };
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (int32_t i = 0; i < columns->count && count < NAMES_MAX; i++) {
        if (has_limit(&columns->list[i])) { names[count++] = strchr(columns->list[i].name, '.') + 1; }
    }
    const char *nearest = nnc_nearest(word, names, count);
    return nnc_fail(err, NNC_BAD_USAGE, option,
                    "no such metric, expected one such as ttft_s, tpot_s or tokens_per_s_per_user%s%s, found \"%s\"",
                    nearest != NULL ? ", perhaps " : "", nearest != NULL ? nearest : "", word);
}

static nnc_status read_one(const nnc_columns *columns, const char *text, nnc_serve_limit *limit, nnc_error *err) {
    char word[96];
    const char *sign = strpbrk(text, "<>");
    if (sign == NULL || sign[1] != '=' || sign == text || (size_t)(sign - text) >= sizeof word) {
        return nnc_fail(err, NNC_BAD_USAGE, option, "expected METRIC<=NUMBER or METRIC>=NUMBER, found \"%s\"", text);
    }
    snprintf(word, sizeof word, "%.*s", (int)(sign - text), text);
    const nnc_name_match match = nnc_name_find(&columns->list[0].name, sizeof columns->list[0], columns->count, word);
    if (match.index < 0 || !has_limit(&columns->list[match.index])) { return unknown(columns, word, err); }
    const nnc_column *column = &columns->list[match.index];
    *limit = (nnc_serve_limit){ .name = column->name, .offset = column->metric->offset, .at_least = *sign == '>' };
    if (!nnc_read_quantity(sign + 2, column->metric->unit, false, &limit->value) || !(limit->value > 0.0)) {
        return nnc_fail(err, NNC_BAD_USAGE, option, "expected a number above 0 after %s%c=, found \"%s\"", word, *sign,
                        sign + 2);
    }
    return NNC_OK;
}

static nnc_status slo_read(const char *text, nnc_arena *arena, nnc_serve_limit limits[NNC_SERVE_LIMITS], int32_t *count,
                           nnc_error *err) {
    nnc_columns columns;
    *count = 0;
    if (text == NULL) { return NNC_OK; }
    char *copy = nnc_arena_strdup(arena, text);
    if (copy == NULL || nnc_columns_of(&nnc_serve_metrics, arena, &columns) != NNC_OK) { return nnc_no_memory(err); }
    for (char *at = copy; at != NULL;) {
        char *comma = strchr(at, ',');
        if (comma != NULL) { *comma++ = '\0'; }
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

static nnc_status search(nnc_session *session, nnc_serve_scenario *scenario, nnc_scratch *scratch, nnc_error *err) {
    const nnc_options *options = &session->options;
    const nnc_report *report = &scenario->base.report;
    nnc_serve_limit limits[NNC_SERVE_LIMITS];
    nnc_serve_search asked = { .limits = limits };
    const int32_t domain = report->device->scale_up.devices;
    int64_t most = domain > 1 && domain < NODE ? domain : NODE;
    const nnc_serve_ask *ask = &scenario->ask;
    if (ask->draft_length > 0 || ask->draft[0] != '\0' || ask->disaggregate[0] != '\0') {
        return nnc_fail(err, NNC_BAD_USAGE, ask->disaggregate[0] != '\0' ? "--disaggregate" : "--draft-length",
                        "a search does not try this option, because its results were not compared with measurements; "
                        "'nncost serve' has this option");
    }
    NNC_TRY(slo_read(options->slo, nnc_specs_arena(session->specs), limits, &asked.limit_count, err));
    NNC_TRY(nnc_option_count("--max-devices", options->search.max_devices, DEVICES_MOST, &most, err));
    asked.devices_most = (int32_t)most;
    nnc_serve_search_result *result = nnc_arena_alloc(nnc_specs_arena(session->specs), sizeof *result);
    NNC_GOT(result, err);
    NNC_TRY(nnc_serve_search_of(report->model, report->device, report->software, &scenario->ask, &asked, scratch,
                                result, err));
    const searched shown = { report, options->slo, limits, result };
    session->exit_code = result->found ? 0 : 1;
    if (options->emit != NULL && result->found) {
        const nnc_serve_ask *best = &result->cheapest.plan;
        /* a copy of `ask`, in which the search replaces some fields for each deployment */
        nnc_serve_ask plan = *ask;
        plan.devices = best->devices;
        plan.tensor = best->tensor;
        plan.pipeline = best->pipeline;
        plan.data = best->data;
        plan.expert = best->expert;
        plan.attention_data = best->attention_data;
        NNC_TRY(nnc_emit_deployment(session, report, &plan, err));
    }
    if (!nnc_emit_instead(session) || !result->found) {
        nnc_view_write(session->out, session->style, &nnc_serve_search_view, &shown);
    }
    return NNC_OK;
}

static nnc_status run(nnc_session *session, nnc_error *err) {
    char **operands = session->options.operands, engine[NNC_EMIT_FORMAT];
    nnc_scenario_args *given = &session->options.given;
    if (session->options.emit != NULL && given->software == NULL) {
        const nnc_software *profile = NULL;
        (void)nnc_emit_file(&session->options, engine);
        if (nnc_software_load(session->specs, engine, &profile, NULL) != NNC_OK) {
            return nnc_fail(err, NNC_BAD_USAGE, "--emit", "expected vllm, sglang or tensorrt-llm, found \"%.60s\"",
                            engine);
        }
        given->software = nnc_arena_strdup(nnc_specs_arena(session->specs), engine);
    }
    return nnc_serve_with(session, operands[0], operands[1], search, err);
}

const nnc_command nnc_cmd_serve_search = {
    .name = "search",
    .operands = "MODEL DEVICE | PLANS.json [DEVICE] --serve",
    .summary = "The cheapest and the fastest deployment of a decoder under load, and the Pareto front between them.",
    .notes = "Without --devices, the command searches the numbers of devices up to --max-devices. It also tries "
             "other values for every degree of parallelism that is 1, and, if no load is given, for the number of "
             "requests at a time. The cheapest deployment has the most tokens per second and device. The fastest "
             "deployment has the shortest time per token; a deployment with more devices counts as faster only if "
             "its time per token is more than 1 % shorter. The command exits with 1 if no deployment meets --slo.",
    .min_operands = 1,
    .max_operands = 2,
    .takes =
        NNC_TAKES_COMMON | NNC_TAKES_SERVE | NNC_TAKES_SCENARIO | NNC_TAKES_SERVING | NNC_TAKES_SLO | NNC_TAKES_EMIT,
    .run = run,
};

/* ---- nncost sweep --serve and nncost compare --serve: one row for every combination of the listed values ---- */

typedef struct serve_rows {
    nnc_report *reports;
    /* count: number of legal combinations of values, which have one row each; illegal: number of illegal
     * combinations */
    int64_t count, illegal;
    bool models, devices, engines;       /* true: the rows have different models (models), different devices (devices),
                                          * different engines (engines) */
    const char *names[NNC_SETTINGS_MAX]; /* names of the options whose values differ between rows. If r is the index of
                                          * a row, values[r][axis_of[i]] is the value of option names[i] */
    int32_t axis_of[NNC_SETTINGS_MAX];
    int32_t name_count;
    const char ***values; /* for each row: the value of each list that the row has, in the user's spelling */
} serve_rows;

#define ROWS(table)                                                                                          \
    {                                                                                                        \
        NNC_AS("illegal", WHOLE, NNC_IN(serve_rows, illegal),                                                \
               .help = "Number of combinations that were left out because they are illegal."),               \
            NNC_AS("rows", LIST, NNC_IN(serve_rows, reports), NNC_COUNT(serve_rows, count), .rows = (table), \
                   .help = "One row for each legal combination."),                                           \
    }
static const nnc_metric sweep_rows[] = ROWS(&nnc_serve_metrics), images_rows[] = ROWS(&nnc_images_metrics);
static const nnc_metrics sweep_document = NNC_METRICS("served side by side", sweep_rows, serve_rows);
static const nnc_metrics images_document = NNC_METRICS("images side by side", images_rows, serve_rows);

/* Returns true if the models of a sweep make images. All models of one sweep make images, or all models generate
 * tokens; so only the first model is tested. */
static bool makes_images(const serve_rows *rows) { return rows->reports[0].images != NULL; }

static const nnc_metrics *metrics_of(const serve_rows *rows) {
    return makes_images(rows) ? &nnc_images_metrics : &nnc_serve_metrics;
}

static nnc_lines lines_of(const void *record) {
    const serve_rows *rows = record;
    return (nnc_lines){ metrics_of(rows), NULL, rows->reports, rows->count };
}

/* A column of the page of a sweep: its heading, and the text of its cells with names of metrics in braces. A cell shows
 * "-" if a metric has no value. */
typedef struct column {
    const char *head, *text;
    bool left;
    int drop; /* order in which columns are left out if the page is narrow; see `drop` of nnc_head */
} column;

static const column token_columns[] = {
    { "TTFT", "{latency.ttft_s}", false, 0 },
    { "TPOT", "{latency.tpot_s}", false, 0 },
    { "request", "{latency.request_s}", false, 3 },
    { "tok/s", "{throughput.output_tokens_per_s}", false, 0 },
    { "tok/s/device", "{throughput.output_tokens_per_s_per_device}", false, 1 },
    { "tok/s/user", "{throughput.tokens_per_s_per_user}", false, 4 },
    { "fit", "{memory.max_sequences}", false, 0 },
    { "per M out", "{cost.per_million_output_tokens:count}", false, 0 },
    { "decode", "{decode.bound}", true, 2 },
    { NULL, NULL, false, 0 },
};
static const column image_columns[] = {
    { "time", "{images.image_s}", false, 0 },
    { "a step", "{images.forward_s}", false, 0 },
    { "images/s", "{images.images_per_s:count}", false, 0 },
    { "per thousand", "{images.per_thousand_images:count}", false, 0 },
    { "energy", "{images.energy_j_per_image}", false, 0 },
    { NULL, NULL, false, 0 },
};

static const column *columns_of(const serve_rows *rows) { return makes_images(rows) ? image_columns : token_columns; }

static void put_heads(nnc_table *table, const serve_rows *rows) {
    const char *const whole[] = { rows->models ? "model" : NULL, rows->devices ? "device" : NULL,
                                  rows->engines ? "software" : NULL };
    for (int i = 0; i < 3; i++) {
        if (whole[i] != NULL) { nnc_table_head(table, (nnc_head){ .text = whole[i], .left = true }); }
    }
    for (int32_t i = 0; i < rows->name_count; i++) { nnc_table_head(table, (nnc_head){ .text = rows->names[i] }); }
    for (const column *c = columns_of(rows); c->head != NULL; c++) {
        nnc_table_head(table, (nnc_head){ .text = c->head, .left = c->left, .drop = c->drop });
    }
    nnc_table_head(table, (nnc_head){ .text = "", .left = true });
}

static const char *remark_of(const nnc_report *report) {
    const bool fits = report->images != NULL ? report->images->fits : report->serve->fits;
    return !fits ? "does not fit" : report->images == NULL && report->serve->saturated ? "saturated" : "";
}

static void put_row(nnc_table *table, const serve_rows *rows, int64_t row) {
    const nnc_report *report = &rows->reports[row];
    const char *const whole[] = { rows->models ? report->model->id : NULL, rows->devices ? report->device->id : NULL,
                                  rows->engines ? report->software->id : NULL };
    char text[NNC_PAGE_TEXT];
    for (int i = 0; i < 3; i++) {
        if (whole[i] != NULL) { nnc_table_cell(table, whole[i]); }
    }
    for (int32_t i = 0; i < rows->name_count; i++) { nnc_table_cell(table, rows->values[row][rows->axis_of[i]]); }
    for (const column *c = columns_of(rows); c->head != NULL; c++) {
        nnc_table_cell(table, nnc_page_text(metrics_of(rows), report, c->text, text) ? text : "-");
    }
    nnc_table_cell(table, remark_of(report));
}

static void sweep_page(nnc_buffer *out, nnc_style style, const void *record) {
    const serve_rows *rows = record;
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    nnc_table table = { .count = 0 };
    put_heads(&table, rows);
    for (int64_t row = 0; row < rows->count; row++) { put_row(&table, rows, row); }
    nnc_table_write(&table, out, style);
    if (rows->illegal > 0) {
        nnc_sheet_gap(&sheet);
        nnc_sheet_note(&sheet, "", "%" PRId64 " illegal row%s left out", rows->illegal, rows->illegal > 1 ? "s" : "");
    }
}

const nnc_view nnc_serve_sweep_view = {
    .schema = "nncost.serve-sweep/1", .document = &sweep_document, .lines = lines_of, .page = sweep_page
};
const nnc_view nnc_images_sweep_view = {
    .schema = "nncost.images-sweep/1", .document = &images_document, .lines = lines_of, .page = sweep_page
};

enum { ROWS_MAX = 20000 };

/* A list of values, joined by commas in the command line, for an operand, the software profile or an option. */
typedef struct axis {
    const char **slot; /* address of the variable to which add_row writes the list's value for the new row */
    const char **values;
    int32_t count;
} axis;

enum { AXES_MAX = NNC_SETTINGS_MAX + 3 };

typedef struct serve_sweep {
    nnc_session *session;
    nnc_arena *arena;
    nnc_scratch *scratch;
    nnc_scenario_args given;
    const char *model, *device;
    axis axes[AXES_MAX];
    int32_t axis_count;
    serve_rows rows;
    int64_t illegal;
    nnc_error last; /* error of the last combination of values that is illegal */
} serve_sweep;

static nnc_status add_axis(serve_sweep *s, const char *where, const char *list, bool numeric, const char **slot,
                           nnc_error *err) {
    axis *a = &s->axes[s->axis_count++];
    a->slot = slot;
    return nnc_sweep_list(s->arena, where, list, numeric, &a->values, &a->count, err);
}

static nnc_status find_axes(serve_sweep *s, nnc_error *err) {
    char **operands = s->session->options.operands;
    NNC_TRY(add_axis(s, "MODEL", operands[0], false, &s->model, err));
    NNC_TRY(add_axis(s, "DEVICE", operands[1], false, &s->device, err));
    if (s->given.software != NULL) {
        NNC_TRY(add_axis(s, "--software", s->given.software, false, &s->given.software, err));
    }
    for (int i = 0; i < s->given.setting_count; i++) {
        nnc_setting *setting = &s->given.settings[i];
        const bool numeric = setting->field->type == NNC_FIELD_I32 || setting->field->type == NNC_FIELD_I64 ||
                             setting->field->type == NNC_FIELD_F64;
        char *name = nnc_arena_alloc(s->arena, NNC_OPTION_NAME);
        NNC_GOT(name, err);
        NNC_TRY(
            add_axis(s, nnc_option_name(setting->field->name, name), setting->value, numeric, &setting->value, err));
        if (s->axes[s->axis_count - 1].count > 1) {
            s->rows.names[s->rows.name_count] = setting->field->name;
            s->rows.axis_of[s->rows.name_count++] = s->axis_count - 1;
        }
    }
    s->rows.models = s->axes[0].count > 1;
    s->rows.devices = s->axes[1].count > 1;
    s->rows.engines = s->given.software != NULL && s->axes[2].count > 1;
    return NNC_OK;
}

static nnc_status count_rows(const serve_sweep *s, int64_t *rows, nnc_error *err) {
    *rows = 1;
    for (int32_t i = 0; i < s->axis_count; i++) {
        *rows *= s->axes[i].count;
        if (*rows > ROWS_MAX) {
            return nnc_fail(err, NNC_BAD_USAGE, "sweep", "too many combinations, expected at most %d", ROWS_MAX);
        }
    }
    return NNC_OK;
}

/* Adds a row for one combination of values to the sweep. An illegal combination gets no row; the function counts it in
 * s->illegal. */
static nnc_status add_row(serve_sweep *s, int64_t row, nnc_error *err) {
    serve_rows *rows = &s->rows;
    nnc_serve_scenario *one = nnc_arena_alloc(s->arena, sizeof *one);
    const char **values = nnc_arena_array(s->arena, AXES_MAX, sizeof *values);
    if (one == NULL || values == NULL) { return nnc_no_memory(err); }
    memset(one, 0, sizeof *one);
    for (int32_t i = s->axis_count - 1; i >= 0; i--) {
        values[i] = s->axes[i].values[row % s->axes[i].count];
        *s->axes[i].slot = values[i];
        row /= s->axes[i].count;
    }
    NNC_TRY(nnc_serve_scenario_load(s->session->specs, &s->given, s->model, s->device, one, err));
    const nnc_status status = nnc_serve_scenario_compute(one, s->scratch, &s->last);
    if (status == NNC_ILLEGAL_PLAN) {
        s->illegal++;
        return NNC_OK;
    }
    if (status != NNC_OK) {
        *err = s->last;
        return status;
    }
    one->base.report.serve_ops = NULL;
    one->base.report.serve_op_count = 0;
    rows->values[rows->count] = values;
    rows->reports[rows->count++] = one->base.report;
    return NNC_OK;
}

static nnc_status sweep(serve_sweep *s, nnc_error *err) {
    int64_t count = 0;
    NNC_TRY(find_axes(s, err));
    NNC_TRY(count_rows(s, &count, err));
    s->rows.reports = nnc_arena_array(s->arena, (size_t)count, sizeof *s->rows.reports);
    s->rows.values = nnc_arena_array(s->arena, (size_t)count, sizeof *s->rows.values);
    if (s->rows.reports == NULL || s->rows.values == NULL) { return nnc_no_memory(err); }
    for (int64_t row = 0; row < count; row++) { NNC_TRY(add_row(s, row, err)); }
    if (s->rows.count == 0) {
        *err = s->last;
        return s->last.status;
    }
    s->rows.illegal = s->illegal;
    nnc_view_write(s->session->out, s->session->style,
                   s->rows.reports[0].images != NULL ? &nnc_images_sweep_view : &nnc_serve_sweep_view, &s->rows);
    return NNC_OK;
}

static nnc_status run_serve_sweep(nnc_session *session, nnc_error *err) {
    serve_sweep *s = calloc(1, sizeof *s);
    nnc_status status = NNC_NO_MEMORY;
    NNC_GOT(s, err);
    s->session = session;
    s->given = session->options.given;
    s->arena = nnc_specs_arena(session->specs);
    s->scratch = nnc_scratch_create();
    status = s->scratch != NULL ? sweep(s, err) : nnc_no_memory(err);
    nnc_scratch_destroy(s->scratch);
    free(s);
    return status;
}

#define SWEEP_NOTES                                                                                     \
    "Lists are values joined by commas and ranges: 1,2,4, 1..8, 1..64*2. Rows of illegal combinations " \
    "are left out; rows that do not fit or are saturated are marked."

const nnc_command nnc_cmd_serve_sweep = {
    .name = "sweep",
    .operands = "MODELS DEVICES --serve",
    .summary = "Serving with every combination of the given lists, one row each.",
    .notes = SWEEP_NOTES,
    .min_operands = 2,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_SERVE | NNC_TAKES_SERVING,
    .run = run_serve_sweep,
};
const nnc_command nnc_cmd_serve_compare = {
    .name = "compare",
    .operands = "MODELS DEVICES --serve",
    .summary = "Models, devices, engines or plans of serving side by side.",
    .notes = SWEEP_NOTES,
    .min_operands = 2,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_SERVE | NNC_TAKES_SERVING,
    .run = run_serve_sweep,
};
