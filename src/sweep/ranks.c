#include "sweep/ranks.h"

#ifndef NNCOST_MPI

nnc_crew nnc_crew_begin(void)
{
    return (nnc_crew){ .rank = 0, .size = 1 };
}

void nnc_crew_end(void)
{
}

void nnc_crew_abandon(nnc_crew crew, nnc_status status)
{
    (void)crew, (void)status;
}

bool nnc_crew_agree(bool mine)
{
    return mine;
}

int64_t nnc_crew_share(int64_t mine)
{
    return mine;
}

bool nnc_crew_same(uint64_t mine)
{
    (void)mine;
    return true;
}

int nnc_crew_first(nnc_crew crew, bool mine)
{
    return mine ? crew.rank : -1;
}

nnc_status nnc_crew_run(nnc_crew crew, const nnc_pool *pool, nnc_error *err)
{
    (void)crew;
    return nnc_pool_run(pool, err);
}

#else

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { TAG_CHUNK = 1, TAG_BATCH = 2, SLOTS_PER_RANK = 4 };

/* An MPI call that fails ends all ranks, as is MPI's default. */

nnc_crew nnc_crew_begin(void)
{
    nnc_crew crew;
    int provided = 0;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided); /* only this thread calls MPI */
    MPI_Comm_rank(MPI_COMM_WORLD, &crew.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &crew.size);
    return crew;
}

void nnc_crew_end(void)
{
    MPI_Finalize();
}

void nnc_crew_abandon(nnc_crew crew, nnc_status status)
{
    if (crew.size > 1) {
        MPI_Abort(MPI_COMM_WORLD, nnc_status_exit_code(status));
    }
}

bool nnc_crew_agree(bool mine)
{
    int said = mine;
    MPI_Bcast(&said, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return said != 0;
}

int64_t nnc_crew_share(int64_t mine)
{
    MPI_Bcast(&mine, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    return mine;
}

bool nnc_crew_same(uint64_t mine)
{
    uint64_t said = mine;
    MPI_Bcast(&said, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return said == mine;
}

int nnc_crew_first(nnc_crew crew, bool mine)
{
    const int said = mine ? crew.rank : crew.size;
    int first = crew.size;
    MPI_Allreduce(&said, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return first < crew.size ? first : -1;
}

/* What stands before the marks and bytes of a batch in a message. */
typedef struct header {
    int64_t chunk; /* -1: only asks for work */
    int64_t marks_size, bytes_size;
    nnc_sweep_tally tally;
    bool failed;
} header;

static int64_t chunk_count_of(const nnc_pool *pool)
{
    return (pool->end - pool->first + NNC_POOL_CHUNK - 1) / NNC_POOL_CHUNK;
}

static void set_chunk(const nnc_pool *pool, int64_t chunk, nnc_batch *batch)
{
    nnc_batch_clear(batch);
    batch->first = pool->first + chunk * NNC_POOL_CHUNK;
    batch->count = pool->end - batch->first;
    batch->count = batch->count > NNC_POOL_CHUNK ? NNC_POOL_CHUNK : batch->count;
}

static void send_batch(int64_t chunk, const nnc_batch *batch, nnc_buffer *message)
{
    header head = { .chunk = chunk,
                    .marks_size = (int64_t)batch->marks.size,
                    .bytes_size = (int64_t)batch->bytes.size,
                    .tally = batch->tally,
                    .failed = batch->marks.failed || batch->bytes.failed };
    nnc_buffer_clear(message);
    nnc_buffer_put(message, &head, sizeof head);
    nnc_buffer_put(message, batch->marks.bytes, batch->marks.size);
    nnc_buffer_put(message, batch->bytes.bytes, batch->bytes.size);
    if (message->failed || message->size > INT_MAX) { /* the header alone */
        head.failed = true;
        head.marks_size = head.bytes_size = 0;
        MPI_Send(&head, (int)sizeof head, MPI_BYTE, 0, TAG_BATCH, MPI_COMM_WORLD);
        return;
    }
    MPI_Send(message->bytes, (int)message->size, MPI_BYTE, 0, TAG_BATCH, MPI_COMM_WORLD);
}

/* Any rank but 0: works until it is handed chunk -1. */
static nnc_status serve(const nnc_pool *pool)
{
    nnc_batch batch = { 0 };
    nnc_buffer message = { 0 };
    int64_t chunk = -1;
    send_batch(chunk, &batch, &message);
    for (;;) {
        MPI_Recv(&chunk, 1, MPI_INT64_T, 0, TAG_CHUNK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (chunk < 0) {
            break;
        }
        set_chunk(pool, chunk, &batch);
        pool->work(pool->workers[0], &batch);
        send_batch(chunk, &batch, &message);
    }
    nnc_buffer_free(&message);
    nnc_batch_free(&batch);
    return NNC_OK;
}

typedef struct slot {
    nnc_batch batch;
    bool done;
} slot;

/* Rank 0's view. Chunk c waits in slot c % slot_count. */
typedef struct desk {
    const nnc_pool *pool;
    slot *slots;
    int64_t slot_count, chunk_count, handed, emitted;
    int *idle; /* ranks that wait for a chunk */
    int idle_count;
    nnc_buffer message;
    bool stop;
    nnc_status status;
} desk;

static void keep_failure(desk *d, nnc_error *err)
{
    d->status = nnc_no_memory(err);
    d->stop = true;
}

static void take_message(desk *d, nnc_error *err)
{
    MPI_Status from;
    header head;
    int size = 0;
    MPI_Probe(MPI_ANY_SOURCE, TAG_BATCH, MPI_COMM_WORLD, &from);
    MPI_Get_count(&from, MPI_BYTE, &size);
    nnc_buffer_clear(&d->message);
    while (d->message.capacity < (size_t)size && !d->message.failed) {
        static const char page[4096];
        nnc_buffer_put(&d->message, page, sizeof page);
    }
    if (d->message.failed) {
        MPI_Abort(MPI_COMM_WORLD, nnc_status_exit_code(NNC_NO_MEMORY));
    }
    MPI_Recv(d->message.bytes, size, MPI_BYTE, from.MPI_SOURCE, TAG_BATCH, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    memcpy(&head, d->message.bytes, sizeof head);
    d->idle[d->idle_count++] = from.MPI_SOURCE;
    if (head.chunk < 0) {
        return;
    }
    slot *s = &d->slots[head.chunk % d->slot_count];
    const char *marks = d->message.bytes + sizeof head;
    set_chunk(d->pool, head.chunk, &s->batch);
    nnc_buffer_put(&s->batch.marks, marks, (size_t)head.marks_size);
    nnc_buffer_put(&s->batch.bytes, marks + head.marks_size, (size_t)head.bytes_size);
    s->batch.tally = head.tally;
    s->done = true;
    if (head.failed || s->batch.marks.failed || s->batch.bytes.failed) {
        keep_failure(d, err);
    }
}

static void emit_ready(desk *d, nnc_error *err)
{
    for (slot *s = &d->slots[d->emitted % d->slot_count]; s->done;
         s = &d->slots[d->emitted % d->slot_count]) {
        bool stop = false;
        if (d->status == NNC_OK) {
            d->status = d->pool->emit(d->pool->context, &s->batch, &stop, err);
        }
        s->done = false;
        d->emitted++;
        d->stop = d->stop || stop || d->status != NNC_OK;
    }
}

static void hand_out(desk *d)
{
    while (d->idle_count > 0 && !d->stop && d->handed < d->chunk_count &&
           d->handed < d->emitted + d->slot_count) {
        MPI_Send(&d->handed, 1, MPI_INT64_T, d->idle[--d->idle_count], TAG_CHUNK, MPI_COMM_WORLD);
        d->handed++;
    }
}

static nnc_status lead(nnc_crew crew, const nnc_pool *pool, nnc_error *err)
{
    const int helpers = crew.size - 1;
    const int64_t no_more = -1;
    desk d = { .pool = pool,
               .slot_count = (int64_t)helpers * SLOTS_PER_RANK,
               .chunk_count = chunk_count_of(pool) };
    d.slots = calloc((size_t)d.slot_count, sizeof *d.slots);
    d.idle = calloc((size_t)helpers, sizeof *d.idle);
    if (d.slots == NULL || d.idle == NULL) {
        MPI_Abort(MPI_COMM_WORLD, nnc_status_exit_code(NNC_NO_MEMORY));
    }
    while (d.idle_count < helpers || (!d.stop && d.handed < d.chunk_count)) {
        take_message(&d, err);
        emit_ready(&d, err);
        hand_out(&d);
    }
    for (int rank = 1; rank < crew.size; rank++) {
        MPI_Send(&no_more, 1, MPI_INT64_T, rank, TAG_CHUNK, MPI_COMM_WORLD);
    }
    for (int64_t i = 0; i < d.slot_count; i++) {
        nnc_batch_free(&d.slots[i].batch);
    }
    nnc_buffer_free(&d.message);
    free(d.idle);
    free(d.slots);
    return d.status;
}

nnc_status nnc_crew_run(nnc_crew crew, const nnc_pool *pool, nnc_error *err)
{
    if (crew.size == 1) {
        return nnc_pool_run(pool, err);
    }
    return crew.rank == 0 ? lead(crew, pool, err) : serve(pool);
}

#endif
