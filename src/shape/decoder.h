/* Pieces of a decoder, between decoder.c (embedding, layers, head) and decoder_parts.c (experts, latent
 * attention). */
#ifndef NNCOST_SHAPE_DECODER_H
#define NNCOST_SHAPE_DECODER_H

#include "shape/transformer.h"

/* Query, key and value through their latents. Source: arXiv:2405.04434.   [latent-attention] */
void nnc_decoder_project_latent(const nnc_layer_writer *w, const nnc_decoder *d);

/* Norm, router, dispatch, the routed and the shared experts, combine, residual.   [experts] */
void nnc_decoder_experts(const nnc_layer_writer *w, const nnc_decoder *d);

#endif
