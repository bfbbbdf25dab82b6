/* Writes the command of a serving engine for a deployment: uses the tables of foreign/launch/ in reverse. If a row of
 * the table gives the value of its key to one field of the plan, the key is written with the value of this field.
 * "write" lists the options that only rules of the table read: the product of some fields, or a switch that is on when
 * the product is above 1. "command" is the program. The written command is then read again. If a field of the plan
 * differs, the error names the field. */
#include <stdlib.h>
#include <string.h>

#include "launch/launch_internal.h"

/* Fields of a deployment that the command of the engine decides. Other fields describe load, prices and images. */
static const char *const decided[] = {
    "tensor",     "pipeline", "data",  "expert",    "attention_data", "precision",    "weights",      "kv_precision",
    "memory_use", "block",    "chunk", "max_batch", "draft",          "draft_length", "disaggregate", "group_size",
};

static void text_of(const nnc_serve_ask *ask, const char *name, char text[NNC_LAUNCH_VALUE])
{
    nnc_field_text(nnc_field_of_key(&nnc_serve_table, name), ask, text, NNC_LAUNCH_VALUE);
}

/* Tests whether the command decides a field and the field is not at its default. Writes its value to `text`. */
static bool is_asked(const nnc_serve_ask *ask, const char *name, char text[NNC_LAUNCH_VALUE])
{
    const nnc_serve_ask usual = nnc_serve_ask_default();
    char other[NNC_LAUNCH_VALUE];
    if (nnc_field_of_key(&nnc_serve_table, name) == NULL) {
        return false; /* the model is an operand of the command, not an option */
    }
    text_of(ask, name, text);
    text_of(&usual, name, other);
    return strcmp(text, other) != 0;
}

static void put_option(nnc_buffer *out, const char *key)
{
    nnc_buffer_text(out, " --");
    for (; *key != '\0'; key++) {
        nnc_buffer_byte(out, (char)(*key == '_' ? '-' : *key));
    }
}

/* Writes the option of one row of the table, if the field of this row has to be written. Returns the name of the field;
 * NULL = no option was written. */
static const char *put_row(nnc_buffer *out, const nnc_serve_ask *ask, nnc_json row)
{
    const char *key = nnc_json_text(nnc_json_get(row, "key"));
    const nnc_json to = nnc_json_get(row, "to"), values = nnc_json_get(row, "values");
    char text[NNC_LAUNCH_VALUE];
    if (to.node != NULL && is_asked(ask, nnc_json_text(to), text)) {
        put_option(out, key);
        nnc_buffer_print(out, " %s", text);
        return nnc_json_text(to);
    }
    for (nnc_json one = nnc_json_first(values); one.node != NULL; one = nnc_json_next(one)) {
        const nnc_json set = nnc_json_first(one);
        if (set.node == NULL || nnc_json_count(one) != 1 || !is_asked(ask, nnc_json_key(set), text)) {
            continue;
        }
        const char *value = nnc_json_text(set);
        if (strcmp(value, text) == 0 || value[0] == '@') {
            put_option(out, key);
            nnc_buffer_print(out, " %s", value[0] == '@' ? text : nnc_json_key(one));
            return nnc_json_key(set);
        }
    }
    return NULL;
}

/* Writes the options of all rows of the table, but each field only once, and no field that "write" has. */
static void put_rows(nnc_buffer *out, const nnc_serve_ask *ask, nnc_json rows, nnc_json write)
{
    enum { WRITTEN_MAX = 32 };
    const char *written[WRITTEN_MAX];
    int count = 0;
    for (nnc_json row = nnc_json_first(rows); row.node != NULL && count < WRITTEN_MAX; row = nnc_json_next(row)) {
        const size_t before = out->size;
        const char *field = put_row(out, ask, row);
        bool known = field == NULL;
        for (int i = 0; i < count && !known; i++) {
            known = strcmp(written[i], field) == 0;
        }
        for (nnc_json one = nnc_json_first(write); one.node != NULL && !known; one = nnc_json_next(one)) {
            for (nnc_json of = nnc_json_first(nnc_json_get(one, "of")); of.node != NULL; of = nnc_json_next(of)) {
                known = known || strcmp(nnc_json_text(of), field) == 0;
            }
        }
        if (known) {
            out->size = before;
        } else {
            written[count++] = field;
        }
    }
}

static void put_products(nnc_buffer *out, const nnc_serve_ask *ask, nnc_json write)
{
    for (nnc_json one = nnc_json_first(write); one.node != NULL; one = nnc_json_next(one)) {
        double product = 1.0;
        for (nnc_json of = nnc_json_first(nnc_json_get(one, "of")); of.node != NULL; of = nnc_json_next(of)) {
            char text[NNC_LAUNCH_VALUE];
            double factor = 1.0;
            text_of(ask, nnc_json_text(of), text);
            product *= nnc_read_double(text, &factor) && factor > 1.0 ? factor : 1.0;
        }
        if (product > 1.0) {
            put_option(out, nnc_json_text(nnc_json_get(one, "key")));
            if (nnc_json_get(one, "switch").node == NULL) {
                nnc_buffer_print(out, " %.0f", product);
            }
        }
    }
}

/* Reads the command again, as `nncost serve -- COMMAND` does, and compares the plans. */
static nnc_status check(nnc_specs *specs, const char *format, const char *command, const nnc_serve_ask *ask,
                        nnc_error *err)
{
    enum { WORDS_MAX = 96 };
    const nnc_launch_asked asked = { .format = format, .serves = true };
    nnc_scenario_args *given = calloc(1, sizeof *given);
    char *words[WORDS_MAX] = { NULL };
    char *text = nnc_arena_strdup(nnc_specs_arena(specs), command);
    int count = 0;
    if (text == NULL || given == NULL) {
        free(given);
        return nnc_no_memory(err);
    }
    while (*text != '\0' && count < WORDS_MAX - 2) {
        words[count++] = text;
        text += strcspn(text, " ");
        if (*text != '\0') {
            *text++ = '\0';
        }
    }
    nnc_status status = nnc_launch_take(specs, &asked, words, &count, given, err);
    nnc_serve_ask read = nnc_serve_ask_default();
    for (int i = 0; status == NNC_OK && i < given->setting_count; i++) {
        status = nnc_field_set(&nnc_serve_table, &read, given->settings[i].field->name, given->settings[i].value, err);
    }
    free(given);
    read.data = read.data == 0 ? 1 : read.data;
    for (size_t i = 0; status == NNC_OK && i < NNC_COUNT_OF(decided); i++) {
        char a[NNC_LAUNCH_VALUE], b[NNC_LAUNCH_VALUE], option[NNC_OPTION_NAME];
        text_of(ask, decided[i], a);
        text_of(&read, decided[i], b);
        if (strcmp(a, b) != 0) {
            return nnc_fail(err, NNC_ILLEGAL_PLAN, nnc_option_name(decided[i], option),
                            "%s cannot be written for %s, whose command would mean %s", a, format, b);
        }
    }
    return status;
}

nnc_status nnc_launch_emit(nnc_specs *specs, const char *format, const char *model, const nnc_serve_ask *plan,
                           nnc_buffer *out, nnc_error *err)
{
    nnc_document table = { .is_parsed = false };
    nnc_serve_ask ask = *plan;
    nnc_buffer command = { 0 };
    const int32_t others = ask.tensor * ask.pipeline * ask.attention_data;
    nnc_status status = nnc_launch_table(specs, format, &table, err);
    if (status != NNC_OK) {
        nnc_document_free(&table);
        return status == NNC_BAD_USAGE
                   ? nnc_fail(err, status, "--emit", "expected vllm, sglang or tensorrt-llm, found \"%.60s\"", format)
                   : status;
    }
    const nnc_json root = nnc_json_root(&table.doc), write = nnc_json_get(root, "write");
    const nnc_json begin = nnc_json_get(root, "command");
    if (begin.node == NULL) {
        status =
            nnc_fail(err, NNC_BAD_USAGE, "--emit", "expected vllm, sglang or tensorrt-llm, found \"%.60s\"", format);
    } else if (strpbrk(model, " \t'\"\\$") != NULL) {
        status = nnc_fail(err, NNC_BAD_USAGE, "MODEL", "expected a name without blanks and quotes");
    } else {
        const bool many = others > 0 && ask.devices > others;
        const int32_t replicas = many ? ask.devices / others : 1;
        ask.data = ask.data == 0 ? replicas : ask.data;
        nnc_buffer_print(&command, "%s %s", nnc_json_text(begin), model);
        put_products(&command, &ask, write);
        put_rows(&command, &ask, nnc_json_get(root, "keys"), write);
        nnc_buffer_byte(&command, '\0');
        status = command.failed ? nnc_no_memory(err) : check(specs, format, command.bytes, &ask, err);
    }
    if (status == NNC_OK) {
        nnc_buffer_print(out, "%s\n", command.bytes);
    }
    nnc_buffer_free(&command);
    nnc_document_free(&table);
    return status;
}
