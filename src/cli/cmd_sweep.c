/* nncost sweep and nncost merge. Each row of a sweep is passed to a sink, which writes the row to a file, to standard
 * output or to a database (--db), or keeps only the best rows (--top). */
#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "store/store_internal.h"
#include "sweep/sweep_internal.h"

/* A row that is among the best rows so far, if --top limits the number of rows. */
typedef struct kept_row {
    double key;
    int64_t row;
    char *line;
    size_t size;
} kept_row;

typedef struct row_sink {
    const nnc_sweep *sweep;
    const nnc_interrupt *interrupt;
    nnc_file file;
    bool file_open;
    nnc_database *database; /* database that receives the rows; NULL = rows are written to a file or to standard
                             * output */
    const char *database_path;
    nnc_table table;
    nnc_buffer text;
    kept_row *top; /* with --top: the best rows so far; NULL = all rows are written at once */
    /* true: the first top_most entries of `top` are sorted, and rows that are worse than these entries are dropped */
    bool bounded;
    int32_t top_count, top_most;
    int64_t from, done; /* from: number of rows that were finished before the sink was opened; done: number of rows
                         * that are finished now */
    double commit_s;    /* clock time (nnc_clock_s) of the next commit of the rows to the database */
    nnc_sweep_tally tally;
    nnc_progress progress;
    int stopped; /* number of the signal that stopped the sweep; 0 = no signal */
} row_sink;

static const double commit_every_s = 0.25;

/* Writes the text that the sink has collected to the output file of the sink, and empties the text. */
static nnc_status flush(row_sink *sink, nnc_error *err) {
    if (sink->text.failed) { return nnc_no_memory(err); }
    const nnc_status status = nnc_file_write(&sink->file, sink->text.bytes, sink->text.size, err);
    nnc_buffer_clear(&sink->text);
    return status;
}

/* Returns an output style without a limit of the line width: a table must show all columns that the user asked for. */
static nnc_style style_of(const row_sink *sink) {
    return (nnc_style){ .format = sink->sweep->format, .width = INT_MAX };
}

static nnc_status write_lines(row_sink *sink, const char *lines, size_t size, nnc_error *err) {
    if (!sink->sweep->format->held) {
        if (sink->text.size > 0) { /* the heading of the table is written together with the first rows */
            NNC_TRY(flush(sink, err));
        }
        return nnc_file_write(&sink->file, lines, size, err);
    }
    nnc_table_put(&sink->table, &sink->text, style_of(sink), lines, size);
    return flush(sink, err);
}

static nnc_status open_database(row_sink *sink, nnc_error *err) {
    const nnc_sweep *sweep = sink->sweep;
    nnc_database_head head = { .shard = (int32_t)sweep->shard.number,
                               .shards = (int32_t)sweep->shard.of,
                               .rows = sweep->shard_rows };
    const char *names[NNC_TABLE_COLUMNS];
    uint64_t digest = 0;
    NNC_TRY(nnc_sweep_digest(sweep, &digest, err));
    nnc_digest_print(digest, head.digest);
    for (int32_t i = 0; i < sweep->column_count; i++) { names[i] = sweep->heads[i].name; }
    const nnc_status status =
        nnc_database_open(sink->database_path, &head, names, sweep->column_count, &sink->database, err);
    sink->from = sink->done = head.done;
    sink->commit_s = nnc_clock_s() + commit_every_s;
    return status;
}

static nnc_status open_lines(row_sink *sink, const nnc_options *options, nnc_error *err) {
    const nnc_sweep *sweep = sink->sweep;
    const nnc_format *format = sweep->format;
    nnc_table_begin(&sink->table, sweep->heads, sweep->column_count);
    sink->top_most = options->view.top;
    sink->top = sink->top_most > 0 ? calloc(2 * (size_t)sink->top_most, sizeof *sink->top) : NULL;
    if (sink->top_most > 0 && sink->top == NULL) { return nnc_no_memory(err); }
    nnc_status status = nnc_file_open(&sink->file, options->output, err);
    sink->file_open = status == NNC_OK;
    if (status == NNC_OK && format->page != NULL) { nnc_put_sets(&sink->text, &options->given); }
    if (status == NNC_OK && !format->held && format->heading != NULL) {
        format->heading(&sink->text, (nnc_heads){ sweep->heads, sweep->column_count });
        status = sink->text.failed ? nnc_no_memory(err) : NNC_OK;
    }
    return status;
}

static void release(row_sink *sink) {
    for (int32_t i = 0; i < sink->top_count; i++) { free(sink->top[i].line); }
    free(sink->top);
    nnc_buffer_free(&sink->text);
    nnc_buffer_free(&sink->table.cells);
    nnc_database_close(sink->database);
}

static nnc_status sink_open(row_sink *sink, const nnc_sweep *sweep, const nnc_options *options,
                            const nnc_interrupt *interrupt, nnc_error *err) {
    *sink = (row_sink){ .sweep = sweep, .interrupt = interrupt, .database_path = options->sweep.database };
    const nnc_status status = sink->database_path != NULL ? open_database(sink, err) : open_lines(sink, options, err);
    if (status != NNC_OK) {
        if (sink->file_open) { nnc_file_close(&sink->file, false, NULL); }
        release(sink);
        return status;
    }
    const bool quiet =
        sink->database == NULL && options->output == NULL && sink->top == NULL && isatty(STDOUT_FILENO) == 1;
    sink->progress = nnc_progress_begin("combinations", sink->from, sweep->shard_rows, options->progress, quiet);
    return NNC_OK;
}

/* Orders rows by `key`, the smallest first; rows with equal keys by their row number. */
static int best_first(const void *a, const void *b) {
    const kept_row *x = a, *y = b;
    if (x->key < y->key || x->key > y->key) { return x->key < y->key ? -1 : 1; }
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Sorts the rows of --top and drops all but the best top_most rows. If top_most rows remain, sets the member `bounded`
 * to true. Later rows are dropped if they are worse than the last of the remaining top_most rows. */
static void keep_top(row_sink *sink) {
    qsort(sink->top, (size_t)sink->top_count, sizeof *sink->top, best_first);
    while (sink->top_count > sink->top_most) { free(sink->top[--sink->top_count].line); }
    sink->bounded = sink->top_count == sink->top_most;
}

/* Adds a row to the rows of --top. The list has space for twice as many rows as --top keeps, and is sorted only when it
 * is full. */
static nnc_status add_candidate(row_sink *sink, const nnc_batch_row *row, nnc_error *err) {
    kept_row kept = { .key = row->key, .row = row->number, .size = row->size };
    if (sink->bounded && best_first(&sink->top[sink->top_most - 1], &kept) < 0) { return NNC_OK; }
    if (sink->top_count == 2 * (int64_t)sink->top_most) { keep_top(sink); }
    kept.line = malloc(row->size);
    if (kept.line == NULL) { return nnc_no_memory(err); }
    memcpy(kept.line, row->bytes, row->size);
    sink->top[sink->top_count++] = kept;
    return NNC_OK;
}

static nnc_status take_row(row_sink *sink, const nnc_batch_row *row, nnc_error *err) {
    nnc_cell cells[NNC_TABLE_COLUMNS];
    if (sink->database == NULL) { return add_candidate(sink, row, err); }
    nnc_cells_unpack(row->bytes, cells, sink->sweep->column_count);
    return nnc_database_put(sink->database, cells, err);
}

static nnc_status take_rows(row_sink *sink, const nnc_batch *batch, nnc_error *err) {
    nnc_batch_row row;
    if (sink->database == NULL && sink->top == NULL) {
        return write_lines(sink, batch->bytes.bytes, batch->bytes.size, err);
    }
    for (size_t at = 0; nnc_batch_next(batch, &at, &row);) { NNC_TRY(take_row(sink, &row, err)); }
    return NNC_OK;
}

static nnc_status sink_emit(void *context, const nnc_batch *batch, bool *stop, nnc_error *err) {
    row_sink *sink = context;
    nnc_status status = take_rows(sink, batch, err);
    sink->done = batch->first + batch->count;
    nnc_tally_add(&sink->tally, &batch->tally);
    if (status == NNC_OK && sink->database != NULL && nnc_clock_s() >= sink->commit_s) {
        status = nnc_database_commit(sink->database, sink->done, err);
        sink->commit_s = nnc_clock_s() + commit_every_s;
    }
    nnc_progress_show(&sink->progress, sink->done);
    if (sink->stopped == 0) { sink->stopped = nnc_interrupt_pending(sink->interrupt); }
    *stop = sink->stopped != 0;
    return status;
}

/* Writes how many plans have no row because they are illegal or exceed the memory. If the option --all is given or no
 * plan fits, the function writes nothing. */
static void say_hidden(row_sink *sink) {
    const nnc_sweep_tally *tally = &sink->tally;
    const int64_t hidden = tally->illegal + tally->over_memory;
    if (hidden > 0 && tally->fitting > 0 && !sink->sweep->all) {
        nnc_buffer_byte(&sink->text, '\n');
        nnc_sheet_line(&sink->text, style_of(sink),
                       "%" PRId64 " of %" PRId64 " plans are not shown: %" PRId64 " over memory, %" PRId64
                       " illegal; --all shows them with the reason",
                       hidden, hidden + tally->fitting, tally->over_memory, tally->illegal);
    }
}

static nnc_status finish_lines(row_sink *sink, nnc_error *err) {
    nnc_status status = NNC_OK;
    if (sink->top != NULL) { keep_top(sink); }
    for (int32_t i = 0; sink->top != NULL && i < sink->top_count && status == NNC_OK; i++) {
        status = write_lines(sink, sink->top[i].line, sink->top[i].size, err);
    }
    if (status == NNC_OK && sink->sweep->format->held) { nnc_table_write(&sink->table, &sink->text, style_of(sink)); }
    if (status == NNC_OK && sink->sweep->format->page != NULL) { say_hidden(sink); }
    if (status == NNC_OK && (sink->text.failed || sink->text.size > 0)) { status = flush(sink, err); }
    return status;
}

static nnc_status finish_database(row_sink *sink, nnc_buffer *out, nnc_error *err) {
    const nnc_status status = nnc_database_commit(sink->database, sink->done, err);
    const int64_t count = status == NNC_OK ? nnc_database_count(sink->database) : 0;
    if (status == NNC_OK) {
        nnc_buffer_print(out, "%s: %" PRId64 " rows of %" PRId64 " combinations%s\n", sink->database_path, count,
                         sink->done, sink->from == sink->sweep->shard_rows ? ", was complete" : "");
        sink->tally.fitting += count > 0 && sink->tally.fitting == 0;
    }
    return status;
}

static void say_stopped(const row_sink *sink) {
    const char *what = sink->database != NULL ? "; the same command continues from there"
                       : sink->top != NULL    ? "; the best of these are written"
                                              : "; the output has whole rows";
    fprintf(stderr, "nncost: sweep: stopped after %" PRId64 " of %" PRId64 " combinations%s\n", sink->done,
            sink->sweep->shard_rows, what);
}

static nnc_status sink_close(row_sink *sink, nnc_buffer *out, nnc_status status, nnc_error *err) {
    nnc_progress_end(&sink->progress);
    if (sink->done == sink->sweep->shard_rows) {
        sink->stopped = 0; /* a signal that arrived after the last row is ignored: the output is complete */
    }
    if (status == NNC_OK) {
        status = sink->database != NULL ? finish_database(sink, out, err) : finish_lines(sink, err);
    }
    if (sink->file_open) {
        const nnc_status closed = nnc_file_close(&sink->file, status == NNC_OK, err);
        status = status == NNC_OK ? closed : status;
    }
    if (status == NNC_OK && sink->stopped != 0) { say_stopped(sink); }
    release(sink);
    return status;
}

static nnc_status check_options(const nnc_options *options, nnc_error *err) {
    const nnc_sweep_options *asked = &options->sweep;
    const char *with = options->output != NULL                ? "--output"
                       : options->view.top > 0                ? "--top"
                       : options->format != &nnc_format_table ? "--format"
                                                              : NULL;
    if (asked->database != NULL && with != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--db", "cannot be used together with %s", with);
    }
    return NNC_OK;
}

static nnc_status read_threads(int64_t given, int *threads, nnc_error *err) {
    int64_t number = nnc_threads_available();
    const nnc_status status = nnc_option_count("--threads", given, NNC_POOL_THREADS_MAX, &number, err);
    *threads = number < 1 ? 1 : number > NNC_POOL_THREADS_MAX ? NNC_POOL_THREADS_MAX : (int)number;
    return status;
}

static nnc_status add_axes(const nnc_options *options, nnc_sweep *sweep, nnc_error *err) {
    const nnc_scenario_args *given = &options->given;
    for (int i = 0; i < given->setting_count; i++) {
        const nnc_setting *setting = &given->settings[i];
        char option[NNC_OPTION_NAME], field[NNC_OPTION_NAME];
        if (nnc_is_shard(setting)) {
            nnc_shard part;
            NNC_TRY(nnc_shard_read(setting->value, &part, err));
            NNC_TRY(nnc_sweep_part(sweep, part.number, part.of, err));
            continue;
        }
        snprintf(field, sizeof field, "plan.%s", setting->field->name);
        NNC_TRY(nnc_sweep_add_as(sweep, nnc_option_name(setting->field->name, option), field, setting->value, err));
    }
    for (int i = 0; i < given->set_count; i++) { NNC_TRY(nnc_sweep_add_pair(sweep, "--set", given->sets[i], err)); }
    for (int i = 0; i < options->sweep.link_count; i++) {
        NNC_TRY(nnc_sweep_add_link(sweep, "--link", options->sweep.links[i], err));
    }
    return NNC_OK;
}

/* Adds to the sweep the columns whose names are in the options --columns, --where and --by. */
static nnc_status add_names(const nnc_options *options, nnc_sweep *sweep, nnc_error *err) {
    const nnc_sweep_options *asked = &options->sweep;
    const bool to_program = nnc_format_is_csv(options->format) || options->format == &nnc_format_json;
    /* adds the column `row`, because merge needs the numbers of the rows */
    if (sweep->shard.of > 1 || asked->database != NULL || (asked->columns == NULL && to_program)) {
        NNC_TRY(nnc_sweep_add_columns(sweep, "--columns", "row", err));
    }
    NNC_TRY(nnc_sweep_add_columns(sweep, "--columns", asked->columns, err));
    if (asked->columns == NULL && options->format == &nnc_format_json) {
        NNC_TRY(nnc_sweep_add_columns(sweep, "--columns", "command", err));
    }
    for (int i = 0; i < asked->where_count; i++) {
        NNC_TRY(nnc_sweep_add_where(sweep, "--where", asked->where[i], err));
    }
    if (options->view.top > 0) {
        return nnc_sweep_sort(sweep, "--by", asked->by != NULL ? asked->by : "step.step_s", err);
    }
    return asked->by != NULL ? nnc_fail(err, NNC_BAD_USAGE, "--by", "needs --top N") : NNC_OK;
}

static nnc_status prepare(nnc_session *session, nnc_sweep **made, nnc_error *err) {
    const nnc_options *options = &session->options;
    NNC_TRY(check_options(options, err));
    NNC_TRY(nnc_sweep_create(session->specs, options->operands[0], options->operands[1], options->given.software,
                             options->given.cluster, made, err));
    nnc_sweep *sweep = *made;
    sweep->format = options->sweep.database == NULL ? options->format : NULL;
    if (options->sweep.all) { nnc_sweep_keep_all(sweep); }
    NNC_TRY(add_axes(options, sweep, err));
    return add_names(options, sweep, err);
}

/* Computes all rows of a sweep on all MPI ranks. Returns false if an MPI rank has failed; no rows are then returned. */
static bool run_rows(nnc_rank_group ranks, const nnc_sweep *sweep, row_sink *sink, int threads, nnc_status *status,
                     nnc_error *err) {
    nnc_pool pool;
    *status = nnc_sweep_open_pool(sweep, sink->from, ranks.size > 1 ? 1 : threads, &pool, err);
    const bool opened = *status == NNC_OK;
    const bool well = nnc_rank_group_all_well(ranks, 0, status, err);
    if (well) {
        pool.emit = sink_emit;
        pool.context = sink;
        *status = nnc_rank_group_run(ranks, &pool, err);
    }
    if (opened) { nnc_sweep_close_pool(&pool); }
    return well;
}

/* Prints the reason why a sweep has no rows. */
static void say_none(const nnc_sweep *sweep, const nnc_sweep_tally *tally) {
    const int64_t plans = tally->illegal + tally->over_memory + tally->fitting;
    if (plans == 0) {
        fprintf(stderr, "nncost: --where: leaves none of the %" PRId64 " combinations\n", tally->excluded);
        return;
    }
    fprintf(stderr,
            "nncost: sweep: none of the %" PRId64 " plans fits, %" PRId64 " illegal, %" PRId64 " over memory%s\n",
            plans, tally->illegal, tally->over_memory, sweep->all ? "" : "; --all shows them with the reason");
}

static nnc_status finish(nnc_session *session, const nnc_sweep *sweep, row_sink *sink, nnc_status status,
                         nnc_error *err) {
    status = sink_close(sink, session->out, status, err);
    session->exit_code = sink->stopped != 0                               ? 128 + sink->stopped
                         : sink->tally.fitting > 0 || sweep->shard.of > 1 ? 0
                                                                          : 1;
    if (status == NNC_OK && session->exit_code == 1) { say_none(sweep, &sink->tally); }
    return status;
}

/* Runs a sweep; MPI rank 0 writes the rows. The ranks begin only after every rank has read the same input without an
 * error. */
static nnc_status run_ranks(nnc_session *session, nnc_rank_group ranks, const nnc_sweep *sweep, uint64_t digest,
                            nnc_status status, nnc_error *err) {
    nnc_interrupt interrupt;
    row_sink sink = { 0 };
    int threads = 1;
    status = status == NNC_OK ? read_threads(session->options.threads, &threads, err) : status;
    if (!nnc_rank_group_all_well(ranks, digest, &status, err) || sweep == NULL) { return status; }
    nnc_interrupt_hold(&interrupt);
    if (ranks.rank == 0) { status = sink_open(&sink, sweep, &session->options, &interrupt, err); }
    if (nnc_rank_group_all_well(ranks, 0, &status, err)) {
        sink.from = nnc_rank_group_share(sink.from);
        const bool well = run_rows(ranks, sweep, &sink, threads, &status, err);
        if (ranks.rank == 0 && well) {
            status = finish(session, sweep, &sink, status, err);
        } else if (ranks.rank == 0) {
            /* the sweep failed, so the existing output file is not replaced */
            sink_close(&sink, session->out, NNC_NO_MEMORY, NULL);
        }
    }
    nnc_interrupt_release(&interrupt);
    return status;
}

static nnc_status run_sweep(nnc_session *session, nnc_error *err) {
    const nnc_rank_group ranks = nnc_rank_group_begin();
    nnc_sweep *sweep = NULL;
    uint64_t digest = 0;
    nnc_status status = prepare(session, &sweep, err);
    if (status == NNC_OK && ranks.size > 1) { status = nnc_sweep_digest(sweep, &digest, err); }
    status = run_ranks(session, ranks, sweep, digest, status, err);
    /* the sweep has written the output, so the session must not write to the output file once more */
    session->options.output = NULL;
    nnc_sweep_destroy(sweep);
    nnc_rank_group_end();
    return status;
}

const nnc_command nnc_cmd_sweep = {
    .name = "sweep",
    .operands = "MODEL[,MODEL...] DEVICE[,DEVICE...]",
    .summary = "Every combination of the given axes, one row each.",
    .notes = "An axis is any plan option, --software or --set with a list: 2,4,8 or 1..64 or 1..64*2 (doubling) or "
             "0..1+0.25 (steps), joined by commas. The axes have the order model, device, software, plan options, "
             "and --set and --link as given; the last axis varies fastest. '+' joins the parts of one value: "
             "--recompute none,norm+activation. The rows are the plans that are legal and fit. After Ctrl-C, the "
             "output ends with a whole row. --shard I/N computes only every N-th row, beginning with row I; 'nncost "
             "merge' joins the shards. The command exits with 1 if there is no row, and with 128 + the number of "
             "the signal if a signal stops the sweep.",
    .min_operands = 2,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_LAUNCH | NNC_TAKES_PLAN | NNC_TAKES_SWEEP | NNC_LACKS_RUN,
    .ranks = true,
    .run = run_sweep,
    .serving = &nnc_cmd_serve_sweep,
};

/* Merges shard files of a search; the session then writes the merged result. */
static nnc_status merge_search(nnc_session *session, const char *out, char *const *shards, int count, nnc_error *err) {
    const nnc_style style = { .format = nnc_ends_in(out, ".csv") ? &nnc_format_csv : &nnc_format_json };
    nnc_search_report report;
    NNC_TRY(nnc_search_merge(nnc_specs_arena(session->specs), shards, count, NULL, &report, err));
    nnc_report_search(session->out, style, &report);
    session->options.output = out;
    session->exit_code = nnc_search_answered(&report) ? 0 : 1;
    return NNC_OK;
}

static nnc_status run_merge(nnc_session *session, nnc_error *err) {
    const nnc_options *options = &session->options;
    /* refuses an output file OUT that exists, because OUT may be a shard that the user listed by mistake */
    if (access(options->operands[0], F_OK) == 0) {
        return nnc_fail(err, NNC_BAD_USAGE, options->operands[0],
                        "exists already, expected the name of a new file as the first operand");
    }
    bool search = false;
    NNC_TRY(nnc_search_shard_is(options->operands[1], &search, err));
    if (search) {
        return merge_search(session, options->operands[0], options->operands + 1, options->operand_count - 1, err);
    }
    return nnc_merge(options->operands[0], options->operands + 1, options->operand_count - 1, err);
}

const nnc_command nnc_cmd_merge = {
    .name = "merge",
    .part_of = "sweep merge",
    .operands = "OUT SHARD...",
    .summary = "Join the shards of a sweep or of a search into one file, equal to the output of one undivided run.",
    .notes = "Shards are CSV, JSON lines or databases that 'nncost sweep --shard' wrote. The command needs the "
             "complete databases of all shards; it joins them to one database, or CSV or JSON lines if OUT ends in "
             ".csv or .json. Shards of a search are outputs of 'nncost search --shard --format json'; the command "
             "needs the outputs of all shards, and joins them to JSON, or to CSV if OUT ends in .csv. For a search, "
             "the command exits with 1 if no plan fits.",
    .min_operands = 2,
    .max_operands = 100000,
    .takes = NNC_TAKES_HELP,
    .run = NNC_NOT_ON_PAGE(run_merge),
};
