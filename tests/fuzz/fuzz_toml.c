/* Fuzzes the conversion of TOML to JSON. The result must be one JSON value, unless the text is refused because of a
 * size limit or a repeated key. */
#include <stdlib.h>
#include <string.h>

#include "launch/launch_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    nnc_buffer json = { 0 };
    nnc_error err;
    nnc_json_scan_fault fault;
    if (nnc_toml_to_json("fuzz", size > 0 ? (const char *)data : "", size, &json, &err) == NNC_OK) {
        const size_t length = json.size;
        nnc_buffer_byte(&json, '\0');
        if (!json.failed && !nnc_json_scan(json.bytes, length, NNC_SCAN_VALUES_RECORDED, &fault)) { abort(); }
    }
    nnc_buffer_free(&json);
    return 0;
}
