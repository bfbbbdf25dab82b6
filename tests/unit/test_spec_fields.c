/* Tests the public functions for device, model and software records, whose members a program cannot access. A program
 * parses records, copies them, and reads fields by name. */
#include <math.h>
#include <string.h>

#include <nncost/nncost.h>

#include "spec_text.h"
#include "suite.h"

static nnc_specs *specs;
static nnc_error err;
static const nnc_device *device;

static void open_specs(void) {
    static const char text[] = DEVICE "\"year\": 2020,\n" SOURCES;
    specs = nnc_specs_open(NNCOST_SOURCE_DIR);
    ck_assert_ptr_nonnull(specs);
    ck_assert_int_eq(nnc_device_parse(specs, "demo", text, strlen(text), &device, &err), NNC_OK);
}

static void close_specs(void) { nnc_specs_close(specs); }

START_TEST(fields_are_read_by_name) {
    double value = 0.0;
    char text[64];
    ck_assert_int_eq(nnc_device_number(device, "year", &value, &err), NNC_OK);
    ck_assert_double_eq(value, 2020.0);
    ck_assert_int_eq(nnc_device_number(device, "mem_bytes", &value, &err), NNC_OK);
    ck_assert_double_eq(value, (double)device->mem_bytes);
    ck_assert_int_eq(nnc_device_number(device, "matmul_flops_per_s.bf16", &value, &err), NNC_OK);
    ck_assert_double_eq(value, device->matmul_flops_per_s[NNC_BF16]);
    ck_assert_int_eq(nnc_device_number(device, "power_w", &value, &err), NNC_OK);
    ck_assert_double_nan(value); /* not recorded */
    ck_assert_int_eq(nnc_device_number(device, "efficiency.gemm.bf16.memory_fraction", &value, &err), NNC_OK);
    ck_assert_double_eq(value, 1.0); /* the neutral value */
    ck_assert_int_eq(nnc_device_text(device, "id", text, sizeof text, &err), NNC_OK);
    ck_assert_str_eq(text, "demo");
    ck_assert_int_eq(nnc_device_text(device, "matmul_flops_per_s.int8", text, sizeof text, &err), NNC_OK);
    ck_assert_str_eq(text, "-");
    ck_assert_int_eq(nnc_device_text(device, "id", text, 3, &err), NNC_OK);
    ck_assert_str_eq(text, "de"); /* the text is cut */
}
END_TEST

START_TEST(wrong_names_are_refused) {
    double value = 0.0;
    char text[64] = "before";
    ck_assert_int_eq(nnc_device_number(device, "mem_byte", &value, &err), NNC_BAD_USAGE);
    ck_assert_str_eq(err.where, "mem_byte");
    ck_assert_ptr_nonnull(strstr(err.what, "perhaps \"mem_bytes\""));
    ck_assert_double_nan(value);
    ck_assert_int_eq(nnc_device_number(device, "name", &value, &err), NNC_BAD_USAGE);
    ck_assert_str_eq(err.what, "not a number, expected to be read as a text: text of 1 to 95 bytes");
    ck_assert_int_eq(nnc_device_number(device, "efficiency.gemm.bf16", &value, NULL), NNC_BAD_USAGE);
    ck_assert_int_eq(nnc_device_text(device, "", text, sizeof text, NULL), NNC_BAD_USAGE);
    ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(copies_are_changed_alone) {
    nnc_device *copy = NULL;
    double value = 0.0, old = 0.0;
    ck_assert_int_eq(nnc_device_copy(specs, device, &copy, &err), NNC_OK);
    ck_assert_int_eq(nnc_device_set(copy, "mem_bytes", "2000000", &err), NNC_OK);
    ck_assert_int_eq(nnc_device_number(copy, "mem_bytes", &value, &err), NNC_OK);
    ck_assert_int_eq(nnc_device_number(device, "mem_bytes", &old, &err), NNC_OK);
    ck_assert_double_eq(value, 2e6);
    ck_assert_double_eq(old, 1e9);
    ck_assert_int_eq(nnc_device_set(copy, "mem_bytes", "-1", &err), NNC_BAD_USAGE);
    ck_assert_int_eq(nnc_device_number(copy, "mem_bytes", &value, &err), NNC_OK);
    ck_assert_double_eq(value, 2e6); /* the value did not change */
}
END_TEST

START_TEST(models_and_software_have_the_same) {
    static const char text[] = "{ \"model_type\": \"gpt2\", \"n_layer\": 3, \"n_embd\": 8, \"n_head\": 2, "
                               "\"n_positions\": 4, \"vocab_size\": 10 }";
    static const char profile[] = "{ \"schema\": \"nncost.software/1\", \"id\": \"s\", \"name\": "
                                  "\"S\", \"sources\": { \"\": \"t\" } }";
    const nnc_model *model = NULL;
    const nnc_software *software = NULL;
    nnc_model *model_copy = NULL;
    nnc_software *software_copy = NULL;
    double value = 0.0;
    char word[32];
    ck_assert_int_eq(nnc_model_parse(specs, "m", text, strlen(text), &model, &err), NNC_OK);
    ck_assert_int_eq(nnc_model_copy(specs, model, &model_copy, &err), NNC_OK);
    ck_assert_int_eq(nnc_model_set(model_copy, "layers", "5", &err), NNC_OK);
    ck_assert_int_eq(nnc_model_number(model_copy, "layers", &value, &err), NNC_OK);
    ck_assert_double_eq(value, 5.0);
    ck_assert_int_eq(nnc_model_number(model, "layers", &value, &err), NNC_OK);
    ck_assert_double_eq(value, 3.0);
    ck_assert_int_eq(nnc_model_text(model, "norm", word, sizeof word, &err), NNC_OK);
    ck_assert_str_eq(word, "layer");
    ck_assert_int_eq(nnc_software_parse(specs, "s", profile, strlen(profile), &software, &err), NNC_OK);
    ck_assert_int_eq(nnc_software_copy(specs, software, &software_copy, &err), NNC_OK);
    ck_assert_int_eq(nnc_software_set(software_copy, "fused_norm", "off", &err), NNC_OK);
    ck_assert_int_eq(nnc_software_number(software_copy, "fused_norm", &value, &err), NNC_OK);
    ck_assert_double_eq(value, 0.0);
    ck_assert_int_eq(nnc_software_text(software, "fused_norm", word, sizeof word, &err), NNC_OK);
    ck_assert_str_eq(word, "on");
}
END_TEST

START_TEST(a_failed_parse_gives_nothing) {
    const nnc_device *none = device;
    ck_assert_int_eq(nnc_device_parse(specs, "bad", "{ ", 2, &none, &err), NNC_BAD_SPEC);
    ck_assert_ptr_null(none);
}
END_TEST

START_TEST(plans_are_read_as_text) {
    nnc_plan plan = nnc_plan_default();
    char text[64];
    ck_assert_int_eq(nnc_plan_set(&plan, "recompute", "norm,activation", &err), NNC_OK);
    ck_assert_int_eq(nnc_plan_text(&plan, "recompute", text, sizeof text, &err), NNC_OK);
    ck_assert_str_eq(text, "norm,activation");
    ck_assert_int_eq(nnc_plan_text(&plan, "optimizer", text, sizeof text, &err), NNC_OK);
    ck_assert_str_eq(text, "adamw");
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        fields_are_read_by_name,           wrong_names_are_refused,      copies_are_changed_alone,
        models_and_software_have_the_same, a_failed_parse_gives_nothing, plans_are_read_as_text,
    };
    return run_tests_with("spec_fields", open_specs, close_specs, tests, COUNT_OF(tests));
}
