#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "cli/command.h"
#include "record/plan_file.h"
#include "record/scenario.h"
#include "render/json_writer.h"

static const char *const default_model = "gpt2-xl", *const default_device = "a100-sxm4-80gb";

static void put_member(nnc_buffer *out, int indent, const char *key, const char *text)
{
    nnc_buffer_print(out, ",\n%*s", indent, "");
    nnc_put_json_text(out, key);
    nnc_buffer_text(out, ": ");
    nnc_put_json_text(out, text);
}

/* A plan option as JSON of the field's type. */
static void put_setting(nnc_buffer *out, const nnc_setting *setting, const nnc_plan *plan)
{
    char text[256];
    double number = 0;
    nnc_field_text(setting->field, plan, text, sizeof text);
    nnc_buffer_print(out, ",\n      \"%s\": ", setting->field->name);
    if (setting->field->type == NNC_FIELD_BOOL) {
        nnc_buffer_text(out, strcmp(text, "on") == 0 ? "true" : "false");
    } else if (nnc_read_double(text, &number)) {
        nnc_buffer_text(out, text);
    } else {
        nnc_put_json_text(out, text);
    }
}

static void put_set(nnc_buffer *out, const char *set, bool first)
{
    char key[256];
    const char *value = strchr(set, '=') + 1;
    double number = 0;
    snprintf(key, sizeof key, "%.*s", (int)(value - 1 - set), set);
    nnc_buffer_text(out, first ? "\n        " : ",\n        ");
    nnc_put_json_text(out, key);
    nnc_buffer_text(out, ": ");
    if (nnc_read_double(value, &number)) {
        nnc_buffer_text(out, value);
    } else {
        nnc_put_json_text(out, value);
    }
}

/* A tenth of headroom, rounded up to two digits: 0.4313 -> 0.48. */
static double with_headroom(double value)
{
    const double unit = pow(10, floor(log10(value)) - 1);
    return ceil(1.1 * value / unit) * unit;
}

static void write_scenario(nnc_buffer *out, const nnc_options *options, const nnc_report *report)
{
    const nnc_result *result = report->result;
    char step[NNC_NUMBER_TEXT], memory[NNC_NUMBER_TEXT];
    nnc_buffer_text(out, "    {\n      \"id\": ");
    nnc_put_json_text(out, report->model->id);
    put_member(out, 6, "note",
               "A key of 'require' is any figure of 'nncost estimate --format json', in seconds, "
               "bytes and FLOPs or with units; the limits here leave a tenth of the time, and the "
               "device's "
               "memory.");
    for (int i = 0; i < options->given.setting_count; i++) {
        put_setting(out, &options->given.settings[i], &result->plan);
    }
    if (options->given.set_count > 0) {
        nnc_buffer_text(out, ",\n      \"set\": {");
        for (int i = 0; i < options->given.set_count; i++) {
            put_set(out, options->given.sets[i], i == 0);
        }
        nnc_buffer_text(out, "\n      }");
    }
    nnc_buffer_print(
        out,
        ",\n      \"require\": {\n        \"step_s\": \"<= %ss\",\n"
        "        \"memory.total_bytes\": \"<= %sGB\"\n      }\n    }\n",
        nnc_number_text(with_headroom(result->step_s), step),
        nnc_number_text(floor((double)result->memory.capacity_bytes / 1e7) / 100.0, memory));
}

static void write_file(const nnc_session *session, const nnc_report *report)
{
    const nnc_options *options = &session->options;
    nnc_buffer *out = session->out;
    nnc_buffer_text(out, "{\n  \"schema\": \"" NNC_PLANS_SCHEMA "\"");
    put_member(out, 2, "note",
               "Training plans under watch. 'nncost check FILE' estimates every scenario and exits "
               "with 1 when one misses a requirement, or moved since 'nncost check FILE --update' "
               "recorded it in this file. Keys are the plan options of 'nncost estimate --help' "
               "with '_' for '-'; 'note' is the comment key.");
    nnc_buffer_text(out, ",\n  \"common\": {\n    \"note\": ");
    nnc_put_json_text(out, "What every scenario starts from; it may say otherwise, or null to "
                           "take a key back. Ids, or paths from the folder of this file.");
    put_member(out, 4, "model", report->model_asked);
    put_member(out, 4, "device", report->device_asked);
    if (options->given.software != NULL) {
        put_member(out, 4, "software", options->given.software);
    }
    if (options->given.cluster != NULL) {
        put_member(out, 4, "cluster", options->given.cluster);
    }
    nnc_buffer_text(out, "\n  },\n  \"scenarios\": [\n");
    write_scenario(out, options, report);
    nnc_buffer_text(out, "  ]\n}\n");
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    const nnc_options *options = &session->options;
    nnc_scenario *scenario = calloc(1, sizeof *scenario);
    nnc_scratch *scratch = nnc_scratch_create();
    nnc_status status = NNC_NO_MEMORY;
    if (scenario == NULL || scratch == NULL) {
        nnc_no_memory(err);
        goto done;
    }
    if (options->operand_count == 1) {
        status = nnc_fail(err, NNC_BAD_USAGE, "DEVICE",
                          "missing, expected MODEL DEVICE, or neither, found only \"%s\"",
                          options->operands[0]);
        goto done;
    }
    const bool given = options->operand_count == 2;
    status = nnc_scenario_load(session->specs, &options->given,
                               given ? options->operands[0] : default_model,
                               given ? options->operands[1] : default_device, scenario, err);
    if (status == NNC_OK) {
        status = nnc_estimate(&scenario->model, &scenario->device, &scenario->software,
                              &scenario->plan, scratch, &scenario->result, err);
    }
    if (status == NNC_OK) {
        write_file(session, &scenario->report);
    }
done:
    nnc_scratch_destroy(scratch);
    free(scenario);
    return status;
}

const nnc_command nnc_cmd_init = {
    .name = "init",
    .operands = "[MODEL DEVICE]",
    .summary = "Print a plan file to begin with, for 'nncost check'.",
    .notes = "It has one scenario, with the plan options given, and requirements that its estimate "
             "meets with a tenth of time to spare: nncost init llama3-8b h100 --output "
             "plans.json.",
    .min_operands = 0,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_PLAN,
    .run = run,
};
