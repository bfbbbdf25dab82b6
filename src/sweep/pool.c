/* Evaluates chunks of rows on several threads or MPI ranks, and outputs the rows in order. The rows are stored in
 * batches until all rows before them have been output. The file also checks that the shards given to a merge are
 * complete. */
#include "base/base_internal.h"
#include "sweep/sweep_internal.h"

#ifndef __wasi__
#include <pthread.h> /* thread sanitizers support POSIX threads (pthread.h), but not the C threads of <threads.h> */
#endif

void nnc_batch_clear(nnc_batch *batch) {
    nnc_buffer_clear(&batch->bytes);
    nnc_buffer_clear(&batch->marks);
    batch->tally = (nnc_sweep_tally){ 0 };
}

void nnc_batch_free(nnc_batch *batch) {
    nnc_buffer_free(&batch->bytes);
    nnc_buffer_free(&batch->marks);
}

typedef struct mark {
    int64_t row;
    double key;
    size_t end; /* offset in batch->bytes at which the bytes of this row end */
} mark;

void nnc_batch_mark(nnc_batch *batch, int64_t row, double key) {
    const mark put = { row, key, batch->bytes.size };
    nnc_buffer_put(&batch->marks, &put, sizeof put);
}

bool nnc_batch_next(const nnc_batch *batch, size_t *at, nnc_batch_row *row) {
    mark before = { 0 }, next;
    if (*at >= batch->marks.size) { return false; }
    if (*at > 0) { memcpy(&before, batch->marks.bytes + *at - sizeof before, sizeof before); }
    memcpy(&next, batch->marks.bytes + *at, sizeof next);
    *at += sizeof next;
    *row = (nnc_batch_row){
        .number = next.row, .key = next.key, .bytes = batch->bytes.bytes + before.end, .size = next.end - before.end
    };
    return true;
}

void nnc_tally_add(nnc_sweep_tally *sum, const nnc_sweep_tally *more) {
    sum->excluded += more->excluded;
    sum->illegal += more->illegal;
    sum->over_memory += more->over_memory;
    sum->fitting += more->fitting;
}

/* Returns the number of chunks into which a pool divides its rows. */
static int64_t pool_chunks(const nnc_pool *pool) { return (pool->end - pool->first + pool->chunk - 1) / pool->chunk; }

static void pool_chunk(const nnc_pool *pool, int64_t chunk, nnc_batch *batch) {
    nnc_batch_clear(batch);
    batch->first = pool->first + chunk * pool->chunk;
    batch->count = pool->end - batch->first;
    if (batch->count > pool->chunk) { batch->count = pool->chunk; }
}

static nnc_status pool_emit(const nnc_pool *pool, const nnc_batch *batch, bool *stop, nnc_error *err) {
    return batch->bytes.failed || batch->marks.failed ? nnc_no_memory(err)
                                                      : pool->emit(pool->context, batch, stop, err);
}

static nnc_status pool_run_alone(const nnc_pool *pool, int64_t chunk_count, nnc_error *err) {
    nnc_batch batch = { 0 };
    nnc_status status = NNC_OK;
    bool stop = false;
    for (int64_t chunk = 0; chunk < chunk_count && status == NNC_OK && !stop; chunk++) {
        pool_chunk(pool, chunk, &batch);
        pool->work(pool->workers[0], &batch);
        status = pool_emit(pool, &batch, &stop, err);
    }
    nnc_batch_free(&batch);
    return status;
}

#ifdef __wasi__ /* WebAssembly has no threads, so one thread evaluates all chunks */

nnc_status nnc_pool_run(const nnc_pool *pool, nnc_error *err) { return pool_run_alone(pool, pool_chunks(pool), err); }

#else

enum { SLOTS_PER_THREAD = 4 };

typedef struct slot {
    nnc_batch batch;
    bool done;
} slot;

/* A ring of batches, in which threads store results until they are output. Chunks of rows are numbered from 0; the
 * batch of chunk c is in slots[c % slot_count]. Chunks below `emitted` have been output, and chunks below `claimed`
 * have been assigned to threads. At most slot_count chunks are between `emitted` and `claimed`; some of these chunks
 * are done, and threads evaluate the others. */
typedef struct ring {
    const nnc_pool *pool;
    slot *slots;
    int64_t slot_count, chunk_count;
    pthread_mutex_t lock; /* protects the members below it, and the member `done` of each entry of `slots` */
    pthread_cond_t freed, finished;
    int64_t claimed, emitted; /* claimed: number of the next chunk to claim; emitted: number of the next chunk to
                               * emit */
    bool stop;
} ring;

typedef struct runner {
    ring *ring;
    void *worker;
    pthread_t thread;
} runner;

/* Returns the entry of `slots` for the next chunk of rows to evaluate; NULL after the last chunk. If all entries are in
 * use, waits until an entry is free. */
static slot *claim(ring *r) {
    slot *found = NULL;
    pthread_mutex_lock(&r->lock);
    while (!r->stop && r->claimed < r->chunk_count && r->claimed == r->emitted + r->slot_count) {
        pthread_cond_wait(&r->freed, &r->lock);
    }
    if (!r->stop && r->claimed < r->chunk_count) {
        found = &r->slots[r->claimed % r->slot_count];
        pool_chunk(r->pool, r->claimed++, &found->batch);
    }
    pthread_mutex_unlock(&r->lock);
    return found;
}

static void finish(ring *r, slot *s) {
    pthread_mutex_lock(&r->lock);
    s->done = true;
    pthread_cond_signal(&r->finished);
    pthread_mutex_unlock(&r->lock);
}

static void *run_thread(void *argument) {
    runner *self = argument;
    for (slot *s = claim(self->ring); s != NULL; s = claim(self->ring)) {
        self->ring->pool->work(self->worker, &s->batch);
        finish(self->ring, s);
    }
    return NULL;
}

/* Returns the next batch in the order of the chunks; NULL after the last batch. If this batch has not been evaluated
 * yet, waits for it. */
static const nnc_batch *next_batch(ring *r) {
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

static void release(ring *r, bool stop) {
    pthread_mutex_lock(&r->lock);
    r->emitted++;
    r->stop = r->stop || stop;
    pthread_cond_broadcast(&r->freed);
    pthread_mutex_unlock(&r->lock);
}

static nnc_status emit_all(ring *r, nnc_error *err) {
    nnc_status status = NNC_OK;
    for (const nnc_batch *batch = next_batch(r); batch != NULL; batch = next_batch(r)) {
        bool stop = false;
        if (status == NNC_OK) { status = pool_emit(r->pool, batch, &stop, err); }
        release(r, stop || status != NNC_OK);
    }
    return status;
}

static nnc_status run_threads(ring *r, runner *runners, nnc_error *err) {
    const nnc_pool *pool = r->pool;
    int started = 0;
    for (; started < pool->threads; started++) {
        runners[started] = (runner){ .ring = r, .worker = pool->workers[started] };
        if (pthread_create(&runners[started].thread, NULL, run_thread, &runners[started]) != 0) { break; }
    }
    nnc_status status = NNC_OK;
    if (started == 0) {
        status = nnc_fail(err, NNC_NO_MEMORY, "--threads", "cannot start a thread");
    } else {
        status = emit_all(r, err);
    }
    for (int i = 0; i < started; i++) { pthread_join(runners[i].thread, NULL); }
    return status;
}

nnc_status nnc_pool_run(const nnc_pool *pool, nnc_error *err) {
    ring r = { .pool = pool,
               .slot_count = (int64_t)pool->threads * SLOTS_PER_THREAD,
               .chunk_count = pool_chunks(pool) };
    if (pool->threads == 1 || r.chunk_count < 2) { return pool_run_alone(pool, r.chunk_count, err); }
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
    for (int64_t i = 0; i < r.slot_count; i++) { nnc_batch_free(&r.slots[i].batch); }
done:
    free(runners);
    free(r.slots);
    return status;
}

#endif

nnc_status nnc_shard_set_add(nnc_shard_set *set, const char *path, const char *digest, nnc_shard shard,
                             nnc_error *err) {
    if (shard.of < 1 || shard.of > NNC_SHARDS_MAX) {
        return nnc_fail(err, NNC_BAD_SPEC, path, "is shard %lld/%lld, expected at most %d shards",
                        (long long)shard.number, (long long)shard.of, (int)NNC_SHARDS_MAX);
    }
    if (set->paths == NULL) {
        set->digest = digest;
        set->first_path = path;
        set->of = shard.of;
        set->paths = calloc((size_t)shard.of, sizeof *set->paths);
        NNC_GOT(set->paths, err);
    }
    if (strcmp(digest, set->digest) != 0 || shard.of != set->of || shard.number < 1 || shard.number > shard.of) {
        return nnc_fail(err, NNC_BAD_SPEC, path, "holds a shard of another %s than %s", set->kind, set->first_path);
    }
    const char **of = &set->paths[shard.number - 1];
    if (*of != NULL) {
        return nnc_fail(err, NNC_BAD_SPEC, path, "is shard %lld/%lld, the same shard as %s", (long long)shard.number,
                        (long long)shard.of, *of);
    }
    *of = path;
    set->count++;
    return NNC_OK;
}

nnc_status nnc_shard_set_complete(const nnc_shard_set *set, nnc_error *err) {
    for (int64_t i = 0; i < set->of; i++) {
        if (set->paths[i] == NULL) {
            return nnc_fail(err, NNC_BAD_USAGE, "merge",
                            "expected all %lld shards, found %lld: shard %lld/%lld is missing", (long long)set->of,
                            (long long)set->count, (long long)i + 1, (long long)set->of);
        }
    }
    return NNC_OK;
}

void nnc_shard_set_free(nnc_shard_set *set) { free(set->paths); }

/* ---- A pool over MPI ranks. Rank 0 assigns chunks of rows to ranks and outputs the batches in order; the other ranks
 * evaluate chunks. A build without MPI has one rank. ---- */

#ifndef NNCOST_MPI

nnc_rank_group nnc_rank_group_begin(void) { return (nnc_rank_group){ .rank = 0, .size = 1 }; }

void nnc_rank_group_end(void) {}

void nnc_rank_group_abort(nnc_rank_group ranks, nnc_status status) { (void)ranks, (void)status; }

int64_t nnc_rank_group_share(int64_t mine) { return mine; }

static bool is_same(uint64_t mine) {
    (void)mine;
    return true;
}

static int first_rank(nnc_rank_group ranks, bool mine) { return mine ? ranks.rank : -1; }

nnc_status nnc_rank_group_run(nnc_rank_group ranks, const nnc_pool *pool, nnc_error *err) {
    (void)ranks;
    return nnc_pool_run(pool, err);
}

#else

#include <limits.h>
#include <mpi.h>
#include <time.h>

/* AHEAD: number of chunks of rows that are assigned to an MPI rank before it has evaluated them, so that the rank never
 * waits for its next chunk. */
enum { TAG_CHUNK = 1, TAG_BATCH = 2, SLOTS_PER_RANK = 8, AHEAD = 4 };

/* The code ignores the return values of MPI calls, because MPI by default ends all ranks when a call fails. */

nnc_rank_group nnc_rank_group_begin(void) {
    nnc_rank_group ranks;
    int provided = 0;
    /* MPI_THREAD_FUNNELED tells MPI that only this thread of the process calls MPI */
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks.size);
    return ranks;
}

void nnc_rank_group_end(void) { MPI_Finalize(); }

void nnc_rank_group_abort(nnc_rank_group ranks, nnc_status status) {
    if (ranks.size > 1) { MPI_Abort(MPI_COMM_WORLD, nnc_status_exit_code(status)); }
}

/* Sleeps, twice as long with each call up to a limit. Without the sleep, a rank that waits for a message would use a
 * CPU core that other ranks need. */
static void nap(long *nap_ns) {
    enum { FIRST_NS = 10000, LAST_NS = 500000 };
    *nap_ns = *nap_ns == 0 ? FIRST_NS : *nap_ns < LAST_NS ? 2 * *nap_ns : LAST_NS;
    nanosleep(&(struct timespec){ 0, *nap_ns }, NULL);
}

void nnc_rank_group_nap(void) {
    long nap_ns = 0;
    nap(&nap_ns);
}

void nnc_rank_group_wait(void *request) {
    int done = 0;
    long nap_ns = 0;
    for (MPI_Test(request, &done, MPI_STATUS_IGNORE); !done; MPI_Test(request, &done, MPI_STATUS_IGNORE)) {
        nap(&nap_ns);
    }
}

void nnc_rank_group_broadcast(void *bytes, size_t size) {
    MPI_Request request;
    MPI_Ibcast(bytes, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    nnc_rank_group_wait(&request);
}

int64_t nnc_rank_group_share(int64_t mine) {
    nnc_rank_group_broadcast(&mine, sizeof mine);
    return mine;
}

static bool is_same(uint64_t mine) {
    uint64_t said = mine;
    nnc_rank_group_broadcast(&said, sizeof said);
    return said == mine;
}

static int first_rank(nnc_rank_group ranks, bool mine) {
    const int said = mine ? ranks.rank : ranks.size;
    int first = ranks.size;
    MPI_Allreduce(&said, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return first < ranks.size ? first : -1;
}

/* First part of the message in which an MPI rank sends a batch to rank 0. The marks of the batch (number, sort key and
 * end of each row) and then the bytes of its rows follow in the same MPI message. */
typedef struct header {
    int64_t chunk;
    int64_t marks_size, bytes_size;
    nnc_sweep_tally tally;
    bool failed;
} header;

/* A message that MPI is sending. The buffer of a message can be used for another message when `request` is complete. */
typedef struct letter {
    nnc_buffer bytes;
    MPI_Request request;
} letter;

static void send_batch(int64_t chunk, const nnc_batch *batch, letter *to) {
    header head = { .chunk = chunk,
                    .marks_size = (int64_t)batch->marks.size,
                    .bytes_size = (int64_t)batch->bytes.size,
                    .tally = batch->tally,
                    .failed = batch->marks.failed || batch->bytes.failed };
    nnc_buffer *message = &to->bytes;
    nnc_rank_group_wait(&to->request);
    nnc_buffer_clear(message);
    nnc_buffer_put(message, &head, sizeof head);
    nnc_buffer_put(message, batch->marks.bytes, batch->marks.size);
    nnc_buffer_put(message, batch->bytes.bytes, batch->bytes.size);
    if (message->failed || message->size > INT_MAX) { /* memory ran out, or MPI cannot send so many bytes: sends only
                                                       * the header */
        head.failed = true;
        head.marks_size = head.bytes_size = 0;
        MPI_Send(&head, (int)sizeof head, MPI_BYTE, 0, TAG_BATCH, MPI_COMM_WORLD);
        return;
    }
    MPI_Isend(message->bytes, (int)message->size, MPI_BYTE, 0, TAG_BATCH, MPI_COMM_WORLD, &to->request);
}

static int64_t next_chunk(void) {
    int64_t chunk = -1;
    MPI_Request request;
    MPI_Irecv(&chunk, 1, MPI_INT64_T, 0, TAG_CHUNK, MPI_COMM_WORLD, &request);
    nnc_rank_group_wait(&request);
    return chunk;
}

/* The work of each MPI rank except rank 0: evaluates the chunks of rows that rank 0 assigns, until it receives the
 * chunk number -1. */
static nnc_status serve(const nnc_pool *pool) {
    nnc_batch batch = { 0 };
    letter letters[2] = { { .request = MPI_REQUEST_NULL }, { .request = MPI_REQUEST_NULL } };
    int turn = 0;
    for (int64_t chunk = next_chunk(); chunk >= 0; chunk = next_chunk()) {
        pool_chunk(pool, chunk, &batch);
        pool->work(pool->workers[0], &batch);
        send_batch(chunk, &batch, &letters[turn]);
        turn = 1 - turn;
    }
    for (turn = 0; turn < 2; turn++) {
        nnc_rank_group_wait(&letters[turn].request);
        nnc_buffer_free(&letters[turn].bytes);
    }
    nnc_batch_free(&batch);
    return NNC_OK;
}

typedef struct rank_slot {
    nnc_batch batch;
    bool done;
} rank_slot;

/* State of MPI rank 0, which assigns chunks of rows to the other ranks and receives their batches. The batch of chunk c
 * is stored in slots[c % slot_count]. */
typedef struct desk {
    const nnc_pool *pool;
    rank_slot *slots;
    int64_t slot_count, chunk_count, handed, emitted;
    int *idle; /* ranks to which another chunk can be assigned; at the start, each rank is in this list AHEAD times */
    int idle_count;
    nnc_buffer message;
    bool stop;
    nnc_status status;
} desk;

static void keep_failure(desk *d, nnc_error *err) {
    d->status = nnc_no_memory(err);
    d->stop = true;
}

static bool any_message(MPI_Status *from) {
    int there = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG_BATCH, MPI_COMM_WORLD, &there, from);
    return there != 0;
}

static void take_message(desk *d, const MPI_Status *from, nnc_error *err) {
    header head;
    int size = 0;
    MPI_Get_count(from, MPI_BYTE, &size);
    nnc_buffer_clear(&d->message);
    while (d->message.capacity < (size_t)size && !d->message.failed) {
        static const char page[4096];
        nnc_buffer_put(&d->message, page, sizeof page);
    }
    if (d->message.failed) { MPI_Abort(MPI_COMM_WORLD, nnc_status_exit_code(NNC_NO_MEMORY)); }
    MPI_Recv(d->message.bytes, size, MPI_BYTE, from->MPI_SOURCE, TAG_BATCH, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    memcpy(&head, d->message.bytes, sizeof head);
    d->idle[d->idle_count++] = from->MPI_SOURCE;
    rank_slot *s = &d->slots[head.chunk % d->slot_count];
    const char *marks = d->message.bytes + sizeof head;
    pool_chunk(d->pool, head.chunk, &s->batch);
    nnc_buffer_put(&s->batch.marks, marks, (size_t)head.marks_size);
    nnc_buffer_put(&s->batch.bytes, marks + head.marks_size, (size_t)head.bytes_size);
    s->batch.tally = head.tally;
    s->done = true;
    if (head.failed || s->batch.marks.failed || s->batch.bytes.failed) { keep_failure(d, err); }
}

static void emit_ready(desk *d, nnc_error *err) {
    for (rank_slot *s = &d->slots[d->emitted % d->slot_count]; s->done; s = &d->slots[d->emitted % d->slot_count]) {
        bool stop = false;
        if (d->status == NNC_OK) { d->status = d->pool->emit(d->pool->context, &s->batch, &stop, err); }
        s->done = false;
        d->emitted++;
        d->stop = d->stop || stop || d->status != NNC_OK;
    }
}

static bool any_chunk(const desk *d) {
    return !d->stop && d->handed < d->chunk_count && d->handed < d->emitted + d->slot_count;
}

static void hand_out(desk *d) {
    while (d->idle_count > 0 && any_chunk(d)) {
        MPI_Send(&d->handed, 1, MPI_INT64_T, d->idle[--d->idle_count], TAG_CHUNK, MPI_COMM_WORLD);
        d->handed++;
    }
}

/* Evaluates a chunk of rows on MPI rank 0 itself, while no batch of another rank has arrived. */
static void work_on(desk *d, nnc_error *err) {
    rank_slot *s = &d->slots[d->handed % d->slot_count];
    pool_chunk(d->pool, d->handed++, &s->batch);
    d->pool->work(d->pool->workers[0], &s->batch);
    s->done = true;
    if (s->batch.marks.failed || s->batch.bytes.failed) { keep_failure(d, err); }
}

static void lead_all(desk *d, int busy_most, nnc_error *err) {
    long nap_ns = 0;
    for (hand_out(d); d->idle_count < busy_most || any_chunk(d); hand_out(d)) {
        MPI_Status from;
        if (any_message(&from)) {
            take_message(d, &from, err);
        } else if (any_chunk(d)) {
            work_on(d, err);
        } else {
            nap(&nap_ns);
            continue;
        }
        emit_ready(d, err);
        nap_ns = 0;
    }
}

static nnc_status lead(nnc_rank_group ranks, const nnc_pool *pool, nnc_error *err) {
    const int helpers = ranks.size - 1, busy_most = helpers * AHEAD;
    const int64_t no_more = -1;
    desk d = { .pool = pool, .slot_count = (int64_t)ranks.size * SLOTS_PER_RANK, .chunk_count = pool_chunks(pool) };
    d.slots = calloc((size_t)d.slot_count, sizeof *d.slots);
    d.idle = calloc((size_t)busy_most, sizeof *d.idle);
    if (d.slots == NULL || d.idle == NULL) {
        d.status = nnc_no_memory(err);
    } else {
        for (int i = 0; i < busy_most; i++) { d.idle[d.idle_count++] = 1 + i % helpers; }
        lead_all(&d, busy_most, err);
    }
    for (int rank = 1; rank < ranks.size; rank++) {
        MPI_Send(&no_more, 1, MPI_INT64_T, rank, TAG_CHUNK, MPI_COMM_WORLD);
    }
    for (int64_t i = 0; d.slots != NULL && i < d.slot_count; i++) { nnc_batch_free(&d.slots[i].batch); }
    nnc_buffer_free(&d.message);
    free(d.idle);
    free(d.slots);
    return d.status;
}

nnc_status nnc_rank_group_run(nnc_rank_group ranks, const nnc_pool *pool, nnc_error *err) {
    if (ranks.size == 1) { return nnc_pool_run(pool, err); }
    return ranks.rank == 0 ? lead(ranks, pool, err) : serve(pool);
}

#endif

bool nnc_rank_group_all_well(nnc_rank_group ranks, uint64_t digest, nnc_status *status, nnc_error *err) {
    char name[32];
    if (!is_same(digest) && *status == NNC_OK) {
        snprintf(name, sizeof name, "rank %d", ranks.rank);
        *status = nnc_fail(err, NNC_BAD_SPEC, name, "reads other files than rank 0");
    }
    const int first = first_rank(ranks, *status != NNC_OK);
    if (first >= 0 && first != ranks.rank) { *status = NNC_OK; }
    return first < 0;
}
