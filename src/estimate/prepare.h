/* What estimate and search share: from a resolved plan to the op table of one rank. */
#ifndef NNCOST_ESTIMATE_PREPARE_H
#define NNCOST_ESTIMATE_PREPARE_H

#include "estimate/scratch.h"

/* Refuses a list whose tensors or parameters are past what the arithmetic holds. */
nnc_status nnc_check_list(const nnc_op_list *list, const nnc_model *model, nnc_error *err);

/* Divides a list over ranks, sums its segments, and adds what ZeRO-3 and offload exchange. */
void nnc_split_list(nnc_op_list *list, const nnc_lowering *how,
                    nnc_segment_sums sums[NNC_SEGMENTS_MAX]);

/* From the resolved r->plan to scratch->rows, the op table of one micro-batch on a rank that held
 * every layer; fills step, sums, the holdings of each device, and the work in r. */
nnc_status nnc_prepare(const nnc_model *model, const nnc_device *device,
                       const nnc_software *software, nnc_scratch *scratch, nnc_step *step,
                       nnc_segment_sums sums[NNC_SEGMENTS_MAX], nnc_result *r, nnc_error *err);

/* The same in three parts, for a search, which looks at the memory of a plan before its times. The list of one rank,
 * and its sums. */
nnc_status nnc_prepare_list(nnc_shared *shared, const nnc_software *software, const nnc_plan *plan,
                            nnc_network *network, nnc_step *step,
                            nnc_segment_sums sums[NNC_SEGMENTS_MAX], nnc_alike **alike,
                            nnc_error *err);
/* The work, by the holdings in scratch. Leaves other rows behind. */
void nnc_prepare_work(nnc_scratch *scratch, nnc_alike *alike, const nnc_step *step, nnc_result *r);
/* The list again, of a plan like one that had it but for the number of its passes. */
void nnc_prepare_again(const nnc_shared *shared, const nnc_step *step, nnc_alike *alike);
/* The work of a pass where it is known. */
void nnc_prepare_counted(const nnc_model *model, const nnc_alike *alike, const nnc_pass_work *work,
                         const nnc_step *step, nnc_result *r);

/* Memory of every stage; the result has the fullest one's. fullest: no other is asked for, and one like that before it
 * with no more in flight is left out. */
void nnc_weigh(const nnc_step *step, const nnc_model *model, bool fullest, nnc_step_memory *m,
               nnc_result *r);

/* Rates and utilisation from the work and the step time. */
void nnc_utilisation(nnc_result *r, nnc_derivation *why);

/* Device-hours, money and energy from the rates: of the whole run when its length is given. Energy
 * counts the device's power limit. */
void nnc_run_cost(const nnc_device *device, nnc_result *r, nnc_derivation *why);

/* Per device-hour: the plan's, else the device file's newest; NaN = not known. */
double nnc_price_of(const nnc_plan *plan, const nnc_device *device);

#endif
