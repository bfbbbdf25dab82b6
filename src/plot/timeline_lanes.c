/* The stages of a timeline as rows of passes. */
#include "plot/timeline_lanes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/text.h"

const char *const nnc_timeline_hues[NNC_ACTIVITY_COUNT] = {
    [NNC_ACTIVITY_FORWARD] = "forward",  [NNC_ACTIVITY_BACKWARD] = "backward",
    [NNC_ACTIVITY_WEIGHT] = "recompute", [NNC_ACTIVITY_EXCHANGE] = "exposed",
    [NNC_ACTIVITY_UPDATE] = "update",    [NNC_ACTIVITY_IDLE] = "",
};

const char *const nnc_timeline_labels[NNC_ACTIVITY_COUNT] = {
    [NNC_ACTIVITY_FORWARD] = "forward",         [NNC_ACTIVITY_BACKWARD] = "backward",
    [NNC_ACTIVITY_WEIGHT] = "weight gradients", [NNC_ACTIVITY_EXCHANGE] = "exposed collectives",
    [NNC_ACTIVITY_UPDATE] = "update",           [NNC_ACTIVITY_IDLE] = "idle",
};

nnc_stage_row nnc_stage_row_from(const nnc_stage_rows *t, const nnc_interval *first)
{
    const nnc_interval *end = t->report->intervals + t->report->interval_count, *at = first;
    while (at < end && at->stage == first->stage) {
        at++;
    }
    return (nnc_stage_row){ first, at };
}

/* Its part inside the window, in pixels. */
static bool clip(const nnc_stage_rows *t, const nnc_interval *one, nnc_px *from, nnc_px *to)
{
    if (one->end_s <= t->x.from || one->start_s >= t->x.to) {
        return false;
    }
    *from = nnc_scale_at(&t->x, nnc_max(one->start_s, t->x.from));
    *to = nnc_scale_at(&t->x, nnc_min(one->end_s, t->x.to));
    return *to > *from;
}

/* A rectangle of a path. */
static void put_box(nnc_svg *svg, nnc_box box)
{
    nnc_svg_to(svg, 'M', box.x, box.y);
    nnc_svg_to(svg, 'L', box.x + box.w, box.y);
    nnc_svg_to(svg, 'L', box.x + box.w, box.y + box.h);
    nnc_svg_to(svg, 'L', box.x, box.y + box.h);
}

/* Is it drawn as itself, or in columns of the mix of what happens in them? */
static bool is_wide(const nnc_stage_rows *t, nnc_px from, nnc_px to)
{
    return to - from >= t->column * 3 / 2;
}

static void spend(nnc_stage_rows *t, nnc_activity activity, nnc_px from, nnc_px to)
{
    while (from < to) {
        const int32_t at = (from - t->x.start) / t->column;
        const nnc_px end = t->x.start + (at + 1) * t->column;
        t->spent[at][activity] += (end < to ? end : to) - from;
        from = end;
    }
}

/* How high an activity stands in a column, in whole pixels, and below what. */
static nnc_px stack(const nnc_stage_rows *t, int32_t column, int activity, nnc_px *above)
{
    const double scale = (double)t->height / t->column;
    double before = 0.0;
    for (int a = 0; a < activity; a++) {
        before += t->spent[column][a];
    }
    *above = 10 * (nnc_px)lround(before * scale / 10.0);
    return 10 * (nnc_px)lround((before + t->spent[column][activity]) * scale / 10.0) - *above;
}

/* The rectangles of an activity's columns, equal neighbours as one; returns how many. svg NULL: only
 * counts them. */
int64_t nnc_stage_put_columns(const nnc_stage_rows *t, nnc_svg *svg, int activity, nnc_px y)
{
    const int32_t columns = (t->x.end - t->x.start + t->column - 1) / t->column;
    int64_t count = 0;
    for (int32_t i = 0; i < columns;) {
        nnc_px above = 0, next_above = 0;
        const nnc_px height = stack(t, i, activity, &above);
        int32_t end = i + 1;
        while (end < columns && stack(t, end, activity, &next_above) == height &&
               next_above == above) {
            end++;
        }
        if (height > 0) {
            const nnc_px x = t->x.start + i * t->column, last = t->x.start + end * t->column;
            count++;
            if (svg != NULL) {
                put_box(svg,
                        (nnc_box){ x, y + above, (last < t->x.end ? last : t->x.end) - x, height });
            }
        }
        i = end;
    }
    return count;
}

/* Adds up what is too short; returns how many others there are. */
int64_t nnc_stage_sort_out(nnc_stage_rows *t, nnc_stage_row l)
{
    int64_t wide = 0;
    nnc_px from = 0, to = 0;
    memset(t->spent, 0, (size_t)(t->x.end - t->x.start + 1) / NNC_PX(1) * sizeof *t->spent);
    for (const nnc_interval *one = l.first; one < l.end; one++) {
        if (one->activity == NNC_ACTIVITY_IDLE || !clip(t, one, &from, &to)) {
            continue;
        }
        t->has[one->activity] = true;
        if (is_wide(t, from, to)) {
            wide++;
        } else {
            spend(t, one->activity, from, to);
        }
    }
    return wide;
}

static void put_pass(const nnc_stage_rows *t, const nnc_interval *one, nnc_box box)
{
    nnc_svg *svg = &t->canvas->svg;
    char tip[160], number[24], class[32], from[NNC_NUMBER_TEXT], to[NNC_NUMBER_TEXT];
    nnc_unit_text(one->start_s, "s", from);
    nnc_unit_text(one->end_s, "s", to);
    snprintf(number, sizeof number, "%" PRId64, one->micro_batch);
    if (one->micro_batch >= 0) {
        snprintf(tip, sizeof tip, "stage %" PRId32 ", %s of micro-batch %s: %s to %s", one->stage,
                 nnc_timeline_labels[one->activity], number, from, to);
    } else {
        snprintf(tip, sizeof tip, "stage %" PRId32 ", %s: %s to %s", one->stage,
                 nnc_timeline_labels[one->activity], from, to);
    }
    nnc_svg_mark(svg, NULL, NULL, tip);
    snprintf(class, sizeof class, "bar %s", nnc_timeline_hues[one->activity]);
    nnc_svg_rect(svg, class, box);
    if (one->micro_batch >= 0 && nnc_text_px(number, NNC_TYPE_SMALL) + NNC_PX(3) <= box.w) {
        snprintf(class, sizeof class, "s on-%s", nnc_timeline_hues[one->activity]);
        nnc_svg_text(svg, class, 'm', box.x + box.w / 2, box.y + box.h / 2 + NNC_PX(4), number);
    }
    nnc_svg_mark_end(svg);
}

/* All passes of an activity that are wide enough: a mark each, or a path of them. */
static void put_wide(const nnc_stage_rows *t, nnc_stage_row l, int activity, bool detail)
{
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

void nnc_stage_put(nnc_stage_rows *t, nnc_stage_row l)
{
    nnc_svg *svg = &t->canvas->svg;
    const nnc_interval *first = l.first, *last = l.end - 1;
    char text[96], share[NNC_NUMBER_TEXT];
    double idle_s = 0.0;
    const nnc_interval all = { .start_s = first->start_s, .end_s = last->end_s };
    const int32_t marks = t->canvas->how->marks;
    const bool detail = t->passes <= (marks > 0 ? marks : NNC_TIMELINE_DETAIL);
    nnc_px from = t->x.start, to = from;
    for (const nnc_interval *one = l.first; one < l.end; one++) {
        idle_s += one->activity == NNC_ACTIVITY_IDLE ? one->end_s - one->start_s : 0.0;
    }
    t->has[NNC_ACTIVITY_IDLE] = t->has[NNC_ACTIVITY_IDLE] || idle_s > 0.0;
    snprintf(text, sizeof text, "stage %" PRId32 ": idle %s of the step", first->stage,
             nnc_percent_text(idle_s / t->report->result->step_s, share));
    nnc_svg_mark(svg, "bubble_s", NULL, text);
    if (clip(t, &all, &from, &to)) {
        nnc_svg_hatched(svg, (nnc_box){ from, t->canvas->y, to - from, t->height });
    }
    nnc_stage_sort_out(t, l);
    for (int a = 0; a < NNC_ACTIVITY_IDLE; a++) {
        if (nnc_stage_put_columns(t, NULL, a, 0) > 0 || (!detail && t->has[a])) {
            nnc_svg_path(svg, nnc_timeline_hues[a]);
            nnc_stage_put_columns(t, svg, a, t->canvas->y);
            if (!detail) {
                put_wide(t, l, a, false);
            }
            nnc_svg_path_end(svg, true);
        }
    }
    nnc_svg_mark_end(svg);
    for (int a = 0; detail && a < NNC_ACTIVITY_IDLE; a++) {
        put_wide(t, l, a, true);
    }
}
