/* Tests the tables of fields. Tests the functions that set a field by its name and that show its value, and checks that
 * the tables contain every field. */
#include <stdlib.h>
#include <string.h>

#include "input/input_internal.h"
#include "spec_reader.h"
#include "spec_text.h"

START_TEST(fields_are_set_by_name) {
    nnc_device d;
    nnc_model m;
    nnc_plan plan = nnc_plan_default();
    ck_assert_int_eq(read_device(DEVICE SOURCES, &d), NNC_OK);
    ck_assert_int_eq(nnc_device_set(&d, "scale_up.bytes_per_s", "450e9", &err), NNC_OK);
    ck_assert_double_eq(d.scale_up.bytes_per_s, 450e9);
    ck_assert_int_eq(nnc_device_set(&d, "matmul_flops_per_s.fp16", "2e14", &err), NNC_OK);
    ck_assert_double_eq(d.matmul_flops_per_s[NNC_FP16], 2e14);
    ck_assert_int_eq(nnc_device_set(&d, "efficiency.gemm.bf16.fixed_s", "1e-6", &err), NNC_OK);
    ck_assert_double_eq(d.efficiency.gemm[NNC_BF16].fixed_s, 1e-6);
    ck_assert(d.efficiency.fitted);
    ck_assert_int_eq(nnc_device_set(&d, "efficiency.basis", "none", &err), NNC_OK);
    ck_assert(!d.efficiency.fitted); /* the datasheet as it stands */
    ck_assert_double_eq(d.efficiency.gemm[NNC_BF16].fixed_s, 0);
    ck_assert_int_eq(nnc_device_set(&d, "scale_up.dims", "4, 2", &err), NNC_OK);
    ck_assert_int_eq(d.scale_up.dims_count, 2);
    ck_assert_int_eq(nnc_device_check(&d, "--set", &err), NNC_BAD_SPEC);
    ck_assert_str_eq(err.where, "--set: scale_up.dims");
    ck_assert_int_eq(read_model(UNET SOURCES, &m), NNC_OK);
    ck_assert_int_eq(nnc_model_set(&m, "attention_levels", "off,on", &err), NNC_OK);
    ck_assert(m.unet.attention_levels_count == 2 && m.unet.attention_levels[1]);
    ck_assert_int_eq(nnc_model_set(&m, "family", "decoder", &err), NNC_BAD_USAGE);
    ck_assert_str_eq(err.what, "fixed, expected unet, found \"decoder\"");
    ck_assert_int_eq(m.family, NNC_FAMILY_UNET);
    ck_assert_int_eq(nnc_plan_set(&plan, "grad-accum", "4", &err), NNC_OK);
    ck_assert_int_eq(plan.micro_batches, 4);
    ck_assert_int_eq(nnc_plan_set(&plan, "precision", "fp8", &err), NNC_OK);
    ck_assert_int_eq(plan.precision, NNC_FP8);
    ck_assert_int_eq(nnc_plan_set(&plan, "recompute", "selective,norm", &err), NNC_OK);
    ck_assert_uint_eq(plan.recompute, NNC_RECOMPUTE_ATTENTION | NNC_RECOMPUTE_NORM);
    ck_assert_int_eq(nnc_plan_set(&plan, "recompute", "none", &err), NNC_OK);
    ck_assert_uint_eq(plan.recompute, 0);
    ck_assert_int_eq(nnc_plan_set(&plan, "clip_gradients", "on", &err), NNC_OK);
    ck_assert(plan.clip_gradients);
    ck_assert_int_eq(nnc_plan_set(&plan, "dp", "16", &err), NNC_OK);
    ck_assert_int_eq(plan.data, 16);
    ck_assert_int_eq(nnc_plan_set(&plan, "zero", "3", &err), NNC_OK);
    ck_assert_int_eq(plan.zero, 3);
    ck_assert_int_eq(nnc_plan_set(&plan, "offload", "optimizer,weights", &err), NNC_OK);
    ck_assert_uint_eq(plan.offload, NNC_OFFLOAD_OPTIMIZER | NNC_OFFLOAD_WEIGHTS);
    ck_assert_int_eq(nnc_plan_set(&plan, "sequence-parallel", "on", &err), NNC_OK);
    ck_assert(plan.sequence_parallel);
}
END_TEST

static const struct {
    const char *field, *value, *what;
} bad_settings[] = {
    { "micro_batch", "0", "out of range, expected at least 1, found 0" },
    { "micro_batch", "-3", "out of range, expected at least 1, found -3" },
    { "micro_batch", "1.5", "not a whole number, expected a whole number, found 1.5" },
    { "micro_batch", "1e999", "not a number, expected a whole number from 1 to 1e9, found \"1e999\"" },
    { "micro_batch", "nan", "not a number, expected a whole number from 1 to 1e9, found \"nan\"" },
    { "micro_batch", "", "not a number, expected a whole number from 1 to 1e9, found \"\"" },
    { "micro_batch", "01", "not a number, expected a whole number from 1 to 1e9, found \"01\"" },
    { "tensor", "0", "out of range, expected at least 1, found 0" },
    { "tensor", "16777217", "out of range, expected at most 16777216, found 16777217" },
    { "overlap", "1.5", "out of range, expected at most 1, found 1.5" },
    { "imbalance", "0.5", "out of range, expected at least 1, found 0.5" },
    { "zero", "4", "unknown value, expected one of 0, 1, 2, 3, found 4" },
    { "mode", "best", "unknown value, expected one of predicted, ideal, found \"best\"" },
    { "sequence_parallel", "maybe", "not a switch, expected true or false, found \"maybe\"" },
    { "clip_gradients", "maybe", "not a switch, expected true or false, found \"maybe\"" },
    { "mode", "guess", "unknown value, expected one of predicted, ideal, found \"guess\"" },
    { "recompute", "none,full",
      "unknown value, expected none, selective, full, or some of "
      "attention,norm,activation,mla_up_proj,moe_act,shared_experts,mlp,moe, found "
      "\"none,full\"" },
    { "micro_bach", "1", "unknown field, expected a field of the plan, perhaps \"micro_batch\", found \"micro_bach\"" },
    { "mode.x", "1", "unknown field, expected a field of the mode, found \"x\"" },
};

START_TEST(bad_settings_are_refused) {
    nnc_plan plan = nnc_plan_default();
    memset(&err, 0, sizeof(err));
    ck_assert_int_eq(nnc_plan_set(&plan, bad_settings[_i].field, bad_settings[_i].value, &err), NNC_BAD_USAGE);
    ck_assert_str_eq(err.where, bad_settings[_i].field);
    ck_assert_str_eq(err.what, bad_settings[_i].what);
}
END_TEST

/* Each field must have a unique name, a help text, and a value that can be written as text. */
static void check_table(const nnc_field_table *table, const void *object) {
    char text[512];
    for (size_t i = 0; i < table->count; i++) {
        const nnc_field *field = &table->fields[i];
        ck_assert_ptr_nonnull(field->help);
        nnc_field_expected(field, text, sizeof(text));
        ck_assert_str_ne(text, "");
        nnc_field_text(field, object, text, sizeof(text));
        ck_assert_str_ne(text, "");
        for (size_t j = 0; j < i; j++) { ck_assert_str_ne(field->name, table->fields[j].name); }
    }
}

START_TEST(tables_are_whole) {
    nnc_device d;
    nnc_model m;
    const nnc_plan plan = nnc_plan_default();
    const nnc_software software = nnc_software_default();
    ck_assert_int_eq(read_device(DEVICE SOURCES, &d), NNC_OK);
    check_table(&nnc_device_table, &d);
    check_table(&nnc_plan_table, &plan);
    check_table(&nnc_software_table, &software);
    ck_assert_int_eq(read_model(DECODER SOURCES, &m), NNC_OK);
    check_table(nnc_model_table(NNC_FAMILY_DECODER), &m);
    ck_assert_int_eq(read_model(UNET SOURCES, &m), NNC_OK);
    check_table(nnc_model_table(NNC_FAMILY_UNET), &m);
}
END_TEST

static void expect_text(const nnc_field_table *table, void *object, const char *name, const char *expected) {
    char text[128];
    nnc_dtype dtype;
    const nnc_field *field = nnc_field_find(table, name, &object, &dtype);
    ck_assert_ptr_nonnull(field);
    nnc_field_text(field, object, text, sizeof(text));
    ck_assert_str_eq(text, expected);
}

START_TEST(values_are_shown) {
    nnc_device d;
    nnc_model m;
    nnc_plan plan = nnc_plan_default();
    ck_assert_int_eq(read_device(DEVICE SOURCES, &d), NNC_OK);
    ck_assert_int_eq(read_model(UNET SOURCES, &m), NNC_OK);
    expect_text(&nnc_device_table, &d, "mem_bytes", "1000000000");
    expect_text(&nnc_device_table, &d, "power_w", "-");
    expect_text(&nnc_device_table, &d, "matmul_flops_per_s", "bf16 1e14");
    expect_text(&nnc_device_table, &d, "vector_flops_per_s", "-");
    expect_text(&nnc_device_table, &d, "scale_up.kind", "none");
    expect_text(&nnc_device_table, &d, "vendor", "-");
    expect_text(nnc_model_table(NNC_FAMILY_UNET), &m, "channel_multipliers", "1, 2");
    expect_text(&nnc_plan_table, &plan, "precision", "-");
    expect_text(&nnc_plan_table, &plan, "clip-gradients", "on");
    expect_text(&nnc_plan_table, &plan, "tp", "1");
    plan.data = 8;
    expect_text(&nnc_plan_table, &plan, "dp", "8");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("field");
    TCase *tests = add_case(suite, "field", set_up, tear_down);
    tcase_add_test(tests, fields_are_set_by_name);
    tcase_add_loop_test(tests, bad_settings_are_refused, 0, (int)COUNT_OF(bad_settings));
    tcase_add_test(tests, tables_are_whole);
    tcase_add_test(tests, values_are_shown);
    return run_suite(suite);
}
