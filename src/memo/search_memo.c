/* Caches that a search alone needs: step ends and partitions. */
#include <stddef.h>

#include "memo/memo_internal.h"

/* ---- step ends ---- */

/* All that the step end of a device depends on, for one device, model and its links: the plan without the fields that
 * change only the passes and their order, and the trained parameters that it holds. */
typedef struct end_key {
    uint64_t degrees; /* of the plan, for the hash */
    nnc_step_end_params params;
    nnc_plan plan;
    const nnc_software *software;
    int64_t passes; /* 0 if nothing of the step end happens in each pass */
} end_key;

enum { ENDS = 1024, END_WAYS = 4 };

static void set_plan(end_key *key, const nnc_step *step)
{
    const nnc_plan *plan = step->plan;
    const bool every_pass = plan->zero == 2 || step->software->added_gradients;
    memcpy(&key->plan, plan, sizeof key->plan);
    key->plan.micro_batch = key->plan.micro_batches = 0;
    key->plan.recompute = 0;
    key->plan.sequence_parallel = false;
    key->plan.schedule = NNC_SCHEDULE_1F1B;
    key->plan.virtual_stages = 0;
    key->degrees =
        ((((uint64_t)plan->data * 31 + (uint64_t)plan->tensor) * 31 + (uint64_t)plan->pipeline) *
             31 +
         (uint64_t)plan->shard) *
            31 +
        (uint64_t)plan->zero * 8 + plan->offload;
    key->software = step->software;
    key->passes = every_pass ? nnc_step_passes(plan) : 0;
}

/* The seconds of a step end: `like` stands for the units and the plan; then the segments of the device. */
typedef struct seconds_key {
    uint64_t like;
    int32_t held[2 * NNC_SEGMENTS_MAX];
} seconds_key;

enum { HASHED_HELD = 6 * sizeof(int32_t) }; /* the embedding, the first layers and what follows */

static void set_held(seconds_key *key, const nnc_stage_residency *h)
{
    for (int32_t s = 0; s < h->segments; s++) {
        key->held[(size_t)s * 2] = (int32_t)h->instances[s];
        key->held[(size_t)s * 2 + 1] = (int32_t)h->recomputed[s];
    }
}

static const nnc_step_end *find_end(nnc_memo *memo, const nnc_step *step,
                                    const nnc_stage_residency *holding)
{
    end_key key;
    set_plan(&key, step);
    key.params = nnc_step_end_params_of(step, holding);
    nnc_step_end *end = nnc_memo_find(memo, &key);
    if (end == NULL) {
        end = nnc_memo_add(memo, &key);
        nnc_step_end_find(step, &key.params, end);
    }
    return end;
}

void nnc_step_ends_recall(nnc_scratch *scratch, const nnc_step *step,
                          const nnc_segment_time units[NNC_SEGMENTS_MAX], uint64_t like)
{
    nnc_estimate_cache *shared = scratch->shared;
    nnc_step_memory *m = &scratch->step;
    seconds_key key = { .like = like };
    for (int32_t d = 0; d < step->plan->pipeline; d++) {
        if (m->alike[d]) {
            nnc_step_end_set_alike(m, d);
            continue;
        }
        set_held(&key, &m->holdings[d]);
        const nnc_step_end_seconds *known = nnc_memo_find(&shared->end_seconds, &key);
        if (known == NULL) {
            const nnc_overlap overlap = nnc_overlap_of(step->plan, step->software);
            const nnc_step_end *end = find_end(&shared->ends, step, &m->holdings[d]);
            nnc_step_end_seconds *made = nnc_memo_add(&shared->end_seconds, &key);
            *made = nnc_step_end_expose(step, units, &m->holdings[d], &overlap, end);
            known = made;
        }
        m->own_ends[d] = *known; /* a copy: another stage may replace the entry */
        nnc_step_end_set(m, d, &m->own_ends[d]);
    }
}

/* ---- partitions ---- */

enum { PARTITIONS = 256, PARTITION_STAGES = 32, PARTITION_VIRTUAL = 64 };

typedef struct partition {
    int32_t virtual_stages;
    bool alike[PARTITION_STAGES], virtual_alike[PARTITION_VIRTUAL];
    nnc_stage_residency holdings[PARTITION_STAGES];
    nnc_stage_layers shares[PARTITION_VIRTUAL];
} partition;

/* Equal for equal partitions, except the micro-batches in flight; 0: not kept. */
static uint64_t key_of(const nnc_plan *plan)
{
    const int32_t chunks = nnc_schedule_chunks(plan);
    const bool full = (plan->recompute & NNC_RECOMPUTE_FULL) != 0;
    if (plan->pipeline > PARTITION_STAGES || chunks > PARTITION_VIRTUAL / plan->pipeline) {
        return 0;
    }
    return ((uint64_t)plan->schedule << 32) | ((uint64_t)chunks << 16) |
           ((uint64_t)plan->pipeline << 1) | (full ? 1 : 0);
}

static void keep(const nnc_step_memory *m, int32_t stages, partition *to)
{
    const size_t count = (size_t)m->deal.virtual_stages, devices = (size_t)stages;
    to->virtual_stages = m->deal.virtual_stages;
    memcpy(to->alike, m->alike, devices * sizeof m->alike[0]);
    memcpy(to->virtual_alike, m->deal.alike, count * sizeof m->deal.alike[0]);
    memcpy(to->holdings, m->holdings, devices * sizeof m->holdings[0]);
    memcpy(to->shares, m->deal.shares, count * sizeof m->deal.shares[0]);
}

static void recall(const partition *from, int32_t stages, int32_t segments, nnc_step_memory *m)
{
    const size_t count = (size_t)from->virtual_stages, devices = (size_t)stages;
    m->deal.stages = stages;
    m->deal.virtual_stages = from->virtual_stages;
    m->deal.segments = segments;
    memcpy(m->alike, from->alike, devices * sizeof m->alike[0]);
    memcpy(m->deal.alike, from->virtual_alike, count * sizeof m->deal.alike[0]);
    memcpy(m->holdings, from->holdings, devices * sizeof m->holdings[0]);
    memcpy(m->deal.shares, from->shares, count * sizeof m->deal.shares[0]);
}

void nnc_step_partition_recall(nnc_scratch *scratch, const nnc_step *step)
{
    nnc_memo *memo = &scratch->shared->partitions;
    nnc_step_memory *m = &scratch->step;
    const nnc_plan *plan = step->plan;
    const uint64_t key = key_of(plan);
    const partition *known = key != 0 ? nnc_memo_find(memo, &key) : NULL;
    if (known != NULL) {
        recall(known, plan->pipeline, step->list->segment_count, m);
        (void)nnc_step_partition_again(step, m);
        return;
    }
    nnc_step_partition(step, m);
    if (key != 0) {
        keep(m, plan->pipeline, nnc_memo_add(memo, &key));
    }
}

bool nnc_search_memos_create(nnc_estimate_cache *shared)
{
    return nnc_memo_create(&shared->ends, ENDS, END_WAYS, sizeof(end_key), offsetof(end_key, plan),
                           sizeof(nnc_step_end)) &&
           nnc_memo_create(&shared->end_seconds, ENDS, END_WAYS, sizeof(seconds_key),
                           offsetof(seconds_key, held) + HASHED_HELD,
                           sizeof(nnc_step_end_seconds)) &&
           nnc_memo_create(&shared->partitions, PARTITIONS, 4, sizeof(uint64_t), sizeof(uint64_t),
                           sizeof(partition));
}
