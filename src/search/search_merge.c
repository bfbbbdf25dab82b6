/* Shards of a search, put together. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "search/search_task.h"

/* What the shards read so far come to. */
typedef struct merger {
    const char *first_path;
    const char **paths; /* file of each shard; NULL = not read yet */
    nnc_search_report *sum;
    nnc_front front, next; /* of the sum, and of the next shard */
} merger;

static nnc_status check_shard(const merger *m, const nnc_search_report *shard, const char *path,
                              nnc_error *err)
{
    const nnc_search_report *sum = m->sum;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): it is not NULL here */
    const int32_t number = shard->search->shard, of = shard->search->shards;
    if (strcmp(sum->digest, shard->digest) != 0 || sum->search->shards != of ||
        sum->size_count != shard->size_count) {
        return nnc_fail(err, NNC_BAD_SPEC, path, "holds a shard of another search than %s",
                        m->first_path);
    }
    const char *twin = m->paths[number - 1];
    return twin == NULL ? NNC_OK
                        : nnc_fail(err, NNC_BAD_SPEC, path, "is shard %d/%d, as is %s", (int)number,
                                   (int)of, twin);
}

static void add_total(nnc_search_total *sum, const nnc_search_total *more)
{
    sum->space += more->space;
    sum->covered += more->covered;
    sum->evaluated += more->evaluated;
    sum->pruned += more->pruned;
    sum->legal += more->legal;
    sum->feasible += more->feasible;
}

/* A rule forbids all plans only when it does so in every shard; shard 1 has the simplest plan. */
static void merge_why(nnc_error *sum, const nnc_error *more, bool first_shard)
{
    if (more->status == NNC_OK || (first_shard && sum->status != NNC_OK)) {
        *sum = *more;
    }
}

static void merge_size(nnc_objective objective, nnc_search_size *sum, const nnc_search_size *more,
                       bool first_shard)
{
    add_total(&sum->total, &more->total);
    merge_why(&sum->why, &more->why, first_shard);
    if (more->found && (!sum->found || nnc_found_before(objective, &more->best, &sum->best))) {
        sum->best = more->best;
        sum->found = true;
    }
    if (more->any_missed &&
        (!sum->any_missed || nnc_found_before(NNC_OBJECTIVE_TIME, &more->missed, &sum->missed))) {
        sum->missed = more->missed;
        sum->any_missed = true;
    }
}

static void merge_shard(merger *m, const nnc_search_report *shard)
{
    nnc_search_report *sum = m->sum;
    const nnc_search *search = sum->search;
    const bool first_shard = shard->search->shard == 1;
    add_total(&sum->total, &shard->total);
    sum->elapsed_s = shard->elapsed_s > sum->elapsed_s ? shard->elapsed_s : sum->elapsed_s;
    sum->search->threads += shard->search->threads;
    nnc_front_of(shard->result, &m->next);
    nnc_front_merge(&m->front, search->objective, search->best, &m->next);
    merge_why(&sum->why, &shard->why, first_shard);
    for (int32_t i = 0; i < sum->size_count; i++) {
        merge_size(search->objective, &sum->sizes[i], &shard->sizes[i], first_shard);
    }
}

static nnc_status read_first(merger *m, nnc_arena *arena, const char *path, nnc_error *err)
{
    NNC_TRY(nnc_search_shard_read(arena, path, m->sum, err));
    m->first_path = path;
    m->paths = nnc_arena_array(arena, (size_t)m->sum->search->shards, sizeof *m->paths);
    nnc_front_of(m->sum->result, &m->front);
    return m->paths != NULL ? NNC_OK : nnc_no_memory(err);
}

static nnc_status read_shards(merger *m, nnc_arena *arena, char *const *paths, int count,
                              nnc_error *err)
{
    NNC_TRY(read_first(m, arena, paths[0], err));
    const int all = m->sum->search->shards;
    m->paths[m->sum->search->shard - 1] = paths[0];
    for (int i = 1; i < count; i++) {
        nnc_search_report shard; /* its texts are those of the plans that the sum keeps */
        NNC_TRY(nnc_search_shard_read(arena, paths[i], &shard, err));
        NNC_TRY(check_shard(m, &shard, paths[i], err));
        merge_shard(m, &shard);
        m->paths[shard.search->shard - 1] = paths[i];
    }
    for (int i = 1; i <= all; i++) {
        if (m->paths[i - 1] == NULL) {
            return nnc_fail(err, NNC_BAD_USAGE, "merge",
                            "expected all %d shards, found %d: shard %d/%d is missing", all, count,
                            i, all);
        }
    }
    return NNC_OK;
}

/* Where no plan is legal the search is an error, as it is without shards. */
static nnc_status check_legal(const nnc_search_report *sum, nnc_error *err)
{
    const nnc_error *why =
        sum->sizes != NULL && sum->size_count > 0 ? &sum->sizes[0].why : &sum->why;
    for (int32_t i = 0; i < sum->size_count; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): it is not NULL here */
        if (sum->sizes[i].why.status == NNC_OK) {
            return NNC_OK;
        }
    }
    return why->status == NNC_OK ? NNC_OK : nnc_fail(err, why->status, why->where, "%s", why->what);
}

nnc_status nnc_search_merge(nnc_arena *arena, char *const *paths, int count, const char *digest,
                            nnc_search_report *report, nnc_error *err)
{
    merger *m = nnc_arena_alloc(arena, sizeof *m);
    if (m == NULL) {
        return nnc_no_memory(err);
    }
    m->sum = report;
    NNC_TRY(read_shards(m, arena, paths, count, err));
    if (digest != NULL && strcmp(report->digest, digest) != 0) {
        return nnc_fail(err, NNC_BAD_SPEC, paths[0],
                        "holds a shard of another search than is asked for");
    }
    NNC_TRY(check_legal(report, err));
    nnc_front_result(&m->front, report->result);
    report->size_asked = report->size_count;
    report->digest = NULL; /* all of the search */
    report->search->shard = report->search->shards = 0;
    nnc_search_rank_sizes(report);
    return NNC_OK;
}
