/* nncost run: a whole run on its page: length, parts of the wall time, method, input, failures and checkpoints, money,
 * energy, carbon. run_rows is the page; nncost estimate shows it below its own. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "cli/views_internal.h"
#include "input/input_internal.h"

/* The source that the device file gives for a parameter: that of the longest key that covers it. */
static const char *source_of(const nnc_device *device, const char *key)
{
    const char *text = NULL;
    size_t best = 0;
    for (int32_t i = 0; device != NULL && i < device->source_count; i++) {
        const char *of = device->sources[i].key;
        const size_t length = strlen(of);
        if (strncmp(of, key, length) == 0 && (key[length] == '\0' || key[length] == '.') &&
            length > best) {
            text = device->sources[i].text;
            best = length;
        }
    }
    return text;
}

/* The parts of the wall time: the metrics that add up to it. */
static void write_parts(nnc_sheet *sheet, const void *record)
{
    const nnc_run *run = ((const nnc_report *)record)->run;
    static const nnc_head heads[] = { { .text = "part", .left = true },
                                      { .text = "time" },
                                      { .text = "share" },
                                      { .text = "", .left = true, .shrinks = true, .drop = 1 } };
    const nnc_place place = { .record = run };
    char text[NNC_METRIC_TEXT_MAX];
    nnc_table table;
    nnc_table_begin(&table, heads, sizeof heads / sizeof heads[0]);
    for (size_t i = 0; i < nnc_run_metrics.count; i++) {
        const nnc_metric *row = &nnc_run_metrics.rows[i];
        if (row->head == NULL || nnc_metric_rare(row)->part_of == NULL) {
            continue;
        }
        const nnc_cell cell = nnc_metric_read(row, &place, 0, text);
        if (cell.kind == NNC_CELL_NUMBER && cell.number > 0.0) {
            nnc_table_cell(&table, row->head);
            nnc_table_number(&table, cell.number, "s");
            nnc_table_share(&table, cell.number / run->run_s);
            nnc_table_cell(&table, row->help);
        }
    }
    nnc_table_write(&table, sheet->out, sheet->style);
    nnc_sheet_gap(sheet);
}

/* ---- metrics of the page that the output does not have ---- */

#define ASK(member) NNC_VIA(nnc_report, run_ask), NNC_IN(nnc_run_ask, member)
NNC_GET(get_rolls_out, nnc_report, nnc_bool_cell(nnc_method_rolls_out(self->run_ask->method)))
NNC_GET(get_currency, nnc_report,
        nnc_text_cell(self->device != NULL ? nnc_price_currency(self->device) : "USD"))
NNC_GET(get_data_cost, nnc_report,
        nnc_number_cell(self->run->cost_storage + self->run->cost_egress))
NNC_GET(get_stop_cause, nnc_report,
        nnc_text_cell(self->run_ask->stops == NNC_STOPS_ANY ? "of any cause"
                                                            : "by faults of the hardware"))
NNC_GET(get_power_basis, nnc_report,
        nnc_text_cell(!isnan(self->run_ask->busy_w) ? " with its share of the node"
                      : isnan(self->run->busy_share)
                          ? " as rated"
                          : " by the model of its power limit, without a host"))

static const nnc_metric page_metric_rows[] = {
    NNC_AS("run", OBJECT, NNC_VIA(nnc_report, run), .rows = &nnc_run_metrics),
    NNC_AS("method", ENUM, ASK(method), .names = { nnc_method_name, NNC_METHOD_COUNT }),
    NNC_AS("rolls_out", BOOL, .get = get_rolls_out),
    NNC_AS("rollout_s", NUMBER, ASK(rollout_s)),
    NNC_AS("spot", BOOL, NNC_IN(nnc_report, spot)),
    NNC_AS("reclaim_per_month", NUMBER, ASK(reclaim_per_month)),
    NNC_AS("rollout_tokens_per_s", NUMBER, ASK(rollout_tokens_per_s), .show = NNC_SHOW_COUNT),
    NNC_AS("rollout_batch", NUMBER, ASK(rollout_batch), .show = NNC_SHOW_COUNT),
    NNC_AS("rollout_tensor", NUMBER, ASK(rollout_tensor)),
    NNC_AS("pue", NUMBER, ASK(pue)),
    NNC_AS("carbon_g_per_kwh", NUMBER, ASK(carbon_g_per_kwh)),
    NNC_AS("embodied_kg", NUMBER, ASK(embodied_kg)),
    NNC_AS("currency", TEXT, .get = get_currency),
    NNC_AS("data_cost", NUMBER, .get = get_data_cost, .show = NNC_SHOW_COUNT),
    NNC_AS("stop_cause", TEXT, .get = get_stop_cause),
    NNC_AS("power_basis", TEXT, .get = get_power_basis),
};
static const nnc_metrics page_metrics = NNC_METRICS("a run's page", page_metric_rows, nnc_report);

/* ---- sources ---- */

static void add_stop_source(nnc_sheet *sheet, const void *record)
{
    const nnc_report *report = record;
    const bool any = report->run_ask->stops == NNC_STOPS_ANY;
    const char *source = source_of(report->device, any ? "mtbf.any_s" : "mtbf.hardware_s");
    if (source != NULL) {
        nnc_sheet_words(sheet, "(%s)", source);
    }
}

static void add_price(nnc_sheet *sheet, const void *record)
{
    const nnc_report *report = record;
    nnc_sheet_price(sheet, report->result != NULL ? nnc_report_price(report) : NULL);
}

static void add_embodied_source(nnc_sheet *sheet, const void *record)
{
    const nnc_report *report = record;
    if (report->device != NULL &&
        !(fabs(report->run_ask->embodied_kg - report->device->embodied_kg) > 0.0)) {
        const char *source = source_of(report->device, "embodied_kg");
        nnc_sheet_words(sheet, "(%s)", source != NULL ? source : "as given");
    }
}

/* ---- the page ---- */

static const nnc_page_row input_rows[] = {
    NNC_LINE("input", .when = "input_s"),
    NNC_BAD("the step waits for its input", .when = "input_bound"),
    NNC_GOOD("keeps up", .when = "!input_bound"),
    NNC_ITEM("storage {fetch_s} a step"),
    NNC_ITEM("workers {prepare_s} a step"),
    NNC_ITEM("link {transfer_s} a step"),
    NNC_LINE("", .when = "input_s"),
    NNC_ITEM("needs {input_bytes_per_s} from storage"),
    NNC_ITEM("{workers_needed} workers per device"),
    NNC_ITEM("prefetch holds {prefetch_bytes} per device"),
};
static const nnc_page_rows input_page = NNC_PAGE_ROWS(&nnc_run_metrics, input_rows);

static void write_input(nnc_sheet *sheet, const void *record)
{
    nnc_sheet_rows(sheet, &input_page, ((const nnc_report *)record)->run);
}

static const nnc_page_row run_rows[] = {
    NNC_LINE("run"),
    NNC_BOLD("the length is not known: give --tokens, --samples, --epochs or --days",
             .when = "!run.run_s"),
    NNC_BOLD("{run.run_s}"),
    NNC_ITEM("{run.device_hours:count} device-hours"),
    NNC_ITEM("{run.steps} steps of {run.step_s}"),
    NNC_ITEM("{run.tokens:si} tokens"),
    NNC_ITEM("{run.samples:si} samples", .when = "!run.tokens"),
    NNC_ITEM("{run.flops:g4} FLOP"),
    NNC_GAP(),
    NNC_BLOCK(write_parts, .when = "run.run_s"),

    NNC_LINE("method", .when = "method != train"),
    NNC_BOLD("{method}"),
    NNC_ITEM("generating {run.rollout_step_s} a step", .when = "rolls_out"),
    NNC_ITEM("scoring {run.score_step_s}"),
    NNC_ITEM("new weights {run.sync_step_s}", .when = "run.sync_step_s > 0"),
    NNC_ITEM("{run.flops_per_token} a token"),
    NNC_LINE("", .when = "rolls_out, !rollout_s"),
    NNC_ITEM("{rollout_tokens_per_s} tokens/s per generating device"),
    NNC_ITEM("{rollout_batch} sequences at once on {rollout_tensor:g}"),
    NNC_BLOCK(write_input),

    NNC_LINE("goodput"),
    NNC_BOLD("{run.goodput}"),
    NNC_WORDS(
        "(stops are not counted: the device file has no rate of failures, give --device-mtbf-s)",
        .when = "!run.system_mtbf_s"),
    NNC_ITEM("a stop every {run.system_mtbf_s}"),
    NNC_ITEM("{run.stops} in all", .when = "run.system_mtbf_s"),
    NNC_ITEM("{run.restart_s} from a stop to training again", .when = "run.system_mtbf_s"),
    NNC_LINE("", .when = "run.system_mtbf_s, run.device_mtbf_s"),
    NNC_WORDS("{run.device_mtbf_s:hours} device-hours per stop {stop_cause}"),
    NNC_ADD(add_stop_source),
    NNC_LINE("checkpoint", .when = "run.system_mtbf_s"),
    NNC_ITEM("{run.checkpoint_bytes}"),
    NNC_ITEM("every {run.interval_s}"),
    NNC_ITEM("training waits {run.block_s}"),
    NNC_ITEM("durable after {run.save_s}, loaded in {run.load_s}"),
    NNC_LINE("spares", .when = "run.system_mtbf_s"),
    NNC_ITEM("{run.spares_needed} for {run.nodes} nodes cover 99% of the time"),
    NNC_LINE("", .when = "spot, !reclaim_per_month"),
    NNC_WORDS("spot: reclaimed nodes are not counted, give --reclaim-per-month"),

    NNC_LINE("cost", .when = "run.cost"),
    NNC_BOLD("{run.cost:count} {currency}"),
    NNC_ITEM("at {run.price_per_device_hour:count} {currency} per device-hour"),
    NNC_ADD(add_price),
    NNC_ITEM("{run.cost_per_million_tokens:count} {currency} per million tokens"),
    NNC_ITEM("{data_cost} {currency} of it for storage and egress", .when = "data_cost > 0"),
    NNC_LINE("energy", .when = "run.energy_j"),
    NNC_ITEM("{run.energy_j:kWh} kWh"),
    NNC_ITEM("{run.power_w} per device{power_basis}"),
    NNC_ITEM("PUE {pue:g}"),
    NNC_ADD(nnc_sheet_building),
    NNC_ITEM("{run.rated_energy_j:kWh} kWh at the devices' rated power", .when = "run.busy_share"),
    NNC_LINE("carbon", .when = "run.energy_j, run.carbon_kg"),
    NNC_ITEM("{run.carbon_kg:tonnes} t CO2e"),
    NNC_ITEM("at {carbon_g_per_kwh:g} g/kWh"),
    NNC_ADD(nnc_sheet_region),
    NNC_ITEM("{run.rated_carbon_kg:tonnes} t at the devices' rated power"),
    NNC_LINE("", .when = "run.energy_j, run.embodied_carbon_kg"),
    NNC_ITEM("{run.embodied_carbon_kg:tonnes} t for making the devices, this run's share"),
    NNC_ITEM("of {embodied_kg:g} kg each"),
    NNC_ADD(add_embodied_source),
};
static const nnc_page_rows run_page_rows = NNC_PAGE_ROWS(&page_metrics, run_rows);

enum { INDENT = 12 };

void nnc_run_input_lines(nnc_buffer *out, nnc_style style, const nnc_run *run)
{
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    nnc_sheet_rows(&sheet, &input_page, run);
}

void nnc_run_lines(nnc_buffer *out, nnc_style style, const nnc_report *report)
{
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    sheet.indent = INDENT;
    nnc_sheet_rows(&sheet, &run_page_rows, report);
}

static void run_page(nnc_buffer *out, nnc_style style, const void *record)
{
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    nnc_sheet_subject(&sheet, record);
    nnc_sheet_gap(&sheet);
    nnc_step_write(&sheet, record);
    nnc_fit_write(&sheet, "memory", record);
    nnc_sheet_gap(&sheet);
    nnc_run_lines(out, style, record);
}

static void bare_page(nnc_buffer *out, nnc_style style, const void *record)
{
    nnc_run_lines(out, style, record);
}

static nnc_lines lines_of(const void *record)
{
    const nnc_report *report = record;
    return (nnc_lines){ &nnc_run_metrics, NULL, report->run, 1 };
}

static const nnc_metric bare_rows[] = {
    NNC_AS("run", OBJECT, NNC_VIA(nnc_report, run), .rows = &nnc_run_metrics),
};
static const nnc_metrics bare_document = NNC_METRICS("a run", bare_rows, nnc_report);

const nnc_view nnc_run_view = { .schema = "nncost.run/1",
                                .document = &nnc_estimate_run_metrics,
                                .lines = lines_of,
                                .page = run_page };
const nnc_view nnc_bare_run_view = {
    .schema = "nncost.run/1", .document = &bare_document, .lines = lines_of, .page = bare_page
};

static nnc_status write_answer(nnc_session *session, void *context, nnc_scenario *scenario,
                               nnc_scratch *scratch, nnc_error *err)
{
    (void)context, (void)scratch, (void)err;
    session->exit_code = scenario->result.verdict != NNC_OVER_MEMORY ? 0 : 1;
    nnc_report shown = scenario->report;
    shown.past = nnc_report_past(&shown);
    nnc_view_write(session->out, session->style, &nnc_run_view, &shown);
    return NNC_OK;
}

/* A run without a model and a device: the formulas use the options alone. */
static nnc_status run_bare(nnc_session *session, nnc_error *err)
{
    const nnc_scenario_args *given = &session->options.given;
    nnc_plan plan = nnc_plan_default();
    nnc_run_ask ask = nnc_run_ask_default();
    nnc_run run;
    for (int i = 0; i < given->setting_count; i++) {
        const nnc_field *field = given->settings[i].field;
        const bool of_run = nnc_field_is_of(&nnc_run_table, field);
        if (nnc_field_set(of_run ? &nnc_run_table : &nnc_plan_table,
                          of_run ? (void *)&ask : (void *)&plan, field->name,
                          given->settings[i].value, err) != NNC_OK) {
            nnc_option_name(field->name, err->where);
            return NNC_BAD_USAGE;
        }
    }
    NNC_TRY(nnc_run_of(NULL, NULL, &plan, &ask, &run, err));
    const nnc_report report = { .run = &run, .run_ask = &ask };
    nnc_view_write(session->out, session->style, &nnc_bare_run_view, &report);
    return NNC_OK;
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    const nnc_options *options = &session->options;
    session->options.given.asks_run = true;
    return options->operand_count == 0
               ? run_bare(session, err)
               : nnc_scenario_report(session, options->operands[0], options->operands[1],
                                     write_answer, NULL, err);
}

const nnc_command nnc_cmd_run = {
    .name = "run",
    .operands = "[MODEL DEVICE | PLANS.json [DEVICE]]",
    .summary = "The whole run: days, device-hours, cost, energy and carbon, with failures, "
               "checkpoints and input.",
    .notes = "How much is trained: --tokens, --samples, --epochs with --dataset-size, or --days. "
             "Without MODEL and DEVICE the formulas use the given options: --devices, --step-s, "
             "--device-mtbf-s and so on. Numbers that are not known are left out. Times take us, "
             "ms, s, min, h, d; bytes and rates k, M, G, T; tokens k, M, B, T.",
    .min_operands = 0,
    .max_operands = 2,
    .takes =
        NNC_TAKES_COMMON | NNC_TAKES_LAUNCH | NNC_TAKES_PLAN | NNC_TAKES_SCENARIO | NNC_TAKES_RUN,
    .run = run,
};
