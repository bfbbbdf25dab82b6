/* What a schema says of one field. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "cli/schema_writer.h"

void nnc_schema_help(nnc_buffer *out, const nnc_field *field)
{
    char text[1024];
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s", field->help != NULL ? field->help : "",
             field->unit != NULL ? " Unit: " : "", field->unit != NULL ? field->unit : "",
             field->unit != NULL ? "." : "", field->default_text != NULL ? " Default: " : "",
             field->default_text != NULL ? field->default_text : "",
             field->default_text != NULL ? "." : "");
    nnc_buffer_text(out, "\"description\": ");
    nnc_put_json_text(out, text);
}

void nnc_schema_limits(nnc_buffer *out, const nnc_field *field)
{
    char number[NNC_NUMBER_TEXT];
    if (field->min == 0 && field->max == 0) {
        return;
    }
    nnc_buffer_print(out, ", \"%s\": %s", field->above_min ? "exclusiveMinimum" : "minimum",
                     nnc_number_text(field->min, number));
    nnc_buffer_print(out, ", \"maximum\": %s", nnc_number_text(field->max, number));
}

void nnc_schema_names(nnc_buffer *out, nnc_names names)
{
    nnc_buffer_byte(out, '[');
    for (int i = 0; i < names.count; i++) {
        nnc_buffer_text(out, i > 0 ? ", " : "");
        nnc_put_json_text(out, names.of((unsigned)i));
    }
    nnc_buffer_byte(out, ']');
}

/* "not recorded" may be written as null, but not where a value is required or in a list. */
void nnc_schema_number_type(nnc_buffer *out, const char *type, bool nullable)
{
    nnc_buffer_print(out, nullable ? "\"type\": [\"%s\", \"null\"]" : "\"type\": \"%s\"", type);
}

static void put_list_type(nnc_buffer *out, const nnc_field *field)
{
    nnc_buffer_print(out, "\"type\": \"array\", \"minItems\": 1, \"maxItems\": %d, \"items\": { ",
                     (int)field->capacity);
    if (field->type == NNC_FIELD_ENUM_LIST) {
        nnc_buffer_text(out, "\"enum\": ");
        nnc_schema_names(out, field->names);
    } else if (field->type == NNC_FIELD_BOOL_LIST) {
        nnc_schema_number_type(out, "boolean", false);
    } else {
        nnc_schema_number_type(out, "integer", false);
        nnc_schema_limits(out, field);
    }
    nnc_buffer_text(out, " }");
}

/* Names, of which some may be numbers without quotes as well. */
static void put_open_names(nnc_buffer *out, nnc_names names)
{
    double number = 0;
    nnc_buffer_text(out, "\"enum\": [null");
    for (int i = 0; i < names.count; i++) {
        const char *name = names.of((unsigned)i);
        nnc_buffer_text(out, ", ");
        nnc_put_json_text(out, name);
        if (nnc_read_double(name, &number)) {
            nnc_buffer_print(out, ", %s", name);
        }
    }
    nnc_buffer_byte(out, ']');
}

void nnc_schema_field(nnc_schema_writer *to, const nnc_field *field, bool inherits)
{
    nnc_buffer *out = to->out;
    nnc_schema_key(to, field->name);
    nnc_buffer_text(out, "{ ");
    nnc_schema_help(out, field);
    nnc_buffer_text(out, ", ");
    switch (field->type) {
    case NNC_FIELD_BOOL: nnc_schema_number_type(out, "boolean", inherits); break;
    case NNC_FIELD_I32:
    case NNC_FIELD_I64:
    case NNC_FIELD_F64:
        nnc_schema_number_type(out, field->type == NNC_FIELD_F64 ? "number" : "integer",
                               inherits || !field->required);
        nnc_schema_limits(out, field);
        break;
    case NNC_FIELD_ENUM:
        if (inherits) {
            put_open_names(out, field->names);
            break;
        }
        nnc_buffer_text(out, "\"enum\": ");
        nnc_schema_names(out, field->names);
        break;
    case NNC_FIELD_I32_LIST:
    case NNC_FIELD_I64_LIST:
    case NNC_FIELD_BOOL_LIST:
    case NNC_FIELD_ENUM_LIST: put_list_type(out, field); break;
    default:
        nnc_schema_number_type(out, "string", inherits);
        nnc_buffer_text(out, ", \"minLength\": 1");
        if (field->size > 0 && field->type == NNC_FIELD_TEXT) {
            nnc_buffer_print(out, ", \"maxLength\": %" PRIu32, field->size - 1);
        }
    }
    nnc_buffer_text(out, " }");
}
