/* SPDX-License-Identifier: Apache-2.0 */
/* One accelerator and the server around it. Read from hw/<id>.json. */
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

/* A device, owned by the set it was loaded into. Its fields have the names of the device file: see
 * nnc_device_number, _text and _set in <nncost/spec.h>. */
typedef struct nnc_device nnc_device;

#ifdef NNC_STATIC_LINKING_ONLY

/* The fast fabric that joins `devices` devices. Rates are in one direction of one device. */
typedef struct nnc_scale_up {
    nnc_link_kind kind;
    int32_t devices;    /* in the domain */
    int32_t dims[3];    /* torus: length of each axis */
    int32_t dims_count; /* 0 unless the fabric is a torus */
    bool wrap[3];       /* torus: does the axis close into a ring? */
    int32_t wrap_count;
    double bytes_per_s; /* B/s, one direction */
    double latency_s;   /* seconds of one step of the algorithm; NaN = not recorded */
    double knee_bytes;  /* message size whose transfer takes twice its time at full bandwidth;
                         * NaN = 0 */
    bool reduces_in_switch;
} nnc_scale_up;

typedef struct nnc_scale_out {
    double bytes_per_s; /* one device's share of the NICs, one direction */
    double latency_s;
    double knee_bytes;       /* as for the scale-up fabric */
    double oversubscription; /* 1 = none; NaN = not recorded, used as 1 */
} nnc_scale_out;

typedef struct nnc_host_link {
    double bytes_per_s;     /* device to host memory, one direction */
    double mem_bytes_per_s; /* host memory, one device's share; NaN = not recorded */
    double kernel_s;        /* to issue one kernel of a program that is not compiled */
} nnc_host_link;

typedef struct nnc_price {
    double per_device_hour;
    char currency[8];
    const char *where, *date, *source; /* in the arena of the specs; NULL = not stated */
} nnc_price;

/* Source of a value. key: a member, or a prefix of members; "" = the whole file. */
typedef struct nnc_source {
    const char *key;
    const char *text;
} nnc_source;

/* Fitted efficiencies: how far kernels stay below the datasheet. A value in brackets is neutral. Fractions
 * are relative to the datasheet of the same device. */

/* Pointwise kernels, the optimizer.
 * time = max(flops / (sustained_fraction * peak), bytes / (memory_fraction * bandwidth)) + fixed_s */
typedef struct nnc_efficiency {
    double sustained_fraction; /* share of the peak FLOP/s, in (0, 1]   [1] */
    double memory_fraction;    /* share of mem_bytes_per_s, in (0, 1]   [1] */
    double fixed_s;            /* fixed time per kernel; does not overlap   [0] */
} nnc_efficiency;

/* Convolutions. The formula: docs/formulas.md, conv-time. */
typedef struct nnc_conv_efficiency {
    double sustained_fraction, memory_fraction, fixed_s; /* as above */
    double channels_half;   /* channels per group at which half of the rate is reached   [0] */
    double depth_half;      /* terms in the sum of an output value at which half of the rate is reached   [0] */
    double vector_fraction; /* share of the vector units' peak, where they are faster; NaN = not
                             * used */
    /* the same for kernels that PyTorch issues; NaN = as above */
    double library_sustained_fraction, library_channels_half;
    double library_tf32_backward_ratio;  /* time of products in tf32, of each gradient over forward */
    double library_channel_fraction;     /* of the vector units' fp32 peak: single channels, contiguous */
    double library_channel_weight_ratio; /* time of the weight gradient of single channels over forward */
} nnc_conv_efficiency;

/* Matrix products. The formula: docs/formulas.md, gemm-time. */
typedef struct nnc_gemm_efficiency {
    double sustained_fraction;      /* share of the peak that long kernels sustain   [1] */
    double boost_ratio;             /* rate of short kernels over that of long ones, >= 1   [1] */
    double memory_fraction;         /* share of mem_bytes_per_s   [1] */
    double library_memory_fraction; /* the same for products that PyTorch issues; NaN = as
                                     * memory_fraction */
    double fixed_s;                 /* [0] */
    double k_fill;                  /* start and end of a tile take the time of this many elements of k   [0] */
    double l2_bytes_per_flop;       /* operand bytes that the cache delivers per FLOP of the peak; NaN = no limit */
    double l2_bytes_per_s;          /* the same limit as a rate, which replaces it; NaN = not given */
    double
        wave_quantization; /* share of a partly filled wave of tiles that counts as full; NaN = a constant rate without tiles */
    double unaligned_ratio; /* time over that of dimensions that are multiples of 8   [1] */
    /* time with scales per block of 128 over that with a scale per tensor */
    double block_ratio;
    double group_ratio; /* time of grouped products over that of one product with the same rows   [1] */
    double power_share; /* share of power_w that the matrix units draw at their peak; NaN = unknown */
} nnc_gemm_efficiency;

/* One kernel of fused attention. The formula: docs/formulas.md, flash-time. */
typedef struct nnc_flash_efficiency {
    double sustained_fraction; /* forward   [1] */
    double backward_ratio;     /* rate of backward over that of forward   [1] */
    double memory_fraction;    /* [1] */
    double fixed_s;            /* [0] */
    double seq_half;           /* sequence length at which half of the rate is reached   [0] */
    /* the same for kernels that PyTorch issues, NaN = as above: without a mask; backward_ratio;
     * seq_half in backward over forward's */
    double library_unmasked_half, library_backward_ratio, library_backward_seq_ratio;
    double narrow_ratio;  /* rate of heads of width 64 over that of 128 and more   [1] */
    double block_penalty; /* loss of rate when the blocks of queries fill the units exactly once   [0] */
    double head_multiple; /* head widths are padded to a multiple of this   [32] */
} nnc_flash_efficiency;

#endif /* NNC_STATIC_LINKING_ONLY */

/* Generations of fused attention kernels (arXiv:2205.14135, 2307.08691, 2407.08608) and the cuDNN kernels
 * of the same time. They execute the same work at different rates. */
#define NNC_FLASH_KERNEL_LIST(X)                                               \
    X(NNC_FLASH1, "flash1", "FlashAttention kernels of the first generation.") \
    X(NNC_FLASH2, "flash2", "FlashAttention-2 and its equals.")                \
    X(NNC_FLASH3, "flash3", "FlashAttention-3 and its equals.")                \
    X(NNC_CUDNN, "cudnn", "cuDNN's own kernels, where they were measured apart.")
NNC_ENUM(nnc_flash_kernel, NNC_FLASH_KERNEL_LIST, NNC_FLASH_KERNEL_COUNT);
NNC_API const char *nnc_flash_kernel_name(nnc_flash_kernel kernel);
NNC_API const char *nnc_flash_kernel_help(nnc_flash_kernel kernel);

#ifdef NNC_STATIC_LINKING_ONLY

/* One kind of collective inside a scale-up domain; see nnc_collective_predicted_s. */
typedef struct nnc_collective_efficiency {
    double fixed_s, log2_s;  /* fixed time per call; time per doubling of the group   [0] */
    double bus_fraction;     /* share of the link bandwidth, for a large message in a large group   [1] */
    double knee_bytes;       /* message size per rank whose transfer takes twice its time at full rate 
                        *  [0] */
    double small_group_loss; /* a group of n ranks reaches 1 - loss / n^2 of the rate   [0] */
} nnc_collective_efficiency;

typedef struct nnc_collective_efficiencies {
    nnc_collective_efficiency all_reduce, all_gather, reduce_scatter, all_to_all;
    double step_fixed_s;       /* additional time inside a training step: launch and skew   [0] */
    double scale_out_fraction; /* share of scale_out.bytes_per_s   [1] */
    double scale_out_fixed_s;  /* fixed time per call that leaves the domain   [0] */
    bool fitted;               /* false: the file has no such object */
} nnc_collective_efficiencies;

/* An all-reduce of a decode step, in one round or two; see nnc_serve_all_reduce_s. */
typedef struct nnc_small_all_reduce {
    double fixed_s, rank_s;                      /* fixed time per call; time per rank of the
                                                  * group */
    double two_shot_s;                           /* second round */
    double one_shot_fraction, two_shot_fraction; /* shares of the link bandwidth */
    double node_s;                               /* additional time of a group that spans nodes */
} nnc_small_all_reduce;

/* Fitted serving efficiencies: small batches, kernels in captured graphs. Fractions are of the datasheet.
 * NaN = not measured; src/serve/ has the replacements. */
typedef struct nnc_serve_efficiency {
    double stream_fraction[NNC_STORED_COUNT];  /* share of the bandwidth in products with few rows, by the format of
                             * the weights */
    double kv_fraction[NNC_STORED_COUNT];      /* share of the bandwidth in decode attention, by the format of the
                             * cache */
    double product_fraction[NNC_STORED_COUNT]; /* share of the peak in products with many rows, by the format of the
                             * weights */
    double product_s[NNC_STORED_COUNT]; /* fixed time of a product, by the format of the weights; NaN = kernel_s */
    double attention_fraction;          /* share of the 16-bit peak in prefill attention */
    double expert_fraction[NNC_STORED_COUNT]; /* share of the bandwidth in products of many
                                               * experts */
    double kernel_s, attention_s;             /* fixed time of a kernel in a graph; of a decode attention */
    double kv_reread; /* share of the cache that is read again for each further query head   [0] */
    nnc_small_all_reduce all_reduce;
    bool fitted; /* false: the file has no such object */
} nnc_serve_efficiency;

#endif /* NNC_STATIC_LINKING_ONLY */

#ifdef NNC_STATIC_LINKING_ONLY

/* Power draw as shares of power_w; see nnc_power_throttle. */
typedef struct nnc_power_efficiency {
    double idle_share;   /* always drawn   [0] */
    double memory_share; /* share of the power that the memory draws at its full bandwidth   [0] */
    double exponent;     /* times grow with this power of (power drawn / power limit)   [0: no effect] */
} nnc_power_efficiency;

#endif /* NNC_STATIC_LINKING_ONLY */

/* Source of the values in an efficiency object, worst first. */
#define NNC_BASIS_LIST(X)                                                                           \
    X(NNC_BASIS_NONE, "none", "Neutral: the datasheet alone.")                                      \
    X(NNC_BASIS_DEFAULT, "default", "Carried over from devices of the same vendor and generation.") \
    X(NNC_BASIS_KERNELS, "kernels", "Kernels measured on the device.")                              \
    X(NNC_BASIS_STEPS, "steps", "Kernels and whole training steps measured on the device.")
NNC_ENUM(nnc_basis, NNC_BASIS_LIST, NNC_BASIS_COUNT);
NNC_API const char *nnc_basis_name(nnc_basis basis);
NNC_API const char *nnc_basis_help(nnc_basis basis);

#ifdef NNC_STATIC_LINKING_ONLY

/* Kernels of single operators, as libraries issue them. */
typedef struct nnc_stream_efficiency {
    double memory_fraction; /* share of the bandwidth; pointwise kernels with operands of one
                             * type */
    double mixed_fraction;  /* the same; operands of two types (casts) */
    double norm_fraction, softmax_fraction, loss_fraction;
    double norm_row_s, norm_row_backward_s;       /* additional time for each row of a norm */
    double adamw_fraction, adamw_narrow_fraction; /* share of the bandwidth with fp32 states;
                                                   * with 16-bit states */
    double fixed_s;                               /* fixed time of each kernel */
} nnc_stream_efficiency;

/* Fitted parameters, separate from the datasheet. Absent in the file = neutral. */
typedef struct nnc_efficiencies {
    nnc_basis basis;
    double calibration; /* factor of one machine on the rate of products, attention and convolution   [1] */
    nnc_gemm_efficiency gemm[NNC_DTYPE_COUNT];              /* efficiencies by the format of the
                                                             * operands */
    nnc_flash_efficiency attention[NNC_FLASH_KERNEL_COUNT]; /* efficiencies by the generation of the
                                                             * kernel */
    nnc_conv_efficiency conv;
    nnc_efficiency pointwise;       /* norms, activations, copies, loss */
    nnc_efficiency pointwise_tuned; /* the same with kernels written for the device   [as pointwise] */
    nnc_efficiency maps;            /* the same for feature maps; memory_fraction NaN = as pointwise */
    nnc_efficiency maps_tuned;      /* the same with kernels written for the device   [as maps] */
    nnc_efficiency optimizer;
    nnc_stream_efficiency stream;
    nnc_collective_efficiencies collectives;
    nnc_power_efficiency power;
    nnc_serve_efficiency serving; /* not used in training */
    bool fitted;                  /* false: the file has no efficiency object, all values are neutral */
} nnc_efficiencies;

/* The peaks of the file, and the units and clock that they belong to. */
typedef struct nnc_rated {
    int32_t units;
    double clock_hz;
    double matmul_flops_per_s[NNC_DTYPE_COUNT], vector_flops_per_s[NNC_DTYPE_COUNT];
    uint32_t matmul_set, vector_set; /* formats whose peak nnc_device_set has changed, one bit each */
} nnc_rated;

/* Device-seconds between two failures of a job: of any cause; of the hardware. */
typedef struct nnc_mtbf {
    double any_s, hardware_s;
} nnc_mtbf;

/* Measured power of a whole node divided by its devices, including host, memory and fans. */
typedef struct nnc_node_power {
    double idle_w, busy_w;
} nnc_node_power;

/* A device. NaN = not recorded. Strings live in the arena of the set. */
struct nnc_device {
    char id[48]; /* name of the file: "h100-sxm5-80gb" */
    char name[96];
    char vendor[24];
    char architecture[32];
    int32_t year;
    int32_t units; /* streaming multiprocessors, compute units or tensor cores (TPU) */
    double clock_hz;
    double matmul_flops_per_s[NNC_DTYPE_COUNT]; /* dense peak of the matrix units */
    double vector_flops_per_s[NNC_DTYPE_COUNT]; /* dense peak of the vector units */
    int64_t mem_bytes;                          /* exact capacity, not the marketing size */
    double mem_bytes_per_s;
    double l2_bytes;      /* total last-level cache on the chip */
    double scratch_bytes; /* software-managed memory of one unit */
    nnc_scale_up scale_up;
    nnc_scale_out scale_out;
    nnc_host_link host;
    double power_w;
    double power_cap_w; /* a power limit below power_w, set by the operator; NaN = none */
    nnc_node_power node_power;
    nnc_mtbf mtbf;
    nnc_efficiencies efficiency;
    nnc_rated rated;         /* all 0: changes of units and clock do not change the peaks */
    const nnc_price *prices; /* newest on-demand price first; may be NULL */
    int32_t price_count;
    const char *const *aliases;
    int32_t alias_count;
    const nnc_source *sources;
    int32_t source_count;
    const char *path;    /* file it was read from */
    double embodied_kg;  /* embodied carbon, with the scope of its source */
    double usable_bytes; /* part of mem_bytes that one process can get; NaN = not recorded */
    bool lenient;        /* compute with implausible values instead of refusing them */
    bool implausible;    /* true: some value is implausible, so no range of measurements applies */
};

#endif /* NNC_STATIC_LINKING_ONLY */

/* Dense peak of matrix products in a format, FLOP/s. fp32 uses the vector units on devices without an fp32
 * matrix path. NaN: the device lacks the format. */
NNC_API double nnc_device_matmul_peak(const nnc_device *device, nnc_dtype dtype);

/* Ridge point: FLOP/B above which a product in this format is compute-bound. Source: Williams, Waterman,
 * Patterson, CACM 52(4), 2009.   [roofline] */
NNC_API double nnc_device_ridge(const nnc_device *device, nnc_dtype dtype);

/* Bytes that one process can get: usable_bytes, or mem_bytes where none is recorded or mem_bytes was changed to
 * something else by more than 3 %. */
NNC_API int64_t nnc_device_capacity(const nnc_device *device);

#ifdef __cplusplus
}
#endif

#endif
