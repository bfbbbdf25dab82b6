/* Who works and who waits, and when. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot/timeline_lanes.h"
#include "render/text.h"

/* ROWS: of a very long pipeline every few stages; MARKS: rectangles in all. */
enum { ROWS = 64, MARKS = 4000 };

/* The first interval of the stage that the next row shows; NULL past the last. */
static const nnc_interval *next_row(const nnc_stage_rows *t, const nnc_interval *at)
{
    const nnc_interval *end = t->report->intervals + t->report->interval_count;
    do {
        at = at == NULL ? t->report->intervals : nnc_stage_row_from(t, at).end;
    } while (at < end && at->stage % t->every != 0);
    return at < end ? at : NULL;
}

/* Columns as narrow as the number of rectangles allows. */
static void choose_column(nnc_stage_rows *t)
{
    const int64_t most = t->canvas->how->marks > 0 ? MARKS / 3 : MARKS;
    int64_t count = most + 1;
    for (t->column = NNC_PX(1); count > most && t->column < NNC_PX(64); t->column *= 2) {
        count = t->passes = 0;
        for (const nnc_interval *at = next_row(t, NULL); at != NULL; at = next_row(t, at)) {
            const int64_t wide = nnc_stage_sort_out(t, nnc_stage_row_from(t, at));
            t->passes += wide;
            count += wide;
            for (int a = 0; a < NNC_ACTIVITY_IDLE; a++) {
                count += nnc_stage_put_columns(t, NULL, a, 0);
            }
        }
        if (count <= most) {
            return;
        }
    }
}

static void draw_axis(nnc_stage_rows *t)
{
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

static void draw_key(nnc_stage_rows *t)
{
    nnc_legend entries[NNC_ACTIVITY_COUNT];
    int count = 0;
    for (int a = 0; a < NNC_ACTIVITY_COUNT; a++) {
        if (t->has[a]) {
            entries[count++] =
                (nnc_legend){ .hue = nnc_timeline_hues[a], .label = nnc_timeline_labels[a] };
        }
    }
    nnc_canvas_legend(t->canvas, t->x.start, entries, count);
}

static void draw_heading(nnc_stage_rows *t, const nnc_report *other)
{
    const nnc_report *report = t->report;
    const nnc_plan *plan = &report->result->plan;
    char subject[NNC_CANVAS_TITLE], sentence[NNC_CANVAS_SENTENCE], idle[NNC_NUMBER_TEXT];
    char bubble[NNC_NUMBER_TEXT];
    nnc_canvas_subject(report->model, report->device, plan->devices, subject);
    nnc_percent_text(report->result->idle_share, idle);
    if (plan->pipeline > 1) {
        snprintf(
            sentence, sizeof sentence,
            "%s, %s, %" PRId32 " stages, %" PRId64 " micro-batches; idle %s of all stages' time",
            subject, nnc_schedule_name(plan->schedule), plan->pipeline, plan->micro_batches, idle);
    } else {
        snprintf(sentence, sizeof sentence, "%s, %" PRId64 " micro-batches", subject,
                 plan->micro_batches);
    }
    nnc_canvas_other(other, other != NULL ? other->result->step_s : 0.0, "s", sentence);
    nnc_canvas_heading(t->canvas, "Timeline", sentence, "");
    if (plan->pipeline > 1) {
        nnc_canvas_say(t->canvas, " The busiest stage, %" PRId32 ", waits %s of the step.",
                       report->result->stage,
                       nnc_percent_text(report->result->bubble_share, bubble));
    }
}

/* Where the step of the other estimate ends. */
static void draw_end(nnc_stage_rows *t, double other_s, nnc_px top)
{
    char tip[64], text[NNC_NUMBER_TEXT];
    const nnc_px x = nnc_scale_at(&t->x, other_s);
    snprintf(tip, sizeof tip, "outlined: ends after %s", nnc_unit_text(other_s, "s", text));
    nnc_svg_mark(&t->canvas->svg, NULL, NULL, tip);
    nnc_svg_line(&t->canvas->svg, "other", x, top - NNC_PX(3), x, t->canvas->y);
    nnc_svg_mark_end(&t->canvas->svg);
}

/* The whole step, or what of it was asked for. */
static void set_scale(nnc_stage_rows *t, double other_s)
{
    const nnc_report *report = t->report;
    const nnc_plot_how *how = t->canvas->how;
    double from_s = report->intervals[0].start_s,
           to_s = nnc_max(report->intervals[0].end_s, other_s);
    for (int64_t i = 0; i < report->interval_count; i++) {
        from_s = nnc_min(from_s, report->intervals[i].start_s);
        to_s = nnc_max(to_s, report->intervals[i].end_s);
    }
    t->x =
        (nnc_scale){ isnan(how->from_s) ? from_s : how->from_s, isnan(how->to_s) ? to_s : how->to_s,
                     t->canvas->left + NNC_PX(t->canvas->narrow ? 26 : 56), t->canvas->right,
                     false };
}

static void draw(nnc_canvas *canvas, const nnc_plot_data *data)
{
    const int32_t stages = data->report->result->plan.pipeline;
    nnc_stage_rows t = { .canvas = canvas,
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
    for (const nnc_interval *at = next_row(&t, NULL); at != NULL; at = next_row(&t, at)) {
        snprintf(text, sizeof text, canvas->narrow ? "%" PRId32 : "stage %" PRId32, at->stage);
        nnc_svg_text(&canvas->svg, "dim", 's', canvas->left, canvas->y + t.height / 2 + NNC_PX(4),
                     text);
        nnc_stage_put(&t, nnc_stage_row_from(&t, at));
        canvas->y += t.height + t.gap;
    }
    if (other_s > t.x.from && other_s <= t.x.to) {
        draw_end(&t, other_s, top);
    }
    draw_axis(&t);
    draw_key(&t);
    free(t.spent);
}

const nnc_picture nnc_plot_timeline = {
    .name = "timeline",
    .help = "What every pipeline stage does when, and where it waits.",
    .of = NNC_PLOT_TIMELINE,
    .draw = draw,
};
