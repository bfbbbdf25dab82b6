/* SPDX-License-Identifier: Apache-2.0 */
/* Searches for the best plans on a given number of devices: tries all combinations of values of the plan fields that
 * the user has not fixed. */
#ifndef NNCOST_SEARCH_H
#define NNCOST_SEARCH_H

#include <nncost/run.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { NNC_SEARCH_VALUES = 64, NNC_SEARCH_BEST_MAX = 100 };

/* The values of one plan field that a search tries, in the order of the list. count 0 = the search tries all sensible
 * values. */
typedef struct nnc_choice {
    int64_t values[NNC_SEARCH_VALUES];
    int32_t count;
} nnc_choice;

#define NNC_OBJECTIVE_LIST(X)         \
    X(NNC_OBJECTIVE_TIME, "time")     \
    X(NNC_OBJECTIVE_MEMORY, "memory") \
    X(NNC_OBJECTIVE_COST, "cost") /* cost per token. If all plans have equal numbers of devices and equal batches, the
                                   * order of plans by cost is their order by time */
NNC_ENUM(nnc_objective, NNC_OBJECTIVE_LIST, NNC_OBJECTIVE_COUNT);
NNC_API const char *nnc_objective_name(nnc_objective objective);

/* Inputs of a search. To make an nnc_search, start from nnc_search_default(), which sets struct_size. Later releases of
 * nncost only append members. */
typedef struct nnc_search {
    size_t struct_size; /* size of nnc_search in the nncost release with which the user's program was compiled */
    union {
        /* plan with the values of all fields that the search does not vary; the user has to set its members devices and
         * global_batch */
        nnc_plan base;
        unsigned char base_space[NNC_PLAN_SPACE];
    };
    nnc_choice tensor, pipeline, context, expert, virtual_stages, micro_batch, zero, sequence_parallel;
    nnc_choice recompute; /* values of the plan field `recompute` that the search tries (nnc_recompute flags) */
    nnc_choice schedule;  /* values of the plan field `schedule` that the search tries (nnc_schedule) */
    nnc_choice offload;   /* values of the plan field `offload` that the search tries (nnc_offload flags) */
    int64_t mem_bytes;    /* bytes of device memory that a plan may use; 0 = the memory in the device file */
    /* longest allowed time of the run over base.tokens or base.samples, in seconds; 0 = no deadline */
    double deadline_s;
    double budget; /* largest allowed cost of the run, at base.price or the price of the device file; 0 = no budget */
    nnc_objective objective;
    int32_t best;           /* number of plans that the search returns, at most NNC_SEARCH_BEST_MAX */
    bool no_prune;          /* true: every legal plan is estimated in full; false: plans that cannot be among the best
                             * are left out early */
    int32_t threads;        /* number of threads of the search, at least 1 */
    int32_t shard, shards;  /* the search space is divided into `shards` equal parts, and the search covers only part
                             * number `shard` (from 1); 0 = the search covers the whole space */
    const nnc_run_ask *run; /* inputs for nnc_run_of, which computes a run for each plan; NULL = no run is computed */
    double risk;            /* largest probability that a plan runs out of memory; 0 = only plans with the verdict
                             * "fits" */
} nnc_search;

/* Sets the search to try all sensible values of each field and to return the ten fastest plans. After nnc_search_init,
 * the caller has to set base.devices and base.global_batch. struct_size: sizeof (nnc_search) in the calling program,
 * because programs in other languages do not read this header. */
NNC_API void nnc_search_init(nnc_search *search, size_t struct_size);
static inline nnc_search nnc_search_default(void) {
    nnc_search search;
    nnc_search_init(&search, sizeof search);
    return search;
}

/* A plan that a search found and that fits in memory. For this plan, nnc_estimate computes exactly the values in this
 * struct. */
typedef struct nnc_found {
    union {
        nnc_plan plan; /* the found plan, with all defaults filled in */
        unsigned char plan_space[NNC_PLAN_SPACE];
    };
    /* index of the plan in the search space; among equally good plans, the plan with the smaller index comes first */
    uint64_t index;
    double step_s, mfu, tokens_per_s, bubble_share, exposed_comm_s;
    double device_s;  /* device-seconds of one step: number of devices x step_s */
    double cost_step; /* cost of one step; NaN = no price is known */
    double run_s, device_hours,
        cost_run; /* time, device-hours and cost of the run; NaN = nnc_search.run is NULL, or the length of the run is
                   * unknown */
    int64_t memory_bytes;
    char software[48];                   /* id of the software profile with which the plan was estimated */
    const char *command;                 /* `nncost estimate` command line for the found plan; NULL = not known */
    double goodput, energy_j, carbon_kg; /* goodput, energy and carbon of the whole run; NaN if nnc_search.run is
                                          * NULL */
} nnc_found;

enum { NNC_PARETO_MAX = 256 };

/* The result of a search. The caller owns the result. A later search can store its plans in the result, which replaces
 * the plans of the earlier search. */
typedef struct nnc_search_result nnc_search_result;
NNC_API nnc_search_result *nnc_search_result_create(void); /* Returns NULL when out of memory. */
NNC_API void nnc_search_result_destroy(nnc_search_result *result);

/* Numbers of the combinations that a search tried. `space` is the number of combinations in the search space, or in the
 * shard that is searched. `covered` is the number of combinations that the search has examined: all combinations,
 * unless the search was stopped. `evaluated` combinations were estimated, and `pruned` combinations were left out
 * without an estimate; `evaluated` + `pruned` is `covered`. `legal` is the number of plans that break no rule, and
 * `feasible` is the number of legal plans that fit in memory. The numbers `evaluated` and `pruned` depend on the order
 * of the search. The sums of space, covered, legal and feasible over all shards are equal to the same four numbers of a
 * search that is not divided into shards. */
typedef struct nnc_search_tally {
    uint64_t space, covered, evaluated, pruned, feasible, legal;
} nnc_search_tally;
NNC_API nnc_search_tally nnc_search_result_tally(const nnc_search_result *result);

/* These functions return a found plan by its index from 0; NULL = there is no plan with this index. A plan is valid
 * until the next search into the same result. The function ..._best returns the best plans, in the order of the
 * objective. The function ..._pareto returns at most NNC_PARETO_MAX plans, in the order of step time. No plan of the
 * search is better than a returned plan in both step time and memory. The function ..._missed returns the fastest plan
 * if every plan that fits in memory breaks the deadline or the budget, otherwise NULL. */
NNC_API const nnc_found *nnc_search_result_best(const nnc_search_result *result, int32_t index);
NNC_API const nnc_found *nnc_search_result_pareto(const nnc_search_result *result, int32_t index);
NNC_API const nnc_found *nnc_search_result_missed(const nnc_search_result *result);

#ifdef NNC_STATIC_LINKING_ONLY

struct nnc_search_result {
    uint64_t space, covered, evaluated, pruned, legal, feasible;
    nnc_found best[NNC_SEARCH_BEST_MAX];
    int32_t best_count;
    /* plans of the Pareto front, in the order of step time: for a plan of the front, no plan of the search both takes
     * less time and needs less memory */
    nnc_found pareto[NNC_PARETO_MAX];
    int32_t pareto_count;
    bool pareto_truncated;
    bool any_missed; /* true: `best` is empty, and `missed` is the fastest plan that breaks only the deadline or the
                      * budget */
    nnc_found missed;
};

#endif /* NNC_STATIC_LINKING_ONLY */

/* A function of the caller that a running search calls from time to time. covered: number of combinations that the
 * search has examined; space: number of all combinations. If the caller's function returns false, the search stops, and
 * the result of the search contains only the combinations examined so far. */
typedef bool nnc_search_progress_fn(void *context, uint64_t covered, uint64_t space);

/* Searches the search space for the best plans. All plans use the software profile `software`, and only features that
 * this profile has. The result does not depend on the number of threads. Each combination is in exactly one shard, so
 * the best plans of all shards together include the best plans of the whole space. Errors: NNC_ILLEGAL_PLAN: no
 * combination is legal (err names the rule that the last combination breaks); NNC_BAD_USAGE: a deadline or a budget is
 * given, but the length of the run or a price is not known; NNC_BAD_SPEC, NNC_NO_MEMORY. */
NNC_API nnc_status nnc_search_run(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                                  const nnc_search *search, nnc_search_progress_fn *progress, void *context,
                                  nnc_search_result *result, nnc_error *err);

/* Searches the search space for the best plans; each plan uses the default software profile of its kind. Plans use only
 * features that their profile has, unless profiles->any is true. The errors of nnc_search_by_plan are those of
 * nnc_search_run. */
NNC_API nnc_status nnc_search_by_plan(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                                      const nnc_search *search, nnc_search_progress_fn *progress, void *context,
                                      nnc_search_result *result, nnc_error *err);

#ifdef __cplusplus
}
#endif

#endif
