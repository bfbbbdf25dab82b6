/* nncost estimate: estimates one training step on a device, and writes the page of the estimate.
 *
 * Without the option --full, the page is only the first screen: at most 20 lines of 80 columns with the verdict, time,
 * memory, rate, cost, and the changes of the plan that help most. The option --full writes the whole page, whose lines
 * begin with labels.
 *
 * The lines "model", "device" and "plan" have the inputs, with all defaults filled in. The lines "step", "bound by",
 * "parts" and "rate" have the step time, its bound, its parts, and the throughput. The lines "memory" and "total" have
 * the memory by class, and changes that would make the plan fit. The line "cost" has the cost of a step. The run, the
 * stages, the timeline and the sensitivity follow if options ask for them.
 *
 * Most lines of the page are rows of the table page_rows. Functions write the tables of the page, and the sentences
 * whose words depend on several conditions. */
#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "cost/cost_internal.h"
#include "graph/graph_internal.h"

/* Writes the two open facts (properties of the software that nncost does not know) that can change the step time most.
 * If the report has no open facts, the function writes nothing. */
static void write_open_facts(nnc_sheet *sheet, const void *record) {
    const nnc_report *report = record;
    if (report->open_fact_count == 0) { return; }
    nnc_sheet_label(sheet, "");
    for (int32_t i = 0; i < report->open_fact_count && i < 2; i++) {
        const nnc_open_fact *fact = &report->open_facts[i];
        char name[NNC_OPTION_NAME];
        nnc_sheet_words(sheet, "%s%s %+.0f to %+.0f%%%s", i == 0 ? "open: " : "",
                        strchr(fact->name, '.') ? "--set " NNC_LINK_SHARE : nnc_option_name(fact->name, name),
                        100.0 * fact->low + 0.0, 100.0 * fact->high, report->open_fact_count > 1 && i == 0 ? "," : "");
    }
    nnc_sheet_words(sheet, "of the step");
    nnc_sheet_end(sheet);
}

/* Returns the remark that the table of memory shows for a class of memory; "" = no remark. */
static const char *class_note(const nnc_memory *memory, const char *name) {
    static const char *const notes[][2] = {
        { "optimizer_bytes", "states and master weights" },
        { "activation_bytes", "kept for backward" },
        { "apart_bytes", "gradients grow while activations are freed" },
        { "reserve_bytes", "set aside" },
    };
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        if (strcmp(notes[i][0], name) == 0) { return notes[i][1]; }
    }
    return strcmp(name, "transient_bytes") == 0 && memory->transient_what != NULL ? memory->transient_what : "";
}

/* Writes the table of memory by class; the classes are the metrics that add up to the memory total. */
static void write_memory(nnc_sheet *sheet, const void *record) {
    const nnc_memory *memory = &((const nnc_report *)record)->result->memory;
    static const nnc_head heads[] = {
        { .text = "memory", .left = true },
        { .text = "size" },
        { .text = "of device" },
        { .text = "", .left = true, .shrinks = true, .drop = 1 },
    };
    nnc_metric_part classes[NNC_METRIC_PARTS_MAX];
    const int count = nnc_metric_parts(&nnc_memory_metrics, memory, -(double)INFINITY, classes);
    nnc_table table;
    nnc_table_begin(&table, heads, sizeof heads / sizeof heads[0]);
    for (int i = 0; i < count; i++) {
        nnc_table_cell(&table, classes[i].row->head);
        nnc_table_number(&table, classes[i].value, "B");
        nnc_table_share(&table, classes[i].value / (double)memory->capacity_bytes);
        nnc_table_cell(&table, class_note(memory, classes[i].row->name));
    }
    nnc_table_write(&table, sheet->out, sheet->style);
}

/* Writes the lower end of the memory interval, and the settings with which the memory of the plan is at this lower end.
 * If the report names no settings that reach the lower end, writes that measured peaks may be as low as the lower
 * end. */
static void write_least(nnc_sheet *sheet, const nnc_report *report) {
    char least[NNC_NUMBER_TEXT];
    nnc_unit_text((double)report->result->memory.total_interval_bytes[0], "B", least);
    if (report->least_options[0] != '\0') {
        nnc_sheet_item(sheet, NNC_INK_BAD, "at least %s with %s", least, report->least_options);
    } else {
        nnc_sheet_item(sheet, NNC_INK_BAD, "measured peaks may be as low as %s", least);
    }
}

void nnc_fit_write(nnc_sheet *sheet, const char *label, const nnc_report *report) {
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT], c[NNC_NUMBER_TEXT];
    const nnc_memory *memory = &report->result->memory;
    const double total = (double)memory->total_bytes, capacity = (double)memory->capacity_bytes;
    const nnc_verdict verdict = report->result->verdict;

    nnc_sheet_label(sheet, label);
    if (report->result->plan.pipeline > 1) {
        nnc_sheet_words(sheet, "on the fullest stage %" PRId32 ":", report->result->memory_stage);
        nnc_sheet_phrase(sheet, NNC_INK_STRONG, "%s (%s)", nnc_unit_text(total, "B", a), nnc_binary_text(total, b));
    } else {
        nnc_sheet_item(sheet, NNC_INK_STRONG, "%s (%s)", nnc_unit_text(total, "B", a), nnc_binary_text(total, b));
    }
    nnc_sheet_words(sheet, "of %s (%s), %s:", nnc_unit_text(capacity, "B", a), nnc_binary_text(capacity, b),
                    nnc_percent_text(total / capacity, c));
    nnc_unit_text(fabs((double)memory->headroom_bytes), "B", a);
    if (nnc_report_may_fit(report)) {
        nnc_sheet_phrase(sheet, NNC_INK_BAD, "over by %s", a);
        write_least(sheet, report);
    } else if (verdict == NNC_TIGHT) {
        nnc_sheet_phrase(sheet, NNC_INK_BAD, "tight: %s free, the peak may reach %s", a,
                         nnc_unit_text((double)memory->total_interval_bytes[1], "B", b));
    } else if (verdict == NNC_FITS) {
        nnc_sheet_phrase(sheet, NNC_INK_GOOD, "fits, %s free", a);
    } else {
        nnc_sheet_phrase(sheet, NNC_INK_BAD, "DOES NOT FIT by %s", a);
    }
    nnc_sheet_end(sheet);
    for (int i = 0; i < report->advice_count; i++) {
        const nnc_advice *advice = &report->advice[i];
        nnc_sheet_label(sheet, i == 0 ? "would fit" : "");
        nnc_sheet_item(sheet, NNC_INK_GOOD, "%s", advice->text);
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s", nnc_unit_text((double)advice->total_bytes, "B", a));
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "step %s%s", nnc_unit_text(advice->step_s, "s", b),
                       advice->verdict == NNC_TIGHT ? ", tight" : "");
        nnc_sheet_end(sheet);
    }
    if (verdict == NNC_OVER_MEMORY && report->advice_count == 0) {
        nnc_sheet_label(sheet, "");
        char on[48] = "one device";
        const int32_t devices = report->result->plan.devices;
        if (devices > 1) { snprintf(on, sizeof on, "these %" PRId32 " devices", devices); }
        nnc_sheet_words(
            sheet, "no change of batch, recompute, %soptimizer or policy that %s supports makes the plan fit on %s",
            devices > 1 ? "parallelism, " : "", report->software->id, on);
        nnc_sheet_end(sheet);
    }
}

NNC_GET(get_stage, void, nnc_whole_cell(place->index))

NNC_GET(get_stage_share, nnc_stage,
        nnc_number_cell((double)self->memory.total_bytes / (double)self->memory.capacity_bytes))

NNC_GET(get_stage_fits, nnc_stage, nnc_text_cell(self->memory.headroom_bytes >= 0 ? "yes" : "NO"))

/* Metrics for the memory of a pipeline stage, by class. Another table shows the times of each pipeline stage. */
static const nnc_metric stage_memory_rows[] = {
    NNC_HEAD("stage", WHOLE, .get = get_stage),
    NNC_ROWS(&nnc_memory_metrics, NNC_IN(nnc_stage, memory)),
    NNC_HEAD("of device", NUMBER, .get = get_stage_share, .show = NNC_SHOW_PERCENT, .drop = 3),
    NNC_HEAD("fits", TEXT, .get = get_stage_fits),
};
static const nnc_metrics stage_memory = NNC_METRICS("memory of a stage", stage_memory_rows, nnc_stage);

static void write_stages(nnc_sheet *sheet, const void *record) {
    const nnc_report *report = record;
    nnc_lines lines = { &nnc_stage_time_metrics, report, report->stages, report->stage_count };
    nnc_table_of(sheet->out, sheet->style, lines);
    nnc_sheet_gap(sheet);
    lines.metrics = &stage_memory;
    nnc_table_of(sheet->out, sheet->style, lines);
}

/* If the estimated step time with a doubled peak is more than this number times the step time that the elasticity
 * predicts, the page explains why a doubled peak helps less. */
static const double explained_from = 1.1;

static void write_capacity(nnc_buffer *out, nnc_style style, const nnc_sensitivity *entry) {
    char needed[NNC_NUMBER_TEXT], has[NNC_NUMBER_TEXT], then[64] = "less memory, the plan does not fit";
    if (entry->needed > entry->value) {
        snprintf(then, sizeof then, "%.4g times the memory, the plan fits", entry->needed / entry->value);
    }
    nnc_buffer_byte(out, '\n');
    nnc_sheet_line(out, style, "mem_bytes does not change the step time. The plan needs %s of %s. With %s",
                   nnc_unit_text(entry->needed, "B", needed), nnc_unit_text(entry->value, "B", has), then);
}

/* If a doubled peak of the matrix units shortens the step less than the elasticity predicts, writes the reason: the
 * bandwidth of the L2 cache is not doubled. */
static void write_cache(nnc_buffer *out, const nnc_sensitivity *peak, const nnc_report *report) {
    const nnc_dtype precision = report->result->plan.precision;
    const double cache = report->device->efficiency.gemm[precision].l2_bytes_per_s;
    const double promised_s = report->result->step_s * exp2(peak->elasticity);
    if (!isnan(cache) && peak->doubled_s > explained_from * promised_s) {
        char text[NNC_NUMBER_TEXT];
        nnc_buffer_print(out,
                         "\nonly this parameter is doubled. The L2 cache keeps its bandwidth of %s"
                         "\n(efficiency.gemm.%s.l2_bytes_per_s), which may then bound matrix products\n",
                         nnc_unit_text(cache, "B/s", text), nnc_dtype_name(precision));
    }
}

static void write_sensitivity(nnc_sheet *sheet, const void *record) {
    const nnc_report *report = record;
    nnc_table table = { .count = 0 };
    const nnc_sensitivity *capacity = NULL, *peak = NULL;
    nnc_table_heads(&table, &nnc_sensitivity_metrics);
    for (int i = 0; i < report->sensitivity_count; i++) {
        const nnc_sensitivity *e = &report->sensitivity[i];
        const nnc_place place = { e, report, i };
        if (e->figure == NNC_PARAMETER_MEM_BYTES) {
            capacity = e;
        } else {
            peak = e->figure == NNC_PARAMETER_MATMUL ? e : peak;
            nnc_table_record(&table, &nnc_sensitivity_metrics, &place);
        }
    }
    nnc_table_write(&table, sheet->out, sheet->style);
    if (peak != NULL) { write_cache(sheet->out, peak, report); }
    if (capacity != NULL) { write_capacity(sheet->out, sheet->style, capacity); }
}

/* ---- tables of a step: by parts and by groups of ops ---- */

typedef struct slice {
    const char *name;
    /* seconds of the step that belong to the part, or bytes of memory that belong to the class */
    double amount;
} slice;

/* A part of the step (such as host time) is shown only if its share of the step time is at least this number. Because
 * of the limit shown_from, the page does not show a host time of some nanoseconds, which has no effect on the step. */
static const double shown_from = 1e-6;

/* Lists the metrics that add up to the step time, without metrics below the share shown_from. Returns the number of
 * listed metrics. */
static int step_parts(const nnc_result *result, slice parts[]) {
    nnc_metric_part found[NNC_METRIC_PARTS_MAX];
    const int count = nnc_metric_parts(&nnc_step_metrics, result, shown_from * result->step_s, found);
    for (int i = 0; i < count; i++) { parts[i] = (slice){ found[i].row->head, found[i].value }; }
    return count;
}

static int step_groups(const nnc_report *report, slice groups[]) {
    double seconds[NNC_GROUP_COUNT] = { 0 };
    int count = 0;
    for (int32_t i = 0; i < report->op_count; i++) {
        const nnc_op_cost *cost = &report->ops[i];
        seconds[nnc_op_group(cost->op)] += cost->time_s * cost->repeat;
    }
    for (int group = 0; group < NNC_GROUP_COUNT; group++) {
        if (seconds[group] > 0) { groups[count++] = (slice){ nnc_group_name((nnc_group)group), seconds[group] }; }
    }
    /* host time and bubbles belong to no op, so these two times are read from the result */
    const nnc_result *result = report->result;
    if (result->host_s > shown_from * result->step_s) { groups[count++] = (slice){ "host", result->host_s }; }
    if (result->bubble_s > shown_from * result->step_s) { groups[count++] = (slice){ "bubble", result->bubble_s }; }
    return count;
}

enum { SLICES_MAX = NNC_GROUP_COUNT + 8 };

/* Adds the table cells of one part of a step: name, seconds and share of the step. If part->name is NULL, adds empty
 * cells. */
static void put_slice(nnc_table *table, const char *indent, const slice *part, double step_s) {
    if (part->name == NULL) {
        for (int i = 0; i < 3; i++) { nnc_table_cell(table, ""); }
        return;
    }
    char name[NNC_NUMBER_TEXT];
    snprintf(name, sizeof name, "%s%s", indent, part->name);
    nnc_table_cell(table, name);
    nnc_table_number(table, part->amount, "s");
    nnc_table_share(table, part->amount / step_s);
}

/* Writes two tables of the step time: by parts of the step, and by groups of ops. In Markdown the second table is below
 * the first; in all other formats the tables are side by side. */
static void write_parts(nnc_sheet *sheet, const void *record) {
    static const nnc_head heads[] = {
        { .text = "part", .left = true },    { .text = "time" }, { .text = "share" },
        { .text = "  group", .left = true }, { .text = "time" }, { .text = "share" },
    };
    const nnc_report *report = record;
    slice sides[2][SLICES_MAX];
    const int counts[2] = { step_parts(report->result, sides[0]), step_groups(report, sides[1]) };
    const int together = sheet->style.format == &nnc_format_markdown ? 1 : 2;
    for (int first = 0; first < 2; first += together) {
        nnc_table table;
        nnc_table_begin(&table, heads + (size_t)first * 3, 3 * together);
        if (together == 1 && first == 1) {
            table.heads[0].text = "group";
            nnc_sheet_gap(sheet);
        }
        for (int row = 0; row < counts[first] || (together == 2 && row < counts[1]); row++) {
            for (int side = first; side < first + together; side++) {
                static const slice none = { NULL, 0.0 };
                put_slice(&table, together == 2 && side == 1 ? "  " : "",
                          row < counts[side] ? &sides[side][row] : &none, report->result->step_s);
            }
        }
        nnc_table_write(&table, sheet->out, sheet->style);
    }
}

static bool communicates(const nnc_result *result) {
    bool any = false;
    for (int kind = 0; kind < NNC_COMM_COUNT; kind++) {
        any = any || result->communication_s[kind] > 0 || result->exposed_s[kind] > 0;
    }
    return any;
}

/* Metrics that the page shows and the JSON output does not contain. */
NNC_GET(get_communicates, nnc_report, nnc_bool_cell(communicates(self->result)))
NNC_GET(get_waits, nnc_report, nnc_bool_cell(communicates(self->result) || self->result->plan.pipeline > 1))
NNC_GET(get_updates_unrecorded, nnc_report,
        nnc_bool_cell((self->result->plan.offload & NNC_OFFLOAD_OPTIMIZER) != 0 &&
                      isnan(self->device->host.mem_bytes_per_s)))
NNC_GET(get_trains, nnc_report, nnc_bool_cell(!nnc_is_forward_pass(self->model, &self->result->plan)))
NNC_GET(get_bound_share, nnc_report, nnc_number_cell(self->result->bound_s[self->result->bound] / self->result->step_s))
NNC_GET(get_next_share, nnc_report,
        nnc_number_cell(self->result->bound_s[self->result->next_bound] / self->result->step_s))
/* Returns the name of a bound in a form that can be the subject of a sentence, such as "memory traffic" in "if memory
 * traffic took no time". */
static const char *limit_text(nnc_bound bound) {
    static const char *const names[NNC_BOUND_COUNT] = { [NNC_BOUND_COMPUTE] = "compute",
                                                        [NNC_BOUND_MEMORY] = "memory traffic",
                                                        [NNC_BOUND_NETWORK] = "the network",
                                                        [NNC_BOUND_HOST] = "host work and fixed kernel costs",
                                                        [NNC_BOUND_BUBBLE] = "the bubble" };
    return names[bound];
}
NNC_GET(get_limit, nnc_report, nnc_text_cell(limit_text(self->result->bound)))
NNC_GET(get_traffic, nnc_report, nnc_number_cell(self->result->read_bytes + self->result->write_bytes))
NNC_GET(get_has_run, nnc_report, nnc_bool_cell(self->run != NULL && self->result->verdict != NNC_OVER_MEMORY))
/* Returns the default policy of the software profile, if the user named the profile and the plan has another policy;
 * otherwise "". */
static const char *own_policy(const nnc_report *report) {
    const nnc_policy own = report->software->policy;
    const bool other = !report->software_chosen && report->launch == NULL && own != NNC_POLICY_DEFAULT &&
                       own != report->result->plan.policy && nnc_dtype_bytes(report->result->plan.precision) < 4.0;
    return other ? nnc_policy_name(own) : "";
}
NNC_GET(get_own_policy, nnc_report, nnc_text_cell(own_policy(self)))
/* Returns the number of tokens or frames that the encoder of a model reads. NaN = the model has no encoder, or the
 * encoder reads as many tokens as the decoder. */
static double encoder_len(const nnc_decoder *d, int64_t seq_len) {
    return d->encoder_layers > 0 && d->encoder_seq_len > 0 && d->encoder_seq_len != seq_len ? (double)d->encoder_seq_len
                                                                                            : (double)NAN;
}
NNC_GET(get_encoder_len, nnc_report, nnc_number_cell(encoder_len(&self->model->decoder, self->result->plan.seq_len)))
NNC_GET(get_hides_run, nnc_report, nnc_bool_cell(self->run != NULL && self->result->verdict == NNC_OVER_MEMORY))
NNC_GET(get_has_timeline, nnc_report, nnc_bool_cell(self->intervals != NULL))
NNC_GET(get_has_sensitivity, nnc_report, nnc_bool_cell(self->sensitivity != NULL))

static const nnc_metric page_metric_rows[] = {
    NNC_ROWS(&nnc_estimate_document),
    NNC_AS("communicates", BOOL, .get = get_communicates),
    NNC_AS("waits", BOOL, .get = get_waits),
    NNC_AS("updates_unrecorded", BOOL, .get = get_updates_unrecorded),
    NNC_AS("trains", BOOL, .get = get_trains),
    NNC_AS("bound_share", NUMBER, .get = get_bound_share, .show = NNC_SHOW_PERCENT),
    NNC_AS("limit", TEXT, .get = get_limit),
    NNC_AS("next_share", NUMBER, .get = get_next_share, .show = NNC_SHOW_PERCENT),
    NNC_AS("traffic_bytes", NUMBER, .get = get_traffic, .unit = "B"),
    NNC_AS("has_run", BOOL, .get = get_has_run),
    NNC_AS("hides_run", BOOL, .get = get_hides_run),
    NNC_AS("own_policy", TEXT, .get = get_own_policy),
    NNC_AS("encoder_len", NUMBER, .get = get_encoder_len, .show = NNC_SHOW_COUNT),
    NNC_AS("has_stages", BOOL, NNC_IN(nnc_report, all_stages)),
    NNC_AS("has_timeline", BOOL, .get = get_has_timeline),
    NNC_AS("has_sensitivity", BOOL, .get = get_has_sensitivity),
};
static const nnc_metrics page_metrics = NNC_METRICS("an estimate's page", page_metric_rows, nnc_report);

static void add_host_rates(nnc_sheet *sheet, const void *record) {
    char a[NNC_NUMBER_TEXT];
    (void)record;
    nnc_sheet_words(sheet,
                    "the device file records no host.mem_bytes_per_s: updates in host memory are "
                    "assumed to run at %g of %s",
                    NNC_HOST_UPDATE_SHARE, nnc_unit_text(NNC_HOST_MEM_BYTES_PER_S, "B/s", a));
}

/* Adds an item to the page line for each kind of communication: the exposed seconds and the total seconds of this kind
 * of communication. */
static void add_networks(nnc_sheet *sheet, const void *record) {
    const nnc_result *result = ((const nnc_report *)record)->result;
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    for (int kind = 0; kind < NNC_COMM_COUNT; kind++) {
        if (result->communication_s[kind] > 0 || result->exposed_s[kind] > 0) {
            nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s %s exposed of %s", nnc_comm_name((nnc_comm)kind),
                           nnc_unit_text(result->exposed_s[kind], "s", a),
                           nnc_unit_text(result->communication_s[kind], "s", b));
        }
    }
}

static void write_fit(nnc_sheet *sheet, const void *record) {
    if (sheet->style.format == &nnc_format_markdown) {
        nnc_sheet_gap(sheet); /* without an empty line, Markdown reads a list below a table as a row of the table */
    }
    nnc_fit_write(sheet, "total", record);
}

static void add_price(nnc_sheet *sheet, const void *record) {
    const nnc_price *price = nnc_report_price(record);
    if (price != NULL) {
        nnc_sheet_price(sheet, price);
    } else {
        nnc_sheet_words(sheet, "(--price)");
    }
}

#define HIDDEN_RUN "not shown, because the plan does not fit; 'nncost run --ignore-memory' shows it"

static void write_run(nnc_sheet *sheet, const void *record) { nnc_run_lines(sheet->out, sheet->style, record); }

static void write_timeline(nnc_sheet *sheet, const void *record) {
    nnc_timeline_write(sheet->out, sheet->style, record);
}

static const nnc_page_row step_rows[] = {
    NNC_LINE("step"),
    NNC_BOLD("{step.step_s}"),
    NNC_ITEM("90 % range {step.interval_s.0} to {step.interval_s.1}"),
    NNC_ITEM("busiest stage {step.stage} of {plan.pipeline}", .when = "plan.pipeline > 1"),
    NNC_BLOCK(nnc_sheet_past),
    NNC_BLOCK(write_open_facts),
};
static const nnc_page_rows step_page = NNC_PAGE_ROWS(&nnc_estimate_document, step_rows);

static const nnc_page_row page_rows[] = {
    NNC_LINE(""),
    NNC_WORDS(
        "lower bound for any software: {step.lower_bound_s}; without any overlap the step takes {step.upper_bound_s}"),
    NNC_LINE("", .when = "plan.mode = ideal"),
    NNC_WORDS("ideal mode: all efficiencies are 1, fixed costs are 0, complete overlap of communication"),
    NNC_LINE("", .when = "plan.mode != ideal, !device.fitted"),
    NNC_WORDS("no fitted efficiencies for this device: roofline time at the datasheet's rates"),
    NNC_LINE("", .when = "plan.mode != ideal, device.fitted, device.basis = default"),
    NNC_WORDS("not measured on this device: its efficiencies are those of similar devices"),
    NNC_LINE("", .when = "updates_unrecorded"),
    NNC_ADD(add_host_rates),

    NNC_LINE("bound by"),
    NNC_BOLD("{step.bound} {bound_share} of the step"),
    NNC_ITEM("{step.next_bound} {next_share}", .when = "next_share > 0, step.next_bound != step.bound"),
    NNC_ITEM("if {limit} took no time, the step would take {step.step_without_bound_s}"),
    NNC_LINE(""),
    NNC_WORDS("{step.advice}"),
    NNC_GAP(),
    NNC_BLOCK(write_parts),
    NNC_GAP(),

    NNC_LINE("network", .when = "communicates"),
    NNC_ADD(add_networks),
    NNC_LINE("bubble", .when = "plan.pipeline > 1"),
    NNC_ITEM("{step.bubble_s}"),
    NNC_ITEM("{step.bubble_ratio} of the busy time"),
    NNC_ITEM("{step.bubble_share} of the step"),
    NNC_GAP(.when = "waits"),

    NNC_LINE("rate"),
    NNC_BOLD("{throughput.tokens_per_s:count} tokens/s"),
    NNC_ITEM("{throughput.samples_per_s:count} samples/s"),
    NNC_BOLD("MFU {throughput.mfu}"),
    NNC_ITEM("HFU {throughput.hfu} of {device.peak_flops_per_s}, FLOPs as in {work.flops_convention}"),
    NNC_LINE("", .when = "throughput.mfu > 1"),
    NNC_WORDS("MFU above 100%: {work.flops_convention} counts more FLOPs than the kernels execute; with only the pairs "
              "under the causal mask, MFU is {throughput.causal_mfu} (--flops-convention causal)"),
    NNC_LINE("", .when = "plan.devices > 1"),
    NNC_ITEM("per device {throughput.tokens_per_s_per_device:count} tokens/s"),
    NNC_ITEM("{throughput.model_flops_per_s_per_device}", .when = "work.tokens"),
    NNC_ITEM("per device {throughput.model_flops_per_s_per_device}", .when = "!work.tokens"),
    NNC_LINE("work"),
    NNC_ITEM("model {work.model_flops}"),
    NNC_ITEM("with recompute {work.hardware_flops}", .when = "work.hardware_flops > work.model_flops"),
    NNC_ITEM("executed {work.executed_flops}"),
    NNC_ITEM("6ND {work.six_nd_flops}", .when = "work.tokens, trains"),
    NNC_ITEM("memory traffic {traffic_bytes}", .when = "plan.devices = 1"),
    NNC_ITEM("memory traffic {traffic_bytes} per device", .when = "plan.devices > 1"),
    NNC_LINE("measured", .when = "measured.step_s"),
    NNC_BOLD("{measured.step_s}"),
    NNC_ITEM("MFU {measured.mfu:percent}"),
    NNC_ITEM("the estimate is {measured.predicted_over:percent} of the measured time"),
    NNC_BOLD("impossible: the measured time is below the lower bound of {step.lower_bound_s}",
             .when = "!measured.possible"),
    NNC_LINE("", .when = "measured.step_s, !measured.possible"),
    NNC_BOLD("it belongs to another step or device"),
    NNC_GAP(),
    NNC_BLOCK(write_memory),
    NNC_BLOCK(write_fit),
    NNC_GAP(),

    NNC_LINE("cost", .when = "!cost.price_per_device_hour"),
    NNC_WORDS("no price recorded for this device: give --price"),
    NNC_LINE("cost", .when = "cost.price_per_device_hour"),
    NNC_ITEM("{cost.price_per_device_hour:count} {cost.currency} per device-hour"),
    NNC_ADD(add_price),
    NNC_ITEM("{cost.step:count} {cost.currency} per step", .when = "plan.devices = 1"),
    NNC_ITEM("{cost.step:count} {cost.currency} per step of all {plan.devices} devices", .when = "plan.devices > 1"),
    NNC_ITEM("{cost.per_million_tokens:count} {cost.currency} per million tokens"),
    NNC_ITEM("{cost.per_thousand_samples:count} {cost.currency} per thousand samples"),
    NNC_GAP(.when = "has_run"),
    NNC_BLOCK(write_run, .when = "has_run"),
    NNC_LINE("run", .when = "hides_run"),
    NNC_WORDS(HIDDEN_RUN),
    NNC_GAP(.when = "has_stages"),
    NNC_BLOCK(write_stages, .when = "has_stages"),
    NNC_GAP(.when = "has_timeline"),
    NNC_BLOCK(write_timeline, .when = "has_timeline"),
    NNC_GAP(.when = "has_sensitivity"),
    NNC_BLOCK(write_sensitivity, .when = "has_sensitivity"),
};
static const nnc_page_rows page = NNC_PAGE_ROWS(&page_metrics, page_rows);

void nnc_step_write(nnc_sheet *sheet, const nnc_report *report) { nnc_sheet_rows(sheet, &step_page, report); }

static void write_page(nnc_buffer *out, nnc_style style, const void *record) {
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    nnc_sheet_subject(&sheet, record);
    nnc_sheet_gap(&sheet);
    nnc_sheet_rows(&sheet, &step_page, record);
    nnc_sheet_rows(&sheet, &page, record);
}

/* ---- the first screen: the page of `estimate` without --full ---- */

/* SCREEN_LINES: largest number of lines of the first screen. CHANGE_LINES: largest number of lines of the first screen
 * that suggest changes. */
enum { SCREEN_LINES = 20, CHANGE_LINES = 3 };

/* The page lists a change of the plan as faster only if throughput with the change / throughput without it is above
 * this factor. */
static const double shown_gain = 1.01;

/* The record that the first screen (the page without --full) shows. The report is the first member of the record, so
 * that a pointer to the record is also a pointer to a report. */
typedef struct first_screen {
    nnc_report report;
    const nnc_plan_changes *changes;
} first_screen;

static void write_sentence(nnc_sheet *sheet, const void *record) {
    char text[NNC_METRIC_TEXT_MAX];
    nnc_sheet_line(sheet->out, sheet->style, "%s", nnc_report_sentence(record, text));
    nnc_sheet_gap(sheet);
}

static void add_plan_word(nnc_sheet *sheet, const void *record) {
    const nnc_plan *plan = &((const nnc_report *)record)->result->plan;
    char text[NNC_METRIC_TEXT_MAX];
    if (plan->devices > 1) {
        nnc_sheet_item(sheet, NNC_INK_STRONG, "%" PRId32 " devices %s", plan->devices, nnc_plan_word(plan, text));
    } else if (plan->recompute != NNC_RECOMPUTE_NONE) {
        nnc_recompute_text(plan->recompute, text, sizeof text);
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "activation checkpointing %s", text);
    }
    if (plan->adapter_rank > 0) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s %" PRId64 " on %s weights",
                       plan->oft ? "OFT in blocks of" : "LoRA rank", plan->adapter_rank, nnc_frozen_name(plan->frozen));
    }
    const char *more = plan->train_layers > 1 ? "s" : "";
    if (plan->train_layers > 0 && plan->train_from < 0) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "trains the last %" PRId64 " layer%s", plan->train_layers, more);
    } else if (plan->train_layers > 0) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "trains %" PRId64 " layer%s from layer %" PRId64 " on", plan->train_layers,
                       more, plan->train_from);
    }
}

static void add_verdict(nnc_sheet *sheet, const void *record) {
    const nnc_result *r = ((const nnc_report *)record)->result;
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    nnc_unit_text(fabs((double)r->memory.headroom_bytes), "B", a);
    if (r->verdict == NNC_OVER_MEMORY) {
        nnc_sheet_item(sheet, NNC_INK_BAD, "DOES NOT FIT by %s", a);
    } else if (r->verdict == NNC_TIGHT) {
        nnc_sheet_item(sheet, NNC_INK_BAD, "tight: %s free, the peak may reach %s", a,
                       nnc_unit_text((double)r->memory.total_interval_bytes[1], "B", b));
    } else {
        nnc_sheet_item(sheet, NNC_INK_GOOD, "fits, %s free", a);
    }
}

/* If nncost chose the torch.compile profile, writes the step time without a compiler too, because many training
 * programs run eager (without a compiler). */
static void write_eager(nnc_sheet *sheet, const void *record) {
    const first_screen *first = record;
    char step[NNC_NUMBER_TEXT], memory[NNC_NUMBER_TEXT];
    if (isnan(first->report.eager_s)) { return; }
    const bool fits = first->report.eager_bytes <= first->report.result->memory.capacity_bytes;
    nnc_sheet_note(sheet, "", "without torch.compile (--software torch-eager): %s, %s%s",
                   nnc_unit_text(first->report.eager_s, "s", step),
                   nnc_unit_text((double)first->report.eager_bytes, "B", memory), fits ? "" : ", does not fit");
}

/* Writes the three largest of four classes of memory: weights, gradients, optimizer states and activations. A class
 * with 0 bytes is left out. */
static void write_largest(nnc_sheet *sheet, const void *record) {
    const nnc_memory *m = &((const nnc_report *)record)->result->memory;
    slice parts[] = { { "weights", (double)m->weight_bytes },
                      { "gradients", (double)m->gradient_bytes },
                      { "optimizer", (double)m->optimizer_bytes },
                      { "activations", (double)m->activation_bytes } };
    enum { PARTS = sizeof parts / sizeof parts[0] };
    char text[NNC_NUMBER_TEXT];
    int least = 0;
    for (int i = 1; i < PARTS; i++) { least = parts[i].amount <= parts[least].amount ? i : least; }
    nnc_sheet_label(sheet, "");
    for (int i = 0; i < PARTS; i++) {
        if (i != least && parts[i].amount > 0.0) {
            nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s %s", parts[i].name, nnc_unit_text(parts[i].amount, "B", text));
        }
    }
    if (m->helper_bytes > 0) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "frozen models of the method %s",
                       nnc_unit_text((double)m->helper_bytes, "B", text));
    }
    nnc_sheet_end(sheet);
}

static void put_change(nnc_sheet *sheet, const char *label, const char *options, double step_s, double gain,
                       int64_t bytes, bool tight) {
    char step[NNC_NUMBER_TEXT], total[NNC_NUMBER_TEXT];
    nnc_sheet_label(sheet, label);
    nnc_sheet_words(sheet, "%s:", options);
    nnc_sheet_phrase(sheet, NNC_INK_GOOD, "%s", nnc_unit_text(step_s, "s", step));
    if (!isnan(gain)) { nnc_sheet_item(sheet, NNC_INK_PLAIN, "%.3gx the rate", gain); }
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s%s", nnc_unit_text((double)bytes, "B", total), tight ? ", tight" : "");
    nnc_sheet_end(sheet);
}

/* Tests whether the options of a suggested change are so long that the page needs a second line for the change. */
static bool is_long(const char *options) {
    enum { LONG = 38 };
    return strlen(options) > LONG;
}

/* Returns the number of notes on the files that describe model and plan; the function write_more prints this number. */
static int32_t file_notes(const nnc_report *report) {
    const bool captured = report->model->family == NNC_FAMILY_CAPTURE;
    return (captured ? 0 : report->model->note_count) + (report->launch != NULL ? report->launch->file_count : 0);
}

/* Returns how many lines of the first screen are left for changes: at most CHANGE_LINES, and at least one. `out` has
 * two empty lines near its end: one above the first screen, and one below the verdict. The function counts the lines of
 * `out` below the empty line that is above the first screen. */
static int lines_left(const nnc_buffer *out, const nnc_report *report) {
    int written = 0;
    const int more = file_notes(report) > 0 ? 2 : 1;
    for (size_t i = out->size, gaps = 0; i > 0 && gaps < 2; i--) {
        if (out->bytes[i - 1] == '\n') {
            written++;
            gaps += i > 1 && out->bytes[i - 2] == '\n' ? 1 : 0;
        }
    }
    const int left = SCREEN_LINES - more - written;
    return left < 1 ? 1 : left < CHANGE_LINES ? left : CHANGE_LINES;
}

/* Writes changes that make the plan fit; if the plan fits, writes changes that make it faster. Each listed change was
 * estimated. */
static void write_changes(nnc_sheet *sheet, const void *record) {
    const first_screen *first = record;
    const nnc_report *report = &first->report;
    const nnc_plan_changes *found = first->changes;
    const bool over = report->result->verdict == NNC_OVER_MEMORY;
    int lines = 0, left = lines_left(sheet->out, report);
    for (int i = 0; i < report->advice_count; i++) {
        const nnc_advice *advice = &report->advice[i];
        if (lines == 0 || lines + (is_long(advice->text) ? 2 : 1) <= left) {
            put_change(sheet, lines == 0 ? "would fit" : "", advice->text, advice->step_s, (double)NAN,
                       advice->total_bytes, advice->verdict == NNC_TIGHT);
            lines += is_long(advice->text) ? 2 : 1;
        }
    }
    for (int32_t i = 0; i < found->count && lines < left && report->advice_count == 0; i++) {
        const nnc_plan_change *c = &found->list[i];
        if (over || c->gain > shown_gain) {
            put_change(sheet,
                       lines > 0 ? ""
                       : over    ? "would fit"
                                 : "faster",
                       c->options, c->step_s, c->gain, c->total_bytes, c->verdict == NNC_TIGHT);
            lines++;
        }
    }
    if (lines == 0 && over) {
        nnc_sheet_note(sheet, "would fit", "none of the %" PRId32 " single changes tried; 'nncost advise' tries more",
                       found->tries);
    }
}

/* Writes a line that says which further results --full shows. For a captured program, first writes the notes of the
 * program, which name the options that the program asks for, such as autocast. */
static void write_more(nnc_sheet *sheet, const void *record) {
    const nnc_report *report = record;
    const bool captured = report->model->family == NNC_FAMILY_CAPTURE;
    const int32_t notes = file_notes(report);
    char noted[64] = "";
    for (int32_t i = 0; captured && i < report->model->note_count; i++) {
        nnc_sheet_note(sheet, i == 0 ? "noted" : "", "%s", report->model->notes[i]);
    }
    if (notes > 0) {
        snprintf(noted, sizeof noted, "%" PRId32 " note%s about the input files, ", notes, notes > 1 ? "s" : "");
    }
    nnc_sheet_note(sheet, "--full", "shows %sthe parts of the step, memory by class, and all plan settings", noted);
}

static const nnc_page_row first_rows[] = {
    NNC_BLOCK(write_sentence),
    NNC_LINE("plan"),
    NNC_ADD(add_plan_word),
    NNC_ITEM("trains {plan.train}", .when = "plan.train != all, trains"),
    NNC_ITEM("offload {plan.offload}", .when = "plan.devices = 1, plan.offload != none"),
    NNC_ITEM("helper models of {memory.helper_bytes}, whose passes 'nncost run' counts",
             .when = "memory.helper_bytes > 0"),
    NNC_ITEM("batch {plan.global_batch}"),
    NNC_ITEM("sequence {plan.seq_len}"),
    NNC_ITEM("encoder {encoder_len}", .when = "encoder_len > 0"),
    NNC_ITEM("image {plan.image}"),
    NNC_ITEM("{plan.precision}"),
    NNC_ITEM("{plan.optimizer}", .when = "trains"),
    NNC_ITEM("{plan.software}"),
    NNC_LINE("", .when = "own_policy"),
    NNC_WORDS("policy {plan.policy}; the default policy of this software, also in a search with this --software, is "
              "{own_policy}"),
    NNC_LINE("step"),
    NNC_BOLD("{step.step_s}"),
    NNC_ITEM("90 % range {step.interval_s.0} to {step.interval_s.1}"),
    NNC_ITEM("busiest stage {step.stage} of {plan.pipeline}", .when = "plan.pipeline > 1"),
    NNC_BLOCK(nnc_sheet_trust),
    NNC_BLOCK(write_eager),
    NNC_LINE("bounds"),
    NNC_ITEM("lower {step.lower_bound_s}"),
    NNC_ITEM("upper without overlap {step.upper_bound_s}"),
    NNC_LINE("bound by"),
    NNC_BOLD("{step.bound} {bound_share}"),
    NNC_ITEM("{step.next_bound} {next_share}", .when = "next_share > 0, step.next_bound != step.bound"),
    NNC_ITEM("{step.step_without_bound_s} if {limit} took no time"),
    NNC_LINE("waits", .when = "waits"),
    NNC_ITEM("exposed communication {step.exposed_comm_s}", .when = "communicates"),
    NNC_ITEM("pipeline bubble {step.bubble_share}", .when = "plan.pipeline > 1"),
    NNC_LINE("measured", .when = "measured.step_s"),
    NNC_BOLD("{measured.step_s}"),
    NNC_ITEM("the estimate is {measured.predicted_over:percent} of the measured time"),
    NNC_BAD("impossible: the measured time is below the lower bound", .when = "!measured.possible"),
    NNC_LINE("memory"),
    NNC_BOLD("{memory.total_bytes} of {memory.capacity_bytes}"),
    NNC_ADD(add_verdict),
    NNC_BLOCK(write_largest),
    NNC_LINE("rate"),
    NNC_BOLD("{throughput.tokens_per_s:count} tokens/s"),
    NNC_ITEM("{throughput.samples_per_s:count} samples/s"),
    NNC_ITEM("MFU {throughput.mfu}"),
    NNC_LINE("cost", .when = "!cost.price_per_device_hour"),
    NNC_WORDS("no price recorded for this device: give --price"),
    NNC_LINE("cost", .when = "cost.price_per_device_hour"),
    NNC_ITEM("{cost.step:count} {cost.currency} a step"),
    NNC_ITEM("{cost.per_million_tokens:count} per million tokens"),
    NNC_ITEM("{cost.per_thousand_samples:count} per thousand samples"),
    NNC_ITEM("at {cost.price_per_device_hour:count} a device-hour"),
    NNC_LINE("run", .when = "has_run"),
    NNC_BOLD("{run.run_s}"),
    NNC_ITEM("{run.cost:count} {cost.currency}"),
    NNC_ITEM("{run.tokens:si} tokens"),
    NNC_ITEM("{run.samples:si} samples", .when = "!run.tokens"),
    NNC_LINE("run", .when = "hides_run"),
    NNC_WORDS(HIDDEN_RUN),
    NNC_BLOCK(write_changes),
    NNC_BLOCK(write_more),
    NNC_GAP(.when = "has_stages"),
    NNC_BLOCK(write_stages, .when = "has_stages"),
    NNC_GAP(.when = "has_timeline"),
    NNC_BLOCK(write_timeline, .when = "has_timeline"),
    NNC_GAP(.when = "has_sensitivity"),
    NNC_BLOCK(write_sensitivity, .when = "has_sensitivity"),
};
static const nnc_page_rows first_page = NNC_PAGE_ROWS(&page_metrics, first_rows);

static void write_brief(nnc_buffer *out, nnc_style style, const void *record) {
    char text[NNC_METRIC_TEXT_MAX];
    nnc_sheet_line(out, style, "%s", nnc_report_sentence(record, text));
}

/* Returns the table for CSV output: the timeline, the stages or the sensitivity if an option asks for one of them;
 * otherwise the estimate as one line. */
static nnc_lines lines_of(const void *record) {
    const nnc_report *report = record;
    return report->intervals != NULL
               ? (nnc_lines){ &nnc_interval_metrics, report, report->intervals, report->interval_count }
           : report->all_stages ? (nnc_lines){ &nnc_stage_metrics, report, report->stages, report->stage_count }
           : report->sensitivity != NULL
               ? (nnc_lines){ &nnc_sensitivity_metrics, report, report->sensitivity, report->sensitivity_count }
               : (nnc_lines){ &nnc_estimate_metrics, NULL, report, 1 };
}

const nnc_view nnc_estimate_view = {
    .schema = "nncost.estimate/1", .document = &nnc_estimate_document, .lines = lines_of, .page = write_page
};

/* View of an estimate without --full: the JSON output is the same as with --full, but the page is only the first
 * screen. */
static const nnc_view first_view = {
    .schema = "nncost.estimate/1", .document = &nnc_estimate_document, .lines = lines_of, .rows = &first_page
};
static const nnc_view brief_view = {
    .schema = "nncost.estimate/1", .document = &nnc_estimate_document, .lines = lines_of, .page = write_brief
};

static nnc_status write_trace(const nnc_report *report, const char *path, nnc_error *err) {
    nnc_buffer out = { 0 };
    nnc_report_trace(&out, report);
    const nnc_status status = out.failed ? nnc_no_memory(err) : nnc_output_write(path, out.bytes, out.size, err);
    nnc_buffer_free(&out);
    return status;
}

static nnc_status write_report(nnc_session *session, const nnc_report *report, const nnc_plan_changes *changes,
                               nnc_error *err) {
    const nnc_options *options = &session->options;
    first_screen shown = { .report = *report, .changes = changes };
    shown.report.all_stages = options->stages;
    shown.report.past = nnc_report_past(report);
    if (!options->timeline) { shown.report.intervals = NULL; }
    nnc_view_write(session->out, session->style,
                   options->verdict  ? &brief_view
                   : changes != NULL ? &first_view
                                     : &nnc_estimate_view,
                   &shown);
    return options->trace != NULL ? write_trace(report, options->trace, err) : NNC_OK;
}

/* Computes the sensitivity of the step time with a second scratch, because the report points into the first scratch. */
static nnc_status find_sensitivity(nnc_scenario *scenario, nnc_sensitivity entries[NNC_PARAMETER_COUNT],
                                   nnc_error *err) {
    nnc_scratch *scratch = nnc_scratch_create();
    NNC_GOT(scratch, err);
    const nnc_status status =
        nnc_sensitivity_of(&scenario->model, &scenario->device, &scenario->software, &scenario->plan, scratch, entries,
                           NNC_PARAMETER_COUNT, &scenario->report.sensitivity_count, err);
    scenario->report.sensitivity = entries;
    nnc_scratch_destroy(scratch);
    return status;
}

/* Finds the open facts: properties of the software that nncost does not know and that change the step time. Uses a
 * second scratch, because the report points into the first scratch. */
static nnc_status find_open_facts(nnc_scenario *scenario, nnc_open_fact facts[NNC_OPEN_FACTS_MAX], nnc_error *err) {
    nnc_scratch *scratch = nnc_scratch_create();
    NNC_GOT(scratch, err);
    scenario->report.open_facts = facts;
    const nnc_status status = nnc_scenario_open_facts(scenario, scratch, facts, &scenario->report.open_fact_count, err);
    nnc_scratch_destroy(scratch);
    return status;
}

/* Reads the value of --measured: a time such as "0.41s", or a rate of samples or tokens per second. Sets all members of
 * *own: the user's step time, the MFU of this time, and the comparison with the predicted step time. */
static nnc_status read_measured(const char *text, const nnc_result *r, nnc_own_step *own, nnc_error *err) {
    static const char *const units[] = { "tokens/s", "samples/s", "s" };
    double value = 0.0;
    int unit = 0;
    while (unit < 3 && !nnc_read_quantity(text, units[unit], false, &value)) { unit++; }
    if (unit == 3 || !(value > 0.0) || (unit == 0 && r->tokens == 0)) {
        return nnc_fail(err, NNC_BAD_USAGE, "--measured",
                        "wrong value, expected a time (0.41s) or a rate (380samples/s%s), found \"%.40s\"",
                        r->tokens > 0 ? ", 12000tokens/s" : "", text);
    }
    own->step_s = unit == 0 ? (double)r->tokens / value : unit == 1 ? (double)r->plan.global_batch / value : value;
    own->mfu = r->model_flops / (own->step_s * r->plan.devices * r->peak_flops_per_s);
    own->predicted_over = r->step_s / own->step_s;
    own->possible = own->step_s >= r->lower_bound_s;
    return NNC_OK;
}

static nnc_status write_answer(nnc_session *session, void *context, nnc_scenario *scenario, nnc_scratch *scratch,
                               nnc_error *err) {
    const nnc_options *options = &session->options;
    nnc_sensitivity entries[NNC_PARAMETER_COUNT];
    nnc_open_fact facts[NNC_OPEN_FACTS_MAX];
    nnc_report *report = &scenario->report;
    nnc_own_step own;
    nnc_status status = NNC_OK;
    (void)context;
    session->exit_code = scenario->result.memory.headroom_bytes >= 0 ? 0 : 1;
    if (options->emit != NULL) { NNC_TRY(nnc_emit_scenario(session, scenario, NULL, err)); }
    if (nnc_emit_instead(session)) { return NNC_OK; }
    nnc_plan_changes changes;
    const bool paged = session->style.format->page != NULL, whole = options->full && !options->verdict;
    const bool tries = paged && !options->full && !options->verdict;
    /* CSV output is a single line, which has no place for lists */
    const bool lists_facts = paged ? whole : !nnc_format_is_csv(session->style.format);
    if (tries) { /* the estimates of changed plans overwrite ops and stages in scratch, so the plan is estimated again
                  * if its ops or stages are needed */
        nnc_result eager;
        changes.count = changes.tries = 0;
        if (report->advice_count == 0) { NNC_TRY(nnc_scenario_changes(scenario, true, scratch, &changes, err)); }
        /* The estimate with eager software comes last, because it overwrites the op list of the plan in scratch. */
        NNC_TRY(nnc_scenario_eager(scenario, scratch, &eager, err));
        report->eager_s = eager.step_s;
        report->eager_bytes = isnan(eager.step_s) ? 0 : eager.memory.total_bytes;
        report->op_count = report->stage_count = 0;
        if (options->stages || options->timeline || options->trace != NULL) {
            NNC_TRY(nnc_report_estimate(report, &scenario->plan, scratch, &scenario->result, err));
        }
    }
    if (options->measured != NULL) {
        NNC_TRY(read_measured(options->measured, &scenario->result, &own, err));
        report->own = &own;
    }
    if (options->timeline || options->trace != NULL) { status = nnc_scenario_timeline(scenario, scratch, err); }
    if (status == NNC_OK && options->sensitivity) { status = find_sensitivity(scenario, entries, err); }
    if (status == NNC_OK && lists_facts) { status = find_open_facts(scenario, facts, err); }
    if (status == NNC_OK) { status = write_report(session, report, tries ? &changes : NULL, err); }
    report->own = NULL;
    report->sensitivity = NULL;
    report->open_facts = NULL;
    report->open_fact_count = 0;
    nnc_scenario_timeline_free(scenario);
    return status;
}

static nnc_status run(nnc_session *session, nnc_error *err) {
    const nnc_options *options = &session->options;
    if (nnc_format_is_csv(options->format) && options->stages && options->timeline) {
        return nnc_fail(err, NNC_BAD_USAGE, "--stages",
                        "CSV output has only one table, expected --stages or --timeline, found both");
    }
    if (nnc_format_is_csv(options->format) && options->sensitivity && (options->stages || options->timeline)) {
        return nnc_fail(err, NNC_BAD_USAGE, "--sensitivity",
                        "CSV output has only one table, expected either this option or %s, found both",
                        options->stages ? "--stages" : "--timeline");
    }
    NNC_TRY(nnc_emit_begin(session, false, err));
    return nnc_scenario_report(session, options->operands[0], options->operands[1], write_answer, NULL, err);
}

const nnc_command nnc_cmd_estimate = {
    .name = "estimate",
    .operands = "[FILE...] MODEL DEVICE | PLANS.json [DEVICE]",
    .summary = "One training step: time with its range, limiting resource, memory, throughput, cost.",
    .notes = "If the step does not fit into the device's memory, the command prints the estimate and the smallest "
             "changes with which the step fits, and exits with 1. Pipeline stages are numbered from 0. With --format "
             "csv, each of --stages, --timeline and --sensitivity prints its own table instead of the estimate; give "
             "only one of these three options. A timeline has at most 1000000 passes. An elasticity of -0.5 means "
             "that the step is half a percent shorter if the parameter is one percent larger.",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_SWITCH | NNC_TAKES_RUN | NNC_TAKES_SCENARIO |
             NNC_TAKES_STAGES | NNC_TAKES_LAUNCH | NNC_TAKES_EMIT,
    .run = run,
};
