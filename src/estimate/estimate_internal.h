/* One training step: from a plan to seconds, bytes and money. Reads as estimate.c does:
 *
 *     resolve.c      fills in what the plan leaves open, and checks it
 *     lower.c        model and plan -> op list of one rank, with the communication of ZeRO-3 and offload; op table
 *     partition.c    layers -> pipeline stages: segments that each device holds
 *     overlap.c      rows -> segment times: communication that compute overlaps, time to issue ops
 *     step_end.c     once per step: gradients, sharded weights, optimizer
 *     step.c         segment times -> the pipeline schedule -> step time, its parts, its work, its timeline; one op alone
 *     bounds.c       lower bound (ideal step) and upper bound (no overlap)
 *     estimate.c     the story, then rates, cost and interval
 *     derive_step.c  lines of explain that are sums over rows or segments
 *     advise.c, changes.c, fitting.c, sensitivity.c    many estimates: plans that fit, faster or smaller plans, the
 *                    largest size that fits, the effect of device parameters
 *
 * A file calls files above it in this list, never below; derive_step.c calls none. */
#ifndef NNCOST_ESTIMATE_ESTIMATE_INTERNAL_H
#define NNCOST_ESTIMATE_ESTIMATE_INTERNAL_H

#include <nncost/estimate.h>

#include "base/derivation.h"
#include "cost/cost_internal.h"
#include "pipeline/pipeline_internal.h"
#include "shape/shape_internal.h"

/* ---- resolve.c: a whole and legal plan ---- */

/* Reads and checks a plan of any struct_size; NULL = the default plan. */
nnc_status nnc_plan_read(const nnc_plan *given, nnc_plan *plan, nnc_error *err);

/* Arguments of a public function after they were read and checked. */
typedef struct nnc_estimate_args {
    nnc_plan plan;
    const nnc_software *software;
    nnc_software neutral; /* software points here if the caller gave none */
} nnc_estimate_args;

/* function: name of the public function, for errors. software NULL = the neutral profile. */
nnc_status nnc_estimate_args_read(const char *function, const nnc_model *model, const nnc_device *device,
                                  const nnc_software *software, const nnc_plan *plan, nnc_estimate_args *asked,
                                  nnc_error *err);

/* Resolves a plan that nnc_plan_read read: precision, policy, degrees, batch, schedule. NNC_ILLEGAL_PLAN: err names
 * the option and the rule. */
nnc_status nnc_plan_resolve_read(const nnc_plan *plan, const nnc_model *model, const nnc_device *device,
                                 nnc_plan *resolved, nnc_error *err);

/* The same for a profile, which may have no fused attention. */
nnc_status nnc_plan_resolve_for(const nnc_plan *plan, const nnc_model *model, const nnc_device *device,
                                const nnc_software *software, nnc_plan *resolved, nnc_error *err);

/* Checks a resolved plan after its schedule or its virtual stages changed; other fields do not depend on them.
 * layers: of the model. */
nnc_status nnc_plan_resolve_schedule(nnc_plan *plan, const nnc_model *model, int64_t layers, nnc_error *err);

/* ---- partition.c: layers of pipeline stages ---- */

enum { NNC_STAGES_MAX = NNC_PIPELINE_STAGES_MAX, NNC_VIRTUAL_STAGES_MAX = NNC_PIPELINE_VIRTUAL_MAX };

/* Instances of each segment on one virtual stage. */
typedef struct nnc_stage_layers {
    int64_t instances[NNC_SEGMENTS_MAX];
} nnc_stage_layers;

/* Virtual stages in the order in which a micro-batch meets them. Layers are distributed evenly; the first stages get
 * one more if they do not divide. Embedding and head go to the ends. */
typedef struct nnc_stage_partition {
    int32_t stages, virtual_stages; /* devices of the pipeline; virtual stages in all */
    int32_t segments;
    nnc_stage_layers shares[NNC_VIRTUAL_STAGES_MAX];
    bool alike[NNC_VIRTUAL_STAGES_MAX]; /* true: holds the same as the virtual stage before; false: unknown */
} nnc_stage_partition;

void nnc_partition_layers(const nnc_op_list *list, const nnc_plan *plan, nnc_stage_partition *partition);

/* Device of a virtual stage: round robin when interleaved, down and back up for zb-v. */
int32_t nnc_partition_device(const nnc_plan *plan, int32_t virtual_stage);

/* Layers of a stage that full recomputation runs again. */
int64_t nnc_recomputed_layers(const nnc_plan *plan, const nnc_op_list *list, int32_t segment, int64_t instances);

/* ---- overlap.c: seconds of one instance of a segment ---- */

/* Seconds of one instance of a segment in one pass: compute and exposed communication of each part (forward, backward,
 * recompute), and their sums. weight_s is the part of backward_s that computes weight gradients. */
enum { NNC_PASS_PARTS = NNC_PART_RECOMPUTE + 1 };
typedef struct nnc_segment_time {
    double forward_s, backward_s, weight_s, recompute_s;
    double compute_s[NNC_PASS_PARTS];
    double exposed_s[NNC_PASS_PARTS][NNC_COMM_COUNT];
    double host_s[NNC_PASS_PARTS]; /* time that issuing the ops adds */
    /* Time left per lane to overlap further communication with: compute, and exposed communication of other lanes. */
    double free_s[NNC_PASS_PARTS][NNC_LANES];
} nnc_segment_time;

/* Share of each kind of communication that overlaps with compute, in [0, 1]. */
typedef struct nnc_overlap {
    double share[NNC_COMM_COUNT];
    double tensor_backward; /* share that overlaps, of tensor-parallel collectives in backward
                             * passes */
    double context_ahead;   /* share that overlaps, of communication that attention waits for
                             * before it starts */
    double ring_share;      /* share of the attention: blocks that run while another block
                             * travels */
    bool weight_apart;      /* weight gradients run at another time: nothing overlaps with them */
} nnc_overlap;
nnc_overlap nnc_overlap_of(const nnc_plan *plan, const nnc_software *software);

/* Overlaps communication with the compute of the same segment and phase; blocks of ring attention overlap with the
 * attention first. An exposed collective keeps its row's time, an overlapped one loses it: t = C + N - share min(C,
 * N). [overlap] */
void nnc_rows_overlap(nnc_rows *rows, const nnc_op_list *list, const nnc_network *network, const nnc_overlap *overlap,
                      nnc_derivation *why);

/* Host time to issue an op, and to issue each product of a group that a library launches one by one. */
typedef struct nnc_launch {
    double op_s, product_s, kernel_s; /* host time of an op; of a product; of each kernel of an
                                       * issued op */
    bool recorded_attention;          /* norms and attention cost nothing: they are recorded and replayed */
} nnc_launch;
static inline double nnc_launch_of_op_s(const nnc_launch *launch, const nnc_op *op)
{
    if (launch->kernel_s > 0.0) {
        return launch->kernel_s * nnc_op_issued(op).kernels;
    }
    const double products = op->kind == NNC_OP_MATMUL ? (double)op->u.matmul.experts : 0.0;
    if (launch->recorded_attention && (op->group == NNC_GROUP_ATTENTION || op->group == NNC_GROUP_NORM)) {
        return 0.0;
    }
    return launch->op_s + (products > 1.0 ? products * launch->product_s : 0.0);
}

/* Sums the rows of each segment into the times of one instance and pass. The host issues one op after the other while
 * the device works: a part takes
 *     (device^4 + host^4)^(1/4)
 * and host_s is the part above the device's time.   [launch] */
void nnc_segment_times_sum(const nnc_rows *rows, const nnc_op_list *list, const nnc_network *network,
                           const nnc_launch *launch, nnc_segment_time units[NNC_SEGMENTS_MAX], nnc_derivation *why);

/* ---- a step ---- */

enum { NNC_STEP_EXCHANGES_MAX = 12 };

/* Seconds of the step end of one device: exposed seconds of each collective in order, and of the update. */
typedef struct nnc_step_end_seconds {
    nnc_comm comm[NNC_STEP_EXCHANGES_MAX];
    double exposed_s[NNC_STEP_EXCHANGES_MAX], update_s;
    int exchanges;
} nnc_step_end_seconds;

/* Everything that a step is computed from. */
typedef struct nnc_step {
    const nnc_device *device;
    const nnc_plan *plan;
    const nnc_software *software;
    const nnc_op_list *list;      /* ops of one rank */
    const nnc_segment_sums *sums; /* sums of the segments of the list */
    const nnc_network *network;   /* NULL on one device */
    double tied_params;           /* tied parameters of one rank: a table at both ends of a
                                   * pipeline, else 0 */
    nnc_launch launch;
    double send_bytes;                /* activations that one stage sends to the next, one
                                       * micro-batch */
    double send_s;                    /* seconds of that message; 0 without a pipeline */
    bool free[NNC_BOUND_COUNT];       /* resources that cost nothing, for a step without them */
    const struct nnc_step_ends *ends; /* step end of each stage */
    nnc_derivation *why;              /* NULL: the step is not explained */
} nnc_step;

/* Does a kernel of its own add the gradients of a pass to those before? In captured programs autograd does so. */
static inline bool nnc_step_adds_gradients(const nnc_step *step)
{
    return step->software->added_gradients || step->list->recorded;
}

/* Working memory of a step. */
typedef struct nnc_step_memory {
    nnc_stage_partition partition;
    nnc_stage_residency holdings[NNC_STAGES_MAX];
    bool alike[NNC_STAGES_MAX]; /* holds the same as the stage before */
    nnc_stage stages[NNC_STAGES_MAX];
    nnc_pipeline_memory pipeline;
    nnc_pipeline_result run;
    const nnc_step_end_seconds *ends[NNC_STAGES_MAX]; /* step ends of the stages; equal stages
                                                       * share one */
    nnc_step_end_seconds own_ends[NNC_STAGES_MAX];
    double delay_s; /* delay of the step by messages between stages */
    double forward_s[NNC_VIRTUAL_STAGES_MAX], backward_s[NNC_VIRTUAL_STAGES_MAX], weight_s[NNC_VIRTUAL_STAGES_MAX];
    double send_s; /* send time of the last run */
    int64_t runs;  /* so far */
} nnc_step_memory;

/* Passes over the segments that a device holds. DualPipe sends half of the micro-batches through each of its two
 * stages. */
static inline int64_t nnc_step_passes(const nnc_plan *plan)
{
    return plan->micro_batches / (nnc_schedule_dual(plan) ? 2 : 1);
}

/* Ranks that hold the same shard of dense (NNC_ROUTE_SHARD) or of expert parameters. */
static inline int32_t nnc_shard_replicas(const nnc_plan *plan, nnc_route_kind route, double shards)
{
    const int32_t same =
        route == NNC_ROUTE_SHARD ? plan->data * plan->context : nnc_plan_expert_ranks(plan) / plan->expert;
    return same / (int32_t)shards;
}

static inline nnc_route_kind nnc_replica_route(nnc_route_kind route)
{
    return route == NNC_ROUTE_SHARD ? NNC_ROUTE_REPLICA : NNC_ROUTE_EXPERT_REPLICA;
}

/* Seconds of an op that does not communicate, without the resources that are free. */
static inline double nnc_step_free_s(const nnc_step *step, double compute_s, double memory_s, double fixed_s)
{
    const double compute = step->free[NNC_BOUND_COMPUTE] ? 0.0 : compute_s;
    const double memory = step->free[NNC_BOUND_MEMORY] ? 0.0 : memory_s;
    return nnc_max(compute, memory) + (step->free[NNC_BOUND_HOST] ? 0.0 : fixed_s);
}

/* partition.c: distributes the layers; fills m->holdings and m->alike. */
void nnc_step_partition(const nnc_step *step, nnc_step_memory *m);
/* The same for another number of micro-batches, all else unchanged: sets the micro-batches in flight. Returns whether
 * they stayed the same; false where chunks of a device differ, as their peak may move. */
bool nnc_step_partition_again(const nnc_step *step, nnc_step_memory *m);
/* Sets the micro-batches in flight of a device whose chunks keep different amounts, after the sums are known. */
void nnc_step_find_peak(const nnc_step *step, nnc_step_memory *m, int32_t device);

/* overlap.c: overlaps communication in the rows and sums them. */
void nnc_step_segment_times(const nnc_step *step, nnc_rows *rows, nnc_segment_time units[NNC_SEGMENTS_MAX]);

/* ---- step_end.c: once per step ---- */

/* Time of one device that communication of the step end can overlap with, per lane: compute, time to issue ops, and
 * communication of other lanes, minus what overlaps already. Of one pass over the device's segments. */
typedef struct nnc_overlap_window {
    double forward_s[NNC_LANES], backward_s[NNC_LANES];
    double bucket_bytes, table_share; /* bucket of the dense gradients; share of the first table in
                                   * it */
    double unit_share;                /* share of one unit if units are the buckets; else 0 */
    double shards, expert_shards;     /* shards of the gradients of a replica */
} nnc_overlap_window;

/* Exposed seconds of a collective of the step end that takes N = exchange_s in a lane, with a window of t seconds to
 * overlap with: gradients leave in buckets, a share f each, when their layers are done; the last bucket, a share l,
 * may be a whole table:
 *     max(t + l N, N + f t) - t     for the share that overlaps, N for the rest.
 * Source: PyTorch DDP arXiv:2006.15704.   [bucketed-overlap] */
double nnc_cluster_exposed_s(const nnc_collective_op *exchange, double exchange_s, double share, nnc_lane lane,
                             const nnc_overlap_window *window);

/* Work of one device after its last backward: communication, then the update. times, exchange_s: without overlap, no
 * resource free. */
typedef struct nnc_step_end {
    nnc_op exchanges[NNC_STEP_EXCHANGES_MAX];
    double exchange_s[NNC_STEP_EXCHANGES_MAX];
    int exchange_count;
    nnc_op updates[NNC_UPDATE_KIND_COUNT];
    nnc_work works[NNC_UPDATE_KIND_COUNT];
    nnc_timing times[NNC_UPDATE_KIND_COUNT];
    int update_count;
} nnc_step_end;

/* Trained parameters of a device. Together with plan, software and network they determine its step end. */
typedef struct nnc_step_end_params {
    nnc_parameters dense, expert;
    double tied_params;
} nnc_step_end_params;
nnc_step_end_params nnc_step_end_params_of(const nnc_step *step, const nnc_stage_residency *holding);
void nnc_step_end_find(const nnc_step *step, const nnc_step_end_params *held, nnc_step_end *t);

/* The step ends of all stages; equal stages share one. */
typedef struct nnc_step_ends {
    const nnc_step_end *of[NNC_STAGES_MAX];
    nnc_step_end own[NNC_STAGES_MAX]; /* memory is touched only for stages that differ */
} nnc_step_ends;
void nnc_step_ends_find(const nnc_step *step, const nnc_step_memory *m, nnc_step_ends *ends);

/* Seconds of the step end of one device. */
nnc_step_end_seconds nnc_step_end_expose(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                                         const nnc_stage_residency *holding, const nnc_overlap *overlap,
                                         const nnc_step_end *t);
/* Sets m->ends, exchange_s and update_s of a stage; of a stage that equals the one before. */
void nnc_step_end_set(nnc_step_memory *m, int32_t d, const nnc_step_end_seconds *seconds);
void nnc_step_end_set_alike(nnc_step_memory *m, int32_t d);
/* Sets the step end of every stage. The functions of a step time below need them. */
void nnc_step_ends_set(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], const nnc_overlap *overlap,
                       nnc_step_memory *m);

/* Adds the exposed and the update seconds of one device to the result. */
void nnc_step_end_add(const nnc_step_end_seconds *seconds, nnc_result *r);

/* Appends the step end of one stage to its rows. */
void nnc_step_end_append(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], const nnc_step_memory *m,
                         int32_t stage, const nnc_overlap *overlap, nnc_rows *rows);

/* ---- step.c: the step time ---- */

/* The passes of a step, run through the schedule. */
typedef struct nnc_step_times {
    double total_s; /* time of all passes */
    double send_s;  /* exposed seconds of a message between stages */
    int64_t run;    /* value of m->runs */
    int32_t stage;  /* the busiest */
} nnc_step_times;

/* Times the step. rows: the op table of one micro-batch on a rank that holds every layer. On return they are the rows
 * of the busiest stage over the whole step, with its step end appended, and the result has the times. spare: buffer
 * for as many rows. false: the pipeline is too large to replay.   [step] */
bool nnc_step_time(const nnc_step *step, nnc_rows *rows, nnc_rows *spare, nnc_step_memory *m, nnc_result *result);

/* The parts of nnc_step_time, which a search calls one by one. Seconds of each virtual stage and of messages between
 * stages, in m: */
void nnc_step_core_times(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], nnc_step_memory *m);
/* The passes through the schedule; false: the pipeline is too large to replay. */
bool nnc_step_core_run(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], nnc_step_memory *m,
                       nnc_step_times *times);
/* The step time of a pipeline: the time of the stage whose passes and step end take longest. */
double nnc_step_core_s(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                       const nnc_step_times *times, nnc_step_memory *m);
/* The step time and its parts: the busiest stage's, exposed communication, bubble. */
bool nnc_step_core_parts(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                         const nnc_step_times *times, nnc_step_memory *m, nnc_result *r);

/* Runs the schedule over the segment times into m->run; without a pipeline, passes follow each other. */
bool nnc_step_run(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], double send_s,
                  nnc_step_memory *m);
/* The pipeline of the last run. Points into m. */
nnc_pipeline nnc_step_pipeline(const nnc_plan *plan, const nnc_step_memory *m);
/* Device with the longest busy time of m->run, the lowest on a tie. */
int32_t nnc_step_busiest(const nnc_step_memory *m, int32_t stages);
/* Fills m->stages from the last run, except memory and step end. */
void nnc_step_describe(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], nnc_step_memory *m);
/* Keeps the share of one device in the rows, repeated over the step. */
void nnc_step_restrict(const nnc_step *step, const nnc_stage_residency *holding, nnc_rows *rows);
/* Sets the largest and the second largest bound of the step. */
void nnc_step_rank(nnc_result *r);
/* Sets the message between stages and its seconds. */
void nnc_step_set_send(nnc_step *step, double send_bytes);
/* Seconds of one message from stage to stage; 0 if the network is free. */
double nnc_step_send_s(const nnc_step *step);

/* Sums by part of the step and by group of ops. */
typedef struct nnc_group_sums {
    double sums[NNC_PARTS][NNC_GROUP_COUNT];
} nnc_group_sums;

/* FLOPs of one micro-batch: the executed ones, and those that the plan's convention counts. */
typedef struct nnc_pass_work {
    double counted[NNC_PASS_PARTS], causal; /* counted: in the convention of the plan */
    nnc_group_sums groups;                  /* only when the step is explained */
} nnc_pass_work;

/* Share of the instances of each segment that full recomputation runs again, over all stages. Returns whether that is
 * all of them, or none. */
bool nnc_step_recomputed(const nnc_step *step, const nnc_step_memory *m, double shares[NNC_SEGMENTS_MAX]);
/* Model FLOPs of the rows of one micro-batch over all tensor, context and expert ranks; of the step into the result.
 * */
void nnc_step_pass_work(const nnc_step *step, const nnc_rows *rows, const double again[NNC_SEGMENTS_MAX],
                        nnc_pass_work *work);
void nnc_step_work(const nnc_step *step, const nnc_pass_work *work, nnc_result *r);
/* Both at once. */
void nnc_step_count_work(const nnc_step *step, const nnc_rows *rows, const nnc_step_memory *m, nnc_result *r);
/* Executed FLOPs of all ranks, from the rows of one rank; replicated work counts each time. */
void nnc_step_executed(const nnc_step *step, const nnc_rows *rows, const nnc_step_memory *m, nnc_result *r);

/* ---- bounds.c: the lower and the upper bound of the step time ---- */

typedef enum nnc_engine { NNC_ENGINE_MATRIX, NNC_ENGINE_VECTOR, NNC_ENGINE_MEMORY, NNC_ENGINES } nnc_engine;

/* A step in ideal mode: every efficiency 1, fixed costs 0, norms and pointwise ops fused into their neighbours, all
 * communication overlapped. Each engine has a step of its own, bubble included; the busiest engine decides. The vector
 * engine counts 0 if its rate is not published. A link that is busier than every engine adds the difference as exposed
 * communication. The parts add up to step_s. */
typedef struct nnc_ideal {
    double step_s;
    nnc_engine engine;
    int32_t stage;
    double forward_s, backward_s, recompute_s, update_s, exposed_comm_s, bubble_s;
    double engine_s[NNC_ENGINES], network_s; /* network_s: time of the busiest fabric */
    nnc_fabric fabric;
} nnc_ideal;

/* Seconds of one instance of each segment in one pass: on each engine alone, and serial, with compute, memory and
 * network one after the other. rows: the untouched op table of one micro-batch on a rank that holds every layer. */
typedef struct nnc_bound_segment_times {
    nnc_segment_time engine[NNC_ENGINES][NNC_SEGMENTS_MAX];
    nnc_segment_time serial[NNC_SEGMENTS_MAX];
} nnc_bound_segment_times;
void nnc_bound_segment_times_sum(const nnc_step *step, const nnc_rows *rows, nnc_bound_segment_times *units);

/* false: the pipeline is too large to replay. */
bool nnc_ideal_step(const nnc_step *step, const nnc_rows *rows, const nnc_bound_segment_times *units,
                    nnc_step_memory *m, nnc_ideal *ideal);

/* Records which engine decides a lower bound; the time of one row in an ideal step. */
void nnc_ideal_say(const nnc_ideal *ideal, nnc_derivation *why);
void nnc_ideal_say_row(const nnc_ideal *ideal, const nnc_device *device, const nnc_op_cost *row, nnc_derivation *why);

/* Leaves the rows of the ideal step in rows, its times in the result and its stages in m. */
void nnc_ideal_rows(const nnc_step *step, const nnc_ideal *ideal, nnc_rows *rows, nnc_step_memory *m, nnc_result *r);

/* The step at the same rates with no overlap of compute, memory and network. Negative: too large to replay. */
double nnc_upper_bound(const nnc_step *step, const nnc_bound_segment_times *units, double send_s, nnc_step_memory *m);

/* ---- derive_step.c: lines of explain ---- */

/* Lines from here on belong to a row of the op table; to the step again. No effect if why is NULL. */
static inline void nnc_say_of_row(nnc_derivation *why, int32_t row)
{
    NNC_WHEN(why, nnc_say_of(why, "#%d", (int)row));
}

static inline void nnc_say_of_step(nnc_derivation *why)
{
    NNC_WHEN(why, nnc_say_of(why, "%s", ""));
}

/* "host.1.forward": of one instance of a segment in one part of a pass. */
enum { NNC_SAY_NAME = 64 };
void nnc_say_name(const char *what, int32_t segment, nnc_part part, char name[NNC_SAY_NAME]);

/* Degrees and batch of a plan as operands. */
void nnc_say_plan(const nnc_plan *plan, nnc_derivation *why);
/* Parameters by part of the network, and each part by its ops. */
void nnc_say_params(const nnc_op_list *list, const nnc_result *r, nnc_derivation *why);
/* Sums over groups of ops; over the parts of the step. */
void nnc_say_groups(const nnc_group_sums *groups, nnc_part part, const char *name, double result, nnc_derivation *why);
void nnc_say_parts(const double sums[NNC_PARTS], const char *name, const char *unit, double result,
                   nnc_derivation *why);
/* Lines of the busiest stage before its rows exist: time to issue ops, exposed communication. */
void nnc_say_step(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                  const nnc_stage_residency *holding, const nnc_result *r);
/* Sums over the rows of the step: its parts, communication, traffic; its bounds. */
void nnc_say_rows(const nnc_rows *rows, const nnc_result *r, nnc_derivation *why);
void nnc_say_bounds(const nnc_rows *rows, const nnc_result *r, nnc_derivation *why);
/* Without a pipeline: the upper bound as a sum. With a pipeline: the bubble in closed form. */
void nnc_say_serial(const nnc_step *step, const nnc_rows *rows, const nnc_result *r);
void nnc_say_equal_stages(const nnc_step *step, const nnc_stage *busiest);

/* ---- lower.c: op list and op table of one rank ---- */

/* The cache key of an op list: the plan fields that affect it. Other fields are cleared, so a list cannot depend on
 * them. */
nnc_plan nnc_plan_lowering_key(const nnc_plan *plan);
/* How a plan is lowered: formats, and the kernel that adds weight gradients. */
nnc_lowering nnc_lowering_of(const nnc_plan *plan, const nnc_software *software, nnc_attention attention);
/* The same, from the key of the list, which is left in `seen`. */
nnc_lowering nnc_lowering_seen(const nnc_plan *plan, const nnc_software *software, nnc_plan *seen);

/* Equal bytes are equal values. */
static inline bool nnc_same_bytes(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

/* The links of a plan and the launch cost: a step without its list. */
nnc_status nnc_step_begin(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                          const nnc_plan *plan, nnc_network *network, nnc_step *step, nnc_error *err);
/* Sets the list of a step, and all that the step reads from it. */
void nnc_step_set_list(nnc_step *step, const nnc_op_list *list, const nnc_lowering *how,
                       const nnc_segment_sums sums[NNC_SEGMENTS_MAX]);
/* Adds the communication of ZeRO-3 and offload to a list of one rank, and a table at both ends of a pipeline to its
 * sums. */
void nnc_finish_list(nnc_op_list *list, const nnc_lowering *how, nnc_segment_sums sums[NNC_SEGMENTS_MAX]);
/* Sizes of the whole model, from the list before sharding. */
void nnc_describe_model(const nnc_model *model, const nnc_op_list *whole, const nnc_step *step, nnc_result *r);
/* Is the list of one rank the list of the model? */
bool nnc_plan_is_whole(const nnc_plan *plan);

/* Refuses a list whose tensors or parameters exceed the arithmetic. */
nnc_status nnc_check_list(const nnc_op_list *list, const nnc_model *model, nnc_error *err);
/* Shards a list over ranks, sums its segments, and adds the communication of ZeRO-3 and offload. */
void nnc_split_list(nnc_op_list *list, const nnc_lowering *how, nnc_segment_sums sums[NNC_SEGMENTS_MAX]);

/* ---- estimate.c: the story, and its working memory ---- */

typedef nnc_status nnc_estimate_fn(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                                   const nnc_plan *plan, nnc_scratch *scratch, nnc_result *result, nnc_error *err);

struct nnc_scratch {
    nnc_op_list list;  /* the ops of one rank */
    nnc_op_list ideal; /* the same model, ideally fused, if that differs */
    nnc_rows rows;
    nnc_rows ideal_rows;
    nnc_network network;
    nnc_step_memory step;
    nnc_step_ends ends, ideal_ends;
    const nnc_rows *shown; /* the rows of the last result */
    int32_t stages;        /* stages of the last result */
    nnc_plan plan;         /* the last plan and profile that were checked */
    nnc_software software;
    nnc_result result;                 /* for a program whose nnc_result has another size */
    nnc_ideal bound;                   /* the lower bound of the last result; in ideal mode its step */
    bool brief;                        /* estimates leave out bounds and everything that needs the rows of a whole step:
                     * NaN */
    bool fits_only;                    /* and a plan that does not fit may have no times: NaN */
    bool workless;                     /* and FLOPs need not be counted: they may be 0 */
    nnc_derivation *why;               /* estimates record their formulas here; NULL = nowhere */
    nnc_estimate_fn *estimate;         /* nnc_estimate_once, or a function with the same results */
    struct nnc_estimate_cache *shared; /* caches of that function; nnc_estimate_once does not
                                        * read them */
    void *load;                        /* memory of a simulated load; serving reads and writes it */
    size_t load_bytes;
};

/* ---- changes.c: changes that make a plan faster or smaller ---- */

/* A plan with other options. */
typedef struct nnc_plan_change {
    char options[256]; /* options to append to the command; "" = no change */
    double step_s, samples_per_s, cost_step;
    double gain; /* samples_per_s over that of the plan */
    int64_t total_bytes, global_batch;
    nnc_verdict verdict;
    bool adapters; /* it trains adapters instead of all weights */
} nnc_plan_change;

enum { NNC_PLAN_CHANGES_MAX = 20 };

typedef struct nnc_plan_changes {
    nnc_plan_change list[NNC_PLAN_CHANGES_MAX]; /* one option each, by samples per second, the fastest first */
    nnc_plan_change together;                   /* the best options at once; options "" = fewer than two help */
    int32_t count, tries;                       /* tries: estimates */
} nnc_plan_changes;

typedef struct nnc_plan_change_ask {
    const nnc_model *model;
    const nnc_device *device;
    const nnc_profiles *profiles;
    const nnc_software *others[2]; /* profiles to change to: compiled, channels last; NULL = none */
    const nnc_plan *plan;          /* as given, without defaults */
    bool quick;                    /* try only the moves that matter most, each alone */
} nnc_plan_change_ask;

/* Tries the changes with at most a few hundred estimates; quick: a few tens. Returns their number; 0 as well when the
 * plan itself is illegal. */
int nnc_plan_changes_find(const nnc_plan_change_ask *ask, nnc_scratch *scratch, nnc_plan_changes *found);

/* At least this many bytes at scratch->load; NULL: out of memory. Those of a simulation of 10,000 requests are there from
 * the start. */
void *nnc_scratch_load(nnc_scratch *scratch, size_t bytes);

/* One estimate, from arguments that were read into a result of full size. */
nnc_estimate_fn nnc_estimate_once;

/* Has the model the number of parameters that its file states, within the rounding of published numbers? Adapters and heads
 * of further tokens come on top. */
bool nnc_is_as_published(const nnc_result *r, const nnc_model *model);
/* ---- fitting.c: what fits on a device; how far a plan can be divided ---- */

typedef struct nnc_remedy {
    char options[96];     /* options to add to the command line */
    int64_t micro_batch;  /* the largest micro-batch that fits with the remedy */
    int64_t total_bytes;  /* values at the micro-batch of the answer; at this micro-batch if nothing
                      * fits without the remedy */
    double step_s;        /* likewise */
    double samples_per_s; /* rate at the largest micro-batch */
} nnc_remedy;

enum { NNC_REMEDIES_MAX = 16 };

typedef struct nnc_fitting {
    int64_t micro_batch, micro_batch_tight; /* the largest micro-batch that fits; the largest
                                             * that may fit; 0 = none */
    int64_t seq_len;                        /* the longest sequence that fits at the micro-batch of the plan; 0 = none,
                      * or images */
    int64_t lora_rank;                      /* likewise the largest rank; 0 = none, or no adapters */
    int64_t layers;                         /* likewise the deepest decoder; 0 = none, or another model */
    int64_t margin_bytes;                   /* between the least and the most that measured peaks may be */
    nnc_result result;                      /* result with the largest micro-batch that fits; else of the plan */
    nnc_remedy remedies[NNC_REMEDIES_MAX];
    int32_t remedy_count;
} nnc_fitting;

/* Sizes by memory alone, times for the answer and for each remedy that fits. Errors: those of nnc_estimate. */
nnc_status nnc_fitting_find(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                            const nnc_plan *plan, nnc_scratch *scratch, nnc_fitting *fit, nnc_error *err);

/* Sets only the two micro-batches of the answer. */
void nnc_fitting_micro_batches(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                               const nnc_plan *plan, nnc_scratch *scratch, int64_t *fits, int64_t *tight);

/* Axes of a plan whose limit can be asked for. */
#define NNC_LIMIT_LIST(X)                                                                                        \
    X(NNC_LIMIT_TENSOR, "tensor", "The largest tensor degree that the network does not bound.")                  \
    X(NNC_LIMIT_CONTEXT, "context", "The largest context degree, likewise.")                                     \
    X(NNC_LIMIT_DATA, "data", "The fewest tokens (images) per device and step that the network does not bound.") \
    X(NNC_LIMIT_BATCH, "batch", "The fewest tokens (images) per device and step that compute bounds.")
NNC_ENUM(nnc_limit, NNC_LIMIT_LIST, NNC_LIMIT_COUNT);
const char *nnc_limit_name(nnc_limit value);
const char *nnc_limit_help(nnc_limit value);

/* A plan that was tried: the least time that each resource takes, and the resource that takes longest. */
typedef struct nnc_limit_point {
    double size; /* the degree; tokens or images of one device in a step */
    int64_t micro_batch, seq_len;
    double compute_s, memory_s, network_s, step_s;
    nnc_bound bound;
    nnc_verdict verdict;
} nnc_limit_point;

enum { NNC_LIMIT_POINTS_MAX = 96 };
typedef struct nnc_limit_answer {
    nnc_limit of;
    double limit;      /* a size of the points; NaN = no point is on the right side */
    const char *stop;  /* the bound beyond the limit; "plan": no such plan is legal; NULL: no bound among
               * the tried plans */
    nnc_error why;     /* error of the first plan that is not legal, when stop is "plan" */
    nnc_result result; /* result at the limit; without a limit, of the last plan */
    nnc_limit_point points[NNC_LIMIT_POINTS_MAX]; /* by size */
    int32_t count;
} nnc_limit_answer;

/* Degrees: every legal one is tried. Tokens: doubled until the answer changes, then bisected; below one sequence they
 * are a shorter one. All under one profile. Errors: those of nnc_estimate; NNC_ILLEGAL_PLAN: data without ranks. */
nnc_status nnc_limit_find(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                          const nnc_plan *plan, nnc_limit of, nnc_scratch *scratch, nnc_limit_answer *answer,
                          nnc_error *err);

/* The memory of the fullest stage, its verdict and the resolved plan; no times. */
nnc_estimate_fn nnc_estimate_memory;
/* Calls scratch->estimate. */
nnc_estimate_fn nnc_estimate_read;

/* The parts of nnc_estimate_once, for memo/. Clears the result. */
void nnc_estimate_begin(nnc_scratch *scratch, nnc_result *r);
/* Memory, step ends, bounds and step of the table in scratch->rows. */
nnc_status nnc_estimate_time(const nnc_model *model, nnc_step *step, nnc_scratch *scratch, nnc_result *r,
                             nnc_error *err);
/* Is a brief estimate enough, and possible? */
bool nnc_estimate_is_brief(const nnc_scratch *scratch, const nnc_plan *plan);
nnc_status nnc_estimate_time_parts(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                                   nnc_scratch *scratch, nnc_result *r, nnc_error *err);
/* Rates, money and energy; refuses numbers beyond the arithmetic. */
nnc_status nnc_estimate_untimed(const nnc_model *model, nnc_result *r, nnc_error *err);
nnc_status nnc_estimate_finish(const nnc_model *model, const nnc_device *device, const nnc_step *step, nnc_result *r,
                               nnc_error *err);

/* Memory of every stage; the result has the fullest. fullest: no other stage is needed, so a stage like the one before
 * with no more in flight is left out. */
void nnc_stage_memory(const nnc_step *step, const nnc_model *model, bool fullest, nnc_step_memory *m, nnc_result *r);

/* Rates and utilisation from the work and the step time. */
void nnc_utilisation(nnc_result *r, nnc_derivation *why);
/* Device-hours, money and energy from the rates, of the whole run if its length is given. Energy counts the power
 * limit of the device. */
void nnc_run_cost(const nnc_device *device, nnc_result *r, nnc_derivation *why);
/* Price of a device-hour: the plan's, else the newest of the device file; NaN = not known. */
double nnc_price_of(const nnc_plan *plan, const nnc_device *device);

/* ---- step.c: the timeline of the step that was timed last ---- */

/* ---- step.c: one op alone ---- */

enum { NNC_SINGLE_OP_DIMS_MAX = 8 };

/* A question and its answer. NaN where a number does not apply. */
typedef struct nnc_single_op {
    const char *kind;                     /* "matmul" */
    const char *kernel;                   /* kernel of attention: flash, cudnn, efficient, math;
                                           * NULL = not attention */
    const char *layout;                   /* layout of a convolution: channels_last, contiguous;
                                           * NULL = no convolution */
    bool unmasked;                        /* attention without a mask */
    int64_t dims[NNC_SINGLE_OP_DIMS_MAX]; /* dims in the order of the kind */
    int32_t dim_count;
    double bytes; /* full tensor of a collective */
    nnc_dtype precision;
    int32_t devices, devices_per_node;
    char shape[96];
    double flops, moved_bytes; /* moved: bytes read and written, or sent by one rank */
    double flops_per_byte, ridge_flops_per_byte;
    double bound_s;                                         /* at datasheet rates */
    double compute_s, memory_s, fixed_s, network_s, time_s; /* predicted */
    double flops_per_s, bytes_per_s;                        /* rates at the predicted time */
    double peak_share;                                      /* share of the rate that bounds it */
    nnc_bound bound;
    const char *link; /* link of a collective */
} nnc_single_op;

/* One operator of PyTorch by name: copy, add, cast, gelu, softmax, norm, loss (with loss-fp32 on a cast of the logits),
 * optimizer, embedding, over rows x columns values. false: no such operator. */
bool nnc_streaming_op(const char *name, int64_t rows, int64_t columns, nnc_dtype dtype, nnc_op *op);

/* Fills in the answer. NNC_BAD_USAGE: an unknown kind, or wrong dims. */
nnc_status nnc_single_op_time(const nnc_device *device, nnc_single_op *alone, nnc_error *err);

#endif
