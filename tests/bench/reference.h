/* Time of a fixed loop at the moment. Benchmark results divided by it are independent of the machine's
 * current speed. */
#ifndef NNCOST_TESTS_BENCH_REFERENCE_H
#define NNCOST_TESTS_BENCH_REFERENCE_H

#include <math.h>
#include <stdint.h>
#include <time.h>

/* Minimum time of several runs, in seconds, of a thousand dependent integer and floating-point steps with
 * an unpredictable branch. */
static inline double bench_reference_s(void)
{
    enum { STEPS = 1000000, TIMES = 8 };
    static volatile double kept;
    double best_s = INFINITY;
    for (int i = 0; i < TIMES; i++) {
        struct timespec from, to;
        uint64_t bits = UINT64_C(88172645463325252);
        double sum = 1.0;
        clock_gettime(CLOCK_MONOTONIC, &from);
        for (int step = 0; step < STEPS; step++) {
            bits ^= bits << 13u;
            bits ^= bits >> 7u;
            bits ^= bits << 17u;
            sum = (bits & 1u) != 0 ? sum * 0.75 + (double)(bits >> 60u) : sum / 1.25 + 1.0;
        }
        clock_gettime(CLOCK_MONOTONIC, &to);
        kept = sum;
        const double s = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
        best_s = s < best_s ? s : best_s;
    }
    (void)kept;
    return best_s * 1000.0 / STEPS;
}

#endif
