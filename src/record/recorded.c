/* Recorded estimates: the part of a plan file that `check --update` wrote, or the one estimate of an
 * `estimate --format json`. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nncost/nncost.h>

#include "base/error.h"
#include "input/file.h"
#include "input/read.h"
#include "input/scan.h"
#include "record/plan_file.h"
#include "record/recorded_figures.h"

static bool is_member(nnc_json at, nnc_json_type type, const char *expected)
{
    if (nnc_json_type_of(at) != type) {
        nnc_json_mismatch(at, "wrong type", expected);
        return false;
    }
    return true;
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

static const char *const not_digested[] = { "digest", NULL };

/* The figures of one estimate; their faults are noted where `loud`. before: the one read last; NULL = it is the first. */
static void read_one(nnc_json item, int32_t index, bool loud, const nnc_recorded_estimate *before,
                     nnc_figure_list *found, nnc_recorded_estimate *estimate)
{
    nnc_arena *arena = item.doc->arena;
    found->like = (nnc_figures){ found->list, found->count }; /* each is written over by the next */
    found->count = 0;
    found->quiet = !loud;
    *estimate = (nnc_recorded_estimate){ .id = nnc_arena_strdup(arena, nnc_json_key(item)) };
    if (!nnc_json_open(item, index)) {
        return;
    }
    nnc_figures_add(item, "", found);
    nnc_json_close(item, index, not_digested);
    const nnc_figures figures = { found->list, found->count };
    if (estimate->id == NULL ||
        !nnc_packed_make(arena, figures, before != NULL ? &before->figures : NULL,
                         &estimate->figures)) {
        nnc_faults_no_memory(item.doc->faults);
    }
}

/* false: there is a fault, noted where `loud`. */
static bool read_estimates(nnc_json at, bool loud, nnc_recorded *recorded)
{
    if (nnc_json_type_of(at) != NNC_JSON_OBJECT) {
        return loud && is_member(at, NNC_JSON_OBJECT, "an object");
    }
    nnc_recorded_estimate *list =
        nnc_arena_array(at.doc->arena, (size_t)nnc_json_count(at) + 1, sizeof(*list));
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
            good = loud && is_member(item, NNC_JSON_OBJECT, "an object");
        }
    }
    recorded->estimates = list;
    return good && !found.faulty;
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

/* A part that another version wrote is neither compared nor overwritten. */
static bool is_of_this_version(nnc_json at, nnc_recorded *recorded)
{
    const nnc_json schema = nnc_json_get(at, "schema");
    char expected[64];
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
    recorded->tool = tool;
    recorded->conventions = nnc_read_text(nnc_json_get(at, "conventions"));
    return true;
}

/* Nor is one that another hand wrote. */
static bool is_untouched(nnc_json at)
{
    const nnc_json digest = nnc_json_get(at, "digest");
    char own[NNC_DIGEST_TEXT];
    nnc_digest_print(nnc_json_digest(at, not_digested), own);
    if (nnc_json_type_of(digest) != NNC_JSON_TEXT || strcmp(nnc_json_text(digest), own) != 0) {
        nnc_json_fault(at, NULL,
                       "edited by hand or damaged, expected it as 'nncost check --update' wrote "
                       "it (digest %s); restore it, or remove the whole of it and record again",
                       nnc_json_type_of(digest) == NNC_JSON_TEXT ? nnc_json_text(digest)
                                                                 : "missing");
        return false;
    }
    return true;
}

/* The digest is known when all estimates were read; only then do their faults say more than that. */
void nnc_recorded_of(nnc_json at, nnc_recorded *recorded)
{
    static const char *const keys[] = { "schema", "note",    "tool",      "conventions",
                                        "digest", "digests", "estimates", NULL };
    static const nnc_field_table none = { "recorded part", NULL, 0 };
    if (nnc_json_type_of(at) == NNC_JSON_ABSENT || !nnc_json_go_on(at) ||
        !is_member(at, NNC_JSON_OBJECT, "an object") || !is_of_this_version(at, recorded)) {
        return;
    }
    const nnc_json estimates = nnc_json_get(at, "estimates");
    const bool good = read_estimates(estimates, false, recorded);
    if (!nnc_json_go_on(at) || !is_untouched(at)) {
        *recorded = (nnc_recorded){ .tool = NULL };
        return;
    }
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item);
         item = nnc_json_next(item)) {
        if (!nnc_is_one_of(nnc_json_key(item), keys)) {
            nnc_refuse_unknown(item, &none, keys);
        }
    }
    read_digests(nnc_json_get(at, "digests"), recorded);
    if (!good) {
        (void)read_estimates(estimates, true, recorded);
    }
}

/* ---- estimate files ---- */

static double number_or_nan(nnc_json at)
{
    return nnc_json_type_of(at) == NNC_JSON_NUMBER ? nnc_json_number(at) : (double)NAN;
}

/* Times of what is served are those of all layers. */
static void read_ops(nnc_json at, bool served, nnc_recorded_estimate *estimate)
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
            .shape = served ? "" : nnc_read_text(nnc_json_get(item, "shape")),
            .repeat = served ? 1.0 : number_or_nan(nnc_json_get(item, "repeat")),
            .time_s = number_or_nan(nnc_json_get(item, "time_s")),
        };
        estimate->op_count += op->name != NULL && op->phase != NULL && op->shape != NULL &&
                              !isnan(op->repeat) && !isnan(op->time_s);
    }
    estimate->ops = list;
}

/* The figures are those of the parts, in the order of the file. */
static void read_estimate(nnc_json root, bool served, nnc_recorded *recorded)
{
    nnc_recorded_estimate *estimate = nnc_arena_alloc(root.doc->arena, sizeof(*estimate));
    nnc_figure_list found = { .count = 0 };
    if (estimate == NULL) {
        nnc_faults_no_memory(root.doc->faults);
        return;
    }
    for (nnc_json part = nnc_json_first(root); part.node != NULL; part = nnc_json_next(part)) {
        if (nnc_json_type_of(part) == NNC_JSON_OBJECT && strlen(nnc_json_key(part)) < 64) {
            nnc_figures_add(part, nnc_json_key(part), &found);
        }
    }
    estimate->id = "";
    if (!nnc_packed_make(root.doc->arena, (nnc_figures){ found.list, found.count }, NULL,
                         &estimate->figures)) {
        nnc_faults_no_memory(root.doc->faults);
        return;
    }
    read_ops(nnc_json_get(root, "ops"), served, estimate);
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
    const bool served = strcmp(text, NNC_SERVE_SCHEMA) == 0;
    if (served || strcmp(text, NNC_ESTIMATE_SCHEMA) == 0) {
        read_estimate(root, served, recorded);
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
                         .values_max = NNC_SCAN_VALUES_RECORDED };
    if (nnc_json_parse(&doc)) {
        read_either(nnc_json_root(&doc), recorded);
    }
    nnc_json_free(&doc);
    return faults->status;
}

nnc_status nnc_recorded_parse(nnc_arena *arena, const char *name, const char *text, size_t size,
                              nnc_recorded *recorded, nnc_error *err)
{
    nnc_faults faults = { .name = name, .err = err };
    *recorded = (nnc_recorded){ .tool = NULL };
    return parse_either(arena, text, size, &faults, recorded);
}

nnc_status nnc_recorded_read(nnc_arena *arena, const char *path, nnc_recorded *recorded,
                             nnc_error *err)
{
    char *text = NULL;
    size_t size = 0;
    NNC_TRY(nnc_file_read_large(path, NNC_RECORDED_BYTES_MAX, &text, &size, err));
    const nnc_status status = nnc_recorded_parse(arena, path, text, size, recorded, err);
    free(text);
    return status;
}
