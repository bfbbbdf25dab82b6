/* The U-Nets, as diffusers writes them. Where a key is absent, the default is the one of the class. */
#include "input/foreign/foreign_rows.h"

#define UNET_IMPLIES "block=residual norm=group kernel=3 conv_biases=on down=conv up=nearest_conv"
#define UNET_ONLY                              \
    "act_fn=silu|swish class_embed_type=null " \
    "resnet_time_scale_shift=default time_embedding_dim=null time_embedding_type=positional "
#define UNET_KEYS                                                                             \
    { "sample_size", .to = "image", .levels = true }, { "in_channels", .to = "in_channels" }, \
        { "out_channels", .to = "out_channels" },                                             \
        { "layers_per_block", .to = "blocks_per_level", .absent = "2", .levels = true },      \
        { "norm_num_groups", .to = "norm_groups", .absent = "32" },                           \
        { "num_class_embeds", .to = "class_embeds", .absent = "" },                           \
    {                                                                                         \
        "dropout", .to = "dropout", .absent = "0"                                             \
    }
/* Offsets, scales and phases: no work of their own; downsample_padding 0 pads one side only, with the same
 * output. Then what an averaged copy of the weights has left. */
#define UNET_HARMLESS                                                                           \
    "center_input_sample downsample_padding flip_sin_to_cos freq_shift mid_block_scale_factor " \
    "norm_eps decay inv_gamma min_decay optimization_step power update_after_step use_ema_warmup "

#define UNET_READS "block_out_channels down_block_types up_block_types"

#define CONDITION_KEYS                                                                          \
    NNC_KEYS(UNET_KEYS,                                                                         \
             { "transformer_layers_per_block", .to = "transformer_depth",                       \
               .rule = NNC_FOREIGN_LIST, .other = "transformer_depths", .absent = "1",          \
               .levels = true },                                                                \
             { "only_cross_attention", .to = "cross_only_levels", .rule = NNC_FOREIGN_LIST,     \
               .other = "cross_only_levels", .absent = "", .words = "false=", .levels = true }, \
             { "projection_class_embeddings_input_dim", .to = "added_embed_width",              \
               .when = "addition_embed_type=text_time" },                                       \
             { "encoder_hid_dim", .to = "context_input_width", .absent = "",                    \
               .when = "encoder_hid_dim_type=text_proj" },                                      \
             { "use_linear_projection", .to = "linear_projections", .absent = "false" },        \
             { "cross_attention_dim", .to = "context_width", .absent = "1280", .levels = true })

/* attention_head_dim holds, by a slip the library keeps for its published files, the number of heads and not
 * their width; num_attention_heads, where given, replaces it. */
static const nnc_foreign_levels condition_levels = {
    .attending_down = "CrossAttnDownBlock2D",
    .attending_up = "CrossAttnUpBlock2D",
    .heads = { "num_attention_heads", "attention_head_dim" },
    .default_heads = "8",
};

/* Here attention_head_dim is a width; null means one head. */
#define PLAIN_KEYS                                                                       \
    NNC_KEYS(UNET_KEYS, { "add_attention", .to = "middle_attention", .absent = "true" }, \
             { "attention_head_dim", .to = "head_width", .absent = "8", .null = "heads=1" })

static const nnc_foreign_levels plain_levels = {
    .attending_down = "AttnDownBlock2D",
    .attending_up = "AttnUpBlock2D",
};

const nnc_architecture nnc_foreign_unets[] = {
    { .name = "UNet2DConditionModel",
      .family = NNC_FAMILY_UNET,
      .implies = UNET_IMPLIES " latent_factor=8 middle_attention=on context_len=77", /* of CLIP */
      .keys = CONDITION_KEYS,
      .reads = UNET_READS " num_attention_heads attention_head_dim",
      .levels = &condition_levels,
      .only = UNET_ONLY
      "addition_embed_type=null|text_time attention_type=default "
      "class_embeddings_concat=false conv_in_kernel=3 conv_out_kernel=3 cross_attention_norm=null "
      "dual_cross_attention=false encoder_hid_dim_type=null|text_proj "
      "mid_block_only_cross_attention=false mid_block_type=UNetMidBlock2DCrossAttn "
      "resnet_skip_time_act=false reverse_transformer_layers_per_block=null "
      "time_cond_proj_dim=null time_embedding_act_fn=null timestep_post_act=null",
      .harmless = UNET_HARMLESS "addition_embed_type_num_heads addition_time_embed_dim "
                                "resnet_out_scale_factor upcast_attention" },
    { .name = "UNet2DModel",
      .family = NNC_FAMILY_UNET,
      .implies = UNET_IMPLIES " latent_factor=1",
      .keys = PLAIN_KEYS,
      .reads = UNET_READS,
      .levels = &plain_levels,
      .only = UNET_ONLY "attn_norm_num_groups=null downsample_type=conv "
                        "mid_block_type=UNetMidBlock2D num_train_timesteps=null upsample_type=conv",
      .harmless = UNET_HARMLESS },
    { .name = NULL },
};
