/* JSON Schema of a plan file. */
#include "cli/docs.h"
#include "cli/schema_writer.h"
#include "record/plan_file.h"

static const char *const values =
    "{ \"type\": \"object\", \"additionalProperties\": { \"type\": [\"number\", "
    "\"string\", \"boolean\", \"null\"] }, \"description\": \"Fields of model, device or "
    "plan, as --set has them: model.layers and its value.\" }";
static const char *const rules =
    "{ \"type\": \"object\", \"additionalProperties\": { \"type\": [\"string\", "
    "\"null\"] }, \"description\": \"What 'nncost check' requires: a metric and its limit, "
    "\\\"<= 9.5\\\".\" }";
static const char *const tolerances =
    "{ \"type\": \"object\", \"additionalProperties\": { \"type\": [\"object\", "
    "\"string\"], \"additionalProperties\": false, \"properties\": { \"absolute\": { "
    "\"type\": [\"number\", \"null\"], \"minimum\": 0 }, \"relative\": { \"type\": "
    "[\"number\", \"null\"], \"minimum\": 0 }, \"note\": { \"type\": \"string\" } } }, "
    "\"description\": \"By how much a metric may differ from what is recorded.\" }";

/* The common part, or a scenario; leaves the object open. */
static void put_part(nnc_schema_writer *to, bool scenario)
{
    static const char *const refs[NNC_REF_COUNT] = {
        "Id, alias or path of the model; a path starts from this file's folder.",
        "Id, alias or path of the device.",
        "Id, alias or path of the software profile.",
        "Path of a cluster file, whose links stand for those of the device.",
    };
    nnc_schema_member(to, "type", "\"object\"");
    nnc_schema_member(to, "additionalProperties", "false");
    nnc_schema_open(to, "properties");
    if (scenario) {
        nnc_schema_member(to, "id",
                          "{ \"description\": \"Name of the scenario.\", \"type\": "
                          "\"string\", \"minLength\": 1, \"maxLength\": 127, "
                          "\"pattern\": \"^[^,]*$\" }");
    }
    nnc_schema_member(to, "note", "{ \"description\": \"A comment.\", \"type\": \"string\" }");
    for (int i = 0; i < NNC_REF_COUNT; i++) {
        nnc_schema_key(to, nnc_plans_ref_names[i]);
        nnc_buffer_print(to->out,
                         "{ \"description\": \"%s\", \"type\": [\"string\", \"null\"], "
                         "\"minLength\": 1 }",
                         refs[i]);
    }
    for (size_t i = 0; i < nnc_plan_table.count; i++) {
        nnc_schema_field(to, &nnc_plan_table.fields[i], true);
    }
    for (size_t i = 0; i < nnc_run_table.count; i++) {
        nnc_schema_field(to, &nnc_run_table.fields[i], true);
    }
    nnc_schema_member(to, "serve",
                      "{ \"description\": \"It is served: its other keys are the options of "
                      "'nncost serve'.\", \"type\": [\"boolean\", \"null\"] }");
    for (size_t i = 0; i < nnc_serve_table.count; i++) {
        const nnc_field *field = &nnc_serve_table.fields[i];
        if (nnc_field_help(&nnc_plan_table, field->name) == NULL &&
            nnc_field_help(&nnc_run_table, field->name) == NULL) {
            nnc_schema_field(to, field, true);
        }
    }
    nnc_schema_member(to, "set", values);
    nnc_schema_member(to, "require", rules);
    nnc_schema_member(to, "tolerance", tolerances);
    nnc_schema_close(to);
}

void nnc_docs_plan_schema(nnc_buffer *out)
{
    nnc_schema_writer to =
        nnc_schema_begin(out,
                         "Written by 'nncost docs schema'. null in a scenario takes back what is "
                         "common. Which plans are legal is checked by 'nncost check' alone.",
                         "Plan file");
    nnc_schema_member(&to, "type", "\"object\"");
    nnc_schema_member(&to, "required", "[\"schema\", \"scenarios\"]");
    nnc_schema_member(&to, "additionalProperties", "false");
    nnc_schema_open(&to, "properties");
    nnc_schema_member(&to, "schema", "{ \"const\": \"" NNC_PLANS_SCHEMA "\" }");
    nnc_schema_member(&to, "note", "{ \"description\": \"A comment.\", \"type\": \"string\" }");
    nnc_schema_open(&to, "common");
    nnc_schema_member(&to, "description", "\"What every scenario has unless it says otherwise.\"");
    put_part(&to, false);
    nnc_schema_close(&to);
    nnc_schema_member(&to, "record",
                      "{ \"description\": \"Metrics to record; without it all of them.\", "
                      "\"type\": \"array\", \"items\": { \"type\": \"string\" } }");
    nnc_schema_open(&to, "scenarios");
    nnc_schema_member(&to, "type", "\"array\"");
    nnc_schema_member(&to, "minItems", "1");
    nnc_schema_key(&to, "maxItems");
    nnc_buffer_print(out, "%d", (int)NNC_PLANS_SCENARIOS_MAX);
    nnc_schema_open(&to, "items");
    nnc_schema_member(&to, "required", "[\"id\"]");
    put_part(&to, true);
    nnc_schema_close(&to);
    nnc_schema_close(&to);
    nnc_schema_member(&to, "recorded",
                      "{ \"description\": \"Estimates that 'nncost check --update' wrote.\", "
                      "\"type\": \"object\" }");
    nnc_schema_close(&to);
    nnc_schema_end(&to);
}
