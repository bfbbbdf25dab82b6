#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/search/search_ask.h"
#include "cli/search/search_shard.h"

/* What the shards read so far come to. */
typedef struct merger {
    nnc_arena *arena;
    const char *first_path;
    const char **paths; /* file of each shard; NULL = not read yet */
    nnc_search_shard sum;
    nnc_search_shard next;
    nnc_search_result result;
} merger;

static nnc_status check_shard(const merger *m, const char *path, nnc_error *err)
{
    const nnc_search_shard *a = &m->sum, *b = &m->next;
    if (strcmp(a->digest, b->digest) != 0 || a->shard.of != b->shard.of ||
        a->size_count != b->size_count) {
        return nnc_fail(err, NNC_BAD_SPEC, path, "holds a shard of another search than %s",
                        m->first_path);
    }
    const char *twin = m->paths[b->shard.number - 1];
    return twin == NULL ? NNC_OK
                        : nnc_fail(err, NNC_BAD_SPEC, path, "is shard %lld/%lld, as is %s",
                                   (long long)b->shard.number, (long long)b->shard.of, twin);
}

static void add_total(nnc_search_total *sum, const nnc_search_total *more)
{
    sum->space += more->space;
    sum->covered += more->covered;
    sum->evaluated += more->evaluated;
    sum->pruned += more->pruned;
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

static void merge_shard(merger *m)
{
    nnc_search_shard *a = &m->sum;
    const nnc_search_shard *b = &m->next;
    const bool first_shard = b->shard.number == 1;
    add_total(&a->total, &b->total);
    a->elapsed_s = b->elapsed_s > a->elapsed_s ? b->elapsed_s : a->elapsed_s;
    a->threads += b->threads;
    nnc_front_merge(&a->front, a->objective, a->best, &b->front);
    merge_why(&a->why, &b->why, first_shard);
    for (int32_t i = 0; i < a->size_count; i++) {
        merge_size(a->objective, &a->sizes[i], &b->sizes[i], first_shard);
    }
}

static nnc_status read_shards(merger *m, char *const *inputs, int count, nnc_error *err)
{
    for (int i = 0; i < count; i++) {
        nnc_status status = nnc_search_shard_read(m->arena, inputs[i], &m->next, err);
        if (status != NNC_OK) {
            return status;
        }
        if (i == 0) {
            m->sum = m->next;
            m->first_path = inputs[0];
            m->paths = calloc((size_t)m->next.shard.of, sizeof *m->paths);
            if (m->paths == NULL) {
                return nnc_no_memory(err);
            }
        } else {
            status = check_shard(m, inputs[i], err);
            if (status != NNC_OK) {
                return status;
            }
            merge_shard(m);
        }
        m->paths[m->next.shard.number - 1] = inputs[i];
    }
    const long long all = m->sum.shard.of;
    for (long long i = 1; i <= all; i++) {
        if (m->paths[i - 1] == NULL) {
            return nnc_fail(err, NNC_BAD_USAGE, "merge",
                            "expected all %lld shards, found %d: shard %lld/%lld is missing", all,
                            count, i, all);
        }
    }
    return NNC_OK;
}

/* Where no plan is legal the search is an error, as it is without shards. */
static nnc_status check_legal(const nnc_search_shard *sum, nnc_error *err)
{
    const nnc_error *why = sum->size_count > 0 ? &sum->sizes[0].why : &sum->why;
    for (int32_t i = 0; i < sum->size_count; i++) {
        if (sum->sizes[i].why.status == NNC_OK) {
            return NNC_OK;
        }
    }
    return why->status == NNC_OK ? NNC_OK : nnc_fail(err, why->status, why->where, "%s", why->what);
}

static bool is_csv(const char *path)
{
    const size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".csv") == 0;
}

static nnc_status write_sum(nnc_session *session, merger *m, const char *out, nnc_error *err)
{
    nnc_search_shard *sum = &m->sum;
    const nnc_search search = { .objective = sum->objective,
                                .best = sum->best,
                                .threads = sum->threads };
    const nnc_style style = { .format = is_csv(out) ? &nnc_format_csv : &nnc_format_json };
    nnc_search_report report = {
        .search = &search, .result = &m->result, .total = sum->total, .elapsed_s = sum->elapsed_s
    };
    nnc_status status = check_legal(sum, err);
    if (status != NNC_OK) {
        return status;
    }
    nnc_front_result(&sum->front, &m->result);
    if (sum->size_count > 0) {
        report.sizes = sum->sizes;
        report.size_count = report.size_asked = sum->size_count;
        nnc_search_sizes_rank(&report);
    }
    nnc_report_search(session->out, style, &report);
    session->options.output = out;
    session->exit_code = nnc_search_answer(&report);
    return status;
}

nnc_status nnc_search_merge(nnc_session *session, const char *out, char *const *inputs, int count,
                            nnc_error *err)
{
    nnc_status status = NNC_NO_MEMORY;
    merger *m = calloc(1, sizeof *m);
    if (m == NULL) {
        return nnc_no_memory(err);
    }
    m->arena = nnc_arena_create();
    if (m->arena == NULL) {
        nnc_no_memory(err);
        goto done;
    }
    status = read_shards(m, inputs, count, err);
    if (status == NNC_OK) {
        status = write_sum(session, m, out, err);
    }
done:
    nnc_arena_destroy(m->arena);
    free(m->paths);
    free(m);
    return status;
}
