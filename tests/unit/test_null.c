/* Tests that public functions report an error or return an empty result if a required argument is NULL. */
#include <math.h>
#include <string.h>

#include <nncost/nncost.h>

#include "suite.h"

static nnc_specs *specs;
static const nnc_model *model;
static const nnc_device *device;
static const nnc_software *software;
static const nnc_profiles *profiles;
static nnc_scratch *scratch;
static nnc_error err;
static nnc_plan plan;

static void set_up(void) {
    specs = nnc_specs_open(NNCOST_SOURCE_DIR "/tests/toy");
    scratch = nnc_scratch_create();
    plan = nnc_plan_default();
    ck_assert_int_eq(nnc_model_load(specs, "dense", &model, &err), NNC_OK);
    ck_assert_int_eq(nnc_device_load(specs, "round", &device, &err), NNC_OK);
    ck_assert_int_eq(nnc_software_load(specs, "torch-compile", &software, &err), NNC_OK);
    ck_assert_int_eq(nnc_profiles_get(specs, false, &profiles, &err), NNC_OK);
}

static void tear_down(void) {
    nnc_scratch_destroy(scratch);
    nnc_specs_close(specs);
}

/* Checks that the call refuses NULL for the parameter, with an nnc_error to fill and without one. */
#define REFUSES(missing, call)                                                                                      \
    do {                                                                                                            \
        nnc_error *into = &err;                                                                                     \
        err = (nnc_error){ .status = NNC_OK };                                                                      \
        ck_assert_msg((call) == NNC_BAD_USAGE, "%s takes NULL as %s", #call, missing);                              \
        ck_assert_msg(strstr(err.what, "no " missing ", expected") == err.what, "%s says \"%s\"", #call, err.what); \
        ck_assert_ptr_eq(strstr(err.where, "nnc_"), err.where);                                                     \
        into = NULL;                                                                                                \
        ck_assert_int_eq((call), NNC_BAD_USAGE);                                                                    \
        (void)into;                                                                                                 \
    } while (0)

START_TEST(specs_need_their_pointers) {
    const nnc_device *d = NULL;
    const nnc_model *m = NULL;
    const nnc_software *s = NULL;
    nnc_device *copy = NULL;
    nnc_model *model_copy = NULL;
    nnc_software *software_copy = NULL;
    const char *const *ids = NULL;
    int32_t count = 0;
    double value = 0.0;
    char text[32];
    REFUSES("specs", nnc_device_load(NULL, "a", &d, into));
    REFUSES("id_or_path", nnc_device_load(specs, NULL, &d, into));
    REFUSES("device", nnc_device_load(specs, "round", NULL, into));
    REFUSES("specs", nnc_model_load(NULL, "a", &m, into));
    REFUSES("id_or_path", nnc_model_load(specs, NULL, &m, into));
    REFUSES("model", nnc_model_load(specs, "dense", NULL, into));
    REFUSES("specs", nnc_software_load(NULL, "a", &s, into));
    REFUSES("id_or_path", nnc_software_load(specs, NULL, &s, into));
    REFUSES("software", nnc_software_load(specs, "eager", NULL, into));
    REFUSES("specs", nnc_profiles_get(NULL, false, &profiles, into));
    REFUSES("profiles", nnc_profiles_get(specs, false, NULL, into));
    REFUSES("specs", nnc_device_parse(NULL, "d", "{}", 2, &d, into));
    REFUSES("name", nnc_device_parse(specs, NULL, "{}", 2, &d, into));
    REFUSES("text", nnc_device_parse(specs, "d", NULL, 2, &d, into));
    REFUSES("device", nnc_device_parse(specs, "d", "{}", 2, NULL, into));
    REFUSES("text", nnc_model_parse(specs, "d", NULL, 2, &m, into));
    REFUSES("model", nnc_model_parse(specs, "d", "{}", 2, NULL, into));
    REFUSES("text", nnc_software_parse(specs, "d", NULL, 2, &s, into));
    REFUSES("software", nnc_software_parse(specs, "d", "{}", 2, NULL, into));
    REFUSES("specs", nnc_device_copy(NULL, device, &copy, into));
    REFUSES("from", nnc_device_copy(specs, NULL, &copy, into));
    REFUSES("copy", nnc_device_copy(specs, device, NULL, into));
    REFUSES("from", nnc_model_copy(specs, NULL, &model_copy, into));
    REFUSES("from", nnc_software_copy(specs, NULL, &software_copy, into));
    ck_assert_int_eq(nnc_device_copy(specs, device, &copy, &err), NNC_OK);
    ck_assert_int_eq(nnc_model_copy(specs, model, &model_copy, &err), NNC_OK);
    ck_assert_int_eq(nnc_software_copy(specs, software, &software_copy, &err), NNC_OK);
    REFUSES("specs", nnc_cluster_load(NULL, "x.json", copy, into));
    REFUSES("path", nnc_cluster_load(specs, NULL, copy, into));
    REFUSES("device", nnc_cluster_load(specs, "x.json", NULL, into));
    REFUSES("text", nnc_cluster_parse(specs, "x", NULL, 0, copy, into));
    REFUSES("device", nnc_device_number(NULL, "year", &value, into));
    REFUSES("field", nnc_device_number(device, NULL, &value, into));
    REFUSES("value", nnc_device_number(device, "year", NULL, into));
    REFUSES("text", nnc_device_text(device, "year", NULL, 3, into));
    REFUSES("model", nnc_model_number(NULL, "layers", &value, into));
    REFUSES("model", nnc_model_text(NULL, "layers", text, sizeof text, into));
    REFUSES("software", nnc_software_number(NULL, "launch_s", &value, into));
    REFUSES("software", nnc_software_text(NULL, "launch_s", text, sizeof text, into));
    REFUSES("plan", nnc_plan_text(NULL, "zero", text, sizeof text, into));
    REFUSES("device", nnc_device_set(NULL, "year", "1", into));
    REFUSES("field", nnc_device_set(copy, NULL, "1", into));
    REFUSES("value", nnc_device_set(copy, "year", NULL, into));
    REFUSES("value", nnc_model_set(model_copy, "layers", NULL, into));
    REFUSES("value", nnc_software_set(software_copy, "launch_s", NULL, into));
    REFUSES("plan", nnc_plan_set(NULL, "zero", "1", into));
    REFUSES("value", nnc_plan_set(&plan, "zero", NULL, into));
    REFUSES("device", nnc_device_check(NULL, "x", into));
    REFUSES("model", nnc_model_check(NULL, "x", into));
    REFUSES("plan", nnc_plan_check(NULL, into));
    REFUSES("ids", nnc_specs_list(specs, NNC_SPEC_DEVICE, NULL, &count, into));
    REFUSES("count", nnc_specs_list(specs, NNC_SPEC_DEVICE, &ids, NULL, into));
    ck_assert_int_ne(nnc_specs_list(specs, (nnc_spec_kind)4711, &ids, &count, &err), NNC_OK);
    ck_assert_int_eq(nnc_spec_validate(NULL, "x", NULL, NULL), 1);
    nnc_specs_set_lenient(NULL, true);
    nnc_specs_close(NULL);
}
END_TEST

static void ignore(void *context, const nnc_interval *interval) { (void)context, (void)interval; }

/* software and plan may be NULL. If software and plan are NULL, the estimate uses the neutral profile, and the default
 * of every field of the plan. */
START_TEST(estimates_need_their_pointers) {
    nnc_result result, other;
    nnc_advice advice;
    nnc_sensitivity entry;
    nnc_target target;
    nnc_plan resolved;
    nnc_run run;
    char *text = NULL;
    int count = 0;
    memset(&result, 0, sizeof result); /* the test compares all bytes, also the padding between members */
    memset(&other, 0, sizeof other);
    REFUSES("model", nnc_estimate(NULL, device, software, &plan, scratch, &result, into));
    REFUSES("device", nnc_estimate(model, NULL, software, &plan, scratch, &result, into));
    REFUSES("scratch", nnc_estimate(model, device, software, &plan, NULL, &result, into));
    REFUSES("result", nnc_estimate_into(model, device, software, &plan, scratch, NULL, into));
    REFUSES("model", nnc_plan_resolve(&plan, NULL, device, &resolved, into));
    REFUSES("device", nnc_plan_resolve(&plan, model, NULL, &resolved, into));
    REFUSES("resolved", nnc_plan_resolve_into(&plan, model, device, NULL, into));
    ck_assert_int_eq(nnc_estimate(model, device, NULL, NULL, scratch, &result, &err), NNC_OK);
    ck_assert_int_eq(nnc_estimate(model, device, software, &plan, scratch, &other, &err), NNC_OK);
    ck_assert_mem_eq(&result, &other, sizeof result);
    REFUSES("scratch", nnc_timeline(NULL, &result, ignore, NULL, into));
    REFUSES("result", nnc_timeline(scratch, NULL, ignore, NULL, into));
    REFUSES("interval", nnc_timeline(scratch, &result, NULL, NULL, into));
    REFUSES("text", nnc_estimate_json(model, device, NULL, NULL, scratch, NULL, NULL, into));
    REFUSES("scratch", nnc_estimate_json(model, device, NULL, NULL, NULL, &text, NULL, into));
    REFUSES("model", nnc_estimate_json(NULL, device, NULL, NULL, scratch, &text, NULL, into));
    REFUSES("profiles", nnc_estimate_json_by_plan(model, device, NULL, NULL, scratch, &text, NULL, into));
    ck_assert_ptr_null(text);
    nnc_text_free(NULL);
    REFUSES("entries", nnc_sensitivity_of(model, device, NULL, NULL, scratch, NULL, 1, &count, into));
    REFUSES("count", nnc_sensitivity_of(model, device, NULL, NULL, scratch, &entry, 1, NULL, into));
    REFUSES("scratch", nnc_sensitivity_of(model, device, NULL, NULL, NULL, &entry, 1, &count, into));
    ck_assert_int_eq(nnc_sensitivity_of(model, device, NULL, NULL, scratch, &entry, 1, &count, &err), NNC_OK);
    ck_assert_int_eq(count, 1); /* the function writes at most as many entries as the array has */
    REFUSES("target", nnc_target_find(model, device, NULL, NULL, NNC_PARAMETER_MATMUL, 1.0, scratch, NULL, into));
    ck_assert_int_eq(
        nnc_target_find(model, device, NULL, NULL, (nnc_sensitivity_parameter)4711, 1.0, scratch, &target, &err),
        NNC_BAD_USAGE);
    ck_assert_int_eq(
        nnc_target_find(model, device, NULL, NULL, NNC_PARAMETER_MATMUL, (double)NAN, scratch, &target, &err),
        NNC_BAD_USAGE);
    REFUSES("run", nnc_run_into(&result, device, NULL, NULL, NULL, into));
    ck_assert_int_eq(nnc_run_of(&result, device, NULL, NULL, &run, &err), NNC_OK);
    ck_assert_int_eq(nnc_advise(NULL, device, NULL, NULL, scratch, &advice, 1), 0);
    ck_assert_int_eq(nnc_advise(model, NULL, NULL, NULL, scratch, &advice, 1), 0);
    ck_assert_int_eq(nnc_advise(model, device, NULL, NULL, NULL, &advice, 1), 0);
    ck_assert_int_eq(nnc_advise(model, device, NULL, NULL, scratch, NULL, 1), 0);
    ck_assert_int_eq(nnc_advise_by_plan(model, device, NULL, NULL, scratch, &advice, 1), 0);
    const nnc_software one = nnc_software_default();
    const nnc_profiles alone = nnc_profiles_of_one(&one);
    ck_assert_int_eq(nnc_advise_by_plan(NULL, device, &alone, NULL, scratch, &advice, 1), 0);
    ck_assert_int_eq(nnc_advise_by_plan(model, NULL, &alone, NULL, scratch, &advice, 1), 0);
    ck_assert_int_eq(nnc_advise_by_plan(model, device, &alone, NULL, NULL, &advice, 1), 0);
    ck_assert_int_eq(nnc_advise_by_plan(model, device, &alone, NULL, scratch, NULL, 1), 0);
    ck_assert_ptr_null(nnc_scratch_op(NULL, 0));
    ck_assert_ptr_null(nnc_scratch_op(scratch, -1));
    ck_assert_ptr_null(nnc_scratch_op(scratch, 4711));
    ck_assert_ptr_null(nnc_scratch_stage(NULL, 0));
    ck_assert_ptr_null(nnc_profile_of(NULL, model, device, &plan));
    ck_assert_ptr_null(nnc_profile_of(profiles, model, NULL, &plan));
    ck_assert_ptr_null(nnc_profile_of(profiles, NULL, device, &plan));
    ck_assert_ptr_nonnull(nnc_profile_of(profiles, model, device, NULL));
    ck_assert(!nnc_software_ships(NULL, &plan, NULL));
    nnc_plan_init(NULL, sizeof plan);
    nnc_scratch_destroy(NULL);
}
END_TEST

static bool keep(void *context, int64_t row, const nnc_cell *cells) {
    (void)context, (void)row, (void)cells;
    return true;
}

START_TEST(searches_and_sweeps_need_their_pointers) {
    nnc_search search = nnc_search_default();
    nnc_search_result *found = nnc_search_result_create();
    nnc_sweep *sweep = NULL;
    int64_t rows = 0;
    search.base.devices = 1;
    search.base.global_batch = 1;
    REFUSES("model", nnc_search_run(NULL, device, NULL, &search, NULL, NULL, found, into));
    REFUSES("device", nnc_search_run(model, NULL, NULL, &search, NULL, NULL, found, into));
    REFUSES("search", nnc_search_run(model, device, NULL, NULL, NULL, NULL, found, into));
    REFUSES("result", nnc_search_run(model, device, NULL, &search, NULL, NULL, NULL, into));
    REFUSES("profiles", nnc_search_by_plan(model, device, NULL, &search, NULL, NULL, found, into));
    ck_assert_uint_eq(nnc_search_result_tally(NULL).space, 0);
    ck_assert_ptr_null(nnc_search_result_best(NULL, 0));
    ck_assert_ptr_null(nnc_search_result_pareto(NULL, 0));
    ck_assert_ptr_null(nnc_search_result_missed(NULL));
    nnc_search_result_destroy(found);
    nnc_search_result_destroy(NULL);
    nnc_search_init(NULL, sizeof search);
    REFUSES("specs", nnc_sweep_create(NULL, "dense", "round", NULL, NULL, &sweep, into));
    REFUSES("models", nnc_sweep_create(specs, NULL, "round", NULL, NULL, &sweep, into));
    REFUSES("devices", nnc_sweep_create(specs, "dense", NULL, NULL, NULL, &sweep, into));
    REFUSES("sweep", nnc_sweep_create(specs, "dense", "round", NULL, NULL, NULL, into));
    ck_assert_int_eq(nnc_sweep_create(specs, "dense", "round", NULL, NULL, &sweep, &err), NNC_OK);
    REFUSES("sweep", nnc_sweep_add(NULL, "zero", "1", into));
    REFUSES("name", nnc_sweep_add(sweep, NULL, "1", into));
    REFUSES("list", nnc_sweep_add(sweep, "zero", NULL, into));
    REFUSES("axes", nnc_sweep_link(sweep, NULL, into));
    REFUSES("sweep", nnc_sweep_part(NULL, 1, 1, into));
    REFUSES("sweep", nnc_sweep_columns(NULL, "zero", into));
    REFUSES("constraint", nnc_sweep_where(sweep, NULL, into));
    REFUSES("rows", nnc_sweep_size(sweep, NULL, into));
    REFUSES("sweep", nnc_sweep_size(NULL, &rows, into));
    REFUSES("row", nnc_sweep_run(sweep, 1, NULL, NULL, NULL, into));
    REFUSES("sweep", nnc_sweep_run(NULL, 1, keep, NULL, NULL, into));
    ck_assert_int_eq(nnc_sweep_run(sweep, 4711, keep, NULL, NULL, &err), NNC_BAD_USAGE);
    ck_assert_int_eq(nnc_sweep_column_count(NULL), 0);
    ck_assert_ptr_null(nnc_sweep_column_name(NULL, 0));
    nnc_sweep_keep_all(NULL);
    nnc_sweep_destroy(sweep);
    nnc_sweep_destroy(NULL);
}
END_TEST

START_TEST(checks_need_their_pointers) {
    nnc_check *check = NULL;
    nnc_requirement requirement;
    double by = 0.0;
    const nnc_figures none = { NULL, 0 };
    REFUSES("specs", nnc_check_create(NULL, "x", &check, into));
    REFUSES("path", nnc_check_create(specs, NULL, &check, into));
    REFUSES("check", nnc_check_create(specs, "x", NULL, into));
    ck_assert_int_eq(nnc_check_update(NULL, &err), NNC_BAD_USAGE);
    ck_assert(!nnc_check_passed(NULL));
    ck_assert_ptr_null(nnc_check_scenario(NULL, 0));
    nnc_check_destroy(NULL);
    REFUSES("name", nnc_requirement_read(NULL, "< 1", &requirement, into));
    REFUSES("rule", nnc_requirement_read("a", NULL, &requirement, into));
    REFUSES("requirement", nnc_requirement_read("a", "< 1", NULL, into));
    ck_assert(!nnc_requirement_met(NULL, NULL));
    ck_assert_ptr_null(nnc_figure_find(none, NULL, NULL));
    ck_assert_int_eq(nnc_figure_match(NULL, "a"), -1);
    ck_assert_int_eq(nnc_figure_match("a", NULL), -1);
    ck_assert_int_eq(nnc_figures_compare(none, none, NULL, 0, NULL), 0);
    ck_assert_ptr_null(nnc_figures_responsible(none, none, NULL, &by));
}
END_TEST

/* A function returns NAN or "?" for a NULL argument and for a value outside its enumeration. */
START_TEST(what_is_not_there_has_no_value) {
    nnc_device *copy = NULL;
    char text[NNC_PARAMETER_TEXT] = "before";
    ck_assert_double_nan(nnc_intensity(NULL));
    ck_assert_double_nan(nnc_device_matmul_peak(NULL, NNC_BF16));
    ck_assert_double_nan(nnc_device_matmul_peak(device, (nnc_dtype)4711));
    ck_assert_double_nan(nnc_device_ridge(NULL, NNC_BF16));
    ck_assert_double_nan(nnc_device_ridge(device, (nnc_dtype)-1));
    ck_assert_double_nan(nnc_dtype_bytes((nnc_dtype)4711));
    ck_assert_double_nan(nnc_policy_bytes((nnc_policy)4711).weight_bytes);
    ck_assert_double_nan(nnc_sensitivity_parameter_value(NULL, NNC_PARAMETER_VECTOR, NNC_BF16));
    ck_assert_double_nan(nnc_sensitivity_parameter_value(device, (nnc_sensitivity_parameter)4711, NNC_BF16));
    ck_assert_double_nan(nnc_sensitivity_parameter_value(device, NNC_PARAMETER_MATMUL, (nnc_dtype)4711));
    ck_assert_str_eq(nnc_sensitivity_parameter_name((nnc_sensitivity_parameter)4711, NNC_BF16, text), "?");
    ck_assert_str_eq(nnc_sensitivity_parameter_unit((nnc_sensitivity_parameter)4711), "?");
    ck_assert_ptr_null(nnc_sensitivity_parameter_name(NNC_PARAMETER_VECTOR, NNC_BF16, NULL));
    ck_assert_int_eq(nnc_device_copy(specs, device, &copy, &err), NNC_OK);
    nnc_sensitivity_parameter_scale(copy, NNC_PARAMETER_MEM_RATE, NNC_BF16, (double)NAN);
    nnc_sensitivity_parameter_scale(copy, NNC_PARAMETER_MEM_RATE, NNC_BF16, -1.0);
    nnc_sensitivity_parameter_scale(copy, (nnc_sensitivity_parameter)4711, NNC_BF16, 2.0);
    nnc_sensitivity_parameter_scale(NULL, NNC_PARAMETER_MEM_RATE, NNC_BF16, 2.0);
    ck_assert_mem_eq(copy, device, sizeof *copy);
    ck_assert_str_eq(nnc_op_name(NULL), "?");
    ck_assert_str_eq(nnc_op_kind_name(NULL), "?");
    ck_assert_str_eq(nnc_phase_name(nnc_op_phase(NULL)), "?");
    ck_assert_str_eq(nnc_group_name(nnc_op_group(NULL)), "?");
    nnc_op_shape(NULL, text, sizeof text);
    ck_assert_str_eq(text, "");
    nnc_op_shape(NULL, NULL, 4);
    text[0] = 'x';
    nnc_op_shape(NULL, text, 0); /* with a buffer of size 0, the function writes nothing */
    ck_assert_int_eq(text[0], 'x');
    nnc_op_shape(NULL, text, 1);
    ck_assert_int_eq(text[0], '\0');
    nnc_recompute_text(NNC_RECOMPUTE_FULL, NULL, 4);
    nnc_offload_text(NNC_OFFLOAD_NONE, text, 0);
    ck_assert_str_eq(nnc_status_text((nnc_status)4711), "?");
    ck_assert_int_eq(nnc_status_exit_code((nnc_status)4711), 4);
    ck_assert_str_eq(nnc_schedule_name((nnc_schedule)4711), "?");
    ck_assert_str_eq(nnc_basis_help((nnc_basis)-1), "?");
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        specs_need_their_pointers,  estimates_need_their_pointers,  searches_and_sweeps_need_their_pointers,
        checks_need_their_pointers, what_is_not_there_has_no_value,
    };
    return run_tests_with("null", set_up, tear_down, tests, COUNT_OF(tests));
}
