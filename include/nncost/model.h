/* SPDX-License-Identifier: Apache-2.0 */
/* Models: dimensions and kinds of layers of a network, without weights, as read from models/<id>.json. */
#ifndef NNCOST_MODEL_H
#define NNCOST_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include <nncost/hardware.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Families of models. The last argument is the name of the family in the code: "decoder" in nnc_decoder_family
 * (src/shape/) and in nnc_decoder_fields (src/input/). */
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

/* Tests whether the model adds to each token a learned value for its position, from a table. */
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

/* Tests whether an MLP is gated. A gated MLP has three matrices; one matrix product computes gate and value. */
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
      "As window, and in addition attention to index_topk selected keys, each for index_ratio tokens before it.")
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

/* A model. The nnc_specs that loaded it owns it. Fields have the names of the JSON file; nnc_model_number,
 * nnc_model_text and nnc_model_set in <nncost/spec.h> read and set them. */
typedef struct nnc_model nnc_model;

#ifdef NNC_STATIC_LINKING_ONLY

/* A transformer over tokens. A member that is 0 or false means that the model does not have this part, unless its
 * comment says otherwise. */
typedef struct nnc_decoder {
    int64_t layers, hidden, heads, kv_heads, head_dim, ffn_hidden;
    int64_t vocab;
    int64_t vocab_multiple; /* the rows of the embedding table are padded to a multiple of this number; 1 = not
                             * padded */
    int64_t seq_len;        /* number of tokens of a sequence in training */
    int64_t positions_max;  /* number of rows of a table of learned positions; 0 = seq_len */
    int64_t sliding_window; /* number of tokens that a query attends to, including its own; 0 = all earlier tokens */
    nnc_positions positions;
    nnc_norm_kind norm; /* kind of all norms of the model: layer or rms */
    nnc_mlp mlp;
    bool biases;    /* true: layer norms, and all linear layers except the head, have a bias */
    bool qkv_bias;  /* true: the query, key and value projections have a bias */
    bool tied_head; /* true: the head uses the embedding table as its matrix */
    double dropout; /* dropout probability; 0 = no dropout kernels and no masks */
    /* Mixture of experts. The first dense_layers layers have no experts; in the others a router sends each token to
     * experts_per_token of `experts` gated MLPs of width expert_hidden. shared_hidden: total width of the shared
     * experts, which process every token. */
    int64_t experts, experts_per_token, expert_hidden, shared_hidden, dense_layers;
    bool router_bias; /* true: the router adds to the score of each expert a learned value of this expert */
    /* Latent attention (arXiv:2405.04434). Keys and values are projected from a latent of kv_lora_rank values per
     * token; queries from a latent of q_lora_rank values (0 = directly from the token). kv_lora_rank 0 = attention
     * without latents. */
    int64_t q_lora_rank, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim;
    /* Mixer and MLP of each layer, if layers differ; each list is repeated until it has all layers. Without `mixers`:
     * window attention if sliding_window is set, else full attention. Without `mlps`: dense_layers dense layers, then
     * layers with experts. */
    nnc_mixer mixers[NNC_PATTERN_MAX];
    int32_t mixers_count;
    nnc_mlp_kind mlps[NNC_PATTERN_MAX];
    int32_t mlps_count;
    nnc_norm_place norm_place;
    bool norm_bias;   /* true: layer norms have a bias, even if linear layers have none */
    bool plain_norms; /* true: norms have no weights */
    bool embed_norm;  /* true: a norm follows the embedding */
    nnc_qk_norm qk_norm;
    /* true: the attention output, the MLP, the head, the experts have biases; used only if `biases` is false */
    bool out_bias, mlp_bias, head_bias, expert_bias;
    /* true: query and value projections have a bias, key projections do not */
    bool no_key_bias;
    /* number of values of a head that are rotated (rotary embedding); 0 = all */
    int64_t rotary_dim;
    bool sinks;                        /* true: the softmax of each head has one more, learned score (attention sink) */
    bool rotary_scale;                 /* true: the rotary embedding also scales queries and keys (YaRN) */
    bool expert_clamp;                 /* true: experts clamp gate and value before they multiply them */
    bool attention_gate;               /* true: a second query projection gates the output of attention */
    bool shared_gate;                  /* true: one value per token gates the output of the shared experts */
    bool score_softcap, logit_softcap; /* true: a tanh limits the attention scores (score_softcap) or the logits
                                        * (logit_softcap) */
    bool bidirectional;                /* true: every token attends to all other tokens (an encoder) */
    nnc_model_head head;
    int64_t head_width;       /* number of outputs of the head, if `head` is projection, classes or tags */
    int64_t token_types;      /* rows of the table of token types; 0 = no such table */
    int64_t embed_width;      /* width of the embedding tables, from which a linear layer projects to `hidden`; 0 = the
                               * width is `hidden` */
    int64_t relative_buckets; /* number of buckets of distances between tokens, for relative positions; 0 = no relative
                               * positions */
    /* An encoder before the decoder; every decoder layer attends to its output. Encoder layers have the dimensions of
     * decoder layers, except for encoder_ffn_hidden; the encoder processes encoder_seq_len tokens (0 = seq_len). With
     * frame_bands, its input is a spectrogram of 2 x encoder_seq_len frames of frame_bands bands, which two
     * convolutions of kernel 3 reduce to encoder_seq_len frames. */
    int64_t encoder_layers, encoder_seq_len, encoder_ffn_hidden, frame_bands;
    /* State-space layers. ssm_inner: values per token; ssm_state: size of the state of each value (gated delta rule:
     * width of a key); ssm_heads: number of heads; ssm_groups: number of heads of keys; ssm_rank: inner width of the
     * projection to the step sizes of Mamba; ssm_chunk: tokens of a chunk that is computed with matrix products (0 =
     * 256, or 64 for the delta rule). */
    int64_t ssm_inner, ssm_state, ssm_heads, ssm_groups, ssm_rank, ssm_chunk;
    int64_t conv_kernel; /* kernel size of the convolution in state-space layers and in short_conv layers */
    bool conv_bias;
    bool ssm_norms;     /* for Mamba; true: norms follow the projections to step sizes and states */
    bool no_state_norm; /* for Mamba-2; true: the output of the state is gated without a norm */
    double head_share;  /* share of the positions of a sequence that a head for masked words processes; 0 = all */
    /* Sparse latent attention: an indexer selects index_topk tokens for each query. The indexer has index_heads queries
     * and one key per token, each of width index_dim. index_topk 0 = attention to all tokens. */
    int64_t index_heads, index_dim, index_topk;
    bool share_layers;    /* true: all layers share the weights of the first layer */
    int64_t tower_inputs; /* number of images or sounds in a sequence that the towers encode */
    int64_t next_layers;  /* number of layers for multi-token prediction; counted and computed only if a plan trains
                           * them */
    /* Groups of experts: successive experts are one group, and the experts of a token are in groups_per_token groups.
     * expert_groups: number of groups; 0 = no groups. */
    int64_t expert_groups, groups_per_token;
    /* Layers with a sliding window: number of query heads, number of key and value heads, width of a head; 0 = as in
     * the other layers. */
    int64_t window_heads, window_kv_heads, window_head_dim;
    bool window_sinks;     /* which layers have the member `sinks`. true: only layers with a sliding window; false: all
                            * layers */
    bool keys_as_values;   /* true: layers that attend to all tokens use their keys as values and have no value
                            * projection */
    bool head_gate;        /* true: one value per head and token gates the output of attention */
    bool expert_norms;     /* true: routed experts and shared experts each have norms before and after them */
    int64_t expert_latent; /* width of the inputs and outputs of routed experts; 0 = `hidden` */
    /* Shared keys (DeepSeek-V4): each token has one key, which is also its value. Queries are projected from
     * q_lora_rank values. Heads are in out_groups groups, and the output of each group is projected to out_rank values.
     * A window_far layer also has one key for every compress_ratio tokens. A window_far_picked layer has one key for
     * every index_ratio tokens, and an indexer selects index_topk of these keys. */
    bool shared_keys;
    int64_t out_groups, out_rank, compress_ratio, index_ratio;
    int64_t streams; /* number of parallel residual streams (hyper-connections); 0 = one stream */
} nnc_decoder;

/* Returns the number of rows of the embedding table and of the head: vocab, padded to a multiple of vocab_multiple. */
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

/* A U-Net for segmentation or diffusion. Lists have one entry for each level (resolution), the highest resolution
 * first. */
typedef struct nnc_unet {
    int64_t image;         /* pixels of one side of the input image */
    int64_t latent_factor; /* pixels of one side of a latent position; 1 = the network works on pixels */
    int64_t in_channels, out_channels;
    int64_t channels; /* number of channels of the first level (highest resolution) */
    int64_t channel_multipliers[NNC_UNET_LEVELS_MAX];
    int32_t levels; /* number of entries of channel_multipliers */
    /* number of convolution blocks of each level on the way to lower resolutions; with residual blocks, each level has
     * one more on the way back */
    int64_t blocks_per_level;
    nnc_unet_block block;
    nnc_norm_kind norm; /* kind of all norms of the network: group or batch */
    int64_t norm_groups;
    int64_t kernel;
    bool conv_biases;
    nnc_unet_down down;
    nnc_unet_up up;
    int64_t time_embed_width;                   /* width of the time embedding; 0 = no time embedding */
    bool attention_levels[NNC_UNET_LEVELS_MAX]; /* true: the level has self-attention */
    int32_t attention_levels_count;
    bool middle_attention;
    /* number of transformer blocks of each level; 0 = an attention layer without MLP and without cross-attention */
    int64_t transformer_depth;
    /* number of transformer blocks of each single level; the middle of the network has the last entry */
    int64_t transformer_depths[NNC_UNET_LEVELS_MAX];
    /* number of entries of transformer_depths; 0 = every level has transformer_depth blocks */
    int32_t transformer_depths_count;
    bool cross_only_levels[NNC_UNET_LEVELS_MAX]; /* true: the blocks of the level have two cross-attentions and no
                                                  * self-attention */
    int32_t cross_only_levels_count;
    bool linear_projections;            /* true: transformers have linear layers before and after them; false: 1x1
                                         * convolutions */
    int64_t heads;                      /* number of heads of an attention layer; 0 = computed from head_width */
    int64_t head_width;                 /* width of a head; 0 = computed from `heads` */
    int64_t context_len, context_width; /* input of cross-attention. context_len: number of tokens; context_width:
                                         * values of a token, 0 = no cross-attention */
    int64_t context_input_width;        /* values of a token before a linear layer that projects them to context_width;
                                         * 0 = no such layer */
    int64_t added_embed_width; /* width of a further input that is added to the time embedding; 0 = no such input */
    int64_t class_embeds;      /* rows of a table of classes, from which a row is added to the time embedding; 0 = no
                                * such table */
    double dropout;
} nnc_unet;

/* A vision transformer that classifies images. It has patches, a class token, learned positions, layers with biases and
 * with a norm before attention and MLP, and a linear head on the class token. */
typedef struct nnc_vit {
    int64_t image, patch; /* pixels of one side of the image and of a patch */
    int64_t in_channels;
    int64_t layers, hidden, heads, ffn_hidden;
    nnc_mlp mlp;
    int64_t classes;
    double dropout;
    bool distilled;          /* true: a second token and a second head learn from a teacher (distillation) */
    bool relative_positions; /* true: each layer adds a table of relative positions to its scores, and patches have no
                              * positions of their own */
    bool no_key_bias;        /* true: queries and values have a bias, keys do not */
    bool layer_scale;        /* true: attention and MLP of a layer each multiply their output by one learned factor per
                              * channel */
} nnc_vit;

enum { NNC_GRAPH_LETS_MAX = 48, NNC_TOWERS_MAX = 2 };

/* A network as a list of ops, with the numbers that its file defines by name (lets). Copies of a model share the ops;
 * they are valid as long as the nnc_specs that loaded the model. */
typedef struct nnc_graph {
    const struct nnc_graph_net *net;
    const struct nnc_field_table *fields; /* table of the fields that all graphs have, and of one field for each let */
    int64_t lets[NNC_GRAPH_LETS_MAX];     /* values of the lets, in the order of the file */
} nnc_graph;

/* Dimensions as the model file has them. If nnc_model_set changes `hidden`, it multiplies all other dimensions here
 * that it has not set by the same factor: numbers of heads and widths of layers; the width of a head stays. */
typedef struct nnc_scale_dims {
    int64_t hidden, heads, kv_heads, head_dim, ffn_hidden, expert_hidden, shared_hidden;
    uint32_t set; /* one bit for each dimension that nnc_model_set has set */
} nnc_scale_dims;

/* Libraries that run models. nncost has a list of the operators that each of them runs. */
#define NNC_IMPLEMENTATION_LIST(X)                                                             \
    X(NNC_IMPLEMENTATION_NONE, "none", "The software profile's kernels.")                      \
    X(NNC_IMPLEMENTATION_TRANSFORMERS, "transformers", "Hugging Face transformers, and peft.") \
    X(NNC_IMPLEMENTATION_DIFFUSERS, "diffusers", "Hugging Face diffusers.")                    \
    X(NNC_IMPLEMENTATION_TIMM, "timm", "pytorch-image-models, and torchvision.")
NNC_ENUM(nnc_implementation, NNC_IMPLEMENTATION_LIST, NNC_IMPLEMENTATION_COUNT);
const char *nnc_implementation_name(nnc_implementation value);

struct nnc_model {
    char id[64];
    char name[96];
    nnc_family family;
    nnc_decoder decoder; /* the members decoder, unet, vit and graph have the dimensions of one family each; only the
                          * one of the model's family is set, the others are zero */
    nnc_unet unet;
    nnc_vit vit;
    nnc_graph graph;
    nnc_graph towers[NNC_TOWERS_MAX]; /* encoders of images or sounds that give tokens to a decoder */
    int32_t tower_count;
    nnc_scale_dims recorded;  /* dimensions as in the model file; all 0: a change of `hidden` changes no other
                               * dimension */
    int64_t published_params; /* number of parameters that the authors of the model publish; 0 = not stated */
    /* For a network that denoises images. text_encoders: ids of the models that read the prompt, joined by commas;
     * image_decoder: id of the model that decodes the latent; "" = not stated. */
    char text_encoders[128], image_decoder[64];
    int64_t image_factor; /* for a graph: one position of its image input stands for image_factor x image_factor pixels;
                           * 0 = 1 */
    const nnc_source *sources;
    int32_t source_count;
    const char *const *aliases;
    int32_t alias_count;
    const char *path;
    const char *const *notes; /* assumptions that were made when a configuration of another program was read */
    int32_t note_count;
    const struct nnc_captured *captured; /* the captured program, if the model is one; NULL = a model of another
                                          * family */
    const char *stored;                  /* name of the format of the weights on the hub; NULL = not stated */
    nnc_stored published_weights; /* format in which the authors publish the weights; NNC_STORED_COUNT = not stated */
    int64_t published_group_size; /* number of published int4 weights that share a scale; 0 = not stated */
    bool lenient;                 /* true: a number of parameters that differs from published_params is no
                                          * error */
    nnc_implementation implementation; /* library that runs the model */
    bool stand_in;      /* true: another network with nearly equal counts stands for the model, so the interval of the
                         * step time is wider */
    bool composed_gelu; /* true: GELU is several primitive operators; false: one operator */
    bool joined_qkv;    /* true: one matrix product computes queries, keys and values, and one computes gate and up
                         * matrices */
};

#endif /* NNC_STATIC_LINKING_ONLY */

#ifdef __cplusplus
}
#endif

#endif
