/* nncost ops: a table of the ops of a step, with one row per op and phase, or with sums by op, group or phase (--by);
 * --sort orders the rows. */
#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "estimate/estimate_internal.h"
#include "input/input_internal.h"
#include "op/op_internal.h"

/* A row of the table that `ops` prints: one op in one phase, or a sum of ops. All numbers in the row are sums over the
 * whole step. */
typedef struct ops_row {
    const char *name;
    const nnc_op_cost *cost; /* row of the op table for a single op; NULL if the row is a sum */
    int32_t order;
    double instances, flops, vector_flops, bytes, seconds;
    double bound_s[NNC_BOUND_COUNT];
    double key; /* number by which --sort orders the rows: time, FLOPs or bytes */
} ops_row;

static void add_cost(ops_row *row, const nnc_op_cost *cost) {
    row->instances += cost->repeat;
    row->flops += cost->work.flops * cost->repeat;
    row->vector_flops += cost->work.vector_flops * cost->repeat;
    row->bytes += (cost->work.read_bytes + cost->work.write_bytes) * cost->repeat;
    row->seconds += cost->time_s * cost->repeat;
    row->bound_s[cost->bound] += cost->time_s * cost->repeat;
}

static const char *row_key(const nnc_op_cost *cost, nnc_ops_by by) {
    switch (by) {
    case NNC_BY_GROUP: return nnc_group_name(nnc_op_group(cost->op));
    case NNC_BY_PHASE: return nnc_phase_name(nnc_op_phase(cost->op));
    case NNC_BY_ROW:
    case NNC_BY_OP:
    case NNC_BY_COUNT: break;
    }
    return nnc_op_name(cost->op);
}

/* Fills the rows that `ops` prints, one row for each op, group or phase. The order of the rows is the order in which
 * the first op of each row runs. Returns the number of rows. */
static int32_t gather(const nnc_report *report, nnc_ops_by by, ops_row *rows) {
    int32_t count = 0;
    for (int32_t i = 0; i < report->op_count; i++) {
        const nnc_op_cost *cost = &report->ops[i];
        const char *key = row_key(cost, by);
        if (cost->repeat == 0) { continue; /* the busiest stage does not run this op, so the op gets no row */ }
        int32_t at = by == NNC_BY_ROW ? count : 0;
        while (at < count && strcmp(rows[at].name, key) != 0) { at++; }
        if (at == count) {
            rows[count++] = (ops_row){ .name = key, .order = at, .cost = by == NNC_BY_ROW ? cost : NULL };
        }
        add_cost(&rows[at], cost);
    }
    return count;
}

static double sort_key(const ops_row *row, nnc_ops_sort sort) {
    return sort == NNC_SORT_TIME ? row->seconds : sort == NNC_SORT_FLOPS ? row->flops + row->vector_flops : row->bytes;
}

/* Orders rows by `key`, the largest first. Rows with equal keys, and rows whose key is NaN, keep their order. */
static int descending(const void *a, const void *b) {
    const ops_row *x = a, *y = b;
    if (x->key > y->key || (!isnan(x->key) && isnan(y->key))) { return -1; }
    if (x->key < y->key || (isnan(x->key) && !isnan(y->key))) { return 1; }
    return x->order < y->order ? -1 : 1;
}

static void sort_rows(ops_row *rows, int32_t count, nnc_ops_sort sort) {
    for (int32_t i = 0; i < count; i++) { rows[i].key = sort_key(&rows[i], sort); }
    if (sort != NNC_SORT_ORDER) { qsort(rows, (size_t)count, sizeof *rows, descending); }
}

static nnc_bound main_bound(const ops_row *row) {
    nnc_bound main = NNC_BOUND_COMPUTE;
    for (int bound = 1; bound < NNC_BOUND_COUNT; bound++) {
        main = row->bound_s[bound] > row->bound_s[main] ? (nnc_bound)bound : main;
    }
    return main;
}

/* Returns the divisor of the sums of a row. A row of a single op shows the numbers of one instance, so the divisor is
 * the number of instances; for a row that is a sum, the divisor is 1. */
static double shown_instances(const ops_row *row) { return row->cost != NULL ? row->instances : 1.0; }

NNC_GET(get_flops, ops_row, nnc_number_cell((self->flops + self->vector_flops) / shown_instances(self)))

NNC_GET(get_bytes, ops_row, nnc_number_cell(self->bytes / shown_instances(self)))

/* Arithmetic intensity in FLOPs per byte; the cell is empty if no bytes are moved. */
NNC_GET(get_intensity, ops_row, nnc_number_cell((self->flops + self->vector_flops) / self->bytes))

/* Time of one instance of an op, or of a sum of ops. An op with a time of 0 s overlaps completely with other ops; the
 * cells for its time, share and bound are empty. */
NNC_GET(get_time, ops_row, nnc_number_cell(self->seconds > 0 ? self->seconds / shown_instances(self) : (double)NAN))

NNC_GET(get_share, ops_row, nnc_number_cell(self->seconds / NNC_OWNER(nnc_report)->result->step_s))

NNC_GET(get_shown_share, ops_row, self->seconds > 0 ? get_share(place, text) : (nnc_cell){ .kind = NNC_CELL_NULL })

NNC_GET(get_bound, ops_row, nnc_text_cell(nnc_bound_name(main_bound(self))))

NNC_GET(get_shown_bound, ops_row, self->seconds > 0 ? get_bound(place, text) : (nnc_cell){ .kind = NNC_CELL_NULL })

/* Columns that both tables have: the table of single ops and the table of sums. */
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

static nnc_cell get_shape(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    const ops_row *row = place->record;
    nnc_op_shape(row->cost->op, text, NNC_METRIC_TEXT_MAX);
    return nnc_text_cell(text);
}

static nnc_cell get_path(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    const ops_row *row = place->record;
    return nnc_text_cell(nnc_op_path(row->cost->op, text, NNC_METRIC_TEXT_MAX));
}

/* Returns the bytes that an op keeps for backward; an empty cell if the op keeps no tensors. */
static nnc_cell get_kept(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
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
    NNC_AS("repeat", NUMBER, NNC_IN(ops_row, instances), .head = "ops", .show = NNC_SHOW_COUNT, .drop = 4,
           .help = "Number of instances of the op in one step on one device."),
    NNC_NUMBER(ops_row, flops, .unit = "FLOP", .help = "FLOPs on the matrix units."),
    NNC_NUMBER(ops_row, vector_flops, .unit = "FLOP", .help = "FLOPs on the vector units."),
    NNC_NUMBER(ops_row, bytes, .unit = "B", .help = "Bytes that are read from and written to memory."),
    NNC_AS("time_s", NUMBER, NNC_IN(ops_row, seconds), .unit = "s",
           .help = "Time of the ops of the row, without communication that overlaps with compute."),
    NNC_AS("share", NUMBER, .get = get_share, .help = "Share of the step time."),
    NNC_AS("bound", TEXT, .get = get_bound, .help = "Resource that bounds the largest part of time_s."),
    NNC_ROWS(&numbers),
};
static const nnc_metrics sums = NNC_METRICS("sums over the step", sum_rows, ops_row);

#define SUM_OF(key, text)                                                                                 \
    {                                                                                                     \
        { .name = (key), .type = NNC_METRIC_TEXT, NNC_IN(ops_row, name), .head = (key), .help = (text) }, \
            { .type = NNC_METRIC_OBJECT, .rows = &sums },                                                 \
    }
static const nnc_metric op_sums[] = SUM_OF("op", "Name of an op; the row adds up all phases of the op."),
                        group_sums[] = SUM_OF("group", "Name of a part of the network; the row adds up the ops of "
                                                       "this part."),
                        phase_sums[] = SUM_OF("phase", "Name of a phase of the step; the row adds up the ops of "
                                                       "this phase.");
#undef SUM_OF

static const nnc_metrics row_metrics[NNC_BY_COUNT] = {
    [NNC_BY_ROW] = NNC_METRICS("one op of the step", one_op, ops_row),
    [NNC_BY_OP] = NNC_METRICS("all phases of an op", op_sums, ops_row),
    [NNC_BY_GROUP] = NNC_METRICS("a part of the network", group_sums, ops_row),
    [NNC_BY_PHASE] = NNC_METRICS("a phase of the step", phase_sums, ops_row),
};

/* The op table that `ops` prints. Getters read a pointer to this record as a pointer to an nnc_report, so the report is
 * the first member of the record. */
typedef struct ops_list {
    nnc_report report;
    nnc_ops_by by;
    const ops_row *rows;
    int32_t count, left_out;
    bool bare;
} ops_list;

static nnc_lines lines_of(const void *record) {
    const ops_list *list = record;
    return (nnc_lines){ &row_metrics[list->by], list, list->rows, list->count };
}

NNC_GET(get_waits, ops_list,
        nnc_bool_cell(self->report.result->host_s + self->report.result->bubble_s > 1e-6 * self->report.result->step_s))
NNC_GET(get_moved, ops_list, nnc_number_cell(self->report.result->read_bytes + self->report.result->write_bytes))

static const nnc_metric page_metric_rows[] = {
    NNC_ROWS(&nnc_estimate_metrics, NNC_IN(ops_list, report)),
    NNC_AS("left_out", WHOLE, NNC_IN(ops_list, left_out)),
    NNC_AS("waits", BOOL, .get = get_waits),
    NNC_AS("moved_bytes", NUMBER, .get = get_moved, .unit = "B"),
};
static const nnc_metrics page_metrics = NNC_METRICS("totals of ops", page_metric_rows, ops_list);

static const nnc_page_row total_rows[] = {
    NNC_LINE("", .when = "left_out > 0"),
    NNC_WORDS("{left_out} more rows"),
    NNC_LINE("step"),
    NNC_ITEM("{work.executed_flops} executed, {work.vector_flops} on the vector units", .when = "plan.devices = 1"),
    NNC_ITEM("{work.executed_flops} executed by all devices, {work.vector_flops} on the vector units",
             .when = "plan.devices > 1"),
    NNC_ITEM("{moved_bytes} moved", .when = "plan.devices = 1"),
    NNC_ITEM("{moved_bytes} moved by one device", .when = "plan.devices > 1"),
    NNC_BOLD("{step.step_s}"),
    NNC_ITEM("{step.bound}"),
    NNC_ITEM("outside of ops: host {step.host_s} and bubble {step.bubble_s}", .when = "waits"),
};
static const nnc_page_rows totals = NNC_PAGE_ROWS(&page_metrics, total_rows);

static void write_page(nnc_buffer *out, nnc_style style, const void *record) {
    const ops_list *list = record;
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    if (!list->bare) {
        nnc_sheet_subject(&sheet, &list->report);
        nnc_sheet_gap(&sheet);
    }
    nnc_table_of(out, style, lines_of(list));
    nnc_sheet_gap(&sheet);
    nnc_sheet_rows(&sheet, &totals, list);
    if (list->report.run != NULL) { nnc_run_input_lines(out, style, list->report.run); }
}

NNC_IF(has_input, nnc_report, self->run != NULL && !isnan(self->run->input_s))

static const nnc_metrics *const sums_too[] = { &row_metrics[NNC_BY_OP], &row_metrics[NNC_BY_GROUP],
                                               &row_metrics[NNC_BY_PHASE], NULL };
enum { OPS_ROW };
static const nnc_metric document_rows[] = {
    [OPS_ROW] =
        NNC_AS("ops", LIST, NNC_IN(ops_list, rows), NNC_COUNT(ops_list, count), .rows = &row_metrics[NNC_BY_ROW],
               .help = "The ops of the step; with --by, each row has the sums over an op, a group or a phase.",
               .more = NNC_MORE(.others = sums_too)),
    NNC_AS("run", OBJECT, NNC_VIA(nnc_report, run), .rows = &nnc_run_metrics,
           .help = "The whole run, if options of its data input, such as --sample-bytes, are given.",
           .more = NNC_MORE(.when = has_input)),
};
static const nnc_metrics document = NNC_METRICS("the ops of a step", document_rows, ops_list);

const nnc_view nnc_ops_output = {
    .schema = "nncost.ops/1", .document = &document, .lines = lines_of, .page = write_page
};

nnc_status nnc_report_ops(nnc_buffer *out, nnc_style style, const nnc_report *report, nnc_ops_view view) {
    nnc_metric own_rows[NNC_COUNT_OF(document_rows)];
    memcpy(own_rows, document_rows, sizeof own_rows);
    /* metrics of one op, or of a sum by op, by group or by phase (--by) */
    own_rows[OPS_ROW].rows = &row_metrics[view.by];
    const nnc_metrics own = { .rows = own_rows, .count = NNC_COUNT_OF(own_rows) };
    nnc_view shown = nnc_ops_output;
    shown.document = &own;
    ops_row *rows = calloc((size_t)report->op_count + 1, sizeof *rows);
    if (rows == NULL) { return NNC_NO_MEMORY; }
    const int32_t count = gather(report, view.by, rows);
    ops_list list = { .report = *report, .by = view.by, .rows = rows, .bare = view.bare };
    list.count = view.top > 0 && view.top < count ? view.top : count;
    list.left_out = count - list.count;
    sort_rows(rows, count, view.sort);
    nnc_view_write(out, style, &shown, &list);
    free(rows);
    return NNC_OK;
}

/* Refuses options of the training run, because the page of `ops` shows no run. If options
 * describe data loading, the page shows the time of data loading, and all options of the run are accepted. */
static nnc_status check_run(const nnc_scenario_args *given, const nnc_report *report, nnc_error *err) {
    const bool shown = report->run != NULL && !isnan(report->run->input_s);
    for (int i = 0; i < given->own_count && !shown; i++) {
        const nnc_field *field = given->settings[i].field;
        const bool of_run = nnc_field_is_of(&nnc_run_table, field) || strcmp(field->name, "tokens") == 0 ||
                            strcmp(field->name, "samples") == 0;
        if (of_run) {
            char option[NNC_OPTION_NAME];
            return nnc_fail(
                err, NNC_BAD_USAGE, nnc_option_name(field->name, option),
                "has no effect here, expected together with --sample-bytes or --prepare-s, or 'nncost run'");
        }
    }
    return NNC_OK;
}

static nnc_status write(nnc_session *session, void *context, nnc_scenario *scenario, nnc_scratch *scratch,
                        nnc_error *err) {
    const nnc_report *report = &scenario->report;
    (void)context, (void)scratch;
    NNC_TRY(check_run(&session->options.given, report, err));
    nnc_ops_view view = session->options.view;
    if (view.top > 0 && !nnc_option_given(&session->options, "--sort")) { view.sort = NNC_SORT_TIME; }
    return nnc_report_ops(session->out, session->style, report, view) == NNC_OK ? NNC_OK : nnc_no_memory(err);
}

static nnc_status run(nnc_session *session, nnc_error *err) {
    char **operands = session->options.operands;
    return nnc_scenario_report(session, operands[0], operands[1], write, NULL, err);
}

const nnc_command nnc_cmd_ops = {
    .name = "ops",
    .operands = "MODEL DEVICE | PLANS.json [DEVICE]",
    .summary = "Every op of the step: dimensions, FLOPs, bytes, intensity, time, share, bound.",
    .notes = "FLOPs, bytes and time are values of one instance of the op. repeat is the number of instances in one "
             "step, and share is the time of all instances divided by the step time. With --by, FLOPs, bytes and "
             "time are sums over all instances in the step. FLOPs include FLOPs of the vector units. The command "
             "exits with 0 even if the step does not fit.",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_LAUNCH | NNC_TAKES_PLAN | NNC_TAKES_SWITCH | NNC_TAKES_RUN |
             NNC_TAKES_SCENARIO | NNC_TAKES_OPS | NNC_LACKS_COST | NNC_LACKS_MFU,
    .run = run,
    .serving = &nnc_cmd_serve_ops,
};

/* ---- nncost op: work, roofline and predicted time of a single op on a device ---- */

typedef struct answer {
    nnc_single_op alone;
    const nnc_device *device;
} answer;

#define ALONE(member) NNC_IN(answer, alone.member)

static const nnc_metric op_rows[] = {
    NNC_AS("device", CHARS, NNC_VIA(answer, device), NNC_IN(nnc_device, id), .help = "Device that runs the op."),
    NNC_AS("kind", TEXT, ALONE(kind), .help = "Kind of op."),
    NNC_AS("shape", CHARS, ALONE(shape), .help = "Dims of the op."),
    NNC_AS("precision", ENUM, ALONE(precision), .name_of = nnc_dtype_name, .values = NNC_DTYPE_COUNT,
           .help = "Number format of the operands."),
    NNC_AS("flops", NUMBER, ALONE(flops), .unit = "FLOP", .help = "Work of the op."),
    NNC_AS("moved_bytes", NUMBER, ALONE(moved_bytes), .unit = "B",
           .help = "Bytes read and written; for a collective, the bytes that one device sends."),
    NNC_AS("flops_per_byte", NUMBER, ALONE(flops_per_byte), .unit = "FLOP/B", .help = "Arithmetic intensity."),
    NNC_AS("ridge_flops_per_byte", NUMBER, ALONE(ridge_flops_per_byte), .unit = "FLOP/B",
           .help = "Ridge point: FLOPs per byte above which compute takes longer than memory traffic."),
    NNC_AS("bound_s", NUMBER, ALONE(bound_s), .unit = "s",
           .help =
               "Lower bound of the time: the roofline, or the links of a collective, at the rates of the datasheet."),
    NNC_AS("time_s", NUMBER, ALONE(time_s), .unit = "s", .help = "Predicted time, by the device's fitted parameters."),
    NNC_AS("compute_s", NUMBER, ALONE(compute_s), .unit = "s", .help = "Compute part of the predicted time."),
    NNC_AS("memory_s", NUMBER, ALONE(memory_s), .unit = "s", .help = "Memory part of the predicted time."),
    NNC_AS("fixed_s", NUMBER, ALONE(fixed_s), .unit = "s",
           .help = "Fixed part of the predicted time, which does not depend on the size."),
    NNC_AS("network_s", NUMBER, ALONE(network_s), .unit = "s", .help = "Network part of the predicted time."),
    NNC_AS("bound", ENUM, ALONE(bound), .name_of = nnc_bound_name, .values = NNC_BOUND_COUNT,
           .help = "Resource that bounds the op."),
    NNC_AS("flops_per_s", NUMBER, ALONE(flops_per_s), .unit = "FLOP/s", .help = "FLOPs divided by the predicted time."),
    NNC_AS("bytes_per_s", NUMBER, ALONE(bytes_per_s), .unit = "B/s",
           .help = "Moved bytes divided by the predicted time."),
    NNC_AS("peak_share", NUMBER, ALONE(peak_share), .help = "bound_s divided by the predicted time."),
    NNC_AS("link", TEXT, ALONE(link), .help = "The slower link of a collective."),
};
static const nnc_metrics op_metrics = NNC_METRICS("one op", op_rows, answer);

static const nnc_page_row page_rows[] = {
    NNC_LINE("op"),
    NNC_BOLD("{kind}"),
    NNC_ITEM("{shape}"),
    NNC_ITEM("{precision} on {device}"),
    NNC_LINE("time"),
    NNC_BOLD("{time_s}"),
    NNC_ITEM("bound by {bound}", .when = "!link"),
    NNC_ITEM("bound by {bound}, {link}", .when = "link"),
    NNC_ITEM("at least {bound_s} at the rates of the datasheet, {peak_share:percent} of the predicted time"),
    NNC_LINE("work"),
    NNC_ITEM("{flops}", .when = "flops"),
    NNC_ITEM("{moved_bytes} sent by each device", .when = "link"),
    NNC_ITEM("{moved_bytes} read and written", .when = "!link"),
    NNC_ITEM("{flops_per_byte}, ridge {ridge_flops_per_byte}", .when = "flops"),
    NNC_LINE("rate"),
    NNC_ITEM("{flops_per_s}", .when = "flops"),
    NNC_ITEM("{bytes_per_s}"),
};
static const nnc_page_rows page = NNC_PAGE_ROWS(&op_metrics, page_rows);

const nnc_view nnc_op_view = { .schema = "nncost.op/1", .document = &op_metrics, .rows = &page };

/* Reads whole numbers joined by "x", such as "4096x4096x4096". Returns false if the text does not have this form. */
static bool read_dims(const char *text, nnc_single_op *alone) {
    char number[24];
    while (alone->dim_count < NNC_SINGLE_OP_DIMS_MAX) {
        const size_t length = strcspn(text, "x");
        if (length == 0 || length >= sizeof number) { return false; }
        memcpy(number, text, length);
        number[length] = '\0';
        double value = 0.0;
        if (!nnc_read_quantity(number, "", true, &value) || !(value >= 1.0 && value <= 1e9)) { return false; }
        alone->dims[alone->dim_count++] = (int64_t)value;
        text += length;
        if (*text == '\0') { return true; }
        text++;
    }
    return false;
}

/* Sets the fields of `plan` that options of the command line give. */
static nnc_status read_settings(const nnc_scenario_args *given, nnc_plan *plan, nnc_error *err) {
    for (int i = 0; i < given->setting_count; i++) {
        NNC_TRY(nnc_setting_apply(&given->settings[i], &nnc_plan_table, plan, err));
    }
    return NNC_OK;
}

static nnc_status find_precision(const nnc_device *device, nnc_plan *plan, nnc_error *err) {
    static const nnc_dtype preferred[] = { NNC_BF16, NNC_FP16, NNC_FP32 };
    for (int i = 0; i < 3 && plan->precision == NNC_DTYPE_COUNT; i++) {
        if (!isnan(nnc_device_matmul_peak(device, preferred[i]))) { plan->precision = preferred[i]; }
    }
    if (plan->precision == NNC_DTYPE_COUNT || isnan(nnc_device_matmul_peak(device, plan->precision))) {
        return nnc_fail(err, NNC_BAD_USAGE, "--precision",
                        "%s has no peak rate in this format, expected another format", device->id);
    }
    return NNC_OK;
}

static nnc_status run_op(nnc_session *session, nnc_error *err) {
    char **operands = session->options.operands;
    nnc_plan plan = nnc_plan_default();
    answer a = { .alone = { .kind = operands[0] } };
    NNC_TRY(read_settings(&session->options.given, &plan, err));
    NNC_TRY(nnc_device_load(session->specs, operands[2], &a.device, err));
    NNC_TRY(find_precision(a.device, &plan, err));
    a.alone.precision = plan.precision;
    a.alone.devices = plan.devices;
    a.alone.devices_per_node = plan.devices_per_node;
    const nnc_options *options = &session->options;
    a.alone.kernel = options->kernel;
    a.alone.layout = options->layout;
    a.alone.unmasked = options->unmasked;
    if (((options->kernel != NULL || options->unmasked) && strcmp(operands[0], "attention") != 0) ||
        (options->layout != NULL && strcmp(operands[0], "conv") != 0)) {
        return nnc_fail(err, NNC_BAD_USAGE, "KIND",
                        "--kernel and --unmasked are options of attention, --layout is an option of conv");
    }
    if (options->layout != NULL && strcmp(options->layout, "contiguous") != 0 &&
        strcmp(options->layout, "channels_last") != 0) {
        return nnc_fail(err, NNC_BAD_USAGE, "--layout", "expected channels_last or contiguous, found \"%.40s\"",
                        options->layout);
    }
    const bool sized = read_dims(operands[1], &a.alone);
    if (!sized && !nnc_read_quantity(operands[1], "B", false, &a.alone.bytes)) {
        return nnc_fail(err, NNC_BAD_USAGE, "DIMS",
                        "wrong size, expected numbers joined by x, or bytes, found \"%.40s\"", operands[1]);
    }
    if (sized && a.alone.dim_count == 1) { a.alone.bytes = (double)a.alone.dims[0]; }
    NNC_TRY(nnc_single_op_time(a.device, &a.alone, err));
    nnc_view_write(session->out, session->style, &nnc_op_view, &a);
    return NNC_OK;
}

const nnc_command nnc_cmd_op = {
    .name = "op",
    .operands = "KIND DIMS DEVICE",
    .summary = "A single op: its work, its roofline and its time.",
    .notes = "KIND and DIMS are one of: matmul [BATCHx]MxNxK; attention BATCHxHEADSxTOKENSxWIDTH[xKV_HEADS] (causal "
             "and one kernel, see --kernel and --unmasked); conv BATCHxINxHEIGHTxWIDTHxOUTxKERNEL[xSTRIDE[xGROUPS]] "
             "(see --layout); an operator of PyTorch; or a collective. The operators copy, add, cast, gelu and "
             "optimizer: DIMS is the number of values. The operators softmax, norm, loss and loss-fp32 (a loss that "
             "casts the logits) have ROWSxCOLUMNS. A collective has the bytes of the whole tensor, and needs "
             "--devices: all-reduce, all-gather, reduce-scatter, all-to-all, broadcast, p2p. The command computes "
             "only forward passes.",
    .min_operands = 3,
    .max_operands = 3,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_ONE_OP,
    .run = run_op,
};
