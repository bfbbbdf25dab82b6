#include <stddef.h>

#include "op/work.h"
#include "shape/unet.h"

static double bytes_of(const nnc_unet_writer *w, int64_t elements)
{
    return (double)elements * nnc_dtype_bytes(w->how->dtype);
}

int64_t nnc_map_elements(const nnc_unet_writer *w, nnc_map map)
{
    return nnc_list_mul(w->list, w->batch, map.channels, map.side, map.side);
}

static int64_t map_tokens(const nnc_unet_writer *w, nnc_map map)
{
    return nnc_list_mul(w->list, w->batch, map.side, map.side, 1);
}

nnc_op *nnc_unet_conv(const nnc_unet_writer *w, const char *name, nnc_group group, nnc_map in,
                      nnc_map out, int64_t kernel, bool reads_image, int64_t repeat, int32_t block)
{
    nnc_op *op = nnc_list_add(w->list, w->how, name, NNC_OP_CONV, group, repeat, block);
    op->weights = (nnc_weights){ .count = 1,
                                 .rows = out.channels,
                                 .cols = nnc_list_mul(w->list, in.channels, kernel, kernel, 1),
                                 .vector = w->u->conv_biases ? out.channels : 0 };
    op->u.conv = (nnc_conv){ .batch = w->batch,
                             .c_in = in.channels,
                             .c_out = out.channels,
                             .h_in = in.side,
                             .w_in = in.side,
                             .h_out = out.side,
                             .w_out = out.side,
                             .kernel = kernel,
                             .stride = in.side > out.side ? 2 : 1,
                             .groups = 1,
                             .needs_grad_input = !reads_image,
                             .keeps_input = !reads_image };
    return op;
}

/* Norm of a feature map. A residual block's group norms may be the ones that up-cast. */
static nnc_op *norm(const nnc_unet_writer *w, const char *name, nnc_map map, nnc_norm_keep keep,
                    int64_t repeat, int32_t block)
{
    const int64_t groups = w->u->norm_groups;
    const int64_t rows = w->u->norm == NNC_NORM_BATCH ? map.channels : w->batch * groups;
    nnc_op *op = nnc_list_norm(w->list, w->how, name, w->u->norm, nnc_map_elements(w, map), rows,
                               2 * map.channels, repeat, block);
    op->u.norm.keep = keep;
    op->recomputed = block >= 0 && (w->how->plan->recompute & NNC_RECOMPUTE_NORM) != 0;
    return op;
}

void nnc_unet_double_conv(const nnc_unet_writer *w, nnc_map in, int64_t middle, int64_t out,
                          bool reads_image, int64_t repeat)
{
    const nnc_map mid = { middle, in.side }, last = { out, in.side };
    const nnc_norm_keep keep = w->how->software->norm_keep;
    const int64_t kernel = w->u->kernel;
    const int32_t block = nnc_list_block(w->list, repeat, bytes_of(w, nnc_map_elements(w, in)));

    nnc_unet_conv(w, "block.conv1", NNC_GROUP_CONV, in, mid, kernel, reads_image, repeat, block);
    /* ReLU overwrites the norm's output, so there is nothing to compute again. */
    norm(w, "block.norm1", mid, keep, repeat, block)->recomputed = false;
    /* The first activation's output is kept as the input of the second convolution; the second
     * one's is kept here, for whoever reads it. */
    nnc_list_pointwise(w->list, w->how, "block.act1", NNC_PW_RELU, NNC_GROUP_CONV,
                       nnc_map_elements(w, mid), repeat, block);
    nnc_unet_conv(w, "block.conv2", NNC_GROUP_CONV, mid, last, kernel, false, repeat, block);
    norm(w, "block.norm2", last, keep, repeat, block)->recomputed = false;
    nnc_op *act = nnc_list_pointwise(w->list, w->how, "block.act2", NNC_PW_RELU, NNC_GROUP_CONV,
                                     nnc_map_elements(w, last), repeat, block);
    act->u.pointwise.keeps_output = true;
}

/* The block's own projection of the time embedding, added to every position of the map. */
static void time_projection(const nnc_unet_writer *w, nnc_map map, int64_t repeat, int32_t block)
{
    if (w->u->time_embed_width == 0) {
        return;
    }
    nnc_list_pointwise(w->list, w->how, "block.time_act", NNC_PW_SILU, NNC_GROUP_TIME,
                       nnc_list_mul(w->list, w->batch, w->u->time_embed_width, 1, 1), repeat,
                       block);
    nnc_list_linear(w->list, w->how, "block.time", NNC_GROUP_TIME, w->batch, map.channels,
                    w->u->time_embed_width, true, repeat, block);
    nnc_list_pointwise(w->list, w->how, "block.time_add", NNC_PW_TIME_ADD, NNC_GROUP_TIME,
                       nnc_map_elements(w, map), repeat, block);
}

/* norm, SiLU, conv. Kept: the norm's input, its output (for SiLU), and SiLU's (for the conv). */
static void norm_act_conv(const nnc_unet_writer *w, const char *const names[4], nnc_map in,
                          nnc_map out, double dropout, int64_t repeat, int32_t block)
{
    const unsigned recompute = w->how->plan->recompute;
    norm(w, names[0], in, w->how->software->group_norm_keep, repeat, block);
    nnc_op *act = nnc_list_pointwise(w->list, w->how, names[1], NNC_PW_SILU, NNC_GROUP_CONV,
                                     nnc_map_elements(w, in), repeat, block);
    act->recomputed = (recompute & NNC_RECOMPUTE_ACTIVATION) != 0;
    act->u.pointwise.keeps_input = (recompute & NNC_RECOMPUTE_NORM) == 0;
    if (dropout > 0.0) {
        nnc_op *drop = nnc_list_pointwise(w->list, w->how, names[3], NNC_PW_DROPOUT, NNC_GROUP_CONV,
                                          nnc_map_elements(w, in), repeat, block);
        drop->u.pointwise.keeps_mask = true;
    }
    nnc_op *conv =
        nnc_unet_conv(w, names[2], NNC_GROUP_CONV, in, out, w->u->kernel, false, repeat, block);
    conv->u.conv.keeps_input = (recompute & NNC_RECOMPUTE_ACTIVATION) == 0;
}

void nnc_unet_residual(const nnc_unet_writer *w, nnc_map in, int64_t out_channels, int64_t repeat)
{
    static const char *const first[] = { "block.norm1", "block.act1", "block.conv1", "" };
    static const char *const second[] = { "block.norm2", "block.act2", "block.conv2",
                                          "block.dropout" };
    const nnc_map out = { out_channels, in.side };
    const int32_t block = nnc_list_block(w->list, repeat, bytes_of(w, nnc_map_elements(w, in)));

    norm_act_conv(w, first, in, out, 0.0, repeat, block);
    time_projection(w, out, repeat, block);
    norm_act_conv(w, second, out, out, w->u->dropout, repeat, block);
    if (in.channels != out.channels) {
        nnc_op *shortcut =
            nnc_unet_conv(w, "block.shortcut", NNC_GROUP_CONV, in, out, 1, false, repeat, block);
        /* The first norm owns the block's input, unless what it keeps is a copy in fp32. */
        shortcut->u.conv.keeps_input = w->how->software->group_norm_keep != NNC_KEEP_FUSED &&
                                       nnc_dtype_bytes(w->how->dtype) < 4.0;
    }
    nnc_op *add = nnc_list_pointwise(w->list, w->how, "block.residual", NNC_PW_RESIDUAL,
                                     NNC_GROUP_CONV, nnc_map_elements(w, out), repeat, block);
    add->u.pointwise.fused = w->how->software->fused_residual;
}

/* One attention, self or cross, with its norm and output projection. */
typedef struct attention_spec {
    const char *norm, *q, *kv, *out, *residual;
    nnc_attention_labels core;
    bool cross;
} attention_spec;

static void residual(const nnc_unet_writer *w, const char *name, nnc_group group, int64_t elements,
                     int64_t repeat, int32_t block)
{
    nnc_op *op =
        nnc_list_pointwise(w->list, w->how, name, NNC_PW_RESIDUAL, group, elements, repeat, block);
    op->u.pointwise.fused = w->how->software->fused_residual;
}

static void layer_norm(const nnc_unet_writer *w, const char *name, int64_t tokens, int64_t width,
                       int64_t repeat, int32_t block)
{
    nnc_op *op =
        nnc_list_norm(w->list, w->how, name, NNC_NORM_LAYER,
                      nnc_list_mul(w->list, tokens, width, 1, 1), tokens, 2 * width, repeat, block);
    op->recomputed = (w->how->plan->recompute & NNC_RECOMPUTE_NORM) != 0;
}

static void attention_core(const nnc_unet_writer *w, nnc_map map, int64_t keys,
                           const nnc_attention_labels *labels, int64_t repeat, int32_t block)
{
    const int64_t heads = w->u->heads > 0 ? w->u->heads : map.channels / w->u->head_width;
    const nnc_attention_shape shape = { .batch = w->batch,
                                        .heads = heads,
                                        .kv_heads = heads,
                                        .s_q = map.side * map.side,
                                        .s_k = keys,
                                        .head_dim = map.channels / heads,
                                        .value_dim = map.channels / heads };
    nnc_list_attention(w->list, w->how, &shape, labels, repeat, block);
}

static void attention(const nnc_unet_writer *w, const attention_spec *spec, nnc_map map,
                      int64_t repeat, int32_t block)
{
    const nnc_unet *u = w->u;
    const int64_t width = map.channels, tokens = map_tokens(w, map);
    const int64_t keys = spec->cross ? u->context_len : map.side * map.side;
    const bool keep_norm = (w->how->plan->recompute & NNC_RECOMPUTE_NORM) == 0;

    layer_norm(w, spec->norm, tokens, width, repeat, block);
    nnc_op *q = nnc_list_linear(w->list, w->how, spec->q, NNC_GROUP_ATTENTION, tokens,
                                spec->cross ? width : 3 * width, width, false, repeat, block);
    q->u.matmul.keeps_a = keep_norm;
    if (spec->cross) {
        nnc_op *kv =
            nnc_list_linear(w->list, w->how, spec->kv, NNC_GROUP_ATTENTION, w->batch * keys,
                            2 * width, u->context_width, false, repeat, block);
        kv->u.matmul.needs_grad_input = !w->how->software->context_frozen;
        kv->u.matmul.keeps_a = false; /* the context is an input of the model */
    }
    attention_core(w, map, keys, &spec->core, repeat, block);
    nnc_list_linear(w->list, w->how, spec->out, NNC_GROUP_ATTENTION, tokens, width, width, true,
                    repeat, block);
    residual(w, spec->residual, NNC_GROUP_ATTENTION, nnc_map_elements(w, map), repeat, block);
}

/* h -> 8h, halves to a gate and a value, -> h. */
static void feed_forward(const nnc_unet_writer *w, nnc_map map, int64_t repeat, int32_t block)
{
    const unsigned recompute = w->how->plan->recompute;
    const int64_t width = map.channels, tokens = map_tokens(w, map);
    const int64_t inner = nnc_list_mul(w->list, tokens, 4 * width, 1, 1);

    layer_norm(w, "ff.norm", tokens, width, repeat, block);
    nnc_op *up = nnc_list_linear(w->list, w->how, "ff.gate_up", NNC_GROUP_MLP, tokens, 8 * width,
                                 width, true, repeat, block);
    up->u.matmul.keeps_a = (recompute & NNC_RECOMPUTE_NORM) == 0;
    nnc_op *act = nnc_list_pointwise(w->list, w->how, "ff.activation", NNC_PW_GEGLU, NNC_GROUP_MLP,
                                     inner, repeat, block);
    act->recomputed = (recompute & NNC_RECOMPUTE_ACTIVATION) != 0;
    act->u.pointwise.keeps_input = true;
    if (!w->how->software->fused_activation) {
        act->u.pointwise.fused = false;
        act->u.pointwise.extra_kept_bytes = act->recomputed ? 0.0 : bytes_of(w, inner);
    }
    nnc_op *down = nnc_list_linear(w->list, w->how, "ff.down", NNC_GROUP_MLP, tokens, width,
                                   4 * width, true, repeat, block);
    down->u.matmul.keeps_a = !act->recomputed;
    residual(w, "ff.residual", NNC_GROUP_MLP, nnc_map_elements(w, map), repeat, block);
}

/* Into and out of the transformer: a linear layer or a 1x1 convolution, the same products. */
static void projection(const nnc_unet_writer *w, const char *name, nnc_map map, bool keeps_input,
                       int64_t repeat, int32_t block)
{
    if (w->u->linear_projections) {
        nnc_op *op = nnc_list_linear(w->list, w->how, name, NNC_GROUP_ATTENTION, map_tokens(w, map),
                                     map.channels, map.channels, true, repeat, block);
        op->u.matmul.keeps_a = keeps_input;
    } else {
        nnc_unet_conv(w, name, NNC_GROUP_ATTENTION, map, map, 1, false, repeat, block)
            ->u.conv.keeps_input = keeps_input;
    }
}

static void bare_attention(const nnc_unet_writer *w, nnc_map map, int64_t repeat, int32_t block)
{
    static const nnc_attention_labels names = { "attn.core",    "attn.scores",  "attn.mask",
                                                "attn.softmax", "attn.dropout", "attn.context" };
    const int64_t tokens = map_tokens(w, map), width = map.channels;
    nnc_op *qkv = nnc_list_linear(w->list, w->how, "attn.qkv", NNC_GROUP_ATTENTION, tokens,
                                  3 * width, width, true, repeat, block);
    qkv->u.matmul.keeps_a = (w->how->plan->recompute & NNC_RECOMPUTE_NORM) == 0;
    attention_core(w, map, map.side * map.side, &names, repeat, block);
    nnc_list_linear(w->list, w->how, "attn.out", NNC_GROUP_ATTENTION, tokens, width, width, true,
                    repeat, block);
}

void nnc_unet_attention(const nnc_unet_writer *w, nnc_map map, int64_t repeat)
{
    static const attention_spec self = { "attn1.norm",
                                         "attn1.qkv",
                                         NULL,
                                         "attn1.out",
                                         "attn1.residual",
                                         { "attn1.core", "attn1.scores", "attn1.mask",
                                           "attn1.softmax", "attn1.dropout", "attn1.context" },
                                         false };
    static const attention_spec cross = { "attn2.norm",
                                          "attn2.q",
                                          "attn2.kv",
                                          "attn2.out",
                                          "attn2.residual",
                                          { "attn2.core", "attn2.scores", "attn2.mask",
                                            "attn2.softmax", "attn2.dropout", "attn2.context" },
                                          true };
    const int64_t depth = w->u->transformer_depth;
    const int64_t elements = nnc_map_elements(w, map);
    const int32_t outer = nnc_list_block(w->list, repeat, bytes_of(w, elements));

    norm(w, "attn.norm", map, w->how->software->norm_keep, repeat, outer);
    if (depth == 0) {
        bare_attention(w, map, repeat, outer);
    } else {
        projection(w, "attn.in", map, (w->how->plan->recompute & NNC_RECOMPUTE_NORM) == 0, repeat,
                   outer);
        const int32_t block = nnc_list_block(w->list, repeat * depth, bytes_of(w, elements));
        attention(w, &self, map, repeat * depth, block);
        if (w->u->context_len > 0) {
            attention(w, &cross, map, repeat * depth, block);
        }
        feed_forward(w, map, repeat * depth, block);
        projection(w, "attn.out", map, true, repeat, outer);
    }
    residual(w, "attn.residual", NNC_GROUP_ATTENTION, elements, repeat, outer);
}
