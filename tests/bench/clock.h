/* Reads the clock with which all benchmarks measure time. */
#ifndef NNC_BENCH_CLOCK_H
#define NNC_BENCH_CLOCK_H

#include <time.h>

/* Returns the seconds of a monotonic clock. */
static inline double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
