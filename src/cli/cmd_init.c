/* init */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/command.h"
#include "cli/views_internal.h"
#include "record/plan_file.h"

static const char *const default_model = "gpt2-xl", *const default_device = "a100-sxm4-80gb";

static void put_member(nnc_buffer *out, int indent, const char *key, const char *text)
{
    nnc_buffer_print(out, ",\n%*s", indent, "");
    nnc_put_json_text(out, key);
    nnc_buffer_text(out, ": ");
    nnc_put_json_text(out, text);
}

/* An option as JSON of the field's type; plan: the object of its table. */
static void put_setting(nnc_buffer *out, const nnc_setting *setting, const void *plan)
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

/* What the answer keeps with a tenth to spare. */
static void write_limits(nnc_buffer *out, const nnc_report *report)
{
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    if (report->serve == NULL) {
        const double capacity = (double)report->result->memory.capacity_bytes;
        nnc_buffer_print(out,
                         "        \"step_s\": \"<= %ss\",\n"
                         "        \"memory.total_bytes\": \"<= %sGB\"\n",
                         nnc_number_text(with_headroom(report->result->step_s), a),
                         nnc_number_text(floor(capacity / 1e7) / 100.0, b));
        return;
    }
    const double ttft_s = isfinite(report->serve->ttft_s) ? report->serve->ttft_s : 1.0;
    nnc_buffer_print(out,
                     "        \"latency.tpot_s\": \"<= %ss\",\n"
                     "        \"latency.ttft_s\": \"<= %ss\",\n"
                     "        \"memory.fits\": \"== true\"\n",
                     nnc_number_text(with_headroom(report->serve->tpot_s), a),
                     nnc_number_text(with_headroom(ttft_s), b));
}

static void write_scenario(nnc_buffer *out, const nnc_options *options, const nnc_report *report)
{
    const bool served = report->serve != NULL;
    nnc_buffer_text(out, "    {\n      \"id\": ");
    nnc_put_json_text(out, report->model->id);
    put_member(out, 6, "note",
               served
                   ? "A key of 'require' is any figure of 'nncost serve --format json', in "
                     "seconds and bytes or with units; the limits here leave a tenth of the time."
                   : "A key of 'require' is any figure of 'nncost estimate --format json', in "
                     "seconds, bytes and FLOPs or with units; the limits here leave a tenth of "
                     "the time, and the device's memory.");
    for (int i = 0; i < options->given.setting_count; i++) {
        put_setting(out, &options->given.settings[i],
                    served ? (const void *)report->serve_ask : (const void *)&report->result->plan);
    }
    if (options->given.set_count > 0) {
        nnc_buffer_text(out, ",\n      \"set\": {");
        for (int i = 0; i < options->given.set_count; i++) {
            put_set(out, options->given.sets[i], i == 0);
        }
        nnc_buffer_text(out, "\n      }");
    }
    nnc_buffer_text(out, ",\n      \"require\": {\n");
    write_limits(out, report);
    nnc_buffer_text(out, "      }\n    }\n");
}

static void write_file(const nnc_session *session, const nnc_report *report)
{
    const nnc_options *options = &session->options;
    nnc_buffer *out = session->out;
    nnc_buffer_text(out, "{\n  \"schema\": \"" NNC_PLANS_SCHEMA "\"");
    const bool served = report->serve != NULL;
    put_member(
        out, 2, "note",
        served
            ? "Deployments under watch. 'nncost check FILE' answers every scenario and "
              "exits with 1 when one misses a requirement, or moved since 'nncost check "
              "FILE --update' recorded it in this file. Keys are the options of 'nncost "
              "serve --help' with '_' for '-'; 'note' is the comment key."
            : "Training plans under watch. 'nncost check FILE' estimates every scenario and exits "
              "with 1 when one misses a requirement, or moved since 'nncost check FILE --update' "
              "recorded it in this file. Keys are the plan options of 'nncost estimate --help' "
              "with '_' for '-'; 'note' is the comment key.");
    nnc_buffer_text(out, ",\n  \"common\": {\n    \"note\": ");
    nnc_put_json_text(out, "What every scenario starts from; it may say otherwise, or null to "
                           "take a key back. Ids, or paths from the folder of this file.");
    put_member(out, 4, "model", report->model_asked);
    put_member(out, 4, "device", report->device_asked);
    nnc_buffer_text(out, served ? ",\n    \"serve\": true" : "");
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

static nnc_status write_served(nnc_session *session, nnc_serve_scenario *scenario,
                               nnc_scratch *scratch, nnc_arena *arena, nnc_error *err)
{
    (void)scratch, (void)arena;
    session->exit_code = 0;
    if (scenario->base.report.images != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--steps", "expected requests of tokens");
    }
    write_file(session, &scenario->base.report);
    return NNC_OK;
}

static nnc_status run_served(nnc_session *session, nnc_error *err)
{
    return nnc_serve_report(session, session->options.operands[0], session->options.operands[1],
                            write_served, err);
}

const nnc_command nnc_cmd_serve_init = {
    .name = "init",
    .operands = "MODEL DEVICE --serve",
    .summary = "Print a plan file with one deployment to begin with, for 'nncost check'.",
    .notes =
        "Its requirements are those that the answer meets with a tenth of time to spare: nncost "
        "init llama3-8b h100 --serve --concurrency 64 --output plans.json.",
    .min_operands = 2,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_SERVE | NNC_TAKES_SERVING,
    .run = run_served,
};

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
    .serving = &nnc_cmd_serve_init,
};
