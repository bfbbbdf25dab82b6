/* nncost run: the page of a whole run: its length, the parts of its wall time, method, data loading, failures and
 * checkpoints, money, energy and carbon. The page consists of run_rows, which nncost estimate also shows below its own
 * page. */
#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "input/input_internal.h"

/* Returns the source of a parameter of a run as text; NULL = no source. Each source in a device file has a key, which
 * names one parameter or an object with several parameters. If the keys of several sources match the parameter, the
 * source with the longest key is returned. */
static const char *source_of(const nnc_device *device, const char *key) {
    const char *text = NULL;
    size_t best = 0;
    for (int32_t i = 0; device != NULL && i < device->source_count; i++) {
        const char *of = device->sources[i].key;
        const size_t length = strlen(of);
        if (strncmp(of, key, length) == 0 && (key[length] == '\0' || key[length] == '.') && length > best) {
            text = device->sources[i].text;
            best = length;
        }
    }
    return text;
}

/* Writes the table of the parts of the wall time of a run. The parts are the metrics that add up to the wall time. */
static void write_parts(nnc_sheet *sheet, const void *record) {
    const nnc_run *run = ((const nnc_report *)record)->run;
    static const nnc_head heads[] = { { .text = "part", .left = true },
                                      { .text = "time" },
                                      { .text = "share" },
                                      { .text = "", .left = true, .shrinks = true, .drop = 1 } };
    nnc_metric_part parts[NNC_METRIC_PARTS_MAX];
    const int count = nnc_metric_parts(&nnc_run_metrics, run, 0.0, parts);
    nnc_table table;
    nnc_table_begin(&table, heads, sizeof heads / sizeof heads[0]);
    for (int i = 0; i < count; i++) {
        nnc_table_cell(&table, parts[i].row->head);
        nnc_table_number(&table, parts[i].value, "s");
        nnc_table_share(&table, parts[i].value / run->run_s);
        nnc_table_cell(&table, parts[i].row->help);
    }
    nnc_table_write(&table, sheet->out, sheet->style);
    nnc_sheet_gap(sheet);
}

/* ---- metrics that the page of a run shows and the JSON output does not contain ---- */

#define ASK(member) NNC_VIA(nnc_report, run_ask), NNC_IN(nnc_run_ask, member)
NNC_GET(get_rolls_out, nnc_report, nnc_bool_cell(nnc_method_rolls_out(self->run_ask->method)))
NNC_GET(get_currency, nnc_report, nnc_text_cell(self->device != NULL ? nnc_price_currency(self->device) : "USD"))
NNC_GET(get_data_cost, nnc_report, nnc_number_cell(self->run->cost_storage + self->run->cost_egress))
NNC_GET(get_stop_cause, nnc_report,
        nnc_text_cell(self->run_ask->stops == NNC_STOPS_ANY ? "of any cause" : "of the hardware"))
NNC_GET(get_power_basis, nnc_report,
        nnc_text_cell(!isnan(self->run_ask->busy_w)  ? " with its share of the node"
                      : isnan(self->run->busy_share) ? " as rated"
                                                     : " by the model of its power limit, without a host"))

static const nnc_metric page_metric_rows[] = {
    NNC_AS("run", OBJECT, NNC_VIA(nnc_report, run), .rows = &nnc_run_metrics),
    NNC_AS("method", ENUM, ASK(method), .name_of = nnc_method_name, .values = NNC_METHOD_COUNT),
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

static void add_stop_source(nnc_sheet *sheet, const void *record) {
    const nnc_report *report = record;
    const bool any = report->run_ask->stops == NNC_STOPS_ANY;
    const char *source = source_of(report->device, any ? "mtbf.any_s" : "mtbf.hardware_s");
    if (source != NULL) { nnc_sheet_words(sheet, "(%s)", source); }
}

static void add_price(nnc_sheet *sheet, const void *record) {
    const nnc_report *report = record;
    nnc_sheet_price(sheet, report->result != NULL ? nnc_report_price(report) : NULL);
}

static void add_embodied_source(nnc_sheet *sheet, const void *record) {
    const nnc_report *report = record;
    if (report->device != NULL && !(fabs(report->run_ask->embodied_kg - report->device->embodied_kg) > 0.0)) {
        const char *source = source_of(report->device, "embodied_kg");
        nnc_sheet_words(sheet, "(%s)", source != NULL ? source : "as given");
    }
}

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

static void write_input(nnc_sheet *sheet, const void *record) {
    nnc_sheet_rows(sheet, &input_page, ((const nnc_report *)record)->run);
}

static const nnc_page_row run_rows[] = {
    NNC_LINE("run"),
    NNC_BOLD("the length of the run is not known: give --tokens, --samples, --epochs or --days", .when = "!run.run_s"),
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
    NNC_ITEM("answers at once on a replica of one device: {rollout_batch}", .when = "rollout_tensor = 1"),
    NNC_ITEM("answers at once on a replica of {rollout_tensor:g} devices: {rollout_batch}",
             .when = "rollout_tensor != 1"),
    NNC_BLOCK(write_input),

    NNC_LINE("goodput"),
    NNC_BOLD("{run.goodput}"),
    NNC_WORDS("(failures are not counted: the device file has no rate of failures, give --device-mtbf-s)",
              .when = "!run.system_mtbf_s"),
    NNC_ITEM("a failure every {run.system_mtbf_s}"),
    NNC_ITEM("{run.stops} failures in the run", .when = "run.system_mtbf_s"),
    NNC_ITEM("{run.restart_s} from a failure until training resumes", .when = "run.system_mtbf_s"),
    NNC_LINE("", .when = "run.system_mtbf_s, run.device_mtbf_s"),
    NNC_WORDS("{run.device_mtbf_s:hours} device-hours per failure {stop_cause}"),
    NNC_ADD(add_stop_source),
    NNC_LINE("checkpoint", .when = "run.system_mtbf_s"),
    NNC_ITEM("{run.checkpoint_bytes}"),
    NNC_ITEM("every {run.interval_s}"),
    NNC_ITEM("training waits {run.block_s}"),
    NNC_ITEM("durable after {run.save_s}, loaded in {run.load_s}"),
    NNC_LINE("spares", .when = "run.system_mtbf_s"),
    NNC_ITEM("{run.spares_needed} for {run.nodes} nodes, enough during 99% of the time"),
    NNC_LINE("", .when = "spot, !reclaim_per_month"),
    NNC_WORDS("spot price: stops by reclaimed nodes are not counted; --reclaim-per-month adds them"),

    NNC_LINE("cost", .when = "run.cost"),
    NNC_BOLD("{run.cost:count} {currency}"),
    NNC_ITEM("at {run.price_per_device_hour:count} {currency} per device-hour"),
    NNC_ADD(add_price),
    NNC_ITEM("{run.cost_per_million_tokens:count} {currency} per million tokens"),
    NNC_ITEM("{data_cost} {currency} of this cost for storage and egress", .when = "data_cost > 0"),
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

void nnc_run_input_lines(nnc_buffer *out, nnc_style style, const nnc_run *run) {
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    nnc_sheet_rows(&sheet, &input_page, run);
}

void nnc_run_lines(nnc_buffer *out, nnc_style style, const nnc_report *report) {
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    sheet.indent = INDENT;
    nnc_sheet_rows(&sheet, &run_page_rows, report);
}

/* Writes the page of a run. If the plan does not fit, the page begins with the verdict, as the page of `estimate` does.
 * The caller sets `with_run` to false for a plan that does not fit (without --ignore-memory); the page then shows the
 * step, but not the run. */
static void write_run_page(nnc_buffer *out, nnc_style style, const nnc_report *report, bool with_run) {
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    if (report->result->verdict == NNC_OVER_MEMORY) {
        char text[NNC_METRIC_TEXT_MAX];
        nnc_sheet_line(out, style, "%s", nnc_report_sentence(report, text));
        nnc_buffer_byte(out, '\n');
    }
    nnc_sheet_subject(&sheet, report);
    nnc_sheet_gap(&sheet);
    nnc_step_write(&sheet, report);
    nnc_fit_write(&sheet, "memory", report);
    nnc_sheet_gap(&sheet);
    if (with_run) {
        nnc_run_lines(out, style, report);
    } else {
        nnc_sheet_line(out, style, "The run is not shown, because the plan does not fit; --ignore-memory shows it.");
    }
}

static void run_page(nnc_buffer *out, nnc_style style, const void *record) { write_run_page(out, style, record, true); }

static void page_without_run(nnc_buffer *out, nnc_style style, const void *record) {
    write_run_page(out, style, record, false);
}

static void bare_page(nnc_buffer *out, nnc_style style, const void *record) { nnc_run_lines(out, style, record); }

static nnc_lines lines_of(const void *record) {
    const nnc_report *report = record;
    return (nnc_lines){ &nnc_run_metrics, NULL, report->run, 1 };
}

static const nnc_metric bare_rows[] = {
    NNC_AS("run", OBJECT, NNC_VIA(nnc_report, run), .rows = &nnc_run_metrics),
};
static const nnc_metrics bare_document = NNC_METRICS("a run", bare_rows, nnc_report);

const nnc_view nnc_run_view = {
    .schema = "nncost.run/1", .document = &nnc_estimate_run_metrics, .lines = lines_of, .page = run_page
};
const nnc_view nnc_bare_run_view = {
    .schema = "nncost.run/1", .document = &bare_document, .lines = lines_of, .page = bare_page
};

static nnc_status write_answer(nnc_session *session, void *context, nnc_scenario *scenario, nnc_scratch *scratch,
                               nnc_error *err) {
    (void)context, (void)scratch, (void)err;
    session->exit_code = scenario->result.verdict != NNC_OVER_MEMORY ? 0 : 1;
    nnc_report shown = scenario->report;
    shown.past = nnc_report_past(&shown);
    nnc_view view = nnc_run_view;
    const bool over = scenario->result.verdict == NNC_OVER_MEMORY && !nnc_report_may_fit(&shown);
    if (over && !session->options.ignore_memory) { view.page = page_without_run; }
    nnc_view_write(session->out, session->style, &view, &shown);
    return NNC_OK;
}

/* Computes a run from options alone, without a model and a device. */
static nnc_status run_bare(nnc_session *session, nnc_error *err) {
    const nnc_scenario_args *given = &session->options.given;
    nnc_plan plan = nnc_plan_default();
    nnc_run_ask ask = nnc_run_ask_default();
    nnc_run run;
    for (int i = 0; i < given->setting_count; i++) {
        const nnc_setting *setting = &given->settings[i];
        NNC_TRY(nnc_field_is_of(&nnc_run_table, setting->field)
                    ? nnc_setting_apply(setting, &nnc_run_table, &ask, err)
                    : nnc_setting_apply(setting, &nnc_plan_table, &plan, err));
    }
    NNC_TRY(nnc_run_of(NULL, NULL, &plan, &ask, &run, err));
    const nnc_report report = { .run = &run, .run_ask = &ask };
    nnc_view_write(session->out, session->style, &nnc_bare_run_view, &report);
    return NNC_OK;
}

static nnc_status run(nnc_session *session, nnc_error *err) {
    const nnc_options *options = &session->options;
    session->options.given.asks_run = true;
    return options->operand_count == 0
               ? run_bare(session, err)
               : nnc_scenario_report(session, options->operands[0], options->operands[1], write_answer, NULL, err);
}

const nnc_command nnc_cmd_run = {
    .name = "run",
    .operands = "[MODEL DEVICE | PLANS.json [DEVICE]]",
    .summary = "The whole run: days, device-hours, cost, energy and carbon, with failures, checkpoints and input.",
    .notes =
        "The length of the run is given by --tokens, --samples, --epochs with --dataset-size, or --days. Without "
        "MODEL and DEVICE, the formulas use the values of options such as --devices, --step-s and --device-mtbf-s. "
        "The command leaves out results that need an unknown number. If the plan does not fit in memory, the command "
        "prints no results of the run and exits with 1; with --ignore-memory it also prints these results. Times may "
        "have the units us, ms, s, min, h, d; bytes and rates k, M, G, T; tokens k, M, B, T.",
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_LAUNCH | NNC_TAKES_PLAN | NNC_TAKES_SCENARIO | NNC_TAKES_RUN |
             NNC_TAKES_OVER_MEMORY,
    .run = run,
};

/* ---- nncost budget: the best model and data for an amount of money or FLOPs, by published scaling laws ---- */

static const char *law_at(unsigned index) { return nnc_law_name((nnc_law)index); }

/* Metrics of the model that one scaling law finds best for the budget. */
static const nnc_metric optimum_rows[] = {
    NNC_NAMED(nnc_optimum, law, nnc_law_name, NNC_LAW_COUNT, .head = "law", .help = "Name of the scaling law."),
    NNC_NUMBER(nnc_optimum, params, .head = "parameters", .show = NNC_SHOW_SHORT,
               .help = "Parameters of the model with the least loss, by the constants of the law."),
    NNC_NUMBER(nnc_optimum, tokens, .head = "tokens", .show = NNC_SHOW_SHORT, .unit = NULL,
               .help = "Tokens on which the model with the least loss is trained: C / (6 N)."),
    NNC_NUMBER(nnc_optimum, loss, .head = "loss", .show = NNC_SHOW_COUNT,
               .help = "Loss that the law expects, E + A / N^a + B / D^b; null for a law without a loss."),
    NNC_NUMBER(nnc_optimum, served_params, .head = "to serve", .show = NNC_SHOW_SHORT,
               .help = "Parameters of the model that reaches `loss` with the fewest FLOPs for training and serving."),
    NNC_NUMBER(nnc_optimum, served_tokens, .head = "tokens", .show = NNC_SHOW_SHORT,
               .help = "Tokens on which the model with the fewest FLOPs for training and serving is trained."),
    NNC_NUMBER(
        nnc_optimum, saved_share, .head = "saved", .show = NNC_SHOW_PERCENT,
        .help = "Share of the FLOPs of training and serving, 6 N D + 2 N T, that the model with served_params saves."),
};
enum { SERVED_COLUMN = 4 };
static const nnc_metrics optimum_metrics =
    NNC_METRICS("the model of least loss by a scaling law", optimum_rows, nnc_optimum);

typedef struct answer {
    const nnc_device *device;
    const nnc_budget_ask *ask;
    nnc_budget budget;
    const nnc_optimum *optima;
    int32_t count;
} answer;

#define BUDGET(member) NNC_IN(answer, budget.member)
static const nnc_metric budget_rows[] = {
    NNC_AS("device", CHARS, NNC_VIA(answer, device), NNC_IN(nnc_device, id),
           .help = "Device whose device-hours are paid for."),
    NNC_AS("cost", NUMBER, BUDGET(cost), .help = "Money for the run: device_hours x price_per_device_hour."),
    NNC_AS("price_per_device_hour", NUMBER, BUDGET(price_per_device_hour), .help = "Price of one device for one hour."),
    NNC_AS("device_hours", NUMBER, BUDGET(device_hours), .unit = "h",
           .help = "Device-hours: cost / price_per_device_hour, or flops / (3600 x flops_per_s)."),
    NNC_AS("flops_per_s", NUMBER, BUDGET(flops_per_s), .unit = "FLOP/s",
           .help = "Useful rate of one device: its 16-bit peak x MFU x goodput."),
    NNC_AS("flops", NUMBER, BUDGET(flops), .unit = "FLOP",
           .help = "Model FLOPs: device_hours x 3600 x flops_per_s, or 6 N D of --params and --tokens."),
    NNC_AS("days", NUMBER, BUDGET(days), .help = "Days that the run may take."),
    NNC_AS("devices", NUMBER, BUDGET(devices),
           .help =
               "Number of devices with which the run takes at most `days`: device_hours / (24 x days), rounded up."),
    NNC_AS("params", NUMBER, BUDGET(params), .help = "Parameters given by --params."),
    NNC_AS("tokens", NUMBER, BUDGET(tokens), .help = "Tokens given by --tokens."),
    NNC_AS("over_training", NUMBER, BUDGET(over_training), .each_count = NNC_LAW_COUNT,
           .help = "flops divided by the fewest FLOPs that reach the loss of the given model, for each scaling law "
                   "that states a loss.",
           .more = NNC_MORE(.each = law_at)),
    NNC_AS("optima", LIST, NNC_IN(answer, optima), NNC_COUNT(answer, count), .rows = &optimum_metrics,
           .help = "The best model for the FLOPs of the budget by each law: G (C / 6)^(b / (a + b)) parameters with G "
                   "= (a A / (b B))^(1 / (a + b)), and C / (6 N) tokens."),
};
static const nnc_metrics budget_metrics = NNC_METRICS("a budget", budget_rows, answer);

static void add_budget_price(nnc_sheet *sheet, const void *record) {
    const answer *a = record;
    nnc_sheet_price(sheet, isnan(a->ask->price) ? a->device->prices : NULL);
}

static void write_optima(nnc_sheet *sheet, const void *record) {
    const answer *a = record;
    nnc_table table = { .count = 0 };
    nnc_table_heads(&table, &optimum_metrics);
    for (int c = SERVED_COLUMN; isnan(a->ask->serve_tokens) && c < table.count; c++) { table.heads[c].text = NULL; }
    nnc_table_records(&table, (nnc_lines){ &optimum_metrics, a, a->optima, a->count });
    nnc_table_write(&table, sheet->out, sheet->style);
}

static void add_comparison(nnc_sheet *sheet, const void *record) {
    const nnc_budget *b = &((const answer *)record)->budget;
    const double epoch = b->over_training[NNC_LAW_EPOCH];
    const char *how = epoch < 1.005                                 ? ""
                      : b->params < b->optima[NNC_LAW_EPOCH].params ? "; it is smaller and trained on more tokens"
                                                                    : "; it is larger and trained on fewer tokens";
    nnc_sheet_words(sheet,
                    "needs %.3g times the FLOPs of the best model with the same loss by the law epoch, %.3g times by "
                    "the law printed%s",
                    epoch, b->over_training[NNC_LAW_PRINTED], how);
}

NNC_GET(get_budget_currency, answer, nnc_text_cell(nnc_price_currency(self->device)))

static const nnc_metric budget_metric_rows[] = {
    NNC_ROWS(&budget_metrics),
    NNC_AS("currency", TEXT, .get = get_budget_currency),
    NNC_AS("mfu", NUMBER, NNC_VIA(answer, ask), NNC_IN(nnc_budget_ask, mfu)),
    NNC_AS("goodput", NUMBER, NNC_VIA(answer, ask), NNC_IN(nnc_budget_ask, goodput)),
};
static const nnc_metrics budget_page_metrics = NNC_METRICS("a budget's page", budget_metric_rows, answer);

static const nnc_page_row page_rows[] = {
    NNC_LINE("budget"),
    NNC_BOLD("{cost:count} {currency}", .when = "cost"),
    NNC_ITEM("{device_hours:count} device-hours of {device} at {price_per_device_hour:g} {currency}", .when = "cost"),
    NNC_ADD(add_budget_price, .when = "cost"),
    NNC_BOLD("{device_hours:count} device-hours of {device}", .when = "!cost"),
    NNC_ITEM("{flops:g4} FLOP"),
    NNC_WORDS("at MFU {mfu:g} and goodput {goodput:g}", .when = "flops_per_s"),
    NNC_LINE(""),
    NNC_ITEM("{devices:count} devices finish in {days:g} days"),
    NNC_GAP(),
    NNC_BLOCK(write_optima),
    NNC_GAP(.when = "over_training.epoch"),
    NNC_LINE("model", .when = "over_training.epoch"),
    NNC_ADD(add_comparison),
};
static const nnc_page_rows page = NNC_PAGE_ROWS(&budget_page_metrics, page_rows);

const nnc_view nnc_budget_view = {
    .schema = "nncost.budget/1", .document = &budget_metrics, .list = "optima", .rows = &page
};

static nnc_status run_budget(nnc_session *session, nnc_error *err) {
    const nnc_scenario_args *given = &session->options.given;
    nnc_budget_ask ask = nnc_budget_ask_default();
    answer a = { .ask = &ask, .count = NNC_LAW_COUNT };
    if (session->options.device != NULL) {
        NNC_TRY(nnc_option_device(session->specs, session->options.device, &a.device, err));
    }
    if (a.device == NULL && (given->seller != NULL || given->offer != NULL)) {
        return nnc_fail(err, NNC_BAD_USAGE, given->seller != NULL ? "--seller" : "--offer",
                        "has no effect here, expected together with --device");
    }
    if (a.device != NULL && (given->seller != NULL || given->offer != NULL)) {
        nnc_device *sold = NULL;
        nnc_offer offer = NNC_OFFER_ON_DEMAND;
        NNC_TRY(nnc_scenario_args_offer(given, &offer, err));
        NNC_TRY(nnc_device_copy(session->specs, a.device, &sold, err));
        NNC_TRY(nnc_prices_load(session->specs, given->seller, offer, NULL, sold, err));
        a.device = sold;
    }
    for (int i = 0; i < given->setting_count; i++) {
        NNC_TRY(nnc_setting_apply(&given->settings[i], &nnc_budget_table, &ask, err));
    }
    for (int i = 0; a.device == NULL && i < given->own_count; i++) {
        const char *name = given->settings[i].field->name;
        if (strcmp(name, "mfu") == 0 || strcmp(name, "goodput") == 0) {
            return nnc_fail(err, NNC_BAD_USAGE, strcmp(name, "mfu") == 0 ? "--mfu" : "--goodput",
                            "has no effect here, expected together with --device");
        }
    }
    if (a.device != NULL) { NNC_TRY(nnc_scenario_args_currency(given, a.device, err)); }
    NNC_TRY(nnc_budget_of(a.device, &ask, &a.budget, err));
    a.optima = a.budget.optima;
    nnc_view_write(session->out, session->style, &nnc_budget_view, &a);
    return NNC_OK;
}

const nnc_command nnc_cmd_budget = {
    .name = "budget",
    .operands = "--device DEVICE --cost MONEY | --params N --tokens D | --flops C",
    .summary = "The best model for a budget, or the cost of training a model, by the scaling laws.",
    .notes = "The command prints, for each published scaling law, the model with the least loss that the money can "
             "train. The sizes of the models of different laws differ by a factor of two and more. The training "
             "FLOPs are 6 x parameters x tokens (6 N D). --mfu and --goodput are assumptions: 'nncost estimate' "
             "computes the MFU of a model, and 'nncost run' computes the goodput of its training.",
    .takes = NNC_TAKES_COMMON | NNC_TAKES_BUDGET,
    .run = run_budget,
};
