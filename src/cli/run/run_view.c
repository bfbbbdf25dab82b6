#include "cli/run/run_view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "cli/estimate/memory_text.h"
#include "cli/estimate/step_text.h"
#include "render/sheet.h"
#include "render/subject.h"
#include "render/table.h"
#include "render/text.h"

/* Who says a figure of the device file: the source of its longest key that covers it. */
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

static void write_amount(nnc_sheet *sheet, const nnc_run *run)
{
    char a[NNC_NUMBER_TEXT];
    nnc_sheet_label(sheet, "run");
    nnc_sheet_item(sheet, NNC_INK_STRONG, "%s",
                   isnan(run->run_s) ? "how long is not known: give --tokens, --samples, --epochs "
                                       "or --days"
                                     : nnc_unit_text(run->run_s, "s", a));
    if (!isnan(run->device_hours)) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s device-hours",
                       nnc_count_text(run->device_hours, a));
    }
    if (!isnan(run->steps)) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s steps of %s", nnc_count_text(run->steps, a),
                       nnc_unit_text(run->step_s, "s", (char[NNC_NUMBER_TEXT]){ 0 }));
    }
    if (!isnan(run->tokens)) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s tokens", nnc_unit_text(run->tokens, "", a));
    } else if (!isnan(run->samples)) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s samples", nnc_unit_text(run->samples, "", a));
    }
    if (!isnan(run->flops)) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%.4g FLOP", run->flops);
    }
    nnc_sheet_end(sheet);
}

/* What the wall time is made of. */
static void write_parts(nnc_sheet *sheet, const nnc_run *run)
{
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

static void write_input(nnc_sheet *sheet, const nnc_run *run)
{
    static const char *const stages[] = { "storage", "workers", "link" };
    const double seconds[] = { run->fetch_s, run->prepare_s, run->transfer_s };
    char a[NNC_NUMBER_TEXT];
    if (isnan(run->input_s)) {
        return;
    }
    nnc_sheet_label(sheet, "input");
    nnc_sheet_item(sheet, run->input_bound ? NNC_INK_BAD : NNC_INK_GOOD, "%s",
                   run->input_bound ? "the step waits for its input" : "keeps up");
    for (int i = 0; i < 3; i++) {
        if (!isnan(seconds[i])) {
            nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s %s a step", stages[i],
                           nnc_unit_text(seconds[i], "s", a));
        }
    }
    nnc_sheet_end(sheet);
    nnc_sheet_label(sheet, "");
    if (!isnan(run->input_bytes_per_s)) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "needs %s from storage",
                       nnc_unit_text(run->input_bytes_per_s, "B/s", a));
    }
    if (!isnan(run->workers_needed)) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s workers per device",
                       nnc_count_text(run->workers_needed, a));
    }
    if (!isnan(run->prefetch_bytes)) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "prefetch holds %s per device",
                       nnc_unit_text(run->prefetch_bytes, "B", a));
    }
    nnc_sheet_end(sheet);
}

/* What is done beside training, and how fast answers are generated. */
static void write_method(nnc_sheet *sheet, const nnc_report *report)
{
    const nnc_run *run = report->run;
    const nnc_run_ask *ask = report->run_ask;
    char a[NNC_NUMBER_TEXT];
    if (ask->method == NNC_METHOD_TRAIN) {
        return;
    }
    nnc_sheet_label(sheet, "method");
    nnc_sheet_item(sheet, NNC_INK_STRONG, "%s", nnc_method_name(ask->method));
    if (nnc_method_rolls_out(ask->method)) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "generating %s a step",
                       nnc_unit_text(run->rollout_step_s, "s", a));
    }
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "scoring %s", nnc_unit_text(run->score_step_s, "s", a));
    if (run->sync_step_s > 0.0) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "new weights %s",
                       nnc_unit_text(run->sync_step_s, "s", a));
    }
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s a token",
                   nnc_unit_text(run->flops_per_token, "FLOP", a));
    nnc_sheet_end(sheet);
    if (nnc_method_rolls_out(ask->method) && isnan(ask->rollout_s)) {
        nnc_sheet_label(sheet, "");
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s tokens/s of a device that generates",
                       nnc_count_text(ask->rollout_tokens_per_s, a));
        if (!isnan(ask->rollout_batch)) {
            nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s sequences at once on %g",
                           nnc_count_text(ask->rollout_batch, a), ask->rollout_tensor);
        }
        nnc_sheet_end(sheet);
    }
}

static void write_spot(nnc_sheet *sheet, const nnc_report *report)
{
    if (report->spot && !(report->run_ask->reclaim_per_month > 0.0)) {
        nnc_sheet_label(sheet, "");
        nnc_sheet_words(sheet, "spot: that nodes are taken back is not counted, give "
                               "--reclaim-per-month");
        nnc_sheet_end(sheet);
    }
}

static void write_failures(nnc_sheet *sheet, const nnc_report *report)
{
    const nnc_run *run = report->run;
    const nnc_run_ask *ask = report->run_ask;
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    const bool any = ask->stops == NNC_STOPS_ANY;
    nnc_sheet_label(sheet, "goodput");
    if (isnan(run->system_mtbf_s)) {
        nnc_sheet_item(sheet, NNC_INK_STRONG, isnan(run->goodput) ? "-" : "%.2f%%",
                       100.0 * run->goodput);
        nnc_sheet_words(sheet,
                        "(stops are not counted: the device file has no rate of failures, give "
                        "--device-mtbf-s)");
        nnc_sheet_end(sheet);
        return;
    }
    nnc_sheet_item(sheet, NNC_INK_STRONG, isnan(run->goodput) ? "-" : "%.2f%%",
                   100.0 * run->goodput);
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "a stop every %s",
                   nnc_unit_text(run->system_mtbf_s, "s", a));
    if (!isnan(run->stops)) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s in all", nnc_count_text(run->stops, a));
    }
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s from one to training again",
                   nnc_unit_text(run->restart_s, "s", a));
    nnc_sheet_end(sheet);
    if (!isnan(run->device_mtbf_s)) {
        const char *source = source_of(report->device, any ? "mtbf.any_s" : "mtbf.hardware_s");
        nnc_sheet_label(sheet, "");
        nnc_sheet_words(sheet, "%s device-hours per stop %s%s%s%s",
                        nnc_count_text(run->device_mtbf_s / 3600.0, a),
                        any ? "of any cause" : "by faults of the hardware",
                        source != NULL ? " (" : "", source != NULL ? source : "",
                        source != NULL ? ")" : "");
        nnc_sheet_end(sheet);
    }
    nnc_sheet_label(sheet, "checkpoint");
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s", nnc_unit_text(run->checkpoint_bytes, "B", a));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "every %s", nnc_unit_text(run->interval_s, "s", a));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "training waits %s", nnc_unit_text(run->block_s, "s", a));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "durable after %s, loaded in %s",
                   nnc_unit_text(run->save_s, "s", a), nnc_unit_text(run->load_s, "s", b));
    nnc_sheet_end(sheet);
    nnc_sheet_label(sheet, "spares");
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s beside %s nodes are enough for 99%% of the time",
                   nnc_count_text(run->spares_needed, a), nnc_count_text(run->nodes, b));
    nnc_sheet_end(sheet);
}

static void write_money(nnc_sheet *sheet, const nnc_report *report)
{
    const nnc_run *run = report->run;
    const nnc_price *price = report->result != NULL ? nnc_report_price(report) : NULL;
    const char *currency = report->device != NULL ? nnc_price_currency(report->device) : "USD";
    char a[NNC_NUMBER_TEXT];
    if (isnan(run->cost)) {
        return;
    }
    nnc_sheet_label(sheet, "cost");
    nnc_sheet_item(sheet, NNC_INK_STRONG, "%s %s", nnc_count_text(run->cost, a), currency);
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "at %s %s per device-hour",
                   nnc_count_text(run->price_per_device_hour, a), currency);
    nnc_sheet_price(sheet, price);
    if (!isnan(run->cost_per_million_tokens)) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s %s per million tokens",
                       nnc_count_text(run->cost_per_million_tokens, a), currency);
    }
    if (run->cost_storage > 0.0 || run->cost_egress > 0.0) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s %s of it for storage and egress",
                       nnc_count_text(run->cost_storage + run->cost_egress, a), currency);
    }
    nnc_sheet_end(sheet);
}

static void write_energy(nnc_sheet *sheet, const nnc_report *report)
{
    const nnc_run *run = report->run;
    const nnc_run_ask *ask = report->run_ask;
    char a[NNC_NUMBER_TEXT];
    if (isnan(run->energy_j)) {
        return;
    }
    nnc_sheet_label(sheet, "energy");
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s kWh", nnc_count_text(run->energy_j / 3.6e6, a));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s per device%s", nnc_unit_text(run->power_w, "W", a),
                   !isnan(ask->busy_w)      ? " with its share of the node"
                   : isnan(run->busy_share) ? " as rated"
                                            : " by the model of its power limit, without a host");
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "PUE %g", ask->pue);
    nnc_sheet_building(sheet, report->building);
    if (!isnan(run->busy_share) && !isnan(run->rated_energy_j)) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s kWh at the devices' rated power",
                       nnc_count_text(run->rated_energy_j / 3.6e6, a));
    }
    nnc_sheet_end(sheet);
    if (!isnan(run->carbon_kg)) {
        nnc_sheet_label(sheet, "carbon");
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s t CO2e",
                       nnc_count_text(run->carbon_kg / 1000.0, a));
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "at %g g/kWh", ask->carbon_g_per_kwh);
        nnc_sheet_region(sheet, report->region);
        if (!isnan(run->rated_carbon_kg)) {
            nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s t at the devices' rated power",
                           nnc_count_text(run->rated_carbon_kg / 1000.0, a));
        }
        nnc_sheet_end(sheet);
    }
    if (!isnan(run->embodied_carbon_kg)) {
        nnc_sheet_label(sheet, "");
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s t for making the devices, this run's share",
                       nnc_count_text(run->embodied_carbon_kg / 1000.0, a));
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "of %g kg each", report->run_ask->embodied_kg);
        if (report->device != NULL &&
            !(fabs(report->run_ask->embodied_kg - report->device->embodied_kg) > 0.0)) {
            const char *source = source_of(report->device, "embodied_kg");
            nnc_sheet_words(sheet, "(%s)", source != NULL ? source : "as given");
        }
        nnc_sheet_end(sheet);
    }
}

void nnc_run_input_lines(nnc_buffer *out, nnc_style style, const nnc_run *run)
{
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    write_input(&sheet, run);
}

void nnc_run_lines(nnc_buffer *out, nnc_style style, const nnc_report *report)
{
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    sheet.indent = 12;
    write_amount(&sheet, report->run);
    nnc_sheet_gap(&sheet);
    if (!isnan(report->run->run_s)) {
        write_parts(&sheet, report->run);
    }
    write_method(&sheet, report);
    write_input(&sheet, report->run);
    write_failures(&sheet, report);
    write_spot(&sheet, report);
    write_money(&sheet, report);
    write_energy(&sheet, report);
}

static void run_page(nnc_buffer *out, nnc_style style, const void *record)
{
    const nnc_report *report = record;
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    nnc_sheet_subject(&sheet, report);
    nnc_sheet_gap(&sheet);
    nnc_step_text(&sheet, report);
    nnc_fit_text(&sheet, "memory", report);
    nnc_sheet_gap(&sheet);
    nnc_run_lines(out, style, report);
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
