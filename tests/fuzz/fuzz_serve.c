/* Fuzzes the settings of serving. Each line of the input is an assignment such as "serve.field=value", which sets a
 * field of a serve plan, model, device or engine of tests/toy. Accepted settings are estimated, and the numbers must be
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
    nnc_serve_ask ask;
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
    return strcmp(line, "serve") == 0    ? nnc_field_set(&nnc_serve_table, &t->ask, dot, value, &err)
           : strcmp(line, "model") == 0  ? nnc_model_set(&t->model, dot, value, &err)
           : strcmp(line, "device") == 0 ? nnc_device_set(&t->device, dot, value, &err)
                                         : nnc_software_set(&t->software, dot, value, &err);
}

static void check(const nnc_serve *s) {
    sound(isfinite(s->prefill.time_s) && s->prefill.time_s > 0.0);
    sound(isfinite(s->decode.time_s) && s->decode.time_s > 0.0);
    sound(s->saturated || (s->ttft_s > 0.0 && s->request_s > 0.0));
    sound(s->weight_bytes > 0.0 && s->kv_bytes >= 0.0 && s->total_bytes > 0.0);
    sound(!(s->output_tokens_per_s < 0.0) && !(s->utilization < 0.0));
}

static void serve(toys *t, nnc_scratch *scratch) {
    nnc_serve result;
    nnc_error err;
    if (nnc_serve_of(&t->model, &t->device, &t->software, &t->ask, scratch, &result, &err) == NNC_OK) {
        check(&result);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static nnc_specs *specs; /* the whole process uses one set of specs and one scratch */
    static nnc_scratch *scratch;
    specs = specs != NULL ? specs : nnc_specs_open(NNCOST_SOURCE_DIR "/tests/toy");
    scratch = scratch != NULL ? scratch : nnc_scratch_create();
    char *text = malloc(size + 1);
    toys *t = calloc(1, sizeof *t);
    const nnc_model *model = NULL;
    const nnc_device *device = NULL;
    const nnc_software *software = NULL;
    if (specs != NULL && scratch != NULL && text != NULL && t != NULL && size > 0 &&
        nnc_model_load(specs, data[0] & 1 ? "experts" : "dense", &model, NULL) == NNC_OK &&
        nnc_device_load(specs, data[0] & 2 ? "fitted" : "round", &device, NULL) == NNC_OK &&
        nnc_software_load(specs, "vllm", &software, NULL) == NNC_OK) {
        memcpy(text, data, size);
        text[size] = '\0';
        t->model = *model;
        t->device = *device;
        t->software = *software;
        t->ask = nnc_serve_ask_default();
        nnc_status status = NNC_OK;
        for (char *line = strtok(text, "\n"); line != NULL && status == NNC_OK; line = strtok(NULL, "\n")) {
            status = set(t, line);
        }
        if (status == NNC_OK && nnc_model_check(&t->model, "model", NULL) == NNC_OK &&
            nnc_device_check(&t->device, "device", NULL) == NNC_OK &&
            nnc_software_check(&t->software, NULL) == NNC_OK) {
            serve(t, scratch);
        }
    }
    free(t);
    free(text);
    return 0;
}
