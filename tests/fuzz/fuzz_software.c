/* Fuzzes the reader of software profiles. */
#include <stddef.h>
#include <stdint.h>

#include <nncost/spec.h>

#include "toys.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    nnc_specs *specs = fuzz_toys(); /* the input may inherit values from a profile of tests/toy, by the key "like" */
    nnc_software software;
    nnc_error err;
    if (specs != NULL) { (void)nnc_software_parse_into(specs, "fuzz", (const char *)data, size, &software, &err); }
    return 0;
}
