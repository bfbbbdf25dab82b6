/* A scenario is the set of all inputs of one computation, loaded from files and completed by defaults, together with
 * the results. Every command that computes something first makes a scenario from its arguments (model, device,
 * --software, --cluster, --region, --seller, plan options, --set). The scenario has the specs, the plan and the run
 * after all arguments were applied. An estimate, advice, a run or a deployment is then computed from the scenario, and
 * the results are stored in a report.
 *
 * This folder (scenario/) uses the folders input/, estimate/, serve/ and run/. The folders sweep/, search/ and record/
 * and the commands use this folder. */
#ifndef NNCOST_SCENARIO_SCENARIO_INTERNAL_H
#define NNCOST_SCENARIO_SCENARIO_INTERNAL_H

#include <nncost/spec.h>

#include "estimate/estimate_internal.h"
#include "input/input_internal.h"
#include "metrics/metrics_internal.h"
#include "serve/serve_internal.h"

/* ---- the arguments of a command from which a scenario is made ---- */

/* An option of the command line that sets a field of the plan, of the run or of the software switches; `value` is the
 * text that the user gave. */
typedef struct nnc_setting {
    const nnc_field *field;
    const char *value;
} nnc_setting;

enum { NNC_SETTINGS_MAX = 64, NNC_SETS_MAX = 64, NNC_ADVICE_MAX = 3 };

/* The arguments of a command that change the files which a scenario loads, or the settings made from them. A NULL
 * pointer means that the user did not give the argument. */
typedef struct nnc_scenario_args {
    const char *software, *cluster;
    const char *seller, *offer, *region; /* seller: seller of the prices; offer: terms of the offer; region: place
                                             * of the devices */
    /* id of the data centre whose PUE (total energy / energy of the devices) is used */
    const char *building;
    bool asks_run; /* true: a training run is computed even if no setting of the run is
                                             * given */
    bool serves;   /* true: the scenario serves requests with an inference engine; false: it trains or makes images */
    /* settings of the plan, the run or the software switches; a field occurs only once in the list */
    nnc_setting settings[NNC_SETTINGS_MAX];
    int setting_count;
    int own_count;                  /* settings[0] to settings[own_count - 1] come from the command line, the others
                                     * from a defaults file */
    const char *sets[NNC_SETS_MAX]; /* values of the option --set, "FIELD=VALUE", in the order of the command line */
    int set_count;
    /* launch files from which some of the settings come; NULL = no launch file was given */
    const nnc_launch_said *launch;
} nnc_scenario_args;

/* Returns the value of the setting whose field is called `name`; NULL = the arguments have no such setting. */
const char *nnc_scenario_setting(const nnc_scenario_args *given, const char *name);
/* Sets one field of the struct *object to the value of a setting. table: the fields of this struct. If the value is not
 * valid, returns NNC_BAD_USAGE and sets err->where to the option. */
nnc_status nnc_setting_apply(const nnc_setting *setting, const nnc_field_table *table, void *object, nnc_error *err);

/* Sets *offer to the terms of rental that the option --offer names (on demand, spot ...). */
nnc_status nnc_scenario_args_offer(const nnc_scenario_args *given, nnc_offer *offer, nnc_error *err);

/* nnc_scenario_args_currency checks that every amount of money in the arguments is in the currency of the device's
 * prices, and returns NNC_BAD_USAGE if an amount is in another currency. nnc_currency_is checks the value of one
 * option. */
nnc_status nnc_scenario_args_currency(const nnc_scenario_args *given, const nnc_device *device, nnc_error *err);
nnc_status nnc_currency_is(const char *option, const char *text, const nnc_device *device, nnc_error *err);

/* ---- training scenarios ---- */

/* A training scenario. Do not move or copy the struct after loading, because its member `report` points to other
 * members of the same struct. */
typedef struct nnc_scenario {
    nnc_model model;
    nnc_device device;
    nnc_specs *specs;
    nnc_profiles profiles; /* the loaded software profiles, one for each kind of plan; see nnc_scenario_profiles */
    /* release of a profile that --software names; release.entry NULL = the user named no release */
    nnc_release release;
    nnc_software software; /* software profile in use, which is a copy of one of `profiles` */
    nnc_plan plan;
    /* Copies of the inputs from the time before a release of a profile set some of them: the arguments, the plan, and
     * two members of the decoder. The copies of the inputs are stored only if the user named a release. */
    struct nnc_asked {
        nnc_scenario_args given;
        nnc_plan plan;
        int64_t vocab_multiple;
        double dropout;
    } asked;
    nnc_completer completer; /* function that sets the fields of the release anew in each plan that advice changes */
    nnc_run_ask run_ask;
    /* region whose carbon intensity is used; report.region points to this member, or is NULL if no region is used */
    nnc_region region;
    /* data centre whose PUE is used; report.building points to this member, or is NULL if no data centre is used */
    nnc_building building;
    bool asks_run;                              /* true: after the step, the whole training run is computed */
    double rollout_tokens_per_s, rollout_batch; /* rollout_tokens_per_s: generated tokens per second of one device;
                                                 * rollout_batch: concurrent sequences of one replica; NaN = the run
                                                 * generates no tokens */
    /* the changes by --set and by software switches, as text for output; "" = no changes */
    char overrides[256];
    nnc_result result;
    nnc_run run;
    nnc_advice advice[NNC_ADVICE_MAX];
    /* intervals of the timeline, to which report.intervals points; NULL = no timeline was computed */
    nnc_interval *intervals;
    nnc_report report;
} nnc_scenario;

/* Loads the files of a training scenario, then applies the arguments. Returns NNC_BAD_USAGE if an argument has a bad
 * value; err->where then names the option. The names of model and device must exist as long as the scenario. */
nnc_status nnc_scenario_load(nnc_specs *specs, const nnc_scenario_args *given, const char *model_asked,
                             const char *device_asked, nnc_scenario *scenario, nnc_error *err);

/* nnc_scenario_named_profile, nnc_scenario_choose, nnc_scenario_profiles and nnc_scenario_apply are steps of
 * nnc_scenario_load; sweeps and searches call some of these steps again. The function nnc_scenario_named_profile loads
 * the software profile with the name `asked`, or nothing if `asked` leaves the choice to nncost. The function
 * nnc_scenario_choose chooses the default profile of the plan. The function nnc_scenario_profiles loads the profiles
 * for all kinds of plans; most scenarios do not need it. The function nnc_scenario_apply applies the options for links
 * and plan, and the fields that --set changes. */
nnc_status nnc_scenario_named_profile(nnc_scenario *scenario, const char *asked, nnc_error *err);
nnc_status nnc_scenario_choose(nnc_scenario *scenario, nnc_error *err);
nnc_status nnc_scenario_profiles(nnc_scenario *scenario, nnc_error *err);
nnc_status nnc_scenario_apply(nnc_specs *specs, const nnc_scenario_args *given, nnc_scenario *scenario, nnc_error *err);

/* Returns the inputs for the choice of a framework release that follow from the scenario: the ids of its device and
 * model, and the family of the model. */
nnc_release_ask nnc_scenario_release_ask(const nnc_scenario *scenario, const char *model);

/* Sets the switches of the scenario's software profile that the arguments name. */
nnc_status nnc_scenario_switch(const nnc_scenario_args *given, nnc_scenario *scenario, nnc_error *err);

/* Applies a release of a profile: sets the plan fields that the release fixes and the user did not give, then the
 * switches of the release. model: name of the model in the table of releases. */
nnc_status nnc_scenario_release(nnc_scenario *scenario, const nnc_given *given, const char *model, nnc_error *err);

/* If a setting of the command line has no effect on the scenario because another option is missing, nnc_scenario_needs
 * returns the missing option. NULL = the setting has an effect, or states the default of the plan. The function
 * nnc_scenario_check_read fails with NNC_BAD_USAGE if a setting has no effect on any of the `count` scenarios; the
 * error names the setting and the missing option. If `count` is 0, no setting is checked. */
const char *nnc_scenario_needs(const nnc_scenario_args *given, const nnc_setting *setting,
                               const nnc_scenario *scenario);
nnc_status nnc_scenario_check_read(const nnc_scenario_args *given, const nnc_scenario *scenarios, int32_t count,
                                   nnc_error *err);

/* For a training method that generates tokens (rollout), computes the generated tokens per second of one device and the
 * number of concurrent sequences, unless the user gave the rate of generation. The formulas are those of `nncost
 * serve`. Fails if the concurrent sequences do not fit in memory. */
nnc_status nnc_scenario_rollout(nnc_specs *specs, nnc_scenario *scenario, nnc_error *err);

/* Estimates the step of a scenario and completes its report. If the plan does not fit in memory, searches for the
 * smallest changes with which it fits. The ops of the report are valid until the next use of `scratch`. */
nnc_status nnc_scenario_estimate(const nnc_scenario_args *given, nnc_scenario *scenario, nnc_scratch *scratch,
                                 nnc_error *err);

/* If the plan does not fit in memory, computes least_bytes of the report: the lower end of the memory interval after
 * the settings that the user did not state have been chosen so that they save memory. The chosen settings are
 * recomputation and, if the user named no framework, also ZeRO, sequence parallelism and the software profile. Uses
 * scratch. */
nnc_status nnc_scenario_lower_end(nnc_scenario *scenario, const nnc_given *given, nnc_scratch *scratch, nnc_error *err);

/* Tries changes of the plan; see nnc_plan_changes_find. Overwrites the scratch memory to which the ops of the report
 * point, so these ops are no longer valid. */
nnc_status nnc_scenario_changes(nnc_scenario *scenario, bool quick, nnc_scratch *scratch, nnc_plan_changes *changes,
                                nnc_error *err);

/* Estimates the scenario's plan with the profile torch-eager, which does not use a compiler, if nncost itself chose
 * torch.compile for a plan on one device. If nncost did not choose torch.compile for a plan on one device, sets
 * result->step_s to NaN. */
nnc_status nnc_scenario_eager(const nnc_scenario *scenario, nnc_scratch *scratch, nnc_result *result, nnc_error *err);

/* Fills in the inputs of the run that the user did not give with values of the device file and of the region. Returns
 * false if the scenario has no run to compute. */
bool nnc_scenario_complete_run(nnc_scenario *scenario);

/* Computes the run (all steps of the training) of a scenario whose step has been estimated. Does nothing if the
 * scenario has no run to compute. */
nnc_status nnc_scenario_run(nnc_scenario *scenario, nnc_error *err);

/* Lists the properties of the software that the user did not state, sorted by their effect on the step time, largest
 * first. *count is 0 if the user named the software. Uses scratch. Fails with NNC_IO or NNC_NO_MEMORY. */
nnc_status nnc_scenario_open_facts(const nnc_scenario *scenario, nnc_scratch *scratch,
                                   nnc_open_fact facts[NNC_OPEN_FACTS_MAX], int32_t *count, nnc_error *err);

/* nnc_scenario_timeline adds the timeline of the estimated step to the report, sorted by pipeline stage and time.
 * nnc_scenario_timeline_free frees the timeline. */
nnc_status nnc_scenario_timeline(nnc_scenario *scenario, nnc_scratch *scratch, nnc_error *err);
void nnc_scenario_timeline_free(nnc_scenario *scenario);

/* nnc_report_weigh, nnc_report_advise and nnc_report_estimate are parts of nnc_scenario_estimate, for a report that
 * already has its model, device and software. The function nnc_report_weigh computes the estimate; if the plan does not
 * fit, it computes only the memory. For a plan that does not fit, nnc_report_advise searches for advice, and then calls
 * nnc_report_estimate to compute the whole estimate. The search for advice must come before the estimate, because the
 * search overwrites the ops in scratch. nnc_report_weigh, nnc_report_advise and nnc_report_estimate must get the same
 * plan, scratch and result. */
nnc_status nnc_report_weigh(nnc_report *report, const nnc_plan *plan, nnc_scratch *scratch, nnc_result *result,
                            nnc_error *err);
nnc_status nnc_report_estimate(nnc_report *report, const nnc_plan *plan, nnc_scratch *scratch, nnc_result *result,
                               nnc_error *err);
nnc_status nnc_report_advise(nnc_report *report, const nnc_profiles *profiles, const nnc_plan *plan,
                             nnc_scratch *scratch, nnc_result *result, nnc_advice advice[NNC_ADVICE_MAX],
                             nnc_error *err);

/* Returns an artificial device on which any model can run. The device is used to count the parameters of a model. */
nnc_device nnc_counting_device(void);
/* Tests whether the counted parameters of the model differ by at most 1 % from the number that its file states. Returns
 * true, too, if the file of the model states no number, or if the parameters cannot be counted. Sets *params to the
 * counted parameters. */
bool nnc_model_as_published(const nnc_model *model, int64_t *params);

/* ---- serving scenarios ---- */

/* A serving scenario. Do not move or copy the struct after loading, because `base.report` points to other members of
 * the same struct. */
typedef struct nnc_serve_scenario {
    nnc_scenario base; /* model, device and software of the deployment; the training plan in this member is not used */
    nnc_serve_ask ask;
    nnc_serve serve;
    nnc_serve_op ops[NNC_SERVE_OPS_MAX];
    nnc_serve_change changes[NNC_SERVE_CHANGES_MAX];
    /* inputs of image generation; images_ask.steps = 0: the model generates tokens, not images */
    nnc_images_ask images_ask;
    nnc_model decoder; /* decoder of a video, for the size of the video; images_ask points to it */
    nnc_images images;
} nnc_serve_scenario;

/* Loads a serving scenario in the same way as nnc_scenario_load loads a training scenario; settings are fields of the
 * serving plan. */
nnc_status nnc_serve_scenario_load(nnc_specs *specs, const nnc_scenario_args *given, const char *model_asked,
                                   const char *device_asked, nnc_serve_scenario *scenario, nnc_error *err);

/* Fails with NNC_BAD_USAGE if a setting of a serving plan has no effect because the user did not give the option
 * without which the setting is not read (nnc_scenario_check_read does this for a training plan). */
nnc_status nnc_serve_scenario_check_read(const nnc_scenario_args *given, const nnc_serve_scenario *scenario,
                                         nnc_error *err);

/* Computes latency, throughput, memory and cost of the deployment of a serving scenario, and completes base.report. */
nnc_status nnc_serve_scenario_compute(nnc_serve_scenario *scenario, nnc_scratch *scratch, nnc_error *err);

/* Finds changes that improve a computed deployment, and adds them to base.report. If the deployment does not fit in
 * memory, the function searches for the fewest tensor ranks, and for the least compressed weight format, with which the
 * deployment fits on the same devices; if no such change is enough, it searches for more devices. If the deployment
 * fits but cannot serve the request rate, the function adds replicas. For a static batch, the function also finds the
 * largest batch that takes at most NNC_SERVE_TOKEN_S seconds per token. */
#define NNC_SERVE_TOKEN_S 0.05
void nnc_serve_scenario_changes(nnc_serve_scenario *scenario, nnc_scratch *scratch);

#endif
