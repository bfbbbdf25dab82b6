/* Compares predictions for whole training runs with published numbers: failures, device-hours, energy, carbon, loaders
 * and budgets. The numbers are rows of tests/published/runs.csv and loaders.csv, and exercises of textbooks on training
 * systems. */
#include <stdlib.h>

#include "input/input_internal.h"
#include "run_cases.h"

/* ---- tables ---- */

enum { NAME, HOURS, WATTS, PUE, GRAMS, MWH, TONNES, TOLERANCE, RUN_CELLS = 9 };
enum { ID, DEVICES = 2, BATCH, STEP, SAMPLE_BYTES, STORAGE, PREPARE, WORKERS, SERIAL, MEASURED, LOADER_CELLS = 12 };

/* Calls `check` for every row below the column names. Returns the number of rows. */
static int each_row(const char *path, int cells, void (*check)(char *const *cells)) {
    char *text = NULL;
    size_t size = 0;
    bool more = true;
    int rows = -1;
    nnc_error err;
    ck_assert_int_eq(nnc_file_read(path, &text, &size, &err), NNC_OK);
    nnc_csv csv = nnc_csv_begin(path, text, size);
    ck_assert_int_eq(nnc_csv_next(&csv, &more, &err), NNC_OK);
    for (; more; rows++) {
        ck_assert_int_eq(csv.count, cells);
        if (rows >= 0) { check(csv.cells); }
        ck_assert_int_eq(nnc_csv_next(&csv, &more, &err), NNC_OK);
    }
    free(text);
    return rows;
}

static double cell(const char *text) { return *text != '\0' ? strtod(text, NULL) : (double)NAN; }

static void within(const char *name, const char *what, double found, double published, double share) {
    ck_assert_msg(isnan(published) || relative(found, published) <= share, "%s: %s %.6g, published %.6g", name, what,
                  found, published);
}

/* ---- energy and carbon ---- */

static void check_published_run(char *const *cells) {
    nnc_plan plan = devices_of(64);
    nnc_run_ask ask = nnc_run_ask_default();
    ask.device_hours = cell(cells[HOURS]);
    ask.idle_w = ask.busy_w = cell(cells[WATTS]);
    ask.pue = cell(cells[PUE]);
    ask.carbon_g_per_kwh = cell(cells[GRAMS]);
    const nnc_run run = run_of(&plan, &ask);
    CLOSE(run.device_hours, ask.device_hours, 1e-12);
    /* energy is published in whole MWh */
    within(cells[NAME], "MWh", run.energy_j / 3.6e9, cell(cells[MWH]),
           fmax(cell(cells[TOLERANCE]), 1.0 / cell(cells[MWH])));
    within(cells[NAME], "t CO2e", run.carbon_kg / 1e3, cell(cells[TONNES]), cell(cells[TOLERANCE]));
}

START_TEST(published_totals_of_energy) {
    ck_assert_int_eq(each_row(NNCOST_SOURCE_DIR "/tests/published/runs.csv", RUN_CELLS, check_published_run), 27);
}
END_TEST

/* BLOOM, arXiv:2211.02001. Idle nodes use 256,646 kWh. Manufacturing emits 2,500 kg per server of eight devices and 150
 * kg per device; they are used for six years, 85 % of the time. */
START_TEST(bloom_beside_its_training) {
    const nnc_plan plan = devices_of(384);
    nnc_run_ask ask = nnc_run_ask_default();
    ask.device_hours = 1082990.0;
    ask.embodied_kg = 2500.0 / 8.0 + 150.0;
    ask.life_s = 6.0 * 365.0 * DAY;
    ask.use_share = 0.85;
    ask.carbon_g_per_kwh = 57.0;
    ask.idle_w = ask.busy_w = 256646e3 / ask.device_hours;
    const nnc_run run = run_of(&plan, &ask);
    CLOSE(run.embodied_carbon_kg, 11.2115e3, 1e-4);
    CLOSE(run.carbon_kg, 14.6288e3, 1e-4);
}
END_TEST

/* Power logs of MLPerf Training v4.0 and v5.0: LoRA of Llama 2 70B on one node. In GPT-3, a node draws 1.22 times the
 * rated power of its devices. */
START_TEST(measured_nodes) {
    const nnc_plan plan = devices_of(8);
    static const double nodes[][3] = { { 7170.0, 1797.0, 3.57903 }, { 9584.0, 657.0, 1.74908 } };
    for (size_t i = 0; i < COUNT_OF(nodes); i++) {
        nnc_run_ask ask = nnc_run_ask_default();
        ask.days = nodes[i][1] / DAY;
        ask.idle_w = ask.busy_w = nodes[i][0] / 8.0;
        CLOSE(run_of(&plan, &ask).energy_j / 3.6e6, nodes[i][2], 1e-5);
    }
    const nnc_device *h100 = NULL;
    ck_assert_int_eq(nnc_device_load(specs, "h100", &h100, NULL), NNC_OK);
    CLOSE(6839.0 / 8.0 / h100->power_w, 1.22125, 1e-5);
    /* the device file has the power of the node divided by 8 devices */
    CLOSE(h100->node_power.busy_w, 7170.0 / 8.0, 1e-3);
}
END_TEST

/* ---- failures ---- */

START_TEST(published_failures) {
    nnc_plan plan = devices_of(16384);
    nnc_run_ask ask = nnc_run_ask_default();
    /* Llama 3 has a goodput of 90 % if each stop loses at most 18.56 minutes and saves take no time. */
    ask.days = 54.0;
    ask.device_mtbf_s = 50677.0 * HOUR;
    ask.block_s = ask.save_s = ask.load_s = ask.start_s = 0.0;
    ask.detect_s = 18.5585 * 60.0;
    ask.checkpoint_interval_s = 1e-6;
    CLOSE(run_of(&plan, &ask).first_order, 0.9, 1e-6);

    /* RSC-1, arXiv:2410.21680: 6.50 stops per 1,000 node-days. The test applies this rate to 16,384 devices. */
    ask.device_mtbf_s = 1000.0 * DAY * 8.0 / 6.5;
    CLOSE(ask.device_mtbf_s / HOUR, 29538.5, 1e-5);
    CLOSE(run_of(&plan, &ask).system_mtbf_s / HOUR, 1.80288, 1e-5);

    /* 2,048 nodes: 419 x 0.78 failures in 54 days each take a node out of service for two days. The run needs 21
     * spares. */
    ask.device_mtbf_s = 54.0 * DAY * 16384.0 / 419.0;
    ask.failing_share = 0.78;
    const nnc_run spared = run_of(&plan, &ask);
    CLOSE(spared.nodes_out, 12.1044, 1e-5);
    ck_assert_double_eq(spared.spares_needed, 21.0);
    CLOSE(spared.short_share, 0.00666607, 1e-5);
    CLOSE(spared.spares_needed / spared.nodes, 0.0102539, 1e-5);

    /* Llama 3 405B: a checkpoint of 14 bytes per parameter is written at 2 TB/s, and a restart takes 900 s. The second
     * case has the asynchronous save that arXiv:2407.20143 measured. */
    ask = nnc_run_ask_default();
    ask.days = 54.0;
    ask.device_mtbf_s = 54.0 * DAY * 16384.0 / 419.0;
    ask.checkpoint_bytes = 405e9 * 14.0;
    ask.storage_write_bytes_per_s = 2e12;
    ask.detect_s = 900.0;
    ask.start_s = ask.load_s = 0.0;
    nnc_run run = run_of(&plan, &ask);
    CLOSE(run.block_s, 2.835, 1e-9);
    CLOSE(run.interval_s, 249.382, 1e-5);
    CLOSE(run.goodput, 0.901697, 1e-5);
    CLOSE(run.first_order, 0.896608, 1e-5);
    ask.asynchronous = true;
    ask.block_s = 0.59;
    ask.save_s = 51.06;
    ask.detect_s = 760.0;
    run = run_of(&plan, &ask);
    CLOSE(run.interval_s, 114.627, 1e-5);
    CLOSE(run.goodput, 0.920213, 1e-5);

    /* BLOOM: a checkpoint of 2.3 TB takes 40 s every three hours, with one stop a week. */
    plan = devices_of(384);
    ask = nnc_run_ask_default();
    ask.days = 118.0;
    ask.block_s = ask.save_s = 40.0;
    ask.checkpoint_interval_s = 3.0 * HOUR;
    CLOSE(1.0 - run_of(&plan, &ask).goodput, 0.00369004, 1e-5);
    ask.device_mtbf_s = 384.0 * 168.0 * HOUR;
    ask.detect_s = 1800.0;
    ask.start_s = ask.load_s = 0.0;
    run = run_of(&plan, &ask);
    CLOSE(run.goodput, 0.984474, 1e-5);
    CLOSE(run.young_s, 6955.86, 1e-6);

    /* Megatron-Turing NLG: a checkpoint of 12 bytes per parameter takes 42 minutes over 20 Gb/s. */
    ask.checkpoint_bytes = 530e9 * 12.0;
    ask.storage_write_bytes_per_s = 20e9 / 8.0;
    ask.block_s = ask.save_s = (double)NAN;
    CLOSE(run_of(&plan, &ask).save_s / 60.0, 42.4, 1e-9);
}
END_TEST

/* The log book of OPT-175B: 35 manual and 70 automatic restarts of a job on 992 devices in 60 days. Only 33 of 57 days
 * were useful training, much less than the restarts alone explain. The formula does not contain rollbacks and waits
 * during nights. */
START_TEST(opt_lost_more_than_stops) {
    const nnc_plan plan = devices_of(992);
    nnc_run_ask ask = nnc_run_ask_default();
    ask.days = 60.0;
    ask.device_mtbf_s = 60.0 * DAY * 992.0 / 105.0;
    CLOSE(ask.device_mtbf_s / HOUR, 13605.0, 1e-3);
    ask.block_s = ask.save_s = 60.0;
    ask.load_s = ask.start_s = 0.0;
    ask.detect_s = 7200.0;
    ask.checkpoint_interval_s = HOUR;
    const nnc_run run = run_of(&plan, &ask);
    CLOSE(run.stops, 105.0, 1e-9);
    CLOSE(run.goodput, 0.8190, 1e-3);
    ck_assert_double_gt(run.goodput, 33.0 / 57.0);
}
END_TEST

/* ---- device-hours ---- */

static double tokens_run(int32_t devices, double params, double tokens, double flops_per_s, double lost) {
    nnc_plan plan = devices_of(devices);
    nnc_run_ask ask = nnc_run_ask_default();
    plan.global_batch = devices;
    plan.seq_len = 1;
    plan.tokens = tokens;
    ask.step_flops = 6.0 * params * devices;
    ask.step_s = 6.0 * params / flops_per_s;
    ask.straggler_share = lost;
    return run_of(&plan, &ask).device_hours;
}

START_TEST(published_hours) {
    /* Llama 3.1 405B: 15.6T tokens at 400 TFLOP/s with a goodput of 0.90 take 30.84M device-hours. */
    CLOSE(tokens_run(16384, 405e9, 15.6e12, 400e12, 0.1), 29.25e6, 1e-6);
    CLOSE(tokens_run(16384, 405e9, 15.6e12, 400e12, 0.1), 30.84e6, 0.10);
    /* BLOOM: 366B tokens at 150 TFLOP/s (by its own count of FLOPs) take 1,082,990 device-hours, with all losses. */
    CLOSE(tokens_run(384, 176e9, 366e9, 150e12 * 6.0 / 8.0, 0.0), 1082990.0, 0.25);
    /* GPT-2 of 1.6B parameters: eight H100 for a day, at the price in a report on this run. */
    nnc_plan plan = devices_of(8);
    nnc_run_ask ask = nnc_run_ask_default();
    ask.days = 1.0;
    plan.price = 3.50;
    CLOSE(run_of(&plan, &ask).device_hours, 192.0, 1e-12);
    CLOSE(run_of(&plan, &ask).cost, 672.0, 1e-12);
}
END_TEST

/* Stable Diffusion 2 base on 64 A100: 1,126.4M images of 256 pixels at 8,530/s, and 1,740.8M images of 512 pixels at
 * 2,340/s. ResNet-50 and ResNet-18 of ffcv: 88 epochs of 1,281,167 images. */
START_TEST(published_images) {
    static const struct {
        int32_t devices;
        double epochs, images, rate, hours;
    } runs[] = {
        { 64, 1.0, 1126.4e6, 8530.0, 2348.0 },
        { 64, 1.0, 1740.8e6, 2340.0, 13225.0 },
        { 8, 88.0, 1281167.0, 24340.0, 8.0 * 77.2 / 60.0 },
        { 1, 88.0, 1281167.0, 10032.0, 187.3 / 60.0 },
    };
    for (size_t i = 0; i < COUNT_OF(runs); i++) {
        nnc_plan plan = devices_of(runs[i].devices);
        nnc_run_ask ask = nnc_run_ask_default();
        plan.global_batch = 2048;
        ask.step_s = 2048.0 / runs[i].rate;
        ask.epochs = runs[i].epochs;
        ask.dataset_size = runs[i].images;
        CLOSE(run_of(&plan, &ask).device_hours, runs[i].hours, 1e-3);
    }
}
END_TEST

/* ---- loaders ---- */

static void check_loader(char *const *cells) {
    nnc_plan plan = devices_of((int32_t)cell(cells[DEVICES]));
    nnc_run_ask ask = nnc_run_ask_default();
    plan.global_batch = (int64_t)cell(cells[BATCH]);
    plan.samples = 1e6;
    ask.step_s = cell(cells[STEP]);
    ask.sample_bytes = cell(cells[SAMPLE_BYTES]);
    ask.input_bytes_per_s = cell(cells[STORAGE]);
    ask.prepare_s = cell(cells[PREPARE]);
    ask.workers = cell(cells[WORKERS]);
    ask.serial_input = cell(cells[SERIAL]) > 0.0;
    const nnc_run run = run_of(&plan, &ask);
    within(cells[ID], "samples/s", (double)plan.global_batch / run.step_s, cell(cells[MEASURED]), 0.25);
}

START_TEST(measured_loaders) {
    ck_assert_int_eq(each_row(NNCOST_SOURCE_DIR "/tests/published/loaders.csv", LOADER_CELLS, check_loader), 47);
}
END_TEST

/* ---- budgets ---- */

/* Compute-optimal parameters and tokens. Sources: tables 3 and A3 of arXiv:2203.15556 (the row of 67 billion
 * parameters: 5.76e23 FLOPs and 6.88e23), and section 3.2.1 of arXiv:2407.21783. The FLOPs 5.76e23 are also used for
 * all other sets of constants. */
START_TEST(published_optima) {
    static const struct {
        nnc_law law;
        double flops, params, tokens, share;
    } known[] = {
        { NNC_LAW_RULE_20, 5.76e23, 70e9, 1.4e12, 0.02 },
        { NNC_LAW_APPROACH_1, 1.92e19, 400e6, 8.0e9, 0.01 },
        { NNC_LAW_APPROACH_1, 1.23e22, 10e9, 205.1e9, 0.01 },
        { NNC_LAW_APPROACH_1, 5.76e23, 67e9, 1.5e12, 0.06 },
        { NNC_LAW_APPROACH_1, 3.85e24, 175e9, 3.7e12, 0.02 },
        { NNC_LAW_APPROACH_1, 1.30e28, 10e12, 216.2e12, 0.01 },
        { NNC_LAW_APPROACH_2, 1.32e22, 10e9, 219.5e9, 0.01 },
        { NNC_LAW_APPROACH_2, 4.54e24, 175e9, 4.3e12, 0.02 },
        { NNC_LAW_APPROACH_2, 1.59e26, 1e12, 26.5e12, 0.01 },
        { NNC_LAW_LLAMA_3, 3.8e25, 402e9, 16.55e12, 0.04 },
        { NNC_LAW_LLAMA_3_PRINTED, 3.8e25, 605.5e9, 10.46e12, 1e-3 },
        { NNC_LAW_TEX, 5.76e23, 40.3609e9, 2.3785e12, 1e-4 },
        { NNC_LAW_EPOCH, 5.76e23, 72.3527e9, 1.32683e12, 1e-4 },
        { NNC_LAW_PRINTED, 5.76e23, 32.1899e9, 2.98231e12, 1e-4 },
        { NNC_LAW_KAPLAN, 8.64e19, 1.3e9, 8.64e19 / 6.0 / 1.3e9, 1e-12 },
    };
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        const nnc_optimum best = nnc_compute_optimal(known[i].law, known[i].flops);
        within(nnc_law_name(known[i].law), "parameters", best.params, known[i].params, known[i].share);
        within(nnc_law_name(known[i].law), "tokens", best.tokens, known[i].tokens, known[i].share);
        CLOSE(6.0 * best.params * best.tokens, known[i].flops, 1e-12);
    }
    /* Each model has the loss of 70B parameters on 1.4T tokens or of 13B parameters on 260B tokens, but the least
     * compute for training and serving together. Tokens served and results: arXiv:2401.00448. */
    static const double served[][6] = { { 70e9, 1.4e12, 2e12, 50.6e9, 2.04e12, 0.051 },
                                        { 70e9, 1.4e12, 1e13, 34.5e9, 3.75e12, 0.26 },
                                        { 13e9, 260e9, 2e12, 6.1e9, 736e9, 0.29 } };
    for (size_t i = 0; i < COUNT_OF(served); i++) {
        const double *c = served[i];
        const nnc_optimum best = nnc_serving_optimal(NNC_LAW_EPOCH, c[0], c[1], c[2]);
        CLOSE(best.served_params, c[3], 2e-3);
        CLOSE(best.served_tokens, c[4], 3e-3);
        CLOSE(best.saved_share, c[5], 0.01);
        CLOSE(nnc_law_loss(NNC_LAW_EPOCH, best.served_params, best.served_tokens), best.loss, 1e-12);
    }
    ck_assert(isnan(nnc_serving_optimal(NNC_LAW_RULE_20, 1e9, 2e10, 1e12).served_params));

    /* arXiv:2401.02954 gives the FLOPs per token as 0.1715 C^0.5243, where C is the compute. */
    const nnc_optimum deepseek = nnc_compute_optimal(NNC_LAW_DEEPSEEK, 1e23);
    CLOSE(6.0 * deepseek.params, 0.1715 * pow(1e23, 0.5243), 1e-3);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        published_totals_of_energy, bloom_beside_its_training, measured_nodes,
        published_failures,         opt_lost_more_than_stops,  published_hours,
        published_images,           measured_loaders,          published_optima,
    };
    return run_tests_with("run_published", open_support, close_support, tests, COUNT_OF(tests));
}
