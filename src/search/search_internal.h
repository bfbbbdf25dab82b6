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

/* The choices of a plan (axes of the search space), sorted so that the last choice varies fastest. Plans with equal
 * choices from tensor to pipeline form a block of plans, because these choices decide which ops one rank runs. The
 * choices from schedule to offload change only the order of passes or the place where tensors are stored. */
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

/* Largest number of values of one choice. NNC_SEARCH_VALUES limits only the values that a user lists. A default list of
 * values can be longer than NNC_SEARCH_VALUES, because it can contain all divisors of a number; no number up to 14
 * million has more than 512 divisors. */
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

/* Makes the space of a search: each choice for which the search lists no values gets default values. Returns
 * NNC_BAD_USAGE if a choice has too many values. */
nnc_status nnc_space_make(const nnc_model *model, const nnc_device *device, const nnc_search *search, nnc_space *space,
                          nnc_error *err);

/* nnc_space_block sets the choices of *plan that all plans of a block share: degrees, micro-batch and recomputation.
 * nnc_space_inside sets the other choices: schedule, virtual stages, ZeRO stage and offload; its argument `inside` is
 * the index of the plan in its block. */
void nnc_space_block(const nnc_space *space, uint64_t block, nnc_plan *plan);
void nnc_space_inside(const nnc_space *space, uint64_t inside, nnc_plan *plan);

/* nnc_space_shard_size returns the number of blocks of plans in a shard of the search; shards count from 1.
 * nnc_space_shard_block returns the index of the block at a place (from 0) of the shard. From every `shards`
 * consecutive blocks, each shard gets one, chosen pseudo-randomly: in a regular order, one shard could get all blocks
 * of one pipeline degree. Shard 1 has the first block of the space. */
uint64_t nnc_space_shard_size(const nnc_space *space, int32_t shard, int32_t shards);
uint64_t nnc_space_shard_block(uint64_t place, int32_t shard, int32_t shards);

/* A group is the plans of a block that differ only in ZeRO stage and offload. nnc_space_group_size returns the number
 * of plans in a group. nnc_space_group sets schedule and virtual stages of *plan from the index of the group in its
 * block. nnc_space_inside_group sets ZeRO stage and offload of *plan from the index (from 0) of the plan in its
 * group. */
uint64_t nnc_space_group_size(const nnc_space *space);
void nnc_space_group(const nnc_space *space, uint64_t group, nnc_plan *plan);
void nnc_space_inside_group(const nnc_space *space, uint64_t inside, nnc_plan *plan);

/* ---- space.c: the best plans of a search, and the Pareto front of step time and memory ---- */

/* The best plans that a search has found so far, and the Pareto front of step time and memory. nnc_found_before defines
 * a total order of plans, so the result of merging several of these structs does not depend on the order in which they
 * are merged. */

enum { NNC_SEARCH_THREADS_MAX = 256 };

typedef struct nnc_front {
    nnc_found best[NNC_SEARCH_BEST_MAX]; /* the best plans so far, at most as many as the search lists; the best plan is
                                          * first */
    int32_t best_count;
    nnc_found pareto[NNC_PARETO_MAX]; /* the Pareto front, sorted: the fastest plan first, each next plan with less
                                       * memory */
    int32_t pareto_count;
    bool truncated, any_missed;
    /* the fastest plan that fits in memory but exceeds the deadline or the budget of the run; valid if any_missed is
     * true */
    nnc_found missed;
} nnc_front;

/* Tests whether plan `a` is better than plan `b`. Compares first the objective, which is step time or memory. If two
 * plans are equal in the objective, the plan with the smaller value of the second quantity (memory if the objective is
 * step time, step time if it is memory) is better; if they are equal in step time and memory, the plan with the smaller
 * index is better. */
bool nnc_found_before(nnc_objective objective, const nnc_found *a, const nnc_found *b);

void nnc_front_clear(nnc_front *front);
/* Copies a front. Copies only the used entries of the arrays `best` and `pareto`. */
void nnc_front_copy(nnc_front *to, const nnc_front *from);
void nnc_front_add(nnc_front *front, nnc_objective objective, int32_t best, const nnc_found *found);
/* Tests whether nnc_front_add would change `front` for a plan with the given index, step time and memory. */
bool nnc_front_takes(const nnc_front *front, nnc_objective objective, int32_t best, uint64_t index, double step_s,
                     int64_t memory_bytes);
void nnc_front_merge(nnc_front *front, nnc_objective objective, int32_t best, const nnc_front *other);

/* Offers to a front a plan that fits in memory but exceeds the deadline or the budget of the run. front->missed stores
 * the fastest of these plans. */
void nnc_front_miss(nnc_front *front, const nnc_found *found);

/* Tests whether a plan with known memory and a step time of at least least_s can be pruned. Returns true only if two
 * conditions hold: the worst of the `best` listed plans is better than this plan, and a plan of the Pareto front is
 * faster and needs no more memory. */
bool nnc_front_beats(const nnc_front *front, nnc_objective objective, int32_t best, double least_s,
                     int64_t memory_bytes);

/* Copies the best plans and the Pareto front of a front to *result. The other members of *result do not change. */
void nnc_front_result(const nnc_front *front, nnc_search_result *result);
/* Sets *front to the best plans and the Pareto front of a search result, which is the reverse of nnc_front_result. */
void nnc_front_of(const nnc_search_result *result, nnc_front *front);

/* ---- plan_times.c: replaying the pipelines of several plans together (batched replay) ---- */

/* Pipelines with equal schedule, stages, chunks and micro-batches are collected and then replayed together, one per
 * SIMD lane. A plan waits for its step time until its pipeline has been replayed. */

enum { NNC_ENDS_MAX = 8 };

/* The seconds that each of `stages` consecutive pipeline stages needs after its last pass, for the communication of
 * gradients and the update. */
typedef struct nnc_stage_end {
    int32_t stages;
    double end_s;
} nnc_stage_end;

/* A plan that waits for its step time, because its pipeline has not been replayed yet. */
typedef struct nnc_waiting {
    uint64_t index;
    int64_t memory_bytes;
    bool fits;
    int32_t track, end_count;
    nnc_stage_end ends[NNC_ENDS_MAX]; /* seconds of each stage after its last pass; if all stages end together: one
                                       * entry, for the longest time */
} nnc_waiting;

/* Position of a pipeline that waits for its replay: index of its set of pipelines, and its index (track) within this
 * set. The position is valid until the pipeline has been replayed. */
typedef struct nnc_replay_place {
    int32_t set, track;
    uint64_t number; /* serial number of the set at the time when the pipeline was added to it */
} nnc_replay_place;

/* Type of the function that receives the step time of a plan after its pipeline was replayed together with other
 * pipelines. step_s NaN: the pipeline could not be replayed. */
typedef void nnc_batched_fn(void *context, const nnc_waiting *plan, double step_s);

typedef struct nnc_batched_replay nnc_batched_replay;

/* Creates an empty collection of pipelines for batched replay. After each replay, the collection calls `batched` with
 * `context` for every plan that waited for one of the replayed pipelines. Returns NULL if out of memory. */
nnc_batched_replay *nnc_batched_replay_create(nnc_batched_fn *batched, void *context);
void nnc_batched_replay_destroy(nnc_batched_replay *replay);

/* Tests whether the pipeline of a plan can be replayed together with other pipelines. Returns false for a plan without
 * a pipeline, and for a pipeline with too many stages, chunks or micro-batches. */
bool nnc_batched_replay_takes(const nnc_plan *plan);

/* Adds a pipeline to the set of pipelines with the same schedule, stages, chunks and micro-batches. If the set with
 * this shape is full, replays its pipelines first; `memory` is working memory for the replay. Returns the position of
 * the added pipeline. */
nnc_replay_place nnc_batched_replay_add(nnc_batched_replay *replay, const nnc_pipeline *pipeline,
                                        nnc_pipeline_memory *memory);

/* Tests whether the pipeline at `track` has not been replayed yet, and whether one more plan can wait for its
 * replay. */
bool nnc_batched_replay_has(const nnc_batched_replay *replay, const nnc_replay_place *track);

/* Adds a plan to the plans that wait until the pipeline at `track` is replayed. */
void nnc_batched_replay_wait(nnc_batched_replay *replay, const nnc_replay_place *track, nnc_waiting *plan);

/* Replays all pipelines in the collection that have not been replayed yet. */
void nnc_batched_replay_finish(nnc_batched_replay *replay, nnc_pipeline_memory *memory);

/* ---- plan_group.c, plan_times.c: memory and step time of the plans of a group ---- */

/* State of a worker thread that goes through the plans of a search space, block by block and group by group, and
 * computes memory and step time of each plan. Plans of a group differ only in ZeRO stage and offload, and share most of
 * the computation; see plan_group.c. */
typedef struct nnc_plan_groups nnc_plan_groups;

/* Value of nnc_pass_costs.holds: the resident bytes that the pass stores are valid for every group of plans in which
 * each device has one chunk. */
#define NNC_EVEN_GROUPS UINT64_MAX

typedef struct nnc_pass_costs nnc_pass_costs;
/* Returns which times of segments a plan has: 0 = backward computes weight gradients; 1 = weight gradients are ops of
 * their own; 2 = weight gradients are ops of their own, in dualpipe, and expert communication overlaps with compute. */
int nnc_units_kind(const nnc_plan *plan, const nnc_software *software);

enum {
    NNC_PASSES_MAX = 8,
    /* number of software profiles for which a lower bound of the time is stored; the oldest entry is replaced */
    NNC_PLAIN_BOUNDS = 4,
    /* number of pipeline stages for which a pass stores resident bytes; these are the stages that can need the most
     * memory */
    NNC_PASS_STAGES = 8,
    /* number of plans of a group for which a pass stores the step ends */
    NNC_PASS_PLANS = 32,
};

/* The step ends of one plan of a group, in the same form as in nnc_waiting. */
typedef struct nnc_pass_ends {
    uint64_t pass;        /* serial number of the pass (nnc_pass_costs.number) to which the entry belongs */
    uint64_t held_layers; /* nnc_plan_groups.held_layers of the group for which the entry was computed */
    /* kind of schedule: 0 = backward computes weight gradients; 1 = weight gradients are ops of their own, but not in
     * dualpipe; 3 = dualpipe */
    int32_t kind;
    int32_t end_count;
    nnc_stage_end ends[NNC_ENDS_MAX];
} nnc_pass_ends;

/* Costs of one pass (forward and backward of one micro-batch), which several plans of a block share. After the costs
 * are computed, the ops of the op list are no longer read; its segments, which are equal for all plans of the model,
 * are still read. */
struct nnc_pass_costs {
    nnc_step step;
    const nnc_software *software;
    nnc_lowered *alike; /* lowered op list of the pass; its ops are valid only while the member `listed` of
                         * nnc_plan_groups points to this pass */
    nnc_segment_sums sums[NNC_SEGMENTS_MAX];
    nnc_segment_time units[3][NNC_SEGMENTS_MAX]; /* time of each segment, by nnc_units_kind: units[0] for schedules
                                                  * whose backward computes weight gradients at once; units[1] for
                                                  * schedules with separate weight gradients; units[2] for dualpipe */
    nnc_network network;
    nnc_result work; /* FLOPs and tokens of the pass; its member `plan` is the plan for which the pass was made */
    /* lower bound of the time of one micro-batch in all layers of the model, in seconds; NaN = not computed */
    double least_s;
    double pass_s[3]; /* seconds of one micro-batch in all layers: pass_s[k] is the sum over the segments of units[k] */
    uint64_t number;  /* serial number of the pass, from 1; numbers continue over all blocks of plans */
    uint64_t holds;   /* serial number of the group of plans whose resident bytes `held` stores; 0 = no group;
                       * NNC_EVEN_GROUPS = all groups in which each device has one chunk */
    int32_t held_count;
    int32_t held_stage[NNC_PASS_STAGES]; /* index of the pipeline stage to which each entry of `held` belongs */
    nnc_resident_bytes held[NNC_PASS_STAGES];
    uint64_t layers; /* digest of the layers in the pass's op list */
    bool usable, worked, timed[3];
    bool routed; /* true: `network` has the routes of the pass, although the op list of the pass is not lowered */
    /* true: `sums` come from a smaller micro-batch, because the op list of the pass has not been lowered yet */
    bool guessed;
    double growth;  /* upper bound of (true byte sums of the pass) / `sums`; 1 = `sums` are exact */
    uint64_t edged; /* serial number of the group of plans to which the bytes in `working` belong; 0 = no group */
    int32_t working_count; /* number of entries of `working` that have been computed */
    /* working bytes of the heaviest stages (nnc_plan_groups.heaviest) for the group `edged` */
    double working[NNC_PASS_STAGES];
    /* serial number of the group of plans to which the times in `run` belong; 0 = no group */
    uint64_t group;
    bool runs; /* true: the pipeline of the group `group` could be replayed, so `run` is valid */
    nnc_step_times run;
    /* serial number of the group of plans whose pipeline was added at `track` for a batched replay; 0 = no group */
    uint64_t waits;
    nnc_replay_place track;
    nnc_pass_ends ends[NNC_PASS_PLANS];
};

/* A group of plans that all exceed the memory with one micro-batch size. An entry of groups->full lets the search skip
 * the same group with larger micro-batches. */
typedef struct nnc_full_group {
    /* number, from 1, of the column of blocks to which the group belongs; 0 = the entry is not used */
    uint64_t column;
    int64_t micro_batch; /* size of the micro-batch with which all plans of the group exceed the memory */
    uint64_t legal;      /* number of legal plans in the group */
} nnc_full_group;

/* The known values of the memory of one pipeline stage as a function of its working bytes (activations and the working
 * set of an op), for plans with the same weights on this stage. When working bytes grow, the memory grows or stays
 * equal. */
typedef struct nnc_memory_edge {
    double fits, over; /* fits: the stage fits with up to `fits` working bytes; over: it exceeds the memory from
                        * `over` working bytes up */
    double working;    /* number of working bytes for which `bytes` was computed */
    int64_t bytes;     /* memory of the stage, in bytes, with `working` working bytes; 0 = not computed */
} nnc_memory_edge;

/* Names the pipeline stages for which edges are stored, for one group of plans. */
typedef struct nnc_edge_row {
    uint64_t column; /* number of the column of blocks for which the edges are valid; 0 = no edges are
                                      * stored */
    /* index of the pipeline stage to which each edge belongs; -1 = no edge is stored */
    int32_t stages[NNC_PASS_STAGES];
    /* networks[z][o], with z = 1 for ZeRO stage 3 and o = 1 for offload: number of the last column of blocks for which
     * the device file was found to describe the needed links; set only in the first row of a pipeline degree */
    uint64_t networks[2][2];
} nnc_edge_row;

/* A lower bound of the time of one micro-batch in all layers of the model, and the inputs from which this bound was
 * computed. */
typedef struct nnc_plain_bound {
    nnc_plan plan; /* plan for which the bound was computed, without its recomputation; see nnc_plan_lowering_key */
    const nnc_software *software;
    nnc_route routes[NNC_ROUTES_OF_LAYERS];
    double adds; /* share of micro-batches that add their weight gradients to stored gradients, for which least_s was
                  * computed */
    double least_s;
    uint64_t column;     /* number of the column of blocks for which sample_s is valid; 0 = sample_s is not computed */
    int64_t micro_batch; /* smallest micro-batch size for which sample_s is valid */
    /* lower bound of the time of one sample in all layers of the model, in seconds; see nnc_lowered_floor_s */
    double sample_s;
} nnc_plain_bound;

/* The plan of a block with all defaults set. Blocks that differ only in recomputation share this entry. */
typedef struct nnc_resolved_block {
    /* number, from 1, of the set of blocks to which the block belongs; the blocks of a set differ only in recomputation
     * and pipeline; 0 = the entry is not used */
    uint64_t place;
    bool legal;
    nnc_plan plan;
} nnc_resolved_block;

struct nnc_plan_groups {
    const nnc_model *model;
    const nnc_device *device;
    const nnc_profiles *profiles;
    const nnc_space *space;
    nnc_scratch *scratch;
    int64_t layers;   /* number of layers of the model; 0 = the first block has not begun yet */
    bool counts_ends; /* ends_as_layers of the base plan */
    /* plan of the current group with all defaults set, except ZeRO stage and offload, which differ inside the group */
    nnc_plan settled;
    uint64_t group;       /* serial number of the current group of plans, from 1; numbers continue over all blocks */
    uint64_t group_index; /* index of the current group of plans inside its block */
    /* true: the layers of the current group are divided into stages; layers_now is the digest of these layers */
    bool partitioned;
    uint64_t layers_now; /* digest of the layers that were last divided into pipeline stages */
    /* digest of the layers that each stage of the current group holds and recomputes */
    uint64_t held_layers;
    /* digest of the layers in the op list that was lowered last; 0 = no op list was lowered yet */
    uint64_t layers_last;
    /* true: two software profiles give the model op lists with different layers, as for Swin with torch-compile and
     * with fsdp. If `varied` is true, a pass must not use the op list of another pass, and lowers its own list again if
     * another list was lowered in between. */
    bool varied;
    /* true: `allowed` and `software` are filled in for the current block of plans */
    bool known;
    /* for each pair of ZeRO stage and offload, true = the pair is legal in the current block of plans */
    bool allowed[NNC_SEARCH_VALUES * NNC_SEARCH_VALUES];
    uint64_t allowed_count; /* number of entries of `allowed` that are true */
    const nnc_software *software[NNC_SEARCH_VALUES * NNC_SEARCH_VALUES];
    bool schedules[NNC_SCHEDULE_COUNT]; /* for each schedule, true = at least one framework offers the schedule */
    /* indices of the pipeline stages that can need the most memory in the current group */
    int32_t heaviest[NNC_STAGES_MAX];
    int32_t heaviest_count;
    int64_t limit_bytes; /* largest memory of a plan; a plan over this limit is not used, so its exact memory does not
                          * matter */
    uint64_t made;       /* number of passes (nnc_pass_costs) that have been computed so far */
    nnc_pass_costs passes[NNC_PASSES_MAX];
    int32_t pass_count, pass_next;
    nnc_memo smaller;             /* cache from a plan without its micro-batch (smaller_key) to the byte sums of its
                                   * op list with a smaller micro-batch (smaller_sums); without slots the cache is
                                   * not used */
    const nnc_pass_costs *listed; /* pass whose op list was lowered last; NULL = no op list was lowered yet, or this
                                   * list was replaced */
    nnc_plain_bound
        plain[NNC_PLAIN_BOUNDS]; /* lower bounds of the time, one for each of the last software profiles: ZeRO stages
                                  * can have different profiles */
    int32_t plain_next;          /* index of the entry of `plain` that is replaced next */
    uint64_t column; /* number of the column of the current block: blocks of a column differ only in micro-batch,
                      * recomputation and pipeline */
    /* stored groups whose plans all exceed the memory: one entry for each combination of recomputation, pipeline degree
     * and group of a block; NULL = nothing is stored */
    nnc_full_group *full;
    nnc_resolved_block *resolved; /* one entry for each pipeline degree; NULL = nothing is stored, and every block is
                                   * resolved */
    uint64_t row_first;           /* index of the first entry of `rows` for the current block of plans */
    nnc_full_group *full_block;   /* first of the entries of `full` that belong to the current block of plans */
    nnc_full_group *full_now;     /* entry of `full` for the current group of plans; NULL = the group has no entry */
    nnc_edge_row *rows;           /* one entry for each pair of pipeline degree and group of a block; NULL = no edges
                                   * are used, and the memory of each plan is computed */
    nnc_memory_edge *edges;       /* for each entry of `rows`, NNC_PASS_STAGES edges for each plan of the group */
    nnc_memory_edge *edges_now;   /* entries of `edges` for the current group of plans; NULL = edges are not used */
    bool weighed;                 /* true: the memory of the last plan was computed exactly; false: it is a lower
                                   * bound */
    uint64_t legal_group,
        legal;         /* legal_group: serial number of a group of plans; legal: number of legal plans in this group */
    uint64_t over_now; /* number of plans of the current group that were found to exceed the memory so far */
    /* true: all plans with schedule 1f1b in the current block of plans exceed the memory */
    bool over_1f1b;
    bool scales; /* true: with k times the micro-batch, products and traffic of a pass grow at least k times */
    /* true: at least one schedule of the search computes weight gradients separately from backward, and a framework
     * offers it */
    bool splits;
    /* seconds of each row of the op table, saved before the computation of overlap shortens the times of collectives */
    double rows_s[NNC_ROWS_MAX];
    nnc_batched_replay *replay; /* collects pipelines that are replayed together; NULL = each step time is computed at
                                   * once */
};

/* Creates the caches and the working memory of one worker thread of a search. bounds: true = a lower bound of a plan's
 * memory is enough if it exceeds the limit. limit_bytes: memory limit; for a plan over the limit, the reported memory
 * can be too small, but is always above the limit. batched: function that receives the step times of plans which wait
 * for a batched replay (nnc_plan_groups_wait); can be NULL. Returns NULL if out of memory. */
nnc_plan_groups *nnc_plan_groups_create(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                                        const nnc_space *space, int64_t limit_bytes, bool bounds,
                                        nnc_batched_fn *batched, void *context);
void nnc_plan_groups_destroy(nnc_plan_groups *groups);

/* Begins the evaluation of a block of plans (equal degrees, micro-batch and recomputation). Returns false if no plan of
 * the block is legal; err, which can be NULL, then names the rule that the plans break. */
bool nnc_plan_groups_block(nnc_plan_groups *groups, const nnc_plan *base, uint64_t number, nnc_error *err);

/* Tests whether a framework offers at least one plan of the current block of plans. If no framework offers such a plan,
 * err names the missing option; but err is not set if all schedules of the block only repeat schedules of another
 * block. */
bool nnc_plan_groups_shipped(nnc_plan_groups *groups, nnc_error *err);

/* Begins the evaluation of a group of plans: one schedule with one number of virtual stages. Returns false if no plan
 * of the group is legal, or if its plans are the same as the plans of another group. */
bool nnc_plan_groups_group(nnc_plan_groups *groups, uint64_t group);

/* Returns the number of legal plans in the current group if it is already known that all of these exceed the memory;
 * otherwise returns 0. */
uint64_t nnc_plan_groups_full(nnc_plan_groups *groups);

/* Returns the costs per micro-batch of the plan with index `inside` in the current group, and sets the memory of the
 * plan in result. The memory in `result` is exact, or a lower bound that gives the same verdict (fits or not). Returns
 * NULL if the plan is not legal. */
nnc_pass_costs *nnc_plan_groups_plan(nnc_plan_groups *groups, uint64_t inside, nnc_result *result);

/* Computes the exact memory of the plan for which nnc_plan_groups_plan was called last, unless its memory in result is
 * already exact. Returns false if the op list of the plan cannot be lowered. */
bool nnc_plan_groups_weigh(nnc_plan_groups *groups, nnc_pass_costs *pass, uint64_t inside, nnc_result *result);

/* Replays all pipelines that were collected, so that every waiting plan gets its step time through the function
 * `batched`. */
void nnc_plan_groups_finish(nnc_plan_groups *groups);

const nnc_software *nnc_plan_groups_software(const nnc_pass_costs *pass);

/* Computes the times of the ops of one micro-batch, unless these are already computed. nnc_plan_groups_times must be
 * called before the other functions that return times. The search calls nnc_plan_groups_times only for plans that fit,
 * because most plans exceed the memory and need no times. Returns false if the pass has more ops than the op table can
 * hold. */
bool nnc_plan_groups_times(nnc_plan_groups *groups, nnc_pass_costs *pass, const nnc_plan *plan);

/* Returns a lower bound of the step time, in seconds, that is valid for every schedule: the compute time of all passes
 * of a step, averaged over the devices. */
double nnc_plan_groups_least_s(const nnc_pass_costs *pass, const nnc_plan *plan);

/* Returns a lower bound of the step time, in seconds, for which neither the op list nor the times of the pass are
 * needed: it follows from the products and the traffic of a smaller micro-batch, because products and traffic grow with
 * the micro-batch. Returns 0 if no bound is known. */
double nnc_plan_groups_floor_s(nnc_plan_groups *groups, nnc_pass_costs *pass, const nnc_plan *plan);

/* Returns a lower bound of the step time, in seconds, that leaves out recomputation and the ops that ZeRO adds. The
 * bound is not larger than the bound of nnc_plan_groups_least_s, but needs no times of the pass. Must be called only
 * for a plan that does not exceed the memory. */
double nnc_plan_groups_compute_s(nnc_plan_groups *groups, nnc_pass_costs *pass, const nnc_plan *plan);

/* Computes the step time of a plan of the current group, and writes it to result. Returns false if the pipeline of the
 * plan is too large to replay. */
bool nnc_plan_groups_step(nnc_plan_groups *groups, nnc_pass_costs *pass, nnc_result *result);

/* Lets a plan wait for a batched replay of its pipeline, instead of computing its step time at once as
 * nnc_plan_groups_step does. The caller sets the members index, memory_bytes and fits of `waiting`;
 * nnc_plan_groups_wait sets the other members. Returns false if the plan cannot wait. */
bool nnc_plan_groups_wait(nnc_plan_groups *groups, nnc_pass_costs *pass, uint64_t inside, const nnc_result *result,
                          nnc_waiting *waiting);

/* Sets the FLOPs and tokens of a plan in result. The search calls this function only for the few best plans. */
void nnc_plan_groups_work(nnc_plan_groups *groups, nnc_pass_costs *pass, nnc_result *result);

/* Sets the FLOPs, the tokens and the parts of the step time (forward, backward, communication ...) in result, for the
 * plan whose step time nnc_plan_groups_step computed last. Returns false if the schedule cannot run. */
bool nnc_plan_groups_parts(nnc_plan_groups *groups, nnc_pass_costs *pass, nnc_result *result);

/* ---- searcher.c: the threads of one process that evaluate the blocks of a search ---- */

/* Outcome of the evaluation of some blocks of plans. legal and feasible are numbers of plans before pruning, so they do
 * not depend on the order of evaluation, and their sums over all shards are the numbers of the whole search. evaluated
 * is the number of plans whose step time was computed, pruned the number of plans that were left out. */
typedef struct nnc_search_part {
    nnc_front front;
    uint64_t evaluated, pruned, legal, feasible;
} nnc_search_part;

void nnc_search_part_clear(nnc_search_part *part);
void nnc_search_part_add(nnc_search_part *part, const nnc_search *search, const nnc_search_part *more);

/* Returns the number of blocks of plans in the whole search, or in the shard that `search` names. */
uint64_t nnc_shard_size(const nnc_search *search, const nnc_space *space);

/* A searcher evaluates blocks of plans on threads. nnc_searcher_create returns NULL if out of memory. The arguments of
 * nnc_searcher_create must exist as long as the searcher. */
typedef struct nnc_searcher nnc_searcher;
nnc_searcher *nnc_searcher_create(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                                  const nnc_search *search, const nnc_space *space);
void nnc_searcher_destroy(nnc_searcher *searcher);

/* Evaluates the blocks of plans at the places `first` to `end` - 1 and adds the outcome to *part. After
 * nnc_searcher_work the caller must call nnc_searcher_complete with part->front. Plans are pruned only by comparison
 * with `known`, the front of earlier rounds, so pruning does not depend on the order of threads. */
void nnc_searcher_work(nnc_searcher *searcher, const nnc_front *known, uint64_t first, uint64_t end,
                       nnc_search_part *part);

/* Some plans in `front` have only their index, step time and memory. nnc_searcher_complete computes the other members
 * of these plans. */
void nnc_searcher_complete(nnc_searcher *searcher, nnc_front *front);

/* Tests whether any plan is legal in the block of plans at index `place` of the search or shard. If no plan is legal,
 * err names the rule that the plans break. */
bool nnc_searcher_legal(nnc_searcher *searcher, uint64_t place, nnc_error *err);

/* ---- searcher.c: a search in rounds; other processes can evaluate the blocks of plans of a round ---- */

/* A function that evaluates the blocks of plans of a round in place of nnc_searcher_work, for example on other
 * processes. */
typedef struct nnc_helpers {
    void *context;
    void (*work)(void *context, const nnc_front *known, uint64_t first, uint64_t end, nnc_search_part *part);
} nnc_helpers;

typedef struct nnc_search_watch {
    /* function to which the search reports its progress; it can stop the search; NULL = no function */
    nnc_search_progress_fn *progress;
    void *context;
} nnc_search_watch;

/* Runs a search as nnc_search_run does, but the function helpers->work evaluates the blocks of each round. helpers
 * NULL: the threads of this process evaluate the blocks. */
nnc_status nnc_search_with(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                           const nnc_search *search, const nnc_helpers *helpers, const nnc_search_watch *watch,
                           nnc_search_result *result, nnc_error *err);

/* ---- search_task.c: a search over MPI ranks ---- */

/* A search over MPI ranks. In every round of the search, rank 0 assigns consecutive blocks of plans to the ranks that
 * ask for work, evaluates blocks itself while no rank asks, and merges the outcomes of all ranks. Plans are pruned as
 * in a search in one process. Without MPI there is one rank. */

/* Runs a search as nnc_search_run does, but divides its blocks of plans among all MPI ranks. Rank 0 calls
 * nnc_rank_group_search while every other rank is in nnc_rank_group_search_serve. */
nnc_status nnc_rank_group_search(nnc_rank_group ranks, const nnc_model *model, const nnc_device *device,
                                 const nnc_profiles *profiles, const nnc_search *search, const nnc_search_watch *watch,
                                 nnc_search_result *result, nnc_error *err);

/* Every rank except rank 0 calls nnc_rank_group_search_serve. An MPI rank in this function evaluates blocks for the
 * searches that rank 0 runs with this model, device and training run, until rank 0 calls nnc_rank_group_search_end. */
void nnc_rank_group_search_serve(nnc_rank_group ranks, const nnc_model *model, const nnc_device *device,
                                 const nnc_profiles *profiles, const nnc_run_ask *run, int32_t threads);

/* Rank 0 calls nnc_rank_group_search_end to end nnc_rank_group_search_serve on all other ranks. */
void nnc_rank_group_search_end(nnc_rank_group ranks);

/* ---- search_task.c, search_shard.c: search tasks, their reports, and the merging of shards ---- */

/* The inputs of the command `nncost search`: one or several numbers of devices, and optionally a target step time; for
 * a target, the command also finds the device parameters with which the step takes the target time. */

typedef struct nnc_search_task {
    nnc_rank_group ranks;
    const nnc_model *model;
    const nnc_device *device;
    const nnc_profiles *profiles;
    nnc_search search;
    int32_t *sizes; /* the numbers of devices for which plans are searched, one number after the other */
    /* number of entries of `sizes`; 0: only the number of devices of the base plan is searched */
    int32_t size_count;
    /* target step time in seconds, which changed device parameters shall reach; 0 = the user gave no target */
    double target_step_s;
    /* progress function, which can stop the search early; the report then has only the plans evaluated so far */
    nnc_search_watch watch;
} nnc_search_task;

/* Numbers of plans: in the space, covered by the search, evaluated, pruned, legal, and feasible (legal plans that
 * fit). */
typedef struct nnc_search_total {
    uint64_t space, covered, evaluated, pruned, legal, feasible;
} nnc_search_total;

/* Outcome of a search over the plans with one number of devices. */
typedef struct nnc_search_size {
    int32_t devices;
    nnc_search_total total;
    bool found, any_missed; /* found: best is valid; any_missed: missed is valid (the fastest plan that breaks only
                             * deadline or budget) */
    nnc_found best, missed;
    nnc_error why; /* reason why the search has no legal plan; why.status NNC_OK = at least one plan is legal */
} nnc_search_size;

/* Two probabilities for a plan of a search result: that it is the best plan, and that it runs out of memory. A
 * probability is NaN if the software profile has no measured range from which the probability could be computed. */
typedef struct nnc_sure {
    const nnc_found *found;
    double p_best, p_out_of_memory;
} nnc_sure;

typedef struct nnc_search_report {
    const nnc_model *model; /* model and device of the search; NULL in a report merged from shards */
    const nnc_device *device;
    const char *overrides; /* the values of the options --set, as the user wrote them; NULL = the option was not used */
    nnc_search *search;
    nnc_search_result *result; /* result of the search if only one number of devices was searched */
    const nnc_sure *sure;      /* probabilities of the best plans, one entry for each of them; NULL = not computed */
    int32_t sure_count;
    /* results for the numbers of devices, one entry for each; NULL = only one number was searched */
    nnc_search_size *sizes;
    int32_t size_count, size_asked;
    int32_t fastest, cheapest; /* index into `sizes` of the number of devices with the fastest plan, and with the
                                * cheapest; -1 = no plan found */
    nnc_search_total total;
    /* target step time in seconds, which changed device parameters shall reach; 0 = the user gave no target */
    double target_step_s;
    /* for each device parameter, the value with which the step time is target_step_s */
    nnc_target targets[NNC_PARAMETER_COUNT];
    int target_count;
    double elapsed_s;
    const char *currency; /* currency of the prices in the report; NULL = the report has no price */
    /* text that says how nncost chose the default global batch; NULL or "" = the user gave the global batch */
    const char *batch_chosen;
    bool stopped;  /* true: the progress function stopped the search before it had covered all plans */
    nnc_error why; /* reason why no combination of a shard is legal; status NNC_OK = a legal combination
                               * exists, or the report is no shard */
    /* digest of all inputs of the search except the shard number; NULL = the report is not a shard */
    const char *digest;
} nnc_search_report;

/* Metrics tables of an nnc_search_report, of an nnc_found (one plan), and of the best plan in an nnc_search_size. */
extern const nnc_metrics nnc_search_document, nnc_found_metrics, nnc_size_best_metrics;

#define NNC_SEARCH_SCHEMA "nncost.search/1"

/* Runs a search task and writes its result to a report in the arena. Rank 0 calls this function while the other ranks
 * are in nnc_rank_group_search_serve. Returns the errors of nnc_search_run, with one exception: it is no error if a
 * shard has no legal plan, or if one of several numbers of devices has no legal plan. */
nnc_status nnc_search_task_run(nnc_search_task *task, nnc_arena *arena, nnc_search_report *report, nnc_error *err);

/* Tests whether the search of a report found a plan. */
bool nnc_search_answered(const nnc_search_report *report);

/* Sets report->fastest and report->cheapest to indices of report->sizes: the numbers of devices with the fastest and
 * with the cheapest plan; -1 if no plan was found. */
void nnc_search_rank_sizes(nnc_search_report *report);

/* Computes a digest of all inputs on which the result of a search depends, except the shard number: version of nncost,
 * task, content of the files, and texts. An entry of `files` can be NULL. */
nnc_status nnc_search_digest(const nnc_search_task *task, nnc_specs *specs, const char *const *files, int file_count,
                             const char *const *texts, int text_count, uint64_t *digest, nnc_error *err);

/* ---- search_shard.c: reading and merging shards, which are files written by `nncost search --shard I/N --format json`
 * ---- */

/* Tests whether a file begins with the JSON key "schema", as every shard does. Reads only the first bytes of the file.
 * Returns NNC_IO if the file cannot be read. */
nnc_status nnc_search_shard_is(const char *path, bool *is, nnc_error *err);

/* Merges the shards of a search into the report that the whole search would have written. digest: digest of the
 * expected search; NULL = any search. Returns NNC_BAD_SPEC if a shard is given twice or belongs to another search,
 * NNC_BAD_USAGE if a shard is missing, NNC_ILLEGAL_PLAN if no shard has a legal plan. */
nnc_status nnc_search_merge(nnc_arena *arena, char *const *paths, int count, const char *digest,
                            nnc_search_report *report, nnc_error *err);

#endif
