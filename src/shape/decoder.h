/* Pieces of a decoder, between decoder.c (layers), decoder_ends.c (embedding, head), decoder_encoder.c and
 * decoder_parts.c (experts, latent attention). */
#ifndef NNCOST_SHAPE_DECODER_H
#define NNCOST_SHAPE_DECODER_H

#include "shape/transformer.h"

/* Query, key and value through their latents. Source: arXiv:2405.04434.   [latent-attention] */
void nnc_decoder_project_latent(const nnc_layer_writer *w, const nnc_decoder *d);

/* Norm, router, dispatch, the routed and the shared experts, combine, residual.   [experts] */
void nnc_decoder_experts(const nnc_layer_writer *w, const nnc_decoder *d);

/* Half a layer that keeps a state instead of all tokens, after its norm and with its residual; nothing for
 * mixers that attend.   [state-mixers] */
void nnc_decoder_keep_state(const nnc_layer_writer *w, const nnc_decoder *d, nnc_mixer mixer);
/* Does it attend? */
bool nnc_mixer_attends(nnc_mixer mixer);

/* The tables, their norm and projection: what layers begin with. again: the table of words is counted
 * elsewhere. */
void nnc_decoder_embedding(const nnc_layer_writer *w, const nnc_decoder *d, bool again);
/* A learned score per head and bucket of distances, looked up for every pair.   [relative-positions] */
void nnc_decoder_relative(const nnc_layer_writer *w, const nnc_decoder *d);
/* Products of queries and keys with the projected table of distances. Source: arXiv:2006.03654, section 3.1.
 * [disentangled-positions] */
void nnc_decoder_distances(const nnc_layer_writer *w, const nnc_decoder *d);
/* The last norm, and what the task makes of the states.   [heads] */
void nnc_decoder_head(const nnc_layer_writer *w, const nnc_decoder *d);

/* The towers of the model: the ops of each over its images, or its parameters alone.   [towers] */
void nnc_decoder_towers(const nnc_model *model, const nnc_writer *to);

/* The encoder that the decoder attends to.   [encoder-decoder] */
int64_t nnc_decoder_encoder_len(const nnc_decoder *d, const nnc_plan *plan);
void nnc_decoder_encoder(const nnc_layer_writer *w, const nnc_decoder *d);
/* The attention of a decoder's layer to the encoder's states. */
void nnc_decoder_cross(const nnc_layer_writer *w, const nnc_decoder *d);

#endif
