/* Shards of a search: the digest by which they know each other, reading them back, and merging them into the report that
 * one search would have given. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <nncost/nncost.h>

#include "base/base_internal.h"
#include "input/input_internal.h"
#include "search/search_internal.h"

/* ---- digest ---- */

static void add_number(uint64_t *digest, double number)
{
    uint64_t bits = 0;
    memcpy(&bits, &number, sizeof bits);
    *digest = nnc_digest_number(*digest, bits);
}

/* Hash the content of a file, not its path. */
static nnc_status add_file(nnc_specs *specs, uint64_t *digest, const char *path, nnc_error *err)
{
    uint64_t content = 0;
    const nnc_status status = path != NULL ? nnc_spec_digest(specs, path, &content, err) : NNC_OK;
    *digest = nnc_digest_number(*digest, content);
    return status;
}

static void add_plan(uint64_t *digest, const nnc_plan *plan)
{
    for (size_t i = 0; i < nnc_plan_table.count; i++) {
        char text[256];
        nnc_field_text(&nnc_plan_table.fields[i], plan, text, sizeof text);
        *digest = nnc_digest_text(*digest, text);
    }
}

static void add_run(uint64_t *digest, const nnc_run_ask *run)
{
    for (size_t i = 0; run != NULL && i < nnc_run_table.count; i++) {
        char text[256];
        nnc_field_text(&nnc_run_table.fields[i], run, text, sizeof text);
        *digest = nnc_digest_text(*digest, text);
    }
}

static void add_choices(uint64_t *digest, const nnc_search *search)
{
    enum { CHOICES = 11 };
    const nnc_choice *const choices[CHOICES] = {
        &search->tensor,         &search->pipeline,    &search->context, &search->expert,
        &search->virtual_stages, &search->micro_batch, &search->zero,    &search->sequence_parallel,
        &search->recompute,      &search->schedule,    &search->offload,
    };
    for (int i = 0; i < CHOICES; i++) {
        *digest = nnc_digest_number(*digest, (uint64_t)choices[i]->count);
        for (int32_t k = 0; k < choices[i]->count; k++) {
            *digest = nnc_digest_number(*digest, (uint64_t)choices[i]->values[k]);
        }
    }
}

static void add_search(uint64_t *digest, const nnc_search_task *task)
{
    const nnc_search *search = &task->search;
    add_plan(digest, &search->base);
    add_run(digest, search->run);
    add_choices(digest, search);
    *digest = nnc_digest_number(*digest, (uint64_t)search->mem_bytes);
    add_number(digest, search->deadline_s);
    add_number(digest, search->budget);
    *digest = nnc_digest_number(*digest, (uint64_t)search->objective);
    *digest = nnc_digest_number(*digest, (uint64_t)search->best);
    *digest = nnc_digest_number(*digest, search->no_prune);
    *digest = nnc_digest_number(*digest, (uint64_t)task->size_count);
    for (int32_t i = 0; i < task->size_count; i++) {
        *digest = nnc_digest_number(*digest, (uint64_t)task->sizes[i]);
    }
}

nnc_status nnc_search_digest(const nnc_search_task *task, nnc_specs *specs,
                             const char *const *files, int file_count, const char *const *texts,
                             int text_count, uint64_t *digest, nnc_error *err)
{
    *digest = nnc_digest_text(NNC_DIGEST_START, nnc_version());
    for (int i = 0; i < file_count; i++) {
        NNC_TRY(add_file(specs, digest, files[i], err));
    }
    for (int i = 0; i < text_count; i++) {
        *digest = nnc_digest_text(*digest, texts[i]);
    }
    add_search(digest, task);
    return NNC_OK;
}

/* ---- reading ---- */

enum { VALUES_MAX = 2000000 };

nnc_status nnc_search_shard_is(const char *path, bool *is, nnc_error *err)
{
    static const char key[] = "\"schema\"";
    char start[256];
    const int file = nnc_open_to_read(path);
    const ssize_t size = file >= 0 ? read(file, start, sizeof start - 1) : -1;
    if (size < 0) {
        nnc_fail(err, NNC_IO, path, "cannot %s: %s", file < 0 ? "open" : "read", strerror(errno));
    }
    if (file >= 0) {
        close(file);
    }
    if (size < 0) {
        return NNC_IO;
    }
    start[size] = '\0';
    const char *at = start + strspn(start, " \t\r\n");
    at += *at == '{' ? 1 : 0;
    at += strspn(at, " \t\r\n");
    *is = strncmp(at, key, strlen(key)) == 0;
    return NNC_OK;
}

static void read_plan(nnc_json at, nnc_plan *plan)
{
    *plan = nnc_plan_default();
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item);
         item = nnc_json_next(item)) {
        char number[NNC_NUMBER_TEXT];
        nnc_error why;
        const nnc_json_type type = nnc_json_type_of(item);
        const char *text = type == NNC_JSON_TEXT   ? nnc_json_text(item)
                           : type == NNC_JSON_BOOL ? (nnc_json_bool(item) ? "on" : "off")
                           : type == NNC_JSON_NUMBER
                               ? nnc_number_text(nnc_json_number(item), number)
                               : "";
        if (nnc_plan_set(plan, nnc_json_key(item), text, &why) != NNC_OK) {
            nnc_json_fault(item, NULL, "%s", why.what);
        }
    }
    if (plan->devices < 1 || plan->schedule == NNC_SCHEDULE_COUNT) {
        nnc_json_fault(at, plan->devices < 1 ? "devices" : "schedule",
                       "missing, expected that of the plan, found nothing");
    }
}

/* The plan is read through the plan's own fields. A plan needs a step time, which orders plans. */
static bool take(nnc_json object, const nnc_metric *row, nnc_json value, void *record)
{
    if (row->rows == &nnc_plan_choice_metrics && nnc_json_type_of(value) == NNC_JSON_OBJECT) {
        read_plan(value, (nnc_plan *)((char *)record + row->offset));
        return true;
    }
    if (strcmp(row->name, "step_s") == 0 && nnc_json_type_of(value) == NNC_JSON_NULL) {
        nnc_json_fault(object, row->name, "missing, expected a number, found null");
        return true;
    }
    return false;
}

static void read_part(nnc_json root, nnc_search *search)
{
    const nnc_json part = nnc_json_get(root, "shard");
    const char *text = nnc_json_type_of(part) == NNC_JSON_TEXT ? nnc_json_text(part) : "";
    char end = '\0';
    /* NOLINTNEXTLINE(cert-err34-c): what it read is checked */
    if (sscanf(text, "%d/%d%c", &search->shard, &search->shards, &end) != 2 || search->shard < 1 ||
        search->shard > search->shards || search->shards > NNC_SHARDS_MAX) {
        nnc_json_fault(root, "shard",
                       "not of a shard, expected \"I/N\" as 'nncost search --shard I/N --format "
                       "json' writes it");
    }
}

/* Derives the flags of a size from the members that are there. */
static void settle_size(nnc_search_size *size)
{
    size->found = size->best.plan.devices > 0;
    size->any_missed = size->missed.plan.devices > 0;
    size->why.status = size->why.what[0] != '\0' ? NNC_ILLEGAL_PLAN : NNC_OK;
}

static void read_root(nnc_json root, nnc_search_report *shard)
{
    const nnc_json schema = nnc_json_get(root, "schema");
    if (nnc_json_type_of(schema) != NNC_JSON_TEXT ||
        strcmp(nnc_json_text(schema), NNC_SEARCH_SCHEMA) != 0) {
        nnc_json_mismatch(schema, "not of a search", "\"" NNC_SEARCH_SCHEMA "\"");
        return;
    }
    read_part(root, shard->search);
    if (nnc_json_go_on(root) && nnc_json_type_of(nnc_json_get(root, "digest")) != NNC_JSON_TEXT) {
        nnc_json_fault(root, "digest", "missing, expected text, found nothing");
    }
    nnc_record_read(root, &nnc_search_document, shard, take);
    if (nnc_json_go_on(root) && shard->total.covered != shard->total.space) {
        nnc_json_fault(root, "covered", "was stopped, expected all %lld combinations, found %lld",
                       (long long)shard->total.space, (long long)shard->total.covered);
    }
    const int32_t best = shard->search->best;
    if (nnc_json_go_on(root) && (best < 1 || best > NNC_SEARCH_BEST_MAX)) {
        nnc_json_fault(root, "asked.best", "out of range, expected 1 to %d, found %d",
                       (int)NNC_SEARCH_BEST_MAX, (int)best);
    }
    shard->result->any_missed = shard->result->missed.plan.devices > 0;
    shard->why.status = shard->why.what[0] != '\0' ? NNC_ILLEGAL_PLAN : NNC_OK;
    for (int32_t i = 0; i < shard->size_count; i++) {
        settle_size(&shard->sizes[i]);
    }
}

/* Reads a shard into the arena. NNC_BAD_SPEC: the file is no shard, or its search was stopped before its end;
 * NNC_IO, NNC_NO_MEMORY. */
static nnc_status search_shard_read(nnc_arena *arena, const char *path, nnc_search_report *shard,
                                    nnc_error *err)
{
    char *text = NULL;
    size_t size = 0;
    *shard = (nnc_search_report){ .search = nnc_arena_alloc(arena, sizeof *shard->search),
                                  .result = nnc_arena_alloc(arena, sizeof *shard->result) };
    if (shard->search == NULL || shard->result == NULL) {
        return nnc_no_memory(err);
    }
    NNC_TRY(nnc_file_read(path, &text, &size, err));
    nnc_faults faults = { .name = path, .err = err };
    nnc_json_doc doc = {
        .faults = &faults, .arena = arena, .text = text, .size = size, .values_max = VALUES_MAX
    };
    if (nnc_json_parse(&doc)) {
        read_root(nnc_json_root(&doc), shard);
    }
    nnc_json_free(&doc);
    free(text);
    return faults.status;
}

/* ---- merging ---- */

/* Running total over the shards read. */
typedef struct merger {
    nnc_shard_set seen;
    nnc_search_report *sum;
    nnc_front front, next; /* of the sum, and of the next shard */
} merger;

static void add_total(nnc_search_total *sum, const nnc_search_total *more)
{
    sum->space += more->space;
    sum->covered += more->covered;
    sum->evaluated += more->evaluated;
    sum->pruned += more->pruned;
    sum->legal += more->legal;
    sum->feasible += more->feasible;
}

/* No plan is legal only when that is so in every shard. Shard 1 has the simplest plan, so its reason is kept. */
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

static nnc_status read_shards(merger *m, nnc_arena *arena, char *const *paths, int count,
                              nnc_error *err)
{
    for (int i = 0; i < count; i++) {
        nnc_search_report next, *shard = i == 0 ? m->sum : &next; /* its texts are in the arena */
        NNC_TRY(search_shard_read(arena, paths[i], shard, err));
        const nnc_shard number = { shard->search->shard, shard->search->shards };
        NNC_TRY(nnc_shard_set_add(&m->seen, paths[i], shard->digest, number, err));
        if (i == 0) {
            nnc_front_of(shard->result, &m->front);
        } else if (shard->size_count != m->sum->size_count) { /* the file was edited */
            return nnc_fail(err, NNC_BAD_SPEC, paths[i], "holds a shard of another search than %s",
                            paths[0]);
        } else {
            merge_shard(m, shard);
        }
    }
    return nnc_shard_set_complete(&m->seen, err);
}

/* A search without a legal plan is an error, with or without shards. */
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
    m->seen.kind = "search";
    const nnc_status status = read_shards(m, arena, paths, count, err);
    nnc_shard_set_free(&m->seen);
    NNC_TRY(status);
    if (digest != NULL && strcmp(report->digest, digest) != 0) {
        return nnc_fail(err, NNC_BAD_SPEC, paths[0],
                        "holds a shard of another search than this one");
    }
    NNC_TRY(check_legal(report, err));
    nnc_front_result(&m->front, report->result);
    report->size_asked = report->size_count;
    report->digest = NULL; /* no longer a shard */
    report->search->shard = report->search->shards = 0;
    nnc_search_rank_sizes(report);
    return NNC_OK;
}
