/* What a compute budget buys: the model and tokens of least loss. */
#include <math.h>

#include "base/error.h"
#include "base/names.h"
#include "base/sized.h"
#include "run/run.h"

NNC_ENUM_TEXTS(nnc_law, NNC_LAW_LIST)

/* L = e + a / N^alpha + b / D^beta; or, where e is NaN, the best parameters (tokens: tokens) of C FLOPs,
 * scale (C / flops)^exponent. */
typedef struct law {
    double e, a, b, alpha, beta;
    bool tokens;
    double scale, flops, exponent;
} law;

/* Sources: arXiv:2203.15556 equation 10; its TeX source, read by arXiv:2404.10102, which has the last. */
#define LOSS(...)                         \
    {                                     \
        __VA_ARGS__, false, NAN, NAN, NAN \
    }
#define BEST(...)                            \
    {                                        \
        NAN, NAN, NAN, NAN, NAN, __VA_ARGS__ \
    }
static const law NNC_ROW(NNC_LAW_RULE_20) = BEST(false, 1.0, 120.0, 0.5); /* C = 6 N (20 N) */
static const law NNC_ROW(NNC_LAW_PRINTED) = LOSS(1.69, 406.4, 410.7, 0.34, 0.28);
static const law NNC_ROW(NNC_LAW_TEX) = LOSS(1.6933736809989528, 406.4010175194737,
                                             410.7228269450398, 0.33917084, 0.2849083);
static const law NNC_ROW(NNC_LAW_EPOCH) = LOSS(1.81686, 482.00572, 2085.4342, 0.34781, 0.36585);
/* From a billion parameters on, with the slope from the first to the last row of the table. */
static const law NNC_ROW(NNC_LAW_APPROACH_1) = BEST(false, 1e9, 1.21e20, 0.49803);
static const law NNC_ROW(NNC_LAW_APPROACH_2) = BEST(false, 1e9, 1.20e20, 0.48986);
static const law NNC_ROW(NNC_LAW_LLAMA_3) = BEST(true, 0.299, 1.0, 0.537);
static const law NNC_ROW(NNC_LAW_LLAMA_3_PRINTED) = BEST(true, 0.29, 1.0, 0.53);
/* Tokens are 5.8316 C^0.4757, section 3.2; the rest of C is the model's. */
static const law NNC_ROW(NNC_LAW_DEEPSEEK) = BEST(true, 5.8316, 1.0, 0.4757);
/* Table 6: 1.3e9 parameters at a PetaFLOP/s-day. */
static const law NNC_ROW(NNC_LAW_KAPLAN) = BEST(false, 1.3e9, 8.64e19, 0.73);
static const law *const laws[] = { NNC_LAW_LIST(NNC_ROW_AT) };

double nnc_law_loss(nnc_law kind, double params, double tokens)
{
    const law *l = laws[(unsigned)kind < NNC_LAW_COUNT ? kind : NNC_LAW_RULE_20];
    return l->e + l->a / pow(params, l->alpha) + l->b / pow(tokens, l->beta);
}

nnc_optimum nnc_compute_optimal(nnc_law kind, double flops)
{
    const law *l = laws[(unsigned)kind < NNC_LAW_COUNT ? kind : NNC_LAW_RULE_20];
    nnc_optimum optimum = { .law = kind, .loss = (double)NAN };
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

/* ---- money ---- */

void nnc_budget_ask_init(nnc_budget_ask *ask, size_t struct_size)
{
    const double unknown = (double)NAN;
    const nnc_budget_ask unset = { .cost = unknown,
                                   .days = unknown,
                                   .params = unknown,
                                   .tokens = unknown,
                                   .mfu = 0.4,
                                   .goodput = 0.95,
                                   .price = unknown };
    if (ask == NULL || struct_size < sizeof struct_size) {
        return;
    }
    ask->struct_size = struct_size;
    nnc_sized_write(ask, &unset, sizeof unset);
}

/* FLOPs that reach a loss best. */
static double flops_to_reach(nnc_law kind, double loss)
{
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

/* Above 0; the most is 1 for shares. */
static nnc_status check_range(const char *option, double value, double most, nnc_error *err)
{
    return isnan(value) || (value > 0.0 && value <= most)
               ? NNC_OK
               : nnc_fail(err, NNC_BAD_USAGE, option,
                          "out of range, expected a number above 0, at most %g, found %g", most,
                          value);
}

static nnc_status check(const nnc_budget_ask *ask, nnc_error *err)
{
    NNC_TRY(check_range("--cost", ask->cost, 1e15, err));
    NNC_TRY(check_range("--days", ask->days, 1e6, err));
    NNC_TRY(check_range("--params", ask->params, 1e18, err));
    NNC_TRY(check_range("--tokens", ask->tokens, 1e18, err));
    NNC_TRY(check_range("--mfu", ask->mfu, 1.0, err));
    NNC_TRY(check_range("--goodput", ask->goodput, 1.0, err));
    NNC_TRY(check_range("--price", ask->price, 1e6, err));
    const bool model = !isnan(ask->params) || !isnan(ask->tokens);
    if (model && !isnan(ask->cost)) {
        return nnc_fail(err, NNC_BAD_USAGE, "--cost",
                        "is worked out from --params and --tokens, expected only one of them");
    }
    if (model && (isnan(ask->params) || isnan(ask->tokens))) {
        return nnc_fail(err, NNC_BAD_USAGE, isnan(ask->params) ? "--params" : "--tokens",
                        "missing, expected both --params and --tokens");
    }
    return !model && isnan(ask->cost)
               ? nnc_fail(err, NNC_BAD_USAGE, "--cost",
                          "missing, expected money to spend, or --params and --tokens")
               : NNC_OK;
}

static nnc_status work_out(const nnc_device *device, const nnc_budget_ask *ask, nnc_budget *budget,
                           nnc_error *err)
{
    const double bf16 = nnc_device_matmul_peak(device, NNC_BF16);
    const double peak = isnan(bf16) ? nnc_device_matmul_peak(device, NNC_FP16) : bf16;
    double price = ask->price;
    NNC_TRY(check(ask, err));
    if (isnan(price) && device->price_count > 0) {
        price = device->prices[0].per_device_hour;
    }
    if (!(price > 0.0) || !(peak > 0.0)) {
        return nnc_fail(err, NNC_BAD_USAGE, peak > 0.0 ? "--price" : device->id,
                        peak > 0.0 ? "no price is recorded for %s, expected one"
                                   : "no 16-bit peak is recorded for %s",
                        device->name);
    }
    *budget = (nnc_budget){ .price_per_device_hour = price,
                            .params = ask->params,
                            .tokens = ask->tokens,
                            .devices = (double)NAN,
                            .days = ask->days };
    budget->flops_per_s = peak * ask->mfu * ask->goodput;
    if (isnan(ask->cost)) {
        budget->flops = 6.0 * ask->params * ask->tokens;
        budget->device_hours = budget->flops / budget->flops_per_s / 3600.0;
        budget->cost = budget->device_hours * price;
    } else {
        budget->cost = ask->cost;
        budget->device_hours = ask->cost / price;
        budget->flops = budget->device_hours * 3600.0 * budget->flops_per_s;
    }
    if (!isnan(ask->days)) {
        budget->devices = ceil(budget->device_hours / (24.0 * ask->days));
    }
    for (int i = 0; i < NNC_LAW_COUNT; i++) {
        const nnc_law kind = (nnc_law)i;
        const double loss = nnc_law_loss(kind, ask->params, ask->tokens);
        budget->optima[i] = nnc_compute_optimal(kind, budget->flops);
        budget->over_training[i] =
            isnan(loss) ? (double)NAN : budget->flops / flops_to_reach(kind, loss);
    }
    return NNC_OK;
}

nnc_status nnc_budget_into(const nnc_device *device, const nnc_budget_ask *ask, nnc_budget *budget,
                           nnc_error *err)
{
    static const char here[] = "nnc_budget_of";
    nnc_budget_ask full_ask = nnc_budget_ask_default();
    nnc_budget full = { 0 };
    NNC_TRY(nnc_need(here, "device", device != NULL, err));
    NNC_TRY(nnc_need(here, "ask", ask != NULL, err));
    NNC_TRY(nnc_need(here, "budget", budget != NULL, err));
    NNC_TRY(nnc_sized_check(budget, sizeof *budget, "nnc_budget", err));
    NNC_TRY(nnc_sized_read(&full_ask, sizeof full_ask, ask, "nnc_budget_ask", err));
    NNC_TRY(work_out(device, &full_ask, &full, err));
    nnc_sized_write(budget, &full, sizeof full);
    return NNC_OK;
}
