/* One training step: from a plan to seconds, bytes and money. The files are in the order in which estimate.c calls
 * them:
 *
 *     resolve.c      fills in what the plan leaves open, and checks it
 *     lower.c        model and plan -> op list of one rank, with the communication of ZeRO-3 and offload; op table
 *     partition.c    layers -> pipeline stages: segments that each device holds
 *     overlap.c      rows -> segment times: communication that compute overlaps, time to issue ops
 *     step_end.c     once per step: gradients, sharded weights, optimizer
 *     step.c         segment times -> the pipeline schedule -> step time, its parts, work and timeline; one op alone
 *     bounds.c       lower bound (ideal step) and upper bound (no overlap)
 *     estimate.c     one whole estimate, then rates, cost and interval
 *     derive_step.c  lines of explain that are sums over rows or segments
 *     advise.c, changes.c, fitting.c, sensitivity.c    many estimates: plans that fit, faster or smaller plans, the
 *                    largest size that fits, the effect of device parameters
 *
 * A file calls only files above it in this list; derive_step.c calls no file of the list. */
#ifndef NNCOST_ESTIMATE_ESTIMATE_INTERNAL_H
#define NNCOST_ESTIMATE_ESTIMATE_INTERNAL_H

#include <nncost/estimate.h>

#include "base/derivation.h"
#include "cost/cost_internal.h"
#include "pipeline/pipeline_internal.h"
#include "shape/shape_internal.h"

/* ---- resolve.c: completes and checks a plan ---- */

/* Reads and checks a plan of any struct_size; NULL = the default plan. */
nnc_status nnc_plan_read(const nnc_plan *given, nnc_plan *plan, nnc_error *err);

/* Arguments of a public function after they were read and checked. */
typedef struct nnc_estimate_args {
    nnc_plan plan;
    const nnc_software *software;
    nnc_software neutral; /* `software` points here if the caller gave no profile */
} nnc_estimate_args;

/* Reads and checks the arguments of a public function. function: name of the public function, for errors. software
 * NULL = the neutral profile. */
nnc_status nnc_estimate_args_read(const char *function, const nnc_model *model, const nnc_device *device,
                                  const nnc_software *software, const nnc_plan *plan, nnc_estimate_args *asked,
                                  nnc_error *err);

/* Full recomputation includes the other flags. */
static inline unsigned nnc_plan_recompute(unsigned recompute) {
    return (recompute & NNC_RECOMPUTE_FULL) != 0 ? NNC_RECOMPUTE_FULL : recompute;
}

/* Fills in what a plan leaves open, after nnc_plan_read: precision, policy, degrees, batch, schedule.
 * NNC_ILLEGAL_PLAN: err names the option and the rule. */
nnc_status nnc_plan_resolve_read(const nnc_plan *plan, const nnc_model *model, const nnc_device *device,
                                 nnc_plan *resolved, nnc_error *err);

/* If the profile has no fused attention, changes "flash" of a resolved plan to "unfused", except with context
 * parallelism. */
void nnc_plan_set_attention(nnc_plan *plan, const nnc_software *software);

/* Fills in what a plan leaves open as nnc_plan_resolve_read does, under a given software profile. If the profile has no
 * fused attention, "flash" becomes unfused. */
nnc_status nnc_plan_resolve_for(const nnc_plan *plan, const nnc_model *model, const nnc_device *device,
                                const nnc_software *software, nnc_plan *resolved, nnc_error *err);

/* Checks a resolved plan after a change of its schedule or virtual stages; other fields do not depend on these. layers:
 * number of layers of the model. */
nnc_status nnc_plan_resolve_schedule(nnc_plan *plan, const nnc_model *model, int64_t layers, nnc_error *err);

/* The inputs of an estimate of a changed plan; the pointers may point to the members own_*. */
typedef struct nnc_variant {
    const nnc_plan *plan;
    const nnc_model *model;
    const nnc_software *software;
    nnc_plan own_plan;
    nnc_model own_model;
    nnc_software own_software;
} nnc_variant;

/* Completes plans as the framework release that the user named. complete: gets in *variant a plan that a change of
 * `base` has made (own_plan) and its model (own_model). Sets the fields that neither the user nor the change sets, and
 * own_software. Returns false if the release is faulty. */
typedef struct nnc_completer {
    bool (*complete)(const void *in, const nnc_plan *base, nnc_variant *variant);
    const void *in;
} nnc_completer;

/* Completes a variant, whose plan is made by a change of `base`, if the profiles are those of a release. */
bool nnc_variant_complete(nnc_variant *variant, const nnc_profiles *profiles, const nnc_plan *base);

/* ---- partition.c: layers of pipeline stages ---- */

enum { NNC_STAGES_MAX = NNC_PIPELINE_STAGES_MAX, NNC_VIRTUAL_STAGES_MAX = NNC_PIPELINE_VIRTUAL_MAX };

/* Number of instances of each segment on one virtual stage. */
typedef struct nnc_stage_layers {
    int64_t instances[NNC_SEGMENTS_MAX];
} nnc_stage_layers;

/* Virtual stages in the order in which a micro-batch passes them. Layers are distributed evenly. Layers that are left
 * over go to the first stages, one each. The first stage also gets the embedding, the last the head. */
typedef struct nnc_stage_partition {
    int32_t stages, virtual_stages; /* stages: number of pipeline devices; virtual_stages: number of virtual stages
                                     * on all devices */
    int32_t segments;
    nnc_stage_layers shares[NNC_VIRTUAL_STAGES_MAX];
    bool alike[NNC_VIRTUAL_STAGES_MAX]; /* true: equal to the virtual stage before; false: unknown */
} nnc_stage_partition;

void nnc_partition_layers(const nnc_op_list *list, const nnc_plan *plan, nnc_stage_partition *partition);

/* Returns the device of a virtual stage. Interleaved stages go round the devices; stages of zb-v go down and back
 * up. */
int32_t nnc_partition_device(const nnc_plan *plan, int32_t virtual_stage);

/* Returns how many layers of a segment backward runs again; 0 without full recomputation. instances: number of layers
 * of each segment on a virtual stage. The first layers of the stage run again; if kinds of layers alternate, each kind
 * runs the same share of its layers again. */
int64_t nnc_recomputed_layers(const nnc_plan *plan, const nnc_op_list *list, int32_t segment,
                              const int64_t instances[NNC_SEGMENTS_MAX]);

/* ---- overlap.c: seconds of one instance of a segment ---- */

/* NNC_PASS_PARTS: parts of a pass (forward, backward, recompute). nnc_segment_time: seconds of one instance of a
 * segment in one pass: compute and exposed communication of each part, and their sums; weight_s is the part of
 * backward_s that weight gradients take. */
enum { NNC_PASS_PARTS = NNC_PART_RECOMPUTE + 1 };
typedef struct nnc_segment_time {
    double forward_s, backward_s, weight_s, recompute_s;
    double compute_s[NNC_PASS_PARTS];
    double exposed_s[NNC_PASS_PARTS][NNC_COMM_COUNT];
    double host_s[NNC_PASS_PARTS]; /* seconds by which a part gets longer because the host has to issue the ops */
    /* Time left in each lane that further communication can overlap with: compute, and exposed communication of other
     * lanes. */
    double free_s[NNC_PASS_PARTS][NNC_LANES];
} nnc_segment_time;

/* Shares of communication that overlap with compute, in [0, 1]. */
typedef struct nnc_overlap {
    double share[NNC_COMM_COUNT];
    double tensor_backward; /* overlapped share of tensor-parallel collectives in backward */
    double context_ahead;   /* overlapped share of communication that attention waits for before it starts */
    double ring_share;      /* share of the attention time that ring transfers can overlap with: the time of all
                             * blocks of keys but the last */
    bool weight_apart;      /* weight gradients run at another time, so no communication overlaps with them */
} nnc_overlap;
nnc_overlap nnc_overlap_of(const nnc_plan *plan, const nnc_software *software);

/* Overlaps communication with the compute of the same segment and phase. Transfers of ring attention overlap with
 * the attention first. The row of a collective keeps only its exposed seconds:
 *     t = C + N - share min(C, N)
 * for compute C and communication N. [overlap] */
void nnc_rows_overlap(nnc_rows *rows, const nnc_op_list *list, const nnc_network *network, const nnc_overlap *overlap,
                      nnc_derivation *why);

/* Host time to issue an op. A library may launch each product of a group separately. */
typedef struct nnc_launch {
    double op_s, product_s, kernel_s; /* host time: op_s of an op, product_s of one product of a group, kernel_s of
                                       * one kernel of an issued op */
    bool recorded_attention; /* true: norms and attention take no host time, because they are recorded and replayed */
} nnc_launch;
static inline double nnc_launch_of_op_s(const nnc_launch *launch, const nnc_op *op) {
    if (launch->kernel_s > 0.0) { return launch->kernel_s * nnc_op_issued(op).kernels; }
    const double products = op->kind == NNC_OP_MATMUL ? (double)op->u.matmul.experts : 0.0;
    /* an op without a kernel runs in the kernel of another op */
    if (op->issued_as == NNC_ISSUED_INSTEAD && nnc_op_issued(op).kernels < 1.0) { return 0.0; }
    if (launch->recorded_attention && (op->group == NNC_GROUP_ATTENTION || op->group == NNC_GROUP_NORM)) { return 0.0; }
    return launch->op_s + (products > 1.0 ? products * launch->product_s : 0.0);
}

/* Sums the rows of each segment into the times of one instance and pass. The host issues one op after the other while
 * the device works, so a part takes
 *     (device^4 + host^4)^(1/4)
 * host_s is the part of this time above the device's time.   [launch] */
void nnc_segment_times_sum(const nnc_rows *rows, const nnc_op_list *list, const nnc_network *network,
                           const nnc_launch *launch, nnc_segment_time units[NNC_SEGMENTS_MAX], nnc_derivation *why);

/* ---- a step ---- */

enum { NNC_STEP_EXCHANGES_MAX = 12 };

/* Seconds of the step end of one device: exposed seconds of each collective in order, and seconds of the update. */
typedef struct nnc_step_end_seconds {
    nnc_comm comm[NNC_STEP_EXCHANGES_MAX];
    double exposed_s[NNC_STEP_EXCHANGES_MAX], update_s;
    int exchanges;
} nnc_step_end_seconds;

/* All inputs from which a step is computed. */
typedef struct nnc_step {
    const nnc_device *device;
    const nnc_plan *plan;
    const nnc_software *software;
    const nnc_op_list *list;      /* ops of one rank */
    const nnc_segment_sums *sums; /* sums of the segments of the list */
    const nnc_network *network;   /* routes of the plan; NULL = one device */
    double tied_params;           /* tied embedding parameters of one rank if both pipeline ends hold them, else 0 */
    nnc_launch launch;
    double send_bytes;                /* bytes of activations of one micro-batch that a stage sends to the next */
    double send_s;                    /* seconds to send send_bytes to the next stage; 0 without a pipeline */
    bool free[NNC_BOUND_COUNT];       /* resources that are assumed to take no time, to find the step without them */
    const struct nnc_step_ends *ends; /* step end of each stage */
    nnc_derivation *why;              /* derivation that records the formulas of the step; NULL = the step is not
                                       * explained */
} nnc_step;

/* Tests whether a separate kernel adds the gradients of each micro-batch to the sum. In captured programs autograd runs
 * this kernel. */
static inline bool nnc_step_adds_gradients(const nnc_step *step) {
    return step->software->added_gradients || step->list->recorded;
}

/* Working memory of a step. */
typedef struct nnc_step_memory {
    nnc_stage_partition partition;
    nnc_stage_residency holdings[NNC_STAGES_MAX];
    bool alike[NNC_STAGES_MAX]; /* true: the stage equals the stage before */
    nnc_stage stages[NNC_STAGES_MAX];
    nnc_pipeline_memory pipeline;
    nnc_pipeline_result run;
    /* step end of each stage; equal stages point to the same struct */
    const nnc_step_end_seconds *ends[NNC_STAGES_MAX];
    nnc_step_end_seconds own_ends[NNC_STAGES_MAX];
    double delay_s; /* delay of the step by messages between stages */
    double forward_s[NNC_VIRTUAL_STAGES_MAX], backward_s[NNC_VIRTUAL_STAGES_MAX], weight_s[NNC_VIRTUAL_STAGES_MAX];
    double send_s; /* send time of the last replay */
    int64_t runs;  /* number of replays so far */
} nnc_step_memory;

/* Returns the number of passes over the segments of a device. DualPipe sends half of the micro-batches through each of
 * the two stages of a device. */
static inline int64_t nnc_step_passes(const nnc_plan *plan) {
    return plan->micro_batches / (nnc_schedule_dual(plan) ? 2 : 1);
}

/* Returns the number of ranks that hold the same shard of the parameters outside experts (route NNC_ROUTE_SHARD) or of
 * the parameters of experts (other routes). */
static inline int32_t nnc_shard_replicas(const nnc_plan *plan, nnc_route_kind route, double shards) {
    const int32_t same =
        route == NNC_ROUTE_SHARD ? plan->data * plan->context : nnc_plan_expert_ranks(plan) / plan->expert;
    return same / (int32_t)shards;
}

static inline nnc_route_kind nnc_replica_route(nnc_route_kind route) {
    return route == NNC_ROUTE_SHARD ? NNC_ROUTE_REPLICA : NNC_ROUTE_EXPERT_REPLICA;
}

/* Returns the seconds of an op that does not communicate. Resources in step->free take no time. */
static inline double nnc_step_free_s(const nnc_step *step, double compute_s, double memory_s, double fixed_s) {
    const double compute = step->free[NNC_BOUND_COMPUTE] ? 0.0 : compute_s;
    const double memory = step->free[NNC_BOUND_MEMORY] ? 0.0 : memory_s;
    return nnc_max(compute, memory) + (step->free[NNC_BOUND_HOST] ? 0.0 : fixed_s);
}

/* Distributes the layers over the stages: fills m->holdings and m->alike. Defined in partition.c. */
void nnc_step_partition(const nnc_step *step, nnc_step_memory *m);
/* Sets the micro-batches in flight of every device after a change of the number of micro-batches alone. Returns true if
 * all these numbers are the same as before and the chunks of every device are equal, so that no memory changes. Unequal
 * chunks give false, because the peak of such a device may then come at another time. */
bool nnc_step_partition_again(const nnc_step *step, nnc_step_memory *m);
/* Sets the micro-batches in flight of a device whose chunks keep different amounts. Needs the segment sums. */
void nnc_step_find_peak(const nnc_step *step, nnc_step_memory *m, int32_t device);

/* Overlaps communication in the rows, then sums the rows of each segment. Defined in overlap.c. */
void nnc_step_segment_times(const nnc_step *step, nnc_rows *rows, nnc_segment_time units[NNC_SEGMENTS_MAX]);

/* ---- step_end.c: communication and update, once per step ---- */

/* Time of one device in each lane that communication of the step end can overlap with, in one pass: compute, time to
 * issue ops, and communication of other lanes, minus time that already overlaps with other communication. */
typedef struct nnc_overlap_window {
    double forward_s[NNC_LANES], backward_s[NNC_LANES];
    double bucket_bytes, table_share; /* bucket_bytes: bytes of a gradient bucket; table_share: share of the gradients
                                       * outside experts that belongs to the embedding table of the first segment */
    double unit_share;                /* share of all gradients in one ZeRO-3 unit if each unit is a bucket; 0 = buckets
                                       * by size */
    double shards, expert_shards;     /* number of ranks that divide gradients. shards: for gradients outside experts of
                                       * one replica; expert_shards: for gradients of experts */
} nnc_overlap_window;

/* Returns the exposed seconds of a collective of the step end. The collective takes N = exchange_s in its lane and can
 * overlap with a window of t seconds. Gradients are sent in buckets as soon as their layers are done; each bucket holds
 * the share f of the gradients. The last bucket may hold a whole embedding table, and then has a larger share l:
 *     o min(max(t + l N, N + f t) - t, N) + (1 - o) N     o: share of the collective that may overlap
 * Source: PyTorch DDP arXiv:2006.15704.   [bucketed-overlap] */
double nnc_cluster_exposed_s(const nnc_collective_op *exchange, double exchange_s, double share, nnc_lane lane,
                             const nnc_overlap_window *window);

/* Work of one device after its last backward: communication, then the update, with times without overlap. */
typedef struct nnc_step_end {
    nnc_op exchanges[NNC_STEP_EXCHANGES_MAX];
    double exchange_s[NNC_STEP_EXCHANGES_MAX];
    int exchange_count;
    nnc_op updates[NNC_UPDATE_KIND_COUNT];
    nnc_work works[NNC_UPDATE_KIND_COUNT];
    nnc_timing times[NNC_UPDATE_KIND_COUNT];
    int update_count;
} nnc_step_end;

/* Trained parameters of a device. With the plan, the profile and the network they determine its step end. */
typedef struct nnc_step_end_params {
    nnc_parameters dense, expert;
    double tied_params;
} nnc_step_end_params;
nnc_step_end_params nnc_step_end_params_of(const nnc_step *step, const nnc_stage_residency *holding);
void nnc_step_end_find(const nnc_step *step, const nnc_step_end_params *held, nnc_step_end *t);

/* The step ends of all stages; equal stages point to the same step end. */
typedef struct nnc_step_ends {
    const nnc_step_end *of[NNC_STAGES_MAX];
    nnc_step_end own[NNC_STAGES_MAX]; /* step ends; of several equal stages, only the entry of the first is written */
} nnc_step_ends;
void nnc_step_ends_find(const nnc_step *step, const nnc_step_memory *m, nnc_step_ends *ends);

/* Returns the seconds of the step end of one device, with overlap. */
nnc_step_end_seconds nnc_step_end_expose(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                                         const nnc_stage_residency *holding, const nnc_overlap *overlap,
                                         const nnc_step_end *t);
/* Sets m->ends, exchange_s and update_s of stage d. nnc_step_end_set_alike copies them from the stage before. */
void nnc_step_end_set(nnc_step_memory *m, int32_t d, const nnc_step_end_seconds *seconds);
void nnc_step_end_set_alike(nnc_step_memory *m, int32_t d);
/* Sets the seconds of the step end of every stage in *m, from which the functions of step.c compute the step time. */
void nnc_step_ends_set(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], const nnc_overlap *overlap,
                       nnc_step_memory *m);

/* Adds the exposed and the update seconds of one device to the result. */
void nnc_step_end_add(const nnc_step_end_seconds *seconds, nnc_result *r);

/* Appends the rows of the step end of one stage to the op table of the stage. */
void nnc_step_end_append(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], const nnc_step_memory *m,
                         int32_t stage, const nnc_overlap *overlap, nnc_rows *rows);

/* ---- step.c: the step time ---- */

/* Times of all passes of a step in the pipeline schedule. */
typedef struct nnc_step_times {
    double total_s; /* seconds of all passes */
    double send_s;  /* exposed seconds of one message between stages */
    int64_t run;    /* number of the replay that gave these times; see m->runs */
    int32_t stage;  /* index of the stage with the longest busy time */
} nnc_step_times;

/* Times the step. rows is the op table of one micro-batch on a rank that holds every layer. On return it has the rows
 * of the busiest stage over the whole step, with the rows of its step end appended, and the result has the times. spare
 * is a buffer for as many rows. Returns false if the pipeline is too large to replay.   [step] */
bool nnc_step_time(const nnc_step *step, nnc_rows *rows, nnc_rows *spare, nnc_step_memory *m, nnc_result *result);

/* Sets in m the seconds of each virtual stage and of messages between stages. This is the first part of nnc_step_time;
 * a search calls the parts one by one. */
void nnc_step_core_times(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], nnc_step_memory *m);
/* Runs all passes through the schedule. Returns false if the pipeline is too large to replay. */
bool nnc_step_core_run(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], nnc_step_memory *m,
                       nnc_step_times *times);
/* Returns the step time of a pipeline: passes plus step end of the stage that takes longest. */
double nnc_step_core_s(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                       const nnc_step_times *times, nnc_step_memory *m);
/* Sets in the result the step time and its parts: times of the busiest stage, exposed communication, bubble. Returns
 * false if the schedule cannot run. */
bool nnc_step_core_parts(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                         const nnc_step_times *times, nnc_step_memory *m, nnc_result *r);

/* Runs the schedule over the segment times into m->run; without a pipeline, passes follow each other. Returns false if
 * the schedule cannot run. */
bool nnc_step_run(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], double send_s,
                  nnc_step_memory *m);
/* Returns the pipeline of the last replay. It points into m. */
nnc_pipeline nnc_step_pipeline(const nnc_plan *plan, const nnc_step_memory *m);
/* Returns the device with the longest busy time in m->run; of equal devices the first. */
int32_t nnc_step_busiest(const nnc_step_memory *m, int32_t stages);
/* Fills m->stages from the last replay, except memory and times of the step end. */
void nnc_step_describe(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], nnc_step_memory *m);
/* Keeps only the rows that one device runs, with their repeats over the whole step. */
void nnc_step_restrict(const nnc_step *step, const nnc_stage_residency *holding, nnc_rows *rows);
/* Sets the largest and the second largest bound of the step. */
void nnc_step_rank(nnc_result *r);
/* Sets the bytes of a message between stages, and its seconds. */
void nnc_step_set_send(nnc_step *step, double send_bytes);
/* Returns the seconds of one message from stage to stage; 0 if step->free contains the network. */
double nnc_step_send_s(const nnc_step *step);

/* FLOPs of one micro-batch, for each part of the step and each group of ops. */
typedef struct nnc_group_sums {
    double sums[NNC_PARTS][NNC_GROUP_COUNT];
} nnc_group_sums;

/* FLOPs of one micro-batch, counted by the convention of the plan. causal: FLOPs of forward and backward, where
 * attention counts only the pairs that its mask leaves. */
typedef struct nnc_pass_work {
    double counted[NNC_PASS_PARTS], causal; /* counted: one sum for each part of the pass */
    nnc_group_sums groups;                  /* counted FLOPs by part and group of ops; only if the step is explained */
} nnc_pass_work;

/* Sets the share of the instances of each segment that backward runs again, over all stages; 1 without full
 * recomputation. Returns true if full recomputation is off, or runs all instances again. */
bool nnc_step_recomputed(const nnc_step *step, const nnc_step_memory *m, double shares[NNC_SEGMENTS_MAX]);
/* Counts the model FLOPs of one micro-batch over all tensor, context and expert ranks. */
void nnc_step_pass_work(const nnc_step *step, const nnc_rows *rows, const double again[NNC_SEGMENTS_MAX],
                        nnc_pass_work *work);
void nnc_step_work(const nnc_step *step, const nnc_pass_work *work, nnc_result *r);
/* Calls nnc_step_recomputed and nnc_step_pass_work, and sets the FLOPs of the step in the result. */
void nnc_step_count_work(const nnc_step *step, const nnc_rows *rows, const nnc_step_memory *m, nnc_result *r);
/* Sets the executed FLOPs of all ranks, from the rows of one rank. Replicated work counts on each rank. */
void nnc_step_executed(const nnc_step *step, const nnc_rows *rows, const nnc_step_memory *m, nnc_result *r);

/* ---- bounds.c: the lower and the upper bound of the step time ---- */

typedef enum nnc_engine { NNC_ENGINE_MATRIX, NNC_ENGINE_VECTOR, NNC_ENGINE_MEMORY, NNC_ENGINES } nnc_engine;

/* A step in ideal mode: every efficiency is 1, fixed costs are 0, norms and pointwise ops are fused into their
 * neighbours, all communication overlaps. Each engine (matrix, vector, memory) has its own step time, bubble included;
 * the longest is used. The vector engine takes no time if its rate is not published. If a link is busier than every
 * engine, the difference counts as exposed communication. The parts add up to step_s. */
typedef struct nnc_ideal {
    double step_s;
    nnc_engine engine;
    int32_t stage;
    double forward_s, backward_s, recompute_s, update_s, exposed_comm_s, bubble_s;
    double engine_s[NNC_ENGINES], network_s; /* network_s: seconds that the busiest fabric works */
    nnc_fabric fabric;
} nnc_ideal;

/* Seconds of one instance of each segment in one pass: on each engine alone, and serial, with compute, memory and
 * network one after the other. Computed from the op table of one micro-batch on a rank that holds every layer, before
 * overlap. */
typedef struct nnc_bound_segment_times {
    nnc_segment_time engine[NNC_ENGINES][NNC_SEGMENTS_MAX];
    nnc_segment_time serial[NNC_SEGMENTS_MAX];
} nnc_bound_segment_times;
void nnc_bound_segment_times_sum(const nnc_step *step, const nnc_rows *rows, nnc_bound_segment_times *units);

/* Computes the ideal step. Returns false if the pipeline is too large to replay. */
bool nnc_ideal_step(const nnc_step *step, const nnc_rows *rows, const nnc_bound_segment_times *units,
                    nnc_step_memory *m, nnc_ideal *ideal);

/* nnc_ideal_say records which engine decides the lower bound; nnc_ideal_say_row records the time of one row in the
 * ideal step. */
void nnc_ideal_say(const nnc_ideal *ideal, nnc_derivation *why);
void nnc_ideal_say_row(const nnc_ideal *ideal, const nnc_device *device, const nnc_op_cost *row, nnc_derivation *why);

/* Changes `rows` to the op table of the ideal step (see nnc_ideal), and writes the times of this step to *r and its
 * pipeline stages to *m. */
void nnc_ideal_rows(const nnc_step *step, const nnc_ideal *ideal, nnc_rows *rows, nnc_step_memory *m, nnc_result *r);

/* Returns the step time at the predicted rates without overlap of compute, memory and network. Returns a negative
 * number if the pipeline is too large to replay. */
double nnc_upper_bound(const nnc_step *step, const nnc_bound_segment_times *units, double send_s, nnc_step_memory *m);

/* ---- derive_step.c: lines of explain ---- */

/* nnc_say_of_row: the following lines belong to a row of the op table. nnc_say_of_step: the following lines
 * belong to the step again. Both functions do nothing if why is NULL. */
static inline void nnc_say_of_row(nnc_derivation *why, int32_t row) { NNC_WHEN(why, nnc_say_of(why, "#%d", (int)row)); }

static inline void nnc_say_of_step(nnc_derivation *why) { NNC_WHEN(why, nnc_say_of(why, "%s", "")); }

/* Size of the buffer for a name such as "host.1.forward": `what`, segment 1, part forward. */
enum { NNC_SAY_NAME = 64 };
void nnc_say_name(const char *what, int32_t segment, nnc_part part, char name[NNC_SAY_NAME]);

/* Records degrees and batch of a plan as operands. */
void nnc_say_plan(const nnc_plan *plan, nnc_derivation *why);
/* Records the parameter counts as sums over groups of ops, and the count of each group as a sum over its ops. */
void nnc_say_params(const nnc_op_list *list, const nnc_result *r, nnc_derivation *why);
/* nnc_say_groups records the FLOPs of one part of a pass as a sum over groups of ops; nnc_say_parts records a value as
 * a sum over parts. */
void nnc_say_groups(const nnc_group_sums *groups, nnc_part part, const char *name, double result, nnc_derivation *why);
void nnc_say_parts(const double sums[NNC_PARTS], const char *name, const char *unit, double result,
                   nnc_derivation *why);
/* Records lines of the busiest stage that need no rows: time to issue ops, exposed communication. */
void nnc_say_step(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                  const nnc_stage_residency *holding, const nnc_result *r);
/* Record sums over rows. nnc_say_rows: parts, communication and traffic of the step; nnc_say_bounds: its bounds. */
void nnc_say_rows(const nnc_rows *rows, const nnc_result *r, nnc_derivation *why);
void nnc_say_bounds(const nnc_rows *rows, const nnc_result *r, nnc_derivation *why);
/* nnc_say_serial records the upper bound as a sum, for plans without a pipeline. nnc_say_equal_stages records the
 * bubble in closed form, for plans with a pipeline. */
void nnc_say_serial(const nnc_step *step, const nnc_rows *rows, const nnc_result *r);
void nnc_say_equal_stages(const nnc_step *step, const nnc_stage *busiest);

/* ---- lower.c: op list and op table of one rank ---- */

/* Returns the key of an op list in the cache of memo/: the plan with only the fields that affect the list. All other
 * fields are cleared, so a list cannot depend on them. */
nnc_plan nnc_plan_lowering_key(const nnc_plan *plan);
/* Returns the rules for lowering a plan: formats, and whether a separate kernel adds weight gradients. */
nnc_lowering nnc_lowering_of(const nnc_plan *plan, const nnc_software *software, nnc_attention attention);
/* Sets *seen to the lowering key of the plan (nnc_plan_lowering_key), and returns the rules for lowering *seen. They
 * equal the rules that nnc_lowering_of returns for the plan. */
nnc_lowering nnc_lowering_seen(const nnc_plan *plan, const nnc_software *software, nnc_plan *seen);

/* Tests whether two blocks of `size` bytes are equal byte by byte; equal bytes have equal values. */
static inline bool nnc_same_bytes(const void *a, const void *b, size_t size) { return memcmp(a, b, size) == 0; }

/* Begins a step: finds the links of the plan and the launch cost. nnc_step_set_list then sets the op list. */
nnc_status nnc_step_begin(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                          const nnc_plan *plan, nnc_network *network, nnc_step *step, nnc_error *err);
/* Sets the list of a step, and all fields of the step that follow from the list. */
void nnc_step_set_list(nnc_step *step, const nnc_op_list *list, const nnc_lowering *how,
                       const nnc_segment_sums sums[NNC_SEGMENTS_MAX]);
/* Adds the communication of ZeRO-3 and offload to the list of one rank. If both ends of a pipeline hold the tied
 * embedding table, also adds its second copy to the sums. */
void nnc_finish_list(nnc_op_list *list, const nnc_lowering *how, nnc_segment_sums sums[NNC_SEGMENTS_MAX]);
/* Sets parameters and tokens of the whole model in the result, from the op list before sharding. */
void nnc_describe_model(const nnc_model *model, const nnc_op_list *whole, const nnc_step *step, nnc_result *r);
/* Tests whether the plan divides no op. The list of one rank is then the list of the model. */
bool nnc_plan_is_whole(const nnc_plan *plan);

/* Refuses a list whose tensors or parameters are too large for the arithmetic. */
nnc_status nnc_check_list(const nnc_op_list *list, const nnc_model *model, nnc_error *err);
/* Shards a list over ranks, sums its segments, and adds the communication of ZeRO-3 and offload. */
void nnc_split_list(nnc_op_list *list, const nnc_lowering *how, nnc_segment_sums sums[NNC_SEGMENTS_MAX]);

/* ---- estimate.c: one estimate, and its working memory ---- */

typedef nnc_status nnc_estimate_fn(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                                   const nnc_plan *plan, nnc_scratch *scratch, nnc_result *result, nnc_error *err);

struct nnc_scratch {
    nnc_op_list list;  /* op list of one rank */
    nnc_op_list ideal; /* op list of the same model with ideal fusion, if it differs */
    nnc_rows rows;
    nnc_rows ideal_rows;
    nnc_network network;
    nnc_step_memory step;
    nnc_step_ends ends, ideal_ends;
    const nnc_rows *shown; /* op table of the last result */
    int32_t stages;        /* number of stages of the last result */
    nnc_plan plan;         /* the last plan and profile that passed the checks */
    nnc_software software;
    nnc_result result;                 /* buffer for the result, used if the caller's nnc_result has another size */
    nnc_ideal bound;                   /* lower bound of the last result; in ideal mode also the step of this result */
    bool brief;                        /* true: the estimate leaves out bounds and all values that need the rows of a
                                        * whole step (NaN) */
    bool fits_only;                    /* true (only with brief): plans that do not fit get no times (NaN) */
    bool verdict_only;                 /* true (only with fits_only): plans that do not fit may get only a verdict */
    bool untimed;                      /* true (only with brief): all plans get only their memory, no other value */
    bool workless;                     /* true, with brief: FLOPs need not be counted; they may be 0 */
    uint32_t lists;                    /* number of op lists that are kept for later plans: 1, 2 or 4; 0 = one list, but
                                        * the first estimate of a model keeps none */
    nnc_derivation *why;               /* estimates record their formulas here; NULL = not recorded */
    nnc_estimate_fn *estimate;         /* nnc_estimate_once, or another function with equal results */
    struct nnc_estimate_cache *shared; /* caches that the function behind `estimate` uses; nnc_estimate_once does not */
    void *load;                        /* memory of a simulated serving load; serve/ reads and writes it */
    size_t load_bytes;
};

/* ---- changes.c: changes that make a plan faster or smaller ---- */

/* Options that change a plan, and the time, memory and gain of the changed plan. */
typedef struct nnc_plan_change {
    char options[256]; /* options to append to the command; "" = no change */
    double step_s, samples_per_s, cost_step;
    double gain; /* samples_per_s, divided by samples_per_s of the given plan; tokens, if seq_len differs */
    int64_t total_bytes, global_batch, seq_len;
    nnc_verdict verdict;
    int place;     /* of two equally fast changes, the one with the smaller place is listed first */
    bool adapters; /* true: trains adapters instead of all weights */
} nnc_plan_change;

enum { NNC_PLAN_CHANGES_MAX = 20 };

typedef struct nnc_plan_changes {
    nnc_plan_change list[NNC_PLAN_CHANGES_MAX]; /* changes of one option each, sorted by samples per second, the fastest
                                                 * first */
    nnc_plan_change together;                   /* the best combination of options; options "" = fewer than two options
                                                 * help */
    int32_t count, tries;                       /* tries: number of estimates */
} nnc_plan_changes;

typedef struct nnc_plan_change_ask {
    const nnc_model *model;
    const nnc_device *device;
    const nnc_profiles *profiles;
    const nnc_software *others[2]; /* other profiles to try: compiled, channels last; NULL = not available */
    const nnc_plan *plan;          /* plan as the user gave it, before defaults are filled in */
    const nnc_result *base;        /* estimate of the plan; NULL = not known */
    bool quick;                    /* true: tries only the changes that matter most, each alone; if the plan fits, finds
                                    * only changes that make it faster */
} nnc_plan_change_ask;

/* Tries the changes with at most a few hundred estimates; with quick, a few tens. Returns the number of changes found;
 * 0 also if the plan itself is illegal. */
int nnc_plan_changes_find(const nnc_plan_change_ask *ask, nnc_scratch *scratch, nnc_plan_changes *found);

/* Returns memory of at least `bytes` bytes at scratch->load; NULL = out of memory. A new scratch has enough for a
 * simulation of 10,000 requests. */
void *nnc_scratch_load(nnc_scratch *scratch, size_t bytes);

/* Makes one estimate without a cache. The caller has checked all arguments; result has the size of this nnc_result. */
nnc_estimate_fn nnc_estimate_once;

/* Tests whether the model has the number of parameters that its file states, within 1 %. Returns true also if the file
 * states no number, or if the plan adds parameters (adapters, heads for further tokens). */
bool nnc_is_as_published(const nnc_result *r, const nnc_model *model);
/* ---- fitting.c: what fits on a device; how far a plan can be divided ---- */

typedef struct nnc_remedy {
    char options[96];     /* options to append to the command line */
    int64_t micro_batch;  /* the largest micro-batch that fits with the remedy */
    int64_t total_bytes;  /* memory with the remedy, at the largest micro-batch that fits without the remedy; if
                           * no size fits without the remedy, at micro_batch */
    double step_s;        /* step time at the same micro-batch as total_bytes */
    double samples_per_s; /* samples per second at micro_batch */
} nnc_remedy;

enum { NNC_REMEDIES_MAX = 16 };

typedef struct nnc_fitting {
    int64_t micro_batch, micro_batch_tight; /* micro_batch: the largest micro-batch that fits; micro_batch_tight: the
                                             * largest that may fit (verdict tight); 0 = no micro-batch */
    int64_t seq_len;                        /* the longest sequence that fits at the micro-batch of the plan; 0 = no
                                             * length, or images */
    int64_t lora_rank;                      /* the largest LoRA rank that fits at the micro-batch of the plan; 0 = no
                                             * rank, or no adapters */
    int64_t layers;                         /* the most decoder layers that fit at the micro-batch of the plan; 0 =
                                             * no depth, or another kind of model */
    int64_t margin_bytes;                   /* difference between the largest and the smallest expected peak */
    nnc_result result;                      /* result with the largest micro-batch that fits; if no size fits, result of
                                             * the plan */
    nnc_remedy remedies[NNC_REMEDIES_MAX];
    int32_t remedy_count;
    int64_t recorded_batch; /* largest batch in the recordings of a captured program; 0 = the model is not a captured
                             * program */
} nnc_fitting;

/* Finds sizes by memory alone, and times for the answer and for each remedy that fits. Returns the errors of
 * nnc_estimate. */
nnc_status nnc_fitting_find(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                            const nnc_plan *plan, nnc_scratch *scratch, nnc_fitting *fit, nnc_error *err);

/* Sets only the largest micro-batch that fits and the largest that may fit. */
void nnc_fitting_micro_batches(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                               const nnc_plan *plan, nnc_scratch *scratch, int64_t *fits, int64_t *tight);

/* Axes of a plan for which nnc_limit_find finds a limit: the largest degree, or the fewest tokens (images), at which
 * the resource in the text of the axis does or does not bound the step. */
#define NNC_LIMIT_LIST(X)                                                                                        \
    X(NNC_LIMIT_TENSOR, "tensor", "The largest tensor degree that the network does not bound.")                  \
    X(NNC_LIMIT_CONTEXT, "context", "The largest context degree, likewise.")                                     \
    X(NNC_LIMIT_DATA, "data", "The fewest tokens (images) per device and step that the network does not bound.") \
    X(NNC_LIMIT_BATCH, "batch", "The fewest tokens (images) per device and step that compute bounds.")
NNC_ENUM(nnc_limit, NNC_LIMIT_LIST, NNC_LIMIT_COUNT);
const char *nnc_limit_name(nnc_limit value);
const char *nnc_limit_help(nnc_limit value);

/* A tried plan: the least time of each resource, and the resource that takes longest. */
typedef struct nnc_limit_point {
    double size; /* value on the axis: the degree, or the tokens (images) of one device in a step */
    int64_t micro_batch, seq_len;
    double compute_s, memory_s, network_s, step_s;
    nnc_bound bound;
    nnc_verdict verdict;
} nnc_limit_point;

enum { NNC_LIMIT_POINTS_MAX = 96 };
typedef struct nnc_limit_answer {
    nnc_limit of;
    double limit;      /* limit of the axis: the largest degree, or the fewest tokens (images), as stated in
                        * NNC_LIMIT_LIST; NaN = no tried plan meets this condition */
    const char *stop;  /* resource that bounds the step of the next tried plan past the limit; "plan" = the next plan is
                        * illegal; NULL = no tried plan is past the limit */
    nnc_error why;     /* if stop is "plan": error of the first illegal plan */
    nnc_result result; /* result of the plan at the limit; if there is no limit, of the last tried plan */
    nnc_limit_point points[NNC_LIMIT_POINTS_MAX]; /* all tried sizes, sorted by size */
    int32_t count;
} nnc_limit_answer;

/* Finds the limit of an axis. For degrees, every legal degree is tried. For tokens, the size is doubled until the
 * answer changes, then bisected; sizes below one sequence shorten the sequence. All plans use the same profile.
 * Returns the errors of nnc_estimate; NNC_ILLEGAL_PLAN also if the axis is data and the plan has no data ranks. */
nnc_status nnc_limit_find(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                          const nnc_plan *plan, nnc_limit of, nnc_scratch *scratch, nnc_limit_answer *answer,
                          nnc_error *err);

/* Estimates the memory of the fullest stage, its verdict and the resolved plan, without times. */
nnc_estimate_fn nnc_estimate_memory;
/* Makes one estimate by scratch->estimate; the caller has checked all arguments. */
nnc_estimate_fn nnc_estimate_read;

/* Clears the result. First part of nnc_estimate_once; memo/ calls these parts one by one. */
void nnc_estimate_begin(nnc_scratch *scratch, nnc_result *r);
/* Computes step ends, bounds and the step time from the op table in scratch->rows. If the memory is not computed
 * yet, computes it first. */
nnc_status nnc_estimate_time(const nnc_model *model, nnc_step *step, nnc_scratch *scratch, nnc_result *r,
                             nnc_error *err);
/* Tests whether the caller wants a brief estimate and the plan allows one. */
bool nnc_estimate_is_brief(const nnc_scratch *scratch, const nnc_plan *plan);
nnc_status nnc_estimate_time_parts(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                                   nnc_scratch *scratch, nnc_result *r, nnc_error *err);
/* nnc_estimate_finish sets rates, money and energy; nnc_estimate_untimed completes an estimate of memory alone. Both
 * refuse numbers that are too large for the arithmetic. */
nnc_status nnc_estimate_untimed(const nnc_model *model, nnc_result *r, nnc_error *err);
nnc_status nnc_estimate_finish(const nnc_model *model, const nnc_device *device, const nnc_step *step, nnc_result *r,
                               nnc_error *err);

/* Computes the memory of every stage; the result has the memory of the fullest stage. With `fullest`, skips a stage
 * that equals the stage before and has no more micro-batches in flight. */
void nnc_stage_memory(const nnc_step *step, const nnc_model *model, bool fullest, nnc_step_memory *m, nnc_result *r);

/* Sets rates and utilisation from the work and the step time. */
void nnc_utilisation(nnc_result *r, nnc_derivation *why);
/* Sets device-hours, money and energy of the whole run, if its length is given. Energy counts the power limit of the
 * device. */
void nnc_run_cost(const nnc_device *device, nnc_result *r, nnc_derivation *why);
/* Returns the price of a device-hour: `price` of the plan, else the newest price of the device file; NaN = not
 * known. */
double nnc_price_of(double price, const nnc_device *device);

/* ---- step.c: one op alone ---- */

enum { NNC_SINGLE_OP_DIMS_MAX = 8 };

/* One op, as nncost op gets it, and its computed time. Numbers that do not apply are NaN. */
typedef struct nnc_single_op {
    const char *kind;                     /* kind of the op, for example "matmul" */
    const char *kernel;                   /* kernel of attention: flash, cudnn, efficient, math; NULL = other op */
    const char *layout;                   /* layout of a convolution: channels_last, contiguous; NULL = other op */
    bool unmasked;                        /* true: attention without a mask */
    int64_t dims[NNC_SINGLE_OP_DIMS_MAX]; /* dims in the order that the kind of op defines */
    int32_t dim_count;
    double bytes; /* bytes of the full tensor of a collective */
    nnc_dtype precision;
    int32_t devices, devices_per_node;
    char shape[96];
    double flops, moved_bytes; /* moved_bytes: bytes read and written, or bytes that one rank sends */
    double flops_per_byte, ridge_flops_per_byte;
    double bound_s;                                         /* roofline time at datasheet rates */
    double compute_s, memory_s, fixed_s, network_s, time_s; /* predicted times */
    double flops_per_s, bytes_per_s;                        /* rates at the predicted time */
    double peak_share;                                      /* rate that the op reaches, divided by the datasheet rate
                                                             * that bounds it */
    nnc_bound bound;
    const char *link; /* name of the link that a collective uses */
} nnc_single_op;

/* Makes one operator of PyTorch from its name: copy, add, cast, gelu, softmax, norm, loss, optimizer, embedding, on
 * rows x columns values. loss-fp32 works on a cast of the logits. Returns false for an unknown name. */
bool nnc_streaming_op(const char *name, int64_t rows, int64_t columns, nnc_dtype dtype, nnc_op *op);

/* Computes the work, the bound and the predicted time of one op into *alone. NNC_BAD_USAGE: unknown kind, or wrong
 * dims. */
nnc_status nnc_single_op_time(const nnc_device *device, nnc_single_op *alone, nnc_error *err);

#endif
