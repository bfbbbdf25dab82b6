/* Opens the devices, models and profiles of tests/toy once for all inputs of a fuzz target, because reading these files
 * takes longer than most inputs. */
#ifndef NNCOST_FUZZ_TOYS_H
#define NNCOST_FUZZ_TOYS_H

#include <nncost/spec.h>

/* Number of inputs after which the set of specs is opened again. The set keeps all specs that inputs have added, until
 * the set is opened again. */
enum { FUZZ_TOYS_USES = 64 };

static inline nnc_specs *fuzz_toys(void) {
    static nnc_specs *specs; /* kept for the whole process */
    static int uses;
    if (uses++ % FUZZ_TOYS_USES == 0) {
        nnc_specs_close(specs);
        specs = nnc_specs_open(NNCOST_SOURCE_DIR "/tests/toy");
    }
    return specs;
}

#endif
