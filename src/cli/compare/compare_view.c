#include "cli/compare/compare_view.h"

#include <math.h>

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
    bool priced;               /* some row has a cost */
    int32_t fastest, cheapest; /* of the rows that fit; -1 = none */
} ranking;

static ranking rank(const nnc_comparison *comparison)
{
    ranking found = { .tokens = true, .fastest = -1, .cheapest = -1 };
    for (int32_t i = 0; i < comparison->row_count; i++) {
        found.tokens = found.tokens && comparison->rows[i].result->tokens > 0;
        found.priced = found.priced || !isnan(comparison->rows[i].result->cost_step);
    }
    for (int32_t i = 0; i < comparison->row_count; i++) {
        const nnc_result *result = comparison->rows[i].result;
        if (result->verdict != NNC_FITS) {
            continue;
        }
        if (found.fastest < 0 || speed(result, found.tokens) >
                                     speed(comparison->rows[found.fastest].result, found.tokens)) {
            found.fastest = i;
        }
        if (!isnan(result->cost_step) &&
            (found.cheapest < 0 ||
             unit_cost(result, found.tokens) <
                 unit_cost(comparison->rows[found.cheapest].result, found.tokens))) {
            found.cheapest = i;
        }
    }
    return found;
}

static void put_numbers(nnc_table *table, const nnc_result *result, ranking ranked)
{
    char text[NNC_NUMBER_TEXT];
    nnc_table_number(table, result->step_s, "s");
    nnc_table_cell(table, nnc_count_text(speed(result, ranked.tokens), text));
    nnc_table_share(table, result->mfu);
    nnc_table_number(table, (double)result->memory.total_bytes, "B");
    nnc_table_cell(table, result->verdict == NNC_FITS ? "yes" : "NO");
    nnc_table_cell(table, nnc_bound_name(result->bound));
    if (ranked.priced) {
        nnc_table_cell(table, nnc_count_text(unit_cost(result, ranked.tokens), text));
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
    if (ranked.priced) {
        nnc_table_head(&table,
                       (nnc_head){ .text = ranked.tokens ? "cost/Mtoken" : "cost/ksample" });
    }
    nnc_table_head(&table, (nnc_head){ .text = "", .left = true });
    for (int32_t i = 0; i < comparison->row_count; i++) {
        const bool fastest = i == ranked.fastest, cheapest = i == ranked.cheapest;
        for (int32_t c = 0; c < varied; c++) {
            nnc_table_cell(&table, comparison->varied[i * comparison->varied_count + c]);
        }
        put_numbers(&table, comparison->rows[i].result, ranked);
        nnc_table_cell(&table, fastest && cheapest ? "fastest, cheapest"
                               : fastest           ? "fastest"
                               : cheapest          ? "cheapest"
                                                   : "");
    }
    nnc_table_write(&table, out, style);
}

static const nnc_metric document_rows[] = {
    NNC_AS("rows", LIST, NNC_IN(nnc_comparison, rows), NNC_COUNT(nnc_comparison, row_count),
           .rows = &nnc_estimate_metrics, .help = "Estimates side by side."),
};
static const nnc_metrics document = NNC_METRICS("a comparison", document_rows, nnc_comparison);

static nnc_lines lines_of(const void *record)
{
    const nnc_comparison *comparison = record;
    return (nnc_lines){ &nnc_estimate_metrics, comparison, comparison->rows,
                        comparison->row_count };
}

const nnc_view nnc_comparison_view = {
    .schema = "nncost.compare/1", .document = &document, .lines = lines_of, .page = write_page
};
