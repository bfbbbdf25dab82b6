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

typedef struct ranking {
    bool tokens;               /* every row counts tokens */
    const char *currency;      /* of the last row that has a cost; NULL = none has */
    bool mixed;                /* costs are in several currencies, so none is the cheapest */
    int32_t fastest, cheapest; /* of the rows that fit; -1 = none */
} ranking;

static ranking rank(const nnc_comparison *comparison)
{
    ranking found = { .tokens = true, .fastest = -1, .cheapest = -1 };
    for (int32_t i = 0; i < comparison->row_count; i++) {
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
        if (found.fastest < 0 ||
            speed(result, found.tokens) >
                speed(comparison->rows[found.fastest].report.result, found.tokens)) {
            found.fastest = i;
        }
        if (!isnan(result->cost_step) && !found.mixed &&
            (found.cheapest < 0 ||
             unit_cost(result, found.tokens) <
                 unit_cost(comparison->rows[found.cheapest].report.result, found.tokens))) {
            found.cheapest = i;
        }
    }
    return found;
}

static void put_numbers(nnc_table *table, const nnc_report *report, ranking ranked)
{
    char text[NNC_NUMBER_TEXT], cost[NNC_NUMBER_TEXT + 16];
    const nnc_result *result = report->result;
    nnc_table_number(table, result->step_s, "s");
    nnc_table_cell(table, nnc_count_text(speed(result, ranked.tokens), text));
    nnc_table_share(table, result->mfu);
    nnc_table_number(table, (double)result->memory.total_bytes, "B");
    nnc_table_cell(table, result->verdict == NNC_FITS    ? "yes"
                          : result->verdict == NNC_TIGHT ? "tight"
                                                         : "NO");
    nnc_table_cell(table, nnc_bound_name(result->bound));
    if (ranked.currency != NULL) {
        const char *currency = ranked.mixed ? nnc_report_currency(report) : NULL;
        snprintf(cost, sizeof cost, "%s%s%s",
                 nnc_count_text(unit_cost(result, ranked.tokens), text),
                 currency != NULL ? " " : "", currency != NULL ? currency : "");
        nnc_table_cell(table, cost);
    }
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record)
{
    enum { VARIED_MAX = 32 };
    const nnc_comparison *comparison = record;
    const ranking ranked = rank(comparison);
    const nnc_head heads[] = {
        { .text = "step" },
        { .text = ranked.tokens ? "tokens/s" : "samples/s" },
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
    char cost_head[32];
    if (ranked.currency != NULL) {
        snprintf(cost_head, sizeof cost_head, "%s/%s", ranked.mixed ? "cost" : ranked.currency,
                 ranked.tokens ? "Mtoken" : "ksample");
        nnc_table_head(&table, (nnc_head){ .text = cost_head });
    }
    nnc_table_head(&table, (nnc_head){ .text = "", .left = true });
    for (int32_t i = 0; i < comparison->row_count; i++) {
        const bool fastest = i == ranked.fastest, cheapest = i == ranked.cheapest;
        for (int32_t c = 0; c < varied; c++) {
            nnc_table_cell(&table, comparison->varied[i * comparison->varied_count + c]);
        }
        put_numbers(&table, &comparison->rows[i].report, ranked);
        char crown[64];
        const bool carried =
            comparison->rows[i].report.device->efficiency.basis == NNC_BASIS_DEFAULT;
        snprintf(crown, sizeof crown, "%s%s%s",
                 fastest && cheapest ? "fastest, cheapest"
                 : fastest           ? "fastest"
                 : cheapest          ? "cheapest"
                                     : "",
                 carried && (fastest || cheapest) ? ", " : "", carried ? "not measured" : "");
        nnc_table_cell(&table, crown);
    }
    nnc_table_write(&table, out, style);
}

static const nnc_metric compared_rows[] = {
    NNC_ROWS(&nnc_estimate_metrics, NNC_IN(nnc_compared, report)),
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
