/* nncost init: writes new files for the user to change: a plan file with one scenario and requirements, or the file of
 * a device, a model or a cluster. */
#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "record/record_internal.h"

static const char *const default_model = "gpt2-xl", *const default_device = "a100-sxm4-80gb";

/* Writes a text as a JSON value. If the text is a number, writes a number with the same digits, otherwise a string. */
static void put_value(nnc_record *record, const char *key, const char *text) {
    double number = 0;
    if (nnc_read_double(text, &number)) {
        nnc_record_json(record, key, text);
    } else {
        nnc_record_text(record, key, text);
    }
}

void nnc_scenario_field(nnc_record *record, const nnc_field *field, const void *object) {
    char text[256];
    nnc_field_text(field, object, text, sizeof text);
    if (field->type == NNC_FIELD_BOOL) {
        nnc_record_bool(record, field->name, strcmp(text, "on") == 0);
    } else {
        put_value(record, field->name, text);
    }
}

void nnc_scenario_sets(nnc_record *record, const nnc_scenario_args *given) {
    if (given->set_count == 0) { return; }
    nnc_record_object(record, "set");
    for (int i = 0; i < given->set_count; i++) {
        const char *value = strchr(given->sets[i], '=');
        char key[256];
        if (value != NULL) {
            snprintf(key, sizeof key, "%.*s", (int)(value - given->sets[i]), given->sets[i]);
            put_value(record, key, value + 1);
        }
    }
    nnc_record_close(record);
}

/* Returns the limit for a requirement: 1.1 times the value, rounded up to two digits (0.4313 -> 0.48). */
static double with_headroom(double value) {
    const double unit = pow(10, floor(log10(value)) - 1);
    return ceil(1.1 * value / unit) * unit;
}

static void put_limit(nnc_record *record, const char *key, double limit, const char *unit) {
    char number[NNC_NUMBER_TEXT], text[NNC_NUMBER_TEXT + 16];
    snprintf(text, sizeof text, "<= %s%s", nnc_number_text(limit, number), unit);
    nnc_record_text(record, key, text);
}

/* Writes the requirements of a scenario (member "require"): times at most 10 % longer than in the result, and memory
 * within the capacity. */
static void put_limits(nnc_record *record, const nnc_report *report) {
    const nnc_serve *serve = report->serve;
    nnc_record_object(record, "require");
    if (serve == NULL) {
        const double capacity = (double)report->result->memory.capacity_bytes;
        put_limit(record, "step_s", with_headroom(report->result->step_s), "s");
        put_limit(record, "memory.total_bytes", floor(capacity / 1e7) / 100.0, "GB");
    } else {
        put_limit(record, "latency.tpot_s", with_headroom(serve->tpot_s), "s");
        put_limit(record, "latency.ttft_s", with_headroom(isfinite(serve->ttft_s) ? serve->ttft_s : 1.0), "s");
        nnc_record_text(record, "memory.fits", "== true");
    }
    nnc_record_close(record);
}

static void write_file(const nnc_session *session, const nnc_report *report) {
    const nnc_scenario_args *given = &session->options.given;
    const bool served = report->serve != NULL;
    nnc_record record = nnc_record_begin(session->out, NNC_PLANS_SCHEMA);
    record.spread = true;
    nnc_record_text(
        &record, "note",
        served ? "Deployments to check. 'nncost check FILE' estimates every scenario and exits with 1 when one misses "
                 "a requirement, or when an estimate differs from the one that 'nncost check FILE --update' recorded "
                 "in this file. Keys are the options of 'nncost serve --help' with '_' for '-'; 'note' is "
                 "the comment key."
               : "Training plans to check. 'nncost check FILE' estimates every scenario and exits with 1 when one "
                 "misses a requirement, or when an estimate differs from the one that 'nncost check FILE --update' "
                 "recorded in this file. Keys are the plan options of 'nncost estimate --help' "
                 "with '_' for '-'; 'note' is the comment key.");
    nnc_record_object(&record, "common");
    nnc_record_text(&record, "note",
                    "Every scenario starts from these values. A scenario may give other values, or null to remove a "
                    "key of 'common'. Values of model, device and software are ids, or paths relative to the folder "
                    "of this file.");
    nnc_record_text(&record, "model", report->model_asked);
    nnc_record_text(&record, "device", report->device_asked);
    if (served) { nnc_record_bool(&record, "serve", true); }
    if (given->software != NULL) { nnc_record_text(&record, "software", given->software); }
    if (given->cluster != NULL) { nnc_record_text(&record, "cluster", given->cluster); }
    nnc_record_close(&record);
    nnc_record_list(&record, "scenarios");
    nnc_record_object(&record, NULL);
    nnc_record_text(&record, "id", report->model->id);
    nnc_record_text(&record, "note",
                    served ? "A key of 'require' is any metric of 'nncost serve --format json', in seconds and bytes "
                             "or with units; the limits of times are about a tenth above the estimates."
                           : "A key of 'require' is any metric of 'nncost estimate --format json', "
                             "in seconds, bytes and FLOPs or with units; the limit of step_s is about a tenth "
                             "above the estimate, and the limit of the memory is the capacity of the device.");
    const void *plan = served ? (const void *)report->serve_ask : (const void *)&report->result->plan;
    for (int i = 0; i < given->setting_count; i++) { nnc_scenario_field(&record, given->settings[i].field, plan); }
    nnc_scenario_sets(&record, given);
    put_limits(&record, report);
    nnc_record_close(&record);
    nnc_record_close(&record);
    nnc_record_end(&record);
}

/* Texts of new files: a device, a model, a cluster and measured rows. The numbers in the texts of new files are round
 * examples, which the user replaces. */
static const struct {
    const char *kind, *text;
} templates[] = {
    { "device",
      "{\n"
      "  \"schema\": \"nncost.device/1\",\n"
      "  \"id\": \"my-device\",\n"
      "  \"name\": \"My device\",\n"
      "  \"note\": \"Replace every figure. Rates are dense, of one device and one direction; numbers are in "
      "SI units, and a text may contain a unit, such as '24GiB'. A second file with 'like': 'my-device' changes "
      "single figures.\",\n"
      "  \"mem_bytes\": \"24GiB\",\n"
      "  \"mem_bytes_per_s\": \"1TB/s\",\n"
      "  \"matmul_flops_per_s\": { \"fp32\": 40e12, \"fp16\": 160e12, \"bf16\": 160e12 },\n"
      "  \"vector_flops_per_s\": { \"fp32\": 40e12 },\n"
      "  \"scale_up\": { \"kind\": \"switch\", \"devices\": 8, \"bytes_per_s\": 100e9, "
      "\"latency_s\": 2e-6 },\n"
      "  \"scale_out\": { \"bytes_per_s\": 25e9, \"latency_s\": 5e-6 },\n"
      "  \"prices\": [{ \"per_device_hour\": 2, \"currency\": \"USD\", \"where\": \"our contract\", "
      "\"date\": \"2026-11\" }],\n"
      "  \"sources\": { \"\": \"the datasheet that the figures come from\" }\n"
      "}\n" },
    { "model", "{\n"
               "  \"schema\": \"nncost.model/1\",\n"
               "  \"id\": \"my-model\",\n"
               "  \"name\": \"My model\",\n"
               "  \"note\": \"A decoder like LLaMA. 'nncost show llama3-8b' lists all fields; a config.json of Hugging "
               "Face needs no such file.\",\n"
               "  \"family\": \"decoder\",\n"
               "  \"layers\": 24, \"hidden\": 2048, \"heads\": 16, \"kv_heads\": 8,\n"
               "  \"ffn_hidden\": 5632, \"vocab\": 32000, \"seq_len\": 4096,\n"
               "  \"positions\": \"rotary\", \"norm\": \"rms\", \"mlp\": \"swiglu\", \"tied_head\": false,\n"
               "  \"sources\": { \"\": \"the code or the paper that the figures come from\" }\n"
               "}\n" },
    { "cluster", "{\n"
                 "  \"schema\": \"nncost.cluster/1\",\n"
                 "  \"id\": \"my-cluster\",\n"
                 "  \"name\": \"Our nodes\",\n"
                 "  \"note\": \"For --cluster FILE. Rates are of one direction; oversubscription 2 halves the rate "
                 "beyond a switch.\",\n"
                 "  \"devices_per_node\": 8,\n"
                 "  \"scale_up\": { \"kind\": \"switch\", \"devices\": 8, \"bytes_per_s\": 450e9, "
                 "\"latency_s\": 2e-6 },\n"
                 "  \"scale_out\": { \"nics_per_node\": 8, \"nic_bytes_per_s\": 50e9, \"latency_s\": 4e-6, "
                 "\"oversubscription\": 1 },\n"
                 "  \"sources\": { \"\": \"the order, or a measurement\" }\n"
                 "}\n" },
    { "rows",
      "id,model,device,devices,tensor,pipeline,zero,software,precision,micro_batch,micro_batches,recompute,step_s\n"
      "first,gpt2-xl,a100,1,1,1,0,torch-compile,bf16,8,1,none,0.52\n"
      "second,llama3-8b,h100,8,1,1,3,fsdp,bf16,1,1,full,1.2\n" },
};

/* Returns the text of a new file of the given kind: "device", "model", "cluster" or "rows"; NULL = `kind` is another
 * word. */
static const char *template_of(const char *kind) {
    for (size_t i = 0; i < sizeof templates / sizeof templates[0]; i++) {
        if (strcmp(kind, templates[i].kind) == 0) { return templates[i].text; }
    }
    return NULL;
}

/* Refuses options that a plan file does not store. */
static nnc_status refuse_lost(const nnc_options *options, nnc_error *err) {
    static const char *const lost[] = { "--implementation", "--seller", "--offer", "--region" };
    for (size_t i = 0; i < NNC_COUNT_OF(lost); i++) {
        if (nnc_option_typed(options, lost[i])) {
            return nnc_fail(err, NNC_BAD_USAGE, lost[i],
                            "a plan file cannot contain this option, expected this option with 'nncost %s'",
                            i == 0 ? "estimate" : "serve");
        }
    }
    return NNC_OK;
}

static nnc_status run(nnc_session *session, nnc_error *err) {
    const nnc_options *options = &session->options;
    const char *file = options->operand_count == 1 ? template_of(options->operands[0]) : NULL;
    const bool plan = options->operand_count == 1 && strcmp(options->operands[0], "plan") == 0;
    NNC_TRY(refuse_lost(options, err));
    if (file != NULL) {
        nnc_buffer_text(session->out, file);
        return NNC_OK;
    }
    nnc_scenario *scenario = calloc(1, sizeof *scenario);
    nnc_scratch *scratch = nnc_scratch_create();
    nnc_status status = NNC_NO_MEMORY;
    if (scenario == NULL || scratch == NULL) {
        nnc_no_memory(err);
        goto done;
    }
    if (options->operand_count == 1 && !plan) {
        status =
            nnc_fail(err, NNC_BAD_USAGE, "DEVICE",
                     "missing, expected MODEL DEVICE, or one of device, model, cluster, rows, plan, found only \"%s\"",
                     options->operands[0]);
        goto done;
    }
    const bool given = options->operand_count == 2;
    status = nnc_scenario_load(session->specs, &options->given, given ? options->operands[0] : default_model,
                               given ? options->operands[1] : default_device, scenario, err);
    if (status == NNC_OK) {
        status = nnc_estimate(&scenario->model, &scenario->device, &scenario->software, &scenario->plan, scratch,
                              &scenario->result, err);
    }
    if (status == NNC_OK) { write_file(session, &scenario->report); }
done:
    nnc_scratch_destroy(scratch);
    free(scenario);
    return status;
}

static nnc_status write_served(nnc_session *session, nnc_serve_scenario *scenario, nnc_scratch *scratch,
                               nnc_error *err) {
    (void)scratch;
    session->exit_code = 0;
    if (scenario->base.report.images != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--steps",
                        "a plan file cannot contain image generation, expected a command without --steps");
    }
    write_file(session, &scenario->base.report);
    return NNC_OK;
}

static nnc_status run_served(nnc_session *session, nnc_error *err) {
    NNC_TRY(refuse_lost(&session->options, err));
    return nnc_serve_report(session, session->options.operands[0], session->options.operands[1], write_served, err);
}

const nnc_command nnc_cmd_serve_init = {
    .name = "init",
    .operands = "MODEL DEVICE --serve",
    .summary = "Print a plan file with one deployment to start from, for 'nncost check'.",
    .notes = "The required times are about a tenth longer than the estimated times: nncost init llama3-8b h100 "
             "--serve --concurrency 64 --output plans.json.",
    .min_operands = 2,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_SERVE | NNC_TAKES_SERVING,
    .run = NNC_NOT_ON_PAGE(run_served),
};

const nnc_command nnc_cmd_init = {
    .name = "init",
    .operands = "[MODEL DEVICE | device | model | cluster | rows | plan]",
    .summary =
        "Print a file to start from: a plan file for 'nncost check', a device, a model, a cluster or measured rows.",
    .notes = "The plan file has one scenario with the given plan options: nncost init llama3-8b h100 --output "
             "plans.json. It also has requirements; the estimate of the scenario is a tenth faster than the required "
             "time. Measured rows are a CSV file for 'nncost accuracy' and 'nncost calibrate'.",
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_LAUNCH | NNC_TAKES_PLAN,
    .run = NNC_NOT_ON_PAGE(run),
    .serving = &nnc_cmd_serve_init,
};
