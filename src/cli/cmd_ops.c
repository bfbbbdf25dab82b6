/* ops */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/names.h"
#include "cli/command.h"
#include "cli/scenario_asked.h"
#include "cli/views_internal.h"
#include "input/read.h"
#include "op/work.h"

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

/* What a row is shown by: one instance, or all of a sum. */
static double shown_instances(const ops_row *row)
{
    return row->cost != NULL ? row->instances : 1.0;
}

NNC_GET(get_flops, ops_row,
        nnc_number_cell((self->flops + self->vector_flops) / shown_instances(self)))

NNC_GET(get_bytes, ops_row, nnc_number_cell(self->bytes / shown_instances(self)))

static nnc_cell get_intensity(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const ops_row *row = place->record;
    (void)text;
    return nnc_number_cell((row->flops + row->vector_flops) / row->bytes); /* none of 0 bytes */
}

/* A row without time is overlapped by others: it has neither share nor bound. */
NNC_GET(get_time, ops_row,
        nnc_number_cell(self->seconds > 0 ? self->seconds / shown_instances(self) : (double)NAN))

NNC_GET(get_share, ops_row, nnc_number_cell(self->seconds / NNC_OWNER(nnc_report)->result->step_s))

NNC_GET(get_shown_share, ops_row,
        self->seconds > 0 ? get_share(place, text) : (nnc_cell){ .kind = NNC_CELL_NULL })

NNC_GET(get_bound, ops_row, nnc_text_cell(nnc_bound_name(main_bound(self))))

NNC_GET(get_shown_bound, ops_row,
        self->seconds > 0 ? get_bound(place, text) : (nnc_cell){ .kind = NNC_CELL_NULL })

/* The columns that ops and sums of them share. */
static const nnc_metric number_rows[] = {
    NNC_HEAD("FLOPs", NUMBER, .get = get_flops, .show = NNC_SHOW_SCALED, .drop = 5),
    NNC_HEAD("bytes", NUMBER, .get = get_bytes, .show = NNC_SHOW_SCALED, .drop = 3),
    NNC_HEAD("FLOP/B", NUMBER, .get = get_intensity, .show = NNC_SHOW_COUNT, .drop = 2),
    NNC_HEAD("time", NUMBER, .get = get_time, .unit = "s"),
    NNC_HEAD("share", NUMBER, .get = get_shown_share, .show = NNC_SHOW_PERCENT),
    NNC_HEAD("bound", TEXT, .get = get_shown_bound),
};
static const nnc_metrics numbers = NNC_METRICS("numbers of a row", number_rows, ops_row);

NNC_GET(get_phase, ops_row, nnc_text_cell(nnc_phase_name(nnc_op_phase(self->cost->op))))

static nnc_cell get_shape(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const ops_row *row = place->record;
    nnc_op_shape(row->cost->op, text, NNC_METRIC_TEXT_MAX);
    return nnc_text_cell(text);
}

static nnc_cell get_path(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const ops_row *row = place->record;
    return nnc_text_cell(nnc_op_path(row->cost->op, text, NNC_METRIC_TEXT_MAX));
}

/* Of a forward op that keeps nothing, nothing. */
static nnc_cell get_kept(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_op *op = ((const ops_row *)place->record)->cost->op;
    const double bytes = nnc_op_phase(op) == NNC_PHASE_FORWARD ? nnc_op_kept_bytes(op) : 0.0;
    (void)text;
    return nnc_number_cell(bytes > 0.0 ? bytes : (double)NAN);
}

static const nnc_metric one_op[] = {
    NNC_ROWS(&nnc_op_metrics, NNC_VIA(ops_row, cost)),
    NNC_HEAD("op", TEXT, .get = get_path),
    NNC_HEAD("phase", TEXT, .get = get_phase),
    NNC_HEAD("rep", NUMBER, NNC_IN(ops_row, instances), .show = NNC_SHOW_COUNT, .drop = 4),
    NNC_HEAD("shape", TEXT, .get = get_shape, .shrinks = true, .drop = 1),
    NNC_HEAD("kept", NUMBER, .get = get_kept, .show = NNC_SHOW_SCALED, .drop = 1),
    NNC_ROWS(&numbers),
};

static const nnc_metric sum_rows[] = {
    NNC_AS("repeat", NUMBER, NNC_IN(ops_row, instances), .head = "ops", .show = NNC_SHOW_COUNT,
           .drop = 4, .help = "Instances in one step on one device."),
    NNC_NUMBER(ops_row, flops, .unit = "FLOP", .help = "FLOPs on the matrix units."),
    NNC_NUMBER(ops_row, vector_flops, .unit = "FLOP", .help = "FLOPs on the vector units."),
    NNC_NUMBER(ops_row, bytes, .unit = "B", .help = "Bytes that cross memory."),
    NNC_AS("time_s", NUMBER, NNC_IN(ops_row, seconds), .unit = "s",
           .help = "Time on the critical path."),
    NNC_AS("share", NUMBER, .get = get_share, .help = "Share of the step."),
    NNC_AS("bound", TEXT, .get = get_bound, .help = "What bounds most of it."),
    NNC_ROWS(&numbers),
};
static const nnc_metrics sums = NNC_METRICS("sums over the step", sum_rows, ops_row);

#define SUM_OF(key, text)                                 \
    {                                                     \
        { .name = (key),                                  \
          .type = NNC_METRIC_TEXT,                        \
          NNC_IN(ops_row, name),                          \
          .head = (key),                                  \
          .help = (text) },                               \
            { .type = NNC_METRIC_OBJECT, .rows = &sums }, \
    }
static const nnc_metric op_sums[] = SUM_OF("op", "All phases of an op."),
                        group_sums[] = SUM_OF("group", "A part of the network."),
                        phase_sums[] = SUM_OF("phase", "A phase of the step.");
#undef SUM_OF

static const nnc_metrics row_metrics[NNC_BY_COUNT] = {
    [NNC_BY_ROW] = NNC_METRICS("one op of the step", one_op, ops_row),
    [NNC_BY_OP] = NNC_METRICS("all phases of an op", op_sums, ops_row),
    [NNC_BY_GROUP] = NNC_METRICS("a part of the network", group_sums, ops_row),
    [NNC_BY_PHASE] = NNC_METRICS("a phase of the step", phase_sums, ops_row),
};

/* What is shown. The rows' owner is read as a report, so that comes first. */
typedef struct ops_list {
    nnc_report report;
    nnc_ops_by by;
    const ops_row *rows;
    int32_t count, left_out;
    bool bare;
} ops_list;

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
    if (result->host_s + result->bubble_s > 1e-6 * result->step_s) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "of which no op takes host %s and bubble %s",
                       nnc_unit_text(result->host_s, "s", a),
                       nnc_unit_text(result->bubble_s, "s", b));
    }
    nnc_sheet_end(sheet);
}

static nnc_lines lines_of(const void *record)
{
    const ops_list *list = record;
    return (nnc_lines){ &row_metrics[list->by], list, list->rows, list->count };
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record)
{
    const ops_list *list = record;
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    if (!list->bare) {
        nnc_sheet_subject(&sheet, &list->report);
        nnc_sheet_gap(&sheet);
    }
    nnc_table_of(out, style, lines_of(list));
    nnc_sheet_gap(&sheet);
    write_totals(&sheet, &list->report, list->left_out);
    if (list->report.run != NULL) {
        nnc_run_input_lines(out, style, list->report.run);
    }
}

NNC_IF(has_input, nnc_report, self->run != NULL && !isnan(self->run->input_s))

#define OPS_OF(by)                                                                            \
    {                                                                                         \
        .name = "ops", .type = NNC_METRIC_LIST, NNC_IN(ops_list, rows),                       \
        NNC_COUNT(ops_list, count), .rows = &row_metrics[by], .help = "Ops, or sums of them." \
    }
static const nnc_metric document_rows[NNC_BY_COUNT] = {
    [NNC_BY_ROW] = OPS_OF(NNC_BY_ROW),
    [NNC_BY_OP] = OPS_OF(NNC_BY_OP),
    [NNC_BY_GROUP] = OPS_OF(NNC_BY_GROUP),
    [NNC_BY_PHASE] = OPS_OF(NNC_BY_PHASE),
};
#undef OPS_OF

static const nnc_metric input_row = NNC_AS(
    "run", OBJECT, NNC_VIA(nnc_report, run), .rows = &nnc_run_metrics,
    .help = "The run, where something is said of its input.", .more = NNC_MORE(.when = has_input));

static const nnc_metrics *const sums_too[] = { &row_metrics[NNC_BY_OP], &row_metrics[NNC_BY_GROUP],
                                               &row_metrics[NNC_BY_PHASE], NULL };
static const nnc_metric any_rows[] = {
    NNC_AS("ops", LIST, NNC_IN(ops_list, rows), NNC_COUNT(ops_list, count),
           .rows = &row_metrics[NNC_BY_ROW], .help = "Ops; with --by sums of them.",
           .more = NNC_MORE(.others = sums_too)),
    NNC_AS("run", OBJECT, NNC_VIA(nnc_report, run), .rows = &nnc_run_metrics,
           .help = "The run, where something is said of its input.",
           .more = NNC_MORE(.when = has_input)),
};
static const nnc_metrics any_document = NNC_METRICS("the ops of a step", any_rows, ops_list);

const nnc_view nnc_ops_output = {
    .schema = "nncost.ops/1", .document = &any_document, .lines = lines_of, .page = write_page
};

nnc_status nnc_report_ops(nnc_buffer *out, nnc_style style, const nnc_report *report,
                          nnc_ops_view view)
{
    const nnc_metric both[] = { document_rows[view.by], input_row };
    const nnc_metrics document = { .rows = both, .count = NNC_COUNT_OF(both) };
    nnc_view shown = nnc_ops_output;
    shown.document = &document;
    ops_row *rows = calloc((size_t)report->op_count + 1, sizeof *rows);
    if (rows == NULL) {
        return NNC_NO_MEMORY;
    }
    const int32_t count = gather(report, view.by, rows);
    ops_list list = { .report = *report, .by = view.by, .rows = rows, .bare = view.bare };
    list.count = view.top > 0 && view.top < count ? view.top : count;
    list.left_out = count - list.count;
    sort_rows(rows, count, view.sort);
    nnc_view_write(out, style, &shown, &list);
    free(rows);
    return NNC_OK;
}

static nnc_status write(nnc_session *session, void *context, nnc_scenario *scenario,
                        nnc_scratch *scratch, nnc_error *err)
{
    const nnc_report *report = &scenario->report;
    (void)context, (void)scratch;
    return nnc_report_ops(session->out, session->style, report, session->options.view) == NNC_OK
               ? NNC_OK
               : nnc_no_memory(err);
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    char **operands = session->options.operands;
    return nnc_scenario_report(session, operands[0], operands[1], write, NULL, err);
}

const nnc_command nnc_cmd_ops = {
    .name = "ops",
    .operands = "MODEL DEVICE | PLANS.json [DEVICE]",
    .summary = "Every op of the step: shape, FLOPs, bytes, intensity, time, share, what bounds it.",
    .notes = "FLOPs, bytes and time are those of one instance; repeat counts the instances in one "
             "step, and share is that of all of them. With --by all figures are sums over the "
             "step. FLOPs include those of the vector units. Exits with 0 whether the step fits "
             "or not.",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_RUN | NNC_TAKES_SCENARIO | NNC_TAKES_OPS,
    .run = run,
    .serving = &nnc_cmd_serve_ops,
};
