/* SPDX-License-Identifier: Apache-2.0 */
/* Models: for each network, its dimensions and the kinds of its layers, without weights, as read from
 * models/<id>.json. */
#ifndef NNCOST_MODEL_H
#define NNCOST_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include <nncost/hardware.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Families of models. The last argument of X is the family's name in the code: `decoder` stands for nnc_decoder_family
 * (src/shape/) and nnc_decoder_fields (src/input/). */
#define NNC_FAMILY_LIST(X)                                                                                             \
    X(NNC_FAMILY_DECODER, "decoder", "A transformer over tokens: a decoder, an encoder, or an encoder and a decoder.", \
      decoder)                                                                                                         \
    X(NNC_FAMILY_UNET, "unet", "A U-shaped convolutional network, for segmentation or diffusion.", unet)               \
    X(NNC_FAMILY_VIT, "vit", "A vision transformer that classifies images.", vit)                                      \
    X(NNC_FAMILY_GRAPH, "graph", "Any network, as a list of ops; their shapes are inferred.", graph)                   \
    X(NNC_FAMILY_CAPTURE, "capture", "One training step of a PyTorch program, as nncost.capture recorded it.", capture)
NNC_ENUM(nnc_family, NNC_FAMILY_LIST, NNC_FAMILY_COUNT);
NNC_API const char *nnc_family_name(nnc_family family);
NNC_API const char *nnc_family_help(nnc_family family);

#define NNC_POSITIONS_LIST(X)                                                                                  \
    X(NNC_POSITIONS_NONE, "none", "No positions.")                                                             \
    X(NNC_POSITIONS_LEARNED, "learned", "A table of positions_max rows, added to the embedding.")              \
    X(NNC_POSITIONS_ROTARY, "rotary", "Queries and keys are rotated by their position.")                       \
    X(NNC_POSITIONS_ALIBI, "alibi", "Scores decrease with distance, with a fixed slope per head.")             \
    X(NNC_POSITIONS_RELATIVE, "relative", "A learned score per head and bucket of distances, for all layers.") \
    X(NNC_POSITIONS_RELATIVE_EACH, "relative_each",                                                            \
      "A learned score per head and bucket of distances, in every layer.")                                     \
    X(NNC_POSITIONS_LEARNED_RELATIVE, "learned_relative",                                                      \
      "Both a table of positions_max rows and a score per head and bucket.")                                   \
    X(NNC_POSITIONS_DISENTANGLED, "disentangled",                                                              \
      "Separate projections of a distance table interact with queries and keys in every layer.")
NNC_ENUM(nnc_positions, NNC_POSITIONS_LIST, NNC_POSITIONS_COUNT);
NNC_API const char *nnc_positions_name(nnc_positions positions);
NNC_API const char *nnc_positions_help(nnc_positions positions);

/* Tests whether the model has a table of learned positions. The table has one row for each position in a sequence, and
 * this row is added to the vector of the token at this position. */
static inline bool nnc_positions_learned(nnc_positions positions) {
    return positions == NNC_POSITIONS_LEARNED || positions == NNC_POSITIONS_LEARNED_RELATIVE;
}

#define NNC_NORM_KIND_LIST(X)                                                              \
    X(NNC_NORM_LAYER, "layer", "Mean and variance of each token.")                         \
    X(NNC_NORM_RMS, "rms", "Root mean square of each token.")                              \
    X(NNC_NORM_GROUP, "group", "Mean and variance of a group of channels of each sample.") \
    X(NNC_NORM_BATCH, "batch", "Mean and variance of each channel over the batch.")
NNC_ENUM(nnc_norm_kind, NNC_NORM_KIND_LIST, NNC_NORM_KIND_COUNT);
NNC_API const char *nnc_norm_kind_name(nnc_norm_kind kind);
NNC_API const char *nnc_norm_kind_help(nnc_norm_kind kind);

#define NNC_MLP_LIST(X)                                                         \
    X(NNC_MLP_GELU, "gelu", "Two matrices with a GELU between them.")           \
    X(NNC_MLP_RELU, "relu", "Two matrices with a ReLU between them.")           \
    X(NNC_MLP_SWIGLU, "swiglu", "Three matrices with a SiLU gate.")             \
    X(NNC_MLP_GEGLU, "geglu", "Three matrices with a GELU gate.")               \
    X(NNC_MLP_RELU2, "relu2", "Two matrices with a squared ReLU between them.") \
    X(NNC_MLP_SILU, "silu", "Two matrices with a SiLU between them.")
NNC_ENUM(nnc_mlp, NNC_MLP_LIST, NNC_MLP_COUNT);
NNC_API const char *nnc_mlp_name(nnc_mlp mlp);
NNC_API const char *nnc_mlp_help(nnc_mlp mlp);

/* Tests whether an MLP is gated. A gated MLP has three matrices: gate, value (up) and output. A single matrix product
 * computes gate and value. */
static inline bool nnc_mlp_gated(nnc_mlp mlp) { return mlp == NNC_MLP_SWIGLU || mlp == NNC_MLP_GEGLU; }

/* Kinds of token mixer of a layer: an attention, a state-space layer, or a convolution. */
#define NNC_MIXER_LIST(X)                                                                                             \
    X(NNC_MIXER_FULL, "full", "Attention to every token before it.")                                                  \
    X(NNC_MIXER_WINDOW, "window", "Attention to the sliding_window tokens up to its own.")                            \
    X(NNC_MIXER_CHUNK, "chunk", "Attention inside consecutive chunks of sliding_window tokens.")                      \
    X(NNC_MIXER_UNROTATED, "full_unrotated",                                                                          \
      "Attention to every token before it, without the rotary positions of the other layers.")                        \
    X(NNC_MIXER_MAMBA, "mamba", "A selective state space, one decay per value (Mamba).")                              \
    X(NNC_MIXER_MAMBA2, "mamba2", "A state space with one decay per head (Mamba-2).")                                 \
    X(NNC_MIXER_GATED_DELTA, "gated_delta", "Linear attention by the gated delta rule.")                              \
    X(NNC_MIXER_LIGHTNING, "lightning", "Linear attention with a fixed decay per head.")                              \
    X(NNC_MIXER_SHORT_CONV, "short_conv", "A gated convolution over a few tokens.")                                   \
    X(NNC_MIXER_BESIDE, "full_mamba2", "Attention to every token before it and Mamba-2 in parallel, after one norm.") \
    X(NNC_MIXER_NONE, "none", "No token mixing: the layer is an MLP only.")                                           \
    X(NNC_MIXER_PICKED, "full_reused", "Attention to the tokens that the indexer of a layer before it selected.")     \
    X(NNC_MIXER_ALL, "full_all", "Attention to every token before it, without the indexer of the other layers.")      \
    X(NNC_MIXER_FAR, "window_far",                                                                                    \
      "As window, and in addition attention to one key for every compress_ratio tokens before it.")                   \
    X(NNC_MIXER_FAR_PICKED, "window_far_picked",                                                                      \
      "As window, and in addition attention to index_topk selected keys, each for index_ratio tokens before it.")     \
    X(NNC_MIXER_KIMI_DELTA, "kimi_delta", "As gated_delta, with a decay for each value of a key (Kimi Linear).")
NNC_ENUM(nnc_mixer, NNC_MIXER_LIST, NNC_MIXER_COUNT);
NNC_API const char *nnc_mixer_name(nnc_mixer mixer);
NNC_API const char *nnc_mixer_help(nnc_mixer mixer);

/* Kinds of MLP that a layer can have. */
#define NNC_MLP_KIND_LIST(X)                                                   \
    X(NNC_LAYER_DENSE, "dense", "One MLP of width ffn_hidden.")                \
    X(NNC_LAYER_EXPERTS, "experts", "Experts that are chosen for each token.") \
    X(NNC_LAYER_NO_MLP, "none", "No MLP: the layer is a token mixer only.")
NNC_ENUM(nnc_mlp_kind, NNC_MLP_KIND_LIST, NNC_MLP_KIND_COUNT);
NNC_API const char *nnc_mlp_kind_name(nnc_mlp_kind mlp);
NNC_API const char *nnc_mlp_kind_help(nnc_mlp_kind mlp);

#define NNC_NORM_PLACE_LIST(X)                                                                     \
    X(NNC_NORM_PRE, "pre", "Before attention and before the MLP.")                                 \
    X(NNC_NORM_POST, "post", "After each addition to the residual stream; none before the head.")  \
    X(NNC_NORM_BRANCH, "branch", "At the end of attention and of the MLP, before they are added.") \
    X(NNC_NORM_SANDWICH, "sandwich", "Before attention and MLP and at the end of both.")           \
    X(NNC_NORM_PARALLEL, "parallel", "One norm; attention and MLP run in parallel.")               \
    X(NNC_NORM_PARALLEL_TWO, "parallel_two", "Attention and MLP run in parallel, with a norm for each.")
NNC_ENUM(nnc_norm_place, NNC_NORM_PLACE_LIST, NNC_NORM_PLACE_COUNT);
NNC_API const char *nnc_norm_place_name(nnc_norm_place place);
NNC_API const char *nnc_norm_place_help(nnc_norm_place place);

#define NNC_QK_NORM_LIST(X)                                                              \
    X(NNC_QK_NORM_NONE, "none", "No norms of queries and keys.")                         \
    X(NNC_QK_NORM_HEAD, "head", "Each head is normalised; all heads share the weights.") \
    X(NNC_QK_NORM_PROJECTION, "projection",                                              \
      "All heads are normalised together, with one weight per value and no bias.")       \
    X(NNC_QK_NORM_PLAIN, "plain", "Each head is normalised, without weights.")
NNC_ENUM(nnc_qk_norm, NNC_QK_NORM_LIST, NNC_QK_NORM_COUNT);
NNC_API const char *nnc_qk_norm_name(nnc_qk_norm norm);
NNC_API const char *nnc_qk_norm_help(nnc_qk_norm norm);

#define NNC_MODEL_HEAD_LIST(X)                                                                                      \
    X(NNC_HEAD_LOGITS, "logits", "The next token of every position.")                                               \
    X(NNC_HEAD_MASKED, "masked", "A dense layer, an activation, a norm, then logits of all words for every token.") \
    X(NNC_HEAD_REPLACED, "replaced", "A dense layer, an activation and one logit: whether the token was replaced.") \
    X(NNC_HEAD_POOLER, "pooler", "A dense layer over one token of each sequence.")                                  \
    X(NNC_HEAD_PROJECTION, "projection",                                                                            \
      "A projection of one token of each sequence to head_width values, without a bias.")                           \
    X(NNC_HEAD_MASKED_NEXT, "masked_next",                                                                          \
      "As masked, and a pooler that predicts whether the second sentence follows the first.")                       \
    X(NNC_HEAD_CLASSES, "classes", "A dense layer over one token of each sequence, then head_width classes.")       \
    X(NNC_HEAD_TAGS, "tags", "head_width classes for every token.")                                                 \
    X(NNC_HEAD_NONE, "none", "No head: the states of the last layer are the output.")
NNC_ENUM(nnc_model_head, NNC_MODEL_HEAD_LIST, NNC_MODEL_HEAD_COUNT);
NNC_API const char *nnc_model_head_name(nnc_model_head head);
NNC_API const char *nnc_model_head_help(nnc_model_head head);

enum { NNC_PATTERN_MAX = 256 };

/* A model. The nnc_specs that loaded a model owns the model. Fields have the names of the JSON file; nnc_model_number,
 * nnc_model_text and nnc_model_set in <nncost/spec.h> read and set fields. */
typedef struct nnc_model nnc_model;

#ifdef NNC_STATIC_LINKING_ONLY

/* A transformer over tokens. If a member is 0 or false, the model does not have the part that the member describes,
 * unless the comment of the member states another meaning. */
typedef struct nnc_decoder {
    int64_t layers, hidden, heads, kv_heads, head_dim, ffn_hidden;
    int64_t vocab;
    int64_t vocab_multiple; /* the rows of the embedding table are padded to a multiple of this number; 1 = not
                             * padded */
    int64_t seq_len;        /* number of tokens of a training sequence */
    int64_t positions_max;  /* number of rows of the table of learned positions; 0 = seq_len rows */
    /* number of tokens that each query attends to, the query's own token included; 0 = all earlier tokens */
    int64_t sliding_window;
    nnc_positions positions;
    nnc_norm_kind norm; /* kind of norm of all layers: layer norm or RMS norm */
    nnc_mlp mlp;
    bool biases;    /* true: layer norms and all linear layers except the head have a bias */
    bool qkv_bias;  /* true: the query, key and value projections have a bias */
    bool tied_head; /* true: the head has no weights of its own, but uses the weights of the embedding table */
    double dropout; /* dropout probability in training; 0 = the model has no dropout kernels and no masks */
    /* Mixture of experts. The first dense_layers layers of the model have no experts. Every layer after the first
     * dense_layers layers has a router and `experts` experts, and the router sends each token to experts_per_token of
     * the experts. An expert is a gated MLP of width expert_hidden. In addition, shared experts of the total width
     * shared_hidden process every token. */
    int64_t experts, experts_per_token, expert_hidden, shared_hidden, dense_layers;
    bool router_bias; /* true: the router has one learned value per expert, which is added to the score of the expert */
    /* Latent attention (arXiv:2405.04434). Keys and values are projected from a latent of kv_lora_rank values per
     * token. Queries are projected from a latent of q_lora_rank values; if q_lora_rank is 0, queries are projected from
     * the token without a latent. If kv_lora_rank is 0, the model has no latent attention. */
    int64_t q_lora_rank, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim;
    /* Mixer and MLP of each layer, if layers differ. The lists `mixers` and `mlps` are repeated until they have one
     * entry per layer. If `mixers` is empty, all layers have window attention (if sliding_window is set) or full
     * attention. If `mlps` is empty, dense_layers layers without experts come first, then layers with experts. */
    nnc_mixer mixers[NNC_PATTERN_MAX];
    int32_t mixers_count;
    nnc_mlp_kind mlps[NNC_PATTERN_MAX];
    int32_t mlps_count;
    nnc_norm_place norm_place;
    bool norm_bias;   /* true: layer norms have a bias even if `biases` is false */
    bool plain_norms; /* true: the norms of the model have no weights */
    bool embed_norm;  /* true: a norm follows the embedding table */
    nnc_qk_norm qk_norm;
    /* true: the projection of the attention output (out_bias), the MLP (mlp_bias), the head (head_bias) or the experts
     * (expert_bias) have biases; nncost reads these members only if `biases` is false */
    bool out_bias, mlp_bias, head_bias, expert_bias;
    /* true: the projections to queries and to values have a bias, but the projection to keys has none */
    bool no_key_bias;
    /* number of values of a head that the rotary embedding rotates; 0 = all values */
    int64_t rotary_dim;
    bool sinks; /* true: the softmax of each head has one further learned score (attention sink) */
    /* true: the rotary embedding (YaRN) rotates queries and keys, and also multiplies them by a factor */
    bool rotary_scale;
    bool expert_clamp;   /* true: experts clamp gate and value before the product of gate and value */
    bool attention_gate; /* true: a second query projection computes a gate, and the attention output is multiplied by
                          * this gate */
    bool shared_gate;    /* true: the output of the shared experts is multiplied by one gate value per token */
    bool score_softcap, logit_softcap; /* score_softcap true: a tanh limits the attention scores; logit_softcap true: a
                                        * tanh limits the logits */
    bool bidirectional; /* true: every token attends to all tokens before and after it, as in an encoder */
    nnc_model_head head;
    int64_t head_width;       /* number of outputs of the head; used only if `head` is projection, classes or tags */
    int64_t token_types;      /* rows of the table of token types (segment embeddings); 0 = no such table */
    int64_t embed_width;      /* width of the embedding tables, from which a linear layer projects to `hidden`; 0 = the
                               * width is `hidden` */
    int64_t relative_buckets; /* number of buckets of distances between tokens, for relative positions; 0 = no relative
                               * positions */
    /* An encoder before the decoder; every decoder layer attends to the output of the encoder. Encoder layers have the
     * dimensions of decoder layers, except for encoder_ffn_hidden. The encoder processes encoder_seq_len tokens (0 =
     * seq_len). If frame_bands is set, the input of the encoder is a spectrogram: 2 x encoder_seq_len frames of
     * frame_bands bands, which two convolutions of kernel size 3 reduce to encoder_seq_len frames. */
    int64_t encoder_layers, encoder_seq_len, encoder_ffn_hidden, frame_bands;
    /* Dimensions of state-space layers. A layer has ssm_inner values per token, in ssm_heads heads. Each value of a
     * token has a state of ssm_state numbers; in a gated delta rule, ssm_state is the width of a key. `ssm_groups` is
     * the number of heads of keys. `ssm_rank` is an inner width: in Mamba the inner width of the projection to the step
     * sizes, in Kimi Linear the inner width of the projection to the decays and of the projection to the gate. Matrix
     * products compute ssm_chunk tokens of a sequence at once (0 = 256 tokens, or 64 in a gated delta rule). */
    int64_t ssm_inner, ssm_state, ssm_heads, ssm_groups, ssm_rank, ssm_chunk;
    int64_t conv_kernel; /* number of positions that the convolution of state-space and short_conv layers spans */
    bool conv_bias;
    bool ssm_norms; /* for Mamba layers; true: a norm follows the projections that compute step sizes and states */
    /* for Mamba-2 layers; true: the output of the state is multiplied by a gate, and no norm follows */
    bool no_state_norm;
    double head_share; /* share of the positions of a sequence that a masked-word head processes; 0 = all positions */
    /* Sparse latent attention: an indexer selects index_topk tokens for each query, and the query attends only to these
     * tokens. The indexer has index_heads queries and one key per token, each of width index_dim. index_topk 0 = no
     * indexer; queries attend to all tokens. */
    int64_t index_heads, index_dim, index_topk;
    bool share_layers;    /* true: all layers share the weights of the first layer */
    int64_t tower_inputs; /* number of images or sounds in one sequence; the towers encode them */
    int64_t next_layers;  /* number of layers for multi-token prediction; their parameters and their work are included
                           * only if a plan trains them */
    /* Groups of experts. Groups of experts: each group consists of successive experts, and the router chooses the
     * experts of a token from at most groups_per_token groups. expert_groups: number of groups; 0 = no groups. */
    int64_t expert_groups, groups_per_token;
    /* Dimensions of layers with a sliding window: number of query heads, number of key and value heads, width of a
     * head. 0 = the dimension that layers without a window have. */
    int64_t window_heads, window_kv_heads, window_head_dim;
    bool window_sinks;     /* read only if `sinks` is true. true: only layers with a sliding window have sinks; false:
                            * all layers have sinks */
    bool keys_as_values;   /* true: layers that attend to all tokens use their keys as values and have no value
                            * projection */
    bool head_gate;        /* true: the output of each attention head is multiplied by one gate value per token */
    bool expert_norms;     /* true: four norms surround the experts: one before and one after the routed experts, and
                            * one before and one after the shared experts */
    int64_t expert_latent; /* number of values of a token at the input and output of routed experts; 0 = `hidden` */
    /* Shared keys (DeepSeek-V4): each token has one key, which all heads share; the key is also used as the value of
     * the token. Queries are projected from q_lora_rank values. Heads are divided into out_groups groups, and the
     * output of each group is projected to out_rank values. In a window_far layer, queries attend to a window of tokens
     * and to one key for every compress_ratio earlier tokens. In a window_far_picked layer, queries attend to a window
     * of tokens and to index_topk keys that an indexer selects; there is one key for every index_ratio earlier
     * tokens. */
    bool shared_keys;
    int64_t out_groups, out_rank, compress_ratio, index_ratio;
    int64_t streams; /* number of parallel residual streams (hyper-connections); 0 = one stream, as usual */
    /* Width of the dense MLP of each layer, if the widths differ: ffn_hidden is the largest width. The list is repeated
     * until it has one entry per layer; ffn_widths_count 0 = all widths are ffn_hidden. */
    int64_t ffn_widths[NNC_PATTERN_MAX];
    int32_t ffn_widths_count;
    /* Inputs of layers (Gemma 4): a table of layer_input_vocab rows has layer_input_width values per token for each
     * layer; layer_input_width 0 = no such table. */
    int64_t layer_input_width, layer_input_vocab;
    /* number of layers at the end of the network that have no keys and values of their own; each of them attends to the
     * keys and values of the last layer that has its own keys and values and an equal kind of mixer */
    int64_t reused_kv_layers;
    bool wide_reused; /* true: the dense MLP of the last reused_kv_layers layers is twice as wide as ffn_hidden */
    /* number of experts without weights, which return their input (LongCat-Flash). The router has a score for each
     * expert without weights; experts_per_token does not include these experts */
    int64_t idle_experts;
    /* Members for Kimi K3. If ssm_full_gate is true, the gate of kimi_delta layers is projected from `hidden` values,
     * not from ssm_rank values. If latent_norm is true, a norm follows the sum over the routed experts of width
     * expert_latent. The outputs of each residual_block successive layers are added to one residual stream, and each
     * attention and each MLP reads a weighted sum of all these streams (attention residuals); 0 = one stream for the
     * whole network. */
    bool ssm_full_gate, latent_norm;
    int64_t residual_block;
    /* Members for Gemma 3n. The network has altup_inputs residual streams; each layer computes one of these streams,
     * and predicts the streams that it does not compute (0 = the network has one stream, as usual). In each layer, a
     * low-rank product of rank laurel_rank runs parallel to attention, and its output is added to the residual stream
     * (0 = no low-rank product). If unused_kv is true, layers that reuse keys and values of an earlier layer also have
     * their own weights for keys and values, but no step uses these weights. */
    int64_t altup_inputs, laurel_rank;
    bool unused_kv;
} nnc_decoder;

/* Returns the number of rows of the embedding table and of the head: the vocabulary, padded to a multiple of
 * vocab_multiple. */
int64_t nnc_vocab_rows(const nnc_decoder *decoder);

enum { NNC_UNET_LEVELS_MAX = 8 };

#endif /* NNC_STATIC_LINKING_ONLY */

#define NNC_UNET_BLOCK_LIST(X)                                                         \
    X(NNC_UNET_DOUBLE_CONV, "double_conv", "Convolution, norm and activation, twice.") \
    X(NNC_UNET_RESIDUAL, "residual", "Norm, activation and convolution, twice, with a shortcut.")
NNC_ENUM(nnc_unet_block, NNC_UNET_BLOCK_LIST, NNC_UNET_BLOCK_COUNT);
NNC_API const char *nnc_unet_block_name(nnc_unet_block block);
NNC_API const char *nnc_unet_block_help(nnc_unet_block block);

#define NNC_UNET_DOWN_LIST(X)                                           \
    X(NNC_DOWN_MAX_POOL, "max_pool", "The largest of 2 x 2 positions.") \
    X(NNC_DOWN_CONV, "conv", "A convolution with stride 2.")
NNC_ENUM(nnc_unet_down, NNC_UNET_DOWN_LIST, NNC_DOWN_COUNT);
NNC_API const char *nnc_unet_down_name(nnc_unet_down down);
NNC_API const char *nnc_unet_down_help(nnc_unet_down down);

#define NNC_UNET_UP_LIST(X)                                                            \
    X(NNC_UP_TRANSPOSED_CONV, "transposed_conv",                                       \
      "A transposed convolution of kernel 2 and stride 2, which halves the channels.") \
    X(NNC_UP_NEAREST_CONV, "nearest_conv", "Nearest neighbours, then a convolution.")  \
    X(NNC_UP_BILINEAR, "bilinear", "Bilinear; the network halves its deepest channels instead.")
NNC_ENUM(nnc_unet_up, NNC_UNET_UP_LIST, NNC_UP_COUNT);
NNC_API const char *nnc_unet_up_name(nnc_unet_up up);
NNC_API const char *nnc_unet_up_help(nnc_unet_up up);

#ifdef NNC_STATIC_LINKING_ONLY

/* A U-Net for segmentation or diffusion. A list in this struct has one entry for each level (resolution); the first
 * entry is the level of the highest resolution. */
typedef struct nnc_unet {
    int64_t image; /* pixels of one side of the input image */
    /* one position of the latent stands for latent_factor x latent_factor pixels; 1 = no latent, the network works on
     * pixels */
    int64_t latent_factor;
    int64_t in_channels, out_channels;
    int64_t channels; /* number of channels of the level with the highest resolution */
    int64_t channel_multipliers[NNC_UNET_LEVELS_MAX];
    int32_t levels; /* number of levels, which is the number of used entries of channel_multipliers */
    /* Number of convolution blocks of each level in the down path; with residual blocks, the up path has one more block
     * per level. */
    int64_t blocks_per_level;
    nnc_unet_block block;
    nnc_norm_kind norm; /* kind of norm of all blocks: group norm or batch norm */
    int64_t norm_groups;
    int64_t kernel;
    bool conv_biases;
    nnc_unet_down down;
    nnc_unet_up up;
    int64_t time_embed_width;                   /* width of the time embedding; 0 = no time embedding */
    bool attention_levels[NNC_UNET_LEVELS_MAX]; /* for each level; true: the level has layers with self-attention */
    int32_t attention_levels_count;
    bool middle_attention;
    /* Number of transformer blocks in each level with attention; 0 = a level has an attention layer without MLP and
     * without cross-attention. */
    int64_t transformer_depth;
    /* Number of transformer blocks of each level, if the levels differ; the last entry belongs to the middle of the
     * network. */
    int64_t transformer_depths[NNC_UNET_LEVELS_MAX];
    /* Number of entries used in transformer_depths; 0 = all levels have transformer_depth blocks. */
    int32_t transformer_depths_count;
    bool cross_only_levels[NNC_UNET_LEVELS_MAX]; /* true: the blocks of the level have two cross-attentions and no
                                                  * self-attention */
    int32_t cross_only_levels_count;
    /* true: each transformer is between two linear layers; false: each transformer is between two 1x1 convolutions */
    bool linear_projections;
    int64_t heads;      /* number of heads of an attention layer; 0 = computed from head_width */
    int64_t head_width; /* width of an attention head; 0 = computed from the number of heads (`heads`) */
    int64_t context_len, context_width; /* input of cross-attention. context_len: number of tokens; context_width:
                                         * values of a token, 0 = no cross-attention */
    int64_t context_input_width;        /* values of a token before a linear layer that projects the token to
                                         * context_width; 0 = no such layer */
    /* width of a second vector that is added to the time embedding; 0 = the network has no second vector */
    int64_t added_embed_width;
    int64_t class_embeds; /* rows of a table of classes, from which a row is added to the time embedding; 0 = no
                                * such table */
    double dropout;
} nnc_unet;

/* A vision transformer that classifies images. The model has patches, a class token, learned positions, layers with
 * biases, a norm before each attention and each MLP, and a linear head on the class token. */
typedef struct nnc_vit {
    int64_t image, patch; /* image: pixels of one side of the image; patch: pixels of one side of a patch */
    int64_t in_channels;
    int64_t layers, hidden, heads, ffn_hidden;
    nnc_mlp mlp;
    int64_t classes;
    double dropout;
    bool distilled;          /* true: a distillation token and a second head learn from a teacher model */
    bool relative_positions; /* true: each layer adds a table of relative positions to its scores, and patches have no
                              * positions of their own */
    /* true: the projections to queries and to values have a bias, but the projection to keys has none */
    bool no_key_bias;
    bool layer_scale; /* true: attention and MLP of a layer each multiply their output by one learned factor per
                              * channel */
} nnc_vit;

enum { NNC_GRAPH_LETS_MAX = 48, NNC_TOWERS_MAX = 2 };

/* A network as a list of ops, with the named constants of its file (lets). Copies of a model share one list of ops,
 * which is valid as long as the nnc_specs that loaded the model. */
typedef struct nnc_graph {
    const struct nnc_graph_net *net;
    /* table of the fields of a graph: those that all graphs have, and one field for each let */
    const struct nnc_field_table *fields;
    int64_t lets[NNC_GRAPH_LETS_MAX]; /* values of the named constants (lets), in the order of the graph file */
} nnc_graph;

/* Dimensions as the model file gives them. If a user changes `hidden`, nnc_model_set multiplies the numbers of heads
 * and the widths of layers by (new hidden / old hidden); dimensions that the user has set do not change. A change of
 * `hidden` does not change the width of a head. */
typedef struct nnc_scale_dims {
    int64_t hidden, heads, kv_heads, head_dim, ffn_hidden, expert_hidden, shared_hidden;
    uint32_t set; /* one bit for each dimension that the user has set with nnc_model_set */
} nnc_scale_dims;

/* Libraries that run models. nncost knows the operators that each library of this list runs. */
#define NNC_IMPLEMENTATION_LIST(X)                                                             \
    X(NNC_IMPLEMENTATION_NONE, "none", "The software profile's kernels.")                      \
    X(NNC_IMPLEMENTATION_TRANSFORMERS, "transformers", "Hugging Face transformers, and peft.") \
    X(NNC_IMPLEMENTATION_DIFFUSERS, "diffusers", "Hugging Face diffusers.")                    \
    X(NNC_IMPLEMENTATION_TIMM, "timm", "pytorch-image-models, and torchvision.")               \
    X(NNC_IMPLEMENTATION_PYTORCH, "pytorch", "PyTorch alone, such as nanoGPT and gpt-fast.")
NNC_ENUM(nnc_implementation, NNC_IMPLEMENTATION_LIST, NNC_IMPLEMENTATION_COUNT);
const char *nnc_implementation_name(nnc_implementation value);

struct nnc_model {
    char id[64];
    char name[96];
    nnc_family family;
    /* Each of the members decoder, unet, vit and graph is used by the models of one family. In a model of one family,
     * all bytes of the members of the three remaining families are 0 */
    nnc_decoder decoder;
    nnc_unet unet;
    nnc_vit vit;
    nnc_graph graph;
    nnc_graph towers[NNC_TOWERS_MAX]; /* encoders of images or sounds, whose outputs are tokens of the decoder */
    int32_t tower_count;
    nnc_scale_dims recorded;  /* dimensions of the model file, from which the new dimensions are computed after a change
                               * of `hidden`; all members 0: a change of `hidden` changes no other dimension */
    int64_t published_params; /* number of parameters that the authors of the model state; 0 = not stated */
    /* Other models that a network for denoising images needs. text_encoders: ids of the models that read the prompt,
     * joined by commas; image_decoder: id of the model that decodes the latent; "" = not stated. */
    char text_encoders[128], image_decoder[64];
    int64_t image_factor; /* for a graph: one position of its image input stands for image_factor x image_factor pixels;
                           * 0 means 1 */
    const nnc_source *sources;
    int32_t source_count;
    const char *const *aliases;
    int32_t alias_count;
    const char *path;
    const char *const *notes; /* assumptions that nncost made when it read the configuration of another program */
    int32_t note_count;
    const struct nnc_captured *captured; /* the captured program, if the model is one; NULL = a model of another
                                          * family */
    const char *stored;                  /* name of the format in which the hub stores the weights; NULL = not stated */
    nnc_stored published_weights; /* format in which the authors publish the weights; NNC_STORED_COUNT = not stated */
    int64_t published_group_size; /* number of published int4 weights per scale; 0 = not stated */
    bool lenient;                 /* true: a number of parameters that differs from published_params is no
                                          * error */
    /* library that runs the model: transformers, diffusers, timm, or none of these */
    nnc_implementation implementation;
    bool implementation_asked; /* true: the user named the library; false: nncost found the library from the model's
                                * name or file */
    /* true: nncost does not know the network and uses another network instead, with nearly equal numbers of parameters
     * and operations, so the interval of the step time is wider */
    bool stand_in;
    bool composed_gelu; /* true: the library runs several primitive operators for a GELU; false: one operator */
    /* true: one matrix product computes queries, keys and values together, and one matrix product computes the gate and
     * up values of an MLP together */
    bool joined_qkv;
    /* true: although joined_qkv is true, the gate and up values of an MLP are computed by two separate matrix
     * products */
    bool split_gate;
};

#endif /* NNC_STATIC_LINKING_ONLY */

#ifdef __cplusplus
}
#endif

#endif
