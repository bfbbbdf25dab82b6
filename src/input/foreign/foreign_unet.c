/* UNet2DConditionModel and UNet2DModel, as Hugging Face diffusers writes them. */
#include <stdio.h>
#include <string.h>

#include "input/foreign/foreign.h"
#include "input/read.h"

enum { CHANNELS_MAX = 100000, SIDE_MAX = 100000, CONTEXT_TOKENS = 77, LATENT_FACTOR = 8 };

static const nnc_foreign_key unet_keys[] = {
    { "act_fn", NNC_KEY_ONLY, "silu|swish" },
    { "attention_head_dim", NNC_KEY_READ, NULL },
    { "block_out_channels", NNC_KEY_READ, NULL },
    { "class_embed_type", NNC_KEY_ONLY, "null" },
    { "down_block_types", NNC_KEY_READ, NULL },
    { "dropout", NNC_KEY_READ, NULL },
    { "in_channels", NNC_KEY_READ, NULL },
    { "layers_per_block", NNC_KEY_READ, NULL },
    { "norm_num_groups", NNC_KEY_READ, NULL },
    { "num_class_embeds", NNC_KEY_ONLY, "null" },
    { "out_channels", NNC_KEY_READ, NULL },
    { "resnet_time_scale_shift", NNC_KEY_ONLY, "default" },
    { "sample_size", NNC_KEY_READ, NULL },
    { "time_embedding_dim", NNC_KEY_ONLY, "null" },
    { "time_embedding_type", NNC_KEY_ONLY, "positional" },
    { "up_block_types", NNC_KEY_READ, NULL },
    /* offsets, scales and phases: no work of their own */
    { "center_input_sample", NNC_KEY_IGNORED, NULL },
    { "downsample_padding", NNC_KEY_IGNORED, NULL }, /* 0 pads one side only; same output */
    { "flip_sin_to_cos", NNC_KEY_IGNORED, NULL },
    { "freq_shift", NNC_KEY_IGNORED, NULL },
    { "mid_block_scale_factor", NNC_KEY_IGNORED, NULL },
    { "norm_eps", NNC_KEY_IGNORED, NULL },
    /* left by an averaged copy of the weights */
    { "decay", NNC_KEY_IGNORED, NULL },
    { "inv_gamma", NNC_KEY_IGNORED, NULL },
    { "min_decay", NNC_KEY_IGNORED, NULL },
    { "optimization_step", NNC_KEY_IGNORED, NULL },
    { "power", NNC_KEY_IGNORED, NULL },
    { "update_after_step", NNC_KEY_IGNORED, NULL },
    { "use_ema_warmup", NNC_KEY_IGNORED, NULL },
};

static const nnc_foreign_key condition_keys[] = {
    { "addition_embed_type", NNC_KEY_ONLY, "null" },
    { "addition_embed_type_num_heads", NNC_KEY_IGNORED, NULL }, /* of the above */
    { "addition_time_embed_dim", NNC_KEY_ONLY, "null" },
    { "attention_type", NNC_KEY_ONLY, "default" },
    { "class_embeddings_concat", NNC_KEY_ONLY, "false" },
    { "conv_in_kernel", NNC_KEY_ONLY, "3" },
    { "conv_out_kernel", NNC_KEY_ONLY, "3" },
    { "cross_attention_dim", NNC_KEY_READ, NULL },
    { "cross_attention_norm", NNC_KEY_ONLY, "null" },
    { "dual_cross_attention", NNC_KEY_ONLY, "false" },
    { "encoder_hid_dim", NNC_KEY_ONLY, "null" },
    { "encoder_hid_dim_type", NNC_KEY_ONLY, "null" },
    { "mid_block_only_cross_attention", NNC_KEY_ONLY, "false" },
    { "mid_block_type", NNC_KEY_ONLY, "UNetMidBlock2DCrossAttn" },
    { "num_attention_heads", NNC_KEY_READ, NULL },
    { "only_cross_attention", NNC_KEY_ONLY, "false" },
    { "projection_class_embeddings_input_dim", NNC_KEY_ONLY, "null" },
    { "resnet_out_scale_factor", NNC_KEY_IGNORED, NULL },
    { "resnet_skip_time_act", NNC_KEY_ONLY, "false" },
    { "reverse_transformer_layers_per_block", NNC_KEY_ONLY, "null" },
    { "time_cond_proj_dim", NNC_KEY_ONLY, "null" },
    { "time_embedding_act_fn", NNC_KEY_ONLY, "null" },
    { "timestep_post_act", NNC_KEY_ONLY, "null" },
    { "transformer_layers_per_block", NNC_KEY_READ, NULL },
    { "upcast_attention", NNC_KEY_IGNORED, NULL },
    { "use_linear_projection", NNC_KEY_READ, NULL },
};

static const nnc_foreign_key plain_keys[] = {
    { "add_attention", NNC_KEY_READ, NULL },
    { "attn_norm_num_groups", NNC_KEY_ONLY, "null" },
    { "downsample_type", NNC_KEY_ONLY, "conv" },
    { "mid_block_type", NNC_KEY_ONLY, "UNetMidBlock2D" },
    { "num_train_timesteps", NNC_KEY_ONLY, "null" },
    { "upsample_type", NNC_KEY_ONLY, "conv" },
};

/* A number, or a list that repeats it. */
static int64_t one_number(nnc_json root, const char *key, int64_t max, int64_t fallback)
{
    const nnc_json at = nnc_json_get(root, key);
    if (nnc_json_type_of(at) != NNC_JSON_LIST) {
        return nnc_foreign_whole(root, key, max, fallback);
    }
    const nnc_json first = nnc_json_first(at);
    for (nnc_json item = first; item.node != NULL; item = nnc_json_next(item)) {
        const bool number = nnc_json_type_of(item) == NNC_JSON_NUMBER;
        const double value = number ? nnc_json_number(item) : 0;
        if (!number || value != nnc_json_number(first) || value < 1 || value > (double)max ||
            value != (double)(int64_t)value) {
            nnc_json_mismatch(item, "uneven list", "the same whole number at every level");
            return 1;
        }
    }
    if (first.node == NULL) {
        nnc_json_mismatch(at, "empty", "a whole number");
        return 1;
    }
    return (int64_t)nnc_json_number(first);
}

/* block_out_channels as multiples of its first. */
static void read_channels(nnc_json root, nnc_unet *u)
{
    const nnc_json list = nnc_json_get(root, "block_out_channels");
    if (nnc_json_type_of(list) != NNC_JSON_LIST || nnc_json_count(list) < 1 ||
        nnc_json_count(list) > NNC_UNET_LEVELS_MAX) {
        nnc_json_fault(root, "block_out_channels",
                       "wrong value, expected a list of 1 to %d whole numbers, found none",
                       (int)NNC_UNET_LEVELS_MAX);
        return;
    }
    for (nnc_json at = nnc_json_first(list); at.node != NULL; at = nnc_json_next(at)) {
        const double value = nnc_json_type_of(at) == NNC_JSON_NUMBER ? nnc_json_number(at) : 0;
        const bool whole = value >= 1 && value <= CHANNELS_MAX && value == (double)(int64_t)value;
        u->channels = u->levels == 0 && whole ? (int64_t)value : u->channels;
        if (!whole || (int64_t)value % u->channels != 0) {
            nnc_json_mismatch(at, "not a multiple of the first level's", "a whole multiple");
            u->levels = 0;
            return;
        }
        u->channel_multipliers[u->levels++] = (int64_t)value / u->channels;
    }
}

/* Which levels attend; the way up, which is listed from the deepest level, has to mirror it. */
static void read_blocks(nnc_json root, nnc_unet *u, const char *attending_down,
                        const char *attending_up)
{
    const nnc_json down = nnc_json_get(root, "down_block_types");
    const nnc_json up = nnc_json_get(root, "up_block_types");
    const nnc_json lists[] = { down, up };
    const char *const names[][3] = { { attending_down, "DownBlock2D", "down_block_types" },
                                     { attending_up, "UpBlock2D", "up_block_types" } };
    for (int i = 0; i < 2; i++) {
        int32_t level = 0;
        if (nnc_json_type_of(lists[i]) != NNC_JSON_LIST || nnc_json_count(lists[i]) != u->levels) {
            nnc_json_fault(root, names[i][2], "wrong value, expected a list of %d, found another",
                           u->levels);
            return;
        }
        for (nnc_json at = nnc_json_first(lists[i]); at.node != NULL; at = nnc_json_next(at)) {
            const char *type = nnc_json_type_of(at) == NNC_JSON_TEXT ? nnc_json_text(at) : "";
            const bool attends = strcmp(type, names[i][0]) == 0;
            bool *place = &u->attention_levels[i == 0 ? level : u->levels - 1 - level];
            if (!attends && strcmp(type, names[i][1]) != 0) {
                char expected[96];
                snprintf(expected, sizeof(expected), "%s or %s", names[i][0], names[i][1]);
                nnc_json_mismatch(at, "unknown block", expected);
                return;
            }
            if (i == 1 && *place != attends) {
                nnc_json_mismatch(at, "does not mirror down_block_types",
                                  attends ? names[i][1] : names[i][0]);
                return;
            }
            *place = attends;
            level++;
        }
    }
    u->attention_levels_count = u->levels;
}

static void read_common(nnc_json root, nnc_model *model, int64_t latent_factor)
{
    nnc_unet *u = &model->unet;
    model->family = NNC_FAMILY_UNET;
    *u = (nnc_unet){
        .image = latent_factor * one_number(root, "sample_size", SIDE_MAX, NNC_REQUIRED),
        .latent_factor = latent_factor,
        .in_channels = nnc_foreign_whole(root, "in_channels", CHANNELS_MAX, NNC_REQUIRED),
        .out_channels = nnc_foreign_whole(root, "out_channels", CHANNELS_MAX, NNC_REQUIRED),
        .blocks_per_level = one_number(root, "layers_per_block", 64, 2),
        .block = NNC_UNET_RESIDUAL,
        .norm = NNC_NORM_GROUP,
        .norm_groups = nnc_foreign_whole(root, "norm_num_groups", CHANNELS_MAX, 32),
        .kernel = 3,
        .conv_biases = true,
        .down = NNC_DOWN_CONV,
        .up = NNC_UP_NEAREST_CONV,
        .dropout = nnc_foreign_probability(root, "dropout", 0),
    };
    read_channels(root, u);
    u->time_embed_width = 4 * u->channels;
}

/* One entry per level: the same head count everywhere, or counts that give the same width. Levels
 * that do not attend have an entry too, and the middle shares the deepest one's. */
static void read_head_list(nnc_json list, nnc_unet *u)
{
    bool same_count = true, same_width = true;
    int64_t heads = 0, width = 0;
    int32_t level = 0;
    if (nnc_json_count(list) != u->levels) {
        nnc_json_mismatch(list, "wrong length", "one head count per level");
        return;
    }
    for (nnc_json at = nnc_json_first(list); at.node != NULL; at = nnc_json_next(at), level++) {
        const int64_t channels = u->channels * u->channel_multipliers[level];
        const double value = nnc_json_type_of(at) == NNC_JSON_NUMBER ? nnc_json_number(at) : 0;
        if (!(value >= 1 && value <= (double)channels) || channels % (int64_t)value != 0 ||
            value != (double)(int64_t)value) {
            nnc_json_mismatch(at, "not a head count", "a divisor of the level's channels");
            return;
        }
        same_count = same_count && (heads == 0 || heads == (int64_t)value);
        same_width = same_width && (width == 0 || width == channels / (int64_t)value);
        heads = (int64_t)value;
        width = channels / heads;
    }
    if (same_count) {
        u->heads = heads;
    } else if (same_width) {
        u->head_width = width;
    } else {
        nnc_json_mismatch(list, "uneven heads", "one count or one width for all levels");
    }
}

/* attention_head_dim holds, by a slip the library keeps for its published files, the number of heads
 * and not their width; num_attention_heads, where given, replaces it. */
static void read_condition(nnc_json root, nnc_model *model)
{
    nnc_unet *u = &model->unet;
    const char *key = nnc_foreign_given(root, "num_attention_heads") ? "num_attention_heads"
                                                                     : "attention_head_dim";
    const nnc_json heads = nnc_json_get(root, key);
    read_common(root, model, LATENT_FACTOR);
    if (u->levels == 0) {
        return;
    }
    read_blocks(root, u, "CrossAttnDownBlock2D", "CrossAttnUpBlock2D");
    u->middle_attention = true;
    u->transformer_depth = one_number(root, "transformer_layers_per_block", 100, 1);
    u->linear_projections = nnc_foreign_flag(root, "use_linear_projection", false);
    u->context_width = one_number(root, "cross_attention_dim", 1000000, 1280);
    u->context_len = CONTEXT_TOKENS; /* of the CLIP text encoder; the file does not say */
    if (nnc_json_type_of(heads) == NNC_JSON_LIST) {
        read_head_list(heads, u);
    } else {
        u->heads = nnc_foreign_whole(root, key, CHANNELS_MAX, 8);
    }
}

/* Here attention_head_dim is a width; null means one head. */
static void read_plain(nnc_json root, nnc_model *model)
{
    nnc_unet *u = &model->unet;
    const nnc_json width = nnc_json_get(root, "attention_head_dim");
    read_common(root, model, 1);
    if (u->levels == 0) {
        return;
    }
    read_blocks(root, u, "AttnDownBlock2D", "AttnUpBlock2D");
    u->middle_attention = nnc_foreign_flag(root, "add_attention", true);
    if (nnc_json_type_of(width) == NNC_JSON_NULL) {
        u->heads = 1;
    } else {
        u->head_width = nnc_foreign_whole(root, "attention_head_dim", CHANNELS_MAX, 8);
    }
}

const nnc_architecture nnc_unet_architectures[2] = {
    { "UNet2DConditionModel", unet_keys, condition_keys, NNC_COUNT_OF(unet_keys),
      NNC_COUNT_OF(condition_keys), read_condition },
    { "UNet2DModel", unet_keys, plain_keys, NNC_COUNT_OF(unet_keys), NNC_COUNT_OF(plain_keys),
      read_plain },
};
