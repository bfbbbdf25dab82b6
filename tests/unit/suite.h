/* Runs all tests of one file with the library Check. */
#ifndef NNCOST_TESTS_UNIT_SUITE_H
#define NNCOST_TESTS_UNIT_SUITE_H

#include <check.h>
#include <stddef.h>
#include <stdlib.h>

/* Check makes a system call for each assertion that holds, and records the place of this assertion. In tests with
 * millions of assertions, the system calls took up to half of the time. This suite records only the places of failed
 * assertions. */
#define _mark_point(file, line) ((void)0) /* NOLINT(bugprone-reserved-identifier): a function of Check */

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Adds a test case to the suite. set_up and tear_down run before and after each test of the case. NULL: no function
 * runs. */
static inline TCase *add_case(Suite *suite, const char *name, SFun set_up, SFun tear_down) {
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_set_timeout(tcase, 600);
    suite_add_tcase(suite, tcase);
    return tcase;
}

static inline int run_suite(Suite *suite) {
    /* Tests read only files of the source tree, not the user's own files. */
    unsetenv("NNCOST_PATH");
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("HOME");
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

static inline int run_tests_with(const char *name, SFun set_up, SFun tear_down, const TTest *const *tests,
                                 size_t count) {
    Suite *suite = suite_create(name);
    TCase *tcase = add_case(suite, name, set_up, tear_down);
    for (size_t i = 0; i < count; i++) { tcase_add_test(tcase, tests[i]); }
    return run_suite(suite);
}

#endif
