#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "cli/estimate/estimate_view.h"
#include "render/grid.h"
#include "render/members.h"
#include "render/sheet.h"
#include "render/subject.h"
#include "render/text.h"

NNC_ENUM_NAMES(nnc_ops_sort, NNC_SORT_LIST)
NNC_ENUM_NAMES(nnc_ops_by, NNC_BY_LIST)

/* A row of the table: one op and phase, or several added up. All sums are of the whole step. */
typedef struct ops_row {
    const char *name;
    const nnc_op_cost *cost; /* NULL in added-up rows */
    int32_t order;
    double instances, flops, vector_flops, bytes, seconds;
    double bound_s[NNC_BOUND_COUNT];
} ops_row;

static void add_cost(ops_row *row, const nnc_op_cost *cost)
{
    row->instances += cost->repeat;
    row->flops += cost->work.flops * cost->repeat;
    row->vector_flops += cost->work.vector_flops * cost->repeat;
    row->bytes += (cost->work.read_bytes + cost->work.write_bytes) * cost->repeat;
    row->seconds += cost->time_s * cost->repeat;
    row->bound_s[cost->bound] += cost->time_s * cost->repeat;
}

static const char *row_key(const nnc_op_cost *cost, nnc_ops_by by)
{
    switch (by) {
    case NNC_BY_GROUP: return nnc_group_name(nnc_op_group(cost->op));
    case NNC_BY_PHASE: return nnc_phase_name(nnc_op_phase(cost->op));
    case NNC_BY_ROW:
    case NNC_BY_OP:
    case NNC_BY_COUNT: break;
    }
    return nnc_op_name(cost->op);
}

/* Fills rows, in order of first appearance; returns how many. */
static int32_t gather(const nnc_report *report, nnc_ops_by by, ops_row *rows)
{
    int32_t count = 0;
    for (int32_t i = 0; i < report->op_count; i++) {
        const nnc_op_cost *cost = &report->ops[i];
        const char *key = row_key(cost, by);
        if (cost->repeat == 0) {
            continue; /* the busiest stage does not hold it */
        }
        int32_t at = by == NNC_BY_ROW ? count : 0;
        while (at < count && strcmp(rows[at].name, key) != 0) {
            at++;
        }
        if (at == count) {
            rows[count++] =
                (ops_row){ .name = key, .order = at, .cost = by == NNC_BY_ROW ? cost : NULL };
        }
        add_cost(&rows[at], cost);
    }
    return count;
}

/* Larger first; equal ones, and those without a number, stay in order. */
static int descending(double a, double b, int32_t order_a, int32_t order_b)
{
    if (a > b || (!isnan(a) && isnan(b))) {
        return -1;
    }
    if (a < b || (isnan(a) && !isnan(b))) {
        return 1;
    }
    return order_a < order_b ? -1 : 1;
}

static int compare_time(const void *a, const void *b)
{
    const ops_row *x = a, *y = b;
    return descending(x->seconds, y->seconds, x->order, y->order);
}

static int compare_flops(const void *a, const void *b)
{
    const ops_row *x = a, *y = b;
    return descending(x->flops + x->vector_flops, y->flops + y->vector_flops, x->order, y->order);
}

static int compare_bytes(const void *a, const void *b)
{
    const ops_row *x = a, *y = b;
    return descending(x->bytes, y->bytes, x->order, y->order);
}

static void sort_rows(ops_row *rows, int32_t count, nnc_ops_sort sort)
{
    switch (sort) {
    case NNC_SORT_TIME: qsort(rows, (size_t)count, sizeof *rows, compare_time); break;
    case NNC_SORT_FLOPS: qsort(rows, (size_t)count, sizeof *rows, compare_flops); break;
    case NNC_SORT_BYTES: qsort(rows, (size_t)count, sizeof *rows, compare_bytes); break;
    case NNC_SORT_ORDER:
    case NNC_SORT_COUNT: break;
    }
}

static nnc_bound main_bound(const ops_row *row)
{
    nnc_bound main = NNC_BOUND_COMPUTE;
    for (int bound = 1; bound < NNC_BOUND_COUNT; bound++) {
        main = row->bound_s[bound] > row->bound_s[main] ? (nnc_bound)bound : main;
    }
    return main;
}

/* Cells from FLOPs to bound, of one instance where instances > 1 are shown apart. A row without
 * time is hidden behind others: it has neither share nor bound. */
static void number_cells(nnc_grid *grid, const ops_row *row, double instances, double step_s)
{
    char text[NNC_NUMBER_TEXT];
    const double flops = row->flops + row->vector_flops;
    const bool hidden = row->seconds == 0;

    nnc_grid_cell(grid, nnc_scaled_text(flops / instances, text));
    nnc_grid_cell(grid, nnc_scaled_text(row->bytes / instances, text));
    nnc_grid_cell(grid, row->bytes > 0 ? nnc_count_text(flops / row->bytes, text) : "-");
    nnc_grid_cell(grid, hidden ? "-" : nnc_unit_text(row->seconds / instances, "s", text));
    nnc_grid_cell(grid, hidden ? "-" : nnc_percent_text(row->seconds / step_s, text));
    nnc_grid_cell(grid, hidden ? "-" : nnc_bound_name(main_bound(row)));
}

static nnc_status write_rows(nnc_buffer *out, nnc_style style, nnc_arena *arena,
                             const nnc_report *report, const ops_row *rows, int32_t count)
{
    static const nnc_grid_column columns[] = {
        { .head = "op", .left = true },
        { .head = "phase", .left = true },
        { .head = "rep", .drop = 4 },
        { .head = "shape", .left = true, .shrinks = true, .drop = 1 },
        { .head = "FLOPs", .drop = 5 },
        { .head = "bytes", .drop = 3 },
        { .head = "FLOP/B", .drop = 2 },
        { .head = "time" },
        { .head = "share" },
        { .head = "bound", .left = true },
    };
    nnc_grid grid = nnc_grid_begin(arena, columns, sizeof columns / sizeof columns[0]);
    for (int32_t i = 0; i < count; i++) {
        char text[128];
        char number[NNC_NUMBER_TEXT];
        assert(rows[i].cost != NULL);
        nnc_grid_cell(&grid, rows[i].name);
        nnc_grid_cell(&grid, nnc_phase_name(nnc_op_phase(rows[i].cost->op)));
        nnc_grid_cell(&grid, nnc_count_text(rows[i].instances, number));
        nnc_op_shape(rows[i].cost->op, text, sizeof text);
        nnc_grid_cell(&grid, text);
        number_cells(&grid, &rows[i], rows[i].instances, report->result->step_s);
    }
    return nnc_grid_write(&grid, out, style);
}

static nnc_status write_sums(nnc_buffer *out, nnc_style style, nnc_arena *arena,
                             const nnc_report *report, const ops_row *rows, int32_t count,
                             nnc_ops_by by)
{
    const nnc_grid_column columns[] = {
        { .head = nnc_ops_by_name(by), .left = true },
        { .head = "ops", .drop = 4 },
        { .head = "FLOPs", .drop = 3 },
        { .head = "bytes", .drop = 2 },
        { .head = "FLOP/B", .drop = 1 },
        { .head = "time" },
        { .head = "share" },
        { .head = "bound", .left = true },
    };
    nnc_grid grid = nnc_grid_begin(arena, columns, sizeof columns / sizeof columns[0]);
    for (int32_t i = 0; i < count; i++) {
        char text[NNC_NUMBER_TEXT];
        nnc_grid_cell(&grid, rows[i].name);
        nnc_grid_cell(&grid, nnc_count_text(rows[i].instances, text));
        number_cells(&grid, &rows[i], 1.0, report->result->step_s);
    }
    return nnc_grid_write(&grid, out, style);
}

static void write_totals(nnc_sheet *sheet, const nnc_report *report, int32_t left_out)
{
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    const nnc_result *result = report->result;
    if (left_out > 0) {
        nnc_sheet_label(sheet, "");
        nnc_sheet_words(sheet, "%d more rows", (int)left_out);
        nnc_sheet_end(sheet);
    }
    nnc_sheet_label(sheet, "step");
    const bool several = result->plan.devices > 1;
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s executed%s, %s on the vector units",
                   nnc_unit_text(result->executed_flops, "FLOP", a),
                   several ? " by all devices" : "",
                   nnc_unit_text(result->vector_flops, "FLOP", b));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s moved%s",
                   nnc_unit_text(result->read_bytes + result->write_bytes, "B", a),
                   several ? " by one" : "");
    nnc_sheet_item(sheet, NNC_INK_STRONG, "%s", nnc_unit_text(result->step_s, "s", a));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s", nnc_bound_name(result->bound));
    nnc_sheet_end(sheet);
}

static nnc_status write_text(nnc_buffer *out, nnc_style style, const nnc_report *report,
                             nnc_ops_view view, const ops_row *rows, int32_t count, int32_t shown)
{
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    nnc_arena *arena = nnc_arena_create();
    if (arena == NULL) {
        return NNC_NO_MEMORY;
    }
    nnc_sheet_subject(&sheet, report);
    nnc_sheet_gap(&sheet);
    const nnc_status status = view.by == NNC_BY_ROW
                                  ? write_rows(out, style, arena, report, rows, shown)
                                  : write_sums(out, style, arena, report, rows, shown, view.by);
    nnc_sheet_gap(&sheet);
    write_totals(&sheet, report, count - shown);
    nnc_arena_destroy(arena);
    return status;
}

/* ---- JSON and CSV ---- */

/* A row that adds ops up. */
static nnc_cell get_sum_share(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const ops_row *row = place->record;
    const nnc_report *report = place->owner;
    (void)text;
    return nnc_number_cell(row->seconds / report->result->step_s);
}

static nnc_cell get_sum_bound(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    (void)text;
    return nnc_text_cell(nnc_bound_name(main_bound(place->record)));
}

#define SUM_ROWS(by)                                                                     \
    {                                                                                    \
        { .name = (by), .type = NNC_METRIC_TEXT, NNC_IN(ops_row, name) },                \
            { .name = "repeat", .type = NNC_METRIC_NUMBER, NNC_IN(ops_row, instances) }, \
            { NNC_NUMBER(ops_row, flops), .unit = "FLOP" },                              \
            { NNC_NUMBER(ops_row, vector_flops), .unit = "FLOP" },                       \
            { NNC_NUMBER(ops_row, bytes), .unit = "B" },                                 \
            { .name = "time_s",                                                          \
              .type = NNC_METRIC_NUMBER,                                                 \
              NNC_IN(ops_row, seconds),                                                  \
              .unit = "s" },                                                             \
            { .name = "share", .type = NNC_METRIC_NUMBER, .get = get_sum_share },        \
            { .name = "bound", .type = NNC_METRIC_TEXT, .get = get_sum_bound },          \
    }
static const nnc_metric op_sums[] = SUM_ROWS("op"), group_sums[] = SUM_ROWS("group"),
                        phase_sums[] = SUM_ROWS("phase");
#undef SUM_ROWS

static const nnc_metric one_op[] = {
    { .type = NNC_METRIC_OBJECT, NNC_VIA(ops_row, cost), .rows = &nnc_op_metrics },
};

static const nnc_metrics row_metrics[NNC_BY_COUNT] = {
    [NNC_BY_ROW] = NNC_METRICS("one op of the step", one_op, ops_row),
    [NNC_BY_OP] = NNC_METRICS("all phases of an op", op_sums, ops_row),
    [NNC_BY_GROUP] = NNC_METRICS("a part of the network", group_sums, ops_row),
    [NNC_BY_PHASE] = NNC_METRICS("a phase of the step", phase_sums, ops_row),
};

static void write_json(nnc_buffer *out, const nnc_report *report, nnc_ops_by by,
                       const ops_row *rows, int32_t count)
{
    nnc_record record = nnc_record_begin(out, "nncost.ops/1");
    nnc_record_list_of(&record, "ops", &row_metrics[by], report, rows, count);
    nnc_record_end(&record);
}

nnc_status nnc_report_ops(nnc_buffer *out, nnc_style style, const nnc_report *report,
                          nnc_ops_view view)
{
    ops_row *rows = calloc((size_t)report->op_count + 1, sizeof *rows);
    nnc_status status = NNC_OK;
    if (rows == NULL) {
        return NNC_NO_MEMORY;
    }
    const int32_t count = gather(report, view.by, rows);
    const int32_t shown = view.top > 0 && view.top < count ? view.top : count;
    sort_rows(rows, count, view.sort);

    switch (style.format) {
    case NNC_FORMAT_JSON: write_json(out, report, view.by, rows, shown); break;
    case NNC_FORMAT_CSV:
        status = nnc_record_lines(out, &row_metrics[view.by], report, rows, shown);
        break;
    case NNC_FORMAT_TABLE:
    case NNC_FORMAT_MARKDOWN:
    case NNC_FORMAT_COUNT: status = write_text(out, style, report, view, rows, count, shown); break;
    }
    free(rows);
    return status;
}
