/* Why an estimate moved: digests of what it was made from, now and when it was recorded. */
#ifndef NNCOST_RECORD_CAUSES_H
#define NNCOST_RECORD_CAUSES_H

#include "record/check_report.h"
#include "record/plan_file_load.h"

enum { NNC_CAUSES_MAX = NNC_REF_COUNT + 3 };

/* Digests of the files that the scenarios of a plan file name, each file read once. */
typedef struct nnc_origins {
    nnc_specs *specs;
    nnc_arena *arena;
    nnc_recorded_digest *list;
    int32_t count, capacity;
    int32_t next_plan; /* among the recorded digests, where the next plan's is looked for first */
} nnc_origins;

/* Notes the files of a loaded scenario. */
nnc_status nnc_origins_add(nnc_origins *origins, const nnc_plans_scenario *from,
                           const nnc_scenario *scenario, nnc_error *err);

/* The list as it is recorded: by kind and name, then the plans in the order of the file. NULL when
 * out of memory. */
const nnc_recorded_digest *nnc_origins_sorted(const nnc_origins *origins, const nnc_plans *plans,
                                              int32_t *count);

/* Fills in row->causes from what differs between now and `recorded`; false when out of memory. */
bool nnc_causes_find(nnc_origins *origins, const nnc_plans_scenario *from,
                     const nnc_scenario *scenario, const nnc_recorded *recorded,
                     nnc_check_row *row);

#endif
