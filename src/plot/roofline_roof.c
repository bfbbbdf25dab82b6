/* The roof itself: peaks and bandwidths. */
#include <math.h>
#include <stdio.h>

#include "plot/roofline_marks.h"
#include "render/text.h"

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

void nnc_roofline_draw_other(nnc_roofline *r)
{
    char tip[128], a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    const double peak = r->other->result->peak_flops_per_s,
                 rate = r->other->device->mem_bytes_per_s;
    snprintf(tip, sizeof tip, "outlined: %s, %s", nnc_unit_text(peak, "FLOP/s", a),
             nnc_unit_text(rate, "B/s", b));
    draw_roof_line(r, "other", tip, peak, rate);
}

void nnc_roofline_draw_roof(nnc_roofline *r, nnc_box area)
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
    const double rise = at.left_y - at.y, length = hypot(run, rise), off = NNC_PX(6);
    const nnc_px lx = x - (nnc_px)lround(off * rise / length),
                 ly = y - (nnc_px)lround(off * run / length);
    const nnc_px dx = (nnc_px)lround(w_rate / 2.0 * run / length),
                 dy = (nnc_px)lround(w_rate / 2.0 * rise / length);
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
