/* Caches that a search alone needs: step ends and partitions. */
#include "memo/memo_internal.h"

/* ---- step ends ---- */

/* All that the step end of a device depends on, for one device, model and its links: the plan without the fields that
 * change only the passes and their order, and the trained parameters that it holds. */
typedef struct end_key {
    nnc_plan plan;
    const nnc_software *software;
    int64_t passes; /* 0 if nothing of the step end happens in each pass */
    nnc_step_end_params params;
} end_key;

enum { ENDS = 1024, END_WAYS = 2 };

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
    key->software = step->software;
    key->passes = every_pass ? nnc_step_passes(plan) : 0;
}

void nnc_step_ends_recall(nnc_scratch *scratch, nnc_step *step)
{
    nnc_memo *memo = &scratch->shared->ends;
    const nnc_step_memory *m = &scratch->step;
    nnc_step_ends *ends = &scratch->ends;
    end_key key;
    set_plan(&key, step);
    for (int32_t d = 0; d < step->plan->pipeline; d++) {
        if (m->alike[d]) {
            ends->of[d] = ends->of[d - 1];
            continue;
        }
        key.params = nnc_step_end_params_of(step, &m->holdings[d]);
        const nnc_tail *known = nnc_memo_find(memo, &key);
        if (known != NULL) { /* a copy: another stage may replace the entry */
            ends->own[d] = *known;
        } else {
            nnc_step_end_find(step, &key.params, &ends->own[d]);
            *(nnc_tail *)nnc_memo_add(memo, &key) = ends->own[d];
        }
        ends->of[d] = &ends->own[d];
    }
    step->ends = ends;
}

/* ---- partitions ---- */

enum { PARTITIONS = 256, PARTITION_STAGES = 32, PARTITION_VIRTUAL = 64 };

typedef struct partition {
    int32_t virtual_stages;
    bool alike[PARTITION_STAGES], virtual_alike[PARTITION_VIRTUAL];
    nnc_holding holdings[PARTITION_STAGES];
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

void nnc_step_deal_recall(nnc_scratch *scratch, const nnc_step *step)
{
    nnc_memo *memo = &scratch->shared->partitions;
    nnc_step_memory *m = &scratch->step;
    const nnc_plan *plan = step->plan;
    const uint64_t key = key_of(plan);
    const partition *known = key != 0 ? nnc_memo_find(memo, &key) : NULL;
    if (known != NULL) {
        recall(known, plan->pipeline, step->list->segment_count, m);
        (void)nnc_step_deal_again(step, m);
        return;
    }
    nnc_step_deal(step, m);
    if (key != 0) {
        keep(m, plan->pipeline, nnc_memo_add(memo, &key));
    }
}

bool nnc_search_memos_create(nnc_memo *ends, nnc_memo *partitions)
{
    return nnc_memo_create(ends, ENDS, END_WAYS, sizeof(end_key), sizeof(nnc_tail)) &&
           nnc_memo_create(partitions, PARTITIONS, 1, sizeof(uint64_t), sizeof(partition));
}
