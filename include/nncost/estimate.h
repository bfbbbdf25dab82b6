/* SPDX-License-Identifier: Apache-2.0 */
/* One training step: nnc_estimate(). */
#ifndef NNCOST_ESTIMATE_H
#define NNCOST_ESTIMATE_H

#include <nncost/op.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Does a plan fit into the memory of its device? */
#define NNC_VERDICT_LIST(X)                                                   \
    X(NNC_FITS, "fits")   /* as large as its peak may be */                   \
    X(NNC_TIGHT, "tight") /* at its prediction, not at the upper end of it */ \
    X(NNC_OVER_MEMORY, "does_not_fit")
NNC_ENUM(nnc_verdict, NNC_VERDICT_LIST, NNC_VERDICT_COUNT);
NNC_API const char *nnc_verdict_name(nnc_verdict verdict);

#define NNC_BOUND_LIST(X)                                                           \
    X(NNC_BOUND_COMPUTE, "compute")                                                 \
    X(NNC_BOUND_MEMORY, "memory")                                                   \
    X(NNC_BOUND_NETWORK, "network")                                                 \
    X(NNC_BOUND_HOST, "host")     /* issuing ops, and the fixed costs of kernels */ \
    X(NNC_BOUND_BUBBLE, "bubble") /* waiting for other stages of the pipeline; of no op */
NNC_ENUM(nnc_bound, NNC_BOUND_LIST, NNC_BOUND_COUNT);
NNC_API const char *nnc_bound_name(nnc_bound bound);

/* Resident bytes of one device, by class; total is the sum of the first six. */
typedef struct nnc_memory {
    int64_t weight_bytes, gradient_bytes, optimizer_bytes;
    int64_t activation_bytes; /* kept for backward, logits or loss probabilities included */
    int64_t transient_bytes;  /* the largest extra at the peak that is not kept */
    int64_t reserve_bytes;    /* set aside by the user, or by the software profile */
    int64_t total_bytes, capacity_bytes;
    int64_t total_interval_bytes
        [2];                /* where measured peaks fell; total twice where the user set aside */
    int64_t headroom_bytes; /* capacity - total, negative when it does not fit */
    const char *transient_what; /* what the transient peak is; static storage */
} nnc_memory;

/* Room for members and values that later releases add. */
enum { NNC_MEMORY_ROOM = 192, NNC_GROUP_ROOM = 32, NNC_COMM_ROOM = 16, NNC_BOUND_ROOM = 8 };

/* One row of the op table. Times and work are of one instance. */
typedef struct nnc_op_cost {
    const nnc_op *op; /* in the scratch, valid until its next use */
    nnc_work work;
    double repeat; /* instances in one step on one device */
    double compute_s, memory_s, fixed_s;
    double network_s; /* of an exchange, hidden or not */
    double time_s;    /* on the critical path */
    const char *link; /* "scale_up", "scale_out", "host"; NULL unless an exchange */
    nnc_bound bound;
} nnc_op_cost;

/* FLOPs per byte that crosses memory; NaN when none does. */
NNC_API double nnc_intensity(const nnc_work *work);

/* Unknown figures are NaN. The parts forward_s ... host_s add up to step_s. */
typedef struct nnc_result {
    size_t struct_size; /* as of nnc_plan; nnc_estimate sets it */
    nnc_verdict verdict;
    union {
        nnc_plan plan; /* resolved */
        unsigned char plan_room[NNC_PLAN_ROOM];
    };
    int64_t params, active_params;
    int64_t params_by_group[NNC_GROUP_ROOM];
    int64_t matmul_params; /* that sit in a matrix product: the N of 6 N D */
    int64_t tokens;        /* of one step; 0 for images */
    /* work of the whole step over all devices */
    double forward_flops, backward_flops, recompute_flops;
    double model_flops, hardware_flops, executed_flops, vector_flops, six_nd_flops;
    double causal_flops; /* model_flops in the convention "causal" */
    double read_bytes, write_bytes;
    double input_bytes; /* of training data: token ids or images */
    double peak_flops_per_s, ridge_flops_per_byte;
    /* time */
    double step_s, interval_s[2], lower_bound_s, upper_bound_s;
    double forward_s, backward_s, recompute_s, update_s, exposed_comm_s, bubble_s, host_s;
    double exposed_s[NNC_COMM_ROOM];       /* exposed_comm_s by kind */
    double communication_s[NNC_COMM_ROOM]; /* the same kinds, hidden or not */
    double bubble_ratio, bubble_share;     /* bubble_s over the stage's busy time, over step_s */
    double idle_share;                     /* mean over all stages; 0 without a pipeline */
    int32_t stage, memory_stage; /* pipeline stage with the longest busy time, the fullest memory */
    double
        bound_s[NNC_BOUND_ROOM]; /* step_s by what bounds it; in ideal mode all of them overlap */
    nnc_bound bound, next_bound; /* largest and second largest of bound_s */
    double step_without_bound_s; /* step time if `bound` were no limit: computed again */
    /* rates */
    double samples_per_s, tokens_per_s, tokens_per_s_per_device;
    double model_flops_per_s_per_device, mfu, hfu;
    double causal_mfu; /* of causal_flops, whatever the convention: at most 1 */
    union {
        nnc_memory memory;
        unsigned char memory_room[NNC_MEMORY_ROOM];
    };
    /* money and energy; run figures need plan.tokens or plan.samples */
    double price_per_device_hour, cost_step, cost_run, device_hours, run_s, energy_j;
    int32_t op_count;
    int64_t trained_params; /* of params; the others are frozen */
    int64_t
        next_params; /* beside params: of layers that predict tokens further on; 0 = none known */
    /* Tokens per product and contracted width from which arithmetic is what a product waits for: of one device
     * that streams its weights, of two that each hold half of the width. */
    double critical_tokens, critical_width;
} nnc_result;

/* Working memory of one estimate: create one per thread, pass it to every call. */
typedef struct nnc_scratch nnc_scratch;
NNC_API nnc_scratch *nnc_scratch_create(void); /* NULL when out of memory */
NNC_API void nnc_scratch_destroy(nnc_scratch *scratch);

/* Estimates one training step of model on device under plan with software (NULL = the neutral profile; plan
 * NULL = every field at its default).
 * Does not fit is an answer (result->verdict), not an error. Errors: NNC_ILLEGAL_PLAN,
 * NNC_BAD_SPEC (a figure the estimate needs is not recorded; err names it).
 * Calls no malloc. */
NNC_API nnc_status nnc_estimate_into(const nnc_model *model, const nnc_device *device,
                                     const nnc_software *software, const nnc_plan *plan,
                                     nnc_scratch *scratch, nnc_result *result, nnc_error *err);
static inline nnc_status nnc_estimate(const nnc_model *model, const nnc_device *device,
                                      const nnc_software *software, const nnc_plan *plan,
                                      nnc_scratch *scratch, nnc_result *result, nnc_error *err)
{
    result->struct_size = sizeof *result;
    return nnc_estimate_into(model, device, software, plan, scratch, result, err);
}

/* Row of the op table of the last estimate made with scratch, from index 0; NULL past the last of
 * result->op_count. Valid until the next use of the scratch. */
NNC_API const nnc_op_cost *nnc_scratch_op(const nnc_scratch *scratch, int32_t index);

/* One pipeline stage of the last estimate. */
typedef struct nnc_stage {
    int64_t layers;
    bool embedding, head;
    int64_t params;                         /* of one rank */
    double forward_s, backward_s, weight_s; /* of one micro-batch; weight_s where it runs apart */
    double busy_s, bubble_s;                /* of the step, without the two below */
    double exchange_s, update_s;            /* once per step: exposed exchanges; the update */
    double in_flight;                       /* micro-batches kept at once */
    nnc_memory memory;
} nnc_stage;

/* Stage of the last estimate made with scratch, from index 0, the first; NULL past the last of
 * result->plan.pipeline. */
NNC_API const nnc_stage *nnc_scratch_stage(const nnc_scratch *scratch, int32_t index);

#ifdef NNC_STATIC_LINKING_ONLY

/* All of them, one after the other; *count receives their number. */
const nnc_op_cost *nnc_scratch_ops(const nnc_scratch *scratch, int32_t *count);
const nnc_stage *nnc_scratch_stages(const nnc_scratch *scratch, int32_t *count);

#endif /* NNC_STATIC_LINKING_ONLY */

/* What a stage of the pipeline does in one interval of the step. */
#define NNC_ACTIVITY_LIST(X)                                                                    \
    X(NNC_ACTIVITY_FORWARD, "forward")                                                          \
    X(NNC_ACTIVITY_BACKWARD, "backward") /* weight gradients too where they do not run apart */ \
    X(NNC_ACTIVITY_WEIGHT, "weight")                                                            \
    X(NNC_ACTIVITY_EXCHANGE, "exchange") /* exposed, once per step */                           \
    X(NNC_ACTIVITY_UPDATE, "update")                                                            \
    X(NNC_ACTIVITY_IDLE, "idle")
NNC_ENUM(nnc_activity, NNC_ACTIVITY_LIST, NNC_ACTIVITY_COUNT);
NNC_API const char *nnc_activity_name(nnc_activity activity);

typedef struct nnc_interval {
    int32_t stage;
    int32_t chunk;       /* of an interleaved stage; DualPipe: the direction */
    int64_t micro_batch; /* from 0; -1 unless a pass */
    nnc_activity activity;
    double start_s, end_s;
} nnc_interval;

enum { NNC_INTERVALS_MAX = 1000000 }; /* passes of all stages */

/* Calls `interval` for all that happens in the last estimate made with scratch, which `result` is
 * of: per stage in the order of time, the stages mixed. A stage's intervals follow each other from
 * its begin to begin + step_s. begin is 0, but for the schedules that need no barrier between steps
 * (zb-*): there it is the stage's first forward pass. What happens once per step starts as soon as
 * the stage's last pass is done. NNC_BAD_USAGE: more than NNC_INTERVALS_MAX passes. */
typedef void nnc_interval_fn(void *context, const nnc_interval *interval);
NNC_API nnc_status nnc_timeline(nnc_scratch *scratch, const nnc_result *result,
                                nnc_interval_fn *interval, void *context, nnc_error *err);

/* Changes of the plan that would fit: up to four at once of those that leave the training result alone, the fastest
 * first; where none does, the smallest sets of any kind. Fills at most max entries of advice, returns how many. Each
 * plan is complete; text names the changes as options. */
typedef struct nnc_advice {
    union {
        nnc_plan plan;
        unsigned char plan_room[NNC_PLAN_ROOM];
    };
    int32_t changes;
    int64_t total_bytes;
    double step_s;
    char text[256];
} nnc_advice;
NNC_API int nnc_advise(const nnc_model *model, const nnc_device *device,
                       const nnc_software *software, const nnc_plan *plan, nnc_scratch *scratch,
                       nnc_advice *advice, int max);
/* The same, each plan under its own profile. */
NNC_API int nnc_advise_by_plan(const nnc_model *model, const nnc_device *device,
                               const nnc_profiles *profiles, const nnc_plan *plan,
                               nnc_scratch *scratch, nnc_advice *advice, int max);

/* Estimates a step and writes what `nncost estimate --software SOFTWARE --format json` prints, byte for byte;
 * _by_plan: the same without --software. *text ends with a NUL, is *size bytes long without it, and has to be
 * freed with nnc_text_free; NULL on a failure. size may be NULL. Errors: nnc_estimate's, NNC_NO_MEMORY. */
NNC_API nnc_status nnc_estimate_json(const nnc_model *model, const nnc_device *device,
                                     const nnc_software *software, const nnc_plan *plan,
                                     nnc_scratch *scratch, char **text, size_t *size,
                                     nnc_error *err);
NNC_API nnc_status nnc_estimate_json_by_plan(const nnc_model *model, const nnc_device *device,
                                             const nnc_profiles *profiles, const nnc_plan *plan,
                                             nnc_scratch *scratch, char **text, size_t *size,
                                             nnc_error *err);
NNC_API void nnc_text_free(char *text); /* NULL: nothing */

#ifdef __cplusplus
}
#endif

#endif
