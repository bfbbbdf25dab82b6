/* nncost trace: shows how the time of a profiled program is divided among operators, how long each operator should
 * take, and the differences between two traces. nncost trace log (also: nncost watch) reads the log of a training run
 * line by line, and compares the step times in the log with the interval of the estimated step time. */
#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "lab/lab_internal.h"
#include "plot/plot_internal.h"
#include "scenario/scenario_internal.h"
#include "trace/trace_internal.h"

typedef struct part {
    const char *name;
    double measured_s, predicted_s;
} part;

enum { PARTS = 4 };

typedef struct answer {
    nnc_trace_sum sum;
    const char *model;  /* id of the model of the traced program; NULL = the user gave no model */
    const part *parts;  /* parts of one step, each with its measured and its estimated time */
    int32_t part_count; /* number of entries in `parts`; 0 = the user gave no model, so the list is empty */
    const char *file;
    const char *recorded_device;
    const char *device; /* id of the device on which the trace was recorded; NULL = not known */
    int64_t kernels, steps;
    int64_t shown; /* largest number of rows that a page shows */
} answer;

static const char *class_name(unsigned class) {
    static const char *const names[] = { "compute", "communication", "copy" };
    return class < 3 ? names[class] : "?";
}

/* Returns the reason why an operator is slow, as text. If a dimension of the operator is no multiple of 16 bytes, the
 * text names this dimension. If all dimensions are multiples of 16 bytes, the text has two ratios: measured time /
 * expected time, and measured time / lower bound. */
static nnc_cell reason(const nnc_trace_row *r, char text[NNC_METRIC_TEXT_MAX]) {
    const double calls = (double)r->calls;
    char was[NNC_NUMBER_TEXT], could[NNC_NUMBER_TEXT];
    if (r->price.odd > 0) {
        snprintf(text, NNC_METRIC_TEXT_MAX, "%c = %lld is no multiple of 16 bytes: a call takes %s, padded %s",
                 r->price.side, (long long)r->price.odd, nnc_unit_text(r->measured_s / calls, "s", was),
                 nnc_unit_text(r->price.padded_s / calls, "s", could));
    } else {
        snprintf(text, NNC_METRIC_TEXT_MAX, "%.1f times the expected time, %.1f times the lower bound", r->times,
                 r->measured_s / r->price.bound_s);
    }
    return nnc_text_cell(text);
}

NNC_GET(get_reason, nnc_trace_row, reason(self, text))

#define ROW(member) NNC_IN(nnc_trace_row, member)
#define ROW_METRICS                                                                                                    \
    NNC_AS("op", TEXT, ROW(op), .head = "op", .shrinks = true,                                                         \
           .help = "Operator, or the kernel if its operator is not known."),                                           \
        NNC_AS("dims", TEXT, ROW(dims), .head = "dims", .shrinks = true, .help = "Shapes of the operator's inputs."),  \
        NNC_AS("kernel", TEXT, ROW(kernel), .help = "The operator's longest kernel."),                                 \
        NNC_AS("class", ENUM, ROW(class), .name_of = class_name, .values = 3,                                          \
               .help = "compute, communication or copy."),                                                             \
        NNC_AS("calls", WHOLE, ROW(calls), .head = "calls", .help = "Number of calls of the operator."),               \
        NNC_AS("kernels", WHOLE, ROW(kernels), .help = "Number of kernels that the calls of the operator issued."),    \
        NNC_AS("share", NUMBER, ROW(share), .head = "share", .show = NNC_SHOW_PERCENT,                                 \
               .help = "Share of all kernel time."),                                                                   \
        NNC_AS("measured_s", NUMBER, ROW(measured_s), .unit = "s", .head = "measured",                                 \
               .help = "Time of the operator's kernels."),                                                             \
        NNC_AS("predicted_s", NUMBER, ROW(price.predicted_s), .unit = "s",                                             \
               .help = "Time that is predicted for the device; null if the shapes do not determine the work."),        \
        NNC_AS("expected_s", NUMBER, ROW(expected_s), .unit = "s", .head = "expected",                                 \
               .help = "predicted_s x the factor measured / predicted of operators of similar size in this trace; at " \
                       "least bound_s."),                                                                              \
        NNC_AS("bound_s", NUMBER, ROW(price.bound_s), .unit = "s", .head = "bound",                                    \
               .help = "Roofline bound at the rates of the datasheet."),                                               \
        NNC_AS("times", NUMBER, ROW(times), .head = "times", .help = "measured_s divided by expected_s."),             \
        NNC_AS("save_s", NUMBER, ROW(save_s), .unit = "s", .head = "save",                                             \
               .help =                                                                                                 \
                   "Time that could be saved: measured time minus expected time. For a product that padding makes "    \
                   "faster, it is measured time minus the time with padded dimensions."),                              \
        NNC_AS("flops", NUMBER, ROW(price.flops), .unit = "FLOP", .help = "FLOPs of all calls of the operator."),      \
        NNC_AS("moved_bytes", NUMBER, ROW(price.moved_bytes), .unit = "B",                                             \
               .help = "Bytes that all calls of the operator read and write.")

static const nnc_metric row_rows[] = { ROW_METRICS };
static const nnc_metrics row_metrics = NNC_METRICS("an operator of a trace", row_rows, nnc_trace_row);
static const nnc_metric finding_rows[] = {
    ROW_METRICS,
    NNC_AS("reason", CHARS, .get = get_reason, .help = "Reason why the operator takes longer than expected."),
};
static const nnc_metrics finding_metrics = NNC_METRICS("a finding", finding_rows, nnc_trace_row);

#define PART(member) NNC_IN(part, member)
static const nnc_metric part_rows[] = {
    NNC_AS("part", TEXT, PART(name), .head = "of a step", .help = "Name of the part of a step."),
    NNC_AS("measured_s", NUMBER, PART(measured_s), .unit = "s", .head = "measured",
           .help = "Time of this part in one step of the trace."),
    NNC_AS("predicted_s", NUMBER, PART(predicted_s), .unit = "s", .head = "predicted",
           .help = "Time of this part in the estimate of the model."),
};
static const nnc_metrics part_metrics = NNC_METRICS("a part of a step", part_rows, part);

#define SUM(member) NNC_IN(answer, sum.member)
static const nnc_metric document_rows[] = {
    NNC_AS("file", TEXT, NNC_IN(answer, file), .help = "File name of the trace."),
    NNC_AS("recorded_device", TEXT, NNC_IN(answer, recorded_device), .help = "Name of the device in the trace."),
    NNC_AS("device", TEXT, NNC_IN(answer, device), .help = "Device for which times are predicted."),
    NNC_AS("model", TEXT, NNC_IN(answer, model), .help = "Model that the command line names."),
    NNC_AS("kernels", WHOLE, NNC_IN(answer, kernels), .help = "Number of kernels and copies in the trace."),
    NNC_AS("steps", WHOLE, NNC_IN(answer, steps), .help = "Number of steps that the profiler marked."),
    NNC_AS("devices", WHOLE, SUM(devices), .help = "Number of devices that ran kernels."),
    NNC_AS("span_s", NUMBER, SUM(span_s), .unit = "s",
           .help = "Time from the first kernel to the end of the last kernel of the busiest device."),
    NNC_AS("busy_s", NUMBER, SUM(busy_s), .unit = "s", .help = "Time in which at least one kernel runs."),
    NNC_AS("idle_s", NUMBER, SUM(idle_s), .unit = "s",
           .help = "Time in which no kernel runs: the device waits for the host, or for data."),
    NNC_AS("idle_host_s", NUMBER, SUM(idle_host_s), .unit = "s",
           .help = "Idle time in which the device waits for the host: the next kernel was launched after the previous "
                   "kernel had ended."),
    NNC_AS("kernel_s", NUMBER, SUM(kernel_s), .unit = "s", .help = "Sum of the times of all kernels."),
    NNC_AS("compute_s", NUMBER, SUM(compute_s), .unit = "s", .help = "Sum of the times of compute kernels."),
    NNC_AS("communication_s", NUMBER, SUM(communication_s), .unit = "s",
           .help = "Sum of the times of the kernels of collectives, including waiting."),
    NNC_AS("exposed_s", NUMBER, SUM(exposed_s), .unit = "s",
           .help = "Time of communication while no compute kernel runs."),
    NNC_AS("copy_s", NUMBER, SUM(copy_s), .unit = "s", .help = "Sum of the times of all copies."),
    NNC_AS("issue_s", NUMBER, SUM(issue_s), .unit = "s", .help = "span_s divided by the number of kernels."),
    NNC_AS("linked_share", NUMBER, SUM(linked_share),
           .help = "Share of kernel time whose operator is known with its shapes."),
    NNC_AS("unlaunched_share", NUMBER, SUM(unlaunched_share),
           .help = "Share of kernel time without a known operator, because the trace lacks the launch of the kernel."),
    NNC_AS("product_factor", NUMBER, SUM(product_factor),
           .help = "Median of measured / predicted time of matrix products; null if there are fewer than three."),
    NNC_AS("memory_factor", NUMBER, SUM(memory_factor),
           .help = "Median of measured / predicted time of all operators that are no matrix products; null if there "
                   "are fewer than three."),
    NNC_AS("save_s", NUMBER, SUM(save_s), .unit = "s",
           .help = "Time that all findings together could save: the sum of their save_s."),
    NNC_AS("parts", LIST, NNC_IN(answer, parts), NNC_COUNT(answer, part_count), .rows = &part_metrics,
           .help = "Parts of a step, each with its time in the trace and in the estimate of the model."),
    NNC_AS("findings", LIST, SUM(findings), NNC_COUNT(answer, sum.finding_count), .rows = &finding_metrics,
           .help = "Operators that take longer than expected, by more than the usual error of predictions for this "
                   "trace. The list also has matrix products that padding would make faster. The operator with the "
                   "largest save_s is first."),
    NNC_AS("ops", LIST, SUM(rows), NNC_COUNT(answer, sum.row_count), .rows = &row_metrics,
           .help = "All operators, longest time first."),
};
static const nnc_metrics document = NNC_METRICS("a trace", document_rows, answer);

static const nnc_page_row page_rows[] = {
    NNC_LINE("trace"),
    NNC_ITEM("{kernels:count} kernels"),
    NNC_ITEM("{steps:count} steps", .when = "steps"),
    NNC_ITEM("recorded on {recorded_device}", .when = "recorded_device"),
    NNC_ITEM("predicted for {device}", .when = "device"),
    NNC_LINE("time"),
    NNC_BOLD("{span_s}"),
    NNC_ITEM("busy {busy_s}"),
    NNC_ITEM("idle {idle_s}: no kernel runs, {idle_host_s} of this because the host launches late", .when = "idle_s"),
    NNC_LINE("kernels"),
    NNC_ITEM("compute {compute_s}"),
    NNC_ITEM("communication {communication_s}, {exposed_s} of this while no kernel computes",
             .when = "communication_s"),
    NNC_ITEM("copies {copy_s}", .when = "copy_s"),
    NNC_LINE("linked"),
    NNC_ITEM("{linked_share:percent} of kernel time to operators with shapes"),
    NNC_ITEM("the trace has no launch for {unlaunched_share:percent} of kernel time", .when = "unlaunched_share"),
    NNC_ITEM("record_shapes=True of the profiler records shapes", .when = "linked_share = 0"),
    NNC_LINE("machine", .when = "device"),
    NNC_ITEM("matrix products take {product_factor:count} times the predicted time", .when = "product_factor"),
    NNC_ITEM("other operators {memory_factor:count} times", .when = "product_factor, memory_factor"),
    NNC_ITEM("operators that are no products take {memory_factor:count} times the predicted time",
             .when = "!product_factor, memory_factor"),
    NNC_ITEM("too few operators with shapes to compare with the prediction", .when = "!product_factor, !memory_factor"),
    NNC_LINE("saving", .when = "device"),
    NNC_BOLD("{save_s}"),
};
static const nnc_page_rows page = NNC_PAGE_ROWS(&document, page_rows);

/* Writes a line for each slow operator, at most --top lines (10 by default): the time that can be saved, the operator,
 * and the reason why the operator is slow. */
static void write_findings(nnc_buffer *out, nnc_style style, const answer *a) {
    const int64_t most = a->shown > 0 ? a->shown : 10;
    if (a->sum.finding_count > 0) { nnc_sheet_heading(out, style, "findings, largest saving first"); }
    for (int64_t i = 0; i < a->sum.finding_count && i < most; i++) {
        const nnc_trace_row *r = &a->sum.findings[i];
        char saved[NNC_NUMBER_TEXT], why[NNC_METRIC_TEXT_MAX];
        const size_t length = strlen(r->dims);
        (void)reason(r, why);
        nnc_sheet_line(out, style, "%9s  %.60s %.*s%s, %lld call%s: %s", nnc_unit_text(r->save_s, "s", saved), r->op,
                       length < 80 ? 80 : 76, r->dims, length > 80 ? "..." : "", (long long)r->calls,
                       r->calls == 1 ? "" : "s", why);
    }
}

static void write_ops(nnc_buffer *out, nnc_style style, const answer *a) {
    const int64_t most = a->shown > 0 ? a->shown : 12;
    nnc_table table = { .count = 0 };
    nnc_sheet_heading(out, style, "operators, most time first");
    nnc_table_heads(&table, &row_metrics);
    if (a->device == NULL) {
        static const char *const priced[] = { "expected", "bound", "times", "save" };
        for (int i = 0; i < 4; i++) { nnc_table_rename(&table, priced[i], NULL); }
    }
    for (int64_t i = 0; i < a->sum.row_count && i < most; i++) {
        const nnc_place place = { .record = &a->sum.rows[i] };
        nnc_table_record(&table, &row_metrics, &place);
    }
    nnc_table_write(&table, out, style);
    if (a->sum.row_count > most) {
        nnc_sheet_line(out, style, "... and %lld more; --top N shows N, --format json all",
                       (long long)(a->sum.row_count - most));
    }
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record) {
    const answer *a = record;
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    nnc_sheet_rows(&sheet, &page, record);
    (void)nnc_table_under(out, style, (nnc_lines){ &part_metrics, a, a->parts, a->part_count }, "against the estimate");
    write_findings(out, style, a);
    write_ops(out, style, a);
}

static nnc_lines lines_of(const void *record) {
    const answer *a = record;
    return (nnc_lines){ &row_metrics, a, a->sum.rows, (int32_t)a->sum.row_count };
}

const nnc_view nnc_trace_view = {
    .schema = "nncost.trace/1", .document = &document, .lines = lines_of, .page = NNC_NO_PAGE_IN_BROWSER(write_page)
};

/* ---- nncost trace with two traces: lists the changes between the two traces ---- */

typedef struct change {
    const char *op, *dims;
    double before_s, after_s, change_s;
    int64_t before_calls, after_calls;
} change;

typedef struct comparison {
    answer before, after;
    change *changes; /* changes in the time of operators between two traces, the largest first */
    int32_t count;
    int64_t shown;
} comparison;

#define CHANGE(member) NNC_IN(change, member)
static const nnc_metric change_rows[] = {
    NNC_AS("op", TEXT, CHANGE(op), .head = "op", .shrinks = true,
           .help = "Operator, or the kernel if its operator is not known."),
    NNC_AS("dims", TEXT, CHANGE(dims), .head = "dims", .shrinks = true, .help = "Shapes of the operator's inputs."),
    NNC_AS("before_calls", WHOLE, CHANGE(before_calls), .head = "calls",
           .help = "Number of calls of the operator in the first trace."),
    NNC_AS("after_calls", WHOLE, CHANGE(after_calls), .head = "now",
           .help = "Number of calls of the operator in the second trace."),
    NNC_AS("before_s", NUMBER, CHANGE(before_s), .unit = "s", .head = "before",
           .help = "Time of the operator's kernels in the first trace."),
    NNC_AS("after_s", NUMBER, CHANGE(after_s), .unit = "s", .head = "after",
           .help = "Time of the operator's kernels in the second trace."),
    NNC_AS("change_s", NUMBER, CHANGE(change_s), .unit = "s", .head = "change", .help = "after_s minus before_s."),
};
static const nnc_metrics change_metrics = NNC_METRICS("a change", change_rows, change);

static const nnc_metric comparison_rows[] = {
    NNC_AS("before", OBJECT, NNC_IN(comparison, before), .rows = &document),
    NNC_AS("after", OBJECT, NNC_IN(comparison, after), .rows = &document),
    NNC_AS("changes", LIST, NNC_IN(comparison, changes), NNC_COUNT(comparison, count), .rows = &change_metrics,
           .help = "Operators of both traces, largest change first."),
};
static const nnc_metrics comparison_metrics = NNC_METRICS("two traces", comparison_rows, comparison);

static nnc_lines changes_of(const void *record) {
    const comparison *c = record;
    return (nnc_lines){ &change_metrics, c, c->changes, c->count };
}

static void write_comparison(nnc_buffer *out, nnc_style style, const void *record) {
    const comparison *c = record;
    char before[NNC_NUMBER_TEXT], after[NNC_NUMBER_TEXT];
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    nnc_sheet_label(&sheet, "time");
    nnc_sheet_item(&sheet, NNC_INK_STRONG, "%s -> %s", nnc_unit_text(c->before.sum.span_s, "s", before),
                   nnc_unit_text(c->after.sum.span_s, "s", after));
    nnc_sheet_end(&sheet);
    nnc_sheet_label(&sheet, "kernels");
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%s -> %s", nnc_unit_text(c->before.sum.kernel_s, "s", before),
                   nnc_unit_text(c->after.sum.kernel_s, "s", after));
    nnc_sheet_end(&sheet);
    nnc_lines lines = changes_of(record);
    const int64_t most = c->shown > 0 ? c->shown : 20;
    lines.count = lines.count > most ? (int32_t)most : lines.count;
    (void)nnc_table_under(out, style, lines, "changes");
}

static const nnc_view comparison_view = {
    .schema = "nncost.trace-changes/1", .document = &comparison_metrics, .lines = changes_of, .page = write_comparison
};

static int by_name(const void *a, const void *b) {
    const change *x = a, *y = b;
    const int op = strcmp(x->op, y->op);
    return op != 0 ? op : strcmp(x->dims != NULL ? x->dims : "", y->dims != NULL ? y->dims : "");
}

static int largest_first(const void *a, const void *b) {
    const change *x = a, *y = b;
    const double p = fabs(x->change_s), q = fabs(y->change_s);
    return (p < q) - (p > q);
}

static nnc_status compare(comparison *c, nnc_arena *arena, nnc_error *err) {
    const answer *sides[] = { &c->before, &c->after };
    const size_t most = (size_t)(c->before.sum.row_count + c->after.sum.row_count);
    change *all = nnc_arena_array(arena, most + 1, sizeof *all);
    size_t count = 0, joined = 0;
    NNC_GOT(all, err);
    for (int s = 0; s < 2; s++) {
        for (int64_t i = 0; i < sides[s]->sum.row_count; i++) {
            const nnc_trace_row *r = &sides[s]->sum.rows[i];
            all[count] = (change){ .op = r->op, .dims = r->dims };
            *(s == 0 ? &all[count].before_s : &all[count].after_s) = r->measured_s;
            *(s == 0 ? &all[count].before_calls : &all[count].after_calls) = r->calls;
            count++;
        }
    }
    qsort(all, count, sizeof *all, by_name);
    for (size_t i = 0; i < count; i++) {
        if (joined > 0 && by_name(&all[joined - 1], &all[i]) == 0) {
            all[joined - 1].before_s += all[i].before_s;
            all[joined - 1].after_s += all[i].after_s;
            all[joined - 1].before_calls += all[i].before_calls;
            all[joined - 1].after_calls += all[i].after_calls;
        } else {
            all[joined++] = all[i];
        }
    }
    for (size_t i = 0; i < joined; i++) { all[i].change_s = all[i].after_s - all[i].before_s; }
    qsort(all, joined, sizeof *all, largest_first);
    c->changes = all;
    c->count = (int32_t)joined;
    return NNC_OK;
}

/* ---- nncost trace with several traces, one for each rank of a run ---- */

typedef struct run_of_ranks {
    nnc_trace_rank *ranks;
    int32_t count;
    int64_t slowest;
    int32_t compared; /* number of ranks that have at least one collective that could be matched with other ranks */
    /* means over ranks, in seconds. waits_s: mean time in which a rank waits in collectives, over the ranks that
     * `compared` counts; NaN if `compared` is 0. span_s: mean time span of a trace, over all ranks */
    double waits_s, span_s;
} run_of_ranks;

#define RANK(member) NNC_IN(nnc_trace_rank, member)
static const nnc_metric rank_rows[] = {
    NNC_AS("rank", WHOLE, RANK(rank), .head = "rank", .help = "Number of the rank."),
    NNC_AS("file", TEXT, RANK(file), .head = "file", .shrinks = true, .help = "File of the trace of this rank."),
    NNC_AS("span_s", NUMBER, RANK(span_s), .unit = "s", .head = "time",
           .help = "Time from the first kernel of the rank to the end of its last kernel."),
    NNC_AS("compute_s", NUMBER, RANK(compute_s), .unit = "s", .head = "compute",
           .help = "Sum of the times of compute kernels."),
    NNC_AS("communication_s", NUMBER, RANK(communication_s), .unit = "s", .head = "communication",
           .help = "Sum of the times of the kernels of collectives, including waiting."),
    NNC_AS("waits_s", NUMBER, RANK(waits_s), .unit = "s", .head = "waits",
           .help = "Time that the rank waits in collectives for ranks that enter later; null if no collective was "
                   "compared."),
    NNC_AS("compared", WHOLE, RANK(compared), .help = "Collectives of the rank that were compared with other ranks."),
    NNC_AS("idle_s", NUMBER, RANK(idle_s), .unit = "s", .head = "idle",
           .help = "Time in which no kernel of the rank runs."),
};
static const nnc_metrics rank_metrics = NNC_METRICS("a rank", rank_rows, nnc_trace_rank);

static const nnc_metric ranks_rows[] = {
    NNC_AS("slowest", WHOLE, NNC_IN(run_of_ranks, slowest),
           .help = "Rank that waits least for other ranks; -1 = no rank waits."),
    NNC_AS("waits_s", NUMBER, NNC_IN(run_of_ranks, waits_s), .unit = "s",
           .help = "Mean time that a rank waits in collectives; null if no collective was compared."),
    NNC_AS("span_s", NUMBER, NNC_IN(run_of_ranks, span_s), .unit = "s", .help = "Mean of span_s over the ranks."),
    NNC_AS("ranks", LIST, NNC_IN(run_of_ranks, ranks), NNC_COUNT(run_of_ranks, count), .rows = &rank_metrics,
           .help = "The ranks, in the order of the files."),
};
static const nnc_metrics ranks_metrics = NNC_METRICS("the ranks of a run", ranks_rows, run_of_ranks);

static nnc_lines ranks_of(const void *record) {
    const run_of_ranks *r = record;
    return (nnc_lines){ &rank_metrics, r, r->ranks, r->count };
}

static void write_ranks(nnc_buffer *out, nnc_style style, const void *record) {
    const run_of_ranks *r = record;
    char waits[NNC_NUMBER_TEXT], span[NNC_NUMBER_TEXT];
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    nnc_sheet_label(&sheet, "ranks");
    if (r->slowest >= 0) {
        nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%d, rank %lld is the slowest", (int)r->count, (long long)r->slowest);
    } else {
        nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%d, no collective %s", (int)r->count,
                       isnan(r->waits_s) ? "can be compared between ranks" : "takes the ranks different times");
    }
    nnc_sheet_end(&sheet);
    if (isnan(r->waits_s)) {
        (void)nnc_table_under(out, style, ranks_of(record), "ranks");
        return;
    }
    nnc_sheet_label(&sheet, "waits");
    nnc_sheet_item(&sheet, NNC_INK_STRONG, "%s of %s (%.1f %%): mean time that a rank waits in collectives",
                   nnc_unit_text(r->waits_s, "s", waits), nnc_unit_text(r->span_s, "s", span),
                   100.0 * r->waits_s / r->span_s);
    nnc_sheet_end(&sheet);
    (void)nnc_table_under(out, style, ranks_of(record), "ranks");
}

static const nnc_view ranks_view = {
    .schema = "nncost.trace-ranks/1", .document = &ranks_metrics, .lines = ranks_of, .page = write_ranks
};

static nnc_status read_rank(const char *path, int32_t place, nnc_trace_rank *rank, nnc_buffer *collectives,
                            nnc_error *err) {
    nnc_trace *trace = NULL;
    nnc_trace_sum sum;
    NNC_TRY(nnc_trace_read(path, &trace, err));
    nnc_status status = nnc_trace_sum_up(trace, path, NULL, &sum, err);
    if (status == NNC_OK) {
        *rank = (nnc_trace_rank){ .file = path,
                                  .rank = trace->rank >= 0 ? trace->rank : place,
                                  .span_s = sum.span_s,
                                  .compute_s = sum.compute_s,
                                  .communication_s = sum.communication_s,
                                  .idle_s = sum.idle_s };
        status = nnc_trace_collectives(trace, place, collectives) ? NNC_OK : nnc_no_memory(err);
    }
    nnc_trace_free(trace);
    return status;
}

static nnc_status run_ranks(nnc_session *session, int32_t count, nnc_error *err) {
    run_of_ranks run = { .ranks = calloc((size_t)count, sizeof *run.ranks), .count = count };
    nnc_buffer collectives = { 0 };
    nnc_status status = NNC_OK;
    if (run.ranks == NULL) { return nnc_no_memory(err); }
    for (int32_t i = 0; i < count && status == NNC_OK; i++) {
        status = read_rank(session->options.operands[i], i, &run.ranks[i], &collectives, err);
    }
    if (status == NNC_OK) {
        nnc_trace_wait((nnc_trace_collective *)(void *)collectives.bytes,
                       (int64_t)(collectives.size / sizeof(nnc_trace_collective)), run.ranks);
        int32_t slowest = 0;
        for (int32_t i = 0; i < count; i++) {
            nnc_trace_rank *rank = &run.ranks[i];
            rank->waits_s = rank->compared > 0 ? rank->waits_s : (double)NAN;
            slowest = !(rank->waits_s >= run.ranks[slowest].waits_s) && rank->compared > 0 ? i : slowest;
            run.compared += rank->compared > 0;
            run.waits_s += rank->compared > 0 ? rank->waits_s : 0.0;
            run.span_s += rank->span_s / count;
        }
        run.waits_s = run.compared > 0 ? run.waits_s / run.compared : (double)NAN;
        run.slowest = run.waits_s > 0.0 ? run.ranks[slowest].rank : -1;
        nnc_view_write(session->out, session->style, &ranks_view, &run);
    }
    nnc_buffer_free(&collectives);
    free(run.ranks);
    return status;
}

static nnc_status read_answer(nnc_session *session, const char *path, const char *id, answer *a, nnc_trace **trace,
                              nnc_error *err) {
    const nnc_device *device = NULL;
    if (id != NULL) { NNC_TRY(nnc_device_load(session->specs, id, &device, err)); }
    NNC_TRY(nnc_trace_read(path, trace, err));
    if (id == NULL && (*trace)->device != NULL &&
        nnc_device_load(session->specs, (*trace)->device, &device, NULL) != NNC_OK) {
        device = NULL; /* nncost has no file of this device, so it cannot predict times of operators */
    }
    *a = (answer){ .file = path, .shown = session->options.view.top };
    NNC_TRY(nnc_trace_sum_up(*trace, path, device, &a->sum, err));
    a->recorded_device = (*trace)->device;
    a->device = device != NULL ? device->id : NULL;
    a->kernels = (*trace)->kernel_count;
    a->steps = (*trace)->steps;
    return NNC_OK;
}

/* Returns true if the path of the output file ends in .svg or .png, so that a picture is written. path NULL = standard
 * output. */
static bool is_picture(const char *output) {
    return output != NULL && (nnc_ends_in(output, ".svg") || nnc_ends_in(output, ".png"));
}

/* Draws a picture of the operators that take the most time in a trace. */
static nnc_status draw(nnc_session *session, const answer *a, nnc_error *err) {
    enum { OPS_MAX = 40, NAMES_PX = 180 };
    static const char *const hues[] = { "compute", "network", "memory" };
    nnc_plot_op ops[OPS_MAX];
    char names[OPS_MAX][200], sentence[256], result[96], span[NNC_NUMBER_TEXT], save[NNC_NUMBER_TEXT];
    const int64_t most = a->shown > 0 && a->shown < OPS_MAX ? a->shown : 20;
    nnc_plot_ops shown = { .sentence = sentence, .result = result, .ops = ops };
    for (int64_t i = 0; i < a->sum.row_count; i++) {
        const nnc_trace_row *r = &a->sum.rows[i];
        if (i >= most) {
            shown.rest_s += r->measured_s;
            continue;
        }
        snprintf(names[i], sizeof names[i], "%.80s%s%.100s", r->op, r->dims != NULL ? " " : "",
                 r->dims != NULL ? r->dims : "");
        ops[i] = (nnc_plot_op){ names[i],
                                hues[r->class],
                                r->measured_s,
                                a->device != NULL ? r->expected_s : NAN,
                                a->device != NULL ? r->price.bound_s : NAN,
                                r->share };
        shown.hues[r->class] = hues[r->class];
        shown.labels[r->class] = class_name(r->class);
        shown.count++;
    }
    snprintf(sentence, sizeof sentence, "%lld kernels%s%.60s, share of kernel time by operator", (long long)a->kernels,
             a->device != NULL            ? ", priced for "
             : a->recorded_device != NULL ? " on "
                                          : "",
             a->device != NULL            ? a->device
             : a->recorded_device != NULL ? a->recorded_device
                                          : "");
    snprintf(result, sizeof result, a->device != NULL ? "%s, possible saving %s" : "%s",
             nnc_unit_text(a->sum.span_s, "s", span), nnc_unit_text(a->sum.save_s, "s", save));
    nnc_plot_draw(session->out, &nnc_plot_measured, &(nnc_plot_data){ .ops = &shown },
                  &(nnc_plot_how){ .width = NNC_PLOT_WIDTH + NAMES_PX });
    return nnc_ends_in(session->options.output, ".png") ? nnc_make_png(session->out, err) : NNC_OK;
}

/* Compares each part of a traced step with the same part of the estimated step. The idle time of the estimated step is
 * the sum of bubbles and host time. */
static nnc_status add_parts(nnc_session *session, void *context, nnc_scenario *scenario, nnc_scratch *scratch,
                            nnc_error *err) {
    answer *a = context;
    const nnc_result *r = &scenario->result;
    const double steps = (double)a->steps, idle_s = r->host_s + r->bubble_s;
    (void)scratch;
    if (a->steps < 1) {
        return nnc_fail(
            err, NNC_BAD_SPEC, a->file,
            "has no marked steps, expected annotations ProfilerStep#N: call step() of the profiler after each step");
    }
    const part parts[PARTS] = {
        { "step", a->sum.span_s / steps, r->step_s },
        { "compute", (a->sum.busy_s - a->sum.exposed_s) / steps, r->step_s - r->exposed_comm_s - idle_s },
        { "exposed communication", a->sum.exposed_s / steps, r->exposed_comm_s },
        { "idle", a->sum.idle_s / steps, idle_s },
    };
    a->parts = parts;
    a->part_count = PARTS;
    nnc_view_write(session->out, session->style, &nnc_trace_view, a);
    a->parts = NULL;
    a->part_count = 0;
    return NNC_OK;
}

static nnc_status run_one(nnc_session *session, const char *device, const char *model, nnc_error *err) {
    nnc_trace *trace = NULL;
    answer a;
    nnc_status status = read_answer(session, session->options.operands[0], device, &a, &trace, err);
    if (status == NNC_OK && model != NULL) {
        a.model = model;
        status = nnc_scenario_report(session, model, device, add_parts, &a, err);
    } else if (status == NNC_OK && is_picture(session->options.output)) {
        status = draw(session, &a, err);
    } else if (status == NNC_OK) {
        nnc_view_write(session->out, session->style, &nnc_trace_view, &a);
    }
    nnc_trace_free(trace);
    return status;
}

static nnc_status run_two(nnc_session *session, const char *device, nnc_error *err) {
    char **operands = session->options.operands;
    nnc_trace *before = NULL, *after = NULL;
    comparison c = { .shown = session->options.view.top };
    nnc_status status = read_answer(session, operands[0], device, &c.before, &before, err);
    if (status == NNC_OK) { status = read_answer(session, operands[1], device, &c.after, &after, err); }
    const bool ranks = status == NNC_OK && device == NULL && before->rank >= 0 && after->rank >= 0 &&
                       before->rank != after->rank && before->world_size == after->world_size;
    if (status == NNC_OK && !ranks && (status = compare(&c, before->arena, err)) == NNC_OK) {
        nnc_view_write(session->out, session->style, &comparison_view, &c);
    }
    nnc_trace_free(before);
    nnc_trace_free(after);
    return ranks ? run_ranks(session, 2, err) : status;
}

static nnc_status run_trace(nnc_session *session, nnc_error *err) {
    char **operands = session->options.operands;
    const int32_t count = (int32_t)session->options.operand_count;
    int32_t traces = 1;
    while (traces < count && nnc_trace_is(operands[traces])) { traces++; }
    const char *device = traces < count ? operands[traces] : NULL;
    const char *model = traces + 1 < count ? operands[traces + 1] : NULL;
    if (traces + 2 < count || (model != NULL && traces > 1) || (device != NULL && traces > 2)) {
        return nnc_fail(err, NNC_BAD_USAGE, operands[count - 1],
                        "one operand too many, expected FILE [DEVICE [MODEL]], FILE FILE [DEVICE] "
                        "or the traces of several ranks");
    }
    return traces == 1   ? run_one(session, device, model, err)
           : traces == 2 ? run_two(session, device, err)
                         : run_ranks(session, traces, err);
}

const nnc_command nnc_cmd_trace = {
    .name = "trace",
    .operands = "FILE.json[.gz] [DEVICE [MODEL]] | FILE FILE [DEVICE] | FILE...",
    .summary = "A PyTorch trace: the measured time of each operator, and the time expected on the device.",
    .notes =
        "FILE is a trace of PyTorch's profiler (export_chrome_trace), compressed or not. If the trace was recorded "
        "with record_shapes=True, nncost also predicts the times of its operators. A kernel is assigned to the "
        "operator that launched it. DEVICE is the device that ran the program; without DEVICE, it is the device "
        "that the trace names. The expected time is the predicted time x the median ratio measured / predicted of "
        "this machine, so a machine on which all operators are slower causes no findings. With MODEL and options of "
        "the plan, the command compares a step of the trace with the estimate of the step. With two files, the "
        "command prints the changes between the two traces. With the files of several ranks of one run, the command "
        "prints the slowest rank and the time that other ranks wait for this rank. '-o NAME.svg' or '-o NAME.png' "
        "draws the operators of one trace.",
    .min_operands = 1,
    .max_operands = 10000,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_OPS | NNC_TAKES_PLAN | NNC_TAKES_SCENARIO,
    .run = NNC_NOT_ON_PAGE(run_trace),
};

/* ---- nncost trace log ---- */

/* The interval of the estimated step time has two ends, and `watch` has an alarm limit for each end: the distance
 * between the alarm limit and the estimated step time is alarm_reach times the distance between this end and the
 * estimated step time. Distances are differences of logarithms. Of 2,957 published steps, 3.2 % lie outside the alarm
 * limits (tests/false_alarms.py). */
static const double alarm_reach = 1.5;

typedef struct watched {
    const char *log_path, *program, *verdict;
    int64_t lines, readings, skipped;
    double step_s, predicted_s, interval_s[2], alarm_s[2], ratio;
    double memory_bytes, memory_most_bytes, mfu, predicted_mfu;
} watched;

#define WATCHED(member) NNC_IN(watched, member)
static const nnc_metric watch_rows[] = {
    NNC_AS("log", TEXT, WATCHED(log_path), .help = "File that was read."),
    NNC_AS("program", TEXT, WATCHED(program), .help = "Program that wrote the log."),
    NNC_AS("verdict", TEXT, WATCHED(verdict),
           .help = "inside: the step time is within alarm_s. slower, faster: the step time is outside of alarm_s. "
                   "more_memory: the memory is above memory_most_bytes."),
    NNC_AS("lines", WHOLE, WATCHED(lines), .help = "Number of lines of the log."),
    NNC_AS("readings", WHOLE, WATCHED(readings), .help = "Number of lines with a step time."),
    NNC_AS("skipped", WHOLE, WATCHED(skipped),
           .help = "Number of lines with a step time that belong to the warm-up, whose step times are ignored."),
    NNC_AS("step_s", NUMBER, WATCHED(step_s), .unit = "s",
           .help = "Measured step time: median of the latest 100 readings."),
    NNC_AS("predicted_s", NUMBER, WATCHED(predicted_s), .unit = "s", .help = "Estimated step time of the plan."),
    NNC_AS("interval_s", NUMBER, WATCHED(interval_s), .each_count = 2, .unit = "s",
           .help = "Interval of the step time in the estimate."),
    NNC_AS("alarm_s", NUMBER, WATCHED(alarm_s), .each_count = 2, .unit = "s",
           .help = "Limits of the step time; a measured step time outside of these limits is an alarm."),
    NNC_AS("ratio", NUMBER, WATCHED(ratio), .help = "step_s divided by predicted_s."),
    NNC_AS("memory_bytes", NUMBER, WATCHED(memory_bytes), .unit = "B",
           .help = "Largest value in the log of reserved or allocated memory of the allocator."),
    NNC_AS("memory_most_bytes", NUMBER, WATCHED(memory_most_bytes), .unit = "B",
           .help = "Upper end of total_interval_bytes of the plan."),
    NNC_AS("mfu", NUMBER, WATCHED(mfu),
           .help = "MFU that the last line of the log states, with FLOPs as the training program counts them."),
    NNC_AS("predicted_mfu", NUMBER, WATCHED(predicted_mfu), .help = "MFU of the estimate."),
};
static const nnc_metrics watch_document = NNC_METRICS("a watched log", watch_rows, watched);

static const nnc_page_row watch_page_rows[] = {
    NNC_LINE("watch"),
    NNC_BOLD("{verdict}"),
    NNC_ITEM("{log}, a log of {program}"),
    NNC_ITEM("1 reading, {skipped:count} of them warm-up", .when = "readings = 1"),
    NNC_ITEM("{readings:count} readings, {skipped:count} of them warm-up", .when = "readings > 1"),
    NNC_LINE("step"),
    NNC_BOLD("{step_s}"),
    NNC_ITEM("{ratio:percent} of the estimate of {predicted_s}"),
    NNC_LINE("memory", .when = "memory_bytes"),
    NNC_BOLD("{memory_bytes}"),
    NNC_ITEM("expected at most {memory_most_bytes}"),
    NNC_LINE("MFU", .when = "mfu"),
    NNC_BOLD("{mfu:percent}"),
    NNC_ITEM("as the program counts FLOPs; estimate {predicted_mfu:percent}"),
};
static const nnc_page_rows watch_page = NNC_PAGE_ROWS(&watch_document, watch_page_rows);

static void write_watch(nnc_buffer *out, nnc_style style, const void *record) {
    const watched *a = record;
    char low[NNC_NUMBER_TEXT], high[NNC_NUMBER_TEXT];
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    nnc_sheet_rows(&sheet, &watch_page, record);
    nnc_sheet_label(&sheet, "limits");
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%s to %s", nnc_unit_text(a->alarm_s[0], "s", low),
                   nnc_unit_text(a->alarm_s[1], "s", high));
    nnc_sheet_end(&sheet);
}

const nnc_view nnc_watch_view = { .schema = "nncost.watch/1", .document = &watch_document, .page = write_watch };

/* State while `watch` reads a log. When the step time in the log leaves the alarm limits, or is within them again,
 * `watch` writes a line to standard error. */
typedef struct following {
    double alarm_s[2];
    bool outside;
} following;

static bool is_outside(const double alarm_s[2], double step_s) { return step_s < alarm_s[0] || step_s > alarm_s[1]; }

static void follow(void *context, const nnc_log *log) {
    following *f = context;
    const double step_s = nnc_log_step_s(log);
    if (is_outside(f->alarm_s, step_s) != f->outside) {
        char text[NNC_NUMBER_TEXT];
        f->outside = !f->outside;
        fprintf(stderr, "line %lld: a step takes %s, %s its limits\n", (long long)log->lines,
                nnc_unit_text(step_s, "s", text), f->outside ? "outside of" : "again within");
        fflush(stderr);
    }
}

static nnc_status watch(nnc_session *session, void *context, nnc_scenario *scenario, nnc_scratch *scratch,
                        nnc_error *err) {
    const char *path = context;
    const nnc_result *r = &scenario->result;
    const bool standard = strcmp(path, "-") == 0;
    nnc_log log = nnc_log_begin();
    following job = { .outside = false };
    (void)scratch;
    if (isnan(r->interval_s[0])) {
        return nnc_fail(err, NNC_BAD_SPEC, scenario->device.id,
                        "the device has no fitted efficiencies, so the estimate has no interval");
    }
    for (int i = 0; i < 2; i++) { job.alarm_s[i] = r->step_s * pow(r->interval_s[i] / r->step_s, alarm_reach); }
    NNC_TRY(nnc_log_read(path, r, &log, standard ? follow : NULL, &job, err));
    const double step_s = nnc_log_step_s(&log);
    if (isnan(step_s)) {
        return log.readings == 0 ? nnc_fail(err, NNC_BAD_SPEC, path,
                                            "expected lines of a program in the table of docs/measure.md, such as "
                                            "Megatron or HF Trainer, with the time of a step, found none in %lld "
                                            "lines",
                                            (long long)log.lines)
                                 : nnc_fail(err, NNC_BAD_SPEC, path,
                                            "expected steps after the first %d, found only %lld lines of the warm-up",
                                            NNC_LOG_WARM_UP, (long long)log.readings);
    }
    watched a = { .log_path = standard ? "standard input" : path,
                  .program = log.program,
                  .lines = log.lines,
                  .readings = log.readings,
                  .skipped = log.skipped,
                  .step_s = step_s,
                  .predicted_s = r->step_s,
                  .interval_s = { r->interval_s[0], r->interval_s[1] },
                  .alarm_s = { job.alarm_s[0], job.alarm_s[1] },
                  .ratio = step_s / r->step_s,
                  .memory_bytes = fmax(log.reserved_bytes, log.allocated_bytes),
                  .memory_most_bytes = (double)r->memory.total_interval_bytes[1],
                  .mfu = log.mfu,
                  .predicted_mfu = r->mfu };
    a.verdict = step_s > a.alarm_s[1]                  ? "slower"
                : step_s < a.alarm_s[0]                ? "faster"
                : a.memory_bytes > a.memory_most_bytes ? "more_memory"
                                                       : "inside";
    session->exit_code = strcmp(a.verdict, "inside") == 0 ? 0 : 1;
    nnc_view_write(session->out, session->style, &nnc_watch_view, &a);
    return NNC_OK;
}

static nnc_status run_watch(nnc_session *session, nnc_error *err) {
    char **operands = session->options.operands;
    return nnc_scenario_report(session, operands[1], operands[2], watch, operands[0], err);
}

const nnc_command nnc_cmd_watch = {
    .name = "watch",
    .part_of = "trace log",
    .operands = "LOG MODEL DEVICE | LOG PLANS.json [DEVICE]",
    .summary = "The log of a run, compared with its estimate: step time, memory, MFU.",
    .notes =
        "The command reads logs of Megatron, NeMo, torchtitan, HF Trainer, Axolotl, DeepSpeed, MaxText, nanotron, "
        "torchtune, Composer, nanoGPT and llm.c. LOG '-' is standard input: the command follows a running job and "
        "prints a line on standard error when a step is outside of the limits. The first line of the log and the "
        "first 5 steps are warm-up: the command ignores their times. The step time is the median of the latest 100 "
        "lines. The limits are wider than the interval of the estimate: ln(limit / estimate) is 1.5 times ln(end of "
        "the interval / estimate). The command exits with 1 if the step time is outside of the limits, or if the "
        "memory is above the upper end of its interval.",
    .min_operands = 2,
    .max_operands = 3,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_SCENARIO,
    .run = NNC_NOT_ON_PAGE(run_watch),
};
