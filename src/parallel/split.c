#include "parallel/split.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/number.h"
#include "shape/family.h"

int32_t nnc_plan_replicas(const nnc_plan *plan)
{
    return plan->data * plan->context;
}

int32_t nnc_plan_expert_ranks(const nnc_plan *plan)
{
    return nnc_plan_replicas(plan) * (plan->whole_experts ? plan->tensor : 1);
}

/* devices = data x tensor x pipeline x context: what is open follows from the rest. */
nnc_status nnc_plan_split_devices(nnc_plan *p, nnc_error *err)
{
    int64_t others = 0, product = 0;
    if (!nnc_mul_i64(p->tensor, p->pipeline, &others) ||
        !nnc_mul_i64(others, p->context, &others) || others > INT32_MAX) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--tensor",
                        "tensor x pipeline x context is more than any cluster has");
    }
    if (p->devices > 0 && p->data == 0) {
        if (p->devices % others != 0) {
            return nnc_fail(err, NNC_ILLEGAL_PLAN, "--devices",
                            "expected a multiple of tensor x pipeline x context = %" PRId64
                            ", found %" PRId32,
                            others, p->devices);
        }
        p->data = (int32_t)(p->devices / others);
    }
    p->data = p->data > 0 ? p->data : 1;
    if (!nnc_mul_i64(others, p->data, &product) || product > INT32_MAX) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--data", "more devices than any cluster has");
    }
    if (p->devices > 0 && p->devices != product) {
        return nnc_fail(err, NNC_BAD_USAGE, "--devices",
                        "disagrees with data x tensor x pipeline x context, expected %" PRId64
                        ", found %" PRId32,
                        product, p->devices);
    }
    p->devices = (int32_t)product;
    return NNC_OK;
}

static nnc_status split_experts(int64_t experts, const nnc_plan *p, nnc_error *err)
{
    if (p->expert == 1) {
        return NNC_OK;
    }
    if (experts == 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--expert",
                        "the model has no experts to spread, expected 1");
    }
    if (p->imbalance > (double)p->expert) {
        return nnc_fail(
            err, NNC_ILLEGAL_PLAN, "--imbalance",
            "one rank cannot get more than all tokens, expected at most --expert %" PRId32
            ", found %g",
            p->expert, p->imbalance);
    }
    NNC_TRY(nnc_divides("--expert", "experts", experts, p->expert, err));
    if (p->whole_experts && p->tensor > 1 && !p->sequence_parallel) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--whole-experts",
                        "each tensor rank sends tokens of its own to the experts, expected "
                        "--sequence-parallel");
    }
    return nnc_divides("--expert", p->whole_experts ? "tensor x data x context" : "data x context",
                       nnc_plan_expert_ranks(p), p->expert, err);
}

nnc_status nnc_plan_split_data(nnc_plan *p, nnc_error *err)
{
    const int64_t replicas = nnc_plan_replicas(p);
    if (p->shard > 0 && p->shard != replicas && p->zero == 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--shard",
                        "nothing is sharded at --zero 0, expected --zero 1 to 3");
    }
    p->shard = p->shard > 0 ? p->shard : (int32_t)replicas;
    if (p->shard > replicas) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--shard",
                        "more ranks than replicas, expected at most %" PRId64 ", found %" PRId32,
                        replicas, p->shard);
    }
    if ((p->offload & NNC_OFFLOAD_WEIGHTS) != 0 && p->zero < 3) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--offload",
                        "weights leave the device between uses only when they are sharded, "
                        "expected --zero 3, found %" PRId32,
                        p->zero);
    }
    NNC_TRY(nnc_divides("--shard", "data x context", replicas, p->shard, err));
    const int64_t copies = nnc_plan_expert_ranks(p) / p->expert; /* of one expert */
    return copies > p->shard
               ? nnc_divides("--shard", "data x context / expert", copies, p->shard, err)
               : NNC_OK;
}

/* For families that are split over data only. */
static nnc_status split_nothing(const char *family, const nnc_plan *p, nnc_error *err)
{
    const struct {
        const char *option;
        int32_t degree;
    } degrees[] = { { "--tensor", p->tensor },
                    { "--pipeline", p->pipeline },
                    { "--virtual-stages", p->virtual_stages },
                    { "--context", p->context },
                    { "--expert", p->expert } };
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++) {
        if (degrees[i].degree != 1) {
            return nnc_fail(err, NNC_ILLEGAL_PLAN, degrees[i].option,
                            "a %s is split over data only, expected 1, found %" PRId32, family,
                            degrees[i].degree);
        }
    }
    return !p->sequence_parallel ? NNC_OK
                                 : nnc_fail(err, NNC_ILLEGAL_PLAN, "--sequence-parallel",
                                            "a %s is split over data only", family);
}

nnc_status nnc_plan_split(const nnc_model *model, const nnc_device *device, nnc_plan *plan,
                          nnc_error *err)
{
    const nnc_family_row *family = nnc_family_of(model);
    if (family->split == NULL) {
        NNC_TRY(split_nothing(nnc_family_name(model->family), plan, err));
    } else {
        NNC_TRY(family->split(model, plan, err));
        NNC_TRY(split_experts(family->sizes(model).experts, plan, err));
    }
    if (plan->devices_per_node == 0) {
        plan->devices_per_node = device->scale_up.devices > 0 ? device->scale_up.devices : 1;
    }
    return nnc_plan_split_data(plan, err);
}
