/* One run over the scenarios of a plan file. */
#ifndef NNCOST_RECORD_CHECK_H
#define NNCOST_RECORD_CHECK_H

#include "record/causes.h"
#include "record/check_report.h"

struct nnc_check {
    nnc_specs *specs;
    nnc_arena *arena;
    nnc_scratch *scratch;
    nnc_scenario *scenario;
    nnc_serve_scenario *served;
    const nnc_plans *plans;
    nnc_origins origins;
    nnc_collector collector;
    nnc_figures names[2]; /* of the last estimate of each kind, trained and served, all of it */
    nnc_recorded_estimate *estimates;
    nnc_figure *selected; /* room for the figures of one scenario */
    int32_t selected_room;
    nnc_change *changes; /* room for those of one scenario */
    int32_t change_room;
    int32_t next_old;
    nnc_check_report report;
};

#endif
