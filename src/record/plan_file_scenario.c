/* The scenarios of a plan file: each inherits the common part, key by key. */
#include <stdlib.h>
#include <string.h>

#include "record/plan_file_pairs.h"

const char *const nnc_plans_ref_names[NNC_REF_COUNT] = { "model", "device", "software", "cluster" };

/* Keys of a scenario that are not fields of the plan. */
static const char *const own_keys[] = { "id",        "note",    "model", "device",
                                        "software",  "cluster", "set",   "require",
                                        "tolerance", "serve",   NULL };

/* What a scenario inherits, and what it becomes. */
typedef struct part {
    bool serve;
    const char *refs[NNC_REF_COUNT];
    nnc_pairs values, sets, require;
    nnc_tolerance *tolerances;
    int32_t tolerance_count;
} part;

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
        const char *name = nnc_plans_copy_text(item, nnc_json_key(item));
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

/* Only what a scenario changes is copied. */
static bool own_lists(nnc_json at, part *own)
{
    const bool tolerances = nnc_json_get(at, "tolerance").node != NULL;
    const nnc_tolerance *common = own->tolerances;
    if (tolerances) {
        own->tolerances =
            nnc_arena_array(at.doc->arena, NNC_PLANS_PAIRS_MAX, sizeof(*own->tolerances));
        if (own->tolerances == NULL) {
            return nnc_plans_no_memory(at);
        }
        if (own->tolerance_count > 0) {
            memcpy(own->tolerances, common, (size_t)own->tolerance_count * sizeof(*common));
        }
    }
    const nnc_json set = nnc_json_get(at, "set"), require = nnc_json_get(at, "require");
    return nnc_pairs_own(at, &own->values) &&
           (set.node == NULL || nnc_pairs_own(set, &own->sets)) &&
           (require.node == NULL || nnc_pairs_own(require, &own->require));
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

/* Training and serving have keys, figures and so requirements of their own: a scenario of the other kind
 * inherits what it is made of alone. */
static void read_serve(nnc_json at, part *into)
{
    const nnc_json_type type = nnc_json_type_of(at);
    if (type == NNC_JSON_ABSENT) {
        return;
    }
    if (type != NNC_JSON_BOOL && type != NNC_JSON_NULL) {
        nnc_json_mismatch(at, "wrong type", "true or false");
        return;
    }
    const bool serve = type == NNC_JSON_BOOL && nnc_json_bool(at);
    if (serve != into->serve) {
        into->serve = serve;
        into->values.count = into->require.count = into->tolerance_count = 0;
    }
}

static const nnc_field *field_of(const part *into, const char *key)
{
    if (into->serve) {
        return nnc_field_of_key(&nnc_serve_table, key);
    }
    const nnc_field *field = nnc_field_of_key(&nnc_plan_table, key);
    return field != NULL ? field : nnc_field_of_key(&nnc_run_table, key);
}

/* The common part, or a scenario on top of it: null takes an inherited key back. */
static void read_part(nnc_json at, bool scenario, part *into)
{
    if (nnc_json_type_of(at) != NNC_JSON_OBJECT) {
        nnc_json_mismatch(at, "wrong type", "an object");
        return;
    }
    read_serve(nnc_json_get(at, "serve"), into);
    if (!own_lists(at, into)) {
        return;
    }
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item);
         item = nnc_json_next(item)) {
        const nnc_field *field = field_of(into, nnc_json_key(item));
        if (field != NULL) {
            nnc_pairs_read_value(item, field, &into->values);
        } else if (!nnc_is_one_of(nnc_json_key(item), scenario ? own_keys : own_keys + 1)) {
            nnc_refuse_unknown(item, into->serve ? &nnc_serve_table : &nnc_plan_table,
                               scenario ? own_keys : own_keys + 1);
        }
    }
    (void)nnc_read_text(nnc_json_get(at, "note"));
    for (int i = 0; i < NNC_REF_COUNT; i++) {
        read_ref(nnc_json_get(at, nnc_plans_ref_names[i]), &into->refs[i]);
    }
    nnc_pairs_read(nnc_json_get(at, "set"), &into->sets, nnc_plans_read_set);
    nnc_pairs_read(nnc_json_get(at, "require"), &into->require, nnc_plans_read_rule);
    read_tolerances(nnc_json_get(at, "tolerance"), into);
}

static uint64_t digest_part(const part *own)
{
    uint64_t digest = own->serve ? nnc_digest_text(NNC_DIGEST_START, "serve") : NNC_DIGEST_START;
    for (int i = 0; i < NNC_REF_COUNT; i++) {
        digest = nnc_digest_text(digest, own->refs[i] != NULL ? own->refs[i] : "");
    }
    return nnc_pairs_digest(nnc_pairs_digest(digest, &own->values), &own->sets);
}

/* The rules were read once already, so that their faults have a place. */
static const nnc_requirement *requirements_of(nnc_json at, const nnc_pairs *rules)
{
    nnc_requirement *list = nnc_arena_array(at.doc->arena, (size_t)rules->count + 1, sizeof(*list));
    if (list == NULL) {
        nnc_plans_no_memory(at);
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
        scenario->id = nnc_plans_copy_text(id, text);
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
    scenario->serve = own.serve;
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
        nnc_plans_no_memory(list);
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
            char expected[64];
            snprintf(expected, sizeof expected, "a list of 1 to %d scenarios",
                     (int)NNC_PLANS_SCENARIOS_MAX);
            nnc_json_mismatch(at, "wrong type", expected);
        }
        return;
    }
    nnc_plans_scenario *list = nnc_arena_array(root.doc->arena, (size_t)count, sizeof(*list));
    if (list == NULL) {
        nnc_plans_no_memory(root);
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
