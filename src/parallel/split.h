/* Is a plan legal? The rules of splitting a model over ranks. */
#ifndef NNCOST_PARALLEL_SPLIT_H
#define NNCOST_PARALLEL_SPLIT_H

#include <nncost/plan.h>

/* Fills in devices and data from the degrees that are given, and checks that they agree. */
nnc_status nnc_plan_split_devices(nnc_plan *plan, nnc_error *err);

/* Checks every divisibility rule, and fills in the schedule and the shard group. plan: devices,
 * batch and lengths resolved. NNC_ILLEGAL_PLAN: err names the option, the rule with its numbers,
 * and the nearest legal values.   [legal-plans] */
nnc_status nnc_plan_split(const nnc_model *model, const nnc_device *device, nnc_plan *plan,
                          nnc_error *err);

/* Of it what asks for the ZeRO stage and the offload: a plan that was split can be checked again with others. */
nnc_status nnc_plan_split_data(nnc_plan *plan, nnc_error *err);

/* Ranks over which gradients are summed: data x context. */
int32_t nnc_plan_replicas(const nnc_plan *plan);
/* Ranks that experts are shared over and copied to: those, and tensor ranks that have whole ones. */
int32_t nnc_plan_expert_ranks(const nnc_plan *plan);

#endif
