/* Every op under the roof of the device: on which side of the ridge the time is, and how far below. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot/roofline_marks.h"
#include "render/text.h"

enum { LABELS = 9, LABELS_NARROW = 4 };
static const double SHOWN_FROM = 0.004; /* share of the step from which a mark may have a label */

static void draw_grid(nnc_roofline *r, nnc_box area)
{
    double ticks[NNC_TICKS_MAX];
    char text[NNC_NUMBER_TEXT];
    nnc_svg *svg = &r->canvas->svg;
    int count = nnc_scale_ticks(&r->x, r->canvas->narrow ? 6 : 9, ticks);
    for (int i = 0; i < count; i++) {
        const nnc_px x = nnc_scale_at(&r->x, ticks[i]);
        nnc_svg_line(svg, "grid", x, area.y, x, area.y + area.h);
        nnc_svg_text(svg, "dim", 'm', x, area.y + area.h + NNC_PX(17),
                     nnc_tick_text(ticks[i], "", text));
    }
    count = nnc_scale_ticks(&r->y, 8, ticks);
    for (int i = 0; i < count; i++) {
        const nnc_px y = nnc_scale_at(&r->y, ticks[i]);
        nnc_svg_line(svg, "grid", area.x, y, area.x + area.w, y);
        nnc_svg_text(svg, "dim", 'e', area.x - NNC_PX(6), y + NNC_PX(3),
                     nnc_tick_text(ticks[i], "", text));
    }
    nnc_svg_text(svg, "dim", 'm', area.x + area.w / 2, area.y + area.h + NNC_PX(34),
                 "FLOP per byte of device memory traffic");
    nnc_svg_turned(svg, "dim", 'm', NNC_PX(14), area.y + area.h / 2, -900, "FLOP/s");
}

/* A roof of a bandwidth and a peak, which meet at x and y. */
typedef struct roof {
    nnc_px left_y, x, y;
} roof;

static roof roof_at(const nnc_roofline *r, double peak, double rate)
{
    return (roof){ .left_y = nnc_scale_at(&r->y, rate * r->x.from),
                   .x = nnc_scale_at(&r->x, peak / rate),
                   .y = nnc_scale_at(&r->y, peak) };
}

static void draw_roof_line(nnc_roofline *r, const char *class, const char *tip, double peak,
                           double rate)
{
    nnc_svg *svg = &r->canvas->svg;
    const roof at = roof_at(r, peak, rate);
    nnc_px x = r->x.start, y = at.left_y;
    if (y > r->y.start) { /* comes in from below */
        x += (nnc_px)((double)(at.x - x) * (y - r->y.start) / (y - at.y));
        y = r->y.start;
    }
    nnc_svg_mark(svg, NULL, NULL, tip);
    nnc_svg_path(svg, class);
    nnc_svg_to(svg, 'M', x, y);
    nnc_svg_to(svg, 'L', at.x, at.y);
    nnc_svg_to(svg, 'L', r->x.end, at.y);
    nnc_svg_path_end(svg, false);
    nnc_svg_mark_end(svg);
    nnc_place_take_line(&r->places, x, y, at.x, at.y, NNC_PX(3));
    nnc_place_take_line(&r->places, at.x, at.y, r->x.end, at.y, NNC_PX(3));
}

/* What the fit says that long products and copies reach. */
static void draw_sustained(nnc_roofline *r)
{
    char tip[128], a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    const nnc_result *result = r->report->result;
    const double peak = nnc_report_sustained_flops_per_s(r->report);
    const double rate = nnc_report_sustained_bytes_per_s(r->report);
    if (result->plan.mode == NNC_MODE_IDEAL || !(peak < r->peak || rate < r->rate)) {
        return;
    }
    snprintf(tip, sizeof tip, "sustained by fitted kernels: %s, %s",
             nnc_unit_text(peak, "FLOP/s", a), nnc_unit_text(rate, "B/s", b));
    draw_roof_line(r, "roof dash thin", tip, peak, rate);
}

static void draw_roof(nnc_roofline *r, nnc_box area)
{
    nnc_svg *svg = &r->canvas->svg;
    char text[96], a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    const roof at = roof_at(r, r->peak, r->rate);
    const double degrees = atan2(at.left_y - at.y, at.x - r->x.start) * 180.0 / acos(-1.0);
    const nnc_px bottom = area.y + area.h;

    nnc_svg_path(svg, "tint");
    nnc_svg_to(svg, 'M', r->x.start, bottom);
    nnc_svg_to(svg, 'L', r->x.start, at.left_y < bottom ? at.left_y : bottom);
    nnc_svg_to(svg, 'L', at.x, at.y);
    nnc_svg_to(svg, 'L', r->x.end, at.y);
    nnc_svg_to(svg, 'L', r->x.end, bottom);
    nnc_svg_path_end(svg, true);
    draw_sustained(r);
    nnc_unit_text(r->peak, "FLOP/s", a);
    nnc_unit_text(r->rate, "B/s", b);
    snprintf(text, sizeof text, "datasheet: %s, %s", a, b);
    draw_roof_line(r, "roof", text, r->peak, r->rate);

    snprintf(text, sizeof text, "%s %s", a, nnc_dtype_name(r->report->result->plan.precision));
    const nnc_px w = nnc_text_px(text, NNC_TYPE_PLAIN);
    nnc_svg_text(svg, "", 'e', r->x.end, at.y - NNC_PX(6), text);
    nnc_place_take(&r->places, nnc_line_box(r->x.end - w, at.y - NNC_PX(6), w), true);

    /* Along the slope, in the middle of it. */
    const nnc_px w_rate = nnc_text_px(b, NNC_TYPE_PLAIN), run = at.x - r->x.start;
    const nnc_px x = r->x.start + run / 2, y = (at.left_y + at.y) / 2;
    const double turn = degrees * acos(-1.0) / 180.0, off = NNC_PX(6);
    const nnc_px lx = x - (nnc_px)lround(off * sin(turn)), ly = y - (nnc_px)lround(off * cos(turn));
    const nnc_px dx = (nnc_px)lround(w_rate / 2.0 * cos(turn)),
                 dy = (nnc_px)lround(w_rate / 2.0 * sin(turn));
    if (run > w_rate + NNC_PX(20)) {
        nnc_svg_turned(svg, "", 'm', lx, ly, -nnc_px_of(degrees), b);
        nnc_place_take_line(&r->places, lx - dx, ly + dy - NNC_PX(5), lx + dx, ly - dy - NNC_PX(5),
                            NNC_PX(14));
    }

    const double ridge = r->report->result->ridge_flops_per_byte;
    const nnc_px line = nnc_scale_at(&r->x, ridge), label_y = area.y + area.h * 6 / 10;
    snprintf(text, sizeof text, "ridge %s", nnc_count_text(ridge, a));
    const nnc_px w_ridge = nnc_text_px(text, NNC_TYPE_PLAIN);
    nnc_svg_line(svg, "axis dash", line, at.y, line, bottom);
    nnc_svg_text(svg, "dim", 'e', line - NNC_PX(5), label_y, text);
    nnc_place_take(&r->places, nnc_line_box(line - NNC_PX(5) - w_ridge, label_y, w_ridge), true);
    nnc_place_take_line(&r->places, line, at.y, line, bottom, NNC_PX(2));
}

static void draw_shape(nnc_svg *svg, nnc_bound bound, nnc_px x, nnc_px y, nnc_px radius)
{
    char class[32];
    snprintf(class, sizeof class, "mark %s", nnc_bound_name(bound));
    if (bound == NNC_BOUND_COMPUTE) {
        nnc_svg_circle(svg, class, x, y, radius);
    } else if (bound == NNC_BOUND_MEMORY) { /* a square of the same area */
        const nnc_px half = radius * 886 / 1000;
        nnc_svg_rect(svg, class, (nnc_box){ x - half, y - half, 2 * half, 2 * half });
    } else {
        const nnc_px half = radius * 1253 / 1000;
        nnc_svg_path(svg, class);
        nnc_svg_to(svg, 'M', x, y - half);
        nnc_svg_to(svg, 'L', x + half, y);
        nnc_svg_to(svg, 'L', x, y + half);
        nnc_svg_to(svg, 'L', x - half, y);
        nnc_svg_path_end(svg, true);
    }
}

static void draw_marks(nnc_roofline *r)
{
    for (int i = 0; i < r->count; i++) {
        const nnc_roof_mark *m = &r->marks[i];
        char tip[256], key[128], a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT], c[NNC_NUMBER_TEXT];
        char rows[64] = "";
        snprintf(key, sizeof key, "%s/%s", nnc_op_name(m->cost->op),
                 nnc_phase_name(nnc_op_phase(m->cost->op)));
        if (m->others > 0) {
            snprintf(rows, sizeof rows, ", %d rows of several ops", m->rows);
        } else if (m->rows > 1) {
            snprintf(rows, sizeof rows, ", %d rows", m->rows);
        }
        snprintf(tip, sizeof tip, "%s, %s: %s of the step, %s at %s FLOP/B, %s-bound%s",
                 nnc_op_name(m->cost->op), nnc_phase_name(nnc_op_phase(m->cost->op)),
                 nnc_percent_text(m->share, a), nnc_unit_text(m->flops_per_s, "FLOP/s", b),
                 nnc_count_text(m->intensity, c), nnc_bound_name(m->cost->bound), rows);
        nnc_svg_mark(&r->canvas->svg, NULL, key, tip);
        draw_shape(&r->canvas->svg, m->cost->bound, m->x, m->y, m->radius);
        nnc_svg_mark_end(&r->canvas->svg);
        if (m->share >= SHOWN_FROM) {
            nnc_place_take(
                &r->places,
                (nnc_box){ m->x - m->radius, m->y - m->radius, 2 * m->radius, 2 * m->radius },
                false);
        }
    }
}

/* By falling share; of ops of one name that lie together only the first. */
static void draw_labels(nnc_roofline *r)
{
    const int most = r->canvas->narrow ? LABELS_NARROW : LABELS;
    int shown = 0;
    for (int i = 0; i < r->count && shown < most && r->marks[i].share >= SHOWN_FROM; i++) {
        const nnc_roof_mark *m = &r->marks[i];
        const char *name = nnc_op_name(m->cost->op);
        char label[96];
        bool near = false;
        snprintf(label, sizeof label, "%.60s", name);
        if (m->others > 0) {
            snprintf(label, sizeof label, "%.60s and %d more", name, m->others);
        }
        for (int k = 0; k < i && !near; k++) {
            near = strcmp(nnc_op_name(r->marks[k].cost->op), name) == 0 &&
                   abs(r->marks[k].x - m->x) < NNC_PX(60) && abs(r->marks[k].y - m->y) < NNC_PX(60);
        }
        if (!near && nnc_canvas_label(r->canvas, &r->places, (nnc_spot){ m->x, m->y, m->radius },
                                      NNC_PX(60), label, "")) {
            shown++;
        }
    }
}

/* Each bound's share, and the rest, so that they add up. */
static int legend_lines(const nnc_roofline *r, char lines[NNC_BOUND_COUNT + 1][64],
                        nnc_bound bounds[NNC_BOUND_COUNT + 1])
{
    char share[NNC_NUMBER_TEXT];
    int count = 0;
    for (int bound = 0; bound < NNC_BOUND_COUNT; bound++) {
        if (r->bound_share[bound] > 0) {
            nnc_percent_text(r->bound_share[bound], share);
            snprintf(lines[count], 64, "%s-bound %s%s", nnc_bound_name((nnc_bound)bound), share,
                     count == 0 ? " of the step" : "");
            bounds[count++] = (nnc_bound)bound;
        }
    }
    if (r->not_drawn > 0.0005) {
        nnc_percent_text(r->not_drawn, share);
        snprintf(lines[count], 64, "not drawn %s, no FLOPs or waiting", share);
        bounds[count++] = NNC_BOUND_COUNT;
    }
    return count;
}

/* Right at the bottom, where ops never are; on a narrow canvas below the plot. */
static void draw_legend(nnc_roofline *r, nnc_box area)
{
    char lines[NNC_BOUND_COUNT + 1][64];
    nnc_bound bounds[NNC_BOUND_COUNT + 1];
    const int count = legend_lines(r, lines, bounds);
    const bool narrow = r->canvas->narrow;
    nnc_px w = 0;
    for (int i = 0; i < count; i++) {
        const nnc_px wide = nnc_text_px(lines[i], NNC_TYPE_PLAIN);
        w = wide > w ? wide : w;
        nnc_canvas_say(r->canvas, " %c%s.", lines[i][0] - 'a' + 'A', lines[i] + 1);
    }
    const nnc_px x = narrow ? r->canvas->left : area.x + area.w - w - NNC_PX(24);
    nnc_px y = narrow ? area.y + area.h + NNC_PX(56) : area.y + area.h - NNC_PX(17 * count - 6);
    if (!narrow) {
        const nnc_box box = { x - NNC_PX(6), y - NNC_PX(13), w + NNC_PX(26),
                              NNC_PX(17 * count + 2) };
        nnc_place_take(&r->places, box, true);
        nnc_svg_rect(&r->canvas->svg, "page", box);
        nnc_svg_rect(&r->canvas->svg, "tint", box);
    }
    for (int i = 0; i < count; i++) {
        if (bounds[i] < NNC_BOUND_COUNT) {
            draw_shape(&r->canvas->svg, bounds[i], x + NNC_PX(5), y - NNC_PX(4), NNC_PX(5));
        }
        nnc_svg_text(&r->canvas->svg, bounds[i] < NNC_BOUND_COUNT ? "" : "dim", 's', x + NNC_PX(15),
                     y, lines[i]);
        y += NNC_PX(17);
    }
    r->canvas->y = narrow ? y - NNC_PX(6) : area.y + area.h + NNC_PX(44);
}

static void draw(nnc_canvas *canvas, const nnc_plot_data *data)
{
    const nnc_report *report = data->report;
    char subject[NNC_CANVAS_TITLE], sentence[NNC_CANVAS_TITLE + 64];
    nnc_canvas_subject(report->model, report->device, report->result->plan.devices, subject);
    snprintf(sentence, sizeof sentence, "%s, every op of the step; area is its share", subject);
    nnc_canvas_heading(canvas, "Roofline", sentence, "");
    nnc_roofline *r = calloc(1, sizeof *r);
    nnc_roof_mark *marks = calloc(NNC_ROOF_MARKS_MAX, sizeof *marks);
    const nnc_box area = { NNC_PX(58), canvas->y + NNC_PX(8), canvas->right - NNC_PX(74),
                           NNC_PX(canvas->narrow ? 240 : 320) };
    if (r != NULL && marks != NULL) {
        *r = (nnc_roofline){ .canvas = canvas,
                             .report = report,
                             .marks = marks,
                             .peak = report->result->peak_flops_per_s,
                             .rate = report->device->mem_bytes_per_s };
        r->places.area = area;
        nnc_roofline_scale(r, area);
        nnc_roofline_gather(r);
        draw_grid(r, area);
        draw_roof(r, area);
        draw_legend(r, area);
        draw_marks(r);
        draw_labels(r);
    } else {
        canvas->svg.body.failed = true;
    }
    free(marks);
    free(r);
}

const nnc_picture nnc_plot_roofline = {
    .name = "roofline",
    .help = "Every op under the roof of the device: which side of the ridge, how far below.",
    .of = NNC_PLOT_ESTIMATE,
    .draw = draw,
};
