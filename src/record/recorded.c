/* Reads recorded estimates. Recorded estimates are in the recorded part of a plan file, which `check --update` writes;
 * the output of `estimate --format json` also counts as one recorded estimate. The file recorded.c also has functions
 * that write a new recorded part, which replaces the old recorded part of a plan file. Equal estimates give equal
 * bytes. */
#include <nncost/check.h>
#include <nncost/nncost.h>

#include "base/base_internal.h"
#include "input/input_internal.h"
#include "metrics/metrics_internal.h"
#include "record/record_internal.h"
#include "render/render_internal.h"

enum { FIGURE_NAME_MAX = 256, FIGURES_MAX = 10000 };

static const char *name_for(nnc_arena *arena, const nnc_figure_list *into, const char *name) {
    const nnc_figures like = into->like;
    const bool known = into->count < like.count && strcmp(like.list[into->count].name, name) == 0;
    return known ? like.list[into->count].name : nnc_arena_strdup(arena, name);
}

static const char *text_for(nnc_arena *arena, const nnc_figure_list *into, const char *text) {
    const char *last = into->count < into->like.count ? into->like.list[into->count].text : NULL;
    return last != NULL && strcmp(last, text) == 0 ? last : nnc_arena_strdup(arena, text);
}

/* Tests whether a value has the type (number or text) that the metrics table states for its name. A metric that is not
 * in the metrics table can be a number or a text. Most values have the name and the type of the value at the same index
 * of the previous estimate (into->like), so the function compares with this value before it searches the table. */
static bool is_of_kind(const nnc_figure_list *into, const nnc_figure *figure) {
    const nnc_figures like = into->like;
    const bool text = figure->text != NULL;
    if (into->count < like.count && like.list[into->count].name == figure->name &&
        (like.list[into->count].text != NULL) == text) {
        return true;
    }
    const nnc_metric *metric = nnc_figure_metric(figure->name);
    const nnc_metric_type type = metric != NULL ? metric->type : NNC_METRIC_ANY;
    return type == NNC_METRIC_NUMBER || type == NNC_METRIC_WHOLE ? !text : type <= NNC_METRIC_ENUM ? text : true;
}

/* Tests whether the sign of a value is allowed: a metric with a unit must not be negative, unless its row in the
 * metrics table allows any sign. */
static bool is_in_range(const nnc_figure *figure) {
    const nnc_metric *metric = figure->number < 0.0 ? nnc_figure_metric(figure->name) : NULL;
    return metric == NULL || metric->unit == NULL || metric->any_sign;
}

static void add_figure(nnc_json at, const char *name, nnc_figure_list *into) {
    nnc_arena *arena = at.doc->arena;
    nnc_figure *list = nnc_arena_grow(arena, into->list, into->count, &into->capacity, sizeof(*list));
    if (list == NULL) {
        nnc_faults_no_memory(at.doc->faults);
        return;
    }
    into->list = list;
    nnc_figure figure = { .name = name_for(arena, into, name), .number = (double)NAN };
    bool kept = figure.name != NULL;
    switch (nnc_json_type_of(at)) {
    case NNC_JSON_NUMBER: figure.number = nnc_json_number(at); break;
    case NNC_JSON_BOOL: figure.text = nnc_json_bool(at) ? "true" : "false"; break;
    default:
        figure.text = text_for(arena, into, nnc_json_text(at));
        kept = kept && figure.text != NULL;
        break;
    }
    if (!kept) {
        nnc_faults_no_memory(at.doc->faults);
    } else if (is_of_kind(into, &figure) && is_in_range(&figure)) {
        into->list[into->count++] = figure;
    } else if (into->quiet) {
        into->faulty = true;
    } else if (!is_in_range(&figure)) {
        nnc_json_mismatch(at, "out of range", "at least 0");
    } else {
        nnc_json_mismatch(at, "wrong type", figure.text != NULL ? "a number" : "a text");
    }
}

/* Appends a dot and the key `part` to a metric name that has `used` bytes so far. Returns the new length of the name; 0
 * = the name would be too long. */
static size_t append_part(char *name, size_t used, const char *part) {
    const size_t dot = used > 0 ? 1 : 0, length = strlen(part);
    if (used + dot + length >= FIGURE_NAME_MAX) { return 0; }
    name[used] = '.';
    memcpy(name + used + dot, part, length + 1);
    return used + dot + length;
}

/* Adds the values of a JSON object to the list of values, each under its full name with dots. Skips lists of strings or
 * of objects, such as the advice, which have no values to compare. */
static void flatten(nnc_json at, char *name, size_t used, nnc_figure_list *into) {
    const bool list = nnc_json_type_of(at) == NNC_JSON_LIST;
    int index = 0;
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item) && into->count < FIGURES_MAX;
         item = nnc_json_next(item), index++) {
        const nnc_json_type type = nnc_json_type_of(item);
        char place[16];
        if (list) { snprintf(place, sizeof(place), "%d", index); }
        const size_t length = append_part(name, used, list ? place : nnc_json_key(item));
        if (length == 0 && into->quiet) {
            into->faulty = true;
            return;
        }
        if (length == 0) {
            nnc_json_fault(item, NULL, "name too long or empty, expected at most %d bytes", FIGURE_NAME_MAX - 1);
            return;
        }
        if (type == NNC_JSON_OBJECT ? !list : type == NNC_JSON_LIST) {
            flatten(item, name, length, into);
        } else if (type != NNC_JSON_NULL && type != NNC_JSON_OBJECT && !(list && type == NNC_JSON_TEXT)) {
            add_figure(item, name, into);
        }
    }
}

/* Adds every number, string and boolean of the JSON object `at` and of the objects inside it to the list of values,
 * under the name "prefix.key.key"; the prefix is "" or shorter than 64 bytes. Notes the faults of the added values. */
static void figures_add(nnc_json at, const char *prefix, nnc_figure_list *into) {
    char name[FIGURE_NAME_MAX];
    const int used = snprintf(name, sizeof(name), "%s", prefix);
    flatten(at, name, (size_t)used, into);
}

/* Moves the position of the JSON reader to the end of the value of the key "recorded" in a plan file. The recorded
 * estimates are most of the text of a large plan file. If the end of the recorded estimates is known, the function
 * skips the estimates without reading them. estimates_end: byte offset of this end in the text; 0 = not known. */
static void pass_recorded(nnc_walk *w, size_t estimates_end) {
    if (estimates_end <= w->at) {
        nnc_walk_value(w);
        return;
    }
    nnc_walk_on(w, estimates_end);
    while (nnc_walk_member(w, true)) { nnc_walk_value(w); }
}

void nnc_plans_find_places(nnc_plans *plans, size_t estimates_end, long *lines, int32_t count) {
    nnc_walk w = nnc_walk_begin(plans->text);
    while (nnc_walk_member(&w, true)) {
        const size_t begin = w.at;
        const bool recorded = nnc_walk_key_is(&w, "recorded");
        if (nnc_walk_key_is(&w, "scenarios")) {
            for (int32_t i = 0; nnc_walk_member(&w, false); i++) {
                lines[i < count ? i : count] = w.line;
                nnc_walk_value(&w);
            }
        } else if (recorded) {
            pass_recorded(&w, estimates_end);
        } else {
            nnc_walk_value(&w);
        }
        if (recorded) {
            plans->places.begin = begin;
            plans->places.end = w.at;
        }
        plans->places.insert = w.at;
    }
}

/* Computes the digest of a recorded part from its text, and writes the digest over the placeholder in this text.
 * Returns false when out of memory, or if the text cannot be parsed. */
static bool complete(nnc_arena *arena, char *recorded) {
    static const char *const skip[] = { "digest", NULL };
    char digest[NNC_DIGEST_TEXT];
    nnc_faults faults = { .name = "recorded" };
    nnc_json_doc doc = { .faults = &faults,
                         .arena = arena,
                         .text = recorded,
                         .size = strlen(recorded),
                         .values_max = INT32_MAX,
                         .large = { .name = "estimates" } };
    char *place = strstr(recorded, "\"" NNC_DIGEST_OPEN "\"");
    const bool parsed = place != NULL && nnc_json_parse(&doc);
    nnc_json item = nnc_json_first(nnc_json_get(nnc_json_root(&doc), "estimates"));
    for (int32_t i = 0; parsed && item.node != NULL; item = nnc_json_next(item), i++) {
        if (nnc_json_open(item, i)) { nnc_json_close(item, i, skip); }
    }
    if (parsed && faults.count == 0) {
        nnc_digest_print(nnc_json_digest(nnc_json_root(&doc), skip), digest);
        memcpy(place + 1, digest, sizeof(digest) - 1);
    }
    nnc_json_free(&doc);
    return parsed && faults.count == 0;
}

/* Copies bytes to the address `at`; returns the address after the copied bytes. */
static char *put(char *at, const char *bytes, size_t size) {
    memcpy(at, bytes, size);
    return at + size;
}

const char *nnc_plans_with_recorded(nnc_arena *arena, const nnc_plans *plans, char *recorded, size_t *size) {
    static const char member[] = ",\n  \"recorded\": ";
    const nnc_plans_places *places = &plans->places;
    const bool there = places->end > 0;
    const size_t head = there ? places->begin : places->insert;
    const size_t tail = there ? places->end : places->insert;
    const size_t key = there ? 0 : sizeof(member) - 1, part = strlen(recorded);
    if (!complete(arena, recorded)) { return NULL; }
    *size = head + key + part + (plans->size - tail);
    char *text = nnc_arena_alloc(arena, *size + 1);
    if (text != NULL) {
        char *at = put(text, plans->text, head);
        at = put(at, member, key);
        at = put(at, recorded, part);
        at = put(at, plans->text + tail, plans->size - tail);
        *at = '\0';
    }
    return text;
}

/* ---- reading the recorded part of a plan file ---- */

static void read_digests(nnc_json at, nnc_recorded *recorded) {
    size_t room = 0;
    if (!nnc_json_expect(at, NNC_JSON_OBJECT, "an object")) { return; }
    for (nnc_json kind = nnc_json_first(at); kind.node != NULL; kind = nnc_json_next(kind)) {
        room += nnc_json_type_of(kind) == NNC_JSON_OBJECT ? (size_t)nnc_json_count(kind) : 0;
    }
    nnc_recorded_digest *list = nnc_arena_array(at.doc->arena, room + 1, sizeof(*list));
    if (list == NULL) {
        nnc_faults_no_memory(at.doc->faults);
        return;
    }
    for (nnc_json kind = nnc_json_first(at); kind.node != NULL; kind = nnc_json_next(kind)) {
        const char *name = nnc_arena_strdup(at.doc->arena, nnc_json_key(kind));
        for (nnc_json item = nnc_json_first(kind); item.node != NULL; item = nnc_json_next(item)) {
            nnc_recorded_digest *digest = &list[recorded->digest_count];
            *digest =
                (nnc_recorded_digest){ name, nnc_arena_strdup(at.doc->arena, nnc_json_key(item)), nnc_read_text(item) };
            recorded->digest_count += digest->kind != NULL && digest->name != NULL && digest->digest != NULL;
        }
    }
    recorded->digests = list;
}

static const char *const not_digested[] = { "digest", NULL };

/* Reads the values of one recorded estimate from JSON. loud: true = faults of the values are reported. before: the
 * estimate that was read before, NULL = no such estimate; if the new estimate has the same list of names as this
 * estimate, the two estimates share one list. */
static void read_one(nnc_json item, int32_t index, bool loud, const nnc_recorded_estimate *before,
                     nnc_figure_list *found, nnc_recorded_estimate *estimate) {
    nnc_arena *arena = item.doc->arena;
    /* the next estimate uses the memory of this list of values again */
    found->like = (nnc_figures){ found->list, found->count };
    found->count = 0;
    found->quiet = !loud;
    *estimate = (nnc_recorded_estimate){ .id = nnc_arena_strdup(arena, nnc_json_key(item)) };
    if (!nnc_json_open(item, index)) { return; }
    figures_add(item, "", found);
    nnc_json_close(item, index, not_digested);
    const nnc_figures figures = { found->list, found->count };
    if (estimate->id == NULL ||
        !nnc_packed_make(arena, figures, before != NULL ? &before->figures : NULL, &estimate->figures)) {
        nnc_faults_no_memory(item.doc->faults);
    }
}

static uint64_t digest_of(nnc_json_type type) { return nnc_digest_number(NNC_DIGEST_START, (uint64_t)type); }

/* Returns the digest of one member of a JSON object. The digest is computed from the key of the member and the digest
 * of its value, in the same way as in nnc_json_digest_members. */
static uint64_t member_of(const char *key, uint64_t value) {
    return nnc_digest_number(nnc_digest_text(NNC_DIGEST_START, key), value);
}

bool nnc_recorded_read_one(nnc_arena *arena, const char *id, const char *text, size_t size,
                           const nnc_recorded_estimate *before, nnc_figure_list *found, nnc_recorded_estimate *estimate,
                           uint64_t *members) {
    nnc_error ignored;
    nnc_faults faults = { .name = id, .err = &ignored };
    nnc_json_doc doc = { .faults = &faults, .arena = arena, .text = text, .size = size };
    if (nnc_json_parse(&doc)) {
        read_one(nnc_json_root(&doc), 0, false, before, found, estimate);
        *members += member_of(id, nnc_json_digest(nnc_json_root(&doc), not_digested));
    }
    nnc_json_free(&doc);
    estimate->id = id;
    return faults.count == 0 && !found->faulty;
}

/* Reads all estimates of the recorded part. Returns false if an estimate has a fault; the fault is reported only if
 * `loud` is true. */
static bool read_estimates(nnc_json at, bool loud, nnc_recorded *recorded) {
    if (nnc_json_type_of(at) != NNC_JSON_OBJECT) { return loud && nnc_json_expect(at, NNC_JSON_OBJECT, "an object"); }
    nnc_recorded_estimate *list = nnc_arena_array(at.doc->arena, (size_t)nnc_json_count(at) + 1, sizeof(*list));
    if (list == NULL) {
        nnc_faults_no_memory(at.doc->faults);
        return true;
    }
    nnc_figure_list found = { .count = 0 };
    bool good = true;
    int32_t index = 0;
    recorded->estimate_count = 0;
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item);
         item = nnc_json_next(item), index++) {
        if (nnc_json_type_of(item) == NNC_JSON_OBJECT) {
            nnc_recorded_estimate *one = &list[recorded->estimate_count++];
            read_one(item, index, loud, one > list ? one - 1 : NULL, &found, one);
        } else {
            good = loud && nnc_json_expect(item, NNC_JSON_OBJECT, "an object");
        }
    }
    recorded->estimates = list;
    return good && !found.faulty;
}

/* Converts a version of nncost to a number that grows with the version: "0.1.0" -> 1000; each of the three numbers in a
 * version is below 1000. Returns -1 if the text is no version. */
static int64_t version_number(const char *text) {
    int64_t number = 0;
    for (int i = 0; i < 3; i++) {
        char *end = NULL;
        const long part = *text >= '0' && *text <= '9' ? strtol(text, &end, 10) : -1;
        if (part < 0 || part > 999 || *end != (i < 2 ? '.' : '\0')) { return -1; }
        number = 1000 * number + part;
        text = end + 1;
    }
    return number;
}

/* Tests whether the recorded part of a plan file has the format that this version of nncost writes, and was not written
 * by a newer version. If the test fails, notes a fault. If the test fails, the recorded estimates are neither compared
 * nor overwritten. */
static bool is_of_this_version(nnc_json at, nnc_recorded *recorded) {
    const nnc_json schema = nnc_json_get(at, "schema");
    char expected[64];
    if (nnc_json_type_of(schema) != NNC_JSON_TEXT || strcmp(nnc_json_text(schema), NNC_RECORDED_SCHEMA) != 0) {
        if (schema.node == NULL) {
            nnc_json_fault(at, "schema", "missing, expected \"%s\" as 'nncost check --update' writes it, found nothing",
                           NNC_RECORDED_SCHEMA);
        } else {
            nnc_json_mismatch(schema, "of another version of nncost", "\"" NNC_RECORDED_SCHEMA "\"");
        }
        return false;
    }
    const char *tool = nnc_read_text(nnc_json_get(at, "tool"));
    if (tool == NULL || version_number(tool) < 0) {
        return nnc_json_fault(at, "tool", "not a version, expected one such as \"%s\"", nnc_version());
    }
    if (version_number(tool) > version_number(nnc_version())) {
        snprintf(expected, sizeof(expected), "at most %s", nnc_version());
        return nnc_json_mismatch(nnc_json_get(at, "tool"), "recorded by a newer nncost", expected);
    }
    recorded->tool = tool;
    recorded->conventions = nnc_read_text(nnc_json_get(at, "conventions"));
    return true;
}

/* Tests whether the recorded part has the digest that it states. If the content of the recorded part has another
 * digest, somebody has edited the part, and a fault is noted. */
static bool is_untouched(nnc_json at) {
    const nnc_json digest = nnc_json_get(at, "digest");
    char own[NNC_DIGEST_TEXT];
    nnc_digest_print(nnc_json_digest(at, not_digested), own);
    if (nnc_json_type_of(digest) != NNC_JSON_TEXT || strcmp(nnc_json_text(digest), own) != 0) {
        return nnc_json_fault(at, NULL,
                              "edited by hand or damaged, expected the text that 'nncost check --update' wrote "
                              "(digest %s); restore this text, or remove the key recorded and record the estimates "
                              "again",
                              nnc_json_type_of(digest) == NNC_JSON_TEXT ? nnc_json_text(digest) : "missing");
    }
    return true;
}

/* Reads the recorded part of a plan file. First reads all estimates without reporting faults, because the digest can be
 * computed only from the estimates. If the digest differs from the stated digest, reports only this difference. If the
 * digests are equal, reads faulty estimates again to report their faults. */
void nnc_recorded_of(nnc_json at, bool head, nnc_recorded *recorded) {
    static const char *const keys[] = {
        "schema", "note", "tool", "conventions", "digest", "digests", "estimates", NULL
    };
    static const nnc_field_table none = { "recorded part", NULL, 0 };
    if (nnc_json_type_of(at) == NNC_JSON_ABSENT || !nnc_json_go_on(at) ||
        !nnc_json_expect(at, NNC_JSON_OBJECT, "an object") || !is_of_this_version(at, recorded)) {
        return;
    }
    const nnc_json estimates = nnc_json_get(at, "estimates");
    const bool good = head || read_estimates(estimates, false, recorded);
    if (head) {
        static const char *const others[] = { "digest", "estimates", NULL };
        recorded->digest = nnc_read_text(nnc_json_get(at, "digest"));
        recorded->members = nnc_json_digest_members(at, others);
    } else if (!nnc_json_go_on(at) || !is_untouched(at)) {
        *recorded = (nnc_recorded){ .tool = NULL };
        return;
    }
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item); item = nnc_json_next(item)) {
        if (!nnc_is_one_of(nnc_json_key(item), keys)) { nnc_refuse_unknown(item, &none, keys); }
    }
    read_digests(nnc_json_get(at, "digests"), recorded);
    if (!good) { (void)read_estimates(estimates, true, recorded); }
}

/* ---- reading the output of `estimate --format json` ---- */

static double number_or_nan(nnc_json at) {
    return nnc_json_type_of(at) == NNC_JSON_NUMBER ? nnc_json_number(at) : (double)NAN;
}

/* Reads the ops of an estimate file. For an estimate of serving, the time of an op already covers all layers, so
 * `repeat` is set to 1. */
static void read_ops(nnc_json at, bool served, nnc_recorded_estimate *estimate) {
    if (nnc_json_type_of(at) != NNC_JSON_LIST) { return; }
    nnc_recorded_op *list = nnc_arena_array(at.doc->arena, (size_t)nnc_json_count(at) + 1, sizeof(*list));
    if (list == NULL) {
        nnc_faults_no_memory(at.doc->faults);
        return;
    }
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item); item = nnc_json_next(item)) {
        nnc_recorded_op *op = &list[estimate->op_count];
        *op = (nnc_recorded_op){
            .name = nnc_read_text(nnc_json_get(item, "name")),
            .phase = nnc_read_text(nnc_json_get(item, "phase")),
            .shape = served ? "" : nnc_read_text(nnc_json_get(item, "shape")),
            .repeat = served ? 1.0 : number_or_nan(nnc_json_get(item, "repeat")),
            .time_s = number_or_nan(nnc_json_get(item, "time_s")),
        };
        estimate->op_count +=
            op->name != NULL && op->phase != NULL && op->shape != NULL && !isnan(op->repeat) && !isnan(op->time_s);
    }
    estimate->ops = list;
}

/* Reads the values of an estimate file into a list, in the order in which the file has them. */
static void read_estimate(nnc_json root, bool served, nnc_recorded *recorded) {
    nnc_recorded_estimate *estimate = nnc_arena_alloc(root.doc->arena, sizeof(*estimate));
    nnc_figure_list found = { .count = 0 };
    if (estimate == NULL) {
        nnc_faults_no_memory(root.doc->faults);
        return;
    }
    for (nnc_json part = nnc_json_first(root); part.node != NULL; part = nnc_json_next(part)) {
        if (nnc_json_type_of(part) == NNC_JSON_OBJECT && strlen(nnc_json_key(part)) < 64) {
            figures_add(part, nnc_json_key(part), &found);
        }
    }
    estimate->id = "";
    if (!nnc_packed_make(root.doc->arena, (nnc_figures){ found.list, found.count }, NULL, &estimate->figures)) {
        nnc_faults_no_memory(root.doc->faults);
        return;
    }
    read_ops(nnc_json_get(root, "ops"), served, estimate);
    if (found.count == 0) {
        nnc_json_fault(root, NULL, "no metrics, expected the output of 'nncost estimate --format json', found none");
    }
    recorded->estimates = estimate;
    recorded->estimate_count = 1;
}

static void read_either(nnc_json root, nnc_recorded *recorded) {
    const nnc_json schema = nnc_json_get(root, "schema");
    const char *text = nnc_json_type_of(schema) == NNC_JSON_TEXT ? nnc_json_text(schema) : "";
    const bool served = strcmp(text, NNC_SERVE_SCHEMA) == 0;
    if (served || strcmp(text, NNC_ESTIMATE_SCHEMA) == 0) {
        read_estimate(root, served, recorded);
    } else if (schema.node == NULL) {
        nnc_json_fault(root, "schema", "missing, expected an estimate (%s) or a plan file (%s)", NNC_ESTIMATE_SCHEMA,
                       NNC_PLANS_SCHEMA);
    } else {
        nnc_json_mismatch(schema, "unknown schema", NNC_ESTIMATE_SCHEMA " or " NNC_PLANS_SCHEMA);
    }
}

static nnc_status parse_either(nnc_arena *arena, const char *text, size_t size, nnc_faults *faults,
                               nnc_recorded *recorded) {
    if (strstr(text, "\"nncost.plans/") != NULL) {
        nnc_plans plans;
        nnc_plans_parse(arena, text, size, faults, &plans);
        *recorded = plans.recorded;
        if (faults->count == 0 && recorded->tool == NULL) {
            return nnc_fail(faults->err, NNC_BAD_SPEC, faults->name,
                            "nothing is recorded, expected the output of 'nncost check %s --update'", faults->name);
        }
        return faults->status;
    }
    nnc_json_doc doc = {
        .faults = faults, .arena = arena, .text = text, .size = size, .values_max = NNC_SCAN_VALUES_RECORDED
    };
    if (nnc_json_parse(&doc)) { read_either(nnc_json_root(&doc), recorded); }
    nnc_json_free(&doc);
    return faults->status;
}

nnc_status nnc_recorded_parse(nnc_arena *arena, const char *name, const char *text, size_t size, nnc_recorded *recorded,
                              nnc_error *err) {
    nnc_faults faults = { .name = name, .err = err };
    *recorded = (nnc_recorded){ .tool = NULL };
    return parse_either(arena, text, size, &faults, recorded);
}

nnc_status nnc_recorded_read(nnc_arena *arena, const char *path, nnc_recorded *recorded, nnc_error *err) {
    char *text = NULL;
    size_t size = 0;
    NNC_TRY(nnc_file_read_large(path, NNC_RECORDED_BYTES_MAX, &text, &size, err));
    const nnc_status status = nnc_recorded_parse(arena, path, text, size, recorded, err);
    free(text);
    return status;
}

static void put_member(nnc_buffer *out, int indent, const char *key, const char *text) {
    nnc_buffer_print(out, "%*s\"%s\": ", indent, "", key);
    nnc_put_json_text(out, text);
}

/* Writes the digests of files and plans as JSON. The digests are sorted by kind (model, device, plan ...). */
static void put_digests(nnc_buffer *out, const nnc_recorded *recorded) {
    const char *kind = NULL;
    nnc_buffer_text(out, "    \"digests\": {");
    for (int32_t i = 0; i < recorded->digest_count; i++) {
        const nnc_recorded_digest *digest = &recorded->digests[i];
        if (kind == NULL || strcmp(kind, digest->kind) != 0) {
            nnc_buffer_print(out, "%s\n      \"%s\": {", kind != NULL ? "\n      }," : "", digest->kind);
            kind = digest->kind;
        } else {
            nnc_buffer_byte(out, ',');
        }
        nnc_buffer_text(out, "\n        ");
        nnc_put_json_text(out, digest->name);
        nnc_buffer_print(out, ": \"%s\"", digest->digest);
    }
    nnc_buffer_text(out, kind != NULL ? "\n      }\n    },\n" : "},\n");
}

/* Writes the value of a figure as JSON. Returns the digest of the value. */
static uint64_t put_value(nnc_buffer *out, const nnc_figure *figure) {
    if (figure->text == NULL) {
        char number[NNC_NUMBER_TEXT];
        /* `value` is the number that a reader of the written text gets, because the text has only 12 significant
         * digits */
        double value = 0.0;
        uint64_t bits = 0;
        nnc_buffer_put(out, number, nnc_number_write_read(figure->number, number, &value));
        memcpy(&bits, &value, sizeof bits);
        return nnc_digest_number(digest_of(NNC_JSON_NUMBER), bits);
    }
    const bool yes = strcmp(figure->text, "true") == 0;
    if (yes || strcmp(figure->text, "false") == 0) {
        nnc_buffer_text(out, figure->text);
        return nnc_digest_number(digest_of(NNC_JSON_BOOL), yes);
    }
    nnc_put_json_text(out, figure->text);
    return nnc_digest_text(digest_of(NNC_JSON_TEXT), figure->text);
}

/* Writes the text before a value: a comma, or the end of the previous group and the beginning of a new group; then the
 * key of the value. before: the previous value of the estimate; NULL = the value is the first value. */
static void put_key(nnc_buffer *out, const char *name, const nnc_written *before, bool one_line, nnc_written *to) {
    const size_t own = strcspn(name, ".");
    const char *key = name[own] == '.' ? name + own + 1 : name;
    to->opens = before == NULL || before->group_size != own || memcmp(before->figure.name, name, own) != 0;
    to->group_size = (uint32_t)own;
    if (to->opens) {
        char group[FIGURE_NAME_MAX];
        memcpy(group, name, own);
        group[own] = '\0';
        to->group = nnc_digest_text(NNC_DIGEST_START, group);
        nnc_buffer_text(out, before != NULL ? "}," : "");
        nnc_buffer_text(out, !one_line ? "\n        \"" : before != NULL ? " \"" : "\"");
        nnc_buffer_put(out, name, own);
        nnc_buffer_text(out, "\": {");
    } else {
        to->group = before->group;
        nnc_buffer_put(out, ", ", 2);
    }
    nnc_put_json_text(out, key);
    nnc_buffer_put(out, ": ", 2);
    to->key = nnc_digest_text(NNC_DIGEST_START, key);
}

/* Tests whether two figures are equal. Texts of figures are in an arena and never overwritten, so two equal pointers
 * mean equal texts. */
static bool same_value(const nnc_figure *a, const nnc_figure *b) {
    return a->text == b->text && nnc_same_bytes(&a->number, &b->number, sizeof a->number);
}

/* Writes the key and the value of a figure. key: the text of this key in the last estimate, which the function copies;
 * NULL = put_key writes the key. */
static void put_figure(nnc_buffer *out, const nnc_figure *figure, const char *key, const nnc_written *before,
                       bool one_line, nnc_written *to) {
    const size_t begin = out->size;
    if (key != NULL) {
        nnc_buffer_put(out, key, to->key_size);
    } else {
        put_key(out, figure->name, before, one_line, to);
        to->key_size = (uint32_t)(out->size - begin);
    }
    to->figure = *figure;
    to->digest = nnc_digest_number(to->key, put_value(out, figure));
    to->size = (uint32_t)(out->size - begin);
}

/* Replaces the text in *last by the text of the newest estimate: the bytes of `out` from `begin` on. */
static void keep_text(const nnc_buffer *out, size_t begin, int32_t count, nnc_written_estimate *last) {
    last->text.size = 0;
    last->count = 0;
    if (!out->failed && out->size > begin) {
        nnc_buffer_put(&last->text, out->bytes + begin, out->size - begin);
        last->count = last->text.failed ? 0 : count;
    }
}

/* Writes the values of an estimate in groups of values with the same first part of the name: "step.step_s" and
 * "step.forward_s" are in the group "step". Returns the sum of the digests of the groups. */
static uint64_t put_estimate(nnc_buffer *out, const nnc_packed *figures, bool one_line, nnc_written_estimate *last) {
    nnc_written own[2] = { { .size = 0 } };
    const nnc_written *before = NULL;
    uint64_t sum = 0, members = 0;
    const int32_t count = nnc_packed_count(figures);
    const size_t begin = out->size;
    /* positions in the text of the last estimate. `at` is the position of the current value; the text from `from` to
     * `at` has unchanged values, which are copied to `out` later */
    size_t from = 0, at = 0;
    /* true: all values up to this value have the same names as the values of the last estimate */
    bool named = true;
    for (int32_t i = 0; i < count; i++) {
        const nnc_figure figure = figures->values == NULL ? figures->kinds->list[i] : nnc_packed_figure(figures, i);
        nnc_written *to = last != NULL ? &last->values[i] : &own[i % 2];
        named = named && last != NULL && i < last->count && to->figure.name == figure.name;
        const size_t size = named ? to->size : 0;
        if (!named || !same_value(&to->figure, &figure)) {
            if (at > from) { nnc_buffer_put(out, last->text.bytes + from, at - from); }
            put_figure(out, &figure, named ? last->text.bytes + at : NULL, before, one_line, to);
            from = at + size;
        }
        at += size;
        if (to->opens && before != NULL) {
            sum += nnc_digest_number(before->group, nnc_digest_object(members));
            members = 0;
        }
        members += to->digest;
        before = to;
    }
    if (at > from) { nnc_buffer_put(out, last->text.bytes + from, at - from); }
    if (last != NULL) { keep_text(out, begin, count, last); }
    nnc_buffer_text(out, count > 0 ? "}" : "");
    nnc_buffer_text(out, one_line ? "" : "\n      ");
    return sum + (count > 0 ? nnc_digest_number(before->group, nnc_digest_object(members)) : 0);
}

void nnc_recorded_put(nnc_buffer *out, const char *id, const nnc_packed *figures, bool one_line, bool first,
                      nnc_written_estimate *last, uint64_t *members) {
    nnc_buffer_text(out, first ? "\n      " : ",\n      ");
    nnc_put_json_text(out, id);
    nnc_buffer_text(out, ": {");
    *members += member_of(id, nnc_digest_object(put_estimate(out, figures, one_line, last)));
    nnc_buffer_byte(out, '}');
}

void nnc_recorded_write(nnc_buffer *out, const nnc_recorded *recorded, bool one_line) {
    nnc_buffer_text(out, "{\n    \"schema\": \"" NNC_RECORDED_SCHEMA "\",\n");
    put_member(out, 4, "note", "Written by 'nncost check --update' and by nothing else.");
    nnc_buffer_text(out, ",\n");
    put_member(out, 4, "tool", recorded->tool);
    nnc_buffer_text(out, ",\n");
    put_member(out, 4, "conventions", recorded->conventions);
    nnc_buffer_text(out, ",\n    \"digest\": \"" NNC_DIGEST_OPEN "\",\n");
    put_digests(out, recorded);
    nnc_buffer_text(out, "    \"estimates\": {");
    uint64_t members = 0;
    for (int32_t i = 0; i < recorded->estimate_count; i++) {
        nnc_recorded_put(out, recorded->estimates[i].id, &recorded->estimates[i].figures, one_line, i == 0, NULL,
                         &members);
    }
    nnc_buffer_text(out, "\n    }\n  }");
}
