/* Splitting a model over ranks: which plans are legal, and the dims of one rank. Each family and each layer
 * adds its own divisibility rules; ops divide their own dims (nnc_op_row.shard). */
#include <inttypes.h>

#include "base/base_internal.h"
#include "shape/shape_internal.h"

int32_t nnc_plan_replicas(const nnc_plan *plan)
{
    return plan->data * plan->context;
}

int32_t nnc_plan_expert_ranks(const nnc_plan *plan)
{
    return nnc_plan_replicas(plan) * (plan->whole_experts ? plan->tensor : 1);
}

/* devices = data x tensor x pipeline x context: the degree that is not given follows from the
 * others. */
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
                        "each tensor rank sends its own tokens to the experts, expected "
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

nnc_status nnc_layer_split_tensor(const nnc_layer *l, const nnc_plan *p, nnc_error *err)
{
    const int64_t t = p->tensor;
    NNC_TRY(nnc_divides("--tensor", "heads", l->heads, t, err));
    if (l->kv_heads > 0 &&
        t % l->kv_heads != 0) { /* if t is a multiple of kv_heads, each rank has one whole head */
        NNC_TRY(nnc_divides("--tensor", "kv_heads", l->kv_heads, t, err));
    }
    return nnc_divides("--tensor", "ffn_hidden", l->ffn_hidden, t, err);
}

nnc_status nnc_layer_split_sequence(const nnc_plan *p, int64_t tokens, nnc_error *err)
{
    if (p->sequence_parallel && p->tensor == 1) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--sequence-parallel", "%s",
                        "shards activations over tensor ranks, expected --tensor 2 or more");
    }
    return p->sequence_parallel ? nnc_divides("--sequence-parallel", "the tokens of a rank",
                                              tokens / p->context, p->tensor, err)
                                : NNC_OK;
}

nnc_status nnc_layer_split_context(const nnc_layer *l, const nnc_plan *p, int64_t seq_len,
                                   nnc_error *err)
{
    const int64_t c = p->context, kv_heads = l->kv_heads / p->tensor;
    if (c == 1) {
        return NNC_OK;
    }
    if (nnc_context_over_heads(p)) {
        NNC_TRY(nnc_divides("--context", "heads of a tensor rank", l->heads / p->tensor, c, err));
        if (kv_heads >= 1) {
            NNC_TRY(nnc_divides("--context", "kv_heads of a tensor rank", kv_heads, c, err));
        }
        NNC_TRY(nnc_divides("--context", "seq_len", seq_len, c, err));
    } else if (seq_len % 2 != 0) {
        /* each rank takes one block from the first half and one from the second: equal causal
         * work */
        NNC_TRY(nnc_divides("--context", "seq_len", seq_len, 2 * c, err));
    } else {
        NNC_TRY(nnc_divides("--context", "half of seq_len", seq_len / 2, c, err));
    }
    if (p->attention == NNC_ATTENTION_UNFUSED) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--attention",
                        "context parallelism streams blocks through a fused kernel, expected "
                        "flash, found unfused");
    }
    return NNC_OK;
}

static nnc_degrees degrees_of(const nnc_plan *plan)
{
    const bool over_heads = nnc_context_over_heads(plan);
    nnc_degrees d = { .tensor = plan->tensor, .context = plan->context, .expert = plan->expert };
    d.expert_tensor = plan->whole_experts ? 1 : d.tensor;
    d.expert_rows = d.context * (d.tensor / d.expert_tensor);
    d.sequence = d.context * (plan->sequence_parallel ? d.tensor : 1);
    d.heads = over_heads ? d.tensor * d.context : d.tensor;
    d.positions = over_heads ? 1 : d.context;
    d.imbalance = plan->imbalance;
    return d;
}

void nnc_list_shard(nnc_op_list *list, const nnc_plan *plan)
{
    const nnc_degrees d = degrees_of(plan);
    if (d.tensor == 1 && d.context == 1 && d.expert == 1) {
        return;
    }
    for (int32_t i = 0; i < list->count; i++) {
        nnc_op_row_of(&list->ops[i])->shard(&list->ops[i], &d);
    }
    /* block inputs are slices of the residual stream */
    for (int32_t i = 0; i < list->block_count; i++) {
        list->blocks[i].input_bytes /= (double)d.sequence;
    }
}
