#include "cli/estimate/step_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "render/text.h"

/* How near earlier predictions of this kind came to what was measured. */
static void write_past(nnc_sheet *sheet, const nnc_report *report)
{
    static const char *const few[NNC_PAST_FEWEST] = { "none", "one", "two" };
    char error[NNC_NUMBER_TEXT], bias[NNC_NUMBER_TEXT], others[64] = "";
    const nnc_past *p = &report->past;
    if (p->of == NNC_PAST_NONE) {
        return;
    }
    nnc_sheet_label(sheet, "");
    if (p->of == NNC_PAST_FEW) {
        nnc_sheet_words(sheet,
                        "%s measured step%s of this family and profile%s: how near it comes is "
                        "not known",
                        p->rows == 0 ? "no" : few[p->rows], p->rows == 2 ? "s" : "",
                        p->rows == 0 ? "" : " alone");
        nnc_sheet_end(sheet);
        return;
    }
    if (p->of == NNC_PAST_ALL_DEVICES) {
        snprintf(others, sizeof others, " on any device, %s on this one", few[p->device_rows]);
    }
    nnc_sheet_words(sheet,
                    "%" PRId64 " measured steps of this %sfamily and profile%s, %" PRId64
                    " of them unseen by any fit: mean error %s, bias %s%s",
                    p->rows, p->of == NNC_PAST_DEVICE ? "device, " : "", others, p->unseen,
                    nnc_percent_text(p->error, error), p->bias < 0.0 ? "-" : "+",
                    nnc_percent_text(fabs(p->bias), bias));
    nnc_sheet_end(sheet);
}

void nnc_step_text(nnc_sheet *sheet, const nnc_report *report)
{
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    const nnc_result *result = report->result;

    nnc_sheet_label(sheet, "step");
    nnc_sheet_item(sheet, NNC_INK_STRONG, "%s", nnc_unit_text(result->step_s, "s", a));
    if (!isnan(result->interval_s[0]) && !isnan(result->interval_s[1])) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "nine of ten measurements fall in %s .. %s",
                       nnc_unit_text(result->interval_s[0], "s", a),
                       nnc_unit_text(result->interval_s[1], "s", b));
    }
    if (result->plan.pipeline > 1) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "busiest stage %" PRId32 " of %" PRId32, result->stage,
                       result->plan.pipeline);
    }
    nnc_sheet_end(sheet);
    write_past(sheet, report);
}
