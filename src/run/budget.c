/* Compute budgets. For a number of FLOPs or a sum of money, computes the model size and the number of training tokens
 * with the smallest loss; for a target loss, computes the size and the tokens that need the fewest FLOPs. The published
 * scaling laws are rows of a table in this file. */
#include "base/base_internal.h"
#include "run/run_internal.h"

NNC_ENUM_TEXTS(nnc_law, NNC_LAW_LIST)

/* A scaling law gives the loss L of a model with N parameters after training on D tokens: L = e + a / N^alpha + b /
 * D^beta. If e is NaN, the law does not predict a loss. For a training with C FLOPs a law without e gives only scale x
 * (C / flops)^exponent, which is the optimal N, or the optimal D if `tokens` is true. */
typedef struct law {
    double e, a, b, alpha, beta;
    bool tokens;
    double scale, flops, exponent;
} law;

/* Sources of the three laws that predict a loss. NNC_LAW_PRINTED: arXiv:2203.15556, equation 10. NNC_LAW_TEX: the
 * unrounded values in the TeX source of arXiv:2203.15556, as quoted by arXiv:2404.10102. NNC_LAW_EPOCH: the fit of
 * arXiv:2404.10102. */
#define LOSS(...) \
    { __VA_ARGS__, false, NAN, NAN, NAN }
#define BEST(...) \
    { NAN, NAN, NAN, NAN, NAN, __VA_ARGS__ }
/* 20 tokens per parameter: D = 20 N and C = 6 N D, therefore N = (C / 120)^0.5 */
static const law NNC_ROW(NNC_LAW_RULE_20) = BEST(false, 1.0, 120.0, 0.5);
static const law NNC_ROW(NNC_LAW_PRINTED) = LOSS(1.69, 406.4, 410.7, 0.34, 0.28);
static const law NNC_ROW(NNC_LAW_TEX) = LOSS(1.6933736809989528, 406.4010175194737, 410.7228269450398, 0.33917084,
                                             0.2849083);
static const law NNC_ROW(NNC_LAW_EPOCH) = LOSS(1.81686, 482.00572, 2085.4342, 0.34781, 0.36585);
/* Optimal number of parameters N for training with C FLOPs, after arXiv:2203.15556, table 3. N = 1e9 (C /
 * flops)^exponent, where `flops` is the value in the table's row of 1e9 parameters, and the exponent is the slope of
 * log N over log C between the first and the last row of the table. */
static const law NNC_ROW(NNC_LAW_APPROACH_1) = BEST(false, 1e9, 1.21e20, 0.49803);
static const law NNC_ROW(NNC_LAW_APPROACH_2) = BEST(false, 1e9, 1.20e20, 0.48986);
static const law NNC_ROW(NNC_LAW_LLAMA_3) = BEST(true, 0.299, 1.0, 0.537);
static const law NNC_ROW(NNC_LAW_LLAMA_3_PRINTED) = BEST(true, 0.29, 1.0, 0.53);
/* Law of DeepSeek (arXiv:2401.02954, section 3.2): for C training FLOPs, the optimal number of tokens is D = 5.8316
 * C^0.4757. The optimal number of parameters N follows from C = 6 N D. */
static const law NNC_ROW(NNC_LAW_DEEPSEEK) = BEST(true, 5.8316, 1.0, 0.4757);
/* Law of Kaplan et al. (arXiv:2001.08361, table 6): the optimal model for C FLOPs has N = 1.3e9 (C / 8.64e19)^0.73
 * parameters; 8.64e19 FLOPs are one PetaFLOP/s-day. */
static const law NNC_ROW(NNC_LAW_KAPLAN) = BEST(false, 1.3e9, 8.64e19, 0.73);
static const law *const laws[] = { NNC_LAW_LIST(NNC_ROW_AT) };

double nnc_law_loss(nnc_law kind, double params, double tokens) {
    const law *l = laws[(unsigned)kind < NNC_LAW_COUNT ? kind : NNC_LAW_RULE_20];
    return l->e + l->a / pow(params, l->alpha) + l->b / pow(tokens, l->beta);
}

nnc_optimum nnc_compute_optimal(nnc_law kind, double flops) {
    const law *l = laws[(unsigned)kind < NNC_LAW_COUNT ? kind : NNC_LAW_RULE_20];
    nnc_optimum optimum = { .law = kind,
                            .loss = (double)NAN,
                            .served_params = (double)NAN,
                            .served_tokens = (double)NAN,
                            .saved_share = (double)NAN };
    if (isnan(l->e)) {
        const double best = l->scale * pow(flops / l->flops, l->exponent);
        optimum.params = l->tokens ? flops / 6.0 / best : best;
    } else {
        const double sum = l->alpha + l->beta;
        const double g = pow(l->alpha * l->a / (l->beta * l->b), 1.0 / sum);
        optimum.params = g * pow(flops / 6.0, l->beta / sum);
    }
    optimum.tokens = flops / (6.0 * optimum.params);
    optimum.loss = nnc_law_loss(kind, optimum.params, optimum.tokens);
    return optimum;
}

/* Returns the number of training tokens after which a model with `params` parameters reaches `loss` according to the
 * law; infinite if the model never reaches this loss. */
static double tokens_to_reach(const law *l, double params, double loss) {
    const double left = loss - l->e - l->a / pow(params, l->alpha);
    return left > 0.0 ? pow(l->b / left, 1.0 / l->beta) : (double)INFINITY;
}

nnc_optimum nnc_serving_optimal(nnc_law kind, double params, double tokens, double served) {
    const law *l = laws[(unsigned)kind < NNC_LAW_COUNT ? kind : NNC_LAW_RULE_20];
    const double loss = nnc_law_loss(kind, params, tokens);
    nnc_optimum best = nnc_compute_optimal(kind, 6.0 * params * tokens);
    best.params = params;
    best.tokens = tokens;
    best.loss = loss;
    if (isnan(loss) || isnan(served)) { return best; }
    /* Among models with equal loss, the sum of training FLOPs and serving FLOPs has only one minimum as a function of
     * log(parameters), so a ternary search finds it. */
    double low = log(params) - 12.0, high = log(params) + 12.0;
    for (int i = 0; i < 300; i++) {
        const double left = low + (high - low) / 3.0, right = high - (high - low) / 3.0;
        const double at[2] = { exp(left), exp(right) };
        const double flops[2] = { at[0] * (6.0 * tokens_to_reach(l, at[0], loss) + 2.0 * served),
                                  at[1] * (6.0 * tokens_to_reach(l, at[1], loss) + 2.0 * served) };
        if (flops[0] > flops[1] || isinf(flops[0])) {
            low = left;
        } else {
            high = right;
        }
    }
    best.served_params = exp((low + high) / 2.0);
    best.served_tokens = tokens_to_reach(l, best.served_params, loss);
    best.saved_share =
        1.0 - best.served_params * (6.0 * best.served_tokens + 2.0 * served) / (params * (6.0 * tokens + 2.0 * served));
    return best;
}

/* Returns the smallest number of training FLOPs with which the optimal model of a law reaches a loss. */
static double flops_to_reach(nnc_law kind, double loss) {
    double low = 1.0, high = 1e40;
    for (int i = 0; i < 200 && low < high; i++) {
        const double middle = sqrt(low * high);
        if (nnc_compute_optimal(kind, middle).loss > loss) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

/* Checks that the value of an option is above 0 and at most `most`, which is 1 for options that are shares. The value
 * NaN means that the option is not given, and it passes the check. */
static nnc_status check_range(const char *option, double value, double most, nnc_error *err) {
    return isnan(value) || (value > 0.0 && value <= most)
               ? NNC_OK
               : nnc_fail(err, NNC_BAD_USAGE, option, "out of range, expected a number above 0, at most %g, found %g",
                          most, value);
}

static nnc_status check(const nnc_budget_ask *ask, nnc_error *err) {
    NNC_TRY(check_range("--cost", ask->cost, 1e15, err));
    NNC_TRY(check_range("--days", ask->days, 1e6, err));
    NNC_TRY(check_range("--params", ask->params, 1e18, err));
    NNC_TRY(check_range("--tokens", ask->tokens, 1e18, err));
    NNC_TRY(check_range("--mfu", ask->mfu, 1.0, err));
    NNC_TRY(check_range("--goodput", ask->goodput, 1.0, err));
    NNC_TRY(check_range("--price", ask->price, 1e6, err));
    NNC_TRY(check_range("--flops", ask->flops, 1e40, err));
    NNC_TRY(check_range("--serve-tokens", ask->serve_tokens, 1e30, err));
    const bool model = !isnan(ask->params) || !isnan(ask->tokens);
    if (!isnan(ask->flops) && (model || !isnan(ask->cost))) {
        return nnc_fail(err, NNC_BAD_USAGE, "--flops",
                        "expected exactly one of --flops, --cost, or --params with --tokens");
    }
    if (model && !isnan(ask->cost)) {
        return nnc_fail(err, NNC_BAD_USAGE, "--cost",
                        "--params and --tokens determine the cost, expected either --cost, or --params and --tokens");
    }
    if (model && (isnan(ask->params) || isnan(ask->tokens))) {
        return nnc_fail(err, NNC_BAD_USAGE, isnan(ask->params) ? "--params" : "--tokens",
                        "missing, expected both --params and --tokens");
    }
    return !model && isnan(ask->cost) && isnan(ask->flops)
               ? nnc_fail(err, NNC_BAD_USAGE, "--cost",
                          "missing, expected money or --flops to spend, or --params and --tokens")
               : NNC_OK;
}

/* Sets the price of a device-hour, and the FLOP/s that training reaches on the device: peak x MFU x goodput. If no
 * device is named, sets only the price that the user gave, and fails if the user gave an amount of money to spend. */
static nnc_status find_rates(const nnc_device *device, const nnc_budget_ask *ask, nnc_budget *budget, nnc_error *err) {
    budget->price_per_device_hour = ask->price;
    if (device == NULL) {
        return isnan(ask->cost) ? NNC_OK
                                : nnc_fail(err, NNC_BAD_USAGE, "--device", "missing, expected the device to pay for");
    }
    const double bf16 = nnc_device_matmul_peak(device, NNC_BF16);
    const double peak = isnan(bf16) ? nnc_device_matmul_peak(device, NNC_FP16) : bf16;
    if (isnan(ask->price) && device->price_count > 0) {
        budget->price_per_device_hour = device->prices[0].per_device_hour;
    }
    if (!(peak > 0.0) || (!isnan(ask->cost) && !(budget->price_per_device_hour > 0.0))) {
        return nnc_fail(err, NNC_BAD_USAGE, peak > 0.0 ? "--price" : device->id,
                        peak > 0.0 ? "no price is recorded for %s, expected one" : "no 16-bit peak is recorded for %s",
                        device->name);
    }
    budget->flops_per_s = peak * ask->mfu * ask->goodput;
    return NNC_OK;
}

static nnc_status work_out(const nnc_device *device, const nnc_budget_ask *ask, nnc_budget *budget, nnc_error *err) {
    NNC_TRY(check(ask, err));
    *budget = (nnc_budget){ .params = ask->params,
                            .tokens = ask->tokens,
                            .devices = (double)NAN,
                            .flops_per_s = (double)NAN,
                            .days = ask->days };
    NNC_TRY(find_rates(device, ask, budget, err));
    if (isnan(ask->cost)) {
        budget->flops = isnan(ask->flops) ? 6.0 * ask->params * ask->tokens : ask->flops;
        budget->device_hours = budget->flops / budget->flops_per_s / 3600.0;
        budget->cost = budget->device_hours * budget->price_per_device_hour;
    } else {
        budget->cost = ask->cost;
        budget->device_hours = ask->cost / budget->price_per_device_hour;
        budget->flops = budget->device_hours * 3600.0 * budget->flops_per_s;
    }
    if (!isnan(ask->days)) { budget->devices = ceil(budget->device_hours / (24.0 * ask->days)); }
    for (int i = 0; i < NNC_LAW_COUNT; i++) {
        const nnc_law kind = (nnc_law)i;
        const double loss = nnc_law_loss(kind, ask->params, ask->tokens);
        nnc_optimum *best = &budget->optima[i];
        *best = nnc_compute_optimal(kind, budget->flops);
        const nnc_optimum served = nnc_serving_optimal(kind, isnan(loss) ? best->params : ask->params,
                                                       isnan(loss) ? best->tokens : ask->tokens, ask->serve_tokens);
        best->served_params = served.served_params;
        best->served_tokens = served.served_tokens;
        best->saved_share = served.saved_share;
        budget->over_training[i] = isnan(loss) ? (double)NAN : budget->flops / flops_to_reach(kind, loss);
    }
    return NNC_OK;
}

nnc_status nnc_budget_into(const nnc_device *device, const nnc_budget_ask *ask, nnc_budget *budget, nnc_error *err) {
    static const char here[] = "nnc_budget_of";
    nnc_budget_ask full_ask = nnc_budget_ask_default();
    nnc_budget full = { 0 };
    NNC_TRY(nnc_need(here, "ask", ask != NULL, err));
    NNC_TRY(nnc_need(here, "budget", budget != NULL, err));
    NNC_TRY(nnc_sized_check(budget, sizeof *budget, "nnc_budget", err));
    NNC_TRY(nnc_sized_read(&full_ask, sizeof full_ask, ask, "nnc_budget_ask", err));
    NNC_TRY(work_out(device, &full_ask, &full, err));
    nnc_sized_write(budget, &full, sizeof full);
    return NNC_OK;
}
