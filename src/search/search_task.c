#include "search/search_task.h"

#include <math.h>
#include <time.h>

#include "base/error.h"

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Hands progress on, and keeps whether to stop. */
typedef struct listener {
    const nnc_search_watch *watch;
    bool stopped;
} listener;

static bool listen(void *context, uint64_t covered, uint64_t space)
{
    listener *l = context;
    l->stopped =
        l->watch->progress != NULL && !l->watch->progress(l->watch->context, covered, space);
    return !l->stopped;
}

static nnc_status search_one(const nnc_search_task *task, const nnc_search *search,
                             nnc_search_result *result, bool *stopped, nnc_error *err)
{
    listener l = { .watch = &task->watch };
    const nnc_search_watch watch = { listen, &l };
    const nnc_status status = nnc_crew_search(task->crew, task->model, task->device, task->profiles,
                                              search, &watch, result, err);
    *stopped = l.stopped;
    return status;
}

static void add_total(nnc_search_total *total, const nnc_search_result *result)
{
    total->space += result->space;
    total->covered += result->covered;
    total->evaluated += result->evaluated;
    total->pruned += result->pruned;
    total->legal += result->legal;
    total->feasible += result->feasible;
}

/* ---- several sizes ---- */

/* Of the run where it is known: more devices stop more often. */
static double spent(const nnc_found *found, bool by_cost)
{
    return by_cost ? (isnan(found->device_hours) ? found->device_s : found->device_hours)
                   : (isnan(found->run_s) ? found->step_s : found->run_s);
}

/* The first of the best by one measure, -1 when there is none. */
static int32_t least(const nnc_search_size *sizes, int32_t count, bool by_cost)
{
    int32_t best = -1;
    for (int32_t i = 0; i < count; i++) {
        const nnc_found *a = &sizes[i].best, *b = best < 0 ? NULL : &sizes[best].best;
        if (sizes[i].found && (b == NULL || spent(a, by_cost) < spent(b, by_cost))) {
            best = i;
        }
    }
    return best;
}

void nnc_search_rank_sizes(nnc_search_report *report)
{
    report->fastest = least(report->sizes, report->size_count, false);
    report->cheapest = least(report->sizes, report->size_count, true);
}

/* One size; where nothing is legal that is its answer, not an error. */
static nnc_status search_size(const nnc_search_task *task, nnc_search_size *size,
                              nnc_search_report *report, nnc_error *err)
{
    nnc_search search = task->search;
    nnc_search_result *result = report->result;
    nnc_error why = { .status = NNC_OK };
    search.base.devices = size->devices;
    search.best = 1;
    const nnc_status status = search_one(task, &search, result, &report->stopped, &why);
    add_total(&size->total, result);
    add_total(&report->total, result);
    if (status == NNC_ILLEGAL_PLAN) {
        size->why = why;
        return NNC_OK;
    }
    if (status != NNC_OK) {
        return nnc_fail(err, status, why.where, "%s", why.what);
    }
    size->found = result->best_count > 0;
    size->any_missed = result->any_missed;
    size->best = result->best[0];
    size->missed = result->missed;
    return NNC_OK;
}

static nnc_status search_sizes(const nnc_search_task *task, nnc_arena *arena,
                               nnc_search_report *report, nnc_error *err)
{
    bool legal = false;
    report->size_asked = task->size_count;
    report->sizes = nnc_arena_array(arena, (size_t)task->size_count, sizeof *report->sizes);
    if (report->sizes == NULL) {
        return nnc_no_memory(err);
    }
    for (int32_t i = 0; i < task->size_count && !report->stopped; i++) {
        nnc_search_size *size = &report->sizes[i];
        size->devices = task->sizes[i];
        NNC_TRY(search_size(task, size, report, err));
        report->size_count = i + 1;
        legal = legal || size->why.status == NNC_OK;
    }
    if (!legal && task->search.shards == 0) {
        const nnc_error *why = &report->sizes[0].why;
        return nnc_fail(err, NNC_ILLEGAL_PLAN, why->where, "%s", why->what);
    }
    nnc_search_rank_sizes(report);
    return NNC_OK;
}

/* ---- the way to a step time ---- */

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

static nnc_status find_levers(const nnc_search_task *task, const nnc_plan *plan,
                              nnc_scratch *scratch, nnc_search_report *report, nnc_error *err)
{
    static const nnc_lever levers[] = { NNC_LEVER_MATMUL, NNC_LEVER_MEM_RATE,
                                        NNC_LEVER_SCALE_UP_RATE, NNC_LEVER_SCALE_OUT_RATE };
    for (size_t i = 0; i < sizeof levers / sizeof *levers; i++) {
        nnc_target *target = &report->targets[report->target_count];
        NNC_TRY(nnc_target_find(task->model, task->device,
                                nnc_profile_of(task->profiles, task->model, task->device, plan),
                                plan, levers[i], task->target_step_s, scratch, target, err));
        report->target_count += isnan(target->value) ? 0 : 1;
    }
    return NNC_OK;
}

/* The figures that bring a step down one by one, and the memory of a faster plan. */
static nnc_status find_targets(const nnc_search_task *task, nnc_arena *arena,
                               nnc_search_report *report, nnc_error *err)
{
    const nnc_search_result *found = report->result;
    report->target_step_s = task->target_step_s;
    if (found->best_count > 0) {
        nnc_scratch *scratch = nnc_scratch_create();
        const nnc_status status =
            scratch != NULL ? find_levers(task, &found->best[0].plan, scratch, report, err)
                            : nnc_no_memory(err);
        nnc_scratch_destroy(scratch);
        NNC_TRY(status);
    }
    if (report->stopped ||
        (found->best_count > 0 && found->best[0].step_s <= task->target_step_s)) {
        return NNC_OK;
    }
    nnc_search roomy = task->search;
    nnc_search_result *result = nnc_arena_alloc(arena, sizeof *result);
    if (result == NULL) {
        return nnc_no_memory(err);
    }
    roomy.mem_bytes = INT64_C(1) << 50;
    roomy.objective = NNC_OBJECTIVE_TIME;
    NNC_TRY(search_one(task, &roomy, result, &report->stopped, err));
    if (!report->stopped) {
        report->targets[report->target_count++] =
            room_for(&task->search, task->device, result, task->target_step_s);
    }
    return NNC_OK;
}

/* ---- all of it ---- */

static nnc_status search_best(const nnc_search_task *task, nnc_search_report *report,
                              nnc_error *err)
{
    nnc_error why = { .status = NNC_OK };
    const nnc_status status =
        search_one(task, &task->search, report->result, &report->stopped, &why);
    add_total(&report->total, report->result);
    if (status == NNC_ILLEGAL_PLAN && task->search.shards > 0) { /* other shards may have some */
        report->why = why;
        return NNC_OK;
    }
    return status == NNC_OK ? NNC_OK : nnc_fail(err, status, why.where, "%s", why.what);
}

static const char *currency_of(const nnc_search_task *task)
{
    const bool priced = !isnan(task->search.base.price) || task->device->price_count > 0;
    return priced ? nnc_price_currency(task->device) : NULL;
}

nnc_status nnc_search_task_run(nnc_search_task *task, nnc_arena *arena, nnc_search_report *report,
                               nnc_error *err)
{
    const double start = seconds();
    *report = (nnc_search_report){ .model = task->model,
                                   .device = task->device,
                                   .search = &task->search,
                                   .result = nnc_arena_alloc(arena, sizeof *report->result),
                                   .currency = currency_of(task),
                                   .fastest = -1,
                                   .cheapest = -1 };
    if (report->result == NULL) {
        return nnc_no_memory(err);
    }
    if (task->size_count > 0) {
        NNC_TRY(search_sizes(task, arena, report, err));
    } else {
        NNC_TRY(search_best(task, report, err));
    }
    if (task->target_step_s > 0.0) {
        NNC_TRY(find_targets(task, arena, report, err));
    }
    report->elapsed_s = seconds() - start;
    return NNC_OK;
}

bool nnc_search_answered(const nnc_search_report *report)
{
    return report->sizes != NULL ? report->fastest >= 0 : report->result->best_count > 0;
}
