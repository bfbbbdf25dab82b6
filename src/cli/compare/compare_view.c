#include "cli/compare/compare_view.h"

#include <math.h>

#include "render/grid.h"
#include "render/members.h"
#include "render/sheet.h"
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

static void number_cells(nnc_grid *grid, const nnc_result *result, ranking ranked)
{
    char text[NNC_NUMBER_TEXT];
    nnc_grid_cell(grid, nnc_unit_text(result->step_s, "s", text));
    nnc_grid_cell(grid, nnc_count_text(speed(result, ranked.tokens), text));
    nnc_grid_cell(grid, nnc_percent_text(result->mfu, text));
    nnc_grid_cell(grid, nnc_unit_text((double)result->memory.total_bytes, "B", text));
    nnc_grid_cell(grid, result->verdict == NNC_FITS ? "yes" : "NO");
    nnc_grid_cell(grid, nnc_bound_name(result->bound));
    if (ranked.priced) {
        nnc_grid_cell(grid, nnc_count_text(unit_cost(result, ranked.tokens), text));
    }
}

static nnc_status write_text(nnc_buffer *out, nnc_style style, nnc_arena *arena,
                             const nnc_comparison *comparison)
{
    enum { VARIED_MAX = 32, FIXED = 8 };
    nnc_grid_column columns[VARIED_MAX + FIXED];
    const ranking ranked = rank(comparison);
    const int32_t varied =
        comparison->varied_count < VARIED_MAX ? comparison->varied_count : VARIED_MAX;
    int count = 0;
    for (int32_t i = 0; i < varied; i++) {
        columns[count++] = (nnc_grid_column){ .head = comparison->varied_names[i], .left = true };
    }
    columns[count++] = (nnc_grid_column){ .head = "step" };
    columns[count++] = (nnc_grid_column){ .head = ranked.tokens ? "tokens/s" : "samples/s" };
    columns[count++] = (nnc_grid_column){ .head = "MFU", .drop = 2 };
    columns[count++] = (nnc_grid_column){ .head = "memory", .drop = 3 };
    columns[count++] = (nnc_grid_column){ .head = "fits", .left = true };
    columns[count++] = (nnc_grid_column){ .head = "bound", .left = true, .drop = 1 };
    if (ranked.priced) {
        columns[count++] =
            (nnc_grid_column){ .head = ranked.tokens ? "cost/Mtoken" : "cost/ksample" };
    }
    columns[count++] = (nnc_grid_column){ .head = "", .left = true };

    nnc_grid grid = nnc_grid_begin(arena, columns, count);
    for (int32_t i = 0; i < comparison->row_count; i++) {
        const bool fastest = i == ranked.fastest, cheapest = i == ranked.cheapest;
        for (int32_t c = 0; c < varied; c++) {
            nnc_grid_cell(&grid, comparison->varied[i * comparison->varied_count + c]);
        }
        number_cells(&grid, comparison->rows[i].result, ranked);
        nnc_grid_cell(&grid, fastest && cheapest ? "fastest, cheapest"
                             : fastest           ? "fastest"
                             : cheapest          ? "cheapest"
                                                 : "");
    }
    return nnc_grid_write(&grid, out, style);
}

static const nnc_metric document_rows[] = {
    { NNC_IN(nnc_comparison, rows), NNC_COUNT(nnc_comparison, row_count), .name = "rows",
      .type = NNC_METRIC_LIST, .rows = &nnc_estimate_metrics, .help = "Estimates side by side." },
};
const nnc_metrics nnc_comparison_document =
    NNC_METRICS("a comparison", document_rows, nnc_comparison);

static void write_json(nnc_buffer *out, const nnc_comparison *comparison)
{
    const nnc_place place = { .record = comparison };
    nnc_record record = nnc_record_begin(out, "nncost.compare/1");
    nnc_record_members(&record, &nnc_comparison_document, &place);
    nnc_record_end(&record);
}

nnc_status nnc_report_comparison(nnc_buffer *out, nnc_style style, const nnc_comparison *comparison)
{
    nnc_status status = NNC_NO_MEMORY;
    nnc_arena *arena = NULL;
    switch (style.format) {
    case NNC_FORMAT_JSON: write_json(out, comparison); return NNC_OK;
    case NNC_FORMAT_CSV:
        return nnc_record_lines(out, &nnc_estimate_metrics, comparison, comparison->rows,
                                comparison->row_count);
    case NNC_FORMAT_TABLE:
    case NNC_FORMAT_MARKDOWN:
    case NNC_FORMAT_COUNT: break;
    }
    arena = nnc_arena_create();
    if (arena != NULL) {
        status = write_text(out, style, arena, comparison);
    }
    nnc_arena_destroy(arena);
    return status;
}
