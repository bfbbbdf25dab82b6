#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "cli/scenario.h"
#include "record/plan_file.h"
#include "render/record.h"

static const char *const default_model = "gpt2-xl", *const default_device = "a100-sxm4-80gb";

static void put_member(FILE *out, int indent, const char *key, const char *text)
{
    fprintf(out, ",\n%*s", indent, "");
    nnc_put_json_text(out, key);
    fputs(": ", out);
    nnc_put_json_text(out, text);
}

/* A plan option as JSON of the field's type. */
static void put_setting(FILE *out, const nnc_setting *setting, const nnc_plan *plan)
{
    char text[256];
    double number = 0;
    nnc_field_text(setting->field, plan, text, sizeof text);
    fprintf(out, ",\n      \"%s\": ", setting->field->name);
    if (setting->field->type == NNC_FIELD_BOOL) {
        fputs(strcmp(text, "on") == 0 ? "true" : "false", out);
    } else if (nnc_read_double(text, &number)) {
        fputs(text, out);
    } else {
        nnc_put_json_text(out, text);
    }
}

static void put_set(FILE *out, const char *set, bool first)
{
    char key[256];
    const char *value = strchr(set, '=') + 1;
    double number = 0;
    snprintf(key, sizeof key, "%.*s", (int)(value - 1 - set), set);
    fputs(first ? "\n        " : ",\n        ", out);
    nnc_put_json_text(out, key);
    fputs(": ", out);
    if (nnc_read_double(value, &number)) {
        fputs(value, out);
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

static void write_scenario(FILE *out, const nnc_options *options, const nnc_report *report)
{
    const nnc_result *result = report->result;
    char step[NNC_NUMBER_TEXT];
    fputs("    {\n      \"id\": ", out);
    nnc_put_json_text(out, report->model->id);
    put_member(out, 6, "note",
               "A key of 'require' is any figure of 'nncost estimate --format json', in seconds, "
               "bytes and FLOPs; the limits here leave a tenth of the time, and the device's "
               "memory.");
    for (int i = 0; i < options->setting_count; i++) {
        put_setting(out, &options->settings[i], &result->plan);
    }
    if (options->set_count > 0) {
        fputs(",\n      \"set\": {", out);
        for (int i = 0; i < options->set_count; i++) {
            put_set(out, options->sets[i], i == 0);
        }
        fputs("\n      }", out);
    }
    fprintf(out,
            ",\n      \"require\": {\n        \"step_s\": \"<= %s\",\n"
            "        \"memory.total_bytes\": \"<= %" PRId64 "\"\n      }\n    }\n",
            nnc_number_text(with_headroom(result->step_s), step), result->memory.capacity_bytes);
}

static void write_file(const nnc_session *session, const nnc_report *report)
{
    const nnc_options *options = &session->options;
    FILE *out = session->out;
    fputs("{\n  \"schema\": \"" NNC_PLANS_SCHEMA "\"", out);
    put_member(out, 2, "note",
               "Training plans under watch. 'nncost check FILE' estimates every scenario and exits "
               "with 1 when one misses a requirement, or moved since 'nncost check FILE --update' "
               "recorded it in this file. Keys are the plan options of 'nncost estimate --help' "
               "with '_' for '-'; 'note' is the comment key.");
    fputs(",\n  \"common\": {\n    \"note\": ", out);
    nnc_put_json_text(out, "What every scenario starts from; it may say otherwise, or null to "
                           "take a key back. Ids, or paths from the folder of this file.");
    put_member(out, 4, "model", report->model_asked);
    put_member(out, 4, "device", report->device_asked);
    if (options->software != NULL) {
        put_member(out, 4, "software", options->software);
    }
    if (options->cluster != NULL) {
        put_member(out, 4, "cluster", options->cluster);
    }
    fputs("\n  },\n  \"scenarios\": [\n", out);
    write_scenario(out, options, report);
    fputs("  ]\n}\n", out);
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
    status =
        nnc_scenario_load(session->specs, options, given ? options->operands[0] : default_model,
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
