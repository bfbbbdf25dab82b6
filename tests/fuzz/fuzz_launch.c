/* A launch file: the first byte chooses the format and the kind of file; what is accepted sets fields of a plan that the
 * plan accepts. */
#include <stdlib.h>
#include <string.h>

#include "as_file.h"
#include "launch/launch_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const nnc_scenario_args *given)
{
    nnc_plan plan = nnc_plan_default();
    for (int i = 0; i < given->setting_count; i++) {
        if (nnc_plan_set(&plan, given->settings[i].field->name, given->settings[i].value, NULL) !=
            NNC_OK) {
            abort();
        }
    }
    if (given->launch == NULL || given->launch->file_count < 1) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char folder[FUZZ_PATH];
    char path[FUZZ_PATH + 16];
    nnc_error err;
    if (folder[0] == '\0') {
        fuzz_folder(folder);
    }
    if (size == 0) {
        return 0;
    }
    nnc_specs *specs = nnc_specs_open(NNCOST_SOURCE_DIR);
    nnc_scenario_args given = { .setting_count = 0 };
    const nnc_launch_asked asked = { .format = data[0] & 1 ? "deepspeed" : "accelerate",
                                     .lenient = (data[0] & 2) != 0,
                                     .may_be_open = (data[0] & 4) != 0 };
    snprintf(path, sizeof path, "%s/f.%s", folder, data[0] & 8 ? "json" : "yaml");
    fuzz_write(path, data + 1, size - 1);
    char *operands[] = { path, NULL };
    int count = 1;
    if (specs != NULL && nnc_launch_take(specs, &asked, operands, &count, &given, &err) == NNC_OK) {
        check(&given);
    }
    nnc_specs_close(specs);
    return 0;
}
