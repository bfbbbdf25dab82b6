#include "input/foreign/foreign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/names.h"
#include "base/number.h"

/* What any configuration may have: where it comes from; number format and kernels, which are the plan's and
 * the software profile's business; tokens; initialisation, and heads for other tasks; generation, cache and
 * output. */
static const char common_harmless[] =
    "_class_name model_type _commit_hash _diffusers_version _name_or_path architectures auto_map "
    "transformers_version _attn_implementation _attn_implementation_autoset attn_implementation "
    "dtype gradient_checkpointing torch_dtype torchscript use_bfloat16 bos_token_id "
    "decoder_start_token_id eos_token_id pad_token_id sep_token_id tokenizer_class unk_token_id "
    "finetuning_task id2label initializer_range label2id num_labels problem_type "
    "task_specific_params do_sample keys_to_ignore_at_inference max_length min_length num_beams "
    "output_attentions output_hidden_states output_past prefix repetition_penalty return_dict "
    "temperature top_k top_p use_cache is_decoder";

static const char common_only[] = "add_cross_attention=false is_encoder_decoder=false "
                                  "pruned_heads=empty";

/* The word of a list that is the key, or begins with it and a '='; NULL = none. */
static const char *find_word(const char *words, const char *key)
{
    const size_t length = strlen(key);
    for (const char *at = words; at != NULL && *at != '\0';) {
        const size_t size = strcspn(at, " ");
        if (strncmp(at, key, length) == 0 && length <= size && strchr("= ", at[length]) != NULL) {
            return at;
        }
        at += size + strspn(at + size, " ");
    }
    return NULL;
}

/* What stands behind the '=' of a word. */
static const char *value_of(const char *words, const char *key, char *value, size_t size)
{
    const char *word = find_word(words, key);
    if (word == NULL) {
        return NULL;
    }
    word += strlen(key) + 1;
    snprintf(value, size, "%.*s", (int)strcspn(word, " "), word);
    return value;
}

/* Is the value one of those in `only`? */
static bool allowed(nnc_json at, const char *only)
{
    char number[NNC_NUMBER_TEXT];
    const char *value = "";
    switch (nnc_json_type_of(at)) {
    case NNC_JSON_ABSENT:
    case NNC_JSON_NULL: return true;
    case NNC_JSON_BOOL: value = nnc_json_bool(at) ? "true" : "false"; break;
    case NNC_JSON_NUMBER: value = nnc_number_text(nnc_json_number(at), number); break;
    case NNC_JSON_TEXT: value = nnc_json_text(at); break;
    case NNC_JSON_LIST:
    case NNC_JSON_OBJECT: return strcmp(only, "empty") == 0 && nnc_json_count(at) == 0;
    }
    const size_t length = strlen(value);
    for (const char *c = only; *c != '\0'; c += strcspn(c, "|"), c += *c == '|') {
        if (strcspn(c, "|") == length && memcmp(c, value, length) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_key(const nnc_foreign_key *keys, const char *key)
{
    while (keys->key != NULL && strcmp(keys->key, key) != 0) {
        keys++;
    }
    return keys->key != NULL;
}

static void check_keys(nnc_json root, const nnc_architecture *row)
{
    char only[128];
    for (nnc_json at = nnc_json_first(root); at.node != NULL && nnc_json_go_on(at);
         at = nnc_json_next(at)) {
        const char *key = nnc_json_key(at);
        if (value_of(row->only, key, only, sizeof only) != NULL ||
            value_of(common_only, key, only, sizeof only) != NULL) {
            if (!allowed(at, only)) {
                nnc_json_mismatch(at, "shapes a network this version does not know", only);
            }
        } else if (find_word(common_harmless, key) == NULL &&
                   find_word(row->harmless, key) == NULL && !is_key(row->keys, key) &&
                   find_word(row->reads, key) == NULL) {
            nnc_json_fault(
                at, NULL, "unknown key, expected those of a %s this version knows, found \"%.60s\"",
                row->name, key);
        }
    }
}

bool nnc_foreign_given(nnc_json root, const char *key)
{
    const nnc_json_type type = nnc_json_type_of(nnc_json_get(root, key));
    return type != NNC_JSON_ABSENT && type != NNC_JSON_NULL;
}

/* ---- reading ---- */

static double number_in(const nnc_field *field, const nnc_model *model)
{
    const void *place = (const char *)model + field->offset;
    return field->type == NNC_FIELD_I64   ? (double)*(const int64_t *)place
           : field->type == NNC_FIELD_F64 ? *(const double *)place
                                          : 0;
}

/* Sets a field to a default as nnc_foreign_key.absent writes it. */
static void set_default(nnc_model *model, const char *to, const char *text)
{
    const nnc_field_table *table = nnc_model_table(model->family);
    char name[64], number[NNC_NUMBER_TEXT];
    const char *equals = strchr(text, '='), *times = strchr(text, '*');
    if (equals != NULL) {
        snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
        to = name;
        text = equals + 1;
    }
    const nnc_field *from = nnc_field_of_key(table, times != NULL ? times + 1 : text);
    if (from != NULL) {
        text = nnc_number_text((times != NULL ? strtod(text, NULL) : 1) * number_in(from, model),
                               number);
    }
    if (text[0] != '\0') {
        (void)nnc_field_set(table, model, to, text, NULL); /* limits are checked by the rules */
    }
}

/* A list that repeats one number stands for it. false: a fault was noted. */
static bool first_of_equal(nnc_json *at)
{
    const nnc_json first = nnc_json_first(*at);
    if (first.node == NULL) {
        nnc_json_mismatch(*at, "empty", "a whole number");
        return false;
    }
    for (nnc_json item = first; item.node != NULL; item = nnc_json_next(item)) {
        if (nnc_json_type_of(item) != NNC_JSON_NUMBER ||
            nnc_json_number(item) != nnc_json_number(first)) {
            nnc_json_mismatch(item, "uneven list", "the same whole number at every level");
            return false;
        }
    }
    *at = first;
    return true;
}

static void read_word(nnc_json at, const nnc_foreign_key *key, nnc_model *model)
{
    char value[64], known[160] = "one of ";
    const char *text = nnc_json_type_of(at) == NNC_JSON_TEXT ? nnc_json_text(at) : "";
    if (value_of(key->words, text, value, sizeof value) != NULL) {
        set_default(model, key->to, value);
        return;
    }
    for (const char *word = key->words; *word != '\0'; word += strcspn(word, " ")) {
        const size_t used = strlen(known);
        word += strspn(word, " ");
        snprintf(known + used, sizeof known - used, "%s%.*s", word > key->words ? ", " : "",
                 (int)strcspn(word, "="), word);
    }
    nnc_json_mismatch(at, "unknown value", known);
}

/* The value of a key that is there. */
static void read_given(nnc_json at, const nnc_foreign_key *key, const nnc_field *field,
                       nnc_model *model)
{
    if (key->levels && nnc_json_type_of(at) == NNC_JSON_LIST && !first_of_equal(&at)) {
        return;
    }
    if (key->words != NULL) {
        read_word(at, key, model);
    } else {
        nnc_read_field(at, field, model);
    }
}

void nnc_foreign_read_key(nnc_json root, const nnc_foreign_key *key, const nnc_foreign_key *again,
                          nnc_model *model)
{
    const nnc_field *own = nnc_field_of_key(nnc_model_table(model->family), key->to);
    const nnc_json at = nnc_json_get(root, key->key);
    nnc_field one = *own, *field = &one;
    if (one.type == NNC_FIELD_I64) { /* where 0 says "none" to us, their files leave the key out */
        one.min = 1;
        one.unit = NULL;
    }
    const bool given = nnc_foreign_given(root, key->key);
    nnc_model read = *model;
    if (given) {
        read_given(at, key, field, &read);
    } else if (key->absent == NULL && again == NULL) {
        char expected[128];
        nnc_field_expected(field, expected, sizeof(expected));
        nnc_json_fault(root, key->key, "missing, expected %s, found nothing", expected);
    } else if (key->absent != NULL) {
        set_default(&read, key->to, at.node != NULL && key->null != NULL ? key->null : key->absent);
    }
    if (again != NULL && key->most) {
        *model = number_in(field, &read) > number_in(field, model) ? read : *model;
        return;
    }
    if (again != NULL && memcmp((const char *)&read + field->offset,
                                (const char *)model + field->offset, field->size) != 0) {
        char what[96];
        snprintf(what, sizeof what, "differs from %s", given ? again->key : key->key);
        nnc_json_mismatch(given ? at : nnc_json_get(root, again->key), what, "the same");
    }
    *model = read;
}

/* The key that set the same field before; NULL = none. */
static const nnc_foreign_key *earlier(const nnc_foreign_key *keys, const nnc_foreign_key *key)
{
    while (keys != key && strcmp(keys->to, key->to) != 0) {
        keys++;
    }
    return keys != key ? keys : NULL;
}

static void read_keys(nnc_json root, const nnc_foreign_key *keys, nnc_model *model)
{
    for (const nnc_foreign_key *k = keys; k->key != NULL && nnc_json_go_on(root); k++) {
        nnc_foreign_read_key(root, k, earlier(keys, k), model);
    }
}

static void set_implied(const char *implies, nnc_model *model)
{
    for (const char *at = implies; *at != '\0';) {
        char pair[64];
        const size_t size = strcspn(at, " ");
        snprintf(pair, sizeof pair, "%.*s", (int)size, at);
        set_default(model, "", pair);
        at += size + strspn(at + size, " ");
    }
}

/* The key that sets a field; the field's own name where a level says it. */
static const char *key_of(const nnc_architecture *row, const char *field)
{
    const nnc_foreign_key *k = row->keys;
    while (k->key != NULL && strcmp(k->to, field) != 0) {
        k++;
    }
    return k->key != NULL ? k->key : field;
}

/* Told by the keys of the file, before the family's own rule does so by its fields. */
static void check_head_dim(nnc_json root, const nnc_architecture *row, const nnc_decoder *d)
{
    if (d->head_dim == 0 && d->heads > 0 && d->hidden % d->heads != 0) {
        char what[96];
        snprintf(what, sizeof what, "does not divide %s", key_of(row, "hidden"));
        nnc_json_mismatch(nnc_json_get(root, key_of(row, "heads")), what, "a divisor");
    }
}

bool nnc_is_foreign(nnc_json root)
{
    return nnc_json_type_of(root) == NNC_JSON_OBJECT && !nnc_foreign_given(root, "schema") &&
           (nnc_foreign_given(root, "model_type") || nnc_foreign_given(root, "_class_name"));
}

/* The row that the file names; NULL with a fault. */
static const nnc_architecture *find_row(nnc_json root)
{
    const char *key = nnc_foreign_given(root, "_class_name") ? "_class_name" : "model_type";
    const nnc_json at = nnc_json_get(root, key);
    char known[512];
    size_t used = (size_t)snprintf(known, sizeof known, "one of ");
    for (const nnc_architecture *row = nnc_architectures; row->name != NULL; row++) {
        if (nnc_json_type_of(at) == NNC_JSON_TEXT && strcmp(row->name, nnc_json_text(at)) == 0) {
            return row;
        }
        used += used < sizeof known
                    ? (size_t)snprintf(known + used, sizeof known - used, "%s%s",
                                       row > nnc_architectures ? ", " : "", row->name)
                    : 0;
    }
    nnc_json_mismatch(at, "unknown architecture", known);
    return NULL;
}

bool nnc_foreign_read(nnc_json root, nnc_model *model)
{
    const nnc_architecture *row = find_row(root);
    if (row == NULL) {
        return false;
    }
    model->family = row->family;
    check_keys(root, row);
    set_implied(row->implies, model);
    read_keys(root, row->keys, model);
    if (row->window != NULL && nnc_json_go_on(root)) {
        nnc_foreign_window_read(root, row->window, &model->decoder);
    }
    if (row->levels != NULL && nnc_json_go_on(root)) {
        nnc_foreign_levels_read(root, row->levels, &model->unet);
    }
    if (row->family == NNC_FAMILY_DECODER && nnc_json_go_on(root)) {
        check_head_dim(root, row, &model->decoder);
    }
    return root.doc->faults->count == 0;
}
