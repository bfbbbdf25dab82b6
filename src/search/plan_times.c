/* Computes the step times of the plans of a group. The step time of a plan is either computed at once, or its pipeline
 * is collected and replayed together with other pipelines. */
#include <stdlib.h>
#include <string.h>

#include "base/base_internal.h"
#include "estimate/estimate_internal.h"
#include "memo/memo_internal.h"
#include "pipeline/pipeline_internal.h"
#include "search/search_internal.h"

/* In dualpipe the first forward of each stage overlaps with no backward, so less expert communication overlaps than in
 * other schedules with separate weight gradients (nnc_overlap_of). */
int nnc_units_kind(const nnc_plan *plan, const nnc_software *software) {
    if (!nnc_schedule_splits(plan)) { return 0; }
    return nnc_schedule_dual(plan) && plan->expert > 1 && software->overlap_expert > 0.0 ? 2 : 1;
}

/* Returns the inputs for the step time of a plan (nnc_step) that has the costs `pass` per micro-batch, and computes the
 * plan's step ends: communication and update after the last backward. */
static nnc_step step_of(nnc_plan_groups *groups, const nnc_pass_costs *pass, const nnc_plan *plan) {
    nnc_step step = pass->step;
    step.plan = plan;
    nnc_step_ends_recall(groups->scratch, &step, pass->units[nnc_units_kind(plan, pass->software)]);
    return step;
}

bool nnc_plan_groups_step(nnc_plan_groups *groups, nnc_pass_costs *pass, nnc_result *result) {
    nnc_step_memory *m = &groups->scratch->step;
    const int kind = nnc_units_kind(&result->plan, pass->software);
    const nnc_step step = step_of(groups, pass, &result->plan);
    if (pass->group != groups->group) { /* one replay of the pipeline is enough for all plans of the group */
        pass->runs = nnc_step_core_run(&step, pass->units[kind], m, &pass->run);
        pass->group = groups->group;
    }
    if (!pass->runs) { return false; }
    /* a plan without a pipeline has no replay: its step time is the sum of the parts of the step */
    if (result->plan.pipeline == 1) {
        nnc_result parts = { .plan = result->plan };
        const bool timed = nnc_step_core_parts(&step, pass->units[kind], &pass->run, m, &parts);
        result->step_s = parts.step_s;
        return timed;
    }
    result->step_s = nnc_step_core_s(&step, pass->units[kind], &pass->run, m);
    return true;
}

/* Lists in waiting->ends how many seconds each pipeline stage needs after its last pass, for the communication of
 * gradients and the update. Neighbouring stages with equal seconds share an entry. If the schedule makes all stages end
 * together, the list has only the longest time. Returns false if more than NNC_ENDS_MAX entries are needed. */
static bool fill_ends(nnc_plan_groups *groups, const nnc_plan *plan, nnc_waiting *waiting) {
    const nnc_stage *stages = groups->scratch->step.stages;
    const bool *alike = groups->scratch->step.alike;
    const bool together = !nnc_schedule_splits(plan); /* without separate weight gradients all stages end together, so
                                                       * only the slowest step end counts */
    waiting->end_count = 0;
    for (int32_t d = 0; d < plan->pipeline; d++) {
        if (alike[d]) {
            waiting->ends[waiting->end_count - 1].stages += together ? 0 : 1;
            continue;
        }
        const double end_s = stages[d].exchange_s + stages[d].update_s;
        nnc_stage_end *last = &waiting->ends[waiting->end_count - (d > 0)];
        if (d > 0 && together) {
            last->end_s = end_s > last->end_s ? end_s : last->end_s;
        } else if (d > 0 && !(end_s < last->end_s) && !(end_s > last->end_s)) {
            last->stages++;
        } else if (waiting->end_count == NNC_ENDS_MAX) {
            return false;
        } else {
            waiting->ends[waiting->end_count++] = (nnc_stage_end){ 1, end_s };
        }
    }
    return true;
}

/* Sets waiting->ends as fill_ends does, or copies the stored ends of the pass to it. Groups of plans that differ in the
 * order of passes often divide the layers over the stages in the same way; the step ends of a plan are then the same in
 * each of these groups. */
static bool recall_ends(nnc_plan_groups *groups, nnc_pass_costs *pass, const nnc_plan *plan, uint64_t inside,
                        nnc_waiting *waiting) {
    nnc_pass_ends *known = inside < NNC_PASS_PLANS ? &pass->ends[inside] : NULL;
    const int32_t kind = (nnc_schedule_splits(plan) ? 1 : 0) + (nnc_schedule_dual(plan) ? 2 : 0);
    const size_t size = sizeof waiting->ends[0];
    if (known != NULL && known->pass == pass->number && known->held_layers == groups->held_layers &&
        known->kind == kind) {
        waiting->end_count = known->end_count;
        memcpy(waiting->ends, known->ends, size * (size_t)known->end_count);
        return true;
    }
    (void)step_of(groups, pass, plan);
    if (!fill_ends(groups, plan, waiting)) { return false; }
    if (known != NULL) {
        known->pass = pass->number;
        known->held_layers = groups->held_layers;
        known->kind = kind;
        known->end_count = waiting->end_count;
        memcpy(known->ends, waiting->ends, size * (size_t)waiting->end_count);
    }
    return true;
}

bool nnc_plan_groups_wait(nnc_plan_groups *groups, nnc_pass_costs *pass, uint64_t inside, const nnc_result *result,
                          nnc_waiting *waiting) {
    nnc_step_memory *m = &groups->scratch->step;
    const nnc_plan *plan = &result->plan;
    const nnc_segment_time *units = pass->units[nnc_units_kind(plan, pass->software)];
    if (groups->replay == NULL || !nnc_batched_replay_takes(plan)) { return false; }
    if (!recall_ends(groups, pass, plan, inside, waiting)) { return false; }
    if (pass->waits != groups->group || !nnc_batched_replay_has(groups->replay, &pass->track)) {
        nnc_step step = pass->step;
        step.plan = plan;
        nnc_step_core_times(&step, units, m);
        const nnc_pipeline pipeline = nnc_step_pipeline(plan, m);
        pass->track = nnc_batched_replay_add(groups->replay, &pipeline, &m->pipeline);
        pass->waits = groups->group;
    }
    nnc_batched_replay_wait(groups->replay, &pass->track, waiting);
    return true;
}

bool nnc_plan_groups_parts(nnc_plan_groups *groups, nnc_pass_costs *pass, nnc_result *result) {
    const int kind = nnc_units_kind(&result->plan, pass->software);
    /* this call can lower the op list of the pass again, so pass->step is read only afterwards */
    nnc_plan_groups_work(groups, pass, result);
    nnc_step step = pass->step;
    step.plan = &result->plan;
    const nnc_overlap overlap = nnc_overlap_of(step.plan, step.software);
    nnc_step_ends_find(&step, &groups->scratch->step, &groups->scratch->ends);
    step.ends = &groups->scratch->ends;
    nnc_step_ends_set(&step, pass->units[kind], &overlap, &groups->scratch->step);
    return nnc_step_core_parts(&step, pass->units[kind], &pass->run, &groups->scratch->step, result);
}

double nnc_plan_groups_least_s(const nnc_pass_costs *pass, const nnc_plan *plan) {
    const int kind = nnc_units_kind(plan, pass->software);
    return pass->pass_s[kind] * (double)plan->micro_batches / plan->pipeline;
}

void nnc_plan_groups_finish(nnc_plan_groups *groups) {
    if (groups->replay != NULL) { nnc_batched_replay_finish(groups->replay, &groups->scratch->step.pipeline); }
}

const nnc_software *nnc_plan_groups_software(const nnc_pass_costs *pass) { return pass->step.software; }

/* ---- batched replay ----
 *
 * Pipelines of one shape (equal schedule, stages, chunks and micro-batches) are collected in a set and replayed
 * together, one per SIMD lane. A set stores the times of the ops of its pipelines, and the plans that wait until these
 * pipelines are replayed. A set is replayed and emptied when all its lanes or all its places for plans are taken, when
 * a new shape needs the place of the oldest set, and at the end of a round of the search.
 *
 * Each pipeline gets the same result as in a separate replay, so the order of the sets does not matter. */

/* SETS: number of sets of pipelines that can exist at the same time; each set has one shape (see replay_set). WAYS:
 * number of sets in which the shape of a given key can be stored. Plans with equal recomputation have about 100 shapes,
 * one for each combination of a schedule, a number of virtual stages and a pipeline degree that divides the layers.
 * SETS is larger than 100, because the shapes of one micro-batch come back with another tensor or context degree; with
 * fewer sets, many sets are replayed before all their lanes are taken. 1,024 sets save another tenth of the time of
 * `search gpt3-175b a100 --devices 1024 --global-batch 1536 --no-prune --software any`, but need 20 MB more, which
 * exceeds the memory of a request to `nncost mcp` (tests/mcp.py). */
enum { SET_BITS = 8, SETS = 1 << SET_BITS, WAYS = 8, VIRTUAL_MAX = 128, PLANS_MAX = 64 };

/* A set of pipelines with the same shape (schedule, stages, chunks and micro-batches), and the plans that wait for the
 * times of these pipelines. */
typedef struct replay_set {
    /* schedule, stages, chunks and micro-batches of all pipelines in the set; the times in `shape` are not used */
    nnc_pipeline shape;
    uint64_t number;
    int32_t tracks, plans; /* tracks: number of pipelines; plans: number of plans that wait; tracks and plans are 0 in
                            * an empty set */
    double send_s[NNC_TRACKS];
    /* times of the set's pipelines, without gaps, so that short pipelines use few cache lines: first forward of all
     * virtual stages, then backward, then weight gradients */
    _Alignas(32) double times_s[3 * VIRTUAL_MAX * NNC_TRACKS];
    nnc_waiting plan[PLANS_MAX];
} replay_set;

struct nnc_batched_replay {
    void *block; /* memory that holds this struct; see nnc_alloc_at_line */
    nnc_batched_fn *batched;
    void *context;
    uint64_t numbers; /* serial number of the set of pipelines that was begun last */
    uint64_t turn;    /* number of sets that were replayed because a new shape needed their place */
    uint64_t keys[SETS];
    double span_s[NNC_TRACKS_STAGES_MAX * NNC_TRACKS];
    replay_set sets[SETS];
};

nnc_batched_replay *nnc_batched_replay_create(nnc_batched_fn *batched, void *context) {
    void *block = NULL;
    nnc_batched_replay *made = nnc_alloc_at_line(sizeof *made, &block);
    if (made != NULL) {
        made->block = block;
        made->batched = batched;
        made->context = context;
    }
    return made;
}

void nnc_batched_replay_destroy(nnc_batched_replay *replay) {
    if (replay != NULL) { free(replay->block); }
}

bool nnc_batched_replay_takes(const nnc_plan *plan) {
    return plan->pipeline > 1 && plan->pipeline <= NNC_TRACKS_STAGES_MAX &&
           nnc_schedule_chunks(plan) <= VIRTUAL_MAX / plan->pipeline && plan->micro_batches < INT64_C(1) << 40;
}

/* Returns a key computed from the schedule, stages, chunks and micro-batches of a pipeline. Pipelines that differ in
 * schedule, stages, chunks or micro-batches have different keys; no key is 0. */
static uint64_t key_of(const nnc_pipeline *p) {
    return ((uint64_t)p->micro_batches << 24) | ((uint64_t)p->schedule << 16) | ((uint64_t)p->stages << 8) |
           (uint64_t)p->chunks;
}

/* Returns the step time of a waiting plan, in seconds: the time at which the last of its pipeline stages ends. */
static double waited_s(const nnc_waiting *plan, const double *span_s) {
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

static void replay(nnc_batched_replay *r, int32_t place, nnc_pipeline_memory *memory) {
    replay_set *set = &r->sets[place];
    double total_s[NNC_TRACKS];
    if (r->keys[place] == 0) { return; }
    nnc_pipeline pipeline = set->shape;
    const size_t room = (size_t)pipeline.stages * (size_t)pipeline.chunks * NNC_TRACKS;
    pipeline.forward_s = set->times_s;
    pipeline.backward_s = set->times_s + room;
    pipeline.weight_s = set->times_s + 2 * room;
    const bool done =
        set->tracks > 0 && nnc_pipeline_run_tracks(&pipeline, set->send_s, set->tracks, memory, r->span_s, total_s);
    for (int32_t i = 0; i < set->plans; i++) {
        r->batched(r->context, &set->plan[i], done ? waited_s(&set->plan[i], r->span_s) : (double)NAN);
    }
    set->tracks = set->plans = 0;
    set->number = 0;
    r->keys[place] = 0;
}

/* Returns the index of the set of pipelines that has the same schedule, stages, chunks and micro-batches as `pipeline`.
 * If no set has this shape, assigns an empty set to the shape; if the key of the shape has no empty set, first replays
 * and empties one of the sets of the key, in turn. */
static int32_t set_of(nnc_batched_replay *r, const nnc_pipeline *pipeline, nnc_pipeline_memory *memory) {
    const uint64_t key = key_of(pipeline), hash = (key * 0x9E3779B97F4A7C15u) >> (64 - SET_BITS);
    const int32_t first = (int32_t)hash / WAYS * WAYS;
    int32_t place = -1;
    for (int32_t i = first; i < first + WAYS; i++) {
        if (r->keys[i] == key) { return i; }
        place = r->keys[i] == 0 ? i : place;
    }
    if (place < 0) {
        place = first + (int32_t)(r->turn++ % WAYS);
        replay(r, place, memory);
    }
    r->keys[place] = key;
    return place;
}

nnc_replay_place nnc_batched_replay_add(nnc_batched_replay *r, const nnc_pipeline *pipeline,
                                        nnc_pipeline_memory *memory) {
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

bool nnc_batched_replay_has(const nnc_batched_replay *r, const nnc_replay_place *track) {
    const replay_set *set = &r->sets[track->set];
    return set->number == track->number && set->plans < PLANS_MAX;
}

void nnc_batched_replay_wait(nnc_batched_replay *r, const nnc_replay_place *track, nnc_waiting *plan) {
    replay_set *set = &r->sets[track->set];
    nnc_waiting *waits = &set->plan[set->plans++];
    plan->track = track->track;
    memcpy(waits, plan, offsetof(nnc_waiting, ends) + sizeof plan->ends[0] * (size_t)plan->end_count);
}

void nnc_batched_replay_finish(nnc_batched_replay *r, nnc_pipeline_memory *memory) {
    for (int32_t i = 0; i < SETS; i++) { replay(r, i, memory); }
}
