/* ONNX files, as files of the graph family. */
#ifndef NNCOST_ONNX_ONNX_IMPORT_H
#define NNCOST_ONNX_ONNX_IMPORT_H

#include <stdint.h>

#include <nncost/spec.h>

#include "base/arena.h"

/* The graph file that does what an ONNX file does, as JSON text in the arena. id: of the file. axes: sizes of those
 * axes that have names or none, "sequence=128,x.2=48", or NULL. *notes: what
 * has to be said about it, a line each. NNC_BAD_SPEC names the node that has no place. */
nnc_status nnc_onnx_import(const char *path, const char *id, const char *axes, nnc_arena *arena,
                           char **text, size_t *size, const char **notes, nnc_error *err);

/* The same of its bytes. */
nnc_status nnc_onnx_read(const char *path, const uint8_t *bytes, size_t count, const char *id,
                         const char *axes, nnc_arena *arena, char **text, size_t *size,
                         const char **notes, nnc_error *err);

/* Is it the path of one? */
bool nnc_onnx_is_file(const char *path);
/* Reads one into the specs under its path, which *operand becomes: loading a model of that path finds what
 * was made of it. */
nnc_status nnc_onnx_take(nnc_specs *specs, char **operand, nnc_error *err);

#endif
