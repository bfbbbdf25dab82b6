/* Pieces of a decoder, between decoder.c (the plain layer) and decoder_parts.c (experts, latent
 * attention, context parallelism). */
#ifndef NNCOST_SHAPE_DECODER_H
#define NNCOST_SHAPE_DECODER_H

#include "shape/list.h"

/* What the pieces share while one decoder is written down. */
typedef struct nnc_decoder_writer {
    const nnc_decoder *d;
    const nnc_lowering *how;
    nnc_op_list *list;
    int64_t batch, seq_len, tokens, vocab;
    int64_t hidden_elements; /* tokens x hidden */
    int64_t layers;          /* of the segment at hand */
    int32_t block;           /* the layer's recompute block; -1 outside */
    bool gated;              /* three matrices in an MLP */
} nnc_decoder_writer;

bool nnc_decoder_recomputes(const nnc_decoder_writer *w, nnc_recompute what);
nnc_op *nnc_decoder_norm(const nnc_decoder_writer *w, const char *name, int64_t width);
nnc_op *nnc_decoder_linear(const nnc_decoder_writer *w, const char *name, nnc_group group,
                           nnc_split split, int64_t n, int64_t k, bool bias);
void nnc_decoder_activation(const nnc_decoder_writer *w, const char *name, nnc_split split,
                            int64_t elements);
/* names: up, activation, down. keeps_input: no other op owns the input. */
void nnc_decoder_dense_mlp(const nnc_decoder_writer *w, const char *const names[3], int64_t inner,
                           bool keeps_input);

/* Into or out of the part of a layer that tensor ranks share: all-reduce of the activations, or
 * all-gather and reduce-scatter with sequence parallelism. Source: Megatron-LM arXiv:1909.08053,
 * arXiv:2205.05198.   [tensor-parallel] */
void nnc_decoder_tensor_exchange(const nnc_decoder_writer *w, const char *name, bool entering,
                                 int64_t width);

/* Keys and values, or heads, between context ranks, before or after the attention.
 * [context-parallel] */
void nnc_decoder_context_exchange(const nnc_decoder_writer *w, const char *name, bool before,
                                  int64_t head_dim, int64_t value_dim);

/* Query, key and value through their latents. Source: arXiv:2405.04434.   [latent-attention] */
void nnc_decoder_project_latent(const nnc_decoder_writer *w);

/* Router, dispatch, the routed and the shared experts, combine.   [experts] */
void nnc_decoder_experts(const nnc_decoder_writer *w);

#endif
