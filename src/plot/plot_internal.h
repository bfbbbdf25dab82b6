/* Pictures of an estimate or a search as SVG; each kind of picture is an nnc_picture. A picture is drawn on a canvas
 * from top to bottom: heading, plot, legend. The HTML page adds width and style. Positions are whole tenths of a pixel
 * (nnc_px), so that the output is the same on every machine. */
#ifndef NNCOST_PLOT_INTERNAL_H
#define NNCOST_PLOT_INTERNAL_H

#include "base/base_internal.h"
#include "metrics/metrics_internal.h"
#include "render/render_internal.h"
#include "search/search_internal.h"

/* One operator of a trace in the picture of measured operators: measured time, expected time and lower bound. */
typedef struct nnc_plot_op {
    const char *name; /* name of the operator and shapes of its inputs: "aten::mm [[8, 16], [16, 4]]" */
    const char *hue;  /* CSS class that decides the colour of the operator's bar */
    double measured_s, expected_s, bound_s; /* times of the operator in seconds; NaN = not known */
    double share;                           /* kernel time of the operator / time of all kernels of the trace */
} nnc_plot_op;

typedef struct nnc_plot_ops {
    const char *sentence, *result;
    const nnc_plot_op *ops; /* operators that the picture draws, the longest measured time first */
    int32_t count;
    const char *hues[3], *labels[3]; /* hues: colour of each class of operators; labels: label of each class in the
                                      * legend */
    double rest_s;                   /* sum of the measured seconds of all operators that are not drawn */
} nnc_plot_ops;

/* The data that a picture shows: an estimate, a search, or the operators of a trace. */
typedef struct nnc_plot_data {
    const nnc_plot_ops *ops;
    const nnc_report *report; /* the estimate to draw; the picture `timeline` needs an estimate with intervals */
    /* second estimate, drawn as outlines on the same scale as the first; NULL = only one estimate */
    const nnc_report *other;
    const nnc_search_report *search; /* the search to draw, with its model and device */
} nnc_plot_data;

enum { NNC_PLOT_WIDTH = 720, NNC_PLOT_WIDTH_MIN = 300, NNC_PLOT_WIDTH_MAX = 4000 };

typedef struct nnc_plot_how {
    int32_t width;  /* width of the picture in pixels */
    bool fragment;  /* true: the picture has no style sheet, because the HTML page already has the style sheet */
    const char *id; /* id of the picture in the HTML page; NULL = "nnc-" and the name of the picture */
    bool stages;    /* true: the picture of memory shows each pipeline stage, not only the stage with the most memory */
    /* If `marks` is 0, the HTML page has only this picture. If `marks` is above 0, the page has several pictures, and
     * each picture is kept small: the passes of a timeline get tooltips only if there are at most `marks` passes, and a
     * roofline joins small ops at a larger distance. */
    int32_t marks;
    /* of a timeline: start and end of the visible part in seconds; NaN = start and end of the step */
    double from_s, to_s;
} nnc_plot_how;

/* Kind of data that a picture shows: an estimate; an estimate with its timeline; the Pareto front of a search; a search
 * over several numbers of devices. */
typedef enum nnc_plot_of { NNC_PLOT_ESTIMATE, NNC_PLOT_TIMELINE, NNC_PLOT_FRONT, NNC_PLOT_SIZES } nnc_plot_of;

typedef struct nnc_canvas nnc_canvas;

typedef struct nnc_picture {
    const char *name; /* name of the picture on the command line: "step" */
    const char *help; /* help text of the picture in the command line's help, one sentence */
    nnc_plot_of of;
    bool by_stages; /* true: nnc_plot_how.stages changes the picture */
    void (*draw)(nnc_canvas *canvas, const nnc_plot_data *data);
} nnc_picture;

enum { NNC_PICTURE_COUNT = 6 };
extern const nnc_picture *const nnc_pictures[NNC_PICTURE_COUNT];
/* returns the name of a picture; "?" if `index` is not below NNC_PICTURE_COUNT */
const char *nnc_picture_name(unsigned index);

/* Draws a picture as SVG into `out`. An error is recorded in `out`. */
void nnc_plot_draw(nnc_buffer *out, const nnc_picture *picture, const nnc_plot_data *data, const nnc_plot_how *how);

/* ---- the canvas of a picture: heading, legend, scales, labels ---- */

enum { NNC_CANVAS_TITLE = 192, NNC_CANVAS_DESC = 1024 };

struct nnc_canvas {
    nnc_svg svg;
    const nnc_plot_how *how;
    nnc_px left, right; /* x positions of the left and the right edge of the drawing */
    nnc_px y;           /* y at which the next line is drawn; after the last line, the height of the picture */
    bool narrow;
    char title[NNC_CANVAS_TITLE], desc[NNC_CANVAS_DESC];
};

/* Writes the heading of a picture: its name in bold, a sentence, and `result` in bold at the right. The words of the
 * heading become the title of the SVG and the beginning of its description. nnc_canvas_say adds text to the
 * description. */
void nnc_canvas_heading(nnc_canvas *canvas, const char *name, const char *sentence, const char *result);
void nnc_canvas_say(nnc_canvas *canvas, const char *format, ...) NNC_PRINTF(2, 3);

/* Writes what a picture is about: "Llama 3 8B with layers=4 on 64 x NVIDIA H100 SXM5 80 GB". overrides: the changes by
 * --set; NULL = no changes. */
void nnc_canvas_subject(const nnc_model *model, const nnc_device *device, int32_t devices, const char *overrides,
                        char text[NNC_CANVAS_TITLE]);

/* nnc_canvas_other appends the name and the value of a second estimate to a sentence: "...; outlined: Llama 3 8B on
 * NVIDIA A100, 2.163 s". If `other` is NULL, the sentence does not change. */
enum { NNC_CANVAS_SENTENCE = 2 * NNC_CANVAS_TITLE + 256 };
void nnc_canvas_other(const nnc_report *other, double value, const char *unit, char sentence[NNC_CANVAS_SENTENCE]);

/* An entry of a legend. The entries of a legend are placed side by side, and the value of an entry is written below its
 * label. On a narrow canvas, each legend entry with a value has a row of its own. */
typedef struct nnc_legend {
    const char *hue; /* CSS class of the coloured box before the label; "" = the box is hatched */
    const char *label;
    char value[48];      /* value that is written below the label; "" = no value */
    const char *explain; /* name of the metric that the HTML page explains for this entry; NULL = no metric */
} nnc_legend;
void nnc_canvas_legend(nnc_canvas *canvas, nnc_px x, const nnc_legend *entries, int count);
/* Writes a legend with one entry per row, whatever the width of the canvas. */
void nnc_canvas_rows(nnc_canvas *canvas, const nnc_legend *entries, int count);
/* Draws one entry of a legend at (x, y): the coloured box, the label and the value. */
void nnc_canvas_entry(nnc_canvas *canvas, nnc_px x, nnc_px y, const nnc_legend *entry);
nnc_px nnc_canvas_entry_px(const nnc_legend *entry);

typedef struct nnc_scale {
    double from, to;   /* values at the two ends of the scale, from < to; on a logarithmic scale both are above 0 */
    nnc_px start, end; /* positions on the canvas of the values `from` and `to` */
    bool log;
} nnc_scale;

nnc_px nnc_scale_at(const nnc_scale *scale, double value);
/* nnc_scale_ticks lists the tick values between the ends of a scale, in steps of 1, 2 or 5 times a power of ten.
 * Returns the number of ticks, which is at most a little above `most`. */
enum { NNC_TICKS_MAX = 64 };
int nnc_scale_ticks(const nnc_scale *scale, int most, double ticks[NNC_TICKS_MAX]);
/* Writes the value of a tick as a short text: "200 ms". */
char *nnc_tick_text(double value, const char *unit, char text[NNC_NUMBER_TEXT]);

/* The ticks of one axis. most: approximate limit for the number of ticks. */
typedef struct nnc_ticks {
    const nnc_scale *scale;
    const char *unit;
    int most;
} nnc_ticks;
/* Draws grid lines at the ticks of both axes; writes the tick values below and to the left of the plot, and `name`
 * below the x axis. */
void nnc_canvas_grid(nnc_canvas *canvas, nnc_box area, nnc_ticks x, nnc_ticks y, const char *name);

/* ---- finds free places for labels ---- */

enum { NNC_TAKEN_MAX = 2048 };

typedef struct nnc_places {
    nnc_box area; /* area of the plot, in which all labels must lie */
    nnc_box taken[NNC_TAKEN_MAX];
    /* text[i]: true = box i contains text, so the leader line of a label must not cross the box */
    bool text[NNC_TAKEN_MAX];
    int count;
} nnc_places;

void nnc_place_take(nnc_places *places, nnc_box box, bool text);
/* Marks the area of a line as occupied; thick: width of this area. */
void nnc_place_take_line(nnc_places *places, nnc_px x1, nnc_px y1, nnc_px x2, nnc_px y2, nnc_px thick);
/* The symbol to which a label belongs: a circle, or another shape of about the same size. */
typedef struct nnc_spot {
    nnc_px x, y, radius;
} nnc_spot;

/* Finds a free place for a label of width w and height h near a symbol, and marks the place as occupied. far: largest
 * distance from the symbol. Returns false if there is no free place. */
bool nnc_place_by(nnc_places *places, nnc_spot spot, nnc_px w, nnc_px h, nnc_px far, nnc_box *found);
/* Writes one or two lines of text as the label of a symbol, with a leader line if the text is not next to the symbol.
 * below: the second line; "" = only one line. Returns false and writes nothing if there is no free place within the
 * distance `far`. */
bool nnc_canvas_label(nnc_canvas *canvas, nnc_places *places, nnc_spot spot, nnc_px far, const char *line,
                      const char *below);
/* Places labels in a row: moves each label as little as possible from its wanted position x until no two labels
 * overlap. Returns false if the labels do not fit between `from` and `to`. */
bool nnc_place_row(nnc_px *x, const nnc_px *w, int count, nnc_px from, nnc_px to, nnc_px gap);

/* Returns the box that a line of 12 px text occupies; y is the baseline of the text, w its width. */
static inline nnc_box nnc_line_box(nnc_px x, nnc_px y, nnc_px w) {
    return (nnc_box){ x, y - NNC_PX(10), w, NNC_PX(13) };
}

extern const nnc_picture nnc_plot_step, nnc_plot_memory, nnc_plot_roofline, nnc_plot_timeline, nnc_plot_front,
    nnc_plot_scaling, nnc_plot_measured;

#endif
