#include "serve/serve_images.h"

#include <math.h>

#include "base/error.h"
#include "estimate/plan_asked.h"

/* Networks over images of their own size that denoise one: those of diffusion have a latent, or as many
 * channels out as in. */
static bool denoises(const nnc_model *model)
{
    return model->family == NNC_FAMILY_UNET && model->unet.block == NNC_UNET_RESIDUAL;
}

static nnc_status estimate(const nnc_model *model, const nnc_device *device,
                           const nnc_software *software, const nnc_images_ask *ask,
                           nnc_scratch *scratch, nnc_result *result, nnc_error *err)
{
    nnc_plan plan = nnc_plan_default();
    plan.micro_batch = ask->batch * (ask->guidance ? 2 : 1);
    plan.image = ask->image;
    plan.precision = ask->precision;
    return nnc_estimate(model, device, software, &plan, scratch, result, err);
}

static nnc_dtype plain(const nnc_device *device)
{
    return nnc_device_matmul_peak(device, NNC_FP16) > 0.0 ? NNC_FP16 : NNC_FP32;
}

nnc_status nnc_images_of(const nnc_model *model, const nnc_device *device,
                         const nnc_software *software, const nnc_images_ask *ask,
                         nnc_scratch *scratch, nnc_images *images, nnc_derivation *why,
                         nnc_error *err)
{
    nnc_result result;
    nnc_images_ask plan = *ask;
    if (!denoises(model)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--steps",
                        "%s does not denoise images, expected a U-Net of residual blocks",
                        model->id);
    }
    plan.batch = plan.batch > 0 ? plan.batch : 1;
    plan.precision = plan.precision < NNC_DTYPE_COUNT ? plan.precision : plain(device);
    plan.beside_s = isnan(plan.beside_s) ? 0.0 : plan.beside_s;
    NNC_TRY(estimate(model, device, software, &plan, scratch, &result, err));
    *images = (nnc_images){ .plan = plan };
    images->plan.image = result.plan.image;
    images->price_per_device_hour = !isnan(plan.price)        ? plan.price
                                    : device->price_count > 0 ? device->prices[0].per_device_hour
                                                              : (double)NAN;
    NNC_LET(why, steps, NULL, (double)plan.steps);
    NNC_LET(why, batch, NULL, (double)plan.batch);
    NNC_LET(why, beside_s, "s", plan.beside_s);
    images->forward_s = result.forward_s;
    images->forward_flops = result.forward_flops;
    NNC_PUT(why, images->forward_s, "s");
    NNC_PUT(why, images->forward_flops, "FLOP");
    NNC_SET(why, images->image_s, "s", steps * images->forward_s + batch * beside_s);
    NNC_NOTE(why, "forward passes of the estimate, with guidance over twice the batch");
    NNC_SET(why, images->images_per_s, NULL, batch / images->image_s);
    NNC_LET(why, peak_flops_per_s, "FLOP/s", result.peak_flops_per_s);
    NNC_LET(why, mem_bytes_per_s, "B/s", device->mem_bytes_per_s);
    NNC_SET(why, images->weight_bytes, "B", (double)result.params * 2.0);
    NNC_SET(why, images->lower_bound_s, "s",
            steps * nnc_max(images->forward_flops / peak_flops_per_s,
                            images->weight_bytes / mem_bytes_per_s));
    NNC_SET(why, images->utilization, NULL,
            steps * images->forward_flops / images->image_s / peak_flops_per_s);
    NNC_PUT(why, images->price_per_device_hour, NULL);
    NNC_SET(why, images->per_thousand_images, NULL,
            images->price_per_device_hour / 3600.0 / images->images_per_s * 1000.0);
    NNC_LET(why, power_w, "W", device->power_w);
    NNC_SET(why, images->energy_j_per_image, "J", power_w / images->images_per_s);
    return NNC_OK;
}
