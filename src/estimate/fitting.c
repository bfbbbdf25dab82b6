/* The largest micro-batch, sequence, adapter rank or depth that fits on a device, and each way to save memory.
 *
 *     size -> memory of the plan with it (no times) -> verdict; doubled until it does not fit, then bisected
 *
 * "fits" and "tight" are those of the estimate: the upper end, or the lower end, of measured peaks is within what a
 * process can get. Times follow for the plans that are shown. */
#include "base/base_internal.h"
#include "estimate/estimate_internal.h"
#include "op/op_internal.h"
#include "shape/shape_internal.h"

typedef enum size_kind { SIZE_MICRO_BATCH, SIZE_SEQ_LEN, SIZE_RANK, SIZE_LAYERS } size_kind;

enum { SEQ_STEP = 64, SEQ_MAX = 1 << 24, BATCH_MAX = 1 << 24, RANK_MAX = 4096, LAYERS_MAX = 4096 };

typedef struct finder {
    const nnc_model *model;
    const nnc_device *device;
    const nnc_profiles *profiles;
    nnc_scratch *scratch;
    nnc_model deeper; /* the model with other layers */
} finder;

static nnc_status estimate(finder *f, const nnc_model *model, const nnc_plan *plan, bool timed,
                           nnc_result *r, nnc_error *err)
{
    const nnc_software *software = nnc_profile_of(f->profiles, model, f->device, plan);
    return timed ? nnc_estimate_read(model, f->device, software, plan, f->scratch, r, err)
                 : nnc_estimate_memory(model, f->device, software, plan, f->scratch, r, err);
}

static const nnc_model *resize(finder *f, size_kind kind, int64_t size, nnc_plan *plan)
{
    switch (kind) {
    case SIZE_MICRO_BATCH:
        plan->micro_batch = size;
        plan->global_batch = 0;
        break;
    case SIZE_SEQ_LEN: plan->seq_len = size * SEQ_STEP; break;
    case SIZE_RANK: plan->adapter_rank = (int32_t)size; break;
    case SIZE_LAYERS: f->deeper.decoder.layers = size; return &f->deeper;
    }
    return f->model;
}

/* The largest size that fits, or that may fit; 0 = not even 1. Plans that are not legal do not fit. */
static int64_t largest(finder *f, size_kind kind, const nnc_plan *base, bool tight)
{
    static const int64_t limits[] = { BATCH_MAX, SEQ_MAX / SEQ_STEP, RANK_MAX, LAYERS_MAX };
    int64_t low = 0, high = 1;
    bool doubling = true;
    while (doubling ? high <= limits[kind] : high - low > 1) {
        nnc_plan plan = *base;
        nnc_result r;
        const int64_t size = doubling ? high : low + (high - low) / 2;
        const nnc_model *model = resize(f, kind, size, &plan);
        const bool fits = estimate(f, model, &plan, false, &r, NULL) == NNC_OK &&
                          (r.verdict == NNC_FITS || (tight && r.verdict == NNC_TIGHT));
        if (fits) {
            low = size;
            high = doubling ? 2 * size : high;
        } else {
            high = size;
            doubling = false;
        }
    }
    return low;
}

void nnc_fitting_micro_batches(const nnc_model *model, const nnc_device *device,
                               const nnc_profiles *profiles, const nnc_plan *plan,
                               nnc_scratch *scratch, int64_t *fits, int64_t *tight)
{
    finder f = { model, device, profiles, scratch, *model };
    *fits = largest(&f, SIZE_MICRO_BATCH, plan, false);
    *tight = largest(&f, SIZE_MICRO_BATCH, plan, true);
}

/* ---- remedies ---- */

typedef struct option {
    const char *text;
    void (*apply)(nnc_plan *plan);
    bool (*applies)(const nnc_plan *plan); /* to a resolved plan */
} option;

static bool stores_all(const nnc_plan *p)
{
    return p->recompute == 0;
}
static void recompute_attention(nnc_plan *p)
{
    p->recompute = NNC_RECOMPUTE_ATTENTION;
}
static bool stores_scores(const nnc_plan *p)
{
    return p->recompute == 0 && p->attention == NNC_ATTENTION_UNFUSED;
}
static void recompute_full(nnc_plan *p)
{
    p->recompute = NNC_RECOMPUTE_FULL;
}
static bool has_larger_states(const nnc_plan *p)
{
    return nnc_optimizer_smaller(p->optimizer) != p->optimizer && p->adapter_rank == 0;
}
static void smaller_states(nnc_plan *p)
{
    p->optimizer = nnc_optimizer_smaller(p->optimizer);
}
static bool is_wide(const nnc_plan *p)
{
    return p->policy != NNC_POLICY_BF16_PURE && p->precision == NNC_BF16 && p->adapter_rank == 0;
}
static void pure(nnc_plan *p)
{
    p->policy = NNC_POLICY_BF16_PURE;
}
static bool trains_all(const nnc_plan *p)
{
    return p->adapter_rank == 0 && p->train == NNC_TRAIN_ALL;
}
static void lora(nnc_plan *p)
{
    p->adapter_rank = 16;
}
static void qlora(nnc_plan *p)
{
    p->adapter_rank = 16;
    p->frozen = NNC_FROZEN_NF4;
}
static bool has_wide_frozen(const nnc_plan *p)
{
    return p->adapter_rank > 0 && p->frozen == NNC_FROZEN_16;
}
static void int8(nnc_plan *p)
{
    p->frozen = NNC_FROZEN_INT8;
}
static void nf4(nnc_plan *p)
{
    p->frozen = NNC_FROZEN_NF4;
}
static void nf4_again(nnc_plan *p)
{
    p->frozen = NNC_FROZEN_NF4;
    p->recompute = NNC_RECOMPUTE_FULL;
}
static bool has_both(const nnc_plan *p)
{
    return has_wide_frozen(p) && stores_all(p);
}
static bool has_states(const nnc_plan *p)
{
    return p->offload == 0 && p->adapter_rank == 0;
}
static void offload_states(nnc_plan *p)
{
    p->offload = NNC_OFFLOAD_OPTIMIZER;
}
static bool has_tensors(const nnc_plan *p)
{
    return p->offload == 0;
}
static void offload_more(nnc_plan *p)
{
    p->offload = NNC_OFFLOAD_OPTIMIZER | NNC_OFFLOAD_ACTIVATIONS;
}
static bool is_alone(const nnc_plan *p)
{
    return p->devices == 1;
}
static void over(nnc_plan *p, int32_t devices, int32_t stage)
{
    p->data = devices;
    p->devices = 0; /* the product of the degrees */
    p->zero = stage;
}
static void over_2(nnc_plan *p)
{
    over(p, 2, 3);
}
static void over_8_by_1(nnc_plan *p)
{
    over(p, 8, 1);
}
static void over_8(nnc_plan *p)
{
    over(p, 8, 3);
}

/* The mildest first. */
static const option options[] = {
    { "--recompute selective", recompute_attention, stores_scores },
    { "--recompute full", recompute_full, stores_all },
    { "--optimizer", smaller_states, has_larger_states },
    { "--policy bf16-pure", pure, is_wide },
    { "--frozen int8", int8, has_wide_frozen },
    { "--frozen nf4", nf4, has_wide_frozen },
    { "--recompute full --frozen nf4", nf4_again, has_both },
    { "--adapter-rank 16", lora, trains_all },
    { "--adapter-rank 16 --frozen nf4", qlora, trains_all },
    { "--data 2 --zero 3", over_2, is_alone },
    { "--data 8 --zero 1", over_8_by_1, is_alone },
    { "--data 8 --zero 3", over_8, is_alone },
    { "--offload optimizer", offload_states, has_states },
    { "--offload optimizer,activations", offload_more, has_tensors },
};
_Static_assert((sizeof options / sizeof options[0]) <= NNC_REMEDIES_MAX,
               "more options than remedies");

static void add_remedy(finder *f, const option *o, const nnc_plan *base, const nnc_plan *resolved,
                       nnc_fitting *fit)
{
    nnc_plan plan = *base;
    nnc_result r;
    nnc_remedy *remedy = &fit->remedies[fit->remedy_count];
    if (!o->applies(resolved)) {
        return;
    }
    plan.optimizer = resolved->optimizer;
    plan.recompute = resolved->recompute;
    o->apply(&plan);
    *remedy = (nnc_remedy){ .micro_batch = largest(f, SIZE_MICRO_BATCH, &plan, false) };
    if (remedy->micro_batch == 0) {
        return;
    }
    resize(f, SIZE_MICRO_BATCH, remedy->micro_batch, &plan);
    if (estimate(f, f->model, &plan, true, &r, NULL) != NNC_OK) {
        return;
    }
    remedy->samples_per_s = r.samples_per_s;
    if (fit->micro_batch > 0 && fit->micro_batch <= remedy->micro_batch) {
        plan.micro_batch = fit->micro_batch;
        if (estimate(f, f->model, &plan, true, &r, NULL) != NNC_OK) {
            return;
        }
    }
    remedy->total_bytes = r.memory.total_bytes;
    remedy->step_s = r.step_s;
    snprintf(remedy->options, sizeof remedy->options, "%s%s%s", o->text,
             o->apply == smaller_states ? " " : "",
             o->apply == smaller_states ? nnc_optimizer_name(plan.optimizer) : "");
    fit->remedy_count++;
}

nnc_status nnc_fitting_find(const nnc_model *model, const nnc_device *device,
                            const nnc_profiles *profiles, const nnc_plan *plan,
                            nnc_scratch *scratch, nnc_fitting *fit, nnc_error *err)
{
    finder f = { model, device, profiles, scratch, *model };
    nnc_plan read, shown;
    nnc_result now;
    NNC_TRY(nnc_plan_read(plan, &read, err));
    NNC_TRY(estimate(&f, model, &read, false, &now, err));
    const nnc_plan *resolved = &now.plan;
    memset(fit, 0, sizeof *fit);
    fit->micro_batch = largest(&f, SIZE_MICRO_BATCH, &read, false);
    fit->micro_batch_tight = largest(&f, SIZE_MICRO_BATCH, &read, true);
    if (resolved->seq_len > 0) {
        fit->seq_len = largest(&f, SIZE_SEQ_LEN, &read, false) * SEQ_STEP;
        if (now.verdict == NNC_FITS && fit->seq_len < resolved->seq_len) {
            fit->seq_len = resolved->seq_len; /* the plan's own, no multiple of the step */
        }
    }
    if (read.adapter_rank > 0) {
        fit->lora_rank = largest(&f, SIZE_RANK, &read, false);
    }
    if (model->family == NNC_FAMILY_DECODER && model->decoder.mixers_count == 0 &&
        model->decoder.mlps_count == 0) {
        fit->layers = largest(&f, SIZE_LAYERS, &read, false);
    }
    for (size_t i = 0; i < (sizeof options / sizeof options[0]); i++) {
        add_remedy(&f, &options[i], &read, resolved, fit);
    }
    shown = read;
    if (fit->micro_batch > 0) {
        resize(&f, SIZE_MICRO_BATCH, fit->micro_batch, &shown);
    }
    NNC_TRY(estimate(&f, model, &shown, true, &fit->result, err));
    fit->margin_bytes =
        fit->result.memory.total_interval_bytes[1] - fit->result.memory.total_interval_bytes[0];
    return NNC_OK;
}
