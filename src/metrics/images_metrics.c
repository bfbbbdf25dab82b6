/* What the sampling of images says. */
#include "metrics/report.h"
#include "serve/serve_images.h"

#define IMAGES(member, ...) NNC_NUMBER(nnc_images, member, __VA_ARGS__)
static const nnc_metric figure_rows[] = {
    NNC_AS("steps", WHOLE, NNC_IN(nnc_images, plan.steps), .help = "Forward passes of an image."),
    NNC_AS("guidance", BOOL, NNC_IN(nnc_images, plan.guidance),
           .help = "Whether each is made twice."),
    NNC_AS("image", WHOLE, NNC_IN(nnc_images, plan.image), .help = "Pixels per side."),
    NNC_AS("batch", WHOLE, NNC_IN(nnc_images, plan.batch), .help = "Images at a time."),
    NNC_AS("precision", ENUM, NNC_IN(nnc_images, plan.precision),
           .names = { nnc_dtype_name, NNC_DTYPE_COUNT }, .help = "Format of the arithmetic."),
    IMAGES(forward_s, .unit = "s", .help = "One pass over the batch."),
    IMAGES(forward_flops, .unit = "FLOP", .help = "FLOPs of that pass."),
    IMAGES(text_s, .unit = "s", .help = "Encoders of the prompts, of a batch."),
    IMAGES(decode_s, .unit = "s", .help = "The decoder of the latents, of a batch."),
    IMAGES(image_s, .unit = "s", .head = "time", .help = "Until the images of a batch are done."),
    IMAGES(lower_bound_s, .unit = "s", .help = "What no implementation beats."),
    IMAGES(images_per_s, .help = "Images per second of one device."),
    IMAGES(utilization, .show = NNC_SHOW_PERCENT, .help = "Share of the peak FLOP/s that is used."),
    IMAGES(weight_bytes, .unit = "B", .help = "Weights of all networks in 16 bits."),
    IMAGES(capacity_bytes, .unit = "B", .help = "Memory of the device."),
    NNC_BOOL(nnc_images, fits, .help = "Whether it holds all weights at once."),
    IMAGES(price_per_device_hour, .help = "Price of the device for one hour."),
    IMAGES(per_thousand_images, .help = "Price of a thousand images."),
    IMAGES(energy_j_per_image, .unit = "J",
           .help = "Energy of an image at the board's rated power."),
    IMAGES(carbon_g_per_thousand_images, .unit = "g",
           .help = "Carbon dioxide of a thousand images, of that energy."),
};
static const nnc_metrics figures = NNC_METRICS("images by diffusion", figure_rows, nnc_images);

NNC_GET(get_model, nnc_report, nnc_text_cell(self->model->id))
NNC_GET(get_device, nnc_report, nnc_text_cell(self->device->id))
NNC_GET(get_software, nnc_report, nnc_text_cell(self->software->id))
NNC_GET(get_encoders, nnc_report, nnc_text_cell(self->model->text_encoders))
NNC_GET(get_decoder, nnc_report, nnc_text_cell(self->model->image_decoder))
NNC_GET(get_image_currency, nnc_report, nnc_text_cell(nnc_price_currency(self->device)))

static const nnc_metric images_rows[] = {
    NNC_AS("model", TEXT, .get = get_model, .help = "Id of the model."),
    NNC_AS("device", TEXT, .get = get_device, .help = "Id of the device."),
    NNC_AS("software", TEXT, .get = get_software, .help = "Id of the software profile."),
    NNC_AS("text_encoders", TEXT, .get = get_encoders, .help = "Models that read the prompt."),
    NNC_AS("image_decoder", TEXT, .get = get_decoder, .help = "The model that makes the image."),
    NNC_AS("currency", TEXT, .get = get_image_currency, .help = "Currency of the prices."),
    NNC_AS("images", OBJECT, NNC_VIA(nnc_report, images), .rows = &figures),
};
const nnc_metrics nnc_images_metrics = NNC_METRICS("images by diffusion", images_rows, nnc_report);
