/* The commands serve, ops --serve and explain --serve describe a decoder that serves requests, or a model that
 * generates images by diffusion.
 *
 * All commands for a deployment load their inputs in the same way: with_scenario() reads the operands, computes the
 * deployment, and calls the function that writes the answer. Each page is a list of rows. */
#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "explain/explain_internal.h"
#include "launch/launch_internal.h"
#include "serve/serve_internal.h"

/* ---- metrics that the page of a deployment shows and the JSON output does not contain ---- */

#define SERVE(member) NNC_VIA(nnc_report, serve), NNC_IN(nnc_serve, member)
#define DEVICE(member) NNC_VIA(nnc_report, device), NNC_IN(nnc_device, member)
NNC_GET(get_peak, nnc_report, nnc_number_cell(nnc_device_matmul_peak(self->device, self->serve->plan.precision)))
NNC_GET(get_used_bytes, nnc_report, nnc_number_cell(nnc_serve_used_bytes(self->serve)))
NNC_GET(get_excess_bytes, nnc_report, nnc_number_cell(-self->serve->headroom_bytes))

/* Tests whether the decode step is compute-bound at the rates of the datasheet, but not at the fitted rates. At the
 * rates of the datasheet, a decode step is compute-bound if its batch is at least critical_batch. */
static bool is_past_critical(const nnc_serve *s) {
    return s->decode.bound != NNC_BOUND_COMPUTE && s->running / (double)s->plan.data >= s->critical_batch;
}
NNC_GET(get_past_critical, nnc_report, nnc_bool_cell(is_past_critical(self->serve)))

static const nnc_metric page_metric_rows[] = {
    NNC_ROWS(&nnc_serve_metrics),
    NNC_AS("peak_flops_per_s", NUMBER, .get = get_peak, .unit = "FLOP/s"),
    NNC_AS("mem_bytes_per_s", NUMBER, DEVICE(mem_bytes_per_s), .unit = "B/s"),
    NNC_AS("mem_bytes", WHOLE, DEVICE(mem_bytes), .unit = "B"),
    NNC_AS("used_bytes", NUMBER, .get = get_used_bytes, .unit = "B"),
    NNC_AS("excess_bytes", NUMBER, .get = get_excess_bytes, .unit = "B"),
    NNC_AS("carbon_g_per_kwh", NUMBER, SERVE(plan.carbon_g_per_kwh)),
    NNC_AS("past_critical", BOOL, .get = get_past_critical),
};
static const nnc_metrics page_metrics = NNC_METRICS("a page of serving", page_metric_rows, nnc_report);

/* ---- functions that write single items of a line of the page ---- */

/* Adds the source of the price of a device-hour to the page line, unless the user gives the price with --price. */
static void add_price(nnc_sheet *sheet, const void *record) {
    const nnc_report *report = record;
    const nnc_price *price = report->device->price_count > 0 ? report->device->prices : NULL;
    const double counted =
        report->images != NULL ? report->images->price_per_device_hour : report->serve->price_per_device_hour;
    if (price != NULL && price->per_device_hour == counted) { nnc_sheet_price(sheet, price); }
}

/* Writes a table with the parts of the time of a prefill step and of a decode step. */
static void write_steps(nnc_sheet *sheet, const void *record) {
    const nnc_serve *s = ((const nnc_report *)record)->serve;
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
    nnc_table_write(&table, sheet->out, sheet->style);
}

static void write_launch(nnc_sheet *sheet, const void *record) { nnc_sheet_launch(sheet, record); }

static void write_sentence(nnc_sheet *sheet, const void *record) {
    char text[NNC_METRIC_TEXT_MAX];
    nnc_sheet_line(sheet->out, sheet->style, "%s", nnc_serve_sentence(record, text));
}

/* ---- the page of a deployment that serves a decoder ---- */

static const nnc_page_row plan_rows[] = {
    NNC_BLOCK(write_sentence),
    NNC_GAP(),
    NNC_LINE("model"),
    NNC_ADD(nnc_sheet_model),
    NNC_ITEM("{model.name}"),
    NNC_ITEM("{model.params} parameters"),
    NNC_ITEM("set {model.overrides}"),
    NNC_LINE("device"),
    NNC_ADD(nnc_sheet_device),
    NNC_ITEM("{peak_flops_per_s} peak in {plan.precision}"),
    NNC_ITEM("{mem_bytes_per_s}"),
    NNC_ITEM("{mem_bytes}"),
    NNC_LINE("plan"),
    NNC_ITEM("1 device", .when = "plan.devices = 1"),
    NNC_ITEM("{plan.devices} devices", .when = "plan.devices > 1"),
    NNC_ITEM("tensor {plan.tensor}", .when = "plan.tensor > 1"),
    NNC_ITEM("pipeline {plan.pipeline}", .when = "plan.pipeline > 1"),
    NNC_ITEM("attention data {plan.attention_data}", .when = "plan.attention_data > 1"),
    NNC_ITEM("expert {plan.expert}", .when = "plan.expert > 1"),
    NNC_ITEM("data {plan.data}", .when = "plan.data > 1"),
    NNC_ITEM("prefill and decode workers {plan.disaggregate}",
             .when = "plan.disaggregate, plan.mode != static, plan.mode != offline"),
    NNC_ITEM("weights {plan.weights}"),
    NNC_ITEM("products in {plan.precision}", .when = "plan.weights != plan.precision"),
    NNC_ITEM("cache {plan.kv_precision}"),
    NNC_ITEM("software {plan.software}"),
    NNC_LINE("requests"),
    NNC_ITEM("{plan.input_len:count} tokens in"),
    NNC_ITEM("{plan.output_len:count} out"),
    NNC_ITEM("a static batch of {plan.batch}", .when = "plan.mode = static"),
    NNC_ITEM("{plan.concurrency} always open", .when = "plan.mode = closed-loop"),
    NNC_ITEM("{plan.request_rate:count} per second", .when = "plan.mode = open-loop"),
    NNC_ITEM("offline, as many as fit", .when = "plan.mode = offline"),
    NNC_ITEM("{plan.prefix_hit:percent} of the prompt cached", .when = "plan.prefix_hit > 0"),
    NNC_BLOCK(write_launch),
    NNC_GAP(),
};
static const nnc_page_rows plan_page = NNC_PAGE_ROWS(&page_metrics, plan_rows);

/* Adds an item with the seconds that the server spends outside the engine before the first token of a request. The rest
 * of the time to the first token can be compared with the prefill time in the table. */
static void add_server_time(nnc_sheet *sheet, const void *record) {
    const nnc_report *report = record;
    const double server_s = report->software->serving.ttft_s;
    char text[NNC_NUMBER_TEXT];
    if (server_s > 0.0 && isfinite(report->serve->ttft_s)) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s of this time in the server, outside the engine",
                       nnc_unit_text(server_s, "s", text));
    }
}

#define UNBOUNDED "unbounded (arrival rate exceeds capacity)"
static const nnc_page_row answer_rows[] = {
    NNC_BLOCK(write_steps),
    NNC_GAP(),
    NNC_LINE("first token"),
    NNC_BAD(UNBOUNDED, .when = "!latency.ttft_s"),
    NNC_BOLD("{latency.ttft_s}"),
    NNC_ADD(add_server_time),
    NNC_ITEM("90 % range {latency.ttft_interval_s.0} to {latency.ttft_interval_s.1}",
             .when = "latency.ttft_interval_s.0, latency.ttft_interval_s.1"),
    NNC_ITEM("90 % range from {latency.ttft_interval_s.0}, unbounded if the server saturates",
             .when = "latency.ttft_interval_s.0, !latency.ttft_interval_s.1"),
    NNC_ITEM("at least {latency.ttft_lower_bound_s}", .when = "latency.ttft_s"),
    NNC_LINE("per token"),
    NNC_BAD(UNBOUNDED, .when = "!latency.tpot_s"),
    NNC_BOLD("{latency.tpot_s}"),
    NNC_ITEM("90 % range {latency.tpot_interval_s.0} to {latency.tpot_interval_s.1}",
             .when = "latency.tpot_interval_s.0"),
    NNC_ITEM("at least {latency.tpot_lower_bound_s}", .when = "latency.tpot_s"),
    NNC_LINE("ranges", .when = "latency.interval_reason, latency.tpot_s"),
    NNC_ITEM("widened: {latency.interval_reason}"),
    NNC_LINE("request"),
    NNC_BAD(UNBOUNDED, .when = "!latency.request_s"),
    NNC_BOLD("{latency.request_s}"),
    NNC_ITEM("at least {latency.request_lower_bound_s}", .when = "latency.request_s"),

    NNC_LINE("percentiles", .when = "formula.ttft_p99_s"),
    NNC_ITEM("first token {latency.ttft_p50_s} (half), {latency.ttft_p90_s} (90 %), {formula.ttft_p99_s} (99 %)"),
    NNC_ITEM("per token {latency.tpot_p50_s}, {latency.tpot_p90_s}, {latency.tpot_p99_s}"),
    NNC_ITEM("request {latency.request_p50_s}, {latency.request_p90_s}, {latency.request_p99_s}"),
    NNC_LINE("throughput"),
    NNC_BOLD("{throughput.output_tokens_per_s} tokens/s"),
    NNC_ITEM("{throughput.output_tokens_per_s_per_device} per device", .when = "plan.devices > 1"),
    NNC_ITEM("{throughput.tokens_per_s_per_user} per user"),
    NNC_ITEM("{throughput.requests_per_s} requests/s"),
    NNC_ITEM("{throughput.running} running"),
    NNC_ITEM("{throughput.utilization} of the peak"),
    NNC_LINE("saturation"),
    NNC_ITEM("at {throughput.saturation_rate} requests/s", .when = "!throughput.saturated"),
    NNC_BAD("at {throughput.saturation_rate} requests/s, below the arrival rate", .when = "throughput.saturated"),
    NNC_ITEM("90 % range {throughput.saturation_interval.0:count} to {throughput.saturation_interval.1:count}",
             .when = "throughput.saturation_interval.0, plan.mode = open-loop"),
    NNC_LINE("decode"),
    NNC_ITEM("{decode.bound}-bound"),
    NNC_ITEM("not compute-bound with any number of sequences of this length",
             .when = "!decode.critical_batch, decode.bound != compute"),
    NNC_ITEM("becomes compute-bound with {decode.critical_batch:ceil} sequences or more",
             .when = "decode.bound != compute, !past_critical"),
    NNC_ITEM("compute-bound at datasheet rates with {decode.critical_batch:ceil} sequences or more",
             .when = "past_critical"),

    NNC_LINE("memory"),
    NNC_GOOD("fits", .when = "memory.fits"),
    NNC_BAD("does not fit by {excess_bytes}", .when = "!memory.fits"),
    NNC_ITEM("{memory.total_bytes} of {used_bytes}"),
    NNC_ITEM("weights {memory.weight_bytes}"),
    NNC_ITEM("cache {memory.kv_bytes}"),
    NNC_LINE(""),
    NNC_ITEM("{memory.kv_bytes_per_token} a token"),
    NNC_BOLD("at most {memory.max_sequences} sequences of this length"),

    NNC_LINE("cost", .when = "cost.per_million_output_tokens"),
    NNC_BOLD("{cost.per_million_output_tokens:count} {cost.currency} per million output tokens"),
    NNC_ITEM("if output tokens carry the whole cost"),
    NNC_ITEM("split by time {cost.per_million_prefilled_tokens:count} input"),
    NNC_ITEM("{cost.per_million_decoded_tokens:count} output"),
    NNC_ITEM("at {cost.price_per_device_hour:count} {cost.currency} per device-hour"),
    NNC_ADD(add_price),
    NNC_LINE("energy", .when = "cost.energy_j_per_token"),
    NNC_ITEM("{cost.energy_j_per_token} a token at rated power"),
    NNC_ITEM("{cost.carbon_g_per_million_tokens:count} g of carbon dioxide per million out"),
    NNC_ITEM("at {carbon_g_per_kwh:g} g/kWh", .when = "cost.carbon_g_per_million_tokens"),
    NNC_ADD(nnc_sheet_region, .when = "cost.carbon_g_per_million_tokens"),

    NNC_LINE("speculation", .when = "formula.speculation_speedup"),
    NNC_ITEM("draft {plan.draft}", .when = "plan.draft"),
    NNC_ITEM("{plan.draft_length} x {formula.draft_s} to propose"),
    NNC_ITEM("{formula.verify_s} to verify"),
    NNC_ITEM("{formula.tokens_per_verify} tokens a verification"),
    NNC_ITEM("per token {formula.speculation_tpot_s}"),
    NNC_ITEM("{formula.speculation_speedup:count} times as fast, not compared with measurements"),
    NNC_LINE("separate", .when = "formula.apart_requests_per_s"),
    NNC_WORDS("the figures above do not use separate workers: each replica prefills and decodes",
              .when = "plan.mode = static"),
    NNC_WORDS("the figures above do not use separate workers: each replica prefills and decodes",
              .when = "plan.mode = offline"),
    NNC_ITEM("{formula.apart_requests_per_s} requests/s"),
    NNC_ITEM("{formula.apart_workers_ratio:count} prefill workers for each decode worker"),
    NNC_ITEM("{formula.transfer_bytes} of cache a prompt"),
    NNC_ITEM("sent in {formula.transfer_s}"),
    NNC_ITEM("without a queue first token {formula.apart_ttft_s}"),
    NNC_ITEM("per token {formula.apart_tpot_s} with full workers, not compared with measurements"),
};
static const nnc_page_rows answer_page = NNC_PAGE_ROWS(&page_metrics, answer_rows);

/* Writes changes with which the deployment fits in memory and serves the request rate. If the deployment already fits
 * and serves the request rate, writes changes that reduce the cost per token. Example: "would fit --tensor 4: 52.5 ms
 * per token, 73 tokens/s, 105 USD per million out". */
static void write_changes(nnc_sheet *sheet, const nnc_report *report) {
    char time[NNC_NUMBER_TEXT], rate[NNC_NUMBER_TEXT], cost[NNC_NUMBER_TEXT], money[64] = "";
    const char *label = !report->serve->fits ? "would fit" : report->serve->saturated ? "would serve" : "cheaper";
    if (!report->serve->fits && report->serve_change_count == 0) {
        nnc_sheet_note(sheet, label, "none of the tried changes: %sweights with fewer bits, more tensor ranks",
                       report->serve->mode == NNC_SERVE_STATIC ? "a smaller batch, " : "");
    }
    for (int32_t i = 0; i < report->serve_change_count; i++) {
        const nnc_serve_change *change = &report->serve_changes[i];
        if (!isnan(change->per_million_output_tokens)) {
            snprintf(money, sizeof money, ", %s %s per million out",
                     nnc_count_text(change->per_million_output_tokens, cost), nnc_report_currency(report));
        }
        nnc_sheet_note(sheet, i == 0 ? label : "", "%s: %s per token, %s tokens/s%s", change->options,
                       nnc_unit_text(change->tpot_s, "s", time), nnc_count_text(change->output_tokens_per_s, rate),
                       money);
    }
}

enum { INDENT = 13, IMAGES_INDENT = 11 };

static void write_page(nnc_buffer *out, nnc_style style, const void *record) {
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    sheet.indent = INDENT;
    nnc_sheet_rows(&sheet, &plan_page, record);
    nnc_sheet_rows(&sheet, &answer_page, record);
    write_changes(&sheet, record);
}

static nnc_lines lines_of(const void *record) { return (nnc_lines){ &nnc_serve_metrics, NULL, record, 1 }; }

static nnc_lines op_lines(const void *record) {
    const nnc_report *report = record;
    return (nnc_lines){ &nnc_serve_op_metrics, NULL, report->serve_ops, report->serve_op_count };
}

static void write_ops_page(nnc_buffer *out, nnc_style style, const void *record) {
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    sheet.indent = INDENT;
    nnc_sheet_rows(&sheet, &plan_page, record);
    nnc_table_of(out, style, op_lines(record));
}

const nnc_view nnc_serve_view = {
    .schema = "nncost.serve/1", .document = &nnc_serve_document, .lines = lines_of, .page = write_page
};
const nnc_view nnc_serve_ops_view = {
    .schema = "nncost.serve/1", .document = &nnc_serve_document, .lines = op_lines, .page = write_ops_page
};

/* ---- the page of image generation by diffusion ---- */

static const nnc_page_row images_rows[] = {
    NNC_LINE("images"),
    NNC_ITEM("{model} on {device}"),
    NNC_ITEM("{images.image} x {images.image} pixels", .when = "images.image > 0"),
    NNC_ITEM("a video of the model's size", .when = "!images.image"),
    NNC_ITEM("{images.batch} at a time"),
    NNC_ITEM("{images.steps} steps without guidance", .when = "!images.guidance"),
    NNC_ITEM("{images.steps} steps with guidance", .when = "images.guidance"),
    NNC_ITEM("{images.precision}"),
    NNC_ITEM("software {software}"),
    NNC_LINE("parts"),
    NNC_ITEM("prompt {images.text_s} ({text_encoders})", .when = "images.text_s > 0"),
    NNC_ITEM("{images.steps} x {images.forward_s}"),
    NNC_ITEM("decoder {images.decode_s} ({image_decoder})", .when = "images.decode_s > 0"),
    NNC_ITEM("weights {images.weight_bytes} of {images.capacity_bytes}", .when = "images.fits"),
    NNC_BAD("weights {images.weight_bytes} of {images.capacity_bytes}", .when = "!images.fits"),
    NNC_LINE("time"),
    NNC_BOLD("{images.image_s}"),
    NNC_ITEM("{images.forward_s} a step"),
    NNC_ITEM("at least {images.lower_bound_s} in all"),
    NNC_ITEM("{images.utilization} of the peak"),
    NNC_LINE("throughput"),
    NNC_BOLD("{images.images_per_s:count} images/s", .when = "images.image > 0"),
    NNC_BOLD("{images.images_per_s:count} videos/s", .when = "!images.image"),
    NNC_ITEM("{images.per_thousand_images:count} {currency} per thousand"),
    NNC_ADD(add_price),
    NNC_ITEM("{images.energy_j_per_image} each at rated power"),
    NNC_ITEM("{images.carbon_g_per_thousand_images:count} g of carbon dioxide per thousand"),
    NNC_ADD(nnc_sheet_region, .when = "images.carbon_g_per_thousand_images"),
};
static const nnc_page_rows images_page = NNC_PAGE_ROWS(&nnc_images_metrics, images_rows);

const nnc_view nnc_images_view = {
    .schema = "nncost.images/1", .document = &nnc_images_metrics, .rows = &images_page, .indent = IMAGES_INDENT
};

/* Refuses options for programs that issue operators one by one, if these options have no effect. */
static nnc_status check_eager(const nnc_options *options, const nnc_serve_scenario *scenario, nnc_error *err) {
    const bool lists = scenario->base.software.lists_operators;
    const bool known = scenario->base.model.implementation != NNC_IMPLEMENTATION_NONE;
    const char *needs = !lists ? "--software torch-eager" : !known ? "--implementation" : NULL;
    const char *option = !lists && nnc_option_typed(options, "--implementation") ? "--implementation"
                         : nnc_option_typed(options, "--host")                   ? "--host"
                                                                                 : NULL;
    return needs == NULL || option == NULL
               ? NNC_OK
               : nnc_fail(err, NNC_BAD_USAGE, option, "has no effect here, expected together with %s", needs);
}

static nnc_status load(nnc_session *session, const char *model, const char *device, nnc_serve_scenario *scenario,
                       nnc_error *err) {
    const nnc_scenario_args *given = &session->options.given;
    const nnc_plans_scenario *picked = NULL;
    const nnc_plans *plans = NULL;
    if (given->building != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--building",
                        "has no effect here: serving counts only the energy of the devices");
    }
    NNC_TRY(nnc_plans_of_args(session, model, device, &plans, &picked, err));
    NNC_TRY(plans != NULL ? nnc_plans_load_served(session->specs, given, nnc_specs_arena(session->specs), plans, picked,
                                                  device, scenario, err)
                          : nnc_serve_scenario_load(session->specs, given, model, device, scenario, err));
    NNC_TRY(check_eager(&session->options, scenario, err));
    return nnc_serve_scenario_check_read(given, scenario, err);
}

static nnc_status answer(nnc_session *session, nnc_serve_scenario *scenario, nnc_scratch *scratch, nnc_error *err) {
    const nnc_serve *serve = &scenario->serve;
    NNC_TRY(nnc_serve_scenario_compute(scenario, scratch, err));
    nnc_serve_scenario_changes(scenario, scratch);
    const bool fits = scenario->base.report.images != NULL ? scenario->images.fits : serve->fits && !serve->saturated;
    session->exit_code = fits ? 0 : 1;
    return NNC_OK;
}

static nnc_status with_scenario(nnc_session *session, const char *model, const char *device, bool answered,
                                nnc_serve_writer *write, nnc_error *err) {
    nnc_serve_scenario *scenario = calloc(1, sizeof *scenario);
    nnc_scratch *scratch = nnc_scratch_create();
    nnc_status status = scenario != NULL && scratch != NULL ? NNC_OK : nnc_no_memory(err);
    if (status == NNC_OK) { status = load(session, model, device, scenario, err); }
    if (status == NNC_OK && answered) { status = answer(session, scenario, scratch, err); }
    if (status == NNC_OK) { status = write(session, scenario, scratch, err); }
    nnc_scratch_destroy(scratch);
    free(scenario);
    return status;
}

nnc_status nnc_serve_with(nnc_session *session, const char *model, const char *device, nnc_serve_writer *write,
                          nnc_error *err) {
    return with_scenario(session, model, device, false, write, err);
}

nnc_status nnc_serve_report(nnc_session *session, const char *model, const char *device, nnc_serve_writer *write,
                            nnc_error *err) {
    return with_scenario(session, model, device, true, write, err);
}

static nnc_status write_answer(nnc_session *session, nnc_serve_scenario *scenario, nnc_scratch *scratch,
                               nnc_error *err) {
    const nnc_report *report = &scenario->base.report;
    (void)scratch;
    if (session->options.emit != NULL) { NNC_TRY(nnc_emit_deployment(session, report, &scenario->ask, err)); }
    if (nnc_emit_instead(session)) {
        session->exit_code = 0;
        return NNC_OK;
    }
    nnc_view_write(session->out, session->style, report->images != NULL ? &nnc_images_view : &nnc_serve_view, report);
    return NNC_OK;
}

nnc_status nnc_emit_deployment(nnc_session *session, const nnc_report *report, const nnc_serve_ask *ask,
                               nnc_error *err) {
    const char *software = session->options.given.software;
    char engine[NNC_EMIT_FORMAT];
    const char *file = nnc_emit_file(&session->options, engine);
    nnc_buffer text = { 0 };
    if (software != NULL && strncmp(software, engine, strlen(engine)) != 0) {
        return nnc_fail(err, NNC_BAD_USAGE, "--emit",
                        "the file starts the engine of --software (%.60s), expected this engine, found \"%.60s\"",
                        software, engine);
    }
    if (session->options.given.set_count > 0 || report->images != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--emit",
                        "an engine has no options for --set and --steps, expected a command without --set and --steps");
    }
    if (file != NULL && session->inside) {
        return nnc_fail(err, NNC_BAD_USAGE, "--emit", "cannot write to a file here, expected FORMAT without =FILE");
    }
    /* an engine loads the published weights by itself, so the format of these weights needs no option */
    const nnc_stored published = report->model->published_weights;
    const nnc_stored usual = published != NNC_STORED_COUNT ? published : NNC_STORED_BF16;
    nnc_serve_ask written = *ask;
    if (report->model->stored == NULL && written.weights == usual) { written.weights = NNC_STORED_COUNT; }
    nnc_status status = nnc_launch_emit(session->specs, engine, report->model_asked, &written,
                                        file != NULL ? &text : session->out, err);
    if (status == NNC_OK && file != NULL) { status = nnc_output_write(file, text.bytes, text.size, err); }
    nnc_buffer_free(&text);
    return status;
}

static nnc_status run(nnc_session *session, nnc_error *err) {
    char **operands = session->options.operands;
    /* the command line of --emit does not depend on the load, so nothing is estimated */
    if (nnc_emit_instead(session)) { return nnc_serve_with(session, operands[0], operands[1], write_answer, err); }
    return nnc_serve_report(session, operands[0], operands[1], write_answer, err);
}

const nnc_command nnc_cmd_serve = {
    .name = "serve",
    .operands = "[FILE...] MODEL DEVICE | PLANS.json [DEVICE]",
    .summary = "A decoder under load: time to first token and per token, throughput, memory and cost.",
    .notes =
        "Requests come as a static batch (--batch), a closed loop (--concurrency), an open loop (--request-rate) or "
        "as many requests at once as memory allows (--offline). The command exits with 1 if the requests do not "
        "fit, or if requests arrive faster than the deployment can serve them. FILE is a script or configuration of "
        "vLLM, SGLang or TensorRT-LLM; a command line of one of these engines can also follow \"--\".",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_SERVE | NNC_TAKES_SCENARIO | NNC_TAKES_LAUNCH | NNC_TAKES_EMIT,
    .run = run,
};

static nnc_status write_ops(nnc_session *session, nnc_serve_scenario *scenario, nnc_scratch *scratch, nnc_error *err) {
    const nnc_report *report = &scenario->base.report;
    (void)scratch;
    if (report->images != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--steps",
                        "'nncost ops --serve' cannot list the ops of image "
                        "generation; 'nncost ops %s %s' lists the ops of one pass",
                        report->model_asked, report->device_asked);
    }
    session->exit_code = 0;
    nnc_view_write(session->out, session->style, &nnc_serve_ops_view, report);
    return NNC_OK;
}

static nnc_status run_ops(nnc_session *session, nnc_error *err) {
    char **operands = session->options.operands;
    return nnc_serve_report(session, operands[0], operands[1], write_ops, err);
}

const nnc_command nnc_cmd_serve_ops = {
    .name = "ops",
    .operands = "MODEL DEVICE | PLANS.json [DEVICE] --serve",
    .summary = "Every op of a prefill and of a decode step, with equal layers in one row: work, bytes of weights and "
               "cache that are read, time, bound.",
    .notes = "The command exits with 0 even if the requests do not fit.",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_SERVE | NNC_TAKES_SCENARIO | NNC_TAKES_SERVING,
    .run = run_ops,
};

static nnc_status write_explained(nnc_session *session, nnc_serve_scenario *scenario, nnc_scratch *scratch,
                                  nnc_error *err) {
    static const nnc_explain_output none = { NULL, NULL };
    (void)scratch;
    session->exit_code = 0;
    return nnc_report_explain(session->out, session->style, &scenario->base.report, &none, session->options.operands[0],
                              err);
}

static nnc_status run_explain(nnc_session *session, nnc_error *err) {
    char **operands = session->options.operands;
    return nnc_serve_report(session, operands[1], operands[2], write_explained, err);
}

const nnc_command nnc_cmd_serve_explain = {
    .name = "explain",
    .operands = "NAMES MODEL DEVICE | NAMES PLANS.json [DEVICE] --serve",
    .summary = "Metrics of serving: formula, source, and the numbers in the formula.",
    .notes = "NAMES are names of metrics, joined by commas, such as tpot_s, kv_bytes_per_token, max_sequences or "
             "decode.time_s; 'nncost serve --format json' prints all metrics with their names.",
    .min_operands = 2,
    .max_operands = 3,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_SERVE | NNC_TAKES_SCENARIO | NNC_TAKES_SERVING,
    .run = run_explain,
};
