/* Nodes of an ONNX graph as steps of a graph file. What frameworks write as several nodes is one step: norms,
 * GELU, SiLU, attention, linear layers with their bias. Nothing is guessed: a node that cannot be placed is
 * refused by its name. */
#include "onnx/onnx_nodes.h"

bool nnc_onnx_act(nnc_onnx_graph *g, const char *kind)
{
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    nnc_onnx_same_dims(in, out);
    if (!nnc_onnx_materialise(g, in)) {
        return false;
    }
    nnc_onnx_made(out, nnc_onnx_step(g, in->reg, "\"op\": \"act\", \"kind\": \"%s\"", kind),
                  in->shape_rank, in->shape);
    return true;
}

static bool dropout(nnc_onnx_graph *g)
{
    g->dropouts++;
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    nnc_onnx_same_dims(in, out);
    if (in->pattern == NNC_ONNX_PROBABILITIES) {
        nnc_onnx_alias(g, in, out);
        return true;
    }
    if (!nnc_onnx_materialise(g, in)) {
        return false;
    }
    nnc_onnx_made(out, nnc_onnx_step(g, in->reg, "\"op\": \"dropout\""), in->shape_rank, in->shape);
    return true;
}

static bool error_function(nnc_onnx_graph *g)
{
    return nnc_onnx_put_off(g, NNC_ONNX_ERF);
}

static bool sigmoid(nnc_onnx_graph *g)
{
    return nnc_onnx_put_off(g, NNC_ONNX_SIGMOID);
}

static bool hard_sigmoid(nnc_onnx_graph *g)
{
    return nnc_onnx_put_off(g, NNC_ONNX_HARD_SIGMOID);
}

static bool clip(nnc_onnx_graph *g)
{
    return nnc_onnx_put_off(g, NNC_ONNX_CLIPPED);
}

static bool relu(nnc_onnx_graph *g)
{
    return nnc_onnx_act(g, "relu");
}

static bool gelu(nnc_onnx_graph *g)
{
    return nnc_onnx_act(g, "gelu");
}

static bool tanh_of(nnc_onnx_graph *g)
{
    return nnc_onnx_act(g, "tanh");
}

static bool hard_swish(nnc_onnx_graph *g)
{
    return nnc_onnx_act(g, "hard_swish");
}

static const struct {
    const char *type;
    bool (*place)(nnc_onnx_graph *g);
} nodes[] = {

    { "Conv", nnc_onnx_convolution },
    { "ConvTranspose", nnc_onnx_convolution },
    { "MaxPool", nnc_onnx_pool },
    { "AveragePool", nnc_onnx_pool },
    { "GlobalAveragePool", nnc_onnx_global_pool },
    { "GlobalMaxPool", nnc_onnx_global_pool },
    { "Resize", nnc_onnx_resize },
    { "Upsample", nnc_onnx_resize },
    { "Pad", nnc_onnx_pad },
    { "Gemm", nnc_onnx_gemm },
    { "MatMul", nnc_onnx_product },
    { "Relu", relu },
    { "LeakyRelu", relu },
    { "Elu", relu },
    { "Clip", clip },
    { "Gelu", gelu },
    { "Tanh", tanh_of },
    { "Sigmoid", sigmoid },
    { "HardSigmoid", hard_sigmoid },
    { "HardSwish", hard_swish },
    { "Erf", error_function },
    { "Softmax", nnc_onnx_softmax },
    { "BatchNormalization", nnc_onnx_batch_norm },
    { "LayerNormalization", nnc_onnx_layer_norm },
    { "InstanceNormalization", nnc_onnx_instance_norm },
    { "GroupNormalization", nnc_onnx_instance_norm },
    { "LRN", nnc_onnx_response_norm },
    { "ReduceMean", nnc_onnx_mean },
    { "Sqrt", nnc_onnx_root },
    { "Add", nnc_onnx_pair },
    { "Sub", nnc_onnx_pair },
    { "Mul", nnc_onnx_pair },
    { "Div", nnc_onnx_pair },
    { "Pow", nnc_onnx_pair },
    { "Sum", nnc_onnx_sum },
    { "Concat", nnc_onnx_concatenate },
    { "Split", nnc_onnx_split },
    { "Gather", nnc_onnx_gather },
    { "Dropout", dropout },
    { "Reshape", nnc_onnx_moved },
    { "Transpose", nnc_onnx_moved },
    { "Flatten", nnc_onnx_moved },
    { "Squeeze", nnc_onnx_moved },
    { "Unsqueeze", nnc_onnx_moved },
    { "Slice", nnc_onnx_moved },
    { "Identity", nnc_onnx_moved },
    { "Cast", nnc_onnx_moved },
    { "Shape", nnc_onnx_shape_of },
};

bool nnc_onnx_convert(nnc_onnx_graph *g)
{
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        if (nnc_onnx_is(g, nodes[i].type)) {
            return nodes[i].place(g);
        }
    }
    return nnc_onnx_refuse(g, "cannot be placed");
}
