#include "parallel/split.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/number.h"

enum { NEAR_ENOUGH = 1000000 }; /* how far to look for a legal value */

/* "4 or 6": the divisors of whole next to value, below and above. */
static void nearest_divisors(int64_t whole, int64_t value, char *text, size_t size)
{
    int64_t below = 0, above = 0;
    for (int64_t i = value; i >= 1 && below == 0; i--) {
        below = whole % i == 0 ? i : 0;
    }
    for (int64_t i = value + 1; i <= whole && i <= value + NEAR_ENOUGH && above == 0; i++) {
        above = whole % i == 0 ? i : 0;
    }
    if (below > 0 && above > 0) {
        snprintf(text, size, "%" PRId64 " or %" PRId64, below, above);
    } else {
        snprintf(text, size, "%" PRId64, below > 0 ? below : above);
    }
}

/* `what` (of size whole) must divide evenly over `ranks`. */
static nnc_status divides(const char *option, const char *what, int64_t whole, int64_t ranks,
                          nnc_error *err)
{
    char legal[64];
    if (ranks <= 1 || whole % ranks == 0) {
        return NNC_OK;
    }
    if (err == NULL) { /* nobody reads what would be legal */
        return NNC_ILLEGAL_PLAN;
    }
    nearest_divisors(whole, ranks, legal, sizeof legal);
    return nnc_fail(err, NNC_ILLEGAL_PLAN, option,
                    "%s %" PRId64 " does not divide over %" PRId64 " ranks, expected %s", what,
                    whole, ranks, legal);
}

static nnc_status fail_unless(bool legal, const char *option, nnc_error *err, const char *rule)
{
    return legal ? NNC_OK : nnc_fail(err, NNC_ILLEGAL_PLAN, option, "%s", rule);
}

int32_t nnc_plan_replicas(const nnc_plan *plan)
{
    return plan->data * plan->context;
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

static nnc_status split_tensor(const nnc_decoder *d, const nnc_plan *p, nnc_error *err)
{
    const int64_t t = p->tensor;
    const int64_t vocab = nnc_vocab_rows(d);
    nnc_status status = divides("--tensor", "heads", d->heads, t, err);
    if (status == NNC_OK && d->kv_lora_rank == 0 && d->kv_heads % t != 0 && t % d->kv_heads != 0) {
        status = divides("--tensor", "kv_heads", d->kv_heads, t, err);
    }
    if (status == NNC_OK && (d->experts == 0 || d->dense_layers > 0)) {
        status = divides("--tensor", "ffn_hidden", d->ffn_hidden, t, err);
    }
    if (status == NNC_OK && d->experts > 0) {
        status = divides("--tensor", "expert_hidden", d->expert_hidden, t, err);
    }
    if (status == NNC_OK && d->shared_hidden > 0) {
        status = divides("--tensor", "shared_hidden", d->shared_hidden, t, err);
    }
    if (status == NNC_OK && vocab % t != 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--tensor",
                        "vocabulary of %" PRId64 " rows does not divide over %" PRId64
                        " ranks, expected it padded: --set vocab_multiple=%" PRId64,
                        vocab, t, 128 * t);
    }
    if (status == NNC_OK && p->sequence_parallel) {
        status = fail_unless(t > 1, "--sequence-parallel", err,
                             "shards activations over tensor ranks, expected --tensor 2 or more");
        if (status == NNC_OK) {
            status = divides("--sequence-parallel", "the tokens of a rank",
                             p->micro_batch * p->seq_len / p->context, t, err);
        }
    }
    return status;
}

static nnc_status split_context(const nnc_decoder *d, const nnc_plan *p, nnc_error *err)
{
    const int64_t c = p->context;
    nnc_status status = NNC_OK;
    if (c == 1) {
        return NNC_OK;
    }
    if (p->context_kind == NNC_CONTEXT_ULYSSES) {
        const int64_t kv = d->kv_lora_rank > 0 ? d->heads : d->kv_heads;
        status = divides("--context", "heads of a tensor rank", d->heads / p->tensor, c, err);
        if (status == NNC_OK && kv / p->tensor >= 1) {
            status = divides("--context", "kv_heads of a tensor rank", kv / p->tensor, c, err);
        }
        if (status == NNC_OK) {
            status = divides("--context", "seq_len", p->seq_len, c, err);
        }
    } else { /* each rank takes a block from the front and one from the back: equal causal work */
        status = p->seq_len % 2 != 0
                     ? divides("--context", "seq_len", p->seq_len, 2 * c, err)
                     : divides("--context", "half of seq_len", p->seq_len / 2, c, err);
    }
    if (status == NNC_OK) {
        status = fail_unless(p->attention != NNC_ATTENTION_UNFUSED, "--attention", err,
                             "context parallelism streams blocks through a fused kernel, expected "
                             "flash, found unfused");
    }
    return status;
}

static nnc_status split_experts(const nnc_decoder *d, const nnc_plan *p, nnc_error *err)
{
    nnc_status status = NNC_OK;
    if (p->expert == 1) {
        return NNC_OK;
    }
    status = fail_unless(d->experts > 0, "--expert", err,
                         "the model has no experts to spread, expected 1");
    if (status == NNC_OK) {
        status = divides("--expert", "experts", d->experts, p->expert, err);
    }
    if (status == NNC_OK) {
        status = divides("--expert", "data x context", nnc_plan_replicas(p), p->expert, err);
    }
    return status;
}

static nnc_status split_data(nnc_plan *p, nnc_error *err)
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
    const nnc_status status = divides("--shard", "data x context", replicas, p->shard, err);
    const int64_t copies = replicas / p->expert; /* of one expert */
    return status == NNC_OK && copies > p->shard
               ? divides("--shard", "data x context / expert", copies, p->shard, err)
               : status;
}

static nnc_status split_unet(nnc_plan *p, nnc_error *err)
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
                            "a unet is split over data only, expected 1, found %" PRId32,
                            degrees[i].degree);
        }
    }
    return fail_unless(!p->sequence_parallel, "--sequence-parallel", err,
                       "a unet is split over data only");
}

nnc_status nnc_plan_split(const nnc_model *model, const nnc_device *device, nnc_plan *plan,
                          nnc_error *err)
{
    const nnc_decoder *d = &model->decoder;
    nnc_status status = NNC_OK;
    if (model->family == NNC_FAMILY_UNET) {
        status = split_unet(plan, err);
    } else {
        status = split_context(d, plan, err);
        if (status == NNC_OK) {
            status = split_tensor(d, plan, err);
        }
        if (status == NNC_OK) {
            status = split_experts(d, plan, err);
        }
    }
    if (status == NNC_OK) {
        status = split_data(plan, err);
    }
    if (plan->devices_per_node == 0) {
        plan->devices_per_node = device->scale_up.devices > 0 ? device->scale_up.devices : 1;
    }
    return status;
}
