/* The decoders, as Hugging Face transformers writes them. Where a key is absent, the default is the one of
 * the configuration class. */
#include "input/foreign/foreign.h"

#define KEYS(...)             \
    (const nnc_foreign_key[]) \
    {                         \
        __VA_ARGS__,          \
        {                     \
            .key = NULL       \
        }                     \
    }

static const nnc_foreign_window qwen2_window = {
    .tokens = "sliding_window",
    .used = "use_sliding_window",
    .full_layers = "max_window_layers",
    .types = "layer_types",
    .default_tokens = 4096,
    .default_full_layers = 28,
};

const nnc_architecture nnc_foreign_decoders[] = {
    { .name = "gpt2",
      .family = NNC_FAMILY_DECODER,
      .implies = "positions=learned norm=layer biases=on",
      .keys = KEYS(
          { "n_layer|num_hidden_layers", .to = "layers" }, { "n_embd|hidden_size", .to = "hidden" },
          { "n_head|num_attention_heads", .to = "heads" },
          { "n_inner", .to = "ffn_hidden", .absent = "4*hidden" }, { "vocab_size", .to = "vocab" },
          { "n_positions|n_ctx|max_position_embeddings", .to = "seq_len" },
          { "activation_function", .to = "mlp", .absent = "gelu",
            .words = "relu=relu gelu=gelu gelu_new=gelu gelu_fast=gelu gelu_pytorch_tanh=gelu "
                     "quick_gelu=gelu" },
          { "tie_word_embeddings", .to = "tied_head", .absent = "true" },
          { "resid_pdrop", .to = "dropout", .absent = "0.1" },
          { "embd_pdrop", .to = "dropout", .absent = "0.1", .most = true },
          { "attn_pdrop", .to = "dropout", .absent = "0.1", .most = true }),
      /* how scores are scaled, not how many there are; a head for another task */
      .harmless = "layer_norm_epsilon reorder_and_upcast_attn scale_attn_by_inverse_layer_idx "
                  "scale_attn_weights summary_activation summary_first_dropout "
                  "summary_proj_to_labels summary_type summary_use_proj n_special "
                  "predict_special_tokens afn" },
    /* RMS norms, rotary positions, a gated feed-forward layer. How far positions turn is no work of its
     * own. The last two: the tokenizer's, in early files; the same products, cut up. */
    { .name = "llama",
      .family = NNC_FAMILY_DECODER,
      .implies = "positions=rotary norm=rms mlp=swiglu",
      .keys = KEYS({ "num_hidden_layers", .to = "layers" }, { "hidden_size", .to = "hidden" },
                   { "num_attention_heads", .to = "heads" },
                   { "head_dim", .to = "head_dim", .absent = "" },
                   { "intermediate_size", .to = "ffn_hidden" }, { "vocab_size", .to = "vocab" },
                   { "max_position_embeddings", .to = "seq_len" },
                   { "tie_word_embeddings", .to = "tied_head", .absent = "false" },
                   { "attention_dropout", .to = "dropout", .absent = "0" },
                   { "num_key_value_heads", .to = "kv_heads", .absent = "heads" },
                   { "attention_bias", .to = "biases", .absent = "false" },
                   { "mlp_bias", .to = "biases", .absent = "false" }),
      .only = "hidden_act=silu|swish",
      .harmless = "rms_norm_eps rope_parameters rope_scaling rope_theta rope_interleaved "
                  "max_sequence_length pretraining_tp "
                  /* for serving, by mlc-llm */
                  "attention_sink_size context_window_size prefill_chunk_size sliding_window_size "
                  "tensor_parallel_shards" },
    { .name = "mistral",
      .like = "llama",
      .keys = KEYS({ "num_key_value_heads", .to = "kv_heads", .absent = "8" },
                   { "sliding_window", .to = "sliding_window", .absent = "4096", .null = "0" }),
      .only = "attention_bias=false mlp_bias=false" },
    { .name = "qwen2",
      .like = "llama",
      .implies = "qkv_bias=on",
      .keys = KEYS({ "num_key_value_heads", .to = "kv_heads", .absent = "32" }),
      .only = "mlp_bias=false attention_bias=true",
      .reads = "layer_types max_window_layers sliding_window use_sliding_window",
      .window = &qwen2_window },
    { .name = "mixtral",
      .like = "mistral",
      .keys = KEYS({ "sliding_window", .to = "sliding_window", .absent = "", .null = "0" },
                   { "num_local_experts", .to = "experts", .absent = "8" },
                   { "num_experts_per_tok", .to = "experts_per_token", .absent = "2" },
                   { "intermediate_size", .to = "ffn_hidden" },
                   { "intermediate_size", .to = "expert_hidden" }),
      .harmless = "router_aux_loss_coef router_jitter_noise output_router_logits capacity_factor" },
    { .name = NULL },
};
