/* One estimate as JSON, with the members that the program prints: calls of the library. */
#include <stdlib.h>

#include <nncost/nncost.h>

#include "base/base_internal.h"
#include "estimate/estimate_internal.h"
#include "record/record_internal.h"
#include "render/render_internal.h"

static nnc_status take(nnc_buffer *out, char **text, size_t *size, nnc_error *err)
{
    const size_t length = out->size;
    nnc_buffer_byte(out, '\0');
    if (out->failed) {
        nnc_buffer_free(out);
        return nnc_no_memory(err);
    }
    *text = out->bytes;
    if (size != NULL) {
        *size = length;
    }
    return NNC_OK;
}

static nnc_status write(const char *function, nnc_report *report, const nnc_profiles *profiles,
                        const nnc_plan *plan, nnc_scratch *scratch, char **text, size_t *size,
                        nnc_error *err)
{
    nnc_result result;
    nnc_advice advice[NNC_ADVICE_MAX];
    nnc_buffer out = { 0 };
    NNC_TRY(nnc_need(function, "scratch", scratch != NULL, err));
    NNC_TRY(nnc_need(function, "text", text != NULL, err));
    *text = NULL;
    NNC_TRY(nnc_report_estimate(report, plan, scratch, &result, err));
    if (result.verdict == NNC_OVER_MEMORY) {
        NNC_TRY(nnc_report_advise(report, profiles, plan, scratch, &result, advice, err));
    }
    const nnc_place place = { .record = report };
    nnc_record document = nnc_record_begin(&out, NNC_ESTIMATE_SCHEMA);
    nnc_record_members(&document, &nnc_estimate_document, &place);
    nnc_record_end(&document);
    return take(&out, text, size, err);
}

nnc_status nnc_estimate_json(const nnc_model *model, const nnc_device *device,
                             const nnc_software *software, const nnc_plan *plan,
                             nnc_scratch *scratch, char **text, size_t *size, nnc_error *err)
{
    static const char here[] = "nnc_estimate_json";
    nnc_estimate_args asked;
    NNC_TRY(nnc_estimate_args_read(here, model, device, software, plan, &asked, err));
    const nnc_profiles profiles = nnc_profiles_of_one(asked.software);
    nnc_report report = { .model = model, .device = device, .software = asked.software };
    return write(here, &report, &profiles, &asked.plan, scratch, text, size, err);
}

nnc_status nnc_estimate_json_by_plan(const nnc_model *model, const nnc_device *device,
                                     const nnc_profiles *profiles, const nnc_plan *plan,
                                     nnc_scratch *scratch, char **text, size_t *size,
                                     nnc_error *err)
{
    static const char here[] = "nnc_estimate_json_by_plan";
    nnc_plan full;
    NNC_TRY(nnc_need(here, "model", model != NULL, err));
    NNC_TRY(nnc_need(here, "device", device != NULL, err));
    NNC_TRY(nnc_need(here, "profiles", profiles != NULL, err));
    NNC_TRY(nnc_plan_read(plan, &full, err));
    nnc_report report = { .model = model,
                          .device = device,
                          .software = nnc_profile_of(profiles, model, device, &full),
                          .software_chosen = true };
    return write(here, &report, profiles, &full, scratch, text, size, err);
}

void nnc_text_free(char *text)
{
    free(text);
}
