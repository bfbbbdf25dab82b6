/* Prints the seconds of the reference loop, for benchmarks that are scripts. */
#include <stdio.h>

#include "reference.h"

int main(void) {
    printf("%.6g\n", bench_reference_s());
    return 0;
}
