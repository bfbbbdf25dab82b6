/* The scenarios of a plan file made concrete. */
#ifndef NNCOST_RECORD_PLAN_FILE_LOAD_H
#define NNCOST_RECORD_PLAN_FILE_LOAD_H

#include "metrics/report.h"
#include "record/plan_file.h"
#include "record/scenario.h"
#include "record/serve_scenario.h"

/* Reads MODEL as a plan file if it is one; *plans stays NULL if it is not. */
nnc_status nnc_plans_open(nnc_specs *specs, nnc_arena *arena, const char *model,
                          const nnc_plans **plans, nnc_error *err);

/* The scenario of that id; with id NULL the only one. Fails with NNC_BAD_USAGE. */
nnc_status nnc_plans_pick(const nnc_plans *plans, const char *id,
                          const nnc_plans_scenario **scenario, nnc_error *err);

/* Loads a scenario with what is given on top; device NULL = its own. The error
 * names the file, the line and the scenario. */
nnc_status nnc_plans_load(nnc_specs *specs, const nnc_given *given, nnc_arena *arena,
                          const nnc_plans *plans, const nnc_plans_scenario *from,
                          const char *device, nnc_scenario *scenario, nnc_error *err);

/* The same of one that is served. */
nnc_status nnc_plans_load_served(nnc_specs *specs, const nnc_given *given, nnc_arena *arena,
                                 const nnc_plans *plans, const nnc_plans_scenario *from,
                                 const char *device, nnc_serve_scenario *scenario, nnc_error *err);

/* Puts "FILE:LINE: ID: " before err->where, and makes a bad option, which nobody gave, a bad file.
 * Returns the status. */
nnc_status nnc_plans_blame(const nnc_plans *plans, const nnc_plans_scenario *from, nnc_error *err);

/* Turns reports into figures; the names, the same for every estimate and for all that is served, are found
 * once. */
typedef struct nnc_collector {
    nnc_arena *arena;
    struct nnc_collected {
        nnc_columns columns; /* list NULL = not found yet */
        nnc_figure *figures; /* of the last one */
    } trained, served, images;
} nnc_collector;

/* The figures of an estimate, until the next of its kind; NULL list when out of memory. Their texts are static, or in
 * the arena. */
nnc_figures nnc_figures_of(nnc_collector *collector, const nnc_report *report);

#endif
