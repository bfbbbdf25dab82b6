#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/canvas.h"

nnc_px nnc_scale_at(const nnc_scale *scale, double value)
{
    const double share = scale->log ? log(value / scale->from) / log(scale->to / scale->from)
                                    : (value - scale->from) / (scale->to - scale->from);
    return scale->start + nnc_px_of(share * (scale->end - scale->start) / 10.0);
}

/* The ticks at so many steps of one in `every` decades. */
static int decade_ticks(const nnc_scale *scale, const double *steps, int step_count, int every,
                        double ticks[NNC_TICKS_MAX])
{
    const int first = (int)floor(log10(scale->from)), last = (int)ceil(log10(scale->to));
    int count = 0;
    for (int decade = first; decade <= last; decade++) {
        for (int i = 0; i < step_count && count < NNC_TICKS_MAX; i++) {
            const double value = steps[i] * pow(10.0, decade);
            const bool inside =
                value >= scale->from * (1.0 - 1e-9) && value <= scale->to * (1.0 + 1e-9);
            if (inside && decade % every == 0) {
                ticks[count++] = value;
            }
        }
    }
    return count;
}

/* 1, 2, 5; less than three of these are too few, and where there are too many it is every decade, every
 * other one ... */
static int log_ticks(const nnc_scale *scale, int most, double ticks[NNC_TICKS_MAX])
{
    static const double few[] = { 1.0, 2.0, 5.0 }, many[] = { 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0 };
    int count = decade_ticks(scale, few, 3, 1, ticks);
    if (count < 3) {
        count = decade_ticks(scale, many, 7, 1, ticks);
        return count <= most ? count : decade_ticks(scale, few, 3, 1, ticks);
    }
    for (int every = 1; count > most && every < 64; every++) {
        count = decade_ticks(scale, few, 1, every, ticks);
    }
    return count;
}

int nnc_scale_ticks(const nnc_scale *scale, int most, double ticks[NNC_TICKS_MAX])
{
    static const double steps[] = { 1.0, 2.0, 5.0, 10.0 };
    int count = 0;
    if (scale->log) {
        return log_ticks(scale, most, ticks);
    }
    const double least = (scale->to - scale->from) / (most > 1 ? most : 1);
    const double decade = pow(10.0, floor(log10(least)));
    size_t i = 0;
    while (i < 3 && steps[i] * decade < least) {
        i++;
    }
    const double step = steps[i] * decade;
    const double first = ceil(scale->from / step - 1e-9);
    while (count < NNC_TICKS_MAX && (first + count) * step <= scale->to + 1e-9 * step) {
        ticks[count] = (first + count) * step;
        count++;
    }
    return count;
}

/* "200.0 ms" -> "200 ms", "1.000 s" -> "1 s", "100.0 m" -> "0.1". */
char *nnc_tick_text(double value, const char *unit, char text[NNC_NUMBER_TEXT])
{
    if (unit[0] == '\0' && value >= 0.01 && value < 1.0) { /* 0.1, not 100 m */
        snprintf(text, NNC_NUMBER_TEXT, "%g", value);
        return text;
    }
    nnc_unit_text(value, unit, text);
    char *end = text + strcspn(text, " ");
    char *last = end;
    if (memchr(text, '.', (size_t)(end - text)) != NULL) {
        while (last[-1] == '0') {
            last--;
        }
        last -= last[-1] == '.' ? 1 : 0;
    }
    memmove(last, end, strlen(end) + 1);
    return text;
}

void nnc_canvas_grid(nnc_canvas *canvas, nnc_box area, nnc_ticks x, nnc_ticks y, const char *name)
{
    double ticks[NNC_TICKS_MAX];
    char text[NNC_NUMBER_TEXT];
    nnc_svg *svg = &canvas->svg;
    int count = nnc_scale_ticks(x.scale, x.most, ticks);
    for (int i = 0; i < count; i++) {
        const nnc_px at = nnc_scale_at(x.scale, ticks[i]);
        nnc_svg_line(svg, "grid", at, area.y, at, area.y + area.h);
        nnc_svg_text(svg, "dim", 'm', at, area.y + area.h + NNC_PX(17),
                     nnc_tick_text(ticks[i], x.unit, text));
    }
    count = nnc_scale_ticks(y.scale, y.most, ticks);
    for (int i = 0; i < count; i++) {
        const nnc_px at = nnc_scale_at(y.scale, ticks[i]);
        nnc_svg_line(svg, "grid", area.x, at, area.x + area.w, at);
        nnc_svg_text(svg, "dim", 'e', area.x - NNC_PX(6), at + NNC_PX(4),
                     nnc_tick_text(ticks[i], y.unit, text));
    }
    nnc_svg_text(svg, "dim", 'm', area.x + area.w / 2, area.y + area.h + NNC_PX(34), name);
}
