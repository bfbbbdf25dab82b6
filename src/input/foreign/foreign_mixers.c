/* Decoders with layers that keep a state instead of all tokens, as Hugging Face transformers writes them. */
#include "input/foreign/foreign_rows.h"

#define ALL_LAYERS(field, kind)                    \
    {                                              \
        .to = (field), .in = (kind), .out = (kind) \
    }

/* Qwen's layers of a gated delta rule, and the share of a head that is rotated in the others. */
/* clang-format off: a list of rows is no statement */
#define GATED_DELTA_KEYS                                                                 \
    { "linear_num_value_heads", .to = "ssm_heads", .absent = "32" },                     \
        { "linear_value_head_dim", .to = "ssm_inner", .times = "ssm_heads",              \
          .absent = "128*ssm_heads" },                                                   \
        { "linear_num_key_heads", .to = "ssm_groups", .absent = "16" },                  \
        { "linear_key_head_dim", .to = "ssm_state", .absent = "128" },                   \
        { "linear_conv_kernel_dim", .to = "conv_kernel", .absent = "4" },                \
    {                                                                                    \
        "partial_rotary_factor", .to = "rotary_dim", .share = true, .times = "head_dim", \
                                 .absent = "0.25*head_dim"                               \
    }
/* Mamba 2's layers beside attention, after their heads and what sets their width. */
#define MAMBA2_KEYS                                                                   \
    { "mamba_d_head", .to = "ssm_inner", .times = "ssm_heads", .absent = "ssm_inner", \
      .words = "auto=" },                                                             \
        { "mamba_n_groups", .to = "ssm_groups", .absent = "1" },                      \
        { "mamba_d_state", .to = "ssm_state", .absent = "256" },                      \
        { "mamba_d_conv", .to = "conv_kernel", .absent = "4" },                       \
        { "mamba_chunk_size", .to = "ssm_chunk", .absent = "256" },                   \
    {                                                                                 \
        "mamba_conv_bias", .to = "conv_bias", .absent = "true"                        \
    }
/* clang-format on */

const nnc_architecture nnc_foreign_mixers[] = {
    { .name = "mamba",
      .family = NNC_FAMILY_DECODER,
      .implies = "positions=none norm=rms mlp=swiglu",
      .keys = NNC_KEYS(
          { "num_hidden_layers|n_layer", .to = "layers", .absent = "32" },
          { "hidden_size|d_model", .to = "hidden", .absent = "768" },
          { "vocab_size", .to = "vocab", .absent = "50280" },
          { "max_position_embeddings", .to = "seq_len", .absent = "2048" },
          { "state_size", .to = "ssm_state", .absent = "16" },
          { "expand", .to = "ssm_inner", .share = true, .times = "hidden", .absent = "2*hidden" },
          { "intermediate_size|d_inner", .to = "ssm_inner" },
          { "conv_kernel", .to = "conv_kernel", .absent = "4" },
          { "use_conv_bias", .to = "conv_bias", .absent = "true" },
          { "time_step_rank", .to = "ssm_rank", .absent = "0.0625*hidden",
            .words = "auto=0.0625*hidden" },
          { "tie_word_embeddings", .to = "tied_head", .absent = "true" }),
      .only = "use_bias=false hidden_act=silu rms_norm=true",
      .harmless = "rescale_prenorm_residual residual_in_fp32 fused_add_norm use_mambapy "
                  "use_associative_scan ssm_cfg pad_vocab_size_multiple time_step_scale "
                  "time_step_min time_step_max time_step_init_scheme time_step_floor "
                  "time_step_limit",
      .patterns = NNC_PATTERNS(ALL_LAYERS("mixers", "mamba"), ALL_LAYERS("mlps", "none")) },
    { .name = "mamba2",
      .like = "mamba",
      .keys = NNC_KEYS(
          { "vocab_size", .to = "vocab", .absent = "32768" },
          { "hidden_size", .to = "hidden", .absent = "4096" },
          { "num_hidden_layers", .to = "layers", .absent = "64" },
          { "state_size", .to = "ssm_state", .absent = "128" },
          { "num_heads", .to = "ssm_heads", .absent = "128" },
          { "expand", .to = "ssm_inner", .share = true, .times = "hidden", .absent = "2*hidden" },
          /* both say how many values there are */
          { "head_dim", .to = "ssm_inner", .times = "ssm_heads", .absent = "64*ssm_heads" },
          { "n_groups", .to = "ssm_groups", .absent = "8" },
          { "chunk_size", .to = "ssm_chunk", .absent = "256" },
          { "tie_word_embeddings", .to = "tied_head", .absent = "false" }),
      .harmless = "norm_before_gate time_step_rank intermediate_size d_inner",
      .patterns = NNC_PATTERNS(ALL_LAYERS("mixers", "mamba2"), ALL_LAYERS("mlps", "none")) },
    { .name = "minimax",
      .like = "mixtral",
      .harmless =
          "block_size full_attn_alpha_factor full_attn_beta_factor linear_attn_alpha_factor "
          "linear_attn_beta_factor mlp_alpha_factor mlp_beta_factor",
      .patterns = NNC_PATTERNS({ .to = "mixers",
                                 .list = "layer_types",
                                 .words = "linear_attention=lightning full_attention=full",
                                 .in = "full",
                                 .out = "lightning",
                                 .every = "=2" }) },
    { .name = "qwen3_next",
      .like = "gated decoder",
      .implies = "qk_norm=head attention_gate=on shared_gate=on",
      .keys =
          NNC_KEYS({ "num_key_value_heads", .to = "kv_heads", .absent = "2" },
                   { "head_dim", .to = "head_dim", .absent = "256" },
                   { "intermediate_size", .to = "ffn_hidden", .absent = "5632" },
                   { "num_experts", .to = "experts", .absent = "512" },
                   { "num_experts_per_tok", .to = "experts_per_token", .absent = "10" },
                   { "moe_intermediate_size", .to = "expert_hidden", .absent = "512" },
                   { "shared_expert_intermediate_size", .to = "shared_hidden", .absent = "512" },
                   GATED_DELTA_KEYS),
      .patterns = NNC_PATTERNS({ .to = "mixers",
                                 .list = "layer_types",
                                 .words = "linear_attention=gated_delta full_attention=full",
                                 .in = "full",
                                 .out = "gated_delta",
                                 .every = "full_attention_interval=4",
                                 .shift = 1 },
                               { .to = "mlps",
                                 .in = "experts",
                                 .out = "dense",
                                 .every = "decoder_sparse_step=1",
                                 .shift = 1,
                                 .except = "mlp_only_layers" }) },
    { .name = "qwen3_5_moe_text",
      .like = "qwen3_next",
      .keys =
          NNC_KEYS({ "num_experts", .to = "experts", .absent = "256" },
                   { "num_experts_per_tok", .to = "experts_per_token", .absent = "8" },
                   { "intermediate_size", .to = "ffn_hidden", .absent = "" },
                   { "mtp_num_hidden_layers", .to = "next_layers", .absent = "", .zero = true }),
      .only = "attn_output_gate=true",
      .harmless = "mamba_ssm_dtype mtp_use_dedicated_embeddings" },
    { .name = "qwen3_5_text",
      .like = "gated decoder",
      .implies = "qk_norm=head attention_gate=on",
      .keys =
          NNC_KEYS({ "num_key_value_heads", .to = "kv_heads", .absent = "4" },
                   { "head_dim", .to = "head_dim", .absent = "256" }, GATED_DELTA_KEYS,
                   { "mtp_num_hidden_layers", .to = "next_layers", .absent = "", .zero = true }),
      .only = "attn_output_gate=true hidden_act=silu attention_bias=false",
      .harmless = "mamba_ssm_dtype mtp_use_dedicated_embeddings",
      .patterns = NNC_PATTERNS({ .to = "mixers",
                                 .list = "layer_types",
                                 .words = "linear_attention=gated_delta full_attention=full",
                                 .in = "full",
                                 .out = "gated_delta",
                                 .every = "full_attention_interval=4",
                                 .shift = 1 }) },
    { .name = "falcon_mamba",
      .like = "mamba",
      .keys = NNC_KEYS(
          { "hidden_size", .to = "hidden", .absent = "4096" },
          { "num_hidden_layers", .to = "layers", .absent = "64" },
          { "expand", .to = "ssm_inner", .share = true, .times = "hidden", .absent = "16*hidden" },
          { "intermediate_size", .to = "ssm_inner", .absent = "ssm_inner", .wins = true }),
      .harmless = "use_falcon_mambapy mixer_rms_eps" },
    { .name = "bamba",
      .like = "gated decoder",
      .keys = NNC_KEYS({ "num_key_value_heads", .to = "kv_heads", .absent = "8" },
                       { "mamba_n_heads", .to = "ssm_heads", .absent = "128" },
                       { "mamba_expand", .to = "ssm_inner", .share = true, .times = "hidden",
                         .absent = "2*hidden" },
                       MAMBA2_KEYS,
                       { "partial_rotary_factor", .to = "rotary_dim", .share = true,
                         .times = "head_dim", .absent = "0.5*head_dim" },
                       { "attn_rotary_emb", .to = "rotary_dim", .absent = "rotary_dim" },
                       { "max_position_embeddings", .to = "seq_len", .absent = "262144" }),
      .only = "mamba_proj_bias=false",
      .harmless = "num_logits_to_keep z_loss_coefficient time_step_min time_step_max "
                  "time_step_limit",
      .patterns = NNC_PATTERNS(
          { .to = "mixers", .only = "attn_layer_indices", .in = "full", .out = "mamba2" }) },
    { .name = "granitemoehybrid",
      .like = "biased decoder",
      .keys = NNC_KEYS({ "position_embedding_type", .to = "positions", .absent = "none",
                         .null = "none", .words = "rope=rotary nope=none" },
                       { "num_local_experts", .to = "experts", .absent = "8", .zero = true },
                       { "num_experts_per_tok", .to = "experts_per_token", .absent = "2",
                         .when = "num_local_experts=!0/8" },
                       { "intermediate_size", .to = "expert_hidden", .absent = "11008",
                         .when = "num_local_experts=!0/8" },
                       { "shared_intermediate_size", .to = "shared_hidden", .absent = "1024",
                         .when = "num_local_experts=!0/8" },
                       { "shared_intermediate_size", .to = "ffn_hidden", .absent = "1024" },
                       { "mamba_n_heads", .to = "ssm_heads", .absent = "128" },
                       { "mamba_expand", .to = "ssm_inner", .share = true, .times = "hidden",
                         .absent = "2*hidden" },
                       MAMBA2_KEYS),
      .only = "mamba_proj_bias=false normalization_function=rmsnorm",
      .harmless = "init_method time_step_min time_step_max time_step_limit",
      .patterns = NNC_PATTERNS({ .to = "mixers",
                                 .list = "layer_types|layers_block_type",
                                 .words = "mamba=mamba2 attention=full",
                                 .in = "mamba2",
                                 .out = "mamba2" }) },
    { .name = "falcon_h1",
      .like = "gated decoder",
      .implies = "no_state_norm=on",
      .keys = NNC_KEYS({ "vocab_size", .to = "vocab", .absent = "128000" },
                       { "hidden_size", .to = "hidden", .absent = "4096" },
                       { "intermediate_size", .to = "ffn_hidden", .absent = "14336" },
                       { "num_hidden_layers", .to = "layers", .absent = "32" },
                       { "num_attention_heads", .to = "heads", .absent = "32" },
                       { "num_key_value_heads", .to = "kv_heads", .absent = "8", .null = "heads" },
                       { "max_position_embeddings", .to = "seq_len", .absent = "8192" },
                       { "mamba_n_heads", .to = "ssm_heads", .absent = "128" },
                       { "mamba_d_ssm", .to = "ssm_inner", .absent = "1024", .null = "2*hidden" },
                       MAMBA2_KEYS,
                       { "mamba_rms_norm", .to = "no_state_norm", .absent = "on",
                         .words = "true=off false=on" }),
      .only = "mamba_proj_bias=false projectors_bias=false mamba_expand=2",
      .harmless = "num_logits_to_keep mlp_multipliers key_multiplier attention_out_multiplier "
                  "attention_in_multiplier ssm_multipliers ssm_in_multiplier ssm_out_multiplier "
                  "mamba_norm_before_gate mamba_use_mlp mlp_expansion_factor time_step_floor "
                  "time_step_min time_step_max time_step_limit",
      .patterns = NNC_PATTERNS(ALL_LAYERS("mixers", "full_mamba2")) },
    { .name = "jamba",
      .like = "gated decoder",
      .implies = "positions=none ssm_norms=on",
      .keys = NNC_KEYS({ "num_key_value_heads", .to = "kv_heads", .absent = "8" },
                       { "intermediate_size", .to = "expert_hidden" },
                       { "intermediate_size", .to = "ffn_hidden" },
                       { "num_experts", .to = "experts", .absent = "16" },
                       { "num_experts_per_tok", .to = "experts_per_token", .absent = "2" },
                       { "mamba_d_state", .to = "ssm_state", .absent = "16" },
                       { "mamba_d_conv", .to = "conv_kernel", .absent = "4" },
                       { "mamba_expand", .to = "ssm_inner", .share = true, .times = "hidden",
                         .absent = "2*hidden" },
                       { "mamba_dt_rank", .to = "ssm_rank", .absent = "0.0625*hidden",
                         .words = "auto=0.0625*hidden" },
                       { "mamba_conv_bias", .to = "conv_bias", .absent = "true" },
                       { "max_position_embeddings", .to = "seq_len", .absent = "262144" }),
      .only = "mamba_proj_bias=false mamba_inner_layernorms=true sliding_window=null",
      .harmless = "use_mamba_kernels num_logits_to_keep",
      .patterns = NNC_PATTERNS({ .to = "mixers",
                                 .in = "full",
                                 .out = "mamba",
                                 .every = "attn_layer_period=8",
                                 .offset = "attn_layer_offset=4" },
                               { .to = "mlps",
                                 .in = "experts",
                                 .out = "dense",
                                 .every = "expert_layer_period=2",
                                 .offset = "expert_layer_offset=1" }) },
    { .name = "nemotron_h",
      .like = "gated decoder",
      .implies = "positions=none mlp=relu2",
      .keys = NNC_KEYS(
          { "num_key_value_heads", .to = "kv_heads", .absent = "8" },
          { "head_dim|attention_head_dim", .to = "head_dim", .absent = "128" },
          { "mamba_num_heads", .to = "ssm_heads", .absent = "128" },
          { "mamba_head_dim", .to = "ssm_inner", .times = "ssm_heads", .absent = "64*ssm_heads" },
          { "n_groups", .to = "ssm_groups", .absent = "8" },
          { "ssm_state_size", .to = "ssm_state", .absent = "128" },
          { "conv_kernel", .to = "conv_kernel", .absent = "4" },
          { "chunk_size", .to = "ssm_chunk", .absent = "128" },
          { "use_conv_bias", .to = "conv_bias", .absent = "true" },
          { "n_routed_experts", .to = "experts", .absent = "" },
          { "n_routed_experts", .to = "router_bias", .absent = "", .flag = true },
          { "num_experts_per_tok", .to = "experts_per_token", .absent = "" },
          { "moe_intermediate_size", .to = "expert_hidden", .absent = "" },
          { "moe_shared_expert_intermediate_size", .to = "shared_hidden", .absent = "",
            .zero = true }),
      .patterns = NNC_PATTERNS({ .to = "mixers",
                                 .list = "hybrid_override_pattern",
                                 .words = "M=mamba2 *=full -=none E=none" },
                               { .to = "mlps",
                                 .list = "hybrid_override_pattern",
                                 .words = "M=none *=none -=dense E=experts" }),
      .only = "mamba_proj_bias=false use_bias=false mamba_hidden_act=silu mlp_hidden_act=relu2 "
              "hidden_act=relu2|silu",
      .harmless = "expand residual_in_fp32 rescale_prenorm_residual time_step_min time_step_max "
                  "time_step_floor time_step_limit time_step_rank num_logits_to_keep "
                  "use_mamba_kernels mamba_ssm_cache_dtype hidden_dropout sliding_window "
                  "n_shared_experts" },
    { .name = NULL },
};
