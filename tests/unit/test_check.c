/* Tests the comparison of two estimates by 'nncost check': the values that changed, and the requirements that are not
 * met. */
#include "figures.h"

START_TEST(a_figure_goes_by_its_full_or_its_last_name) {
    ck_assert_ptr_eq(nnc_figure_find(old_figures, "step.step_s", &err), &old_list[1]);
    ck_assert_ptr_eq(nnc_figure_find(old_figures, "step_s", &err), &old_list[1]);
    ck_assert_ptr_eq(nnc_figure_find(old_figures, "bound_s.host", &err), &old_list[7]);
    /* "step_s" ends with "p_s", but the short form of a name must begin after a dot */
    ck_assert_ptr_null(nnc_figure_find(old_figures, "p_s", &err));
    ck_assert_ptr_null(nnc_figure_find(old_figures, "", &err));
}
END_TEST

START_TEST(an_unknown_figure_names_the_nearest) {
    ck_assert_ptr_null(nnc_figure_find(old_figures, "stepp_s", &err));
    ck_assert_int_eq(err.status, NNC_BAD_SPEC);
    ck_assert_str_eq(err.where, "stepp_s");
    ck_assert_ptr_nonnull(strstr(err.what, "perhaps \"step_s\""));
}
END_TEST

START_TEST(two_figures_of_one_short_name_are_ambiguous) {
    const nnc_figure list[] = { NUMBER("model.id", 1), NUMBER("device.id", 2) };
    ck_assert_ptr_null(nnc_figure_find((nnc_figures){ list, 2 }, "id", &err));
    ck_assert_ptr_nonnull(strstr(err.what, "model.id or device.id"));
}
END_TEST

START_TEST(names_stand_for_figures) {
    ck_assert_int_eq(nnc_figure_match("", "step.step_s"), 0);
    ck_assert_int_eq(nnc_figure_match("step", "step.step_s"), 4);
    ck_assert_int_eq(nnc_figure_match("step_s", "step.step_s"), 6);
    ck_assert_int_eq(nnc_figure_match("step.step_s", "step.step_s"), 11);
    ck_assert_int_eq(nnc_figure_match("ste", "step.step_s"), -1);
    ck_assert_int_eq(nnc_figure_match("step.step", "step.step_s"), -1);
}
END_TEST

static nnc_change changes[64];

static int32_t compare(const nnc_figure *now, size_t count, const nnc_tolerance *tolerances, int32_t tolerance_count) {
    return nnc_figures_compare(old_figures, (nnc_figures){ now, (int32_t)count }, tolerances, tolerance_count, changes);
}

/* Each test changes this copy. */
static nnc_figure now_list[COUNT_OF(old_list)];

static void copy_old(void) { memcpy(now_list, old_list, sizeof now_list); }

START_TEST(equal_figures_have_no_changes) {
    copy_old();
    ck_assert_int_eq(compare(now_list, COUNT_OF(now_list), NULL, 0), 0);
    /* A difference in the 12th digit is a change, a difference in the 13th digit is not. */
    now_list[1].number = 2.0000000000001;
    ck_assert_int_eq(compare(now_list, COUNT_OF(now_list), NULL, 0), 0);
    now_list[1].number = 2.00000000001;
    ck_assert_int_eq(compare(now_list, COUNT_OF(now_list), NULL, 0), 1);
    ck_assert_int_eq(changes[0].kind, NNC_CHANGE_MOVED);
}
END_TEST

START_TEST(changes_come_totals_first_then_inputs_then_largest) {
    copy_old();
    now_list[0].text = "fp16";
    now_list[1].number = 1.0;         /* - 50 % */
    now_list[2].number = 0.6;         /* + 20 % */
    now_list[4].number = 0.1;         /* from zero: the largest change */
    now_list[5].text = "memory";      /* a text has no size */
    now_list[6].number = (double)NAN; /* gone */
    now_list[8].number = 7;           /* new */
    ck_assert_int_eq(compare(now_list, COUNT_OF(now_list), NULL, 0), 7);
    const char *const names[] = { "step.step_s", "plan.precision",     "step.bubble_s", "step.forward_s",
                                  "step.bound",  "memory.total_bytes", "work.tokens" };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const nnc_figure *figure = changes[i].old != NULL ? changes[i].old : changes[i].now;
        ck_assert_str_eq(figure->name, names[i]);
    }
    ck_assert(changes[1].input && !changes[0].input && !changes[2].input);
    ck_assert(isnan(changes[2].relative));
    ck_assert_double_eq(changes[0].relative, -0.5);
    ck_assert_int_eq(changes[5].kind, NNC_CHANGE_GONE);
    ck_assert_int_eq(changes[6].kind, NNC_CHANGE_NEW);
}
END_TEST

/* If a value has an absolute and a relative tolerance, the larger tolerance is used. If several names match, the most
 * specific name counts. */
START_TEST(tolerances_are_absolute_or_relative) {
    const nnc_tolerance tolerances[] = { { "", 0, 0.1 }, { "step", 0, 0 }, { "step_s", 0.5, 0.01 } };
    copy_old();
    now_list[1].number = 2.5;   /* 0.5 allowed */
    now_list[2].number = 0.501; /* "step": nothing allowed */
    now_list[6].number = 110;   /* 10 % allowed */
    ck_assert_int_eq(compare(now_list, COUNT_OF(now_list), tolerances, 3), 3);
    ck_assert_str_eq(changes[0].old->name, "step.forward_s");
    ck_assert_int_eq(changes[0].kind, NNC_CHANGE_MOVED);
    ck_assert_int_eq(changes[1].kind, NNC_CHANGE_WITHIN);
    ck_assert_int_eq(changes[2].kind, NNC_CHANGE_WITHIN);
    now_list[1].number = 2.51;
    now_list[6].number = 110.1;
    compare(now_list, COUNT_OF(now_list), tolerances, 3);
    ck_assert_int_eq(changes[1].kind, NNC_CHANGE_MOVED);
    ck_assert_int_eq(changes[2].kind, NNC_CHANGE_MOVED);
}
END_TEST

START_TEST(the_part_that_moved_most_is_responsible) {
    double by = 0;
    const nnc_figures now = { now_list, COUNT_OF(now_list) };
    copy_old();
    ck_assert_ptr_null(nnc_figures_responsible(old_figures, now, "step.step_s", &by));
    now_list[1].number = 2.2; /* forward is shorter by 0.1 s, backward longer by 0.3 s */
    now_list[2].number = 0.4;
    now_list[3].number = 1.8;
    ck_assert_str_eq(nnc_figures_responsible(old_figures, now, "step.step_s", &by), "step.backward_s");
    ck_assert_double_eq_tol(by, 0.3, 1e-12);
    now_list[1].number = 1.9; /* forward is 0.4 s shorter and backward is 0.3 s longer, so the sum is 0.1 s shorter */
    now_list[2].number = 0.1;
    ck_assert_str_eq(nnc_figures_responsible(old_figures, now, "step.step_s", &by), "step.forward_s");
}
END_TEST

/* ---- requirements ---- */

START_TEST(requirements_are_read_and_judged) {
    static const struct {
        const char *rule;
        double below, at, above; /* met at 1, 2, 3? */
    } cases[] = {
        { "<= 2", 1, 1, 0 }, { "< 2", 1, 0, 0 }, { ">= 2", 0, 1, 1 }, { "> 2", 0, 0, 1 }, { "==2.0", 0, 1, 0 }
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const nnc_figure figures[] = { NUMBER("a", 1), NUMBER("a", 2), NUMBER("a", 3) };
        const double met[] = { cases[i].below, cases[i].at, cases[i].above };
        nnc_requirement requirement;
        ck_assert_int_eq(nnc_requirement_read("a", cases[i].rule, &requirement, &err), NNC_OK);
        for (size_t k = 0; k < COUNT_OF(figures); k++) {
            ck_assert_msg(nnc_requirement_met(&requirement, &figures[k]) == (met[k] != 0), "%s at %zu", cases[i].rule,
                          k + 1);
        }
        const nnc_figure unknown = NUMBER("a", (double)NAN);
        ck_assert(!nnc_requirement_met(&requirement, &unknown));
        ck_assert(!nnc_requirement_met(&requirement, NULL));
    }
    const nnc_figure fits = TEXT("memory.fits", "true"), count = NUMBER("a", 1);
    nnc_requirement requirement;
    ck_assert_int_eq(nnc_requirement_read("fits", "== true", &requirement, &err), NNC_OK);
    ck_assert(nnc_requirement_met(&requirement, &fits));
    ck_assert(!nnc_requirement_met(&requirement, &count));
}
END_TEST

START_TEST(bad_requirements_are_refused) {
    static const char *const rules[] = { "",     "9.5", "=< 9.5", "<= ",    "<= 9.5 m", "<= fast",
                                         "!= 1", "==",  "<= inf", "<= nan", "<= 0x10" };
    for (size_t i = 0; i < COUNT_OF(rules); i++) {
        nnc_requirement requirement;
        ck_assert_msg(nnc_requirement_read("a", rules[i], &requirement, &err) == NNC_BAD_SPEC, "\"%s\" is taken",
                      rules[i]);
        ck_assert_str_eq(err.where, "a");
    }
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        a_figure_goes_by_its_full_or_its_last_name,
        an_unknown_figure_names_the_nearest,
        two_figures_of_one_short_name_are_ambiguous,
        names_stand_for_figures,
        equal_figures_have_no_changes,
        changes_come_totals_first_then_inputs_then_largest,
        tolerances_are_absolute_or_relative,
        the_part_that_moved_most_is_responsible,
        requirements_are_read_and_judged,
        bad_requirements_are_refused,
    };
    return run_tests_with("check", open_arena, close_arena, tests, COUNT_OF(tests));
}
