/* Tests that the defaults of a struct are equal to those of its table of fields, and that help texts show the same
 * defaults. */
#include <math.h>
#include <string.h>

#include <nncost/nncost.h>

#include "fields/fields_internal.h"
#include "suite.h"

/* Tests whether a field is not a single value, or is an enumeration with the default "not given". */
static bool is_open(const nnc_field *field) {
    return field->type == NNC_FIELD_OBJECT || field->type == NNC_FIELD_OBJECT_BY_DTYPE ||
           (field->type == NNC_FIELD_ENUM && (int)field->default_value == field->names.count);
}

/* Sets each field that has a default to the text that the help shows. If the field accepts the text, the object must
 * not change. Returns the number of fields that accept the text. */
static int check_texts(const nnc_field_table *table, void *object, void *copy, size_t size) {
    int checked = 0;
    for (size_t i = 0; i < table->count; i++) {
        const nnc_field *field = &table->fields[i];
        memcpy(copy, object, size);
        if (field->has_default && !is_open(field) &&
            nnc_field_set(table, copy, field->name, field->default_text, NULL) == NNC_OK) {
            ck_assert_msg(memcmp(copy, object, size) == 0, "%s.%s is not %s", table->what, field->name,
                          field->default_text);
            checked++;
        }
    }
    return checked;
}

START_TEST(help_shows_the_default) {
    nnc_plan plan = nnc_plan_default(), plan_copy;
    nnc_run_ask run = nnc_run_ask_default(), run_copy;
    nnc_budget_ask budget = nnc_budget_ask_default(), budget_copy;
    nnc_serve_ask serve = nnc_serve_ask_default(), serve_copy;
    nnc_software software = nnc_software_default(), software_copy;
    ck_assert_int_ge(check_texts(&nnc_plan_table, &plan, &plan_copy, sizeof plan), 30);
    ck_assert_int_ge(check_texts(&nnc_run_table, &run, &run_copy, sizeof run), 30);
    ck_assert_int_ge(check_texts(&nnc_budget_table, &budget, &budget_copy, sizeof budget), 2);
    ck_assert_int_ge(check_texts(&nnc_serve_table, &serve, &serve_copy, sizeof serve), 12);
    ck_assert_int_ge(check_texts(&nnc_software_table, &software, &software_copy, sizeof software), 40);
}
END_TEST

/* The defaults are values from documents and papers: the times of detection and start are from arXiv:2402.15627, the
 * bucket of 25 MiB is DDP's default. */
START_TEST(defaults_are_these) {
    const nnc_plan plan = nnc_plan_default();
    const nnc_run_ask run = nnc_run_ask_default();
    const nnc_serve_ask serve = nnc_serve_ask_default();
    const nnc_software software = nnc_software_default();
    ck_assert_int_eq(plan.tensor, 1);
    ck_assert_int_eq(plan.schedule, NNC_SCHEDULE_COUNT);
    ck_assert_int_eq(plan.reserve_bytes, -1);
    ck_assert(plan.reshard && plan.clip_gradients && isnan(plan.overlap));
    ck_assert_double_eq(run.detect_s, 600.0);
    ck_assert_double_eq(run.start_s, 30.0);
    ck_assert_double_eq(run.repair_s, 172800.0);
    ck_assert(isnan(run.days) && isnan(run.replace_s));
    ck_assert_int_eq(serve.input_len, 1024);
    ck_assert_double_eq(serve.draft_share, 0.05);
    ck_assert_double_eq(software.bucket_bytes, 26214400.0);
    ck_assert_double_eq(software.spread.network, 0.25);
    ck_assert(software.ships.schedules[NNC_SCHEDULE_DUALPIPE] && isnan(software.spread.own));
    ck_assert_double_eq(software.serving.stream_factor[NNC_STORED_INT4], 1.0);
    ck_assert_double_eq(software.serving.expert_s[NNC_STORED_INT4], 0.0);
}
END_TEST

/* A value outside its limits is refused with the name of the field. The default of a field is not refused. */
START_TEST(limits_allow_the_default) {
    nnc_run_ask run = nnc_run_ask_default();
    nnc_error err;
    ck_assert_int_eq(nnc_run_ask_check(&run, &err), NNC_OK);
    run.failing_share = 1.5;
    ck_assert_int_eq(nnc_run_ask_check(&run, &err), NNC_ILLEGAL_PLAN);
    ck_assert_str_eq(err.where, "--failing-share");
    nnc_software software = nnc_software_default();
    software.serving.kv_reread = 2.0;
    ck_assert_int_eq(nnc_software_check(&software, &err), NNC_ILLEGAL_PLAN);
    ck_assert_str_eq(err.where, "software.serving.kv_reread");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("defaults");
    TCase *tests = add_case(suite, "defaults", NULL, NULL);
    tcase_add_test(tests, help_shows_the_default);
    tcase_add_test(tests, defaults_are_these);
    tcase_add_test(tests, limits_allow_the_default);
    return run_suite(suite);
}
