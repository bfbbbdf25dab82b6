/* The toys, opened for many executions: opening and reading them takes longer than most inputs do. */
#ifndef NNCOST_FUZZ_TOYS_H
#define NNCOST_FUZZ_TOYS_H

#include <nncost/spec.h>

/* Specs added by an input stay in the set until it is opened again. */
enum { FUZZ_TOYS_USES = 64 };

static inline nnc_specs *fuzz_toys(void)
{
    static nnc_specs *specs; /* of the process */
    static int uses;
    if (uses++ % FUZZ_TOYS_USES == 0) {
        nnc_specs_close(specs);
        specs = nnc_specs_open(NNCOST_SOURCE_DIR "/tests/toy");
    }
    return specs;
}

#endif
