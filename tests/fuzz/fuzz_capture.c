/* Fuzzes the reader of captured programs. If the reader accepts a file, the file is estimated, and the numbers must be
 * finite and must add up. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <nncost/nncost.h>

#include "toys.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Calls abort() if a rule is broken, because a fuzzer reports aborts. */
static void sound(bool holds) {
    if (!holds) { abort(); }
}

static void estimate(nnc_specs *specs, const nnc_model *model, nnc_scratch *scratch) {
    const nnc_device *device = NULL;
    const nnc_software software = nnc_software_default();
    const nnc_plan plan = nnc_plan_default();
    nnc_result r;
    if (nnc_device_load(specs, "round", &device, NULL) == NNC_OK &&
        nnc_estimate(model, device, &software, &plan, scratch, &r, NULL) == NNC_OK) {
        int64_t params = 0;
        for (int i = 0; i < NNC_GROUP_COUNT; i++) {
            sound(r.params_by_group[i] >= 0);
            params += r.params_by_group[i];
        }
        sound(params == r.params);
        sound(isfinite(r.step_s) && r.step_s > 0.0);
        sound(r.forward_flops >= 0.0 && r.backward_flops >= 0.0);
        sound(r.memory.activation_bytes >= 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    nnc_specs *specs = fuzz_toys();
    static nnc_scratch *scratch; /* the whole process uses one scratch, because a scratch is large */
    scratch = scratch != NULL ? scratch : nnc_scratch_create();
    const nnc_model *model = NULL;
    if (specs != NULL && scratch != NULL &&
        nnc_model_parse(specs, "fuzz", (const char *)data, size, &model, NULL) == NNC_OK) {
        estimate(specs, model, scratch);
    }
    return 0;
}
