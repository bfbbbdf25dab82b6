/* Two pictures: the memory of a device by class, and whether the plan fits; the parts of the time of a step. */
#include "plot/plot_internal.h"
#include "render/render_internal.h"

enum { CLASSES_MAX = 12, ROWS_MAX = 64 };

/* Draws the memory that a plan uses on one device as a row of boxes, one for each class of memory. outlined: true =
 * only outlines, for the second estimate of a comparison; false = filled boxes. */
static void draw_classes(nnc_canvas *canvas, const nnc_scale *scale, const nnc_memory *memory, nnc_px height,
                         bool outlined) {
    nnc_metric_part classes[NNC_METRIC_PARTS_MAX];
    char size[NNC_NUMBER_TEXT], share[NNC_NUMBER_TEXT], tip[128], class[32];
    const int count = nnc_metric_parts(&nnc_memory_metrics, memory, 0.0, classes);
    const double capacity = (double)memory->capacity_bytes;
    double done = 0.0;
    for (int i = 0; i < count; i++) {
        const char *name = classes[i].row->head;
        const nnc_px x = nnc_scale_at(scale, done);
        done += classes[i].value;
        const nnc_px w = nnc_scale_at(scale, done) - x;
        snprintf(tip, sizeof tip, "%s%s: %s, %s of the device", outlined ? "outlined: " : "", name,
                 nnc_unit_text(classes[i].value, "B", size), nnc_percent_text(classes[i].value / capacity, share));
        snprintf(class, sizeof class, outlined ? "other" : "bar %s", name);
        nnc_svg_mark(&canvas->svg, outlined ? NULL : classes[i].row->name, NULL, tip);
        nnc_svg_rect(&canvas->svg, class, (nnc_box){ x, canvas->y, w, height });
        nnc_svg_mark_end(&canvas->svg);
    }
}

/* Draws the bar of one device: the background is the capacity; the boxes on the background are the memory that the plan
 * uses, by class. A frame marks the part above the capacity. */
static void draw_bar(nnc_canvas *canvas, const nnc_scale *scale, const nnc_memory *memory, nnc_px height) {
    const nnc_px y = canvas->y, end = nnc_scale_at(scale, (double)memory->capacity_bytes);
    nnc_svg_rect(&canvas->svg, "idle", (nnc_box){ scale->start, y, end - scale->start, height });
    draw_classes(canvas, scale, memory, height, false);
    if (memory->headroom_bytes < 0) {
        const nnc_px over = nnc_scale_at(scale, (double)memory->total_bytes);
        nnc_svg_rect(&canvas->svg, "frame", (nnc_box){ end, y - NNC_PX(2), over - end, height + NNC_PX(4) });
    }
    nnc_svg_line(&canvas->svg, "edge", end, y - NNC_PX(4), end, y + height + NNC_PX(4));
}

/* Draws the memory of the second estimate as outlines above the bar of the first estimate, and a line at the capacity
 * of the second device. */
static void draw_other(nnc_canvas *canvas, const nnc_scale *scale, const nnc_memory *memory) {
    const nnc_px height = NNC_PX(9), end = nnc_scale_at(scale, (double)memory->capacity_bytes);
    draw_classes(canvas, scale, memory, height, true);
    nnc_svg_line(&canvas->svg, "edge thin", end, canvas->y - NNC_PX(3), end, canvas->y + height + NNC_PX(1));
    canvas->y += height + NNC_PX(6);
}

/* Writes the free memory inside the bar if there is enough space in the bar, otherwise below the bar. If the plan does
 * not fit, writes the missing memory below the bar. */
static void draw_headroom(nnc_canvas *canvas, const nnc_scale *scale, const nnc_memory *memory, nnc_px height) {
    char size[NNC_NUMBER_TEXT], text[64];
    const nnc_px from = nnc_scale_at(scale, (double)memory->total_bytes);
    const bool over = memory->headroom_bytes < 0;
    nnc_unit_text((double)(over ? -memory->headroom_bytes : memory->headroom_bytes), "B", size);
    snprintf(text, sizeof text, over ? "%s too much" : "%s free", size);
    nnc_canvas_say(canvas, " %s.", text);
    const nnc_px w = nnc_text_px(text, NNC_TYPE_PLAIN);
    const nnc_px room = nnc_scale_at(scale, (double)memory->capacity_bytes) - from;
    if (!over && room > w + NNC_PX(12)) {
        nnc_svg_text(&canvas->svg, "dim", 'm', from + room / 2, canvas->y + height / 2 + NNC_PX(4), text);
        canvas->y += height;
        return;
    }
    canvas->y += height + NNC_PX(16);
    nnc_svg_text(&canvas->svg, over ? "b" : "dim", 'e', canvas->right, canvas->y, text);
}

/* Draws the legend of the memory classes that occur in the bars. The value of a class is its largest value in any
 * bar. */
static void draw_legend(nnc_canvas *canvas, const nnc_memory *const *bars, int32_t bar_count, bool values) {
    nnc_legend entries[CLASSES_MAX];
    int count = 0;
    char text[NNC_METRIC_TEXT_MAX], size[NNC_NUMBER_TEXT];
    for (size_t i = 0; i < nnc_memory_metrics.count && count < CLASSES_MAX; i++) {
        const nnc_metric *row = &nnc_memory_metrics.rows[i];
        int64_t most = 0;
        for (int32_t k = 0; k < bar_count && nnc_metric_rare(row)->part_of != NULL; k++) {
            const nnc_place place = { .record = bars[k] };
            const int64_t bytes = nnc_metric_read(row, &place, 0, text).whole;
            most = bytes > most ? bytes : most;
        }
        if (most > 0) {
            entries[count] = (nnc_legend){ .hue = row->head, .label = row->head };
            if (values) {
                snprintf(entries[count].value, sizeof entries[count].value, "%s",
                         nnc_unit_text((double)most, "B", size));
                nnc_canvas_say(canvas, " %c%s %s.", row->head[0] - 'a' + 'A', row->head + 1, size);
            }
            count++;
        }
    }
    nnc_canvas_legend(canvas, canvas->left, entries, count);
}

static nnc_scale scale_to(const nnc_canvas *canvas, nnc_px from, double capacity, double total) {
    return (nnc_scale){ 0.0, total > capacity ? total : capacity, from, canvas->right, false };
}

static void draw_one(nnc_canvas *canvas, const nnc_report *report, const nnc_report *other) {
    const nnc_result *r = report->result;
    const nnc_memory *memory = &r->memory;
    const double total = (double)memory->total_bytes, capacity = (double)memory->capacity_bytes;
    const nnc_memory none = { 0 }, *more = other != NULL ? &other->result->memory : &none;
    char sentence[NNC_CANVAS_SENTENCE], result[96];
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT], c[NNC_NUMBER_TEXT];
    nnc_canvas_subject(report->model, report->device, r->plan.devices, report->overrides, sentence);
    if (r->plan.pipeline > 1) {
        nnc_text_append(sentence, sizeof sentence, "", ", the fullest stage: %" PRId32, r->memory_stage);
    }
    nnc_canvas_other(other, (double)more->total_bytes, "B", sentence);
    snprintf(result, sizeof result, "%s of %s, %s", nnc_unit_text(total, "B", a), nnc_unit_text(capacity, "B", b),
             nnc_percent_text(total / capacity, c));
    nnc_canvas_heading(canvas, "Memory", sentence, result);
    const nnc_scale scale = scale_to(canvas, canvas->left, nnc_max(capacity, (double)more->capacity_bytes),
                                     nnc_max(total, (double)more->total_bytes));
    if (other != NULL) { draw_other(canvas, &scale, more); }
    draw_bar(canvas, &scale, memory, NNC_PX(30));
    draw_headroom(canvas, &scale, memory, NNC_PX(30));
    draw_legend(canvas, &memory, 1, true);
}

/* Returns the stage that uses the most memory, among the stages from `from` to `to` - 1. */
static int32_t fullest(const nnc_report *report, int32_t from, int32_t to) {
    int32_t most = from;
    for (int32_t i = from; i < to && i < report->stage_count; i++) {
        const int64_t bytes = report->stages[i].memory.total_bytes;
        most = bytes > report->stages[most].memory.total_bytes ? i : most;
    }
    return most;
}

/* Draws one bar for each stage, all on the same scale. If a pipeline has too many stages, each bar stands for n
 * successive stages and shows the one that uses the most memory. */
static void draw_stages(nnc_canvas *canvas, const nnc_report *report) {
    const int32_t every =
        nnc_ceil_div(report->stage_count, ROWS_MAX) > 1 ? (int32_t)nnc_ceil_div(report->stage_count, ROWS_MAX) : 1;
    const int32_t most = fullest(report, 0, report->stage_count);
    const double capacity = (double)report->stages[most].memory.capacity_bytes;
    const nnc_px height = NNC_PX(16), gap = NNC_PX(4);
    const nnc_memory *bars[ROWS_MAX];
    char subject[NNC_CANVAS_TITLE], sentence[NNC_CANVAS_TITLE + 96], text[64], a[NNC_NUMBER_TEXT];
    int32_t count = 0;
    nnc_canvas_subject(report->model, report->device, report->result->plan.devices, report->overrides, subject);
    snprintf(sentence, sizeof sentence,
             every > 1 ? "%s, every %" PRId32 "th stage; right: micro-batches in flight"
                       : "%s, a device of each stage; right: micro-batches in flight",
             subject, every);
    snprintf(text, sizeof text, "%s each", nnc_unit_text(capacity, "B", a));
    nnc_canvas_heading(canvas, "Memory", sentence, text);
    nnc_scale scale = scale_to(canvas, canvas->left + NNC_PX(canvas->narrow ? 24 : 56), capacity,
                               (double)report->stages[most].memory.total_bytes);
    scale.end -= NNC_PX(40);
    for (int32_t from = 0; from < report->stage_count; from += every) {
        const int32_t at = fullest(report, from, from + every);
        const nnc_stage *stage = &report->stages[at];
        bars[count++] = &stage->memory;
        snprintf(text, sizeof text, canvas->narrow ? "%" PRId32 : "stage %" PRId32, at);
        nnc_svg_text(&canvas->svg, "dim", 's', canvas->left, canvas->y + NNC_PX(12), text);
        nnc_svg_text(&canvas->svg, "dim", 'e', canvas->right, canvas->y + NNC_PX(12),
                     nnc_count_text(stage->in_flight, a));
        nnc_canvas_say(canvas, " Stage %" PRId32 " %s.", at, nnc_unit_text((double)stage->memory.total_bytes, "B", a));
        draw_bar(canvas, &scale, &stage->memory, height);
        canvas->y += height + gap;
    }
    draw_legend(canvas, bars, count, false);
}

static void draw(nnc_canvas *canvas, const nnc_plot_data *data) {
    if (canvas->how->stages && data->report->stage_count > 1) {
        draw_stages(canvas, data->report);
    } else {
        draw_one(canvas, data->report, data->other);
    }
}

const nnc_picture nnc_plot_memory = {
    .name = "memory",
    .help = "Memory of the fullest device by class, or of every stage with --stages.",
    .of = NNC_PLOT_ESTIMATE,
    .by_stages = true,
    .draw = draw,
};

/* ---- picture of the parts of a step's time, and of the 90 % range of the step time ---- */

enum { PARTS_MAX = NNC_METRIC_PARTS_MAX };

typedef struct part {
    const nnc_metric *row;
    double seconds;
    nnc_px x, w;
} part;

/* Lists the metrics whose sum is the step time, in the order of the bar. Returns the number of metrics in the list. */
static int parts_of(const nnc_result *result, part parts[PARTS_MAX]) {
    nnc_metric_part found[NNC_METRIC_PARTS_MAX];
    const int count = nnc_metric_parts(&nnc_step_metrics, result, 0.0, found);
    for (int i = 0; i < count; i++) { parts[i] = (part){ .row = found[i].row, .seconds = found[i].value }; }
    return count;
}

/* Returns the seconds of a step in which the devices wait for input samples; 0 if no run is computed, or if the samples
 * arrive in time. */
static double wait_of(const nnc_run *run) { return run != NULL && run->input_wait_s > 0.0 ? run->input_wait_s : 0.0; }

static int add_wait(const nnc_run *run, part parts[PARTS_MAX], int count) {
    for (size_t i = 0; wait_of(run) > 0.0 && i < nnc_run_metrics.count; i++) {
        if (strcmp(nnc_run_metrics.rows[i].name, "input_wait_s") == 0 && count < PARTS_MAX) {
            parts[count++] = (part){ .row = &nnc_run_metrics.rows[i], .seconds = run->input_wait_s };
        }
    }
    return count;
}

static bool is_exposed(const part *p) { return strcmp(p->row->name, "exposed_comm_s") == 0; }

static nnc_legend entry_of(const part *p, double step_s) {
    char time[NNC_NUMBER_TEXT], share[NNC_NUMBER_TEXT];
    const bool hatched = strcmp(p->row->name, "bubble_s") == 0 || strcmp(p->row->name, "input_wait_s") == 0;
    nnc_legend entry = { .hue = hatched ? "" : p->row->head,
                         .label = is_exposed(p) ? "exposed communication" : p->row->head,
                         .explain = p->row->name };
    snprintf(entry.value, sizeof entry.value, "%s, %s", nnc_unit_text(p->seconds, "s", time),
             nnc_percent_text(p->seconds / step_s, share));
    return entry;
}

/* Appends lines to a tooltip: for each kind of parallelism (data, tensor ...), its exposed and its whole communication
 * time. */
static void add_kinds(const nnc_result *result, char *tip, size_t size) {
    char exposed[NNC_NUMBER_TEXT], all[NNC_NUMBER_TEXT];
    for (unsigned kind = 0; kind < NNC_COMM_COUNT; kind++) {
        const size_t used = strlen(tip);
        if (result->communication_s[kind] > 0) {
            snprintf(tip + used, size - used, "\n%s: %s of %s", nnc_comm_name((nnc_comm)kind),
                     nnc_unit_text(result->exposed_s[kind], "s", exposed),
                     nnc_unit_text(result->communication_s[kind], "s", all));
        }
    }
}

/* Draws the parts of a step's time side by side. outlined: true = only outlines, for the second estimate of a
 * comparison; false = filled boxes. */
static void draw_parts(nnc_canvas *canvas, const nnc_scale *scale, const nnc_report *report, part *parts, int count,
                       bool outlined) {
    const double step_s = report->result->step_s + wait_of(report->run);
    const nnc_px height = NNC_PX(outlined ? 9 : 30);
    double done_s = 0.0;
    for (int i = 0; i < count; i++) {
        part *p = &parts[i];
        char tip[512], class[32];
        const nnc_legend entry = entry_of(p, step_s);
        p->x = nnc_scale_at(scale, done_s);
        done_s += p->seconds;
        p->w = nnc_scale_at(scale, done_s) - p->x;
        snprintf(tip, sizeof tip, "%s%s: %s", outlined ? "outlined: " : "", entry.label, entry.value);
        if (is_exposed(p)) { add_kinds(report->result, tip, sizeof tip); }
        const nnc_box box = { p->x, canvas->y, p->w, height };
        nnc_svg_mark(&canvas->svg, outlined ? NULL : p->row->name, NULL, tip);
        if (!outlined && entry.hue[0] == '\0') {
            nnc_svg_hatched(&canvas->svg, box);
        } else {
            snprintf(class, sizeof class, outlined ? "other" : "bar %s", entry.hue);
            nnc_svg_rect(&canvas->svg, class, box);
        }
        nnc_svg_mark_end(&canvas->svg);
    }
    canvas->y += height;
}

static void say_parts(nnc_canvas *canvas, const part *parts, int count, double step_s) {
    for (int i = 0; i < count; i++) {
        const nnc_legend entry = entry_of(&parts[i], step_s);
        nnc_canvas_say(canvas, " %c%s %s.", entry.label[0] - 'a' + 'A', entry.label + 1, entry.value);
    }
}

/* Lists the parts of the step time, then the wait for input samples, if there is one. Returns the number of entries. */
static int all_parts(const nnc_report *report, part parts[PARTS_MAX]) {
    return add_wait(report->run, parts, parts_of(report->result, parts));
}

/* Writes a label below each part that takes at least 2 % of the step, with a leader line to the part. On a narrow
 * canvas, or if the labels do not fit side by side, writes a legend with one label per row instead. */
static void draw_labels(nnc_canvas *canvas, const part *parts, int count, double step_s) {
    const double shown_from = 0.02;
    nnc_legend entries[PARTS_MAX];
    nnc_px x[PARTS_MAX], w[PARTS_MAX], at[PARTS_MAX];
    int shown = 0;
    for (int i = 0; i < count; i++) {
        if (parts[i].seconds >= shown_from * step_s) {
            entries[shown] = entry_of(&parts[i], step_s);
            w[shown] = nnc_canvas_entry_px(&entries[shown]);
            at[shown] = parts[i].x + (parts[i].w < NNC_PX(16) ? parts[i].w / 2 : NNC_PX(8));
            x[shown] = parts[i].x;
            shown++;
        }
    }
    if (canvas->narrow || !nnc_place_row(x, w, shown, canvas->left, canvas->right, NNC_PX(14))) {
        nnc_canvas_rows(canvas, entries, shown);
        return;
    }
    for (int i = 0; i < shown; i++) {
        nnc_svg_path(&canvas->svg, "axis thin");
        nnc_svg_to(&canvas->svg, 'M', at[i], canvas->y);
        nnc_svg_to(&canvas->svg, 'L', at[i], canvas->y + NNC_PX(5));
        nnc_svg_to(&canvas->svg, 'L', x[i] + NNC_PX(4), canvas->y + NNC_PX(11));
        nnc_svg_path_end(&canvas->svg, false);
        nnc_canvas_entry(canvas, x[i], canvas->y + NNC_PX(23), &entries[i]);
    }
    canvas->y += NNC_PX(43);
}

static void draw_tick(nnc_canvas *canvas, nnc_px x, const char *explain, const char *tip) {
    nnc_svg_mark(&canvas->svg, explain, NULL, tip);
    nnc_svg_line(&canvas->svg, "edge thin", x, canvas->y - NNC_PX(8), x, canvas->y + NNC_PX(8));
    nnc_svg_mark_end(&canvas->svg);
}

/* Draws a time scale from 0 with the lower and upper bound, the predicted step time, and the range that contains nine
 * of ten measurements. */
static void draw_bounds(nnc_canvas *canvas, const nnc_result *r, double other_s) {
    const bool known = !isnan(r->interval_s[0]) && !isnan(r->interval_s[1]);
    const double most = known ? nnc_max(r->interval_s[1], r->upper_bound_s) : r->upper_bound_s;
    const nnc_scale scale = { 0.0, nnc_max(nnc_max(most, r->step_s), other_s) * 1.02, canvas->left, canvas->right,
                              false };
    char low[64], high[64], band[96], a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    const nnc_px lower = nnc_scale_at(&scale, r->lower_bound_s);
    const nnc_px upper = nnc_scale_at(&scale, r->upper_bound_s);
    snprintf(low, sizeof low, "at least %s", nnc_unit_text(r->lower_bound_s, "s", a));
    snprintf(high, sizeof high, "without overlap %s", nnc_unit_text(r->upper_bound_s, "s", a));
    const nnc_px w[2] = { nnc_text_px(low, NNC_TYPE_PLAIN), nnc_text_px(high, NNC_TYPE_PLAIN) };
    nnc_px x[2] = { lower - w[0] / 2, upper - w[1] / 2 };
    const bool both = nnc_place_row(x, w, 2, canvas->left, canvas->right, NNC_PX(12));

    canvas->y += NNC_PX(20);
    nnc_svg_text(&canvas->svg, "dim", 's', both ? x[0] : canvas->left, canvas->y, low);
    if (both) { nnc_svg_text(&canvas->svg, "dim", 's', x[1], canvas->y, high); }
    canvas->y += NNC_PX(14);
    nnc_svg_line(&canvas->svg, "axis", canvas->left, canvas->y, canvas->right, canvas->y);
    nnc_canvas_say(canvas, " %c%s, %s.", 'A', low + 1, high);
    if (known) {
        const nnc_px from = nnc_scale_at(&scale, r->interval_s[0]);
        const nnc_px to = nnc_scale_at(&scale, r->interval_s[1]);
        snprintf(band, sizeof band, "90 %% range: %s to %s", nnc_unit_text(r->interval_s[0], "s", a),
                 nnc_unit_text(r->interval_s[1], "s", b));
        nnc_canvas_say(canvas, " %s.", band);
        nnc_svg_mark(&canvas->svg, "interval_s", NULL, band);
        nnc_svg_round(&canvas->svg, "band", (nnc_box){ from, canvas->y - NNC_PX(6), to - from, NNC_PX(12) }, NNC_PX(6));
        nnc_svg_mark_end(&canvas->svg);
        nnc_px w_band = nnc_text_px(band, NNC_TYPE_PLAIN), x_band = (from + to - w_band) / 2;
        nnc_place_row(&x_band, &w_band, 1, canvas->left, canvas->right, 0);
        nnc_svg_text(&canvas->svg, "dim", 's', x_band, canvas->y + NNC_PX(22), band);
    }
    draw_tick(canvas, lower, "lower_bound_s", low);
    draw_tick(canvas, upper, "upper_bound_s", high);
    if (other_s > 0.0) {
        snprintf(band, sizeof band, "outlined: %s", nnc_unit_text(other_s, "s", a));
        nnc_svg_mark(&canvas->svg, NULL, NULL, band);
        nnc_svg_circle(&canvas->svg, "other", nnc_scale_at(&scale, other_s), canvas->y, NNC_PX(5));
        nnc_svg_mark_end(&canvas->svg);
    }
    snprintf(band, sizeof band, "predicted: %s", nnc_unit_text(r->step_s, "s", a));
    nnc_svg_mark(&canvas->svg, "step_s", NULL, band);
    nnc_svg_circle(&canvas->svg, "dot backward", nnc_scale_at(&scale, r->step_s), canvas->y, NNC_PX(5));
    nnc_svg_mark_end(&canvas->svg);
    canvas->y += NNC_PX(known ? 32 : 16);
}

static void draw_step(nnc_canvas *canvas, const nnc_plot_data *data) {
    const nnc_report *report = data->report, *other = data->other;
    part parts[PARTS_MAX], others[PARTS_MAX];
    char sentence[NNC_CANVAS_SENTENCE], step[NNC_NUMBER_TEXT];
    const double step_s = report->result->step_s + wait_of(report->run);
    const double other_s = other != NULL ? other->result->step_s + wait_of(other->run) : 0.0;
    const nnc_scale scale = { 0.0, nnc_max(step_s, other_s), canvas->left, canvas->right, false };
    const int count = all_parts(report, parts);
    nnc_canvas_subject(report->model, report->device, report->result->plan.devices, report->overrides, sentence);
    nnc_canvas_other(other, other_s, "s", sentence);
    nnc_canvas_heading(canvas, "One step", sentence, nnc_unit_text(step_s, "s", step));
    if (other != NULL) {
        draw_parts(canvas, &scale, other, others, all_parts(other, others), true);
        canvas->y += NNC_PX(3);
    }
    say_parts(canvas, parts, count, step_s);
    draw_parts(canvas, &scale, report, parts, count, false);
    draw_labels(canvas, parts, count, step_s);
    draw_bounds(canvas, report->result, other_s);
}

const nnc_picture nnc_plot_step = {
    .name = "step",
    .help = "The parts of a step, and the predicted range of the step time.",
    .of = NNC_PLOT_ESTIMATE,
    .draw = draw_step,
};
