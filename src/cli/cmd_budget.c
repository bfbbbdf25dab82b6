/* nncost budget: what an amount of money or FLOPs trains best, by the published scaling laws. */
#include <math.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "cli/views_internal.h"
#include "input/input_internal.h"

static const char *law_at(unsigned index)
{
    return nnc_law_name((nnc_law)index);
}

/* The best model of one law. */
static const nnc_metric optimum_rows[] = {
    NNC_NAMED(nnc_optimum, law, nnc_law_name, NNC_LAW_COUNT, .head = "law",
              .help = "Constants of the scaling law."),
    NNC_NUMBER(nnc_optimum, params, .head = "parameters", .show = NNC_SHOW_SHORT,
               .help = "Parameters of the model of least loss, by the constants of the law."),
    NNC_NUMBER(nnc_optimum, tokens, .head = "tokens", .show = NNC_SHOW_SHORT, .unit = NULL,
               .help = "Tokens that it is trained on: C / (6 N)."),
    NNC_NUMBER(
        nnc_optimum, loss, .head = "loss", .show = NNC_SHOW_COUNT,
        .help = "Loss that the law expects, E + A / N^a + B / D^b; null for a law without a loss."),
    NNC_NUMBER(
        nnc_optimum, served_params, .head = "to serve", .show = NNC_SHOW_SHORT,
        .help = "Parameters of the same loss that take the fewest FLOPs for training and serving."),
    NNC_NUMBER(nnc_optimum, served_tokens, .head = "tokens", .show = NNC_SHOW_SHORT,
               .help = "Tokens that those are trained on."),
    NNC_NUMBER(nnc_optimum, saved_share, .head = "saved", .show = NNC_SHOW_PERCENT,
               .help = "FLOPs of both, 6 N D + 2 N T, that this saves."),
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
           .help = "Device that is paid for."),
    NNC_AS("cost", NUMBER, BUDGET(cost),
           .help = "Money that is spent: device_hours x price_per_device_hour."),
    NNC_AS("price_per_device_hour", NUMBER, BUDGET(price_per_device_hour),
           .help = "Price of one device for one hour."),
    NNC_AS("device_hours", NUMBER, BUDGET(device_hours), .unit = "h",
           .help = "Device-hours: cost over price_per_device_hour, or flops over flops_per_s."),
    NNC_AS("flops_per_s", NUMBER, BUDGET(flops_per_s), .unit = "FLOP/s",
           .help = "Useful rate of one device: its 16-bit peak x MFU x goodput."),
    NNC_AS("flops", NUMBER, BUDGET(flops), .unit = "FLOP",
           .help =
               "Model FLOPs: device_hours x 3600 x flops_per_s, or 6 N D of what was asked for."),
    NNC_AS("days", NUMBER, BUDGET(days), .help = "Days that it may take."),
    NNC_AS("devices", NUMBER, BUDGET(devices),
           .help = "Devices that finish in time: device_hours over 24 x days, rounded up."),
    NNC_AS("params", NUMBER, BUDGET(params), .help = "Parameters that were asked for."),
    NNC_AS("tokens", NUMBER, BUDGET(tokens), .help = "Tokens that were asked for."),
    NNC_AS("over_training", NUMBER, BUDGET(over_training), .each_count = NNC_LAW_COUNT,
           .help = "flops over the fewest that reach the loss of params and tokens, by each law "
                   "that has a loss.",
           .more = NNC_MORE(.each = law_at)),
    NNC_AS("optima", LIST, NNC_IN(answer, optima), NNC_COUNT(answer, count),
           .rows = &optimum_metrics,
           .help = "The best model for these FLOPs by each law: G (C / 6)^(b / (a + b)) parameters "
                   "with G = (a A / (b B))^(1 / (a + b)), and C / (6 N) tokens."),
};
static const nnc_metrics budget_metrics = NNC_METRICS("a budget", budget_rows, answer);

static void add_price(nnc_sheet *sheet, const void *record)
{
    const answer *a = record;
    nnc_sheet_price(sheet, isnan(a->ask->price) ? a->device->prices : NULL);
}

static void write_optima(nnc_sheet *sheet, const void *record)
{
    const answer *a = record;
    nnc_table table = { .count = 0 };
    nnc_table_heads(&table, &optimum_metrics);
    for (int c = SERVED_COLUMN; isnan(a->ask->serve_tokens) && c < table.count; c++) {
        table.heads[c].text = NULL;
    }
    nnc_table_records(&table, (nnc_lines){ &optimum_metrics, a, a->optima, a->count });
    nnc_table_write(&table, sheet->out, sheet->style);
}

static void add_comparison(nnc_sheet *sheet, const void *record)
{
    const nnc_budget *b = &((const answer *)record)->budget;
    nnc_sheet_words(sheet,
                    "costs %.3g times the FLOPs of the best model of this loss by the law of "
                    "epoch, %.3g times by the printed one: %s",
                    b->over_training[NNC_LAW_EPOCH], b->over_training[NNC_LAW_PRINTED],
                    b->params < b->optima[NNC_LAW_EPOCH].params
                        ? "a smaller model that is cheaper to serve"
                        : "a larger model on fewer tokens");
}

NNC_GET(get_currency, answer, nnc_text_cell(nnc_price_currency(self->device)))

static const nnc_metric page_metric_rows[] = {
    NNC_ROWS(&budget_metrics),
    NNC_AS("currency", TEXT, .get = get_currency),
    NNC_AS("mfu", NUMBER, NNC_VIA(answer, ask), NNC_IN(nnc_budget_ask, mfu)),
    NNC_AS("goodput", NUMBER, NNC_VIA(answer, ask), NNC_IN(nnc_budget_ask, goodput)),
};
static const nnc_metrics page_metrics = NNC_METRICS("a budget's page", page_metric_rows, answer);

static const nnc_page_row page_rows[] = {
    NNC_LINE("budget"),
    NNC_BOLD("{cost:count} {currency}", .when = "cost"),
    NNC_ITEM(
        "{device_hours:count} device-hours of {device} at {price_per_device_hour:g} {currency}",
        .when = "cost"),
    NNC_ADD(add_price, .when = "cost"),
    NNC_BOLD("{device_hours:count} device-hours of {device}", .when = "!cost"),
    NNC_ITEM("{flops:g4} FLOP"),
    NNC_WORDS("at MFU {mfu:g} and goodput {goodput:g}", .when = "flops_per_s"),
    NNC_LINE(""),
    NNC_ITEM("{devices:count} devices finish in {days:g} days"),
    NNC_GAP(),
    NNC_BLOCK(write_optima),
    NNC_GAP(.when = "over_training.epoch"),
    NNC_LINE("asked for", .when = "over_training.epoch"),
    NNC_ADD(add_comparison),
};
static const nnc_page_rows page = NNC_PAGE_ROWS(&page_metrics, page_rows);

static void write_page(nnc_buffer *out, nnc_style style, const void *record)
{
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    nnc_sheet_rows(&sheet, &page, record);
}

static nnc_lines lines_of(const void *record)
{
    const answer *a = record;
    return (nnc_lines){ &optimum_metrics, a, a->optima, a->count };
}

const nnc_view nnc_budget_view = {
    .schema = "nncost.budget/1", .document = &budget_metrics, .lines = lines_of, .page = write_page
};

static nnc_status run(nnc_session *session, nnc_error *err)
{
    const nnc_scenario_args *given = &session->options.given;
    nnc_budget_ask ask = nnc_budget_ask_default();
    answer a = { .ask = &ask, .count = NNC_LAW_COUNT };
    if (session->options.device != NULL) {
        NNC_TRY(nnc_option_device(session->specs, session->options.device, &a.device, err));
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
        const nnc_setting *setting = &given->settings[i];
        if (nnc_field_set(&nnc_budget_table, &ask, setting->field->name, setting->value, err) !=
            NNC_OK) {
            nnc_option_name(setting->field->name, err->where);
            return NNC_BAD_USAGE;
        }
    }
    if (a.device != NULL) {
        NNC_TRY(nnc_scenario_args_currency(given, a.device, err));
    }
    NNC_TRY(nnc_budget_of(a.device, &ask, &a.budget, err));
    a.optima = a.budget.optima;
    nnc_view_write(session->out, session->style, &nnc_budget_view, &a);
    return NNC_OK;
}

const nnc_command nnc_cmd_budget = {
    .name = "budget",
    .operands = "--device DEVICE --cost MONEY | --params N --tokens D | --flops C",
    .summary = "The best model for a budget, or the cost of training a model, by the scaling laws.",
    .notes = "The model of least loss for the money, by each set of published constants, "
             "which differ by a factor of two and more; FLOPs are 6 N D. MFU and goodput are "
             "assumptions "
             "here: 'nncost estimate' and 'nncost run' work them out for a model.",
    .min_operands = 0,
    .max_operands = 0,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_BUDGET,
    .run = run,
};
