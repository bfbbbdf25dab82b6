/* Fuzzes the readers of machine descriptions by nvidia-smi and hwloc. The device file that nncost writes from a
 * description must be one JSON value. */
#include <stdlib.h>
#include <string.h>

#include "input/input_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    nnc_json_scan_fault fault;
    nnc_buffer json = { 0 };
    nnc_error err;
    char *text = malloc(size + 1);
    if (text == NULL) { return 0; }
    memcpy(text, data, size);
    text[size] = '\0';
    if (nnc_is_machine(text) && nnc_machine_json("fuzz", text, &json, &err) == NNC_OK &&
        !nnc_json_scan(json.bytes, strlen(json.bytes), NNC_SCAN_VALUES_RECORDED, &fault)) {
        abort();
    }
    nnc_buffer_free(&json);
    free(text);
    return 0;
}
