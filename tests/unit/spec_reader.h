/* Reads the text of device, model and software files. Each test has its own set of loaded files and can use the shipped
 * folders. */
#ifndef NNCOST_TESTS_UNIT_SPEC_READER_H
#define NNCOST_TESTS_UNIT_SPEC_READER_H

#include <string.h>

#include <nncost/spec.h>

#include "suite.h"

static nnc_specs *specs;
static nnc_error err;

static inline void set_up(void) { specs = nnc_specs_open(NNCOST_SOURCE_DIR); }

static inline void tear_down(void) { nnc_specs_close(specs); }

static inline nnc_status read_device(const char *text, nnc_device *device) {
    memset(&err, 0, sizeof(err));
    return nnc_device_parse_into(specs, "d.json", text, strlen(text), device, &err);
}

static inline nnc_status read_model(const char *text, nnc_model *model) {
    memset(&err, 0, sizeof(err));
    return nnc_model_parse_into(specs, "m.json", text, strlen(text), model, &err);
}

#endif
