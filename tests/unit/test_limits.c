/* Tests limits of values in plans, profiles and searches, and structs whose size is that of another release. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nncost/nncost.h>

#include "estimate/estimate_internal.h"
#include "input/input_internal.h"
#include "suite.h"

static nnc_specs *specs;
static const nnc_model *model;
static const nnc_device *device;
static nnc_scratch *scratch;
static nnc_error err;

static void set_up(void) {
    specs = nnc_specs_open(NNCOST_SOURCE_DIR);
    scratch = nnc_scratch_create();
    ck_assert_ptr_nonnull(scratch);
    ck_assert_int_eq(nnc_model_load(specs, "gpt2", &model, &err), NNC_OK);
    ck_assert_int_eq(nnc_device_load(specs, "a100", &device, &err), NNC_OK);
}

static void tear_down(void) {
    nnc_scratch_destroy(scratch);
    nnc_specs_close(specs);
}

/* Stores values that a field of this type must refuse. Bad values of a number field are outside of the limits of the
 * field. */
static int bad_values(const nnc_field *field, double values[6]) {
    int count = 0;
    const bool open = field->min == 0.0 && field->max == 0.0;
    switch (field->type) {
    case NNC_FIELD_BOOL: values[count++] = 2.0; break;
    case NNC_FIELD_I32:
    case NNC_FIELD_I64:
        values[count++] = -1.0;
        values[count++] = INT32_MIN;
        if (field->max > 0.0 && field->max < INT32_MAX) { values[count++] = field->max + 1.0; }
        break;
    case NNC_FIELD_F64:
        values[count++] = INFINITY;
        values[count++] = -INFINITY;
        if (!open) {
            values[count++] = field->min - 1.0;
            values[count++] = field->max * 2.0;
            values[count++] = (double)NAN;
        }
        break;
    default:                          /* enumerations and flags */
        values[count++] = 0x40001267; /* a bit that no flag uses */
        values[count++] = -1.0;
        break;
    }
    return count;
}

static void put(const nnc_field *field, char *object, double value) {
    char *at = object + field->offset;
    const double in_range = isfinite(value) ? fmin(fmax(value, INT32_MIN), INT32_MAX) : 0.0;
    const int32_t narrow = (int32_t)in_range;
    const int64_t wide = narrow;
    const unsigned char byte = (unsigned char)narrow;
    switch (field->type) {
    case NNC_FIELD_BOOL: memcpy(at, &byte, sizeof byte); break;
    case NNC_FIELD_I64: memcpy(at, &wide, sizeof wide); break;
    case NNC_FIELD_F64: memcpy(at, &value, sizeof value); break;
    default: memcpy(at, &narrow, sizeof narrow); break;
    }
}

/* Tests whether the value means "not given". */
static bool is_unset(const nnc_field *field, const char *unset, double value) {
    const char *at = unset + field->offset;
    double number = 0.0;
    int32_t narrow = 0;
    int64_t wide = 0;
    switch (field->type) {
    case NNC_FIELD_F64: memcpy(&number, at, sizeof number); return isnan(number) && isnan(value);
    case NNC_FIELD_I64: memcpy(&wide, at, sizeof wide); return value <= 0.0 && (double)wide == value;
    default: memcpy(&narrow, at, sizeof narrow); return value <= 0.0 && narrow == (int32_t)value;
    }
}

static void expect_refusal(nnc_status status, const char *where, double value) {
    ck_assert_msg(status == NNC_ILLEGAL_PLAN, "%s: %g was taken", where, value);
    ck_assert_str_eq(err.where, where);
    ck_assert_ptr_nonnull(strstr(err.what, "out of range, expected "));
    ck_assert_ptr_nonnull(strstr(err.what, ", found "));
}

/* The test sets bad values in every field of a plan and calls each public function that takes a plan. */
START_TEST(no_field_of_a_plan_takes_garbage) {
    const nnc_plan unset = nnc_plan_default();
    int tried = 0;
    for (size_t i = 0; i < nnc_plan_table.count; i++) {
        const nnc_field *field = &nnc_plan_table.fields[i];
        char where[NNC_OPTION_NAME];
        double values[6];
        const int count = bad_values(field, values);
        nnc_option_name(field->name, where);
        ck_assert_int_gt(count, 0);
        for (int k = 0; k < count; k++) {
            nnc_plan plan = nnc_plan_default(), resolved;
            nnc_result result;
            if (is_unset(field, (const char *)&unset, values[k])) { continue; }
            put(field, (char *)&plan, values[k]);
            expect_refusal(nnc_plan_check(&plan, &err), where, values[k]);
            expect_refusal(nnc_estimate(model, device, NULL, &plan, scratch, &result, &err), where, values[k]);
            expect_refusal(nnc_plan_resolve(&plan, model, device, &resolved, &err), where, values[k]);
            nnc_search search = nnc_search_default();
            nnc_search_result *found = nnc_search_result_create();
            search.base = plan;
            expect_refusal(nnc_search_run(model, device, NULL, &search, NULL, NULL, found, &err), where, values[k]);
            nnc_search_result_destroy(found);
            nnc_sensitivity entries[NNC_PARAMETER_COUNT];
            nnc_target target;
            nnc_advice advice;
            int entry_count = 0;
            expect_refusal(nnc_sensitivity_of(model, device, NULL, &plan, scratch, entries, NNC_PARAMETER_COUNT,
                                              &entry_count, &err),
                           where, values[k]);
            expect_refusal(
                nnc_target_find(model, device, NULL, &plan, NNC_PARAMETER_MATMUL, 1.0, scratch, &target, &err), where,
                values[k]);
            ck_assert_int_eq(nnc_advise(model, device, NULL, &plan, scratch, &advice, 1), 0);
            tried++;
        }
    }
    ck_assert_int_gt(tried, 80);
}
END_TEST

static int refuse_fields(const nnc_field *fields, size_t count, const char *prefix, nnc_software *software,
                         size_t offset) {
    int tried = 0;
    for (size_t i = 0; i < count; i++) {
        const nnc_field *field = &fields[i];
        char where[96];
        double values[6];
        snprintf(where, sizeof where, "%s.%s", prefix, field->name);
        if (field->type == NNC_FIELD_OBJECT) {
            tried += refuse_fields(field->fields, field->field_count, where, software, offset + field->offset);
        }
        if (field->type == NNC_FIELD_OBJECT || field->type == NNC_FIELD_TEXT) { continue; }
        const int number = bad_values(field, values);
        const nnc_software unset = nnc_software_default();
        for (int k = 0; k < number; k++) {
            const nnc_software before = *software;
            nnc_result result;
            if (is_unset(field, (const char *)&unset + offset, values[k])) { continue; }
            put(field, (char *)software + offset, values[k]);
            expect_refusal(nnc_estimate(model, device, software, NULL, scratch, &result, &err), where, values[k]);
            *software = before;
            tried++;
        }
    }
    return tried;
}

START_TEST(no_field_of_a_profile_takes_garbage) {
    nnc_software software = nnc_software_default();
    ck_assert_int_gt(refuse_fields(nnc_software_table.fields, nnc_software_table.count, "software", &software, 0), 60);
}
END_TEST

/* The functions accept the defaults and the limits themselves. */
START_TEST(limits_are_taken) {
    for (size_t i = 0; i < nnc_plan_table.count; i++) {
        const nnc_field *field = &nnc_plan_table.fields[i];
        nnc_plan plan = nnc_plan_default();
        if (field->type == NNC_FIELD_F64 || field->type == NNC_FIELD_I32) {
            put(field, (char *)&plan, field->max);
            ck_assert_msg(nnc_plan_check(&plan, &err) == NNC_OK, "%s", field->name);
            if (field->above_min) { continue; }
            put(field, (char *)&plan, field->min);
            ck_assert_msg(nnc_plan_check(&plan, &err) == NNC_OK, "%s", field->name);
        }
    }
    ck_assert_int_eq(nnc_plan_check(NULL, &err), NNC_BAD_USAGE);
}
END_TEST

START_TEST(searches_are_checked) {
    const struct {
        const char *where;
        size_t offset;
        double value; /* a negative value is stored as an int32_t, any other value as a double */
    } bad[] = {
        { "nnc_search.best", offsetof(nnc_search, best), -1 },
        { "nnc_search.threads", offsetof(nnc_search, threads), -2 },
        { "nnc_search.shards", offsetof(nnc_search, shards), -3 },
        { "nnc_search.shard", offsetof(nnc_search, shard), -1 },
        { "nnc_search.objective", offsetof(nnc_search, objective), -4711 },
        { "nnc_search.tensor", offsetof(nnc_search, tensor.count), -65 },
        { "nnc_search.deadline_s", offsetof(nnc_search, deadline_s), INFINITY },
        { "nnc_search.budget", offsetof(nnc_search, budget), 1e300 },
        { "nnc_search.base.devices", offsetof(nnc_search, base.devices), 0 },
    };
    nnc_search_result *found = nnc_search_result_create();
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        nnc_search search = nnc_search_default();
        search.base.devices = 2;
        search.base.global_batch = 2;
        char *at = (char *)&search + bad[i].offset;
        const int32_t narrow = (int32_t)(bad[i].value < 1.0 ? bad[i].value : 0.0);
        memcpy(at, bad[i].value < 1.0 ? (const void *)&narrow : (const void *)&bad[i].value,
               bad[i].value < 1.0 ? sizeof narrow : sizeof(double));
        ck_assert_msg(nnc_search_run(model, device, NULL, &search, NULL, NULL, found, &err) == NNC_BAD_USAGE,
                      "%s was taken", bad[i].where);
        ck_assert_str_eq(err.where, bad[i].where);
    }
    nnc_search search = nnc_search_default();
    search.base.devices = 2;
    search.base.global_batch = 2;
    search.schedule = (nnc_choice){ { NNC_SCHEDULE_1F1B, 4711 }, 2 };
    ck_assert_int_eq(nnc_search_run(model, device, NULL, &search, NULL, NULL, found, &err), NNC_BAD_USAGE);
    ck_assert_str_eq(err.where, "nnc_search.schedule.values[1]");
    search = nnc_search_default();
    search.base.devices = 2;
    search.base.global_batch = 2;
    search.micro_batch = (nnc_choice){ { INT64_MIN }, 1 };
    ck_assert_int_eq(nnc_search_run(model, device, NULL, &search, NULL, NULL, found, &err), NNC_BAD_USAGE);
    search.micro_batch.count = 0;
    /* the second value has the bits of 1 in its lower 32 bits, to detect a function that reads only 32 bits */
    search.tensor = (nnc_choice){ { 1, ((int64_t)1 << 32) + 1 }, 2 };
    ck_assert_int_eq(nnc_search_run(model, device, NULL, &search, NULL, NULL, found, &err), NNC_BAD_USAGE);
    ck_assert_str_eq(err.where, "nnc_search.tensor.values[1]");
    search.tensor.count = 0;
    search.deadline_s = (double)NAN;
    ck_assert_int_eq(nnc_search_run(model, device, NULL, &search, NULL, NULL, found, &err), NNC_BAD_USAGE);
    search.deadline_s = 0.0;
    ck_assert_int_eq(nnc_search_run(model, device, NULL, &search, NULL, NULL, found, &err), NNC_OK);
    ck_assert_ptr_nonnull(nnc_search_result_best(found, 0));
    nnc_search_result_destroy(found);
}
END_TEST

/* ---- sizes ---- */

/* An older program passes a plan struct that ends before `price`. In the memory of the program, no bytes follow the end
 * of the struct. */
START_TEST(a_shorter_plan_is_taken) {
    enum { KNOWN = offsetof(nnc_plan, price) };
    nnc_plan plan = nnc_plan_default();
    unsigned char *old = malloc(KNOWN); /* a sanitizer detects reads after the end of `old` */
    const size_t size = KNOWN;
    nnc_result expected, result;
    plan.micro_batch = 3;
    ck_assert_int_eq(nnc_estimate(model, device, NULL, &plan, scratch, &expected, &err), NNC_OK);
    ck_assert_ptr_nonnull(old);
    memcpy(old, &plan, size);
    memcpy(old, &size, sizeof size);
    ck_assert_int_eq(nnc_estimate(model, device, NULL, (nnc_plan *)(void *)old, scratch, &result, &err), NNC_OK);
    ck_assert_mem_eq(&result, &expected, sizeof result);
    nnc_plan_init((nnc_plan *)(void *)old, size); /* nnc_plan_init writes no byte after the end of the older struct */
    ck_assert_mem_eq(old, &size, sizeof size);
    free(old);
}
END_TEST

START_TEST(a_longer_plan_is_taken_while_it_says_nothing_new) {
    struct {
        nnc_plan plan;
        double later;
    } newer;
    nnc_result result;
    nnc_plan_init(&newer.plan, sizeof newer);
    ck_assert_double_eq(newer.later, 0.0);
    ck_assert_uint_eq(newer.plan.struct_size, sizeof newer);
    ck_assert_int_eq(nnc_estimate(model, device, NULL, &newer.plan, scratch, &result, &err), NNC_OK);
    ck_assert_uint_eq(result.plan.struct_size, sizeof(nnc_plan));
    newer.later = 1.0;
    ck_assert_int_eq(nnc_estimate(model, device, NULL, &newer.plan, scratch, &result, &err), NNC_BAD_USAGE);
    ck_assert_str_eq(err.where, "nnc_plan");
}
END_TEST

START_TEST(a_plan_without_its_size_is_refused) {
    nnc_plan plan = nnc_plan_default();
    nnc_result result;
    const size_t sizes[] = { 0, 7, (size_t)-1, (size_t)1 << 40 };
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        plan.struct_size = sizes[i];
        ck_assert_int_eq(nnc_estimate(model, device, NULL, &plan, scratch, &result, &err), NNC_BAD_USAGE);
        ck_assert_str_eq(err.where, "nnc_plan.struct_size");
    }
}
END_TEST

/* An older program passes a result struct that ends before the rates. The library must not write bytes after the end of
 * the struct. */
START_TEST(a_shorter_result_is_filled) {
    enum { KNOWN = offsetof(nnc_result, samples_per_s) };
    nnc_result expected;
    unsigned char *old = malloc(KNOWN);
    const size_t size = KNOWN;
    ck_assert_int_eq(nnc_estimate(model, device, NULL, NULL, scratch, &expected, &err), NNC_OK);
    ck_assert_ptr_nonnull(old);
    memcpy(old, &size, sizeof size);
    ck_assert_int_eq(nnc_estimate_into(model, device, NULL, NULL, scratch, (nnc_result *)(void *)old, &err), NNC_OK);
    ck_assert_mem_eq(old, &size, sizeof size);
    ck_assert_mem_eq(old + sizeof size, (char *)&expected + sizeof size, KNOWN - sizeof size);
    ck_assert_ptr_nonnull(nnc_scratch_op(scratch, 0));
    free(old);
}
END_TEST

/* After an estimate that failed, all members of the result are zero, except the size of the result. So a caller can
 * pass the struct to the next estimate without setting its size again. */
START_TEST(a_result_is_used_again) {
    nnc_plan plan = nnc_plan_default();
    nnc_result result = { .struct_size = sizeof result };
    plan.tensor = 0;
    result.step_s = 1.0;
    ck_assert_int_ne(nnc_estimate_into(model, device, NULL, &plan, scratch, &result, &err), NNC_OK);
    ck_assert_double_eq(result.step_s, 0.0);
    ck_assert_uint_eq(result.struct_size, sizeof result);
    plan.struct_size = 0;
    ck_assert_int_ne(nnc_estimate_into(model, device, NULL, &plan, scratch, &result, &err), NNC_OK);
    ck_assert_uint_eq(result.struct_size, sizeof result);
    ck_assert_int_eq(nnc_estimate_into(model, device, NULL, NULL, scratch, &result, &err), NNC_OK);
    ck_assert_double_gt(result.step_s, 0.0);
}
END_TEST

/* A result contains structs that may grow in later releases. Each struct inside a result is followed by reserved space,
 * so that the offsets of later members do not change when the struct grows. */
START_TEST(what_is_inside_has_room) {
    ck_assert_uint_le(sizeof(nnc_plan), NNC_PLAN_SPACE);
    ck_assert_uint_le(sizeof(nnc_memory), NNC_MEMORY_SPACE);
    ck_assert_int_le(NNC_GROUP_COUNT, NNC_GROUP_SPACE);
    ck_assert_int_le(NNC_COMM_COUNT, NNC_COMM_SPACE);
    ck_assert_int_le(NNC_BOUND_COUNT, NNC_BOUND_SPACE);
    ck_assert_uint_eq(offsetof(nnc_result, params), offsetof(nnc_result, plan) + NNC_PLAN_SPACE);
    ck_assert_uint_eq(offsetof(nnc_search, tensor), offsetof(nnc_search, base) + NNC_PLAN_SPACE);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        no_field_of_a_plan_takes_garbage,
        no_field_of_a_profile_takes_garbage,
        limits_are_taken,
        searches_are_checked,
        a_shorter_plan_is_taken,
        a_longer_plan_is_taken_while_it_says_nothing_new,
        a_plan_without_its_size_is_refused,
        a_shorter_result_is_filled,
        a_result_is_used_again,
        what_is_inside_has_room,
    };
    return run_tests_with("limits", set_up, tear_down, tests, COUNT_OF(tests));
}
