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

#define NNC_LINK_KIND_LIST(X)                                                                              \
    X(NNC_LINK_NONE, "none", "No scale-up fabric: PCIe or the network only.")                              \
    X(NNC_LINK_SWITCH, "switch", "A switch: every pair at full rate.")                                     \
    X(NNC_LINK_TORUS, "torus", "One to three axes; bytes_per_s is one link, one direction.")               \
    X(NNC_LINK_MESH, "mesh", "Every pair has its own link; bytes_per_s is the sum of one device's links.") \
    X(NNC_LINK_RING, "ring", "Each device has a link to the next, the last to the first.")                 \
    X(NNC_LINK_PCIE, "pcie", "Over PCIe, without a fabric of its own.")
NNC_ENUM(nnc_link_kind, NNC_LINK_KIND_LIST, NNC_LINK_KIND_COUNT);
NNC_API const char *nnc_link_kind_name(nnc_link_kind kind);
NNC_API const char *nnc_link_kind_help(nnc_link_kind kind);

/* A device; the nnc_specs that loaded it owns it. Fields are named as in the device file: see nnc_device_number,
 * nnc_device_text and nnc_device_set in <nncost/spec.h>. */
typedef struct nnc_device nnc_device;

#ifdef NNC_STATIC_LINKING_ONLY

/* The fast fabric that joins `devices` devices. Rates are per device and direction. */
typedef struct nnc_scale_up {
    nnc_link_kind kind;
    int32_t devices;    /* devices in the domain */
    int32_t dims[3];    /* torus: length of each axis */
    int32_t dims_count; /* number of axes in dims; 0 unless the fabric is a torus */
    bool wrap[3];       /* torus: whether each axis closes into a ring */
    int32_t wrap_count;
    double bytes_per_s; /* B/s, one direction */
    double latency_s;   /* time of one step of the collective algorithm, s; NaN = not recorded */
    double knee_bytes;  /* knee: a message of this size takes twice as long as at full bandwidth; NaN = 0 */
    bool reduces_in_switch;
} nnc_scale_up;

typedef struct nnc_scale_out {
    double bytes_per_s; /* one device's share of the NICs, one direction */
    double latency_s;
    double knee_bytes;       /* a message of this size takes twice as long as at full bandwidth */
    double oversubscription; /* bandwidth of the devices' links / bandwidth of the network core; NaN = not recorded,
                              * used as 1 */
} nnc_scale_out;

typedef struct nnc_host_link {
    double bytes_per_s;     /* rate between device and host memory, one direction */
    double mem_bytes_per_s; /* one device's share of the host memory's rate; NaN = not recorded */
    double kernel_s;        /* host time to issue one kernel of a program that is not compiled */
    double new_bytes_per_s; /* rate of the first write to memory that the operating system has just given to the
                             * program; NaN = not recorded: first writes take no additional time */
} nnc_host_link;

typedef struct nnc_price {
    double per_device_hour;
    char currency[8];
    const char *where, *date, *source; /* place, date and source of the price; valid as long as the nnc_specs that
                                        * loaded the file; NULL = not stated */
} nnc_price;

/* Source of values of a device file. key: name of a field, or start of several names; "" = the whole file. */
typedef struct nnc_source {
    const char *key;
    const char *text;
} nnc_source;

/* Fitted efficiencies: measured rate / datasheet rate of a device. Comments of members give the neutral values. */

/* Efficiencies of pointwise kernels and of the optimizer.
 * time = max(flops / (sustained_fraction * peak), bytes / (memory_fraction * bandwidth)) + fixed_s */
typedef struct nnc_efficiency {
    double sustained_fraction; /* share of the peak FLOP/s, in (0, 1], neutral: 1 */
    double memory_fraction;    /* share of mem_bytes_per_s, in (0, 1], neutral: 1 */
    double fixed_s;            /* fixed time per kernel; does not overlap, neutral: 0 */
} nnc_efficiency;

/* Efficiencies of convolutions. The formula: docs/formulas.md, conv-time. */
typedef struct nnc_conv_efficiency {
    double sustained_fraction, memory_fraction, fixed_s; /* sustained_fraction: share of the peak rate;
                                                          * memory_fraction: share of the bandwidth; fixed_s: fixed
                                                          * time; details in nnc_efficiency */
    double channels_half; /* channels per group at which half of the rate is reached, neutral: 0 */
    double depth_half;    /* terms summed per output value at which half of the rate is reached, neutral: 0 */
    /* share of the peak of vector units, for convolutions that run faster on them; NaN = not used */
    double vector_fraction;
    /* Values that replace sustained_fraction and channels_half for kernels that PyTorch issues; NaN = not replaced. */
    double library_sustained_fraction, library_channels_half;
    double library_tf32_backward_ratio;   /* NHWC maps: time of one gradient in tf32 / time of forward; NaN = 1 */
    double library_tf32_contiguous_ratio; /* NCHW maps: time of one gradient in tf32 / time of forward; NaN =
                                           * library_tf32_backward_ratio */
    double library_channel_fraction;      /* depthwise, NCHW maps: share of the vector units' fp32 peak; NaN =
                                          * vector_fraction */
    double library_channel_weight_ratio;  /* depthwise: factor on the time of the weight gradient; NaN = 1 */
} nnc_conv_efficiency;

/* Efficiencies of matrix products. The formula: docs/formulas.md, gemm-time. */
typedef struct nnc_gemm_efficiency {
    double sustained_fraction;      /* share of the peak that long kernels sustain, neutral: 1 */
    double boost_ratio;             /* rate of short kernels / rate of long kernels, >= 1, neutral: 1 */
    double memory_fraction;         /* share of mem_bytes_per_s, neutral: 1 */
    double library_memory_fraction; /* share of mem_bytes_per_s for products that PyTorch issues; NaN =
                                     * memory_fraction */
    double fixed_s;                 /* fixed time per kernel; does not overlap with compute, neutral: 0 */
    double k_fill;                  /* start and end of a tile take as long as computing this many further elements of
                                     * the dimension k, neutral: 0 */
    double l2_bytes_per_flop;       /* operand bytes that the L2 cache delivers per FLOP of the peak; NaN = no limit */
    double l2_bytes_per_s;          /* rate of the L2 cache, used instead of l2_bytes_per_flop; NaN = not given */
    double wave_quantization; /* 1: a partly filled wave of tiles takes as long as a full wave; 0: only its tiles count;
                               * NaN: the rate does not depend on tiles */
    double unaligned_ratio;   /* time of a product / its time if all dimensions were multiples of 8, neutral: 1 */
    double unaligned_backward_ratio; /* unaligned_ratio of the products of backward; NaN = unaligned_ratio */
    /* time of an 8-bit product with one scale per 128 elements / its time with one scale per tensor, neutral: 1 */
    double block_ratio;
    double group_ratio; /* time of grouped products / time of one product with the rows of all groups, neutral: 1 */
    double power_share; /* share of power_w that the matrix units draw at their peak; NaN = unknown */
} nnc_gemm_efficiency;

/* Efficiencies of one kernel of fused attention. The formula: docs/formulas.md, flash-time. */
typedef struct nnc_flash_efficiency {
    double sustained_fraction; /* share of the peak that forward sustains, neutral: 1 */
    double backward_ratio;     /* rate of backward / rate of forward, neutral: 1 */
    double memory_fraction;    /* share of mem_bytes_per_s, neutral: 1 */
    double fixed_s;            /* fixed time per kernel, neutral: 0 */
    double seq_half;           /* sequence length at which half of the rate is reached, neutral: 0 */
    /* For kernels that PyTorch issues. library_unmasked_half: seq_half without a mask (NaN = seq_half);
     * library_backward_ratio: backward_ratio (NaN = backward_ratio); library_backward_bytes: bytes per value of the
     * queries that backward moves in addition to the bytes of its matrix products (NaN = 0). */
    double library_unmasked_half, library_backward_ratio, library_backward_bytes;
    double narrow_ratio;  /* rate with head width 64 / rate with head width 128 and more, neutral: 1 */
    double block_penalty; /* time is multiplied by 1 + block_penalty x units / blocks of 128 queries, neutral: 0 */
    double head_multiple; /* head widths are padded to a multiple of this, neutral: 32 */
} nnc_flash_efficiency;

#endif /* NNC_STATIC_LINKING_ONLY */

/* Generations of fused attention kernels (arXiv:2205.14135, 2307.08691, 2407.08608) and the cuDNN kernels
 * of the same time. They execute the same work at different rates. */
#define NNC_FLASH_KERNEL_LIST(X)                                               \
    X(NNC_FLASH1, "flash1", "FlashAttention kernels of the first generation.") \
    X(NNC_FLASH2, "flash2", "Kernels of the generation of FlashAttention-2.")  \
    X(NNC_FLASH3, "flash3", "Kernels of the generation of FlashAttention-3.")  \
    X(NNC_CUDNN, "cudnn", "The kernels of cuDNN, if they were measured separately.")
NNC_ENUM(nnc_flash_kernel, NNC_FLASH_KERNEL_LIST, NNC_FLASH_KERNEL_COUNT);
NNC_API const char *nnc_flash_kernel_name(nnc_flash_kernel kernel);
NNC_API const char *nnc_flash_kernel_help(nnc_flash_kernel kernel);

#ifdef NNC_STATIC_LINKING_ONLY

/* Efficiencies of one kind of collective inside a scale-up domain; see nnc_collective_predicted_s. */
typedef struct nnc_collective_efficiency {
    double fixed_s, log2_s;  /* fixed_s: fixed time per call; log2_s: additional time each time the number of ranks
                              * doubles, neutral: 0 */
    double bus_fraction;     /* share of the link bandwidth that large messages in large groups reach, neutral: 1 */
    double knee_bytes;       /* message size per rank that takes twice as long as at full rate, neutral: 0 */
    double small_group_loss; /* n ranks reach the share 1 - small_group_loss / n^2 of the rate, neutral: 0 */
} nnc_collective_efficiency;

typedef struct nnc_collective_efficiencies {
    nnc_collective_efficiency all_reduce, all_gather, reduce_scatter, all_to_all;
    double step_fixed_s;       /* additional time per call inside a training step (launch, skew of ranks), neutral: 0 */
    double scale_out_fraction; /* share of scale_out.bytes_per_s, neutral: 1 */
    double scale_out_fixed_s;  /* fixed time per call that leaves the domain, neutral: 0 */
    bool fitted;               /* false: the device file has no values for this kind of collective */
} nnc_collective_efficiencies;

/* Values for the time of an all-reduce in a decode step, in one round (one-shot) or two (two-shot); see
 * nnc_serve_all_reduce_s. */
typedef struct nnc_small_all_reduce {
    double fixed_s, rank_s;                      /* fixed_s: fixed time per call; rank_s: additional time per rank */
    double two_shot_s;                           /* additional time of the second round */
    double one_shot_fraction, two_shot_fraction; /* shares of the link bandwidth that one-shot and two-shot
                                                  * all-reduces reach */
    double node_s;                               /* additional time when the ranks are on several nodes */
} nnc_small_all_reduce;

/* Fitted serving efficiencies: small batches, kernels in recorded programs (CUDA graphs). Fractions are shares of the
 * datasheet values. NaN = not measured; src/serve/ has the values used instead. */
typedef struct nnc_serve_efficiency {
    double stream_fraction[NNC_STORED_COUNT];  /* share of the bandwidth in products with few rows, by weight format */
    double kv_fraction[NNC_STORED_COUNT];      /* share of the bandwidth in decode attention, by cache format */
    double product_fraction[NNC_STORED_COUNT]; /* share of the peak in products with many rows, by weight format */
    double product_s[NNC_STORED_COUNT];        /* fixed time of a product, by weight format; NaN = kernel_s */
    double attention_fraction;                 /* share of the 16-bit peak in prefill attention */
    double expert_fraction[NNC_STORED_COUNT];  /* share of the bandwidth in products of many experts */
    double kernel_s, attention_s;              /* kernel_s: fixed time of a kernel in a recorded program; attention_s:
                                                * fixed time of decode attention */
    /* share of a head's keys and values that is read again for each query head after the first, neutral: 0 */
    double kv_reread;
    nnc_small_all_reduce all_reduce;
    bool fitted; /* false: the device file has no serving efficiencies */
} nnc_serve_efficiency;

#endif /* NNC_STATIC_LINKING_ONLY */

#ifdef NNC_STATIC_LINKING_ONLY

/* Power draw as shares of power_w; see nnc_power_throttle. */
typedef struct nnc_power_efficiency {
    double idle_share;   /* share that is always drawn, neutral: 0 */
    double memory_share; /* share that the memory draws at full bandwidth, neutral: 0 */
    double exponent;     /* times are multiplied by (power drawn / power limit)^exponent, neutral: 0 */
} nnc_power_efficiency;

#endif /* NNC_STATIC_LINKING_ONLY */

/* Basis of an efficiency object: the kind of measurements behind its values, least certain first. */
#define NNC_BASIS_LIST(X)                                                                           \
    X(NNC_BASIS_NONE, "none", "Neutral: the datasheet alone.")                                      \
    X(NNC_BASIS_DEFAULT, "default", "Carried over from devices of the same vendor and generation.") \
    X(NNC_BASIS_KERNELS, "kernels", "Kernels measured on the device.")                              \
    X(NNC_BASIS_STEPS, "steps", "Kernels and whole training steps measured on the device.")
NNC_ENUM(nnc_basis, NNC_BASIS_LIST, NNC_BASIS_COUNT);
NNC_API const char *nnc_basis_name(nnc_basis basis);
NNC_API const char *nnc_basis_help(nnc_basis basis);

#ifdef NNC_STATIC_LINKING_ONLY

/* Efficiencies of kernels that libraries issue, one per operator. Fractions are shares of the memory bandwidth. */
typedef struct nnc_stream_efficiency {
    double memory_fraction; /* pointwise kernels with operands of one type */
    double mixed_fraction;  /* pointwise kernels with operands of two types (casts) */
    double norm_fraction, softmax_fraction, loss_fraction;
    double norm_row_s, norm_row_backward_s;       /* additional time for each row of a norm: norm_row_s in forward,
                                                   * norm_row_backward_s in backward */
    double adamw_fraction, adamw_narrow_fraction; /* rate of fused AdamW: adamw_fraction with fp32 states,
                                                   * adamw_narrow_fraction with 16-bit states */
    double fixed_s;                               /* fixed time of each kernel */
} nnc_stream_efficiency;

/* Fitted parameters, separate from the datasheet. An object that the file lacks is neutral. */
typedef struct nnc_efficiencies {
    nnc_basis basis;
    double calibration; /* factor for one machine on its rates of products, attention and convolutions, neutral: 1 */
    nnc_gemm_efficiency gemm[NNC_DTYPE_COUNT];              /* one entry per format of the operands */
    nnc_flash_efficiency attention[NNC_FLASH_KERNEL_COUNT]; /* one entry per generation of kernels */
    nnc_conv_efficiency conv;
    nnc_efficiency pointwise;       /* norms, activations, copies, loss */
    nnc_efficiency pointwise_tuned; /* pointwise kernels that were written for the device   [pointwise] */
    nnc_efficiency maps;            /* pointwise kernels on feature maps; memory_fraction NaN = use pointwise */
    nnc_efficiency maps_tuned;      /* pointwise kernels on feature maps that were written for the device */
    nnc_efficiency optimizer;
    nnc_stream_efficiency stream;
    nnc_collective_efficiencies collectives;
    nnc_power_efficiency power;
    nnc_serve_efficiency serving; /* efficiencies in serving; training does not use them */
    bool fitted;                  /* false: the file has no efficiency object, all values are neutral */
} nnc_efficiencies;

/* The peaks of the device file, with the number of units and the clock for which the file gives them. */
typedef struct nnc_rated {
    int32_t units;
    double clock_hz;
    double matmul_flops_per_s[NNC_DTYPE_COUNT], vector_flops_per_s[NNC_DTYPE_COUNT];
    uint32_t matmul_set, vector_set; /* one bit per format: set when nnc_device_set has changed the peak of matrix
                                      * products (matmul_set) or of vector operations (vector_set) in this format */
} nnc_rated;

/* Mean time between failures of a job, in device-seconds. any_s: all failures; hardware_s: only hardware failures. */
typedef struct nnc_mtbf {
    double any_s, hardware_s;
} nnc_mtbf;

/* Measured power of a whole node, including host, memory and fans, divided by its number of devices. */
typedef struct nnc_node_power {
    double idle_w, busy_w;
} nnc_node_power;

/* A device. NaN = not recorded. Strings are valid as long as the nnc_specs that loaded the device. */
struct nnc_device {
    char id[48]; /* name of the file: "h100-sxm5-80gb" */
    char name[96];
    char vendor[24];
    char architecture[32];
    int32_t year;
    int32_t units; /* streaming multiprocessors, compute units or tensor cores (TPU) */
    double clock_hz;
    double matmul_flops_per_s[NNC_DTYPE_COUNT]; /* peak of the matrix units without sparsity */
    double vector_flops_per_s[NNC_DTYPE_COUNT]; /* peak of the vector units */
    int64_t mem_bytes;                          /* exact capacity, not the marketing size */
    double mem_bytes_per_s;
    double l2_bytes;      /* size of the last-level cache of the chip */
    double scratch_bytes; /* software-managed memory per unit */
    nnc_scale_up scale_up;
    nnc_scale_out scale_out;
    nnc_host_link host;
    double power_w;
    double power_cap_w; /* power limit below power_w that the operator set; NaN = no limit */
    nnc_node_power node_power;
    nnc_mtbf mtbf;
    nnc_efficiencies efficiency;
    nnc_rated rated;         /* units and clock for which the file gives the peaks; all 0: a change of units or clock
                              * does not change the peaks */
    const nnc_price *prices; /* prices of the device, the newest on-demand price first; may be NULL */
    int32_t price_count;
    const char *const *aliases;
    int32_t alias_count;
    const nnc_source *sources;
    int32_t source_count;
    const char *path;    /* file that the device was read from */
    double embodied_kg;  /* carbon emitted to make the device, kg; the source decides what is included */
    double usable_bytes; /* part of mem_bytes that one process can get; NaN = not recorded, or mem_bytes was changed */
    bool lenient;        /* true: implausible values of the file are used; false: they are refused */
    bool implausible;    /* true: the file has an implausible value, so estimates give no range of measurements */
    bool usable_set;     /* true: nnc_device_set has set usable_bytes, so a change of mem_bytes keeps usable_bytes */
};

#endif /* NNC_STATIC_LINKING_ONLY */

/* Returns the peak of matrix products in a format, FLOP/s, without sparsity. A device without matrix units for fp32
 * computes fp32 products at the peak of its vector units. NaN: the device lacks the format. */
NNC_API double nnc_device_matmul_peak(const nnc_device *device, nnc_dtype dtype);

/* Returns the ridge point, FLOP/B: above it a product in this format is compute-bound. Source: Williams, Waterman,
 * Patterson, CACM 52(4), 2009.   [roofline] */
NNC_API double nnc_device_ridge(const nnc_device *device, nnc_dtype dtype);

/* Returns the bytes that one process can get: usable_bytes, or mem_bytes if usable_bytes is not recorded or larger.
 * nnc_device_set of mem_bytes discards the usable_bytes of the file. */
NNC_API int64_t nnc_device_capacity(const nnc_device *device);

#ifdef __cplusplus
}
#endif

#endif
