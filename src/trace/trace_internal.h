/* Traces of PyTorch's profiler (Kineto, the Chrome trace format): what ran on the device, and what it could have taken.
 *
 *     trace_read.c    FILE.json[.gz] -> operators, launches, kernels, steps
 *     trace_price.c   operator with its shapes -> work, roofline bound, predicted seconds
 *     trace_sum.c     kernels -> operators (links), rows, gaps, overlap, findings
 *
 * A kernel is linked to the operator that issued it:
 *
 *     kernel  --correlation-->  launch on a thread  --time-->  innermost operator of that thread that has shapes
 *             --External id-->  operator (where no launch was recorded)
 *
 * Source of the format: PyTorch, torch/csrc/profiler, and libkineto, output_json.cpp. */
#ifndef NNCOST_TRACE_TRACE_INTERNAL_H
#define NNCOST_TRACE_TRACE_INTERNAL_H

#include <nncost/hardware.h>

#include "base/base_internal.h"
#include "op/op_internal.h"

/* ---- trace_read.c ---- */

/* An operator with its shapes. All texts are as recorded, NULL = not recorded. */
typedef struct nnc_trace_kind {
    const char *name;           /* "aten::mm" */
    const char *dims;           /* "[[8, 16], [16, 4]]" */
    const char *types, *values; /* "["float", "Scalar"]"; values of inputs that are no tensors */
} nnc_trace_kind;

/* One call of an operator on the host. Times are nanoseconds since an arbitrary moment. */
typedef struct nnc_trace_call {
    int64_t start_ns, end_ns, external; /* times; external: id of the issuing call, -1 = none */
    int32_t thread, kind;
} nnc_trace_call;

typedef struct nnc_trace_launch {
    int64_t correlation, start_ns;
    int32_t thread;
} nnc_trace_launch;

typedef enum nnc_trace_class { NNC_TRACE_COMPUTE, NNC_TRACE_COMMUNICATION, NNC_TRACE_COPY } nnc_trace_class;

typedef struct nnc_trace_kernel {
    int64_t start_ns, end_ns, correlation, external; /* -1 = none */
    int32_t name, device;
    nnc_trace_class class;
    uint32_t group; /* hash of the ranks that a collective runs between; 0 = not recorded */
} nnc_trace_kernel;

typedef struct nnc_trace {
    nnc_arena *arena; /* arena of the texts */
    nnc_trace_kind *kinds;
    const char **names; /* names of kernels */
    nnc_trace_call *calls;
    nnc_trace_launch *launches;
    nnc_trace_kernel *kernels;
    int64_t kind_count, name_count, call_count, launch_count, kernel_count;
    int64_t steps;            /* annotations ProfilerStep#N */
    int64_t rank, world_size; /* -1 = not recorded */
    double bytes;             /* bytes of JSON text that were read */
    const char *device;       /* name of the first device, NULL = not recorded */
} nnc_trace;

/* Reads a trace, compressed or not. Memory grows with the number of events, not with their text. NNC_IO; NNC_BAD_SPEC with
 * file and byte; NNC_NO_MEMORY. Frees what it made where it fails. */
nnc_status nnc_trace_read(const char *path, nnc_trace **trace, nnc_error *err);

/* Is it a file that holds a trace, by its name and its first bytes? Files of nncost are short and never compressed. */
bool nnc_trace_is(const char *path);
void nnc_trace_free(nnc_trace *trace);

/* ---- trace_price.c ---- */

/* Seconds of one call; NaN = its shapes do not determine them. */
typedef struct nnc_trace_price {
    double flops, moved_bytes, bound_s, predicted_s;
    bool product;    /* a product of matrices */
    double padded_s; /* time of a product whose sides are padded to multiples of 16 bytes; NaN =
                   * already multiples */
    int64_t odd;     /* the side that is padded */
    char side;       /* its name: m, n or k */
} nnc_trace_price;

/* Facts of the kernels of an operator that its shapes do not have. */
typedef struct nnc_trace_hint {
    bool tf32;       /* they round fp32 operands to tf32 */
    int aligned;     /* elements that the operands are aligned to, by the kernel's name; 0 = not stated */
    double launches; /* kernels of one call */
} nnc_trace_hint;

nnc_trace_price nnc_trace_price_of(const nnc_device *device, const nnc_trace_kind *kind, nnc_trace_hint hint);

/* An operator in the words of tables of measurements: "matmul" with m, n, k and batch, "gelu" and others with m rows of n. */
typedef struct nnc_trace_sizes {
    const char *op;
    nnc_dtype dtype; /* format of the arithmetic */
    int64_t batch, m, n, k;
} nnc_trace_sizes;

/* false: tables have no such operator, or its shapes do not tell. */
bool nnc_trace_sizes_of(const nnc_trace_kind *kind, bool tf32, nnc_trace_sizes *sizes);

/* ---- trace_sum.c ---- */

/* All calls of an operator with the same shapes; or all kernels of one name without a known operator. */
typedef struct nnc_trace_row {
    const char *op, *dims, *types, *values; /* dims: NULL = no operator */
    const char *kernel;                     /* the longest */
    int64_t calls, kernels;
    double measured_s, longest_s;
    double share; /* share of all kernel time */
    nnc_trace_class class;
    nnc_trace_price price; /* price of all calls */
    double factor;         /* measured over predicted time, as other rows have it */
    double expected_s;     /* predicted, times the factor */
    double times;          /* measured / expected */
    double save_s;         /* measured - expected; NaN = not priced */
    bool tf32, linked;
} nnc_trace_row;

typedef struct nnc_trace_sum {
    const nnc_trace *trace;
    const nnc_device *device; /* NULL: nothing is priced */
    nnc_trace_row *rows;      /* most time first */
    nnc_trace_row *findings;  /* findings, the largest saving first */
    int64_t row_count, finding_count;
    int32_t devices;
    double span_s, busy_s, idle_s;        /* times of the device with most kernels */
    double idle_host_s;                   /* idle, and the next kernel was launched only then */
    double communication_s, exposed_s;    /* exposed: no compute kernel runs */
    double compute_s, copy_s, kernel_s;   /* sums over kernels */
    double linked_share;                  /* share of kernel time in operators with shapes */
    double product_factor, memory_factor; /* median of measured / predicted; 1 = too few rows */
    double save_s;                        /* sum over findings */
    double issue_s;                       /* time span over the number of kernels */
} nnc_trace_sum;

/* Fills sum; its arrays live in the arena of the trace. NNC_NO_MEMORY; NNC_BAD_SPEC: no kernel. */
nnc_status nnc_trace_sum_up(nnc_trace *trace, const char *path, const nnc_device *device, nnc_trace_sum *sum,
                            nnc_error *err);

/* ---- trace_sum.c: the ranks of one run ---- */

/* A collective of a rank: the nth of its kind. */
typedef struct nnc_trace_collective {
    uint64_t what; /* its kernel and group */
    int64_t start_ns, nth;
    int32_t rank;
    double seconds;
} nnc_trace_collective;

typedef struct nnc_trace_rank {
    const char *file;
    int64_t rank;
    double span_s, compute_s, communication_s, idle_s;
    double waits_s; /* in collectives, for the ranks that enter them later */
} nnc_trace_rank;

/* Appends the collectives of a trace to an array of nnc_trace_collective. false: out of memory. */
bool nnc_trace_collectives(const nnc_trace *t, int32_t rank, nnc_buffer *all);

/* Sets waits_s of the ranks. A collective ends on all ranks at once, so the rank that enters it last takes least; what
 * another takes longer, it waits. Collectives of one rank alone, and pairs that send and receive, say nothing. */
void nnc_trace_wait(nnc_trace_collective *all, int64_t count, nnc_trace_rank *ranks);

#endif
