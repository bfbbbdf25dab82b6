#ifndef NNCOST_SEARCH_SEARCH_INTERNAL_H
#define NNCOST_SEARCH_SEARCH_INTERNAL_H

#include <nncost/estimate.h>
#include <nncost/search.h>
#include <nncost/spec.h>

#include "base/base_internal.h"
#include "estimate/estimate_internal.h"
#include "memo/memo_internal.h"
#include "metrics/metrics_internal.h"
#include "pipeline/pipeline_internal.h"
#include "sweep/sweep_internal.h"

/* ---- space.c: the space of a search, which is all combinations of the values of its choices ---- */

/* Choices of a plan, in the order in which they vary, the last one fastest. Plans with equal choices from tensor to
 * pipeline are a block of plans: these choices decide which ops one rank runs. The choices from schedule to offload
 * change only the order of passes, or where tensors are stored. */
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

/* Largest number of values of one choice. It exceeds NNC_SEARCH_VALUES, the limit for values that a user lists, because
 * the values may be all divisors of a number. No number up to 14 million has more than 512 divisors. */
enum { NNC_SPACE_VALUES = 512 };
typedef struct nnc_space_axis {
    int32_t count;
    int64_t values[NNC_SPACE_VALUES];
} nnc_space_axis;

typedef struct nnc_space {
    nnc_space_axis axes[NNC_AXES];
    uint64_t blocks, block_size; /* blocks: number of blocks of plans in the space; block_size: number of plans in a
                                  * block */
} nnc_space;

/* Makes the space of a search: fills in every choice that the search leaves open. NNC_BAD_USAGE: a choice has too many
 * values. */
nnc_status nnc_space_make(const nnc_model *model, const nnc_device *device, const nnc_search *search, nnc_space *space,
                          nnc_error *err);

/* nnc_space_block sets those choices of *plan that all plans of a block share: degrees, micro-batch, recomputation.
 * nnc_space_inside sets the others: schedule, virtual stages, ZeRO stage, offload; `inside` is the index of the plan in
 * its block. */
void nnc_space_block(const nnc_space *space, uint64_t block, nnc_plan *plan);
void nnc_space_inside(const nnc_space *space, uint64_t inside, nnc_plan *plan);

/* nnc_space_shard_size returns the number of blocks of plans in a shard (shards count from 1). nnc_space_shard_block
 * returns the index of the block that is at a place (from 0) of the shard. Each shard gets one of every `shards`
 * consecutive blocks. Which one is pseudo-random: with a regular order, one shard could get all blocks of one pipeline
 * degree. Shard 1 has the first block. */
uint64_t nnc_space_shard_size(const nnc_space *space, int32_t shard, int32_t shards);
uint64_t nnc_space_shard_block(uint64_t place, int32_t shard, int32_t shards);

/* Plans of a block of plans that differ only in ZeRO stage and offload form a group. nnc_space_group_size returns the
 * number of plans in a group. nnc_space_group sets the other choices inside the block; nnc_space_inside_group sets ZeRO
 * stage and offload from the index of the plan in the group (from 0). */
uint64_t nnc_space_group_size(const nnc_space *space);
void nnc_space_group(const nnc_space *space, uint64_t group, nnc_plan *plan);
void nnc_space_inside_group(const nnc_space *space, uint64_t inside, nnc_plan *plan);

/* ---- space.c: the best plans of a search, and the Pareto front of step time and memory ---- */

/* The best plans so far, and the Pareto front of step time and memory. Plans have a total order (nnc_found_before), so
 * merging fronts in any order gives the same result. */

enum { NNC_SEARCH_THREADS_MAX = 256 };

typedef struct nnc_front {
    nnc_found best[NNC_SEARCH_BEST_MAX]; /* the best plans so far, at most as many as the search lists; the best plan is
                                          * first */
    int32_t best_count;
    nnc_found pareto[NNC_PARETO_MAX]; /* the Pareto front, sorted: the fastest plan first, each next plan with less
                                       * memory */
    int32_t pareto_count;
    bool truncated, any_missed;
    nnc_found missed; /* the fastest of the plans that fit in memory but exceed the deadline or the budget of the run */
} nnc_front;

/* Tests whether a is better than b. The objective (time or memory) is compared first, then the other quantity
 * (memory or time), then the index. */
bool nnc_found_before(nnc_objective objective, const nnc_found *a, const nnc_found *b);

void nnc_front_clear(nnc_front *front);
/* Copies a front. Of the arrays `best` and `pareto`, only the entries in use are copied. */
void nnc_front_copy(nnc_front *to, const nnc_front *from);
void nnc_front_add(nnc_front *front, nnc_objective objective, int32_t best, const nnc_found *found);
/* Tests whether nnc_front_add would change `front`, for a plan with this index, step time and memory. */
bool nnc_front_takes(const nnc_front *front, nnc_objective objective, int32_t best, uint64_t index, double step_s,
                     int64_t memory_bytes);
void nnc_front_merge(nnc_front *front, nnc_objective objective, int32_t best, const nnc_front *other);

/* Offers the front a plan that fits in memory but breaks the deadline or the budget of the run. front->missed keeps
 * the fastest of these plans. */
void nnc_front_miss(nnc_front *front, const nnc_found *found);

/* Tests whether a plan with this memory, whose step time is least_s or longer, can be pruned. Returns true only if the
 * worst of the `best` listed plans is better than this plan, and a plan of the Pareto front is faster with at most the
 * same memory. */
bool nnc_front_beats(const nnc_front *front, nnc_objective objective, int32_t best, double least_s,
                     int64_t memory_bytes);

/* Copies the entries of a front that are in use to *result. All other members of *result stay as they are. */
void nnc_front_result(const nnc_front *front, nnc_search_result *result);
/* Sets *front to the best plans and the Pareto front of a result: the reverse of nnc_front_result. */
void nnc_front_of(const nnc_search_result *result, nnc_front *front);

/* ---- plan_times.c: batched replay of pipelines ---- */

/* Pipelines with equal schedule, stages, chunks and micro-batches are collected and replayed together, one per SIMD
 * lane. Plans wait until their pipelines are replayed. */

enum { NNC_ENDS_MAX = 8 };

/* Seconds that each of some consecutive stages needs after its passes: communication of gradients and the update. */
typedef struct nnc_stage_end {
    int32_t stages;
    double end_s;
} nnc_stage_end;

/* A plan that waits for its step time, because its pipeline is not replayed yet. */
typedef struct nnc_waiting {
    uint64_t index;
    int64_t memory_bytes;
    bool fits;
    int32_t track, end_count;
    nnc_stage_end ends[NNC_ENDS_MAX]; /* seconds of each stage after its last pass; if all stages end together: one
                                       * entry, for the longest time */
} nnc_waiting;

/* Position of a waiting pipeline: set and track (index in the set). Valid until the pipeline is replayed. */
typedef struct nnc_replay_place {
    int32_t set, track;
    uint64_t number; /* serial number that the set had when the pipeline was added */
} nnc_replay_place;

/* Receives a plan whose pipeline was replayed with other pipelines, and its step time. NaN: the pipeline could not be
 * replayed. */
typedef void nnc_batched_fn(void *context, const nnc_waiting *plan, double step_s);

typedef struct nnc_batched_replay nnc_batched_replay;

/* Creates an empty collection of pipelines. After each replay it calls `batched` with `context` for every plan that
 * waited. Returns NULL if out of memory. */
nnc_batched_replay *nnc_batched_replay_create(nnc_batched_fn *batched, void *context);
void nnc_batched_replay_destroy(nnc_batched_replay *replay);

/* Tests whether the pipeline of this plan can be replayed together with others. False for a plan without a pipeline,
 * and if it has too many stages, chunks or micro-batches. */
bool nnc_batched_replay_takes(const nnc_plan *plan);

/* Adds a pipeline to the set of pipelines of its schedule, stages, chunks and micro-batches. If the set is full, its
 * pipelines are replayed first, with `memory` as working memory. Returns the place of the pipeline. */
nnc_replay_place nnc_batched_replay_add(nnc_batched_replay *replay, const nnc_pipeline *pipeline,
                                        nnc_pipeline_memory *memory);

/* Tests whether the pipeline at `track` still waits, and one more plan can wait for its replay. */
bool nnc_batched_replay_has(const nnc_batched_replay *replay, const nnc_replay_place *track);

/* Adds a plan to the plans that wait for the replay of the pipeline at `track`. */
void nnc_batched_replay_wait(nnc_batched_replay *replay, const nnc_replay_place *track, nnc_waiting *plan);

/* Replays all pipelines that wait. */
void nnc_batched_replay_finish(nnc_batched_replay *replay, nnc_pipeline_memory *memory);

/* ---- plan_group.c, plan_times.c: groups of plans ---- */

/* Goes through the plans of a space, one block of plans and one group of plans after the other, and computes the memory
 * and step time of each plan. Plans of a group differ only in ZeRO stage and offload, and share most of the work: see
 * plan_group.c. */
typedef struct nnc_plan_groups nnc_plan_groups;

/* Value of nnc_pass_costs.holds: the stored bytes are right for all groups in which each device has one chunk. */
#define NNC_EVEN_GROUPS UINT64_MAX

typedef struct nnc_pass_costs nnc_pass_costs;

enum {
    NNC_PASSES_MAX = 8,
    NNC_PLAIN_BOUNDS = 4, /* number of software profiles for which the last lower bound of the time is stored */
    NNC_PASS_STAGES = 8,  /* number of pipeline stages, with the most memory, whose resident bytes a pass stores */
};

/* Costs of one pass (forward and backward of one micro-batch), shared by several plans of a block of plans. Once the
 * costs are known, no op of the op list is read any more, only its segments, which are equal for all plans of the
 * model. */
struct nnc_pass_costs {
    nnc_step step;
    const nnc_software *software;
    nnc_lowered *alike; /* lowered op list of the pass; its ops are valid only while the member `listed` of
                         * nnc_plan_groups points to this pass */
    nnc_segment_sums sums[NNC_SEGMENTS_MAX];
    nnc_segment_time units[2][NNC_SEGMENTS_MAX]; /* time of each segment: units[0] for schedules whose backward computes
                                                  * weight gradients at once; units[1] for schedules with separate
                                                  * weight gradients */
    nnc_network network;
    nnc_result work;  /* FLOPs and tokens of the plan for which the pass was made */
    double least_s;   /* lower bound of the time of one micro-batch in all layers; NaN = not computed */
    double pass_s[2]; /* seconds of one micro-batch in all layers: pass_s[0] from units[0], pass_s[1] from units[1] */
    uint64_t number;  /* serial number of the pass from 1, over all blocks of plans */
    uint64_t holds;   /* serial number of the group of plans whose resident bytes `held` stores; 0 = no group;
                       * NNC_EVEN_GROUPS = all groups in which each device has one chunk */
    int32_t held_count;
    int32_t held_stage[NNC_PASS_STAGES]; /* index of the pipeline stage of each entry of `held` */
    nnc_resident_bytes held[NNC_PASS_STAGES];
    uint64_t layers; /* digest of the layers in the op list of the pass */
    bool usable, worked, timed[2];
    bool routed;    /* true: `network` has the routes of the pass, although its op list is not lowered */
    bool guessed;   /* true: `sums` were computed for a smaller micro-batch, and the op list is not written yet */
    double growth;  /* (sums of this pass) / `sums` is at most this factor; 1 = `sums` are exact */
    uint64_t edged; /* serial number of the group of plans whose bytes are in `working`; 0 = no group */
    int32_t working_count;           /* number of entries of `working` that are computed */
    double working[NNC_PASS_STAGES]; /* working bytes of each of the heaviest stages in the current group */
    uint64_t group;                  /* serial number of the group of plans whose times are in `run`; 0 = no group */
    bool runs;                       /* true: the pipeline of this group of plans can be replayed */
    nnc_step_times run;
    uint64_t waits; /* serial number of the group of plans whose pipeline waits at `track`; 0 = no group */
    nnc_replay_place track;
};

/* A group of plans that all exceed the memory. */
typedef struct nnc_full_group {
    uint64_t column;     /* number of the column of blocks that has the group, from 1; 0 = no group */
    int64_t micro_batch; /* micro-batch with which all plans exceed the memory */
    uint64_t legal;      /* number of legal plans in the group of plans */
} nnc_full_group;

/* Dependence of the memory of one pipeline stage on its working bytes (activations and the working set of an op), for
 * plans with the same weights on this stage. The memory never falls while working bytes grow. */
typedef struct nnc_memory_edge {
    double fits, over; /* fits: the stage fits with up to `fits` working bytes; over: it exceeds the memory from
                        * `over` working bytes up */
    double working;    /* working bytes for which `bytes` was computed */
    int64_t bytes;     /* memory of the stage with `working` working bytes; 0 = not computed */
} nnc_memory_edge;

/* The pipeline stages whose edges are stored for one group of plans. */
typedef struct nnc_edge_row {
    uint64_t column;                 /* number of the column of blocks for which the edges are valid; 0 = no edges are
                                      * stored */
    int32_t stages[NNC_PASS_STAGES]; /* index of the pipeline stage of each edge; -1 = no stage */
    uint64_t networks[2][2]; /* networks[ZeRO 3][offload]: number of the last column whose plans have links for their
                              * communication; set only in the first row of a pipeline */
} nnc_edge_row;

/* Lower bound of the time of one micro-batch in all layers, and the values from which it was computed. */
typedef struct nnc_plain_bound {
    nnc_plan plan; /* key of the bound: the plan without recomputation; see nnc_plan_lowering_key */
    const nnc_software *software;
    nnc_route routes[NNC_ROUTES_OF_LAYERS];
    double adds; /* share of micro-batches that add their weight gradients to stored gradients, for which least_s was
                  * computed */
    double least_s;
    uint64_t column;     /* number of the column of blocks for which sample_s is valid; 0 = not computed */
    int64_t micro_batch; /* smallest micro-batch for which sample_s is valid */
    double sample_s;     /* lower bound of the time of one sample in all layers, in seconds; see nnc_lowered_floor_s */
} nnc_plain_bound;

/* The resolved plan of a block. Blocks that differ only in recomputation share it. */
typedef struct nnc_resolved_block {
    uint64_t place; /* number, from 1, that the block and all blocks differing from it only in recomputation and
                     * pipeline share; 0 = entry not used */
    bool legal;
    nnc_plan plan;
} nnc_resolved_block;

struct nnc_plan_groups {
    const nnc_model *model;
    const nnc_device *device;
    const nnc_profiles *profiles;
    const nnc_space *space;
    nnc_scratch *scratch;
    int64_t layers;   /* number of layers of the model; 0 = not known yet */
    nnc_plan settled; /* plan of the current group with all defaults set, still without its ZeRO stage and offload */
    uint64_t group;   /* serial number of the current group of plans from 1, over all blocks */
    uint64_t group_index; /* index of the current group in its block */
    bool partitioned; /* true: the layers of each stage are known for the current group, with the digest layers_now */
    uint64_t layers_now;  /* digest of the layers that are divided into stages */
    uint64_t layers_last; /* digest of the layers of the op list that was lowered last; 0 = none yet */
    /* varied: true if the op lists of two software profiles differ in layers, as for Swin with torch-compile and with
     * fsdp. Then no pass may use the list of another pass, and its own list is lowered again if another list was
     * lowered after it. */
    bool varied;
    bool known;                                          /* true: `allowed` and `software` are filled in */
    bool allowed[NNC_SEARCH_VALUES * NNC_SEARCH_VALUES]; /* true: this pair of ZeRO stage and offload is legal */
    uint64_t allowed_count;                              /* number of legal pairs of ZeRO stage and offload */
    const nnc_software *software[NNC_SEARCH_VALUES * NNC_SEARCH_VALUES];
    bool schedules[NNC_SCHEDULE_COUNT]; /* schedules that at least one framework offers */
    int32_t heaviest[NNC_STAGES_MAX];   /* indices of the pipeline stages that may need the most memory */
    int32_t heaviest_count;
    int64_t limit_bytes; /* largest memory of a plan; a plan over this limit is not used, so its exact memory does not
                          * matter */
    uint64_t made;       /* number of passes (nnc_pass_costs) that were computed so far */
    nnc_pass_costs passes[NNC_PASSES_MAX];
    int32_t pass_count, pass_next;
    nnc_memo smaller;             /* cache from a plan without its micro-batch (smaller_key) to the byte sums of its
                                   * op list with a smaller micro-batch (smaller_sums); without slots the cache is
                                   * not used */
    const nnc_pass_costs *listed; /* the pass whose op list was lowered last; NULL = no pass */
    nnc_plain_bound
        plain[NNC_PLAIN_BOUNDS]; /* lower bounds of the time, one for each of the last software profiles: ZeRO stages
                                  * may have different profiles */
    int32_t plain_next;          /* index in `plain` of the entry that is replaced next */
    uint64_t column;      /* number of the column of the current block: blocks of a column differ only in micro-batch,
                      * recomputation and pipeline */
    nnc_full_group *full; /* one entry for each combination of recomputation, pipeline and group of a block */
    nnc_resolved_block *resolved; /* one entry for each pipeline degree; NULL = nothing is stored, and every block is
                                   * resolved */
    uint64_t row_first;           /* index in `rows` of the first entry of the current block */
    nnc_full_group *full_block;   /* the entries of `full` that belong to the current block */
    nnc_full_group *full_now;     /* entry of `full` for the current group; NULL = the group has none */
    nnc_edge_row *rows;           /* one entry for each pair of pipeline degree and group of a block; NULL = no edges
                                   * are used, and the memory of each plan is computed */
    nnc_memory_edge *edges;       /* for each entry of `rows`: NNC_PASS_STAGES edges for each plan of the group */
    nnc_memory_edge *edges_now;   /* edges of the current group of plans */
    bool weighed;                 /* true: the memory of the last plan was computed exactly; false: it is a lower
                                   * bound */
    uint64_t legal_group, legal;  /* legal: number of legal plans in the group with serial number legal_group */
    uint64_t over_now;            /* number of plans of the current group that exceed the memory */
    bool over_1f1b;               /* true: all plans of the current block with schedule 1f1b exceed the memory */
    bool scales; /* true: products and traffic of a pass grow with the micro-batch at least in proportion */
    bool splits; /* true: some offered schedule has separate weight gradients */
    double rows_s[NNC_ROWS_MAX]; /* seconds of each row of the op table, saved before overlap shortens them */
    nnc_batched_replay *replay;  /* collects pipelines that are replayed together; NULL = each step time is computed at
                                   * once */
};

/* Creates the caches and working memory of a worker thread. bounds: true = prunes plans whose lower bound of memory is
 * over the limit. limit_bytes: largest memory of a plan; a plan that needs more may be reported with too little memory,
 * but always with more than limit_bytes. batched (may be NULL): receives the step times of the plans that wait for a
 * batched replay (nnc_plan_groups_wait). Returns NULL if out of memory. */
nnc_plan_groups *nnc_plan_groups_create(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                                        const nnc_space *space, int64_t limit_bytes, bool bounds,
                                        nnc_batched_fn *batched, void *context);
void nnc_plan_groups_destroy(nnc_plan_groups *groups);

/* Begins a block of plans (equal degrees, micro-batch and recomputation). Returns false if none of its plans is legal;
 * err (may be NULL) then names the rule. */
bool nnc_plan_groups_block(nnc_plan_groups *groups, const nnc_plan *base, uint64_t number, nnc_error *err);

/* Tests whether a framework offers any plan of the current block of plans. If not, err names the missing option. err is
 * not set if all schedules of the block repeat the schedules of another block. */
bool nnc_plan_groups_shipped(nnc_plan_groups *groups, nnc_error *err);

/* Begins a group of plans: one schedule with one number of virtual stages. Returns false if none of its plans is legal,
 * or if its plans repeat another group. */
bool nnc_plan_groups_group(nnc_plan_groups *groups, uint64_t group);

/* Returns the number of legal plans in the current group if all of them are known to exceed the memory, otherwise 0. */
uint64_t nnc_plan_groups_full(nnc_plan_groups *groups);

/* Returns the costs of a plan of the group and sets the memory of the plan in result: exactly, or a lower bound of it
 * that has the same verdict. Returns NULL if the plan is not legal. */
nnc_pass_costs *nnc_plan_groups_plan(nnc_plan_groups *groups, uint64_t inside, nnc_result *result);

/* Computes the exact memory of the plan that nnc_plan_groups_plan was called for last, unless result already has it.
 * Returns false if the op list of the plan cannot be lowered. */
bool nnc_plan_groups_weigh(nnc_plan_groups *groups, nnc_pass_costs *pass, uint64_t inside, nnc_result *result);

/* Replays all pipelines that wait, so that every waiting plan gets its step time through the function `batched`. */
void nnc_plan_groups_finish(nnc_plan_groups *groups);

const nnc_software *nnc_plan_groups_software(const nnc_pass_costs *pass);

/* Computes the times of the ops of one micro-batch, unless they are known. Must be called before the functions that
 * return times. Most plans need no times because they exceed the memory. Returns false if the pass has more ops than a
 * table holds. */
bool nnc_plan_groups_times(nnc_plan_groups *groups, nnc_pass_costs *pass, const nnc_plan *plan);

/* Returns a lower bound of the step time in seconds under any schedule: the compute time of all passes, averaged over
 * the devices. */
double nnc_plan_groups_least_s(const nnc_pass_costs *pass, const nnc_plan *plan);

/* Returns a lower bound of the step time that needs neither the op list nor the times of the pass: it follows from the
 * products and the traffic of a smaller micro-batch, which grow with the micro-batch. 0 = not known. */
double nnc_plan_groups_floor_s(nnc_plan_groups *groups, nnc_pass_costs *pass, const nnc_plan *plan);

/* Returns a lower bound of the step time without recomputation and without the ops that ZeRO adds. This bound is at
 * most that of nnc_plan_groups_least_s, but needs no times of the pass. Call it only for a plan that does not exceed
 * the memory. */
double nnc_plan_groups_compute_s(nnc_plan_groups *groups, nnc_pass_costs *pass, const nnc_plan *plan);

/* Computes the step time of the plan with index `inside` in its group, and writes it to result. Returns false if the
 * pipeline is too large to replay. */
bool nnc_plan_groups_step(nnc_plan_groups *groups, nnc_pass_costs *pass, uint64_t inside, nnc_result *result);

/* Used in place of nnc_plan_groups_step: lets the plan wait until its pipeline is replayed in a batch. The caller sets
 * index, memory_bytes and fits of `waiting`; this function sets the other members. Returns false if this plan cannot
 * wait. */
bool nnc_plan_groups_wait(nnc_plan_groups *groups, nnc_pass_costs *pass, uint64_t inside, const nnc_result *result,
                          nnc_waiting *waiting);

/* Sets FLOPs and tokens of a plan in result. Only the few best plans need them. */
void nnc_plan_groups_work(nnc_plan_groups *groups, nnc_pass_costs *pass, nnc_result *result);

/* Sets FLOPs, tokens and the parts of the step time (forward, backward, communication ...) of the plan that
 * nnc_plan_groups_step timed last. Returns false if the schedule cannot run. */
bool nnc_plan_groups_parts(nnc_plan_groups *groups, nnc_pass_costs *pass, nnc_result *result);

/* ---- searcher.c: the threads of one process that evaluate the blocks of a search ---- */

/* Outcome of some blocks of plans. legal and feasible count plans before pruning: they do not depend on the order, and
 * their sums over all shards equal the counts of the whole search. evaluated and pruned count the work done. */
typedef struct nnc_search_part {
    nnc_front front;
    uint64_t evaluated, pruned, legal, feasible;
} nnc_search_part;

void nnc_search_part_clear(nnc_search_part *part);
void nnc_search_part_add(nnc_search_part *part, const nnc_search *search, const nnc_search_part *more);

/* Returns the number of blocks of plans in the whole search, or in the shard that `search` names. */
uint64_t nnc_shard_size(const nnc_search *search, const nnc_space *space);

/* A searcher evaluates blocks of plans on threads. nnc_searcher_create returns NULL if out of memory. The arguments
 * must outlive the searcher. */
typedef struct nnc_searcher nnc_searcher;
nnc_searcher *nnc_searcher_create(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                                  const nnc_search *search, const nnc_space *space);
void nnc_searcher_destroy(nnc_searcher *searcher);

/* Evaluates the blocks at places first to end - 1 and adds their outcome to part. The caller must later call
 * nnc_searcher_complete with part->front. Plans are pruned only with `known`, the front of earlier rounds, so pruning
 * does not depend on the order of threads. */
void nnc_searcher_work(nnc_searcher *searcher, const nnc_front *known, uint64_t first, uint64_t end,
                       nnc_search_part *part);

/* Computes the missing members of those plans in `front` for which only index, step_s and memory were stored. */
void nnc_searcher_complete(nnc_searcher *searcher, nnc_front *front);

/* Tests whether any plan is legal in the block of plans at index `place`. If not, err names the rule. */
bool nnc_searcher_legal(nnc_searcher *searcher, uint64_t place, nnc_error *err);

/* ---- searcher.c: a search in rounds; other processes may evaluate the blocks of plans of a round ---- */

/* Replacement for nnc_searcher_work: a function that evaluates the blocks of plans of a round, for example on other
 * processes. */
typedef struct nnc_helpers {
    void *context;
    void (*work)(void *context, const nnc_front *known, uint64_t first, uint64_t end, nnc_search_part *part);
} nnc_helpers;

typedef struct nnc_search_watch {
    nnc_search_progress_fn *progress; /* function that the search calls with its progress; may be NULL */
    void *context;
} nnc_search_watch;

/* Works as nnc_search_run, but the blocks of each round are evaluated by helpers->work. helpers NULL: by the threads of
 * this process. */
nnc_status nnc_search_with(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                           const nnc_search *search, const nnc_helpers *helpers, const nnc_search_watch *watch,
                           nnc_search_result *result, nnc_error *err);

/* ---- search_task.c: a search over MPI ranks ---- */

/* A search over MPI ranks. In every round rank 0 assigns consecutive blocks of plans to ranks that ask, evaluates
 * blocks itself while no rank asks, and merges the outcomes. Pruning is the same as in one process. Without MPI there
 * is one rank. */

/* Works as nnc_search_run, but divides the search over all ranks. Rank 0 calls it while the other ranks are in
 * nnc_rank_group_search_serve. */
nnc_status nnc_rank_group_search(nnc_rank_group ranks, const nnc_model *model, const nnc_device *device,
                                 const nnc_profiles *profiles, const nnc_search *search, const nnc_search_watch *watch,
                                 nnc_search_result *result, nnc_error *err);

/* Called on all ranks except 0. Works on the searches of rank 0 with this model, device and training run, until rank 0
 * calls nnc_rank_group_search_end. */
void nnc_rank_group_search_serve(nnc_rank_group ranks, const nnc_model *model, const nnc_device *device,
                                 const nnc_profiles *profiles, const nnc_run_ask *run, int32_t threads);

/* Called on rank 0. Ends nnc_rank_group_search_serve on the other ranks. */
void nnc_rank_group_search_end(nnc_rank_group ranks);

/* ---- search_task.c, search_shard.c: search tasks, their reports, and shards of reports ---- */

/* The inputs of a search command: one or several numbers of devices, and optionally a target step time, for which the
 * command also finds the needed device parameters. */

typedef struct nnc_search_task {
    nnc_rank_group ranks;
    const nnc_model *model;
    const nnc_device *device;
    const nnc_profiles *profiles;
    nnc_search search;
    int32_t *sizes;         /* numbers of devices of the plans, searched one after the other */
    int32_t size_count;     /* number of entries of `sizes`; 0: the search keeps the number of devices of the plan */
    double target_step_s;   /* step time that device parameters shall reach; 0 = not given */
    nnc_search_watch watch; /* function that may stop the search early; the report then covers a part of the plans */
} nnc_search_task;

/* Numbers of plans, counted by what the search did with them. */
typedef struct nnc_search_total {
    uint64_t space, covered, evaluated, pruned, legal, feasible;
} nnc_search_total;

/* Outcome of a search with one number of devices. */
typedef struct nnc_search_size {
    int32_t devices;
    nnc_search_total total;
    bool found, any_missed; /* found: best is valid; any_missed: missed is valid (the fastest plan that breaks only
                             * deadline or budget) */
    nnc_found best, missed;
    nnc_error why; /* reason why no plan is legal; status NNC_OK = some plan is legal */
} nnc_search_size;

/* Probability that a plan is the best plan, and probability that it runs out of memory; NaN = the software profile has
 * no measured range. */
typedef struct nnc_sure {
    const nnc_found *found;
    double p_best, p_out_of_memory;
} nnc_sure;

typedef struct nnc_search_report {
    const nnc_model *model; /* model and device are NULL in a merged report */
    const nnc_device *device;
    const char *overrides; /* values of the options --set as written; NULL = no such option */
    nnc_search *search;
    nnc_search_result *result; /* result of the search, if one number of devices was searched */
    const nnc_sure *sure;      /* probabilities, one entry for each of the best plans; NULL = not computed */
    int32_t sure_count;
    nnc_search_size *sizes; /* one result for each number of devices; NULL = only one number was searched */
    int32_t size_count, size_asked;
    int32_t fastest, cheapest; /* index into `sizes` of the number of devices with the fastest plan, and with the
                                * cheapest; -1 = no plan found */
    nnc_search_total total;
    double target_step_s;                    /* step time that device parameters shall reach; 0 = not given */
    nnc_target targets[NNC_PARAMETER_COUNT]; /* for each device parameter, the value that reaches target_step_s */
    int target_count;
    double elapsed_s;
    const char *currency;     /* currency of the prices in the report; NULL = no price is known */
    const char *batch_chosen; /* how the default global batch was chosen; NULL or "" = it was given */
    bool stopped;             /* true: the search was stopped before it covered all plans */
    nnc_error why;            /* reason why no combination of a shard is legal; status NNC_OK = a legal combination
                               * exists, or the report is no shard */
    const char *digest;       /* digest of all inputs of the search except the shard; NULL = no shard */
} nnc_search_report;

/* Metrics of an nnc_search_report, of an nnc_found, and of the best plan of an nnc_search_size. */
extern const nnc_metrics nnc_search_document, nnc_found_metrics, nnc_size_best_metrics;

#define NNC_SEARCH_SCHEMA "nncost.search/1"

/* Runs a search task and writes the result to a report in the arena. Rank 0 calls it while the other ranks run
 * nnc_rank_group_search_serve. Returns the errors of nnc_search_run; but a shard without a legal plan, or one of
 * several numbers of devices without a legal plan, is no error. */
nnc_status nnc_search_task_run(nnc_search_task *task, nnc_arena *arena, nnc_search_report *report, nnc_error *err);

/* Tests whether the search found a plan. */
bool nnc_search_answered(const nnc_search_report *report);

/* Sets report->fastest and ->cheapest to the indices of the numbers of devices with the fastest and the cheapest
 * plan; -1 if no plan was found. */
void nnc_search_rank_sizes(nnc_search_report *report);

/* Computes a digest of all inputs that decide the result, except the shard: version, task, content of the files (an
 * entry may be NULL), and texts. */
nnc_status nnc_search_digest(const nnc_search_task *task, nnc_specs *specs, const char *const *files, int file_count,
                             const char *const *texts, int text_count, uint64_t *digest, nnc_error *err);

/* ---- shards: files that 'nncost search --shard I/N --format json' wrote ---- */

/* Tests whether the text of a file begins with the JSON key "schema", as every shard does. Reads only the first bytes
 * of the file. NNC_IO: the file cannot be read. */
nnc_status nnc_search_shard_is(const char *path, bool *is, nnc_error *err);

/* Merges shards into the report of the whole search. digest: digest of the expected search, NULL = any search.
 * NNC_BAD_SPEC: a shard is given twice, or belongs to another search. NNC_BAD_USAGE: a shard is missing.
 * NNC_ILLEGAL_PLAN: no shard has a legal plan. */
nnc_status nnc_search_merge(nnc_arena *arena, char *const *paths, int count, const char *digest,
                            nnc_search_report *report, nnc_error *err);

#endif
