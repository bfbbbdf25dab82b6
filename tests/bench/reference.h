/* Measures the time of a fixed loop. Benchmarks divide their results by the time of this loop, so that results depend
 * less on the current speed of the machine. */
#ifndef NNCOST_TESTS_BENCH_REFERENCE_H
#define NNCOST_TESTS_BENCH_REFERENCE_H

#include <math.h>
#include <stdint.h>
#include <time.h>

/* Returns the shortest time, in seconds, of several repetitions of the loop. A repetition has a million dependent
 * integer and floating-point operations with an unpredictable branch; the time of a repetition is divided by 1,000. */
static inline double bench_reference_s(void) {
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
