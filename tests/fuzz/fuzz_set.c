/* Fuzzes the settings of training. Each line of the input is an assignment such as "plan.field=value", which sets a
 * field of a plan, model, device, software profile or run. Accepted settings are estimated, and the numbers must be
 * finite and must add up. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <nncost/nncost.h>

#include "input/input_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct toys {
    nnc_model model;
    nnc_device device;
    nnc_software software;
    nnc_plan plan;
    nnc_run_ask run;
} toys;

/* Calls abort() if a rule is broken, because a fuzzer reports aborts. */
static void sound(bool holds) {
    if (!holds) { abort(); }
}

static nnc_status set(toys *t, char *line) {
    char *value = strchr(line, '=');
    char *dot = strchr(line, '.');
    nnc_error err;
    if (value == NULL || dot == NULL || dot > value) { return NNC_OK; }
    *value++ = '\0';
    *dot++ = '\0';
    return strcmp(line, "plan") == 0     ? nnc_plan_set(&t->plan, dot, value, &err)
           : strcmp(line, "model") == 0  ? nnc_model_set(&t->model, dot, value, &err)
           : strcmp(line, "device") == 0 ? nnc_device_set(&t->device, dot, value, &err)
           : strcmp(line, "run") == 0    ? nnc_field_set(&nnc_run_table, &t->run, dot, value, &err)
                                         : nnc_software_set(&t->software, dot, value, &err);
}

static void check(const nnc_result *r) {
    const double slack = 1e-9 * r->step_s;
    const nnc_memory *m = &r->memory;
    sound(isfinite(r->step_s) && r->step_s > 0.0);
    sound(!(r->lower_bound_s > r->step_s + slack) && !(r->step_s > r->upper_bound_s + slack));
    sound(m->total_bytes >= 0 && m->activation_bytes >= 0 && m->weight_bytes >= 0);
    sound(!(r->mfu < 0.0) && r->model_flops >= 0.0);
}

static void estimate(toys *t, nnc_scratch *scratch) {
    nnc_result result;
    nnc_run run;
    nnc_error err;
    if (nnc_estimate(&t->model, &t->device, &t->software, &t->plan, scratch, &result, &err) != NNC_OK) { return; }
    check(&result);
    if (nnc_run_of(&result, &t->device, &t->plan, &t->run, &run, &err) == NNC_OK) {
        sound(!(run.run_s < 0.0) && !(run.goodput > 1.0));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const models[] = { "dense", "experts", "unet", "vision" };
    static nnc_specs *specs; /* the whole process uses one set of specs and one scratch */
    static nnc_scratch *scratch;
    specs = specs != NULL ? specs : nnc_specs_open(NNCOST_SOURCE_DIR "/tests/toy");
    scratch = scratch != NULL ? scratch : nnc_scratch_create();
    char *text = malloc(size + 1);
    toys *t = calloc(1, sizeof *t);
    const nnc_model *model = NULL;
    const nnc_device *device = NULL;
    if (specs != NULL && scratch != NULL && text != NULL && t != NULL && size > 0 &&
        nnc_model_load(specs, models[data[0] % 4], &model, NULL) == NNC_OK &&
        nnc_device_load(specs, data[0] & 4 ? "fitted" : "round", &device, NULL) == NNC_OK) {
        memcpy(text, data, size);
        text[size] = '\0';
        t->model = *model;
        t->device = *device;
        t->software = nnc_software_default();
        t->plan = nnc_plan_default();
        t->run = nnc_run_ask_default();
        nnc_status status = NNC_OK;
        for (char *line = strtok(text, "\n"); line != NULL && status == NNC_OK; line = strtok(NULL, "\n")) {
            status = set(t, line);
        }
        if (status == NNC_OK && nnc_model_check(&t->model, "model", NULL) == NNC_OK &&
            nnc_device_check(&t->device, "device", NULL) == NNC_OK) {
            estimate(t, scratch);
        }
    }
    free(t);
    free(text);
    return 0;
}
