/* Chunks of rows evaluated by several threads and emitted in order; batches of rows; sets of shards. */
#include <stdlib.h>
#include <string.h>
#ifndef __wasi__
#include <pthread.h> /* thread sanitizers follow POSIX threads, not <threads.h> */
#endif

#include "base/base_internal.h"
#include "sweep/sweep_internal.h"

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
    size_t end; /* of the row in the bytes of its batch */
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

static nnc_status pool_emit(const nnc_pool *pool, const nnc_batch *batch, bool *stop,
                            nnc_error *err)
{
    return batch->bytes.failed || batch->marks.failed ? nnc_no_memory(err)
                                                      : pool->emit(pool->context, batch, stop, err);
}

static nnc_status pool_run_alone(const nnc_pool *pool, int64_t chunk_count, nnc_error *err)
{
    nnc_batch batch = { 0 };
    nnc_status status = NNC_OK;
    bool stop = false;
    for (int64_t chunk = 0; chunk < chunk_count && status == NNC_OK && !stop; chunk++) {
        nnc_pool_chunk(pool, chunk, &batch);
        pool->work(pool->workers[0], &batch);
        status = pool_emit(pool, &batch, &stop, err);
    }
    nnc_batch_free(&batch);
    return status;
}

/* ---- threads ---- */

#ifdef __wasi__ /* no threads */

nnc_status nnc_pool_run(const nnc_pool *pool, nnc_error *err)
{
    return pool_run_alone(pool, nnc_pool_chunks(pool), err);
}

#else

enum { SLOTS_PER_THREAD = 4 };

typedef struct slot {
    nnc_batch batch;
    bool done;
} slot;

/* A ring of batches. Chunks count from 0; chunk c is in slot c % slot_count:
 * 
 *      emitted          claimed
 *         v                v
 *     ... | done | works | free | ...    at most slot_count chunks between the two */
typedef struct ring {
    const nnc_pool *pool;
    slot *slots;
    int64_t slot_count, chunk_count;
    pthread_mutex_t lock; /* guards the members below, and done of the slots */
    pthread_cond_t freed, finished;
    int64_t claimed, emitted; /* numbers of chunks */
    bool stop;
} ring;

typedef struct runner {
    ring *ring;
    void *worker;
    pthread_t thread;
} runner;

/* The next chunk to evaluate; NULL after the last one. Waits for a free slot. */
static slot *claim(ring *r)
{
    slot *found = NULL;
    pthread_mutex_lock(&r->lock);
    while (!r->stop && r->claimed < r->chunk_count && r->claimed == r->emitted + r->slot_count) {
        pthread_cond_wait(&r->freed, &r->lock);
    }
    if (!r->stop && r->claimed < r->chunk_count) {
        found = &r->slots[r->claimed % r->slot_count];
        nnc_pool_chunk(r->pool, r->claimed++, &found->batch);
    }
    pthread_mutex_unlock(&r->lock);
    return found;
}

static void finish(ring *r, slot *s)
{
    pthread_mutex_lock(&r->lock);
    s->done = true;
    pthread_cond_signal(&r->finished);
    pthread_mutex_unlock(&r->lock);
}

static void *run_thread(void *argument)
{
    runner *self = argument;
    for (slot *s = claim(self->ring); s != NULL; s = claim(self->ring)) {
        self->ring->pool->work(self->worker, &s->batch);
        finish(self->ring, s);
    }
    return NULL;
}

/* The next batch in order; NULL after the last one. */
static const nnc_batch *next_batch(ring *r)
{
    const nnc_batch *batch = NULL;
    pthread_mutex_lock(&r->lock);
    slot *s = &r->slots[r->emitted % r->slot_count];
    while (!s->done && (r->emitted < r->claimed || (!r->stop && r->claimed < r->chunk_count))) {
        pthread_cond_wait(&r->finished, &r->lock);
    }
    if (s->done) {
        s->done = false;
        batch = &s->batch;
    }
    pthread_mutex_unlock(&r->lock);
    return batch;
}

static void release(ring *r, bool stop)
{
    pthread_mutex_lock(&r->lock);
    r->emitted++;
    r->stop = r->stop || stop;
    pthread_cond_broadcast(&r->freed);
    pthread_mutex_unlock(&r->lock);
}

static nnc_status emit_all(ring *r, nnc_error *err)
{
    nnc_status status = NNC_OK;
    for (const nnc_batch *batch = next_batch(r); batch != NULL; batch = next_batch(r)) {
        bool stop = false;
        if (status == NNC_OK) {
            status = pool_emit(r->pool, batch, &stop, err);
        }
        release(r, stop || status != NNC_OK);
    }
    return status;
}

static nnc_status run_threads(ring *r, runner *runners, nnc_error *err)
{
    const nnc_pool *pool = r->pool;
    int started = 0;
    for (; started < pool->threads; started++) {
        runners[started] = (runner){ .ring = r, .worker = pool->workers[started] };
        if (pthread_create(&runners[started].thread, NULL, run_thread, &runners[started]) != 0) {
            break;
        }
    }
    nnc_status status = NNC_OK;
    if (started == 0) {
        status = nnc_fail(err, NNC_NO_MEMORY, "--threads", "cannot start a thread");
    } else {
        status = emit_all(r, err);
    }
    for (int i = 0; i < started; i++) {
        pthread_join(runners[i].thread, NULL);
    }
    return status;
}

nnc_status nnc_pool_run(const nnc_pool *pool, nnc_error *err)
{
    ring r = { .pool = pool,
               .slot_count = (int64_t)pool->threads * SLOTS_PER_THREAD,
               .chunk_count = nnc_pool_chunks(pool) };
    if (pool->threads == 1 || r.chunk_count < 2) {
        return pool_run_alone(pool, r.chunk_count, err);
    }
    r.slots = calloc((size_t)r.slot_count, sizeof *r.slots);
    runner *runners = calloc((size_t)pool->threads, sizeof *runners);
    nnc_status status = NNC_NO_MEMORY;
    if (r.slots == NULL || runners == NULL) {
        nnc_no_memory(err);
        goto done;
    }
    pthread_mutex_init(&r.lock, NULL);
    pthread_cond_init(&r.freed, NULL);
    pthread_cond_init(&r.finished, NULL);
    status = run_threads(&r, runners, err);
    pthread_cond_destroy(&r.finished);
    pthread_cond_destroy(&r.freed);
    pthread_mutex_destroy(&r.lock);
    for (int64_t i = 0; i < r.slot_count; i++) {
        nnc_batch_free(&r.slots[i].batch);
    }
done:
    free(runners);
    free(r.slots);
    return status;
}

#endif

/* ---- shards ---- */

nnc_status nnc_shard_set_add(nnc_shard_set *set, const char *path, const char *digest,
                             nnc_shard shard, nnc_error *err)
{
    if (shard.of < 1 || shard.of > NNC_SHARDS_MAX) {
        return nnc_fail(err, NNC_BAD_SPEC, path, "is shard %lld/%lld, expected at most %d shards",
                        (long long)shard.number, (long long)shard.of, (int)NNC_SHARDS_MAX);
    }
    if (set->paths == NULL) {
        set->digest = digest;
        set->first_path = path;
        set->of = shard.of;
        set->paths = calloc((size_t)shard.of, sizeof *set->paths);
        if (set->paths == NULL) {
            return nnc_no_memory(err);
        }
    }
    if (strcmp(digest, set->digest) != 0 || shard.of != set->of || shard.number < 1 ||
        shard.number > shard.of) {
        return nnc_fail(err, NNC_BAD_SPEC, path, "holds a shard of another %s than %s", set->kind,
                        set->first_path);
    }
    const char **of = &set->paths[shard.number - 1];
    if (*of != NULL) {
        return nnc_fail(err, NNC_BAD_SPEC, path, "is shard %lld/%lld, as is %s",
                        (long long)shard.number, (long long)shard.of, *of);
    }
    *of = path;
    set->count++;
    return NNC_OK;
}

nnc_status nnc_shard_set_complete(const nnc_shard_set *set, nnc_error *err)
{
    for (int64_t i = 0; i < set->of; i++) {
        if (set->paths[i] == NULL) {
            return nnc_fail(err, NNC_BAD_USAGE, "merge",
                            "expected all %lld shards, found %lld: shard %lld/%lld is missing",
                            (long long)set->of, (long long)set->count, (long long)i + 1,
                            (long long)set->of);
        }
    }
    return NNC_OK;
}

void nnc_shard_set_free(nnc_shard_set *set)
{
    free(set->paths);
}
