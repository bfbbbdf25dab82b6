/* What the nodes of an ONNX graph have in common, and how each kind of them is placed. */
#ifndef NNCOST_ONNX_ONNX_NODES_H
#define NNCOST_ONNX_ONNX_NODES_H

#include <string.h>

#include "onnx/onnx_write.h"

static inline bool nnc_onnx_is(const nnc_onnx_graph *g, const char *type)
{
    return strcmp(g->node->op_type, type) == 0;
}

/* A constant of one value. */
bool nnc_onnx_is_scalar(const nnc_onnx_value *v);
int32_t nnc_onnx_index_of(const nnc_onnx_graph *g, const nnc_onnx_value *v);
/* The same tensor under another name and shape. */
void nnc_onnx_alias(const nnc_onnx_graph *g, const nnc_onnx_value *in, nnc_onnx_value *out);
/* It is more than what it was another name of: this pattern, too. */
void nnc_onnx_becomes(nnc_onnx_value *out, nnc_onnx_pattern pattern);
void nnc_onnx_same_dims(const nnc_onnx_value *in, nnc_onnx_value *out);
/* out is part of something larger, of which src is what goes in. */
void nnc_onnx_defer(nnc_onnx_graph *g, nnc_onnx_value *out, nnc_onnx_pattern pattern,
                    const nnc_onnx_value *src);
/* The node at hand, whose first input goes in. */
bool nnc_onnx_put_off(nnc_onnx_graph *g, nnc_onnx_pattern pattern);
/* Writes src of v normalised, with more members: ", \"affine\": false". */
bool nnc_onnx_write_norm(nnc_onnx_graph *g, nnc_onnx_value *v, const char *affine);
bool nnc_onnx_write_linear(nnc_onnx_graph *g, nnc_onnx_value *v, bool bias);
bool nnc_onnx_write_batch_norm(nnc_onnx_graph *g, nnc_onnx_value *v);
/* The node at hand is an activation of this kind. */
bool nnc_onnx_act(nnc_onnx_graph *g, const char *kind);

/* Each places the node at hand. false: refused. */
bool nnc_onnx_convolution(nnc_onnx_graph *g);
bool nnc_onnx_pool(nnc_onnx_graph *g);
bool nnc_onnx_global_pool(nnc_onnx_graph *g);
bool nnc_onnx_resize(nnc_onnx_graph *g);
bool nnc_onnx_pad(nnc_onnx_graph *g);
bool nnc_onnx_gemm(nnc_onnx_graph *g);
bool nnc_onnx_product(nnc_onnx_graph *g);
bool nnc_onnx_softmax(nnc_onnx_graph *g);
bool nnc_onnx_batch_norm(nnc_onnx_graph *g);
bool nnc_onnx_layer_norm(nnc_onnx_graph *g);
bool nnc_onnx_instance_norm(nnc_onnx_graph *g);
bool nnc_onnx_mean(nnc_onnx_graph *g);
bool nnc_onnx_response_norm(nnc_onnx_graph *g);
bool nnc_onnx_root(nnc_onnx_graph *g);
bool nnc_onnx_pair(nnc_onnx_graph *g);
bool nnc_onnx_sum(nnc_onnx_graph *g);
bool nnc_onnx_split(nnc_onnx_graph *g);
bool nnc_onnx_gather(nnc_onnx_graph *g);
bool nnc_onnx_concatenate(nnc_onnx_graph *g);
bool nnc_onnx_moved(nnc_onnx_graph *g);

#endif
