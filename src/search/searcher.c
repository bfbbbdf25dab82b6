/* A search in one process: limits of its arguments, rounds of blocks of plans, and functions that read the result.
 *
 * The space of the search is divided into blocks of plans. Each round evaluates more blocks than the round before it,
 * up to a maximum, and prunes only with the front of earlier rounds, so the result does not depend on threads or ranks.
 * If no plan is legal, the search returns the reason for the simplest plan as an error. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nncost/search.h>

#include "base/base_internal.h"
#include "cost/cost_internal.h"
#include "estimate/estimate_internal.h"
#include "input/input_internal.h"
#include "run/run_internal.h"
#include "search/search_internal.h"

void nnc_search_init(nnc_search *search, size_t struct_size) {
    nnc_search unset;
    if (search == NULL || struct_size < sizeof struct_size) { return; }
    memset(&unset, 0, sizeof unset);
    unset.base = nnc_plan_default();
    unset.best = 10;
    unset.threads = 1;
    search->struct_size = struct_size;
    nnc_sized_write(search, &unset, sizeof unset);
}

static nnc_status out_of_range(const char *member, double least, double most, double found, nnc_error *err) {
    char where[64];
    snprintf(where, sizeof where, "nnc_search.%s", member);
    return nnc_fail(err, NNC_BAD_USAGE, where, "out of range, expected %g to %g, found %g", least, most, found);
}

static nnc_status check_number(const char *member, double least, double most, double found, nnc_error *err) {
    return found >= least && found <= most ? NNC_OK : out_of_range(member, least, most, found, err);
}

/* Checks that every value that the user lists for a choice is legal for this field of the plan, and that the list is
 * not too long. */
static nnc_status check_choice(const char *member, const nnc_choice *choice, nnc_error *err) {
    const nnc_field *field = nnc_field_of_key(&nnc_plan_table, member);
    NNC_TRY(check_number(member, 0, NNC_SEARCH_VALUES, choice->count, err));
    for (int32_t i = 0; i < choice->count; i++) {
        nnc_plan plan = nnc_plan_default();
        const int64_t value = choice->values[i];
        const bool fits = field->type == NNC_FIELD_BOOL  ? value == 0 || value == 1
                          : field->type == NNC_FIELD_I64 ? value >= 1
                                                         : value >= 0 && value <= INT32_MAX;
        if (fits) { nnc_field_store(field, (char *)&plan + field->offset, 0, (double)value); }
        if (!fits || nnc_plan_check(&plan, NULL) != NNC_OK) {
            char where[64], expected[256];
            snprintf(where, sizeof where, "nnc_search.%s.values[%d]", member, (int)i);
            nnc_field_expected(field, expected, sizeof expected);
            return nnc_fail(err, NNC_BAD_USAGE, where, "out of range, expected %s, found %" PRId64, expected, value);
        }
    }
    return NNC_OK;
}

static nnc_status check_choices(const nnc_search *s, nnc_error *err) {
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

/* Copies *given, a struct of this or of an earlier version of the library, to *search, and checks the range of each
 * member. If a member is out of range, returns NNC_BAD_USAGE or NNC_ILLEGAL_PLAN, and err names the member. */
static nnc_status search_read(const nnc_search *given, nnc_search *search, nnc_error *err) {
    if (given == NULL) { return nnc_need("nnc_search_run", "search", false, err); }
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
    NNC_TRY(check_number("risk", 0, 1, search->risk, err));
    NNC_TRY(check_number("shards", 0, INT32_MAX, search->shards, err));
    return check_number("shard", search->shards > 0 ? 1 : 0, search->shards, search->shard, err);
}

NNC_ENUM_NAMES(nnc_objective, NNC_OBJECTIVE_LIST)

/* ROUND_FIRST: number of blocks of plans in the first round of a search; each later round has twice as many, up to
 * ROUND_MOST. A round prunes only with the results of earlier rounds, so pruning does not depend on the order of
 * threads or ranks. */
enum { ROUND_FIRST = 64, ROUND_MOST = 8192 };

/* REASONS_MOST: largest number of blocks of plans that are tested again to find the reason why a search has no legal
 * plan. */
enum { REASONS_MOST = 1000000 };

/* Finds the reason why a search has no legal plan. Returns NNC_ILLEGAL_PLAN with the reason for the first (simplest)
 * plan in err; returns NNC_OK if a plan is legal after all. */
static nnc_status refuse(nnc_searcher *searcher, uint64_t blocks, nnc_error *err) {
    /* true: *err has the reason of an earlier block; a block gives no reason if all its schedules repeat schedules of
     * another block */
    bool said = false;
    for (uint64_t place = 0; place < blocks && place < REASONS_MOST; place++) {
        nnc_error refusal = { .status = NNC_OK };
        if (nnc_searcher_legal(searcher, place, &refusal)) { return NNC_OK; }
        if (!said && err != NULL && refusal.status != NNC_OK) { *err = refusal; }
        said = said || refusal.status != NNC_OK;
    }
    return blocks > 0 ? NNC_ILLEGAL_PLAN
                      : nnc_fail(err, NNC_ILLEGAL_PLAN, "--shard",
                                 "is empty, because there are more shards than blocks of combinations");
}

static nnc_status search_rounds(const nnc_search *search, const nnc_space *space, nnc_searcher *searcher,
                                const nnc_helpers *helpers, nnc_search_part *part, const nnc_search_watch *watch,
                                nnc_search_result *result) {
    const uint64_t blocks = nnc_shard_size(search, space);
    nnc_front *known = malloc(sizeof *known);
    uint64_t size = search->no_prune ? ROUND_MOST : ROUND_FIRST; /* pruning needs results of short first rounds; without
                                                                  * pruning all rounds are long */
    if (known == NULL) { return NNC_NO_MEMORY; }
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
        if (watch->progress != NULL && !watch->progress(watch->context, result->covered, result->space)) { break; }
    }
    free(known);
    return NNC_OK;
}

/* Returns an error if the search has a deadline or budget that cannot be compared with the runs of plans: a deadline
 * and a budget need the length of the run, and a budget also needs a price. */
static nnc_status check_limits(const nnc_search *search, const nnc_device *device, nnc_error *err) {
    const nnc_plan *plan = &search->base;
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): search_read has set all members */
    const char *limit = search->deadline_s > 0.0 ? "--deadline" : search->budget > 0.0 ? "--budget" : NULL;
    if (search->run != NULL) {
        nnc_run run;
        NNC_TRY(nnc_run_of(NULL, device, plan, search->run, &run, err)); /* returns an error if options of the run
                                                                          * contradict each other */
    }
    const bool epochs = search->run != NULL && !isnan(search->run->epochs);
    if (limit != NULL && isnan(plan->tokens) && isnan(plan->samples) && !epochs) {
        return nnc_fail(err, NNC_BAD_USAGE, limit,
                        "limits the whole run, expected together with the length of the run: --tokens or --samples");
    }
    if (search->budget > 0.0 && isnan(nnc_price_of(plan->price, device))) {
        return nnc_fail(err, NNC_BAD_USAGE, "--budget", "no price is recorded for %s, expected together with --price",
                        device->id);
    }
    return nnc_power_check(device, err); /* returns an error if the device file lacks power values that a power cap
                                          * needs; without this check every plan would fail without a reason */
}

nnc_status nnc_search_with(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                           const nnc_search *search, const nnc_helpers *helpers, const nnc_search_watch *watch,
                           nnc_search_result *result, nnc_error *err) {
    nnc_space space;
    memset(result, 0, sizeof *result);
    nnc_status status = check_limits(search, device, err);
    if (status == NNC_OK) { status = nnc_space_make(model, device, search, &space, err); }
    if (status != NNC_OK) { return status; }
    const uint64_t blocks = nnc_shard_size(search, &space);
    result->space = blocks * space.block_size;
    nnc_searcher *searcher = nnc_searcher_create(model, device, profiles, search, &space);
    nnc_search_part *part = calloc(1, sizeof *part);
    status = searcher != NULL && part != NULL ? search_rounds(search, &space, searcher, helpers, part, watch, result)
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
        if (result->legal == 0 && covered) { status = refuse(searcher, blocks, err); }
    }
    free(part);
    nnc_searcher_destroy(searcher);
    return status;
}

nnc_status nnc_search_by_plan(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                              const nnc_search *search, nnc_search_progress_fn *progress, void *context,
                              nnc_search_result *result, nnc_error *err) {
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

nnc_status nnc_search_run(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                          const nnc_search *search, nnc_search_progress_fn *progress, void *context,
                          nnc_search_result *result, nnc_error *err) {
    nnc_estimate_args asked;
    NNC_TRY(nnc_estimate_args_read("nnc_search_run", model, device, software, NULL, &asked, err));
    const nnc_profiles profiles = nnc_profiles_of_one(asked.software);
    return nnc_search_by_plan(model, device, &profiles, search, progress, context, result, err);
}

/* Functions that create, read and free an nnc_search_result, for callers that do not know the layout of the struct. */
nnc_search_result *nnc_search_result_create(void) { return calloc(1, sizeof(nnc_search_result)); }

void nnc_search_result_destroy(nnc_search_result *result) { free(result); }

nnc_search_tally nnc_search_result_tally(const nnc_search_result *result) {
    if (result == NULL) { return (nnc_search_tally){ 0 }; }
    return (nnc_search_tally){ .space = result->space,
                               .covered = result->covered,
                               .evaluated = result->evaluated,
                               .pruned = result->pruned,
                               .feasible = result->feasible,
                               .legal = result->legal };
}

const nnc_found *nnc_search_result_best(const nnc_search_result *result, int32_t index) {
    return result != NULL && index >= 0 && index < result->best_count ? &result->best[index] : NULL;
}

const nnc_found *nnc_search_result_pareto(const nnc_search_result *result, int32_t index) {
    return result != NULL && index >= 0 && index < result->pareto_count ? &result->pareto[index] : NULL;
}

const nnc_found *nnc_search_result_missed(const nnc_search_result *result) {
    return result != NULL && result->any_missed ? &result->missed : NULL;
}

/* ---- Evaluation of blocks of a search on the threads of one process. A plan is pruned if it is not legal, if it does
 * not fit in memory, or if a lower bound of its step time shows that it is not among the best plans. For every plan
 * that is not pruned, the step time is computed, at once or in a batched replay of pipelines. ---- */

typedef struct worker {
    nnc_searcher *of;
    nnc_plan_groups *groups;
    nnc_search_part part;
    atomic_ullong left; /* blocks of the worker's range that no thread has taken yet; see take_blocks */
    /* padding that puts the counters of two workers into different cache lines, which prevents false sharing */
    char padding[64];
} worker;

struct nnc_searcher {
    const nnc_device *device;
    const nnc_search *search;
    const nnc_space *space;
    nnc_run_ask run_ask; /* inputs of the training run that the search computes for each plan, in the struct layout of
                          * this library version */
    worker *workers;
    int32_t count;
    /* The members known, first, blocks and working do not change during a round, so the threads read them without a
     * lock. */
    const nnc_front *known;
    uint64_t first, blocks; /* first: place of the first block of the round; blocks: number of its blocks */
    int32_t working;        /* number of workers of the round */
    int32_t last;           /* index of the worker that evaluated the last block of a round */
};

static int64_t capacity_of(const nnc_search *search, const nnc_device *device) {
    return search->mem_bytes > 0 ? search->mem_bytes : nnc_device_capacity(device);
}

/* Returns the number of shards into which the search is divided; a search without --shard is one shard. */
static int32_t shards_of(const nnc_search *search) { return search->shards > 0 ? search->shards : 1; }

static int32_t shard_of(const nnc_search *search) { return search->shards > 0 ? search->shard : 1; }

uint64_t nnc_shard_size(const nnc_search *search, const nnc_space *space) {
    return nnc_space_shard_size(space, shard_of(search), shards_of(search));
}

static uint64_t shard_block(const nnc_search *search, uint64_t place) {
    return nnc_space_shard_block(place, shard_of(search), shards_of(search));
}

/* Computes the metrics of the training run of a plan. If the search has no options of the run, only copies the duration
 * and the cost of the training from result. */
static void count_run(const nnc_searcher *r, nnc_result *result, nnc_run *run) {
    nnc_utilisation(result, NULL);
    nnc_run_cost(r->device, result, NULL);
    *run = (nnc_run){ .run_s = result->run_s,
                      .device_hours = result->device_hours,
                      .cost = result->cost_run,
                      .goodput = (double)NAN,
                      .energy_j = (double)NAN,
                      .carbon_kg = (double)NAN };
    /* nnc_run_say cannot fail for this run, because contradictory options were refused before the search */
    if (r->search->run != NULL) { (void)nnc_run_say(result, r->device, &result->plan, &r->run_ask, run, NULL, NULL); }
}

static nnc_found found_of(const nnc_result *result, const nnc_run *run, const nnc_software *software, uint64_t index) {
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

/* Tests whether a run exceeds the deadline or the budget of the search. A run with unknown duration or cost (NaN)
 * counts as a run that exceeds the limits. A deadline or budget with the value 0 means that the search has no deadline
 * or no budget. */
static bool breaks_limits(const nnc_search *search, double run_s, double cost_run) {
    return (search->deadline_s > 0.0 && !(run_s <= search->deadline_s)) ||
           (search->budget > 0.0 && !(cost_run <= search->budget));
}

/* Tests whether a plan can be pruned because of the deadline or the budget of the run. A plan can be pruned if it
 * exceeds the deadline or the budget even with the step time least_s, and if the search already knows a faster plan
 * that exceeds the deadline or the budget. */
static bool misses_more(worker *w, nnc_pass_costs *pass, nnc_result *result, double least_s) {
    const nnc_searcher *r = w->of;
    const nnc_search *search = r->search;
    const nnc_plan *plan = &search->base;
    if (!r->known->any_missed || !(r->known->missed.step_s < least_s)) { return false; }
    nnc_plan_groups_work(w->groups, pass, result);
    const double steps =
        !isnan(plan->samples) ? plan->samples / (double)plan->global_batch : plan->tokens / (double)result->tokens;
    /* the function does not prune if the number of steps is unknown (with --epochs), or if the user gave a step time,
     * which replaces the step time of the plan */
    if (isnan(steps) || !isnan(r->run_ask.step_s)) { return false; }
    const double sites = r->run_ask.sites;
    const double run_s = steps / sites * least_s * (1.0 - 1e-9); /* time of the run, reduced by 1e-9 so that rounding
                                                                  * errors never prune a plan */
    const double price = nnc_price_of(plan->price, r->device);
    return breaks_limits(search, run_s, run_s / 3600.0 * plan->devices * sites * price);
}

/* Adds a plan with a known step time to the front if it is among the best plans. A plan that exceeds the deadline or
 * the budget is not added; of these plans only the fastest is stored, in front.missed. */
static void keep_plan(worker *w, nnc_pass_costs *pass, nnc_result *result, uint64_t index) {
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
                     nnc_front_takes(&w->part.front, search->objective, search->best, index, step_s, bytes);
    if (!wanted || !nnc_plan_groups_parts(w->groups, pass, result)) { return; }
    /* computes the run (again, if there is a limit), because the parts of the step time are known only after
     * nnc_plan_groups_parts */
    count_run(r, result, &run);
    const nnc_found found = found_of(result, &run, nnc_plan_groups_software(pass), index);
    if (missed) {
        nnc_front_miss(&w->part.front, &found);
    } else {
        nnc_front_add(&w->part.front, search->objective, search->best, &found);
    }
}

/* Receives the step time of a plan after its pipeline was replayed in a batch. If the plan improves the front, adds it
 * with its index, step time and memory; nnc_searcher_complete later computes its other members. */
static void keep_waited(void *context, const nnc_waiting *plan, double step_s) {
    worker *w = context;
    const nnc_searcher *r = w->of;
    const nnc_search *search = r->search;
    if (isnan(step_s)) {
        w->part.pruned++;
        return;
    }
    w->part.evaluated++;
    if (plan->fits &&
        nnc_front_takes(r->known, search->objective, search->best, plan->index, step_s, plan->memory_bytes)) {
        const nnc_found found = { .index = plan->index, .step_s = step_s, .memory_bytes = plan->memory_bytes };
        nnc_front_add(&w->part.front, search->objective, search->best, &found);
    }
}

/* Computes the missing members of a plan that was added to the front with only its index, step time and memory. Does
 * nothing if all members are already set. */
static void complete(worker *w, nnc_found *found) {
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
    if (pass != NULL && nnc_plan_groups_weigh(groups, pass, inside % size, &result) &&
        nnc_plan_groups_times(groups, pass, &result.plan) && nnc_plan_groups_step(groups, pass, &result) &&
        nnc_plan_groups_parts(groups, pass, &result)) {
        count_run(r, &result, &run);
        *found = found_of(&result, &run, nnc_plan_groups_software(pass), index);
    }
}

/* Tests whether a plan can be pruned by those lower bounds of its step time that leave out recomputation. Lower bounds
 * without recomputation need less computation than the times of the plan's pass. */
static bool computes_long(worker *w, nnc_pass_costs *pass, const nnc_result *result) {
    const nnc_search *search = w->of->search;
    const int64_t bytes = result->memory.total_bytes;
    const nnc_front *known = w->of->known;
    if (search->no_prune || !nnc_front_beats(known, search->objective, search->best, (double)INFINITY, bytes)) {
        return false;
    }
    const double floor_s = nnc_plan_groups_floor_s(w->groups, pass, &result->plan);
    if (nnc_front_beats(known, search->objective, search->best, floor_s, bytes)) { return true; }
    const double least_s = nnc_plan_groups_compute_s(w->groups, pass, &result->plan);
    return nnc_front_beats(known, search->objective, search->best, least_s, bytes);
}

/* Evaluates one plan of the current group. First tests whether the plan is legal, fits in memory and can be among the
 * best plans; if so, computes its step time or lets the plan wait for a batched replay. */
static void try_plan(worker *w, uint64_t index, uint64_t inside) {
    const nnc_searcher *r = w->of;
    const nnc_search *search = r->search;
    nnc_result result;
    nnc_pass_costs *pass = nnc_plan_groups_plan(w->groups, inside, &result);
    if (pass == NULL) {
        w->part.pruned++;
        return;
    }
    const int64_t capacity = capacity_of(search, r->device);
    const bool fits = search->risk > 0.0 ? nnc_memory_risk(&result.memory, capacity) <= search->risk
                                         : nnc_memory_verdict(&result.memory, capacity) == NNC_FITS;
    w->part.legal++;
    w->part.feasible += fits ? 1 : 0;
    if ((!fits && !search->no_prune) || (fits && computes_long(w, pass, &result)) ||
        !nnc_plan_groups_weigh(w->groups, pass, inside, &result) || (fits && computes_long(w, pass, &result)) ||
        !nnc_plan_groups_times(w->groups, pass, &result.plan)) {
        w->part.pruned++;
        return;
    }
    const double least_s = nnc_plan_groups_least_s(pass, &result.plan);
    const bool hopeless =
        !fits || misses_more(w, pass, &result, least_s) ||
        nnc_front_beats(r->known, search->objective, search->best, least_s, result.memory.total_bytes);
    nnc_waiting waiting; /* entries of waiting.ends from index end_count on are never set or read */
    waiting.index = index;
    waiting.memory_bytes = result.memory.total_bytes;
    waiting.fits = fits;
    if ((!hopeless || search->no_prune) && nnc_plan_groups_wait(w->groups, pass, inside, &result, &waiting)) { return; }
    if ((hopeless && !search->no_prune) || !nnc_plan_groups_step(w->groups, pass, &result)) {
        w->part.pruned++;
        return;
    }
    w->part.evaluated++;
    if (fits) { keep_plan(w, pass, &result, index); }
}

static void run_block(worker *w, uint64_t number) {
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
        const uint64_t full = nnc_plan_groups_full(w->groups);
        if (full > 0) {
            w->part.legal += full;
            w->part.pruned += size;
            continue;
        }
        for (uint64_t i = size; i-- > 0;) { try_plan(w, number * space->block_size + first + i, i); }
    }
}

/* A range of consecutive blocks of a round, counted from the first block of the round. */
typedef struct block_range {
    uint64_t first, end;
} block_range;

/* Returns a range as one number, so that threads can compare and swap it in one step. A round has at most ROUND_MOST
 * blocks. */
static unsigned long long packed(block_range range) { return range.first << 32u | range.end; }

/* Returns the place at which a range is divided into two parts for two threads: the end of the column of blocks that
 * contains the block `middle`, because the blocks of a column share most caches. Returns `middle` if the end of the
 * column is outside of the range. A column is the blocks that differ only in micro-batch, recomputation and
 * pipeline. */
static uint64_t cut(const nnc_searcher *r, block_range range, uint64_t middle) {
    const nnc_space_axis *axes = r->space->axes;
    const uint64_t blocks = (uint64_t)axes[NNC_AXIS_MICRO_BATCH].count * (uint64_t)axes[NNC_AXIS_RECOMPUTE].count *
                            (uint64_t)axes[NNC_AXIS_PIPELINE].count;
    const uint64_t shards = (uint64_t)shards_of(r->search), column = blocks > shards ? blocks / shards : 1;
    const uint64_t end = (r->first + middle + column - 1) / column * column - r->first;
    return end < range.end ? end : middle;
}

/* Takes blocks from the range of a worker: the worker itself (own) takes the first TAKEN_BLOCKS, another thread takes
 * the second half of the range. The returned range is empty if no block is left. */
static block_range take_blocks(worker *from, bool own) {
    enum { TAKEN_BLOCKS = 16 }; /* a thread takes several blocks, because each access to a shared range takes time */
    unsigned long long left = atomic_load(&from->left);
    for (;;) {
        const block_range all = { left >> 32u, left & UINT32_MAX };
        const uint64_t count = all.end - all.first, some = count < TAKEN_BLOCKS ? count : TAKEN_BLOCKS;
        const uint64_t middle = own ? all.first + some : cut(from->of, all, all.first + count / 2);
        const block_range begin = { all.first, middle }, rest = { middle, all.end };
        if (count == 0 || atomic_compare_exchange_weak(&from->left, &left, packed(own ? rest : begin))) {
            return own ? begin : rest;
        }
    }
}

/* Gives a worker without blocks half of the blocks of another worker. Returns false if no worker has blocks left. */
static bool take_half(worker *w) {
    const nnc_searcher *r = w->of;
    for (int32_t i = 1; i < r->working; i++) {
        const block_range half = take_blocks(&r->workers[(w - r->workers + i) % r->working], false);
        if (half.first < half.end) {
            atomic_store(&w->left, packed(half));
            return true;
        }
    }
    return false;
}

/* Evaluates the blocks of the worker's range, then half of the blocks that another worker has left, until no worker has
 * blocks left. No thread waits long for other threads at the end of a round. */
static void run_blocks(void *context) {
    worker *w = context;
    nnc_searcher *r = w->of;
    do {
        for (block_range some = take_blocks(w, true); some.first < some.end; some = take_blocks(w, true)) {
            for (uint64_t k = some.first; k < some.end; k++) { run_block(w, shard_block(r->search, r->first + k)); }
            if (some.end == r->blocks) { r->last = (int32_t)(w - r->workers); }
        }
    } while (take_half(w));
    nnc_plan_groups_finish(w->groups);
}

void nnc_search_part_add(nnc_search_part *part, const nnc_search *search, const nnc_search_part *more) {
    nnc_front_merge(&part->front, search->objective, search->best, &more->front);
    part->evaluated += more->evaluated;
    part->pruned += more->pruned;
    part->legal += more->legal;
    part->feasible += more->feasible;
}

void nnc_search_part_clear(nnc_search_part *part) {
    nnc_front_clear(&part->front);
    part->evaluated = part->pruned = part->legal = part->feasible = 0;
}

/* Divides the blocks of a round into ranges, one for each worker. Neighbouring blocks share caches of a worker, so the
 * worker that evaluated the last block of the round before gets the first range. */
static void share_out(nnc_searcher *searcher) {
    const uint64_t count = (uint64_t)searcher->working, blocks = searcher->blocks;
    block_range range = { 0, 0 };
    for (uint64_t i = 0; i < count; i++) {
        const block_range left = { range.end, blocks };
        const uint64_t end = blocks * (i + 1) / count;
        range.first = left.first;
        range.end = end < left.first ? left.first : end < blocks ? cut(searcher, left, end) : blocks;
        atomic_store(&searcher->workers[((uint64_t)searcher->last + i) % count].left, packed(range));
    }
}

void nnc_searcher_work(nnc_searcher *searcher, const nnc_front *known, uint64_t first, uint64_t end,
                       nnc_search_part *part) {
    const int32_t count = end - first < (uint64_t)searcher->count ? (int32_t)(end - first) : searcher->count;
    searcher->known = known;
    searcher->first = first;
    searcher->blocks = end - first;
    searcher->working = count;
    share_out(searcher);
    nnc_threads_run(run_blocks, searcher->workers, sizeof(worker), count);
    for (int32_t i = 0; i < searcher->count; i++) {
        nnc_search_part_add(part, searcher->search, &searcher->workers[i].part);
        nnc_search_part_clear(&searcher->workers[i].part);
    }
}

void nnc_searcher_complete(nnc_searcher *searcher, nnc_front *front) {
    for (int32_t i = 0; i < front->best_count; i++) { complete(&searcher->workers[0], &front->best[i]); }
    for (int32_t i = 0; i < front->pareto_count; i++) { complete(&searcher->workers[0], &front->pareto[i]); }
}

bool nnc_searcher_legal(nnc_searcher *searcher, uint64_t place, nnc_error *err) {
    nnc_plan_groups *groups = searcher->workers[0].groups;
    return nnc_plan_groups_block(groups, &searcher->search->base, shard_block(searcher->search, place), err) &&
           nnc_plan_groups_shipped(groups, err);
}

/* Returns the number of workers with which a search runs if memory suffices only for the first `count` workers. If there
 * are two or more, deletes the last one, so that its memory is free for the results. */
static int32_t spare_memory(worker *workers, int32_t count) {
    if (count < 2) { return count; }
    nnc_plan_groups_destroy(workers[count - 1].groups);
    return count - 1;
}

nnc_searcher *nnc_searcher_create(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                                  const nnc_search *search, const nnc_space *space) {
    const int32_t count = search->threads < 1                        ? 1
                          : search->threads > NNC_SEARCH_THREADS_MAX ? NNC_SEARCH_THREADS_MAX
                                                                     : search->threads;
    nnc_searcher *made = calloc(1, sizeof *made);
    if (made == NULL) { return NULL; }
    made->device = device;
    made->search = search;
    made->space = space;
    made->run_ask = nnc_run_ask_default();
    if (search->run != NULL) {
        (void)nnc_sized_read(&made->run_ask, sizeof made->run_ask, search->run, "nnc_run_ask",
                             /* nnc_sized_read cannot fail here, because an earlier call has read the same struct
                              * without an error */
                             NULL);
    }
    made->workers = calloc((size_t)count, sizeof *made->workers);
    made->count = made->workers != NULL ? count : 0;
    bool ready = made->workers != NULL;
    /* With a deadline or a budget, the length of a plan's run must be known before the plan can be added to the front,
     * so plans do not wait for batched replays. */
    const bool limited = search->deadline_s > 0.0 || search->budget > 0.0;
    const int64_t limit_bytes = search->risk > 0.0 ? INT64_MAX : capacity_of(search, device);
    /* Without pruning (no_prune), the memory of every plan is computed exactly; tests compare such a search with a
     * search that prunes. */
    const bool bounds = search->risk == 0.0 && !search->no_prune;
    for (int32_t i = 0; i < made->count; i++) {
        worker *w = &made->workers[i];
        w->of = made;
        w->groups = nnc_plan_groups_create(model, device, profiles, space, limit_bytes, bounds,
                                           limited ? NULL : keep_waited, w);
        ready = ready && w->groups != NULL;
        if (w->groups == NULL && i > 0) {
            made->count = spare_memory(made->workers, i);
            ready = true;
        }
    }
    if (!ready) {
        nnc_searcher_destroy(made);
        return NULL;
    }
    return made;
}

void nnc_searcher_destroy(nnc_searcher *searcher) {
    if (searcher == NULL) { return; }
    for (int32_t i = 0; i < searcher->count; i++) { nnc_plan_groups_destroy(searcher->workers[i].groups); }
    free(searcher->workers);
    free(searcher);
}
