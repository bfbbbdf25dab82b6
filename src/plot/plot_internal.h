/* Pictures of an estimate or a search as SVG. Each picture is an nnc_picture.
 *
 * A picture draws on a canvas from top to bottom: heading, plot, legend. The page adds width and style. Positions
 * are whole tenths of a pixel (nnc_px), so the output is the same on every machine. */
#ifndef NNCOST_PLOT_INTERNAL_H
#define NNCOST_PLOT_INTERNAL_H

#include "base/base_internal.h"
#include "metrics/metrics_internal.h"
#include "render/render_internal.h"
#include "search/search_internal.h"

/* One operator of a trace: measured time, expected time and lower bound. */
typedef struct nnc_plot_op {
    const char *name;                       /* name and shapes: "aten::mm [[8, 16], [16, 4]]" */
    const char *hue;                        /* CSS class in the palette, which decides the colour */
    double measured_s, expected_s, bound_s; /* measured time, expected time, lower bound; NaN = not known */
    double share;                           /* the operator's share of all kernel time */
} nnc_plot_op;

typedef struct nnc_plot_ops {
    const char *sentence, *result;
    const nnc_plot_op *ops; /* operators, sorted: longest time first */
    int32_t count;
    const char *hues[3], *labels[3]; /* hues: colour of each class of operators; labels: label of each class in the
                                      * legend */
    double rest_s;                   /* seconds of all operators that are not drawn */
} nnc_plot_ops;

/* Input of a picture: an estimate, a search, or the operators of a trace. */
typedef struct nnc_plot_data {
    const nnc_plot_ops *ops;
    const nnc_report *report; /* the estimate; a timeline needs the intervals of the report */
    const nnc_report *other;  /* another estimate, drawn as outlines on the same scale; NULL = no other estimate */
    const nnc_search_report *search; /* a search, with its model and device */
} nnc_plot_data;

enum { NNC_PLOT_WIDTH = 720, NNC_PLOT_WIDTH_MIN = 300, NNC_PLOT_WIDTH_MAX = 4000 };

typedef struct nnc_plot_how {
    int32_t width;  /* width of the picture in pixels */
    bool fragment;  /* true: leave out the style sheet, because the page already has it */
    const char *id; /* id of the picture on its page; NULL = "nnc-" and its name */
    bool stages;    /* true: the picture of memory shows every pipeline stage */
    /* 0 = the picture is alone on its page. Otherwise the page has several pictures: in a timeline with at most this
     * number of passes each pass has a tooltip, and a roofline joins small ops at a larger distance. */
    int32_t marks;
    double from_s, to_s; /* timeline: start and end of the visible part; NaN = start and end of the step */
} nnc_plot_how;

/* Kind of input that a picture needs: an estimate, an estimate with its timeline, or a search. */
typedef enum nnc_plot_of { NNC_PLOT_ESTIMATE, NNC_PLOT_TIMELINE, NNC_PLOT_FRONT, NNC_PLOT_SIZES } nnc_plot_of;

typedef struct nnc_canvas nnc_canvas;

typedef struct nnc_picture {
    const char *name; /* name on the command line: "step" */
    const char *help; /* help text of the picture, one sentence */
    nnc_plot_of of;
    bool by_stages; /* true: the picture uses nnc_plot_how.stages */
    void (*draw)(nnc_canvas *canvas, const nnc_plot_data *data);
} nnc_picture;

enum { NNC_PICTURE_COUNT = 6 };
extern const nnc_picture *const nnc_pictures[NNC_PICTURE_COUNT];
const char *nnc_picture_name(unsigned index); /* name of a picture; "?" for an index after the last picture */

/* Draws the picture. Errors are recorded in out. */
void nnc_plot_draw(nnc_buffer *out, const nnc_picture *picture, const nnc_plot_data *data, const nnc_plot_how *how);

/* ---- canvas: heading, legend, scales, labels ---- */

enum { NNC_CANVAS_TITLE = 192, NNC_CANVAS_DESC = 1024 };

struct nnc_canvas {
    nnc_svg svg;
    const nnc_plot_how *how;
    nnc_px left, right; /* x of the left and the right edge of the drawing */
    nnc_px y;           /* y at which the next line begins; at the end, the height of the picture */
    bool narrow;
    char title[NNC_CANVAS_TITLE], desc[NNC_CANVAS_DESC];
};

/* Writes the heading: the name in bold, the sentence, and `result` in bold at the right. The same words become the
 * title of the SVG and the start of its description; nnc_canvas_say extends the description. */
void nnc_canvas_heading(nnc_canvas *canvas, const char *name, const char *sentence, const char *result);
void nnc_canvas_say(nnc_canvas *canvas, const char *format, ...) NNC_PRINTF(2, 3);

/* Writes the subject of a picture to `text`: "Llama 3 8B with layers=4 on 64 x NVIDIA H100 SXM5 80 GB". overrides: the
 * changes of --set; NULL = no changes. */
void nnc_canvas_subject(const nnc_model *model, const nnc_device *device, int32_t devices, const char *overrides,
                        char text[NNC_CANVAS_TITLE]);

/* nnc_canvas_other appends a second estimate to a sentence: "...; outlined: Llama 3 8B on NVIDIA A100, 2.163 s". If
 * `other` is NULL, the sentence is unchanged. */
enum { NNC_CANVAS_SENTENCE = 2 * NNC_CANVAS_TITLE + 256 };
void nnc_canvas_other(const nnc_report *other, double value, const char *unit, char sentence[NNC_CANVAS_SENTENCE]);

/* An entry of a legend. Entries stand side by side, each with its value below it; on a narrow canvas, entries with
 * values take a row each. */
typedef struct nnc_legend {
    const char *hue; /* CSS class of the coloured box of the entry; "" = a hatched box */
    const char *label;
    char value[48];      /* value below the label; "" = no value */
    const char *explain; /* name of the metric that explains the entry; NULL = no explanation */
} nnc_legend;
void nnc_canvas_legend(nnc_canvas *canvas, nnc_px x, const nnc_legend *entries, int count);
/* Writes a legend with one entry per row, also on a wide canvas. */
void nnc_canvas_rows(nnc_canvas *canvas, const nnc_legend *entries, int count);
/* Draws one entry at (x, y): the coloured box, the label and the value. */
void nnc_canvas_entry(nnc_canvas *canvas, nnc_px x, nnc_px y, const nnc_legend *entry);
nnc_px nnc_canvas_entry_px(const nnc_legend *entry);

typedef struct nnc_scale {
    double from, to;   /* values at the ends of the scale; from < to; both above 0 if log */
    nnc_px start, end; /* positions of the values `from` and `to` */
    bool log;
} nnc_scale;

nnc_px nnc_scale_at(const nnc_scale *scale, double value);
/* nnc_scale_ticks lists the tick values inside a scale, in steps of 1, 2 or 5 times a power of ten; at most about
 * `most`. Returns the number of ticks. */
enum { NNC_TICKS_MAX = 64 };
int nnc_scale_ticks(const nnc_scale *scale, int most, double ticks[NNC_TICKS_MAX]);
/* Writes the value of a tick as short as possible: "200 ms". */
char *nnc_tick_text(double value, const char *unit, char text[NNC_NUMBER_TEXT]);

/* Ticks of a scale; most: about the largest number of ticks. */
typedef struct nnc_ticks {
    const nnc_scale *scale;
    const char *unit;
    int most;
} nnc_ticks;
/* Draws grid lines at the ticks of both scales, with the values below and at the left, and `name` below the x axis. */
void nnc_canvas_grid(nnc_canvas *canvas, nnc_box area, nnc_ticks x, nnc_ticks y, const char *name);

/* ---- finds free positions for labels ---- */

enum { NNC_TAKEN_MAX = 2048 };

typedef struct nnc_places {
    nnc_box area; /* labels must lie inside this area */
    nnc_box taken[NNC_TAKEN_MAX];
    bool text[NNC_TAKEN_MAX]; /* true: text occupies the box, so leader lines must not cross it */
    int count;
} nnc_places;

void nnc_place_take(nnc_places *places, nnc_box box, bool text);
/* Marks the area of a line with the width `thick` as occupied. */
void nnc_place_take_line(nnc_places *places, nnc_px x1, nnc_px y1, nnc_px x2, nnc_px y2, nnc_px thick);
/* The symbol to which a label belongs: a circle, or another shape of that size. */
typedef struct nnc_spot {
    nnc_px x, y, radius;
} nnc_spot;

/* Finds a free position for a label of w x h near a symbol, and marks it as occupied. Returns false if there is no free
 * position within the distance `far`. */
bool nnc_place_by(nnc_places *places, nnc_spot spot, nnc_px w, nnc_px h, nnc_px far, nnc_box *found);
/* Writes one or two lines of text near a symbol, with a leading line if the text does not touch the symbol. below:
 * second line; "" = only one line. Returns false, and writes nothing, if no free place is near. */
bool nnc_canvas_label(nnc_canvas *canvas, nnc_places *places, nnc_spot spot, nnc_px far, const char *line,
                      const char *below);
/* Moves the labels in a row away from their wanted x until they do not overlap. Returns false if they do not fit
 * between `from` and `to`. */
bool nnc_place_row(nnc_px *x, const nnc_px *w, int count, nnc_px from, nnc_px to, nnc_px gap);

/* Returns the box of 12 px text whose baseline is at y. */
static inline nnc_box nnc_line_box(nnc_px x, nnc_px y, nnc_px w) {
    return (nnc_box){ x, y - NNC_PX(10), w, NNC_PX(13) };
}

extern const nnc_picture nnc_plot_step, nnc_plot_memory, nnc_plot_roofline, nnc_plot_timeline, nnc_plot_front,
    nnc_plot_scaling, nnc_plot_measured;

#endif
