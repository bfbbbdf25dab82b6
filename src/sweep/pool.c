#include "sweep/pool.h"

#include <string.h>

#include "base/error.h"

void nnc_batch_clear(nnc_batch *batch)
{
    nnc_buffer_clear(&batch->bytes);
    nnc_buffer_clear(&batch->marks);
    batch->tally = (nnc_sweep_tally){ 0 };
}

void nnc_batch_free(nnc_batch *batch)
{
    nnc_buffer_free(&batch->bytes);
    nnc_buffer_free(&batch->marks);
}

typedef struct mark {
    int64_t row;
    double key;
    size_t end; /* where the row ends in the bytes of its batch */
} mark;

void nnc_batch_mark(nnc_batch *batch, int64_t row, double key)
{
    const mark put = { row, key, batch->bytes.size };
    nnc_buffer_put(&batch->marks, &put, sizeof put);
}

bool nnc_batch_next(const nnc_batch *batch, size_t *at, nnc_batch_row *row)
{
    mark before = { 0 }, next;
    if (*at >= batch->marks.size) {
        return false;
    }
    if (*at > 0) {
        memcpy(&before, batch->marks.bytes + *at - sizeof before, sizeof before);
    }
    memcpy(&next, batch->marks.bytes + *at, sizeof next);
    *at += sizeof next;
    *row = (nnc_batch_row){ .number = next.row,
                            .key = next.key,
                            .bytes = batch->bytes.bytes + before.end,
                            .size = next.end - before.end };
    return true;
}

void nnc_tally_add(nnc_sweep_tally *sum, const nnc_sweep_tally *more)
{
    sum->excluded += more->excluded;
    sum->illegal += more->illegal;
    sum->over_memory += more->over_memory;
    sum->fitting += more->fitting;
}

int64_t nnc_pool_chunks(const nnc_pool *pool)
{
    return (pool->end - pool->first + pool->chunk - 1) / pool->chunk;
}

void nnc_pool_chunk(const nnc_pool *pool, int64_t chunk, nnc_batch *batch)
{
    nnc_batch_clear(batch);
    batch->first = pool->first + chunk * pool->chunk;
    batch->count = pool->end - batch->first;
    if (batch->count > pool->chunk) {
        batch->count = pool->chunk;
    }
}

nnc_status nnc_pool_emit(const nnc_pool *pool, const nnc_batch *batch, bool *stop, nnc_error *err)
{
    return batch->bytes.failed || batch->marks.failed ? nnc_no_memory(err)
                                                      : pool->emit(pool->context, batch, stop, err);
}

nnc_status nnc_pool_run_alone(const nnc_pool *pool, int64_t chunk_count, nnc_error *err)
{
    nnc_batch batch = { 0 };
    nnc_status status = NNC_OK;
    bool stop = false;
    for (int64_t chunk = 0; chunk < chunk_count && status == NNC_OK && !stop; chunk++) {
        nnc_pool_chunk(pool, chunk, &batch);
        pool->work(pool->workers[0], &batch);
        status = nnc_pool_emit(pool, &batch, &stop, err);
    }
    nnc_batch_free(&batch);
    return status;
}
