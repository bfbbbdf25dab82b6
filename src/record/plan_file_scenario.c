/* The scenarios of a plan file: each inherits the common part, key by key. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "input/read.h"
#include "record/plan_file.h"

const char *const nnc_plans_ref_names[NNC_REF_COUNT] = { "model", "device", "software", "cluster" };

/* Keys of a scenario that are not fields of the plan. */
static const char *const own_keys[] = { "id",      "note", "model",   "device",    "software",
                                        "cluster", "set",  "require", "tolerance", NULL };

/* What a scenario inherits, and what it becomes. */
typedef struct part {
    const char *refs[NNC_REF_COUNT];
    nnc_pairs values, sets, require;
    nnc_tolerance *tolerances;
    int32_t tolerance_count;
} part;

static bool no_memory(nnc_json at)
{
    nnc_faults_no_memory(at.doc->faults);
    return false;
}

static const char *copy_text(nnc_json at, const char *text)
{
    const char *copy = nnc_arena_strdup(at.doc->arena, text);
    if (copy == NULL) {
        no_memory(at);
    }
    return copy;
}

/* Replaces the pair of a key or appends it; text NULL removes it. */
static void put_pair(nnc_json at, nnc_pairs *pairs, nnc_pair pair)
{
    int32_t i = 0;
    while (i < pairs->count && strcmp(pairs->list[i].key, pair.key) != 0) {
        i++;
    }
    if (pair.text == NULL) {
        if (i < pairs->count) {
            pairs->count--;
            memmove(&pairs->list[i], &pairs->list[i + 1],
                    (size_t)(pairs->count - i) * sizeof(pair));
        }
    } else if (i < NNC_PLANS_PAIRS_MAX) {
        pairs->list[i] = pair;
        pairs->count += i == pairs->count;
    } else {
        nnc_json_fault(at, NULL, "too many keys, expected at most %d, found more",
                       NNC_PLANS_PAIRS_MAX);
    }
}

/* A value as an option would give it; "" with a fault when it is none. */
static void value_text(nnc_json at, char *text, size_t size)
{
    char number[NNC_NUMBER_TEXT];
    text[0] = '\0';
    switch (nnc_json_type_of(at)) {
    case NNC_JSON_BOOL: snprintf(text, size, "%s", nnc_json_bool(at) ? "on" : "off"); break;
    case NNC_JSON_NUMBER: {
        const double value = nnc_json_number(at);
        if (value == floor(value) && fabs(value) < 1e15) { /* every digit counts */
            snprintf(text, size, "%" PRId64, (int64_t)value);
        } else {
            snprintf(text, size, "%s", nnc_number_text(value, number));
        }
        break;
    }
    case NNC_JSON_TEXT:
        if (strlen(nnc_json_text(at)) >= size || nnc_json_text(at)[0] == '\0') {
            nnc_json_mismatch(at, "wrong length", "a text of 1 to 255 bytes");
        } else {
            snprintf(text, size, "%s", nnc_json_text(at));
        }
        break;
    default: nnc_json_mismatch(at, "wrong type", "true, false, a number or a text"); break;
    }
}

static bool suits(const nnc_field *field, nnc_json at)
{
    const nnc_json_type type = nnc_json_type_of(at);
    switch (field->type) {
    case NNC_FIELD_BOOL: return type == NNC_JSON_BOOL;
    case NNC_FIELD_I32:
    case NNC_FIELD_I64:
    case NNC_FIELD_F64: return type == NNC_JSON_NUMBER;
    default: return type == NNC_JSON_TEXT || type == NNC_JSON_NUMBER; /* "zero": 1 */
    }
}

static void read_value(nnc_json at, const nnc_field *field, part *into)
{
    nnc_plan probe = nnc_plan_default();
    nnc_error err;
    char text[256];
    nnc_pair pair = { .key = field->name, .field = field };
    if (nnc_json_type_of(at) != NNC_JSON_NULL) {
        if (!suits(field, at)) {
            char expected[256];
            nnc_field_expected(field, expected, sizeof(expected));
            nnc_json_mismatch(at, "wrong type", expected);
            return;
        }
        value_text(at, text, sizeof(text));
        if (text[0] == '\0') {
            return;
        }
        if (nnc_plan_set(&probe, field->name, text, &err) != NNC_OK) {
            nnc_json_fault(at, NULL, "%s", err.what);
            return;
        }
        pair.text = copy_text(at, text);
    }
    put_pair(at, &into->values, pair);
}

/* An object of keys with a value each, null to remove one; `read` turns a value into a text, NULL
 * with a fault where it cannot. */
static void read_pairs(nnc_json at, nnc_pairs *pairs, const char *(*read)(nnc_json item))
{
    if (nnc_json_type_of(at) == NNC_JSON_ABSENT) {
        return;
    }
    if (nnc_json_type_of(at) != NNC_JSON_OBJECT) {
        nnc_json_mismatch(at, "wrong type", "an object");
        return;
    }
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item);
         item = nnc_json_next(item)) {
        nnc_pair pair = { .key = copy_text(item, nnc_json_key(item)) };
        const bool removes = nnc_json_type_of(item) == NNC_JSON_NULL;
        if (strcmp(nnc_json_key(item), "note") == 0 || pair.key == NULL) {
            continue;
        }
        pair.text = removes ? NULL : read(item);
        if (removes || pair.text != NULL) {
            put_pair(item, pairs, pair);
        }
    }
}

static const char *read_set(nnc_json item)
{
    char text[256];
    value_text(item, text, sizeof(text));
    if (strpbrk(nnc_json_key(item), "=, ") != NULL || nnc_json_key(item)[0] == '\0') {
        nnc_json_fault(item, NULL, "not a name, expected a field such as model.layers");
        return NULL;
    }
    return text[0] != '\0' ? copy_text(item, text) : NULL;
}

static const char *read_rule(nnc_json item)
{
    nnc_requirement ignored;
    nnc_error err;
    if (nnc_json_type_of(item) != NNC_JSON_TEXT) {
        nnc_json_mismatch(item, "wrong type", "a text such as \"<= 9.5\"");
        return NULL;
    }
    if (nnc_requirement_read(nnc_json_key(item), nnc_json_text(item), &ignored, &err) != NNC_OK) {
        nnc_json_fault(item, NULL, "%s", err.what);
        return NULL;
    }
    return copy_text(item, nnc_json_text(item));
}

typedef struct allowance {
    double absolute, relative;
} allowance;

static const nnc_field allowance_fields[] = {
    { NNC_FIELD(allowance, absolute), .max = 1e300 },
    { NNC_FIELD(allowance, relative), .max = 1e6 },
};
static const nnc_field_table allowance_table = { "tolerance", allowance_fields,
                                                 NNC_COUNT_OF(allowance_fields) };

/* Tolerances merge by name as the other lists do: the scenario's own replaces the common one. */
static void read_tolerances(nnc_json at, part *into)
{
    if (nnc_json_type_of(at) != NNC_JSON_ABSENT && nnc_json_type_of(at) != NNC_JSON_OBJECT) {
        nnc_json_mismatch(at, "wrong type", "an object");
        return;
    }
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item);
         item = nnc_json_next(item)) {
        allowance given = { 0 };
        const char *name = copy_text(item, nnc_json_key(item));
        int32_t i = 0;
        if (name == NULL || strcmp(name, "note") == 0) {
            continue;
        }
        nnc_read_object(item, &allowance_table, NULL, &given);
        while (i < into->tolerance_count && strcmp(into->tolerances[i].name, name) != 0) {
            i++;
        }
        if (i == NNC_PLANS_PAIRS_MAX) {
            nnc_json_fault(item, NULL, "too many keys, expected at most %d, found more",
                           NNC_PLANS_PAIRS_MAX);
            return;
        }
        into->tolerances[i] = (nnc_tolerance){ name, given.absolute, given.relative };
        into->tolerance_count += i == into->tolerance_count;
    }
}

/* A copy of the list with room for more; false when out of memory. */
static bool copy_pairs(nnc_json at, nnc_pairs *pairs)
{
    nnc_pair *list = nnc_arena_array(at.doc->arena, NNC_PLANS_PAIRS_MAX, sizeof(*list));
    if (list == NULL) {
        return no_memory(at);
    }
    if (pairs->count > 0) {
        memcpy(list, pairs->list, (size_t)pairs->count * sizeof(*list));
    }
    pairs->list = list;
    return true;
}

/* Only what a scenario changes is copied. */
static bool own_lists(nnc_json at, part *own)
{
    const bool tolerances = nnc_json_get(at, "tolerance").node != NULL;
    const nnc_tolerance *common = own->tolerances;
    if (tolerances) {
        own->tolerances =
            nnc_arena_array(at.doc->arena, NNC_PLANS_PAIRS_MAX, sizeof(*own->tolerances));
        if (own->tolerances == NULL) {
            return no_memory(at);
        }
        if (own->tolerance_count > 0) {
            memcpy(own->tolerances, common, (size_t)own->tolerance_count * sizeof(*common));
        }
    }
    return copy_pairs(at, &own->values) &&
           (nnc_json_get(at, "set").node == NULL || copy_pairs(at, &own->sets)) &&
           (nnc_json_get(at, "require").node == NULL || copy_pairs(at, &own->require));
}

static void read_ref(nnc_json at, const char **ref)
{
    if (nnc_json_type_of(at) == NNC_JSON_NULL) {
        *ref = NULL;
    } else if (nnc_json_type_of(at) != NNC_JSON_ABSENT) {
        if (nnc_json_type_of(at) != NNC_JSON_TEXT || nnc_json_text(at)[0] == '\0') {
            nnc_json_mismatch(at, "wrong type", "an id or a path");
            return;
        }
        *ref = nnc_read_text(at);
    }
}

/* The common part, or a scenario on top of it: null takes an inherited key back. */
static void read_part(nnc_json at, bool scenario, part *into)
{
    if (nnc_json_type_of(at) != NNC_JSON_OBJECT) {
        nnc_json_mismatch(at, "wrong type", "an object");
        return;
    }
    if (!own_lists(at, into)) {
        return;
    }
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item);
         item = nnc_json_next(item)) {
        const nnc_field *field = nnc_field_of_key(&nnc_plan_table, nnc_json_key(item));
        if (field != NULL) {
            read_value(item, field, into);
        } else if (!nnc_is_one_of(nnc_json_key(item), scenario ? own_keys : own_keys + 1)) {
            nnc_refuse_unknown(item, &nnc_plan_table, scenario ? own_keys : own_keys + 1);
        }
    }
    (void)nnc_read_text(nnc_json_get(at, "note"));
    for (int i = 0; i < NNC_REF_COUNT; i++) {
        read_ref(nnc_json_get(at, nnc_plans_ref_names[i]), &into->refs[i]);
    }
    read_pairs(nnc_json_get(at, "set"), &into->sets, read_set);
    read_pairs(nnc_json_get(at, "require"), &into->require, read_rule);
    read_tolerances(nnc_json_get(at, "tolerance"), into);
}

/* Does not depend on the order in which keys were written. */
static uint64_t digest_pairs(uint64_t digest, const nnc_pairs *pairs)
{
    uint64_t sum = 0;
    for (int32_t i = 0; i < pairs->count; i++) {
        sum += nnc_digest_text(nnc_digest_text(NNC_DIGEST_START, pairs->list[i].key),
                               pairs->list[i].text);
    }
    return nnc_digest_number(digest, sum);
}

static uint64_t digest_part(const part *own)
{
    uint64_t digest = NNC_DIGEST_START;
    for (int i = 0; i < NNC_REF_COUNT; i++) {
        digest = nnc_digest_text(digest, own->refs[i] != NULL ? own->refs[i] : "");
    }
    return digest_pairs(digest_pairs(digest, &own->values), &own->sets);
}

/* The rules were read once already, so that their faults have a place. */
static const nnc_requirement *requirements_of(nnc_json at, const nnc_pairs *rules)
{
    nnc_requirement *list = nnc_arena_array(at.doc->arena, (size_t)rules->count + 1, sizeof(*list));
    if (list == NULL) {
        no_memory(at);
    }
    for (int32_t i = 0; list != NULL && i < rules->count; i++) {
        nnc_requirement_read(rules->list[i].key, rules->list[i].text, &list[i], NULL);
    }
    return list;
}

static void read_id(nnc_json at, nnc_plans_scenario *scenario)
{
    const nnc_json id = nnc_json_get(at, "id");
    const char *text = nnc_json_type_of(id) == NNC_JSON_TEXT ? nnc_json_text(id) : "";
    bool plain = text[0] != '\0' && strlen(text) < 128;
    for (const char *c = text; *c != '\0'; c++) {
        plain = plain && (unsigned char)*c >= 0x20 && *c != 0x7F && *c != ',';
    }
    if (id.node == NULL) {
        nnc_json_fault(at, "id", "missing, expected a name of the scenario, found nothing");
    } else if (!plain) {
        nnc_json_mismatch(id, "bad id", "a text of 1 to 127 bytes without commas");
    } else {
        scenario->id = copy_text(id, text);
    }
}

static void read_scenario(nnc_json at, const part *common, nnc_plans_scenario *scenario)
{
    part own = *common;
    if (nnc_json_type_of(at) != NNC_JSON_OBJECT) {
        nnc_json_mismatch(at, "wrong type", "an object");
        return;
    }
    read_id(at, scenario);
    read_part(at, true, &own);
    for (int i = 0; i <= NNC_REF_DEVICE; i++) {
        if (own.refs[i] == NULL && nnc_json_go_on(at)) {
            nnc_json_fault(at, nnc_plans_ref_names[i],
                           "missing, expected an id or a path here or in common, found nothing");
        }
    }
    memcpy(scenario->refs, own.refs, sizeof(own.refs));
    scenario->values = own.values;
    scenario->sets = own.sets;
    scenario->requirements = requirements_of(at, &own.require);
    scenario->requirement_count = own.require.count;
    scenario->tolerances = own.tolerances;
    scenario->tolerance_count = own.tolerance_count;
    scenario->digest = digest_part(&own);
}

typedef struct id_place {
    const char *id;
    int32_t place;
} id_place;

static int by_id(const void *a, const void *b)
{
    const id_place *left = a, *right = b;
    const int ids = strcmp(left->id, right->id);
    return ids != 0 ? ids : (left->place > right->place) - (left->place < right->place);
}

static void refuse_equal_ids(nnc_json list, const nnc_plans *plans)
{
    const int32_t count = plans->scenario_count;
    id_place *sorted = nnc_arena_array(list.doc->arena, (size_t)count + 1, sizeof(*sorted));
    if (sorted == NULL) {
        no_memory(list);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        sorted[i] = (id_place){ plans->scenarios[i].id, i };
    }
    qsort(sorted, (size_t)count, sizeof(*sorted), by_id);
    for (int32_t i = 1; i < count && nnc_json_go_on(list); i++) {
        if (strcmp(sorted[i - 1].id, sorted[i].id) == 0) {
            nnc_json item = nnc_json_first(list);
            for (int32_t k = 0; k < sorted[i].place; k++) {
                item = nnc_json_next(item);
            }
            nnc_json_mismatch(nnc_json_get(item, "id"), "repeated id", "it once");
        }
    }
}

void nnc_plans_read_scenarios(nnc_json root, nnc_plans *plans)
{
    const nnc_json at = nnc_json_get(root, "scenarios"), common_at = nnc_json_get(root, "common");
    const int count = nnc_json_type_of(at) == NNC_JSON_LIST ? nnc_json_count(at) : 0;
    const int before = root.doc->faults->count;
    part common = { .refs = { NULL } };
    if (common_at.node != NULL) {
        read_part(common_at, false, &common);
    }
    if (count < 1 || count > NNC_PLANS_SCENARIOS_MAX) {
        if (at.node == NULL) {
            nnc_json_fault(root, "scenarios", "missing, expected a list, found nothing");
        } else {
            nnc_json_mismatch(at, "wrong type", "a list of 1 to 10000 scenarios");
        }
        return;
    }
    nnc_plans_scenario *list = nnc_arena_array(root.doc->arena, (size_t)count, sizeof(*list));
    if (list == NULL) {
        no_memory(root);
        return;
    }
    int32_t used = 0;
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item);
         item = nnc_json_next(item)) {
        read_scenario(item, &common, &list[used++]);
    }
    plans->scenarios = list;
    plans->scenario_count = used;
    if (root.doc->faults->count == before) {
        refuse_equal_ids(at, plans);
    }
}
