#include "cli/search_asked.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/command_line.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/scenario_asked.h"
#include "record/plan_file_load.h"

/* What a search shows and hears. */
typedef struct watch {
    nnc_progress progress;
    nnc_interrupt interrupt;
    uint64_t covered;
    int stopped; /* the signal; 0 = none */
    nnc_progress_form form;
} watch;

static bool show_progress(void *context, uint64_t covered, uint64_t space)
{
    watch *w = context;
    if (covered < w->covered || w->progress.end != (int64_t)space) { /* of the next size */
        w->progress = nnc_progress_begin("plans", 0, (int64_t)space, w->form, false);
    }
    w->covered = covered;
    nnc_progress_show(&w->progress, (int64_t)covered);
    w->stopped = nnc_interrupt_asked(&w->interrupt);
    return w->stopped == 0;
}

/* What stands for all that is searched, and what the digest is made of beside the task. */
typedef struct base {
    const char *model, *device; /* as they were asked for */
    nnc_scenario scenario;
    const char *plans_path; /* the plan file that stands for the model; NULL = none */
    nnc_search_writer *write;
    void *context; /* of write */
} base;

/* Of a plan file the devices and the batch hold; how they are shared out is what is searched. */
static nnc_status load_base(nnc_session *session, nnc_arena *arena, base *b, nnc_search_task *task,
                            int64_t max_devices, nnc_error *err)
{
    const nnc_scenario *scenario = &b->scenario;
    nnc_plan *plan = &task->search.base;
    const nnc_plans *plans = NULL;
    nnc_plan resolved;
    NNC_TRY(nnc_plans_open(session->specs, arena, b->model, &plans, err));
    NNC_TRY(nnc_scenario_load_asked(session, arena, b->model, b->device, &b->scenario, err));
    NNC_TRY(nnc_scenario_profiles(&b->scenario, err));
    task->model = &scenario->model;
    task->device = &scenario->device;
    task->profiles = &scenario->profiles;
    NNC_TRY(nnc_currency_is("--budget", session->options.search.budget, task->device, err));
    *plan = scenario->plan;
    task->search.run = nnc_scenario_settle_run(&b->scenario) ? &b->scenario.run_ask : NULL;
    if (plans != NULL) {
        b->plans_path = plans->path;
        NNC_TRY(nnc_plan_resolve(plan, task->model, task->device, &resolved, err));
        plan->devices = resolved.devices;
        plan->global_batch = resolved.global_batch;
        plan->data = 0;
        plan->micro_batches = 0;
    }
    NNC_TRY(nnc_search_sizes_settle(plan, task->device, max_devices, arena, task, err));
    if (task->size_count > 0) {
        plan->devices = task->sizes[0];
    }
    return plan->devices > 0 && plan->global_batch > 0
               ? NNC_OK
               : nnc_fail(err, NNC_BAD_USAGE, plan->devices == 0 ? "--devices" : "--global-batch",
                          "missing, expected the number that every plan is for");
}

static nnc_status make_digest(const nnc_session *session, const base *b,
                              const nnc_search_task *task, uint64_t *digest, nnc_error *err)
{
    const nnc_options *options = &session->options;
    const nnc_given *given = &options->given;
    const nnc_profiles *p = task->profiles;
    const char *files[4 + NNC_PROFILE_KINDS] = { task->model->path, task->device->path,
                                                 b->scenario.report.cluster, b->plans_path };
    for (int i = 0; i < NNC_PROFILE_KINDS; i++) {
        files[4 + i] = p->of[i]->path;
    }
    const char *texts[2 + NNC_SETS_MAX] = { options->scenario != NULL ? options->scenario : "",
                                            p->any ? "any" : "" };
    for (int i = 0; i < given->set_count; i++) {
        texts[2 + i] = given->sets[i];
    }
    return nnc_search_digest(task, session->specs, files, sizeof files / sizeof *files, texts,
                             2 + given->set_count, digest, err);
}

/* What was asked for, of which every rank makes the same. */
static nnc_status prepare(nnc_session *session, nnc_arena *arena, base *b, nnc_search_task *task,
                          uint64_t *digest, nnc_error *err)
{
    int64_t max_devices = 0;
    NNC_TRY(nnc_search_options_read(&session->options, arena, task, &max_devices, err));
    NNC_TRY(load_base(session, arena, b, task, max_devices, err));
    if (task->size_count > 0 && task->target_step_s > 0.0) {
        return nnc_fail(err, NNC_BAD_USAGE, "--target-step",
                        "is for one size, expected a single number of --devices");
    }
    return task->search.shards > 0 || task->crew.size > 1 || session->options.search.shards != NULL
               ? make_digest(session, b, task, digest, err)
               : NNC_OK;
}

/* What the shards of this very search say. */
static nnc_status read_shards(const nnc_options *options, nnc_search_task *task, nnc_arena *arena,
                              uint64_t digest, nnc_search_report *report, nnc_error *err)
{
    char text[NNC_DIGEST_TEXT], *at = nnc_arena_strdup(arena, options->search.shards);
    char **paths = nnc_arena_array(arena, strlen(options->search.shards) + 1, sizeof *paths);
    int count = 0;
    if (at == NULL || paths == NULL) {
        return nnc_no_memory(err);
    }
    while (at != NULL) {
        char *comma = strchr(at, ',');
        paths[count++] = at;
        if (comma != NULL) {
            *comma++ = '\0';
        }
        at = comma;
    }
    NNC_TRY(nnc_search_merge(arena, paths, count, nnc_digest_print(digest, text), report, err));
    task->search.threads = report->search->threads;
    report->search = &task->search;
    report->model = task->model;
    report->device = task->device;
    return NNC_OK;
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

/* Searches, with progress, and gives every plan its command. */
static nnc_status look(const nnc_options *options, nnc_arena *arena, const base *b,
                       nnc_search_task *task, watch *w, nnc_search_report *report, nnc_error *err)
{
    const nnc_command_asked asked = {
        b->model, b->device, options->scenario, &options->given, options->lenient,
    };
    task->watch = (nnc_search_watch){ show_progress, w };
    nnc_interrupt_hold(&w->interrupt);
    const nnc_status status = nnc_search_task_run(task, arena, report, err);
    nnc_progress_end(&w->progress);
    nnc_interrupt_release(&w->interrupt);
    return status == NNC_OK ? nnc_command_all(arena, &asked, b->plans_path != NULL, report, err)
                            : status;
}

/* Searches and writes; on rank 0 only. */
static nnc_status search(nnc_session *session, nnc_arena *arena, const base *b,
                         nnc_search_task *task, uint64_t digest, nnc_error *err)
{
    char text[NNC_DIGEST_TEXT];
    nnc_search_report report;
    const nnc_options *options = &session->options;
    watch w = { .progress.end = -1, .form = options->progress };
    const bool shard = task->search.shards > 0;
    NNC_TRY(options->search.shards != NULL ? read_shards(options, task, arena, digest, &report, err)
                                           : look(options, arena, b, task, &w, &report, err));
    report.digest = shard ? nnc_digest_print(digest, text) : NULL;
    NNC_TRY(b->write(session, b->context, &report, err));
    session->exit_code = report.stopped                          ? 128 + w.stopped
                         : shard || nnc_search_answered(&report) ? 0
                                                                 : 1;
    if (report.stopped) {
        say_stopped(&report);
    }
    return NNC_OK;
}

/* Any rank but 0 works for it until it has the result. */
static void serve(const nnc_search_task *task)
{
    nnc_interrupt interrupt;
    nnc_interrupt_hold(&interrupt);
    nnc_crew_search_serve(task->crew, task->model, task->device, task->profiles, task->search.run,
                          task->search.threads);
    nnc_interrupt_release(&interrupt);
}

static nnc_status run_crew(nnc_session *session, nnc_crew crew, nnc_arena *arena, base *b,
                           nnc_error *err)
{
    nnc_search_task task = { .crew = crew };
    uint64_t digest = 0;
    nnc_status status =
        b != NULL ? prepare(session, arena, b, &task, &digest, err) : nnc_no_memory(err);
    const bool well = nnc_crew_all_well(crew, digest, &status, err);
    if (crew.rank > 0) {
        session->options.output = NULL; /* rank 0 writes */
    }
    if (!well || crew.rank > 0 || b == NULL) {
        if (well) {
            serve(&task);
        }
        return status;
    }
    status = search(session, arena, b, &task, digest, err);
    nnc_crew_search_end(crew);
    return status;
}

nnc_status nnc_search_asked(nnc_session *session, const char *model, const char *device,
                            nnc_search_writer *write, void *context, nnc_error *err)
{
    const nnc_crew crew = nnc_crew_begin();
    nnc_arena *arena = nnc_arena_create();
    base *b = arena != NULL ? nnc_arena_alloc(arena, sizeof *b) : NULL;
    if (b != NULL) {
        b->model = model;
        b->device = device;
        b->write = write;
        b->context = context;
    }
    const nnc_status status = run_crew(session, crew, arena, b, err);
    nnc_arena_destroy(arena);
    nnc_crew_end();
    return status;
}
