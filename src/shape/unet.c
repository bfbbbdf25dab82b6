/* The family of U-Nets. nncost has two kinds of U-Nets. A U-Net for segmentation has blocks of two convolutions, and
 * one skip connection per level. A U-Net for diffusion has residual blocks with time embedding and attention; the
 * output of every block is a skip connection. */
#include <inttypes.h>
#include <stdio.h>

#include "base/base_internal.h"
#include "shape/shape_internal.h"

typedef struct writer {
    nnc_writer to;
    const nnc_unet *u;
    int64_t batch;
} writer;

/* Sizes of the feature map of one sample, which has channels x side x side values. */
typedef struct feature_map {
    int64_t channels, side;
} feature_map;

/* ---- functions that write the blocks and the attention of one level of the network ---- */

static int64_t map_elements(const writer *w, feature_map map) {
    return nnc_list_mul(&w->to, nnc_list_mul(&w->to, w->batch, map.channels), nnc_list_mul(&w->to, map.side, map.side));
}

/* Begins a new recompute block and returns the writer for its ops. input: size of the feature map that is the input of
 * the block and is kept. */
static writer block_of(const writer *w, int64_t repeat, feature_map input) {
    return (writer){ nnc_list_block(&w->to, repeat, map_elements(w, input)), w->u, w->batch };
}

static nnc_op *over_map(const writer *w, const char *name, nnc_pointwise_kind kind, nnc_group group, feature_map map) {
    return nnc_list_pointwise(&w->to, name, kind, group, map_elements(w, map));
}

static nnc_op *square_conv(const writer *w, const char *name, nnc_group group, feature_map in, feature_map out,
                           int64_t kernel, bool reads_image) {
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

/* Appends the norm of a feature map and returns the op. keep: tensors that the norm keeps for backward; a batch norm
 * that runs as one kernel ignores this argument. */
static nnc_op *norm(const writer *w, const char *name, feature_map map, nnc_norm_keep keep) {
    const int64_t groups = w->u->norm_groups;
    const int64_t rows = w->u->norm == NNC_NORM_BATCH ? map.channels : w->batch * groups;
    nnc_op *op = nnc_list_norm(&w->to, name, w->u->norm, map_elements(w, map), rows, 2 * map.channels);
    op->u.norm.keep = w->u->norm == NNC_NORM_BATCH && !w->to.how->software->written_out
                          ? NNC_KEEP_FUSED /* autocast leaves batch norms in the format of their input; see norm_keep()
                                            * in graph_family.c */
                          : keep;
    return op;
}

static void double_conv(const writer *w, feature_map in, int64_t middle, int64_t out, bool reads_image,
                        int64_t repeat) {
    const feature_map mid = { middle, in.side }, last = { out, in.side };
    const nnc_norm_keep keep = w->to.how->software->norm_keep;
    const int64_t kernel = w->u->kernel;
    const bool inside = w->to.how->software->fused_maps;
    const writer b = block_of(w, repeat, in);

    square_conv(&b, "block.conv1", NNC_GROUP_CONV, in, mid, kernel, reads_image);
    /* The ReLU after this norm overwrites the output of the norm and keeps its own output, so the norm is not
     * recomputed in backward. */
    norm(&b, "block.norm1", mid, keep)->recomputed = false;
    /* The second convolution of a block keeps its input, which is the output of the first activation. The second
     * activation of a block keeps its own output, which later ops read. */
    over_map(&b, "block.act1", NNC_PW_RELU, NNC_GROUP_CONV, mid)->u.pointwise.inside = inside;
    square_conv(&b, "block.conv2", NNC_GROUP_CONV, mid, last, kernel, false);
    norm(&b, "block.norm2", last, keep)->recomputed = false;
    nnc_op *last_act = over_map(&b, "block.act2", NNC_PW_RELU, NNC_GROUP_CONV, last);
    last_act->u.pointwise.keeps_output = true;
    last_act->u.pointwise.inside = inside;
}

/* Appends a linear layer that projects the time embedding to the channels of the map, and the addition of the result to
 * every position of the map. Appends no op if the network has no time embedding. */
static void time_projection(const writer *w, feature_map map) {
    const int64_t width = w->u->time_embed_width;
    if (width == 0) { return; }
    nnc_list_pointwise(&w->to, "block.time_act", NNC_PW_SILU, NNC_GROUP_TIME, nnc_list_mul(&w->to, w->batch, width));
    nnc_list_linear(&w->to, "block.time", NNC_GROUP_TIME, NNC_SPLIT_TOKENS, w->batch, map.channels, width, true);
    over_map(w, "block.time_add", NNC_PW_TIME_ADD, NNC_GROUP_TIME, map);
}

/* Appends a norm, a SiLU, a dropout (if `dropout` is above 0) and a convolution. For backward, the norm keeps its
 * input, the SiLU keeps the output of the norm, and the convolution keeps the output of the SiLU. names: names of norm,
 * SiLU, convolution and dropout. */
static void norm_act_conv(const writer *w, const char *const names[4], feature_map in, feature_map out,
                          double dropout) {
    const bool again = nnc_list_recomputes(&w->to, NNC_RECOMPUTE_ACTIVATION);
    norm(w, names[0], in, w->to.how->software->group_norm_keep);
    nnc_op *act = over_map(w, names[1], NNC_PW_SILU, NNC_GROUP_CONV, in);
    act->recomputed = again;
    act->u.pointwise.inside = w->to.how->software->fused_maps;
    act->u.pointwise.keeps_input = !nnc_list_recomputes(&w->to, NNC_RECOMPUTE_NORM);
    if (dropout > 0.0) { over_map(w, names[3], NNC_PW_DROPOUT, NNC_GROUP_CONV, in)->u.pointwise.keeps_mask = true; }
    square_conv(w, names[2], NNC_GROUP_CONV, in, out, w->u->kernel, false)->u.conv.keeps_input = !again;
}

static void residual_block(const writer *w, feature_map in, int64_t out_channels, int64_t repeat) {
    static const char *const first[] = { "block.norm1", "block.act1", "block.conv1", "" };
    static const char *const second[] = { "block.norm2", "block.act2", "block.conv2", "block.dropout" };
    const feature_map out = { out_channels, in.side };
    const writer b = block_of(w, repeat, in);

    norm_act_conv(&b, first, in, out, 0.0);
    time_projection(&b, out);
    norm_act_conv(&b, second, out, out, nnc_list_dropout(w->to.list, w->u->dropout));
    if (in.channels != out.channels) {
        nnc_op *shortcut = square_conv(&b, "block.shortcut", NNC_GROUP_CONV, in, out, 1, false);
        /* The first norm and the convolution of the shortcut read the same tensor. Usually the norm keeps the tensor
         * that the norm and the convolution of the shortcut read. If the norm keeps only an fp32 copy of its input, the
         * convolution of the shortcut has to keep the input in its own format. */
        shortcut->u.conv.keeps_input =
            w->to.how->software->group_norm_keep != NNC_KEEP_FUSED && nnc_dtype_bytes(w->to.how->dtype) < 4.0;
    }
    nnc_list_residual(&b.to, "block.residual", NNC_GROUP_CONV, map_elements(w, out));
}

/* Returns the shape of a transformer layer whose tokens are the positions of a feature map. The projections to queries,
 * keys and values of this layer have no biases. */
static nnc_layer layer_of(const nnc_unet *u, feature_map map) {
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

/* Appends the projection before or after the transformer of a level. The projection is a linear layer or a convolution
 * with a 1x1 kernel; the two alternatives have equal numbers of FLOPs. */
static void projection(const writer *w, const char *name, feature_map map, bool keeps_input) {
    if (w->u->linear_projections) {
        const int64_t tokens = nnc_list_mul(&w->to, w->batch, map.side * map.side);
        nnc_op *op = nnc_list_linear(&w->to, name, NNC_GROUP_ATTENTION, NNC_SPLIT_TOKENS, tokens, map.channels,
                                     map.channels, true);
        op->u.matmul.keeps_a = keeps_input;
    } else {
        square_conv(w, name, NNC_GROUP_ATTENTION, map, map, 1, false)->u.conv.keeps_input = keeps_input;
    }
}

/* Appends one transformer block. The ops of the block are: self-attention (cross-attention instead if cross_only is
 * true), cross-attention if the network has a context, and the MLP. */
static void transformer(const writer *w, const nnc_layer *layer, int64_t seq_len, bool cross_only) {
    static const nnc_attention_names self = {
        .norm = "attn1.norm",
        .q = "attn1.qkv",
        .core = { "attn1.core", "attn1.scores", "attn1.mask", "attn1.softmax", "attn1.dropout", "attn1.context" },
        .out = "attn1.out",
        .residual = "attn1.residual",
    };
    static const nnc_attention_names cross = {
        .norm = "attn2.norm",
        .q = "attn2.q",
        .kv = "attn2.kv",
        .core = { "attn2.core", "attn2.scores", "attn2.mask", "attn2.softmax", "attn2.dropout", "attn2.context" },
        .out = "attn2.out",
        .residual = "attn2.residual",
    };
    static const nnc_mlp_names mlp = { "ff.gate_up", "ff.activation", "ff.down" };
    const nnc_layer_writer one = nnc_layer_begin(&w->to, layer, w->batch, seq_len);
    const nnc_cross context = { .len = w->u->context_len,
                                .width = w->u->context_width,
                                .frozen = w->to.how->software->context_frozen };

    nnc_attention_names first = self;
    if (cross_only) {
        first.q = "attn1.q";
        first.kv = "attn1.kv";
    }
    nnc_layer_attention(&one, &first, cross_only ? &context : NULL);
    if (context.len > 0) { nnc_layer_attention(&one, &cross, &context); }
    nnc_layer_norm(&one, "ff.norm", layer->hidden);
    if (!w->to.how->software->fused_activation) { /* gate and value are two halves of one tensor, which a separate
                                                   * kernel splits */
        nnc_list_pointwise(&one.to, "ff.halves", NNC_PW_HALVES, NNC_GROUP_MLP,
                           nnc_list_mul(&one.to, one.tokens, 2 * layer->ffn_hidden));
    }
    nnc_layer_dense(&one, &mlp, layer->ffn_hidden, true);
    nnc_layer_residual(&one, "ff.residual", NNC_GROUP_MLP);
}

/* Returns the number of transformer blocks per attention at a level. For the middle of the network, `level` is the
 * number of levels; the middle has as many blocks as the last entry of transformer_depths. */
static int64_t depth_at(const nnc_unet *u, int level) {
    const int last = u->transformer_depths_count - 1;
    return last < 0 ? u->transformer_depth : u->transformer_depths[level < last ? level : last];
}

static void level_attention(const writer *w, int level, feature_map map, int64_t repeat) {
    const int64_t depth = depth_at(w->u, level), seq_len = map.side * map.side;
    const bool cross_only = level < w->u->cross_only_levels_count && w->u->cross_only_levels[level];
    const writer outer = block_of(w, repeat, map);
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
        /* The feature map is copied to another layout twice: before the transformer and after the transformer. */
        if (software->copied_heads == NNC_HEADS_ALWAYS && software->contiguous_maps) {
            nnc_list_pointwise(&outer.to, "attn.tokens", NNC_PW_COPY, NNC_GROUP_ATTENTION, 2 * map_elements(w, map));
        }
        projection(&outer, "attn.in", map, !nnc_list_recomputes(&w->to, NNC_RECOMPUTE_NORM));
        const writer inner = block_of(w, repeat * depth, map);
        transformer(&inner, &layer, seq_len, cross_only);
        projection(&outer, "attn.out", map, true);
    }
    nnc_list_residual(&outer.to, "attn.residual", NNC_GROUP_ATTENTION, map_elements(w, map));
}

/* ---- the levels of the network: place, and channels and side of the feature map ---- */

static const char *const down_places[NNC_UNET_LEVELS_MAX] = {
    "down.0", "down.1", "down.2", "down.3", "down.4", "down.5", "down.6", "down.7",
};
static const char *const up_places[NNC_UNET_LEVELS_MAX] = {
    "up.0", "up.1", "up.2", "up.3", "up.4", "up.5", "up.6", "up.7",
};

static const char *place_of(const char *const *places, int level) {
    return places[level < NNC_UNET_LEVELS_MAX ? level : NNC_UNET_LEVELS_MAX - 1];
}

/* Returns a writer whose ops get the given place in the network, such as "down.0", in addition to their names. */
static writer at_place(const writer *w, const char *place) {
    writer at = *w;
    at.to.place = place;
    return at;
}

static int64_t channels(const nnc_unet *u, int level) { return u->channels * u->channel_multipliers[level]; }

static int64_t half_up(int64_t side) { return (side + 1) / 2; }

/* Returns the side of the feature map at a level. From each level to the next the side is halved; max pooling rounds
 * down, and a convolution with stride 2 and padding 1 rounds up. */
static int64_t side_at(const nnc_unet *u, int64_t side, int level) {
    for (int i = 0; i < level; i++) { side = u->down == NNC_DOWN_MAX_POOL ? side / 2 : half_up(side); }
    return side;
}

static bool attends(const nnc_unet *u, int level) {
    return level < u->attention_levels_count && u->attention_levels[level];
}

static void concat(const writer *w, feature_map map, int64_t repeat) {
    nnc_writer to = w->to;
    to.repeat = repeat;
    nnc_list_pointwise(&to, "up.concat", NNC_PW_CONCAT, NNC_GROUP_RESAMPLE, map_elements(w, map));
}

/* ---- segmentation: blocks of two convolutions, pooling, and one skip connection per level ---- */

static void pool(const writer *w, feature_map out) {
    nnc_op *op = nnc_list_pointwise(&w->to, "down.pool", NNC_PW_MAX_POOL, NNC_GROUP_RESAMPLE, map_elements(w, out));
    op->u.pointwise.keeps_mask = true; /* the max pool keeps only its indices; the input of the pool is kept by the
                                        * activation before the pool */
}

static void classic_down(const writer *w, int64_t side) {
    const nnc_unet *u = w->u;
    int64_t previous = u->in_channels;
    for (int level = 0; level < u->levels; level++) {
        const writer at = at_place(w, place_of(down_places, level));
        const feature_map in = { previous, side_at(u, side, level) };
        const bool deepest = level == u->levels - 1;
        int64_t out = channels(u, level);
        if (deepest && u->up == NNC_UP_BILINEAR) {
            /* bilinear upsampling does not change the number of channels, so the deepest level has half as many
             * channels as in a network with transposed convolutions */
            out /= 2;
        }
        if (level > 0) { pool(&at, in); }
        double_conv(&at, in, out, out, level == 0, 1);
        if (u->blocks_per_level > 1) {
            double_conv(&at, (feature_map){ out, in.side }, out, out, false, u->blocks_per_level - 1);
        }
        previous = out;
    }
}

/* Appends the ops that double the side of the feature map coming from the next deeper level. Returns the number of
 * channels of the result. */
static int64_t classic_resample(const writer *w, feature_map in) {
    const feature_map out = { w->u->up == NNC_UP_TRANSPOSED_CONV ? in.channels / 2 : in.channels, 2 * in.side };
    if (w->u->up == NNC_UP_TRANSPOSED_CONV) {
        nnc_op *op = square_conv(w, "up.conv", NNC_GROUP_RESAMPLE, in, out, 2, false);
        op->weights.rows = in.channels; /* weight of the transposed convolution: [c_in, c_out, 2, 2]; a transposed
                                         * convolution always has a bias */
        op->weights.cols = out.channels * 4;
        op->weights.vector = out.channels;
        op->u.conv.transposed = true;
        op->u.conv.stride = 2;
        /* the activation before the transposed convolution keeps the tensor that the convolution reads */
        op->u.conv.keeps_input = false;
        return out.channels;
    }
    const nnc_pointwise_kind kind = w->u->up == NNC_UP_BILINEAR ? NNC_PW_UPSAMPLE_BILINEAR : NNC_PW_UPSAMPLE_NEAREST;
    nnc_list_pointwise(&w->to, "up.sample", kind, NNC_GROUP_RESAMPLE, map_elements(w, out));
    if (w->u->up == NNC_UP_NEAREST_CONV) {
        square_conv(w, "up.conv", NNC_GROUP_RESAMPLE, out, out, w->u->kernel, false);
    }
    return out.channels;
}

static void classic_up(const writer *w, int64_t side) {
    const nnc_unet *u = w->u;
    const bool halves = u->up == NNC_UP_BILINEAR;
    int64_t previous = channels(u, u->levels - 1) / (halves ? 2 : 1);
    for (int level = u->levels - 2; level >= 0; level--) {
        const writer at = at_place(w, place_of(up_places, level));
        const feature_map deeper = { previous, side_at(u, side, level + 1) };
        const int64_t sampled = classic_resample(&at, deeper), skip = channels(u, level);
        const feature_map joined = { skip + sampled, side_at(u, side, level) };
        const int64_t out = halves && level > 0 ? skip / 2 : skip;
        const int64_t middle = halves ? joined.channels / 2 : out;
        concat(&at, joined, 1);
        double_conv(&at, joined, middle, out, false, 1);
        if (u->blocks_per_level > 1) {
            double_conv(&at, (feature_map){ out, joined.side }, out, out, false, u->blocks_per_level - 1);
        }
        previous = out;
    }
}

static void classic(const writer *w, int64_t side) {
    const nnc_unet *u = w->u;
    const feature_map last = { channels(u, 0), side };
    classic_down(w, side);
    classic_up(w, side);
    nnc_op *out = square_conv(w, "out.conv", NNC_GROUP_CONV, last, (feature_map){ u->out_channels, side }, 1, false);
    out->weights.vector = u->out_channels;
    /* the activation before the last convolution keeps the tensor that the convolution reads */
    out->u.conv.keeps_input = false;
    nnc_list_loss(&w->to, nnc_list_mul(&w->to, w->batch, side * side), u->out_channels);
}

/* ---- diffusion: residual blocks, and a skip connection from the output of every block ---- */

enum { SKIPS_MAX = NNC_UNET_LEVELS_MAX * 66 };

typedef struct skips {
    int64_t channels[SKIPS_MAX];
    int count;
} skips;

static void push(nnc_op_list *list, skips *stack, int64_t value) {
    if (stack->count == SKIPS_MAX) {
        list->truncated = true;
        return;
    }
    stack->channels[stack->count++] = value;
}

static int64_t pop(skips *stack) { return stack->count > 0 ? stack->channels[--stack->count] : 1; }

static void time_embedding(const writer *w) {
    const nnc_unet *u = w->u;
    const int64_t width = u->time_embed_width;
    if (width == 0) { return; }
    nnc_list_pointwise(&w->to, "time.sinusoid", NNC_PW_TIMESTEP, NNC_GROUP_TIME, w->batch * u->channels);
    nnc_op *first =
        nnc_list_linear(&w->to, "time.linear1", NNC_GROUP_TIME, NNC_SPLIT_TOKENS, w->batch, width, u->channels, true);
    first->u.matmul.needs_grad_input = false;
    nnc_op *act = nnc_list_pointwise(&w->to, "time.act", NNC_PW_SILU, NNC_GROUP_TIME, w->batch * width);
    act->u.pointwise.keeps_input = true;
    /* Every residual block applies SiLU to the time embedding, but all blocks share one kept copy of the embedding. */
    act->u.pointwise.extra_kept_bytes = nnc_list_bytes(&w->to, w->batch * width);
    nnc_list_linear(&w->to, "time.linear2", NNC_GROUP_TIME, NNC_SPLIT_TOKENS, w->batch, width, width, true);
}

/* Appends the inputs that are added to the time embedding: a row of a table of classes, and a vector that two linear
 * layers project. If the network has a context, appends the projection of the context as well. */
static void added_embedding(const writer *w) {
    const nnc_unet *u = w->u;
    const int64_t width = u->time_embed_width;
    if (u->class_embeds > 0) {
        nnc_op *table = nnc_list_add(&w->to, "time.classes", NNC_OP_EMBEDDING, NNC_GROUP_TIME);
        table->split = NNC_SPLIT_TOKENS;
        table->u.embedding = (nnc_embedding){ .tokens = w->batch, .width = width };
        table->weights = (nnc_weights){ .count = 1, .rows = u->class_embeds, .cols = width, .table = true };
        w->to.list->lookup_params += nnc_list_mul(&w->to, u->class_embeds, width);
    }
    if (u->added_embed_width > 0) {
        nnc_op *first = nnc_list_linear(&w->to, "added.linear1", NNC_GROUP_TIME, NNC_SPLIT_TOKENS, w->batch, width,
                                        u->added_embed_width, true);
        first->u.matmul.needs_grad_input = false;
        nnc_list_pointwise(&w->to, "added.act", NNC_PW_SILU, NNC_GROUP_TIME, w->batch * width)
            ->u.pointwise.keeps_input = true;
        nnc_list_linear(&w->to, "added.linear2", NNC_GROUP_TIME, NNC_SPLIT_TOKENS, w->batch, width, width, true);
    }
    if (u->context_input_width > 0) {
        nnc_list_linear(&w->to, "context.linear", NNC_GROUP_ATTENTION, NNC_SPLIT_TOKENS,
                        nnc_list_mul(&w->to, w->batch, u->context_len), u->context_width, u->context_input_width, true)
            ->u.matmul.needs_grad_input = false;
    }
}

static void diffusion_down(const writer *w, int64_t side, skips *stack) {
    const nnc_unet *u = w->u;
    const int64_t blocks = u->blocks_per_level;
    int64_t previous = u->channels;
    for (int level = 0; level < u->levels; level++) {
        const writer at = at_place(w, place_of(down_places, level));
        const int64_t out = channels(u, level);
        const feature_map map = { out, side_at(u, side, level) };
        /* number of first blocks that change the number of channels: 1 if the level has other channels than the level
         * before, otherwise 0 */
        const int64_t first = previous == out ? 0 : 1;
        if (first > 0) { residual_block(&at, (feature_map){ previous, map.side }, out, 1); }
        if (blocks > first) { residual_block(&at, map, out, blocks - first); }
        if (attends(u, level)) { level_attention(&at, level, map, blocks); }
        for (int64_t i = 0; i < blocks; i++) { push(w->to.list, stack, out); }
        if (level < u->levels - 1) {
            square_conv(&at, "down.conv", NNC_GROUP_RESAMPLE, map, (feature_map){ out, side_at(u, side, level + 1) },
                        u->kernel, false);
            push(w->to.list, stack, out);
        }
        previous = out;
    }
}

static void diffusion_middle(const writer *w, int64_t side) {
    const nnc_unet *u = w->u;
    const feature_map map = { channels(u, u->levels - 1), side_at(u, side, u->levels - 1) };
    const writer at = at_place(w, "mid");
    residual_block(&at, map, map.channels, 2);
    if (u->middle_attention) { level_attention(&at, u->levels, map, 1); }
}

/* Appends the residual blocks of one level in the second half of the network (up), and returns the number of channels
 * of their output. Successive blocks with equal numbers of input channels are appended once, with `repeat` equal
 * instances. */
static int64_t diffusion_up_blocks(const writer *w, feature_map map, int64_t previous, skips *stack) {
    int64_t run = 0, run_in = 0;
    for (int64_t i = 0; i <= w->u->blocks_per_level; i++) {
        const int64_t in = previous + pop(stack);
        if (run > 0 && in != run_in) {
            concat(w, (feature_map){ run_in, map.side }, run);
            residual_block(w, (feature_map){ run_in, map.side }, map.channels, run);
            run = 0;
        }
        run_in = in;
        run++;
        previous = map.channels;
    }
    concat(w, (feature_map){ run_in, map.side }, run);
    residual_block(w, (feature_map){ run_in, map.side }, map.channels, run);
    return previous;
}

static void diffusion_up(const writer *w, int64_t side, skips *stack) {
    const nnc_unet *u = w->u;
    int64_t previous = channels(u, u->levels - 1);
    for (int level = u->levels - 1; level >= 0; level--) {
        const writer at = at_place(w, place_of(up_places, level));
        const feature_map map = { channels(u, level), side_at(u, side, level) };
        previous = diffusion_up_blocks(&at, map, previous, stack);
        if (attends(u, level)) { level_attention(&at, level, map, u->blocks_per_level + 1); }
        if (level > 0) {
            const feature_map larger = { map.channels, side_at(u, side, level - 1) };
            nnc_list_pointwise(&at.to, "up.sample", NNC_PW_UPSAMPLE_NEAREST, NNC_GROUP_RESAMPLE,
                               map_elements(&at, larger));
            square_conv(&at, "up.conv", NNC_GROUP_RESAMPLE, larger, larger, u->kernel, false);
        }
    }
}

/* Appends the last ops of a diffusion network: norm, SiLU, convolution to the output channels, and the mean squared
 * error of the predicted noise. */
static void diffusion_out(const writer *w, int64_t side) {
    const nnc_unet *u = w->u;
    const feature_map map = { u->channels * u->channel_multipliers[0], side };
    const feature_map out = { u->out_channels, side };
    nnc_op *norm =
        nnc_list_norm(&w->to, "out.norm", u->norm, map_elements(w, map), w->batch * u->norm_groups, 2 * map.channels);
    norm->u.norm.keep = w->to.how->software->group_norm_keep;
    nnc_op *act = nnc_list_pointwise(&w->to, "out.act", NNC_PW_SILU, NNC_GROUP_CONV, map_elements(w, map));
    act->u.pointwise.keeps_input = true;
    square_conv(w, "out.conv", NNC_GROUP_CONV, map, out, u->kernel, false);
    nnc_op *loss = nnc_list_loss(&w->to, nnc_list_mul(&w->to, w->batch, side * side), u->out_channels);
    loss->u.loss.fused = loss->u.loss.squared_error = true;
    loss->u.loss.keep = NNC_LOSS_KEEPS_LOGITS; /* backward of a squared error needs only the predicted values */
}

static void diffusion(const writer *w, int64_t side) {
    const nnc_unet *u = w->u;
    skips stack = { .count = 0 };
    time_embedding(w);
    added_embedding(w);
    square_conv(w, "in.conv", NNC_GROUP_CONV, (feature_map){ u->in_channels, side }, (feature_map){ u->channels, side },
                u->kernel, true);
    push(w->to.list, &stack, u->channels);
    diffusion_down(w, side, &stack);
    diffusion_middle(w, side);
    diffusion_up(w, side, &stack);
    diffusion_out(w, side);
}

static void lower(const nnc_model *model, const nnc_writer *to) {
    const nnc_unet *u = &model->unet;
    const nnc_plan *plan = to->how->plan;
    const writer w = { .to = *to, .u = u, .batch = plan->micro_batch };
    const int64_t side = plan->image / u->latent_factor;
    /* The data loader copies images to the device as 8-bit pixels. If the network reads latents, the copied images are
     * RGB images with 3 channels. */
    const double image_channels = u->latent_factor > 1 ? 3.0 : (double)u->in_channels;
    to->list->input_bytes = (double)plan->micro_batch * (double)plan->image * (double)plan->image * image_channels;
    nnc_list_segment(to, 1, false);
    if (u->block == NNC_UNET_DOUBLE_CONV) {
        classic(&w, side);
    } else {
        diffusion(&w, side);
    }
}

static nnc_status resolve(const nnc_model *model, nnc_plan *p, nnc_error *err) {
    const nnc_unet *u = &model->unet;
    NNC_TRY(nnc_family_takes_images(model, u->image, p, err));
    const int64_t least = u->latent_factor << (u->levels - 1);
    if (p->image % u->latent_factor != 0 || p->image < least) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--image",
                        "expected a multiple of %" PRId64 " from %" PRId64 " up, found %" PRId64, u->latent_factor,
                        least, p->image);
    }
    return NNC_OK;
}

static nnc_model_sizes sizes(const nnc_model *model) {
    return (nnc_model_sizes){ .channels = model->unet.channels, .image = model->unet.image };
}

static void describe(const nnc_model *model, char shape[NNC_SHAPE_TEXT], char input[NNC_SHAPE_TEXT]) {
    const nnc_unet *u = &model->unet;
    snprintf(shape, NNC_SHAPE_TEXT, "%" PRId32 " levels, %" PRId64 " channels", u->levels, u->channels);
    snprintf(input, NNC_SHAPE_TEXT, "%" PRId64 " pixels", u->image);
}

const nnc_family_row nnc_unet_family = {
    .sizes = sizes,
    .resolve = resolve,
    .lower = lower,
    .describe = describe,
};
