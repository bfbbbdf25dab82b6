/* One run over the scenarios of a plan file. */
#ifndef NNCOST_RECORD_CHECK_H
#define NNCOST_RECORD_CHECK_H

#include "record/causes.h"
#include "record/check_report.h"

/* Room for the figures of one scenario after the other. */
typedef struct nnc_figure_room {
    nnc_figure *list;
    int32_t capacity;
} nnc_figure_room;

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
    nnc_check_keeping keeping;
    nnc_recorded_estimate *estimates; /* where they are kept */
    nnc_figure_room old, now;         /* of one scenario */
    nnc_change *changes;              /* room for those of one scenario */
    int32_t change_room;
    int32_t next_old;
    nnc_check_report report;
};

#endif
