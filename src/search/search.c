#include "search/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/names.h"
#include "cost/power.h"
#include "estimate/plan_asked.h"
#include "estimate/prepare.h"
#include "search/search_limits.h"

NNC_ENUM_NAMES(nnc_objective, NNC_OBJECTIVE_LIST)

/* Blocks of a round share what earlier rounds found, and nothing else: so what is pruned does not
 * depend on which thread or rank came first. */
enum { ROUND_FIRST = 64, ROUND_MOST = 8192 };

/* Blocks that are asked why they are illegal, when none is legal. */
enum { REASONS_MOST = 1000000 };

/* NNC_OK when some block is legal after all; else why the first, the simplest plan, is not. */
static nnc_status refuse(nnc_searcher *searcher, uint64_t blocks, nnc_error *err)
{
    bool said =
        false; /* blocks of one stage repeat 1f1b with other schedules, which is no reason */
    for (uint64_t place = 0; place < blocks && place < REASONS_MOST; place++) {
        nnc_error refusal = { .status = NNC_OK };
        if (nnc_searcher_legal(searcher, place, &refusal)) {
            return NNC_OK;
        }
        if (!said && err != NULL && refusal.status != NNC_OK) {
            *err = refusal;
        }
        said = said || refusal.status != NNC_OK;
    }
    return blocks > 0 ? NNC_ILLEGAL_PLAN
                      : nnc_fail(err, NNC_ILLEGAL_PLAN, "--shard",
                                 "holds no combination, there are more shards than blocks of them");
}

static nnc_status search_rounds(const nnc_search *search, const nnc_space *space,
                                nnc_searcher *searcher, const nnc_helpers *helpers,
                                nnc_search_part *part, const nnc_search_watch *watch,
                                nnc_search_result *result)
{
    const uint64_t blocks = nnc_shard_size(search, space);
    nnc_front *known = malloc(sizeof *known);
    uint64_t size = search->no_prune ? ROUND_MOST : ROUND_FIRST; /* what is known spares nothing */
    if (known == NULL) {
        return NNC_NO_MEMORY;
    }
    for (uint64_t first = 0, end = 0; first < blocks; first = end) {
        end = first + size < blocks ? first + size : blocks;
        size = size < ROUND_MOST ? 2 * size : size;
        nnc_front_copy(known, &part->front);
        if (helpers != NULL) {
            helpers->work(helpers->context, known, first, end, part);
        } else {
            nnc_searcher_work(searcher, known, first, end, part);
        }
        result->covered = end * space->block_size;
        if (watch->progress != NULL &&
            !watch->progress(watch->context, result->covered, result->space)) {
            break;
        }
    }
    free(known);
    return NNC_OK;
}

/* A limit on the run needs its length, and one on money a price. */
static nnc_status check_limits(const nnc_search *search, const nnc_device *device, nnc_error *err)
{
    const nnc_plan *plan = &search->base;
    const char *limit = search->deadline_s > 0.0 ? "--deadline"
                        : search->budget > 0.0   ? "--budget"
                                                 : NULL;
    if (search->run != NULL) {
        nnc_run run;
        NNC_TRY(nnc_run_of(NULL, device, plan, search->run, &run, err)); /* contradictions */
    }
    const bool epochs = search->run != NULL && !isnan(search->run->epochs);
    if (limit != NULL && isnan(plan->tokens) && isnan(plan->samples) && !epochs) {
        return nnc_fail(err, NNC_BAD_USAGE, limit,
                        "is for the whole run, expected its length beside it, --tokens or "
                        "--samples");
    }
    if (search->budget > 0.0 && isnan(nnc_price_of(plan, device))) {
        return nnc_fail(err, NNC_BAD_USAGE, "--budget",
                        "no price is recorded for %s, expected --price beside it", device->id);
    }
    return nnc_power_check(device, err); /* else every plan fails, and none says why */
}

nnc_status nnc_search_with(const nnc_model *model, const nnc_device *device,
                           const nnc_profiles *profiles, const nnc_search *search,
                           const nnc_helpers *helpers, const nnc_search_watch *watch,
                           nnc_search_result *result, nnc_error *err)
{
    nnc_space space;
    memset(result, 0, sizeof *result);
    nnc_status status = check_limits(search, device, err);
    if (status == NNC_OK) {
        status = nnc_space_make(model, device, search, &space, err);
    }
    if (status != NNC_OK) {
        return status;
    }
    const uint64_t blocks = nnc_shard_size(search, &space);
    result->space = blocks * space.block_size;
    nnc_searcher *searcher = nnc_searcher_create(model, device, profiles, search, &space);
    nnc_search_part *part = calloc(1, sizeof *part);
    status = searcher != NULL && part != NULL
                 ? search_rounds(search, &space, searcher, helpers, part, watch, result)
                 : NNC_NO_MEMORY;
    if (status != NNC_OK) {
        nnc_fail(err, status, "search", "out of memory");
    } else {
        nnc_searcher_complete(searcher, &part->front);
        result->evaluated = part->evaluated;
        result->pruned = part->pruned;
        result->legal = part->legal;
        result->feasible = part->feasible;
        nnc_front_result(&part->front, result);
        const bool covered = result->covered == result->space;
        if (result->legal == 0 && covered) {
            status = refuse(searcher, blocks, err);
        }
    }
    free(part);
    nnc_searcher_destroy(searcher);
    return status;
}

nnc_status nnc_search_by_plan(const nnc_model *model, const nnc_device *device,
                              const nnc_profiles *profiles, const nnc_search *search,
                              nnc_search_progress_fn *progress, void *context,
                              nnc_search_result *result, nnc_error *err)
{
    static const char here[] = "nnc_search_by_plan";
    const nnc_search_watch watch = { progress, context };
    nnc_search whole;
    NNC_TRY(nnc_need(here, "model", model != NULL, err));
    NNC_TRY(nnc_need(here, "device", device != NULL, err));
    NNC_TRY(nnc_need(here, "profiles", profiles != NULL, err));
    NNC_TRY(nnc_need(here, "result", result != NULL, err));
    NNC_TRY(nnc_search_read(search, &whole, err));
    return nnc_search_with(model, device, profiles, &whole, NULL, &watch, result, err);
}

nnc_status nnc_search_run(const nnc_model *model, const nnc_device *device,
                          const nnc_software *software, const nnc_search *search,
                          nnc_search_progress_fn *progress, void *context,
                          nnc_search_result *result, nnc_error *err)
{
    nnc_asked asked;
    NNC_TRY(nnc_asked_read("nnc_search_run", model, device, software, NULL, &asked, err));
    const nnc_profiles profiles = nnc_profiles_of_one(asked.software);
    return nnc_search_by_plan(model, device, &profiles, search, progress, context, result, err);
}
