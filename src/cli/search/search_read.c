#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/names.h"
#include "base/number.h"
#include "cli/search/search_ask.h"
#include "cli/search/search_shard.h"
#include "input/file.h"
#include "input/json.h"

/* Whole numbers that a double holds exactly. */
#define WHOLE_MAX 9007199254740992.0

enum { VALUES_MAX = 2000000 };

bool nnc_search_shard_is(const char *path)
{
    static const char key[] = "\"schema\"";
    char start[256];
    FILE *file = fopen(path, "rb");
    const size_t size = file != NULL ? fread(start, 1, sizeof start - 1, file) : 0;
    if (file != NULL) {
        fclose(file);
    }
    start[size] = '\0';
    const char *at = start + strspn(start, " \t\r\n");
    at += *at == '{' ? 1 : 0;
    at += strspn(at, " \t\r\n");
    return size > 0 && strncmp(at, key, strlen(key)) == 0;
}

/* A member of a type; a fault, and node NULL, when there is none. */
static nnc_json member(nnc_json at, const char *key, nnc_json_type type, const char *expected)
{
    const nnc_json value = nnc_json_get(at, key);
    if (nnc_json_type_of(value) == type) {
        return value;
    }
    if (nnc_json_type_of(value) == NNC_JSON_ABSENT) {
        nnc_json_fault(at, key, "missing, expected %s, found nothing", expected);
    } else {
        nnc_json_mismatch(value, "wrong type", expected);
    }
    return (nnc_json){ at.doc, NULL };
}

static int64_t read_whole(nnc_json at, const char *key, double least, double most)
{
    const nnc_json value = member(at, key, NNC_JSON_NUMBER, "a whole number");
    const double number = value.node != NULL ? nnc_json_number(value) : least;
    if (!(number >= least && number <= most && floor(number) >= number)) {
        nnc_json_mismatch(value, "out of range", "a whole number as a search writes it");
        return (int64_t)least;
    }
    return (int64_t)number;
}

static const char *read_text(nnc_json at, const char *key)
{
    const nnc_json value = member(at, key, NNC_JSON_TEXT, "text");
    return value.node != NULL ? nnc_json_text(value) : "";
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
    if (plan->schedule == NNC_SCHEDULE_COUNT) {
        nnc_json_fault(at, "schedule", "missing, expected the plan's schedule, found nothing");
    }
}

static void read_found(nnc_json at, nnc_found *found)
{
    const struct {
        const char *key;
        double *value;
    } figures[] = {
        { "mfu", &found->mfu },
        { "tokens_per_s", &found->tokens_per_s },
        { "bubble_share", &found->bubble_share },
        { "exposed_comm_s", &found->exposed_comm_s },
        { "device_s", &found->device_s },
        { "cost_step", &found->cost_step },
        { "run_s", &found->run_s },
        { "device_hours", &found->device_hours },
        { "cost_run", &found->cost_run },
    };
    *found = (nnc_found){ .plan = nnc_plan_default() };
    const nnc_json plan = member(at, "plan", NNC_JSON_OBJECT, "an object");
    if (plan.node != NULL) {
        read_plan(plan, &found->plan);
    }
    const nnc_json step = member(at, "step_s", NNC_JSON_NUMBER, "a number");
    found->step_s = step.node != NULL ? nnc_json_number(step) : 0.0;
    found->index = (uint64_t)read_whole(at, "index", 0, WHOLE_MAX);
    found->memory_bytes = read_whole(at, "memory_bytes", 0, WHOLE_MAX);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const nnc_json value = nnc_json_get(at, figures[i].key);
        *figures[i].value =
            nnc_json_type_of(value) == NNC_JSON_NUMBER ? nnc_json_number(value) : (double)NAN;
    }
}

static int32_t read_list(nnc_json at, const char *key, nnc_found *list, int32_t most)
{
    const nnc_json values = member(at, key, NNC_JSON_LIST, "a list");
    int32_t count = 0;
    for (nnc_json item = nnc_json_first(values); item.node != NULL && nnc_json_go_on(item);
         item = nnc_json_next(item)) {
        if (count == most) {
            nnc_json_fault(at, key, "too long, expected at most %d plans", (int)most);
            break;
        }
        read_found(item, &list[count++]);
    }
    return count;
}

static void read_why(nnc_json at, nnc_error *why)
{
    const nnc_json illegal = nnc_json_get(at, "illegal");
    *why = (nnc_error){ .status = NNC_OK };
    if (nnc_json_type_of(illegal) == NNC_JSON_OBJECT) {
        (void)nnc_fail(why, NNC_ILLEGAL_PLAN, read_text(illegal, "where"), "%s",
                       read_text(illegal, "what"));
    }
}

/* The plan at a key that may be null. */
static bool read_one(nnc_json at, const char *key, nnc_found *found)
{
    const nnc_json value = nnc_json_get(at, key);
    const bool there = nnc_json_type_of(value) == NNC_JSON_OBJECT;
    if (there) {
        read_found(value, found);
    }
    return there;
}

static void read_sizes(nnc_json at, nnc_search_shard *shard)
{
    const int count = nnc_json_count(at);
    shard->sizes =
        nnc_arena_array(at.doc->arena, (size_t)(count > 0 ? count : 1), sizeof *shard->sizes);
    if (shard->sizes == NULL) {
        nnc_faults_no_memory(at.doc->faults);
        return;
    }
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item);
         item = nnc_json_next(item)) {
        nnc_search_size *size = &shard->sizes[shard->size_count++];
        *size = (nnc_search_size){
            .devices = (int32_t)read_whole(item, "devices", 1, INT32_MAX),
            .total.space = (uint64_t)read_whole(item, "space", 0, WHOLE_MAX),
            .total.evaluated = (uint64_t)read_whole(item, "evaluated", 0, WHOLE_MAX),
            .total.feasible = (uint64_t)read_whole(item, "feasible", 0, WHOLE_MAX),
        };
        size->found = read_one(item, "best", &size->best);
        size->any_missed = read_one(item, "missed", &size->missed);
        read_why(item, &size->why);
    }
}

static nnc_objective read_objective(nnc_json at)
{
    const char *text = read_text(at, "objective");
    const int objective =
        nnc_names_find((nnc_names){ nnc_objective_name, NNC_OBJECTIVE_COUNT }, text);
    if (objective < 0) {
        nnc_json_fault(at, "objective", "unknown value, expected time, memory or cost");
        return NNC_OBJECTIVE_TIME;
    }
    return (nnc_objective)objective;
}

static void read_asked(nnc_json root, nnc_search_shard *shard)
{
    const nnc_json which = nnc_json_get(root, "shard");
    if (nnc_json_type_of(which) != NNC_JSON_TEXT ||
        nnc_shard_read(nnc_json_text(which), &shard->shard, NULL) != NNC_OK) {
        nnc_json_fault(root, "shard",
                       "not of a shard, expected \"I/N\" as 'nncost search --shard I/N --format "
                       "json' writes it");
        return;
    }
    snprintf(shard->digest, sizeof shard->digest, "%s", read_text(root, "digest"));
    const nnc_json asked = member(root, "asked", NNC_JSON_OBJECT, "an object");
    if (asked.node != NULL) {
        shard->objective = read_objective(asked);
        shard->best = (int32_t)read_whole(asked, "best", 1, NNC_SEARCH_BEST_MAX);
    }
}

static void read_totals(nnc_json root, nnc_search_shard *shard)
{
    const nnc_json elapsed = member(root, "elapsed_s", NNC_JSON_NUMBER, "a number");
    nnc_search_total *t = &shard->total;
    t->space = (uint64_t)read_whole(root, "space", 0, WHOLE_MAX);
    t->covered = (uint64_t)read_whole(root, "covered", 0, WHOLE_MAX);
    t->evaluated = (uint64_t)read_whole(root, "evaluated", 0, WHOLE_MAX);
    t->pruned = (uint64_t)read_whole(root, "pruned", 0, WHOLE_MAX);
    t->feasible = (uint64_t)read_whole(root, "feasible", 0, WHOLE_MAX);
    shard->elapsed_s = elapsed.node != NULL ? nnc_json_number(elapsed) : 0.0;
    shard->threads = (int32_t)read_whole(root, "threads", 1, NNC_SEARCH_THREADS_MAX);
}

static void read_root(nnc_json root, nnc_search_shard *shard)
{
    const nnc_json schema = nnc_json_get(root, "schema");
    nnc_front *front = &shard->front;
    if (nnc_json_type_of(schema) != NNC_JSON_TEXT ||
        strcmp(nnc_json_text(schema), NNC_SEARCH_SCHEMA) != 0) {
        nnc_json_mismatch(schema, "not of a search", "\"" NNC_SEARCH_SCHEMA "\"");
        return;
    }
    read_asked(root, shard);
    if (nnc_json_go_on(root)) {
        read_totals(root, shard);
    }
    if (nnc_json_go_on(root) && shard->total.covered != shard->total.space) {
        nnc_json_fault(root, "covered", "was stopped, expected all %lld combinations, found %lld",
                       (long long)shard->total.space, (long long)shard->total.covered);
    }
    const nnc_json sizes = nnc_json_get(root, "sizes");
    if (nnc_json_type_of(sizes) == NNC_JSON_LIST) {
        read_sizes(sizes, shard);
        return;
    }
    front->best_count = read_list(root, "best", front->best, NNC_SEARCH_BEST_MAX);
    front->pareto_count = read_list(root, "pareto", front->pareto, NNC_PARETO_MAX);
    front->truncated = nnc_json_bool(nnc_json_get(root, "pareto_truncated"));
    front->any_missed = read_one(root, "missed", &front->missed);
    read_why(root, &shard->why);
}

nnc_status nnc_search_shard_read(nnc_arena *arena, const char *path, nnc_search_shard *shard,
                                 nnc_error *err)
{
    char *text = NULL;
    size_t size = 0;
    memset(shard, 0, sizeof *shard);
    nnc_status status = nnc_file_read(path, &text, &size, err);
    if (status != NNC_OK) {
        return status;
    }
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
