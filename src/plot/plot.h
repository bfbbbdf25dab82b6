/* The pictures: an estimate or a search as SVG. One file and one row per picture. */
#ifndef NNCOST_PLOT_PLOT_H
#define NNCOST_PLOT_PLOT_H

#include "metrics/report.h"
#include "search/search_task.h"

/* What may be drawn: an estimate, or a search. */
typedef struct nnc_plot_data {
    const nnc_report *report;        /* with intervals for a timeline */
    const nnc_report *other;         /* outlined behind it, on the same scale; NULL = none */
    const nnc_search_report *search; /* with the model and the device */
} nnc_plot_data;

enum { NNC_PLOT_WIDTH = 720, NNC_PLOT_WIDTH_MIN = 300, NNC_PLOT_WIDTH_MAX = 4000 };

typedef struct nnc_plot_how {
    int32_t width;       /* pixels */
    bool fragment;       /* for a page that has the style sheet */
    const char *id;      /* of the picture on its page; NULL = "nnc-" and its name */
    bool stages;         /* memory: every stage */
    int32_t marks;       /* for a page of several: of how many passes each is a mark, and
                         * small ops are joined from farther off; 0 = for a picture alone */
    double from_s, to_s; /* timeline: what part of it; NaN = from its begin, to its end */
} nnc_plot_how;

/* What a picture is drawn from. */
typedef enum nnc_plot_of {
    NNC_PLOT_ESTIMATE,
    NNC_PLOT_TIMELINE,
    NNC_PLOT_FRONT,
    NNC_PLOT_SIZES
} nnc_plot_of;

typedef struct nnc_canvas nnc_canvas;

typedef struct nnc_picture {
    const char *name; /* "step" */
    const char *help; /* a sentence */
    nnc_plot_of of;
    bool by_stages; /* takes nnc_plot_how.stages */
    void (*draw)(nnc_canvas *canvas, const nnc_plot_data *data);
} nnc_picture;

enum { NNC_PICTURE_COUNT = 6 };
extern const nnc_picture *const nnc_pictures[NNC_PICTURE_COUNT];
const char *nnc_picture_name(unsigned index); /* "?" past the last */

/* Draws it. out remembers what went wrong. */
void nnc_plot_draw(nnc_buffer *out, const nnc_picture *picture, const nnc_plot_data *data,
                   const nnc_plot_how *how);

#endif
