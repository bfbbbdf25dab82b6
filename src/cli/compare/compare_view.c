#include "cli/compare/compare_view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/table.h"
#include "render/text.h"

/* Speeds compare by tokens where every row has them, otherwise by samples. */
static double speed(const nnc_result *result, bool tokens)
{
    return tokens ? result->tokens_per_s : result->samples_per_s;
}

static double unit_cost(const nnc_result *result, bool tokens)
{
    return result->cost_step /
           (tokens ? (double)result->tokens / 1e6 : (double)result->plan.global_batch / 1e3);
}

/* The same of what is the better: of a run with all that it loses, where every row has one. */
static double rank_speed(const nnc_report *report, bool tokens, bool run)
{
    return run ? (tokens ? report->run->tokens : report->run->samples) / report->run->run_s
               : speed(report->result, tokens);
}

static double rank_cost(const nnc_report *report, bool tokens, bool run)
{
    return run ? report->run->cost / (tokens ? report->run->tokens : report->run->samples)
               : unit_cost(report->result, tokens);
}

typedef struct ranking {
    bool tokens;               /* every row counts tokens */
    bool run, energy, carbon;  /* every row has a run; its energy is known; its carbon */
    const char *currency;      /* of the last row that has a cost; NULL = none has */
    bool mixed;                /* costs are in several currencies, so none is the cheapest */
    int32_t fastest, cheapest; /* of the rows that fit; -1 = none */
} ranking;

static ranking rank(const nnc_comparison *comparison)
{
    ranking found = { .tokens = true, .run = true, .fastest = -1, .cheapest = -1 };
    for (int32_t i = 0; i < comparison->row_count; i++) {
        const nnc_run *run = comparison->rows[i].report.run;
        found.run = found.run && run != NULL && !isnan(run->run_s);
        found.energy = found.energy || (run != NULL && !isnan(run->energy_j));
        found.carbon = found.carbon || (run != NULL && !isnan(run->carbon_kg));
        found.tokens = found.tokens && comparison->rows[i].report.result->tokens > 0;
        const char *currency = nnc_report_currency(&comparison->rows[i].report);
        found.mixed = found.mixed || (currency != NULL && found.currency != NULL &&
                                      strcmp(currency, found.currency) != 0);
        found.currency = currency != NULL ? currency : found.currency;
    }
    for (int32_t i = 0; i < comparison->row_count; i++) {
        const nnc_result *result = comparison->rows[i].report.result;
        if (result->verdict == NNC_OVER_MEMORY) {
            continue;
        }
        const nnc_report *report = &comparison->rows[i].report;
        if (found.fastest < 0 ||
            rank_speed(report, found.tokens, found.run) >
                rank_speed(&comparison->rows[found.fastest].report, found.tokens, found.run)) {
            found.fastest = i;
        }
        if (!isnan(result->cost_step) && !found.mixed &&
            (found.cheapest < 0 ||
             rank_cost(report, found.tokens, found.run) <
                 rank_cost(&comparison->rows[found.cheapest].report, found.tokens, found.run))) {
            found.cheapest = i;
        }
    }
    return found;
}

/* An amount; with its currency, where the heading names none. */
static void put_amount(nnc_table *table, const nnc_report *report, double amount, bool mixed)
{
    char text[NNC_NUMBER_TEXT], whole[NNC_NUMBER_TEXT + 16];
    const char *currency = mixed && !isnan(amount) ? nnc_report_currency(report) : NULL;
    snprintf(whole, sizeof whole, "%s%s%s", nnc_count_text(amount, text),
             currency != NULL ? " " : "", currency != NULL ? currency : "");
    nnc_table_cell(table, whole);
}

/* What the run comes to, in columns of their own. */
static void put_run(nnc_table *table, const nnc_report *report, ranking ranked)
{
    char text[NNC_NUMBER_TEXT];
    const nnc_run *run = report->run;
    nnc_table_number(table, run->run_s, "s");
    nnc_table_cell(table, nnc_count_text(run->device_hours, text));
    if (ranked.currency != NULL) {
        put_amount(table, report, run->cost, ranked.mixed);
    }
    if (ranked.energy) {
        nnc_table_cell(table, nnc_count_text(run->energy_j / 3.6e6, text));
    }
    if (ranked.carbon) {
        nnc_table_cell(table, nnc_count_text(run->carbon_kg / 1000.0, text));
    }
    nnc_table_share(table, run->goodput);
}

static void head_run(nnc_table *table, ranking ranked, char cost_head[32])
{
    nnc_table_head(table, (nnc_head){ .text = "run" });
    nnc_table_head(table, (nnc_head){ .text = "device-h", .drop = 4 });
    if (ranked.currency != NULL) {
        snprintf(cost_head, 32, "run %s", ranked.mixed ? "cost" : ranked.currency);
        nnc_table_head(table, (nnc_head){ .text = cost_head });
    }
    if (ranked.energy) {
        nnc_table_head(table, (nnc_head){ .text = "kWh", .drop = 5 });
    }
    if (ranked.carbon) {
        nnc_table_head(table, (nnc_head){ .text = "t CO2e" });
    }
    nnc_table_head(table, (nnc_head){ .text = "goodput", .drop = 3 });
}

static void put_numbers(nnc_table *table, const nnc_report *report, ranking ranked)
{
    char text[NNC_NUMBER_TEXT];
    const nnc_result *result = report->result;
    nnc_table_number(table, result->step_s, "s");
    nnc_table_cell(table, nnc_count_text(speed(result, ranked.tokens), text));
    nnc_table_share(table, result->mfu);
    nnc_table_number(table, (double)result->memory.total_bytes, "B");
    nnc_table_cell(table, result->verdict == NNC_FITS    ? "yes"
                          : result->verdict == NNC_TIGHT ? "tight"
                                                         : "NO");
    nnc_table_cell(table, nnc_bound_name(result->bound));
    if (ranked.run) {
        put_run(table, report, ranked);
    }
    if (ranked.currency != NULL) {
        put_amount(table, report, unit_cost(result, ranked.tokens), ranked.mixed);
    }
}

/* What a row is best at, and whether anybody measured its device. */
static const char *crown_of(const nnc_comparison *comparison, ranking ranked, int32_t row,
                            char crown[64])
{
    const bool fastest = row == ranked.fastest, cheapest = row == ranked.cheapest;
    const bool carried = comparison->rows[row].report.device->efficiency.basis == NNC_BASIS_DEFAULT;
    snprintf(crown, 64, "%s%s%s",
             fastest && cheapest ? "fastest, cheapest"
             : fastest           ? "fastest"
             : cheapest          ? "cheapest"
                                 : "",
             carried && (fastest || cheapest) ? ", " : "", carried ? "not measured" : "");
    return crown;
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record)
{
    enum { VARIED_MAX = 32 };
    const nnc_comparison *comparison = record;
    const ranking ranked = rank(comparison);
    const nnc_head heads[] = {
        { .text = "step" },
        { .text = ranked.tokens ? "tokens/s" : "samples/s", .drop = ranked.run ? 6 : 0 },
        { .text = "MFU", .drop = 2 },
        { .text = "memory", .drop = 3 },
        { .text = "fits", .left = true },
        { .text = "bound", .left = true, .drop = 1 },
    };
    const int32_t varied =
        comparison->varied_count < VARIED_MAX ? comparison->varied_count : VARIED_MAX;
    nnc_table table = { .count = 0 };
    for (int32_t i = 0; i < varied; i++) {
        nnc_table_head(&table, (nnc_head){ .text = comparison->varied_names[i], .left = true });
    }
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        nnc_table_head(&table, heads[i]);
    }
    char cost_head[32], run_head[32];
    if (ranked.run) {
        head_run(&table, ranked, run_head);
    }
    if (ranked.currency != NULL) {
        snprintf(cost_head, sizeof cost_head, "%s/%s", ranked.mixed ? "cost" : ranked.currency,
                 ranked.tokens ? "Mtoken" : "ksample");
        nnc_table_head(&table, (nnc_head){ .text = cost_head, .drop = ranked.run ? 2 : 0 });
    }
    nnc_table_head(&table, (nnc_head){ .text = "", .left = true });
    for (int32_t i = 0; i < comparison->row_count; i++) {
        for (int32_t c = 0; c < varied; c++) {
            nnc_table_cell(&table, comparison->varied[i * comparison->varied_count + c]);
        }
        put_numbers(&table, &comparison->rows[i].report, ranked);
        char crown[64];
        nnc_table_cell(&table, crown_of(comparison, ranked, i, crown));
    }
    nnc_table_write(&table, out, style);
}

static const nnc_metric compared_rows[] = {
    NNC_ROWS(&nnc_estimate_run_metrics, NNC_IN(nnc_compared, report)),
    NNC_TEXT(nnc_compared, command, .help = "The command line that gives this estimate."),
};
static const nnc_metrics compared =
    NNC_METRICS("one of several estimates", compared_rows, nnc_compared);

static const nnc_metric document_rows[] = {
    NNC_AS("rows", LIST, NNC_IN(nnc_comparison, rows), NNC_COUNT(nnc_comparison, row_count),
           .rows = &compared, .help = "Estimates side by side."),
};
static const nnc_metrics document = NNC_METRICS("a comparison", document_rows, nnc_comparison);

static nnc_lines lines_of(const void *record)
{
    const nnc_comparison *comparison = record;
    return (nnc_lines){ &compared, comparison, comparison->rows, comparison->row_count };
}

const nnc_view nnc_comparison_view = {
    .schema = "nncost.compare/1", .document = &document, .lines = lines_of, .page = write_page
};
