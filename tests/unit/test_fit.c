/* Tests the fit of efficiency parameters. The rows are computed from known parameters, and the fit must find these
 * parameters. */
#include "base/base_internal.h"
#include "lab/lab_internal.h"
#include "support.h"

enum { ROWS_MAX = 64 };

static nnc_measured rows[ROWS_MAX];
static nnc_fit_row fit_rows[ROWS_MAX];
static nnc_fit fit;
static nnc_device start;
static nnc_model models[ROWS_MAX];
static nnc_software software;
static int32_t count;

static void open_all(void) {
    open_support();
    start = plain_device();
    start.units = 100;
    start.scale_up = (nnc_scale_up){
        .kind = NNC_LINK_SWITCH, .devices = 8, .bytes_per_s = 100e9, .latency_s = 1e-6, .knee_bytes = NAN
    };
    start.scale_out =
        (nnc_scale_out){ .bytes_per_s = 10e9, .latency_s = 1e-5, .knee_bytes = NAN, .oversubscription = NAN };
    software = nnc_software_default();
    memset(&fit, 0, sizeof fit);
    count = 0;
}

static nnc_measured *new_row(nnc_measured_kind kind) {
    static const char *const ids = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-+";
    nnc_measured *row = &rows[count];
    *row = (nnc_measured){ .id = ids + count,
                           .file = "f",
                           .kind = kind,
                           .device = "plain",
                           .framework = "",
                           .plan = nnc_plan_default(),
                           .internode_bytes_per_s = NAN,
                           .rounding = NAN,
                           .measured_bytes = { NAN, NAN, NAN },
                           .undecided = "" };
    models[count] = gpt(4, 1024, 16, 32000, 1024);
    fit_rows[count] = (nnc_fit_row){ .row = row,
                                     .model = &models[count],
                                     .device = &start,
                                     .software = &software,
                                     .plan = row->plan,
                                     .digest = nnc_digest_text(NNC_DIGEST_START, row->id) };
    return &rows[count++];
}

static void add_product(int64_t m, int64_t n, int64_t k) {
    nnc_measured *row = new_row(NNC_MEASURED_GEMM);
    row->op = (nnc_op){ .name = "gemm",
                        .kind = NNC_OP_MATMUL,
                        .dtype = NNC_BF16,
                        .math_dtype = NNC_BF16,
                        .repeat = 1,
                        .block = -1,
                        .grad_bytes = 2.0,
                        .u.matmul = { .batch = 1, .m = m, .n = n, .k = k, .b_shared = 1, .kept_divisor = 1 } };
}

static void add_step(int64_t hidden, int64_t seq_len, int64_t micro_batch) {
    nnc_measured *row = new_row(NNC_MEASURED_STEP);
    nnc_fit_row *r = &fit_rows[count - 1];
    row->plan.micro_batch = micro_batch;
    row->plan.micro_batches = 1;
    row->plan.seq_len = seq_len;
    r->plan = row->plan;
    models[count - 1] = gpt(4, hidden, hidden / 64, 32000, seq_len);
}

/* Sets the measured time of every row to the time that the device `truth` predicts. */
static void measure(const nnc_device *truth) {
    for (int32_t i = 0; i < count; i++) {
        nnc_scored scored;
        nnc_error err = { 0 };
        const nnc_fit_row *r = &fit_rows[i];
        ck_assert_msg(nnc_score_row(r->row, r->model, truth, r->software, &r->plan, scratch, &scored, &err) == NNC_OK,
                      "%s: %s", err.where, err.what);
        rows[i].measured_s = scored.predicted_s;
    }
}

static void begin_fit(void) {
    memset(&fit, 0, sizeof fit);
    fit.scratch = scratch;
    fit.rows = fit_rows;
    fit.row_count = count;
    nnc_fit_group_rows(&fit);
}

static void run_fit(void) {
    nnc_error err = { 0 };
    for (int32_t i = 0; i < fit.parameter_count; i++) {
        nnc_parameter_place place;
        nnc_fit_parameter *parameter = &fit.parameters[i];
        ck_assert_msg(nnc_parameter_find(&start, parameter->name, &place, &err) == NNC_OK, "%s: %s", err.where,
                      err.what);
        parameter->offset = (size_t)((char *)place.value - (char *)&start);
        parameter->before = *place.value;
    }
    ck_assert_int_eq(nnc_fit_run(&fit, &err), NNC_OK);
}

static const nnc_fit_parameter *parameter(const char *name) {
    for (int32_t i = 0; i < fit.parameter_count; i++) {
        if (strcmp(fit.parameters[i].name, name) == 0) { return &fit.parameters[i]; }
    }
    ck_abort_msg("%s is not there", name);
    return NULL;
}

static void check_value(const char *name, double expected) {
    const nnc_fit_parameter *f = parameter(name);
    ck_assert_msg(f->reason == NULL, "%s %s", name, f->reason);
    ck_assert_msg(fabs(f->value / expected - 1.0) < 0.01, "%s: expected %g, found %g", name, expected, f->value);
}

/* Adds forty products. Large products determine the rate, thin products the memory bandwidth, tiny products the fixed
 * time. */
static void add_products(void) {
    static const int64_t m[] = { 16, 128, 640, 1536, 8192 }, n[] = { 512, 4096 }, k[] = { 64, 512, 4096, 16384 };
    for (int a = 0; a < 5; a++) {
        for (int b = 0; b < 2; b++) {
            for (int c = 0; c < 4; c++) { add_product(m[a], n[b], k[c]); }
        }
    }
}

static nnc_device device_of_products(void) {
    nnc_device truth = start;
    nnc_gemm_efficiency *e = &truth.efficiency.gemm[NNC_BF16];
    truth.efficiency.fitted = true;
    *e = (nnc_gemm_efficiency){ .sustained_fraction = 0.72,
                                .boost_ratio = 1.1,
                                .memory_fraction = 0.63,
                                .fixed_s = 4e-6,
                                .k_fill = 120.0,
                                .l2_bytes_per_flop = 0.026,
                                .l2_bytes_per_s = (double)NAN,
                                .wave_quantization = 0.6,
                                .unaligned_ratio = 1.0 };
    return truth;
}

START_TEST(constants_of_products_come_back) {
    const nnc_device truth = device_of_products();
    add_products();
    measure(&truth);
    start.efficiency = truth.efficiency;
    nnc_gemm_efficiency *e = &start.efficiency.gemm[NNC_BF16];
    e->sustained_fraction *= 0.8;
    e->boost_ratio = 1.03;
    e->memory_fraction *= 1.2;
    e->fixed_s *= 0.5;
    e->k_fill *= 1.6;
    e->l2_bytes_per_flop *= 1.3;
    e->wave_quantization = 0.3;
    begin_fit();
    nnc_fit_choose(&fit);
    run_fit();
    check_value("efficiency.gemm.bf16.sustained_fraction", 0.72);
    check_value("efficiency.gemm.bf16.boost_ratio", 1.1);
    check_value("efficiency.gemm.bf16.memory_fraction", 0.63);
    check_value("efficiency.gemm.bf16.fixed_s", 4e-6);
    check_value("efficiency.gemm.bf16.k_fill", 120.0);
    check_value("efficiency.gemm.bf16.l2_bytes_per_flop", 0.026);
    check_value("efficiency.gemm.bf16.wave_quantization", 0.6);
    ck_assert_int_eq(fit.groups[0].parts, 5);
    ck_assert_double_lt(fit.groups[0].after.mape, 0.002);
    ck_assert_double_lt(fit.groups[0].crossed.mape, 0.01);
    ck_assert_double_gt(fit.groups[0].before.mape, 0.05);
}
END_TEST

START_TEST(a_neutral_device_starts_from_usual_figures) {
    const nnc_device truth = device_of_products();
    add_products();
    measure(&truth);
    begin_fit();
    nnc_fit_choose(&fit);
    run_fit();
    ck_assert_double_lt(fit.groups[0].after.mape, 0.02);
}
END_TEST

START_TEST(few_products_move_one_figure) {
    const nnc_device truth = device_of_products();
    add_product(4096, 4096, 4096);
    add_product(8192, 4096, 4096);
    measure(&truth);
    begin_fit();
    nnc_fit_choose(&fit);
    run_fit();
    ck_assert_ptr_null(parameter("efficiency.gemm.bf16.sustained_fraction")->reason);
    ck_assert_ptr_nonnull(parameter("efficiency.gemm.bf16.k_fill")->reason);
    ck_assert_int_eq(fit.groups[0].parts, 2);
}
END_TEST

START_TEST(one_step_gives_the_machine_factor) {
    nnc_device truth = start;
    add_step(2048, 1024, 8);
    truth.efficiency.calibration = 0.55;
    measure(&truth);
    begin_fit();
    nnc_fit_choose(&fit);
    run_fit();
    check_value("efficiency.calibration", 0.55);
    ck_assert_double_lt(fabs(fit_rows[0].after), 1e-3);
    ck_assert_int_eq(fit.groups[0].parts, 0); /* too few rows to cross-validate */
    ck_assert(isnan(fit.groups[0].crossed.mape));
    ck_assert_ptr_nonnull(parameter("efficiency.pointwise.memory_fraction")->reason);
}
END_TEST

static void add_steps(void) {
    for (int i = 0; i < 10; i++) { add_step(i % 2 == 0 ? 1024 : 4096, 512 << (i % 3), 1 + i % 4); }
}

START_TEST(steps_of_several_shapes_give_two_figures) {
    nnc_device truth = start;
    add_steps();
    truth.efficiency.fitted = true;
    truth.efficiency.calibration = 0.7;
    truth.efficiency.pointwise.memory_fraction = 0.45;
    measure(&truth);
    begin_fit();
    nnc_fit_choose(&fit);
    run_fit();
    check_value("efficiency.calibration", 0.7);
    check_value("efficiency.pointwise.memory_fraction", 0.45);
}
END_TEST

/* Six steps with logits of 32,001 columns determine the ratio for the gradients of unaligned products. If the device
 * file has no ratio for forward, the six steps determine the ratio for forward, too. Four unaligned steps are not
 * enough, so they belong to the fit group of the aligned steps. */
START_TEST(unaligned_steps_give_their_ratio) {
    for (int stated = 0; stated < 2; stated++) {
        open_all();
        for (int i = 0; i < 6; i++) {
            add_step(512 << (i % 3), 1024, 8 + i);
            models[i].decoder.vocab = 32001;
            fit_rows[i].plan.precision = rows[i].plan.precision = NNC_BF16;
        }
        software.lists_operators = true; /* a software profile of a program that does not pad products */
        start.host.kernel_s = 0.0;
        start.efficiency.fitted = true;
        start.efficiency.gemm[NNC_BF16].unaligned_ratio = stated ? 6.0 : 1.0;
        nnc_device truth = start;
        truth.efficiency.gemm[NNC_BF16].unaligned_ratio = stated ? 6.0 : 3.0;
        truth.efficiency.gemm[NNC_BF16].unaligned_backward_ratio = 3.0;
        measure(&truth);
        begin_fit();
        ck_assert_str_eq(fit.groups[0].name, "unaligned steps bf16");
        nnc_fit_choose(&fit);
        ck_assert_int_eq(fit.parameter_count, 1);
        run_fit();
        check_value(stated ? "efficiency.gemm.bf16.unaligned_backward_ratio" : "efficiency.gemm.bf16.unaligned_ratio",
                    3.0);
        fit_rows[0].held = fit_rows[1].held = true;
        begin_fit();
        ck_assert_str_eq(fit.groups[0].name, "steps");
    }
}
END_TEST

/* All unaligned steps are of one model, so no other model determines their ratio. If a fit leaves out the unaligned
 * model, the errors of the steps of this model remain above 5 %. */
START_TEST(a_group_of_one_model_is_not_its_own_judge) {
    static const char *const names[] = { "a", "b" };
    software.lists_operators = true;
    start.host.kernel_s = 0.0;
    start.efficiency.fitted = true;
    start.efficiency.gemm[NNC_BF16].unaligned_ratio = 6.0;
    for (int i = 0; i < 12; i++) {
        add_step(i % 2 == 0 ? 1024 : 2048, 1024, 4 + i);
        models[i].decoder.vocab = i < 6 ? 32001 : 32000;
        rows[i].model_name = i < 6 ? "c" : names[i % 2];
        fit_rows[i].plan.precision = rows[i].plan.precision = NNC_BF16;
    }
    nnc_device truth = start;
    truth.efficiency.gemm[NNC_BF16].unaligned_backward_ratio = 2.0;
    measure(&truth);
    begin_fit();
    nnc_fit_choose(&fit);
    run_fit();
    ck_assert_double_gt(fabs(fit_rows[0].left), 0.05);
    ck_assert_double_lt(fabs(fit_rows[0].after), 0.01);
    ck_assert_double_lt(fabs(fit_rows[6].left), 0.01);
}
END_TEST

/* All steps have the same hidden size. With one hidden size, slower products and slower memory have the same effect, so
 * the fit changes only one parameter. */
START_TEST(steps_of_one_shape_give_one_figure) {
    for (int i = 0; i < 6; i++) { add_step(1024, 1024, i + 1); }
    measure(&start);
    begin_fit();
    nnc_fit_choose(&fit);
    run_fit();
    ck_assert_ptr_null(parameter("efficiency.calibration")->reason);
    ck_assert_ptr_nonnull(parameter("efficiency.pointwise.memory_fraction")->reason);
}
END_TEST

START_TEST(collectives_of_a_domain_come_back) {
    nnc_device truth = start;
    for (int i = 0; i < 24; i++) {
        nnc_measured *row = new_row(NNC_MEASURED_COLLECTIVE);
        row->collective = (nnc_measured_collective){ NNC_ALL_REDUCE, 2 << (i % 3), 1, 1e4 * pow(4.0, i % 8) };
    }
    truth.efficiency.fitted = truth.efficiency.collectives.fitted = true;
    truth.efficiency.collectives.all_reduce = (nnc_collective_efficiency){
        .fixed_s = 6e-6, .log2_s = 2.5e-6, .bus_fraction = 0.8, .knee_bytes = 3e6, .small_group_loss = 0.6
    };
    measure(&truth);
    begin_fit();
    nnc_fit_choose(&fit);
    run_fit();
    check_value("efficiency.collectives.all_reduce.bus_fraction", 0.8);
    check_value("efficiency.collectives.all_reduce.fixed_s", 6e-6);
    check_value("efficiency.collectives.all_reduce.log2_s", 2.5e-6);
    check_value("efficiency.collectives.all_reduce.knee_bytes", 3e6);
    check_value("efficiency.collectives.all_reduce.small_group_loss", 0.6);
}
END_TEST

START_TEST(the_same_rows_give_the_same_digits) {
    nnc_device truth = device_of_products();
    add_products();
    measure(&truth);
    for (int32_t i = 0; i < count; i++) { rows[i].measured_s *= i % 3 == 0 ? 1.04 : 0.98; /* no fit is perfect */ }
    begin_fit();
    nnc_fit_choose(&fit);
    run_fit();
    const nnc_fit first = fit;
    begin_fit();
    nnc_fit_choose(&fit);
    run_fit();
    for (int32_t i = 0; i < fit.parameter_count; i++) {
        ck_assert_double_eq(fit.parameters[i].value, first.parameters[i].value);
    }
    ck_assert_double_eq(fit.groups[0].crossed.mape, first.groups[0].crossed.mape);
}
END_TEST

START_TEST(held_out_rows_have_no_say) {
    nnc_device truth = start;
    add_steps();
    truth.efficiency.calibration = 0.7;
    measure(&truth);
    for (int32_t i = 5; i < count; i++) {
        fit_rows[i].held = true;
        rows[i].measured_s *= 2.0;
    }
    begin_fit();
    ck_assert(nnc_fit_add(&fit, "efficiency.calibration"));
    run_fit();
    check_value("efficiency.calibration", 0.7);
    ck_assert_int_eq(fit.groups[0].held, 5);
    ck_assert_double_eq_tol(fit.groups[0].held_after.mape, 0.5, 1e-3); /* 1 / 2 - 1 */
}
END_TEST

/* The products were measured one call at a time, so their times include the launch of a call. The device predicts the
 * steps exactly. A fixed time that is fitted to these single products would add the launch of a call to each product of
 * a step, so the fit must not keep this fixed time. */
START_TEST(kernels_leave_the_steps_as_good_as_they_were) {
    add_products();
    const int32_t products = count;
    add_steps();
    measure(&start);
    for (int32_t i = 0; i < products; i++) { rows[i].measured_s += 2e-3; }
    begin_fit();
    nnc_fit_choose(&fit);
    run_fit();
    int32_t taken_back = 0;
    for (int32_t i = 0; i < fit.parameter_count; i++) {
        const nnc_fit_parameter *p = &fit.parameters[i];
        taken_back += p->reason != NULL && strcmp(p->reason, "increases the error of the measured steps") == 0;
    }
    ck_assert_int_gt(taken_back, 0);
    for (int32_t g = 0; g < fit.group_count; g++) {
        const bool steps = fit.groups[g].kind == NNC_MEASURED_STEP;
        ck_assert(!steps || fit.groups[g].after.mape < 1e-3);
        ck_assert(fit.groups[g].after.mape <= fit.groups[g].before.mape + 1e-9);
    }
}
END_TEST

START_TEST(a_figure_that_changes_nothing_is_left) {
    add_steps();
    measure(&start);
    begin_fit();
    ck_assert(nnc_fit_add(&fit, "efficiency.calibration"));
    ck_assert(nnc_fit_add(&fit, "efficiency.conv.sustained_fraction"));
    run_fit();
    ck_assert_ptr_null(parameter("efficiency.calibration")->reason);
    ck_assert_ptr_nonnull(parameter("efficiency.conv.sustained_fraction")->reason);
    ck_assert(isnan(parameter("efficiency.conv.sustained_fraction")->value));
}
END_TEST

/* ---- the device file ---- */

#define SHIPPED NNCOST_SOURCE_DIR "/hw/a100-sxm4-80gb.json"

static nnc_device rewrite(const nnc_device_change *change, const char **text) {
    nnc_error err = { 0 };
    nnc_device device;
    size_t size = 0;
    ck_assert_msg(nnc_device_rewrite(specs, SHIPPED, change, text, &size, &err) == NNC_OK, "%s: %s", err.where,
                  err.what);
    ck_assert_uint_eq(size, strlen(*text));
    ck_assert_msg(nnc_device_parse_into(specs, change->id, *text, size, &device, &err) == NNC_OK, "%s: %s", err.where,
                  err.what);
    return device;
}

START_TEST(a_written_device_differs_in_its_figures_only) {
    const nnc_fitted_value values[] = {
        { "efficiency.calibration", 0.9125, "here" },
        { "efficiency.gemm.bf16.k_fill", 99.5, "there" },
        { "efficiency.gemm.tf32.sustained_fraction", 0.5, "there" },
    };
    const nnc_device_change change = { "mine", NNC_BASIS_KERNELS, values, 3, false };
    const char *text = NULL;
    const nnc_device *old = load_device("hw/a100-sxm4-80gb.json");
    const nnc_device device = rewrite(&change, &text);
    nnc_efficiencies expected = old->efficiency;
    expected.calibration = 0.9125;
    expected.gemm[NNC_BF16].k_fill = 99.5;
    expected.gemm[NNC_TF32].sustained_fraction = 0.5;
    ck_assert_str_eq(device.id, "mine");
    ck_assert_int_eq(device.alias_count, 0);
    ck_assert_int_eq(device.source_count, old->source_count + 1);     /* of the machine */
    ck_assert_int_eq(device.efficiency.basis, old->efficiency.basis); /* steps stay steps */
    ck_assert_double_eq(device.efficiency.calibration, 0.9125);
    ck_assert_double_eq(device.efficiency.gemm[NNC_BF16].k_fill, 99.5);
    ck_assert_double_eq(device.efficiency.gemm[NNC_BF16].sustained_fraction,
                        expected.gemm[NNC_BF16].sustained_fraction);
    ck_assert_double_eq(device.efficiency.gemm[NNC_TF32].sustained_fraction, 0.5);
    ck_assert_mem_eq(&device.efficiency.collectives, &expected.collectives, sizeof expected.collectives);
    ck_assert_mem_eq(&device.efficiency.attention, &expected.attention, sizeof expected.attention);
    ck_assert_ptr_nonnull(strstr(text, "\"k_fill: there; the rest: "));
}
END_TEST

START_TEST(a_device_without_changes_keeps_its_bytes) {
    const nnc_device_change change = { "a100-sxm4-80gb", NNC_BASIS_NONE, NULL, 0, false };
    const char *text = NULL;
    const nnc_device *old = load_device("hw/a100-sxm4-80gb.json");
    const nnc_device device = rewrite(&change, &text);
    ck_assert_int_eq(device.alias_count, old->alias_count);
    ck_assert_mem_eq(&device.efficiency.gemm[NNC_BF16], &old->efficiency.gemm[NNC_BF16], sizeof(nnc_gemm_efficiency));
    ck_assert_ptr_null(strstr(text, "the rest: "));
}
END_TEST

START_TEST(what_is_no_figure_is_refused) {
    nnc_parameter_place place;
    nnc_error err = { 0 };
    ck_assert_int_eq(nnc_parameter_find(&start, "calibration", &place, &err), NNC_OK);
    ck_assert_str_eq(place.name, "efficiency.calibration");
    ck_assert_int_eq(nnc_parameter_find(&start, "calibratoin", &place, &err), NNC_BAD_USAGE);
    ck_assert_ptr_nonnull(strstr(err.what, "calibration"));
    ck_assert_int_eq(nnc_parameter_find(&start, "basis", &place, &err), NNC_BAD_USAGE);
    ck_assert_int_eq(nnc_parameter_find(&start, "gemm.bf16", &place, &err), NNC_BAD_USAGE);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("fit");
    TCase *tests = add_case(suite, "fit", open_all, close_support);
    if (nnc_minimise_available(NULL) == NNC_OK) {
        tcase_add_test(tests, constants_of_products_come_back);
        tcase_add_test(tests, a_neutral_device_starts_from_usual_figures);
        tcase_add_test(tests, few_products_move_one_figure);
        tcase_add_test(tests, one_step_gives_the_machine_factor);
        tcase_add_test(tests, steps_of_several_shapes_give_two_figures);
        tcase_add_test(tests, unaligned_steps_give_their_ratio);
        tcase_add_test(tests, a_group_of_one_model_is_not_its_own_judge);
        tcase_add_test(tests, steps_of_one_shape_give_one_figure);
        tcase_add_test(tests, collectives_of_a_domain_come_back);
        tcase_add_test(tests, the_same_rows_give_the_same_digits);
        tcase_add_test(tests, held_out_rows_have_no_say);
        tcase_add_test(tests, kernels_leave_the_steps_as_good_as_they_were);
        tcase_add_test(tests, a_figure_that_changes_nothing_is_left);
    }
    tcase_add_test(tests, a_written_device_differs_in_its_figures_only);
    tcase_add_test(tests, a_device_without_changes_keeps_its_bytes);
    tcase_add_test(tests, what_is_no_figure_is_refused);
    return run_suite(suite);
}
