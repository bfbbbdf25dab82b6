/* Keys whose values are lists. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "input/foreign/foreign.h"

const nnc_field *nnc_foreign_field_of(const nnc_foreign_file *file, const nnc_foreign_key *key)
{
    static const nnc_field none = { .name = "" };
    const nnc_field *field =
        key->to != NULL ? nnc_field_of_key(nnc_model_table_of(file->model), key->to) : &none;
    if (field == NULL) {
        nnc_json_fault(file->at, NULL, "%s: no field of a model", key->to);
    }
    return field;
}

int64_t nnc_foreign_listed_below(nnc_json root, const char *less, int64_t number)
{
    char name[64];
    const char *equals = strchr(less, '=');
    int64_t count = 0;
    snprintf(name, sizeof name, "%.*s", (int)(equals - less), less);
    const nnc_json list = nnc_foreign_get(root, name);
    if (nnc_json_type_of(list) == NNC_JSON_LIST) {
        for (nnc_json at = nnc_json_first(list); at.node != NULL; at = nnc_json_next(at)) {
            const bool whole = nnc_json_type_of(at) == NNC_JSON_NUMBER && nnc_json_number(at) >= 0;
            if (!whole) {
                nnc_json_mismatch(at, "wrong value", "the number of a layer, from 0");
            }
            count += whole && nnc_json_number(at) < (double)number;
        }
        return count;
    }
    for (const char *at = equals; nnc_json_type_of(list) == NNC_JSON_ABSENT && *at != '\0';
         at += strcspn(at + 1, ",") + 1) {
        count += strtoll(at + 1, NULL, 10) < number;
    }
    return count;
}

/* The words of a list inside a list, "ResBlock+AttnBlock"; of anything else what it says itself. */
static const char *joined(nnc_json at, char *text, size_t size)
{
    if (nnc_json_type_of(at) != NNC_JSON_LIST) {
        return nnc_foreign_text(at, text, size);
    }
    text[0] = '\0';
    for (nnc_json one = nnc_json_first(at); one.node != NULL; one = nnc_json_next(one)) {
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", used > 0 ? "+" : "",
                 nnc_json_type_of(one) == NNC_JSON_TEXT ? nnc_json_text(one) : "?");
    }
    return text;
}

/* One of several: a number, or a word that stands for one. */
static void read_item(nnc_json at, const nnc_foreign_key *key, const char *name, nnc_field field,
                      nnc_model *model)
{
    char text[256], value[32];
    field.min = key->zero ? 0 : 1;
    if (key->words == NULL) {
        nnc_read_field(at, &field, model);
    } else if (nnc_foreign_value(key->words, joined(at, text, sizeof text), value, sizeof value) !=
               NULL) {
        nnc_foreign_set(at, model, name, value);
    } else {
        nnc_json_mismatch(at, "unknown value", key->words);
    }
}

/* The item that a field of so many takes; none where the list is shorter. */
static nnc_json item_of(nnc_json list, const nnc_foreign_key *key, int index)
{
    const int count = nnc_json_count(list);
    nnc_json at = nnc_json_type_of(list) == NNC_JSON_LIST ? nnc_json_first(list) : list;
    for (int i = key->backward ? count - 1 - index : index;
         at.node != NULL && nnc_json_type_of(list) == NNC_JSON_LIST && i != 0; i--) {
        at = i > 0 ? nnc_json_next(at) : (nnc_json){ list.doc, NULL };
    }
    return at;
}

/* Is the value there, and of the right type and length? A list that is absent has its default. */
static bool check_list(const nnc_foreign_file *file, const nnc_foreign_key *key, nnc_json list)
{
    char text[64];
    int wanted = 1;
    for (const char *to = key->to; *to != '\0'; to++) {
        wanted += *to == ',';
    }
    const nnc_json_type type = nnc_json_type_of(list);
    const int count = type == NNC_JSON_LIST ? nnc_json_count(list) : wanted;
    if (type == NNC_JSON_ABSENT && (key->absent == NULL || key->absent[0] == '\0')) {
        snprintf(text, sizeof text, "%.*s", (int)strcspn(key->key, "|"), key->key);
        nnc_json_fault(file->at, text, "missing, expected a list of numbers, found nothing");
        return false;
    }
    if (type != NNC_JSON_ABSENT && type != NNC_JSON_LIST &&
        !(key->levels && type == NNC_JSON_NUMBER)) {
        nnc_json_mismatch(list, "wrong type", "a list of numbers");
        return false;
    }
    if (count > wanted || (count < wanted && !key->fewer)) {
        snprintf(text, sizeof text, "a list of %d numbers%s", wanted,
                 key->fewer ? " or fewer" : "");
        nnc_json_mismatch(list, "wrong length", text);
        return false;
    }
    return true;
}

void nnc_foreign_read_several(nnc_foreign_file *file, const nnc_foreign_key *key)
{
    char name[64], value[128];
    const nnc_json list = nnc_foreign_get(file->at, key->key);
    const bool given = nnc_json_type_of(list) != NNC_JSON_ABSENT;
    const char *fallback = key->absent != NULL ? key->absent : "";
    if (!check_list(file, key, list)) {
        return;
    }
    if (!given) {
        nnc_foreign_note(file->taken, sizeof file->taken, "%s %s", key->key, fallback);
    }
    int index = 0;
    for (const char *to = key->to; *to != '\0'; to += *to == ',', index++) {
        const nnc_foreign_key one = { .to = name };
        snprintf(name, sizeof name, "%.*s", (int)strcspn(to, ","), to);
        snprintf(value, sizeof value, "%.*s", (int)strcspn(fallback, ","), fallback);
        const nnc_field *own = nnc_foreign_field_of(file, &one);
        const nnc_json at = item_of(list, key, index);
        if (own == NULL || !nnc_json_go_on(file->at)) {
            return;
        }
        if (given && at.node != NULL) {
            read_item(at, key, name, *own, file->model);
        } else {
            nnc_foreign_set(file->at, file->model, name, given ? "0" : value);
        }
        to += strlen(name);
        fallback += strcspn(fallback, ",");
        fallback += *fallback == ',';
    }
}
