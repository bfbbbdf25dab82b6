/* Tests compute budgets. Each scaling law must give a value that its source prints. No size on a grid may need fewer
 * FLOPs of training and serving together than the computed optimum. Money and devices are worked by hand. Every bad
 * input must be refused. */
#include "run_cases.h"

/* Each law gives the value that its source prints. With 16 times the FLOPs, the parameters (or tokens) grow by 16 to
 * the power of the printed exponent. The FLOPs are always 6 x parameters x tokens. */
START_TEST(laws_at_their_points) {
    const struct {
        nnc_law law;
        bool tokens;
        double flops, value, exponent;
    } points[] = {
        { NNC_LAW_RULE_20, false, 1.2e22, 1e10, 0.5 }, /* 6 x 1e10 x 2e11 */
        { NNC_LAW_APPROACH_1, false, 1.21e20, 1e9, 0.49803 },
        { NNC_LAW_APPROACH_2, false, 1.20e20, 1e9, 0.48986 },
        { NNC_LAW_LLAMA_3, true, 1e20, 0.299 * pow(10.0, 10.74), 0.537 },
        { NNC_LAW_LLAMA_3_PRINTED, true, 1e20, 0.29 * pow(10.0, 10.6), 0.53 },
        { NNC_LAW_DEEPSEEK, true, 1e20, 5.8316 * pow(10.0, 9.514), 0.4757 },
        { NNC_LAW_KAPLAN, false, 8.64e19, 1.3e9, 0.73 },
    };
    for (size_t i = 0; i < COUNT_OF(points); i++) {
        const nnc_optimum one = nnc_compute_optimal(points[i].law, points[i].flops);
        const nnc_optimum more = nnc_compute_optimal(points[i].law, 16.0 * points[i].flops);
        const double value = points[i].tokens ? one.tokens : one.params;
        const double grown = points[i].tokens ? more.tokens : more.params;
        CLOSE(value, points[i].value, 1e-9);
        CLOSE(grown / value, pow(16.0, points[i].exponent), 1e-9);
        CLOSE(6.0 * one.params * one.tokens, points[i].flops, 1e-9);
        ck_assert(isnan(one.served_params) && isnan(one.served_tokens) && isnan(one.saved_share));
    }
}
END_TEST

/* Fewer parameters that are trained longer reach the same loss, and cost less if many tokens are served. No size on a
 * grid needs fewer FLOPs (6 N D for training, and 2 N for each served token) than the returned size. If the number of
 * served tokens is unknown, the optimum does not change. */
START_TEST(serving_saves) {
    const double params = 70e9, tokens = 1.4e12, served = 2e13;
    const nnc_optimum best = nnc_serving_optimal(NNC_LAW_EPOCH, params, tokens, served);
    const double loss = 1.81686 + 482.00572 / pow(params, 0.34781) + 2085.4342 / pow(tokens, 0.36585);
    CLOSE(best.loss, loss, 1e-12);
    ck_assert_double_eq(best.params, params);
    ck_assert_double_eq(best.tokens, tokens);
    const double left = loss - 1.81686 - 482.00572 / pow(best.served_params, 0.34781);
    CLOSE(best.served_tokens, pow(2085.4342 / left, 1.0 / 0.36585), 1e-9);
    const double least = best.served_params * (6.0 * best.served_tokens + 2.0 * served);
    CLOSE(best.saved_share, 1.0 - least / (params * (6.0 * tokens + 2.0 * served)), 1e-9);
    ck_assert_double_gt(best.saved_share, 0.1);
    ck_assert_double_lt(best.served_params, params);
    for (double n = 1e9; n < 1e12; n *= 1.01) {
        const double rest = loss - 1.81686 - 482.00572 / pow(n, 0.34781);
        const double d = rest > 0.0 ? pow(2085.4342 / rest, 1.0 / 0.36585) : (double)INFINITY;
        ck_assert_double_ge(n * (6.0 * d + 2.0 * served), least * (1.0 - 1e-9));
    }
    const nnc_optimum none = nnc_serving_optimal(NNC_LAW_EPOCH, params, tokens, (double)NAN);
    ck_assert(isnan(none.served_params) && none.params == params);
    ck_assert(isnan(nnc_serving_optimal(NNC_LAW_RULE_20, params, tokens, served).served_params));
}
END_TEST

/* Training has 6 x 1e9 x 2e10 FLOPs. At 100 TFLOP/s, MFU 0.5 and goodput 0.8, these FLOPs take 3e6 s of one device,
 * which are 833.3 hours. At a price of 3 per hour, 833.3 hours cost 2,500. Training in 10 days needs 4 devices. For
 * each scaling law, the optimum of the budget equals the optimum that the function of this law computes. */
START_TEST(money_by_hand) {
    const nnc_device device = plain_device();
    nnc_budget_ask ask = nnc_budget_ask_default();
    nnc_budget budget;
    ask.params = 1e9;
    ask.tokens = 2e10;
    ask.mfu = 0.5;
    ask.goodput = 0.8;
    ask.price = 3.0;
    ask.days = 10.0;
    ask.serve_tokens = 1e13;
    ck_assert_int_eq(nnc_budget_of(&device, &ask, &budget, NULL), NNC_OK);
    CLOSE(budget.flops, 1.2e20, 1e-12);
    CLOSE(budget.flops_per_s, 40e12, 1e-12);
    CLOSE(budget.device_hours, 3e6 / 3600.0, 1e-12);
    CLOSE(budget.cost, 2500.0, 1e-12);
    ck_assert_double_eq(budget.devices, 4.0); /* 3.47 */
    ck_assert_double_eq(budget.days, 10.0);
    for (int i = 0; i < NNC_LAW_COUNT; i++) {
        const nnc_optimum *found = &budget.optima[i], one = nnc_compute_optimal((nnc_law)i, 1.2e20);
        CLOSE(found->params, one.params, 1e-12);
        CLOSE(found->tokens, one.tokens, 1e-12);
        const nnc_optimum own = nnc_serving_optimal((nnc_law)i, 1e9, 2e10, 1e13);
        const nnc_optimum served =
            isnan(own.loss) ? nnc_serving_optimal((nnc_law)i, one.params, one.tokens, 1e13) : own;
        ck_assert(isnan(served.served_params) == isnan(found->served_params));
        if (!isnan(served.served_params)) {
            CLOSE(found->served_params, served.served_params, 1e-12);
            CLOSE(found->served_tokens, served.served_tokens, 1e-12);
            CLOSE(found->saved_share, served.saved_share, 1e-12);
        }
        /* the compute-optimal model of 1 / over_training of the FLOPs has the same loss as the given model */
        if (!isnan(own.loss)) {
            const double least = budget.flops / budget.over_training[i];
            CLOSE(nnc_compute_optimal((nnc_law)i, least).loss, own.loss, 1e-9);
        }
    }
    /* a budget of money and the same budget as FLOPs give the same result */
    nnc_budget back;
    ask.params = ask.tokens = (double)NAN;
    ask.cost = 2500.0;
    ck_assert_int_eq(nnc_budget_of(&device, &ask, &back, NULL), NNC_OK);
    CLOSE(back.flops, 1.2e20, 1e-12);
    CLOSE(back.device_hours, budget.device_hours, 1e-12);
    ask.cost = (double)NAN;
    ask.flops = 1.2e20;
    ck_assert_int_eq(nnc_budget_of(&device, &ask, &back, NULL), NNC_OK);
    CLOSE(back.cost, 2500.0, 1e-12);
    ck_assert_int_eq(nnc_budget_of(NULL, &ask, &back, NULL), NNC_OK); /* FLOPs need no device */
    ck_assert(isnan(back.flops_per_s));
    /* If the user gives no price, the price of the device file is used. */
    nnc_price recorded[] = { { .per_device_hour = 7.5 } };
    nnc_device sold = device;
    sold.prices = recorded;
    sold.price_count = 1;
    ask.price = (double)NAN;
    ck_assert_int_eq(nnc_budget_of(&sold, &ask, &back, NULL), NNC_OK);
    ck_assert_double_eq(back.price_per_device_hour, 7.5);
    CLOSE(back.cost, 7.5 * back.device_hours, 1e-12);
}
END_TEST

/* Each input has a range. The user must give exactly one of these: FLOPs, money or a model. */
START_TEST(refused_budgets) {
    const nnc_device device = plain_device();
    const nnc_budget_ask none = nnc_budget_ask_default();
    static const struct {
        const char *where;
        size_t offset;
        double most;
    } inputs[] = {
        { "--cost", offsetof(nnc_budget_ask, cost), 1e15 },
        { "--days", offsetof(nnc_budget_ask, days), 1e6 },
        { "--params", offsetof(nnc_budget_ask, params), 1e18 },
        { "--tokens", offsetof(nnc_budget_ask, tokens), 1e18 },
        { "--mfu", offsetof(nnc_budget_ask, mfu), 1.0 },
        { "--goodput", offsetof(nnc_budget_ask, goodput), 1.0 },
        { "--price", offsetof(nnc_budget_ask, price), 1e6 },
        { "--flops", offsetof(nnc_budget_ask, flops), 1e40 },
        { "--serve-tokens", offsetof(nnc_budget_ask, serve_tokens), 1e30 },
    };
    nnc_budget budget;
    nnc_error err;
    for (size_t i = 0; i < COUNT_OF(inputs); i++) {
        nnc_budget_ask ask = none;
        const bool amount = i == 0 || i == 2 || i == 3 || i == 7;
        double *const value = (double *)(void *)((char *)&ask + inputs[i].offset);
        const double wrong[] = { 0.0, -1.0, inputs[i].most * 1.01 };
        ask.flops = amount ? ask.flops : 1e20;
        for (size_t k = 0; k < COUNT_OF(wrong); k++) {
            *value = wrong[k];
            ck_assert_int_eq(nnc_budget_of(&device, &ask, &budget, &err), NNC_BAD_USAGE);
            ck_assert_str_eq(err.where, inputs[i].where);
        }
        *value = inputs[i].most;
        ask.price = i == 0 ? 1.0 : ask.price;
        ask.tokens = i == 2 ? 1e18 : ask.tokens;
        ask.params = i == 3 ? 1e18 : ask.params;
        ck_assert_msg(nnc_budget_of(&device, &ask, &budget, &err) == NNC_OK, "%s: %s", err.where, err.what);
    }
    static const struct {
        double flops, cost, params, tokens;
        const char *where;
    } sets[] = {
        { NAN, NAN, NAN, NAN, "--cost" }, { 1e20, 1e3, NAN, NAN, "--flops" }, { 1e20, NAN, 1e9, 1e9, "--flops" },
        { NAN, 1e3, 1e9, 1e9, "--cost" }, { NAN, NAN, 1e9, NAN, "--tokens" }, { NAN, NAN, NAN, 1e9, "--params" },
    };
    for (size_t i = 0; i < COUNT_OF(sets); i++) {
        nnc_budget_ask ask = none;
        ask.price = 1.0;
        ask.flops = sets[i].flops;
        ask.cost = sets[i].cost;
        ask.params = sets[i].params;
        ask.tokens = sets[i].tokens;
        ck_assert_msg(nnc_budget_of(&device, &ask, &budget, &err) == NNC_BAD_USAGE, "set %zu", i);
        ck_assert_str_eq(err.where, sets[i].where);
    }
    nnc_budget_ask ask = none;
    ask.cost = 1e3;
    ck_assert_int_eq(nnc_budget_of(NULL, &ask, &budget, &err), NNC_BAD_USAGE);
    ck_assert_str_eq(err.where, "--device");
    ck_assert_int_eq(nnc_budget_of(&device, &ask, &budget, &err), NNC_BAD_USAGE); /* no price */
    ck_assert_str_eq(err.where, "--price");
}
END_TEST

int main(void) {
    const TTest *const tests[] = { laws_at_their_points, serving_saves, money_by_hand, refused_budgets };
    return run_tests("budgets", tests, COUNT_OF(tests));
}
