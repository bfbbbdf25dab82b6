/* The range in which nine of ten measurements of a step fall. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "estimate/bounds.h"
#include "shape/family.h"

/* Programs do more than is counted, and seldom less: the range reaches further above the prediction. Chosen with all
 * rows in sight, docs/accuracy.md; tests/spreads.py shows what they bring. */
#define BELOW 0.85
#define ABOVE 1.15

/* What a record's steps are of: a network by its file, since each has convolutions of its own; other models by
 * their family. */
static const char *measured_of(const nnc_model *model, bool experts)
{
    return model->family == NNC_FAMILY_GRAPH ? model->id
           : experts                         ? "experts"
                                             : nnc_family_name(model->family);
}

/* What was measured of the profile on this device with models of this kind; NULL = nothing. */
static const nnc_range *measured_range(const nnc_model *model, bool experts, const nnc_step *step)
{
    const nnc_software *software = step->software;
    const char *of = measured_of(model, experts);
    for (int32_t i = 0; i < software->range_count; i++) {
        const nnc_range *one = &software->ranges[i];
        if (strcmp(one->device, step->device->id) == 0 && strcmp(one->of, of) == 0) {
            return one;
        }
    }
    return NULL;
}

void nnc_step_interval(const nnc_model *model, const nnc_step *step, nnc_result *r)
{
    const nnc_spreads *s = &step->software->spread;
    const nnc_basis basis = step->device->efficiency.basis;
    r->interval_s[0] = r->interval_s[1] = NAN;
    if (basis == NNC_BASIS_NONE || r->plan.mode != NNC_MODE_PREDICTED || isnan(s->own)) {
        return;
    }
    const double guessed = basis == NNC_BASIS_STEPS     ? 0.0
                           : basis == NNC_BASIS_KERNELS ? s->kernels
                                                        : s->carried;
    const bool experts = nnc_model_sizes_of(model).experts > 0;
    const nnc_range *measured = measured_range(model, experts, step);
    nnc_derivation *why = step->why;
    NNC_LET(why, own, NULL, measured != NULL ? measured->own : s->own);
    NNC_LET(why, device, NULL, measured != NULL ? 0.0 : guessed);
    NNC_LET(why, routed, NULL, measured == NULL && experts ? s->experts : 0.0);
    NNC_LET(why, network_s, "s", r->bound_s[NNC_BOUND_NETWORK]);
    NNC_LET(why, waiting_s, "s", r->bound_s[NNC_BOUND_HOST] + r->bound_s[NNC_BOUND_BUBBLE]);
    NNC_LET(why, network_spread, NULL, s->network);
    NNC_LET(why, idle_spread, NULL, s->idle);
    NNC_SAY(why, network, NULL, network_spread * network_s / r->step_s);
    NNC_SAY(why, idle, NULL, idle_spread * waiting_s / r->step_s);
    NNC_SAY(why, half, NULL,
            sqrt(own * own + device * device + routed * routed + network * network + idle * idle));
    NNC_LET(why, below, NULL, BELOW);
    NNC_LET(why, above, NULL, ABOVE);
    NNC_SET(why, r->interval_s[0], "s", nnc_max(r->step_s / exp(below * half), r->lower_bound_s));
    NNC_SET(why, r->interval_s[1], "s", r->step_s * exp(above * half));
}
