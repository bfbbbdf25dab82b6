#include "cli/sweep/sweep_sink.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "render/sheet.h"

static const double commit_every_s = 0.25;

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Writes the text that has gathered. */
static nnc_status flush(nnc_sink *sink, nnc_error *err)
{
    if (sink->text.failed) {
        return nnc_no_memory(err);
    }
    const nnc_status status = nnc_file_write(&sink->file, sink->text.bytes, sink->text.size, err);
    nnc_buffer_clear(&sink->text);
    return status;
}

/* As wide as its columns: what was asked for is not left out. */
static nnc_style style_of(const nnc_sink *sink)
{
    return (nnc_style){ .format = sink->sweep->format, .width = INT_MAX };
}

static nnc_status write_lines(nnc_sink *sink, const char *lines, size_t size, nnc_error *err)
{
    if (!sink->sweep->format->held) {
        if (sink->text.size > 0) { /* the heading waits for the first rows */
            NNC_TRY(flush(sink, err));
        }
        return nnc_file_write(&sink->file, lines, size, err);
    }
    nnc_table_put(&sink->table, &sink->text, style_of(sink), lines, size);
    return flush(sink, err);
}

static nnc_status open_database(nnc_sink *sink, nnc_error *err)
{
    const nnc_sweep *sweep = sink->sweep;
    nnc_database_head head = { .shard = (int32_t)sweep->shard.number,
                               .shards = (int32_t)sweep->shard.of,
                               .rows = sweep->shard_rows };
    const char *names[NNC_TABLE_COLUMNS];
    uint64_t digest = 0;
    NNC_TRY(nnc_sweep_digest(sweep, &digest, err));
    nnc_digest_print(digest, head.digest);
    for (int32_t i = 0; i < sweep->column_count; i++) {
        names[i] = sweep->heads[i].name;
    }
    const nnc_status status = nnc_database_open(sink->database_path, &head, names,
                                                sweep->column_count, &sink->database, err);
    sink->from = sink->done = head.done;
    sink->commit_s = now_s() + commit_every_s;
    return status;
}

static nnc_status open_lines(nnc_sink *sink, const nnc_options *options, nnc_error *err)
{
    const nnc_sweep *sweep = sink->sweep;
    const nnc_format *format = sweep->format;
    nnc_table_begin(&sink->table, sweep->heads, sweep->column_count);
    sink->top_most = options->view.top;
    sink->top = sink->top_most > 0 ? calloc((size_t)sink->top_most, sizeof *sink->top) : NULL;
    if (sink->top_most > 0 && sink->top == NULL) {
        return nnc_no_memory(err);
    }
    nnc_status status = nnc_file_open(&sink->file, options->output, err);
    sink->file_open = status == NNC_OK;
    if (status == NNC_OK && !format->held && format->heading != NULL) {
        format->heading(&sink->text, (nnc_heads){ sweep->heads, sweep->column_count });
        status = sink->text.failed ? nnc_no_memory(err) : NNC_OK;
    }
    return status;
}

static void release(nnc_sink *sink)
{
    for (int32_t i = 0; i < sink->top_count; i++) {
        free(sink->top[i].line);
    }
    free(sink->top);
    nnc_buffer_free(&sink->text);
    nnc_buffer_free(&sink->table.cells);
    nnc_database_close(sink->database);
}

nnc_status nnc_sink_open(nnc_sink *sink, const nnc_sweep *sweep, const nnc_options *options,
                         const nnc_interrupt *interrupt, nnc_error *err)
{
    *sink = (nnc_sink){ .sweep = sweep,
                        .interrupt = interrupt,
                        .database_path = options->sweep.database };
    const nnc_status status =
        sink->database_path != NULL ? open_database(sink, err) : open_lines(sink, options, err);
    if (status != NNC_OK) {
        if (sink->file_open) {
            nnc_file_close(&sink->file, false, NULL);
        }
        release(sink);
        return status;
    }
    const bool quiet = sink->database == NULL && options->output == NULL && sink->top == NULL &&
                       isatty(STDOUT_FILENO) == 1;
    sink->progress =
        nnc_progress_begin("combinations", sink->from, sweep->shard_rows, options->progress, quiet);
    return NNC_OK;
}

/* The worse of two is the one with the larger key, or further down. */
static bool is_worse(const nnc_kept *a, const nnc_kept *b)
{
    return a->key > b->key || (a->key >= b->key && a->row > b->row);
}

static void swap(nnc_kept *a, nnc_kept *b)
{
    const nnc_kept kept = *a;
    *a = *b;
    *b = kept;
}

static void sift_up(nnc_kept *heap, int32_t at)
{
    while (at > 0 && is_worse(&heap[at], &heap[(at - 1) / 2])) {
        swap(&heap[at], &heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

static void sift_down(nnc_kept *heap, int32_t count)
{
    for (int32_t at = 0, child = 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && is_worse(&heap[child + 1], &heap[child]);
        if (!is_worse(&heap[child], &heap[at])) {
            break;
        }
        swap(&heap[at], &heap[child]);
        at = child;
    }
}

static nnc_status keep_best(nnc_sink *sink, const nnc_batch_row *row, nnc_error *err)
{
    nnc_kept kept = { .key = row->key, .row = row->number, .size = row->size };
    const bool full = sink->top_count == sink->top_most;
    if (full && !is_worse(&sink->top[0], &kept)) {
        return NNC_OK;
    }
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): it does not follow the rows of the heap */
    kept.line = realloc(full ? sink->top[0].line : NULL, row->size);
    if (kept.line == NULL) {
        return nnc_no_memory(err);
    }
    memcpy(kept.line, row->bytes, row->size);
    if (full) {
        sink->top[0] = kept;
        sift_down(sink->top, sink->top_count);
    } else {
        sink->top[sink->top_count] = kept;
        sift_up(sink->top, sink->top_count++);
    }
    return NNC_OK;
}

static nnc_status take_row(nnc_sink *sink, const nnc_batch_row *row, nnc_error *err)
{
    nnc_cell cells[NNC_TABLE_COLUMNS];
    if (sink->database == NULL) {
        return keep_best(sink, row, err);
    }
    nnc_cells_unpack(row->bytes, cells, sink->sweep->column_count);
    return nnc_database_put(sink->database, cells, err);
}

static nnc_status take_rows(nnc_sink *sink, const nnc_batch *batch, nnc_error *err)
{
    nnc_batch_row row;
    if (sink->database == NULL && sink->top == NULL) {
        return write_lines(sink, batch->bytes.bytes, batch->bytes.size, err);
    }
    for (size_t at = 0; nnc_batch_next(batch, &at, &row);) {
        NNC_TRY(take_row(sink, &row, err));
    }
    return NNC_OK;
}

nnc_status nnc_sink_emit(void *context, const nnc_batch *batch, bool *stop, nnc_error *err)
{
    nnc_sink *sink = context;
    nnc_status status = take_rows(sink, batch, err);
    sink->done = batch->first + batch->count;
    nnc_tally_add(&sink->tally, &batch->tally);
    if (status == NNC_OK && sink->database != NULL && now_s() >= sink->commit_s) {
        status = nnc_database_commit(sink->database, sink->done, err);
        sink->commit_s = now_s() + commit_every_s;
    }
    nnc_progress_show(&sink->progress, sink->done);
    if (sink->stopped == 0) {
        sink->stopped = nnc_interrupt_asked(sink->interrupt);
    }
    *stop = sink->stopped != 0;
    return status;
}

static int best_first(const void *a, const void *b)
{
    return is_worse(a, b) ? 1 : -1;
}

/* For people: how many plans have no row. */
static void say_hidden(nnc_sink *sink)
{
    const nnc_sweep_tally *tally = &sink->tally;
    const int64_t hidden = tally->illegal + tally->over_memory;
    if (hidden > 0 && tally->fitting > 0 && !sink->sweep->all) {
        nnc_buffer_byte(&sink->text, '\n');
        nnc_sheet_line(&sink->text, style_of(sink),
                       "%" PRId64 " of %" PRId64 " plans are not shown: %" PRId64
                       " over memory, %" PRId64 " illegal; --all shows them with the reason",
                       hidden, hidden + tally->fitting, tally->over_memory, tally->illegal);
    }
}

static nnc_status finish_lines(nnc_sink *sink, nnc_error *err)
{
    nnc_status status = NNC_OK;
    if (sink->top_count > 1) {
        qsort(sink->top, (size_t)sink->top_count, sizeof *sink->top, best_first);
    }
    for (int32_t i = 0; i < sink->top_count && status == NNC_OK; i++) {
        status = write_lines(sink, sink->top[i].line, sink->top[i].size, err);
    }
    if (status == NNC_OK && sink->sweep->format->held) {
        nnc_table_write(&sink->table, &sink->text, style_of(sink));
    }
    if (status == NNC_OK && sink->sweep->format->page != NULL) {
        say_hidden(sink);
    }
    if (status == NNC_OK && (sink->text.failed || sink->text.size > 0)) {
        status = flush(sink, err);
    }
    return status;
}

static nnc_status finish_database(nnc_sink *sink, nnc_buffer *out, nnc_error *err)
{
    const nnc_status status = nnc_database_commit(sink->database, sink->done, err);
    const int64_t count = status == NNC_OK ? nnc_database_count(sink->database) : 0;
    if (status == NNC_OK) {
        nnc_buffer_print(out, "%s: %" PRId64 " rows of %" PRId64 " combinations%s\n",
                         sink->database_path, count, sink->done,
                         sink->from == sink->sweep->shard_rows ? ", was complete" : "");
        sink->tally.fitting += count > 0 && sink->tally.fitting == 0;
    }
    return status;
}

static void say_stopped(const nnc_sink *sink)
{
    const char *what = sink->database != NULL ? "; the same command goes on from there"
                       : sink->top != NULL    ? "; the best of these are written"
                                              : "; all that is written is whole";
    fprintf(stderr, "nncost: sweep: stopped after %" PRId64 " of %" PRId64 " combinations%s\n",
            sink->done, sink->sweep->shard_rows, what);
}

nnc_status nnc_sink_close(nnc_sink *sink, nnc_buffer *out, nnc_status status, nnc_error *err)
{
    nnc_progress_end(&sink->progress);
    if (sink->done == sink->sweep->shard_rows) {
        sink->stopped = 0; /* too late to matter */
    }
    if (status == NNC_OK) {
        status = sink->database != NULL ? finish_database(sink, out, err) : finish_lines(sink, err);
    }
    if (sink->file_open) {
        const nnc_status closed = nnc_file_close(&sink->file, status == NNC_OK, err);
        status = status == NNC_OK ? closed : status;
    }
    if (status == NNC_OK && sink->stopped != 0) {
        say_stopped(sink);
    }
    release(sink);
    return status;
}
