/* The op table: every op of one step on one device, with its work and time. */
#ifndef NNCOST_COST_ROWS_H
#define NNCOST_COST_ROWS_H

#include "cost/network.h"
#include "cost/roofline.h"
#include "shape/list.h"

enum { NNC_ROWS_MAX = 8192, NNC_ROWS_SEEN = 128 };

typedef struct nnc_rows {
    nnc_op_cost rows[NNC_ROWS_MAX];
    nnc_op ops[NNC_ROWS_MAX]; /* what the rows of backward and update point to */
    int32_t count;
    int32_t seen[NNC_ROWS_SEEN]; /* a product's row by its shape, counted from 1; 0 = none */
    bool truncated;
} nnc_rows;

/* The parts of a step. */
typedef enum nnc_part {
    NNC_PART_FORWARD,
    NNC_PART_BACKWARD,
    NNC_PART_RECOMPUTE,
    NNC_PART_COMM, /* once per step: gradients of data parallelism */
    NNC_PART_UPDATE,
    NNC_PARTS
} nnc_part;

static inline nnc_part nnc_part_of(const nnc_op_cost *row)
{
    switch (row->op->phase) {
    case NNC_PHASE_FORWARD: return NNC_PART_FORWARD;
    case NNC_PHASE_RECOMPUTE: return NNC_PART_RECOMPUTE;
    case NNC_PHASE_COMM: return NNC_PART_COMM;
    case NNC_PHASE_UPDATE: return NNC_PART_UPDATE;
    default: return NNC_PART_BACKWARD;
    }
}

/* Expands the forward list of one rank: forward ops, then for each op from the last to the first what
 * is recomputed and its backward ops. repeat: instances in one micro-batch, all layers. network may
 * be NULL when nothing is exchanged. */
void nnc_rows_build(const nnc_op_list *list, const nnc_device *device, const nnc_network *network,
                    const nnc_plan *plan, nnc_rows *rows);

/* Appends one op, copied. */
void nnc_rows_add(nnc_rows *rows, const nnc_op *op, const nnc_device *device,
                  const nnc_network *network, double repeat);

#endif
