/* Writing the steps of a graph file. */
#ifndef NNCOST_ONNX_ONNX_WRITE_H
#define NNCOST_ONNX_ONNX_WRITE_H

#include "onnx/onnx_values.h"

/* A step that works on the tensor in a register; returns the register of its output. format: its members but
 * for "as". */
int32_t nnc_onnx_step(nnc_onnx_graph *g, int32_t from, const char *format, ...) NNC_PRINTF(3, 4);
/* The register of the input of the network. */
int32_t nnc_onnx_begin(nnc_onnx_graph *g);
/* The name of a register that a step reads besides the current one. */
const char *nnc_onnx_with(nnc_onnx_graph *g, int32_t reg, char text[16]);

/* Makes a value's tensor have a shape in the file; false: refused. */
bool nnc_onnx_view(nnc_onnx_graph *g, nnc_onnx_value *v, int32_t rank, const int64_t *shape);
/* As a map of channels x height x width; as rows of its last axis; as one value per channel. */
bool nnc_onnx_as_map(nnc_onnx_graph *g, nnc_onnx_value *v);
bool nnc_onnx_as_rows(nnc_onnx_graph *g, nnc_onnx_value *v);
/* Gives an output its register and its shape there. */
void nnc_onnx_made(nnc_onnx_value *out, int32_t reg, int32_t rank, const int64_t *shape);

#endif
