/* What is worked out of constants. */
#ifndef NNCOST_ONNX_ONNX_FOLD_H
#define NNCOST_ONNX_ONNX_FOLD_H

#include "onnx/onnx_values.h"

/* Room for so many whole numbers; NULL when there are too many, or no memory. */
int64_t *nnc_onnx_room(nnc_onnx_graph *g, int64_t count);
/* Whole numbers with data, one axis at most. */
bool nnc_onnx_known(const nnc_onnx_value *v, int64_t *count);
/* An output of the shape of its input; cannot fail. */
bool nnc_onnx_same_shape(nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out);

#endif
