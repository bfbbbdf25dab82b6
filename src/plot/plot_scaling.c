/* Where more devices stop paying: the throughput of one device against that of the smallest size. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/canvas.h"
#include "render/text.h"

enum { BARS_MAX = 48 };

/* Samples per second and device, up to a factor that is the same for all sizes. */
static double rate_of(const nnc_search_size *size)
{
    return 1.0 / (size->best.step_s * size->devices);
}

typedef struct bars {
    nnc_canvas *canvas;
    nnc_scale y;
    nnc_px left, pitch, w;
} bars;

static void draw_grid(const bars *b)
{
    for (int percent = 0; percent <= 100; percent += 25) {
        char text[16];
        const nnc_px y = nnc_scale_at(&b->y, percent / 100.0);
        snprintf(text, sizeof text, "%d%%", percent);
        nnc_svg_line(&b->canvas->svg, "grid", b->left, y, b->canvas->right, y);
        nnc_svg_text(&b->canvas->svg, "dim", 'e', b->left - NNC_PX(6), y + NNC_PX(4), text);
    }
}

/* A line in the bar, if it is wide enough. */
static void put_inside(const bars *b, nnc_px x, nnc_px y, nnc_px top, const char *text)
{
    if (nnc_text_px(text, NNC_TYPE_SMALL) + NNC_PX(2) <= b->w && y - NNC_PX(12) > top) {
        nnc_svg_text(&b->canvas->svg, "s on-backward", 'm', x + b->w / 2, y, text);
    }
}

static void draw_bar(const bars *b, int at, const nnc_search_size *size, double share)
{
    char tip[160], text[48], a[NNC_NUMBER_TEXT], c[NNC_NUMBER_TEXT], d[NNC_NUMBER_TEXT];
    const char *plural = size->devices == 1 ? "" : "s";
    nnc_svg *svg = &b->canvas->svg;
    const nnc_px x = b->left + at * b->pitch + (b->pitch - b->w) / 2, bottom = b->y.start;
    snprintf(text, sizeof text, "%" PRId32, size->devices);
    if (nnc_text_px(text, NNC_TYPE_PLAIN) <= b->pitch) {
        nnc_svg_text(svg, "dim", 'm', x + b->w / 2, bottom + NNC_PX(16), text);
    }
    if (!size->found) {
        snprintf(tip, sizeof tip, "%" PRId32 " device%s: no plan fits", size->devices, plural);
        nnc_svg_mark(svg, NULL, NULL, tip);
        nnc_svg_rect(svg, "grid dash", (nnc_box){ x, b->y.end, b->w, bottom - b->y.end });
        nnc_svg_mark_end(svg);
        return;
    }
    const nnc_px top = nnc_scale_at(&b->y, share), full = nnc_scale_at(&b->y, 1.0);
    nnc_unit_text(size->best.step_s, "s", a);
    nnc_percent_text(size->best.mfu, c);
    nnc_percent_text(share, d);
    snprintf(tip, sizeof tip,
             "%" PRId32 " device%s: %s of the smallest size's rate, step %s, MFU %s", size->devices,
             plural, d, a, c);
    nnc_canvas_say(b->canvas, " %" PRId32 " device%s: %s, step %s.", size->devices, plural, d, a);
    nnc_svg_mark(svg, NULL, NULL, tip);
    if (full < top) {
        nnc_svg_rect(svg, "axis dash", (nnc_box){ x, full, b->w, top - full });
    }
    nnc_svg_rect(svg, "backward", (nnc_box){ x, top, b->w, bottom - top });
    nnc_svg_mark_end(svg);
    snprintf(text, sizeof text, "%.0f%%", 100.0 * share);
    if (nnc_text_px(text, NNC_TYPE_BOLD) <= b->pitch) {
        const nnc_px above = (full < top ? full : top) - NNC_PX(5);
        nnc_svg_text(svg, "b", 'm', x + b->w / 2, above, text);
    }
    put_inside(b, x, bottom - NNC_PX(20), top, a);
    snprintf(text, sizeof text, "MFU %s", c);
    put_inside(b, x, bottom - NNC_PX(7), top, text);
}

static void draw(nnc_canvas *canvas, const nnc_plot_data *data)
{
    const nnc_search_report *report = data->search;
    const int count = report->size_count < BARS_MAX ? report->size_count : BARS_MAX;
    const nnc_search_size *first = NULL;
    char subject[NNC_CANVAS_TITLE], sentence[NNC_CANVAS_TITLE + 160],
        base[96] = "no plan of any size fits";
    double most = 1.0;
    for (int i = count - 1; i >= 0; i--) {
        first = report->sizes[i].found ? &report->sizes[i] : first;
    }
    for (int i = 0; i < count && first != NULL; i++) {
        if (report->sizes[i].found) {
            most = nnc_max(most, rate_of(&report->sizes[i]) / rate_of(first));
        }
    }
    if (first != NULL) {
        snprintf(base, sizeof base, "throughput per device against %" PRId32, first->devices);
    }
    nnc_canvas_subject(report->model, report->device, 1, subject);
    snprintf(sentence, sizeof sentence,
             "%s, %s; the batch of %" PRId64 " is fixed, every size has its own best plan", subject,
             base, report->search->base.global_batch);
    nnc_canvas_heading(canvas, "Scaling", sentence, "");
    const nnc_px top = canvas->y + NNC_PX(22);
    bars b = { .canvas = canvas, .left = canvas->left + NNC_PX(44) };
    const nnc_px height = NNC_PX(canvas->narrow ? 150 : 200);
    b.y = (nnc_scale){ 0.0, most, top + height, top, false };
    b.pitch = (canvas->right - b.left) / (nnc_px)nnc_max(count, 1.0);
    b.w = b.pitch * 7 / 10 < NNC_PX(80) ? b.pitch * 7 / 10 : NNC_PX(80);
    draw_grid(&b);
    for (int i = 0; i < count; i++) {
        const nnc_search_size *size = &report->sizes[i];
        draw_bar(&b, i, size,
                 first != NULL && size->found ? rate_of(size) / rate_of(first) : (double)NAN);
    }
    nnc_svg_text(&canvas->svg, "dim", 'm', (b.left + canvas->right) / 2, top + height + NNC_PX(34),
                 "devices");
    canvas->y = top + height + NNC_PX(44);
}

const nnc_picture nnc_plot_scaling = {
    .name = "scaling",
    .help = "Where more devices stop paying: throughput per device of the best plan of every size.",
    .of = NNC_PLOT_SIZES,
    .draw = draw,
};
