/* Tests the statistics of prediction errors, and the predicted time of single kernels and collectives in measured rows.
 * */
#include "base/base_internal.h"
#include "lab/lab_internal.h"
#include "support.h"

static nnc_arena *arena;

static void open_both(void) {
    open_support();
    arena = nnc_arena_create();
    ck_assert_ptr_nonnull(arena);
}

static void close_both(void) {
    nnc_arena_destroy(arena);
    close_support();
}

START_TEST(an_even_number_of_errors) {
    double errors[] = { -0.4, 0.1, 0.3, -0.2 };
    nnc_score_stats stats = { 0 };
    nnc_errors_sum(errors, 4, &stats);
    ck_assert_double_eq_tol(stats.mape, 0.25, 1e-15);   /* mean of the absolute errors 0.4, 0.1, 0.3 and 0.2 */
    ck_assert_double_eq_tol(stats.median, 0.25, 1e-15); /* between 0.2 and 0.3 */
    /* the largest of 4 errors, because three errors are only 75 % */
    ck_assert_double_eq_tol(stats.p90, 0.4, 1e-15);
    ck_assert_double_eq_tol(stats.bias, -0.05, 1e-15); /* mean of the errors -0.4, 0.1, 0.3 and -0.2 */
}
END_TEST

START_TEST(ten_and_eleven_errors) {
    double errors[] = { 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 1.0, 2.0 };
    nnc_score_stats stats = { 0 };
    nnc_errors_sum(errors, 10, &stats);
    ck_assert_double_eq(stats.p90, 0.09); /* nine of ten errors are at or below 0.09 */
    ck_assert_double_eq_tol(stats.median, 0.055, 1e-15);
    nnc_errors_sum(errors, 11, &stats);
    ck_assert_double_eq(stats.p90, 1.0); /* ceil(9.9) = 10 of eleven */
    ck_assert_double_eq(stats.median, 0.06);
}
END_TEST

START_TEST(no_errors_have_no_statistics) {
    nnc_score_stats stats = { 0 };
    nnc_errors_sum(NULL, 0, &stats);
    ck_assert_int_eq(stats.scored, 0);
    ck_assert(isnan(stats.mape) && isnan(stats.median) && isnan(stats.p90) && isnan(stats.bias));
}
END_TEST

static nnc_measured step_row(const char *id, const char *undecided) {
    return (nnc_measured){ .id = id,
                           .file = "f",
                           .kind = NNC_MEASURED_STEP,
                           .device = "d",
                           .framework = "w",
                           .measured_s = 1.0,
                           .rounding = NAN,
                           .measured_bytes = { NAN, NAN, NAN },
                           .undecided = undecided };
}

static const nnc_score_group *find(const nnc_score_group *groups, int32_t count, nnc_score_section section,
                                   nnc_score_by by) {
    for (int32_t i = 0; i < count; i++) {
        if (groups[i].section == section && groups[i].by == by) { return &groups[i]; }
    }
    ck_abort_msg("no such group");
    return NULL;
}

START_TEST(rows_that_leave_something_open_stand_apart) {
    nnc_measured rows[] = { step_row("a", ""), step_row("b", "recompute"), step_row("c", ""), step_row("d", "") };
    rows[2].fitted = true;
    const nnc_scored scored[] = {
        { .row = &rows[0], .measured_s = 1, .error = 0.1, .low_s = 0.9, .high_s = 1.1, .memory_error = NAN },
        { .row = &rows[1], .measured_s = 1, .error = 9.0, .low_s = NAN, .high_s = NAN, .memory_error = NAN },
        { .row = &rows[2], .measured_s = 1, .error = -0.1, .low_s = 1.1, .high_s = 1.2, .memory_error = NAN },
        { .row = &rows[3], .error = NAN, .low_s = NAN, .high_s = NAN, .memory_error = NAN, .reason = "why" },
    };
    int32_t count = 0;
    const nnc_score_group *groups = nnc_score_groups(arena, scored, 4, &count);
    ck_assert_ptr_nonnull(groups);
    /* Each of two sections has groups by file, device and framework, and a total. Rows that a fit used are counted
     * separately from all other rows, per file and in total. The first section has rows that a fit used and rows that
     * no fit used; the second section has only one of these kinds. */
    ck_assert_int_eq(count, 8 + 4 + 2);
    const nnc_score_stats *fitted = &find(groups, count, NNC_SECTION_STEP, NNC_SCORE_FITTED)->stats;
    ck_assert_int_eq(fitted->scored, 1);
    ck_assert_double_eq(fitted->bias, -0.1);
    ck_assert_double_eq(find(groups, count, NNC_SECTION_STEP, NNC_SCORE_UNFITTED)->stats.bias, 0.1);
    const nnc_score_stats *total = &find(groups, count, NNC_SECTION_STEP, NNC_SCORE_IN_TOTAL)->stats;
    ck_assert_int_eq(total->rows, 3);
    ck_assert_int_eq(total->scored, 2);
    ck_assert_double_eq(total->mape, 0.1);
    ck_assert_double_eq(total->bias, 0.0);
    ck_assert_ptr_eq(total->worst, &scored[0]); /* of two equal errors, the first one counts as the worst */
    ck_assert_int_eq(total->intervals, 2);
    ck_assert_double_eq(total->inside, 0.5);
    const nnc_score_stats *apart = &find(groups, count, NNC_SECTION_STEP_APART, NNC_SCORE_BY_FILE)->stats;
    ck_assert_int_eq(apart->scored, 1);
    ck_assert_double_eq(apart->mape, 9.0);
}
END_TEST

START_TEST(a_bound_contradicts_past_the_rounding) {
    nnc_measured row = step_row("a", "");
    nnc_scored scored = { .row = &row, .measured_s = 1.0, .lower_bound_s = 1.01 };
    ck_assert(nnc_score_contradicts(&scored));
    row.rounding = 0.02;
    ck_assert(!nnc_score_contradicts(&scored));
    scored.lower_bound_s = NAN;
    ck_assert(!nnc_score_contradicts(&scored));
}
END_TEST

static nnc_scored score_text(const char *text, const nnc_device *device) {
    nnc_measured_file file;
    nnc_scored scored;
    nnc_error err = { 0 };
    const nnc_software software = nnc_software_default();
    ck_assert_msg(nnc_measured_parse(specs, "t", text, strlen(text), &file, &err) == NNC_OK, "%s: %s", err.where,
                  err.what);
    ck_assert_int_eq(file.count, 1);
    ck_assert_ptr_null(file.rows[0].reason);
    ck_assert_msg(nnc_score_row(&file.rows[0], file.rows[0].model, device, &software, &file.rows[0].plan, scratch,
                                &scored, &err) == NNC_OK,
                  "%s: %s", err.where, err.what);
    return scored;
}

START_TEST(a_product_takes_what_the_roofline_says) {
    const nnc_device device = plain_device();
    /* 2 x 1000^3 FLOPs at 100 TFLOP/s take 20 us; 6 MB at 1 TB/s take only 6 us. */
    const nnc_scored scored = score_text("id,hardware,dtype,m,n,k,time_us\na,plain,bf16,1000,1000,1000,25\n", &device);
    ck_assert_double_eq_tol(scored.predicted_s, 20e-6, 1e-15);
    ck_assert_double_eq_tol(scored.error, -0.2, 1e-12);
    ck_assert_double_eq_tol(scored.lower_bound_s, 20e-6, 1e-15);
}
END_TEST

/* A single PyTorch call waits for its host. If the host takes 10 us per kernel of a program, it takes 8 us for the
 * forward call and 50 us for the backward call. If a kernel takes longer than its launch, its time does not depend on
 * the host. A matrix side of 1001 values is not a multiple of 16 bytes. */
START_TEST(a_call_waits_for_its_host) {
    nnc_device device = plain_device();
    device.host.kernel_s = 1e-5;
    device.efficiency.gemm[NNC_BF16].unaligned_ratio = 3.0;
    const char *head = "id,hardware,dtype,m,n,k,time_us\n";
    char text[200];
    static const struct {
        const char *row;
        double seconds;
    } rows[] = { { "a-torch/x,plain,bf16,8,8,8,25\n", 8e-6 },
                 { "a-torch/x,plain,bf16,1000,1000,1000,25\n", 20e-6 },
                 { "a-torch/x,plain,bf16,1000,1001,1000,25\n", 3 * 20.02e-6 },
                 { "a/x,plain,bf16,1000,1001,1000,25\n", 20.02e-6 } };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        snprintf(text, sizeof text, "%s%s", head, rows[i].row);
        ck_assert_double_eq_tol(score_text(text, &device).predicted_s, rows[i].seconds, 1e-12);
    }
    static const char backward[] =
        "id,hardware,dtype,batch,seq_len,n_heads,n_kv_heads,head_dim,causal,kernel,op,time_us\n"
        "a-torch/x,plain,bf16,1,8,1,1,8,1,torch flash (FlashAttention-2),sdp_bwd,100\n";
    ck_assert_double_eq_tol(score_text(backward, &device).predicted_s, 50e-6, 1e-12);
}
END_TEST

/* A measured step fits the memory of its device. If a row leaves recomputation open, nncost takes the least
 * recomputation with which the step fits. The step has 16 layers: nncost first recomputes only norms and activations,
 * then some layers, then all layers. */
START_TEST(an_open_recomputation_is_the_least_that_fits) {
    static const char open[] = "id,hardware,n_devices,n_layers,d_model,n_heads,d_ff,vocab,seq_len,"
                               "dp,tp,micro_batch,grad_accum,measured_step_s\n"
                               "a,plain,1,16,256,4,1024,512,512,1,1,8,1,1\n";
    static const char full[] = "id,hardware,n_devices,n_layers,d_model,n_heads,d_ff,vocab,seq_len,"
                               "dp,tp,micro_batch,grad_accum,recompute,measured_step_s\n"
                               "a,plain,1,16,256,4,1024,512,512,1,1,8,1,full,1\n";
    nnc_device device = plain_device();
    const nnc_scored plenty = score_text(open, &device), all = score_text(full, &device);
    double before_s = plenty.predicted_s;
    device.mem_bytes = (int64_t)plenty.predicted_bytes;
    ck_assert_double_eq(score_text(open, &device).predicted_s, plenty.predicted_s);
    /* number of tenths of the memory that the step needs without recomputation */
    for (int part = 9; part >= 5; part--) {
        device.mem_bytes = (int64_t)(plenty.predicted_bytes * part / 10);
        const nnc_scored some = score_text(open, &device);
        ck_assert_double_le(some.predicted_bytes, (double)device.mem_bytes);
        ck_assert_double_ge(some.predicted_s, before_s);
        ck_assert_double_le(some.predicted_s, all.predicted_s);
        before_s = some.predicted_s;
    }
    ck_assert_double_gt(before_s, plenty.predicted_s);
    ck_assert_double_lt(before_s, all.predicted_s);
    device.mem_bytes = (int64_t)(plenty.predicted_bytes / 10);
    ck_assert_double_eq(score_text(open, &device).predicted_s, all.predicted_s);
}
END_TEST

/* On four devices, four replicas need two thirds more memory than the devices have. If a row leaves the parallelism
 * open, its verdict is that of two or four tensor ranks, and its time is that of four replicas. */
START_TEST(a_guessed_plan_is_split_until_it_fits) {
#define COLUMNS "id,hardware,n_devices,n_layers,d_model,n_heads,d_ff,vocab,seq_len,micro_batch,recompute,"
#define CELLS "a,plain,4,16,256,4,1024,512,512,4,none,"
    static const char open[] = COLUMNS "global_batch,open,measured_step_s\n" CELLS "16,parallelism,1\n";
    static const char stated[] = COLUMNS "dp,tp,grad_accum,measured_step_s\n" CELLS "4,1,1,1\n";
    nnc_device device = plain_device();
    device.scale_up = (nnc_scale_up){
        .kind = NNC_LINK_SWITCH, .devices = 4, .bytes_per_s = 1e11, .latency_s = 0.0, .knee_bytes = 0.0
    };
    const nnc_scored plenty = score_text(stated, &device);
    ck_assert_int_ne(plenty.fit, NNC_OVER_MEMORY);
    device.mem_bytes = (int64_t)(plenty.predicted_bytes * 0.6);
    ck_assert_int_eq(score_text(stated, &device).fit, NNC_OVER_MEMORY);
    const nnc_scored split = score_text(open, &device);
    ck_assert_int_ne(split.fit, NNC_OVER_MEMORY);
    ck_assert_double_le(split.predicted_bytes, (double)device.mem_bytes);
    ck_assert_double_eq(split.predicted_s, plenty.predicted_s);
#undef COLUMNS
#undef CELLS
}
END_TEST

START_TEST(causal_attention_runs_its_pairs) {
    const nnc_device device = plain_device();
    /* Forward has 4 d FLOPs per pair and head. There are 1000 x 1001 / 2 pairs and 10 heads of 100: 4 x 100 x 10 x
     * 500500 = 2.002e9 FLOPs, which take 20.02 us at 100 TFLOP/s. */
    const nnc_scored scored = score_text("id,hardware,dtype,batch,seq_len,n_heads,head_dim,causal,time_us\n"
                                         "a,plain,bf16,1,1000,10,100,1,20.02\n",
                                         &device);
    ck_assert_double_eq_tol(scored.error, 0.0, 1e-9);
}
END_TEST

START_TEST(a_collective_takes_what_its_links_say) {
    nnc_device device = plain_device();
    device.scale_up = (nnc_scale_up){
        .kind = NNC_LINK_SWITCH, .devices = 8, .bytes_per_s = 1e9, .latency_s = 0.0, .knee_bytes = 0.0
    };
    /* A rank gathers 7/8 of 8 MB from the other 7 ranks, at 1 GB/s. */
    const nnc_scored scored = score_text("id,hardware,op,bytes,n_devices,n_nodes,time_us\n"
                                         "a,plain,all_gather,8e6,8,1,7000\n",
                                         &device);
    ck_assert_double_eq_tol(scored.error, 0.0, 1e-12);
}
END_TEST

START_TEST(a_step_is_what_an_estimate_says) {
    const nnc_device device = plain_device();
    const nnc_software software = nnc_software_default();
    const nnc_scored scored = score_text("id,hardware,n_devices,n_layers,d_model,n_heads,d_ff,vocab,seq_len,gated_mlp,"
                                         "micro_batch,grad_accum,recompute,precision,measured_step_s,"
                                         "measured_peak_mem_gib,mem_stat\n"
                                         "a,plain,1,2,256,4,512,1024,128,1,4,1,none,bf16,1,1,allocated: torch\n",
                                         &device);
    const nnc_model model = llama(2, 256, 4, 4, 512, 1024, 128);
    nnc_plan plan = nnc_plan_default();
    nnc_result result;
    plan.micro_batch = 4;
    plan.precision = NNC_BF16;
    ck_assert_int_eq(nnc_estimate(&model, &device, &software, &plan, scratch, &result, NULL), NNC_OK);
    ck_assert_double_eq(scored.predicted_s, result.step_s);
    ck_assert_double_eq(scored.lower_bound_s, result.lower_bound_s);
    ck_assert_double_eq(scored.predicted_bytes, (double)result.memory.total_bytes);
    ck_assert_int_eq(scored.memory_stat, NNC_MEMORY_ALLOCATED);
    ck_assert_double_eq_tol(scored.memory_error, (double)result.memory.total_bytes / 1073741824.0 - 1.0, 1e-12);
}
END_TEST

/* The host works half a second per pass and a quarter of a second per sample, and a pass has four samples. If the plan
 * uses all devices of a host, the input rate of the host, 2 samples a second, limits the step: 4 samples take 2 s. */
START_TEST(a_program_may_work_on_its_host) {
    const nnc_device device = plain_device();
    const nnc_software software = nnc_software_default();
    const nnc_scored alone = score_text("id,hardware,n_devices,n_layers,d_model,n_heads,d_ff,vocab,seq_len,gated_mlp,"
                                        "micro_batch,grad_accum,recompute,precision,measured_step_s\n"
                                        "a,plain,1,2,256,4,512,1024,128,1,4,1,none,bf16,1\n",
                                        &device);
    nnc_measured row = *alone.row;
    nnc_scored scored;
    row.host_pass_s = 0.5;
    row.host_sample_s = 0.25;
    ck_assert_int_eq(nnc_score_row(&row, row.model, &device, &software, &row.plan, scratch, &scored, NULL), NNC_OK);
    ck_assert_double_eq_tol(scored.predicted_s, alone.predicted_s + 1.5, 1e-12);
    row.input_samples_per_s = 2.0; /* the rate is that of the whole host, but only some of its devices train */
    row.plan.devices_per_node = 8;
    ck_assert_int_eq(nnc_score_row(&row, row.model, &device, &software, &row.plan, scratch, &scored, NULL), NNC_OK);
    ck_assert_double_eq_tol(scored.predicted_s, alone.predicted_s + 1.5, 1e-12);
    row.plan.devices_per_node = 1;
    ck_assert_int_eq(nnc_score_row(&row, row.model, &device, &software, &row.plan, scratch, &scored, NULL), NNC_OK);
    ck_assert_double_eq_tol(scored.predicted_s, 2.0, 1e-12);
}
END_TEST

/* 1,000 requests a second were served, more than nncost predicts. nncost then compares the seconds per request, because
 * the predicted queue has no limit. */
START_TEST(a_rate_past_saturation_is_compared_by_itself) {
    const nnc_model *model = NULL;
    const nnc_device *device = NULL;
    const nnc_software *engine = NULL;
    nnc_measured_file file;
    nnc_serve serve;
    nnc_error err = { 0 };
    const char *text = "id,device,model,weights,framework,mode,request_rate,input_len,output_len,ttft_s\n"
                       "a,h100,llama3-8b,bf16,neutral-engine,open-loop,1000,500,100,0.1\n";
    ck_assert_int_eq(nnc_measured_parse(specs, "t", text, strlen(text), &file, &err), NNC_OK);
    ck_assert_int_eq(nnc_model_load(specs, "llama3-8b", &model, &err), NNC_OK);
    ck_assert_int_eq(nnc_device_load(specs, "h100", &device, &err), NNC_OK);
    ck_assert_int_eq(nnc_software_load(specs, "neutral-engine", &engine, &err), NNC_OK);
    const nnc_measured *row = &file.rows[0];
    nnc_scored scored;
    ck_assert_int_eq(nnc_serve_of(model, device, engine, &row->ask, scratch, &serve, &err), NNC_OK);
    ck_assert(serve.saturated && isinf(serve.ttft_s));
    ck_assert_int_eq(nnc_score_row(row, model, device, engine, &row->plan, scratch, &scored, &err), NNC_OK);
    ck_assert_double_eq(scored.measured_s, 0.001);
    ck_assert_double_eq_tol(scored.error, 1000.0 / serve.saturation_rate - 1.0, 1e-12);
    ck_assert(scored.lower_bound_s < scored.predicted_s && !isinf(scored.high_s));
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        an_even_number_of_errors,
        ten_and_eleven_errors,
        no_errors_have_no_statistics,
        rows_that_leave_something_open_stand_apart,
        a_bound_contradicts_past_the_rounding,
        a_product_takes_what_the_roofline_says,
        a_call_waits_for_its_host,
        an_open_recomputation_is_the_least_that_fits,
        a_guessed_plan_is_split_until_it_fits,
        causal_attention_runs_its_pairs,
        a_collective_takes_what_its_links_say,
        a_step_is_what_an_estimate_says,
        a_program_may_work_on_its_host,
        a_rate_past_saturation_is_compared_by_itself,
    };
    return run_tests_with("score", open_both, close_both, tests, COUNT_OF(tests));
}
