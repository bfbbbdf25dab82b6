#include <assert.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/progress.h"
#include "cli/sweep/sweep.h"
#include "cli/sweep/sweep_sink.h"
#include "sweep/ranks.h"

static nnc_status check_options(const nnc_options *options, nnc_error *err)
{
    const nnc_sweep_options *asked = &options->sweep;
    const char *with = options->output != NULL                ? "--output"
                       : options->view.top > 0                ? "--top"
                       : options->format != &nnc_format_table ? "--format"
                                                              : NULL;
    if (asked->database != NULL && with != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--db", "does not go with %s", with);
    }
    return NNC_OK;
}

static nnc_status read_threads(const char *text, int *threads, nnc_error *err)
{
    int64_t number = sysconf(_SC_NPROCESSORS_ONLN);
    const nnc_status status =
        nnc_option_count("--threads", text, NNC_POOL_THREADS_MAX, &number, err);
    *threads = number < 1 ? 1 : number > NNC_POOL_THREADS_MAX ? NNC_POOL_THREADS_MAX : (int)number;
    return status;
}

static nnc_status prepare(nnc_session *session, nnc_sweep *sweep, nnc_error *err)
{
    const nnc_options *options = &session->options;
    nnc_point *sample = calloc(1, sizeof *sample);
    sweep->arena = nnc_arena_create();
    if (sample == NULL || sweep->arena == NULL) {
        free(sample);
        return nnc_no_memory(err);
    }
    nnc_status status = check_options(options, err);
    if (status == NNC_OK) {
        status = nnc_sweep_bind(session, sweep, err);
    }
    if (status == NNC_OK) {
        sample->axes = &sweep->axes;
        nnc_point_move(sample, 0);
        status = nnc_sweep_resolve(options, sample, sweep, err);
    }
    if (status == NNC_OK) {
        sweep->format = options->sweep.database == NULL ? options->format : NULL;
        status = nnc_sweep_digest(options, sweep, err);
    }
    free(sample);
    return status;
}

static void destroy_workers(void **workers, int count)
{
    for (int i = 0; workers != NULL && i < count; i++) {
        nnc_sweeper_destroy(workers[i]);
    }
    free(workers);
}

static void **create_workers(const nnc_sweep *sweep, int count)
{
    void **workers = calloc((size_t)count, sizeof *workers);
    for (int i = 0; workers != NULL && i < count; i++) {
        workers[i] = nnc_sweeper_create(sweep);
        if (workers[i] == NULL) {
            destroy_workers(workers, count);
            return NULL;
        }
    }
    return workers;
}

static nnc_status run_rows(nnc_crew crew, const nnc_sweep *sweep, nnc_sink *sink, int threads,
                           nnc_error *err)
{
    const int64_t chunks = (sweep->shard_rows - sink->from) / NNC_POOL_CHUNK + 1;
    nnc_pool pool = { .first = sink->from,
                      .end = sweep->shard_rows,
                      .threads = crew.size > 1      ? 1
                                 : threads > chunks ? (int)chunks
                                                    : threads,
                      .work = nnc_sweeper_work,
                      .emit = nnc_sink_emit,
                      .context = sink };
    void **workers = create_workers(sweep, pool.threads);
    if (workers == NULL) {
        nnc_crew_abandon(crew, NNC_NO_MEMORY);
        return nnc_no_memory(err);
    }
    pool.workers = workers;
    const nnc_status status = nnc_crew_run(crew, &pool, err);
    destroy_workers(workers, pool.threads);
    return status;
}

/* Why there is no row. */
static void say_none(const nnc_sweep *sweep, const nnc_tally *tally)
{
    const int64_t plans = tally->illegal + tally->over_memory + tally->fitting;
    if (plans == 0) {
        fprintf(stderr, "nncost: --where: leaves none of the %" PRId64 " combinations\n",
                tally->excluded);
        return;
    }
    fprintf(stderr,
            "nncost: sweep: none of the %" PRId64 " plans fits, %" PRId64 " illegal, %" PRId64
            " over memory%s\n",
            plans, tally->illegal, tally->over_memory,
            sweep->all ? "" : "; --all shows them with the reason");
}

/* Rank 0 writes; the others are silent, as they fail in the same way. */
static nnc_status run_crew(nnc_session *session, nnc_crew crew, nnc_sweep *sweep, nnc_error *err)
{
    const nnc_options *options = &session->options;
    nnc_interrupt interrupt;
    nnc_sink sink = { 0 };
    int threads = 1;
    nnc_status status = prepare(session, sweep, err);
    if (status == NNC_OK) {
        status = read_threads(options->threads, &threads, err);
    }
    if (status != NNC_OK) {
        return status;
    }
    nnc_interrupt_hold(&interrupt);
    if (crew.rank == 0) {
        status = nnc_sink_open(&sink, sweep, options, &interrupt, err);
    }
    if (!nnc_crew_agree(status == NNC_OK)) {
        nnc_interrupt_release(&interrupt);
        return status;
    }
    sink.from = nnc_crew_share(sink.from);
    status = run_rows(crew, sweep, &sink, threads, err);
    if (crew.rank == 0) {
        status = nnc_sink_close(&sink, session->out, status, err);
        session->exit_code = sink.stopped != 0                               ? 128 + sink.stopped
                             : sink.tally.fitting > 0 || sweep->shard.of > 1 ? 0
                                                                             : 1;
        if (status == NNC_OK && session->exit_code == 1) {
            say_none(sweep, &sink.tally);
        }
    }
    nnc_interrupt_release(&interrupt);
    return status;
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    const nnc_crew crew = nnc_crew_begin();
    nnc_sweep *sweep = calloc(1, sizeof *sweep);
    nnc_status status = sweep != NULL ? run_crew(session, crew, sweep, err) : nnc_no_memory(err);
    session->options.output = NULL; /* it is written */
    if (sweep != NULL) {
        nnc_arena_destroy(sweep->arena);
    }
    free(sweep);
    nnc_crew_end();
    if (crew.rank > 0 && status != NNC_OK) {
        session->exit_code = nnc_status_exit_code(status);
        status = NNC_OK;
    }
    return status;
}

const nnc_command nnc_cmd_sweep = {
    .name = "sweep",
    .operands = "MODEL[,MODEL...] DEVICE[,DEVICE...]",
    .summary = "Every combination of the axes given, one row each.",
    .notes =
        "An axis is any plan option, --software or --set with a list: 2,4,8 or 1..64 or 1..64*2 "
        "(doubling) or 0..1+0.25 (steps), joined by commas. Rows come in the order of model, "
        "device, software, plan options, --set and --link as given, the last one varying "
        "fastest. What belongs to one value is joined by '+': --recompute none,norm+activation. "
        "Rows are the plans that are legal and fit; Ctrl-C ends with whole rows. --shard I/N "
        "does every N-th row only, from the I-th on, for 'nncost merge' to put together. Exits "
        "with 1 when there is no row, with 128 and the number of the signal when stopped by one.",
    .min_operands = 2,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_SWEEP,
    .run = run,
};
