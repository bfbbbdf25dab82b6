/* Reads plan files ("nncost.plans/1"): the common settings, the scenarios with their requirements, and the recorded
 * estimates. A scenario inherits each key of the common settings. plan_file.c also has functions that find the faults
 * of spec files of any kind (devices, models ...).
 *
 * All lists of keys and values (fields of the plan, fields of --set, rules) are inherited in the same way: a key in a
 * scenario replaces the same key in the common settings, and a key with the value null removes the inherited key. */
#include <unistd.h>

#include <nncost/run.h>
#include <nncost/serve.h>

#include "base/base_internal.h"
#include "input/input_internal.h"
#include "record/record_internal.h"
#include "scenario/scenario_internal.h"

/* Adds the fault "out of memory" to the faults of the document, and returns false. */
static bool plans_no_memory(nnc_json at) { return nnc_faults_no_memory(at.doc->faults); }

/* Copies a string to the arena of the document. If memory ran out, adds a fault to the document and returns NULL. */
static const char *plans_copy_text(nnc_json at, const char *text) {
    const char *copy = nnc_arena_strdup(at.doc->arena, text);
    if (copy == NULL) { plans_no_memory(at); }
    return copy;
}

/* Sets the text of a key in a list of keys and values; pair.text NULL removes the key from the list. */
static void put_pair(nnc_json at, nnc_pairs *pairs, nnc_pair pair) {
    int32_t i = 0;
    while (i < pairs->count && strcmp(pairs->list[i].key, pair.key) != 0) { i++; }
    if (pair.text == NULL) {
        if (i < pairs->count) {
            pairs->count--;
            memmove(&pairs->list[i], &pairs->list[i + 1], (size_t)(pairs->count - i) * sizeof(pair));
        }
    } else if (i < NNC_PLANS_PAIRS_MAX) {
        pairs->list[i] = pair;
        pairs->count += i == pairs->count;
    } else {
        nnc_json_fault(at, NULL, "too many keys, expected at most %d, found more", NNC_PLANS_PAIRS_MAX);
    }
}

/* Converts the JSON value of a key to the text that the option of this key has on the command line: true becomes "on".
 * If the value is no number, string or boolean, reports a fault and writes "". */
static void value_text(nnc_json at, char *text, size_t size) {
    char number[NNC_NUMBER_TEXT];
    text[0] = '\0';
    switch (nnc_json_type_of(at)) {
    case NNC_JSON_BOOL: snprintf(text, size, "%s", nnc_json_bool(at) ? "on" : "off"); break;
    case NNC_JSON_NUMBER: {
        const double value = nnc_json_number(at);
        /* writes a whole number with all digits, not rounded to six digits */
        if (value == floor(value) && fabs(value) < 1e15) {
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

static bool suits(const nnc_field *field, nnc_json at) {
    const nnc_json_type type = nnc_json_type_of(at);
    switch (field->type) {
    case NNC_FIELD_BOOL: return type == NNC_JSON_BOOL;
    case NNC_FIELD_I32:
    case NNC_FIELD_I64:
    case NNC_FIELD_F64: return type == NNC_JSON_NUMBER;
    default:
        /* the value of an enumeration may also be a number: "zero": 1 */
        return type == NNC_JSON_TEXT || type == NNC_JSON_NUMBER;
    }
}

/* Checks the text of a field's value by setting the field in a struct that is then discarded. If the text is not valid,
 * returns the error message of the option. */
static nnc_status try_value(const nnc_field *field, const char *text, nnc_error *err) {
    if (nnc_field_is_of(&nnc_switch_table, field)) {
        nnc_software software = nnc_software_default();
        return nnc_software_set(&software, field->name, text, err);
    }
    union {
        nnc_serve_ask serve;
        nnc_run_ask run;
        nnc_plan plan;
    } unused;
    const nnc_field_table *table = nnc_field_is_of(&nnc_serve_table, field) ? &nnc_serve_table
                                   : nnc_field_is_of(&nnc_run_table, field) ? &nnc_run_table
                                                                            : &nnc_plan_table;
    return nnc_field_set_known(table, &unused, field, text, err);
}

/* Reads the value of a field of a scenario, and adds the value to the list `into` in the form that the option of the
 * field has. The value null removes an inherited value from the list. */
static void pairs_read_value(nnc_json at, const nnc_field *field, nnc_pairs *into) {
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
        if (text[0] == '\0') { return; }
        if (try_value(field, text, &err) != NNC_OK) {
            nnc_json_fault(at, NULL, "%s", err.what);
            return;
        }
        pair.text = plans_copy_text(at, text);
    }
    put_pair(at, into, pair);
}

/* Reads a JSON object of keys and values into a list. The value null removes a key from the list; the key "note" is
 * skipped. The argument `read` is a function that converts a value to text; if the value cannot be converted, this
 * function reports a fault and returns NULL. */
static void pairs_read(nnc_json at, nnc_pairs *pairs, const char *(*read)(nnc_json item)) {
    if (nnc_json_type_of(at) == NNC_JSON_ABSENT) { return; }
    if (!nnc_json_expect(at, NNC_JSON_OBJECT, "an object")) { return; }
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item); item = nnc_json_next(item)) {
        nnc_pair pair = { .key = plans_copy_text(item, nnc_json_key(item)) };
        const bool removes = nnc_json_type_of(item) == NNC_JSON_NULL;
        if (strcmp(nnc_json_key(item), "note") == 0 || pair.key == NULL) { continue; }
        pair.text = removes ? NULL : read(item);
        if (removes || pair.text != NULL) { put_pair(item, pairs, pair); }
    }
}

static const char *plans_read_set(nnc_json item) {
    char text[256];
    value_text(item, text, sizeof(text));
    if (strpbrk(nnc_json_key(item), "=, ") != NULL || nnc_json_key(item)[0] == '\0') {
        nnc_json_fault(item, NULL, "not a name, expected a field such as model.layers");
        return NULL;
    }
    return text[0] != '\0' ? plans_copy_text(item, text) : NULL;
}

static const char *plans_read_rule(nnc_json item) {
    nnc_requirement ignored;
    nnc_error err;
    if (!nnc_json_expect(item, NNC_JSON_TEXT, "a text such as \"<= 9.5\" or \"== true\"")) { return NULL; }
    if (nnc_requirement_read(nnc_json_key(item), nnc_json_text(item), &ignored, &err) != NNC_OK) {
        nnc_json_fault(item, NULL, "%s", err.what);
        return NULL;
    }
    return plans_copy_text(item, nnc_json_text(item));
}

/* Copies an inherited list to the arena, so that a scenario can change the copy. The copy has space for two more
 * entries for each member of the object `at`. Returns false when out of memory. */
static bool pairs_own(nnc_json at, nnc_pairs *pairs) {
    const int32_t most = pairs->count + 2 * nnc_json_count(at);
    const int32_t room = most < NNC_PLANS_PAIRS_MAX ? most : NNC_PLANS_PAIRS_MAX;
    nnc_pair *list = nnc_arena_array(at.doc->arena, (size_t)room + 1, sizeof(*list));
    if (list == NULL) { return plans_no_memory(at); }
    if (pairs->count > 0) { memcpy(list, pairs->list, (size_t)pairs->count * sizeof(*list)); }
    pairs->list = list;
    return true;
}

/* Converts the object "measured" of a scenario to requirements. The measured step time must be inside the interval of
 * the estimate. A measured memory must only be below the upper end of the interval of the memory, because a program
 * logs only the memory that its allocator holds; `nncost watch` compares memory in the same way. */
static void read_measured(nnc_json at, nnc_pairs *require) {
    static const struct {
        const char *name, *end, *sign;
    } rules[] = { { "step_s", "step.interval_s.0", "<=" },
                  { "step_s", "step.interval_s.1", ">=" },
                  { "memory_bytes", "memory.total_interval_bytes.1", ">=" } };
    if (nnc_json_type_of(at) == NNC_JSON_ABSENT || !pairs_own(at, require)) { return; }
    if (!nnc_json_expect(at, NNC_JSON_OBJECT, "an object")) { return; }
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item); item = nnc_json_next(item)) {
        const nnc_json_type type = nnc_json_type_of(item);
        const double value = type == NNC_JSON_NUMBER ? nnc_json_number(item) : (double)NAN;
        bool known = strcmp(nnc_json_key(item), "note") == 0;
        for (size_t i = 0; i < NNC_COUNT_OF(rules); i++) {
            char number[NNC_NUMBER_TEXT], text[NNC_NUMBER_TEXT + 4];
            if (strcmp(nnc_json_key(item), rules[i].name) != 0) { continue; }
            known = true;
            if (type != NNC_JSON_NULL && !(value > 0.0)) {
                nnc_json_mismatch(item, "not measured", "a number above 0, or null");
                return;
            }
            snprintf(text, sizeof text, "%s %s", rules[i].sign, nnc_number_text(value, number));
            put_pair(
                item, require,
                (nnc_pair){ .key = rules[i].end, .text = type == NNC_JSON_NULL ? NULL : plans_copy_text(item, text) });
        }
        if (!known) { nnc_json_mismatch(item, "unknown key", "step_s or memory_bytes"); }
    }
}

/* Adds a list of keys and values to a digest, and returns the new digest. Lists with the same keys in another order
 * give the same digest. */
static uint64_t pairs_digest(uint64_t digest, const nnc_pairs *pairs) {
    uint64_t sum = 0;
    for (int32_t i = 0; i < pairs->count; i++) {
        sum += nnc_digest_text(nnc_digest_text(NNC_DIGEST_START, pairs->list[i].key), pairs->list[i].text);
    }
    return nnc_digest_number(digest, sum);
}

const char *const nnc_plans_ref_names[NNC_REF_COUNT] = { "model", "device", "software", "cluster" };

/* Keys that a scenario may have in addition to fields of the plan. */
static const char *const own_keys[] = { "id",  "note",    "model",    "device",    "software", "cluster",
                                        "set", "require", "measured", "tolerance", "serve",    NULL };

/* Settings of a scenario while nncost reads it. At first, the settings are a copy of the common settings of the plan
 * file; then the keys of the scenario change the copy. */
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
static const nnc_field_table allowance_table = { "tolerance", allowance_fields, NNC_COUNT_OF(allowance_fields) };

/* Reads the tolerances of the common settings or of a scenario. A tolerance of a scenario replaces the common tolerance
 * with the same name. */
static void read_tolerances(nnc_json at, part *into) {
    if (nnc_json_type_of(at) != NNC_JSON_ABSENT && nnc_json_type_of(at) != NNC_JSON_OBJECT) {
        nnc_json_mismatch(at, "wrong type", "an object");
        return;
    }
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item); item = nnc_json_next(item)) {
        allowance given = { 0 };
        const char *name = plans_copy_text(item, nnc_json_key(item));
        int32_t i = 0;
        if (name == NULL || strcmp(name, "note") == 0) { continue; }
        nnc_read_object(item, &allowance_table, NULL, &given);
        while (i < into->tolerance_count && strcmp(into->tolerances[i].name, name) != 0) { i++; }
        if (i == NNC_PLANS_PAIRS_MAX) {
            nnc_json_fault(item, NULL, "too many keys, expected at most %d, found more", NNC_PLANS_PAIRS_MAX);
            return;
        }
        into->tolerances[i] = (nnc_tolerance){ name, given.absolute, given.relative };
        into->tolerance_count += i == into->tolerance_count;
    }
}

/* Copies the inherited lists that the scenario at `at` changes; the scenario shares all other lists with the common
 * settings. Returns false if memory ran out. */
static bool own_lists(nnc_json at, part *own) {
    const bool tolerances = nnc_json_get(at, "tolerance").node != NULL;
    const nnc_tolerance *common = own->tolerances;
    if (tolerances) {
        own->tolerances = nnc_arena_array(at.doc->arena, NNC_PLANS_PAIRS_MAX, sizeof(*own->tolerances));
        if (own->tolerances == NULL) { return plans_no_memory(at); }
        if (own->tolerance_count > 0) {
            memcpy(own->tolerances, common, (size_t)own->tolerance_count * sizeof(*common));
        }
    }
    const nnc_json set = nnc_json_get(at, "set"), require = nnc_json_get(at, "require");
    return pairs_own(at, &own->values) && (set.node == NULL || pairs_own(set, &own->sets)) &&
           (require.node == NULL || pairs_own(require, &own->require));
}

static void read_ref(nnc_json at, const char **ref) {
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

/* Reads the key "serve", which decides between training and serving. Training and serving have different keys, metrics
 * and requirements. If a scenario serves but the common settings are for training, or the reverse, the scenario
 * inherits only the specs and the fields of --set. */
static void read_serve(nnc_json at, part *into) {
    const nnc_json_type type = nnc_json_type_of(at);
    if (type == NNC_JSON_ABSENT) { return; }
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

static const nnc_field *field_of(const part *into, const char *key) {
    if (into->serve) { return nnc_field_of_key(&nnc_serve_table, key); }
    const nnc_field *field = nnc_field_of_key(&nnc_plan_table, key);
    field = field != NULL ? field : nnc_field_of_key(&nnc_run_table, key);
    return field != NULL ? field : nnc_field_of_key(&nnc_switch_table, key);
}

/* Reads the common settings of a plan file, or a scenario, which inherits the common settings. The value null removes
 * an inherited key. */
static void read_part(nnc_json at, bool scenario, part *into) {
    if (!nnc_json_expect(at, NNC_JSON_OBJECT, "an object")) { return; }
    read_serve(nnc_json_get(at, "serve"), into);
    if (!own_lists(at, into)) { return; }
    const char *const *keys = scenario ? own_keys : own_keys + 1;
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item); item = nnc_json_next(item)) {
        const bool own = nnc_is_one_of(nnc_json_key(item), keys);
        const nnc_field *field = own ? NULL : field_of(into, nnc_json_key(item));
        if (field != NULL) {
            pairs_read_value(item, field, &into->values);
        } else if (!own) {
            nnc_refuse_unknown(item, into->serve ? &nnc_serve_table : &nnc_plan_table, keys);
        }
    }
    (void)nnc_read_text(nnc_json_get(at, "note"));
    for (int i = 0; i < NNC_REF_COUNT; i++) { read_ref(nnc_json_get(at, nnc_plans_ref_names[i]), &into->refs[i]); }
    pairs_read(nnc_json_get(at, "set"), &into->sets, plans_read_set);
    pairs_read(nnc_json_get(at, "require"), &into->require, plans_read_rule);
    if (into->serve && nnc_json_get(at, "measured").node != NULL) {
        nnc_json_mismatch(nnc_json_get(at, "measured"), "a measured step of a deployment",
                          "requirements of ttft_s and tpot_s instead");
    } else {
        read_measured(nnc_json_get(at, "measured"), &into->require);
    }
    read_tolerances(nnc_json_get(at, "tolerance"), into);
}

static uint64_t digest_part(const part *own) {
    uint64_t digest = own->serve ? nnc_digest_text(NNC_DIGEST_START, "serve") : NNC_DIGEST_START;
    for (int i = 0; i < NNC_REF_COUNT; i++) {
        digest = nnc_digest_text(digest, own->refs[i] != NULL ? own->refs[i] : "");
    }
    return pairs_digest(pairs_digest(digest, &own->values), &own->sets);
}

/* Converts the rules of a scenario, such as "<= 9.5", to requirements. The syntax of a rule was already checked when it
 * was read. */
static const nnc_requirement *requirements_of(nnc_json at, const nnc_pairs *rules) {
    nnc_requirement *list = nnc_arena_array(at.doc->arena, (size_t)rules->count + 1, sizeof(*list));
    if (list == NULL) { plans_no_memory(at); }
    for (int32_t i = 0; list != NULL && i < rules->count; i++) {
        nnc_requirement_read(rules->list[i].key, rules->list[i].text, &list[i], NULL);
    }
    return list;
}

static void read_id(nnc_json at, nnc_plans_scenario *scenario) {
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
        scenario->id = plans_copy_text(id, text);
    }
}

static void read_scenario(nnc_json at, const part *common, nnc_plans_scenario *scenario) {
    part own = *common;
    if (!nnc_json_expect(at, NNC_JSON_OBJECT, "an object")) { return; }
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

static int by_id(const void *a, const void *b) {
    const id_place *left = a, *right = b;
    const int ids = strcmp(left->id, right->id);
    return ids != 0 ? ids : (left->place > right->place) - (left->place < right->place);
}

/* Tests whether two scenarios may have the same id: the test compares the digests of the ids. When out of memory, also
 * returns true. */
static bool may_repeat(const nnc_plans *plans) {
    size_t slots = 64;
    while (slots < 2 * (size_t)plans->scenario_count) { slots *= 2; }
    uint64_t *seen = calloc(slots, sizeof *seen);
    bool repeats = seen == NULL;
    for (int32_t i = 0; i < plans->scenario_count && !repeats; i++) {
        repeats = nnc_digest_repeats(seen, slots, nnc_digest_text(NNC_DIGEST_START, plans->scenarios[i].id));
    }
    free(seen);
    return repeats;
}

static void refuse_equal_ids(nnc_json list, const nnc_plans *plans) {
    const int32_t count = plans->scenario_count;
    if (!may_repeat(plans)) { return; }
    id_place *sorted = nnc_arena_array(list.doc->arena, (size_t)count + 1, sizeof(*sorted));
    if (sorted == NULL) {
        plans_no_memory(list);
        return;
    }
    for (int32_t i = 0; i < count; i++) { sorted[i] = (id_place){ plans->scenarios[i].id, i }; }
    qsort(sorted, (size_t)count, sizeof(*sorted), by_id);
    for (int32_t i = 1; i < count && nnc_json_go_on(list); i++) {
        if (strcmp(sorted[i - 1].id, sorted[i].id) == 0) {
            nnc_json item = nnc_json_first(list);
            for (int32_t k = 0; k < sorted[i].place; k++) { item = nnc_json_next(item); }
            if (!nnc_json_open(item, sorted[i].place)) { return; }
            nnc_json_mismatch(nnc_json_get(item, "id"), "repeated id", "it once");
        }
    }
}

static void plans_read_scenarios(nnc_json root, nnc_plans *plans) {
    const nnc_json at = nnc_json_get(root, "scenarios"), common_at = nnc_json_get(root, "common");
    const int count = nnc_json_type_of(at) == NNC_JSON_LIST ? nnc_json_count(at) : 0;
    const int before = root.doc->faults->count;
    part common = { .refs = { NULL } };
    if (common_at.node != NULL) { read_part(common_at, false, &common); }
    if (count < 1 || count > NNC_PLANS_SCENARIOS_MAX) {
        if (at.node == NULL) {
            nnc_json_fault(root, "scenarios", "missing, expected a list, found nothing");
        } else {
            char expected[64];
            snprintf(expected, sizeof expected, "a list of 1 to %d scenarios", (int)NNC_PLANS_SCENARIOS_MAX);
            nnc_json_mismatch(at, "wrong type", expected);
        }
        return;
    }
    nnc_plans_scenario *list = nnc_arena_array(root.doc->arena, (size_t)count, sizeof(*list));
    if (list == NULL) {
        plans_no_memory(root);
        return;
    }
    const bool large = root.doc->large.object == at.node;
    int32_t used = 0;
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item); item = nnc_json_next(item)) {
        if (large && !nnc_json_open(item, used)) { return; }
        read_scenario(item, &common, &list[used++]);
        if (large) { nnc_json_close(item, used - 1, NULL); }
    }
    plans->scenarios = list;
    plans->scenario_count = used;
    if (root.doc->faults->count == before) { refuse_equal_ids(at, plans); }
}

static bool read_schema(nnc_json root) {
    const nnc_json at = nnc_json_get(root, "schema");
    const char *text = nnc_json_type_of(at) == NNC_JSON_TEXT ? nnc_json_text(at) : "";
    if (strcmp(text, NNC_PLANS_SCHEMA) == 0) { return true; }
    if (nnc_json_type_of(root) != NNC_JSON_OBJECT) {
        nnc_json_mismatch(root, "wrong type", "an object");
    } else if (at.node == NULL) {
        nnc_json_fault(root, "schema", "missing, expected \"%s\", found nothing", NNC_PLANS_SCHEMA);
    } else if (nnc_begins(text, "nncost.plans/")) {
        nnc_json_mismatch(at, "of another version of nncost", "\"" NNC_PLANS_SCHEMA "\"");
    } else {
        nnc_json_mismatch(at, "not a plan file", "\"" NNC_PLANS_SCHEMA "\"");
    }
    return false;
}

static void read_root(nnc_json root, bool head, nnc_plans *plans) {
    static const char *const keys[] = { "schema", "note", "common", "record", "scenarios", "recorded", NULL };
    static const nnc_field_table none = { "plan file", NULL, 0 };
    if (!read_schema(root)) { return; }
    for (nnc_json item = nnc_json_first(root); item.node != NULL && nnc_json_go_on(item); item = nnc_json_next(item)) {
        if (!nnc_is_one_of(nnc_json_key(item), keys)) { nnc_refuse_unknown(item, &none, keys); }
    }
    (void)nnc_read_text(nnc_json_get(root, "note"));
    nnc_read_texts(nnc_json_get(root, "record"), &plans->record, &plans->record_count);
    plans_read_scenarios(root, plans);
    nnc_recorded_of(nnc_json_get(root, "recorded"), head, &plans->recorded);
}

/* Sets the line number of each scenario, and the position of the recorded part in the text of the plan file. The parser
 * of the JSON document has stored the end of one list: if `large` is true, of the list of scenarios, otherwise of the
 * list of recorded estimates. */
static void find_lines(nnc_json root, bool large, nnc_plans *plans) {
    const size_t count = (size_t)plans->scenario_count;
    nnc_plans_scenario *list = nnc_arena_array(root.doc->arena, count + 1, sizeof(*list));
    long *lines = nnc_arena_array(root.doc->arena, count + 1, sizeof(*lines));
    if (list == NULL || lines == NULL) {
        nnc_faults_no_memory(root.doc->faults);
        return;
    }
    nnc_plans_find_places(plans, large ? 0 : root.doc->large.end, lines, plans->scenario_count);
    for (size_t i = 0; i < count; i++) {
        list[i] = plans->scenarios[i];
        list[i].line = lines[i];
    }
    plans->scenarios = list;
    if (plans->recorded.tool != NULL && plans->places.end == 0) {
        nnc_json_fault(root, "recorded", "its key is written with escapes, expected the plain key recorded");
    }
}

static void parse(nnc_arena *arena, const char *text, size_t size, bool head, nnc_faults *faults, nnc_plans *plans) {
    const bool large = head || strstr(text, "\"recorded\"") == NULL;
    nnc_json_doc doc = { .faults = faults,
                         .arena = arena,
                         .text = text,
                         .size = size,
                         .values_max = NNC_SCAN_VALUES_RECORDED,
                         .large = { .name = large ? "scenarios" : "recorded.estimates" } };
    *plans = (nnc_plans){ .path = faults->name, .text = text, .size = size };
    if (nnc_json_parse(&doc)) {
        const nnc_json root = nnc_json_root(&doc);
        read_root(root, head, plans);
        if (faults->count == 0) { find_lines(root, large, plans); }
    }
    nnc_json_free(&doc);
}

void nnc_plans_parse(nnc_arena *arena, const char *text, size_t size, nnc_faults *faults, nnc_plans *plans) {
    parse(arena, text, size, false, faults, plans);
}

void nnc_plans_parse_head(nnc_arena *arena, const char *text, size_t size, nnc_faults *faults, nnc_plans *plans) {
    parse(arena, text, size, true, faults, plans);
}

/* Reads the text of a file. A file on disk may have up to NNC_RECORDED_BYTES_MAX bytes, the limit of a plan file with
 * recorded estimates. */
static nnc_status plans_text(nnc_specs *specs, const char *path, char **text, size_t *size, nnc_error *err) {
    return nnc_is_pipe(path) ? nnc_specs_read(specs, path, text, size, err)
                             : nnc_file_read_large(path, NNC_RECORDED_BYTES_MAX, text, size, err);
}

nnc_status nnc_plans_read(nnc_specs *specs, nnc_arena *arena, const char *path, const nnc_plans **plans,
                          nnc_error *err) {
    char *text = NULL;
    size_t size = 0;
    nnc_plans *read = nnc_arena_alloc(arena, sizeof(*read));
    nnc_faults faults = { .name = nnc_arena_strdup(arena, path), .err = err };
    if (read == NULL || faults.name == NULL) { return nnc_fail(err, NNC_NO_MEMORY, path, "out of memory"); }
    NNC_TRY(plans_text(specs, path, &text, &size, err));
    if (!nnc_arena_own(arena, text)) { return nnc_fail(err, NNC_NO_MEMORY, path, "out of memory"); }
    nnc_plans_parse(arena, text, size, &faults, read);
    *plans = read;
    return faults.status;
}

bool nnc_plans_is(nnc_specs *specs, const char *path) {
    char *text = NULL;
    size_t size = 0;
    const bool is = (specs != NULL || !nnc_is_pipe(path)) && plans_text(specs, path, &text, &size, NULL) == NNC_OK &&
                    strstr(text, "\"nncost.plans/") != NULL;
    free(text);
    return is;
}

/* Reads a spec file whose kind (device, model ...) is not known. The function finds the kind of the file first, because
 * the kind decides which table of fields is used. A model file is faulty if its number of parameters differs from the
 * key published_params. */
static void read_any(nnc_json_doc *doc, nnc_specs *specs, const char *path) {
    char stem[NNC_STEM_MAX];
    const char *named = nnc_spec_required_id(path, stem);
    const nnc_json root = nnc_json_root(doc);
    const bool cluster = nnc_is_cluster(root);
    if (nnc_is_catalogue(root)) {
        nnc_catalogue_read_open(doc, specs, named);
        return;
    }
    if (nnc_is_architecture(root)) {
        nnc_architecture_read_open(doc, specs, named);
        return;
    }
    const nnc_spec_kind kind = cluster ? NNC_SPEC_DEVICE : nnc_spec_kind_of(root);
    void *spec = kind != NNC_SPEC_KIND_COUNT ? nnc_arena_alloc(doc->arena, nnc_spec_kinds[kind].size) : NULL;
    if (spec == NULL && kind != NNC_SPEC_KIND_COUNT) {
        nnc_faults_no_memory(doc->faults);
    } else if (cluster) {
        nnc_cluster_read_open(doc, specs, named, spec);
    } else if (spec != NULL) {
        nnc_spec_read_open(doc, specs, kind, named, spec);
    }
    int64_t params = 0;
    if (kind == NNC_SPEC_MODEL && spec != NULL && doc->faults->count == 0 && !doc->lenient &&
        !nnc_model_as_published(spec, &params)) {
        nnc_json_fault(root, "published_params", "the model has %lld, found %lld", (long long)params,
                       (long long)((const nnc_model *)spec)->published_params);
    }
}

int nnc_spec_validate(nnc_specs *specs, const char *asked, nnc_fault_fn *report, void *context) {
    char *text = NULL;
    size_t size = 0;
    nnc_error err;
    const char *path = asked;
    if (specs == NULL || asked == NULL || report == NULL) { return 1; }
    if (nnc_is_folder(asked) && nnc_place_of_model(specs, asked, &path, &err) != NNC_OK) {
        report(context, &err);
        return 1;
    }
    if (plans_text(specs, path, &text, &size, &err) != NNC_OK) {
        report(context, &err);
        return 1;
    }
    const bool plan_file = strstr(text, "\"nncost.plans/") != NULL;
    if (!plan_file && size > NNC_FILE_BYTES_MAX) {
        free(text);
        nnc_file_too_large(path, NNC_FILE_BYTES_MAX, &err);
        report(context, &err);
        return 1;
    }
    nnc_faults faults = { .name = path, .report = report, .context = context };
    nnc_json_doc doc = { .faults = &faults,
                         .arena = nnc_specs_arena(specs),
                         .text = text,
                         .size = size,
                         .foreign = true,
                         .lenient = nnc_specs_are_lenient(specs) };
    if (plan_file) {
        nnc_plans plans;
        nnc_plans_parse(doc.arena, text, size, &faults, &plans);
    } else if (nnc_json_parse(&doc)) {
        read_any(&doc, specs, path);
    }
    nnc_json_free(&doc);
    free(text);
    return faults.count;
}

/* ---- loads a scenario of a plan file, with the changes that the command line makes ---- */

nnc_status nnc_plans_open(nnc_specs *specs, nnc_arena *arena, const char *model, const nnc_plans **plans,
                          nnc_error *err) {
    *plans = NULL;
    return nnc_is_path(model) && nnc_plans_is(specs, model) ? nnc_plans_read(specs, arena, model, plans, err) : NNC_OK;
}

nnc_status nnc_plans_pick(const nnc_plans *plans, const char *id, const nnc_plans_scenario **scenario, nnc_error *err) {
    enum { NAMES_MAX = 256 };
    const char *names[NAMES_MAX] = { "" };
    size_t count = 0;
    for (int32_t i = 0; i < plans->scenario_count; i++) {
        const nnc_plans_scenario *one = &plans->scenarios[i];
        if (id != NULL ? strcmp(one->id, id) == 0 : plans->scenario_count == 1) {
            *scenario = one;
            return NNC_OK;
        }
        if (count < NAMES_MAX) { names[count++] = one->id; }
    }
    if (id == NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--scenario",
                        "missing, expected one of the %d scenarios of %s, such as \"%s\"", (int)plans->scenario_count,
                        plans->path, names[0]);
    }
    const char *near = nnc_nearest(id, names, count);
    return nnc_fail(err, NNC_BAD_USAGE, "--scenario",
                    "unknown scenario, expected one of the %d scenarios of %s, %s \"%s\", found \"%.80s\"",
                    (int)plans->scenario_count, plans->path, near != NULL ? "nearest" : "such as",
                    near != NULL ? near : names[0], id);
}

/* Returns the id or path of a scenario's model, device, software profile or cluster. A path is relative to the folder
 * of the plan file; a cluster always has a path. If the folder has no file with the name of a model, the name may be a
 * hub name: the function then returns the name without a change. */
static const char *resolve_ref(nnc_arena *arena, const nnc_plans *plans, const nnc_plans_scenario *from,
                               nnc_plans_ref kind) {
    const char *ref = from->refs[kind];
    if (ref == NULL || (!nnc_is_path(ref) && kind != NNC_REF_CLUSTER)) { return ref; }
    const char *path = nnc_path_from(arena, plans->path, ref);
    const char *slash = strchr(ref, '/');
    const bool may_be_hub = kind == NNC_REF_MODEL && slash != NULL && slash == strrchr(ref, '/') && ref[0] != '.';
    return may_be_hub && path != NULL && access(path, F_OK) != 0 ? ref : path;
}

/* Tests whether a field states how requests arrive (batch, concurrency, request_rate, offline). A scenario has only one
 * field that states how requests arrive; a setting of another field of this kind replaces the field that the scenario
 * has. */
static bool is_load(const nnc_field *field) {
    static const char *const loads[] = { "batch", "concurrency", "request_rate", "offline", NULL };
    return nnc_field_is_of(&nnc_serve_table, field) && nnc_is_one_of(field->name, loads);
}

/* Tests whether one of the first `count` settings of the command line sets a field. If the field states how requests
 * arrive, the result is also true if a setting sets another field that states how requests arrive. */
static bool is_given(const nnc_scenario_args *given, int count, const nnc_field *field) {
    for (int i = 0; i < count; i++) {
        const nnc_field *other = given->settings[i].field;
        if (other == field || (is_load(field) && is_load(other))) { return true; }
    }
    return false;
}

/* Adds the settings of a scenario to the settings of the command line. If the scenario and the command line give the
 * same setting, the value on the command line is used. */
static nnc_status merge(nnc_arena *arena, const nnc_plans_scenario *from, nnc_scenario_args *given, nnc_error *err) {
    const char *sets[NNC_SETS_MAX];
    int set_count = 0;
    const int own = given->setting_count;
    if (from->values.count + given->setting_count > NNC_SETTINGS_MAX ||
        from->sets.count + given->set_count > NNC_SETS_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, "command line",
                        "too many options in addition to the options in the plan file");
    }
    for (int32_t i = 0; i < from->values.count; i++) {
        const nnc_pair *pair = &from->values.list[i];
        if (!is_given(given, own, pair->field)) {
            given->settings[given->setting_count++] = (nnc_setting){ pair->field, pair->text };
        }
    }
    for (int32_t i = 0; i < from->sets.count; i++) {
        const nnc_pair *pair = &from->sets.list[i];
        const size_t size = strlen(pair->key) + strlen(pair->text) + 2;
        char *set = nnc_arena_alloc(arena, size);
        NNC_GOT(set, err);
        snprintf(set, size, "%s=%s", pair->key, pair->text);
        sets[set_count++] = set;
    }
    for (int i = 0; i < given->set_count; i++) { sets[set_count++] = given->sets[i]; }
    if (set_count > 0) { memcpy(given->sets, sets, (size_t)set_count * sizeof *sets); }
    given->set_count = set_count;
    return NNC_OK;
}

nnc_status nnc_plans_blame(const nnc_plans *plans, const nnc_plans_scenario *from, nnc_error *err) {
    char where[sizeof err->where];
    snprintf(where, sizeof where, "%s:%ld: %s", plans->path, from->line, from->id);
    nnc_error_within(err, where);
    return err->status;
}

/* All inputs of a scenario with the options of the command line: the files, the options of the scenario, and the
 * options of the command line. */
typedef struct whole_ask {
    const char *refs[NNC_REF_COUNT];
    nnc_scenario_args given;
    bool own; /* true: the command line changes nothing in the scenario */
} whole_ask;

static nnc_status ask_whole(nnc_specs *specs, const nnc_scenario_args *given, nnc_arena *arena, const nnc_plans *plans,
                            const nnc_plans_scenario *from, const char *device, whole_ask *whole, nnc_error *err) {
    const char **refs = whole->refs;
    whole->given = *given;
    whole->own = given->setting_count == 0 && given->set_count == 0 && device == NULL && given->software == NULL &&
                 given->cluster == NULL;
    refs[NNC_REF_MODEL] = NULL;
    refs[NNC_REF_DEVICE] = device;
    refs[NNC_REF_SOFTWARE] = given->software;
    refs[NNC_REF_CLUSTER] = given->cluster;
    for (int i = 0; i < NNC_REF_COUNT; i++) {
        if (refs[i] == NULL && from->refs[i] != NULL) {
            refs[i] = resolve_ref(arena, plans, from, (nnc_plans_ref)i);
            NNC_GOT(refs[i], err);
        }
    }
    whole->given.software = refs[NNC_REF_SOFTWARE];
    whole->given.cluster = refs[NNC_REF_CLUSTER];
    NNC_TRY(merge(arena, from, &whole->given, err));
    nnc_model_reader *reader = *nnc_specs_model_reader(specs);
    return reader != NULL && refs[NNC_REF_MODEL] != NULL && refs[NNC_REF_DEVICE] != NULL
               ? reader(specs, refs[NNC_REF_DEVICE], &refs[NNC_REF_MODEL], &whole->given, err)
               : NNC_OK;
}

/* Puts the file, the line and the id of the scenario before the place that an error names. own: true = no option of the
 * command line changes the scenario. If no option of the command line changes the scenario, a bad option value comes
 * from the plan file, so NNC_BAD_USAGE becomes NNC_BAD_SPEC. */
static nnc_status blame(const nnc_plans *plans, const nnc_plans_scenario *from, bool own, nnc_status status,
                        nnc_error *err) {
    if (status != NNC_OK) {
        err->status = status == NNC_BAD_USAGE && own ? NNC_BAD_SPEC : status;
        status = nnc_plans_blame(plans, from, err);
    }
    return status;
}

/* Loads one scenario of a plan file. The caller gives either `trained`, which receives a training scenario, or
 * `served`, which receives a serving scenario; the other pointer is NULL. */
static nnc_status load_whole(nnc_specs *specs, const nnc_scenario_args *given, nnc_arena *arena, const nnc_plans *plans,
                             const nnc_plans_scenario *from, const char *device, nnc_scenario *trained,
                             nnc_serve_scenario *served, nnc_error *err) {
    whole_ask whole = { .own = false };
    if (from->serve != (served != NULL)) {
        nnc_fail(err, NNC_BAD_USAGE, "serve", "%s",
                 from->serve ? "this scenario is served, expected a scenario that is trained; see 'nncost serve --help'"
                             : "this scenario is trained, expected a scenario with \"serve\": true");
        return nnc_plans_blame(plans, from, err);
    }
    NNC_TRY(blame(plans, from, false, ask_whole(specs, given, arena, plans, from, device, &whole, err), err));
    const char *model = whole.refs[NNC_REF_MODEL], *on = whole.refs[NNC_REF_DEVICE];
    return blame(plans, from, whole.own,
                 served != NULL ? nnc_serve_scenario_load(specs, &whole.given, model, on, served, err)
                                : nnc_scenario_load(specs, &whole.given, model, on, trained, err),
                 err);
}

nnc_status nnc_plans_load(nnc_specs *specs, const nnc_scenario_args *given, nnc_arena *arena, const nnc_plans *plans,
                          const nnc_plans_scenario *from, const char *device, nnc_scenario *scenario, nnc_error *err) {
    return load_whole(specs, given, arena, plans, from, device, scenario, NULL, err);
}

nnc_status nnc_plans_load_served(nnc_specs *specs, const nnc_scenario_args *given, nnc_arena *arena,
                                 const nnc_plans *plans, const nnc_plans_scenario *from, const char *device,
                                 nnc_serve_scenario *scenario, nnc_error *err) {
    return load_whole(specs, given, arena, plans, from, device, NULL, scenario, err);
}

/* Converts a cell of a metrics table to *figure. If the text of the cell equals the old text of *figure, the old text
 * is used again, without a new copy. Returns false when out of memory. */
static bool set_figure(nnc_figure *figure, nnc_arena *arena, const char *name, const nnc_cell *cell) {
    const char *last = figure->text;
    *figure = (nnc_figure){ .name = name, .number = (double)NAN };
    switch (cell->kind) {
    case NNC_CELL_NULL: break;
    case NNC_CELL_NUMBER: figure->number = cell->number; break;
    case NNC_CELL_WHOLE: figure->number = (double)cell->whole; break;
    case NNC_CELL_BOOL: figure->text = cell->flag ? "true" : "false"; break;
    case NNC_CELL_TEXT:
        figure->text = last != NULL && (last == cell->text || strcmp(last, cell->text) == 0)
                           ? last
                           : nnc_arena_strdup(arena, cell->text);
        return figure->text != NULL;
    }
    return true;
}

/* Returns the struct that stores names and values for reports of one kind (training, serving, images). The caller fills
 * in the values. NULL = out of memory. */
static struct nnc_collected *collected_of(nnc_collector *collector, const nnc_report *report) {
    const bool served = report->serve != NULL, images = report->images != NULL;
    struct nnc_collected *kind = images ? &collector->images : served ? &collector->served : &collector->trained;
    const nnc_metrics *metrics = images ? &nnc_images_metrics : served ? &nnc_serve_metrics : &nnc_estimate_run_metrics;
    const nnc_columns *columns = &kind->columns;
    if (columns->list == NULL && nnc_columns_of(metrics, collector->arena, &kind->columns) != NNC_OK) { return NULL; }
    if (kind->figures == NULL) {
        kind->figures = nnc_arena_array(collector->arena, (size_t)columns->count, sizeof *kind->figures);
        if (kind->figures == NULL) { return NULL; }
        for (int32_t i = 0; i < columns->count; i++) {
            kind->figures[i] = (nnc_figure){ .name = columns->list[i].name, .number = (double)NAN };
        }
        kind->of_step = columns->count;
        while (kind->of_step > 0 && strncmp(columns->list[kind->of_step - 1].name, "run.", 4) == 0) { kind->of_step--; }
    }
    return kind;
}

static bool read_other(struct nnc_collected *kind, nnc_arena *arena, int32_t index, const nnc_place *place) {
    char text[NNC_METRIC_TEXT_MAX];
    const nnc_column *column = &kind->columns.list[index];
    const nnc_cell cell = nnc_metric_read(column->metric, place, column->index, text);
    return set_figure(&kind->figures[index], arena, column->name, &cell);
}

/* Reads the value in one column. place: the record of the column. Returns false when out of memory. */
static bool read_figure(struct nnc_collected *kind, nnc_arena *arena, int32_t index, const nnc_place *place) {
    const nnc_column *column = &kind->columns.list[index];
    const double *number = nnc_metric_double(column->metric, place, column->index);
    int64_t whole = 0;
    double value = (double)NAN;
    if (number != NULL) {
        value = isfinite(*number) ? *number : (double)NAN;
    } else if (nnc_metric_whole(column->metric, place, column->index, &whole)) {
        value = whole == 0 && column->metric->blank_zero ? (double)NAN : (double)whole;
    } else {
        return read_other(kind, arena, index, place);
    }
    kind->figures[index] = (nnc_figure){ .name = column->name, .number = value };
    return true;
}

nnc_figures nnc_figures_named(nnc_collector *collector, const nnc_report *report) {
    const struct nnc_collected *kind = collected_of(collector, report);
    if (kind == NULL) { return (nnc_figures){ NULL, 0 }; }
    return (nnc_figures){ kind->figures, report->run != NULL ? kind->columns.count : kind->of_step };
}

bool nnc_figure_read(nnc_collector *collector, const nnc_report *report, int32_t index) {
    struct nnc_collected *kind = collected_of(collector, report);
    if (kind == NULL) { return false; }
    const nnc_place place = nnc_column_place(&kind->columns.list[index], (nnc_place){ .record = report });
    return read_figure(kind, collector->arena, index, &place);
}

bool nnc_figure_is_full(const nnc_collector *collector, int32_t index) {
    return nnc_column_is_full(&collector->trained.columns.list[index]);
}

nnc_figures nnc_figures_of(nnc_collector *collector, const nnc_report *report) {
    const nnc_figures none = { NULL, 0 }, all = nnc_figures_named(collector, report);
    if (all.list == NULL) { return none; }
    struct nnc_collected *kind = collected_of(collector, report);
    const nnc_place whole = { .record = report };
    nnc_place place = whole;
    for (int32_t i = 0; i < all.count; i++) {
        const nnc_column *column = &kind->columns.list[i];
        if (!column->joins) { place = nnc_column_place(column, whole); }
        if (!read_figure(kind, collector->arena, i, &place)) { return none; }
    }
    return all;
}
