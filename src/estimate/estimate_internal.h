/* Estimates of one training step: from a plan to seconds, bytes and money. The files are in the order in which
 * estimate.c calls them:
 *
 *     resolve.c      fills in the fields that the plan leaves open, and checks the plan
 *     lower.c        model and plan -> op list of one rank, with the communication of ZeRO-3 and offload; op table
 *     partition.c    layers -> pipeline stages: how many layers of each segment a device holds
 *     overlap.c      op table -> seconds of one layer of each segment, with overlap and with the time to issue ops
 *     step_end.c     work once per step: communication of gradients and sharded weights, optimizer
 *     step.c         seconds of layers -> pipeline schedule -> step time, its parts, FLOPs, timeline; time of one op
 *     bounds.c       lower bound (ideal step) and upper bound (no overlap) of the step time
 *     estimate.c     one whole estimate; then rates, cost and the interval of the step time
 *     derive_step.c  lines of nncost explain that are sums over rows or segments
 *     advise.c, changes.c, fitting.c, sensitivity.c    make many estimates: plans that fit, faster or smaller plans,
 *                    the largest size that fits, the effect of device parameters
 *
 * A file calls only files above it in this list; derive_step.c calls no file of the list. */
#ifndef NNCOST_ESTIMATE_ESTIMATE_INTERNAL_H
#define NNCOST_ESTIMATE_ESTIMATE_INTERNAL_H

#include <nncost/estimate.h>

#include "base/base_internal.h"
#include "cost/cost_internal.h"
#include "pipeline/pipeline_internal.h"
#include "shape/shape_internal.h"

/* ---- resolve.c: completes and checks a plan ---- */

/* Copies the plan `given`, which may have the struct_size of an older version, to *plan and checks its fields. given
 * NULL: writes the default plan to *plan. */
nnc_status nnc_plan_read(const nnc_plan *given, nnc_plan *plan, nnc_error *err);

/* Arguments of a public function of the library. nnc_estimate_args_read has read and checked them. */
typedef struct nnc_estimate_args {
    nnc_plan plan;
    const nnc_software *software;
    nnc_software neutral; /* the neutral profile; `software` points to this member if the caller gave no profile */
} nnc_estimate_args;

/* Reads and checks the arguments with which a user called the public function `function` (error messages contain this
 * name), and writes them to *asked. software: the software profile; NULL = the neutral profile. */
nnc_status nnc_estimate_args_read(const char *function, const nnc_model *model, const nnc_device *device,
                                  const nnc_software *software, const nnc_plan *plan, nnc_estimate_args *asked,
                                  nnc_error *err);

/* Returns the kinds of recomputation (bit flags) that have an effect: all flags of `recompute`, except with full
 * recomputation. Full recomputation includes all other kinds, so the function then returns only the flag of full
 * recomputation. */
static inline unsigned nnc_plan_recompute(unsigned recompute) {
    return (recompute & NNC_RECOMPUTE_FULL) != 0 ? NNC_RECOMPUTE_FULL : recompute;
}

/* Sets the fields that a plan leaves open: precision, policy, degrees, batch, schedule. nnc_plan_read must have read
 * the plan before. Returns NNC_ILLEGAL_PLAN if the plan breaks a rule; err then names the option and the rule. */
nnc_status nnc_plan_resolve_read(const nnc_plan *plan, const nnc_model *model, const nnc_device *device,
                                 nnc_plan *resolved, nnc_error *err);

/* Changes flash attention to unfused attention in a resolved plan if the software profile has no fused attention.
 * Leaves a plan with context parallelism as it is. */
void nnc_plan_set_attention(nnc_plan *plan, const nnc_software *software);

/* Sets the fields that a plan leaves open, as nnc_plan_resolve_read does, and calls nnc_plan_set_attention, which
 * changes the attention if the software profile has no fused attention. */
nnc_status nnc_plan_resolve_for(const nnc_plan *plan, const nnc_model *model, const nnc_device *device,
                                const nnc_software *software, nnc_plan *resolved, nnc_error *err);

/* Checks the schedule and the virtual stages of a resolved plan again, after one of them was changed. The remaining
 * fields of the plan do not depend on the schedule and the virtual stages. layers: number of layers of the model. */
nnc_status nnc_plan_resolve_schedule(nnc_plan *plan, const nnc_model *model, int64_t layers, nnc_error *err);

/* Inputs of the estimate of a changed plan. `plan`, `model` and `software` point to objects of the caller. If the
 * change alters one of these three objects, the pointer to this object points to a copy instead: own_plan, own_model or
 * own_software. */
typedef struct nnc_variant {
    const nnc_plan *plan;
    const nnc_model *model;
    const nnc_software *software;
    nnc_plan own_plan;
    nnc_model own_model;
    nnc_software own_software;
} nnc_variant;

/* A function that fills in a changed plan with the settings of the framework release that the user has named. On entry
 * of `complete`, variant->own_plan is a plan that was made by a change of `base`, and variant->own_model is the model
 * of this plan. The function sets the fields of own_plan and own_model that neither the user nor the change has set,
 * and sets own_software. The function returns false if the file of the release has a fault. The caller of `complete`
 * passes the member `in` as the first argument. */
typedef struct nnc_completer {
    bool (*complete)(const void *in, const nnc_plan *base, nnc_variant *variant);
    const void *in;
} nnc_completer;

/* If `profiles` belongs to a framework release (profiles->completer is not NULL), copies the plan and the model of
 * *variant to own_plan and own_model, and calls the function of the nnc_completer. The plan of *variant was made by a
 * change of the plan `base`. Without a release, *variant is not changed. Returns false if the file of the release has a
 * fault. */
bool nnc_variant_complete(nnc_variant *variant, const nnc_profiles *profiles, const nnc_plan *base);

/* ---- partition.c: layers of pipeline stages ---- */

enum { NNC_STAGES_MAX = NNC_PIPELINE_STAGES_MAX, NNC_VIRTUAL_STAGES_MAX = NNC_PIPELINE_VIRTUAL_MAX };

/* Number of layers (instances) of each segment on one virtual stage. */
typedef struct nnc_stage_layers {
    int64_t instances[NNC_SEGMENTS_MAX];
} nnc_stage_layers;

/* Layers of each virtual stage, in the order in which a micro-batch passes the stages. Every virtual stage gets the
 * same number of layers; if the number of layers is not a multiple of the number of stages, the first stages get one
 * layer more each. The first stage has the embedding, and the last stage has the head. */
typedef struct nnc_stage_partition {
    /* stages: number of devices of the pipeline; virtual_stages: number of virtual stages on all devices together */
    int32_t stages, virtual_stages;
    int32_t segments;
    nnc_stage_layers shares[NNC_VIRTUAL_STAGES_MAX];
    /* true: the virtual stage has the same layers as the virtual stage before it; false: it is not known whether the
     * two stages have the same layers */
    bool alike[NNC_VIRTUAL_STAGES_MAX];
} nnc_stage_partition;

void nnc_partition_layers(const nnc_op_list *list, const nnc_plan *plan, nnc_stage_partition *partition);

/* Returns the index of the pipeline device that holds a virtual stage. In interleaved schedules, successive virtual
 * stages are on successive devices; the device after the last is the first device again. In the schedule zb-v, the
 * virtual stages go from the first device to the last device, and then back from the last to the first. */
int32_t nnc_partition_device(const nnc_plan *plan, int32_t virtual_stage);

/* With full recomputation, returns the number of layers of a segment on one virtual stage that backward computes again.
 * Without full recomputation, returns 0. If the plan limits the number of recomputed layers, the first layers of the
 * stage are computed again. If the stage has alternating layers of different kinds, the same fraction of the layers of
 * each kind is computed again. */
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
    /* seconds by which each part of a pass is longer because the device waits for the host to issue ops */
    double host_s[NNC_PASS_PARTS];
    /* At the end of a pass, the host has issued all ops before the device has finished them; lead_s: seconds between
     * these two times. lead_s is set only for the first segment. */
    double lead_s;
    /* for each lane (set of links): seconds in which the links of the lane are free while the device computes or waits
     * for other links, so that further communication could run on them */
    double free_s[NNC_PASS_PARTS][NNC_LANES];
} nnc_segment_time;

/* Overlap of a plan with a software profile. share: fraction (0 to 1) of the time of each kind of communication that
 * may overlap with compute. */
typedef struct nnc_overlap {
    double share[NNC_COMM_COUNT];
    /* overlapped fraction of the collectives of tensor parallelism in backward; `share` has their fraction in
     * forward */
    double tensor_backward;
    /* fraction that overlaps, for the part of the communication of context parallelism that must end before attention
     * starts */
    double context_ahead;
    /* fraction of the attention time in which ring transfers can run: the time of all blocks of keys except the last
     * block */
    double ring_share;
    /* true: the schedule computes weight gradients at another time than the rest of backward; then no communication
     * overlaps with weight gradients */
    bool weight_apart;
} nnc_overlap;
nnc_overlap nnc_overlap_of(const nnc_plan *plan, const nnc_software *software);

/* Overlaps the communication of each segment and phase with the compute of the same segment and phase; transfers of
 * ring attention overlap with the attention first. In the row of a collective, time_s is set to the exposed seconds. If
 * the fraction `share` of the shorter time can overlap, C seconds of compute and N seconds of communication take
 *     t = C + N - share min(C, N)
 * [overlap] */
void nnc_rows_overlap(nnc_rows *rows, const nnc_op_list *list, const nnc_network *network, const nnc_overlap *overlap,
                      nnc_derivation *why);

/* Seconds that the host needs to issue one op. Some libraries launch a separate kernel for each product of a group of
 * products (experts). */
typedef struct nnc_launch {
    /* seconds that the host needs: op_s for one op; product_s in addition for each product of a group of products. If
     * kernel_s is above 0, the host needs kernel_s for each kernel of an op, and op_s and product_s are not used */
    double op_s, product_s, kernel_s;
    /* true: the kernels of norms and attention are recorded once and replayed, so the host needs no time for norms and
     * attention */
    bool recorded_attention;
    /* seconds of the host for the hooks of a framework with ZeRO: module_s for one pass through a module; tensor_s for a
     * parameter tensor that forward or backward fetches; again_s for a parameter tensor that a recomputed forward finds
     * in memory; gradient_s for the gradient of one tensor */
    double module_s, tensor_s, again_s, gradient_s;
} nnc_launch;
/* Returns the ZeRO stage whose hooks run: 2 or 3; 0 = no hooks. */
static inline int32_t nnc_hooks_stage(const nnc_software *software, const nnc_plan *plan) {
    return software->module_hooks && plan->zero >= 2 ? plan->zero : 0;
}
/* Returns the seconds that the host needs for the hooks of an op in its current phase.   [hooks] */
static inline double nnc_hooks_of_op_s(const nnc_launch *launch, const nnc_op *op) {
    const double gradients = op->frozen ? 0.0 : launch->gradient_s * (double)op->tensors;
    if (op->phase == NNC_PHASE_GRAD_WEIGHT) { return gradients; }
    const double modules = launch->module_s * (double)op->modules;
    const bool alone = op->kind != NNC_OP_MATMUL && op->kind != NNC_OP_CONV;
    switch (op->phase) {
    case NNC_PHASE_FORWARD: return modules + launch->tensor_s * (double)op->tensors;
    case NNC_PHASE_RECOMPUTE: return modules + launch->again_s * (double)op->tensors;
    case NNC_PHASE_UPDATE: return 0.0;
    default: return modules + launch->tensor_s * (double)op->tensors + (alone ? gradients : 0.0);
    }
}
/* Returns the seconds that the host needs to issue an op, without hooks. */
static inline double nnc_issue_of_op_s(const nnc_launch *launch, const nnc_op *op) {
    if (launch->kernel_s > 0.0) { return launch->kernel_s * nnc_op_issued(op).kernels; }
    const double products = op->kind == NNC_OP_MATMUL ? (double)op->u.matmul.experts : 0.0;
    /* the op has no kernel of its own, because the kernel of another op computes it, so the host does not issue it */
    if (op->issued_as == NNC_ISSUED_INSTEAD && nnc_op_issued(op).kernels < 1.0) { return 0.0; }
    if (launch->recorded_attention && (op->group == NNC_GROUP_ATTENTION || op->group == NNC_GROUP_NORM)) { return 0.0; }
    return launch->op_s + (products > 1.0 ? products * launch->product_s : 0.0);
}
/* Returns the seconds that the host needs to issue an op and to run its hooks. */
static inline double nnc_launch_of_op_s(const nnc_launch *launch, const nnc_op *op) {
    const double issue_s = nnc_issue_of_op_s(launch, op);
    return launch->gradient_s > 0.0 ? issue_s + nnc_hooks_of_op_s(launch, op) : issue_s;
}

/* Returns the seconds in which the device waits for the host in one pass of a segment. layers: number of layers with
 * forward and backward; again: number of layers that backward computes again. */
static inline double nnc_layers_wait_s(const nnc_segment_time *layer, double layers, double again) {
    return layers * (layer->host_s[NNC_PART_FORWARD] + layer->host_s[NNC_PART_BACKWARD]) +
           again * layer->host_s[NNC_PART_RECOMPUTE];
}

/* Sums the rows of each segment into the seconds of one layer and one pass. The host issues the next ops while the
 * device still works. If the ops of a part of a pass take `device` seconds on the device, and the host needs `host`
 * seconds to issue them, the part takes
 *     (device^4 + host^4)^(1/4)
 * The member host_s of a segment is this time minus `device`.   [launch] */
void nnc_segment_times_sum(const nnc_rows *rows, const nnc_op_list *list, const nnc_network *network,
                           const nnc_launch *launch, nnc_segment_time units[NNC_SEGMENTS_MAX], nnc_derivation *why);

/* ---- a step: its inputs and its working memory ---- */

enum { NNC_STEP_EXCHANGES_MAX = 12 };

/* Seconds of the step end (the work after the last backward) of one device: for each of its collectives, in their
 * order, the kind (comm) and the exposed seconds; and the seconds of the optimizer update. */
typedef struct nnc_step_end_seconds {
    nnc_comm comm[NNC_STEP_EXCHANGES_MAX];
    double exposed_s[NNC_STEP_EXCHANGES_MAX], update_s;
    /* seconds in which the device waits for the host to issue the kernels of the update. If the host gets ahead during
     * the update, the next pass waits less, and these saved seconds are subtracted. */
    double wait_s;
    int exchanges;
} nnc_step_end_seconds;

/* Everything from which the time of a step is computed. */
typedef struct nnc_step {
    const nnc_device *device;
    const nnc_plan *plan;
    const nnc_software *software;
    const nnc_op_list *list;      /* op list of one rank under the plan */
    const nnc_segment_sums *sums; /* times, FLOPs and bytes of each segment of the op list, added up over its ops */
    /* links and rates of the groups of ranks of the plan; NULL = the plan has one device */
    const nnc_network *network;
    /* number of parameters of the tied embedding table on one rank; 0 unless both the first and the last pipeline stage
     * hold a copy of the table */
    double tied_params;
    nnc_launch launch;
    /* bytes of activations that a pipeline stage sends to the next stage for one micro-batch */
    double send_bytes;
    double send_s; /* seconds to send send_bytes to the next stage; 0 without a pipeline */
    /* for each resource: true = the step is computed as if the resource took no time, to find the step time without
     * this resource */
    bool free[NNC_BOUND_COUNT];
    /* collectives and update of each pipeline stage after its last backward, with times without overlap */
    const struct nnc_step_ends *ends;
    nnc_derivation *why; /* derivation to which the functions add the formulas of the step; NULL = no
                          * formulas are recorded */
} nnc_step;

/* Tests whether the program adds the gradients of each micro-batch to the sum of earlier micro-batches with a kernel of
 * its own. A software profile can state that the program adds gradients with a kernel of its own; in captured programs
 * autograd always does. */
static inline bool nnc_step_adds_gradients(const nnc_step *step) {
    return step->software->added_gradients || step->list->recorded;
}

/* Working memory of the functions that compute a step. */
typedef struct nnc_step_memory {
    double delay_s; /* seconds that the messages between stages add to the step */
    double send_s;  /* seconds of one message between stages, as used in the last replay */
    int64_t runs;   /* number of replays of the schedule so far, over all estimates that use this working memory */
    nnc_stage_partition partition;
    nnc_stage_residency holdings[NNC_STAGES_MAX];
    /* true: the pipeline stage has the same layers and the same memory as the stage before it */
    bool alike[NNC_STAGES_MAX];
    nnc_stage stages[NNC_STAGES_MAX];
    nnc_pipeline_memory pipeline;
    nnc_pipeline_result run;
    /* seconds of the step end of each stage; stages with equal step ends point to the same element of own_ends */
    const nnc_step_end_seconds *ends[NNC_STAGES_MAX];
    nnc_step_end_seconds own_ends[NNC_STAGES_MAX];
    double forward_s[NNC_VIRTUAL_STAGES_MAX], backward_s[NNC_VIRTUAL_STAGES_MAX], weight_s[NNC_VIRTUAL_STAGES_MAX];
} nnc_step_memory;

/* Returns how many micro-batches pass through each layer of a device in a step. The result is the number of
 * micro-batches of the plan. With DualPipe the result is half of the micro-batches of the plan, because a device then
 * holds two stages, and each micro-batch passes through one of them. */
static inline int64_t nnc_step_passes(const nnc_plan *plan) {
    return plan->micro_batches / (nnc_schedule_dual(plan) ? 2 : 1);
}

/* Returns the number of ranks that hold equal copies of one shard of the parameters. route: NNC_ROUTE_SHARD =
 * parameters outside experts; any other route = parameters of experts. shards: number of shards into which ZeRO divides
 * these parameters. */
static inline int32_t nnc_shard_replicas(const nnc_plan *plan, nnc_route_kind route, double shards) {
    const int32_t same =
        route == NNC_ROUTE_SHARD ? plan->data * plan->context : nnc_plan_expert_ranks(plan) / plan->expert;
    return same / (int32_t)shards;
}

static inline nnc_route_kind nnc_replica_route(nnc_route_kind route) {
    return route == NNC_ROUTE_SHARD ? NNC_ROUTE_REPLICA : NNC_ROUTE_EXPERT_REPLICA;
}

/* Returns the seconds of an op that is not a collective: the longer of compute_s and memory_s, plus fixed_s. If
 * step->free is true for compute, compute_s counts as 0; in the same way, memory_s counts as 0 for memory, and fixed_s
 * for the host. */
static inline double nnc_step_free_s(const nnc_step *step, double compute_s, double memory_s, double fixed_s) {
    const double compute = step->free[NNC_BOUND_COMPUTE] ? 0.0 : compute_s;
    const double memory = step->free[NNC_BOUND_MEMORY] ? 0.0 : memory_s;
    return nnc_max(compute, memory) + (step->free[NNC_BOUND_HOST] ? 0.0 : fixed_s);
}

/* Distributes the layers over the pipeline stages: fills m->holdings and m->alike. Defined in partition.c. */
void nnc_step_partition(const nnc_step *step, nnc_step_memory *m);
/* nnc_step_partition_again updates the partition after a change of only the number of micro-batches. Sets the
 * micro-batches in flight of every device. Returns true if the memory of every device stays the same: the micro-batches
 * in flight have not changed, and all chunks of each device are equal. Returns false if the chunks of a device differ,
 * because the peak of its memory may then come at another time. */
bool nnc_step_partition_again(const nnc_step *step, nnc_step_memory *m);
/* Sets the numbers of micro-batches in flight at the memory peak, for a device whose chunks keep different numbers of
 * bytes. step->sums has to be set before the call. */
void nnc_step_find_peak(const nnc_step *step, nnc_step_memory *m, int32_t device);

/* Overlaps the communication rows of the op table with compute, then sums the rows of each segment to the seconds of
 * one layer (units). Defined in overlap.c. */
void nnc_step_segment_times(const nnc_step *step, nnc_rows *rows, nnc_segment_time units[NNC_SEGMENTS_MAX]);

/* ---- step_end.c: work once per step: communication of gradients and weights, update ---- */

/* Seconds of one pass in which communication of the step end can run at the same time, on one device, in forward
 * (forward_s) and in backward (backward_s). The seconds of a lane are the seconds of compute, of the host issuing ops,
 * and of communication in other lanes, minus the seconds that already overlap with other communication. */
typedef struct nnc_overlap_window {
    double forward_s[NNC_LANES], backward_s[NNC_LANES];
    /* bucket_bytes: bytes of a bucket of gradients; table_share: fraction of the gradients outside experts that belongs
     * to the embedding table of the first segment */
    double bucket_bytes, table_share;
    /* if each ZeRO-3 unit is a bucket: fraction of all gradients of the device that one unit has; 0 = the size of a
     * bucket is bucket_bytes */
    double unit_share;
    /* shards: number of ranks over which the gradients outside experts of one replica are divided; expert_shards:
     * number of ranks over which the gradients of experts are divided */
    double shards, expert_shards;
} nnc_overlap_window;

/* Returns the exposed seconds of a collective of the step end. N (exchange_s): seconds of the collective in its lane. o
 * (share): fraction of the collective that may overlap. t (from `window`): seconds of one pass with which the
 * collective can overlap. Gradients are sent in buckets as soon as their layers are done. Each bucket has the share f
 * of the gradients; the last bucket, which may hold a whole embedding table, has the share l >= f.
 *     o min(max(t + l N, N + f t) - t, N) + (1 - o) N
 * Source: PyTorch DDP arXiv:2006.15704.   [bucketed-overlap] */
double nnc_cluster_exposed_s(const nnc_collective_op *exchange, double exchange_s, double share, nnc_lane lane,
                             const nnc_overlap_window *window, nnc_derivation *why);

/* Work of one device after its last backward in a step: collectives, then the optimizer update. All times are for each
 * op alone, without overlap. */
typedef struct nnc_step_end {
    nnc_op exchanges[NNC_STEP_EXCHANGES_MAX];
    double exchange_s[NNC_STEP_EXCHANGES_MAX];
    int exchange_count;
    nnc_op updates[NNC_UPDATE_KIND_COUNT];
    nnc_work works[NNC_UPDATE_KIND_COUNT];
    nnc_timing times[NNC_UPDATE_KIND_COUNT];
    int update_count;
} nnc_step_end;

/* Numbers of trained parameters on a device: outside experts (dense), of experts (expert), and of the tied embedding
 * table (tied_params). For one plan, profile and network, devices with equal numbers of trained parameters have equal
 * step ends. */
typedef struct nnc_step_end_params {
    nnc_parameters dense, expert;
    double tied_params;
} nnc_step_end_params;
nnc_step_end_params nnc_step_end_params_of(const nnc_step *step, const nnc_stage_residency *holding);
void nnc_step_end_find(const nnc_step *step, const nnc_step_end_params *held, nnc_step_end *t);

/* The step end (collectives and update) of every pipeline stage; stages with equal step ends point to the same element
 * of `own`. */
typedef struct nnc_step_ends {
    const nnc_step_end *of[NNC_STAGES_MAX];
    /* storage of the step ends to which `of` points; a step end that several successive stages share is stored in the
     * entry of the first of them */
    nnc_step_end own[NNC_STAGES_MAX];
} nnc_step_ends;
void nnc_step_ends_find(const nnc_step *step, const nnc_step_memory *m, nnc_step_ends *ends);

/* Returns the exposed seconds of the step end of one device. holding: layers of the device. t: the step end of the
 * device with times without overlap. */
nnc_step_end_seconds nnc_step_end_expose(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                                         const nnc_stage_residency *holding, const nnc_overlap *overlap,
                                         const nnc_step_end *t);
/* nnc_step_end_set writes *seconds, the times of the step end of stage d, to m->ends[d] and m->stages[d].
 * nnc_step_end_set_alike writes the times of stage d - 1 to stage d. */
void nnc_step_end_set(nnc_step_memory *m, int32_t d, const nnc_step_end_seconds *seconds);
void nnc_step_end_set_alike(nnc_step_memory *m, int32_t d);
/* Computes the seconds of the step end of every stage, after overlap, and stores them in *m. The functions of step.c
 * read the seconds of the step end from *m to compute the step time. */
void nnc_step_ends_set(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], const nnc_overlap *overlap,
                       nnc_step_memory *m);

/* Adds the times of the step end of one device to the result: the exposed seconds of each collective, and the seconds
 * of the update. */
void nnc_step_end_add(const nnc_step_end_seconds *seconds, nnc_result *r);

/* Appends the rows of the step end of one stage to the op table of the stage. */
void nnc_step_end_append(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], const nnc_step_memory *m,
                         int32_t stage, const nnc_overlap *overlap, nnc_rows *rows);

/* ---- step.c: the step time ---- */

/* Seconds of all passes of a step, from a replay of the pipeline schedule. */
typedef struct nnc_step_times {
    double total_s; /* seconds from the start of the first pass to the end of the last pass */
    double send_s;  /* seconds of one message between stages that do not overlap with compute */
    int64_t run;    /* value of nnc_step_memory.runs after the replay that computed these times */
    int32_t stage;  /* index of the pipeline stage whose passes take longest */
} nnc_step_times;

/* Computes the step time and writes the times to *result. rows: on entry the op table of one micro-batch on a rank that
 * holds every layer; on return the rows of the busiest stage over the whole step, followed by the rows of its step end.
 * spare: buffer with space for as many rows as `rows`. Returns false if the pipeline is too large to replay.
 * [step] */
bool nnc_step_time(const nnc_step *step, nnc_rows *rows, nnc_rows *spare, nnc_step_memory *m, nnc_result *result);

/* Writes to *m the seconds of forward, backward and weight gradients of each virtual stage, and of one message between
 * stages. A search calls nnc_step_core_times before it replays several pipelines at the same time. */
void nnc_step_core_times(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], nnc_step_memory *m);
/* Replays all passes in the order of the schedule and writes their times to *times. Returns false if the pipeline is
 * too large to replay. */
bool nnc_step_core_run(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], nnc_step_memory *m,
                       nnc_step_times *times);
/* Returns the step time of a pipeline in seconds: the seconds of all passes, plus the seconds of the longest step end
 * of a stage. */
double nnc_step_core_s(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                       const nnc_step_times *times, nnc_step_memory *m);
/* Sets in the result the step time and its parts: times of the busiest stage, exposed communication, bubble. Returns
 * false if the pipeline is too large to replay. */
bool nnc_step_core_parts(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                         const nnc_step_times *times, nnc_step_memory *m, nnc_result *r);

/* Replays the schedule with the given seconds of each segment, and writes the times to m->run. send_s: seconds of a
 * message between stages. A plan without a pipeline runs one pass after another. Returns false if the pipeline is too
 * large to replay. */
bool nnc_step_run(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], double send_s,
                  nnc_step_memory *m);
/* Returns the pipeline (schedule, stages, times) of the last replay. The pointers in the returned struct point into
 * *m. */
nnc_pipeline nnc_step_pipeline(const nnc_plan *plan, const nnc_step_memory *m);
/* Returns the index of the device that works longest in the replay m->run; if several devices work equally long, the
 * lowest index. */
int32_t nnc_step_busiest(const nnc_step_memory *m, int32_t stages);
/* nnc_held_bytes and nnc_step_held_bytes return the bytes of workspaces of matrix products that stay allocated between
 * two steps. The software profile states these bytes. has_experts: the network has matrix products of experts;
 * nnc_step_held_bytes looks for these products in the op list. */
double nnc_held_bytes(const nnc_device *device, const nnc_software *software, bool has_experts);
double nnc_step_held_bytes(const nnc_step *step);

/* Fills m->stages from the last replay. This function does not set the memory and the times of the step end in
 * m->stages; other functions set them. */
void nnc_step_describe(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], nnc_step_memory *m);
/* Removes from `rows` the rows of layers that the device does not hold, and sets the repeat of each remaining row to
 * the number of times that its op runs in the whole step. */
void nnc_step_restrict(const nnc_step *step, const nnc_stage_residency *holding, nnc_rows *rows);
/* Sets r->bound to the resource that the ops of the step wait for longest, and r->next_bound to the resource with the
 * second longest time. */
void nnc_step_rank(nnc_result *r);
/* Sets step->send_bytes to the bytes of a message between stages, and step->send_s to its seconds. */
void nnc_step_set_send(nnc_step *step, double send_bytes);
/* Returns the seconds of one message from a pipeline stage to the next stage; 0 if step->free says that the network
 * takes no time. */
double nnc_step_send_s(const nnc_step *step);

/* FLOPs of one micro-batch: sums[part][group] for each part of the step and each group of ops. */
typedef struct nnc_group_sums {
    double sums[NNC_PARTS][NNC_GROUP_COUNT];
} nnc_group_sums;

/* FLOPs of one micro-batch. causal: FLOPs of forward and backward; in an attention only the pairs of tokens under the
 * mask count. */
typedef struct nnc_pass_work {
    /* FLOPs of each part of a pass, by the rule for counting that the plan sets */
    double counted[NNC_PASS_PARTS], causal;
    /* FLOPs of `counted`, for each part and each group of ops; set only if step->why is not NULL */
    nnc_group_sums groups;
} nnc_pass_work;

/* Sets for each segment the fraction of its layers, over all pipeline stages, that backward computes again; 1 without
 * full recomputation. Returns true if full recomputation is off, or if all layers are computed again. */
bool nnc_step_recomputed(const nnc_step *step, const nnc_step_memory *m, double shares[NNC_SEGMENTS_MAX]);
/* Counts the model FLOPs of one micro-batch, over all tensor, context and expert ranks. again: for each segment, the
 * fraction of its layers that backward computes again, from nnc_step_recomputed. */
void nnc_step_pass_work(const nnc_step *step, const nnc_rows *rows, const double again[NNC_SEGMENTS_MAX],
                        nnc_pass_work *work);
void nnc_step_work(const nnc_step *step, const nnc_pass_work *work, nnc_result *r);
/* Counts the FLOPs of the step and writes them to the result, by calls of nnc_step_recomputed, nnc_step_pass_work and
 * nnc_step_work. */
void nnc_step_count_work(const nnc_step *step, const nnc_rows *rows, const nnc_step_memory *m, nnc_result *r);
/* Sets in the result the FLOPs that all ranks together execute. The FLOPs are computed from the op table of one rank;
 * if several ranks compute the same values, the FLOPs of each rank are counted. */
void nnc_step_executed(const nnc_step *step, const nnc_rows *rows, const nnc_step_memory *m, nnc_result *r);

/* ---- bounds.c: the lower and the upper bound of the step time ---- */

typedef enum nnc_engine { NNC_ENGINE_MATRIX, NNC_ENGINE_VECTOR, NNC_ENGINE_MEMORY, NNC_ENGINES } nnc_engine;

/* A step in ideal mode: every efficiency is 1, fixed times are 0, norms and pointwise ops are fused into their
 * neighbours, and all communication overlaps. The step is replayed for each engine (matrix, vector, memory) as if only
 * this engine took time; the longest of the three step times, with bubble, is used. The vector engine takes no time if
 * its rate is not published. If a fabric is busy for longer than the longest of the three step times, the difference is
 * exposed communication. The parts (forward_s ... bubble_s) add up to step_s. */
typedef struct nnc_ideal {
    double step_s;
    nnc_engine engine;
    int32_t stage;
    double forward_s, backward_s, recompute_s, update_s, exposed_comm_s, bubble_s;
    double engine_s[NNC_ENGINES], network_s; /* network_s: seconds in which the busiest fabric works during one step */
    nnc_fabric fabric;
} nnc_ideal;

/* Seconds of one layer of each segment in one pass. engine: as if only one engine (matrix, vector, memory) took time.
 * serial: the sum of compute, memory and network, without overlap. The times are computed from the op table of one
 * micro-batch on a rank that holds every layer. */
typedef struct nnc_bound_segment_times {
    nnc_segment_time engine[NNC_ENGINES][NNC_SEGMENTS_MAX];
    nnc_segment_time serial[NNC_SEGMENTS_MAX];
} nnc_bound_segment_times;
void nnc_bound_segment_times_sum(const nnc_step *step, const nnc_rows *rows, nnc_bound_segment_times *units);

/* Computes the ideal step (see nnc_ideal). Returns false if the pipeline is too large to replay. */
bool nnc_ideal_step(const nnc_step *step, const nnc_rows *rows, const nnc_bound_segment_times *units,
                    nnc_step_memory *m, nnc_ideal *ideal);

/* nnc_ideal_say adds to the derivation the times of all engines and of the busiest fabric in the ideal step; the lower
 * bound is the longest of these times. nnc_ideal_say_row adds the time of one row of the op table in the ideal step. */
void nnc_ideal_say(const nnc_ideal *ideal, nnc_derivation *why);
void nnc_ideal_say_row(const nnc_ideal *ideal, const nnc_device *device, const nnc_op_cost *row, nnc_derivation *why);

/* Changes `rows` to the op table of the ideal step (see nnc_ideal). Writes the times of the ideal step to *r, and the
 * times of its pipeline stages to *m. */
void nnc_ideal_rows(const nnc_step *step, const nnc_ideal *ideal, nnc_rows *rows, nnc_step_memory *m, nnc_result *r);

/* Returns the step time in seconds if compute, memory and network never overlap, at the rates that the predicted mode
 * uses. send_s: seconds of a message between stages. Returns a negative number if the pipeline is too large to
 * replay. */
double nnc_upper_bound(const nnc_step *step, const nnc_bound_segment_times *units, double send_s, nnc_step_memory *m);

/* ---- derive_step.c: lines of nncost explain ---- */

/* After a call of nnc_say_of_row, the formulas that the derivation records belong to row `row` of the op table; after a
 * call of nnc_say_of_step they belong to the step. nnc_say_of_row and nnc_say_of_step do nothing if why is NULL. */
static inline void nnc_say_of_row(nnc_derivation *why, int32_t row) { NNC_WHEN(why, nnc_say_of(why, "#%d", (int)row)); }

static inline void nnc_say_of_step(nnc_derivation *why) { NNC_WHEN(why, nnc_say_of(why, "%s", "")); }

/* bytes of the buffer into which nnc_say_name writes a name such as "host.1.forward": `what`, the number of the
 * segment, and the part of the pass */
enum { NNC_SAY_NAME = 64 };
void nnc_say_name(const char *what, int32_t segment, nnc_part part, char name[NNC_SAY_NAME]);

/* Records the degrees and the batch of a plan as operands, which later formulas can use. */
void nnc_say_plan(const nnc_plan *plan, nnc_derivation *why);
/* Records the parameter counts of the model as sums over groups of ops, and the count of each group as a sum over its
 * ops. */
void nnc_say_params(const nnc_op_list *list, const nnc_result *r, nnc_derivation *why);
/* nnc_say_groups records the FLOPs of one part of a pass as a sum over groups of ops. nnc_say_parts records the value
 * `result` as a sum over the parts of a step. */
void nnc_say_groups(const nnc_group_sums *groups, nnc_part part, const char *name, double result, nnc_derivation *why);
void nnc_say_parts(const double sums[NNC_PARTS], const char *name, const char *unit, double result,
                   nnc_derivation *why);
/* Records lines of the busiest stage that need no rows: the seconds in which ops wait for the host, and exposed
 * communication. */
void nnc_say_step(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                  const nnc_stage_residency *holding, double update_wait_s, const nnc_result *r);
/* nnc_say_rows and nnc_say_bounds record sums over the rows of the op table. nnc_say_rows records the seconds of the
 * parts of the step and of communication, and the bytes of traffic; nnc_say_bounds records the seconds of each
 * bound. */
void nnc_say_rows(const nnc_rows *rows, const nnc_result *r, nnc_derivation *why);
void nnc_say_bounds(const nnc_rows *rows, const nnc_result *r, nnc_derivation *why);
/* nnc_say_serial records the upper bound of a plan without a pipeline as a sum. nnc_say_equal_stages records the closed
 * formula of the bubble for a plan with a pipeline. */
void nnc_say_serial(const nnc_step *step, const nnc_rows *rows, const nnc_result *r);
void nnc_say_equal_stages(const nnc_step *step, const nnc_stage *busiest);

/* Returns how an estimate uses the operators of the model's library, if the software profile lists operators.
 * NNC_LISTING_COUNTED: only the number of operators is used, as the number of kernels that the host issues.
 * NNC_LISTING_PRICED: the times of the operators are used, too.
 * For timm and torchvision on GPUs older than Hopper, the function returns NNC_LISTING_COUNTED, and the times of the
 * ops are computed from the rates of the device. The reason for computing times from rates on older GPUs: the times of
 * single operators were measured on an H100, and on older GPUs the error is smaller with rates. Even on an older GPU,
 * the function returns NNC_LISTING_PRICED if kernels of PyTorch were measured on this GPU, or if the user named the
 * library. Source: docs/accuracy-vision.md, "Operators or rates". */
nnc_listing nnc_listing_of(const nnc_model *model, const nnc_device *device);

/* ---- lower.c: op list and op table of one rank ---- */

/* Returns the key under which memo/ keeps an op list: a copy of the plan in which only the fields that affect the op
 * list are set, and all other fields are cleared. Lowering reads only this key, so an op list cannot depend on a
 * cleared field. */
nnc_plan nnc_plan_lowering_key(const nnc_plan *plan);
/* Returns the rules for lowering a model under a plan: for example number formats, and whether a separate kernel adds
 * weight gradients to their sum. */
nnc_lowering nnc_lowering_of(const nnc_plan *plan, const nnc_software *software, nnc_attention attention);
/* Sets *seen to the lowering key of the plan (nnc_plan_lowering_key), and returns the rules for lowering a model under
 * the plan *seen. Lowering with *seen and these rules writes the same op list as lowering with the plan itself and the
 * rules of nnc_lowering_of. */
nnc_lowering nnc_lowering_seen(const nnc_plan *plan, const nnc_software *software, nnc_plan *seen);

/* Tests whether two blocks of `size` bytes are equal in every byte. Structs with equal values may still differ in
 * unused bytes; the result is then false. */
static inline bool nnc_same_bytes(const void *a, const void *b, size_t size) { return memcmp(a, b, size) == 0; }

/* Begins a step: sets in *step the links of the plan (*network) and the seconds that the host needs to issue ops. The
 * caller has to call nnc_step_set_list next. */
nnc_status nnc_step_begin(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                          const nnc_plan *plan, nnc_network *network, nnc_step *step, nnc_error *err);
/* Sets the op list of a step and all fields of the step that follow from the list. */
void nnc_step_set_list(nnc_step *step, const nnc_op_list *list, const nnc_lowering *how,
                       const nnc_segment_sums sums[NNC_SEGMENTS_MAX]);
/* Adds the communication of ZeRO-3 and offload to the op list of one rank. If the first and the last pipeline stage
 * both hold the tied embedding table, adds the parameters of the second copy to the sums of the segments. */
void nnc_finish_list(nnc_op_list *list, const nnc_lowering *how, nnc_segment_sums sums[NNC_SEGMENTS_MAX]);
/* Sets in the result the number of parameters of the whole model and the number of tokens in a step. whole: op list
 * before it is sharded over ranks. */
void nnc_describe_model(const nnc_model *model, const nnc_op_list *whole, const nnc_step *step, nnc_result *r);
/* Tests whether the plan divides no op over ranks, so that the op list of one rank equals the op list of the model. */
bool nnc_plan_is_whole(const nnc_plan *plan);
/* Tests whether the host issues one by one the operators of a captured program, or of a library that nncost knows. */
bool nnc_host_issues(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                     const nnc_plan *plan);

/* Returns an error if tensors or parameters of an op list are too large for exact arithmetic. */
nnc_status nnc_check_list(const nnc_op_list *list, const nnc_model *model, nnc_error *err);
/* Shards an op list over ranks, sums the ops of each segment, and adds the communication of ZeRO-3 and offload. */
void nnc_split_list(nnc_op_list *list, const nnc_lowering *how, nnc_segment_sums sums[NNC_SEGMENTS_MAX]);

/* ---- estimate.c: one estimate, and its working memory ---- */

typedef nnc_status nnc_estimate_fn(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                                   const nnc_plan *plan, nnc_scratch *scratch, nnc_result *result, nnc_error *err);

struct nnc_scratch {
    /* op table of the estimate that was made last, which nnc_scratch_ops returns; NULL = that estimate made no op
     * table */
    const nnc_rows *shown;
    int32_t stages; /* number of pipeline stages in the estimate that was made last */
    nnc_plan plan;  /* plan and software profile that passed all checks last */
    nnc_software software;
    /* an estimate writes its result here first if the nnc_result of the caller has the size of another version */
    nnc_result result;
    /* the ideal step of the estimate that was made last; its time is the lower bound. In ideal mode, the estimate
     * returns the ideal step as its result. */
    nnc_ideal bound;
    /* true: an estimate does not compute the bounds and the values that need the op table of the whole step, and sets
     * them to NaN */
    bool brief;
    /* true (only if `brief` is true): if a plan does not fit, an estimate sets its times to NaN and does not compute
     * them */
    bool fits_only;
    /* true (only if fits_only is true): plans that the verdict calls tight count as plans that do not fit */
    bool tight_too;
    /* true (only if fits_only is true): if a plan does not fit, an estimate may leave all values but the verdict
     * unset */
    bool verdict_only;
    /* true (only if `brief` is true): estimates compute the memory and no time, for all plans */
    bool untimed;
    /* true: the estimate of a plan that does not fit ends after the memory, and the times are not set */
    bool ends_over;
    /* true (only if `brief` is true): an estimate may set the FLOPs to 0 and not count them */
    bool workless;
    /* number of op lists that memo/ stores for later plans: 1, 2 or 4. 0 = memo/ stores one list, but no list in the
     * first estimate of a model */
    uint32_t lists;
    nnc_derivation *why; /* derivation to which estimates add their formulas; NULL = no formulas are
                          * recorded */
    /* function with which estimates are made: nnc_estimate_once, or a function that returns equal results */
    nnc_estimate_fn *estimate;
    /* caches that the function in `estimate` uses; NULL for nnc_estimate_once, which has no cache */
    struct nnc_estimate_cache *shared;
    nnc_network network;
    nnc_step_memory step;
    nnc_op_list list;  /* op list of one rank, written for the plan that was estimated last */
    nnc_op_list ideal; /* op list of the model with ideal fusion; not set if ideal fusion leaves the op list as it is */
    nnc_rows rows, ideal_rows;
    nnc_step_ends ends, ideal_ends;
    void *load; /* memory for simulations of a serving load, load_bytes bytes long; only the code of serve/ uses it */
    size_t load_bytes;
};

/* ---- changes.c: changes that make a plan faster or smaller ---- */

/* Command-line options that change a plan, and the time, memory and gain of the changed plan. */
typedef struct nnc_plan_change {
    /* command-line options that make the change, in place of the same options of the plan; "" = no change */
    char options[256];
    double step_s, samples_per_s, cost_step;
    /* samples_per_s of the changed plan / samples_per_s of the given plan; if the change alters seq_len, the same ratio
     * of tokens per second */
    double gain;
    int64_t total_bytes, global_batch, seq_len;
    nnc_verdict verdict;
    /* position of the change in the list among changes that give equal samples per second: the smaller `place` comes
     * first */
    int place;
    bool adapters; /* true: the changed plan trains adapters instead of all weights */
} nnc_plan_change;

enum { NNC_PLAN_CHANGES_MAX = 20 };

typedef struct nnc_plan_changes {
    /* changes that consist of one option, sorted: the change with the most samples per second is first */
    nnc_plan_change list[NNC_PLAN_CHANGES_MAX];
    /* the best combination of several options; if its `options` is "", no combination is worth listing */
    nnc_plan_change together;
    /* count: number of changes in `list`; tries: number of estimates that the search has made */
    int32_t count, tries;
} nnc_plan_changes;

typedef struct nnc_plan_change_ask {
    const nnc_model *model;
    const nnc_device *device;
    const nnc_profiles *profiles;
    /* two more profiles that the search may try: [0] = compiled, [1] = channels last; NULL = there is no such
     * profile */
    const nnc_software *others[2];
    const nnc_plan *plan;   /* plan as the user gave it, before defaults are filled in */
    const nnc_result *base; /* result of the estimate of `plan`; NULL = not estimated yet */
    /* true: tries only the moves before MOVE_QUICK, and each move alone; false: tries all moves, and combinations of
     * moves */
    bool quick;
} nnc_plan_change_ask;

/* Finds changes that make a plan faster or smaller, with at most a few hundred estimates; if ask->quick is true, with
 * at most a few tens. Returns the number of changes in found->list, which is 0 if the given plan is illegal. */
int nnc_plan_changes_find(const nnc_plan_change_ask *ask, nnc_scratch *scratch, nnc_plan_changes *found);

/* Returns the working memory for a simulation of a serving load, scratch->load, after enlarging it to at least `bytes`
 * bytes; NULL = out of memory. A new scratch already has enough memory for 10,000 requests. */
void *nnc_scratch_load(nnc_scratch *scratch, size_t bytes);

/* Makes one estimate without a cache. The caller has to check all arguments before, and *result has to have the size of
 * nnc_result in this version of the library. */
nnc_estimate_fn nnc_estimate_once;

/* Tests whether the number of parameters of the model differs by at most 1 % from the number that its file states.
 * Returns true, too, if the file states no number, or if the plan adds parameters (adapters, heads for further
 * tokens). */
bool nnc_is_as_published(const nnc_result *r, const nnc_model *model);
/* ---- fitting.c: the largest sizes that fit on a device; limits of the degrees ---- */

typedef struct nnc_remedy {
    char options[96];    /* command-line options of the remedy, which the user can append to the command */
    int64_t micro_batch; /* the largest micro-batch that fits with the options of the remedy */
    /* memory with the remedy, at the smaller of two micro-batches: micro_batch, and the largest micro-batch that fits
     * without the remedy. If no micro-batch fits without the remedy, the memory is computed at micro_batch */
    int64_t total_bytes;
    /* step time in seconds with the remedy, at the micro-batch for which total_bytes is computed */
    double step_s;
    double samples_per_s; /* samples per second with the remedy, at its largest micro-batch (micro_batch) */
} nnc_remedy;

enum { NNC_REMEDIES_MAX = 20 };

typedef struct nnc_fitting {
    /* micro_batch: largest micro-batch with the verdict fits; micro_batch_tight: largest with the verdict fits or
     * tight. 0 = there is no such micro-batch */
    int64_t micro_batch, micro_batch_tight;
    /* largest sequence length that fits with the micro-batch of the plan; 0 = no length fits, or the model has no
     * sequences, or it is a captured program */
    int64_t seq_len;
    /* largest LoRA rank that fits with the micro-batch of the plan; 0 = no rank fits, or the plan has no adapters */
    int64_t lora_rank;
    /* largest number of decoder layers that fits with the micro-batch of the plan; 0 = no number fits, or the model is
     * not a decoder */
    int64_t layers;
    int64_t margin_bytes; /* largest minus smallest expected memory peak of the plan in `result` */
    nnc_result result;    /* estimate at the largest micro-batch that fits; if no micro-batch fits,
                           * estimate of the plan itself */
    nnc_remedy remedies[NNC_REMEDIES_MAX];
    int32_t remedy_count;
    /* largest batch with which the captured program was recorded; 0 = the model is not a captured program */
    int64_t recorded_batch;
} nnc_fitting;

/* Finds the largest sizes (micro-batch, sequence length, LoRA rank, number of layers) that fit on the device, and the
 * remedies (options that save memory). To find a size, only the memory is computed; times are computed for fit->result
 * and for each remedy that fits. Returns the same errors as nnc_estimate. */
nnc_status nnc_fitting_find(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                            const nnc_plan *plan, nnc_scratch *scratch, nnc_fitting *fit, nnc_error *err);

/* Finds the largest micro-batch with the verdict fits (*fits), and the largest with the verdict fits or tight (*tight).
 * Computes no size of nnc_fitting except the micro-batch. */
void nnc_fitting_micro_batches(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                               const nnc_plan *plan, nnc_scratch *scratch, int64_t *fits, int64_t *tight);

/* Axes for which nnc_limit_find finds a limit. Each axis is a degree of parallelism or the number of tokens (images)
 * per device and step; the help text of the axis states the condition of the limit. */
#define NNC_LIMIT_LIST(X)                                                                                        \
    X(NNC_LIMIT_TENSOR, "tensor", "The largest tensor degree that the network does not bound.")                  \
    X(NNC_LIMIT_CONTEXT, "context", "The largest context degree that the network does not bound.")               \
    X(NNC_LIMIT_DATA, "data", "The fewest tokens (images) per device and step that the network does not bound.") \
    X(NNC_LIMIT_BATCH, "batch", "The fewest tokens (images) per device and step that compute bounds.")
NNC_ENUM(nnc_limit, NNC_LIMIT_LIST, NNC_LIMIT_COUNT);
const char *nnc_limit_name(nnc_limit value);
const char *nnc_limit_help(nnc_limit value);

/* A plan that the search for a limit has tried: the seconds that compute, memory and network each need at datasheet
 * rates (compute_s, memory_s, network_s), and the resource that needs the most seconds (bound). */
typedef struct nnc_limit_point {
    /* the size that was tried: the degree of parallelism, or the tokens (images) of one device in a step */
    double size;
    int64_t micro_batch, seq_len;
    double compute_s, memory_s, network_s, step_s;
    nnc_bound bound;
    nnc_verdict verdict;
} nnc_limit_point;

enum { NNC_LIMIT_POINTS_MAX = 96 };
typedef struct nnc_limit_answer {
    nnc_limit of;
    /* the largest degree, or the smallest number of tokens (images), that meets the condition of the axis (see
     * NNC_LIMIT_LIST); NaN = no plan that was tried meets the condition */
    double limit;
    /* why the plan with the next size does not meet the condition: the name of the resource that bounds its step, or
     * "plan" if that plan is illegal. NULL = every plan that was tried meets the condition */
    const char *stop;
    nnc_error why;     /* if `stop` is "plan": why the plan with the next size is illegal */
    nnc_result result; /* estimate of the plan at the limit; if there is no limit, of the plan that was tried last */
    nnc_limit_point points[NNC_LIMIT_POINTS_MAX]; /* all sizes that were tried, with their times, sorted by size */
    int32_t count;
} nnc_limit_answer;

/* Finds the limit of the axis `of`. For a degree, tries every legal degree. For tokens, doubles the number of tokens
 * until the condition of the axis holds, and then bisects. If the search needs fewer tokens than one sequence of the
 * plan has, it shortens the sequence. The estimates of all sizes use the same software profile. Returns the same errors
 * as nnc_estimate, and NNC_ILLEGAL_PLAN if the axis is data and the plan has no data ranks. */
nnc_status nnc_limit_find(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                          const nnc_plan *plan, nnc_limit of, nnc_scratch *scratch, nnc_limit_answer *answer,
                          nnc_error *err);

/* Computes the plan with all defaults, the memory of the pipeline stage that needs the most memory, and the verdict
 * whether the plan fits. Computes no times. */
nnc_estimate_fn nnc_estimate_memory;
/* Makes one estimate with the function in scratch->estimate. The caller has to check all arguments before. */
nnc_estimate_fn nnc_estimate_read;

/* Clears the result before an estimate. nnc_estimate_begin is the first part of nnc_estimate_once; memo/ calls the
 * parts of nnc_estimate_once one by one. */
void nnc_estimate_begin(nnc_scratch *scratch, nnc_result *r);
/* Computes the step ends, the bounds and the step time from the op table in scratch->rows. First computes the memory,
 * unless *r already has it. */
nnc_status nnc_estimate_time(const nnc_model *model, nnc_step *step, nnc_scratch *scratch, nnc_result *r,
                             nnc_error *err);
/* Returns true if the caller wants a brief estimate (scratch->brief) and the plan has predicted mode; ideal mode is
 * never brief. */
bool nnc_estimate_is_brief(const nnc_scratch *scratch, const nnc_plan *plan);
nnc_status nnc_estimate_time_parts(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                                   nnc_scratch *scratch, nnc_result *r, nnc_error *err);
/* nnc_estimate_finish sets rates, money and energy in the result of an estimate with times. nnc_estimate_untimed
 * completes the result of an estimate that computed only the memory, and sets all times to NaN. nnc_estimate_finish and
 * nnc_estimate_untimed return an error if numbers are too large for exact arithmetic, or if the number of parameters
 * differs from the number in the model file. */
nnc_status nnc_estimate_untimed(const nnc_model *model, nnc_result *r, nnc_error *err);
nnc_status nnc_estimate_finish(const nnc_model *model, const nnc_device *device, const nnc_step *step, nnc_result *r,
                               nnc_error *err);

/* Computes the memory of every pipeline stage; the result gets the memory of the stage that needs most. fullest: true =
 * does not compute the memory of a stage that equals the stage before and has at most as many micro-batches in
 * flight. */
void nnc_stage_memory(const nnc_step *step, const nnc_model *model, bool fullest, nnc_step_memory *m, nnc_result *r);

/* Sets rates (samples, tokens and FLOP/s) and utilisation (MFU, HFU) in the result, from its FLOPs and step time. */
void nnc_utilisation(nnc_result *r, nnc_derivation *why);
/* Sets the money and the energy of one step in the result. If the plan states the length of the run, also sets
 * device-hours, money and energy of the whole run. The energy is the power limit of the device x the time. */
void nnc_run_cost(const nnc_device *device, nnc_result *r, nnc_derivation *why);
/* Returns the price of a device-hour. The result is `price`, the price in the plan; if `price` is NaN, it is the newest
 * price in the device file. NaN = neither is known. */
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
    int64_t dims[NNC_SINGLE_OP_DIMS_MAX]; /* dimensions of the op, in the order that its kind defines */
    int32_t dim_count;
    double bytes; /* if the op is a collective: bytes of the whole tensor */
    nnc_dtype precision;
    int32_t devices, devices_per_node;
    char shape[96];
    /* moved_bytes: bytes that the op reads and writes in memory; for a collective, bytes that one rank sends */
    double flops, moved_bytes;
    double flops_per_byte, ridge_flops_per_byte;
    double bound_s; /* shortest seconds of the op by the roofline, at datasheet rates */
    /* predicted seconds: compute_s = time of the compute units; memory_s = time of the memory traffic; fixed_s = fixed
     * time; network_s = time of the network; time_s = time of the op */
    double compute_s, memory_s, fixed_s, network_s, time_s;
    double flops_per_s, bytes_per_s; /* FLOPs of the op / time_s, and moved_bytes / time_s */
    /* the rate at which the op uses the resource that bounds it, divided by the datasheet rate of this resource */
    double peak_share;
    nnc_bound bound;
    const char *link; /* if the op is a collective: name of the link that limits it */
} nnc_single_op;

/* Makes an op that has the work of the PyTorch operator `name` on a tensor of rows x columns values. Names: copy, add,
 * cast, gelu, softmax, norm, loss, loss-fp32, optimizer, embedding. loss-fp32 is a loss that first casts its logits to
 * fp32. Returns false for an unknown name. */
bool nnc_streaming_op(const char *name, int64_t rows, int64_t columns, nnc_dtype dtype, nnc_op *op);

/* Computes the FLOPs, the bytes, the bound and the predicted time of the op that *alone describes, and writes them to
 * *alone. Returns NNC_BAD_USAGE for an unknown kind or wrong dimensions. */
nnc_status nnc_single_op_time(const nnc_device *device, nnc_single_op *alone, nnc_error *err);

#endif
