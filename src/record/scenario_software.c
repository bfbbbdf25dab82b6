/* The software profile of a scenario: the one that was asked for, or the plan's. */
#include "base/error.h"
#include "record/scenario.h"

nnc_status nnc_scenario_asked_profiles(nnc_scenario *scenario, const char *asked, nnc_error *err)
{
    if (!nnc_software_is_chosen(asked)) {
        return nnc_profiles_asked(scenario->specs, asked, &scenario->profiles, err);
    }
    scenario->profiles = (nnc_profiles){ .any = asked != NULL };
    return NNC_OK;
}

nnc_status nnc_scenario_choose(nnc_scenario *s, nnc_error *err)
{
    const nnc_software *software = nnc_profile_of(&s->profiles, &s->model, &s->device, &s->plan);
    if (software == NULL) {
        NNC_TRY(nnc_profile_load(s->specs, nnc_profile_kind_of(&s->model, &s->device, &s->plan),
                                 &software, err));
    }
    s->software = *software;
    return NNC_OK;
}

nnc_status nnc_scenario_profiles(nnc_scenario *scenario, nnc_error *err)
{
    const bool any = scenario->profiles.any;
    if (scenario->profiles.of[NNC_PROFILE_COPIES] == NULL) {
        NNC_TRY(nnc_profiles_load(scenario->specs, &scenario->profiles, err));
        scenario->profiles.any = any;
    }
    return NNC_OK;
}
