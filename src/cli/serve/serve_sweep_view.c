#include "cli/serve/serve_sweep_view.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "render/sheet.h"
#include "render/table.h"
#include "render/text.h"
#include "serve/serve_images.h"

static const nnc_metric sweep_rows[] = {
    NNC_AS("illegal", WHOLE, NNC_IN(nnc_serve_rows, illegal), .help = "Rows that were left out."),
    NNC_AS("rows", LIST, NNC_IN(nnc_serve_rows, reports), NNC_COUNT(nnc_serve_rows, count),
           .rows = &nnc_serve_metrics, .help = "One for each combination."),
};
static const nnc_metrics sweep_document =
    NNC_METRICS("served side by side", sweep_rows, nnc_serve_rows);

static const nnc_metric images_rows[] = {
    NNC_AS("illegal", WHOLE, NNC_IN(nnc_serve_rows, illegal), .help = "Rows that were left out."),
    NNC_AS("rows", LIST, NNC_IN(nnc_serve_rows, reports), NNC_COUNT(nnc_serve_rows, count),
           .rows = &nnc_images_metrics, .help = "One for each combination."),
};
static const nnc_metrics images_document =
    NNC_METRICS("images side by side", images_rows, nnc_serve_rows);

static nnc_lines images_lines(const void *record)
{
    const nnc_serve_rows *rows = record;
    return (nnc_lines){ &nnc_images_metrics, NULL, rows->reports, rows->count };
}

static nnc_lines sweep_lines(const void *record)
{
    const nnc_serve_rows *rows = record;
    return (nnc_lines){ &nnc_serve_metrics, NULL, rows->reports, rows->count };
}

/* One model that does, and all that are left do. */
static bool draws_images(const nnc_serve_rows *rows)
{
    return rows->reports[0].images != NULL;
}

static void put_heads(nnc_table *table, const nnc_serve_rows *rows)
{
    static const char *const tokens[] = { "TTFT",         "TPOT",       "request", "tok/s",
                                          "tok/s/device", "tok/s/user", "fit",     "per M out" };
    static const char *const images[] = { "time", "a step", "images/s", "per thousand", "energy" };
    const bool draws = draws_images(rows);
    const char *const *figures = draws ? images : tokens;
    const size_t figure_count =
        draws ? sizeof images / sizeof images[0] : sizeof tokens / sizeof tokens[0];
    const struct {
        const char *text;
        bool varies;
    } whole[] = { { "model", rows->models },
                  { "device", rows->devices },
                  { "software", rows->engines } };
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++) {
        if (whole[i].varies) {
            nnc_table_head(table, (nnc_head){ .text = whole[i].text, .left = true });
        }
    }
    for (int32_t i = 0; i < rows->name_count; i++) {
        nnc_table_head(table, (nnc_head){ .text = rows->names[i] });
    }
    for (size_t i = 0; i < figure_count; i++) {
        nnc_table_head(table, (nnc_head){ .text = figures[i] });
    }
    if (!draws) {
        nnc_table_head(table, (nnc_head){ .text = "decode", .left = true });
    }
    nnc_table_head(table, (nnc_head){ .text = "", .left = true });
}

static void put_count(nnc_table *table, double count)
{
    char text[NNC_NUMBER_TEXT];
    nnc_table_cell(table, nnc_count_text(count, text));
}

static void put_images(nnc_table *table, const nnc_images *images)
{
    nnc_table_number(table, images->image_s, "s");
    nnc_table_number(table, images->forward_s, "s");
    put_count(table, images->images_per_s);
    put_count(table, images->per_thousand_images);
    nnc_table_number(table, images->energy_j_per_image, "J");
    nnc_table_cell(table, images->fits ? "" : "does not fit");
}

static void put_row(nnc_table *table, const nnc_serve_rows *rows, int64_t row)
{
    const nnc_report *report = &rows->reports[row];
    const char *const whole[] = { report->model->id, report->device->id, report->software->id };
    const bool varies[] = { rows->models, rows->devices, rows->engines };
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++) {
        if (varies[i]) {
            nnc_table_cell(table, whole[i]);
        }
    }
    for (int32_t i = 0; i < rows->name_count; i++) {
        nnc_table_cell(table, rows->values[row][rows->axis_of[i]]);
    }
    if (report->images != NULL) {
        put_images(table, report->images);
        return;
    }
    const nnc_serve *s = report->serve;
    nnc_table_number(table, isinf(s->ttft_s) ? (double)NAN : s->ttft_s, "s");
    nnc_table_number(table, s->tpot_s, "s");
    nnc_table_number(table, isinf(s->request_s) ? (double)NAN : s->request_s, "s");
    put_count(table, s->output_tokens_per_s);
    put_count(table, s->output_tokens_per_s_per_device);
    put_count(table, s->tokens_per_s_per_user);
    put_count(table, s->max_sequences);
    put_count(table, s->per_million_output_tokens);
    nnc_table_cell(table, nnc_bound_name(s->decode.bound));
    nnc_table_cell(table, !s->fits ? "does not fit" : s->saturated ? "saturated" : "");
}

static void sweep_page(nnc_buffer *out, nnc_style style, const void *record)
{
    const nnc_serve_rows *rows = record;
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    nnc_table table = { .count = 0 };
    put_heads(&table, rows);
    for (int64_t row = 0; row < rows->count; row++) {
        put_row(&table, rows, row);
    }
    nnc_table_write(&table, out, style);
    if (rows->illegal > 0) {
        nnc_sheet_gap(&sheet);
        nnc_sheet_label(&sheet, "");
        nnc_sheet_words(&sheet, "%" PRId64 " illegal row%s left out", rows->illegal,
                        rows->illegal > 1 ? "s" : "");
        nnc_sheet_end(&sheet);
    }
}

const nnc_view nnc_serve_sweep_view = { .schema = "nncost.serve-sweep/1",
                                        .document = &sweep_document,
                                        .lines = sweep_lines,
                                        .page = sweep_page };
const nnc_view nnc_images_sweep_view = { .schema = "nncost.images-sweep/1",
                                         .document = &images_document,
                                         .lines = images_lines,
                                         .page = sweep_page };
