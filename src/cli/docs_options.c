#include <string.h>

#include "cli/command.h"
#include "cli/docs.h"
#include "input/field.h"
#include "input/flags.h"
#include "render/json_writer.h"

/* What an option takes, for a form: by the type of its field, or by how its argument is called. */
static const char *kind_of(const nnc_option_text *option)
{
    if (option->field != NULL) {
        switch (option->field->type) {
        case NNC_FIELD_BOOL: return "switch";
        case NNC_FIELD_ENUM: return "choice";
        case NNC_FIELD_RECOMPUTE:
        case NNC_FIELD_TRAIN:
        case NNC_FIELD_OFFLOAD: return "flags";
        case NNC_FIELD_F64: return "number";
        case NNC_FIELD_I32:
        case NNC_FIELD_I64: return "whole";
        default: return "text";
        }
    }
    return option->argument[0] == '\0'                ? "flag"
           : option->values.count > 0                 ? "choice"
           : strcmp(option->argument, " FILE") == 0   ? "path"
           : strcmp(option->argument, " N") == 0      ? "whole"
           : strcmp(option->argument, " PIXELS") == 0 ? "whole"
                                                      : "text";
}

static void put_choices(nnc_record *record, const nnc_option_text *option)
{
    const nnc_flag *flags = option->field != NULL ? nnc_flags_of(option->field->type) : NULL;
    if (flags == NULL && option->values.count == 0) {
        nnc_record_null(record, "choices");
        return;
    }
    nnc_record_list(record, "choices");
    for (; flags != NULL && flags->name != NULL; flags++) {
        nnc_record_text(record, NULL, flags->name);
    }
    for (int i = 0; i < option->values.count; i++) {
        nnc_record_text(record, NULL, option->values.of((unsigned)i));
    }
    nnc_record_close(record);
}

static void put_limit(nnc_record *record, const char *key, const nnc_field *field, bool upper)
{
    if (field == NULL || (field->min == 0 && field->max == 0)) {
        nnc_record_null(record, key);
    } else {
        nnc_record_number(record, key, upper ? field->max : field->min);
    }
}

static void put_option(nnc_record *record, const nnc_option_text *option)
{
    const nnc_field *field = option->field;
    nnc_record_object(record, NULL);
    nnc_record_text(record, "name", option->name);
    nnc_record_text(record, "alias", option->alias[0] != '\0' ? option->alias : NULL);
    nnc_record_text(record, "group", option->group);
    nnc_record_text(record, "kind", kind_of(option));
    put_choices(record, option);
    nnc_record_text(record, "unit", field != NULL ? field->unit : NULL);
    put_limit(record, "minimum", field, false);
    put_limit(record, "maximum", field, true);
    nnc_record_text(record, "default", field != NULL ? field->default_text : NULL);
    nnc_record_text(record, "field", field != NULL ? field->name : NULL);
    nnc_record_text(record, "help", field != NULL ? field->help : option->help);
    nnc_record_close(record);
}

void nnc_docs_options(nnc_buffer *out)
{
    nnc_record record = nnc_record_begin(out, "nncost.options/1");
    nnc_record_list(&record, "commands");
    for (int i = 0; nnc_command_at(i) != NULL; i++) {
        const nnc_command *command = nnc_command_at(i);
        nnc_option_text option;
        nnc_record_object(&record, NULL);
        nnc_record_text(&record, "name", command->name);
        nnc_record_text(&record, "operands", command->operands);
        nnc_record_text(&record, "summary", command->summary);
        nnc_record_list(&record, "options");
        for (int k = 0; nnc_option_at(command->takes, k, &option); k++) {
            put_option(&record, &option);
        }
        nnc_record_close(&record);
        nnc_record_close(&record);
    }
    nnc_record_close(&record);
    nnc_record_end(&record);
}
