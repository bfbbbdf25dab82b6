/* Lets the command line use ONNX files as models. A program without protobuf-c has only this file of the folder
 * (NNC_ONNX_MISSING). */
#include "base/base_internal.h"
#include "input/input_internal.h"
#include "onnx/onnx_import.h"

bool nnc_onnx_is_file(const char *path) { return nnc_ends_in(path, ".onnx"); }

nnc_status nnc_onnx_take(nnc_specs *specs, char **operand, nnc_error *err) {
    nnc_arena *arena = nnc_specs_arena(specs);
    const nnc_piped **all = nnc_specs_piped(specs);
    const char *slash = strrchr(*operand, '/'), *notes = NULL;
    const size_t size = strlen(*operand) + 3;
    char *path = nnc_arena_alloc(arena, size);
    nnc_piped *made = nnc_arena_alloc(arena, sizeof *made);
    if (path == NULL || made == NULL) { return nnc_no_memory(err); }
    snprintf(path, size, "%s%s", slash == NULL ? "./" : "", *operand);
    *made = (nnc_piped){ .next = *all, .path = path };
    NNC_TRY(nnc_onnx_import(*operand, slash != NULL ? slash + 1 : *operand, NULL, arena, &made->text, &made->size,
                            &notes, err));
    *all = made;
    *operand = path;
    return NNC_OK;
}

#ifdef NNC_ONNX_MISSING
nnc_status nnc_onnx_import(const char *path, const char *id, const char *axes, nnc_arena *arena, char **text,
                           size_t *size, const char **notes, nnc_error *err) {
    (void)id, (void)axes, (void)arena, (void)text, (void)size, (void)notes;
    return nnc_fail(err, NNC_BAD_USAGE, path,
                    "this program was built without ONNX files, expected protobuf-c and onnx.proto when it was "
                    "configured (Debian: protobuf-c-compiler libprotobuf-c-dev libonnx-dev)");
}
#endif
