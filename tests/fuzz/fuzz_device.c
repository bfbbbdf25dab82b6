/* Fuzzes the reader of device files. */
#include <stddef.h>
#include <stdint.h>

#include <nncost/spec.h>

#include "toys.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    nnc_specs *specs = fuzz_toys(); /* the input may inherit values from a device of tests/toy, by the key "like" */
    nnc_device device;
    nnc_error err;
    if (specs != NULL) { (void)nnc_device_parse_into(specs, "fuzz", (const char *)data, size, &device, &err); }
    return 0;
}
