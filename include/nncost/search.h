/* SPDX-License-Identifier: Apache-2.0 */
/* The best plans for a number of devices: every combination of the choices left open. */
#ifndef NNCOST_SEARCH_H
#define NNCOST_SEARCH_H

#include <nncost/run.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { NNC_SEARCH_VALUES = 64, NNC_SEARCH_BEST_MAX = 100 };

/* Values one choice may take, in the order they are tried; count 0 = every value that makes sense. */
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

/* Begins as nnc_search_default(), which sets its size: members are only ever appended. */
typedef struct nnc_search {
    size_t struct_size; /* of the struct as the program knows it */
    union {
        nnc_plan base; /* every choice that is not searched; devices and global_batch are set */
        unsigned char base_room[NNC_PLAN_ROOM];
    };
    nnc_choice tensor, pipeline, context, expert, virtual_stages, micro_batch, zero,
        sequence_parallel;
    nnc_choice recompute; /* nnc_recompute flags */
    nnc_choice schedule;  /* nnc_schedule */
    nnc_choice offload;   /* nnc_offload flags */
    int64_t mem_bytes;    /* per device; 0 = the device's */
    double deadline_s;    /* the run, of base.tokens or base.samples, ends by then; 0 = whenever */
    double budget;        /* the run costs no more, at base.price or the device's; 0 = whatever */
    nnc_objective objective;
    int32_t best;           /* how many to return, at most NNC_SEARCH_BEST_MAX */
    bool no_prune;          /* evaluate every legal plan in full */
    int32_t threads;        /* at least 1 */
    int32_t shard, shards;  /* search part shard, from 1, of shards alone; 0 = all of the space */
    const nnc_run_ask *run; /* the run counts what these say of it; NULL = its steps alone */
} nnc_search;

/* A search for the ten fastest plans over every choice; base.devices and base.global_batch are still to be set.
 * nnc_search_init: the same of a struct of this size, for programs that do not read this header. */
NNC_API void nnc_search_init(nnc_search *search, size_t struct_size);
static inline nnc_search nnc_search_default(void)
{
    nnc_search search;
    nnc_search_init(&search, sizeof search);
    return search;
}

/* One plan that fits. Every figure equals nnc_estimate's of the same plan, to the last digit. */
typedef struct nnc_found {
    union {
        nnc_plan plan; /* resolved */
        unsigned char plan_room[NNC_PLAN_ROOM];
    };
    uint64_t index; /* place in the space, decides ties */
    double step_s, mfu, tokens_per_s, bubble_share, exposed_comm_s;
    double device_s;                      /* devices x step_s, what a step costs */
    double cost_step;                     /* NaN without a price */
    double run_s, device_hours, cost_run; /* NaN without the length of the run; nnc_run_of's where
                                             nnc_search.run is set */
    int64_t memory_bytes;
    char software[48];                   /* id of its profile */
    const char *command;                 /* the command line that estimates it; NULL = not known */
    double goodput, energy_j, carbon_kg; /* of the run; NaN without nnc_search.run */
} nnc_found;

enum { NNC_PARETO_MAX = 256 };

/* What a search found; owned by the caller, who may search into it again. */
typedef struct nnc_search_result nnc_search_result;
NNC_API nnc_search_result *nnc_search_result_create(void); /* NULL when out of memory */
NNC_API void nnc_search_result_destroy(nnc_search_result *result);

/* space: combinations in all, of the shard where one was asked for; covered: those looked at, all unless the search was
 * stopped. legal: plans among them that break no rule; feasible: those that fit the memory, too. Shards add up to the
 * whole in these. covered = evaluated + pruned: how many were estimated in full depends on what was found before. */
typedef struct nnc_search_tally {
    uint64_t space, covered, evaluated, pruned, feasible, legal;
} nnc_search_tally;
NNC_API nnc_search_tally nnc_search_result_tally(const nnc_search_result *result);

/* The plans that were found, in their order from index 0; NULL past the last. They live until the next
 * search into the result. best: by the objective. pareto: by step time, no other plan is faster with less
 * memory; at most NNC_PARETO_MAX are kept. missed: where no plan is the best because of a deadline or a
 * budget, the fastest of those that break nothing else; else NULL. */
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
    bool any_missed; /* best is empty, but missed, the fastest, breaks only deadline or budget */
    nnc_found missed;
};

#endif /* NNC_STATIC_LINKING_ONLY */

/* Called now and then with what has been covered; returns false to stop early, with a result of what
 * has been covered. */
typedef bool nnc_search_progress_fn(void *context, uint64_t covered, uint64_t space);

/* Enumerates the space, all plans under one profile that ships what it ships. Results are the same for any number of threads. Every plan is in exactly one
 * of the shards, and the best of all shards together are the best of the space. Errors: NNC_ILLEGAL_PLAN
 * when no combination is legal (err names the rule that refused the last one), NNC_BAD_USAGE when a
 * deadline or budget lacks the length of the run or a price, NNC_BAD_SPEC, NNC_NO_MEMORY. */
NNC_API nnc_status nnc_search_run(const nnc_model *model, const nnc_device *device,
                                  const nnc_software *software, const nnc_search *search,
                                  nnc_search_progress_fn *progress, void *context,
                                  nnc_search_result *result, nnc_error *err);

/* The same, each plan under its own profile; of each those schedules and memory savers that the profile ships,
 * unless profiles->any. */
NNC_API nnc_status nnc_search_by_plan(const nnc_model *model, const nnc_device *device,
                                      const nnc_profiles *profiles, const nnc_search *search,
                                      nnc_search_progress_fn *progress, void *context,
                                      nnc_search_result *result, nnc_error *err);

#ifdef __cplusplus
}
#endif

#endif
