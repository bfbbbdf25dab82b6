/* SPDX-License-Identifier: Apache-2.0 */
/* Searches for the best plans on a number of devices, over every combination of choices that the user leaves open. */
#ifndef NNCOST_SEARCH_H
#define NNCOST_SEARCH_H

#include <nncost/run.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { NNC_SEARCH_VALUES = 64, NNC_SEARCH_BEST_MAX = 100 };

/* A choice of a search: the values that are tried, in this order. count 0 = all sensible values. */
typedef struct nnc_choice {
    int64_t values[NNC_SEARCH_VALUES];
    int32_t count;
} nnc_choice;

#define NNC_OBJECTIVE_LIST(X)         \
    X(NNC_OBJECTIVE_TIME, "time")     \
    X(NNC_OBJECTIVE_MEMORY, "memory") \
    X(NNC_OBJECTIVE_COST, "cost") /* cost per token; the same order as by time, if all plans have the same number of
                                   * devices and the same batch */
NNC_ENUM(nnc_objective, NNC_OBJECTIVE_LIST, NNC_OBJECTIVE_COUNT);
NNC_API const char *nnc_objective_name(nnc_objective objective);

/* A search. Start from nnc_search_default(), which sets struct_size: members are only ever appended. */
typedef struct nnc_search {
    size_t struct_size; /* size of the struct in the version that the program was compiled with */
    union {
        nnc_plan base; /* all choices that are not searched; devices and global_batch are required */
        unsigned char base_space[NNC_PLAN_SPACE];
    };
    nnc_choice tensor, pipeline, context, expert, virtual_stages, micro_batch, zero, sequence_parallel;
    nnc_choice recompute; /* values of `recompute` (nnc_recompute flags) that are tried */
    nnc_choice schedule;  /* values of `schedule` (nnc_schedule) that are tried */
    nnc_choice offload;   /* values of `offload` (nnc_offload flags) that are tried */
    int64_t mem_bytes;    /* memory of a device; 0 = from the device file */
    double deadline_s;    /* latest end of the run (base.tokens or base.samples); 0 = no deadline */
    double budget;        /* maximum cost of the run at base.price or the price of the device; 0 = no budget */
    nnc_objective objective;
    int32_t best;           /* number of plans to return, at most NNC_SEARCH_BEST_MAX */
    bool no_prune;          /* estimate every legal plan in full, without pruning */
    int32_t threads;        /* number of threads; at least 1 */
    int32_t shard, shards;  /* search only part `shard` (from 1) of `shards`; 0 = the whole space */
    const nnc_run_ask *run; /* inputs of the run that is computed for each plan; NULL = no run */
    double risk;            /* largest allowed probability of running out of memory; 0 = memory.fit must be "fits" */
} nnc_search;

/* Sets all choices open and asks for the ten fastest plans; then set base.devices and base.global_batch. struct_size:
 * size of the struct, for programs that do not read this header. */
NNC_API void nnc_search_init(nnc_search *search, size_t struct_size);
static inline nnc_search nnc_search_default(void) {
    nnc_search search;
    nnc_search_init(&search, sizeof search);
    return search;
}

/* A plan that a search found and that fits. Every value equals the value of nnc_estimate to the last digit. */
typedef struct nnc_found {
    union {
        nnc_plan plan; /* the plan, with all defaults filled in */
        unsigned char plan_space[NNC_PLAN_SPACE];
    };
    uint64_t index; /* position in the search space; of equal plans the lower index comes first */
    double step_s, mfu, tokens_per_s, bubble_share, exposed_comm_s;
    double device_s;  /* devices x step_s: the cost of a step */
    double cost_step; /* cost of a step; NaN without a price */
    double run_s, device_hours,
        cost_run; /* results of nnc_run_of if nnc_search.run is set; NaN if the length of the run is unknown */
    int64_t memory_bytes;
    char software[48];                   /* id of the software profile */
    const char *command;                 /* command line that estimates the plan; NULL = unknown */
    double goodput, energy_j, carbon_kg; /* values of the whole run; all NaN if nnc_search.run is NULL */
} nnc_found;

enum { NNC_PARETO_MAX = 256 };

/* The result of a search. The caller owns it and may use it again. */
typedef struct nnc_search_result nnc_search_result;
NNC_API nnc_search_result *nnc_search_result_create(void); /* Returns NULL when out of memory. */
NNC_API void nnc_search_result_destroy(nnc_search_result *result);

/* Counts of plans. space: combinations in the space or shard; covered: combinations examined (all unless the search was
 * stopped); legal: plans that break no rule; feasible: legal plans that fit. space, covered, legal and feasible add up
 * over shards. evaluated + pruned = covered; their split depends on the plans that were found before. */
typedef struct nnc_search_tally {
    uint64_t space, covered, evaluated, pruned, feasible, legal;
} nnc_search_tally;
NNC_API nnc_search_tally nnc_search_result_tally(const nnc_search_result *result);

/* Return a found plan by its index from 0; NULL past the last. Plans are valid until the next search into the result.
 * best: plans in the order of the objective. pareto: plans in the order of step time, at most NNC_PARETO_MAX; no other
 * plan is faster with less memory. missed: the fastest plan that breaks only the deadline or budget, if every plan
 * breaks one of them; else NULL. */
NNC_API const nnc_found *nnc_search_result_best(const nnc_search_result *result, int32_t index);
NNC_API const nnc_found *nnc_search_result_pareto(const nnc_search_result *result, int32_t index);
NNC_API const nnc_found *nnc_search_result_missed(const nnc_search_result *result);

#ifdef NNC_STATIC_LINKING_ONLY

struct nnc_search_result {
    uint64_t space, covered, evaluated, pruned, legal, feasible;
    nnc_found best[NNC_SEARCH_BEST_MAX];
    int32_t best_count;
    nnc_found pareto[NNC_PARETO_MAX]; /* Pareto front in the order of step time: no other plan is faster with less
                                       * memory */
    int32_t pareto_count;
    bool pareto_truncated;
    bool any_missed; /* true: `best` is empty, and the plan `missed` breaks only the deadline or budget */
    nnc_found missed;
};

#endif /* NNC_STATIC_LINKING_ONLY */

/* A search calls this function periodically with the number of combinations that it has examined (covered). Return
 * false to stop the search; the result is then partial. */
typedef bool nnc_search_progress_fn(void *context, uint64_t covered, uint64_t space);

/* Searches the space. All plans use one profile and only features that it supports. The result does not depend on the
 * number of threads. Every plan is in exactly one shard, so the best plans of all shards include the best plans of the
 * space. Errors: NNC_ILLEGAL_PLAN: no combination is legal (err names the rule that the last combination breaks);
 * NNC_BAD_USAGE: a deadline or budget is given, but not the length of the run or a price; NNC_BAD_SPEC,
 * NNC_NO_MEMORY. */
NNC_API nnc_status nnc_search_run(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                                  const nnc_search *search, nnc_search_progress_fn *progress, void *context,
                                  nnc_search_result *result, nnc_error *err);

/* Searches the space with the default profile of each plan. Plans use only features that their profile supports, unless
 * profiles->any is true. */
NNC_API nnc_status nnc_search_by_plan(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                                      const nnc_search *search, nnc_search_progress_fn *progress, void *context,
                                      nnc_search_result *result, nnc_error *err);

#ifdef __cplusplus
}
#endif

#endif
