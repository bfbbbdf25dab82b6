#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <nncost/search.h>

#include "base/error.h"
#include "sweep/block.h"
#include "sweep/front.h"

/* Blocks of a round share what earlier rounds found, and nothing else: so what is pruned does not
 * depend on which thread came first. */
enum { ROUND_FIRST = 64, ROUND_MOST = 8192 };

/* Blocks that are asked why they are illegal, when none is legal. */
enum { REASONS_MOST = 1000000 };

/* What does not change while a round runs. */
typedef struct search_round {
    const nnc_device *device;
    const nnc_search *search;
    const nnc_space *space;
    const nnc_front *known; /* of all earlier rounds */
    uint64_t first, end;
    atomic_ullong next;
} search_round;

typedef struct worker {
    search_round *round;
    nnc_plan_block block;
    nnc_front found;
    uint64_t evaluated, pruned, feasible;
} worker;

static nnc_found found_of(const nnc_result *result, uint64_t index)
{
    return (nnc_found){ .plan = result->plan,
                        .index = index,
                        .step_s = result->step_s,
                        .mfu = result->mfu,
                        .tokens_per_s = result->tokens_per_s,
                        .bubble_share = result->bubble_share,
                        .exposed_comm_s = result->exposed_comm_s,
                        .device_s = result->plan.devices * result->step_s,
                        .cost_step = result->cost_step,
                        .run_s = result->run_s,
                        .device_hours = result->device_hours,
                        .cost_run = result->cost_run,
                        .memory_bytes = result->memory.total_bytes };
}

/* Does the run break its deadline or its budget? */
static bool breaks_limits(const nnc_search *search, double run_s, double cost_run)
{
    return (search->deadline_s > 0.0 && !(run_s <= search->deadline_s)) ||
           (search->budget > 0.0 && !(cost_run <= search->budget));
}

/* Does a plan that takes at least least_s break a limit, and is one known that does so by less? */
static bool misses_more(const search_round *r, const nnc_result *work, double least_s)
{
    const nnc_search *search = r->search;
    const nnc_plan *plan = &search->base;
    if (!r->known->any_missed || !(r->known->missed.step_s < least_s)) {
        return false;
    }
    const double steps = !isnan(plan->samples) ? plan->samples / (double)plan->global_batch
                                               : plan->tokens / (double)work->tokens;
    const double run_s = steps * least_s * (1.0 - 1e-9); /* rounding */
    const double price = nnc_price_of(plan, r->device);
    return breaks_limits(search, run_s, run_s / 3600.0 * plan->devices * price);
}

/* The times are there: is the plan among the best? */
static void keep_plan(worker *w, const nnc_pass *pass, nnc_result *result, uint64_t index)
{
    const search_round *r = w->round;
    const nnc_search *search = r->search;
    const bool limited = search->deadline_s > 0.0 || search->budget > 0.0;
    bool missed = false;
    if (limited) {
        nnc_utilisation(result);
        nnc_run_cost(r->device, result);
        missed = breaks_limits(search, result->run_s, result->cost_run);
    }
    w->feasible += missed ? 0 : 1;
    nnc_found found = { .index = index,
                        .step_s = result->step_s,
                        .memory_bytes = result->memory.total_bytes };
    const bool wanted =
        missed ? !w->found.any_missed || found.step_s <= w->found.missed.step_s
               : nnc_front_takes(r->known, search->objective, search->best, &found) &&
                     nnc_front_takes(&w->found, search->objective, search->best, &found);
    if (!wanted || !nnc_block_parts(&w->block, pass, result)) {
        return;
    }
    nnc_utilisation(result);
    nnc_run_cost(r->device, result);
    found = found_of(result, index);
    if (missed) {
        nnc_front_miss(&w->found, &found);
    } else {
        nnc_front_add(&w->found, search->objective, search->best, &found);
    }
}

/* One plan of the group at hand: legal? does it fit? could it be among the best? then its times. */
static void try_plan(worker *w, uint64_t index, uint64_t inside)
{
    const search_round *r = w->round;
    const nnc_search *search = r->search;
    nnc_result result;
    nnc_pass *pass = nnc_block_plan(&w->block, inside, &result);
    if (pass == NULL) {
        w->pruned++;
        return;
    }
    const int64_t capacity = search->mem_bytes > 0 ? search->mem_bytes : r->device->mem_bytes;
    const bool fits = result.memory.total_bytes <= capacity;
    const double least_s = nnc_block_least_s(pass, &result.plan);
    const bool hopeless = !fits || misses_more(r, &result, least_s) ||
                          nnc_front_beats(r->known, search->objective, search->best, least_s,
                                          result.memory.total_bytes);
    if ((hopeless && !search->no_prune) || !nnc_block_time(&w->block, pass, &result)) {
        w->pruned++;
        return;
    }
    w->evaluated++;
    if (fits) {
        keep_plan(w, pass, &result, index);
    }
}

static void run_block(worker *w, uint64_t number)
{
    const nnc_space *space = w->round->space;
    const uint64_t size = nnc_space_group_size(space);
    if (!nnc_block_begin(&w->block, &w->round->search->base, number, NULL)) {
        w->pruned += space->block_size;
        return;
    }
    for (uint64_t first = 0; first < space->block_size; first += size) {
        if (!nnc_block_group(&w->block, first / size)) {
            w->pruned += size;
            continue;
        }
        for (uint64_t i = 0; i < size; i++) {
            try_plan(w, number * space->block_size + first + i, i);
        }
    }
}

static void *run_blocks(void *context)
{
    worker *w = context;
    search_round *r = w->round;
    for (uint64_t number; (number = atomic_fetch_add(&r->next, 1)) < r->end;) {
        run_block(w, number);
    }
    return NULL;
}

/* Runs the workers over one round; the first in the calling thread. */
static void run_round(worker *workers, int32_t count)
{
    pthread_t threads[NNC_SEARCH_THREADS_MAX];
    int32_t started = 1;
    while (started < count &&
           pthread_create(&threads[started], NULL, run_blocks, &workers[started]) == 0) {
        started++;
    }
    (void)run_blocks(&workers[0]);
    for (int32_t i = 1; i < started; i++) {
        (void)pthread_join(threads[i], NULL);
    }
}

static void collect(const nnc_search *search, worker *workers, int32_t count, nnc_front *known,
                    nnc_search_result *result)
{
    for (int32_t i = 0; i < count; i++) {
        worker *w = &workers[i];
        nnc_front_merge(known, search->objective, search->best, &w->found);
        nnc_front_clear(&w->found);
        result->evaluated += w->evaluated;
        result->pruned += w->pruned;
        result->feasible += w->feasible;
        w->evaluated = w->pruned = w->feasible = 0;
    }
}

static nnc_status search_rounds(search_round *r, worker *workers, int32_t count, nnc_front *known,
                                nnc_search_progress_fn *progress, void *context,
                                nnc_search_result *result, nnc_error *err)
{
    uint64_t size = ROUND_FIRST;
    r->known = known;
    for (r->first = 0; r->first < r->space->blocks; r->first = r->end) {
        r->end = r->first + size < r->space->blocks ? r->first + size : r->space->blocks;
        size = size < ROUND_MOST ? 2 * size : size;
        atomic_store(&r->next, r->first);
        run_round(workers, count);
        collect(r->search, workers, count, known, result);
        result->covered = r->end * r->space->block_size;
        if (progress != NULL && !progress(context, result->covered, result->space)) {
            return NNC_OK;
        }
    }
    if (result->evaluated > 0 || known->best_count > 0) {
        return NNC_OK;
    }
    for (uint64_t b = 0; b < r->space->blocks && b < REASONS_MOST; b++) {
        nnc_error refusal = { .status = NNC_OK };
        if (nnc_block_begin(&workers[0].block, &r->search->base, b, &refusal)) {
            return NNC_OK;
        }
        if (b == 0) { /* the simplest plan says best what rules them out */
            *err = refusal;
        }
    }
    return NNC_ILLEGAL_PLAN;
}

/* A limit on the run needs its length, and one on money a price. */
static nnc_status check_limits(const nnc_search *search, const nnc_device *device, nnc_error *err)
{
    const nnc_plan *plan = &search->base;
    const char *limit = search->deadline_s > 0.0 ? "--deadline"
                        : search->budget > 0.0   ? "--budget"
                                                 : NULL;
    if (limit != NULL && isnan(plan->tokens) && isnan(plan->samples)) {
        return nnc_fail(err, NNC_BAD_USAGE, limit,
                        "is for the whole run, expected its length beside it, --tokens or "
                        "--samples");
    }
    if (search->budget > 0.0 && isnan(nnc_price_of(plan, device))) {
        return nnc_fail(err, NNC_BAD_USAGE, "--budget",
                        "no price is recorded for %s, expected --price beside it", device->id);
    }
    return NNC_OK;
}

nnc_status nnc_search_run(const nnc_model *model, const nnc_device *device,
                          const nnc_software *software, const nnc_search *search,
                          nnc_search_progress_fn *progress, void *context,
                          nnc_search_result *result, nnc_error *err)
{
    const int32_t count = search->threads < 1                        ? 1
                          : search->threads > NNC_SEARCH_THREADS_MAX ? NNC_SEARCH_THREADS_MAX
                                                                     : search->threads;
    nnc_space space;
    search_round r = { .device = device, .search = search, .space = &space };
    memset(result, 0, sizeof *result);
    nnc_status status = check_limits(search, device, err);
    if (status == NNC_OK) {
        status = nnc_space_make(model, device, search, &space, err);
    }
    if (status != NNC_OK) {
        return status;
    }
    result->space = space.blocks * space.block_size;
    nnc_front *known = calloc(1, sizeof *known);
    worker *workers = calloc((size_t)count, sizeof *workers);
    for (int32_t i = 0; workers != NULL && i < count; i++) {
        workers[i].round = &r;
        workers[i].block = (nnc_plan_block){ .model = model,
                                             .device = device,
                                             .software = software,
                                             .space = &space,
                                             .scratch = nnc_scratch_create() };
        status = workers[i].block.scratch == NULL ? NNC_NO_MEMORY : status;
    }
    if (known == NULL || workers == NULL || status != NNC_OK) {
        status = nnc_fail(err, NNC_NO_MEMORY, "search", "out of memory");
    } else {
        status = search_rounds(&r, workers, count, known, progress, context, result, err);
        nnc_front_result(known, result);
    }
    for (int32_t i = 0; workers != NULL && i < count; i++) {
        nnc_scratch_destroy(workers[i].block.scratch);
    }
    free(workers);
    free(known);
    return status;
}
