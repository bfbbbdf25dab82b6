/* The op table: every op of one step on one device, with its work and time. */
#ifndef NNCOST_COST_ROWS_H
#define NNCOST_COST_ROWS_H

#include "cost/network.h"
#include "cost/roofline.h"
#include "shape/list.h"

enum { NNC_ROWS_MAX = 8192, NNC_TIMED_BITS = 10, NNC_TIMED_SLOTS = 1 << NNC_TIMED_BITS };

/* A product that was timed. */
typedef struct nnc_timed_product {
    uint16_t slot; /* of timed_at, which it belongs to */
    nnc_matmul shape;
    nnc_dtype dtype;
    bool grad_weight;
    double flops, vector_flops, read_bytes, write_bytes;
    nnc_timing timing;
} nnc_timed_product;

/* Products in the order in which they came, so that few of them touch little memory, and the place of the one that has a
 * slot: none has it where that place is beyond the last, or belongs to another slot. */
typedef struct nnc_timed_products {
    nnc_timed_product products[NNC_TIMED_SLOTS];
    uint16_t at[NNC_TIMED_SLOTS];
    int32_t count;
    const nnc_device *on; /* does not change; NULL: each table begins anew */
} nnc_timed_products;

/* Where the rows of an op of the list begin, -1 = it has no forward one, and how many its backward has beside what runs
 * again. */
typedef struct nnc_op_place {
    int16_t forward, backward, backward_count;
} nnc_op_place;

typedef struct nnc_rows {
    nnc_op_cost rows[NNC_ROWS_MAX];
    nnc_op ops[NNC_ROWS_MAX];     /* what the rows of backward and update point to */
    int32_t count, forward_count; /* forward's come first */
    int32_t fresh;                /* rows from here on are timed on one network */
    nnc_op_place places[NNC_OPS_MAX];
    nnc_timed_products own, *timed; /* NULL: its own */
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

/* From now on tables that are given these products share them, on a device that must not change until this is called
 * again. */
void nnc_timed_begin(nnc_timed_products *timed, const nnc_device *device);

/* Expands the forward list of one rank: forward ops, then for each op from the last to the first what
 * is recomputed and its backward ops. repeat: instances in one micro-batch, all layers. network may
 * be NULL when nothing is exchanged, device when the work alone is asked for, and no times. */
void nnc_rows_build(const nnc_op_list *list, const nnc_device *device, const nnc_network *network,
                    const nnc_plan *plan, nnc_rows *rows);

/* The same, from the table of a list that has some ops in the same places: what is known of those is copied. */
typedef struct nnc_rows_like {
    const nnc_op_list *list; /* NULL: there is none */
    int32_t count;           /* of its ops, that the table has */
    const nnc_rows *rows;    /* on the same device */
    bool same_routes;
} nnc_rows_like;
void nnc_rows_build_like(const nnc_op_list *list, const nnc_device *device,
                         const nnc_network *network, const nnc_plan *plan,
                         const nnc_rows_like *like, nnc_rows *rows);

/* Other routes of the same exchanges. */
void nnc_rows_reroute(nnc_rows *rows, const nnc_network *network);

/* Another share of passes that add to a weight gradient already there: what does is timed again. */
void nnc_rows_accumulate(nnc_rows *rows, const nnc_device *device, double share);

/* The table that a list has with the ops from `first` on, from the table that it has without. Points into base. */
void nnc_rows_join(const nnc_rows *base, const nnc_op_list *list, int32_t first,
                   const nnc_device *device, const nnc_network *network, const nnc_plan *plan,
                   nnc_rows *rows);

/* Matrix products and attention that compute binds, which fewer units or a lower clock lengthen. */
bool nnc_row_fills_units(const nnc_op_cost *row);

/* How much longer those take where kernels of the expert exchange keep units from them; 1 = none do. */
double nnc_rows_lent_factor(const nnc_device *device, const nnc_plan *plan,
                            const nnc_software *software);
void nnc_rows_lend(nnc_rows *rows, double factor);

/* Appends one op, copied. */
void nnc_rows_add(nnc_rows *rows, const nnc_op *op, const nnc_device *device,
                  const nnc_network *network, double repeat);

#endif
