/* What the hyper-parameters of a model have to be to each other. */
#include <inttypes.h>
#include <string.h>

#include <nncost/model.h>

#include "input/kind.h"
#include "input/read.h"

static void check_experts(nnc_json at, const nnc_decoder *d)
{
    const bool gated = d->mlp == NNC_MLP_SWIGLU || d->mlp == NNC_MLP_GEGLU;
    if (d->experts == 0) {
        if (d->experts_per_token > 0 || d->expert_hidden > 0 || d->shared_hidden > 0 ||
            d->dense_layers > 0 || d->router_bias) {
            nnc_json_fault(at, "experts", "missing, expected it beside the other expert keys");
        }
        return;
    }
    if (d->experts_per_token < 1 || d->experts_per_token > d->experts) {
        nnc_json_fault(at, "experts_per_token",
                       "out of range, expected 1 to experts = %" PRId64 ", found %" PRId64,
                       d->experts, d->experts_per_token);
    }
    if (d->expert_hidden < 1) {
        nnc_json_fault(at, "expert_hidden", "missing, expected the width of one expert");
    }
    if (d->dense_layers >= d->layers) {
        nnc_json_fault(at, "dense_layers",
                       "leaves no layer for experts, expected less than %" PRId64
                       ", found %" PRId64,
                       d->layers, d->dense_layers);
    }
    if (!gated) {
        nnc_json_fault(at, "mlp", "experts are gated, expected swiglu or geglu, found %s",
                       nnc_mlp_name(d->mlp));
    }
}

static void check_latent(nnc_json at, const nnc_decoder *d)
{
    const bool any = d->q_lora_rank > 0 || d->qk_nope_head_dim > 0 || d->qk_rope_head_dim > 0 ||
                     d->v_head_dim > 0;
    if (d->kv_lora_rank == 0
            ? any
            : d->qk_nope_head_dim < 1 || d->qk_rope_head_dim < 1 || d->v_head_dim < 1) {
        nnc_json_fault(at, "kv_lora_rank",
                       "incomplete latent attention, expected kv_lora_rank, qk_nope_head_dim, "
                       "qk_rope_head_dim and v_head_dim together");
    }
}

static void check_decoder(nnc_json at, const nnc_decoder *d)
{
    check_experts(at, d);
    check_latent(at, d);
    if (d->heads % d->kv_heads != 0) {
        nnc_json_fault(at, "kv_heads",
                       "does not divide heads, expected a divisor of %" PRId64 ", found %" PRId64,
                       d->heads, d->kv_heads);
    }
    if (d->norm != NNC_NORM_LAYER && d->norm != NNC_NORM_RMS) {
        nnc_json_fault(at, "norm", "does not suit a decoder, expected layer or rms, found %s",
                       nnc_norm_kind_name(d->norm));
    }
    if (d->positions == NNC_POSITIONS_ROTARY && d->head_dim % 2 != 0) {
        nnc_json_fault(at, "head_dim",
                       "odd, expected an even width for rotary positions, found %" PRId64,
                       d->head_dim);
    }
    if (d->positions_max != 0 && d->positions != NNC_POSITIONS_LEARNED) {
        nnc_json_fault(at, "positions_max",
                       "does not apply, expected it with learned positions only, found %" PRId64,
                       d->positions_max);
    } else if (d->positions_max != 0 && d->positions_max < d->seq_len) {
        nnc_json_fault(at, "positions_max",
                       "shorter than a sequence, expected at least %" PRId64 ", found %" PRId64,
                       d->seq_len, d->positions_max);
    }
}

/* Does the level at `index` attend; the middle, at the deepest level's width, is index `levels`. */
static bool attends(const nnc_unet *u, int32_t index)
{
    return index == u->levels ? u->middle_attention
                              : index < u->attention_levels_count && u->attention_levels[index];
}

static int64_t channels_at(const nnc_unet *u, int32_t index)
{
    return u->channels * u->channel_multipliers[index < u->levels ? index : u->levels - 1];
}

static bool has_attention(const nnc_unet *u)
{
    bool any = false;
    for (int32_t i = 0; i <= u->levels; i++) {
        any = any || attends(u, i);
    }
    return any;
}

static void check_heads(nnc_json at, const nnc_unet *u)
{
    const char *member = u->heads > 0 ? "heads" : "head_width";
    const int64_t divisor = u->heads > 0 ? u->heads : u->head_width;
    if ((u->heads > 0) == (u->head_width > 0)) {
        nnc_json_fault(at, "heads", "ambiguous, expected heads or head_width, found %s of them",
                       u->heads > 0 ? "both" : "none");
        return;
    }
    for (int32_t i = 0; i <= u->levels; i++) {
        if (attends(u, i) && channels_at(u, i) % divisor != 0) {
            nnc_json_fault(
                at, member,
                "does not divide the channels that attend, expected a divisor of %" PRId64
                ", found %" PRId64,
                channels_at(u, i), divisor);
            return;
        }
    }
}

static void check_attention(nnc_json at, const nnc_unet *u)
{
    if (u->attention_levels_count != 0 && u->attention_levels_count != u->levels) {
        nnc_json_fault(at, "attention_levels", "wrong length, expected %d, one per level, found %d",
                       u->levels, u->attention_levels_count);
        return;
    }
    if ((u->context_len > 0) != (u->context_width > 0)) {
        nnc_json_fault(at, "context_len",
                       "half a context, expected context_len and context_width or "
                       "neither, found one of them");
    }
    if (has_attention(u)) {
        check_heads(at, u);
    } else if (u->transformer_depth > 0) {
        nnc_json_fault(at, "transformer_depth",
                       "does not apply, expected 0 without attention, found %" PRId64,
                       u->transformer_depth);
    }
    if (u->transformer_depth == 0 && (u->context_len > 0 || u->linear_projections)) {
        nnc_json_fault(at, u->context_len > 0 ? "context_len" : "linear_projections",
                       "does not apply, expected it with transformer blocks only, found "
                       "transformer_depth 0");
    }
}

/* Each kind of block comes with one way to halve and double its levels; the segmentation kind has
 * neither time nor attention. */
static void check_block(nnc_json at, const nnc_unet *u)
{
    const bool residual = u->block == NNC_UNET_RESIDUAL;
    const nnc_unet_down down = residual ? NNC_DOWN_CONV : NNC_DOWN_MAX_POOL;
    if (u->down != down) {
        nnc_json_fault(at, "down", "does not suit the blocks, expected %s, found %s",
                       nnc_unet_down_name(down), nnc_unet_down_name(u->down));
    }
    if (residual && u->up != NNC_UP_NEAREST_CONV) {
        nnc_json_fault(at, "up", "does not suit the blocks, expected nearest_conv, found %s",
                       nnc_unet_up_name(u->up));
    }
    if (residual && u->norm != NNC_NORM_GROUP) {
        nnc_json_fault(at, "norm", "does not suit the blocks, expected group, found %s",
                       nnc_norm_kind_name(u->norm));
    }
    if (!residual && (u->time_embed_width > 0 || has_attention(u))) {
        nnc_json_fault(at, u->time_embed_width > 0 ? "time_embed_width" : "attention_levels",
                       "does not apply, expected none with block double_conv, found some");
    }
    for (int32_t i = 1; !residual && u->up != NNC_UP_NEAREST_CONV && i < u->levels; i++) {
        if (channels_at(u, i) % 2 != 0) {
            nnc_json_fault(at, "channels", "odd, expected even channels to halve, found %" PRId64,
                           channels_at(u, i));
            return;
        }
    }
}

static void check_unet(nnc_json at, const nnc_unet *u)
{
    int64_t side = u->image / u->latent_factor;
    if (u->image % u->latent_factor != 0 || side >> (u->levels - 1) == 0) {
        nnc_json_fault(at, "image",
                       "does not suit the levels, expected a multiple of %" PRId64 " from %" PRId64
                       " up, found %" PRId64,
                       u->latent_factor, u->latent_factor << (u->levels - 1), u->image);
    }
    if (u->kernel % 2 == 0) {
        nnc_json_fault(at, "kernel", "even, expected an odd side, found %" PRId64, u->kernel);
    }
    if (u->norm != NNC_NORM_GROUP && u->norm != NNC_NORM_BATCH) {
        nnc_json_fault(at, "norm", "does not suit a unet, expected group or batch, found %s",
                       nnc_norm_kind_name(u->norm));
    }
    for (int32_t i = 0; u->norm == NNC_NORM_GROUP && i < u->levels; i++) {
        if (u->norm_groups < 1 || channels_at(u, i) % u->norm_groups != 0) {
            nnc_json_fault(at, "norm_groups",
                           "does not divide the channels, expected a divisor of %" PRId64
                           ", found %" PRId64,
                           channels_at(u, i), u->norm_groups);
            break;
        }
    }
    check_attention(at, u);
    check_block(at, u);
}

void nnc_model_rules(nnc_json at, const nnc_model *model)
{
    if (!nnc_check_ranges(at, nnc_model_table(model->family), model)) {
        return; /* the rules below divide by these numbers */
    }
    if (model->family == NNC_FAMILY_DECODER) {
        check_decoder(at, &model->decoder);
    } else if (model->unet.levels < 1) {
        nnc_json_fault(at, "channel_multipliers", "empty, expected one per level, found none");
    } else {
        check_unet(at, &model->unet);
    }
}
