#include "cli/serve/serve_images_view.h"

#include <inttypes.h>
#include <math.h>

#include "render/sheet.h"
#include "render/subject.h"
#include "render/text.h"
#include "serve/serve_images.h"

static nnc_lines images_lines(const void *record)
{
    return (nnc_lines){ &nnc_images_metrics, NULL, record, 1 };
}

/* What stands before and behind the passes. */
static void write_parts(nnc_sheet *sheet, const nnc_report *report)
{
    const nnc_images *i = report->images;
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    nnc_sheet_label(sheet, "parts");
    if (i->plan.encoder_count > 0) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "prompt %s (%s)", nnc_unit_text(i->text_s, "s", a),
                       report->model->text_encoders);
    }
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%" PRId64 " x %s", i->plan.steps,
                   nnc_unit_text(i->forward_s, "s", a));
    if (i->plan.decoder != NULL) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "image %s (%s)", nnc_unit_text(i->decode_s, "s", a),
                       report->model->image_decoder);
    }
    nnc_sheet_item(sheet, i->fits ? NNC_INK_PLAIN : NNC_INK_BAD, "weights %s of %s",
                   nnc_unit_text(i->weight_bytes, "B", a),
                   nnc_unit_text(i->capacity_bytes, "B", b));
    nnc_sheet_end(sheet);
}

static void images_page(nnc_buffer *out, nnc_style style, const void *record)
{
    const nnc_report *self = record;
    const nnc_images *i = self->images;
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    sheet.indent = 11;
    nnc_sheet_label(&sheet, "images");
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%s on %s", self->model->id, self->device->id);
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%" PRId64 " x %" PRId64 " pixels", i->plan.image,
                   i->plan.image);
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%" PRId64 " at a time", i->plan.batch);
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%" PRId64 " steps%s", i->plan.steps,
                   i->plan.guidance ? " with guidance" : "");
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%s", nnc_dtype_name(i->plan.precision));
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "software %s", self->software->id);
    nnc_sheet_end(&sheet);
    write_parts(&sheet, self);
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
                       nnc_count_text(i->per_thousand_images, a), nnc_price_currency(self->device));
    }
    const nnc_price *price = self->device->price_count > 0 ? self->device->prices : NULL;
    if (price != NULL && price->per_device_hour == i->price_per_device_hour) {
        nnc_sheet_price(&sheet, price);
    }
    if (!isnan(i->energy_j_per_image)) {
        nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%s an image at rated power",
                       nnc_unit_text(i->energy_j_per_image, "J", a));
    }
    if (!isnan(i->carbon_g_per_thousand_images)) {
        nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%s g of carbon dioxide per thousand",
                       nnc_count_text(i->carbon_g_per_thousand_images, a));
        nnc_sheet_region(&sheet, self->region);
    }
    nnc_sheet_end(&sheet);
}

const nnc_view nnc_images_view = { .schema = "nncost.images/1",
                                   .document = &nnc_images_metrics,
                                   .lines = images_lines,
                                   .page = images_page };
