/* One op by itself on a device. */
#ifndef NNCOST_ESTIMATE_ALONE_H
#define NNCOST_ESTIMATE_ALONE_H

#include <nncost/estimate.h>

#include "op/dims.h"

enum { NNC_ALONE_DIMS_MAX = 6 };

/* What is asked, and the answer. NaN where it does not apply. */
typedef struct nnc_alone {
    const char *kind;                 /* "matmul" */
    int64_t dims[NNC_ALONE_DIMS_MAX]; /* in the order of the kind */
    int32_t dim_count;
    double bytes; /* of a collective: the full tensor */
    nnc_dtype precision;
    int32_t devices, devices_per_node;
    char shape[96];
    double flops, moved_bytes; /* moved: read and written, or sent by one rank */
    double flops_per_byte, ridge_flops_per_byte;
    double bound_s;                                         /* at the rates of the datasheet */
    double compute_s, memory_s, fixed_s, network_s, time_s; /* predicted */
    double flops_per_s, bytes_per_s;                        /* that the predicted time stands for */
    double peak_share;                                      /* of the rate that bounds it */
    nnc_bound bound;
    const char *link; /* of a collective */
} nnc_alone;

/* The kinds by name, NULL past the last: how their dims are written. */
const char *nnc_alone_kind(int index, const char **dims);

/* Fills in the answer. NNC_BAD_USAGE: an unknown kind, or other dims than it has. */
nnc_status nnc_op_alone(const nnc_device *device, nnc_alone *alone, nnc_error *err);

#endif
