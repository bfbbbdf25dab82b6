/* Figures on the move: what fitting and cross-validating share. */
#ifndef NNCOST_LAB_FIT_MOVING_H
#define NNCOST_LAB_FIT_MOVING_H

#include "lab/fit.h"
#include "lab/minimise.h"

/* How far a figure may go, in what steps it is tried, and where it starts when the device's own is
 * neutral. Factors move by ratios, times and sizes by sums, because these may be 0. */
typedef struct nnc_fit_range {
    const char *member;
    double low, high, step,
        usual; /* low and high 0: the field's own; step: of the logarithm if `ratio` */
    bool ratio;
} nnc_fit_range;

/* The figures of one group, or all of them, as the minimiser moves them: in steps from the start. */
typedef struct nnc_fit_moving {
    nnc_fit *fit;
    int32_t group;     /* -1 = all rows */
    int32_t left_out;  /* a part of the cross-validation; -1 = none */
    nnc_device device; /* of the row at hand; of what is served its engine */
    nnc_software software;
    nnc_fit_figure *figures[NNC_MINIMISE_MAX];
    const nnc_fit_range *ranges[NNC_MINIMISE_MAX];
    const struct nnc_field *fields[NNC_MINIMISE_MAX];
    double start[NNC_MINIMISE_MAX];
    double low[NNC_MINIMISE_MAX], high[NNC_MINIMISE_MAX], step[NNC_MINIMISE_MAX];
    int count;
    double pull;
} nnc_fit_moving;

/* Of a figure by its name; NULL: it cannot be fitted. */
const nnc_fit_range *nnc_fit_range_of(const char *name);

/* Is the row one that these figures are fitted to? */
bool nnc_fit_uses(const nnc_fit_moving *m, const nnc_fit_row *row);
/* Moves the figures to where their rows want them. false: out of memory. */
bool nnc_fit_move(nnc_fit_moving *m);
/* Of a row, with the figures as they stand. */
double nnc_fit_error(nnc_fit_moving *m, const nnc_fit_row *row);

/* A row to be dealt out. */
typedef struct nnc_fit_hand {
    uint64_t digest;
    int32_t row;
} nnc_fit_hand;

/* Fills in the crossed errors of the rows. hands: room for as many as there are rows. false: out of
 * memory. */
bool nnc_fit_cross(nnc_fit_moving *m, nnc_fit_hand *hands);

/* Fills in the errors of the groups from those of the rows. errors: room for as many as there are rows. */
void nnc_fit_sum_errors(nnc_fit *fit, double *errors);

#endif
