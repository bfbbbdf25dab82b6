/* The parts of a step's time, and the range that the time falls in. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/plot_internal.h"
#include "render/render_internal.h"

enum { PARTS_MAX = 16 };

typedef struct part {
    const nnc_metric *row;
    double seconds;
    nnc_px x, w;
} part;

/* Metrics that add up to the step, in order. */
static int parts_of(const nnc_result *result, part parts[PARTS_MAX])
{
    const nnc_place place = { .record = result };
    char text[NNC_METRIC_TEXT_MAX];
    int count = 0;
    for (size_t i = 0; i < nnc_step_metrics.count && count < PARTS_MAX; i++) {
        const nnc_metric *row = &nnc_step_metrics.rows[i];
        const nnc_cell cell = nnc_metric_read(row, &place, 0, text);
        if (nnc_metric_rare(row)->part_of != NULL && cell.kind == NNC_CELL_NUMBER &&
            cell.number > 0) {
            parts[count++] = (part){ .row = row, .seconds = cell.number };
        }
    }
    return count;
}

/* Time that the step waits for input; 0 without a run, or when input keeps up. */
static double wait_of(const nnc_run *run)
{
    return run != NULL && run->input_wait_s > 0.0 ? run->input_wait_s : 0.0;
}

static int add_wait(const nnc_run *run, part parts[PARTS_MAX], int count)
{
    for (size_t i = 0; wait_of(run) > 0.0 && i < nnc_run_metrics.count; i++) {
        if (strcmp(nnc_run_metrics.rows[i].name, "input_wait_s") == 0 && count < PARTS_MAX) {
            parts[count++] =
                (part){ .row = &nnc_run_metrics.rows[i], .seconds = run->input_wait_s };
        }
    }
    return count;
}

static bool is_exposed(const part *p)
{
    return strcmp(p->row->name, "exposed_comm_s") == 0;
}

static nnc_legend entry_of(const part *p, double step_s)
{
    char time[NNC_NUMBER_TEXT], share[NNC_NUMBER_TEXT];
    const bool hatched =
        strcmp(p->row->name, "bubble_s") == 0 || strcmp(p->row->name, "input_wait_s") == 0;
    nnc_legend entry = { .hue = hatched ? "" : p->row->head,
                         .label = is_exposed(p) ? "exposed communication" : p->row->head,
                         .explain = p->row->name };
    snprintf(entry.value, sizeof entry.value, "%s, %s", nnc_unit_text(p->seconds, "s", time),
             nnc_percent_text(p->seconds / step_s, share));
    return entry;
}

/* Tooltip of exposed communication, by the ranks that communicate. */
static void add_kinds(const nnc_result *result, char *tip, size_t size)
{
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

/* The parts side by side, filled, or as outlines for the other estimate. */
static void draw_parts(nnc_canvas *canvas, const nnc_scale *scale, const nnc_report *report,
                       part *parts, int count, bool outlined)
{
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
        snprintf(tip, sizeof tip, "%s%s: %s", outlined ? "outlined: " : "", entry.label,
                 entry.value);
        if (is_exposed(p)) {
            add_kinds(report->result, tip, sizeof tip);
        }
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

static void say_parts(nnc_canvas *canvas, const part *parts, int count, double step_s)
{
    for (int i = 0; i < count; i++) {
        const nnc_legend entry = entry_of(&parts[i], step_s);
        nnc_canvas_say(canvas, " %c%s %s.", entry.label[0] - 'a' + 'A', entry.label + 1,
                       entry.value);
    }
}

/* The step plus the wait for input. */
static int all_parts(const nnc_report *report, part parts[PARTS_MAX])
{
    return add_wait(report->run, parts, parts_of(report->result, parts));
}

/* A label under each part that is wide enough, with a leader if it had to move. */
static void draw_labels(nnc_canvas *canvas, const part *parts, int count, double step_s)
{
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

static void draw_tick(nnc_canvas *canvas, nnc_px x, const char *explain, const char *tip)
{
    nnc_svg_mark(&canvas->svg, explain, NULL, tip);
    nnc_svg_line(&canvas->svg, "edge thin", x, canvas->y - NNC_PX(8), x, canvas->y + NNC_PX(8));
    nnc_svg_mark_end(&canvas->svg);
}

/* A scale from 0: the bounds, the range of nine of ten measurements, and the prediction. */
static void draw_bounds(nnc_canvas *canvas, const nnc_result *r, double other_s)
{
    const bool known = !isnan(r->interval_s[0]) && !isnan(r->interval_s[1]);
    const double most = known ? nnc_max(r->interval_s[1], r->upper_bound_s) : r->upper_bound_s;
    const nnc_scale scale = { 0.0, nnc_max(nnc_max(most, r->step_s), other_s) * 1.02, canvas->left,
                              canvas->right, false };
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
    if (both) {
        nnc_svg_text(&canvas->svg, "dim", 's', x[1], canvas->y, high);
    }
    canvas->y += NNC_PX(14);
    nnc_svg_line(&canvas->svg, "axis", canvas->left, canvas->y, canvas->right, canvas->y);
    nnc_canvas_say(canvas, " %c%s, %s.", 'A', low + 1, high);
    if (known) {
        const nnc_px from = nnc_scale_at(&scale, r->interval_s[0]);
        const nnc_px to = nnc_scale_at(&scale, r->interval_s[1]);
        snprintf(band, sizeof band, "9 of 10 measured: %s to %s",
                 nnc_unit_text(r->interval_s[0], "s", a), nnc_unit_text(r->interval_s[1], "s", b));
        nnc_canvas_say(canvas, " %s.", band);
        nnc_svg_mark(&canvas->svg, "interval_s", NULL, band);
        nnc_svg_round(&canvas->svg, "band",
                      (nnc_box){ from, canvas->y - NNC_PX(6), to - from, NNC_PX(12) }, NNC_PX(6));
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
    nnc_svg_circle(&canvas->svg, "dot backward", nnc_scale_at(&scale, r->step_s), canvas->y,
                   NNC_PX(5));
    nnc_svg_mark_end(&canvas->svg);
    canvas->y += NNC_PX(known ? 32 : 16);
}

static void draw(nnc_canvas *canvas, const nnc_plot_data *data)
{
    const nnc_report *report = data->report, *other = data->other;
    part parts[PARTS_MAX], others[PARTS_MAX];
    char sentence[NNC_CANVAS_SENTENCE], step[NNC_NUMBER_TEXT];
    const double step_s = report->result->step_s + wait_of(report->run);
    const double other_s = other != NULL ? other->result->step_s + wait_of(other->run) : 0.0;
    const nnc_scale scale = { 0.0, nnc_max(step_s, other_s), canvas->left, canvas->right, false };
    const int count = all_parts(report, parts);
    nnc_canvas_subject(report->model, report->device, report->result->plan.devices, sentence);
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
    .help = "The parts of a step, and the range in which it falls.",
    .of = NNC_PLOT_ESTIMATE,
    .draw = draw,
};
