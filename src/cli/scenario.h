/* One model on one device under one plan: loading it from the command line, and estimating it. */
#ifndef NNCOST_CLI_SCENARIO_H
#define NNCOST_CLI_SCENARIO_H

#include "base/arena.h"
#include "cli/command.h"

enum { NNC_ADVICE_MAX = 3 };

/* report points into the rest: a scenario must not be moved once it is estimated. */
typedef struct nnc_scenario {
    nnc_model model;
    nnc_device device;
    nnc_software software;
    nnc_plan plan;
    char overrides[256]; /* the --set options, "" = none */
    nnc_result result;
    nnc_advice advice[NNC_ADVICE_MAX];
    nnc_report report;
} nnc_scenario;

/* The software profile asked for; NULL = the default one, from its file where there is one. */
nnc_status nnc_software_asked(nnc_specs *specs, const char *asked, nnc_software *software,
                              nnc_error *err);

/* Loads the files, then applies the options in the order given. A bad value of an option is
 * NNC_BAD_USAGE and err->where names the option. The asked names must outlive the scenario. */
nnc_status nnc_scenario_load(nnc_specs *specs, const nnc_options *options, const char *model_asked,
                             const char *device_asked, nnc_scenario *scenario, nnc_error *err);

/* Lets the options change what a scenario holds: links, plan, and what --set names. */
nnc_status nnc_scenario_apply(nnc_specs *specs, const nnc_options *options, nnc_scenario *scenario,
                              nnc_error *err);

/* The same from the operands: a model and a device, or a plan file, whose --scenario is taken, and a
 * device in place of its own (NULL = its own). What comes from a plan file lives in the arena. */
nnc_status nnc_scenario_load_asked(nnc_session *session, nnc_arena *arena, const char *model,
                                   const char *device, nnc_scenario *scenario, nnc_error *err);

/* Estimates it; where it does not fit, looks for the smallest changes that would. Afterwards
 * scenario->report is complete, its ops valid until the next use of scratch. */
nnc_status nnc_scenario_estimate(nnc_scenario *scenario, nnc_scratch *scratch, nnc_error *err);

/* Loads and estimates what the operands name, then hands the scenario to write, with the scratch its
 * report points into. model_asked may be a plan file: then the device, which may be NULL, replaces
 * that of its scenario. */
typedef nnc_status nnc_report_writer(nnc_session *session, nnc_scenario *scenario,
                                     nnc_scratch *scratch, nnc_error *err);
nnc_status nnc_scenario_report(nnc_session *session, const char *model_asked,
                               const char *device_asked, nnc_report_writer *write, nnc_error *err);

#endif
