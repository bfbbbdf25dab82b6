/* The least value of a function of a few numbers inside limits. */
#ifndef NNCOST_LAB_MINIMISE_H
#define NNCOST_LAB_MINIMISE_H

#include <nncost/status.h>

enum { NNC_MINIMISE_MAX = 32 };

typedef double nnc_minimise_fn(const double *x, void *context);

typedef struct nnc_minimise_problem {
    int count; /* of numbers, 1 to NNC_MINIMISE_MAX */
    const double *low, *high;
    const double *step; /* how far apart the first tries are, above 0 */
    nnc_minimise_fn *value;
    void *context;
} nnc_minimise_problem;

/* NNC_BAD_USAGE: the program was built without NLopt; NNC_IO: it is not there now. */
nnc_status nnc_minimise_available(nnc_error *err);

/* Moves x, inside the limits, to where the value is least, by Subplex: Nelder-Mead in subspaces,
 * which needs no derivatives and minds neither kinks nor plateaus. Starts again from where it
 * stopped until that gains nothing. The number of evaluations is bounded by the count alone and
 * nothing is drawn by lot, so the same problem gives the same x. Returns the value there; NaN when
 * out of memory or not available, x then as it was.
 * Source: Rowan, Functional Stability Analysis of Numerical Algorithms, PhD thesis, University of
 * Texas at Austin, 1990; Johnson, The NLopt nonlinear-optimization package. */
double nnc_minimise(const nnc_minimise_problem *problem, double *x);

#endif
