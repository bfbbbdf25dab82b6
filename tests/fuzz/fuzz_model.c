/* The reader of model files, foreign ones included. */
#include <stddef.h>
#include <stdint.h>

#include <nncost/spec.h>

#include "toys.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nnc_specs *specs = fuzz_toys(); /* to be like one of these */
    nnc_model model;
    nnc_error err;
    if (specs != NULL) {
        (void)nnc_model_parse_into(specs, "fuzz", (const char *)data, size, &model, &err);
    }
    return 0;
}
