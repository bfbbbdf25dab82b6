/* The ops of a step as marks under a roof. */
#ifndef NNCOST_PLOT_ROOFLINE_MARKS_H
#define NNCOST_PLOT_ROOFLINE_MARKS_H

#include "plot/canvas.h"

enum { NNC_ROOF_MARKS_MAX = 1024 };

/* One or more rows of the op table, equal in name, phase and bound, that lie in the same place. */
typedef struct nnc_roof_mark {
    const nnc_op_cost *cost; /* the first of them */
    double intensity, flops_per_s, share;
    int rows, others; /* of the op table; marks of other ops that it stands for */
    nnc_px x, y, radius;
} nnc_roof_mark;

typedef struct nnc_roofline {
    nnc_canvas *canvas;
    const nnc_report *report, *other; /* other: only outlined; NULL = none */
    nnc_scale x, y;
    double peak, rate; /* FLOP/s, B/s */
    nnc_roof_mark *marks;
    int count;
    double bound_share[NNC_BOUND_COUNT], not_drawn; /* shares of the step */
    nnc_places places;
} nnc_roofline;

void nnc_roofline_scale(nnc_roofline *r, nnc_box area);
/* The marks of its own report or of the other, largest first; room for NNC_ROOF_MARKS_MAX of them. */
void nnc_roofline_gather(nnc_roofline *r, const nnc_report *report);
/* The roof of the other report. */
void nnc_roofline_draw_other(nnc_roofline *r);
/* The roof of the datasheet, and below it what fitted kernels sustain. */
void nnc_roofline_draw_roof(nnc_roofline *r, nnc_box area);

#endif
