/* Tests rules that hold for every training run, on random runs. */
#include "run_cases.h"

enum { RUNS = 2000 };

static uint64_t state;

/* Returns a random number from (0, 1), uniformly distributed (linear congruential generator by Knuth). */
static double random_share(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

/* Returns a random number between two limits, with a uniformly distributed logarithm. */
static double random_size(double low, double high) { return low * pow(high / low, random_share()); }

static bool now_and_then(void) { return random_share() < 0.5; }

static nnc_plan random_plan(void) {
    nnc_plan plan = devices_of((int32_t)random_size(1.0, 2e4));
    plan.global_batch = (int64_t)random_size(1.0, 1e5);
    plan.samples = random_size(1e3, 1e10);
    plan.price = random_size(0.1, 20.0);
    return plan;
}

/* Draws random options of a run, with failures, slow input and other losses. */
static nnc_run_ask random_ask(void) {
    nnc_run_ask ask = nnc_run_ask_default();
    ask.step_s = random_size(1e-3, 1e2);
    ask.step_flops = random_size(1e12, 1e20);
    ask.device_mtbf_s = random_size(1e3, 1e6) * HOUR;
    ask.checkpoint_bytes = random_size(1e9, 1e13);
    ask.storage_write_bytes_per_s = random_size(1e9, 1e13);
    ask.asynchronous = now_and_then();
    ask.block_s = ask.asynchronous ? 0.1 : (double)NAN;
    ask.replace_s = now_and_then() ? random_size(60.0, 1e5) : (double)NAN;
    ask.elastic_replicas = now_and_then() ? floor(random_size(1.0, 1e3)) : 0.0;
    ask.spares = floor(random_size(1.0, 30.0)) - 1.0;
    ask.sample_bytes = random_size(1.0, 1e8);
    ask.input_bytes_per_s = random_size(1e8, 1e13);
    ask.prepare_s = random_size(1e-6, 1.0);
    ask.prepared_bytes = random_size(1.0, 1e7);
    ask.workers = floor(random_size(1.0, 64.0));
    ask.serial_input = now_and_then();
    ask.evaluate_every = floor(random_size(10.0, 1e4));
    ask.evaluate_s = random_size(1.0, 1e3);
    ask.straggler_share = 0.2 * random_share();
    ask.warmup_s = random_size(1.0, 1e4);
    ask.idle_w = random_size(50.0, 300.0);
    ask.busy_w = ask.idle_w * random_size(1.0, 4.0);
    ask.pue = 1.0 + random_share();
    ask.carbon_g_per_kwh = random_size(1.0, 1000.0);
    return ask;
}

static void no_longer(const nnc_plan *plan, const nnc_run_ask *better, const nnc_run *than, const char *what,
                      int turn) {
    const nnc_run run = run_of(plan, better);
    ck_assert_msg(run.run_s <= than->run_s * (1.0 + 1e-12) || isinf(than->run_s),
                  "run %d, better %s: %.17g after %.17g", turn, what, run.run_s, than->run_s);
}

/* A run never becomes longer if workers, bandwidth, spares or reliability increase, or if waiting times decrease. */
START_TEST(better_is_never_longer) {
    static const struct {
        const char *what;
        size_t at;
        bool more;
    } knobs[] = {
        { "device_mtbf_s", offsetof(nnc_run_ask, device_mtbf_s), true },
        { "spares", offsetof(nnc_run_ask, spares), true },
        { "workers", offsetof(nnc_run_ask, workers), true },
        { "input_bytes_per_s", offsetof(nnc_run_ask, input_bytes_per_s), true },
        { "storage_write_bytes_per_s", offsetof(nnc_run_ask, storage_write_bytes_per_s), true },
        { "evaluate_every", offsetof(nnc_run_ask, evaluate_every), true },
        { "prepare_s", offsetof(nnc_run_ask, prepare_s), false },
        { "sample_bytes", offsetof(nnc_run_ask, sample_bytes), false },
        { "detect_s", offsetof(nnc_run_ask, detect_s), false },
        { "start_s", offsetof(nnc_run_ask, start_s), false },
        { "reshard_s", offsetof(nnc_run_ask, reshard_s), false },
        { "repair_s", offsetof(nnc_run_ask, repair_s), false },
        { "evaluate_s", offsetof(nnc_run_ask, evaluate_s), false },
        { "warmup_s", offsetof(nnc_run_ask, warmup_s), false },
        { "straggler_share", offsetof(nnc_run_ask, straggler_share), false },
        { "step_s", offsetof(nnc_run_ask, step_s), false },
    };
    state = 17;
    for (int i = 0; i < RUNS; i++) {
        const nnc_plan plan = random_plan();
        const nnc_run_ask ask = random_ask();
        if (!advances(&plan, &ask)) { continue; }
        const nnc_run run = run_of(&plan, &ask);
        for (size_t k = 0; k < COUNT_OF(knobs); k++) {
            nnc_run_ask better = ask;
            double *knob = (double *)((char *)&better + knobs[k].at);
            *knob = knobs[k].more ? *knob * 2.0 + 1.0 : *knob / 2.0;
            no_longer(&plan, &better, &run, knobs[k].what, i);
        }
        nnc_run_ask better = ask;
        better.serial_input = false;
        no_longer(&plan, &better, &run, "pipelined input", i);
    }
}
END_TEST

/* An ideal run takes exactly its steps times the step time. The times of the parts of a run add up to the time of the
 * run. Some results of a run grow in proportion to the value of an option. */
START_TEST(identities) {
    state = 18;
    for (int i = 0; i < RUNS; i++) {
        nnc_plan plan = random_plan();
        nnc_run_ask ask = random_ask(), ideal = nnc_run_ask_default();
        ideal.step_s = ask.step_s;
        const nnc_run best = run_of(&plan, &ideal);
        ck_assert_double_eq(best.run_s, plan.samples / (double)plan.global_batch * ask.step_s);
        ck_assert_double_eq(best.goodput, 1.0);

        if (!advances(&plan, &ask)) { continue; }
        const nnc_run run = run_of(&plan, &ask);
        ck_assert(run.run_s >= best.run_s && run.goodput > 0.0 && run.goodput <= 1.0);
        CLOSE(run.train_s + run.wait_s + run.straggler_s + run.save_time_s + run.lost_s + run.evaluate_s +
                  run.warmup_s + run.planned_s + run.sites_s,
              run.run_s, 1e-9);
        CLOSE(run.device_hours, run.devices * run.run_s / HOUR, 1e-12);
        CLOSE(run.cost, run.device_hours * plan.price, 1e-12);
        ck_assert(run.power_w >= ask.idle_w * (1.0 - 1e-12) && run.power_w <= ask.busy_w * (1.0 + 1e-12));

        nnc_run_ask twice = ask;
        twice.pue = ask.pue * 2.0;
        twice.carbon_g_per_kwh = ask.carbon_g_per_kwh * 3.0;
        const nnc_run more = run_of(&plan, &twice);
        CLOSE(more.energy_j, 2.0 * run.energy_j, 1e-12);
        CLOSE(more.carbon_kg, 6.0 * run.carbon_kg, 1e-12);

        /* a run that is given in days has the same number of steps as the run that is given in samples */
        nnc_run_ask timed = ask;
        timed.evaluate_every = 0.0;
        const nnc_run counted = run_of(&plan, &timed);
        timed.days = counted.days;
        plan.samples = (double)NAN;
        if (counted.days < 1e15) { CLOSE(run_of(&plan, &timed).steps, counted.steps, 1e-6); }

        /* without a step time, the parts still add up to the days */
        timed.step_s = (double)NAN;
        timed.days = 100.0;
        timed.warmup_s = 1000.0;
        const nnc_run days = run_of(&plan, &timed);
        CLOSE(days.run_s, 100.0 * 24.0 * HOUR, 1e-12);
        CLOSE(days.train_s + days.straggler_s + days.save_time_s + days.lost_s + days.warmup_s + days.planned_s,
              days.run_s, 1e-9);
        ck_assert(days.lost_s >= 0.0 && days.save_time_s >= 0.0);
    }
}
END_TEST

/* Without failures, goodput is interval / (interval + save). Goodput does not rise with shorter times between failures
 * or longer restarts. If training waits for saves, no interval has a better goodput than Daly's. */
START_TEST(goodput) {
    state = 19;
    for (int i = 0; i < RUNS; i++) {
        const double interval = random_size(10.0, 1e5), save = random_size(0.1, 1e3);
        const double m = random_size(1e2, 1e7), restart = random_size(1.0, 1e4);
        ck_assert_double_eq(nnc_goodput(interval, save, save, restart, (double)INFINITY, false),
                            interval / (interval + save));
        CLOSE(nnc_goodput(interval, save, save, restart, 1e15, false), interval / (interval + save), 1e-6);
        const double blocking = nnc_goodput(interval, save, save, restart, m, false);
        ck_assert_double_le(nnc_goodput(interval, save, save, restart, m / 2.0, false), blocking);
        ck_assert_double_le(nnc_goodput(interval, save, save, restart * 2.0, m, false), blocking);
        if (save < 0.05 * m) { /* Daly's series expansion is valid here */
            const double daly = nnc_daly_interval(save, m);
            ck_assert_double_ge(nnc_goodput(daly, save, save, restart, m, false), blocking * (1.0 - 2e-3));
        }
    }
}
END_TEST

/* A device is busy during a step, except for bubbles, exposed communication and waits for the host. The power of a
 * device follows the busy share of the step. A failure that waits for a node loses time in proportion to the wait. */
START_TEST(busy_is_the_rest_of_a_step) {
    const nnc_device *h100 = load_device("hw/h100-sxm5-80gb.json");
    nnc_plan plan = nnc_plan_default();
    plan.data = 8;
    plan.pipeline = 2;
    plan.micro_batches = 4;
    plan.samples = 1e6;
    const nnc_result r =
        estimate_with(load_model("models/gpt2.json"), h100, load_software("software/torch-eager.json"), &plan);
    ck_assert(r.bubble_s > 0.0 && r.exposed_comm_s > 0.0 && r.host_s > 0.0);
    nnc_run_ask ask = nnc_run_ask_default();
    nnc_run run, longer;
    nnc_error err = { 0 };
    ask.idle_w = 100.0;
    ask.busy_w = 300.0;
    ck_assert_int_eq(nnc_run_of(&r, h100, &r.plan, &ask, &run, &err), NNC_OK);
    const double busy = 1.0 - (r.bubble_s + r.exposed_comm_s + r.host_s) / r.step_s;
    CLOSE(run.busy_share, busy, 1e-9);
    CLOSE(run.power_w, 100.0 + 200.0 * busy, 1e-9);
    ask.device_mtbf_s = 1e7;
    ask.checkpoint_bytes = 1e9;
    ask.spares = 0.0;
    /* a save starts when the previous save has ended; saves that take no time start every second */
    ask.asynchronous = true;
    ask.block_s = 0.0;
    for (ask.save_s = 0.0; ask.save_s <= 50.0; ask.save_s += 10.0) {
        ck_assert_int_eq(nnc_run_of(&r, h100, &r.plan, &ask, &run, &err), NNC_OK);
        ck_assert_double_eq(run.interval_s, ask.save_s > 0.0 ? ask.save_s : 1.0);
    }
    double restart_s[3];
    for (int i = 0; i < 3; i++) {
        ask.replace_s = 1000.0 * i;
        ck_assert_int_eq(nnc_run_of(&r, h100, &r.plan, &ask, &longer, &err), NNC_OK);
        restart_s[i] = longer.restart_s;
    }
    ck_assert_double_gt(restart_s[1], restart_s[0]);
    ck_assert_double_le(restart_s[1], restart_s[0] + 1000.0);
    CLOSE(restart_s[2] - restart_s[0], 2.0 * (restart_s[1] - restart_s[0]), 1e-9);
}
END_TEST

/* DPO scores each answer with a reference model of the size of the policy, in one forward pass. The step without the
 * update is divided between forward and backward with recomputation, in the proportion of their times. */
START_TEST(scoring_is_a_forward_pass) {
    nnc_plan plan = nnc_plan_default();
    plan.data = 8;
    plan.samples = 1e6;
    plan.recompute = NNC_RECOMPUTE_FULL;
    const nnc_device *h100 = load_device("hw/h100-sxm5-80gb.json");
    const nnc_software *eager = load_software("software/torch-eager.json");
    const nnc_result r = estimate_with(load_model("models/gpt2.json"), h100, eager, &plan);
    nnc_run_ask ask = nnc_run_ask_default();
    nnc_run run;
    nnc_error err = { 0 };
    ask.method = NNC_METHOD_DPO;
    ck_assert_int_eq(nnc_run_of(&r, h100, &r.plan, &ask, &run, &err), NNC_OK);
    ck_assert(r.recompute_s > 0.0 && r.update_s > 0.0);
    CLOSE(run.score_step_s, (r.step_s - r.update_s) * r.forward_s / (r.forward_s + r.backward_s + r.recompute_s),
          1e-12);
}
END_TEST

/* Tests random budgets: training the best model of an amount of money must cost the same amount of money. */
START_TEST(budgets_come_back) {
    const nnc_device *h100 = NULL;
    state = 20;
    ck_assert_int_eq(nnc_device_load(specs, "h100", &h100, NULL), NNC_OK);
    for (int i = 0; i < RUNS; i++) {
        nnc_budget budget, back;
        nnc_budget_ask ask = nnc_budget_ask_default();
        ask.cost = random_size(1e2, 1e9);
        ask.mfu = random_size(0.05, 0.9);
        ask.goodput = random_size(0.3, 1.0);
        ask.price = random_size(0.1, 20.0);
        ck_assert_int_eq(nnc_budget_of(h100, &ask, &budget, NULL), NNC_OK);
        const nnc_optimum *best = &budget.optima[i % NNC_LAW_COUNT];
        nnc_budget_ask inverse = ask;
        inverse.cost = (double)NAN;
        inverse.params = best->params;
        inverse.tokens = best->tokens;
        ck_assert_int_eq(nnc_budget_of(h100, &inverse, &back, NULL), NNC_OK);
        CLOSE(back.cost, ask.cost, 1e-9);
        CLOSE(back.device_hours, budget.device_hours, 1e-9);
        const double over = back.over_training[best->law];
        ck_assert_msg(isnan(over) || relative(over, 1.0) < 1e-6, "%s: %.9g", nnc_law_name(best->law), over);
    }
}
END_TEST

int main(void) {
    const TTest *const tests[] = { better_is_never_longer,    identities,       goodput, busy_is_the_rest_of_a_step,
                                   scoring_is_a_forward_pass, budgets_come_back };
    return run_tests_with("run_properties", open_support, close_support, tests, COUNT_OF(tests));
}
