/* When each stage of the pipeline does what, in the step that was timed last. */
#ifndef NNCOST_ESTIMATE_TIMELINE_H
#define NNCOST_ESTIMATE_TIMELINE_H

#include "estimate/bounds.h"
#include "estimate/step.h"

/* Fills the stages of an ideal step, as the engine that decides runs them. What its links leave over
 * and the update are those of the stage that decides. rows: as nnc_ideal_step left them. */
void nnc_ideal_stages(const nnc_step *step, const nnc_ideal *ideal, const nnc_rows *rows,
                      nnc_step_memory *m);

/* Passes of all stages that a timeline consists of. */
double nnc_timeline_passes(const nnc_step_memory *m, const nnc_plan *plan);

/* Calls interval as nnc_timeline() says. false: the pipeline cannot be replayed. */
bool nnc_timeline_replay(nnc_step_memory *m, const nnc_plan *plan, double step_s,
                         nnc_interval_fn *interval, void *context);

#endif
