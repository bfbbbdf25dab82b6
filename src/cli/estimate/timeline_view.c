#include "cli/estimate/timeline_view.h"

#include <stdio.h>
#include <string.h>

#include "cli/estimate/estimate_view.h"
#include "pipeline/schedule.h"
#include "render/json_writer.h"
#include "render/sheet.h"
#include "render/text.h"

static const char letters[NNC_ACTIVITY_COUNT + 1] = "FBWxu.";

/* The intervals of one stage. */
typedef struct lane {
    const nnc_interval *intervals;
    int64_t count;
} lane;

static lane lane_of(const nnc_report *report, const nnc_interval *from)
{
    lane found = { .intervals = from };
    const nnc_interval *end = report->intervals + report->interval_count;
    while (from + found.count < end && from[found.count].stage == from->stage) {
        found.count++;
    }
    return found;
}

/* Adds up what falls into a place; returns the first interval that does not end before it. */
static int64_t spend(lane l, int64_t at, double from_s, double to_s, double *spent_s)
{
    while (at < l.count && l.intervals[at].end_s <= from_s) {
        at++;
    }
    for (int64_t k = at; k < l.count && l.intervals[k].start_s < to_s; k++) {
        const nnc_interval *one = &l.intervals[k];
        const double start_s = one->start_s > from_s ? one->start_s : from_s;
        spent_s[one->activity] += (one->end_s < to_s ? one->end_s : to_s) - start_s;
    }
    return at;
}

/* The bar of a lane: a letter in each place. What a letter does not show of a place is owed to the
 * next ones, so that the letters have the shares of the time also where passes are shorter. */
static void draw(lane l, double begin_s, double place_s, char *bar, int width)
{
    double owed_s[NNC_ACTIVITY_COUNT] = { 0 };
    int64_t at = 0;
    for (int i = 0; i < width; i++) {
        const double from_s = begin_s + i * place_s, to_s = from_s + place_s;
        double spent_s[NNC_ACTIVITY_COUNT] = { 0 };
        int most = -1;
        at = spend(l, at, from_s, to_s, spent_s);
        for (int a = 0; a < NNC_ACTIVITY_COUNT; a++) {
            owed_s[a] += spent_s[a];
            if (spent_s[a] > 0 && (most < 0 || owed_s[a] > owed_s[most])) {
                most = a;
            }
        }
        bar[i] = ' '; /* outside the stage's own step */
        if (most >= 0) {
            bar[i] = letters[most];
            owed_s[most] -= place_s;
        }
    }
    bar[width] = '\0';
}

static void write_interval(nnc_sheet *sheet, const nnc_interval *one, bool chunks)
{
    char start[NNC_NUMBER_TEXT], end[NNC_NUMBER_TEXT], name[64];
    if (one->micro_batch < 0) {
        snprintf(name, sizeof name, "%s", nnc_activity_name(one->activity));
    } else if (chunks) {
        snprintf(name, sizeof name, "%c%lld.%d", letters[one->activity],
                 (long long)one->micro_batch, (int)one->chunk);
    } else {
        snprintf(name, sizeof name, "%c%lld", letters[one->activity], (long long)one->micro_batch);
    }
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s %s..%s", name, nnc_unit_text(one->start_s, "s", start),
                   nnc_unit_text(one->end_s, "s", end));
}

/* The first and the last few passes, and what follows them; idle time shows in the bar. */
static void write_lane(nnc_sheet *sheet, lane l, bool chunks)
{
    enum { SHOWN = 3 };
    int64_t passes = 0, at = 0;
    char label[32];
    for (int64_t i = 0; i < l.count; i++) {
        passes += l.intervals[i].micro_batch >= 0 ? 1 : 0;
    }
    snprintf(label, sizeof label, "stage %d", (int)l.intervals[0].stage);
    nnc_sheet_label(sheet, label);
    for (int64_t i = 0; i < l.count; i++) {
        const nnc_interval *one = &l.intervals[i];
        const bool pass = one->micro_batch >= 0;
        if (one->activity == NNC_ACTIVITY_IDLE) {
            continue;
        }
        if (!pass || at < SHOWN || at >= passes - SHOWN) {
            write_interval(sheet, one, chunks);
        } else if (at == SHOWN) {
            nnc_sheet_item(sheet, NNC_INK_PLAIN, "...");
        }
        at += pass ? 1 : 0;
    }
    nnc_sheet_end(sheet);
}

/* From the first start to the last end, and which activities there are. */
typedef struct span {
    double begin_s, end_s;
    bool has[NNC_ACTIVITY_COUNT];
} span;

static span span_of(const nnc_report *report)
{
    span all = { .begin_s = report->intervals[0].start_s, .end_s = report->intervals[0].end_s };
    for (int64_t i = 0; i < report->interval_count; i++) {
        const nnc_interval *one = &report->intervals[i];
        all.begin_s = one->start_s < all.begin_s ? one->start_s : all.begin_s;
        all.end_s = one->end_s > all.end_s ? one->end_s : all.end_s;
        all.has[one->activity] = true;
    }
    return all;
}

static void write_key(nnc_sheet *sheet, const span *all, double place_s)
{
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    nnc_sheet_label(sheet, "timeline");
    nnc_sheet_item(sheet, NNC_INK_STRONG, "%s..%s", nnc_unit_text(all->begin_s, "s", a),
                   nnc_unit_text(all->end_s, "s", b));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "a place is %s", nnc_unit_text(place_s, "s", a));
    for (int i = 0; i < NNC_ACTIVITY_COUNT; i++) {
        if (all->has[i]) {
            nnc_sheet_item(sheet, NNC_INK_PLAIN, "%c %s", letters[i],
                           nnc_activity_name((nnc_activity)i));
        }
    }
    nnc_sheet_end(sheet);
}

static bool has_chunks(const nnc_report *report)
{
    const nnc_plan *plan = &report->result->plan;
    return plan->pipeline > 1 && (nnc_schedule_chunks(plan) > 1 || nnc_schedule_dual(plan));
}

void nnc_timeline_write(nnc_buffer *out, nnc_style style, const nnc_report *report)
{
    enum { LABEL = 10, PLACES_MAX = 400 };
    char bar[PLACES_MAX + 1];
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    const bool markdown = style.format == &nnc_format_markdown;
    const nnc_interval *end = report->intervals + report->interval_count;
    const int room = markdown ? 80 : style.width - LABEL;
    const int places = room > PLACES_MAX ? PLACES_MAX : room;
    const span all = span_of(report);
    const double place_s = (all.end_s - all.begin_s) / places;

    write_key(&sheet, &all, place_s);
    nnc_buffer_text(out, markdown ? "\n```text\n" : "");
    for (const nnc_interval *at = report->intervals; at < end;) {
        const lane l = lane_of(report, at);
        draw(l, all.begin_s, place_s, bar, places);
        nnc_buffer_print(out, "stage %-3d %s\n", (int)at->stage, bar);
        at += l.count;
    }
    nnc_buffer_text(out, markdown ? "```\n\n" : "\n");
    for (const nnc_interval *at = report->intervals; at < end;) {
        const lane l = lane_of(report, at);
        write_lane(&sheet, l, has_chunks(report));
        at += l.count;
    }
}
