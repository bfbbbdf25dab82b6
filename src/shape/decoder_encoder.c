/* The encoder of an encoder-decoder, and the attention to it. Sources: arXiv:1706.03762, section 3;
 * arXiv:2212.04356, section 2.2 (frames).   [encoder-decoder] */
#include "shape/decoder.h"

static const nnc_attention_names cross_names = {
    "cross.norm",
    "cross.tensor_in",
    "cross.q",
    "cross.kv",
    "cross.rotary",
    "cross.context_in",
    { "cross.core", "cross.scores", "cross.mask", "cross.softmax", "cross.dropout",
      "cross.context" },
    "cross.context_out",
    "cross.out",
    "cross.tensor_out",
    "cross.end_norm",
    "cross.residual",
};

int64_t nnc_decoder_encoder_len(const nnc_decoder *d, const nnc_plan *plan)
{
    return d->encoder_seq_len > 0 ? d->encoder_seq_len : plan->seq_len;
}

static void frame_conv(const nnc_layer_writer *w, const char *name, int64_t bands, int64_t frames,
                       int64_t stride)
{
    const nnc_conv conv = { .batch = w->batch,
                            .c_in = bands,
                            .c_out = w->layer->hidden,
                            .h_in = frames,
                            .w_in = 1,
                            .h_out = frames / stride,
                            .w_out = 1,
                            .kernel = 3,
                            .stride = stride,
                            .groups = 1,
                            .kernel_w = 1,
                            .needs_grad_input = stride > 1,
                            .keeps_input = stride > 1 };
    nnc_list_conv(&w->to, name, NNC_GROUP_EMBEDDING, &conv, true);
    nnc_list_pointwise(&w->to, "frames.activation", NNC_PW_GELU, NNC_GROUP_EMBEDDING,
                       nnc_list_mul(&w->to, w->batch * conv.h_out, conv.c_out))
        ->u.pointwise.keeps_input = true;
}

/* Frames of a spectrogram: two convolutions, the second halves them, and a table of positions. */
static void frames(const nnc_layer_writer *w, const nnc_decoder *d)
{
    nnc_op_list *list = w->to.list;
    frame_conv(w, "frames.conv1", d->frame_bands, 2 * w->seq_len, 1);
    frame_conv(w, "frames.conv2", d->hidden, 2 * w->seq_len, 2);
    nnc_op *op = nnc_list_pointwise(&w->to, "frames.positions", NNC_PW_POSITION_ADD,
                                    NNC_GROUP_EMBEDDING, w->hidden_elements);
    op->weights = (nnc_weights){ .count = 1, .rows = w->seq_len, .cols = d->hidden, .table = true };
    list->lookup_params += nnc_list_mul(&w->to, w->seq_len, d->hidden);
    list->input_bytes +=
        4.0 * (double)w->batch * 2.0 * (double)w->seq_len * (double)d->frame_bands; /* fp32 */
}

void nnc_decoder_encoder(const nnc_layer_writer *w, const nnc_decoder *d)
{
    const nnc_plan *plan = w->to.how->plan;
    nnc_layer layer = *w->layer;
    layer.causal = false;
    layer.ffn_hidden = d->encoder_ffn_hidden > 0 ? d->encoder_ffn_hidden : d->ffn_hidden;
    nnc_layer_writer one =
        nnc_layer_begin(&w->to, &layer, w->batch, nnc_decoder_encoder_len(d, plan));
    if (d->frame_bands > 0) {
        frames(&one, d);
    } else {
        nnc_decoder_embedding(&one, d, true);
        w->to.list->input_bytes += 4.0 * (double)one.tokens;
    }
    if (layer.norm_place != NNC_NORM_POST) {
        nnc_layer_norm(&one, "encoder.norm", d->hidden);
    }
    nnc_list_segment(&w->to, d->encoder_layers, true);
    one.to = nnc_list_block(&w->to, d->encoder_layers, one.hidden_elements);
    if (d->positions == NNC_POSITIONS_RELATIVE_EACH) {
        nnc_decoder_relative(&one, d);
    }
    nnc_layer_attention(&one, &nnc_attention_plain, NULL);
    nnc_layer_mlp(&one);
}

void nnc_decoder_cross(const nnc_layer_writer *w, const nnc_decoder *d)
{
    nnc_layer layer = *w->layer;
    nnc_layer_writer one = *w;
    const nnc_cross cross = { .len = nnc_decoder_encoder_len(d, w->to.how->plan),
                              .width = d->hidden,
                              .shares = d->layers };
    layer.causal = false;
    layer.window = layer.rotary = 0;
    one.layer = &layer;
    nnc_layer_attention(&one, &cross_names, &cross);
}
