/* SPDX-License-Identifier: Apache-2.0 */
/* Searches for the best plans on a number of devices: tries every combination of the choices that the user leaves
 * open. */
#ifndef NNCOST_SEARCH_H
#define NNCOST_SEARCH_H

#include <nncost/run.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { NNC_SEARCH_VALUES = 64, NNC_SEARCH_BEST_MAX = 100 };

/* A choice of a search: the values of one plan field that are tried, in this order. count 0 = all sensible values. */
typedef struct nnc_choice {
    int64_t values[NNC_SEARCH_VALUES];
    int32_t count;
} nnc_choice;

#define NNC_OBJECTIVE_LIST(X)         \
    X(NNC_OBJECTIVE_TIME, "time")     \
    X(NNC_OBJECTIVE_MEMORY, "memory") \
    X(NNC_OBJECTIVE_COST, "cost") /* cost per token; the same order as by time if all plans have the same number of
                                   * devices and the same batch */
NNC_ENUM(nnc_objective, NNC_OBJECTIVE_LIST, NNC_OBJECTIVE_COUNT);
NNC_API const char *nnc_objective_name(nnc_objective objective);

/* A search. Start from nnc_search_default(), which sets struct_size. Later releases only append members. */
typedef struct nnc_search {
    size_t struct_size; /* size of this struct in the release that the program was compiled with */
    union {
        nnc_plan base; /* plan with all fields that are not searched; devices and global_batch have to be set */
        unsigned char base_space[NNC_PLAN_SPACE];
    };
    nnc_choice tensor, pipeline, context, expert, virtual_stages, micro_batch, zero, sequence_parallel;
    nnc_choice recompute; /* values of the plan field recompute (nnc_recompute flags) */
    nnc_choice schedule;  /* values of the plan field schedule (nnc_schedule) */
    nnc_choice offload;   /* values of the plan field offload (nnc_offload flags) */
    int64_t mem_bytes;    /* bytes of the memory of a device; 0 = as in the device file */
    double deadline_s;    /* longest time of the run in seconds, for base.tokens or base.samples; 0 = no deadline */
    double budget;        /* largest cost of the run, at base.price or the price in the device file; 0 = no budget */
    nnc_objective objective;
    int32_t best;           /* number of plans to return, at most NNC_SEARCH_BEST_MAX */
    bool no_prune;          /* true: every legal plan is estimated in full; false: plans that cannot be among the best
                             * are left out early */
    int32_t threads;        /* number of threads, at least 1 */
    int32_t shard, shards;  /* searches only part `shard` (from 1) of `shards` equal parts of the search space; 0 = the
                             * whole space */
    const nnc_run_ask *run; /* inputs of the run that is computed for each plan; NULL = no run is computed */
    double risk;            /* largest probability that a plan runs out of memory; 0 = only plans with the verdict
                             * "fits" */
} nnc_search;

/* Sets all choices open, and asks for the ten fastest plans. Set base.devices and base.global_batch afterwards.
 * struct_size: size of the struct, for programs that do not read this header. */
NNC_API void nnc_search_init(nnc_search *search, size_t struct_size);
static inline nnc_search nnc_search_default(void) {
    nnc_search search;
    nnc_search_init(&search, sizeof search);
    return search;
}

/* A plan that a search found and that fits in memory. Every value is equal to that of nnc_estimate in all digits. */
typedef struct nnc_found {
    union {
        nnc_plan plan; /* the plan, with all defaults filled in */
        unsigned char plan_space[NNC_PLAN_SPACE];
    };
    uint64_t index; /* index of the plan in the search space; of plans that are equally good the smaller index comes
                     * first */
    double step_s, mfu, tokens_per_s, bubble_share, exposed_comm_s;
    double device_s;  /* devices x step_s, device-seconds of a step */
    double cost_step; /* cost of a step; NaN = there is no price */
    double run_s, device_hours,
        cost_run; /* results of nnc_run_of if nnc_search.run is set; NaN if the length of the run is not known */
    int64_t memory_bytes;
    char software[48];                   /* id of the software profile */
    const char *command;                 /* command line that estimates the plan; NULL = not known */
    double goodput, energy_j, carbon_kg; /* goodput, energy and carbon of the whole run; NaN if nnc_search.run is
                                          * NULL */
} nnc_found;

enum { NNC_PARETO_MAX = 256 };

/* The result of a search. The caller owns the result, and may use it for another search. */
typedef struct nnc_search_result nnc_search_result;
NNC_API nnc_search_result *nnc_search_result_create(void); /* Returns NULL if there is not enough memory. */
NNC_API void nnc_search_result_destroy(nnc_search_result *result);

/* Numbers of plans. space: combinations in the search space, or in its shard; covered: combinations that the search has
 * examined (all, unless it was stopped); evaluated: estimated; pruned: left out without an estimate; legal: plans that
 * break no rule; feasible: legal plans that fit in memory. evaluated + pruned = covered; these two depend on the plans
 * found before. The other numbers add up over shards. */
typedef struct nnc_search_tally {
    uint64_t space, covered, evaluated, pruned, feasible, legal;
} nnc_search_tally;
NNC_API nnc_search_tally nnc_search_result_tally(const nnc_search_result *result);

/* These functions return a found plan by its index from 0; NULL = there is no such plan. A plan is valid until the next
 * search into the same result. best: the best plans, in the order of the objective. pareto: plans for which no other
 * plan is both faster and smaller in memory, in the order of step time, at most NNC_PARETO_MAX. missed: if every plan
 * that fits breaks the deadline or the budget, the fastest of them; else NULL. */
NNC_API const nnc_found *nnc_search_result_best(const nnc_search_result *result, int32_t index);
NNC_API const nnc_found *nnc_search_result_pareto(const nnc_search_result *result, int32_t index);
NNC_API const nnc_found *nnc_search_result_missed(const nnc_search_result *result);

#ifdef NNC_STATIC_LINKING_ONLY

struct nnc_search_result {
    uint64_t space, covered, evaluated, pruned, legal, feasible;
    nnc_found best[NNC_SEARCH_BEST_MAX];
    int32_t best_count;
    nnc_found pareto[NNC_PARETO_MAX]; /* plans for which no other plan is both faster and smaller in memory, in the
                                       * order of step time */
    int32_t pareto_count;
    bool pareto_truncated;
    bool any_missed; /* true: `best` is empty, and `missed` is the fastest plan that breaks only the deadline or the
                      * budget */
    nnc_found missed;
};

#endif /* NNC_STATIC_LINKING_ONLY */

/* A search calls this function from time to time. covered: number of combinations that it has examined; space: number
 * of all combinations. The function returns false to stop the search; the result then has only the combinations
 * examined so far. */
typedef bool nnc_search_progress_fn(void *context, uint64_t covered, uint64_t space);

/* Searches the search space. All plans use the profile `software`, and only features that it has. The result does not
 * depend on the number of threads. Every combination is in exactly one shard, so the best plans of all shards together
 * include the best plans of the space. Errors: NNC_ILLEGAL_PLAN: no combination is legal (err names the rule that the
 * last one breaks); NNC_BAD_USAGE: there is a deadline or a budget, but the length of the run or a price is not known;
 * NNC_BAD_SPEC, NNC_NO_MEMORY. */
NNC_API nnc_status nnc_search_run(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                                  const nnc_search *search, nnc_search_progress_fn *progress, void *context,
                                  nnc_search_result *result, nnc_error *err);

/* Searches the search space with the default profile of each plan. Plans use only features that their profile has,
 * unless profiles->any is true. Errors are those of nnc_search_run. */
NNC_API nnc_status nnc_search_by_plan(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                                      const nnc_search *search, nnc_search_progress_fn *progress, void *context,
                                      nnc_search_result *result, nnc_error *err);

#ifdef __cplusplus
}
#endif

#endif
