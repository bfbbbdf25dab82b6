/* What a compute budget buys: the model and tokens of least loss. */
#include <math.h>

#include "base/names.h"
#include "run/run.h"

NNC_ENUM_TEXTS(nnc_law, NNC_LAW_LIST)

/* L = e + a / N^alpha + b / D^beta. */
typedef struct law {
    double e, a, b, alpha, beta;
} law;

/* Sources: arXiv:2203.15556 equation 10; its TeX source, read by arXiv:2404.10102, which has the last. */
static const law NNC_ROW(NNC_LAW_RULE_20) = { NAN, NAN, NAN, NAN, NAN };
static const law NNC_ROW(NNC_LAW_PRINTED) = { 1.69, 406.4, 410.7, 0.34, 0.28 };
static const law NNC_ROW(NNC_LAW_TEX) = { 1.6933736809989528, 406.4010175194737, 410.7228269450398,
                                          0.33917084, 0.2849083 };
static const law NNC_ROW(NNC_LAW_EPOCH) = { 1.81686, 482.00572, 2085.4342, 0.34781, 0.36585 };
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
        optimum.params = sqrt(flops / 120.0); /* C = 6 N (20 N) */
    } else {
        const double sum = l->alpha + l->beta;
        const double g = pow(l->alpha * l->a / (l->beta * l->b), 1.0 / sum);
        optimum.params = g * pow(flops / 6.0, l->beta / sum);
    }
    optimum.tokens = flops / (6.0 * optimum.params);
    optimum.loss = nnc_law_loss(kind, optimum.params, optimum.tokens);
    return optimum;
}
