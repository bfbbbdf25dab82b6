/* What each device of a pipeline holds. */
#include <string.h>

#include "estimate/say.h"
#include "estimate/step.h"

/* Most of a holding is room for more segments than there are: only what is used is written. */
static void set_holding(const nnc_step *step, const nnc_deal *deal, int32_t device,
                        double in_flight, nnc_holding *h)
{
    h->segments = step->list->segment_count;
    h->in_flight = in_flight;
    h->head_at_once = step->plan->pipeline > 1 && nnc_schedule_ends_meet(step->plan);
    nnc_deal_device_share(deal, step->plan, device, h->instances);
    for (int32_t s = 0; s < h->segments; s++) {
        h->recomputed[s] = nnc_recomputed_layers(step->plan, step->list, s, h->instances[s]);
    }
}

/* Are all of a device's virtual stages seen to hold what those of the one before do? */
static bool like_before(const nnc_deal *deal, const nnc_plan *plan, int32_t device)
{
    bool like = device > 0 && !nnc_schedule_ends_meet(plan);
    for (int32_t v = device; like && v < deal->virtual_stages; v += deal->stages) {
        like = deal->alike[v];
    }
    return like;
}

static double in_flight_of(const nnc_plan *plan, int32_t device, nnc_derivation *why)
{
    if (plan->pipeline == 1) {
        NNC_SAY(why, in_flight, NULL, 1.0);
        return in_flight;
    }
    const double kept =
        nnc_pipeline_say_in_flight(plan->schedule, plan->pipeline, nnc_schedule_chunks(plan),
                                   plan->micro_batches, device, why);
    if (!nnc_schedule_dual(plan)) {
        return kept;
    }
    NNC_LET(why, of_both, NULL, kept);
    NNC_SAY(why, in_flight, NULL, of_both * 0.5);
    NNC_NOTE(why, "of both directions; counted in one direction's layers, the device has both");
    return in_flight;
}

void nnc_step_say_in_flight(const nnc_step *step, int32_t device)
{
    (void)in_flight_of(step->plan, device, step->why);
}

void nnc_step_deal(const nnc_step *step, nnc_step_memory *memory)
{
    const nnc_plan *plan = step->plan;
    nnc_deal_layers(step->list, plan, &memory->deal);
    for (int32_t d = 0; d < plan->pipeline; d++) {
        nnc_holding *h = &memory->holdings[d];
        const double in_flight = in_flight_of(plan, d, NULL);
        const bool like = like_before(&memory->deal, plan, d);
        if (like) {
            nnc_holding_copy(h, h - 1);
            h->in_flight = in_flight;
        } else {
            set_holding(step, &memory->deal, d, in_flight, h);
        }
        memory->alike[d] = like || (d > 0 && nnc_holding_same(h, h - 1));
    }
}

bool nnc_step_deal_again(const nnc_step *step, nnc_step_memory *memory)
{
    bool same = true;
    for (int32_t d = 0; d < step->plan->pipeline; d++) {
        nnc_holding *h = &memory->holdings[d];
        const double in_flight = in_flight_of(step->plan, d, NULL);
        same = same && !(in_flight < h->in_flight) && !(in_flight > h->in_flight);
        h->in_flight = in_flight;
    }
    return same;
}

/* Another one for other deals, up to what is in flight; 0: it is not kept. */
static uint64_t key_of(const nnc_plan *plan)
{
    const int32_t chunks = nnc_schedule_chunks(plan);
    const bool full = (plan->recompute & NNC_RECOMPUTE_FULL) != 0;
    if (plan->pipeline > NNC_DEALT_STAGES || chunks > NNC_DEALT_VIRTUAL / plan->pipeline) {
        return 0;
    }
    return ((uint64_t)plan->schedule << 32) | ((uint64_t)chunks << 16) |
           ((uint64_t)plan->pipeline << 1) | (full ? 1 : 0);
}

static void keep(const nnc_step_memory *m, uint64_t key, int32_t stages, nnc_dealt *to)
{
    const size_t count = (size_t)m->deal.virtual_stages, devices = (size_t)stages;
    to->key = key;
    to->virtual_stages = m->deal.virtual_stages;
    memcpy(to->alike, m->alike, devices * sizeof m->alike[0]);
    memcpy(to->virtual_alike, m->deal.alike, count * sizeof m->deal.alike[0]);
    memcpy(to->holdings, m->holdings, devices * sizeof m->holdings[0]);
    memcpy(to->shares, m->deal.shares, count * sizeof m->deal.shares[0]);
}

static void deal_kept(const nnc_dealt *from, int32_t stages, int32_t segments, nnc_step_memory *m)
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

void nnc_step_deal_kept(const nnc_step *step, nnc_dealt kept[NNC_DEALT], nnc_step_memory *memory)
{
    const nnc_plan *plan = step->plan;
    const uint64_t key = key_of(plan);
    nnc_dealt *place = &kept[(key * 0x9E3779B97F4A7C15u) >> (64 - NNC_DEALT_BITS)];
    if (key != 0 && place->key == key) {
        deal_kept(place, plan->pipeline, step->list->segment_count, memory);
        (void)nnc_step_deal_again(step, memory);
        return;
    }
    nnc_step_deal(step, memory);
    if (key != 0) {
        keep(memory, key, plan->pipeline, place);
    }
}
