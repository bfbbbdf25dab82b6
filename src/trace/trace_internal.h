/* Traces of PyTorch's profiler (Kineto, the Chrome trace format): which kernels ran on the device, and how long they
 * should take.
 *
 *     trace_read.c    FILE.json[.gz] -> operators, launches, kernels, steps
 *     trace_price.c   operator with its shapes -> work, roofline bound, predicted seconds (an nnc_trace_price)
 *     trace_sum.c     kernels -> operators (links), rows, gaps, overlap, findings
 *
 * A kernel is linked to the operator that issued it:
 *
 *     kernel  --correlation-->  launch on a thread  --time-->  innermost operator of that thread that has shapes
 *             --External id-->  operator (if no launch was recorded)
 *
 * Source of the format: PyTorch, torch/csrc/profiler, and libkineto, output_json.cpp. */
#ifndef NNCOST_TRACE_TRACE_INTERNAL_H
#define NNCOST_TRACE_TRACE_INTERNAL_H

#include <nncost/hardware.h>

#include "base/base_internal.h"
#include "op/op_internal.h"

/* ---- trace_read.c ---- */

/* An operator with the shapes of its inputs. All strings are copied from the trace; NULL = not recorded. */
typedef struct nnc_trace_kind {
    const char *name;           /* name, such as "aten::mm" */
    const char *dims;           /* shapes of the inputs, such as "[[8, 16], [16, 4]]" */
    const char *types, *values; /* types: types of all inputs, such as "["float", "Scalar"]"; values: values of
                                 * inputs that are not tensors */
} nnc_trace_kind;

/* One call of an operator on the host. Times are in nanoseconds from an arbitrary start. */
typedef struct nnc_trace_call {
    int64_t start_ns, end_ns, external; /* external: id of the call in the trace, -1 = not recorded */
    int32_t thread, kind;
} nnc_trace_call;

typedef struct nnc_trace_launch {
    int64_t correlation, start_ns;
    int32_t thread;
} nnc_trace_launch;

typedef enum nnc_trace_class { NNC_TRACE_COMPUTE, NNC_TRACE_COMMUNICATION, NNC_TRACE_COPY } nnc_trace_class;

typedef struct nnc_trace_kernel {
    int64_t start_ns, end_ns, correlation, external; /* start_ns, end_ns: start and end of the kernel; correlation:
                                                      * id of the launch of the kernel; external: id of the operator;
                                                      * -1 = not recorded */
    int32_t name, device;
    nnc_trace_class class;
    uint32_t group; /* hash of the ranks that take part in a collective; 0 = not recorded */
} nnc_trace_kernel;

typedef struct nnc_trace {
    nnc_arena *arena; /* memory for all texts of the trace */
    nnc_trace_kind *kinds;
    const char **names; /* names of kernels */
    nnc_trace_call *calls;
    nnc_trace_launch *launches;
    nnc_trace_kernel *kernels;
    int64_t kind_count, name_count, call_count, launch_count, kernel_count;
    int64_t steps;            /* number of annotations ProfilerStep#N */
    int64_t rank, world_size; /* rank: rank that wrote the trace; world_size: number of ranks; -1 = not recorded */
    double bytes;             /* number of bytes of JSON text that were read */
    const char *device;       /* name of the first device of the machine; NULL = not recorded */
} nnc_trace;

/* Reads a trace, compressed or not. The memory grows with the number of events, not with their text. Fails with
 * NNC_IO, NNC_NO_MEMORY, or NNC_BAD_SPEC (err has file and byte); then nothing has to be freed. */
nnc_status nnc_trace_read(const char *path, nnc_trace **trace, nnc_error *err);

/* Returns true if a file is a trace, by its name and its first bytes. Files of nncost are short and never
 * compressed. */
bool nnc_trace_is(const char *path);
void nnc_trace_free(nnc_trace *trace);

/* ---- trace_price.c ---- */

/* Work and predicted time of one call of an operator. NaN = the shapes do not determine the value. */
typedef struct nnc_trace_price {
    double flops, moved_bytes, bound_s, predicted_s;
    bool product; /* true: the operator is a matrix product */
    /* only for a matrix product: predicted time with m, n and k padded to multiples of 16 bytes; NaN = no padding
     * needed */
    double padded_s;
    int64_t odd; /* size of the first dimension (in the order n, k, m) of a matrix product that needs padding; 0
                      * = no dimension */
    char side;   /* name of the dimension in `odd`: 'm', 'n' or 'k' */
} nnc_trace_price;

/* Properties of the kernels of an operator that its shapes do not show. */
typedef struct nnc_trace_hint {
    bool tf32;       /* true: the kernels round fp32 operands to tf32 */
    int aligned;     /* alignment of the operands in elements, from the kernel's name; 0 = not stated */
    double launches; /* number of kernels per call */
} nnc_trace_hint;

nnc_trace_price nnc_trace_price_of(const nnc_device *device, const nnc_trace_kind *kind, nnc_trace_hint hint);

/* The name and sizes of an operator in tables of measurements: "matmul" with m, n, k and batch; "gelu" and others with
 * m rows of n elements. */
typedef struct nnc_trace_sizes {
    const char *op;
    nnc_dtype dtype; /* number format of the arithmetic */
    int64_t batch, m, n, k;
} nnc_trace_sizes;

/* Finds the name and the sizes of an operator. Returns false if the tables have no such operator, or if its shapes do
 * not determine the sizes. */
bool nnc_trace_sizes_of(const nnc_trace_kind *kind, bool tf32, nnc_trace_sizes *sizes);

/* A row of the summary: all calls of an operator with the same shapes, or all kernels of one name whose operator is not
 * known. */
typedef struct nnc_trace_row {
    const char *op, *dims, *types, *values; /* op: name of the operator; dims, types, values: shapes, types and
                                             * values, as in nnc_trace_kind; dims = NULL: the operator is not known */
    const char *kernel;                     /* name of the longest kernel */
    int64_t calls, kernels;
    double measured_s, longest_s;
    double share; /* share of this row in the time of all kernels */
    nnc_trace_class class;
    nnc_trace_price price; /* work and predicted time of all calls together */
    double factor;         /* factor on the predicted time, from the machine and from rows of similar size: see expect()
                            * in trace_sum.c */
    double expected_s;     /* predicted time x factor; if the lower bound is longer, the lower bound */
    double times;          /* measured time / expected_s */
    double save_s;         /* measured time - expected_s; NaN = the time cannot be predicted */
    bool tf32, linked;
} nnc_trace_row;

typedef struct nnc_trace_sum {
    const nnc_trace *trace;
    const nnc_device *device; /* device for predictions; NULL: no times are predicted */
    nnc_trace_row *rows;      /* all rows, longest time first */
    nnc_trace_row *findings;  /* rows that could be faster, largest saving first */
    int64_t row_count, finding_count;
    int32_t devices;
    /* times of the device that ran the most kernels. span_s: time from the first to the last kernel; busy_s: time with
     * a kernel; idle_s: idle time */
    double span_s, busy_s, idle_s;
    double idle_host_s;                   /* part of idle_s before kernels that the host launched only after the device
                                           * was idle */
    double communication_s, exposed_s;    /* communication_s: time of collectives; exposed_s: part of it in which no
                                           * compute kernel runs */
    double compute_s, copy_s, kernel_s;   /* times: compute_s of compute kernels; copy_s of copies; kernel_s of all
                                           * kernels */
    double linked_share;                  /* share of kernel time in operators with shapes */
    double unlaunched_share;              /* share of kernel time that is not linked, because the trace lacks the
                                           * launch */
    double product_factor, memory_factor; /* median of measured / predicted time. product_factor: of products;
                                           * memory_factor: of other operators. NaN = too few rows */
    double save_s;                        /* sum of save_s over all findings */
    double issue_s;                       /* mean time between two kernels: time span / number of kernels */
} nnc_trace_sum;

/* Sums the kernels of a trace. The arrays of *sum are in the arena of the trace. Fails with NNC_NO_MEMORY, or with
 * NNC_BAD_SPEC if the trace has no kernel. */
nnc_status nnc_trace_sum_up(nnc_trace *trace, const char *path, const nnc_device *device, nnc_trace_sum *sum,
                            nnc_error *err);

/* ---- trace_sum.c: the ranks of one run ---- */

/* A collective of a rank. nth: its index among the rank's collectives with the same kernel and group of ranks. */
typedef struct nnc_trace_collective {
    uint64_t what; /* hash of the kernel's name and the group of ranks */
    int64_t start_ns, nth;
    int32_t rank;
    double seconds;
} nnc_trace_collective;

typedef struct nnc_trace_rank {
    const char *file;
    int64_t rank;
    double span_s, compute_s, communication_s, idle_s;
    double waits_s;   /* time that this rank waits in collectives until the last rank enters */
    int64_t compared; /* number of collectives of this rank that were compared with other ranks */
} nnc_trace_rank;

/* Appends the collectives of the trace of one rank to an array of nnc_trace_collective. Returns false when out of
 * memory. */
bool nnc_trace_collectives(const nnc_trace *t, int32_t rank, nnc_buffer *all);

/* Computes how long each rank waits in collectives. A collective ends on all ranks at the same time. The rank that
 * enters last has the shortest collective; every other rank waits for the difference of the durations. Collectives of a
 * single rank, collectives that some ranks have more often than others, and send-receive pairs are left out. */
void nnc_trace_wait(nnc_trace_collective *all, int64_t count, nnc_trace_rank *ranks);

#endif
