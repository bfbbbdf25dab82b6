/* SPDX-License-Identifier: Apache-2.0 */
/* A search for the best plans on a number of devices, over every combination of the open choices. */
#ifndef NNCOST_SEARCH_H
#define NNCOST_SEARCH_H

#include <nncost/run.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { NNC_SEARCH_VALUES = 64, NNC_SEARCH_BEST_MAX = 100 };

/* The values of one choice, in the order in which they are tried; count 0 = all sensible values. */
typedef struct nnc_choice {
    int64_t values[NNC_SEARCH_VALUES];
    int32_t count;
} nnc_choice;

#define NNC_OBJECTIVE_LIST(X)         \
    X(NNC_OBJECTIVE_TIME, "time")     \
    X(NNC_OBJECTIVE_MEMORY, "memory") \
    X(NNC_OBJECTIVE_COST, "cost") /* per token: at one size and batch the same order as time */
NNC_ENUM(nnc_objective, NNC_OBJECTIVE_LIST, NNC_OBJECTIVE_COUNT);
NNC_API const char *nnc_objective_name(nnc_objective objective);

/* Start from nnc_search_default(), which sets struct_size: members are only ever appended. */
typedef struct nnc_search {
    size_t struct_size; /* size of the struct as the program knows it */
    union {
        nnc_plan base; /* all choices that are not searched; set devices and global_batch */
        unsigned char base_space[NNC_PLAN_SPACE];
    };
    nnc_choice tensor, pipeline, context, expert, virtual_stages, micro_batch, zero, sequence_parallel;
    nnc_choice recompute; /* nnc_recompute flags */
    nnc_choice schedule;  /* nnc_schedule */
    nnc_choice offload;   /* nnc_offload flags */
    int64_t mem_bytes;    /* memory of a device; 0 = the device file's */
    double deadline_s;    /* the run (base.tokens or base.samples) ends by then; 0 = no deadline */
    double budget;        /* maximum cost of the run, at base.price or the device's price; 0 = no budget */
    nnc_objective objective;
    int32_t best;           /* number of plans to return, at most NNC_SEARCH_BEST_MAX */
    bool no_prune;          /* estimate every legal plan in full */
    int32_t threads;        /* at least 1 */
    int32_t shard, shards;  /* search only part `shard` (from 1) of `shards`; 0 = the whole space */
    const nnc_run_ask *run; /* also compute the run with these inputs; NULL = steps only */
    double risk;            /* greatest probability of running out of memory; 0 = memory.fit is "fits" */
} nnc_search;

/* A search for the ten fastest plans over all choices; set base.devices and base.global_batch.
 * nnc_search_init: for a struct of this size, for programs that do not read this header. */
NNC_API void nnc_search_init(nnc_search *search, size_t struct_size);
static inline nnc_search nnc_search_default(void)
{
    nnc_search search;
    nnc_search_init(&search, sizeof search);
    return search;
}

/* A plan that fits. Every value equals that of nnc_estimate to the last digit. */
typedef struct nnc_found {
    union {
        nnc_plan plan; /* resolved */
        unsigned char plan_space[NNC_PLAN_SPACE];
    };
    uint64_t index; /* position in the space; decides ties */
    double step_s, mfu, tokens_per_s, bubble_share, exposed_comm_s;
    double device_s;  /* devices x step_s: the cost of a step */
    double cost_step; /* NaN without a price */
    double run_s, device_hours,
        cost_run; /* NaN if the length of the run is unknown; from nnc_run_of if nnc_search.run is set */
    int64_t memory_bytes;
    char software[48];                   /* id of its profile */
    const char *command;                 /* the command line that estimates it; NULL = unknown */
    double goodput, energy_j, carbon_kg; /* results of the run; NaN without nnc_search.run */
} nnc_found;

enum { NNC_PARETO_MAX = 256 };

/* The result of a search; owned by the caller, who may reuse it. */
typedef struct nnc_search_result nnc_search_result;
NNC_API nnc_search_result *nnc_search_result_create(void); /* NULL when out of memory */
NNC_API void nnc_search_result_destroy(nnc_search_result *result);

/* space: combinations in total (of the shard); covered: those examined, all unless the search was stopped.
 * legal: plans that break no rule; feasible: those that also fit. These four add up over shards. covered =
 * evaluated + pruned; how many are estimated in full depends on the plans found before. */
typedef struct nnc_search_tally {
    uint64_t space, covered, evaluated, pruned, feasible, legal;
} nnc_search_tally;
NNC_API nnc_search_tally nnc_search_result_tally(const nnc_search_result *result);

/* The plans found, from index 0; NULL past the last. They live until the next search into the result. best:
 * by the objective. pareto: by step time; no other plan is faster with less memory; at most NNC_PARETO_MAX.
 * missed: if every plan misses the deadline or budget, the fastest plan that breaks nothing else; else
 * NULL. */
NNC_API const nnc_found *nnc_search_result_best(const nnc_search_result *result, int32_t index);
NNC_API const nnc_found *nnc_search_result_pareto(const nnc_search_result *result, int32_t index);
NNC_API const nnc_found *nnc_search_result_missed(const nnc_search_result *result);

#ifdef NNC_STATIC_LINKING_ONLY

struct nnc_search_result {
    uint64_t space, covered, evaluated, pruned, legal, feasible;
    nnc_found best[NNC_SEARCH_BEST_MAX];
    int32_t best_count;
    nnc_found pareto[NNC_PARETO_MAX]; /* by step time: no other plan is faster with less memory */
    int32_t pareto_count;
    bool pareto_truncated;
    bool any_missed; /* best is empty, and missed breaks only the deadline or budget */
    nnc_found missed;
};

#endif /* NNC_STATIC_LINKING_ONLY */

/* Called periodically with the number of covered combinations; return false to stop early with a partial
 * result. */
typedef bool nnc_search_progress_fn(void *context, uint64_t covered, uint64_t space);

/* Searches the space, all plans with one profile and the features it supports. The result does not depend
 * on the number of threads. Every plan is in exactly one shard, and the best of all shards are the best of
 * the space. Errors: NNC_ILLEGAL_PLAN: no combination is legal (err names the rule that refused the last
 * one); NNC_BAD_USAGE: a deadline or budget without the length of the run or a price; NNC_BAD_SPEC,
 * NNC_NO_MEMORY. */
NNC_API nnc_status nnc_search_run(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                                  const nnc_search *search, nnc_search_progress_fn *progress, void *context,
                                  nnc_search_result *result, nnc_error *err);

/* The same with the default profile of each plan, and the features that this profile supports unless
 * profiles->any. */
NNC_API nnc_status nnc_search_by_plan(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                                      const nnc_search *search, nnc_search_progress_fn *progress, void *context,
                                      nnc_search_result *result, nnc_error *err);

#ifdef __cplusplus
}
#endif

#endif
