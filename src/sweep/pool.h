/* Rows worked out by several threads or ranks, handed on in order. A chunk of rows is worked out by
 * one thread into a batch; batches wait in a ring of fixed length for their turn, so memory stays
 * flat and what comes out does not depend on how many threads there were. */
#ifndef NNCOST_SWEEP_POOL_H
#define NNCOST_SWEEP_POOL_H

#include <nncost/sweep.h>

#include "base/buffer.h"
#include "base/cell.h"

enum { NNC_POOL_THREADS_MAX = 256, NNC_POOL_CHUNK = 128, NNC_POOL_CHUNK_MAX = 1024 };

/* A share of the work. */
typedef struct nnc_shard {
    int64_t number, of; /* number counts from 1; 1 of 1: not divided */
} nnc_shard;

enum { NNC_SHARDS_MAX = 1000000 };

/* A chunk of rows: number first and count - 1 more. */
typedef struct nnc_batch {
    int64_t first, count;
    nnc_buffer bytes; /* of the rows that are kept, one after the other */
    nnc_buffer marks; /* one per row kept: number, key and where it ends */
    nnc_sweep_tally tally;
} nnc_batch;

void nnc_batch_clear(nnc_batch *batch);
void nnc_batch_free(nnc_batch *batch);
/* Ends a row whose bytes have been put. key: what rows are sorted by. */
void nnc_batch_mark(nnc_batch *batch, int64_t row, double key);

/* One row that a batch holds. */
typedef struct nnc_batch_row {
    int64_t number;
    double key;
    const char *bytes;
    size_t size;
} nnc_batch_row;

/* The next row; *at starts with 0. False after the last one. */
bool nnc_batch_next(const nnc_batch *batch, size_t *at, nnc_batch_row *row);

void nnc_tally_add(nnc_sweep_tally *sum, const nnc_sweep_tally *more);

typedef struct nnc_pool {
    int64_t first, end; /* rows to do */
    int64_t chunk;      /* rows that are worked out together, at most NNC_POOL_CHUNK_MAX */
    int threads;
    void **workers; /* one per thread, handed to work */
    void (*work)(void *worker, nnc_batch *batch);
    /* Called by the caller's thread, batch by batch in order. *stop = true ends the run after the
     * batches that have been begun. */
    nnc_status (*emit)(void *context, const nnc_batch *batch, bool *stop, nnc_error *err);
    void *context;
} nnc_pool;

/* Fails with what emit returned, or NNC_NO_MEMORY. */
nnc_status nnc_pool_run(const nnc_pool *pool, nnc_error *err);

/* Its parts: how many chunks there are, which rows a chunk has, handing one on, all of them in this thread. */
int64_t nnc_pool_chunks(const nnc_pool *pool);
void nnc_pool_chunk(const nnc_pool *pool, int64_t chunk, nnc_batch *batch);
nnc_status nnc_pool_emit(const nnc_pool *pool, const nnc_batch *batch, bool *stop, nnc_error *err);
nnc_status nnc_pool_run_alone(const nnc_pool *pool, int64_t chunk_count, nnc_error *err);

#endif
