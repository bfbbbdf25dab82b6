/* Reads traces of PyTorch's profiler (Kineto, the Chrome trace format), and computes which kernels ran on the device
 * and how long they should have taken. The file trace_read.c reads operators, launches, kernels and steps from
 * FILE.json or FILE.json.gz. The file trace_price.c computes work, roofline bound and predicted seconds of an operator
 * from its shapes (nnc_trace_price). The file trace_sum.c links kernels to operators, and computes the rows of the
 * summary, idle times, overlap and findings.
 *
 * A kernel is linked to the operator that issued it in one of two ways. If the trace has the launch of the kernel (same
 * correlation id), the operator is the innermost operator with recorded shapes that ran on the thread of the launch at
 * the time of the launch. If the launch was not recorded, the operator and the kernel have the same External id.
 *
 * Source of the format: PyTorch, torch/csrc/profiler, and libkineto, output_json.cpp. */
#ifndef NNCOST_TRACE_TRACE_INTERNAL_H
#define NNCOST_TRACE_TRACE_INTERNAL_H

#include <nncost/hardware.h>

#include "base/base_internal.h"
#include "op/op_internal.h"

/* ---- trace_read.c: reading a trace ---- */

/* An operator with the shapes of its inputs. All strings are copied from the trace; a string is NULL if the trace does
 * not have it. */
typedef struct nnc_trace_kind {
    const char *name;           /* name of the operator, such as "aten::mm" */
    const char *dims;           /* shapes of the operator's inputs, such as "[[8, 16], [16, 4]]" */
    const char *types, *values; /* types: types of all inputs, such as "["float", "Scalar"]"; values: values of
                                 * inputs that are not tensors */
} nnc_trace_kind;

/* One call of an operator on the host. start_ns and end_ns are in nanoseconds, counted from an arbitrary time that is
 * the same for the whole trace. */
typedef struct nnc_trace_call {
    /* external: id of the call in the trace; -1 = the trace has no id for the call */
    int64_t start_ns, end_ns, external;
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
    /* hash of the list of ranks that take part in a collective; 0 = not recorded, or the kernel is no collective */
    uint32_t group;
} nnc_trace_kernel;

typedef struct nnc_trace {
    nnc_arena *arena; /* memory for the names, shapes and other texts of the trace */
    nnc_trace_kind *kinds;
    const char **names; /* names of all kernels of the trace */
    nnc_trace_call *calls;
    nnc_trace_launch *launches;
    nnc_trace_kernel *kernels;
    int64_t kind_count, name_count, call_count, launch_count, kernel_count;
    /* number of steps in the trace, which are marked by annotations with the name ProfilerStep#N */
    int64_t steps;
    /* rank: number of the rank that wrote the trace; world_size: number of ranks of the training; -1 = not recorded */
    int64_t rank, world_size;
    double bytes;       /* number of bytes of JSON text that the trace has, after decompression */
    const char *device; /* name of the first device in the trace; NULL = not recorded */
} nnc_trace;

/* Reads a trace file, which can be compressed. The memory that the function needs grows with the number of events, not
 * with the length of the text of the events. Returns NNC_IO, NNC_NO_MEMORY, or NNC_BAD_SPEC with the file and the
 * position in bytes in err; after an error nothing has to be freed. */
nnc_status nnc_trace_read(const char *path, nnc_trace **trace, nnc_error *err);

/* Tests, by the name and the first bytes of a file, whether the file is a trace. Files of all other kinds that nncost
 * reads are short and never compressed. */
bool nnc_trace_is(const char *path);
void nnc_trace_free(nnc_trace *trace);

/* ---- trace_price.c: predicted time of an operator ---- */

/* Work and predicted time of one call of an operator. A member of nnc_trace_price is NaN if the shapes of the operator
 * do not determine its value. */
typedef struct nnc_trace_price {
    double flops, moved_bytes, bound_s, predicted_s;
    bool product; /* true: the operator is a matrix product; false: any other operator */
    /* only set for a matrix product: predicted time if m, n and k are padded, so that each is a multiple of 16 bytes.
     * In a finding about padding, padded_s is multiplied by the factor of the row. padded_s is NaN if no dimension of
     * the product needs padding. */
    double padded_s;
    /* size of the first dimension (in the order n, k, m) of a matrix product that needs padding; 0 = no dimension needs
     * padding, or padding saves no time */
    int64_t odd;
    char side; /* name of the dimension whose size is in `odd`: 'm', 'n' or 'k'; NUL if `odd` is 0 */
} nnc_trace_price;

/* Properties of the kernels of an operator that do not follow from the shapes of the operator. */
typedef struct nnc_trace_hint {
    bool tf32; /* true: the kernels round fp32 operands to tf32 before they multiply */
    /* alignment of the operands in elements, as the kernel's name states it; 0 = the name states no alignment */
    int aligned;
    double launches; /* number of kernels that one call of the operator launches */
} nnc_trace_hint;

nnc_trace_price nnc_trace_price_of(const nnc_device *device, const nnc_trace_kind *kind, nnc_trace_hint hint);

/* Name and sizes of an operator, in the form of tables of measurements: "matmul" has m, n, k and batch; other
 * operators, such as "gelu", have m rows of n elements. */
typedef struct nnc_trace_sizes {
    const char *op;
    nnc_dtype dtype; /* number format in which the operator computes */
    int64_t batch, m, n, k;
} nnc_trace_sizes;

/* Finds the name and the sizes that an operator has in tables of measurements. Returns false if the tables do not have
 * the operator, or if its shapes do not determine the sizes. */
bool nnc_trace_sizes_of(const nnc_trace_kind *kind, bool tf32, nnc_trace_sizes *sizes);

/* A row of the summary of a trace. The row of a summary sums all calls of one operator with the same shapes, or all
 * kernels with the same name whose operator is not known. */
typedef struct nnc_trace_row {
    const char *op, *dims, *types, *values; /* op: name of the operator; dims, types, values: shapes, types and
                                             * values, as in nnc_trace_kind; dims = NULL: the operator is not known */
    const char *kernel;                     /* name of the kernel of this row that took the longest time */
    int64_t calls, kernels;
    double measured_s, longest_s;
    double share; /* time of this row's kernels / time of all kernels of the trace */
    nnc_trace_class class;
    nnc_trace_price price; /* work and predicted time, as sums over all calls of this row */
    /* factor on the predicted time: it takes account of the machine and of rows of similar size (see expect() in
     * trace_sum.c) */
    double factor;
    double expected_s; /* expected time: predicted time x factor, but at least the lower bound */
    double times;      /* measured time of this row / expected_s */
    /* possible saving: measured time - expected_s; NaN = the time of this row cannot be predicted */
    double save_s;
    bool tf32, linked;
} nnc_trace_row;

typedef struct nnc_trace_sum {
    const nnc_trace *trace;
    const nnc_device *device; /* device for which times are predicted; NULL = no times are predicted */
    nnc_trace_row *rows;      /* all rows of the summary; the row with the longest time is first */
    nnc_trace_row *findings;  /* copies of the rows that could be faster; the row with the largest saving is first */
    int64_t row_count, finding_count;
    int32_t devices;
    /* times of the device that ran the most kernels. span_s: from the start of its first kernel to the end of its last
     * kernel; busy_s: part of span_s in which at least one kernel runs; idle_s: span_s - busy_s */
    double span_s, busy_s, idle_s;
    /* part of idle_s: idle times that end with a kernel that the host launched only when the device was already idle */
    double idle_host_s;
    /* communication_s: time of collectives; exposed_s: time of collectives during which no compute kernel runs */
    double communication_s, exposed_s;
    /* compute_s: time of compute kernels; copy_s: time of copies; kernel_s: time of all kernels */
    double compute_s, copy_s, kernel_s;
    /* time of kernels that are linked to an operator with shapes / time of all kernels */
    double linked_share;
    /* share of kernel time whose kernels are not linked to an operator, because the trace lacks the launches of these
     * kernels */
    double unlaunched_share;
    /* medians of measured / predicted time. product_factor: over the rows of matrix products. memory_factor: over the
     * rows of operators that are no matrix product. NaN = too few rows. */
    double product_factor, memory_factor;
    double save_s; /* sum of the savings (save_s) of all findings */
    /* span_s / number of kernels in the trace: the mean time between two kernels */
    double issue_s;
} nnc_trace_sum;

/* Sums the kernels of a trace into *sum. The arrays of *sum are in the arena of the trace. Returns NNC_NO_MEMORY, or
 * NNC_BAD_SPEC if the trace has no kernel. */
nnc_status nnc_trace_sum_up(nnc_trace *trace, const char *path, const nnc_device *device, nnc_trace_sum *sum,
                            nnc_error *err);

/* ---- trace_sum.c: comparing the traces of the ranks of one training ---- */

/* A collective in which one rank took part. nth: index of the collective, from 0, among the collectives of the rank
 * that have the same kernel and the same group of ranks. */
typedef struct nnc_trace_collective {
    uint64_t what; /* hash computed from the name of the kernel and from the group of ranks */
    int64_t start_ns, nth;
    int32_t rank;
    double seconds;
} nnc_trace_collective;

typedef struct nnc_trace_rank {
    const char *file;
    int64_t rank;
    double span_s, compute_s, communication_s, idle_s;
    double waits_s;   /* seconds that this rank waits inside collectives until the last rank of the group enters */
    int64_t compared; /* number of collectives of this rank that could be compared with collectives of other ranks */
} nnc_trace_rank;

/* Appends the collectives in the trace of one rank to a buffer with elements of type nnc_trace_collective. Returns
 * false when out of memory. */
bool nnc_trace_collectives(const nnc_trace *t, int32_t rank, nnc_buffer *all);

/* Computes how long each rank waits for other ranks inside collectives. A collective ends on all ranks at the same
 * time, so it is shortest on the rank that enters last. Each other rank waits for the difference between its own
 * duration and the shortest duration. nnc_trace_wait does not compare collectives of a single rank, collectives that
 * some ranks have more often than other ranks, and send-receive pairs. */
void nnc_trace_wait(nnc_trace_collective *all, int64_t count, nnc_trace_rank *ranks);

#endif
