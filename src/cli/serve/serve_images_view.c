#include "cli/serve/serve_images_view.h"

#include <inttypes.h>
#include <math.h>

#include "render/sheet.h"
#include "render/text.h"

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
    IMAGES(image_s, .unit = "s", .help = "Until the images of a batch are done."),
    IMAGES(lower_bound_s, .unit = "s", .help = "What no implementation beats."),
    IMAGES(images_per_s, .help = "Images per second of one device."),
    IMAGES(utilization, .show = NNC_SHOW_PERCENT, .help = "Share of the peak FLOP/s that is used."),
    IMAGES(weight_bytes, .unit = "B", .help = "Weights in 16 bits."),
    IMAGES(price_per_device_hour, .help = "Price of the device for one hour."),
    IMAGES(per_thousand_images, .help = "Price of a thousand images."),
    IMAGES(energy_j_per_image, .unit = "J",
           .help = "Energy of an image at the board's rated power."),
};
static const nnc_metrics figures = NNC_METRICS("images by diffusion", figure_rows, nnc_images);

NNC_GET(get_model, nnc_images_report, nnc_text_cell(self->report->model->id))
NNC_GET(get_device, nnc_images_report, nnc_text_cell(self->report->device->id))
NNC_GET(get_software, nnc_images_report, nnc_text_cell(self->software->id))

static const nnc_metric images_rows[] = {
    NNC_AS("model", TEXT, .get = get_model, .help = "Id of the model."),
    NNC_AS("device", TEXT, .get = get_device, .help = "Id of the device."),
    NNC_AS("software", TEXT, .get = get_software, .help = "Id of the software profile."),
    NNC_ROWS(&figures, NNC_VIA(nnc_images_report, images)),
};
static const nnc_metrics images_document =
    NNC_METRICS("images by diffusion", images_rows, nnc_images_report);

static nnc_lines images_lines(const void *record)
{
    return (nnc_lines){ &images_document, NULL, record, 1 };
}

static void images_page(nnc_buffer *out, nnc_style style, const void *record)
{
    const nnc_images_report *self = record;
    const nnc_images *i = self->images;
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    sheet.indent = 11;
    nnc_sheet_label(&sheet, "images");
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%s on %s", self->report->model->id,
                   self->report->device->id);
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%" PRId64 " x %" PRId64 " pixels", i->plan.image,
                   i->plan.image);
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%" PRId64 " at a time", i->plan.batch);
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%" PRId64 " steps%s", i->plan.steps,
                   i->plan.guidance ? " with guidance" : "");
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%s", nnc_dtype_name(i->plan.precision));
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "software %s", self->software->id);
    nnc_sheet_end(&sheet);
    nnc_sheet_label(&sheet, "time");
    nnc_sheet_item(&sheet, NNC_INK_STRONG, "%s", nnc_unit_text(i->image_s, "s", a));
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%s a step", nnc_unit_text(i->forward_s, "s", b));
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "at least %s in all",
                   nnc_unit_text(i->lower_bound_s, "s", a));
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%s of the peak", nnc_percent_text(i->utilization, b));
    nnc_sheet_end(&sheet);
    nnc_sheet_label(&sheet, "throughput");
    nnc_sheet_item(&sheet, NNC_INK_STRONG, "%s images/s", nnc_count_text(i->images_per_s, a));
    if (!isnan(i->per_thousand_images)) {
        nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%s %s per thousand images",
                       nnc_count_text(i->per_thousand_images, a),
                       nnc_price_currency(self->report->device));
    }
    if (!isnan(i->energy_j_per_image)) {
        nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%s an image at rated power",
                       nnc_unit_text(i->energy_j_per_image, "J", a));
    }
    nnc_sheet_end(&sheet);
}

const nnc_view nnc_images_view = { .schema = "nncost.images/1",
                                   .document = &images_document,
                                   .lines = images_lines,
                                   .page = images_page };
