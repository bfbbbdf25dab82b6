/* SPDX-License-Identifier: Apache-2.0 */
/* A device (accelerator) and its server, as read from hw/<id>.json. */
#ifndef NNCOST_HARDWARE_H
#define NNCOST_HARDWARE_H

#include <stdbool.h>
#include <stdint.h>

#include <nncost/dtype.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NNC_LINK_KIND_LIST(X)                                                                                         \
    X(NNC_LINK_NONE, "none", "No scale-up fabric: PCIe or the network only.")                                         \
    X(NNC_LINK_SWITCH, "switch", "A network switch: every pair of devices has the full rate.")                        \
    X(NNC_LINK_TORUS, "torus", "A torus of one to three axes; bytes_per_s is the rate of one link in one direction.") \
    X(NNC_LINK_MESH, "mesh",                                                                                          \
      "A mesh: every pair of devices has its own link; bytes_per_s is the sum over the links of a device.")           \
    X(NNC_LINK_RING, "ring", "A ring: each device has a link to the next, and the last device to the first.")         \
    X(NNC_LINK_PCIE, "pcie", "Devices communicate over PCIe, without a separate fabric.")
NNC_ENUM(nnc_link_kind, NNC_LINK_KIND_LIST, NNC_LINK_KIND_COUNT);
NNC_API const char *nnc_link_kind_name(nnc_link_kind kind);
NNC_API const char *nnc_link_kind_help(nnc_link_kind kind);

/* A device. The nnc_specs that loaded it owns it. Fields have the names of the JSON file; nnc_device_number,
 * nnc_device_text and nnc_device_set in <nncost/spec.h> read and set them. */
typedef struct nnc_device nnc_device;

#ifdef NNC_STATIC_LINKING_ONLY

/* The scale-up fabric: fast links between `devices` devices. Rates are those of one device in one direction. */
typedef struct nnc_scale_up {
    nnc_link_kind kind;
    int32_t devices;    /* number of devices in one scale-up domain */
    int32_t dims[3];    /* for a torus: number of devices along each axis */
    int32_t dims_count; /* number of axes in dims; 0 unless the fabric is a torus */
    bool wrap[3];       /* for a torus: true if the last device of the axis has a link to the first */
    int32_t wrap_count;
    double bytes_per_s; /* bandwidth of one device in one direction, B/s; on a torus, of one link */
    double latency_s;   /* seconds of one step of a collective algorithm without data; NaN = not recorded */
    double knee_bytes;  /* a message of this size takes twice as long as at full bandwidth; NaN = 0 */
    bool reduces_in_switch;
} nnc_scale_up;

typedef struct nnc_scale_out {
    double bytes_per_s; /* share of one device in the bandwidth of the NICs, in one direction, B/s */
    double latency_s;
    double knee_bytes;       /* a message of this size takes twice as long as at full bandwidth; NaN = 0 */
    double oversubscription; /* bandwidth of the links of all devices / bandwidth of the network core; NaN = not
                              * recorded, used as 1 */
} nnc_scale_out;

typedef struct nnc_host_link {
    double bytes_per_s;     /* bandwidth between device memory and host memory, in one direction, B/s */
    double mem_bytes_per_s; /* share of one device in the bandwidth of the host memory, B/s; NaN = not recorded */
    double kernel_s;        /* seconds of the host to issue one kernel of a program that is not compiled; 0 = the device
                             * is a CPU */
    double new_bytes_per_s; /* rate of the first write to memory that the operating system has just given to the
                             * program, B/s; NaN = not recorded, first writes take no extra time */
} nnc_host_link;

typedef struct nnc_price {
    double per_device_hour;
    char currency[8];
    const char *where, *date, *source; /* place where the device is offered, date and source of the price; valid as long
                                        * as the nnc_specs that loaded the file; NULL = not stated */
} nnc_price;

/* Source of values of a device, model or profile file. key: name of a field, or the start of several names; "" = the
 * whole file. */
typedef struct nnc_source {
    const char *key;
    const char *text;
} nnc_source;

/* Fitted efficiencies of a device: measured rate / datasheet rate. A comment gives the neutral value, which changes
 * nothing. */

/* Efficiencies of pointwise kernels and of the optimizer, for the time of a kernel in seconds:
 * time = max(flops / (sustained_fraction * peak), bytes / (memory_fraction * bandwidth)) + fixed_s */
typedef struct nnc_efficiency {
    double sustained_fraction; /* share of the peak FLOP/s that kernels reach, in (0, 1]; neutral: 1 */
    double memory_fraction;    /* share of the memory bandwidth (mem_bytes_per_s), in (0, 1]; neutral: 1 */
    double fixed_s;            /* fixed seconds of each kernel, added to the longer of compute and memory time; neutral:
                                * 0 */
} nnc_efficiency;

/* Efficiencies of convolutions, for the formula in docs/formulas.md, conv-time. library_*: for kernels that PyTorch
 * issues. */
typedef struct nnc_conv_efficiency {
    /* sustained_fraction: share of the peak FLOP/s; memory_fraction: share of the memory bandwidth; fixed_s: fixed
     * seconds of each kernel; neutral: 1, 1, 0 */
    double sustained_fraction, memory_fraction, fixed_s;
    double channels_half; /* number of channels per group with which half of the rate is reached; neutral: 0 */
    double depth_half;    /* number of terms per output value with which half of the rate is reached; neutral: 0 */
    /* share of the peak of the vector units, for convolutions that run faster on these units; NaN = vector units are
     * not used */
    double vector_fraction;
    /* Values for kernels that PyTorch issues, used instead of sustained_fraction and channels_half; NaN = not used. */
    double library_sustained_fraction, library_channels_half;
    double library_tf32_backward_ratio;   /* for maps in NHWC: time of one gradient in TF32 / time of forward; NaN =
                                           * 1 */
    double library_tf32_contiguous_ratio; /* for maps in NCHW: time of one gradient in TF32 / time of forward; NaN =
                                           * library_tf32_backward_ratio */
    double library_channel_fraction;      /* for depthwise convolutions of NCHW maps: share of the fp32 peak of the
                                           * vector units; NaN = vector_fraction */
    double library_channel_weight_ratio;  /* for depthwise convolutions: factor on the time of the weight gradient; NaN
                                           * = 1 */
} nnc_conv_efficiency;

/* Efficiencies of matrix products, for the formula in docs/formulas.md, gemm-time. */
typedef struct nnc_gemm_efficiency {
    double sustained_fraction;      /* share of the peak FLOP/s that long kernels sustain; neutral: 1 */
    double boost_ratio;             /* rate of short kernels / rate of long kernels, at least 1; neutral: 1 */
    double memory_fraction;         /* share of the memory bandwidth that matrix products reach; neutral: 1 */
    double library_memory_fraction; /* memory_fraction of matrix products that PyTorch issues; NaN = as
                                     * memory_fraction */
    double fixed_s;                 /* fixed seconds of each kernel, which do not overlap with compute; neutral: 0 */
    double k_fill;                  /* the start and the end of a tile together take as long as this many more elements
                                     * of the dimension k; neutral: 0 */
    double l2_bytes_per_flop;       /* operand bytes that the L2 cache can deliver for each FLOP of the peak; NaN = no
                                     * limit */
    double l2_bytes_per_s;          /* bandwidth of the L2 cache, B/s, used instead of l2_bytes_per_flop; NaN = not
                                     * given */
    double wave_quantization; /* 1: a partly filled wave of tiles takes as long as a full one; 0: it takes time only for
                               * its tiles, except that less than one wave takes as long as one; values between mix
                               * both; NaN: tiles have no effect on the rate */
    double unaligned_ratio;   /* time of a product / its time if all its dimensions were multiples of 8; neutral: 1 */
    double unaligned_backward_ratio; /* unaligned_ratio of the products of backward; NaN = as unaligned_ratio */
    /* time of an 8-bit product with one scale per 128 elements / its time with one scale per tensor; neutral: 1 */
    double block_ratio;
    double group_ratio; /* time of grouped products / time of one product with the rows of all groups; neutral: 1 */
    double power_share; /* share of power_w that the matrix units draw at their peak; NaN = not known */
} nnc_gemm_efficiency;

/* Efficiencies of one generation of fused attention kernels, for the formula in docs/formulas.md, flash-time. */
typedef struct nnc_flash_efficiency {
    double sustained_fraction; /* share of the peak FLOP/s that forward of attention sustains; neutral: 1 */
    double backward_ratio;     /* FLOP/s of backward of attention / FLOP/s of forward; neutral: 1 */
    double memory_fraction;    /* share of the memory bandwidth that attention reaches; neutral: 1 */
    double fixed_s;            /* fixed seconds of each attention kernel; neutral: 0 */
    double seq_half;           /* sequence length with which half of the rate is reached; neutral: 0 */
    /* For kernels that PyTorch issues. library_unmasked_half: seq_half of attention without a mask (NaN = seq_half);
     * library_backward_ratio: used instead of backward_ratio (NaN = backward_ratio); library_backward_bytes: bytes for
     * each value of the queries that backward moves in addition to the operands of its matrix products (NaN = 0). */
    double library_unmasked_half, library_backward_ratio, library_backward_bytes;
    double narrow_ratio;  /* rate with heads of width 64 / rate with heads of width 128 and more; neutral: 1 */
    double block_penalty; /* the time is multiplied by 1 + block_penalty x units of the device / blocks of 128 queries;
                           * neutral: 0 */
    double head_multiple; /* widths of heads are padded to a multiple of this number; neutral: 32 */
} nnc_flash_efficiency;

#endif /* NNC_STATIC_LINKING_ONLY */

/* Generations of fused attention kernels (arXiv:2205.14135, 2307.08691, 2407.08608), and the cuDNN kernels of the same
 * years. All compute the same, at different rates. */
#define NNC_FLASH_KERNEL_LIST(X)                                               \
    X(NNC_FLASH1, "flash1", "FlashAttention kernels of the first generation.") \
    X(NNC_FLASH2, "flash2", "Kernels of the generation of FlashAttention-2.")  \
    X(NNC_FLASH3, "flash3", "Kernels of the generation of FlashAttention-3.")  \
    X(NNC_CUDNN, "cudnn", "The kernels of cuDNN, if they were measured separately.")
NNC_ENUM(nnc_flash_kernel, NNC_FLASH_KERNEL_LIST, NNC_FLASH_KERNEL_COUNT);
NNC_API const char *nnc_flash_kernel_name(nnc_flash_kernel kernel);
NNC_API const char *nnc_flash_kernel_help(nnc_flash_kernel kernel);

#ifdef NNC_STATIC_LINKING_ONLY

/* Efficiencies of one kind of collective inside a scale-up domain, for nnc_collective_predicted_s. */
typedef struct nnc_collective_efficiency {
    double fixed_s, log2_s;  /* fixed_s: fixed seconds of a call; log2_s: seconds that each doubling of the number of
                              * ranks adds; neutral: 0 */
    double bus_fraction;     /* share of the link bandwidth that large messages in large groups of ranks reach; neutral:
                              * 1 */
    double knee_bytes;       /* bytes that one rank sends in a call that takes twice as long as at full rate;
                              * neutral: 0 */
    double small_group_loss; /* n ranks reach the share 1 - small_group_loss / n^2 of the rate; neutral: 0 */
} nnc_collective_efficiency;

typedef struct nnc_collective_efficiencies {
    nnc_collective_efficiency all_reduce, all_gather, reduce_scatter, all_to_all;
    double step_fixed_s;       /* further seconds of a call inside a training step (launch, ranks that start at
                                * different times); neutral: 0 */
    double scale_out_fraction; /* share of scale_out.bytes_per_s that collectives reach; neutral: 1 */
    double scale_out_fixed_s;  /* fixed seconds of a call between several scale-up domains; neutral: 0 */
    bool fitted;               /* false: the device file has no efficiencies of collectives */
} nnc_collective_efficiencies;

/* Values for the time of an all-reduce in a decode step, for nnc_serve_all_reduce_s. One-shot: one round, in which
 * every rank sends all its data to every other rank; two-shot: two rounds. */
typedef struct nnc_small_all_reduce {
    double fixed_s, rank_s;                      /* fixed_s: fixed seconds of a call; rank_s: seconds that each rank
                                                  * adds */
    double two_shot_s;                           /* seconds by which a two-shot all-reduce takes longer because of its
                                                  * second round */
    double one_shot_fraction, two_shot_fraction; /* shares of the link bandwidth that one-shot and two-shot all-reduces
                                                  * reach */
    double node_s;                               /* seconds that are added if the ranks are on several nodes */
} nnc_small_all_reduce;

/* Efficiencies for serving, fitted to small batches with kernels in recorded programs (CUDA graphs). Fractions are
 * shares of the datasheet rate. NaN = not measured; src/serve/ then uses defaults. */
typedef struct nnc_serve_efficiency {
    double stream_fraction[NNC_STORED_COUNT];  /* share of the memory bandwidth in products with few rows, by storage
                                                * format of the weights */
    double kv_fraction[NNC_STORED_COUNT];      /* share of the memory bandwidth in attention of decode, by storage
                                                * format of the cache */
    double product_fraction[NNC_STORED_COUNT]; /* share of the peak FLOP/s in products with many rows, by storage format
                                                * of the weights */
    double product_s[NNC_STORED_COUNT];        /* fixed seconds of a product, by storage format of the weights; NaN =
                                                * kernel_s */
    double attention_fraction;                 /* share of the peak FLOP/s of 16-bit formats in attention of prefill */
    double expert_fraction[NNC_STORED_COUNT];  /* share of the memory bandwidth in products of many experts, by storage
                                                * format of the weights */
    double kernel_s, attention_s;              /* kernel_s: fixed seconds of a kernel in a recorded program;
                                                * attention_s: fixed seconds of attention in decode */
    /* share of the keys and values of a head that each further query head of its group reads again; neutral: 0 */
    double kv_reread;
    nnc_small_all_reduce all_reduce;
    bool fitted; /* false: the device file has no serving efficiencies */
} nnc_serve_efficiency;

#endif /* NNC_STATIC_LINKING_ONLY */

#ifdef NNC_STATIC_LINKING_ONLY

/* Power that a device draws, as shares of power_w; nnc_power_throttle computes from these how much a power limit slows
 * kernels down. */
typedef struct nnc_power_efficiency {
    double idle_share;   /* share of power_w that the device always draws; neutral: 0 */
    double memory_share; /* share of power_w that the memory draws at full bandwidth; neutral: 0 */
    double exponent;     /* the time of a kernel is multiplied by (power drawn / power limit)^exponent; neutral: 0 */
} nnc_power_efficiency;

#endif /* NNC_STATIC_LINKING_ONLY */

/* Basis of the efficiencies of a device: the kind of measurements behind its values, the least certain first. */
#define NNC_BASIS_LIST(X)                                                                                    \
    X(NNC_BASIS_NONE, "none", "No fitted values: only the rates of the datasheet.")                          \
    X(NNC_BASIS_DEFAULT, "default", "Values copied from similar devices of the same vendor and generation.") \
    X(NNC_BASIS_KERNELS, "kernels", "Values fitted to kernels measured on the device.")                      \
    X(NNC_BASIS_STEPS, "steps", "Values fitted to kernels and whole training steps measured on the device.")
NNC_ENUM(nnc_basis, NNC_BASIS_LIST, NNC_BASIS_COUNT);
NNC_API const char *nnc_basis_name(nnc_basis basis);
NNC_API const char *nnc_basis_help(nnc_basis basis);

#ifdef NNC_STATIC_LINKING_ONLY

/* Efficiencies of kernels that libraries issue, one for each operator. Fractions are shares of the memory bandwidth. */
typedef struct nnc_stream_efficiency {
    double memory_fraction; /* share of the bandwidth that pointwise kernels reach, if their operands have one format */
    double mixed_fraction;  /* share of the bandwidth that pointwise kernels reach, if their operands have two formats
                             * (casts) */
    double norm_fraction, softmax_fraction, loss_fraction;
    double norm_row_s, norm_row_backward_s;       /* seconds that each row of a norm adds: norm_row_s in forward,
                                                   * norm_row_backward_s in backward */
    double adamw_fraction, adamw_narrow_fraction; /* for fused AdamW: adamw_fraction with fp32 states,
                                                   * adamw_narrow_fraction with 16-bit states */
    double fixed_s;                               /* fixed seconds of each kernel that a library issues */
} nnc_stream_efficiency;

/* Fitted parameters of a device, separate from its datasheet values. All values of an object that the file does not
 * have are neutral. */
typedef struct nnc_efficiencies {
    nnc_basis basis;
    double calibration; /* factor of one machine on the rates of its matrix products, attention and convolutions;
                         * neutral: 1 */
    /* efficiencies of matrix products, one entry for each format of the operands */
    nnc_gemm_efficiency gemm[NNC_DTYPE_COUNT];
    /* efficiencies of fused attention, one entry for each generation of kernels */
    nnc_flash_efficiency attention[NNC_FLASH_KERNEL_COUNT];
    nnc_conv_efficiency conv;
    nnc_efficiency pointwise;       /* efficiencies of norms, activation functions, copies and losses */
    nnc_efficiency pointwise_tuned; /* efficiencies of pointwise kernels that were written for the device
                                     * [pointwise] */
    nnc_efficiency maps;            /* pointwise kernels on feature maps; memory_fraction NaN = the values of
                                     * `pointwise` are used */
    nnc_efficiency maps_tuned;      /* pointwise kernels on feature maps that were written for the device */
    nnc_efficiency optimizer;
    nnc_stream_efficiency stream;
    nnc_collective_efficiencies collectives;
    nnc_power_efficiency power;
    nnc_serve_efficiency serving; /* efficiencies for serving; training does not use them */
    bool fitted;                  /* false: the file has no efficiencies, so all values are neutral */
} nnc_efficiencies;

/* Peaks in the device file, with the number of units and the clock that they belong to. nnc_device_set computes new
 * peaks from these if units or clock change. */
typedef struct nnc_rated {
    int32_t units;
    double clock_hz;
    double matmul_flops_per_s[NNC_DTYPE_COUNT], vector_flops_per_s[NNC_DTYPE_COUNT];
    uint32_t matmul_set, vector_set; /* one bit for each format, set if nnc_device_set has changed the peak in this
                                      * format: of the matrix units (matmul_set), of the vector units (vector_set) */
} nnc_rated;

/* Mean time between failures of a job x number of its devices, in seconds. any_s: all failures; hardware_s: only
 * failures of the hardware. */
typedef struct nnc_mtbf {
    double any_s, hardware_s;
} nnc_mtbf;

/* Measured power of a node, with host, memory and fans, divided by the number of its devices, in watts. */
typedef struct nnc_node_power {
    double idle_w, busy_w;
} nnc_node_power;

/* A device. NaN = not recorded. Texts are valid as long as the nnc_specs that loaded the device. */
struct nnc_device {
    char id[48]; /* stem of the file name, for example "h100-sxm5-80gb" */
    char name[96];
    char vendor[24];
    char architecture[32];
    int32_t year;
    int32_t units; /* number of streaming multiprocessors, compute units, or tensor cores of a TPU */
    double clock_hz;
    double matmul_flops_per_s[NNC_DTYPE_COUNT]; /* peak FLOP/s of the matrix units by format, without sparsity */
    double vector_flops_per_s[NNC_DTYPE_COUNT]; /* peak FLOP/s of the vector units by format */
    int64_t mem_bytes;                          /* exact bytes of the device memory, not the rounded number in its
                                                 * name */
    double mem_bytes_per_s;
    double l2_bytes;      /* bytes of the last cache on the chip before the device memory */
    double scratch_bytes; /* bytes of memory that kernels manage themselves, in each unit */
    nnc_scale_up scale_up;
    nnc_scale_out scale_out;
    nnc_host_link host;
    double power_w;
    double power_cap_w; /* power limit in watts that the operator has set below power_w; NaN = no limit */
    nnc_node_power node_power;
    nnc_mtbf mtbf;
    nnc_efficiencies efficiency;
    nnc_rated rated;         /* peaks with their units and clock; all 0: a change of units or clock does not change the
                              * peaks */
    const nnc_price *prices; /* the newest on-demand price comes first; may be NULL */
    int32_t price_count;
    const char *const *aliases;
    int32_t alias_count;
    const nnc_source *sources;
    int32_t source_count;
    const char *path;    /* path of the file from which the device was read */
    double embodied_kg;  /* carbon emitted to make the device, kg; the source says what is included */
    double usable_bytes; /* bytes of mem_bytes that one process can get; NaN = not recorded, or mem_bytes was changed */
    bool lenient;        /* true: implausible values of the file are accepted; false: they are an error */
    bool implausible;    /* true: the file has an implausible value, so estimates give no interval of the step time */
    bool usable_set;     /* true: nnc_device_set has set usable_bytes, so that a later change of mem_bytes keeps it */
};

#endif /* NNC_STATIC_LINKING_ONLY */

/* Returns the peak of matrix products in a format, in FLOP/s, without sparsity; for fp32 on a device whose matrix units
 * cannot compute it, the peak of the vector units. NaN = the device cannot compute in this format. */
NNC_API double nnc_device_matmul_peak(const nnc_device *device, nnc_dtype dtype);

/* Returns the ridge point of a format, in FLOP/B: matrix products with more FLOPs per byte are compute-bound. Source:
 * Williams, Waterman, Patterson, CACM 52(4), 2009.   [roofline] */
NNC_API double nnc_device_ridge(const nnc_device *device, nnc_dtype dtype);

/* Returns the bytes of device memory that one process can get: usable_bytes, or mem_bytes if usable_bytes is not
 * recorded or larger. If nnc_device_set changes mem_bytes, usable_bytes of the file no longer counts. */
NNC_API int64_t nnc_device_capacity(const nnc_device *device);

#ifdef __cplusplus
}
#endif

#endif
