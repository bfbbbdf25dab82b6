/* One layer of a transformer: what decoders, encoders and the attention of U-Nets are made of. */
#ifndef NNCOST_SHAPE_TRANSFORMER_H
#define NNCOST_SHAPE_TRANSFORMER_H

#include "shape/family.h"

/* A layer as its family describes it. */
typedef struct nnc_layer {
    int64_t hidden; /* width of the residual stream */
    nnc_norm_kind norm;
    nnc_norm_place norm_place;
    bool norm_bias, plain_norms;
    int64_t heads, kv_heads, head_dim, value_dim;
    int64_t window; /* keys a query sees under the causal mask, itself included; 0 = all */
    bool chunked;   /* ... of its chunk of so many */
    int64_t rotary; /* values of a head that turn; 0 = none */
    bool rotary_scale;
    nnc_qk_norm qk_norm;
    bool latent; /* queries, keys and values come from latents */
    bool causal, qkv_bias, no_key_bias, out_bias;
    bool sinks, attention_gate, score_softcap;
    nnc_mlp mlp;
    int64_t ffn_hidden;
    bool mlp_bias;
    double dropout;
} nnc_layer;

/* A layer, and where it is written. */
typedef struct nnc_layer_writer {
    nnc_writer to;
    const nnc_layer *layer;
    int64_t batch, seq_len;
    int64_t tokens, hidden_elements; /* batch x seq_len; tokens x hidden */
} nnc_layer_writer;

nnc_layer_writer nnc_layer_begin(const nnc_writer *w, const nnc_layer *layer, int64_t batch,
                                 int64_t seq_len);

/* Names of the ops of one attention by itself: fused; scores, scale and mask, softmax, dropout,
 * context. */
typedef struct nnc_core_names {
    const char *fused, *scores, *mask, *softmax, *dropout, *context;
} nnc_core_names;

/* Names of the ops of an attention, in their order. */
typedef struct nnc_attention_names {
    const char *norm, *tensor_in, *q, *kv, *rotary, *context_in;
    nnc_core_names core;
    const char *context_out, *out, *tensor_out, *end_norm,
        *residual; /* NULL = the caller adds it */
} nnc_attention_names;
extern const nnc_attention_names nnc_attention_plain; /* "attn.norm" ... */

/* Names of an MLP's products and of the activation between them. */
typedef struct nnc_mlp_names {
    const char *up, *activation, *down;
} nnc_mlp_names;

/* What a cross-attention looks at, in place of the tokens themselves. */
typedef struct nnc_cross {
    int64_t len, width;
    bool frozen;    /* needs no gradient */
    int64_t shares; /* layers that look at it, and keep it between them; 0 = it is kept elsewhere */
} nnc_cross;

nnc_op *nnc_layer_norm(const nnc_layer_writer *w, const char *name, int64_t width);
/* y = x W over all tokens. */
nnc_op *nnc_layer_linear(const nnc_layer_writer *w, const char *name, nnc_group group,
                         nnc_split split, int64_t n, int64_t k, bool bias);

/* Joins a branch to the residual stream, through a dropout where the layer has one. */
void nnc_layer_residual(const nnc_layer_writer *w, const char *name, nnc_group group);
/* The same with the norm that stands before or after it, where the layer has one there. */
void nnc_layer_join(const nnc_layer_writer *w, const char *norm, const char *name, nnc_group group);
/* Do attention and MLP run side by side? */
static inline bool nnc_layer_parallel(const nnc_layer *layer)
{
    return layer->norm_place == NNC_NORM_PARALLEL || layer->norm_place == NNC_NORM_PARALLEL_TWO;
}
/* The norm before attention or the MLP, where the layer has one there. */
void nnc_layer_begin_norm(const nnc_layer_writer *w, const char *name);
/* A dropout by itself, where the layer has one. */
void nnc_layer_dropout(const nnc_layer_writer *w, const char *name, nnc_group group);
/* Rotates `width` values of each token. */
void nnc_layer_rotary(const nnc_layer_writer *w, const char *name, int64_t width);

/* Query, key and value; the attention itself, its projection and its residual; both after a norm.
 * cross NULL: the tokens attend to themselves. */
void nnc_layer_project(const nnc_layer_writer *w, const nnc_attention_names *names,
                       const nnc_cross *cross);
void nnc_layer_attend(const nnc_layer_writer *w, const nnc_attention_names *names,
                      const nnc_cross *cross);
void nnc_layer_attention(const nnc_layer_writer *w, const nnc_attention_names *names,
                         const nnc_cross *cross);

/* The attention over what is projected, s_k keys and values for each sequence. */
void nnc_layer_core(const nnc_layer_writer *w, const nnc_core_names *names, int64_t s_k);

/* The kernel that runs a fused attention. */
nnc_flash_kernel nnc_attention_kernel(nnc_attention attention, const nnc_software *software);

/* Through `inner` values per token and back. keeps_input: no other op owns the input. */
void nnc_layer_dense(const nnc_layer_writer *w, const nnc_mlp_names *names, int64_t inner,
                     bool keeps_input);
/* Is the activation at this place run again in backward, and its output not kept? */
bool nnc_layer_acts_again(const nnc_layer_writer *w, nnc_split split);
nnc_op *nnc_layer_activation(const nnc_layer_writer *w, const char *name, nnc_split split,
                             int64_t elements);
/* Norm, MLP and residual, "mlp.norm" ... */
void nnc_layer_mlp(const nnc_layer_writer *w);

/* Into or out of the part of a layer that tensor ranks share: all-reduce of the activations, or
 * all-gather and reduce-scatter with sequence parallelism. Nothing where they are not split. Source:
 * Megatron-LM arXiv:1909.08053, arXiv:2205.05198.   [tensor-parallel] */
void nnc_layer_tensor_exchange(const nnc_layer_writer *w, const char *name, bool entering,
                               int64_t width);
/* Heads that read one copy of a key and its value: 1, or all of its group. */
int64_t nnc_layer_kv_copies(const nnc_layer_writer *w);
/* Keys and values, or heads, between context ranks, before or after the attention.
 * [context-parallel] */
void nnc_layer_context_exchange(const nnc_layer_writer *w, const char *name, bool before);

/* What a layer asks of context ranks, and of tensor ranks. NNC_ILLEGAL_PLAN: err names the option, the
 * rule with its numbers, and the nearest legal values.   [legal-plans] */
nnc_status nnc_layer_split_context(const nnc_layer *layer, const nnc_plan *plan, int64_t seq_len,
                                   nnc_error *err);
nnc_status nnc_layer_split_tensor(const nnc_layer *layer, const nnc_plan *plan, nnc_error *err);
/* Sequence parallelism: tensor ranks divide the tokens of a micro-batch too. */
nnc_status nnc_layer_split_sequence(const nnc_plan *plan, int64_t tokens, nnc_error *err);

#endif
