/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates one training step: nnc_estimate(). Also: its timeline, advice for plans that do not fit, and the effect of
 * a faster device. */
#ifndef NNCOST_ESTIMATE_H
#define NNCOST_ESTIMATE_H

#include <nncost/op.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Verdict: whether a plan fits into the memory of its device. */
#define NNC_VERDICT_LIST(X)                                                                       \
    X(NNC_FITS, "fits")   /* fits even at the upper end of the range of the peak */               \
    X(NNC_TIGHT, "tight") /* fits at the predicted peak, but not at the upper end of its range */ \
    X(NNC_OVER_MEMORY, "does_not_fit")
NNC_ENUM(nnc_verdict, NNC_VERDICT_LIST, NNC_VERDICT_COUNT);
NNC_API const char *nnc_verdict_name(nnc_verdict verdict);

#define NNC_BOUND_LIST(X)                                                       \
    X(NNC_BOUND_COMPUTE, "compute")                                             \
    X(NNC_BOUND_MEMORY, "memory")                                               \
    X(NNC_BOUND_NETWORK, "network")                                             \
    X(NNC_BOUND_HOST, "host")     /* issuing ops, and fixed times of kernels */ \
    X(NNC_BOUND_BUBBLE, "bubble") /* idle time: waiting for other pipeline stages; never the bound of one op */
NNC_ENUM(nnc_bound, NNC_BOUND_LIST, NNC_BOUND_COUNT);
NNC_API const char *nnc_bound_name(nnc_bound bound);

/* Resident bytes of one device, by class. total_bytes is the sum of weights, gradients, optimizer, activations,
 * transient, reserve, and apart_bytes. */
typedef struct nnc_memory {
    int64_t weight_bytes, gradient_bytes, optimizer_bytes;
    int64_t activation_bytes; /* activations kept for backward, including logits or loss probabilities */
    int64_t transient_bytes;  /* largest temporary memory at the peak */
    int64_t reserve_bytes;    /* memory that the user or the software profile sets aside */
    int64_t total_bytes, capacity_bytes;
    int64_t total_interval_bytes[2]; /* range in which measured peaks are expected; both ends equal the total when the
                                      * user sets the reserve */
    int64_t headroom_bytes;          /* capacity - total, negative when the plan does not fit */
    const char *transient_what;      /* name of the op or tensor that needs the transient_bytes; static storage */
    int64_t apart_bytes;             /* peak minus sum of the classes; negative, because the bytes of all classes are
                                      * not in memory at the same time */
    int64_t peak_allocated_bytes, peak_reserved_bytes; /* at the peak. peak_allocated_bytes: bytes that PyTorch's
                                                        * allocator has given to tensors; peak_reserved_bytes: bytes
                                                        * that PyTorch's allocator has taken from the driver */
    int64_t context_bytes;                             /* bytes of the driver's context and of libraries, which the
                                                        * allocator does not count */
    int64_t split_block_bytes; /* bytes of freed blocks that the allocator has split, so that no large tensor can use a
                                * whole block */
    bool one_moment;           /* true: the peak is the largest sum of bytes at one moment of backward; false: it is the
                                * sum of the classes */
    int64_t helper_bytes;      /* part of weight_bytes: frozen helper models of a training method */
} nnc_memory;

/* Sizes with space for members of later releases. NNC_MEMORY_SPACE: bytes of nnc_memory. Other sizes: lengths of arrays
 * with one entry per op group, kind of communication or bound. */
enum { NNC_MEMORY_SPACE = 192, NNC_GROUP_SPACE = 32, NNC_COMM_SPACE = 16, NNC_BOUND_SPACE = 8 };

/* One row of the op table. Times and work are for one instance of the op. */
typedef struct nnc_op_cost {
    const nnc_op *op; /* the op; valid until the next use of the scratch */
    nnc_work work;
    double repeat; /* number of instances of the op in one step on one device */
    double compute_s, memory_s, fixed_s;
    double network_s; /* communication time, overlapped or not */
    double time_s;    /* time on the critical path */
    const char *link; /* link that limits the communication: "scale_up", "scale_out", "host"; NULL = no communication */
    nnc_bound bound;
} nnc_op_cost;

/* Returns the FLOPs per byte of memory traffic; NaN without traffic. */
NNC_API double nnc_intensity(const nnc_work *work);

/* The result of an estimate. NaN = unknown. The parts from forward_s to host_s add up to step_s. */
typedef struct nnc_result {
    size_t struct_size; /* sizeof (nnc_result); nnc_estimate sets it */
    nnc_verdict verdict;
    union {
        nnc_plan plan; /* the plan of the estimate, with all defaults filled in */
        unsigned char plan_space[NNC_PLAN_SPACE];
    };
    int64_t params, active_params;
    int64_t params_by_group[NNC_GROUP_SPACE];
    int64_t matmul_params; /* number of parameters in matrix products: the N of the formula 6 N D */
    int64_t tokens;        /* tokens per step; 0 for images */
    /* work of the whole step on all devices */
    double forward_flops, backward_flops, recompute_flops;
    double model_flops, hardware_flops, executed_flops, vector_flops, six_nd_flops;
    double causal_flops; /* model FLOPs by the convention "causal": attention counts only causal pairs */
    double read_bytes, write_bytes;
    double input_bytes; /* training data read per step: token ids or images */
    double peak_flops_per_s, ridge_flops_per_byte;
    /* time */
    double step_s, interval_s[2], lower_bound_s, upper_bound_s;
    double forward_s, backward_s, recompute_s, update_s, exposed_comm_s, bubble_s, host_s;
    double exposed_s[NNC_COMM_SPACE];       /* parts of exposed_comm_s, by kind of communication */
    double communication_s[NNC_COMM_SPACE]; /* communication time by kind, overlapped or not */
    double bubble_ratio, bubble_share;      /* bubble_ratio: bubble_s / busy time of the busiest stage; bubble_share:
                                             * bubble_s / step_s */
    double idle_share;                      /* share of the step during which a stage is idle: mean of all stages; 0
                                             * without a pipeline */
    int32_t stage, memory_stage;            /* stage: index of the busiest stage; memory_stage: index of the stage that
                                      * needs the most memory */
    double bound_s[NNC_BOUND_SPACE]; /* part of step_s that each resource bounds; the parts overlap in mode `ideal` */
    nnc_bound bound, next_bound;     /* bound: the resource with the largest bound_s; next_bound: the resource with
                                      * the second largest bound_s */
    double step_without_bound_s;     /* step time of a second estimate, in which `bound` is unlimited */
    /* rates */
    double samples_per_s, tokens_per_s, tokens_per_s_per_device;
    double model_flops_per_s_per_device, mfu, hfu;
    double causal_mfu; /* MFU computed from causal_flops, whatever convention the plan has; at most 1 */
    union {
        nnc_memory memory;
        unsigned char memory_space[NNC_MEMORY_SPACE];
    };
    /* Money and energy. cost_run and run_s are NaN unless the plan has tokens or samples. */
    double price_per_device_hour, cost_step, cost_run, device_hours, run_s, energy_j;
    int32_t op_count;
    int64_t trained_params; /* trained parameters, also counted in params; all other parameters are frozen */
    int64_t next_params;    /* parameters of layers for multi-token prediction, not included in params; 0 = no such
                             * layers */
    /* Smallest sizes with which a matrix product is compute-bound. critical_tokens: tokens per product, if one device
     * reads the weights from memory. critical_width: length of the dimension that the product sums over, if each of two
     * devices holds half of this dimension. */
    double critical_tokens, critical_width;
    double kernels; /* kernels that run on one device per step; NaN = the operators of the program are not known */
} nnc_result;

/* Working memory of estimates. Create one scratch per thread and pass it to every call. */
typedef struct nnc_scratch nnc_scratch;
NNC_API nnc_scratch *nnc_scratch_create(void); /* Returns NULL when out of memory. */
NNC_API void nnc_scratch_destroy(nnc_scratch *scratch);

/* Estimates one training step. software NULL: the neutral profile; plan NULL: all defaults. A plan that does not fit is
 * a result (result->verdict), not an error. Errors: NNC_ILLEGAL_PLAN, NNC_BAD_SPEC (the device file lacks a required
 * value, which err names). Calls no malloc. */
NNC_API nnc_status nnc_estimate_into(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                                     const nnc_plan *plan, nnc_scratch *scratch, nnc_result *result, nnc_error *err);
static inline nnc_status nnc_estimate(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                                      const nnc_plan *plan, nnc_scratch *scratch, nnc_result *result, nnc_error *err) {
    result->struct_size = sizeof *result;
    return nnc_estimate_into(model, device, software, plan, scratch, result, err);
}

/* Returns row `index` (from 0) of the op table of the last estimate with this scratch; NULL past the last of
 * result->op_count rows. The row is valid until the next use of the scratch. */
NNC_API const nnc_op_cost *nnc_scratch_op(const nnc_scratch *scratch, int32_t index);

/* One pipeline stage of the last estimate. */
typedef struct nnc_stage {
    int64_t layers;
    bool embedding, head;
    int64_t params; /* parameters on one rank */
    double forward_s, backward_s,
        weight_s;                /* times of one micro-batch; weight_s: pass for weight gradients, if separate */
    double busy_s, bubble_s;     /* busy_s: busy time per step; bubble_s: idle time per step; neither contains
                                  * exchange_s or update_s */
    double exchange_s, update_s; /* exchange_s: time per step of exposed communication after the last pass; update_s:
                                  * time of the optimizer update */
    double in_flight;            /* micro-batches whose activations the stage keeps at the same time */
    nnc_memory memory;
} nnc_stage;

/* Returns stage `index` (from 0) of the last estimate with this scratch; NULL past the last stage. */
NNC_API const nnc_stage *nnc_scratch_stage(const nnc_scratch *scratch, int32_t index);

#ifdef NNC_STATIC_LINKING_ONLY

/* nnc_scratch_ops returns the rows of the op table of the last estimate, nnc_scratch_stages its pipeline stages. *count
 * receives the length of the returned array. */
const nnc_op_cost *nnc_scratch_ops(const nnc_scratch *scratch, int32_t *count);
const nnc_stage *nnc_scratch_stages(const nnc_scratch *scratch, int32_t *count);

#endif /* NNC_STATIC_LINKING_ONLY */

/* Activity of a pipeline stage during an interval of the step. */
#define NNC_ACTIVITY_LIST(X)                                                                         \
    X(NNC_ACTIVITY_FORWARD, "forward")                                                               \
    X(NNC_ACTIVITY_BACKWARD, "backward") /* includes weight gradients, unless they run separately */ \
    X(NNC_ACTIVITY_WEIGHT, "weight")                                                                 \
    X(NNC_ACTIVITY_EXCHANGE, "exchange") /* exposed communication that runs once per step */         \
    X(NNC_ACTIVITY_UPDATE, "update")                                                                 \
    X(NNC_ACTIVITY_IDLE, "idle")
NNC_ENUM(nnc_activity, NNC_ACTIVITY_LIST, NNC_ACTIVITY_COUNT);
NNC_API const char *nnc_activity_name(nnc_activity activity);

typedef struct nnc_interval {
    int32_t stage;
    int32_t chunk;       /* virtual stages: index of the chunk; DualPipe: index of the direction */
    int64_t micro_batch; /* index of the micro-batch from 0; -1 = the interval is no pass of a micro-batch */
    nnc_activity activity;
    double start_s, end_s;
} nnc_interval;

enum {
    NNC_INTERVALS_MAX = 1000000
}; /* largest number of passes, of all stages together, for which nnc_timeline works */

/* Calls `interval` for each activity of the last estimate with this scratch; `result` is the result of that estimate.
 * The intervals of one stage come in the order of time; the order of stages is not defined. The intervals of a stage
 * follow each other without gaps from start to start + step_s. The start is 0; for schedules without a barrier between
 * steps (zb-*) it is the start of the stage's first forward pass. Work that happens once per step starts after the last
 * pass of the stage. NNC_BAD_USAGE: more than NNC_INTERVALS_MAX passes. */
typedef void nnc_interval_fn(void *context, const nnc_interval *interval);
NNC_API nnc_status nnc_timeline(nnc_scratch *scratch, const nnc_result *result, nnc_interval_fn *interval,
                                void *context, nnc_error *err);

/* Complete plans that fit, made by changing a plan that does not fit; nnc_advise returns them. First choice: sets of
 * up to four changes that keep the training result, fastest first. If no such set exists: the smallest sets of any
 * changes. nnc_advise fills at most max entries and returns the number of entries; text lists the changes as
 * options. */
typedef struct nnc_advice {
    union {
        nnc_plan plan;
        unsigned char plan_space[NNC_PLAN_SPACE];
    };
    int32_t changes;
    nnc_verdict verdict; /* NNC_TIGHT only if no plan fits without doubt */
    int64_t total_bytes;
    double step_s;
    char text[256];
} nnc_advice;
NNC_API int nnc_advise(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                       const nnc_plan *plan, nnc_scratch *scratch, nnc_advice *advice, int max);
/* Finds changes as nnc_advise does, for a plan that runs with its default profile. The changed plans keep this profile;
 * if a changed plan has another default profile, `text` contains --software with the kept profile. */
NNC_API int nnc_advise_by_plan(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                               const nnc_plan *plan, nnc_scratch *scratch, nnc_advice *advice, int max);

/* Estimates a step and writes the same bytes as `nncost estimate --software SOFTWARE --format json`;
 * nnc_estimate_json_by_plan writes the same bytes as the command without --software. Only the program has the rows of
 * measured steps (accuracy, trust, open_facts), and the settings with which a plan that does not fit may fit (fit,
 * lower end of total_interval_bytes). A release (a profile with a date) also sets fields of the plan in the program, so
 * nnc_estimate_json refuses it with NNC_BAD_SPEC. *text ends with a NUL and has *size bytes before the NUL (size may be
 * NULL). Free *text with nnc_text_free. On failure *text is NULL. Errors: the errors of nnc_estimate, NNC_NO_MEMORY. */
NNC_API nnc_status nnc_estimate_json(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                                     const nnc_plan *plan, nnc_scratch *scratch, char **text, size_t *size,
                                     nnc_error *err);
NNC_API nnc_status nnc_estimate_json_by_plan(const nnc_model *model, const nnc_device *device,
                                             const nnc_profiles *profiles, const nnc_plan *plan, nnc_scratch *scratch,
                                             char **text, size_t *size, nnc_error *err);
NNC_API void nnc_text_free(char *text); /* Frees a text of nnc_estimate_json; text may be NULL. */

/* ---- sensitivity: the effect of a faster device ---- */

/* A parameter of the device file that the step time may depend on. */
typedef enum nnc_sensitivity_parameter {
    NNC_PARAMETER_MATMUL, /* peak of matrix products in the precision of the plan */
    NNC_PARAMETER_VECTOR,
    NNC_PARAMETER_MEM_RATE,
    NNC_PARAMETER_SCALE_UP_RATE,
    NNC_PARAMETER_SCALE_UP_LATENCY,
    NNC_PARAMETER_SCALE_OUT_RATE,
    NNC_PARAMETER_SCALE_OUT_LATENCY,
    NNC_PARAMETER_HOST_RATE,
    NNC_PARAMETER_HOST_MEM_RATE,
    NNC_PARAMETER_MEM_BYTES,
    NNC_PARAMETER_COUNT
} nnc_sensitivity_parameter;

/* nnc_sensitivity_parameter_name writes the name of a parameter for --set ("matmul_flops_per_s.bf16") to text, which
 * has at least NNC_PARAMETER_TEXT bytes, and returns text. nnc_sensitivity_parameter_unit returns the unit of a
 * parameter. */
enum { NNC_PARAMETER_TEXT = 48 };
NNC_API char *nnc_sensitivity_parameter_name(nnc_sensitivity_parameter figure, nnc_dtype precision,
                                             char text[NNC_PARAMETER_TEXT]);
NNC_API const char *nnc_sensitivity_parameter_unit(nnc_sensitivity_parameter figure);

/* Returns the value of the parameter on a device; NaN = not recorded. */
NNC_API double nnc_sensitivity_parameter_value(const nnc_device *device, nnc_sensitivity_parameter figure,
                                               nnc_dtype precision);
/* Multiplies the value of a parameter by factor. A value that is not recorded stays not recorded. */
NNC_API void nnc_sensitivity_parameter_scale(nnc_device *device, nnc_sensitivity_parameter figure, nnc_dtype precision,
                                             double factor);

/* Effect of one parameter on the step time. elasticity: d ln step_s / d ln value, from estimates slightly below and
 * above the value. -1: the step time is proportional to 1 / value; exactly 0: no effect. At a kink of the roofline
 * elasticity is the mean of its values on both sides.   [sensitivity] */
typedef struct nnc_sensitivity {
    nnc_sensitivity_parameter figure;
    double value; /* value of the parameter on the device */
    double elasticity;
    double doubled_s; /* step time with twice the value */
    double needed;    /* bytes of memory that the plan needs, for NNC_PARAMETER_MEM_BYTES; else NaN */
} nnc_sensitivity;

/* Estimates the plan about 30 times. Fills an entry for every recorded parameter, at most max entries, largest effect
 * first. Returns the status of nnc_estimate. */
NNC_API nnc_status nnc_sensitivity_of(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                                      const nnc_plan *plan, nnc_scratch *scratch, nnc_sensitivity *entries, int max,
                                      int *count, nnc_error *err);

/* The smallest value of one parameter with which a plan reaches a step time. */
typedef struct nnc_target {
    nnc_sensitivity_parameter figure;
    double value;  /* value of the parameter on the device */
    double needed; /* needed value, exact to 9 digits; NaN: no value is enough */
    double step_s; /* step time with the needed value; if no value is enough: with an unlimited value */
} nnc_target;

NNC_API nnc_status nnc_target_find(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                                   const nnc_plan *plan, nnc_sensitivity_parameter figure, double step_s,
                                   nnc_scratch *scratch, nnc_target *target, nnc_error *err);

#ifdef __cplusplus
}
#endif

#endif
