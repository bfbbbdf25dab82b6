#ifndef NNCOST_SEARCH_SEARCH_INTERNAL_H
#define NNCOST_SEARCH_SEARCH_INTERNAL_H

#include <nncost/search.h>
#include <nncost/sensitivity.h>
#include <nncost/spec.h>

#include "base/arena.h"
#include "base/digest.h"
#include "metrics/report.h"
#include "pipeline/pipeline.h"
#include "sweep/sweep_internal.h"

/* ---- the space (space.c) ---- */

/* The space of a search: which values each choice takes, and the plan of a place in it. */

/* Choices in the order they vary, the last fastest. Those up to pipeline decide what one rank
 * computes and form a block; the others reorder or move it. */
typedef enum nnc_axis {
    NNC_AXIS_TENSOR,
    NNC_AXIS_CONTEXT,
    NNC_AXIS_EXPERT,
    NNC_AXIS_SEQUENCE_PARALLEL,
    NNC_AXIS_MICRO_BATCH,
    NNC_AXIS_RECOMPUTE,
    NNC_AXIS_PIPELINE,
    NNC_BLOCK_AXES,
    NNC_AXIS_SCHEDULE = NNC_BLOCK_AXES,
    NNC_AXIS_VIRTUAL_STAGES,
    NNC_AXIS_ZERO,
    NNC_AXIS_OFFLOAD,
    NNC_AXES
} nnc_axis;

typedef struct nnc_space {
    nnc_choice axes[NNC_AXES];
    uint64_t blocks, block_size; /* plans in all: blocks * block_size */
} nnc_space;

/* Fills in every open choice. NNC_BAD_USAGE: more values than a choice holds. */
nnc_status nnc_space_make(const nnc_model *model, const nnc_device *device,
                          const nnc_search *search, nnc_space *space, nnc_error *err);

/* Sets the choices of a block, or of a plan inside it, in plan. */
void nnc_space_block(const nnc_space *space, uint64_t block, nnc_plan *plan);
void nnc_space_inside(const nnc_space *space, uint64_t inside, nnc_plan *plan);

/* Blocks of a shard (from 1) of shards, and the block that is number `place` of them, from 0. Of every
 * `shards` blocks in a row each shard has one, by turns without a period: choices vary with periods,
 * and every N-th block could be all of one pipeline degree. Shard 1 has the first block of all. */
uint64_t nnc_space_shard_size(const nnc_space *space, int32_t shard, int32_t shards);
uint64_t nnc_space_shard_block(uint64_t place, int32_t shard, int32_t shards);

/* Plans of a block that differ in ZeRO stage and offload alone form a group: sets the others of its choices; number inside
 * the group, from 0: sets these two. */
uint64_t nnc_space_group_size(const nnc_space *space);
void nnc_space_group(const nnc_space *space, uint64_t group, nnc_plan *plan);
void nnc_space_inside_group(const nnc_space *space, uint64_t inside, nnc_plan *plan);

/* ---- best plans and the Pareto front (pareto.c) ---- */

/* The best plans found so far, and the Pareto front of time and memory. Both are sets with a total
 * order, so that merging them in any order gives the same. */

enum { NNC_SEARCH_THREADS_MAX = 256 };

typedef struct nnc_front {
    nnc_found best[NNC_SEARCH_BEST_MAX]; /* best first */
    int32_t best_count;
    nnc_found pareto[NNC_PARETO_MAX]; /* fastest first, memory falling */
    int32_t pareto_count;
    bool truncated, any_missed;
    nnc_found missed; /* the fastest that breaks a limit on the run alone */
} nnc_front;

/* Does a come before b? The objective decides, then the other figure, then the place in the space. */
bool nnc_found_before(nnc_objective objective, const nnc_found *a, const nnc_found *b);

void nnc_front_clear(nnc_front *front);
/* All that a front says; the rest of it is room for more. */
void nnc_front_copy(nnc_front *to, const nnc_front *from);
void nnc_front_add(nnc_front *front, nnc_objective objective, int32_t best, const nnc_found *found);
/* Would nnc_front_add of such a plan change anything? */
bool nnc_front_takes(const nnc_front *front, nnc_objective objective, int32_t best, uint64_t index,
                     double step_s, int64_t memory_bytes);
void nnc_front_merge(nnc_front *front, nnc_objective objective, int32_t best,
                     const nnc_front *other);

/* A plan that fits and breaks a limit on the run. */
void nnc_front_miss(nnc_front *front, const nnc_found *found);

/* Would a plan of this memory that takes at least least_s change nothing? Sound: it is worse than the
 * last of the best, and a plan on the front is faster with no more memory. */
bool nnc_front_beats(const nnc_front *front, nnc_objective objective, int32_t best, double least_s,
                     int64_t memory_bytes);

/* What lies past the counts of a result stays as it is. */
void nnc_front_result(const nnc_front *front, nnc_search_result *result);
/* The front that a result came from. */
void nnc_front_of(const nnc_search_result *result, nnc_front *front);

/* ---- batched replay (batched_replay.c) ---- */

/* Pipelines of one shape (schedule, stages, chunks, micro-batches) are collected and replayed together, one per SIMD
 * lane; the plans that need their times wait until then. */

enum { NNC_ENDS_MAX = 8 };

/* So many stages in a row, and the time that each needs after its passes (synchronisation and update). */
typedef struct nnc_stage_end {
    int32_t stages;
    double end_s;
} nnc_stage_end;

/* A plan that waits for its pipeline. */
typedef struct nnc_waiting {
    uint64_t index;
    int64_t memory_bytes;
    bool fits;
    int32_t track, end_count;
    nnc_stage_end ends[NNC_ENDS_MAX]; /* one, of the slowest stage, where all stages end together */
} nnc_waiting;

/* Where a pipeline waits, valid until it is replayed. */
typedef struct nnc_replay_place {
    int32_t set, track;
    uint64_t number; /* of the set at that time */
} nnc_replay_place;

/* Receives the step time of a plan that waited; NaN: the pipeline could not be replayed. */
typedef void nnc_batched_fn(void *context, const nnc_waiting *plan, double step_s);

typedef struct nnc_batched_replay nnc_batched_replay;

/* NULL when out of memory. */
nnc_batched_replay *nnc_batched_replay_create(nnc_batched_fn *batched, void *context);
void nnc_batched_replay_destroy(nnc_batched_replay *replay);

/* Can pipelines of this plan be replayed in a batch? */
bool nnc_batched_replay_takes(const nnc_plan *plan);

/* Adds a pipeline; a batch that is full is replayed, with that memory. */
nnc_replay_place nnc_batched_replay_add(nnc_batched_replay *replay, const nnc_pipeline *pipeline,
                                        nnc_pipeline_memory *memory);

/* Does the pipeline still wait, and can one more plan wait for it? */
bool nnc_batched_replay_has(const nnc_batched_replay *replay, const nnc_replay_place *track);

/* Lets a plan wait for a pipeline that does. */
void nnc_batched_replay_wait(nnc_batched_replay *replay, const nnc_replay_place *track,
                             nnc_waiting *plan);

/* Replays all batches. */
void nnc_batched_replay_finish(nnc_batched_replay *replay, nnc_pipeline_memory *memory);

/* ---- plan groups (plan_group.c) ---- */

/* Walks the plans of a space block by block and group by group, and says of each plan its memory and its step time. Plans
 * of a group differ in ZeRO stage and offload alone, and share most of the work: see plan_group.c. */
typedef struct nnc_plan_groups nnc_plan_groups;

/* Costs of a micro-batch, shared by plans of a block: see plan_group.c. */
typedef struct nnc_pass_costs nnc_pass_costs;

/* batched (may be NULL) receives the step times of plans that nnc_plan_groups_wait took. NULL when out of memory. */
nnc_plan_groups *nnc_plan_groups_create(const nnc_model *model, const nnc_device *device,
                                        const nnc_profiles *profiles, const nnc_space *space,
                                        nnc_batched_fn *batched, void *context);
void nnc_plan_groups_destroy(nnc_plan_groups *groups);

/* Begins a block; false: no plan of it is legal, and err (may be NULL) names the rule. */
bool nnc_plan_groups_block(nnc_plan_groups *groups, const nnc_plan *base, uint64_t number,
                           nnc_error *err);

/* Does a framework offer any plan of the block? If not, err names the missing option; it stays untouched where all
 * schedules of the block repeat those of another block. */
bool nnc_plan_groups_shipped(nnc_plan_groups *groups, nnc_error *err);

/* Begins a group: one schedule with one number of virtual stages. false: none of its plans is legal, or they repeat
 * another group. */
bool nnc_plan_groups_group(nnc_plan_groups *groups, uint64_t group);

/* A plan of the group, with its memory in result; NULL: it is not legal. */
nnc_pass_costs *nnc_plan_groups_plan(nnc_plan_groups *groups, uint64_t inside, nnc_result *result);

/* Gives the times that waiting plans still miss to `batched`. */
void nnc_plan_groups_finish(nnc_plan_groups *groups);

const nnc_software *nnc_plan_groups_software(const nnc_pass_costs *pass);

/* Computes the pass times, unless they are there; call it before the functions below. Most plans are rejected on memory
 * before. false: the pass has more ops than a table holds. */
bool nnc_plan_groups_times(nnc_plan_groups *groups, nnc_pass_costs *pass, const nnc_plan *plan);

/* Lower bound of the step time under any schedule, seconds: the mean device's compute in all passes. */
double nnc_plan_groups_least_s(const nnc_pass_costs *pass, const nnc_plan *plan);

/* The step time of plan number `inside` of the group, in result. false: its pipeline is too large to replay. */
bool nnc_plan_groups_step(nnc_plan_groups *groups, nnc_pass_costs *pass, uint64_t inside,
                          nnc_result *result);

/* In place of nnc_plan_groups_step: lets the plan wait until its pipeline is replayed in a batch. waiting says who waits; the rest
 * of it is filled in. false: this plan cannot wait. */
bool nnc_plan_groups_wait(nnc_plan_groups *groups, nnc_pass_costs *pass, uint64_t inside,
                          const nnc_result *result, nnc_waiting *waiting);

/* FLOPs and tokens of a plan, in result. Few plans are among the best and need them. */
void nnc_plan_groups_work(nnc_plan_groups *groups, nnc_pass_costs *pass, nnc_result *result);

/* The work and the parts of the step of the plan that nnc_plan_groups_step timed last. */
bool nnc_plan_groups_parts(nnc_plan_groups *groups, nnc_pass_costs *pass, nnc_result *result);

/* ---- workers (searcher.c) ---- */

/* The threads of one process that work out blocks of a search. */

/* What became of some blocks. Legal plans, and those of them that fit, are counted before any is pruned, so that their
 * numbers do not depend on what was known: shards add up to the whole. The others tell of the work. */
typedef struct nnc_search_part {
    nnc_front front;
    uint64_t evaluated, pruned, legal, feasible;
} nnc_search_part;

void nnc_search_part_clear(nnc_search_part *part);
void nnc_search_part_add(nnc_search_part *part, const nnc_search *search,
                         const nnc_search_part *more);

/* Blocks that a search does: those of its shard, or all; and the one that is number `place` of them. */
uint64_t nnc_shard_size(const nnc_search *search, const nnc_space *space);
uint64_t nnc_shard_block(const nnc_search *search, uint64_t place);

/* Everything it is made with must outlive it. NULL when out of memory. */
typedef struct nnc_searcher nnc_searcher;
nnc_searcher *nnc_searcher_create(const nnc_model *model, const nnc_device *device,
                                  const nnc_profiles *profiles, const nnc_search *search,
                                  const nnc_space *space);
void nnc_searcher_destroy(nnc_searcher *searcher);

/* Works out the blocks at places first to end - 1, and adds what they hold to part; see nnc_searcher_complete. Nothing is
 * shared between them but what was known before, so what is pruned depends on that alone. */
void nnc_searcher_work(nnc_searcher *searcher, const nnc_front *known, uint64_t first, uint64_t end,
                       nnc_search_part *part);

/* Of a plan on a front its place, its step time and its memory may be all that is known: works out the rest. */
void nnc_searcher_complete(nnc_searcher *searcher, nnc_front *front);

/* Is any plan of the block at a place legal? If not, err names the rule. */
bool nnc_searcher_legal(nnc_searcher *searcher, uint64_t place, nnc_error *err);

/* ---- a search (search.c) ---- */

/* A search whose rounds others may work out. */

/* Who works out the blocks of a round, in place of the threads of this process: as
 * nnc_searcher_work. */
typedef struct nnc_helpers {
    void *context;
    void (*work)(void *context, const nnc_front *known, uint64_t first, uint64_t end,
                 nnc_search_part *part);
} nnc_helpers;

typedef struct nnc_search_watch {
    nnc_search_progress_fn *progress; /* may be NULL */
    void *context;
} nnc_search_watch;

/* As nnc_search_run; helpers NULL: the threads of this process. */
nnc_status nnc_search_with(const nnc_model *model, const nnc_device *device,
                           const nnc_profiles *profiles, const nnc_search *search,
                           const nnc_helpers *helpers, const nnc_search_watch *watch,
                           nnc_search_result *result, nnc_error *err);

/* ---- limits ---- */

/* What a program asks of a search, as this library knows it. */

/* A search of any size, its limits checked. NNC_BAD_USAGE or NNC_ILLEGAL_PLAN; err names the member. */
nnc_status nnc_search_read(const nnc_search *given, nnc_search *search, nnc_error *err);

/* ---- rank groups (search_ranks.c) ---- */

/* A search over MPI ranks: in every round rank 0 hands out runs of blocks as ranks ask for them, and
 * merges what they found; all work, who has nothing to do sleeps. What is known, and so what is pruned, is the same as in one
 * process. Without MPI there is one rank. */

/* As nnc_search_run, which it is for a crew of one. For rank 0, while the others serve. */
nnc_status nnc_crew_search(nnc_crew crew, const nnc_model *model, const nnc_device *device,
                           const nnc_profiles *profiles, const nnc_search *search,
                           const nnc_search_watch *watch, nnc_search_result *result,
                           nnc_error *err);

/* For any other rank: works for rank 0's searches, of this model, device and run, until they end. */
void nnc_crew_search_serve(nnc_crew crew, const nnc_model *model, const nnc_device *device,
                           const nnc_profiles *profiles, const nnc_run_ask *run, int32_t threads);

/* For rank 0: there are no more searches. */
void nnc_crew_search_end(nnc_crew crew);

/* ---- search tasks, reports, shards (search_task.c, search_document.c, search_shard.c) ---- */

/* A search as it is asked for: of one number of devices or of several, with the way to a step time; and what
 * it says, which shards of it say in part. */

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
