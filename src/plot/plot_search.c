/* Pictures of a search: the Pareto front of time and memory, and the throughput per device for each number of
 * devices. */
#include "plot/plot_internal.h"
#include "render/render_internal.h"

typedef struct front {
    nnc_canvas *canvas;
    const nnc_plot_data *data;
    nnc_scale x, y; /* scales of the Pareto front: x for memory in bytes, y for step time in seconds */
    nnc_box area;
    nnc_places places;
} front;

static nnc_scale scale_of(double from, double to, double log_from, nnc_px start, nnc_px end) {
    const bool log = from > 0 && to / from > log_from;
    const double room = log ? pow(to / from, 0.05) : 1.0, side = log ? 0.0 : 0.05 * (to - from);
    const double least = from == to ? 0.01 * to : 0.0; /* if all plans have the same value, the scale still needs some
                                                        * width */
    return (nnc_scale){ from / room - side - least, to * room + side + least, start, end, log };
}

static void set_scales(front *f) {
    const nnc_search_result *r = f->data->search->result;
    double x[2] = { INFINITY, 0.0 }, y[2] = { INFINITY, 0.0 };
    for (int pass = 0; pass < 2; pass++) {
        const nnc_found *list = pass == 0 ? r->pareto : r->best;
        for (int32_t i = 0; i < (pass == 0 ? r->pareto_count : r->best_count); i++) {
            x[0] = nnc_min(x[0], (double)list[i].memory_bytes);
            x[1] = nnc_max(x[1], (double)list[i].memory_bytes);
            y[0] = nnc_min(y[0], list[i].step_s);
            y[1] = nnc_max(y[1], list[i].step_s);
        }
    }
    f->x = scale_of(x[0], x[1], 4.0, f->area.x, f->area.x + f->area.w);
    f->y = scale_of(y[0], y[1], 2.5, f->area.y + f->area.h, f->area.y);
}

/* Hatches the part of the plot with more memory than the capacity, where no plan fits. */
static void draw_capacity(front *f) {
    const nnc_search *search = f->data->search->search;
    const double limit = (double)(search->mem_bytes > 0 ? search->mem_bytes : f->data->search->device->mem_bytes);
    const nnc_px right = f->area.x + f->area.w;
    if (limit >= f->x.to) { return; }
    const nnc_px x = nnc_scale_at(&f->x, limit);
    nnc_svg_hatched(&f->canvas->svg, (nnc_box){ x, f->area.y, right - x, f->area.h });
    nnc_svg_line(&f->canvas->svg, "edge", x, f->area.y, x, f->area.y + f->area.h);
    nnc_place_take(&f->places, (nnc_box){ x, f->area.y, right - x, f->area.h }, false);
}

static void draw_plan(front *f, const nnc_found *plan, const char *class, nnc_px radius) {
    char tip[256], words[NNC_METRIC_TEXT_MAX], a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT], c[NNC_NUMBER_TEXT];
    const nnc_px x = nnc_scale_at(&f->x, (double)plan->memory_bytes);
    const nnc_px y = nnc_scale_at(&f->y, plan->step_s);
    nnc_plan_word(&plan->plan, words);
    snprintf(tip, sizeof tip, "%.120s: %s in %s, MFU %s", words, nnc_unit_text(plan->step_s, "s", a),
             nnc_unit_text((double)plan->memory_bytes, "B", b), nnc_percent_text(plan->mfu, c));
    nnc_svg_mark(&f->canvas->svg, NULL, words, tip);
    nnc_svg_circle(&f->canvas->svg, class, x, y, radius);
    nnc_svg_mark_end(&f->canvas->svg);
    nnc_place_take(&f->places, (nnc_box){ x - radius, y - radius, 2 * radius, 2 * radius }, false);
}

static void draw_plans(front *f) {
    const nnc_search_result *r = f->data->search->result;
    nnc_svg *svg = &f->canvas->svg;
    nnc_svg_path(svg, "stair");
    for (int32_t i = 0; i < r->pareto_count; i++) { /* the plans are sorted, the fastest first, so the line goes from
                                                     * right to left */
        const nnc_px x = nnc_scale_at(&f->x, (double)r->pareto[i].memory_bytes);
        const nnc_px y = nnc_scale_at(&f->y, r->pareto[i].step_s);
        if (i > 0) {
            const nnc_px before = nnc_scale_at(&f->x, (double)r->pareto[i - 1].memory_bytes);
            const nnc_px last = nnc_scale_at(&f->y, r->pareto[i - 1].step_s);
            nnc_svg_to(svg, 'L', before, y);
            nnc_place_take_line(&f->places, before, last, before, y, NNC_PX(2));
            nnc_place_take_line(&f->places, x, y, before, y, NNC_PX(2));
        }
        nnc_svg_to(svg, i == 0 ? 'M' : 'L', x, y);
    }
    nnc_svg_path_end(svg, false);
    for (int32_t i = 0; i < r->best_count; i++) { draw_plan(f, &r->best[i], "hollow", NNC_PX(4)); }
    for (int32_t i = 0; i < r->pareto_count; i++) { draw_plan(f, &r->pareto[i], "dot compute", NNC_PX(4.5)); }
}

/* Returns the index of the plan at the knee of the front. Plans with more memory than the plan at the knee are only a
 * little faster. In the picture, the plan at the knee is farthest below the line between the fastest plan and the plan
 * with the least memory. -1 = the front has no knee. */
static int32_t knee_of(const front *f) {
    const nnc_search_result *r = f->data->search->result;
    const int32_t last = r->pareto_count - 1;
    int32_t knee = -1;
    double farthest = 0.0;
    nnc_px x[3], y[3];
    for (int32_t i = 1; i < last; i++) {
        const nnc_found *points[3] = { &r->pareto[0], &r->pareto[last], &r->pareto[i] };
        for (int k = 0; k < 3; k++) {
            x[k] = nnc_scale_at(&f->x, (double)points[k]->memory_bytes);
            y[k] = nnc_scale_at(&f->y, points[k]->step_s);
        }
        const double below = (double)(x[0] - x[1]) * (y[2] - y[1]) - (double)(y[0] - y[1]) * (x[2] - x[1]);
        if (below > farthest) {
            farthest = below;
            knee = i;
        }
    }
    return knee;
}

static void draw_label(front *f, const nnc_found *plan, const char *what, bool memory) {
    char head[96], words[NNC_METRIC_TEXT_MAX], text[NNC_NUMBER_TEXT];
    snprintf(head, sizeof head, "%s %s", what,
             memory ? nnc_unit_text((double)plan->memory_bytes, "B", text) : nnc_unit_text(plan->step_s, "s", text));
    nnc_plan_word(&plan->plan, words);
    nnc_canvas_say(f->canvas, " %c%s: %s.", what[0] - 'a' + 'A', head + 1, words);
    nnc_canvas_label(
        f->canvas, &f->places,
        (nnc_spot){ nnc_scale_at(&f->x, (double)plan->memory_bytes), nnc_scale_at(&f->y, plan->step_s), NNC_PX(6) },
        NNC_PX(200), head, words);
}

static void draw_front(nnc_canvas *canvas, const nnc_plot_data *data) {
    const nnc_search_report *report = data->search;
    const nnc_search_result *r = report->result;
    char subject[NNC_CANVAS_TITLE], sentence[NNC_CANVAS_TITLE + 96];
    nnc_canvas_subject(report->model, report->device, report->search->base.devices, report->overrides, subject);
    snprintf(sentence, sizeof sentence, "%s, batch %" PRId64 "; %s", subject, report->search->base.global_batch,
             r->pareto_count > 0 ? "filled: no plan is faster with less memory" : "no plan fits");
    nnc_canvas_heading(canvas, "Time against memory", sentence, "");
    front f = { .canvas = canvas, .data = data };
    if (r->pareto_count == 0) {
        canvas->y += NNC_PX(8);
        return;
    }
    f.area = (nnc_box){ canvas->left + NNC_PX(54), canvas->y + NNC_PX(6), 0, NNC_PX(canvas->narrow ? 200 : 250) };
    f.area.w = canvas->right - f.area.x - NNC_PX(20);
    f.places.area = f.area;
    set_scales(&f);
    nnc_canvas_grid(canvas, f.area, (nnc_ticks){ &f.x, "B", canvas->narrow ? 4 : 8 }, (nnc_ticks){ &f.y, "s", 6 },
                    "memory of the fullest device");
    draw_capacity(&f);
    draw_plans(&f);
    const int32_t knee = knee_of(&f);
    draw_label(&f, &r->pareto[0], "fastest", false);
    if (r->pareto_count > 1) { draw_label(&f, &r->pareto[r->pareto_count - 1], "leanest", true); }
    if (knee > 0) { draw_label(&f, &r->pareto[knee], "knee", false); }
    canvas->y = f.area.y + f.area.h + NNC_PX(44);
}

const nnc_picture nnc_plot_front = {
    .name = "front",
    .help = "The Pareto front of a search: plans for which no other plan is better in both time and memory.",
    .of = NNC_PLOT_FRONT,
    .draw = draw_front,
};

/* ---- picture of scaling: throughput per device for each number of devices, relative to the highest, as in 'nncost
 * scale' ---- */

enum { BARS_MAX = 48 };

/* Share of the device time that jobs on many servers lose because some devices are slow (stragglers): mean over 3,079
 * jobs. Estimates do not include the time that is lost to stragglers; if the job needs more than one server, the
 * picture subtracts this lost time. Source: Lin et al., "Understanding Stragglers in Large Model Training Using What-if
 * Analysis", OSDI 2025, arXiv:2505.05713. */
static const double straggler_share = 0.104;

static double stragglers_of(const nnc_search_size *size) {
    return size->found && size->devices > size->best.plan.devices_per_node ? straggler_share : 0.0;
}

/* Returns a number proportional to the samples per second of each device. */
static double rate_of(const nnc_search_size *size) { return 1.0 / (size->best.step_s * size->devices); }

/* Returns the number of devices with the highest throughput per device (the first of several numbers with equal
 * throughput), with its best plan; NULL = no plan fits for any number of devices. */
static const nnc_search_size *base_of(const nnc_search_report *report, int count) {
    const nnc_search_size *base = NULL;
    for (int i = 0; i < count; i++) {
        const nnc_search_size *size = &report->sizes[i];
        if (size->found && (base == NULL || rate_of(size) * (1.0 - 1e-12) > rate_of(base))) { base = size; }
    }
    return base;
}

typedef struct bars {
    nnc_canvas *canvas;
    const nnc_search_size *base; /* the number of devices with the highest throughput per device, whose bar has 100 % */
    nnc_scale y;
    nnc_px left, pitch, w;
} bars;

static void draw_grid(const bars *b) {
    for (int percent = 0; percent <= 100; percent += 25) {
        char text[16];
        const nnc_px y = nnc_scale_at(&b->y, percent / 100.0);
        snprintf(text, sizeof text, "%d%%", percent);
        nnc_svg_line(&b->canvas->svg, "grid", b->left, y, b->canvas->right, y);
        nnc_svg_text(&b->canvas->svg, "dim", 'e', b->left - NNC_PX(6), y + NNC_PX(4), text);
    }
}

/* Writes a line of text inside a bar if the text fits into the bar. */
static void put_inside(const bars *b, nnc_px x, nnc_px y, nnc_px top, const char *text) {
    if (nnc_text_px(text, NNC_TYPE_SMALL) + NNC_PX(2) <= b->w && y - NNC_PX(12) > top) {
        nnc_svg_text(&b->canvas->svg, "s on-backward", 'm', x + b->w / 2, y, text);
    }
}

/* Draws a box in a bar, from *top downward, for the share of throughput that is lost to one cause; then moves *top to
 * the lower edge of the box. what: name of the cause in the tooltip, "to stragglers". A box of less than a pixel is not
 * drawn. */
static void draw_lost(const bars *b, nnc_px x, nnc_px *top, double share, const char *class, const char *what) {
    char tip[96], text[NNC_NUMBER_TEXT];
    const nnc_px h = b->y.start - nnc_scale_at(&b->y, share);
    if (h < NNC_PX(1)) { return; }
    snprintf(tip, sizeof tip, "%s of this is lost %s", nnc_percent_text(share, text), what);
    nnc_svg_mark(&b->canvas->svg, NULL, NULL, tip);
    if (class == NULL) {
        nnc_svg_hatched(&b->canvas->svg, (nnc_box){ x, *top, b->w, h });
    } else {
        nnc_svg_rect(&b->canvas->svg, class, (nnc_box){ x, *top, b->w, h });
    }
    nnc_svg_mark_end(&b->canvas->svg);
    *top += h;
}

static void draw_bar(const bars *b, int at, const nnc_search_size *size, double share) {
    char tip[240], text[48], a[NNC_NUMBER_TEXT], c[NNC_NUMBER_TEXT], d[NNC_NUMBER_TEXT], e[NNC_NUMBER_TEXT];
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
        nnc_svg_rect(svg, "axis dash", (nnc_box){ x, b->y.end, b->w, bottom - b->y.end });
        nnc_svg_mark_end(svg);
        return;
    }
    const nnc_px top = nnc_scale_at(&b->y, share), full = nnc_scale_at(&b->y, 1.0);
    const double lost = stragglers_of(size), left = share * (1.0 - lost);
    nnc_unit_text(size->best.step_s, "s", a);
    nnc_percent_text(size->best.mfu, c);
    nnc_percent_text(share, d);
    snprintf(tip, sizeof tip, "%" PRId32 " device%s: %s of the rate with %" PRId32 ", step %s, MFU %s", size->devices,
             plural, d, b->base->devices, a, c);
    if (lost > 0.0) { nnc_text_append(tip, sizeof tip, "; ", "%s with stragglers", nnc_percent_text(left, e)); }
    nnc_canvas_say(b->canvas, " %" PRId32 " device%s: %s, step %s.", size->devices, plural, d, a);
    nnc_svg_mark(svg, NULL, NULL, tip);
    if (full < top) { nnc_svg_rect(svg, "axis dash", (nnc_box){ x, full, b->w, top - full }); }
    nnc_svg_rect(svg, "backward", (nnc_box){ x, top, b->w, bottom - top });
    nnc_svg_mark_end(svg);
    nnc_px at_top = top;
    draw_lost(b, x, &at_top, share * lost, NULL, "to stragglers");
    draw_lost(b, x, &at_top, left * size->best.exposed_comm_s / size->best.step_s, "bar exposed",
              "to exposed communication");
    draw_lost(b, x, &at_top, left * size->best.bubble_share, "bar host", "to idle stages");
    snprintf(text, sizeof text, "%.0f%%", 100.0 * left);
    if (nnc_text_px(text, NNC_TYPE_BOLD) <= b->pitch) {
        const nnc_px above = (full < top ? full : top) - NNC_PX(5);
        nnc_svg_text(svg, "b", 'm', x + b->w / 2, above, text);
    }
    put_inside(b, x, bottom - NNC_PX(20), at_top, a);
    snprintf(text, sizeof text, "MFU %s", c);
    put_inside(b, x, bottom - NNC_PX(7), at_top, text);
}

/* Draws the legend of the picture: an entry for each colour that occurs in the bars. */
static void draw_scaling_key(const bars *b, const nnc_search_report *report, int count) {
    nnc_canvas *canvas = b->canvas;
    const nnc_px left = b->left;
    nnc_legend entries[5] = { { .hue = "backward", .label = "throughput per device: compute" } };
    int used = 1;
    bool lost = false, exposed = false, idle = false, short_of = false;
    for (int i = 0; i < count; i++) {
        const nnc_search_size *size = &report->sizes[i];
        lost = lost || stragglers_of(size) > 0.0;
        exposed = exposed || (size->found && size->best.exposed_comm_s >= 0.005 * size->best.step_s);
        idle = idle || (size->found && size->best.bubble_share >= 0.005);
        short_of = short_of || !size->found || rate_of(size) < 0.995 * rate_of(b->base);
    }
    if (exposed) { entries[used++] = (nnc_legend){ .hue = "exposed", .label = "exposed communication" }; }
    if (idle) { entries[used++] = (nnc_legend){ .hue = "host", .label = "idle stages" }; }
    if (lost) { entries[used++] = (nnc_legend){ .hue = "", .label = "stragglers, 10.4% (arXiv:2505.05713)" }; }
    nnc_canvas_legend(canvas, left, entries, used);
    if (short_of) {
        canvas->y += NNC_PX(4);
        nnc_svg_rect(&canvas->svg, "axis dash", (nnc_box){ left, canvas->y, NNC_PX(24), NNC_PX(11) });
        nnc_svg_text(&canvas->svg, "", 's', left + NNC_PX(32), canvas->y + NNC_PX(10),
                     "lost with size, or no plan fits");
        canvas->y += NNC_PX(20);
    }
}

static void draw_scaling(nnc_canvas *canvas, const nnc_plot_data *data) {
    const nnc_search_report *report = data->search;
    const int count = report->size_count < BARS_MAX ? report->size_count : BARS_MAX;
    char subject[NNC_CANVAS_TITLE], sentence[NNC_CANVAS_TITLE + 160], base[96] = "no plan of any size fits";
    bars b = { .canvas = canvas, .left = canvas->left + NNC_PX(44), .base = base_of(report, count) };
    if (b.base != NULL) {
        snprintf(base, sizeof base, "throughput per device against %" PRId32 " device%s", b.base->devices,
                 b.base->devices == 1 ? "" : "s");
    }
    nnc_canvas_subject(report->model, report->device, 1, report->overrides, subject);
    snprintf(sentence, sizeof sentence, "%s, %s; the batch of %" PRId64 " is fixed, every size has its own best plan",
             subject, base, report->search->base.global_batch);
    nnc_canvas_heading(canvas, "Scaling", sentence, "");
    const nnc_px top = canvas->y + NNC_PX(22);
    const nnc_px height = NNC_PX(canvas->narrow ? 150 : 200);
    b.y = (nnc_scale){ 0.0, 1.0, top + height, top, false };
    b.pitch = (canvas->right - b.left) / (nnc_px)nnc_max(count, 1.0);
    b.w = b.pitch * 7 / 10 < NNC_PX(80) ? b.pitch * 7 / 10 : NNC_PX(80);
    draw_grid(&b);
    for (int i = 0; i < count; i++) {
        const nnc_search_size *size = &report->sizes[i];
        draw_bar(&b, i, size, size->found ? nnc_min(1.0, rate_of(size) / rate_of(b.base)) : (double)NAN);
    }
    nnc_svg_text(&canvas->svg, "dim", 'm', (b.left + canvas->right) / 2, top + height + NNC_PX(34), "devices");
    canvas->y = top + height + NNC_PX(58);
    draw_scaling_key(&b, report, count);
}

const nnc_picture nnc_plot_scaling = {
    .name = "scaling",
    .help = "Throughput per device of the best plan for every number of devices.",
    .of = NNC_PLOT_SIZES,
    .draw = draw_scaling,
};
