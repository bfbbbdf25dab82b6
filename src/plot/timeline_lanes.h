/* The stages of a timeline as rows of passes. */
#ifndef NNCOST_PLOT_TIMELINE_LANES_H
#define NNCOST_PLOT_TIMELINE_LANES_H

#include "plot/canvas.h"

/* Passes that get a tooltip and a number each. */
enum { NNC_TIMELINE_DETAIL = 600 };

typedef struct nnc_stage_rows {
    nnc_canvas *canvas;
    const nnc_report *report;
    nnc_scale x;
    nnc_px height, gap;
    int32_t every;  /* stages per row */
    int64_t passes; /* that lie in the window */
    nnc_px column;  /* what is shorter than one and a half goes into columns of this width */
    double (*spent)[NNC_ACTIVITY_COUNT]; /* tenths of a pixel that each takes of a column */
    bool has[NNC_ACTIVITY_COUNT];
} nnc_stage_rows;

/* The intervals of one stage. */
typedef struct nnc_stage_row {
    const nnc_interval *first, *end;
} nnc_stage_row;

/* Class of an activity's colour, "" = none; its name for people. */
extern const char *const nnc_timeline_hues[NNC_ACTIVITY_COUNT];
extern const char *const nnc_timeline_labels[NNC_ACTIVITY_COUNT];

/* From the first interval of a stage. */
nnc_stage_row nnc_stage_row_from(const nnc_stage_rows *t, const nnc_interval *first);
/* Adds up what is too short to be a mark; returns how many others there are. */
int64_t nnc_stage_sort_out(nnc_stage_rows *t, nnc_stage_row l);
/* The rectangles of an activity's columns, equal neighbours as one; returns how many. svg NULL: only counted. */
int64_t nnc_stage_put_columns(const nnc_stage_rows *t, nnc_svg *svg, int activity, nnc_px y);
void nnc_stage_put(nnc_stage_rows *t, nnc_stage_row l);

#endif
