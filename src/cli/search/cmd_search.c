#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "cli/progress.h"
#include "cli/search/search_ask.h"
#include "record/plan_file_load.h"

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What a search shows and hears. */
typedef struct watch {
    nnc_progress progress;
    const nnc_interrupt *interrupt;
    int stopped; /* the signal; 0 = none */
} watch;

static bool show_progress(void *context, uint64_t covered, uint64_t space)
{
    watch *w = context;
    w->progress.end = (int64_t)space;
    nnc_progress_show(&w->progress, (int64_t)covered);
    w->stopped = nnc_interrupt_asked(w->interrupt);
    return w->stopped == 0;
}

nnc_status nnc_search_with_progress(const nnc_scenario *scenario, nnc_crew crew,
                                    const nnc_search *search, nnc_search_result *result,
                                    int *stopped, nnc_error *err)
{
    nnc_interrupt interrupt;
    nnc_interrupt_hold(&interrupt);
    watch w = { .progress = nnc_progress_begin("plans", 0, 0, false), .interrupt = &interrupt };
    const nnc_search_watch shown = { show_progress, &w };
    const nnc_status status = nnc_crew_search(crew, &scenario->model, &scenario->device,
                                              &scenario->software, search, &shown, result, err);
    nnc_progress_end(&w.progress);
    nnc_interrupt_release(&interrupt);
    *stopped = w.stopped;
    return status;
}

/* Of a plan file the devices and the batch hold; how they are shared out is what is searched. */
static nnc_status load_base(nnc_session *session, nnc_arena *arena, nnc_scenario *scenario,
                            nnc_search_ask *ask, nnc_error *err)
{
    char **operands = session->options.operands;
    nnc_plan *base = &ask->search.base;
    const nnc_plans *plans = NULL;
    nnc_plan resolved;
    nnc_status status = nnc_plans_open(arena, operands[0], &plans, err);
    if (status == NNC_OK) {
        status = nnc_scenario_load_asked(session, arena, operands[0], operands[1], scenario, err);
    }
    if (status != NNC_OK) {
        return status;
    }
    *base = scenario->plan;
    if (plans != NULL) {
        ask->plans_path = plans->path;
        status = nnc_plan_resolve(base, &scenario->model, &scenario->device, &resolved, err);
        if (status != NNC_OK) {
            return status;
        }
        base->devices = resolved.devices;
        base->global_batch = resolved.global_batch;
        base->data = 0;
        base->micro_batches = 0;
    }
    status = nnc_search_sizes_settle(base, &scenario->device, arena, ask, err);
    if (status != NNC_OK) {
        return status;
    }
    if (ask->size_count > 0) {
        base->devices = ask->sizes[0];
    }
    if (base->devices == 0 || base->global_batch == 0) {
        return nnc_fail(err, NNC_BAD_USAGE, base->devices == 0 ? "--devices" : "--global-batch",
                        "missing, expected the number that every plan is for");
    }
    return status;
}

/* The memory of the plan on the front that needs least and takes no longer than step_s. */
static nnc_target room_for(const nnc_search *search, const nnc_device *device,
                           const nnc_search_result *r, double step_s)
{
    const int64_t now = search->mem_bytes > 0 ? search->mem_bytes : device->mem_bytes;
    nnc_target target = { .figure = NNC_LEVER_MEM_BYTES,
                          .value = (double)now,
                          .needed = (double)NAN,
                          .step_s = r->pareto_count > 0 ? r->pareto[0].step_s : (double)NAN };
    for (int32_t i = 0; i < r->pareto_count && r->pareto[i].step_s <= step_s; i++) {
        target.needed = (double)r->pareto[i].memory_bytes;
        target.step_s = r->pareto[i].step_s;
    }
    return target;
}

/* The figures that bring a step down one by one, and the memory of a faster plan. */
static nnc_status find_targets(const nnc_scenario *scenario, const nnc_search_ask *ask,
                               nnc_search_report *report, nnc_error *err)
{
    static const nnc_lever levers[] = { NNC_LEVER_MATMUL, NNC_LEVER_MEM_RATE,
                                        NNC_LEVER_SCALE_UP_RATE, NNC_LEVER_SCALE_OUT_RATE };
    nnc_search roomy = ask->search;
    nnc_status status = NNC_OK;
    nnc_scratch *scratch = nnc_scratch_create();
    nnc_search_result *result = calloc(1, sizeof *result);
    report->target_step_s = ask->target_step_s;
    if (scratch == NULL || result == NULL) {
        status = nnc_no_memory(err);
    }
    for (size_t i = 0;
         i < sizeof levers / sizeof *levers && status == NNC_OK && report->result->best_count > 0;
         i++) {
        nnc_target *target = &report->targets[report->target_count];
        status = nnc_target_find(&scenario->model, &scenario->device, &scenario->software,
                                 &report->result->best[0].plan, levers[i], ask->target_step_s,
                                 scratch, target, err);
        report->target_count += isnan(target->value) ? 0 : 1;
    }
    roomy.mem_bytes = INT64_C(1) << 50;
    roomy.objective = NNC_OBJECTIVE_TIME;
    const bool reached =
        report->result->best_count > 0 && report->result->best[0].step_s <= ask->target_step_s;
    if (status == NNC_OK && report->stopped == 0 && !reached) {
        status =
            nnc_search_with_progress(scenario, ask->crew, &roomy, result, &report->stopped, err);
    }
    if (status == NNC_OK && report->stopped == 0 && !reached) {
        report->targets[report->target_count++] =
            room_for(&ask->search, &scenario->device, result, ask->target_step_s);
    }
    free(result);
    nnc_scratch_destroy(scratch);
    return status;
}

/* What a search that was stopped has covered. */
static void say_stopped(const nnc_search_report *report)
{
    const uint64_t covered = report->total.covered, space = report->total.space;
    if (report->size_count > 0) {
        fprintf(stderr, "nncost: search: interrupted in size %" PRId32 " of %" PRId32 "\n",
                report->size_count, report->size_asked);
        return;
    }
    fprintf(stderr,
            "nncost: search: interrupted after %" PRIu64 " of %" PRIu64
            " combinations, %.1f%%; the best of these are shown\n",
            covered, space, space > 0 ? 100.0 * (double)covered / (double)space : 0.0);
}

int nnc_search_answer(const nnc_search_report *report)
{
    return (report->sizes != NULL ? report->fastest >= 0 : report->result->best_count > 0) ? 0 : 1;
}

static nnc_status find_best(const nnc_scenario *scenario, const nnc_search_ask *ask,
                            nnc_search_result *result, nnc_search_report *report, nnc_error *err)
{
    nnc_status status =
        nnc_search_with_progress(scenario, ask->crew, &ask->search, result, &report->stopped, err);
    if (status == NNC_ILLEGAL_PLAN && ask->search.shards > 0) { /* other shards may have some */
        report->why = *err;
        status = NNC_OK;
    }
    nnc_search_total_add(&report->total, result);
    return status;
}

/* What was asked for, of which every rank makes the same. */
static nnc_status prepare(nnc_session *session, nnc_arena *arena, nnc_scenario *scenario,
                          nnc_search_ask *ask, uint64_t *digest, nnc_error *err)
{
    nnc_status status = nnc_search_options_read(&session->options, arena, ask, err);
    if (status == NNC_OK) {
        status = load_base(session, arena, scenario, ask, err);
    }
    if (status == NNC_OK && ask->size_count > 0 && ask->target_step_s > 0.0) {
        status = nnc_fail(err, NNC_BAD_USAGE, "--target-step",
                          "is for one size, expected a single number of --devices");
    }
    if (status == NNC_OK && (ask->search.shards > 0 || ask->crew.size > 1)) {
        status = nnc_search_digest(session, scenario, ask, digest, err);
    }
    return status;
}

/* Searches and writes; on rank 0 only. */
static nnc_status search(nnc_session *session, nnc_arena *arena, const nnc_scenario *scenario,
                         const nnc_search_ask *ask, uint64_t digest, nnc_search_result *result,
                         nnc_error *err)
{
    char text[NNC_DIGEST_TEXT];
    const double start = seconds();
    const bool shard = ask->search.shards > 0;
    nnc_status status = NNC_OK;
    nnc_search_report report = { .model = &scenario->model,
                                 .device = &scenario->device,
                                 .search = &ask->search,
                                 .result = result,
                                 .digest = shard ? nnc_digest_print(digest, text) : NULL };
    if (ask->size_count > 0) {
        status = nnc_search_sizes_run(scenario, ask, arena, result, &report, err);
    } else {
        status = find_best(scenario, ask, result, &report, err);
    }
    if (status == NNC_OK && ask->target_step_s > 0.0) {
        status = find_targets(scenario, ask, &report, err);
    }
    if (status == NNC_OK) {
        report.elapsed_s = seconds() - start;
        nnc_report_search(session->out, session->style, &report);
        session->exit_code = report.stopped != 0 ? 128 + report.stopped
                             : shard             ? 0
                                                 : nnc_search_answer(&report);
    }
    if (status == NNC_OK && report.stopped != 0) {
        say_stopped(&report);
    }
    return status;
}

/* Any rank but 0 works for it until it has the result. */
static void serve(nnc_crew crew, const nnc_scenario *scenario, int32_t threads)
{
    nnc_interrupt interrupt;
    nnc_interrupt_hold(&interrupt);
    nnc_crew_search_serve(crew, &scenario->model, &scenario->device, &scenario->software, threads);
    nnc_interrupt_release(&interrupt);
}

/* Goes on only when no rank has failed. The first that has says why and ends with its code; the others
 * are silent and end well, since mpirun may stop what still writes once a code is not 0. */
static bool all_well(nnc_session *session, nnc_crew crew, uint64_t digest, nnc_status *status,
                     nnc_error *err)
{
    char name[32];
    if (!nnc_crew_same(digest) && *status == NNC_OK) {
        snprintf(name, sizeof name, "rank %d", crew.rank);
        *status = nnc_fail(err, NNC_BAD_SPEC, name, "reads other files than rank 0");
    }
    const int first = nnc_crew_first(crew, *status != NNC_OK);
    if (first >= 0 && first != crew.rank) {
        session->options.output = NULL;
        *status = NNC_OK;
    }
    return first < 0;
}

static nnc_status run_crew(nnc_session *session, nnc_crew crew, nnc_arena *arena,
                           nnc_search_result *result, nnc_error *err)
{
    nnc_search_ask ask = { .crew = crew };
    nnc_scenario scenario;
    uint64_t digest = 0;
    nnc_status status = result != NULL && arena != NULL
                            ? prepare(session, arena, &scenario, &ask, &digest, err)
                            : nnc_no_memory(err);
    if (!all_well(session, crew, digest, &status, err)) {
        return status;
    }
    if (crew.rank > 0) {
        serve(crew, &scenario, ask.search.threads);
        session->options.output = NULL; /* rank 0 writes */
        return NNC_OK;
    }
    status = search(session, arena, &scenario, &ask, digest, result, err);
    nnc_crew_search_end(crew);
    return status;
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    const nnc_crew crew = nnc_crew_begin();
    nnc_search_result *result = calloc(1, sizeof *result);
    nnc_arena *arena = nnc_arena_create();
    const nnc_status status = run_crew(session, crew, arena, result, err);
    nnc_arena_destroy(arena);
    free(result);
    nnc_crew_end();
    return status;
}

const nnc_command nnc_cmd_search = {
    .name = "search",
    .operands = "MODEL DEVICE | PLANS.json [DEVICE]",
    .summary = "The best legal plans for N devices, and the front of time against memory.",
    .notes = "Needs --devices and --global-batch, or a plan file that has them. Every choice that "
             "is left open is searched: "
             "tensor, pipeline, context, expert, virtual stages, micro-batch, ZeRO stage, "
             "sequence parallelism, recompute, schedule, offload. An option with a list "
             "restricts it: --tensor 4,8 --recompute none,full; '+' joins what one plan "
             "recomputes. Other options hold for every plan. Each figure equals that of "
             "'estimate' for the same plan. --devices may be a list of sizes, 64,128 or 8..4096 "
             "(doubling): "
             "then the best plan of each size is shown, and the fastest and the cheapest size. "
             "--shard I/N searches one of N parts, of equal size, for 'nncost merge' to put "
             "together: "
             "that takes --format json. Ctrl-C ends with the best of what was covered. Exits with "
             "1 when no plan fits, with "
             "128 and the number of the signal when stopped by one.",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_SCENARIO | NNC_TAKES_SEARCH,
    .run = run,
};
