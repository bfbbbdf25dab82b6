/* SPDX-License-Identifier: Apache-2.0 */
/* Models: the hyper-parameters of a network, read from models/<id>.json. */
#ifndef NNCOST_MODEL_H
#define NNCOST_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include <nncost/hardware.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Families of models. The last argument begins the names of the family's tables: "decoder" in nnc_decoder_family
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

/* Returns true when the model adds a learned position from a table to each token. */
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

/* Returns true when the MLP is gated: it has three matrices, and one product computes gate and value. */
static inline bool nnc_mlp_gated(nnc_mlp mlp) { return mlp == NNC_MLP_SWIGLU || mlp == NNC_MLP_GEGLU; }

/* Token mixer of a layer. */
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
    X(NNC_MIXER_NONE, "none", "Nothing.")                                                                             \
    X(NNC_MIXER_PICKED, "full_reused", "Attention to the tokens that the indexer of a layer before it selected.")     \
    X(NNC_MIXER_ALL, "full_all", "Attention to every token before it, without the indexer of the other layers.")      \
    X(NNC_MIXER_FAR, "window_far", "As window, and to one key for every compress_ratio tokens before it.")            \
    X(NNC_MIXER_FAR_PICKED, "window_far_picked",                                                                      \
      "As window, and to index_topk of the keys for every index_ratio tokens before it.")
NNC_ENUM(nnc_mixer, NNC_MIXER_LIST, NNC_MIXER_COUNT);
NNC_API const char *nnc_mixer_name(nnc_mixer mixer);
NNC_API const char *nnc_mixer_help(nnc_mixer mixer);

/* MLP of a layer. */
#define NNC_MLP_KIND_LIST(X)                                                   \
    X(NNC_LAYER_DENSE, "dense", "One MLP of width ffn_hidden.")                \
    X(NNC_LAYER_EXPERTS, "experts", "Experts that are chosen for each token.") \
    X(NNC_LAYER_NO_MLP, "none", "Nothing.")
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

/* A model; the nnc_specs that loaded it owns it. Fields are named as in the model file: see nnc_model_number,
 * nnc_model_text and nnc_model_set in <nncost/spec.h>. */
typedef struct nnc_model nnc_model;

#ifdef NNC_STATIC_LINKING_ONLY

/* A transformer over tokens. 0 or off in a member means that this part is missing, unless a comment says otherwise. */
typedef struct nnc_decoder {
    int64_t layers, hidden, heads, kv_heads, head_dim, ffn_hidden;
    int64_t vocab;
    int64_t vocab_multiple; /* rows of the embedding table are padded to a multiple of this number; 1 = not padded */
    int64_t seq_len;        /* tokens of a training sequence */
    int64_t positions_max;  /* rows of a learned position table; 0 = seq_len */
    int64_t sliding_window; /* tokens that a query attends to, including its own token; 0 = all earlier tokens */
    nnc_positions positions;
    nnc_norm_kind norm; /* kind of the norms: layer or rms */
    nnc_mlp mlp;
    bool biases;    /* layer norms and all linear layers except the head have a bias */
    bool qkv_bias;  /* the query, key and value projections have a bias */
    bool tied_head; /* the head uses the embedding table */
    double dropout; /* dropout probability; 0 = no dropout kernels and no masks */
    /* Mixture of experts: layers after the first dense_layers route each token to experts_per_token of
     * `experts` gated MLPs of width expert_hidden. shared_hidden is the total width of the shared experts,
     * which process every token. */
    int64_t experts, experts_per_token, expert_hidden, shared_hidden, dense_layers;
    bool router_bias; /* the router adds one value per expert to the score of the expert */
    /* Latent attention (arXiv:2405.04434): keys and values are projected up from a latent of kv_lora_rank values per
     * token, queries from a latent of q_lora_rank values (0 = projected directly). kv_lora_rank 0 = attention without
     * latents. */
    int64_t q_lora_rank, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim;
    /* Mixer and MLP of each layer, when layers differ; the lists repeat over the layers. Without mixers: window
     * attention if there is a sliding_window, else full attention. Without mlps: dense_layers dense layers, then layers
     * with experts. */
    nnc_mixer mixers[NNC_PATTERN_MAX];
    int32_t mixers_count;
    nnc_mlp_kind mlps[NNC_PATTERN_MAX];
    int32_t mlps_count;
    nnc_norm_place norm_place;
    bool norm_bias;   /* layer norms have a bias, even when linear layers have none */
    bool plain_norms; /* norms have no weights */
    bool embed_norm;  /* the embedding is followed by a norm */
    nnc_qk_norm qk_norm;
    bool out_bias, mlp_bias, head_bias, expert_bias; /* whether a layer has biases: attention output, MLP, head,
                                                      * experts; read when `biases` is off */
    bool no_key_bias;                                /* query and value projections have a bias,
                                                      * key projections do not */
    int64_t rotary_dim;                              /* number of values of a head that are rotated; 0 = all */
    bool sinks;                        /* the softmax of each head has an additional, learned score (attention sink) */
    bool rotary_scale;                 /* the rotary embedding also scales queries and keys (YaRN) */
    bool expert_clamp;                 /* experts clamp gate and up before multiplying them */
    bool attention_gate;               /* a second query projection gates the output of attention */
    bool shared_gate;                  /* one value per token gates the output of the shared experts */
    bool score_softcap, logit_softcap; /* score_softcap: a tanh limits the attention scores; logit_softcap: a tanh
                                        * limits the logits */
    bool bidirectional;                /* every token attends to all others: an encoder */
    nnc_model_head head;
    int64_t head_width;       /* number of outputs of the head, if `head` is projection, classes or tags */
    int64_t token_types;      /* rows of the table of token types; 0 = no such table */
    int64_t embed_width;      /* width of the embedding tables, followed by a projection to hidden; 0 = hidden */
    int64_t relative_buckets; /* number of buckets of relative positions; 0 = no relative positions */
    /* An encoder before the decoder; every decoder layer attends to its output. Its layers have the decoder's
     * dimensions and process encoder_seq_len tokens (0 = seq_len). With frame_bands the input is a spectrogram of 2 x
     * encoder_seq_len frames of frame_bands bands; two convolutions of kernel 3 reduce it to encoder_seq_len frames. */
    int64_t encoder_layers, encoder_seq_len, encoder_ffn_hidden, frame_bands;
    /* State-space layers. ssm_inner: values per token; ssm_state: state size of each value (gated delta rule: width of
     * a key); ssm_heads: heads; ssm_groups: heads of keys; ssm_rank: inner width of the projection to Mamba's step
     * sizes; ssm_chunk: tokens of a chunk that is computed with matrix products (0 = 256; 64 for the delta rule). */
    int64_t ssm_inner, ssm_state, ssm_heads, ssm_groups, ssm_rank, ssm_chunk;
    int64_t conv_kernel; /* kernel size of the convolution in state-space and short_conv layers */
    bool conv_bias;
    bool ssm_norms;     /* Mamba: norms on step sizes and state projections */
    bool no_state_norm; /* Mamba-2: the output is gated without a norm */
    double head_share;  /* share of the positions that a masked-word head processes; 0 = all */
    /* Sparse latent attention: an indexer selects index_topk tokens for each query. Per token it has index_heads
     * queries and one key, each of width index_dim. index_topk 0 = attention to all tokens. */
    int64_t index_heads, index_dim, index_topk;
    bool share_layers;    /* all layers share the weights of the first layer */
    int64_t tower_inputs; /* images or sounds per sequence that the towers encode */
    int64_t next_layers;  /* layers for multi-token prediction; counted and run only when a plan trains them */
    /* Expert groups: neighbouring experts form a group, and the experts of a token come from groups_per_token groups.
     * expert_groups 0 = no groups. */
    int64_t expert_groups, groups_per_token;
    /* Layers with a sliding window: query heads, key and value heads, width of a head; 0 = as in the other layers. */
    int64_t window_heads, window_kv_heads, window_head_dim;
    bool window_sinks;     /* true: `sinks` applies only to layers with a sliding window; false: to all layers */
    bool keys_as_values;   /* layers that attend to all tokens use their keys as values: no value projection */
    bool head_gate;        /* one value per head and token gates the output of attention */
    bool expert_norms;     /* routed and shared experts each have norms around them */
    int64_t expert_latent; /* width of the inputs and outputs of routed experts; 0 = hidden */
    /* Shared keys (DeepSeek-V4). Each token has one key, which is also its value; queries come from q_lora_rank values;
     * the output is projected to out_rank values for each of out_groups groups of heads. A window_far layer adds one
     * key per compress_ratio tokens. A window_far_picked layer adds index_topk keys; an indexer selects them from keys
     * that each represent index_ratio tokens. */
    bool shared_keys;
    int64_t out_groups, out_rank, compress_ratio, index_ratio;
    int64_t streams; /* parallel residual streams (hyper-connections); 0 = 1 */
} nnc_decoder;

/* Returns the rows of the embedding table and of the head: vocab, padded to a multiple of vocab_multiple. */
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

/* A U-Net for segmentation or diffusion. Lists have one entry per level, from the highest resolution to the lowest. */
typedef struct nnc_unet {
    int64_t image;         /* pixels per side */
    int64_t latent_factor; /* pixels per side of one latent position; 1 = the network works on pixels */
    int64_t in_channels, out_channels;
    int64_t channels; /* channels of the first level */
    int64_t channel_multipliers[NNC_UNET_LEVELS_MAX];
    int32_t levels; /* length of channel_multipliers */
    /* convolution blocks per level on the way down; networks with residual blocks: one more on the way up */
    int64_t blocks_per_level;
    nnc_unet_block block;
    nnc_norm_kind norm; /* kind of the norms: group or batch */
    int64_t norm_groups;
    int64_t kernel;
    bool conv_biases;
    nnc_unet_down down;
    nnc_unet_up up;
    int64_t time_embed_width;                   /* width of the time embedding; 0 = no time embedding */
    bool attention_levels[NNC_UNET_LEVELS_MAX]; /* levels with self-attention */
    int32_t attention_levels_count;
    bool middle_attention;
    int64_t transformer_depth;                       /* transformer blocks per level; 0 = an attention layer without
                                                      * MLP and cross-attention */
    int64_t transformer_depths[NNC_UNET_LEVELS_MAX]; /* transformer blocks of each level; the middle uses the last
                                                      * entry */
    int32_t transformer_depths_count;                /* length of transformer_depths; 0 = every level has
                                                      * transformer_depth blocks */
    bool cross_only_levels[NNC_UNET_LEVELS_MAX]; /* levels whose blocks have two cross-attentions, no self-attention */
    int32_t cross_only_levels_count;
    bool linear_projections;            /* before and after transformers: linear layers instead of 1x1 convolutions */
    int64_t heads;                      /* heads per attention layer; 0 = computed from head_width */
    int64_t head_width;                 /* width of a head; 0 = computed from heads */
    int64_t context_len, context_width; /* input of cross-attention. context_len: number of tokens; context_width:
                                         * elements per token; 0 = no cross-attention */
    int64_t context_input_width;        /* width of the context before a linear layer that projects it to
                                         * context_width; 0 = no such layer */
    int64_t added_embed_width; /* width of a further input that is added to the time embedding; 0 = no such input */
    int64_t class_embeds;      /* rows of a class table that is added to the time embedding; 0 = no table */
    double dropout;
} nnc_unet;

/* A vision transformer that classifies images: patches, a class token, learned positions, pre-norm layers
 * with biases, and a linear head on the class token. */
typedef struct nnc_vit {
    int64_t image, patch; /* pixels per side of the image, and of a patch */
    int64_t in_channels;
    int64_t layers, hidden, heads, ffn_hidden;
    nnc_mlp mlp;
    int64_t classes;
    double dropout;
    bool distilled;          /* a second token and a second head are trained on a teacher (distillation) */
    bool relative_positions; /* each layer adds a table of relative positions to its scores; patches have no
                              * positions of their own */
    bool no_key_bias;        /* queries and values have a bias, keys do not */
    bool layer_scale;        /* attention and MLP of a layer each multiply their output by one learned factor per
                              * channel */
} nnc_vit;

enum { NNC_GRAPH_LETS_MAX = 48, NNC_TOWERS_MAX = 2 };

/* A network as a list of ops, and the numbers that its file defines (lets). Copies of a model share the ops, which are
 * valid as long as the nnc_specs that loaded the model. */
typedef struct nnc_graph {
    const struct nnc_graph_net *net;
    const struct nnc_field_table *fields; /* fields that all graphs have, and one field per let */
    int64_t lets[NNC_GRAPH_LETS_MAX];     /* values of the lets, in the order of the file */
} nnc_graph;

/* The dimensions in the model file. When nnc_model_set changes hidden, it changes every dimension that was not set by
 * the same factor: the numbers of heads (the width of a head stays) and the widths of layers. */
typedef struct nnc_scale_dims {
    int64_t hidden, heads, kv_heads, head_dim, ffn_hidden, expert_hidden, shared_hidden;
    uint32_t set; /* one bit for each dimension that nnc_model_set has set */
} nnc_scale_dims;

/* Libraries of models. For each library nncost has a list of the operators that it runs. */
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
    nnc_decoder decoder; /* dimensions of each family; only the member of the model's family is set, the other members
                          * are zero */
    nnc_unet unet;
    nnc_vit vit;
    nnc_graph graph;
    nnc_graph towers[NNC_TOWERS_MAX]; /* encoders of images or sounds that precede a decoder */
    int32_t tower_count;
    nnc_scale_dims recorded;  /* dimensions in the model file; all 0: a change of hidden changes no other dimension */
    int64_t published_params; /* number of parameters that the authors of the model publish; 0 = not stated */
    /* For a network that denoises images: ids of the models that read the prompt, joined by commas, and id of the model
     * that decodes the latent. "" = not stated. */
    char text_encoders[128], image_decoder[64];
    int64_t image_factor; /* a graph's image input has one position for image_factor x image_factor pixels; 0 = 1 */
    const nnc_source *sources;
    int32_t source_count;
    const char *const *aliases;
    int32_t alias_count;
    const char *path;
    const char *const *notes; /* assumptions made when a configuration of another program was read */
    int32_t note_count;
    const struct nnc_captured *captured; /* a captured program; NULL = a model of another family */
    const char *stored;                  /* name that the hub uses for the format of the weights; NULL = not stated */
    bool lenient;                        /* true: the number of parameters may differ from published_params without an
                                          * error */
    nnc_implementation implementation;   /* library whose operators the model runs */
    bool stand_in;      /* a different network with equal counts replaces the model: ranges are wider */
    bool composed_gelu; /* GELU is a chain of primitive operators instead of one operator */
    bool joined_qkv;    /* one product computes queries, keys and values; another computes gate and up */
};

#endif /* NNC_STATIC_LINKING_ONLY */

#ifdef __cplusplus
}
#endif

#endif
