/* What a program asks of a public function, as this library knows it: a plan of its size, checked. Behind it
 * nothing is checked again. */
#ifndef NNCOST_ESTIMATE_PLAN_ASKED_H
#define NNCOST_ESTIMATE_PLAN_ASKED_H

#include <nncost/estimate.h>

/* A plan of any size; NULL = the default one. */
nnc_status nnc_plan_read(const nnc_plan *given, nnc_plan *plan, nnc_error *err);

typedef struct nnc_asked {
    nnc_plan plan;
    const nnc_software *software;
    nnc_software neutral; /* what it points to where none was given */
} nnc_asked;

/* function: as the program calls it. software NULL = the neutral one. */
nnc_status nnc_asked_read(const char *function, const nnc_model *model, const nnc_device *device,
                          const nnc_software *software, const nnc_plan *plan, nnc_asked *asked,
                          nnc_error *err);

/* nnc_plan_resolve of a plan that was read. */
nnc_status nnc_plan_settle(const nnc_plan *plan, const nnc_model *model, const nnc_device *device,
                           nnc_plan *resolved, nnc_error *err);

/* Of a settled plan that was given another schedule, or other virtual stages: layers, of the model. Nothing else in it
 * depends on them. */
nnc_status nnc_plan_settle_schedule(nnc_plan *plan, const nnc_model *model, int64_t layers,
                                    nnc_error *err);

/* nnc_estimate of what was read, into a whole result. */
nnc_status nnc_estimate_asked(const nnc_model *model, const nnc_device *device,
                              const nnc_software *software, const nnc_plan *plan,
                              nnc_scratch *scratch, nnc_result *result, nnc_error *err);

#endif
