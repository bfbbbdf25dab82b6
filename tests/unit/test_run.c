/* Tests whole training runs: failures, checkpoints, prices, energy and budgets. Compares the results with published
 * numbers, with a simulation, and with rules that hold for all runs. */
#include "evaluate.h"
#include "run/run_internal.h"
#include "run_cases.h"

/* ---- failures ---- */

/* Llama 3 405B, arXiv:2407.21783 table 5: 419 unexpected stops of 16,384 H100 in 54 days. */
START_TEST(llama_3_stops) {
    const nnc_plan plan = devices_of(16384);
    nnc_run_ask ask = nnc_run_ask_default();
    ask.days = 54.0;
    ask.device_mtbf_s = 54.0 * 24.0 * HOUR * 16384.0 / 419.0;
    ck_assert_double_eq_tol(ask.device_mtbf_s / HOUR, 50677.0, 0.5);
    ask.checkpoint_bytes = 405e9 * 14.0;
    ask.storage_write_bytes_per_s = 2e12;
    const nnc_run exact = run_of(&plan, &ask);
    CLOSE(exact.system_mtbf_s / HOUR, 3.09308, 1e-5);
    CLOSE(exact.stops, 419.0, 1e-9);

    /* the failure rate in the device file gives the same number of stops within 2 % */
    const nnc_device *h100 = NULL;
    ck_assert_int_eq(nnc_device_load(specs, "h100", &h100, NULL), NNC_OK);
    ask.device_mtbf_s = h100->mtbf.any_s;
    CLOSE(run_of(&plan, &ask).stops, 419.0, 0.02);
}
END_TEST

/* Compares goodput and checkpoint intervals with a Monte Carlo simulation of the same cases. */
START_TEST(goodput_of_known_runs) {
    const double m = 54.0 * 24.0 * HOUR / 419.0;
    CLOSE(nnc_daly_interval(2.835, m), 249.382, 1e-5);
    CLOSE(nnc_young_interval(2.835, m), 251.269, 1e-5);
    CLOSE(nnc_goodput(249.382, 2.835, 2.835, 900.0, m, false), 0.901697, 1e-5);
    CLOSE(nnc_goodput(114.627, 0.59, 51.06, 760.0, m, true), 0.920213, 1e-5);
    CLOSE(nnc_goodput(10800.0, 40.0, 40.0, 1800.0, 168.0 * HOUR, false), 0.984474, 1e-5);
    CLOSE(nnc_young_interval(40.0, 168.0 * HOUR), 6955.86, 1e-6);
    ck_assert_double_eq(nnc_daly_interval(100.0, 50.0), 50.0); /* a save takes longer than the time between failures */
    /* save / (2 x time between failures) is x = 100 / (2 x 200) = 1/4; the interval is 200 (1 + 1/2 / 3 + 1/4 / 9) -
     * 100, where the third term is not negligible */
    CLOSE(nnc_daly_interval(100.0, 200.0), 200.0 * (1.0 + 1.0 / 6.0 + 1.0 / 36.0) - 100.0, 1e-12);
    ck_assert_double_eq(nnc_goodput(300.0, 100.0, 100.0, 50.0, (double)INFINITY, false), 0.75);
}
END_TEST

/* The number of spares is a quantile of a Poisson distribution. With a mean of 2, the probability of at most 4 failed
 * nodes is e^-2 (1 + 2 + 2 + 4/3 + 2/3) = 0.947. The probability is 0.983 for 5 failed nodes (4/15 more) and 0.995 for
 * 6 (4/45 more), so 6 spares are enough in 99 % of the time. Above a mean of 700, nncost uses the normal distribution:
 * a mean of 900 failed nodes needs 900 + 2.3263 x 30 = 969.8 spares. */
START_TEST(spares_by_hand) {
    double short_share = 0.0;
    ck_assert_double_eq(nnc_spares(2.0, 0.99, &short_share), 6.0);
    CLOSE(short_share, 1.0 - exp(-2.0) * (1.0 + 2.0 + 2.0 + 4.0 / 3 + 2.0 / 3 + 4.0 / 15 + 4.0 / 45), 1e-9);
    ck_assert_double_eq(nnc_spares(900.0, 0.99, &short_share), 970.0);
    CLOSE(short_share, 0.01, 1e-12);
    ck_assert_double_eq(nnc_spares(10000.0, 0.99, &short_share), 10233.0); /* 10000 + 232.63 */
}
END_TEST

/* Returns a random number from (0, 1), uniformly distributed (linear congruential generator by Knuth). */
static double next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

/* Simulates a run with random failures, also during saves and restarts. Returns the useful time of the run divided by
 * its wall time. */
static double simulate(double interval, double save, double restart, double mtbf, double useful) {
    uint64_t state = 20240731;
    double wall = 0.0, done = 0.0, stop = -mtbf * log(next_random(&state));
    while (done < useful) {
        if (stop >= interval + save) {
            stop -= interval + save;
            wall += interval + save;
            done += interval;
            continue;
        }
        wall += stop; /* the work since the last checkpoint is lost */
        stop = -mtbf * log(next_random(&state));
        while (stop < restart) {
            wall += stop;
            stop = -mtbf * log(next_random(&state));
        }
        wall += restart;
        stop -= restart;
    }
    return done / wall;
}

START_TEST(goodput_is_that_of_a_simulation) {
    static const double cases[][4] = { /* a case: interval, save, restart, mean time between stops, in seconds */
                                       { 249.382, 2.835, 900.0, 11135.0 },
                                       { 10800.0, 40.0, 1800.0, 604800.0 },
                                       { 3600.0, 60.0, 7200.0, 49371.0 },
                                       { 3600.0, 300.0, 750.0, 28440.0 },
                                       { 1116.29, 60.0, 600.0, 11135.0 }
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const double *c = cases[i];
        const double formula = nnc_goodput(c[0], c[1], c[1], c[2], c[3], false);
        const double simulated = simulate(c[0], c[1], c[2], c[3], 20000.0 * c[3]);
        ck_assert_msg(fabs(formula - simulated) < 0.004, "case %zu: %g, simulated %g", i, formula, simulated);
    }
}
END_TEST

/* 2,048 nodes: 78 % of 419 stops in 54 days each take a node out of service for 2 days. */
START_TEST(spares_for_most_of_the_time) {
    double short_share = 0.0;
    const double out = 419.0 * 0.78 / 54.0 * 2.0;
    CLOSE(out, 12.1044, 1e-5);
    ck_assert_double_eq(nnc_spares(out, 0.99, &short_share), 21.0);
    CLOSE(short_share, 0.00666607, 1e-5);
    ck_assert_double_eq(nnc_spares(0.0, 0.99, &short_share), 0.0);
    const double many = nnc_spares(5000.0, 0.99, &short_share);
    ck_assert(many > 5000.0 && many < 5200.0);
}
END_TEST

/* A longer mean time between failures, higher rates of storage and input or more spares never make a run longer. An
 * ideal run takes exactly the number of steps times the step time. */
START_TEST(better_is_never_longer) {
    nnc_plan plan = devices_of(1024);
    plan.global_batch = 1024;
    plan.samples = 1e8;
    nnc_run_ask ask = nnc_run_ask_default();
    ask.step_s = 2.0;
    const nnc_run ideal = run_of(&plan, &ask);
    ck_assert_double_eq(ideal.run_s, 1e8 / 1024.0 * 2.0);
    ck_assert_double_eq(ideal.goodput, 1.0);

    ask.checkpoint_bytes = 1e12;
    ask.device_mtbf_s = 1e4 * HOUR;
    ask.storage_write_bytes_per_s = 1e10;
    ask.replace_s = 2.0 * HOUR;
    ask.sample_bytes = 1e6;
    ask.input_bytes_per_s = 1e9;
    ask.prepare_s = 0.5;
    ask.workers = 4.0;
    double *const knobs[] = { &ask.device_mtbf_s, &ask.storage_write_bytes_per_s, &ask.spares, &ask.input_bytes_per_s,
                              &ask.workers };
    for (size_t k = 0; k < COUNT_OF(knobs); k++) {
        const double kept = *knobs[k];
        double last = (double)INFINITY;
        for (int i = 0; i < 12; i++) {
            const nnc_run run = run_of(&plan, &ask);
            ck_assert_msg(run.run_s <= last * (1.0 + 1e-12), "knob %zu, turn %d: %g after %g", k, i, run.run_s, last);
            ck_assert(run.run_s >= ideal.run_s);
            last = run.run_s;
            *knobs[k] = *knobs[k] * 1.7 + (k == 2 ? 1.0 : 0.0);
        }
        *knobs[k] = kept;
    }
}
END_TEST

/* With an asynchronous save, goodput is not below that of a synchronous save. */
START_TEST(asynchronous_saves_pay) {
    for (int i = 0; i < 10; i++) {
        for (int j = 0; j < 7; j++) {
            const double m = 2e3 * pow(1.9, i), save = pow(2.3, j);
            const double blocking = nnc_goodput(nnc_daly_interval(save, m), save, save, 600.0, m, false);
            const double block = save / 50.0;
            const double beside = nnc_goodput(fmax(nnc_young_interval(block, m), save), block, save, 600.0, m, true);
            ck_assert_msg(beside >= blocking - 1e-12 || save > 0.2 * m, "m %g save %g: %g below %g", m, save, beside,
                          blocking);
        }
    }
}
END_TEST

/* 128 replicas have 7.76 stops a day. A replacement takes two hours. The replicas that did not stop continue after a
 * minute, so 1.0 % of the time is lost. If all replicas wait for two hours and a quarter, 73 % is lost. */
START_TEST(replicas_that_go_on) {
    const nnc_plan plan = devices_of(16384);
    nnc_run_ask ask = nnc_run_ask_default();
    ask.days = 54.0;
    ask.device_mtbf_s = 16384.0 * DAY / 7.76;
    ask.block_s = ask.save_s = ask.load_s = 0.0;
    ask.detect_s = ask.start_s = 0.0;
    ask.checkpoint_interval_s = HOUR;
    ask.replace_s = 2.0 * HOUR;
    ask.elastic_replicas = 128.0;
    CLOSE(1.0 - run_of(&plan, &ask).goodput, 0.0104, 0.01);
    ask.elastic_replicas = 1.0;
    ask.reshard_s = 0.25 * HOUR;
    CLOSE(1.0 - run_of(&plan, &ask).goodput, 0.7275, 1e-3);
    ask.elastic_replicas = 1e9; /* with so many replicas, the loss of one replica has no effect on the result */
    ask.reshard_s = 0.0;
    CLOSE(run_of(&plan, &ask).goodput, 1.0, 1e-6);
}
END_TEST

/* On average, half a node is under repair. With k spares, the run waits an hour for a repair after a failure if at
 * least k nodes are under repair; the probability follows from the Poisson distribution. */
START_TEST(failures_wait_for_spares) {
    const nnc_plan plan = devices_of(8);
    nnc_run_ask ask = nnc_run_ask_default();
    const double fewer[] = { 0.0, 1.0, 1.0 + 0.5, 1.0 + 0.5 + 0.125, 1.0 + 0.5 + 0.125 + 0.125 / 6.0 };
    ask.days = 54.0;
    ask.device_mtbf_s = 8.0 * 100.0 * HOUR;
    ask.failing_share = 1.0;
    ask.repair_s = 50.0 * HOUR;
    ask.detect_s = ask.start_s = ask.load_s = 0.0;
    ask.block_s = ask.save_s = 1.0;
    ask.replace_s = HOUR;
    for (int spares = 0; spares < 5; spares++) {
        ask.spares = spares;
        const nnc_run run = run_of(&plan, &ask);
        CLOSE(run.nodes_out, 0.5, 1e-12);
        CLOSE(run.restart_s, HOUR * (1.0 - exp(-0.5) * fewer[spares]), 1e-9);
        ask.replace_s = 0.5; /* a wait of half a second also makes the run longer */
        CLOSE(run_of(&plan, &ask).restart_s, 0.5 * (1.0 - exp(-0.5) * fewer[spares]), 1e-9);
        ask.replace_s = HOUR;
    }
}
END_TEST

/* A checkpoint of AdamW has, per parameter, 2 B of 16-bit weights, 4 B of the master copy and 8 B of moments. A
 * checkpoint in fp32 has 4 B of weights and 8 B of moments per parameter. */
START_TEST(checkpoint_of_a_model) {
    const nnc_model model = gpt(2, 64, 4, 500, 32);
    const nnc_device device = plain_device();
    const nnc_run_ask ask = nnc_run_ask_default();
    nnc_plan plan = nnc_plan_default();
    nnc_error err = { 0 };
    nnc_run run;
    nnc_result r = estimate(&model, &plan);
    ck_assert_int_eq(nnc_run_of(&r, &device, &plan, &ask, &run, &err), NNC_OK);
    CLOSE(run.checkpoint_bytes, 14.0 * (double)r.params, 1e-12);
    plan.precision = NNC_TF32;
    r = estimate(&model, &plan);
    ck_assert_int_eq(nnc_run_of(&r, &device, &plan, &ask, &run, &err), NNC_OK);
    CLOSE(run.checkpoint_bytes, 12.0 * (double)r.params, 1e-12);
}
END_TEST

/* A run without stops has no mean time between stops, and loses only the time of saves. If each of 2,048 nodes is
 * reclaimed 0.5 times a month, a stop comes every 713 s. If no interval is given, an elastic run saves a checkpoint
 * every hour. */
START_TEST(few_stops_and_none) {
    const nnc_plan plan = devices_of(16384);
    nnc_run_ask ask = nnc_run_ask_default();
    ask.days = 54.0;
    ask.block_s = ask.save_s = 10.0;
    ask.checkpoint_interval_s = 1000.0;
    nnc_run run = run_of(&plan, &ask);
    ck_assert(isnan(run.system_mtbf_s));
    CLOSE(run.goodput, 1000.0 / 1010.0, 1e-12);
    ask.reclaim_per_month = 0.5;
    run = run_of(&plan, &ask);
    CLOSE(run.system_mtbf_s, 730.0 * HOUR / (0.5 * 2048.0), 1e-12);
    ask.checkpoint_interval_s = (double)NAN;
    ask.elastic_replicas = 128.0;
    CLOSE(run_of(&plan, &ask).interval_s, HOUR, 1e-12);
}
END_TEST

/* ---- prices and regions ---- */

START_TEST(sellers_and_regions) {
    const nnc_device *h100 = NULL;
    nnc_device *sold = NULL;
    nnc_region region;
    nnc_error err = { 0 };
    ck_assert_int_eq(nnc_device_load(specs, "h100", &h100, NULL), NNC_OK);
    ck_assert_int_eq(nnc_device_copy(specs, h100, &sold, &err), NNC_OK);
    const double list = sold->prices[0].per_device_hour;
    ck_assert_int_eq(nnc_prices_load(specs, "Nebius", NNC_OFFER_SPOT, NULL, sold, &err), NNC_OK);
    ck_assert(sold->price_count > 0 && sold->prices[0].per_device_hour < list);
    ck_assert_ptr_nonnull(sold->prices[0].source);
    ck_assert_ptr_nonnull(sold->prices[0].date);
    /* the seller has no offer of this kind, so the prices of the device do not change */
    const nnc_price *kept = sold->prices;
    ck_assert_int_eq(nnc_prices_load(specs, "nebius", NNC_OFFER_RESERVED_3Y, NULL, sold, &err), NNC_BAD_USAGE);
    ck_assert_ptr_eq(sold->prices, kept);
    ck_assert_int_eq(nnc_prices_load(specs, "nobody", NNC_OFFER_SPOT, NULL, sold, &err), NNC_UNKNOWN_ID);
    ck_assert_int_eq(nnc_region_load(specs, "fra", &region, &err), NNC_OK);
    ck_assert_str_eq(region.name, "France");
    ck_assert_ptr_nonnull(region.source);
    ck_assert_int_eq(nnc_region_load(specs, "Atlantis", &region, &err), NNC_UNKNOWN_ID);
}
END_TEST

/* ---- energy ---- */

/* A power cap lowers the power of the device, not that of the host. With a cap of 500 W on devices of 700 W, 896.3 W
 * per device become 896.3 - 200 W. */
START_TEST(power_of_a_capped_device) {
    const nnc_device *h100 = NULL, *h200 = NULL;
    nnc_device *capped = NULL;
    nnc_error err = { 0 };
    nnc_plan plan = devices_of(8);
    nnc_run_ask ask = nnc_run_ask_default();
    nnc_run run;
    ck_assert_int_eq(nnc_device_load(specs, "h100", &h100, NULL), NNC_OK);
    ck_assert_int_eq(nnc_device_copy(specs, h100, &capped, &err), NNC_OK);
    capped->power_cap_w = 500.0;
    ask.days = 1.0;
    ask.idle_w = h100->node_power.idle_w;
    ask.busy_w = h100->node_power.busy_w;
    ck_assert_int_eq(nnc_run_of(NULL, h100, &plan, &ask, &run, &err), NNC_OK);
    CLOSE(run.power_w, 896.3, 1e-12);
    CLOSE(run.rated_energy_j, 700.0 * 8.0 * DAY, 1e-12);
    ck_assert_int_eq(nnc_run_of(NULL, capped, &plan, &ask, &run, &err), NNC_OK);
    CLOSE(run.power_w, 696.3, 1e-12);
    CLOSE(run.rated_energy_j, 500.0 * 8.0 * DAY, 1e-12);

    /* without a measured node, the power is a sum of shares of the rated power: of the idle device, of the matrix units
     * and of the memory */
    const nnc_model *llama = NULL;
    nnc_result r;
    ck_assert_int_eq(nnc_device_load(specs, "h200", &h200, NULL), NNC_OK);
    ck_assert_int_eq(nnc_model_load(specs, "llama3-8b", &llama, NULL), NNC_OK);
    plan.zero = 2;
    plan.tokens = 1e9;
    ck_assert_int_eq(nnc_estimate(llama, h200, NULL, &plan, scratch, &r, &err), NNC_OK);
    ask = nnc_run_ask_default();
    ck_assert_int_eq(nnc_run_of(&r, h200, &plan, &ask, &run, &err), NNC_OK);
    const double matrix = r.executed_flops / 8.0 / 989.4e12 / r.step_s;
    const double memory = (r.read_bytes + r.write_bytes) / 4.8e12 / r.step_s;
    CLOSE(run.power_w, 700.0 * fmin(1.0, 0.2 + 1.24 * matrix + 0.35 * memory), 1e-3);
    ck_assert_double_gt(run.power_w, 0.2 * 700.0);
    ask.straggler_share = 0.5; /* at this share of stragglers, the device waits half of the time */
    const double drawn = run.power_w;
    ck_assert_int_eq(nnc_run_of(&r, h200, &plan, &ask, &run, &err), NNC_OK);
    CLOSE(run.power_w, (drawn + 140.0) / 2.0, 1e-9);
}
END_TEST

START_TEST(buildings) {
    nnc_building building;
    nnc_error err = { 0 };
    ck_assert_int_eq(nnc_building_load(specs, "Google", &building, &err), NNC_OK);
    ck_assert_double_eq(building.pue, 1.10);
    ck_assert_ptr_nonnull(building.source);
    ck_assert_int_eq(nnc_building_load(specs, "industry", &building, &err), NNC_OK);
    ck_assert_double_eq(building.pue, 1.67);
    ck_assert_int_eq(building.year, 2019);
    ck_assert_int_eq(nnc_building_load(specs, "gogle", &building, &err), NNC_UNKNOWN_ID);
    ck_assert_msg(strstr(err.what, "google") != NULL, "%s", err.what);
}
END_TEST

/* ---- budgets ---- */

START_TEST(compute_optimal_models) {
    static const struct {
        nnc_law law;
        double flops, params, tokens;
    } known[] = {
        { NNC_LAW_RULE_20, 5.76e23, 69.282e9, 1.38564e12 },    { NNC_LAW_TEX, 5.76e23, 40.3609e9, 2.3785e12 },
        { NNC_LAW_EPOCH, 5.76e23, 72.3527e9, 1.32683e12 },     { NNC_LAW_PRINTED, 1e20, 0.644857509e9, 25.845502974e9 },
        { NNC_LAW_TEX, 1e20, 0.774873739e9, 21.508880521e9 },  { NNC_LAW_EPOCH, 1e20, 0.854506719e9, 19.504430222e9 },
        { NNC_LAW_RULE_20, 4.58813e23, 61.834e9, 1.23668e12 }, { NNC_LAW_EPOCH, 4.58813e23, 64.3892e9, 1.1876e12 },
    };
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        const nnc_optimum best = nnc_compute_optimal(known[i].law, known[i].flops);
        CLOSE(best.params, known[i].params, 1e-4);
        CLOSE(best.tokens, known[i].tokens, 1e-4);
        CLOSE(6.0 * best.params * best.tokens, known[i].flops, 1e-12);
    }
    CLOSE(nnc_law_loss(NNC_LAW_PRINTED, 7e9, 2e12), 2.0203, 1e-4);
    /* other splits of the same FLOPs into parameters and tokens do not reach a lower loss */
    const nnc_optimum best = nnc_compute_optimal(NNC_LAW_EPOCH, 1e23);
    for (int i = 5; i < 20; i++) {
        const double shift = i / 10.0;
        ck_assert(nnc_law_loss(NNC_LAW_EPOCH, best.params * shift, best.tokens / shift) >= best.loss - 1e-12);
    }
}
END_TEST

/* Finds the best model for a budget of 1M USD at 2.95 USD an hour, MFU 0.40, goodput 0.95 and 30 days. Then computes
 * the cost of training this best model on its tokens. */
START_TEST(a_budget_and_its_inverse) {
    const nnc_device *h100 = NULL;
    nnc_budget budget, back;
    ck_assert_int_eq(nnc_device_load(specs, "h100", &h100, NULL), NNC_OK);
    nnc_budget_ask ask = nnc_budget_ask_default();
    ask.cost = 1e6;
    ask.days = 30.0;
    ask.price = 2.95;
    ck_assert_int_eq(nnc_budget_of(h100, &ask, &budget, NULL), NNC_OK);
    CLOSE(budget.device_hours, 338983.0, 1e-5);
    CLOSE(budget.flops, 4.58813e23, 1e-5);
    ck_assert_double_eq(budget.devices, 471.0);
    CLOSE(budget.optima[NNC_LAW_RULE_20].params, 61.834e9, 1e-4);
    CLOSE(budget.optima[NNC_LAW_EPOCH].tokens, 1.1876e12, 1e-4);

    ask = nnc_budget_ask_default();
    ask.price = 2.95;
    ask.params = budget.optima[NNC_LAW_EPOCH].params;
    ask.tokens = budget.optima[NNC_LAW_EPOCH].tokens;
    ck_assert_int_eq(nnc_budget_of(h100, &ask, &back, NULL), NNC_OK);
    CLOSE(back.cost, 1e6, 1e-12);
    CLOSE(back.over_training[NNC_LAW_EPOCH], 1.0, 1e-6);

    /* 8B parameters on 15T tokens take 5.5 times the least compute for the same loss (law epoch), or 2.0 times (law
     * printed) */
    ask.params = 8e9;
    ask.tokens = 15e12;
    ck_assert_int_eq(nnc_budget_of(h100, &ask, &back, NULL), NNC_OK);
    CLOSE(back.over_training[NNC_LAW_EPOCH], 5.5, 0.01);
    CLOSE(back.over_training[NNC_LAW_PRINTED], 2.0, 0.01);

    ask.cost = 1.0;
    ck_assert_int_eq(nnc_budget_of(h100, &ask, &back, NULL), NNC_BAD_USAGE);
    ask = nnc_budget_ask_default();
    ck_assert_int_eq(nnc_budget_of(h100, &ask, &back, NULL), NNC_BAD_USAGE);
}
END_TEST

/* ---- derivations ---- */

static double evaluated(const char *text) {
    evaluator e = { .at = text };
    const double value = evaluate_sum(&e);
    ck_assert_msg(!e.failed, "cannot be evaluated: %s", text);
    return value;
}

/* Every line that `explain` prints for a run is true, and the parts of its time add up. */
START_TEST(every_line_is_true) {
    nnc_plan plan = devices_of(512);
    plan.global_batch = 1024;
    plan.seq_len = 4096;
    plan.tokens = 1e12;
    plan.price = 2.5;
    for (int variant = 0; variant < 16; variant++) {
        nnc_run_ask ask = nnc_run_ask_default();
        ask.method = variant & 8 ? NNC_METHOD_PPO : NNC_METHOD_TRAIN;
        ask.policy_params = 8e9;
        ask.reward_params = 4e9;
        ask.update_epochs = 2.0;
        ask.rollout_tokens_per_s = 3000.0;
        ask.rollout_tail = 1.5;
        ask.rollout_devices = variant & 8 ? 256.0 : 0.0;
        ask.rollout_overlap = variant >= 12;
        ask.sync_bytes_per_s = 1e9;
        ask.step_s = 1.5;
        ask.step_flops = 1e18;
        ask.device_mtbf_s = variant & 1 ? 1e8 : (double)NAN;
        ask.asynchronous = (variant & 2) != 0;
        ask.elastic_replicas = variant == 3 ? 16.0 : 0.0;
        ask.encode_s = variant == 5 ? 0.01 : 0.0;
        ask.block_s = variant & 2 ? 3.0 : (double)NAN;
        ask.checkpoint_bytes = 1e12;
        ask.checkpoint_interval_s = variant & 1 ? (double)NAN : 1800.0;
        ask.replace_s = 7200.0;
        ask.spares = 1.0;
        ask.reclaim_per_month = variant & 4 ? 0.15 : 0.0;
        ask.straggler_share = 0.05;
        ask.evaluate_every = 500.0;
        ask.evaluate_s = 60.0;
        ask.warmup_s = 3600.0;
        ask.planned_stops = variant & 1 ? 3.0 : 0.0;
        ask.sample_bytes = 8192.0;
        ask.input_bytes_per_s = 1e9;
        ask.prepare_s = 0.002;
        ask.prepared_bytes = 8192.0;
        ask.serial_input = (variant & 4) != 0;
        ask.idle_w = 300.0;
        ask.busy_w = 900.0;
        ask.carbon_g_per_kwh = 100.0;
        nnc_run run;
        nnc_derivation *why = nnc_derivation_create();
        const nnc_line *lines = NULL;
        int count = 0;
        ck_assert_int_eq(nnc_run_say(NULL, NULL, &plan, &ask, &run, why, NULL), NNC_OK);
        ck_assert(nnc_derivation_lines(why, &lines, &count));
        ck_assert_int_gt(count, 20);
        for (int i = 0; i < count; i++) {
            if (lines[i].numbers != NULL && !isnan(lines[i].value)) {
                const double value = evaluated(lines[i].numbers);
                ck_assert_msg(fabs(value - lines[i].value) <= 1e-9 * fabs(lines[i].value),
                              "%s = %s = %s is %.12g, said %.12g", lines[i].name, lines[i].formula, lines[i].numbers,
                              value, lines[i].value);
            }
        }
        nnc_derivation_destroy(why);
        CLOSE(run.train_s + run.wait_s + run.rollout_s + run.score_s + run.sync_s + run.straggler_s + run.save_time_s +
                  run.lost_s + run.evaluate_s + run.warmup_s + run.planned_s + run.sites_s,
              run.run_s, 1e-12);
    }
}
END_TEST

/* After each of 3 planned stops, a run restarts in 600 + 30 s and loads 1.6e12 B at 1e9 B/s. The restarts take the same
 * time without failures, and with or without checkpoints. */
START_TEST(planned_stops_restart) {
    nnc_plan plan = devices_of(8);
    nnc_run_ask ask = nnc_run_ask_default();
    plan.global_batch = 64;
    plan.samples = 64.0 * 10000.0;
    ask.step_s = 2.0;
    ask.planned_stops = 3.0;
    ask.checkpoint_bytes = 1.6e12;
    ask.storage_read_bytes_per_s = 1e9;
    CLOSE(run_of(&plan, &ask).run_s, 20000.0 + 3.0 * 2230.0, 1e-12);
    ask.checkpoint_interval_s = 1000.0;
    ask.save_s = 100.0;
    CLOSE(run_of(&plan, &ask).run_s, 20000.0 + 20.0 * 100.0 + 3.0 * 2230.0, 1e-12);
}
END_TEST

/* Four sites with 8 devices each train 7 billion parameters. The sites average the weights over a link of 1.25 GB/s
 * after every 500 steps of 2 s. */
START_TEST(sites_that_average) {
    nnc_plan plan = devices_of(8);
    nnc_run_ask ask = nnc_run_ask_default();
    plan.global_batch = 64;
    plan.samples = 64.0 * 4.0 * 10000.0;
    ask.step_s = 2.0;
    const nnc_run one = run_of(&plan, &ask);
    ask.sites = 4.0;
    ask.outer_every = 500.0;
    ask.outer_bytes = 28e9;
    ask.site_bytes_per_s = 1.25e9;
    const nnc_run four = run_of(&plan, &ask);
    ck_assert_double_eq(four.devices, 32.0);
    CLOSE(four.steps, one.steps / 4.0, 1e-12);
    CLOSE(four.outer_bytes, 42e9, 1e-12);
    CLOSE(four.outer_s, 33.6, 1e-12);
    CLOSE(four.sites_s, 20.0 * 33.6, 1e-12);
    CLOSE(four.run_s, 20000.0 + 672.0, 1e-12);
    /* half of the bytes take half of the time; averaging that overlaps takes no time */
    ask.outer_bytes = 14e9;
    CLOSE(run_of(&plan, &ask).sites_s, 336.0, 1e-12);
    ask.outer_overlap_s = 60.0;
    CLOSE(run_of(&plan, &ask).run_s, 20000.0, 1e-12);
    /* a link without limit adds no time */
    ask.outer_overlap_s = 0.0;
    ask.site_bytes_per_s = 1e18;
    CLOSE(run_of(&plan, &ask).run_s, 20000.0, 1e-9);
}
END_TEST

/* With 8 devices, a stop comes every second. An hour passes until the next checkpoint, a save takes 20 s, and a restart
 * takes 10 s to detect the failure, 5 s to start and 25 s to load. The sum is 3,660 s. */
START_TEST(a_run_that_never_advances_names_its_times) {
    const nnc_plan plan = devices_of(8);
    nnc_run_ask ask = nnc_run_ask_default();
    nnc_error err = { 0 };
    nnc_run run;
    ask.days = 1.0;
    ask.device_mtbf_s = 8.0;
    ask.checkpoint_interval_s = 3600.0;
    ask.block_s = ask.save_s = 20.0;
    ask.detect_s = 10.0;
    ask.start_s = 5.0;
    ask.load_s = 25.0;
    ck_assert_int_eq(nnc_run_of(NULL, NULL, &plan, &ask, &run, &err), NNC_ILLEGAL_PLAN);
    ck_assert_str_eq(err.where, "--device-mtbf-s");
    ck_assert_msg(strstr(err.what, "every 1 s") != NULL && strstr(err.what, "(now 3660 s)") != NULL, "%s", err.what);
}
END_TEST

START_TEST(contradictions_are_refused) {
    static const struct {
        const char *where;
        double days, epochs, dataset, idle, busy, block, save, stragglers;
    } cases[] = {
        { "--days", 1, 1, 1e9, NAN, NAN, NAN, NAN, 0 },
        { "--dataset-size", NAN, NAN, 1e9, NAN, NAN, NAN, NAN, 0 },
        { "--epochs", NAN, 2, NAN, NAN, NAN, NAN, NAN, 0 },
        { "--busy-w", 1, NAN, NAN, NAN, 100, NAN, NAN, 0 },
        { "--idle-w", 1, NAN, NAN, 200, 100, NAN, NAN, 0 },
        { "--block-s", 1, NAN, NAN, NAN, NAN, 5, 1, 0 },
        { "--straggler-share", 1, NAN, NAN, NAN, NAN, NAN, NAN, 1 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nnc_plan plan = devices_of(8);
        nnc_run_ask ask = nnc_run_ask_default();
        nnc_error err = { 0 };
        nnc_run run;
        ask.days = cases[i].days;
        ask.epochs = cases[i].epochs;
        ask.dataset_size = cases[i].dataset;
        ask.idle_w = cases[i].idle;
        ask.busy_w = cases[i].busy;
        ask.block_s = cases[i].block;
        ask.save_s = cases[i].save;
        ask.straggler_share = cases[i].stragglers;
        ck_assert_int_eq(nnc_run_of(NULL, NULL, &plan, &ask, &run, &err), NNC_BAD_USAGE);
        ck_assert_msg(strstr(err.where, cases[i].where) != NULL || i == 3, "%s", err.where);
    }
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        llama_3_stops,
        goodput_of_known_runs,
        spares_by_hand,
        goodput_is_that_of_a_simulation,
        spares_for_most_of_the_time,
        better_is_never_longer,
        asynchronous_saves_pay,
        replicas_that_go_on,
        few_stops_and_none,
        failures_wait_for_spares,
        checkpoint_of_a_model,
        sellers_and_regions,
        power_of_a_capped_device,
        buildings,
        compute_optimal_models,
        a_budget_and_its_inverse,
        every_line_is_true,
        planned_stops_restart,
        sites_that_average,
        a_run_that_never_advances_names_its_times,
        contradictions_are_refused,
    };
    return run_tests_with("run", open_support, close_support, tests, COUNT_OF(tests));
}
