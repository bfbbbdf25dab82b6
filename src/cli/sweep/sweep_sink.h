/* Where the rows of a sweep go: lines to a file or standard output, the best few of them, or a
 * database. */
#ifndef NNCOST_CLI_SWEEP_SWEEP_SINK_H
#define NNCOST_CLI_SWEEP_SWEEP_SINK_H

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "store/database.h"
#include "store/line_file.h"
#include "sweep/sweep.h"

/* A row that may be among the best. */
typedef struct nnc_kept {
    double key;
    int64_t row;
    char *line;
    size_t size;
} nnc_kept;

typedef struct nnc_sink {
    const nnc_sweep *sweep;
    const nnc_interrupt *interrupt;
    nnc_file file;
    bool file_open;
    nnc_database *database; /* NULL: lines */
    const char *database_path;
    nnc_table table;
    nnc_buffer text;
    nnc_kept *top; /* a heap, the worst first; NULL = all rows */
    int32_t top_count, top_most;
    int64_t from, done; /* rows when it was opened, and now */
    double commit_s;    /* time of the next commit */
    nnc_sweep_tally tally;
    nnc_progress progress;
    int stopped; /* by this signal; 0 = not */
} nnc_sink;

/* Opens what the options name and writes the heading. sink->from: rows a database has done. */
nnc_status nnc_sink_open(nnc_sink *sink, const nnc_sweep *sweep, const nnc_options *options,
                         const nnc_interrupt *interrupt, nnc_error *err);

/* nnc_pool's emit. */
nnc_status nnc_sink_emit(void *context, const nnc_batch *batch, bool *stop, nnc_error *err);

/* Writes what is still held. status: of the run so far; out: for a line about a database. */
nnc_status nnc_sink_close(nnc_sink *sink, nnc_buffer *out, nnc_status status, nnc_error *err);

#endif
