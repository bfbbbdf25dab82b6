/* Draws the timeline of a step: for each pipeline stage, its activities and its idle time over time, and its memory. */
#include "plot/plot_internal.h"
#include "render/render_internal.h"

/* Largest number of passes for which each pass of the picture has its own tooltip and number. */
enum { TIMELINE_DETAIL = 600 };

typedef struct stage_rows {
    nnc_canvas *canvas;
    const nnc_report *report;
    nnc_scale x;
    nnc_px height, gap;
    int32_t every;  /* number n: the picture has a row for every n-th stage; 1 = a row for each stage */
    int64_t passes; /* number of visible passes that are wide enough for a rectangle of their own */
    nnc_px column;  /* width of a column; passes shorter than 1.5 columns are not drawn one by one:
                     * their widths are added up in each column */
    /* spent[c][a]: width of all narrow intervals of activity a in column c, in tenths of a pixel */
    double (*spent)[NNC_ACTIVITY_COUNT];
    bool has[NNC_ACTIVITY_COUNT];
} stage_rows;

/* The intervals of one pipeline stage, from `first` up to, but not including, `end`. */
typedef struct stage_row {
    const nnc_interval *first, *end;
} stage_row;

/* activity_hues: CSS class of the colour of each activity; "" = no colour. activity_labels: name of each activity in
 * the picture. */

static const char *const activity_hues[NNC_ACTIVITY_COUNT] = {
    [NNC_ACTIVITY_FORWARD] = "forward",  [NNC_ACTIVITY_BACKWARD] = "backward", [NNC_ACTIVITY_WEIGHT] = "recompute",
    [NNC_ACTIVITY_EXCHANGE] = "exposed", [NNC_ACTIVITY_UPDATE] = "update",     [NNC_ACTIVITY_IDLE] = "",
};

static const char *const activity_labels[NNC_ACTIVITY_COUNT] = {
    [NNC_ACTIVITY_FORWARD] = "forward",         [NNC_ACTIVITY_BACKWARD] = "backward",
    [NNC_ACTIVITY_WEIGHT] = "weight gradients", [NNC_ACTIVITY_EXCHANGE] = "exposed collectives",
    [NNC_ACTIVITY_UPDATE] = "update",           [NNC_ACTIVITY_IDLE] = "idle",
};

/* Returns the intervals of one pipeline stage. first: the first interval of the stage. */
static stage_row stage_row_from(const stage_rows *t, const nnc_interval *first) {
    const nnc_interval *end = t->report->intervals + t->report->interval_count, *at = first;
    while (at < end && at->stage == first->stage) { at++; }
    return (stage_row){ first, at };
}

/* Computes the left and right edge of an interval on the canvas, cut to the visible part. Returns false if the interval
 * is outside the visible part. */
static bool clip(const stage_rows *t, const nnc_interval *one, nnc_px *from, nnc_px *to) {
    if (one->end_s <= t->x.from || one->start_s >= t->x.to) { return false; }
    *from = nnc_scale_at(&t->x, nnc_max(one->start_s, t->x.from));
    *to = nnc_scale_at(&t->x, nnc_min(one->end_s, t->x.to));
    return *to > *from;
}

/* Adds the outline of a rectangle to an SVG path that was begun. */
static void put_box(nnc_svg *svg, nnc_box box) {
    nnc_svg_to(svg, 'M', box.x, box.y);
    nnc_svg_to(svg, 'L', box.x + box.w, box.y);
    nnc_svg_to(svg, 'L', box.x + box.w, box.y + box.h);
    nnc_svg_to(svg, 'L', box.x, box.y + box.h);
}

/* Tests whether an interval is wide enough to be drawn as a rectangle of its own. Narrower intervals are summed in
 * columns. */
static bool is_wide(const stage_rows *t, nnc_px from, nnc_px to) { return to - from >= t->column * 3 / 2; }

static void spend(stage_rows *t, nnc_activity activity, nnc_px from, nnc_px to) {
    while (from < to) {
        const int32_t at = (from - t->x.start) / t->column;
        const nnc_px end = t->x.start + (at + 1) * t->column;
        t->spent[at][activity] += (end < to ? end : to) - from;
        from = end;
    }
}

/* Returns the height of one activity in a column of the timeline. *above: sum of the heights of the activities that are
 * drawn above this activity in the column. The returned height and *above are whole pixels. */
static nnc_px stack(const stage_rows *t, int32_t column, int activity, nnc_px *above) {
    const double scale = (double)t->height / t->column;
    double before = 0.0;
    for (int a = 0; a < activity; a++) { before += t->spent[column][a]; }
    *above = 10 * (nnc_px)lround(before * scale / 10.0);
    return 10 * (nnc_px)lround((before + t->spent[column][activity]) * scale / 10.0) - *above;
}

/* Draws the columns of one activity as rectangles; neighbours of equal height become one rectangle. svg NULL = draws
 * nothing. Returns the number of rectangles. */
static int64_t put_columns(const stage_rows *t, nnc_svg *svg, int activity, nnc_px y) {
    const int32_t columns = (t->x.end - t->x.start + t->column - 1) / t->column;
    int64_t count = 0;
    for (int32_t i = 0; i < columns;) {
        nnc_px above = 0, next_above = 0;
        const nnc_px height = stack(t, i, activity, &above);
        int32_t end = i + 1;
        while (end < columns && stack(t, end, activity, &next_above) == height && next_above == above) { end++; }
        if (height > 0) {
            const nnc_px x = t->x.start + i * t->column, last = t->x.start + end * t->column;
            count++;
            if (svg != NULL) {
                put_box(svg, (nnc_box){ x, y + above, (last < t->x.end ? last : t->x.end) - x, height });
            }
        }
        i = end;
    }
    return count;
}

/* Adds the widths of a stage's narrow intervals to the columns (t->spent). Returns the number of intervals that are
 * wide enough for a rectangle of their own. */
static int64_t sort_out(stage_rows *t, stage_row l) {
    int64_t wide = 0;
    nnc_px from = 0, to = 0;
    memset(t->spent, 0, (size_t)(t->x.end - t->x.start + 1) / NNC_PX(1) * sizeof *t->spent);
    for (const nnc_interval *one = l.first; one < l.end; one++) {
        if (one->activity == NNC_ACTIVITY_IDLE || !clip(t, one, &from, &to)) { continue; }
        t->has[one->activity] = true;
        if (is_wide(t, from, to)) {
            wide++;
        } else {
            spend(t, one->activity, from, to);
        }
    }
    return wide;
}

static void put_pass(const stage_rows *t, const nnc_interval *one, nnc_box box) {
    nnc_svg *svg = &t->canvas->svg;
    char tip[160], number[24], class[32], from[NNC_NUMBER_TEXT], to[NNC_NUMBER_TEXT];
    nnc_unit_text(one->start_s, "s", from);
    nnc_unit_text(one->end_s, "s", to);
    snprintf(number, sizeof number, "%" PRId64, one->micro_batch);
    if (one->micro_batch >= 0) {
        snprintf(tip, sizeof tip, "stage %" PRId32 ", %s of micro-batch %s: %s to %s", one->stage,
                 activity_labels[one->activity], number, from, to);
    } else {
        snprintf(tip, sizeof tip, "stage %" PRId32 ", %s: %s to %s", one->stage, activity_labels[one->activity], from,
                 to);
    }
    nnc_svg_mark(svg, NULL, NULL, tip);
    snprintf(class, sizeof class, "bar %s", activity_hues[one->activity]);
    nnc_svg_rect(svg, class, box);
    if (one->micro_batch >= 0 && nnc_text_px(number, NNC_TYPE_SMALL) + NNC_PX(3) <= box.w) {
        snprintf(class, sizeof class, "s on-%s", activity_hues[one->activity]);
        nnc_svg_text(svg, class, 'm', box.x + box.w / 2, box.y + box.h / 2 + NNC_PX(4), number);
    }
    nnc_svg_mark_end(svg);
}

/* Draws all wide passes of one activity. detail: true = each pass is a rectangle with its own tooltip; false = all
 * passes together are one SVG path. */
static void put_wide(const stage_rows *t, stage_row l, int activity, bool detail) {
    nnc_px from = 0, to = 0;
    for (const nnc_interval *one = l.first; one < l.end; one++) {
        if ((int)one->activity == activity && clip(t, one, &from, &to) && is_wide(t, from, to)) {
            const nnc_box box = { from, t->canvas->y, to - from, t->height };
            if (detail) {
                put_pass(t, one, box);
            } else {
                put_box(&t->canvas->svg, box);
            }
        }
    }
}

static void put_stage(stage_rows *t, stage_row l) {
    nnc_svg *svg = &t->canvas->svg;
    const nnc_interval *first = l.first, *last = l.end - 1;
    char text[96], share[NNC_NUMBER_TEXT];
    double idle_s = 0.0;
    const nnc_interval all = { .start_s = first->start_s, .end_s = last->end_s };
    const int32_t marks = t->canvas->how->marks;
    const bool detail = t->passes <= (marks > 0 ? marks : TIMELINE_DETAIL);
    nnc_px from = t->x.start, to = from;
    for (const nnc_interval *one = l.first; one < l.end; one++) {
        idle_s += one->activity == NNC_ACTIVITY_IDLE ? one->end_s - one->start_s : 0.0;
    }
    t->has[NNC_ACTIVITY_IDLE] = t->has[NNC_ACTIVITY_IDLE] || idle_s > 0.0;
    snprintf(text, sizeof text, "stage %" PRId32 ": idle %s of the step", first->stage,
             nnc_percent_text(idle_s / t->report->result->step_s, share));
    nnc_svg_mark(svg, "bubble_s", NULL, text);
    if (clip(t, &all, &from, &to)) { nnc_svg_hatched(svg, (nnc_box){ from, t->canvas->y, to - from, t->height }); }
    sort_out(t, l);
    for (int a = 0; a < NNC_ACTIVITY_IDLE; a++) {
        if (put_columns(t, NULL, a, 0) > 0 || (!detail && t->has[a])) {
            nnc_svg_path(svg, activity_hues[a]);
            put_columns(t, svg, a, t->canvas->y);
            if (!detail) { put_wide(t, l, a, false); }
            nnc_svg_path_end(svg, true);
        }
    }
    nnc_svg_mark_end(svg);
    for (int a = 0; detail && a < NNC_ACTIVITY_IDLE; a++) { put_wide(t, l, a, true); }
}

/* MEMORY_ROWS: largest number of stages whose memory is drawn. MEMORY_STEPS: largest number of intervals of a stage
 * with which all steps of its memory are drawn. ROWS: largest number of stages in the picture; of a longer pipeline
 * only every n-th stage is drawn. MARKS: largest number of rectangles. */
enum { MEMORY_ROWS = 16, MEMORY_STEPS = 200, ROWS = 64, MARKS = 4000 };

/* Returns the number of micro-batches (in an interleaved schedule, of their chunks) whose activations a stage keeps
 * after an interval. The number grows by one after a forward, and falls by one after the last pass that reads the
 * activations of a micro-batch. */
static int64_t kept_after(const nnc_interval *one, bool splits, int64_t kept) {
    const nnc_activity last = splits ? NNC_ACTIVITY_WEIGHT : NNC_ACTIVITY_BACKWARD;
    return kept + (one->activity == NNC_ACTIVITY_FORWARD) - (one->activity == last);
}

/* Draws the memory of a stage over time as a line, whose highest point is the estimated peak. The activations are
 * proportional to the number of micro-batches that the stage keeps. */
static void put_memory(const stage_rows *t, stage_row l, const nnc_memory *memory, nnc_px height) {
    nnc_svg *svg = &t->canvas->svg;
    char tip[128], least[NNC_NUMBER_TEXT], most[NNC_NUMBER_TEXT];
    int64_t kept = 0, peak = 0, drawn = -1;
    nnc_px reached = 0;
    /* smallest horizontal distance between two drawn steps of the memory; the peak is always drawn */
    const nnc_px steps = t->canvas->how->marks > 0 ? 24 : 100;
    const nnc_px apart = l.end - l.first > MEMORY_STEPS ? (t->x.end - t->x.start) / steps : 0;
    bool splits = false, begun = false;
    for (const nnc_interval *one = l.first; one < l.end; one++) {
        splits = splits || one->activity == NNC_ACTIVITY_WEIGHT;
    }
    for (const nnc_interval *one = l.first; one < l.end; one++) {
        kept = kept_after(one, splits, kept);
        peak = kept > peak ? kept : peak;
    }
    const double fixed = (double)(memory->total_bytes - memory->activation_bytes);
    const double each = peak > 0 ? (double)memory->activation_bytes / (double)peak : 0.0;
    const nnc_scale y = { 0.0, nnc_max((double)memory->capacity_bytes, (double)memory->total_bytes),
                          t->canvas->y + height, t->canvas->y, false };
    snprintf(tip, sizeof tip, "stage %" PRId32 ": memory from %s, at most %s", l.first->stage,
             nnc_unit_text(fixed, "B", least), nnc_unit_text((double)memory->total_bytes, "B", most));
    nnc_svg_mark(svg, "activation_bytes", NULL, tip);
    nnc_svg_rect(svg, "idle", (nnc_box){ t->x.start, t->canvas->y, t->x.end - t->x.start, height });
    nnc_svg_path(svg, "roof");
    kept = 0;
    for (const nnc_interval *one = l.first; one < l.end; one++) {
        nnc_px from = 0, to = 0;
        const int64_t after = kept_after(one, splits, kept);
        if (clip(t, one, &from, &to) &&
            ((after != drawn && ((after == peak && drawn != peak) || to >= reached)) || !begun || one + 1 == l.end)) {
            if (!begun || apart == 0) {
                nnc_svg_to(svg, begun ? 'L' : 'M', from, nnc_scale_at(&y, fixed + each * (double)kept));
            }
            nnc_svg_to(svg, 'L', to, nnc_scale_at(&y, fixed + each * (double)after));
            reached = to + apart;
            drawn = after;
            begun = true;
        }
        kept = after;
    }
    nnc_svg_path_end(svg, false);
    nnc_svg_mark_end(svg);
}

static void draw_memory_key(const stage_rows *t) {
    nnc_canvas *canvas = t->canvas;
    char text[80], size[NNC_NUMBER_TEXT];
    canvas->y += NNC_PX(12);
    nnc_svg_line(&canvas->svg, "roof", t->x.start, canvas->y - NNC_PX(4), t->x.start + NNC_PX(12),
                 canvas->y - NNC_PX(4));
    snprintf(text, sizeof text, "memory; the height is %s",
             nnc_unit_text((double)t->report->result->memory.capacity_bytes, "B", size));
    nnc_svg_text(&canvas->svg, "", 's', t->x.start + NNC_PX(18), canvas->y, text);
    canvas->y += NNC_PX(8);
}

/* Returns the first interval of the next stage that the picture shows. If `at` is NULL, returns the first interval of
 * the first stage. Returns NULL after the last stage. */
static const nnc_interval *next_row(const stage_rows *t, const nnc_interval *at) {
    const nnc_interval *end = t->report->intervals + t->report->interval_count;
    do {
        at = at == NULL ? t->report->intervals : stage_row_from(t, at).end;
    } while (at < end && at->stage % t->every != 0);
    return at < end ? at : NULL;
}

/* Chooses the width of the columns: the smallest width with which the number of rectangles is within its limit. */
static void choose_column(stage_rows *t) {
    const int64_t most = t->canvas->how->marks > 0 ? MARKS / 3 : MARKS;
    int64_t count = most + 1;
    for (t->column = NNC_PX(1); count > most && t->column < NNC_PX(64); t->column *= 2) {
        count = t->passes = 0;
        for (const nnc_interval *at = next_row(t, NULL); at != NULL; at = next_row(t, at)) {
            const int64_t wide = sort_out(t, stage_row_from(t, at));
            t->passes += wide;
            count += wide;
            for (int a = 0; a < NNC_ACTIVITY_IDLE; a++) { count += put_columns(t, NULL, a, 0); }
        }
        if (count <= most) { return; }
    }
}

static void draw_axis(stage_rows *t) {
    double ticks[NNC_TICKS_MAX];
    char text[NNC_NUMBER_TEXT];
    nnc_canvas *canvas = t->canvas;
    nnc_px free_from = 0;
    const int count = nnc_scale_ticks(&t->x, canvas->narrow ? 4 : 7, ticks);
    for (int i = 0; i < count; i++) {
        const nnc_px x = nnc_scale_at(&t->x, ticks[i]);
        const nnc_px w = nnc_text_px(nnc_tick_text(ticks[i], "s", text), NNC_TYPE_PLAIN);
        nnc_px from = x - w / 2;
        nnc_place_row(&from, &w, 1, canvas->left, canvas->right, 0);
        nnc_svg_line(&canvas->svg, "grid", x, canvas->y, x, canvas->y + NNC_PX(5));
        if (from >= free_from) {
            nnc_svg_text(&canvas->svg, "dim", 's', from, canvas->y + NNC_PX(16), text);
            free_from = from + w + NNC_PX(6);
        }
    }
    canvas->y += NNC_PX(18);
}

static void draw_key(stage_rows *t) {
    nnc_legend entries[NNC_ACTIVITY_COUNT];
    int count = 0;
    for (int a = 0; a < NNC_ACTIVITY_COUNT; a++) {
        if (t->has[a]) { entries[count++] = (nnc_legend){ .hue = activity_hues[a], .label = activity_labels[a] }; }
    }
    nnc_canvas_legend(t->canvas, t->x.start, entries, count);
}

static void draw_heading(stage_rows *t, const nnc_report *other) {
    const nnc_report *report = t->report;
    const nnc_plan *plan = &report->result->plan;
    char subject[NNC_CANVAS_TITLE], sentence[NNC_CANVAS_SENTENCE], idle[NNC_NUMBER_TEXT];
    char bubble[NNC_NUMBER_TEXT];
    nnc_canvas_subject(report->model, report->device, plan->devices, report->overrides, subject);
    nnc_percent_text(report->result->idle_share, idle);
    if (plan->pipeline > 1) {
        snprintf(sentence, sizeof sentence,
                 "%s, %s, %" PRId32 " stages, %" PRId64 " micro-batches; idle %s of all stages' time", subject,
                 nnc_schedule_name(plan->schedule), plan->pipeline, plan->micro_batches, idle);
    } else {
        snprintf(sentence, sizeof sentence, "%s, %" PRId64 " micro-batches", subject, plan->micro_batches);
    }
    nnc_canvas_other(other, other != NULL ? other->result->step_s : 0.0, "s", sentence);
    nnc_canvas_heading(t->canvas, "Timeline", sentence, "");
    if (plan->pipeline > 1) {
        nnc_canvas_say(t->canvas, " The busiest stage, %" PRId32 ", waits %s of the step.", report->result->stage,
                       nnc_percent_text(report->result->bubble_share, bubble));
    }
}

/* Draws a vertical line at other_s, the time at which the step of the second estimate ends. */
static void draw_end(stage_rows *t, double other_s, nnc_px top) {
    char tip[64], text[NNC_NUMBER_TEXT];
    const nnc_px x = nnc_scale_at(&t->x, other_s);
    snprintf(tip, sizeof tip, "outlined: ends after %s", nnc_unit_text(other_s, "s", text));
    nnc_svg_mark(&t->canvas->svg, NULL, NULL, tip);
    nnc_svg_line(&t->canvas->svg, "other", x, top - NNC_PX(3), x, t->canvas->y);
    nnc_svg_mark_end(&t->canvas->svg);
}

/* Sets the range of time that the picture shows: the whole step, or from how->from_s to how->to_s. */
static void set_scale(stage_rows *t, double other_s) {
    const nnc_report *report = t->report;
    const nnc_plot_how *how = t->canvas->how;
    double from_s = report->intervals[0].start_s, to_s = nnc_max(report->intervals[0].end_s, other_s);
    for (int64_t i = 0; i < report->interval_count; i++) {
        from_s = nnc_min(from_s, report->intervals[i].start_s);
        to_s = nnc_max(to_s, report->intervals[i].end_s);
    }
    t->x = (nnc_scale){ isnan(how->from_s) ? from_s : how->from_s, isnan(how->to_s) ? to_s : how->to_s,
                        t->canvas->left + NNC_PX(t->canvas->narrow ? 26 : 56), t->canvas->right, false };
}

static void draw(nnc_canvas *canvas, const nnc_plot_data *data) {
    const int32_t stages = data->report->result->plan.pipeline;
    stage_rows t = { .canvas = canvas,
                     .report = data->report,
                     .every = (int32_t)nnc_ceil_div(stages, ROWS),
                     .height = NNC_PX(stages > 16 ? 14 : 22),
                     .gap = NNC_PX(3) };
    char text[32];
    const double other_s = data->other != NULL ? data->other->result->step_s : 0.0;
    set_scale(&t, other_s);
    t.spent = calloc((size_t)(t.x.end - t.x.start) / NNC_PX(1) + 1, sizeof *t.spent);
    draw_heading(&t, data->other);
    const nnc_px top = canvas->y;
    if (t.spent == NULL) {
        canvas->svg.body.failed = true;
        return;
    }
    choose_column(&t);
    const bool memory = stages <= MEMORY_ROWS && t.passes <= TIMELINE_DETAIL && data->report->stages != NULL;
    for (const nnc_interval *at = next_row(&t, NULL); at != NULL; at = next_row(&t, at)) {
        snprintf(text, sizeof text, canvas->narrow ? "%" PRId32 : "stage %" PRId32, at->stage);
        nnc_svg_text(&canvas->svg, "dim", 's', canvas->left, canvas->y + t.height / 2 + NNC_PX(4), text);
        put_stage(&t, stage_row_from(&t, at));
        canvas->y += t.height + t.gap;
        if (memory) {
            put_memory(&t, stage_row_from(&t, at), &data->report->stages[at->stage].memory, t.height);
            canvas->y += t.height + 2 * t.gap;
        }
    }
    if (other_s > t.x.from && other_s <= t.x.to) { draw_end(&t, other_s, top); }
    draw_axis(&t);
    draw_key(&t);
    if (memory) { draw_memory_key(&t); }
    free(t.spent);
}

const nnc_picture nnc_plot_timeline = {
    .name = "timeline",
    .help = "Activity of every pipeline stage over time, its idle time and its memory.",
    .of = NNC_PLOT_TIMELINE,
    .draw = draw,
};
