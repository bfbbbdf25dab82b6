/* Of a program that was built without NLopt: nothing can be fitted. */
#include <math.h>

#include "lab/minimise.h"

bool nnc_minimise_available(void)
{
    return false;
}

double nnc_minimise(const nnc_minimise_problem *problem, double *x)
{
    (void)problem, (void)x;
    return (double)NAN;
}
