/* Pieces of a U-Net, between unet.c (the levels) and unet_block.c (what a level is made of). */
#ifndef NNCOST_SHAPE_UNET_H
#define NNCOST_SHAPE_UNET_H

#include "shape/family.h"

typedef struct nnc_unet_writer {
    nnc_writer to;
    const nnc_unet *u;
    int64_t batch;
} nnc_unet_writer;

/* A feature map: channels x side x side per sample. */
typedef struct nnc_map {
    int64_t channels, side;
} nnc_map;

int64_t nnc_map_elements(const nnc_unet_writer *w, nnc_map map);

/* Square convolution from one map to another. reads_image: the input needs no gradient and is not
 * kept. Returns the op, for what a caller wants changed. */
nnc_op *nnc_unet_conv(const nnc_unet_writer *w, const char *name, nnc_group group, nnc_map in,
                      nnc_map out, int64_t kernel, bool reads_image);

/* (conv, norm, activation) twice, through `middle` channels. */
void nnc_unet_double_conv(const nnc_unet_writer *w, nnc_map in, int64_t middle, int64_t out,
                          bool reads_image, int64_t repeat);

/* Residual block with time embedding. */
void nnc_unet_residual(const nnc_unet_writer *w, nnc_map in, int64_t out, int64_t repeat);

/* Attention of one level, the middle's being `levels`: a bare layer, or transformer blocks with
 * cross-attention. */
void nnc_unet_attention(const nnc_unet_writer *w, int level, nnc_map map, int64_t repeat);

#endif
