/* Fuzzes the readers of launch files. Byte 0 of the input selects the format and the kind of file. If a file is
 * accepted, the plan must accept all the fields that the file sets. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli_internal.h"
#include "launch/launch_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const nnc_scenario_args *given) {
    nnc_plan plan = nnc_plan_default();
    nnc_run_ask run = nnc_run_ask_default();
    nnc_serve_ask serve = nnc_serve_ask_default();
    for (int i = 0; i < given->setting_count; i++) {
        const nnc_field *field = given->settings[i].field;
        const char *value = given->settings[i].value;
        const nnc_status status =
            nnc_field_is_of(&nnc_serve_table, field) ? nnc_field_set(&nnc_serve_table, &serve, field->name, value, NULL)
            : nnc_field_is_of(&nnc_run_table, field) ? nnc_field_set(&nnc_run_table, &run, field->name, value, NULL)
                                                     : nnc_plan_set(&plan, field->name, value, NULL);
        if (status != NNC_OK) { abort(); }
    }
    if (given->launch == NULL || given->launch->file_count < 1) { abort(); }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[32];
    nnc_error err;
    if (size == 0) { return 0; }
    nnc_specs *specs = nnc_specs_open(NNCOST_SOURCE_DIR);
    if (specs != NULL) { nnc_specs_set_images(specs, nnc_shipped_images); }
    nnc_scenario_args given = { .setting_count = 0 };
    static const char *const others[] = {
        "axolotl",    "llama-factory", "llm-foundry", "maxtext", "megatron",  "nanotron", "sglang", "tensorrt-llm",
        "torchtitan", "transformers",  "vllm",        "nemo",    "torchtune", "gpt-neox", "olmo",
    };
    const size_t other = data[0] >> 4; /* 0: bit 0 of the byte selects the format, deepspeed or accelerate */
    const char *format = other > 0 && other <= sizeof others / sizeof *others ? others[other - 1]
                         : data[0] & 1                                        ? "deepspeed"
                                                                              : "accelerate";
    const nnc_launch_asked asked = { .format = format,
                                     .serves = strcmp(format, "vllm") == 0 || strcmp(format, "sglang") == 0 ||
                                               strcmp(format, "tensorrt-llm") == 0,
                                     .lenient = (data[0] & 2) != 0,
                                     .may_be_open = (data[0] & 4) != 0 };
    snprintf(path, sizeof path, "/none/f.%s", data[0] & 8 ? "json" : "yaml");
    char *operands[] = { path, NULL };
    int count = 1;
    /* The file exists only in memory, which is faster. */
    if (specs != NULL && nnc_specs_keep(specs, path, (const char *)data + 1, size - 1, &err) == NNC_OK &&
        nnc_launch_take(specs, &asked, operands, &count, &given, &err) == NNC_OK) {
        check(&given);
    }
    nnc_specs_close(specs);
    return 0;
}
