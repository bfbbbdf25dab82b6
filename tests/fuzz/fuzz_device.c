/* The reader of device files. */
#include <stddef.h>
#include <stdint.h>

#include <nncost/spec.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nnc_specs *specs = nnc_specs_open(NNCOST_SOURCE_DIR "/tests/toy"); /* to be like one of these */
    nnc_device device;
    nnc_error err;
    if (specs != NULL) {
        (void)nnc_device_parse_into(specs, "fuzz", (const char *)data, size, &device, &err);
    }
    nnc_specs_close(specs);
    return 0;
}
