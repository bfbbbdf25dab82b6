#include "shape/transformer.h"
#include "shape/unet.h"

int64_t nnc_map_elements(const nnc_unet_writer *w, nnc_map map)
{
    return nnc_list_mul(&w->to, nnc_list_mul(&w->to, w->batch, map.channels),
                        nnc_list_mul(&w->to, map.side, map.side));
}

/* The writer inside a recompute block that reads a map. */
static nnc_unet_writer block_of(const nnc_unet_writer *w, int64_t repeat, nnc_map input)
{
    return (nnc_unet_writer){ nnc_list_block(&w->to, repeat, nnc_map_elements(w, input)), w->u,
                              w->batch };
}

static nnc_op *over_map(const nnc_unet_writer *w, const char *name, nnc_pointwise_kind kind,
                        nnc_group group, nnc_map map)
{
    return nnc_list_pointwise(&w->to, name, kind, group, nnc_map_elements(w, map));
}

nnc_op *nnc_unet_conv(const nnc_unet_writer *w, const char *name, nnc_group group, nnc_map in,
                      nnc_map out, int64_t kernel, bool reads_image)
{
    const nnc_conv conv = { .batch = w->batch,
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
    return nnc_list_conv(&w->to, name, group, &conv, w->u->conv_biases);
}

/* Norm of a feature map. A residual block's group norms may be the ones that up-cast. */
static nnc_op *norm(const nnc_unet_writer *w, const char *name, nnc_map map, nnc_norm_keep keep)
{
    const int64_t groups = w->u->norm_groups;
    const int64_t rows = w->u->norm == NNC_NORM_BATCH ? map.channels : w->batch * groups;
    nnc_op *op =
        nnc_list_norm(&w->to, name, w->u->norm, nnc_map_elements(w, map), rows, 2 * map.channels);
    op->u.norm.keep = keep;
    return op;
}

void nnc_unet_double_conv(const nnc_unet_writer *w, nnc_map in, int64_t middle, int64_t out,
                          bool reads_image, int64_t repeat)
{
    const nnc_map mid = { middle, in.side }, last = { out, in.side };
    const nnc_norm_keep keep = w->to.how->software->norm_keep;
    const int64_t kernel = w->u->kernel;
    const bool inside = w->to.how->software->fused_maps;
    const nnc_unet_writer b = block_of(w, repeat, in);

    nnc_unet_conv(&b, "block.conv1", NNC_GROUP_CONV, in, mid, kernel, reads_image);
    /* ReLU overwrites the norm's output, so there is nothing to compute again. */
    norm(&b, "block.norm1", mid, keep)->recomputed = false;
    /* The first activation's output is kept as the input of the second convolution; the second
     * one's is kept here, for whoever reads it. */
    over_map(&b, "block.act1", NNC_PW_RELU, NNC_GROUP_CONV, mid)->u.pointwise.inside = inside;
    nnc_unet_conv(&b, "block.conv2", NNC_GROUP_CONV, mid, last, kernel, false);
    norm(&b, "block.norm2", last, keep)->recomputed = false;
    nnc_op *last_act = over_map(&b, "block.act2", NNC_PW_RELU, NNC_GROUP_CONV, last);
    last_act->u.pointwise.keeps_output = true;
    last_act->u.pointwise.inside = inside;
}

/* The block's own projection of the time embedding, added to every position of the map. */
static void time_projection(const nnc_unet_writer *w, nnc_map map)
{
    const int64_t width = w->u->time_embed_width;
    if (width == 0) {
        return;
    }
    nnc_list_pointwise(&w->to, "block.time_act", NNC_PW_SILU, NNC_GROUP_TIME,
                       nnc_list_mul(&w->to, w->batch, width));
    nnc_list_linear(&w->to, "block.time", NNC_GROUP_TIME, NNC_SPLIT_TOKENS, w->batch, map.channels,
                    width, true);
    over_map(w, "block.time_add", NNC_PW_TIME_ADD, NNC_GROUP_TIME, map);
}

/* norm, SiLU, conv. Kept: the norm's input, its output (for SiLU), and SiLU's (for the conv). */
static void norm_act_conv(const nnc_unet_writer *w, const char *const names[4], nnc_map in,
                          nnc_map out, double dropout)
{
    const bool again = nnc_list_recomputes(&w->to, NNC_RECOMPUTE_ACTIVATION);
    norm(w, names[0], in, w->to.how->software->group_norm_keep);
    nnc_op *act = over_map(w, names[1], NNC_PW_SILU, NNC_GROUP_CONV, in);
    act->recomputed = again;
    act->u.pointwise.inside = w->to.how->software->fused_maps;
    act->u.pointwise.keeps_input = !nnc_list_recomputes(&w->to, NNC_RECOMPUTE_NORM);
    if (dropout > 0.0) {
        over_map(w, names[3], NNC_PW_DROPOUT, NNC_GROUP_CONV, in)->u.pointwise.keeps_mask = true;
    }
    nnc_unet_conv(w, names[2], NNC_GROUP_CONV, in, out, w->u->kernel, false)->u.conv.keeps_input =
        !again;
}

void nnc_unet_residual(const nnc_unet_writer *w, nnc_map in, int64_t out_channels, int64_t repeat)
{
    static const char *const first[] = { "block.norm1", "block.act1", "block.conv1", "" };
    static const char *const second[] = { "block.norm2", "block.act2", "block.conv2",
                                          "block.dropout" };
    const nnc_map out = { out_channels, in.side };
    const nnc_unet_writer b = block_of(w, repeat, in);

    norm_act_conv(&b, first, in, out, 0.0);
    time_projection(&b, out);
    norm_act_conv(&b, second, out, out, w->u->dropout);
    if (in.channels != out.channels) {
        nnc_op *shortcut = nnc_unet_conv(&b, "block.shortcut", NNC_GROUP_CONV, in, out, 1, false);
        /* The first norm owns the block's input, unless what it keeps is a copy in fp32. */
        shortcut->u.conv.keeps_input = w->to.how->software->group_norm_keep != NNC_KEEP_FUSED &&
                                       nnc_dtype_bytes(w->to.how->dtype) < 4.0;
    }
    nnc_list_residual(&b.to, "block.residual", NNC_GROUP_CONV, nnc_map_elements(w, out));
}

/* A map's positions as the tokens of a transformer layer; without biases on query, key and value. */
static nnc_layer layer_of(const nnc_unet *u, nnc_map map)
{
    const int64_t heads = u->heads > 0 ? u->heads : map.channels / u->head_width;
    return (nnc_layer){ .hidden = map.channels,
                        .norm = NNC_NORM_LAYER,
                        .norm_bias = true,
                        .heads = heads,
                        .kv_heads = heads,
                        .head_dim = map.channels / heads,
                        .value_dim = map.channels / heads,
                        .out_bias = true,
                        .mlp = NNC_MLP_GEGLU,
                        .ffn_hidden = 4 * map.channels,
                        .mlp_bias = true };
}

/* Into and out of the transformer: a linear layer or a 1x1 convolution, the same products. */
static void projection(const nnc_unet_writer *w, const char *name, nnc_map map, bool keeps_input)
{
    if (w->u->linear_projections) {
        const int64_t tokens = nnc_list_mul(&w->to, w->batch, map.side * map.side);
        nnc_op *op = nnc_list_linear(&w->to, name, NNC_GROUP_ATTENTION, NNC_SPLIT_TOKENS, tokens,
                                     map.channels, map.channels, true);
        op->u.matmul.keeps_a = keeps_input;
    } else {
        nnc_unet_conv(w, name, NNC_GROUP_ATTENTION, map, map, 1, false)->u.conv.keeps_input =
            keeps_input;
    }
}

/* Self-attention, cross-attention and MLP. */
static void transformer(const nnc_unet_writer *w, const nnc_layer *layer, int64_t seq_len,
                        bool cross_only)
{
    static const nnc_attention_names self = {
        .norm = "attn1.norm",
        .q = "attn1.qkv",
        .core = { "attn1.core", "attn1.scores", "attn1.mask", "attn1.softmax", "attn1.dropout",
                  "attn1.context" },
        .out = "attn1.out",
        .residual = "attn1.residual",
    };
    static const nnc_attention_names cross = {
        .norm = "attn2.norm",
        .q = "attn2.q",
        .kv = "attn2.kv",
        .core = { "attn2.core", "attn2.scores", "attn2.mask", "attn2.softmax", "attn2.dropout",
                  "attn2.context" },
        .out = "attn2.out",
        .residual = "attn2.residual",
    };
    static const nnc_attention_names first_cross = {
        .norm = "attn1.norm",
        .q = "attn1.q",
        .kv = "attn1.kv",
        .core = { "attn1.core", "attn1.scores", "attn1.mask", "attn1.softmax", "attn1.dropout",
                  "attn1.context" },
        .out = "attn1.out",
        .residual = "attn1.residual",
    };
    static const nnc_mlp_names mlp = { "ff.gate_up", "ff.activation", "ff.down" };
    const nnc_layer_writer one = nnc_layer_begin(&w->to, layer, w->batch, seq_len);
    const nnc_cross context = { .len = w->u->context_len,
                                .width = w->u->context_width,
                                .frozen = w->to.how->software->context_frozen };

    nnc_layer_attention(&one, cross_only ? &first_cross : &self, cross_only ? &context : NULL);
    if (context.len > 0) {
        nnc_layer_attention(&one, &cross, &context);
    }
    nnc_layer_norm(&one, "ff.norm", layer->hidden);
    if (!w->to.how->software->fused_activation) { /* gate and product are halves of one tensor */
        nnc_list_pointwise(&one.to, "ff.halves", NNC_PW_HALVES, NNC_GROUP_MLP,
                           nnc_list_mul(&one.to, one.tokens, 2 * layer->ffn_hidden));
    }
    nnc_layer_dense(&one, &mlp, layer->ffn_hidden, true);
    nnc_layer_residual(&one, "ff.residual", NNC_GROUP_MLP);
}

/* Of the middle, which is at index `levels`, the last level's. */
static int64_t depth_at(const nnc_unet *u, int level)
{
    const int last = u->transformer_depths_count - 1;
    return last < 0 ? u->transformer_depth : u->transformer_depths[level < last ? level : last];
}

void nnc_unet_attention(const nnc_unet_writer *w, int level, nnc_map map, int64_t repeat)
{
    const int64_t depth = depth_at(w->u, level), seq_len = map.side * map.side;
    const bool cross_only = level < w->u->cross_only_levels_count && w->u->cross_only_levels[level];
    const nnc_unet_writer outer = block_of(w, repeat, map);
    const nnc_software *software = w->to.how->software;
    nnc_layer layer = layer_of(w->u, map);

    norm(&outer, "attn.norm", map, w->to.how->software->norm_keep);
    if (depth == 0) {
        nnc_attention_names bare = nnc_attention_plain;
        bare.residual = NULL;
        layer.qkv_bias = true;
        const nnc_layer_writer one = nnc_layer_begin(&outer.to, &layer, w->batch, seq_len);
        nnc_layer_project(&one, &bare, NULL);
        nnc_layer_attend(&one, &bare, NULL);
    } else {
        if (software->copied_heads == NNC_HEADS_ALWAYS &&
            software->contiguous_maps) { /* in, and out again */
            nnc_list_pointwise(&outer.to, "attn.tokens", NNC_PW_COPY, NNC_GROUP_ATTENTION,
                               2 * nnc_map_elements(w, map));
        }
        projection(&outer, "attn.in", map, !nnc_list_recomputes(&w->to, NNC_RECOMPUTE_NORM));
        const nnc_unet_writer inner = block_of(w, repeat * depth, map);
        transformer(&inner, &layer, seq_len, cross_only);
        projection(&outer, "attn.out", map, true);
    }
    nnc_list_residual(&outer.to, "attn.residual", NNC_GROUP_ATTENTION, nnc_map_elements(w, map));
}
