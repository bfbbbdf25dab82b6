/* Converts ONNX files to graph files of nncost (model files that list their ops). */
#ifndef NNCOST_ONNX_ONNX_IMPORT_H
#define NNCOST_ONNX_ONNX_IMPORT_H

#include <nncost/spec.h>

#include "base/base_internal.h"

/* Converts an ONNX file to a graph file, as JSON text in the arena. id: id of the new graph file. axes: sizes of axes
 * that have no size in the ONNX file, "sequence=128,x.2=48"; NULL = no sizes. *notes: remarks for the user, one per
 * line. If the function returns NNC_BAD_SPEC, err names the node that cannot be converted. */
nnc_status nnc_onnx_import(const char *path, const char *id, const char *axes, nnc_arena *arena, char **text,
                           size_t *size, const char **notes, nnc_error *err);

/* Converts an ONNX file of `count` bytes in memory, as nnc_onnx_import converts a file. Errors name the file by
 * `path`. */
nnc_status nnc_onnx_read(const char *path, const uint8_t *bytes, size_t count, const char *id, const char *axes,
                         nnc_arena *arena, char **text, size_t *size, const char **notes, nnc_error *err);

/* Tests whether a path names an ONNX file, by its suffix. */
bool nnc_onnx_is_file(const char *path);
/* Converts the ONNX file whose path is *operand to a graph file, stores the graph file in the specs, and sets *operand
 * to the path with which nnc_model_load finds the graph file. */
nnc_status nnc_onnx_take(nnc_specs *specs, char **operand, nnc_error *err);

#endif
