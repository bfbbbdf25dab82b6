/* Estimates of one training step: from a plan to seconds, bytes and money. The files are in the order in which
 * estimate.c calls them:
 *
 *     resolve.c      fills in what the plan leaves open, and checks the plan
 *     lower.c        model and plan -> op list of one rank, with the communication of ZeRO-3 and offload; op table
 *     partition.c    layers -> pipeline stages: how many layers of each segment a device holds
 *     overlap.c      op table -> seconds of one layer of each segment, with overlap and with the time to issue ops
 *     step_end.c     work once per step: communication of gradients and sharded weights, optimizer
 *     step.c         seconds of layers -> pipeline schedule -> step time, its parts, FLOPs, timeline; time of a single
 * op
 *     bounds.c       lower bound (ideal step) and upper bound (no overlap) of the step time
 *     estimate.c     one whole estimate; then rates, cost and the interval of the step time
 *     derive_step.c  lines of nncost explain that are sums over rows or segments
 *     advise.c, changes.c, fitting.c, sensitivity.c    make many estimates: plans that fit, faster or smaller plans,
 * the
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

/* Copies `given`, a plan of any struct_size, to *plan and checks its fields; given NULL = the default plan. */
nnc_status nnc_plan_read(const nnc_plan *given, nnc_plan *plan, nnc_error *err);

/* Arguments of a public function, after nnc_estimate_args_read has read and checked them. */
typedef struct nnc_estimate_args {
    nnc_plan plan;
    const nnc_software *software;
    nnc_software neutral; /* the neutral profile; `software` points to this member if the caller gave no profile */
} nnc_estimate_args;

/* Reads and checks the arguments of a public function, and writes them to *asked. function: name of the public
 * function, for error messages. software: software profile; NULL = the neutral profile. */
nnc_status nnc_estimate_args_read(const char *function, const nnc_model *model, const nnc_device *device,
                                  const nnc_software *software, const nnc_plan *plan, nnc_estimate_args *asked,
                                  nnc_error *err);

/* Returns the flags of recomputation that take effect: full recomputation includes all others. */
static inline unsigned nnc_plan_recompute(unsigned recompute) {
    return (recompute & NNC_RECOMPUTE_FULL) != 0 ? NNC_RECOMPUTE_FULL : recompute;
}

/* Fills in what a plan leaves open: precision, policy, degrees, batch, schedule. The plan must come from nnc_plan_read.
 * Returns NNC_ILLEGAL_PLAN if the plan breaks a rule; err names the option and the rule. */
nnc_status nnc_plan_resolve_read(const nnc_plan *plan, const nnc_model *model, const nnc_device *device,
                                 nnc_plan *resolved, nnc_error *err);

/* Changes flash attention of a resolved plan to unfused attention if the software profile has no fused attention. With
 * context parallelism the plan is not changed. */
void nnc_plan_set_attention(nnc_plan *plan, const nnc_software *software);

/* Fills in what a plan leaves open, as nnc_plan_resolve_read does, and then calls nnc_plan_set_attention for the
 * software profile. */
nnc_status nnc_plan_resolve_for(const nnc_plan *plan, const nnc_model *model, const nnc_device *device,
                                const nnc_software *software, nnc_plan *resolved, nnc_error *err);

/* Checks a resolved plan again after a change of its schedule or its virtual stages; no other field depends on these
 * two. layers: number of layers of the model. */
nnc_status nnc_plan_resolve_schedule(nnc_plan *plan, const nnc_model *model, int64_t layers, nnc_error *err);

/* Inputs of an estimate of a changed plan. Each pointer points to an object of the caller, or to the member own_* of
 * the same kind. */
typedef struct nnc_variant {
    const nnc_plan *plan;
    const nnc_model *model;
    const nnc_software *software;
    nnc_plan own_plan;
    nnc_model own_model;
    nnc_software own_software;
} nnc_variant;

/* A function that completes a changed plan with the settings of the framework release that the user named. complete:
 * *variant has in own_plan a plan that was made by a change of `base`, and in own_model its model. The function sets
 * the fields of both that neither the user nor the change sets, and own_software. It returns false if the file of the
 * release has a fault. */
typedef struct nnc_completer {
    bool (*complete)(const void *in, const nnc_plan *base, nnc_variant *variant);
    const void *in;
} nnc_completer;

/* Completes *variant, whose plan was made by a change of the plan `base`, with nnc_completer if the profiles are those
 * of a release. Returns false if the file of the release has a fault. */
bool nnc_variant_complete(nnc_variant *variant, const nnc_profiles *profiles, const nnc_plan *base);

/* ---- partition.c: layers of pipeline stages ---- */

enum { NNC_STAGES_MAX = NNC_PIPELINE_STAGES_MAX, NNC_VIRTUAL_STAGES_MAX = NNC_PIPELINE_VIRTUAL_MAX };

/* Number of layers (instances) of each segment on one virtual stage. */
typedef struct nnc_stage_layers {
    int64_t instances[NNC_SEGMENTS_MAX];
} nnc_stage_layers;

/* Layers of each virtual stage, in the order in which a micro-batch passes the stages. Every virtual stage gets the
 * same number of layers; layers that are left over go to the first stages, one to each. The first stage also gets the
 * embedding, the last also the head. */
typedef struct nnc_stage_partition {
    int32_t stages, virtual_stages; /* stages: number of pipeline devices; virtual_stages: number of virtual stages on
                                     * all devices */
    int32_t segments;
    nnc_stage_layers shares[NNC_VIRTUAL_STAGES_MAX];
    bool alike[NNC_VIRTUAL_STAGES_MAX]; /* true: the virtual stage has the same layers as the stage before; false: not
                                         * known */
} nnc_stage_partition;

void nnc_partition_layers(const nnc_op_list *list, const nnc_plan *plan, nnc_stage_partition *partition);

/* Returns the index of the pipeline device that holds a virtual stage. Interleaved schedules give successive virtual
 * stages to successive devices, and after the last device to the first again. zb-v goes from the first device to the
 * last, and then back to the first. */
int32_t nnc_partition_device(const nnc_plan *plan, int32_t virtual_stage);

/* Returns how many layers of a segment backward computes again; 0 without full recomputation. instances: number of
 * layers of each segment on the virtual stage. The first layers of the stage are computed again; if kinds of layers
 * alternate, the same share of each kind. */
int64_t nnc_recomputed_layers(const nnc_plan *plan, const nnc_op_list *list, int32_t segment,
                              const int64_t instances[NNC_SEGMENTS_MAX]);

/* ---- overlap.c: seconds of one layer of each segment, with overlap ---- */

/* A pass has NNC_PASS_PARTS parts: forward, backward, recompute. nnc_segment_time: seconds of one layer (instance) of a
 * segment in one pass: compute and exposed communication of each part, and their sums. weight_s: seconds of backward_s
 * that weight gradients take. */
enum { NNC_PASS_PARTS = NNC_PART_RECOMPUTE + 1 };
typedef struct nnc_segment_time {
    double forward_s, backward_s, weight_s, recompute_s;
    double compute_s[NNC_PASS_PARTS];
    double exposed_s[NNC_PASS_PARTS][NNC_COMM_COUNT];
    double host_s[NNC_PASS_PARTS]; /* seconds by which a part is longer because the host cannot issue its ops faster */
    double lead_s; /* first segment: seconds by which the host is ahead of the device at the end of a pass */
    /* For each lane (set of links): seconds that further communication on these links can still overlap with, namely
     * compute and exposed communication on other links. */
    double free_s[NNC_PASS_PARTS][NNC_LANES];
} nnc_segment_time;

/* Shares of the communication time that overlap with compute, in [0, 1]. */
typedef struct nnc_overlap {
    double share[NNC_COMM_COUNT];
    double tensor_backward; /* overlapped share of tensor-parallel collectives in backward; `share` has the share for
                             * forward */
    double context_ahead;   /* overlapped share of communication that has to end before attention starts */
    double ring_share;      /* share of the attention time that ring transfers can overlap with: the time of all blocks
                             * of keys but the last */
    bool weight_apart;      /* true: the schedule computes weight gradients at another time than the rest of backward,
                             * so no communication overlaps with weight gradients */
} nnc_overlap;
nnc_overlap nnc_overlap_of(const nnc_plan *plan, const nnc_software *software);

/* Overlaps the communication of each segment and phase with the compute of the same segment and phase; transfers of
 * ring attention overlap with the attention first. time_s of a row of a collective becomes its exposed seconds. Compute
 * of C seconds and communication of N seconds, where the part `share` of the shorter one can overlap, together take
 *     t = C + N - share min(C, N)
 * [overlap] */
void nnc_rows_overlap(nnc_rows *rows, const nnc_op_list *list, const nnc_network *network, const nnc_overlap *overlap,
                      nnc_derivation *why);

/* Seconds of the host to issue one op. Some libraries launch each product of a group of products separately. */
typedef struct nnc_launch {
    double op_s, product_s, kernel_s; /* seconds of the host: op_s for an op, product_s more for each product of a group
                                       * of products; if kernel_s > 0, only kernel_s for each kernel of an op counts */
    bool recorded_attention; /* true: norms and attention take no time of the host, because their kernels are recorded
                              * once and replayed */
} nnc_launch;
static inline double nnc_launch_of_op_s(const nnc_launch *launch, const nnc_op *op) {
    if (launch->kernel_s > 0.0) { return launch->kernel_s * nnc_op_issued(op).kernels; }
    const double products = op->kind == NNC_OP_MATMUL ? (double)op->u.matmul.experts : 0.0;
    /* an op that issues no kernel of its own runs in the kernel of another op */
    if (op->issued_as == NNC_ISSUED_INSTEAD && nnc_op_issued(op).kernels < 1.0) { return 0.0; }
    if (launch->recorded_attention && (op->group == NNC_GROUP_ATTENTION || op->group == NNC_GROUP_NORM)) { return 0.0; }
    return launch->op_s + (products > 1.0 ? products * launch->product_s : 0.0);
}

/* Sums the rows of each segment into the seconds of one layer and one pass. The host issues the next ops while the
 * device still works, so a part with `device` seconds on the device and `host` seconds of the host takes
 *     (device^4 + host^4)^(1/4)
 * host_s of a segment is this time minus `device`.   [launch] */
void nnc_segment_times_sum(const nnc_rows *rows, const nnc_op_list *list, const nnc_network *network,
                           const nnc_launch *launch, nnc_segment_time units[NNC_SEGMENTS_MAX], nnc_derivation *why);

/* ---- a step: its inputs and its working memory ---- */

enum { NNC_STEP_EXCHANGES_MAX = 12 };

/* Seconds of the step end of one device: exposed seconds of each collective in order, and seconds of the optimizer
 * update. */
typedef struct nnc_step_end_seconds {
    nnc_comm comm[NNC_STEP_EXCHANGES_MAX];
    double exposed_s[NNC_STEP_EXCHANGES_MAX], update_s;
    double wait_s; /* time in which the device waits until the host has issued the kernels of the update */
    int exchanges;
} nnc_step_end_seconds;

/* All inputs from which a step is computed. */
typedef struct nnc_step {
    const nnc_device *device;
    const nnc_plan *plan;
    const nnc_software *software;
    const nnc_op_list *list;      /* op list of one rank of the plan */
    const nnc_segment_sums *sums; /* sums over the ops of each segment of the list */
    const nnc_network *network;   /* routes between the ranks of the plan; NULL = the plan has one device */
    double tied_params;           /* number of parameters of the tied embedding on one rank, if the first and the last
                                   * pipeline stage both hold a copy; else 0 */
    nnc_launch launch;
    double send_bytes;                /* bytes of activations of one micro-batch that a pipeline stage sends to the
                                       * next */
    double send_s;                    /* seconds to send send_bytes to the next stage; 0 without a pipeline */
    bool free[NNC_BOUND_COUNT];       /* true: the resource is assumed to take no time; used to find the step time
                                       * without this resource */
    const struct nnc_step_ends *ends; /* step end of each pipeline stage, without overlap */
    nnc_derivation *why;              /* derivation to which the functions add the formulas of the step; NULL = no
                                       * formulas are recorded */
} nnc_step;

/* Tests whether the gradients of each micro-batch are added to their sum by a separate kernel. A software profile can
 * say so; in captured programs autograd always runs this kernel. */
static inline bool nnc_step_adds_gradients(const nnc_step *step) {
    return step->software->added_gradients || step->list->recorded;
}

/* Working memory of the functions that compute a step. */
typedef struct nnc_step_memory {
    nnc_stage_partition partition;
    nnc_stage_residency holdings[NNC_STAGES_MAX];
    bool alike[NNC_STAGES_MAX]; /* true: the pipeline stage has the same layers and memory as the stage before */
    nnc_stage stages[NNC_STAGES_MAX];
    nnc_pipeline_memory pipeline;
    nnc_pipeline_result run;
    /* seconds of the step end of each stage; equal stages point to the same struct, one of own_ends */
    const nnc_step_end_seconds *ends[NNC_STAGES_MAX];
    nnc_step_end_seconds own_ends[NNC_STAGES_MAX];
    double delay_s; /* seconds by which messages between stages make the step longer */
    double forward_s[NNC_VIRTUAL_STAGES_MAX], backward_s[NNC_VIRTUAL_STAGES_MAX], weight_s[NNC_VIRTUAL_STAGES_MAX];
    double send_s; /* seconds of one message between stages in the last replay */
    int64_t runs;  /* number of replays of the schedule so far */
} nnc_step_memory;

/* Returns how many micro-batches pass each layer of a device in a step: all micro-batches of the plan, but with
 * DualPipe half of them, because a device holds two stages and each half passes only one. */
static inline int64_t nnc_step_passes(const nnc_plan *plan) {
    return plan->micro_batches / (nnc_schedule_dual(plan) ? 2 : 1);
}

/* Returns the number of ranks that hold the same shard of the parameters. route NNC_ROUTE_SHARD: parameters outside
 * experts; other routes: parameters of experts. shards: number of shards that these parameters are divided into. */
static inline int32_t nnc_shard_replicas(const nnc_plan *plan, nnc_route_kind route, double shards) {
    const int32_t same =
        route == NNC_ROUTE_SHARD ? plan->data * plan->context : nnc_plan_expert_ranks(plan) / plan->expert;
    return same / (int32_t)shards;
}

static inline nnc_route_kind nnc_replica_route(nnc_route_kind route) {
    return route == NNC_ROUTE_SHARD ? NNC_ROUTE_REPLICA : NNC_ROUTE_EXPERT_REPLICA;
}

/* Returns the seconds of an op that is no collective: the longer of compute_s and memory_s, plus fixed_s. A time counts
 * as 0 if step->free contains its resource. */
static inline double nnc_step_free_s(const nnc_step *step, double compute_s, double memory_s, double fixed_s) {
    const double compute = step->free[NNC_BOUND_COMPUTE] ? 0.0 : compute_s;
    const double memory = step->free[NNC_BOUND_MEMORY] ? 0.0 : memory_s;
    return nnc_max(compute, memory) + (step->free[NNC_BOUND_HOST] ? 0.0 : fixed_s);
}

/* Distributes the layers over the pipeline stages: fills m->holdings and m->alike. Defined in partition.c. */
void nnc_step_partition(const nnc_step *step, nnc_step_memory *m);
/* Sets the micro-batches in flight of every device after a change of the number of micro-batches alone. Returns true if
 * the memory of every device is the same as before: the micro-batches in flight are the same, and the chunks of each
 * device are equal. If the chunks of a device are unequal, returns false, because the peak of its memory may then come
 * at another time. */
bool nnc_step_partition_again(const nnc_step *step, nnc_step_memory *m);
/* Sets the micro-batches in flight of a device whose chunks keep different numbers of bytes. step->sums must be set. */
void nnc_step_find_peak(const nnc_step *step, nnc_step_memory *m, int32_t device);

/* Overlaps the communication in the rows with compute, then sums the rows of each segment. Defined in overlap.c. */
void nnc_step_segment_times(const nnc_step *step, nnc_rows *rows, nnc_segment_time units[NNC_SEGMENTS_MAX]);

/* ---- step_end.c: work once per step: communication of gradients and weights, update ---- */

/* Seconds that communication of the step end can overlap with on one device, in forward and in backward of one pass.
 * For each lane: seconds of compute, of the host issuing ops, and of communication in other lanes, minus seconds that
 * already overlap with other communication. */
typedef struct nnc_overlap_window {
    double forward_s[NNC_LANES], backward_s[NNC_LANES];
    double bucket_bytes, table_share; /* bucket_bytes: bytes of a gradient bucket; table_share: share of the gradients
                                       * outside experts that belongs to the embedding table of the first segment */
    double unit_share;                /* share of all gradients that one ZeRO-3 unit has, if each unit is a bucket; 0 =
                                       * buckets have bucket_bytes */
    double shards, expert_shards;     /* number of ranks that divide gradients. shards: gradients outside experts in one
                                       * replica; expert_shards: gradients of experts */
} nnc_overlap_window;

/* Returns the exposed seconds of a collective of the step end. exchange_s, N in the formula: seconds of the collective
 * in its lane. share, o: share of the collective that may overlap. The collective can overlap with t seconds of
 * `window`. Gradients are sent in buckets as soon as their layers are done. Each bucket has the share f of the
 * gradients; the last bucket may have a whole embedding table, and has the share l >= f.
 *     o min(max(t + l N, N + f t) - t, N) + (1 - o) N
 * Source: PyTorch DDP arXiv:2006.15704.   [bucketed-overlap] */
double nnc_cluster_exposed_s(const nnc_collective_op *exchange, double exchange_s, double share, nnc_lane lane,
                             const nnc_overlap_window *window);

/* Work of one device after its last backward: collectives, then the optimizer update. All times are without overlap. */
typedef struct nnc_step_end {
    nnc_op exchanges[NNC_STEP_EXCHANGES_MAX];
    double exchange_s[NNC_STEP_EXCHANGES_MAX];
    int exchange_count;
    nnc_op updates[NNC_UPDATE_KIND_COUNT];
    nnc_work works[NNC_UPDATE_KIND_COUNT];
    nnc_timing times[NNC_UPDATE_KIND_COUNT];
    int update_count;
} nnc_step_end;

/* Numbers of trained parameters of a device. The step end of a device depends only on these, the plan, the profile and
 * the network. */
typedef struct nnc_step_end_params {
    nnc_parameters dense, expert;
    double tied_params;
} nnc_step_end_params;
nnc_step_end_params nnc_step_end_params_of(const nnc_step *step, const nnc_stage_residency *holding);
void nnc_step_end_find(const nnc_step *step, const nnc_step_end_params *held, nnc_step_end *t);

/* The step ends of all pipeline stages; equal stages point to the same step end. */
typedef struct nnc_step_ends {
    const nnc_step_end *of[NNC_STAGES_MAX];
    nnc_step_end own[NNC_STAGES_MAX]; /* memory of the step ends; of successive equal stages only the entry of the first
                                       * is written */
} nnc_step_ends;
void nnc_step_ends_find(const nnc_step *step, const nnc_step_memory *m, nnc_step_ends *ends);

/* Returns the seconds of the step end of one device, after overlap. holding: layers of the device. t: its step end
 * without overlap. */
nnc_step_end_seconds nnc_step_end_expose(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                                         const nnc_stage_residency *holding, const nnc_overlap *overlap,
                                         const nnc_step_end *t);
/* nnc_step_end_set writes the seconds of the step end of stage d to m->ends[d] and m->stages[d]. nnc_step_end_set_alike
 * copies them from stage d - 1. */
void nnc_step_end_set(nnc_step_memory *m, int32_t d, const nnc_step_end_seconds *seconds);
void nnc_step_end_set_alike(nnc_step_memory *m, int32_t d);
/* Sets the seconds of the step end of every stage in *m; the functions of step.c compute the step time from them. */
void nnc_step_ends_set(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], const nnc_overlap *overlap,
                       nnc_step_memory *m);

/* Adds the exposed seconds of each collective and the update seconds of one device to the result. */
void nnc_step_end_add(const nnc_step_end_seconds *seconds, nnc_result *r);

/* Appends the rows of the step end of one stage to the op table of the stage. */
void nnc_step_end_append(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], const nnc_step_memory *m,
                         int32_t stage, const nnc_overlap *overlap, nnc_rows *rows);

/* ---- step.c: the step time ---- */

/* Seconds of all passes of a step, from a replay of the pipeline schedule. */
typedef struct nnc_step_times {
    double total_s; /* seconds from the start of the first pass to the end of the last pass */
    double send_s;  /* exposed seconds of one message between stages */
    int64_t run;    /* number of the replay that gave these times, as counted in nnc_step_memory.runs */
    int32_t stage;  /* index of the pipeline stage whose passes take longest */
} nnc_step_times;

/* Computes the step time and writes the times to *result. rows: on entry the op table of one micro-batch on a rank that
 * holds every layer; on return the rows of the busiest stage over the whole step, followed by the rows of its step end.
 * spare: buffer for as many rows. Returns false if the pipeline is too large to replay.   [step] */
bool nnc_step_time(const nnc_step *step, nnc_rows *rows, nnc_rows *spare, nnc_step_memory *m, nnc_result *result);

/* Sets in *m the seconds of each virtual stage, and of messages between stages. This is the first part of
 * nnc_step_time; searches call its parts one by one. */
void nnc_step_core_times(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], nnc_step_memory *m);
/* Replays all passes in the order of the schedule and writes their times to *times. Returns false if the pipeline is
 * too large to replay. */
bool nnc_step_core_run(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], nnc_step_memory *m,
                       nnc_step_times *times);
/* Returns the step time of a pipeline in seconds: all passes, plus the step end of the stage whose step end takes
 * longest. */
double nnc_step_core_s(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                       const nnc_step_times *times, nnc_step_memory *m);
/* Sets in the result the step time and its parts: times of the busiest stage, exposed communication, bubble. Returns
 * false if the pipeline is too large to replay. */
bool nnc_step_core_parts(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                         const nnc_step_times *times, nnc_step_memory *m, nnc_result *r);

/* Replays the schedule with the given seconds of each segment, and writes the times to m->run. send_s: seconds of a
 * message between stages. Without a pipeline the passes follow each other. Returns false if the pipeline is too large
 * to replay. */
bool nnc_step_run(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], double send_s,
                  nnc_step_memory *m);
/* Returns the pipeline of the last replay; its pointers point into *m. */
nnc_pipeline nnc_step_pipeline(const nnc_plan *plan, const nnc_step_memory *m);
/* Returns the index of the device that works longest in m->run; of devices with equal times the first. */
int32_t nnc_step_busiest(const nnc_step_memory *m, int32_t stages);
/* Both functions return the bytes of workspaces of matrix products that stay allocated between two steps, by the software
 * profile. has_experts: the network has matrix products of experts; nnc_step_held_bytes looks for these in the op list. */
double nnc_held_bytes(const nnc_device *device, const nnc_software *software, bool has_experts);
double nnc_step_held_bytes(const nnc_step *step);

/* Fills m->stages from the last replay, except for memory and the times of the step end. */
void nnc_step_describe(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], nnc_step_memory *m);
/* Keeps only the rows of layers that one device holds, and sets their repeats to the number in the whole step. */
void nnc_step_restrict(const nnc_step *step, const nnc_stage_residency *holding, nnc_rows *rows);
/* Sets in the result the two largest bounds of the step: r->bound and r->next_bound. */
void nnc_step_rank(nnc_result *r);
/* Sets step->send_bytes to the bytes of a message between stages, and step->send_s to its seconds. */
void nnc_step_set_send(nnc_step *step, double send_bytes);
/* Returns the seconds of one message from a pipeline stage to the next; 0 if step->free contains the network. */
double nnc_step_send_s(const nnc_step *step);

/* FLOPs of one micro-batch, one sum for each part of the step and each group of ops. */
typedef struct nnc_group_sums {
    double sums[NNC_PARTS][NNC_GROUP_COUNT];
} nnc_group_sums;

/* FLOPs of one micro-batch. causal: FLOPs of forward and backward if attention counts only the pairs of tokens that its
 * mask leaves. */
typedef struct nnc_pass_work {
    double counted[NNC_PASS_PARTS], causal; /* FLOPs by the convention of the plan, one sum for each part of a pass */
    nnc_group_sums groups;                  /* the FLOPs of `counted` by part and group of ops; set only if step->why is
                                             * not NULL */
} nnc_pass_work;

/* Sets for each segment the share of its layers that backward computes again, over all stages; 1 without full
 * recomputation. Returns true if full recomputation is off, or if it computes all layers again. */
bool nnc_step_recomputed(const nnc_step *step, const nnc_step_memory *m, double shares[NNC_SEGMENTS_MAX]);
/* Counts the model FLOPs of one micro-batch, over all tensor, context and expert ranks. again: shares that
 * nnc_step_recomputed has set. */
void nnc_step_pass_work(const nnc_step *step, const nnc_rows *rows, const double again[NNC_SEGMENTS_MAX],
                        nnc_pass_work *work);
void nnc_step_work(const nnc_step *step, const nnc_pass_work *work, nnc_result *r);
/* Counts the FLOPs of the step and writes them to the result, by calls of nnc_step_recomputed, nnc_step_pass_work and
 * nnc_step_work. */
void nnc_step_count_work(const nnc_step *step, const nnc_rows *rows, const nnc_step_memory *m, nnc_result *r);
/* Sets in the result the FLOPs that all ranks execute, computed from the rows of one rank. FLOPs that several ranks
 * compute alike count on each of them. */
void nnc_step_executed(const nnc_step *step, const nnc_rows *rows, const nnc_step_memory *m, nnc_result *r);

/* ---- bounds.c: the lower and the upper bound of the step time ---- */

typedef enum nnc_engine { NNC_ENGINE_MATRIX, NNC_ENGINE_VECTOR, NNC_ENGINE_MEMORY, NNC_ENGINES } nnc_engine;

/* A step in ideal mode: every efficiency is 1, fixed times are 0, norms and pointwise ops are fused into their
 * neighbours, and all communication overlaps. The step is replayed for each engine (matrix, vector, memory) as if only
 * this engine took time; the longest of the three step times, with bubble, is used. The vector engine takes no time if
 * its rate is not published. If a fabric is busy for longer than this step, the difference is exposed communication.
 * The parts (forward_s ... bubble_s) add up to step_s. */
typedef struct nnc_ideal {
    double step_s;
    nnc_engine engine;
    int32_t stage;
    double forward_s, backward_s, recompute_s, update_s, exposed_comm_s, bubble_s;
    double engine_s[NNC_ENGINES], network_s; /* network_s: seconds of a step in which the busiest fabric works */
    nnc_fabric fabric;
} nnc_ideal;

/* Seconds of one layer of each segment in one pass. engine: on each engine alone. serial: with compute, memory and
 * network one after the other. Computed from the op table of one micro-batch on a rank that holds every layer, before
 * overlap. */
typedef struct nnc_bound_segment_times {
    nnc_segment_time engine[NNC_ENGINES][NNC_SEGMENTS_MAX];
    nnc_segment_time serial[NNC_SEGMENTS_MAX];
} nnc_bound_segment_times;
void nnc_bound_segment_times_sum(const nnc_step *step, const nnc_rows *rows, nnc_bound_segment_times *units);

/* Computes the ideal step (see nnc_ideal). Returns false if the pipeline is too large to replay. */
bool nnc_ideal_step(const nnc_step *step, const nnc_rows *rows, const nnc_bound_segment_times *units,
                    nnc_step_memory *m, nnc_ideal *ideal);

/* nnc_ideal_say records the times of all engines, from which the lower bound follows; nnc_ideal_say_row records the
 * time of one row in the ideal step. */
void nnc_ideal_say(const nnc_ideal *ideal, nnc_derivation *why);
void nnc_ideal_say_row(const nnc_ideal *ideal, const nnc_device *device, const nnc_op_cost *row, nnc_derivation *why);

/* Changes `rows` to the op table of the ideal step (see nnc_ideal). Writes the times of this step to *r, and its
 * pipeline stages to *m. */
void nnc_ideal_rows(const nnc_step *step, const nnc_ideal *ideal, nnc_rows *rows, nnc_step_memory *m, nnc_result *r);

/* Returns the step time in seconds at the predicted rates, if compute, memory and network never overlap. send_s:
 * seconds of a message between stages. Returns a negative number if the pipeline is too large to replay. */
double nnc_upper_bound(const nnc_step *step, const nnc_bound_segment_times *units, double send_s, nnc_step_memory *m);

/* ---- derive_step.c: lines of nncost explain ---- */

/* After nnc_say_of_row, the formulas that are recorded next belong to the row `row` of the op table. After
 * nnc_say_of_step they belong to the step again. Both functions do nothing if why is NULL. */
static inline void nnc_say_of_row(nnc_derivation *why, int32_t row) { NNC_WHEN(why, nnc_say_of(why, "#%d", (int)row)); }

static inline void nnc_say_of_step(nnc_derivation *why) { NNC_WHEN(why, nnc_say_of(why, "%s", "")); }

/* bytes of the buffer for a name such as "host.1.forward", which nnc_say_name writes from `what` ("host"), segment and
 * part */
enum { NNC_SAY_NAME = 64 };
void nnc_say_name(const char *what, int32_t segment, nnc_part part, char name[NNC_SAY_NAME]);

/* Records the degrees and the batch of a plan as operands, which later formulas can use. */
void nnc_say_plan(const nnc_plan *plan, nnc_derivation *why);
/* Records the parameter counts of the model as sums over groups of ops, and the count of each group as a sum over its
 * ops. */
void nnc_say_params(const nnc_op_list *list, const nnc_result *r, nnc_derivation *why);
/* nnc_say_groups records the FLOPs of one part of a pass as a sum over groups of ops. nnc_say_parts records a value as
 * a sum over the parts of a step. */
void nnc_say_groups(const nnc_group_sums *groups, nnc_part part, const char *name, double result, nnc_derivation *why);
void nnc_say_parts(const double sums[NNC_PARTS], const char *name, const char *unit, double result,
                   nnc_derivation *why);
/* Records lines of the busiest stage that need no rows: the seconds in which ops wait for the host, and exposed
 * communication. */
void nnc_say_step(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                  const nnc_stage_residency *holding, double update_wait_s, const nnc_result *r);
/* Both functions record sums over rows. nnc_say_rows: parts, communication and traffic of the step; nnc_say_bounds: the
 * seconds of each bound. */
void nnc_say_rows(const nnc_rows *rows, const nnc_result *r, nnc_derivation *why);
void nnc_say_bounds(const nnc_rows *rows, const nnc_result *r, nnc_derivation *why);
/* nnc_say_serial records the upper bound of a plan without a pipeline as a sum. nnc_say_equal_stages records the closed
 * formula of the bubble for a plan with a pipeline. */
void nnc_say_serial(const nnc_step *step, const nnc_rows *rows, const nnc_result *r);
void nnc_say_equal_stages(const nnc_step *step, const nnc_stage *busiest);

/* ---- lower.c: op list and op table of one rank ---- */

/* Returns the key under which memo/ keeps an op list: the plan with only the fields that affect the list. Lowering
 * reads only this key; all other fields are cleared, so no list can depend on them. */
nnc_plan nnc_plan_lowering_key(const nnc_plan *plan);
/* Returns the rules for lowering a plan, for example formats, and whether a separate kernel adds weight gradients. */
nnc_lowering nnc_lowering_of(const nnc_plan *plan, const nnc_software *software, nnc_attention attention);
/* Sets *seen to the lowering key of the plan (nnc_plan_lowering_key), and returns the rules for lowering *seen. These
 * rules give the same op list as those that nnc_lowering_of returns for the plan. */
nnc_lowering nnc_lowering_seen(const nnc_plan *plan, const nnc_software *software, nnc_plan *seen);

/* Tests whether two blocks of `size` bytes are equal in every byte. Structs with equal values may still differ in
 * unused bytes; the result is then false. */
static inline bool nnc_same_bytes(const void *a, const void *b, size_t size) { return memcmp(a, b, size) == 0; }

/* Begins a step: finds the links of the plan (*network), and the seconds that the host needs to issue ops.
 * nnc_step_set_list has to be called next. */
nnc_status nnc_step_begin(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                          const nnc_plan *plan, nnc_network *network, nnc_step *step, nnc_error *err);
/* Sets the op list of a step and all fields of the step that follow from the list. */
void nnc_step_set_list(nnc_step *step, const nnc_op_list *list, const nnc_lowering *how,
                       const nnc_segment_sums sums[NNC_SEGMENTS_MAX]);
/* Adds the communication of ZeRO-3 and offload to the op list of one rank. If the first and the last pipeline stage
 * both hold the tied embedding table, also adds the second copy to the sums of the segments. */
void nnc_finish_list(nnc_op_list *list, const nnc_lowering *how, nnc_segment_sums sums[NNC_SEGMENTS_MAX]);
/* Sets in the result the parameters and tokens of the whole model. whole: op list before it is sharded over ranks. */
void nnc_describe_model(const nnc_model *model, const nnc_op_list *whole, const nnc_step *step, nnc_result *r);
/* Tests whether the plan divides no op over ranks. The op list of one rank is then the op list of the model. */
bool nnc_plan_is_whole(const nnc_plan *plan);

/* Returns an error if tensors or parameters of an op list are too large for exact arithmetic. */
nnc_status nnc_check_list(const nnc_op_list *list, const nnc_model *model, nnc_error *err);
/* Shards an op list over ranks, sums the ops of each segment, and adds the communication of ZeRO-3 and offload. */
void nnc_split_list(nnc_op_list *list, const nnc_lowering *how, nnc_segment_sums sums[NNC_SEGMENTS_MAX]);

/* ---- estimate.c: one estimate, and its working memory ---- */

typedef nnc_status nnc_estimate_fn(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                                   const nnc_plan *plan, nnc_scratch *scratch, nnc_result *result, nnc_error *err);

struct nnc_scratch {
    nnc_op_list list;  /* op list of one rank of the last plan */
    nnc_op_list ideal; /* op list of the same model with ideal fusion; written only if ideal fusion changes the ops */
    nnc_rows rows;
    nnc_rows ideal_rows;
    nnc_network network;
    nnc_step_memory step;
    nnc_step_ends ends, ideal_ends;
    const nnc_rows *shown; /* op table of the last result, which nnc_scratch_ops returns; NULL = the last estimate made
                            * no op table */
    int32_t stages;        /* number of pipeline stages of the last result */
    nnc_plan plan;         /* `plan` and `software`: the last plan and profile that passed all checks */
    nnc_software software;
    nnc_result result;                 /* the result is first written here if the caller's nnc_result has another size
                                        * than this version's */
    nnc_ideal bound;                   /* lower bound of the last result; in ideal mode also the step of the result */
    bool brief;                        /* true: the estimate sets the bounds, and all values that need the op table of a
                                        * whole step, to NaN */
    bool fits_only;                    /* true (only with brief): for plans that do not fit, no time is computed
                                        * (NaN) */
    bool verdict_only;                 /* true (only with fits_only): for plans that do not fit, only the verdict is
                                        * certain to be set */
    bool untimed;                      /* true (only with brief): for all plans, only the memory is computed */
    bool workless;                     /* true (only with brief): FLOPs need not be counted, and may be 0 in the
                                        * result */
    uint32_t lists;                    /* number of op lists that memo/ keeps for later plans: 1, 2 or 4; 0 = one list,
                                        * but the first estimate of a model keeps none */
    nnc_derivation *why;               /* derivation to which estimates add their formulas; NULL = no formulas are
                                        * recorded */
    nnc_estimate_fn *estimate;         /* function that makes the estimates: nnc_estimate_once, or another function with
                                        * equal results */
    struct nnc_estimate_cache *shared; /* caches of the function in `estimate`; nnc_estimate_once uses no cache */
    void *load;                        /* memory for the simulation of a serving load, of load_bytes bytes; only serve/
                                        * reads and writes it */
    size_t load_bytes;
};

/* ---- changes.c: changes that make a plan faster or smaller ---- */

/* Command-line options that change a plan, and the time, memory and gain of the changed plan. */
typedef struct nnc_plan_change {
    char options[256]; /* options to append to the command line; "" = no change */
    double step_s, samples_per_s, cost_step;
    double gain; /* samples_per_s of the changed plan / samples_per_s of the given plan; if seq_len differs, the ratio
                  * of tokens per second */
    int64_t total_bytes, global_batch, seq_len;
    nnc_verdict verdict;
    int place;     /* order of the changes in the list if they are equally fast: the smaller place comes first */
    bool adapters; /* true: the changed plan trains adapters instead of all weights */
} nnc_plan_change;

enum { NNC_PLAN_CHANGES_MAX = 20 };

typedef struct nnc_plan_changes {
    nnc_plan_change list[NNC_PLAN_CHANGES_MAX]; /* changes of one option each; the change with the most samples per
                                                 * second is first */
    nnc_plan_change together;                   /* the best combination of options; options "" = no combination is worth
                                                 * listing */
    int32_t count, tries;                       /* count: number of changes in the list; tries: number of estimates that
                                                 * were made */
} nnc_plan_changes;

typedef struct nnc_plan_change_ask {
    const nnc_model *model;
    const nnc_device *device;
    const nnc_profiles *profiles;
    const nnc_software *others[2]; /* two other profiles to try: [0] compiled, [1] channels last; NULL = not
                                    * available */
    const nnc_plan *plan;          /* plan as the user gave it, before defaults are filled in */
    const nnc_result *base;        /* result of the estimate of `plan`; NULL = not estimated yet */
    bool quick;                    /* true: tries only the moves up to MOVE_QUICK, each alone; false: all moves, and
                                    * combinations */
} nnc_plan_change_ask;

/* Finds changes that make a plan faster or smaller, with at most a few hundred estimates; with `quick` at most a few
 * tens. Returns the number of changes in found->list; 0 also if the given plan is illegal. */
int nnc_plan_changes_find(const nnc_plan_change_ask *ask, nnc_scratch *scratch, nnc_plan_changes *found);

/* Returns scratch->load, enlarged to at least `bytes` bytes; NULL = out of memory. A new scratch has enough memory for
 * a simulation of 10,000 requests. */
void *nnc_scratch_load(nnc_scratch *scratch, size_t bytes);

/* Makes one estimate without a cache. The caller has checked all arguments; *result has the size of this version's
 * nnc_result. */
nnc_estimate_fn nnc_estimate_once;

/* Tests whether the number of parameters of the model differs by at most 1 % from the number that its file states.
 * Returns true also if the file states no number, or if the plan adds parameters (adapters, heads for further
 * tokens). */
bool nnc_is_as_published(const nnc_result *r, const nnc_model *model);
/* ---- fitting.c: the largest sizes that fit on a device; limits of the degrees ---- */

typedef struct nnc_remedy {
    char options[96];     /* options of the remedy, to append to the command line */
    int64_t micro_batch;  /* the largest micro-batch that fits with these options */
    int64_t total_bytes;  /* memory with these options, at the largest micro-batch that fits without them; at the member
                           * micro_batch if this is smaller, or if no micro-batch fits without them */
    double step_s;        /* step time in seconds at the micro-batch of total_bytes */
    double samples_per_s; /* samples per second at micro_batch */
} nnc_remedy;

enum { NNC_REMEDIES_MAX = 16 };

typedef struct nnc_fitting {
    int64_t micro_batch, micro_batch_tight; /* micro_batch: the largest micro-batch that fits; micro_batch_tight: the
                                             * largest with the verdict fits or tight; 0 = not even a micro-batch of
                                             * 1 */
    int64_t seq_len;                        /* the longest sequence that fits at the micro-batch of the plan; 0 = no
                                             * length fits, or the model has no sequences, or is a captured program */
    int64_t lora_rank;                      /* the largest LoRA rank that fits at the micro-batch of the plan; 0 = no
                                             * rank fits, or the plan has no adapters */
    int64_t layers;                         /* the largest number of decoder layers that fits at the micro-batch of the
                                             * plan; 0 = no number fits, or another kind of model */
    int64_t margin_bytes;                   /* difference between the largest and the smallest expected memory peak of
                                             * `result` */
    nnc_result result;                      /* estimate at the largest micro-batch that fits; if no micro-batch fits,
                                             * estimate of the plan itself */
    nnc_remedy remedies[NNC_REMEDIES_MAX];
    int32_t remedy_count;
    int64_t recorded_batch; /* largest batch in the recordings of a captured program; 0 = the model is not a captured
                             * program */
} nnc_fitting;

/* Finds the largest sizes that fit, and the remedies that save memory. Sizes are found by memory alone; times are
 * computed only for `result` and for each remedy that fits. Returns the errors of nnc_estimate. */
nnc_status nnc_fitting_find(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                            const nnc_plan *plan, nnc_scratch *scratch, nnc_fitting *fit, nnc_error *err);

/* Finds only *fits, the largest micro-batch that fits, and *tight, the largest micro-batch with the verdict fits or
 * tight. */
void nnc_fitting_micro_batches(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                               const nnc_plan *plan, nnc_scratch *scratch, int64_t *fits, int64_t *tight);

/* Axes for which nnc_limit_find finds a limit. Each axis is a degree of parallelism or the number of tokens (images)
 * per device and step; the help text of the axis states the condition of the limit. */
#define NNC_LIMIT_LIST(X)                                                                                        \
    X(NNC_LIMIT_TENSOR, "tensor", "The largest tensor degree that the network does not bound.")                  \
    X(NNC_LIMIT_CONTEXT, "context", "The largest context degree, likewise.")                                     \
    X(NNC_LIMIT_DATA, "data", "The fewest tokens (images) per device and step that the network does not bound.") \
    X(NNC_LIMIT_BATCH, "batch", "The fewest tokens (images) per device and step that compute bounds.")
NNC_ENUM(nnc_limit, NNC_LIMIT_LIST, NNC_LIMIT_COUNT);
const char *nnc_limit_name(nnc_limit value);
const char *nnc_limit_help(nnc_limit value);

/* A tried plan: seconds that compute, memory and network each need at datasheet rates, and the resource that needs
 * most. */
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
    double limit;      /* the largest degree, or the fewest tokens (images), that meets the condition of the axis
                        * (NNC_LIMIT_LIST); NaN = no tried plan meets it */
    const char *stop;  /* why the next tried plan does not meet the condition: name of the resource that bounds its
                        * step, or "plan" if the plan is illegal; NULL = every tried plan meets the condition */
    nnc_error why;     /* error of the first illegal plan past the limit; set only if stop is "plan" */
    nnc_result result; /* estimate of the plan at the limit; without a limit, of the last tried plan */
    nnc_limit_point points[NNC_LIMIT_POINTS_MAX]; /* all tried sizes with their times, sorted by size */
    int32_t count;
} nnc_limit_answer;

/* Finds the limit of the axis `of`. For a degree, tries every legal degree. For tokens, doubles the size until the
 * condition of the axis holds, and then bisects; sizes below one sequence shorten the sequence. All sizes use the same
 * software profile. Returns the errors of nnc_estimate, and NNC_ILLEGAL_PLAN if the axis is data and the plan has no
 * data ranks. */
nnc_status nnc_limit_find(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                          const nnc_plan *plan, nnc_limit of, nnc_scratch *scratch, nnc_limit_answer *answer,
                          nnc_error *err);

/* Estimates the memory of the stage that needs most, its verdict, and the resolved plan. Computes no times. */
nnc_estimate_fn nnc_estimate_memory;
/* Makes one estimate by a call of scratch->estimate; the caller has checked all arguments. */
nnc_estimate_fn nnc_estimate_read;

/* Clears the result before an estimate. This is the first part of nnc_estimate_once; memo/ calls the parts of that
 * function one by one. */
void nnc_estimate_begin(nnc_scratch *scratch, nnc_result *r);
/* Computes step ends, bounds and step time from the op table in scratch->rows. Computes the memory first, unless the
 * result already has it. */
nnc_status nnc_estimate_time(const nnc_model *model, nnc_step *step, nnc_scratch *scratch, nnc_result *r,
                             nnc_error *err);
/* Returns true if the caller wants a brief estimate (scratch->brief) and the plan has predicted mode; ideal mode is
 * never brief. */
bool nnc_estimate_is_brief(const nnc_scratch *scratch, const nnc_plan *plan);
nnc_status nnc_estimate_time_parts(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                                   nnc_scratch *scratch, nnc_result *r, nnc_error *err);
/* nnc_estimate_finish sets rates, money and energy. nnc_estimate_untimed completes an estimate that has only memory,
 * and sets its times to NaN. Both return an error if numbers are too large for exact arithmetic, or parameters differ
 * from the model file. */
nnc_status nnc_estimate_untimed(const nnc_model *model, nnc_result *r, nnc_error *err);
nnc_status nnc_estimate_finish(const nnc_model *model, const nnc_device *device, const nnc_step *step, nnc_result *r,
                               nnc_error *err);

/* Computes the memory of every pipeline stage; the result gets the memory of the stage that needs most. fullest: true =
 * a stage is skipped if it equals the stage before and has no more micro-batches in flight. */
void nnc_stage_memory(const nnc_step *step, const nnc_model *model, bool fullest, nnc_step_memory *m, nnc_result *r);

/* Sets rates (samples, tokens and FLOP/s) and utilisation (MFU, HFU) in the result, from its FLOPs and step time. */
void nnc_utilisation(nnc_result *r, nnc_derivation *why);
/* Sets money and energy of a step; if the plan gives the length of the run, device-hours, money and energy of the run.
 * Energy is computed from the power limit of the device. */
void nnc_run_cost(const nnc_device *device, nnc_result *r, nnc_derivation *why);
/* Returns the price of a device-hour: `price` (that of the plan) if it is not NaN, else the newest price in the device
 * file; NaN = not known. */
double nnc_price_of(double price, const nnc_device *device);

/* ---- step.c: time of a single op ---- */

enum { NNC_SINGLE_OP_DIMS_MAX = 8 };

/* One op of the command nncost op, and its computed time. Numbers that the kind of op does not have are NaN. */
typedef struct nnc_single_op {
    const char *kind;                     /* kind of the op, for example "matmul" */
    const char *kernel;                   /* kernel of an attention: flash, cudnn, efficient, math; NULL = the op is no
                                           * attention */
    const char *layout;                   /* layout of a convolution: channels_last, contiguous; NULL = the op is no
                                           * convolution */
    bool unmasked;                        /* true: the op is an attention without a mask */
    int64_t dims[NNC_SINGLE_OP_DIMS_MAX]; /* dimensions, in the order that the kind of op defines */
    int32_t dim_count;
    double bytes; /* bytes of the whole tensor of a collective */
    nnc_dtype precision;
    int32_t devices, devices_per_node;
    char shape[96];
    double flops, moved_bytes; /* moved_bytes: bytes that the op reads and writes; of a collective, bytes that one rank
                                * sends */
    double flops_per_byte, ridge_flops_per_byte;
    double bound_s; /* seconds of the op by the roofline, at datasheet rates */
    /* predicted seconds: of the compute units, of memory, fixed, of the network, and in total */
    double compute_s, memory_s, fixed_s, network_s, time_s;
    double flops_per_s, bytes_per_s; /* FLOPs and bytes per second at the predicted time */
    /* rate that the op reaches / datasheet rate of the resource that bounds it */
    double peak_share;
    nnc_bound bound;
    const char *link; /* name of the link that a collective uses */
} nnc_single_op;

/* Makes the op of a PyTorch operator from its name: copy, add, cast, gelu, softmax, norm, loss, loss-fp32, optimizer,
 * embedding. The tensor has rows x columns values. loss-fp32 is a loss that first casts its logits to fp32. Returns
 * false if the name is not known. */
bool nnc_streaming_op(const char *name, int64_t rows, int64_t columns, nnc_dtype dtype, nnc_op *op);

/* Computes FLOPs, bytes, bound and predicted time of one op into *alone. Returns NNC_BAD_USAGE for an unknown kind or
 * wrong dimensions. */
nnc_status nnc_single_op_time(const nnc_device *device, nnc_single_op *alone, nnc_error *err);

#endif
