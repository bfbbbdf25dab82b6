/* Images by diffusion: many forward passes of one network for each. */
#ifndef NNCOST_SERVE_SERVE_IMAGES_H
#define NNCOST_SERVE_SERVE_IMAGES_H

#include "serve/serve.h"

/* What is asked: NaN and 0 = not given. */
typedef struct nnc_images_ask {
    int64_t steps;   /* forward passes of an image */
    bool guidance;   /* each of them twice, with and without the prompt */
    int64_t image;   /* pixels per side; 0 = the model's */
    int64_t batch;   /* images at a time; 0 = 1 */
    double beside_s; /* of an image: text encoder and decoder of the latent */
    nnc_dtype precision;
    double price; /* of a device for an hour; NaN = the device file's */
} nnc_images_ask;

typedef struct nnc_images {
    nnc_images_ask plan;             /* resolved */
    double forward_s, forward_flops; /* of one pass over the batch, guidance included */
    double image_s, lower_bound_s;   /* until the images of a batch are done */
    double images_per_s, utilization;
    double weight_bytes;
    double price_per_device_hour, per_thousand_images, energy_j_per_image;
} nnc_images;

/* Works it out from the forward pass of an estimate. NNC_ILLEGAL_PLAN: the model does not denoise images. */
nnc_status nnc_images_of(const nnc_model *model, const nnc_device *device,
                         const nnc_software *software, const nnc_images_ask *ask,
                         nnc_scratch *scratch, nnc_images *images, nnc_derivation *why,
                         nnc_error *err);

#endif
