/* Shows the schedule of a step. --timeline of `estimate` draws one bar of letters for each pipeline stage; --trace
 * writes a file in the Trace Event Format. The options --timeline and --trace read the intervals of a report, which are
 * sorted by stage and time. */
#include "cli/cli_internal.h"
#include "pipeline/pipeline_internal.h"

static const char letters[NNC_ACTIVITY_COUNT + 1] = "FBWxu.";

/* The intervals of one pipeline stage, in the order of time. */
typedef struct lane {
    const nnc_interval *at, *end;
} lane;

static const nnc_interval *end_of(const nnc_report *report) { return report->intervals + report->interval_count; }

static lane lane_of(const nnc_report *report, const nnc_interval *first) {
    const nnc_interval *at = first;
    while (at < end_of(report) && at->stage == first->stage) { at++; }
    return (lane){ first, at };
}

/* ---- --timeline: a bar of letters for each pipeline stage ---- */

/* Adds to spent_s the seconds of each activity of a stage between from_s and to_s. Returns the first interval of the
 * stage that ends after from_s. */
static const nnc_interval *spend(lane l, double from_s, double to_s, double *spent_s) {
    while (l.at < l.end && l.at->end_s <= from_s) { l.at++; }
    for (const nnc_interval *one = l.at; one < l.end && one->start_s < to_s; one++) {
        const double start_s = one->start_s > from_s ? one->start_s : from_s;
        spent_s[one->activity] += (one->end_s < to_s ? one->end_s : to_s) - start_s;
    }
    return l.at;
}

/* Draws the bar of a pipeline stage, one letter for each slice of time. A letter shows one activity of its slice; the
 * time of the slice's other activities is added to the next slices. Therefore the share of a letter in the bar is the
 * share of its activity in the time, even if passes are shorter than a slice. */
static void draw(lane l, double begin_s, double slice_s, char *bar, int width) {
    double carried_s[NNC_ACTIVITY_COUNT] = { 0 };
    for (int i = 0; i < width; i++) {
        const double from_s = begin_s + i * slice_s, to_s = from_s + slice_s;
        double spent_s[NNC_ACTIVITY_COUNT] = { 0 };
        int most = -1;
        l.at = spend(l, from_s, to_s, spent_s);
        for (int a = 0; a < NNC_ACTIVITY_COUNT; a++) {
            carried_s[a] += spent_s[a];
            if (spent_s[a] > 0 && (most < 0 || carried_s[a] > carried_s[most])) { most = a; }
        }
        bar[i] = ' '; /* a blank: the pipeline stage is idle in this slice of time */
        if (most >= 0) {
            bar[i] = letters[most];
            carried_s[most] -= slice_s;
        }
    }
    bar[width] = '\0';
}

static void write_interval(nnc_sheet *sheet, const nnc_interval *one, bool chunks) {
    char start[NNC_NUMBER_TEXT], end[NNC_NUMBER_TEXT], name[64];
    if (one->micro_batch < 0) {
        snprintf(name, sizeof name, "%s", nnc_activity_name(one->activity));
    } else if (chunks) {
        snprintf(name, sizeof name, "%c%lld.%d", letters[one->activity], (long long)one->micro_batch, (int)one->chunk);
    } else {
        snprintf(name, sizeof name, "%c%lld", letters[one->activity], (long long)one->micro_batch);
    }
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s %s..%s", name, nnc_unit_text(one->start_s, "s", start),
                   nnc_unit_text(one->end_s, "s", end));
}

/* Writes the first and the last passes of a pipeline stage, and all its intervals without a micro-batch except idle
 * time, which only the bar shows. */
static void write_lane(nnc_sheet *sheet, lane l, bool chunks) {
    enum { SHOWN = 3 };
    int64_t passes = 0, done = 0;
    char label[32];
    for (const nnc_interval *one = l.at; one < l.end; one++) { passes += one->micro_batch >= 0 ? 1 : 0; }
    snprintf(label, sizeof label, "stage %" PRId32, l.at->stage);
    nnc_sheet_label(sheet, label);
    for (const nnc_interval *one = l.at; one < l.end; one++) {
        const bool pass = one->micro_batch >= 0;
        if (one->activity == NNC_ACTIVITY_IDLE) { continue; }
        if (!pass || done < SHOWN || done >= passes - SHOWN) {
            write_interval(sheet, one, chunks);
        } else if (done == SHOWN) {
            nnc_sheet_item(sheet, NNC_INK_PLAIN, "...");
        }
        done += pass ? 1 : 0;
    }
    nnc_sheet_end(sheet);
}

/* A span of time, from the first start to the last end of all intervals, and the activities that occur in it. */
typedef struct span {
    double begin_s, end_s;
    bool has[NNC_ACTIVITY_COUNT];
} span;

static span span_of(const nnc_report *report) {
    span all = { .begin_s = report->intervals[0].start_s, .end_s = report->intervals[0].end_s };
    for (int64_t i = 0; i < report->interval_count; i++) {
        const nnc_interval *one = &report->intervals[i];
        all.begin_s = one->start_s < all.begin_s ? one->start_s : all.begin_s;
        all.end_s = one->end_s > all.end_s ? one->end_s : all.end_s;
        all.has[one->activity] = true;
    }
    return all;
}

static void write_key(nnc_sheet *sheet, const span *all, double slice_s) {
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    nnc_sheet_label(sheet, "timeline");
    nnc_sheet_item(sheet, NNC_INK_STRONG, "%s..%s", nnc_unit_text(all->begin_s, "s", a),
                   nnc_unit_text(all->end_s, "s", b));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "a letter is %s", nnc_unit_text(slice_s, "s", a));
    for (int i = 0; i < NNC_ACTIVITY_COUNT; i++) {
        if (all->has[i]) {
            nnc_sheet_item(sheet, NNC_INK_PLAIN, "%c %s", letters[i], nnc_activity_name((nnc_activity)i));
        }
    }
    nnc_sheet_end(sheet);
}

static bool has_chunks(const nnc_report *report) {
    const nnc_plan *plan = &report->result->plan;
    return plan->pipeline > 1 && (nnc_schedule_chunks(plan) > 1 || nnc_schedule_dual(plan));
}

void nnc_timeline_write(nnc_buffer *out, nnc_style style, const nnc_report *report) {
    enum { LABEL = 10, SLICES_MAX = 400 };
    char bar[SLICES_MAX + 1];
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    const bool markdown = style.format == &nnc_format_markdown;
    const int width = markdown ? 80 : style.width - LABEL;
    const int slices = width > SLICES_MAX ? SLICES_MAX : width;
    const span all = span_of(report);
    const double slice_s = (all.end_s - all.begin_s) / slices;

    write_key(&sheet, &all, slice_s);
    nnc_buffer_text(out, markdown ? "\n```text\n" : "");
    for (const nnc_interval *at = report->intervals; at < end_of(report);) {
        const lane l = lane_of(report, at);
        draw(l, all.begin_s, slice_s, bar, slices);
        nnc_buffer_print(out, "stage %-3d %s\n", (int)at->stage, bar);
        at = l.end;
    }
    nnc_buffer_text(out, markdown ? "```\n\n" : "\n");
    for (const nnc_interval *at = report->intervals; at < end_of(report);) {
        const lane l = lane_of(report, at);
        write_lane(&sheet, l, has_chunks(report));
        at = l.end;
    }
}

/* ---- --trace: writes the JSON object form of the Trace Event Format, which Perfetto and chrome://tracing read. Two
 * slices of one thread do not overlap in part: one slice follows the other, or one slice contains the other. All times
 * are whole nanoseconds. ---- */

/* Numbers of the processes in the trace. The process STAGES has the pipeline stages as threads. The process OPS has the
 * ops of the busiest stage, each with its time in a step. The process NETWORKS has the collectives of the busiest
 * stage; a collective is in the thread of the link on which it takes longest. */
enum { STAGES, OPS, NETWORKS };

static int64_t ns_of(double seconds) { return (int64_t)llround(1e9 * seconds); }

/* Converts nanoseconds to microseconds, the unit of the Trace Event Format. */
static double us_of(int64_t ns) { return (double)ns / 1e3; }

static void begin_event(nnc_record *record, const char *name, const char *phase, int pid, int32_t tid) {
    nnc_record_object(record, NULL);
    nnc_record_text(record, "name", name);
    nnc_record_text(record, "ph", phase);
    nnc_record_whole(record, "pid", pid);
    nnc_record_whole(record, "tid", tid);
}

static void put_name(nnc_record *record, const char *what, int pid, int32_t tid, const char *name) {
    begin_event(record, what, "M", pid, tid);
    nnc_record_object(record, "args");
    nnc_record_text(record, "name", name);
    nnc_record_close(record);
    nnc_record_close(record);
}

/* Begins a slice of the trace. The caller adds the arguments of the slice, and then closes the slice. */
static void begin_slice(nnc_record *record, const char *name, const char *category, int pid, int32_t tid,
                        int64_t from_ns, int64_t to_ns) {
    begin_event(record, name, "X", pid, tid);
    nnc_record_text(record, "cat", category);
    nnc_record_number(record, "ts", us_of(from_ns));
    nnc_record_number(record, "dur", us_of(to_ns - from_ns));
}

static void put_pass(nnc_record *record, const nnc_interval *one) {
    char name[64];
    const char *activity = nnc_activity_name(one->activity);
    const bool pass = one->micro_batch >= 0;
    snprintf(name, sizeof name, pass ? "%s %" PRId64 : "%s", activity, one->micro_batch);
    begin_slice(record, name, activity, STAGES, one->stage, ns_of(one->start_s), ns_of(one->end_s));
    if (pass) {
        nnc_record_object(record, "args");
        nnc_record_whole(record, "micro_batch", one->micro_batch);
        nnc_record_whole(record, "chunk", one->chunk);
        nnc_record_close(record);
    }
    nnc_record_close(record);
}

static void put_counter(nnc_record *record, const char *what, const char *unit, const nnc_interval *one, double value) {
    char name[64];
    snprintf(name, sizeof name, "%s, stage %" PRId32, what, one->stage);
    begin_event(record, name, "C", STAGES, one->stage);
    nnc_record_number(record, "ts", us_of(ns_of(one->end_s)));
    nnc_record_object(record, "args");
    nnc_record_number(record, unit, value);
    nnc_record_close(record);
    nnc_record_close(record);
}

/* Returns the bytes in the memory of a pipeline stage at the end of a pass. Only one class of memory changes during a
 * step: activations are proportional to the micro-batches in flight. memory->activation_bytes is the maximum of the
 * activations. */
static double resident_bytes(const nnc_memory *memory, int64_t in_flight, int64_t most) {
    const double kept = (double)memory->activation_bytes;
    return (double)memory->total_bytes - kept + floor(kept * (double)in_flight / (double)(most > 0 ? most : 1));
}

static void put_arrow(nnc_record *record, const char *phase, const nnc_interval *one, int64_t ns, int64_t id) {
    begin_event(record, nnc_activity_name(one->activity), phase, STAGES, one->stage);
    nnc_record_text(record, "cat", "send");
    nnc_record_whole(record, "id", id);
    nnc_record_number(record, "ts", us_of(ns));
    /* with the member "bp": "e" of the Trace Event Format, an arrow ends at the slice that contains the end time of the
     * arrow */
    nnc_record_text(record, "bp", "e");
    nnc_record_close(record);
}

static bool next_pass(lane *l, nnc_activity activity) {
    while (l->at < l->end && l->at->activity != activity) { l->at++; }
    return l->at < l->end;
}

/* Draws an arrow from each pass of one pipeline stage to the pass of the same micro-batch on another stage. Stops at
 * the first position at which the two stages that the arrows connect run passes of different micro-batches. */
static void put_arrows(nnc_record *record, lane from, lane to, nnc_activity activity, int64_t *id) {
    for (; next_pass(&from, activity) && next_pass(&to, activity); from.at++, to.at++) {
        const int64_t sent = ns_of(from.at->end_s) - 1, taken = ns_of(to.at->start_s);
        if (from.at->micro_batch != to.at->micro_batch || sent < ns_of(from.at->start_s) || taken < sent) {
            return; /* the two stages run their passes in different orders, or a pass takes no time */
        }
        put_arrow(record, "s", from.at, sent, *id);
        put_arrow(record, "f", to.at, taken, *id);
        *id += 1;
    }
}

static int change_of(const nnc_interval *one) {
    return one->activity == NNC_ACTIVITY_FORWARD ? 1 : one->activity == NNC_ACTIVITY_BACKWARD ? -1 : 0;
}

static void put_stage(nnc_record *record, const nnc_report *report, lane l) {
    const nnc_memory *memory =
        l.at->stage < report->stage_count ? &report->stages[l.at->stage].memory : &report->result->memory;
    int64_t in_flight = 0, most = 0;
    for (const nnc_interval *at = l.at; at < l.end; at++) {
        in_flight += change_of(at);
        most = in_flight > most ? in_flight : most;
    }
    in_flight = 0;
    for (; l.at < l.end; l.at++) {
        if (l.at->activity == NNC_ACTIVITY_IDLE) { continue; /* idle time gets no slice in the trace */ }
        put_pass(record, l.at);
        if (change_of(l.at) != 0) {
            in_flight += change_of(l.at);
            put_counter(record, "in flight", "passes", l.at, (double)in_flight);
            put_counter(record, "memory", "bytes", l.at, resident_bytes(memory, in_flight, most));
        }
    }
}

/* Tests whether every pipeline stage has a single chunk. Arrows are drawn only for single chunks: with several chunks,
 * the stage that runs next is not the same for all passes. */
static bool one_chunk(const nnc_report *report) {
    for (int64_t i = 0; i < report->interval_count; i++) {
        if (report->intervals[i].chunk != 0) { return false; }
    }
    return true;
}

static void put_stages(nnc_record *record, const nnc_report *report) {
    const bool arrows = one_chunk(report);
    int64_t id = 1;
    lane before = { NULL, NULL };
    for (const nnc_interval *at = report->intervals; at < end_of(report);) {
        const lane l = lane_of(report, at);
        put_stage(record, report, l);
        if (arrows && before.at != NULL) {
            put_arrows(record, before, l, NNC_ACTIVITY_FORWARD, &id);
            put_arrows(record, l, before, NNC_ACTIVITY_BACKWARD, &id);
        }
        before = l;
        at = l.end;
    }
}

/* Writes a slice for every op; the length of the slice is the time of all instances of the op in a step. The slices of
 * one phase are in one thread, one after the other. */
static void put_ops(nnc_record *record, const nnc_report *report) {
    double used_s[NNC_PHASE_COUNT] = { 0 };
    char text[256];
    for (int32_t i = 0; i < report->op_count; i++) {
        const nnc_op_cost *cost = &report->ops[i];
        const nnc_phase phase = nnc_op_phase(cost->op);
        const double from_s = used_s[phase], to_s = from_s + cost->time_s * cost->repeat;
        if (!(cost->time_s * cost->repeat > 0.0)) { continue; }
        if (from_s <= 0.0) { put_name(record, "thread_name", OPS, (int32_t)phase, nnc_phase_name(phase)); }
        used_s[phase] = to_s;
        begin_slice(record, nnc_op_name(cost->op), nnc_bound_name(cost->bound), OPS, (int32_t)phase, ns_of(from_s),
                    ns_of(to_s));
        nnc_op_shape(cost->op, text, sizeof text);
        nnc_record_object(record, "args");
        nnc_record_text(record, "shape", text);
        nnc_record_number(record, "repeat", cost->repeat);
        nnc_record_number(record, "flops", cost->work.flops + cost->work.vector_flops);
        nnc_record_number(record, "bytes", cost->work.read_bytes + cost->work.write_bytes);
        nnc_record_close(record);
        nnc_record_close(record);
    }
}

/* Writes a slice for every collective; the length of the slice is the time that the collective takes on its link in a
 * step, overlapped or exposed. Each link has one thread. */
static void put_networks(nnc_record *record, const nnc_report *report) {
    static const char *const links[] = { "scale_up", "scale_out", "host" };
    enum { LINKS = sizeof links / sizeof links[0] };
    double used_s[LINKS] = { 0 };
    for (int32_t i = 0; i < report->op_count; i++) {
        const nnc_op_cost *cost = &report->ops[i];
        int32_t link = 0;
        while (link < LINKS && (cost->link == NULL || strcmp(cost->link, links[link]) != 0)) { link++; }
        const double time_s = cost->network_s * cost->repeat;
        if (link == LINKS || !(time_s > 0.0)) { continue; }
        if (used_s[link] <= 0.0) { put_name(record, "thread_name", NETWORKS, link, links[link]); }
        begin_slice(record, nnc_op_name(cost->op), "network", NETWORKS, link, ns_of(used_s[link]),
                    ns_of(used_s[link] + time_s));
        used_s[link] += time_s;
        nnc_record_object(record, "args");
        nnc_record_number(record, "repeat", cost->repeat);
        nnc_record_number(record, "exposed_s", cost->time_s * cost->repeat);
        nnc_record_close(record);
        nnc_record_close(record);
    }
}

void nnc_report_trace(nnc_buffer *out, const nnc_report *report) {
    char name[256];
    nnc_record record = nnc_record_begin(out, "nncost.trace/1");
    nnc_record_text(&record, "displayTimeUnit", "ms");
    nnc_record_list(&record, "traceEvents");
    snprintf(name, sizeof name, "one pipeline: %s on %s", report->model->id, report->device->id);
    put_name(&record, "process_name", STAGES, 0, name);
    put_name(&record, "process_name", OPS, 0, "ops of the busiest stage, all of a step");
    put_name(&record, "process_name", NETWORKS, 0,
             "collectives of the busiest stage by link, overlapped or not, all of a step");
    for (int32_t i = 0; i < report->result->plan.pipeline; i++) {
        snprintf(name, sizeof name, "stage %" PRId32, i);
        put_name(&record, "thread_name", STAGES, i, name);
    }
    put_stages(&record, report);
    put_ops(&record, report);
    put_networks(&record, report);
    nnc_record_close(&record);
    nnc_record_end(&record);
}
