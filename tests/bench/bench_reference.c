/* Prints the seconds that the fixed loop of reference.h takes. Benchmarks that are shell scripts call this program. */
#include <stdio.h>

#include "reference.h"

int main(void) {
    printf("%.6g\n", bench_reference_s());
    return 0;
}
