/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates one training step (nnc_estimate) and its timeline; advises on plans that do not fit in memory; computes how
 * a faster device changes the step time. */
#ifndef NNCOST_ESTIMATE_H
#define NNCOST_ESTIMATE_H

#include <nncost/op.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The verdict says whether a plan fits in the memory of its device. Measured memory peaks are in a range around the
 * predicted peak, so a plan certainly fits only if the upper end of this range fits. */
#define NNC_VERDICT_LIST(X)                                                                            \
    X(NNC_FITS, "fits")   /* even the largest expected memory peak fits in the device memory */        \
    X(NNC_TIGHT, "tight") /* the predicted memory peak fits, but the largest expected peak does not */ \
    X(NNC_OVER_MEMORY, "does_not_fit")
NNC_ENUM(nnc_verdict, NNC_VERDICT_LIST, NNC_VERDICT_COUNT);
NNC_API const char *nnc_verdict_name(nnc_verdict verdict);

#define NNC_BOUND_LIST(X)                                                                             \
    X(NNC_BOUND_COMPUTE, "compute")                                                                   \
    X(NNC_BOUND_MEMORY, "memory")                                                                     \
    X(NNC_BOUND_NETWORK, "network")                                                                   \
    X(NNC_BOUND_HOST, "host")     /* time in which the host issues ops, and fixed times of kernels */ \
    X(NNC_BOUND_BUBBLE, "bubble") /* a pipeline stage waits for other stages; no op has this bound */
NNC_ENUM(nnc_bound, NNC_BOUND_LIST, NNC_BOUND_COUNT);
NNC_API const char *nnc_bound_name(nnc_bound bound);

/* Bytes in the memory of one device at its peak, by class. total_bytes is the sum of weight_bytes, gradient_bytes,
 * optimizer_bytes, activation_bytes, transient_bytes, reserve_bytes and apart_bytes. */
typedef struct nnc_memory {
    int64_t weight_bytes, gradient_bytes, optimizer_bytes;
    int64_t activation_bytes; /* activations that are kept for backward, including logits or the probabilities of the
                               * loss */
    int64_t transient_bytes;  /* largest temporary memory at the memory peak, in addition to kept tensors */
    int64_t reserve_bytes;    /* memory that the user or the software profile sets aside: driver context, collectives,
                               * fragmentation */
    int64_t total_bytes, capacity_bytes;
    int64_t total_interval_bytes[2]; /* smallest and largest expected memory peak, from measurements; if the user sets
                                      * the reserve, both peaks are total_bytes */
    int64_t headroom_bytes;          /* capacity_bytes - total_bytes; negative if the plan does not fit */
    const char *transient_what;      /* name of the op or tensor that needs the transient memory; static storage */
    int64_t apart_bytes;             /* memory peak - sum of all classes of memory except this one; this number is
                                      * negative, because the classes reach their largest sizes at different times */
    /* Bytes of PyTorch's allocator at the memory peak. peak_allocated_bytes: bytes that the allocator has given to
     * tensors; peak_reserved_bytes: bytes that the allocator has taken from the driver. */
    int64_t peak_allocated_bytes, peak_reserved_bytes;
    /* Bytes of the driver's context and of libraries, which PyTorch's allocator does not count. */
    int64_t context_bytes;
    int64_t split_block_bytes; /* bytes of freed blocks that the allocator has split, so that a large tensor cannot use
                                * a whole block */
    /* true: the predicted memory peak is the largest sum of bytes at one moment of backward; false: the peak is the sum
     * of the classes of memory */
    bool one_moment;
    int64_t helper_bytes; /* bytes of the frozen helper models of a training method; weight_bytes includes them */
} nnc_memory;

/* Sizes of public structs and arrays, with unused space for members of later releases. NNC_MEMORY_SPACE: bytes of
 * nnc_memory. NNC_GROUP_SPACE, NNC_COMM_SPACE, NNC_BOUND_SPACE: number of entries of arrays with one entry per group of
 * ops, per kind of communication, per bound. */
enum { NNC_MEMORY_SPACE = 192, NNC_GROUP_SPACE = 32, NNC_COMM_SPACE = 16, NNC_BOUND_SPACE = 8 };

/* One row of the op table: an op in one phase (forward, backward, update). Work and times are for a single instance of
 * the op. */
typedef struct nnc_op_cost {
    const nnc_op *op; /* the op that this row describes; the pointer is valid until the next estimate with this
                       * nnc_scratch */
    nnc_work work;
    double repeat; /* number of instances of the op on one device in one step */
    double compute_s, memory_s, fixed_s;
    double network_s; /* communication time of the op in seconds, overlapped or exposed */
    double time_s;    /* seconds that the op adds to the step; for communication only the exposed time */
    const char *link; /* link that limits the communication: "scale_up", "scale_out", "host"; NULL = the op does not
                       * communicate */
    nnc_bound bound;
} nnc_op_cost;

/* Returns the arithmetic intensity of an op: its FLOPs / bytes that it reads and writes in device memory; NaN if the op
 * moves no bytes. */
NNC_API double nnc_intensity(const nnc_work *work);

/* The result of an estimate. NaN = not known. The times forward_s, backward_s, recompute_s, update_s, exposed_comm_s,
 * bubble_s and host_s add up to step_s. */
typedef struct nnc_result {
    size_t struct_size; /* sizeof (nnc_result); nnc_estimate sets this member */
    nnc_verdict verdict;
    union {
        nnc_plan plan; /* the plan that was estimated, with all defaults filled in */
        unsigned char plan_space[NNC_PLAN_SPACE];
    };
    int64_t params, active_params;
    int64_t params_by_group[NNC_GROUP_SPACE];
    int64_t matmul_params; /* number of parameters in matrix products, the N of the formula FLOPs = 6 N D */
    int64_t tokens;        /* number of tokens that one step processes; 0 if the samples are images */
    /* FLOPs and bytes of the whole step. FLOPs are summed over all devices. */
    double forward_flops, backward_flops, recompute_flops;
    double model_flops, hardware_flops, executed_flops, vector_flops, six_nd_flops;
    double causal_flops; /* model FLOPs by the convention "causal": for attention, only the query-key pairs that a
                          * causal mask allows */
    double read_bytes, write_bytes;
    double input_bytes; /* bytes of training data that the devices read in one step: token ids or images */
    double peak_flops_per_s, ridge_flops_per_byte;
    /* Predicted time of the step in seconds (step_s), its interval and its bounds, and the parts of step_s. */
    double step_s, interval_s[2], lower_bound_s, upper_bound_s;
    double forward_s, backward_s, recompute_s, update_s, exposed_comm_s, bubble_s, host_s;
    double exposed_s[NNC_COMM_SPACE];       /* exposed seconds of each kind of communication; the sum of these values is
                                             * exposed_comm_s */
    double communication_s[NNC_COMM_SPACE]; /* seconds of each kind of communication, overlapped or exposed */
    double bubble_ratio, bubble_share;      /* bubble_ratio: bubble_s / time that the busiest stage works; bubble_share:
                                             * bubble_s / step_s */
    double idle_share;                      /* share of the step time in which a pipeline stage is idle: the mean of
                                             * this share over all stages; 0 without a pipeline */
    int32_t stage, memory_stage;            /* stage: index of the busiest pipeline stage; memory_stage: index of the
                                             * stage that needs most memory */
    /* one value in seconds for each resource (compute, memory, network ...). In predicted mode: seconds of step_s in
     * which the resource is the bound. In ideal mode: seconds in which the resource works. These values can add up to
     * more than the step time, because several resources can work at one time */
    double bound_s[NNC_BOUND_SPACE];
    nnc_bound bound, next_bound; /* bound: the resource with the largest bound_s; next_bound: the resource with the
                                  * second largest bound_s */
    double step_without_bound_s; /* step time in seconds if the resource of `bound` needed no time */
    /* Samples and tokens per second, and utilisation of the devices (MFU and HFU). */
    double samples_per_s, tokens_per_s, tokens_per_s_per_device;
    double model_flops_per_s_per_device, mfu, hfu;
    double causal_mfu; /* MFU with causal_flops as model FLOPs, for any flops_convention of the plan; at most 1 */
    union {
        nnc_memory memory;
        unsigned char memory_space[NNC_MEMORY_SPACE];
    };
    /* Money and energy. The members cost_run and run_s are NaN unless the plan gives the tokens or samples of the run.
     * The member energy_j is the energy of the run if run_s is known, otherwise the energy of one step. */
    double price_per_device_hour, cost_step, cost_run, device_hours, run_s, energy_j;
    int32_t op_count;
    int64_t trained_params; /* number of trained parameters; `params` counts trained and frozen parameters together */
    int64_t next_params;    /* parameters of the layers for multi-token prediction, if the plan does not train them; not
                             * included in params; 0 = no such layers */
    /* Smallest sizes with which a matrix product is compute-bound. `critical_tokens` is the smallest number of tokens
     * for a product on one device, which reads the weights from its memory. `critical_width` is the smallest length of
     * the summed dimension for a product on two devices that hold one half of this dimension each. If the summed
     * dimension is shorter than critical_width, the network between the two devices bounds the product. */
    double critical_tokens, critical_width;
    double kernels; /* number of kernels that one device runs in a step; NaN = the operators of the program are not
                     * known */
} nnc_result;

/* Working memory of estimates. Create one scratch for each thread, and pass this scratch to every estimate of the
 * thread. */
typedef struct nnc_scratch nnc_scratch;
NNC_API nnc_scratch *nnc_scratch_create(void); /* Returns NULL if the scratch cannot be allocated. */
NNC_API void nnc_scratch_destroy(nnc_scratch *scratch);

/* Estimates one training step. software NULL = the neutral profile; plan NULL = the default plan. If a plan does not
 * fit in memory, nnc_estimate returns no error; result->verdict has the verdict. Errors: NNC_ILLEGAL_PLAN, NNC_BAD_SPEC
 * (for example, the device file lacks a value that the estimate needs; err names the value), NNC_BAD_USAGE. Allocates
 * no memory. */
NNC_API nnc_status nnc_estimate_into(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                                     const nnc_plan *plan, nnc_scratch *scratch, nnc_result *result, nnc_error *err);
static inline nnc_status nnc_estimate(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                                      const nnc_plan *plan, nnc_scratch *scratch, nnc_result *result, nnc_error *err) {
    result->struct_size = sizeof *result;
    return nnc_estimate_into(model, device, software, plan, scratch, result, err);
}

/* Returns row `index` (from 0) of the op table of the last estimate made with this scratch; NULL if index is not below
 * result->op_count. The returned row is valid until the next estimate with the same scratch. */
NNC_API const nnc_op_cost *nnc_scratch_op(const nnc_scratch *scratch, int32_t index);

/* One pipeline stage of the last estimate. All times are in seconds. */
typedef struct nnc_stage {
    int64_t layers;
    bool embedding, head;
    int64_t params; /* number of parameters of the pipeline stage that one rank stores */
    /* times of one micro-batch. weight_s: time of the separate pass for weight gradients; 0 = backward computes the
     * weight gradients */
    double forward_s, backward_s, weight_s;
    double busy_s, bubble_s;     /* busy_s: time per step that the passes take; bubble_s: idle time per step. Neither
                                  * busy_s nor bubble_s contains exchange_s or update_s */
    double exchange_s, update_s; /* exchange_s: exposed communication per step after the last pass; update_s: optimizer
                                  * update */
    double in_flight;            /* number of micro-batches whose activations the stage keeps at the same time */
    nnc_memory memory;
    int64_t static_bytes; /* bytes that stay allocated between two steps: weights, gradients, optimizer states, and the
                           * workspaces of matrix products (the software profile gives their size) */
} nnc_stage;

/* Returns pipeline stage `index` (from 0) of the last estimate made with this scratch; NULL if the plan has no stage
 * with this index. */
NNC_API const nnc_stage *nnc_scratch_stage(const nnc_scratch *scratch, int32_t index);

#ifdef NNC_STATIC_LINKING_ONLY

/* These functions return arrays of the last estimate made with a scratch: the op table (nnc_scratch_ops) or the
 * pipeline stages (nnc_scratch_stages). *count gets the number of entries of the returned array. */
const nnc_op_cost *nnc_scratch_ops(const nnc_scratch *scratch, int32_t *count);
const nnc_stage *nnc_scratch_stages(const nnc_scratch *scratch, int32_t *count);

#endif /* NNC_STATIC_LINKING_ONLY */

/* Activities of a pipeline stage. In each interval of the step, a stage has exactly one activity. */
#define NNC_ACTIVITY_LIST(X)                                                                         \
    X(NNC_ACTIVITY_FORWARD, "forward")                                                               \
    X(NNC_ACTIVITY_BACKWARD, "backward") /* includes weight gradients if no pass "weight" runs */    \
    X(NNC_ACTIVITY_WEIGHT, "weight")                                                                 \
    X(NNC_ACTIVITY_EXCHANGE, "exchange") /* exposed communication, once per step after all passes */ \
    X(NNC_ACTIVITY_UPDATE, "update")                                                                 \
    X(NNC_ACTIVITY_IDLE, "idle")
NNC_ENUM(nnc_activity, NNC_ACTIVITY_LIST, NNC_ACTIVITY_COUNT);
NNC_API const char *nnc_activity_name(nnc_activity activity);

typedef struct nnc_interval {
    int32_t stage;
    int32_t chunk;       /* index of the virtual stage on the device; with DualPipe, index of the direction of the
                          * micro-batch */
    int64_t micro_batch; /* index of the micro-batch, from 0; -1 = the stage runs no micro-batch in this interval */
    nnc_activity activity;
    double start_s, end_s;
} nnc_interval;

/* largest number of passes, summed over all stages, that nnc_timeline accepts in an estimate */
enum { NNC_INTERVALS_MAX = 1000000 };

/* Calls the function `interval` for each interval of the last estimate with this scratch. result: the result of this
 * estimate. The intervals of one stage come in the order of time, without gaps, over one whole step (step_s); the order
 * of the stages is not defined. The first interval of a stage starts at time 0. In schedules without a barrier between
 * steps (zb-*), the first interval starts with the first forward of the stage. Work that runs once per step comes after
 * the last pass of the stage. Returns NNC_BAD_USAGE if there are more than NNC_INTERVALS_MAX passes. */
typedef void nnc_interval_fn(void *context, const nnc_interval *interval);
NNC_API nnc_status nnc_timeline(nnc_scratch *scratch, const nnc_result *result, nnc_interval_fn *interval,
                                void *context, nnc_error *err);

/* A plan that fits in memory, made by changes of a plan that does not fit. The function nnc_advise writes at most `max`
 * changed plans to `advice`, and returns their number. If changes that keep the training result are enough, the plans
 * in `advice` have up to four of these changes, and the fastest plan comes first. If changes that keep the training
 * result are not enough to fit in memory, the plans in `advice` have changes of any kind, and as few changes as
 * possible. `text` has the changes as command-line options. */
typedef struct nnc_advice {
    union {
        nnc_plan plan;
        unsigned char plan_space[NNC_PLAN_SPACE];
    };
    int32_t changes;
    /* verdict of the changed plan; NNC_TIGHT only if nnc_advise finds no changed plan with NNC_FITS */
    nnc_verdict verdict;
    int64_t total_bytes;
    double step_s;
    char text[256];
} nnc_advice;
NNC_API int nnc_advise(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                       const nnc_plan *plan, nnc_scratch *scratch, nnc_advice *advice, int max);
/* Finds changes as nnc_advise does, for a plan that runs with its default profile. All changed plans run with the
 * default profile of the given plan. If a changed plan has another default profile, its `text` contains the option
 * --software. */
NNC_API int nnc_advise_by_plan(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                               const nnc_plan *plan, nnc_scratch *scratch, nnc_advice *advice, int max);

/* Estimates a step and writes the result as JSON. nnc_estimate_json writes the same bytes as `nncost estimate
 * --software SOFTWARE --format json`; nnc_estimate_json_by_plan writes the same bytes as `nncost estimate --format
 * json`. Some members of the JSON output are written only by the command `nncost estimate`: members that need rows of
 * measured steps (accuracy, trust, open_facts), and members about settings with which a plan may fit in memory (fit,
 * the lower end of total_interval_bytes). The command `nncost estimate` also accepts a profile with a date, such as
 * nemo-25.09, and then sets fields of the plan to the defaults of this framework release; nnc_estimate_json returns
 * NNC_BAD_SPEC for a profile with a date. The JSON text in *text has *size bytes and a final NUL (size may be NULL);
 * the caller frees the text with nnc_text_free. After a failure *text is NULL. Errors: those of nnc_estimate,
 * NNC_NO_MEMORY. */
NNC_API nnc_status nnc_estimate_json(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                                     const nnc_plan *plan, nnc_scratch *scratch, char **text, size_t *size,
                                     nnc_error *err);
NNC_API nnc_status nnc_estimate_json_by_plan(const nnc_model *model, const nnc_device *device,
                                             const nnc_profiles *profiles, const nnc_plan *plan, nnc_scratch *scratch,
                                             char **text, size_t *size, nnc_error *err);
NNC_API void nnc_text_free(char *text); /* Frees a text that nnc_estimate_json has written; NULL is allowed. */

/* ---- sensitivity: how the step time changes if a parameter of the device changes ---- */

/* A parameter of the device file on which step times depend. */
typedef enum nnc_sensitivity_parameter {
    NNC_PARAMETER_MATMUL, /* peak FLOP/s of the matrix units in the precision of the plan */
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

/* The function nnc_sensitivity_parameter_name writes the name of a device parameter to `text`, in the spelling of the
 * option --set ("matmul_flops_per_s.bf16"), and returns `text`. The buffer `text` has at least NNC_PARAMETER_TEXT
 * bytes. The function nnc_sensitivity_parameter_unit returns the unit of a parameter, for example "B/s". */
enum { NNC_PARAMETER_TEXT = 48 };
NNC_API char *nnc_sensitivity_parameter_name(nnc_sensitivity_parameter figure, nnc_dtype precision,
                                             char text[NNC_PARAMETER_TEXT]);
NNC_API const char *nnc_sensitivity_parameter_unit(nnc_sensitivity_parameter figure);

/* Returns the value of a parameter of a device; NaN = the device file does not give this parameter. precision: number
 * format whose value is returned, for parameters with one value per format. */
NNC_API double nnc_sensitivity_parameter_value(const nnc_device *device, nnc_sensitivity_parameter figure,
                                               nnc_dtype precision);
/* Multiplies a parameter of a device by `factor`. If the device file does not give the parameter, the function does
 * nothing. */
NNC_API void nnc_sensitivity_parameter_scale(nnc_device *device, nnc_sensitivity_parameter figure, nnc_dtype precision,
                                             double factor);

/* Effect of one parameter of the device on the step time. The elasticity is d ln step_s / d ln p for the value p of the
 * parameter. nncost computes it from two estimates, with p slightly decreased and with p slightly increased. An
 * elasticity of -1 means that the step time is proportional to 1 / p; 0 means that p has no effect. If the bound of an
 * op changes exactly at p, the elasticity is the mean of the elasticities below and above p.   [sensitivity] */
typedef struct nnc_sensitivity {
    nnc_sensitivity_parameter figure;
    double value; /* value of the parameter as the device file states it */
    double elasticity;
    double doubled_s; /* step time in seconds if the value of the parameter is doubled */
    /* bytes of device memory that the plan needs, for NNC_PARAMETER_MEM_BYTES; NaN for other parameters */
    double needed;
} nnc_sensitivity;

/* Computes the sensitivity of the step time to each parameter that the device file gives, and writes the `max`
 * parameters with the largest effect to `entries`, the largest first; *count gets the number of written entries. Makes
 * about 30 estimates. Returns the status of nnc_estimate. */
NNC_API nnc_status nnc_sensitivity_of(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                                      const nnc_plan *plan, nnc_scratch *scratch, nnc_sensitivity *entries, int max,
                                      int *count, nnc_error *err);

/* The smallest value of one parameter of the device with which a plan reaches a given step time. */
typedef struct nnc_target {
    nnc_sensitivity_parameter figure;
    double value; /* value of the parameter as the device file states it */
    /* smallest value of the parameter with which the step time is at most the given step time, computed to 9 digits;
     * NaN = no such value */
    double needed;
    /* step time in seconds if the parameter has the value `needed`; if `needed` is NaN, step time with an infinite
     * value of the parameter */
    double step_s;
} nnc_target;

NNC_API nnc_status nnc_target_find(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                                   const nnc_plan *plan, nnc_sensitivity_parameter figure, double step_s,
                                   nnc_scratch *scratch, nnc_target *target, nnc_error *err);

#ifdef __cplusplus
}
#endif

#endif
