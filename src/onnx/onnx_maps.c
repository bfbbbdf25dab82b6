/* Nodes of an ONNX graph that go over a map: convolutions, pools. */
#include <inttypes.h>
#include <stdio.h>

#include "base/number.h"
#include "onnx/onnx_nodes.h"

static bool window_text(nnc_onnx_graph *g, const int64_t kernel[2], char *text, size_t size)
{
    const Onnx__AttributeProto *automatic = nnc_onnx_attribute(g, "auto_pad");
    int64_t pads[4];
    for (size_t i = 0; i < 4; i++) {
        pads[i] = nnc_onnx_ints(g, "pads", i, 0);
    }
    if (automatic != NULL && automatic->has_s && automatic->s.len != 6 && automatic->s.len != 0) {
        return nnc_onnx_refuse(g, "auto_pad: expected explicit pads"); /* NOTSET has six letters */
    }
    snprintf(text, size,
             "\"kernel\": %" PRId64 ", \"kernel_w\": %" PRId64 ", \"stride\": %" PRId64
             ", \"stride_w\": %" PRId64 ", \"pad\": %" PRId64 ", \"pad_w\": %" PRId64
             ", \"pad_end\": %" PRId64 ", \"pad_end_w\": %" PRId64 ", \"dilation\": %" PRId64,
             kernel[0], kernel[1], nnc_onnx_ints(g, "strides", 0, 1),
             nnc_onnx_ints(g, "strides", 1, 1), pads[0], pads[1], pads[2], pads[3],
             nnc_onnx_ints(g, "dilations", 0, 1));
    return nnc_onnx_ints(g, "dilations", 0, 1) == nnc_onnx_ints(g, "dilations", 1, 1) ||
           nnc_onnx_refuse(g, "dilations that differ");
}

/* Positions along an axis; -1: none, or numbers that make no sense. */
static int64_t side_of(const nnc_onnx_graph *g, const nnc_onnx_value *in, int axis, int64_t kernel,
                       bool up)
{
    const size_t i = (size_t)axis;
    const int64_t stride = nnc_onnx_ints(g, "strides", i, 1),
                  dilation = nnc_onnx_ints(g, "dilations", i, 1);
    const int64_t pad = nnc_onnx_ints(g, "pads", i, 0), end = nnc_onnx_ints(g, "pads", i + 2, 0);
    const int64_t side = in->dims[2 + axis];
    const int64_t most = 1000000;
    if (stride < 1 || dilation < 1 || pad < 0 || end < 0 || kernel < 1 || stride > most ||
        dilation > most || pad > most || end > most || kernel > most || side > 1000 * most) {
        return -1;
    }
    if (up) {
        return (side - 1) * stride - pad - end + dilation * (kernel - 1) + 1 +
               nnc_onnx_ints(g, "output_padding", i, 0);
    }
    const int64_t room = side + pad + end - dilation * (kernel - 1) - 1;
    if (room < 0) {
        return -1;
    }
    const bool ceil = nnc_onnx_int(g, "ceil_mode", 0) != 0;
    int64_t out = (ceil ? nnc_ceil_div(room, stride) : room / stride) + 1;
    if (ceil && (out - 1) * stride >= side + pad) {
        out--;
    }
    return out;
}

static bool place_window(nnc_onnx_graph *g, nnc_onnx_value *in, nnc_onnx_value *out,
                         int64_t channels, const int64_t kernel[2], bool up, const char *members)
{
    char window[400];
    if (!nnc_onnx_as_map(g, in) || !window_text(g, kernel, window, sizeof window)) {
        return false;
    }
    out->rank = 4;
    out->dims[0] = 1;
    out->dims[1] = channels;
    for (int axis = 0; axis < 2; axis++) {
        out->dims[2 + axis] = side_of(g, in, axis, kernel[axis], up);
        if (out->dims[2 + axis] < 1) {
            return nnc_onnx_refuse(g, "no window fits into axis %d", 2 + axis);
        }
    }
    nnc_onnx_made(out, nnc_onnx_step(g, in->reg, "%s, %s", members, window), 3, out->dims + 1);
    return true;
}

bool nnc_onnx_convolution(nnc_onnx_graph *g)
{
    const bool up = nnc_onnx_is(g, "ConvTranspose"), bias = nnc_onnx_has_input(g, 2);
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    const nnc_onnx_value *w = nnc_onnx_input(g, 1);
    const int64_t groups = nnc_onnx_int(g, "group", 1);
    char members[160];
    if (w->kind != NNC_ONNX_WEIGHT || w->rank != 4 || in->kind != NNC_ONNX_ACTIVATION ||
        groups < 1) {
        return nnc_onnx_refuse(g, "expected a map and a kernel of four axes");
    }
    const int64_t channels = up ? w->dims[1] * groups : w->dims[0];
    const int64_t reads = up ? w->dims[0] : w->dims[1] * groups;
    if (in->rank != 4 || reads != in->dims[1]) {
        return nnc_onnx_refuse(g, "a kernel for %" PRId64 " channels reads %" PRId64, reads,
                               in->rank == 4 ? in->dims[1] : 0);
    }
    g->convolutions++;
    g->biased += bias;
    snprintf(members, sizeof members,
             "\"op\": \"%s\", \"out\": %" PRId64 ", \"groups\": %" PRId64 ", \"bias\": %s%s",
             up ? "conv_transpose" : "conv", channels, groups, bias ? "true" : "false",
             up && nnc_onnx_ints(g, "output_padding", 0, 0) > 0 ? ", \"output_pad\": 1" : "");
    if (up &&
        (nnc_onnx_ints(g, "output_padding", 0, 0) > 1 ||
         nnc_onnx_ints(g, "output_padding", 0, 0) != nnc_onnx_ints(g, "output_padding", 1, 0))) {
        return nnc_onnx_refuse(g, "output_padding: expected 0 or 1 on both sides");
    }
    return place_window(g, in, out, channels, w->dims + 2, up, members);
}

bool nnc_onnx_pool(nnc_onnx_graph *g)
{
    const bool max = nnc_onnx_is(g, "MaxPool");
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    const int64_t kernel[] = { nnc_onnx_ints(g, "kernel_shape", 0, 0),
                               nnc_onnx_ints(g, "kernel_shape", 1, 0) };
    char members[96];
    snprintf(members, sizeof members, "\"op\": \"pool\", \"kind\": \"%s\", \"ceil\": %s",
             max ? "max" : "mean", nnc_onnx_int(g, "ceil_mode", 0) != 0 ? "true" : "false");
    return place_window(g, in, out, in->rank == 4 ? in->dims[1] : 0, kernel, false, members);
}

/* The mean over all positions of a map, or over tokens. */
bool nnc_onnx_global_pool(nnc_onnx_graph *g)
{
    nnc_onnx_value *in = nnc_onnx_input(g, 0), *out = nnc_onnx_output(g, 0);
    if (!nnc_onnx_as_map(g, in)) {
        return false;
    }
    nnc_onnx_same_dims(in, out);
    out->dims[2] = out->dims[3] = 1;
    nnc_onnx_made(out, nnc_onnx_step(g, in->reg, "\"op\": \"global_pool\""), 1, out->dims + 1);
    return true;
}

bool nnc_onnx_resize(nnc_onnx_graph *g)
{
    return nnc_onnx_refuse(g, "cannot be placed: write an upsample step by hand");
}
