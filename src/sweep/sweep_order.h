/* The order in which the rows of a chunk are worked out: those that run the same ops one after the other, so that they
 * share what is known of them. */
#ifndef NNCOST_SWEEP_SWEEP_ORDER_H
#define NNCOST_SWEEP_SWEEP_ORDER_H

#include "sweep/sweep.h"

/* A turn of a chunk. The mark is of the row with the same place in the chunk, wherever that has its turn. */
typedef struct nnc_turn {
    int64_t row; /* place in the chunk */
    size_t mark; /* in the batch that holds it; NNC_NO_MARK = it is left out */
} nnc_turn;
#define NNC_NO_MARK SIZE_MAX

typedef struct nnc_order {
    bool decides[NNC_SWEEP_AXES_MAX]; /* a group of axes: what a rank runs */
    bool mixed;                       /* such a group moves faster than another one */
    int64_t keys[NNC_POOL_CHUNK_MAX]; /* what decides the ops of a row, and its place */
    nnc_turn turns[NNC_POOL_CHUNK_MAX];
} nnc_order;

/* Starts as zeros. */
void nnc_order_find(const nnc_sweep *sweep, nnc_order *order);

/* Rows of a chunk. Of lists of ops that a chunk runs each is made once, so that more rows share it in a longer one;
 * short sweeps have chunks for many threads all the same, and wide rows take no more memory than narrow ones. */
int64_t nnc_order_chunk(const nnc_sweep *sweep, const nnc_order *order);

/* Gives the rows of a chunk their turns; false: they are in order as they stand. */
bool nnc_order_take(const nnc_sweep *sweep, nnc_order *order, const nnc_batch *batch);

#endif
