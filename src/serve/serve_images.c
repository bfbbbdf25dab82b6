#include "base/base_internal.h"
#include "estimate/estimate_internal.h"
#include "serve/serve_internal.h"

/* True for U-Nets of residual blocks and for graphs that name the decoder of their latent image. */
bool nnc_denoises(const nnc_model *model)
{
    return model->family == NNC_FAMILY_UNET ? model->unet.block == NNC_UNET_RESIDUAL
                                            : model->image_decoder[0] != '\0';
}

/* Cost of one forward pass of the denoiser, the text encoder or the image decoder. */
typedef struct one_pass {
    double forward_s, flops, weight_bytes, peak_flops_per_s;
    int64_t image;
} one_pass;

static nnc_status run(const nnc_model *model, const nnc_device *device,
                      const nnc_software *software, nnc_dtype precision, int64_t batch,
                      int64_t image, nnc_scratch *scratch, one_pass *pass, nnc_error *err)
{
    nnc_result result;
    nnc_plan plan = nnc_plan_default();
    plan.micro_batch = batch;
    plan.image = image;
    plan.precision = precision;
    NNC_TRY(nnc_estimate(model, device, software, &plan, scratch, &result, err));
    pass->forward_s += result.forward_s;
    pass->flops += result.forward_flops;
    pass->weight_bytes += 2.0 * (double)result.params;
    pass->peak_flops_per_s = result.peak_flops_per_s;
    pass->image = result.plan.image;
    return NNC_OK;
}

static nnc_dtype plain(const nnc_device *device)
{
    return nnc_device_matmul_peak(device, NNC_FP16) > 0.0   ? NNC_FP16
           : nnc_device_matmul_peak(device, NNC_BF16) > 0.0 ? NNC_BF16
                                                            : NNC_FP32;
}

/* Image pixels per side for each position of the network's own image (8 for a latent of 64 x 64 at 512
 * pixels). */
static int64_t factor_of(const nnc_model *model)
{
    return model->image_factor > 1 ? model->image_factor : 1;
}

static nnc_status resolve(const nnc_model *model, const nnc_device *device,
                          const nnc_images_ask *ask, nnc_images_ask *plan, nnc_error *err)
{
    const int64_t factor = factor_of(model);
    *plan = *ask;
    if (!nnc_denoises(model)) {
        return nnc_fail(
            err, NNC_ILLEGAL_PLAN, "--steps",
            "%s does not denoise images, expected a U-Net of residual blocks, or a graph "
            "with an image_decoder",
            model->id);
    }
    if (plan->image % factor != 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--image",
                        "expected a multiple of %" PRId64 " pixels, found %" PRId64, factor,
                        plan->image);
    }
    plan->batch = plan->batch > 0 ? plan->batch : 1;
    plan->precision = plan->precision < NNC_DTYPE_COUNT ? plan->precision : plain(device);
    plan->beside_s = isnan(plan->beside_s) ? 0.0 : plan->beside_s;
    return NNC_OK;
}

static double bound_s(const one_pass *pass, double mem_bytes_per_s)
{
    return nnc_max(pass->flops / pass->peak_flops_per_s, pass->weight_bytes / mem_bytes_per_s);
}

static void say(const nnc_device *device, const one_pass *step, const one_pass *text,
                const one_pass *decoder, nnc_images *images, nnc_derivation *why)
{
    const nnc_images_ask *plan = &images->plan;
    NNC_LET(why, steps, NULL, (double)plan->steps);
    NNC_LET(why, batch, NULL, (double)plan->batch);
    NNC_LET(why, beside_s, "s", plan->beside_s);
    images->forward_s = step->forward_s;
    images->forward_flops = step->flops;
    images->text_s = text->forward_s;
    images->decode_s = decoder->forward_s;
    NNC_PUT(why, images->forward_s, "s");
    NNC_PUT(why, images->forward_flops, "FLOP");
    NNC_PUT(why, images->text_s, "s");
    NNC_PUT(why, images->decode_s, "s");
    NNC_SET(why, images->image_s, "s",
            images->text_s + steps * images->forward_s + images->decode_s + batch * beside_s);
    NNC_NOTE(why, "forward passes of the estimate, with guidance over twice the batch");
    NNC_SET(why, images->images_per_s, NULL, batch / images->image_s);
    NNC_LET(why, peak_flops_per_s, "FLOP/s", step->peak_flops_per_s);
    NNC_SET(why, images->weight_bytes, "B",
            step->weight_bytes + text->weight_bytes + decoder->weight_bytes);
    NNC_LET(why, text_bound_s, "s",
            text->flops > 0.0 ? bound_s(text, device->mem_bytes_per_s) : 0.0);
    NNC_LET(why, step_bound_s, "s", bound_s(step, device->mem_bytes_per_s));
    NNC_LET(why, decode_bound_s, "s",
            decoder->flops > 0.0 ? bound_s(decoder, device->mem_bytes_per_s) : 0.0);
    NNC_SET(why, images->lower_bound_s, "s", text_bound_s + steps * step_bound_s + decode_bound_s);
    NNC_LET(why, other_flops, "FLOP", text->flops + decoder->flops);
    NNC_SET(why, images->utilization, NULL,
            (steps * images->forward_flops + other_flops) / images->image_s / peak_flops_per_s);
    images->capacity_bytes = (double)device->mem_bytes;
    images->fits = images->weight_bytes <= images->capacity_bytes;
    images->price_per_device_hour = !isnan(plan->price)       ? plan->price
                                    : device->price_count > 0 ? device->prices[0].per_device_hour
                                                              : (double)NAN;
    NNC_PUT(why, images->price_per_device_hour, NULL);
    NNC_SET(why, images->per_thousand_images, NULL,
            images->price_per_device_hour / 3600.0 / images->images_per_s * 1000.0);
    NNC_LET(why, power_w, "W", device->power_w);
    NNC_SET(why, images->energy_j_per_image, "J", power_w / images->images_per_s);
    NNC_LET(why, carbon_g_per_kwh, "g/kWh", plan->carbon_g_per_kwh);
    NNC_SET(why, images->carbon_g_per_thousand_images, "g",
            images->energy_j_per_image * 1e3 / 3.6e6 * carbon_g_per_kwh);
}

nnc_status nnc_images_of(const nnc_model *model, const nnc_device *device,
                         const nnc_software *software, const nnc_images_ask *ask,
                         nnc_scratch *scratch, nnc_images *images, nnc_derivation *why,
                         nnc_error *err)
{
    one_pass step = { .flops = 0.0 }, text = step, decoder = step;
    const int64_t factor = factor_of(model);
    *images = (nnc_images){ .forward_s = 0.0 };
    nnc_images_ask *plan = &images->plan;
    NNC_TRY(resolve(model, device, ask, plan, err));
    const int64_t prompts = plan->batch * (plan->guidance ? 2 : 1);
    NNC_TRY(run(model, device, software, plan->precision, prompts, plan->image / factor, scratch,
                &step, err));
    plan->image = step.image * factor;
    for (int32_t i = 0; i < plan->encoder_count; i++) {
        NNC_TRY(run(plan->encoders[i], device, software, plan->precision, prompts, 0, scratch,
                    &text, err));
    }
    if (plan->decoder != NULL) {
        NNC_TRY(run(plan->decoder, device, software, plan->precision, plan->batch,
                    plan->image / factor_of(plan->decoder), scratch, &decoder, err));
    }
    say(device, &step, &text, &decoder, images, why);
    return NNC_OK;
}
