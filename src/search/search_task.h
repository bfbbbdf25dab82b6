/* A search as it is asked for: of one number of devices or of several, with the way to a step time; and what
 * it says, which shards of it say in part. */
#ifndef NNCOST_SEARCH_SEARCH_TASK_H
#define NNCOST_SEARCH_SEARCH_TASK_H

#include <nncost/sensitivity.h>
#include <nncost/spec.h>

#include "base/arena.h"
#include "base/digest.h"
#include "metrics/report.h"
#include "search/search_ranks.h"

typedef struct nnc_search_task {
    nnc_crew crew;
    const nnc_model *model;
    const nnc_device *device;
    const nnc_profiles *profiles;
    nnc_search search;
    int32_t *sizes;         /* numbers of devices to search one by one */
    int32_t size_count;     /* 0: the one of the plan */
    double target_step_s;   /* 0 = not asked */
    nnc_search_watch watch; /* asked to stop by it, a search says what it has covered */
} nnc_search_task;

/* Combinations of a search, or of several. */
typedef struct nnc_search_total {
    uint64_t space, covered, evaluated, pruned, legal, feasible;
} nnc_search_total;

/* The outcome for one number of devices. */
typedef struct nnc_search_size {
    int32_t devices;
    nnc_search_total total;
    bool found, any_missed; /* best is there; missed breaks only deadline or budget */
    nnc_found best, missed;
    nnc_error why; /* no combination is legal; status NNC_OK: one is */
} nnc_search_size;

typedef struct nnc_search_report {
    const nnc_model *model; /* NULL, as is the device: not known to a merger */
    const nnc_device *device;
    nnc_search *search;
    nnc_search_result *result; /* of the one size */
    nnc_search_size *sizes;    /* of several; NULL = one */
    int32_t size_count, size_asked;
    int32_t fastest, cheapest; /* among the sizes; -1 = nothing found */
    nnc_search_total total;
    double target_step_s;                /* 0 = not asked */
    nnc_target targets[NNC_LEVER_COUNT]; /* one figure each */
    int target_count;
    double elapsed_s;
    const char *currency; /* of the prices; NULL = there are none */
    bool batch_chosen;    /* not asked for */
    bool stopped;         /* before all was covered */
    nnc_error why; /* no combination of a shard is legal; status NNC_OK: one is, or no shard */
    const char
        *digest; /* of a shard: of all that decides the search but the shard; NULL = no shard */
} nnc_search_report;

/* Of an nnc_search_report; an nnc_found; the best plan of an nnc_search_size. */
extern const nnc_metrics nnc_search_document, nnc_found_metrics, nnc_size_best_metrics;

#define NNC_SEARCH_SCHEMA "nncost.search/1"

/* Searches into a report, with memory of the arena; for rank 0, while the others serve. Errors: those of
 * nnc_search_run, but that a shard, or a size beside others, may well have no legal plan. */
nnc_status nnc_search_task_run(nnc_search_task *task, nnc_arena *arena, nnc_search_report *report,
                               nnc_error *err);

/* Is anything found? */
bool nnc_search_answered(const nnc_search_report *report);

/* Finds the fastest and the cheapest of the sizes. */
void nnc_search_rank_sizes(nnc_search_report *report);

/* Digest of all that decides the result but the shard: version, task, what the files say (NULL: there is none),
 * and texts. */
nnc_status nnc_search_digest(const nnc_search_task *task, nnc_specs *specs,
                             const char *const *files, int file_count, const char *const *texts,
                             int text_count, uint64_t *digest, nnc_error *err);

/* ---- shards: files that 'nncost search --shard I/N --format json' wrote ---- */

/* Does a file begin as JSON with a schema? Only a look at its text. NNC_IO: it cannot be read. */
nnc_status nnc_search_shard_is(const char *path, bool *is, nnc_error *err);

/* A report read back; all that it points to is in the arena. NNC_BAD_SPEC: not a shard, or one that was
 * stopped before its end; NNC_IO, NNC_NO_MEMORY. */
nnc_status nnc_search_shard_read(nnc_arena *arena, const char *path, nnc_search_report *shard,
                                 nnc_error *err);

/* What one search would have said, of this digest, or of any where it is NULL. NNC_BAD_SPEC: a shard twice, or of
 * another search; NNC_BAD_USAGE: one is missing; NNC_ILLEGAL_PLAN: no plan of any is legal. */
nnc_status nnc_search_merge(nnc_arena *arena, char *const *paths, int count, const char *digest,
                            nnc_search_report *report, nnc_error *err);

#endif
