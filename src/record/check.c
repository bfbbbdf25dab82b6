/* Functions of `nncost check`. The command estimates the scenarios of a plan file again, compares the results with the
 * recorded estimates, finds the causes of changes, checks the requirements, and records the new estimates. All
 * scenarios share the memory of the lists of values and changes; values that the report needs later are copied to the
 * arena. */
#include <errno.h>
#include <sys/stat.h>

#include <nncost/nncost.h>

#include "base/base_internal.h"
#include "estimate/estimate_internal.h"
#include "input/input_internal.h"
#include "record/record_internal.h"
#include "scenario/scenario_internal.h"

enum { NNC_CAUSES_MAX = NNC_REF_COUNT + 3 };

/* Digests of the model, device, profile and cluster files that the scenarios of a plan file name. nncost computes the
 * digest of each file once. */
typedef struct nnc_origins {
    nnc_specs *specs;
    nnc_arena *arena;
    nnc_recorded_digest *list;
    int32_t count, capacity;
    int32_t next_plan; /* index of the recorded digest at which find_plan begins to search for the plan of the next
                        * scenario */
} nnc_origins;

/* ---- finds the causes of changed values ---- */

static const char plan_kind[] = "plan";

static const char *find(const nnc_recorded_digest *list, int32_t count, const char *kind, const char *name) {
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, name) == 0 && strcmp(list[i].kind, kind) == 0) { return list[i].digest; }
    }
    return NULL;
}

/* Finds the recorded digest of a scenario's plan. The digests of plans are recorded in the order of the scenarios, so
 * the search begins after the digest that the last search found. */
static const char *find_plan(const nnc_recorded *recorded, const char *id, int32_t *next) {
    for (int32_t i = 0; i < recorded->digest_count; i++) {
        const nnc_recorded_digest *digest = &recorded->digests[(*next + i) % recorded->digest_count];
        if (strcmp(digest->name, id) == 0 && strcmp(digest->kind, plan_kind) == 0) {
            *next = (int32_t)(digest - recorded->digests) + 1;
            return digest->digest;
        }
    }
    return NULL;
}

static nnc_status add(nnc_origins *origins, const char *kind, const char *name, const char *path, nnc_error *err) {
    char text[NNC_DIGEST_TEXT];
    uint64_t digest = 0;
    NNC_TRY(nnc_spec_digest(origins->specs, path, &digest, err));
    nnc_recorded_digest *list =
        nnc_arena_grow(origins->arena, origins->list, origins->count, &origins->capacity, sizeof *list);
    NNC_GOT(list, err);
    origins->list = list;
    const char *copy = nnc_arena_strdup(origins->arena, nnc_digest_print(digest, text));
    /* the list gets a copy of the name, because the next scenario may overwrite `name` */
    const char *own = nnc_arena_strdup(origins->arena, name);
    NNC_GOT(copy, err);
    NNC_GOT(own, err);
    origins->list[origins->count++] = (nnc_recorded_digest){ kind, own, copy };
    return NNC_OK;
}

/* Returns the id or path by which a scenario names its file of one kind (model, device ...). For a software profile
 * that nncost chose, returns the id of this profile. Returns NULL if the scenario names no file of this kind. */
static const char *name_of(const nnc_plans_scenario *from, const nnc_scenario *scenario, int kind) {
    const char *name = from->refs[kind];
    return kind == NNC_REF_SOFTWARE && nnc_software_is_chosen(name) ? scenario->software.id : name;
}

/* Adds the digests of the files that a loaded scenario uses (model, device, profile, cluster) to the list, unless the
 * list already has them. */
static nnc_status origins_add(nnc_origins *origins, const nnc_plans_scenario *from, const nnc_scenario *scenario,
                              nnc_error *err) {
    const char *const paths[NNC_REF_COUNT] = { scenario->model.path, scenario->device.path, scenario->software.path,
                                               scenario->report.cluster };
    nnc_status status = NNC_OK;
    for (int i = 0; i < NNC_REF_COUNT && status == NNC_OK; i++) {
        const char *kind = nnc_plans_ref_names[i], *name = name_of(from, scenario, i);
        /* A spec without a path is built into the program and needs no digest: it changes only if the version of nncost
         * changes. */
        if (name != NULL && paths[i] != NULL && find(origins->list, origins->count, kind, name) == NULL) {
            status = add(origins, kind, name, paths[i], err);
        }
    }
    return status;
}

static int kind_of(const nnc_recorded_digest *digest) {
    int kind = 0;
    while (kind < NNC_REF_COUNT && strcmp(nnc_plans_ref_names[kind], digest->kind) != 0) { kind++; }
    return kind;
}

static int by_kind(const void *a, const void *b) {
    const nnc_recorded_digest *left = a, *right = b;
    const int kinds = kind_of(left) - kind_of(right);
    return kinds != 0 ? kinds : strcmp(left->name, right->name);
}

/* Returns all digests in the order in which they are recorded: first the digests of files, sorted by kind and name,
 * then the digests of plans, in the order of the plan file. NULL when out of memory. */
static const nnc_recorded_digest *origins_sorted(const nnc_origins *origins, const nnc_plans *plans, int32_t *count) {
    const size_t files = (size_t)origins->count, all = files + (size_t)plans->scenario_count;
    nnc_recorded_digest *list = nnc_arena_array(origins->arena, all, sizeof *list);
    if (list == NULL) { return NULL; }
    if (files > 0) {
        memcpy(list, origins->list, files * sizeof *list);
        qsort(list, files, sizeof *list, by_kind);
    }
    for (size_t i = files; i < all; i++) {
        const nnc_plans_scenario *scenario = &plans->scenarios[i - files];
        char text[NNC_DIGEST_TEXT];
        nnc_digest_print(scenario->digest, text);
        list[i] = (nnc_recorded_digest){ plan_kind, scenario->id, nnc_arena_strdup(origins->arena, text) };
        if (list[i].digest == NULL) { return NULL; }
    }
    *count = (int32_t)all;
    return list;
}

static bool say(const nnc_origins *origins, const char **causes, nnc_check_row *row, const char *text) {
    causes[row->cause_count] = nnc_arena_strdup(origins->arena, text);
    return causes[row->cause_count++] != NULL;
}

/* Tests whether a changed value is a setting that the scenario itself states: a field of the plan, or the id of its
 * model or device. If only the new estimate has the value, the result is true only for plan.overrides and
 * plan.cluster. */
static bool is_of_plan(const nnc_change *change) {
    const char *name = nnc_change_name(change);
    if (change->kind == NNC_CHANGE_NEW) {
        return strcmp(name, "plan.overrides") == 0 || strcmp(name, "plan.cluster") == 0;
    }
    return strncmp(name, "plan.", 5) == 0 || strcmp(name, "device.id") == 0 || strcmp(name, "model.id") == 0;
}

/* Writes the changed fields of a plan as text: "plan: micro_batch 1 -> 2, zero 0 -> 1". */
static void plan_text(const nnc_check_row *row, char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "plan");
    const size_t head = used;
    for (int32_t i = 0; i < row->change_count && used < size; i++) {
        const nnc_change *change = &row->changes[i];
        const char *name = nnc_change_name(change);
        if (is_of_plan(change)) {
            const nnc_change_text pair = nnc_change_text_of(change);
            used += (size_t)snprintf(text + used, size - used, "%s %s %s -> %s", used == head ? ":" : ",",
                                     strncmp(name, "plan.", 5) == 0 ? name + 5 : name, pair.old, pair.now);
        }
    }
    if (used == head) { snprintf(text, size, "plan: changed in the file"); }
}

/* Lists the causes of a scenario's changed values in row->causes. A cause is a changed plan, a changed file (found by
 * its digest), or another version of nncost or of its conventions. If plan, files, version and conventions are equal,
 * the cause is another build of nncost. Returns false when out of memory. */
static bool causes_find(nnc_origins *origins, const nnc_plans_scenario *from, const nnc_scenario *scenario,
                        const nnc_recorded *recorded, nnc_check_row *row) {
    const char **causes = nnc_arena_array(origins->arena, NNC_CAUSES_MAX, sizeof *causes);
    char text[256], digest[NNC_DIGEST_TEXT];
    bool said = causes != NULL;
    if (!said) { return false; }
    const char *old = find_plan(recorded, from->id, &origins->next_plan);
    if (old != NULL && strcmp(old, nnc_digest_print(from->digest, digest)) != 0) {
        plan_text(row, text, sizeof text);
        said = say(origins, causes, row, text);
    }
    for (int i = 0; i < NNC_REF_COUNT && said; i++) {
        const char *kind = nnc_plans_ref_names[i], *name = name_of(from, scenario, i);
        const char *now = name != NULL ? find(origins->list, origins->count, kind, name) : NULL;
        old = name != NULL ? find(recorded->digests, recorded->digest_count, kind, name) : NULL;
        if (now != NULL && old != NULL && strcmp(now, old) != 0) {
            snprintf(text, sizeof text, "%s file: the content of %s has changed", kind, name);
            said = say(origins, causes, row, text);
        }
    }
    if (said && strcmp(recorded->tool, nnc_version()) != 0) {
        snprintf(text, sizeof text, "tool: nncost %s -> %s", recorded->tool, nnc_version());
        said = say(origins, causes, row, text);
    }
    if (said && (recorded->conventions == NULL || strcmp(recorded->conventions, NNC_RECORDED_CONVENTIONS) != 0)) {
        snprintf(text, sizeof text, "conventions: %s -> %s",
                 recorded->conventions != NULL ? recorded->conventions : "-", NNC_RECORDED_CONVENTIONS);
        said = say(origins, causes, row, text);
    }
    if (said && row->cause_count == 0) {
        snprintf(text, sizeof text, "tool: plan and files did not change, so another build of nncost %s is the cause",
                 nnc_version());
        said = say(origins, causes, row, text);
    }
    row->causes = causes;
    return said;
}

/* Memory for a list of values; all scenarios use the same memory, one after the other. */
typedef struct nnc_figure_room {
    nnc_figure *list;
    int32_t capacity;
} nnc_figure_room;

/* State of reading the recorded estimates of a plan file block by block. Each recorded estimate is compared as text
 * with the text that --update would write for the scenario. */
typedef struct nnc_recorded_stream {
    nnc_blocks file;
    nnc_buffer text;           /* JSON text that --update would write for the current scenario's estimate */
    nnc_written_estimate last; /* values of the previous estimate and their JSON text */
    nnc_figure_list found;     /* values of the last recorded estimate whose text differed from `text` */
    nnc_recorded_estimate old; /* the recorded estimate whose values are in `found` */
    int32_t capacity;
    uint64_t members; /* sum of the digests of the recorded estimates that were read so far */
} nnc_recorded_stream;

struct nnc_check {
    nnc_specs *specs;
    nnc_arena *arena;
    nnc_scratch *scratch;
    nnc_scenario *scenario;
    nnc_serve_scenario *served;
    const nnc_plans *plans;
    nnc_origins origins;
    nnc_collector collector;
    /* names of all values of the last estimate: names[0] of training, names[1] of serving */
    nnc_figures names[2];
    /* the value that find_required found last; NULL = find_required has not found a value yet */
    const nnc_figure *required;
    const nnc_figure *required_of; /* the list of values in which find_required found `required` */
    const char *required_name;     /* the name with which find_required found `required` */
    bool *recorded;                /* recorded[i]: true = the value with index i in recorded_of is recorded */
    nnc_figures recorded_of;       /* values of the estimate to which the array `recorded` belongs */
    nnc_check_keeping keeping;
    /* estimates of the scenarios that were checked so far; --update writes them to the file */
    nnc_recorded_estimate *estimates;
    /* old: recorded values of the current scenario; now: new values of the current scenario */
    nnc_figure_room old, now;
    nnc_change *changes; /* changes from the recorded to the new values of the current scenario */
    int32_t change_room;
    int32_t next_old;
    /* state of reading the recorded estimates one by one from the file; NULL: memory has all recorded estimates */
    nnc_recorded_stream *stream;
    nnc_check_report report;
};

/* Tests whether the plan file records the value with the name `name`. If the plan file has a list "record", only the
 * names in this list are recorded. If the plan file has no list "record", all names are recorded, except names for
 * display (model.name, device.name). */
static bool is_name_recorded(const nnc_plans *plans, const char *name) {
    if (strcmp(name, "model.name") == 0 || strcmp(name, "device.name") == 0) { return false; }
    for (int32_t i = 0; i < plans->record_count; i++) {
        if (nnc_figure_match(plans->record[i], name) >= 0) { return true; }
    }
    return plans->record_count == 0;
}

static bool is_nan(const nnc_figure *figure) { return figure->text == NULL && isnan(figure->number); }

static bool reserve(nnc_check *c, int32_t count, nnc_figure_room *room) {
    if (room->list == NULL || count > room->capacity) {
        room->list = nnc_arena_array(c->arena, (size_t)count + 1, sizeof *room->list);
        room->capacity = room->list != NULL ? count : 0;
    }
    return room->list != NULL;
}

/* Selects the values of a new estimate that the plan file records; values that are NaN are left out. */
static nnc_status select_now(nnc_check *c, nnc_figures all, nnc_figures *selected, nnc_error *err) {
    int32_t count = 0;
    if (!reserve(c, all.count, &c->now)) { return nnc_no_memory(err); }
    if (c->recorded == NULL || c->recorded_of.list != all.list || c->recorded_of.count < all.count) {
        c->recorded = nnc_arena_array(c->arena, (size_t)all.count + 1, sizeof *c->recorded);
        NNC_GOT(c->recorded, err);
        for (int32_t i = 0; i < all.count; i++) { c->recorded[i] = is_name_recorded(c->plans, all.list[i].name); }
        c->recorded_of = all;
    }
    for (int32_t i = 0; i < all.count; i++) {
        if (c->recorded[i] && !is_nan(&all.list[i])) { c->now.list[count++] = all.list[i]; }
    }
    *selected = (nnc_figures){ c->now.list, count };
    return NNC_OK;
}

/* Selects the recorded values that a check would record today. If the list "record" has changed, metrics that are no
 * longer in this list must not be reported as missing. */
static nnc_status select_old(nnc_check *c, const nnc_packed *all, nnc_figures *selected, nnc_error *err) {
    int32_t count = 0;
    if (!reserve(c, nnc_packed_count(all), &c->old)) { return nnc_no_memory(err); }
    for (int32_t i = 0; i < nnc_packed_count(all); i++) {
        c->old.list[count] = nnc_packed_figure(all, i);
        count += !is_nan(&c->old.list[count]) && is_name_recorded(c->plans, c->old.list[count].name);
    }
    *selected = (nnc_figures){ c->old.list, count };
    return NNC_OK;
}

/* Copies a list of values to the arena, because the next scenario overwrites the list. Returns false if memory ran
 * out. */
static bool own_list(nnc_check *c, nnc_figures *figures) {
    nnc_figure *list = nnc_arena_array(c->arena, (size_t)figures->count + 1, sizeof *list);
    if (list != NULL && figures->count > 0) { memcpy(list, figures->list, (size_t)figures->count * sizeof *list); }
    figures->list = list;
    return list != NULL;
}

/* Fails if no value of the estimate has the name of a tolerance, because such a tolerance has no effect. */
static nnc_status check_name(nnc_figures figures, const char *key, const char *name, nnc_error *err) {
    for (int32_t i = 0; i < figures.count; i++) {
        if (nnc_figure_match(name, figures.list[i].name) >= 0) { return NNC_OK; }
    }
    nnc_figure_find(figures, name, err);
    snprintf(err->where, sizeof err->where, "%s.%.64s", key, name);
    return NNC_BAD_SPEC;
}

/* Finds a required value as nnc_figure_find does. First tries the value that was found last, because most scenarios
 * have the same requirements. */
static const nnc_figure *find_required(nnc_check *c, nnc_figures all, const char *name, nnc_error *err) {
    if (c->required == NULL || c->required_of != all.list || c->required - all.list >= all.count ||
        strcmp(c->required_name, name) != 0) {
        c->required = nnc_figure_find(all, name, err);
        c->required_of = all.list;
        c->required_name = name;
    }
    return c->required;
}

/* Tests whether nncost needs only the required values of a scenario. The result is true if the file has no recorded
 * estimate and no estimate will be recorded. */
static bool needs_required_only(const nnc_check *c) {
    const nnc_recorded *recorded = &c->plans->recorded;
    return c->keeping == NNC_KEEPS_CHANGES && c->stream == NULL && recorded->tool == NULL &&
           recorded->estimate_count == 0;
}

/* Compares the values `all` of a scenario with its requirements. unread: the report from which the function reads the
 * required values; NULL = all values are already read. */
static nnc_status judge(nnc_check *c, const nnc_plans_scenario *from, nnc_figures all, const nnc_report *unread,
                        nnc_check_row *row, nnc_error *err) {
    nnc_check_verdict *verdicts = nnc_arena_array(c->arena, (size_t)from->requirement_count + 1, sizeof *verdicts);
    NNC_GOT(verdicts, err);
    for (int32_t i = 0; i < from->requirement_count; i++) {
        const nnc_requirement *requirement = &from->requirements[i];
        const nnc_figure *figure = find_required(c, all, requirement->name, err);
        if (figure == NULL) {
            snprintf(err->where, sizeof err->where, "require.%.64s", requirement->name);
            return nnc_plans_blame(c->plans, from, err);
        }
        if (unread != NULL && !nnc_figure_read(&c->collector, unread, (int32_t)(figure - all.list))) {
            return nnc_no_memory(err);
        }
        /* the row gets a copy, because the next scenario overwrites the list */
        nnc_figure *own = nnc_arena_alloc(c->arena, sizeof *own);
        NNC_GOT(own, err);
        *own = *figure;
        verdicts[i] = (nnc_check_verdict){ requirement, own, nnc_requirement_met(requirement, own) };
    }
    row->verdicts = verdicts;
    row->verdict_count = from->requirement_count;
    for (int32_t i = 0; i < from->tolerance_count; i++) {
        if (check_name(all, "tolerance", from->tolerances[i].name, err) != NNC_OK) {
            return nnc_plans_blame(c->plans, from, err);
        }
    }
    return NNC_OK;
}

static const nnc_recorded_estimate *find_old(nnc_check *c, const char *id) {
    const nnc_recorded *recorded = &c->plans->recorded;
    for (int32_t i = 0; i < recorded->estimate_count; i++) {
        const int32_t at = (c->next_old + i) % recorded->estimate_count;
        if (strcmp(recorded->estimates[at].id, id) == 0) {
            c->next_old = at + 1;
            return &recorded->estimates[at];
        }
    }
    return NULL;
}

static nnc_scenario *scenario_of(nnc_check *c, const nnc_plans_scenario *from) {
    return from->serve ? &c->served->base : c->scenario;
}

/* Copies the changes of a scenario to the arena; the copies point to the copied values of the row. Returns false if
 * memory ran out. */
static bool own_changes(nnc_check *c, const nnc_plans_scenario *from, nnc_check_row *row) {
    nnc_change *own = nnc_arena_array(c->arena, (size_t)row->change_count, sizeof *own);
    row->changes = own;
    return own != NULL &&
           nnc_figures_compare(row->old, row->now, from->tolerances, from->tolerance_count, c->changes) ==
               row->change_count &&
           memcpy(own, c->changes, (size_t)row->change_count * sizeof *own) != NULL;
}

/* Lists the changes from the recorded to the new values of a scenario, and sets row->state if a value changed or is
 * missing. If there are changes, copies the changes and all values of the row to the arena, and finds the causes of the
 * changes. Returns false when out of memory. */
static bool compare(nnc_check *c, const nnc_plans_scenario *from, nnc_check_row *row) {
    const int32_t room = row->old.count + row->now.count;
    if (c->changes == NULL || room > c->change_room) {
        c->changes = nnc_arena_array(c->arena, (size_t)room + 1, sizeof *c->changes);
        c->change_room = c->changes != NULL ? room : 0;
    }
    if (c->changes == NULL) { return false; }
    row->change_count = nnc_figures_compare(row->old, row->now, from->tolerances, from->tolerance_count, c->changes);
    for (int32_t i = 0; i < row->change_count; i++) {
        if (c->changes[i].kind == NNC_CHANGE_MOVED || c->changes[i].kind == NNC_CHANGE_GONE) {
            row->state = NNC_CHECK_MOVED;
        }
    }
    if (row->change_count == 0) { return true; }
    return own_list(c, &row->old) && own_list(c, &row->now) && own_changes(c, from, row) &&
           (row->state != NNC_CHECK_MOVED ||
            causes_find(&c->origins, from, scenario_of(c, from), &c->plans->recorded, row));
}

/* Copies values of a scenario to the arena, if c->keeping requires it: the values that a later update of the file
 * writes, and the values that the report shows. Returns false when out of memory. */
static bool keep(nnc_check *c, const nnc_plans_scenario *from, nnc_check_row *row) {
    if (c->keeping >= NNC_KEEPS_ESTIMATES) {
        const int32_t index = c->report.row_count;
        nnc_recorded_estimate *estimate = &c->estimates[index];
        *estimate = (nnc_recorded_estimate){ .id = from->id };
        if (!nnc_packed_make(c->arena, row->now, index > 0 ? &estimate[-1].figures : NULL, &estimate->figures)) {
            return false;
        }
    }
    if (row->change_count > 0) { return true; }
    if (c->keeping == NNC_KEEPS_ROWS) { return own_list(c, &row->old) && own_list(c, &row->now); }
    row->old = row->now = (nnc_figures){ NULL, 0 };
    return true;
}

/* Tests whether a brief estimate (see `brief` in nnc_scratch) has every value that a loaded scenario needs. The result
 * is false for the first scenario of a file, because nncost does not know the names of the values before it has
 * estimated one scenario. */
static bool is_brief_enough(nnc_check *c, const nnc_plans_scenario *from, const nnc_scenario *scenario) {
    const nnc_figures all = c->names[false];
    nnc_error unknown;
    bool enough = needs_required_only(c) && all.count > 0 && !scenario->asks_run;
    for (int32_t i = 0; i < from->requirement_count && enough; i++) {
        const nnc_figure *figure = find_required(c, all, from->requirements[i].name, &unknown);
        enough = figure != NULL && !nnc_figure_is_full(&c->collector, (int32_t)(figure - all.list));
    }
    return enough;
}

/* Computes the estimate of a training or serving scenario; *scenario points to the loaded scenario with its result. */
static nnc_status answer(nnc_check *c, const nnc_plans_scenario *from, nnc_scenario **scenario, nnc_error *err) {
    static const nnc_scenario_args nothing = { .setting_count = 0 };
    nnc_scenario *one = *scenario = scenario_of(c, from);
    if (from->serve) {
        NNC_TRY(nnc_plans_load_served(c->specs, &nothing, c->arena, c->plans, from, NULL, c->served, err));
        return nnc_serve_scenario_compute(c->served, c->scratch, err) == NNC_OK ? NNC_OK
                                                                                : nnc_plans_blame(c->plans, from, err);
    }
    NNC_TRY(nnc_plans_load(c->specs, &nothing, c->arena, c->plans, from, NULL, one, err));
    c->scratch->brief = is_brief_enough(c, from, one);
    const nnc_status status =
        nnc_estimate_read(&one->model, &one->device, &one->software, &one->plan, c->scratch, &one->result, err);
    c->scratch->brief = false;
    return status == NNC_OK && nnc_scenario_run(one, err) == NNC_OK ? NNC_OK : nnc_plans_blame(c->plans, from, err);
}

/* Tests whether the recorded estimate of this scenario comes next in the file and has exactly the values `now`. If the
 * result is true, moves the reading position in the file to the end of this recorded estimate. */
static bool is_next(nnc_check *c, const nnc_plans_scenario *from, nnc_figures now) {
    nnc_recorded_stream *s = c->stream;
    if (s->last.values == NULL || now.count > s->capacity) {
        s->last.values = nnc_arena_array(c->arena, (size_t)now.count + 1, sizeof *s->last.values);
        s->last.count = 0;
        s->capacity = now.count;
    }
    if (s->last.values == NULL) { return false; }
    const nnc_packed figures = { &now, NULL };
    const uint64_t before = s->members;
    s->text.size = 0;
    nnc_recorded_put(&s->text, from->id, &figures, c->plans->record_count > 0, c->report.row_count == 0, &s->last,
                     &s->members);
    const size_t size = s->text.size;
    const bool same = !s->text.failed && nnc_blocks_fill(&s->file, size) >= size &&
                      memcmp(s->file.bytes + s->file.at, s->text.bytes, size) == 0;
    s->file.at += same ? size : 0;
    s->members = same ? s->members : before;
    return same;
}

/* Returns the size in bytes of the JSON object at the start of a text; 0 = the text ends inside the object. */
static size_t object_size(const char *text, size_t size) {
    int depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < size; i++) {
        const char c = text[i];
        if (quoted) {
            i += c == '\\';
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            return i + 1;
        }
    }
    return 0;
}

/* Reads the recorded estimate at the current position of the file. Returns false if the recorded estimate belongs to
 * another scenario, or has a fault. */
static bool read_next(nnc_check *c, const nnc_plans_scenario *from) {
    static const nnc_packed none = { NULL, NULL };
    nnc_recorded_stream *s = c->stream;
    const nnc_recorded_estimate before = s->old;
    uint64_t ignored = 0;
    s->text.size = 0;
    nnc_recorded_put(&s->text, from->id, &none, true, c->report.row_count == 0, NULL, &ignored);
    const size_t key = s->text.failed ? 0 : s->text.size - strlen("{}");
    if (key == 0 || nnc_blocks_fill(&s->file, key) < key ||
        memcmp(s->file.bytes + s->file.at, s->text.bytes, key) != 0) {
        return false;
    }
    size_t size = 0;
    for (size_t least = 8192, got = least; size == 0 && got >= least; least *= 2) {
        got = nnc_blocks_fill(&s->file, least);
        size = object_size(s->file.bytes + s->file.at + key, got - key);
    }
    s->text.size = 0;
    if (size > 0) { nnc_buffer_put(&s->text, s->file.bytes + s->file.at + key, size); }
    nnc_buffer_byte(&s->text, '\0');
    s->file.at += key + size;
    s->found.quiet = true;
    return size > 0 && !s->text.failed &&
           nnc_recorded_read_one(c->arena, from->id, s->text.bytes, size, before.id != NULL ? &before : NULL, &s->found,
                                 &s->old, &s->members);
}

static nnc_status check_scenario(nnc_check *c, const nnc_plans_scenario *from, nnc_error *err) {
    nnc_scenario *scenario = NULL;
    nnc_check_row *row = &c->report.rows[c->report.row_count];
    NNC_TRY(answer(c, from, &scenario, err));
    const nnc_report *report = &scenario->report;
    const bool few = needs_required_only(c);
    const nnc_figures all = few ? nnc_figures_named(&c->collector, report) : nnc_figures_of(&c->collector, report);
    const nnc_recorded_estimate *old = find_old(c, from->id);
    *row = (nnc_check_row){ .id = from->id, .line = from->line };
    NNC_GOT(all.list, err);
    c->names[from->serve] = all;
    if (!few) { NNC_TRY(select_now(c, all, &row->now, err)); }
    NNC_TRY(judge(c, from, all, few ? report : NULL, row, err));
    if (c->stream != NULL && is_next(c, from, row->now)) {
        row->now = (nnc_figures){ NULL, 0 };
        row->state = NNC_CHECK_SAME;
        c->report.row_count++;
        return NNC_OK;
    }
    NNC_TRY(origins_add(&c->origins, from, scenario, err));
    if (c->stream != NULL) {
        if (!read_next(c, from)) { return NNC_BAD_SPEC; }
        old = &c->stream->old;
    }
    row->state = old != NULL ? NNC_CHECK_SAME : c->plans->recorded.tool != NULL ? NNC_CHECK_ADDED : NNC_CHECK_NOT_ASKED;
    if (old != NULL) {
        NNC_TRY(select_old(c, &old->figures, &row->old, err));
        if (!compare(c, from, row)) { return nnc_no_memory(err); }
    }
    if (!keep(c, from, row)) { return nnc_no_memory(err); }
    c->report.row_count++;
    return NNC_OK;
}

/* Adds a row to the report for each recorded estimate whose scenario is no longer in the plan file. */
static void add_removed(nnc_check *c) {
    const nnc_recorded *recorded = &c->plans->recorded;
    const int32_t scenarios = c->plans->scenario_count;
    int32_t next = 0;
    for (int32_t i = 0; i < recorded->estimate_count; i++) {
        bool there = false;
        for (int32_t k = 0; k < scenarios && !there; k++) {
            const int32_t at = (next + k) % scenarios;
            there = strcmp(c->plans->scenarios[at].id, recorded->estimates[i].id) == 0;
            next = there ? at + 1 : next;
        }
        if (!there) {
            c->report.rows[c->report.row_count++] =
                (nnc_check_row){ .id = recorded->estimates[i].id, .state = NNC_CHECK_REMOVED };
        }
    }
}

static nnc_status check_all(nnc_check *c, nnc_error *err) {
    const nnc_plans *plans = c->plans;
    const size_t room = (size_t)plans->scenario_count + (size_t)plans->recorded.estimate_count;
    c->report = (nnc_check_report){ .path = plans->path, .tool = nnc_version(), .old_tool = plans->recorded.tool };
    c->report.rows = nnc_arena_array(c->arena, room, sizeof *c->report.rows);
    c->estimates = nnc_arena_array(c->arena, c->keeping >= NNC_KEEPS_ESTIMATES ? room : 0, sizeof *c->estimates);
    if (c->report.rows == NULL || c->estimates == NULL) { return nnc_no_memory(err); }
    for (int32_t i = 0; i < plans->scenario_count; i++) { NNC_TRY(check_scenario(c, &plans->scenarios[i], err)); }
    for (int32_t i = 0; i < plans->record_count; i++) {
        bool known = false;
        for (int kind = 0; kind < 2 && !known; kind++) {
            known = c->names[kind].count > 0 && check_name(c->names[kind], "record", plans->record[i], err) == NNC_OK;
        }
        if (!known) {
            nnc_error_within(err, plans->path);
            return NNC_BAD_SPEC;
        }
    }
    add_removed(c);
    return NNC_OK;
}

nnc_status nnc_check_create(nnc_specs *specs, const char *path, nnc_check **check, nnc_error *err) {
    NNC_NEED(specs);
    NNC_NEED(path);
    NNC_NEED(check);
    return nnc_check_make(specs, path, NNC_KEEPS_ROWS, check, err);
}

/* ---- check of a large plan file: not all recorded estimates are kept in memory ---- */

/* Copies the text of a plan file up to its recorded estimates, and adds the missing closing brackets. Returns false if
 * the file has no recorded estimates. */
static bool read_head(nnc_blocks *file, nnc_buffer *head) {
    /* the key "estimates", in the form in which nnc_recorded_write writes it */
    static const char key[] = "\n    \"estimates\": {";
    const size_t length = sizeof key - 1;
    for (size_t left; (left = nnc_blocks_fill(file, length)) >= length;) {
        const char *begin = file->bytes + file->at, *line = memchr(begin, '\n', left);
        size_t part = line != NULL ? (size_t)(line - begin) : left;
        const bool found = part == 0 && memcmp(begin, key, length) == 0;
        part = found ? length : part == 0 ? 1 : part;
        nnc_buffer_put(head, begin, part);
        file->at += part;
        if (found) {
            nnc_buffer_put(head, "}}}", 4); /* appends three closing brackets and the NUL */
            return !head->failed;
        }
    }
    return false;
}

/* Moves to the next character of the file that is not white space. Returns false at the end of the file. */
static bool skip_blanks(nnc_blocks *file) {
    while (nnc_blocks_fill(file, 1) > 0) {
        const char c = file->bytes[file->at];
        if (c != ' ' && c != '\n' && c != '\r' && c != '\t') { return true; }
        file->at++;
    }
    return false;
}

/* Tests whether the file ends after the recorded part, and whether this part has the digest that the file states. If
 * somebody has edited the recorded part, its digest differs from the digest in the file. */
static bool ends_well(nnc_recorded_stream *s, const nnc_recorded *recorded) {
    char digest[NNC_DIGEST_TEXT];
    for (int brackets = 3; brackets > 0; brackets--) {
        if (!skip_blanks(&s->file) || s->file.bytes[s->file.at++] != '}') { return false; }
    }
    const uint64_t estimates =
        nnc_digest_number(nnc_digest_text(NNC_DIGEST_START, "estimates"), nnc_digest_object(s->members));
    nnc_digest_print(nnc_digest_object(recorded->members + estimates), digest);
    return !skip_blanks(&s->file) && recorded->digest != NULL && strcmp(recorded->digest, digest) == 0;
}

/* Checks a plan file that --update wrote, whose scenarios are in the order of the recorded estimates. For any other
 * file, and after any error, returns false; the caller then reads the whole file into memory and checks it again. */
static bool check_stream(nnc_check *c, const char *path) {
    nnc_buffer head = { 0 };
    nnc_error ignored;
    nnc_faults faults = { .name = nnc_arena_strdup(c->arena, path), .err = &ignored };
    nnc_plans *plans = nnc_arena_alloc(c->arena, sizeof *plans);
    nnc_recorded_stream stream = { .members = 0 };
    bool good =
        nnc_blocks_open(&stream.file, path) && read_head(&stream.file, &head) && plans != NULL && faults.name != NULL;
    if (good) {
        nnc_plans_parse_head(c->arena, head.bytes, head.size - 1, &faults, plans);
        c->plans = plans;
        c->stream = &stream;
        good = faults.count == 0 && plans->recorded.tool != NULL && check_all(c, &ignored) == NNC_OK &&
               ends_well(&stream, &plans->recorded);
        c->stream = NULL;
        /* only nnc_check_update reads this text, and a check that does not keep the estimates never calls
         * nnc_check_update */
        plans->text = NULL;
    }
    nnc_blocks_close(&stream.file);
    nnc_buffer_free(&stream.text);
    nnc_buffer_free(&stream.last.text);
    nnc_buffer_free(&head);
    return good;
}

static nnc_check *create(nnc_specs *specs, nnc_check_keeping keeping) {
    nnc_check *made = calloc(1, sizeof *made);
    if (made == NULL) { return NULL; }
    *made = (nnc_check){ .specs = specs,
                         .keeping = keeping,
                         .arena = nnc_arena_create(),
                         .scratch = nnc_scratch_create(),
                         .scenario = calloc(1, sizeof *made->scenario),
                         .served = calloc(1, sizeof *made->served) };
    made->origins = (nnc_origins){ .specs = specs, .arena = made->arena };
    made->collector.arena = made->arena;
    if (made->arena == NULL || made->scratch == NULL || made->scenario == NULL || made->served == NULL) {
        nnc_check_destroy(made);
        return NULL;
    }
    return made;
}

nnc_status nnc_check_make(nnc_specs *specs, const char *path, nnc_check_keeping keeping, nnc_check **check,
                          nnc_error *err) {
    nnc_check *made = create(specs, keeping);
    *check = NULL;
    NNC_GOT(made, err);
    nnc_status status = NNC_OK;
    if (keeping != NNC_KEEPS_CHANGES || nnc_is_pipe(path) || !check_stream(made, path)) {
        nnc_check_destroy(made);
        made = create(specs, keeping);
        NNC_GOT(made, err);
        status = nnc_plans_read(specs, made->arena, path, &made->plans, err);
        status = status == NNC_OK ? check_all(made, err) : status;
    }
    if (status == NNC_OK) { status = nnc_check_list_changes(made->arena, &made->report, err); }
    if (status != NNC_OK) {
        nnc_check_destroy(made);
        return status;
    }
    *check = made;
    return NNC_OK;
}

void nnc_check_destroy(nnc_check *check) {
    if (check != NULL) {
        free(check->scenario);
        free(check->served);
        nnc_scratch_destroy(check->scratch);
        nnc_arena_destroy(check->arena);
        free(check);
    }
}

const nnc_check_report *nnc_check_report_of(const nnc_check *check) { return &check->report; }

bool nnc_check_passed(const nnc_check *check) { return check != NULL && nnc_check_sum_of(&check->report).passed; }

const nnc_check_row *nnc_check_scenario(const nnc_check *check, int32_t index) {
    const nnc_check_report *report = check != NULL ? &check->report : NULL;
    return report != NULL && index >= 0 && index < report->row_count ? &report->rows[index] : NULL;
}

/* ---- writes the new estimates into the plan file ---- */

/* Fails if the plan file was changed during the check, or if it cannot be replaced (for example a pipe). */
static nnc_status refuse_other(const nnc_plans *plans, const char *option, nnc_error *err) {
    struct stat about;
    char *text = NULL;
    size_t size = 0;
    if (nnc_is_pipe(plans->path) || (stat(plans->path, &about) == 0 && !S_ISREG(about.st_mode))) {
        return nnc_fail(err, NNC_BAD_USAGE, option, "%s is not a file that can be replaced", plans->path);
    }
    nnc_status status = nnc_file_read_large(plans->path, NNC_RECORDED_BYTES_MAX, &text, &size, err);
    if (status == NNC_OK && (size != plans->size || memcmp(text, plans->text, size) != 0)) {
        status = nnc_fail(err, NNC_IO, plans->path, "changed during the check, so nothing is written");
    }
    free(text);
    return status;
}

/* Parses the new text of a plan file before this text replaces the file, so that nncost never writes a plan file that
 * it cannot read. */
static nnc_status verify(const nnc_plans *plans, const char *text, size_t size, nnc_error *err) {
    nnc_arena *arena = nnc_arena_create();
    nnc_faults faults = { .name = plans->path, .err = err };
    nnc_plans again;
    NNC_GOT(arena, err);
    nnc_plans_parse(arena, text, size, &faults, &again);
    nnc_arena_destroy(arena);
    return faults.status;
}

static nnc_status replace(const char *path, const char *text, size_t size, nnc_error *err) {
    return nnc_atomic_file_write(path, text, size) ? NNC_OK
                                                   : nnc_fail(err, NNC_IO, path, "cannot write: %s", strerror(errno));
}

static nnc_status write_recorded(nnc_check *c, const nnc_recorded *recorded, nnc_error *err) {
    size_t size = 0;
    nnc_buffer part = { 0 };
    nnc_recorded_write(&part, recorded, c->plans->record_count > 0);
    nnc_buffer_byte(&part, '\0');
    if (part.size + c->plans->size > NNC_RECORDED_BYTES_MAX) {
        nnc_buffer_free(&part);
        return nnc_fail(err, NNC_BAD_SPEC, c->plans->path,
                        "the recorded estimates need more than %d MB, expected less: record only selected metrics "
                        "(\"record\"), or divide the scenarios over several files",
                        NNC_RECORDED_BYTES_MAX / 1000000);
    }
    const char *text = part.failed ? NULL : nnc_plans_with_recorded(c->arena, c->plans, part.bytes, &size);
    nnc_buffer_free(&part);
    NNC_GOT(text, err);
    if (size == c->plans->size && memcmp(text, c->plans->text, size) == 0) { return NNC_OK; }
    NNC_TRY(verify(c->plans, text, size, err));
    NNC_TRY(refuse_other(c->plans, "--update", err));
    return replace(c->plans->path, text, size, err);
}

nnc_status nnc_check_update(nnc_check *c, nnc_error *err) {
    NNC_NEED(c);
    nnc_recorded recorded = {
        .tool = nnc_version(),
        .conventions = NNC_RECORDED_CONVENTIONS,
        .estimates = c->estimates,
        .estimate_count = c->plans->scenario_count,
    };
    recorded.digests = origins_sorted(&c->origins, c->plans, &recorded.digest_count);
    NNC_GOT(recorded.digests, err);
    NNC_TRY(write_recorded(c, &recorded, err));
    c->report.updated = true;
    return NNC_OK;
}

/* Finds the start and the end of the member "recorded" in the text of a plan file, including one comma before or after
 * the member. */
static void find_member(const nnc_plans *plans, size_t *begin, size_t *end) {
    static const char blank[] = " \t\r\n";
    const char *text = plans->text;
    *begin = plans->places.begin;
    *end = plans->places.end;
    while (text[*begin - 1] != ':') { --*begin; }
    while (text[*begin - 1] != '"') { --*begin; }
    *begin -= strlen("\"recorded\"");
    size_t before = *begin, after = *end;
    while (strchr(blank, text[before - 1]) != NULL) { before--; }
    while (text[after] != '\0' && strchr(blank, text[after]) != NULL) { after++; }
    if (text[before - 1] == ',') {
        *begin = before - 1;
    } else if (text[after] == ',') {
        *end = after + 1;
    }
}

nnc_status nnc_plans_forget(nnc_specs *specs, const char *path, nnc_error *err) {
    nnc_arena *arena = nnc_arena_create();
    const nnc_plans *plans = NULL;
    nnc_status status = arena != NULL ? nnc_plans_read(specs, arena, path, &plans, err) : nnc_no_memory(err);
    if (status == NNC_OK && plans != NULL && plans->places.end > 0) {
        size_t begin, end;
        nnc_buffer text = { 0 };
        find_member(plans, &begin, &end);
        nnc_buffer_put(&text, plans->text, begin);
        nnc_buffer_put(&text, plans->text + end, plans->size - end);
        status = text.failed ? nnc_no_memory(err) : refuse_other(plans, "--forget", err);
        status = status == NNC_OK ? replace(plans->path, text.bytes, text.size, err) : status;
        nnc_buffer_free(&text);
    }
    nnc_arena_destroy(arena);
    return status;
}
