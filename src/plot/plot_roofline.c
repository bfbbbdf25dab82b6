/* Two pictures. The roofline shows each op below the roof of the device: its arithmetic intensity, compared with the
 * ridge point, and its distance from the roof. The picture of a trace shows operators with their lower bounds. */
#include "plot/plot_internal.h"
#include "render/render_internal.h"

enum { ROOF_MARKS_MAX = 1024 };

/* A symbol of the roofline. One symbol stands for all rows of the op table that have the same name, phase and bound,
 * and are at the same position. */
typedef struct roof_mark {
    const nnc_op_cost *cost; /* the first row of the op table for which the symbol stands */
    double intensity, flops_per_s, share;
    int rows, others; /* rows: number of rows of the op table that the symbol shows; others: number of symbols of other
                       * ops that were joined with it */
    nnc_px x, y, radius;
} roof_mark;

typedef struct roofline {
    nnc_canvas *canvas;
    /* other: the second estimate, drawn as outlines; NULL = only one estimate is drawn */
    const nnc_report *report, *other;
    nnc_scale x, y;
    /* roof of the device. peak: peak rate of matrix products in FLOP/s; rate: memory bandwidth in B/s */
    double peak, rate;
    roof_mark *marks;
    int count;
    /* bound_share[b]: share of the step time that the drawn ops with bound b take; not_drawn: share of the step time
     * that is not drawn */
    double bound_share[NNC_BOUND_COUNT], not_drawn;
    nnc_places places;
} roofline;

static double rate_of(const nnc_op_cost *cost) { return (cost->work.flops + cost->work.vector_flops) / cost->time_s; }

static bool is_drawn(const nnc_op_cost *cost) {
    const double rate = rate_of(cost), intensity = nnc_intensity(&cost->work);
    return cost->repeat > 0 && cost->time_s > 0 && isfinite(rate) && isfinite(intensity) && rate > 0 && intensity > 0;
}

static double power_below(double value) { return pow(10.0, floor(log10(value) + 1e-9)); }

/* Sets the two scales of the roofline. Each scale begins and ends at a power of ten. The scale of the intensity
 * (FLOP/B) begins at 0.1 or at the lowest intensity of an op, whichever is less. The scale of the intensity ends at
 * eight times the ridge point or at the highest intensity, whichever is more. The scale of the rate (FLOP/s) reaches
 * down to the slowest op, but at most seven powers of ten below the peak. */
static void roofline_scale(roofline *r, nnc_box area) {
    const nnc_report *both[] = { r->report, r->other };
    double least = 0.1, most = least, slowest = INFINITY, peak = 0.0, ridge = 0.0;
    for (int k = 0; k < 2 && both[k] != NULL; k++) {
        const double own = both[k]->result->peak_flops_per_s, at = own / both[k]->device->mem_bytes_per_s;
        peak = nnc_max(peak, own);
        ridge = nnc_max(ridge, at);
        most = nnc_max(most, 8.0 * at);
        slowest = nnc_min(slowest, own / 1e3);
        for (int32_t i = 0; i < both[k]->op_count; i++) {
            const nnc_op_cost *cost = &both[k]->ops[i];
            if (is_drawn(cost)) {
                const double intensity = nnc_intensity(&cost->work);
                least = nnc_min(least, intensity);
                most = nnc_max(most, intensity);
                slowest = nnc_min(slowest, rate_of(cost));
            }
        }
    }
    least = nnc_max(least, 1e-4 * ridge);
    slowest = nnc_max(slowest, peak / 1e7);
    r->x = (nnc_scale){ power_below(least), 10.0 * power_below(most * 0.999), area.x, area.x + area.w, true };
    r->y = (nnc_scale){ power_below(slowest), peak * 2.2, area.y + area.h, area.y, true };
}

/* NEAR: symbols at this distance or less are joined, because they look the same. A symbol may be joined twice: first
 * with symbols of the same op, then with small symbols of different ops. */
static const nnc_px NEAR = NNC_PX(3) / 2;

/* Adds a symbol for a row of the op table. If the op already has a symbol at this position, the row is added to that
 * symbol. */
static void add_mark(roofline *r, const nnc_op_cost *cost, double share) {
    const double intensity = nnc_intensity(&cost->work), flops_per_s = rate_of(cost);
    const nnc_px x = nnc_scale_at(&r->x, intensity), y = nnc_scale_at(&r->y, flops_per_s);
    for (int i = 0; i < r->count; i++) {
        roof_mark *m = &r->marks[i];
        if (abs(m->x - x) <= NEAR && abs(m->y - y) <= NEAR && m->cost->bound == cost->bound &&
            nnc_op_phase(m->cost->op) == nnc_op_phase(cost->op) &&
            strcmp(nnc_op_name(m->cost->op), nnc_op_name(cost->op)) == 0) {
            m->share += share;
            m->rows++;
            return;
        }
    }
    r->marks[r->count++] = (roof_mark){ cost, intensity, flops_per_s, share, 1, 0, x, y, 0 };
}

static int by_share(const void *a, const void *b) {
    const roof_mark *x = a, *y = b;
    return x->share > y->share ? -1 : x->share < y->share ? 1 : x->cost < y->cost ? -1 : 1;
}

/* Joins small symbols at one position that have one kind of bound, even if they belong to different ops, because
 * hundreds of small symbols look like a cloud. */
static void join_small(roofline *r) {
    /* smallest share of an op at which the radius of its symbol grows with the share; the symbols of all smaller shares
     * have the smallest radius */
    const double small = 9.0 / (46.0 * 46.0);
    const bool page = r->canvas->how->marks > 0;
    const nnc_px near = page ? NNC_PX(6) : NEAR;
    int kept = 0;
    for (int i = 0; i < r->count; i++) {
        const roof_mark mark = r->marks[i];
        roof_mark *into = NULL;
        for (int k = 0; k < kept && mark.share < small && into == NULL; k++) {
            roof_mark *other = &r->marks[k];
            into = (other->share < small || other->others > 0) && other->cost->bound == mark.cost->bound &&
                           abs(other->x - mark.x) <= near && abs(other->y - mark.y) <= near
                       ? other
                       : NULL;
        }
        if (into != NULL) {
            into->share += mark.share;
            into->rows += mark.rows;
            into->others++;
        } else {
            r->marks[kept++] = mark;
        }
    }
    r->count = kept;
}

/* Lists the symbols of one estimate (at most ROOF_MARKS_MAX), those with the largest share of the step time first. */
static void gather_marks(roofline *r, const nnc_report *report) {
    r->count = 0;
    memset(r->bound_share, 0, sizeof r->bound_share);
    for (int32_t i = 0; i < report->op_count; i++) {
        const nnc_op_cost *cost = &report->ops[i];
        const double share = cost->time_s * cost->repeat / report->result->step_s;
        if (!(cost->repeat > 0)) { continue; }
        if (is_drawn(cost) && rate_of(cost) >= r->y.from && nnc_intensity(&cost->work) >= r->x.from &&
            r->count < ROOF_MARKS_MAX) {
            add_mark(r, cost, share);
            r->bound_share[cost->bound] += share;
        }
    }
    r->not_drawn = 1.0;
    for (int bound = 0; bound < NNC_BOUND_COUNT; bound++) { r->not_drawn -= r->bound_share[bound]; }
    qsort(r->marks, (size_t)r->count, sizeof *r->marks, by_share);
    join_small(r);
    qsort(r->marks, (size_t)r->count, sizeof *r->marks, by_share);
    for (int i = 0; i < r->count; i++) {
        const double radius = 46.0 * sqrt(r->marks[i].share);
        r->marks[i].radius = nnc_px_of(radius < 3.0 ? 3.0 : radius);
    }
}

/* A roof of the roofline: the line of the memory bandwidth and the line of the peak rate, which meet at (x, y). */
typedef struct roof {
    nnc_px left_y, x, y;
} roof;

static roof roof_at(const roofline *r, double peak, double rate) {
    return (roof){ .left_y = nnc_scale_at(&r->y, rate * r->x.from),
                   .x = nnc_scale_at(&r->x, peak / rate),
                   .y = nnc_scale_at(&r->y, peak) };
}

static void draw_roof_line(roofline *r, const char *class, const char *tip, double peak, double rate) {
    nnc_svg *svg = &r->canvas->svg;
    const roof at = roof_at(r, peak, rate);
    nnc_px x = r->x.start, y = at.left_y;
    if (y > r->y.start) { /* the left end of the roof is below the visible area, so the line starts further to the
                           * right */
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

/* Draws the roof that fitted kernels reach: the rate of large matrix products and the bandwidth of copies. Draws
 * nothing in ideal mode, or if this roof is not below the roof of the datasheet. */
static void draw_sustained(roofline *r) {
    char tip[128], a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    const nnc_result *result = r->report->result;
    const double peak = nnc_report_sustained_flops_per_s(r->report);
    const double rate = nnc_report_sustained_bytes_per_s(r->report);
    if (result->plan.mode == NNC_MODE_IDEAL || !(peak < r->peak || rate < r->rate)) { return; }
    snprintf(tip, sizeof tip, "sustained by fitted kernels: %s, %s", nnc_unit_text(peak, "FLOP/s", a),
             nnc_unit_text(rate, "B/s", b));
    draw_roof_line(r, "roof dash thin", tip, peak, rate);
}

/* Draws the roof of the second estimate's device (r->other) as an outline. */
static void draw_other_roof(roofline *r) {
    char tip[128], a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    const double peak = r->other->result->peak_flops_per_s, rate = r->other->device->mem_bytes_per_s;
    snprintf(tip, sizeof tip, "outlined: %s, %s", nnc_unit_text(peak, "FLOP/s", a), nnc_unit_text(rate, "B/s", b));
    draw_roof_line(r, "other", tip, peak, rate);
}

/* Draws two roofs: the roof of the device by its datasheet, and the lower roof that fitted kernels reach. */
static void draw_roof(roofline *r, nnc_box area) {
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

    /* The bandwidth is written along the sloping line of the roof, at its middle. */
    const nnc_px w_rate = nnc_text_px(b, NNC_TYPE_PLAIN), run = at.x - r->x.start;
    const nnc_px x = r->x.start + run / 2, y = (at.left_y + at.y) / 2;
    const double rise = at.left_y - at.y, length = hypot(run, rise), off = NNC_PX(6);
    const nnc_px lx = x - (nnc_px)lround(off * rise / length), ly = y - (nnc_px)lround(off * run / length);
    const nnc_px dx = (nnc_px)lround(w_rate / 2.0 * run / length), dy = (nnc_px)lround(w_rate / 2.0 * rise / length);
    if (run > w_rate + NNC_PX(20)) {
        nnc_svg_turned(svg, "", 'm', lx, ly, -nnc_px_of(degrees), b);
        nnc_place_take_line(&r->places, lx - dx, ly + dy - NNC_PX(5), lx + dx, ly - dy - NNC_PX(5), NNC_PX(14));
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

enum { LABELS = 9, LABELS_NARROW = 4 };
static const double SHOWN_FROM = 0.004; /* smallest share of the step time with which a symbol gets a label */

static void draw_shape(nnc_svg *svg, nnc_bound bound, nnc_px x, nnc_px y, nnc_px radius, bool outlined) {
    char class[32];
    snprintf(class, sizeof class, outlined ? "other" : "mark %s", nnc_bound_name(bound));
    if (bound == NNC_BOUND_COMPUTE) {
        nnc_svg_circle(svg, class, x, y, radius);
    } else if (bound == NNC_BOUND_MEMORY) {
        /* The drawn square has the same area as a circle with the radius `radius`. */
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

static void draw_marks(roofline *r, bool outlined) {
    for (int i = 0; i < r->count; i++) {
        const roof_mark *m = &r->marks[i];
        char tip[256], key[128], a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT], c[NNC_NUMBER_TEXT];
        char rows[64] = "";
        snprintf(key, sizeof key, "%s/%s", nnc_op_name(m->cost->op), nnc_phase_name(nnc_op_phase(m->cost->op)));
        if (m->others > 0) {
            snprintf(rows, sizeof rows, ", %d rows of several ops", m->rows);
        } else if (m->rows > 1) {
            snprintf(rows, sizeof rows, ", %d rows", m->rows);
        }
        snprintf(tip, sizeof tip, "%s%s, %s: %s of the step, %s at %s FLOP/B, %s-bound%s", outlined ? "outlined: " : "",
                 nnc_op_name(m->cost->op), nnc_phase_name(nnc_op_phase(m->cost->op)), nnc_percent_text(m->share, a),
                 nnc_unit_text(m->flops_per_s, "FLOP/s", b), nnc_count_text(m->intensity, c),
                 nnc_bound_name(m->cost->bound), rows);
        nnc_svg_mark(&r->canvas->svg, NULL, outlined ? NULL : key, tip);
        draw_shape(&r->canvas->svg, m->cost->bound, m->x, m->y, m->radius, outlined);
        nnc_svg_mark_end(&r->canvas->svg);
        if (m->share >= SHOWN_FROM) {
            nnc_place_take(&r->places, (nnc_box){ m->x - m->radius, m->y - m->radius, 2 * m->radius, 2 * m->radius },
                           false);
        }
    }
}

/* Writes labels on the symbols, those with the largest share first. If several symbols with the same name are near each
 * other, only the first of them gets a label. */
static void draw_labels(roofline *r) {
    const int most = r->canvas->narrow ? LABELS_NARROW : LABELS;
    int shown = 0;
    for (int i = 0; i < r->count && shown < most && r->marks[i].share >= SHOWN_FROM; i++) {
        const roof_mark *m = &r->marks[i];
        const char *name = nnc_op_name(m->cost->op);
        char label[96];
        bool near = false;
        snprintf(label, sizeof label, "%.60s", name);
        if (m->others > 0) { snprintf(label, sizeof label, "%.60s and %d more", name, m->others); }
        for (int k = 0; k < i && !near; k++) {
            near = strcmp(nnc_op_name(r->marks[k].cost->op), name) == 0 && abs(r->marks[k].x - m->x) < NNC_PX(60) &&
                   abs(r->marks[k].y - m->y) < NNC_PX(60);
        }
        if (!near &&
            nnc_canvas_label(r->canvas, &r->places, (nnc_spot){ m->x, m->y, m->radius }, NNC_PX(60), label, "")) {
            shown++;
        }
    }
}

/* Writes a line of text for each kind of bound with its share of the step time, and a line for the share that is not
 * drawn. The sum of the shares is the whole step. Returns the number of lines. */
static int legend_lines(const roofline *r, char lines[NNC_BOUND_COUNT + 1][64], nnc_bound bounds[NNC_BOUND_COUNT + 1]) {
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

/* Draws the legend in the lower right corner of the plot, where there are no ops. On a narrow canvas, draws the legend
 * below the plot. */
static void draw_legend(roofline *r, nnc_box area) {
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
        const nnc_box box = { x - NNC_PX(6), y - NNC_PX(13), w + NNC_PX(26), NNC_PX(17 * count + 2) };
        nnc_place_take(&r->places, box, true);
        nnc_svg_rect(&r->canvas->svg, "page", box);
        nnc_svg_rect(&r->canvas->svg, "tint", box);
    }
    for (int i = 0; i < count; i++) {
        if (bounds[i] < NNC_BOUND_COUNT) {
            draw_shape(&r->canvas->svg, bounds[i], x + NNC_PX(5), y - NNC_PX(4), NNC_PX(5), false);
        }
        nnc_svg_text(&r->canvas->svg, bounds[i] < NNC_BOUND_COUNT ? "" : "dim", 's', x + NNC_PX(15), y, lines[i]);
        y += NNC_PX(17);
    }
    r->canvas->y = narrow ? y - NNC_PX(6) : area.y + area.h + NNC_PX(44);
}

static void draw(nnc_canvas *canvas, const nnc_plot_data *data) {
    const nnc_report *report = data->report;
    char subject[NNC_CANVAS_TITLE], sentence[NNC_CANVAS_SENTENCE];
    nnc_canvas_subject(report->model, report->device, report->result->plan.devices, report->overrides, subject);
    snprintf(sentence, sizeof sentence, "%s, every op of the step; area is its share", subject);
    nnc_canvas_other(data->other, 0.0, "", sentence);
    nnc_canvas_heading(canvas, "Roofline", sentence, "");
    roofline *r = calloc(1, sizeof *r);
    roof_mark *marks = calloc(ROOF_MARKS_MAX, sizeof *marks);
    const nnc_box area = { NNC_PX(58), canvas->y + NNC_PX(8), canvas->right - NNC_PX(74),
                           NNC_PX(canvas->narrow ? 240 : 320) };
    if (r != NULL && marks != NULL) {
        *r = (roofline){ .canvas = canvas,
                         .report = report,
                         .other = data->other,
                         .marks = marks,
                         .peak = report->result->peak_flops_per_s,
                         .rate = report->device->mem_bytes_per_s };
        r->places.area = area;
        roofline_scale(r, area);
        nnc_canvas_grid(canvas, area, (nnc_ticks){ &r->x, "", canvas->narrow ? 6 : 9 }, (nnc_ticks){ &r->y, "", 8 },
                        "FLOP per byte of device memory traffic");
        nnc_svg_turned(&canvas->svg, "dim", 'm', NNC_PX(14), area.y + area.h / 2, -900, "FLOP/s");
        if (r->other != NULL) {
            gather_marks(r, r->other);
            draw_other_roof(r);
            draw_marks(r, true);
        }
        gather_marks(r, report);
        draw_roof(r, area);
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
    .help =
        "Every op below the roofline of the device: its arithmetic intensity, compared with the ridge point, and its "
        "distance from the roofline.",
    .of = NNC_PLOT_ESTIMATE,
    .draw = draw,
};

/* ---- picture of the operators of a trace: measured time, expected time, lower bound ---- */

/* Draws the row of one operator: its name and share at the left, its measured time as a bar, its expected time as an
 * outline, and its lower bound as a line. */
static void draw_op(nnc_canvas *canvas, const nnc_scale *scale, const nnc_plot_op *op) {
    const nnc_px height = NNC_PX(14), y = canvas->y, share_px = NNC_PX(46);
    char tip[256], cut[NNC_TEXT_PX_MAX], share[NNC_NUMBER_TEXT], a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    nnc_percent_text(op->share, share);
    nnc_unit_text(op->measured_s, "s", a);
    const int used = snprintf(tip, sizeof tip, "%.140s: %s, %s", op->name, a, share);
    if (!isnan(op->bound_s)) {
        snprintf(tip + used, sizeof tip - (size_t)used, ", bound %s", nnc_unit_text(op->bound_s, "s", b));
    }
    nnc_svg_text(&canvas->svg, "", 's', canvas->left, y + NNC_PX(11),
                 nnc_text_cut(op->name, NNC_TYPE_PLAIN, scale->start - canvas->left - share_px - NNC_PX(8), cut));
    nnc_svg_text(&canvas->svg, "dim", 'e', scale->start - NNC_PX(8), y + NNC_PX(11), share);
    nnc_canvas_say(canvas, " %.40s %s.", op->name, a);
    nnc_svg_mark(&canvas->svg, NULL, NULL, tip);
    char class[32];
    snprintf(class, sizeof class, "bar %s", op->hue);
    const nnc_px end = nnc_scale_at(scale, op->measured_s);
    nnc_svg_rect(&canvas->svg, class, (nnc_box){ scale->start, y, end - scale->start, height });
    if (!isnan(op->expected_s)) {
        nnc_svg_rect(&canvas->svg, "other",
                     (nnc_box){ scale->start, y, nnc_scale_at(scale, op->expected_s) - scale->start, height });
    }
    if (!isnan(op->bound_s)) {
        const nnc_px x = nnc_scale_at(scale, op->bound_s);
        nnc_svg_line(&canvas->svg, "edge", x, y - NNC_PX(2), x, y + height + NNC_PX(2));
    }
    nnc_svg_mark_end(&canvas->svg);
    nnc_svg_text(&canvas->svg, "dim", 's', nnc_scale_at(scale, nnc_max(op->measured_s, 0.0)) + NNC_PX(5),
                 y + NNC_PX(11), a);
    canvas->y += height + NNC_PX(7);
}

/* Draws the legend of the operators' picture: the colours of the classes of operators; if there are predicted times,
 * also the outline of the expected time and the line of the bound. */
static void draw_op_legend(nnc_canvas *canvas, const nnc_plot_ops *ops, bool priced) {
    nnc_legend entries[3];
    int count = 0;
    for (int i = 0; i < 3; i++) {
        if (ops->labels[i] != NULL) { entries[count++] = (nnc_legend){ .hue = ops->hues[i], .label = ops->labels[i] }; }
    }
    nnc_canvas_legend(canvas, canvas->left, entries, count);
    if (priced) {
        canvas->y += NNC_PX(16);
        nnc_svg_rect(&canvas->svg, "other", (nnc_box){ canvas->left, canvas->y - NNC_PX(10), NNC_PX(24), NNC_PX(11) });
        nnc_svg_text(&canvas->svg, "", 's', canvas->left + NNC_PX(32), canvas->y, "expected on this machine");
        const nnc_px x = canvas->left + NNC_PX(200);
        nnc_svg_line(&canvas->svg, "edge", x, canvas->y - NNC_PX(11), x, canvas->y + NNC_PX(2));
        nnc_svg_text(&canvas->svg, "", 's', x + NNC_PX(8), canvas->y, "bound by the datasheet");
        canvas->y += NNC_PX(8);
    }
}

static void draw_measured(nnc_canvas *canvas, const nnc_plot_data *data) {
    const nnc_plot_ops *ops = data->ops;
    double most = 1e-12;
    bool priced = false;
    nnc_canvas_heading(canvas, "Trace", ops->sentence, ops->result);
    for (int32_t i = 0; i < ops->count; i++) {
        most = nnc_max(most, ops->ops[i].measured_s);
        most = isnan(ops->ops[i].expected_s) ? most : nnc_max(most, ops->ops[i].expected_s);
        priced = priced || !isnan(ops->ops[i].bound_s);
    }
    const nnc_px names = (canvas->right - canvas->left) * (canvas->narrow ? 45 : 50) / 100;
    const nnc_scale scale = { 0.0, most, canvas->left + names, canvas->right - NNC_PX(62), false };
    canvas->y += NNC_PX(4);
    for (int32_t i = 0; i < ops->count; i++) { draw_op(canvas, &scale, &ops->ops[i]); }
    if (ops->rest_s > 0.0) {
        char text[96], a[NNC_NUMBER_TEXT];
        snprintf(text, sizeof text, "all other operators: %s", nnc_unit_text(ops->rest_s, "s", a));
        nnc_svg_text(&canvas->svg, "dim", 's', canvas->left, canvas->y + NNC_PX(11), text);
        canvas->y += NNC_PX(18);
    }
    draw_op_legend(canvas, ops, priced);
}

const nnc_picture nnc_plot_measured = {
    .name = "trace",
    .help = "Measured operators with their expected time and their bound.",
    .of = NNC_PLOT_ESTIMATE,
    .draw = draw_measured,
};
