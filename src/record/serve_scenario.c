#include "record/serve_scenario.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"

static nnc_status apply_settings(const nnc_given *given, nnc_serve_ask *ask, nnc_error *err)
{
    for (int i = 0; i < given->setting_count; i++) {
        const nnc_setting *setting = &given->settings[i];
        if (nnc_field_set(&nnc_serve_table, ask, setting->field->name, setting->value, err) !=
            NNC_OK) {
            char name[NNC_OPTION_NAME];
            snprintf(err->where, sizeof err->where, "%s",
                     nnc_option_name(setting->field->name, name));
            err->status = NNC_BAD_USAGE;
            return NNC_BAD_USAGE;
        }
    }
    return NNC_OK;
}

nnc_status nnc_serve_scenario_load(nnc_specs *specs, const nnc_given *given,
                                   const char *model_asked, const char *device_asked,
                                   nnc_serve_scenario *scenario, nnc_error *err)
{
    nnc_given rest = *given;
    rest.setting_count = 0;
    rest.asks_run = false;
    rest.software = given->software != NULL ? given->software : NNC_SERVE_SOFTWARE;
    if (!nnc_software_is_chosen(rest.software)) {
        NNC_TRY(nnc_scenario_load(specs, &rest, model_asked, device_asked, &scenario->base, err));
    } else {
        return nnc_fail(err, NNC_BAD_USAGE, "--software",
                        "expected the profile of an engine, such as %s, found \"%s\"",
                        NNC_SERVE_SOFTWARE, rest.software);
    }
    scenario->base.report.overrides =
        scenario->base.overrides[0] != '\0' ? scenario->base.overrides : NULL;
    scenario->ask = nnc_serve_ask_default();
    NNC_TRY(apply_settings(given, &scenario->ask, err));
    if (scenario->base.report.region != NULL && isnan(scenario->ask.carbon_g_per_kwh)) {
        scenario->ask.carbon_g_per_kwh = scenario->base.region.carbon_g_per_kwh;
    } else {
        scenario->base.report.region = NULL; /* what was said of the grid counts */
    }
    return nnc_given_currency(given, &scenario->base.device, err);
}

nnc_status nnc_serve_scenario_answer(nnc_serve_scenario *scenario, nnc_scratch *scratch,
                                     nnc_error *err)
{
    nnc_report *report = &scenario->base.report;
    int32_t count = 0;
    scenario->serve.struct_size = sizeof scenario->serve;
    NNC_TRY(nnc_serve_into(report->model, report->device, report->software, &scenario->ask, scratch,
                           &scenario->serve, scenario->ops, &count, err));
    report->serve_ask = &scenario->ask;
    report->serve = &scenario->serve;
    report->serve_ops = scenario->ops;
    report->serve_op_count = count;
    report->scratch = scratch;
    return NNC_OK;
}
