#include "estimate/plan_asked.h"

#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "estimate/scratch.h"

nnc_status nnc_plan_read(const nnc_plan *given, nnc_plan *plan, nnc_error *err)
{
    if (given == NULL) {
        *plan = nnc_plan_default();
        return NNC_OK;
    }
    if (given->struct_size == sizeof *plan) {
        *plan = *given;
    } else {
        *plan = nnc_plan_default();
        NNC_TRY(nnc_sized_read(plan, sizeof *plan, given, "nnc_plan", err));
    }
    return nnc_plan_check(plan, err);
}

nnc_status nnc_asked_read(const char *function, const nnc_model *model, const nnc_device *device,
                          const nnc_software *software, const nnc_plan *plan, nnc_asked *asked,
                          nnc_error *err)
{
    NNC_TRY(nnc_need(function, "model", model != NULL, err));
    NNC_TRY(nnc_need(function, "device", device != NULL, err));
    NNC_TRY(nnc_plan_read(plan, &asked->plan, err));
    asked->software = software;
    if (software == NULL) {
        asked->neutral = nnc_software_default();
        asked->software = &asked->neutral;
        return NNC_OK;
    }
    return nnc_software_check(software, err);
}

nnc_status nnc_plan_resolve_into(const nnc_plan *plan, const nnc_model *model,
                                 const nnc_device *device, nnc_plan *resolved, nnc_error *err)
{
    static const char here[] = "nnc_plan_resolve";
    nnc_plan asked, full;
    NNC_TRY(nnc_need(here, "model", model != NULL, err));
    NNC_TRY(nnc_need(here, "device", device != NULL, err));
    NNC_TRY(nnc_need(here, "resolved", resolved != NULL, err));
    NNC_TRY(nnc_sized_check(resolved, sizeof *resolved, "nnc_plan", err));
    NNC_TRY(nnc_plan_read(plan, &asked, err));
    NNC_TRY(nnc_plan_settle(&asked, model, device, &full, err));
    nnc_sized_write(resolved, &full, sizeof full);
    return NNC_OK;
}

/* Estimates in a row have much in common: what was checked last need not be checked again. */
static nnc_status read_again(const char *function, const nnc_model *model, const nnc_device *device,
                             const nnc_software *software, const nnc_plan *plan,
                             nnc_scratch *scratch, nnc_error *err)
{
    nnc_asked asked;
    NNC_TRY(nnc_need(function, "model", model != NULL, err));
    NNC_TRY(nnc_need(function, "device", device != NULL, err));
    /* Equal bytes are equal values; others are read again.
     * NOLINTBEGIN(bugprone-suspicious-memory-comparison,cert-exp42-c,cert-flp37-c) */
    if (plan != NULL && software != NULL &&
        memcmp(software, &scratch->software, sizeof *software) == 0 &&
        plan->struct_size == sizeof *plan && memcmp(plan, &scratch->plan, sizeof *plan) == 0) {
        return NNC_OK;
    }
    /* NOLINTEND(bugprone-suspicious-memory-comparison,cert-exp42-c,cert-flp37-c) */
    scratch->plan.struct_size = 0; /* none, should this one fail */
    NNC_TRY(nnc_asked_read(function, model, device, software, plan, &asked, err));
    memcpy(&scratch->software, asked.software, sizeof scratch->software);
    memcpy(&scratch->plan, &asked.plan, sizeof scratch->plan);
    return NNC_OK;
}

nnc_status nnc_estimate_into(const nnc_model *model, const nnc_device *device,
                             const nnc_software *software, const nnc_plan *plan,
                             nnc_scratch *scratch, nnc_result *result, nnc_error *err)
{
    static const char here[] = "nnc_estimate";
    NNC_TRY(nnc_need(here, "scratch", scratch != NULL, err));
    NNC_TRY(nnc_need(here, "result", result != NULL, err));
    NNC_TRY(nnc_sized_check(result, sizeof *result, "nnc_result", err));
    nnc_result *const whole = result->struct_size == sizeof *result ? result : &scratch->result;
    nnc_status status = read_again(here, model, device, software, plan, scratch, err);
    if (status == NNC_OK) {
        status = nnc_estimate_asked(model, device, &scratch->software, &scratch->plan, scratch,
                                    whole, err);
    } else {
        memset(whole, 0, sizeof *whole);
        whole->struct_size = sizeof *whole;
        scratch->shown = NULL;
    }
    if (whole != result) {
        nnc_sized_write(result, whole, sizeof *whole);
    }
    return status;
}
