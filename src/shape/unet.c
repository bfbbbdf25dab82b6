#include "shape/unet.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"

static const char *const down_places[NNC_UNET_LEVELS_MAX] = {
    "down.0", "down.1", "down.2", "down.3", "down.4", "down.5", "down.6", "down.7",
};
static const char *const up_places[NNC_UNET_LEVELS_MAX] = {
    "up.0", "up.1", "up.2", "up.3", "up.4", "up.5", "up.6", "up.7",
};

static const char *place_of(const char *const *places, int level)
{
    return places[level < NNC_UNET_LEVELS_MAX ? level : NNC_UNET_LEVELS_MAX - 1];
}

/* The writer of ops that have a place. */
static nnc_unet_writer at_place(const nnc_unet_writer *w, const char *place)
{
    nnc_unet_writer at = *w;
    at.to.place = place;
    return at;
}

/* Channels of a level. */
static int64_t channels(const nnc_unet *u, int level)
{
    return u->channels * u->channel_multipliers[level];
}

static int64_t half_up(int64_t side)
{
    return (side + 1) / 2;
}

/* Side of the map at a level: pooling rounds down, a strided convolution with padding 1 up. */
static int64_t side_at(const nnc_unet *u, int64_t side, int level)
{
    for (int i = 0; i < level; i++) {
        side = u->down == NNC_DOWN_MAX_POOL ? side / 2 : half_up(side);
    }
    return side;
}

static bool attends(const nnc_unet *u, int level)
{
    return level < u->attention_levels_count && u->attention_levels[level];
}

static void concat(const nnc_unet_writer *w, nnc_map map, int64_t repeat)
{
    nnc_writer to = w->to;
    to.repeat = repeat;
    nnc_list_pointwise(&to, "up.concat", NNC_PW_CONCAT, NNC_GROUP_RESAMPLE,
                       nnc_map_elements(w, map));
}

/* ---- the segmentation kind: double convolutions, pooling, one skip per level ---- */

static void pool(const nnc_unet_writer *w, nnc_map out)
{
    nnc_op *op = nnc_list_pointwise(&w->to, "down.pool", NNC_PW_MAX_POOL, NNC_GROUP_RESAMPLE,
                                    nnc_map_elements(w, out));
    op->u.pointwise.keeps_mask = true; /* the indices; the input is kept by its activation */
}

static void classic_down(const nnc_unet_writer *w, int64_t side)
{
    const nnc_unet *u = w->u;
    int64_t previous = u->in_channels;
    for (int level = 0; level < u->levels; level++) {
        const nnc_unet_writer at = at_place(w, place_of(down_places, level));
        const nnc_map in = { previous, side_at(u, side, level) };
        const bool deepest = level == u->levels - 1;
        int64_t out = channels(u, level);
        if (deepest && u->up == NNC_UP_BILINEAR) {
            out /= 2; /* bilinear sampling does not halve the channels, so this level does */
        }
        if (level > 0) {
            pool(&at, in);
        }
        nnc_unet_double_conv(&at, in, out, out, level == 0, 1);
        if (u->blocks_per_level > 1) {
            nnc_unet_double_conv(&at, (nnc_map){ out, in.side }, out, out, false,
                                 u->blocks_per_level - 1);
        }
        previous = out;
    }
}

/* Doubles the side of a map of `in` channels at a deeper level; returns the channels it gives. */
static int64_t classic_resample(const nnc_unet_writer *w, nnc_map in)
{
    const nnc_map out = { w->u->up == NNC_UP_TRANSPOSED_CONV ? in.channels / 2 : in.channels,
                          2 * in.side };
    if (w->u->up == NNC_UP_TRANSPOSED_CONV) {
        nnc_op *op = nnc_unet_conv(w, "up.conv", NNC_GROUP_RESAMPLE, in, out, 2, false);
        op->weights.rows = in.channels; /* the weight is [c_in, c_out, 2, 2]; biased in any case */
        op->weights.cols = out.channels * 4;
        op->weights.vector = out.channels;
        op->u.conv.transposed = true;
        op->u.conv.stride = 2;
        op->u.conv.keeps_input = false; /* kept by the activation before */
        return out.channels;
    }
    const nnc_pointwise_kind kind =
        w->u->up == NNC_UP_BILINEAR ? NNC_PW_UPSAMPLE_BILINEAR : NNC_PW_UPSAMPLE_NEAREST;
    nnc_list_pointwise(&w->to, "up.sample", kind, NNC_GROUP_RESAMPLE, nnc_map_elements(w, out));
    if (w->u->up == NNC_UP_NEAREST_CONV) {
        nnc_unet_conv(w, "up.conv", NNC_GROUP_RESAMPLE, out, out, w->u->kernel, false);
    }
    return out.channels;
}

static void classic_up(const nnc_unet_writer *w, int64_t side)
{
    const nnc_unet *u = w->u;
    const bool halves = u->up == NNC_UP_BILINEAR;
    int64_t previous = channels(u, u->levels - 1) / (halves ? 2 : 1);
    for (int level = u->levels - 2; level >= 0; level--) {
        const nnc_unet_writer at = at_place(w, place_of(up_places, level));
        const nnc_map deeper = { previous, side_at(u, side, level + 1) };
        const int64_t sampled = classic_resample(&at, deeper), skip = channels(u, level);
        const nnc_map joined = { skip + sampled, side_at(u, side, level) };
        const int64_t out = halves && level > 0 ? skip / 2 : skip;
        const int64_t middle = halves ? joined.channels / 2 : out;
        concat(&at, joined, 1);
        nnc_unet_double_conv(&at, joined, middle, out, false, 1);
        if (u->blocks_per_level > 1) {
            nnc_unet_double_conv(&at, (nnc_map){ out, joined.side }, out, out, false,
                                 u->blocks_per_level - 1);
        }
        previous = out;
    }
}

static void classic(const nnc_unet_writer *w, int64_t side)
{
    const nnc_unet *u = w->u;
    const nnc_map last = { channels(u, 0), side };
    classic_down(w, side);
    classic_up(w, side);
    nnc_op *out = nnc_unet_conv(w, "out.conv", NNC_GROUP_CONV, last,
                                (nnc_map){ u->out_channels, side }, 1, false);
    out->weights.vector = u->out_channels;
    out->u.conv.keeps_input = false; /* kept by the activation before */
    nnc_list_loss(&w->to, nnc_list_mul(&w->to, w->batch, side * side), u->out_channels);
}

/* ---- the diffusion kind: residual blocks, every block's output a skip ---- */

enum { SKIPS_MAX = NNC_UNET_LEVELS_MAX * 66 };

typedef struct skips {
    int64_t channels[SKIPS_MAX];
    int count;
} skips;

static void push(nnc_op_list *list, skips *stack, int64_t value)
{
    if (stack->count == SKIPS_MAX) {
        list->truncated = true;
        return;
    }
    stack->channels[stack->count++] = value;
}

static int64_t pop(skips *stack)
{
    return stack->count > 0 ? stack->channels[--stack->count] : 1;
}

static void time_embedding(const nnc_unet_writer *w)
{
    const nnc_unet *u = w->u;
    const int64_t width = u->time_embed_width;
    if (width == 0) {
        return;
    }
    nnc_list_pointwise(&w->to, "time.sinusoid", NNC_PW_TIMESTEP, NNC_GROUP_TIME,
                       w->batch * u->channels);
    nnc_op *first = nnc_list_linear(&w->to, "time.linear1", NNC_GROUP_TIME, NNC_SPLIT_TOKENS,
                                    w->batch, width, u->channels, true);
    first->u.matmul.needs_grad_input = false;
    nnc_op *act =
        nnc_list_pointwise(&w->to, "time.act", NNC_PW_SILU, NNC_GROUP_TIME, w->batch * width);
    act->u.pointwise.keeps_input = true;
    /* The embedding itself is kept once, for the SiLU of every block. */
    act->u.pointwise.extra_kept_bytes = nnc_list_bytes(&w->to, w->batch * width);
    nnc_list_linear(&w->to, "time.linear2", NNC_GROUP_TIME, NNC_SPLIT_TOKENS, w->batch, width,
                    width, true);
}

/* What is added to the time embedding: a row of a table, and an input through two linear layers. */
static void added_embedding(const nnc_unet_writer *w)
{
    const nnc_unet *u = w->u;
    const int64_t width = u->time_embed_width;
    if (u->class_embeds > 0) {
        nnc_op *table = nnc_list_add(&w->to, "time.classes", NNC_OP_EMBEDDING, NNC_GROUP_TIME);
        table->split = NNC_SPLIT_TOKENS;
        table->u.embedding = (nnc_embedding){ .tokens = w->batch, .width = width };
        table->weights =
            (nnc_weights){ .count = 1, .rows = u->class_embeds, .cols = width, .table = true };
        w->to.list->lookup_params += nnc_list_mul(&w->to, u->class_embeds, width);
    }
    if (u->added_embed_width > 0) {
        nnc_op *first = nnc_list_linear(&w->to, "added.linear1", NNC_GROUP_TIME, NNC_SPLIT_TOKENS,
                                        w->batch, width, u->added_embed_width, true);
        first->u.matmul.needs_grad_input = false;
        nnc_list_pointwise(&w->to, "added.act", NNC_PW_SILU, NNC_GROUP_TIME, w->batch * width)
            ->u.pointwise.keeps_input = true;
        nnc_list_linear(&w->to, "added.linear2", NNC_GROUP_TIME, NNC_SPLIT_TOKENS, w->batch, width,
                        width, true);
    }
    if (u->context_input_width > 0) {
        nnc_list_linear(&w->to, "context.linear", NNC_GROUP_ATTENTION, NNC_SPLIT_TOKENS,
                        nnc_list_mul(&w->to, w->batch, u->context_len), u->context_width,
                        u->context_input_width, true)
            ->u.matmul.needs_grad_input = false;
    }
}

static void diffusion_down(const nnc_unet_writer *w, int64_t side, skips *stack)
{
    const nnc_unet *u = w->u;
    const int64_t blocks = u->blocks_per_level;
    int64_t previous = u->channels;
    for (int level = 0; level < u->levels; level++) {
        const nnc_unet_writer at = at_place(w, place_of(down_places, level));
        const int64_t out = channels(u, level);
        const nnc_map map = { out, side_at(u, side, level) };
        const int64_t first = previous == out ? 0 : 1; /* blocks that change the width */
        if (first > 0) {
            nnc_unet_residual(&at, (nnc_map){ previous, map.side }, out, 1);
        }
        if (blocks > first) {
            nnc_unet_residual(&at, map, out, blocks - first);
        }
        if (attends(u, level)) {
            nnc_unet_attention(&at, level, map, blocks);
        }
        for (int64_t i = 0; i < blocks; i++) {
            push(w->to.list, stack, out);
        }
        if (level < u->levels - 1) {
            nnc_unet_conv(&at, "down.conv", NNC_GROUP_RESAMPLE, map,
                          (nnc_map){ out, side_at(u, side, level + 1) }, u->kernel, false);
            push(w->to.list, stack, out);
        }
        previous = out;
    }
}

static void diffusion_middle(const nnc_unet_writer *w, int64_t side)
{
    const nnc_unet *u = w->u;
    const nnc_map map = { channels(u, u->levels - 1), side_at(u, side, u->levels - 1) };
    const nnc_unet_writer at = at_place(w, "mid");
    nnc_unet_residual(&at, map, map.channels, 2);
    if (u->middle_attention) {
        nnc_unet_attention(&at, u->levels, map, 1);
    }
}

/* The residual blocks of one level going up: runs of equal widths become one row each. */
static int64_t diffusion_up_blocks(const nnc_unet_writer *w, nnc_map map, int64_t previous,
                                   skips *stack)
{
    int64_t run = 0, run_in = 0;
    for (int64_t i = 0; i <= w->u->blocks_per_level; i++) {
        const int64_t in = previous + pop(stack);
        if (run > 0 && in != run_in) {
            concat(w, (nnc_map){ run_in, map.side }, run);
            nnc_unet_residual(w, (nnc_map){ run_in, map.side }, map.channels, run);
            run = 0;
        }
        run_in = in;
        run++;
        previous = map.channels;
    }
    concat(w, (nnc_map){ run_in, map.side }, run);
    nnc_unet_residual(w, (nnc_map){ run_in, map.side }, map.channels, run);
    return previous;
}

static void diffusion_up(const nnc_unet_writer *w, int64_t side, skips *stack)
{
    const nnc_unet *u = w->u;
    int64_t previous = channels(u, u->levels - 1);
    for (int level = u->levels - 1; level >= 0; level--) {
        const nnc_unet_writer at = at_place(w, place_of(up_places, level));
        const nnc_map map = { channels(u, level), side_at(u, side, level) };
        previous = diffusion_up_blocks(&at, map, previous, stack);
        if (attends(u, level)) {
            nnc_unet_attention(&at, level, map, u->blocks_per_level + 1);
        }
        if (level > 0) {
            const nnc_map larger = { map.channels, side_at(u, side, level - 1) };
            nnc_list_pointwise(&at.to, "up.sample", NNC_PW_UPSAMPLE_NEAREST, NNC_GROUP_RESAMPLE,
                               nnc_map_elements(&at, larger));
            nnc_unet_conv(&at, "up.conv", NNC_GROUP_RESAMPLE, larger, larger, u->kernel, false);
        }
    }
}

/* norm, SiLU and convolution to the output, then the mean squared error of the predicted noise. */
static void diffusion_out(const nnc_unet_writer *w, int64_t side)
{
    const nnc_unet *u = w->u;
    const nnc_map map = { u->channels * u->channel_multipliers[0], side };
    const nnc_map out = { u->out_channels, side };
    nnc_op *norm = nnc_list_norm(&w->to, "out.norm", u->norm, nnc_map_elements(w, map),
                                 w->batch * u->norm_groups, 2 * map.channels);
    norm->u.norm.keep = w->to.how->software->group_norm_keep;
    nnc_op *act = nnc_list_pointwise(&w->to, "out.act", NNC_PW_SILU, NNC_GROUP_CONV,
                                     nnc_map_elements(w, map));
    act->u.pointwise.keeps_input = true;
    nnc_unet_conv(w, "out.conv", NNC_GROUP_CONV, map, out, u->kernel, false);
    nnc_op *loss =
        nnc_list_loss(&w->to, nnc_list_mul(&w->to, w->batch, side * side), u->out_channels);
    loss->u.loss.fused = loss->u.loss.squared_error = true;
    loss->u.loss.keep = NNC_LOSS_KEEPS_LOGITS; /* the prediction as it is */
}

static void diffusion(const nnc_unet_writer *w, int64_t side)
{
    const nnc_unet *u = w->u;
    skips stack = { .count = 0 };
    time_embedding(w);
    added_embedding(w);
    nnc_unet_conv(w, "in.conv", NNC_GROUP_CONV, (nnc_map){ u->in_channels, side },
                  (nnc_map){ u->channels, side }, u->kernel, true);
    push(w->to.list, &stack, u->channels);
    diffusion_down(w, side, &stack);
    diffusion_middle(w, side);
    diffusion_up(w, side, &stack);
    diffusion_out(w, side);
}

static void lower(const nnc_model *model, const nnc_writer *to)
{
    const nnc_unet *u = &model->unet;
    const nnc_plan *plan = to->how->plan;
    const nnc_unet_writer w = { .to = *to, .u = u, .batch = plan->micro_batch };
    const int64_t side = plan->image / u->latent_factor;
    /* What a loader moves: 8-bit pixels, RGB when the network itself works on latents. */
    const double image_channels = u->latent_factor > 1 ? 3.0 : (double)u->in_channels;
    to->list->input_bytes =
        (double)plan->micro_batch * (double)plan->image * (double)plan->image * image_channels;
    nnc_list_segment(to, 1, false);
    if (u->block == NNC_UNET_DOUBLE_CONV) {
        classic(&w, side);
    } else {
        diffusion(&w, side);
    }
}

static nnc_status resolve(const nnc_model *model, nnc_plan *p, nnc_error *err)
{
    const nnc_unet *u = &model->unet;
    NNC_TRY(nnc_family_takes_images(model, u->image, p, err));
    const int64_t least = u->latent_factor << (u->levels - 1);
    if (p->image % u->latent_factor != 0 || p->image < least) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--image",
                        "expected a multiple of %" PRId64 " from %" PRId64 " up, found %" PRId64,
                        u->latent_factor, least, p->image);
    }
    return NNC_OK;
}

static nnc_model_sizes sizes(const nnc_model *model)
{
    return (nnc_model_sizes){ .channels = model->unet.channels, .image = model->unet.image };
}

static void describe(const nnc_model *model, char shape[NNC_SHAPE_TEXT], char input[NNC_SHAPE_TEXT])
{
    const nnc_unet *u = &model->unet;
    snprintf(shape, NNC_SHAPE_TEXT, "%" PRId32 " levels, %" PRId64 " channels", u->levels,
             u->channels);
    snprintf(input, NNC_SHAPE_TEXT, "%" PRId64 " pixels", u->image);
}

const nnc_family_row nnc_unet_family = {
    .sizes = sizes,
    .resolve = resolve,
    .lower = lower,
    .describe = describe,
};
