/* Where protobuf-c, or the description of the format, was not there when the program was built. */
#include "base/error.h"
#include "onnx/onnx_import.h"

nnc_status nnc_onnx_import(const char *path, const char *id, const char *axes, nnc_arena *arena,
                           char **text, size_t *size, const char **notes, nnc_error *err)
{
    (void)id;
    (void)axes;
    (void)arena;
    (void)text;
    (void)size;
    (void)notes;
    return nnc_fail(err, NNC_BAD_USAGE, path,
                    "this program was built without ONNX files, expected protobuf-c and onnx.proto "
                    "when it was configured (Debian: protobuf-c-compiler libprotobuf-c-dev "
                    "libonnx-dev)");
}
