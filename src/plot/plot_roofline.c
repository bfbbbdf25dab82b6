/* Every op under the roof of the device: on which side of the ridge the time is, and how far below. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot/roofline_marks.h"
#include "render/text.h"

enum { LABELS = 9, LABELS_NARROW = 4 };
static const double SHOWN_FROM = 0.004; /* share of the step from which a mark may have a label */

static void draw_shape(nnc_svg *svg, nnc_bound bound, nnc_px x, nnc_px y, nnc_px radius,
                       bool outlined)
{
    char class[32];
    snprintf(class, sizeof class, outlined ? "other" : "mark %s", nnc_bound_name(bound));
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

static void draw_marks(nnc_roofline *r, bool outlined)
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
        snprintf(tip, sizeof tip, "%s%s, %s: %s of the step, %s at %s FLOP/B, %s-bound%s",
                 outlined ? "outlined: " : "", nnc_op_name(m->cost->op),
                 nnc_phase_name(nnc_op_phase(m->cost->op)), nnc_percent_text(m->share, a),
                 nnc_unit_text(m->flops_per_s, "FLOP/s", b), nnc_count_text(m->intensity, c),
                 nnc_bound_name(m->cost->bound), rows);
        nnc_svg_mark(&r->canvas->svg, NULL, outlined ? NULL : key, tip);
        draw_shape(&r->canvas->svg, m->cost->bound, m->x, m->y, m->radius, outlined);
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
            draw_shape(&r->canvas->svg, bounds[i], x + NNC_PX(5), y - NNC_PX(4), NNC_PX(5), false);
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
    char subject[NNC_CANVAS_TITLE], sentence[NNC_CANVAS_SENTENCE];
    nnc_canvas_subject(report->model, report->device, report->result->plan.devices, subject);
    snprintf(sentence, sizeof sentence, "%s, every op of the step; area is its share", subject);
    nnc_canvas_other(data->other, 0.0, "", sentence);
    nnc_canvas_heading(canvas, "Roofline", sentence, "");
    nnc_roofline *r = calloc(1, sizeof *r);
    nnc_roof_mark *marks = calloc(NNC_ROOF_MARKS_MAX, sizeof *marks);
    const nnc_box area = { NNC_PX(58), canvas->y + NNC_PX(8), canvas->right - NNC_PX(74),
                           NNC_PX(canvas->narrow ? 240 : 320) };
    if (r != NULL && marks != NULL) {
        *r = (nnc_roofline){ .canvas = canvas,
                             .report = report,
                             .other = data->other,
                             .marks = marks,
                             .peak = report->result->peak_flops_per_s,
                             .rate = report->device->mem_bytes_per_s };
        r->places.area = area;
        nnc_roofline_scale(r, area);
        nnc_canvas_grid(canvas, area, (nnc_ticks){ &r->x, "", canvas->narrow ? 6 : 9 },
                        (nnc_ticks){ &r->y, "", 8 }, "FLOP per byte of device memory traffic");
        nnc_svg_turned(&canvas->svg, "dim", 'm', NNC_PX(14), area.y + area.h / 2, -900, "FLOP/s");
        if (r->other != NULL) {
            nnc_roofline_gather(r, r->other);
            nnc_roofline_draw_other(r);
            draw_marks(r, true);
        }
        nnc_roofline_gather(r, report);
        nnc_roofline_draw_roof(r, area);
        draw_legend(r, area);
        draw_marks(r, false);
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
