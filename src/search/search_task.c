/* Search tasks: a search with one number of devices, or with several numbers; a search for the device parameters that
 * reach a target step time; and a search over MPI ranks, in which rank 0 assigns consecutive blocks of plans to the
 * ranks and merges their outcomes. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/base_internal.h"
#include "search/search_internal.h"

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Passes the progress of a search on to the caller's function, and stores whether this function wants to stop the
 * search. */
typedef struct listener {
    const nnc_search_watch *watch;
    bool stopped;
} listener;

static bool pass_on(void *context, uint64_t covered, uint64_t space) {
    listener *l = context;
    l->stopped = l->watch->progress != NULL && !l->watch->progress(l->watch->context, covered, space);
    return !l->stopped;
}

static nnc_status search_one(const nnc_search_task *task, const nnc_search *search, nnc_search_result *result,
                             bool *stopped, nnc_error *err) {
    listener l = { .watch = &task->watch };
    const nnc_search_watch watch = { pass_on, &l };
    const nnc_status status =
        nnc_rank_group_search(task->ranks, task->model, task->device, task->profiles, search, &watch, result, err);
    *stopped = l.stopped;
    return status;
}

static void add_total(nnc_search_total *total, const nnc_search_result *result) {
    total->space += result->space;
    total->covered += result->covered;
    total->evaluated += result->evaluated;
    total->pruned += result->pruned;
    total->legal += result->legal;
    total->feasible += result->feasible;
}

/* ---- searches with several numbers of devices ---- */

/* Returns the time of a plan, or its device-hours if by_cost is true. If the length of the training run is known, the
 * result is for the whole run, because larger jobs fail more often; otherwise the result is for one step. */
static double spent(const nnc_found *found, bool by_cost) {
    return by_cost ? (isnan(found->device_hours) ? found->device_s : found->device_hours)
                   : (isnan(found->run_s) ? found->step_s : found->run_s);
}

/* Returns the index of the entry of `sizes` whose best plan has the smallest time, or the smallest number of
 * device-hours if by_cost is true; if entries are equal, the first entry. Returns -1 if no plan was found. */
static int32_t least(const nnc_search_size *sizes, int32_t count, bool by_cost) {
    int32_t best = -1;
    for (int32_t i = 0; i < count; i++) {
        const nnc_found *a = &sizes[i].best, *b = best < 0 ? NULL : &sizes[best].best;
        if (sizes[i].found && (b == NULL || spent(a, by_cost) < spent(b, by_cost))) { best = i; }
    }
    return best;
}

void nnc_search_rank_sizes(nnc_search_report *report) {
    report->fastest = least(report->sizes, report->size_count, false);
    report->cheapest = least(report->sizes, report->size_count, true);
}

/* Searches for the best plan on size->devices devices, and sets all members of *size except `devices`. If no plan is
 * legal, sets size->why to the reason and returns NNC_OK. */
static nnc_status search_size(const nnc_search_task *task, nnc_search_size *size, nnc_search_report *report,
                              nnc_error *err) {
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
    if (status != NNC_OK) { return nnc_fail(err, status, why.where, "%s", why.what); }
    size->found = result->best_count > 0;
    size->any_missed = result->any_missed;
    size->best = result->best[0];
    size->missed = result->missed;
    return NNC_OK;
}

static nnc_status search_sizes(const nnc_search_task *task, nnc_arena *arena, nnc_search_report *report,
                               nnc_error *err) {
    bool legal = false;
    report->size_asked = task->size_count;
    report->sizes = nnc_arena_array(arena, (size_t)task->size_count, sizeof *report->sizes);
    if (report->sizes == NULL) { return nnc_no_memory(err); }
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

/* ---- device parameters with which the step takes a target time ---- */

/* Finds the smallest memory capacity with which a plan of the Pareto front fits and its step takes at most step_s
 * seconds. If no plan is fast enough, the returned target has needed = NaN and the step time of the fastest plan. */
static nnc_target room_for(const nnc_search *search, const nnc_device *device, const nnc_search_result *r,
                           double step_s) {
    const int64_t now = search->mem_bytes > 0 ? search->mem_bytes : nnc_device_capacity(device);
    nnc_target target = { .figure = NNC_PARAMETER_MEM_BYTES,
                          .value = (double)now,
                          .needed = (double)NAN,
                          .step_s = r->pareto_count > 0 ? r->pareto[0].step_s : (double)NAN };
    for (int32_t i = 0; i < r->pareto_count && r->pareto[i].step_s <= step_s; i++) {
        target.needed = (double)r->pareto[i].memory_bytes;
        target.step_s = r->pareto[i].step_s;
    }
    return target;
}

static nnc_status find_levers(const nnc_search_task *task, const nnc_plan *plan, nnc_scratch *scratch,
                              nnc_search_report *report, nnc_error *err) {
    static const nnc_sensitivity_parameter figures[] = { NNC_PARAMETER_MATMUL, NNC_PARAMETER_MEM_RATE,
                                                         NNC_PARAMETER_SCALE_UP_RATE, NNC_PARAMETER_SCALE_OUT_RATE };
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        nnc_target *target = &report->targets[report->target_count];
        NNC_TRY(nnc_target_find(task->model, task->device,
                                nnc_profile_of(task->profiles, task->model, task->device, plan), plan, figures[i],
                                task->target_step_s, scratch, target, err));
        report->target_count += isnan(target->value) ? 0 : 1;
    }
    return NNC_OK;
}

/* For each device parameter, computes the value with which the step takes the target time if no other parameter
 * changes. If the best plan is slower than the target, also computes the memory capacity that a faster plan would
 * need. */
static nnc_status find_targets(const nnc_search_task *task, nnc_arena *arena, nnc_search_report *report,
                               nnc_error *err) {
    const nnc_search_result *found = report->result;
    report->target_step_s = task->target_step_s;
    if (found->best_count > 0) {
        nnc_scratch *scratch = nnc_scratch_create();
        const nnc_status status =
            scratch != NULL ? find_levers(task, &found->best[0].plan, scratch, report, err) : nnc_no_memory(err);
        nnc_scratch_destroy(scratch);
        NNC_TRY(status);
    }
    if (report->stopped || (found->best_count > 0 && found->best[0].step_s <= task->target_step_s)) { return NNC_OK; }
    nnc_search roomy = task->search;
    nnc_search_result *result = nnc_arena_alloc(arena, sizeof *result);
    if (result == NULL) { return nnc_no_memory(err); }
    roomy.mem_bytes = INT64_C(1) << 50;
    roomy.objective = NNC_OBJECTIVE_TIME;
    NNC_TRY(search_one(task, &roomy, result, &report->stopped, err));
    if (!report->stopped) {
        report->targets[report->target_count++] = room_for(&task->search, task->device, result, task->target_step_s);
    }
    return NNC_OK;
}

static nnc_status search_best(const nnc_search_task *task, nnc_search_report *report, nnc_error *err) {
    nnc_error why = { .status = NNC_OK };
    const nnc_status status = search_one(task, &task->search, report->result, &report->stopped, &why);
    add_total(&report->total, report->result);
    if (status == NNC_ILLEGAL_PLAN && task->search.shards > 0) { /* no plan of this shard is legal: no error, because
                                                                  * other shards of the search can have legal plans */
        report->why = why;
        return NNC_OK;
    }
    return status == NNC_OK ? NNC_OK : nnc_fail(err, status, why.where, "%s", why.what);
}

static const char *currency_of(const nnc_search_task *task) {
    const bool priced = !isnan(task->search.base.price) || task->device->price_count > 0;
    return priced ? nnc_price_currency(task->device) : NULL;
}

nnc_status nnc_search_task_run(nnc_search_task *task, nnc_arena *arena, nnc_search_report *report, nnc_error *err) {
    const double start = seconds();
    *report = (nnc_search_report){ .model = task->model,
                                   .device = task->device,
                                   .search = &task->search,
                                   .result = nnc_arena_alloc(arena, sizeof *report->result),
                                   .currency = currency_of(task),
                                   .fastest = -1,
                                   .cheapest = -1 };
    if (report->result == NULL) { return nnc_no_memory(err); }
    if (task->size_count > 0) {
        NNC_TRY(search_sizes(task, arena, report, err));
    } else {
        NNC_TRY(search_best(task, report, err));
    }
    if (task->target_step_s > 0.0) { NNC_TRY(find_targets(task, arena, report, err)); }
    report->elapsed_s = seconds() - start;
    return NNC_OK;
}

bool nnc_search_answered(const nnc_search_report *report) {
    return report->sizes != NULL ? report->fastest >= 0 : report->result->best_count > 0;
}

/* ---- searches over MPI ranks ---- */

#ifndef NNCOST_MPI

nnc_status nnc_rank_group_search(nnc_rank_group ranks, const nnc_model *model, const nnc_device *device,
                                 const nnc_profiles *profiles, const nnc_search *search, const nnc_search_watch *watch,
                                 nnc_search_result *result, nnc_error *err) {
    (void)ranks;
    return nnc_search_with(model, device, profiles, search, NULL, watch, result, err);
}

void nnc_rank_group_search_serve(nnc_rank_group ranks, const nnc_model *model, const nnc_device *device,
                                 const nnc_profiles *profiles, const nnc_run_ask *run, int32_t threads) {
    (void)ranks, (void)model, (void)device, (void)profiles, (void)run, (void)threads;
}

void nnc_rank_group_search_end(nnc_rank_group ranks) { (void)ranks; }

#else

#include <mpi.h>
#include <stdlib.h>

/* The code ignores the return values of MPI calls, because MPI by default ends all ranks when a call fails. */

enum { TAG_ASK = 1, TAG_RUN = 2, TAG_PART = 3 };

/* RUN_SHARE: a rank that asks for work gets 1 / (RUN_SHARE x ranks) of the blocks of plans that remain in the round. At
 * the start of a round a rank thus gets many blocks, so few messages are needed; near the end of a round it gets few
 * blocks, so all ranks finish at about the same time. */
enum { RUN_SHARE = 3 };

/* Number of blocks of plans that rank 0 evaluates before it looks for messages of other ranks again. If rank 0
 * evaluated fewer blocks, they would not be enough to fill a batch of pipelines for replay. */
enum { OWN_MOST = 16 };

/* Commands that MPI rank 0 sends to all other ranks of a search. */
typedef enum order { ORDER_SEARCH, ORDER_ROUND, ORDER_END_SEARCH, ORDER_END } order;

static void tell(order what) {
    int said = (int)what;
    nnc_rank_group_broadcast(&said, sizeof said);
}

static order next_order(void) {
    int said = 0;
    nnc_rank_group_broadcast(&said, sizeof said);
    return (order)said;
}

static size_t bytes_of(int32_t count) {
    /* the product cannot overflow, because a front has at most a few hundred plans */
    return (size_t)count * sizeof(nnc_found);
}

/* Copies the entries of rank 0's front that are in use to `front` on every other rank. Every rank must call this
 * function. */
static void share_front(nnc_front *front) {
    int counts[4] = { front->best_count, front->pareto_count, front->truncated, front->any_missed };
    nnc_rank_group_broadcast(counts, sizeof counts);
    front->best_count = counts[0];
    front->pareto_count = counts[1];
    front->truncated = counts[2] != 0;
    front->any_missed = counts[3] != 0;
    nnc_rank_group_broadcast(front->best, bytes_of(front->best_count));
    nnc_rank_group_broadcast(front->pareto, bytes_of(front->pareto_count));
    nnc_rank_group_broadcast(&front->missed, bytes_of(1));
}

/* First part of the message in which an MPI rank sends its outcome to rank 0. The plans of the rank's front follow in
 * two more messages. */
typedef struct part_head {
    uint64_t evaluated, pruned, legal, feasible;
    int32_t best_count, pareto_count;
    bool truncated, any_missed;
    nnc_found missed;
} part_head;

static void send_part(const nnc_search_part *part) {
    const nnc_front *front = &part->front;
    const part_head head = { .evaluated = part->evaluated,
                             .pruned = part->pruned,
                             .legal = part->legal,
                             .feasible = part->feasible,
                             .best_count = front->best_count,
                             .pareto_count = front->pareto_count,
                             .truncated = front->truncated,
                             .any_missed = front->any_missed,
                             .missed = front->missed };
    MPI_Send(&head, (int)sizeof head, MPI_BYTE, 0, TAG_PART, MPI_COMM_WORLD);
    MPI_Send(front->best, (int)bytes_of(front->best_count), MPI_BYTE, 0, TAG_PART, MPI_COMM_WORLD);
    MPI_Send(front->pareto, (int)bytes_of(front->pareto_count), MPI_BYTE, 0, TAG_PART, MPI_COMM_WORLD);
}

static void receive(void *to, size_t size, int rank) {
    MPI_Request request;
    MPI_Irecv(to, (int)size, MPI_BYTE, rank, TAG_PART, MPI_COMM_WORLD, &request);
    nnc_rank_group_wait(&request);
}

static void take_part(int rank, nnc_search_part *part) {
    nnc_front *front = &part->front;
    part_head head;
    receive(&head, sizeof head, rank);
    part->evaluated = head.evaluated;
    part->pruned = head.pruned;
    part->legal = head.legal;
    part->feasible = head.feasible;
    front->best_count = head.best_count;
    front->pareto_count = head.pareto_count;
    front->truncated = head.truncated;
    front->any_missed = head.any_missed;
    front->missed = head.missed;
    receive(front->best, bytes_of(head.best_count), rank);
    receive(front->pareto, bytes_of(head.pareto_count), rank);
}

/* The consecutive blocks of plans, at places `first` to `end` - 1, that rank 0 assigns to another rank. If first equals
 * end, the round has no more blocks. */
typedef struct places {
    uint64_t first, end;
} places;

/* Data that MPI rank 0 stores during a round of a search. */
typedef struct desk {
    nnc_rank_group ranks;
    const nnc_search *search;
    nnc_front *known;      /* front of rank 0 at the start of the round, which rank 0 sends to all other ranks */
    nnc_search_part *part; /* buffer into which rank 0 receives the outcome of another rank at the end of a round */
    nnc_searcher *own;     /* searcher that evaluates blocks on rank 0 while no other rank asks for work; NULL = rank 0
                            * only waits */
    nnc_space space;
} desk;

static bool any_asks(MPI_Status *from) {
    int there = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG_ASK, MPI_COMM_WORLD, &there, from);
    return there != 0;
}

/* Waits until another rank asks for work. *from is set to the status of its message, which names the rank. */
static void wait_for_asking(MPI_Status *from) {
    MPI_Request request;
    int there = 0;
    MPI_Irecv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, TAG_ASK, MPI_COMM_WORLD, &request);
    while (!there) {
        MPI_Test(&request, &there, from);
        if (!there) { nnc_rank_group_nap(); }
    }
}

static void hand_out(const desk *d, uint64_t first, uint64_t end, nnc_search_part *part) {
    const int helpers = d->ranks.size - 1;
    for (int idle = 0; idle < helpers;) {
        MPI_Status from;
        const uint64_t left = end - first;
        const uint64_t size = left / (uint64_t)(RUN_SHARE * d->ranks.size) + 1;
        places next = { first, first };
        if (d->own != NULL && left > 0 && !any_asks(&from)) {
            const uint64_t own = size < OWN_MOST ? size : OWN_MOST;
            nnc_searcher_work(d->own, d->known, first, first + own, part);
            first += own;
            continue;
        }
        wait_for_asking(&from);
        if (left > 0) {
            next.end = first = size < left ? first + size : end;
        } else {
            idle++;
        }
        MPI_Send(&next, (int)sizeof next, MPI_BYTE, from.MPI_SOURCE, TAG_RUN, MPI_COMM_WORLD);
    }
}

/* Runs one round of a search on rank 0: assigns blocks of plans to the other ranks and merges their outcomes.
 * lead_round is the function `work` of nnc_helpers for a search over MPI ranks. */
static void lead_round(void *context, const nnc_front *known, uint64_t first, uint64_t end, nnc_search_part *part) {
    desk *d = context;
    tell(ORDER_ROUND);
    nnc_front_copy(d->known, known);
    share_front(d->known);
    hand_out(d, first, end, part);
    for (int rank = 1; rank < d->ranks.size; rank++) {
        take_part(rank, d->part);
        nnc_search_part_add(part, d->search, d->part);
    }
}

nnc_status nnc_rank_group_search(nnc_rank_group ranks, const nnc_model *model, const nnc_device *device,
                                 const nnc_profiles *profiles, const nnc_search *search, const nnc_search_watch *watch,
                                 nnc_search_result *result, nnc_error *err) {
    nnc_search said = *search, alone = *search;
    desk d = { .ranks = ranks, .search = search };
    alone.threads = 1;
    if (ranks.size == 1) { return nnc_search_with(model, device, profiles, search, NULL, watch, result, err); }
    d.known = malloc(sizeof *d.known);
    d.part = malloc(sizeof *d.part);
    if (d.known == NULL || d.part == NULL) { nnc_rank_group_abort(ranks, NNC_NO_MEMORY); }
    if (nnc_space_make(model, device, &alone, &d.space, NULL) == NNC_OK) {
        d.own = nnc_searcher_create(model, device, profiles, &alone, &d.space);
    }
    const nnc_helpers helpers = { &d, lead_round };
    tell(ORDER_SEARCH);
    nnc_rank_group_broadcast(&said, sizeof said);
    const nnc_status status = nnc_search_with(model, device, profiles, search, &helpers, watch, result, err);
    tell(ORDER_END_SEARCH);
    nnc_searcher_destroy(d.own);
    free(d.known);
    free(d.part);
    return status;
}

void nnc_rank_group_search_end(nnc_rank_group ranks) {
    if (ranks.size > 1) { tell(ORDER_END); }
}

/* Runs one round of a search on an MPI rank other than 0: evaluates the blocks of plans that rank 0 assigns, and sends
 * the outcome to rank 0. */
static void serve_round(nnc_searcher *searcher, nnc_front *known, nnc_search_part *part) {
    places next;
    share_front(known);
    nnc_search_part_clear(part);
    for (;;) {
        MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_ASK, MPI_COMM_WORLD);
        MPI_Request request;
        MPI_Irecv(&next, (int)sizeof next, MPI_BYTE, 0, TAG_RUN, MPI_COMM_WORLD, &request);
        nnc_rank_group_wait(&request);
        if (next.first == next.end) { break; }
        nnc_searcher_work(searcher, known, next.first, next.end, part);
    }
    send_part(part);
}

void nnc_rank_group_search_serve(nnc_rank_group ranks, const nnc_model *model, const nnc_device *device,
                                 const nnc_profiles *profiles, const nnc_run_ask *run, int32_t threads) {
    nnc_front *known = calloc(1, sizeof *known);
    nnc_search_part *part = calloc(1, sizeof *part);
    nnc_searcher *searcher = NULL;
    nnc_search search;
    nnc_space space;
    if (known == NULL || part == NULL) { nnc_rank_group_abort(ranks, NNC_NO_MEMORY); }
    for (order what = next_order(); what != ORDER_END; what = next_order()) {
        if (what == ORDER_SEARCH) {
            nnc_rank_group_broadcast(&search, sizeof search);
            search.threads = threads;
            /* the pointer that rank 0 sent in the message is not valid in this process, so each rank uses its own copy
             * of the run */
            search.run = run;
        } else if (what == ORDER_END_SEARCH) {
            nnc_searcher_destroy(searcher);
            searcher = NULL;
        } else {
            /* The searcher is created in the first round of a search, not before, because rank 0 has then checked that
             * the space of the search is valid. */
            if (searcher == NULL && nnc_space_make(model, device, &search, &space, NULL) == NNC_OK) {
                searcher = nnc_searcher_create(model, device, profiles, &search, &space);
            }
            if (searcher == NULL) { nnc_rank_group_abort(ranks, NNC_NO_MEMORY); }
            serve_round(searcher, known, part);
        }
    }
    free(known);
    free(part);
}

#endif
