/* The shape of a network: hyper-parameters only. Read from models/<id>.json. */
#ifndef NNCOST_MODEL_H
#define NNCOST_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include <nncost/hardware.h>

typedef enum nnc_family { NNC_FAMILY_DECODER, NNC_FAMILY_UNET, NNC_FAMILY_COUNT } nnc_family;

typedef enum nnc_positions {
    NNC_POSITIONS_NONE,
    NNC_POSITIONS_LEARNED, /* a table of `positions_max` rows, added to the embedding */
    NNC_POSITIONS_ROTARY,
    NNC_POSITIONS_COUNT
} nnc_positions;

typedef enum nnc_norm_kind {
    NNC_NORM_LAYER,
    NNC_NORM_RMS,
    NNC_NORM_GROUP,
    NNC_NORM_BATCH,
    NNC_NORM_KIND_COUNT
} nnc_norm_kind;

typedef enum nnc_mlp {
    NNC_MLP_GELU,   /* two matrices */
    NNC_MLP_RELU,   /* two matrices */
    NNC_MLP_SWIGLU, /* three matrices, SiLU gate */
    NNC_MLP_GEGLU,  /* three matrices, GELU gate */
    NNC_MLP_COUNT
} nnc_mlp;

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
    bool qkv_bias;  /* on the query, key and value projections alone */
    bool tied_head; /* the logits use the embedding table */
    double dropout; /* probability, 0 = no dropout kernels and masks */
    /* Mixture of experts: layers after the first dense_layers route each token to experts_per_token
     * of `experts` gated MLPs of width expert_hidden; shared_hidden is the width, in sum, of those
     * every token passes. experts 0 = a dense model. */
    int64_t experts, experts_per_token, expert_hidden, shared_hidden, dense_layers;
    bool router_bias; /* one value per expert, added to its score when choosing */
    /* Latent attention (arXiv:2405.04434): keys and values are projected up from kv_lora_rank
     * values per token, queries from q_lora_rank (0 = directly). kv_lora_rank 0 = plain heads. */
    int64_t q_lora_rank, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim;
} nnc_decoder;

/* Rows of the table of words and of the head: vocab, padded to a multiple of vocab_multiple. */
int64_t nnc_vocab_rows(const nnc_decoder *decoder);

enum { NNC_UNET_LEVELS_MAX = 8 };

typedef enum nnc_unet_block {
    NNC_UNET_DOUBLE_CONV, /* (conv, norm, activation) twice */
    NNC_UNET_RESIDUAL,    /* norm, activation, conv, twice, with a shortcut */
    NNC_UNET_BLOCK_COUNT
} nnc_unet_block;

typedef enum nnc_unet_down { NNC_DOWN_MAX_POOL, NNC_DOWN_CONV, NNC_DOWN_COUNT } nnc_unet_down;

typedef enum nnc_unet_up {
    NNC_UP_TRANSPOSED_CONV, /* kernel 2, stride 2, halves the channels */
    NNC_UP_NEAREST_CONV,    /* nearest x2, then a convolution */
    NNC_UP_BILINEAR,        /* bilinear x2; the network halves its deepest channels instead */
    NNC_UP_COUNT
} nnc_unet_up;

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
    bool linear_projections;   /* transformer in/out projections are linear, not 1x1 convolutions */
    int64_t heads;             /* per attention layer; 0 = by head_width */
    int64_t head_width;        /* 0 = by heads */
    int64_t context_len, context_width; /* cross-attention input: tokens and width; 0 = none */
    double dropout;
} nnc_unet;

typedef struct nnc_model {
    char id[64];
    char name[96];
    nnc_family family;
    nnc_decoder decoder; /* the family's own member is set, the other zero */
    nnc_unet unet;
    int64_t published_params; /* as the authors count them; 0 = not stated */
    const nnc_source *sources;
    int32_t source_count;
    const char *const *aliases;
    int32_t alias_count;
    const char *path;
} nnc_model;

NNC_API const char *nnc_family_name(nnc_family family);

#endif
