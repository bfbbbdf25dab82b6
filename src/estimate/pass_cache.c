#include "estimate/estimate_internal.h"

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

static uint64_t hash_of(const nnc_plan *plan)
{
    uint64_t words[sizeof *plan / sizeof(uint64_t)], hash = 0;
    memcpy(words, plan, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        hash += (words[i] ^ words[i] >> 32) * (0x9E3779B97F4A7C15u + 0x632BE59BD9B4E01Au * i);
    }
    return hash ^ hash >> 29;
}

void nnc_known_forget(nnc_known_store *store)
{
    memset(store->keys, 0, sizeof store->keys);
    store->dealt = NULL;
}

/* Is that still the list which it was worked out from? */
static bool is_listed(const nnc_known_store *store, uint64_t at)
{
    const nnc_alike *alike = store->of[at].alike;
    return alike->listed && alike->list_number == store->keys[at].list;
}

nnc_known *nnc_known_find(nnc_known_store *store, const nnc_plan *plan,
                          const nnc_software *software)
{
    const nnc_plan seen = part_seen(plan);
    const uint64_t hash = hash_of(&seen);
    for (uint64_t i = 0; i < NNC_KNOWN_TRIES; i++) {
        const uint64_t at = (hash + i) % NNC_KNOWN;
        nnc_known *k = &store->of[at];
        if (store->keys[at].list > 0 && store->keys[at].hash == hash && is_listed(store, at) &&
            nnc_same_bytes(&k->plan, &seen, sizeof seen) &&
            nnc_same_bytes(&k->alike->software, software, sizeof *software)) {
            return k;
        }
    }
    return NULL;
}

/* A free place, else one after the other. */
static uint64_t place_for(nnc_known_store *store, uint64_t hash)
{
    for (uint64_t i = 0; i < NNC_KNOWN_TRIES; i++) {
        const uint64_t at = (hash + i) % NNC_KNOWN;
        if (store->keys[at].list == 0 || !is_listed(store, at)) {
            return at;
        }
    }
    return (hash + store->kept++ % NNC_KNOWN_TRIES) % NNC_KNOWN;
}

nnc_known *nnc_known_keep(nnc_known_store *store, nnc_alike *alike, const nnc_step *step,
                          const nnc_unit units[NNC_SEGMENTS_MAX], const nnc_result *r)
{
    const size_t segments = (size_t)step->list->segment_count;
    const nnc_plan seen = part_seen(step->plan);
    const uint64_t hash = hash_of(&seen), at = place_for(store, hash);
    nnc_known *k = &store->of[at];
    store->keys[at] = (nnc_known_key){ hash, alike->list_number };
    k->alike = alike;
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
    *accumulates = nnc_same_bytes(&known->grad_accumulate, &share, sizeof share);
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
