/* The memory of a device by class, and whether it fits. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "plot/plot_internal.h"
#include "render/render_internal.h"

enum { CLASSES_MAX = 12, ROWS_MAX = 64 };

typedef struct memory_class {
    const nnc_metric *row;
    int64_t bytes;
} memory_class;

/* Metrics that add up to the memory, in order. */
static int classes_of(const nnc_memory *memory, memory_class classes[CLASSES_MAX])
{
    const nnc_place place = { .record = memory };
    char text[NNC_METRIC_TEXT_MAX];
    int count = 0;
    for (size_t i = 0; i < nnc_memory_metrics.count && count < CLASSES_MAX; i++) {
        const nnc_metric *row = &nnc_memory_metrics.rows[i];
        const nnc_cell cell = nnc_metric_read(row, &place, 0, text);
        if (nnc_metric_rare(row)->part_of != NULL && cell.whole > 0) {
            classes[count++] = (memory_class){ row, cell.whole };
        }
    }
    return count;
}

/* The classes of memory of one device, filled, or as outlines for the other estimate. */
static void draw_classes(nnc_canvas *canvas, const nnc_scale *scale, const nnc_memory *memory,
                         nnc_px height, bool outlined)
{
    memory_class classes[CLASSES_MAX];
    char size[NNC_NUMBER_TEXT], share[NNC_NUMBER_TEXT], tip[128], class[32];
    const int count = classes_of(memory, classes);
    const double capacity = (double)memory->capacity_bytes;
    int64_t done = 0;
    for (int i = 0; i < count; i++) {
        const char *name = classes[i].row->head;
        const nnc_px x = nnc_scale_at(scale, (double)done);
        done += classes[i].bytes;
        const nnc_px w = nnc_scale_at(scale, (double)done) - x;
        snprintf(tip, sizeof tip, "%s%s: %s, %s of the device", outlined ? "outlined: " : "", name,
                 nnc_unit_text((double)classes[i].bytes, "B", size),
                 nnc_percent_text((double)classes[i].bytes / capacity, share));
        snprintf(class, sizeof class, outlined ? "other" : "bar %s", name);
        nnc_svg_mark(&canvas->svg, outlined ? NULL : classes[i].row->name, NULL, tip);
        nnc_svg_rect(&canvas->svg, class, (nnc_box){ x, canvas->y, w, height });
        nnc_svg_mark_end(&canvas->svg);
    }
}

/* One device: the frame is its memory, the fill the plan, on one scale. Memory above the capacity
 * has a frame. */
static void draw_bar(nnc_canvas *canvas, const nnc_scale *scale, const nnc_memory *memory,
                     nnc_px height)
{
    const nnc_px y = canvas->y, end = nnc_scale_at(scale, (double)memory->capacity_bytes);
    nnc_svg_rect(&canvas->svg, "idle", (nnc_box){ scale->start, y, end - scale->start, height });
    draw_classes(canvas, scale, memory, height, false);
    if (memory->headroom_bytes < 0) {
        const nnc_px over = nnc_scale_at(scale, (double)memory->total_bytes);
        nnc_svg_rect(&canvas->svg, "frame",
                     (nnc_box){ end, y - NNC_PX(2), over - end, height + NNC_PX(4) });
    }
    nnc_svg_line(&canvas->svg, "edge", end, y - NNC_PX(4), end, y + height + NNC_PX(4));
}

/* The other estimate above, with its own capacity. */
static void draw_other(nnc_canvas *canvas, const nnc_scale *scale, const nnc_memory *memory)
{
    const nnc_px height = NNC_PX(9), end = nnc_scale_at(scale, (double)memory->capacity_bytes);
    draw_classes(canvas, scale, memory, height, true);
    nnc_svg_line(&canvas->svg, "edge thin", end, canvas->y - NNC_PX(3), end,
                 canvas->y + height + NNC_PX(1));
    canvas->y += height + NNC_PX(6);
}

/* Free memory, as text inside the frame; or the missing memory, below. */
static void draw_headroom(nnc_canvas *canvas, const nnc_scale *scale, const nnc_memory *memory,
                          nnc_px height)
{
    char size[NNC_NUMBER_TEXT], text[64];
    const nnc_px from = nnc_scale_at(scale, (double)memory->total_bytes);
    const bool over = memory->headroom_bytes < 0;
    nnc_unit_text((double)(over ? -memory->headroom_bytes : memory->headroom_bytes), "B", size);
    snprintf(text, sizeof text, over ? "%s too much" : "%s free", size);
    nnc_canvas_say(canvas, " %s.", text);
    const nnc_px w = nnc_text_px(text, NNC_TYPE_PLAIN);
    const nnc_px room = nnc_scale_at(scale, (double)memory->capacity_bytes) - from;
    if (!over && room > w + NNC_PX(12)) {
        nnc_svg_text(&canvas->svg, "dim", 'm', from + room / 2, canvas->y + height / 2 + NNC_PX(4),
                     text);
        canvas->y += height;
        return;
    }
    canvas->y += height + NNC_PX(16);
    nnc_svg_text(&canvas->svg, over ? "b" : "dim", 'e', canvas->right, canvas->y, text);
}

/* Legend of all classes in any of the bars, each with its maximum. */
static void draw_legend(nnc_canvas *canvas, const nnc_memory *const *bars, int32_t bar_count,
                        bool values)
{
    nnc_legend entries[CLASSES_MAX];
    int count = 0;
    char text[NNC_METRIC_TEXT_MAX], size[NNC_NUMBER_TEXT];
    for (size_t i = 0; i < nnc_memory_metrics.count && count < CLASSES_MAX; i++) {
        const nnc_metric *row = &nnc_memory_metrics.rows[i];
        int64_t most = 0;
        for (int32_t k = 0; k < bar_count && nnc_metric_rare(row)->part_of != NULL; k++) {
            const nnc_place place = { .record = bars[k] };
            const int64_t bytes = nnc_metric_read(row, &place, 0, text).whole;
            most = bytes > most ? bytes : most;
        }
        if (most > 0) {
            entries[count] = (nnc_legend){ .hue = row->head, .label = row->head };
            if (values) {
                snprintf(entries[count].value, sizeof entries[count].value, "%s",
                         nnc_unit_text((double)most, "B", size));
                nnc_canvas_say(canvas, " %c%s %s.", row->head[0] - 'a' + 'A', row->head + 1, size);
            }
            count++;
        }
    }
    nnc_canvas_legend(canvas, canvas->left, entries, count);
}

static nnc_scale scale_to(const nnc_canvas *canvas, nnc_px from, double capacity, double total)
{
    return (nnc_scale){ 0.0, total > capacity ? total : capacity, from, canvas->right, false };
}

static void draw_one(nnc_canvas *canvas, const nnc_report *report, const nnc_report *other)
{
    const nnc_result *r = report->result;
    const nnc_memory *memory = &r->memory;
    const double total = (double)memory->total_bytes, capacity = (double)memory->capacity_bytes;
    const nnc_memory none = { 0 }, *more = other != NULL ? &other->result->memory : &none;
    char sentence[NNC_CANVAS_SENTENCE], result[96];
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT], c[NNC_NUMBER_TEXT];
    nnc_canvas_subject(report->model, report->device, r->plan.devices, sentence);
    if (r->plan.pipeline > 1) {
        const size_t used = strlen(sentence);
        snprintf(sentence + used, sizeof sentence - used, ", the fullest stage: %" PRId32,
                 r->memory_stage);
    }
    nnc_canvas_other(other, (double)more->total_bytes, "B", sentence);
    snprintf(result, sizeof result, "%s of %s, %s", nnc_unit_text(total, "B", a),
             nnc_unit_text(capacity, "B", b), nnc_percent_text(total / capacity, c));
    nnc_canvas_heading(canvas, "Memory", sentence, result);
    const nnc_scale scale =
        scale_to(canvas, canvas->left, nnc_max(capacity, (double)more->capacity_bytes),
                 nnc_max(total, (double)more->total_bytes));
    if (other != NULL) {
        draw_other(canvas, &scale, more);
    }
    draw_bar(canvas, &scale, memory, NNC_PX(30));
    draw_headroom(canvas, &scale, memory, NNC_PX(30));
    draw_legend(canvas, &memory, 1, true);
}

/* The fullest of stages from .. to - 1. */
static int32_t fullest(const nnc_report *report, int32_t from, int32_t to)
{
    int32_t most = from;
    for (int32_t i = from; i < to && i < report->stage_count; i++) {
        const int64_t bytes = report->stages[i].memory.total_bytes;
        most = bytes > report->stages[most].memory.total_bytes ? i : most;
    }
    return most;
}

/* One bar per stage, on one scale; a very long pipeline shows the fullest of every n stages. */
static void draw_stages(nnc_canvas *canvas, const nnc_report *report)
{
    const int32_t every = nnc_ceil_div(report->stage_count, ROWS_MAX) > 1
                              ? (int32_t)nnc_ceil_div(report->stage_count, ROWS_MAX)
                              : 1;
    const int32_t most = fullest(report, 0, report->stage_count);
    const double capacity = (double)report->stages[most].memory.capacity_bytes;
    const nnc_px height = NNC_PX(16), gap = NNC_PX(4);
    const nnc_memory *bars[ROWS_MAX];
    char subject[NNC_CANVAS_TITLE], sentence[NNC_CANVAS_TITLE + 96], text[64], a[NNC_NUMBER_TEXT];
    int32_t count = 0;
    nnc_canvas_subject(report->model, report->device, report->result->plan.devices, subject);
    snprintf(sentence, sizeof sentence,
             every > 1 ? "%s, every %" PRId32 "th stage; right: micro-batches in flight"
                       : "%s, a device of each stage; right: micro-batches in flight",
             subject, every);
    snprintf(text, sizeof text, "%s each", nnc_unit_text(capacity, "B", a));
    nnc_canvas_heading(canvas, "Memory", sentence, text);
    nnc_scale scale = scale_to(canvas, canvas->left + NNC_PX(canvas->narrow ? 24 : 56), capacity,
                               (double)report->stages[most].memory.total_bytes);
    scale.end -= NNC_PX(40);
    for (int32_t from = 0; from < report->stage_count; from += every) {
        const int32_t at = fullest(report, from, from + every);
        const nnc_stage *stage = &report->stages[at];
        bars[count++] = &stage->memory;
        snprintf(text, sizeof text, canvas->narrow ? "%" PRId32 : "stage %" PRId32, at);
        nnc_svg_text(&canvas->svg, "dim", 's', canvas->left, canvas->y + NNC_PX(12), text);
        nnc_svg_text(&canvas->svg, "dim", 'e', canvas->right, canvas->y + NNC_PX(12),
                     nnc_count_text(stage->in_flight, a));
        nnc_canvas_say(canvas, " Stage %" PRId32 " %s.", at,
                       nnc_unit_text((double)stage->memory.total_bytes, "B", a));
        draw_bar(canvas, &scale, &stage->memory, height);
        canvas->y += height + gap;
    }
    draw_legend(canvas, bars, count, false);
}

static void draw(nnc_canvas *canvas, const nnc_plot_data *data)
{
    if (canvas->how->stages && data->report->stage_count > 1) {
        draw_stages(canvas, data->report);
    } else {
        draw_one(canvas, data->report, data->other);
    }
}

const nnc_picture nnc_plot_memory = {
    .name = "memory",
    .help = "Memory of the fullest device by class, or of every stage with --stages.",
    .of = NNC_PLOT_ESTIMATE,
    .by_stages = true,
    .draw = draw,
};
