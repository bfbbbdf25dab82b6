/* Batched replay: pipelines of one shape are collected in a set and replayed together, one per SIMD lane.
 *
 *     key:    schedule, stages, chunks and micro-batches.
 *     value:  the times of the set's pipelines, and the plans that wait for them.
 *     ends:   when all lanes or all places for plans are taken; when a new shape needs the oldest set; at the end of a round.
 *
 * The results of a replay are those of a replay alone, so the order of sets does not matter. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/pipeline_internal.h"
#include "search/search_internal.h"

/* More sets than a model has schedules, virtual stages and pipeline degrees that divide its layers: a search tries
 * all of those before the next recomputation. */
enum { SETS = 128, VIRTUAL_MAX = 128, PLANS_MAX = 64, HINT_BITS = 9 };

/* Pipelines of one shape, and the plans that wait for them. */
typedef struct replay_set {
    nnc_pipeline shape; /* its times are not used */
    uint64_t number;
    int32_t tracks, plans; /* counts; 0 = empty */
    double send_s[NNC_TRACKS];
    /* Forward of all virtual stages, then backward, then weight gradients, without gaps: short pipelines use few
     * cache lines. */
    double times_s[3 * VIRTUAL_MAX * NNC_TRACKS];
    nnc_waiting plan[PLANS_MAX];
} replay_set;

struct nnc_batched_replay {
    nnc_batched_fn *batched;
    void *context;
    uint64_t numbers; /* serial number of the last set */
    int32_t oldest;   /* the next to be replaced */
    uint64_t keys[SETS];
    uint8_t hints[1 << HINT_BITS]; /* where a key with that hash was last */
    double span_s[NNC_TRACKS_STAGES_MAX * NNC_TRACKS];
    replay_set sets[SETS];
};

nnc_batched_replay *nnc_batched_replay_create(nnc_batched_fn *batched, void *context)
{
    nnc_batched_replay *made = calloc(1, sizeof *made);
    if (made != NULL) {
        made->batched = batched;
        made->context = context;
    }
    return made;
}

void nnc_batched_replay_destroy(nnc_batched_replay *replay)
{
    free(replay);
}

bool nnc_batched_replay_takes(const nnc_plan *plan)
{
    return plan->pipeline > 1 && plan->pipeline <= NNC_TRACKS_STAGES_MAX &&
           nnc_schedule_chunks(plan) <= VIRTUAL_MAX / plan->pipeline &&
           plan->micro_batches < INT64_C(1) << 40 && nnc_schedule_of(plan->schedule)->wave != NULL;
}

/* A different key for every shape; never 0. */
static uint64_t key_of(const nnc_pipeline *p)
{
    return ((uint64_t)p->micro_batches << 24) | ((uint64_t)p->schedule << 16) |
           ((uint64_t)p->stages << 8) | (uint64_t)p->chunks;
}

/* The step time: the stage that ends last. */
static double step_of(const nnc_waiting *plan, const double *span_s)
{
    const double *of = &span_s[plan->track];
    double step_s = 0.0;
    for (int32_t i = 0; i < plan->end_count; i++) {
        for (int32_t d = 0; d < plan->ends[i].stages; d++, of += NNC_TRACKS) {
            const double ends_s = *of + plan->ends[i].end_s;
            step_s = ends_s > step_s ? ends_s : step_s;
        }
    }
    return step_s;
}

static void replay(nnc_batched_replay *r, int32_t place, nnc_pipeline_memory *memory)
{
    replay_set *set = &r->sets[place];
    double total_s[NNC_TRACKS];
    if (r->keys[place] == 0) {
        return;
    }
    nnc_pipeline pipeline = set->shape;
    const size_t room = (size_t)pipeline.stages * (size_t)pipeline.chunks * NNC_TRACKS;
    pipeline.forward_s = set->times_s;
    pipeline.backward_s = set->times_s + room;
    pipeline.weight_s = set->times_s + 2 * room;
    const bool done =
        set->tracks > 0 &&
        nnc_pipeline_run_tracks(&pipeline, set->send_s, set->tracks, memory, r->span_s, total_s);
    for (int32_t i = 0; i < set->plans; i++) {
        r->batched(r->context, &set->plan[i],
                   done ? step_of(&set->plan[i], r->span_s) : (double)NAN);
    }
    set->tracks = set->plans = 0;
    set->number = 0;
    r->keys[place] = 0;
}

/* The set of a shape; a new one replaces the oldest. */
static int32_t set_of(nnc_batched_replay *r, const nnc_pipeline *pipeline,
                      nnc_pipeline_memory *memory)
{
    const uint64_t key = key_of(pipeline);
    uint8_t *hint = &r->hints[(key * 0x9E3779B97F4A7C15u) >> (64 - HINT_BITS)];
    if (r->keys[*hint] == key) {
        return *hint;
    }
    for (int32_t i = 0; i < SETS; i++) {
        if (r->keys[i] == key) {
            *hint = (uint8_t)i;
            return i;
        }
    }
    const int32_t place = r->oldest;
    *hint = (uint8_t)place;
    r->oldest = (r->oldest + 1) % SETS;
    replay(r, place, memory);
    r->keys[place] = key;
    return place;
}

nnc_replay_place nnc_batched_replay_add(nnc_batched_replay *r, const nnc_pipeline *pipeline,
                                        nnc_pipeline_memory *memory)
{
    const int32_t place = set_of(r, pipeline, memory);
    replay_set *set = &r->sets[place];
    if (set->tracks == NNC_TRACKS || set->plans == PLANS_MAX) {
        replay(r, place, memory);
        r->keys[place] = key_of(pipeline);
    }
    if (set->tracks == 0) {
        set->shape = *pipeline;
        set->number = ++r->numbers;
    }
    const int32_t track = set->tracks++;
    set->send_s[track] = pipeline->send_s;
    const int32_t count = pipeline->stages * pipeline->chunks;
    const size_t room = (size_t)count * NNC_TRACKS;
    double *at = &set->times_s[track];
    for (int32_t s = 0; s < count; s++, at += NNC_TRACKS) {
        at[0] = pipeline->forward_s[s];
        at[room] = pipeline->backward_s[s];
        at[2 * room] = pipeline->weight_s[s];
    }
    return (nnc_replay_place){ place, track, set->number };
}

bool nnc_batched_replay_has(const nnc_batched_replay *r, const nnc_replay_place *track)
{
    const replay_set *set = &r->sets[track->set];
    return set->number == track->number && set->plans < PLANS_MAX;
}

void nnc_batched_replay_wait(nnc_batched_replay *r, const nnc_replay_place *track,
                             nnc_waiting *plan)
{
    replay_set *set = &r->sets[track->set];
    nnc_waiting *waits = &set->plan[set->plans++];
    plan->track = track->track;
    memcpy(waits, plan,
           offsetof(nnc_waiting, ends) + sizeof plan->ends[0] * (size_t)plan->end_count);
}

void nnc_batched_replay_finish(nnc_batched_replay *r, nnc_pipeline_memory *memory)
{
    for (int32_t i = 0; i < SETS; i++) {
        replay(r, i, memory);
    }
}
