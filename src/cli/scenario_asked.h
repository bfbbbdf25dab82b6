/* The scenario that the operands of a command name. */
#ifndef NNCOST_CLI_SCENARIO_ASKED_H
#define NNCOST_CLI_SCENARIO_ASKED_H

#include "base/arena.h"
#include "cli/command.h"
#include "record/plan_file_load.h"

/* The plan file that the first operand is, and the scenario of it that is asked for; *plans NULL: it is a model, and
 * the device is given. */
nnc_status nnc_asked_plans(nnc_session *session, nnc_arena *arena, const char *model,
                           const char *device, const nnc_plans **plans,
                           const nnc_plans_scenario **picked, nnc_error *err);

/* Loads what the operands name: a model and a device, or a plan file, whose --scenario is taken, and a
 * device in place of its own (NULL = its own). What comes from a plan file lives in the arena. */
nnc_status nnc_scenario_load_asked(nnc_session *session, nnc_arena *arena, const char *model,
                                   const char *device, nnc_scenario *scenario, nnc_error *err);

/* Asks for the run where its length is said: what is recorded of plan files does not. */
void nnc_scenario_ask_run(nnc_scenario *scenario);

/* Loads and estimates what the operands name, then hands the scenario to write, with its context and the scratch that its
 * report points into. model_asked may be a plan file: then the device, which may be NULL, replaces
 * that of its scenario. */
typedef nnc_status nnc_report_writer(nnc_session *session, void *context, nnc_scenario *scenario,
                                     nnc_scratch *scratch, nnc_error *err);
nnc_status nnc_scenario_report(nnc_session *session, const char *model_asked,
                               const char *device_asked, nnc_report_writer *write, void *context,
                               nnc_error *err);

#endif
