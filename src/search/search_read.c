/* Shards of a search, read back. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/number.h"
#include "input/field.h"
#include "input/file.h"
#include "input/record_read.h"
#include "search/search_task.h"

enum { VALUES_MAX = 2000000 };

nnc_status nnc_search_shard_is(const char *path, bool *is, nnc_error *err)
{
    static const char key[] = "\"schema\"";
    char start[256];
    const int file = open(path, O_RDONLY | O_CLOEXEC);
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

/* A plan is read by its own fields, and plans are put in order by their step times. */
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

/* What there is says so by what it holds. */
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

nnc_status nnc_search_shard_read(nnc_arena *arena, const char *path, nnc_search_report *shard,
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
