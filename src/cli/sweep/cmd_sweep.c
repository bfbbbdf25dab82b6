#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/share.h"
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

static nnc_status read_threads(int64_t given, int *threads, nnc_error *err)
{
    int64_t number = sysconf(_SC_NPROCESSORS_ONLN);
    const nnc_status status =
        nnc_option_count("--threads", given, NNC_POOL_THREADS_MAX, &number, err);
    *threads = number < 1 ? 1 : number > NNC_POOL_THREADS_MAX ? NNC_POOL_THREADS_MAX : (int)number;
    return status;
}

static nnc_status add_axes(const nnc_options *options, nnc_sweep *sweep, nnc_error *err)
{
    const nnc_given *given = &options->given;
    for (int i = 0; i < given->setting_count; i++) {
        const nnc_setting *setting = &given->settings[i];
        char option[NNC_OPTION_NAME], field[NNC_OPTION_NAME];
        if (nnc_shard_asked(setting)) {
            nnc_shard part;
            NNC_TRY(nnc_shard_read(setting->value, &part, err));
            NNC_TRY(nnc_sweep_part(sweep, part.number, part.of, err));
            continue;
        }
        snprintf(field, sizeof field, "plan.%s", setting->field->name);
        NNC_TRY(nnc_sweep_add_as(sweep, nnc_option_name(setting->field->name, option), field,
                                 setting->value, err));
    }
    for (int i = 0; i < given->set_count; i++) {
        NNC_TRY(nnc_sweep_add_pair(sweep, "--set", given->sets[i], err));
    }
    for (int i = 0; i < options->sweep.link_count; i++) {
        NNC_TRY(nnc_sweep_add_link(sweep, "--link", options->sweep.links[i], err));
    }
    return NNC_OK;
}

/* The names that columns, --where and --by use. */
static nnc_status add_names(const nnc_options *options, nnc_sweep *sweep, nnc_error *err)
{
    const nnc_sweep_options *asked = &options->sweep;
    const bool to_program =
        options->format == &nnc_format_csv || options->format == &nnc_format_json;
    /* Rows keep their number where they go on by it: into shards, and through programs. */
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
    return asked->by != NULL ? nnc_fail(err, NNC_BAD_USAGE, "--by", "goes with --top N") : NNC_OK;
}

static nnc_status prepare(nnc_session *session, nnc_sweep **made, nnc_error *err)
{
    const nnc_options *options = &session->options;
    NNC_TRY(check_options(options, err));
    NNC_TRY(nnc_sweep_create(session->specs, options->operands[0], options->operands[1],
                             options->given.software, options->given.cluster, made, err));
    nnc_sweep *sweep = *made;
    sweep->format = options->sweep.database == NULL ? options->format : NULL;
    if (options->sweep.all) {
        nnc_sweep_keep_all(sweep);
    }
    NNC_TRY(add_axes(options, sweep, err));
    return add_names(options, sweep, err);
}

/* false: there are no rows, as a rank has failed. */
static bool run_rows(nnc_crew crew, const nnc_sweep *sweep, nnc_sink *sink, int threads,
                     nnc_status *status, nnc_error *err)
{
    nnc_pool pool;
    *status = nnc_sweep_open_pool(sweep, sink->from, crew.size > 1 ? 1 : threads, &pool, err);
    const bool opened = *status == NNC_OK;
    const bool well = nnc_crew_all_well(crew, 0, status, err);
    if (well) {
        pool.emit = nnc_sink_emit;
        pool.context = sink;
        *status = nnc_crew_run(crew, &pool, err);
    }
    if (opened) {
        nnc_sweep_close_pool(&pool);
    }
    return well;
}

/* Why there is no row. */
static void say_none(const nnc_sweep *sweep, const nnc_sweep_tally *tally)
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

static nnc_status finish(nnc_session *session, const nnc_sweep *sweep, nnc_sink *sink,
                         nnc_status status, nnc_error *err)
{
    status = nnc_sink_close(sink, session->out, status, err);
    session->exit_code = sink->stopped != 0                               ? 128 + sink->stopped
                         : sink->tally.fitting > 0 || sweep->shard.of > 1 ? 0
                                                                          : 1;
    if (status == NNC_OK && session->exit_code == 1) {
        say_none(sweep, &sink->tally);
    }
    return status;
}

/* Rank 0 writes. Nobody begins before all ranks are well and read the same. */
static nnc_status run_crew(nnc_session *session, nnc_crew crew, const nnc_sweep *sweep,
                           uint64_t digest, nnc_status status, nnc_error *err)
{
    nnc_interrupt interrupt;
    nnc_sink sink = { 0 };
    int threads = 1;
    status = status == NNC_OK ? read_threads(session->options.threads, &threads, err) : status;
    if (!nnc_crew_all_well(crew, digest, &status, err) || sweep == NULL) {
        return status;
    }
    nnc_interrupt_hold(&interrupt);
    if (crew.rank == 0) {
        status = nnc_sink_open(&sink, sweep, &session->options, &interrupt, err);
    }
    if (nnc_crew_all_well(crew, 0, &status, err)) {
        sink.from = nnc_crew_share(sink.from);
        const bool well = run_rows(crew, sweep, &sink, threads, &status, err);
        if (crew.rank == 0 && well) {
            status = finish(session, sweep, &sink, status, err);
        } else if (crew.rank == 0) {
            nnc_sink_close(&sink, session->out, NNC_NO_MEMORY, NULL); /* what was there stays */
        }
    }
    nnc_interrupt_release(&interrupt);
    return status;
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    const nnc_crew crew = nnc_crew_begin();
    nnc_sweep *sweep = NULL;
    uint64_t digest = 0;
    nnc_status status = prepare(session, &sweep, err);
    if (status == NNC_OK && crew.size > 1) {
        status = nnc_sweep_digest(sweep, &digest, err);
    }
    status = run_crew(session, crew, sweep, digest, status, err);
    session->options.output = NULL; /* it is written */
    nnc_sweep_destroy(sweep);
    nnc_crew_end();
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
    .crew = true,
    .run = run,
    .serving = &nnc_cmd_serve_sweep,
};
