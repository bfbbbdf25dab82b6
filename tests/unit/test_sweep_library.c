/* Tests the functions of the library that run sweeps. */
#include "support.h"

static nnc_sweep *sweep;

static void open_sweep(void) {
    nnc_error err = { 0 };
    open_support();
    ck_assert_msg(nnc_sweep_create(specs, "gpt2,gpt2-xl", "a100", NULL, NULL, &sweep, &err) == NNC_OK, "%s: %s",
                  err.where, err.what);
}

static void close_sweep(void) {
    nnc_sweep_destroy(sweep);
    close_support();
}

enum { ROWS_MAX = 12000, COLUMNS_MAX = 32 };

/* Rows of a run. The struct stores no texts, because only static texts stay valid after a row. */
typedef struct rows {
    int64_t numbers[ROWS_MAX];
    double values[ROWS_MAX][COLUMNS_MAX];
    int count, most;
} rows;

static bool keep(void *context, int64_t number, const nnc_cell *cells) {
    rows *kept = context;
    kept->numbers[kept->count] = number;
    for (int i = 0; i < nnc_sweep_column_count(sweep); i++) {
        kept->values[kept->count][i] = cells[i].kind == NNC_CELL_WHOLE    ? (double)cells[i].whole
                                       : cells[i].kind == NNC_CELL_NUMBER ? cells[i].number
                                                                          : (double)NAN;
    }
    return ++kept->count < kept->most;
}

static rows *run(int threads, int most, nnc_sweep_tally *tally) {
    static rows kept;
    kept.count = 0;
    kept.most = most;
    ck_assert_int_eq(nnc_sweep_run(sweep, threads, keep, &kept, tally, NULL), NNC_OK);
    return &kept;
}

START_TEST(rows_equal_estimates) {
    static const char *const names[] = { "model.id", "plan.micro_batch", "step.step_s", "memory.total_bytes" };
    const nnc_model *models[2] = { NULL, NULL };
    const nnc_device *device = NULL;
    const nnc_software *software = NULL;
    nnc_result result;
    nnc_sweep_tally tally;
    int64_t size = 0;
    ck_assert_int_eq(nnc_model_load(specs, "gpt2", &models[0], NULL), NNC_OK);
    ck_assert_int_eq(nnc_model_load(specs, "gpt2-xl", &models[1], NULL), NNC_OK);
    ck_assert_int_eq(nnc_device_load(specs, "a100", &device, NULL), NNC_OK);
    ck_assert_int_eq(nnc_software_load(specs, nnc_software_default().id, &software, NULL), NNC_OK);
    ck_assert_int_eq(nnc_sweep_add(sweep, "micro_batch", "1..64*2", NULL), NNC_OK);
    ck_assert_int_eq(nnc_sweep_size(sweep, &size, NULL), NNC_OK);
    ck_assert_int_eq(size, 14);
    ck_assert_int_eq(nnc_sweep_columns(sweep, "model,micro_batch,step_s,total_bytes", NULL), NNC_OK);
    ck_assert_int_eq(nnc_sweep_column_count(sweep), COUNT_OF(names));
    for (int i = 0; i < (int)COUNT_OF(names); i++) { ck_assert_str_eq(nnc_sweep_column_name(sweep, i), names[i]); }
    ck_assert_ptr_null(nnc_sweep_column_name(sweep, COUNT_OF(names)));
    const rows *kept = run(2, ROWS_MAX, &tally);
    int fitting = 0;
    for (int64_t row = 0; row < size; row++) {
        nnc_plan plan = nnc_plan_default();
        plan.micro_batch = (int64_t)1 << (row % 7);
        ck_assert_int_eq(nnc_estimate(models[row / 7], device, software, &plan, scratch, &result, NULL), NNC_OK);
        if (result.verdict != NNC_OVER_MEMORY) {
            ck_assert_int_eq(kept->numbers[fitting], row);
            ck_assert_double_eq(kept->values[fitting][1], (double)plan.micro_batch);
            ck_assert_double_eq(kept->values[fitting][2], result.step_s);
            ck_assert_double_eq(kept->values[fitting][3], (double)result.memory.total_bytes);
            fitting++;
        }
    }
    ck_assert_int_gt(fitting, 7);
    ck_assert_int_eq(kept->count, fitting);
    ck_assert_int_eq(tally.fitting, fitting);
    ck_assert_int_eq(tally.over_memory, size - fitting);
    ck_assert_int_eq(tally.illegal + tally.excluded, 0);
}
END_TEST

/* The axis that changes the ops varies fastest, so rows are evaluated in another order, and a long sweep has longer
 * chunks. The sweep still outputs the rows in order. */
START_TEST(mixed_rows_keep_their_order) {
    const nnc_device *device = NULL;
    const nnc_software *software = NULL;
    const nnc_model *models[2] = { NULL, NULL };
    nnc_sweep_tally tally;
    int64_t size = 0;
    int fitting = 0, excluded = 0;
    ck_assert_int_eq(nnc_model_load(specs, "gpt2", &models[0], NULL), NNC_OK);
    ck_assert_int_eq(nnc_model_load(specs, "gpt2-xl", &models[1], NULL), NNC_OK);
    ck_assert_int_eq(nnc_device_load(specs, "a100", &device, NULL), NNC_OK);
    ck_assert_int_eq(nnc_software_load(specs, nnc_software_default().id, &software, NULL), NNC_OK);
    ck_assert_int_eq(nnc_sweep_add(sweep, "micro_batches", "1..800", NULL), NNC_OK);
    ck_assert_int_eq(nnc_sweep_add(sweep, "micro_batch", "1..64*2", NULL), NNC_OK);
    ck_assert_int_eq(nnc_sweep_where(sweep, "micro_batch != 2", NULL), NNC_OK);
    ck_assert_int_eq(nnc_sweep_size(sweep, &size, NULL), NNC_OK);
    ck_assert_int_eq(nnc_sweep_columns(sweep, "step_s", NULL), NNC_OK);
    const rows *kept = run(2, ROWS_MAX, &tally);
    for (int64_t row = 0; row < size; row++) {
        nnc_result result;
        nnc_plan plan = nnc_plan_default();
        plan.micro_batch = (int64_t)1 << (row % 7);
        plan.micro_batches = 1 + row / 7 % 800;
        ck_assert_int_eq(nnc_estimate(models[row / 5600], device, software, &plan, scratch, &result, NULL), NNC_OK);
        excluded += plan.micro_batch == 2;
        if (plan.micro_batch != 2 && result.verdict != NNC_OVER_MEMORY) {
            ck_assert_int_eq(kept->numbers[fitting], row);
            ck_assert_double_eq(kept->values[fitting++][0], result.step_s);
        }
    }
    ck_assert_int_gt(fitting, 5600);
    ck_assert_int_eq(kept->count, fitting);
    ck_assert_int_eq(tally.fitting, fitting);
    ck_assert_int_eq(tally.excluded, excluded);
    ck_assert_int_eq(tally.over_memory, size - fitting - excluded);
}
END_TEST

START_TEST(constraints_and_all) {
    nnc_sweep_tally tally;
    ck_assert_int_eq(nnc_sweep_link(sweep, "micro_batch=1,2,4;grad_accum=4,2,1", NULL), NNC_OK);
    nnc_sweep_keep_all(sweep);
    ck_assert_int_eq(nnc_sweep_where(sweep, "micro_batch > 1", NULL), NNC_OK);
    const rows *kept = run(1, ROWS_MAX, &tally);
    ck_assert_int_eq(kept->count, 4);
    ck_assert_int_eq(kept->numbers[0], 1);
    ck_assert_int_eq(kept->numbers[3], 5);
    ck_assert_int_eq(tally.excluded, 2);
    ck_assert_str_eq(nnc_sweep_column_name(sweep, 0), "model.id");
}
END_TEST

START_TEST(parts_are_the_whole) {
    enum { PARTS = 3 };
    int count = 0;
    for (int part = 1; part <= PARTS; part++) {
        close_sweep();
        open_sweep();
        ck_assert_int_eq(nnc_sweep_add(sweep, "global_batch", "8,16,24,32", NULL), NNC_OK);
        ck_assert_int_eq(nnc_sweep_part(sweep, part, PARTS, NULL), NNC_OK);
        nnc_sweep_keep_all(sweep);
        const rows *kept = run(1, ROWS_MAX, NULL);
        for (int i = 0; i < kept->count; i++) { ck_assert_int_eq(kept->numbers[i], part - 1 + i * PARTS); }
        count += kept->count;
    }
    ck_assert_int_eq(count, 8);
}
END_TEST

/* A function that refuses a row ends the run at this row, even if threads have started later chunks. */
START_TEST(a_row_ends_it) {
    ck_assert_int_eq(nnc_sweep_add(sweep, "global_batch", "1..5000", NULL), NNC_OK);
    nnc_sweep_keep_all(sweep);
    ck_assert_int_eq(run(4, 200, NULL)->count, 200);
    ck_assert_int_eq(run(1, 1, NULL)->count, 1); /* a second run works */
}
END_TEST

START_TEST(refused) {
    nnc_error err = { 0 };
    rows kept = { .most = 1 };
    nnc_sweep *none = sweep;
    ck_assert_int_eq(nnc_sweep_create(specs, "gpt2", "a1000", NULL, NULL, &none, &err), NNC_UNKNOWN_ID);
    ck_assert_ptr_null(none);
    ck_assert_int_eq(nnc_sweep_add(sweep, "micro_bacth", "1,2", &err), NNC_BAD_USAGE);
    ck_assert_str_eq(err.where, "micro_bacth");
    ck_assert_ptr_nonnull(strstr(err.what, "did you mean micro_batch?"));
    ck_assert_int_eq(nnc_sweep_add(sweep, "micro_batch", "0", &err), NNC_BAD_USAGE);
    ck_assert_int_eq(nnc_sweep_add(sweep, "micro_batch", "1,1", NULL), NNC_BAD_USAGE);
    ck_assert_int_eq(nnc_sweep_link(sweep, "micro_batch=1,2;seed", NULL), NNC_BAD_USAGE);
    ck_assert_int_eq(nnc_sweep_part(sweep, 3, 2, NULL), NNC_BAD_USAGE);
    ck_assert_int_eq(nnc_sweep_columns(sweep, "step_s,,mfu", NULL), NNC_BAD_USAGE);
    ck_assert_int_eq(nnc_sweep_columns(sweep, "stepp_s", &err), NNC_BAD_USAGE);
    ck_assert_str_eq(err.where, "columns");
    ck_assert_int_eq(nnc_sweep_where(sweep, "mfu >", &err), NNC_BAD_USAGE);
    ck_assert_str_eq(err.where, "where");
    /* after columns are set, no axis can be added */
    ck_assert_int_eq(nnc_sweep_add(sweep, "tensor", "1,2", &err), NNC_BAD_USAGE);
    ck_assert_int_eq(nnc_sweep_part(sweep, 1, 2, NULL), NNC_BAD_USAGE);
    ck_assert_int_eq(nnc_sweep_run(sweep, 0, keep, &kept, NULL, NULL), NNC_BAD_USAGE);
    ck_assert_int_eq(nnc_sweep_run(sweep, 257, keep, &kept, NULL, NULL), NNC_BAD_USAGE);
    ck_assert_int_eq(kept.count, 0);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        rows_equal_estimates, mixed_rows_keep_their_order,
        constraints_and_all,  parts_are_the_whole,
        a_row_ends_it,        refused,
    };
    return run_tests_with("sweep_library", open_sweep, close_sweep, tests, COUNT_OF(tests));
}
