/* Stands in for minimise.c in a program that is built without NLopt: nothing can be fitted. */
#include "base/base_internal.h"
#include "lab/lab_internal.h"

nnc_status nnc_minimise_available(nnc_error *err)
{
    return nnc_fail(err, NNC_BAD_USAGE, "calibrate", "this program was built without NLopt");
}

double nnc_minimise(const nnc_minimise_problem *problem, double *x)
{
    (void)problem, (void)x;
    return (double)NAN;
}
