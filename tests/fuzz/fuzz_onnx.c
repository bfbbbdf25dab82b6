/* Fuzzes the reader of ONNX files, and then reads the graph file that this reader writes. */
#include <stddef.h>
#include <stdint.h>

#include "input/input_internal.h"
#include "onnx/onnx_import.h"
#include "toys.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    nnc_specs *specs = fuzz_toys();
    const nnc_model *model = NULL;
    const char *notes = NULL;
    char *text = NULL;
    size_t length = 0;
    nnc_error err;
    if (specs != NULL && nnc_onnx_read("fuzz", data, size, "fuzz", "x.2=8", nnc_specs_arena(specs), &text, &length,
                                       &notes, &err) == NNC_OK) {
        (void)nnc_model_parse(specs, "fuzz", text, length, &model, &err);
    }
    return 0;
}
