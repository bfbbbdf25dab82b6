#include "estimate/known.h"

#include <string.h>

/* The part of a plan that decides what a pass takes, and what happens once per step but for how often. */
static nnc_plan part_seen(const nnc_plan *plan)
{
    const nnc_plan unset = { 0 };
    nnc_plan seen = *plan;
    if (!nnc_schedule_dual(plan)) { /* else fewer passes hide less: see nnc_overlap_of */
        seen.micro_batches = unset.micro_batches;
    }
    seen.global_batch = unset.global_batch;
    seen.tokens = unset.tokens;
    seen.samples = unset.samples;
    seen.price = unset.price;
    return seen;
}

static bool is_listed(const nnc_known *known)
{
    return known->list > 0 && known->alike->listed && known->alike->list_number == known->list;
}

void nnc_known_forget(nnc_known_store *store)
{
    for (int i = 0; i < NNC_KNOWN; i++) {
        store->of[i].list = 0;
    }
    store->dealt = NULL;
}

nnc_known *nnc_known_find(nnc_known_store *store, const nnc_plan *plan,
                          const nnc_software *software)
{
    const nnc_plan seen = part_seen(plan);
    for (int i = 0; i < NNC_KNOWN; i++) {
        const int at = (store->last + i) % NNC_KNOWN;
        nnc_known *k = &store->of[at];
        if (is_listed(k) && memcmp(&k->plan, &seen, sizeof seen) == 0 &&
            memcmp(&k->alike->software, software, sizeof *software) == 0) {
            store->last = at;
            return k;
        }
    }
    return NULL;
}

nnc_known *nnc_known_keep(nnc_known_store *store, const nnc_alike *alike, const nnc_step *step,
                          const nnc_unit units[NNC_SEGMENTS_MAX], const nnc_result *r)
{
    const size_t segments = (size_t)step->list->segment_count;
    nnc_known *k = &store->of[store->oldest];
    store->oldest = (store->oldest + 1) % NNC_KNOWN;
    k->alike = alike;
    k->list = alike->list_number;
    const nnc_plan seen = part_seen(step->plan);
    memcpy(&k->plan, &seen, sizeof seen);
    k->grad_accumulate = alike->grad_accumulate;
    k->step = *step;
    k->step.sums = k->sums;
    k->step.tails = &k->tails;
    memcpy(k->sums, step->sums, segments * sizeof k->sums[0]);
    if (step->network != NULL) {
        k->network = *step->network;
        k->step.network = &k->network;
    }
    memcpy(k->units, units, segments * sizeof units[0]);
    k->work = alike->work;
    k->tails.count = k->store.count = 0;
    k->step.store = &k->store;
    k->passes = step->plan->micro_batches;
    store->dealt = k;
    store->memory = r->memory;
    store->memory_stage = r->memory_stage;
    return k;
}

/* Does what happens once per step depend on the number of passes? */
static bool counts_passes(const nnc_step *step)
{
    return step->plan->zero == 2 || step->software->added_gradients;
}

nnc_step nnc_known_step(nnc_known *known, const nnc_plan *plan, const nnc_software *software,
                        bool *accumulates)
{
    const double share = nnc_lowering_of(plan, software, plan->attention).grad_accumulate;
    *accumulates = memcmp(&known->grad_accumulate, &share, sizeof share) == 0;
    known->step.plan = plan;
    known->step.software = software;
    if (known->passes != plan->micro_batches && counts_passes(&known->step)) {
        known->tails.count = known->store.count = 0;
    }
    if (!*accumulates) {
        known->tails.count = 0;
    }
    known->grad_accumulate = share;
    known->passes = plan->micro_batches;
    return known->step;
}
