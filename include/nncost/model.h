/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of a network: hyper-parameters only. Read from models/<id>.json. */
#ifndef NNCOST_MODEL_H
#define NNCOST_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include <nncost/hardware.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The last is the name of the family's rows: nnc_decoder_family (src/shape/), nnc_decoder_fields
 * (src/input/). */
#define NNC_FAMILY_LIST(X)                                                                         \
    X(NNC_FAMILY_DECODER, "decoder",                                                               \
      "A transformer over tokens: a decoder, an encoder, or one behind the other.", decoder)       \
    X(NNC_FAMILY_UNET, "unet", "A U-shaped convolutional network, for segmentation or diffusion.", \
      unet)                                                                                        \
    X(NNC_FAMILY_VIT, "vit", "A vision transformer that classifies images.", vit)                  \
    X(NNC_FAMILY_GRAPH, "graph", "Any network, as a list of ops whose shapes are inferred.", graph)
NNC_ENUM(nnc_family, NNC_FAMILY_LIST, NNC_FAMILY_COUNT);
NNC_API const char *nnc_family_name(nnc_family family);
NNC_API const char *nnc_family_help(nnc_family family);

#define NNC_POSITIONS_LIST(X)                                                                     \
    X(NNC_POSITIONS_NONE, "none", "Nothing is added.")                                            \
    X(NNC_POSITIONS_LEARNED, "learned", "A table of positions_max rows, added to the embedding.") \
    X(NNC_POSITIONS_ROTARY, "rotary", "Queries and keys are rotated by their position.")          \
    X(NNC_POSITIONS_ALIBI, "alibi", "Scores fall with the distance, by a fixed slope per head.")  \
    X(NNC_POSITIONS_RELATIVE, "relative",                                                         \
      "A learned score per head and bucket of distances, for all layers.")                        \
    X(NNC_POSITIONS_RELATIVE_EACH, "relative_each",                                               \
      "A learned score per head and bucket of distances, in every layer.")                        \
    X(NNC_POSITIONS_LEARNED_RELATIVE, "learned_relative",                                         \
      "Both a table of positions_max rows and a score per head and bucket.")                      \
    X(NNC_POSITIONS_DISENTANGLED, "disentangled",                                                 \
      "A table of distances meets queries and keys in every layer, by their own projections.")
NNC_ENUM(nnc_positions, NNC_POSITIONS_LIST, NNC_POSITIONS_COUNT);
NNC_API const char *nnc_positions_name(nnc_positions positions);
NNC_API const char *nnc_positions_help(nnc_positions positions);

/* Is a table of positions looked up? */
static inline bool nnc_positions_learned(nnc_positions positions)
{
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
    X(NNC_MLP_SWIGLU, "swiglu", "Three matrices, a SiLU gate.")                 \
    X(NNC_MLP_GEGLU, "geglu", "Three matrices, a GELU gate.")                   \
    X(NNC_MLP_RELU2, "relu2", "Two matrices with a squared ReLU between them.") \
    X(NNC_MLP_SILU, "silu", "Two matrices with a SiLU between them.")
NNC_ENUM(nnc_mlp, NNC_MLP_LIST, NNC_MLP_COUNT);
NNC_API const char *nnc_mlp_name(nnc_mlp mlp);
NNC_API const char *nnc_mlp_help(nnc_mlp mlp);

/* Three matrices: one product of two halves, a gate and a value. */
static inline bool nnc_mlp_gated(nnc_mlp mlp)
{
    return mlp == NNC_MLP_SWIGLU || mlp == NNC_MLP_GEGLU;
}

/* How a layer mixes tokens. */
#define NNC_MIXER_LIST(X)                                                                        \
    X(NNC_MIXER_FULL, "full", "Attention to every token before it.")                             \
    X(NNC_MIXER_WINDOW, "window", "Attention to the sliding_window tokens up to its own.")       \
    X(NNC_MIXER_CHUNK, "chunk", "Attention inside consecutive chunks of sliding_window tokens.") \
    X(NNC_MIXER_UNROTATED, "full_unrotated",                                                     \
      "Attention to every token before it, without the rotary positions of the other layers.")   \
    X(NNC_MIXER_MAMBA, "mamba", "A selective state space, one decay per value (Mamba).")         \
    X(NNC_MIXER_MAMBA2, "mamba2", "A state space with one decay per head (Mamba-2).")            \
    X(NNC_MIXER_GATED_DELTA, "gated_delta", "Linear attention by the gated delta rule.")         \
    X(NNC_MIXER_LIGHTNING, "lightning", "Linear attention with a fixed decay per head.")         \
    X(NNC_MIXER_SHORT_CONV, "short_conv", "A gated convolution over a few tokens.")              \
    X(NNC_MIXER_BESIDE, "full_mamba2",                                                           \
      "Attention to every token before it and Mamba-2 side by side, behind one norm.")           \
    X(NNC_MIXER_NONE, "none", "Nothing.")
NNC_ENUM(nnc_mixer, NNC_MIXER_LIST, NNC_MIXER_COUNT);
NNC_API const char *nnc_mixer_name(nnc_mixer mixer);
NNC_API const char *nnc_mixer_help(nnc_mixer mixer);

/* What a layer does to each token by itself. */
#define NNC_MLP_KIND_LIST(X)                                                   \
    X(NNC_LAYER_DENSE, "dense", "One MLP of width ffn_hidden.")                \
    X(NNC_LAYER_EXPERTS, "experts", "Experts that are chosen for each token.") \
    X(NNC_LAYER_NO_MLP, "none", "Nothing.")
NNC_ENUM(nnc_mlp_kind, NNC_MLP_KIND_LIST, NNC_MLP_KIND_COUNT);
NNC_API const char *nnc_mlp_kind_name(nnc_mlp_kind mlp);
NNC_API const char *nnc_mlp_kind_help(nnc_mlp_kind mlp);

#define NNC_NORM_PLACE_LIST(X)                                                                     \
    X(NNC_NORM_PRE, "pre", "Before attention and before the MLP.")                                 \
    X(NNC_NORM_POST, "post", "After each is added to the stream; none before the head.")           \
    X(NNC_NORM_BRANCH, "branch", "At the end of attention and of the MLP, before they are added.") \
    X(NNC_NORM_SANDWICH, "sandwich", "Before attention and MLP and at the end of both.")           \
    X(NNC_NORM_PARALLEL, "parallel", "One norm for attention and MLP, which run side by side.")    \
    X(NNC_NORM_PARALLEL_TWO, "parallel_two", "Attention and MLP side by side, a norm for each.")
NNC_ENUM(nnc_norm_place, NNC_NORM_PLACE_LIST, NNC_NORM_PLACE_COUNT);
NNC_API const char *nnc_norm_place_name(nnc_norm_place place);
NNC_API const char *nnc_norm_place_help(nnc_norm_place place);

#define NNC_QK_NORM_LIST(X)                                                                  \
    X(NNC_QK_NORM_NONE, "none", "Queries and keys are taken as they are.")                   \
    X(NNC_QK_NORM_HEAD, "head", "Each head is normalised, all heads with the same weights.") \
    X(NNC_QK_NORM_PROJECTION, "projection",                                                  \
      "Each value of all heads has a weight of its own, no bias.")                           \
    X(NNC_QK_NORM_PLAIN, "plain", "Each head is normalised, without weights.")
NNC_ENUM(nnc_qk_norm, NNC_QK_NORM_LIST, NNC_QK_NORM_COUNT);
NNC_API const char *nnc_qk_norm_name(nnc_qk_norm norm);
NNC_API const char *nnc_qk_norm_help(nnc_qk_norm norm);

#define NNC_MODEL_HEAD_LIST(X)                                                            \
    X(NNC_HEAD_LOGITS, "logits", "The next token of every token, out of the vocabulary.") \
    X(NNC_HEAD_MASKED, "masked",                                                          \
      "A dense layer, activation and norm, then a word for every token.")                 \
    X(NNC_HEAD_REPLACED, "replaced",                                                      \
      "A dense layer, an activation and one logit: whether the token was replaced.")      \
    X(NNC_HEAD_POOLER, "pooler", "A dense layer over one token of each sequence.")        \
    X(NNC_HEAD_PROJECTION, "projection",                                                  \
      "One token of each sequence to head_width values, no bias.")                        \
    X(NNC_HEAD_MASKED_NEXT, "masked_next",                                                \
      "As masked, and a pooler that says whether the second half of a pair follows.")     \
    X(NNC_HEAD_CLASSES, "classes",                                                        \
      "A dense layer over one token of each sequence, then head_width classes.")          \
    X(NNC_HEAD_TAGS, "tags", "head_width classes for every token.")                       \
    X(NNC_HEAD_NONE, "none", "Nothing: the states are compared with others.")
NNC_ENUM(nnc_model_head, NNC_MODEL_HEAD_LIST, NNC_MODEL_HEAD_COUNT);
NNC_API const char *nnc_model_head_name(nnc_model_head head);
NNC_API const char *nnc_model_head_help(nnc_model_head head);

enum { NNC_PATTERN_MAX = 256 };

/* A model; owned by the set it was loaded into. Its fields have the names of the model file:
 * nnc_model_number, nnc_model_text and nnc_model_set of <nncost/spec.h>. */
typedef struct nnc_model nnc_model;

#ifdef NNC_STATIC_LINKING_ONLY

/* A decoder-only transformer. */
typedef struct nnc_decoder {
    int64_t layers, hidden, heads, kv_heads, head_dim, ffn_hidden;
    int64_t vocab;
    int64_t vocab_multiple; /* the table is padded to a multiple of this; 1 = not padded */
    int64_t seq_len;        /* of training, tokens */
    int64_t positions_max;  /* rows of a learned position table; 0 = seq_len */
    int64_t sliding_window; /* a query sees this many tokens, itself included; 0 = all before it */
    nnc_positions positions;
    nnc_norm_kind norm; /* layer or rms */
    nnc_mlp mlp;
    bool biases;    /* on every linear layer but the head, and on layer norms */
    bool qkv_bias;  /* on the query, key and value projections */
    bool tied_head; /* the logits use the embedding table */
    double dropout; /* probability, 0 = no dropout kernels and masks */
    /* Mixture of experts: layers after the first dense_layers route each token to experts_per_token
     * of `experts` gated MLPs of width expert_hidden; shared_hidden is the width, in sum, of those
     * every token passes. experts 0 = a dense model. */
    int64_t experts, experts_per_token, expert_hidden, shared_hidden, dense_layers;
    bool router_bias; /* one value per expert, added to its score */
    /* Latent attention (arXiv:2405.04434): keys and values are projected up from kv_lora_rank
     * values per token, queries from q_lora_rank (0 = directly). kv_lora_rank 0 = plain heads. */
    int64_t q_lora_rank, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim;
    /* Where layers differ: lists repeated over the layers from the first on. Without them: windows where
     * there is a sliding_window, and dense_layers before those with experts. */
    nnc_mixer mixers[NNC_PATTERN_MAX];
    int32_t mixers_count;
    nnc_mlp_kind mlps[NNC_PATTERN_MAX];
    int32_t mlps_count;
    nnc_norm_place norm_place;
    bool norm_bias;   /* on layer norms, where linear layers have none */
    bool plain_norms; /* norms have no weights */
    bool embed_norm;  /* after the embedding */
    nnc_qk_norm qk_norm;
    bool out_bias, mlp_bias, head_bias, expert_bias; /* where `biases` is off */
    bool no_key_bias;                                /* queries and values have one, keys do not */
    int64_t rotary_dim;                              /* of a head, what turns; 0 = all of it */
    bool sinks;          /* one more score per head, which takes attention from the tokens */
    bool rotary_scale;   /* rotation also scales, as YaRN has it */
    bool expert_clamp;   /* gate and up of an expert are clamped before they are multiplied */
    bool attention_gate; /* the attention's output is gated, by a second query projection */
    bool shared_gate;    /* the shared expert's output is gated, by one value per token */
    bool score_softcap, logit_softcap; /* tanh bounds attention scores; logits */
    bool bidirectional;                /* every token sees all others: an encoder */
    nnc_model_head head;
    int64_t head_width;       /* of a projection, classes, tags */
    int64_t token_types;      /* rows of a table of token types; 0 = none */
    int64_t embed_width;      /* of the tables, projected to hidden; 0 = hidden */
    int64_t relative_buckets; /* of relative positions */
    /* An encoder before the decoder, which attends to it in every layer. Its layers are like the decoder's,
     * over encoder_seq_len tokens (0 = seq_len), or over that many frames made of twice as many by two
     * convolutions of kernel 3 over frame_bands bands. encoder_layers 0 = none. */
    int64_t encoder_layers, encoder_seq_len, encoder_ffn_hidden, frame_bands;
    /* Of layers that keep a state instead of all tokens: values per token; state of each value (of the gated
     * delta rule: width of a key); heads; heads of keys; rank of Mamba's time steps; tokens of a chunk whose
     * pairs are computed at once (0 = 256, 64 for the delta rule). */
    int64_t ssm_inner, ssm_state, ssm_heads, ssm_groups, ssm_rank, ssm_chunk;
    int64_t conv_kernel; /* tokens that their convolution, or a short_conv, sees */
    bool conv_bias;
    bool ssm_norms;     /* of Mamba's time steps and state projections */
    bool no_state_norm; /* Mamba-2's output is gated without a norm */
    double head_share;  /* of the positions, those that a head of masked words works on; 0 = all */
    /* Latent attention to the index_topk tokens that an indexer picks: index_heads queries of width index_dim per
     * token against one key. 0 = to all. */
    int64_t index_heads, index_dim, index_topk;
    bool share_layers;    /* all layers have the weights of the first */
    int64_t tower_inputs; /* that the towers read for each sequence */
    int64_t
        next_layers; /* that predict tokens further on: counted and run where a plan trains them */
    /* Experts lie in expert_groups of neighbours, and a token's in so many of them. 0 = anywhere */
    int64_t expert_groups, groups_per_token;
} nnc_decoder;

/* Rows of the table of words and of the head: vocab, padded to a multiple of vocab_multiple. */
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

/* A U-shaped convolutional network, of the segmentation or of the diffusion kind. Lists have one
 * entry per level, from full resolution down. */
typedef struct nnc_unet {
    int64_t image;         /* pixels per side */
    int64_t latent_factor; /* pixels per side of one latent position; 1 = works on pixels */
    int64_t in_channels, out_channels;
    int64_t channels; /* of the first level */
    int64_t channel_multipliers[NNC_UNET_LEVELS_MAX];
    int32_t levels;           /* length of channel_multipliers */
    int64_t blocks_per_level; /* going down; one more going up if residual */
    nnc_unet_block block;
    nnc_norm_kind norm; /* group or batch */
    int64_t norm_groups;
    int64_t kernel;
    bool conv_biases;
    nnc_unet_down down;
    nnc_unet_up up;
    int64_t time_embed_width;                   /* width of the time embedding; 0 = none */
    bool attention_levels[NNC_UNET_LEVELS_MAX]; /* does the level attend to itself? */
    int32_t attention_levels_count;
    bool middle_attention;
    int64_t transformer_depth; /* 0 = a bare attention layer, no feed-forward or cross-attention */
    int64_t transformer_depths[NNC_UNET_LEVELS_MAX]; /* of each level; the middle has the last */
    int32_t transformer_depths_count;                /* 0 = transformer_depth everywhere */
    bool cross_only_levels[NNC_UNET_LEVELS_MAX]; /* both attentions of a block read the context */
    int32_t cross_only_levels_count;
    bool linear_projections; /* transformer in/out projections are linear, not 1x1 convolutions */
    int64_t heads;           /* per attention layer; 0 = by head_width */
    int64_t head_width;      /* 0 = by heads */
    int64_t context_len, context_width; /* cross-attention input: tokens and width; 0 = none */
    int64_t
        context_input_width; /* of the context before a linear layer; 0 = context_width, no layer */
    int64_t added_embed_width; /* of an input added to the time embedding; 0 = none */
    int64_t class_embeds;      /* rows of a table added to the time embedding; 0 = none */
    double dropout;
} nnc_unet;

/* A vision transformer that classifies images: patches, a class token, learned positions, layers with
 * norms before each half and biases, and a linear head on the class token. */
typedef struct nnc_vit {
    int64_t image, patch; /* pixels per side */
    int64_t in_channels;
    int64_t layers, hidden, heads, ffn_hidden;
    nnc_mlp mlp;
    int64_t classes;
    double dropout;
    bool distilled;          /* a second token and a second head, for what a teacher says */
    bool relative_positions; /* a table of each layer is added to the scores; none to the patches */
    bool no_key_bias;        /* queries and values have one, keys do not */
    bool layer_scale;        /* each half of a layer ends with one factor per channel */
} nnc_vit;

enum { NNC_GRAPH_LETS_MAX = 48, NNC_TOWERS_MAX = 2 };

/* Any network: the ops its file lists, and the numbers that the file gives names. A copy shares the ops,
 * which live as long as the specs it was loaded from. */
typedef struct nnc_graph {
    const struct nnc_graph_net *net;
    const struct nnc_field_table *fields; /* those of all graphs, and its own numbers */
    int64_t lets[NNC_GRAPH_LETS_MAX];     /* in the order of the file */
} nnc_graph;

/* Widths as the file says them. When nnc_model_set sets hidden, those that it has not set follow: as
 * many more heads of the same width, layers as wide in proportion. */
typedef struct nnc_widths {
    int64_t hidden, heads, kv_heads, head_dim, ffn_hidden, expert_hidden, shared_hidden;
    uint32_t set; /* which ones nnc_model_set has set */
} nnc_widths;

struct nnc_model {
    char id[64];
    char name[96];
    nnc_family family;
    nnc_decoder decoder; /* the family's own member is set, the others zero */
    nnc_unet unet;
    nnc_vit vit;
    nnc_graph graph;
    nnc_graph towers[NNC_TOWERS_MAX]; /* that make what a decoder reads beside words */
    int32_t tower_count;
    nnc_widths recorded;      /* all 0: hidden takes nothing with it */
    int64_t published_params; /* as the authors count them; 0 = not stated */
    /* of a network that denoises images: models that read the prompt (ids joined by commas) and that make the
     * image of the latent; "" = not stated */
    char text_encoders[128], image_decoder[64];
    int64_t image_factor; /* pixels per side of a position of a graph's "image"; 0 = 1 */
    const nnc_source *sources;
    int32_t source_count;
    const char *const *aliases;
    int32_t alias_count;
    const char *path;
    const char *const
        *notes; /* of another program's file: what was taken for what it leaves open */
    int32_t note_count;
};

#endif /* NNC_STATIC_LINKING_ONLY */

#ifdef __cplusplus
}
#endif

#endif
