/* Fuzzes the reader of cluster files. */
#include <stddef.h>
#include <stdint.h>

#include <nncost/spec.h>

#include "toys.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    nnc_specs *specs = fuzz_toys();
    nnc_device device = { .id = "plain" };
    nnc_error err;
    if (specs != NULL) { (void)nnc_cluster_parse(specs, "fuzz", (const char *)data, size, &device, &err); }
    return 0;
}
