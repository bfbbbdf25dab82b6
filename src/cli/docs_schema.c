#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "base/number.h"
#include "cli/docs.h"
#include "input/read.h"

/* JSON with a line for each field: an object that spans lines keeps its depth here. */
typedef struct writer {
    nnc_buffer *out;
    int depth;
    bool first; /* nothing stands in the innermost object yet */
} writer;

static void put_text(nnc_buffer *out, const char *text)
{
    nnc_buffer_byte(out, '"');
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            nnc_buffer_byte(out, '\\');
        }
        nnc_buffer_byte(out, *text);
    }
    nnc_buffer_byte(out, '"');
}

/* Starts the line of a member. */
static void put_key(writer *to, const char *key)
{
    nnc_buffer_print(to->out, "%s\n%*s", to->first ? "" : ",", 2 * to->depth, "");
    put_text(to->out, key);
    nnc_buffer_text(to->out, ": ");
    to->first = false;
}

static void open_object(writer *to, const char *key)
{
    put_key(to, key);
    nnc_buffer_byte(to->out, '{');
    to->depth++;
    to->first = true;
}

static void close_object(writer *to)
{
    to->depth--;
    nnc_buffer_print(to->out, "\n%*s}", 2 * to->depth, "");
    to->first = false;
}

/* A member whose value is given as JSON. */
static void put_member(writer *to, const char *key, const char *json)
{
    put_key(to, key);
    nnc_buffer_text(to->out, json);
}

static void put_help(nnc_buffer *out, const nnc_field *field)
{
    char text[256];
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s", field->help != NULL ? field->help : "",
             field->unit != NULL ? " Unit: " : "", field->unit != NULL ? field->unit : "",
             field->unit != NULL ? "." : "", field->default_text != NULL ? " Default: " : "",
             field->default_text != NULL ? field->default_text : "",
             field->default_text != NULL ? "." : "");
    nnc_buffer_text(out, "\"description\": ");
    put_text(out, text);
}

static void put_limits(nnc_buffer *out, const nnc_field *field)
{
    char number[NNC_NUMBER_TEXT];
    if (field->min == 0 && field->max == 0) {
        return;
    }
    nnc_buffer_print(out, ", \"%s\": %s", field->above_min ? "exclusiveMinimum" : "minimum",
                     nnc_number_text(field->min, number));
    nnc_buffer_print(out, ", \"maximum\": %s", nnc_number_text(field->max, number));
}

static void put_names(nnc_buffer *out, nnc_names names)
{
    nnc_buffer_byte(out, '[');
    for (int i = 0; i < names.count; i++) {
        nnc_buffer_text(out, i > 0 ? ", " : "");
        put_text(out, names.of((unsigned)i));
    }
    nnc_buffer_byte(out, ']');
}

/* "not recorded" may be written as null, but not where a value is required or in a list. */
static void put_number_type(nnc_buffer *out, const char *type, bool nullable)
{
    nnc_buffer_print(out, nullable ? "\"type\": [\"%s\", \"null\"]" : "\"type\": \"%s\"", type);
}

static void put_list_type(nnc_buffer *out, const nnc_field *field)
{
    nnc_buffer_print(out, "\"type\": \"array\", \"minItems\": 1, \"maxItems\": %d, \"items\": { ",
                     (int)field->capacity);
    put_number_type(out, field->type == NNC_FIELD_BOOL_LIST ? "boolean" : "integer", false);
    if (field->type != NNC_FIELD_BOOL_LIST) {
        put_limits(out, field);
    }
    nnc_buffer_text(out, " }");
}

/* A field that fits on its line. */
static void put_leaf(writer *to, const nnc_field *field)
{
    nnc_buffer *out = to->out;
    put_key(to, field->name);
    nnc_buffer_text(out, "{ ");
    put_help(out, field);
    nnc_buffer_text(out, ", ");
    switch (field->type) {
    case NNC_FIELD_BOOL: nnc_buffer_text(out, "\"type\": \"boolean\""); break;
    case NNC_FIELD_I32:
    case NNC_FIELD_I64:
    case NNC_FIELD_F64:
        put_number_type(out, field->type == NNC_FIELD_F64 ? "number" : "integer", !field->required);
        put_limits(out, field);
        break;
    case NNC_FIELD_ENUM:
        nnc_buffer_text(out, "\"enum\": ");
        put_names(out, field->names);
        break;
    case NNC_FIELD_I32_LIST:
    case NNC_FIELD_I64_LIST:
    case NNC_FIELD_BOOL_LIST: put_list_type(out, field); break;
    default:
        nnc_buffer_text(out, "\"type\": \"string\", \"minLength\": 1");
        if (field->size > 0) {
            nnc_buffer_print(out, ", \"maxLength\": %zu", field->size - 1);
        }
    }
    nnc_buffer_text(out, " }");
}

/* The key of a number format. */
static void open_formats(writer *to)
{
    char pattern[128] = "^(";
    for (int i = 0; i < NNC_DTYPE_COUNT; i++) {
        const size_t used = strlen(pattern);
        snprintf(pattern + used, sizeof pattern - used, "%s%s", i > 0 ? "|" : "",
                 nnc_dtype_name(i));
    }
    strncat(pattern, ")$", sizeof pattern - strlen(pattern) - 1);
    open_object(to, "patternProperties");
    open_object(to, pattern);
}

/* Names of what a table requires, and of others: "a", "b". */
static void put_required_names(nnc_buffer *out, const nnc_field_table *table,
                               const char *const *others)
{
    int count = 0;
    for (size_t i = 0; i < table->count; i++) {
        if (table->fields[i].required) {
            nnc_buffer_text(out, count++ > 0 ? ", " : "");
            put_text(out, table->fields[i].name);
        }
    }
    for (; others != NULL && *others != NULL; others++) {
        nnc_buffer_text(out, count++ > 0 ? ", " : "");
        put_text(out, *others);
    }
}

static void put_required(writer *to, const nnc_field_table *table, const char *const *others)
{
    put_key(to, "required");
    nnc_buffer_byte(to->out, '[');
    put_required_names(to->out, table, others);
    nnc_buffer_byte(to->out, ']');
}

static const char *const any_text = "{ \"type\": \"string\" }";

static bool is_fitted(const nnc_field_table *table)
{
    const nnc_field *field = nnc_field_of_key(table, "fitted_on");
    return field != NULL && field->required;
}

/* What every object has: its type and a comment. Leaves "properties" open. */
static void open_properties(writer *to, const nnc_field_table *table)
{
    put_member(to, "type", "\"object\"");
    put_member(to, "additionalProperties", "false");
    open_object(to, "properties");
    put_member(to, "note", "{ \"description\": \"A comment.\", \"type\": \"string\" }");
    if (is_fitted(table)) {
        put_member(to, "same_as",
                   "{ \"description\": \"The object next to this one whose figures these are, but "
                   "for those given.\", \"type\": \"string\" }");
    }
}

/* Calls itself as deep as tables nest. */
static void put_fields(writer *to, const nnc_field_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const nnc_field *field = &table->fields[i];
        const bool by_format =
            field->type == NNC_FIELD_OBJECT_BY_DTYPE || field->type == NNC_FIELD_RATES;
        if (!by_format && field->type != NNC_FIELD_OBJECT) {
            put_leaf(to, field);
            continue;
        }
        const nnc_field_table inner = { field->name, field->fields, field->field_count };
        open_object(to, field->name);
        nnc_buffer_print(to->out, "\n%*s", 2 * to->depth, "");
        put_help(to->out, field);
        to->first = false;
        if (by_format) {
            put_member(to, "type", "\"object\"");
            put_member(to, "additionalProperties", "false");
            put_member(to, "properties", "{ \"note\": { \"type\": \"string\" } }");
            open_formats(to);
        }
        if (field->type == NNC_FIELD_RATES) {
            nnc_buffer_print(to->out, "\n%*s", 2 * to->depth, "");
            put_number_type(to->out, "number", true);
            put_limits(to->out, field);
        } else {
            open_properties(to, &inner);
            put_fields(to, &inner);
            close_object(to);
        }
        if (by_format) {
            close_object(to);
            close_object(to);
        }
        close_object(to);
    }
}

static void put_prices(writer *to)
{
    open_object(to, "prices");
    put_member(to, "description", "\"Newest on-demand price first.\"");
    put_member(to, "type", "\"array\"");
    open_object(to, "items");
    put_required(to, &nnc_price_table, NULL);
    open_properties(to, &nnc_price_table);
    put_fields(to, &nnc_price_table);
    put_member(to, "where", any_text);
    put_member(to, "date", any_text);
    put_member(to, "source", any_text);
    close_object(to);
    close_object(to);
    close_object(to);
}

/* Is anything required in the objects of a table, or inside these? Calls itself as deep as tables nest. */
static bool any_required(const nnc_field *fields, size_t count, bool inside)
{
    for (size_t i = 0; i < count; i++) {
        if (fields[i].required ||
            (inside && any_required(fields[i].fields, fields[i].field_count, true))) {
            return true;
        }
    }
    return false;
}

/* What objects of a table require, at every depth. Calls itself as deep as tables nest. */
static void put_requirements(writer *to, const nnc_field_table *table, const char *const *others)
{
    if (others == NULL && is_fitted(table)) { /* the other object has them */
        put_key(to, "anyOf");
        nnc_buffer_text(to->out, "[{ \"required\": [");
        put_required_names(to->out, table, NULL);
        nnc_buffer_text(to->out, "] }, { \"required\": [\"same_as\"] }]");
    } else if (others != NULL || any_required(table->fields, table->count, false)) {
        put_required(to, table, others);
    }
    bool any = false;
    for (size_t i = 0; i < table->count; i++) {
        const nnc_field *field = &table->fields[i];
        const nnc_field_table inner = { field->name, field->fields, field->field_count };
        if (!any_required(field->fields, field->field_count, true)) {
            continue;
        }
        if (!any) {
            open_object(to, "properties");
        }
        any = true;
        open_object(to, field->name);
        if (field->type == NNC_FIELD_OBJECT_BY_DTYPE) {
            open_formats(to);
        }
        put_requirements(to, &inner, NULL);
        if (field->type == NNC_FIELD_OBJECT_BY_DTYPE) {
            close_object(to);
            close_object(to);
        }
        close_object(to);
    }
    if (any) {
        close_object(to);
    }
}

/* The members of one kind of file, without the braces around them. */
static void put_root(writer *to, const char *schema, const nnc_field_table *table, bool aliases)
{
    static const char *const others[] = { "schema", "sources", NULL };
    char constant[64];
    snprintf(constant, sizeof constant, "{ \"const\": \"%s\" }", schema);
    put_member(to, "if", "{ \"required\": [\"like\"] }");
    put_member(to, "then", "{ \"required\": [\"schema\", \"id\", \"name\"] }");
    open_object(to, "else");
    put_requirements(to, table, others);
    close_object(to);
    open_properties(to, table);
    put_member(to, "schema", constant);
    put_member(
        to, "like",
        "{ \"description\": \"Id, alias or path of a file of this kind that says whatever this "
        "one does not.\", \"type\": \"string\" }");
    put_fields(to, table);
    if (aliases) {
        put_member(to, "aliases",
                   "{ \"description\": \"Other names on the command line.\", \"type\": \"array\", "
                   "\"items\": { \"type\": \"string\" } }");
    }
    if (table == &nnc_device_table) {
        put_prices(to);
    }
    put_member(
        to, "references",
        "{ \"description\": \"Texts that sources and fitted_on cite as @key. A key is letters, "
        "digits, - and _.\", \"type\": \"object\", \"additionalProperties\": { \"type\": "
        "\"string\" } }");
    open_object(to, "sources");
    put_member(to, "description",
               "\"Where figures come from, by field or by the beginning of its dotted name; an "
               "empty key speaks for all.\"");
    put_member(to, "type", "\"object\"");
    put_member(to, "minProperties", "1");
    put_member(to, "additionalProperties",
               "{ \"anyOf\": [{ \"type\": \"string\" }, { \"type\": \"array\", \"minItems\": 1, "
               "\"items\": { \"type\": \"string\" } }] }");
    close_object(to);
    close_object(to);
}

/* One schema for each family, chosen by the file's "family". */
static void put_families(writer *to)
{
    open_object(to, "properties");
    put_key(to, "family");
    nnc_buffer_text(to->out, "{ \"enum\": ");
    put_names(to->out, (nnc_names){ nnc_family_name, NNC_FAMILY_COUNT });
    nnc_buffer_text(to->out, " }");
    close_object(to);
    put_member(to, "anyOf", "[{ \"required\": [\"family\"] }, { \"required\": [\"like\"] }]");
    put_key(to, "allOf");
    nnc_buffer_byte(to->out, '[');
    for (int family = 0; family < NNC_FAMILY_COUNT; family++) {
        nnc_buffer_print(to->out,
                         "%s{\n%*s\"if\": { \"required\": [\"family\"], \"properties\": { "
                         "\"family\": { \"const\": \"%s\" } } }",
                         family > 0 ? ", " : "", 2 * to->depth + 2, "", nnc_family_name(family));
        to->depth++;
        to->first = false;
        open_object(to, "then");
        put_root(to, "nncost.model/1", nnc_model_table((nnc_family)family), true);
        close_object(to);
        close_object(to);
    }
    nnc_buffer_byte(to->out, ']');
}

void nnc_docs_schema(nnc_buffer *out, nnc_spec_kind kind)
{
    writer to = { .out = out, .depth = 1, .first = true };
    nnc_buffer_byte(out, '{');
    put_member(&to, "$schema", "\"https://json-schema.org/draft/2020-12/schema\"");
    put_member(&to, "$comment",
               "\"Written by 'nncost docs schema'. What ties fields together is checked by 'nncost "
               "validate' alone.\"");
    if (kind == NNC_SPEC_DEVICE) {
        put_member(&to, "title", "\"Device\"");
        put_root(&to, "nncost.device/1", &nnc_device_table, true);
    } else if (kind == NNC_SPEC_SOFTWARE) {
        put_member(&to, "title", "\"Software profile\"");
        put_root(&to, "nncost.software/1", &nnc_software_table, false);
    } else {
        put_member(&to, "title", "\"Model\"");
        put_families(&to);
    }
    nnc_buffer_text(out, "\n}\n");
}
