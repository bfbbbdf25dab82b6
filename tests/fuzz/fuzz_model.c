/* Fuzzes the readers of model files and of configurations of Hugging Face. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <nncost/spec.h>

#include "toys.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    /* The reader uses the architectures that are shipped with nncost. The input may inherit values from a model of
     * tests/toy, by the key "like". */
    static bool begun; /* kept for the whole process */
    if (!begun) { begun = setenv("NNCOST_PATH", NNCOST_SOURCE_DIR, 1) == 0; }
    nnc_specs *specs = fuzz_toys();
    nnc_model model;
    nnc_error err;
    if (specs != NULL) { (void)nnc_model_parse_into(specs, "fuzz", (const char *)data, size, &model, &err); }
    return 0;
}
