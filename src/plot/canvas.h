/* What pictures have in common: a heading, a legend, scales, and places for labels. */
#ifndef NNCOST_PLOT_CANVAS_H
#define NNCOST_PLOT_CANVAS_H

#include "base/number.h"
#include "plot/plot.h"
#include "render/svg.h"

enum { NNC_CANVAS_TITLE = 192, NNC_CANVAS_DESC = 1024 };

struct nnc_canvas {
    nnc_svg svg;
    const nnc_plot_how *how;
    nnc_px left, right; /* what may be drawn on, from side to side */
    nnc_px y;           /* where the next line begins; at the end, where the picture does */
    bool narrow;
    char title[NNC_CANVAS_TITLE], desc[NNC_CANVAS_DESC];
};

/* Bold name, then a sentence that says what is seen; `result` stands bold at the right. The words become
 * the picture's title and the begin of its description, which nnc_canvas_say adds to. */
void nnc_canvas_heading(nnc_canvas *canvas, const char *name, const char *sentence,
                        const char *result);
void nnc_canvas_say(nnc_canvas *canvas, const char *format, ...) NNC_PRINTF(2, 3);

/* "Llama 3 8B on 64 x NVIDIA H100 SXM5 80 GB". */
void nnc_canvas_subject(const nnc_model *model, const nnc_device *device, int32_t devices,
                        char text[NNC_CANVAS_TITLE]);

/* "...; outlined: Llama 3 8B on NVIDIA A100, 2.163 s", or the sentence as it is where nothing is. */
enum { NNC_CANVAS_SENTENCE = 2 * NNC_CANVAS_TITLE + 256 };
void nnc_canvas_other(const nnc_report *other, double value, const char *unit,
                      char sentence[NNC_CANVAS_SENTENCE]);

/* Entries of a legend: side by side, with the values below where there are some; on a narrow canvas row
 * by row. */
typedef struct nnc_legend {
    const char *hue; /* class of the mark; "" = hatched */
    const char *label;
    char value[48];      /* "" = none */
    const char *explain; /* the metric it shows; NULL = none */
} nnc_legend;
void nnc_canvas_legend(nnc_canvas *canvas, nnc_px x, const nnc_legend *entries, int count);
/* Row by row on any canvas. */
void nnc_canvas_rows(nnc_canvas *canvas, const nnc_legend *entries, int count);
/* One entry's mark, label and value at a place. */
void nnc_canvas_entry(nnc_canvas *canvas, nnc_px x, nnc_px y, const nnc_legend *entry);
nnc_px nnc_canvas_entry_px(const nnc_legend *entry);

/* ---- scales ---- */

typedef struct nnc_scale {
    double from, to;   /* from < to; above 0 if log */
    nnc_px start, end; /* where they are drawn */
    bool log;
} nnc_scale;

nnc_px nnc_scale_at(const nnc_scale *scale, double value);
/* Steps of 1, 2, 5 inside it, as many as there is room for; returns how many. */
enum { NNC_TICKS_MAX = 64 };
int nnc_scale_ticks(const nnc_scale *scale, int most, double ticks[NNC_TICKS_MAX]);
/* "200 ms": as short as a tick's value is. */
char *nnc_tick_text(double value, const char *unit, char text[NNC_NUMBER_TEXT]);

/* Of a scale, what is written along it. */
typedef struct nnc_ticks {
    const nnc_scale *scale;
    const char *unit;
    int most;
} nnc_ticks;
/* Lines at the values of both scales, which are written below and at the left; what x is below them. */
void nnc_canvas_grid(nnc_canvas *canvas, nnc_box area, nnc_ticks x, nnc_ticks y, const char *name);

/* ---- places of labels ---- */

enum { NNC_TAKEN_MAX = 2048 };

typedef struct nnc_places {
    nnc_box area; /* labels stay inside */
    nnc_box taken[NNC_TAKEN_MAX];
    bool text[NNC_TAKEN_MAX]; /* by words, which no leader crosses */
    int count;
} nnc_places;

void nnc_place_take(nnc_places *places, nnc_box box, bool text);
/* Takes what lies along a line, `thick` wide. */
void nnc_place_take_line(nnc_places *places, nnc_px x1, nnc_px y1, nnc_px x2, nnc_px y2,
                         nnc_px thick);
/* What a label belongs to, a circle or what is as large. */
typedef struct nnc_spot {
    nnc_px x, y, radius;
} nnc_spot;

/* A free place for a label of w x h by a mark, which it takes; false when there is none less than `far` away. */
bool nnc_place_by(nnc_places *places, nnc_spot spot, nnc_px w, nnc_px h, nnc_px far,
                  nnc_box *found);
/* Writes one or two lines by a mark, with a leader where they stand apart. "" = no second line. */
bool nnc_canvas_label(nnc_canvas *canvas, nnc_places *places, nnc_spot spot, nnc_px far,
                      const char *line, const char *below);
/* Moves labels in a row, which want to begin at x, until none overlap; false when they do not fit. */
bool nnc_place_row(nnc_px *x, const nnc_px *w, int count, nnc_px from, nnc_px to, nnc_px gap);

/* The text box of 12 px text whose baseline is at y. */
static inline nnc_box nnc_line_box(nnc_px x, nnc_px y, nnc_px w)
{
    return (nnc_box){ x, y - NNC_PX(10), w, NNC_PX(13) };
}

extern const nnc_picture nnc_plot_step, nnc_plot_memory, nnc_plot_roofline, nnc_plot_timeline,
    nnc_plot_front, nnc_plot_scaling;

#endif
