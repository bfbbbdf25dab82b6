/* Values of an estimate. The functions find a value by its name, pack values to save memory, and test values against
 * requirements such as "<= 9.5". */
#include <nncost/check.h>
#include <nncost/nncost.h>

#include "base/base_internal.h"
#include "estimate/estimate_internal.h"
#include "metrics/metrics_internal.h"
#include "record/record_internal.h"
#include "render/render_internal.h"

enum { NAMES_MAX = 512 };

/* Tests whether the full name of a value is `name`, or ends with a dot and `name`. */
static bool ends(const char *figure, const char *name) {
    const size_t whole = strlen(figure), part = strlen(name);
    if (part > whole || strcmp(figure + whole - part, name) != 0) { return false; }
    return part == whole || (part > 0 && figure[whole - part - 1] == '.');
}

int nnc_figure_match(const char *name, const char *figure) {
    const size_t length = name != NULL && figure != NULL ? strlen(name) : 0;
    if (length == 0) { return name != NULL && figure != NULL ? 0 : -1; }
    const bool begins = strncmp(figure, name, length) == 0 && (figure[length] == '.' || figure[length] == '\0');
    return begins || ends(figure, name) ? (int)length : -1;
}

/* Reports that no value has the name `name`, with the nearest name that exists. Returns NULL. The misspelt name may be
 * short ("step_s") or full ("step.step_s"), so it is compared with both forms of each name. */
static const nnc_figure *unknown(nnc_figures figures, const char *name, nnc_error *err) {
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (int32_t i = 0; i < figures.count && count + 2 <= NAMES_MAX; i++) {
        const char *dot = strrchr(figures.list[i].name, '.');
        names[count++] = figures.list[i].name;
        if (dot != NULL) { names[count++] = dot + 1; }
    }
    const char *near = nnc_nearest(name, names, count);
    nnc_fail(err, NNC_BAD_SPEC, name,
             "unknown metric, expected a name of the JSON output such as step_s or "
             "memory.total_bytes%s%s%s, found \"%.60s\"",
             near != NULL ? ", perhaps \"" : "", near != NULL ? near : "", near != NULL ? "\"" : "", name);
    return NULL;
}

const nnc_figure *nnc_figure_find(nnc_figures figures, const char *name, nnc_error *err) {
    const nnc_figure *list = figures.list;
    if (nnc_need(__func__, "name", name != NULL, err) != NNC_OK) { return NULL; }
    if (figures.count == 0) { return unknown(figures, name, err); }
    const nnc_name_match match = nnc_name_find(&list[0].name, sizeof list[0], figures.count, name);
    if (match.other >= 0) {
        nnc_fail(err, NNC_BAD_SPEC, name, "ambiguous, expected a full name such as %s or %s, found \"%.60s\"",
                 list[match.index].name, list[match.other].name, name);
        return NULL;
    }
    return match.index >= 0 ? &list[match.index] : unknown(figures, name, err);
}

static bool same_kinds(const nnc_figures *kinds, nnc_figures figures) {
    bool same = kinds != NULL && kinds->count == figures.count;
    for (int32_t i = 0; same && i < figures.count; i++) {
        const nnc_figure *a = &kinds->list[i], *b = &figures.list[i];
        same = (a->text != NULL) == (b->text != NULL) && (a->name == b->name || strcmp(a->name, b->name) == 0);
    }
    return same;
}

static const nnc_figures *copy_kinds(nnc_arena *arena, nnc_figures figures) {
    nnc_figures *kinds = nnc_arena_alloc(arena, sizeof *kinds);
    nnc_figure *list = nnc_arena_array(arena, (size_t)figures.count + 1, sizeof *list);
    if (kinds == NULL || list == NULL) { return NULL; }
    if (figures.count > 0) { memcpy(list, figures.list, (size_t)figures.count * sizeof *list); }
    *kinds = (nnc_figures){ list, figures.count };
    return kinds;
}

bool nnc_packed_make(nnc_arena *arena, nnc_figures figures, const nnc_packed *before, nnc_packed *packed) {
    const bool same = before != NULL && same_kinds(before->kinds, figures);
    nnc_packed_value *values = nnc_arena_array(arena, (size_t)figures.count + 1, sizeof *values);
    *packed = (nnc_packed){ same ? before->kinds : copy_kinds(arena, figures), values };
    if (values == NULL || packed->kinds == NULL) { return false; }
    for (int32_t i = 0; i < figures.count; i++) {
        const nnc_figure *figure = &figures.list[i];
        if (figure->text != NULL) {
            values[i].text = figure->text;
        } else {
            values[i].number = figure->number;
        }
    }
    return true;
}

nnc_figure nnc_packed_figure(const nnc_packed *packed, int32_t index) {
    const nnc_figure *kind = &packed->kinds->list[index];
    if (packed->values == NULL) { return *kind; }
    const nnc_packed_value value = packed->values[index];
    nnc_figure figure = { .name = kind->name, .number = (double)NAN };
    if (kind->text != NULL) {
        figure.text = value.text;
    } else {
        figure.number = value.number;
    }
    return figure;
}

const nnc_figure *nnc_packed_list(nnc_arena *arena, const nnc_packed *packed) {
    const int32_t count = nnc_packed_count(packed);
    nnc_figure *list = nnc_arena_array(arena, (size_t)count + 1, sizeof *list);
    for (int32_t i = 0; list != NULL && i < count; i++) { list[i] = nnc_packed_figure(packed, i); }
    return list;
}

/* Comparison signs of requirements. In this list, a longer sign such as "<=" comes before the sign that is its first
 * character ("<"), so that a search in the order of the list finds the longer sign first. */
static const struct {
    const char *sign;
    nnc_relation relation;
} relations[NNC_RELATION_COUNT] = {
    { "<=", NNC_AT_MOST }, { ">=", NNC_AT_LEAST }, { "==", NNC_EQUAL }, { "<", NNC_BELOW }, { ">", NNC_ABOVE },
};

nnc_status nnc_requirement_read(const char *name, const char *rule, nnc_requirement *requirement, nnc_error *err) {
    NNC_NEED(name);
    NNC_NEED(rule);
    NNC_NEED(requirement);
    size_t i = 0;
    while (i < NNC_RELATION_COUNT && strncmp(rule, relations[i].sign, strlen(relations[i].sign)) != 0) { i++; }
    if (i == NNC_RELATION_COUNT) {
        return nnc_fail(err, NNC_BAD_SPEC, name,
                        "not a requirement, expected one such as \"<= 9.5\" or \"== fits\" (<=, <, >=, > or ==), found "
                        "\"%.60s\"",
                        rule);
    }
    const char *value = rule + strlen(relations[i].sign);
    value += strspn(value, " ");
    *requirement =
        (nnc_requirement){ .name = name, .rule = rule, .relation = relations[i].relation, .number = (double)NAN };
    if (!nnc_read_typed(value, &requirement->number)) {
        requirement->text = value;
        if (requirement->relation != NNC_EQUAL || *value == '\0') {
            return nnc_fail(err, NNC_BAD_SPEC, name, "not a number, expected one such as %s after %s, found \"%.60s\"",
                            nnc_ends_in(value, "%") ? "0.4 for 40%" : "9.5, 860ms or 70GB", relations[i].sign, value);
        }
    }
    return NNC_OK;
}

bool nnc_requirement_met(const nnc_requirement *requirement, const nnc_figure *figure) {
    if (requirement == NULL || figure == NULL) { return false; }
    if (requirement->text != NULL || figure->text != NULL) {
        return requirement->text != NULL && figure->text != NULL && strcmp(requirement->text, figure->text) == 0;
    }
    const double value = figure->number, limit = requirement->number;
    switch (requirement->relation) {
    case NNC_AT_MOST: return value <= limit;
    case NNC_BELOW: return value < limit;
    case NNC_AT_LEAST: return value >= limit;
    case NNC_ABOVE: return value > limit;
    case NNC_EQUAL: return value == limit;
    case NNC_RELATION_COUNT: break;
    }
    return false;
}

/* ---- library functions that write one estimate as JSON, with the same members as the program ---- */

static nnc_status take(nnc_buffer *out, char **text, size_t *size, nnc_error *err) {
    const size_t length = out->size;
    nnc_buffer_byte(out, '\0');
    if (out->failed) {
        nnc_buffer_free(out);
        return nnc_no_memory(err);
    }
    *text = out->bytes;
    if (size != NULL) { *size = length; }
    return NNC_OK;
}

static nnc_status write(const char *function, nnc_report *report, const nnc_profiles *profiles, const nnc_plan *plan,
                        nnc_scratch *scratch, char **text, size_t *size, nnc_error *err) {
    nnc_result result;
    nnc_advice advice[NNC_ADVICE_MAX];
    nnc_buffer out = { 0 };
    NNC_TRY(nnc_need(function, "scratch", scratch != NULL, err));
    NNC_TRY(nnc_need(function, "text", text != NULL, err));
    NNC_TRY(nnc_report_weigh(report, plan, scratch, &result, err));
    if (result.verdict == NNC_OVER_MEMORY) {
        NNC_TRY(nnc_report_advise(report, profiles, plan, scratch, &result, advice, err));
    }
    const nnc_place place = { .record = report };
    nnc_record document = nnc_record_begin(&out, NNC_ESTIMATE_SCHEMA);
    nnc_record_members(&document, &nnc_estimate_document, &place);
    nnc_record_end(&document);
    return take(&out, text, size, err);
}

nnc_status nnc_estimate_json(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                             const nnc_plan *plan, nnc_scratch *scratch, char **text, size_t *size, nnc_error *err) {
    static const char here[] = "nnc_estimate_json";
    nnc_estimate_args asked;
    if (text != NULL) { *text = NULL; }
    if (software != NULL && software->date[0] != '\0') {
        return nnc_fail(err, NNC_BAD_SPEC, software->id,
                        "a release, which also sets fields of the plan; this function does not set them, expected "
                        "'nncost estimate --software %s'",
                        software->id);
    }
    NNC_TRY(nnc_estimate_args_read(here, model, device, software, plan, &asked, err));
    const nnc_profiles profiles = nnc_profiles_of_one(asked.software);
    nnc_report report = { .model = model, .device = device, .software = asked.software };
    return write(here, &report, &profiles, &asked.plan, scratch, text, size, err);
}

nnc_status nnc_estimate_json_by_plan(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                                     const nnc_plan *plan, nnc_scratch *scratch, char **text, size_t *size,
                                     nnc_error *err) {
    static const char here[] = "nnc_estimate_json_by_plan";
    nnc_plan full;
    if (text != NULL) { *text = NULL; }
    NNC_TRY(nnc_need(here, "model", model != NULL, err));
    NNC_TRY(nnc_need(here, "device", device != NULL, err));
    NNC_TRY(nnc_need(here, "profiles", profiles != NULL, err));
    NNC_TRY(nnc_plan_read(plan, &full, err));
    nnc_report report = { .model = model,
                          .device = device,
                          .software = nnc_profile_of(profiles, model, device, &full),
                          .software_chosen = true };
    return write(here, &report, profiles, &full, scratch, text, size, err);
}

void nnc_text_free(char *text) { free(text); }
