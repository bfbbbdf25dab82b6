/* Evaluates blocks of a search on the threads of one process. For each plan: legal? does it fit? can it be among the best
 * (a lower bound of its step time decides)? then its step time, at once or in a batch of pipelines. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base_internal.h"
#include "estimate/estimate_internal.h"
#include "run/run_internal.h"
#include "search/search_internal.h"

typedef struct worker {
    nnc_searcher *of;
    nnc_plan_groups *groups;
    nnc_search_part part;
    char padding[64]; /* keeps its counters out of the next worker's cache line (false sharing) */
} worker;

struct nnc_searcher {
    const nnc_device *device;
    const nnc_search *search;
    const nnc_space *space;
    nnc_run_ask run_ask; /* of the search, in the layout of this library */
    worker *workers;
    int32_t count;
    /* Constant while blocks are evaluated. */
    const nnc_front *known;
    uint64_t end, run; /* blocks that a thread takes at a time */
    atomic_ullong next;
};

/* A whole search is shard 1 of 1. */
static int32_t shards_of(const nnc_search *search)
{
    return search->shards > 0 ? search->shards : 1;
}

static int32_t shard_of(const nnc_search *search)
{
    return search->shards > 0 ? search->shard : 1;
}

uint64_t nnc_shard_size(const nnc_search *search, const nnc_space *space)
{
    return nnc_space_shard_size(space, shard_of(search), shards_of(search));
}

static uint64_t shard_block(const nnc_search *search, uint64_t place)
{
    return nnc_space_shard_block(place, shard_of(search), shards_of(search));
}

/* Fills in the run of a plan: all its metrics if the search asks for a run, else its steps alone. */
static void count_run(const nnc_searcher *r, nnc_result *result, nnc_run *run)
{
    nnc_utilisation(result, NULL);
    nnc_run_cost(r->device, result, NULL);
    *run = (nnc_run){ .run_s = result->run_s,
                      .device_hours = result->device_hours,
                      .cost = result->cost_run,
                      .goodput = (double)NAN,
                      .energy_j = (double)NAN,
                      .carbon_kg = (double)NAN };
    if (r->search->run != NULL) { /* contradictions were refused before */
        (void)nnc_run_say(result, r->device, &result->plan, &r->run_ask, run, NULL, NULL);
    }
}

static nnc_found found_of(const nnc_result *result, const nnc_run *run,
                          const nnc_software *software, uint64_t index)
{
    nnc_found found = { .plan = result->plan,
                        .index = index,
                        .step_s = result->step_s,
                        .mfu = result->mfu,
                        .tokens_per_s = result->tokens_per_s,
                        .bubble_share = result->bubble_share,
                        .exposed_comm_s = result->exposed_comm_s,
                        .device_s = result->plan.devices * result->step_s,
                        .cost_step = result->cost_step,
                        .run_s = run->run_s,
                        .device_hours = run->device_hours,
                        .cost_run = run->cost,
                        .memory_bytes = result->memory.total_bytes,
                        .goodput = run->goodput,
                        .energy_j = run->energy_j,
                        .carbon_kg = run->carbon_kg };
    snprintf(found.software, sizeof found.software, "%s", software->id);
    return found;
}

/* Does the run break its deadline or its budget? */
static bool breaks_limits(const nnc_search *search, double run_s, double cost_run)
{
    return (search->deadline_s > 0.0 && !(run_s <= search->deadline_s)) ||
           (search->budget > 0.0 && !(cost_run <= search->budget));
}

/* Does a plan that takes at least least_s break a limit, while a faster plan is known that breaks one too? */
static bool misses_more(worker *w, nnc_pass_costs *pass, nnc_result *result, double least_s)
{
    const nnc_searcher *r = w->of;
    const nnc_search *search = r->search;
    const nnc_plan *plan = &search->base;
    if (!r->known->any_missed || !(r->known->missed.step_s < least_s)) {
        return false;
    }
    nnc_plan_groups_work(w->groups, pass, result);
    const double steps = !isnan(plan->samples) ? plan->samples / (double)plan->global_batch
                                               : plan->tokens / (double)result->tokens;
    if (isnan(steps) || !isnan(r->run_ask.step_s)) { /* for example by --epochs */
        return false;
    }
    const double sites = r->run_ask.sites;
    const double run_s = steps / sites * least_s * (1.0 - 1e-9); /* minus rounding errors */
    const double price = nnc_price_of(plan, r->device);
    return breaks_limits(search, run_s, run_s / 3600.0 * plan->devices * sites * price);
}

/* Keeps a plan with a known step time if it is among the best. */
static void keep_plan(worker *w, nnc_pass_costs *pass, nnc_result *result, uint64_t index)
{
    const nnc_searcher *r = w->of;
    const nnc_search *search = r->search;
    const bool limited = search->deadline_s > 0.0 || search->budget > 0.0;
    nnc_run run;
    bool missed = false;
    if (limited) {
        nnc_plan_groups_work(w->groups, pass, result);
        count_run(r, result, &run);
        missed = breaks_limits(search, run.run_s, run.cost);
    }
    const double step_s = result->step_s;
    const int64_t bytes = result->memory.total_bytes;
    const bool wanted =
        missed ? !w->part.front.any_missed || step_s <= w->part.front.missed.step_s
               : nnc_front_takes(r->known, search->objective, search->best, index, step_s, bytes) &&
                     nnc_front_takes(&w->part.front, search->objective, search->best, index, step_s,
                                     bytes);
    if (!wanted || !nnc_plan_groups_parts(w->groups, pass, result)) {
        return;
    }
    count_run(r, result, &run); /* again, with the parts of the step */
    const nnc_found found = found_of(result, &run, nnc_plan_groups_software(pass), index);
    if (missed) {
        nnc_front_miss(&w->part.front, &found);
    } else {
        nnc_front_add(&w->part.front, search->objective, search->best, &found);
    }
}

/* Receives the step time of a plan that waited. A plan that improves the front is kept with index, step time and
 * memory alone; nnc_searcher_complete adds the rest. */
static void keep_waited(void *context, const nnc_waiting *plan, double step_s)
{
    worker *w = context;
    const nnc_searcher *r = w->of;
    const nnc_search *search = r->search;
    if (isnan(step_s)) {
        w->part.pruned++;
        return;
    }
    w->part.evaluated++;
    if (plan->fits && nnc_front_takes(r->known, search->objective, search->best, plan->index,
                                      step_s, plan->memory_bytes)) {
        const nnc_found found = { .index = plan->index,
                                  .step_s = step_s,
                                  .memory_bytes = plan->memory_bytes };
        nnc_front_add(&w->part.front, search->objective, search->best, &found);
    }
}

/* Computes the rest of a plan that was kept with index, step time and memory alone. */
static void complete(worker *w, nnc_found *found)
{
    const nnc_searcher *r = w->of;
    const uint64_t size = nnc_space_group_size(r->space), index = found->index;
    const uint64_t inside = index % r->space->block_size;
    nnc_plan_groups *groups = w->groups;
    nnc_result result;
    nnc_run run;
    if (found->software[0] != '\0' ||
        !nnc_plan_groups_block(groups, &r->search->base, index / r->space->block_size, NULL) ||
        !nnc_plan_groups_group(groups, inside / size)) {
        return;
    }
    nnc_pass_costs *pass = nnc_plan_groups_plan(groups, inside % size, &result);
    if (pass != NULL && nnc_plan_groups_times(groups, pass, &result.plan) &&
        nnc_plan_groups_step(groups, pass, inside % size, &result) &&
        nnc_plan_groups_parts(groups, pass, &result)) {
        count_run(r, &result, &run);
        *found = found_of(&result, &run, nnc_plan_groups_software(pass), index);
    }
}

/* Evaluates one plan of the current group: is it legal, does it fit, can it be among the best, how long is its step? */
static void try_plan(worker *w, uint64_t index, uint64_t inside)
{
    const nnc_searcher *r = w->of;
    const nnc_search *search = r->search;
    nnc_result result;
    nnc_pass_costs *pass = nnc_plan_groups_plan(w->groups, inside, &result);
    if (pass == NULL) {
        w->part.pruned++;
        return;
    }
    const int64_t capacity =
        search->mem_bytes > 0 ? search->mem_bytes : nnc_device_capacity(r->device);
    const bool fits = nnc_memory_verdict(&result.memory, capacity) == NNC_FITS;
    w->part.legal++;
    w->part.feasible += fits ? 1 : 0;
    if ((!fits && !search->no_prune) || !nnc_plan_groups_times(w->groups, pass, &result.plan)) {
        w->part.pruned++;
        return;
    }
    const double least_s = nnc_plan_groups_least_s(pass, &result.plan);
    const bool hopeless = !fits || misses_more(w, pass, &result, least_s) ||
                          nnc_front_beats(r->known, search->objective, search->best, least_s,
                                          result.memory.total_bytes);
    nnc_waiting waiting; /* ends[] stays unset beyond end_count */
    waiting.index = index;
    waiting.memory_bytes = result.memory.total_bytes;
    waiting.fits = fits;
    if ((!hopeless || search->no_prune) &&
        nnc_plan_groups_wait(w->groups, pass, inside, &result, &waiting)) {
        return;
    }
    if ((hopeless && !search->no_prune) ||
        !nnc_plan_groups_step(w->groups, pass, inside, &result)) {
        w->part.pruned++;
        return;
    }
    w->part.evaluated++;
    if (fits) {
        keep_plan(w, pass, &result, index);
    }
}

static void run_block(worker *w, uint64_t number)
{
    const nnc_space *space = w->of->space;
    const uint64_t size = nnc_space_group_size(space);
    if (!nnc_plan_groups_block(w->groups, &w->of->search->base, number, NULL)) {
        w->part.pruned += space->block_size;
        return;
    }
    for (uint64_t first = 0; first < space->block_size; first += size) {
        if (!nnc_plan_groups_group(w->groups, first / size)) {
            w->part.pruned += size;
            continue;
        }
        for (uint64_t i = 0; i < size; i++) {
            try_plan(w, number * space->block_size + first + i, i);
        }
    }
}

static void run_blocks(void *context)
{
    worker *w = context;
    nnc_searcher *r = w->of;
    for (uint64_t first; (first = atomic_fetch_add(&r->next, r->run)) < r->end;) {
        const uint64_t end = r->end - first < r->run ? r->end : first + r->run;
        for (uint64_t place = first; place < end; place++) {
            run_block(w, shard_block(r->search, place));
        }
    }
    nnc_plan_groups_finish(w->groups);
}

void nnc_search_part_add(nnc_search_part *part, const nnc_search *search,
                         const nnc_search_part *more)
{
    nnc_front_merge(&part->front, search->objective, search->best, &more->front);
    part->evaluated += more->evaluated;
    part->pruned += more->pruned;
    part->legal += more->legal;
    part->feasible += more->feasible;
}

void nnc_search_part_clear(nnc_search_part *part)
{
    nnc_front_clear(&part->front);
    part->evaluated = part->pruned = part->legal = part->feasible = 0;
}

/* Neighbouring blocks share caches and fill the same batches of pipelines, so threads take runs of blocks. Runs are
 * short enough that no thread waits long for the last one. */
static uint64_t run_of(uint64_t blocks, int32_t threads)
{
    enum { TURNS = 16 }; /* runs per thread */
    return blocks / (uint64_t)(TURNS * threads) + 1;
}

void nnc_searcher_work(nnc_searcher *searcher, const nnc_front *known, uint64_t first, uint64_t end,
                       nnc_search_part *part)
{
    const uint64_t blocks = end - first;
    const int32_t count = blocks < (uint64_t)searcher->count ? (int32_t)blocks : searcher->count;
    searcher->known = known;
    searcher->end = end;
    searcher->run = run_of(blocks, count);
    atomic_store(&searcher->next, first);
    nnc_threads_run(run_blocks, searcher->workers, sizeof(worker), count);
    for (int32_t i = 0; i < searcher->count; i++) {
        nnc_search_part_add(part, searcher->search, &searcher->workers[i].part);
        nnc_search_part_clear(&searcher->workers[i].part);
    }
}

void nnc_searcher_complete(nnc_searcher *searcher, nnc_front *front)
{
    for (int32_t i = 0; i < front->best_count; i++) {
        complete(&searcher->workers[0], &front->best[i]);
    }
    for (int32_t i = 0; i < front->pareto_count; i++) {
        complete(&searcher->workers[0], &front->pareto[i]);
    }
}

bool nnc_searcher_legal(nnc_searcher *searcher, uint64_t place, nnc_error *err)
{
    nnc_plan_groups *groups = searcher->workers[0].groups;
    return nnc_plan_groups_block(groups, &searcher->search->base,
                                 shard_block(searcher->search, place), err) &&
           nnc_plan_groups_shipped(groups, err);
}

nnc_searcher *nnc_searcher_create(const nnc_model *model, const nnc_device *device,
                                  const nnc_profiles *profiles, const nnc_search *search,
                                  const nnc_space *space)
{
    const int32_t count = search->threads < 1                        ? 1
                          : search->threads > NNC_SEARCH_THREADS_MAX ? NNC_SEARCH_THREADS_MAX
                                                                     : search->threads;
    nnc_searcher *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->device = device;
    made->search = search;
    made->space = space;
    made->run_ask = nnc_run_ask_default();
    if (search->run != NULL) {
        (void)nnc_sized_read(&made->run_ask, sizeof made->run_ask, search->run, "nnc_run_ask",
                             NULL); /* it was read without error before */
    }
    made->workers = calloc((size_t)count, sizeof *made->workers);
    made->count = made->workers != NULL ? count : 0;
    bool ready = made->workers != NULL;
    /* Whether a run keeps its limits depends on more than its step time: then no plan waits. */
    const bool limited = search->deadline_s > 0.0 || search->budget > 0.0;
    for (int32_t i = 0; i < made->count; i++) {
        worker *w = &made->workers[i];
        w->of = made;
        w->groups =
            nnc_plan_groups_create(model, device, profiles, space, limited ? NULL : keep_waited, w);
        ready = ready && w->groups != NULL;
    }
    if (!ready) {
        nnc_searcher_destroy(made);
        return NULL;
    }
    return made;
}

void nnc_searcher_destroy(nnc_searcher *searcher)
{
    if (searcher == NULL) {
        return;
    }
    for (int32_t i = 0; i < searcher->count; i++) {
        nnc_plan_groups_destroy(searcher->workers[i].groups);
    }
    free(searcher->workers);
    free(searcher);
}
