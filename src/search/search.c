/* A search in one process: limits of its arguments, rounds of blocks, and access to the result.
 *
 * A space is cut into blocks. Rounds take more and more blocks; every round prunes with the front of the rounds before
 * it, so the result does not depend on threads or ranks. When no plan is legal, the reason of the simplest one is told. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nncost/search.h>

#include "base/base_internal.h"
#include "cost/cost_internal.h"
#include "estimate/estimate_internal.h"
#include "input/input_internal.h"
#include "search/search_internal.h"

/* ---- what a program asks for ---- */

void nnc_search_init(nnc_search *search, size_t struct_size)
{
    nnc_search unset;
    if (search == NULL || struct_size < sizeof struct_size) {
        return;
    }
    memset(&unset, 0, sizeof unset);
    unset.base = nnc_plan_default();
    unset.best = 10;
    unset.threads = 1;
    search->struct_size = struct_size;
    nnc_sized_write(search, &unset, sizeof unset);
}

static nnc_status out_of_range(const char *member, double least, double most, double found,
                               nnc_error *err)
{
    char where[64];
    snprintf(where, sizeof where, "nnc_search.%s", member);
    return nnc_fail(err, NNC_BAD_USAGE, where, "out of range, expected %g to %g, found %g", least,
                    most, found);
}

static nnc_status check_number(const char *member, double least, double most, double found,
                               nnc_error *err)
{
    return found >= least && found <= most ? NNC_OK : out_of_range(member, least, most, found, err);
}

/* Are the values legal for the field of the plan, and not too many? */
static nnc_status check_choice(const char *member, const nnc_choice *choice, nnc_error *err)
{
    const nnc_field *field = nnc_field_of_key(&nnc_plan_table, member);
    NNC_TRY(check_number(member, 0, NNC_SEARCH_VALUES, choice->count, err));
    for (int32_t i = 0; i < choice->count; i++) {
        nnc_plan plan = nnc_plan_default();
        const int64_t value = choice->values[i];
        const bool fits = field->type == NNC_FIELD_BOOL  ? value == 0 || value == 1
                          : field->type == NNC_FIELD_I64 ? value >= 1
                                                         : value >= 0 && value <= INT32_MAX;
        nnc_field_store(field, (char *)&plan + field->offset, 0, (double)value);
        if (!fits || nnc_plan_check(&plan, NULL) != NNC_OK) {
            char where[64], expected[256];
            snprintf(where, sizeof where, "nnc_search.%s.values[%d]", member, (int)i);
            nnc_field_expected(field, expected, sizeof expected);
            return nnc_fail(err, NNC_BAD_USAGE, where, "out of range, expected %s, found %" PRId64,
                            expected, value);
        }
    }
    return NNC_OK;
}

static nnc_status check_choices(const nnc_search *s, nnc_error *err)
{
    const struct {
        const char *member;
        const nnc_choice *choice;
    } choices[] = { { "tensor", &s->tensor },
                    { "pipeline", &s->pipeline },
                    { "context", &s->context },
                    { "expert", &s->expert },
                    { "virtual_stages", &s->virtual_stages },
                    { "micro_batch", &s->micro_batch },
                    { "zero", &s->zero },
                    { "sequence_parallel", &s->sequence_parallel },
                    { "recompute", &s->recompute },
                    { "schedule", &s->schedule },
                    { "offload", &s->offload } };
    for (size_t i = 0; i < NNC_COUNT_OF(choices); i++) {
        NNC_TRY(check_choice(choices[i].member, choices[i].choice, err));
    }
    return NNC_OK;
}

/* Copies a search of any struct size and checks its limits. NNC_BAD_USAGE or NNC_ILLEGAL_PLAN; err names the member. */
static nnc_status search_read(const nnc_search *given, nnc_search *search, nnc_error *err)
{
    if (given == NULL) {
        return nnc_need("nnc_search_run", "search", false, err);
    }
    assert(search != NULL);
    nnc_search_init(search, sizeof *search);
    NNC_TRY(nnc_sized_read(search, sizeof *search, given, "nnc_search", err));
    NNC_TRY(nnc_plan_read(&given->base, &search->base, err));
    NNC_TRY(check_choices(search, err));
    NNC_TRY(check_number("base.devices", 1, INT32_MAX, search->base.devices, err));
    NNC_TRY(check_number("base.global_batch", 1, 1e12, (double)search->base.global_batch, err));
    NNC_TRY(check_number("mem_bytes", 0, 0x1p53, (double)search->mem_bytes, err));
    NNC_TRY(check_number("deadline_s", 0, 1e18, search->deadline_s, err));
    NNC_TRY(check_number("budget", 0, 1e18, search->budget, err));
    NNC_TRY(check_number("objective", 0, NNC_OBJECTIVE_COUNT - 1, (int)search->objective, err));
    NNC_TRY(check_number("best", 1, NNC_SEARCH_BEST_MAX, search->best, err));
    NNC_TRY(check_number("threads", 1, 256, search->threads, err));
    NNC_TRY(check_number("shards", 0, INT32_MAX, search->shards, err));
    return check_number("shard", search->shards > 0 ? 1 : 0, search->shards, search->shard, err);
}

/* ---- rounds ---- */

NNC_ENUM_NAMES(nnc_objective, NNC_OBJECTIVE_LIST)

/* Blocks of a round share the results of earlier rounds and nothing else. So pruning does not depend on which thread
 * or rank came first. Rounds grow from the first size to the last. */
enum { ROUND_FIRST = 64, ROUND_MOST = 8192 };

/* When no plan is legal: how many blocks are asked for the reason. */
enum { REASONS_MOST = 1000000 };

/* NNC_OK when some block is legal after all; else err says why the first (simplest) plan is not. */
static nnc_status refuse(nnc_searcher *searcher, uint64_t blocks, nnc_error *err)
{
    bool said = false; /* blocks of one stage repeat 1f1b with other schedules: that is no reason */
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
    uint64_t size = search->no_prune ? ROUND_MOST
                                     : ROUND_FIRST; /* without pruning, short rounds gain nothing */
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

/* A limit on the run needs the length of the run; a budget also needs a price. */
static nnc_status check_limits(const nnc_search *search, const nnc_device *device, nnc_error *err)
{
    const nnc_plan *plan = &search->base;
    /* The caller read the whole struct. */
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
    const char *limit = search->deadline_s > 0.0 ? "--deadline"
                        : search->budget > 0.0   ? "--budget"
                                                 : NULL;
    if (search->run != NULL) {
        nnc_run run;
        NNC_TRY(
            nnc_run_of(NULL, device, plan, search->run, &run, err)); /* refuses contradictions */
    }
    const bool epochs = search->run != NULL && !isnan(search->run->epochs);
    if (limit != NULL && isnan(plan->tokens) && isnan(plan->samples) && !epochs) {
        return nnc_fail(err, NNC_BAD_USAGE, limit,
                        "limits the whole run, expected the length of the run, too: --tokens or "
                        "--samples");
    }
    if (search->budget > 0.0 && isnan(nnc_price_of(plan, device))) {
        return nnc_fail(err, NNC_BAD_USAGE, "--budget",
                        "no price is recorded for %s, expected --price, too", device->id);
    }
    return nnc_power_check(device, err); /* otherwise every plan fails without a reason */
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
    NNC_TRY(search_read(search, &whole, err));
    return nnc_search_with(model, device, profiles, &whole, NULL, &watch, result, err);
}

nnc_status nnc_search_run(const nnc_model *model, const nnc_device *device,
                          const nnc_software *software, const nnc_search *search,
                          nnc_search_progress_fn *progress, void *context,
                          nnc_search_result *result, nnc_error *err)
{
    nnc_estimate_args asked;
    NNC_TRY(nnc_estimate_args_read("nnc_search_run", model, device, software, NULL, &asked, err));
    const nnc_profiles profiles = nnc_profiles_of_one(asked.software);
    return nnc_search_by_plan(model, device, &profiles, search, progress, context, result, err);
}

/* ---- results ---- */

/* Access to the members of a result, for callers without the struct. */
nnc_search_result *nnc_search_result_create(void)
{
    return calloc(1, sizeof(nnc_search_result));
}

void nnc_search_result_destroy(nnc_search_result *result)
{
    free(result);
}

nnc_search_tally nnc_search_result_tally(const nnc_search_result *result)
{
    if (result == NULL) {
        return (nnc_search_tally){ 0 };
    }
    return (nnc_search_tally){ .space = result->space,
                               .covered = result->covered,
                               .evaluated = result->evaluated,
                               .pruned = result->pruned,
                               .feasible = result->feasible,
                               .legal = result->legal };
}

const nnc_found *nnc_search_result_best(const nnc_search_result *result, int32_t index)
{
    return result != NULL && index >= 0 && index < result->best_count ? &result->best[index] : NULL;
}

const nnc_found *nnc_search_result_pareto(const nnc_search_result *result, int32_t index)
{
    return result != NULL && index >= 0 && index < result->pareto_count ? &result->pareto[index]
                                                                        : NULL;
}

const nnc_found *nnc_search_result_missed(const nnc_search_result *result)
{
    return result != NULL && result->any_missed ? &result->missed : NULL;
}
