/* The reader of software profiles. */
#include <stddef.h>
#include <stdint.h>

#include <nncost/spec.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nnc_specs *specs = nnc_specs_open(NNCOST_SOURCE_DIR "/tests/toy"); /* to be like one of these */
    nnc_software software;
    nnc_error err;
    if (specs != NULL) {
        (void)nnc_software_parse_into(specs, "fuzz", (const char *)data, size, &software, &err);
    }
    nnc_specs_close(specs);
    return 0;
}
