/* A scenario: all inputs of one computation, loaded and with defaults, and its results. Every command that computes
 * something starts with a scenario.
 *
 *     arguments (model, device, --software, --cluster, --region, --seller, plan options, --set)
 *         -> scenario: specs, plan, run, with every change applied in the order given
 *         -> estimate, advice, run or serving -> report
 *
 * This folder uses input/, estimate/, serve/ and run/. sweep, search, record and the commands use this folder. */
#ifndef NNCOST_SCENARIO_SCENARIO_INTERNAL_H
#define NNCOST_SCENARIO_SCENARIO_INTERNAL_H

#include <nncost/spec.h>

#include "estimate/estimate_internal.h"
#include "input/input_internal.h"
#include "metrics/metrics_internal.h"
#include "serve/serve_internal.h"

/* ---- arguments of a scenario ---- */

/* An option of the command line: a field of the plan or of the run, and its value as text. */
typedef struct nnc_setting {
    const nnc_field *field;
    const char *value;
} nnc_setting;

enum { NNC_SETTINGS_MAX = 64, NNC_SETS_MAX = 64, NNC_ADVICE_MAX = 3 };

/* Changes to the files that a scenario loads. A NULL pointer means that the argument is not given. */
typedef struct nnc_scenario_args {
    const char *software, *cluster;
    const char *seller, *offer, *region;    /* seller: seller of the prices; offer: terms of the offer; region: place
                                             * of the devices */
    const char *building;                   /* data centre, whose PUE (energy overhead) is used */
    bool asks_run;                          /* true: a training run is computed even if no setting of the run is
                                             * given */
    nnc_setting settings[NNC_SETTINGS_MAX]; /* settings of the plan or run; each field occurs once */
    int setting_count;
    int own_count;                  /* settings[0] to settings[own_count - 1] come from the command line, the others
                                     * from a defaults file */
    const char *sets[NNC_SETS_MAX]; /* values of --set, "FIELD=VALUE", in the order given */
    int set_count;
    const nnc_launch_said *launch; /* launch files that settings come from; NULL = no file */
} nnc_scenario_args;

/* Returns the value of the setting whose field has this name; NULL = the setting is not given. */
const char *nnc_scenario_setting(const nnc_scenario_args *given, const char *name);
/* Sets the field of a setting in *object, whose fields `table` lists. NNC_BAD_USAGE: err->where is the option. */
nnc_status nnc_setting_apply(const nnc_setting *setting, const nnc_field_table *table, void *object, nnc_error *err);

/* Sets *offer to the terms of the rental that --offer names (on demand, spot ...). */
nnc_status nnc_scenario_args_offer(const nnc_scenario_args *given, nnc_offer *offer, nnc_error *err);

/* Checks that every amount of money has the currency of the device's prices; NNC_BAD_USAGE if not. nnc_currency_is
 * checks one option. */
nnc_status nnc_scenario_args_currency(const nnc_scenario_args *given, const nnc_device *device, nnc_error *err);
nnc_status nnc_currency_is(const char *option, const char *text, const nnc_device *device, nnc_error *err);

/* ---- training scenarios ---- */

/* A training scenario. Do not move it after it is loaded, because its member `report` points into its other members. */
typedef struct nnc_scenario {
    nnc_model model;
    nnc_device device;
    nnc_specs *specs;
    nnc_profiles profiles; /* software profiles by kind of plan; see nnc_scenario_profiles */
    nnc_release release;   /* release of the requested framework; entry NULL = no release was requested */
    nnc_software software; /* software profile in use, a copy of one of `profiles` */
    nnc_plan plan;
    /* Inputs before the release set fields: arguments, plan, and two members of the decoder. Not used without a
     * release. */
    struct nnc_asked {
        nnc_scenario_args given;
        nnc_plan plan;
        int64_t vocab_multiple;
        double dropout;
    } asked;
    nnc_completer completer; /* function that sets the fields of the release in plans that advice changes */
    nnc_run_ask run_ask;
    nnc_region region;                          /* region whose carbon intensity is used; report.region points to it */
    nnc_building building;                      /* data centre whose PUE is used; report.building points to it */
    bool asks_run;                              /* true: a training run is computed in addition to the step */
    double rollout_tokens_per_s, rollout_batch; /* rollout_tokens_per_s: generated tokens per second of one device;
                                                 * rollout_batch: concurrent sequences of one replica; NaN = the run
                                                 * generates no tokens */
    char overrides[256];                        /* changes by --set and switches, for output; "" = no changes */
    nnc_result result;
    nnc_run run;
    nnc_advice advice[NNC_ADVICE_MAX];
    nnc_interval *intervals; /* timeline of the estimate, to which report.intervals points; NULL = no timeline */
    nnc_report report;
} nnc_scenario;

/* Loads the files, then applies the arguments. NNC_BAD_USAGE: a bad value; err->where names the option. The names of
 * model and device must outlive the scenario. */
nnc_status nnc_scenario_load(nnc_specs *specs, const nnc_scenario_args *given, const char *model_asked,
                             const char *device_asked, nnc_scenario *scenario, nnc_error *err);

/* Steps of nnc_scenario_load; sweeps and searches call some of these steps again. nnc_scenario_named_profile loads the
 * software profile with the name `asked`; loads nothing if nncost shall choose the profile. nnc_scenario_choose chooses
 * the profile for the plan. nnc_scenario_profiles loads the profiles of all kinds of plans, which most scenarios do not
 * need. nnc_scenario_apply applies the options for links and plan, and the fields of --set. */
nnc_status nnc_scenario_named_profile(nnc_scenario *scenario, const char *asked, nnc_error *err);
nnc_status nnc_scenario_choose(nnc_scenario *scenario, nnc_error *err);
nnc_status nnc_scenario_profiles(nnc_scenario *scenario, nnc_error *err);
nnc_status nnc_scenario_apply(nnc_specs *specs, const nnc_scenario_args *given, nnc_scenario *scenario, nnc_error *err);

/* Sets the software switches that the arguments name. */
nnc_status nnc_scenario_switch(const nnc_scenario_args *given, nnc_scenario *scenario, nnc_error *err);

/* Sets the plan fields that the release of the scenario fixes and the user did not give, then the switches of the
 * release. model: name of the model in the table of releases. */
nnc_status nnc_scenario_release(nnc_scenario *scenario, const nnc_given *given, const char *model, nnc_error *err);

/* Fails with NNC_BAD_USAGE when a setting of the command line changes nothing because an option that it needs is
 * missing. err names both options. */
nnc_status nnc_scenario_check_read(const nnc_scenario_args *given, const nnc_scenario *scenario, nnc_error *err);

/* For a training method that generates tokens, if the user did not give their rate: computes the rate of one device and
 * the number of concurrent sequences as 'nncost serve' does. Fails if these sequences do not fit in memory. */
nnc_status nnc_scenario_rollout(nnc_specs *specs, nnc_scenario *scenario, nnc_error *err);

/* Estimates the step of the scenario. If the plan does not fit, also searches for the smallest changes with which it
 * fits. Completes the report, whose ops are valid until the next use of scratch. */
nnc_status nnc_scenario_estimate(const nnc_scenario_args *given, nnc_scenario *scenario, nnc_scratch *scratch,
                                 nnc_error *err);

/* If the plan does not fit: sets least_bytes of the report to the memory that the plan needs if the settings that the
 * user left open save memory (recomputation; if no framework is named, also ZeRO, sequence parallelism and the software
 * profile). Uses scratch. */
nnc_status nnc_scenario_lower_end(nnc_scenario *scenario, const nnc_given *given, nnc_scratch *scratch, nnc_error *err);

/* Tries changes of the plan; see nnc_plan_changes_find. The report's ops are then no longer valid. */
nnc_status nnc_scenario_changes(nnc_scenario *scenario, bool quick, nnc_scratch *scratch, nnc_plan_changes *changes,
                                nnc_error *err);

/* Estimates the scenario's plan without a compiler (profile torch-eager), if nncost chose torch.compile for a plan on
 * one device; otherwise result->step_s is NaN. */
nnc_status nnc_scenario_eager(const nnc_scenario *scenario, nnc_scratch *scratch, nnc_result *result, nnc_error *err);

/* Sets the members of the run that the user did not give to values of the device file and of the region. Returns false
 * if no run is to be computed. */
bool nnc_scenario_complete_run(nnc_scenario *scenario);

/* Computes the run (all steps of the training) of an estimated scenario. Does nothing if no run is to be computed. */
nnc_status nnc_scenario_run(nnc_scenario *scenario, nnc_error *err);

/* Lists the properties of the software that the user left open, largest effect on the step first. *count is 0 when
 * the software is named. Uses scratch. Fails with NNC_IO or NNC_NO_MEMORY. */
nnc_status nnc_scenario_open_facts(const nnc_scenario *scenario, nnc_scratch *scratch,
                                   nnc_open_fact facts[NNC_OPEN_FACTS_MAX], int32_t *count, nnc_error *err);

/* Adds the timeline of the estimate to the report, sorted by stage and time; nnc_scenario_timeline_free releases it. */
nnc_status nnc_scenario_timeline(nnc_scenario *scenario, nnc_scratch *scratch, nnc_error *err);
void nnc_scenario_timeline_free(nnc_scenario *scenario);

/* The two parts of nnc_scenario_estimate, for a report that already has model, device and software. nnc_report_estimate
 * and nnc_report_advise must get the same plan, scratch and result. */
nnc_status nnc_report_estimate(nnc_report *report, const nnc_plan *plan, nnc_scratch *scratch, nnc_result *result,
                               nnc_error *err);
nnc_status nnc_report_advise(nnc_report *report, const nnc_profiles *profiles, const nnc_plan *plan,
                             nnc_scratch *scratch, nnc_result *result, nnc_advice advice[NNC_ADVICE_MAX],
                             nnc_error *err);

/* Returns a device that can run any model, for counting the parameters of a model. */
nnc_device nnc_counting_device(void);
/* Tests whether the model has the number of parameters that its file states, within 1 %. Also true if the file states
 * no number, or the parameters cannot be counted. */
bool nnc_model_as_published(const nnc_model *model, int64_t *params);

/* ---- serving scenarios ---- */

/* Name of the engine profile (software profile for serving) that is used when none is named. */
#define NNC_SERVE_SOFTWARE "vllm"

/* A serving scenario. Do not move it after it is loaded, because `base.report` points into its other members. */
typedef struct nnc_serve_scenario {
    nnc_scenario base; /* model, device and software; the training plan in it is not used */
    nnc_serve_ask ask;
    nnc_serve serve;
    nnc_serve_op ops[NNC_SERVE_OPS_MAX];
    nnc_serve_change changes[NNC_SERVE_CHANGES_MAX];
    nnc_images_ask images_ask; /* inputs of image generation; steps = 0: the model generates tokens, not images */
    nnc_images images;
} nnc_serve_scenario;

/* Works as nnc_scenario_load, but for serving: the settings are fields of the serve plan. */
nnc_status nnc_serve_scenario_load(nnc_specs *specs, const nnc_scenario_args *given, const char *model_asked,
                                   const char *device_asked, nnc_serve_scenario *scenario, nnc_error *err);

/* Works as nnc_scenario_check_read, for the settings of a serve plan. */
nnc_status nnc_serve_scenario_check_read(const nnc_scenario_args *given, const nnc_serve_scenario *scenario,
                                         nnc_error *err);

/* Computes latency, throughput, memory and cost of the deployment, and completes base.report. */
nnc_status nnc_serve_scenario_compute(nnc_serve_scenario *scenario, nnc_scratch *scratch, nnc_error *err);

/* Finds changes that improve a computed deployment with a static batch, and adds them to base.report. If the deployment
 * does not fit: the fewest tensor ranks, and the least compressed weight format, with which it fits on these devices.
 * Then the largest batch that fits and needs at most NNC_SERVE_TOKEN_S seconds per token. */
#define NNC_SERVE_TOKEN_S 0.05
void nnc_serve_scenario_changes(nnc_serve_scenario *scenario, nnc_scratch *scratch);

#endif
