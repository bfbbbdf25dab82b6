/* Tests the cost of generating images, worked by hand: time, bounds, price, energy and carbon. The forward passes of
 * the denoiser, the text encoders and the decoder are single estimates. */
#include "run_cases.h"
#include "serve/serve_internal.h"
#include "serve_cases.h"

static nnc_images_ask ask_of(void) {
    return (nnc_images_ask){ .steps = 20,
                             .precision = NNC_BF16,
                             .beside_s = (double)NAN,
                             .price = (double)NAN,
                             .carbon_g_per_kwh = (double)NAN };
}

static nnc_images images_of(const nnc_model *model, const nnc_device *device, const nnc_images_ask *ask) {
    const nnc_software software = nnc_software_default();
    nnc_error err = { 0 };
    nnc_images images;
    ok(nnc_images_of(model, device, &software, ask, scratch, &images, NULL, &err), &err);
    return images;
}

static nnc_result pass_of(const nnc_model *model, const nnc_device *device, int64_t batch, int64_t image) {
    const nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_BF16;
    plan.micro_batch = batch;
    plan.image = image;
    plan.train = NNC_TRAIN_NONE;
    return estimate_with(model, device, &software, &plan);
}

/* Returns the lower bound of the time of a forward pass. The device has 100 TFLOP/s and 1 TB/s, and weights have two
 * bytes. */
static double bound_of(const nnc_result *pass) {
    return fmax(pass->forward_flops / 100e12, 2.0 * (double)pass->params / 1e12);
}

/* The batch has three images with a side of 64 pixels, and latents with a side of 8. With guidance, each image passes
 * the denoiser twice. For an image with guidance, two text encoders of 16 tokens encode two prompts each. The decoder
 * makes images of 64 pixels. */
START_TEST(a_batch_of_images) {
    nnc_model unet = residual_unet(8, 32, 2), decoder = residual_unet(64, 16, 2);
    const nnc_model text = gpt(2, 64, 4, 1000, 16);
    nnc_device device = plain_device();
    nnc_images_ask ask = ask_of();
    unet.unet.image = 64;
    unet.unet.latent_factor = 8;
    ask.batch = 3;
    ask.guidance = true;
    ask.encoders[0] = ask.encoders[1] = &text;
    ask.encoder_count = 2;
    ask.decoder = &decoder;
    ask.beside_s = 1e-3;
    ask.price = 3.6;
    ask.carbon_g_per_kwh = 360.0;
    const nnc_images images = images_of(&unet, &device, &ask);
    const nnc_result step = pass_of(&unet, &device, 6, 0), prompt = pass_of(&text, &device, 6, 0),
                     decode = pass_of(&decoder, &device, 3, 64);
    ck_assert_int_eq(images.plan.image, 64);
    CLOSE(images.forward_s, step.forward_s, 1e-12);
    CLOSE(images.forward_flops, step.forward_flops, 1e-12);
    CLOSE(images.text_s, 2.0 * prompt.forward_s, 1e-12);
    CLOSE(images.decode_s, decode.forward_s, 1e-12);
    CLOSE(images.image_s, 2.0 * prompt.forward_s + 20.0 * step.forward_s + decode.forward_s + 3e-3, 1e-12);
    CLOSE(images.images_per_s, 3.0 / images.image_s, 1e-12);
    CLOSE(images.weight_bytes, 2.0 * (double)(step.params + 2 * prompt.params + decode.params), 1e-12);
    CLOSE(images.lower_bound_s, 2.0 * bound_of(&prompt) + 20.0 * bound_of(&step) + bound_of(&decode), 1e-12);
    CLOSE(images.utilization,
          (20.0 * step.forward_flops + 2.0 * prompt.forward_flops + decode.forward_flops) / images.image_s / 100e12,
          1e-12);
    /* A price of 3.6 per hour is 0.001 per second. The device draws 400 W. 1,000 images take 1,000 / images_per_s
     * seconds. Carbon is 360 g per 3.6e6 J. */
    CLOSE(images.price_per_device_hour, 3.6, 1e-12);
    CLOSE(images.per_thousand_images, images.image_s / 3.0, 1e-12);
    CLOSE(images.energy_j_per_image, 400.0 * images.image_s / 3.0, 1e-12);
    CLOSE(images.carbon_g_per_thousand_images, images.energy_j_per_image * 1000.0 * 1e-4, 1e-12);
    ck_assert(images.fits);
    ck_assert_double_eq(images.capacity_bytes, 80e9);
    device.mem_bytes = (int64_t)images.weight_bytes;
    ck_assert(images_of(&unet, &device, &ask).fits);
    device.mem_bytes--;
    ck_assert(!images_of(&unet, &device, &ask).fits);
}
END_TEST

/* One image is generated without guidance, in the requested size, without text encoder and decoder. */
START_TEST(one_image) {
    const nnc_model unet = residual_unet(32, 32, 2);
    const nnc_device device = plain_device();
    nnc_images_ask ask = ask_of();
    const nnc_images images = images_of(&unet, &device, &ask);
    const nnc_result step = pass_of(&unet, &device, 1, 0);
    ck_assert_int_eq(images.plan.batch, 1);
    ck_assert_int_eq(images.plan.image, 32);
    CLOSE(images.image_s, 20.0 * step.forward_s, 1e-12);
    CLOSE(images.lower_bound_s, 20.0 * bound_of(&step), 1e-12);
    ck_assert(images.text_s == 0.0 && images.decode_s == 0.0);
    ck_assert(isnan(images.per_thousand_images)); /* the price is not known */
    ask.image = 64;
    CLOSE(images_of(&unet, &device, &ask).forward_s, pass_of(&unet, &device, 1, 64).forward_s, 1e-12);
}
END_TEST

/* Two inputs are refused: a network that does not denoise, and an image size that is no multiple of the latent
 * factor. */
START_TEST(refused) {
    const nnc_model segmentation = double_conv_unet(32, 16, 2), text = gpt(2, 64, 4, 1000, 16);
    nnc_model unet = residual_unet(32, 32, 2), graph = { .family = NNC_FAMILY_GRAPH };
    const nnc_device device = plain_device();
    const nnc_software software = nnc_software_default();
    nnc_images_ask ask = ask_of();
    nnc_images images;
    nnc_error err = { 0 };
    ck_assert(nnc_denoises(&unet) && !nnc_denoises(&segmentation) && !nnc_denoises(&text));
    ck_assert(!nnc_denoises(&graph));
    snprintf(graph.image_decoder, sizeof graph.image_decoder, "vae");
    ck_assert(nnc_denoises(&graph));
    ck_assert_int_eq(nnc_images_of(&segmentation, &device, &software, &ask, scratch, &images, NULL, &err),
                     NNC_ILLEGAL_PLAN);
    ck_assert_str_eq(err.where, "--steps");
    unet.unet.latent_factor = 8;
    ask.image = 100;
    ck_assert_int_eq(nnc_images_of(&unet, &device, &software, &ask, scratch, &images, NULL, &err), NNC_ILLEGAL_PLAN);
    ck_assert_str_eq(err.where, "--image");
}
END_TEST

/* Without --precision, images use the first of fp16, bf16 and fp32 for which the device has a peak. */
START_TEST(precision_of_images) {
    const nnc_model unet = residual_unet(32, 32, 2);
    nnc_device device = plain_device();
    nnc_images_ask ask = ask_of();
    ask.precision = NNC_DTYPE_COUNT;
    ck_assert_int_eq((int)images_of(&unet, &device, &ask).plan.precision, NNC_FP16);
    device.matmul_flops_per_s[NNC_FP16] = (double)NAN;
    ck_assert_int_eq((int)images_of(&unet, &device, &ask).plan.precision, NNC_BF16);
    device.matmul_flops_per_s[NNC_BF16] = (double)NAN;
    device.matmul_flops_per_s[NNC_FP32] = 10e12;
    ck_assert_int_eq((int)images_of(&unet, &device, &ask).plan.precision, NNC_FP32);
}
END_TEST

int main(void) {
    const TTest *const tests[] = { a_batch_of_images, one_image, refused, precision_of_images };
    return run_tests("images", tests, COUNT_OF(tests));
}
