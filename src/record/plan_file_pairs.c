/* Keys with a value each, as a plan file has them. */
#include "record/plan_file_pairs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <nncost/run.h>
#include <nncost/serve.h>

#include "base/number.h"

bool nnc_plans_no_memory(nnc_json at)
{
    nnc_faults_no_memory(at.doc->faults);
    return false;
}

const char *nnc_plans_copy_text(nnc_json at, const char *text)
{
    const char *copy = nnc_arena_strdup(at.doc->arena, text);
    if (copy == NULL) {
        nnc_plans_no_memory(at);
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

/* Does a field take it? */
static nnc_status try_value(const nnc_field *field, const char *text, nnc_error *err)
{
    nnc_plan plan = nnc_plan_default();
    nnc_run_ask run = nnc_run_ask_default();
    nnc_serve_ask serve = nnc_serve_ask_default();
    return nnc_field_is_of(&nnc_serve_table, field)
               ? nnc_field_set(&nnc_serve_table, &serve, field->name, text, err)
           : nnc_field_is_of(&nnc_run_table, field)
               ? nnc_field_set(&nnc_run_table, &run, field->name, text, err)
               : nnc_field_set(&nnc_plan_table, &plan, field->name, text, err);
}

void nnc_pairs_read_value(nnc_json at, const nnc_field *field, nnc_pairs *into)
{
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
        if (try_value(field, text, &err) != NNC_OK) {
            nnc_json_fault(at, NULL, "%s", err.what);
            return;
        }
        pair.text = nnc_plans_copy_text(at, text);
    }
    put_pair(at, into, pair);
}

/* An object of keys with a value each, null to remove one; `read` turns a value into a text, NULL
 * with a fault where it cannot. */
void nnc_pairs_read(nnc_json at, nnc_pairs *pairs, const char *(*read)(nnc_json item))
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
        nnc_pair pair = { .key = nnc_plans_copy_text(item, nnc_json_key(item)) };
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

const char *nnc_plans_read_set(nnc_json item)
{
    char text[256];
    value_text(item, text, sizeof(text));
    if (strpbrk(nnc_json_key(item), "=, ") != NULL || nnc_json_key(item)[0] == '\0') {
        nnc_json_fault(item, NULL, "not a name, expected a field such as model.layers");
        return NULL;
    }
    return text[0] != '\0' ? nnc_plans_copy_text(item, text) : NULL;
}

const char *nnc_plans_read_rule(nnc_json item)
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
    return nnc_plans_copy_text(item, nnc_json_text(item));
}

/* A copy of the list with room for the members of an object; false when out of memory. */
bool nnc_pairs_own(nnc_json at, nnc_pairs *pairs)
{
    const int32_t most = pairs->count + nnc_json_count(at);
    const int32_t room = most < NNC_PLANS_PAIRS_MAX ? most : NNC_PLANS_PAIRS_MAX;
    nnc_pair *list = nnc_arena_array(at.doc->arena, (size_t)room + 1, sizeof(*list));
    if (list == NULL) {
        return nnc_plans_no_memory(at);
    }
    if (pairs->count > 0) {
        memcpy(list, pairs->list, (size_t)pairs->count * sizeof(*list));
    }
    pairs->list = list;
    return true;
}

/* Does not depend on the order in which keys were written. */
uint64_t nnc_pairs_digest(uint64_t digest, const nnc_pairs *pairs)
{
    uint64_t sum = 0;
    for (int32_t i = 0; i < pairs->count; i++) {
        sum += nnc_digest_text(nnc_digest_text(NNC_DIGEST_START, pairs->list[i].key),
                               pairs->list[i].text);
    }
    return nnc_digest_number(digest, sum);
}
