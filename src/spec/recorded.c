/* Recorded estimates: the part of a plan file that `check --update` wrote, or the one estimate of an
 * `estimate --format json`. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <nncost/nncost.h>

#include "base/error.h"
#include "spec/plans.h"
#include "spec/read.h"
#include "spec/scan.h"

enum { FIGURE_NAME_MAX = 256, FIGURES_MAX = 10000 };

uint64_t nnc_json_digest(nnc_json at, const char *const *skip)
{
    const nnc_json_type type = nnc_json_type_of(at);
    uint64_t digest = nnc_digest_number(NNC_DIGEST_START, (uint64_t)type), bits = 0;
    double value = 0;
    switch (type) {
    case NNC_JSON_BOOL: return nnc_digest_number(digest, nnc_json_bool(at));
    case NNC_JSON_NUMBER:
        value = nnc_json_number(at);
        value = value == 0 ? 0 : value; /* -0 too */
        memcpy(&bits, &value, sizeof(bits));
        return nnc_digest_number(digest, bits);
    case NNC_JSON_TEXT: return nnc_digest_text(digest, nnc_json_text(at));
    case NNC_JSON_LIST:
        for (nnc_json item = nnc_json_first(at); item.node != NULL; item = nnc_json_next(item)) {
            digest = nnc_digest_number(digest, nnc_json_digest(item, skip));
        }
        return digest;
    case NNC_JSON_OBJECT: /* a sum: the order of keys says nothing */
        for (nnc_json item = nnc_json_first(at); item.node != NULL; item = nnc_json_next(item)) {
            if (!nnc_is_one_of(nnc_json_key(item), skip)) {
                bits += nnc_digest_number(nnc_digest_text(NNC_DIGEST_START, nnc_json_key(item)),
                                          nnc_json_digest(item, skip));
            }
        }
        return nnc_digest_number(digest, bits);
    default: return digest;
    }
}

nnc_status nnc_spec_digest(const char *path, uint64_t *digest, nnc_error *err)
{
    static const char *const skip[] = { "note", "sources", NULL };
    char *text = NULL;
    size_t size = 0;
    nnc_status status = nnc_file_read(path, &text, &size, err);
    if (status == NNC_OK) {
        nnc_faults faults = { .name = path, .err = err };
        nnc_json_doc doc = { .faults = &faults, .text = text, .size = size };
        if (nnc_json_parse(&doc)) {
            *digest = nnc_json_digest(nnc_json_root(&doc), skip);
        }
        nnc_json_free(&doc);
        status = faults.status;
    }
    free(text);
    return status;
}

static bool is_member(nnc_json at, nnc_json_type type, const char *expected)
{
    if (nnc_json_type_of(at) != type) {
        nnc_json_mismatch(at, "wrong type", expected);
        return false;
    }
    return true;
}

/* ---- figures ---- */

typedef struct figure_list {
    nnc_figure *list;
    int32_t count, capacity;
    nnc_figures like; /* an earlier list: most estimates share their names */
} figure_list;

static const char *name_for(nnc_arena *arena, const figure_list *into, const char *name)
{
    const nnc_figures like = into->like;
    const bool known = into->count < like.count && strcmp(like.list[into->count].name, name) == 0;
    return known ? like.list[into->count].name : nnc_arena_strdup(arena, name);
}

static void add_figure(nnc_json at, const char *name, figure_list *into)
{
    nnc_arena *arena = at.doc->arena;
    if (into->count == into->capacity) {
        const int32_t capacity = into->capacity > 0 ? 2 * into->capacity : 128;
        nnc_figure *list = nnc_arena_array(arena, (size_t)capacity, sizeof(*list));
        if (list == NULL) {
            nnc_faults_no_memory(at.doc->faults);
            return;
        }
        if (into->count > 0) {
            memcpy(list, into->list, (size_t)into->count * sizeof(*list));
        }
        into->list = list;
        into->capacity = capacity;
    }
    nnc_figure figure = { .name = name_for(arena, into, name), .number = (double)NAN };
    bool kept = figure.name != NULL;
    switch (nnc_json_type_of(at)) {
    case NNC_JSON_NUMBER: figure.number = nnc_json_number(at); break;
    case NNC_JSON_BOOL: figure.text = nnc_json_bool(at) ? "true" : "false"; break;
    default:
        figure.text = nnc_arena_strdup(arena, nnc_json_text(at));
        kept = kept && figure.text != NULL;
        break;
    }
    if (!kept) {
        nnc_faults_no_memory(at.doc->faults);
        return;
    }
    into->list[into->count++] = figure;
}

/* Puts a part of a name behind the first `used` bytes; the new length, 0 = there is no room. */
static size_t append_part(char *name, size_t used, const char *part)
{
    const size_t dot = used > 0 ? 1 : 0, length = strlen(part);
    if (used + dot + length >= FIGURE_NAME_MAX) {
        return 0;
    }
    name[used] = '.';
    memcpy(name + used + dot, part, length + 1);
    return used + dot + length;
}

/* Lists of texts or objects, such as advice, are for people; an estimate nests only so deep. */
static void flatten(nnc_json at, char *name, size_t used, figure_list *into)
{
    const bool list = nnc_json_type_of(at) == NNC_JSON_LIST;
    int index = 0;
    for (nnc_json item = nnc_json_first(at);
         item.node != NULL && nnc_json_go_on(item) && into->count < FIGURES_MAX;
         item = nnc_json_next(item), index++) {
        const nnc_json_type type = nnc_json_type_of(item);
        char place[16];
        if (list) {
            snprintf(place, sizeof(place), "%d", index);
        }
        const size_t length = append_part(name, used, list ? place : nnc_json_key(item));
        if (length == 0) {
            nnc_json_fault(item, NULL, "name too long or empty, expected at most %d bytes",
                           FIGURE_NAME_MAX - 1);
            return;
        }
        if (type == NNC_JSON_OBJECT ? !list : type == NNC_JSON_LIST) {
            flatten(item, name, length, into);
        } else if (type != NNC_JSON_NULL && type != NNC_JSON_OBJECT &&
                   !(list && type == NNC_JSON_TEXT)) {
            add_figure(item, name, into);
        }
    }
}

static nnc_figures figures_of(nnc_json at, nnc_figures like)
{
    char name[FIGURE_NAME_MAX] = "";
    figure_list found = { .like = like };
    flatten(at, name, 0, &found);
    return (nnc_figures){ found.list, found.count };
}

/* ---- the recorded part ---- */

static void read_digests(nnc_json at, nnc_recorded *recorded)
{
    size_t room = 0;
    if (!is_member(at, NNC_JSON_OBJECT, "an object")) {
        return;
    }
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
                (nnc_recorded_digest){ name, nnc_arena_strdup(at.doc->arena, nnc_json_key(item)),
                                       nnc_read_text(item) };
            recorded->digest_count +=
                digest->kind != NULL && digest->name != NULL && digest->digest != NULL;
        }
    }
    recorded->digests = list;
}

static void read_estimates(nnc_json at, nnc_recorded *recorded)
{
    if (!is_member(at, NNC_JSON_OBJECT, "an object")) {
        return;
    }
    nnc_recorded_estimate *list =
        nnc_arena_array(at.doc->arena, (size_t)nnc_json_count(at) + 1, sizeof(*list));
    if (list == NULL) {
        nnc_faults_no_memory(at.doc->faults);
        return;
    }
    nnc_figures like = { .count = 0 };
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item);
         item = nnc_json_next(item)) {
        if (is_member(item, NNC_JSON_OBJECT, "an object")) {
            like = figures_of(item, like);
            list[recorded->estimate_count++] = (nnc_recorded_estimate){
                .id = nnc_arena_strdup(at.doc->arena, nnc_json_key(item)),
                .figures = like,
            };
        }
    }
    recorded->estimates = list;
}

/* "0.1.0" -> 1000, each part below a thousand; -1 = no version. */
static int64_t version_number(const char *text)
{
    int64_t number = 0;
    for (int i = 0; i < 3; i++) {
        char *end = NULL;
        const long part = *text >= '0' && *text <= '9' ? strtol(text, &end, 10) : -1;
        if (part < 0 || part > 999 || *end != (i < 2 ? '.' : '\0')) {
            return -1;
        }
        number = 1000 * number + part;
        text = end + 1;
    }
    return number;
}

/* A part that another hand or another version wrote is neither compared nor overwritten. */
static bool is_ours(nnc_json at, nnc_recorded *recorded)
{
    static const char *const skip[] = { "digest", NULL };
    const nnc_json schema = nnc_json_get(at, "schema"), digest = nnc_json_get(at, "digest");
    char expected[64], own[NNC_DIGEST_TEXT];
    if (nnc_json_type_of(schema) != NNC_JSON_TEXT ||
        strcmp(nnc_json_text(schema), NNC_RECORDED_SCHEMA) != 0) {
        if (schema.node == NULL) {
            nnc_json_fault(at, "schema",
                           "missing, expected \"%s\" as 'nncost check --update' writes it, found "
                           "nothing",
                           NNC_RECORDED_SCHEMA);
        } else {
            nnc_json_mismatch(schema, "of another version of nncost",
                              "\"" NNC_RECORDED_SCHEMA "\"");
        }
        return false;
    }
    const char *tool = nnc_read_text(nnc_json_get(at, "tool"));
    if (tool == NULL || version_number(tool) < 0) {
        nnc_json_fault(at, "tool", "not a version, expected one such as \"%s\"", nnc_version());
        return false;
    }
    if (version_number(tool) > version_number(nnc_version())) {
        snprintf(expected, sizeof(expected), "at most %s", nnc_version());
        nnc_json_mismatch(nnc_json_get(at, "tool"), "recorded by a newer nncost", expected);
        return false;
    }
    nnc_digest_print(nnc_json_digest(at, skip), own);
    if (nnc_json_type_of(digest) != NNC_JSON_TEXT || strcmp(nnc_json_text(digest), own) != 0) {
        nnc_json_fault(at, NULL,
                       "edited by hand or damaged, expected it as 'nncost check --update' wrote "
                       "it (digest %s); restore it, or remove the whole of it and record again",
                       nnc_json_type_of(digest) == NNC_JSON_TEXT ? nnc_json_text(digest)
                                                                 : "missing");
        return false;
    }
    recorded->tool = tool;
    recorded->conventions = nnc_read_text(nnc_json_get(at, "conventions"));
    return true;
}

void nnc_recorded_of(nnc_json at, nnc_recorded *recorded)
{
    static const char *const keys[] = { "schema", "note",    "tool",      "conventions",
                                        "digest", "digests", "estimates", NULL };
    static const nnc_field_table none = { "recorded part", NULL, 0 };
    if (nnc_json_type_of(at) == NNC_JSON_ABSENT || !nnc_json_go_on(at)) {
        return;
    }
    if (!is_member(at, NNC_JSON_OBJECT, "an object") || !is_ours(at, recorded)) {
        return;
    }
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item);
         item = nnc_json_next(item)) {
        if (!nnc_is_one_of(nnc_json_key(item), keys)) {
            nnc_refuse_unknown(item, &none, keys);
        }
    }
    read_digests(nnc_json_get(at, "digests"), recorded);
    read_estimates(nnc_json_get(at, "estimates"), recorded);
}

/* ---- estimate files ---- */

static double number_or_nan(nnc_json at)
{
    return nnc_json_type_of(at) == NNC_JSON_NUMBER ? nnc_json_number(at) : (double)NAN;
}

static void read_ops(nnc_json at, nnc_recorded_estimate *estimate)
{
    if (nnc_json_type_of(at) != NNC_JSON_LIST) {
        return;
    }
    nnc_recorded_op *list =
        nnc_arena_array(at.doc->arena, (size_t)nnc_json_count(at) + 1, sizeof(*list));
    if (list == NULL) {
        nnc_faults_no_memory(at.doc->faults);
        return;
    }
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item);
         item = nnc_json_next(item)) {
        nnc_recorded_op *op = &list[estimate->op_count];
        *op = (nnc_recorded_op){
            .name = nnc_read_text(nnc_json_get(item, "name")),
            .phase = nnc_read_text(nnc_json_get(item, "phase")),
            .shape = nnc_read_text(nnc_json_get(item, "shape")),
            .repeat = number_or_nan(nnc_json_get(item, "repeat")),
            .time_s = number_or_nan(nnc_json_get(item, "time_s")),
        };
        estimate->op_count += op->name != NULL && op->phase != NULL && op->shape != NULL &&
                              !isnan(op->repeat) && !isnan(op->time_s);
    }
    estimate->ops = list;
}

/* The figures are those of the parts, in the order of the file. */
static void read_estimate(nnc_json root, nnc_recorded *recorded)
{
    nnc_recorded_estimate *estimate = nnc_arena_alloc(root.doc->arena, sizeof(*estimate));
    char name[FIGURE_NAME_MAX] = "";
    figure_list found = { .count = 0 };
    if (estimate == NULL) {
        nnc_faults_no_memory(root.doc->faults);
        return;
    }
    for (nnc_json part = nnc_json_first(root); part.node != NULL; part = nnc_json_next(part)) {
        if (nnc_json_type_of(part) == NNC_JSON_OBJECT && strlen(nnc_json_key(part)) < 64) {
            const int used = snprintf(name, sizeof(name), "%s", nnc_json_key(part));
            flatten(part, name, (size_t)used, &found);
        }
    }
    estimate->id = "";
    estimate->figures = (nnc_figures){ found.list, found.count };
    read_ops(nnc_json_get(root, "ops"), estimate);
    if (found.count == 0) {
        nnc_json_fault(root, NULL,
                       "no figures, expected the output of 'nncost estimate --format "
                       "json', found none");
    }
    recorded->estimates = estimate;
    recorded->estimate_count = 1;
}

static void read_either(nnc_json root, nnc_recorded *recorded)
{
    const nnc_json schema = nnc_json_get(root, "schema");
    const char *text = nnc_json_type_of(schema) == NNC_JSON_TEXT ? nnc_json_text(schema) : "";
    if (strcmp(text, NNC_ESTIMATE_SCHEMA) == 0) {
        read_estimate(root, recorded);
    } else if (schema.node == NULL) {
        nnc_json_fault(root, "schema", "missing, expected an estimate (%s) or a plan file (%s)",
                       NNC_ESTIMATE_SCHEMA, NNC_PLANS_SCHEMA);
    } else {
        nnc_json_mismatch(schema, "unknown schema", NNC_ESTIMATE_SCHEMA " or " NNC_PLANS_SCHEMA);
    }
}

static nnc_status parse_either(nnc_arena *arena, const char *text, size_t size, nnc_faults *faults,
                               nnc_recorded *recorded)
{
    if (strstr(text, "\"nncost.plans/") != NULL) {
        nnc_plans plans;
        nnc_plans_parse(arena, text, size, faults, &plans);
        *recorded = plans.recorded;
        if (faults->count == 0 && recorded->tool == NULL) {
            return nnc_fail(faults->err, NNC_BAD_SPEC, faults->name,
                            "nothing is recorded, expected what 'nncost check %s --update' writes",
                            faults->name);
        }
        return faults->status;
    }
    nnc_json_doc doc = { .faults = faults,
                         .arena = arena,
                         .text = text,
                         .size = size,
                         .values_max = NNC_SCAN_VALUES_MANY };
    if (nnc_json_parse(&doc)) {
        read_either(nnc_json_root(&doc), recorded);
    }
    nnc_json_free(&doc);
    return faults->status;
}

nnc_status nnc_recorded_read(nnc_arena *arena, const char *path, nnc_recorded *recorded,
                             nnc_error *err)
{
    char *text = NULL;
    size_t size = 0;
    nnc_faults faults = { .name = path, .err = err };
    *recorded = (nnc_recorded){ .tool = NULL };
    nnc_status status = nnc_file_read(path, &text, &size, err);
    if (status == NNC_OK) {
        status = parse_either(arena, text, size, &faults, recorded);
    }
    free(text);
    return status;
}
