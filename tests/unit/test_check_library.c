/* Tests the functions of the library that check plan files, as 'nncost check' does. */
#include <unistd.h>

#include "support.h"

static char path[] = "/tmp/nncost-check-XXXXXX";

static void write_plans(const char *memory) {
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file,
            "{\"schema\": \"nncost.plans/1\",\n"
            " \"scenarios\": [\n"
            "  {\"id\": \"one\", \"model\": \"gpt2\", \"device\": \"a100\",\n"
            "   \"micro_batch\": 2, \"require\": {\"total_bytes\": \"%s\"}}]}\n",
            memory);
    ck_assert_int_eq(fclose(file), 0);
}

static void open_plans(void) {
    open_support();
    snprintf(path, sizeof path, "/tmp/nncost-check-XXXXXX");
    const int descriptor = mkstemp(path);
    ck_assert_int_ge(descriptor, 0);
    ck_assert_int_eq(close(descriptor), 0);
}

static void close_plans(void) {
    unlink(path);
    close_support();
}

static nnc_check *check(void) {
    nnc_error err = { 0 };
    nnc_check *made = NULL;
    ck_assert_msg(nnc_check_create(specs, path, &made, &err) == NNC_OK, "%s: %s", err.where, err.what);
    return made;
}

START_TEST(recorded_is_the_same) {
    write_plans("<= 40e9");
    nnc_check *made = check();
    const nnc_check_row *row = nnc_check_scenario(made, 0);
    ck_assert(nnc_check_passed(made));
    ck_assert_int_eq(row->state, NNC_CHECK_NOT_ASKED);
    ck_assert_str_eq(row->id, "one");
    ck_assert_int_eq(row->line, 3);
    ck_assert_int_eq(row->verdict_count, 1);
    ck_assert_str_eq(row->verdicts[0].figure->name, "memory.total_bytes");
    ck_assert_ptr_null(nnc_check_scenario(made, 1));
    ck_assert_ptr_null(nnc_check_scenario(made, -1));
    ck_assert_int_eq(nnc_check_update(made, NULL), NNC_OK);
    nnc_check_destroy(made);
    made = check();
    ck_assert_int_eq(nnc_check_scenario(made, 0)->state, NNC_CHECK_SAME);
    ck_assert_int_gt(nnc_check_scenario(made, 0)->now.count, 50);
    nnc_check_destroy(made);
}
END_TEST

/* The digest of a profile that nncost chose must have the name of this profile. The digest has the name of the chosen
 * profile even if an earlier scenario has another profile. */
START_TEST(chosen_profiles_keep_their_names) {
    static char text[100000];
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs("{\"schema\": \"nncost.plans/1\", \"common\": {\"model\": \"gpt2\", \"device\": \"a100\"},\n"
          " \"scenarios\": [{\"id\": \"one\"}, {\"id\": \"two\", \"tensor\": 2},\n"
          "  {\"id\": \"three\", \"software\": \"megatron\"}, {\"id\": \"four\"}]}\n",
          file);
    ck_assert_int_eq(fclose(file), 0);
    nnc_check *made = check();
    ck_assert_int_eq(nnc_check_update(made, NULL), NNC_OK);
    nnc_check_destroy(made);
    file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    ck_assert_int_eq(fclose(file), 0);
    const char *chosen = strstr(text, "\"torch-compile\": \""), *named = strstr(text, "\"megatron\": \"");
    ck_assert_ptr_nonnull(chosen);
    ck_assert_ptr_nonnull(named);
    ck_assert_ptr_null(strstr(chosen + 1, "\"torch-compile\": \""));
    ck_assert_ptr_null(strstr(named + 1, "\"megatron\": \""));
}
END_TEST

START_TEST(missed) {
    write_plans("< 1e9");
    nnc_check *made = check();
    ck_assert(!nnc_check_passed(made));
    ck_assert(!nnc_check_scenario(made, 0)->verdicts[0].met);
    nnc_check_destroy(made);
}
END_TEST

START_TEST(refused) {
    nnc_error err = { 0 };
    nnc_check *made = NULL;
    write_plans("about 1e9");
    ck_assert_int_eq(nnc_check_create(specs, path, &made, &err), NNC_BAD_SPEC);
    ck_assert_ptr_null(made);
    ck_assert_ptr_nonnull(strstr(err.where, path));
    ck_assert_int_eq(nnc_check_create(specs, "/no/such/plans.json", &made, NULL), NNC_IO);
    nnc_check_destroy(NULL);
}
END_TEST

/* If the plan file changes during the check, nncost does not write the file. */
START_TEST(edited_meanwhile) {
    nnc_error err = { 0 };
    write_plans("<= 40e9");
    nnc_check *made = check();
    write_plans("<= 41e9");
    ck_assert_int_eq(nnc_check_update(made, &err), NNC_IO);
    ck_assert_ptr_nonnull(strstr(err.what, "changed during"));
    nnc_check_destroy(made);
}
END_TEST

int main(void) {
    const TTest *const tests[] = { recorded_is_the_same, chosen_profiles_keep_their_names, missed, refused,
                                   edited_meanwhile };
    return run_tests_with("check_library", open_plans, close_plans, tests, COUNT_OF(tests));
}
