/* Images by diffusion: many forward passes of one network for each, a text encoder before them and a decoder of the
 * latent behind. */
#ifndef NNCOST_SERVE_SERVE_IMAGES_H
#define NNCOST_SERVE_SERVE_IMAGES_H

#include "serve/serve.h"

enum { NNC_IMAGES_ENCODERS = 4 };

/* What is asked: NaN and 0 = not given. */
typedef struct nnc_images_ask {
    int64_t steps;   /* forward passes of an image */
    bool guidance;   /* each of them twice, with and without the prompt */
    int64_t image;   /* pixels per side; 0 = the model's */
    int64_t batch;   /* images at a time; 0 = 1 */
    double beside_s; /* of an image: what else it takes */
    nnc_dtype precision;
    double price;            /* of a device for an hour; NaN = the device file's */
    double carbon_g_per_kwh; /* of the grid; NaN = not known */
    const nnc_model *encoders[NNC_IMAGES_ENCODERS]; /* that read the prompt */
    int32_t encoder_count;
    const nnc_model *decoder; /* of the latent; NULL = none */
} nnc_images_ask;

typedef struct nnc_images {
    nnc_images_ask plan;             /* resolved */
    double forward_s, forward_flops; /* of one pass over the batch, guidance included */
    double text_s, decode_s;         /* of the batch; 0 = the model names none */
    double image_s, lower_bound_s;   /* until the images of a batch are done */
    double images_per_s, utilization;
    double weight_bytes, capacity_bytes;
    bool fits; /* all weights at once */
    double price_per_device_hour, per_thousand_images, energy_j_per_image;
    double carbon_g_per_thousand_images;
} nnc_images;

/* Does a model denoise images? */
bool nnc_denoises(const nnc_model *model);

/* Works it out from the forward passes of estimates. NNC_ILLEGAL_PLAN: the model does not denoise images. */
nnc_status nnc_images_of(const nnc_model *model, const nnc_device *device,
                         const nnc_software *software, const nnc_images_ask *ask,
                         nnc_scratch *scratch, nnc_images *images, nnc_derivation *why,
                         nnc_error *err);

#endif
