/* SPDX-License-Identifier: Apache-2.0 */
/* A device (accelerator), and the properties of its node that concern the device, as read from hw/<id>.json. */
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

/* A device. The nnc_specs that loaded a device owns the device. Fields have the names of the JSON file;
 * nnc_device_number, nnc_device_text and nnc_device_set in <nncost/spec.h> read and set fields. */
typedef struct nnc_device nnc_device;

#ifdef NNC_STATIC_LINKING_ONLY

/* The scale-up fabric: fast links that join a number of devices (member `devices`). Rates are for one device in one
 * direction. */
typedef struct nnc_scale_up {
    nnc_link_kind kind;
    int32_t devices; /* number of devices in one scale-up domain of the fabric */
    int32_t dims[3]; /* number of devices along each axis of a torus */
    /* number of axes of a torus (the first entries of `dims`, one per axis); 0 = the fabric is no torus */
    int32_t dims_count;
    bool wrap[3]; /* for each axis of a torus; true: the last device of the axis has a link to the first */
    int32_t wrap_count;
    /* bandwidth of one device in one direction, B/s; on a torus, bandwidth of one link in one direction */
    double bytes_per_s;
    double latency_s; /* latency: seconds of one step of a collective algorithm in which no data is sent; NaN = not
                       * recorded */
    /* message size in bytes with which a transfer takes twice as long as at full bandwidth; NaN = unknown, used as 0 */
    double knee_bytes;
    bool reduces_in_switch;
} nnc_scale_up;

typedef struct nnc_scale_out {
    double bytes_per_s; /* bandwidth of the node's NICs / devices of the node, in one direction, B/s */
    double latency_s;
    /* message size in bytes with which a transfer takes twice as long as at full bandwidth; NaN = unknown, used as 0 */
    double knee_bytes;
    double oversubscription; /* bandwidth of the links of all devices / bandwidth of the network core; NaN = not
                              * recorded, used as 1 */
} nnc_scale_out;

typedef struct nnc_host_link {
    double bytes_per_s;     /* bandwidth of the link between device memory and host memory, B/s in one direction */
    double mem_bytes_per_s; /* bandwidth of the host memory / devices of the node, B/s; NaN = not recorded */
    double kernel_s;        /* seconds of the host to issue one kernel of a program that is not compiled; 0 = the device
                             * is a CPU */
    double new_bytes_per_s; /* rate of the first write to memory that the operating system has just given to the
                             * program, B/s; NaN = not recorded, first writes take no extra time */
} nnc_host_link;

typedef struct nnc_price {
    double per_device_hour;
    char currency[8];
    /* place where the device is offered, date of the price, source of the price; NULL = the file gives no place (or no
     * date, no source). The three texts are valid as long as the nnc_specs that loaded the file */
    const char *where, *date, *source;
} nnc_price;

/* Source of values in a device, model or profile file. key: name of a field, or the start of the names of several
 * fields; "" = all fields of the file. */
typedef struct nnc_source {
    const char *key;
    const char *text;
} nnc_source;

/* Fitted efficiencies of a device: measured rate / datasheet rate. "neutral: x" in a comment means that the value x
 * changes nothing. */

/* Efficiencies of pointwise kernels and of the optimizer, for the time of a kernel in seconds:
 * time = max(flops / (sustained_fraction * peak), bytes / (memory_fraction * bandwidth)) + fixed_s */
typedef struct nnc_efficiency {
    /* share of the peak FLOP/s that kernels reach, more than 0 and at most 1; neutral: 1 */
    double sustained_fraction;
    /* share of the memory bandwidth that kernels reach, more than 0 and at most 1; neutral: 1 */
    double memory_fraction;
    double fixed_s; /* fixed seconds of each kernel, added to the longer of compute and memory time; neutral:
                                * 0 */
} nnc_efficiency;

/* Efficiencies of convolutions, for the formula in docs/formulas.md, conv-time. Members whose names start with library_
 * are for kernels that PyTorch issues. */
typedef struct nnc_conv_efficiency {
    /* Efficiencies of all convolutions. sustained_fraction: share of the peak FLOP/s that kernels reach;
     * memory_fraction: share of the memory bandwidth that kernels reach; fixed_s: fixed seconds of each kernel.
     * Neutral: 1, 1, 0. */
    double sustained_fraction, memory_fraction, fixed_s;
    /* number of channels per group of a convolution that reaches half of the full rate; neutral: 0 */
    double channels_half;
    /* number of summed products per output value of a convolution that reaches half of the full rate; neutral: 0 */
    double depth_half;
    /* Share of the peak of the vector units that convolutions reach; a convolution runs on the vector units if it is
     * faster there than on the matrix units. NaN = convolutions never use the vector units. */
    double vector_fraction;
    /* Values for convolutions that PyTorch issues: they replace sustained_fraction and channels_half. NaN = the value
     * is not replaced. */
    double library_sustained_fraction, library_channels_half;
    /* for maps in NHWC: time of one of the two gradients of a convolution in TF32 / time of its forward; NaN = 1 */
    double library_tf32_backward_ratio;
    /* for maps in NCHW: time of one of the two gradients of a convolution in TF32 / time of its forward; NaN =
     * library_tf32_backward_ratio */
    double library_tf32_contiguous_ratio;
    double library_channel_fraction;     /* for depthwise convolutions of NCHW maps: share of the fp32 peak of the
                                           * vector units; NaN = vector_fraction */
    double library_channel_weight_ratio; /* for depthwise convolutions: factor on the time of the weight gradient; NaN
                                           * = 1 */
} nnc_conv_efficiency;

/* Efficiencies of matrix products, for the formula in docs/formulas.md, gemm-time. */
typedef struct nnc_gemm_efficiency {
    /* share of the peak FLOP/s that matrix products reach if they run for a second or more, so that the power limit
     * lowers the clock; neutral: 1 */
    double sustained_fraction;
    /* rate of matrix products in short bursts at full clock / rate of matrix products that run for a second or more, at
     * least 1; neutral: 1 */
    double boost_ratio;
    double memory_fraction; /* share of the memory bandwidth that matrix products reach; neutral: 1 */
    /* memory_fraction of matrix products that PyTorch issues; NaN = the value of memory_fraction */
    double library_memory_fraction;
    double fixed_s;           /* fixed seconds of each matrix product, which do not overlap with compute; neutral: 0 */
    double k_fill;            /* time to start and end one tile, in elements of the dimension k: the number of elements
                               * that a tile computes in this time; neutral: 0 */
    double l2_bytes_per_flop; /* operand bytes that the L2 cache can deliver for each FLOP of the peak; NaN = no
                                     * limit */
    double l2_bytes_per_s;    /* bandwidth of the L2 cache, B/s, used instead of l2_bytes_per_flop; NaN = not
                                     * given */
    /* time of a partly filled wave of tiles. 1: the wave takes as long as a full wave. 0: the wave takes the time of a
     * full wave x filled share of the wave, but a product never takes less time than one full wave. A value between 0
     * and 1 is a weight: the time lies between the time of the case 0 and the time of the case 1. NaN: tiles have no
     * effect on the rate */
    double wave_quantization;
    /* time of a product with a dimension that is no multiple of 8 / time with multiples of 8; neutral: 1 */
    double unaligned_ratio;
    /* unaligned_ratio for the matrix products of backward; NaN = the value of unaligned_ratio */
    double unaligned_backward_ratio;
    /* Time of an 8-bit matrix product with one scale per 128 elements / time of the same product with one scale per
     * tensor; neutral: 1. */
    double block_ratio;
    /* A value between 0 and 1 is a weight: the time lies between the time for the value 0 and the time for the value
     * 1. */
    double group_ratio;
    /* share of the device's power limit power_w that the matrix units draw at their peak FLOP/s; NaN = not known */
    double power_share;
} nnc_gemm_efficiency;

/* Efficiencies of fused attention kernels of one generation, for the formula in docs/formulas.md, flash-time. */
typedef struct nnc_flash_efficiency {
    double sustained_fraction; /* share of the peak FLOP/s that attention reaches in forward; neutral: 1 */
    double backward_ratio;     /* rate of attention in backward / rate in forward, both in FLOP/s; neutral: 1 */
    double memory_fraction;    /* share of the memory bandwidth that attention reaches; neutral: 1 */
    double fixed_s;            /* fixed seconds of each attention kernel; neutral: 0 */
    double seq_half;           /* sequence length with which attention reaches half of its full rate; neutral: 0 */
    /* Values for attention kernels that PyTorch issues. library_unmasked_half: replaces seq_half in attention without a
     * mask (NaN = seq_half); library_backward_ratio: replaces backward_ratio (NaN = backward_ratio);
     * library_backward_bytes: bytes that backward moves for each value of the queries, in addition to the operands of
     * its matrix products (NaN = 0). */
    double library_unmasked_half, library_backward_ratio, library_backward_bytes;
    /* rate of attention with heads of width 64 / rate with heads of width 128 or more; neutral: 1 */
    double narrow_ratio;
    double block_penalty; /* the time of attention is multiplied by 1 + block_penalty x (number of units of the device)
                           * / (number of blocks of 128 queries); neutral: 0 */
    double head_multiple; /* kernels pad the width of a head to a multiple of this number; neutral: 32 */
} nnc_flash_efficiency;

#endif /* NNC_STATIC_LINKING_ONLY */

/* Generations of fused attention kernels (arXiv:2205.14135, 2307.08691, 2407.08608), and the attention kernels of
 * cuDNN. The kernels of cuDNN and of every generation compute equal results, at different rates. */
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
    double fixed_s, log2_s; /* fixed_s: fixed seconds of a call; log2_s: seconds that each doubling of the number of
                              * ranks adds; neutral: 0 */
    double bus_fraction;    /* share of the link bandwidth that large messages in large groups of ranks reach; neutral:
                              * 1 */
    double knee_bytes;      /* bytes that one rank sends in a call that takes twice as long as at full rate;
                              * neutral: 0 */
    /* in a group of n ranks, a collective reaches the share 1 - small_group_loss / n^2 of the rate; neutral: 0 */
    double small_group_loss;
} nnc_collective_efficiency;

typedef struct nnc_collective_efficiencies {
    nnc_collective_efficiency all_reduce, all_gather, reduce_scatter, all_to_all;
    /* additional seconds of a call inside a training step (launch, ranks that start at different times); neutral: 0 */
    double step_fixed_s;
    /* share of the bandwidth of NICs (scale_out.bytes_per_s) that collectives reach; neutral: 1 */
    double scale_out_fraction;
    double scale_out_fixed_s; /* fixed seconds of a collective between several scale-up domains; neutral: 0 */
    bool fitted;              /* false: the device file states no efficiencies of collectives */
} nnc_collective_efficiencies;

/* Values for the time of an all-reduce in a decode step, for nnc_serve_all_reduce_s. A one-shot all-reduce has one
 * round, in which every rank sends all its data to every other rank; a two-shot all-reduce has two rounds. */
typedef struct nnc_small_all_reduce {
    double fixed_s, rank_s;                      /* fixed_s: fixed seconds of a call; rank_s: seconds that each rank
                                                  * adds */
    double two_shot_s;                           /* seconds by which a two-shot all-reduce takes longer because of its
                                                  * second round */
    double one_shot_fraction, two_shot_fraction; /* shares of the link bandwidth that one-shot and two-shot all-reduces
                                                  * reach */
    double node_s; /* seconds that an all-reduce takes longer if the ranks are on several nodes */
} nnc_small_all_reduce;

/* Efficiencies for serving, fitted to small batches whose kernels run in recorded programs (CUDA graphs). Members whose
 * names end in _fraction are shares of the datasheet rate. NaN = not measured; nncost then uses a default value. */
typedef struct nnc_serve_efficiency {
    double stream_fraction[NNC_STORED_COUNT];  /* share of the memory bandwidth in products with few rows, by storage
                                                * format of the weights */
    double kv_fraction[NNC_STORED_COUNT];      /* share of the memory bandwidth in attention of decode, by storage
                                                * format of the cache */
    double product_fraction[NNC_STORED_COUNT]; /* share of the peak FLOP/s in products with many rows, by storage format
                                                * of the weights */
    double product_s[NNC_STORED_COUNT];        /* fixed seconds of a product, by storage format of the weights; NaN =
                                                * kernel_s */
    double attention_fraction;                 /* share of the 16-bit peak FLOP/s that attention reaches in prefill */
    double expert_fraction[NNC_STORED_COUNT];  /* share of the memory bandwidth in products of many experts, by storage
                                                * format of the weights */
    double kernel_s, attention_s;              /* kernel_s: fixed seconds of a kernel in a recorded program;
                                                * attention_s: fixed seconds of attention in decode */
    /* If several query heads share keys and values, decode attention reads this share of the keys and values again for
     * each query head after the first; neutral: 0. An engine whose own kv_reread is 0 uses neither kv_reread nor
     * kv_fraction of a device whose kv_reread is above 0. */
    double kv_reread;
    nnc_small_all_reduce all_reduce;
    bool fitted; /* false: the device file states no efficiencies of serving */
} nnc_serve_efficiency;

#endif /* NNC_STATIC_LINKING_ONLY */

#ifdef NNC_STATIC_LINKING_ONLY

/* Power that a device draws, as shares of power_w. From the shares of power, nnc_power_throttle computes how much a
 * power limit slows kernels down. */
typedef struct nnc_power_efficiency {
    double idle_share;   /* share of power_w that the device draws while it does no work; neutral: 0 */
    double memory_share; /* share of power_w that the memory draws at full memory bandwidth; neutral: 0 */
    /* exponent of the slowdown by a power limit: (power drawn / power limit)^exponent; neutral: 0 */
    double exponent;
} nnc_power_efficiency;

#endif /* NNC_STATIC_LINKING_ONLY */

/* Basis of the efficiencies of a device: the kind of measurements to which the efficiencies were fitted. In this
 * enumeration, the least certain kind of measurements comes first. */
#define NNC_BASIS_LIST(X)                                                                                    \
    X(NNC_BASIS_NONE, "none", "No fitted values: only the rates of the datasheet.")                          \
    X(NNC_BASIS_DEFAULT, "default", "Values copied from similar devices of the same vendor and generation.") \
    X(NNC_BASIS_KERNELS, "kernels", "Values fitted to kernels measured on the device.")                      \
    X(NNC_BASIS_STEPS, "steps", "Values fitted to kernels and whole training steps measured on the device.")
NNC_ENUM(nnc_basis, NNC_BASIS_LIST, NNC_BASIS_COUNT);
NNC_API const char *nnc_basis_name(nnc_basis basis);
NNC_API const char *nnc_basis_help(nnc_basis basis);

#ifdef NNC_STATIC_LINKING_ONLY

/* Efficiencies of kernels that libraries issue, one kernel for each operator. Members whose names end in _fraction are
 * shares of the memory bandwidth. */
typedef struct nnc_stream_efficiency {
    /* share of the bandwidth that pointwise kernels reach, if all their operands have the same number format */
    double memory_fraction;
    double mixed_fraction; /* share of the bandwidth that pointwise kernels reach, if their operands have two formats
                             * (casts) */
    double norm_fraction, softmax_fraction, loss_fraction;
    double norm_row_s, norm_row_backward_s; /* seconds that each row of a norm adds: norm_row_s in forward,
                                             * norm_row_backward_s in backward */
    /* shares of the bandwidth that fused AdamW reaches: adamw_fraction with fp32 states, adamw_narrow_fraction with
     * 16-bit states */
    double adamw_fraction, adamw_narrow_fraction;
    double fixed_s; /* fixed seconds of each kernel that a library issues */
} nnc_stream_efficiency;

/* Fitted parameters of a device, separate from its datasheet values. If the device file leaves out an object of this
 * struct, all values of the object are neutral. */
typedef struct nnc_efficiencies {
    nnc_basis basis;
    double calibration; /* factor of one machine on the rates of its matrix products, attention and convolutions;
                         * neutral: 1 */
    /* efficiencies of matrix products, one entry for each number format of the operands */
    nnc_gemm_efficiency gemm[NNC_DTYPE_COUNT];
    /* efficiencies of fused attention, one entry for each generation of attention kernels */
    nnc_flash_efficiency attention[NNC_FLASH_KERNEL_COUNT];
    nnc_conv_efficiency conv;
    nnc_efficiency pointwise;       /* efficiencies of kernels for norms, activation functions, copies and losses */
    nnc_efficiency pointwise_tuned; /* efficiencies of pointwise kernels that were written for the device
                                     * [pointwise] */
    /* efficiencies of pointwise kernels on feature maps; memory_fraction NaN = the values of `pointwise` are used */
    nnc_efficiency maps;
    nnc_efficiency maps_tuned; /* efficiencies of pointwise kernels on feature maps that were written for the device */
    nnc_efficiency optimizer;
    nnc_stream_efficiency stream;
    nnc_collective_efficiencies collectives;
    nnc_power_efficiency power;
    nnc_serve_efficiency serving; /* efficiencies of serving, which training does not use */
    bool fitted;                  /* false: the device file has no efficiencies, so all values are neutral */
} nnc_efficiencies;

/* Peaks of the device file, with the number of units and the clock to which the peaks belong. If a user changes the
 * units or the clock, nnc_device_set computes new peaks from the stated peaks, units and clock. */
typedef struct nnc_rated {
    int32_t units;
    double clock_hz;
    double matmul_flops_per_s[NNC_DTYPE_COUNT], vector_flops_per_s[NNC_DTYPE_COUNT];
    uint32_t matmul_set, vector_set; /* one bit for each number format, which is set if nnc_device_set has changed the
                                      * peak FLOP/s in this format. matmul_set: peaks of the matrix units; vector_set:
                                      * peaks of the vector units */
} nnc_rated;

/* Mean time between failures of a job, multiplied by the number of devices of the job, in device-seconds. any_s counts
 * all failures; hardware_s counts only failures of the hardware. */
typedef struct nnc_mtbf {
    double any_s, hardware_s;
} nnc_mtbf;

/* Measured power in watts of a node (with its host, memory and fans), divided by the number of devices of the node. */
typedef struct nnc_node_power {
    double idle_w, busy_w;
} nnc_node_power;

/* A device. NaN = the device file does not record the value. Texts are valid as long as the nnc_specs that loaded the
 * device. */
struct nnc_device {
    char id[48]; /* id of the device: stem of the file name, for example "h100-sxm5-80gb" */
    char name[96];
    char vendor[24];
    char architecture[32];
    int32_t year;
    int32_t units; /* number of units: streaming multiprocessors, compute units, or tensor cores of a TPU */
    double clock_hz;
    /* peak FLOP/s of the matrix units for each number format, without sparsity */
    double matmul_flops_per_s[NNC_DTYPE_COUNT];
    double vector_flops_per_s[NNC_DTYPE_COUNT]; /* peak FLOP/s of the vector units for each number format */
    /* exact bytes of the device memory, not the rounded number in the name of the device */
    int64_t mem_bytes;
    double mem_bytes_per_s;
    double l2_bytes;      /* bytes of the L2 cache: the last cache on the chip before the device memory */
    double scratch_bytes; /* bytes per unit of the on-chip memory that kernels manage themselves (shared memory) */
    nnc_scale_up scale_up;
    nnc_scale_out scale_out;
    nnc_host_link host;
    double power_w;
    /* power limit in watts that the operator of the device has set below power_w; NaN = no such limit */
    double power_cap_w;
    nnc_node_power node_power;
    nnc_mtbf mtbf;
    nnc_efficiencies efficiency;
    nnc_rated rated;         /* the peaks that the device file states, with the number of units and the clock to which
                              * they belong; if all members are 0, a change of the units or the clock does not change
                              * the peaks */
    const nnc_price *prices; /* prices of the device, the newest on-demand price first; NULL = no prices */
    int32_t price_count;
    const char *const *aliases;
    int32_t alias_count;
    const nnc_source *sources;
    int32_t source_count;
    const char *path; /* path of the file from which the device was read */
    /* kg of CO2 emitted to make the device; the source in the device file says what is included */
    double embodied_kg;
    /* bytes of device memory that one process can get; NaN = not recorded, or a user changed mem_bytes */
    double usable_bytes;
    bool lenient; /* true: implausible values of the device file are accepted; false: they are errors */
    /* true: the device file has an implausible value, so estimates give no interval of the step time */
    bool implausible;
    /* true: a user has set usable_bytes, so a later change of mem_bytes does not clear usable_bytes */
    bool usable_set;
    double wave; /* number of threads that execute an instruction together: 32 in a warp of NVIDIA, 64 in a wave of AMD
                  * CDNA; NaN or 0 = not recorded; nncost then uses 32 */
};

#endif /* NNC_STATIC_LINKING_ONLY */

/* Returns the peak FLOP/s of matrix products in a number format, without sparsity. For fp32 on a device whose matrix
 * units cannot compute fp32, the result is the peak of the vector units. NaN = the device cannot compute in the number
 * format. */
NNC_API double nnc_device_matmul_peak(const nnc_device *device, nnc_dtype dtype);

/* Returns the ridge point of a number format, in FLOP/B: matrix products with more FLOPs per byte than the ridge point
 * are compute-bound. Source: Williams, Waterman, Patterson, CACM 52(4), 2009.   [roofline] */
NNC_API double nnc_device_ridge(const nnc_device *device, nnc_dtype dtype);

/* Returns the bytes of device memory that one process can get: the smaller of usable_bytes and mem_bytes, or mem_bytes
 * if usable_bytes is not recorded. After a user has changed mem_bytes with nnc_device_set, the usable_bytes of the file
 * is ignored. */
NNC_API int64_t nnc_device_capacity(const nnc_device *device);

#ifdef __cplusplus
}
#endif

#endif
