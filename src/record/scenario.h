/* One model on one device under one plan: loading it, with what is changed on top, and estimating it. */
#ifndef NNCOST_RECORD_SCENARIO_H
#define NNCOST_RECORD_SCENARIO_H

#include <nncost/spec.h>

#include "base/arena.h"
#include "input/field.h"
#include "input/kind.h"
#include "metrics/report.h"

/* A field of the plan or of the run, as text. */
typedef struct nnc_setting {
    const nnc_field *field;
    const char *value;
} nnc_setting;

enum { NNC_SETTINGS_MAX = 64, NNC_SETS_MAX = 64, NNC_ADVICE_MAX = 3 };

/* Estimates the plan of a report whose specs are set. Its ops are valid until the next use of scratch. */
nnc_status nnc_report_estimate(nnc_report *report, const nnc_plan *plan, nnc_scratch *scratch,
                               nnc_result *result, nnc_error *err);

/* Looks for the smallest changes with which an estimated plan that does not fit would. Both calls take the same
 * plan, scratch and result. */
nnc_status nnc_report_advise(nnc_report *report, const nnc_profiles *profiles, const nnc_plan *plan,
                             nnc_scratch *scratch, nnc_result *result,
                             nnc_advice advice[NNC_ADVICE_MAX], nnc_error *err);

/* What stands on top of the files. */
typedef struct nnc_given {
    const char *software, *cluster;      /* NULL = not given */
    const char *seller, *offer, *region; /* whose prices, on what terms, where; NULL = not given */
    const char *building;                /* whose data centre; NULL = not given */
    bool asks_run;                       /* the whole run, though nothing is said of it */
    nnc_setting settings[NNC_SETTINGS_MAX]; /* each field once */
    int setting_count;
    const char *sets[NNC_SETS_MAX]; /* "FIELD=VALUE", in the order given */
    int set_count;
} nnc_given;

/* Is what was given in money, settings and the amount of an option, in the currency of the device's prices? */
nnc_status nnc_given_currency(const nnc_given *given, const nnc_device *device, nnc_error *err);
nnc_status nnc_currency_is(const char *option, const char *text, const nnc_device *device,
                           nnc_error *err);

/* report points into the rest: a scenario must not be moved once it is estimated. */
typedef struct nnc_scenario {
    nnc_model model;
    nnc_device device;
    nnc_specs *specs;
    nnc_profiles profiles; /* that software is one of: see nnc_scenario_profiles */
    nnc_software software;
    nnc_plan plan;
    nnc_run_ask run_ask;
    nnc_region region;                          /* that the report names */
    nnc_building building;                      /* that the report names */
    bool asks_run;                              /* something is said of the run */
    double rollout_tokens_per_s, rollout_batch; /* of a device that generates; NaN = does not */
    char overrides[256];                        /* the --set options, "" = none */
    nnc_result result;
    nnc_run run;
    nnc_advice advice[NNC_ADVICE_MAX];
    nnc_interval *intervals; /* of the report; NULL = none */
    nnc_report report;
} nnc_scenario;

/* Loads the files, then applies what is given in its order. A bad value is NNC_BAD_USAGE and
 * err->where names the option. The asked names must outlive the scenario. */
nnc_status nnc_scenario_load(nnc_specs *specs, const nnc_given *given, const char *model_asked,
                             const char *device_asked, nnc_scenario *scenario, nnc_error *err);

/* The profile that was asked for, of a scenario whose specs are set; those that a plan chooses are left open. Then the
 * one of its plan. */
nnc_status nnc_scenario_asked_profiles(nnc_scenario *scenario, const char *asked, nnc_error *err);
nnc_status nnc_scenario_choose(nnc_scenario *scenario, nnc_error *err);

/* Loads the profiles of other plans, which most scenarios do not need, unless they are there. */
nnc_status nnc_scenario_profiles(nnc_scenario *scenario, nnc_error *err);

/* On what terms, by the one that is given. */
nnc_status nnc_given_offer(const nnc_given *given, nnc_offer *offer, nnc_error *err);

/* Changes what a scenario holds: links, plan, and what sets name. */
nnc_status nnc_scenario_apply(nnc_specs *specs, const nnc_given *given, nnc_scenario *scenario,
                              nnc_error *err);

/* Estimates it; where it does not fit, looks for the smallest changes that would. Afterwards
 * scenario->report is complete, its ops valid until the next use of scratch. */
nnc_status nnc_scenario_estimate(nnc_scenario *scenario, nnc_scratch *scratch, nnc_error *err);

/* Takes what nothing is said of in a run from the device file and the region; false: no run is asked for. */
bool nnc_scenario_settle_run(nnc_scenario *scenario);

/* Works out the run of an estimate, where one is asked for. */
nnc_status nnc_scenario_run(nnc_scenario *scenario, nnc_error *err);

/* Adds the timeline of that estimate to the report, stage by stage, each in the order of time; and frees it. */
nnc_status nnc_scenario_timeline(nnc_scenario *scenario, nnc_scratch *scratch, nnc_error *err);
void nnc_scenario_timeline_free(nnc_scenario *scenario);

#endif
