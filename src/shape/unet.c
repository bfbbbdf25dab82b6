#include "shape/unet.h"

#include "op/work.h"

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
    nnc_list_pointwise(w->list, w->how, "up.concat", NNC_PW_CONCAT, NNC_GROUP_RESAMPLE,
                       nnc_map_elements(w, map), repeat, -1);
}

/* ---- the segmentation kind: double convolutions, pooling, one skip per level ---- */

static void pool(const nnc_unet_writer *w, nnc_map out)
{
    nnc_op *op = nnc_list_pointwise(w->list, w->how, "down.pool", NNC_PW_MAX_POOL,
                                    NNC_GROUP_RESAMPLE, nnc_map_elements(w, out), 1, -1);
    op->u.pointwise.keeps_mask = true; /* the indices; the input is kept by its activation */
}

static void classic_down(const nnc_unet_writer *w, int64_t side)
{
    const nnc_unet *u = w->u;
    int64_t previous = u->in_channels;
    for (int level = 0; level < u->levels; level++) {
        const nnc_map in = { previous, side_at(u, side, level) };
        const bool deepest = level == u->levels - 1;
        int64_t out = channels(u, level);
        if (deepest && u->up == NNC_UP_BILINEAR) {
            out /= 2; /* bilinear sampling does not halve the channels, so this level does */
        }
        if (level > 0) {
            pool(w, in);
        }
        nnc_unet_double_conv(w, in, out, out, level == 0, 1);
        if (u->blocks_per_level > 1) {
            nnc_unet_double_conv(w, (nnc_map){ out, in.side }, out, out, false,
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
        nnc_op *op = nnc_unet_conv(w, "up.conv", NNC_GROUP_RESAMPLE, in, out, 2, false, 1, -1);
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
    nnc_list_pointwise(w->list, w->how, "up.sample", kind, NNC_GROUP_RESAMPLE,
                       nnc_map_elements(w, out), 1, -1);
    if (w->u->up == NNC_UP_NEAREST_CONV) {
        nnc_unet_conv(w, "up.conv", NNC_GROUP_RESAMPLE, out, out, w->u->kernel, false, 1, -1);
    }
    return out.channels;
}

static void classic_up(const nnc_unet_writer *w, int64_t side)
{
    const nnc_unet *u = w->u;
    const bool halves = u->up == NNC_UP_BILINEAR;
    int64_t previous = channels(u, u->levels - 1) / (halves ? 2 : 1);
    for (int level = u->levels - 2; level >= 0; level--) {
        const nnc_map deeper = { previous, side_at(u, side, level + 1) };
        const int64_t sampled = classic_resample(w, deeper), skip = channels(u, level);
        const nnc_map joined = { skip + sampled, side_at(u, side, level) };
        const int64_t out = halves && level > 0 ? skip / 2 : skip;
        const int64_t middle = halves ? joined.channels / 2 : out;
        concat(w, joined, 1);
        nnc_unet_double_conv(w, joined, middle, out, false, 1);
        if (u->blocks_per_level > 1) {
            nnc_unet_double_conv(w, (nnc_map){ out, joined.side }, out, out, false,
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
                                (nnc_map){ u->out_channels, side }, 1, false, 1, -1);
    out->weights.vector = u->out_channels;
    out->u.conv.keeps_input = false; /* kept by the activation before */
    nnc_op *loss = nnc_list_add(w->list, w->how, "loss", NNC_OP_LOSS, NNC_GROUP_LOSS, 1, -1);
    loss->u.loss = (nnc_loss){ .tokens = nnc_list_mul(w->list, w->batch, side, side, 1),
                               .classes = u->out_channels,
                               .fused = w->how->software->fused_loss,
                               .keep = w->how->software->loss_keep };
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
    nnc_list_pointwise(w->list, w->how, "time.sinusoid", NNC_PW_TIMESTEP, NNC_GROUP_TIME,
                       w->batch * u->channels, 1, -1);
    nnc_op *first = nnc_list_linear(w->list, w->how, "time.linear1", NNC_GROUP_TIME, w->batch,
                                    width, u->channels, true, 1, -1);
    first->u.matmul.needs_grad_input = false;
    nnc_op *act = nnc_list_pointwise(w->list, w->how, "time.act", NNC_PW_SILU, NNC_GROUP_TIME,
                                     w->batch * width, 1, -1);
    act->u.pointwise.keeps_input = true;
    /* The embedding itself is kept once, for the SiLU of every block. */
    act->u.pointwise.extra_kept_bytes = (double)(w->batch * width) * nnc_dtype_bytes(w->how->dtype);
    nnc_list_linear(w->list, w->how, "time.linear2", NNC_GROUP_TIME, w->batch, width, width, true,
                    1, -1);
}

static void diffusion_down(const nnc_unet_writer *w, int64_t side, skips *stack)
{
    const nnc_unet *u = w->u;
    const int64_t blocks = u->blocks_per_level;
    int64_t previous = u->channels;
    for (int level = 0; level < u->levels; level++) {
        const int64_t out = channels(u, level);
        const nnc_map map = { out, side_at(u, side, level) };
        const int64_t first = previous == out ? 0 : 1; /* blocks that change the width */
        if (first > 0) {
            nnc_unet_residual(w, (nnc_map){ previous, map.side }, out, 1);
        }
        if (blocks > first) {
            nnc_unet_residual(w, map, out, blocks - first);
        }
        if (attends(u, level)) {
            nnc_unet_attention(w, map, blocks);
        }
        for (int64_t i = 0; i < blocks; i++) {
            push(w->list, stack, out);
        }
        if (level < u->levels - 1) {
            nnc_unet_conv(w, "down.conv", NNC_GROUP_RESAMPLE, map,
                          (nnc_map){ out, side_at(u, side, level + 1) }, u->kernel, false, 1, -1);
            push(w->list, stack, out);
        }
        previous = out;
    }
}

static void diffusion_middle(const nnc_unet_writer *w, int64_t side)
{
    const nnc_unet *u = w->u;
    const nnc_map map = { channels(u, u->levels - 1), side_at(u, side, u->levels - 1) };
    nnc_unet_residual(w, map, map.channels, 2);
    if (u->middle_attention) {
        nnc_unet_attention(w, map, 1);
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
        const nnc_map map = { channels(u, level), side_at(u, side, level) };
        previous = diffusion_up_blocks(w, map, previous, stack);
        if (attends(u, level)) {
            nnc_unet_attention(w, map, u->blocks_per_level + 1);
        }
        if (level > 0) {
            const nnc_map larger = { map.channels, side_at(u, side, level - 1) };
            nnc_list_pointwise(w->list, w->how, "up.sample", NNC_PW_UPSAMPLE_NEAREST,
                               NNC_GROUP_RESAMPLE, nnc_map_elements(w, larger), 1, -1);
            nnc_unet_conv(w, "up.conv", NNC_GROUP_RESAMPLE, larger, larger, u->kernel, false, 1,
                          -1);
        }
    }
}

/* norm, SiLU and convolution to the output, then the mean squared error of the predicted noise. */
static void diffusion_out(const nnc_unet_writer *w, int64_t side)
{
    const nnc_unet *u = w->u;
    const nnc_map map = { u->channels * u->channel_multipliers[0], side };
    const nnc_map out = { u->out_channels, side };
    nnc_op *norm = nnc_list_norm(w->list, w->how, "out.norm", u->norm, nnc_map_elements(w, map),
                                 w->batch * u->norm_groups, 2 * map.channels, 1, -1);
    norm->u.norm.keep = w->how->software->group_norm_keep;
    nnc_op *act = nnc_list_pointwise(w->list, w->how, "out.act", NNC_PW_SILU, NNC_GROUP_CONV,
                                     nnc_map_elements(w, map), 1, -1);
    act->u.pointwise.keeps_input = true;
    nnc_unet_conv(w, "out.conv", NNC_GROUP_CONV, map, out, u->kernel, false, 1, -1);
    nnc_op *loss = nnc_list_add(w->list, w->how, "loss", NNC_OP_LOSS, NNC_GROUP_LOSS, 1, -1);
    loss->u.loss = (nnc_loss){ .tokens = nnc_list_mul(w->list, w->batch, side, side, 1),
                               .classes = u->out_channels,
                               .fused = true,
                               .squared_error = true };
}

static void diffusion(const nnc_unet_writer *w, int64_t side)
{
    const nnc_unet *u = w->u;
    skips stack = { .count = 0 };
    time_embedding(w);
    nnc_unet_conv(w, "in.conv", NNC_GROUP_CONV, (nnc_map){ u->in_channels, side },
                  (nnc_map){ u->channels, side }, u->kernel, true, 1, -1);
    push(w->list, &stack, u->channels);
    diffusion_down(w, side, &stack);
    diffusion_middle(w, side);
    diffusion_up(w, side, &stack);
    diffusion_out(w, side);
}

void nnc_unet_lower(const nnc_model *model, const nnc_lowering *how, nnc_op_list *list)
{
    const nnc_unet *u = &model->unet;
    const nnc_plan *plan = how->plan;
    const nnc_unet_writer w = { .u = u, .how = how, .list = list, .batch = plan->micro_batch };
    const int64_t side = plan->image / u->latent_factor;
    /* What a loader moves: 8-bit pixels, RGB when the network itself works on latents. */
    const double image_channels = u->latent_factor > 1 ? 3.0 : (double)u->in_channels;
    list->input_bytes =
        (double)plan->micro_batch * (double)plan->image * (double)plan->image * image_channels;
    nnc_list_segment(list, 1, false);
    if (u->block == NNC_UNET_DOUBLE_CONV) {
        classic(&w, side);
    } else {
        diffusion(&w, side);
    }
}
