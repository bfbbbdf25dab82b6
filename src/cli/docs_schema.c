#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "base/number.h"
#include "cli/docs.h"
#include "cli/schema_writer.h"
#include "input/read.h"

/* The key of a number format. */
static void open_formats(nnc_schema_writer *to)
{
    char pattern[128] = "^(";
    for (int i = 0; i < NNC_DTYPE_COUNT; i++) {
        const size_t used = strlen(pattern);
        snprintf(pattern + used, sizeof pattern - used, "%s%s", i > 0 ? "|" : "",
                 nnc_dtype_name((nnc_dtype)i));
    }
    strncat(pattern, ")$", sizeof pattern - strlen(pattern) - 1);
    nnc_schema_open(to, "patternProperties");
    nnc_schema_open(to, pattern);
}

/* Names of what a table requires, and of others: "a", "b". */
static void put_required_names(nnc_buffer *out, const nnc_field_table *table,
                               const char *const *others)
{
    int count = 0;
    for (size_t i = 0; i < table->count; i++) {
        if (table->fields[i].required) {
            nnc_buffer_text(out, count++ > 0 ? ", " : "");
            nnc_put_json_text(out, table->fields[i].name);
        }
    }
    for (; others != NULL && *others != NULL; others++) {
        nnc_buffer_text(out, count++ > 0 ? ", " : "");
        nnc_put_json_text(out, *others);
    }
}

static void put_required(nnc_schema_writer *to, const nnc_field_table *table,
                         const char *const *others)
{
    nnc_schema_key(to, "required");
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
static void open_properties(nnc_schema_writer *to, const nnc_field_table *table)
{
    nnc_schema_member(to, "type", "\"object\"");
    nnc_schema_member(to, "additionalProperties", "false");
    nnc_schema_open(to, "properties");
    nnc_schema_member(to, "note", "{ \"description\": \"A comment.\", \"type\": \"string\" }");
    if (is_fitted(table)) {
        nnc_schema_member(
            to, "same_as",
            "{ \"description\": \"The object next to this one whose figures these are, but "
            "for those given.\", \"type\": \"string\" }");
    }
}

/* Calls itself as deep as tables nest. */
static void put_fields(nnc_schema_writer *to, const nnc_field_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const nnc_field *field = &table->fields[i];
        const bool by_format =
            field->type == NNC_FIELD_OBJECT_BY_DTYPE || field->type == NNC_FIELD_RATES;
        if (!by_format && field->type != NNC_FIELD_OBJECT) {
            nnc_schema_field(to, field, false);
            continue;
        }
        const nnc_field_table inner = { field->name, field->fields, field->field_count };
        nnc_schema_open(to, field->name);
        nnc_buffer_print(to->out, "\n%*s", 2 * to->depth, "");
        nnc_schema_help(to->out, field);
        to->first = false;
        if (by_format) {
            nnc_schema_member(to, "type", "\"object\"");
            nnc_schema_member(to, "additionalProperties", "false");
            nnc_schema_member(to, "properties", "{ \"note\": { \"type\": \"string\" } }");
            open_formats(to);
        }
        if (field->type == NNC_FIELD_RATES) {
            nnc_buffer_print(to->out, "\n%*s", 2 * to->depth, "");
            nnc_schema_number_type(to->out, "number", true);
            nnc_schema_limits(to->out, field);
        } else {
            open_properties(to, &inner);
            put_fields(to, &inner);
            nnc_schema_close(to);
        }
        if (by_format) {
            nnc_schema_close(to);
            nnc_schema_close(to);
        }
        nnc_schema_close(to);
    }
}

/* A list of objects of a table; texts: further keys, ends with NULL. */
static void put_objects(nnc_schema_writer *to, const char *key, const char *description,
                        const nnc_field_table *table, const char *const *texts)
{
    nnc_schema_open(to, key);
    nnc_schema_member(to, "description", description);
    nnc_schema_member(to, "type", "\"array\"");
    nnc_schema_open(to, "items");
    put_required(to, table, NULL);
    open_properties(to, table);
    put_fields(to, table);
    for (; *texts != NULL; texts++) {
        nnc_schema_member(to, *texts, any_text);
    }
    nnc_schema_close(to);
    nnc_schema_close(to);
    nnc_schema_close(to);
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
static void put_requirements(nnc_schema_writer *to, const nnc_field_table *table,
                             const char *const *others)
{
    if (others == NULL && is_fitted(table)) { /* the other object has them */
        nnc_schema_key(to, "anyOf");
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
            nnc_schema_open(to, "properties");
        }
        any = true;
        nnc_schema_open(to, field->name);
        if (field->type == NNC_FIELD_OBJECT_BY_DTYPE) {
            open_formats(to);
        }
        put_requirements(to, &inner, NULL);
        if (field->type == NNC_FIELD_OBJECT_BY_DTYPE) {
            nnc_schema_close(to);
            nnc_schema_close(to);
        }
        nnc_schema_close(to);
    }
    if (any) {
        nnc_schema_close(to);
    }
}

/* The network of a graph file; its ops are checked by the reader. */
static void put_graph(nnc_schema_writer *to)
{
    static const char *const members[][2] = {
        { "let",
          "{ \"description\": \"Whole numbers by name, some of which follow from those above. "
          "Numbers can be changed by --set.\", \"type\": \"object\", \"additionalProperties\": { "
          "\"type\": [\"integer\", \"string\"] } }" },
        { "input", "{ \"description\": \"What comes in, the batch left out: tokens, or a shape.\", "
                   "\"type\": \"object\" }" },
        { "define", "{ \"description\": \"Macros by name: args with their defaults, and ops.\", "
                    "\"type\": \"object\", \"additionalProperties\": { \"type\": \"object\", "
                    "\"required\": [\"ops\"] } }" },
        { "ops",
          "{ \"description\": \"Steps, each an object with op, use, repeat, if, from or as.\", "
          "\"type\": \"array\", \"minItems\": 1, \"items\": { \"type\": \"object\" } }" },
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        nnc_schema_member(to, members[i][0], members[i][1]);
    }
}

/* The members of one kind of file, without the braces around them. */
static void put_root(nnc_schema_writer *to, const char *schema, const nnc_field_table *table,
                     bool aliases)
{
    static const char *const plain[] = { "schema", NULL };
    static const char *const graph[] = { "schema", "input", "ops", NULL };
    static const char *const price_texts[] = { "where", "date", "source", NULL };
    const bool is_graph = table == nnc_model_table(NNC_FAMILY_GRAPH);
    const char *const *others = is_graph ? graph : plain;
    char constant[64];
    snprintf(constant, sizeof constant, "{ \"const\": \"%s\" }", schema);
    nnc_schema_member(to, "if", "{ \"required\": [\"like\"] }");
    nnc_schema_member(to, "then", "{ \"required\": [\"schema\", \"id\", \"name\"] }");
    nnc_schema_open(to, "else");
    put_requirements(to, table, others);
    nnc_schema_close(to);
    open_properties(to, table);
    nnc_schema_member(to, "schema", constant);
    nnc_schema_member(
        to, "like",
        "{ \"description\": \"Id, alias or path of a file of this kind that says whatever this "
        "one does not.\", \"type\": \"string\" }");
    put_fields(to, table);
    if (aliases) {
        nnc_schema_member(
            to, "aliases",
            "{ \"description\": \"Other names on the command line.\", \"type\": \"array\", "
            "\"items\": { \"type\": \"string\" } }");
    }
    if (table == &nnc_device_table) {
        put_objects(to, "prices", "\"Newest on-demand price first.\"", &nnc_price_table,
                    price_texts);
    } else if (table == &nnc_software_table) {
        put_objects(to, "stands_for",
                    "\"Frameworks whose runs this profile describes, and what they do unasked.\"",
                    &nnc_framework_table, price_texts + 3);
        put_objects(to, "compared",
                    "\"Predicted steps beside measured ones: `accuracy --summary`.\"",
                    &nnc_track_table, price_texts + 3);
        put_objects(to, "ranges",
                    "\"Half of the range of nine in ten where steps were measured, in the "
                    "logarithm.\"",
                    &nnc_range_table, price_texts + 3);
    }
    if (is_graph) {
        put_graph(to);
    }
    if (table == nnc_model_table(NNC_FAMILY_DECODER)) {
        nnc_schema_member(
            to, "towers",
            "{ \"description\": \"Networks that make images or sounds into what the decoder reads "
            "beside words, each with the let, input, define and ops of a graph file.\", \"type\": "
            "\"array\", \"maxItems\": 2, \"items\": { \"type\": \"object\", \"required\": "
            "[\"input\", \"ops\"] } }");
    }
    nnc_schema_member(
        to, "references",
        "{ \"description\": \"Texts that sources and fitted_on cite as @key. A key is letters, "
        "digits, - and _.\", \"type\": \"object\", \"additionalProperties\": { \"type\": "
        "\"string\" } }");
    nnc_schema_open(to, "sources");
    nnc_schema_member(
        to, "description",
        "\"Where figures come from, by field or by the beginning of its dotted name; an "
        "empty key speaks for all.\"");
    nnc_schema_member(to, "type", "\"object\"");
    nnc_schema_member(to, "minProperties", "1");
    nnc_schema_member(
        to, "additionalProperties",
        "{ \"anyOf\": [{ \"type\": \"string\" }, { \"type\": \"array\", \"minItems\": 1, "
        "\"items\": { \"type\": \"string\" } }] }");
    nnc_schema_close(to);
    nnc_schema_close(to);
}

/* One schema for each family, chosen by the file's "family". */
static void put_families(nnc_schema_writer *to)
{
    nnc_schema_open(to, "properties");
    nnc_schema_key(to, "family");
    nnc_buffer_text(to->out, "{ \"enum\": ");
    nnc_schema_names(to->out, (nnc_names){ nnc_family_name, NNC_FAMILY_COUNT });
    nnc_buffer_text(to->out, " }");
    nnc_schema_close(to);
    nnc_schema_member(to, "anyOf",
                      "[{ \"required\": [\"family\"] }, { \"required\": [\"like\"] }]");
    nnc_schema_key(to, "allOf");
    nnc_buffer_byte(to->out, '[');
    for (int family = 0; family < NNC_FAMILY_COUNT; family++) {
        nnc_buffer_print(to->out,
                         "%s{\n%*s\"if\": { \"required\": [\"family\"], \"properties\": { "
                         "\"family\": { \"const\": \"%s\" } } }",
                         family > 0 ? ", " : "", 2 * to->depth + 2, "",
                         nnc_family_name((nnc_family)family));
        to->depth++;
        to->first = false;
        nnc_schema_open(to, "then");
        put_root(to, "nncost.model/1", nnc_model_table((nnc_family)family), true);
        nnc_schema_close(to);
        nnc_schema_close(to);
    }
    nnc_buffer_byte(to->out, ']');
}

const char *nnc_docs_file_title(nnc_spec_kind kind)
{
    static const char *const titles[NNC_SPEC_KIND_COUNT] = { [NNC_SPEC_DEVICE] = "Device",
                                                             [NNC_SPEC_MODEL] = "Model",
                                                             [NNC_SPEC_SOFTWARE] =
                                                                 "Software profile" };
    return titles[kind];
}

void nnc_docs_schema(nnc_buffer *out, nnc_spec_kind kind)
{
    nnc_schema_writer to = nnc_schema_begin(out,
                                            "Written by 'nncost docs schema'. What ties fields "
                                            "together is checked by 'nncost validate' alone.",
                                            nnc_docs_file_title(kind));
    if (kind == NNC_SPEC_DEVICE) {
        put_root(&to, "nncost.device/1", &nnc_device_table, true);
    } else if (kind == NNC_SPEC_SOFTWARE) {
        put_root(&to, "nncost.software/1", &nnc_software_table, false);
    } else {
        put_families(&to);
    }
    nnc_schema_end(&to);
}
